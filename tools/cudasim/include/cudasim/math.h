/* cudasim: device mathematics and bit intrinsics that <cmath> lacks.
 *
 * The fast intrinsics (__expf, __sinf, ...) call the accurate functions: a GPU's versions differ in the last bits. */
#ifndef CUDASIM_MATH_H
#define CUDASIM_MATH_H
#include <cfenv>
#include <cmath>
#include <limits>
#include <type_traits>

#define CUDASIM_FN static inline __attribute__((unused))

/* ------------------------------------------------------------------ min and max, with the mixed pairs of CUDA */
/* Templates, so that a program's own plain functions of these names win. */
namespace cudasim {
template <class A, class B>
using arithmetic_pair = std::enable_if_t<std::is_arithmetic_v<A> && std::is_arithmetic_v<B>, std::common_type_t<A, B>>;
}
template <class A, class B> static inline cudasim::arithmetic_pair<A, B> max(A a, B b)
{
    using R = std::common_type_t<A, B>;
    R x = (R)a, y = (R)b;
    if constexpr (std::is_floating_point_v<R>) return x != x ? y : y != y ? x : x > y ? x : y; /* a NaN loses */
    else return x > y ? x : y;
}
template <class A, class B> static inline cudasim::arithmetic_pair<A, B> min(A a, B b)
{
    using R = std::common_type_t<A, B>;
    R x = (R)a, y = (R)b;
    if constexpr (std::is_floating_point_v<R>) return x != x ? y : y != y ? x : x < y ? x : y;
    else return x < y ? x : y;
}

CUDASIM_FN unsigned int       umin(unsigned int a, unsigned int b) { return min(a, b); }
CUDASIM_FN unsigned int       umax(unsigned int a, unsigned int b) { return max(a, b); }
CUDASIM_FN long long          llmin(long long a, long long b) { return min(a, b); }
CUDASIM_FN long long          llmax(long long a, long long b) { return max(a, b); }
CUDASIM_FN unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
CUDASIM_FN unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }

/* ------------------------------------------------------------------ functions <cmath> lacks */
CUDASIM_FN float  rsqrtf(float x) { return (float)(1.0 / sqrt((double)x)); }
CUDASIM_FN double rsqrt(double x) { return 1.0 / sqrt(x); }
CUDASIM_FN float  rsqrt(float x) { return rsqrtf(x); }
CUDASIM_FN double rcbrt(double x) { return 1.0 / cbrt(x); }
CUDASIM_FN float  rcbrtf(float x) { return (float)(1.0 / cbrt((double)x)); }
CUDASIM_FN float  fdividef(float a, float b) { return a / b; }
CUDASIM_FN float  __fdividef(float a, float b) { return a / b; }

/* sin and cos of pi * x: reduced exactly, so integers and halves give exact results */
CUDASIM_FN double sinpi(double x)
{
    double r = fmod(fabs(x), 2.0), s = x < 0 ? -1.0 : 1.0;
    if (std::isinf(x)) return NAN;
    if (r >= 1.0) r -= 1.0, s = -s;
    if (r > 0.5) r = 1.0 - r;
    double v = r > 0.25 ? cos((0.5 - r) * M_PI) : sin(r * M_PI);
    return r == 0.0 ? x * 0.0 : s * v;
}
CUDASIM_FN double cospi(double x)
{
    double r = fmod(fabs(x), 2.0), s = 1.0;
    if (std::isinf(x)) return NAN;
    if (r > 1.0) r = 2.0 - r;
    if (r > 0.5) r = 1.0 - r, s = -1.0;
    double v = r > 0.25 ? sin((0.5 - r) * M_PI) : cos(r * M_PI);
    return r == 0.5 ? 0.0 : s * v;
}
CUDASIM_FN float sinpif(float x) { return (float)sinpi((double)x); }
CUDASIM_FN float cospif(float x) { return (float)cospi((double)x); }
CUDASIM_FN void  sincospi(double x, double *s, double *c) { *s = sinpi(x), *c = cospi(x); }
CUDASIM_FN void  sincospif(float x, float *s, float *c) { *s = sinpif(x), *c = cospif(x); }

