/* clang-format off */
/* ---- >>stamp: formula x loop -> gi_add_kernel_f32_avx2 -------------------------------------------------------------- */
#if GI_HAS_TWIN /* signless rows are stamped for it */
#define GI_OWN(name)     GI_IF_SIGNLESS(name, GI_DROP, GI_KEEP)
#else
#define GI_OWN(name)     GI_KEEP
#endif
#define GI_KERNEL(name)  GI_JOIN(gi_kernel_##name, GI_JOIN(_, GI_JOIN(GI_ROW_TAG(name), GI_JOIN(_, GI_ISA))))
#define GI_KERNEL1(name) static void GI_KERNEL(name)(int64_t n, void *o, const void *x, const void *y, const void *z)
#if GI_CLASS >= 1 && GI_CLASS <= 3 /* what some rows try first */
#define GI_SHORT_OF(name)      GI_THIRD_OF(GI_SHORT_##name, GI_SHORT_WAY(name), , )
#define GI_SHORT_WAY(name)     if (GI_LOOP(gi_shortcut)(GA_OP_##name, n, o, x, y)) return;
#define GI_SHORT_fmod          ,
#define GI_SHORT_floor_divide  ,
#define GI_SHORT_remainder     ,
#if GI_CLASS < 3
#define GI_SHORT_left_shift    ,
#define GI_SHORT_right_shift   ,
#define GI_SHORT_power         ,
#endif
#else
#define GI_SHORT_OF(name)
#endif
/* Formulas that make no vectors. */
#define GI_VECTORS(name)        GI_THIRD_OF(GI_SCALAR_##name, false, true, )
#define GI_SCALAR_fmod          ,
#define GI_SCALAR_floor_divide  ,
#define GI_SCALAR_remainder     ,
#define GI_SCALAR_power         ,
#define GI_SCALAR_gcd           ,
#define GI_SCALAR_lcm           ,
#define GA_UNARY(name, dtypes, result, ...)                                                                             \
    GI_IF_##dtypes(GI_OWN(name)(GI_KERNEL1(name) { (void)y, (void)z; GI_LOOP(gi_map1_##result)(n, o, x, GI_OP(name)); }))
#define GA_BINARY(name, dtypes, result, ...)                                                                            \
    GI_IF_##dtypes(GI_OWN(name)(GI_KERNEL1(name) { (void)z; GI_SHORT_OF(name) GI_LOOP(gi_map2_##result)(n, o, x, y, GI_OP(name), GI_VECTORS(name)); }))
#define GA_TERNARY(name, dtypes, result, ...)                                                                           \
    GI_IF_##dtypes(GI_OWN(name)(GI_KERNEL1(name) { GI_LOOP(gi_map3_##result)(n, o, x, y, z, GI_OP(name)); }))
