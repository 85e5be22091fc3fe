/* ==== >>cuda selecting: the elements that a condition chooses, and those that indices name ============================== */

/* ---- take ---------------------------------------------------------------------------------------------------------------- */
/*  The array is (outer, n, row), the result (outer, count, row), a row being counted in units: the largest power of two of bytes,
    16 at most, in which all can be moved. A thread moves a unit.                                                               */

/* Division of numbers that may be 2^31 or more. */
typedef struct gi_wide_divisor {
    int64_t         by;
    gi_cuda_divisor narrow; /* by 0: what is divided may be too large for it */
} gi_wide_divisor;

static gi_wide_divisor gi_wide_divisor_of(int64_t by, int64_t largest)
{
    gi_wide_divisor d = { by, { 0, 0, 0 } };
    if (largest <= INT32_MAX && by <= INT32_MAX) d.narrow = gi_divisor_of(by);
    return d;
}

GI_DEVICE int64_t gi_divide_wide(int64_t n, const gi_wide_divisor &d)
{
    return d.narrow.by ? (int64_t)gi_divide((uint32_t)n, d.narrow) : n / d.by;
}

typedef struct gi_taking {
    const char         *from;
    char               *to;
    const int64_t      *indices;
    int64_t             n, units; /* elements of the axis; units of the result */
    gi_wide_divisor     row, count;
    ga_take_mode        mode;
    unsigned long long *bad; /* the place of the first index that is out of bounds */
} gi_taking;

/* The index by the mode; -1 if it is out of bounds. */
GI_DEVICE int64_t gi_cuda_settle(int64_t i, int64_t n, ga_take_mode mode)
{
    if (i >= 0 && i < n) return i;
    if (mode == GA_TAKE_WRAP) return (i % n + n) % n;
    if (mode == GA_TAKE_CLIP) return i < 0 ? 0 : n - 1;
    return i >= -n && i < 0 ? i + n : -1;
}

template <class U> static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_taking(const __grid_constant__ gi_taking m)
{
    int64_t unit = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x;
    if (unit >= m.units) return;
    int64_t row = gi_divide_wide(unit, m.row), column = unit - row * m.row.by;
    int64_t outer = gi_divide_wide(row, m.count), k = row - outer * m.count.by;
    int64_t i = gi_cuda_settle(m.indices[k], m.n, m.mode);
    if (i >= 0) ((U *)m.to)[unit] = ((const U *)m.from)[(outer * m.n + i) * m.row.by + column];
    else if (column == 0 && outer == 0) atomicMin(m.bad, (unsigned long long)k);
}

/* Only looks for indices out of bounds: where nothing is taken. */
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_check_indices(const __grid_constant__ gi_taking m)
{
    int64_t k = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x;
    if (k < m.count.by && gi_cuda_settle(m.indices[k], m.n, m.mode) < 0) atomicMin(m.bad, (unsigned long long)k);
}

typedef void (*gi_taking_kernel)(const gi_taking);
static gi_taking_kernel gi_taking_kernel_for(int64_t unit)
{
    switch (unit) {
    case 1: return gi_cuda_taking<uint8_t>;
    case 2: return gi_cuda_taking<uint16_t>;
    case 4: return gi_cuda_taking<uint32_t>;
    case 8: return gi_cuda_taking<uint64_t>;
    default: return gi_cuda_taking<gi_16_bytes>;
    }
}

/* Was there a bad index? Then the error. */
static bool gi_cuda_good_indices(const char *site, const ga_array *on, const gi_taking *m)
{
    unsigned long long bad = 0;
    int64_t            index;
    if (!gi_cuda_read(site, on, &bad, m->bad, sizeof bad)) return false;
    if (bad == ~0ull) return true;
    if (gi_cuda_read(site, on, &index, m->indices + bad, sizeof index)) gi_take_bad_index(site, index, m->n);
    return false;
}

