/* ---- filters along one axis, and by a function of the program ------------------------------------------------------ */

ga_array *(ga_gaussian_filter1d)(const ga_array *a, double sigma, ga_gaussian_options o)
{
    o.axis = gi_axis_or(o.axis, -1);
    return (ga_gaussian_filter)(a, sigma, o);
}

/* The window that has `size` elements along one axis and one along the others. */
static bool gi_window_along(const ga_array *a, int64_t size, const ga_convolve1d_options *o, ga_window_options *w)
{
    if (!gi_array_check_any(o->site, a, "a")) return false;
    const int axis = gi_axis(o->site, gi_axis_or(o->axis, -1), a->ndim);
    if (axis < 0) return false;
    if (o->method != GA_METHOD_AUTO) return gi_fail(o->site, GA_BAD_ARGUMENT, ".method is one of convolutions") != NULL;
    *w        = ga_window_defaults;
    w->site   = o->site;
    w->out    = o->out;
    w->border = o->border;
    w->cval   = o->cval;
    memset(&w->origin, 0, sizeof w->origin);
    w->sizes.ndim = w->origin.ndim = a->ndim;
    for (int d = 0; d < a->ndim; d++) w->sizes.n[d] = d == axis ? size : 1;
    w->origin.n[axis] = o->origin;
    return true;
}

ga_array *(ga_minimum_filter1d)(const ga_array *a, int64_t size, ga_convolve1d_options o)
{
    ga_window_options w;
    return gi_window_along(a, size, &o, &w) ? (ga_minimum_filter)(a, 0, w) : NULL;
}
ga_array *(ga_maximum_filter1d)(const ga_array *a, int64_t size, ga_convolve1d_options o)
{
    ga_window_options w;
    return gi_window_along(a, size, &o, &w) ? (ga_maximum_filter)(a, 0, w) : NULL;
}
ga_array *(ga_uniform_filter1d)(const ga_array *a, int64_t size, ga_convolve1d_options o)
{
    ga_window_options  w;
    ga_uniform_options u = ga_uniform_defaults;
    if (!gi_window_along(a, size, &o, &w)) return NULL;
    u.site   = w.site;
    u.out    = w.out;
    u.border = w.border;
    u.cval   = w.cval;
    u.sizes  = w.sizes;
    u.origin = w.origin;
    return (ga_uniform_filter)(a, 0, u);
}

/* Of each element of the result the window in `wide`, whose elements lie at these offsets in bytes. */
static void gi_generic_run(const ga_array *wide, int64_t n, const int64_t *offsets, double *values, ga_window_function function,
                           void *user, ga_array *r)
{
    int64_t at[GPUARR_MAX_DIMS];
    for (int64_t i = 0; i < r->size; i++) {
        gi_unravel(i, r->ndim, r->shape, at);
        const char *first = (const char *)wide->data + gi_offset_at(r->ndim, at, wide->strides);
        for (int64_t k = 0; k < n; k++) memcpy(&values[k], first + offsets[k], sizeof *values);
        ((double *)r->data)[i] = function(values, n, user);
    }
}

ga_array *(ga_generic_filter)(const ga_array *a, ga_window_function function, void *user, int64_t size, ga_window_options o)
{
    gi_correlation w;
    int64_t        n = 0, cells, at[GPUARR_MAX_DIMS];
    if (!gi_options_window(&o) || !gi_check_on_cpu(o.site, a, "a") ||
        (o.footprint && !gi_check_on_cpu(o.site, o.footprint, ".footprint")) ||
        (o.out && !gi_check_on_cpu(o.site, o.out, ".out")))
        return NULL;
    if (!function) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "the function is NULL");
    if (gi_is_complex(a->dtype))
        return (ga_array *)gi_fail(o.site, GA_BAD_DTYPE, "the function takes real numbers: filter the real and imaginary part");
    if (!gi_conv_check_border(o.site, o.border) || !gi_place_window(o.site, a, size, &o.sizes, o.footprint, &o.origin, &w))
        return NULL;
    gi_composition c;
    gi_compose_begin(&c, o.site);
    cells             = gi_shape_size(a->ndim, w.size);
    size_t    bytes   = (size_t)cells * (sizeof(int64_t) + sizeof(double));
    int64_t  *offsets = (int64_t *)gi_mem_alloc(o.site, bytes);
    ga_array *wide    = offsets ? gi_do_surround(&c, a, w.size, &o.origin, o.border, o.cval) : NULL;
    ga_array *kept    = wide && o.footprint ? gi_copy_contiguous(o.site, o.footprint, GA_BOOL) : NULL;
    ga_array *r       = wide && (kept || !o.footprint) ? gi_array_new(o.site, GA_F64, GA_CPU, a->ndim, a->shape) : NULL;
    for (int64_t k = 0; r && k < cells; k++) {
        if (kept && !((const uint8_t *)kept->data)[k]) continue;
        gi_unravel(k, a->ndim, w.size, at);
        offsets[n++] = gi_offset_at(a->ndim, at, wide->strides);
    }
    if (r) gi_generic_run(wide, n, offsets, (double *)(offsets + cells), function, user, r);
    if (offsets) gi_mem_release(offsets, bytes);
    return gi_compose_end(&c, gi_copy_finish(o.site, r, a->dtype, o.out));
}
