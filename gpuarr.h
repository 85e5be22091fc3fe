/*  gpuarr.h -- arrays for C, on the CPU and on CUDA, from one definition.

    In ONE source file of your program:          In every other file:
        #define GPUARR_IMPLEMENTATION                #include "gpuarr.h"
        #include "gpuarr.h"

    Build:   cc main.c -lm -lpthread             (gcc or clang, C11 and later, or C++20; no other flag is needed)
    Optional libraries, found by __has_include and named in the error when a call needs one that is missing:
             stb_image_write.h (PNG)   fitsio.h (FITS, link -lcfitsio)   cblas.h (link -lblas)

    What a person needs to remember
      * Names, defaults and results are NumPy's and SciPy's, with ga_ in front. Where they differ, the README says so.
      * Shapes are written as in NumPy, in parentheses: ga_zeros((300, 600, 3)). The default dtype is float64.
      * Options are named, in any number: ga_sum(a, .axis = 0, .keepdims = true). In C++ in the order of their declaration.
      * Operands are arrays or plain C numbers: ga_add(a, 2). A number adopts the dtype of the array.
      * Views share memory: ga_index(a, "::2, -1") costs nothing. Free each array, or let ga_scope { ... } do it.
      * Nothing aborts. A failed call returns NULL, NULL in gives NULL out, the first error is kept as a sentence: ga_error().

    Find your way with a search for ">>":
        >>table  >>dtypes  >>array  >>errors  >>memory  >>creation  >>views  >>elementwise  >>reductions
        >>rearranging  >>images  >>files  >>timing  >>front
    and, behind GPUARR_IMPLEMENTATION:
        >>primitives  >>formulas  >>runtime  ...
    Names with gi_ or GI_ are internal.                                                                               */

/* ==== >>table: the only place where an operation is defined ======================================================= */
/*  To walk the table: define the row macros that you care for, then GA_TABLE, then include this file.

    A formula is an expression of x, y and z, all of the element type T. So that it means the same for every T, every
    compiler and the GPU, sums and products are written GA_ADD(x, y), GA_SUB, GA_MUL, GA_DIV (integers wrap, complex
    numbers work, nothing is fused behind your back); GA_FMA(x, y, z) is the fused one. GA_FN(name)(x) calls the function
    gi_name_T of section >>primitives.

    dtypes:  ALL every dtype . ARITH all but bool . REAL integers and floats . ORDER bool, integers, floats
             INT integers . BITS bool and integers . FLT float32, float64 . FLTC floats and complex . TRUTH all, as bool
             A smaller dtype is promoted to the first one of the row that holds it, as NumPy does (no float16).
    result:  SAME the element type . BOOL . PART the real type of a complex one
    An ELEMENTARY row has three functions in place of a formula: gi_name_core_T (fast, vectorised), gi_name_rare_T
    (where the core must not be trusted) and gi_name_slow_T (right there).                                            */
#ifdef GA_TABLE
#ifndef GA_UNARY
#define GA_UNARY(...)
#endif
#ifndef GA_BINARY
#define GA_BINARY(...)
#endif
#ifndef GA_TERNARY
#define GA_TERNARY(...)
#endif
#ifndef GA_ELEMENTARY
#define GA_ELEMENTARY(...)
#endif
#ifndef GA_ELEMENTARY2
#define GA_ELEMENTARY2(...)
#endif
#ifndef GA_REDUCTION
#define GA_REDUCTION(...)
#endif
/* clang-format off */
/*              name         dtypes result formula of x                    example       what it computes                     */
GA_UNARY(       positive,     ARITH, SAME, x,                              (2, 2),       "x itself"                           )
GA_UNARY(       negative,     ARITH, SAME, GA_NEG(x),                      (2, -2),      "-x"                                 )
GA_UNARY(       absolute,     ALL,   PART, GA_FN(abs)(x),                  (-2, 2),      "absolute value, length if complex"  )
GA_UNARY(       sign,         ARITH, SAME, GA_FN(sign)(x),                 (-2, -1),     "-1, 0 or 1; x / |x| if complex"     )
GA_UNARY(       square,       ARITH, SAME, GA_MUL(x, x),                   (3, 9),       "x * x"                              )
GA_UNARY(       reciprocal,   ARITH, SAME, GA_FN(reciprocal)(x),           (1, 1),       "1 / x"                              )
GA_UNARY(       sqrt,         FLT,   SAME, GA_FN(sqrt)(x),                 (9, 3),       "square root, NaN for x < 0"         )
GA_UNARY(       conj,         ARITH, SAME, GA_FN(conj)(x),                 (2, 2),       "complex conjugate"                  )
GA_UNARY(       real,         ALL,   PART, GA_FN(real)(x),                 (2, 2),       "real part"                          )
GA_UNARY(       imag,         ALL,   PART, GA_FN(imag)(x),                 (2, 0),       "imaginary part"                     )
GA_UNARY(       floor,        REAL,  SAME, GA_FN(floor)(x),                (2, 2),       "largest integer <= x"               )
GA_UNARY(       ceil,         REAL,  SAME, GA_FN(ceil)(x),                 (2, 2),       "smallest integer >= x"              )
GA_UNARY(       trunc,        REAL,  SAME, GA_FN(trunc)(x),                (2, 2),       "x without its fraction"             )
GA_UNARY(       rint,         FLT,   SAME, GA_FN(rint)(x),                 (2.5, 2),     "nearest integer, halves to even"    )
GA_UNARY(       isnan,        ALL,   BOOL, GA_FN(isnan)(x),                (1, 0),       "is x not a number?"                 )
GA_UNARY(       isinf,        ALL,   BOOL, GA_FN(isinf)(x),                (1, 0),       "is x infinite?"                     )
GA_UNARY(       isfinite,     ALL,   BOOL, GA_FN(isfinite)(x),             (1, 1),       "is x neither infinite nor NaN?"     )
GA_UNARY(       signbit,      FLT,   BOOL, GA_FN(signbit)(x),              (-2, 1),      "is the sign bit set?"               )
GA_UNARY(       invert,       BITS,  SAME, GA_FN(invert)(x),               (0, ~0),      "every bit turned; not, for bool"    )
GA_UNARY(       logical_not,  ALL,   BOOL, !GA_FN(truth)(x),               (2, 0),       "is x zero?"                         )

/*              name                       dtypes  example          what it computes                                          */
GA_ELEMENTARY(  exp,                       FLT,    (0, 1),          "e to the power x"                                        )
GA_ELEMENTARY(  exp2,                      FLT,    (3, 8),          "2 to the power x"                                        )
GA_ELEMENTARY(  expm1,                     FLT,    (0, 0),          "exp(x) - 1, exact near 0"                                )
GA_ELEMENTARY(  log,                       FLT,    (1, 0),          "natural logarithm"                                       )
GA_ELEMENTARY(  log2,                      FLT,    (8, 3),          "logarithm to base 2"                                     )
GA_ELEMENTARY(  log10,                     FLT,    (1000, 3),       "logarithm to base 10"                                    )
GA_ELEMENTARY(  log1p,                     FLT,    (0, 0),          "log(1 + x), exact near 0"                                )
GA_ELEMENTARY(  sin,                       FLT,    (0, 0),          "sine of x in radians"                                    )
GA_ELEMENTARY(  cos,                       FLT,    (0, 1),          "cosine of x in radians"                                  )
GA_ELEMENTARY(  tan,                       FLT,    (0, 0),          "tangent of x in radians"                                 )
GA_ELEMENTARY(  arcsin,                    FLT,    (0, 0),          "inverse sine"                                            )
GA_ELEMENTARY(  arccos,                    FLT,    (1, 0),          "inverse cosine"                                          )
GA_ELEMENTARY(  arctan,                    FLT,    (0, 0),          "inverse tangent"                                         )
GA_ELEMENTARY(  sinh,                      FLT,    (0, 0),          "hyperbolic sine"                                         )
GA_ELEMENTARY(  cosh,                      FLT,    (0, 1),          "hyperbolic cosine"                                       )
GA_ELEMENTARY(  tanh,                      FLT,    (0, 0),          "hyperbolic tangent"                                      )
GA_ELEMENTARY(  arcsinh,                   FLT,    (0, 0),          "inverse hyperbolic sine"                                 )
GA_ELEMENTARY(  arccosh,                   FLT,    (1, 0),          "inverse hyperbolic cosine"                               )
GA_ELEMENTARY(  arctanh,                   FLT,    (0, 0),          "inverse hyperbolic tangent"                              )
GA_ELEMENTARY(  cbrt,                      FLT,    (27, 3),         "cube root"                                               )

/*              name          dtypes result formula of x, y                example       what it computes                     */
GA_BINARY(      add,          ALL,   SAME, GA_ADD(x, y),                   (2, 3, 5),    "x + y; or, for bool"                )
GA_BINARY(      subtract,     ARITH, SAME, GA_SUB(x, y),                   (5, 3, 2),    "x - y"                              )
GA_BINARY(      multiply,     ALL,   SAME, GA_MUL(x, y),                   (2, 3, 6),    "x * y; and, for bool"               )
GA_BINARY(      divide,       FLTC,  SAME, GA_DIV(x, y),                   (6, 3, 2),    "x / y; integers become float64"     )
GA_BINARY(      floor_divide, REAL,  SAME, GA_FN(floor_divide)(x, y),      (7, 2, 3),    "x / y rounded down"                 )
GA_BINARY(      remainder,    REAL,  SAME, GA_FN(remainder)(x, y),         (7, 4, 3),    "x - y * floor(x / y), sign of y"    )
GA_BINARY(      fmod,         REAL,  SAME, GA_FN(fmod)(x, y),              (7, 4, 3),    "remainder with the sign of x, as C" )
GA_BINARY(      maximum,      ALL,   SAME, GA_FN(maximum)(x, y),           (2, 3, 3),    "the larger one, NaN if any is NaN"  )
GA_BINARY(      minimum,      ALL,   SAME, GA_FN(minimum)(x, y),           (2, 3, 2),    "the smaller one, NaN if any is NaN" )
GA_BINARY(      fmax,         ORDER, SAME, GA_FN(fmax)(x, y),              (2, 3, 3),    "the larger one, NaN ignored"        )
GA_BINARY(      fmin,         ORDER, SAME, GA_FN(fmin)(x, y),              (2, 3, 2),    "the smaller one, NaN ignored"       )
GA_BINARY(      copysign,     FLT,   SAME, GA_FN(copysign)(x, y),          (2, -3, -2),  "x with the sign of y"               )
GA_BINARY(      bitwise_and,  BITS,  SAME, (GA_T)(x & y),                  (6, 3, 2),    "bits set in both"                   )
GA_BINARY(      bitwise_or,   BITS,  SAME, (GA_T)(x | y),                  (6, 3, 7),    "bits set in either"                 )
GA_BINARY(      bitwise_xor,  BITS,  SAME, (GA_T)(x ^ y),                  (6, 3, 5),    "bits set in one of the two"         )
GA_BINARY(      left_shift,   INT,   SAME, GA_FN(left_shift)(x, y),        (3, 2, 12),   "x * 2**y, 0 past the width"         )
GA_BINARY(      right_shift,  INT,   SAME, GA_FN(right_shift)(x, y),       (12, 2, 3),   "x / 2**y rounded down"              )
GA_BINARY(      logical_and,  ALL,   BOOL, GA_FN(truth)(x) && GA_FN(truth)(y), (2, 0, 0), "are both nonzero?"                )
GA_BINARY(      logical_or,   ALL,   BOOL, GA_FN(truth)(x) || GA_FN(truth)(y), (2, 0, 1), "is either nonzero?"               )
GA_BINARY(      logical_xor,  ALL,   BOOL, GA_FN(truth)(x) != GA_FN(truth)(y), (2, 0, 1), "is exactly one nonzero?"          )
GA_BINARY(      equal,        ALL,   BOOL, GA_FN(equal)(x, y),             (2, 2, 1),    "x == y"                             )
GA_BINARY(      not_equal,    ALL,   BOOL, !GA_FN(equal)(x, y),            (2, 2, 0),    "x != y"                             )
GA_BINARY(      less,         ALL,   BOOL, GA_FN(less)(x, y),              (2, 3, 1),    "x < y"                              )
GA_BINARY(      less_equal,   ALL,   BOOL, GA_FN(less_equal)(x, y),        (2, 3, 1),    "x <= y"                             )
GA_BINARY(      greater,      ALL,   BOOL, GA_FN(less)(y, x),              (2, 3, 0),    "x > y"                              )
GA_BINARY(      greater_equal, ALL,  BOOL, GA_FN(less_equal)(y, x),        (2, 3, 0),    "x >= y"                             )

