/* ---- the same elements in another shape -------------------------------------------------------------------------- */

/* Puts the one length -1 right and sees that the new shape has as many elements as the array. */
static bool gi_resolve_shape(const char *site, const ga_array *a, ga_shape *shape)
{
    if (shape->ndim < 0 || shape->ndim > GPUARR_MAX_DIMS) {
        gi_fail(site, GA_BAD_SHAPE, "%d dimensions; at most %d are possible", shape->ndim, GPUARR_MAX_DIMS);
        return false;
    }
    int     open  = -1;
    int64_t known = 1;
    bool    fits  = true;
    for (int d = 0; d < shape->ndim; d++) {
        if (shape->n[d] == -1 && open < 0) open = d;
        else if (shape->n[d] < 0) {
            gi_fail(site, GA_BAD_SHAPE, "the new shape %s has a negative length; one may be -1, to be computed",
                    gi_shape_text(shape->ndim, shape->n));
            return false;
        } else if (__builtin_mul_overflow(known, shape->n[d], &known)) {
            fits  = false;
            known = 1;
        }
    }
    if (open >= 0 ? known == 0 || a->size % known != 0 : known != a->size) fits = false;
    if (!fits) {
        gi_fail(site, GA_BAD_SHAPE, "shape %s with %lld elements cannot become %s", gi_shape_of(a), (long long)a->size,
                gi_shape_text(shape->ndim, shape->n));
        return false;
    }
    if (open >= 0) shape->n[open] = a->size / known;
    return a->size > 0 || gi_shape_count(site, a->dtype, shape) >= 0; /* lengths beside a 0 are bounded, too */
}

/* Can `shape` be laid over the memory of a as it is? Neighbouring axes of a that lie in memory like one long axis are joined to
   a run; each new axis must be cut out of one run. Both are walked from the last axis on. */
static bool gi_restride(const ga_array *a, const ga_shape *shape, int64_t *strides)
{
    if (a->size == 0) return gi_shape_c_strides(a->dtype, shape->ndim, shape->n, strides) >= 0;
    int     axis = a->ndim - 1;                     /* the next axis of a */
    int64_t left = 1, step = ga_itemsize(a->dtype); /* of the run: elements not yet used, bytes between them */
    for (int d = shape->ndim - 1; d >= 0; d--) {
        if (left == 1 && shape->n[d] > 1) {
            while (a->shape[axis] == 1) axis--;
            step          = a->strides[axis];
            left          = a->shape[axis--];
            int64_t whole = left * step; /* bytes from one run to the next, if the axis before belongs to it */
            for (; axis >= 0 && (a->shape[axis] == 1 || a->strides[axis] == whole); axis--) {
                left *= a->shape[axis];
                whole *= a->shape[axis];
            }
        }
        if (left % shape->n[d] != 0) return false;
        strides[d] = step;
        step *= shape->n[d];
        left /= shape->n[d];
    }
    return true;
}

/* A C-ordered copy, seen in another shape of the same size. */
static ga_array *gi_reshaped_copy(const char *site, const ga_array *a, const ga_shape *shape)
{
    ga_array *copy = gi_copy_convert(site, a, a->dtype);
    if (!copy) return NULL;
    int64_t strides[GPUARR_MAX_DIMS];
    gi_shape_c_strides(a->dtype, shape->ndim, shape->n, strides);
    ga_array *view = gi_array_new_view(site, copy, copy->data, a->dtype, shape->ndim, shape->n, strides);
    ga_free(copy);
    return view;
}

ga_array *(ga_reshape)(const ga_array *a, ga_shape shape, const char *site)
{
    int64_t strides[GPUARR_MAX_DIMS];
    if (!gi_array_is_alive(site, a, "a") || !gi_resolve_shape(site, a, &shape)) return NULL;
    if (!gi_restride(a, &shape, strides)) return gi_reshaped_copy(site, a, &shape);
    return gi_array_new_view(site, a, a->data, a->dtype, shape.ndim, shape.n, strides);
}

static ga_shape gi_flat_shape(const ga_array *a)
{
    ga_shape flat;
    memset(&flat, 0, sizeof flat);
    flat.ndim = 1;
    flat.n[0] = a->size;
    return flat;
}

ga_array *(ga_ravel)(const ga_array *a, const char *site)
{
    if (!gi_array_is_alive(site, a, "a")) return NULL;
    ga_shape flat = gi_flat_shape(a);
    return ga_is_contiguous(a) ? (ga_reshape)(a, flat, site) : gi_reshaped_copy(site, a, &flat);
}

