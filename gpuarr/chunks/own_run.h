/* ---- runs of reductions of the user's ---- */

typedef struct gi_own_run {
    gi_computation     c; /* its result, or the accumulators of the parts of each line */
    gi_lazy           *n;
    const gi_own_fold *p;
    int                kept, reduced;
    int64_t            shape[GPUARR_MAX_DIMS]; /* the kept axes, then the reduced ones */
    int64_t            length, parts;
    gi_layout          in[GPUARR_MAX_INPUTS]; /* of the inputs, in that order */
} gi_own_run;

/* Lines that are reduced whole. */
static bool gi_own_lines(gi_computation *c, gi_worker *w, const gi_box *box, void *job)
{
    gi_own_run        *r                         = (gi_own_run *)job;
    const gi_own_fold *p                         = r->p;
    ga_array          *pulled[GPUARR_MAX_INPUTS] = { NULL };
    ga_arg             in[GPUARR_MAX_INPUTS];
    ga_reduce_options  o  = p->o;
    bool               ok = true;
    for (int i = 0, a = 0; i < p->operands && ok; i++) {
        in[i] = p->in[i];
        if (!in[i].array) continue;
        gi_layout l = r->in[a];
        for (int d = 0; d < r->kept; d++) {
            l.data += box->start[d] * l.strides[d];
            l.shape[d] = box->count[d];
        }
        pulled[a] = gi_pull(w, r->n->in[a], &l, NULL);
        ok        = pulled[a] != NULL;
        if (ok) in[i] = gi_operand_arg(pulled[a++]);
    }
    o.internal  = true;
    o.keepdims  = false;
    o.axis      = 0;
    o.axes.ndim = r->reduced;
    for (int d = 0; d < r->reduced; d++) o.axes.n[d] = r->kept + d;
    ga_array *out = ok ? gi_view_of_box(c->site, c->to[0], box) : NULL;
    ok            = out && gi_put_elements(c->site, out, (ga_reduce_n)(p->asked, p->operands, in, o));
    ga_free(out);
    for (int a = 0; a < r->n->inputs; a++) ga_free(pulled[a]);
    return ok;
}

static void gi_run_own_lines(int64_t begin, int64_t end, void *job)
{
    gi_own_run *r = (gi_own_run *)job;
    gi_worker   w = gi_new_worker();
    gi_aside    aside;
    gi_put_aside(&aside);
    for (int64_t unit = begin; unit < end && !__atomic_load_n(&r->c.failed, __ATOMIC_RELAXED); unit++) {
        double start = ga_now();
        gi_box box   = gi_box_number(r->kept, r->c.shape, r->c.unit, unit);
        bool   ok    = gi_do_box(&r->c, &w, r->kept, r->c.piece, &box, gi_own_lines, r);
        if (ok && !gi_unit_done(&r->c, unit, start)) gi_run_failed(&r->c, r->kept, &box);
    }
    gi_take_back(&aside);
}

