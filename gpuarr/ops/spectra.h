/* ==== >>signals: spectra of a line that is cut into pieces (Welch, 1967) ===================================================== */

#define GI_PI            3.141592653589793
#define GI_TUKEY_QUARTER "tukey, 0.25" /* no name of a user's: what ga_spectrogram has when none is given */

/* Tukey's window at point i of n: this share of it rises and falls. */
static double gi_window_tukey(double share, int64_t i, int64_t n)
{
    const double edge = (double)(i < n - i ? i : n - i) * (2 / share) / (double)n;
    return edge < 1 ? 0.5 - gi_mul_f64(0.5, gi_op_cos_f64(GI_PI * edge)) : 1;
}

/* Windows that are no sum of cosines, in the order of their names below. u: how far point i is from the middle, 1 at the ends. */
static double gi_window_at(int which, double u, int64_t i, int64_t n)
{
    const double wide = (double)n, x = u * wide / (wide + 1), arc = GI_PI * u;
    switch (which) {
    case 0: return 1 - u * wide / (wide + (double)(2 - n % 2));                                       /* triang */
    case 1: return 1 - u;                                                                             /* bartlett */
    case 2: return u <= 0.5 ? 1 - gi_mul_f64(6 * x * x, 1 - x) : 2 * (1 - x) * (1 - x) * (1 - x);     /* parzen */
    case 3: return gi_mul_f64(1 - u, gi_op_cos_f64(arc)) + gi_mul_f64(gi_op_sin_f64(arc), 1 / GI_PI); /* bohman */
    case 4: return 0.62 - gi_mul_f64(0.24, u) + gi_mul_f64(0.38, gi_op_cos_f64(arc));                 /* barthann */
    case 5: return gi_op_cos_f64(GI_PI / 2 * x);                                                      /* cosine */
    case 6: return u > 0 ? gi_op_sin_f64(arc) / arc : 1;                                              /* lanczos */
    case 7: return gi_window_tukey(0.5, i, n);
    default: return gi_window_tukey(0.25, i, n);
    }
}

/* Weights of cos(2 pi k i / n), the signs alternating. */
static double gi_window_sum(const double *a, int64_t i, int64_t n)
{
    const double phase = 2 * GI_PI * (double)i / (double)n;
    double       sum   = 0;
    for (int j = 0; j < 5 && a[j] != 0; j++) sum += gi_mul_f64(j % 2 ? -a[j] : a[j], j > 0 ? gi_op_cos_f64(j * phase) : 1);
    return sum;
}

/* The values of a window of n points with the period n, of a name; NULL with an error. */
static ga_array *gi_spectrum_window(const gi_composition *c, const char *name, int64_t n)
{
    static const struct {
        const char *name;
        double      a[5]; /* gi_window_sum's */
    } sums[]                          = { { "boxcar", { 1 } },
                                          { "hann", { 0.5, 0.5 } },
                                          { "hamming", { 0.54, 0.46 } },
                                          { "blackman", { 0.42, 0.5, 0.08 } },
                                          { "nuttall", { 0.3635819, 0.4891775, 0.1365995, 0.0106411 } },
                                          { "blackmanharris", { 0.35875, 0.48829, 0.14128, 0.01168 } },
                                          { "flattop", { 0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368 } } };
    static const char *const others[] = { "triang", "bartlett", "parzen", "bohman",        "barthann",
                                          "cosine", "lanczos",  "tukey",  GI_TUKEY_QUARTER };
    const int count_sums = (int)(sizeof sums / sizeof *sums), count = count_sums + (int)(sizeof others / sizeof *others);
    int       k = 0;
    while (k < count && strcmp(name, k < count_sums ? sums[k].name : others[k - count_sums]) != 0) k++;
    if (k == count)
        return (ga_array *)gi_fail(c->site, GA_BAD_ARGUMENT,
                                   "there is no window \"%s\": use boxcar, triang, bartlett, hann, hamming, blackman, nuttall, "
                                   "blackmanharris, flattop, parzen, bohman, barthann, cosine, lanczos, tukey or .values",
                                   name);
    ga_array *w = gi_array_new(c->site, GA_F64, GA_CPU, 1, &n);
    for (int64_t i = 0; w && i < n; i++) {
        const double u         = (double)(2 * i < n ? n - 2 * i : 2 * i - n) / (double)n;
        ((double *)w->data)[i] = n == 1           ? 1
                                 : k < count_sums ? gi_window_sum(sums[k].a, i, n)
                                                  : gi_window_at(k - count_sums, u, i, n);
    }
    return w;
}