CUDASIM_FN double normcdf(double x) { return 0.5 * erfc(-x * M_SQRT1_2); }
CUDASIM_FN float  normcdff(float x) { return (float)normcdf((double)x); }

/* inverse of the normal distribution: rational start (relative error 1e-9), then two Newton steps */
CUDASIM_FN double normcdfinv(double p)
{
    if (!(p >= 0.0 && p <= 1.0)) return NAN;
    if (p == 0.0) return -INFINITY;
    if (p == 1.0) return INFINITY;
    double q = p < 0.5 ? p : 1.0 - p, t = sqrt(-2.0 * log(q));
    double x = -(t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308))));
    for (int i = 0; i < 4; i++) {
        double e = normcdf(x) - q, u = e * 2.5066282746310002 * exp(0.5 * x * x);
        x -= u / (1.0 + 0.5 * x * u);
    }
    return p < 0.5 ? x : -x;
}
CUDASIM_FN float  normcdfinvf(float p) { return (float)normcdfinv((double)p); }
CUDASIM_FN double erfcinv(double y) { return y <= 2.0 && y >= 0.0 ? -normcdfinv(0.5 * y) * M_SQRT1_2 : (double)NAN; }
CUDASIM_FN float  erfcinvf(float y) { return (float)erfcinv((double)y); }
CUDASIM_FN double erfinv(double y)
{
    if (!(fabs(y) <= 1.0)) return NAN;
    if (fabs(y) == 1.0) return y * INFINITY;
    if (y == 0.0) return y;
    double a = fabs(y), x = a < 0.5 ? a * 0.886226925452758 : erfcinv(1.0 - a);
    for (int i = 0; i < 6; i++) { /* Halley steps on erf(x) = a; near 1 through erfc, which keeps its digits there */
        double error = a > 0.9 ? (1.0 - a) - erfc(x) : erf(x) - a, step = error / (1.1283791670955126 * exp(-x * x));
        x -= step / (1.0 + x * step);
    }
    return y < 0 ? -x : x;
}
CUDASIM_FN float  erfinvf(float y) { return (float)erfinv((double)y); }
CUDASIM_FN double erfcx(double x)
{
    if (x < 25.0) return exp(x * x) * erfc(x);
    double i = 1.0 / (x * x);
    return 0.56418958354775629 / x * (1.0 - 0.5 * i * (1.0 - 1.5 * i * (1.0 - 2.5 * i)));
}
CUDASIM_FN float erfcxf(float x) { return (float)erfcx((double)x); }

CUDASIM_FN double norm3d(double a, double b, double c) { return sqrt(a * a + b * b + c * c); }
CUDASIM_FN float  norm3df(float a, float b, float c) { return (float)norm3d(a, b, c); }
CUDASIM_FN double rnorm3d(double a, double b, double c) { return 1.0 / norm3d(a, b, c); }
CUDASIM_FN float  rnorm3df(float a, float b, float c) { return (float)rnorm3d(a, b, c); }
CUDASIM_FN double norm4d(double a, double b, double c, double d) { return sqrt(a * a + b * b + c * c + d * d); }
CUDASIM_FN float  norm4df(float a, float b, float c, float d) { return (float)norm4d(a, b, c, d); }
CUDASIM_FN double rnorm4d(double a, double b, double c, double d) { return 1.0 / norm4d(a, b, c, d); }
CUDASIM_FN float  rnorm4df(float a, float b, float c, float d) { return (float)rnorm4d(a, b, c, d); }
CUDASIM_FN double rhypot(double a, double b) { return 1.0 / hypot(a, b); }
CUDASIM_FN float  rhypotf(float a, float b) { return (float)rhypot(a, b); }
CUDASIM_FN double norm(int n, const double *v)
{
    double s = 0;
    for (int i = 0; i < n; i++) s += v[i] * v[i];
    return sqrt(s);
}
CUDASIM_FN float normf(int n, const float *v)
{
    double s = 0;
    for (int i = 0; i < n; i++) s += (double)v[i] * v[i];
    return (float)sqrt(s);
}

