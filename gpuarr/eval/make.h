/* ---- what a pass makes ------------------------------------------------------------------------------------------------------ */

/* Is it what was foreseen: an array of that dtype on the device of the passes, or a number? */
static bool gi_pass_takes(const gi_eval_run *r, const gi_typed *t, ga_arg v)
{
    if (t->dtype == GA_DTYPE_DEFAULT) return !v.array && v.kind == t->kind;
    return v.array && v.array->dtype == t->dtype && v.array->device == r->device;
}

/* The shape that the leaves (and .where) broadcast to, and whether all numbers fit. False: a call has something to say. */
static bool gi_pass_shape(const gi_fused *p, const ga_arg *values, const ga_array *where, int *ndim, int64_t *shape)
{
    *ndim = 0;
    for (int k = 0; k < p->leaves; k++) {
        const ga_array *a = values[p->leaf[k]].array;
        if (!gi_shape_broadcast(ndim, shape, a->ndim, a->shape)) return false;
    }
    for (int k = 0; k < p->numbers; k++) {
        const ga_arg v = values[p->number[k].step];
        if (!gi_number_fits(v, p->number[k].dtype)) return false;
    }
    return !where || gi_shape_broadcast(ndim, shape, where->ndim, where->shape);
}

/* Can results go into .out as it is? */
static bool gi_pass_fits_out(const gi_eval_run *r, const gi_fused *p, const ga_array *out, int ndim, const int64_t *shape)
{
    if (!gi_shape_equal(out->ndim, out->shape, ndim, shape) || !gi_dtype_same_kind(p->dtype, out->dtype)) return false;
    if (out->device != r->device || gi_is_deferred(out)) return false;
    return !gi_array_repeats(out);
}

/* Do the columns of a large array lie together and not its rows, so that it is better copied before? */
static bool gi_pass_turns(const ga_array *a)
{
    if (a->ndim < 2 || a->size < 4096) return false;
    const int64_t along = gi_stride_length(a->strides[a->ndim - 1]);
    for (int d = 0; d < a->ndim - 1; d++)
        if (a->shape[d] > 1 && a->strides[d] != 0 && gi_stride_length(a->strides[d]) < along) return true;
    return false;
}

/* Do arrays in C order have bytes in common? */
static bool gi_packed_overlap(const ga_array *a, const ga_array *b)
{
    const char *p = (const char *)a->data, *q = (const char *)b->data;
    return p < q + b->size * gi_itemsizes[b->dtype] && q < p + a->size * gi_itemsizes[a->dtype];
}

/* The leaves, copies where they cannot be read as they lie; given: `out` is the caller's. False with an error. */
static bool gi_pass_leaves(const char *site, const gi_fused *p, const ga_arg *values, bool given, gi_pass_arrays *m)
{
    const ga_array *out = m->out;
    m->packed           = !m->mask && ga_is_contiguous(out);
    for (int k = 0; k < p->leaves; k++) {
        const ga_array *a     = values[p->leaf[k]].array;
        const bool      alike = m->packed && gi_shape_equal(a->ndim, a->shape, out->ndim, out->shape) && ga_is_contiguous(a),
                   shared     = given && (alike ? gi_packed_overlap(a, out) : gi_arrays_overlap(a, out)),
                   too_soon   = shared && !gi_same_layout(a, out->ndim, out->shape, out); /* .out overwrites it */
        m->input              = m->input || shared;
        if (too_soon || gi_pass_turns(a)) a = m->copies[k] = gi_copy_new(site, a, a->dtype);
        if (!a) return false;
        m->leaf[k] = a;
        m->packed  = alike;
    }
    return true;
}

/* How the arrays of a pass lie: as one line, or with the dimensions that they have. */
static void gi_pass_lie(gi_pass_job *j, const gi_pass_arrays *m)
{
    j->ndim = m->out->ndim;
    if (m->packed) {
        j->ndim     = 1;
        j->shape[0] = j->total;
        for (int k = 0; k < j->p->leaves; k++) gi_pass_view_of_line(&j->leaf[k], m->leaf[k]);
        gi_pass_view_of_line(&j->out, m->out);
        return;
    }
    memcpy(j->shape, m->out->shape, sizeof j->shape);
    for (int k = 0; k < j->p->leaves; k++) gi_pass_view_of(&j->leaf[k], m->leaf[k], j->ndim, j->shape);
    gi_pass_view_of(&j->out, m->out, j->ndim, j->shape);
    if (m->mask) gi_pass_view_of(&j->mask, m->mask, j->ndim, j->shape);
    gi_pass_join_dimensions(j, true);
}

