/*  gpuarr_cpu.h -- the CPU backend. Included by gpuarr.h, never by you.

    The loops are ordinary code with ordinary line numbers. This file includes itself once per instruction set (GI_ISA) and, within
    that, once per element type (GA_TAG). A kernel works on packed elements: strides, casts and broadcasting are settled before by
    whoever calls it, a tile at a time.

        >>loops  >>folds  >>dense  >>stamp  >>find  >>isa                                                                              */

#if defined(GI_ACC)
/* ==== >>folds: one accumulator kind (GI_ACC is WIDE, MEAN, SAME, BOOL or COUNT) =================================== */
/*  The documented tree. A block holds up to 1024 elements; x[i] joins x[i + h] for h = 512, 256 ... 1, starting from the power of two
    that holds the block; an element without a partner stays as it is. The results of the blocks are folded in the same way.   */

#define GI_A GI_NAME(GI_JOIN(gi_acc_, GI_ACC))

static GI_INLINE void GI_LOOP(GI_JOIN(gi_halve_, GI_ACC))(int64_t n, GI_A *a, GI_A (*join)(GI_A, GI_A))
{
    int64_t h = 1;
    while (h < n) h *= 2;
    if (h > n) { /* the first step of a block that is no power of two */
        h /= 2;
        for (int64_t i = 0; i < n - h; i++) a[i] = join(a[i], a[i + h]);
        n = h;
    }
    for (h = n / 2; h >= 16; h /= 2) {
        GI_VECTORIZE
        for (int64_t i = 0; i < h; i++) a[i] = join(a[i], a[i + h]);
    }
    for (; h > 0; h /= 2)
        for (int64_t i = 0; i < h; i++) a[i] = join(a[i], a[i + h]);
}

static GI_INLINE void GI_LOOP(GI_JOIN(gi_fold_, GI_ACC))(int64_t n, void *acc, const void *in, GI_A (*of)(GA_T),
                                                         GI_A (*join)(GI_A, GI_A), void (*halve)(int64_t, void *))
{
    const GA_T *x = (const GA_T *)in;
    GI_A        a[GI_BLOCK / 2];
    int64_t     h = GI_BLOCK / 2;
    if (n == GI_BLOCK) {
        GI_VECTORIZE
        for (int64_t i = 0; i < GI_BLOCK / 2; i++) a[i] = join(of(x[i]), of(x[i + GI_BLOCK / 2]));
    } else {
        while (h > 1 && h >= n) h /= 2;
        for (int64_t i = 0; i < h; i++) a[i] = i + h < n ? join(of(x[i]), of(x[i + h])) : of(x[i]);
    }
    if (h > 1) halve(h, a);
    memcpy(acc, a, sizeof *a);
}
#undef GI_A

#elif defined(GA_TAG)
/* ==== >>loops of one element type and instruction set ============================================================== */
#define GI_LOOP(stem) GI_JOIN(stem, GI_JOIN(_, GI_JOIN(GA_TAG, GI_JOIN(_, GI_ISA))))
#define GI_OP(name)   GI_NAME(gi_op_##name)

#if GI_ISA_STAMPS
static GI_INLINE void GI_LOOP(gi_map1_SAME)(int64_t n, void *o, const void *x_, GA_T (*f)(GA_T))
{
    GA_T       *out = (GA_T *)o;
    const GA_T *x   = (const GA_T *)x_;
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) out[i] = f(x[i]);
}

static GI_INLINE void GI_LOOP(gi_map1_BOOL)(int64_t n, void *o, const void *x_, bool (*f)(GA_T))
{
    bool       *out = (bool *)o;
    const GA_T *x   = (const GA_T *)x_;
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) out[i] = f(x[i]);
}

static GI_INLINE void GI_LOOP(gi_map1_PART)(int64_t n, void *o, const void *x_, GI_R (*f)(GA_T))
{
    GI_R       *out = (GI_R *)o;
    const GA_T *x   = (const GA_T *)x_;
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) out[i] = f(x[i]);
}

static GI_INLINE void GI_LOOP(gi_map2_SAME)(int64_t n, void *o, const void *x_, const void *y_, GA_T (*f)(GA_T, GA_T))
{
    GA_T       *out = (GA_T *)o;
    const GA_T *x = (const GA_T *)x_, *y = (const GA_T *)y_;
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) out[i] = f(x[i], y[i]);
}

static GI_INLINE void GI_LOOP(gi_map2_BOOL)(int64_t n, void *o, const void *x_, const void *y_, bool (*f)(GA_T, GA_T))
{
    bool       *out = (bool *)o;
    const GA_T *x = (const GA_T *)x_, *y = (const GA_T *)y_;
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) out[i] = f(x[i], y[i]);
}

static GI_INLINE void GI_LOOP(gi_map3_SAME)(int64_t n, void *o, const void *x_, const void *y_, const void *z_,
                                            GA_T (*f)(GA_T, GA_T, GA_T))
{
    GA_T       *out = (GA_T *)o;
    const GA_T *x = (const GA_T *)x_, *y = (const GA_T *)y_, *z = (const GA_T *)z_;
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) out[i] = f(x[i], y[i], z[i]);
}

#if GI_CLASS == 3
/* Rare arguments (huge, infinite, NaN ...) are looked for first; a part of the array that has some is copied, because out may be x,
   computed like the others, and then mended one by one. */
