/* ---- lines: what reductions, scans and sorts go along -------------------------------------------------------------- */

/* The elements that go into one result, in C order of the reduced axes, are a line. */
typedef struct gi_lines {
    const ga_array *a;
    ga_dtype        dtype;         /* in which the elements are folded */
    int             kept, reduced; /* axes, joined where possible */
    int64_t         kept_shape[GPUARR_MAX_DIMS], kept_strides[GPUARR_MAX_DIMS];
    int64_t         shape[GPUARR_MAX_DIMS], strides[GPUARR_MAX_DIMS]; /* of the reduced axes */
    int64_t         lines, length;
    bool            near;  /* who folds them has just read them */
    const gi_maker *maker; /* of elements that are in no memory; else NULL */
    int             result_ndim;
    int64_t         result_shape[GPUARR_MAX_DIMS];
} gi_lines;

/* Which axes? Marks them; -1 with an error for an axis that does not exist or is named twice. */
static inline int gi_lines_mark_axes(const char *site, int ndim, int axis, const ga_shape *axes, bool *marked)
{
    int count = 0;
    for (int d = 0; d < ndim; d++) marked[d] = false;
    if (axes->ndim >= 0) {
        for (int k = 0; k < axes->ndim; k++) {
            int d = axes->n[k] < INT_MIN || axes->n[k] > INT_MAX ? gi_axis(site, INT_MAX, ndim)
                                                                 : gi_axis(site, (int)axes->n[k], ndim);
            if (d < 0) return -1;
            if (marked[d]) {
                gi_fail(site, GA_BAD_ARGUMENT, "axis %d is named twice", d);
                return -1;
            }
            marked[d] = true;
            count++;
        }
        return count;
    }
    if (ndim == 0 && (axis == 0 || axis == -1)) return 0; /* NumPy lets a number be reduced along its one imagined axis */
    if (axis != GA_AXIS_DEFAULT) {
        int d = gi_axis(site, axis, ndim);
        if (d < 0) return -1;
        marked[d] = true;
        return 1;
    }
    for (int d = 0; d < ndim; d++) marked[d] = true;
    return ndim;
}

/* Adds an axis behind others, to the last one where they lie in memory as one. */
static inline void gi_join_axis(int *ndim, int64_t *shape, int64_t *strides, int64_t length, int64_t stride)
{
    int     last = *ndim - 1;
    int64_t next; /* an array without elements may have any strides */
    if (length == 1) return;
    if (last >= 0 && !__builtin_mul_overflow(stride, length, &next) && strides[last] == next) {
        shape[last] *= length;
        strides[last] = stride;
        return;
    }
    shape[*ndim]       = length;
    strides[(*ndim)++] = stride;
}

/* Divides the axes of a into kept and reduced ones. False with an error. */
static inline bool gi_lines_plan(const char *site, gi_lines *p, const ga_array *a, ga_dtype dtype, int axis,
                                 const ga_shape *axes, bool keepdims)
{
    bool marked[GPUARR_MAX_DIMS];
    memset(p, 0, sizeof *p);
    p->a      = a;
    p->dtype  = dtype;
    p->length = 1;
    p->lines  = 1;
    p->maker  = a->owner ? a->owner->maker : NULL;
    p->near   = p->maker != NULL;
    if (gi_lines_mark_axes(site, a->ndim, axis, axes, marked) < 0) return false;
    for (int d = 0; d < a->ndim; d++) {
        if (!marked[d]) {
            gi_join_axis(&p->kept, p->kept_shape, p->kept_strides, a->shape[d], a->strides[d]);
            p->lines *= a->shape[d];
            p->result_shape[p->result_ndim++] = a->shape[d];
            continue;
        }
        gi_join_axis(&p->reduced, p->shape, p->strides, a->shape[d], a->strides[d]);
        p->length *= a->shape[d];
        if (keepdims) p->result_shape[p->result_ndim++] = 1;
    }
    if (p->reduced == 0) { /* one element a line */
        p->shape[0]   = 1;
        p->strides[0] = ga_itemsize(a->dtype);
        p->reduced    = 1;
    }
    return true;
}
