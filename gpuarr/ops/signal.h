/* ==== >>signals: filters, trends, transforms along a line ================================================================== */

/* The float dtype that holds both. */
static ga_dtype gi_signal_dtype(ga_dtype a, ga_dtype b) { return gi_reduce_end_dtype(GI_ENDS_AVERAGE, ga_promote(a, b)); }

static ga_array *gi_do_fft(const gi_composition *c, ga_array *(*transform)(const ga_array *, ga_fft_options), const ga_array *a,
                           int64_t n, int axis)
{
    ga_fft_options o = ga_fft_defaults;
    o.site           = c->site;
    o.n              = n;
    o.axis           = axis;
    return a ? transform(a, o) : NULL;
}

/* How often a frequency of ga_rfft stands for two of the n ones of ga_fft: 1, 2 ... 2, and 1 if n is even; along the last axis, in a dtype
   that changes no other. */
static ga_array *gi_do_both_sides(const gi_composition *c, int64_t n, const ga_array *like)
{
    ga_array *k = gi_do_count(c, 0, n / 2 + 1, like->device), *end = GI_DO_2(c, remainder, GI_DO_2(c, multiply, k, 2), n);
    return end ? (ga_astype)(GI_DO_WHERE(c, end, 2, 1), gi_dtype_real(like->dtype), c->site) : NULL;
}

/* ---- fftconvolve ------------------------------------------------------------------------------------------------------------ */

/* How many elements of a convolution along an axis need nothing beyond the edges. One array must be the longer one along all axes: false
   with an error. */
static bool gi_convolved_valid(const char *site, int64_t n, int64_t m, int *longer, int64_t *length)
{
    *length = n > m ? n - m + 1 : m - n + 1;
    if (n != m && *longer != 0 && (*longer > 0) != (n > m))
        return gi_fail(site, GA_BAD_SHAPE, "GA_VALID: one of both must be at least as long as the other along each axis") !=
               NULL;
    if (n != m) *longer = n > m ? 1 : -1;
    return true;
}

static ga_array *gi_do_fftconvolve(const gi_composition *c, const ga_array *a, const ga_array *v, ga_mode mode,
                                   const bool *along)
{
    ga_fftn_options f      = ga_fftn_defaults;
    int             longer = 0;
    int64_t         full[GPUARR_MAX_DIMS], length[GPUARR_MAX_DIMS];
    f.site   = c->site;
    f.s.ndim = f.axes.ndim = 0;
    for (int d = 0; d < a->ndim; d++) {
        const int64_t n = a->shape[d], m = v->shape[d];
        const bool    same = !along[d] || n == 1 || m == 1; /* the lengths broadcast */
        if (same && n != m && n != 1 && m != 1)
            return (ga_array *)gi_fail(c->site, GA_BAD_SHAPE,
                                       "along axis %d, which is none of .axes, a has the length %lld, v %lld", d, (long long)n,
                                       (long long)m);
        full[d] = !same ? n + m - 1 : n > m ? n : m;
        if (mode == GA_SAME) length[d] = n;
        else if (mode != GA_VALID || same) length[d] = full[d];
        else if (!gi_convolved_valid(c->site, n, m, &longer, &length[d])) return NULL;
        if (same) continue;
        f.axes.n[f.axes.ndim++] = d;
        f.s.n[f.s.ndim++]       = gi_fast_length(full[d]);
    }
    ga_array *r = f.axes.ndim > 0 ? gi_do_fft_product(c, a, v, false, f) : GI_DO_2(c, multiply, a, v);
    for (int d = 0; d < a->ndim; d++) r = gi_do_part(c, r, d, (full[d] - length[d]) / 2, length[d]);
    return r ? (ga_copy)(r, c->site) : NULL;
}

ga_array *(ga_fftconvolve)(const ga_array *a, const ga_array *v, ga_fftconvolve_options o)
{
    const ga_array *both[2] = { a, v };
    bool            along[GPUARR_MAX_DIMS];
    if (!gi_options_fftconvolve(&o) || !gi_array_check(o.site, a, "a") || !gi_array_check(o.site, v, "v") ||
        gi_common_device(o.site, 2, both) == GA_DEVICE_DEFAULT)
        return NULL;
    if (o.mode < GA_MODE_DEFAULT || o.mode > GA_VALID)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "the mode is GA_FULL, GA_SAME or GA_VALID");
    if (a->ndim != v->ndim) return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "a has %d dimensions, v %d", a->ndim, v->ndim);
    if (a->size == 0 || v->size == 0) return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "an empty array has no convolution");
    if (o.axes.ndim == 0) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, ".axes names no axis: leave it out for all");
    if (gi_lines_mark_axes(o.site, a->ndim, o.axis, &o.axes, along) < 0) return NULL;
    gi_composition c;
    gi_compose_begin(&c, o.site);
    ga_array *r = gi_do_fftconvolve(&c, a, v, o.mode, along);
    return gi_compose_end(&c, r ? gi_copy_finish(o.site, r, r->dtype, o.out) : NULL);
}

/* ---- recursive filters ------------------------------------------------------------------------------------------------------- */

/* b[0] x[i] + b[1] x[i - 1] ... - a[1] y[i - 1] ..., as delays that are filled from behind (direct form II, transposed). The first elements of
   a line are the delays. */
