/* ==== >>cuda counting: histograms and bins =============================================================================== */

/*  Ones are counted with atomics on integers, whose order does not matter. Weights are added up in the order that gpuarr.h
    documents: a block of the GPU takes a block of elements, and each of its warps the bins whose number modulo 8 is its own. It
    gathers the elements of those bins in their order, 32 of them at a time; then one lane for each bin adds up its elements.  */

enum { GI_COUNT_SHARED = 4096, GI_WEIGH_ITEMS = 8, GI_WEIGH_TILE = GI_WEIGH_ITEMS * GI_CUDA_THREADS };

typedef struct gi_binning {
    const char   *data; /* packed */
    ga_dtype      dtype;
    int64_t       n, bins;
    const double *edges; /* NULL: the elements are the numbers of their bins */
} gi_binning;

/* The bin of element i, -1 for none. */
GI_DEVICE int64_t gi_cuda_bin(const gi_binning &m, int64_t i)
{
    double  x   = 0;
    int64_t bin = 0;
    switch (m.dtype) {
#define GI_CASE(TAG, tag, T, name)                                                                                             \
    case GA_##TAG:                                                                                                             \
        if (m.edges) x = gi_cast_f64_##tag(((const gi_stored_##tag *)m.data)[i]);                                              \
        else bin = gi_cast_i64_##tag(((const gi_stored_##tag *)m.data)[i]);                                                    \
        break;
        GI_EACH_BOOL(GI_CASE)
        GI_EACH_INT(GI_CASE)
        GI_EACH_FLT(GI_CASE)
#undef GI_CASE
    default: break;
    }
    return m.edges ? gi_bin_of(x, m.edges, m.bins) : bin;
}

/* Counts into shared memory first, if the bins fit. */
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_count_few(const __grid_constant__ gi_binning m, unsigned long long *counts)
{
    GI_BLOCK_SHARED(unsigned, own, [GI_COUNT_SHARED]);
    for (int k = threadIdx.x; k < m.bins; k += GI_CUDA_THREADS) own[k] = 0;
    __syncthreads();
    for (int64_t i = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x; i < m.n; i += (int64_t)gridDim.x * GI_CUDA_THREADS) {
        int64_t bin = gi_cuda_bin(m, i);
        if (bin >= 0) atomicAdd(&own[bin], 1u);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < m.bins; k += GI_CUDA_THREADS)
        if (own[k]) atomicAdd(&counts[k], (unsigned long long)own[k]);
}

static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_count_many(const __grid_constant__ gi_binning m, unsigned long long *counts)
{
    for (int64_t i = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x; i < m.n; i += (int64_t)gridDim.x * GI_CUDA_THREADS) {
        int64_t bin = gi_cuda_bin(m, i);
        if (bin >= 0) atomicAdd(&counts[bin], 1ull);
    }
}

/* Adds the first `waiting` elements of a warp's queue to the sums of their bins, each bin in the order of the queue. Sums begin as +0,
   so none is ever -0, and adding +0 changes nothing. */
GI_DEVICE void gi_cuda_weigh_queue(const int64_t *bins, const double *weights, int waiting, double *sums)
{
    int      lane  = threadIdx.x % 32;
    int64_t  bin   = lane < waiting ? bins[lane] : -1 - lane;
    uint32_t group = __match_any_sync(0xffffffffu, (unsigned long long)bin);
    bool     first = lane < waiting && __ffs((int)group) - 1 == lane; /* of its bin: adds for all */
    double   sum   = first ? sums[bin] : 0;
    if (!first) group = 0;
    if (__any_sync(0xffffffffu, __popc(group) >= 12)) { /* as in a picture with a background: without waiting for each weight */
#pragma unroll 8
        for (int k = 0; k < 32; k++) sum += group >> k & 1 ? weights[k] : 0.0;
    } else {
        for (; __any_sync(0xffffffffu, group != 0); group &= group - 1)
            if (group) sum += weights[__ffs((int)group) - 1];
    }
    if (first) sums[bin] = sum;
}

/* A row of sums for each block of elements. */
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_weigh(const __grid_constant__ gi_binning m, const double *weights, int64_t first, int64_t block, double *sums)
{
    enum { QUEUE = 64 };
    GI_BLOCK_SHARED(int64_t, bin, [GI_WEIGH_TILE]);
    GI_BLOCK_SHARED(double, weight, [GI_WEIGH_TILE]);
    GI_BLOCK_SHARED(int64_t, queued_bin, [GI_WARPS][QUEUE]);
    GI_BLOCK_SHARED(double, queued_weight, [GI_WARPS][QUEUE]);
    int      lane = threadIdx.x % 32, warp = threadIdx.x / 32, waiting = 0;
    uint32_t below = (1u << lane) - 1;
    int64_t  start = (first + blockIdx.x) * block, stop = m.n - start < block ? m.n : start + block;
    sums += blockIdx.x * m.bins;
    for (; start < stop; start += GI_WEIGH_TILE) {
#pragma unroll
        for (int k = 0; k < GI_WEIGH_ITEMS; k++) {
            int     e = threadIdx.x + k * GI_CUDA_THREADS;
            int64_t b = start + e < stop ? gi_cuda_bin(m, start + e) : -1;
            bin[e]    = b;
            weight[e] = b >= 0 ? weights[start + e] : 0;
        }
        __syncthreads();
        for (int e = lane; e < GI_WEIGH_TILE; e += 32) {
            int64_t  b    = bin[e];
            bool     mine = b >= 0 && b % GI_WARPS == warp;
            uint32_t who  = __ballot_sync(0xffffffffu, mine);
            if (mine) {
                int place                  = waiting + __popc(who & below);
                queued_bin[warp][place]    = b;
                queued_weight[warp][place] = weight[e];
            }
            waiting += __popc(who);
            bool last = start + GI_WEIGH_TILE >= stop && e >= GI_WEIGH_TILE - 32;
            while (waiting >= 32 || (last && waiting > 0)) {
                __syncwarp();
                gi_cuda_weigh_queue(queued_bin[warp], queued_weight[warp], waiting, sums);
                __syncwarp();
                waiting = waiting > 32 ? waiting - 32 : 0;
                if (lane < waiting) { /* the others move up */
                    queued_bin[warp][lane]    = queued_bin[warp][lane + 32];
                    queued_weight[warp][lane] = queued_weight[warp][lane + 32];
                }
                __syncwarp(); /* redundant: the next ballot meets, too, though CUDA promises no order of memory for it */
            }
        }
        __syncthreads();
    }
}

