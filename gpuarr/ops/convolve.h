/* ---- calls ------------------------------------------------------------------------------------------------------------ */

static bool gi_conv_check_border(const char *site, ga_border border)
{
    if (border >= GA_BORDER_REFLECT && border <= GA_BORDER_WRAP) return true;
    gi_fail(site, GA_BAD_ARGUMENT, ".border = %d is none: use GA_BORDER_REFLECT, GA_BORDER_CONSTANT ...", (int)border);
    return false;
}

/* One number for all axes, or one for each: does the option's number fit? */
static bool gi_option_fits_axes(const char *site, const char *name, const ga_shape *s, int ndim)
{
    if (s->ndim == 0 || s->ndim == 1 || s->ndim == ndim) return true;
    gi_fail(site, GA_BAD_SHAPE, ".%s has %d numbers: give one, or one for each of the %d dimensions", name, s->ndim, ndim);
    return false;
}
static int64_t gi_option_for_axis(const ga_shape *s, int d) { return s->ndim > 1 ? s->n[d] : s->n[0]; }

GI_BEGIN_FAST
static void gi_make_whole(int64_t n, void *out, const void *in, const void *y, const void *z)
{
    gi_kernel rint_ = gi_row_kernel(gi_row_rint(), GA_F64), trunc_ = gi_row_kernel(gi_row_trunc(), GA_F64);
    double    nearest[GI_TILE], cut[GI_TILE];
    (void)y, (void)z;
    for (int64_t start = 0; start < n; start += GI_TILE) {
        const double *x = (const double *)in + start;
        double       *o = (double *)out + start;
        int64_t       m = n - start < GI_TILE ? n - start : GI_TILE;
        rint_(m, nearest, x, NULL, NULL);
        trunc_(m, cut, x, NULL, NULL);
        for (int64_t i = 0; i < m; i++) o[i] = gi_whole_of(x[i], nearest[i], cut[i]);
    }
}
GI_END_FAST

/* The same for all elements, in place. Takes over the array: on error it is freed. */
static ga_array *gi_cut_fractions(const char *site, ga_array *a)
{
    gi_function    whole                  = { gi_make_whole, gi_gpu ? gi_gpu->whole() : NULL, GI_NOT_OWN };
    const ga_arg   in[1]                  = { gi_operand_arg(a) };
    const ga_dtype wanted[GI_MOST_INPUTS] = { GA_F64, GA_F64, GA_F64, GA_F64 };
    if (gi_map(site, whole, GI_CHEAP, 1, in, wanted, GA_F64, a, NULL)) return a;
    ga_free(a);
    return NULL;
}

/* What every call comes to. */
typedef struct gi_conv_call {
    const char    *site;
    ga_array      *a, *weights;   /* handles of its own, which gi_conv_run frees; NULL: they could not be made */
    ga_dtype       dtype, result; /* what is computed in, and what is returned */
    gi_correlation c;             /* ndim, result, offset, border and cval; the rest follows from the arrays */
    ga_method      method;
    ga_array      *out;
} gi_conv_call;

/* The way that a job goes. */
typedef enum gi_conv_way { GI_CONV_FAILS, GI_CONV_DIRECT, GI_CONV_FACTORED, GI_CONV_FFT } gi_conv_way;

/* By FFTW or cuFFT, where the program was built with them. */
static bool gi_conv_fft(const char *site, const gi_correlation *c, const ga_array *in, const ga_array *weights, ga_array *out)
{
    if (in->device == GA_CUDA && gi_gpu->correlate_fft) return gi_gpu->correlate_fft(site, c);
    if (in->device == GA_CPU && GI_HAS_FFTW) return gi_conv_fft_cpu(site, c);
    return gi_conv_fft_own(site, c, in, weights, out);
}

/* Of a piece of a chunked array: as GA_METHOD_AUTO, but never through Fourier transforms, whose bits depend on all elements. */
#define GI_METHOD_PIECE ((ga_method)(GA_METHOD_FFT + 1))