typedef struct gi_recursion {
    int64_t       delays; /* there is one more of a and of b, of a only if it feeds back */
    const double *b, *a;
    bool          back;
    int64_t       sections; /* or so many rows of b and a, each of three, that follow one another, with two delays each */
} gi_recursion;

enum { GI_FEW_DELAYS = 8, GI_FEW_SECTIONS = 4, GI_FORWARD_DELAYS = 2048 };

GI_BEGIN_FAST
static inline void gi_recursion_run(const gi_recursion *r, bool back, int64_t n, int64_t width, double *z, double *x)
{
    const int64_t delays = r->delays;
    for (double *end = x + n * width; x < end; x += width) {
        double in[GI_SWEEP_LINES], out[GI_SWEEP_LINES];
        for (int64_t k = 0; k < width; k++) {
            in[k]  = x[k];
            out[k] = gi_mul_f64(r->b[0], in[k]) + (delays > 0 ? z[k] : 0);
            x[k]   = out[k];
        }
        for (int64_t j = 1; j <= delays; j++)
            for (int64_t k = 0; k < width; k++) {
                double sum             = (j < delays ? z[j * width + k] : 0) + gi_mul_f64(r->b[j], in[k]);
                z[(j - 1) * width + k] = back ? sum - gi_mul_f64(r->a[j], out[k]) : sum;
            }
    }
}

/* The same for one line and a few delays, a constant, that stay in registers. */
static GI_INLINE void gi_recursion_few(const gi_recursion *r, const int delays, int64_t n, double *begin, double *x)
{
    double a[GI_FEW_DELAYS + 1], b[GI_FEW_DELAYS + 1], z[GI_FEW_DELAYS + 1] = { 0 };
    GI_UNROLL
    for (int j = 0; j <= delays; j++) {
        a[j] = r->a[j];
        b[j] = r->b[j];
        z[j] = j < delays ? begin[j] : 0;
    }
    for (int64_t i = 0; i < n; i++) {
        const double in = x[i], out = gi_mul_f64(b[0], in) + z[0];
        x[i] = out;
        GI_UNROLL
        for (int j = 1; j <= delays; j++) z[j - 1] = z[j] + gi_mul_f64(b[j], in) - gi_mul_f64(a[j], out);
    }
    GI_UNROLL
    for (int j = 0; j < delays; j++) begin[j] = z[j];
}

static void gi_recursion_line(const gi_recursion *r, int64_t n, double *z, double *x)
{
    switch (r->delays) {
    case 1: gi_recursion_few(r, 1, n, z, x); break;
    case 2: gi_recursion_few(r, 2, n, z, x); break;
    case 3: gi_recursion_few(r, 3, n, z, x); break;
    case 4: gi_recursion_few(r, 4, n, z, x); break;
    case 5: gi_recursion_few(r, 5, n, z, x); break;
    case 6: gi_recursion_few(r, 6, n, z, x); break;
    case 7: gi_recursion_few(r, 7, n, z, x); break;
    case 8: gi_recursion_few(r, 8, n, z, x); break;
    default: gi_recursion_run(r, true, n, 1, z, x);
    }
}

typedef double gi_two_f64 __attribute__((vector_size(16)));

/* What does not feed back: each result is a sum from the oldest element on, and stands alone. z: the delays of all lines;
   x: their elements; n: both, of one line. */
static void gi_recursion_forward(const gi_recursion *r, int64_t n, int64_t width, double *z, double *x)
{
    enum { TOGETHER = 16 };
    const int64_t delays = r->delays, begin = delays * width, all = (n - delays) * width;
    int64_t       i = all - 1;
    GI_ARENA(double, after, GI_FORWARD_DELAYS);
    for (int64_t e = 0; e < begin; e++) { /* the delays behind the end */
        const int64_t j = e / width, most = delays - j, count = n - delays, terms = most < count ? most : count;
        double        sum = terms < most ? z[e + all] : 0;
        for (int64_t t = terms; t > 0; t--) sum = sum + gi_mul_f64(r->b[j + t], x[all - t * width + e % width]);
        after[e] = sum;
    }
    for (; i - TOGETHER + 1 >= begin; i -= TOGETHER) { /* from behind, for they are written over */
        gi_two_f64    sum[TOGETHER / 2] = { { 0 } };
        const double *from              = x + i - TOGETHER + 1;
        for (int64_t j = delays; j >= 0; j--) {
            const double *before = from - j * width, by = r->b[j];
            gi_two_f64    two;
            GI_UNROLL
            for (int k = 0; k < TOGETHER / 2; k++) {
                memcpy(&two, before + 2 * k, sizeof two);
                sum[k] += two * by;
            }
        }
        memcpy(x + i - TOGETHER + 1, sum, sizeof sum);
    }
    for (; i >= 0; i--) {
        const int64_t terms = i < begin ? i / width : delays;
        double        sum   = i < begin ? z[i] : 0;
        for (int64_t j = terms; j >= 0; j--) sum = sum + gi_mul_f64(r->b[j], x[i - j * width]);
        x[i] = sum;
    }
    memcpy(z, after, (size_t)begin * sizeof *z);
}

