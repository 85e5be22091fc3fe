/* ---- shapes ------------------------------------------------------------------------------------------------------ */

/* Do the elements of an array that has been checked lie in C order, without gaps? */
static inline bool gi_is_packed(const ga_array *a)
{
    if (a->size == 0) return true;
    int64_t expected = gi_itemsizes[a->dtype];
    for (int d = a->ndim - 1; d >= 0; d--) {
        if (a->shape[d] != 1 && a->strides[d] != expected) return false;
        expected *= a->shape[d];
    }
    return true;
}

bool ga_is_contiguous(const ga_array *a) { return gi_array_is_there("\tga_is_contiguous", a) && gi_is_packed(a); }

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

/*  Two elements of an array share a byte if steps along its axes, forwards or back, lead less than an element away. Here are the axes that have
    several elements, those with the longest steps first.                                                                       */
typedef struct gi_strides {
    int     n, trials;                  /* axes; trials that are left */
    int64_t size;                       /* of an element */
    int64_t most[GPUARR_MAX_DIMS];      /* steps, */
    int64_t step[GPUARR_MAX_DIMS];      /* and how long each is */
    int64_t reach[GPUARR_MAX_DIMS + 1]; /* of all steps along this axis and those behind it */
} gi_strides;

/* Do steps along the axes from d on lead there, from `at`? The first one is forwards: the way back is as long. After many trials the answer is
   that they may. */
static bool gi_strides_meet(gi_strides *s, int d, int64_t at, bool moved)
{
    if (d == s->n) return moved && llabs(at) < s->size;
    if (--s->trials < 0) return true;
    const int64_t step = s->step[d], near = s->reach[d + 1] + s->size - 1;
    int64_t       k = moved ? -s->most[d] : 0, last = s->most[d];
    if (k * step < -near - at) k = -((near + at) / step);
    if (last * step > near - at) last = (near - at) / step;
    for (; k <= last; k++)
        if (gi_strides_meet(s, d + 1, at + k * step, moved || k > 0)) return true;
    return false;
}

/* Do some elements share memory? */
static bool gi_array_repeats(const ga_array *a)
{
    enum { TRIALS = 1000 };
    gi_strides s;
    if (a->size < 2 || ga_is_contiguous(a)) return false;
    s.n      = 0;
    s.trials = TRIALS;
    s.size   = ga_itemsize(a->dtype);
    for (int d = 0; d < a->ndim; d++) {
        if (a->shape[d] == 1) continue;
        const int64_t step = llabs(a->strides[d]);
        int           k    = s.n;
        if (step == 0) return true;
        for (; k > 0 && s.step[k - 1] < step; k--) {
            s.step[k] = s.step[k - 1];
            s.most[k] = s.most[k - 1];
        }
        s.step[k] = step;
        s.most[k] = a->shape[d] - 1;
        s.n++;
    }
    s.reach[s.n] = 0;
    for (int d = s.n - 1; d >= 0; d--) s.reach[d] = s.reach[d + 1] + s.most[d] * s.step[d];
    return gi_strides_meet(&s, 0, 0, false);
}

/* Can the elements be written one by one? False with an error. */
static bool gi_array_is_writable(const char *site, const ga_array *a, const char *name)
{
    if (!gi_array_repeats(a)) return true;
    gi_fail(site, GA_BAD_ARGUMENT,
            "%s repeats its elements (ga_broadcast_to, ga_sliding_window_view, ga_as_strided): copy it first", name);
    return false;
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