/* Should the job go through Fourier transforms? Only if asked to, or where that is faster and no NaN or inf would spread. */
static bool gi_wants_fft(ga_method method, ga_device device, const gi_correlation *c)
{
    if (method == GA_METHOD_DIRECT || method == GI_METHOD_PIECE || gi_shape_size(c->ndim, c->result) == 0 ||
        gi_shape_size(c->ndim, c->size) == 1)
        return false;
    return method == GA_METHOD_FFT || (device == GA_CPU && gi_fft_pays(c) && gi_fft_is_safe(c));
}

/* Which way does a planned job go? weights: the array that the job's weights are in; f: its factors, if they are found here. */
static gi_conv_way gi_conv_choose(const char *site, ga_method method, const ga_array *weights, const gi_correlation *c,
                                  gi_factors *f)
{
    if ((method == GA_METHOD_AUTO || method == GI_METHOD_PIECE) && c->ndim == 2 && gi_is_float(c->dtype) && c->size[0] > 1 &&
        c->size[1] > 1 && weights->size >= GI_LEAST_FACTORED) {
        if (weights->device == GA_CUDA) return GI_CONV_FACTORED; /* if they have factors: the GPU looks for them */
        int found = gi_find_factors(site, weights, c->cval, f);
        if (found != 0) return found > 0 ? GI_CONV_FACTORED : GI_CONV_FAILS;
    }
    return gi_wants_fft(method, weights->device, c) ? GI_CONV_FFT : GI_CONV_DIRECT;
}

/* What was computed, as the call's result. Takes over r, unless that is .out (NULL is passed on). */
static ga_array *gi_conv_finish(const gi_conv_call *q, ga_array *r, bool rounded)
{
    if (!r || r == q->out) return r;
    if (rounded) {
        ga_map_options o = gi_map_site(q->site);
        o.out            = r;
        if ((ga_rint)(r, o)) return gi_copy_finish(q->site, r, q->result, q->out);
        ga_free(r);
        return NULL;
    }
    if (gi_dtype_kind(q->result) < 2 && r->dtype == GA_F64) r = gi_cut_fractions(q->site, r);
    return gi_copy_finish(q->site, r, q->result, q->out);
}

static ga_array *gi_conv_run(gi_conv_call *q)
{
    gi_correlation *c  = &q->c;
    ga_array       *in = NULL, *w = NULL, *r = NULL;
    const bool      made = q->a && q->weights, chunked = made && (gi_is_deferred(q->a) || gi_is_deferred(q->weights));
    const bool      rounded = q->method == GA_METHOD_FFT && gi_dtype_kind(q->dtype) < 2; /* sums of integers, by floats */
    bool            done    = false;
    if (made && !chunked) {
        const ga_array *touched[1] = { q->out };
        c->dtype                   = rounded ? GA_F64 : q->dtype;
        const bool straight = c->dtype == q->result && gi_takes_results(q->out, c->dtype, c->ndim, c->result, q->a, q->weights);
        in                  = gi_copy_contiguous(q->site, q->a, c->dtype);
        w                   = in ? gi_copy_contiguous(q->site, q->weights, c->dtype) : NULL;
        r                   = !w ? NULL : straight ? q->out : gi_array_new(q->site, c->dtype, q->a->device, c->ndim, c->result);
        if (r && straight && r->device == GA_CUDA && !gi_gpu->touch(q->site, 1, touched)) r = NULL;
    }
    if (r) {
        gi_factors f;
        memset(&f, 0, sizeof f); /* gcc does not see that the choice says whether there are any */
        c->in      = in->data;
        c->weights = w->data;
        c->out     = r->data;
        memcpy(c->shape, in->shape, sizeof c->shape);
        memcpy(c->size, w->shape, sizeof c->size);
        switch (gi_conv_choose(q->site, q->method, w, c, &f)) {
        case GI_CONV_DIRECT: done = gi_conv_direct(q->site, w->device, c); break;
        case GI_CONV_FACTORED: done = gi_conv_factored(q->site, w->device, c, &f); break;
        case GI_CONV_FFT: done = gi_conv_fft(q->site, c, in, w, r); break;
        default: break;
        }
    }
    ga_free(in);
    ga_free(w);
    if (r && !done && r != q->out) ga_free(r);
    r = chunked ? gi_deferred()->correlation(q) : gi_conv_finish(q, done ? r : NULL, rounded);
    ga_free(q->a);
    ga_free(q->weights);
    return r;
}

