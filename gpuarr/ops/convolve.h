/* ---- calls ------------------------------------------------------------------------------------------------------------ */

static bool gi_check_border(const char *site, ga_border border)
{
    if (border >= GA_BORDER_REFLECT && border <= GA_BORDER_WRAP) return true;
    gi_fail(site, GA_BAD_ARGUMENT, ".border = %d is none: use GA_BORDER_REFLECT, GA_BORDER_CONSTANT ...", (int)border);
    return false;
}

/* One number for all axes, or one for each: does the option's number fit? */
static bool gi_fits_axes(const char *site, const char *name, const ga_shape *s, int ndim)
{
    if (s->ndim <= 1 || s->ndim == ndim) return true;
    gi_fail(site, GA_BAD_SHAPE, ".%s has %d numbers: give one, or one for each of the %d dimensions", name, s->ndim, ndim);
    return false;
}
static int64_t gi_number_for(const ga_shape *s, int d) { return s->ndim > 1 ? s->n[d] : s->n[0]; }

GI_BEGIN_FAST
static void gi_make_whole(int64_t n, void *out, const void *in, const void *y, const void *z)
{
    gi_kernel rint_ = gi_row_kernel(&gi_row_rint, GA_F64), trunc_ = gi_row_kernel(&gi_row_trunc, GA_F64);
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

static bool gi_correlate_fft(const char *site, ga_device device, const gi_correlation *c)
{
    return device == GA_CUDA ? gi_gpu->correlate_fft(site, c) : gi_fft_correlate(site, c);
}

/* Of a piece of a chunked array: as GA_METHOD_AUTO, but never through Fourier transforms, whose bits depend on all elements. */
#define GI_METHOD_PIECE ((ga_method)(GA_METHOD_FFT + 1))

/* Should the job go through Fourier transforms? Only if asked to, or where that is faster and no NaN or inf would spread. */
static bool gi_wants_fft(ga_method method, ga_device device, const gi_correlation *c)
{
    if (method == GA_METHOD_DIRECT || method == GI_METHOD_PIECE || gi_size(c->ndim, c->result) == 0 ||
        gi_size(c->ndim, c->size) == 1)
        return false;
    return method == GA_METHOD_FFT || (device == GA_CPU && gi_fft_pays(c) && gi_fft_is_safe(c));
}

/* Runs a planned job by one of the methods. weights: the array that the job's weights are in. */
static bool gi_correlate_by(const char *site, ga_method method, const ga_array *weights, const gi_correlation *c)
{
    ga_array *column, *row;
    double    outside;
    int       factored = 0;
    if ((method == GA_METHOD_AUTO || method == GI_METHOD_PIECE) && c->ndim == 2 && gi_is_float(c->dtype) && c->size[0] > 1 &&
        c->size[1] > 1 && weights->size >= GI_LEAST_FACTORED) {
        if (weights->device == GA_CUDA) return gi_gpu->correlate_factored(site, c);
        factored = gi_find_factors(site, weights, c->cval, &column, &row, &outside);
    }
    if (factored < 0) return false;
    if (!factored && gi_wants_fft(method, weights->device, c)) return gi_correlate_fft(site, weights->device, c);
    if (!factored) return gi_correlate(site, weights->device, c);
    bool done = gi_correlate_twice(site, weights->device, c, column, row, outside);
    ga_free(column);
    ga_free(row);
    return done;
}

/* Can results of this dtype and shape be written to `out` at once? It must not hold what they are computed from. */
static bool gi_takes_results(const ga_array *out, ga_dtype dtype, int ndim, const int64_t *shape, const ga_array *a,
                             const ga_array *b)
{
    return out && out->alive == GI_ALIVE && !gi_is_deferred(out) && out->device == a->device && out->dtype == dtype &&
           ga_is_contiguous(out) && gi_equal_shapes(ndim, shape, out->ndim, out->shape) && !ga_may_share_memory(out, a) &&
           !ga_may_share_memory(out, b);
}

/* What all calls come to: `c` has ndim, result, offset and border; `dtype` is computed in, `result` returned. Takes over `weights`
   (NULL is passed on). */
static ga_array *gi_run_correlation(const char *site, const ga_array *a, ga_array *weights, ga_dtype dtype, ga_dtype result,
                                    gi_correlation *c, ga_method method, ga_array *out)
{
    if (weights && (gi_is_deferred(a) || gi_is_deferred(weights))) {
        ga_array *r = gi_deferred->correlation(site, a, weights, dtype, result, c, method, out);
        ga_free(weights);
        return r;
    }
    const bool rounded = method == GA_METHOD_FFT && gi_kind_of(dtype) < 2;
    if (rounded) dtype = GA_F64;
    const bool      straight = weights && dtype == result && gi_takes_results(out, dtype, c->ndim, c->result, a, weights);
    ga_array       *in = weights ? gi_contiguous(site, a, dtype) : NULL, *w = in ? gi_contiguous(site, weights, dtype) : NULL;
    ga_array       *r          = !w ? NULL : straight ? out : gi_new(site, dtype, a->device, c->ndim, c->result);
    bool            done       = false;
    const ga_array *touched[1] = { out };
    if (straight && out->device == GA_CUDA && !gi_gpu->touch(site, 1, touched)) r = NULL;
    if (r) {
        c->dtype   = dtype;
        c->in      = in->data;
        c->weights = w->data;
        c->out     = r->data;
        memcpy(c->shape, a->shape, sizeof c->shape);
        memcpy(c->size, w->shape, sizeof c->size);
        done = gi_correlate_by(site, method, w, c);
    }
    ga_free(in);
    ga_free(w);
    ga_free(weights);
    if (done && straight) return out;
    if (done && rounded) {
        ga_map_options o = gi_map_site(site);
        o.out            = r;
        done             = (ga_rint)(r, o) != NULL;
    } else if (done && gi_kind_of(result) < 2 && dtype == GA_F64) r = gi_cut_fractions(site, r);
    if (done) return gi_finish(site, r, result, out);
    if (!straight) ga_free(r);
    return NULL;
}

/* The elements in the opposite order along all axes and (or) conjugated: a new handle. */
static ga_array *gi_turn(const char *site, const ga_array *a, bool turned, bool conjugate)
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

/* The sums over the products of a and v with zeros around both. The smaller one becomes the weights. */
static ga_array *gi_overlap(const char *site, const ga_array *a, const ga_array *v, bool correlate, bool conjugate_a,
                            bool conjugate_v, const gi_places *p, ga_method method, ga_array *out)
{
    const bool      exchange = v->size > a->size; /* then the larger one is read the way that the weights would be */
    const ga_array *large = exchange ? v : a, *small = exchange ? a : v;
    const ga_dtype  dtype = ga_promote(a->dtype, v->dtype);
    ga_array       *in    = gi_turn(site, large, exchange && correlate, exchange ? conjugate_v : conjugate_a);
    ga_array       *w     = in ? gi_turn(site, small, exchange || !correlate, exchange ? conjugate_a : conjugate_v) : NULL;
    gi_correlation  c;
    memset(&c, 0, sizeof c);
    c.ndim   = a->ndim;
    c.border = GA_BORDER_CONSTANT;
    for (int d = 0; d < c.ndim; d++) {
        c.result[d] = p->count[d];
        c.offset[d] = p->first[d] - (small->shape[d] - 1);
    }
    ga_array *r = w ? gi_run_correlation(site, in, w, dtype, dtype, &c, method, out) : NULL;
    ga_free(in);
    return r;
}

/* numpy.convolve and numpy.correlate of lines, scipy.signal's of more dimensions. */
static ga_array *gi_convolve_lines(const ga_array *a, const ga_array *v, bool correlate, ga_mode mode,
                                   const ga_convolve_options *o)
{
    gi_places p;
    if (mode == GA_VALID && !gi_place_valid(o->site, a, v, &p)) return NULL;
    for (int d = 0; d < a->ndim && mode != GA_VALID; d++) {
        const int64_t n = a->shape[d], m = v->shape[d];
        const bool    exchange = a->ndim == 1 && n < m; /* NumPy's: as long as the longer one */
        p.first[d]             = mode == GA_FULL ? 0 : exchange && correlate ? n / 2 : (exchange ? n - 1 : m - 1) / 2;
        p.count[d]             = mode == GA_FULL ? n + m - 1 : exchange ? m : n;
    }
    return gi_overlap(o->site, a, v, correlate, false, correlate, &p, o->method, o->out);
}

static ga_array *gi_convolve_any(const ga_array *a, const ga_array *v, bool correlate, const ga_convolve_options *o)
{
    const char *site = o->site;
    if (!gi_check_any(site, a, "a") || !gi_check(site, v, "v") || gi_null_option(site, "out", o->out)) return NULL;
    if (!gi_check_mode(site, o->mode, o->method)) return NULL;
    const ga_shape one = { 1, { 1 } }; /* a number is a line of one */
    ga_array      *x   = a->ndim == 0 ? (ga_reshape)(a, one, site) : (ga_view)(a, site);
    ga_array      *y = !x ? NULL : v->ndim == 0 ? (ga_reshape)(v, one, site) : (ga_view)(v, site), *r = NULL;
    ga_mode        mode = o->mode != GA_MODE_DEFAULT ? o->mode : correlate && x && x->ndim == 1 ? GA_VALID : GA_FULL;
    if (y && gi_check_pair(site, x, y)) r = gi_convolve_lines(x, y, correlate, mode, o);
    ga_free(x);
    ga_free(y);
    return r;
}

ga_array *(ga_convolve)(const ga_array *a, const ga_array *v, ga_convolve_options o)
{
    return gi_convolve_any(a, v, false, &o);
}
ga_array *(ga_correlate)(const ga_array *a, const ga_array *v, ga_convolve_options o)
{
    return gi_convolve_any(a, v, true, &o);
}

static ga_array *gi_convolve_planes(const ga_array *a, const ga_array *v, bool correlate, const ga_convolve2d_options *o)
{
    const char *site = o->site;
    if (!gi_check_any(site, a, "a") || !gi_check(site, v, "v") || gi_null_option(site, "out", o->out)) return NULL;
    if (!gi_check_mode(site, o->mode, o->method)) return NULL;
    if (o->boundary < GA_BOUNDARY_FILL || o->boundary > GA_BOUNDARY_SYMM)
        return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT,
                                   ".boundary = %d is none: use GA_BOUNDARY_FILL, GA_BOUNDARY_WRAP or GA_BOUNDARY_SYMM",
                                   (int)o->boundary);
    if (!gi_check_pair(site, a, v)) return NULL;
    if (a->ndim != 2)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "a has shape %s: it must have 2 dimensions; ga_convolve takes any",
                                   gi_shape_of(a));
    gi_places p;
    if (o->mode == GA_VALID) {
        if (!gi_place_valid(site, a, v, &p)) return NULL;
        bool exchange = a->shape[0] < v->shape[0] || a->shape[1] < v->shape[1]; /* SciPy conjugates the second one then, too */
        return gi_overlap(site, a, v, correlate, correlate && exchange, correlate && !exchange, &p, o->method, o->out);
    }
    for (int d = 0; d < 2; d++) {
        const int64_t n = a->shape[d], m = v->shape[d];
        p.first[d] = o->mode != GA_SAME ? 0 : correlate ? m / 2 : (m - 1) / 2;
        p.count[d] = o->mode == GA_SAME ? n : n + m - 1;
    }
    if (o->boundary == GA_BOUNDARY_FILL && o->fillvalue == 0)
        return gi_overlap(site, a, v, correlate, false, correlate, &p, o->method, o->out);
    const ga_dtype dtype = ga_promote(a->dtype, v->dtype);
    gi_correlation c;
    memset(&c, 0, sizeof c);
    c.ndim   = 2;
    c.cval   = o->fillvalue;
    c.border = o->boundary == GA_BOUNDARY_FILL   ? GA_BORDER_CONSTANT
               : o->boundary == GA_BOUNDARY_WRAP ? GA_BORDER_WRAP
                                                 : GA_BORDER_REFLECT;
    for (int d = 0; d < 2; d++) {
        c.result[d] = p.count[d];
        c.offset[d] = p.first[d] - (v->shape[d] - 1);
    }
    return gi_run_correlation(site, a, gi_turn(site, v, !correlate, correlate), dtype, dtype, &c, o->method, o->out);
}

