/* ==== >>cuda scans: running sums ======================================================================================== */

/* ---- counts, made places ------------------------------------------------------------------------------------------------ */
/*  Three launches: blocks add up their shares, one block scans these sums, blocks scan their shares from there on. */

enum {
    GI_SCAN_ITEMS  = 4,
    GI_SCAN_TILE   = GI_SCAN_ITEMS * GI_CUDA_THREADS,
    GI_SCAN_SHARES = 1024,
    GI_WARPS       = GI_CUDA_THREADS / 32
};

/* The sum of x over the threads before this one; `total`: over all threads of the block. Two calls in turn need different rows. */
GI_DEVICE int64_t gi_cuda_sum_before(int64_t x, int64_t (&row)[GI_WARPS], int64_t &total)
{
    int     lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int64_t sum = x, before = 0;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
        int64_t other = __shfl_up_sync(0xffffffffu, sum, step);
        if (lane >= step) sum += other;
    }
    if (lane == 31) row[warp] = sum;
    __syncthreads();
    total = 0;
#pragma unroll
    for (int k = 0; k < GI_WARPS; k++) {
        if (k < warp) before += row[k];
        total += row[k];
    }
    return before + sum - x;
}

static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_scan_sums(const int64_t *data, int64_t n, int64_t share, int64_t *sums)
{
    GI_BLOCK_SHARED(int64_t, row, [GI_WARPS]);
    int64_t start = blockIdx.x * share, stop = n - start < share ? n : start + share, sum = 0, total;
    for (int64_t i = start + threadIdx.x; i < stop; i += GI_CUDA_THREADS) sum += data[i];
    gi_cuda_sum_before(sum, row, total);
    if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

/* Replaces what a block has by the sums of what comes before, from the first number of `from` on (NULL: 0). */
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_scan_share(int64_t *data, int64_t n, int64_t share, const int64_t *from, int64_t *total)
{
    GI_BLOCK_SHARED(int64_t, rows, [2][GI_WARPS]);
    int64_t start = blockIdx.x * share, stop = n - start < share ? n : start + share, sum = from ? from[blockIdx.x] : 0;
    for (int turn = 0; start < stop; start += GI_SCAN_TILE, turn ^= 1) {
        int64_t first = start + threadIdx.x * GI_SCAN_ITEMS, x[GI_SCAN_ITEMS], mine = 0, all;
#pragma unroll
        for (int k = 0; k < GI_SCAN_ITEMS; k++) {
            x[k] = first + k < stop ? data[first + k] : 0;
            mine += x[k];
        }
        int64_t before = sum + gi_cuda_sum_before(mine, rows[turn], all);
#pragma unroll
        for (int k = 0; k < GI_SCAN_ITEMS; k++) {
            if (first + k < stop) data[first + k] = before;
            before += x[k];
        }
        sum += all;
    }
    if (total && blockIdx.x == 0 && threadIdx.x == 0) *total = sum; /* asked for when one block scans everything */
}

/* Replaces each of n numbers on the device by the sum of those before it; their sum goes to `total` on the device (or NULL).
   `on`: an array that was touched before. */
static bool gi_cuda_exclusive_scan(const char *site, const ga_array *on, int64_t *data, int64_t n, int64_t *total)
{
    cudaStream_t   stream  = gi_cuda_current_stream();
    const int64_t *nothing = NULL;
    int64_t        share   = (n + GI_SCAN_SHARES - 1) / GI_SCAN_SHARES;
    share                  = (share + GI_SCAN_TILE - 1) / GI_SCAN_TILE * GI_SCAN_TILE;
    if (n <= GI_SCAN_TILE) {
        GI_LAUNCH(gi_cuda_scan_share, 1, GI_CUDA_THREADS, stream, data, n, (int64_t)GI_SCAN_TILE, nothing, total);
        return gi_cuda_launched(site, "a running sum");
    }
    gi_scratch sums;
    int64_t    shares = (n + share - 1) / share;
    if (!gi_scratch_get(site, &sums, on, (size_t)shares * sizeof(int64_t))) return false;
    int64_t *s = (int64_t *)sums.p;
    GI_LAUNCH(gi_cuda_scan_sums, (unsigned)shares, GI_CUDA_THREADS, stream, data, n, share, s);
    bool ok = gi_cuda_launched(site, "the sums of a running sum");
    if (ok) {
        GI_LAUNCH(gi_cuda_scan_share, 1, GI_CUDA_THREADS, stream, s, shares, (int64_t)GI_SCAN_TILE, nothing, total);
        ok = gi_cuda_launched(site, "the sums of a running sum");
    }
    if (ok) {
        GI_LAUNCH(gi_cuda_scan_share, (unsigned)shares, GI_CUDA_THREADS, stream, data, n, share, (const int64_t *)s,
                  (int64_t *)NULL);
        ok = gi_cuda_launched(site, "a running sum");
    }
    gi_scratch_free(&sums);
    return ok;
}

/* ---- ga_cumsum, ga_cumprod ---------------------------------------------------------------------------------------------- */
/*  The documented tree of gpuarr.h. An array in C order is (outer, length, inner), a line runs along the middle. Blocks of 1024 of a
    line (short lines are one block each) are the rows of a tile, as many as fit the shared memory: one behind the other if inner is
    1, else the same block of neighbouring lines. In a tile the elements lie in the order in which they lie in memory, so that
    neighbouring threads read neighbours; `step` is how far the elements of a row are apart there. A thread has every 256th element
    of the tile; what is a multiple of 256 before an element is its own.                                                          */

typedef struct gi_running {
    const void *in;
    void       *out;
    void   *ends; /* (lines, blocks - 1) wide numbers: the last of each block but the last, then what precedes the next one */
    int64_t length, inner, blocks;      /* blocks of a line */
    int64_t units, tiles;               /* rows in all, or if inner is not 1 those of one block of each line; tiles of these */
    int64_t turn, row, jump;            /* rows begin `row` elements apart, and `jump` more after each `turn` of them */
    gi_cuda_divisor small_turn;         /* by 0: turn is too large for it */
    uint32_t        places, rows, step; /* elements of a row; rows of a tile */
    gi_cuda_divisor cut;                /* by places, or if step is not 1 by rows */
} gi_running;

enum { GI_RUNNING_BLOCK = 1024, GI_RUNNING_BYTES = 32768, GI_RUNNING_SHARE = 16, GI_RUNNING_TURN = 1 << 20 };
#define GI_RUNNING_ITEMS(W) ((int)(GI_RUNNING_BYTES / (GI_CUDA_THREADS * sizeof(W))))

/* The first row of a tile: its number, as (outer, inner) with respect to the turns, its block, where it begins. */
typedef struct gi_running_tile {
    int64_t unit, outer, inner, block, base;
} gi_running_tile;

typedef struct gi_running_row {
    int64_t line, block, start;
    bool    exists;
} gi_running_row;

GI_DEVICE gi_running_tile gi_cuda_running_tile(const gi_running &m)
{
    gi_running_tile t;
    t.block = m.inner == 1 ? 0 : blockIdx.x / m.tiles;
    t.unit  = (blockIdx.x - t.block * m.tiles) * m.rows;
    t.outer = t.unit / m.turn;
    t.inner = t.unit - t.outer * m.turn;
    t.base  = t.unit * m.row + t.outer * m.jump + t.block * GI_RUNNING_BLOCK * m.inner;
    return t;
}

GI_DEVICE gi_running_row gi_cuda_running_row(const gi_running &m, const gi_running_tile &t, uint32_t r)
{
    gi_running_row row;
    int64_t        at = t.inner + r, turns = m.small_turn.by ? gi_divide((uint32_t)at, m.small_turn) : at >= m.turn;
    row.line   = m.inner == 1 ? t.outer + turns : t.unit + r;
    row.block  = m.inner == 1 ? at - turns * m.turn : t.block;
    row.start  = t.base + r * m.row + turns * m.jump;
    row.exists = t.unit + r < m.units;
    return row;
}

/* The row of element q of the tile, which lies at the place `place` of it; does it exist? */
GI_DEVICE bool gi_cuda_running_at(const gi_running &m, const gi_running_tile &t, uint32_t q, uint32_t &place,
                                  gi_running_row &row)
{
    uint32_t quotient = gi_divide(q, m.cut), rest = q - quotient * m.cut.by, r = m.step == 1 ? quotient : rest;
    place = m.step == 1 ? rest : quotient;
    row   = gi_cuda_running_row(m, t, r);
    return r < m.rows && place < m.places && row.exists && row.block * GI_RUNNING_BLOCK + place < m.length;
}

/* Joins each element with the one that a thread holds BACK elements before it. */
template <class W, W (*join)(W, W), int ITEMS, int BACK>
GI_DEVICE void gi_cuda_join_own(W (&x)[ITEMS], const uint32_t (&place)[ITEMS], uint32_t d)
{
#pragma unroll
    for (int k = ITEMS - 1; k >= BACK; k--)
        if (place[k] >= d) x[k] = join(x[k], x[k - BACK]);
}

template <class T, class W, W (*to)(T), T (*from)(W), W (*join)(W, W)>
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_running(const __grid_constant__ gi_running m)
{
    enum { ITEMS = GI_RUNNING_ITEMS(W) };
    GI_BLOCK_SHARED(W, tile, [ITEMS * GI_CUDA_THREADS]);
    gi_running_tile t = gi_cuda_running_tile(m);
    gi_running_row  row;
    W               x[ITEMS];
    uint32_t        place[ITEMS], own;
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        x[k] = W();
        if (gi_cuda_running_at(m, t, threadIdx.x + k * GI_CUDA_THREADS, place[k], row))
            x[k] = to(((const T *)m.in)[row.start + place[k] * m.inner]);
        else place[k] = 0; /* joined with nothing */
    }
    for (uint32_t d = 1; d < m.places; d *= 2) {
        uint32_t back = d * m.step;
        switch (back % GI_CUDA_THREADS == 0 ? back / GI_CUDA_THREADS : 0) {
        case 1: gi_cuda_join_own<W, join, ITEMS, 1>(x, place, d); break;
        case 2: gi_cuda_join_own<W, join, ITEMS, 2>(x, place, d); break;
        case 4: gi_cuda_join_own<W, join, ITEMS, 4>(x, place, d); break;
        case 8: gi_cuda_join_own<W, join, ITEMS, 8>(x, place, d); break;
        default:
#pragma unroll
            for (int k = 0; k < ITEMS; k++) tile[threadIdx.x + k * GI_CUDA_THREADS] = x[k];
            __syncthreads();
#pragma unroll
            for (int k = 0; k < ITEMS; k++)
                if (place[k] >= d) x[k] = join(x[k], tile[threadIdx.x + k * GI_CUDA_THREADS - back]);
            __syncthreads();
        }
    }
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        if (!gi_cuda_running_at(m, t, threadIdx.x + k * GI_CUDA_THREADS, own, row)) continue;
        if (row.block > 0) x[k] = join(((const W *)m.ends)[row.line * (m.blocks - 1) + row.block - 1], x[k]);
        ((T *)m.out)[row.start + own * m.inner] = from(x[k]);
    }
}