/*              name                       dtypes  example          what it computes                                          */
GA_ELEMENTARY2( power,                     REAL,   (2, 3, 8),       "x to the power y"                                        )
GA_ELEMENTARY2( arctan2,                   FLT,    (0, 1, 0),       "angle of the point (y, x), first argument y"             )
GA_ELEMENTARY2( hypot,                     FLT,    (3, 4, 5),       "length of the vector (x, y)"                             )
GA_ELEMENTARY2( nextafter,                 FLT,    (2, 2, 2),       "the next number after x towards y"                       )
GA_ELEMENTARY2( logaddexp,                 FLT,    (-INFINITY, 0, 0), "log(exp(x) + exp(y))"                                  )

/*              name          dtypes result formula of x, y, z             example       what it computes                     */
GA_TERNARY(     multiply_add, ARITH, SAME, GA_ADD(GA_MUL(x, y), z),        (2, 3, 4, 10), "x * y + z in one pass"             )
GA_TERNARY(     clip,         ORDER, SAME, GA_FN(minimum)(GA_FN(maximum)(x, y), z), (7, 2, 5, 5), "x limited to [y, z]"       )

/*  A reduction starts from `start` (NONE: an empty array is an error), takes each element through `of x`, joins two by `join a, b`
    along the documented tree, and makes the result by `end a, n`.
    acc: what it adds in: WIDE int64, uint64, float64, complex128 . MEAN float64, complex128 . SAME the element type . BOOL .
    COUNT int64.    result: SUM the dtype of NumPy's sum . AVERAGE that of NumPy's mean . SAME . BOOL . COUNT int64            */
/*              name           dtypes acc    result   start of x                                  join a, b             end a, n              {1,2,3} */
GA_REDUCTION(   sum,           ALL,   WIDE,  SUM,     0,    GA_WIDEN(x),                          GA_WIDE_ADD(a, b),    a,                    6, "sum"                       )
GA_REDUCTION(   prod,          ALL,   WIDE,  SUM,     1,    GA_WIDEN(x),                          GA_WIDE_MUL(a, b),    a,                    6, "product"                   )
GA_REDUCTION(   mean,          ALL,   MEAN,  AVERAGE, 0,    GA_MEAN_OF(x),                        GA_MEAN_ADD(a, b),    GA_MEAN_OVER(a, n),   2, "arithmetic mean"           )
GA_REDUCTION(   min,           ALL,   SAME,  SAME,    NONE, x,                                    GA_FN(minimum)(a, b), a,                    1, "smallest element"          )
GA_REDUCTION(   max,           ALL,   SAME,  SAME,    NONE, x,                                    GA_FN(maximum)(a, b), a,                    3, "largest element"           )
GA_REDUCTION(   any,           TRUTH, BOOL,  BOOL,    0,    GA_FN(truth)(x),                      (a | b),              a,                    1, "is any element nonzero?"   )
GA_REDUCTION(   all,           TRUTH, BOOL,  BOOL,    1,    GA_FN(truth)(x),                      (a & b),              a,                    1, "are all nonzero?"          )
GA_REDUCTION(   count_nonzero, TRUTH, COUNT, COUNT,   0,    GA_FN(truth)(x),                      a + b,                a,                    3, "how many are not zero"     )
GA_REDUCTION(   nansum,        FLTC,  WIDE,  SUM,     0,    GA_WIDEN(GA_FN(nan_to)(x, 0)),        GA_WIDE_ADD(a, b),    a,                    6, "sum without the NaNs"      )
GA_REDUCTION(   nanprod,       FLTC,  WIDE,  SUM,     1,    GA_WIDEN(GA_FN(nan_to)(x, 1)),        GA_WIDE_MUL(a, b),    a,                    6, "product without the NaNs"  )
GA_REDUCTION(   nanmin,        FLT,   SAME,  SAME,    NONE, x,                                    GA_FN(fmin)(a, b),    a,                    1, "smallest without the NaNs" )
GA_REDUCTION(   nanmax,        FLT,   SAME,  SAME,    NONE, x,                                    GA_FN(fmax)(a, b),    a,                    3, "largest without the NaNs"  )
/* clang-format on */
#undef GA_UNARY
#undef GA_BINARY
#undef GA_TERNARY
#undef GA_ELEMENTARY
#undef GA_ELEMENTARY2
#undef GA_REDUCTION
#undef GA_TABLE
#else
#ifndef GPUARR_INCLUDED
#define GPUARR_INCLUDED

#if defined(GPUARR_IMPLEMENTATION) && !defined(_GNU_SOURCE) && !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE 1 /* for mmap's MAP_ANONYMOUS, madvise and clock_gettime under -std=c11 */
#endif
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
#define GI_DEFAULT                                                                                                     \
    = {} /* C++ wants to be told that an option which is not given is zero */
