/* ==== >>cuda images: objects and their measures =========================================================================== */

/* Images of this size and more need 64-bit positions (tests set it lower). */
#ifndef GI_CUDA_WIDE
#define GI_CUDA_WIDE ((int64_t)1 << 31)
#endif

/* Another thread may be writing there: the element of before or after. */
#ifdef __CUDASIM__
template <class T> GI_DEVICE T    gi_cuda_peek(const T *p) { return __atomic_load_n(p, __ATOMIC_RELAXED); }
template <class T> GI_DEVICE void gi_cuda_poke(T *p, T x) { __atomic_store_n(p, x, __ATOMIC_RELAXED); }
#else
template <class T> GI_DEVICE T    gi_cuda_peek(const T *p) { return *(const volatile T *)p; }
template <class T> GI_DEVICE void gi_cuda_poke(T *p, T x) { *(volatile T *)p = x; }
#endif

/* ---- label ---------------------------------------------------------------------------------------------------------------- */
/*  Every element of an object has a parent: an element of the same object that does not come after it, in the end the object's first.
    Elements begin with the first of their run as far as their warp sees it; then those that touch a neighbour before them are
    united, by atomic minima, so that the order of the threads leaves no trace; then every element finds its root. The roots,
    counted in raster order, are the numbers. P is uint32_t, or uint64_t for images of 2^31 elements and more: the highest bit of a
    parent says that there is a number behind it, that of a root, or 0 for the background.                                     */

/* Division of numbers below 2^63 by one that is known before the launch, as gi_cuda_divisor does it below 2^31. */
typedef struct gi_divisor_64 {
    uint64_t by, magic;
    uint32_t shift;
} gi_divisor_64;

__extension__ typedef unsigned __int128 gi_u128;

static gi_divisor_64 gi_divisor_64_of(int64_t by)
{
    gi_divisor_64 d = { (uint64_t)by, 0, 0 };
    while (((uint64_t)1 << d.shift) < d.by) d.shift++;
    d.magic = (uint64_t)(((gi_u128)(((uint64_t)1 << d.shift) - d.by) << 64) / d.by + 1);
    return d;
}

GI_DEVICE uint64_t gi_divide(uint64_t n, gi_divisor_64 d) { return (__umul64hi(n, d.magic) + n) >> d.shift; }

template <class P> struct gi_positions; /* what belongs to the type of positions */
template <> struct gi_positions<uint32_t> {
    typedef gi_cuda_divisor divisor;
    static divisor          divisor_of(int64_t by) { return gi_divisor_of(by); }
};
template <> struct gi_positions<uint64_t> {
    typedef gi_divisor_64 divisor;
    static divisor        divisor_of(int64_t by) { return gi_divisor_64_of(by); }
};

/* The axes of an image; position = (... * shape[1] + index[1]) * shape[2] + index[2]. */
template <class P> struct gi_cuda_axes {
    int                               ndim;
    typename gi_positions<P>::divisor shape[GPUARR_MAX_DIMS];
};

/* Of an array that is not empty. A number is a line of one element. */
template <class P> static gi_cuda_axes<P> gi_cuda_axes_of(const ga_array *a)
{
    gi_cuda_axes<P> axes;
    memset((void *)&axes, 0, sizeof axes);
    axes.ndim     = a->ndim > 0 ? a->ndim : 1;
    axes.shape[0] = gi_positions<P>::divisor_of(1);
    for (int d = 0; d < a->ndim; d++) axes.shape[d] = gi_positions<P>::divisor_of(a->shape[d]);
    return axes;
}

template <class P> struct gi_cuda_image {
    const uint8_t  *mask; /* a byte an element; packed */
    P               size, columns;
    int             connectivity;
    gi_cuda_axes<P> axes;
};

template <class P> struct gi_parents {
    static constexpr P number = (P)1 << (8 * sizeof(P) - 1);
};

enum { GI_PARENTS_EACH = 4, GI_PARENTS_TILE = GI_PARENTS_EACH * GI_CUDA_THREADS };

