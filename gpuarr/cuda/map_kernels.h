/* ---- launches -------------------------------------------------------------------------------------------------------- */

static unsigned gi_cuda_blocks(int64_t threads) { return (unsigned)((threads + GI_CUDA_THREADS - 1) / GI_CUDA_THREADS); }

static gi_cuda_divisor gi_divisor_of(int64_t by)
{
    gi_cuda_divisor d = { (uint32_t)by, 0, 0 };
    while (((uint64_t)1 << d.shift) < d.by) d.shift++;
    d.magic = (uint32_t)((((uint64_t)1 << 32) * (((uint64_t)1 << d.shift) - d.by)) / d.by + 1);
    return d;
}

/* ==== >>cuda map: elementwise kernels ================================================================================= */
/*  Where every operand lies packed along the innermost dimension (or is one element there), a thread computes a vector: as many neighbours
    as fit 16 bytes, each operand in one access. Else a block computes as many elements one by one, neighbouring threads neighbouring
    elements; so are the ends of rows that are no whole vectors.                                                                  */

struct gi_cuda_map : gi_cuda_grid {
    gi_cuda_operand in[3], out, mask;
    bool            masked;
    ga_dtype        from; /* of casts */
};

typedef void (*gi_cuda_kernel)(const gi_cuda_map);

/* Where an element lies in each operand. */
template <int INPUTS> struct gi_place {
    const char *in[INPUTS], *mask;
    char       *out;

    __device__ __forceinline__ gi_place(const gi_cuda_map &m, uint32_t element)
    {
#pragma unroll
        for (int k = 0; k < INPUTS; k++) in[k] = m.in[k].data;
        out  = m.out.data;
        mask = m.mask.data;
#pragma unroll 1
        for (int d = m.ndim - 1; d >= 0; d--) {
            const uint32_t above = gi_divide(element, m.shape[d]), index = element - above * m.shape[d].by;
            element = above;
#pragma unroll
            for (int k = 0; k < INPUTS; k++) in[k] += index * m.in[k].strides[d];
            out += index * m.out.strides[d];
            mask += index * m.mask.strides[d];
        }
    }
};

template <int INPUTS> GI_DEVICE bool gi_cuda_writes(const gi_cuda_map &m, const gi_place<INPUTS> &at)
{
    return !m.masked || *(const uint8_t *)at.mask;
}

template <class X, class R, R (*f)(X)> GI_DEVICE void gi_cuda_map1_body(const gi_cuda_map &m)
{
    enum { N = GI_VECTOR(GI_WIDER(sizeof(X), sizeof(R))) };
    const gi_span<N> span(m);
#pragma unroll 1
    for (uint32_t e = span.first; e < span.end; e += span.step) {
        const gi_place<1> at(m, e);
        if (span.step == N) {
            X                  x[N];
            gi_cuda_pack<R, N> r;
            gi_cuda_load(m.in[0], at.in[0], x);
#pragma unroll
            for (int k = 0; k < N; k++) r.e[k] = f(x[k]);
            *(gi_cuda_pack<R, N> *)at.out = r;
        } else if (gi_cuda_writes(m, at)) {
            *(R *)at.out = f(gi_cuda_load_one<X>(m.in[0], at.in[0]));
        }
    }
}

template <class X, class R, R (*f)(X)>
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_map1(const __grid_constant__ gi_cuda_map m)
{
    gi_cuda_map1_body<X, R, f>(m);
}

template <class X, class Y, class R, R (*f)(X, Y)>
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_map2(const __grid_constant__ gi_cuda_map m)
{
    enum { N = GI_VECTOR(GI_WIDER(GI_WIDER(sizeof(X), sizeof(Y)), sizeof(R))) };
    const gi_span<N> span(m);
#pragma unroll 1
    for (uint32_t e = span.first; e < span.end; e += span.step) {
        const gi_place<2> at(m, e);
        if (span.step == N) {
            X                  x[N];
            Y                  y[N];
            gi_cuda_pack<R, N> r;
            gi_cuda_load(m.in[0], at.in[0], x);
            gi_cuda_load(m.in[1], at.in[1], y);
#pragma unroll
            for (int k = 0; k < N; k++) r.e[k] = f(x[k], y[k]);
            *(gi_cuda_pack<R, N> *)at.out = r;
        } else if (gi_cuda_writes(m, at)) {
            *(R *)at.out = f(gi_cuda_load_one<X>(m.in[0], at.in[0]), gi_cuda_load_one<Y>(m.in[1], at.in[1]));
        }
    }
}

