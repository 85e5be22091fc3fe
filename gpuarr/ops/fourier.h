/* ==== >>fourier: numpy.fft =============================================================================================== */

/* What a call asks for. */
typedef struct gi_fourier_call {
    const char *site, *name;
    ga_fft_norm norm;
    bool        inverse;
} gi_fourier_call;

static double gi_fourier_scale(const gi_fourier_call *c, int64_t n)
{
    if (c->norm == GA_NORM_ORTHO) return 1 / sqrt((double)n);
    return (c->norm == GA_NORM_FORWARD) != c->inverse ? 1 / (double)n : 1;
}

static bool gi_fourier_check(const gi_fourier_call *c, const ga_array *a)
{
    if ((int)c->norm >= GA_NORM_BACKWARD && c->norm <= GA_NORM_FORWARD) {
        return gi_array_check(c->site, a, "a");
    }
    gi_fail(c->site, GA_BAD_ARGUMENT, ".norm = %d is none: use GA_NORM_BACKWARD, GA_NORM_ORTHO or GA_NORM_FORWARD",
            (int)c->norm);
    return false;
}

static bool gi_fourier_length(const gi_fourier_call *c, int64_t n)
{
    if (n >= 1 && n <= (int64_t)1 << 40) return true;
    gi_fail(c->site, GA_BAD_SHAPE, "%s of %lld elements: give it 1 or more, and at most 2^40", c->name, (long long)n);
    return false;
}

/* The operand in the dtype that the transform reads, as a view or a copy: real numbers stay so for a transform of these. */
static ga_array *gi_fourier_operand(const gi_fourier_call *c, const ga_array *a, bool *real)
{
    const bool single = a->dtype == GA_F32 || a->dtype == GA_C64;
    if (gi_is_complex(a->dtype)) *real = false;
    const ga_dtype dtype = *real ? (single ? GA_F32 : GA_F64) : single ? GA_C64 : GA_C128;
    return a->dtype == dtype ? (ga_view)(a, c->site) : gi_copy_convert(c->site, a, dtype);
}

/* Transforms `in` along an axis to n elements of a transform, into `out`, which may be `in`. False with an error. */
static bool gi_fourier_axis(const gi_fourier_call *c, const ga_array *in, ga_array *out, int axis, int64_t n,
                            gi_fourier_kind kind, bool inverse)
{
    GI_SETTLE_FLOATS;
    gi_fourier_job j;
    const bool     single = out->dtype == GA_F32 || out->dtype == GA_C64;
    if (out->size == 0) return true;
    gi_fourier *f = gi_fourier_of(c->site, n, single, kind != GI_FOURIER_COMPLEX);
    if (!f) return false;
    const int64_t most = kind == GI_FOURIER_REAL ? n / 2 + 1 : n;
    memset(&j, 0, sizeof j);
    j.f        = f;
    j.kind     = kind;
    j.inverse  = inverse;
    j.scale    = gi_fourier_scale(c, n);
    j.from     = in;
    j.to       = out;
    j.in       = (const char *)in->data;
    j.out      = (char *)out->data;
    j.n        = n;
    j.n_in     = in->shape[axis] < most ? in->shape[axis] : most;
    j.n_out    = out->shape[axis];
    j.in_size  = (size_t)ga_itemsize(in->dtype);
    j.out_size = (size_t)ga_itemsize(out->dtype);
    j.in_step  = in->strides[axis];
    j.out_step = out->strides[axis];
    j.ndim     = 1;
    j.shape[0] = 1;
    for (int d = 0; d < in->ndim; d++) {
        if (d == axis || in->shape[d] == 1) continue;
        const int k      = j.shape[j.ndim - 1] == 1 ? j.ndim - 1 : j.ndim++;
        j.shape[k]       = in->shape[d];
        j.in_strides[k]  = in->strides[d];
        j.out_strides[k] = out->strides[d];
    }
    const bool done = out->device == GA_CUDA ? gi_gpu->fourier(c->site, &j) : gi_fourier_do(c->site, &j);
    gi_fourier_free(f);
    return done;
}

/* The same into a new array. */
static ga_array *gi_fourier_along(const gi_fourier_call *c, const ga_array *in, int axis, int64_t n, gi_fourier_kind kind,
                                  bool inverse)
{
    int64_t    shape[GPUARR_MAX_DIMS];
    const bool single = in->dtype == GA_F32 || in->dtype == GA_C64, real = kind == GI_FOURIER_REAL;
    memcpy(shape, in->shape, sizeof shape);
    shape[axis]   = kind == GI_FOURIER_HALF ? n / 2 + 1 : n;
    ga_array *out = gi_array_new(c->site,
                                 real     ? (single ? GA_F32 : GA_F64)
                                 : single ? GA_C64
                                          : GA_C128,
                                 in->device, in->ndim, shape);
    if (!out || gi_fourier_axis(c, in, out, axis, n, kind, inverse)) return out;
    ga_free(out);
    return NULL;
}