/* Sections, a constant number, one after the other for each element, so that none waits for itself. Each has two delays. */
static GI_INLINE void gi_sections_few(const double *rows, const int sections, int64_t n, double *delays, double *x)
{
    double z[GI_FEW_SECTIONS][2];
    GI_UNROLL
    for (int k = 0; k < 2 * sections; k++) z[k / 2][k % 2] = delays[k];
    for (int64_t i = 0; i < n; i++) {
        double in = x[i];
        GI_UNROLL
        for (int k = 0; k < sections; k++) {
            const double *b = rows + 6 * k, *a = b + 3, out = gi_mul_f64(b[0], in) + z[k][0];
            z[k][0] = z[k][1] + gi_mul_f64(b[1], in) - gi_mul_f64(a[1], out);
            z[k][1] = 0 + gi_mul_f64(b[2], in) - gi_mul_f64(a[2], out);
            in      = out;
        }
        x[i] = in;
    }
    GI_UNROLL
    for (int k = 0; k < 2 * sections; k++) delays[k] = z[k / 2][k % 2];
}

static void gi_sections_line(const double *rows, int64_t sections, int64_t n, double *delays, double *x)
{
    for (; sections >= GI_FEW_SECTIONS; sections -= GI_FEW_SECTIONS, rows += 6 * GI_FEW_SECTIONS, delays += 2 * GI_FEW_SECTIONS)
        gi_sections_few(rows, GI_FEW_SECTIONS, n, delays, x);
    if (sections == 3) gi_sections_few(rows, 3, n, delays, x);
    if (sections == 2) gi_sections_few(rows, 2, n, delays, x);
    if (sections == 1) gi_sections_few(rows, 1, n, delays, x);
}

/* The same for a few lines side by side. */
static GI_INLINE void gi_sections_run(const double *rows, int64_t sections, int64_t n, const int64_t width, double *delays,
                                      double *x)
{
    for (double *end = x + n * width; x < end; x += width)
        for (int64_t s = 0; s < sections; s++) {
            const double *b = rows + 6 * s, *a = b + 3;
            double       *z = delays + 2 * s * width;
            for (int64_t k = 0; k < width; k++) {
                const double in = x[k], out = gi_mul_f64(b[0], in) + z[k];
                z[k]         = z[k + width] + gi_mul_f64(b[1], in) - gi_mul_f64(a[1], out);
                z[k + width] = 0 + gi_mul_f64(b[2], in) - gi_mul_f64(a[2], out);
                x[k]         = out;
            }
        }
}

static void gi_recursion_lines(const gi_sweep *s, int64_t width, double *x, int64_t *source, void *spare)
{
    const gi_recursion *r        = (const gi_recursion *)s->user;
    double             *elements = x + r->delays * width;
    const int64_t       n        = s->n - r->delays;
    (void)source, (void)spare;
    if (r->sections > 0 && width == 1) gi_sections_line(r->b, r->sections, n, x, elements);
    else if (r->sections > 0 && width == GI_SWEEP_LINES) gi_sections_run(r->b, r->sections, n, GI_SWEEP_LINES, x, elements);
    else if (r->sections > 0) gi_sections_run(r->b, r->sections, n, width, x, elements);
    else if (!r->back && r->delays * width <= GI_FORWARD_DELAYS) gi_recursion_forward(r, s->n, width, x, elements);
    else if (width == GI_SWEEP_LINES && r->back) gi_recursion_run(r, true, n, GI_SWEEP_LINES, x, elements);
    else if (width == 1 && r->back) gi_recursion_line(r, n, x, elements);
    else gi_recursion_run(r, r->back, n, width, x, elements);
}
GI_END_FAST

/* x, float64 or complex128, filtered, perhaps where it lies; z: the delays at the beginning, or NULL; in *zf those at the end. */
static ga_array *gi_do_recursion(const gi_composition *c, const gi_recursion *r, ga_array *x, const ga_array *z, int axis,
                                 ga_array **zf)
{
    ga_shape states;
    gi_sweep s;
    memset(&states, 0, sizeof states);
    memset(&s, 0, sizeof s);
    states.ndim = x->ndim;
    memcpy(states.n, x->shape, sizeof states.n);
    states.n[axis] = r->delays;
    bool fits      = !z || z->ndim == x->ndim;
    for (int d = 0; z && fits && d < z->ndim; d++) fits = z->shape[d] == states.n[d] || (d != axis && z->shape[d] == 1);
    if (!fits)
        return (ga_array *)gi_fail(c->site, GA_BAD_SHAPE, ".zi has shape %s: use %s", gi_shape_of(z),
                                   gi_shape_text(states.ndim, states.n));
    ga_array *begin = z ? (ga_broadcast_to)(z, states, c->site) : (ga_zeros)(states, gi_new_on(c->site, x->dtype, x->device));
    if ((r->back || r->delays <= GI_FORWARD_DELAYS) && x->dtype == GA_F64 && x->size > 0 &&
        x->size == x->shape[axis]) { /* one line, which needs no copy */
        GI_SETTLE_FLOATS;
        *zf = begin && z ? (ga_astype)(begin, GA_F64, c->site) : begin;
        if (!*zf) return NULL;
        double *delays = (double *)(*zf)->data, *elements = (double *)x->data;
        if (r->sections > 0) gi_sections_line(r->b, r->sections, x->size, delays, elements);
        else if (!r->back) gi_recursion_forward(r, r->delays + x->size, 1, delays, elements);
        else gi_recursion_line(r, x->size, delays, elements);
        return x;
    }
    ga_array *all = begin ? gi_do_join(c, begin, x, axis) : NULL, *wide = all ? (ga_astype)(all, x->dtype, c->site) : NULL;
    ga_array *line = wide ? (ga_ravel)(wide, c->site) : NULL;
    s.a            = line && gi_is_complex(x->dtype) ? (ga_view_as)(line, GA_F64, c->site) : line;
    if (!s.a) return NULL;
    const int64_t n = wide->shape[axis], outer = gi_shape_size(axis, wide->shape),
                  three[3] = { outer, n, n * outer > 0 ? s.a->size / (n * outer) : 0 };
    s.a                    = gi_do_reshape(c, s.a, 3, three);
    s.run                  = gi_recursion_lines;
    s.user                 = r;
    if (!s.a || !gi_sweep_axis(c->site, &s, 1)) return NULL;
    *zf = gi_do_part(c, wide, axis, 0, r->delays);
    return *zf ? gi_do_part(c, wide, axis, r->delays, x->shape[axis]) : NULL;
}