/* Do results go past the caches, which would not keep them? What computes long has time to write them the usual way, unless its last op is
   the only long one: then each piece is written while the next one is computed. A sequence that reads several arrays waits for these besides. */
static bool gi_pass_streams(const gi_pass_job *j, const gi_pass_arrays *m)
{
    const gi_fused *p = j->p;
    if (m->input || j->masked || !j->out.packed || j->total * j->out.size < GI_STREAM_FROM || 2 * j->out.size < p->widest)
        return false;
    const int most     = p->parts == p->ops ? 2 * GI_COSTLY * p->leaves : GI_COSTLY;
    int       long_ops = 0;
    for (int k = 0; k < p->ops; k++) long_ops += gi_pass_is_long(&p->op[k]);
    return (p->cost < most && !p->divides) || (long_ops == 1 && gi_pass_is_long(&p->op[p->ops - 1]));
}

/* Runs a pass on the CPU. */
static void gi_pass_run(const gi_fused *p, const ga_arg *values, const gi_pass_arrays *m)
{
    gi_pass_job j;
    double      bytes;
    int64_t     share;
    j.p         = p;
    j.stream    = NULL;
    j.masked    = m->mask != NULL;
    j.total     = m->out->size;
    j.out_dtype = m->out->dtype;
    j.direct    = m->packed && j.out_dtype == p->dtype;
    gi_pass_lie(&j, m);
    if (gi_pass_streams(&j, m)) j.stream = GI_LOOP_OF(stream);
    share      = gi_pass_cut(&j, &bytes);
    j.line     = j.total;
    j.op       = p->op;
    j.sequence = p->sequence;
    GI_ARENA(char, numbers, gi_pass_number_bytes(&j));
    GI_ARENA(gi_pass_own, own, !m->packed);
    if (!m->packed) {
        gi_pass_cut_lines(&j);
        gi_pass_find_constants(&j, own);
    }
    j.lead = j.stream && j.line == j.total ? (int64_t)((uintptr_t)j.out.data % GI_LINE) / j.out.size : 0;
    gi_pass_numbers(&j, values, numbers);
    gi_task run = j.direct ? gi_pass_run_pieces : gi_pass_run_tiles;
    if (j.total + j.lead <= j.tile) run(0, 1, &j);
    else gi_parallel_bytes(bytes, j.total / j.line * ((j.line + j.lead + j.tile - 1) / j.tile), share, run, &j);
}

/* Fills `out`, whose shape is the pass's; where: NULL, or only there; given: `out` holds what is to stay. False with an error. */
static bool gi_pass_fill(const char *site, const gi_fused *p, const ga_arg *values, const ga_array *where, bool given,
                         ga_array *out)
{
    gi_pass_arrays m;
    bool           ok;
    m.mask  = where;
    m.out   = out;
    m.input = false;
    for (int k = 0; k <= p->leaves; k++) m.copies[k] = NULL;
    ok = (given || !where || gi_array_clear(site, out)) && gi_pass_leaves(site, p, values, given, &m);
    if (ok && where && (where->dtype != GA_BOOL || (given && gi_arrays_overlap(where, out)))) {
        m.mask = m.copies[p->leaves] = gi_copy_new(site, where, GA_BOOL);
        ok                           = m.mask != NULL;
    }
    if (ok && out->size > 0) {
        if (out->device == GA_CUDA) ok = gi_pass_run_on_gpu(site, p, values, &m);
        else gi_pass_run(p, values, &m);
    }
    for (int k = 0; k <= p->leaves; k++) ga_free(m.copies[k]);
    return ok;
}

/* Is the formula one pass, or a fold of one, over operands that lie in C order, in the shape of the first one and of .out, if that is given?
   Then nothing is to be found out about them any more, which takes as long as a few thousand elements. */