extern "C" {
#else
#define GI_DEFAULT
#endif

/* ==== >>dtypes ==================================================================================================== */

typedef struct ga_c64 {
    float re, im;
} ga_c64;

typedef struct ga_c128 {
    double re, im;
} ga_c128;

/* One line per element type: enumerator, tag, C type, NumPy's name. Everything else about a type is derived from these
   lists; their order is the order in which a smaller dtype looks for one that holds it. */
/* clang-format off */
#define GI_EACH_BOOL(X)     X( BOOL, b8,   bool,     "bool"       )
#define GI_EACH_INT(X)      X( I8,   i8,   int8_t,   "int8"       ) \
                            X( U8,   u8,   uint8_t,  "uint8"      ) \
                            X( I16,  i16,  int16_t,  "int16"      ) \
                            X( U16,  u16,  uint16_t, "uint16"     ) \
                            X( I32,  i32,  int32_t,  "int32"      ) \
                            X( U32,  u32,  uint32_t, "uint32"     ) \
                            X( I64,  i64,  int64_t,  "int64"      ) \
                            X( U64,  u64,  uint64_t, "uint64"     )
#define GI_EACH_FLT(X)      X( F32,  f32,  float,    "float32"    ) \
                            X( F64,  f64,  double,   "float64"    )
#define GI_EACH_COMPLEX(X)  X( C64,  c64,  ga_c64,   "complex64"  ) \
                            X( C128, c128, ga_c128,  "complex128" )
/* clang-format on */
#define GI_EACH_DTYPE(X) GI_EACH_BOOL(X) GI_EACH_INT(X) GI_EACH_FLT(X) GI_EACH_COMPLEX(X)

#define GI_ENUM(TAG, tag, T, name) GA_##TAG,
typedef enum ga_dtype {
    GA_DTYPE_DEFAULT, /* an option that was not given */
    GI_EACH_DTYPE(GI_ENUM) GA_DTYPE_COUNT
} ga_dtype;
#undef GI_ENUM

/* "float32"; "?" for what is no dtype. */
const char *ga_dtype_name(ga_dtype dtype);
/* Bytes of one element, 0 for what is no dtype. */
int64_t ga_itemsize(ga_dtype dtype);
/* The dtype that holds both, by NumPy's table: int64 and float32 give float64. */
ga_dtype ga_promote(ga_dtype a, ga_dtype b);
/* Does every value of `from` survive in `to`? (NumPy's casting="safe") */
bool ga_can_cast(ga_dtype from, ga_dtype to);

/* One operation is one enumerator: GA_OP_add. */
typedef enum ga_op {
#define GA_UNARY(name, ...)       GA_OP_##name,
#define GA_ELEMENTARY(name, ...)  GA_OP_##name,
#define GA_BINARY(name, ...)      GA_OP_##name,
#define GA_ELEMENTARY2(name, ...) GA_OP_##name,
#define GA_TERNARY(name, ...)     GA_OP_##name,
#define GA_REDUCTION(name, ...)   GA_OP_##name,
#define GA_TABLE
#include "gpuarr.h"
    GA_OP_COUNT
} ga_op;

/* ==== >>array ===================================================================================================== */

#ifndef GPUARR_MAX_DIMS
#define GPUARR_MAX_DIMS 8
#endif

typedef enum ga_device { GA_DEVICE_DEFAULT, GA_CPU, GA_CUDA } ga_device;

/* A shape, or a list of axes: ndim numbers. Not given is ndim 0. */
typedef struct ga_shape {
    int     ndim;
    int64_t n[GPUARR_MAX_DIMS];
} ga_shape;

typedef struct gi_buffer gi_buffer; /* shared, reference-counted memory */

/* An array: a typed, strided view of a buffer. Read the fields as you like; do not write them. */
typedef struct ga_array {
    void     *data; /* the first element */
    ga_dtype  dtype;
    ga_device device;
    int       ndim;
    int64_t   shape[GPUARR_MAX_DIMS];
    int64_t   strides[GPUARR_MAX_DIMS]; /* bytes from one element to the next, as NumPy's; may be 0 or negative */
    int64_t   size;                     /* number of elements: the product of the shape */

    gi_buffer       *owner;             /* keeps the memory alive */
    uint32_t         alive;             /* a mark that a freed array no longer carries */
    struct gi_scope *scope;             /* frees this array when it ends; NULL: you do */
    struct ga_array *prev, *next;       /* the other arrays of that scope */
} ga_array;

/* An operand: an array or a plain number. GA_ARG makes one from either. */
typedef enum ga_kind { GA_KIND_ARRAY, GA_KIND_BOOL, GA_KIND_INT, GA_KIND_UINT, GA_KIND_REAL, GA_KIND_COMPLEX } ga_kind;
typedef struct ga_arg {
    const ga_array *array;
    ga_kind         kind;
    int64_t         i; /* BOOL, INT; the bits of a UINT beyond INT64_MAX */
    double          re, im;
} ga_arg;

/* Options. Each begins with `site`, the place and the text of the call, which the macros fill in for the error messages. */
typedef struct ga_new_options {
    const char *site;
    ga_dtype dtype   GI_DEFAULT; /* default float64, or that of the prototype */
    ga_device device GI_DEFAULT; /* default ga_get_device() */
} ga_new_options;

typedef struct ga_map_options {
    const char *site;
    ga_array *out         GI_DEFAULT; /* write the result there (any dtype that it can be cast to within its kind) */
    const ga_array *where GI_DEFAULT; /* bool: compute only there; elsewhere out keeps its value (a new result is 0) */
    ga_dtype dtype        GI_DEFAULT; /* compute in this dtype */
} ga_map_options;

typedef struct ga_reduce_options {
    const char *site;
    int axis       GI_DEFAULT; /* not given: over all axes; negative counts from the end */
    ga_shape axes  GI_DEFAULT; /* several: .axes = ga_axes(0, 2) */
    bool keepdims  GI_DEFAULT; /* leave the reduced axes in, with length 1 */
    ga_dtype dtype GI_DEFAULT; /* compute and return in this dtype */
    ga_array *out  GI_DEFAULT;
    int ddof       GI_DEFAULT; /* std, var: divide by n - ddof */
} ga_reduce_options;

typedef enum ga_quantile { GA_LINEAR, GA_LOWER, GA_HIGHER, GA_MIDPOINT, GA_NEAREST } ga_quantile;

typedef struct ga_order_options {
    const char *site;
    int axis           GI_DEFAULT;
    ga_shape axes      GI_DEFAULT;
    bool keepdims      GI_DEFAULT;
    ga_array *out      GI_DEFAULT;
    ga_quantile method GI_DEFAULT; /* percentile between two elements, as numpy.percentile's method */
} ga_order_options;

typedef struct ga_axis_options {
    const char *site;
    int axis       GI_DEFAULT; /* when not given: see the function */
    ga_dtype dtype GI_DEFAULT;
    ga_array *out  GI_DEFAULT;
} ga_axis_options;

typedef struct ga_axes_options {
    const char *site;
    int axis      GI_DEFAULT; /* one axis, or */
    ga_shape axes GI_DEFAULT; /* several: .axes = ga_axes(2, 0, 1) */
} ga_axes_options;

/* ==== >>errors ==================================================================================================== */

typedef enum ga_status {
    GA_OK,
    GA_BAD_ARGUMENT, /* a value that makes no sense for the call */
    GA_BAD_SHAPE,
    GA_BAD_DTYPE,
    GA_BAD_DEVICE,   /* arrays on different devices, or no such device */
    GA_NO_MEMORY,
    GA_NO_FILE,      /* cannot open, read or write */
    GA_BAD_FILE,     /* read, but not what it should be */
    GA_NO_LIBRARY    /* an optional library is missing */
} ga_status;

/* The first error of this thread since ga_clear_error: a sentence with file, line, call and what to do; NULL if none. */
const char *ga_error(void);
ga_status   ga_error_status(void);
void        ga_clear_error(void);
/* Called with each first error in place of printing it to stderr. NULL: print again. `ga_ignore_error` says nothing. */
typedef void (*ga_error_handler)(ga_status status, const char *sentence, void *user);
void ga_set_error_handler(ga_error_handler handler, void *user);
void ga_ignore_error(ga_status status, const char *sentence, void *user);

/* ==== >>memory ==================================================================================================== */

/* Releases the array; its memory is reused when the last view of it is gone. NULL is fine. */
void ga_free(ga_array *a);
/* Arrays made inside `ga_scope { ... }` are released at its end (return and break end it too, longjmp does not), except those
   handed out with ga_keep, which belong to the enclosing scope, or to you if there is none. */
ga_array *ga_keep(ga_array *a);

typedef struct ga_memory {
    int64_t used_bytes;  /* in arrays */
    int64_t peak_bytes;  /* most used so far (since ga_memory_reset_peak) */
    int64_t total_bytes; /* used and kept ready for reuse */
    int64_t limit_bytes; /* 0: no limit */
    int64_t arrays;      /* how many are alive */
} ga_memory;
ga_memory ga_memory_stats(void);
void      ga_memory_reset_peak(void);
/* An allocation beyond the limit fails with GA_NO_MEMORY. 0: no limit. */
void ga_memory_limit(int64_t bytes);
/* Returns what is kept ready for reuse to the system. */
void ga_memory_trim(void);
/* Every later buffer and handle comes from these (NULLs: the built-in ones). alloc may return NULL; memory aligned to 64 bytes is
   asked for. Fails, changing nothing, while arrays are alive. */
typedef void *(*ga_alloc_function)(size_t bytes, void *user);
typedef void (*ga_free_function)(void *p, size_t bytes, void *user);
bool ga_set_allocator(ga_alloc_function alloc, ga_free_function release, void *user);
/* Lists the arrays that are alive (shape, dtype, bytes, the call that made them); returns their number. */
int64_t ga_report_leaks(FILE *to);

void      ga_set_device(ga_device device);
ga_device ga_get_device(void);
/* Threads that a call may use (default: GPUARR_NUM_THREADS, else the number of processors). 1: everything in the caller. */
void ga_set_num_threads(int n);
int  ga_get_num_threads(void);
/* "avx512", "avx2" or "baseline": what this processor runs; GPUARR_ISA=baseline in the environment asks for less. */
const char *ga_isa(void);

/* ==== >>creation: each returns a new array, or NULL on error ====================================================== */

ga_array *(ga_zeros)(ga_shape shape, ga_new_options o);                                   /* all 0 */
ga_array *(ga_ones)(ga_shape shape, ga_new_options o);                                    /* all 1 */
ga_array *(ga_empty)(ga_shape shape, ga_new_options o);                                   /* any content */
ga_array *(ga_full)(ga_shape shape, ga_arg value, ga_new_options o);                      /* all `value`; dtype of the value unless given */
ga_array *(ga_zeros_n)(int ndim, const int64_t *shape, ga_new_options o);                 /* for run-time shapes */
ga_array *(ga_empty_n)(int ndim, const int64_t *shape, ga_new_options o);
ga_array *(ga_zeros_like)(const ga_array *a, ga_new_options o);                           /* shape, dtype, device of a */
ga_array *(ga_ones_like)(const ga_array *a, ga_new_options o);
ga_array *(ga_empty_like)(const ga_array *a, ga_new_options o);
ga_array *(ga_full_like)(const ga_array *a, ga_arg value, ga_new_options o);
ga_array *(ga_scalar)(ga_arg value, ga_new_options o);                                    /* 0-d */
ga_array *(ga_arange)(ga_arg start, ga_arg stop, ga_arg step, ga_new_options o);          /* start, start + step ... before stop; int64 for integers */

typedef struct ga_linspace_options {
    const char *site;
    ga_dtype dtype   GI_DEFAULT;
    ga_device device GI_DEFAULT;
    bool no_endpoint GI_DEFAULT; /* leave stop out: numpy's endpoint=False */
    double base      GI_DEFAULT; /* logspace: default 10 */
} ga_linspace_options;
ga_array *(ga_linspace)(double start, double stop, int64_t num, ga_linspace_options o);   /* num numbers from start to stop */
ga_array *(ga_logspace)(double start, double stop, int64_t num, ga_linspace_options o);   /* base ** linspace */

ga_array *(ga_eye)(int64_t rows, int64_t cols, int64_t k, ga_new_options o);              /* ones on the k-th diagonal */
/* Coordinates from n 1-D arrays into outs[0..n-1]; ij: matrix order, else xy as numpy's default. False on error, outs then NULL. */
bool (ga_meshgrid_n)(int n, const ga_array *const *in, ga_array **outs, bool ij, const char *site);
bool (ga_meshgrid)(const ga_array *x, const ga_array *y, ga_array **xx, ga_array **yy, bool ij, const char *site);
ga_array *(ga_indices)(ga_shape shape, ga_new_options o);                                 /* (ndim, shape...): the index of every element, int64 */
ga_array *(ga_mgrid)(const char *slices, ga_new_options o);                               /* numpy.mgrid["0:300, 0:600:2"]; "0:1:5j" is five points from 0 to 1 */
ga_array *(ga_tile)(const ga_array *a, ga_shape reps, const char *site);                  /* a repeated along each axis */
ga_array *(ga_repeat)(const ga_array *a, int64_t repeats, ga_axis_options o);             /* each element repeated; .axis not given: flattened */

/* A new array with a copy of the numbers at p (dtype from the pointer type): ga_from(values, (2, 3)). */
ga_array *(ga_from)(const void *p, ga_dtype dtype, ga_shape shape, ga_new_options o);
/* The caller's memory as an array, not copied and never freed: ga_wrap(pixels, (height, width)). It must outlive the array and its views.
   C order; ga_wrap_strided takes byte strides. release(p, user), if given, is called when the last view is gone. */
typedef struct ga_wrap_options {
    const char *site;
    ga_device device GI_DEFAULT;
    void (*release)(void *p, void *user) GI_DEFAULT;
    void *user GI_DEFAULT;
} ga_wrap_options;
ga_array *(ga_wrap)(void *p, ga_dtype dtype, ga_shape shape, ga_wrap_options o);
ga_array *(ga_wrap_strided)(void *p, ga_dtype dtype, ga_shape shape, ga_shape strides, ga_wrap_options o);

/* Random numbers: Philox4x32-10, counter-based: the same seed gives the same numbers on any backend and any number of threads.
   seed 0 is a seed like any other. Element i of a call depends on (seed, stream, i) alone. */
typedef struct ga_random_options {
    const char *site;
    ga_dtype dtype   GI_DEFAULT; /* float32 or float64 (default); integers: default int64 */
    ga_device device GI_DEFAULT;
    uint64_t seed    GI_DEFAULT;
    uint64_t stream  GI_DEFAULT; /* another sequence with the same seed */
} ga_random_options;
ga_array *(ga_random)(ga_shape shape, ga_random_options o);                               /* uniform in [0, 1) */
ga_array *(ga_random_integers)(int64_t low, int64_t high, ga_shape shape, ga_random_options o); /* low <= x < high */
ga_array *(ga_random_normal)(double mean, double sigma, ga_shape shape, ga_random_options o);

/* A copy in C order; of another dtype (float to integer saturates, NaN gives 0); on another device. */
ga_array *(ga_copy)(const ga_array *a, const char *site);
ga_array *(ga_astype)(const ga_array *a, ga_dtype dtype, const char *site);
ga_array *(ga_to)(const ga_array *a, ga_device device, const char *site);
ga_array *(ga_ascontiguous)(const ga_array *a, const char *site);                         /* a view of a if it is C-contiguous, else a copy */

/* One number out of an array with one element, or at an index: ga_item_at(a, 2, 3). NaN on error. */
double  (ga_item)(const ga_array *a, const char *site);
int64_t (ga_item_int)(const ga_array *a, const char *site);
double  (ga_item_at)(const ga_array *a, ga_shape index, const char *site);
/* The elements of a C-contiguous CPU array of exactly this dtype, else NULL with an error: const float *p = ga_data(a, GA_F32). */
void *(ga_data)(const ga_array *a, ga_dtype dtype, const char *site);

/* ==== >>views: no element is copied unless it says so; each returns a new ga_array ================================= */

/* NumPy's index notation, its numbers printf-style: ga_index(a, "1:-1, ::2, %d, ..., newaxis", row). Always a view. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
ga_array *(ga_index)(const char *site, const ga_array *a, const char *index, ...);
ga_array *(ga_view)(const ga_array *a, const char *site);                                 /* the same elements once more */
ga_array *(ga_view_as)(const ga_array *a, ga_dtype dtype, const char *site);              /* the same bytes as another dtype */
ga_array *(ga_reshape)(const ga_array *a, ga_shape shape, const char *site);              /* one length may be -1; a copy if it must be */
ga_array *(ga_ravel)(const ga_array *a, const char *site);                                /* 1-D; a copy if it must be */
ga_array *(ga_flatten)(const ga_array *a, const char *site);                              /* 1-D, always a copy */
ga_array *(ga_transpose)(const ga_array *a, ga_axes_options o);                           /* axes reversed, or in the order .axes */
ga_array *(ga_swapaxes)(const ga_array *a, int axis1, int axis2, const char *site);
ga_array *(ga_moveaxis)(const ga_array *a, int source, int destination, const char *site);
ga_array *(ga_squeeze)(const ga_array *a, ga_axes_options o);                             /* without axes of length 1 (or the given one) */
ga_array *(ga_expand_dims)(const ga_array *a, int axis, const char *site);
ga_array *(ga_broadcast_to)(const ga_array *a, ga_shape shape, const char *site);         /* read-only by custom: elements repeat */
ga_array *(ga_diagonal)(const ga_array *a, int64_t offset, const char *site);             /* of the first two axes, put last */
ga_array *(ga_flip)(const ga_array *a, ga_axes_options o);                                /* all axes, or the given ones */
ga_array *(ga_fliplr)(const ga_array *a, const char *site);
ga_array *(ga_flipud)(const ga_array *a, const char *site);
ga_array *(ga_rot90)(const ga_array *a, int k, const char *site);                         /* k quarter turns, first axis towards the second */

bool ga_is_contiguous(const ga_array *a);                                                 /* C order without gaps */
bool ga_same_shape(const ga_array *a, const ga_array *b);
bool ga_may_share_memory(const ga_array *a, const ga_array *b);

/* ==== >>elementwise: one real function per row of the table ======================================================== */

#define GA_UNARY(name, ...)       ga_array *(ga_##name)(const ga_array *x, ga_map_options o);
#define GA_ELEMENTARY(name, ...)  ga_array *(ga_##name)(const ga_array *x, ga_map_options o);
#define GA_BINARY(name, ...)      ga_array *(ga_##name)(ga_arg x, ga_arg y, ga_map_options o);
#define GA_ELEMENTARY2(name, ...) ga_array *(ga_##name)(ga_arg x, ga_arg y, ga_map_options o);
#define GA_TERNARY(name, ...)     ga_array *(ga_##name)(ga_arg x, ga_arg y, ga_arg z, ga_map_options o);
#define GA_TABLE
#include "gpuarr.h"

ga_array *(ga_where)(const ga_array *condition, ga_arg x, ga_arg y, ga_map_options o);    /* x where condition is nonzero, else y */

typedef struct ga_close_options {
    const char *site;
    double rtol    GI_DEFAULT; /* default 1e-5; GA_EXACTLY for 0 */
    double atol    GI_DEFAULT; /* default 1e-8; GA_EXACTLY for 0 */
    bool equal_nan GI_DEFAULT;
} ga_close_options;
#define GA_EXACTLY (-1.0)
ga_array *(ga_isclose)(ga_arg a, ga_arg b, ga_close_options o);                           /* |a - b| <= atol + rtol * |b| */
bool (ga_allclose)(ga_arg a, ga_arg b, ga_close_options o);                               /* the arrays may lie on different devices */
bool (ga_array_equal)(ga_arg a, ga_arg b, ga_close_options o);                            /* same shape and elements */

/* Copies src, broadcast and cast, into the elements of dst, where `.where` is nonzero if given. As if src were copied first.
   ga_copyto(ga_index(rgb, ":4, :9, 2"), 1). Returns dst, or NULL on error. */
typedef struct ga_copyto_options {
    const char *site;
    const ga_array *where GI_DEFAULT;
} ga_copyto_options;
ga_array *(ga_copyto)(ga_array *dst, ga_arg src, ga_copyto_options o);

/* ==== >>reductions: over all axes, or .axis = 1, or .axes = ga_axes(0, 2); .keepdims, .dtype, .out ================== */

#define GA_REDUCTION(name, ...) ga_array *(ga_##name)(const ga_array *a, ga_reduce_options o);
#define GA_TABLE
#include "gpuarr.h"

ga_array *(ga_var)(const ga_array *a, ga_reduce_options o);                               /* variance; .ddof */
ga_array *(ga_std)(const ga_array *a, ga_reduce_options o);                               /* standard deviation; .ddof */
ga_array *(ga_nanmean)(const ga_array *a, ga_reduce_options o);
ga_array *(ga_nanvar)(const ga_array *a, ga_reduce_options o);
ga_array *(ga_nanstd)(const ga_array *a, ga_reduce_options o);
ga_array *(ga_argmin)(const ga_array *a, ga_reduce_options o);                            /* index of the first smallest, int64 */
ga_array *(ga_argmax)(const ga_array *a, ga_reduce_options o);
ga_array *(ga_nanargmin)(const ga_array *a, ga_reduce_options o);
ga_array *(ga_nanargmax)(const ga_array *a, ga_reduce_options o);
ga_array *(ga_median)(const ga_array *a, ga_order_options o);
ga_array *(ga_nanmedian)(const ga_array *a, ga_order_options o);
ga_array *(ga_percentile)(const ga_array *a, ga_arg q, ga_order_options o);               /* q in percent, number or array (its axes come first) */
ga_array *(ga_nanpercentile)(const ga_array *a, ga_arg q, ga_order_options o);
ga_array *(ga_cumsum)(const ga_array *a, ga_axis_options o);                              /* running sum; .axis not given: flattened */
ga_array *(ga_cumprod)(const ga_array *a, ga_axis_options o);

typedef struct ga_norm_options {
    const char *site;
    int axis      GI_DEFAULT;
    ga_shape axes GI_DEFAULT;
    bool keepdims GI_DEFAULT;
    double ord    GI_DEFAULT; /* vector norms 1, 2 (default), 3.5, INFINITY, -INFINITY, GA_EXACTLY (-1) counts the nonzero */
} ga_norm_options;
ga_array *(ga_norm)(const ga_array *a, ga_norm_options o);                                /* of all elements, or along .axis */
ga_array *(ga_dot)(const ga_array *a, const ga_array *b, ga_map_options o);               /* numpy.dot: inner product, matrix product for 2-D */

/* ==== >>rearranging =============================================================================================== */

/* n arrays: ga_concatenate((a, b, c), .axis = 1); for run-time lists ga_concatenate_n. */
ga_array *(ga_concatenate_n)(int n, const ga_array *const *arrays, ga_axis_options o);
ga_array *(ga_stack_n)(int n, const ga_array *const *arrays, ga_axis_options o);          /* along a new axis */
/* parts[0..n-1] become n equal views along .axis (default 0); false on error. ga_split_at: cut before each of the n - 1 indices. */
bool (ga_split)(const ga_array *a, int n, ga_array **parts, ga_axis_options o);
bool (ga_split_at)(const ga_array *a, int n, const int64_t *indices, ga_array **parts, ga_axis_options o);
ga_array *(ga_roll)(const ga_array *a, int64_t shift, ga_axis_options o);                 /* .axis not given: flattened */
typedef enum ga_pad_mode { GA_PAD_CONSTANT, GA_PAD_EDGE, GA_PAD_REFLECT, GA_PAD_SYMMETRIC, GA_PAD_WRAP } ga_pad_mode;
typedef struct ga_pad_options {
    const char *site;
    ga_pad_mode mode GI_DEFAULT;
    double value     GI_DEFAULT;
    ga_shape after   GI_DEFAULT; /* widths behind each axis; default as before */
} ga_pad_options;
ga_array *(ga_pad)(const ga_array *a, ga_shape before, ga_pad_options o);                 /* one width for all axes, or one each */
ga_array *(ga_sort)(const ga_array *a, ga_axis_options o);                                /* ascending, NaN last, stable; .axis not given: the last */
ga_array *(ga_argsort)(const ga_array *a, ga_axis_options o);                             /* int64 */
typedef struct ga_unique_options {
    const char *site;
    ga_array **index   GI_DEFAULT; /* first occurrence of each */
    ga_array **inverse GI_DEFAULT; /* which one each element of a is */
    ga_array **counts  GI_DEFAULT;
} ga_unique_options;
ga_array *(ga_unique)(const ga_array *a, ga_unique_options o);                            /* sorted, 1-D */
ga_array *(ga_nonzero)(const ga_array *a, const char *site);                              /* int64 (ndim, count): row k holds the indices along axis k */
ga_array *(ga_compress)(const ga_array *condition, const ga_array *a, ga_axis_options o); /* the slices where the 1-D condition is nonzero */
ga_array *(ga_extract)(const ga_array *condition, const ga_array *a, const char *site);   /* 1-D: the elements where condition is nonzero, a[condition] */
typedef enum ga_take_mode { GA_TAKE_RAISE, GA_TAKE_WRAP, GA_TAKE_CLIP } ga_take_mode;
typedef struct ga_take_options {
    const char *site;
    int axis          GI_DEFAULT; /* not given: of the flattened array */
    ga_take_mode mode GI_DEFAULT;
} ga_take_options;
ga_array *(ga_take)(const ga_array *a, const ga_array *indices, ga_take_options o);       /* a[indices] */
typedef struct ga_histogram_options {
    const char *site;
    double low              GI_DEFAULT; /* range; low == high: from min to max */
    double high             GI_DEFAULT;
    const ga_array *weights GI_DEFAULT;
    bool density            GI_DEFAULT;
    ga_array **edges        GI_DEFAULT; /* the bins + 1 edges, float64 */
} ga_histogram_options;
ga_array *(ga_histogram)(const ga_array *a, int64_t bins, ga_histogram_options o);        /* int64 counts; float64 with weights or density */
typedef struct ga_bincount_options {
    const char *site;
    const ga_array *weights GI_DEFAULT;
    int64_t minlength       GI_DEFAULT;
} ga_bincount_options;
ga_array *(ga_bincount)(const ga_array *a, ga_bincount_options o);

/* ==== >>images and sky ============================================================================================ */

typedef struct ga_label_options {
    const char *site;
    int connectivity GI_DEFAULT; /* neighbours that differ in at most this many coordinates: 1 (default) is 4-connected in 2-D, 2 8-connected */
    int64_t *count   GI_DEFAULT; /* the number of objects */
    ga_dtype dtype   GI_DEFAULT; /* of the labels, default int32 */
} ga_label_options;
ga_array *(ga_label)(const ga_array *a, ga_label_options o);                              /* objects of nonzero elements, numbered from 1 in raster order */

/* Over the elements of a with label index[k], for each k; index NULL: 1 to the largest label. float64, NaN where a label has no element
   (sums and sizes 0, as SciPy). */
ga_array *(ga_sum_labels)(const ga_array *a, const ga_array *labels, const ga_array *index, const char *site);
ga_array *(ga_mean_labels)(const ga_array *a, const ga_array *labels, const ga_array *index, const char *site);
ga_array *(ga_min_labels)(const ga_array *a, const ga_array *labels, const ga_array *index, const char *site);
ga_array *(ga_max_labels)(const ga_array *a, const ga_array *labels, const ga_array *index, const char *site);
ga_array *(ga_size_labels)(const ga_array *labels, const ga_array *index, const char *site); /* int64 */
ga_array *(ga_center_of_mass)(const ga_array *a, const ga_array *labels, const ga_array *index, const char *site); /* (n, ndim), rows first; labels NULL: of the whole array, (1, ndim) */

typedef enum ga_clip_rule {
    GA_CLIP_LESSON, /* keep strictly inside median +- kappa * std, repeat until nothing changes: the radio-astronomy lesson */
    GA_CLIP_ASTROPY /* keep inside and on the bounds, at most .maxiters times: astropy.stats.sigma_clip */
} ga_clip_rule;
typedef struct ga_sigma_options {
    const char *site;
    ga_clip_rule rule GI_DEFAULT;
    double sigma      GI_DEFAULT; /* kappa, default 3 */
    double sigma_low  GI_DEFAULT; /* below, above: default sigma */
    double sigma_high GI_DEFAULT;
    int maxiters      GI_DEFAULT; /* astropy's rule: default 5, -1 until nothing changes */
    bool mean         GI_DEFAULT; /* around the mean in place of the median */
    ga_array **mask   GI_DEFAULT; /* bool, shape of a: what was rejected (NaN and infinite elements are) */
    int *passes       GI_DEFAULT; /* how many rounds it took */
    double *low       GI_DEFAULT; /* the last bounds */
    double *high      GI_DEFAULT;
} ga_sigma_options;
ga_array *(ga_sigma_clip)(const ga_array *a, ga_sigma_options o);                         /* what is left, 1-D, in its order, without NaN and inf */

/* ==== >>files ===================================================================================================== */

/* The pixels of a 2-D (grey) or (rows, columns, 1 to 4) array as PNG. uint8 is written as it is; anything else (255 / (max - min)) * (a - min),
   truncated (a constant picture becomes black). Needs stb_image_write.h. False on error. */
bool (ga_imsave)(const char *path, const ga_array *a, const char *site);

typedef struct ga_imshow_options {
    const char *site;
    const char *cmap GI_DEFAULT; /* "viridis" (default), "gray", "gray_r", "inferno", "RdBu_r" */
    bool log         GI_DEFAULT; /* logarithmic norm; what is <= 0 is drawn as the lowest colour */
    double vmin      GI_DEFAULT; /* colour range; vmin == vmax: the range of the data; vmin > vmax turns the colours round */
    double vmax      GI_DEFAULT;
    bool colorbar    GI_DEFAULT; /* with numbers, at the right */
    int scale        GI_DEFAULT; /* draw each element as scale x scale pixels, default 1 */
    const char *title GI_DEFAULT; /* a line of text above */
} ga_imshow_options;
ga_array *(ga_render)(const ga_array *a, ga_imshow_options o);                            /* uint8 (rows, columns, 3): what ga_imshow writes */
bool (ga_imshow)(const char *path, const ga_array *a, ga_imshow_options o);               /* a 2-D array in colours, as PNG */

ga_array *(ga_load)(const char *path, const char *site);                                  /* .npy */
bool (ga_save)(const char *path, const ga_array *a, const char *site);
ga_array *(ga_load_from)(const char *path, const char *name, const char *site);           /* one array of an .npz; NULL name: the first */
bool (ga_savez)(const char *path, int n, const char *const *names, const ga_array *const *arrays, const char *site); /* uncompressed .npz */

typedef struct ga_fits_options {
    const char *site;
    int hdu          GI_DEFAULT; /* 0: the first with an image (also a compressed one); else its number, 1 the primary */
    const char *name GI_DEFAULT; /* or the extension of this EXTNAME */
    bool raw         GI_DEFAULT; /* without BSCALE, BZERO and BLANK */
    bool compress    GI_DEFAULT; /* writing: Rice tiles in an extension */
    bool append      GI_DEFAULT; /* writing: a further extension of an existing file */
} ga_fits_options;
ga_array *(ga_fits_read)(const char *path, ga_fits_options o);                            /* axes as in NumPy: the last FITS axis first; scaled integers and BLANK become floats, unsigned ones stay integers */
bool (ga_fits_write)(const char *path, const ga_array *a, ga_fits_options o);

typedef struct ga_print_options {
    const char *site;
    int precision  GI_DEFAULT; /* digits after the point, default 8 */
    int threshold  GI_DEFAULT; /* more elements than this are summarised, default 1000 */
    int edgeitems  GI_DEFAULT; /* default 3 */
    int linewidth  GI_DEFAULT; /* default 75 */
    bool suppress  GI_DEFAULT; /* no scientific notation */
    bool repr      GI_DEFAULT; /* as Python's repr: array([...], dtype=...) */
} ga_print_options;
void (ga_print)(const ga_array *a, ga_print_options o);                                   /* as NumPy prints it, and a newline */
char *(ga_to_string)(const ga_array *a, ga_print_options o);                              /* the same without the newline; free() it */

/* ==== >>timing ==================================================================================================== */

double ga_now(void);                                                                      /* seconds, monotonic */

typedef struct ga_times {
    double min, mean, median, std, max; /* seconds a call */
} ga_times;
typedef struct ga_benchmark_result {
    ga_times cpu, device; /* device: 0 unless a CUDA device is in use */
    int      repeats;
} ga_benchmark_result;
typedef struct ga_benchmark_options {
    const char *site;
    const char *name    GI_DEFAULT; /* default: the text of the call */
    int repeat          GI_DEFAULT; /* measured calls, default 10000 or what fits in max_seconds */
    int warmup          GI_DEFAULT; /* default 10; -1 none */
    double max_seconds  GI_DEFAULT; /* default 1 */
    bool quiet          GI_DEFAULT; /* do not print the line */
} ga_benchmark_options;
/* Calls f(user) again and again and prints one line, as cupyx.profiler.benchmark. Arrays that f makes are released after each call. */
ga_benchmark_result (ga_benchmark)(void (*f)(void *user), void *user, ga_benchmark_options o);
void (ga_synchronize)(void);                                                              /* waits until the device has done everything */

#ifdef __cplusplus
} /* extern "C" */
#endif