/* A row of coefficients as float64. */
static ga_array *gi_do_coefficients(const gi_composition *c, const ga_array *a, const char *name, int ndim)
{
    if (gi_is_complex(a->dtype))
        return (ga_array *)gi_fail(c->site, GA_BAD_DTYPE, "%s is %s: use real coefficients", name, ga_dtype_name(a->dtype));
    ga_array *r = a->ndim == 0 ? (ga_atleast_1d)(a, c->site) : (ga_view)(a, c->site);
    if (r && (r->ndim != ndim || r->size == 0))
        return (ga_array *)gi_fail(c->site, GA_BAD_SHAPE, "%s has shape %s: use %s", name, gi_shape_of(a),
                                   ndim == 1 ? "a row of at least one coefficient" : "(n, 6), n at least 1");
    return r ? gi_copy_convert(c->site, r, GA_F64) : NULL;
}

/* n coefficients, divided by a number. */
static ga_array *gi_do_padded(const gi_composition *c, const ga_array *line, int64_t n, double by)
{
    const int64_t more  = n - line->size;
    ga_array     *zeros = (ga_zeros_n)(1, &more, gi_new_on(c->site, GA_F64, GA_CPU)),
             *all       = zeros ? gi_do_join(c, line, zeros, 0) : NULL;
    return all ? GI_DO_2(c, divide, all, by) : NULL;
}

/* What both calls check: the axis, or -1 with an error. */
static int gi_lfilter_check(const ga_array *x, ga_lfilter_options *o)
{
    if (o->zf) *o->zf = NULL;
    if (!gi_options_lfilter(o) || !gi_check_on_cpu(o->site, x, "x") || (o->zi && !gi_check_on_cpu(o->site, o->zi, ".zi")))
        return -1;
    return gi_axis(o->site, gi_axis_or(o->axis, -1), x->ndim);
}

/* The dtypes of the result and of the recursion. */
static ga_dtype gi_lfilter_dtype(const ga_array *b, const ga_array *x, const ga_array *zi, ga_dtype *work)
{
    const ga_dtype dtype = gi_signal_dtype(ga_promote(b->dtype, x->dtype), zi ? zi->dtype : x->dtype);
    *work                = gi_is_complex(dtype) ? GA_C128 : GA_F64;
    return dtype;
}

static ga_array *gi_lfilter_end(gi_composition *c, ga_array *y, ga_array *zf, ga_dtype dtype, const ga_lfilter_options *o)
{
    /* y is ours, and most of its memory that which it needs. */
    const bool ready = y && y->dtype == dtype && ga_is_contiguous(y) && (uintptr_t)y->data % GI_ALIGN == 0 &&
                       2 * y->size * ga_itemsize(dtype) >= (int64_t)y->owner->bytes;
    ga_array        *r = NULL, *results[2] = { ready ? y : y && zf ? (ga_astype)(y, dtype, c->site) : NULL, NULL };
    ga_array **const outs[2] = { &r, o->zf };
    results[1]               = results[0] && o->zf ? (ga_astype)(zf, dtype, c->site) : results[0];
    return gi_compose_end_all(c, 2, results, outs) ? r : NULL;
}

ga_array *(ga_lfilter)(const ga_array *b, const ga_array *a, const ga_array *x, ga_lfilter_options o)
{
    const int axis = gi_lfilter_check(x, &o);
    if (axis < 0 || !gi_check_on_cpu(o.site, b, "b") || !gi_check_on_cpu(o.site, a, "a")) return NULL;
    gi_composition c;
    ga_dtype       work;
    gi_compose_begin(&c, o.site);
    ga_array *forward = gi_do_coefficients(&c, b, "b", 1), *back = forward ? gi_do_coefficients(&c, a, "a", 1) : NULL,
             *zf = NULL, *y = NULL;
    ga_dtype dtype = back ? gi_lfilter_dtype(b, x, o.zi, &work) : GA_F64;
    if (back) {
        const int64_t n     = forward->size > back->size ? forward->size : back->size;
        const double  first = ((const double *)back->data)[0];
        if (first == 0) gi_fail(o.site, GA_BAD_ARGUMENT, "a[0] is 0");
        ga_array *p = gi_do_padded(&c, forward, n, first), *q = p ? gi_do_padded(&c, back, n, first) : NULL;
        ga_array *wide = q && first != 0 ? (ga_astype)(x, work, o.site) : NULL;
        if (wide) {
            const gi_recursion r = { n - 1, (const double *)p->data, (const double *)q->data, back->size > 1, 0 };
            y                    = gi_do_recursion(&c, &r, wide, o.zi, axis, &zf);
        }
        dtype = gi_signal_dtype(dtype, a->dtype);
    }
    return gi_lfilter_end(&c, y, zf, dtype, &o);
}