static GI_INLINE void GI_LOOP(gi_elementary1)(int64_t n, void *o, const void *x_, GA_T (*core)(GA_T), GI_FLAG (*rare)(GA_T),
                                              GA_T (*slow)(GA_T))
{
    for (int64_t start = 0; start < n; start += GI_MEND) {
        int64_t     m   = n - start < GI_MEND ? n - start : GI_MEND;
        GA_T       *out = (GA_T *)o + start, copy[GI_MEND];
        const GA_T *x   = (const GA_T *)x_ + start;
        GI_FLAG     any = 0;
        GI_VECTORIZE
        for (int64_t i = 0; i < m; i++) any |= rare(x[i]);
        if (any) {
            memcpy(copy, x, (size_t)m * sizeof *x);
            x = copy;
        }
        GI_VECTORIZE
        for (int64_t i = 0; i < m; i++) out[i] = core(x[i]);
        if (any)
            for (int64_t i = 0; i < m; i++)
                if (rare(x[i])) out[i] = slow(x[i]);
    }
}

static GI_INLINE void GI_LOOP(gi_elementary2)(int64_t n, void *o, const void *x_, const void *y_, GA_T (*core)(GA_T, GA_T),
                                              GI_FLAG (*rare)(GA_T, GA_T), GA_T (*slow)(GA_T, GA_T))
{
    for (int64_t start = 0; start < n; start += GI_MEND) {
        int64_t     m   = n - start < GI_MEND ? n - start : GI_MEND;
        GA_T       *out = (GA_T *)o + start, copy[2][GI_MEND];
        const GA_T *x = (const GA_T *)x_ + start, *y = (const GA_T *)y_ + start;
        GI_FLAG     any = 0;
        GI_VECTORIZE
        for (int64_t i = 0; i < m; i++) any |= rare(x[i], y[i]);
        if (any) {
            memcpy(copy[0], x, (size_t)m * sizeof *x);
            memcpy(copy[1], y, (size_t)m * sizeof *y);
            x = copy[0];
            y = copy[1];
        }
        GI_VECTORIZE
        for (int64_t i = 0; i < m; i++) out[i] = core(x[i], y[i]);
        if (any)
            for (int64_t i = 0; i < m; i++)
                if (rare(x[i], y[i])) out[i] = slow(x[i], y[i]);
    }
}
#endif

#define GI_ACC WIDE
#include "gpuarr_cpu.h"
#undef GI_ACC
#define GI_ACC MEAN
#include "gpuarr_cpu.h"
#undef GI_ACC
#define GI_ACC SAME
#include "gpuarr_cpu.h"
#undef GI_ACC
#define GI_ACC BOOL
#include "gpuarr_cpu.h"
#undef GI_ACC
#define GI_ACC COUNT
#include "gpuarr_cpu.h"
#undef GI_ACC

#if GI_CLASS == 3
/* ==== >>dense: loops that live in registers, on vectors of floats ================================================== */
/*  The lanes of a vector belong to different elements of the result. Each of these goes through the same chain of operations,
    however wide the vector is: so every instruction set gives the same bits.                                                 */
GI_BEGIN_FAST
/* clang-format off */
#define GI_V         GI_LOOP(gi_vector)
#define GI_V_BITS    GI_LOOP(gi_vector_bits)
#define GI_WIDE      GI_LOOP(gi_vector_wide)
#define GI_NARROW    GI_LOOP(gi_vector_narrow)
#define GI_LANES     ((int)(GI_ISA_BYTES / sizeof(GA_T)))
#define GI_VFN(name) GI_LOOP(gi_v##name)
#define GI_MM_f32(name) GI_JOIN(GI_ISA_MM, name##_ps)
#define GI_MM_f64(name) GI_JOIN(GI_ISA_MM, name##_pd)
#define GI_MM           GI_JOIN(GI_MM_, GA_TAG) /* the intrinsics of this type: GI_MM(sqrt) is _mm256_sqrt_pd */
/* clang-format on */
typedef GA_T    GI_V __attribute__((vector_size(GI_ISA_BYTES)));
typedef GI_FLAG GI_V_BITS __attribute__((vector_size(GI_ISA_BYTES)));
typedef double  GI_WIDE __attribute__((vector_size(GI_ISA_BYTES)));
typedef float   GI_NARROW __attribute__((vector_size(GI_ISA_BYTES / 2)));

static GI_INLINE GI_V GI_VFN(load)(const GA_T *p)
{
    GI_V v;
    memcpy(&v, p, sizeof v);
    return v;
}

static GI_INLINE void GI_VFN(store)(GA_T *p, GI_V v) { memcpy(p, &v, sizeof v); }

static GI_INLINE GI_V GI_VFN(all)(GA_T x) /* x in every lane */
{
    const GI_V zero = { 0 };
    return x - zero;
}

/* Keeps v in a register: gcc would load it from memory again in each instruction that uses it. */
static GI_INLINE GI_V GI_VFN(pin)(GI_V v)
{
#ifdef GI_ISA_MM
    __asm__("" : "+v"(v));
#endif
    return v;
}

static GI_INLINE GI_V GI_VFN(fma)(GI_V a, GI_V b, GI_V c) /* a * b + c, rounded once */
{
#ifdef GI_ISA_MM
    return GI_MM(fmadd)(a, b, c);
#else
    for (int i = 0; i < GI_LANES; i++) c[i] = GI_NAME(gi_fma)(a[i], b[i], c[i]);
    return c;
#endif
}

static GI_INLINE GI_V GI_VFN(sqrt)(GI_V a)
{
#ifdef GI_ISA_MM
    return GI_MM(sqrt)(a);
#else
    for (int i = 0; i < GI_LANES; i++) a[i] = GI_NAME(gi_root)(a[i]);
    return a;
#endif
}