/* What is left open becomes what SciPy has. False with an error. */
static bool gi_spectrum_check(const ga_array *x, int64_t n, ga_spectrum_options *o, const char *window, int64_t share)
{
    const bool    said  = o->nperseg != GA_LENGTH_DEFAULT;
    const int64_t given = o->values ? o->values->size : said ? o->nperseg : 256;
    if (!o->window) o->window = window;
    if (o->values && (o->values->ndim != 1 || gi_is_complex(o->values->dtype) || (said && o->nperseg != given)))
        gi_fail(o->site, GA_BAD_SHAPE, ".values has shape %s: use a line of .nperseg real numbers", gi_shape_of(o->values));
    else if (x->size == 0) gi_fail(o->site, GA_BAD_SHAPE, "x has shape %s: there is nothing to transform", gi_shape_of(x));
    else if (given < 1 || (o->values && given > n))
        gi_fail(o->site, GA_BAD_SHAPE, "pieces of %lld elements of a line of %lld: use 1 or more", (long long)given,
                (long long)n);
    else {
        o->nperseg = given < n ? given : n;
        if (o->noverlap == GA_LENGTH_DEFAULT) o->noverlap = o->nperseg / share;
        if (o->nfft == GA_LENGTH_DEFAULT) o->nfft = o->nperseg;
        if (o->nfft < o->nperseg)
            gi_fail(o->site, GA_BAD_ARGUMENT, ".nfft = %lld: use %lld or more", (long long)o->nfft, (long long)o->nperseg);
        else if (o->noverlap < 0 || o->noverlap >= o->nperseg)
            gi_fail(o->site, GA_BAD_ARGUMENT, ".noverlap = %lld: use 0 or more, less than the %lld elements of a piece",
                    (long long)o->noverlap, (long long)o->nperseg);
        else if (x->ndim == GPUARR_MAX_DIMS)
            gi_fail(o->site, GA_BAD_SHAPE, "x has %d dimensions: the pieces need another one", x->ndim);
        else return true;
    }
    return false;
}

/* Transforms (..., pieces, frequencies), and what makes a result of them. */
typedef struct gi_waves {
    ga_array                  *waves;
    const ga_spectrum_options *o;
    double                     scale; /* of a power */
    bool                       half;  /* of real numbers: the other half has as much */
} gi_waves;
typedef ga_array *(*gi_spectrum_result)(const gi_composition *c, const gi_waves *s);

/* The powers of lines of transforms on the CPU. */
typedef struct gi_wave_powers {
    const ga_array *waves, *powers;
    double          scale;
    int64_t         begin, end; /* elements of a line that stand for two */
} gi_wave_powers;

enum { GI_WAVE_POWERS = 4096 }; /* elements of a unit of work */

GI_BEGIN_FAST
static void gi_wave_powers_f64(int64_t n, const ga_c128 *z, double scale, double *out)
{
    for (int64_t i = 0; i < n; i++) out[i] = (z[i].re * z[i].re + z[i].im * z[i].im) * scale;
}

static void gi_wave_powers_f32(int64_t n, const ga_c64 *z, float scale, float *out)
{
    for (int64_t i = 0; i < n; i++) out[i] = (z[i].re * z[i].re + z[i].im * z[i].im) * scale;
}