ga_array *(ga_flatten)(const ga_array *a, const char *site)
{
    if (!gi_array_is_alive(site, a, "a")) return NULL;
    ga_shape flat = gi_flat_shape(a);
    return gi_reshaped_copy(site, a, &flat);
}

/* The C language asks that a number lies at a multiple of its size (a complex one, of the size of its parts). */
static bool gi_is_aligned(ga_dtype dtype, const gi_layout *l)
{
    int64_t unit    = ga_itemsize(gi_dtype_real(dtype));
    bool    aligned = (int64_t)((uintptr_t)l->data % (uintptr_t)unit) == 0;
    for (int d = 0; d < l->ndim; d++) {
        if (l->shape[d] == 0) return true;
        if (l->shape[d] > 1 && l->strides[d] % unit != 0) aligned = false;
    }
    return aligned;
}

ga_array *(ga_view_as)(const ga_array *a, ga_dtype dtype, const char *site)
{
    if (!gi_array_is_alive(site, a, "a") || (gi_is_deferred(a) && !gi_array_check(site, a, "a"))) return NULL;
    if (!gi_dtype_check(site, dtype)) return NULL;
    gi_layout l      = gi_layout_of(a);
    int64_t   before = ga_itemsize(a->dtype), after = ga_itemsize(dtype);
    if (before != after) {
        int last = a->ndim - 1;
        if (last < 0)
            return (ga_array *)gi_fail(site, GA_BAD_DTYPE,
                                       "%s and %s differ in size, and a 0-d array has no axis to become longer or shorter",
                                       ga_dtype_name(a->dtype), ga_dtype_name(dtype));
        if (a->shape[last] != 1 && a->size != 0 && a->strides[last] != before)
            return (ga_array *)gi_fail(site, GA_BAD_SHAPE,
                                       "%s and %s differ in size, so the last axis must lie in one piece: ga_copy first",
                                       ga_dtype_name(a->dtype), ga_dtype_name(dtype));
        const int64_t bytes = a->shape[last] * before;
        if (bytes % after != 0)
            return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "the last axis of %s has %lld bytes: no whole number of %s",
                                       gi_shape_of(a), (long long)bytes, ga_dtype_name(dtype));
        l.shape[last]   = bytes / after;
        l.strides[last] = after;
    }
    if (a->size == 0 && gi_count_elements(site, dtype, l.ndim, l.shape) < 0) return NULL;
    if (!gi_is_aligned(dtype, &l))
        return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT, "the elements would not be aligned as %s must be: ga_copy first",
                                   ga_dtype_name(dtype));
    return gi_array_new_view(site, a, l.data, dtype, l.ndim, l.shape, l.strides);
}

/* ---- axes in another order, fewer or more of them ---------------------------------------------------------------- */

/* Axis d of the view is axis order[d] of a. */
static ga_array *gi_permuted(const char *site, const ga_array *a, const int *order)
{
    gi_layout l = gi_layout_of(a);
    for (int d = 0; d < a->ndim; d++) {
        l.shape[d]   = a->shape[order[d]];
        l.strides[d] = a->strides[order[d]];
    }
    return gi_view_with(site, a, &l);
}

/* An axis of a list: beyond int there is none. */
static int gi_int_of(int64_t axis) { return axis > INT_MAX ? INT_MAX : axis < -INT_MAX ? -INT_MAX : (int)axis; }

/* The axes that .axis or .axes name, as numbers from 0 on, and how many; *n is -1 if neither is given. False with an error if one is
   not there or is named twice. */
static bool gi_named_axes(const ga_axes_options *o, int ndim, int *n, int *axes)
{
    ga_shape named = o->axes;
    if (!GI_TAKE_AXES(axes, o)) return false;
    if (named.ndim < 0 && o->axis != GA_AXIS_DEFAULT) {
        named.ndim = 1;
        named.n[0] = o->axis;
    }
    for (int i = 0; i < named.ndim; i++) {
        int64_t axis = named.n[i];
        axes[i]      = gi_axis(o->site, gi_int_of(axis), ndim);
        if (axes[i] < 0) return false;
        for (int j = 0; j < i; j++)
            if (axes[j] == axes[i]) {
                gi_fail(o->site, GA_BAD_ARGUMENT, "axis %d is named twice in .axes %s", axes[i],
                        gi_shape_text(named.ndim, named.n));
                return false;
            }
    }
    *n = named.ndim;
    return true;
}

