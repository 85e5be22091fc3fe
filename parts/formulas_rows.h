/* ---- >>rows of one element type: gi_op_add_f32(x, y) --------------------------------------------------------------- */
#include "parts/groups.h"
#define GI_OP(name) GI_NAME(gi_op_##name)
#define GA_UNARY(name, dtypes, result, formula, ...)                                                                    \
    GI_IF_##dtypes(GI_FORMULA GI_RESULT_##result GI_OP(name)(GA_T x) { return (formula); })
#define GA_BINARY(name, dtypes, result, formula, ...)                                                                   \
    GI_IF_##dtypes(GI_FORMULA GI_RESULT_##result GI_OP(name)(GA_T x, GA_T y) { return (formula); })
#define GA_TERNARY(name, dtypes, result, formula, ...)                                                                  \
    GI_IF_##dtypes(GI_FORMULA GI_RESULT_##result GI_OP(name)(GA_T x, GA_T y, GA_T z) { return (formula); })
#if GI_CLASS == 3
#define GA_ELEMENTARY(name, ...)                                                                                        \
    GI_FORMULA GA_T GI_OP(name)(GA_T x) { return GA_FN(name##_rare)(x) ? GA_FN(name##_slow)(x) : GA_FN(name##_core)(x); }
#define GA_ELEMENTARY2(name, ...)                                                                                       \
    GI_FORMULA GA_T GI_OP(name)(GA_T x, GA_T y)                                                                         \
    {                                                                                                                  \
        return GA_FN(name##_rare)(x, y) ? GA_FN(name##_slow)(x, y) : GA_FN(name##_core)(x, y);                         \
    }
#else
#define GA_ELEMENTARY2(name, dtypes, ...) GI_IF_##dtypes(GI_FORMULA GA_T GI_OP(name)(GA_T x, GA_T y) { return GA_FN(name)(x, y); })
#endif
#define GA_TABLE
#include "gpuarr.h"
#undef GI_OP
