/* ==== >>rearranging: joining, cutting, choosing, sorting, counting, running sums ================================== */

/* ---- axes, and parts along them ---------------------------------------------------------------------------------- */

/* A view of a with *axis made the number of the axis that was named; where none was (or a has none), a flattened, and
   axis 0. */
static ga_array *gi_along(const char *site, const ga_array *a, int *axis)
{
    const bool flat = *axis == GA_AXIS_DEFAULT || (a->ndim == 0 && (*axis == 0 || *axis == -1));
    if (flat && a->ndim == 1) *axis = 0; /* a view, where ravel would copy what is strided */
    else if (flat) {
        *axis = 0;
        return (ga_ravel)(a, site);
    }
    *axis = gi_axis(site, *axis, a->ndim);
    return *axis < 0 ? NULL : (ga_view)(a, site);
}

/* The elements start .. start + length along an axis. */
static ga_array *gi_part(const char *site, const ga_array *a, int axis, int64_t start, int64_t length)
{
    gi_layout l = gi_layout_of(a);
    if (a->size > 0 && length > 0) l.data += start * l.strides[axis];
    l.shape[axis] = length;
    return gi_view_with(site, a, &l);
}

/* Copies a part of src to another place along the same axis of dst. */
static bool gi_copy_along(const char *site, ga_array *dst, int64_t to, const ga_array *src, int64_t from, int64_t length,
                          int axis)
{
    ga_array *target = gi_part(site, dst, axis, to, length);
    ga_array *source = target ? gi_part(site, src, axis, from, length) : NULL;
    bool      done   = source && gi_copy_assign(site, target, source);
    ga_free(source);
    ga_free(target);
    return done;
}

/* ---- concatenate, stack ------------------------------------------------------------------------------------------ */

/* The dtype that holds all, as NumPy finds it: beginning with the largest, so that int16 and uint16 beside float32
   stay float32. */
static ga_dtype gi_promote_all(int n, const ga_array *const *arrays)
{
    ga_dtype dtype = arrays[0]->dtype;
    for (int k = 1; k < n; k++)
        if (arrays[k]->dtype > dtype) dtype = arrays[k]->dtype;
    for (int largest = (int)dtype; largest > GA_DTYPE_DEFAULT; largest--)
        for (int k = 0; k < n; k++)
            if ((int)arrays[k]->dtype == largest) dtype = ga_promote(dtype, arrays[k]->dtype);
    return dtype;
}

static bool gi_join_check_list(const char *site, int n, const ga_array *const *arrays)
{
    if (n < 1 || !arrays) {
        gi_fail(site, GA_BAD_ARGUMENT, "there is no array in the list: give at least one");
        return false;
    }
    for (int k = 0; k < n; k++) {
        char name[32] = "";
        if (!gi_array_is_given(arrays[k]) || arrays[k]->alive != GI_ALIVE) snprintf(name, sizeof name, "array number %d", k);
        if (!gi_array_check_half_any(site, arrays[k], name)) return false;
    }
    return gi_common_device(site, n, arrays) != GA_DEVICE_DEFAULT;
}

/* Do the axes of a from one on lie packed? */
static bool gi_packed_from(const ga_array *a, int axis)
{
    int64_t bytes = ga_itemsize(a->dtype);
    for (int d = a->ndim - 1; d >= axis; bytes *= a->shape[d--])
        if (a->shape[d] != 1 && a->strides[d] != bytes) return false;
    return true;
}

/* Copies few elements whose rows, of the axes of a from one on, lie packed, to rows of a packed target from `place` on: there is nothing to plan.
   False: it is something else. */
static bool gi_join_short(const ga_array *target, char *place, const ga_array *a, int axis)
{
    enum { FEW = 128, LONG = 16 };
    if (target->device != GA_CPU || a->dtype != target->dtype || a->size == 0) return false;
    if (a->size > GI_UNDIVIDED && 2 * (double)a->size * (double)ga_itemsize(a->dtype) > GI_WORTH_SHARING) return false;
    const bool packed = ga_is_contiguous(a);
    if (!ga_is_contiguous(target) || (!packed && (axis != 1 || !gi_packed_from(a, 1)))) return false;
    int64_t rows = 1;
    for (int d = 0; d < axis; d++) rows *= a->shape[d];
    const int64_t bytes = a->size / rows * ga_itemsize(a->dtype), from = packed ? bytes : a->strides[0];
    const int64_t to = target->size / rows * ga_itemsize(a->dtype);
    if (bytes < LONG && rows > FEW) return false;
    for (int64_t r = 0; r < rows; r++) memcpy(place + r * to, (const char *)a->data + r * from, (size_t)bytes);
    return true;
}