static bool gi_pass_is_plain(const gi_eval_run *r, const gi_passes *s, gi_pass_arrays *m)
{
    const gi_fused *p   = &s->pass[0];
    const ga_array *out = r->o.out, *like = out;
    const int       last  = r->steps->count - 1;
    bool            plain = s->count == 1 && s->by[last] == 0 && p->leaves > 0 && r->device == GA_CPU && !r->o.where;
    if (p->root != last && out) plain = false; /* a fold's .out has another shape */
    for (int k = 0; k < p->numbers && plain; k++) plain = p->number[k].tile != NULL;
    m->input = false;
    for (int k = 0; k < p->leaves && plain; k++) {
        const gi_step  *step = &r->steps->step[p->leaf[k]];
        const ga_array *a    = step->kind == GI_STEP_OPERAND ? r->f->operands[step->operand].array : NULL;
        if (!like) like = a;
        m->leaf[k] = a;
        plain      = a && !gi_is_deferred(a) && gi_is_packed(a) && a->size > 0 &&
                gi_shape_equal(a->ndim, a->shape, like->ndim, like->shape);
        if (!out || !plain || !gi_packed_overlap(a, out)) continue;
        plain    = a->data == out->data && a->dtype == out->dtype;
        m->input = true;
    }
    if (out && plain) plain = out->dtype == p->dtype && out->device == GA_CPU && !gi_is_deferred(out) && gi_is_packed(out);
    m->mask   = NULL;
    m->packed = true;
    return plain;
}

/* How much work such a pass is. */
static double gi_pass_plain_work(const gi_fused *p, const gi_pass_arrays *m)
{
    int64_t moved = gi_itemsizes[p->dtype];
    for (int k = 0; k < p->leaves; k++) moved += gi_itemsizes[m->leaf[k]->dtype];
    return gi_pass_work(p, m->out->size, moved);
}

/* Runs such a pass, without threads. */
static void gi_pass_run_plain(const gi_fused *p, const gi_pass_arrays *m)
{
    const int64_t total = m->out->size, size = gi_itemsizes[p->dtype];
    const bool    alone = p->parts == p->ops; /* one sequence needs no tiles */
    const int64_t tile = alone ? total : gi_pass_tile(p, false), room = gi_mem_padded(tile * p->widest) + GI_PASS_APART;
    char         *slot[GI_FUSED_SLOTS];
    GI_ARENA(char, tiles, room *(alone ? 0 : p->tiles));
    for (int k = 0; k < p->numbers; k++) slot[GI_SLOT_NUMBER + k] = p->number[k].tile;
    for (int k = 0; k < p->tiles; k++) slot[GI_SLOT_TILE + k] = tiles + k * room;
    for (int64_t start = 0; start < total; start += tile) {
        const int64_t n = total - start < tile ? total - start : tile;
        for (int k = 0; k < p->leaves; k++) slot[k] = (char *)m->leaf[k]->data + start * gi_itemsizes[m->leaf[k]->dtype];
        slot[GI_SLOT_OUT] = (char *)m->out->data + start * size;
        for (const gi_pass_op *op = p->op, *end = op + p->ops; op < end; op++)
            if (op->root < 0 || op->sequence >= 0) gi_pass_run_op(p->sequence, op, n, slot[op->out], slot);
    }
}

/* Computes such a formula. NULL with an error. */
static ga_array *gi_pass_make_plain(const gi_eval_run *r, const gi_passes *s, gi_pass_arrays *m)
{
    const gi_fused *p      = &s->pass[0];
    ga_array       *result = r->o.out;
    if (!result) result = gi_array_new(r->f->site, p->dtype, GA_CPU, m->leaf[0]->ndim, m->leaf[0]->shape);
    m->out = result;
    if (!result) return NULL;
    if (gi_pass_plain_work(p, m) < GI_WORTH_SHARING) gi_pass_run_plain(p, m);
    else gi_pass_run(p, NULL, m);
    return result;
}

/* ---- of chunked arrays: a node ----------------------------------------------------------------------------------------------- */

/* A pass that is computed piece by piece, later. */
typedef struct gi_pass_deferred {
    gi_fused p; /* whose leaves are the inputs, and whose numbers come behind them */
    ga_arg   values[GI_PASS_LEAVES + GI_PASS_NUMBERS];
    bool     masked; /* the mask is the last input */
} gi_pass_deferred;

