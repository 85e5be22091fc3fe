/* ---- repetition -------------------------------------------------------------------------------------------------- */

/* Copies one part of a into another. */
static bool gi_copy_part(const char *site, const ga_array *a, const gi_layout *to, const gi_layout *from)
{
    ga_array *dst = gi_view_with(site, a, to), *src = dst ? gi_view_with(site, a, from) : NULL;
    bool      done = src && gi_copy_assign(site, dst, src);
    ga_free(dst);
    ga_free(src);
    return done;
}

/* `filled` has the extent of a's first copy; it is doubled along each axis until all is full, the last axis first. */
static bool gi_tile_from_corner(const char *site, const ga_array *a, gi_layout *filled)
{
    for (int d = a->ndim - 1; d >= 0; d--) {
        int64_t have = filled->shape[d], all = a->shape[d];
        for (int64_t n; have < all; have += n) {
            gi_layout from = *filled, to = *filled;
            n             = have < all - have ? have : all - have;
            from.shape[d] = to.shape[d] = n;
            to.data += have * a->strides[d];
            if (!gi_copy_part(site, a, &to, &from)) return false;
        }
        filled->shape[d] = all;
    }
    return true;
}

/* On a GPU one launch is better than many: a is read as (1, n), stretched to (repetitions, n), for each axis. False: these are more
   axes than an array has. */
static bool gi_tile_layouts(const ga_array *tiled, const ga_array *a, gi_layout *to, gi_layout *from)
{
    int missing = tiled->ndim - a->ndim;
    *to         = gi_layout_of(tiled);
    *from       = gi_layout_of(a);
    to->ndim = from->ndim = 0;
    for (int d = 0; d < tiled->ndim; d++) {
        int64_t n = d < missing ? 1 : a->shape[d - missing], repetitions = tiled->shape[d] / n;
        if (to->ndim + 2 > GPUARR_MAX_DIMS) return false;
        if (repetitions > 1) {
            gi_layout_append(to, repetitions, n * tiled->strides[d]);
            gi_layout_append(from, repetitions, 0);
        }
        if (n == 1) continue;
        gi_layout_append(to, n, tiled->strides[d]);
        gi_layout_append(from, n, a->strides[d - missing]);
    }
    return true;
}

static bool gi_tile_at_once(const char *site, const ga_array *tiled, const ga_array *a, const gi_layout *to,
                            const gi_layout *from)
{
    ga_array *dst = gi_view_with(site, tiled, to), *src = dst ? gi_view_with(site, a, from) : NULL;
    bool      done = src && gi_copy_assign(site, dst, src);
    ga_free(src);
    ga_free(dst);
    return done;
}

/* A chunked array so many times (1 or more) along an axis: joined arrays, and so that a join has few of them, joined joins. */
static ga_array *gi_repeat_along(const char *site, const ga_array *a, int64_t times, int axis)
{
    enum { MOST = 256 };
    const ga_array *list[MOST];
    ga_array       *many = NULL, *block = NULL, *r;
    int             n = 0;
    if (times == 1) return (ga_view)(a, site);
    if (times > MOST) {
        block = gi_repeat_along(site, a, MOST, axis);
        many  = block ? gi_repeat_along(site, block, times / MOST, axis) : NULL;
        ga_free(block);
        if (!many) return NULL;
        list[n++] = many;
        times %= MOST;
    }
    for (int64_t k = 0; k < times; k++) list[n++] = a;
    r = gi_join_along(site, n, list, axis);
    ga_free(many);
    return r;
}

/* The same of a chunked array: joined arrays. shape: that of the result. */
static ga_array *gi_tile_chunked(const char *site, const ga_array *a, int ndim, const int64_t *once, const int64_t *shape)
{
    ga_shape as;
    memset(&as, 0, sizeof as);
    as.ndim = ndim;
    memcpy(as.n, once, sizeof as.n);
    ga_array *r = (ga_reshape)(a, as, site);
    for (int d = 0; d < ndim && r; d++) {
        int64_t reps = once[d] > 0 ? shape[d] / once[d] : 1;
        if (reps == 1) continue;
        if (reps == 0) {
            gi_layout none = gi_layout_of(r);
            none.shape[d]  = 0;
            ga_array *cut  = gi_view_with(site, r, &none);
            ga_free(r);
            r = cut;
            continue;
        }
        ga_array *more = gi_repeat_along(site, r, reps, d);
        ga_free(r);
        r = more;
    }
    return r;
}

ga_array *(ga_tile)(const ga_array *a, ga_shape reps, const char *site)
{
    if (!gi_array_check_half_any(site, a, "a")) return NULL;
    if (reps.ndim < 0 || reps.ndim > GPUARR_MAX_DIMS)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "%d dimensions; at most %d are possible", reps.ndim, GPUARR_MAX_DIMS);
    int     ndim = a->ndim > reps.ndim ? a->ndim : reps.ndim;
    int64_t shape[GPUARR_MAX_DIMS], once[GPUARR_MAX_DIMS] = { 0 };
    for (int d = 0; d < ndim; d++) { /* the shorter one is right-aligned, with ones before */
        int64_t rep = d < ndim - reps.ndim ? 1 : reps.n[d - (ndim - reps.ndim)];
        once[d]     = d < ndim - a->ndim ? 1 : a->shape[d - (ndim - a->ndim)];
        if (rep < 0 || __builtin_mul_overflow(once[d], rep, &shape[d]))
            return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT, "%s cannot be repeated %s times", gi_shape_of(a),
                                       gi_shape_text(reps.ndim, reps.n));
    }
    if (gi_is_deferred(a)) return gi_tile_chunked(site, a, ndim, once, shape);
    ga_array *tiled = gi_array_new(site, a->dtype, a->device, ndim, shape);
    if (!tiled || tiled->size == 0) return tiled;
    gi_layout corner = gi_layout_of(tiled), stretched;
    if (a->device == GA_CUDA && gi_tile_layouts(tiled, a, &corner, &stretched)) {
        if (gi_tile_at_once(site, tiled, a, &corner, &stretched)) return tiled;
        ga_free(tiled);
        return NULL;
    }
    corner = gi_layout_of(tiled);
    memcpy(corner.shape, once, sizeof once);
    ga_array *first = gi_view_with(site, tiled, &corner);
    bool      done  = first && gi_copy_assign(site, first, a) && gi_tile_from_corner(site, tiled, &corner);
    ga_free(first);
    if (done) return tiled;
    ga_free(tiled);
    return NULL;
}