/* ==== >>front: the macros that make calls short =================================================================== */
/*  Each turns ga_sum(a, .axis = 0) into a call of the real function (ga_sum), adding the options' struct, the place and the text
    of the call. This is the only part where C and C++ differ.                                                                 */

#define GI_STRING_(x) #x
#define GI_STRING(x)  GI_STRING_(x)
#define GI_SITE(call) __FILE__ ":" GI_STRING(__LINE__) "\t" call

#ifdef __cplusplus
#define GI_OPTIONS(O, ...) (O{ __VA_ARGS__ })
static inline ga_arg gi_arg(const ga_array *a) { ga_arg r = {}; r.array = a; return r; }
static inline ga_arg gi_arg(ga_array *a)       { ga_arg r = {}; r.array = a; return r; }
static inline ga_arg gi_arg(const ga_arg &a)   { return a; }
static inline ga_arg gi_arg(bool v)            { ga_arg r = {}; r.kind = GA_KIND_BOOL; r.i = v; return r; }
static inline ga_arg gi_arg(double v)          { ga_arg r = {}; r.kind = GA_KIND_REAL; r.re = v; return r; }
static inline ga_arg gi_arg(float v)           { return gi_arg((double)v); }
static inline ga_arg gi_arg(long long v)       { ga_arg r = {}; r.kind = GA_KIND_INT; r.i = v; return r; }
static inline ga_arg gi_arg(char v)            { return gi_arg((long long)v); }
static inline ga_arg gi_arg(signed char v)     { return gi_arg((long long)v); }
static inline ga_arg gi_arg(unsigned char v)   { return gi_arg((long long)v); }
static inline ga_arg gi_arg(short v)           { return gi_arg((long long)v); }
static inline ga_arg gi_arg(unsigned short v)  { return gi_arg((long long)v); }
static inline ga_arg gi_arg(int v)             { return gi_arg((long long)v); }
static inline ga_arg gi_arg(long v)            { return gi_arg((long long)v); }
static inline ga_arg gi_arg(unsigned v)        { return gi_arg((long long)v); }
static inline ga_arg gi_arg(unsigned long long v)
{
    ga_arg r = {};
    r.kind   = v > (unsigned long long)INT64_MAX ? GA_KIND_UINT : GA_KIND_INT;
    r.i      = (int64_t)v;
    return r;
}
static inline ga_arg gi_arg(unsigned long v) { return gi_arg((unsigned long long)v); }
static inline ga_arg gi_arg(ga_c64 v)  { ga_arg r = {}; r.kind = GA_KIND_COMPLEX; r.re = v.re; r.im = v.im; return r; }
static inline ga_arg gi_arg(ga_c128 v) { ga_arg r = {}; r.kind = GA_KIND_COMPLEX; r.re = v.re; r.im = v.im; return r; }
#define GA_ARG(v) gi_arg(v)

