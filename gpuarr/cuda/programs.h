/* ==== >>cuda programs: a formula in one kernel ========================================================================= */
/*  An interpreter: each thread reads the ops of a program one after another, and computes each of them for a few neighbours, its lanes,
    so that they share what it costs to read an op. Lanes are words of 32 bits, or of 64 if any dtype is wider; the result of the
    op before stays in registers.                                                                                          */

/* The bits of neighbours, each in a word. */
template <class W> struct gi_lanes {
    enum { N = 32 / sizeof(W) };
    W e[N];
};

template <class T, class W> GI_DEVICE T gi_word_as(W word)
{
    T x;
    memcpy(&x, &word, sizeof x);
    return x;
}

template <class W, class T> GI_DEVICE W gi_word_of(T x)
{
    W word = 0;
    memcpy(&word, &x, sizeof x);
    return word;
}

/* x = f(x), where words hold both types. */
template <class T, class R, R (*f)(T), class W> GI_DEVICE void gi_lanes_map1(gi_lanes<W> &x)
{
    if constexpr (sizeof(T) <= sizeof(W) && sizeof(R) <= sizeof(W)) {
#pragma unroll
        for (int k = 0; k < x.N; k++) x.e[k] = gi_word_of<W>(f(gi_word_as<T>(x.e[k])));
    }
}

template <class T, class R, R (*f)(T, T), class W> GI_DEVICE void gi_lanes_map2(gi_lanes<W> &x, const gi_lanes<W> &y)
{
    if constexpr (sizeof(T) <= sizeof(W)) {
#pragma unroll
        for (int k = 0; k < x.N; k++) x.e[k] = gi_word_of<W>(f(gi_word_as<T>(x.e[k]), gi_word_as<T>(y.e[k])));
    }
}

template <class T, class R, R (*f)(T, T, T), class W>
GI_DEVICE void gi_lanes_map3(gi_lanes<W> &x, const gi_lanes<W> &y, const gi_lanes<W> &z)
{
    if constexpr (sizeof(T) <= sizeof(W)) {
#pragma unroll
        for (int k = 0; k < x.N; k++)
            x.e[k] = gi_word_of<W>(f(gi_word_as<T>(x.e[k]), gi_word_as<T>(y.e[k]), gi_word_as<T>(z.e[k])));
    }
}

template <class T, T (*f)(int, T, T), class W> GI_DEVICE void gi_lanes_call(int op, gi_lanes<W> &x, const gi_lanes<W> &y)
{
    if constexpr (sizeof(T) <= sizeof(W)) {
#pragma unroll
        for (int k = 0; k < x.N; k++) x.e[k] = gi_word_of<W>(f(op, gi_word_as<T>(x.e[k]), gi_word_as<T>(y.e[k])));
    }
}

/* Of these dtypes; a formula that computes in others is computed call by call. */
#define GI_EACH_PROGRAMMED(X)                                                                                                  \
    X(BOOL, b8, bool)                                                                                                          \
    X(U8, u8, uint8_t) X(I32, i32, int32_t) X(I64, i64, int64_t) X(F32, f32, float) X(F64, f64, double)

#define GI_PASS 6
#include "../rows/each.h"
#undef GI_PASS

template <class W> GI_DEVICE void gi_program_power(int which, int dtype, gi_lanes<W> &x)
{
    int index = 0;
#define GI_CASE(name, value)                                                                                                   \
    if (which == index++) {                                                                                                    \
        if (dtype == GA_F32) gi_lanes_map1<float, float, gi_power_##name##_f32>(x);                                            \
        else gi_lanes_map1<double, double, gi_power_##name##_f64>(x);                                                          \
    }
    GI_EASY_POWERS(GI_CASE)
#undef GI_CASE
}

/* Computes an op of operands that are there. */
template <class W>
GI_DEVICE void gi_program_apply(const gi_program_op &op, gi_lanes<W> &x, const gi_lanes<W> &y, const gi_lanes<W> &z)
{
    if (op.kind == GI_OP_CHOICE) {
#pragma unroll
        for (int k = 0; k < x.N; k++) x.e[k] = gi_choose<W>(x.e[k] != 0, y.e[k], z.e[k]);
    } else if (op.kind == GI_OP_POWER) {
        gi_program_power(op.what, op.dtype, x);
    } else if (op.kind == GI_OP_CAST && op.from == op.dtype) {
        return;
    } else {
        switch (op.dtype) {
#define GI_CASE(TAG, tag, T)                                                                                                   \
    case GA_##TAG:                                                                                                             \
        if (op.kind == GI_OP_ROW) gi_program_row_##tag(op.what, x, y, z);                                                      \
        else gi_program_cast_##tag(op.from, x);                                                                                \
        break;
            GI_EACH_PROGRAMMED(GI_CASE)
#undef GI_CASE
        default: break;
        }
    }
}