static bool gi_cuda_take_rows(const char *site, ga_array *taken, const ga_array *packed, gi_taking *m, int64_t bytes)
{
    int64_t      unit   = 16;
    cudaStream_t stream = gi_cuda_current_stream();
    while (((uintptr_t)m->from | (uintptr_t)bytes) % (uintptr_t)unit) unit /= 2;
    m->to    = (char *)taken->data;
    m->units = taken->size * ga_itemsize(taken->dtype) / unit;
    m->row   = gi_wide_divisor_of(m->units > 0 ? bytes / unit : 1, m->units); /* a row may be empty */
    gi_scratch bad;
    memset(&bad, 0, sizeof bad);
    bool ok = true, check = m->mode == GA_TAKE_RAISE && m->count.by > 0;
    if (check) {
        if (!gi_scratch_get(site, &bad, packed, sizeof *m->bad)) return false;
        m->bad = (unsigned long long *)bad.p;
        ok     = GI_CUDA_OK(site, cudaMemsetAsync(bad.p, 0xff, sizeof *m->bad, stream));
    }
    if (ok && m->units > 0) {
        m->count                = gi_wide_divisor_of(m->count.by, m->units);
        gi_taking_kernel kernel = gi_taking_kernel_for(unit);
        GI_LAUNCH(kernel, gi_cuda_blocks(m->units), GI_CUDA_THREADS, stream, *m);
        ok = gi_cuda_launched(site, "ga_take");
    } else if (ok && check) {
        GI_LAUNCH(gi_cuda_check_indices, gi_cuda_blocks(m->count.by), GI_CUDA_THREADS, stream, *m);
        ok = gi_cuda_launched(site, "ga_take");
    }
    ok = ok && (!check || gi_cuda_good_indices(site, packed, m));
    gi_scratch_free(&bad);
    return ok;
}

/* a[..., indices, ...] along an axis. The indices are int64 and contiguous; with GA_TAKE_RAISE the host waits to hear whether they
   are good. */
static ga_array *gi_cuda_take(const char *site, const ga_array *a, int axis, const ga_array *indices, ga_take_mode mode)
{
    ga_array *packed = gi_cuda_packed(site, a, a->dtype);
    ga_array *taken  = packed ? gi_take_new(site, a, axis, indices) : NULL;
    bool      ok     = taken && gi_cuda_touch(site, packed) && gi_cuda_touch(site, indices) && gi_cuda_touch(site, taken);
    if (ok) {
        gi_taking m;
        memset(&m, 0, sizeof m);
        int64_t bytes = ga_itemsize(a->dtype);
        for (int d = axis + 1; d < a->ndim; d++) bytes *= a->shape[d];
        m.from     = (const char *)packed->data;
        m.indices  = (const int64_t *)indices->data;
        m.n        = a->shape[axis];
        m.count.by = indices->size;
        m.mode     = mode;
        ok         = gi_cuda_take_rows(site, taken, packed, &m, bytes);
    }
    ga_free(packed);
    if (ok) return taken;
    ga_free(taken);
    return NULL;
}

/* ---- put and add, at places that ascend ---------------------------------------------------------------------------------- */

typedef struct gi_cuda_scattering {
    const int64_t *places, *order;
    const char    *values;
    char          *to;
    int64_t        n, step;
    int            ndim;
    int64_t        shape[GPUARR_MAX_DIMS], strides[GPUARR_MAX_DIMS];
} gi_cuda_scattering;

GI_DEVICE char *gi_cuda_place(const gi_cuda_scattering &s, int64_t place)
{
    char *at = s.to;
    for (int d = s.ndim - 1; d >= 0; d--) {
        const int64_t above = place / s.shape[d];
        at += (place - above * s.shape[d]) * s.strides[d];
        place = above;
    }
    return at;
}

/* The last of equal places writes. */
template <class U>
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_put(const __grid_constant__ gi_cuda_scattering s)
{
    const int64_t k = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x;
    if (k >= s.n || (k + 1 < s.n && s.places[k + 1] == s.places[k])) return;
    *(U *)gi_cuda_place(s, s.places[k]) = ((const U *)s.values)[s.order[k] * s.step];
}