/* Adds the rows, in their order, to the total. */
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_add_rows(double *total, const double *rows, int64_t bins, int64_t count)
{
    int64_t i = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x;
    if (i >= bins) return;
    double sum = total[i];
#pragma unroll 8
    for (int64_t k = 0; k < count; k++) sum += rows[k * bins + i];
    total[i] = sum;
}

static bool gi_cuda_count_ones(const char *site, const ga_array *a, const gi_binning *m, ga_array *total)
{
    unsigned long long *counts = (unsigned long long *)total->data;
    int64_t most = (int64_t)gi_gpus.gpu[gi_cuda_ordinal(a)].processors * 8, least = m->n >> 31; /* own counts are 32 bits */
    int64_t blocks = (m->n + 16 * GI_CUDA_THREADS - 1) / (16 * GI_CUDA_THREADS);
    if (blocks > most) blocks = most > least ? most : least + 1;
    void (*kernel)(const gi_binning, unsigned long long *) = gi_cuda_count_many;
    if (m->bins <= GI_COUNT_SHARED) kernel = gi_cuda_count_few;
    GI_LAUNCH(kernel, (unsigned)blocks, GI_CUDA_THREADS, gi_cuda_current_stream(), *m, counts);
    return gi_cuda_launched(site, "counting");
}

static bool gi_cuda_weigh_all(const char *site, const gi_binning *m, const ga_array *weights, ga_array *total)
{
    const int64_t room  = (int64_t)1 << 25; /* sums of all blocks that are added up at once */
    int64_t       block = m->bins > GI_COUNT_BLOCK ? m->bins : GI_COUNT_BLOCK, blocks = (m->n + block - 1) / block;
    int64_t       at_once = room / m->bins < 1 ? 1 : room / m->bins < blocks ? room / m->bins : blocks;
    size_t        row     = (size_t)m->bins * sizeof(double);
    cudaStream_t  stream  = gi_cuda_current_stream();
    gi_scratch    sums;
    if (!gi_scratch_get(site, &sums, weights, (size_t)at_once * row)) return false;
    bool ok = true;
    for (int64_t first = 0; ok && first < blocks; first += at_once) {
        int64_t count = blocks - first < at_once ? blocks - first : at_once;
        ok            = GI_CUDA_OK(site, cudaMemsetAsync(sums.p, 0, (size_t)count * row, stream));
        if (!ok) break;
        GI_LAUNCH(gi_cuda_weigh, (unsigned)count, GI_CUDA_THREADS, stream, *m, (const double *)weights->data, first, block,
                  (double *)sums.p);
        ok = gi_cuda_launched(site, "adding weights");
        if (!ok) break;
        GI_LAUNCH(gi_cuda_add_rows, gi_cuda_blocks(m->bins), GI_CUDA_THREADS, stream, (double *)total->data,
                  (const double *)sums.p, m->bins, count);
        ok = gi_cuda_launched(site, "adding weights");
    }
    gi_scratch_free(&sums);
    return ok;
}

/* How many elements lie in each bin, int64, or the sums of their weights, float64. */
static ga_array *gi_cuda_count_bins(const char *site, const ga_array *a, const ga_array *weights, int64_t bins,
                                    const double *edges)
{
    ga_array *total          = gi_array_new(site, weights ? GA_F64 : GA_I64, GA_CUDA, 1, &bins);
    ga_array *packed         = total ? gi_cuda_packed(site, a, a->dtype) : NULL;
    ga_array *packed_weights = packed && weights ? gi_cuda_packed(site, weights, GA_F64) : NULL;
    bool      ok             = packed && (packed_weights || !weights) && gi_cuda_clear(site, total);
    if (ok && a->size > 0) {
        gi_binning      m      = { (const char *)packed->data, a->dtype, a->size, bins, edges };
        const ga_array *all[3] = { packed, packed_weights, total };
        ok                     = gi_cuda_touch_all(site, 3, all);
        if (ok && weights) ok = gi_cuda_weigh_all(site, &m, packed_weights, total);
        else if (ok) ok = gi_cuda_count_ones(site, packed, &m, total);
    }
    ga_free(packed_weights);
    ga_free(packed);
    if (ok) return total;
    ga_free(total);
    return NULL;
}
