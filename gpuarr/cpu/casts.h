/* ---- conversions: which have a loop; the others have the bits of one of these (gi_cpu_cast) ---------------------------- */
/* clang-format off */
#ifdef GPUARR_FEW_DTYPES
#define GI_UNLESS_FEW(...)
#define GI_FROM_BYTES(X)    X(U8, u8)
#define GI_FROM_TWINS_u8(X) X(BOOL, b8) X(I32, i32) X(I64, i64) /* uint8 has no twin */
#define GI_LIKE_TO_u8(X)    X(U64, i64)
#else
#define GI_UNLESS_FEW(...)  __VA_ARGS__
#define GI_FROM_BYTES(X)    X(I8, i8)
#define GI_FROM_TWINS_u8(X)
#define GI_LIKE_TO_u8(X)
#endif
#define GI_FROM_COMMON(X)  X(BOOL, b8) X(U8, u8) GI_UNLESS_FEW(X(I8, i8) X(I16, i16) X(U16, u16) X(U32, u32)) X(I32, i32) X(I64, i64) X(U64, u64)
#define GI_CASTS_TO_b8(X)   GI_FROM_BYTES(X) GI_UNLESS_FEW(X(I16, i16)) X(I32, i32) X(I64, i64) X(F32, f32) X(F64, f64)       \
                            GI_UNLESS_FEW(X(C64, c64) X(C128, c128))
#define GI_CASTS_TO_i8(X)   X(BOOL, b8) X(I16, i16) X(I32, i32) X(I64, i64) X(F32, f32) X(F64, f64)
#define GI_CASTS_TO_u8(X)   X(F32, f32) X(F64, f64) GI_FROM_TWINS_u8(X)
#define GI_CASTS_TO_i16(X)  X(BOOL, b8) X(I8, i8) X(U8, u8) X(I32, i32) X(I64, i64) X(F32, f32) X(F64, f64)
#define GI_CASTS_TO_u16(X)  X(F32, f32) X(F64, f64)
#define GI_CASTS_TO_i32(X)  X(BOOL, b8) GI_UNLESS_FEW(X(I8, i8) X(I16, i16) X(U16, u16)) X(U8, u8) X(I64, i64) X(F32, f32) X(F64, f64)
#define GI_CASTS_TO_u32(X)  X(F32, f32) X(F64, f64)
#define GI_CASTS_TO_i64(X)  X(BOOL, b8) GI_UNLESS_FEW(X(I8, i8) X(I16, i16) X(U16, u16) X(U32, u32)) X(U8, u8) X(I32, i32) X(F32, f32) X(F64, f64)
#define GI_CASTS_TO_u64(X)  X(F32, f32) X(F64, f64)
#define GI_CASTS_TO_f32(X)  GI_FROM_COMMON(X) X(F64, f64) GI_UNLESS_FEW(X(C64, c64))
#define GI_CASTS_TO_f64(X)  GI_FROM_COMMON(X) X(F32, f32) GI_UNLESS_FEW(X(C128, c128))
#define GI_CASTS_TO_c64(X)  X(F32, f32) X(C128, c128)
#define GI_CASTS_TO_c128(X) X(F64, f64) X(C64, c64)

/* Types that use another type's loop: signs make no difference where integers do not get wider. (What unsigned
   integers do not have here, they have of their twins.) */
#define GI_LIKE_TO_b8(X)    GI_UNLESS_FEW(X(U8, i8) X(U16, i16) X(U32, i32)) X(U64, i64)
#define GI_LIKE_TO_i8(X)    X(U16, i16) X(U32, i32) X(U64, i64)
#define GI_LIKE_TO_i16(X)   X(U32, i32) X(U64, i64)
#define GI_LIKE_TO_u16(X)
#define GI_LIKE_TO_i32(X)   X(U64, i64)
#define GI_LIKE_TO_u32(X)
#define GI_LIKE_TO_i64(X)
#define GI_LIKE_TO_u64(X)
#define GI_LIKE_TO_f32(X)
#define GI_LIKE_TO_f64(X)
#define GI_LIKE_TO_c64(X)
#define GI_LIKE_TO_c128(X)
/* clang-format on */