/* The first parents. `parents` has room for whole tiles: what lies behind the image is background. */
template <class P>
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_label_runs(const __grid_constant__ gi_cuda_image<P> m, P *parents)
{
    P        i      = (P)blockIdx.x * GI_CUDA_THREADS + threadIdx.x;
    unsigned lane   = threadIdx.x % 32;
    bool     inside = i < m.size, set = inside && m.mask[i];
    bool     row_begins = inside && i == gi_divide(i, m.axes.shape[m.axes.ndim - 1]) * m.columns;
    uint32_t sets = __ballot_sync(0xffffffffu, set), rows = __ballot_sync(0xffffffffu, row_begins);
    uint32_t begins = sets & (~(sets << 1) | rows | 1), before = begins & (0xffffffffu >> (31 - lane));
    parents[i] = set ? i - lane + (31 - __clz((int)before)) : gi_parents<P>::number;
}

GI_DEVICE uint32_t gi_cuda_lower(uint32_t *p, uint32_t x) { return atomicMin(p, x); }
GI_DEVICE uint64_t gi_cuda_lower(uint64_t *p, uint64_t x) { return atomicMin((unsigned long long *)p, (unsigned long long)x); }

template <class P> GI_DEVICE P gi_cuda_root(P *parents, P i)
{
    for (;;) {
        P parent = gi_cuda_peek(&parents[i]);
        if (parent == i) return i;
        P above = gi_cuda_peek(&parents[parent]);
        if (above == parent) return parent;
        gi_cuda_lower(&parents[i], above); /* halves the way for the next one */
        i = above;
    }
}

/* Makes one object of those of a and b. */
template <class P> GI_DEVICE void gi_cuda_unite(P *parents, P a, P b)
{
    for (;;) {
        a = gi_cuda_root(parents, a);
        b = gi_cuda_root(parents, b);
        if (a == b) return;
        P low = a < b ? a : b, high = a < b ? b : a, parent = gi_cuda_lower(&parents[high], low);
        if (parent == high) return; /* it was a root until now */
        a = parent;                 /* somebody was faster: unite with what he found */
        b = low;
    }
}

/* Unites every element with its neighbours before it, but only where no other element of the two runs does it. */
template <class P>
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_label_unite(const __grid_constant__ gi_cuda_image<P> m, P *parents)
{
    P   i    = (P)blockIdx.x * GI_CUDA_THREADS + threadIdx.x;
    int last = m.axes.ndim - 1, combinations = 1;
    if (i >= m.size || !m.mask[i]) return;
    const uint8_t *here = m.mask + i;
    P              row = gi_divide(i, m.axes.shape[last]), column = i - row * m.columns;
    bool           on_left = column > 0 && here[-1], on_right = column + 1 < m.columns && here[1];
    if (on_left && threadIdx.x % 32 == 0) gi_cuda_unite(parents, i, i - 1);
    for (int d = 0; d < last; d++) combinations *= 3;
#pragma unroll 1
    for (int c = 0; c < combinations / 2; c++) { /* the rows that touch this one and come before: see gi_list_neighbours */
        int  digits = c, moved = 0;
        P    back = 0, stride = m.columns, rest = row; /* elements */
        bool exists = true;
#pragma unroll 1
        for (int d = last - 1; d >= 0; d--) {
            int offset = digits % 3 - 1;
            P   length = m.axes.shape[d].by, above = gi_divide(rest, m.axes.shape[d]), at = rest - above * length;
            digits /= 3;
            rest   = above;
            exists = exists && (offset < 0 ? at > 0 : offset == 0 || at + 1 < length);
            moved += offset != 0;
            back -= (P)(int64_t)offset * stride;
            stride *= length;
        }
        if (!exists || moved > m.connectivity) continue;
        P              j       = i - back;
        const uint8_t *there   = m.mask + j;
        bool           corners = moved < m.connectivity;
        bool           left    = column > 0 && there[-1];
        if (there[0]) {
            if (!(on_left && left)) gi_cuda_unite(parents, i, j);
        } else if (corners) {
            if (left && !on_left) gi_cuda_unite(parents, i, j - 1);
            if (column + 1 < m.columns && there[1] && !on_right) gi_cuda_unite(parents, i, j + 1);
        }
    }
}