template <class X, class Y, class Z, class R, R (*f)(X, Y, Z)>
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_map3(const __grid_constant__ gi_cuda_map m)
{
    enum { N = GI_VECTOR(GI_WIDER(GI_WIDER(sizeof(X), sizeof(Y)), sizeof(R))) }; /* a wider Z is a number */
    const gi_span<N> span(m);
#pragma unroll 1
    for (uint32_t e = span.first; e < span.end; e += span.step) {
        const gi_place<3> at(m, e);
        if (span.step == N) {
            X                  x[N];
            Y                  y[N];
            Z                  z[N];
            gi_cuda_pack<R, N> r;
            gi_cuda_load(m.in[0], at.in[0], x);
            gi_cuda_load(m.in[1], at.in[1], y);
            gi_cuda_load(m.in[2], at.in[2], z);
#pragma unroll
            for (int k = 0; k < N; k++) r.e[k] = f(x[k], y[k], z[k]);
            *(gi_cuda_pack<R, N> *)at.out = r;
        } else if (gi_cuda_writes(m, at)) {
            *(R *)at.out = f(gi_cuda_load_one<X>(m.in[0], at.in[0]), gi_cuda_load_one<Y>(m.in[1], at.in[1]),
                             gi_cuda_load_one<Z>(m.in[2], at.in[2]));
        }
    }
}

/* What a copy moves and a choice chooses, by its size alone. */
struct alignas(16) gi_16_bytes {
    uint64_t part[2];
};
template <class U> GI_DEVICE U gi_same(U x) { return x; }
/* Without a branch: nvcc would spill. */
template <class U> GI_DEVICE U           gi_choose(bool chosen, U x, U y) { return (U)(y ^ ((x ^ y) & (U)(0 - (U)chosen))); }
GI_DEVICE gi_16_bytes                    gi_choose_16(bool chosen, gi_16_bytes x, gi_16_bytes y) { return chosen ? x : y; }
template <class U> static gi_cuda_kernel gi_cuda_copy_of(void) { return gi_cuda_map1<U, U, gi_same<U>>; }
template <class U> static gi_cuda_kernel gi_cuda_select_of(void) { return gi_cuda_map3<bool, U, U, U, gi_choose<U>>; }

static gi_cuda_kernel gi_cuda_copy(int64_t itemsize)
{
    switch (itemsize) {
    case 1: return gi_cuda_copy_of<uint8_t>();
    case 2: return gi_cuda_copy_of<uint16_t>();
    case 4: return gi_cuda_copy_of<uint32_t>();
    case 8: return gi_cuda_copy_of<uint64_t>();
    default: return gi_cuda_copy_of<gi_16_bytes>();
    }
}

static gi_cuda_kernel gi_cuda_choice(int64_t itemsize)
{
    switch (itemsize) {
    case 1: return gi_cuda_select_of<uint8_t>();
    case 2: return gi_cuda_select_of<uint16_t>();
    case 4: return gi_cuda_select_of<uint32_t>();
    case 8: return gi_cuda_select_of<uint64_t>();
    default: return gi_cuda_map3<bool, gi_16_bytes, gi_16_bytes, gi_16_bytes, gi_choose_16>;
    }
}

/* How the GPU folds a row for a dtype. */
typedef struct gi_cuda_row_folds {
    gi_cuda_fold_kernel kernel; /* of the elements; NULL: see truth, or convert them to the accumulators' dtype */
    gi_cuda_fold_kernel (*truth)(int64_t size); /* the kernel that looks at the truth of elements of any dtype of a size */
    gi_cuda_fold_kernel again;                  /* of accumulators; NULL: the row's kernel for their dtype */
    ga_dtype            accs;                   /* the dtype of an accumulator */
} gi_cuda_row_folds;

template <bool stamped, class F> static gi_cuda_fold_kernel gi_cuda_fold_if(void)
{
    if constexpr (stamped) return gi_cuda_fold<F>;
    else return NULL;
}

template <class A> struct gi_cuda_dtype_of {
};
#define GI_CASE(TAG, tag, T, name)                                                                                             \
    template <> struct gi_cuda_dtype_of<T> {                                                                                   \
        static constexpr ga_dtype dtype = GA_##TAG;                                                                            \
    };
GI_EACH_DTYPE(GI_CASE)
#undef GI_CASE

template <class A, A (*of)(bool), A (*join)(A, A), A (*end)(A, int64_t)>
static gi_cuda_fold_kernel gi_cuda_truth_kernel(int64_t itemsize)
{
    switch (itemsize) {
    case 1: return gi_cuda_fold<gi_cuda_truth_fold<uint8_t, A, of, join, end>>;
    case 4: return gi_cuda_fold<gi_cuda_truth_fold<uint32_t, A, of, join, end>>;
    case 8: return gi_cuda_fold<gi_cuda_truth_fold<uint64_t, A, of, join, end>>;
    default: return NULL; /* rare: converted to bool before */
    }
}

/* Which conversions have a kernel. Signs make no difference to what becomes an unsigned integer of an integer, nor where integers
   do not get wider. */