static GI_INLINE GI_V GI_VFN(abs)(GI_V a)
{
    const GI_V_BITS none = { 0 };
    return (GI_V)((GI_V_BITS)a & (none + ((GI_FLAG)-1 >> 1)));
}

static GI_INLINE GI_V GI_VFN(max)(GI_V a, GI_V b) /* the larger one, NaN if any is NaN */
{
    const GI_V_BITS first = (GI_V_BITS)(a > b) | (GI_V_BITS)(a != a);
    return (GI_V)(((GI_V_BITS)a & first) | ((GI_V_BITS)b & ~first));
}

static GI_INLINE uint64_t GI_VFN(at_most)(GI_V a, GI_V b) /* bit i: a[i] <= b[i] */
{
#if !defined(GI_ISA_MM)
    uint64_t bits = 0;
    for (int i = 0; i < GI_LANES; i++) bits |= (uint64_t)(a[i] <= b[i]) << i;
    return bits;
#elif GI_ISA_BYTES == 64
    return (uint64_t)GI_JOIN(GI_MM(cmp), _mask)(a, b, _CMP_LE_OQ);
#else
    return (uint64_t)(uint32_t)GI_MM(movemask)(GI_MM(cmp)(a, b, _CMP_LE_OQ));
#endif
}

/* Bit i % 64 of in[i / 64]: x[i] lies between or on the bounds. What it counts is added to `sum`. */
static void GI_LOOP(gi_sift)(int64_t n, const void *x_, const void *bounds, uint64_t *in, gi_sifted *sum)
{
    const GA_T     *x   = (const GA_T *)x_;
    const GI_V      low = GI_VFN(all)(((const GA_T *)bounds)[0]), high = GI_VFN(all)(((const GA_T *)bounds)[1]);
    const GI_V      zero = { 0 };
    const GI_V_BITS none = { 0 };
    GI_V_BITS       odd  = none;
    GA_T            rest[64];
    for (int64_t i = 0; i < n; i += 64) {
        const GA_T *p   = x + i;
        uint64_t    all = ~(uint64_t)0, more = 0, less = 0;
        if (n - i < 64) {
            memset(rest, 0, sizeof rest);
            memcpy(rest, p, (size_t)(n - i) * sizeof *p);
            all = ((uint64_t)1 << (n - i)) - 1;
            p   = rest;
        }
        GI_UNROLL
        for (int k = 0; k < 64; k += GI_LANES) {
            const GI_V v = GI_VFN(load)(p + k);
            more |= GI_VFN(at_most)(low, v) << k;
            less |= GI_VFN(at_most)(v, high) << k;
            odd |= (GI_V_BITS)(v * zero); /* 0 or -0, or NaN */
        }
        more &= all;
        in[i / 64] = more & less;
        sum->from_low += __builtin_popcountll(more);
        sum->inside += __builtin_popcountll(more & less);
    }
    odd &= none + ((GI_FLAG)-1 >> 1);
    for (int i = 0; i < GI_LANES; i++)
        if (odd[i]) sum->odd = true;
}

static GI_INLINE GI_WIDE GI_VFN(wide)(const GA_T *p) /* as float64, as many as fit */
{
    GI_WIDE w;
    if (sizeof *p == sizeof(double)) {
        memcpy(&w, p, sizeof w);
    } else {
#ifdef GI_ISA_MM
        GI_NARROW half;
        memcpy(&half, p, sizeof half);
        w = GI_JOIN(GI_ISA_MM, cvtps_pd)(half);
#else
        for (int i = 0; i < (int)(GI_ISA_BYTES / sizeof(double)); i++) w[i] = (double)p[i];
#endif
    }
    return w;
}

static GI_INLINE GI_WIDE GI_VFN(clamp)(GI_WIDE v, GI_WIDE low, GI_WIDE high) /* NaN becomes low */
{
#ifdef GI_ISA_MM
    return GI_MM_f64(min)(GI_MM_f64(max)(v, low), high);
#else
    for (int i = 0; i < (int)(GI_ISA_BYTES / sizeof(double)); i++) {
        v[i] = v[i] > low[i] ? v[i] : low[i];
        v[i] = v[i] < high[i] ? v[i] : high[i];
    }
    return v;
#endif
}

/* In no certain order: for what need not be known to the last bit. */
static void GI_LOOP(gi_sum_clamped)(int64_t n, const void *x_, const double *range, double *sums)
{
    enum { LANES = GI_ISA_BYTES / sizeof(double) };
    const GI_WIDE zero = { 0 }, low = range[0] - zero, high = range[1] - zero, center = range[2] - zero;
    GI_WIDE       sum[2] = { zero, zero }, squares[2] = { zero, zero };
    const GA_T   *x = (const GA_T *)x_;
    for (int64_t i = 0; i < n; i += 2 * LANES) {
        GA_T        rest[2 * LANES];
        const GA_T *p = x + i;
        if (n - i < 2 * LANES) {
            for (int k = 0; k < 2 * LANES; k++) rest[k] = i + k < n ? p[k] : (GA_T)range[2];
            p = rest;
        }
        GI_UNROLL
        for (int k = 0; k < 2; k++) {
            const GI_WIDE d = GI_VFN(clamp)(GI_VFN(wide)(p + k * LANES), low, high) - center;
            sum[k] += d;
            squares[k] += d * d;
        }
    }
    for (int k = 0; k < LANES; k++) {
        sums[0] += sum[0][k] + sum[1][k];
        sums[1] += squares[0][k] + squares[1][k];
    }
}