/* The elements in the opposite order along all axes and (or) conjugated: a new handle. */
static ga_array *gi_conv_turned(const char *site, const ga_array *a, bool turned, bool conjugate)
{
    gi_layout l = gi_layout_of(a);
    for (int d = 0; d < a->ndim && turned; d++) gi_layout_flip(&l, d);
    ga_array *r = gi_view_with(site, a, &l);
    if (!r || !conjugate || !gi_is_complex(a->dtype)) return r;
    ga_array *c = (ga_conj)(r, gi_map_site(site));
    ga_free(r);
    return c;
}

static bool gi_check_mode(const char *site, ga_mode mode, ga_method method)
{
    if (mode < GA_MODE_DEFAULT || mode > GA_VALID)
        gi_fail(site, GA_BAD_ARGUMENT, ".mode = %d is none: use GA_FULL, GA_SAME or GA_VALID", (int)mode);
    else if (method < GA_METHOD_AUTO || method > GA_METHOD_FFT)
        gi_fail(site, GA_BAD_ARGUMENT, ".method = %d is none: use GA_METHOD_AUTO, GA_METHOD_DIRECT or GA_METHOD_FFT",
                (int)method);
    else return true;
    return false;
}

/* a and v of one of the calls of signal processing: on one device, of as many dimensions, with elements. */
static bool gi_check_pair(const char *site, const ga_array *a, const ga_array *v)
{
    const ga_array *both[2] = { a, v };
    if (gi_common_device(site, 2, both) == GA_DEVICE_DEFAULT) return false;
    if (a->ndim != v->ndim)
        gi_fail(site, GA_BAD_SHAPE, "a has shape %s and v %s: they must have as many dimensions", gi_shape_of(a),
                gi_shape_of(v));
    else if (a->size == 0 || v->size == 0)
        gi_fail(site, GA_BAD_SHAPE, "%s has no elements: its shape is %s", a->size == 0 ? "a" : "v",
                gi_shape_of(a->size == 0 ? a : v));
    else return true;
    return false;
}

/* Of all places where a and v overlap, which numbers along each axis are asked for: from first on, c->result of them. */
typedef struct gi_places {
    int64_t first[GPUARR_MAX_DIMS], count[GPUARR_MAX_DIMS];
} gi_places;

/* Those where one lies inside the other. False with an error if neither is at least as large as the other along all axes. */
static bool gi_place_valid(const char *site, const ga_array *a, const ga_array *v, gi_places *p)
{
    bool a_fits = true, v_fits = true;
    for (int d = 0; d < a->ndim; d++) {
        int64_t n = a->shape[d], m = v->shape[d];
        v_fits      = v_fits && n >= m;
        a_fits      = a_fits && m >= n;
        p->first[d] = (n < m ? n : m) - 1;
        p->count[d] = (n < m ? m - n : n - m) + 1;
    }
    if (v_fits || a_fits) return true;
    gi_fail(site, GA_BAD_SHAPE, "shapes %s and %s: with GA_VALID one must be at least as large as the other along every axis",
            gi_shape_of(a), gi_shape_of(v));
    return false;
}

