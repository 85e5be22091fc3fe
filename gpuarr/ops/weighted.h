/* ---- filters with weights: along one axis after the other -------------------------------------------------------------- */
/*  float32 is computed in float32, everything else in float64. Where SciPy stores integers between the axes their fractions are cut
    off here too, but for those that are an integer but for rounding errors; what does not fit the dtype in the end saturates. */

typedef struct gi_filter {
    const char *site;
    ga_border   border;
    double      cval;
    ga_dtype    work, result; /* of the passes, of the call */
    /* a new array of dtype work or result, from one of any real dtype */
    ga_array *(*run)(const struct gi_filter *f, const ga_array *a);
    double         sigmas[GPUARR_MAX_DIMS]; /* Gaussian filters */
    int64_t        radii[GPUARR_MAX_DIMS];
    int            orders[GPUARR_MAX_DIMS];
    int            axis;   /* differences: along this axis, -1: all */
    double         middle; /* smoothed by 1, middle, 1 along the others */
    gi_correlation box;    /* means */
} gi_filter;

enum { GI_MOST_ORDER = 15 }; /* of a derivative */

static bool gi_is_whole(const gi_filter *f) { return gi_dtype_kind(f->result) < 2; }

/* The sums of n neighbours along an axis, the middle one being number n / 2; `in` is packed and of dtype work. */
static ga_array *gi_correlate_axis(const gi_filter *f, const ga_array *in, int axis, int64_t n, const double *weights)
{
    ga_from_options o = ga_from_defaults;
    ga_shape        length;
    gi_correlation  c;
    memset(&length, 0, sizeof length);
    memset(&c, 0, sizeof c);
    o.site         = f->site;
    o.dtype        = f->work;
    o.device       = in->device;
    length.ndim    = 1;
    length.n[0]    = n;
    ga_array *w    = (ga_from)(weights, GA_F64, length, o);
    ga_array *sums = w ? gi_array_new(f->site, f->work, in->device, in->ndim, in->shape) : NULL;
    bool      done = false;
    if (sums) {
        c.dtype   = f->work;
        c.ndim    = in->ndim;
        c.in      = in->data;
        c.weights = w->data;
        c.out     = sums->data;
        c.border  = f->border;
        c.cval    = f->cval;
        memcpy(c.shape, in->shape, sizeof c.shape);
        memcpy(c.result, in->shape, sizeof c.result);
        for (int d = 0; d < c.ndim; d++) c.size[d] = 1;
        c.size[axis]   = n;
        c.offset[axis] = -(n / 2);
        done           = gi_conv_direct(f->site, in->device, &c);
    }
    ga_free(w);
    if (done) return sums;
    ga_free(sums);
    return NULL;
}

/* Cuts off the fractions of integers between the axes. Passes NULL on; on error frees the array. */
static ga_array *gi_between_axes(const gi_filter *f, ga_array *a)
{
    return a && gi_is_whole(f) ? gi_cut_fractions(f->site, a) : a;
}

/* Replaces *a by its sums along an axis; NULL if that fails. */
static void gi_pass(const gi_filter *f, ga_array **a, int axis, int64_t n, const double *weights)
{
    if (!*a) return;
    ga_array *sums = gi_correlate_axis(f, *a, axis, n, weights);
    ga_free(*a);
    *a = sums;
}

/* Replaces *a by a function of itself, or of itself and b, which is freed. */
static void gi_replace(const gi_filter *f, ga_array **a, ga_op op, ga_array *b)
{
    if (!*a || (op == GA_OP_add && !b)) {
        ga_free(*a);
        ga_free(b);
        *a = NULL;
        return;
    }
    ga_map_options o = gi_map_site(f->site);
    o.out            = *a;
    ga_array *done   = op == GA_OP_add      ? (ga_add)(gi_operand_arg(*a), gi_operand_arg(b), o)
                       : op == GA_OP_square ? (ga_square)(*a, o)
                                            : (ga_sqrt)(*a, o);
    ga_free(b);
    if (!done) {
        ga_free(*a);
        *a = NULL;
    }
}

