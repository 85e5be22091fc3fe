/* ---- long lines ----------------------------------------------------------------------------------------------------------- */

/* The keys of the elements that `order` numbers (`first`: they are numbered here). GI_KEYS_LINE: of their lines. */
template <class K, class I>
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_keys_in_order(gi_cuda_keys how, const char *elements, int64_t n, I *order, bool first, K *keys)
{
    int64_t i = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x;
    if (i >= n) return;
    I number = first ? (I)i : order[i];
    if (first) order[i] = number;
    if (how.rule == GI_KEYS_LINE) keys[i] = (K)(number / (I)how.length);
    else gi_cuda_key_at(how, elements + (int64_t)number * how.size, keys[i]);
}

/* The elements in their order, or the indices in their lines. */
template <class I>
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_in_order(const I *order, int64_t n, int64_t length, const char *elements, int size, char *out)
{
    int64_t i = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x;
    if (i >= n) return;
    if (!elements) ((int64_t *)out)[i] = (int64_t)order[i] - i / length * length;
    else gi_cuda_move(size, out + i * size, elements + (int64_t)order[i] * size);
}

/* One pass: sorts the numbers by a key. */
template <class K, class I>
static bool gi_cuda_sort_pass(const char *site, const ga_array *on, gi_cuda_keys how, const char *elements, int64_t n,
                              I **order, bool first, char *const *room)
{
    K *keys[2] = { (K *)room[0], (K *)room[1] };
    GI_LAUNCH((gi_cuda_keys_in_order<K, I>), gi_cuda_blocks(n), GI_CUDA_THREADS, gi_cuda_current_stream(), how, elements, n,
              order[0], first, keys[0]);
    return gi_cuda_launched(site, "the keys of a sort") && gi_cuda_sort_pairs(site, on, keys, order, n, how.bits);
}

/* Sorts n packed elements of lines; N holds their numbers, and W keys of up to four bytes. */
template <class W, class N>
static bool gi_cuda_sort_together(const char *site, const ga_array *on, ga_dtype dtype, const char *elements, int64_t n,
                                  int64_t length, char *out, bool indices)
{
    gi_cuda_keys how = gi_cuda_keys_of(dtype, false), line = { GI_KEYS_LINE, 0, 0, length };
    size_t       numbers = (size_t)gi_mem_padded(n * (int64_t)sizeof(N));
    size_t       keys    = (size_t)gi_mem_padded(n * (int64_t)(how.size > 4 ? sizeof(uint64_t) : sizeof(W)));
    gi_scratch   room;
    if (!gi_scratch_get(site, &room, on, 2 * (numbers + keys))) return false;
    char *p = (char *)room.p, *key_room[2] = { p + 2 * numbers, p + 2 * numbers + keys };
    N    *order[2] = { (N *)p, (N *)(p + numbers) };
    bool  low = dtype == GA_C128, ok = true;
    if (low) {
        how.rule = GI_KEYS_C128_LOW;
        ok       = gi_cuda_sort_pass<uint64_t>(site, on, how, elements, n, order, true, key_room);
        how.rule = GI_KEYS_C128_HIGH;
    }
    if (how.size > 4) ok = ok && gi_cuda_sort_pass<uint64_t>(site, on, how, elements, n, order, !low, key_room);
    else ok = gi_cuda_sort_pass<W>(site, on, how, elements, n, order, true, key_room);
    while ((n - 1) / length >> line.bits > 0) line.bits++;
    if (line.bits > 0) ok = ok && gi_cuda_sort_pass<W>(site, on, line, elements, n, order, false, key_room);
    if (ok) {
        GI_LAUNCH(gi_cuda_in_order<N>, gi_cuda_blocks(n), GI_CUDA_THREADS, gi_cuda_current_stream(), order[0], n, length,
                  indices ? (const char *)NULL : elements, how.size, out);
        ok = gi_cuda_launched(site, "a sort");
    }
    gi_scratch_free(&room);
    return ok;
}

/* ---- one long line by its keys -------------------------------------------------------------------------------------------- */

enum { GI_PLAIN_TURNS = 16, GI_PLAIN_TILE = GI_PLAIN_TURNS * GI_CUDA_THREADS };

