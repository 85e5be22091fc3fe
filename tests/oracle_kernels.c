/*  oracle_kernels.c -- kernels of one's own, for tests/oracle.py: linked into the shared library that it loads. There the same formulas
    stand once more, in NumPy (FORMULAS, FOLDINGS and NEIGHBOURS); a kernel is found by its name. Compiled as C, and as CUDA. */
#define GPUARR_KERNELS
#include "gpuarr.h"

#include "moments.h"

#include <string.h>

/* X(type, what it is computed in): integers wrap. */
#define EACH_INT(X)                                                                                                            \
    X(int8_t, uint32_t)                                                                                                        \
    X(uint8_t, uint32_t)                                                                                                       \
    X(int16_t, uint32_t)                                                                                                       \
    X(uint16_t, uint32_t) X(int32_t, uint32_t) X(uint32_t, uint32_t) X(int64_t, uint64_t) X(uint64_t, uint64_t)
#define EACH_REAL(X)    EACH_INT(X) X(float, float) X(double, double)
#define EACH_COMPLEX(X) X(ga_c64, float) X(ga_c128, double)

/* ---- elementwise ---------------------------------------------------------------------------------------------------------- */

#define MIX(T, U) GA_ELEMENTWISE(mix_##T, T, (T x, T y), (T)((U)x * 3 + (U)y))
EACH_REAL(MIX)
GA_ELEMENTWISE(mix_bool, bool, (bool x, bool y), x && !y)
#define MIX_COMPLEX(Z, R)                                                                                                      \
    GA_ELEMENTWISE(mix_##Z, Z, (Z x, Z y), {                                                                                   \
        Z z = { x.re * 3 + y.re, x.im * 3 - y.im };                                                                            \
        return z;                                                                                                              \
    })
EACH_COMPLEX(MIX_COMPLEX)

GA_ELEMENTWISE(axpy, float, (float a, float x, float y), a *x + y)
GA_ELEMENTWISE(fused, double, (double a, float x, double y), GA_FMA(a, x, y))
GA_ELEMENTWISE(place, int64_t, (bool x), GA_INDEX * 2 + x)
GA_ELEMENTWISE(divisor, uint64_t, (uint64_t x, uint64_t y), {
    while (y) {
        uint64_t rest = x % y;
        x             = y;
        y             = rest;
    }
    return x;
})
GA_ELEMENTWISE(eight, double, (bool a, int8_t b, uint16_t c, int d, unsigned e, int64_t f, float g, ga_c64 h),
               a + b * 2.0 + c * 3.0 + d * 4.0 + e * 5.0 + (double)f + g + (double)h.im)
GA_ELEMENTWISE(polar, void, (double x, double y, double *r, double *phi), {
    *r   = GA_HYPOT(x, y);
    *phi = GA_ARCTAN2(y, x);
})
GA_ELEMENTWISE(divided, int, (int16_t x, int8_t y, int16_t *rest, bool *even), {
    *rest = (int16_t)(y ? x % y : x);
    if (x % 2 == 0) *even = true; /* else it is false */
    return y ? x / y : 0;
})
GA_ELEMENTWISE(spun, void, (ga_c128 z, double w, ga_c128 *spin), {
    spin->re = z.re * w + z.im;
    spin->im = z.im * w - z.re;
})
GA_ELEMENTWISE(parts, ga_c128, (ga_c64 z, float *re, float *im, uint8_t *quadrant), {
    ga_c128 twice = { 2.0 * z.re, 2.0 * z.im };
    *re           = z.re;
    *im           = z.im;
    *quadrant     = (uint8_t)((z.re < 0) + 2 * (z.im < 0));
    return twice;
})

GA_ELEMENTWISE_T(clamp, REAL, T, (T x, T low, T high), x<low ? low : x> high ? high : x)
GA_ELEMENTWISE_T(scramble, INT, T, (T x, T y, T *rest), {
    *rest = (T)(x & y);
    return (T)(x ^ (y / 2));
})
GA_ELEMENTWISE_T(squashed, FLT, T, (T x), GA_TANH(x))
GA_ELEMENTWISE_T(halves, FLT, void, (T x, T *whole, int8_t *sign), {
    *whole = GA_FLOOR(x / 2);
    if (x < 0) *sign = -1;
})

/* ---- reductions ------------------------------------------------------------------------------------------------------------ */

GA_REDUCTION(dot, double, (double x, double y), double, 0, x *y, a + b, a)
GA_REDUCTION(magnitude, float, (float x), double, 0, (double)x *x, a + b, (float)GA_SQRT(a))
GA_REDUCTION(isum, int64_t, (int64_t x), uint64_t, 0, (uint64_t)x, a + b, (int64_t)a)
GA_REDUCTION(parity, bool, (bool x), bool, true, x, a != b, a)
GA_REDUCTION(xored, uint8_t, (uint8_t x, uint8_t y), uint8_t, 7, (uint8_t)(x + y), (uint8_t)(a ^ b), a)
GA_REDUCTION(weighted, double, (double x, float w, int32_t k), double, 0, x *(double)w + (double)k, a + b,
             a * 0.1 + 1 / (double)n)
GA_REDUCTION(last, int64_t, (bool x), int64_t, -1, x ? GA_INDEX : -1, b > a ? b : a, a)

GA_REDUCTION_T(total, REAL, T, (T x), T, 0, x, a + b, a)
GA_REDUCTION_T(smallest, INT, T, (T x, T y), T, 77, x > y ? x - y : y - x, b < a ? b : a, a)
GA_REDUCTION_T(energy, FLT, T, (T x, int8_t k), double, 0, (double)x *x *k, a + b, a / (double)n)

