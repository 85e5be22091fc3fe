/* ---- facts about the types that the preprocessor can use ----------------------------------------------------------- */
/* clang-format off */
#define GI_TYPE(TAG, tag, T, name) typedef T gi_##tag;
GI_EACH_DTYPE(GI_TYPE)
#undef GI_TYPE
/* An element as it is read from memory. Any byte but 0 is true, as in NumPy; C knows only the bool that it wrote, 0 or 1. A formula
   that takes a bool makes one of the byte: x != 0. */
#define GI_STORED GI_JOIN(gi_stored_, GA_TAG)
#define GI_TYPE(TAG, tag, T, name) typedef T gi_stored_##tag;
GI_EACH_INT(GI_TYPE) GI_EACH_FLT(GI_TYPE) GI_EACH_COMPLEX(GI_TYPE)
#undef GI_TYPE
typedef unsigned char gi_stored_b8;
/* What `rare` returns: an integer as wide as the element, so that the loop over it vectorises. */
#define GI_FLAG     GI_JOIN(GI_FLAG_, GA_TAG)
#define GI_FLAG_f32 uint32_t
#define GI_FLAG_f64 uint64_t
#define GI_CLASS GI_JOIN(GI_CLASS_, GA_TAG) /* 0 bool, 1 signed, 2 unsigned, 3 float, 4 complex */
#define GI_CLASS_b8   0
#define GI_CLASS_i8   1
#define GI_CLASS_i16  1
#define GI_CLASS_i32  1
#define GI_CLASS_i64  1
#define GI_CLASS_u8   2
#define GI_CLASS_u16  2
#define GI_CLASS_u32  2
#define GI_CLASS_u64  2
#define GI_CLASS_f32  3
#define GI_CLASS_f64  3
#define GI_CLASS_c64  4
#define GI_CLASS_c128 4
#define GI_RTAG_b8   b8
#define GI_RTAG_i8   i8
#define GI_RTAG_i16  i16
#define GI_RTAG_i32  i32
#define GI_RTAG_i64  i64
#define GI_RTAG_u8   u8
#define GI_RTAG_u16  u16
#define GI_RTAG_u32  u32
#define GI_RTAG_u64  u64
#define GI_RTAG_f32  f32
#define GI_RTAG_f64  f64
#define GI_RTAG_c64  f32
#define GI_RTAG_c128 f64
#define GI_WIDE_b8   i64
#define GI_WIDE_i8   i64
#define GI_WIDE_i16  i64
#define GI_WIDE_i32  i64
#define GI_WIDE_i64  i64
#define GI_WIDE_u8   u64
#define GI_WIDE_u16  u64
#define GI_WIDE_u32  u64
#define GI_WIDE_u64  u64
#define GI_WIDE_f32  f64
#define GI_WIDE_f64  f64
#define GI_WIDE_c64  c128
#define GI_WIDE_c128 c128
#define GI_MEAN_b8   f64
#define GI_MEAN_i8   f64
#define GI_MEAN_i16  f64
#define GI_MEAN_i32  f64
#define GI_MEAN_i64  f64
#define GI_MEAN_u8   f64
#define GI_MEAN_u16  f64
#define GI_MEAN_u32  f64
#define GI_MEAN_u64  f64
#define GI_MEAN_f32  f64
#define GI_MEAN_f64  f64
#define GI_MEAN_c64  c128
#define GI_MEAN_c128 c128
#define GI_SUM_b8        i64
#define GI_SUM_i8        i64
#define GI_SUM_i16       i64
#define GI_SUM_i32       i64
#define GI_SUM_i64       i64
#define GI_SUM_u8        u64
#define GI_SUM_u16       u64
#define GI_SUM_u32       u64
#define GI_SUM_u64       u64
#define GI_SUM_f32       f32
#define GI_SUM_f64       f64
#define GI_SUM_c64       c64
#define GI_SUM_c128      c128
#define GI_AVERAGE_b8    f64
#define GI_AVERAGE_i8    f64
#define GI_AVERAGE_i16   f64
#define GI_AVERAGE_i32   f64
#define GI_AVERAGE_i64   f64
#define GI_AVERAGE_u8    f64
#define GI_AVERAGE_u16   f64
#define GI_AVERAGE_u32   f64
#define GI_AVERAGE_u64   f64
#define GI_AVERAGE_f32   f32
#define GI_AVERAGE_f64   f64
#define GI_AVERAGE_c64   c64
#define GI_AVERAGE_c128  c128
/* Is it a type that matrix products are made in? Smaller integers are widened, complex numbers are pairs. */
#define GI_DENSE GI_JOIN(GI_DENSE_, GA_TAG)
#define GI_DENSE_i32 GI_ISA_INTEGERS
#define GI_DENSE_i64 GI_ISA_INTEGERS
#define GI_DENSE_f32 1
#define GI_DENSE_f64 1
#define GI_DENSE_b8   0
#define GI_DENSE_i8   0
#define GI_DENSE_u8   0
#define GI_DENSE_i16  0
#define GI_DENSE_u16  0
#define GI_DENSE_u32  0
#define GI_DENSE_u64  0
#define GI_DENSE_c64  0
#define GI_DENSE_c128 0
/* Is it a type that sums are made in? */
#define GI_WIDEST_b8   0
#define GI_WIDEST_i8   0
#define GI_WIDEST_i16  0
#define GI_WIDEST_i32  0
#define GI_WIDEST_i64  1
#define GI_WIDEST_u8   0
#define GI_WIDEST_u16  0
#define GI_WIDEST_u32  0
#define GI_WIDEST_u64  1
#define GI_WIDEST_f32  0
#define GI_WIDEST_f64  1
#define GI_WIDEST_c64  0
#define GI_WIDEST_c128 1
#define gi_lowest_i8   INT8_MIN
#define gi_lowest_i16  INT16_MIN
#define gi_lowest_i32  INT32_MIN
#define gi_lowest_i64  INT64_MIN
#define gi_lowest_u8   0
#define gi_lowest_u16  0
#define gi_lowest_u32  0
#define gi_lowest_u64  0
#define gi_highest_i8  INT8_MAX
#define gi_highest_i16 INT16_MAX
#define gi_highest_i32 INT32_MAX
#define gi_highest_i64 INT64_MAX
#define gi_highest_u8  UINT8_MAX
#define gi_highest_u16 UINT16_MAX
#define gi_highest_u32 UINT32_MAX
#define gi_highest_u64 UINT64_MAX
/* clang-format on */
typedef uint32_t gi_wrap_i8, gi_wrap_i16, gi_wrap_i32, gi_wrap_u8, gi_wrap_u16, gi_wrap_u32;
typedef uint64_t gi_wrap_i64, gi_wrap_u64;
typedef float    gi_wrap_f32; /* floats do not wrap: what stands in their place where loops serve both */
typedef double   gi_wrap_f64;

