/* ---- folds that are fed by a pass ---------------------------------------------------------------------------------------- */
/*  A fold reads its elements in pieces: of a line, or of a row of lines side by side (ops/reduce.h). Where a pass is to make them, it makes
    each piece when the fold reads it, so that no array of them is needed, and the fold is that of the call, bit by bit. On a GPU the
    pieces are larger (cuda/pieces.h), and the program of the pass makes them.                                              */

enum {
    GI_FOLD_LEAST     = 64,      /* elements: shorter pieces are not worth being made */
    GI_FOLD_FEW_BYTES = 8 << 10, /* of elements: a fold of so few has them made before (of more it is no faster), */
    GI_FOLD_FEW_WORK  = 500000   /* if that is no work for threads; see gi_pass_work */
};

/* Makes the elements that a fold reads. */
static void gi_pass_feed(const void *job, int64_t first, int64_t n, void *to)
{
    const gi_pass_job *j    = (const gi_pass_job *)job;
    const gi_fused    *p    = j->p;
    const int64_t      size = ga_itemsize(p->dtype);
    char              *slot[GI_FUSED_SLOTS];
    if (j->direct) {
        gi_pass_run_direct(j, first, n, (char *)to);
        return;
    }
    GI_ARENA(char, tiles, (p->tiles + p->leaves) * j->room);
    char        *leaves = gi_pass_slots(j, tiles, slot);
    gi_pass_held held[GI_PASS_LEAVES];
    gi_pass_repeat_singles(j, j->tile < n ? j->tile : n, slot, leaves, held);
    for (int64_t done = 0; done < n; done += j->tile) {
        const int64_t m = n - done < j->tile ? n - done : j->tile;
        gi_pass_read_leaves(j, first + done, m, slot, leaves, held);
        gi_pass_run_ops(j, first + done, m, (char *)to + done * size, slot);
    }
}

/* Brings near what n elements are made of, where that is a piece of memory. */
static void gi_pass_fetch(const void *job, int64_t first, int64_t n)
{
    const gi_pass_job *j    = (const gi_pass_job *)job;
    const int          last = j->ndim - 1;
    for (int k = 0; k < j->p->leaves && last >= 0; k++) {
        const gi_pass_view *v = &j->leaf[k];
        int64_t             column, offset = gi_pass_offset(j, v, first, &column);
        const int64_t       run = n < j->shape[last] - column ? n : j->shape[last] - column;
        for (int64_t b = 0; b < run * v->size && v->strides[last] == v->size; b += GI_LINE)
            __builtin_prefetch(v->data + offset + column * v->size + b, 0, 2);
    }
}

/* An array of the pass's dtype and of a shape, in C order, whose elements are made for the fold. False: it is beyond what can be counted. */
static bool gi_pass_imagine(const gi_fused *p, int ndim, const int64_t *shape, gi_buffer *buffer, ga_array *a)
{
    memset(a, 0, sizeof *a);
    a->dtype  = p->dtype;
    a->device = buffer->device;
    a->ndim   = ndim;
    a->owner  = buffer;
    a->alive  = GI_ALIVE;
    memcpy(a->shape, shape, sizeof a->shape);
    if (gi_shape_c_strides(a->dtype, a->ndim, a->shape, a->strides) <= 0) return false;
    a->size = gi_shape_size(ndim, shape);
    return true;
}

/* Does the fold read elements in C order, in pieces that are long enough? Few lines side by side are read at once by rows of the table alone. */
static bool gi_pass_folds_lines(const gi_lines *p, bool of_table)
{
    const int64_t size = ga_itemsize(p->a->dtype), columns = gi_line_columns(p);
    if (columns == 1) return p->shape[p->reduced - 1] >= GI_FOLD_LEAST;
    if (!gi_lines_can_be_made(p)) return false;
    if (p->kept_strides[p->kept - 1] != size) return true;
    return columns >= GI_FOLD_LEAST ||
           (of_table && p->reduced == 1 && p->strides[0] == columns * size && p->length * columns >= 4 * GI_FOLD_LEAST);
}

