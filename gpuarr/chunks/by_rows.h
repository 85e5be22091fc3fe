#define GI_SLOT_BYTES                                                                                                          \
    ((int64_t)(3 * sizeof(double))) /* of what is known of some elements of a line: an accumulator, or a node */

/* How many of them has a line of which so many elements are folded at a time? One for each block; one for each step of the tree above that,
   which is open; and one for results, and what nodes are relative to. */
static int64_t gi_row_slots(int64_t length, int64_t rows)
{
    int64_t n = length < GI_BLOCK ? length : GI_BLOCK, slots = (length + GI_BLOCK - 1) / GI_BLOCK + 1;
    for (; n > rows; n = (n + 1) / 2) slots++;
    return slots;
}

/* Lines in a file, folded some rows at a time: a row is an element of each. A slot holds what is known of some elements of all lines. */
typedef struct gi_by_rows {
    gi_computation *r;
    gi_worker      *w;
    gi_layout       l; /* of the lines */
    int64_t         lines, slots;
    gi_reduction    sum[GI_FOLDS_AT_ONCE];
    gi_moments      moments[GI_FOLDS_AT_ONCE];
    char           *room; /* the slots of all reductions */
} gi_by_rows;

static char *gi_slots_of(const gi_by_rows *s, int fold) { return s->room + fold * s->slots * s->lines * GI_SLOT_BYTES; }

static double *gi_origins_of_rows(const gi_by_rows *s, int fold)
{
    return (double *)(void *)gi_slots_of(s, fold + 1) - s->lines;
}

static gi_nodes gi_slot_nodes(const gi_by_rows *s, int fold, int64_t slot)
{
    double  *n = (double *)(void *)gi_slots_of(s, fold) + 3 * slot * s->lines;
    gi_nodes v = { n, n + s->lines, n + 2 * s->lines };
    return v;
}

static char *gi_slot_accs(const gi_by_rows *s, int fold, int64_t slot)
{
    return gi_slots_of(s, fold) + slot * s->lines * s->sum[fold].fold.acc_bytes;
}

/* The rows first, first + step ... */
static ga_array *gi_pull_rows(gi_by_rows *s, int64_t first, int64_t rows, int64_t step)
{
    const gi_worker cpu = { NULL, 0, GA_CPU, false };
    gi_layout       l   = s->l;
    int             d   = s->r->kept;
    l.data += first * l.strides[d];
    l.shape[d] = rows;
    l.strides[d] *= step;
    return gi_worker_bring(&cpu, gi_pull(s->w, s->r->a, &l, NULL));
}

/* Folds rows, at most a block, into a slot. */
static bool gi_fold_into_slot(gi_by_rows *s, int fold, const ga_array *rows, int64_t slot)
{
    const gi_fold_plan *p = (const gi_fold_plan *)s->r->fold[fold]->plan;
    ga_reduce_options   o = p->o;
    o.keepdims            = false;
    o.axis                = GA_AXIS_DEFAULT;
    o.axes.ndim           = 1;
    o.axes.n[0]           = s->r->kept;
    if (p->sort == GI_FOLD_ROW) {
        gi_reduction *r   = &s->sum[fold];
        const gi_row *row = p->row;
        if (!gi_reduce_plan(&row, p->name, rows, &o, r)) return false;
        r->accs = gi_slot_accs(s, fold, slot);
        return gi_reduce(o.site, r);
    }
    gi_moments *m = &s->moments[fold];
    if (!gi_moment_plan(p->what, p->skip_nan, rows, &o, m)) return false;
    m->nodes = gi_slot_nodes(s, fold, slot);
    m->given = gi_origins_of_rows(s, fold);
    gi_moment_make_nodes(m);
    return true;
}

/* Joins what two slots hold, into the first one. */
static void gi_join_slots(gi_by_rows *s, int64_t slot, int64_t other)
{
    for (int k = 0; k < s->r->folds; k++) {
        if (((const gi_fold_plan *)s->r->fold[k]->plan)->sort == GI_FOLD_ROW) {
            s->sum[k].fold.join(s->lines, gi_slot_accs(s, k, slot), gi_slot_accs(s, k, other));
            continue;
        }
        gi_nodes to = gi_slot_nodes(s, k, slot), more = gi_slot_nodes(s, k, other);
        s->moments[k].join->join_counted(s->lines, &to, &more);
    }
}