ga_array *(ga_convolve2d)(const ga_array *a, const ga_array *v, ga_convolve2d_options o)
{
    return gi_convolve_planes(a, v, false, &o);
}
ga_array *(ga_correlate2d)(const ga_array *a, const ga_array *v, ga_convolve2d_options o)
{
    return gi_convolve_planes(a, v, true, &o);
}

/* scipy.ndimage's: the weights have as many dimensions as a. */
static ga_array *gi_convolve_image(const ga_array *a, const ga_array *weights, bool convolve, const ga_ndconvolve_options *o)
{
    const char    *site     = o->site;
    const bool     complex_ = gi_is_complex(a->dtype) || gi_is_complex(weights->dtype);
    const ga_dtype result   = complex_ ? ga_promote(a->dtype, GA_C64) : a->dtype;
    gi_correlation c;
    memset(&c, 0, sizeof c);
    c.ndim   = a->ndim;
    c.border = o->border;
    c.cval   = o->cval;
    memcpy(c.result, a->shape, sizeof c.result);
    for (int d = 0; d < a->ndim; d++) {
        const int64_t n = weights->shape[d], given = gi_number_for(&o->origin, d);
        const int64_t origin = convolve ? -given - (n % 2 == 0) : given; /* of the weights in the opposite order */
        if (n == 0)
            return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "there are no weights: their shape is %s", gi_shape_of(weights));
        if (origin < -(n / 2) || origin > (n - 1) / 2)
            return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT, ".origin = %lld along axis %d: for %lld weights use %lld to %lld",
                                       (long long)given, d, (long long)n,
                                       (long long)(convolve ? -((n - 1) / 2) - (n % 2 == 0) : -(n / 2)),
                                       (long long)(convolve ? n / 2 - (n % 2 == 0) : (n - 1) / 2));
        c.offset[d] = -(n / 2) - origin;
    }
    return gi_run_correlation(site, a, gi_turn(site, weights, convolve, !convolve), gi_kind_of(result) < 2 ? GA_F64 : result,
                              result, &c, o->method, o->out);
}

