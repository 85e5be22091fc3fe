/* ---- folds that are fed tile by tile ---------------------------------------------------------------------------------------- */
/*  A fold over the last axes, or all, takes the elements in the order in which a pass makes them: each block of 1024 is folded as soon as
    it is made, along the documented tree (ops/reduce.h), and nothing but the accumulators of the blocks is kept.             */

typedef struct gi_fold_job {
    gi_pass_job  pass;
    gi_reduction r;
} gi_fold_job;

/* A unit is a block of a line. */
static void gi_pass_fold_blocks(int64_t begin, int64_t end, void *job)
{
    const gi_fold_job *f    = (const gi_fold_job *)job;
    const gi_pass_job *j    = &f->pass;
    const gi_fused    *p    = j->p;
    const int64_t      room = gi_pass_tile_room(j), length = f->r.lines.length;
    const gi_pass_op  *op = &p->op[p->ops - 1];
    char              *slot[GI_FUSED_SLOTS];
    GI_ARENA(char, tiles, (p->tiles + p->leaves + 1) * room + gi_pass_any_room(j));
    char *leaves = gi_pass_slots(j, tiles, slot), *made = leaves + p->leaves * room, *cast = made + room;
    for (int64_t unit = begin; unit < end; unit++) {
        const int64_t in_line = unit % f->r.blocks * GI_BLOCK, n = length - in_line < GI_BLOCK ? length - in_line : GI_BLOCK;
        gi_pass_begin_tile(j, unit / f->r.blocks * length + in_line, n, slot, leaves);
        gi_pass_run_op(j, op, n, made, slot);
        if (f->r.lines.dtype != p->dtype) gi_cast(f->r.lines.dtype, p->dtype, n, cast, made);
        f->r.fold.block(n, f->r.accs + unit * f->r.fold.acc_bytes, f->r.lines.dtype != p->dtype ? cast : made);
    }
}

/* An array of the pass's dtype and shape in C order, without elements: to plan the fold by. */
static void gi_pass_imagine(const gi_pass_job *j, ga_array *a)
{
    memset(a, 0, sizeof *a);
    a->dtype  = j->p->dtype;
    a->device = GA_CPU;
    a->ndim   = j->ndim;
    a->size   = j->total;
    memcpy(a->shape, j->shape, sizeof a->shape);
    (void)gi_shape_c_strides(a->dtype, a->ndim, a->shape, a->strides);
}

/* Does each line lie in one piece, behind the one before, and is it long enough for tiles? */
static bool gi_pass_folds_lines(const gi_lines *p)
{
    const int64_t size = ga_itemsize(p->a->dtype);
    return p->lines > 0 && p->length >= 64 && p->reduced == 1 && p->strides[0] == size &&
           (p->kept == 0 || (p->kept == 1 && p->kept_strides[0] == p->length * size));
}

/* Runs a planned fold into `result`. False: no memory. */
static bool gi_pass_fold_run(const char *site, gi_fold_job *f, const ga_arg *values, ga_array *result)
{
    gi_pass_job  *j = &f->pass;
    gi_reduction *r = &f->r;
    double        bytes;
    gi_pass_join_dimensions(j, false);
    int64_t share       = gi_pass_cut(j, &bytes) * j->tile / GI_BLOCK;
    j->tile             = GI_BLOCK;
    r->blocks           = (r->lines.length + GI_BLOCK - 1) / GI_BLOCK;
    r->result           = (char *)result->data;
    r->result_bytes     = (int)ga_itemsize(result->dtype);
    const int64_t units = r->lines.lines * r->blocks, acc_bytes = units * r->fold.acc_bytes;
    r->accs = (char *)gi_mem_alloc(site, (size_t)acc_bytes);
    if (!r->accs) return false;
    GI_ARENA(char, numbers, gi_pass_number_bytes(j));
    gi_pass_numbers(j, values, numbers);
    gi_parallel_bytes(bytes, units, share > 0 ? share : 1, gi_pass_fold_blocks, f);
    gi_parallel_bytes((double)acc_bytes, r->lines.lines, 1 + 4096 / r->blocks, gi_reduce_lines, r);
    gi_mem_release(r->accs, (size_t)acc_bytes);
    return true;
}

/* What the row's fold makes of what a pass makes. NULL with an error, or *declined: then the pass is to be made, and the fold called. */
static ga_array *gi_pass_fold(const gi_eval_run *r, const gi_fused *p, const gi_row *row, ga_reduce_options o, bool *declined)
{
    const char   *site   = r->f->site;
    const ga_arg *values = r->value;
    gi_fold_job   f;
    ga_array      imagined;
    memset(&f.pass, 0, sizeof f.pass);
    f.pass.p  = p;
    *declined = r->device != GA_CPU || gi_pass_is_deferred(p, values, NULL) ||
                !gi_pass_shape(p, values, NULL, &f.pass.ndim, f.pass.shape);
    for (int k = 0; k < p->leaves && !*declined; k++) *declined = gi_pass_turns(values[p->leaf[k]].array);
    if (*declined || !gi_options_reduce(&o) || !gi_arena_check(site)) return NULL;
    f.pass.total = gi_shape_size(f.pass.ndim, f.pass.shape);
    gi_pass_imagine(&f.pass, &imagined);
    if (!gi_reduce_plan(&row, row->name, &imagined, &o, &f.r)) return NULL;
    *declined = !gi_pass_folds_lines(&f.r.lines);
    if (*declined) return NULL;
    const ga_dtype end = gi_reduce_end_dtype(row->ends, f.r.lines.dtype), dtype = o.dtype != GA_DTYPE_DEFAULT ? o.dtype : end;
    ga_array      *result = gi_array_new(site, end, GA_CPU, f.r.lines.result_ndim, f.r.lines.result_shape);
    if (!result) return NULL;
    for (int k = 0; k < p->leaves; k++) gi_pass_view_of(&f.pass.leaf[k], values[p->leaf[k]].array, f.pass.ndim, f.pass.shape);
    if (!gi_pass_fold_run(site, &f, values, result)) {
        ga_free(result);
        return NULL;
    }
    if (o.dtype != GA_DTYPE_DEFAULT) result = gi_copy_finish(site, result, o.dtype, NULL);
    return gi_copy_finish(site, result, dtype, o.out);
}