/* Writes the arrays one behind the other along an axis of target; stacked: that axis is a new one. */
static bool gi_write_joined(const char *site, ga_array *target, int n, const ga_array *const *arrays, int axis, bool stacked)
{
    int64_t at = 0;
    for (int k = 0; k < n; k++) {
        gi_layout place  = gi_layout_of(target);
        int64_t   length = stacked ? 1 : arrays[k]->shape[axis];
        if (target->size > 0 && at < target->shape[axis]) place.data += at * place.strides[axis];
        if (gi_join_short(target, place.data, arrays[k], axis)) {
            at += length;
            continue;
        }
        place.shape[axis] = length;
        if (stacked) {
            for (int d = axis; d < target->ndim - 1; d++) gi_layout_swap(&place, d, d + 1);
            place.ndim--;
        }
        ga_array *part = gi_view_with(site, target, &place);
        bool      done = part && gi_copy_assign(site, part, arrays[k]);
        ga_free(part);
        if (!done) return false;
        at += length;
    }
    return true;
}

static ga_array *gi_join_arrays(int n, const ga_array *const *arrays, int axis, bool stacked, int ndim, const int64_t *shape,
                                const ga_axis_options *o)
{
    ga_dtype dtype = o->dtype != GA_DTYPE_DEFAULT ? o->dtype : gi_promote_all(n, arrays);
    for (int k = 0; k < n; k++)
        if (o->dtype != GA_DTYPE_DEFAULT && !gi_dtype_same_kind(arrays[k]->dtype, dtype))
            return (ga_array *)gi_fail(o->site, GA_BAD_DTYPE,
                                       "%s cannot become %s without losing its kind: use ga_astype first",
                                       ga_dtype_name(arrays[k]->dtype), ga_dtype_name(dtype));
    for (int k = 0; k < n; k++)
        if (gi_is_deferred(arrays[k])) return gi_deferred()->join(n, arrays, dtype, axis, stacked, ndim, shape, o);
    /* Straight into .out if it fits and holds none of the arrays. */
    bool direct = o->out && o->out->alive == GI_ALIVE && !gi_is_deferred(o->out) &&
                  gi_shape_equal(ndim, shape, o->out->ndim, o->out->shape) && gi_dtype_same_kind(dtype, o->out->dtype) &&
                  o->dtype == GA_DTYPE_DEFAULT;
    for (int k = 0; k < n && direct; k++) direct = !ga_may_share_memory(o->out, arrays[k]);
    ga_array *target = direct ? o->out : gi_array_new(o->site, dtype, arrays[0]->device, ndim, shape);
    if (!target) return NULL;
    bool done = gi_write_joined(o->site, target, n, arrays, axis, stacked);
    if (direct) return done ? target : NULL;
    if (done) return gi_copy_finish(o->site, target, dtype, o->out);
    ga_free(target);
    return NULL;
}

ga_array *(ga_concatenate_n)(int n, const ga_array *const *arrays, ga_axis_options o)
{
    if (!gi_options_axis(&o) || !gi_join_check_list(o.site, n, arrays)) return NULL;
    const ga_array *first = arrays[0];
    if (first->ndim == 0)
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "0-d arrays have no axis to be joined along: use ga_stack");
    int     axis = gi_axis(o.site, gi_axis_or(o.axis, 0), first->ndim);
    int64_t shape[GPUARR_MAX_DIMS];
    if (axis < 0) return NULL;
    memcpy(shape, first->shape, sizeof shape);
    for (int k = 1; k < n; k++) {
        const ga_array *a    = arrays[k];
        bool            fits = a->ndim == first->ndim;
        for (int d = 0; d < a->ndim && fits; d++) fits = d == axis || a->shape[d] == first->shape[d];
        if (!fits)
            return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE,
                                       "array number %d has shape %s, the first %s: they may differ on axis %d only", k,
                                       gi_shape_of(a), gi_shape_of(first), axis);
        if (__builtin_add_overflow(shape[axis], a->shape[axis], &shape[axis]))
            return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "together the arrays have more elements than can be counted");
    }
    return gi_join_arrays(n, arrays, axis, false, first->ndim, shape, &o);
}

