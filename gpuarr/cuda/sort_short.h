/* ---- short lines --------------------------------------------------------------------------------------------------------- */

/* Where the elements of lines lie. */
typedef struct gi_sort_lines {
    char           *data;
    int             kept, reduced;
    bool            many; /* lines: 2^31 or more */
    int64_t         kept_shape[GPUARR_MAX_DIMS], kept_strides[GPUARR_MAX_DIMS], strides[GPUARR_MAX_DIMS];
    gi_cuda_divisor kept_divisor[GPUARR_MAX_DIMS], divisor[GPUARR_MAX_DIMS];
} gi_sort_lines;

static gi_sort_lines gi_sort_lines_of(const gi_lines *p)
{
    gi_sort_lines l;
    memset(&l, 0, sizeof l);
    l.data    = (char *)p->a->data;
    l.reduced = p->reduced;
    l.many    = p->lines > INT32_MAX;
    for (int d = 0; d < p->kept; d++) { /* joined where possible */
        int last = l.kept - 1;
        if (last >= 0 && l.kept_strides[last] == p->kept_strides[d] * p->kept_shape[d]) {
            l.kept_shape[last] *= p->kept_shape[d];
            l.kept_strides[last] = p->kept_strides[d];
        } else if (p->kept_shape[d] > 1) {
            l.kept_shape[l.kept]     = p->kept_shape[d];
            l.kept_strides[l.kept++] = p->kept_strides[d];
        }
    }
    for (int d = 0; d < l.kept && !l.many; d++) l.kept_divisor[d] = gi_divisor_of(l.kept_shape[d]);
    for (int d = 0; d < l.reduced; d++) {
        l.divisor[d] = gi_divisor_of(p->shape[d]);
        l.strides[d] = p->strides[d];
    }
    return l;
}

GI_DEVICE char *gi_sort_at(const gi_sort_lines &l, int64_t line, uint32_t i)
{
    char *p = l.data;
    if (l.many) {
#pragma unroll 1
        for (int d = l.kept - 1; d >= 0; d--) {
            p += line % l.kept_shape[d] * l.kept_strides[d];
            line /= l.kept_shape[d];
        }
    } else {
        uint32_t rest = (uint32_t)line;
#pragma unroll 1
        for (int d = l.kept - 1; d > 0; d--) {
            uint32_t above = gi_divide(rest, l.kept_divisor[d]);
            p += (rest - above * l.kept_divisor[d].by) * l.kept_strides[d];
            rest = above;
        }
        p += rest * l.kept_strides[0];
    }
#pragma unroll 1
    for (int d = l.reduced - 1; d > 0; d--) {
        uint32_t above = gi_divide(i, l.divisor[d]);
        p += (i - above * l.divisor[d].by) * l.strides[d];
        i = above;
    }
    return p + i * l.strides[0];
}

enum { GI_SORT_LOG = 11, GI_SORT_TILE = 1 << GI_SORT_LOG, GI_SORT_OF_WARP = GI_SORT_TILE / GI_WARPS };

typedef enum gi_short_result { GI_SHORT_ELEMENTS, GI_SHORT_INDICES, GI_SHORT_QUANTILES } gi_short_result;

/* What is asked for of sorted lines; the quantiles are on the device. */
typedef struct gi_cuda_quantiles {
    gi_quantile_rule rule;
    int              count;
    const double    *quantiles; /* ascending */
    const int64_t   *places;
    char            *out; /* for each place, all lines */
    int64_t          lines;
} gi_cuda_quantiles;

typedef struct gi_cuda_short {
    gi_sort_lines     in, out;
    gi_cuda_keys      keys;
    gi_short_result   result;
    gi_cuda_quantiles wanted;
    int64_t           lines;
    int               length, log;           /* of a line; 2^log slots are there for each */
    bool              in_across, out_across; /* neighbours in memory are those of other lines */
} gi_cuda_short;

/* Writes a quantile of a line of n elements that count (0: NaN), from the keys of the two elements that it lies between. */
template <class K>
GI_DEVICE void gi_cuda_write_quantile(const gi_cuda_quantiles &w, gi_cuda_keys keys, int k, int64_t line, int64_t n, gi_rank r,
                                      K previous, K next)
{
    const gi_quantile_rule &rule    = w.rule;
    int                     size    = rule.result == GA_F32 ? 4 : 8;
    bool                    between = gi_quantile_is_between(rule), is_float = keys.rule == GI_KEYS_ORDER;
    if (!between) size = keys.size;
    char  *out   = w.out + (w.places[k] * w.lines + line) * size;
    double value = gi_nan_f64();
    if (n > 0 && !between) {
        gi_cuda_element_of(keys, previous, out);
        return;
    }
    if (n > 0) {
        double a, b;
        if (is_float && sizeof(K) == 4) {
            a = (double)gi_from_bits_f32(gi_bits_of_key_f32((uint32_t)previous));
            b = (double)gi_from_bits_f32(gi_bits_of_key_f32((uint32_t)next));
        } else if (is_float) {
            a = gi_from_bits_f64(gi_bits_of_key_f64(previous));
            b = gi_from_bits_f64(gi_bits_of_key_f64(next));
        } else if (keys.rule == GI_KEYS_SIGNED) {
            uint64_t bias = (uint64_t)1 << (8 * keys.size - 1);
            a             = (double)(int64_t)(previous - bias);
            b             = (double)(int64_t)(next - bias);
        } else {
            a = (double)previous;
            b = (double)next;
        }
        value = gi_quantile_between(rule, r, a, b, (uint64_t)(next - previous));
    }
    if (size == 4) *(float *)out = (float)value;
    else *(double *)out = value;
}