template <class... I> static inline ga_shape gi_shape(I... n)
{
    ga_shape r = { (int)sizeof...(n), { (int64_t)n... } };
    static_assert(sizeof...(n) <= GPUARR_MAX_DIMS, "more dimensions than GPUARR_MAX_DIMS");
    return r;
}
#define GI_SHAPE(...) gi_shape(__VA_ARGS__)

template <class T> struct gi_dtype_of;
#define GI_TRAIT(TAG, tag, T, name)                                                                                     \
    template <> struct gi_dtype_of<T> {                                                                                \
        static constexpr ga_dtype value = GA_##TAG;                                                                    \
    };
GI_EACH_DTYPE(GI_TRAIT)
#undef GI_TRAIT
template <class T> struct gi_dtype_of<const T> : gi_dtype_of<T> {
};
template <class T> static constexpr ga_dtype gi_dtype_at(T *) { return gi_dtype_of<T>::value; }
#define GA_DTYPE_OF(p) gi_dtype_at(p)

struct gi_list {
    const ga_array *a[64];
    int             n;
};
template <class... A> static inline gi_list gi_make_list(A... a)
{
    static_assert(sizeof...(a) <= 64, "more than 64 arrays: use the _n function");
    return { { a... }, (int)sizeof...(a) };
}
static inline ga_array *gi_concatenate(gi_list l, ga_axis_options o) { return (ga_concatenate_n)(l.n, l.a, o); }
static inline ga_array *gi_stack(gi_list l, ga_axis_options o) { return (ga_stack_n)(l.n, l.a, o); }
#define GI_LIST(...) gi_make_list(__VA_ARGS__)
#else
#define GI_OPTIONS(O, ...) ((O){ __VA_ARGS__ })
static inline ga_arg gi_arg_array(const ga_array *a) { return (ga_arg){ .array = a }; }
static inline ga_arg gi_arg_self(ga_arg a) { return a; }
static inline ga_arg gi_arg_bool(bool v) { return (ga_arg){ .kind = GA_KIND_BOOL, .i = v }; }
static inline ga_arg gi_arg_int(long long v) { return (ga_arg){ .kind = GA_KIND_INT, .i = v }; }
static inline ga_arg gi_arg_uint(unsigned long long v)
{
    return (ga_arg){ .kind = v > (unsigned long long)INT64_MAX ? GA_KIND_UINT : GA_KIND_INT, .i = (int64_t)v };
}
static inline ga_arg gi_arg_real(double v) { return (ga_arg){ .kind = GA_KIND_REAL, .re = v }; }
static inline ga_arg gi_arg_c64(ga_c64 v) { return (ga_arg){ .kind = GA_KIND_COMPLEX, .re = v.re, .im = v.im }; }
static inline ga_arg gi_arg_c128(ga_c128 v) { return (ga_arg){ .kind = GA_KIND_COMPLEX, .re = v.re, .im = v.im }; }
/* No `default:`, so that an operand of any other type is a compile error at the call. */
#define GA_ARG(v)                                                                                                      \
    _Generic((v), ga_array *: gi_arg_array, const ga_array *: gi_arg_array, ga_arg: gi_arg_self, bool: gi_arg_bool,    \
        char: gi_arg_int, signed char: gi_arg_int, unsigned char: gi_arg_int, short: gi_arg_int,                       \
        unsigned short: gi_arg_int, int: gi_arg_int, unsigned: gi_arg_int, long: gi_arg_int, long long: gi_arg_int,    \
        unsigned long: gi_arg_uint, unsigned long long: gi_arg_uint, float: gi_arg_real, double: gi_arg_real,          \
        ga_c64: gi_arg_c64, ga_c128: gi_arg_c128)(v)