/* Bessel functions I0 and I1 by their power series; all terms are positive, so it is accurate */
CUDASIM_FN double cyl_bessel_i0(double x)
{
    double q = 0.25 * x * x, term = 1.0, sum = 1.0;
    for (int k = 1; k < 2000 && term > 1e-17 * sum; k++) term *= q / ((double)k * k), sum += term;
    return sum;
}
CUDASIM_FN double cyl_bessel_i1(double x)
{
    double q = 0.25 * x * x, term = 1.0, sum = 1.0;
    for (int k = 1; k < 2000 && term > 1e-17 * sum; k++) term *= q / ((double)k * (k + 1)), sum += term;
    return 0.5 * x * sum;
}
CUDASIM_FN float cyl_bessel_i0f(float x) { return (float)cyl_bessel_i0((double)x); }
CUDASIM_FN float cyl_bessel_i1f(float x) { return (float)cyl_bessel_i1((double)x); }

/* ------------------------------------------------------------------ fast intrinsics */
/* <math.h> may declare __expf and others for its own use: take the names with macros */
CUDASIM_FN float cudasim_expf(float x) { return expf(x); }
CUDASIM_FN float cudasim_exp10f(float x) { return (float)pow(10.0, (double)x); }
CUDASIM_FN float cudasim_logf(float x) { return logf(x); }
CUDASIM_FN float cudasim_log2f(float x) { return log2f(x); }
CUDASIM_FN float cudasim_log10f(float x) { return log10f(x); }
CUDASIM_FN float cudasim_powf(float x, float y) { return powf(x, y); }
CUDASIM_FN float cudasim_sinf(float x) { return sinf(x); }
CUDASIM_FN float cudasim_cosf(float x) { return cosf(x); }
CUDASIM_FN float cudasim_tanf(float x) { return tanf(x); }
CUDASIM_FN float cudasim_tanhf(float x) { return tanhf(x); }
CUDASIM_FN void  cudasim_sincosf(float x, float *s, float *c) { *s = sinf(x), *c = cosf(x); }
#define __expf    cudasim_expf
#define __exp10f  cudasim_exp10f
#define __logf    cudasim_logf
#define __log2f   cudasim_log2f
#define __log10f  cudasim_log10f
#define __powf    cudasim_powf
#define __sinf    cudasim_sinf
#define __cosf    cudasim_cosf
#define __tanf    cudasim_tanf
#define __tanhf   cudasim_tanhf
#define __sincosf cudasim_sincosf
CUDASIM_FN float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }

/* ------------------------------------------------------------------ arithmetic with a stated rounding */
/* The result passes through an opaque statement: it is never contracted with a neighbouring operation, whatever the compiler
 * flags.  For the directed roundings the operands are opaque too, so that the operation stays between the mode changes. */
namespace cudasim {

template <class T> static inline T opaque(T value)
{
#if defined(__x86_64__)
    __asm__ volatile("" : "+x"(value) : : "memory");
#elif defined(__aarch64__)
    __asm__ volatile("" : "+w"(value) : : "memory");
#else
    __asm__ volatile("" : "+m"(value) : : "memory");
#endif
    return value;
}

struct rounding {
    int before;
    explicit rounding(int mode) : before(fegetround()) { fesetround(mode); }
    ~rounding() { fesetround(before); }
};

} // namespace cudasim

#define CUDASIM_ROUNDED2(NAME, T, MODE, EXPRESSION)                                                                            \
    CUDASIM_FN T NAME(T a, T b)                                                                                                \
    {                                                                                                                          \
        cudasim::rounding mode(MODE);                                                                                          \
        a = cudasim::opaque(a), b = cudasim::opaque(b);                                                                        \
        return cudasim::opaque(EXPRESSION);                                                                                    \
    }
#define CUDASIM_ROUNDED1(NAME, T, MODE, EXPRESSION)                                                                            \
    CUDASIM_FN T NAME(T a)                                                                                                     \
    {                                                                                                                          \
        cudasim::rounding mode(MODE);                                                                                          \
        a = cudasim::opaque(a);                                                                                                \
        return cudasim::opaque(EXPRESSION);                                                                                    \
    }
#define CUDASIM_ROUNDED3(NAME, T, MODE, EXPRESSION)                                                                            \
    CUDASIM_FN T NAME(T a, T b, T c)                                                                                           \
    {                                                                                                                          \
        cudasim::rounding mode(MODE);                                                                                          \
        a = cudasim::opaque(a), b = cudasim::opaque(b), c = cudasim::opaque(c);                                                \
        return cudasim::opaque(EXPRESSION);                                                                                    \
    }