constexpr ga_dtype gi_cuda_twin(ga_dtype d)
{
    switch (d) {
#define GI_CASE(TAG, tag, T, name)                                                                                             \
    case GA_##TAG: return gi_cuda_dtype_of<GI_JOIN(gi_, GI_TWIN_##tag)>::dtype;
        GI_EACH_STAMPED(GI_CASE)
#undef GI_CASE
    default: return d;
    }
}
constexpr bool     gi_cuda_is_integral(ga_dtype d) { return d < GA_F32; }
constexpr ga_dtype gi_cuda_casts_to(ga_dtype to, ga_dtype from) { return gi_cuda_is_integral(from) ? gi_cuda_twin(to) : to; }
constexpr ga_dtype gi_cuda_casts_from(ga_dtype to, ga_dtype from) /* dtypes are in the order of their sizes */
{
    return gi_cuda_is_integral(to) && gi_cuda_twin(from) >= gi_cuda_casts_to(to, from) ? gi_cuda_twin(from) : from;
}
template <class T, ga_dtype from> struct gi_cuda_casts {
    static constexpr ga_dtype to     = gi_cuda_dtype_of<T>::dtype;
    static constexpr bool     needed = to != from && to == gi_cuda_casts_to(to, from) && from == gi_cuda_casts_from(to, from);
};

#define GI_PASS 5
#include "../rows/each.h"
#undef GI_PASS

/* NULL: it takes two steps. */
static gi_cuda_kernel gi_cuda_half_cast(ga_dtype to, ga_dtype from)
{
#define GI_CASE(TO, to_, T, FROM, from_, F)                                                                                    \
    if (to == GA_##TO && from == GA_##FROM) return gi_cuda_map1<F, T, gi_cast_##to_##_##from_>;
    GI_EACH_HALF_CAST(GI_CASE)
#undef GI_CASE
    return NULL;
}

static gi_cuda_kernel gi_cuda_cast(ga_dtype to, ga_dtype from)
{
    if (to != from && (gi_is_half(to) || gi_is_half(from))) return gi_cuda_half_cast(to, from);
    to = gi_cuda_casts_to(to, from);
    if (to == gi_cuda_casts_from(to, from)) return gi_cuda_copy(ga_itemsize(to));
    switch (to) {
#define GI_CASE(TAG, tag, T, name)                                                                                             \
    case GA_##TAG: return gi_cuda_cast_##tag;
        GI_EACH_STAMPED(GI_CASE)
#undef GI_CASE
    default: return NULL;
    }
}

template <class U> GI_DEVICE bool        gi_never(U x) { return (void)x, false; }
template <class U> GI_DEVICE bool        gi_always(U x) { return (void)x, true; }
template <class U> static gi_cuda_kernel gi_cuda_constant_of(bool value)
{
    if (value) return gi_cuda_map1<U, bool, gi_always<U>>;
    return gi_cuda_map1<U, bool, gi_never<U>>;
}

/* What is the same for all numbers needs no kernel for each. */
static gi_cuda_kernel gi_cuda_constant(int64_t itemsize, bool value)
{
    switch (itemsize) {
    case 1: return gi_cuda_constant_of<uint8_t>(value);
    case 2: return gi_cuda_constant_of<uint16_t>(value);
    case 4: return gi_cuda_constant_of<uint32_t>(value);
    default: return gi_cuda_constant_of<uint64_t>(value);
    }
}

/* The kernel of an elementwise operation for a dtype, NULL if its row has none. */
static gi_cuda_kernel gi_cuda_row(ga_op op, ga_dtype dtype)
{
    if (gi_row_constant(op, dtype) >= 0) return gi_cuda_constant(ga_itemsize(dtype), gi_row_constant(op, dtype) > 0);
    switch (dtype) {
#define GI_CASE(TAG, tag, T, name)                                                                                             \
    case GA_##TAG: return gi_cuda_row_##tag(op);
        GI_EACH_STAMPED(GI_CASE)
#undef GI_CASE
    default: return NULL;
    }
}

/* How a reduction folds a dtype on the GPU; false if its row does not have it. */
static bool gi_cuda_find_fold(ga_op op, ga_dtype dtype, gi_cuda_row_folds *f)
{
    memset(f, 0, sizeof *f);
    if (dtype == GA_BOOL && !gi_cuda_find_fold_b8(op, f))
        dtype = GA_U8; /* truths are the numbers 0 and 1, see gi_cuda_number */
    switch (dtype) {
#define GI_CASE(TAG, tag, T, name)                                                                                             \
    case GA_##TAG: return gi_cuda_find_fold_##tag(op, f);
        GI_EACH_STAMPED(GI_CASE)
#undef GI_CASE
    default: return false;
    }
}