#define GI_COUNT(...) ((int)(sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)))
#define GI_SHAPE(...) ((ga_shape){ GI_COUNT(__VA_ARGS__), { __VA_ARGS__ } })

#define GI_ASSOCIATE(TAG, tag, T, name) T * : GA_##TAG, const T * : GA_##TAG,
/* The dtype that a C pointer points to; a compile error if it is none. */
#define GA_DTYPE_OF(p)                                                                                                 \
    _Generic((p), GI_EACH_DTYPE(GI_ASSOCIATE) gi_buffer * : GA_DTYPE_DEFAULT)

typedef struct gi_list {
    const ga_array *const *a;
    int                    n;
} gi_list;
static inline ga_array *gi_concatenate(gi_list l, ga_axis_options o) { return (ga_concatenate_n)(l.n, l.a, o); }
static inline ga_array *gi_stack(gi_list l, ga_axis_options o) { return (ga_stack_n)(l.n, l.a, o); }
#define GI_LIST(...)                                                                                                   \
    ((gi_list){ (const ga_array *const[]){ __VA_ARGS__ },                                                              \
                (int)(sizeof((const ga_array *const[]){ __VA_ARGS__ }) / sizeof(const ga_array *)) })
#endif

/* The shapes of calls: a number is an argument passed as it is, N an operand (array or number), S a shape in parentheses, L a
   list of arrays in parentheses. What follows is options. */
#define GI_1(fn, O, here, a, ...)          (fn)(a, GI_OPTIONS(O, .site = here, __VA_ARGS__))
#define GI_2(fn, O, here, a, b, ...)       (fn)(a, b, GI_OPTIONS(O, .site = here, __VA_ARGS__))
#define GI_3(fn, O, here, a, b, c, ...)    (fn)(a, b, c, GI_OPTIONS(O, .site = here, __VA_ARGS__))
#define GI_4(fn, O, here, a, b, c, d, ...) (fn)(a, b, c, d, GI_OPTIONS(O, .site = here, __VA_ARGS__))
#define GI_N(fn, O, here, x, ...)          (fn)(GA_ARG(x), GI_OPTIONS(O, .site = here, __VA_ARGS__))
#define GI_NN(fn, O, here, x, y, ...)      (fn)(GA_ARG(x), GA_ARG(y), GI_OPTIONS(O, .site = here, __VA_ARGS__))
#define GI_NNN(fn, O, here, x, y, z, ...)  (fn)(GA_ARG(x), GA_ARG(y), GA_ARG(z), GI_OPTIONS(O, .site = here, __VA_ARGS__))
#define GI_1N(fn, O, here, a, x, ...)      (fn)(a, GA_ARG(x), GI_OPTIONS(O, .site = here, __VA_ARGS__))
#define GI_1NN(fn, O, here, a, x, y, ...)  (fn)(a, GA_ARG(x), GA_ARG(y), GI_OPTIONS(O, .site = here, __VA_ARGS__))
#define GI_S(fn, O, here, s, ...)          (fn)(GI_SHAPE s, GI_OPTIONS(O, .site = here, __VA_ARGS__))
#define GI_SN(fn, O, here, s, x, ...)      (fn)(GI_SHAPE s, GA_ARG(x), GI_OPTIONS(O, .site = here, __VA_ARGS__))
#define GI_1S(fn, O, here, a, s, ...)      (fn)(a, GI_SHAPE s, GI_OPTIONS(O, .site = here, __VA_ARGS__))
#define GI_2S(fn, O, here, a, b, s, ...)   (fn)(a, b, GI_SHAPE s, GI_OPTIONS(O, .site = here, __VA_ARGS__))
#define GI_PS(fn, O, here, p, s, ...)      (fn)(p, GA_DTYPE_OF(p), GI_SHAPE s, GI_OPTIONS(O, .site = here, __VA_ARGS__))
#define GI_PSS(fn, O, here, p, s, t, ...)                                                                              \
    (fn)(p, GA_DTYPE_OF(p), GI_SHAPE s, GI_SHAPE t, GI_OPTIONS(O, .site = here, __VA_ARGS__))
#define GI_L(fn, O, here, l, ...)          (fn)(GI_LIST l, GI_OPTIONS(O, .site = here, __VA_ARGS__))

/* A list of axes for an option: .axes = ga_axes(0, 2). And of widths: .after = ga_axes(1, 1). */
#define ga_axes(...) GI_SHAPE(__VA_ARGS__)

/* clang-format off */
#define ga_zeros(...)           GI_S(ga_zeros, ga_new_options, GI_SITE("ga_zeros(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_ones(...)            GI_S(ga_ones, ga_new_options, GI_SITE("ga_ones(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_empty(...)           GI_S(ga_empty, ga_new_options, GI_SITE("ga_empty(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_full(...)            GI_SN(ga_full, ga_new_options, GI_SITE("ga_full(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_zeros_n(...)         GI_2(ga_zeros_n, ga_new_options, GI_SITE("ga_zeros_n(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_empty_n(...)         GI_2(ga_empty_n, ga_new_options, GI_SITE("ga_empty_n(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_zeros_like(...)      GI_1(ga_zeros_like, ga_new_options, GI_SITE("ga_zeros_like(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_ones_like(...)       GI_1(ga_ones_like, ga_new_options, GI_SITE("ga_ones_like(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_empty_like(...)      GI_1(ga_empty_like, ga_new_options, GI_SITE("ga_empty_like(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_full_like(...)       GI_1N(ga_full_like, ga_new_options, GI_SITE("ga_full_like(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_scalar(...)          GI_N(ga_scalar, ga_new_options, GI_SITE("ga_scalar(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_arange(...)          GI_NNN(ga_arange, ga_new_options, GI_SITE("ga_arange(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_linspace(...)        GI_3(ga_linspace, ga_linspace_options, GI_SITE("ga_linspace(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_logspace(...)        GI_3(ga_logspace, ga_linspace_options, GI_SITE("ga_logspace(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_eye(...)             GI_3(ga_eye, ga_new_options, GI_SITE("ga_eye(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_meshgrid_n(n, in, outs, ij)   (ga_meshgrid_n)(n, in, outs, ij, GI_SITE("ga_meshgrid_n(" #n ", " #in ")"))
#define ga_meshgrid(x, y, xx, yy, ij)    (ga_meshgrid)(x, y, xx, yy, ij, GI_SITE("ga_meshgrid(" #x ", " #y ")"))
#define ga_indices(...)         GI_S(ga_indices, ga_new_options, GI_SITE("ga_indices(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_mgrid(...)           GI_1(ga_mgrid, ga_new_options, GI_SITE("ga_mgrid(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_tile(a, reps)        (ga_tile)(a, GI_SHAPE reps, GI_SITE("ga_tile(" #a ", " #reps ")"))
#define ga_repeat(...)          GI_2(ga_repeat, ga_axis_options, GI_SITE("ga_repeat(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_from(...)            GI_PS(ga_from, ga_new_options, GI_SITE("ga_from(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_wrap(...)            GI_PS(ga_wrap, ga_wrap_options, GI_SITE("ga_wrap(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_wrap_strided(...)    GI_PSS(ga_wrap_strided, ga_wrap_options, GI_SITE("ga_wrap_strided(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_random(...)          GI_S(ga_random, ga_random_options, GI_SITE("ga_random(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_random_integers(...) GI_2S(ga_random_integers, ga_random_options, GI_SITE("ga_random_integers(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_random_normal(...)   GI_2S(ga_random_normal, ga_random_options, GI_SITE("ga_random_normal(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_copy(a)              (ga_copy)(a, GI_SITE("ga_copy(" #a ")"))
#define ga_astype(a, dtype)     (ga_astype)(a, dtype, GI_SITE("ga_astype(" #a ", " #dtype ")"))
#define ga_to(a, device)        (ga_to)(a, device, GI_SITE("ga_to(" #a ", " #device ")"))
#define ga_ascontiguous(a)      (ga_ascontiguous)(a, GI_SITE("ga_ascontiguous(" #a ")"))
#define ga_item(a)              (ga_item)(a, GI_SITE("ga_item(" #a ")"))
#define ga_item_int(a)          (ga_item_int)(a, GI_SITE("ga_item_int(" #a ")"))
#define ga_item_at(a, ...)      (ga_item_at)(a, GI_SHAPE(__VA_ARGS__), GI_SITE("ga_item_at(" #a ", " #__VA_ARGS__ ")"))
#define ga_data(a, dtype)       (ga_data)(a, dtype, GI_SITE("ga_data(" #a ", " #dtype ")"))