/* The accumulator of the elements first .. first + n of a line, a branch of its tree; `blocks` has room for those of its blocks. */
static bool gi_own_branch(gi_own_run *r, gi_worker *w, int64_t line, int64_t first, int64_t n, char *blocks, char *acc)
{
    const gi_own_fold                *p    = r->p;
    const int64_t                     size = p->r.k->acc_bytes, most = (w->gpu ? GI_GPU_BYTES : GI_PIECE_BYTES) / 8;
    gi_reducing                       m  = p->r;
    bool                              ok = true;
    __attribute__((aligned(64))) char accs[GI_BLOCK * GPUARR_MAX_ACCUMULATOR];
    for (int64_t at = 0; at < n && ok; at += most) {
        const ga_shape all             = { 0, { 0 } };
        ga_array *x[GPUARR_MAX_INPUTS] = { NULL }, *view[GPUARR_MAX_INPUTS] = { NULL }, *copy[GPUARR_MAX_INPUTS] = { NULL };
        int64_t   count = n - at < most ? n - at : most;
        for (int i = 0, a = 0; i < p->operands && ok; i++) {
            ga_arg   v     = p->in[i];
            ga_dtype dtype = p->r.dtype[i];
            if (v.array) {
                ga_array elements = *r->n->in[a]; /* the line; no array of its own */
                int64_t  rest     = line;
                elements.data     = r->in[a].data;
                elements.ndim     = r->reduced;
                elements.size     = r->length;
                for (int d = r->kept - 1; d >= 0; d--) {
                    elements.data = (char *)elements.data + rest % r->shape[d] * r->in[a].strides[d];
                    rest /= r->shape[d];
                }
                for (int d = 0; d < r->reduced; d++) {
                    elements.shape[d]   = r->shape[r->kept + d];
                    elements.strides[d] = r->in[a].strides[r->kept + d];
                }
                gi_worker cpu = { NULL, 0, GA_CPU, false };
                x[a]          = gi_bring(&cpu, gi_pull_range(w, &elements, first + at, count, NULL));
                ok            = x[a] != NULL;
                if (ok) v = gi_operand_arg(x[a++]);
            }
            if (ok) view[i] = gi_reducing_input(r->c.site, v, dtype, GA_CPU, 1, &count, &copy[i]);
            ok = ok && view[i] && gi_plan_lines(r->c.site, &m.in[i], view[i], dtype, -1, &all, false);
        }
        m.from = first + at;
        for (int64_t block = 0; block * GI_BLOCK < count && ok; block++) {
            int64_t elements = count - block * GI_BLOCK < GI_BLOCK ? count - block * GI_BLOCK : GI_BLOCK;
            gi_reducing_map_line(&m, 0, block * GI_BLOCK, elements, accs);
            gi_reducing_halve(&m, elements, accs, size, 0);
            memcpy(blocks + (at / GI_BLOCK + block) * size, accs, (size_t)size);
        }
        for (int i = 0; i < p->operands; i++) {
            ga_free(x[i]);
            ga_free(view[i]);
            ga_free(copy[i]);
        }
        gi_forget(w);
    }
    if (!ok) return false;
    gi_reducing_fold_blocks(&m, (n + GI_BLOCK - 1) / GI_BLOCK, blocks, size, 0);
    memcpy(acc, blocks, (size_t)size);
    return true;
}

static void gi_run_own_branches(int64_t begin, int64_t end, void *job)
{
    gi_own_run *r = (gi_own_run *)job;
    gi_worker   w = gi_new_worker();
    gi_aside    aside;
    int64_t     size  = r->p->r.k->acc_bytes;
    size_t      bytes = (size_t)(GI_LONGEST_LINE / GI_BLOCK * size);
    gi_put_aside(&aside);
    char *blocks = (char *)gi_alloc(r->c.site, bytes);
    for (int64_t unit = begin; unit < end && !__atomic_load_n(&r->c.failed, __ATOMIC_RELAXED); unit++) {
        int64_t line = unit / r->parts, first = unit % r->parts * GI_LONGEST_LINE;
        int64_t n     = r->length - first < GI_LONGEST_LINE ? r->length - first : GI_LONGEST_LINE;
        double  start = ga_now();
        char   *acc   = r->c.record + unit * size;
        bool    halve, ok = blocks && gi_own_branch(r, &w, line, first, n, blocks, acc);
        if (!ok && blocks && gi_gpu_gave_up(&w, &halve)) {
            gi_worker cpu = { NULL, 0, GA_CPU, false };
            ok            = gi_own_branch(r, &cpu, line, first, n, blocks, acc);
        }
        if (ok && gi_unit_done(&r->c, unit, start)) continue;
        gi_box box;
        box.start[0] = first;
        box.count[0] = n;
        gi_run_failed(&r->c, 1, &box);
    }
    if (blocks) gi_release(blocks, bytes);
    gi_take_back(&aside);
}