ga_array *(ga_transpose)(const ga_array *a, ga_axes_options o)
{
    if (!gi_array_is_alive(o.site, a, "a")) return NULL;
    int n, order[GPUARR_MAX_DIMS];
    if (!gi_named_axes(&o, a->ndim, &n, order)) return NULL;
    if (n < 0)
        for (int d = 0; d < a->ndim; d++) order[d] = a->ndim - 1 - d;
    else if (n != a->ndim)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT,
                                   "%d %s named, but the array has %d: name every axis once in .axes = ga_axes(...)", n,
                                   n == 1 ? "axis is" : "axes are", a->ndim);
    return gi_permuted(o.site, a, order);
}

ga_array *(ga_swapaxes)(const ga_array *a, int axis1, int axis2, const char *site)
{
    if (!gi_array_is_alive(site, a, "a")) return NULL;
    axis1 = gi_axis(site, axis1, a->ndim);
    axis2 = axis1 < 0 ? -1 : gi_axis(site, axis2, a->ndim);
    if (axis2 < 0) return NULL;
    gi_layout l = gi_layout_of(a);
    gi_layout_swap(&l, axis1, axis2);
    return gi_view_with(site, a, &l);
}

ga_array *(ga_moveaxis)(const ga_array *a, int source, int destination, const char *site)
{
    if (!gi_array_is_alive(site, a, "a")) return NULL;
    source      = gi_axis(site, source, a->ndim);
    destination = source < 0 ? -1 : gi_axis(site, destination, a->ndim);
    if (destination < 0) return NULL;
    gi_layout l = gi_layout_of(a);
    for (int d = source; d < destination; d++) gi_layout_swap(&l, d, d + 1);
    for (int d = source; d > destination; d--) gi_layout_swap(&l, d, d - 1);
    return gi_view_with(site, a, &l);
}

ga_array *(ga_squeeze)(const ga_array *a, ga_axes_options o)
{
    if (!gi_array_is_alive(o.site, a, "a")) return NULL;
    int n, axes[GPUARR_MAX_DIMS];
    if (!gi_named_axes(&o, a->ndim, &n, axes)) return NULL;
    bool drop[GPUARR_MAX_DIMS];
    for (int d = 0; d < a->ndim; d++) drop[d] = n < 0 && a->shape[d] == 1;
    for (int i = 0; i < n; i++) {
        if (a->shape[axes[i]] != 1)
            return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "axis %d of %s has length %lld; only length 1 can be squeezed out",
                                       axes[i], gi_shape_of(a), (long long)a->shape[axes[i]]);
        drop[axes[i]] = true;
    }
    gi_layout l = gi_layout_of(a);
    l.ndim      = 0;
    for (int d = 0; d < a->ndim; d++)
        if (!drop[d]) gi_layout_append(&l, a->shape[d], a->strides[d]);
    return gi_view_with(o.site, a, &l);
}

ga_array *(ga_expand_dims)(const ga_array *a, int axis, const char *site)
{
    if (!gi_array_is_alive(site, a, "a")) return NULL;
    int ndim = a->ndim + 1;
    if (ndim > GPUARR_MAX_DIMS)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "%d dimensions; at most %d are possible", ndim, GPUARR_MAX_DIMS);
    if (axis < -ndim || axis >= ndim)
        return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT,
                                   "the new axis cannot be axis %d: the result has %d dimensions (axes %d to %d)", axis, ndim,
                                   -ndim, ndim - 1);
    gi_layout l = gi_layout_of(a);
    gi_layout_append(&l, 1, 0);
    for (int d = ndim - 1; d > (axis < 0 ? axis + ndim : axis); d--) gi_layout_swap(&l, d, d - 1);
    return gi_view_with(site, a, &l);
}

ga_array *(ga_broadcast_to)(const ga_array *a, ga_shape shape, const char *site)
{
    if (!gi_array_is_alive(site, a, "a")) return NULL;
    if (!gi_shape_check(site, shape.ndim, shape.n)) return NULL;
    bool fits = a->ndim <= shape.ndim;
    for (int d = 0; d < a->ndim && fits; d++) {
        int64_t wanted = shape.n[shape.ndim - a->ndim + d];
        if (a->shape[d] != 1 && a->shape[d] != wanted) fits = false;
    }
    if (!fits)
        return (ga_array *)gi_fail(
            site, GA_BAD_SHAPE, "shape %s cannot be stretched to %s: from the right, lengths must be equal or 1 in the first",
            gi_shape_of(a), gi_shape_text(shape.ndim, shape.n));
    int64_t strides[GPUARR_MAX_DIMS];
    if (gi_shape_count(site, a->dtype, &shape) < 0) return NULL;
    gi_shape_broadcast_strides(a, shape.ndim, shape.n, strides);
    return gi_array_new_view(site, a, a->data, a->dtype, shape.ndim, shape.n, strides);
}

