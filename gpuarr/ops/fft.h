/* ---- through Fourier transforms ------------------------------------------------------------------------------------------ */
/*  FFTW has to be linked, so it is used only when asked for: cc -DGPUARR_USE_FFTW main.c -lfftw3 -lfftw3f -lm -lpthread. Without it
    GA_METHOD_FFT is made of our own transforms (ops/fft_correlate.h).

    The results are cut into tiles. Around each one the neighbours are read, with the border filled in, transformed, multiplied by the
    transform of the weights, and transformed back; what of that went round the edges of the tile is left out.                       */

#if defined(GPUARR_USE_FFTW) && !defined(GPUARR_NO_FFTW)
#define GI_HAS_FFTW 1
#else
#define GI_HAS_FFTW 0
#endif

#if GI_HAS_FFTW
#if defined(__has_include)
#if !__has_include(<fftw3.h>)
#error "gpuarr: GPUARR_USE_FFTW needs fftw3.h: apt-get install libfftw3-dev, or compile without it"
#endif
#endif
#include <fftw3.h>

static pthread_mutex_t gi_fftw_planner = PTHREAD_MUTEX_INITIALIZER; /* FFTW plans for one thread at a time */

/* FFTW has each function twice. Plans go from x to its waves, or back. */
#define GI_FFTW(F, real)                                                                                                       \
    static void *gi_plan_##F(int rank, const int *n, void *x, void *waves, bool complex_, bool back)                           \
    {                                                                                                                          \
        F##_complex *z = (F##_complex *)x, *w = (F##_complex *)waves;                                                          \
        if (complex_)                                                                                                          \
            return F##_plan_dft(rank, n, back ? w : z, back ? z : w, back ? FFTW_BACKWARD : FFTW_FORWARD, FFTW_ESTIMATE);      \
        if (back) return F##_plan_dft_c2r(rank, n, w, (real *)x, FFTW_ESTIMATE);                                               \
        return F##_plan_dft_r2c(rank, n, (real *)x, w, FFTW_ESTIMATE);                                                         \
    }                                                                                                                          \
    static void gi_transform_##F(void *plan, void *x, void *waves, bool complex_, bool back)                                   \
    {                                                                                                                          \
        F##_complex *z = (F##_complex *)x, *w = (F##_complex *)waves;                                                          \
        if (complex_) F##_execute_dft((F##_plan)plan, back ? w : z, back ? z : w);                                             \
        else if (back) F##_execute_dft_c2r((F##_plan)plan, w, (real *)x);                                                      \
        else F##_execute_dft_r2c((F##_plan)plan, (real *)x, w);                                                                \
    }
GI_FFTW(fftw, double)
GI_FFTW(fftwf, float)
#undef GI_FFTW

/* The elements from these coordinates on, as many as a tile has. */
static void gi_fft_read(const gi_fft *f, const int64_t *start, char *x)
{
    const gi_correlation *c    = f->c;
    const int64_t         line = f->length[c->ndim - 1], size = ga_itemsize(c->dtype);
    for (int64_t row = 0; row < f->points / line; row++) {
        int64_t at[GPUARR_MAX_DIMS], rest = row;
        for (int d = c->ndim - 2; d >= 0; d--) {
            at[d] = start[d] + rest % f->length[d];
            rest /= f->length[d];
        }
        gi_read_bordered(c, at, start[c->ndim - 1], line, f->constant, x + row * line * size);
    }
}

/* Writes the results of a tile; `first`: their coordinates. */
static void gi_fft_write(const gi_fft *f, const int64_t *first, const char *x)
{
    const gi_correlation *c    = f->c;
    const int             last = c->ndim - 1;
    const int64_t         size = ga_itemsize(c->dtype);
    int64_t               count[GPUARR_MAX_DIMS], rows = 1;
    for (int d = 0; d <= last; d++) {
        count[d] = c->result[d] - first[d] < f->step[d] ? c->result[d] - first[d] : f->step[d];
        if (d < last) rows *= count[d];
    }
    for (int64_t row = 0; row < rows; row++) {
        int64_t from = 0, to = 0, stride = f->length[last], out_stride = c->result[last], rest = row;
        for (int d = last - 1; d >= 0; d--) {
            from += rest % count[d] * stride;
            to += (first[d] + rest % count[d]) * out_stride;
            rest /= count[d];
            stride *= f->length[d];
            out_stride *= c->result[d];
        }
        memcpy((char *)c->out + (to + first[last]) * size, x + from * size, (size_t)(count[last] * size));
    }
}