/* The weights of a Gaussian's derivative, as scipy.ndimage computes them: the normalised Gaussian times a polynomial q, which each
   derivation makes q' - q x / sigma^2. In the order for a correlation. */
static void gi_gaussian_weights(double sigma, int order, int64_t radius, double *w)
{
    double variance = gi_mul_f64(sigma, sigma), scale = -0.5 / variance, sum = 0, q[GI_MOST_ORDER + 2] = { 1 };
    for (int64_t i = -radius; i <= radius; i++) {
        w[i + radius] = gi_op_exp_f64(gi_mul_f64(scale, gi_mul_f64((double)i, (double)i)));
        sum += w[i + radius];
    }
    for (int k = 0; k < order; k++) {
        double before = 0;
        for (int i = 0; i <= order; i++) {
            double here = q[i], slope = gi_mul_f64(i + 1, q[i + 1]);
            q[i]   = slope + gi_mul_f64(before, 1 / -variance);
            before = here;
        }
    }
    for (int64_t i = -radius; i <= radius; i++) {
        double at = 0, power = 1;
        for (int k = 0; k <= order; k++) {
            at += gi_mul_f64(q[k], power);
            power = gi_mul_f64(power, -(double)i);
        }
        w[i + radius] = gi_mul_f64(at, w[i + radius] / sum);
    }
}

/* Replaces *a by it with a Gaussian, or a derivative of one, along an axis. */
static void gi_blur_axis(const gi_filter *f, ga_array **a, int axis, int order)
{
    int64_t n = 2 * f->radii[axis] + 1;
    double *w = (double *)gi_mem_alloc(f->site, (size_t)n * sizeof *w);
    if (w) {
        gi_gaussian_weights(f->sigmas[axis], order, f->radii[axis], w);
        gi_pass(f, a, axis, n, w);
        *a = gi_between_axes(f, *a);
    } else {
        ga_free(*a);
        *a = NULL;
    }
    gi_mem_release(w, (size_t)n * sizeof *w);
}

/* A new array of dtype work: a, with a Gaussian along each axis. */
static ga_array *gi_blur(const gi_filter *f, const ga_array *a, const int *orders)
{
    ga_array *r = NULL;
    for (int d = 0; d < a->ndim; d++) {
        if (f->sigmas[d] <= 1e-15) continue;
        if (!r && !(r = gi_copy_contiguous(f->site, a, f->work))) return NULL;
        gi_blur_axis(f, &r, d, orders[d]);
        if (!r) return NULL;
    }
    return r ? r : gi_copy_convert(f->site, a, f->work);
}

static ga_array *gi_filter_run_gaussian(const gi_filter *f, const ga_array *a) { return gi_blur(f, a, f->orders); }

/* The sum of derivatives along each axis (order 2), or the root of the sum of their squares (order 1). */
static ga_array *gi_filter_run_derivatives(const gi_filter *f, const ga_array *a)
{
    ga_array *sum = NULL;
    for (int d = 0; d < a->ndim; d++) {
        int orders[GPUARR_MAX_DIMS] = { 0 };
        orders[d]                   = f->orders[0];
        ga_array *r                 = gi_blur(f, a, orders);
        if (f->orders[0] == 1) gi_replace(f, &r, GA_OP_square, NULL);
        if (d == 0) sum = r;
        else gi_replace(f, &sum, GA_OP_add, r);
        if (!sum) return NULL;
    }
    if (a->ndim == 0) return gi_copy_convert(f->site, a, f->work);
    if (f->orders[0] == 1) gi_replace(f, &sum, GA_OP_sqrt, NULL);
    return sum;
}