/* Every element finds its root (nobody changes another one's parent any more); counts the roots of each tile, and writes a 0 behind
   the counts. */
template <class P> static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_label_roots(P *parents, int64_t *counts)
{
    GI_BLOCK_SHARED(int64_t, row, [GI_WARPS]);
    P       first = (P)blockIdx.x * GI_PARENTS_TILE + threadIdx.x;
    int64_t roots = 0, all;
#pragma unroll
    for (int k = 0; k < GI_PARENTS_EACH; k++) {
        P i = first + k * GI_CUDA_THREADS, parent = gi_cuda_peek(&parents[i]), root = parent;
        if (parent & gi_parents<P>::number) continue;
        for (P above; (above = gi_cuda_peek(&parents[root])) != root;) root = above;
        if (root != parent) gi_cuda_poke(&parents[i], root);
        roots += root == i;
    }
    gi_cuda_sum_before(roots, row, all);
    if (threadIdx.x != 0) return;
    counts[blockIdx.x] = all;
    if (blockIdx.x == 0) counts[gridDim.x] = 0;
}

/* Gives the roots their numbers: before[b] roots lie before tile b. */
template <class P>
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_label_number(P *parents, const int64_t *before)
{
    GI_BLOCK_SHARED(int64_t, row, [GI_WARPS]);
    P                                first = ((P)blockIdx.x * GI_CUDA_THREADS + threadIdx.x) * GI_PARENTS_EACH;
    int64_t                          roots = 0, all;
    auto                             pack  = (gi_cuda_pack<P, GI_PARENTS_EACH> *)(parents + first);
    gi_cuda_pack<P, GI_PARENTS_EACH> v     = *pack;
#pragma unroll
    for (int k = 0; k < GI_PARENTS_EACH; k++) roots += v.e[k] == first + k;
    int64_t number = before[blockIdx.x] + gi_cuda_sum_before(roots, row, all);
    if (roots == 0) return;
#pragma unroll
    for (int k = 0; k < GI_PARENTS_EACH; k++)
        if (v.e[k] == first + k) v.e[k] = gi_parents<P>::number | (P)++number;
    *pack = v;
}

template <class P, class U> GI_DEVICE void gi_cuda_write_labels(const P *parents, P size, U *out)
{
    P                                first = ((P)blockIdx.x * GI_CUDA_THREADS + threadIdx.x) * GI_PARENTS_EACH;
    gi_cuda_pack<P, GI_PARENTS_EACH> v     = *(const gi_cuda_pack<P, GI_PARENTS_EACH> *)(parents + first);
    gi_cuda_pack<U, GI_PARENTS_EACH> labels;
#pragma unroll
    for (int k = 0; k < GI_PARENTS_EACH; k++) {
        P number    = v.e[k] & gi_parents<P>::number ? v.e[k] : parents[v.e[k]];
        labels.e[k] = (U)(number & ~gi_parents<P>::number);
    }
    if (first + GI_PARENTS_EACH <= size) {
        *(gi_cuda_pack<U, GI_PARENTS_EACH> *)(out + first) = labels;
    } else {
#pragma unroll
        for (int k = 0; k < GI_PARENTS_EACH; k++)
            if (first + k < size) out[first + k] = labels.e[k];
    }
}

template <class P>
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_label_write(const P *parents, P size, void *out, int itemsize)
{
    switch (itemsize) {
    case 1: gi_cuda_write_labels(parents, size, (uint8_t *)out); break;
    case 2: gi_cuda_write_labels(parents, size, (uint16_t *)out); break;
    case 4: gi_cuda_write_labels(parents, size, (uint32_t *)out); break;
    default: gi_cuda_write_labels(parents, size, (uint64_t *)out);
    }
}