struct gi_cuda_program : gi_cuda_grid {
    gi_program p;
};

/* The neighbours of a thread. */
struct gi_program_place {
    uint32_t column, count, index[GPUARR_MAX_DIMS];

    __device__ __forceinline__ gi_program_place(const gi_cuda_program &m, uint32_t vector, uint32_t lanes)
    {
        const uint32_t columns = m.shape[m.ndim - 1].by;
        uint32_t       row     = gi_divide(vector, m.row);
        column                 = (vector - row * m.row.by) * lanes;
        count                  = columns - column < lanes ? columns - column : lanes;
#pragma unroll 1
        for (int d = m.ndim - 2; d >= 0; d--) {
            const uint32_t above = gi_divide(row, m.shape[d]);
            index[d]             = row - above * m.shape[d].by;
            row                  = above;
        }
    }
    /* The first of them in an array. */
    __device__ __forceinline__ char *in(const gi_cuda_program &m, const gi_program_view &v) const
    {
        char *at = v.data + column * v.strides[m.ndim - 1];
#pragma unroll 1
        for (int d = m.ndim - 2; d >= 0; d--) at += index[d] * v.strides[d];
        return at;
    }
};

/* U: an unsigned integer of the elements' size. */
template <class U, class W>
GI_DEVICE void gi_program_read(const gi_program_view &v, const char *at, int64_t step, uint32_t count, gi_lanes<W> &x)
{
    enum { N = gi_lanes<W>::N, TOGETHER = N * sizeof(U) > 16 ? 16 / sizeof(U) : N };
    typedef gi_cuda_pack<U, TOGETHER> pack;
    if (v.vectors && count == N) {
        pack read[N / TOGETHER];
#pragma unroll
        for (int k = 0; k < N / TOGETHER; k++) read[k] = ((const pack *)at)[k];
#pragma unroll
        for (int k = 0; k < N; k++) x.e[k] = read[k / TOGETHER].e[k % TOGETHER];
    } else {
#pragma unroll
        for (int k = 0; k < N; k++) x.e[k] = (uint32_t)k < count ? *(const U *)(at + k * step) : 0;
    }
}

template <class U, class W>
GI_DEVICE void gi_program_write(const gi_program_view &v, char *at, int64_t step, uint32_t count, const gi_lanes<W> &mask,
                                const gi_lanes<W> &x)
{
    enum { N = gi_lanes<W>::N, TOGETHER = N * sizeof(U) > 16 ? 16 / sizeof(U) : N };
    typedef gi_cuda_pack<U, TOGETHER> pack;
    if (v.vectors && count == N) {
#pragma unroll
        for (int k = 0; k < N / TOGETHER; k++) {
            pack written;
#pragma unroll
            for (int i = 0; i < TOGETHER; i++) written.e[i] = (U)x.e[k * TOGETHER + i];
            ((pack *)at)[k] = written;
        }
    } else {
#pragma unroll
        for (int k = 0; k < N; k++)
            if ((uint32_t)k < count && mask.e[k]) *(U *)(at + k * step) = (U)x.e[k];
    }
}

template <class W>
GI_DEVICE void gi_program_load(const gi_cuda_program &m, const gi_program_place &place, const gi_program_view &v,
                               gi_lanes<W> &x)
{
    const char   *at   = place.in(m, v);
    const int64_t step = v.strides[m.ndim - 1];
    switch (v.size) {
    case 1: gi_program_read<uint8_t>(v, at, step, place.count, x); break;
    case 2: gi_program_read<uint16_t>(v, at, step, place.count, x); break;
    case 4: gi_program_read<uint32_t>(v, at, step, place.count, x); break;
    default:
        if constexpr (sizeof(W) == 8) gi_program_read<uint64_t>(v, at, step, place.count, x);
        break;
    }
    if (v.dtype == GA_BOOL) {
#pragma unroll
        for (int k = 0; k < x.N; k++) x.e[k] = x.e[k] != 0; /* any byte but 0 is true */
    }
}

