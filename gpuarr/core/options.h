/* ---- options: what every call asks of them, before anything else ---------------------------------------------------- */
/*  A public function begins with gi_options_..., which makes NULL of the arrays that were not given, and refuses numbers that are no dtype,
    lists that are longer than any array has axes, and arrays that are NULL: a call that failed has left them. Where the struct has
    an option of its own that can be wrong, the function looks at it.                                                            */

#ifndef GPUARR_STATIC
GI_EACH_OPTIONS(GI_DEFAULTS_OF)
#endif

/* Has the program called the function itself, with a struct that it has made? */
static bool gi_called_itself(const char *site) { return !site || !strchr(site, '\t'); }

/* The site of a call by the function itself is its name. */
static const char *gi_site_or(const char *site, const char *function)
{
    return (!site || !*site) && strncmp(function, "ga_", 3) == 0 ? function : site;
}

/* False with an error if the option was given as NULL. */
static bool gi_option_not_null(const char *site, const char *defaults, const char *name, const void *p)
{
    if (p) return true;
    if (gi_called_itself(site))
        gi_fail(site, GA_BAD_ARGUMENT,
                ".%s is NULL: a struct of options begins as %s, and what goes into it must not have failed", name, defaults);
    else gi_fail(site, GA_BAD_ARGUMENT, ".%s is NULL: the call that should have made it failed, or it was never made", name);
    return false;
}
#define GI_TAKE(of, o, member)                                                                                                 \
    (gi_option_not_null((o)->site, "ga_" #of "_defaults", #member, (o)->member) &&                                             \
     ((const void *)(o)->member != (const void *)GA_NO_ARRAY || ((o)->member = NULL, true)))

static bool gi_option_dtype_half(const char *site, ga_dtype dtype) /* or a half */
{
    return dtype == GA_DTYPE_DEFAULT || gi_dtype_check(site, dtype);
}
static bool gi_option_dtype(const char *site, ga_dtype dtype)
{
    if (!gi_option_dtype_half(site, dtype)) return false;
    if (!gi_is_half(dtype)) return true;
    gi_fail(site, GA_BAD_DTYPE, ".dtype = %s is for storage in this call: use GA_F32, and ga_astype", ga_dtype_name(dtype));
    return false;
}

/* Is it a list that an array can have, of `least` numbers or more? */
static bool gi_option_list(const char *site, const char *name, const ga_shape *list, int least)
{
    if (list->ndim >= least && list->ndim <= GPUARR_MAX_DIMS) return true;
    gi_fail(site, GA_BAD_SHAPE, ".%s has %d dimensions; an array has at most %d", name, list->ndim, GPUARR_MAX_DIMS);
    return false;
}
#define GI_TAKE_LIST(o, member) gi_option_list((o)->site, #member, &(o)->member, 0)

static bool gi_option_axes(const char *site, const char *defaults, int axis, const ga_shape *axes)
{
    if (axes->ndim < -1 || axes->ndim > GPUARR_MAX_DIMS)
        gi_fail(site, GA_BAD_SHAPE, ".axes names %d axes; an array has at most %d", axes->ndim, GPUARR_MAX_DIMS);
    else if (axis == GA_AXIS_DEFAULT || axes->ndim < 0) return true;
    else
        gi_fail(site, GA_BAD_ARGUMENT, ".axis = %d and .axes = %s are given: use one of them%s%s", axis,
                gi_shape_text(axes->ndim, axes->n), gi_called_itself(site) ? "; a struct of options begins as " : "",
                gi_called_itself(site) ? defaults : "");
    return false;
}
#define GI_TAKE_AXES(of, o) gi_option_axes((o)->site, "ga_" #of "_defaults", (o)->axis, &(o)->axes)

static bool gi_options_new(const ga_new_options *o)
{
    return gi_option_dtype_half(o->site, o->dtype) && GI_TAKE_LIST(o, chunks);
}
static bool gi_options_linspace(const ga_linspace_options *o)
{
    return gi_option_dtype_half(o->site, o->dtype) && GI_TAKE_LIST(o, chunks);
}
static bool gi_options_random(const ga_random_options *o)
{
    return gi_option_dtype_half(o->site, o->dtype) && GI_TAKE_LIST(o, chunks);
}
static bool gi_options_blocks(const ga_blocks_options *o)
{
    return gi_option_dtype_half(o->site, o->dtype) && GI_TAKE_LIST(o, chunks) && GI_TAKE_LIST(o, depth);
}
static bool gi_options_open(const ga_open_options *o) { return GI_TAKE_LIST(o, chunks); }
static bool gi_options_store(const ga_store_options *o) { return GI_TAKE_LIST(o, chunks); }
static bool gi_options_label(const ga_label_options *o) { return gi_option_dtype(o->site, o->dtype); }
static bool gi_options_pad(const ga_pad_options *o) { return GI_TAKE_LIST(o, after); }

static bool gi_options_to(ga_to_options *o) { return GI_TAKE(to, o, out); }
static bool gi_options_map(ga_map_options *o)
{
    return GI_TAKE(map, o, out) && GI_TAKE(map, o, where) && gi_option_dtype_half(o->site, o->dtype);
}
static bool gi_options_fold(ga_reduce_options *o)
{
    return GI_TAKE(reduce, o, out) && gi_option_not_null(o->site, "ga_reduce_defaults", "where", o->where) &&
           gi_option_dtype_half(o->site, o->dtype) && GI_TAKE_AXES(reduce, o);
}
/* The same of what is no fold of the table. */
static bool gi_options_reduce(ga_reduce_options *o)
{
    if (!gi_options_fold(o)) return false;
    if (o->where == GA_NO_ARRAY && o->initial.kind == GA_KIND_ARRAY && o->initial.array == GA_NO_ARRAY) return true;
    gi_fail(o->site, GA_BAD_ARGUMENT,
            "this call takes no .where and no .initial: sums, products, min, max, any, all, mean, var and std take .where");
    return false;
}
static bool gi_options_order(ga_order_options *o) { return GI_TAKE(order, o, out) && GI_TAKE_AXES(order, o); }
static bool gi_options_axis(ga_axis_options *o) { return GI_TAKE(axis, o, out) && gi_option_dtype_half(o->site, o->dtype); }
/* Refuse options of ga_axis_options that a function does not take. False with an error. */
static bool gi_takes_no_dtype(const char *name, const ga_axis_options *o)
{
    if (o->dtype == GA_DTYPE_DEFAULT) return true;
    gi_fail(o->site, GA_BAD_DTYPE, "%s takes no .dtype: use ga_astype", name);
    return false;
}
static bool gi_takes_only_axis(const char *name, const ga_axis_options *o)
{
    if (!gi_takes_no_dtype(name, o)) return false;
    if (!o->out) return true;
    gi_fail(o->site, GA_BAD_ARGUMENT, "%s takes no .out", name);
    return false;
}
static bool gi_options_copyto(ga_copyto_options *o) { return GI_TAKE(copyto, o, where); }
static bool gi_options_norm(ga_norm_options *o) { return GI_TAKE_AXES(norm, o); }
static bool gi_options_histogram(ga_histogram_options *o) { return GI_TAKE(histogram, o, weights); }
static bool gi_options_bincount(ga_bincount_options *o) { return GI_TAKE(bincount, o, weights); }
static bool gi_options_fft(ga_fft_options *o) { return GI_TAKE(fft, o, out); }
static bool gi_options_fftn(ga_fftn_options *o)
{
    return GI_TAKE(fftn, o, out) && gi_option_list(o->site, "s", &o->s, -1) && gi_option_list(o->site, "axes", &o->axes, -1);
}
static bool gi_options_product(ga_product_options *o) { return GI_TAKE(product, o, out); }
static bool gi_options_tensordot(ga_tensordot_options *o)
{
    return GI_TAKE(tensordot, o, out) && GI_TAKE_LIST(o, axes_a) && GI_TAKE_LIST(o, axes_b);
}
static bool gi_options_axeslast(const ga_tensorsolve_options *o) { return GI_TAKE_LIST(o, axes); }
static bool gi_options_convolve(ga_convolve_options *o) { return GI_TAKE(convolve, o, out); }
static bool gi_options_fftconvolve(ga_fftconvolve_options *o)
{
    return GI_TAKE(fftconvolve, o, out) && GI_TAKE_AXES(fftconvolve, o);
}
static bool gi_options_convolve2d(ga_convolve2d_options *o) { return GI_TAKE(convolve2d, o, out); }
static bool gi_options_ndconvolve(ga_ndconvolve_options *o) { return GI_TAKE(ndconvolve, o, out) && GI_TAKE_LIST(o, origin); }
static bool gi_options_convolve1d(ga_convolve1d_options *o) { return GI_TAKE(convolve1d, o, out); }
static bool gi_options_gaussian(ga_gaussian_options *o)
{
    return GI_TAKE(gaussian, o, out) && GI_TAKE(gaussian, o, sigmas) && GI_TAKE_LIST(o, order) && GI_TAKE_LIST(o, radius);
}
static bool gi_options_edge(ga_edge_options *o) { return GI_TAKE(edge, o, out); }
static bool gi_options_uniform(ga_uniform_options *o)
{
    return GI_TAKE(uniform, o, out) && GI_TAKE_LIST(o, sizes) && GI_TAKE_LIST(o, origin);
}
static bool gi_options_window(ga_window_options *o)
{
    return GI_TAKE(window, o, footprint) && GI_TAKE(window, o, out) && GI_TAKE_LIST(o, sizes) && GI_TAKE_LIST(o, origin);
}
static bool gi_options_binary(ga_binary_options *o)
{
    return GI_TAKE(binary, o, structure) && GI_TAKE(binary, o, mask) && GI_TAKE(binary, o, out) && GI_TAKE_LIST(o, origin);
}
static bool gi_options_hit(ga_hit_options *o)
{
    return GI_TAKE(hit, o, structure1) && GI_TAKE(hit, o, structure2) && GI_TAKE(hit, o, out) && GI_TAKE_LIST(o, origin1) &&
           GI_TAKE_LIST(o, origin2);
}
static bool gi_options_grey(ga_grey_options *o)
{
    return GI_TAKE(grey, o, footprint) && GI_TAKE(grey, o, structure) && GI_TAKE(grey, o, out) && GI_TAKE_LIST(o, sizes) &&
           GI_TAKE_LIST(o, origin);
}
static bool gi_options_spline(ga_spline_options *o) { return GI_TAKE(spline, o, out); }
static bool gi_options_interpolation(ga_interpolation_options *o)
{
    return GI_TAKE(interpolation, o, out) && GI_TAKE(interpolation, o, each);
}
static bool gi_options_affine(ga_affine_options *o)
{
    return GI_TAKE(affine, o, offset) && GI_TAKE_LIST(o, output_shape) && GI_TAKE(affine, o, out);
}
static bool gi_options_rotate(ga_rotate_options *o) { return GI_TAKE(rotate, o, out) && GI_TAKE_LIST(o, axes); }
static bool gi_options_transform(ga_transform_options *o) { return GI_TAKE(transform, o, sampling); }
static bool gi_options_lfilter(ga_lfilter_options *o) { return GI_TAKE(lfilter, o, zi); }
static bool gi_options_detrend(ga_detrend_options *o) { return GI_TAKE(detrend, o, bp); }
static bool gi_options_spectrum(ga_spectrum_options *o) { return GI_TAKE(spectrum, o, values); }
static bool gi_options_distance(ga_distance_options *o)
{
    return GI_TAKE(distance, o, V) && GI_TAKE(distance, o, VI) && GI_TAKE(distance, o, w) && GI_TAKE(distance, o, out);
}
static bool gi_options_apply(ga_apply_options *o)
{
    return GI_TAKE(apply, o, out) && GI_TAKE(apply, o, where) && GI_TAKE(apply, o, outs);
}
static bool gi_options_stencil(ga_stencil_options *o) { return GI_TAKE(stencil, o, out); }
static bool gi_options_compute(ga_compute_options *o) { return GI_TAKE(compute, o, out); }
static bool gi_options_join(const ga_join_options *o) { return gi_option_dtype_half(o->site, o->dtype); }
static bool gi_options_round(ga_round_options *o) { return GI_TAKE(round, o, out); }
static bool gi_options_cumulative(ga_cumulative_options *o)
{
    return GI_TAKE(cumulative, o, out) && gi_option_dtype_half(o->site, o->dtype);
}
static bool gi_options_trapezoid(ga_trapezoid_options *o) { return GI_TAKE(trapezoid, o, x); }
static bool gi_options_choice(ga_choice_options *o) { return GI_TAKE(choice, o, p); }
static bool gi_options_polyfit(ga_polyfit_options *o) { return GI_TAKE(polyfit, o, w); }
static bool gi_options_average(ga_average_options *o) { return GI_TAKE(average, o, weights) && GI_TAKE_AXES(average, o); }
static bool gi_options_cov(ga_cov_options *o)
{
    return GI_TAKE(cov, o, y) && GI_TAKE(cov, o, fweights) && GI_TAKE(cov, o, aweights) && gi_option_dtype(o->site, o->dtype);
}
static bool gi_options_searchsorted(ga_searchsorted_options *o) { return GI_TAKE(searchsorted, o, sorter); }
static bool gi_options_histogramdd(ga_histogramdd_options *o)
{
    return GI_TAKE(histogramdd, o, ranges) && GI_TAKE(histogramdd, o, weights);
}
static bool gi_options_trim(const ga_trim_options *o)
{
    return gi_option_not_null(o->site, "ga_trim_defaults", "trim", o->trim);
}
static bool gi_options_trace(ga_trace_options *o) { return GI_TAKE(trace, o, out) && gi_option_dtype_half(o->site, o->dtype); }

/* Each of them first names the function, where the call has no site. */
#define GI_NAMED(check, o)       ((o)->site = gi_site_or((o)->site, __func__), check(o))
#define gi_options_to(o)         GI_NAMED(gi_options_to, o)
#define gi_options_map(o)        GI_NAMED(gi_options_map, o)
#define gi_options_reduce(o)     GI_NAMED(gi_options_reduce, o)
#define gi_options_fold(o)       GI_NAMED(gi_options_fold, o)
#define gi_options_order(o)      GI_NAMED(gi_options_order, o)
#define gi_options_axis(o)       GI_NAMED(gi_options_axis, o)
#define gi_options_copyto(o)     GI_NAMED(gi_options_copyto, o)
#define gi_options_norm(o)       GI_NAMED(gi_options_norm, o)
#define gi_options_histogram(o)  GI_NAMED(gi_options_histogram, o)
#define gi_options_bincount(o)   GI_NAMED(gi_options_bincount, o)
#define gi_options_fft(o)        GI_NAMED(gi_options_fft, o)
#define gi_options_fftn(o)       GI_NAMED(gi_options_fftn, o)
#define gi_options_product(o)    GI_NAMED(gi_options_product, o)
#define gi_options_tensordot(o)  GI_NAMED(gi_options_tensordot, o)
#define gi_options_axeslast(o)   GI_NAMED(gi_options_axeslast, o)
#define gi_options_convolve(o)   GI_NAMED(gi_options_convolve, o)
#define gi_options_convolve2d(o) GI_NAMED(gi_options_convolve2d, o)
#define gi_options_ndconvolve(o) GI_NAMED(gi_options_ndconvolve, o)
#define gi_options_convolve1d(o) GI_NAMED(gi_options_convolve1d, o)
#define gi_options_gaussian(o)   GI_NAMED(gi_options_gaussian, o)
#define gi_options_edge(o)       GI_NAMED(gi_options_edge, o)
#define gi_options_uniform(o)    GI_NAMED(gi_options_uniform, o)
#define gi_options_window(o)     GI_NAMED(gi_options_window, o)
#define gi_options_distance(o)   GI_NAMED(gi_options_distance, o)
#define gi_options_apply(o)      GI_NAMED(gi_options_apply, o)
#define gi_options_stencil(o)    GI_NAMED(gi_options_stencil, o)
#define gi_options_compute(o)    GI_NAMED(gi_options_compute, o)

#define gi_options_round(o)         GI_NAMED(gi_options_round, o)
#define gi_options_cumulative(o)    GI_NAMED(gi_options_cumulative, o)
#define gi_options_trapezoid(o)     GI_NAMED(gi_options_trapezoid, o)
#define gi_options_average(o)       GI_NAMED(gi_options_average, o)
#define gi_options_cov(o)           GI_NAMED(gi_options_cov, o)
#define gi_options_searchsorted(o)  GI_NAMED(gi_options_searchsorted, o)
#define gi_options_histogramdd(o)   GI_NAMED(gi_options_histogramdd, o)
#define gi_options_trim(o)          GI_NAMED(gi_options_trim, o)
#define gi_options_trace(o)         GI_NAMED(gi_options_trace, o)
#define gi_options_binary(o)        GI_NAMED(gi_options_binary, o)
#define gi_options_hit(o)           GI_NAMED(gi_options_hit, o)
#define gi_options_transform(o)     GI_NAMED(gi_options_transform, o)
#define gi_options_spline(o)        GI_NAMED(gi_options_spline, o)
#define gi_options_interpolation(o) GI_NAMED(gi_options_interpolation, o)
#define gi_options_affine(o)        GI_NAMED(gi_options_affine, o)
#define gi_options_rotate(o)        GI_NAMED(gi_options_rotate, o)
#define gi_options_grey(o)          GI_NAMED(gi_options_grey, o)
#define gi_options_fftconvolve(o)   GI_NAMED(gi_options_fftconvolve, o)
#define gi_options_lfilter(o)       GI_NAMED(gi_options_lfilter, o)
#define gi_options_detrend(o)       GI_NAMED(gi_options_detrend, o)
#define gi_options_spectrum(o)      GI_NAMED(gi_options_spectrum, o)

static int gi_axis_or(int axis, int otherwise) { return axis != GA_AXIS_DEFAULT ? axis : otherwise; }
