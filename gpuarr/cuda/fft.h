/* ---- through Fourier transforms -------------------------------------------------------------------------------------------- */
#if GI_HAS_CUFFT
/*  The results are cut into tiles as on the CPU (gpuarr.h, gi_fft_cut). As many of them as fit a buffer are read with their neighbours,
    transformed together, multiplied by the transform of the weights, transformed back and written.                            */

enum { GI_FFT_BYTES = 1 << 28 }; /* of the tiles that are transformed together */

typedef struct gi_cuda_fft_axis {
    gi_wide_divisor length, tiles; /* elements of a tile with its neighbours; how many tiles */
    int64_t         step, offset;  /* results of a tile; from a result to the first of its neighbours */
    int64_t         shape, stride, result, result_stride;
} gi_cuda_fft_axis;

typedef struct gi_cuda_fft {
    const char      *in;
    char            *out, *tiles;
    int              ndim;
    gi_cuda_fft_axis axis[GPUARR_MAX_DIMS];
    gi_wide_divisor  points;               /* of a tile */
    int64_t          first, count, number; /* tiles: the first one of the buffer, all, and those that the buffer has room for */
    ga_border        border;
    alignas(16) char constant[16];
} gi_cuda_fft;

/* Elements of the results' places, or of their neighbours', go between the arrays and the tiles, where they lie packed. */
template <class U, bool write>
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_fft_move(const __grid_constant__ gi_cuda_fft m)
{
    const int64_t at   = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x;
    int64_t       slot = gi_divide_wide(at, m.points), within = at - slot * m.points.by, tile = m.first + slot, place = 0;
    bool          exists = tile < m.count;
    if (slot >= m.number) return;
#pragma unroll 1
    for (int d = m.ndim - 1; d >= 0; d--) {
        const gi_cuda_fft_axis &a     = m.axis[d];
        const int64_t           above = gi_divide_wide(tile, a.tiles), before = gi_divide_wide(within, a.length);
        const int64_t           k = within - before * a.length.by, i = (tile - above * a.tiles.by) * a.step + k;
        tile   = above;
        within = before;
        if (write) {
            exists = exists && k < a.step && i < a.result;
            place += i * a.result_stride;
        } else {
            const int64_t j = gi_border_index(i + a.offset, a.shape, m.border);
            exists          = exists && j >= 0;
            place += j * a.stride;
        }
    }
    U *tiles = (U *)m.tiles;
    if (!write) tiles[at] = exists ? ((const U *)m.in)[place] : *(const U *)m.constant;
    else if (exists) ((U *)m.out)[place] = tiles[at];
}

template <class R> static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_fft_conjugate(int64_t n, R *parts)
{
    const int64_t i = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x;
    if (i < n) parts[2 * i + 1] = -parts[2 * i + 1];
}

/* A correlation is a product with the conjugate of the transform; complex weights were conjugated before it as well. */
template <class Z, class R, Z (*mul)(Z, Z)>
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_fft_multiply(int64_t n, Z *x, const Z *weights, const __grid_constant__ gi_wide_divisor waves, R scale)
{
    const int64_t i = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x;
    if (i >= n) return;
    Z w  = weights[i - gi_divide_wide(i, waves) * waves.by];
    w.re = w.re * scale;
    w.im = -w.im * scale;
    x[i] = mul(x[i], w);
}

/* A call's memory and plans: x the tiles and behind them the weights, z their waves. */
typedef struct gi_cuda_fft_run {
    bool         single, complex_;
    char        *x, *z;
    size_t       bytes; /* of x, z and what the plans work in */
    cudaStream_t stream;
    cufftHandle  forward, back;
} gi_cuda_fft_run;

static bool gi_cufft_ok(const char *site, cufftResult result, const char *call)
{
    if (result == CUFFT_SUCCESS) return true;
    if (result == CUFFT_ALLOC_FAILED)
        gi_fail(site, GA_NO_MEMORY, "cuFFT has no memory on the GPU: free arrays, or use GA_METHOD_DIRECT");
    else gi_fail(site, GA_CUDA_FAILED, "%.*s failed: cufftResult %d", (int)strcspn(call, "("), call, (int)result);
    return false;
}
#define GI_CUFFT_OK(site, call) gi_cufft_ok(site, call, #call)

/* cuFFT transforms 3 axes at most. The first of more become one: behind each of their rows are as many zeros as the weights reach
   beyond it, so that a row's sums take nothing from the next. */
static bool gi_cufft_plan(const char *site, const gi_fft *f, cufftType type, int64_t batch, cufftHandle *plan, size_t *work)
{
    long long n[3]  = { 1, 1, 1 };
    size_t    bytes = 0;
    int       rank  = f->rank < 3 ? f->rank : 3;
    for (int k = 0; k < f->rank; k++) n[k < f->rank - rank ? 0 : k - (f->rank - rank)] *= f->n[k];
    if (!GI_CUFFT_OK(site, cufftCreate(plan)) || !GI_CUFFT_OK(site, cufftSetAutoAllocation(*plan, 0)) ||
        !GI_CUFFT_OK(site, cufftMakePlanMany64(*plan, rank, n, NULL, 1, 0, NULL, 1, 0, type, batch, &bytes)))
        return false;
    if (bytes > *work) *work = bytes;
    return true;
}