ga_array *(ga_stack_n)(int n, const ga_array *const *arrays, ga_axis_options o)
{
    if (!gi_options_axis(&o) || !gi_join_check_list(o.site, n, arrays)) return NULL;
    const ga_array *first = arrays[0];
    int             ndim  = first->ndim + 1;
    if (ndim > GPUARR_MAX_DIMS)
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "%d dimensions; at most %d are possible", ndim, GPUARR_MAX_DIMS);
    for (int k = 1; k < n; k++)
        if (!ga_same_shape(first, arrays[k]))
            return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "array number %d has shape %s, the first %s: they must be equal",
                                       k, gi_shape_of(arrays[k]), gi_shape_of(first));
    int     axis = gi_axis(o.site, gi_axis_or(o.axis, 0), ndim);
    int64_t shape[GPUARR_MAX_DIMS];
    if (axis < 0) return NULL;
    for (int d = 0; d < ndim; d++) shape[d] = d == axis ? n : first->shape[d < axis ? d : d - 1];
    return gi_join_arrays(n, arrays, axis, true, ndim, shape, &o);
}

/* ---- split ------------------------------------------------------------------------------------------------------- */

/* Views between neighbouring cuts: parts[k] is cuts(k) .. cuts(k + 1), as Python slices are taken. indices NULL: n
   equal parts. */
static bool gi_split(const ga_array *a, int n, const int64_t *indices, int axis, ga_array **parts, const char *site)
{
    int64_t length = a->shape[axis];
    for (int k = 0; k < n; k++) {
        int64_t start = 0, stop = length;
        if (indices) {
            if (k > 0) start = gi_slice_bound(indices[k - 1], length, false);
            if (k < n - 1) stop = gi_slice_bound(indices[k], length, false);
        } else {
            start = length / n * k;
            stop  = start + length / n;
        }
        parts[k] = gi_part(site, a, axis, start, stop > start ? stop - start : 0);
        if (parts[k]) continue;
        for (; k > 0; k--) {
            ga_free(parts[k - 1]);
            parts[k - 1] = NULL;
        }
        return false;
    }
    return true;
}

/* The axis to be split, -1 with an error. Clears the parts, so that a failed call leaves NULLs. */
static int gi_split_axis(const ga_array *a, int n, ga_array **parts, ga_axis_options *o)
{
    if (n < 1 || !parts) {
        gi_fail(o->site, GA_BAD_ARGUMENT, "%d parts: give 1 or more, and an array of as many pointers", n);
        return -1;
    }
    for (int k = 0; k < n; k++) parts[k] = NULL;
    if (!gi_options_axis(o) || !gi_array_check_half_any(o->site, a, "a") || !gi_takes_only_axis("splitting", o)) return -1;
    return gi_axis(o->site, gi_axis_or(o->axis, 0), a->ndim);
}

bool(ga_split)(const ga_array *a, int n, ga_array **parts, ga_axis_options o)
{
    int axis = gi_split_axis(a, n, parts, &o);
    if (axis < 0) return false;
    if (a->shape[axis] % n != 0) {
        gi_fail(o.site, GA_BAD_SHAPE, "axis %d of %s cannot be split into %d equal parts: use ga_split_at", axis,
                gi_shape_of(a), n);
        return false;
    }
    return gi_split(a, n, NULL, axis, parts, o.site);
}

bool(ga_split_at)(const ga_array *a, int n, const int64_t *indices, ga_array **parts, ga_axis_options o)
{
    int axis = gi_split_axis(a, n, parts, &o);
    if (axis < 0) return false;
    if (!indices && n > 1) {
        gi_fail(o.site, GA_BAD_ARGUMENT, "indices is NULL: give the %d places to cut before", n - 1);
        return false;
    }
    return gi_split(a, n, indices, axis, parts, o.site);
}