ga_array *(ga_sosfilt)(const ga_array *sos, const ga_array *x, ga_lfilter_options o)
{
    const int axis = gi_lfilter_check(x, &o);
    if (axis < 0 || !gi_check_on_cpu(o.site, sos, "sos")) return NULL;
    gi_composition c;
    ga_dtype       work, dtype = gi_lfilter_dtype(sos, x, o.zi, &work);
    gi_compose_begin(&c, o.site);
    ga_array     *rows = gi_do_coefficients(&c, sos, "sos", 2), *y = rows ? (ga_astype)(x, work, o.site) : NULL, *states = NULL;
    const double *row                        = rows ? (const double *)rows->data : NULL;
    int64_t       shape[GPUARR_MAX_DIMS + 1] = { rows ? rows->shape[0] : 0 };
    for (int d = 0; d < x->ndim; d++) shape[d + 1] = d == axis ? 2 : x->shape[d];
    if (rows && rows->shape[1] != 6)
        y = (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "sos has shape %s: use (n, 6)", gi_shape_of(sos));
    if (y && o.zi && !gi_shape_equal(o.zi->ndim, o.zi->shape, x->ndim + 1, shape))
        y = (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, ".zi has shape %s: use %s", gi_shape_of(o.zi),
                                gi_shape_text(x->ndim + 1, shape));
    if (y && (o.zi || o.zf)) {
        states = o.zi ? (ga_astype)(o.zi, work, o.site) : (ga_zeros_n)(x->ndim + 1, shape, gi_new_on(o.site, work, GA_CPU));
        if (!states) y = NULL;
    }
    bool at_once = y && !states && rows->shape[0] > 1;
    for (int64_t k = 0; at_once && k < rows->shape[0]; k++) at_once = row[6 * k + 3] == 1;
    if (at_once) {
        const gi_recursion r  = { 2 * rows->shape[0], row, row, true, rows->shape[0] };
        ga_array          *zf = NULL;
        y                     = gi_do_recursion(&c, &r, y, NULL, axis, &zf);
    }
    for (int64_t k = 0; y && !at_once && k < rows->shape[0]; k++, row += 6) {
        const gi_recursion r = { 2, row, row + 3, true, 0 };
        ga_array *z = states ? gi_do_reshape(&c, gi_do_part(&c, states, 0, k, 1), x->ndim, shape + 1) : NULL, *zf = NULL;
        if (row[3] != 1) gi_fail(o.site, GA_BAD_ARGUMENT, "sos[%lld, 3] is %g: it must be 1", (long long)k, row[3]);
        y = row[3] == 1 && (z || !states) ? gi_do_recursion(&c, &r, y, z, axis, &zf) : NULL;
        if (y && states && !gi_copy_assign(o.site, z, zf)) y = NULL;
    }
    return gi_lfilter_end(&c, y, states ? states : y, dtype, &o);
}

/* ---- medfilt, hilbert, resample ------------------------------------------------------------------------------------------------ */

ga_array *(ga_medfilt)(const ga_array *a, ga_shape kernel_size, const char *site)
{
    ga_window_options w = ga_window_defaults;
    if (!gi_array_check_any(site, a, "a") || !gi_option_fits_axes(site, "kernel_size", &kernel_size, a->ndim > 0 ? a->ndim : 1))
        return NULL;
    gi_composition c;
    gi_compose_begin(&c, site);
    ga_array *line = (ga_atleast_1d)(a, site);
    w.site         = site;
    w.border       = GA_BORDER_CONSTANT;
    w.sizes.ndim   = line ? line->ndim : 0;
    for (int d = 0; line && d < line->ndim; d++) {
        w.sizes.n[d] = kernel_size.ndim == 0 ? 3 : gi_option_for_axis(&kernel_size, d);
        if (w.sizes.n[d] % 2 == 1) continue;
        line =
            (ga_array *)gi_fail(site, GA_BAD_ARGUMENT, "a kernel of %lld elements: use odd numbers", (long long)w.sizes.n[d]);
    }
    return gi_compose_end(&c, line ? (ga_median_filter)(line, 0, w) : NULL);
}

ga_array *(ga_hilbert)(const ga_array *x, ga_fft_options o)
{
    if (!gi_options_fft(&o) || !gi_array_check(o.site, x, "x")) return NULL;
    if (o.norm != GA_NORM_BACKWARD) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "ga_hilbert has no .norm");
    const int axis = gi_axis(o.site, o.axis, x->ndim);
    if (axis < 0) return NULL;
    const int64_t  n = o.n == GA_LENGTH_DEFAULT ? x->shape[axis] : o.n;
    gi_composition c;
    gi_compose_begin(&c, o.site);
    ga_array *waves = gi_do_fft(&c, (ga_rfft), x, n, axis), *sides = waves ? gi_do_both_sides(&c, n, waves) : NULL;
    ga_array *line = sides ? gi_do_turn(&c, sides, axis, x->ndim) : NULL,
             *half = line ? GI_DO_2(&c, multiply, waves, line) : NULL;
    ga_array *r    = gi_do_fft(&c, (ga_ifft), half, n, axis);
    return gi_compose_end(&c, r ? gi_copy_finish(o.site, r, r->dtype, o.out) : NULL);
}