/* How many elements of a line count: none if a NaN is among them that is not to be skipped. */
GI_DEVICE int64_t gi_cuda_counted(const gi_quantile_rule &rule, int64_t length, int64_t nans)
{
    return nans > 0 && !rule.skip_nan ? 0 : length - nans;
}

/* Each block sorts the lines that fit into it by a bitonic network. Equal keys keep their order: places are compared too. */
template <class K>
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_sort_short(const __grid_constant__ gi_cuda_short j)
{
    GI_BLOCK_SHARED(K, key, [GI_SORT_TILE]);
    GI_BLOCK_SHARED(uint16_t, place, [GI_SORT_TILE]);
    const K  last = (K) ~(K)0;
    int      log = j.log, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint32_t span = 1u << log, lines = GI_SORT_TILE >> log;
    int64_t  first = (int64_t)blockIdx.x * lines;

    for (uint32_t x = threadIdx.x; x < GI_SORT_TILE; x += GI_CUDA_THREADS) {
        uint32_t line = j.in_across ? x & (lines - 1) : x >> log;
        uint32_t i    = j.in_across ? x >> (GI_SORT_LOG - log) : x & (span - 1);
        K        k    = last;
        if (first + line < j.lines && i < j.length) gi_cuda_key_at(j.keys, gi_sort_at(j.in, first + line, i), k);
        key[line << log | i]   = k;
        place[line << log | i] = (uint16_t)i;
    }
    __syncthreads();
    for (uint32_t run = 2; run <= span; run *= 2)
        for (uint32_t step = run / 2; step > 0; step /= 2) {
#pragma unroll
            for (int turn = 0; turn < GI_SORT_OF_WARP / 64; turn++) {
                uint32_t pair = warp * (GI_SORT_OF_WARP / 2) + turn * 32 + lane, low = pair & (step - 1);
                uint32_t a = (pair - low) * 2 + low, b = a + step;
                K        x = key[a], y = key[b];
                uint16_t p = place[a], q = place[b];
                bool     falling = (a & (span - 1) & run) != 0, after = x > y || (x == y && p > q);
                if (after != falling) {
                    key[a]   = y;
                    key[b]   = x;
                    place[a] = q;
                    place[b] = p;
                }
            }
            /* steps that stay in the part of a warp need not wait for the others */
            if (step > GI_SORT_OF_WARP / 2 || (step == 1 && run > GI_SORT_OF_WARP / 2 && run < span)) __syncthreads();
            else __syncwarp();
        }
    __syncthreads();

    if (j.result == GI_SHORT_QUANTILES) {
        for (int64_t x = threadIdx.x; x < (int64_t)lines * j.wanted.count; x += GI_CUDA_THREADS) {
            uint32_t line = (uint32_t)x & (lines - 1), start = line << log;
            int      k = (int)(x >> (GI_SORT_LOG - log)), numbers = 0, end = j.length;
            if (first + line >= j.lines) continue;
            while (j.keys.rule == GI_KEYS_ORDER && numbers < end) { /* the NaNs are the last */
                int middle = (numbers + end) / 2;
                if (key[start + middle] == last) end = middle;
                else numbers = middle + 1;
            }
            int64_t n = gi_cuda_counted(j.wanted.rule, j.length, j.length - end);
            gi_rank r = gi_rank_of(j.wanted.rule, j.wanted.quantiles[k], n > 0 ? n : 1);
            gi_cuda_write_quantile(j.wanted, j.keys, k, first + line, n, r, key[start + r.previous], key[start + r.next]);
        }
        return;
    }
    for (uint32_t x = threadIdx.x; x < GI_SORT_TILE; x += GI_CUDA_THREADS) {
        uint32_t line = j.out_across ? x & (lines - 1) : x >> log;
        uint32_t i    = j.out_across ? x >> (GI_SORT_LOG - log) : x & (span - 1);
        if (first + line >= j.lines || i >= j.length) continue;
        uint32_t from = place[line << log | i];
        char    *out  = gi_sort_at(j.out, first + line, i);
        if (j.result == GI_SHORT_INDICES) *(int64_t *)out = from;
        else gi_cuda_move(j.keys.size, out, gi_sort_at(j.in, first + line, from));
    }
}

/* Do the neighbours in memory lie in other lines? */
static bool gi_cuda_across(const gi_sort_lines *l)
{
    if (l->kept == 0) return false;
    int64_t kept = l->kept_strides[l->kept - 1], reduced = l->strides[l->reduced - 1];
    return (kept < 0 ? -kept : kept) < (reduced < 0 ? -reduced : reduced);
}

/* Sorts lines of at most GI_SORT_TILE elements of at most 8 bytes; j has what is wanted. */
static bool gi_cuda_run_short(const char *site, gi_cuda_short *j, const gi_lines *in)
{
    j->in        = gi_sort_lines_of(in);
    j->in_across = gi_cuda_across(&j->in);
    j->lines     = in->lines;
    j->length    = (int)in->length;
    for (j->log = 0; (1 << j->log) < j->length;) j->log++;
    int64_t      fitting = GI_SORT_TILE >> j->log;
    unsigned     blocks  = (unsigned)((j->lines + fitting - 1) / fitting);
    cudaStream_t stream  = gi_cuda_current_stream();
    if (j->keys.size == 8) GI_LAUNCH(gi_cuda_sort_short<uint64_t>, blocks, GI_CUDA_THREADS, stream, *j);
    else GI_LAUNCH(gi_cuda_sort_short<uint32_t>, blocks, GI_CUDA_THREADS, stream, *j);
    return gi_cuda_launched(site, "the sort of short lines");
}