/* What the last element of each block becomes: neighbours are joined, and again those. A thread begins with 16 neighbours; m.rows
   blocks make a tile. */
template <class T, class W, W (*to)(T), W (*join)(W, W)>
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_running_ends(const __grid_constant__ gi_running m)
{
    enum { SHARES = GI_RUNNING_BLOCK / GI_RUNNING_SHARE, N = GI_VECTOR(sizeof(T)) };
    GI_BLOCK_SHARED(W, joined, [GI_CUDA_THREADS]);
    uint32_t       r = m.inner == 1 ? threadIdx.x / SHARES : threadIdx.x % m.rows, step = m.inner == 1 ? 1 : m.rows;
    uint32_t       share = m.inner == 1 ? threadIdx.x % SHARES : threadIdx.x / m.rows;
    gi_running_row row   = gi_cuda_running_row(m, gi_cuda_running_tile(m), r);
    bool           whole = row.exists && row.block < m.blocks - 1 && r < m.rows && share < SHARES;
    W              x[GI_RUNNING_SHARE];
#pragma unroll
    for (int k = 0; k < GI_RUNNING_SHARE; k++) x[k] = W();
    if (whole) {
        const T *p = (const T *)m.in + row.start + share * GI_RUNNING_SHARE * m.inner;
        if (m.inner == 1 && (uintptr_t)p % (sizeof(T) * N) == 0) {
#pragma unroll
            for (int k = 0; k < GI_RUNNING_SHARE / N; k++) {
                gi_cuda_pack<T, N> pack = ((const gi_cuda_pack<T, N> *)p)[k];
#pragma unroll
                for (int e = 0; e < N; e++) x[k * N + e] = to(pack.e[e]);
            }
        } else {
#pragma unroll
            for (int k = 0; k < GI_RUNNING_SHARE; k++) x[k] = to(p[k * m.inner]);
        }
    }
#pragma unroll
    for (int d = 1; d < GI_RUNNING_SHARE; d *= 2) {
#pragma unroll
        for (int k = 0; k < GI_RUNNING_SHARE; k += 2 * d) x[k] = join(x[k + d], x[k]);
    }
    joined[threadIdx.x] = x[0];
    for (uint32_t d = 1; d < SHARES; d *= 2) {
        __syncthreads();
        if (!whole || share % (2 * d) != 0) continue;
        x[0]                = join(joined[threadIdx.x + d * step], x[0]);
        joined[threadIdx.x] = x[0];
    }
    if (whole && share == 0) ((W *)m.ends)[row.line * (m.blocks - 1) + row.block] = x[0];
}