/* One axis. */
static ga_array *gi_fourier_1d(const char *name, const ga_array *a, ga_fft_options *o, gi_fourier_kind kind, bool inverse)
{
    const gi_fourier_call c = { o->site, name, o->norm, inverse };
    if (!gi_fourier_check(&c, a)) return NULL;
    const int axis = gi_axis(o->site, o->axis, a->ndim);
    if (axis < 0) return NULL;
    const int64_t n    = o->n != GA_LENGTH_DEFAULT ? o->n : kind == GI_FOURIER_REAL ? 2 * (a->shape[axis] - 1) : a->shape[axis];
    bool          real = kind != GI_FOURIER_REAL;
    if (!gi_fourier_length(&c, n)) return NULL;
    if (kind == GI_FOURIER_HALF && gi_is_complex(a->dtype))
        return (ga_array *)gi_fail(o->site, GA_BAD_DTYPE, "%s takes real numbers, and a is %s: use ga_fft, or ga_real first",
                                   name, ga_dtype_name(a->dtype));
    ga_array *x = gi_fourier_operand(&c, a, &real), *r = NULL;
    if (x) r = gi_fourier_along(&c, x, axis, n, kind == GI_FOURIER_COMPLEX && real ? GI_FOURIER_WHOLE : kind, inverse);
    ga_free(x);
    return gi_copy_finish(o->site, r, r ? r->dtype : GA_F64, o->out);
}

ga_array *(ga_fft)(const ga_array *a, ga_fft_options o)
{
    return gi_options_fft(&o) ? gi_fourier_1d("ga_fft", a, &o, GI_FOURIER_COMPLEX, false) : NULL;
}
ga_array *(ga_ifft)(const ga_array *a, ga_fft_options o)
{
    return gi_options_fft(&o) ? gi_fourier_1d("ga_ifft", a, &o, GI_FOURIER_COMPLEX, true) : NULL;
}
ga_array *(ga_rfft)(const ga_array *a, ga_fft_options o)
{
    return gi_options_fft(&o) ? gi_fourier_1d("ga_rfft", a, &o, GI_FOURIER_HALF, false) : NULL;
}
ga_array *(ga_irfft)(const ga_array *a, ga_fft_options o)
{
    return gi_options_fft(&o) ? gi_fourier_1d("ga_irfft", a, &o, GI_FOURIER_REAL, true) : NULL;
}

ga_array *(ga_hfft)(const ga_array *a, ga_fft_options o)
{
    return gi_options_fft(&o) ? gi_fourier_1d("ga_hfft", a, &o, GI_FOURIER_REAL, false) : NULL;
}
ga_array *(ga_ihfft)(const ga_array *a, ga_fft_options o)
{
    return gi_options_fft(&o) ? gi_fourier_1d("ga_ihfft", a, &o, GI_FOURIER_HALF, true) : NULL;
}

/* ---- several axes --------------------------------------------------------------------------------------------------------- */

typedef struct gi_fourier_axes {
    int     count, axis[GPUARR_MAX_DIMS];
    int64_t n[GPUARR_MAX_DIMS];
} gi_fourier_axes;

/* The axes, and the lengths along them. The last length of `real` results is that of the reals. */
static bool gi_fourier_plan_axes(const gi_fourier_call *c, const ga_array *a, const ga_fftn_options *o, int pair, bool real,
                                 gi_fourier_axes *p)
{
    const int lengths = o->s.ndim;
    p->count          = o->axes.ndim >= 0 ? o->axes.ndim : pair > 0 ? pair : lengths >= 0 ? lengths : a->ndim;
    if (lengths >= 0 && lengths != p->count)
        return gi_fail(o->site, GA_BAD_SHAPE, ".s has %d lengths for %d axes", lengths, p->count) != NULL;
    if (p->count > a->ndim && o->axes.ndim < 0 && lengths > 0)
        return gi_fail(o->site, GA_BAD_SHAPE, ".s has %d lengths for %d axes, and a has %d", lengths, p->count, a->ndim) !=
               NULL;
    for (int k = 0; k < p->count; k++) {
        const int64_t axis = o->axes.ndim >= 0 ? o->axes.n[k] : k - p->count;
        p->axis[k]         = gi_axis(o->site, axis < INT_MIN || axis > INT_MAX ? INT_MAX : (int)axis, a->ndim);
        if (p->axis[k] < 0) return false;
        p->n[k] = a->shape[p->axis[k]];
        if (real && lengths < 0 && k == p->count - 1) p->n[k] = 2 * (p->n[k] - 1);
        if (lengths >= 0 && o->s.n[k] != -1) p->n[k] = o->s.n[k];
        if (!gi_fourier_length(c, p->n[k])) return false;
    }
    return true;
}