static void gi_make_wave_powers(int64_t begin, int64_t end, void *job)
{
    const gi_wave_powers *p    = (const gi_wave_powers *)job;
    const int64_t         last = p->powers->ndim - 1, line = p->powers->shape[last], size = p->powers->size;
    const bool            wide  = p->powers->dtype == GA_F64;
    double               *out64 = (double *)p->powers->data;
    float                *out32 = (float *)p->powers->data;
    for (int64_t at = begin * GI_WAVE_POWERS, n; at < end * GI_WAVE_POWERS && at < size; at += n) {
        n = size - at < GI_WAVE_POWERS ? size - at : (int64_t)GI_WAVE_POWERS;
        if (wide) gi_wave_powers_f64(n, (const ga_c128 *)p->waves->data + at, p->scale, out64 + at);
        else gi_wave_powers_f32(n, (const ga_c64 *)p->waves->data + at, (float)p->scale, out32 + at);
        for (int64_t first = at - at % line; first < at + n && p->begin < p->end; first += line) {
            const int64_t from = first + p->begin > at ? first + p->begin : at,
                          to   = first + p->end < at + n ? first + p->end : at + n;
            for (int64_t i = from; i < to && wide; i++) out64[i] *= 2;
            for (int64_t i = from; i < to && !wide; i++) out32[i] *= 2;
        }
    }
}
GI_END_FAST

static ga_array *gi_do_wave_powers(const gi_composition *c, const gi_waves *s)
{
    const ga_array *z = s->waves;
    if (z->device == GA_CPU && !gi_is_deferred(z) && ga_is_contiguous(z)) {
        ga_array      *powers = gi_array_new(c->site, gi_dtype_real(z->dtype), GA_CPU, z->ndim, z->shape);
        gi_wave_powers p      = { z, powers, s->scale, 1, s->half ? (s->o->nfft + 1) / 2 : 0 };
        if (powers)
            gi_parallel_bytes(24.0 * (double)z->size, (z->size + GI_WAVE_POWERS - 1) / GI_WAVE_POWERS, 4, gi_make_wave_powers,
                              &p);
        return powers;
    }
    ga_array *re = GI_DO_1(c, square, GI_DO_1(c, real, s->waves)),
             *im = re ? GI_DO_1(c, square, GI_DO_1(c, imag, s->waves)) : NULL;
    ga_array *r  = im ? GI_DO_2(c, multiply, GI_DO_2(c, add, re, im), s->scale) : NULL;
    return r && s->half ? GI_DO_2(c, multiply, r, gi_do_both_sides(c, s->o->nfft, r)) : r;
}

static ga_array *gi_do_mean_power(const gi_composition *c, const gi_waves *s)
{
    ga_array *all = gi_do_wave_powers(c, s);
    if (all && all->shape[all->ndim - 2] == 1) { /* its own mean */
        int64_t shape[GPUARR_MAX_DIMS];
        memcpy(shape, all->shape, sizeof shape);
        shape[all->ndim - 2] = all->shape[all->ndim - 1];
        return gi_do_reshape(c, all, all->ndim - 1, shape);
    }
    return all ? gi_do_fold(c, (ga_mean), all, -2, false) : NULL;
}

/* A median is divided by its bias: what the median of so many powers of noise is beside their mean (Allen, Anderson, Brady, Brown and
   Creighton, 2012). */
static ga_array *gi_do_average_power(const gi_composition *c, const gi_waves *s)
{
    if (s->o->average == GA_AVERAGE_MEAN) return gi_do_mean_power(c, s);
    ga_array        *all    = gi_do_wave_powers(c, s);
    const int64_t    n      = all ? all->shape[all->ndim - 2] : 0;
    double           bias   = 1;
    ga_order_options middle = ga_order_defaults;
    middle.site             = c->site;
    middle.axis             = -2;
    for (int64_t k = 2; k < n; k += 2) bias += 1 / (double)(k + 1) - 1 / (double)k;
    ga_array *median = all ? (ga_median)(all, middle) : NULL;
    return median ? GI_DO_2(c, divide, median, bias) : NULL;
}