/* Is there an axis 0 and an axis 1? */
static bool gi_check_plane(const char *site, const ga_array *a)
{
    if (!gi_array_is_alive(site, a, "a")) return false;
    if (a->ndim >= 2) return true;
    gi_fail(site, GA_BAD_SHAPE, "shape %s has fewer than two axes", gi_shape_of(a));
    return false;
}

ga_array *(ga_diagonal)(const ga_array *a, int64_t offset, const char *site)
{
    if (!gi_check_plane(site, a)) return NULL;
    int64_t rows = a->shape[0], cols = a->shape[1], row = 0, col = 0;
    if (offset > 0) col = offset < cols ? offset : cols;
    if (offset < 0) row = offset > -rows ? -offset : rows;
    int64_t   length = rows - row < cols - col ? rows - row : cols - col;
    gi_layout l      = gi_layout_of(a);
    if (length > 0 && a->size > 0) l.data += row * a->strides[0] + col * a->strides[1];
    l.ndim = 0;
    for (int d = 2; d < a->ndim; d++) gi_layout_append(&l, a->shape[d], a->strides[d]);
    gi_layout_append(&l, length, a->strides[0] + a->strides[1]);
    return gi_view_with(site, a, &l);
}

/* ---- axes turned round ------------------------------------------------------------------------------------------- */

ga_array *(ga_flip)(const ga_array *a, ga_axes_options o)
{
    if (!gi_array_is_alive(o.site, a, "a")) return NULL;
    int n, axes[GPUARR_MAX_DIMS];
    if (!gi_named_axes(&o, a->ndim, &n, axes)) return NULL;
    gi_layout l = gi_layout_of(a);
    if (n < 0)
        for (int d = 0; d < a->ndim; d++) gi_layout_flip(&l, d);
    for (int i = 0; i < n; i++) gi_layout_flip(&l, axes[i]);
    return gi_view_with(o.site, a, &l);
}

ga_array *(ga_fliplr)(const ga_array *a, const char *site)
{
    if (!gi_check_plane(site, a)) return NULL;
    gi_layout l = gi_layout_of(a);
    gi_layout_flip(&l, 1);
    return gi_view_with(site, a, &l);
}

ga_array *(ga_flipud)(const ga_array *a, const char *site)
{
    if (!gi_array_is_alive(site, a, "a")) return NULL;
    if (a->ndim < 1) return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "a 0-d array has no axis to turn round");
    gi_layout l = gi_layout_of(a);
    gi_layout_flip(&l, 0);
    return gi_view_with(site, a, &l);
}

/* The plane of ga_rot90: its two axes. False with an error. */
static bool gi_plane_axes(const ga_axes_options *o, const ga_array *a, int *axes)
{
    int n, named[GPUARR_MAX_DIMS];
    if (!gi_check_plane(o->site, a) || !gi_named_axes(o, a->ndim, &n, named)) return false;
    if (n >= 0 && n != 2)
        return gi_fail(o->site, GA_BAD_ARGUMENT, ".axes names %d: the plane has two, as ga_axes(0, 1)", n) != NULL;
    axes[0] = n < 0 ? 0 : named[0];
    axes[1] = n < 0 ? 1 : named[1];
    return true;
}

ga_array *(ga_rot90)(const ga_array *a, int k, ga_axes_options o)
{
    int axes[2] = { 0, 1 };
    if (!gi_plane_axes(&o, a, axes)) return NULL;
    gi_layout l     = gi_layout_of(a);
    int       turns = (k % 4 + 4) % 4;
    if (turns >= 2) { /* half a turn */
        gi_layout_flip(&l, axes[0]);
        gi_layout_flip(&l, axes[1]);
    }
    if (turns % 2 == 1) { /* a quarter */
        gi_layout_flip(&l, axes[1]);
        gi_layout_swap(&l, axes[0], axes[1]);
    }
    return gi_view_with(o.site, a, &l);
}

/* ---- windows that slide, and strides of the caller's ----------------------------------------------------------------- */