/* Can a pass feed step k, a fold of what it makes? Plans the job, or on a GPU the program, and the array that the fold gets. */
static bool gi_pass_can_feed(const gi_eval_run *r, const gi_fused *p, int k, gi_pass_job *j, gi_fed_program *program,
                             gi_buffer *buffer, ga_array *a)
{
    const gi_step    *step   = &r->steps->step[k];
    const ga_arg     *values = r->value;
    const ga_array   *out    = k == r->steps->count - 1 ? r->o.out : NULL;
    ga_reduce_options o      = gi_step_reduce(r, step, false);
    gi_lines          lines;
    memset(j, 0, sizeof *j);
    j->p = p;
    if (gi_is_complex(p->dtype) && !step->word->row) return false; /* its parts are folded */
    if (gi_pass_is_deferred(p, values, NULL) || !gi_pass_shape(p, values, NULL, &j->ndim, j->shape)) return false;
    for (int i = 0; i < p->leaves; i++) {
        const ga_array *leaf = values[p->leaf[i]].array;
        if (gi_pass_turns(leaf)) return false;
        if (out && gi_arrays_overlap(leaf, out))
            return false; /* a result could be written where another line is still to be read */
    }
    memset(buffer, 0, sizeof *buffer);
    buffer->device = r->device;
    if (!gi_pass_imagine(p, j->ndim, j->shape, buffer, a)) return false;
    j->total = a->size;
    if (r->device == GA_CUDA) {
        if (p->leaves == 0 || j->total == 0) return false;
        buffer->ordinal = values[p->leaf[0]].array->owner->ordinal;
        return gi_program_feeds(r->f->site, p, values, j->ndim, j->shape, &o, program);
    }
    return gi_lines_plan(r->f->site, &lines, a, a->dtype, o.axis, &o.axes, false) &&
           gi_pass_folds_lines(&lines, step->word->row != NULL);
}

/* Is step k a fold by a row of the table, with no options but the axes? */
static bool gi_fold_is_plain(const gi_eval_run *r, const gi_passes *s, int k)
{
    const gi_step *step = &r->steps->step[k];
    if (!s->stored[k] || !s->typed[k].folds || step->last < 0 || k == r->steps->count - 1 || !step->word->row) return false;
    const gi_row  *row   = step->word->row();
    const ga_dtype dtype = s->typed[step->x[0]].dtype;
    return step->along.dtype == GA_DTYPE_DEFAULT && row->ends <= GI_ENDS_SAME && (row->dtypes >> (int)dtype & 1);
}

/* Step k and the folds of the same lines that come after it. How many they are. */
static int gi_folds_beside(const gi_eval_run *r, const gi_passes *s, int k, int *beside)
{
    const gi_step *step = &r->steps->step[k];
    int            n    = 1;
    beside[0]           = k;
    if (!gi_fold_is_plain(r, s, k)) return 1;
    for (int j = k + 1; j < r->steps->count && n < GI_FOLDS_BESIDE; j++) {
        const gi_step *other = &r->steps->step[j];
        if (other->x[0] == step->x[0] && gi_fold_is_plain(r, s, j) && gi_along_same(&step->along, &other->along))
            beside[n++] = j;
    }
    return n;
}

/* Computes step k, a fold of a, and with it those of the same lines, on the CPU from elements that are read or made once. NULL with an
   error. */
static ga_array *gi_run_folds(gi_eval_run *r, const gi_passes *s, int k, const ga_array *a)
{
    int               beside[GI_FOLDS_BESIDE];
    const gi_row     *rows[GI_FOLDS_BESIDE];
    ga_reduce_options o[GI_FOLDS_BESIDE];
    ga_array         *made[GI_FOLDS_BESIDE];
    const int         n        = gi_folds_beside(r, s, k, beside);
    bool              declined = n == 1 || a->device != GA_CPU || gi_is_deferred(a), ok = true;
    for (int i = 0; i < n && !declined && ok; i++) {
        rows[i] = r->steps->step[beside[i]].word->row();
        o[i]    = gi_step_reduce(r, &r->steps->step[beside[i]], false);
        ok      = gi_options_reduce(&o[i]);
    }
    if (!declined && ok) ok = gi_reduce_rows(n, rows, a, o, made, &declined);
    for (int i = 0; i < n && declined; i++) made[i] = gi_run_fold_step(r, beside[i], a);
    for (int i = 1; i < n && (ok || declined); i++) {
        r->value[beside[i]] = gi_operand_arg(made[i]);
        r->owned[beside[i]] = made[i] != NULL; /* else it fails again, and tells where */
        r->any              = true;
    }
    return ok || declined ? made[0] : NULL;
}