static ga_array *gi_do_resample(const gi_composition *c, const ga_array *x, int64_t num, int axis)
{
    if (!x) return NULL;
    const int64_t n = x->shape[axis], m = num < n ? num : n, kept = m / 2 + 1;
    ga_array     *waves = gi_do_part(c, gi_do_fft(c, (ga_rfft), x, n, axis), axis, 0, kept);
    if (waves && m % 2 == 0 && num != n) { /* the last one stands for two, or becomes two */
        ga_array *last = GI_DO_2(c, multiply, gi_do_part(c, waves, axis, kept - 1, 1), num < n ? 2.0 : 0.5);
        ga_array *rest = gi_do_part(c, waves, axis, 0, kept - 1);
        waves          = last && rest ? gi_do_join(c, rest, last, axis) : NULL;
    }
    ga_array *scaled = waves ? GI_DO_2(c, multiply, waves, (double)num / (double)n) : NULL;
    return gi_do_fft(c, (ga_irfft), scaled, num, axis);
}

ga_array *(ga_resample)(const ga_array *x, int64_t num, ga_axis_options o)
{
    GI_SETTLE_FLOATS;
    if (!gi_options_axis(&o) || !gi_array_check(o.site, x, "x")) return NULL;
    const int axis = gi_axis(o.site, gi_axis_or(o.axis, 0), x->ndim);
    if (axis < 0) return NULL;
    if (num < 1 || x->shape[axis] < 1)
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "from %lld to %lld elements: use 1 or more", (long long)x->shape[axis],
                                   (long long)num);
    gi_composition c;
    ga_arg         unit = GA_ARG(1);
    unit.kind           = GA_KIND_COMPLEX;
    unit.im             = 1;
    unit.single         = true;
    gi_compose_begin(&c, o.site);
    ga_array *real = gi_is_complex(x->dtype) ? GI_DO_1(&c, real, x) : (ga_view)(x, o.site), *r = NULL;
    r = real ? gi_do_resample(&c, real, num, axis) : NULL;
    if (r && gi_is_complex(x->dtype)) {
        ga_array *im = gi_do_resample(&c, GI_DO_1(&c, imag, x), num, axis);
        r            = im ? GI_DO_2(&c, add, r, gi_do_2(&c, (ga_multiply), gi_operand_arg(im), unit)) : NULL;
    }
    return gi_compose_end(&c, r ? gi_copy_finish(o.site, r, o.dtype == GA_DTYPE_DEFAULT ? r->dtype : o.dtype, o.out) : NULL);
}

/* ---- detrend -------------------------------------------------------------------------------------------------------------------- */

/* x, of floats, without the mean or the line that is nearest to it along an axis. */
static ga_array *gi_do_detrend(const gi_composition *c, const ga_array *x, int axis, ga_trend trend)
{
    if (trend == GA_TREND_NONE || x->shape[axis] == 0) return (ga_view)(x, c->site);
    ga_array    *mean = gi_do_fold(c, (ga_mean), x, axis, true), *away = mean ? GI_DO_2(c, subtract, x, mean) : NULL;
    const double n = (double)x->shape[axis];
    if (!away || trend == GA_TREND_CONSTANT || n < 2) return away;
    ga_array *count  = gi_do_count(c, 0, x->shape[axis], x->device),
             *middle = count ? GI_DO_2(c, subtract, count, (n - 1) / 2) : NULL;
    ga_array *t      = middle ? gi_do_turn(c, (ga_astype)(middle, gi_dtype_real(x->dtype), c->site), axis, x->ndim) : NULL;
    ga_array *sum    = t ? gi_do_fold(c, (ga_sum), GI_DO_2(c, multiply, away, t), axis, true) : NULL;
    ga_array *rise   = sum ? GI_DO_2(c, divide, sum, n * (n * n - 1) / 12) : NULL;
    return rise ? GI_DO_2(c, subtract, away, GI_DO_2(c, multiply, rise, t)) : NULL;
}

static ga_array *gi_do_detrend_pieces(const gi_composition *c, const ga_array *x, int axis, const ga_array *bp)
{
    ga_array     *sorted = bp ? (ga_unique_values)((ga_astype)(bp, GA_I64, c->site), c->site) : NULL;
    ga_array     *host = sorted ? gi_copy_on_cpu(c->site, sorted) : NULL, *r = NULL;
    const int64_t n = x->shape[axis];
    if (bp && !host) return NULL;
    int64_t from = 0;
    for (int64_t k = 0, count = host ? host->size : 0; k <= count; k++) {
        const int64_t stop = k < count ? ((const int64_t *)host->data)[k] : n;
        if (stop < 0 || stop > n)
            return (ga_array *)gi_fail(c->site, GA_BAD_ARGUMENT, ".bp has %lld: use 0 to %lld", (long long)stop, (long long)n);
        if (stop == from && (k < count || r)) continue;
        ga_array *piece = gi_do_part(c, x, axis, from, stop - from);
        piece           = piece ? gi_do_detrend(c, piece, axis, GA_TREND_LINEAR) : NULL;
        r               = r && piece ? gi_do_join(c, r, piece, axis) : piece;
        from            = stop;
        if (!r) return NULL;
    }
    return r;
}