#define GI_SUFFIX_f32 f
#define GI_SUFFIX_f64
#define GI_BUILTIN(name) GI_JOIN(__builtin_##name, GI_JOIN(GI_SUFFIX_, GA_TAG))

/* ---- the vocabulary of the table ----------------------------------------------------------------------------------- */
#define GI_NAME(stem)      GI_JOIN(stem, GI_JOIN(_, GA_TAG))
#define GA_T               GI_JOIN(gi_, GA_TAG)
#define GI_R               GI_JOIN(gi_, GI_JOIN(GI_RTAG_, GA_TAG)) /* the type of the real part */
#define GA_FN(name)        GI_NAME(gi_##name)
#define GA_ADD(a, b)       GA_FN(add)(a, b)
#define GA_SUB(a, b)       GA_FN(sub)(a, b)
#define GA_MUL(a, b)       GA_FN(mul)(a, b)
#define GA_DIV(a, b)       GA_FN(div)(a, b)
#define GA_NEG(a)          GA_FN(neg)(a)
#define GA_FMA(a, b, c)    GA_FN(fma)(a, b, c)
#define GI_WIDE_TAG        GI_JOIN(GI_WIDE_, GA_TAG)
#define GI_MEAN_TAG        GI_JOIN(GI_MEAN_, GA_TAG)
#define GI_CAST_NAME(to)   GI_JOIN(gi_cast_, GI_JOIN(to, GI_JOIN(_, GA_TAG)))
#define GA_WIDEN(x)        GI_CAST_NAME(GI_WIDE_TAG)(x)
#define GA_WIDE_ADD(a, b)  GI_JOIN(gi_add_, GI_WIDE_TAG)(a, b)
#define GA_WIDE_MUL(a, b)  GI_JOIN(gi_mul_, GI_WIDE_TAG)(a, b)
#define GA_MEAN_OF(x)      GI_CAST_NAME(GI_MEAN_TAG)(x)
#define GA_MEAN_ADD(a, b)  GI_JOIN(gi_add_, GI_MEAN_TAG)(a, b)
#define GA_MEAN_OVER(a, n) GI_JOIN(gi_over_, GI_MEAN_TAG)(a, n)
#define GI_SUM_TAG         GI_JOIN(GI_SUM_, GA_TAG)
#define GI_AVERAGE_TAG     GI_JOIN(GI_AVERAGE_, GA_TAG)
#define GI_TO_SUM(v)       GI_JOIN(gi_cast_, GI_JOIN(GI_SUM_TAG, GI_JOIN(_, GI_WIDE_TAG)))(v)
#define GI_TO_AVERAGE(v)   GI_JOIN(gi_cast_, GI_JOIN(GI_AVERAGE_TAG, GI_JOIN(_, GI_MEAN_TAG)))(v)
#define GI_TO_SAME(v)      (v)
#define GI_TO_BOOL(v)      (v)
#define GI_TO_COUNT(v)     (v)
#define GI_RESULT_SAME     GA_T
#define GI_RESULT_BOOL     bool
#define GI_RESULT_BYTE     uint8_t
#define GI_RESULT_PART     GI_R