ga_array *(ga_sliding_window_view)(const ga_array *a, ga_shape window_shape, ga_axes_options o)
{
    const ga_shape *w = &window_shape;
    if (!gi_array_check_half(o.site, a, "a") || !gi_shape_check(o.site, w->ndim, w->n) || !GI_TAKE_AXES(axes, &o)) return NULL;
    const int named = o.axis != GA_AXIS_DEFAULT ? 1 : o.axes.ndim >= 0 ? o.axes.ndim : a->ndim;
    if (w->ndim != named)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT,
                                   "the window %s is for %d axes, and there are %d: give one length for each of them",
                                   gi_shape_text(w->ndim, w->n), w->ndim, named);
    if (a->ndim + w->ndim > GPUARR_MAX_DIMS)
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "%d dimensions; at most %d are possible", a->ndim + w->ndim,
                                   GPUARR_MAX_DIMS);
    gi_layout l = gi_layout_of(a);
    for (int i = 0; i < w->ndim; i++) { /* an axis may be named twice: windows in windows */
        const int64_t asked = o.axis != GA_AXIS_DEFAULT ? o.axis : o.axes.ndim >= 0 ? o.axes.n[i] : i;
        const int     axis  = gi_axis(o.site, gi_int_of(asked), a->ndim);
        if (axis < 0) return NULL;
        if (w->n[i] > l.shape[axis])
            return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "a window of %lld is longer than axis %d of %s, which %s",
                                       (long long)w->n[i], axis, gi_shape_of(a),
                                       l.shape[axis] == a->shape[axis] ? "it slides along" : "other windows have shortened");
        if (__builtin_add_overflow(l.shape[axis], 1 - w->n[i], &l.shape[axis])) /* by a window of 0 */
            return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "axis %d of %s has more windows than can be counted", axis,
                                       gi_shape_of(a));
        gi_layout_append(&l, w->n[i], a->strides[axis]);
    }
    return gi_count_elements(o.site, a->dtype, l.ndim, l.shape) < 0 ? NULL : gi_view_with(o.site, a, &l);
}

/* The bytes that the memory of an array lies between, of which it may be a view: [*low, *high). */
static void gi_array_memory(const ga_array *a, const char **low, const char **high)
{
    const gi_buffer *b = a->owner;
    if (!b) {
        gi_array_extent(a, low, high);
        return;
    }
    *low  = (const char *)b->base - b->below;
    *high = *low + b->bytes;
}

ga_array *(ga_as_strided)(const ga_array *a, ga_shape shape, ga_shape strides, const char *site)
{
    if (!gi_array_check_half(site, a, "a")) return NULL;
    const int64_t size = gi_shape_count(site, a->dtype, &shape);
    if (size < 0) return NULL;
    if (strides.ndim != shape.ndim)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE,
                                   "%d strides for %d dimensions: give the bytes from one element to the next on each axis",
                                   strides.ndim, shape.ndim);
    const int64_t MOST = (int64_t)1 << 46;
    const char   *low, *high, *data = (const char *)a->data;
    int64_t       before = 0, behind = ga_itemsize(a->dtype); /* bytes that the view needs on both sides of its first element */
    bool          counted = true;
    gi_layout     l       = gi_layout_of(a);
    l.ndim                = 0;
    for (int d = 0; d < shape.ndim; d++) {
        int64_t far = 0;
        if (size > 0 && (__builtin_mul_overflow(shape.n[d] - 1, strides.n[d], &far) || far == INT64_MIN)) counted = false;
        else if (far < 0) counted = !__builtin_sub_overflow(before, far, &before) && counted;
        else counted = !__builtin_add_overflow(behind, far, &behind) && counted;
        const bool steps = size > 0 && shape.n[d] > 1; /* else nobody takes a step of that stride, but calls multiply it */
        gi_layout_append(&l, shape.n[d], steps || (strides.n[d] > -MOST && strides.n[d] < MOST) ? strides.n[d] : 0);
    }
    gi_array_memory(a, &low, &high);
    if (size > 0 && !(counted && before <= data - low && behind <= high - data))
        return (ga_array *)gi_fail(
            site, GA_BAD_ARGUMENT,
            "shape %s with strides %s reaches beyond the memory of a: %lld bytes before its first element, %lld from there on",
            gi_shape_text(shape.ndim, shape.n), gi_shape_text(strides.ndim, strides.n), (long long)(data - low),
            (long long)(high - data));
    if (!gi_is_aligned(a->dtype, &l))
        return (ga_array *)gi_fail(
            site, GA_BAD_ARGUMENT, "the strides %s put elements where %s cannot lie: use multiples of %lld",
            gi_shape_text(strides.ndim, strides.n), ga_dtype_name(a->dtype), (long long)ga_itemsize(gi_dtype_real(a->dtype)));
    return gi_view_with(site, a, &l);
}