GI_BEGIN_FAST
static void gi_fft_multiply_f32(int64_t n, ga_c64 *x, const ga_c64 *w)
{
    for (int64_t i = 0; i < n; i++) x[i] = gi_mul_c64(x[i], w[i]);
}
static void gi_fft_multiply_f64(int64_t n, ga_c128 *x, const ga_c128 *w)
{
    for (int64_t i = 0; i < n; i++) x[i] = gi_mul_c128(x[i], w[i]);
}
GI_END_FAST

static void gi_transform(const gi_fft *f, char *tile, bool back)
{
    void *plan = back ? f->back : f->forward;
    if (f->single) gi_transform_fftwf(plan, tile, tile + f->x_bytes, f->complex_, back);
    else gi_transform_fftw(plan, tile, tile + f->x_bytes, f->complex_, back);
}

static void gi_fft_parts(int64_t begin, int64_t end, void *job)
{
    const gi_fft         *f = (const gi_fft *)job;
    const gi_correlation *c = f->c;
    for (int64_t part = begin; part < end; part++) {
        char *tile = f->scratch + part * (int64_t)f->bytes;
        for (int64_t n = f->count * part / f->parts; n < f->count * (part + 1) / f->parts; n++) {
            int64_t first[GPUARR_MAX_DIMS], start[GPUARR_MAX_DIMS], rest = n;
            for (int d = c->ndim - 1; d >= 0; d--) {
                first[d] = rest % f->tiles[d] * f->step[d];
                start[d] = first[d] + c->offset[d];
                rest /= f->tiles[d];
            }
            gi_fft_read(f, start, tile);
            gi_transform(f, tile, false);
            if (f->single)
                gi_fft_multiply_f32(f->waves, (ga_c64 *)(void *)(tile + f->x_bytes),
                                    (const ga_c64 *)(void *)(f->weights + f->x_bytes));
            else
                gi_fft_multiply_f64(f->waves, (ga_c128 *)(void *)(tile + f->x_bytes),
                                    (const ga_c128 *)(void *)(f->weights + f->x_bytes));
            gi_transform(f, tile, true);
            gi_fft_write(f, first, tile);
        }
    }
}

/* A correlation is a product with the conjugate of the transform; complex weights are conjugated before as well. */
static void gi_fft_weights(gi_fft *f)
{
    gi_correlation weights                = *f->c; /* the weights, with zeros behind */
    gi_fft         as_tile                = *f;
    int64_t        start[GPUARR_MAX_DIMS] = { 0 };
    const double   scale                  = 1 / (double)f->points;
    weights.in                            = f->c->weights;
    weights.border                        = GA_BORDER_CONSTANT;
    memcpy(weights.shape, f->c->size, sizeof weights.shape);
    memset(as_tile.constant, 0, sizeof as_tile.constant);
    as_tile.c = &weights;
    gi_fft_read(&as_tile, start, f->weights);
    for (int64_t i = 0; i < f->points && f->complex_; i++) {
        if (f->single) ((ga_c64 *)(void *)f->weights)[i] = gi_conj_c64(((ga_c64 *)(void *)f->weights)[i]);
        else ((ga_c128 *)(void *)f->weights)[i] = gi_conj_c128(((ga_c128 *)(void *)f->weights)[i]);
    }
    gi_transform(f, f->weights, false);
    for (int64_t i = 0; i < f->waves; i++) {
        char *wave = f->weights + f->x_bytes;
        if (f->single) {
            ga_c64 *z = (ga_c64 *)(void *)wave + i;
            *z        = gi_make_c64((float)(z->re * scale), (float)(-z->im * scale));
        } else {
            ga_c128 *z = (ga_c128 *)(void *)wave + i;
            *z         = gi_make_c128(z->re * scale, -z->im * scale);
        }
    }
}