/* Labels an image that is not empty. The number of objects is read back when somebody wants it. */
template <class P>
static bool gi_cuda_label_image(const uint8_t *mask, int connectivity, ga_array *result, const ga_label_options *o)
{
    gi_cuda_image<P> m;
    m.mask              = mask;
    m.size              = (P)result->size;
    m.columns           = result->ndim > 0 ? (P)result->shape[result->ndim - 1] : 1;
    m.connectivity      = connectivity;
    m.axes              = gi_cuda_axes_of<P>(result);
    const char  *site   = o->site;
    cudaStream_t stream = gi_cuda_current_stream();
    int64_t      tiles = (result->size + GI_PARENTS_TILE - 1) / GI_PARENTS_TILE, objects = 0;
    unsigned     blocks = (unsigned)tiles, threads = GI_CUDA_THREADS;
    gi_scratch   p = {}, c = {};
    bool         ok = gi_scratch_get(site, &p, result, (size_t)(tiles * GI_PARENTS_TILE) * sizeof(P)) &&
              gi_scratch_get(site, &c, result, (size_t)(tiles + 1) * sizeof(int64_t));
    P       *parents = (P *)p.p;
    int64_t *counts  = (int64_t *)c.p;
    if (ok) {
        GI_LAUNCH(gi_cuda_label_runs<P>, blocks * GI_PARENTS_EACH, threads, stream, m, parents);
        ok = gi_cuda_launched(site, "the runs of ga_label");
    }
    if (ok) {
        GI_LAUNCH(gi_cuda_label_unite<P>, blocks * GI_PARENTS_EACH, threads, stream, m, parents);
        ok = gi_cuda_launched(site, "uniting in ga_label");
    }
    if (ok) {
        GI_LAUNCH(gi_cuda_label_roots<P>, blocks, threads, stream, parents, counts);
        ok = gi_cuda_launched(site, "the roots of ga_label") && gi_cuda_exclusive_scan(site, result, counts, tiles + 1, NULL);
    }
    if (ok && (o->count || (result->size + 1) / 2 > gi_dtype_largest_int(result->dtype)))
        ok = gi_cuda_read(site, result, &objects, counts + tiles, sizeof objects) &&
             gi_label_can_number(site, objects, result->dtype);
    if (ok) {
        GI_LAUNCH(gi_cuda_label_number<P>, blocks, threads, stream, parents, (const int64_t *)counts);
        ok = gi_cuda_launched(site, "numbering in ga_label");
    }
    if (ok) {
        GI_LAUNCH(gi_cuda_label_write<P>, blocks, threads, stream, (const P *)parents, m.size, result->data,
                  (int)ga_itemsize(result->dtype));
        ok = gi_cuda_launched(site, "writing in ga_label");
    }
    gi_scratch_free(&c);
    gi_scratch_free(&p);
    if (ok && o->count) *o->count = objects;
    return ok;
}

static ga_array *gi_cuda_label(const ga_array *a, ga_dtype dtype, int connectivity, const ga_label_options *o)
{
    ga_array *mask   = gi_cuda_packed(o->site, a, ga_itemsize(a->dtype) == 1 ? a->dtype : GA_BOOL);
    ga_array *result = mask ? gi_array_new(o->site, dtype, GA_CUDA, a->ndim, a->shape) : NULL;
    bool      ok     = result && gi_cuda_touch(o->site, mask) && gi_cuda_touch(o->site, result);
    if (ok && a->size == 0 && o->count) *o->count = 0;
    if (ok && a->size > 0) {
        const uint8_t *bytes = (const uint8_t *)mask->data;
        ok                   = a->size < GI_CUDA_WIDE ? gi_cuda_label_image<uint32_t>(bytes, connectivity, result, o)
                                                      : gi_cuda_label_image<uint64_t>(bytes, connectivity, result, o);
    }
    ga_free(mask);
    if (ok) return result;
    ga_free(result);
    return NULL;
}
