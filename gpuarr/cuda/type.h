/* ==== >>cuda rows: the kernels of one element type ================================================================== */
#define GI_OP(name)         GI_JOIN(gi_op_##name, GI_JOIN(_, GI_ROW_TAG(name)))
#define GI_X(name)          GI_JOIN(gi_, GI_ROW_TAG(name)) /* what the kernel of a row computes with */
#define GI_MAKES_SAME(name) GI_X(name)
#define GI_MAKES_BOOL(name) bool
#define GI_MAKES_BYTE(name) uint8_t
#if GI_CLASS == 4
#define GI_MAKES_PART(name) GI_R
#else
#define GI_MAKES_PART(name) GI_X(name)
#endif

/* Conversions to this type from any other, but for those that another type's kernel or case makes (gi_cuda_cast). */
static __global__ void GI_NAME(gi_cuda_cast)(const __grid_constant__ gi_cuda_map m)
{
    switch (m.from) {
#define GI_CAST(TAG, from, F, name)                                                                                            \
    case GA_##TAG:                                                                                                             \
        if constexpr (gi_cuda_casts<GA_T, GA_##TAG>::needed) gi_cuda_map1_body<F, GA_T, GI_JOIN(GA_FN(cast), _##from)>(m);     \
        break;
        GI_EACH_STAMPED(GI_CAST)
#undef GI_CAST
    default: break;
    }
}

/* clang-format off */
#define GI_CASE(name, ...)                case GA_OP_##name: return __VA_ARGS__;
#define GA_UNARY(name, dtypes, result, ...)                                                                             \
    GI_IF_##dtypes(GI_CASE(name, gi_cuda_map1<GI_X(name), GI_MAKES_##result(name), GI_OP(name)>))
#define GA_BINARY(name, dtypes, result, ...)                                                                            \
    GI_IF_##dtypes(GI_CASE(name, gi_cuda_map2<GI_X(name), GI_X(name), GI_MAKES_##result(name), GI_OP(name)>))
#define GA_TERNARY(name, dtypes, result, ...)                                                                           \
    GI_IF_##dtypes(GI_CASE(name, gi_cuda_map3<GI_X(name), GI_X(name), GI_X(name), GI_MAKES_##result(name), GI_OP(name)>))
#define GA_ELEMENTARY(name, dtypes, ...)  GI_IF_##dtypes(GI_CASE(name, gi_cuda_map1<GA_T, GA_T, GI_OP(name)>))
#define GA_ELEMENTARY2(name, dtypes, ...) GI_IF_##dtypes(GI_CASE(name, gi_cuda_map2<GA_T, GA_T, GA_T, GI_OP(name)>))
/* clang-format on */
static gi_cuda_kernel GI_NAME(gi_cuda_row)(ga_op op)
{
    switch (op) {
#define GA_TABLE
#include "../rows/table.h"
    default: return NULL;
    }
}
/* clang-format off */
/* Reductions: the formulas of a row, and the kernels that fold with them. */
#define GI_RED(name, what) GI_NAME(gi_cuda_##what##_##name)
#define GI_FOLD_NAMES(name) GI_RED(name, of), GI_RED(name, join), GI_RED(name, end)
#define GA_FOLD(name, dtypes, acc, result, start, of_x, join_ab, end_an, ...)                                      \
    GI_IF_##dtypes(GI_DEVICE GI_NAME(gi_acc_##acc) GI_RED(name, of)(GA_T x) { return (of_x); }                          \
    GI_DEVICE GI_NAME(gi_acc_##acc) GI_RED(name, join)(GI_NAME(gi_acc_##acc) a, GI_NAME(gi_acc_##acc) b)                \
    { return (join_ab); }                                                                                              \
    GI_DEVICE GI_NAME(gi_acc_##acc) GI_RED(name, end)(GI_NAME(gi_acc_##acc) a, int64_t n) { return (void)n, (end_an); })
#define GA_TABLE
#include "../rows/table.h"

/* Products of what is narrower than its accumulator are rare, but for float32: converted before. */
#define GI_STAMPED(name, A)                                                                                             \
    ((GA_OP_##name != GA_OP_prod && GA_OP_##name != GA_OP_nanprod) || sizeof(A) == sizeof(GA_T) ||                      \
     (GA_OP_##name == GA_OP_prod && GI_CLASS == 3))
#if GI_CLASS == 0 /* as uint8 */
#define GI_KERNELS_ALL(name, A) return false
#else
#define GI_KERNELS_ALL(name, A)                                                                                         \
    f->kernel = gi_cuda_fold_if<GI_STAMPED(name, A), gi_cuda_row_fold<GA_T, A, GI_FOLD_NAMES(name)>>()
#endif
#define GI_KERNELS_FLTC  GI_KERNELS_ALL
#define GI_KERNELS_FLT   GI_KERNELS_ALL
#define GI_KERNELS_ARITH GI_KERNELS_ALL
#define GI_KERNELS_REAL  GI_KERNELS_ALL
#define GI_KERNELS_ORDER GI_KERNELS_ALL
#define GI_KERNELS_INT   GI_KERNELS_ALL
#define GI_KERNELS_BITS  GI_KERNELS_ALL
#define GI_KERNELS_CPX   GI_KERNELS_ALL
#define GI_KERNELS_TRUTH(name, A)                                                                                       \
    f->truth = gi_cuda_truth_kernel<A, GI_FOLD_NAMES(name)>;                                                            \
    f->again = gi_cuda_fold<gi_cuda_row_fold<A, A, gi_same<A>, GI_RED(name, join), GI_RED(name, end)>>
#define GA_FOLD(name, dtypes, acc, ...)                                                                            \
    GI_IF_##dtypes(case GA_OP_##name: f->accs = gi_cuda_dtype_of<GI_NAME(gi_acc_##acc)>::dtype;                                     \
    GI_KERNELS_##dtypes(name, GI_NAME(gi_acc_##acc)); return true;)
static bool GI_NAME(gi_cuda_find_fold)(ga_op op, gi_cuda_row_folds *f)
{
    switch (op) {
#define GA_TABLE
#include "../rows/table.h"
    default: return (void)f, false;
    }
}
/* clang-format on */
#undef GI_RED
#undef GI_FOLD_NAMES
#undef GI_STAMPED
#undef GI_KERNELS_ALL
#undef GI_KERNELS_FLTC
#undef GI_KERNELS_FLT
#undef GI_KERNELS_ARITH
#undef GI_KERNELS_REAL
#undef GI_KERNELS_ORDER
#undef GI_KERNELS_INT
#undef GI_KERNELS_BITS
#undef GI_KERNELS_CPX
#undef GI_KERNELS_TRUTH
#undef GI_CASE
#undef GI_OP
#undef GI_X
#undef GI_MAKES_SAME
#undef GI_MAKES_BOOL
#undef GI_MAKES_BYTE
#undef GI_MAKES_PART