/* The keys of a line. For floats also how many zeros each block sees, and then, from counts[gridDim.x] on, how many NaNs. */
template <class K>
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_plain_keys(gi_cuda_keys how, const char *line, int64_t n, K *keys, int64_t *counts)
{
    GI_BLOCK_SHARED(int64_t, row, [GI_WARPS]);
    int64_t start = (int64_t)blockIdx.x * GI_PLAIN_TILE, found = 0, total;
    K       zero = (K)((K)1 << (8 * sizeof(K) - 1)), nan = (K) ~(K)0;
#pragma unroll 4
    for (int turn = 0; turn < GI_PLAIN_TURNS; turn++) {
        int64_t i = start + turn * GI_CUDA_THREADS + threadIdx.x;
        if (i >= n) break;
        K key;
        gi_cuda_key_at(how, line + i * how.size, key);
        keys[i] = key;
        found += key == zero ? 1 : key == nan ? (int64_t)1 << 32 : 0;
    }
    if (!counts) return;
    gi_cuda_sum_before(found, row, total);
    if (threadIdx.x > 0) return;
    counts[blockIdx.x]             = total & 0xffffffff;
    counts[gridDim.x + blockIdx.x] = total >> 32;
    if (blockIdx.x == 0) counts[2 * (int64_t)gridDim.x] = 0;
}

template <class K>
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_plain_elements(gi_cuda_keys how, const K *keys, int64_t n, char *out)
{
    int64_t i = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x;
    if (i < n) gi_cuda_element_of(how, keys[i], out + i * how.size);
}

/* Puts the zeros and the NaNs of a line into their places in the sorted line, in their order and with their own bits. `before`: the
   counts of gi_cuda_plain_keys, scanned. */
template <class K>
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_restore(gi_cuda_keys how, const char *line, int64_t n, const K *sorted, const int64_t *before, char *out)
{
    GI_BLOCK_SHARED(int64_t, rows, [2][GI_WARPS]);
    int64_t tiles = gridDim.x, tile = blockIdx.x, zeros_before = before[tile],
            nans_before = before[tiles + tile] - before[tiles];
    if (before[tile + 1] == zeros_before && before[tiles + tile + 1] == before[tiles + tile]) return;
    K       zero = (K)((K)1 << (8 * sizeof(K) - 1)), nan = (K) ~(K)0;
    int64_t low = 0, high = n, all; /* the place of the first zero, and how many zeros and NaNs came already */
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (sorted[middle] < zero) low = middle + 1;
        else high = middle;
    }
    int64_t zeros = low + zeros_before, nans = n - (before[2 * tiles] - before[tiles]) + nans_before;
    for (int turn = 0; turn < GI_PLAIN_TURNS; turn++) {
        int64_t     i   = tile * GI_PLAIN_TILE + turn * GI_CUDA_THREADS + threadIdx.x;
        const char *p   = line + i * how.size;
        K           key = 1;
        if (i < n) gi_cuda_key_at(how, p, key);
        int64_t mine    = key == zero  ? 1
                          : key == nan ? (int64_t)1 << 32
                                       : 0,
                earlier = gi_cuda_sum_before(mine, rows[turn % 2], all);
        if (key == zero) gi_cuda_move(how.size, out + (zeros + (earlier & 0xffffffff)) * how.size, p);
        if (key == nan) gi_cuda_move(how.size, out + (nans + (earlier >> 32)) * how.size, p);
        zeros += all & 0xffffffff;
        nans += all >> 32;
    }
}

template <class K>
static bool gi_cuda_sort_by_keys(const char *site, const ga_array *on, ga_dtype dtype, const char *line, int64_t n, char *out)
{
    gi_cuda_keys how    = gi_cuda_keys_of(dtype, false);
    bool         floats = gi_is_float(dtype), ok;
    cudaStream_t stream = gi_cuda_current_stream();
    int64_t      tiles = (n + GI_PLAIN_TILE - 1) / GI_PLAIN_TILE, bytes = gi_mem_padded(n * (int64_t)sizeof(K)),
            counters = 2 * tiles + 1;
    gi_scratch room;
    if (!gi_scratch_get(site, &room, on, (size_t)(2 * bytes + counters * (int64_t)sizeof(int64_t)))) return false;
    char    *p       = (char *)room.p;
    K       *keys[2] = { (K *)p, (K *)(p + bytes) };
    int64_t *counts  = (int64_t *)(p + 2 * bytes);
    GI_LAUNCH(gi_cuda_plain_keys<K>, (unsigned)tiles, GI_CUDA_THREADS, stream, how, line, n, keys[0],
              floats ? counts : (int64_t *)NULL);
    ok = gi_cuda_launched(site, "the keys of a sort") && gi_cuda_sort_pairs(site, on, keys, (uint32_t **)NULL, n, how.bits);
    if (ok) {
        GI_LAUNCH(gi_cuda_plain_elements<K>, gi_cuda_blocks(n), GI_CUDA_THREADS, stream, how, keys[0], n, out);
        ok = gi_cuda_launched(site, "a sort");
    }
    if (ok && floats) {
        ok = gi_cuda_exclusive_scan(site, on, counts, counters, NULL);
        if (ok) GI_LAUNCH(gi_cuda_restore<K>, (unsigned)tiles, GI_CUDA_THREADS, stream, how, line, n, keys[0], counts, out);
        ok = ok && gi_cuda_launched(site, "a sort");
    }
    gi_scratch_free(&room);
    return ok;
}
