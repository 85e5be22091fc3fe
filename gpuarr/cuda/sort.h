/* ---- sort, argsort -------------------------------------------------------------------------------------------------------- */

#define GI_SORT_AT_ONCE ((int64_t)1 << 28) /* elements of lines that are sorted together */
#define GI_SORT_ALONE   ((int64_t)1 << 21) /* a line of so many is sorted by itself, if its keys are enough */

/* Sorts packed lines into `out`: elements, or their indices. */
static bool gi_cuda_sort_lines(const char *site, const ga_array *packed, int64_t length, char *out, bool indices)
{
    ga_dtype    dtype = packed->dtype;
    int64_t     lines = packed->size / length, size = ga_itemsize(dtype), out_size = indices ? 8 : size, count;
    const char *from    = (const char *)packed->data;
    bool        by_keys = !indices && !gi_is_complex(dtype) && (lines == 1 || length >= GI_SORT_ALONE), ok = true;
    int64_t     step = by_keys || length > GI_SORT_AT_ONCE ? 1 : GI_SORT_AT_ONCE / length;
    for (int64_t line = 0; ok && line < lines; line += count, from += count * length * size, out += count * length * out_size) {
        count     = lines - line < step ? lines - line : step;
        int64_t n = count * length;
        if (by_keys && size <= 4) ok = gi_cuda_sort_by_keys<uint32_t>(site, packed, dtype, from, n, out);
        else if (by_keys) ok = gi_cuda_sort_by_keys<uint64_t>(site, packed, dtype, from, n, out);
        else if (n <= INT32_MAX)
            ok = gi_cuda_sort_together<uint32_t, uint32_t>(site, packed, dtype, from, n, length, out, indices);
        else ok = gi_cuda_sort_together<uint64_t, uint64_t>(site, packed, dtype, from, n, length, out, indices);
    }
    return ok;
}

/* a, seen with the axis as the last one. */
static ga_array *gi_cuda_axis_last(const char *site, const ga_array *a, int axis)
{
    gi_layout l = gi_layout_of(a);
    for (int d = axis; d < a->ndim - 1; d++) gi_layout_swap(&l, d, d + 1);
    return gi_view_with(site, a, &l);
}

static bool gi_cuda_sort_long(const char *site, const ga_array *a, ga_array *result, int axis, bool indices)
{
    ga_array *lines  = gi_cuda_axis_last(site, a, axis);
    ga_array *target = lines ? gi_cuda_axis_last(site, result, axis) : NULL;
    ga_array *packed = target ? gi_cuda_packed(site, lines, a->dtype) : NULL, *sorted = NULL;
    if (packed && ga_is_contiguous(target))
        sorted = gi_array_new_view(site, target, target->data, target->dtype, target->ndim, target->shape, target->strides);
    else if (packed) sorted = gi_array_new(site, result->dtype, result->device, target->ndim, target->shape);
    bool ok = sorted && gi_cuda_sort_lines(site, packed, a->shape[axis], (char *)sorted->data, indices);
    if (ok && sorted->data != result->data) ok = gi_cuda_assign(site, target, sorted);
    ga_free(sorted);
    ga_free(packed);
    ga_free(target);
    ga_free(lines);
    return ok;
}

static bool gi_cuda_sort_few(const char *site, const ga_array *a, ga_array *result, int axis, bool indices)
{
    gi_cuda_short j;
    gi_lines      in, out;
    ga_shape      axes;
    memset(&axes, 0, sizeof axes);
    axes.ndim = 1;
    axes.n[0] = axis;
    memset(&j, 0, sizeof j);
    j.keys   = gi_cuda_keys_of(a->dtype, false);
    j.result = indices ? GI_SHORT_INDICES : GI_SHORT_ELEMENTS;
    if (!gi_lines_plan(site, &in, a, a->dtype, axis, &axes, false)) return false;
    if (!gi_lines_plan(site, &out, result, result->dtype, axis, &axes, false)) return false;
    j.out        = gi_sort_lines_of(&out);
    j.out_across = gi_cuda_across(&j.out);
    return gi_cuda_run_short(site, &j, &in);
}

/* a sorted along an axis into a new array `result`, or the indices that sort it. */
static bool gi_cuda_sort(const char *site, const ga_array *a, ga_array *result, int axis, bool indices)
{
    const ga_array *both[2] = { a, result };
    if (!gi_cuda_touch_all(site, 2, both)) return false;
    if (a->shape[axis] == 1) return indices ? gi_cuda_clear(site, result) : gi_cuda_assign(site, result, a);
    if (a->shape[axis] <= GI_SORT_TILE && a->dtype != GA_C128) return gi_cuda_sort_few(site, a, result, axis, indices);
    return gi_cuda_sort_long(site, a, result, axis, indices);
}