typedef void (*gi_running_kernel)(const gi_running);
typedef struct gi_running_kernels {
    int64_t           width; /* bytes of a wide number */
    gi_running_kernel ends, running;
} gi_running_kernels;

template <class T, class W, W (*to)(T), T (*from)(W), W (*add)(W, W), W (*multiply)(W, W)>
static gi_running_kernels gi_running_kernels_of(ga_op op)
{
    gi_running_kernels sums = { (int64_t)sizeof(W), gi_cuda_running_ends<T, W, to, add>, gi_cuda_running<T, W, to, from, add> };
    gi_running_kernels products = { (int64_t)sizeof(W), gi_cuda_running_ends<T, W, to, multiply>,
                                    gi_cuda_running<T, W, to, from, multiply> };
    return op == GA_OP_add ? sums : products;
}

/* Integers wrap: the bits are those of unsigned ones. */
static gi_running_kernels gi_running_kernels_for(ga_dtype dtype, ga_op op)
{
    switch (dtype) {
    case GA_F32:
        return gi_running_kernels_of<float, double, gi_cast_f64_f32, gi_cast_f32_f64, gi_op_add_f64, gi_op_multiply_f64>(op);
    case GA_F64:
        return gi_running_kernels_of<double, double, gi_cast_f64_f64, gi_cast_f64_f64, gi_op_add_f64, gi_op_multiply_f64>(op);
    case GA_C128:
        return gi_running_kernels_of<ga_c128, ga_c128, gi_cast_c128_c128, gi_cast_c128_c128, gi_op_add_c128,
                                     gi_op_multiply_c128>(op);
    default:
        return gi_running_kernels_of<uint64_t, uint64_t, gi_cast_u64_u64, gi_cast_u64_u64, gi_op_add_u64, gi_op_multiply_u64>(
            op);
    }
}