template <class W>
GI_DEVICE void gi_program_store(const gi_cuda_program &m, const gi_program_place &place, const gi_lanes<W> &x)
{
    const gi_program_view &v    = m.p.out;
    char                  *at   = place.in(m, v);
    const int64_t          step = v.strides[m.ndim - 1];
    gi_lanes<W>            mask;
    if (m.p.masked) gi_program_load(m, place, m.p.mask, mask);
    else {
#pragma unroll
        for (int k = 0; k < x.N; k++) mask.e[k] = 1;
    }
    switch (v.size) {
    case 1: gi_program_write<uint8_t>(v, at, step, place.count, mask, x); break;
    case 2: gi_program_write<uint16_t>(v, at, step, place.count, mask, x); break;
    case 4: gi_program_write<uint32_t>(v, at, step, place.count, mask, x); break;
    default:
        if constexpr (sizeof(W) == 8) gi_program_write<uint64_t>(v, at, step, place.count, mask, x);
        break;
    }
}

/* Brings an operand; x holds the result of the op before if it is that. */
template <class W>
GI_DEVICE void gi_program_fetch(const gi_cuda_program &m, const gi_program_place &place, int from, const gi_lanes<W> *kept,
                                const gi_lanes<W> &last, gi_lanes<W> &x)
{
    if (from == GI_FROM_LAST) x = last;
    else if (from >= GI_FROM_KEPT) x = kept[from - GI_FROM_KEPT];
    else if (from < GI_FROM_NUMBER) gi_program_load(m, place, m.p.leaf[from - GI_FROM_LEAF], x);
    else {
#pragma unroll
        for (int k = 0; k < x.N; k++) x.e[k] = (W)m.p.number[from - GI_FROM_NUMBER];
    }
}

template <class W>
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_program_kernel(const __grid_constant__ gi_cuda_program m)
{
    const uint32_t vector = blockIdx.x * GI_CUDA_THREADS + threadIdx.x;
    if (vector >= m.vectors) return;
    const gi_program_place place(m, vector, gi_lanes<W>::N);
    gi_lanes<W>            x = {}, y = {}, z = {}, kept[GI_PROGRAM_KEPT];
#pragma unroll 1
    for (int k = 0; k < m.p.ops; k++) {
        const gi_program_op &op = m.p.op[k];
        if (op.operands > 2) gi_program_fetch(m, place, op.x[2], kept, x, z);
        if (op.operands > 1) gi_program_fetch(m, place, op.x[1], kept, x, y);
        if (op.x[0] != GI_FROM_LAST) gi_program_fetch(m, place, op.x[0], kept, x, x);
        gi_program_apply(op, x, y, z);
        if (op.keep != GI_FROM_LAST) kept[op.keep - GI_FROM_KEPT] = x;
    }
    gi_program_store(m, place, x);
}

/* ---- launching ------------------------------------------------------------------------------------------------------------- */