/* Works out a reduction of the user's into its node's value. False with an error. */
static bool gi_run_own_fold(const char *site, gi_lazy *n)
{
    const gi_own_fold *p = (const gi_own_fold *)n->plan;
    gi_own_run         r;
    int64_t            lines = 1;
    memset((void *)&r, 0, sizeof r);
    r.c.site = site;
    r.n      = n;
    r.p      = p;
    r.length = 1;
    for (int pass = 0, m = 0; pass < 2; pass++) /* the kept axes first */
        for (int d = 0; d < p->ndim; d++) {
            if (p->marked[d] != (pass == 1)) continue;
            for (int a = 0; a < n->inputs; a++) {
                int64_t strides[GPUARR_MAX_DIMS];
                gi_broadcast_strides(n->in[a], p->ndim, p->shape, strides);
                r.in[a].data       = (char *)n->in[a]->data;
                r.in[a].ndim       = p->ndim;
                r.in[a].shape[m]   = p->shape[d];
                r.in[a].strides[m] = strides[d];
            }
            if (pass == 0) lines *= p->shape[d], r.kept++;
            else r.length *= p->shape[d], r.reduced++;
            r.shape[m++] = p->shape[d];
        }
    n->value = gi_new(site, n->dtype, GA_CPU, n->ndim, n->shape);
    if (!n->value || lines == 0) return n->value != NULL;
    pthread_mutex_init(&r.c.lock, NULL);
    r.c.ndim = r.kept;
    memcpy(r.c.shape, r.shape, sizeof r.c.shape);
    ga_array *value = gi_kept_view(site, n->value, r.kept, r.shape);
    bool      ok    = value != NULL;
    if (ok && r.length <= GI_LONGEST_LINE) {
        int64_t beside = GI_PIECE_BYTES / 8 / (r.length > 0 ? r.length : 1);
        for (int d = r.kept - 1; d >= 0; d--) {
            r.c.unit[d] = r.shape[d] < beside ? r.shape[d] : beside > 0 ? beside : 1;
            beside /= r.c.unit[d];
        }
        memcpy(r.c.piece, r.c.unit, sizeof r.c.piece);
        gi_grow_units(r.kept, r.c.shape, r.c.unit, GI_GPU_BYTES / 8 / (r.length > 0 ? r.length : 1));
        r.c.arrays = 1;
        r.c.to     = &value;
        gi_run_units_of(&r.c, gi_count_boxes(r.kept, r.c.shape, r.c.unit), gi_run_own_lines);
    } else if (ok) {
        int64_t size     = p->r.k->acc_bytes;
        r.parts          = (r.length + GI_LONGEST_LINE - 1) / GI_LONGEST_LINE;
        size_t bytes     = (size_t)(lines * r.parts * size);
        r.c.records      = 1;
        r.c.record_bytes = size;
        r.c.record       = (char *)gi_alloc(site, bytes);
        ok               = r.c.record != NULL;
        if (ok) gi_run_units_of(&r.c, lines * r.parts, gi_run_own_branches);
        for (int64_t line = 0; line < lines && ok && !r.c.failed; line++) {
            char *accs = r.c.record + line * r.parts * size;
            gi_reducing_fold_blocks(&p->r, r.parts, accs, size, 0);
            p->r.k->finish(1, (char *)n->value->data + line * ga_itemsize(n->dtype), accs, r.length);
        }
        if (r.c.record) gi_release(r.c.record, bytes);
    }
    ga_free(value);
    return gi_run_ends(&r.c) && ok;
}

/* Do the lines of a reduction, whose layout is l, lie across: are its kept elements nearer to each other than those of a line? */
static bool gi_lie_across(const gi_layout *l, int kept)
{
    return kept > 0 && kept < l->ndim && gi_distance(l->strides[kept - 1]) < gi_distance(l->strides[l->ndim - 1]);
}

/* Bytes of lines that a thread reads from files beside each other: all threads together a quarter of the memory. */
static int64_t gi_wide_bytes(void)
{
    int64_t limit = gi_computing.threads > 0 ? gi_computing.limit : ga_memory_stats().limit_bytes;
    int64_t part  = limit / (4 * gi_computing_threads());
    return limit > 0 && part < GI_WIDE_BYTES ? part : GI_WIDE_BYTES;
}

/* How many lines of a reduction are taken at a time, if they are not longer than `most`? Those that lie across are read better some
   beside each other, and from files many: whole chunks, if that can be. */
