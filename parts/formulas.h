/* ==== >>formulas: what each row computes for each element type ==================================================== */
/*  Both backends call these very functions. Products that are added to something are never fused by a compiler: the regions
    below switch contraction off, and CUDA's gi_mul and gi_add are the intrinsics that nvcc does not contract.                */

#ifdef __CUDACC__
#define GI_FORMULA static __host__ __device__ __forceinline__
#define GI_SLOW    static __host__ __device__ __noinline__
#else
#define GI_FORMULA static inline __attribute__((always_inline))
#define GI_SLOW    static __attribute__((noinline))
#endif

/* What a CPU function of ours is compiled with, whatever the user's flags are. */
#if defined(__clang__)
#define GI_BEGIN_FAST _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wunused-function\"")
#define GI_END_FAST   _Pragma("clang diagnostic pop")
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#define GI_BEGIN_FAST                                                                                                  \
    _Pragma("GCC push_options") _Pragma("GCC optimize(\"O2\", \"tree-loop-vectorize\", \"no-tree-slp-vectorize\", \"vect-cost-model=dynamic\", \"no-trapping-math\", \"no-math-errno\", \"fp-contract=off\")")  \
        _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wunused-function\"")
#define GI_END_FAST _Pragma("GCC diagnostic pop") _Pragma("GCC pop_options")
#else
#define GI_BEGIN_FAST
#define GI_END_FAST
#endif

/* Declared const (no errno), or gcc would not vectorise it. */
#ifdef __cplusplus
extern "C" {
extern float  sqrtf(float) noexcept __attribute__((const));
extern double sqrt(double) noexcept __attribute__((const));
}
#else
extern float  sqrtf(float) __attribute__((const));
extern double sqrt(double) __attribute__((const));
#endif

GI_BEGIN_FAST