static ga_array *gi_ndconvolve(const ga_array *a, const ga_array *weights, bool convolve, const ga_ndconvolve_options *o)
{
    const char     *site    = o->site;
    const ga_array *both[2] = { a, weights };
    if (!gi_check_any(site, a, "a") || !gi_check(site, weights, "weights") || gi_null_option(site, "out", o->out)) return NULL;
    if (!gi_check_border(site, o->border) || !gi_check_mode(site, GA_MODE_DEFAULT, o->method) ||
        gi_common_device(site, 2, both) == GA_DEVICE_DEFAULT)
        return NULL;
    if (a->ndim != weights->ndim || a->ndim == 0)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE,
                                   "weights of shape %s do not fit an array of shape %s: give as many dimensions, at least one",
                                   gi_shape_of(weights), gi_shape_of(a));
    return gi_fits_axes(site, "origin", &o->origin, a->ndim) ? gi_convolve_image(a, weights, convolve, o) : NULL;
}

ga_array *(ga_ndconvolve)(const ga_array *a, const ga_array *weights, ga_ndconvolve_options o)
{
    return gi_ndconvolve(a, weights, true, &o);
}

ga_array *(ga_ndcorrelate)(const ga_array *a, const ga_array *weights, ga_ndconvolve_options o)
{
    return gi_ndconvolve(a, weights, false, &o);
}

/* Along one axis: weights of length 1 along all others. */
static ga_array *gi_convolve_axis(const ga_array *a, const ga_array *weights, bool convolve, const ga_convolve1d_options *o)
{
    const char *site = o->site;
    if (!gi_check_any(site, a, "a") || !gi_check(site, weights, "weights") || gi_null_option(site, "out", o->out)) return NULL;
    int axis = gi_axis(site, gi_axis_given(site, o->axis) ? o->axis : -1, a->ndim);
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
    ga_ndconvolve_options nd = { site, o->border, o->cval, origin, o->method, o->out };
    ga_array             *w = (ga_reshape)(weights, across, site), *r = w ? gi_ndconvolve(a, w, convolve, &nd) : NULL;
    ga_free(w);
    return r;
}

ga_array *(ga_convolve1d)(const ga_array *a, const ga_array *weights, ga_convolve1d_options o)
{
    return gi_convolve_axis(a, weights, true, &o);
}

ga_array *(ga_correlate1d)(const ga_array *a, const ga_array *weights, ga_convolve1d_options o)
{
    return gi_convolve_axis(a, weights, false, &o);
}
