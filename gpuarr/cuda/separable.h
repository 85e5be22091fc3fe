/* ---- weights that are an outer product ------------------------------------------------------------------------------------ */
/*  They are tried as on the CPU (gpuarr.h, gi_factor_weights), and the host does not wait to hear whether they are: both ways are
    queued, and the kernels of the one that is not wanted find nothing to do.                                                  */

typedef struct gi_cuda_factoring {
    const void *weights;
    int64_t     n, width;
    double      cval;
    void       *column, *row, *outside; /* outside: the sum over a row of what is cval everywhere */
    int        *factored;
} gi_cuda_factoring;

enum { GI_WEIGHTS_WILD = 1, GI_WEIGHTS_FRACTIONS = 2, GI_WEIGHTS_APART = 4 };

template <class T, T (*of)(double), T (*weigh)(T, T, T)>
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_factor(const gi_cuda_factoring j)
{
    GI_BLOCK_SHARED(unsigned long long, top, [2]); /* the bits of the largest weight's size; where it is first */
    GI_BLOCK_SHARED(int, found, [1]);
    const T *weights = (const T *)j.weights;
    T       *column = (T *)j.column, *row = (T *)j.row;
    double   largest = 0;
    int64_t  place   = 0;
    int      kinds   = 0;
    if (threadIdx.x == 0) {
        top[0] = found[0] = 0;
        top[1]            = UINT64_MAX;
    }
    __syncthreads();
#pragma unroll 1
    for (int64_t i = threadIdx.x; i < j.n; i += GI_CUDA_THREADS) {
        const double x = gi_abs_f64((double)weights[i]);
        if (!(x <= DBL_MAX)) kinds |= GI_WEIGHTS_WILD;
        if (x != gi_floor_f64(x)) kinds |= GI_WEIGHTS_FRACTIONS;
        if (x > largest) {
            largest = x;
            place   = i;
        }
    }
    atomicMax(&top[0], gi_bits_f64(largest));
    atomicOr(&found[0], kinds);
    __syncthreads();
    if (gi_bits_f64(largest) == top[0]) atomicMin(&top[1], (unsigned long long)place);
    kinds = found[0];
    __syncthreads();
    place               = (int64_t)top[1];
    const double  by    = (double)weights[place];
    const int64_t above = place / j.width, before = place - above * j.width, height = j.n / j.width;
#pragma unroll 1
    for (int64_t i = threadIdx.x; i < height; i += GI_CUDA_THREADS) column[i] = weights[i * j.width + before];
#pragma unroll 1
    for (int64_t i = threadIdx.x; i < j.width; i += GI_CUDA_THREADS) row[i] = of((double)weights[above * j.width + i] / by);
    __syncthreads();
    const double ulps = kinds & GI_WEIGHTS_FRACTIONS ? 16 * (sizeof(T) == 4 ? FLT_EPSILON : DBL_EPSILON) : 0;
#pragma unroll 1
    for (int64_t i = threadIdx.x; i < j.n; i += GI_CUDA_THREADS)
        if (!gi_conv_is_product((double)weights[i], (double)column[i / j.width], (double)row[i % j.width], ulps))
            kinds |= GI_WEIGHTS_APART;
    atomicOr(&found[0], kinds);
    __syncthreads();
    if (threadIdx.x > 0) return;
    *j.factored = !(found[0] & (GI_WEIGHTS_WILD | GI_WEIGHTS_APART));
    T outside   = (T)-0.0;
#pragma unroll 1
    for (int64_t i = 0; i < j.width; i++) outside = weigh(outside, row[i], of(j.cval));
    *(T *)j.outside = outside;
}

/* The job as it is, and as two with the sums over the rows in `between`. */
static bool gi_cuda_correlate_both_ways(const char *site, const gi_correlation *c, const gi_cuda_factoring *j, void *between)
{
    gi_correlation jobs[3];
    void (*factor)(gi_cuda_factoring) = c->dtype == GA_F32 ? gi_cuda_factor<float, gi_cast_f32_f64, gi_weigh_f32>
                                                           : gi_cuda_factor<double, gi_cast_f64_f64, gi_weigh_f64>;
    jobs[0]                           = *c;
    gi_conv_split(c, j->column, j->row, between, &jobs[1], &jobs[2]);
    GI_LAUNCH(factor, 1, GI_CUDA_THREADS, gi_cuda_current_stream(), *j);
    bool ok = gi_cuda_launched(site, "the weights of a convolution");
    for (int k = 0; k < 3 && ok; k++) {
        gi_cuda_correlation m;
        gi_cuda_describe_correlation(&jobs[k], &m);
        m.factored = j->factored;
        m.passes   = k > 0;
        if (k == 2) m.outside = (const char *)j->outside;
        ok = gi_cuda_run_correlation(site, &jobs[k], &m);
    }
    return ok;
}

static bool gi_cuda_correlate_factored(const char *site, const gi_correlation *c)
{
    const int64_t     size = ga_itemsize(c->dtype), sums = (c->shape[0] * c->result[1] * size + 15) / 16 * 16;
    const size_t      bytes  = (size_t)(sums + 16 + (c->size[0] + c->size[1] + 1) * size);
    cudaStream_t      stream = gi_cuda_current_stream();
    gi_cuda_factoring j;
    char             *p = (char *)gi_cuda_alloc(site, gi_cuda_selected, stream, bytes);
    if (!p) return false;
    j.weights  = c->weights;
    j.n        = c->size[0] * c->size[1];
    j.width    = c->size[1];
    j.cval     = c->cval;
    j.factored = (int *)(p + sums);
    j.outside  = p + sums + 16;
    j.column   = p + sums + 16 + size;
    j.row      = p + sums + 16 + size + c->size[0] * size;
    bool ok    = gi_cuda_correlate_both_ways(site, c, &j, p);
    gi_cuda_release(p, gi_cuda_selected, stream, bytes);
    return ok;
}