#define ga_index(a, ...)        (ga_index)(GI_SITE("ga_index(" #a ", " #__VA_ARGS__ ")"), a, __VA_ARGS__)
#define ga_view(a)              (ga_view)(a, GI_SITE("ga_view(" #a ")"))
#define ga_view_as(a, dtype)    (ga_view_as)(a, dtype, GI_SITE("ga_view_as(" #a ", " #dtype ")"))
#define ga_reshape(a, shape)    (ga_reshape)(a, GI_SHAPE shape, GI_SITE("ga_reshape(" #a ", " #shape ")"))
#define ga_ravel(a)             (ga_ravel)(a, GI_SITE("ga_ravel(" #a ")"))
#define ga_flatten(a)           (ga_flatten)(a, GI_SITE("ga_flatten(" #a ")"))
#define ga_transpose(...)       GI_1(ga_transpose, ga_axes_options, GI_SITE("ga_transpose(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_swapaxes(a, i, j)    (ga_swapaxes)(a, i, j, GI_SITE("ga_swapaxes(" #a ", " #i ", " #j ")"))
#define ga_moveaxis(a, i, j)    (ga_moveaxis)(a, i, j, GI_SITE("ga_moveaxis(" #a ", " #i ", " #j ")"))
#define ga_squeeze(...)         GI_1(ga_squeeze, ga_axes_options, GI_SITE("ga_squeeze(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_expand_dims(a, axis) (ga_expand_dims)(a, axis, GI_SITE("ga_expand_dims(" #a ", " #axis ")"))
#define ga_broadcast_to(a, s)   (ga_broadcast_to)(a, GI_SHAPE s, GI_SITE("ga_broadcast_to(" #a ", " #s ")"))
#define ga_diagonal(a, offset)  (ga_diagonal)(a, offset, GI_SITE("ga_diagonal(" #a ", " #offset ")"))
#define ga_flip(...)            GI_1(ga_flip, ga_axes_options, GI_SITE("ga_flip(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_fliplr(a)            (ga_fliplr)(a, GI_SITE("ga_fliplr(" #a ")"))
#define ga_flipud(a)            (ga_flipud)(a, GI_SITE("ga_flipud(" #a ")"))
#define ga_rot90(a, k)          (ga_rot90)(a, k, GI_SITE("ga_rot90(" #a ", " #k ")"))

#define ga_where(...)           GI_1NN(ga_where, ga_map_options, GI_SITE("ga_where(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_isclose(...)         GI_NN(ga_isclose, ga_close_options, GI_SITE("ga_isclose(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_allclose(...)        GI_NN(ga_allclose, ga_close_options, GI_SITE("ga_allclose(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_array_equal(...)     GI_NN(ga_array_equal, ga_close_options, GI_SITE("ga_array_equal(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_copyto(...)          GI_1N(ga_copyto, ga_copyto_options, GI_SITE("ga_copyto(" #__VA_ARGS__ ")"), __VA_ARGS__, )

#define ga_var(...)             GI_1(ga_var, ga_reduce_options, GI_SITE("ga_var(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_std(...)             GI_1(ga_std, ga_reduce_options, GI_SITE("ga_std(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_nanmean(...)         GI_1(ga_nanmean, ga_reduce_options, GI_SITE("ga_nanmean(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_nanvar(...)          GI_1(ga_nanvar, ga_reduce_options, GI_SITE("ga_nanvar(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_nanstd(...)          GI_1(ga_nanstd, ga_reduce_options, GI_SITE("ga_nanstd(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_argmin(...)          GI_1(ga_argmin, ga_reduce_options, GI_SITE("ga_argmin(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_argmax(...)          GI_1(ga_argmax, ga_reduce_options, GI_SITE("ga_argmax(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_nanargmin(...)       GI_1(ga_nanargmin, ga_reduce_options, GI_SITE("ga_nanargmin(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_nanargmax(...)       GI_1(ga_nanargmax, ga_reduce_options, GI_SITE("ga_nanargmax(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_median(...)          GI_1(ga_median, ga_order_options, GI_SITE("ga_median(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_nanmedian(...)       GI_1(ga_nanmedian, ga_order_options, GI_SITE("ga_nanmedian(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_percentile(...)      GI_1N(ga_percentile, ga_order_options, GI_SITE("ga_percentile(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_nanpercentile(...)   GI_1N(ga_nanpercentile, ga_order_options, GI_SITE("ga_nanpercentile(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_cumsum(...)          GI_1(ga_cumsum, ga_axis_options, GI_SITE("ga_cumsum(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_cumprod(...)         GI_1(ga_cumprod, ga_axis_options, GI_SITE("ga_cumprod(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_norm(...)            GI_1(ga_norm, ga_norm_options, GI_SITE("ga_norm(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_dot(...)             GI_2(ga_dot, ga_map_options, GI_SITE("ga_dot(" #__VA_ARGS__ ")"), __VA_ARGS__, )

#define ga_concatenate(...)     GI_L(gi_concatenate, ga_axis_options, GI_SITE("ga_concatenate(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_concatenate_n(...)   GI_2(ga_concatenate_n, ga_axis_options, GI_SITE("ga_concatenate_n(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_stack(...)           GI_L(gi_stack, ga_axis_options, GI_SITE("ga_stack(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_stack_n(...)         GI_2(ga_stack_n, ga_axis_options, GI_SITE("ga_stack_n(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_split(...)           GI_3(ga_split, ga_axis_options, GI_SITE("ga_split(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_split_at(...)        GI_4(ga_split_at, ga_axis_options, GI_SITE("ga_split_at(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_roll(...)            GI_2(ga_roll, ga_axis_options, GI_SITE("ga_roll(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_pad(...)             GI_1S(ga_pad, ga_pad_options, GI_SITE("ga_pad(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_sort(...)            GI_1(ga_sort, ga_axis_options, GI_SITE("ga_sort(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_argsort(...)         GI_1(ga_argsort, ga_axis_options, GI_SITE("ga_argsort(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_unique(...)          GI_1(ga_unique, ga_unique_options, GI_SITE("ga_unique(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_nonzero(a)           (ga_nonzero)(a, GI_SITE("ga_nonzero(" #a ")"))
#define ga_compress(...)        GI_2(ga_compress, ga_axis_options, GI_SITE("ga_compress(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_extract(c, a)        (ga_extract)(c, a, GI_SITE("ga_extract(" #c ", " #a ")"))
#define ga_take(...)            GI_2(ga_take, ga_take_options, GI_SITE("ga_take(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_histogram(...)       GI_2(ga_histogram, ga_histogram_options, GI_SITE("ga_histogram(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_bincount(...)        GI_1(ga_bincount, ga_bincount_options, GI_SITE("ga_bincount(" #__VA_ARGS__ ")"), __VA_ARGS__, )

#define ga_label(...)           GI_1(ga_label, ga_label_options, GI_SITE("ga_label(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_sum_labels(a, l, i)  (ga_sum_labels)(a, l, i, GI_SITE("ga_sum_labels(" #a ", " #l ", " #i ")"))
#define ga_mean_labels(a, l, i) (ga_mean_labels)(a, l, i, GI_SITE("ga_mean_labels(" #a ", " #l ", " #i ")"))
#define ga_min_labels(a, l, i)  (ga_min_labels)(a, l, i, GI_SITE("ga_min_labels(" #a ", " #l ", " #i ")"))
#define ga_max_labels(a, l, i)  (ga_max_labels)(a, l, i, GI_SITE("ga_max_labels(" #a ", " #l ", " #i ")"))
#define ga_size_labels(l, i)    (ga_size_labels)(l, i, GI_SITE("ga_size_labels(" #l ", " #i ")"))
#define ga_center_of_mass(a, l, i) (ga_center_of_mass)(a, l, i, GI_SITE("ga_center_of_mass(" #a ", " #l ", " #i ")"))
#define ga_sigma_clip(...)      GI_1(ga_sigma_clip, ga_sigma_options, GI_SITE("ga_sigma_clip(" #__VA_ARGS__ ")"), __VA_ARGS__, )

#define ga_imsave(path, a)      (ga_imsave)(path, a, GI_SITE("ga_imsave(" #path ", " #a ")"))
#define ga_render(...)          GI_1(ga_render, ga_imshow_options, GI_SITE("ga_render(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_imshow(...)          GI_2(ga_imshow, ga_imshow_options, GI_SITE("ga_imshow(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_load(path)           (ga_load)(path, GI_SITE("ga_load(" #path ")"))
#define ga_save(path, a)        (ga_save)(path, a, GI_SITE("ga_save(" #path ", " #a ")"))
#define ga_load_from(path, name) (ga_load_from)(path, name, GI_SITE("ga_load_from(" #path ", " #name ")"))
#define ga_savez(path, n, names, arrays) (ga_savez)(path, n, names, arrays, GI_SITE("ga_savez(" #path ")"))
#define ga_fits_read(...)       GI_1(ga_fits_read, ga_fits_options, GI_SITE("ga_fits_read(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_fits_write(...)      GI_2(ga_fits_write, ga_fits_options, GI_SITE("ga_fits_write(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_print(...)           GI_1(ga_print, ga_print_options, GI_SITE("ga_print(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_to_string(...)       GI_1(ga_to_string, ga_print_options, GI_SITE("ga_to_string(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_benchmark(...)       GI_2(ga_benchmark, ga_benchmark_options, GI_SITE("ga_benchmark(" #__VA_ARGS__ ")"), __VA_ARGS__, )

