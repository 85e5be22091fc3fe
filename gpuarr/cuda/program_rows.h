/* ==== >>cuda program rows: the ops of one element type ================================================================== */
#define GI_OP(name)         GI_NAME(gi_op_##name)
#define GI_MAKES_SAME(name) GA_T
#define GI_MAKES_PART(name) GA_T
#define GI_MAKES_BOOL(name) bool
#define GI_MAKES_BYTE(name) uint8_t

/* clang-format off */
#define GI_CASE(name, ...)  case GA_OP_##name: return __VA_ARGS__;
#define GA_ELEMENTARY2(name, dtypes, ...) GI_IF_##dtypes(GI_CASE(name, GI_OP(name)(x, y)))
#if GI_CLASS == 3
#define GA_ELEMENTARY(name, ...) GI_CASE(name, GI_OP(name)(x))
#endif
/* A function that is called: what is dear in itself would only make the kernel longer, and its threads need more registers. */
static __device__ __noinline__ GA_T GI_NAME(gi_program_elementary)(int op, GA_T x, GA_T y)
{
    (void)y;
    switch (op) {
#define GA_TABLE
#include "../rows/table.h"
    default: return x;
    }
}
#undef GI_CASE

#define GI_CASE(name, ...)  case GA_OP_##name: __VA_ARGS__; break;
#define GA_UNARY(name, dtypes, result, ...)                                                                             \
    GI_IF_##dtypes(GI_CASE(name, gi_lanes_map1<GA_T, GI_MAKES_##result(name), GI_OP(name)>(x)))
#define GA_BINARY(name, dtypes, result, ...)                                                                            \
    GI_IF_##dtypes(GI_CASE(name, gi_lanes_map2<GA_T, GI_MAKES_##result(name), GI_OP(name)>(x, y)))
#define GA_TERNARY(name, dtypes, result, ...)                                                                           \
    GI_IF_##dtypes(GI_CASE(name, gi_lanes_map3<GA_T, GI_MAKES_##result(name), GI_OP(name)>(x, y, z)))
/* clang-format on */
template <class W> GI_DEVICE void GI_NAME(gi_program_row)(int op, gi_lanes<W> &x, const gi_lanes<W> &y, const gi_lanes<W> &z)
{
    switch (op) {
#define GA_TABLE
#include "../rows/table.h"
    default: gi_lanes_call<GA_T, GI_NAME(gi_program_elementary)>(op, x, y); break;
    }
}
#undef GI_CASE

/* Conversions to this type. */
template <class W> GI_DEVICE void GI_NAME(gi_program_cast)(int from, gi_lanes<W> &x)
{
    switch (from) {
#define GI_CAST(TAG, tag, F, name)                                                                                             \
    case GA_##TAG: gi_lanes_map1<F, GA_T, GI_JOIN(GA_FN(cast), _##tag)>(x); break;
        GI_EACH_BOOL(GI_CAST)
        GI_EACH_INT(GI_CAST)
        GI_EACH_FLT(GI_CAST)
#undef GI_CAST
    default: break;
    }
}
#undef GI_OP
#undef GI_MAKES_SAME
#undef GI_MAKES_PART
#undef GI_MAKES_BOOL
#undef GI_MAKES_BYTE