/* The first of equal places adds all of them. */
template <class T, T (*add)(T, T)>
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_add_at(const __grid_constant__ gi_cuda_scattering s)
{
    const int64_t k = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x;
    if (k >= s.n || (k > 0 && s.places[k - 1] == s.places[k])) return;
    T *const at  = (T *)gi_cuda_place(s, s.places[k]);
    T        sum = *at;
    for (int64_t i = k; i < s.n && s.places[i] == s.places[k]; i++) sum = add(sum, ((const T *)s.values)[s.order[i] * s.step]);
    *at = sum;
}

typedef void (*gi_scatter_kernel)(const gi_cuda_scattering);
static gi_scatter_kernel gi_scatter_kernel_for(ga_dtype dtype, bool add)
{
    if (add) switch (dtype) {
#define GI_CASE(TAG, tag, T, name)                                                                                             \
    case GA_##TAG: return gi_cuda_add_at<T, gi_add_##tag>;
            GI_EACH_STAMPED(GI_CASE)
#undef GI_CASE
        default: return NULL;
        }
    if (dtype == GA_C64) return gi_cuda_put<ga_c64>; /* aligned as its parts */
    switch (ga_itemsize(dtype)) {
    case 1: return gi_cuda_put<uint8_t>;
    case 2: return gi_cuda_put<uint16_t>;
    case 4: return gi_cuda_put<uint32_t>;
    case 8: return gi_cuda_put<uint64_t>;
    default: return gi_cuda_put<ga_c128>;
    }
}

static bool gi_cuda_scatter(const char *site, ga_array *to, const ga_array *sorted, const ga_array *order,
                            const ga_array *values, bool add)
{
    gi_cuda_scattering s;
    memset(&s, 0, sizeof s);
    if (!gi_cuda_touch(site, to) || !gi_cuda_touch(site, sorted) || !gi_cuda_touch(site, order) || !gi_cuda_touch(site, values))
        return false;
    s.places = (const int64_t *)sorted->data;
    s.order  = (const int64_t *)order->data;
    s.values = (const char *)values->data;
    s.to     = (char *)to->data;
    s.n      = sorted->size;
    s.step   = values->size > 1;
    s.ndim   = to->ndim;
    memcpy(s.shape, to->shape, sizeof s.shape);
    memcpy(s.strides, to->strides, sizeof s.strides);
    gi_scatter_kernel kernel = gi_scatter_kernel_for(to->dtype, add);
    GI_LAUNCH(kernel, gi_cuda_blocks(s.n), GI_CUDA_THREADS, gi_cuda_current_stream(), s);
    return gi_cuda_launched(site, "writing at places");
}

/* ---- nonzero, compress, extract ------------------------------------------------------------------------------------------ */
/*  A thread looks at 16 flags. The blocks count what is true, the counts become places, and then every block writes to its own. */

enum { GI_CHOOSE_FLAGS = 16, GI_CHOOSE_TILE = GI_CHOOSE_FLAGS * GI_CUDA_THREADS, GI_CHOOSE_BATCH = 8 };

typedef struct gi_choosing {
    const uint8_t  *flags;
    int64_t         n, total;
    const char     *from;   /* the elements to choose from */
    char           *to;     /* the chosen ones, or rows of `total` indices */
    const int64_t  *starts; /* how many are true before each block */
    int             ndim;
    gi_wide_divisor shape[GPUARR_MAX_DIMS];
} gi_choosing;