typedef struct gi_repeat_job {
    const char *from;
    char       *to;
    int64_t     bytes, repeats;
} gi_repeat_job;

GI_BEGIN_FAST
/* A unit is so many bytes that are written `repeats` times. */
static void gi_repeat_units(int64_t begin, int64_t end, void *job)
{
    const gi_repeat_job *j    = (const gi_repeat_job *)job;
    const char          *from = j->from + begin * j->bytes;
    char                *to   = j->to + begin * j->repeats * j->bytes;
    const int64_t        n = end - begin, repeats = j->repeats;
    enum { PART = 512 }; /* elements whose places stay in the cache while they are written one after the other */
#define GI_MOVE(U)                                                                                                             \
    for (int64_t at = 0; at < n; at += PART)                                                                                   \
        for (int64_t k = 0; k < repeats; k++)                                                                                  \
            for (int64_t i = at; i < n && i < at + PART; i++)                                                                  \
                ((U *)(void *)to)[i * repeats + k] = ((const U *)(const void *)from)[i];                                       \
    break
    switch (j->bytes) {
    case 1: GI_MOVE(uint8_t);
    case 2: GI_MOVE(gi_units_u16);
    case 4: GI_MOVE(gi_units_u32);
    case 8: GI_MOVE(gi_units_u64);
    default:
        for (int64_t i = 0; i < n; i++)
            for (int64_t k = 0; k < repeats; k++)
                memcpy(to + (i * repeats + k) * j->bytes, from + i * j->bytes, (size_t)j->bytes);
    }
#undef GI_MOVE
}
GI_END_FAST

/* An array (outer, n, inner) as (outer, n, repeats, inner): each of the n is written `repeats` times. */
static bool gi_repeat_into(const char *site, ga_array *to, const ga_array *a, int64_t outer, int64_t n, int64_t repeats,
                           int64_t inner)
{
    const ga_shape one_each = { 4, { outer, n, 1, inner } }, all = { 4, { outer, n, repeats, inner } };
    ga_array      *packed = gi_copy_contiguous(site, a, a->dtype);
    if (packed && a->device == GA_CPU) {
        gi_repeat_job j = { (const char *)packed->data, (char *)to->data, inner * ga_itemsize(a->dtype), repeats };
        gi_parallel_bytes(8 * (double)to->size, outer * n, 1 + 65536 / (j.bytes * repeats), gi_repeat_units, &j);
        ga_free(packed);
        return true;
    }
    ga_array *src  = packed ? (ga_reshape)(packed, one_each, site) : NULL;
    ga_array *dst  = src ? (ga_reshape)(to, all, site) : NULL;
    bool      done = dst && gi_copy_assign(site, dst, src);
    ga_free(dst);
    ga_free(src);
    ga_free(packed);
    return done;
}

/* The same of a chunked array: a view that shows each of them so often, in another shape. */
static ga_array *gi_repeat_chunked(const char *site, const ga_array *a, const gi_layout *result, int64_t outer, int64_t n,
                                   int64_t repeats, int64_t inner)
{
    const ga_shape one_each = { 4, { outer, n, 1, inner } }, all = { 4, { outer, n, repeats, inner } };
    ga_shape       as;
    memset(&as, 0, sizeof as);
    as.ndim = result->ndim;
    memcpy(as.n, result->shape, sizeof as.n);
    ga_array *each = (ga_reshape)(a, one_each, site), *often = each ? (ga_broadcast_to)(each, all, site) : NULL;
    ga_array *r = often ? (ga_reshape)(often, as, site) : NULL;
    ga_free(each);
    ga_free(often);
    return r;
}

/* ga_repeat with one number for all. */
static ga_array *gi_repeat_all(const ga_array *a, int64_t repeats, ga_axis_options o)
{
    if (repeats < 0) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "%lld repeats: give 0 or more", (long long)repeats);
    gi_layout l     = gi_layout_of(a);
    int       axis  = 0;
    int64_t   outer = 1, inner = 1;
    if (o.axis != GA_AXIS_DEFAULT) {
        axis = gi_axis(o.site, o.axis, a->ndim);
        if (axis < 0) return NULL;
    } else {
        l.ndim     = 1;
        l.shape[0] = a->size;
    }
    int64_t n = l.shape[axis];
    for (int d = 0; d < axis; d++) outer *= l.shape[d];
    for (int d = axis + 1; d < l.ndim; d++) inner *= l.shape[d];
    if (__builtin_mul_overflow(n, repeats, &l.shape[axis]))
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "%lld repeats of %lld elements are more than can be counted",
                                   (long long)repeats, (long long)n);
    if (gi_is_deferred(a)) return gi_repeat_chunked(o.site, a, &l, outer, n, repeats, inner);
    ga_array *repeated = gi_array_new(o.site, a->dtype, a->device, l.ndim, l.shape);
    if (!repeated || repeated->size == 0 || gi_repeat_into(o.site, repeated, a, outer, n, repeats, inner)) return repeated;
    ga_free(repeated);
    return NULL;
}