static bool gi_program_has(ga_dtype dtype)
{
#define GI_CASE(TAG, tag, T)                                                                                                   \
    if (dtype == GA_##TAG) return true;
    GI_EACH_PROGRAMMED(GI_CASE)
#undef GI_CASE
    return false;
}

/* Is there a case for each op? */
static bool gi_cuda_takes_program(const gi_program *p)
{
    bool has = ga_itemsize(p->out.dtype) <= 8;
    for (int k = 0; k < p->leaves; k++) has = has && ga_itemsize(p->leaf[k].dtype) <= 8;
    for (int k = 0; k < p->ops && has; k++) {
        const gi_program_op *op       = &p->op[k];
        const ga_dtype       dtype    = (ga_dtype)op->dtype;
        const bool           constant = gi_row_constant((ga_op)op->what, dtype) >= 0;
        if (op->kind == GI_OP_ROW) has = gi_program_has(dtype) && !constant && gi_cuda_row((ga_op)op->what, dtype);
        else if (op->kind == GI_OP_CHOICE) has = ga_itemsize(dtype) <= 8;
        else if (op->kind == GI_OP_CAST) has = dtype == (ga_dtype)op->from || (gi_program_has(dtype) && op->from <= GA_F64);
    }
    return has;
}

/* Does any op or array need words of 64 bits? */
static bool gi_program_is_wide(const gi_program *p)
{
    bool wide = ga_itemsize(p->out.dtype) > 4;
    for (int k = 0; k < p->leaves; k++) wide = wide || ga_itemsize(p->leaf[k].dtype) > 4;
    for (int k = 0; k < p->ops; k++) {
        const gi_program_op *op = &p->op[k];
        wide = wide || ga_itemsize((ga_dtype)op->dtype) > 4 || (op->kind == GI_OP_CAST && ga_itemsize((ga_dtype)op->from) > 4);
    }
    return wide;
}

/* May the lanes of threads be moved together? */
static bool gi_program_vectors(const gi_program *p, const gi_program_view *v, int lanes)
{
    const int64_t size = ga_itemsize(v->dtype), all = size * lanes, together = all < 16 ? all : 16;
    bool          aligned = v->strides[p->ndim - 1] == size && (int64_t)((uintptr_t)v->data % (uintptr_t)together) == 0;
    for (int d = 0; d < p->ndim - 1; d++) aligned = aligned && v->strides[d] % together == 0;
    return aligned;
}

/* Computes `count` indices of the outermost dimension, of which the views show the first. */
static bool gi_cuda_launch_program(const char *site, const gi_program *p, int64_t count)
{
    gi_cuda_program m;
    const bool      wide  = gi_program_is_wide(p);
    const int       lanes = wide ? (int)gi_lanes<uint64_t>::N : (int)gi_lanes<uint32_t>::N;
    int64_t         rows  = 1;
    memset((gi_cuda_grid *)&m, 0, sizeof(gi_cuda_grid));
    m.p    = *p;
    m.ndim = p->ndim;
    for (int d = 0; d < p->ndim; d++) {
        const int64_t length = d == 0 ? count : p->shape[d];
        m.shape[d]           = gi_divisor_of(length);
        if (d < p->ndim - 1) rows *= length;
    }
    m.row     = gi_divisor_of(((int64_t)m.shape[p->ndim - 1].by + lanes - 1) / lanes);
    m.vectors = (uint32_t)(rows * m.row.by);
    for (int k = 0; k < p->leaves; k++) m.p.leaf[k].vectors = gi_program_vectors(p, &p->leaf[k], lanes);
    m.p.out.vectors  = !p->masked && gi_program_vectors(p, &p->out, lanes);
    m.p.mask.vectors = p->masked && gi_program_vectors(p, &p->mask, lanes);
    if (wide)
        GI_LAUNCH(gi_cuda_program_kernel<uint64_t>, gi_cuda_blocks(m.vectors), GI_CUDA_THREADS, gi_cuda_current_stream(), m);
    else GI_LAUNCH(gi_cuda_program_kernel<uint32_t>, gi_cuda_blocks(m.vectors), GI_CUDA_THREADS, gi_cuda_current_stream(), m);
    return gi_cuda_launched(site, "a formula");
}

/* The program from index `first` of the outermost dimension on. */
static gi_program gi_program_from(const gi_program *p, int64_t first)
{
    gi_program part = *p;
    for (int k = 0; k < part.leaves; k++) part.leaf[k].data += first * part.leaf[k].strides[0];
    part.out.data += first * part.out.strides[0];
    if (part.masked) part.mask.data += first * part.mask.strides[0];
    return part;
}

/* Runs a program on the device of its arrays (touched before), of at most 2^30 elements a launch. Its dimensions are at least one, and
   none is empty. */
static bool gi_cuda_run_program(const char *site, const gi_program *p)
{
    const int64_t most  = (int64_t)1 << 30;
    int64_t       below = 1;
    for (int d = 1; d < p->ndim; d++) below *= p->shape[d];
    const int64_t step = below > most ? 1 : most / below;
    for (int64_t first = 0; first < p->shape[0]; first += step) {
        gi_program part = gi_program_from(p, first);
        part.shape[0]   = p->shape[0] - first < step ? p->shape[0] - first : step;
        if (below <= most) {
            if (!gi_cuda_launch_program(site, &part, part.shape[0])) return false;
            continue;
        }
        part.ndim--; /* too many already: each index is a program */
        memmove(part.shape, part.shape + 1, (size_t)part.ndim * sizeof *part.shape);
        gi_program_view *views[GI_PROGRAM_LEAVES + 2] = { &part.out, &part.mask };
        for (int k = 0; k < part.leaves; k++) views[k + 2] = &part.leaf[k];
        for (int k = 0; k < part.leaves + 2; k++)
            memmove(views[k]->strides, views[k]->strides + 1, (size_t)part.ndim * sizeof *views[k]->strides);
        if (!gi_cuda_run_program(site, &part)) return false;
    }
    return true;
}