/* Transforms x, which is taken over, along an axis: in place if it has that length and is ours, which `own` says. */
static ga_array *gi_fourier_next(const gi_fourier_call *c, ga_array *x, bool own, int axis, int64_t n, gi_fourier_kind kind,
                                 bool inverse)
{
    if (own && kind == GI_FOURIER_COMPLEX && x->shape[axis] == n) {
        if (gi_fourier_axis(c, x, x, axis, n, kind, inverse)) return x;
        ga_free(x);
        return NULL;
    }
    ga_array *r = gi_fourier_along(c, x, axis, n, kind, inverse);
    ga_free(x);
    return r;
}

/* As numpy: the last of the axes first; but of ga_irfftn in their order. `pair`: 2 for the transforms of two axes, else 0. */
static ga_array *gi_fourier_nd(const char *name, const ga_array *a, ga_fftn_options *o, int pair, gi_fourier_kind kind,
                               bool inverse)
{
    const gi_fourier_call c    = { o->site, name, o->norm, inverse };
    const bool            back = kind == GI_FOURIER_REAL;
    gi_fourier_axes       p;
    bool                  real = !back, own = false;
    if (!gi_fourier_check(&c, a) || !gi_fourier_plan_axes(&c, a, o, pair, back, &p)) return NULL;
    if (kind == GI_FOURIER_HALF && gi_is_complex(a->dtype))
        return (ga_array *)gi_fail(o->site, GA_BAD_DTYPE, "%s takes real numbers, and a is %s: use ga_fftn, or ga_real first",
                                   name, ga_dtype_name(a->dtype));
    if (p.count == 0 && kind != GI_FOURIER_COMPLEX)
        return (ga_array *)gi_fail(o->site, GA_BAD_ARGUMENT, "%s needs an axis at least", name);
    if (p.count == 0) real = false;
    ga_array *x = gi_fourier_operand(&c, a, &real);
    for (int i = 0; i < p.count && x; i++, own = true) {
        const int             k    = back ? i : p.count - 1 - i;
        const gi_fourier_kind last = kind == GI_FOURIER_COMPLEX && real ? GI_FOURIER_WHOLE : kind;
        x = gi_fourier_next(&c, x, own, p.axis[k], p.n[k], k == p.count - 1 ? last : GI_FOURIER_COMPLEX, inverse);
    }
    if (x && p.count == 0 && !o->out) {
        ga_array *copy = (ga_copy)(x, o->site);
        ga_free(x);
        return copy;
    }
    return gi_copy_finish(o->site, x, x ? x->dtype : GA_F64, o->out);
}

