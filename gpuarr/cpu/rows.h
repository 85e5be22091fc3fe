/* ---- what this instruction set has of each row, apart from all others: gi_row_add_avx2 (GPUARR_STATIC) ------------------- */
/* clang-format off */
#define GI_TRY(name, TAG, tag)    case GA_##TAG: found = GI_FIND(gi_has_##name##_##tag)(kernel, fold); break;
#define GI_TRY_FLT(name) GI_TRY(name, F32, f32) GI_TRY(name, F64, f64)
#if !GI_ISA_INTEGERS
#define GI_TRY_EACH(name) GI_TRY_FLT(name)
#define GI_TRY_WIDE(name) GI_TRY(name, F64, f64)
#define GI_TRY_WIDE_FOLD(name) GI_TRY_WIDE(name)
#elif defined(GPUARR_FEW_DTYPES)
#define GI_TRY_WIDE(name) GI_TRY(name, F64, f64)
#define GI_TRY_WIDE_FOLD(name) GI_TRY(name, BOOL, b8) GI_TRY_WIDE(name)
#define GI_TRY_EACH(name)                                                                                              \
    GI_TRY(name, BOOL, b8) GI_TRY(name, U8, u8) GI_TRY(name, I32, i32) GI_TRY(name, I64, i64) GI_TRY(name, U64, u64) GI_TRY_FLT(name)
#else
#define GI_TRY_WIDE(name) GI_TRY(name, F64, f64) GI_TRY(name, C128, c128)
#define GI_TRY_WIDE_FOLD(name) GI_TRY(name, BOOL, b8) GI_TRY_WIDE(name)
#define GI_TRY_EACH(name)                                                                                              \
    GI_TRY(name, BOOL, b8) GI_TRY(name, I8, i8) GI_TRY(name, U8, u8) GI_TRY(name, I16, i16) GI_TRY(name, U16, u16)     \
    GI_TRY(name, I32, i32) GI_TRY(name, U32, u32) GI_TRY(name, I64, i64) GI_TRY(name, U64, u64) GI_TRY_FLT(name)       \
    GI_TRY(name, C64, c64) GI_TRY(name, C128, c128)
#endif
#define GI_FIND_ROW(name, wide_dtypes) GI_FIND_ROW_IN(row, name, GI_TRY_EACH) GI_FIND_ROW_IN(wide, name, wide_dtypes)
#define GI_FIND_ROW_IN(in, name, each)                                                                                 \
    static bool GI_FIND(gi_##in##_##name)(ga_dtype dtype, gi_kernel *kernel, gi_fold *fold)                            \
    {                                                                                                                  \
        bool found = false;                                                                                            \
        switch (dtype) {                                                                                               \
            each(name)                                                                                                 \
        default: break;                                                                                                \
        }                                                                                                              \
        found = found || GI_OR_LOWER(false, in##_##name, dtype, kernel, fold);                                          \
        if (found) GI_FIND(gi_find_quicker)(GA_OP_##name, dtype, kernel, fold);                                        \
        return found;                                                                                                  \
    }
#define GA_UNARY(name, ...)       GI_FIND_ROW(name, GI_TRY_WIDE)
#define GA_ELEMENTARY(name, ...)  GI_FIND_ROW(name, GI_TRY_WIDE)
#define GA_BINARY(name, ...)      GI_FIND_ROW(name, GI_TRY_WIDE)
#define GA_ELEMENTARY2(name, ...) GI_FIND_ROW(name, GI_TRY_WIDE)
#define GA_TERNARY(name, ...)     GI_FIND_ROW(name, GI_TRY_WIDE)
#define GA_FOLD(name, ...)        GI_FIND_ROW(name, GI_TRY_WIDE_FOLD)
#define GA_TABLE
#include "../rows/table.h"
#undef GI_TRY
#undef GI_TRY_FLT
#undef GI_TRY_EACH
#undef GI_TRY_WIDE
#undef GI_TRY_WIDE_FOLD
#undef GI_FIND_ROW
#undef GI_FIND_ROW_IN
/* clang-format on */