ga_array *(ga_detrend)(const ga_array *x, ga_detrend_options o)
{
    if (!gi_options_detrend(&o) || !gi_array_check_any(o.site, x, "x") || (o.bp && !gi_array_check(o.site, o.bp, ".bp")))
        return NULL;
    const int axis = gi_axis(o.site, gi_axis_or(o.axis, -1), x->ndim);
    if (axis < 0) return NULL;
    if (o.type != GA_TREND_DEFAULT && o.type != GA_TREND_LINEAR && o.type != GA_TREND_CONSTANT)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, ".type = %d: use GA_TREND_LINEAR or GA_TREND_CONSTANT",
                                   (int)o.type);
    gi_composition c;
    gi_compose_begin(&c, o.site);
    ga_array *wide = (ga_astype)(x, gi_signal_dtype(x->dtype, x->dtype), o.site);
    if (!wide) return gi_compose_end(&c, NULL);
    return gi_compose_end(&c, o.type == GA_TREND_CONSTANT ? gi_do_detrend(&c, wide, axis, o.type)
                                                          : gi_do_detrend_pieces(&c, wide, axis, o.bp));
}

/* ---- savgol_filter ---------------------------------------------------------------------------------------------------------------- */

/* What makes the polynomials that are nearest to `window` points, which lie between -1 and 1, of their values. */
static ga_array *gi_savgol_inverse(const gi_composition *c, int64_t window, int order)
{
    const int64_t   powers[2] = { window, (int64_t)order + 1 };
    const double    middle = (double)(window - 1) / 2, scale = window > 1 ? middle : 1;
    ga_array       *v     = gi_array_new(c->site, GA_F64, GA_CPU, 2, powers);
    ga_pinv_options exact = ga_pinv_defaults;
    exact.site            = c->site;
    for (int64_t i = 0; i < window && v; i++) {
        double power = 1;
        for (int k = 0; k <= order; k++, power *= ((double)i - middle) / scale) ((double *)v->data)[i * powers[1] + k] = power;
    }
    return v ? (ga_pinv)(v, exact) : NULL;
}

/* Rows which give of a polynomial a derivative at so many points from one on; 0 if it is beyond the order. */
static ga_array *gi_savgol_powers(const gi_composition *c, const ga_array *inverse, double first, int64_t count, int deriv,
                                  double delta)
{
    const int64_t powers = inverse->shape[0], shape[2] = { count, powers };
    const double  middle = (double)(inverse->shape[1] - 1) / 2, scale = middle > 0 ? middle : 1;
    ga_array     *d = gi_array_new(c->site, GA_F64, GA_CPU, 2, shape);
    for (int64_t i = 0; i < count && d; i++) {
        const double at    = (first + (double)i - middle) / scale;
        double       power = 1;
        for (int64_t k = 0; k < powers; k++) {
            double factor = k < deriv ? 0 : power;
            for (int j = 0; j < deriv && k >= deriv; j++) factor *= (double)(k - j) / (delta * scale);
            ((double *)d->data)[i * powers + k] = factor;
            if (k >= deriv) power *= at;
        }
    }
    return d;
}

/* Rows of weights, which give it of the elements of a window. */
static ga_array *gi_savgol_rows(const gi_composition *c, const ga_array *inverse, double first, int64_t count, int deriv,
                                double delta)
{
    ga_array          *d       = gi_savgol_powers(c, inverse, first, count, deriv, delta);
    ga_product_options product = ga_product_defaults;
    product.site               = c->site;
    return d ? (ga_matmul)(d, inverse, product) : NULL;
}

/* The products of lines with rows, which are float64 and on the CPU: with weights points, with the inverse polynomials. */
static ga_array *gi_savgol_sums(const char *site, const ga_array *line, const ga_array *rows)
{
    ga_product_options product = ga_product_defaults;
    ga_to_options      there   = ga_to_defaults;
    product.site = there.site = site;
    ga_array *near            = (ga_to)((ga_astype)(rows, gi_dtype_real(line->dtype), site), line->device, there);
    return near ? (ga_matmul)(line, (ga_matrix_transpose)(near, site), product) : NULL;
}

/* Writes a derivative at so many points, of lines of as many elements as a window has, or of their polynomials; false with an error. */
static bool gi_savgol_points(const char *site, const ga_array *line, bool fitted, const ga_array *inverse, double first,
                             int deriv, double delta, ga_array *points, int64_t at, int64_t count)
{
    gi_composition c;
    gi_compose_begin(&c, site);
    ga_array  *rows = fitted ? gi_savgol_powers(&c, inverse, first + (double)at, count, deriv, delta)
                             : gi_savgol_rows(&c, inverse, first + (double)at, count, deriv, delta);
    ga_array  *some = rows ? gi_savgol_sums(site, line, rows) : NULL;
    ga_array  *to   = some ? gi_do_part(&c, points, line->ndim - 1, at, count) : NULL;
    const bool done = to && gi_copy_assign(site, to, some);
    (void)gi_compose_end(&c, NULL);
    return done;
}