static bool gi_pass_fill_piece(const char *site, const void *plan, ga_array *const *in, ga_array *out)
{
    const gi_pass_deferred *d = (const gi_pass_deferred *)plan;
    GI_ARENA(ga_arg, values, GI_PASS_LEAVES + GI_PASS_NUMBERS);
    memcpy(values, d->values, sizeof d->values);
    for (int k = 0; k < d->p.leaves; k++) values[k] = gi_operand_arg(in[k]);
    return gi_arena_check(site) && gi_pass_fill(site, &d->p, values, d->masked ? in[d->p.leaves] : NULL, !d->masked, out);
}

/* The node of a pass that has been found right. NULL with an error. */
static ga_array *gi_pass_defer(const gi_eval_run *r, const gi_fused *p, const ga_array *where, int ndim, const int64_t *shape)
{
    const ga_array *in[GI_PASS_LEAVES + 1];
    gi_pass_call    c;
    GI_ARENA(gi_pass_deferred, d, 1);
    memset(d, 0, sizeof *d);
    memset(&c, 0, sizeof c);
    d->p      = *p;
    d->masked = where != NULL;
    c.print   = gi_formula_hash((uint64_t)p->root + ((uint64_t)r->o.dtype << 16), r->f->text, strlen(r->f->text));
    for (int k = 0; k < p->leaves; k++) {
        in[k]        = r->value[p->leaf[k]].array;
        d->p.leaf[k] = k;
    }
    if (where) in[p->leaves] = where;
    for (int k = 0; k < p->numbers; k++) {
        const ga_arg v           = r->value[p->number[k].step];
        char         made[16]    = { 0 };
        d->p.number[k].step      = p->leaves + k;
        d->p.number[k].tile      = NULL; /* it lives with the formula */
        d->values[p->leaves + k] = v;
        gi_number_to(v, p->number[k].dtype, made);
        c.print = gi_formula_hash(c.print, made, sizeof made);
    }
    c.site       = r->f->site;
    c.dtype      = p->dtype;
    c.ndim       = ndim;
    c.n          = p->leaves + d->masked;
    c.in         = in;
    c.plan       = d;
    c.plan_bytes = sizeof *d;
    c.over       = !where;
    c.make       = gi_pass_fill_piece;
    memcpy(c.shape, shape, (size_t)ndim * sizeof *shape);
    return gi_deferred()->pass(&c);
}

/* ---- either ------------------------------------------------------------------------------------------------------------------------ */

/* Are elements of a leaf still to be computed? */
static bool gi_pass_is_deferred(const gi_fused *p, const ga_arg *values, const ga_array *where)
{
    bool deferred = where && gi_is_deferred(where);
    for (int k = 0; k < p->leaves; k++) deferred = deferred || gi_is_deferred(values[p->leaf[k]].array);
    return deferred;
}

/* What a pass makes, a new array or `out`. NULL with an error, or *declined: then the calls themselves are to be made. */
static ga_array *gi_pass_make(const gi_eval_run *r, const gi_fused *p, ga_array *out, const ga_array *where, bool *declined)
{
    const char   *site     = r->f->site;
    const ga_arg *values   = r->value;
    const bool    deferred = gi_pass_is_deferred(p, values, where);
    int           ndim;
    int64_t       shape[GPUARR_MAX_DIMS];
    *declined = !gi_pass_shape(p, values, where, &ndim, shape) ||
                (out && (deferred || !gi_pass_fits_out(r, p, out, ndim, shape))) || (where && where->device != r->device) ||
                (r->device == GA_CUDA && !gi_pass_is_program(p, out ? out->dtype : p->dtype, values));
    if (*declined || !gi_arena_check(site)) return NULL;
    if (deferred) return gi_pass_defer(r, p, where, ndim, shape);
    if (r->device == GA_CUDA && !gi_pass_turn_to(site, p, values, where, out)) return NULL;
    ga_array *target = out ? out : gi_array_new(site, p->dtype, r->device, ndim, shape);
    if (target && gi_pass_fill(site, p, values, where, out != NULL, target)) return target;
    if (!out) ga_free(target);
    return NULL;
}
