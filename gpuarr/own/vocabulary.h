#ifdef __GNUC__
#pragma GCC system_header /* see kernels.h */
#endif
/* ---- what formulas may call ---------------------------------------------------------------------------------------------- */
/*  An elementary function is computed by its fast core, and notes whether its argument was rare; if one of a part of the elements
    was, the part is computed once more, exactly. A formula with a loop is exact at once: it might wait for a right value in vain. */

#define GI_OWN_ELEMENTARY(name, tag)                                                                                           \
    GI_FORMULA gi_##tag gi_own_##name##_##tag(gi_here *at, gi_##tag x)                                                         \
    {                                                                                                                          \
        if (at->exact) return gi_op_##name##_##tag(x);                                                                         \
        at->rare_##tag |= gi_##name##_rare_##tag(x);                                                                           \
        return gi_##name##_core_##tag(x);                                                                                      \
    }
#define GI_OWN_ELEMENTARY2(name, tag)                                                                                          \
    GI_FORMULA gi_##tag gi_own_##name##_##tag(gi_here *at, gi_##tag x, gi_##tag y)                                             \
    {                                                                                                                          \
        if (at->exact) return gi_op_##name##_##tag(x, y);                                                                      \
        at->rare_##tag |= gi_##name##_rare_##tag(x, y);                                                                        \
        return gi_##name##_core_##tag(x, y);                                                                                   \
    }
GI_BEGIN_FAST
#define GA_ELEMENTARY(name, ...)  GI_OWN_ELEMENTARY(name, f32) GI_OWN_ELEMENTARY(name, f64)
#define GA_ELEMENTARY2(name, ...) GI_OWN_ELEMENTARY2(name, f32) GI_OWN_ELEMENTARY2(name, f64)
#define GA_TABLE
#include "../rows/table.h"
GI_END_FAST

/* float stays float, all else is double. */
#ifdef __cplusplus
template <class V> struct gi_float_of {
    typedef double type;
};
template <> struct gi_float_of<float> {
    typedef float type;
};
#define GI_IN_FLOAT(v) typename gi_float_of<decltype(v)>::type
template <class V> struct gi_is_single {
    enum { yes = sizeof(V) == sizeof(float) };
};
#define GI_FLOAT_FN(fn, v) gi_pick_function<gi_is_single<GI_IN_FLOAT(v)>::yes>::of(fn##_f32, fn##_f64)
template <bool single> struct gi_pick_function {
    template <class F, class D> static GI_PORTABLE constexpr D of(F, D d) { return d; }
};
template <> struct gi_pick_function<true> {
    template <class F, class D> static GI_PORTABLE constexpr F of(F f, D) { return f; }
};
#else
#define GI_FLOAT_FN(fn, v) _Generic((v), float : fn##_f32, default : fn##_f64)
#endif
#define GI_OWN_1(name, x)    GI_FLOAT_FN(gi_own_##name, (x) + 0)(gi_at, x)
#define GI_OWN_2(name, x, y) GI_FLOAT_FN(gi_own_##name, (x) + (y))(gi_at, x, y)
#define GI_OP_1(name, x)     GI_FLOAT_FN(gi_op_##name, (x) + 0)(x)
#define GI_OP_2(name, x, y)  GI_FLOAT_FN(gi_op_##name, (x) + (y))(x, y)
#undef GA_FMA
#define GA_EXP(x)             GI_OWN_1(exp, x)
#define GA_EXP2(x)            GI_OWN_1(exp2, x)
#define GA_EXPM1(x)           GI_OWN_1(expm1, x)
#define GA_LOG(x)             GI_OWN_1(log, x)
#define GA_LOG2(x)            GI_OWN_1(log2, x)
#define GA_LOG10(x)           GI_OWN_1(log10, x)
#define GA_LOG1P(x)           GI_OWN_1(log1p, x)
#define GA_SIN(x)             GI_OWN_1(sin, x)
#define GA_COS(x)             GI_OWN_1(cos, x)
#define GA_TAN(x)             GI_OWN_1(tan, x)
#define GA_ARCSIN(x)          GI_OWN_1(arcsin, x)
#define GA_ARCCOS(x)          GI_OWN_1(arccos, x)
#define GA_ARCTAN(x)          GI_OWN_1(arctan, x)
#define GA_SINH(x)            GI_OWN_1(sinh, x)
#define GA_COSH(x)            GI_OWN_1(cosh, x)
#define GA_TANH(x)            GI_OWN_1(tanh, x)
#define GA_ARCSINH(x)         GI_OWN_1(arcsinh, x)
#define GA_ARCCOSH(x)         GI_OWN_1(arccosh, x)
#define GA_ARCTANH(x)         GI_OWN_1(arctanh, x)
#define GA_CBRT(x)            GI_OWN_1(cbrt, x)
#define GA_SINC(x)            GI_OWN_1(sinc, x)
#define GA_POWER(x, y)        GI_OWN_2(power, x, y)
#define GA_ARCTAN2(x, y)      GI_OWN_2(arctan2, x, y)
#define GA_HYPOT(x, y)        GI_OWN_2(hypot, x, y)
#define GA_NEXTAFTER(x, y)    GI_OWN_2(nextafter, x, y)
#define GA_LOGADDEXP(x, y)    GI_OWN_2(logaddexp, x, y)
#define GA_LOGADDEXP2(x, y)   GI_OWN_2(logaddexp2, x, y)
#define GA_SQRT(x)            GI_OP_1(sqrt, x)
#define GA_ABSOLUTE(x)        GI_OP_1(absolute, x)
#define GA_SIGN(x)            GI_OP_1(sign, x)
#define GA_FLOOR(x)           GI_OP_1(floor, x)
#define GA_CEIL(x)            GI_OP_1(ceil, x)
#define GA_TRUNC(x)           GI_OP_1(trunc, x)
#define GA_RINT(x)            GI_OP_1(rint, x)
#define GA_ISNAN(x)           GI_OP_1(isnan, x)
#define GA_ISINF(x)           GI_OP_1(isinf, x)
#define GA_ISFINITE(x)        GI_OP_1(isfinite, x)
#define GA_MAXIMUM(x, y)      GI_OP_2(maximum, x, y)
#define GA_MINIMUM(x, y)      GI_OP_2(minimum, x, y)
#define GA_FMAX(x, y)         GI_OP_2(fmax, x, y)
#define GA_FMIN(x, y)         GI_OP_2(fmin, x, y)
#define GA_COPYSIGN(x, y)     GI_OP_2(copysign, x, y)
#define GA_FMOD(x, y)         GI_OP_2(fmod, x, y)
#define GA_REMAINDER(x, y)    GI_OP_2(remainder, x, y)
#define GA_FLOOR_DIVIDE(x, y) GI_OP_2(floor_divide, x, y)
#define GA_FMA(x, y, z)       GI_FLOAT_FN(gi_fma, (x) + (y) + (z))(x, y, z) /* x * y + z, rounded once */
#define GA_INDEX              (gi_at->index)