/* Folds n rows of a block, `step` apart, as gi_fold_rows does. Slots from `spare` on are free. */
static bool gi_fold_by_rows(gi_by_rows *s, int64_t first, int64_t n, int64_t step, int64_t slot, int64_t spare)
{
    if (n > s->r->rows) {
        bool ok = gi_fold_by_rows(s, first, (n + 1) / 2, 2 * step, slot, spare) &&
                  gi_fold_by_rows(s, first + step, n / 2, 2 * step, spare, spare + 1);
        if (ok) gi_join_slots(s, slot, spare);
        return ok;
    }
    ga_array *rows = gi_pull_rows(s, first, n, step);
    bool      ok   = rows != NULL;
    for (int k = 0; k < s->r->folds && ok; k++) ok = gi_fold_into_slot(s, k, rows, slot);
    ga_free(rows);
    gi_worker_forget(s->w);
    return ok;
}

/* What the elements of each line are taken relative to: the first one. */
static bool gi_find_origins(gi_by_rows *s, const gi_box *box)
{
    ga_array *first = gi_array_new(s->r->site, GA_F64, GA_CPU, s->r->kept, box->count),
             *row   = first ? gi_pull_rows(s, 0, 1, 1) : NULL;
    if (row) row->ndim = s->r->kept; /* the last axis is one element long */
    bool ok = gi_pull_into(s->r->site, first, row);
    for (int k = 0; k < s->r->folds && ok; k++) {
        const gi_fold_plan *p = (const gi_fold_plan *)s->r->fold[k]->plan;
        if (p->sort != GI_FOLD_MOMENT) continue;
        for (int64_t i = 0; i < s->lines; i++)
            gi_origins_of_rows(s, k)[i] = gi_moment_origin(p->what, ((double *)first->data)[i]);
    }
    ga_free(first);
    gi_worker_forget(s->w);
    return ok;
}

/* Ends a reduction whose first slot holds all of the lines. */
static bool gi_end_by_rows(gi_by_rows *s, int fold, const gi_box *box)
{
    gi_computation     *r       = s->r;
    const gi_fold_plan *p       = (const gi_fold_plan *)r->fold[fold]->plan;
    bool                moments = p->sort == GI_FOLD_MOMENT;
    ga_dtype            dtype   = moments ? GA_F64 : gi_reduce_end_dtype(p->row->ends, s->sum[fold].lines.dtype);
    ga_array *out = gi_box_view(r->site, r->to[fold], box), *all = gi_array_new(r->site, dtype, GA_CPU, r->kept, box->count);
    if (all && moments) {
        gi_nodes v = gi_slot_nodes(s, fold, 0);
        s->moments[fold].join->value(s->lines, (double *)all->data, &v, p->what, p->skip_nan, p->o.ddof);
    } else if (all) {
        s->sum[fold].fold.end(s->lines, all->data, gi_slot_accs(s, fold, 0), r->length);
    }
    bool ok = out && gi_pull_into(r->site, out, all);
    if (!out) ga_free(all);
    ga_free(out);
    return ok;
}

/* Reduces the lines in a box of them, by rows. */
static bool gi_reduce_by_rows(gi_computation *r, gi_worker *w, const gi_box *box, const gi_layout *lines)
{
    gi_by_rows s;
    int64_t    blocks = (r->length + GI_BLOCK - 1) / GI_BLOCK, h = 1;
    memset((void *)&s, 0, sizeof s);
    s.r          = r;
    s.w          = w;
    s.l          = *lines;
    s.lines      = gi_shape_size(r->kept, box->count);
    s.slots      = gi_row_slots(r->length, r->rows);
    size_t bytes = (size_t)(r->folds * s.slots * s.lines * GI_SLOT_BYTES);
    s.room       = (char *)gi_mem_alloc(r->site, bytes);
    bool ok = s.room != NULL, moments = false;
    for (int k = 0; k < r->folds; k++) moments = moments || ((const gi_fold_plan *)r->fold[k]->plan)->sort == GI_FOLD_MOMENT;
    if (ok && moments) ok = gi_find_origins(&s, box);
    for (int64_t b = 0; b < blocks && ok; b++) {
        int64_t first = b * GI_BLOCK, n = r->length - first < GI_BLOCK ? r->length - first : GI_BLOCK;
        ok = gi_fold_by_rows(&s, first, n, 1, b, blocks);
    }
    while (h < blocks) h *= 2;
    for (h /= 2; h > 0 && ok; h /= 2) /* there are at most GI_BLOCK blocks */
        for (int64_t b = 0; b < h && b + h < blocks; b++) gi_join_slots(&s, b, b + h);
    for (int k = 0; k < r->folds && ok; k++) ok = gi_end_by_rows(&s, k, box);
    if (s.room) gi_mem_release(s.room, bytes);
    return ok;
}