/* Literal numbers as a new 1-D array: float64, int64. */
#ifdef __cplusplus
template <class... V> static inline ga_array *gi_values(const char *site, V... v)
{
    const double p[] = { (double)v... };
    return (ga_from)(p, GA_F64, gi_shape(sizeof...(v)), ga_new_options{ .site = site });
}
template <class... V> static inline ga_array *gi_ints(const char *site, V... v)
{
    const int64_t p[] = { (int64_t)v... };
    return (ga_from)(p, GA_I64, gi_shape(sizeof...(v)), ga_new_options{ .site = site });
}
#define ga_values(...)          gi_values(GI_SITE("ga_values(" #__VA_ARGS__ ")"), __VA_ARGS__)
#define ga_ints(...)            gi_ints(GI_SITE("ga_ints(" #__VA_ARGS__ ")"), __VA_ARGS__)
#else
#define ga_values(...) \
    (ga_from)((const double[]){ __VA_ARGS__ }, GA_F64, \
              ((ga_shape){ 1, { (int64_t)(sizeof((const double[]){ __VA_ARGS__ }) / sizeof(double)) } }), \
              (ga_new_options){ .site = GI_SITE("ga_values(" #__VA_ARGS__ ")") })
#define ga_ints(...) \
    (ga_from)((const int64_t[]){ __VA_ARGS__ }, GA_I64, ((ga_shape){ 1, { GI_COUNT(__VA_ARGS__) } }), \
              (ga_new_options){ .site = GI_SITE("ga_ints(" #__VA_ARGS__ ")") })
#endif

/* BEGIN GENERATED by `make front`: the rows' macros, because a macro cannot define macros */
#define ga_positive(...) GI_1(ga_positive, ga_map_options, GI_SITE("ga_positive(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_negative(...) GI_1(ga_negative, ga_map_options, GI_SITE("ga_negative(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_absolute(...) GI_1(ga_absolute, ga_map_options, GI_SITE("ga_absolute(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_sign(...) GI_1(ga_sign, ga_map_options, GI_SITE("ga_sign(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_square(...) GI_1(ga_square, ga_map_options, GI_SITE("ga_square(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_reciprocal(...) GI_1(ga_reciprocal, ga_map_options, GI_SITE("ga_reciprocal(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_sqrt(...) GI_1(ga_sqrt, ga_map_options, GI_SITE("ga_sqrt(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_conj(...) GI_1(ga_conj, ga_map_options, GI_SITE("ga_conj(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_real(...) GI_1(ga_real, ga_map_options, GI_SITE("ga_real(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_imag(...) GI_1(ga_imag, ga_map_options, GI_SITE("ga_imag(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_floor(...) GI_1(ga_floor, ga_map_options, GI_SITE("ga_floor(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_ceil(...) GI_1(ga_ceil, ga_map_options, GI_SITE("ga_ceil(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_trunc(...) GI_1(ga_trunc, ga_map_options, GI_SITE("ga_trunc(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_rint(...) GI_1(ga_rint, ga_map_options, GI_SITE("ga_rint(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_isnan(...) GI_1(ga_isnan, ga_map_options, GI_SITE("ga_isnan(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_isinf(...) GI_1(ga_isinf, ga_map_options, GI_SITE("ga_isinf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_isfinite(...) GI_1(ga_isfinite, ga_map_options, GI_SITE("ga_isfinite(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_signbit(...) GI_1(ga_signbit, ga_map_options, GI_SITE("ga_signbit(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_invert(...) GI_1(ga_invert, ga_map_options, GI_SITE("ga_invert(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_logical_not(...) GI_1(ga_logical_not, ga_map_options, GI_SITE("ga_logical_not(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_exp(...) GI_1(ga_exp, ga_map_options, GI_SITE("ga_exp(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_exp2(...) GI_1(ga_exp2, ga_map_options, GI_SITE("ga_exp2(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_expm1(...) GI_1(ga_expm1, ga_map_options, GI_SITE("ga_expm1(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_log(...) GI_1(ga_log, ga_map_options, GI_SITE("ga_log(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_log2(...) GI_1(ga_log2, ga_map_options, GI_SITE("ga_log2(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_log10(...) GI_1(ga_log10, ga_map_options, GI_SITE("ga_log10(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_log1p(...) GI_1(ga_log1p, ga_map_options, GI_SITE("ga_log1p(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_sin(...) GI_1(ga_sin, ga_map_options, GI_SITE("ga_sin(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_cos(...) GI_1(ga_cos, ga_map_options, GI_SITE("ga_cos(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_tan(...) GI_1(ga_tan, ga_map_options, GI_SITE("ga_tan(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_arcsin(...) GI_1(ga_arcsin, ga_map_options, GI_SITE("ga_arcsin(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_arccos(...) GI_1(ga_arccos, ga_map_options, GI_SITE("ga_arccos(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_arctan(...) GI_1(ga_arctan, ga_map_options, GI_SITE("ga_arctan(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_sinh(...) GI_1(ga_sinh, ga_map_options, GI_SITE("ga_sinh(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_cosh(...) GI_1(ga_cosh, ga_map_options, GI_SITE("ga_cosh(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_tanh(...) GI_1(ga_tanh, ga_map_options, GI_SITE("ga_tanh(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_arcsinh(...) GI_1(ga_arcsinh, ga_map_options, GI_SITE("ga_arcsinh(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_arccosh(...) GI_1(ga_arccosh, ga_map_options, GI_SITE("ga_arccosh(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_arctanh(...) GI_1(ga_arctanh, ga_map_options, GI_SITE("ga_arctanh(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_cbrt(...) GI_1(ga_cbrt, ga_map_options, GI_SITE("ga_cbrt(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_add(...) GI_NN(ga_add, ga_map_options, GI_SITE("ga_add(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_subtract(...) GI_NN(ga_subtract, ga_map_options, GI_SITE("ga_subtract(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_multiply(...) GI_NN(ga_multiply, ga_map_options, GI_SITE("ga_multiply(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_divide(...) GI_NN(ga_divide, ga_map_options, GI_SITE("ga_divide(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_floor_divide(...) GI_NN(ga_floor_divide, ga_map_options, GI_SITE("ga_floor_divide(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_remainder(...) GI_NN(ga_remainder, ga_map_options, GI_SITE("ga_remainder(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_fmod(...) GI_NN(ga_fmod, ga_map_options, GI_SITE("ga_fmod(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_maximum(...) GI_NN(ga_maximum, ga_map_options, GI_SITE("ga_maximum(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_minimum(...) GI_NN(ga_minimum, ga_map_options, GI_SITE("ga_minimum(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_fmax(...) GI_NN(ga_fmax, ga_map_options, GI_SITE("ga_fmax(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_fmin(...) GI_NN(ga_fmin, ga_map_options, GI_SITE("ga_fmin(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_copysign(...) GI_NN(ga_copysign, ga_map_options, GI_SITE("ga_copysign(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_bitwise_and(...) GI_NN(ga_bitwise_and, ga_map_options, GI_SITE("ga_bitwise_and(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_bitwise_or(...) GI_NN(ga_bitwise_or, ga_map_options, GI_SITE("ga_bitwise_or(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_bitwise_xor(...) GI_NN(ga_bitwise_xor, ga_map_options, GI_SITE("ga_bitwise_xor(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_left_shift(...) GI_NN(ga_left_shift, ga_map_options, GI_SITE("ga_left_shift(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_right_shift(...) GI_NN(ga_right_shift, ga_map_options, GI_SITE("ga_right_shift(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_logical_and(...) GI_NN(ga_logical_and, ga_map_options, GI_SITE("ga_logical_and(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_logical_or(...) GI_NN(ga_logical_or, ga_map_options, GI_SITE("ga_logical_or(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_logical_xor(...) GI_NN(ga_logical_xor, ga_map_options, GI_SITE("ga_logical_xor(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_equal(...) GI_NN(ga_equal, ga_map_options, GI_SITE("ga_equal(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_not_equal(...) GI_NN(ga_not_equal, ga_map_options, GI_SITE("ga_not_equal(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_less(...) GI_NN(ga_less, ga_map_options, GI_SITE("ga_less(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_less_equal(...) GI_NN(ga_less_equal, ga_map_options, GI_SITE("ga_less_equal(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_greater(...) GI_NN(ga_greater, ga_map_options, GI_SITE("ga_greater(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_greater_equal(...) GI_NN(ga_greater_equal, ga_map_options, GI_SITE("ga_greater_equal(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_power(...) GI_NN(ga_power, ga_map_options, GI_SITE("ga_power(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_arctan2(...) GI_NN(ga_arctan2, ga_map_options, GI_SITE("ga_arctan2(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_hypot(...) GI_NN(ga_hypot, ga_map_options, GI_SITE("ga_hypot(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_nextafter(...) GI_NN(ga_nextafter, ga_map_options, GI_SITE("ga_nextafter(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_logaddexp(...) GI_NN(ga_logaddexp, ga_map_options, GI_SITE("ga_logaddexp(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_multiply_add(...) GI_NNN(ga_multiply_add, ga_map_options, GI_SITE("ga_multiply_add(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_clip(...) GI_NNN(ga_clip, ga_map_options, GI_SITE("ga_clip(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_sum(...) GI_1(ga_sum, ga_reduce_options, GI_SITE("ga_sum(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_prod(...) GI_1(ga_prod, ga_reduce_options, GI_SITE("ga_prod(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_mean(...) GI_1(ga_mean, ga_reduce_options, GI_SITE("ga_mean(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_min(...) GI_1(ga_min, ga_reduce_options, GI_SITE("ga_min(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_max(...) GI_1(ga_max, ga_reduce_options, GI_SITE("ga_max(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_any(...) GI_1(ga_any, ga_reduce_options, GI_SITE("ga_any(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_all(...) GI_1(ga_all, ga_reduce_options, GI_SITE("ga_all(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_count_nonzero(...) GI_1(ga_count_nonzero, ga_reduce_options, GI_SITE("ga_count_nonzero(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_nansum(...) GI_1(ga_nansum, ga_reduce_options, GI_SITE("ga_nansum(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_nanprod(...) GI_1(ga_nanprod, ga_reduce_options, GI_SITE("ga_nanprod(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_nanmin(...) GI_1(ga_nanmin, ga_reduce_options, GI_SITE("ga_nanmin(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_nanmax(...) GI_1(ga_nanmax, ga_reduce_options, GI_SITE("ga_nanmax(" #__VA_ARGS__ ")"), __VA_ARGS__, )
/* END GENERATED */
/* clang-format on */

/* ga_scope { ... }: what is created inside is released at the end, except what ga_keep hands out. */
typedef struct gi_scope {
    struct gi_scope *outer;
    ga_array        *first;
    int              open;
} gi_scope;
#ifdef __cplusplus
extern "C" {
#endif
gi_scope *gi_scope_begin(gi_scope *s);
void      gi_scope_end(gi_scope *s);
#ifdef __cplusplus
}
struct gi_scope_guard : gi_scope {
    gi_scope_guard() { gi_scope_begin(this); }
    ~gi_scope_guard() { gi_scope_end(this); }
    gi_scope_guard(const gi_scope_guard &) = delete;
};
#define GI_SCOPE(name) for (gi_scope_guard name; name.open; name.open = 0)
#else
#define GI_SCOPE(name)                                                                                                 \
    for (__attribute__((cleanup(gi_scope_end))) gi_scope name = *gi_scope_begin(&name); name.open; name.open = 0)
#endif
#define GI_JOIN_(a, b) a##b
#define GI_JOIN(a, b)  GI_JOIN_(a, b)
#define ga_scope       GI_SCOPE(GI_JOIN(gi_scope_, __LINE__))

#endif /* GPUARR_INCLUDED */

/* ################################################################################################################## */
#if defined(GPUARR_IMPLEMENTATION) && !defined(GPUARR_IMPLEMENTED)
#define GPUARR_IMPLEMENTED
#include "parts/runtime.h"
#include "parts/formulas.h"
#include "gpuarr_cpu.h"
#ifdef GI_DEV
#include GI_DEV
#else
#include "parts/map.h"
#include "parts/views.h"
#include "parts/creation.h"
#include "parts/reduce.h"
#include "parts/rearrange.h"
#include "parts/images.h"
#include "parts/text.h"
#include "parts/files.h"
#include "parts/fits.h"
#endif
#endif /* GPUARR_IMPLEMENTATION */
#endif /* GA_TABLE */
