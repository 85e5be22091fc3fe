/* ---- shapes ------------------------------------------------------------------------------------------------------ */

bool ga_is_contiguous(const ga_array *a)
{
    if (!gi_array_is_there("\tga_is_contiguous", a)) return false;
    if (a->size == 0) return true;
    int64_t expected = ga_itemsize(a->dtype);
    for (int d = a->ndim - 1; d >= 0; d--) {
        if (a->shape[d] != 1 && a->strides[d] != expected) return false;
        expected *= a->shape[d];
    }
    return true;
}

bool ga_same_shape(const ga_array *a, const ga_array *b)
{
    bool first = gi_array_is_there("\tga_same_shape", a), second = gi_array_is_there("\tga_same_shape", b);
    return first && second && gi_shape_equal(a->ndim, a->shape, b->ndim, b->shape);
}

/* The bytes that the elements of a lie between: [*low, *high). */
static void gi_array_extent(const ga_array *a, const char **low, const char **high)
{
    const char *lo = (const char *)a->data, *hi = lo + ga_itemsize(a->dtype);
    for (int d = 0; d < a->ndim; d++) {
        int64_t reach = (a->shape[d] - 1) * a->strides[d];
        if (reach < 0) lo += reach;
        if (reach > 0) hi += reach;
    }
    *low  = lo;
    *high = a->size == 0 ? lo : hi;
}

/* ga_may_share_memory of arrays that have been checked. */
static bool gi_arrays_overlap(const ga_array *a, const ga_array *b)
{
    const char *a0, *a1, *b0, *b1;
    if (a->device != b->device || a->size == 0 || b->size == 0) return false;
    gi_array_extent(a, &a0, &a1);
    gi_array_extent(b, &b0, &b1);
    return a0 < b1 && b0 < a1;
}

bool ga_may_share_memory(const ga_array *a, const ga_array *b)
{
    bool first = gi_array_is_there("\tga_may_share_memory", a), second = gi_array_is_there("\tga_may_share_memory", b);
    return first && second && gi_arrays_overlap(a, b);
}

/* Turns a negative axis into its number; -1 with an error if there is no such axis. */
GI_SHARED int gi_axis(const char *site, int axis, int ndim)
{
    if (axis >= -ndim && axis < ndim) return axis < 0 ? axis + ndim : axis;
    if (ndim == 0) {
        gi_fail(site, GA_BAD_ARGUMENT, "there is no axis %d: the array has no dimensions", axis);
        return -1;
    }
    gi_fail(site, GA_BAD_ARGUMENT, "there is no axis %d: the array has %d dimension%s (axes %d to %d)", axis, ndim,
            ndim == 1 ? "" : "s", -ndim, ndim - 1);
    return -1;
}