GA_FUNCTION ga_c128 complex_of(double re, double im)
{
    ga_c128 z = { re, im };
    return z;
}
GA_REDUCTION(csum, ga_c128, (ga_c128 x), ga_c128, complex_of(0, 0), x, complex_of(a.re + b.re, a.im + b.im),
             complex_of(-a.im, a.re))

typedef struct extreme {
    float   value;
    int64_t index;
} extreme;
GA_FUNCTION extreme extreme_of(float value, int64_t index)
{
    extreme e = { value, index };
    return e;
}
GA_FUNCTION extreme larger(extreme a, extreme b)
{
    return b.value > a.value || (b.value == a.value && b.index < a.index) ? b : a;
}
GA_REDUCTION(argmost, int64_t, (float x, float y), extreme, extreme_of(-INFINITY, -1), extreme_of(x - y, GA_INDEX),
             larger(a, b), a.index)
GA_REDUCTION(turned, ga_c128, (double x, double y), ga_c128, complex_of(1, 1), complex_of(x *y + x, x *y - x),
             complex_of(a.re * 0.5 + b.re, a.im * 0.5 - b.im), a)
GA_REDUCTION(variance, double, (double x), moments, moments_of(0, 0), moments_of(1, x), joined(a, b), a.m2 / a.n)

/* ---- stencils ---------------------------------------------------------------------------------------------------------------- */

#define AROUND(T, U) GA_STENCIL(around_##T, (1, 2), T, (void), (T)((U)GA_AT(-1, 2) * 3 + (U)GA_AT(1, -2)))
EACH_REAL(AROUND)
GA_STENCIL(around_bool, (1, 2), bool, (void), GA_AT(-1, 2) && !GA_AT(1, -2))
#define AROUND_COMPLEX(Z, R)                                                                                                   \
    GA_STENCIL(around_##Z, (1, 2), Z, (void), {                                                                                \
        Z z = { GA_AT(-1, 2).re * 3 + GA_AT(1, -2).re, GA_AT(-1, 2).im * 3 - GA_AT(1, -2).im };                                \
        return z;                                                                                                              \
    })
EACH_COMPLEX(AROUND_COMPLEX)

GA_STENCIL(slope, (3), float, (float h), (GA_AT(3) - GA_AT(-3)) / h)
GA_STENCIL(binomial, (2), int64_t, (void), GA_AT(-2) + 4 * GA_AT(-1) + 6 * GA_AT(0) + 4 * GA_AT(1) + GA_AT(2))
GA_STENCIL(heat, (1, 1), double, (double a),
           GA_AT(0, 0) + a * (GA_AT(-1, 0) + GA_AT(1, 0) + GA_AT(0, -1) + GA_AT(0, 1) - 4 * GA_AT(0, 0)))
GA_STENCIL(life, (1, 1), uint8_t, (void), {
    int n = 0;
    for (int i = -1; i <= 1; i++)
        for (int j = -1; j <= 1; j++) n += GA_AT(i, j);
    return n == 3 || (n == 4 && GA_AT(0, 0));
})
GA_STENCIL(far, (4, 0), float, (int down), GA_AT(down, 0))
GA_STENCIL(rough, (0, 1), double, (void), GA_TANH(GA_AT(0, 1) - GA_AT(0, -1)))
GA_STENCIL(seven, (1, 1, 1), double, (double w, float c),
           c *GA_AT(0, 0, 0) +
               w * (GA_AT(-1, 0, 0) + GA_AT(1, 0, 0) + GA_AT(0, -1, 0) + GA_AT(0, 1, 0) + GA_AT(0, 0, -1) + GA_AT(0, 0, 1)))
GA_STENCIL(most, (1, 0, 2), int16_t, (void), {
    if (GA_AT(-1, 0, -2) > GA_AT(1, 0, 2)) return GA_AT(-1, 0, -2);
    return GA_AT(1, 0, 2);
})
GA_STENCIL(swirl, (0, 1, 1), ga_c64, (float w), {
    ga_c64 z = { w * GA_AT(0, 1, -1).im, -GA_AT(0, -1, 1).re };
    return z;
})

/* ---- by name ------------------------------------------------------------------------------------------------------------------ */

#define NAMED(name)     { #name, name },
#define NAMED_MIX(T, U) { "mix_" #T, mix_##T }, { "around_" #T, around_##T },

#ifdef __cplusplus
extern "C"
#endif
    const void         *
    oracle_kernel(const char *name);
const void *oracle_kernel(const char *name)
{
    static const struct {
        const char *name;
        const void *kernel;
    } all[] = { EACH_REAL(NAMED_MIX) EACH_COMPLEX(NAMED_MIX) NAMED(mix_bool) NAMED(axpy) NAMED(fused) NAMED(place)
                    NAMED(divisor) NAMED(eight) NAMED(polar) NAMED(divided) NAMED(parts) NAMED(spun) NAMED(clamp)
                        NAMED(scramble) NAMED(squashed) NAMED(halves) NAMED(dot) NAMED(magnitude) NAMED(isum) NAMED(parity)
                            NAMED(xored) NAMED(weighted) NAMED(last) NAMED(csum) NAMED(argmost) NAMED(turned) NAMED(total)
                                NAMED(smallest) NAMED(energy) NAMED(variance) NAMED(around_bool) NAMED(slope) NAMED(binomial)
                                    NAMED(heat) NAMED(life) NAMED(far) NAMED(rough) NAMED(seven) NAMED(most) NAMED(swirl) };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].name, name) == 0) return all[i].kernel;
    return NULL;
}
