/* ---- what a pass makes ------------------------------------------------------------------------------------------------------ */

/* What a pass can work on: is it an array in memory of the CPU, of the dtype that was foreseen? */
static bool gi_pass_takes(const gi_typed *t, ga_arg v)
{
    if (t->dtype == GA_DTYPE_DEFAULT) return !v.array && v.kind == t->kind;
    return v.array && v.array->dtype == t->dtype && v.array->device == GA_CPU && !gi_is_deferred(v.array);
}

/* The shape that the leaves (and .where) broadcast to, and whether all numbers fit. False: a call has something to say. */
static bool gi_pass_shape(const gi_fused *p, const ga_arg *values, const ga_array *where, int *ndim, int64_t *shape)
{
    *ndim = 0;
    for (int k = 0; k < p->leaves; k++) {
        const ga_array *a = values[p->leaf[k]].array;
        if (!gi_shape_broadcast(ndim, shape, a->ndim, a->shape)) return false;
    }
    for (int k = 0; k < p->numbers; k++)
        if (!gi_number_fits(values[p->number[k].step], p->number[k].dtype)) return false;
    return !where || gi_shape_broadcast(ndim, shape, where->ndim, where->shape);
}

/* Can results go into .out as it is? */
static bool gi_pass_fits_out(const gi_fused *p, const ga_array *out, int ndim, const int64_t *shape)
{
    if (!gi_shape_equal(out->ndim, out->shape, ndim, shape) || !gi_dtype_same_kind(p->dtype, out->dtype)) return false;
    if (out->device != GA_CPU || gi_is_deferred(out)) return false;
    for (int d = 0; d < ndim; d++)
        if (shape[d] > 1 && out->strides[d] == 0) return false;
    return true;
}

/* Must a leaf be copied before: because .out would overwrite it too soon, or because its columns lie together and not its rows? */
static bool gi_pass_copies(const ga_array *a, int ndim, const int64_t *shape, const ga_array *out)
{
    if (out && ga_may_share_memory(a, out) && !gi_same_layout(a, ndim, shape, out)) return true;
    if (a->ndim < 2 || a->size < 4096) return false;
    const int64_t along = gi_stride_length(a->strides[a->ndim - 1]);
    for (int d = 0; d < a->ndim - 1; d++)
        if (a->shape[d] > 1 && a->strides[d] != 0 && gi_stride_length(a->strides[d]) < along) return true;
    return false;
}

/* The leaves as the job reads them; copies[k] is to be freed. False with an error. */
static bool gi_pass_leaves(const char *site, gi_pass_job *j, const ga_arg *values, const ga_array *out, ga_array **copies)
{
    for (int k = 0; k < j->p->leaves; k++) {
        const ga_array *a = values[j->p->leaf[k]].array;
        if (gi_pass_copies(a, j->ndim, j->shape, out)) a = copies[k] = gi_copy_new(site, a, a->dtype);
        if (!a) return false;
        gi_pass_view_of(&j->leaf[k], a, j->ndim, j->shape);
    }
    return true;
}

/* Runs a job whose arrays are complete. `out`: where results go, `input`: does a leaf lie there? */
static void gi_pass_run(gi_pass_job *j, const ga_arg *values, bool input)
{
    double  bytes;
    int64_t share;
    gi_pass_join_dimensions(j, true);
    share = gi_pass_cut(j, &bytes);
    if (!input && !j->masked && j->out.packed && j->p->cost <= GI_COSTLY && j->total * j->out.size >= GI_STREAM_FROM)
        j->stream = GI_LOOP_OF(stream);
    GI_ARENA(char, numbers, gi_pass_number_bytes(j));
    gi_pass_numbers(j, values, numbers);
    gi_parallel_bytes(bytes, (j->total + j->tile - 1) / j->tile, share, gi_pass_run_tiles, j);
}

/* What a pass makes, a new array or `out`. NULL with an error, or *declined: then the calls themselves are to be made. */
static ga_array *gi_pass_make(const char *site, const gi_fused *p, const ga_arg *values, ga_array *out, const ga_array *where,
                              bool *declined)
{
    gi_pass_job j;
    ga_array   *copies[GI_PASS_LEAVES] = { NULL }, *mask = NULL, *target = out;
    bool        input = false, ok;
    j.p               = p;
    j.stream          = NULL;
    j.masked          = where != NULL;
    *declined = !gi_pass_shape(p, values, where, &j.ndim, j.shape) || (out && !gi_pass_fits_out(p, out, j.ndim, j.shape)) ||
                (where && (where->device != GA_CPU || gi_is_deferred(where)));
    if (*declined || !gi_arena_check(site)) return NULL;
    j.total = gi_shape_size(j.ndim, j.shape);
    if (!target) target = gi_array_new(site, p->dtype, GA_CPU, j.ndim, j.shape);
    ok = target && (out || !where || gi_array_clear(site, target)) && gi_pass_leaves(site, &j, values, out, copies);
    if (ok && where && (where->dtype != GA_BOOL || (out && ga_may_share_memory(where, out))))
        ok = (mask = gi_copy_new(site, where, GA_BOOL)) != NULL;
    for (int k = 0; k < p->leaves && out; k++) input = input || ga_may_share_memory(values[p->leaf[k]].array, out);
    if (ok && j.total > 0) {
        gi_pass_view_of(&j.out, target, j.ndim, j.shape);
        if (where) gi_pass_view_of(&j.mask, mask ? mask : where, j.ndim, j.shape);
        j.out_dtype = target->dtype;
        gi_pass_run(&j, values, input);
    }
    for (int k = 0; k < p->leaves; k++) ga_free(copies[k]);
    ga_free(mask);
    if (!ok && !out) ga_free(target);
    return ok ? target : NULL;
}