static int64_t gi_lines_beside(const ga_array *a, const bool *marked, int64_t *most)
{
    gi_layout l    = gi_reduced_last(a, marked);
    int64_t   size = ga_itemsize(a->dtype), lines = 1, length = 1, chunk = 1;
    int       kept = 0;
    for (int d = 0; d < a->ndim; d++) kept += !marked[d];
    for (int d = 0; d < a->ndim; d++) {
        if (d < kept) lines *= l.shape[d];
        else length *= l.shape[d];
    }
    bool across    = gi_lie_across(&l, kept);
    *most          = (gi_is_local(a) ? GI_PIECE_BYTES * (across ? 4 : 1) : GI_AUTO_BYTES) / size;
    int64_t beside = length > 0 ? *most / length : 1;
    if (across && beside < 64) beside = 64;
    if (across && length > 0 && gi_is_deferred(a) && a->owner->node->far) {
        int64_t wide = gi_wide_bytes() / size / length, share = lines / (2 * gi_computing_threads());
        for (int d = 0; d < a->ndim; d++)
            if (!marked[d]) chunk = ga_chunks_of(a).n[d];
        if (wide > share) wide = share;
        if (wide > chunk) wide -= wide % chunk;
        if (wide > beside) beside = wide;
    }
    if (beside > lines) beside = lines;
    return beside < 1 ? 1 : beside;
}

/* Lines of a file that lie across, but not so that whole ones are read well: how many of their elements does a reduction take at a time, and
   of how many lines? 0: whole lines. `beside` is how many of these would be taken. */
static int64_t gi_rows_at_once(const ga_array *a, const gi_fold_plan *p, int folds, int64_t *beside)
{
    gi_layout l    = gi_reduced_last(a, p->marked);
    int64_t   size = ga_itemsize(a->dtype), inner = 1, lines = 1, rows = GI_BLOCK;
    int       kept = 0, axis = 0;
    bool possible = (p->sort == GI_FOLD_ROW || p->sort == GI_FOLD_MOMENT) && !gi_is_complex(a->dtype) && gi_is_deferred(a) &&
                    a->owner->node->far && gi_is_local(a) && gi_shows_rows(a);
    for (int d = 0; d < a->ndim; d++) {
        if (p->marked[d]) axis = d;
        else lines *= l.shape[kept++];
    }
    for (int d = axis + 1; d < a->ndim; d++) inner *= a->shape[d];
    if (!possible || kept != a->ndim - 1 || a->shape[axis] > GI_LONGEST_LINE || *beside >= inner) return 0;
    int64_t slots = gi_row_slots(a->shape[axis], 8), wide = gi_wide_bytes() / (8 * size + folds * slots * GI_SLOT_BYTES),
            share = lines / gi_computing_threads();
    if (wide > share) wide = share;
    if (wide < 64) wide = 64;
    *beside = wide < inner ? wide : inner;
    while (rows > 8 && rows * *beside * size > GI_PIECE_BYTES) rows /= 2;
    return rows;
}

/* Of longer lines, how many along the last of the kept axes does a unit of `folds` reductions take? */
static int64_t gi_branches_beside(const ga_array *a, const bool *marked, int folds)
{
    enum { ENOUGH = 64 }; /* for arrays that are computed: rows of so many elements are whole cache lines */
    gi_layout l    = gi_reduced_last(a, marked);
    int64_t   size = ga_itemsize(a->dtype), lines = 1, length = 1;
    int       kept = 0;
    for (int d = 0; d < a->ndim; d++) kept += !marked[d];
    for (int d = 0; d < a->ndim; d++) {
        if (d < kept) lines *= l.shape[d];
        else length *= l.shape[d];
    }
    if (!gi_lie_across(&l, kept)) return 1;
    int64_t parts  = (length + GI_LONGEST_LINE - 1) / GI_LONGEST_LINE,
            beside = gi_wide_bytes() / (folds * (int64_t)GI_BRANCH_BYTES + GI_BLOCK * size),
            share  = lines * parts / (2 * gi_computing_threads());
    bool far       = gi_is_deferred(a) && a->owner->node->far;
    if (!far && beside > ENOUGH) beside = ENOUGH;
    if (beside > share) beside = share;
    if (beside > l.shape[kept - 1]) beside = l.shape[kept - 1];
    return beside < 1 ? 1 : beside;
}