/* Plans the sums over the products of a and v with zeros around both. The smaller one becomes the weights. */
static void gi_conv_overlap(gi_conv_call *q, const ga_array *a, const ga_array *v, bool correlate, bool conjugate_a,
                            bool conjugate_v, const gi_places *p)
{
    const bool      exchange = v->size > a->size; /* then the larger one is read the way that the weights would be */
    const ga_array *large = exchange ? v : a, *small = exchange ? a : v;
    q->a        = gi_conv_turned(q->site, large, exchange && correlate, exchange ? conjugate_v : conjugate_a);
    q->weights  = q->a ? gi_conv_turned(q->site, small, exchange || !correlate, exchange ? conjugate_a : conjugate_v) : NULL;
    q->c.border = GA_BORDER_CONSTANT;
    for (int d = 0; d < a->ndim; d++) {
        q->c.result[d] = p->count[d];
        q->c.offset[d] = p->first[d] - (small->shape[d] - 1);
    }
}

/* A call to be planned, of arrays with so many dimensions. */
static gi_conv_call gi_conv_call_of(const char *site, int ndim, ga_dtype dtype, ga_method method, ga_array *out)
{
    gi_conv_call q;
    memset(&q, 0, sizeof q);
    q.site   = site;
    q.dtype  = dtype;
    q.result = dtype;
    q.c.ndim = ndim;
    q.method = method;
    q.out    = out;
    return q;
}

/* numpy.convolve and numpy.correlate of lines, scipy.signal's of more dimensions. */
static ga_array *gi_conv_lines(const ga_array *a, const ga_array *v, bool correlate, ga_mode mode, const ga_convolve_options *o)
{
    gi_places p;
    if (mode == GA_VALID && !gi_place_valid(o->site, a, v, &p)) return NULL;
    for (int d = 0; d < a->ndim && mode != GA_VALID; d++) {
        const int64_t n = a->shape[d], m = v->shape[d];
        const bool    exchange = a->ndim == 1 && n < m; /* NumPy's: as long as the longer one */
        p.first[d]             = mode == GA_FULL ? 0 : exchange && correlate ? n / 2 : (exchange ? n - 1 : m - 1) / 2;
        p.count[d]             = mode == GA_FULL ? n + m - 1 : exchange ? m : n;
    }
    gi_conv_call q = gi_conv_call_of(o->site, a->ndim, ga_promote(a->dtype, v->dtype), o->method, o->out);
    gi_conv_overlap(&q, a, v, correlate, false, correlate, &p);
    return gi_conv_run(&q);
}

static ga_array *gi_conv_signals(const ga_array *a, const ga_array *v, bool correlate, const ga_convolve_options *o)
{
    const char *site = o->site;
    if (!gi_array_check_any(site, a, "a") || !gi_array_check(site, v, "v")) return NULL;
    if (!gi_check_mode(site, o->mode, o->method)) return NULL;
    const ga_shape one = { 1, { 1 } }; /* a number is a line of one */
    ga_array      *x   = a->ndim == 0 ? (ga_reshape)(a, one, site) : (ga_view)(a, site);
    ga_array      *y = !x ? NULL : v->ndim == 0 ? (ga_reshape)(v, one, site) : (ga_view)(v, site), *r = NULL;
    ga_mode        mode = o->mode != GA_MODE_DEFAULT                          ? o->mode
                          : correlate && gi_array_is_given(x) && x->ndim == 1 ? GA_VALID
                                                                              : GA_FULL;
    if (y && gi_check_pair(site, x, y)) r = gi_conv_lines(x, y, correlate, mode, o);
    ga_free(x);
    ga_free(y);
    return r;
}

ga_array *(ga_convolve)(const ga_array *a, const ga_array *v, ga_convolve_options o)
{
    return gi_options_convolve(&o) ? gi_conv_signals(a, v, false, &o) : NULL;
}
ga_array *(ga_correlate)(const ga_array *a, const ga_array *v, ga_convolve_options o)
{
    return gi_options_convolve(&o) ? gi_conv_signals(a, v, true, &o) : NULL;
}