#define CUDASIM_ROUNDED(SUFFIX, MODE)                                                                                          \
    CUDASIM_ROUNDED2(__fadd_##SUFFIX, float, MODE, a + b)                                                                      \
    CUDASIM_ROUNDED2(__fsub_##SUFFIX, float, MODE, a - b)                                                                      \
    CUDASIM_ROUNDED2(__fmul_##SUFFIX, float, MODE, a *b)                                                                       \
    CUDASIM_ROUNDED2(__fdiv_##SUFFIX, float, MODE, a / b)                                                                      \
    CUDASIM_ROUNDED3(__fmaf_##SUFFIX, float, MODE, fmaf(a, b, c))                                                              \
    CUDASIM_ROUNDED1(__frcp_##SUFFIX, float, MODE, 1.0f / a)                                                                   \
    CUDASIM_ROUNDED1(__fsqrt_##SUFFIX, float, MODE, sqrtf(a))                                                                  \
    CUDASIM_ROUNDED2(__dadd_##SUFFIX, double, MODE, a + b)                                                                     \
    CUDASIM_ROUNDED2(__dsub_##SUFFIX, double, MODE, a - b)                                                                     \
    CUDASIM_ROUNDED2(__dmul_##SUFFIX, double, MODE, a *b)                                                                      \
    CUDASIM_ROUNDED2(__ddiv_##SUFFIX, double, MODE, a / b)                                                                     \
    CUDASIM_ROUNDED3(__fma_##SUFFIX, double, MODE, fma(a, b, c))                                                               \
    CUDASIM_ROUNDED1(__drcp_##SUFFIX, double, MODE, 1.0 / a)                                                                   \
    CUDASIM_ROUNDED1(__dsqrt_##SUFFIX, double, MODE, sqrt(a))
CUDASIM_ROUNDED(rz, FE_TOWARDZERO)
CUDASIM_ROUNDED(ru, FE_UPWARD)
CUDASIM_ROUNDED(rd, FE_DOWNWARD)

CUDASIM_FN float  __fadd_rn(float a, float b) { return cudasim::opaque(a + b); }
CUDASIM_FN float  __fsub_rn(float a, float b) { return cudasim::opaque(a - b); }
CUDASIM_FN float  __fmul_rn(float a, float b) { return cudasim::opaque(a * b); }
CUDASIM_FN float  __fdiv_rn(float a, float b) { return cudasim::opaque(a / b); }
CUDASIM_FN float  __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
CUDASIM_FN float  __frcp_rn(float a) { return cudasim::opaque(1.0f / a); }
CUDASIM_FN float  __fsqrt_rn(float a) { return sqrtf(a); }
CUDASIM_FN float  __frsqrt_rn(float a) { return (float)(1.0 / sqrt((double)a)); }
CUDASIM_FN double __dadd_rn(double a, double b) { return cudasim::opaque(a + b); }
CUDASIM_FN double __dsub_rn(double a, double b) { return cudasim::opaque(a - b); }
CUDASIM_FN double __dmul_rn(double a, double b) { return cudasim::opaque(a * b); }
CUDASIM_FN double __ddiv_rn(double a, double b) { return cudasim::opaque(a / b); }
CUDASIM_FN double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
CUDASIM_FN double __drcp_rn(double a) { return cudasim::opaque(1.0 / a); }
CUDASIM_FN double __dsqrt_rn(double a) { return sqrt(a); }

/* ------------------------------------------------------------------ conversions with a stated rounding */
namespace cudasim {

/* A GPU saturates out-of-range values and turns NaN into 0 (the 64-bit forms: into the lowest value). */
template <class I, class F> static inline I to_integer(F x)
{
    constexpr int digits = std::numeric_limits<I>::digits;
    if (x != x) return sizeof(I) == 4 ? I(0) : (I)(1ull << 63);
    if (x >= (F)ldexp(1.0, digits)) return std::numeric_limits<I>::max();
    if (std::is_signed_v<I> ? x < -(F)ldexp(1.0, digits) : x < 0) return std::numeric_limits<I>::min();
    return (I)x;
}

/* integer or double to a narrower type under a rounding mode */
template <class T, class S> static inline T convert(S x, int mode)
{
    rounding   r(mode);
    volatile S source = x;
    volatile T target = (T)source;
    return target;
}

} // namespace cudasim

/* __float2int_rn and the like: to the nearest, towards zero, up, down. */
#define CUDASIM_TO_INTEGER(from, F, f, to, I)                                                                                  \
    CUDASIM_FN I __##from##2##to##_rn(F x) { return cudasim::to_integer<I>(rint##f(x)); }                                      \
    CUDASIM_FN I __##from##2##to##_rz(F x) { return cudasim::to_integer<I>(trunc##f(x)); }                                     \
    CUDASIM_FN I __##from##2##to##_ru(F x) { return cudasim::to_integer<I>(ceil##f(x)); }                                      \
    CUDASIM_FN I __##from##2##to##_rd(F x) { return cudasim::to_integer<I>(floor##f(x)); }
#define CUDASIM_TO_FLOAT(from, S, to, F)                                                                                       \
    CUDASIM_FN F __##from##2##to##_rn(S x) { return cudasim::convert<F>(x, FE_TONEAREST); }                                    \
    CUDASIM_FN F __##from##2##to##_rz(S x) { return cudasim::convert<F>(x, FE_TOWARDZERO); }                                   \
    CUDASIM_FN F __##from##2##to##_ru(S x) { return cudasim::convert<F>(x, FE_UPWARD); }                                       \
    CUDASIM_FN F __##from##2##to##_rd(S x) { return cudasim::convert<F>(x, FE_DOWNWARD); }
CUDASIM_TO_INTEGER(float, float, f, int, int)
CUDASIM_TO_INTEGER(float, float, f, uint, unsigned int)
CUDASIM_TO_INTEGER(float, float, f, ll, long long)
CUDASIM_TO_INTEGER(float, float, f, ull, unsigned long long)
CUDASIM_TO_INTEGER(double, double, , int, int)
CUDASIM_TO_INTEGER(double, double, , uint, unsigned int)
CUDASIM_TO_INTEGER(double, double, , ll, long long)
CUDASIM_TO_INTEGER(double, double, , ull, unsigned long long)
CUDASIM_TO_FLOAT(int, int, float, float)
CUDASIM_TO_FLOAT(int, int, double, double)
CUDASIM_TO_FLOAT(uint, unsigned int, float, float)
CUDASIM_TO_FLOAT(uint, unsigned int, double, double)
CUDASIM_TO_FLOAT(ll, long long, float, float)
CUDASIM_TO_FLOAT(ll, long long, double, double)
CUDASIM_TO_FLOAT(ull, unsigned long long, float, float)
CUDASIM_TO_FLOAT(ull, unsigned long long, double, double)
CUDASIM_TO_FLOAT(double, double, float, float)
#undef CUDASIM_TO_INTEGER
#undef CUDASIM_TO_FLOAT

/* ------------------------------------------------------------------ bits */
CUDASIM_FN int __float_as_int(float x)
{
    int r;
    __builtin_memcpy(&r, &x, 4);
    return r;
}
CUDASIM_FN unsigned int __float_as_uint(float x)
{
    unsigned int r;
    __builtin_memcpy(&r, &x, 4);
    return r;
}
CUDASIM_FN float __int_as_float(int x)
{
    float r;
    __builtin_memcpy(&r, &x, 4);
    return r;
}
CUDASIM_FN float __uint_as_float(unsigned int x)
{
    float r;
    __builtin_memcpy(&r, &x, 4);
    return r;
}
CUDASIM_FN long long __double_as_longlong(double x)
{
    long long r;
    __builtin_memcpy(&r, &x, 8);
    return r;
}
CUDASIM_FN double __longlong_as_double(long long x)
{
    double r;
    __builtin_memcpy(&r, &x, 8);
    return r;
}
CUDASIM_FN int    __double2hiint(double x) { return (int)(__double_as_longlong(x) >> 32); }
CUDASIM_FN int    __double2loint(double x) { return (int)__double_as_longlong(x); }
CUDASIM_FN double __hiloint2double(int high, int low)
{
    return __longlong_as_double((long long)((unsigned long long)(unsigned int)high << 32 | (unsigned int)low));
}

CUDASIM_FN int          __popc(unsigned int x) { return __builtin_popcount(x); }
CUDASIM_FN int          __popcll(unsigned long long x) { return __builtin_popcountll(x); }
CUDASIM_FN int          __clz(int x) { return x ? __builtin_clz((unsigned int)x) : 32; }
CUDASIM_FN int          __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
CUDASIM_FN int          __ffs(int x) { return __builtin_ffs(x); }
CUDASIM_FN int          __ffsll(long long x) { return __builtin_ffsll(x); }
CUDASIM_FN unsigned int __brev(unsigned int x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}
CUDASIM_FN unsigned long long __brevll(unsigned long long x)
{
    return (unsigned long long)__brev((unsigned int)x) << 32 | __brev((unsigned int)(x >> 32));
}
CUDASIM_FN unsigned int __byte_perm(unsigned int a, unsigned int b, unsigned int selector)
{
    unsigned long long bytes  = (unsigned long long)b << 32 | a;
    unsigned int       result = 0;
    for (int i = 0; i < 4; i++) {
        unsigned int pick = selector >> (4 * i) & 15u, byte = (unsigned int)(bytes >> (8 * (pick & 7u))) & 255u;
        if (pick & 8u) byte = byte & 128u ? 255u : 0u; /* the sign of the byte, repeated */
        result |= byte << (8 * i);
    }
    return result;
}
CUDASIM_FN unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int shift)
{
    return (unsigned int)((((unsigned long long)high << 32 | low) << (shift & 31u)) >> 32);
}
CUDASIM_FN unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int shift)
{
    return (unsigned int)(((unsigned long long)high << 32 | low) >> (shift & 31u));
}
CUDASIM_FN unsigned int __funnelshift_lc(unsigned int low, unsigned int high, unsigned int shift)
{
    return shift >= 32u ? low : __funnelshift_l(low, high, shift);
}
CUDASIM_FN unsigned int __funnelshift_rc(unsigned int low, unsigned int high, unsigned int shift)
{
    return shift >= 32u ? high : __funnelshift_r(low, high, shift);
}
CUDASIM_FN unsigned int __fns(unsigned int mask, unsigned int base, int offset)
{
    if (offset == 0) return mask >> base & 1u ? base : 0xffffffffu;
    int count = offset > 0 ? offset : -offset;
    for (long i = (long)base; i >= 0 && i<32; i += offset> 0 ? 1 : -1)
        if ((mask >> i & 1u) && --count == 0) return (unsigned int)i;
    return 0xffffffffu;
}

CUDASIM_FN int          __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
CUDASIM_FN unsigned int __umulhi(unsigned int a, unsigned int b) { return (unsigned int)((unsigned long long)a * b >> 32); }
CUDASIM_FN long long    __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
CUDASIM_FN unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
CUDASIM_FN int          mulhi(int a, int b) { return __mulhi(a, b); }
CUDASIM_FN unsigned int umulhi(unsigned int a, unsigned int b) { return __umulhi(a, b); }
CUDASIM_FN int          __mul24(int a, int b)
{
    return (int)((unsigned int)((int)((unsigned int)a << 8) >> 8) * (unsigned int)((int)((unsigned int)b << 8) >> 8));
}
CUDASIM_FN unsigned int __umul24(unsigned int a, unsigned int b) { return (a & 0xffffffu) * (b & 0xffffffu); }
CUDASIM_FN unsigned int __sad(int a, int b, unsigned int c)
{
    return (a > b ? (unsigned int)a - (unsigned int)b : (unsigned int)b - (unsigned int)a) + c;
}
CUDASIM_FN unsigned int __usad(unsigned int a, unsigned int b, unsigned int c) { return (a > b ? a - b : b - a) + c; }
CUDASIM_FN int          __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
CUDASIM_FN int          __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
CUDASIM_FN unsigned int __uhadd(unsigned int a, unsigned int b) { return (unsigned int)(((unsigned long long)a + b) >> 1); }
CUDASIM_FN unsigned int __urhadd(unsigned int a, unsigned int b)
{
    return (unsigned int)(((unsigned long long)a + b + 1) >> 1);
}

#endif
