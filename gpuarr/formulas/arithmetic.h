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

/* clang-format off */
/* What a CPU function of ours is compiled with, whatever the user's flags are. */
#if defined(__clang__)
#define GI_BEGIN_FAST                                                                                                  \
    _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wunused-function\"")
#define GI_END_FAST   _Pragma("clang diagnostic pop")
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#define GI_BEGIN_FAST                                                                                                  \
    _Pragma("GCC push_options") _Pragma("GCC optimize(\"O2\", \"tree-loop-vectorize\", \"no-tree-slp-vectorize\", \"vect-cost-model=dynamic\", \"no-trapping-math\", \"no-math-errno\", \"fp-contract=off\")")  \
        _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wunused-function\"")
#define GI_END_FAST _Pragma("GCC diagnostic pop") _Pragma("GCC pop_options")
#endif
#ifndef GI_BEGIN_FAST
#define GI_BEGIN_FAST
#define GI_END_FAST
#endif
/* clang-format on */

/* Declared const (no errno), or gcc would not vectorise it. */
#ifdef __cplusplus
extern "C" {
extern float  sqrtf(float) noexcept __attribute__((const));
extern double sqrt(double) noexcept __attribute__((const));
}
#else
extern float      sqrtf(float) __attribute__((const));
extern double     sqrt(double) __attribute__((const));
#endif

GI_BEGIN_FAST

/* ---- arithmetic of one element ------------------------------------------------------------------------------------- */
#ifdef __CUDA_ARCH__
/* The only place where device code differs: nvcc would fuse a * b + c, and these it does not. */
GI_FORMULA float  gi_mul_f32(float a, float b) { return __fmul_rn(a, b); }
GI_FORMULA double gi_mul_f64(double a, double b) { return __dmul_rn(a, b); }
GI_FORMULA float  gi_fma_f32(float a, float b, float c) { return __fmaf_rn(a, b, c); }
GI_FORMULA double gi_fma_f64(double a, double b, double c) { return __fma_rn(a, b, c); }
GI_FORMULA float  gi_root_f32(float x) { return __fsqrt_rn(x); }
GI_FORMULA double gi_root_f64(double x) { return __dsqrt_rn(x); }
#else
GI_FORMULA float  gi_mul_f32(float a, float b) { return a * b; }
GI_FORMULA double gi_mul_f64(double a, double b) { return a * b; }
GI_FORMULA float  gi_fma_f32(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
GI_FORMULA double gi_fma_f64(double a, double b, double c) { return __builtin_fma(a, b, c); }
GI_FORMULA float  gi_root_f32(float x) { return sqrtf(x); }
GI_FORMULA double gi_root_f64(double x) { return sqrt(x); }
#endif
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