/* What step k folds of what a pass makes. NULL with an error, or *declined: then the pass is to be made, and the fold called. */
static ga_array *gi_pass_fold(gi_eval_run *r, const gi_passes *s, const gi_fused *p, int k, bool *declined)
{
    const ga_arg *values = r->value;
    gi_pass_job   j;
    gi_buffer     buffer;
    ga_array      imagined;
    gi_maker      maker;
    *declined = false;
    if (!gi_arena_check(r->f->site)) return NULL;
    GI_ARENA(gi_fed_program, program, r->device == GA_CUDA);
    *declined = !gi_pass_can_feed(r, p, k, &j, program, &buffer, &imagined);
    if (*declined) return NULL;
    memset(&maker, 0, sizeof maker);
    maker.program = program;
    buffer.maker  = &maker;
    if (r->device == GA_CUDA)
        return gi_pass_turn_to(r->f->site, p, values, NULL, NULL) ? gi_run_fold_step(r, k, &imagined) : NULL;
    for (int i = 0; i < p->leaves; i++) gi_pass_view_of(&j.leaf[i], values[p->leaf[i]].array, j.ndim, j.shape);
    gi_pass_join_dimensions(&j, false);
    (void)gi_pass_cut(&j, &maker.bytes);
    maker.bytes /= (double)j.total;
    maker.cost  = p->cost > GI_COSTLY ? GI_COSTLY : p->cost;
    maker.make  = gi_pass_feed;
    maker.fetch = gi_pass_fetch;
    maker.job   = &j;
    GI_ARENA(char, numbers, gi_pass_number_bytes(&j));
    GI_ARENA(gi_pass_own, own, 1);
    gi_pass_numbers(&j, values, numbers);
    gi_pass_find_constants(&j, own);
    j.direct = p->parts == p->ops;
    for (int i = 0; i < p->leaves; i++) j.direct = j.direct && j.leaf[i].packed;
    if (j.direct && j.ahead) { /* few lines at a time: memory is never idle */
        const int              last     = p->op[p->ops - 1].sequence;
        const gi_pass_sequence sequence = j.sequence[last];
        j.sequence                      = own->sequence;
        own->sequence[last]             = sequence;
        own->sequence[last].q.ahead     = GI_PASS_FAR_BYTES;
    }
    return gi_run_folds(r, s, k, &imagined);
}

/* The fold that a plain formula ends with (gi_pass_is_plain), of so few elements that they are made before it. NULL with an error, or
   *declined: there are more. */
static ga_array *gi_pass_fold_few(const gi_eval_run *r, const gi_passes *s, gi_pass_arrays *m, bool *declined)
{
    const gi_fused *p    = &s->pass[0];
    const ga_array *like = m->leaf[0];
    const int64_t   room = like->size * ga_itemsize(p->dtype);
    gi_buffer       buffer;
    ga_array        few;
    memset(&buffer, 0, sizeof buffer);
    buffer.device     = GA_CPU;
    buffer.references = 1; /* so that no view is the last one, which would give the memory back */
    m->out            = &few;
    *declined         = room > GI_FOLD_FEW_BYTES || !gi_pass_imagine(p, like->ndim, like->shape, &buffer, &few) ||
                gi_pass_plain_work(p, m) >= (double)GI_FOLD_FEW_WORK;
    if (*declined || !gi_arena_check(r->f->site)) return NULL;
    GI_ARENA(char, made, room);
    few.data = made;
    gi_pass_run_plain(p, m);
    return gi_run_fold_step(r, r->steps->count - 1, &few);
}