static ga_array *gi_do_spectrum_mode(const gi_composition *c, const gi_waves *s)
{
    const ga_spectrum_mode mode = s->o->mode;
    if (mode == GA_MODE_PSD) return gi_do_wave_powers(c, s);
    ga_array *z = GI_DO_2(c, multiply, s->waves, sqrt(s->scale));
    if (!z || mode == GA_MODE_COMPLEX) return z;
    if (mode == GA_MODE_MAGNITUDE) return GI_DO_1(c, absolute, z);
    ga_angle_options  angle = ga_angle_defaults;
    ga_unwrap_options phase = ga_unwrap_defaults;
    angle.site = phase.site = c->site;
    z                       = (ga_angle)(GA_ARG(z), angle);
    return z && mode == GA_MODE_PHASE ? (ga_unwrap)(z, phase) : z;
}

/* The result of x, whose lines lie along the last axis. */
static ga_array *gi_do_spectra(const gi_composition *c, const ga_array *x, const ga_spectrum_options *o,
                               gi_spectrum_result result)
{
    const int64_t step = o->nperseg - o->noverlap, n = x->shape[x->ndim - 1];
    const bool    real  = !gi_is_complex(x->dtype) && o->return_onesided;
    ga_to_options there = ga_to_defaults;
    int64_t       shape[GPUARR_MAX_DIMS], strides[GPUARR_MAX_DIMS];
    there.site = c->site;
    memcpy(shape, x->shape, sizeof shape);
    memcpy(strides, x->strides, sizeof strides);
    shape[x->ndim - 1] = (n - o->noverlap) / step;
    shape[x->ndim]     = o->nperseg;
    strides[x->ndim]   = x->strides[x->ndim - 1];
    strides[x->ndim - 1] *= step;
    ga_array *pieces = gi_array_new_view(c->site, x, x->data, x->dtype, x->ndim + 1, shape, strides);
    ga_array *level =
        pieces ? gi_do_detrend(c, pieces, x->ndim, o->detrend == GA_TREND_DEFAULT ? GA_TREND_CONSTANT : o->detrend) : NULL;
    const bool plain = !o->values && strcmp(o->window, "boxcar") == 0; /* it multiplies by 1 */
    double     sum   = (double)o->nperseg;
    if (level && !plain) {
        ga_array *line = o->values ? (ga_astype)(o->values, GA_F64, c->site) : gi_spectrum_window(c, o->window, o->nperseg);
        ga_array *power =
            line ? gi_do_fold(c, (ga_sum), o->scaling == GA_SPECTRUM ? line : GI_DO_1(c, square, line), GA_AXIS_DEFAULT, false)
                 : NULL;
        if (!power || !gi_item_as(c->site, power, NULL, GA_F64, &sum)) return NULL;
        ga_array *w = (ga_to)((ga_astype)(line, gi_dtype_real(x->dtype), c->site), x->device, there);
        level       = w ? GI_DO_2(c, multiply, level, w) : NULL;
    }
    ga_array *waves = gi_do_fft(c, real ? (ga_rfft) : (ga_fft), level, o->nfft, -1);
    gi_waves  s     = { waves, o, o->scaling == GA_SPECTRUM ? 1 / (sum * sum) : 1 / (o->fs * sum), real };
    return waves ? result(c, &s) : NULL;
}

static ga_array *gi_power_spectrum(const ga_array *x, int axis, ga_spectrum_options *o, gi_spectrum_result result)
{
    GI_SETTLE_FLOATS;
    gi_composition     c;
    ga_fftfreq_options f = ga_fftfreq_defaults;
    ga_array          *r = NULL, *results[3] = { NULL, NULL, NULL };
    ga_array **const   outs[3] = { &r, o->frequencies, o->times };
    gi_compose_begin(&c, o->site);
    f.site               = o->site;
    f.d                  = 1 / o->fs;
    f.device             = x->device;
    const ga_dtype dtype = gi_signal_dtype(x->dtype, x->dtype);
    ga_array      *wide  = x->dtype == dtype ? (ga_view)(x, o->site) : (ga_astype)(x, dtype, o->site),
             *line       = wide ? (ga_moveaxis)(wide, axis, -1, o->site) : NULL;
    ga_array *all        = line ? gi_do_spectra(&c, line, o, result) : NULL;
    results[0]           = all ? (ga_moveaxis)(all, -1, axis, o->site) : NULL;
    results[1] = results[2] = all; /* they are there, as far as nobody wants them */
    if (all && o->frequencies)
        results[1] = gi_is_complex(x->dtype) || !o->return_onesided ? (ga_fftfreq)(o->nfft, f) : (ga_rfftfreq)(o->nfft, f);
    if (all && o->times) {
        const int64_t step = o->nperseg - o->noverlap, count = (x->shape[axis] - o->noverlap) / step;
        ga_array     *k  = gi_do_count(&c, 0, count, x->device);
        ga_array     *at = k ? GI_DO_2(&c, multiply, k, (double)step / o->fs) : NULL;
        results[2]       = at ? GI_DO_2(&c, add, at, (double)o->nperseg / 2 / o->fs) : NULL;
    }
    return gi_compose_end_all(&c, 3, results, outs) ? r : NULL;
}