static ga_array *gi_conv_planes(const ga_array *a, const ga_array *v, bool correlate, const ga_convolve2d_options *o)
{
    const char *site = o->site;
    if (!gi_array_check_any(site, a, "a") || !gi_array_check(site, v, "v")) return NULL;
    if (!gi_check_mode(site, o->mode, o->method)) return NULL;
    if (o->boundary < GA_BOUNDARY_FILL || o->boundary > GA_BOUNDARY_SYMM)
        return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT,
                                   ".boundary = %d is none: use GA_BOUNDARY_FILL, GA_BOUNDARY_WRAP or GA_BOUNDARY_SYMM",
                                   (int)o->boundary);
    if (!gi_check_pair(site, a, v)) return NULL;
    if (a->ndim != 2)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "a has shape %s: it must have 2 dimensions; ga_convolve takes any",
                                   gi_shape_of(a));
    gi_places    p;
    gi_conv_call q = gi_conv_call_of(site, 2, ga_promote(a->dtype, v->dtype), o->method, o->out);
    if (o->mode == GA_VALID) {
        if (!gi_place_valid(site, a, v, &p)) return NULL;
        bool exchange = a->shape[0] < v->shape[0] || a->shape[1] < v->shape[1]; /* SciPy conjugates the second one then, too */
        gi_conv_overlap(&q, a, v, correlate, correlate && exchange, correlate && !exchange, &p);
        return gi_conv_run(&q);
    }
    for (int d = 0; d < 2; d++) {
        const int64_t n = a->shape[d], m = v->shape[d];
        p.first[d] = o->mode != GA_SAME ? 0 : correlate ? m / 2 : (m - 1) / 2;
        p.count[d] = o->mode == GA_SAME ? n : n + m - 1;
    }
    if (o->boundary == GA_BOUNDARY_FILL && o->fillvalue == 0) {
        gi_conv_overlap(&q, a, v, correlate, false, correlate, &p);
        return gi_conv_run(&q);
    }
    if (o->boundary == GA_BOUNDARY_FILL &&
        !gi_option_fits_dtype(site, "fillvalue", o->fillvalue, ga_promote(a->dtype, v->dtype)))
        return NULL;
    q.c.cval   = o->fillvalue;
    q.c.border = o->boundary == GA_BOUNDARY_FILL   ? GA_BORDER_CONSTANT
                 : o->boundary == GA_BOUNDARY_WRAP ? GA_BORDER_WRAP
                                                   : GA_BORDER_REFLECT;
    for (int d = 0; d < 2; d++) {
        q.c.result[d] = p.count[d];
        q.c.offset[d] = p.first[d] - (v->shape[d] - 1);
    }
    q.a       = (ga_view)(a, site);
    q.weights = gi_conv_turned(site, v, !correlate, correlate);
    return gi_conv_run(&q);
}

ga_array *(ga_convolve2d)(const ga_array *a, const ga_array *v, ga_convolve2d_options o)
{
    return gi_options_convolve2d(&o) ? gi_conv_planes(a, v, false, &o) : NULL;
}
ga_array *(ga_correlate2d)(const ga_array *a, const ga_array *v, ga_convolve2d_options o)
{
    return gi_options_convolve2d(&o) ? gi_conv_planes(a, v, true, &o) : NULL;
}

/* scipy.ndimage's: the weights have as many dimensions as a. */
static ga_array *gi_conv_image(const ga_array *a, const ga_array *weights, bool convolve, const ga_ndconvolve_options *o)
{
    const char    *site     = o->site;
    const bool     complex_ = gi_is_complex(a->dtype) || gi_is_complex(weights->dtype);
    const ga_dtype result   = complex_ ? ga_promote(a->dtype, GA_C64) : a->dtype;
    gi_conv_call   q        = gi_conv_call_of(site, a->ndim, gi_dtype_kind(result) < 2 ? GA_F64 : result, o->method, o->out);
    q.result                = result;
    q.c.border              = o->border;
    q.c.cval                = o->cval;
    memcpy(q.c.result, a->shape, sizeof q.c.result);
    for (int d = 0; d < a->ndim; d++) {
        const int64_t n = weights->shape[d], given = gi_option_for_axis(&o->origin, d);
        const int64_t turned = given == INT64_MIN ? INT64_MAX : -given; /* of the weights in the opposite order */
        const int64_t origin = convolve ? turned - (n % 2 == 0) : given;
        if (n == 0)
            return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "there are no weights: their shape is %s", gi_shape_of(weights));
        if (origin < -(n / 2) || origin > (n - 1) / 2)
            return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT, ".origin = %lld along axis %d: for %lld weights use %lld to %lld",
                                       (long long)given, d, (long long)n,
                                       (long long)(convolve ? -((n - 1) / 2) - (n % 2 == 0) : -(n / 2)),
                                       (long long)(convolve ? n / 2 - (n % 2 == 0) : (n - 1) / 2));
        q.c.offset[d] = -(n / 2) - origin;
    }
    q.a       = (ga_view)(a, site);
    q.weights = gi_conv_turned(site, weights, convolve, !convolve);
    return gi_conv_run(&q);
}