/* ---- arithmetic of one element ------------------------------------------------------------------------------------- */
GI_FORMULA float    gi_mul_f32(float a, float b) { return a * b; }
GI_FORMULA double   gi_mul_f64(double a, double b) { return a * b; }
GI_FORMULA float    gi_fma_f32(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
GI_FORMULA double   gi_fma_f64(double a, double b, double c) { return __builtin_fma(a, b, c); }
GI_FORMULA float    gi_root_f32(float x) { return sqrtf(x); }
GI_FORMULA double   gi_root_f64(double x) { return sqrt(x); }
GI_FORMULA uint32_t gi_bits_f32(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}
GI_FORMULA uint64_t gi_bits_f64(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}
GI_FORMULA float gi_from_bits_f32(uint32_t u)
{
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}
GI_FORMULA double gi_from_bits_f64(uint64_t u)
{
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}
/* c is 0 or 1: a where c, else b. Integer masks, so that every compiler vectorises it. */
GI_FORMULA uint32_t gi_pick_u32(uint32_t c, uint32_t a, uint32_t b) { return b ^ ((a ^ b) & (0u - c)); }
GI_FORMULA uint64_t gi_pick_u64(uint64_t c, uint64_t a, uint64_t b) { return b ^ ((a ^ b) & ((uint64_t)0 - c)); }
GI_FORMULA float    gi_pick_f32(uint32_t c, float a, float b)
{
    return gi_from_bits_f32(gi_pick_u32(c, gi_bits_f32(a), gi_bits_f32(b)));
}
GI_FORMULA double gi_pick_f64(uint64_t c, double a, double b)
{
    return gi_from_bits_f64(gi_pick_u64(c, gi_bits_f64(a), gi_bits_f64(b)));
}
GI_FORMULA float  gi_nan_f32(void) { return gi_from_bits_f32(0x7fc00000u); }
GI_FORMULA double gi_nan_f64(void) { return gi_from_bits_f64(0x7ff8000000000000u); }
GI_FORMULA float  gi_infinity_f32(void) { return gi_from_bits_f32(0x7f800000u); }
GI_FORMULA double gi_infinity_f64(void) { return gi_from_bits_f64(0x7ff0000000000000u); }
GI_FORMULA float  gi_exact_fmod_f32(float x, float y) { return __builtin_fmodf(x, y); } /* fmod is exact everywhere */
GI_FORMULA double gi_exact_fmod_f64(double x, double y) { return __builtin_fmod(x, y); }

/* ---- facts about the types that the preprocessor can use ----------------------------------------------------------- */
/* clang-format off */
#define GI_TYPE(TAG, tag, T, name) typedef T gi_##tag;
GI_EACH_DTYPE(GI_TYPE)
#undef GI_TYPE
/*      class                real part            what sums are made in  and means            unsigned type for sums */
#define GI_CLASS_b8   0
#define GI_CLASS_i8   1
#define GI_CLASS_i16  1
#define GI_CLASS_i32  1
#define GI_CLASS_i64  1
#define GI_CLASS_u8   2
#define GI_CLASS_u16  2
#define GI_CLASS_u32  2
#define GI_CLASS_u64  2
#define GI_CLASS_f32  3
#define GI_CLASS_f64  3
#define GI_CLASS_c64  4
#define GI_CLASS_c128 4
#define GI_RTAG_b8   b8
#define GI_RTAG_i8   i8
#define GI_RTAG_i16  i16
#define GI_RTAG_i32  i32
#define GI_RTAG_i64  i64
#define GI_RTAG_u8   u8
#define GI_RTAG_u16  u16
#define GI_RTAG_u32  u32
#define GI_RTAG_u64  u64
#define GI_RTAG_f32  f32
#define GI_RTAG_f64  f64
#define GI_RTAG_c64  f32
#define GI_RTAG_c128 f64
#define GI_WIDE_b8   i64
#define GI_WIDE_i8   i64
#define GI_WIDE_i16  i64
#define GI_WIDE_i32  i64
#define GI_WIDE_i64  i64
#define GI_WIDE_u8   u64
#define GI_WIDE_u16  u64
#define GI_WIDE_u32  u64
#define GI_WIDE_u64  u64
#define GI_WIDE_f32  f64
#define GI_WIDE_f64  f64
#define GI_WIDE_c64  c128
#define GI_WIDE_c128 c128
#define GI_MEAN_b8   f64
#define GI_MEAN_i8   f64
#define GI_MEAN_i16  f64
#define GI_MEAN_i32  f64
#define GI_MEAN_i64  f64
#define GI_MEAN_u8   f64
#define GI_MEAN_u16  f64
#define GI_MEAN_u32  f64
#define GI_MEAN_u64  f64
#define GI_MEAN_f32  f64
#define GI_MEAN_f64  f64
#define GI_MEAN_c64  c128
#define GI_MEAN_c128 c128
#define GI_SUM_b8        i64
#define GI_SUM_i8        i64
#define GI_SUM_i16       i64
#define GI_SUM_i32       i64
#define GI_SUM_i64       i64
#define GI_SUM_u8        u64
#define GI_SUM_u16       u64
#define GI_SUM_u32       u64
#define GI_SUM_u64       u64
#define GI_SUM_f32       f32
#define GI_SUM_f64       f64
#define GI_SUM_c64       c64
#define GI_SUM_c128      c128
#define GI_AVERAGE_b8    f64
#define GI_AVERAGE_i8    f64
#define GI_AVERAGE_i16   f64
#define GI_AVERAGE_i32   f64
#define GI_AVERAGE_i64   f64
#define GI_AVERAGE_u8    f64
#define GI_AVERAGE_u16   f64
#define GI_AVERAGE_u32   f64
#define GI_AVERAGE_u64   f64
#define GI_AVERAGE_f32   f32
#define GI_AVERAGE_f64   f64
#define GI_AVERAGE_c64   c64
#define GI_AVERAGE_c128  c128
/* Is it a type that sums are made in? */
#define GI_WIDEST_b8   0
#define GI_WIDEST_i8   0
#define GI_WIDEST_i16  0
#define GI_WIDEST_i32  0
#define GI_WIDEST_i64  1
#define GI_WIDEST_u8   0
#define GI_WIDEST_u16  0
#define GI_WIDEST_u32  0
#define GI_WIDEST_u64  1
#define GI_WIDEST_f32  0
#define GI_WIDEST_f64  1
#define GI_WIDEST_c64  0
#define GI_WIDEST_c128 1
#define gi_lowest_i8   INT8_MIN
#define gi_lowest_i16  INT16_MIN
#define gi_lowest_i32  INT32_MIN
#define gi_lowest_i64  INT64_MIN
#define gi_lowest_u8   0
#define gi_lowest_u16  0
#define gi_lowest_u32  0
#define gi_lowest_u64  0
#define gi_highest_i8  INT8_MAX
#define gi_highest_i16 INT16_MAX
#define gi_highest_i32 INT32_MAX
#define gi_highest_i64 INT64_MAX
#define gi_highest_u8  UINT8_MAX
#define gi_highest_u16 UINT16_MAX
#define gi_highest_u32 UINT32_MAX
#define gi_highest_u64 UINT64_MAX
/* clang-format on */
typedef uint32_t gi_wrap_i8, gi_wrap_i16, gi_wrap_i32, gi_wrap_u8, gi_wrap_u16, gi_wrap_u32;
typedef uint64_t gi_wrap_i64, gi_wrap_u64;

#define GI_SUFFIX_f32    f
#define GI_SUFFIX_f64
#define GI_BUILTIN(name) GI_JOIN(__builtin_##name, GI_JOIN(GI_SUFFIX_, GA_TAG))

/* ---- the vocabulary of the table ----------------------------------------------------------------------------------- */
#define GI_NAME(stem)     GI_JOIN(stem, GI_JOIN(_, GA_TAG))
#define GA_T              GI_JOIN(gi_, GA_TAG)
#define GI_R              GI_JOIN(gi_, GI_JOIN(GI_RTAG_, GA_TAG)) /* the type of the real part */
#define GA_FN(name)       GI_NAME(gi_##name)
#define GA_ADD(a, b)      GA_FN(add)(a, b)
#define GA_SUB(a, b)      GA_FN(sub)(a, b)
#define GA_MUL(a, b)      GA_FN(mul)(a, b)
#define GA_DIV(a, b)      GA_FN(div)(a, b)
#define GA_NEG(a)         GA_FN(neg)(a)
#define GA_FMA(a, b, c)   GA_FN(fma)(a, b, c)
#define GI_WIDE_TAG       GI_JOIN(GI_WIDE_, GA_TAG)
#define GI_MEAN_TAG       GI_JOIN(GI_MEAN_, GA_TAG)
#define GI_CAST_NAME(to)  GI_JOIN(gi_cast_, GI_JOIN(to, GI_JOIN(_, GA_TAG)))
#define GA_WIDEN(x)       GI_CAST_NAME(GI_WIDE_TAG)(x)
#define GA_WIDE_ADD(a, b) GI_JOIN(gi_add_, GI_WIDE_TAG)(a, b)
#define GA_WIDE_MUL(a, b) GI_JOIN(gi_mul_, GI_WIDE_TAG)(a, b)
#define GA_MEAN_OF(x)     GI_CAST_NAME(GI_MEAN_TAG)(x)
#define GA_MEAN_ADD(a, b) GI_JOIN(gi_add_, GI_MEAN_TAG)(a, b)
#define GA_MEAN_OVER(a, n) GI_JOIN(gi_over_, GI_MEAN_TAG)(a, n)
#define GI_SUM_TAG        GI_JOIN(GI_SUM_, GA_TAG)
#define GI_AVERAGE_TAG    GI_JOIN(GI_AVERAGE_, GA_TAG)
#define GI_TO_SUM(v)      GI_JOIN(gi_cast_, GI_JOIN(GI_SUM_TAG, GI_JOIN(_, GI_WIDE_TAG)))(v)
#define GI_TO_AVERAGE(v)  GI_JOIN(gi_cast_, GI_JOIN(GI_AVERAGE_TAG, GI_JOIN(_, GI_MEAN_TAG)))(v)
#define GI_TO_SAME(v)     (v)
#define GI_TO_BOOL(v)     (v)
#define GI_TO_COUNT(v)    (v)
#define GI_RESULT_SAME    GA_T
#define GI_RESULT_BOOL    bool
#define GI_RESULT_PART    GI_R

#include "parts/math.h"

GI_FORMULA float  gi_hypot_f32(float x, float y) { return gi_hypot_rare_f32(x, y) ? gi_hypot_slow_f32(x, y) : gi_hypot_core_f32(x, y); }
GI_FORMULA double gi_hypot_f64(double x, double y) { return gi_hypot_rare_f64(x, y) ? gi_hypot_slow_f64(x, y) : gi_hypot_core_f64(x, y); }

/* ---- every element type in turn -------------------------------------------------------------------------------------- */
/* GA_TAG is set, then this file includes itself: once for the primitives of all types, then for the rows. */
#define GI_STAMP "parts/formulas_tag.h"
#include "parts/each_tag.h"
#undef GI_STAMP
#define GI_STAMP "parts/formulas_cast.h"
#include "parts/each_tag.h"
#undef GI_STAMP
GI_FORMULA double  gi_over_f64(double a, int64_t n) { return a / (double)n; }
GI_FORMULA ga_c128 gi_over_c128(ga_c128 a, int64_t n) { return gi_make_c128(a.re / (double)n, a.im / (double)n); }
#define GI_STAMP "parts/formulas_rows.h"
#include "parts/each_tag.h"
#undef GI_STAMP

GI_END_FAST