/* Differences along an axis, smoothed along the others. */
static ga_array *gi_filter_run_edges(const gi_filter *f, const ga_array *a)
{
    const double difference[3] = { -1, 0, 1 }, smooth[3] = { 1, f->middle, 1 };
    ga_array    *r = gi_copy_contiguous(f->site, a, f->work);
    gi_pass(f, &r, f->axis, 3, difference);
    for (int d = 0; d < a->ndim; d++)
        if (d != f->axis) gi_pass(f, &r, d, 3, smooth);
    return r;
}

static ga_array *gi_filter_run_laplace(const gi_filter *f, const ga_array *a)
{
    const double second[3] = { 1, -2, 1 };
    ga_array    *in = gi_copy_contiguous(f->site, a, f->work), *sum = NULL;
    for (int d = 0; d < a->ndim && in; d++) {
        if (f->axis >= 0 && d != f->axis) continue;
        ga_array *r = gi_correlate_axis(f, in, d, 3, second);
        if (sum) gi_replace(f, &sum, GA_OP_add, r);
        else sum = r;
        if (!sum) break;
    }
    if (in && a->ndim == 0) sum = gi_copy_convert(f->site, a, f->work);
    ga_free(in);
    return sum;
}

static ga_array *gi_filter_run_means(const gi_filter *f, const ga_array *a)
{
    gi_window w;
    memset(&w, 0, sizeof w);
    w.at     = f->box;
    w.kind   = GI_WINDOW_MEAN;
    w.work   = f->work;
    w.result = f->result;
    w.cut    = gi_is_whole(f);
    bool box = false;
    for (int d = 0; d < a->ndim; d++) box = box || f->box.size[d] > 1;
    if (!box) return gi_copy_convert(f->site, a, f->result);
    w.at.dtype = a->dtype;
    if (a->device == GA_CUDA) w.at.dtype = w.result = f->work; /* converted before and after */
    ga_array *in    = gi_copy_contiguous(f->site, a, w.at.dtype),
             *means = in ? gi_array_new(f->site, w.result, a->device, a->ndim, a->shape) : NULL;
    bool done       = false;
    if (means) {
        w.at.in     = in->data;
        w.at.out    = means->data;
        w.at.border = f->border;
        w.at.cval   = f->cval;
        memcpy(w.at.shape, a->shape, sizeof w.at.shape);
        memcpy(w.at.result, a->shape, sizeof w.at.result);
        done = gi_window_run(f->site, in, &w);
    }
    ga_free(in);
    if (done) return means;
    ga_free(means);
    return NULL;
}

/* The real (0) or imaginary (1) parts of a complex array, where they lie. */
static ga_array *gi_part_of(const char *site, const ga_array *a, int part)
{
    ga_dtype real = gi_dtype_real(a->dtype);
    return gi_array_new_view(site, a, (char *)a->data + part * ga_itemsize(real), real, a->ndim, a->shape, a->strides);
}

/* A complex array: its two parts by themselves. */
static ga_array *gi_filter_parts(const gi_filter *f, const ga_array *a)
{
    ga_array *result = gi_array_new(f->site, f->work == GA_F32 ? GA_C64 : GA_C128, a->device, a->ndim, a->shape);
    for (int part = 0; part < 2 && result; part++) {
        gi_filter g  = *f;
        g.cval       = part == 0 ? f->cval : 0;
        ga_array *in = gi_part_of(f->site, a, part), *out = in ? gi_part_of(f->site, result, part) : NULL;
        ga_array *r    = out ? f->run(&g, in) : NULL;
        bool      done = r && gi_copy_assign(f->site, out, r);
        ga_free(in);
        ga_free(out);
        ga_free(r);
        if (done) continue;
        ga_free(result);
        return NULL;
    }
    return result;
}

