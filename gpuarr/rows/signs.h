/* ---- signed and unsigned integers that share their loops and CUDA kernels ---------------------------------------------- */
/* The rows that make the same bits of both. The loops of unsigned integers are then those of the signed ones, their twins.
   (Not sums: shared, they were up to 14 % slower over short lines.) */
#define GI_SIGNLESS_negative     ,
#define GI_SIGNLESS_square       ,
#define GI_SIGNLESS_imag         ,
#define GI_SIGNLESS_invert       ,
#define GI_SIGNLESS_add          ,
#define GI_SIGNLESS_subtract     ,
#define GI_SIGNLESS_multiply     ,
#define GI_SIGNLESS_bitwise_and  ,
#define GI_SIGNLESS_bitwise_or   ,
#define GI_SIGNLESS_bitwise_xor  ,
#define GI_SIGNLESS_left_shift   ,
#define GI_SIGNLESS_equal        ,
#define GI_SIGNLESS_not_equal    ,
#define GI_SIGNLESS_multiply_add ,
/* GI_IF_SIGNLESS(add, a, b) is a, GI_IF_SIGNLESS(less, a, b) is b. */
#define GI_IF_SIGNLESS(name, yes, no) GI_THIRD_OF(GI_SIGNLESS_##name, yes, no, )
#define GI_THIRD_OF(...)              GI_THIRD(__VA_ARGS__)
#define GI_THIRD(a, b, c, ...)        c

/* Is there a twin? And which: of all other types, themselves. */
#define GI_HAS_TWIN GI_JOIN(GI_HAS_TWIN_, GA_TAG)
#define GI_TWIN     GI_JOIN(GI_TWIN_, GA_TAG)
#ifdef GPUARR_FEW_DTYPES
#define GI_HAS_TWIN_u8 0
#define GI_TWIN_u8     u8
#else
#define GI_HAS_TWIN_u8 1
#define GI_TWIN_u8     i8
#endif
#define GI_HAS_TWIN_u16  1
#define GI_HAS_TWIN_u32  1
#define GI_HAS_TWIN_u64  1
#define GI_HAS_TWIN_b8   0
#define GI_HAS_TWIN_i8   0
#define GI_HAS_TWIN_i16  0
#define GI_HAS_TWIN_i32  0
#define GI_HAS_TWIN_i64  0
#define GI_HAS_TWIN_f32  0
#define GI_HAS_TWIN_f64  0
#define GI_HAS_TWIN_c64  0
#define GI_HAS_TWIN_c128 0
#define GI_TWIN_u16      i16
#define GI_TWIN_u32      i32
#define GI_TWIN_u64      i64
#define GI_TWIN_b8       b8
#define GI_TWIN_i8       i8
#define GI_TWIN_i16      i16
#define GI_TWIN_i32      i32
#define GI_TWIN_i64      i64
#define GI_TWIN_f32      f32
#define GI_TWIN_f64      f64
#define GI_TWIN_c64      c64
#define GI_TWIN_c128     c128
/* The type whose loop a row has for GA_TAG. */
#define GI_ROW_TAG(name) GI_IF_SIGNLESS(name, GI_TWIN, GA_TAG)
#define GI_KEEP(...)     __VA_ARGS__
#define GI_DROP(...)