/* The flags first .. first + 16 as bits. */
GI_DEVICE uint32_t gi_cuda_flags(const uint8_t *flags, int64_t first, int64_t n)
{
    uint32_t bits = 0;
    if (first + GI_CHOOSE_FLAGS <= n && (uintptr_t)flags % GI_CHOOSE_FLAGS == 0) {
        gi_cuda_pack<uint32_t, 4> words = *(const gi_cuda_pack<uint32_t, 4> *)(flags + first);
#pragma unroll
        for (int k = 0; k < GI_CHOOSE_FLAGS; k++) bits |= (uint32_t)((words.e[k / 4] >> (k % 4 * 8) & 255) != 0) << k;
    } else {
        for (int k = 0; k < GI_CHOOSE_FLAGS && first + k < n; k++) bits |= (uint32_t)(flags[first + k] != 0) << k;
    }
    return bits;
}

static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_count_true(const uint8_t *flags, int64_t n, int64_t *counts)
{
    GI_BLOCK_SHARED(int64_t, row, [GI_WARPS]);
    int64_t total, first = (int64_t)blockIdx.x * GI_CHOOSE_TILE + threadIdx.x * GI_CHOOSE_FLAGS;
    gi_cuda_sum_before(__popc(gi_cuda_flags(flags, first, n)), row, total);
    if (threadIdx.x == 0) counts[blockIdx.x] = total;
}

/* For a warp, whose lanes have looked at 512 flags: 32 flags after 32 flags in a word, so that neighbouring lanes move neighbours.
   `at` becomes the number of true flags before these. Returns the words of lanes 2k and 2k + 1 in lane 2k. */
GI_DEVICE uint32_t gi_cuda_choose(const gi_choosing &m, int64_t (&row)[GI_WARPS], int64_t &at)
{
    int64_t  total, first = (int64_t)blockIdx.x * GI_CHOOSE_TILE + threadIdx.x * GI_CHOOSE_FLAGS;
    uint32_t bits = gi_cuda_flags(m.flags, first, m.n);
    at            = gi_cuda_sum_before(__popc(bits), row, total);
    at            = m.starts[blockIdx.x] + __shfl_sync(0xffffffffu, at, 0);
    return bits | __shfl_down_sync(0xffffffffu, bits, 1) << 16;
}

template <class U>
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_choose_elements(const __grid_constant__ gi_choosing m)
{
    GI_BLOCK_SHARED(int64_t, row, [GI_WARPS]);
    int64_t at, lane = threadIdx.x % 32,
                first = (int64_t)blockIdx.x * GI_CHOOSE_TILE + threadIdx.x / 32 * (32 * GI_CHOOSE_FLAGS) + lane;
    uint32_t words = gi_cuda_choose(m, row, at), below = (1u << lane) - 1;
#pragma unroll 1
    for (int turn = 0; turn < GI_CHOOSE_FLAGS; turn += GI_CHOOSE_BATCH) {
        uint32_t word[GI_CHOOSE_BATCH];
        U        x[GI_CHOOSE_BATCH];
#pragma unroll
        for (int k = 0; k < GI_CHOOSE_BATCH; k++) {
            word[k] = __shfl_sync(0xffffffffu, words, 2 * (turn + k));
            if (word[k] >> lane & 1) x[k] = ((const U *)m.from)[first + 32 * (turn + k)];
        }
#pragma unroll
        for (int k = 0; k < GI_CHOOSE_BATCH; k++) {
            if (word[k] >> lane & 1) ((U *)m.to)[at + __popc(word[k] & below)] = x[k];
            at += __popc(word[k]);
        }
    }
}

static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_choose_places(const __grid_constant__ gi_choosing m)
{
    GI_BLOCK_SHARED(int64_t, row, [GI_WARPS]);
    int64_t at, lane = threadIdx.x % 32,
                first = (int64_t)blockIdx.x * GI_CHOOSE_TILE + threadIdx.x / 32 * (32 * GI_CHOOSE_FLAGS) + lane;
    uint32_t words = gi_cuda_choose(m, row, at), below = (1u << lane) - 1;
#pragma unroll 1
    for (int k = 0; k < GI_CHOOSE_FLAGS; k++) {
        uint32_t word = __shfl_sync(0xffffffffu, words, 2 * k);
        if (word >> lane & 1) { /* the last axis first: what is left of a place is its index along the axes before */
            int64_t place = first + 32 * k, *to = (int64_t *)m.to + at + __popc(word & below);
            for (int d = m.ndim - 1; d > 0; d--) {
                int64_t left    = gi_divide_wide(place, m.shape[d]);
                to[d * m.total] = place - left * m.shape[d].by;
                place           = left;
            }
            to[0] = place;
        }
        at += __popc(word);
    }
}