static bool gi_cufft_run(const char *site, const gi_cuda_fft_run *r, bool back)
{
    if (r->single && r->complex_)
        return back ? GI_CUFFT_OK(site, cufftExecC2C(r->back, (cufftComplex *)r->z, (cufftComplex *)r->x, CUFFT_INVERSE))
                    : GI_CUFFT_OK(site, cufftExecC2C(r->forward, (cufftComplex *)r->x, (cufftComplex *)r->z, CUFFT_FORWARD));
    if (r->complex_)
        return back ? GI_CUFFT_OK(site,
                                  cufftExecZ2Z(r->back, (cufftDoubleComplex *)r->z, (cufftDoubleComplex *)r->x, CUFFT_INVERSE))
                    : GI_CUFFT_OK(site, cufftExecZ2Z(r->forward, (cufftDoubleComplex *)r->x, (cufftDoubleComplex *)r->z,
                                                     CUFFT_FORWARD));
    if (r->single)
        return back ? GI_CUFFT_OK(site, cufftExecC2R(r->back, (cufftComplex *)r->z, (cufftReal *)r->x))
                    : GI_CUFFT_OK(site, cufftExecR2C(r->forward, (cufftReal *)r->x, (cufftComplex *)r->z));
    return back ? GI_CUFFT_OK(site, cufftExecZ2D(r->back, (cufftDoubleComplex *)r->z, (cufftDoubleReal *)r->x))
                : GI_CUFFT_OK(site, cufftExecD2Z(r->forward, (cufftDoubleReal *)r->x, (cufftDoubleComplex *)r->z));
}

template <bool write> static bool gi_cuda_fft_move_tiles(const char *site, const gi_cuda_fft *m, int64_t size)
{
    void (*move)(gi_cuda_fft) = size == 4   ? gi_cuda_fft_move<uint32_t, write>
                                : size == 8 ? gi_cuda_fft_move<uint64_t, write>
                                            : gi_cuda_fft_move<gi_16_bytes, write>;
    GI_LAUNCH(move, gi_cuda_blocks(m->number * m->points.by), GI_CUDA_THREADS, gi_cuda_current_stream(), *m);
    return gi_cuda_launched(site, "a convolution's tiles");
}

/* The weights as one more tile, with zeros behind. */
static bool gi_cuda_fft_read_weights(const char *site, const gi_fft *f, const gi_cuda_fft *tiles, const gi_cuda_fft_run *r)
{
    const gi_correlation *c    = f->c;
    gi_cuda_fft           m    = *tiles;
    const int64_t         size = ga_itemsize(c->dtype), points = f->points;
    int64_t               stride = 1;
    m.in                         = (const char *)c->weights;
    m.tiles                      = r->x + tiles->number * points * size;
    m.border                     = GA_BORDER_CONSTANT;
    m.count = m.number = 1;
    memset(m.constant, 0, sizeof m.constant);
    for (int d = c->ndim - 1; d >= 0; d--) {
        m.axis[d].tiles  = gi_wide_divisor_of(1, 1);
        m.axis[d].offset = 0;
        m.axis[d].shape  = c->size[d];
        m.axis[d].stride = stride;
        stride *= c->size[d];
    }
    if (!gi_cuda_fft_move_tiles<false>(site, &m, size)) return false;
    if (!r->complex_) return true;
    if (r->single)
        GI_LAUNCH(gi_cuda_fft_conjugate<float>, gi_cuda_blocks(points), GI_CUDA_THREADS, r->stream, points, (float *)m.tiles);
    else
        GI_LAUNCH(gi_cuda_fft_conjugate<double>, gi_cuda_blocks(points), GI_CUDA_THREADS, r->stream, points, (double *)m.tiles);
    return gi_cuda_launched(site, "a convolution's weights");
}

static bool gi_cuda_fft_multiply_waves(const char *site, const gi_fft *f, int64_t number, const gi_cuda_fft_run *r)
{
    const int64_t         n     = number * f->waves;
    const double          scale = 1 / (double)f->points;
    const gi_wide_divisor waves = gi_wide_divisor_of(f->waves, n + GI_CUDA_THREADS);
    if (r->single)
        GI_LAUNCH((gi_cuda_fft_multiply<ga_c64, float, gi_mul_c64>), gi_cuda_blocks(n), GI_CUDA_THREADS, r->stream, n,
                  (ga_c64 *)r->z, (const ga_c64 *)r->z + n, waves, (float)scale);
    else
        GI_LAUNCH((gi_cuda_fft_multiply<ga_c128, double, gi_mul_c128>), gi_cuda_blocks(n), GI_CUDA_THREADS, r->stream, n,
                  (ga_c128 *)r->z, (const ga_c128 *)r->z + n, waves, scale);
    return gi_cuda_launched(site, "a product of transforms");
}

