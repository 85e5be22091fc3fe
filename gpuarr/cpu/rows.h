/* ---- what this instruction set has of each row, apart from all others: gi_in_row_add_avx2 (GPUARR_STATIC) ---------------- */
/*  For calls, and for formulas, which may name every row: of those the dtypes of GPUARR_EVAL_DTYPES alone.                        */

/* clang-format off */
#define GI_TRY(in, name, TAG, tag)                                                                                     \
    case GA_##TAG: if (GI_TAKES_##in(GA_##TAG)) found = GI_FIND(gi_has_##name##_##tag)(kernel, fold); break;
#define GI_TAKES_row(dtype)     true
#define GI_TAKES_formula(dtype) (GI_FORMULA_DTYPES >> (int)dtype & 1)
#define GI_TRY_FLT(in, name) GI_TRY(in, name, F32, f32) GI_TRY(in, name, F64, f64)
#if !GI_ISA_INTEGERS
#define GI_TRY_EACH(in, name) GI_TRY_FLT(in, name)
#elif defined(GPUARR_FEW_DTYPES)
#define GI_TRY_EACH(in, name)                                                                                              \
    GI_TRY(in, name, BOOL, b8) GI_TRY(in, name, U8, u8) GI_TRY(in, name, I32, i32) GI_TRY(in, name, I64, i64) GI_TRY(in, name, U64, u64) GI_TRY_FLT(in, name)
#else
#define GI_TRY_EACH(in, name)                                                                                              \
    GI_TRY(in, name, BOOL, b8) GI_TRY(in, name, I8, i8) GI_TRY(in, name, U8, u8) GI_TRY(in, name, I16, i16) GI_TRY(in, name, U16, u16)     \
    GI_TRY(in, name, I32, i32) GI_TRY(in, name, U32, u32) GI_TRY(in, name, I64, i64) GI_TRY(in, name, U64, u64) GI_TRY_FLT(in, name)       \
    GI_TRY(in, name, C64, c64) GI_TRY(in, name, C128, c128)
#endif
#define GI_FIND_IN_SET(in, name)                                                                                       \
    static bool GI_FIND(gi_in_##in##_##name)(ga_dtype dtype, gi_kernel *kernel, gi_fold *fold)                         \
    {                                                                                                                  \
        bool found = false;                                                                                            \
        switch (dtype) {                                                                                               \
            GI_TRY_EACH(in, name)                                                                                      \
        default: break;                                                                                                \
        }                                                                                                              \
        return found || GI_OR_LOWER(false, in_##in##_##name, dtype, kernel, fold);                                     \
    }
#define GI_FIND_ROW(name) GI_FIND_IN_SET(row, name) GI_FIND_IN_SET(formula, name)
#define GA_UNARY(name, ...)       GI_FIND_ROW(name)
#define GA_ELEMENTARY(name, ...)  GI_FIND_ROW(name)
#define GA_BINARY(name, ...)      GI_FIND_ROW(name)
#define GA_ELEMENTARY2(name, ...) GI_FIND_ROW(name)
#define GA_TERNARY(name, ...)     GI_FIND_ROW(name)
#define GA_FOLD(name, ...)        GI_FIND_ROW(name)
#define GA_TABLE
#include "../rows/table.h"
#undef GI_TRY
#undef GI_TRY_FLT
#undef GI_TRY_EACH
#undef GI_FIND_ROW
#undef GI_FIND_IN_SET
#undef GI_TAKES_row
#undef GI_TAKES_formula
/* clang-format on */