#define GI_FOURIER_ND(name, pair, kind, inverse)                                                                               \
    ga_array *(ga_##name)(const ga_array *a, ga_fftn_options o)                                                                \
    {                                                                                                                          \
        return gi_options_fftn(&o) ? gi_fourier_nd("ga_" #name, a, &o, pair, kind, inverse) : NULL;                            \
    }
GI_FOURIER_ND(fft2, 2, GI_FOURIER_COMPLEX, false)
GI_FOURIER_ND(ifft2, 2, GI_FOURIER_COMPLEX, true)
GI_FOURIER_ND(rfft2, 2, GI_FOURIER_HALF, false)
GI_FOURIER_ND(irfft2, 2, GI_FOURIER_REAL, true)
GI_FOURIER_ND(fftn, 0, GI_FOURIER_COMPLEX, false)
GI_FOURIER_ND(ifftn, 0, GI_FOURIER_COMPLEX, true)
GI_FOURIER_ND(rfftn, 0, GI_FOURIER_HALF, false)
GI_FOURIER_ND(irfftn, 0, GI_FOURIER_REAL, true)
#undef GI_FOURIER_ND

/* ---- frequencies ---------------------------------------------------------------------------------------------------------- */

/* (first + k) / (n d) for k < count, from `wrap` on less n. */
static ga_array *gi_fourier_frequencies(int64_t n, ga_fftfreq_options *o, int64_t count, int64_t wrap)
{
    GI_SETTLE_FLOATS;
    o->site = gi_site_or(o->site, "ga_fftfreq");
    if (n < 1 || n > (int64_t)1 << 46)
        return (ga_array *)gi_fail(o->site, GA_BAD_SHAPE, "frequencies of %lld elements: give 1 or more, and at most 2^46",
                                   (long long)n);
    ga_array    *r   = gi_array_new(o->site, GA_F64, GA_CPU, 1, &count);
    const double one = 1 / ((double)n * o->d);
    for (int64_t k = 0; r && k < count; k++) ((double *)r->data)[k] = (double)(k < wrap ? k : k - n) * one;
    if (!r || (o->device == GA_DEVICE_DEFAULT ? ga_get_device() : o->device) == GA_CPU) return r;
    ga_to_options to = ga_to_defaults;
    to.site          = o->site;
    ga_array *moved  = (ga_to)(r, o->device == GA_DEVICE_DEFAULT ? ga_get_device() : o->device, to);
    ga_free(r);
    return moved;
}
ga_array *(ga_fftfreq)(int64_t n, ga_fftfreq_options o) { return gi_fourier_frequencies(n, &o, n, n / 2 + n % 2); }
ga_array *(ga_rfftfreq)(int64_t n, ga_fftfreq_options o) { return gi_fourier_frequencies(n, &o, n / 2 + 1, n); }

enum { GI_SHIFTED_ROW = 16 }; /* bytes of rows that are copied as such, at least */

/* Packed rows of the last axis go to where the shifts of all axes bring them. */
typedef struct gi_shifting {
    const ga_array *a;
    ga_array       *to;
    int64_t         shift[GPUARR_MAX_DIMS]; /* from 0 to the length of the axis, which is not meant */
} gi_shifting;

static void gi_shift_rows(int64_t begin, int64_t end, void *job)
{
    const gi_shifting *s    = (const gi_shifting *)job;
    const int          last = s->a->ndim - 1;
    const int64_t      size = ga_itemsize(s->a->dtype), bytes = s->a->shape[last] * size, split = s->shift[last] * size;
    for (int64_t row = begin; row < end; row++) {
        int64_t to = 0, left = row, rows = 1;
        for (int d = last - 1; d >= 0; rows *= s->a->shape[d--]) {
            const int64_t n = s->a->shape[d], at = left % n + s->shift[d];
            to += (at < n ? at : at - n) * rows;
            left /= n;
        }
        const char *x = (const char *)s->a->data + row * bytes;
        char       *y = (char *)s->to->data + to * bytes;
        memcpy(y + split, x, (size_t)(bytes - split));
        if (split > 0) memcpy(y, x + bytes - split, (size_t)split);
    }
}

/* All axes at once, where rows are not short and lie packed. */
static ga_array *gi_shift_at_once(const char *site, const ga_array *a, const bool *marked, bool back)
{
    enum { PART = 1 << 15 }; /* bytes that are worth a piece of the work */
    gi_shifting   s     = { a, gi_array_new(site, a->dtype, GA_CPU, a->ndim, a->shape), { 0 } };
    const int64_t total = a->size * ga_itemsize(a->dtype), rows = a->size / a->shape[a->ndim - 1];
    for (int d = 0; d < a->ndim; d++) {
        const int64_t n = a->shape[d];
        if (marked[d]) s.shift[d] = back ? n - n / 2 : n / 2;
        if (s.shift[d] == n) s.shift[d] = 0;
    }
    if (s.to) gi_parallel_bytes(2.0 * (double)total, rows, 1 + (int64_t)PART * rows / total, gi_shift_rows, &s);
    return s.to;
}

/* Each axis is rolled by half its length, forwards or back. */
static ga_array *gi_fourier_shift(const ga_array *a, ga_axes_options *o, bool back)
{
    bool marked[GPUARR_MAX_DIMS];
    if (!gi_array_check_any(o->site, a, "a") || gi_lines_mark_axes(o->site, a->ndim, o->axis, &o->axes, marked) < 0)
        return NULL;
    ga_array *r = NULL;
    if (a->device == GA_CPU && !gi_is_deferred(a) && a->size > 0 && a->ndim > 0 && ga_is_contiguous(a) &&
        a->shape[a->ndim - 1] * ga_itemsize(a->dtype) >= GI_SHIFTED_ROW)
        return gi_shift_at_once(o->site, a, marked, back);
    for (int d = 0; d < a->ndim; d++) {
        if (!marked[d]) continue;
        ga_axis_options along = ga_axis_defaults;
        along.axis            = d;
        along.site            = o->site;
        ga_array *rolled      = (ga_roll)(r ? r : a, back ? -(a->shape[d] / 2) : a->shape[d] / 2, along);
        ga_free(r);
        if (!rolled) return NULL;
        r = rolled;
    }
    return r ? r : (ga_copy)(a, o->site);
}
ga_array *(ga_fftshift)(const ga_array *a, ga_axes_options o)
{
    o.site = gi_site_or(o.site, "ga_fftshift");
    return GI_TAKE_AXES(axes, &o) ? gi_fourier_shift(a, &o, false) : NULL;
}
ga_array *(ga_ifftshift)(const ga_array *a, ga_axes_options o)
{
    o.site = gi_site_or(o.site, "ga_ifftshift");
    return GI_TAKE_AXES(axes, &o) ? gi_fourier_shift(a, &o, true) : NULL;
}