/* Cuts the rows into tiles of at most `rows`; returns how many tiles there are. */
static int64_t gi_cut_running(gi_running *m, int64_t lines, int64_t rows)
{
    m->units = m->inner == 1 ? lines * m->blocks : lines;
    m->rows  = (uint32_t)(rows < m->units ? rows : m->units);
    m->tiles = (m->units + m->rows - 1) / m->rows;
    m->step  = m->inner == 1 ? 1 : m->rows;
    m->cut   = gi_divisor_of(m->inner == 1 ? m->places : m->rows);
    return m->inner == 1 ? m->tiles : m->tiles * m->blocks;
}

/* Scans the lines of (outer, length, inner) elements, packed; out may be in. `narrow` reads and writes the elements, `wide` their ends. */
static bool gi_cuda_run_lines(const char *site, const ga_array *on, const gi_running_kernels *narrow,
                              const gi_running_kernels *wide, const void *in, void *out, int64_t outer, int64_t length,
                              int64_t inner)
{
    gi_running   m;
    gi_scratch   ends;
    cudaStream_t stream = gi_cuda_current_stream();
    int64_t      lines  = outer * inner;
    bool         ok     = true;

    gi_running_kernel ends_kernel = narrow->ends, kernel = narrow->running;
    memset(&m, 0, sizeof m);
    memset(&ends, 0, sizeof ends);
    m.in     = in;
    m.out    = out;
    m.length = length;
    m.inner  = inner;
    m.blocks = (length + GI_RUNNING_BLOCK - 1) / GI_RUNNING_BLOCK;
    m.places = (uint32_t)(length < GI_RUNNING_BLOCK ? length : GI_RUNNING_BLOCK);
    m.turn   = inner == 1 ? m.blocks : inner;
    m.row    = inner == 1 ? GI_RUNNING_BLOCK : 1;
    m.jump   = inner == 1 ? length - m.blocks * GI_RUNNING_BLOCK : (length - 1) * inner;
    if (m.turn <= GI_RUNNING_TURN) m.small_turn = gi_divisor_of(m.turn);
    if (m.blocks > 1) {
        int64_t rows = GI_CUDA_THREADS * GI_RUNNING_SHARE / GI_RUNNING_BLOCK;
        if (!gi_scratch_get(site, &ends, on, (size_t)(lines * (m.blocks - 1) * narrow->width))) return false;
        m.ends = ends.p;
        rows   = gi_cut_running(&m, lines, rows);
        GI_LAUNCH(ends_kernel, (unsigned)rows, GI_CUDA_THREADS, stream, m);
        ok = gi_cuda_launched(site, "the ends of running sums") &&
             gi_cuda_run_lines(site, on, wide, wide, ends.p, ends.p, lines, m.blocks - 1, 1);
    }
    if (ok) {
        int64_t tiles = gi_cut_running(&m, lines, GI_RUNNING_BYTES / narrow->width / m.places);
        GI_LAUNCH(kernel, (unsigned)tiles, GI_CUDA_THREADS, stream, m);
        ok = gi_cuda_launched(site, "running sums");
    }
    gi_scratch_free(&ends);
    return ok;
}