static ga_array *gi_conv_images(const ga_array *a, const ga_array *weights, bool convolve, const ga_ndconvolve_options *o)
{
    const char     *site    = o->site;
    const ga_array *both[2] = { a, weights };
    if (!gi_array_check_any(site, a, "a") || !gi_array_check(site, weights, "weights")) return NULL;
    if (!gi_conv_check_border(site, o->border) || !gi_check_mode(site, GA_MODE_DEFAULT, o->method) ||
        gi_common_device(site, 2, both) == GA_DEVICE_DEFAULT)
        return NULL;
    if (a->ndim != weights->ndim || a->ndim == 0)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE,
                                   "weights of shape %s do not fit an array of shape %s: give as many dimensions, at least one",
                                   gi_shape_of(weights), gi_shape_of(a));
    return gi_option_fits_axes(site, "origin", &o->origin, a->ndim) ? gi_conv_image(a, weights, convolve, o) : NULL;
}

ga_array *(ga_ndconvolve)(const ga_array *a, const ga_array *weights, ga_ndconvolve_options o)
{
    return gi_options_ndconvolve(&o) ? gi_conv_images(a, weights, true, &o) : NULL;
}

ga_array *(ga_ndcorrelate)(const ga_array *a, const ga_array *weights, ga_ndconvolve_options o)
{
    return gi_options_ndconvolve(&o) ? gi_conv_images(a, weights, false, &o) : NULL;
}

/* Along one axis: weights of length 1 along all others. */
static ga_array *gi_conv_axis(const ga_array *a, const ga_array *weights, bool convolve, const ga_convolve1d_options *o)
{
    const char *site = o->site;
    if (!gi_array_check_any(site, a, "a") || !gi_array_check(site, weights, "weights")) return NULL;
    int axis = gi_axis(site, gi_axis_or(o->axis, -1), a->ndim);
    if (axis < 0) return NULL;
    if (weights->ndim != 1)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "weights has shape %s: give a line of them, with one dimension",
                                   gi_shape_of(weights));
    ga_shape across, origin;
    memset(&across, 0, sizeof across);
    memset(&origin, 0, sizeof origin);
    across.ndim = origin.ndim = a->ndim;
    for (int d = 0; d < a->ndim; d++) across.n[d] = d == axis ? weights->shape[0] : 1;
    origin.n[axis]           = o->origin;
    ga_ndconvolve_options nd = ga_ndconvolve_defaults;
    nd.site                  = site;
    nd.border                = o->border;
    nd.cval                  = o->cval;
    nd.origin                = origin;
    nd.method                = o->method;
    nd.out                   = o->out;
    ga_array *w = (ga_reshape)(weights, across, site), *r = w ? gi_conv_images(a, w, convolve, &nd) : NULL;
    ga_free(w);
    return r;
}

ga_array *(ga_convolve1d)(const ga_array *a, const ga_array *weights, ga_convolve1d_options o)
{
    return gi_options_convolve1d(&o) ? gi_conv_axis(a, weights, true, &o) : NULL;
}

ga_array *(ga_correlate1d)(const ga_array *a, const ga_array *weights, ga_convolve1d_options o)
{
    return gi_options_convolve1d(&o) ? gi_conv_axis(a, weights, false, &o) : NULL;
}