static const gi_dense GI_LOOP(gi_dense) = { GI_LANES, GI_LOOP(gi_sift), GI_LOOP(gi_sum_clamped) };

#undef GI_V
#undef GI_V_BITS
#undef GI_WIDE
#undef GI_NARROW
#undef GI_LANES
#undef GI_VFN
#undef GI_MM_f32
#undef GI_MM_f64
#undef GI_MM
GI_END_FAST
#endif

/* ==== convolutions: sums[i] + weight * x[i] ========================================================================== */
static void GI_LOOP(gi_weigh)(int64_t n, void *sums_, const void *weight_, const void *x_)
{
    GA_T       *sums   = (GA_T *)sums_;
    const GA_T *x      = (const GA_T *)x_;
    const GA_T  weight = *(const GA_T *)weight_;
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) sums[i] = GA_FN(weigh)(sums[i], weight, x[i]);
}

/* clang-format off */
/* ---- >>stamp: formula x loop -> gi_add_kernel_f32_avx2 -------------------------------------------------------------- */
#define GI_KERNEL(name)  GI_LOOP(gi_kernel_##name)
#define GI_KERNEL1(name) static void GI_KERNEL(name)(int64_t n, void *o, const void *x, const void *y, const void *z)
#define GA_UNARY(name, dtypes, result, ...)                                                                             \
    GI_IF_##dtypes(GI_KERNEL1(name) { (void)y, (void)z; GI_LOOP(gi_map1_##result)(n, o, x, GI_OP(name)); })
#define GA_BINARY(name, dtypes, result, ...)                                                                            \
    GI_IF_##dtypes(GI_KERNEL1(name) { (void)z; GI_LOOP(gi_map2_##result)(n, o, x, y, GI_OP(name)); })
#define GA_TERNARY(name, dtypes, result, ...)                                                                           \
    GI_IF_##dtypes(GI_KERNEL1(name) { GI_LOOP(gi_map3_##result)(n, o, x, y, z, GI_OP(name)); })