/* Works out at most GI_FOLDS_AT_ONCE reductions of the same array along the same axes into their nodes' values. False with an error. */
static bool gi_run_folds(const char *site, int n, gi_lazy **fold)
{
    const gi_fold_plan *p                    = (const gi_fold_plan *)fold[0]->plan;
    const ga_array     *a                    = fold[0]->in[0];
    ga_array           *to[GI_FOLDS_AT_ONCE] = { NULL };
    gi_computation      r;
    memset(&r, 0, sizeof r);
    pthread_mutex_init(&r.lock, NULL);
    r.site        = site;
    r.folds       = n;
    r.fold        = fold;
    r.a           = a;
    r.lines       = gi_reduced_last(a, p->marked);
    r.length      = 1;
    int64_t lines = 1;
    for (int d = 0; d < a->ndim; d++) r.reduced += p->marked[d];
    r.ndim = r.kept = a->ndim - r.reduced;
    for (int d = 0; d < a->ndim; d++) {
        if (d >= r.kept) r.length *= r.lines.shape[d];
        else lines *= r.shape[d] = r.lines.shape[d];
    }
    bool whole = false, places = false, ok = true;
    for (int k = 0; k < n && ok; k++) {
        gi_fold_sort sort = ((const gi_fold_plan *)fold[k]->plan)->sort;
        whole             = whole || sort == GI_FOLD_WHOLE;
        places            = places || sort == GI_FOLD_PLACE;
        fold[k]->value    = gi_new(site, fold[k]->dtype, GA_CPU, fold[k]->ndim, fold[k]->shape);
        to[k]             = fold[k]->value ? gi_kept_view(site, fold[k]->value, r.kept, r.shape) : NULL;
        ok                = to[k] != NULL;
    }
    r.to  = to;
    whole = whole || gi_is_complex(a->dtype); /* the variance of complex numbers is made of two */
    int64_t most, beside = gi_lines_beside(a, p->marked, &most);
    if (!whole && !places) r.rows = gi_rows_at_once(a, p, n, &beside);
    if (ok && lines > 0 && (r.length <= most || whole || r.rows > 0)) {
        for (int d = r.kept - 1; d >= 0; d--) {
            r.unit[d] = r.shape[d] < beside ? r.shape[d] : beside;
            beside /= r.unit[d];
            if (beside < 1) beside = 1;
        }
        memcpy(r.piece, r.unit, sizeof r.piece);
        if (r.rows == 0)
            gi_grow_units(r.kept, r.shape, r.unit, GI_GPU_BYTES / ga_itemsize(a->dtype) / (r.length > 0 ? r.length : 1));
        int64_t units = gi_count_boxes(r.kept, r.shape, r.unit);
        r.arrays      = n;
        if (whole && units < gi_computing_threads() && r.length > most) ok = gi_run_whole_lines(&r);
        else gi_run_units_of(&r, units, gi_run_lines);
    } else if (ok && lines > 0) {
        r.parts        = (r.length + GI_LONGEST_LINE - 1) / GI_LONGEST_LINE;
        r.beside       = gi_branches_beside(a, p->marked, n);
        int64_t last   = r.kept > 0 ? r.shape[r.kept - 1] : 1,
                units  = lines / last * ((last + r.beside - 1) / r.beside) * r.parts;
        size_t bytes   = (size_t)(n * units * r.beside) * sizeof(gi_fold_part);
        r.part         = (gi_fold_part *)gi_alloc(site, bytes);
        r.record       = (char *)r.part;
        r.record_bytes = r.beside * (int64_t)sizeof *r.part;
        r.records      = n;
        ok             = r.part != NULL;
        if (ok) memset(r.part, 0, bytes); /* groups at the edge have fewer lines */
        if (ok) gi_run_units_of(&r, units, gi_run_branches);
        if (ok && !r.failed) ok = gi_join_branches(&r, lines);
        if (r.part) gi_release(r.part, bytes);
    }
    gi_free_all(n, to);
    return gi_run_ends(&r) && ok;
}