#if GI_CLASS == 3 && !defined(GI_ISA_SCALAR)
/* Computes the rare ones of m elements, one by one. AVX-512 has AVX2's functions for that, unless they are in another object. */
#if GI_ISA_BYTES == 64 && GPUARR_PART == GPUARR_ALL
#define GI_MENDS(name)          GI_JOIN(gi_mend_##name##_, GI_JOIN(GA_TAG, GI_JOIN(_, GI_ISA_LOWER)))
#define GI_MENDING(name, ...)
#else
#define GI_MENDS(name)          GI_LOOP(gi_mend_##name)
#define GI_MENDING(name, ...)   static __attribute__((noinline)) void GI_MENDS(name) __VA_ARGS__
#endif
#define GI_MENDING1(name)                                                                                               \
    GI_MENDING(name, (int64_t m, GA_T *out, const GA_T *x)                                                              \
    { GI_LOOP(gi_mend1)(m, out, x, GA_FN(name##_rare), GA_FN(name##_slow)); })
#define GI_MENDING2(name)                                                                                               \
    GI_MENDING(name, (int64_t m, GA_T *out, const GA_T *x, const GA_T *y)                                               \
    { GI_LOOP(gi_mend2)(m, out, x, y, GA_FN(name##_rare), GA_FN(name##_slow)); })
#define GA_ELEMENTARY(name, ...)                                                                                        \
    GI_MENDING1(name)                                                                                                   \
    static bool GI_LOOP(gi_core_##name)(int64_t m, GA_T *out, const GA_T *x)                                            \
    { return GI_LOOP(gi_core1)(m, out, x, GA_FN(name##_core), GA_FN(name##_rare)); }                                    \
    GI_KERNEL1(name) { (void)y, (void)z; GI_LOOP(gi_elementary1)(n, o, x, GI_LOOP(gi_core_##name), GI_MENDS(name)); }
#define GI_CORES(name)          GI_THIRD_OF(GI_CORE_##name, GI_DROP, GI_KEEP, )
#define GA_ELEMENTARY2(name, ...)                                                                                       \
    GI_MENDING2(name)                                                                                                   \
    GI_CORES(name)(static bool GI_LOOP(gi_core_##name)(int64_t m, GA_T *out, const GA_T *x, const GA_T *y)              \
    { return GI_LOOP(gi_core2)(m, out, x, y, GA_FN(name##_core), GA_FN(name##_rare)); })                                \
    GI_KERNEL1(name) { (void)z; GI_LOOP(gi_elementary2)(n, o, x, y, GI_LOOP(gi_core_##name), GI_MENDS(name)); }
#else
#define GA_ELEMENTARY(name, dtypes, ...)                                                                                \
    GI_IF_##dtypes(GI_KERNEL1(name) { (void)y, (void)z; GI_LOOP(gi_map1_SAME)(n, o, x, GI_OP(name)); })
#define GA_ELEMENTARY2(name, dtypes, ...)                                                                               \
    GI_IF_##dtypes(GI_KERNEL1(name) { (void)z; GI_SHORT_OF(name) GI_LOOP(gi_map2_SAME)(n, o, x, y, GI_OP(name), GI_VECTORS(name)); })
#endif

/* ---- reductions ------------------------------------------------------------------------------------------------------- */
/* Joining accumulators does not depend on the element type: that is stamped in the pass of the accumulator's own type. */
#define GI_ACCTAG_WIDE  GI_WIDE_TAG
#define GI_ACCTAG_MEAN  GI_MEAN_TAG
#define GI_ACCTAG_SAME  GA_TAG
#define GI_ACCTAG_BOOL  GA_TAG
#define GI_ACCTAG_COUNT GA_TAG
#define GI_OF_ACC(what, name, acc)                                                                                     \
    GI_JOIN(gi_##what##_##name, GI_JOIN(_, GI_JOIN(GI_ACCTAG_##acc, GI_JOIN(_, GI_ISA))))

/* The formulas of a row, and from them the loops of its gi_fold. */
#define GI_RED(name, what) GI_LOOP(gi_##what##_##name)
#if GI_ISA_BYTES == 64 /* these stay the lower set's, whose registers halve few accumulators sooner, but those of extremes.h */
#define GI_FOLD_ENDS(name, acc, result, end_an)
#else
#define GI_FOLD_ENDS(name, acc, result, end_an)                                                                         \
    static void GI_OF_ACC(halve, name, acc)(int64_t n, void *a);                                                        \
    GI_OWN_##acc(static void GI_OF_ACC(halve, name, acc)(int64_t n, void *a)                                            \
    { GI_LOOP(gi_halve_##acc)(n, a, GI_RED(name, both)); })                                                            \
    static void GI_RED(name, widen)(int64_t n, void *a, const void *x)                                                  \
    { GI_LOOP(gi_widen_##acc)(n, a, x, GI_RED(name, of)); }                                                             \
    static void GI_RED(name, end)(int64_t m, void *out, const void *accs, int64_t n)                                    \
    {                                                                                                                  \
        for (int64_t i = 0; i < m; i++) {                                                                              \
            const GI_NAME(gi_acc_##acc) a = ((const GI_NAME(gi_acc_##acc) *)accs)[i];                                   \
            ((GI_NAME(gi_end_##result) *)out)[i] = GI_TO_##result(end_an);                                             \
        }                                                                                                              \
        (void)n;                                                                                                       \
    }
#endif
/* Folds that stay those of the lower set: sums of bool are counts of what is not 0 (ops/rows.h), and nobody waits for products. */
#if GI_ISA_BYTES == 32 && GI_CLASS == 0
#define GI_LEAVES_sum  ,
#define GI_LEAVES_prod ,
#endif
#if GI_ISA_BYTES == 64 /* whose rows extremes.h folds */
#define GI_EXTREME_min    ,
#define GI_EXTREME_max    ,
#define GI_EXTREME_nanmin ,
#define GI_EXTREME_nanmax ,
#endif
#define GI_UNLESS_EXTREME(name) GI_THIRD_OF(GI_EXTREME_##name, GI_DROP, GI_KEEP, )
#define GI_SUMS_sum  ,
#define GI_SUMS_mean ,
#define GI_FOLDS(name) GI_THIRD_OF(GI_LEAVES_##name, GI_DROP, GI_KEEP, )
#define GI_TAKES_SOME(start) (GI_START_##start < 1 || GI_CLASS == 3) /* complex infinity times 1 is another one; integers take long */
#define GA_FOLD(name, dtypes, acc, result, start, of_x, join_ab, end_an, ...)                                     \
    GI_IF_##dtypes(GI_FOLDS(name)(static GI_INLINE GI_NAME(gi_acc_##acc) GI_RED(name, of)(GA_T x) { return (of_x); }    \
    static GI_INLINE GI_NAME(gi_acc_##acc) GI_RED(name, both)(GI_NAME(gi_acc_##acc) a, GI_NAME(gi_acc_##acc) b)         \
    { return (join_ab); }                                                                                              \
    static void GI_OF_ACC(join, name, acc)(int64_t n, void *a, const void *b);                                         \
    GI_OWN_##acc(static void GI_OF_ACC(join, name, acc)(int64_t n, void *a, const void *b)                              \
    { GI_LOOP(gi_join_##acc)(n, a, b, GI_RED(name, both)); })                                                          \
    GI_UNLESS_EXTREME(name)(static void GI_RED(name, rows)(int64_t n, void *a, const void *const *rows, int count)      \
    { GI_LOOP(gi_rows_##acc)(n, a, rows, count, GI_START_##start, GI_RED(name, of), GI_RED(name, both), \
                              GI_RED(name, rows), GI_THIRD_OF(GI_SUMS_##name, true, false, )); })                        \
    GI_FOLD_ENDS(name, acc, result, end_an)))
#define GA_TABLE
#include "../rows/table.h"

/* ---- >>find: the kernel or the fold of an operation for this type; false if the row does not have it ------------------ */
#define GI_EXACT_WIDE  true
#define GI_EXACT_SAME  true
#define GI_EXACT_BOOL  true
#define GI_EXACT_COUNT true
#define GI_EXACT_MEAN  false
#if GI_ISA_BYTES == 64
#define GI_FILL_ENDS(name, acc, start) GI_LOWER_FOLD(name);
#else
#define GI_FILL_ENDS(name, acc, start)                                                                                  \
    fold->takes_some = GI_TAKES_SOME(start); fold->any_order = GI_CLASS < 3 && GI_EXACT_##acc;                     \
    fold->acc_bytes = (int)sizeof(GI_NAME(gi_acc_##acc)); fold->widen = GI_RED(name, widen);                                                               \
    fold->halve = GI_OF_ACC(halve, name, acc); fold->end = GI_RED(name, end);
#endif
#define GI_FILL_FOLD(name, acc, start)                                                                                  \
    GI_FILL_ENDS(name, acc, start)                                                                                      \
    GI_UNLESS_EXTREME(name)(fold->rows = GI_RED(name, rows);) fold->join = GI_OF_ACC(join, name, acc);
#define GI_LOWER_FOLD(name) GI_LOWER(find)(GA_OP_##name, sizeof(GA_T) == 4 ? GA_F32 : GA_F64, kernel, fold)
#define GI_ROW_CASE(name, dtypes)         GI_IF_##dtypes(case GA_OP_##name: *kernel = GI_KERNEL(name); return true;)
#define GA_UNARY(name, dtypes, ...)       GI_ROW_CASE(name, dtypes)
#define GA_BINARY(name, dtypes, ...)      GI_ROW_CASE(name, dtypes)
#define GA_TERNARY(name, dtypes, ...)     GI_ROW_CASE(name, dtypes)
#define GA_ELEMENTARY(name, dtypes, ...)  GI_ROW_CASE(name, dtypes)
#define GA_ELEMENTARY2(name, dtypes, ...) GI_ROW_CASE(name, dtypes)
#define GA_FOLD(name, dtypes, acc, result, start, ...) GI_IF_##dtypes(GI_FOLDS(name)(case GA_OP_##name: GI_FILL_FOLD(name, acc, start) return true;))
static bool GI_LOOP(gi_find)(ga_op op, gi_kernel *kernel, gi_fold *fold)
{
    switch (op) {
#define GA_TABLE
#include "../rows/table.h"
    default: return false;
    }
}
#undef GI_ROW_CASE
#undef GI_LOWER_FOLD

#ifdef GPUARR_STATIC /* and each row apart (rows.h), so that those that the program does not use vanish */
#if !defined(__clang__) /* gcc reads the options anew for each function */
#pragma GCC push_options
#pragma GCC reset_options
#endif
#define GI_LOWER_FOLD(name) GI_JOIN(gi_has_##name, GI_JOIN(_, GI_JOIN(GA_TAG, GI_JOIN(_, GI_ISA_LOWER))))(kernel, fold)
#define GI_CASE(name, ...)                                                                                              \
    static GI_INLINE bool GI_LOOP(gi_has_##name)(gi_kernel *kernel, gi_fold *fold) { (void)kernel, (void)fold; __VA_ARGS__ return false; }
#define GI_ROW_CASE(name, dtypes)         GI_CASE(name, GI_IF_##dtypes(*kernel = GI_KERNEL(name); return true;))
#define GA_UNARY(name, dtypes, ...)       GI_ROW_CASE(name, dtypes)
#define GA_BINARY(name, dtypes, ...)      GI_ROW_CASE(name, dtypes)
#define GA_TERNARY(name, dtypes, ...)     GI_ROW_CASE(name, dtypes)
#define GA_ELEMENTARY(name, dtypes, ...)  GI_ROW_CASE(name, dtypes)
#define GA_ELEMENTARY2(name, dtypes, ...) GI_ROW_CASE(name, dtypes)
#define GA_FOLD(name, dtypes, acc, result, start, ...) GI_CASE(name, GI_IF_##dtypes(GI_FOLDS(name)(GI_FILL_FOLD(name, acc, start) return true;)))
#define GA_TABLE
#include "../rows/table.h"
#undef GI_ROW_CASE
#undef GI_CASE
#undef GI_LOWER_FOLD
#if !defined(__clang__)
#pragma GCC pop_options
#endif
#endif
#undef GI_FOLD_ENDS
#undef GI_FILL_ENDS
#undef GI_FILL_FOLD
#undef GI_EXACT_WIDE
#undef GI_EXACT_SAME
#undef GI_EXACT_BOOL
#undef GI_EXACT_COUNT
#undef GI_EXACT_MEAN
#undef GI_TAKES_SOME
#undef GI_FOLDS
#undef GI_SUMS_sum
#undef GI_SUMS_mean
#undef GI_LEAVES_sum
#undef GI_LEAVES_prod
#undef GI_EXTREME_min
#undef GI_EXTREME_max
#undef GI_EXTREME_nanmin
#undef GI_EXTREME_nanmax
#undef GI_UNLESS_EXTREME
#undef GI_OWN
#undef GI_SHORT_OF
#undef GI_VECTORS
#undef GI_SCALAR_fmod
#undef GI_SCALAR_floor_divide
#undef GI_SCALAR_remainder
#undef GI_SCALAR_power
#undef GI_SCALAR_gcd
#undef GI_SCALAR_lcm
#undef GI_CORES
#undef GI_MENDS
#undef GI_MENDING
#undef GI_MENDING1
#undef GI_MENDING2
#undef GI_SHORT_WAY
#undef GI_SHORT_fmod
#undef GI_SHORT_floor_divide
#undef GI_SHORT_remainder
#undef GI_SHORT_left_shift
#undef GI_SHORT_right_shift
#undef GI_SHORT_power
#undef GI_KERNEL
#undef GI_KERNEL1
#undef GI_RED
#undef GI_OF_ACC
#undef GI_ACCTAG_WIDE
#undef GI_ACCTAG_MEAN
#undef GI_ACCTAG_SAME
#undef GI_ACCTAG_BOOL
#undef GI_ACCTAG_COUNT

/* Conversions to this type (casts.h). */
#define GI_CAST(TAG, from)                                                                                              \
    static void GI_LOOP(gi_cast_##from)(int64_t n, void *o, const void *x_)                                             \
    {                                                                                                                  \
        GA_T             *out = (GA_T *)o;                                                                             \
        const gi_stored_##from *x = (const gi_stored_##from *)x_;                                                                  \
        const int64_t whole = GI_IN_VECTORS(n, sizeof *x < sizeof *out ? sizeof *x : sizeof *out);                           \
        GI_VECTORIZE                                                                                                   \
        for (int64_t i = 0; i < whole; i++) out[i] = GI_JOIN(GA_FN(cast), _##from)(x[i]);                              \
        for (int64_t i = whole; i < n; i++) { GI_ONE_BY_ONE out[i] = GI_JOIN(GA_FN(cast), _##from)(x[i]); }                 \
    }
GI_JOIN(GI_CASTS_TO_, GA_TAG)(GI_CAST)
#undef GI_CAST
#define GI_CAST(TAG, from)                                                                                              \
    case GA_##TAG: return GI_LOOP(gi_cast_##from);
static gi_cast_kernel GI_LOOP(gi_cast)(ga_dtype from)
{
    switch (from) {
        GI_JOIN(GI_CASTS_TO_, GA_TAG)(GI_CAST)
        GI_JOIN(GI_LIKE_TO_, GA_TAG)(GI_CAST)
#if GI_HAS_TWIN
    default: return GI_JOIN(gi_cast_, GI_JOIN(GI_TWIN, GI_JOIN(_, GI_ISA)))(from);
#else
    default: return NULL;
#endif
    }
}
#undef GI_CAST

/* clang-format on */
