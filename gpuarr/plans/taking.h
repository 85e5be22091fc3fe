/* ---- taking by indices --------------------------------------------------------------------------------------------- */

/* A new array for a[..., indices, ...] along an axis: the shape of indices takes the place of that axis. */
static inline ga_array *gi_take_new(const char *site, const ga_array *a, int axis, const ga_array *indices)
{
    gi_layout l = gi_layout_of(a);
    l.ndim      = a->ndim - 1 + indices->ndim;
    if (l.ndim > GPUARR_MAX_DIMS)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "%d dimensions; at most %d are possible", l.ndim, GPUARR_MAX_DIMS);
    for (int d = 0; d < indices->ndim; d++) l.shape[axis + d] = indices->shape[d];
    for (int d = axis + 1; d < a->ndim; d++) l.shape[d - 1 + indices->ndim] = a->shape[d];
    return gi_array_new(site, a->dtype, a->device, l.ndim, l.shape);
}

static inline void gi_take_bad_index(const char *site, int64_t i, int64_t n)
{
    gi_fail(site, GA_BAD_ARGUMENT, "index %lld is out of bounds for an axis with length %lld", (long long)i, (long long)n);
}