static void gi_cuda_fft_describe(const gi_fft *f, gi_cuda_fft *m)
{
    const gi_correlation *c = f->c;
    memset(m, 0, sizeof *m);
    m->in            = (const char *)c->in;
    m->out           = (char *)c->out;
    m->ndim          = c->ndim;
    m->count         = f->count;
    m->border        = c->border;
    int64_t together = GI_FFT_BYTES / (f->points * ga_itemsize(c->dtype));
    m->number        = together < 1 ? 1 : together < f->count ? together : f->count;
    m->points        = gi_wide_divisor_of(f->points, m->number * f->points + GI_CUDA_THREADS);
    gi_conv_constant(c, m->constant);
    int64_t stride = 1, result_stride = 1;
    for (int d = c->ndim - 1; d >= 0; d--) {
        gi_cuda_fft_axis *a = &m->axis[d];
        a->length           = gi_wide_divisor_of(f->length[d], f->points);
        a->tiles            = gi_wide_divisor_of(f->tiles[d], f->count + m->number);
        a->step             = f->step[d];
        a->offset           = c->offset[d];
        a->shape            = c->shape[d];
        a->stride           = stride;
        a->result           = c->result[d];
        a->result_stride    = result_stride;
        stride *= c->shape[d];
        result_stride *= c->result[d];
    }
}

/* All tiles, a buffer full after the other. */
static bool gi_cuda_fft_tiles(const char *site, const gi_fft *f, gi_cuda_fft *m, const gi_cuda_fft_run *r)
{
    const int64_t size = ga_itemsize(f->c->dtype);
    m->tiles           = r->x;
    bool ok            = gi_cuda_fft_read_weights(site, f, m, r);
    for (; ok && m->first < m->count; m->first += m->number)
        ok = gi_cuda_fft_move_tiles<false>(site, m, size) && gi_cufft_run(site, r, false) &&
             gi_cuda_fft_multiply_waves(site, f, m->number, r) && gi_cufft_run(site, r, true) &&
             gi_cuda_fft_move_tiles<true>(site, m, size);
    return ok;
}

/* Memory for `tiles` tiles and the weights, and the plans that use it. */
static bool gi_cuda_fft_begin(const char *site, const gi_fft *f, int64_t tiles, gi_cuda_fft_run *r)
{
    const int64_t   wave  = r->single ? (int64_t)sizeof(ga_c64) : (int64_t)sizeof(ga_c128);
    const cufftType there = r->complex_ ? (r->single ? CUFFT_C2C : CUFFT_Z2Z) : r->single ? CUFFT_R2C : CUFFT_D2Z;
    const cufftType back  = r->complex_ ? there : r->single ? CUFFT_C2R : CUFFT_Z2D;
    size_t          work  = 1;
    if (!gi_cufft_plan(site, f, there, tiles + 1, &r->forward, &work) || !gi_cufft_plan(site, f, back, tiles, &r->back, &work))
        return false;
    const size_t x = (size_t)((tiles + 1) * f->points * ga_itemsize(f->c->dtype) + 255) / 256 * 256;
    const size_t z = (size_t)((tiles + 1) * f->waves * wave + 255) / 256 * 256;
    r->bytes       = x + z + work;
    r->x           = (char *)gi_cuda_alloc(site, gi_cuda_selected, r->stream, r->bytes);
    r->z           = r->x + x;
    return r->x && GI_CUFFT_OK(site, cufftSetWorkArea(r->forward, r->z + z)) &&
           GI_CUFFT_OK(site, cufftSetWorkArea(r->back, r->z + z)) && GI_CUFFT_OK(site, cufftSetStream(r->forward, r->stream)) &&
           GI_CUFFT_OK(site, cufftSetStream(r->back, r->stream));
}

static void gi_cuda_fft_end(gi_cuda_fft_run *r)
{
    if (r->forward != CUFFT_PLAN_NULL) (void)cufftDestroy(r->forward);
    if (r->back != CUFFT_PLAN_NULL) (void)cufftDestroy(r->back);
    gi_cuda_release(r->x, gi_cuda_selected, r->stream, r->bytes);
}

static bool gi_cuda_correlate_fft(const char *site, const gi_correlation *c)
{
    gi_fft          f;
    gi_cuda_fft     m;
    gi_cuda_fft_run r;
    memset(&f, 0, sizeof f);
    memset(&r, 0, sizeof r);
    f.c        = c;
    f.complex_ = r.complex_ = gi_is_complex(c->dtype);
    r.single                = c->dtype == GA_F32 || c->dtype == GA_C64;
    r.forward = r.back = CUFFT_PLAN_NULL;
    r.stream           = gi_cuda_current_stream();
    if (!gi_fft_takes(site, c)) return false;
    gi_fft_cut(&f);
    gi_cuda_fft_describe(&f, &m);
    bool ok = gi_cuda_fft_begin(site, &f, m.number, &r) && gi_cuda_fft_tiles(site, &f, &m, &r);
    gi_cuda_fft_end(&r);
    return ok;
}
#endif