/* The axis, or -1 with an error. Does the call average, or have modes? */
static int gi_spectrum_axis(const ga_array *x, ga_spectrum_options *o, bool averages, bool modes)
{
    if (o->frequencies) *o->frequencies = NULL;
    if (o->times) *o->times = NULL;
    if (!gi_options_spectrum(o) || !gi_array_check(o->site, x, "x") ||
        (o->values && !gi_array_check(o->site, o->values, ".values")))
        return -1;
    if ((o->average != GA_AVERAGE_MEAN && o->average != GA_AVERAGE_MEDIAN) || (o->average && !averages))
        gi_fail(o->site, GA_BAD_ARGUMENT, ".average = %d: use GA_AVERAGE_MEAN or GA_AVERAGE_MEDIAN, in ga_welch",
                (int)o->average);
    else if ((unsigned)o->mode > GA_MODE_PHASE || (o->mode != GA_MODE_PSD && !modes))
        gi_fail(o->site, GA_BAD_ARGUMENT, ".mode = %d: use a ga_spectrum_mode, in ga_spectrogram", (int)o->mode);
    else if (!(o->fs > 0)) gi_fail(o->site, GA_BAD_ARGUMENT, ".fs = %g: use a rate above 0", o->fs);
    else if (o->detrend < GA_TREND_DEFAULT || o->detrend > GA_TREND_NONE)
        gi_fail(o->site, GA_BAD_ARGUMENT, ".detrend = %d: use a ga_trend", (int)o->detrend);
    else return gi_axis(o->site, o->axis, x->ndim);
    return -1;
}

ga_array *(ga_welch)(const ga_array *x, ga_spectrum_options o)
{
    const int axis = gi_spectrum_axis(x, &o, true, false);
    return axis >= 0 && gi_spectrum_check(x, x->shape[axis], &o, "hann", 2)
               ? gi_power_spectrum(x, axis, &o, gi_do_average_power)
               : NULL;
}
ga_array *(ga_spectrogram)(const ga_array *x, ga_spectrum_options o)
{
    const int axis = gi_spectrum_axis(x, &o, false, true);
    return axis >= 0 && gi_spectrum_check(x, x->shape[axis], &o, GI_TUKEY_QUARTER, 8)
               ? gi_power_spectrum(x, axis, &o, gi_do_spectrum_mode)
               : NULL;
}
ga_array *(ga_periodogram)(const ga_array *x, ga_spectrum_options o)
{
    const int axis = gi_spectrum_axis(x, &o, false, false);
    if (axis < 0) return NULL;
    if (o.nperseg != GA_LENGTH_DEFAULT || o.noverlap != GA_LENGTH_DEFAULT)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "ga_periodogram takes the whole line: see ga_welch");
    if (o.nfft < 1 && o.nfft != GA_LENGTH_DEFAULT)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, ".nfft = %lld: use 1 or more", (long long)o.nfft);
    const int64_t n = o.nfft > 0 && o.nfft < x->shape[axis] ? o.nfft : x->shape[axis];
    o.nperseg       = n;
    o.noverlap      = 0;
    if (!gi_spectrum_check(x, n, &o, "boxcar", 1)) return NULL;
    ga_array *part = gi_part(o.site, x, axis, 0, n), *r = part ? gi_power_spectrum(part, axis, &o, gi_do_mean_power) : NULL;
    ga_free(part);
    return r;
}