typedef void (*gi_choosing_kernel)(const gi_choosing);
static gi_choosing_kernel gi_choosing_kernel_for(int64_t itemsize)
{
    switch (itemsize) {
    case 1: return gi_cuda_choose_elements<uint8_t>;
    case 2: return gi_cuda_choose_elements<uint16_t>;
    case 4: return gi_cuda_choose_elements<uint32_t>;
    case 8: return gi_cuda_choose_elements<uint64_t>;
    default: return gi_cuda_choose_elements<gi_16_bytes>;
    }
}

/* The counts of the blocks as places, and their total: the number for which the host waits. */
static bool gi_cuda_count_flags(const char *site, const ga_array *flags, int64_t *starts, int64_t blocks, int64_t *total)
{
    GI_LAUNCH(gi_cuda_count_true, (unsigned)blocks, GI_CUDA_THREADS, gi_cuda_current_stream(), (const uint8_t *)flags->data,
              flags->size, starts);
    return gi_cuda_launched(site, "counting what is true") &&
           gi_cuda_exclusive_scan(site, flags, starts, blocks, starts + blocks) &&
           gi_cuda_read(site, flags, total, starts + blocks, sizeof *total);
}

/* The elements of a (NULL: the indices) where condition is nonzero. */
static ga_array *gi_cuda_chosen(const char *site, const ga_array *condition, const ga_array *a)
{
    gi_choosing m;
    gi_scratch  starts;
    memset(&m, 0, sizeof m);
    memset(&starts, 0, sizeof starts);
    ga_array *flags = gi_cuda_packed(site, condition, GA_BOOL), *chosen = NULL;
    ga_array *packed = flags && a ? gi_cuda_packed(site, a, a->dtype) : NULL;
    int64_t   blocks = (condition->size + GI_CHOOSE_TILE - 1) / GI_CHOOSE_TILE;
    bool      ok     = flags && (packed || !a) && gi_cuda_touch(site, flags) && (!a || gi_cuda_touch(site, packed));
    if (ok && blocks > 0)
        ok = gi_scratch_get(site, &starts, flags, (size_t)(blocks + 1) * sizeof(int64_t)) &&
             gi_cuda_count_flags(site, flags, (int64_t *)starts.p, blocks, &m.total);
    const int64_t shape[2] = { condition->ndim, m.total };
    if (ok) chosen = a ? gi_array_new(site, a->dtype, GA_CUDA, 1, &m.total) : gi_array_new(site, GA_I64, GA_CUDA, 2, shape);
    if (chosen && m.total > 0) {
        m.flags  = (const uint8_t *)flags->data;
        m.n      = condition->size;
        m.from   = packed ? (const char *)packed->data : NULL;
        m.to     = (char *)chosen->data;
        m.starts = (const int64_t *)starts.p;
        m.ndim   = condition->ndim;
        for (int d = 0; d < m.ndim; d++) m.shape[d] = gi_wide_divisor_of(condition->shape[d], m.n);
        gi_choosing_kernel kernel = a ? gi_choosing_kernel_for(ga_itemsize(a->dtype)) : gi_cuda_choose_places;
        GI_LAUNCH(kernel, (unsigned)blocks, GI_CUDA_THREADS, gi_cuda_current_stream(), m);
        if (!gi_cuda_launched(site, "writing what is chosen")) {
            ga_free(chosen);
            chosen = NULL;
        }
    }
    gi_scratch_free(&starts);
    ga_free(packed);
    ga_free(flags);
    return chosen;
}