/* Is it at least three times as fast? It rounds otherwise, so it is not worth less. By measurements an element of a tile and a factor 2
   of its size cost as much as 30 or, of complex numbers, 8 weights of the direct way. */
static bool gi_fft_pays(const gi_correlation *c)
{
    if (!gi_is_float(c->dtype) && !gi_is_complex(c->dtype)) return false;
    const double weights = 3 * (gi_is_complex(c->dtype) ? 8 : 30);
    gi_fft       f;
    memset(&f, 0, sizeof f);
    f.c = c;
    gi_fft_cut(&f);
    return (double)gi_shape_size(c->ndim, c->result) * (double)gi_shape_size(c->ndim, c->size) >
           weights * (double)f.count * (double)f.points * log2((double)f.points);
}

static bool gi_is_tame(int64_t n, bool single, const void *x) /* neither inf nor NaN */
{
    bool tame = true;
    for (int64_t i = 0; i < n; i++)
        tame &= single ? gi_isfinite_f32(((const float *)x)[i]) : gi_isfinite_f64(((const double *)x)[i]);
    return tame;
}

static bool gi_fft_is_safe(const gi_correlation *c)
{
    const int64_t parts  = gi_is_complex(c->dtype) ? 2 : 1;
    const bool    single = c->dtype == GA_F32 || c->dtype == GA_C64;
    return gi_is_tame(parts * gi_shape_size(c->ndim, c->size), single, c->weights) &&
           gi_is_tame(parts * gi_shape_size(c->ndim, c->shape), single, c->in);
}

static bool gi_conv_fft_cpu(const char *site, const gi_correlation *c)
{
    gi_fft f;
    memset(&f, 0, sizeof f);
    f.c        = c;
    f.single   = c->dtype == GA_F32 || c->dtype == GA_C64;
    f.complex_ = gi_is_complex(c->dtype);
    gi_conv_constant(c, f.constant);
    if (!gi_fft_takes(site, c)) return false;
    gi_fft_cut(&f);
    f.parts   = ga_get_num_threads() < f.count ? ga_get_num_threads() : f.count;
    f.x_bytes = (size_t)((f.points * ga_itemsize(c->dtype) + 63) / 64 * 64);
    f.bytes   = f.x_bytes + (size_t)((f.waves * (f.single ? 8 : 16) + 63) / 64 * 64);
    f.weights = (char *)gi_mem_alloc(site, f.bytes);
    f.scratch = f.weights ? (char *)gi_mem_alloc(site, f.bytes * (size_t)f.parts) : NULL;
    if (f.scratch) {
        pthread_mutex_lock(&gi_fftw_planner);
        void *(*plan)(int, const int *, void *, void *, bool, bool) = f.single ? gi_plan_fftwf : gi_plan_fftw;
        f.forward = plan(f.rank, f.n, f.weights, f.weights + f.x_bytes, f.complex_, false);
        f.back    = plan(f.rank, f.n, f.weights, f.weights + f.x_bytes, f.complex_, true);
        pthread_mutex_unlock(&gi_fftw_planner);
        if (!f.forward || !f.back)
            gi_fail(site, GA_NO_MEMORY, "FFTW has no memory for a transform of %lld elements", (long long)f.points);
    }
    bool done = f.forward && f.back;
    if (done) {
        gi_fft_weights(&f);
        gi_parallel(f.parts, 1, gi_fft_parts, &f);
    }
    pthread_mutex_lock(&gi_fftw_planner);
    if (f.single) fftwf_destroy_plan((fftwf_plan)f.forward), fftwf_destroy_plan((fftwf_plan)f.back);
    else fftw_destroy_plan((fftw_plan)f.forward), fftw_destroy_plan((fftw_plan)f.back);
    pthread_mutex_unlock(&gi_fftw_planner);
    gi_mem_release(f.weights, f.bytes);
    gi_mem_release(f.scratch, f.bytes * (size_t)f.parts);
    return done;
}
#else
static bool gi_fft_pays(const gi_correlation *c) { return (void)c, false; }
static bool gi_fft_is_safe(const gi_correlation *c) { return (void)c, false; }
static bool gi_conv_fft_cpu(const char *site, const gi_correlation *c) { return (void)site, (void)c, false; }
#endif