/* Scans `in`, read as dtype, along an axis into out, a C-ordered array of the same shape. */
static bool gi_cuda_scan(const char *site, const ga_array *in, ga_dtype dtype, ga_array *out, int axis, ga_dtype wide, ga_op op)
{
    ga_dtype  read = dtype == GA_F32 ? GA_F32 : wide; /* other narrow elements are made wide before, and narrow again behind */
    ga_array *packed = gi_cuda_packed(site, in, dtype);
    if (packed && read != dtype) {
        ga_array *widened = gi_cuda_convert(site, packed, read);
        ga_free(packed);
        packed = widened;
    }
    ga_array *target = !packed ? NULL
                       : read == out->dtype
                           ? gi_array_new_view(site, out, out->data, out->dtype, out->ndim, out->shape, out->strides)
                           : gi_array_new(site, read, GA_CUDA, out->ndim, out->shape);
    int64_t   outer = 1, inner = 1;
    for (int d = 0; d < axis; d++) outer *= out->shape[d];
    for (int d = axis + 1; d < out->ndim; d++) inner *= out->shape[d];
    gi_running_kernels narrow = gi_running_kernels_for(read, op), widest = gi_running_kernels_for(wide, op);
    bool               ok = target && gi_cuda_touch(site, packed) && gi_cuda_touch(site, target) &&
              gi_cuda_run_lines(site, target, &narrow, &widest, packed->data, target->data, outer, out->shape[axis], inner);
    if (ok && read != out->dtype) ok = gi_cuda_assign(site, out, target);
    ga_free(target);
    ga_free(packed);
    return ok;
}
