/* ---- the radix sort ------------------------------------------------------------------------------------------------------- */

enum { GI_RADIX_TURNS = 16, GI_RADIX_OF_WARP = 32 * GI_RADIX_TURNS, GI_RADIX_TILE = GI_WARPS * GI_RADIX_OF_WARP };

/* How often each digit occurs in each tile: for the first digit all tiles, then for the second ... */
template <class K>
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_count_digits(const K *keys, int64_t n, int shift, int64_t *counts)
{
    GI_BLOCK_SHARED(unsigned, count, [GI_DIGITS]);
    int64_t start = (int64_t)blockIdx.x * GI_RADIX_TILE, stop = n - start < GI_RADIX_TILE ? n : start + GI_RADIX_TILE;
    count[threadIdx.x] = 0;
    __syncthreads();
    for (int64_t i = start + threadIdx.x; i < stop; i += GI_CUDA_THREADS)
        atomicAdd(&count[(unsigned)(keys[i] >> shift) % GI_DIGITS], 1u);
    __syncthreads();
    counts[(int64_t)threadIdx.x * gridDim.x + blockIdx.x] = count[threadIdx.x];
}

/* Moves each key of a tile to the place of its digit. Each warp has neighbouring keys, and knows how many of the warps before it
   have a digit. */
template <class K, class I>
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_move_digits(const K *keys, const I *with, K *to, I *with_to, int64_t n, int shift, const int64_t *places)
{
    GI_BLOCK_SHARED(unsigned, before, [GI_WARPS][GI_DIGITS]);
    GI_BLOCK_SHARED(int64_t, place, [GI_DIGITS]);
    int     warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int64_t start = (int64_t)blockIdx.x * GI_RADIX_TILE + warp * GI_RADIX_OF_WARP;
    K       key[GI_RADIX_TURNS];
#pragma unroll
    for (int w = 0; w < GI_WARPS; w++) before[w][threadIdx.x] = 0;
    place[threadIdx.x] = places[(int64_t)threadIdx.x * gridDim.x + blockIdx.x];
    __syncthreads();
#pragma unroll
    for (int turn = 0; turn < GI_RADIX_TURNS; turn++) {
        int64_t i = start + turn * 32 + lane;
        key[turn] = i < n ? keys[i] : 0;
        if (i < n) atomicAdd(&before[warp][(unsigned)(key[turn] >> shift) % GI_DIGITS], 1u);
    }
    __syncthreads();
    unsigned sum = 0;
#pragma unroll
    for (int w = 0; w < GI_WARPS; w++) {
        unsigned count         = before[w][threadIdx.x];
        before[w][threadIdx.x] = sum;
        sum += count;
    }
    __syncthreads();
#pragma unroll
    for (int turn = 0; turn < GI_RADIX_TURNS; turn++) {
        int64_t  i     = start + turn * 32 + lane;
        unsigned digit = (unsigned)(key[turn] >> shift) % GI_DIGITS;
        unsigned same = __match_any_sync(0xffffffffu, i < n ? digit : GI_DIGITS), lower = same & ((1u << lane) - 1);
        unsigned at = i < n ? before[warp][digit] : 0;
        __syncwarp();
        if (i < n && lower == 0) before[warp][digit] = at + __popc(same);
        __syncwarp();
        if (i < n) {
            int64_t target = place[digit] + at + __popc(lower);
            to[target]     = key[turn];
            if (with) with_to[target] = with[i];
        }
    }
}

template <class K, class I>
static bool gi_cuda_sort_by_digits(const char *site, const ga_array *on, K *(&keys)[2], I **with, int64_t n, int bits)
{
    cudaStream_t stream = gi_cuda_current_stream();
    int64_t      tiles  = (n + GI_RADIX_TILE - 1) / GI_RADIX_TILE;
    gi_scratch   places;
    if (!gi_scratch_get(site, &places, on, (size_t)tiles * GI_DIGITS * sizeof(int64_t))) return false;
    bool     ok = true;
    int64_t *p  = (int64_t *)places.p;
    for (int shift = 0; ok && shift < bits; shift += 8) {
        GI_LAUNCH(gi_cuda_count_digits<K>, (unsigned)tiles, GI_CUDA_THREADS, stream, keys[0], n, shift, p);
        ok = gi_cuda_launched(site, "the counts of a sort") && gi_cuda_exclusive_scan(site, on, p, tiles * GI_DIGITS, NULL);
        if (!ok) break;
        GI_LAUNCH((gi_cuda_move_digits<K, I>), (unsigned)tiles, GI_CUDA_THREADS, stream, keys[0], with ? with[0] : (I *)NULL,
                  keys[1], with ? with[1] : (I *)NULL, n, shift, p);
        ok       = gi_cuda_launched(site, "a sort");
        K *moved = keys[1];
        keys[1]  = keys[0];
        keys[0]  = moved;
        if (with) {
            I *moved_with = with[1];
            with[1]       = with[0];
            with[0]       = moved_with;
        }
    }
    gi_scratch_free(&places);
    return ok;
}

#if GI_HAS_CUB
template <class K, class I>
static bool gi_cuda_sort_by_cub(const char *site, const ga_array *on, K *(&keys)[2], I **with, int64_t n, int bits)
{
    cudaStream_t         stream = gi_cuda_current_stream();
    cub::DoubleBuffer<K> k(keys[0], keys[1]);
    cub::DoubleBuffer<I> w(with ? with[0] : NULL, with ? with[1] : NULL);
    gi_scratch           room;
    size_t               bytes = 0;
    memset(&room, 0, sizeof room);
    for (int turn = 0; turn < 2; turn++) { /* the first asks how much room it needs */
        cudaError_t error = with ? cub::DeviceRadixSort::SortPairs(room.p, bytes, k, w, (int)n, 0, bits, stream)
                                 : cub::DeviceRadixSort::SortKeys(room.p, bytes, k, (int)n, 0, bits, stream);
        bool        ok    = gi_cuda_ok(site, error, "cub::DeviceRadixSort");
        if (ok && turn == 0 && gi_scratch_get(site, &room, on, bytes > 0 ? bytes : 1)) continue;
        if (room.p) gi_scratch_free(&room);
        if (!ok || turn == 0) return false;
    }
    keys[0] = k.Current();
    keys[1] = k.Alternate();
    if (with) {
        with[0] = w.Current();
        with[1] = w.Alternate();
    }
    return true;
}
#endif

/* Sorts n keys by their low `bits` bits, and what belongs to them (`with` NULL: nothing). Stable. Both have a second array as room,
   and the sorted ones are the first ones afterwards. */
template <class K>
static bool gi_cuda_sort_pairs(const char *site, const ga_array *on, K *(&keys)[2], uint32_t **with, int64_t n, int bits)
{
#if GI_HAS_CUB
    if (n <= INT32_MAX) return gi_cuda_sort_by_cub(site, on, keys, with, n, bits);
#endif
    return gi_cuda_sort_by_digits(site, on, keys, with, n, bits);
}
static bool gi_cuda_sort_pairs(const char *site, const ga_array *on, uint64_t *(&keys)[2], uint64_t **with, int64_t n, int bits)
{
    return gi_cuda_sort_by_digits(site, on, keys, with, n, bits);
}