/* Begins a call: f gets what all filters have. */
static bool gi_begin_filter(gi_filter *f, const char *site, const ga_array *a, ga_border border, double cval,
                            const ga_array *out)
{
    const ga_array *both[2] = { a, out };
    memset(f, 0, sizeof *f);
    f->site   = site;
    f->border = border;
    f->cval   = cval;
    f->axis   = -1;
    if (!gi_array_check_any(site, a, "a") || (out && !gi_array_check(site, out, ".out"))) return false;
    if (gi_common_device(site, 2, both) == GA_DEVICE_DEFAULT || !gi_conv_check_border(site, border)) return false;
    f->result = out ? out->dtype : a->dtype;
    if (!gi_dtype_same_kind(a->dtype, f->result)) {
        gi_fail(site, GA_BAD_DTYPE, "the result is %s and does not go into .out of %s", ga_dtype_name(a->dtype),
                ga_dtype_name(f->result));
        return false;
    }
    f->work = gi_dtype_kind(f->result) < 2 ? GA_F64 : ga_promote(gi_dtype_real(a->dtype), gi_dtype_real(f->result));
    return true;
}

static ga_array *gi_filter_end(const gi_filter *f, const ga_array *a, ga_array *out)
{
    if (gi_is_deferred(a)) return gi_deferred()->filter(f, a, out);
    ga_dtype  result = f->result;
    gi_filter g      = *f;
    if (gi_is_complex(a->dtype)) g.result = gi_dtype_real(result);
    else if (gi_is_complex(result)) g.result = f->work;
    return gi_copy_finish(f->site, gi_is_complex(a->dtype) ? gi_filter_parts(&g, a) : g.run(&g, a), result, out);
}

static bool gi_read_gaussian(gi_filter *f, const ga_array *a, double sigma, const ga_gaussian_options *o)
{
    const char *site = o->site;
    if (!gi_begin_filter(f, site, a, o->border, o->cval, o->out)) return false;
    if (!gi_option_fits_axes(site, "order", &o->order, a->ndim) || !gi_option_fits_axes(site, "radius", &o->radius, a->ndim))
        return false;
    if (o->sigmas && sigma != 0) {
        gi_fail(site, GA_BAD_ARGUMENT, "sigma is given twice: with .sigmas it must be 0");
        return false;
    }
    const int axis = o->axis == GA_AXIS_DEFAULT ? GA_AXIS_DEFAULT : gi_axis(site, o->axis, a->ndim);
    if (axis == -1) return false;
    const double truncate = o->truncate;
    for (int d = 0; d < a->ndim; d++) {
        double  s = axis >= 0 && d != axis ? 0 : o->sigmas ? o->sigmas[d] : sigma, reach = gi_mul_f64(truncate, s) + 0.5;
        int64_t order = gi_option_for_axis(&o->order, d), radius = o->radius.ndim > 0 ? gi_option_for_axis(&o->radius, d) : -1;
        if (!(s >= 0) || !(truncate >= 0)) {
            gi_fail(site, GA_BAD_ARGUMENT, "sigma %g and .truncate = %g: use numbers that are not negative", s, truncate);
            return false;
        }
        if (s > 1e15) {
            gi_fail(site, GA_BAD_ARGUMENT, "sigma %g is wider than any array: use 1e15 at most", s);
            return false;
        }
        if (order < 0 || order > GI_MOST_ORDER) {
            gi_fail(site, GA_BAD_ARGUMENT, ".order = %lld: use 0 to %d", (long long)order, (int)GI_MOST_ORDER);
            return false;
        }
        if (o->radius.ndim > 0 && radius < 0) {
            gi_fail(site, GA_BAD_ARGUMENT, ".radius = %lld: use 0 or more", (long long)radius);
            return false;
        }
        if (radius < 0 && reach < 0x1p40) radius = (int64_t)reach;
        if (radius < 0 || radius >= (int64_t)1 << 40) {
            gi_fail(site, GA_NO_MEMORY, "sigma %g and .truncate = %g: that many weights are more than any machine can hold", s,
                    truncate);
            return false;
        }
        f->sigmas[d] = s;
        f->orders[d] = (int)order;
        f->radii[d]  = radius;
    }
    return true;
}