#if GI_CLASS == 3
#define GA_ELEMENTARY(name, ...)                                                                                        \
    GI_KERNEL1(name)                                                                                                   \
    {                                                                                                                  \
        (void)y, (void)z;                                                                                              \
        GI_LOOP(gi_elementary1)(n, o, x, GA_FN(name##_core), GA_FN(name##_rare), GA_FN(name##_slow));                  \
    }
#define GA_ELEMENTARY2(name, ...)                                                                                       \
    GI_KERNEL1(name)                                                                                                   \
    {                                                                                                                  \
        (void)z;                                                                                                       \
        GI_LOOP(gi_elementary2)(n, o, x, y, GA_FN(name##_core), GA_FN(name##_rare), GA_FN(name##_slow));               \
    }
#else
#define GA_ELEMENTARY2(name, dtypes, ...)                                                                               \
    GI_IF_##dtypes(GI_KERNEL1(name) { (void)z; GI_LOOP(gi_map2_SAME)(n, o, x, y, GI_OP(name)); })
#endif

/* ---- reductions ------------------------------------------------------------------------------------------------------- */
/* Folding accumulators does not depend on the element type: that is stamped in the pass of the accumulator's own type. */
#define GI_ACCTAG_WIDE  GI_WIDE_TAG
#define GI_ACCTAG_MEAN  GI_MEAN_TAG
#define GI_ACCTAG_SAME  GA_TAG
#define GI_ACCTAG_BOOL  GA_TAG
#define GI_ACCTAG_COUNT GA_TAG
#define GI_HALVE(name, acc) GI_JOIN(gi_halve_##name, GI_JOIN(_, GI_JOIN(GI_ACCTAG_##acc, GI_JOIN(_, GI_ISA))))

/* The formulas of a row, and from them: fold a block, fold accumulators, make the result. */
#define GI_RED(name, what) GI_LOOP(gi_##what##_##name)
#define GA_REDUCTION(name, dtypes, acc, result, start, of_x, join_ab, end_an, ...)                                     \
    GI_IF_##dtypes(static GI_INLINE GI_NAME(gi_acc_##acc) GI_RED(name, of)(GA_T x) { return (of_x); }                   \
    static GI_INLINE GI_NAME(gi_acc_##acc) GI_RED(name, join)(GI_NAME(gi_acc_##acc) a, GI_NAME(gi_acc_##acc) b)         \
    { return (join_ab); }                                                                                              \
    static void GI_HALVE(name, acc)(int64_t n, void *t);                                                                \
    GI_OWN_##acc(static void GI_HALVE(name, acc)(int64_t n, void *t)                                                    \
    { GI_LOOP(gi_halve_##acc)(n, (GI_NAME(gi_acc_##acc) *)t, GI_RED(name, join)); })                                    \
    static void GI_RED(name, block)(int64_t n, void *t, const void *x)                                                  \
    { GI_LOOP(gi_fold_##acc)(n, t, x, GI_RED(name, of), GI_RED(name, join), GI_HALVE(name, acc)); }                     \
    static void GI_RED(name, end)(void *out, const void *t, int64_t n)                                                  \
    {                                                                                                                  \
        const GI_NAME(gi_acc_##acc) a = *(const GI_NAME(gi_acc_##acc) *)t;                                              \
        const GI_NAME(gi_end_##result) r = GI_TO_##result(end_an);                                                      \
        (void)n;                                                                                                       \
        memcpy(out, &r, sizeof r);                                                                                     \
    })
#define GA_TABLE
#include "gpuarr.h"

/* ---- >>find: the kernel or the fold of an operation for this type; false if the row does not have it ------------------ */
#define GI_CASE(name) case GA_OP_##name: *kernel = GI_KERNEL(name); return true;
#define GA_UNARY(name, dtypes, ...)       GI_IF_##dtypes(GI_CASE(name))
#define GA_BINARY(name, dtypes, ...)      GI_IF_##dtypes(GI_CASE(name))
#define GA_TERNARY(name, dtypes, ...)     GI_IF_##dtypes(GI_CASE(name))
#define GA_ELEMENTARY(name, dtypes, ...)  GI_IF_##dtypes(GI_CASE(name))
#define GA_ELEMENTARY2(name, dtypes, ...) GI_IF_##dtypes(GI_CASE(name))
#define GA_REDUCTION(name, dtypes, acc, ...)                                                                            \
    GI_IF_##dtypes(case GA_OP_##name: fold->acc_bytes = (int)sizeof(GI_NAME(gi_acc_##acc)); fold->block = GI_RED(name, block); \
    fold->halve = GI_HALVE(name, acc); fold->end = GI_RED(name, end); return true;)
static bool GI_LOOP(gi_find)(ga_op op, gi_kernel *kernel, gi_fold *fold)
{
    switch (op) {
#define GA_TABLE
#include "gpuarr.h"
    default: return false;
    }
}
#undef GI_CASE
#undef GI_KERNEL
#undef GI_KERNEL1
#undef GI_RED
#undef GI_HALVE
#undef GI_ACCTAG_WIDE
#undef GI_ACCTAG_MEAN
#undef GI_ACCTAG_SAME
#undef GI_ACCTAG_BOOL
#undef GI_ACCTAG_COUNT

/* Conversions to this type. */
#define GI_CAST(TAG, from, F, name)                                                                                     \
    static void GI_LOOP(gi_cast_##from)(int64_t n, void *o, const void *x_)                                             \
    {                                                                                                                  \
        GA_T    *out = (GA_T *)o;                                                                                      \
        const F *x   = (const F *)x_;                                                                                  \
        GI_VECTORIZE                                                                                                   \
        for (int64_t i = 0; i < n; i++) out[i] = GI_JOIN(GA_FN(cast), _##from)(x[i]);                                  \
    }
GI_EACH_STAMPED(GI_CAST)
#undef GI_CAST
#define GI_CAST(TAG, from, F, name)                                                                                     \
    case GA_##TAG: return GI_LOOP(gi_cast_##from);
static gi_cast_kernel GI_LOOP(gi_find_cast)(ga_dtype from)
{
    switch (from) {
        GI_EACH_STAMPED(GI_CAST)
    default: return NULL;
    }
}
#undef GI_CAST

/* clang-format on */
#endif /* GI_ISA_STAMPS */
#undef GI_LOOP
#undef GI_OP

#elif defined(GI_ISA)
/* ==== one instruction set: every element type ====================================================================== */
#define GI_PASS 4
#include "gpuarr.h"
#undef GI_PASS

/* out[i] = condition[i] ? x[i] : y[i], for elements of 1 to 16 bytes whatever they mean. */
#define GI_FIND(name) GI_JOIN(name, GI_JOIN(_, GI_ISA))
#define GI_SELECT(name, U)                                                                                                     \
    static void GI_FIND(gi_select_##name)(int64_t n, void *out, const void *c, const void *x, const void *y)                   \
    {                                                                                                                          \
        const bool *chosen = (const bool *)c;                                                                                  \
        const U    *a = (const U *)x, *b = (const U *)y;                                                                       \
        GI_VECTORIZE                                                                                                           \
        for (int64_t i = 0; i < n; i++) ((U *)out)[i] = (U)(b[i] ^ ((a[i] ^ b[i]) & (U)(0 - (U)chosen[i])));                   \
    }
GI_SELECT(u8, uint8_t)
GI_SELECT(u16, uint16_t)
GI_SELECT(u32, uint32_t)
GI_SELECT(u64, uint64_t)
#undef GI_SELECT
static void GI_FIND(gi_select_c128)(int64_t n, void *out, const void *c, const void *x, const void *y)
{
    const bool    *chosen = (const bool *)c;
    const ga_c128 *a = (const ga_c128 *)x, *b = (const ga_c128 *)y;
    for (int64_t i = 0; i < n; i++) ((ga_c128 *)out)[i] = chosen[i] ? a[i] : b[i];
}
static gi_kernel GI_FIND(gi_find_select)(int itemsize)
{
    switch (itemsize) {
    case 1: return GI_FIND(gi_select_u8);
    case 2: return GI_FIND(gi_select_u16);
    case 4: return GI_FIND(gi_select_u32);
    case 8: return GI_FIND(gi_select_u64);
    default: return GI_FIND(gi_select_c128);
    }
}

/* ---- rows of bits ---------------------------------------------------------------------------------------------------- */

static GI_INLINE uint64_t GI_FIND(gi_pack_64)(const char *p) /* bit i: p[i] is not 0 */
{
    uint64_t bits = 0;
#if !defined(GI_ISA_MM)
    for (int k = 0; k < 64; k += 8) {
        const uint64_t low = 0x7F7F7F7F7F7F7F7Fu;
        uint64_t       u;
        memcpy(&u, p + k, sizeof u);
        u = (((u & low) + low) | u) >> 7 & 0x0101010101010101u; /* a 1 for each byte, then gathered in the highest */
        bits |= u * 0x0102040810204080u >> 56 << k;
    }
#elif GI_ISA_BYTES == 64
    __m512i v = _mm512_loadu_si512(p);
    bits      = (uint64_t)_mm512_test_epi8_mask(v, v);
#else
    for (int k = 0; k < 64; k += 32) {
        __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(p + k));
        bits |= (uint64_t)~(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(v, _mm256_setzero_si256())) << k;
    }
#endif
    return bits;
}

static void GI_FIND(gi_pack)(int64_t n, uint64_t *bits, const void *bytes)
{
    const char *p = (const char *)bytes;
    for (int64_t i = 0; i + 64 <= n; i += 64) bits[i / 64] = GI_FIND(gi_pack_64)(p + i);
    if (n % 64) {
        char rest[64];
        memset(rest, 0, sizeof rest);
        memcpy(rest, p + n / 64 * 64, (size_t)(n % 64));
        bits[n / 64] = GI_FIND(gi_pack_64)(rest);
    }
}

static int64_t GI_FIND(gi_runs)(int64_t words, const uint64_t *bits, uint64_t before)
{
    int64_t count = 0;
    for (int64_t w = 0; w < words; w++) {
        count += __builtin_popcountll(bits[w] & ~(bits[w] << 1 | before >> 63));
        before = bits[w];
    }
    return count;
}

/* Where elements of both rows are set, a run of these begins for each pair of runs that meets. Corners: where a run of one row
   begins, one of the other may have ended just before. */
static void GI_FIND(gi_unite_rows)(int64_t words, const uint64_t *a, const uint64_t *b, int64_t run_a, int64_t run_b, bool corners,
                                   int64_t *parents)
{
    uint64_t x = 0, y = 0;
    for (int64_t w = 0; w < words; w++) {
        uint64_t x_before = x >> 63, y_before = y >> 63; /* the elements before these words */
        x = a[w];
        y = b[w];
        if (!(x | y)) continue;
        uint64_t x_left = x << 1 | x_before, y_left = y << 1 | y_before, x_starts = x & ~x_left, y_starts = y & ~y_left;
        uint64_t meet = x & y & ~(x_left & y_left);
        if (corners) meet |= (y_starts & x_left) | (x_starts & y_left);
        for (; meet; meet &= meet - 1) {
            uint64_t upto = meet ^ (meet - 1);
            gi_unite(parents, run_a + __builtin_popcountll(x_starts & upto) - 1, run_b + __builtin_popcountll(y_starts & upto) - 1);
        }
        run_a += __builtin_popcountll(x_starts);
        run_b += __builtin_popcountll(y_starts);
    }
}

static const gi_bit_rows GI_FIND(gi_bit_rows) = { GI_FIND(gi_pack), GI_FIND(gi_runs), GI_FIND(gi_unite_rows) };

/* The tables of this instruction set. */
#define GI_DTYPE_CASE(TAG, tag, T, name)                                                                                       \
    case GA_##TAG:                                                                                                             \
        return GI_FIND(gi_find_##tag)(op, kernel, fold);
static bool GI_FIND(gi_find)(ga_op op, ga_dtype dtype, gi_kernel *kernel, gi_fold *fold)
{
    switch (dtype) {
        GI_ISA_DTYPES(GI_DTYPE_CASE)
    default: return false;
    }
}
#undef GI_DTYPE_CASE
#define GI_DTYPE_CASE(TAG, tag, T, name)                                                                                       \
    case GA_##TAG:                                                                                                             \
        return GI_FIND(gi_find_cast_##tag)(from);
static gi_cast_kernel GI_FIND(gi_find_cast)(ga_dtype to, ga_dtype from)
{
    switch (to) {
        GI_ISA_DTYPES(GI_DTYPE_CASE)
    default: return NULL;
    }
}
#undef GI_DTYPE_CASE
#define GI_DTYPE_CASE(TAG, tag, T, name)                                                                                       \
    case GA_##TAG:                                                                                                             \
        return GI_FIND(gi_weigh_##tag);
static gi_weigh GI_FIND(gi_find_weigh)(ga_dtype dtype)
{
    switch (dtype) {
        GI_ISA_DTYPES(GI_DTYPE_CASE)
    default: return NULL;
    }
}
#undef GI_DTYPE_CASE
static const gi_dense *GI_FIND(gi_find_dense)(ga_dtype dtype)
{
    return dtype == GA_F32 ? &GI_FIND(gi_dense_f32) : dtype == GA_F64 ? &GI_FIND(gi_dense_f64) : NULL;
}
#undef GI_FIND

#else
/* ==== >>isa: the instruction sets, and which one to use ============================================================= */
#ifndef GI_CPU_INCLUDED
#define GI_CPU_INCLUDED

#define GI_INLINE inline __attribute__((always_inline)) /* so that the formula is inlined and the loop vectorised */
#if defined(__clang__)
#define GI_VECTORIZE _Pragma("clang loop vectorize(enable) interleave(enable)")
#elif defined(__GNUC__)
#define GI_VECTORIZE _Pragma("GCC ivdep") /* out may be x itself, never overlap it otherwise */
#else
#define GI_VECTORIZE
#endif

#if defined(__clang__)
#define GI_UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define GI_UNROLL _Pragma("GCC unroll 16") /* loops over a tile: so that it becomes registers */
#else
#define GI_UNROLL
#endif

#define GI_BLOCK    1024 /* elements: of the documented tree of reductions */
#define GI_MEND     256  /* elements whose rare arguments are mended together */

/* n packed elements: out[i] = f(x[i], y[i], z[i]). out may be one of x, y, z. */
typedef void (*gi_kernel)(int64_t n, void *out, const void *x, const void *y, const void *z);
typedef void (*gi_cast_kernel)(int64_t n, void *out, const void *x);

/* sums[i] += *weight * x[i], n packed elements. */
typedef void (*gi_weigh)(int64_t n, void *sums, const void *weight, const void *x);

typedef struct gi_fold {
    int acc_bytes;                                      /* of one accumulator */
    void (*block)(int64_t n, void *acc, const void *x); /* 1 to 1024 packed elements into one accumulator */
    void (*halve)(int64_t n, void *accs);               /* 1 to 1024 accumulators into the first */
    void (*end)(void *out, const void *acc, int64_t n); /* the result from the accumulator of n elements */
} gi_fold;

/* A row of an image as bits, 64 elements a word: what is not 0 makes runs. */
typedef struct gi_bit_rows {
    void (*pack)(int64_t n, uint64_t *bits, const void *bytes); /* bit i % 64 of bits[i / 64]: byte i is not 0; beyond n: 0 */
    int64_t (*runs)(int64_t words, const uint64_t *bits, uint64_t before); /* how many start there, after the word `before` */
    void (*unite)(int64_t words, const uint64_t *a, const uint64_t *b, int64_t run_a, int64_t run_b, bool corners,
                  int64_t *parents); /* the runs of two rows, numbered from run_a and run_b, that touch */
} gi_bit_rows;

/* Sets of runs: the parent of a run is a run of the same set, not after it; the first run of a set is its own. Rem's way to unite
   two: climbs on the side whose parent comes later, and hangs what it leaves under the earlier one. */
static GI_INLINE void gi_unite(int64_t *parents, int64_t x, int64_t y)
{
    while (parents[x] != parents[y]) {
        if (parents[x] > parents[y]) {
            int64_t swap = x;
            x            = y;
            y            = swap;
        }
        int64_t parent = parents[y];
        parents[y]     = parents[x];
        if (parent == y) return;
        y = parent;
    }
}

typedef struct gi_sifted { /* what is counted beside the elements that are found */
    int64_t inside, from_low; /* elements between or on the bounds; those on the lower one or above it */
    bool    odd;              /* some elements are infinite or NaN */
} gi_sifted;

typedef struct gi_dense { /* loops on vectors of a float type, section >>dense */
    int lanes;            /* elements of a vector */
    void (*sift)(int64_t n, const void *x, const void *bounds, uint64_t *in, gi_sifted *sum);
    /* adds the distances from range[2] and their squares; what lies outside range[0] .. range[1] counts as if on the bound */
    void (*sum_clamped)(int64_t n, const void *x, const double *range, double *sums);
} gi_dense;

#if defined(__x86_64__) && defined(__GNUC__) && !defined(GPUARR_BASELINE_ONLY)
#include <immintrin.h>
#endif

GI_BEGIN_FAST
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(GPUARR_BASELINE_ONLY)
#pragma GCC push_options
#pragma GCC optimize("O1", "no-tree-vectorize", "no-trapping-math", "no-math-errno",                                           \
                     "fp-contract=off") /* hardly ever used: save compile time */
#endif
#define GI_ISA        baseline
#define GI_ISA_BYTES  16 /* of a vector register */
#define GI_ISA_TILE   2  /* vectors side by side in a tile that fits the registers */
#define GI_ISA_STAMPS 1
#define GI_ISA_DTYPES GI_EACH_STAMPED
#include "gpuarr_cpu.h"
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(GPUARR_BASELINE_ONLY)
#pragma GCC pop_options
#endif
#undef GI_ISA
#undef GI_ISA_BYTES
#undef GI_ISA_TILE
#undef GI_ISA_STAMPS
#undef GI_ISA_DTYPES

#if defined(__x86_64__) && defined(__GNUC__) && !defined(GPUARR_BASELINE_ONLY)
#define GI_HAS_X86 1
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
/* -O1 and the vectoriser: the other passes of -O2 would add some 4 s to the compile time for little speed. (Without the
   expensive optimizations gcc leaves out vzeroupper.) */
#pragma GCC push_options
#pragma GCC optimize("O1", "expensive-optimizations", "strict-aliasing", "tree-loop-vectorize", "no-tree-slp-vectorize",       \
                     "vect-cost-model=dynamic", "no-trapping-math", "no-math-errno", "fp-contract=off")
#pragma GCC target("avx2,fma")
#endif
#define GI_ISA        avx2
#define GI_ISA_BYTES  32
#define GI_ISA_TILE   2
#define GI_ISA_MM     _mm256_
#define GI_ISA_STAMPS 1
#define GI_ISA_DTYPES GI_EACH_STAMPED
#include "gpuarr_cpu.h"
#undef GI_ISA
#undef GI_ISA_BYTES
#undef GI_ISA_TILE
#undef GI_ISA_MM
#undef GI_ISA_STAMPS
#undef GI_ISA_DTYPES
#if defined(__clang__)
#pragma clang attribute pop
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"))), apply_to = function)
#else
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,prefer-vector-width=512")
#endif
/* Only floats gain from the wider registers: everything else is bound by memory, and each stamping takes compile time. */
#define GI_ISA        avx512
#define GI_ISA_BYTES  64
#define GI_ISA_TILE   4
#define GI_ISA_MM     _mm512_
#define GI_ISA_STAMPS (GI_CLASS == 3)
#define GI_ISA_DTYPES GI_EACH_FLT
#include "gpuarr_cpu.h"
#undef GI_ISA
#undef GI_ISA_BYTES
#undef GI_ISA_TILE
#undef GI_ISA_MM
#undef GI_ISA_STAMPS
#undef GI_ISA_DTYPES
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#else
#define GI_HAS_X86 0
#endif
GI_END_FAST

typedef enum gi_isa { GI_ISA_UNKNOWN, GI_ISA_BASELINE, GI_ISA_AVX2, GI_ISA_AVX512 } gi_isa;

static gi_isa gi_cpu_isa(void)
{
    static int known; /* atomic; every thread finds the same */
    int        isa = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (isa != GI_ISA_UNKNOWN) return (gi_isa)isa;
    isa = GI_ISA_BASELINE;
#if GI_HAS_X86
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) isa = GI_ISA_AVX2;
    if (isa == GI_ISA_AVX2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        isa = GI_ISA_AVX512;
#endif
    const char *asked = getenv("GPUARR_ISA");
    if (asked && !strcmp(asked, "baseline")) isa = GI_ISA_BASELINE;
    if (asked && !strcmp(asked, "avx2") && isa > GI_ISA_AVX2) isa = GI_ISA_AVX2;
    __atomic_store_n(&known, isa, __ATOMIC_RELAXED);
    return (gi_isa)isa;
}

const char *ga_isa(void)
{
    switch (gi_cpu_isa()) {
    case GI_ISA_AVX512: return "avx512";
    case GI_ISA_AVX2: return "avx2";
    default: return "baseline";
    }
}

/* Integers are finite and no NaN: these rows need no kernel for each of them. */
static void gi_kernel_false(int64_t n, void *out, const void *x, const void *y, const void *z)
{
    (void)x, (void)y, (void)z;
    memset(out, 0, (size_t)n);
}

static void gi_kernel_true(int64_t n, void *out, const void *x, const void *y, const void *z)
{
    (void)x, (void)y, (void)z;
    memset(out, 1, (size_t)n);
}

/* What a row has for a dtype, for the best instruction set that has it: a kernel, or for reductions a fold. False: nothing. */
static bool gi_cpu_find(ga_op op, ga_dtype dtype, gi_kernel *kernel, gi_fold *fold)
{
#if GI_HAS_X86
    if (gi_cpu_isa() == GI_ISA_AVX512 && gi_find_avx512(op, dtype, kernel, fold)) return true;
    if (gi_cpu_isa() >= GI_ISA_AVX2 && gi_find_avx2(op, dtype, kernel, fold)) return true;
#endif
    return gi_find_baseline(op, dtype, kernel, fold);
}

/* The kernel of an elementwise operation for a dtype, NULL if its row has none. */
static gi_kernel gi_cpu_kernel(ga_op op, ga_dtype dtype)
{
    gi_kernel kernel = NULL;
    gi_fold   unused;
    if (dtype < GA_F32 && (op == GA_OP_isnan || op == GA_OP_isinf)) return gi_kernel_false;
    if (dtype < GA_F32 && op == GA_OP_isfinite) return gi_kernel_true;
    return gi_cpu_find(op, dtype, &kernel, &unused) ? kernel : NULL;
}

/* How a reduction folds a dtype; false if its row does not have it. */
static bool gi_cpu_fold(ga_op op, ga_dtype dtype, gi_fold *fold)
{
    gi_kernel unused;
    return gi_cpu_find(op, dtype, &unused, fold);
}

static gi_cast_kernel gi_cpu_cast(ga_dtype to, ga_dtype from)
{
    gi_cast_kernel found = NULL;
#if GI_HAS_X86
    if (gi_cpu_isa() == GI_ISA_AVX512) found = gi_find_cast_avx512(to, from);
    if (!found && gi_cpu_isa() >= GI_ISA_AVX2) found = gi_find_cast_avx2(to, from);
#endif
    return found ? found : gi_find_cast_baseline(to, from);
}

static gi_weigh gi_cpu_weigh(ga_dtype dtype)
{
    gi_weigh found = NULL;
#if GI_HAS_X86
    if (gi_cpu_isa() == GI_ISA_AVX512) found = gi_find_weigh_avx512(dtype);
    if (!found && gi_cpu_isa() >= GI_ISA_AVX2) found = gi_find_weigh_avx2(dtype);
#endif
    return found ? found : gi_find_weigh_baseline(dtype);
}

static const gi_dense *gi_cpu_dense(ga_dtype dtype) /* NULL unless float32 or float64 */
{
#if GI_HAS_X86
    if (gi_cpu_isa() == GI_ISA_AVX512) return gi_find_dense_avx512(dtype);
    if (gi_cpu_isa() == GI_ISA_AVX2) return gi_find_dense_avx2(dtype);
#endif
    return gi_find_dense_baseline(dtype);
}

static const gi_bit_rows *gi_cpu_bit_rows(void)
{
#if GI_HAS_X86
    if (gi_cpu_isa() == GI_ISA_AVX512) return &gi_bit_rows_avx512;
    if (gi_cpu_isa() == GI_ISA_AVX2) return &gi_bit_rows_avx2;
#endif
    return &gi_bit_rows_baseline;
}

static gi_kernel gi_cpu_select(int itemsize)
{
#if GI_HAS_X86
    if (gi_cpu_isa() == GI_ISA_AVX512) return gi_find_select_avx512(itemsize);
    if (gi_cpu_isa() == GI_ISA_AVX2) return gi_find_select_avx2(itemsize);
#endif
    return gi_find_select_baseline(itemsize);
}

#endif /* GI_CPU_INCLUDED */
#endif