/* The first or the last half of a window along an axis of x: by rows of weights, and not more at once than there is much room for; of a long
   window, whose weights are as many as the square of its length, by its polynomials. */
static ga_array *gi_savgol_edge(const gi_composition *c, const ga_array *x, int axis, const ga_array *inverse, int deriv,
                                double delta, bool last)
{
    enum { WEIGHTS = 1 << 20, LONG = 1 << 12 };
    const int64_t   window = inverse->shape[1], half = window / 2;
    const bool      fitted = window > LONG;
    const int64_t   most   = 1 + WEIGHTS / inverse->shape[fitted ? 0 : 1];
    const ga_array *part   = gi_do_part(c, x, axis, last ? x->shape[axis] - window : 0, window);
    const ga_array *line   = part ? (ga_moveaxis)(part, axis, -1, c->site) : NULL;
    int64_t         shape[GPUARR_MAX_DIMS];
    if (!line) return NULL;
    memcpy(shape, line->shape, sizeof shape);
    shape[line->ndim - 1] = half;
    ga_array *points      = gi_array_new(c->site, line->dtype, line->device, line->ndim, shape);
    if (fitted) { /* in float64: powers that cancel each other */
        line = (ga_astype)(line, gi_is_complex(x->dtype) ? GA_C128 : GA_F64, c->site);
        line = line ? gi_savgol_sums(c->site, line, inverse) : NULL;
        if (!line) return NULL;
    }
    for (int64_t at = 0; at < half && points; at += most)
        if (!gi_savgol_points(c->site, line, fitted, inverse, (double)(last ? window - half : 0), deriv, delta, points, at,
                              half - at < most ? half - at : most))
            return NULL;
    return points ? (ga_moveaxis)(points, -1, axis, c->site) : NULL;
}

/* What lies a whole window within x along an axis: convolved with the weights of a window's middle. */
static ga_array *gi_savgol_inner(const gi_composition *c, const ga_array *x, int axis, const ga_array *weights)
{
    ga_convolve_options o  = ga_convolve_defaults;
    o.site                 = c->site;
    o.mode                 = GA_VALID;
    const ga_array *window = gi_do_turn(c, weights, axis, x->ndim);
    return window ? (ga_convolve)(x, window, o) : NULL;
}

ga_array *(ga_savgol_filter)(const ga_array *x, int64_t window_length, int polyorder, ga_savgol_options o)
{
    GI_SETTLE_FLOATS;
    if (!gi_array_check(o.site, x, "x")) return NULL;
    const int axis = gi_axis(o.site, o.axis, x->ndim);
    if (axis < 0) return NULL;
    if (window_length < 1)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "window_length = %lld: use 1 or more", (long long)window_length);
    if (polyorder < 0) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "polyorder = %d: use 0 or more", polyorder);
    if (o.deriv < 0) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, ".deriv = %d: use 0 or more", o.deriv);
    if (o.deriv > 0 && o.delta == 0)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, ".delta = 0: give the spacing of the samples");
    if (polyorder >= window_length)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT,
                                   "a polynomial of order %d through %lld points: use an order below the number of points",
                                   polyorder, (long long)window_length);
    const bool interp = o.border == -1;
    if (interp && window_length > x->shape[axis])
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE,
                                   "a window of %lld elements is longer than axis %d of %s: give a .border",
                                   (long long)window_length, axis, gi_shape_of(x));
    gi_composition        c;
    ga_convolve1d_options line  = ga_convolve1d_defaults;
    ga_to_options         there = ga_to_defaults;
    const int64_t         half = window_length / 2, n = x->shape[axis];
    line.site = there.site = o.site;
    line.axis              = axis;
    line.border            = (ga_border)o.border;
    line.cval              = o.cval;
    gi_compose_begin(&c, o.site);
    ga_array *wide    = (ga_astype)(x, gi_signal_dtype(x->dtype, x->dtype), o.site),
             *inverse = wide ? gi_savgol_inverse(&c, window_length, polyorder) : NULL,
             *on_cpu  = inverse ? gi_savgol_rows(&c, inverse, (double)(window_length - 1) / 2, 1, o.deriv, o.delta) : NULL;
    ga_array *row     = on_cpu ? (ga_to)((ga_astype)(on_cpu, gi_dtype_real(wide->dtype), o.site), x->device, there) : NULL;
    ga_array *middle = row ? (ga_index)(o.site, row, "0, ::-1") : NULL, *r = !middle  ? NULL
                                                                             : interp ? gi_savgol_inner(&c, wide, axis, middle)
                                                                                      : (ga_convolve1d)(wide, middle, line);
    if (r && interp && half > 0) {
        ga_array *first          = gi_savgol_edge(&c, wide, axis, inverse, o.deriv, o.delta, false),
                 *last           = first ? gi_savgol_edge(&c, wide, axis, inverse, o.deriv, o.delta, true) : NULL;
        const ga_array *three[3] = { first, gi_do_part(&c, r, axis, window_length % 2 == 0, n - 2 * half), last };
        r                        = last && three[1] ? gi_join_along(o.site, 3, three, axis) : NULL;
    }
    return gi_compose_end(&c, r);
}