ga_array *(ga_gaussian_filter)(const ga_array *a, double sigma, ga_gaussian_options o)
{
    GI_SETTLE_FLOATS;
    gi_filter f;
    if (!gi_options_gaussian(&o) || !gi_read_gaussian(&f, a, sigma, &o)) return NULL;
    f.run = gi_filter_run_gaussian;
    return gi_filter_end(&f, a, o.out);
}

static ga_array *gi_derivatives(const ga_array *a, double sigma, int order, const ga_gaussian_options *o)
{
    GI_SETTLE_FLOATS;
    gi_filter f;
    if (!gi_read_gaussian(&f, a, sigma, o)) return NULL;
    if (o->order.ndim > 0) return (ga_array *)gi_fail(o->site, GA_BAD_ARGUMENT, ".order: it is %d here", order);
    if (o->axis != GA_AXIS_DEFAULT)
        return (ga_array *)gi_fail(o->site, GA_BAD_ARGUMENT, ".axis: the derivatives are those of all axes");
    if (order == 1 && gi_is_complex(a->dtype))
        return (ga_array *)gi_fail(o->site, GA_BAD_DTYPE, "the magnitude of a gradient is one of real numbers, not %s",
                                   ga_dtype_name(a->dtype));
    f.orders[0] = order;
    f.run       = gi_filter_run_derivatives;
    return gi_filter_end(&f, a, o->out);
}

ga_array *(ga_gaussian_laplace)(const ga_array *a, double sigma, ga_gaussian_options o)
{
    return gi_options_gaussian(&o) ? gi_derivatives(a, sigma, 2, &o) : NULL;
}

ga_array *(ga_gaussian_gradient_magnitude)(const ga_array *a, double sigma, ga_gaussian_options o)
{
    return gi_options_gaussian(&o) ? gi_derivatives(a, sigma, 1, &o) : NULL;
}

static ga_array *gi_edges(const ga_array *a, double middle, const ga_edge_options *o)
{
    gi_filter f;
    if (!gi_begin_filter(&f, o->site, a, o->border, o->cval, o->out)) return NULL;
    f.axis = gi_axis(o->site, gi_axis_or(o->axis, -1), a->ndim);
    if (f.axis < 0) return NULL;
    f.middle = middle;
    f.run    = gi_filter_run_edges;
    return gi_filter_end(&f, a, o->out);
}

ga_array *(ga_sobel)(const ga_array *a, ga_edge_options o) { return gi_options_edge(&o) ? gi_edges(a, 2, &o) : NULL; }
ga_array *(ga_prewitt)(const ga_array *a, ga_edge_options o) { return gi_options_edge(&o) ? gi_edges(a, 1, &o) : NULL; }

ga_array *(ga_laplace)(const ga_array *a, ga_edge_options o)
{
    gi_filter f;
    if (!gi_options_edge(&o) || !gi_begin_filter(&f, o.site, a, o.border, o.cval, o.out)) return NULL;
    if (o.axis != GA_AXIS_DEFAULT && (f.axis = gi_axis(o.site, o.axis, a->ndim)) < 0) return NULL;
    f.run = gi_filter_run_laplace;
    return gi_filter_end(&f, a, o.out);
}

ga_array *(ga_uniform_filter)(const ga_array *a, int64_t size, ga_uniform_options o)
{
    gi_filter f;
    if (!gi_options_uniform(&o) || !gi_begin_filter(&f, o.site, a, o.border, o.cval, o.out)) return NULL;
    if (!gi_place_window(o.site, a, size, &o.sizes, NULL, &o.origin, &f.box)) return NULL;
    f.run = gi_filter_run_means;
    return gi_filter_end(&f, a, o.out);
}
