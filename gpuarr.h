/*  gpuarr.h -- arrays for C, on the CPU and on CUDA, from one definition.

    In ONE source file of your program:          In every other file:
        #define GPUARR_IMPLEMENTATION                #include "gpuarr.h"
        #include "gpuarr.h"

    Build:   cc main.c -lm -lpthread             (gcc or clang, C11 and later, or C++20; no other flag is needed)
    A GPU:   nvcc -c impl.cu, the ONE file being a .cu; the rest of the program stays C. Section >>cuda has the calls for it.
    For faster builds: -DGPUARR_FEW_DTYPES leaves out the loops for all dtypes but bool, uint8, int32, int64, uint64, float32, float64.
    Optional libraries, named in the error when a call needs one that is missing:
             PNG: stb_image_write.h, found by itself (GPUARR_NO_STB: not used)
             FITS: CFITSIO, with -DGPUARR_USE_CFITSIO and -lcfitsio
             convolution by Fourier transforms: FFTW, with -DGPUARR_USE_FFTW and -lfftw3 -lfftw3f; on a GPU cuFFT,
             with -DGPUARR_USE_CUFFT and -lcufft
             large matrix products: any CBLAS, with -DGPUARR_USE_CBLAS and -lopenblas; on the GPU -DGPUARR_USE_CUBLAS and -lcublas
             (there is a product of our own; the library's may be faster, but has other last bits)

    What a person needs to remember
      * Names, defaults and results are NumPy's and SciPy's, with ga_ in front. Where they differ, the README says so.
      * Shapes are written as in NumPy, in parentheses: ga_zeros((300, 600, 3)). The default dtype is float64.
      * Options are named, in any number: ga_sum(a, .axis = 0, .keepdims = true). In C++ in the order of their declaration.
      * Operands are arrays or plain C numbers: ga_add(a, 2). A number adopts the dtype of the array.
      * Views share memory: ga_index(a, "::2, -1") costs nothing. Free each array, or let ga_scope { ... } do it.
      * Nothing aborts. A failed call returns NULL, NULL in gives NULL out, the first error is kept as a sentence: ga_error().

    Find your way with a search for ">>":
        >>table         every elementwise operation and simple reduction, one line each
        >>passes        this file includes itself: once per element type (>>primitives, conversions, >>rows)
        the public API: >>dtypes  >>array  >>errors  >>memory  >>creation  >>views  >>elementwise  >>reductions
                        >>rearranging  >>products  >>convolution  >>filters  >>images  >>distances  >>files  >>timing
                        >>cuda (GPUs, streams, events)  >>front
    and, behind GPUARR_IMPLEMENTATION:
        >>runtime       errors, dtypes, memory, scopes, threads
        >>formulas      arithmetic of one element, >>elementary functions (exp, sin, power ...)
        >>map           elementwise calls: shapes and dtypes, then a kernel tile by tile; copies, casts, where
        >>views  >>creation  >>reduce  >>rearranging  >>products  >>convolution  >>filters  >>order (medians)  >>images  >>distances
        >>text  >>npy  >>timing  >>pictures  >>fits
    The loops themselves are in gpuarr_cpu.h, the GPU's kernels in gpuarr_cuda.h.
    Names with gi_ or GI_ are internal.                                                                               */

/* ==== >>table: the only place where an operation is defined ======================================================= */
/*  To walk the table: define the row macros that you care for, then GA_TABLE, then include this file.

    A formula is an expression of x, y and z, all of the element type T. So that it means the same for every T, every
    compiler and the GPU, sums and products are written GA_ADD(x, y), GA_SUB, GA_MUL, GA_DIV (integers wrap, complex
    numbers work, nothing is fused behind your back); GA_FMA(x, y, z) is the fused one. GA_FN(name)(x) calls the function
    gi_name_T of section >>primitives.

    dtypes:  ALL every dtype . ARITH all but bool . REAL integers and floats . ORDER bool, integers, floats
             INT integers . BITS bool and integers . FLT float32, float64 . FLTC floats and complex . TRUTH all, as bool
             CPX complex; to real numbers the row does nothing . SWAP all, by another row with the operands exchanged
             An operand of another dtype is promoted to the first one of the row that holds it, as NumPy does (no float16);
             what is the same for integers as another row, or does nothing to them, is only stamped for floats.
    result:  SAME the element type . BOOL . PART the real type of a complex one
    An ELEMENTARY row has three functions in place of a formula: gi_name_core_T (fast, vectorised), gi_name_rare_T
    (where the core must not be trusted) and gi_name_slow_T (right there).

    Rows of your own can stand in a file of yours: -DGPUARR_USER_TABLE='"my_rows.h"', in every file that includes this one.
    Functions that their formulas call, written with GA_T and GA_FN(name), come from -DGPUARR_USER_FORMULAS='"my_formulas.h"', which is
    included once for each element type. Front macro: #define ga_name(...) GA_CALL_1(ga_name, __VA_ARGS__), or _2, _3 operands. */
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
#ifndef GA_FOLD
#define GA_FOLD(...)
#endif
/* clang-format off */
/*              name         dtypes result formula of x                    example       what it computes                     */
GA_UNARY(       positive,     CPX,   SAME, x,                              (2, 2),       "x itself"                           )
GA_UNARY(       negative,     ARITH, SAME, GA_NEG(x),                      (2, -2),      "-x"                                 )
GA_UNARY(       absolute,     ALL,   PART, GA_FN(abs)(x),                  (-2, 2),      "absolute value, length if complex"  )
GA_UNARY(       sign,         ARITH, SAME, GA_FN(sign)(x),                 (-2, -1),     "-1, 0 or 1; x / |x| if complex"     )
GA_UNARY(       square,       ARITH, SAME, GA_MUL(x, x),                   (3, 9),       "x * x"                              )
GA_UNARY(       reciprocal,   ARITH, SAME, GA_FN(reciprocal)(x),           (1, 1),       "1 / x"                              )
GA_UNARY(       sqrt,         FLT,   SAME, GA_FN(sqrt)(x),                 (9, 3),       "square root, NaN for x < 0"         )
GA_UNARY(       conj,         CPX,   SAME, GA_FN(conj)(x),                 (2, 2),       "complex conjugate"                  )
GA_UNARY(       real,         CPX,   PART, GA_FN(real)(x),                 (2, 2),       "real part"                          )
GA_UNARY(       imag,         ALL,   PART, GA_FN(imag)(x),                 (2, 0),       "imaginary part"                     )
GA_UNARY(       floor,        FLT,   SAME, GA_FN(floor)(x),                (2, 2),       "largest integer <= x"               )
GA_UNARY(       ceil,         FLT,   SAME, GA_FN(ceil)(x),                 (2, 2),       "smallest integer >= x"              )
GA_UNARY(       trunc,        FLT,   SAME, GA_FN(trunc)(x),                (2, 2),       "x without its fraction"             )
GA_UNARY(       rint,         FLT,   SAME, GA_FN(rint)(x),                 (2.5, 2),     "nearest integer, halves to even"    )
GA_UNARY(       isnan,        FLTC,  BOOL, GA_FN(isnan)(x),                (1, 0),       "is x not a number?"                 )
GA_UNARY(       isinf,        FLTC,  BOOL, GA_FN(isinf)(x),                (1, 0),       "is x infinite?"                     )
GA_UNARY(       isfinite,     FLTC,  BOOL, GA_FN(isfinite)(x),             (1, 1),       "is x neither infinite nor NaN?"     )
GA_UNARY(       signbit,      FLT,   BOOL, GA_FN(signbit)(x),              (-2, 1),      "is the sign bit set?"               )
GA_UNARY(       invert,       BITS,  SAME, GA_FN(invert)(x),               (0, ~0),      "every bit turned; not, for bool"    )
GA_UNARY(       logical_not,  TRUTH, BOOL, !GA_FN(truth)(x),               (2, 0),       "is x zero?"                         )

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
GA_BINARY(      fmax,         FLT,   SAME, GA_FN(fmax)(x, y),              (2, 3, 3),    "the larger one, NaN ignored"        )
GA_BINARY(      fmin,         FLT,   SAME, GA_FN(fmin)(x, y),              (2, 3, 2),    "the smaller one, NaN ignored"       )
GA_BINARY(      copysign,     FLT,   SAME, GA_FN(copysign)(x, y),          (2, -3, -2),  "x with the sign of y"               )
GA_BINARY(      bitwise_and,  BITS,  SAME, (GA_T)(x & y),                  (6, 3, 2),    "bits set in both"                   )
GA_BINARY(      bitwise_or,   BITS,  SAME, (GA_T)(x | y),                  (6, 3, 7),    "bits set in either"                 )
GA_BINARY(      bitwise_xor,  BITS,  SAME, (GA_T)(x ^ y),                  (6, 3, 5),    "bits set in one of the two"         )
GA_BINARY(      left_shift,   INT,   SAME, GA_FN(left_shift)(x, y),        (3, 2, 12),   "x * 2**y, 0 past the width"         )
GA_BINARY(      right_shift,  INT,   SAME, GA_FN(right_shift)(x, y),       (12, 2, 3),   "x / 2**y rounded down"              )
GA_BINARY(      logical_and,  TRUTH, BOOL, GA_FN(truth)(x) && GA_FN(truth)(y), (2, 0, 0), "are both nonzero?"                )
GA_BINARY(      logical_or,   TRUTH, BOOL, GA_FN(truth)(x) || GA_FN(truth)(y), (2, 0, 1), "is either nonzero?"               )
GA_BINARY(      logical_xor,  TRUTH, BOOL, GA_FN(truth)(x) != GA_FN(truth)(y), (2, 0, 1), "is exactly one nonzero?"          )
GA_BINARY(      equal,        ALL,   BOOL, GA_FN(equal)(x, y),             (2, 2, 1),    "x == y"                             )
GA_BINARY(      not_equal,    ALL,   BOOL, !GA_FN(equal)(x, y),            (2, 2, 0),    "x != y"                             )
GA_BINARY(      less,         ALL,   BOOL, GA_FN(less)(x, y),              (2, 3, 1),    "x < y"                              )
GA_BINARY(      less_equal,   ALL,   BOOL, GA_FN(less_equal)(x, y),        (2, 3, 1),    "x <= y"                             )
GA_BINARY(      greater,      SWAP,  BOOL, GA_FN(less)(y, x),              (2, 3, 0),    "x > y"                              )
GA_BINARY(      greater_equal, SWAP, BOOL, GA_FN(less_equal)(y, x),        (2, 3, 0),    "x >= y"                             )

/*              name                       dtypes  example          what it computes                                          */
GA_ELEMENTARY2( power,                     REAL,   (2, 3, 8),       "x to the power y"                                        )
GA_ELEMENTARY2( arctan2,                   FLT,    (0, 1, 0),       "angle of the point (y, x), first argument y"             )
GA_ELEMENTARY2( hypot,                     FLT,    (3, 4, 5),       "length of the vector (x, y)"                             )
GA_ELEMENTARY2( nextafter,                 FLT,    (2, 2, 2),       "the next number after x towards y"                       )
GA_ELEMENTARY2( logaddexp,                 FLT,    (-INFINITY, 0, 0), "log(exp(x) + exp(y))"                                  )

/*              name          dtypes result formula of x, y, z             example       what it computes                     */
GA_TERNARY(     multiply_add, ARITH, SAME, GA_ADD(GA_MUL(x, y), z),        (2, 3, 4, 10), "x * y + z in one pass"             )
GA_TERNARY(     clip,         ORDER, SAME, GA_FN(minimum)(GA_FN(maximum)(x, y), z), (7, 2, 5, 5), "x limited to [y, z]"       )

/*  A fold starts from `start` (NONE: an empty array is an error), takes each element through `of x`, joins two by `join a, b`
    along the documented tree, and makes the result by `end a, n`.
    acc: what it adds in: WIDE int64, uint64, float64, complex128 . MEAN float64, complex128 . SAME the element type . BOOL .
    COUNT int64.    result: SUM the dtype of NumPy's sum . AVERAGE that of NumPy's mean . SAME . BOOL . COUNT int64            */
/*              name           dtypes acc    result   start of x                                  join a, b             end a, n              {1,2,3} */
GA_FOLD(        sum,           ALL,   WIDE,  SUM,     0,    GA_WIDEN(x),                          GA_WIDE_ADD(a, b),    a,                    6, "sum"                       )
GA_FOLD(        prod,          ALL,   WIDE,  SUM,     1,    GA_WIDEN(x),                          GA_WIDE_MUL(a, b),    a,                    6, "product"                   )
GA_FOLD(        mean,          ALL,   MEAN,  AVERAGE, 0,    GA_MEAN_OF(x),                        GA_MEAN_ADD(a, b),    GA_MEAN_OVER(a, n),   2, "arithmetic mean"           )
GA_FOLD(        min,           ALL,   SAME,  SAME,    NONE, x,                                    GA_FN(minimum)(a, b), a,                    1, "smallest element"          )
GA_FOLD(        max,           ALL,   SAME,  SAME,    NONE, x,                                    GA_FN(maximum)(a, b), a,                    3, "largest element"           )
GA_FOLD(        any,           TRUTH, BOOL,  BOOL,    0,    GA_FN(truth)(x),                      (a | b),              a,                    1, "is any element nonzero?"   )
GA_FOLD(        all,           TRUTH, BOOL,  BOOL,    1,    GA_FN(truth)(x),                      (a & b),              a,                    1, "are all nonzero?"          )
GA_FOLD(        count_nonzero, TRUTH, COUNT, COUNT,   0,    GA_FN(truth)(x),                      a + b,                a,                    3, "how many are not zero"     )
GA_FOLD(        nansum,        FLTC,  WIDE,  SUM,     0,    GA_WIDEN(GA_FN(nan_to)(x, 0)),        GA_WIDE_ADD(a, b),    a,                    6, "sum without the NaNs"      )
GA_FOLD(        nanprod,       FLTC,  WIDE,  SUM,     1,    GA_WIDEN(GA_FN(nan_to)(x, 1)),        GA_WIDE_MUL(a, b),    a,                    6, "product without the NaNs"  )
GA_FOLD(        nanmin,        FLT,   SAME,  SAME,    NONE, x,                                    GA_FN(fmin)(a, b),    a,                    1, "smallest without the NaNs" )
GA_FOLD(        nanmax,        FLT,   SAME,  SAME,    NONE, x,                                    GA_FN(fmax)(a, b),    a,                    3, "largest without the NaNs"  )
/* clang-format on */
#ifdef GPUARR_USER_TABLE
#include GPUARR_USER_TABLE
#endif
#undef GA_UNARY
#undef GA_BINARY
#undef GA_TERNARY
#undef GA_ELEMENTARY
#undef GA_ELEMENTARY2
#undef GA_FOLD
#undef GA_TABLE

#elif defined(GI_PASS) && !defined(GA_TAG)
/* ==== a pass: this file once more for each element type ============================================================== */
#if defined(GPUARR_FEW_DTYPES) && GI_PASS >= 4
#define GI_FEW 1
#endif
#define GA_TAG b8
#include "gpuarr.h"
#undef GA_TAG
#ifndef GI_FEW
#define GA_TAG i8
#include "gpuarr.h"
#undef GA_TAG
#endif
#define GA_TAG u8
#include "gpuarr.h"
#undef GA_TAG
#ifndef GI_FEW
#define GA_TAG i16
#include "gpuarr.h"
#undef GA_TAG
#define GA_TAG u16
#include "gpuarr.h"
#undef GA_TAG
#endif
#define GA_TAG i32
#include "gpuarr.h"
#undef GA_TAG
#ifndef GI_FEW
#define GA_TAG u32
#include "gpuarr.h"
#undef GA_TAG
#endif
#define GA_TAG i64
#include "gpuarr.h"
#undef GA_TAG
#define GA_TAG u64
#include "gpuarr.h"
#undef GA_TAG
#define GA_TAG f32
#include "gpuarr.h"
#undef GA_TAG
#define GA_TAG f64
#include "gpuarr.h"
#undef GA_TAG
#ifndef GI_FEW
#define GA_TAG c64
#include "gpuarr.h"
#undef GA_TAG
#define GA_TAG c128
#include "gpuarr.h"
#undef GA_TAG
#endif
#undef GI_FEW

#elif defined(GI_PASS)
/* ==== >>passes: one element type. GA_TAG is its tag, GA_T its C type ================================================== */
/*  GI_PASS says what is stamped: 1 the primitives, 2 conversions, 3 the formulas of the rows, 4 the loops of gpuarr_cpu.h, 5 the kernels
    of gpuarr_cuda.h.                                                                                                          */

/* Which groups of the table's column `dtypes` the type belongs to: GI_IF_INT(code) is code or nothing. */
#undef GI_IF_ALL
#undef GI_IF_ARITH
#undef GI_IF_REAL
#undef GI_IF_ORDER
#undef GI_IF_INT
#undef GI_IF_BITS
#undef GI_IF_FLT
#undef GI_IF_FLTC
#define GI_IF_ALL(...) __VA_ARGS__
#if GI_CLASS != 0
#define GI_IF_ARITH(...) __VA_ARGS__
#else
#define GI_IF_ARITH(...)
#endif
#if GI_CLASS != 0 && GI_CLASS != 4
#define GI_IF_REAL(...) __VA_ARGS__
#else
#define GI_IF_REAL(...)
#endif
#if GI_CLASS != 4
#define GI_IF_ORDER(...) __VA_ARGS__
#else
#define GI_IF_ORDER(...)
#endif
#if GI_CLASS == 1 || GI_CLASS == 2
#define GI_IF_INT(...) __VA_ARGS__
#else
#define GI_IF_INT(...)
#endif
#if GI_CLASS <= 2
#define GI_IF_BITS(...) __VA_ARGS__
#else
#define GI_IF_BITS(...)
#endif
#if GI_CLASS == 3
#define GI_IF_FLT(...) __VA_ARGS__
#else
#define GI_IF_FLT(...)
#endif
#if GI_CLASS >= 3
#define GI_IF_FLTC(...) __VA_ARGS__
#else
#define GI_IF_FLTC(...)
#endif
#undef GI_IF_CPX
#if GI_CLASS == 4
#define GI_IF_CPX(...) __VA_ARGS__
#else
#define GI_IF_CPX(...)
#endif
#undef GI_IF_SWAP
#define GI_IF_SWAP(...)
#undef GI_IF_TRUTH
#if GI_CLASS == 0
#define GI_IF_TRUTH(...) __VA_ARGS__
#else
#define GI_IF_TRUTH(...)
#endif
/* Is the current type the accumulator of its own sums? */
#undef GI_OWN_WIDE
#undef GI_OWN_MEAN
#undef GI_OWN_SAME
#undef GI_OWN_BOOL
#undef GI_OWN_COUNT
#if GI_JOIN(GI_WIDEST_, GA_TAG)
#define GI_OWN_WIDE(...) __VA_ARGS__
#else
#define GI_OWN_WIDE(...)
#endif
#if GI_JOIN(GI_WIDEST_, GA_TAG) && GI_CLASS >= 3
#define GI_OWN_MEAN(...) __VA_ARGS__
#else
#define GI_OWN_MEAN(...)
#endif
#define GI_OWN_SAME(...)  __VA_ARGS__
#define GI_OWN_BOOL(...)  __VA_ARGS__
#define GI_OWN_COUNT(...) __VA_ARGS__

#if GI_PASS == 1

/* ---- >>primitives: what the formulas are written in ---------------------------------------------------------------- */

#if GI_CLASS == 0
GI_FORMULA bool gi_truth_b8(bool x) { return x; }
GI_FORMULA bool gi_from_int_b8(int v) { return v != 0; }
GI_FORMULA bool gi_add_b8(bool a, bool b) { return a | b; }
GI_FORMULA bool gi_mul_b8(bool a, bool b) { return a & b; }
GI_FORMULA bool gi_abs_b8(bool x) { return x; }
GI_FORMULA bool gi_invert_b8(bool x) { return !x; }
GI_FORMULA bool gi_equal_b8(bool a, bool b) { return a == b; }
GI_FORMULA bool gi_less_b8(bool a, bool b) { return a < b; }
GI_FORMULA bool gi_less_equal_b8(bool a, bool b) { return a <= b; }
GI_FORMULA bool gi_maximum_b8(bool a, bool b) { return a | b; }
GI_FORMULA bool gi_minimum_b8(bool a, bool b) { return a & b; }

#elif GI_CLASS == 1 || GI_CLASS == 2
/* Sums and products wrap: they are computed in an unsigned type, where that is defined. */
#define GI_W GI_JOIN(gi_wrap_, GA_TAG)
GI_FORMULA bool GA_FN(truth)(GA_T x) { return x != 0; }
GI_FORMULA GA_T GA_FN(from_int)(int v) { return (GA_T)v; }
GI_FORMULA GA_T GA_FN(add)(GA_T a, GA_T b) { return (GA_T)((GI_W)a + (GI_W)b); }
GI_FORMULA GA_T GA_FN(sub)(GA_T a, GA_T b) { return (GA_T)((GI_W)a - (GI_W)b); }
GI_FORMULA GA_T GA_FN(mul)(GA_T a, GA_T b) { return (GA_T)((GI_W)a * (GI_W)b); }
GI_FORMULA GA_T GA_FN(neg)(GA_T x) { return (GA_T)((GI_W)0 - (GI_W)x); }
GI_FORMULA GA_T GA_FN(invert)(GA_T x) { return (GA_T)~x; }
GI_FORMULA bool GA_FN(equal)(GA_T a, GA_T b) { return a == b; }
GI_FORMULA bool GA_FN(less)(GA_T a, GA_T b) { return a < b; }
GI_FORMULA bool GA_FN(less_equal)(GA_T a, GA_T b) { return a <= b; }
GI_FORMULA GA_T GA_FN(maximum)(GA_T a, GA_T b) { return a > b ? a : b; }
GI_FORMULA GA_T GA_FN(minimum)(GA_T a, GA_T b) { return a < b ? a : b; }
enum { GA_FN(bits) = 8 * sizeof(GA_T) };
#if GI_CLASS == 1
GI_FORMULA GA_T GA_FN(abs)(GA_T x) { return x < 0 ? GA_FN(neg)(x) : x; }
GI_FORMULA GA_T GA_FN(sign)(GA_T x) { return (GA_T)((x > 0) - (x < 0)); }
GI_FORMULA GA_T GA_FN(reciprocal)(GA_T x) { return (GA_T)(x == 1 || x == -1 ? x : 0); } /* 1 / 0 gives 0 */
/* Division by zero gives 0, as in NumPy; so does the one quotient that does not fit, MIN / -1, which wraps to MIN. */
GI_FORMULA GA_T GA_FN(fmod)(GA_T x, GA_T y) { return y == 0 || y == -1 ? (GA_T)0 : (GA_T)(x % y); }
GI_FORMULA GA_T GA_FN(remainder)(GA_T x, GA_T y)
{
    GA_T r = GA_FN(fmod)(x, y);
    return r != 0 && (r < 0) != (y < 0) ? (GA_T)(r + y) : r;
}
GI_FORMULA GA_T GA_FN(floor_divide)(GA_T x, GA_T y)
{
    if (y == 0) return 0;
    if (y == -1) return GA_FN(neg)(x);
    return (GA_T)(x / y - (x % y != 0 && (x < 0) != (y < 0)));
}
GI_FORMULA GA_T GA_FN(left_shift)(GA_T x, GA_T y) { return y >= 0 && y < GA_FN(bits) ? (GA_T)((GI_W)x << y) : (GA_T)0; }
GI_FORMULA GA_T GA_FN(right_shift)(GA_T x, GA_T y)
{
    return y >= 0 && y < GA_FN(bits) ? (GA_T)(x >> y) : (GA_T)(x < 0 ? -1 : 0);
}
#else
GI_FORMULA GA_T GA_FN(abs)(GA_T x) { return x; }
GI_FORMULA GA_T GA_FN(sign)(GA_T x) { return (GA_T)(x > 0); }
GI_FORMULA GA_T GA_FN(reciprocal)(GA_T x) { return (GA_T)(x == 1); }
GI_FORMULA GA_T GA_FN(fmod)(GA_T x, GA_T y) { return y == 0 ? (GA_T)0 : (GA_T)(x % y); }
GI_FORMULA GA_T GA_FN(remainder)(GA_T x, GA_T y) { return GA_FN(fmod)(x, y); }
GI_FORMULA GA_T GA_FN(floor_divide)(GA_T x, GA_T y) { return y == 0 ? (GA_T)0 : (GA_T)(x / y); }
GI_FORMULA GA_T GA_FN(left_shift)(GA_T x, GA_T y) { return y < GA_FN(bits) ? (GA_T)((GI_W)x << y) : (GA_T)0; }
GI_FORMULA GA_T GA_FN(right_shift)(GA_T x, GA_T y) { return y < GA_FN(bits) ? (GA_T)(x >> y) : (GA_T)0; }
#endif
/* By squaring, wrapping. Negative exponents are refused before any kernel runs. */
GI_FORMULA GA_T GA_FN(power)(GA_T x, GA_T y)
{
    GI_W result = 1, base = (GI_W)x;
    for (; y > 0; y = (GA_T)(y >> 1)) {
        if (y & 1) result *= base;
        base *= base;
    }
    return (GA_T)result;
}
#undef GI_W

#elif GI_CLASS == 3
GI_FORMULA bool GA_FN(truth)(GA_T x) { return x != 0; }
GI_FORMULA GA_T GA_FN(from_int)(int v) { return (GA_T)v; }
GI_FORMULA GA_T GA_FN(add)(GA_T a, GA_T b) { return a + b; }
GI_FORMULA GA_T GA_FN(sub)(GA_T a, GA_T b) { return a - b; }
GI_FORMULA GA_T GA_FN(div)(GA_T a, GA_T b) { return a / b; }
GI_FORMULA GA_T GA_FN(neg)(GA_T x) { return -x; }
GI_FORMULA GA_T GA_FN(abs)(GA_T x) { return GI_BUILTIN(fabs)(x); }
GI_FORMULA GA_T GA_FN(sqrt)(GA_T x) /* one NaN on every processor */
{
    GA_T r = GA_FN(root)(x);
    return r == r ? r : GA_FN(nan)();
}
GI_FORMULA GA_T GA_FN(sign)(GA_T x) { return x > 0 ? (GA_T)1 : x < 0 ? (GA_T)-1 : x == 0 ? (GA_T)0 : x; }
GI_FORMULA GA_T GA_FN(reciprocal)(GA_T x) { return 1 / x; }
/* x to the power -1, 1/2 ... Of -inf: inf, and of -0: 0, where sqrt gives NaN and -0. What rounding took off the root or the square is
   added to the product, which is so rounded (almost) once. */
GI_FORMULA GA_T GA_FN(power_minus_one)(GA_T x) { return 1 / x; }
GI_FORMULA GA_T GA_FN(power_half)(GA_T x) { return x == -GA_FN(infinity)() ? -x : GA_FN(sqrt)(x) + 0; }
GI_FORMULA GA_T GA_FN(power_three_halves)(GA_T x)
{
    GA_T size = GI_BUILTIN(fabs)(x), root = GA_FN(sqrt)(x), lost = GA_FN(fma)(-root, root, x);
    return size < GA_FN(infinity)() ? GA_FN(fma)(x, root, GA_FN(mul)(GA_FN(mul)(root, (GA_T)0.5), lost)) : size;
}
GI_FORMULA GA_T GA_FN(power_square)(GA_T x) { return x * x; }
GI_FORMULA GA_T GA_FN(power_cube)(GA_T x)
{
    GA_T square = x * x, lost = GA_FN(fma)(x, x, -square);
    return square < GA_FN(infinity)() ? GA_FN(fma)(square, x, GA_FN(mul)(lost, x)) : square * x;
}
GI_FORMULA GA_T GA_FN(floor)(GA_T x) { return GI_BUILTIN(floor)(x); }
GI_FORMULA GA_T GA_FN(ceil)(GA_T x) { return GI_BUILTIN(ceil)(x); }
GI_FORMULA GA_T GA_FN(trunc)(GA_T x) { return GI_BUILTIN(trunc)(x); }
GI_FORMULA GA_T GA_FN(rint)(GA_T x) { return GI_BUILTIN(rint)(x); }
GI_FORMULA GA_T GA_FN(copysign)(GA_T x, GA_T y) { return GI_BUILTIN(copysign)(x, y); }
GI_FORMULA bool GA_FN(isnan)(GA_T x) { return x != x; }
GI_FORMULA bool GA_FN(isinf)(GA_T x) { return GI_BUILTIN(fabs)(x) == GA_FN(infinity)(); }
GI_FORMULA bool GA_FN(isfinite)(GA_T x) { return GI_BUILTIN(fabs)(x) < GA_FN(infinity)(); }
GI_FORMULA bool GA_FN(signbit)(GA_T x) { return (bool)(GA_FN(bits)(x) >> (8 * sizeof(GA_T) - 1)); }
GI_FORMULA bool GA_FN(equal)(GA_T a, GA_T b) { return a == b; }
GI_FORMULA bool GA_FN(less)(GA_T a, GA_T b) { return a < b; }
GI_FORMULA bool GA_FN(less_equal)(GA_T a, GA_T b) { return a <= b; }
/* A NaN wins; of two equal ones (+0 and -0) the first. */
GI_FORMULA GA_T GA_FN(maximum)(GA_T a, GA_T b) { return ((a >= b) | (a != a)) ? a : b; }
GI_FORMULA GA_T GA_FN(minimum)(GA_T a, GA_T b) { return ((a <= b) | (a != a)) ? a : b; }
GI_FORMULA GA_T GA_FN(fmax)(GA_T a, GA_T b) { return ((a >= b) | (b != b)) ? a : b; }
GI_FORMULA GA_T GA_FN(fmin)(GA_T a, GA_T b) { return ((a <= b) | (b != b)) ? a : b; }
/* Of two vectors with this product and these lengths; rounding errors do not make it negative, or larger than 2. */
GI_FORMULA GA_T GA_FN(cosine_distance)(GA_T product, GA_T length, GA_T other)
{
    const GA_T d = GA_FN(fma)(product / GA_FN(mul)(length, other), -1, 1); /* 1 - the cosine, which nvcc must not fuse */
    return d < 0 ? (GA_T)0 : d > 2 ? (GA_T)2 : d;
}
GI_FORMULA GA_T GA_FN(nan_to)(GA_T x, int v) { return x == x ? x : (GA_T)v; }
/* The remainder is exact; see NumPy's divmod for the rules of signs and infinities. */
GI_FORMULA GA_T GA_FN(fmod)(GA_T x, GA_T y) { return GA_FN(exact_fmod)(x, y); }
GI_FORMULA GA_T GA_FN(remainder)(GA_T x, GA_T y)
{
    GA_T r = GA_FN(fmod)(x, y);
    if (r == 0) return GI_BUILTIN(copysign)((GA_T)0, y);
    return (r < 0) != (y < 0) ? r + y : r;
}
GI_FORMULA GA_T GA_FN(floor_divide)(GA_T x, GA_T y)
{
    if (y == 0) return x / y;
    GA_T r = GA_FN(fmod)(x, y), q = (x - r) / y;
    if (r != 0 && (r < 0) != (y < 0)) q -= 1;
    if (q == 0) return GI_BUILTIN(copysign)((GA_T)0, x / y);
    GA_T whole = GI_BUILTIN(floor)(q);
    return q - whole > (GA_T)0.5 ? whole + 1 : whole;
}

#else                                                                  /* complex */
#define GI_PART(name) GI_JOIN(gi_##name##_, GI_JOIN(GI_RTAG_, GA_TAG)) /* the primitive of the real type */
GI_FORMULA GA_T GA_FN(make)(GI_R re, GI_R im)
{
    GA_T z;
    z.re = re;
    z.im = im;
    return z;
}
GI_FORMULA bool GA_FN(truth)(GA_T x) { return (x.re != 0) | (x.im != 0); }
GI_FORMULA GA_T GA_FN(from_int)(int v) { return GA_FN(make)((GI_R)v, 0); }
GI_FORMULA GA_T GA_FN(add)(GA_T a, GA_T b) { return GA_FN(make)(a.re + b.re, a.im + b.im); }
GI_FORMULA GA_T GA_FN(sub)(GA_T a, GA_T b) { return GA_FN(make)(a.re - b.re, a.im - b.im); }
GI_FORMULA GA_T GA_FN(neg)(GA_T x) { return GA_FN(make)(-x.re, -x.im); }
GI_FORMULA GA_T GA_FN(conj)(GA_T x) { return GA_FN(make)(x.re, -x.im); }
GI_FORMULA GI_R GA_FN(real)(GA_T x) { return x.re; }
GI_FORMULA GI_R GA_FN(imag)(GA_T x) { return x.im; }
/* Both parts are sums: of a difference beside a sum gcc makes one fused instruction (vfmaddsub), though contraction is off. */
GI_FORMULA GA_T GA_FN(mul)(GA_T a, GA_T b)
{
    return GA_FN(make)(GI_PART(mul)(a.re, b.re) + GI_PART(mul)(-a.im, b.im),
                       GI_PART(mul)(a.re, b.im) + GI_PART(mul)(a.im, b.re));
}
/* Smith's method, as NumPy: no overflow on the way. */
GI_FORMULA GA_T GA_FN(div)(GA_T a, GA_T b)
{
    GI_R re = GI_PART(abs)(b.re), im = GI_PART(abs)(b.im);
    if (re >= im) {
        if (re == 0 && im == 0) return GA_FN(make)(a.re / re, a.im / im);
        GI_R ratio = b.im / b.re, scale = 1 / (b.re + GI_PART(mul)(b.im, ratio));
        return GA_FN(make)((a.re + GI_PART(mul)(a.im, ratio)) * scale, (a.im + GI_PART(mul)(-a.re, ratio)) * scale);
    }
    GI_R ratio = b.re / b.im, scale = 1 / (b.im + GI_PART(mul)(b.re, ratio));
    return GA_FN(make)((GI_PART(mul)(a.re, ratio) + a.im) * scale, (GI_PART(mul)(a.im, ratio) + -a.re) * scale);
}
GI_FORMULA GI_R GA_FN(abs)(GA_T x) { return GI_PART(hypot)(x.re, x.im); }
GI_FORMULA GA_T GA_FN(sign)(GA_T x)
{
    GI_R length = GA_FN(abs)(x);
    if (length == 0) return GA_FN(make)(0, 0);
    return GA_FN(make)(x.re / length, x.im / length);
}
GI_FORMULA GA_T GA_FN(reciprocal)(GA_T x)
{
    if (GI_PART(abs)(x.re) <= GI_PART(abs)(x.im)) {
        GI_R ratio = x.re / x.im, size = x.im + GI_PART(mul)(x.re, ratio);
        return GA_FN(make)(ratio / size, -1 / size);
    }
    GI_R ratio = x.im / x.re, size = x.re + GI_PART(mul)(x.im, ratio);
    return GA_FN(make)(1 / size, -ratio / size);
}
GI_FORMULA bool GA_FN(isnan)(GA_T x) { return (x.re != x.re) | (x.im != x.im); }
GI_FORMULA bool GA_FN(isinf)(GA_T x) { return GI_PART(isinf)(x.re) || GI_PART(isinf)(x.im); }
GI_FORMULA bool GA_FN(isfinite)(GA_T x) { return GI_PART(isfinite)(x.re) && GI_PART(isfinite)(x.im); }
GI_FORMULA bool GA_FN(equal)(GA_T a, GA_T b) { return (a.re == b.re) & (a.im == b.im); }
/* Complex numbers are ordered by their real parts, then by their imaginary parts; NaN first of all, as in NumPy. */
GI_FORMULA bool GA_FN(less)(GA_T a, GA_T b)
{
    return a.re < b.re ? !((a.im != a.im) | (b.im != b.im)) : (a.re == b.re) & (a.im < b.im);
}
GI_FORMULA bool GA_FN(less_equal)(GA_T a, GA_T b)
{
    return a.re < b.re ? !((a.im != a.im) | (b.im != b.im)) : (a.re == b.re) & (a.im <= b.im);
}
GI_FORMULA GA_T GA_FN(maximum)(GA_T a, GA_T b) { return GA_FN(isnan)(a) || GA_FN(less_equal)(b, a) ? a : b; }
GI_FORMULA GA_T GA_FN(minimum)(GA_T a, GA_T b) { return GA_FN(isnan)(a) || GA_FN(less_equal)(a, b) ? a : b; }
GI_FORMULA GA_T GA_FN(nan_to)(GA_T x, int v) { return GA_FN(isnan)(x) ? GA_FN(from_int)(v) : x; }
/* The four products one after the other. */
GI_FORMULA GA_T GA_FN(fma)(GA_T a, GA_T b, GA_T c)
{
    return GA_FN(make)(GI_PART(fma)(a.im, -b.im, GI_PART(fma)(a.re, b.re, c.re)),
                       GI_PART(fma)(a.im, b.re, GI_PART(fma)(a.re, b.im, c.im)));
}
#undef GI_PART
#endif

#if GI_CLASS < 3
GI_FORMULA GA_T GA_FN(fma)(GA_T a, GA_T b, GA_T c) { return GA_FN(add)(c, GA_FN(mul)(a, b)); }
#endif

/* sum + weight * x, one link in the chain of a convolution. Links begin at gi_nothing, to which a first product is added unchanged. */
#if GI_CLASS == 3
GI_FORMULA GA_T GA_FN(weigh)(GA_T sum, GA_T weight, GA_T x) { return GA_FN(fma)(weight, x, sum); }
GI_FORMULA GA_T GA_FN(nothing)(void) { return -(GA_T)0; }
#else
GI_FORMULA GA_T GA_FN(weigh)(GA_T sum, GA_T weight, GA_T x) { return GA_FN(add)(sum, GA_FN(mul)(weight, x)); }
#if GI_CLASS == 4
GI_FORMULA GA_T GA_FN(nothing)(void) { return GA_FN(make)(-(GI_R)0, -(GI_R)0); }
#else
GI_FORMULA GA_T GA_FN(nothing)(void) { return 0; }
#endif
#endif

#if GI_CLASS < 4
GI_FORMULA GA_T GA_FN(real)(GA_T x) { return x; }
GI_FORMULA GA_T GA_FN(imag)(GA_T x) { return (void)x, (GA_T)0; }
GI_FORMULA GA_T GA_FN(conj)(GA_T x) { return x; }
#endif

#elif GI_PASS == 2
/* clang-format off */
/* ---- conversions ---------------------------------------------------------------------------------------------------- */
/* Conversions to this type, from each type: gi_cast_f32_i64(x). */
#if GI_CLASS == 0
#define GI_CAST(TAG, from, F, name) GI_FORMULA bool gi_cast_b8_##from(F x) { return gi_truth_##from(x); }
GI_EACH_BOOL(GI_CAST) GI_EACH_INT(GI_CAST) GI_EACH_FLT(GI_CAST) GI_EACH_COMPLEX(GI_CAST)
#undef GI_CAST
#elif GI_CLASS == 4
#define GI_CAST(TAG, from, F, name)                                                                                     \
    GI_FORMULA GA_T GI_JOIN(GA_FN(cast), _##from)(F x) { return GA_FN(make)((GI_R)x, 0); }
GI_EACH_BOOL(GI_CAST) GI_EACH_INT(GI_CAST) GI_EACH_FLT(GI_CAST)
#undef GI_CAST
#define GI_CAST(TAG, from, F, name)                                                                                     \
    GI_FORMULA GA_T GI_JOIN(GA_FN(cast), _##from)(F x) { return GA_FN(make)((GI_R)x.re, (GI_R)x.im); }
GI_EACH_COMPLEX(GI_CAST)
#undef GI_CAST
#else
#define GI_CAST(TAG, from, F, name) GI_FORMULA GA_T GI_JOIN(GA_FN(cast), _##from)(F x) { return (GA_T)x; }
GI_EACH_BOOL(GI_CAST) GI_EACH_INT(GI_CAST)
#if GI_CLASS == 3
GI_EACH_FLT(GI_CAST)
#else
#undef GI_CAST
/* Saturates; NaN gives 0. C leaves a cast of what does not fit undefined, and processors differ. */
#define GI_CAST(TAG, from, F, name)                                                                                     \
    GI_FORMULA GA_T GI_JOIN(GA_FN(cast), _##from)(F x)                                                                 \
    {                                                                                                                  \
        if (sizeof(GA_T) > 2)                                                                                          \
            return x >= (F)GA_FN(highest) ? GA_FN(highest) : x <= (F)GA_FN(lowest) ? GA_FN(lowest) : x == x ? (GA_T)x : (GA_T)0; \
        F c = GA_FN(lowest) == 0 || x == x ? x : (F)0; /* the range is exact in F: quicker */                          \
        c   = c > (F)GA_FN(lowest) ? c : (F)GA_FN(lowest);                                                             \
        return (GA_T)(int32_t)(c < (F)GA_FN(highest) ? c : (F)GA_FN(highest));                                         \
    }
GI_EACH_FLT(GI_CAST)
#endif
#undef GI_CAST
#define GI_CAST(TAG, from, F, name)                                                                                     \
    GI_FORMULA GA_T GI_JOIN(GA_FN(cast), _##from)(F x) { return GI_JOIN(GA_FN(cast), GI_JOIN(_, GI_RTAG_##from))(x.re); }
GI_EACH_COMPLEX(GI_CAST)
#undef GI_CAST
#endif

/* Accumulators and results of reductions, by the words of the table. */
typedef GI_JOIN(gi_, GI_WIDE_TAG) GI_NAME(gi_acc_WIDE);
typedef GI_JOIN(gi_, GI_MEAN_TAG) GI_NAME(gi_acc_MEAN);
typedef GA_T    GI_NAME(gi_acc_SAME);
typedef bool    GI_NAME(gi_acc_BOOL);
typedef int64_t GI_NAME(gi_acc_COUNT);
typedef GI_JOIN(gi_, GI_SUM_TAG) GI_NAME(gi_end_SUM);
typedef GI_JOIN(gi_, GI_AVERAGE_TAG) GI_NAME(gi_end_AVERAGE);
typedef GA_T    GI_NAME(gi_end_SAME);
typedef bool    GI_NAME(gi_end_BOOL);
typedef int64_t GI_NAME(gi_end_COUNT);
/* clang-format on */

#elif GI_PASS == 3
#ifdef GPUARR_USER_FORMULAS
#include GPUARR_USER_FORMULAS
#endif
/* ---- >>rows of one element type: gi_op_add_f32(x, y) --------------------------------------------------------------- */
#define GI_OP(name) GI_NAME(gi_op_##name)
#define GA_UNARY(name, dtypes, result, formula, ...)                                                                           \
    GI_IF_##dtypes(GI_FORMULA GI_RESULT_##result GI_OP(name)(GA_T x) { return (formula); })
#define GA_BINARY(name, dtypes, result, formula, ...)                                                                          \
    GI_IF_##dtypes(GI_FORMULA GI_RESULT_##result GI_OP(name)(GA_T x, GA_T y) { return (formula); })
#define GA_TERNARY(name, dtypes, result, formula, ...)                                                                         \
    GI_IF_##dtypes(GI_FORMULA GI_RESULT_##result GI_OP(name)(GA_T x, GA_T y, GA_T z) { return (formula); })
#if GI_CLASS == 3
#define GA_ELEMENTARY(name, ...)                                                                                               \
    GI_FORMULA GA_T GI_OP(name)(GA_T x) { return GA_FN(name##_rare)(x) ? GA_FN(name##_slow)(x) : GA_FN(name##_core)(x); }
#define GA_ELEMENTARY2(name, ...)                                                                                              \
    GI_FORMULA GA_T GI_OP(name)(GA_T x, GA_T y)                                                                                \
    {                                                                                                                          \
        return GA_FN(name##_rare)(x, y) ? GA_FN(name##_slow)(x, y) : GA_FN(name##_core)(x, y);                                 \
    }
#else
#define GA_ELEMENTARY2(name, dtypes, ...)                                                                                      \
    GI_IF_##dtypes(GI_FORMULA GA_T GI_OP(name)(GA_T x, GA_T y) { return GA_FN(name)(x, y); })
#endif
#define GA_TABLE
#include "gpuarr.h"
#undef GI_OP

#elif GI_PASS == 4
#include "gpuarr_cpu.h"

#else
#include "gpuarr_cuda.h"
#endif /* GI_PASS */

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
#define GI_DEFAULT = {} /* C++ wants to be told that an option which is not given is zero */
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
/* Those for which loops and kernels are compiled. */
#ifdef GPUARR_FEW_DTYPES
#define GI_EACH_STAMPED(X)                                                                                                     \
    GI_EACH_BOOL(X)                                                                                                            \
    X(U8, u8, uint8_t, "uint8")                                                                                                \
    X(I32, i32, int32_t, "int32") X(I64, i64, int64_t, "int64") X(U64, u64, uint64_t, "uint64") GI_EACH_FLT(X)
#else
#define GI_EACH_STAMPED(X) GI_EACH_DTYPE(X)
#endif

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
#define GA_FOLD(name, ...)        GA_OP_##name,
#define GA_TABLE
#include "gpuarr.h"
    GA_OP_COUNT
} ga_op;

/* ==== >>array ===================================================================================================== */

#ifndef GPUARR_MAX_DIMS
#define GPUARR_MAX_DIMS 8
#endif
#if GPUARR_MAX_DIMS < 4
#error "gpuarr: GPUARR_MAX_DIMS must be at least 4"
#endif

typedef enum ga_device { GA_DEVICE_DEFAULT, GA_CPU, GA_CUDA } ga_device;

/* CUDA's own types, so that a cudaStream_t is a ga_stream; declared here because no header of CUDA is needed for C files. */
typedef struct CUstream_st *ga_stream;
typedef struct CUevent_st  *ga_event;

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

    gi_buffer       *owner;       /* keeps the memory alive */
    uint32_t         alive;       /* a mark that a freed array no longer carries */
    struct gi_scope *scope;       /* frees this array when it ends; NULL: you do */
    struct ga_array *prev, *next; /* the other arrays of that scope */
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
    const char      *site;
    ga_dtype dtype   GI_DEFAULT; /* default float64, or that of the prototype */
    ga_device device GI_DEFAULT; /* default ga_get_device() */
    bool pinned      GI_DEFAULT; /* on the CPU: memory that a GPU copies fast and by itself (ga_to with .async); slow to make */
    bool managed     GI_DEFAULT; /* on the GPU: memory that the CPU may use as well, through ga_data */
} ga_new_options;

typedef struct ga_to_options {
    const char      *site;
    ga_array *out    GI_DEFAULT; /* copy into this array, of the same shape and dtype, on that device */
    ga_stream stream GI_DEFAULT; /* copy on this stream; default ga_get_stream() */
    bool async       GI_DEFAULT; /* do not wait for the copy, if the memory on the CPU is pinned; see >>cuda */
} ga_to_options;

typedef struct ga_map_options {
    const char           *site;
    ga_array *out         GI_DEFAULT; /* write the result there (any dtype that it can be cast to within its kind) */
    const ga_array *where GI_DEFAULT; /* bool: compute only there; elsewhere out keeps its value (a new result is 0) */
    ga_dtype dtype        GI_DEFAULT; /* compute in this dtype */
    bool internal         GI_DEFAULT; /* a call by gpuarr itself: `site` is another call's */
} ga_map_options;

typedef struct ga_reduce_options {
    const char    *site;
    int axis       GI_DEFAULT; /* not given: over all axes; negative counts from the end */
    ga_shape axes  GI_DEFAULT; /* several: .axes = ga_axes(0, 2) */
    bool keepdims  GI_DEFAULT; /* leave the reduced axes in, with length 1 */
    ga_dtype dtype GI_DEFAULT; /* compute and return in this dtype */
    ga_array *out  GI_DEFAULT;
    int ddof       GI_DEFAULT; /* std, var: divide by n - ddof */
    bool internal  GI_DEFAULT; /* a call by gpuarr itself: `site` is another call's */
} ga_reduce_options;

typedef enum ga_quantile { GA_LINEAR, GA_LOWER, GA_HIGHER, GA_MIDPOINT, GA_NEAREST } ga_quantile;

typedef struct ga_order_options {
    const char        *site;
    int axis           GI_DEFAULT;
    ga_shape axes      GI_DEFAULT;
    bool keepdims      GI_DEFAULT;
    ga_array *out      GI_DEFAULT;
    ga_quantile method GI_DEFAULT; /* percentile between two elements, as numpy.percentile's method */
} ga_order_options;

typedef struct ga_axis_options {
    const char    *site;
    int axis       GI_DEFAULT; /* when not given: see the function */
    ga_dtype dtype GI_DEFAULT;
    ga_array *out  GI_DEFAULT;
} ga_axis_options;

typedef struct ga_axes_options {
    const char   *site;
    int axis      GI_DEFAULT; /* one axis, or */
    ga_shape axes GI_DEFAULT; /* several: .axes = ga_axes(2, 0, 1) */
} ga_axes_options;

/* ==== >>errors ==================================================================================================== */

typedef enum ga_status {
    GA_OK,
    GA_BAD_ARGUMENT, /* a value that makes no sense for the call */
    GA_BAD_SHAPE,
    GA_BAD_DTYPE,
    GA_BAD_DEVICE, /* arrays on different devices, or no such device */
    GA_NO_MEMORY,
    GA_NO_FILE,    /* cannot open, read or write */
    GA_BAD_FILE,   /* read, but not what it should be */
    GA_NO_LIBRARY, /* an optional library is missing */
    GA_CUDA_FAILED /* a call of the CUDA runtime, or a kernel */
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
/* Every later buffer and handle on the CPU comes from these (NULLs: the built-in ones); GPU and pinned memory is CUDA's. alloc may
   return NULL; memory aligned to 64 bytes is asked for. Fails, changing nothing, while arrays are alive. */
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

ga_array *(ga_zeros)(ga_shape shape, ga_new_options o); /* all 0 */
ga_array *(ga_ones)(ga_shape shape, ga_new_options o);  /* all 1 */
ga_array *(ga_empty)(ga_shape shape, ga_new_options o); /* any content */
ga_array *(ga_full)(ga_shape shape, ga_arg value,
                    ga_new_options o); /* all `value`; dtype of the value unless given (C's `true` is an int) */
ga_array *(ga_zeros_n)(int ndim, const int64_t *shape, ga_new_options o); /* for run-time shapes */
ga_array *(ga_empty_n)(int ndim, const int64_t *shape, ga_new_options o);
ga_array *(ga_zeros_like)(const ga_array *a, ga_new_options o); /* shape, dtype, device of a */
ga_array *(ga_ones_like)(const ga_array *a, ga_new_options o);
ga_array *(ga_empty_like)(const ga_array *a, ga_new_options o);
ga_array *(ga_full_like)(const ga_array *a, ga_arg value, ga_new_options o);
ga_array *(ga_scalar)(ga_arg value, ga_new_options o); /* 0-d */
ga_array *(ga_arange)(ga_arg start, ga_arg stop, ga_arg step,
                      ga_new_options o); /* start, start + step ... before stop; int64 for integers */

typedef struct ga_linspace_options {
    const char      *site;
    ga_dtype dtype   GI_DEFAULT;
    ga_device device GI_DEFAULT;
    bool no_endpoint GI_DEFAULT; /* leave stop out: numpy's endpoint=False */
    double base      GI_DEFAULT; /* logspace: default 10 */
} ga_linspace_options;
ga_array *(ga_linspace)(double start, double stop, int64_t num, ga_linspace_options o); /* num numbers from start to stop */
ga_array *(ga_logspace)(double start, double stop, int64_t num, ga_linspace_options o); /* base ** linspace */

ga_array *(ga_eye)(int64_t rows, int64_t cols, int64_t k, ga_new_options o); /* ones on the k-th diagonal */
/* Coordinates from n 1-D arrays into outs[0..n-1]; ij: matrix order, else xy as numpy's default. False on error, outs then NULL. */
bool(ga_meshgrid_n)(int n, const ga_array *const *in, ga_array **outs, bool ij, const char *site);
bool(ga_meshgrid)(const ga_array *x, const ga_array *y, ga_array **xx, ga_array **yy, bool ij, const char *site);
ga_array *(ga_indices)(ga_shape shape, ga_new_options o); /* (ndim, shape...): the index of every element, int64 */
ga_array *(ga_mgrid)(const char    *slices,
                     ga_new_options o); /* numpy.mgrid["0:300, 0:600:2"]; "0:1:5j" is five points from 0 to 1 */
ga_array *(ga_tile)(const ga_array *a, ga_shape reps, const char *site); /* a repeated along each axis */
ga_array *(ga_repeat)(const ga_array *a, int64_t repeats,
                      ga_axis_options o); /* each element repeated; .axis not given: flattened */

/* A new array with a copy of the numbers at p (dtype from the pointer type): ga_from(values, (2, 3)). */
ga_array *(ga_from)(const void *p, ga_dtype dtype, ga_shape shape, ga_new_options o);
/* The caller's memory as an array, not copied and never freed: ga_wrap(pixels, (height, width)). It must outlive the array and its views.
   Memory of a GPU: .device = GA_CUDA; what you have queued on its content must be on this thread's stream, or done.
   C order; ga_wrap_strided takes byte strides. release(p, user), if given, is called when the last view is gone. */
typedef struct ga_wrap_options {
    const char      *site;
    ga_device device GI_DEFAULT;
    void (*release)(void *p, void *user) GI_DEFAULT;
    void *user GI_DEFAULT;
} ga_wrap_options;
ga_array *(ga_wrap)(void *p, ga_dtype dtype, ga_shape shape, ga_wrap_options o);
ga_array *(ga_wrap_strided)(void *p, ga_dtype dtype, ga_shape shape, ga_shape strides, ga_wrap_options o);

/* Random numbers: Philox4x32-10, counter-based: the same seed gives the same numbers on any backend and any number of threads.
   seed 0 is a seed like any other. Element i of a call depends on (seed, stream, i) alone. */
typedef struct ga_random_options {
    const char      *site;
    ga_dtype dtype   GI_DEFAULT; /* float32 or float64 (default); integers: default int64 */
    ga_device device GI_DEFAULT;
    uint64_t seed    GI_DEFAULT;
    uint64_t stream  GI_DEFAULT; /* another sequence with the same seed */
} ga_random_options;
ga_array *(ga_random)(ga_shape shape, ga_random_options o);                                     /* uniform in [0, 1) */
ga_array *(ga_random_integers)(int64_t low, int64_t high, ga_shape shape, ga_random_options o); /* low <= x < high */
ga_array *(ga_random_normal)(double mean, double sigma, ga_shape shape, ga_random_options o);

/* A copy in C order; of another dtype (float to integer saturates, NaN gives 0); on another device. */
ga_array *(ga_copy)(const ga_array *a, const char *site);
ga_array *(ga_astype)(const ga_array *a, ga_dtype dtype, const char *site);
ga_array *(ga_to)(const ga_array *a, ga_device device, ga_to_options o);
ga_array *(ga_ascontiguous)(const ga_array *a, const char *site); /* a view of a if it is C-contiguous, else a copy */

/* One number out of an array with one element, or at an index: ga_item_at(a, 2, 3). NaN on error. */
double(ga_item)(const ga_array *a, const char *site);
int64_t(ga_item_int)(const ga_array *a, const char *site);
double(ga_item_at)(const ga_array *a, ga_shape index, const char *site);
int64_t(ga_item_int_at)(const ga_array *a, ga_shape index, const char *site);
/* The elements of a C-contiguous CPU array of exactly this dtype, else NULL with an error: const float *p = ga_data(a, GA_F32).
   Waits until no GPU copies them or works on them (pinned and managed arrays). */
void *(ga_data)(const ga_array *a, ga_dtype dtype, const char *site);

/* ==== >>views: no element is copied unless it says so; each returns a new ga_array ================================= */

/* NumPy's index notation, its numbers printf-style: ga_index(a, "1:-1, ::2, %d, ..., newaxis", row). Always a view. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
ga_array *(ga_index)(const char *site, const ga_array *a, const char *index, ...);
ga_array *(ga_view)(const ga_array *a, const char *site);                    /* the same elements once more */
ga_array *(ga_view_as)(const ga_array *a, ga_dtype dtype, const char *site); /* the same bytes as another dtype */
ga_array *(ga_reshape)(const ga_array *a, ga_shape shape, const char *site); /* one length may be -1; a copy if it must be */
ga_array *(ga_ravel)(const ga_array *a, const char *site);                   /* 1-D; a copy if it must be */
ga_array *(ga_flatten)(const ga_array *a, const char *site);                 /* 1-D, always a copy */
ga_array *(ga_transpose)(const ga_array *a, ga_axes_options o);              /* axes reversed, or in the order .axes */
ga_array *(ga_swapaxes)(const ga_array *a, int axis1, int axis2, const char *site);
ga_array *(ga_moveaxis)(const ga_array *a, int source, int destination, const char *site);
ga_array *(ga_squeeze)(const ga_array *a, ga_axes_options o); /* without axes of length 1 (or the given one) */
ga_array *(ga_expand_dims)(const ga_array *a, int axis, const char *site);
ga_array *(ga_broadcast_to)(const ga_array *a, ga_shape shape, const char *site); /* read-only by custom: elements repeat */
ga_array *(ga_diagonal)(const ga_array *a, int64_t offset, const char *site);     /* of the first two axes, put last */
ga_array *(ga_flip)(const ga_array *a, ga_axes_options o);                        /* all axes, or the given ones */
ga_array *(ga_fliplr)(const ga_array *a, const char *site);
ga_array *(ga_flipud)(const ga_array *a, const char *site);
ga_array *(ga_rot90)(const ga_array *a, int k, const char *site); /* k quarter turns, first axis towards the second */

bool ga_is_contiguous(const ga_array *a); /* C order without gaps */
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

ga_array *(ga_where)(const ga_array *condition, ga_arg x, ga_arg y,
                     ga_map_options o); /* x where condition is nonzero, else y */

typedef struct ga_close_options {
    const char    *site;
    double rtol    GI_DEFAULT; /* default 1e-5; GA_EXACTLY for 0 */
    double atol    GI_DEFAULT; /* default 1e-8; GA_EXACTLY for 0 */
    bool equal_nan GI_DEFAULT;
} ga_close_options;
#define GA_EXACTLY (-1.0)
ga_array *(ga_isclose)(ga_arg a, ga_arg b, ga_close_options o); /* |a - b| <= atol + rtol * |b| */
bool(ga_allclose)(ga_arg a, ga_arg b, ga_close_options o);      /* the arrays may lie on different devices */
bool(ga_array_equal)(ga_arg a, ga_arg b, ga_close_options o);   /* same shape and elements */

/* Copies src, broadcast and cast, into the elements of dst, where `.where` is nonzero if given. As if src were copied first.
   ga_copyto(ga_index(rgb, ":4, :9, 2"), 1). Returns dst, or NULL on error. */
typedef struct ga_copyto_options {
    const char           *site;
    const ga_array *where GI_DEFAULT;
} ga_copyto_options;
ga_array *(ga_copyto)(ga_array *dst, ga_arg src, ga_copyto_options o);

/* ==== >>reductions: over all axes, or .axis = 1, or .axes = ga_axes(0, 2); .keepdims, .dtype, .out ================== */

#define GA_FOLD(name, ...) ga_array *(ga_##name)(const ga_array *a, ga_reduce_options o);
#define GA_TABLE
#include "gpuarr.h"

ga_array *(ga_var)(const ga_array *a, ga_reduce_options o); /* variance; .ddof */
ga_array *(ga_std)(const ga_array *a, ga_reduce_options o); /* standard deviation; .ddof */
ga_array *(ga_nanmean)(const ga_array *a, ga_reduce_options o);
ga_array *(ga_nanvar)(const ga_array *a, ga_reduce_options o);
ga_array *(ga_nanstd)(const ga_array *a, ga_reduce_options o);
ga_array *(ga_argmin)(const ga_array *a, ga_reduce_options o); /* index of the first smallest, int64 */
ga_array *(ga_argmax)(const ga_array *a, ga_reduce_options o);
ga_array *(ga_nanargmin)(const ga_array *a, ga_reduce_options o);
ga_array *(ga_nanargmax)(const ga_array *a, ga_reduce_options o);
ga_array *(ga_median)(const ga_array *a, ga_order_options o);
ga_array *(ga_nanmedian)(const ga_array *a, ga_order_options o);
ga_array *(ga_percentile)(const ga_array *a, ga_arg q,
                          ga_order_options o); /* q in percent, number or array (its axes come first) */
ga_array *(ga_nanpercentile)(const ga_array *a, ga_arg q, ga_order_options o);
ga_array *(ga_cumsum)(const ga_array *a, ga_axis_options o); /* running sum; .axis not given: flattened */
ga_array *(ga_cumprod)(const ga_array *a, ga_axis_options o);

typedef struct ga_norm_options {
    const char   *site;
    int axis      GI_DEFAULT;
    ga_shape axes GI_DEFAULT;
    bool keepdims GI_DEFAULT;
    double ord    GI_DEFAULT; /* vector norms 1, 2 (default), 3.5, INFINITY, -INFINITY, GA_EXACTLY (-1) counts the nonzero */
} ga_norm_options;
ga_array *(ga_norm)(const ga_array *a, ga_norm_options o); /* of all elements, or along .axis */

/* ==== >>rearranging =============================================================================================== */

/* n arrays: ga_concatenate((a, b, c), .axis = 1); for run-time lists ga_concatenate_n. */
ga_array *(ga_concatenate_n)(int n, const ga_array *const *arrays, ga_axis_options o);
ga_array *(ga_stack_n)(int n, const ga_array *const *arrays, ga_axis_options o); /* along a new axis */
/* parts[0..n-1] become n equal views along .axis (default 0); false on error. ga_split_at: cut before each of the n - 1 indices. */
bool(ga_split)(const ga_array *a, int n, ga_array **parts, ga_axis_options o);
bool(ga_split_at)(const ga_array *a, int n, const int64_t *indices, ga_array **parts, ga_axis_options o);
ga_array *(ga_roll)(const ga_array *a, int64_t shift, ga_axis_options o); /* .axis not given: flattened */
typedef enum ga_pad_mode { GA_PAD_CONSTANT, GA_PAD_EDGE, GA_PAD_REFLECT, GA_PAD_SYMMETRIC, GA_PAD_WRAP } ga_pad_mode;
typedef struct ga_pad_options {
    const char      *site;
    ga_pad_mode mode GI_DEFAULT;
    double value     GI_DEFAULT;
    ga_shape after   GI_DEFAULT; /* widths behind each axis; default as before */
} ga_pad_options;
ga_array *(ga_pad)(const ga_array *a, ga_shape before, ga_pad_options o); /* one width for all axes, or one each */
ga_array *(ga_sort)(const ga_array *a, ga_axis_options o);    /* ascending, NaN last, stable; .axis not given: the last */
ga_array *(ga_argsort)(const ga_array *a, ga_axis_options o); /* int64 */
typedef struct ga_unique_options {
    const char        *site;
    ga_array **index   GI_DEFAULT; /* first occurrence of each */
    ga_array **inverse GI_DEFAULT; /* which one each element of a is */
    ga_array **counts  GI_DEFAULT;
} ga_unique_options;
ga_array *(ga_unique)(const ga_array *a, ga_unique_options o); /* sorted, 1-D */
ga_array *(ga_nonzero)(const ga_array *a, const char *site);   /* int64 (ndim, count): row k holds the indices along axis k */
ga_array *(ga_compress)(const ga_array *condition, const ga_array *a,
                        ga_axis_options o); /* the slices where the 1-D condition is nonzero */
ga_array *(ga_extract)(const ga_array *condition, const ga_array *a,
                       const char *site); /* 1-D: the elements where condition is nonzero, a[condition] */
typedef enum ga_take_mode { GA_TAKE_RAISE, GA_TAKE_WRAP, GA_TAKE_CLIP } ga_take_mode;
typedef struct ga_take_options {
    const char       *site;
    int axis          GI_DEFAULT; /* not given: of the flattened array */
    ga_take_mode mode GI_DEFAULT;
} ga_take_options;
ga_array *(ga_take)(const ga_array *a, const ga_array *indices, ga_take_options o); /* a[indices] */
typedef struct ga_histogram_options {
    const char             *site;
    double low              GI_DEFAULT; /* range; low == high: from min to max */
    double high             GI_DEFAULT;
    const ga_array *weights GI_DEFAULT;
    bool density            GI_DEFAULT;
    ga_array **edges        GI_DEFAULT; /* the bins + 1 edges, float64 */
} ga_histogram_options;
ga_array *(ga_histogram)(const ga_array *a, int64_t bins,
                         ga_histogram_options o); /* int64 counts; float64 with weights or density */
typedef struct ga_bincount_options {
    const char             *site;
    const ga_array *weights GI_DEFAULT;
    int64_t minlength       GI_DEFAULT;
} ga_bincount_options;
ga_array *(ga_bincount)(const ga_array *a, ga_bincount_options o);

/* ==== >>products =================================================================================================== */
/*  Of any two dtypes, promoted as in arithmetic; integers wrap, bool is "or" of "and"s. Operands may be views of any kind, transposed ones
    are not copied; .out may be one of them. An element of a matrix product is one chain: the products are added (fused, for floats) in the order of the
    summed axis, in the dtype of the result, so the error grows with its length as a plain sum's does. The product of two vectors, and
    whatever else is a single number, is summed like ga_sum (see >>reduce), in float64 for float32.
    With -DGPUARR_USE_CBLAS -lopenblas (apt-get install libopenblas-dev; any CBLAS will do), on the GPU -DGPUARR_USE_CUBLAS -lcublas,
    large products of floats and complex numbers are left to that library: faster perhaps, but their last bits are the library's. */

typedef struct ga_product_options {
    const char   *site;
    ga_array *out GI_DEFAULT;
} ga_product_options;
/* numpy.matmul: (..., m, k) times (..., k, n), the axes before are broadcast; a vector is a row on the left, a column on the right. */
ga_array *(ga_matmul)(const ga_array *a, const ga_array *b, ga_product_options o);
/* numpy.dot: of vectors and matrices as ga_matmul; else over the last axis of a and the last but one of b. A number multiplies. */
ga_array *(ga_dot)(const ga_array *a, const ga_array *b, ga_product_options o);
ga_array *(ga_inner)(const ga_array *a, const ga_array *b, ga_product_options o); /* over the last axes of both */
ga_array *(ga_outer)(const ga_array *a, const ga_array *b,
                     ga_product_options o);                                  /* every a times every b, both flattened: 2-D */
ga_array *(ga_vdot)(const ga_array *a, const ga_array *b, const char *site); /* of both flattened, a conjugated: 0-d */
typedef struct ga_tensordot_options {
    const char     *site;
    ga_shape axes_a GI_DEFAULT; /* which axes of a, and of b: .axes_a = ga_axes(1, 0) */
    ga_shape axes_b GI_DEFAULT;
    ga_array *out   GI_DEFAULT;
} ga_tensordot_options;
/* numpy.tensordot over so many axes: the last ones of a and the first ones of b unless the options name them. */
ga_array *(ga_tensordot)(const ga_array *a, const ga_array *b, int axes, ga_tensordot_options o);
/* numpy.einsum: ga_einsum("ik,kj->ij", (a, b)) multiplies along axes with the same letter and sums over letters that the result does
   not have. "ii->i" is a diagonal, "..." any axes; without "->" the letters that appear once, A to Z, a to z. Up to 8 operands,
   multiplied from left to right. Of one operand without a sum it is a view. For run-time lists ga_einsum_n. */
ga_array *(ga_einsum_n)(const char *subscripts, int n, const ga_array *const *arrays, ga_product_options o);

/* ==== >>convolution =============================================================================================== */
/*  Each result is one chain of fused multiplications and additions in the raster order of the weights, with the same bits on the CPU and
    the GPU. Beyond an edge stand zeros, or what .boundary or .border says; they are weighed like any element, so that an infinite weight
    makes them NaN. .out is written at the end, and may be a or v itself.                                                             */

typedef enum ga_mode {
    GA_MODE_DEFAULT,
    GA_FULL, /* wherever the two overlap: n + m - 1 elements */
    GA_SAME, /* the middle of that, as many as a has */
    GA_VALID /* where one lies inside the other */
} ga_mode;
typedef enum ga_method {
    GA_METHOD_AUTO, /* a pass along each axis where 2-D weights are an outer product; FFT if it is there and 3 times as fast; else direct */
    GA_METHOD_DIRECT, /* by the definition */
    GA_METHOD_FFT /* through Fourier transforms (FFTW; on a GPU cuFFT): rounding errors are relative to the largest result */
} ga_method;
typedef enum ga_border {                     /* what stands outside of a b c d, by the names of scipy.ndimage */
                         GA_BORDER_REFLECT,  /* d c b a | a b c d | d c b a */
                         GA_BORDER_CONSTANT, /* k k k k | a b c d | k k k k with k = .cval */
                         GA_BORDER_NEAREST,  /* a a a a | a b c d | d d d d */
                         GA_BORDER_MIRROR,   /*   d c b | a b c d | c b a */
                         GA_BORDER_WRAP      /* a b c d | a b c d | a b c d */
} ga_border;

typedef struct ga_convolve_options {
    const char      *site;
    ga_mode mode     GI_DEFAULT;
    ga_method method GI_DEFAULT;
    ga_array *out    GI_DEFAULT;
} ga_convolve_options;
/* 1-D: numpy.convolve (default GA_FULL; GA_SAME is as long as the longer one). More dimensions: scipy.signal.convolve; a and v have the
   same number of them. scipy.signal.fftconvolve is .method = GA_METHOD_FFT. Integers wrap. */
ga_array *(ga_convolve)(const ga_array *a, const ga_array *v, ga_convolve_options o);
/* 1-D: numpy.correlate (default GA_VALID). More dimensions: scipy.signal.correlate (default GA_FULL). v is conjugated. */
ga_array *(ga_correlate)(const ga_array *a, const ga_array *v, ga_convolve_options o);

typedef enum ga_boundary {
    GA_BOUNDARY_FILL, /* .fillvalue beyond the edges */
    GA_BOUNDARY_WRAP, /* the opposite edge */
    GA_BOUNDARY_SYMM  /* the elements as in a mirror: b a | a b */
} ga_boundary;
typedef struct ga_convolve2d_options {
    const char          *site;
    ga_mode mode         GI_DEFAULT; /* default GA_FULL */
    ga_boundary boundary GI_DEFAULT;
    double fillvalue     GI_DEFAULT;
    ga_method method     GI_DEFAULT;
    ga_array *out        GI_DEFAULT;
} ga_convolve2d_options;
/* scipy.signal.convolve2d and correlate2d, of matrices. Integers wrap; ga_correlate2d conjugates v. With GA_VALID one of them must be at
   least as large as the other along both axes. */
ga_array *(ga_convolve2d)(const ga_array *a, const ga_array *v, ga_convolve2d_options o);
ga_array *(ga_correlate2d)(const ga_array *a, const ga_array *v, ga_convolve2d_options o);

typedef struct ga_ndconvolve_options {
    const char      *site;
    ga_border border GI_DEFAULT;
    double cval      GI_DEFAULT; /* what is outside with GA_BORDER_CONSTANT */
    ga_shape origin
        GI_DEFAULT; /* moves the weights, whose middle is element n / 2: one number or one for each axis, ga_axes(-1, 0) */
    ga_method method GI_DEFAULT;
    ga_array *out    GI_DEFAULT;
} ga_ndconvolve_options;
/* scipy.ndimage's convolve and correlate: `weights` has as many dimensions as a; the result has the shape and dtype of a (with complex
   weights the complex one). Integers are computed in float64, and fractions cut off; ga_ndcorrelate conjugates the weights. */
ga_array *(ga_ndconvolve)(const ga_array *a, const ga_array *weights, ga_ndconvolve_options o);
ga_array *(ga_ndcorrelate)(const ga_array *a, const ga_array *weights, ga_ndconvolve_options o);

typedef struct ga_convolve1d_options {
    const char      *site;
    int axis         GI_DEFAULT; /* not given: the last */
    ga_border border GI_DEFAULT;
    double cval      GI_DEFAULT;
    int64_t origin   GI_DEFAULT;
    ga_method method GI_DEFAULT;
    ga_array *out    GI_DEFAULT;
} ga_convolve1d_options;
/* The same along one axis, with 1-D weights. */
ga_array *(ga_convolve1d)(const ga_array *a, const ga_array *weights, ga_convolve1d_options o);
ga_array *(ga_correlate1d)(const ga_array *a, const ga_array *weights, ga_convolve1d_options o);

/* ==== >>filters: of neighbourhoods, by the names of scipy.ndimage ================================================= */
/*  Results have the shape of a, and its dtype unless .out has another. Where a window or weights reach over an edge, .border says what
    stands there. float32 is computed in float32; integers in float64, with fractions cut off after each axis as SciPy does; what does not
    fit their dtype in the end saturates. Complex numbers: part by part, except for what needs an order. A NaN makes every result that
    it takes part in NaN, and no other one. */

typedef struct ga_gaussian_options {
    const char          *site;
    const double *sigmas GI_DEFAULT; /* one for each axis; sigma is then 0. An axis with 0 is left alone */
    ga_shape order       GI_DEFAULT; /* of the derivative, for all axes or each: .order = ga_axes(0, 1) */
    double truncate      GI_DEFAULT; /* the weights end at so many sigma, default 4, */
    ga_shape radius      GI_DEFAULT; /* or after so many elements, for all axes or each */
    ga_border border     GI_DEFAULT;
    double cval          GI_DEFAULT; /* what is outside with GA_BORDER_CONSTANT */
    ga_array *out        GI_DEFAULT;
} ga_gaussian_options;
ga_array *(ga_gaussian_filter)(const ga_array *a, double sigma, ga_gaussian_options o);
ga_array *(ga_gaussian_laplace)(const ga_array *a, double sigma, ga_gaussian_options o); /* the sum of second derivatives */
ga_array *(ga_gaussian_gradient_magnitude)(const ga_array *a, double sigma,
                                           ga_gaussian_options o); /* sqrt of the sum of first derivatives squared */

typedef struct ga_edge_options {
    const char      *site;
    int axis         GI_DEFAULT; /* not given: the last; ga_laplace: all */
    ga_border border GI_DEFAULT;
    double cval      GI_DEFAULT;
    ga_array *out    GI_DEFAULT;
} ga_edge_options;
ga_array *(ga_sobel)(const ga_array *a, ga_edge_options o);   /* -1 0 1 along .axis, 1 2 1 along the others */
ga_array *(ga_prewitt)(const ga_array *a, ga_edge_options o); /* -1 0 1 along .axis, 1 1 1 along the others */
ga_array *(ga_laplace)(const ga_array *a, ga_edge_options o); /* the sum of 1 -2 1 along each axis */

typedef struct ga_uniform_options {
    const char      *site;
    ga_shape sizes   GI_DEFAULT; /* one for each axis: .sizes = ga_axes(3, 5); size is then 0 */
    ga_border border GI_DEFAULT;
    double cval      GI_DEFAULT;
    ga_shape origin  GI_DEFAULT; /* moves the window, whose middle is element size / 2; one number or one for each axis */
    ga_array *out    GI_DEFAULT;
} ga_uniform_options;
ga_array *(ga_uniform_filter)(const ga_array *a, int64_t size, ga_uniform_options o); /* means; time hardly depends on size */

typedef struct ga_window_options {
    const char               *site;
    ga_shape sizes            GI_DEFAULT; /* one for each axis, or */
    const ga_array *footprint GI_DEFAULT; /* the elements of a window that are true; size is then 0 */
    ga_border border          GI_DEFAULT;
    double cval               GI_DEFAULT;
    ga_shape origin           GI_DEFAULT;
    ga_array *out             GI_DEFAULT;
} ga_window_options;
ga_array *(ga_minimum_filter)(const ga_array *a, int64_t size, ga_window_options o);
ga_array *(ga_maximum_filter)(const ga_array *a, int64_t size, ga_window_options o);
ga_array *(ga_median_filter)(const ga_array *a, int64_t size, ga_window_options o); /* of an even number the upper one */
ga_array *(ga_percentile_filter)(const ga_array *a, double percentile, int64_t size,
                                 ga_window_options o); /* < 0: from the greatest */
ga_array *(ga_rank_filter)(const ga_array *a, int64_t rank, int64_t size,
                           ga_window_options o); /* 0 the least, -1 the greatest */

/* ==== >>images and sky ============================================================================================ */

typedef struct ga_label_options {
    const char *site;
    int connectivity
        GI_DEFAULT; /* neighbours that differ in at most this many coordinates: 1 (default) is 4-connected in 2-D, 2 8-connected */
    int64_t *count GI_DEFAULT; /* the number of objects */
    ga_dtype dtype GI_DEFAULT; /* of the labels, default int32 */
    double above   GI_DEFAULT; /* objects are where a > above, as ga_greater(a, above) says, without making that array */
} ga_label_options;
ga_array *(ga_label)(const ga_array *a, ga_label_options o); /* objects of nonzero elements, numbered from 1 in raster order */

/* Over the elements of a with label index[k], for each k; index NULL: 1 to the largest label. float64. A label without elements has sum,
   size, minimum and maximum 0, and mean and center NaN, as in SciPy. */
ga_array *(ga_sum_labels)(const ga_array *a, const ga_array *labels, const ga_array *index, const char *site);
ga_array *(ga_mean_labels)(const ga_array *a, const ga_array *labels, const ga_array *index, const char *site);
ga_array *(ga_min_labels)(const ga_array *a, const ga_array *labels, const ga_array *index, const char *site);
ga_array *(ga_max_labels)(const ga_array *a, const ga_array *labels, const ga_array *index, const char *site);
ga_array *(ga_size_labels)(const ga_array *labels, const ga_array *index, const char *site); /* int64 */
typedef struct ga_center_options {
    const char     *site;
    ga_array **sums GI_DEFAULT; /* also what ga_sum_labels returns: it is known by then */
} ga_center_options;
ga_array *(ga_center_of_mass)(const ga_array *a, const ga_array *labels, const ga_array *index,
                              ga_center_options o); /* (n, ndim), rows first; labels NULL: of the whole array, (1, ndim) */

typedef enum ga_clip_rule {
    GA_CLIP_LESSON, /* keep strictly inside median +- kappa * std, repeat until nothing changes: the radio-astronomy lesson */
    GA_CLIP_ASTROPY /* keep inside and on the bounds, at most .maxiters times: astropy.stats.sigma_clip */
} ga_clip_rule;
typedef struct ga_sigma_options {
    const char       *site;
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
ga_array *(ga_sigma_clip)(const ga_array *a, ga_sigma_options o); /* what is left, 1-D, in its order, without NaN and inf */

/* ==== >>distances ================================================================================================== */
/*  Between points: an array of n points with f features (coordinates) each has the shape (n, f). float32 gives float32 (SciPy: float64),
    everything else float64; there are none of complex numbers.                                                             */

typedef enum ga_metric {
    GA_EUCLIDEAN,
    GA_SQEUCLIDEAN, /* its square */
    GA_CITYBLOCK,   /* the sum of |x - y| */
    GA_CHEBYSHEV,   /* the largest |x - y|, NaN if any is NaN (SciPy passes over a NaN) */
    GA_COSINE       /* 1 - x.y / (|x| |y|), at least 0; NaN where a point is all 0 */
} ga_metric;
typedef struct ga_distance_options {
    const char      *site;
    ga_metric metric GI_DEFAULT; /* default GA_EUCLIDEAN */
    ga_array *out    GI_DEFAULT;
} ga_distance_options;
ga_array *(ga_cdist)(const ga_array *x, const ga_array *y,
                     ga_distance_options o); /* (n, m): of each point of x from each of y */
/* Of each pair of points of x, 1-D: (0, 1), (0, 2) ... (1, 2) ...; distance (i, j > i) is element i * (2 * n - i - 3) / 2 + j - 1. */
ga_array *(ga_pdist)(const ga_array *x, ga_distance_options o);
typedef struct ga_squareform_options {
    const char    *site;
    bool no_checks GI_DEFAULT; /* scipy's checks=False: that a matrix is symmetric and 0 on its diagonal is not looked at */
} ga_squareform_options;
/* The matrix of such a vector, 0 on its diagonal; the vector of such a matrix. */
ga_array *(ga_squareform)(const ga_array *v, ga_squareform_options o);

/* ==== >>files ===================================================================================================== */
/*  What is written may lie on any device; what is read comes on the default device (ga_set_device).                       */

/* The pixels of a 2-D (grey) or (rows, columns, 1 to 4) array as PNG. uint8 is written as it is; anything else (255 / (max - min)) * (a - min),
   truncated (a constant picture becomes black). Needs stb_image_write.h. False on error. */
bool(ga_imsave)(const char *path, const ga_array *a, const char *site);

typedef struct ga_imshow_options {
    const char       *site;
    const char *cmap  GI_DEFAULT; /* "viridis" (default), "gray", "gray_r", "inferno", "RdBu_r" */
    bool log          GI_DEFAULT; /* logarithmic norm; what is <= 0 is drawn as the lowest colour */
    double vmin       GI_DEFAULT; /* colour range; vmin == vmax: the range of the data; vmin > vmax turns the colours round */
    double vmax       GI_DEFAULT;
    bool colorbar     GI_DEFAULT; /* with numbers, at the right */
    int scale         GI_DEFAULT; /* draw each element as scale x scale pixels, default 1 */
    const char *title GI_DEFAULT; /* a line of text above */
} ga_imshow_options;
ga_array *(ga_render)(const ga_array   *a,
                      ga_imshow_options o); /* what ga_imshow writes: uint8 (rows, columns, 3), always on the CPU */
bool(ga_imshow)(const char *path, const ga_array *a, ga_imshow_options o); /* a 2-D array in colours, as PNG */

ga_array *(ga_load)(const char *path, const char *site); /* .npy */
bool(ga_save)(const char *path, const ga_array *a, const char *site);
ga_array *(ga_load_from)(const char *path, const char *name, const char *site); /* one array of an .npz; NULL name: the first */
bool(ga_savez)(const char *path, int n, const char *const *names, const ga_array *const *arrays,
               const char *site); /* uncompressed .npz */

typedef struct ga_fits_options {
    const char      *site;
    int hdu          GI_DEFAULT; /* 0: the first with an image (also a compressed one); else its number, 1 the primary */
    const char *name GI_DEFAULT; /* or the extension of this EXTNAME */
    bool raw         GI_DEFAULT; /* without BSCALE, BZERO and BLANK */
    bool compress    GI_DEFAULT; /* writing: Rice tiles in an extension */
    bool append      GI_DEFAULT; /* writing: a further extension of an existing file */
} ga_fits_options;
ga_array *(
    ga_fits_read)(const char *path,
                  ga_fits_options
                      o); /* axes as in NumPy: the last FITS axis first; scaled integers and BLANK become floats, unsigned ones stay integers */
bool(ga_fits_write)(const char *path, const ga_array *a, ga_fits_options o);

typedef struct ga_print_options {
    const char   *site;
    int precision GI_DEFAULT; /* digits after the point, default 8 */
    int threshold GI_DEFAULT; /* more elements than this are summarised, default 1000 */
    int edgeitems GI_DEFAULT; /* default 3 */
    int linewidth GI_DEFAULT; /* default 75 */
    bool suppress GI_DEFAULT; /* no scientific notation */
    bool repr     GI_DEFAULT; /* as Python's repr: array([...], dtype=...) */
} ga_print_options;
void(ga_print)(const ga_array *a, ga_print_options o);       /* as NumPy prints it, and a newline */
char *(ga_to_string)(const ga_array *a, ga_print_options o); /* the same without the newline; free() it */

/* ==== >>timing ==================================================================================================== */

double ga_now(void); /* seconds, monotonic */

typedef struct ga_times {
    double min, mean, median, std, max; /* seconds a call */
} ga_times;
typedef struct ga_benchmark_result {
    ga_times cpu,
        device; /* cpu: until f returns; device: until the selected GPU has done what f queued; 0 unless it is in use */
    int repeats;
} ga_benchmark_result;
typedef struct ga_benchmark_options {
    const char        *site;
    const char *name   GI_DEFAULT; /* default: the text of the call */
    int repeat         GI_DEFAULT; /* measured calls, default 10000 or what fits in max_seconds */
    int warmup         GI_DEFAULT; /* default 10; -1 none */
    double max_seconds GI_DEFAULT; /* default 1 */
    bool quiet         GI_DEFAULT; /* do not print the line */
} ga_benchmark_options;
/* Calls f(user) again and again and prints one line, as cupyx.profiler.benchmark. Arrays that f makes are released after each call. */
ga_benchmark_result(ga_benchmark)(void (*f)(void *user), void *user, ga_benchmark_options o);
void(ga_synchronize)(void); /* waits until every GPU in use has done everything */

/* ==== >>cuda: GPUs, streams, events ================================================================================ */
/*  Calls on GPU arrays queue their work and return; what needs a number on the CPU (ga_item, ga_print, ga_to(a, GA_CPU)) waits for it.
    Each thread has a selected device (0) and on each device a current stream (the default stream). Calls work on the selected device:
    an array of another one is an error, except for ga_to, ga_item, ga_data, ga_free, ga_print, ga_allclose and ga_array_equal.
    Arrays may wander between streams: a call waits, on its stream, for what other streams were doing with its arrays. An array that
    several threads use, each on a stream of its own, is right too, but each call with it waits for all streams: where they shall run
    beside each other, give each thread a copy. Your own kernels: queue them on ga_get_stream(), with pointers from ga_cuda_data.
    Before cudaDeviceReset, free the arrays and streams of that device: it takes their memory away.
    In a program built without CUDA, or on a machine without a GPU, ga_cuda_count() is 0 and what needs a GPU fails with a sentence.   */

/* The number of devices; 0 without a GPU, a driver, or CUDA in this program. */
int ga_cuda_count(void);
/* The device of this thread's later calls. False with an error if there is none. CUDA's own current device (cudaSetDevice) is changed
   by any call. */
bool ga_cuda_select(int device);
int  ga_cuda_selected(void);
/* The number of the device that holds the array; -1 for the CPU. */
int ga_cuda_device_of(const ga_array *a);

typedef struct ga_cuda_device {
    char    name[128];
    int     major, minor;     /* compute capability */
    int     processors;       /* streaming multiprocessors */
    int64_t memory_bytes;     /* global memory */
    int64_t shared_bytes;     /* shared memory of a block */
    int64_t cache_bytes;      /* L2 */
    double  clock_hz;         /* of the processors; 0: not known */
    double  bytes_per_second; /* of the global memory, at most; 0: not known */
} ga_cuda_device;
ga_cuda_device ga_cuda_properties(int device); /* all 0 on error */

/* The memory of the selected device, as ga_memory_stats for the CPU's. */
typedef struct ga_cuda_memory {
    int64_t used_bytes;  /* in gpuarr's arrays and calls */
    int64_t peak_bytes;  /* most used so far (since ga_cuda_memory_reset_peak) */
    int64_t kept_bytes;  /* freed, and kept ready for reuse by CUDA's pool */
    int64_t limit_bytes; /* 0: no limit */
    int64_t free_bytes;  /* of the device, for all programs */
    int64_t total_bytes; /* of the device */
    int64_t arrays;      /* how many are alive there */
} ga_cuda_memory;
ga_cuda_memory ga_cuda_memory_stats(void); /* all 0 on error */
void           ga_cuda_memory_reset_peak(void);
/* An allocation beyond the limit fails with GA_NO_MEMORY. 0: no limit. */
void ga_cuda_memory_limit(int64_t bytes);
/* Waits for the device and returns what is kept ready for reuse to the system. */
void ga_cuda_memory_trim(void);

/* The address on the GPU of a C-contiguous GPU array of exactly this dtype, for a kernel of yours that you queue on ga_get_stream(): it
   comes after what gpuarr has queued on the array, and before what gpuarr queues later. NULL with an error. */
void *(ga_cuda_data)(const ga_array *a, ga_dtype dtype, const char *site);

/*  Copies. ga_to(a, GA_CUDA) and ga_to(a, GA_CPU) return when the copy is done: a may be changed, the result be read. With
    .async = true and pinned memory on the CPU (.pinned = true at its creation, or your own wrapped) they return at once; with other
    memory they wait as ever. Until the copy is done, do not touch pinned elements through a pointer that you have kept: every call of
    gpuarr on the array, ga_data too, waits for the copy first; so do ga_synchronize and ga_stream_synchronize.
        ga_array *host = ga_empty((n), .pinned = true), *gpu = ga_empty((n), .device = GA_CUDA);
        ga_to(host, GA_CUDA, .out = gpu, .stream = s, .async = true);                                                            */

/* A stream of the selected device, NULL on error. Streams run beside each other. Any cudaStream_t is a ga_stream; NULL is the default
   stream. */
ga_stream ga_stream_new(void);
/* Waits for its work, then frees it. Threads that work on it go on with the default stream. Of a stream that you have made with
   CUDA and given to ga_set_stream, gpuarr only forgets that it was there: do so before cudaStreamDestroy. */
void ga_stream_free(ga_stream stream);
/* The stream of this thread's later calls on the stream's device (NULL: the default stream of the selected device). */
bool      ga_set_stream(ga_stream stream);
ga_stream ga_get_stream(void);                                    /* on the selected device */
bool      ga_stream_synchronize(ga_stream stream);                /* waits until its work is done; false on error */
bool      ga_stream_query(ga_stream stream);                      /* is it? does not wait */
bool      ga_stream_wait_event(ga_stream stream, ga_event event); /* what is queued from now on comes after the event */

/* A mark in a stream. Any cudaEvent_t is a ga_event. */
ga_event ga_event_new(void); /* on the selected device; NULL on error */
void     ga_event_free(ga_event event);
bool     ga_event_record(ga_event event, ga_stream stream); /* behind what is queued there */
bool     ga_event_synchronize(ga_event event);              /* waits until it is reached; false on error */
bool     ga_event_query(ga_event event);                    /* is it? does not wait */
double   ga_event_elapsed(ga_event from, ga_event to);      /* seconds between two that are reached; NaN on error */

/* ---- kernels of your own that think in threads and blocks ------------------------------------------------------- */
/*  In a .cu file, for nvcc or, without a GPU, for tools/cudasim:
        GA_KERNEL(scale, (float *x, int64_t n, float by))
        {
            int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
            if (i < n) x[i] *= by;
        }
        ...
        ga_launch(scale, ga_blocks(a->size, 256), 256, (a, a->size, 2));
    The body is CUDA's: threadIdx, __shared__, __syncthreads(), atomicAdd. Grid and block are numbers, or dim3(16, 16). An array stands for
    a pointer: it must lie on the selected GPU, C-contiguous, with the dtype that the parameter points to. Pointers and numbers are
    passed as they are. The kernel runs on ga_get_stream() or .stream, after what gpuarr has queued on its arrays and before what gpuarr
    queues later. .shared = bytes of dynamic shared memory (extern __shared__), as much as the GPU has. ga_launch returns at once; false:
    it could not start, ga_error() says why. Any __global__ function can be launched, instances of templates too.                   */

typedef struct ga_launch_options {
    const char      *site;
    int64_t shared   GI_DEFAULT; /* bytes of dynamic shared memory for each block; default 0 */
    ga_stream stream GI_DEFAULT; /* default ga_get_stream() */
} ga_launch_options;

/* How many blocks of `size` threads it takes to have one for each of n elements. */
static inline int64_t ga_blocks(int64_t n, int64_t size) { return n > 0 && size > 0 ? (n - 1) / size + 1 : 0; }

typedef struct gi_dims {
    int64_t x, y, z;
} gi_dims;
/* Can this kernel be launched so? The stream is where it will be queued. */
bool gi_launch_begin(const void *kernel, gi_dims grid, gi_dims block, ga_launch_options o, ga_stream *stream);
/* What an array, the argument of that number (from 1), stands for; NULL with an error. GA_DTYPE_DEFAULT: any dtype. */
void *gi_launch_array(const ga_array *a, int number, ga_dtype dtype, ga_stream stream, const char *site);
bool  gi_launch_end(const char *kernel, const char *site);

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
static inline ga_arg gi_arg(const ga_array *a)
{
    ga_arg r = {};
    r.array  = a;
    return r;
}
static inline ga_arg gi_arg(ga_array *a)
{
    ga_arg r = {};
    r.array  = a;
    return r;
}
static inline ga_arg gi_arg(const ga_arg &a) { return a; }
static inline ga_arg gi_arg(bool v)
{
    ga_arg r = {};
    r.kind   = GA_KIND_BOOL;
    r.i      = v;
    return r;
}
static inline ga_arg gi_arg(double v)
{
    ga_arg r = {};
    r.kind   = GA_KIND_REAL;
    r.re     = v;
    return r;
}
static inline ga_arg gi_arg(float v) { return gi_arg((double)v); }
static inline ga_arg gi_arg(long long v)
{
    ga_arg r = {};
    r.kind   = GA_KIND_INT;
    r.i      = v;
    return r;
}
static inline ga_arg gi_arg(char v) { return gi_arg((long long)v); }
static inline ga_arg gi_arg(signed char v) { return gi_arg((long long)v); }
static inline ga_arg gi_arg(unsigned char v) { return gi_arg((long long)v); }
static inline ga_arg gi_arg(short v) { return gi_arg((long long)v); }
static inline ga_arg gi_arg(unsigned short v) { return gi_arg((long long)v); }
static inline ga_arg gi_arg(int v) { return gi_arg((long long)v); }
static inline ga_arg gi_arg(long v) { return gi_arg((long long)v); }
static inline ga_arg gi_arg(unsigned v) { return gi_arg((long long)v); }
static inline ga_arg gi_arg(unsigned long long v)
{
    ga_arg r = {};
    r.kind   = v > (unsigned long long)INT64_MAX ? GA_KIND_UINT : GA_KIND_INT;
    r.i      = (int64_t)v;
    return r;
}
static inline ga_arg gi_arg(unsigned long v) { return gi_arg((unsigned long long)v); }
static inline ga_arg gi_arg(ga_c64 v)
{
    ga_arg r = {};
    r.kind   = GA_KIND_COMPLEX;
    r.re     = v.re;
    r.im     = v.im;
    return r;
}
static inline ga_arg gi_arg(ga_c128 v)
{
    ga_arg r = {};
    r.kind   = GA_KIND_COMPLEX;
    r.re     = v.re;
    r.im     = v.im;
    return r;
}
#define GA_ARG(v)          gi_arg(v)

template <class... N> static inline ga_shape gi_shape(N... n)
{
    ga_shape r = { (int)sizeof...(n), { (int64_t)n... } };
    static_assert(sizeof...(n) <= GPUARR_MAX_DIMS, "more dimensions than GPUARR_MAX_DIMS");
    return r;
}
#define GI_SHAPE(...)      gi_shape(__VA_ARGS__)

template <class T> struct gi_dtype_of;
#define GI_TRAIT(TAG, tag, T, name)                                                                                            \
    template <> struct gi_dtype_of<T> {                                                                                        \
        static constexpr ga_dtype value = GA_##TAG;                                                                            \
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
static inline ga_array *gi_einsum(const char *s, gi_list l, ga_product_options o) { return (ga_einsum_n)(s, l.n, l.a, o); }
#define GI_LIST(...)   gi_make_list(__VA_ARGS__)
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
#define GA_ARG(v)                                                                                                              \
    _Generic((v), ga_array *: gi_arg_array, const ga_array *: gi_arg_array, ga_arg: gi_arg_self, bool: gi_arg_bool,    \
        char: gi_arg_int, signed char: gi_arg_int, unsigned char: gi_arg_int, short: gi_arg_int,                       \
        unsigned short: gi_arg_int, int: gi_arg_int, unsigned: gi_arg_int, long: gi_arg_int, long long: gi_arg_int,    \
        unsigned long: gi_arg_uint, unsigned long long: gi_arg_uint, float: gi_arg_real, double: gi_arg_real,          \
        ga_c64: gi_arg_c64, ga_c128: gi_arg_c128)(v)

#define GI_COUNT(...) ((int)(sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)))
#define GI_SHAPE(...) ((ga_shape){ GI_COUNT(__VA_ARGS__), { __VA_ARGS__ } })

#define GI_ASSOCIATE(TAG, tag, T, name) T * : GA_##TAG, const T * : GA_##TAG,
/* The dtype that a C pointer points to; a compile error if it is none. */
#define GA_DTYPE_OF(p)                  _Generic((p), GI_EACH_DTYPE(GI_ASSOCIATE) gi_buffer * : GA_DTYPE_DEFAULT)

typedef struct gi_list {
    const ga_array *const *a;
    int                    n;
} gi_list;
static inline ga_array *gi_concatenate(gi_list l, ga_axis_options o) { return (ga_concatenate_n)(l.n, l.a, o); }
static inline ga_array *gi_stack(gi_list l, ga_axis_options o) { return (ga_stack_n)(l.n, l.a, o); }
static inline ga_array *gi_einsum(const char *s, gi_list l, ga_product_options o) { return (ga_einsum_n)(s, l.n, l.a, o); }
#define GI_LIST(...)                                                                                                           \
    ((gi_list){ (const ga_array *const[]){ __VA_ARGS__ },                                                                      \
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
#define GA_CALL_1(fn, ...)                 GI_1(fn, ga_map_options, GI_SITE(#fn "(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define GA_CALL_2(fn, ...)                 GI_NN(fn, ga_map_options, GI_SITE(#fn "(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define GA_CALL_3(fn, ...)                 GI_NNN(fn, ga_map_options, GI_SITE(#fn "(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define GI_1N(fn, O, here, a, x, ...)      (fn)(a, GA_ARG(x), GI_OPTIONS(O, .site = here, __VA_ARGS__))
#define GI_1NN(fn, O, here, a, x, y, ...)  (fn)(a, GA_ARG(x), GA_ARG(y), GI_OPTIONS(O, .site = here, __VA_ARGS__))
#define GI_S(fn, O, here, s, ...)          (fn)(GI_SHAPE s, GI_OPTIONS(O, .site = here, __VA_ARGS__))
#define GI_SN(fn, O, here, s, x, ...)      (fn)(GI_SHAPE s, GA_ARG(x), GI_OPTIONS(O, .site = here, __VA_ARGS__))
#define GI_1S(fn, O, here, a, s, ...)      (fn)(a, GI_SHAPE s, GI_OPTIONS(O, .site = here, __VA_ARGS__))
#define GI_2S(fn, O, here, a, b, s, ...)   (fn)(a, b, GI_SHAPE s, GI_OPTIONS(O, .site = here, __VA_ARGS__))
#define GI_PS(fn, O, here, p, s, ...)      (fn)(p, GA_DTYPE_OF(p), GI_SHAPE s, GI_OPTIONS(O, .site = here, __VA_ARGS__))
#define GI_PSS(fn, O, here, p, s, t, ...)                                                                                      \
    (fn)(p, GA_DTYPE_OF(p), GI_SHAPE s, GI_SHAPE t, GI_OPTIONS(O, .site = here, __VA_ARGS__))
#define GI_L(fn, O, here, l, ...)               (fn)(GI_LIST l, GI_OPTIONS(O, .site = here, __VA_ARGS__))
#define GI_1L(fn, O, here, a, l, ...)           (fn)(a, GI_LIST l, GI_OPTIONS(O, .site = here, __VA_ARGS__))

/* The same for options with an axis: `.axis = 0` must be told from no axis, so the options as written (macros expanded) follow the
   call's text, behind a vertical tab. gi_option_given looks there. */
#define GI_GIVEN(...)                           "\v" #__VA_ARGS__
#define GI_AXIS_1(fn, O, here, a, ...)          (fn)(a, GI_OPTIONS(O, .site = here GI_GIVEN(__VA_ARGS__), __VA_ARGS__))
#define GI_AXIS_2(fn, O, here, a, b, ...)       (fn)(a, b, GI_OPTIONS(O, .site = here GI_GIVEN(__VA_ARGS__), __VA_ARGS__))
#define GI_AXIS_3(fn, O, here, a, b, c, ...)    (fn)(a, b, c, GI_OPTIONS(O, .site = here GI_GIVEN(__VA_ARGS__), __VA_ARGS__))
#define GI_AXIS_4(fn, O, here, a, b, c, d, ...) (fn)(a, b, c, d, GI_OPTIONS(O, .site = here GI_GIVEN(__VA_ARGS__), __VA_ARGS__))
#define GI_AXIS_1N(fn, O, here, a, x, ...)      (fn)(a, GA_ARG(x), GI_OPTIONS(O, .site = here GI_GIVEN(__VA_ARGS__), __VA_ARGS__))
#define GI_AXIS_L(fn, O, here, l, ...)          (fn)(GI_LIST l, GI_OPTIONS(O, .site = here GI_GIVEN(__VA_ARGS__), __VA_ARGS__))

/* A list of axes for an option: .axes = ga_axes(0, 2). And of widths: .after = ga_axes(1, 1). */
#define ga_axes(...)                            GI_SHAPE(__VA_ARGS__)

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
#define ga_repeat(...)          GI_AXIS_2(ga_repeat, ga_axis_options, GI_SITE("ga_repeat(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_from(...)            GI_PS(ga_from, ga_new_options, GI_SITE("ga_from(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_wrap(...)            GI_PS(ga_wrap, ga_wrap_options, GI_SITE("ga_wrap(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_wrap_strided(...)    GI_PSS(ga_wrap_strided, ga_wrap_options, GI_SITE("ga_wrap_strided(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_random(...)          GI_S(ga_random, ga_random_options, GI_SITE("ga_random(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_random_integers(...) GI_2S(ga_random_integers, ga_random_options, GI_SITE("ga_random_integers(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_random_normal(...)   GI_2S(ga_random_normal, ga_random_options, GI_SITE("ga_random_normal(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_copy(a)              (ga_copy)(a, GI_SITE("ga_copy(" #a ")"))
#define ga_astype(a, dtype)     (ga_astype)(a, dtype, GI_SITE("ga_astype(" #a ", " #dtype ")"))
#define ga_to(...)              GI_2(ga_to, ga_to_options, GI_SITE("ga_to(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_ascontiguous(a)      (ga_ascontiguous)(a, GI_SITE("ga_ascontiguous(" #a ")"))
#define ga_item(a)              (ga_item)(a, GI_SITE("ga_item(" #a ")"))
#define ga_item_int(a)          (ga_item_int)(a, GI_SITE("ga_item_int(" #a ")"))
#define ga_item_at(a, ...)      (ga_item_at)(a, GI_SHAPE(__VA_ARGS__), GI_SITE("ga_item_at(" #a ", " #__VA_ARGS__ ")"))
#define ga_item_int_at(a, ...)  (ga_item_int_at)(a, GI_SHAPE(__VA_ARGS__), GI_SITE("ga_item_int_at(" #a ", " #__VA_ARGS__ ")"))
#define ga_data(a, dtype)       (ga_data)(a, dtype, GI_SITE("ga_data(" #a ", " #dtype ")"))
#define ga_cuda_data(a, dtype)  (ga_cuda_data)(a, dtype, GI_SITE("ga_cuda_data(" #a ", " #dtype ")"))

#define ga_index(a, ...)        (ga_index)(GI_SITE("ga_index(" #a ", " #__VA_ARGS__ ")"), a, __VA_ARGS__)
#define ga_view(a)              (ga_view)(a, GI_SITE("ga_view(" #a ")"))
#define ga_view_as(a, dtype)    (ga_view_as)(a, dtype, GI_SITE("ga_view_as(" #a ", " #dtype ")"))
#define ga_reshape(a, shape)    (ga_reshape)(a, GI_SHAPE shape, GI_SITE("ga_reshape(" #a ", " #shape ")"))
#define ga_ravel(a)             (ga_ravel)(a, GI_SITE("ga_ravel(" #a ")"))
#define ga_flatten(a)           (ga_flatten)(a, GI_SITE("ga_flatten(" #a ")"))
#define ga_transpose(...)       GI_AXIS_1(ga_transpose, ga_axes_options, GI_SITE("ga_transpose(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_swapaxes(a, i, j)    (ga_swapaxes)(a, i, j, GI_SITE("ga_swapaxes(" #a ", " #i ", " #j ")"))
#define ga_moveaxis(a, i, j)    (ga_moveaxis)(a, i, j, GI_SITE("ga_moveaxis(" #a ", " #i ", " #j ")"))
#define ga_squeeze(...)         GI_AXIS_1(ga_squeeze, ga_axes_options, GI_SITE("ga_squeeze(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_expand_dims(a, axis) (ga_expand_dims)(a, axis, GI_SITE("ga_expand_dims(" #a ", " #axis ")"))
#define ga_broadcast_to(a, s)   (ga_broadcast_to)(a, GI_SHAPE s, GI_SITE("ga_broadcast_to(" #a ", " #s ")"))
#define ga_diagonal(a, offset)  (ga_diagonal)(a, offset, GI_SITE("ga_diagonal(" #a ", " #offset ")"))
#define ga_flip(...)            GI_AXIS_1(ga_flip, ga_axes_options, GI_SITE("ga_flip(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_fliplr(a)            (ga_fliplr)(a, GI_SITE("ga_fliplr(" #a ")"))
#define ga_flipud(a)            (ga_flipud)(a, GI_SITE("ga_flipud(" #a ")"))
#define ga_rot90(a, k)          (ga_rot90)(a, k, GI_SITE("ga_rot90(" #a ", " #k ")"))

#define ga_where(...)           GI_1NN(ga_where, ga_map_options, GI_SITE("ga_where(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_isclose(...)         GI_NN(ga_isclose, ga_close_options, GI_SITE("ga_isclose(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_allclose(...)        GI_NN(ga_allclose, ga_close_options, GI_SITE("ga_allclose(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_array_equal(...)     GI_NN(ga_array_equal, ga_close_options, GI_SITE("ga_array_equal(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_copyto(...)          GI_1N(ga_copyto, ga_copyto_options, GI_SITE("ga_copyto(" #__VA_ARGS__ ")"), __VA_ARGS__, )

#define ga_var(...)             GI_AXIS_1(ga_var, ga_reduce_options, GI_SITE("ga_var(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_std(...)             GI_AXIS_1(ga_std, ga_reduce_options, GI_SITE("ga_std(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_nanmean(...)         GI_AXIS_1(ga_nanmean, ga_reduce_options, GI_SITE("ga_nanmean(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_nanvar(...)          GI_AXIS_1(ga_nanvar, ga_reduce_options, GI_SITE("ga_nanvar(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_nanstd(...)          GI_AXIS_1(ga_nanstd, ga_reduce_options, GI_SITE("ga_nanstd(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_argmin(...)          GI_AXIS_1(ga_argmin, ga_reduce_options, GI_SITE("ga_argmin(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_argmax(...)          GI_AXIS_1(ga_argmax, ga_reduce_options, GI_SITE("ga_argmax(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_nanargmin(...)       GI_AXIS_1(ga_nanargmin, ga_reduce_options, GI_SITE("ga_nanargmin(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_nanargmax(...)       GI_AXIS_1(ga_nanargmax, ga_reduce_options, GI_SITE("ga_nanargmax(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_median(...)          GI_AXIS_1(ga_median, ga_order_options, GI_SITE("ga_median(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_nanmedian(...)       GI_AXIS_1(ga_nanmedian, ga_order_options, GI_SITE("ga_nanmedian(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_percentile(...)      GI_AXIS_1N(ga_percentile, ga_order_options, GI_SITE("ga_percentile(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_nanpercentile(...)   GI_AXIS_1N(ga_nanpercentile, ga_order_options, GI_SITE("ga_nanpercentile(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_cumsum(...)          GI_AXIS_1(ga_cumsum, ga_axis_options, GI_SITE("ga_cumsum(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_cumprod(...)         GI_AXIS_1(ga_cumprod, ga_axis_options, GI_SITE("ga_cumprod(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_norm(...)            GI_AXIS_1(ga_norm, ga_norm_options, GI_SITE("ga_norm(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_matmul(...)          GI_2(ga_matmul, ga_product_options, GI_SITE("ga_matmul(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_dot(...)             GI_2(ga_dot, ga_product_options, GI_SITE("ga_dot(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_inner(...)           GI_2(ga_inner, ga_product_options, GI_SITE("ga_inner(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_outer(...)           GI_2(ga_outer, ga_product_options, GI_SITE("ga_outer(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_vdot(a, b)           (ga_vdot)(a, b, GI_SITE("ga_vdot(" #a ", " #b ")"))
#define ga_tensordot(...)       GI_3(ga_tensordot, ga_tensordot_options, GI_SITE("ga_tensordot(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_einsum_n(...)        GI_3(ga_einsum_n, ga_product_options, GI_SITE("ga_einsum_n(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_einsum(...)          GI_1L(gi_einsum, ga_product_options, GI_SITE("ga_einsum(" #__VA_ARGS__ ")"), __VA_ARGS__, )

#define ga_concatenate(...)     GI_AXIS_L(gi_concatenate, ga_axis_options, GI_SITE("ga_concatenate(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_concatenate_n(...)   GI_AXIS_2(ga_concatenate_n, ga_axis_options, GI_SITE("ga_concatenate_n(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_stack(...)           GI_AXIS_L(gi_stack, ga_axis_options, GI_SITE("ga_stack(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_stack_n(...)         GI_AXIS_2(ga_stack_n, ga_axis_options, GI_SITE("ga_stack_n(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_split(...)           GI_AXIS_3(ga_split, ga_axis_options, GI_SITE("ga_split(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_split_at(...)        GI_AXIS_4(ga_split_at, ga_axis_options, GI_SITE("ga_split_at(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_roll(...)            GI_AXIS_2(ga_roll, ga_axis_options, GI_SITE("ga_roll(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_pad(...)             GI_1S(ga_pad, ga_pad_options, GI_SITE("ga_pad(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_sort(...)            GI_AXIS_1(ga_sort, ga_axis_options, GI_SITE("ga_sort(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_argsort(...)         GI_AXIS_1(ga_argsort, ga_axis_options, GI_SITE("ga_argsort(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_unique(...)          GI_1(ga_unique, ga_unique_options, GI_SITE("ga_unique(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_nonzero(a)           (ga_nonzero)(a, GI_SITE("ga_nonzero(" #a ")"))
#define ga_compress(...)        GI_AXIS_2(ga_compress, ga_axis_options, GI_SITE("ga_compress(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_extract(c, a)        (ga_extract)(c, a, GI_SITE("ga_extract(" #c ", " #a ")"))
#define ga_take(...)            GI_AXIS_2(ga_take, ga_take_options, GI_SITE("ga_take(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_histogram(...)       GI_2(ga_histogram, ga_histogram_options, GI_SITE("ga_histogram(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_bincount(...)        GI_1(ga_bincount, ga_bincount_options, GI_SITE("ga_bincount(" #__VA_ARGS__ ")"), __VA_ARGS__, )

#define ga_convolve(...)        GI_2(ga_convolve, ga_convolve_options, GI_SITE("ga_convolve(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_correlate(...)       GI_2(ga_correlate, ga_convolve_options, GI_SITE("ga_correlate(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_convolve2d(...)      GI_2(ga_convolve2d, ga_convolve2d_options, GI_SITE("ga_convolve2d(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_correlate2d(...)     GI_2(ga_correlate2d, ga_convolve2d_options, GI_SITE("ga_correlate2d(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_ndconvolve(...)      GI_2(ga_ndconvolve, ga_ndconvolve_options, GI_SITE("ga_ndconvolve(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_ndcorrelate(...)     GI_2(ga_ndcorrelate, ga_ndconvolve_options, GI_SITE("ga_ndcorrelate(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_convolve1d(...)      GI_AXIS_2(ga_convolve1d, ga_convolve1d_options, GI_SITE("ga_convolve1d(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_correlate1d(...)     GI_AXIS_2(ga_correlate1d, ga_convolve1d_options, GI_SITE("ga_correlate1d(" #__VA_ARGS__ ")"), __VA_ARGS__, )

#define ga_gaussian_filter(...) GI_2(ga_gaussian_filter, ga_gaussian_options, GI_SITE("ga_gaussian_filter(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_gaussian_laplace(...) GI_2(ga_gaussian_laplace, ga_gaussian_options, GI_SITE("ga_gaussian_laplace(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_gaussian_gradient_magnitude(...) GI_2(ga_gaussian_gradient_magnitude, ga_gaussian_options, GI_SITE("ga_gaussian_gradient_magnitude(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_sobel(...)           GI_AXIS_1(ga_sobel, ga_edge_options, GI_SITE("ga_sobel(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_prewitt(...)         GI_AXIS_1(ga_prewitt, ga_edge_options, GI_SITE("ga_prewitt(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_laplace(...)         GI_AXIS_1(ga_laplace, ga_edge_options, GI_SITE("ga_laplace(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_uniform_filter(...)  GI_2(ga_uniform_filter, ga_uniform_options, GI_SITE("ga_uniform_filter(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_minimum_filter(...)  GI_2(ga_minimum_filter, ga_window_options, GI_SITE("ga_minimum_filter(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_maximum_filter(...)  GI_2(ga_maximum_filter, ga_window_options, GI_SITE("ga_maximum_filter(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_median_filter(...)   GI_2(ga_median_filter, ga_window_options, GI_SITE("ga_median_filter(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_percentile_filter(...) GI_3(ga_percentile_filter, ga_window_options, GI_SITE("ga_percentile_filter(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_rank_filter(...)     GI_3(ga_rank_filter, ga_window_options, GI_SITE("ga_rank_filter(" #__VA_ARGS__ ")"), __VA_ARGS__, )

#define ga_label(...)           GI_1(ga_label, ga_label_options, GI_SITE("ga_label(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_sum_labels(a, l, i)  (ga_sum_labels)(a, l, i, GI_SITE("ga_sum_labels(" #a ", " #l ", " #i ")"))
#define ga_mean_labels(a, l, i) (ga_mean_labels)(a, l, i, GI_SITE("ga_mean_labels(" #a ", " #l ", " #i ")"))
#define ga_min_labels(a, l, i)  (ga_min_labels)(a, l, i, GI_SITE("ga_min_labels(" #a ", " #l ", " #i ")"))
#define ga_max_labels(a, l, i)  (ga_max_labels)(a, l, i, GI_SITE("ga_max_labels(" #a ", " #l ", " #i ")"))
#define ga_size_labels(l, i)    (ga_size_labels)(l, i, GI_SITE("ga_size_labels(" #l ", " #i ")"))
#define ga_center_of_mass(...)  GI_3(ga_center_of_mass, ga_center_options, GI_SITE("ga_center_of_mass(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_sigma_clip(...)      GI_1(ga_sigma_clip, ga_sigma_options, GI_SITE("ga_sigma_clip(" #__VA_ARGS__ ")"), __VA_ARGS__, )

#define ga_cdist(...)           GI_2(ga_cdist, ga_distance_options, GI_SITE("ga_cdist(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_pdist(...)           GI_1(ga_pdist, ga_distance_options, GI_SITE("ga_pdist(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_squareform(...)      GI_1(ga_squareform, ga_squareform_options, GI_SITE("ga_squareform(" #__VA_ARGS__ ")"), __VA_ARGS__, )

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
#define ga_sum(...) GI_AXIS_1(ga_sum, ga_reduce_options, GI_SITE("ga_sum(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_prod(...) GI_AXIS_1(ga_prod, ga_reduce_options, GI_SITE("ga_prod(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_mean(...) GI_AXIS_1(ga_mean, ga_reduce_options, GI_SITE("ga_mean(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_min(...) GI_AXIS_1(ga_min, ga_reduce_options, GI_SITE("ga_min(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_max(...) GI_AXIS_1(ga_max, ga_reduce_options, GI_SITE("ga_max(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_any(...) GI_AXIS_1(ga_any, ga_reduce_options, GI_SITE("ga_any(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_all(...) GI_AXIS_1(ga_all, ga_reduce_options, GI_SITE("ga_all(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_count_nonzero(...) GI_AXIS_1(ga_count_nonzero, ga_reduce_options, GI_SITE("ga_count_nonzero(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_nansum(...) GI_AXIS_1(ga_nansum, ga_reduce_options, GI_SITE("ga_nansum(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_nanprod(...) GI_AXIS_1(ga_nanprod, ga_reduce_options, GI_SITE("ga_nanprod(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_nanmin(...) GI_AXIS_1(ga_nanmin, ga_reduce_options, GI_SITE("ga_nanmin(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_nanmax(...) GI_AXIS_1(ga_nanmax, ga_reduce_options, GI_SITE("ga_nanmax(" #__VA_ARGS__ ")"), __VA_ARGS__, )
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
#define GI_SCOPE(name)                                                                                                         \
    for (__attribute__((cleanup(gi_scope_end))) gi_scope name = *gi_scope_begin(&name); name.open; name.open = 0)
#endif
#define GI_JOIN_(a, b) a##b
#define GI_JOIN(a, b)  GI_JOIN_(a, b)
#define ga_scope       GI_SCOPE(GI_JOIN(gi_scope_, __LINE__))

/* GA_KERNEL and ga_launch: section >>cuda. The launch is a template because only C++ knows a kernel's parameters. */
#if defined(__cplusplus) && (defined(__CUDACC__) || defined(__CUDASIM__))
#include <cuda_runtime.h>
#include <tuple>
#include <type_traits>
#include <utility>

static inline gi_dims gi_make_dims(dim3 d) { return { d.x, d.y, d.z }; }
template <class N, class = std::enable_if_t<std::is_integral_v<N>>> static inline gi_dims gi_make_dims(N n)
{
    return { (int64_t)n, 1, 1 };
}
/* "(16, 16)" without dim3 is the number 16 in C++. */
static constexpr bool gi_is_comma_list(const char *text)
{
    int  depth = 0;
    bool comma = false;
    if (*text != '(') return false;
    for (; *text; text++) {
        depth += *text == '(' ? 1 : *text == ')' ? -1 : 0;
        comma = comma || (*text == ',' && depth == 1);
        if (depth == 0 && text[1]) return false;
    }
    return comma;
}

/* The dtype of the elements that a kernel's pointer points to; GA_DTYPE_DEFAULT if they are of a type of the user's. */
template <class T> static constexpr ga_dtype gi_pointee()
{
    if constexpr (std::is_same_v<T, bool>) return GA_BOOL;
    else if constexpr (std::is_integral_v<T>) {
        constexpr ga_dtype of_size[2][4] = { { GA_U8, GA_U16, GA_U32, GA_U64 }, { GA_I8, GA_I16, GA_I32, GA_I64 } };
        return of_size[std::is_signed_v<T>][sizeof(T) == 8 ? 3 : sizeof(T) / 2];
    } else if constexpr (std::is_same_v<T, float>) return GA_F32;
    else if constexpr (std::is_same_v<T, double>) return GA_F64;
    else if constexpr (std::is_same_v<T, ga_c64>) return GA_C64;
    else if constexpr (std::is_same_v<T, ga_c128>) return GA_C128;
    else return GA_DTYPE_DEFAULT;
}

struct gi_launching {
    const char *site;
    ga_stream   stream;
    int         argument; /* the number of the one that is looked at */
    bool        ok;
};

/* The value of a kernel's parameter of type P for what the call gives. */
template <class P, class A> static inline P gi_launch_value(gi_launching *l, A a)
{
    l->argument++;
    if constexpr (std::is_same_v<A, ga_array *> || std::is_same_v<A, const ga_array *>) {
        static_assert(std::is_pointer_v<P>, "ga_launch: an array is given where the kernel's parameter is no pointer");
        void *p = !l->ok ? nullptr
                         : gi_launch_array(a, l->argument, gi_pointee<std::remove_cv_t<std::remove_pointer_t<P>>>(), l->stream,
                                           l->site);
        l->ok   = p != nullptr;
        return (P)p;
    } else if constexpr (std::is_arithmetic_v<A> && std::is_arithmetic_v<P>) return (P)a;
    else return a;
}

template <class... P, size_t... I>
static inline void gi_launch_now(const char *file, int line, const char *name, void (*kernel)(P...), gi_dims grid,
                                 gi_dims block, size_t shared, ga_stream stream, std::tuple<P...> &values,
                                 std::index_sequence<I...>)
{
    dim3 g((unsigned)grid.x, (unsigned)grid.y, (unsigned)grid.z), b((unsigned)block.x, (unsigned)block.y, (unsigned)block.z);
    (void)values;
#ifdef __CUDASIM__
    cudasim::configuration how(g, b, shared, (cudaStream_t)stream);
    cudasim::run_pointer(cudasim::launcher(file, line, name, how).launch, kernel, std::get<I>(values)...);
#else
    (void)file, (void)line, (void)name;
    kernel<<<g, b, shared, (cudaStream_t)stream>>>(std::get<I>(values)...);
#endif
}

template <bool is_comma_list, class... P, class... A>
static inline bool gi_launch(const char *file, int line, const char *name, void (*kernel)(P...), gi_dims grid, gi_dims block,
                             const std::tuple<A...> &given, ga_launch_options o)
{
    static_assert(!is_comma_list, "ga_launch: two numbers in parentheses are the last of them: write dim3(16, 16)");
    static_assert(sizeof...(P) == sizeof...(A), "ga_launch: the kernel has another number of parameters");
    gi_launching l = { o.site, nullptr, 0, true };
    if (!gi_launch_begin((const void *)kernel, grid, block, o, &l.stream)) return false;
    if constexpr (sizeof...(P) == sizeof...(A)) {
        auto values = std::apply([&](const A &...a) { return std::tuple<P...>{ gi_launch_value<P>(&l, a)... }; }, given);
        if (!l.ok) return false;
        gi_launch_now(file, line, name, kernel, grid, block, (size_t)o.shared, l.stream, values,
                      std::index_sequence_for<P...>{});
    }
    return gi_launch_end(name, o.site);
}
template <class... A> static inline std::tuple<A...> gi_arguments(A... a) { return std::tuple<A...>(a...); }

#define GA_KERNEL(name, parameters) static __global__ void name parameters
#define ga_launch(...)              GI_LAUNCH_USER(GI_SITE("ga_launch(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define GI_LAUNCH_USER(here, kernel, grid, block, arguments, ...)                                                              \
    gi_launch<gi_is_comma_list(#grid) || gi_is_comma_list(#block)>(__FILE__, __LINE__, #kernel, kernel, gi_make_dims(grid),    \
                                                                   gi_make_dims(block), gi_arguments arguments,                \
                                                                   GI_OPTIONS(ga_launch_options, .site = here, __VA_ARGS__))
#else /* a plain C or C++ compiler */
#ifdef __cplusplus
#define GI_ASSERT static_assert
#else
#define GI_ASSERT _Static_assert
#endif
#define GA_KERNEL(name, parameters)                                                                                            \
    GI_ASSERT(0, "GA_KERNEL: threads and blocks need CUDA: name this file .cu, and compile it with nvcc or tools/cudasim");    \
    static void name parameters
#define ga_launch(...) gi_launch_without_cuda()
__attribute__((unavailable("ga_launch needs CUDA: name this file .cu, and compile it with nvcc or tools/cudasim"))) bool
gi_launch_without_cuda(void);
#endif

#endif /* GPUARR_INCLUDED */

/* ################################################################################################################## */
#if defined(GPUARR_IMPLEMENTATION) && !defined(GPUARR_IMPLEMENTED)
#define GPUARR_IMPLEMENTED
#ifdef __NVCC__ /* it passes GCC's pragmas on to GCC, and warns that it does not know them itself */
#pragma nv_diagnostic push
#pragma nv_diag_suppress 1675
#endif
/* ==== >>runtime: errors, dtypes, memory, scopes, threads ========================================================== */

#include <errno.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* Under -std=c11 with a system header included before this one, these are hidden though they are there. */
#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS 0x20
extern int madvise(void *, size_t, int);
#endif
#ifndef MADV_HUGEPAGE
#define MADV_HUGEPAGE 14
#endif
#ifndef CLOCK_MONOTONIC
#define CLOCK_MONOTONIC 1
extern int clock_gettime(int, struct timespec *);
#endif

#ifdef GPUARR_USE_CBLAS
#include <cblas.h>
#endif
#if defined(__CUDACC__) || defined(__CUDASIM__)
#define GI_HAS_CUDA 1
#include <cuda_runtime.h>
#if defined(GPUARR_USE_CUBLAS) && !defined(__CUDASIM__)
#include <cublas_v2.h>
#endif
#if defined(__CUDASIM__) || defined(GPUARR_NO_CUB)
#define GI_HAS_CUB 0 /* then our own radix sort */
#else
#define GI_HAS_CUB 1
#include <cub/device/device_radix_sort.cuh>
#endif
#if defined(GPUARR_USE_CUFFT) && !defined(__CUDASIM__)
#define GI_HAS_CUFFT 1
#include <cufft.h>
#else
#define GI_HAS_CUFFT 0
#endif
#if defined(__USE_FAST_MATH__)
#error "gpuarr: compile the file with GPUARR_IMPLEMENTATION without -use_fast_math: it breaks NaN and the promise of equal bits"
#endif
#else
#define GI_HAS_CUDA  0
#define GI_HAS_CUFFT 0
#endif

#ifdef __FAST_MATH__
#error "gpuarr: compile the file with GPUARR_IMPLEMENTATION without -ffast-math: it breaks NaN and the promise of equal bits"
#endif

#if defined(__SANITIZE_ADDRESS__)
#define GI_NO_POOL 1 /* so that AddressSanitizer sees every release */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GI_NO_POOL 1
#endif
#endif
#ifndef GI_NO_POOL
#define GI_NO_POOL 0
#endif

/* ---- errors ------------------------------------------------------------------------------------------------------ */

static __thread char      gi_error_text[1024];
static __thread ga_status gi_error_status;
static ga_error_handler   gi_error_handler;
static void              *gi_error_user;

const char *ga_error(void) { return gi_error_status == GA_OK ? NULL : gi_error_text; }
ga_status   ga_error_status(void) { return gi_error_status; }
void        ga_clear_error(void) { gi_error_status = GA_OK; }
void        ga_ignore_error(ga_status status, const char *sentence, void *user) { (void)status, (void)sentence, (void)user; }

void ga_set_error_handler(ga_error_handler handler, void *user)
{
    gi_error_handler = handler;
    gi_error_user    = user;
}

/* Writes "main.c:12: ga_add(a, b): " from a site "main.c:12\tga_add(a, b)"; a long call is cut. Returns the length. */
static int gi_write_site(char *to, size_t room, const char *site)
{
    enum { LONGEST_CALL = 120 };
    if (!site || !*site) return snprintf(to, room, "gpuarr: ");
    const char *call = strchr(site, '\t');
    if (!call) return snprintf(to, room, "%.*s: ", LONGEST_CALL, site);
    size_t length = strcspn(call + 1, "\v");
    bool   cut    = length > LONGEST_CALL;
    return snprintf(to, room, "%.*s%s%.*s%s: ", (int)(call - site), site, call > site ? ": " : "",
                    cut ? (int)LONGEST_CALL : (int)length, call + 1, cut ? "..." : "");
}

/* Keeps the first error of this thread as a sentence and reports it. Always returns NULL. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static void *
gi_fail(const char *site, ga_status status, const char *format, ...)
{
    if (gi_error_status != GA_OK) return NULL;
    gi_error_status = status;
    int     used    = gi_write_site(gi_error_text, sizeof gi_error_text, site);
    va_list args;
    va_start(args, format);
    if (used >= 0 && (size_t)used < sizeof gi_error_text)
        vsnprintf(gi_error_text + used, sizeof gi_error_text - (size_t)used, format, args);
    va_end(args);
    if (gi_error_handler) gi_error_handler(status, gi_error_text, gi_error_user);
    else fprintf(stderr, "gpuarr: %s\n", gi_error_text);
    return NULL;
}

/* "(3, 4)" for messages; the text lives in one of a few buffers of this thread, so one message may hold several. */
static const char *gi_shape_text(int ndim, const int64_t *n)
{
    enum { BUFFERS = 4, ROOM = 24 * GPUARR_MAX_DIMS + 4 };
    static __thread char text[BUFFERS][ROOM];
    static __thread int  turn;
    char                *s    = text[turn = (turn + 1) % BUFFERS];
    int                  used = snprintf(s, ROOM, "(");
    for (int d = 0; d < ndim; d++) used += snprintf(s + used, (size_t)(ROOM - used), d ? ", %lld" : "%lld", (long long)n[d]);
    snprintf(s + used, (size_t)(ROOM - used), ndim == 1 ? ",)" : ")");
    return s;
}
static const char *gi_shape_of(const ga_array *a) { return gi_shape_text(a->ndim, a->shape); }

/* Was an option written in the call? The options follow a vertical tab in `site`, or else stand between the parentheses of the call's
   text. Only the outermost level counts, not the options of calls inside, and only what follows a comma is an option's name. */
static bool gi_option_given(const char *site, const char *name)
{
    const char *p = site ? strchr(site, '\v') : NULL;
    if (!p && site && (p = strchr(site, '\t')) != NULL) p = strchr(p, '(');
    if (!p) return false;
    if (!strchr(p, '=')) return false; /* most calls: no option at all */
    size_t length = strlen(name);
    int    depth  = 0;
    char   before = ',', last = ',';
    for (p++; *p; p++) {
        if (*p == '"' || (*p == '\'' && !(last >= '0' && last <= '9'))) { /* a literal: to its end */
            char quote = *p++;
            while (*p && *p != quote) p += *p == '\\' && p[1] ? 2 : 1;
            if (!*p) break;
        }
        if (*p == '(' || *p == '[' || *p == '{') depth++;
        if (*p == ')' || *p == ']' || *p == '}') depth--;
        if (depth == 0 && *p == '.' && before == ',' && strncmp(p + 1, name, length) == 0) {
            const char *after = p + 1 + length;
            while (*after == ' ') after++;
            if (after[0] == '=' && after[1] != '=') return true;
        }
        last = *p;
        if (*p != ' ') before = *p;
    }
    return false;
}

/* ---- dtypes ------------------------------------------------------------------------------------------------------ */

static const char *const gi_dtype_names[] = { "none",
#define GI_ENTRY(TAG, tag, T, name) name,
                                              GI_EACH_DTYPE(GI_ENTRY)
#undef GI_ENTRY
};
static const int gi_itemsizes[] = { 0,
#define GI_ENTRY(TAG, tag, T, name) (int)sizeof(T),
                                    GI_EACH_DTYPE(GI_ENTRY)
#undef GI_ENTRY
};

static bool gi_is_dtype(ga_dtype d) { return d > GA_DTYPE_DEFAULT && d < GA_DTYPE_COUNT; }
static bool gi_is_int(ga_dtype d) { return d >= GA_I8 && d <= GA_U64; }
static bool gi_is_signed(ga_dtype d) { return d == GA_I8 || d == GA_I16 || d == GA_I32 || d == GA_I64; }
static bool gi_is_unsigned(ga_dtype d) { return d == GA_U8 || d == GA_U16 || d == GA_U32 || d == GA_U64; }
static bool gi_is_float(ga_dtype d) { return d == GA_F32 || d == GA_F64; }
static bool gi_is_complex(ga_dtype d) { return d == GA_C64 || d == GA_C128; }
/* Are there arrays of this dtype in this build? False with an error. */
static bool gi_is_stamped(const char *site, ga_dtype dtype)
{
#ifdef GPUARR_FEW_DTYPES
    switch (dtype) {
#define GI_CASE(TAG, tag, T, name) case GA_##TAG:
        GI_EACH_STAMPED(GI_CASE)
#undef GI_CASE
        return true;
    default:
        gi_fail(site, GA_BAD_DTYPE, "%s does not exist in this build: compile without GPUARR_FEW_DTYPES",
                gi_dtype_names[dtype]);
        return false;
    }
#else
    return (void)site, (void)dtype, true;
#endif
}
/* The dtype of the real part. */
static ga_dtype gi_real_dtype(ga_dtype d) { return d == GA_C64 ? GA_F32 : d == GA_C128 ? GA_F64 : d; }

const char *ga_dtype_name(ga_dtype d) { return gi_is_dtype(d) ? gi_dtype_names[d] : "?"; }
int64_t     ga_itemsize(ga_dtype d) { return gi_is_dtype(d) ? gi_itemsizes[d] : 0; }

ga_dtype ga_promote(ga_dtype a, ga_dtype b)
{
    if (!gi_is_dtype(a) || !gi_is_dtype(b)) return GA_DTYPE_DEFAULT;
    if (a > b) { /* bool, then integers by size, floats, complex */
        ga_dtype t = a;
        a          = b;
        b          = t;
    }
    if (a == b || a == GA_BOOL) return b;
    if (gi_is_int(b)) {
        if (gi_is_signed(a) == gi_is_signed(b)) return b; /* same signedness: the larger one comes later */
        ga_dtype s = gi_is_signed(a) ? a : b, u = gi_is_signed(a) ? b : a;
        if (ga_itemsize(s) > ga_itemsize(u)) return s;
        switch (u) {
        case GA_U8: return GA_I16;
        case GA_U16: return GA_I32;
        case GA_U32: return GA_I64;
        default: return GA_F64;
        }
    }
    bool wide = gi_is_int(a) ? ga_itemsize(a) >= 4 : a == GA_F64 || a == GA_C128; /* does a need 53 bits? */
    if (b == GA_F32) return wide ? GA_F64 : GA_F32;
    if (b == GA_C64) return wide ? GA_C128 : GA_C64;
    return b;
}

bool ga_can_cast(ga_dtype from, ga_dtype to) { return gi_is_dtype(from) && ga_promote(from, to) == to; }

/* bool 0, integers 1, floats 2, complex 3: a result may be written into an array of the same kind or a later one. */
static int  gi_kind_of(ga_dtype d) { return d == GA_BOOL ? 0 : gi_is_int(d) ? 1 : gi_is_float(d) ? 2 : 3; }
static bool gi_same_kind(ga_dtype from, ga_dtype to)
{
    if (gi_is_signed(from) && gi_is_unsigned(to)) return false; /* as NumPy's same_kind */
    return gi_kind_of(from) <= gi_kind_of(to);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */
/*  Everything that lives longer than a call and everything large comes from gi_alloc. Blocks that are given back are kept in
    lists by size class, because fresh pages cost more than most operations on them; classes are powers of two in quarter steps.
    With a user's allocator, or under AddressSanitizer, nothing is kept.                                                     */

enum { GI_ALIGN = 64, GI_CLASSES = 4 * 48 };
#define GI_HUGE_PAGE  ((size_t)2 << 20)
#define GI_FROM_MMAP  ((size_t)4 << 20) /* blocks of this size and more are mapped, on huge pages */
#define GI_POOL_KEEPS ((int64_t)1 << 30)

typedef struct gi_block { /* lies in a block that waits for reuse */
    struct gi_block *next;
} gi_block;

static struct {
    pthread_mutex_t   lock;
    gi_block         *ready[GI_CLASSES];
    int64_t           used, peak, kept, limit, arrays;
    ga_alloc_function alloc;
    ga_free_function  release;
    void             *user;
    struct gi_handle *first; /* every array that is alive */
} gi_pool = { PTHREAD_MUTEX_INITIALIZER, { NULL }, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL };

/* The class of a size and, rounded up, the size of its blocks. */
static int gi_size_class(size_t bytes, size_t *rounded)
{
    int power = 8;
    while (power < 47 && ((size_t)1 << power) < bytes) power++;
    size_t top = (size_t)1 << power, step = top / 8; /* between top / 2 and top: four steps */
    int    quarter = 4;
    while (quarter > 1 && top - step >= bytes && power > 8) {
        top -= step;
        quarter--;
    }
    *rounded = top;
    return 4 * power + quarter - 1;
}

static void *gi_system_alloc(size_t bytes)
{
    if (bytes < GI_FROM_MMAP) return aligned_alloc(GI_ALIGN, (bytes + GI_ALIGN - 1) / GI_ALIGN * GI_ALIGN);
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return NULL;
    (void)madvise(p, bytes, MADV_HUGEPAGE); /* only advice: without it everything works, slower */
    return p;
}

static void gi_system_free(void *p, size_t bytes)
{
    if (bytes < GI_FROM_MMAP) free(p);
    else munmap(p, bytes);
}

/* Gives kept blocks back to the system until at most `keep` bytes are left. The lock is held. */
static void gi_pool_shrink(int64_t keep)
{
    for (int c = GI_CLASSES - 1; c >= 0 && gi_pool.kept > keep; c--)
        while (gi_pool.ready[c] && gi_pool.kept > keep) {
            gi_block *block = gi_pool.ready[c];
            size_t    top = (size_t)1 << (c / 4), bytes = top - top / 8 * (size_t)(3 - c % 4);
            gi_pool.ready[c] = block->next;
            gi_pool.kept -= (int64_t)bytes;
            gi_system_free(block, bytes);
        }
}

/* `bytes` bytes aligned to 64, or NULL with an error sentence. Give them back with gi_release(p, bytes). */
static void *gi_alloc(const char *site, size_t bytes)
{
    if (bytes == 0) bytes = 1;
    if (bytes > (size_t)1 << 46)
        return gi_fail(site, GA_NO_MEMORY, "%zu bytes are more than any machine has: check the shape", bytes);
    size_t rounded;
    int    class_ = gi_size_class(bytes, &rounded);
    void  *p      = NULL;
    pthread_mutex_lock(&gi_pool.lock);
    bool over = gi_pool.limit > 0 && gi_pool.used + (int64_t)bytes > gi_pool.limit;
    if (!over && gi_pool.alloc) {
        p = gi_pool.alloc(bytes, gi_pool.user);
    } else if (!over && GI_NO_POOL) {
        p = gi_system_alloc(bytes);
    } else if (!over) {
        if (gi_pool.ready[class_]) {
            p                     = gi_pool.ready[class_];
            gi_pool.ready[class_] = gi_pool.ready[class_]->next;
            gi_pool.kept -= (int64_t)rounded;
        } else {
            p = gi_system_alloc(rounded);
            if (!p) {
                gi_pool_shrink(0);
                p = gi_system_alloc(rounded);
            }
        }
    }
    if (p) {
        gi_pool.used += (int64_t)bytes;
        if (gi_pool.used > gi_pool.peak) gi_pool.peak = gi_pool.used;
    }
    int64_t used = gi_pool.used, limit = gi_pool.limit;
    pthread_mutex_unlock(&gi_pool.lock);
    if (over)
        return gi_fail(
            site, GA_NO_MEMORY,
            "%zu bytes more would pass the limit of %lld bytes (%lld are in use): free arrays or raise ga_memory_limit", bytes,
            (long long)limit, (long long)used);
    if (!p)
        return gi_fail(site, GA_NO_MEMORY,
                       "no memory for %zu bytes (%lld are in use in arrays): free arrays or use smaller ones", bytes,
                       (long long)used);
    return p;
}

static void gi_release(void *p, size_t bytes)
{
    if (!p) return;
    if (bytes == 0) bytes = 1;
    size_t rounded;
    int    class_ = gi_size_class(bytes, &rounded);
    pthread_mutex_lock(&gi_pool.lock);
    gi_pool.used -= (int64_t)bytes;
    if (gi_pool.release) {
        gi_pool.release(p, bytes, gi_pool.user);
    } else if (GI_NO_POOL) {
        gi_system_free(p, bytes);
    } else {
        gi_block *block       = (gi_block *)p;
        block->next           = gi_pool.ready[class_];
        gi_pool.ready[class_] = block;
        gi_pool.kept += (int64_t)rounded;
        if (gi_pool.kept > GI_POOL_KEEPS) gi_pool_shrink(GI_POOL_KEEPS / 2);
    }
    pthread_mutex_unlock(&gi_pool.lock);
}

/* Counts bytes of memory that comes from elsewhere (pinned) as used. False with an error beyond the limit. */
#if GI_HAS_CUDA
static bool gi_count_bytes(const char *site, size_t bytes)
{
    pthread_mutex_lock(&gi_pool.lock);
    int64_t used = gi_pool.used, limit = gi_pool.limit;
    bool    over = limit > 0 && used + (int64_t)bytes > limit;
    if (!over) gi_pool.used += (int64_t)bytes;
    if (gi_pool.used > gi_pool.peak) gi_pool.peak = gi_pool.used;
    pthread_mutex_unlock(&gi_pool.lock);
    if (over)
        gi_fail(site, GA_NO_MEMORY,
                "%zu bytes more would pass the limit of %lld bytes (%lld are in use): free arrays or raise ga_memory_limit",
                bytes, (long long)limit, (long long)used);
    return !over;
}

static void gi_discount_bytes(size_t bytes)
{
    pthread_mutex_lock(&gi_pool.lock);
    gi_pool.used -= (int64_t)bytes;
    pthread_mutex_unlock(&gi_pool.lock);
}
#endif

ga_memory ga_memory_stats(void)
{
    ga_memory m;
    pthread_mutex_lock(&gi_pool.lock);
    m.used_bytes  = gi_pool.used;
    m.peak_bytes  = gi_pool.peak;
    m.total_bytes = gi_pool.used + gi_pool.kept;
    m.limit_bytes = gi_pool.limit;
    m.arrays      = gi_pool.arrays;
    pthread_mutex_unlock(&gi_pool.lock);
    return m;
}

void ga_memory_reset_peak(void)
{
    pthread_mutex_lock(&gi_pool.lock);
    gi_pool.peak = gi_pool.used;
    pthread_mutex_unlock(&gi_pool.lock);
}

void ga_memory_limit(int64_t bytes)
{
    pthread_mutex_lock(&gi_pool.lock);
    gi_pool.limit = bytes > 0 ? bytes : 0;
    pthread_mutex_unlock(&gi_pool.lock);
}

void ga_memory_trim(void)
{
    pthread_mutex_lock(&gi_pool.lock);
    gi_pool_shrink(0);
    pthread_mutex_unlock(&gi_pool.lock);
}

bool ga_set_allocator(ga_alloc_function alloc, ga_free_function release, void *user)
{
    if (!alloc != !release) {
        gi_fail("\tga_set_allocator", GA_BAD_ARGUMENT, "give both functions, or NULL for both");
        return false;
    }
    pthread_mutex_lock(&gi_pool.lock);
    bool free_to_change = gi_pool.arrays == 0 && gi_pool.used == 0;
    if (free_to_change) {
        gi_pool_shrink(0);
        gi_pool.alloc   = alloc;
        gi_pool.release = release;
        gi_pool.user    = user;
    }
    pthread_mutex_unlock(&gi_pool.lock);
    if (!free_to_change)
        gi_fail("\tga_set_allocator", GA_BAD_ARGUMENT,
                "arrays are alive: their memory could not be given back; free them first");
    return free_to_change;
}

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

enum { GI_ALIVE = 0x6A5EA11Eu % 0x7FFFFFFF, GI_DEAD = 0x0DEADA55 };

typedef enum gi_memory { GI_ORDINARY, GI_PINNED, GI_MANAGED } gi_memory;

struct gi_buffer {
    int64_t references; /* atomic */
    void   *base;
    size_t  bytes;
    void (*release)(void *p, void *user); /* wrapped memory: told when the last view is gone */
    void     *user;
    bool      wrapped;
    ga_device device;
    gi_memory memory;
    int       ordinal; /* which GPU */
    /* on a GPU */
    ga_stream   stream;  /* the last one that was given work on this memory */
    const void *thread;  /* the thread that gave it; NULL: several have */
    bool        crowded; /* several threads have, on several streams */
    /* on the CPU */
    ga_event copied;  /* behind the last copy that was not waited for */
    bool     copying; /* atomic: perhaps it is not done yet */
};

#if GI_HAS_CUDA
#define GI_CUDA_PART 1
#include "gpuarr_cuda.h"
#undef GI_CUDA_PART
/* In a function of both backends: arrays on the GPU go another way. */
#define GI_IF_CUDA(device, ...)                                                                                                \
    if ((device) == GA_CUDA) return __VA_ARGS__
#else
#define GI_IF_CUDA(device, ...)
#endif

typedef struct gi_handle {
    ga_array          array; /* must be first */
    struct gi_handle *prev, *next;
    const char       *site;
} gi_handle;

static __thread gi_scope *gi_current_scope;
static ga_device          gi_default_device = GA_CPU;

/* Can arrays be made on that device? False with an error. */
static bool gi_has_device(const char *site, ga_device device)
{
    if (device == GA_CPU) return true;
#if GI_HAS_CUDA
    if (device == GA_CUDA) return gi_cuda_use(site, gi_cuda_selected);
#else
    if (device == GA_CUDA) {
        gi_fail(site, GA_BAD_DEVICE, "this program was built without CUDA: build the implementation file with nvcc");
        return false;
    }
#endif
    gi_fail(site, GA_BAD_DEVICE, "%d is no device: use GA_CPU or GA_CUDA", (int)device);
    return false;
}

void ga_set_device(ga_device device)
{
    if (gi_has_device("\tga_set_device", device)) gi_default_device = device;
}
ga_device ga_get_device(void) { return gi_default_device; }

static void gi_scope_add(gi_scope *scope, ga_array *a)
{
    a->scope = scope;
    a->prev  = NULL;
    a->next  = NULL;
    if (!scope) return;
    a->next = scope->first;
    if (scope->first) scope->first->prev = a;
    scope->first = a;
}

static void gi_scope_remove(ga_array *a)
{
    if (!a->scope) return;
    if (a->prev) a->prev->next = a->next;
    else a->scope->first = a->next;
    if (a->next) a->next->prev = a->prev;
    a->scope = NULL;
}

static void gi_buffer_unref(gi_buffer *b)
{
    if (!b || __atomic_sub_fetch(&b->references, 1, __ATOMIC_ACQ_REL) > 0) return;
#if GI_HAS_CUDA
    gi_cuda_finish_buffer(b);
#endif
    if (b->release) b->release(b->base, b->user);
#if GI_HAS_CUDA
    if (!b->wrapped && (b->device == GA_CUDA || b->memory == GI_PINNED)) gi_cuda_release_buffer(b);
    else
#endif
        if (!b->wrapped)
        gi_release(b->base, b->bytes);
    gi_release(b, sizeof *b);
}

/* How many elements: a length of 0 wins, whatever the product of the others. */
static int64_t gi_size(int ndim, const int64_t *shape)
{
    int64_t size = 1;
    for (int d = 0; d < ndim; d++)
        if (shape[d] == 0) return 0;
    for (int d = 0; d < ndim; d++) size *= shape[d];
    return size;
}

/* A handle without memory, filled from the arguments; it takes over one reference to `owner` (gives it back on error). */
static ga_array *gi_new_handle(const char *site, gi_buffer *owner, void *data, ga_dtype dtype, ga_device device, int ndim,
                               const int64_t *shape, const int64_t *strides)
{
    gi_handle *h = gi_is_stamped(site, dtype) ? (gi_handle *)gi_alloc(site, sizeof *h) : NULL;
    if (!h) {
        gi_buffer_unref(owner);
        return NULL;
    }
    memset(h, 0, sizeof *h);
    ga_array *a = &h->array;
    a->data     = data;
    a->dtype    = dtype;
    a->device   = device;
    a->ndim     = ndim;
    a->size     = gi_size(ndim, shape);
    a->owner    = owner;
    a->alive    = GI_ALIVE;
    for (int d = 0; d < ndim; d++) {
        a->shape[d]   = shape[d];
        a->strides[d] = strides[d];
    }
    h->site = site;
    gi_scope_add(gi_current_scope, a);
    pthread_mutex_lock(&gi_pool.lock);
    h->next = gi_pool.first;
    if (h->next) h->next->prev = h;
    gi_pool.first = h;
    gi_pool.arrays++;
    pthread_mutex_unlock(&gi_pool.lock);
    return a;
}

/* Strides of a C-ordered array; returns the number of bytes, or -1 if they do not fit 63 bits. */
static int64_t gi_c_strides(ga_dtype dtype, int ndim, const int64_t *shape, int64_t *strides)
{
    int64_t bytes = ga_itemsize(dtype);
    bool    empty = false;
    for (int d = 0; d < ndim; d++)
        if (shape[d] == 0) empty = true;
    for (int d = ndim - 1; d >= 0; d--) {
        strides[d] = bytes;
        if (!empty && __builtin_mul_overflow(bytes, shape[d], &bytes)) return -1;
    }
    return empty ? 0 : bytes;
}

/* A new C-ordered array with any content, in memory of some kind. */
static ga_array *gi_new_in(const char *site, gi_memory memory, ga_dtype dtype, ga_device device, int ndim, const int64_t *shape)
{
    if (dtype == GA_DTYPE_DEFAULT) dtype = GA_F64;
    if (device == GA_DEVICE_DEFAULT) device = gi_default_device;
    if (!gi_is_dtype(dtype))
        return (ga_array *)gi_fail(site, GA_BAD_DTYPE, "%d is not a dtype: use GA_F64, GA_I32 ...", (int)dtype);
    if (!gi_has_device(site, device)) return NULL;
    if (ndim < 0 || ndim > GPUARR_MAX_DIMS)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE,
                                   "%d dimensions; at most %d are possible (#define GPUARR_MAX_DIMS for more)", ndim,
                                   GPUARR_MAX_DIMS);
    for (int d = 0; d < ndim; d++)
        if (shape[d] < 0)
            return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "shape %s has a negative length", gi_shape_text(ndim, shape));
    int64_t strides[GPUARR_MAX_DIMS], bytes = gi_c_strides(dtype, ndim, shape, strides);
    if (bytes < 0)
        return (ga_array *)gi_fail(site, GA_NO_MEMORY, "shape %s of %s is more bytes than can be counted",
                                   gi_shape_text(ndim, shape), ga_dtype_name(dtype));
    gi_buffer *b = (gi_buffer *)gi_alloc(site, sizeof *b);
    if (!b) return NULL;
    memset(b, 0, sizeof *b);
    b->references = 1;
    b->bytes      = (size_t)bytes;
    b->device     = device;
#if GI_HAS_CUDA
    /* where there is no GPU, pinned memory is of no use, and a program that asks for it runs all the same */
    if (device == GA_CUDA ? memory == GI_MANAGED : memory == GI_PINNED && gi_cuda_count() > 0) b->memory = memory;
    if (device == GA_CUDA || b->memory == GI_PINNED) (void)gi_cuda_alloc_buffer(site, b);
    else
#endif
        b->base = gi_alloc(site, b->bytes);
    (void)memory;
    if (!b->base) {
        gi_release(b, sizeof *b);
        return NULL;
    }
    return gi_new_handle(site, b, b->base, dtype, device, ndim, shape, strides);
}

static ga_array *gi_new(const char *site, ga_dtype dtype, ga_device device, int ndim, const int64_t *shape)
{
    return gi_new_in(site, GI_ORDINARY, dtype, device, ndim, shape);
}

/* Another handle on the memory of a. */
static ga_array *gi_new_view(const char *site, const ga_array *a, void *data, ga_dtype dtype, int ndim, const int64_t *shape,
                             const int64_t *strides)
{
    if (a->owner) __atomic_add_fetch(&a->owner->references, 1, __ATOMIC_RELAXED);
    return gi_new_handle(site, a->owner, data, dtype, a->device, ndim, shape, strides);
}

/* Is `a` an array? If not: the error (none for NULL behind an earlier error: that one is told already). */
static bool gi_is_array(const char *site, const ga_array *a, const char *name)
{
    if (a && a->alive == GI_ALIVE) return true;
    if (!a) gi_fail(site, GA_BAD_ARGUMENT, "%s is NULL: the call that should have made it failed, or it was never made", name);
    else
        gi_fail(site, GA_BAD_ARGUMENT, "%s is no array: it was freed (ga_free, or the end of its ga_scope), or never made",
                name);
    return false;
}

/* The same for an array whose elements the call will use: a copy of them that is still under way is waited for. */
static bool gi_check(const char *site, const ga_array *a, const char *name)
{
    if (!gi_is_array(site, a, name)) return false;
#if GI_HAS_CUDA
    if (a->owner && __atomic_load_n(&a->owner->copying, __ATOMIC_RELAXED)) return gi_cuda_settle(site, a->owner);
#endif
    return true;
}

void ga_free(ga_array *a)
{
    if (!a) return;
    if (!gi_is_array("\tga_free", a, "the argument")) return;
    gi_handle *h = (gi_handle *)(void *)a;
    gi_scope_remove(a);
    a->alive = GI_DEAD;
    pthread_mutex_lock(&gi_pool.lock);
    if (h->prev) h->prev->next = h->next;
    else gi_pool.first = h->next;
    if (h->next) h->next->prev = h->prev;
    gi_pool.arrays--;
    pthread_mutex_unlock(&gi_pool.lock);
    gi_buffer_unref(a->owner);
    gi_release(h, sizeof *h);
}

int64_t ga_report_leaks(FILE *to)
{
    pthread_mutex_lock(&gi_pool.lock);
    int64_t n = gi_pool.arrays;
    for (gi_handle *h = gi_pool.first; h && to; h = h->next) {
        char where[256];
        gi_write_site(where, sizeof where, h->site);
        fprintf(to, "%s%s %s is alive, %lld bytes%s\n", where, ga_dtype_name(h->array.dtype), gi_shape_of(&h->array),
                h->array.owner ? (long long)h->array.owner->bytes : 0LL, h->array.device == GA_CUDA ? " on the GPU" : "");
    }
    pthread_mutex_unlock(&gi_pool.lock);
    return n;
}

gi_scope *gi_scope_begin(gi_scope *s)
{
    s->outer         = gi_current_scope;
    s->first         = NULL;
    s->open          = 1;
    gi_current_scope = s;
    return s;
}

void gi_scope_end(gi_scope *s)
{
    while (s->first) ga_free(s->first);
    gi_current_scope = s->outer;
}

ga_array *ga_keep(ga_array *a)
{
    if (!a || !gi_is_array("\tga_keep", a, "the argument")) return NULL;
    gi_scope *scope = a->scope;
    if (!scope) return a;
    gi_scope_remove(a);
    gi_scope_add(scope->outer, a);
    return a;
}

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

bool ga_is_contiguous(const ga_array *a)
{
    if (!a || a->alive != GI_ALIVE) return false;
    if (a->size == 0) return true;
    int64_t expected = ga_itemsize(a->dtype);
    for (int d = a->ndim - 1; d >= 0; d--) {
        if (a->shape[d] != 1 && a->strides[d] != expected) return false;
        expected *= a->shape[d];
    }
    return true;
}

static bool gi_equal_shapes(int na, const int64_t *a, int nb, const int64_t *b)
{
    if (na != nb) return false;
    for (int d = 0; d < na; d++)
        if (a[d] != b[d]) return false;
    return true;
}

bool ga_same_shape(const ga_array *a, const ga_array *b)
{
    return a && b && gi_equal_shapes(a->ndim, a->shape, b->ndim, b->shape);
}

/* The bytes that the elements of a lie between: [*low, *high). */
static void gi_extent(const ga_array *a, const char **low, const char **high)
{
    const char *lo = (const char *)a->data, *hi = lo + ga_itemsize(a->dtype);
    for (int d = 0; d < a->ndim; d++) {
        int64_t reach = (a->shape[d] - 1) * a->strides[d];
        if (reach < 0) lo += reach;
        if (reach > 0) hi += reach;
    }
    *low  = lo;
    *high = a->size == 0 ? lo : hi;
}

bool ga_may_share_memory(const ga_array *a, const ga_array *b)
{
    if (!a || !b || a->device != b->device || a->size == 0 || b->size == 0) return false;
    const char *a0, *a1, *b0, *b1;
    gi_extent(a, &a0, &a1);
    gi_extent(b, &b0, &b1);
    return a0 < b1 && b0 < a1;
}

/* Was the option written, but as a pointer that is NULL? Then what should have made it failed, and so does this call. */
static bool gi_null_option(const char *site, const char *name, const void *p)
{
    if (p || !gi_option_given(site, name)) return false;
    gi_fail(site, GA_BAD_ARGUMENT, ".%s is NULL: the call that should have made it failed, or it was never made", name);
    return true;
}

/* Turns a negative axis into its number; -1 with an error if there is no such axis. */
static int gi_axis(const char *site, int axis, int ndim)
{
    if (axis >= -ndim && axis < ndim) return axis < 0 ? axis + ndim : axis;
    if (ndim == 0) {
        gi_fail(site, GA_BAD_ARGUMENT, "there is no axis %d: the array has no dimensions", axis);
        return -1;
    }
    gi_fail(site, GA_BAD_ARGUMENT, "there is no axis %d: the array has %d dimension%s (axes %d to %d)", axis, ndim,
            ndim == 1 ? "" : "s", -ndim, ndim - 1);
    return -1;
}

/* Joins a shape into a broadcast shape (right-aligned; 1 stretches). False if they do not fit; nothing is reported. */
static bool gi_broadcast_into(int *ndim, int64_t *shape, int n, const int64_t *other)
{
    if (n > *ndim) { /* shift to the right, put ones before */
        for (int d = n - 1; d >= 0; d--) shape[d] = d >= n - *ndim ? shape[d - (n - *ndim)] : 1;
        *ndim = n;
    }
    for (int d = 0; d < n; d++) {
        int64_t *mine = &shape[*ndim - n + d];
        if (*mine == 1) *mine = other[d];
        else if (other[d] != 1 && other[d] != *mine) return false;
    }
    return true;
}

/* The strides of a seen as an array of the given (broadcast) shape: 0 along stretched axes. */
static void gi_broadcast_strides(const ga_array *a, int ndim, const int64_t *shape, int64_t *strides)
{
    int missing = ndim - a->ndim;
    for (int d = 0; d < ndim; d++)
        strides[d] = d < missing || (a->shape[d - missing] == 1 && shape[d] != 1) ? 0 : a->strides[d - missing];
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */
/*  A pool of our own: a call hands out a counter of work units, its own thread takes units too, and helpers that find no work
    spin for a moment, then sleep, so that the threads of other libraries do not starve. A call waits for the helpers that have joined it,
    never for one that is still waking up. One call at a time uses the pool; another that comes meanwhile, or from inside, does
    its work alone.                                                                                                          */

typedef void (*gi_task)(int64_t begin, int64_t end, void *job);

enum { GI_MOST_THREADS = 256, GI_SPINS = 2000 };
/* The state of the pool: how many helpers are inside a job, whether more may join, and the number of the job. */
enum { GI_JOB_INSIDE = 0xffff, GI_JOB_OPEN = 0x10000, GI_JOB_NUMBER = 0x20000 };

static struct {
    pthread_mutex_t busy; /* held by the call that uses the pool */
    pthread_mutex_t lock; /* for sleeping */
    pthread_cond_t  wake;
    int             wanted, started, sleeping; /* sleeping: atomic */
    uint64_t        state;                     /* atomic; what follows changes only while nobody is inside and none may join */
    int64_t         next;                      /* atomic: the next unit */
    int64_t         units, chunk, helpers;     /* helpers: how many may join */
    gi_task         task;
    void           *job;
} gi_threads = {
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL
};

static __thread bool gi_inside_task;

static void gi_take_units(void)
{
    for (;;) {
        int64_t begin = __atomic_fetch_add(&gi_threads.next, gi_threads.chunk, __ATOMIC_RELAXED);
        if (begin >= gi_threads.units) return;
        int64_t end = begin + gi_threads.chunk < gi_threads.units ? begin + gi_threads.chunk : gi_threads.units;
        gi_threads.task(begin, end, gi_threads.job);
    }
}

static void gi_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* Is there a job that a helper can join, which has done all up to number `done`? */
static bool gi_job_waits(uint64_t state, uint64_t done) { return (state & GI_JOB_OPEN) && state / GI_JOB_NUMBER != done; }

/* Sleeps until there is one. */
static void gi_sleep(uint64_t done)
{
    pthread_mutex_lock(&gi_threads.lock);
    __atomic_add_fetch(&gi_threads.sleeping, 1, __ATOMIC_SEQ_CST); /* before looking: who opens a job looks here behind it */
    while (!gi_job_waits(__atomic_load_n(&gi_threads.state, __ATOMIC_SEQ_CST), done))
        pthread_cond_wait(&gi_threads.wake, &gi_threads.lock);
    __atomic_sub_fetch(&gi_threads.sleeping, 1, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&gi_threads.lock);
}

static void *gi_helper_thread(void *none)
{
    uint64_t done  = 0;
    gi_inside_task = true;
    for (int spins = 0;; spins++) {
        uint64_t state = __atomic_load_n(&gi_threads.state, __ATOMIC_RELAXED);
        if (gi_job_waits(state, done)) {
            if (!__atomic_compare_exchange_n(&gi_threads.state, &state, state + 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
                continue;
            done  = state / GI_JOB_NUMBER;
            spins = 0;
            if ((int64_t)(state & GI_JOB_INSIDE) < gi_threads.helpers) gi_take_units();
            __atomic_sub_fetch(&gi_threads.state, 1, __ATOMIC_RELEASE);
        }
        if (spins < GI_SPINS) gi_pause();
        else gi_sleep(done);
    }
    return none;
}

/* A fork finds the pool of memory whole; the child has no helpers and starts its own when it needs them. */
static void gi_before_fork(void)
{
    pthread_mutex_lock(&gi_pool.lock);
#if GI_HAS_CUDA
    pthread_mutex_lock(&gi_gpus.lock);
#endif
}
static void gi_after_fork(void)
{
#if GI_HAS_CUDA
    pthread_mutex_unlock(&gi_gpus.lock);
#endif
    pthread_mutex_unlock(&gi_pool.lock);
}
static void gi_in_forked_child(void)
{
#if GI_HAS_CUDA
    for (int d = 0; d < GI_MOST_GPUS; d++) gi_gpus.forked = gi_gpus.forked || gi_gpus.gpu[d].known;
#endif
    gi_threads.started = gi_threads.sleeping = 0;
    gi_threads.state &= ~(uint64_t)(GI_JOB_OPEN | GI_JOB_INSIDE);
    pthread_mutex_init(&gi_threads.busy, NULL);
    pthread_mutex_init(&gi_threads.lock, NULL);
    pthread_cond_init(&gi_threads.wake, NULL);
    gi_after_fork();
}
__attribute__((constructor)) static void gi_expect_forks(void)
{
    pthread_atfork(gi_before_fork, gi_after_fork, gi_in_forked_child);
}

static void gi_threads_start(void)
{
    while (gi_threads.started < gi_threads.wanted - 1) {
        pthread_t      thread;
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        int error = pthread_create(&thread, &attributes, gi_helper_thread, NULL);
        pthread_attr_destroy(&attributes);
        if (error) { /* no more threads to be had: carry on with those there are */
            gi_threads.wanted = gi_threads.started + 1;
            return;
        }
        gi_threads.started++;
    }
}

int ga_get_num_threads(void)
{
    int n = __atomic_load_n(&gi_threads.wanted, __ATOMIC_RELAXED);
    if (n > 0) return n;
    const char *asked = getenv("GPUARR_NUM_THREADS");
    long        found = asked ? strtol(asked, NULL, 10) : sysconf(_SC_NPROCESSORS_ONLN);
    n                 = found < 1 ? 1 : found > GI_MOST_THREADS ? GI_MOST_THREADS : (int)found;
    __atomic_store_n(&gi_threads.wanted, n, __ATOMIC_RELAXED);
    return n;
}

void ga_set_num_threads(int n)
{
    if (n < 1 || n > GI_MOST_THREADS) {
        gi_fail("\tga_set_num_threads", GA_BAD_ARGUMENT, "%d threads: use 1 to %d", n, GI_MOST_THREADS);
        return;
    }
    pthread_mutex_lock(&gi_threads.busy);
    __atomic_store_n(&gi_threads.wanted, n, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&gi_threads.busy);
}

/* Calls task(begin, end, job) until the units 0 to n - 1 are done, `chunk` at a time, on several threads when there is more than one
   chunk. Which thread does which unit must not matter to the result. Tasks must not create or free arrays, nor report errors. */
static void gi_parallel(int64_t n, int64_t chunk, gi_task task, void *job)
{
    if (n <= 0) return;
    int threads = ga_get_num_threads();
    if (n <= chunk || threads == 1 || gi_inside_task || pthread_mutex_trylock(&gi_threads.busy) != 0) {
        task(0, n, job);
        return;
    }
    gi_threads_start();
    gi_threads.task    = task;
    gi_threads.job     = job;
    gi_threads.units   = n;
    gi_threads.chunk   = chunk;
    gi_threads.helpers = (n - 1) / chunk < threads - 1 ? (n - 1) / chunk : threads - 1;
    __atomic_store_n(&gi_threads.next, 0, __ATOMIC_RELAXED);
    uint64_t number = __atomic_load_n(&gi_threads.state, __ATOMIC_RELAXED) / GI_JOB_NUMBER + 1;
    __atomic_store_n(&gi_threads.state, number * GI_JOB_NUMBER + GI_JOB_OPEN, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&gi_threads.sleeping, __ATOMIC_SEQ_CST) > 0) {
        pthread_mutex_lock(&gi_threads.lock);
        for (int64_t k = 0; k < gi_threads.helpers; k++) pthread_cond_signal(&gi_threads.wake);
        pthread_mutex_unlock(&gi_threads.lock);
    }
    gi_inside_task = true;
    gi_take_units();
    gi_inside_task = false;
    uint64_t state = __atomic_and_fetch(&gi_threads.state, ~(uint64_t)GI_JOB_OPEN, __ATOMIC_ACQUIRE);
    for (int spins = 0; state & GI_JOB_INSIDE; spins++) {
        if (spins < GI_SPINS) gi_pause();
        else sched_yield();
        state = __atomic_load_n(&gi_threads.state, __ATOMIC_ACQUIRE);
    }
    pthread_mutex_unlock(&gi_threads.busy);
}

/* ==== >>formulas: what each row computes for each element type ==================================================== */
/*  Both backends call these very functions. Products that are added to something are never fused by a compiler: the regions
    below switch contraction off, and CUDA's gi_mul and gi_add are the intrinsics that nvcc does not contract.                */

#ifdef __CUDACC__
#define GI_FORMULA static __host__ __device__ __forceinline__
#define GI_SLOW    static __host__ __device__ __noinline__
#else
#define GI_FORMULA static inline __attribute__((always_inline))
#define GI_SLOW    static __attribute__((noinline))
#endif

/* clang-format off */
/* What a CPU function of ours is compiled with, whatever the user's flags are. */
#if defined(__clang__)
#define GI_BEGIN_FAST                                                                                                  \
    _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wunused-function\"")                         \
        _Pragma("clang diagnostic ignored \"-Wpass-failed\"") /* some loops are asked for in vain, and may stay scalar */
#define GI_END_FAST   _Pragma("clang diagnostic pop")
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#define GI_BEGIN_FAST                                                                                                  \
    _Pragma("GCC push_options") _Pragma("GCC optimize(\"O2\", \"tree-loop-vectorize\", \"no-tree-slp-vectorize\", \"vect-cost-model=dynamic\", \"no-trapping-math\", \"no-math-errno\", \"fp-contract=off\")")  \
        _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wunused-function\"")
#define GI_END_FAST _Pragma("GCC diagnostic pop") _Pragma("GCC pop_options")
#else
#define GI_BEGIN_FAST
#define GI_END_FAST
#endif
/* clang-format on */

/* Declared const (no errno), or gcc would not vectorise it. */
#ifdef __cplusplus
extern "C" {
extern float  sqrtf(float) noexcept __attribute__((const));
extern double sqrt(double) noexcept __attribute__((const));
}
#else
extern float      sqrtf(float) __attribute__((const));
extern double     sqrt(double) __attribute__((const));
#endif

GI_BEGIN_FAST

/* ---- arithmetic of one element ------------------------------------------------------------------------------------- */
#ifdef __CUDA_ARCH__
/* The only place where device code differs: nvcc would fuse a * b + c, and these it does not. */
GI_FORMULA float    gi_mul_f32(float a, float b) { return __fmul_rn(a, b); }
GI_FORMULA double   gi_mul_f64(double a, double b) { return __dmul_rn(a, b); }
GI_FORMULA float    gi_fma_f32(float a, float b, float c) { return __fmaf_rn(a, b, c); }
GI_FORMULA double   gi_fma_f64(double a, double b, double c) { return __fma_rn(a, b, c); }
GI_FORMULA float    gi_root_f32(float x) { return __fsqrt_rn(x); }
GI_FORMULA double   gi_root_f64(double x) { return __dsqrt_rn(x); }
#else
GI_FORMULA float  gi_mul_f32(float a, float b) { return a * b; }
GI_FORMULA double gi_mul_f64(double a, double b) { return a * b; }
GI_FORMULA float  gi_fma_f32(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
GI_FORMULA double gi_fma_f64(double a, double b, double c) { return __builtin_fma(a, b, c); }
GI_FORMULA float  gi_root_f32(float x) { return sqrtf(x); }
GI_FORMULA double gi_root_f64(double x) { return sqrt(x); }
#endif
GI_FORMULA uint32_t gi_bits_f32(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}
GI_FORMULA uint64_t gi_bits_f64(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}
GI_FORMULA float gi_from_bits_f32(uint32_t u)
{
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}
GI_FORMULA double gi_from_bits_f64(uint64_t u)
{
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}
/* c is 0 or 1: a where c, else b. Integer masks, so that every compiler vectorises it. */
GI_FORMULA uint32_t gi_pick_u32(uint32_t c, uint32_t a, uint32_t b) { return b ^ ((a ^ b) & (0u - c)); }
GI_FORMULA uint64_t gi_pick_u64(uint64_t c, uint64_t a, uint64_t b) { return b ^ ((a ^ b) & ((uint64_t)0 - c)); }
GI_FORMULA float    gi_pick_f32(uint32_t c, float a, float b)
{
    return gi_from_bits_f32(gi_pick_u32(c, gi_bits_f32(a), gi_bits_f32(b)));
}
GI_FORMULA double gi_pick_f64(uint64_t c, double a, double b)
{
    return gi_from_bits_f64(gi_pick_u64(c, gi_bits_f64(a), gi_bits_f64(b)));
}
GI_FORMULA float  gi_nan_f32(void) { return gi_from_bits_f32(0x7fc00000u); }
GI_FORMULA double gi_nan_f64(void) { return gi_from_bits_f64(0x7ff8000000000000u); }
GI_FORMULA float  gi_infinity_f32(void) { return gi_from_bits_f32(0x7f800000u); }
GI_FORMULA double gi_infinity_f64(void) { return gi_from_bits_f64(0x7ff0000000000000u); }
GI_FORMULA float  gi_exact_fmod_f32(float x, float y) { return __builtin_fmodf(x, y); } /* fmod is exact everywhere */
GI_FORMULA double gi_exact_fmod_f64(double x, double y) { return __builtin_fmod(x, y); }

/* ---- facts about the types that the preprocessor can use ----------------------------------------------------------- */
/* clang-format off */
#define GI_TYPE(TAG, tag, T, name) typedef T gi_##tag;
GI_EACH_DTYPE(GI_TYPE)
#undef GI_TYPE
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
#define GI_BUILTIN(name)   GI_JOIN(__builtin_##name, GI_JOIN(GI_SUFFIX_, GA_TAG))

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
#define GI_RESULT_PART     GI_R

/* ==== >>elementary functions ========================================================================================= */
/* ---- log ---------------------------------------------------------------------------------------------------------------- */
/* log, log2, log10, log1p, arcsinh, arccosh, arctanh, cbrt   (f32 and f64; base.h first)

   Logarithms: x = 2^e (1+f) with 1+f in [sqrt(1/2), sqrt(2)), by integer operations on the bits.  log(1+f) is a head,
   f - f^2/2 rounded, and a tail below 0.024: f32 takes the tail from one polynomial, f64 from the series of
   2 arctanh(f / (2+f)).  e ln 2 is split so that its high part is exact; it and the head are added with their
   rounding error kept, and the small terms come last: about 0.7 ulp.
   log1p carries the rounding error of 1+x along; arcsinh and arccosh are log1p of a sum whose low part is carried too.
   arctanh is e ln(2)/2 + arctanh(s), s small, by one division.
   cbrt is a polynomial guess at m^(-1/3), m in [1, 8), one polynomial step, and one correction from the exact residual:
   no division, almost correctly rounded.
   arcsinh and arccosh need a square root that compilers vectorise: they do so with -fno-math-errno, or without it where
   sqrt and sqrtf are declared again with __attribute__((const)) and called by these names.
   Coefficients and the bounds beside them: log.sollya.  Accuracy: log_check.c. */

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

GI_FORMULA float  gi_log_sqrt_f32(float x) { return gi_root_f32(x); }
GI_FORMULA double gi_log_sqrt_f64(double x) { return gi_root_f64(x); }

GI_FORMULA float  gi_log_nan_f32(void) { return gi_from_bits_f32(0x7fc00000u); }
GI_FORMULA double gi_log_nan_f64(void) { return gi_from_bits_f64(0x7ff8000000000000ull); }

GI_FORMULA float  gi_log_infinity_f32(void) { return gi_from_bits_f32(0x7f800000u); }
GI_FORMULA double gi_log_infinity_f64(void) { return gi_from_bits_f64(0x7ff0000000000000ull); }

/* |size| with the sign of x */
GI_FORMULA float gi_log_signed_f32(float size, float x)
{
    return gi_from_bits_f32((gi_bits_f32(size) & 0x7fffffffu) | (gi_bits_f32(x) & 0x80000000u));
}

GI_FORMULA double gi_log_signed_f64(double size, double x)
{
    return gi_from_bits_f64((gi_bits_f64(size) & 0x7fffffffffffffffull) | (gi_bits_f64(x) & 0x8000000000000000ull));
}

/* The bits of x > 0 (normal), moved so that the exponent field steps at sqrt(1/2) 2^k: the field is e + bias. */
GI_FORMULA uint32_t gi_log_shifted_f32(float x) { return gi_bits_f32(x) + (0x3f800000u - 0x3f3504f3u); }
GI_FORMULA uint64_t gi_log_shifted_f64(double x) { return gi_bits_f64(x) + (0x3ff0000000000000ull - 0x3fe6a09e667f3bcdull); }

/* e, from the shifted bits, by the integer-in-the-mantissa trick */
GI_FORMULA float gi_log_exponent_f32(uint32_t shifted)
{
    return gi_from_bits_f32((shifted >> 23) | 0x4b000000u) - (0x1p23f + 127.0f);
}

GI_FORMULA double gi_log_exponent_f64(uint64_t shifted)
{
    return gi_from_bits_f64((shifted >> 52) | 0x4330000000000000ull) - (0x1p52 + 1023.0);
}

/* f, exact, in [-0.293, 0.4143) */
GI_FORMULA float gi_log_fraction_f32(uint32_t shifted)
{
    return gi_from_bits_f32((shifted & 0x007fffffu) + 0x3f3504f3u) - 1.0f;
}

GI_FORMULA double gi_log_fraction_f64(uint64_t shifted)
{
    return gi_from_bits_f64((shifted & 0x000fffffffffffffull) + 0x3fe6a09e667f3bcdull) - 1.0;
}

/* log(1+f) = f - f^2/2 + f^3 p(f); relative error in log(1+f): 2^-26.9 */
GI_FORMULA float gi_log_series_f32(float f)
{
    float z   = f * f;
    float p01 = gi_fma_f32(-0x1.000234p-2f, f, 0x1.55556ap-2f);
    float p23 = gi_fma_f32(-0x1.5468bcp-3f, f, 0x1.9996f4p-3f);
    float p45 = gi_fma_f32(-0x1.0e5db8p-3f, f, 0x1.236e96p-3f);
    float p67 = gi_fma_f32(-0x1.2ddf6cp-4f, f, 0x1.025b78p-3f);
    return gi_fma_f32(gi_fma_f32(p67, z, p45), z * z, gi_fma_f32(p23, z, p01));
}

/* log(1+f) = 2 arctanh(s) = f - f^2/2 + s (f^2/2 + z p(z)), s = f / (2+f), z = s^2; relative error 2^-59.4 */
GI_FORMULA double gi_log_series_f64(double z)
{
    double w    = z * z;
    double p012 = gi_fma_f64(0x1.24924941dc60dp-2, w, gi_fma_f64(0x1.999999997ff58p-2, z, 0x1.5555555555592p-1));
    double p34  = gi_fma_f64(0x1.74663bf27f228p-3, z, 0x1.c71c5218e11ccp-3);
    double p56  = gi_fma_f64(0x1.2f02bc1e5f362p-3, z, 0x1.39a2024cdf709p-3);
    return gi_fma_f64(gi_fma_f64(p56, w, p34), w * z, p012);
}

/* log(1+f) = *head + tail, the tail below 0.024 (head = f - f^2/2 rounded): tail + small is returned. */
GI_FORMULA float gi_log_tail_f32(float f, float small, float *head)
{
    float h    = 0.5f * f;
    float sum  = gi_fma_f32(-h, f, f);
    float lost = gi_fma_f32(-h, f, f - sum);
    *head      = sum;
    return gi_fma_f32(f * (f * f), gi_log_series_f32(f), lost + small);
}

GI_FORMULA double gi_log_tail_f64(double f, double small, double *head)
{
    double s    = f / (2.0 + f);
    double z    = s * s;
    double h    = 0.5 * f;
    double sum  = gi_fma_f64(-h, f, f);
    double lost = gi_fma_f64(-h, f, f - sum);
    *head       = sum;
    return gi_fma_f64(s, gi_fma_f64(z, gi_log_series_f64(z), gi_mul_f64(h, f)), lost + small);
}

/* big + head + tail, where |big| >= |head| or big = 0: the rounding error of big + head joins the tail */
GI_FORMULA float gi_log_join_f32(float big, float head, float tail)
{
    float sum  = big + head;
    float lost = head - (sum - big);
    return sum + (tail + lost);
}

GI_FORMULA double gi_log_join_f64(double big, double head, double tail)
{
    double sum  = big + head;
    double lost = head - (sum - big);
    return sum + (tail + lost);
}

/* Logarithm to another base: scale (head + tail), head * scale to twice the precision; big + small is the power of 2 */
GI_FORMULA float gi_log_scaled_f32(float f, float scale, float scale_low, float big, float small)
{
    float head;
    float tail = gi_log_tail_f32(f, 0.0f, &head);
    float high = gi_mul_f32(head, scale);
    float low  = gi_fma_f32(head, scale_low, gi_fma_f32(head, scale, -high));
    return gi_log_join_f32(big, high, gi_fma_f32(tail, scale, low) + small);
}

GI_FORMULA double gi_log_scaled_f64(double f, double scale, double scale_low, double big, double small)
{
    double head;
    double tail = gi_log_tail_f64(f, 0.0, &head);
    double high = gi_mul_f64(head, scale);
    double low  = gi_fma_f64(head, scale_low, gi_fma_f64(head, scale, -high));
    return gi_log_join_f64(big, high, gi_fma_f64(tail, scale, low) + small);
}

/* 1 unless x is positive, finite and normal */
GI_FORMULA uint32_t gi_log_unusual_f32(float x) { return gi_bits_f32(x) - 0x00800000u >= 0x7f000000u; }

GI_FORMULA uint64_t gi_log_unusual_f64(double x) { return gi_bits_f64(x) - 0x0010000000000000ull >= 0x7fe0000000000000ull; }

/* ---- log --------------------------------------------------------------------------------------------------------- */

/* log(x) + shift ln 2, x positive normal: (e ln2 + f) - f^2/2 + ..., where the rounding error of the first sum joins the rest. So three
   roundings count: of the whole, and of f^2/2 and the rest, which are a fifth of the result at most. */
GI_FORMULA float gi_log_plus_f32(float x, float shift)
{
    uint32_t shifted = gi_log_shifted_f32(x);
    float    e       = gi_log_exponent_f32(shifted) + shift;
    float    f = gi_log_fraction_f32(shifted), big = gi_mul_f32(e, 0x1.62e4p-1f), sum = big + f;
    float    small = gi_fma_f32(e, 0x1.7f7d1cp-20f, f - (sum - big));
    return sum + gi_fma_f32(f * f, gi_fma_f32(f, gi_log_series_f32(f), -0.5f), small);
}

GI_FORMULA double gi_log_plus_f64(double x, double shift)
{
    uint64_t shifted = gi_log_shifted_f64(x);
    double   e       = gi_log_exponent_f64(shifted) + shift;
    double   f = gi_log_fraction_f64(shifted), big = gi_mul_f64(e, 0x1.62e42fefa38p-1), sum = big + f;
    double   small = gi_fma_f64(e, 0x1.ef35793c7673p-45, f - (sum - big));
    double   s = f / (2.0 + f), z = s * s, h = 0.5 * f;
    return sum + gi_fma_f64(-h, f, gi_fma_f64(s, gi_fma_f64(z, gi_log_series_f64(z), gi_mul_f64(h, f)), small));
}

GI_FORMULA float  gi_log_core_f32(float x) { return gi_log_plus_f32(x, 0.0f); }
GI_FORMULA double gi_log_core_f64(double x) { return gi_log_plus_f64(x, 0.0); }

GI_FORMULA uint32_t gi_log_rare_f32(float x) { return gi_log_unusual_f32(x); }
GI_FORMULA uint64_t gi_log_rare_f64(double x) { return gi_log_unusual_f64(x); }

/* what every logarithm gives for +-0, negative, infinite and NaN arguments */
GI_SLOW float gi_log_special_f32(float x)
{
    if (x == 0.0f) return -gi_log_infinity_f32();
    return gi_bits_f32(x) == 0x7f800000u ? x : gi_log_nan_f32();
}

GI_SLOW double gi_log_special_f64(double x)
{
    if (x == 0.0) return -gi_log_infinity_f64();
    return gi_bits_f64(x) == 0x7ff0000000000000ull ? x : gi_log_nan_f64();
}

/* 1 for positive denormals */
GI_FORMULA int gi_log_denormal_f32(float x) { return gi_bits_f32(x) - 1u < 0x007fffffu; }
GI_FORMULA int gi_log_denormal_f64(double x) { return gi_bits_f64(x) - 1u < 0x000fffffffffffffull; }

GI_SLOW float gi_log_slow_f32(float x)
{
    return gi_log_denormal_f32(x) ? gi_log_plus_f32(x * 0x1p24f, -24.0f) : gi_log_special_f32(x);
}

GI_SLOW double gi_log_slow_f64(double x)
{
    return gi_log_denormal_f64(x) ? gi_log_plus_f64(x * 0x1p54, -54.0) : gi_log_special_f64(x);
}

/* ---- log2: exact for powers of two ------------------------------------------------------------------------------- */

GI_FORMULA float gi_log2_plus_f32(float x, float shift)
{
    uint32_t shifted = gi_log_shifted_f32(x);
    float    e       = gi_log_exponent_f32(shifted) + shift;
    return gi_log_scaled_f32(gi_log_fraction_f32(shifted), 0x1.715476p0f, 0x1.4ae0cp-26f, e, 0.0f);
}

GI_FORMULA double gi_log2_plus_f64(double x, double shift)
{
    uint64_t shifted = gi_log_shifted_f64(x);
    double   e       = gi_log_exponent_f64(shifted) + shift;
    return gi_log_scaled_f64(gi_log_fraction_f64(shifted), 0x1.71547652b82fep0, 0x1.777d0ffda0d24p-56, e, 0.0);
}

GI_FORMULA float  gi_log2_core_f32(float x) { return gi_log2_plus_f32(x, 0.0f); }
GI_FORMULA double gi_log2_core_f64(double x) { return gi_log2_plus_f64(x, 0.0); }

GI_FORMULA uint32_t gi_log2_rare_f32(float x) { return gi_log_unusual_f32(x); }
GI_FORMULA uint64_t gi_log2_rare_f64(double x) { return gi_log_unusual_f64(x); }

GI_SLOW float gi_log2_slow_f32(float x)
{
    return gi_log_denormal_f32(x) ? gi_log2_plus_f32(x * 0x1p24f, -24.0f) : gi_log_special_f32(x);
}

GI_SLOW double gi_log2_slow_f64(double x)
{
    return gi_log_denormal_f64(x) ? gi_log2_plus_f64(x * 0x1p54, -54.0) : gi_log_special_f64(x);
}

/* ---- log10: exact for powers of ten ------------------------------------------------------------------------------ */

GI_FORMULA float gi_log10_plus_f32(float x, float shift)
{
    uint32_t shifted = gi_log_shifted_f32(x);
    float    e       = gi_log_exponent_f32(shifted) + shift;
    return gi_log_scaled_f32(gi_log_fraction_f32(shifted), 0x1.bcb7b2p-2f, -0x1.5b235ep-27f, gi_mul_f32(e, 0x1.3442p-2f),
                             gi_mul_f32(e, -0x1.95ec1p-19f));
}

GI_FORMULA double gi_log10_plus_f64(double x, double shift)
{
    uint64_t shifted = gi_log_shifted_f64(x);
    double   e       = gi_log_exponent_f64(shifted) + shift;
    return gi_log_scaled_f64(gi_log_fraction_f64(shifted), 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57,
                             gi_mul_f64(e, 0x1.34413509f78p-2), gi_mul_f64(e, 0x1.fef311f12b358p-46));
}

GI_FORMULA float  gi_log10_core_f32(float x) { return gi_log10_plus_f32(x, 0.0f); }
GI_FORMULA double gi_log10_core_f64(double x) { return gi_log10_plus_f64(x, 0.0); }

GI_FORMULA uint32_t gi_log10_rare_f32(float x) { return gi_log_unusual_f32(x); }
GI_FORMULA uint64_t gi_log10_rare_f64(double x) { return gi_log_unusual_f64(x); }

GI_SLOW float gi_log10_slow_f32(float x)
{
    return gi_log_denormal_f32(x) ? gi_log10_plus_f32(x * 0x1p24f, -24.0f) : gi_log_special_f32(x);
}

GI_SLOW double gi_log10_slow_f64(double x)
{
    return gi_log_denormal_f64(x) ? gi_log10_plus_f64(x * 0x1p54, -54.0) : gi_log_special_f64(x);
}

/* ---- log1p ------------------------------------------------------------------------------------------------------- */

/* log(1 + y + low), y > -1 and below 2^126 (f32), 2^1022 (f64), |low| at most half an ulp of y.  With u = 1+y rounded
   and error = 1+y-u:  u + error + low = 2^e (1 + f + (error + low) / 2^e).  Where e is 0, f + error is y itself. */
GI_FORMULA float gi_log1p_sum_f32(float y, float low)
{
    float    u       = 1.0f + y;
    float    back    = u - 1.0f;
    float    error   = (1.0f - (u - back)) + (y - back);
    uint32_t shifted = gi_log_shifted_f32(u);
    float    e       = gi_log_exponent_f32(shifted);
    float    scale   = gi_from_bits_f32(0x7f000000u - (shifted & 0xff800000u)); /* 2^-e */
    float    f       = gi_log_fraction_f32(shifted);
    float    more    = gi_mul_f32(error, scale);
    float    g       = f + more;
    float    rest    = gi_fma_f32(low, scale, (f - g) + more);
    rest             = gi_fma_f32(-rest, g, rest); /* rest / (1+g), nearly */
    float head;
    float tail = gi_log_tail_f32(g, gi_fma_f32(e, 0x1.7f7d1cp-20f, rest), &head);
    return gi_log_join_f32(gi_mul_f32(e, 0x1.62e4p-1f), head, tail);
}

GI_FORMULA double gi_log1p_sum_f64(double y, double low)
{
    double   u       = 1.0 + y;
    double   back    = u - 1.0;
    double   error   = (1.0 - (u - back)) + (y - back);
    uint64_t shifted = gi_log_shifted_f64(u);
    double   e       = gi_log_exponent_f64(shifted);
    double   scale   = gi_from_bits_f64(0x7fe0000000000000ull - (shifted & 0xfff0000000000000ull));
    double   f       = gi_log_fraction_f64(shifted);
    double   more    = gi_mul_f64(error, scale);
    double   g       = f + more;
    double   rest    = gi_fma_f64(low, scale, (f - g) + more);
    rest             = gi_fma_f64(-rest, g, rest);
    double head;
    double tail = gi_log_tail_f64(g, gi_fma_f64(e, 0x1.ef35793c7673p-45, rest), &head);
    return gi_log_join_f64(gi_mul_f64(e, 0x1.62e42fefa38p-1), head, tail);
}

/* the sign of x survives everywhere, also that of -0 */
GI_FORMULA float  gi_log1p_core_f32(float x) { return gi_log_signed_f32(gi_log1p_sum_f32(x, 0.0f), x); }
GI_FORMULA double gi_log1p_core_f64(double x) { return gi_log_signed_f64(gi_log1p_sum_f64(x, 0.0), x); }

/* x <= -1, x >= 2^126 (f32) or 2^1022 (f64), NaN */
GI_FORMULA uint32_t gi_log1p_rare_f32(float x)
{
    uint32_t bits = gi_bits_f32(x);
    return (uint32_t)(bits >= 0xbf800000u) | (uint32_t)(bits - 0x7e800000u < 0x01800000u);
}

GI_FORMULA uint64_t gi_log1p_rare_f64(double x)
{
    uint64_t bits = gi_bits_f64(x);
    return (uint64_t)(bits >= 0xbff0000000000000ull) | (uint64_t)(bits - 0x7fd0000000000000ull < 0x0030000000000000ull);
}

GI_SLOW float gi_log1p_slow_f32(float x)
{
    if (x == -1.0f) return -gi_log_infinity_f32();
    return gi_log_unusual_f32(x) ? gi_log_special_f32(x) : gi_log_plus_f32(x, 0.0f);
}

GI_SLOW double gi_log1p_slow_f64(double x)
{
    if (x == -1.0) return -gi_log_infinity_f64();
    return gi_log_unusual_f64(x) ? gi_log_special_f64(x) : gi_log_plus_f64(x, 0.0);
}

/* ---- arcsinh = sign(x) log1p(a + a^2 / (1 + sqrt(1 + a^2))), a = |x| --------------------------------------------- */

GI_FORMULA float gi_arcsinh_core_f32(float x)
{
    float a = gi_from_bits_f32(gi_bits_f32(x) & 0x7fffffffu);
    float t = gi_mul_f32(a, a) / (1.0f + gi_log_sqrt_f32(gi_fma_f32(a, a, 1.0f))); /* <= a */
    float y = a + t;
    return gi_log_signed_f32(gi_log1p_sum_f32(y, t - (y - a)), x);
}

GI_FORMULA double gi_arcsinh_core_f64(double x)
{
    double a = gi_from_bits_f64(gi_bits_f64(x) & 0x7fffffffffffffffull);
    double t = gi_mul_f64(a, a) / (1.0 + gi_log_sqrt_f64(gi_fma_f64(a, a, 1.0)));
    double y = a + t;
    return gi_log_signed_f64(gi_log1p_sum_f64(y, t - (y - a)), x);
}

/* |x| >= 2^60, NaN */
GI_FORMULA uint32_t gi_arcsinh_rare_f32(float x) { return (gi_bits_f32(x) & 0x7fffffffu) >= 0x5d800000u; }

GI_FORMULA uint64_t gi_arcsinh_rare_f64(double x) { return (gi_bits_f64(x) & 0x7fffffffffffffffull) >= 0x43b0000000000000ull; }

/* log(2 |x|) there */
GI_SLOW float gi_arcsinh_slow_f32(float x)
{
    float a = gi_from_bits_f32(gi_bits_f32(x) & 0x7fffffffu);
    if (x != x) return gi_log_nan_f32();
    return gi_log_unusual_f32(a) ? x : gi_log_signed_f32(gi_log_plus_f32(a, 1.0f), x);
}

GI_SLOW double gi_arcsinh_slow_f64(double x)
{
    double a = gi_from_bits_f64(gi_bits_f64(x) & 0x7fffffffffffffffull);
    if (x != x) return gi_log_nan_f64();
    return gi_log_unusual_f64(a) ? x : gi_log_signed_f64(gi_log_plus_f64(a, 1.0), x);
}

/* ---- arccosh = log1p(t + sqrt(t^2 + 2 t)), t = x - 1 ------------------------------------------------------------- */

GI_FORMULA float gi_arccosh_core_f32(float x)
{
    float t    = x - 1.0f;
    float root = gi_log_sqrt_f32(gi_fma_f32(t, t, 2.0f * t)); /* >= t */
    float y    = root + t;
    return gi_log1p_sum_f32(y, t - (y - root));
}

GI_FORMULA double gi_arccosh_core_f64(double x)
{
    double t    = x - 1.0;
    double root = gi_log_sqrt_f64(gi_fma_f64(t, t, 2.0 * t));
    double y    = root + t;
    return gi_log1p_sum_f64(y, t - (y - root));
}

/* outside [1, 2^60), NaN */
GI_FORMULA uint32_t gi_arccosh_rare_f32(float x) { return gi_bits_f32(x) - 0x3f800000u >= 0x1e000000u; }

GI_FORMULA uint64_t gi_arccosh_rare_f64(double x) { return gi_bits_f64(x) - 0x3ff0000000000000ull >= 0x03c0000000000000ull; }

GI_SLOW float gi_arccosh_slow_f32(float x)
{
    if (!(x >= 1.0f)) return gi_log_nan_f32();
    return gi_log_unusual_f32(x) ? x : gi_log_plus_f32(x, 1.0f);
}

GI_SLOW double gi_arccosh_slow_f64(double x)
{
    if (!(x >= 1.0)) return gi_log_nan_f64();
    return gi_log_unusual_f64(x) ? x : gi_log_plus_f64(x, 1.0);
}

/* ---- arctanh ----------------------------------------------------------------------------------------------------- */

/* With a = |x| and e near log2((1+a) / (1-a)):  arctanh(a) = e ln(2)/2 + arctanh(s),
   s = ((1+a) - 2^e (1-a)) / ((1+a) + 2^e (1-a)) = (a (2^e+1) - (2^e-1)) / ((2^e+1) - a (2^e-1)): each side is one fma,
   as 2^e+1 is exact.  e comes from the difference of the bit patterns of 1+a and 1-a, a rough logarithm, stepping at
   e + 2/3: |s| stays below 0.2434 and is well below the result where e > 0.  Where e = 0, s is a. */
GI_FORMULA float gi_arctanh_core_f32(float x)
{
    float    a       = gi_from_bits_f32(gi_bits_f32(x) & 0x7fffffffu);
    uint32_t shifted = gi_bits_f32(1.0f + a) - gi_bits_f32(1.0f - a) + 0x002aaaabu;
    float    power   = gi_from_bits_f32((shifted & 0xff800000u) + 0x3f800000u);
    float    e       = gi_from_bits_f32((shifted >> 23) | 0x4b000000u) - 0x1p23f;
    float    s       = gi_fma_f32(a, power + 1.0f, 1.0f - power) / gi_fma_f32(a, 1.0f - power, power + 1.0f);
    float    z       = s * s;
    float    p01     = gi_fma_f32(0x1.99a0c6p-3f, z, 0x1.55555p-2f); /* relative error 2^-32.3 */
    float    p23     = gi_fma_f32(0x1.006c88p-3f, z, 0x1.231ee8p-3f);
    float    tail    = gi_fma_f32(gi_mul_f32(s, z), gi_fma_f32(p23, z * z, p01), gi_mul_f32(e, 0x1.7f7d1cp-21f));
    return gi_log_signed_f32(gi_log_join_f32(gi_mul_f32(e, 0x1.62e4p-2f), s, tail), x);
}

GI_FORMULA double gi_arctanh_core_f64(double x)
{
    double   a       = gi_from_bits_f64(gi_bits_f64(x) & 0x7fffffffffffffffull);
    uint64_t shifted = gi_bits_f64(1.0 + a) - gi_bits_f64(1.0 - a) + 0x0005555555555555ull;
    double   power   = gi_from_bits_f64((shifted & 0xfff0000000000000ull) + 0x3ff0000000000000ull);
    double   e       = gi_from_bits_f64((shifted >> 52) | 0x4330000000000000ull) - 0x1p52;
    double   s       = gi_fma_f64(a, power + 1.0, 1.0 - power) / gi_fma_f64(a, 1.0 - power, power + 1.0);
    double   z       = s * s;
    double   w       = z * z;
    double   p01     = gi_fma_f64(0x1.99999999c333bp-3, z, 0x1.55555555554b9p-2); /* relative error 2^-57.4 */
    double   p23     = gi_fma_f64(0x1.c71c86fd277bfp-4, z, 0x1.2492490657134p-3);
    double   p45     = gi_fma_f64(0x1.3b89ae882826p-4, z, 0x1.7458fc43c462cp-4);
    double   p67     = gi_fma_f64(0x1.32f72159b975dp-4, z, 0x1.09745ab63e0dbp-4);
    double   p       = gi_fma_f64(gi_fma_f64(p67, w, p45), w * w, gi_fma_f64(p23, w, p01));
    double   tail    = gi_fma_f64(gi_mul_f64(s, z), p, gi_mul_f64(e, 0x1.ef35793c7673p-46));
    return gi_log_signed_f64(gi_log_join_f64(gi_mul_f64(e, 0x1.62e42fefa38p-2), s, tail), x);
}

/* |x| >= 1 - 2^-22 (f32), 1 - 2^-51 (f64), NaN */
GI_FORMULA uint32_t gi_arctanh_rare_f32(float x) { return (gi_bits_f32(x) & 0x7fffffffu) >= 0x3f7ffffcu; }

GI_FORMULA uint64_t gi_arctanh_rare_f64(double x) { return (gi_bits_f64(x) & 0x7fffffffffffffffull) >= 0x3feffffffffffffcull; }

/* (log(1+a) - log(1-a)) / 2, where log(1-a) is large */
GI_SLOW float gi_arctanh_slow_f32(float x)
{
    float a = gi_from_bits_f32(gi_bits_f32(x) & 0x7fffffffu);
    if (!(a <= 1.0f)) return gi_log_nan_f32();
    if (a == 1.0f) return gi_log_signed_f32(gi_log_infinity_f32(), x);
    return gi_log_signed_f32(0.5f * (gi_log_plus_f32(1.0f + a, 0.0f) - gi_log_plus_f32(1.0f - a, 0.0f)), x);
}

GI_SLOW double gi_arctanh_slow_f64(double x)
{
    double a = gi_from_bits_f64(gi_bits_f64(x) & 0x7fffffffffffffffull);
    if (!(a <= 1.0)) return gi_log_nan_f64();
    if (a == 1.0) return gi_log_signed_f64(gi_log_infinity_f64(), x);
    return gi_log_signed_f64(0.5 * (gi_log_plus_f64(1.0 + a, 0.0) - gi_log_plus_f64(1.0 - a, 0.0)), x);
}

/* ---- cbrt -------------------------------------------------------------------------------------------------------- */

/* |x| = 2^(3k) m, m in [1, 8); y ~ m^(-1/3); c = m y^2 ~ cbrt(m); then one Newton step c + (m - c^3) y^2 / 3, where the
   residual m - c^3 is exact to far below an ulp.  Good for normal x; +-0 stays. */
GI_FORMULA float gi_cbrt_core_f32(float x)
{
    uint32_t bits     = gi_bits_f32(x) & 0x7fffffffu;
    float    field    = gi_from_bits_f32((bits >> 23) | 0x4b000000u) - (0x1p23f + 2.0f);
    uint32_t third    = gi_bits_f32(gi_fma_f32(field, 0x1.555556p-2f, 0x1.8p23f)) - 0x4b400000u; /* k + 42 */
    float    m        = gi_from_bits_f32(bits - ((third * 3u - 126u) << 23));
    float    y        = gi_fma_f32(gi_fma_f32(gi_fma_f32(-0x1.4e1776p-9f, m, 0x1.77f884p-5f), m, -0x1.305768p-2f), m,
                                   0x1.3cad5cp0f); /* relative error 2^-5.8 */
    float    e        = gi_fma_f32(gi_mul_f32(-m, y), gi_mul_f32(y, y), 1.0f);
    float    step     = gi_mul_f32(e, gi_fma_f32(0x1.c7cff4p-3f, e, 0x1.55aedp-2f)); /* 2^-17.3 */
    y                 = gi_fma_f32(y, step, y);
    float    square   = gi_mul_f32(y, y);
    float    c        = gi_mul_f32(m, square);
    float    c2       = gi_mul_f32(c, c);
    float    c2_low   = gi_fma_f32(c, c, -c2);
    float    residual = gi_fma_f32(-c2_low, c, gi_fma_f32(-c2, c, m));
    float    root     = gi_fma_f32(residual, gi_mul_f32(square, 0x1.555556p-2f), c);
    uint32_t result   = gi_bits_f32(root) + ((third - 42u) << 23);
    return gi_from_bits_f32(gi_pick_u32(bits == 0u, 0u, result) | (gi_bits_f32(x) & 0x80000000u));
}

GI_FORMULA double gi_cbrt_core_f64(double x)
{
    uint64_t bits     = gi_bits_f64(x) & 0x7fffffffffffffffull;
    double   field    = gi_from_bits_f64((bits >> 52) | 0x4330000000000000ull) - (0x1p52 + 1.0);
    uint64_t third    = gi_bits_f64(gi_fma_f64(field, 0x1.5555555555555p-2, 0x1p52)) - 0x4330000000000000ull; /* k + 341 */
    double   m        = gi_from_bits_f64(bits - ((third + (third << 1) - 1023u) << 52));
    double   y        = gi_fma_f64(0x1.32dd5c0d97e02p-11, m, -0x1.a98c4d93a9f38p-7);
    y                 = gi_fma_f64(gi_fma_f64(gi_fma_f64(y, m, 0x1.bc6f3f7f882e4p-4), m, -0x1.c369e4a6a9344p-2), m,
                                   0x1.56739c6238f73p0); /* relative error 2^-7.1 */
    double e          = gi_fma_f64(gi_mul_f64(-m, y), gi_mul_f64(y, y), 1.0);
    double p01        = gi_fma_f64(0x1.c71c702f879a5p-3, e, 0x1.555554cd86c7dp-2); /* 2^-34.7 */
    double p23        = gi_fma_f64(0x1.27222643ce7fcp-3, e, 0x1.621e8a4bf05b2p-3);
    double step       = gi_mul_f64(e, gi_fma_f64(p23, gi_mul_f64(e, e), p01));
    y                 = gi_fma_f64(y, step, y);
    double   square   = gi_mul_f64(y, y);
    double   c        = gi_mul_f64(m, square);
    double   c2       = gi_mul_f64(c, c);
    double   c2_low   = gi_fma_f64(c, c, -c2);
    double   residual = gi_fma_f64(-c2_low, c, gi_fma_f64(-c2, c, m));
    double   root     = gi_fma_f64(residual, gi_mul_f64(square, 0x1.5555555555555p-2), c);
    uint64_t result   = gi_bits_f64(root) + ((third - 341u) << 52);
    return gi_from_bits_f64(gi_pick_u64(bits == 0u, 0u, result) | (gi_bits_f64(x) & 0x8000000000000000ull));
}

/* denormals (0 is not one), infinities, NaN */
GI_FORMULA uint32_t gi_cbrt_rare_f32(float x)
{
    uint32_t bits = gi_bits_f32(x) & 0x7fffffffu;
    return (uint32_t)(bits - 1u < 0x007fffffu) | (uint32_t)(bits >= 0x7f800000u);
}

GI_FORMULA uint64_t gi_cbrt_rare_f64(double x)
{
    uint64_t bits = gi_bits_f64(x) & 0x7fffffffffffffffull;
    return (uint64_t)(bits - 1u < 0x000fffffffffffffull) | (uint64_t)(bits >= 0x7ff0000000000000ull);
}

GI_SLOW float gi_cbrt_slow_f32(float x)
{
    if (x != x) return gi_log_nan_f32();
    if ((gi_bits_f32(x) & 0x7fffffffu) == 0x7f800000u) return x;
    return gi_cbrt_core_f32(x * 0x1p24f) * 0x1p-8f;
}

GI_SLOW double gi_cbrt_slow_f64(double x)
{
    if (x != x) return gi_log_nan_f64();
    if ((gi_bits_f64(x) & 0x7fffffffffffffffull) == 0x7ff0000000000000ull) return x;
    return gi_cbrt_core_f64(x * 0x1p54) * 0x1p-18;
}
/* ---- trig ---------------------------------------------------------------------------------------------------------------- */
/* sin cos tan arcsin arccos arctan (x); arctan2 (y, x); hypot (x, y); nextafter (x, y), for float and double
   For each: gi_NAME_core_TAG (branch-free), gi_NAME_rare_TAG (1 where core is not to be trusted) and
   gi_NAME_slow_TAG (right there).
   Method:
     sin, cos, tan    reduce by pi/2 in three parts to r + low, |r| <= pi/4; polynomials for sin and cos, with the
                      low word; tan is their quotient, corrected once.  Huge arguments: integer product with 2/pi
                      (Payne, Hanek).
     arcsin, arccos   a + a^3 p(a^2) up to a = 1/2; beyond, pi/2 - 2 arcsin(sqrt((1 - a) / 2)),
                      the root with a low word.
     arctan, arctan2  t + t^3 p(t^2), |t| <= 1/2, the argument turned by a multiple of pi/4; t has a low word.
     hypot            sqrt(x^2 + y^2) and one correction by the nearly exact residual (Borges).
     nextafter        one step on the ordered integers.
   Largest errors in ulp by trig_check.c (f32 of one argument: all inputs; else 4 million points of each kind, tan 12):
           sin   cos   tan   arcsin arccos arctan arctan2 hypot nextafter
     f32   0.754 0.753 0.903 0.739  0.702  0.728  0.734   0.518 exact
     f64   0.778 0.758 0.950 0.666  0.631  0.777  0.752   0.518 exact      (hypot 0.758 and 0.755 with denormal results)
   Every NaN result is the canonical one.  gcc vectorises the square roots only with -fno-math-errno. */

/* ---- helpers, float ---- */

GI_FORMULA float    gi_trig_sqrt_f32(float x) { return gi_root_f32(x); }
GI_FORMULA float    gi_trig_nan_f32(void) { return gi_from_bits_f32(0x7fc00000u); }
GI_FORMULA float    gi_trig_infinity_f32(void) { return gi_from_bits_f32(0x7f800000u); }
GI_FORMULA float    gi_trig_abs_f32(float x) { return gi_from_bits_f32(gi_bits_f32(x) & 0x7fffffffu); }
GI_FORMULA uint32_t gi_trig_negative_f32(float x) { return gi_bits_f32(x) >> 31; }
GI_FORMULA uint32_t gi_trig_sign_f32(float x) { return gi_bits_f32(x) & 0x80000000u; }
/* x, its sign turned where s is the sign bit and not 0 */
GI_FORMULA float gi_trig_turn_f32(float x, uint32_t s) { return gi_from_bits_f32(gi_bits_f32(x) ^ s); }
/* 1 where a > bound or a is NaN, else 0; neither has its sign bit set */
GI_FORMULA uint32_t gi_trig_beyond_f32(float a, float bound) { return (gi_bits_f32(bound) - gi_bits_f32(a)) >> 31; }
GI_FORMULA uint32_t gi_trig_is_nan_f32(float x) { return gi_trig_beyond_f32(gi_trig_abs_f32(x), gi_trig_infinity_f32()); }
/* c0 + c1 z + c2 z^2 + c3 z^3 */
GI_FORMULA float gi_trig_cubic_f32(float c0, float c1, float c2, float c3, float z, float z2)
{
    return gi_fma_f32(gi_fma_f32(c3, z, c2), z2, gi_fma_f32(c1, z, c0));
}
/* 1 / sqrt(z) within 3.5 %, for normal z: good enough to scale a correction */
GI_FORMULA float gi_trig_rough_rsqrt_f32(float z) { return gi_from_bits_f32(0x5f3759dfu - (gi_bits_f32(z) >> 1)); }

/* ---- helpers, double ---- */

GI_FORMULA double   gi_trig_sqrt_f64(double x) { return gi_root_f64(x); }
GI_FORMULA double   gi_trig_nan_f64(void) { return gi_from_bits_f64(0x7ff8000000000000ull); }
GI_FORMULA double   gi_trig_infinity_f64(void) { return gi_from_bits_f64(0x7ff0000000000000ull); }
GI_FORMULA double   gi_trig_abs_f64(double x) { return gi_from_bits_f64(gi_bits_f64(x) & 0x7fffffffffffffffull); }
GI_FORMULA uint64_t gi_trig_negative_f64(double x) { return gi_bits_f64(x) >> 63; }
GI_FORMULA uint64_t gi_trig_sign_f64(double x) { return gi_bits_f64(x) & 0x8000000000000000ull; }
/* x, its sign turned where s is the sign bit and not 0 */
GI_FORMULA double gi_trig_turn_f64(double x, uint64_t s) { return gi_from_bits_f64(gi_bits_f64(x) ^ s); }
/* 1 where a > bound or a is NaN, else 0; neither has its sign bit set */
GI_FORMULA uint64_t gi_trig_beyond_f64(double a, double bound) { return (gi_bits_f64(bound) - gi_bits_f64(a)) >> 63; }
GI_FORMULA uint64_t gi_trig_is_nan_f64(double x) { return gi_trig_beyond_f64(gi_trig_abs_f64(x), gi_trig_infinity_f64()); }
/* c0 + c1 z + c2 z^2 + c3 z^3 */
GI_FORMULA double gi_trig_cubic_f64(double c0, double c1, double c2, double c3, double z, double z2)
{
    return gi_fma_f64(gi_fma_f64(c3, z, c2), z2, gi_fma_f64(c1, z, c0));
}
/* 1 / sqrt(z) within 3.5 %, for normal z: good enough to scale a correction */
GI_FORMULA double gi_trig_rough_rsqrt_f64(double z) { return gi_from_bits_f64(0x5fe6eb50c7b537a9ull - (gi_bits_f64(z) >> 1)); }

/* ---- huge arguments ---- */

/* high and low word of a * b, without a 128-bit type */
GI_FORMULA uint64_t gi_product_high(uint64_t a, uint64_t b, uint64_t *low)
{
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t p = a0 * b0, q = a1 * b0, r = a0 * b1, s = a1 * b1;
    uint64_t middle = (p >> 32) + (uint32_t)q + (uint32_t)r;
    *low            = (middle << 32) | (uint32_t)p;
    return s + (q >> 32) + (r >> 32) + (middle >> 32);
}

/* 64 bits of 2/pi from the given place on; place 0 is the bit worth 1/2, and -64 is the smallest place allowed. */
GI_SLOW uint64_t gi_two_over_pi(int place)
{
    static const uint64_t words[21] = { 0,
                                        0xa2f9836e4e441529ull,
                                        0xfc2757d1f534ddc0ull,
                                        0xdb6295993c439041ull,
                                        0xfe5163abdebbc561ull,
                                        0xb7246e3a424dd2e0ull,
                                        0x06492eea09d1921cull,
                                        0xfe1deb1cb129a73eull,
                                        0xe88235f52ebb4484ull,
                                        0xe99c7026b45f7e41ull,
                                        0x3991d639835339f4ull,
                                        0x9c845f8bbdf9283bull,
                                        0x1ff897ffde05980full,
                                        0xef2f118b5a0a6d1full,
                                        0x6d367ecf27cb09b7ull,
                                        0x4f463f669e5fea2dull,
                                        0x7527bac7ebe5f17bull,
                                        0x3d0739f78a5292eaull,
                                        0x6bfb5fb11f8d5d08ull,
                                        0x56033046fc7b6babull,
                                        0xf0cfbc209af4361dull };
    int                   word = (place + 64) / 64, shift = (place + 64) % 64;
    return shift ? words[word] << shift | words[word + 1] >> (64 - shift) : words[word];
}

/* An angle reduced by multiples of pi/2: hi + lo in about [-pi/4, pi/4], and the number of multiples modulo 4. */
typedef struct {
    float    hi, lo;
    uint32_t quadrant;
} gi_reduced_f32;
typedef struct {
    double   hi, lo;
    uint64_t quadrant;
} gi_reduced_f64;

/* mantissa * 2^exponent (mantissa < 2^53, -60 <= exponent <= 971) reduced by pi/2, to about 100 bits. */
GI_SLOW gi_reduced_f64 gi_reduce_huge(uint64_t mantissa, int exponent)
{
    /* mantissa * 2/pi * 2^exponent modulo 4 in fixed point: 2 whole bits and 126 of fraction.  Bits of 2/pi that make
       multiples of 4 are left out at the top, and those worth less than the last bit at the bottom. */
    int      place = exponent - 2;
    uint64_t low, low_middle, dropped;
    uint64_t high = mantissa * gi_two_over_pi(place);
    high += gi_product_high(mantissa, gi_two_over_pi(place + 64), &low_middle);
    low = low_middle + gi_product_high(mantissa, gi_two_over_pi(place + 128), &dropped);
    high += low < low_middle;
    uint64_t quadrant = (high + 0x2000000000000000ull) >> 62; /* to the nearest multiple */
    high -= quadrant << 62;                                   /* the rest, signed */
    uint64_t negative = high >> 63;
    if (negative) {
        low  = ~low + 1;
        high = ~high + (low == 0);
    }
    int shift = 0;
    while (shift < 120 && !(high >> 63)) {
        high = high << 1 | low >> 63;
        low <<= 1;
        shift++;
    }
    /* the leading 53 bits and the 53 after them as two doubles, then times pi/2 */
    double scale   = gi_from_bits_f64((uint64_t)(1023 - 62 + 11 - shift) << 52);
    double first   = (double)(high >> 11) * scale;
    double second  = (double)((high << 53) >> 11 | low >> 22) * (scale * 0x1p-53);
    double product = gi_mul_f64(first, 0x1.921fb54442d18p0);
    double rest    = gi_fma_f64(first, 0x1.921fb54442d18p0, -product);
    rest           = gi_fma_f64(first, 0x1.1a62633145c07p-54, gi_fma_f64(second, 0x1.921fb54442d18p0, rest));
    gi_reduced_f64 r;
    r.hi       = product + rest;
    r.lo       = rest - (r.hi - product);
    r.hi       = gi_trig_turn_f64(r.hi, negative << 63);
    r.lo       = gi_trig_turn_f64(r.lo, negative << 63);
    r.quadrant = quadrant & 3;
    return r;
}
/* For finite x with |x| >= 1. */
GI_FORMULA gi_reduced_f32 gi_reduce_slow_f32(float x)
{
    uint32_t       u = gi_bits_f32(x) & 0x7fffffffu;
    gi_reduced_f64 d = gi_reduce_huge((u & 0x7fffffu) | 0x800000u, (int)(u >> 23) - 150);
    gi_reduced_f32 r;
    r.hi       = (float)d.hi;
    r.lo       = (float)((d.hi - (double)r.hi) + d.lo);
    r.quadrant = (uint32_t)d.quadrant;
    return r;
}
GI_FORMULA gi_reduced_f64 gi_reduce_slow_f64(double x)
{
    uint64_t u = gi_bits_f64(x) & 0x7fffffffffffffffull;
    return gi_reduce_huge((u & 0xfffffffffffffull) | 0x10000000000000ull, (int)(u >> 52) - 1075);
}

/* ---- sin, cos, tan float ---- */

/* |x| reduced by pi/2; for |x| <= 2^17. */
GI_FORMULA gi_reduced_f32 gi_reduce_core_f32(float x)
{
    float          a       = gi_trig_abs_f32(x);
    float          shifted = gi_fma_f32(a, 0x1.45f306p-1f, 0x1.8p23f); /* its low bits are the multiple k */
    float          minus_k = 0x1.8p23f - shifted;
    float          first   = gi_fma_f32(minus_k, 0x1.921fb6p0f, a); /* exact */
    gi_reduced_f32 r;
    r.hi       = first + gi_mul_f32(minus_k, -0x1.777a5cp-25f); /* not fused: so first - hi is exact */
    r.lo       = gi_fma_f32(minus_k, -0x1.ee59dap-50f, gi_fma_f32(minus_k, -0x1.777a5cp-25f, first - r.hi));
    r.quadrant = gi_bits_f32(shifted);
    return r;
}
/* sin(hi + lo) = hi + the result; c is near cos(hi); polynomial error 2^-27.8 */
GI_FORMULA float gi_sin_rest_f32(float hi, float lo, float c)
{
    float z = hi * hi;
    float p = gi_fma_f32(gi_fma_f32(-0x1.991f2ap-13f, z, 0x1.1106ccp-7f), z, -0x1.555544p-3f);
    return gi_fma_f32(hi * z, p, gi_mul_f32(lo, c));
}
/* cos(hi + lo) = *head + the result; polynomial error 2^-32.8 */
GI_FORMULA float gi_cos_rest_f32(float hi, float lo, float *head)
{
    float z = hi * hi, h = -0.5f * hi;
    float one_less = gi_fma_f32(h, hi, 1.0f);
    float lost     = gi_fma_f32(h, hi, 1.0f - one_less);
    float p        = gi_fma_f32(gi_fma_f32(0x1.99e03ep-16f, z, -0x1.6c0c18p-10f), z, 0x1.55554ap-5f);
    *head          = one_less;
    return gi_fma_f32(z * z, p, gi_fma_f32(-hi, lo, lost));
}
/* sin of quadrant * pi/2 + hi + lo, its sign turned by the sign bit in s */
GI_FORMULA float gi_sin_finish_f32(gi_reduced_f32 r, uint32_t quadrant, uint32_t s)
{
    float    cos_head;
    float    cos_rest = gi_cos_rest_f32(r.hi, r.lo, &cos_head);
    float    sin_rest = gi_sin_rest_f32(r.hi, r.lo, cos_head);
    uint32_t odd      = quadrant & 1u;
    float    y        = gi_pick_f32(odd, cos_head, r.hi) + gi_pick_f32(odd, cos_rest, sin_rest);
    return gi_trig_turn_f32(y, ((quadrant & 2u) << 30) ^ s);
}
GI_FORMULA float gi_tan_finish_f32(gi_reduced_f32 r, uint32_t s)
{
    float cos_head;
    float cos_rest = gi_cos_rest_f32(r.hi, r.lo, &cos_head);
    float sin_rest = gi_sin_rest_f32(r.hi, r.lo, cos_head);
    float c = cos_head + cos_rest, c_low = cos_rest - (c - cos_head);
    float d = r.hi + sin_rest, d_low = sin_rest - (d - r.hi);
    /* sin / cos, or -cos / sin in the odd quadrants */
    uint32_t odd   = r.quadrant & 1u;
    float    above = gi_pick_f32(odd, c, d), above_low = gi_pick_f32(odd, c_low, d_low);
    float    below = gi_pick_f32(odd, d, c), below_low = gi_pick_f32(odd, d_low, c_low);
    float    inverse = 1.0f / below, q = above * inverse;
    float    left = gi_fma_f32(-q, below_low, gi_fma_f32(-q, below, above) + above_low);
    return gi_trig_turn_f32(gi_fma_f32(left, inverse, q), (odd << 31) ^ s);
}
GI_FORMULA float gi_sin_core_f32(float x)
{
    gi_reduced_f32 r = gi_reduce_core_f32(x);
    return gi_sin_finish_f32(r, r.quadrant, gi_trig_sign_f32(x));
}
GI_FORMULA float gi_cos_core_f32(float x)
{
    gi_reduced_f32 r = gi_reduce_core_f32(x);
    return gi_sin_finish_f32(r, r.quadrant + 1u, 0);
}
GI_FORMULA float    gi_tan_core_f32(float x) { return gi_tan_finish_f32(gi_reduce_core_f32(x), gi_trig_sign_f32(x)); }
GI_FORMULA uint32_t gi_sin_rare_f32(float x) { return gi_trig_beyond_f32(gi_trig_abs_f32(x), 0x1p17f); }
GI_FORMULA uint32_t gi_cos_rare_f32(float x) { return gi_sin_rare_f32(x); }
GI_FORMULA uint32_t gi_tan_rare_f32(float x) { return gi_sin_rare_f32(x); }
GI_SLOW float       gi_sin_slow_f32(float x)
{
    if (!gi_trig_beyond_f32(gi_trig_infinity_f32(), gi_trig_abs_f32(x))) return gi_trig_nan_f32();
    gi_reduced_f32 r = gi_reduce_slow_f32(x);
    return gi_sin_finish_f32(r, r.quadrant, gi_trig_sign_f32(x));
}
GI_SLOW float gi_cos_slow_f32(float x)
{
    if (!gi_trig_beyond_f32(gi_trig_infinity_f32(), gi_trig_abs_f32(x))) return gi_trig_nan_f32();
    gi_reduced_f32 r = gi_reduce_slow_f32(x);
    return gi_sin_finish_f32(r, r.quadrant + 1u, 0);
}
GI_SLOW float gi_tan_slow_f32(float x)
{
    if (!gi_trig_beyond_f32(gi_trig_infinity_f32(), gi_trig_abs_f32(x))) return gi_trig_nan_f32();
    return gi_tan_finish_f32(gi_reduce_slow_f32(x), gi_trig_sign_f32(x));
}

/* ---- arcsin, arccos float ---- */

/* For a = |x| <= 1: arcsin(a) = hi + lo where a <= 1/2, else pi/2 - 2 (hi + lo) and big is 1.
   Polynomial error 2^-27.6 */
typedef struct {
    float    hi, lo;
    uint32_t big;
} gi_arcsin_parts_f32;
GI_FORMULA gi_arcsin_parts_f32 gi_arcsin_split_f32(float a)
{
    gi_arcsin_parts_f32 r;
    r.big          = gi_trig_beyond_f32(a, 0.5f);
    float z        = gi_pick_f32(r.big, gi_fma_f32(-0.5f, a, 0.5f), a * a);
    float root     = gi_trig_sqrt_f32(z);
    float root_low = 0.5f * gi_fma_f32(-root, root, z) * gi_trig_rough_rsqrt_f32(z);
    root_low       = gi_pick_f32(r.big, root_low, 0.0f);
    r.hi           = gi_pick_f32(r.big, root, a);
    float z2 = z * z, z4 = z2 * z2;
    float p = gi_fma_f32(0x1.5959aap-5f, z4,
                         gi_trig_cubic_f32(0x1.5555c8p-3f, 0x1.330206p-4f, 0x1.747b72p-5f, 0x1.8c415ap-6f, z, z2));
    r.lo    = gi_fma_f32(r.hi * z, p, root_low);
    return r;
}
/* eighths * pi/4 + hi + lo, eighths 0 to 4, where |hi| <= eighths * pi/4 unless eighths is 0 */
GI_FORMULA float gi_angle_sum_f32(float eighths, float hi, float lo)
{
    float base     = gi_mul_f32(eighths, 0x1.921fb6p-1f);
    float base_low = gi_fma_f32(eighths, -0x1.777a5cp-26f, gi_fma_f32(eighths, 0x1.921fb6p-1f, -base));
    float sum      = base + hi;
    return sum + (((base - sum) + hi) + (base_low + lo));
}
GI_FORMULA float gi_arcsin_core_f32(float x)
{
    float               a       = gi_trig_abs_f32(x);
    gi_arcsin_parts_f32 r       = gi_arcsin_split_f32(a);
    float               factor  = gi_pick_f32(r.big, -2.0f, 1.0f);
    float               eighths = gi_pick_f32(r.big, 2.0f, 0.0f);
    float               y       = gi_angle_sum_f32(eighths, gi_mul_f32(r.hi, factor), gi_mul_f32(r.lo, factor));
    y                           = gi_trig_turn_f32(y, gi_trig_sign_f32(x));
    return gi_pick_f32(gi_trig_beyond_f32(a, 1.0f), gi_trig_nan_f32(), y);
}
GI_FORMULA float gi_arccos_core_f32(float x)
{
    float               a        = gi_trig_abs_f32(x);
    gi_arcsin_parts_f32 r        = gi_arcsin_split_f32(a);
    uint32_t            negative = gi_trig_negative_f32(x);
    /* pi/2 - arcsin(x); big: 2 (hi + lo) for positive x and pi - 2 (hi + lo) for negative x */
    float eighths = gi_pick_f32(r.big, gi_pick_f32(negative, 4.0f, 0.0f), 2.0f);
    float factor  = gi_trig_turn_f32(gi_pick_f32(r.big, 2.0f, -1.0f), gi_trig_sign_f32(x));
    float y       = gi_angle_sum_f32(eighths, gi_mul_f32(r.hi, factor), gi_mul_f32(r.lo, factor));
    return gi_pick_f32(gi_trig_beyond_f32(a, 1.0f), gi_trig_nan_f32(), y);
}
GI_FORMULA uint32_t gi_arcsin_rare_f32(float x)
{
    (void)x;
    return 0;
}
GI_FORMULA uint32_t gi_arccos_rare_f32(float x)
{
    (void)x;
    return 0;
}
GI_FORMULA float gi_arcsin_slow_f32(float x) { return gi_arcsin_core_f32(x); }
GI_FORMULA float gi_arccos_slow_f32(float x) { return gi_arccos_core_f32(x); }

/* ---- arctan, arctan2 float ---- */

/* eighths * pi/4 + arctan(above / (below + below_low)), the arctan turned by the sign bit in s.
   The quotient in [-1/2, 1/2]; polynomial error 2^-31.8 */
GI_FORMULA float gi_arctan_quotient_f32(float above, float below, float below_low, float eighths, uint32_t s)
{
    float inverse = 1.0f / below, t = gi_mul_f32(above, inverse);
    float t_low = gi_fma_f32(-t, below_low, gi_fma_f32(-t, below, above)) * inverse;
    float z     = t * t;
    float z2    = z * z;
    float p     = gi_fma_f32(0x1.3fd504p-5f, z, -0x1.480d2ep-4f);
    p           = gi_fma_f32(p, z2, gi_fma_f32(0x1.c07266p-4f, z, -0x1.24503p-3f));
    p           = gi_fma_f32(p, z2, gi_fma_f32(0x1.999744p-3f, z, -0x1.555552p-2f));
    float rest  = gi_fma_f32(t * z, p, gi_fma_f32(-z, t_low, t_low)); /* 1 - z is near the derivative */
    return gi_angle_sum_f32(eighths, gi_trig_turn_f32(t, s), gi_trig_turn_f32(rest, s));
}
/* a = |x|: arctan(a) up to 1/2, pi/4 + arctan((a - 1) / (a + 1)) up to 2, pi/2 + arctan(-1 / a) beyond. */
GI_FORMULA float gi_arctan_core_f32(float x)
{
    float    a      = gi_trig_abs_f32(x);
    uint32_t middle = gi_trig_beyond_f32(a, 0.5f), large = gi_trig_beyond_f32(a, 2.0f);
    a         = gi_pick_f32(gi_trig_beyond_f32(a, 0x1p60f), 0x1p60f, a); /* beyond it the result is pi/2 anyway */
    float sum = 1.0f + a, sum_low = gi_pick_f32(middle & ~large, a - (sum - 1.0f), 0.0f);
    float above   = gi_pick_f32(middle, gi_pick_f32(large, -1.0f, a - 1.0f), a);
    float below   = gi_pick_f32(middle, gi_pick_f32(large, a, sum), 1.0f);
    float eighths = gi_pick_f32(middle, gi_pick_f32(large, 2.0f, 1.0f), 0.0f);
    float y       = gi_trig_turn_f32(gi_arctan_quotient_f32(above, below, sum_low, eighths, 0), gi_trig_sign_f32(x));
    return gi_pick_f32(gi_trig_is_nan_f32(x), gi_trig_nan_f32(), y);
}
GI_FORMULA uint32_t gi_arctan_rare_f32(float x)
{
    (void)x;
    return 0;
}
GI_FORMULA float gi_arctan_slow_f32(float x) { return gi_arctan_core_f32(x); }

/* As arctan on the smaller by the larger, in the octant told by which is larger, the sign of x and the quotient. */
GI_FORMULA float gi_arctan2_core_f32(float y, float x)
{
    float    ay = gi_trig_abs_f32(y), ax = gi_trig_abs_f32(x);
    uint32_t swap = gi_trig_beyond_f32(ay, ax), left = gi_trig_negative_f32(x), s = (swap ^ left) << 31;
    float    num = gi_pick_f32(swap, ax, ay), den = gi_pick_f32(swap, ay, ax);
    uint32_t upper = gi_trig_beyond_f32(num, 0.5f * den);
    float    sum = den + num, sum_low = gi_pick_f32(upper, num - (sum - den), 0.0f);
    float    above = gi_pick_f32(upper, num - den, num), below = gi_pick_f32(upper, sum, den);
    float    eighths = gi_pick_f32(swap, 2.0f, gi_pick_f32(left, 4.0f, 0.0f));
    eighths          = eighths + gi_trig_turn_f32(gi_pick_f32(upper, 1.0f, 0.0f), s);
    return gi_trig_turn_f32(gi_arctan_quotient_f32(above, below, sum_low, eighths, s), gi_trig_sign_f32(y));
}
/* 1 unless the larger of |y|, |x| is in [2^-60, 2^60] and the smaller also, or zero */
GI_FORMULA uint32_t gi_arctan2_rare_f32(float y, float x)
{
    float    ay = gi_trig_abs_f32(y), ax = gi_trig_abs_f32(x);
    uint32_t swap = gi_trig_beyond_f32(ay, ax);
    float    num = gi_pick_f32(swap, ax, ay), den = gi_pick_f32(swap, ay, ax);
    return gi_trig_beyond_f32(den, 0x1p60f) | gi_trig_beyond_f32(0x1p-60f, den) |
           (gi_trig_beyond_f32(0x1p-60f, num) & gi_trig_beyond_f32(num, 0.0f));
}
GI_SLOW float gi_arctan2_slow_f32(float y, float x)
{
    if (gi_trig_is_nan_f32(y) | gi_trig_is_nan_f32(x)) return gi_trig_nan_f32();
    float ay = gi_trig_abs_f32(y), ax = gi_trig_abs_f32(x), infinity = gi_trig_infinity_f32();
    /* a fair pair of the same angle */
    if (ay == ax) {
        ax = 1.0f;
        if (ay != 0.0f) ay = 1.0f;
    } else if (ax == infinity || ay == 0.0f) {
        ay = 0.0f;
        ax = 1.0f;
    } else if (ay == infinity || ax == 0.0f) {
        ay = 1.0f;
        ax = 0.0f;
    } else {
        float up = ay < 0x1p60f && ax < 0x1p60f ? 0x1p30f : 1.0f; /* out of the denormals, where that matters */
        ay *= up;
        ax *= up;
        int ey = (int)(gi_bits_f32(ay) >> 23) - 127, ex = (int)(gi_bits_f32(ax) >> 23) - 127;
        if (ex - ey > 30 && !gi_trig_negative_f32(x)) return gi_trig_turn_f32(ay / ax, gi_trig_sign_f32(y));
        /* the larger into [1, 2), in two steps because 2^-e may be out of range */
        int   e         = ey > ex ? ey : ex;
        float half_down = gi_from_bits_f32((uint32_t)(127 - e / 2) << 23);
        float rest_down = gi_from_bits_f32((uint32_t)(127 - (e - e / 2)) << 23);
        ay              = ay * half_down * rest_down;
        ax              = ax * half_down * rest_down;
        /* so far below the other that the result is pi/2 or pi */
        if (ay < 0x1p-60f) ay = 0.0f;
        if (ax < 0x1p-60f) ax = 0.0f;
    }
    return gi_arctan2_core_f32(gi_trig_turn_f32(ay, gi_trig_sign_f32(y)), gi_trig_turn_f32(ax, gi_trig_sign_f32(x)));
}

/* ---- hypot float ---- */

GI_FORMULA float gi_hypot_core_f32(float x, float y)
{
    float    ax = gi_trig_abs_f32(x), ay = gi_trig_abs_f32(y);
    uint32_t swap = gi_trig_beyond_f32(ay, ax);
    float    a = gi_pick_f32(swap, ay, ax), b = gi_pick_f32(swap, ax, ay); /* a >= b */
    float    aa = gi_mul_f32(a, a), sum = gi_fma_f32(b, b, aa);
    float    h = gi_trig_sqrt_f32(sum), hh = gi_mul_f32(h, h);
    /* h^2 - a^2 - b^2, nearly exact */
    float excess = gi_fma_f32(-b, b, hh - aa) + (gi_fma_f32(h, h, -hh) - gi_fma_f32(a, a, -aa));
    return gi_fma_f32(-0.5f * excess, gi_trig_rough_rsqrt_f32(sum), h);
}
/* 1 unless the larger of |x|, |y| is zero or in [2^-60, 2^60] */
GI_FORMULA uint32_t gi_hypot_rare_f32(float x, float y)
{
    float ax = gi_trig_abs_f32(x), ay = gi_trig_abs_f32(y);
    float a = gi_pick_f32(gi_trig_beyond_f32(ay, ax), ay, ax);
    return gi_trig_beyond_f32(a, 0x1p60f) | (gi_trig_beyond_f32(0x1p-60f, a) & gi_trig_beyond_f32(a, 0.0f));
}
GI_SLOW float gi_hypot_slow_f32(float x, float y)
{
    float ax = gi_trig_abs_f32(x), ay = gi_trig_abs_f32(y), infinity = gi_trig_infinity_f32();
    if (ax == infinity || ay == infinity) return infinity;
    if (gi_trig_is_nan_f32(x) | gi_trig_is_nan_f32(y)) return gi_trig_nan_f32();
    if (ax > 0x1p60f || ay > 0x1p60f) return gi_hypot_core_f32(x * 0x1p-90f, y * 0x1p-90f) * 0x1p90f;
    return gi_hypot_core_f32(x * 0x1p90f, y * 0x1p90f) * 0x1p-90f;
}

/* ---- nextafter float ---- */

GI_FORMULA float gi_nextafter_core_f32(float x, float y)
{
    uint32_t x_negative = gi_trig_negative_f32(x), y_negative = gi_trig_negative_f32(y);
    uint32_t x_mask = (uint32_t)0 - x_negative, y_mask = (uint32_t)0 - y_negative;
    /* as ordered integers, two's complement, both zeros 0 */
    uint32_t ox = ((gi_bits_f32(x) & 0x7fffffffu) ^ x_mask) - x_mask;
    uint32_t oy = ((gi_bits_f32(y) & 0x7fffffffu) ^ y_mask) - y_mask;
    uint32_t up = (uint32_t)((int32_t)oy > (int32_t)ox), down = (uint32_t)((int32_t)ox > (int32_t)oy);
    uint32_t o = ox + up - down, negative = o >> 31, mask = (uint32_t)0 - negative;
    uint32_t size = (o ^ mask) - mask;
    negative |= x_negative & (((uint32_t)0 - size) >> 31 ^ 1u); /* a negative x that steps up to zero gives -0 */
    float next = gi_pick_f32(up | down, gi_from_bits_f32(size | negative << 31), y);
    return gi_pick_f32(gi_trig_is_nan_f32(x) | gi_trig_is_nan_f32(y), gi_trig_nan_f32(), next);
}
GI_FORMULA uint32_t gi_nextafter_rare_f32(float x, float y)
{
    (void)x;
    (void)y;
    return 0;
}
GI_FORMULA float gi_nextafter_slow_f32(float x, float y) { return gi_nextafter_core_f32(x, y); }

/* ---- sin, cos, tan double ---- */

/* |x| reduced by pi/2; for |x| <= 2^32. */
GI_FORMULA gi_reduced_f64 gi_reduce_core_f64(double x)
{
    double         a       = gi_trig_abs_f64(x);
    double         shifted = gi_fma_f64(a, 0x1.45f306dc9c883p-1, 0x1.8p52); /* its low bits are the multiple k */
    double         minus_k = 0x1.8p52 - shifted;
    double         first   = gi_fma_f64(minus_k, 0x1.921fb54442d18p0, a); /* exact */
    gi_reduced_f64 r;
    r.hi       = first + gi_mul_f64(minus_k, 0x1.1a62633145c07p-54); /* not fused: so first - hi is exact */
    r.lo       = gi_fma_f64(minus_k, -0x1.f1976b7ed8fbcp-110, gi_fma_f64(minus_k, 0x1.1a62633145c07p-54, first - r.hi));
    r.quadrant = gi_bits_f64(shifted);
    return r;
}
/* sin(hi + lo) = hi + the result; c is near cos(hi); polynomial error 2^-57.9 */
GI_FORMULA double gi_sin_rest_f64(double hi, double lo, double c)
{
    double z  = hi * hi;
    double z2 = z * z;
    double p  = gi_fma_f64(0x1.5d8e6226d3797p-33, z, -0x1.ae5e54ffce7d3p-26);
    p         = gi_fma_f64(p, z2, gi_fma_f64(0x1.71de355fa46d5p-19, z, -0x1.a01a019bf2b7ap-13));
    p         = gi_fma_f64(p, z2, gi_fma_f64(0x1.111111110f76p-7, z, -0x1.5555555555548p-3));
    return gi_fma_f64(hi * z, p, gi_mul_f64(lo, c));
}
/* cos(hi + lo) = *head + the result; polynomial error 2^-63.9 */
GI_FORMULA double gi_cos_rest_f64(double hi, double lo, double *head)
{
    double z = hi * hi, h = -0.5 * hi;
    double one_less = gi_fma_f64(h, hi, 1.0);
    double lost     = gi_fma_f64(h, hi, 1.0 - one_less);
    double z2       = z * z;
    double p        = gi_fma_f64(-0x1.8fa6a86831e76p-37, z, 0x1.1ee9dc126f59fp-29);
    p               = gi_fma_f64(p, z2, gi_fma_f64(-0x1.27e4f7f1ee40dp-22, z, 0x1.a01a019c8f942p-16));
    p               = gi_fma_f64(p, z2, gi_fma_f64(-0x1.6c16c16c15018p-10, z, 0x1.555555555554bp-5));
    *head           = one_less;
    return gi_fma_f64(z * z, p, gi_fma_f64(-hi, lo, lost));
}
/* sin of quadrant * pi/2 + hi + lo, its sign turned by the sign bit in s */
GI_FORMULA double gi_sin_finish_f64(gi_reduced_f64 r, uint64_t quadrant, uint64_t s)
{
    double   cos_head;
    double   cos_rest = gi_cos_rest_f64(r.hi, r.lo, &cos_head);
    double   sin_rest = gi_sin_rest_f64(r.hi, r.lo, cos_head);
    uint64_t odd      = quadrant & 1u;
    double   y        = gi_pick_f64(odd, cos_head, r.hi) + gi_pick_f64(odd, cos_rest, sin_rest);
    return gi_trig_turn_f64(y, ((quadrant & 2u) << 62) ^ s);
}
GI_FORMULA double gi_tan_finish_f64(gi_reduced_f64 r, uint64_t s)
{
    double cos_head;
    double cos_rest = gi_cos_rest_f64(r.hi, r.lo, &cos_head);
    double sin_rest = gi_sin_rest_f64(r.hi, r.lo, cos_head);
    double c = cos_head + cos_rest, c_low = cos_rest - (c - cos_head);
    double d = r.hi + sin_rest, d_low = sin_rest - (d - r.hi);
    /* sin / cos, or -cos / sin in the odd quadrants */
    uint64_t odd   = r.quadrant & 1u;
    double   above = gi_pick_f64(odd, c, d), above_low = gi_pick_f64(odd, c_low, d_low);
    double   below = gi_pick_f64(odd, d, c), below_low = gi_pick_f64(odd, d_low, c_low);
    double   inverse = 1.0 / below, q = above * inverse;
    double   left = gi_fma_f64(-q, below_low, gi_fma_f64(-q, below, above) + above_low);
    return gi_trig_turn_f64(gi_fma_f64(left, inverse, q), (odd << 63) ^ s);
}
GI_FORMULA double gi_sin_core_f64(double x)
{
    gi_reduced_f64 r = gi_reduce_core_f64(x);
    return gi_sin_finish_f64(r, r.quadrant, gi_trig_sign_f64(x));
}
GI_FORMULA double gi_cos_core_f64(double x)
{
    gi_reduced_f64 r = gi_reduce_core_f64(x);
    return gi_sin_finish_f64(r, r.quadrant + 1u, 0);
}
GI_FORMULA double   gi_tan_core_f64(double x) { return gi_tan_finish_f64(gi_reduce_core_f64(x), gi_trig_sign_f64(x)); }
GI_FORMULA uint64_t gi_sin_rare_f64(double x) { return gi_trig_beyond_f64(gi_trig_abs_f64(x), 0x1p32); }
GI_FORMULA uint64_t gi_cos_rare_f64(double x) { return gi_sin_rare_f64(x); }
GI_FORMULA uint64_t gi_tan_rare_f64(double x) { return gi_sin_rare_f64(x); }
GI_SLOW double      gi_sin_slow_f64(double x)
{
    if (!gi_trig_beyond_f64(gi_trig_infinity_f64(), gi_trig_abs_f64(x))) return gi_trig_nan_f64();
    gi_reduced_f64 r = gi_reduce_slow_f64(x);
    return gi_sin_finish_f64(r, r.quadrant, gi_trig_sign_f64(x));
}
GI_SLOW double gi_cos_slow_f64(double x)
{
    if (!gi_trig_beyond_f64(gi_trig_infinity_f64(), gi_trig_abs_f64(x))) return gi_trig_nan_f64();
    gi_reduced_f64 r = gi_reduce_slow_f64(x);
    return gi_sin_finish_f64(r, r.quadrant + 1u, 0);
}
GI_SLOW double gi_tan_slow_f64(double x)
{
    if (!gi_trig_beyond_f64(gi_trig_infinity_f64(), gi_trig_abs_f64(x))) return gi_trig_nan_f64();
    return gi_tan_finish_f64(gi_reduce_slow_f64(x), gi_trig_sign_f64(x));
}

/* ---- arcsin, arccos double ---- */

/* For a = |x| <= 1: arcsin(a) = hi + lo where a <= 1/2, else pi/2 - 2 (hi + lo) and big is 1.
   Polynomial error 2^-59.9 */
typedef struct {
    double   hi, lo;
    uint64_t big;
} gi_arcsin_parts_f64;
GI_FORMULA gi_arcsin_parts_f64 gi_arcsin_split_f64(double a)
{
    gi_arcsin_parts_f64 r;
    r.big           = gi_trig_beyond_f64(a, 0.5);
    double z        = gi_pick_f64(r.big, gi_fma_f64(-0.5, a, 0.5), a * a);
    double root     = gi_trig_sqrt_f64(z);
    double root_low = 0.5 * gi_fma_f64(-root, root, z) * gi_trig_rough_rsqrt_f64(z);
    root_low        = gi_pick_f64(r.big, root_low, 0.0);
    r.hi            = gi_pick_f64(r.big, root, a);
    double z2 = z * z, z4 = z2 * z2;
    double p = gi_fma_f64(
        0x1.0b45e9f72edb3p-5, z4,
        gi_trig_cubic_f64(0x1.613c1e6ed73f2p-7, 0x1.e5fbe88dfba57p-9, 0x1.639a894e228e8p-6, -0x1.57fad0deac45ep-6, z, z2));
    p = gi_fma_f64(
        p, z4,
        gi_trig_cubic_f64(0x1.6e8bdedebf9dfp-6, 0x1.1c49f077d5bc7p-6, 0x1.ca1f8af1f0a3ap-7, 0x1.75859dad05d79p-7, z, z2));
    p = gi_fma_f64(
        p, z4,
        gi_trig_cubic_f64(0x1.5555555555577p-3, 0x1.333333332e133p-4, 0x1.6db6db721247bp-5, 0x1.f1c71a95002fbp-6, z, z2));
    r.lo = gi_fma_f64(r.hi * z, p, root_low);
    return r;
}
/* eighths * pi/4 + hi + lo, eighths 0 to 4, where |hi| <= eighths * pi/4 unless eighths is 0 */
GI_FORMULA double gi_angle_sum_f64(double eighths, double hi, double lo)
{
    double base     = gi_mul_f64(eighths, 0x1.921fb54442d18p-1);
    double base_low = gi_fma_f64(eighths, 0x1.1a62633145c07p-55, gi_fma_f64(eighths, 0x1.921fb54442d18p-1, -base));
    double sum      = base + hi;
    return sum + (((base - sum) + hi) + (base_low + lo));
}
GI_FORMULA double gi_arcsin_core_f64(double x)
{
    double              a       = gi_trig_abs_f64(x);
    gi_arcsin_parts_f64 r       = gi_arcsin_split_f64(a);
    double              factor  = gi_pick_f64(r.big, -2.0, 1.0);
    double              eighths = gi_pick_f64(r.big, 2.0, 0.0);
    double              y       = gi_angle_sum_f64(eighths, gi_mul_f64(r.hi, factor), gi_mul_f64(r.lo, factor));
    y                           = gi_trig_turn_f64(y, gi_trig_sign_f64(x));
    return gi_pick_f64(gi_trig_beyond_f64(a, 1.0), gi_trig_nan_f64(), y);
}
GI_FORMULA double gi_arccos_core_f64(double x)
{
    double              a        = gi_trig_abs_f64(x);
    gi_arcsin_parts_f64 r        = gi_arcsin_split_f64(a);
    uint64_t            negative = gi_trig_negative_f64(x);
    /* pi/2 - arcsin(x); big: 2 (hi + lo) for positive x and pi - 2 (hi + lo) for negative x */
    double eighths = gi_pick_f64(r.big, gi_pick_f64(negative, 4.0, 0.0), 2.0);
    double factor  = gi_trig_turn_f64(gi_pick_f64(r.big, 2.0, -1.0), gi_trig_sign_f64(x));
    double y       = gi_angle_sum_f64(eighths, gi_mul_f64(r.hi, factor), gi_mul_f64(r.lo, factor));
    return gi_pick_f64(gi_trig_beyond_f64(a, 1.0), gi_trig_nan_f64(), y);
}
GI_FORMULA uint64_t gi_arcsin_rare_f64(double x)
{
    (void)x;
    return 0;
}
GI_FORMULA uint64_t gi_arccos_rare_f64(double x)
{
    (void)x;
    return 0;
}
GI_FORMULA double gi_arcsin_slow_f64(double x) { return gi_arcsin_core_f64(x); }
GI_FORMULA double gi_arccos_slow_f64(double x) { return gi_arccos_core_f64(x); }

/* ---- arctan, arctan2 double ---- */

/* eighths * pi/4 + arctan(above / (below + below_low)), the arctan turned by the sign bit in s.
   The quotient in [-1/2, 1/2]; polynomial error 2^-57.8 */
GI_FORMULA double gi_arctan_quotient_f64(double above, double below, double below_low, double eighths, uint64_t s)
{
    double inverse = 1.0 / below, t = gi_mul_f64(above, inverse);
    double t_low = gi_fma_f64(-t, below_low, gi_fma_f64(-t, below, above)) * inverse;
    double z     = t * t;
    double z2 = z * z, z4 = z2 * z2;
    double p =
        gi_trig_cubic_f64(-0x1.a39864e5a4c39p-5, 0x1.56f5c027c5b34p-5, -0x1.c17fb6ad560d1p-6, 0x1.4b83dcb5d9702p-7, z, z2);
    p = gi_fma_f64(
        p, z4,
        gi_trig_cubic_f64(-0x1.745cf4cb39789p-4, 0x1.3b113dc14f3cdp-4, -0x1.10f31f1dac3ebp-4, 0x1.dfe977c6dc21ep-5, z, z2));
    p = gi_fma_f64(
        p, z4,
        gi_trig_cubic_f64(-0x1.5555555555516p-2, 0x1.9999999991142p-3, -0x1.249249215de3bp-3, 0x1.c71c7090e8ec7p-4, z, z2));
    double rest = gi_fma_f64(t * z, p, gi_fma_f64(-z, t_low, t_low)); /* 1 - z is near the derivative */
    return gi_angle_sum_f64(eighths, gi_trig_turn_f64(t, s), gi_trig_turn_f64(rest, s));
}
/* a = |x|: arctan(a) up to 1/2, pi/4 + arctan((a - 1) / (a + 1)) up to 2, pi/2 + arctan(-1 / a) beyond. */
GI_FORMULA double gi_arctan_core_f64(double x)
{
    double   a      = gi_trig_abs_f64(x);
    uint64_t middle = gi_trig_beyond_f64(a, 0.5), large = gi_trig_beyond_f64(a, 2.0);
    a          = gi_pick_f64(gi_trig_beyond_f64(a, 0x1p512), 0x1p512, a); /* beyond it the result is pi/2 anyway */
    double sum = 1.0 + a, sum_low = gi_pick_f64(middle & ~large, a - (sum - 1.0), 0.0);
    double above   = gi_pick_f64(middle, gi_pick_f64(large, -1.0, a - 1.0), a);
    double below   = gi_pick_f64(middle, gi_pick_f64(large, a, sum), 1.0);
    double eighths = gi_pick_f64(middle, gi_pick_f64(large, 2.0, 1.0), 0.0);
    double y       = gi_trig_turn_f64(gi_arctan_quotient_f64(above, below, sum_low, eighths, 0), gi_trig_sign_f64(x));
    return gi_pick_f64(gi_trig_is_nan_f64(x), gi_trig_nan_f64(), y);
}
GI_FORMULA uint64_t gi_arctan_rare_f64(double x)
{
    (void)x;
    return 0;
}
GI_FORMULA double gi_arctan_slow_f64(double x) { return gi_arctan_core_f64(x); }

/* As arctan on the smaller by the larger, in the octant told by which is larger, the sign of x and the quotient. */
GI_FORMULA double gi_arctan2_core_f64(double y, double x)
{
    double   ay = gi_trig_abs_f64(y), ax = gi_trig_abs_f64(x);
    uint64_t swap = gi_trig_beyond_f64(ay, ax), left = gi_trig_negative_f64(x), s = (swap ^ left) << 63;
    double   num = gi_pick_f64(swap, ax, ay), den = gi_pick_f64(swap, ay, ax);
    uint64_t upper = gi_trig_beyond_f64(num, 0.5 * den);
    double   sum = den + num, sum_low = gi_pick_f64(upper, num - (sum - den), 0.0);
    double   above = gi_pick_f64(upper, num - den, num), below = gi_pick_f64(upper, sum, den);
    double   eighths = gi_pick_f64(swap, 2.0, gi_pick_f64(left, 4.0, 0.0));
    eighths          = eighths + gi_trig_turn_f64(gi_pick_f64(upper, 1.0, 0.0), s);
    return gi_trig_turn_f64(gi_arctan_quotient_f64(above, below, sum_low, eighths, s), gi_trig_sign_f64(y));
}
/* 1 unless the larger of |y|, |x| is in [2^-512, 2^512] and the smaller also, or zero */
GI_FORMULA uint64_t gi_arctan2_rare_f64(double y, double x)
{
    double   ay = gi_trig_abs_f64(y), ax = gi_trig_abs_f64(x);
    uint64_t swap = gi_trig_beyond_f64(ay, ax);
    double   num = gi_pick_f64(swap, ax, ay), den = gi_pick_f64(swap, ay, ax);
    return gi_trig_beyond_f64(den, 0x1p512) | gi_trig_beyond_f64(0x1p-512, den) |
           (gi_trig_beyond_f64(0x1p-512, num) & gi_trig_beyond_f64(num, 0.0));
}
GI_SLOW double gi_arctan2_slow_f64(double y, double x)
{
    if (gi_trig_is_nan_f64(y) | gi_trig_is_nan_f64(x)) return gi_trig_nan_f64();
    double ay = gi_trig_abs_f64(y), ax = gi_trig_abs_f64(x), infinity = gi_trig_infinity_f64();
    /* a fair pair of the same angle */
    if (ay == ax) {
        ax = 1.0;
        if (ay != 0.0) ay = 1.0;
    } else if (ax == infinity || ay == 0.0) {
        ay = 0.0;
        ax = 1.0;
    } else if (ay == infinity || ax == 0.0) {
        ay = 1.0;
        ax = 0.0;
    } else {
        double up = ay < 0x1p512 && ax < 0x1p512 ? 0x1p60 : 1.0; /* out of the denormals, where that matters */
        ay *= up;
        ax *= up;
        int ey = (int)(gi_bits_f64(ay) >> 52) - 1023, ex = (int)(gi_bits_f64(ax) >> 52) - 1023;
        if (ex - ey > 60 && !gi_trig_negative_f64(x)) return gi_trig_turn_f64(ay / ax, gi_trig_sign_f64(y));
        /* the larger into [1, 2), in two steps because 2^-e may be out of range */
        int    e         = ey > ex ? ey : ex;
        double half_down = gi_from_bits_f64((uint64_t)(1023 - e / 2) << 52);
        double rest_down = gi_from_bits_f64((uint64_t)(1023 - (e - e / 2)) << 52);
        ay               = ay * half_down * rest_down;
        ax               = ax * half_down * rest_down;
        /* so far below the other that the result is pi/2 or pi */
        if (ay < 0x1p-512) ay = 0.0;
        if (ax < 0x1p-512) ax = 0.0;
    }
    return gi_arctan2_core_f64(gi_trig_turn_f64(ay, gi_trig_sign_f64(y)), gi_trig_turn_f64(ax, gi_trig_sign_f64(x)));
}

/* ---- hypot double ---- */

GI_FORMULA double gi_hypot_core_f64(double x, double y)
{
    double   ax = gi_trig_abs_f64(x), ay = gi_trig_abs_f64(y);
    uint64_t swap = gi_trig_beyond_f64(ay, ax);
    double   a = gi_pick_f64(swap, ay, ax), b = gi_pick_f64(swap, ax, ay); /* a >= b */
    double   aa = gi_mul_f64(a, a), sum = gi_fma_f64(b, b, aa);
    double   h = gi_trig_sqrt_f64(sum), hh = gi_mul_f64(h, h);
    /* h^2 - a^2 - b^2, nearly exact */
    double excess = gi_fma_f64(-b, b, hh - aa) + (gi_fma_f64(h, h, -hh) - gi_fma_f64(a, a, -aa));
    return gi_fma_f64(-0.5 * excess, gi_trig_rough_rsqrt_f64(sum), h);
}
/* 1 unless the larger of |x|, |y| is zero or in [2^-480, 2^480] */
GI_FORMULA uint64_t gi_hypot_rare_f64(double x, double y)
{
    double ax = gi_trig_abs_f64(x), ay = gi_trig_abs_f64(y);
    double a = gi_pick_f64(gi_trig_beyond_f64(ay, ax), ay, ax);
    return gi_trig_beyond_f64(a, 0x1p480) | (gi_trig_beyond_f64(0x1p-480, a) & gi_trig_beyond_f64(a, 0.0));
}
GI_SLOW double gi_hypot_slow_f64(double x, double y)
{
    double ax = gi_trig_abs_f64(x), ay = gi_trig_abs_f64(y), infinity = gi_trig_infinity_f64();
    if (ax == infinity || ay == infinity) return infinity;
    if (gi_trig_is_nan_f64(x) | gi_trig_is_nan_f64(y)) return gi_trig_nan_f64();
    if (ax > 0x1p480 || ay > 0x1p480) return gi_hypot_core_f64(x * 0x1p-700, y * 0x1p-700) * 0x1p700;
    return gi_hypot_core_f64(x * 0x1p700, y * 0x1p700) * 0x1p-700;
}

/* ---- nextafter double ---- */

GI_FORMULA double gi_nextafter_core_f64(double x, double y)
{
    uint64_t x_negative = gi_trig_negative_f64(x), y_negative = gi_trig_negative_f64(y);
    uint64_t x_mask = (uint64_t)0 - x_negative, y_mask = (uint64_t)0 - y_negative;
    /* as ordered integers, two's complement, both zeros 0 */
    uint64_t ox = ((gi_bits_f64(x) & 0x7fffffffffffffffull) ^ x_mask) - x_mask;
    uint64_t oy = ((gi_bits_f64(y) & 0x7fffffffffffffffull) ^ y_mask) - y_mask;
    uint64_t up = (uint64_t)((int64_t)oy > (int64_t)ox), down = (uint64_t)((int64_t)ox > (int64_t)oy);
    uint64_t o = ox + up - down, negative = o >> 63, mask = (uint64_t)0 - negative;
    uint64_t size = (o ^ mask) - mask;
    negative |= x_negative & (((uint64_t)0 - size) >> 63 ^ 1u); /* a negative x that steps up to zero gives -0 */
    double next = gi_pick_f64(up | down, gi_from_bits_f64(size | negative << 63), y);
    return gi_pick_f64(gi_trig_is_nan_f64(x) | gi_trig_is_nan_f64(y), gi_trig_nan_f64(), next);
}
GI_FORMULA uint64_t gi_nextafter_rare_f64(double x, double y)
{
    (void)x;
    (void)y;
    return 0;
}
GI_FORMULA double gi_nextafter_slow_f64(double x, double y) { return gi_nextafter_core_f64(x, y); }
/* ---- exp ---------------------------------------------------------------------------------------------------------------- */
/* exp exp2 expm1 sinh cosh tanh power logaddexp, for f32 and f64.  Include base.h first.

   exp                x = n ln2 + r with |r| <= ln2 / 2, the multiple of ln2 taken off by fma in two words, the first of
                      which is exact; then exp(x) = 2^n (1 + (first + (second + r^2 p(r)))).
   expm1              x = n ln2 + r + lo; exp(x) = 2^n (1 + r + s), s = lo + r lo + r^2 p(r), and 1 + r is kept in two
                      words, so that the sum is rounded (almost) once.
   tanh               a polynomial up to 0.7, then 1 - 2 / (exp(2|x|) + 1).
   exp2               n = round(x), r = x - n exactly, ln2 r in two words.
   sinh, cosh         from sinh and cosh of r and of n ln2, no division: sinh(a + b) = sinh a cosh b + cosh a sinh b.
   power              f64: log|x| in two words by 2 atanh(f / (2 + f)), error 2^-65 relative; the product with y in
                      two words; exp of the two words.  f32: exp2(y log2|x|) in f64.
   logaddexp          max + log1p(exp(-|x - y|)).

   No tables; no branches in cores.  Where 2^n is out of range (overflow, denormal results) the scale goes on in two
   steps, mostly in the slow functions. */

#define GI_NAN_F32        gi_from_bits_f32(0x7fc00000u)
#define GI_NAN_F64        gi_from_bits_f64(0x7ff8000000000000u)

/* ---------------------------------------------------------------------------------------------------- exp's parts */

/* exp of the argument is 2^n (1 + r + s).  n_bits ends in the bits of n (two's complement), and its lowest 12 bits
   (f32: 9 bits), halved too, hold nothing else. */
typedef struct {
    float    r, s;
    uint32_t n_bits;
} gi_exp_parts_f32;
typedef struct {
    double   r, s;
    uint64_t n_bits;
} gi_exp_parts_f64;

/* 1.5 2^23 (2^52) added: the sum's last bits are the nearest integer. */
#define GI_ROUND_F32      0x1.8p23f
#define GI_ROUND_F64      0x1.8p52

/* x + x_lo = n ln2 + first + second; |x| < 2^9 (f64: 2^12). first = x - n ln2_1 is exact. */
GI_FORMULA void gi_exp_reduce_f32(float x, float x_lo, uint32_t *n_bits, float *first, float *second)
{
    float shifted = gi_fma_f32(x, 0x1.715476p0f, GI_ROUND_F32);
    float minus_n = GI_ROUND_F32 - shifted;
    *first        = gi_fma_f32(minus_n, 0x1.62e43p-1f, x);
    *second       = gi_fma_f32(minus_n, -0x1.05c61p-29f, x_lo);
    *n_bits       = gi_bits_f32(shifted);
}
GI_FORMULA void gi_exp_reduce_f64(double x, double x_lo, uint64_t *n_bits, double *first, double *second)
{
    double shifted = gi_fma_f64(x, 0x1.71547652b82fep0, GI_ROUND_F64);
    double minus_n = GI_ROUND_F64 - shifted;
    *first         = gi_fma_f64(minus_n, 0x1.62e42fefa39efp-1, x);
    *second        = gi_fma_f64(minus_n, 0x1.abc9e3b39803fp-56, x_lo);
    *n_bits        = gi_bits_f64(shifted);
}

/* Polynomial error relative to exp(r) - 1: 2^-30.9 (f32), 2^-61.5 (f64). */
GI_FORMULA gi_exp_parts_f32 gi_exp_split_f32(float x, float x_lo)
{
    gi_exp_parts_f32 e;
    float            first, second;
    gi_exp_reduce_f32(x, x_lo, &e.n_bits, &first, &second);
    float r = first + second, lo = (first - r) + second;
    float p = gi_fma_f32(0x1.9e0de4p-13f, r, 0x1.6d43c2p-10f);
    p       = gi_fma_f32(p, r, 0x1.111306p-7f);
    p       = gi_fma_f32(p, r, 0x1.5554fp-5f);
    p       = gi_fma_f32(p, r, 0x1.555554p-3f);
    p       = gi_fma_f32(p, r, 0.5f);
    e.r     = r;
    e.s     = gi_fma_f32(r, gi_fma_f32(r, p, lo), lo);
    return e;
}
GI_FORMULA gi_exp_parts_f64 gi_exp_split_f64(double x, double x_lo)
{
    gi_exp_parts_f64 e;
    double           first, second;
    gi_exp_reduce_f64(x, x_lo, &e.n_bits, &first, &second);
    double r = first + second, lo = (first - r) + second;
    double r2 = r * r, r4 = r2 * r2;
    double p0 = gi_fma_f64(0x1.5555555555559p-3, r, 0.5);
    double p1 = gi_fma_f64(0x1.111111110f65ap-7, r, 0x1.555555555554dp-5);
    double p2 = gi_fma_f64(0x1.a01a01afffe71p-13, r, 0x1.6c16c16c1aaf7p-10);
    double p3 = gi_fma_f64(0x1.71ddf81bab092p-19, r, 0x1.a01a018e10e94p-16);
    double p4 = gi_fma_f64(0x1.af5f12249e71p-26, r, 0x1.27e5133a9ba33p-22);
    p4        = gi_fma_f64(0x1.1f1a292963ac9p-29, r2, p4);
    double p  = gi_fma_f64(gi_fma_f64(p4, r2, p3), r4, gi_fma_f64(p2, r2, p1));
    p         = gi_fma_f64(p, r2, p0);
    e.r       = r;
    e.s       = gi_fma_f64(r2, p, gi_fma_f64(r, lo, lo));
    return e;
}

/* y 2^n for y about 1 and |n| < 2^8 (f64: 2^11), rounded once: the exponent's bits take n/2, a product the rest. */
GI_FORMULA float gi_scale_f32(float y, uint32_t n_bits)
{
    uint32_t half = n_bits >> 1;
    float    most = gi_from_bits_f32(gi_bits_f32(y) + (half << 23));
    return most * gi_from_bits_f32(((n_bits - half) << 23) + 0x3f800000u);
}
GI_FORMULA double gi_scale_f64(double y, uint64_t n_bits)
{
    uint64_t half = n_bits >> 1;
    double   most = gi_from_bits_f64(gi_bits_f64(y) + (half << 52));
    return most * gi_from_bits_f64(((n_bits - half) << 52) + 0x3ff0000000000000u);
}
/* 2^n for -126 <= n <= 127 (f64: -1022 <= n <= 1023) */
GI_FORMULA float  gi_power_of_two_f32(uint32_t n_bits) { return gi_from_bits_f32((n_bits << 23) + 0x3f800000u); }
GI_FORMULA double gi_power_of_two_f64(uint64_t n_bits) { return gi_from_bits_f64((n_bits << 52) + 0x3ff0000000000000u); }

/* x within [low, high]; NaN stays NaN */
GI_FORMULA float gi_clamp_f32(float x, float low, float high)
{
    x = gi_pick_f32((uint32_t)(x > high), high, x);
    return gi_pick_f32((uint32_t)(x < low), low, x);
}
GI_FORMULA double gi_clamp_f64(double x, double low, double high)
{
    x = gi_pick_f64((uint64_t)(x > high), high, x);
    return gi_pick_f64((uint64_t)(x < low), low, x);
}

/* ------------------------------------------------------------------------------------------------------------ exp */

/* (1 + r) + s, |r| <= 1/2, rounded (almost) once */
GI_FORMULA float gi_one_plus_f32(float r, float s)
{
    float hi = 1.0f + r;
    return hi + ((r - (hi - 1.0f)) + s);
}
GI_FORMULA double gi_one_plus_f64(double r, double s)
{
    double hi = 1.0 + r;
    return hi + ((r - (hi - 1.0)) + s);
}

/* exp(x + x_lo) where that is normal, nonsense elsewhere: 1 + (first + s) with the exact first word of r, so that two roundings count, of
   first + s (a quarter of a unit at most) and of the whole. Polynomial error relative to exp(r) - 1: 2^-26.0 (f32), 2^-55.5 (f64).
   The lowest bits of n_bits go straight to the exponent. */
GI_FORMULA float gi_exp_normal_f32(float x, float x_lo)
{
    uint32_t n_bits;
    float    first, second;
    gi_exp_reduce_f32(x, x_lo, &n_bits, &first, &second);
    float r = first + second;
    float p = gi_fma_f32(0x1.6b79b2p-10f, r, 0x1.12292ep-7f);
    p       = gi_fma_f32(p, r, 0x1.555712p-5f);
    p       = gi_fma_f32(p, r, 0x1.5554aep-3f);
    p       = gi_fma_f32(p, r, 0x1.fffffep-2f);
    float y = 1.0f + (first + gi_fma_f32(r * r, p, second));
    return gi_from_bits_f32(gi_bits_f32(y) + (n_bits << 23));
}
GI_FORMULA double gi_exp_normal_f64(double x, double x_lo)
{
    uint64_t n_bits;
    double   first, second;
    gi_exp_reduce_f64(x, x_lo, &n_bits, &first, &second);
    double r = first + second, r2 = r * r, r4 = r2 * r2;
    double p0 = gi_fma_f64(0x1.555555555553bp-3, r, 0x1.0000000000005p-1);
    double p1 = gi_fma_f64(0x1.1111111118833p-7, r, 0x1.555555555211p-5);
    double p2 = gi_fma_f64(0x1.a01a0177efd45p-13, r, 0x1.6c16c17f2d91dp-10);
    double p3 = gi_fma_f64(0x1.71de81141e3b5p-19, r, 0x1.a019a6a6f3fcfp-16);
    double p4 = gi_fma_f64(0x1.ae775dc44a21dp-26, r, 0x1.28a2891ce12e4p-22);
    double p  = gi_fma_f64(gi_fma_f64(p4, r2, p3), r4, gi_fma_f64(p2, r2, p1));
    p         = gi_fma_f64(p, r2, p0);
    double y  = 1.0 + (first + gi_fma_f64(r2, p, second));
    return gi_from_bits_f64(gi_bits_f64(y) + (n_bits << 52));
}
/* exp(x + x_lo) for any x but NaN, |x_lo| < 2^-10: beyond the clamp the results are inf and 0 all the same. */
GI_FORMULA float gi_exp_any_f32(float x, float x_lo)
{
    gi_exp_parts_f32 e = gi_exp_split_f32(gi_clamp_f32(x, -110.0f, 90.0f), x_lo);
    return gi_scale_f32(gi_one_plus_f32(e.r, e.s), e.n_bits);
}
GI_FORMULA double gi_exp_any_f64(double x, double x_lo)
{
    gi_exp_parts_f64 e = gi_exp_split_f64(gi_clamp_f64(x, -760.0, 720.0), x_lo);
    return gi_scale_f64(gi_one_plus_f64(e.r, e.s), e.n_bits);
}

/* Rare: x near overflow, NaN, or with a denormal result.  Very low x, -inf too, is not rare: 0. */
GI_FORMULA float    gi_exp_core_f32(float x) { return gi_pick_f32((uint32_t)(x < -104.0f), 0.0f, gi_exp_normal_f32(x, 0.0f)); }
GI_FORMULA uint32_t gi_exp_rare_f32(float x)
{
    return (uint32_t) !(gi_from_bits_f32(gi_bits_f32(x - 0.5f) & 0x7fffffffu) <= 87.5f) & (uint32_t) !(x < -104.0f);
}
GI_FORMULA float gi_exp_slow_f32(float x) { return x != x ? GI_NAN_F32 : gi_exp_any_f32(x, 0.0f); }

GI_FORMULA double   gi_exp_core_f64(double x) { return gi_pick_f64((uint64_t)(x < -746.0), 0.0, gi_exp_normal_f64(x, 0.0)); }
GI_FORMULA uint64_t gi_exp_rare_f64(double x)
{
    return (uint64_t) !(gi_from_bits_f64(gi_bits_f64(x - 0.5) & 0x7fffffffffffffffu) <= 708.5) & (uint64_t) !(x < -746.0);
}
GI_FORMULA double gi_exp_slow_f64(double x) { return x != x ? GI_NAN_F64 : gi_exp_any_f64(x, 0.0); }

/* ----------------------------------------------------------------------------------------------------------- exp2 */

/* 2^x = 2^n y, n = round(x) at the end of n_bits; |x| < 2^11.  Polynomial error 2^-28.3 (f32), 2^-57.9 (f64). */
GI_FORMULA float gi_exp2_split_f32(float x, uint32_t *n_bits)
{
    float shifted = x + GI_ROUND_F32;
    float r       = x - (shifted - GI_ROUND_F32);
    *n_bits       = gi_bits_f32(shifted);
    float p       = gi_fma_f32(0x1.416f8cp-13f, r, 0x1.5f041ap-10f);
    p             = gi_fma_f32(p, r, 0x1.3b2ddcp-7f);
    p             = gi_fma_f32(p, r, 0x1.c6af88p-5f);
    p             = gi_fma_f32(p, r, 0x1.ebfbdcp-3f);
    float hi = gi_fma_f32(r, 0x1.62e43p-1f, 1.0f), lo = gi_fma_f32(r, 0x1.62e43p-1f, 1.0f - hi);
    return hi + gi_fma_f32(r, gi_fma_f32(r, p, -0x1.05c61p-29f), lo);
}
GI_FORMULA double gi_exp2_split_f64(double x, uint64_t *n_bits)
{
    double shifted = x + GI_ROUND_F64;
    double r       = x - (shifted - GI_ROUND_F64);
    *n_bits        = gi_bits_f64(shifted);
    double r2 = r * r, r4 = r2 * r2;
    double p0 = gi_fma_f64(0x1.c6b08d704a045p-5, r, 0x1.ebfbdff82c5a1p-3);
    double p1 = gi_fma_f64(0x1.5d87fe78c39c2p-10, r, 0x1.3b2ab6fba07a3p-7);
    double p2 = gi_fma_f64(0x1.ffcbfbc701b45p-17, r, 0x1.4309130dc287cp-13);
    double p3 = gi_fma_f64(0x1.b5265478277d7p-24, r, 0x1.62bfc9fbd9359p-20);
    double p4 = gi_fma_f64(0x1.e7c47487fef3p-32, r, 0x1.e617aac61cefcp-28);
    double p  = gi_fma_f64(gi_fma_f64(p4, r2, p3), r4, gi_fma_f64(p2, r2, p1));
    p         = gi_fma_f64(p, r2, p0);
    double hi = gi_fma_f64(r, 0x1.62e42fefa39efp-1, 1.0), lo = gi_fma_f64(r, 0x1.62e42fefa39efp-1, 1.0 - hi);
    return hi + gi_fma_f64(r, gi_fma_f64(r, p, 0x1.abc9e3b39803fp-56), lo);
}

/* Exact for integers.  Rare as with exp. */
GI_FORMULA float gi_exp2_core_f32(float x)
{
    uint32_t n_bits;
    float    y = gi_exp2_split_f32(x, &n_bits);
    y          = gi_from_bits_f32(gi_bits_f32(y) + (n_bits << 23));
    return gi_pick_f32((uint32_t)(x < -150.0f), 0.0f, y);
}
GI_FORMULA uint32_t gi_exp2_rare_f32(float x)
{
    return (uint32_t) !(x <= 127.0f) | ((uint32_t)(x < -126.0f) & (uint32_t)(x >= -150.0f));
}
GI_FORMULA float gi_exp2_slow_f32(float x)
{
    uint32_t n_bits;
    float    y = gi_exp2_split_f32(gi_clamp_f32(x, -160.0f, 130.0f), &n_bits);
    return x != x ? GI_NAN_F32 : gi_scale_f32(y, n_bits);
}

GI_FORMULA double gi_exp2_core_f64(double x)
{
    uint64_t n_bits;
    double   y = gi_exp2_split_f64(x, &n_bits);
    y          = gi_from_bits_f64(gi_bits_f64(y) + (n_bits << 52));
    return gi_pick_f64((uint64_t)(x < -1075.0), 0.0, y);
}
GI_FORMULA uint64_t gi_exp2_rare_f64(double x)
{
    return (uint64_t) !(x <= 1023.0) | ((uint64_t)(x < -1022.0) & (uint64_t)(x >= -1075.0));
}
GI_FORMULA double gi_exp2_slow_f64(double x)
{
    uint64_t n_bits;
    double   y = gi_exp2_split_f64(gi_clamp_f64(x, -1090.0, 1030.0), &n_bits);
    return x != x ? GI_NAN_F64 : gi_scale_f64(y, n_bits);
}

/* ---------------------------------------------------------------------------------------------------------- expm1 */

/* expm1: 2^n (1 + r) - 1 is summed with its error, 2^n times the rest is added.  Rare: x near overflow, NaN. */
GI_FORMULA float gi_expm1_core_f32(float x)
{
    gi_exp_parts_f32 e  = gi_exp_split_f32(gi_pick_f32((uint32_t)(x < -20.0f), -20.0f, x), 0.0f);
    float            hi = 1.0f + e.r, lo = (e.r - (hi - 1.0f)) + e.s;
    float            scale = gi_power_of_two_f32(e.n_bits);
    float            power = gi_mul_f32(hi, scale);
    float            sum = power - 1.0f, part = sum - power;
    float            error = (power - (sum - part)) + (-1.0f - part);
    float            y     = sum + gi_fma_f32(lo, scale, error);
    return gi_from_bits_f32(gi_bits_f32(y) | (gi_bits_f32(x) & 0x80000000u)); /* -0 */
}
GI_FORMULA uint32_t gi_expm1_rare_f32(float x) { return (uint32_t) !(x <= 88.0f); }
GI_FORMULA float    gi_expm1_slow_f32(float x) { return gi_exp_slow_f32(x); }

GI_FORMULA double gi_expm1_core_f64(double x)
{
    gi_exp_parts_f64 e  = gi_exp_split_f64(gi_pick_f64((uint64_t)(x < -40.0), -40.0, x), 0.0);
    double           hi = 1.0 + e.r, lo = (e.r - (hi - 1.0)) + e.s;
    double           scale = gi_power_of_two_f64(e.n_bits);
    double           power = gi_mul_f64(hi, scale);
    double           sum = power - 1.0, part = sum - power;
    double           error = (power - (sum - part)) + (-1.0 - part);
    double           y     = sum + gi_fma_f64(lo, scale, error);
    return gi_from_bits_f64(gi_bits_f64(y) | (gi_bits_f64(x) & 0x8000000000000000u));
}
GI_FORMULA uint64_t gi_expm1_rare_f64(double x) { return (uint64_t) !(x <= 709.0); }
GI_FORMULA double   gi_expm1_slow_f64(double x) { return gi_exp_slow_f64(x); }

/* ----------------------------------------------------------------------------------------------------- sinh, cosh */

/* |x| = n ln2 + r + lo: sinh_n + sinh_n_lo and cosh_n + cosh_n_lo are those of n ln2,
   r + sinh_rest and 1 + cosh_rest those of r + lo */
typedef struct {
    float sinh_n, cosh_n, sinh_n_lo, cosh_n_lo, r, sinh_rest, cosh_rest;
} gi_hyperbolic_f32;
typedef struct {
    double sinh_n, cosh_n, sinh_n_lo, cosh_n_lo, r, sinh_rest, cosh_rest;
} gi_hyperbolic_f64;

/* Polynomial errors: sinh 2^-34.1, cosh 2^-33.2 (f32); sinh 2^-61.7, cosh 2^-58.0 (f64). */
GI_FORMULA gi_hyperbolic_f32 gi_hyperbolic_split_f32(float x)
{
    gi_hyperbolic_f32 h;
    uint32_t          n_bits;
    float             first, second;
    gi_exp_reduce_f32(gi_from_bits_f32(gi_bits_f32(x) & 0x7fffffffu), 0.0f, &n_bits, &first, &second);
    float r = first + second, lo = (first - r) + second;
    float z     = r * r;
    float s     = gi_fma_f32(gi_fma_f32(0x1.a28ee6p-13f, z, 0x1.110fe2p-7f), z, 0x1.555556p-3f);
    float c     = gi_fma_f32(gi_fma_f32(0x1.6d5196p-10f, z, 0x1.5554e4p-5f), z, 0.5f);
    float up    = gi_from_bits_f32((n_bits << 23) + 0x3f000000u); /* 2^n / 2 */
    float down  = gi_from_bits_f32(0x3f000000u - (n_bits << 23)); /* 2^-n / 2 */
    h.sinh_n    = up - down;
    h.cosh_n    = up + down;
    h.sinh_n_lo = (up - h.sinh_n) - down;
    h.cosh_n_lo = (up - h.cosh_n) + down;
    h.r         = r;
    h.sinh_rest = gi_fma_f32(r * z, s, lo);
    h.cosh_rest = gi_fma_f32(z, c, r * lo);
    return h;
}
GI_FORMULA gi_hyperbolic_f64 gi_hyperbolic_split_f64(double x)
{
    gi_hyperbolic_f64 h;
    uint64_t          n_bits;
    double            first, second;
    gi_exp_reduce_f64(gi_from_bits_f64(gi_bits_f64(x) & 0x7fffffffffffffffu), 0.0, &n_bits, &first, &second);
    double r = first + second, lo = (first - r) + second;
    double z = r * r, z2 = z * z;
    double s0   = gi_fma_f64(0x1.a01a01b001274p-13, z, 0x1.111111110f658p-7);
    double s1   = gi_fma_f64(0x1.af5f19ac80a35p-26, z, 0x1.71ddf817ce05ap-19);
    double s    = gi_fma_f64(s1, z2, s0);
    s           = gi_fma_f64(s, z, 0x1.5555555555559p-3);
    double c0   = gi_fma_f64(0x1.6c16c1853bec4p-10, z, 0x1.555555555026bp-5);
    double c1   = gi_fma_f64(0x1.28af6fe60b35bp-22, z, 0x1.a0199796b030dp-16);
    double c    = gi_fma_f64(c1, z2, c0);
    c           = gi_fma_f64(c, z, 0x1.000000000000bp-1);
    double up   = gi_from_bits_f64((n_bits << 52) + 0x3fe0000000000000u);
    double down = gi_from_bits_f64(0x3fe0000000000000u - (n_bits << 52));
    h.sinh_n    = up - down;
    h.cosh_n    = up + down;
    h.sinh_n_lo = (up - h.sinh_n) - down;
    h.cosh_n_lo = (up - h.cosh_n) + down;
    h.r         = r;
    h.sinh_rest = gi_fma_f64(r * z, s, lo);
    h.cosh_rest = gi_fma_f64(z, c, r * lo);
    return h;
}

/* Rare: near overflow, inf, NaN.  There sinh|x| = cosh x = exp|x| / 2, taken as exp(|x| - ln2) in two words. */
GI_FORMULA float gi_sinh_core_f32(float x)
{
    gi_hyperbolic_f32 h  = gi_hyperbolic_split_f32(x);
    float             hi = gi_fma_f32(h.cosh_n, h.r, h.sinh_n), lo = gi_fma_f32(h.cosh_n, h.r, h.sinh_n - hi);
    lo      = gi_fma_f32(h.cosh_n, h.sinh_rest, lo + h.sinh_n_lo);
    float y = hi + gi_fma_f32(h.sinh_n, h.cosh_rest, lo);
    return gi_from_bits_f32(gi_bits_f32(y) | (gi_bits_f32(x) & 0x80000000u));
}
GI_FORMULA float gi_cosh_core_f32(float x)
{
    gi_hyperbolic_f32 h  = gi_hyperbolic_split_f32(x);
    float             hi = gi_fma_f32(h.sinh_n, h.r, h.cosh_n), lo = gi_fma_f32(h.sinh_n, h.r, h.cosh_n - hi);
    lo = gi_fma_f32(h.sinh_n, h.sinh_rest, lo + h.cosh_n_lo);
    return hi + gi_fma_f32(h.cosh_n, h.cosh_rest, lo);
}
GI_FORMULA uint32_t gi_cosh_rare_f32(float x) { return (uint32_t)((gi_bits_f32(x) & 0x7fffffffu) > 0x42ae0000u); }
GI_FORMULA uint32_t gi_sinh_rare_f32(float x) { return gi_cosh_rare_f32(x); } /* |x| > 87 */
GI_FORMULA float    gi_cosh_slow_f32(float x)
{
    uint32_t a = gi_bits_f32(x) & 0x7fffffffu;
    if (a > 0x7f800000u) return GI_NAN_F32;
    return (float)(0.5 * gi_exp_any_f64((double)gi_from_bits_f32(a), 0.0));
}
GI_FORMULA float gi_sinh_slow_f32(float x)
{
    float y = gi_cosh_slow_f32(x);
    return y != y ? y : gi_from_bits_f32(gi_bits_f32(y) | (gi_bits_f32(x) & 0x80000000u));
}

GI_FORMULA double gi_sinh_core_f64(double x)
{
    gi_hyperbolic_f64 h  = gi_hyperbolic_split_f64(x);
    double            hi = gi_fma_f64(h.cosh_n, h.r, h.sinh_n), lo = gi_fma_f64(h.cosh_n, h.r, h.sinh_n - hi);
    lo       = gi_fma_f64(h.cosh_n, h.sinh_rest, lo + h.sinh_n_lo);
    double y = hi + gi_fma_f64(h.sinh_n, h.cosh_rest, lo);
    return gi_from_bits_f64(gi_bits_f64(y) | (gi_bits_f64(x) & 0x8000000000000000u));
}
GI_FORMULA double gi_cosh_core_f64(double x)
{
    gi_hyperbolic_f64 h  = gi_hyperbolic_split_f64(x);
    double            hi = gi_fma_f64(h.sinh_n, h.r, h.cosh_n), lo = gi_fma_f64(h.sinh_n, h.r, h.cosh_n - hi);
    lo = gi_fma_f64(h.sinh_n, h.sinh_rest, lo + h.cosh_n_lo);
    return hi + gi_fma_f64(h.cosh_n, h.cosh_rest, lo);
}
GI_FORMULA uint64_t gi_cosh_rare_f64(double x)
{
    return (uint64_t)((gi_bits_f64(x) & 0x7fffffffffffffffu) > 0x4085e00000000000u);
}
GI_FORMULA uint64_t gi_sinh_rare_f64(double x) { return gi_cosh_rare_f64(x); } /* |x| > 700 */
GI_FORMULA double   gi_cosh_slow_f64(double x)
{
    uint64_t a = gi_bits_f64(x) & 0x7fffffffffffffffu;
    if (a > 0x7ff0000000000000u) return GI_NAN_F64;
    /* |x| - 42 bits of ln2 is exact below 2^10 */
    return gi_exp_any_f64(gi_from_bits_f64(a) - 0x1.62e42fefa38p-1, -0x1.ef35793c7673p-45);
}
GI_FORMULA double gi_sinh_slow_f64(double x)
{
    double y = gi_cosh_slow_f64(x);
    return y != y ? y : gi_from_bits_f64(gi_bits_f64(y) | (gi_bits_f64(x) & 0x8000000000000000u));
}

/* ----------------------------------------------------------------------------------------------------------- tanh */

/* tanh: valid everywhere.  |x| <= 0.7: x + x^3 p(x^2); beyond 1 - 2 / (exp(2|x|) + 1), with 2|x| = n ln2 + 2r and the factor as a
   polynomial of r.  Polynomial error 2^-28.0 (f32), 2^-57.3 (f64). */
GI_FORMULA float gi_tanh_core_f32(float x)
{
    uint32_t a       = gi_bits_f32(x) & 0x7fffffffu;
    float    m       = gi_from_bits_f32(a < 0x41200000u ? a : 0x41200000u); /* from 9.02 on tanh is 1: 10 is enough */
    float    shifted = gi_fma_f32(m, 0x1.715476p1f, GI_ROUND_F32);
    float    r       = gi_fma_f32(GI_ROUND_F32 - shifted, 0x1.62e43p-2f, m);
    float    e       = gi_fma_f32(0x1.686aa2p-4f, r, 0x1.123d02p-2f);
    e                = gi_fma_f32(e, r, 0x1.555b82p-1f);
    e                = gi_fma_f32(e, r, 0x1.55548cp0f);
    e                = gi_fma_f32(e, r, 0x1.fffff8p0f);
    e                = gi_fma_f32(e, r, 2.0f);
    e                = gi_fma_f32(e, r, 1.0f);
    float large      = gi_fma_f32(-2.0f, 1.0f / gi_fma_f32(e, gi_power_of_two_f32(gi_bits_f32(shifted)), 1.0f), 1.0f);
    float z          = gi_mul_f32(x, x);
    float p          = gi_fma_f32(0x1.f2551cp-10f, z, -0x1.02972ap-7f);
    p                = gi_fma_f32(p, z, 0x1.617fecp-6f);
    p                = gi_fma_f32(p, z, -0x1.b9bb3cp-5f);
    p                = gi_fma_f32(p, z, 0x1.110f52p-3f);
    p                = gi_fma_f32(p, z, -0x1.55555p-2f);
    float small      = gi_fma_f32(gi_mul_f32(x, z), p, x);
    float y          = gi_from_bits_f32(gi_bits_f32(large) | (gi_bits_f32(x) & 0x80000000u));
    y                = gi_pick_f32((uint32_t)(a > 0x3f333333u), y, small);
    return gi_pick_f32((uint32_t)(x != x), GI_NAN_F32, y);
}
GI_FORMULA uint32_t gi_tanh_rare_f32(float x)
{
    (void)x;
    return 0;
}
GI_FORMULA float gi_tanh_slow_f32(float x) { return gi_tanh_core_f32(x); }

GI_FORMULA double gi_tanh_core_f64(double x)
{
    uint64_t a       = gi_bits_f64(x) & 0x7fffffffffffffffu;
    double   m       = gi_from_bits_f64(a < 0x4034000000000000u ? a : 0x4034000000000000u); /* from 19.07 on tanh is 1 */
    double   shifted = gi_fma_f64(m, 0x1.71547652b82fep1, GI_ROUND_F64);
    double   r       = gi_fma_f64(GI_ROUND_F64 - shifted, 0x1.62e42fefa39efp-2, m);
    double   e       = gi_fma_f64(0x1.ae14986273112p-15, r, 0x1.28b0b201c999p-12);
    e                = gi_fma_f64(e, r, 0x1.71dec61c567b4p-10);
    e                = gi_fma_f64(e, r, 0x1.a0199603d82e8p-8);
    e                = gi_fma_f64(e, r, 0x1.a01a015587441p-6);
    e                = gi_fma_f64(e, r, 0x1.6c16c185ee646p-4);
    e                = gi_fma_f64(e, r, 0x1.111111111fa15p-2);
    e                = gi_fma_f64(e, r, 0x1.555555554fe59p-1);
    e                = gi_fma_f64(e, r, 0x1.555555555551bp0);
    e                = gi_fma_f64(e, r, 0x1.000000000000cp1);
    e                = gi_fma_f64(e, r, 2.0);
    e                = gi_fma_f64(e, r, 1.0);
    double large     = gi_fma_f64(-2.0, 1.0 / gi_fma_f64(e, gi_power_of_two_f64(gi_bits_f64(shifted)), 1.0), 1.0);
    double z         = gi_mul_f64(x, x);
    double p         = gi_fma_f64(0x1.4228abd667d42p-18, z, -0x1.c620dbc0d0b26p-16);
    p                = gi_fma_f64(p, z, 0x1.71a02b7f61c63p-14);
    p                = gi_fma_f64(p, z, -0x1.ec7e20f587604p-13);
    p                = gi_fma_f64(p, z, 0x1.3495bf231a324p-11);
    p                = gi_fma_f64(p, z, -0x1.7d8c955721fe1p-10);
    p                = gi_fma_f64(p, z, 0x1.d6d1f9360e42p-9);
    p                = gi_fma_f64(p, z, -0x1.226e2896d212ap-7);
    p                = gi_fma_f64(p, z, 0x1.664f481167c93p-6);
    p                = gi_fma_f64(p, z, -0x1.ba1ba1b7cca1cp-5);
    p                = gi_fma_f64(p, z, 0x1.111111110e0a8p-3);
    p                = gi_fma_f64(p, z, -0x1.5555555555529p-2);
    double small     = gi_fma_f64(gi_mul_f64(x, z), p, x);
    double y         = gi_from_bits_f64(gi_bits_f64(large) | (gi_bits_f64(x) & 0x8000000000000000u));
    y                = gi_pick_f64((uint64_t)(a > 0x3fe6666666666666u), y, small);
    return gi_pick_f64((uint64_t)(x != x), GI_NAN_F64, y);
}
GI_FORMULA uint64_t gi_tanh_rare_f64(double x)
{
    (void)x;
    return 0;
}
GI_FORMULA double gi_tanh_slow_f64(double x) { return gi_tanh_core_f64(x); }

/* ---------------------------------------------------------------------------------------------------------- power */

/* log2(x), x > 0, any float as a double.  Error 2^-38.5 relative to log2 of the mantissa part. */
GI_FORMULA double gi_power_log2_f32(double x)
{
    uint64_t t  = gi_bits_f64(x) - 0x3fe6a09e667f3bcdu + 0x3ff0000000000000u; /* mantissa from sqrt(1/2) on */
    double   n  = gi_from_bits_f64((t >> 52) | 0x4330000000000000u) - (0x1p52 + 1023.0);
    double   f  = gi_from_bits_f64((t & 0x000fffffffffffffu) + 0x3fe6a09e667f3bcdu) - 1.0;
    double   f2 = f * f, f4 = f2 * f2;
    double   p0   = gi_fma_f64(-0x1.71547651b6f4cp-1, f, 0x1.71547652b58f1p0);
    double   p1   = gi_fma_f64(-0x1.715478885e34cp-2, f, 0x1.ec709de34054bp-2);
    double   p2   = gi_fma_f64(-0x1.ec6f2dee28718p-3, f, 0x1.2776b6cb61bdfp-2);
    double   p3   = gi_fma_f64(-0x1.7188d552e68c8p-3, f, 0x1.a61b7e440b68fp-3);
    double   p4   = gi_fma_f64(-0x1.23d6302371cebp-3, f, 0x1.481fa60f3bcf9p-3);
    double   p5   = gi_fma_f64(-0x1.13b9548893d2fp-3, f, 0x1.0ace164dcab52p-3);
    double   p6   = gi_fma_f64(-0x1.1da433e237e3dp-4, f, 0x1.0f6261c984131p-3);
    double   high = gi_fma_f64(p6, f4, gi_fma_f64(p5, f2, p4));
    high          = gi_fma_f64(high, f4, gi_fma_f64(p3, f2, p2));
    return gi_fma_f64(gi_fma_f64(high, f4, gi_fma_f64(p1, f2, p0)), f, n);
}
/* 2^t to float, any t but NaN: error 2^-34.3 before the rounding to float */
GI_FORMULA float gi_power_exp2_f32(double t)
{
    double in      = gi_clamp_f64(t, -200.0, 200.0);
    double shifted = in + GI_ROUND_F64;
    double r = in - (shifted - GI_ROUND_F64), r2 = r * r;
    double p0 = gi_fma_f64(0x1.62e42ff0e191dp-1, r, 1.0);
    double p1 = gi_fma_f64(0x1.c6b08ac06c325p-5, r, 0x1.ebfbe0778724bp-3);
    double p2 = gi_fma_f64(0x1.5d8a85fe7833cp-10, r, 0x1.3b29f39d4d49cp-7);
    double p3 = gi_fma_f64(0x1.fde5fe328a61ep-17, r, 0x1.445c840469a21p-13);
    double y  = gi_fma_f64(gi_fma_f64(gi_fma_f64(p3, r2, p2), r2, p1), r2, p0);
    return (float)gi_from_bits_f64(gi_bits_f64(y) + (gi_bits_f64(shifted) << 52));
}
GI_FORMULA float gi_power_core_f32(float x, float y)
{
    uint32_t negative = gi_bits_f32(x) >> 31;
    float    shifted  = y + GI_ROUND_F32;
    uint32_t broken   = (uint32_t)(shifted - GI_ROUND_F32 != y); /* y is no integer */
    uint32_t sign     = (gi_bits_f32(shifted) & negative) << 31; /* x < 0 and y odd */
    double   a        = (double)gi_from_bits_f32(gi_bits_f32(x) & 0x7fffffffu);
    float    z        = gi_power_exp2_f32(gi_mul_f64(gi_power_log2_f32(a), (double)y));
    return gi_pick_f32(broken & negative, GI_NAN_F32, gi_from_bits_f32(gi_bits_f32(z) | sign));
}
/* Rare: x is 0, inf or NaN; |y| >= 2^22, inf or NaN. */
GI_FORMULA uint32_t gi_power_rare_f32(float x, float y)
{
    uint32_t a = gi_bits_f32(x) & 0x7fffffffu, b = gi_bits_f32(y) & 0x7fffffffu;
    return (uint32_t)(a - 1u >= 0x7f7fffffu) | (uint32_t)(b >= 0x4a800000u);
}

/* log of x > 0 normal, as hi + lo, plus n_extra ln2 */
GI_FORMULA void gi_power_log_f64(double x, double n_extra, double *log_hi, double *log_lo)
{
    uint64_t t = gi_bits_f64(x) - 0x3fe6a09e667f3bcdu + 0x3ff0000000000000u; /* mantissa from sqrt(1/2) on */
    double   n = gi_from_bits_f64((t >> 52) | 0x4330000000000000u) - (0x1p52 + 1023.0) + n_extra;
    double   f = gi_from_bits_f64((t & 0x000fffffffffffffu) + 0x3fe6a09e667f3bcdu) - 1.0;
    /* s + s_lo = f / (2 + f) */
    double d = 2.0 + f, d_lo = f - (d - 2.0);
    double inverse = 1.0 / d;
    double s       = gi_mul_f64(f, inverse);
    double s_lo    = gi_fma_f64(-s, d_lo, gi_fma_f64(-s, d, f)) * inverse;
    double z = gi_mul_f64(s, s), z_lo = gi_fma_f64(s + s, s_lo, gi_fma_f64(s, s, -z));
    /* log(1 + f) = 2 s + s^3 (2/3 + z q(z)) */
    double z2 = z * z, z4 = z2 * z2;
    double q0   = gi_fma_f64(0x1.2492492492f4bp-2, z, 0x1.9999999999996p-2);
    double q1   = gi_fma_f64(0x1.745d1828c79ebp-3, z, 0x1.c71c71c59796ap-3);
    double q2   = gi_fma_f64(0x1.1120692f23eb2p-3, z, 0x1.3b1364f1016b4p-3);
    double q3   = gi_fma_f64(0x1.eabe236a2466ap-4, z, 0x1.de3e606605b35p-4);
    double q    = gi_fma_f64(gi_fma_f64(q3, z2, q2), z4, gi_fma_f64(q1, z2, q0));
    double c    = gi_fma_f64(z, q, 0x1.5555555555555p-1);
    double c_lo = gi_fma_f64(z_lo, q, gi_fma_f64(z, q, 0x1.5555555555555p-1 - c) + 0x1.5555555555555p-55);
    double w = gi_mul_f64(s, z), w_lo = gi_fma_f64(s_lo, z, gi_fma_f64(s, z_lo, gi_fma_f64(s, z, -w)));
    double v = gi_mul_f64(w, c), v_lo = gi_fma_f64(w, c_lo, gi_fma_f64(w_lo, c, gi_fma_f64(w, c, -v)));
    /* n ln2 (42 bits: exact) + 2 s + v, then all the small parts */
    double n_ln2 = gi_mul_f64(n, 0x1.62e42fefa38p-1);
    double a = gi_fma_f64(2.0, s, n_ln2), a_lo = gi_fma_f64(2.0, s, n_ln2 - a);
    double b = a + v, b_lo = (a - b) + v;
    double rest = gi_fma_f64(n, 0x1.ef35793c7673p-45, gi_fma_f64(2.0, s_lo, v_lo)) + (a_lo + b_lo);
    *log_hi     = b + rest;
    *log_lo     = (b - *log_hi) + rest;
}
GI_FORMULA double gi_power_core_f64(double x, double y)
{
    uint64_t negative = gi_bits_f64(x) >> 63;
    double   shifted  = y + GI_ROUND_F64;
    uint64_t broken   = (uint64_t)(shifted - GI_ROUND_F64 != y); /* y is no integer */
    uint64_t sign     = (gi_bits_f64(shifted) & negative) << 63; /* x < 0 and y odd */
    double   log_hi, log_lo;
    gi_power_log_f64(gi_from_bits_f64(gi_bits_f64(x) & 0x7fffffffffffffffu), 0.0, &log_hi, &log_lo);
    double t = gi_mul_f64(y, log_hi), t_lo = gi_fma_f64(y, log_lo, gi_fma_f64(y, log_hi, -t));
    double z = gi_exp_any_f64(t, t_lo);
    return gi_pick_f64(broken & negative, GI_NAN_F64, gi_from_bits_f64(gi_bits_f64(z) | sign));
}
/* Rare: x is 0, denormal, inf or NaN; |y| >= 2^30, inf or NaN. */
GI_FORMULA uint64_t gi_power_rare_f64(double x, double y)
{
    uint64_t a = gi_bits_f64(x) & 0x7fffffffffffffffu, b = gi_bits_f64(y) & 0x7fffffffffffffffu;
    return (uint64_t)(a - 0x0010000000000000u >= 0x7fe0000000000000u) | (uint64_t)(b >= 0x41d0000000000000u);
}

/* Any x and y, by the rules of C99 annex F. */
GI_FORMULA double gi_power_slow_f64(double x, double y)
{
    uint64_t infinity = 0x7ff0000000000000u, sign_bit = 0x8000000000000000u;
    uint64_t a_bits = gi_bits_f64(x) & ~sign_bit, b_bits = gi_bits_f64(y) & ~sign_bit;
    double   a = gi_from_bits_f64(a_bits), b = gi_from_bits_f64(b_bits);
    uint64_t y_negative = gi_bits_f64(y) >> 63;
    if (x == 1.0 || b_bits == 0) return 1.0;
    if (a_bits > infinity || b_bits > infinity) return GI_NAN_F64;
    int      integer = b >= 0x1p53 || (double)(int64_t)b == b; /* inf too */
    int      odd     = b < 0x1p53 && integer && ((int64_t)b & 1);
    uint64_t sign    = odd ? gi_bits_f64(x) & sign_bit : 0;
    uint64_t z;
    if (b_bits == infinity) {
        if (a == 1.0) return 1.0;
        z = (uint64_t)(a > 1.0) != y_negative ? infinity : 0u;
    } else if (a_bits == 0 || a_bits == infinity) {
        z = (uint64_t)(a_bits != 0) != y_negative ? infinity : 0;
    } else if (x < 0.0 && !integer) {
        return GI_NAN_F64;
    } else {
        double log_hi, log_lo;
        int    denormal = a_bits < 0x0010000000000000u;
        gi_power_log_f64(denormal ? a * 0x1p54 : a, denormal ? -54.0 : 0.0, &log_hi, &log_lo);
        if (b > 0x1p64) y = y_negative ? -0x1p64 : 0x1p64; /* 0, 1 or inf all the same */
        double t = gi_mul_f64(y, log_hi), t_lo = gi_fma_f64(y, log_lo, gi_fma_f64(y, log_hi, -t));
        if (t > 720.0 || t < -760.0) t_lo = 0.0;
        z = gi_bits_f64(gi_exp_any_f64(t, t_lo));
    }
    return gi_from_bits_f64(z | sign);
}
/* In double nothing overflows, and what is odd or special in float is so in double. */
GI_FORMULA float gi_power_slow_f32(float x, float y)
{
    if (x == 1.0f || y == 0.0f) return 1.0f;
    if (x != x || y != y) return GI_NAN_F32;
    double z = gi_power_slow_f64((double)x, (double)y);
    return z != z ? GI_NAN_F32 : (float)z;
}

/* Plain numbers as exponents for which x^y is a product or a root; section >>primitives has the formulas. */
#define GI_EASY_POWERS(X) X(minus_one, -1.0) X(half, 0.5) X(three_halves, 1.5) X(square, 2.0) X(cube, 3.0)

/* ------------------------------------------------------------------------------------------------------ logaddexp */

/* sum + rest = log(1 + u), 2^-97 <= u <= 1 (f64: 2^-895), any u <= 1 if guard is 0: above 1/2 as
   ln2 + log(1 + f), f = (u - 1) / 2, so -1/4 <= f <= 1/2.  The guard, far below u, keeps products from becoming
   denormal, which is slow on some machines.  Polynomial error 2^-27.6 (f32), 2^-55.9 (f64). */
#define GI_GUARD_F32      0x1p-124f
#define GI_GUARD_F64      0x1p-960
GI_FORMULA void gi_log1p_unit_f32(float u, float guard, float *sum, float *rest)
{
    uint32_t big = (uint32_t)(u > 0.5f);
    float    f   = gi_pick_f32(big, gi_fma_f32(0.5f, u, -0.5f), u);
    float    hi = gi_pick_f32(big, 0x1.62e43p-1f, 0.0f), lo = gi_pick_f32(big, -0x1.05c61p-29f, guard);
    float    f2 = gi_fma_f32(f, f, guard);
    float    p0 = gi_fma_f32(-0x1.000042p-2f, f, 0x1.5555a4p-2f);
    float    p1 = gi_fma_f32(-0x1.54ef16p-3f, f, 0x1.996966p-3f);
    float    p2 = gi_fma_f32(-0x1.0d93fcp-3f, f, 0x1.2886bap-3f);
    float    p3 = gi_fma_f32(-0x1.713e14p-5f, f, 0x1.aca096p-4f);
    float    p  = gi_fma_f32(gi_fma_f32(gi_fma_f32(p3, f2, p2), f2, p1), f2, p0);
    *sum        = hi + f;
    *rest       = gi_fma_f32(f2, gi_fma_f32(f, p, -0.5f), lo) + (f - (*sum - hi));
}
GI_FORMULA void gi_log1p_unit_f64(double u, double guard, double *sum, double *rest)
{
    uint64_t big = (uint64_t)(u > 0.5);
    double   f   = gi_pick_f64(big, gi_fma_f64(0.5, u, -0.5), u);
    double   hi = gi_pick_f64(big, 0x1.62e42fefa39efp-1, 0.0), lo = gi_pick_f64(big, 0x1.abc9e3b39803fp-56, guard);
    double   s = f / (2.0 + f), z = gi_fma_f64(s, s, guard), z2 = gi_fma_f64(z, z, guard);
    double   q0 = gi_fma_f64(0x1.99999998f0626p-2, z, 0x1.5555555555777p-1);
    double   q1 = gi_fma_f64(0x1.c71c012e18dcp-3, z, 0x1.249249b26f469p-2);
    double   q2 = gi_fma_f64(0x1.38520f4d5db06p-3, z, 0x1.7474ec1ccdc57p-3);
    double   q  = gi_fma_f64(gi_fma_f64(gi_fma_f64(0x1.3ac489c1407b6p-3, z2, q2), z2, q1), z2, q0);
    *sum        = hi + f;
    *rest       = gi_fma_f64(-s, gi_fma_f64(-z, q, f), lo) + (f - (*sum - hi));
}
/* high = max(x, y), d + d_lo = min(x, y) - high exactly, 0 for equal infinities.
   d_lo means nothing where d is infinite. */
GI_FORMULA void gi_logaddexp_order_f32(float x, float y, float *high, float *d, float *d_lo)
{
    uint32_t same = (uint32_t)(x == y);
    *high         = gi_pick_f32((uint32_t)(x > y), x, y);
    float low     = gi_from_bits_f32(gi_bits_f32(x) ^ gi_bits_f32(y) ^ gi_bits_f32(*high));
    float sum = low - *high, part = sum - low;
    float error = (low - (sum - part)) - (*high + part);
    *d          = gi_pick_f32(same, 0.0f, sum);
    *d_lo       = gi_pick_f32(same, 0.0f, error);
}
GI_FORMULA void gi_logaddexp_order_f64(double x, double y, double *high, double *d, double *d_lo)
{
    uint64_t same = (uint64_t)(x == y);
    *high         = gi_pick_f64((uint64_t)(x > y), x, y);
    double low    = gi_from_bits_f64(gi_bits_f64(x) ^ gi_bits_f64(y) ^ gi_bits_f64(*high));
    double sum = low - *high, part = sum - low;
    double error = (low - (sum - part)) - (*high + part);
    *d           = gi_pick_f64(same, 0.0, sum);
    *d_lo        = gi_pick_f64(same, 0.0, error);
}
/* The sum is rounded (almost) once; high + 0 where high is all or infinite (-0 + 0 is 0).
   Rare: exp(d) is about denormal (the core takes it as 0) and the larger argument so near 0 that it matters; then
   x y is near 0 and x + y the lower one. */
GI_FORMULA float gi_logaddexp_core_f32(float x, float y)
{
    float high, d, d_lo;
    gi_logaddexp_order_f32(x, y, &high, &d, &d_lo);
    float sum, rest;
    gi_log1p_unit_f32(gi_exp_normal_f32(d, d_lo), GI_GUARD_F32, &sum, &rest);
    float    total = high + sum, part = total - high;
    float    error = (high - (total - part)) + (sum - part);
    uint32_t alone = (uint32_t)(d < -67.0f) | (uint32_t)(high - high != 0.0f);
    float    z     = gi_pick_f32(alone, high + 0.0f, total + (error + rest));
    return gi_pick_f32((uint32_t)(d != d), GI_NAN_F32, z);
}
GI_FORMULA uint32_t gi_logaddexp_rare_f32(float x, float y)
{
    float sum = x + y, product = gi_from_bits_f32(gi_bits_f32(x * y) & 0x7fffffffu);
    return (uint32_t)(product < 0x1p-70f) & (uint32_t)(sum < -66.0f) & (uint32_t)(sum > -105.0f);
}
GI_FORMULA float gi_logaddexp_slow_f32(float x, float y)
{
    float high, d, d_lo;
    gi_logaddexp_order_f32(x, y, &high, &d, &d_lo);
    float sum, rest;
    gi_log1p_unit_f32(gi_exp_any_f32(d, d_lo), 0.0f, &sum, &rest);
    return high + (sum + rest);
}

GI_FORMULA double gi_logaddexp_core_f64(double x, double y)
{
    double high, d, d_lo;
    gi_logaddexp_order_f64(x, y, &high, &d, &d_lo);
    double sum, rest;
    gi_log1p_unit_f64(gi_exp_normal_f64(d, d_lo), GI_GUARD_F64, &sum, &rest);
    double   total = high + sum, part = total - high;
    double   error = (high - (total - part)) + (sum - part);
    uint64_t alone = (uint64_t)(d < -620.0) | (uint64_t)(high - high != 0.0);
    double   z     = gi_pick_f64(alone, high + 0.0, total + (error + rest));
    return gi_pick_f64((uint64_t)(d != d), GI_NAN_F64, z);
}
GI_FORMULA uint64_t gi_logaddexp_rare_f64(double x, double y)
{
    double sum = x + y, product = gi_from_bits_f64(gi_bits_f64(x * y) & 0x7fffffffffffffffu);
    return (uint64_t)(product < 0x1p-800) & (uint64_t)(sum < -619.0) & (uint64_t)(sum > -747.0);
}
GI_FORMULA double gi_logaddexp_slow_f64(double x, double y)
{
    double high, d, d_lo;
    gi_logaddexp_order_f64(x, y, &high, &d, &d_lo);
    double sum, rest;
    gi_log1p_unit_f64(gi_exp_any_f64(d, d_lo), 0.0, &sum, &rest);
    return high + (sum + rest);
}

GI_FORMULA float gi_hypot_f32(float x, float y)
{
    return gi_hypot_rare_f32(x, y) ? gi_hypot_slow_f32(x, y) : gi_hypot_core_f32(x, y);
}
GI_FORMULA double gi_hypot_f64(double x, double y)
{
    return gi_hypot_rare_f64(x, y) ? gi_hypot_slow_f64(x, y) : gi_hypot_core_f64(x, y);
}

/* ---- every element type in turn -------------------------------------------------------------------------------------- */
/* ---- the passes: first the primitives of all types, then conversions between them, then the rows -------------------- */
#define GI_PASS           1
#include "gpuarr.h"
#undef GI_PASS
#define GI_PASS 2
#include "gpuarr.h"
#undef GI_PASS
GI_FORMULA double  gi_over_f64(double a, int64_t n) { return a / (double)n; }
GI_FORMULA ga_c128 gi_over_c128(ga_c128 a, int64_t n) { return gi_make_c128(a.re / (double)n, a.im / (double)n); }
#define GI_PASS 3
#include "gpuarr.h"
#undef GI_PASS

/* ---- moments: the nodes of the variance's tree ----------------------------------------------------------------------- */

typedef struct gi_node {
    double n, s, m; /* of some elements: the count, the sum, the sum of squared distances from their mean */
} gi_node;

GI_FORMULA double gi_spread(double distance, double weight) { return gi_mul_f64(gi_mul_f64(distance, distance), weight); }

/* Exactly as the formula of Chan, Golub and LeVeque says, so that nothing cancels. Written so that compilers vectorise it. */
GI_FORMULA gi_node gi_join_nodes(gi_node a, gi_node b)
{
    uint64_t no_a = a.n == 0, no_b = b.n == 0;
    double   n = a.n + b.n, ratio = a.n / gi_pick_f64(no_b, 1, b.n);
    double   scale = b.n / gi_mul_f64(gi_pick_f64(no_a, 1, a.n), gi_pick_f64(no_a & no_b, 1, n));
    gi_node  r     = { n, a.s + b.s, a.m + b.m + gi_spread(a.s - gi_mul_f64(ratio, b.s), scale) };
    r.s            = gi_pick_f64(no_b, a.s, gi_pick_f64(no_a, b.s, r.s));
    r.m            = gi_pick_f64(no_b, a.m, gi_pick_f64(no_a, b.m, r.m));
    return r;
}

/* ---- convolutions: which element stands for one outside ------------------------------------------------------------- */

/* Where the distance (i, j > i) of n points lies in a vector of all pairs. */
GI_FORMULA int64_t gi_pair_place(int64_t n, int64_t i, int64_t j) { return i * (2 * n - i - 3) / 2 + j - 1; }

/* The index of the element that is taken for number i of n, which may lie outside; -1: none, but a constant. */
GI_FORMULA int64_t gi_border_index(int64_t i, int64_t n, ga_border border)
{
    if (i >= 0 && i < n) return i;
    if (border == GA_BORDER_CONSTANT || n <= 0) return -1;
    if (border == GA_BORDER_NEAREST || n == 1) return i < 0 ? 0 : n - 1;
    int64_t period = border == GA_BORDER_WRAP ? n : border == GA_BORDER_MIRROR ? 2 * n - 2 : 2 * n;
    i              = i % period;
    if (i < 0) i += period;
    return i < n ? i : border == GA_BORDER_MIRROR ? period - i : period - 1 - i;
}

GI_END_FAST

#include "gpuarr_cpu.h"
#if GI_HAS_CUDA
#define GI_CUDA_PART 2
#include "gpuarr_cuda.h"
#undef GI_CUDA_PART
#endif

/* ==== >>map: elementwise operations: settle shapes and dtypes, then run a kernel tile by tile ======================= */

/* Options of calls from inside: nothing but the user's site. */
static ga_map_options gi_map_site(const char *site)
{
    static ga_map_options none;
    ga_map_options        o = none;
    o.site                  = site;
    o.internal              = true;
    return o;
}

static ga_reduce_options gi_reduce_site(const char *site)
{
    static ga_reduce_options none;
    ga_reduce_options        o = none;
    o.site                     = site;
    o.internal                 = true;
    return o;
}

/* ---- numbers as operands ------------------------------------------------------------------------------------------- */

static ga_dtype gi_number_dtype(ga_arg v)
{
    switch (v.kind) {
    case GA_KIND_BOOL: return GA_BOOL;
    case GA_KIND_INT: return GA_I64;
    case GA_KIND_UINT: return GA_U64;
    case GA_KIND_COMPLEX: return GA_C128;
    default: return GA_F64;
    }
}

/* Can the number be an element of this dtype? Only integers can fail: 300 is no uint8. */
static bool gi_number_fits(ga_arg v, ga_dtype dtype)
{
    if (!gi_is_int(dtype)) return true;
    if (v.kind == GA_KIND_UINT) return dtype == GA_U64;
    if (v.kind != GA_KIND_INT) return true;
    switch (dtype) {
#define GI_CASE(TAG, tag, T, name)                                                                                             \
    case GA_##TAG:                                                                                                             \
        return gi_cast_##tag##_i64(v.i) == (T)v.i && (int64_t)(T)v.i == v.i && (v.i >= 0 || gi_is_signed(dtype));
        GI_EACH_INT(GI_CASE)
#undef GI_CASE
    default: return true;
    }
}

/* Writes the number as one element of the dtype. */
static void gi_number_to(ga_arg v, ga_dtype dtype, void *element)
{
    ga_c128 z;
    z.re           = v.re;
    z.im           = v.im;
    uint64_t large = (uint64_t)v.i;
    switch (dtype) {
#define GI_CASE(TAG, tag, T, name)                                                                                             \
    case GA_##TAG: {                                                                                                           \
        T e = v.kind == GA_KIND_REAL      ? gi_cast_##tag##_f64(v.re)                                                          \
              : v.kind == GA_KIND_COMPLEX ? gi_cast_##tag##_c128(z)                                                            \
              : v.kind == GA_KIND_UINT    ? gi_cast_##tag##_u64(large)                                                         \
                                          : gi_cast_##tag##_i64(v.i);                                                             \
        memcpy(element, &e, sizeof e);                                                                                         \
        break;                                                                                                                 \
    }
        GI_EACH_DTYPE(GI_CASE)
#undef GI_CASE
    default: break;
    }
}

/* What an array's dtype becomes beside a plain number: an int adopts it, a float makes integers float64 (NumPy 2). */
static ga_dtype gi_with_number(ga_dtype dtype, ga_arg v)
{
    switch (v.kind) {
    case GA_KIND_BOOL: return dtype;
    case GA_KIND_INT:
    case GA_KIND_UINT: return dtype == GA_BOOL ? gi_number_dtype(v) : dtype;
    case GA_KIND_REAL: return gi_kind_of(dtype) < 2 ? GA_F64 : dtype;
    case GA_KIND_COMPLEX: return dtype == GA_F32 || dtype == GA_C64 ? GA_C64 : GA_C128;
    default: return dtype;
    }
}

static void gi_number_text(ga_arg v, char *text, size_t room)
{
    if (v.kind == GA_KIND_REAL) snprintf(text, room, "%.9g", v.re);
    else if (v.kind == GA_KIND_COMPLEX) snprintf(text, room, "(%.9g%+.9gj)", v.re, v.im);
    else if (v.kind == GA_KIND_UINT) snprintf(text, room, "%llu", (unsigned long long)v.i);
    else snprintf(text, room, "%lld", (long long)v.i);
}

/* The dtype that holds all operands: arrays promote by NumPy's table, then numbers adapt. */
static ga_dtype gi_common_dtype(int n, const ga_arg *in)
{
    ga_dtype dtype = GA_DTYPE_DEFAULT;
    for (int k = 0; k < n; k++)
        if (in[k].array) dtype = dtype == GA_DTYPE_DEFAULT ? in[k].array->dtype : ga_promote(dtype, in[k].array->dtype);
    bool only_numbers = dtype == GA_DTYPE_DEFAULT;
    for (int k = 0; k < n; k++) {
        if (in[k].array) continue;
        if (!only_numbers) dtype = gi_with_number(dtype, in[k]);
        else dtype = dtype == GA_DTYPE_DEFAULT ? gi_number_dtype(in[k]) : ga_promote(dtype, gi_number_dtype(in[k]));
    }
    return dtype;
}

/* ---- moving elements ------------------------------------------------------------------------------------------------ */

GI_BEGIN_FAST
/* n copies of an element, side by side. */
static void gi_repeat(int itemsize, int64_t n, void *out, const void *element)
{
    if (n < 1) return;
    memcpy(out, element, (size_t)itemsize);
    for (int64_t done = 1; done < n; done *= 2)
        memcpy((char *)out + done * itemsize, out, (size_t)((done < n - done ? done : n - done) * itemsize));
}

/* Packs n elements that lie `stride` bytes apart. */
static void gi_gather(int itemsize, int64_t n, void *out, const void *in, int64_t stride)
{
    const char *from = (const char *)in;
    if (stride == itemsize) {
        memcpy(out, in, (size_t)(n * itemsize));
        return;
    }
    if (stride == 0) {
        gi_repeat(itemsize, n, out, in);
        return;
    }
#define GI_MOVE(U)                                                                                                             \
    if (stride == -(int64_t)sizeof(U)) /* reversed: a loop that vectorises */                                                  \
        for (int64_t i = 0; i < n; i++) ((U *)out)[i] = ((const U *)(const void *)from)[-i];                                   \
    else                                                                                                                       \
        for (int64_t i = 0; i < n; i++) ((U *)out)[i] = *(const U *)(const void *)(from + i * stride);                         \
    break
    switch (itemsize) {
    case 1: GI_MOVE(uint8_t);
    case 2: GI_MOVE(uint16_t);
    case 4: GI_MOVE(uint32_t);
    case 8: GI_MOVE(uint64_t);
    default:
        for (int64_t i = 0; i < n; i++) memcpy((char *)out + i * itemsize, from + i * stride, (size_t)itemsize);
    }
#undef GI_MOVE
}

/* The reverse: n packed elements to places `stride` bytes apart. */
static void gi_scatter(int itemsize, int64_t n, void *out, int64_t stride, const void *in)
{
    char *to = (char *)out;
    if (stride == itemsize) {
        memcpy(out, in, (size_t)(n * itemsize));
        return;
    }
#define GI_MOVE(U)                                                                                                             \
    for (int64_t i = 0; i < n; i++) *(U *)(void *)(to + i * stride) = ((const U *)in)[i];                                      \
    break
    switch (itemsize) {
    case 1: GI_MOVE(uint8_t);
    case 2: GI_MOVE(uint16_t);
    case 4: GI_MOVE(uint32_t);
    case 8: GI_MOVE(uint64_t);
    default:
        for (int64_t i = 0; i < n; i++) memcpy(to + i * stride, (const char *)in + i * itemsize, (size_t)itemsize);
    }
#undef GI_MOVE
}

/* The reverse where mask is true; elsewhere the target keeps its value. */
static void gi_scatter_where(int itemsize, int64_t n, void *out, int64_t stride, const void *in, const bool *mask)
{
    char *to = (char *)out;
    if (stride == itemsize && itemsize <= 8) {
        gi_cpu_replace(itemsize)(n, out, in, mask, NULL);
        return;
    }
#define GI_MOVE(U)                                                                                                             \
    for (int64_t i = 0; i < n; i++)                                                                                            \
        if (mask[i]) *(U *)(void *)(to + i * stride) = ((const U *)in)[i];                                                     \
    break
    switch (itemsize) {
    case 1: GI_MOVE(uint8_t);
    case 2: GI_MOVE(uint16_t);
    case 4: GI_MOVE(uint32_t);
    case 8: GI_MOVE(uint64_t);
    default:
        for (int64_t i = 0; i < n; i++)
            if (mask[i]) memcpy(to + i * stride, (const char *)in + i * itemsize, (size_t)itemsize);
    }
#undef GI_MOVE
}

GI_END_FAST

#ifdef GPUARR_FEW_DTYPES
/* Conversions without a loop: element by element. (Files may hold dtypes of which this build has no arrays.) */
static void gi_cast_slowly(ga_dtype to, ga_dtype from, int64_t n, void *out, const void *in)
{
    for (int64_t i = 0; i < n; i++) {
        const char *p = (const char *)in + i * ga_itemsize(from);
        ga_c128     z = { 0, 0 };
        ga_arg      v = GA_ARG(0);
        switch (from) {
#define GI_CASE(TAG, tag, T, name)                                                                                             \
    case GA_##TAG: {                                                                                                           \
        T x;                                                                                                                   \
        memcpy(&x, p, sizeof x);                                                                                               \
        if (GA_##TAG < GA_F32) v.i = (int64_t)gi_cast_u64_##tag(x);                                                            \
        else z = gi_cast_c128_##tag(x);                                                                                        \
        break;                                                                                                                 \
    }
            GI_EACH_DTYPE(GI_CASE)
#undef GI_CASE
        default: break;
        }
        v.kind = gi_is_complex(from) ? GA_KIND_COMPLEX
                 : gi_is_float(from) ? GA_KIND_REAL
                 : from == GA_U64    ? GA_KIND_UINT
                                     : GA_KIND_INT;
        v.re   = z.re;
        v.im   = z.im;
        gi_number_to(v, to, (char *)out + i * ga_itemsize(to));
    }
}
#endif

/* Converts n packed elements; in and out must not overlap unless the dtypes are equal. */
static void gi_cast(ga_dtype to, ga_dtype from, int64_t n, void *out, const void *in)
{
    if (to == from) memmove(out, in, (size_t)(n * ga_itemsize(to)));
#ifdef GPUARR_FEW_DTYPES
    else if (!gi_cpu_cast(to, from)) gi_cast_slowly(to, from, n, out, in);
#endif
    else gi_cpu_cast(to, from)(n, out, in);
}

/* ---- the walk -------------------------------------------------------------------------------------------------------- */
/*  A job has up to four inputs and one output over one shape. It is cut into blocks of the last two dimensions, some rows by some columns.
    The kernel sees each operand as packed elements of the dtype that it wants: directly where it lies so, else through a tile: gathered,
    cast, and for the output cast back and scattered. What lies side by side along the rows, not the columns (a transposed input),
    is first copied into a square, in the order in which it lies, and gathered from there.                                   */

#define GI_TILE         512  /* elements */
#define GI_TILE_BYTES   4096 /* of each of the tiles of a job: together they fit the nearest cache */
#define GI_STREAM_TILE  2048 /* of the result, if it is streamed: what the processor can have on the way to memory */
#define GI_STREAM_FROM  ((int64_t)32 << 20) /* bytes of results that no cache would keep */
#define GI_SQUARE_BYTES 16384
#define GI_SHORT_ROW    64

/* The kernel of an operation for each backend; both NULL: a copy of input 0. */
#if GI_HAS_CUDA
typedef gi_cuda_kernel gi_gpu_kernel;
#else
typedef void     *gi_gpu_kernel;
#endif
typedef struct gi_function {
    gi_kernel     cpu;
    gi_gpu_kernel gpu;
} gi_function;

#if GI_HAS_CUDA
#define GI_FUNCTION(name, cpu, ...) gi_function name = { cpu, __VA_ARGS__ }
#else
#define GI_FUNCTION(name, cpu, ...) gi_function name = { cpu, NULL }
#endif

static const gi_function gi_copying = { NULL, NULL };
#if GI_HAS_CUDA
static ga_array         *gi_cuda_to(const char *site, const ga_array *a, ga_device device, const ga_to_options *o);
static bool              gi_cuda_upload(const char *site, ga_array *to, const ga_array *from);
static bool              gi_cuda_fill(const char *site, ga_array *a, const void *element);
static bool              gi_cuda_owner(const char *site, const void *p, ga_device device, int *ordinal, bool *managed);
static void             *gi_cuda_managed_data(const char *site, const ga_array *a);
#endif

typedef struct gi_operand {
    char    *data;
    ga_dtype dtype;   /* as it lies in memory */
    ga_dtype wanted;  /* as the kernel takes it */
    bool     number;  /* one element for all: `data` is a packed tile of copies in `wanted` */
    bool     crossed; /* goes through a square */
    int64_t  strides[GPUARR_MAX_DIMS];
} gi_operand;

typedef struct gi_job {
    gi_kernel     kernel; /* NULL: copy input 0 */
    gi_gpu_kernel gpu;    /* the same for arrays on the GPU */
    int           inputs;
    int           ndim;
    int64_t       shape[GPUARR_MAX_DIMS];
    gi_operand    in[GI_MOST_INPUTS], out, mask;
    bool          masked;        /* write only where mask is true */
    bool          direct;        /* the kernel runs over rows where they lie */
    gi_stream     stream;        /* how the result goes past the caches; NULL: it does not */
    int64_t       height, width; /* of a block */
    int64_t       tile;          /* elements */
} gi_job;

/* An operand that is read; the mask comes behind the inputs. */
static const gi_operand *gi_source_of(const gi_job *j, int k) { return k < j->inputs ? &j->in[k] : &j->mask; }

/* Where a row of a block lies. */
typedef struct gi_row {
    const char *in[GI_MOST_INPUTS + 1];
    int64_t     step[GI_MOST_INPUTS + 1]; /* from an element to the next, in bytes */
    int64_t     down[GI_MOST_INPUTS + 1]; /* from a row to the next */
    char       *out;
} gi_row;

typedef struct gi_tiles {
    __attribute__((aligned(64))) char raw[GI_MOST_INPUTS + 1][GI_TILE_BYTES];
    __attribute__((aligned(64))) char cast[GI_MOST_INPUTS + 1][GI_TILE_BYTES];
    __attribute__((aligned(64))) char result[GI_TILE_BYTES];
    __attribute__((aligned(64))) char back[GI_TILE_BYTES];
} gi_tiles;

/* The strides of an operand from row to row and from column to column. */
static int64_t gi_down(const gi_job *j, const gi_operand *v) { return j->ndim > 1 ? v->strides[j->ndim - 2] : 0; }
static int64_t gi_step(const gi_job *j, const gi_operand *v) { return v->strides[j->ndim - 1]; }

/* Where an element of an operand lies. `outer` counts through the dimensions before the last two. */
static char *gi_locate(const gi_job *j, const gi_operand *v, int64_t outer, int64_t row, int64_t column)
{
    char *p = v->data + row * gi_down(j, v) + column * gi_step(j, v);
    for (int d = j->ndim - 3; d >= 0; d--) {
        p += outer % j->shape[d] * v->strides[d];
        outer /= j->shape[d];
    }
    return p;
}

/* n elements of a source, packed, as the kernel wants them: where they lie, in `raw` or in `cast`. */
static const void *gi_read_tile(const gi_operand *v, const char *from, int64_t step, int64_t n, void *raw, void *cast)
{
    int         size   = (int)ga_itemsize(v->dtype);
    const void *packed = from;
    if (step != size) {
        packed = v->wanted == v->dtype ? cast : raw;
        gi_gather(size, n, (void *)packed, from, step);
    }
    if (v->wanted == v->dtype) return packed;
    gi_cast(v->wanted, v->dtype, n, cast, packed);
    return cast;
}

/* Writes a tile of results to a row of the output. */
static void gi_write_tile(const gi_job *j, char *to, int64_t n, const void *packed, const bool *mask, const gi_ahead *next)
{
    int size = (int)ga_itemsize(j->out.dtype);
    if (j->stream) j->stream(to, packed, n * size, next);
    else if (mask) gi_scatter_where(size, n, to, gi_step(j, &j->out), packed, mask);
    else gi_scatter(size, n, to, gi_step(j, &j->out), packed);
}

/* Computes a row of a block, tile by tile. */
static void gi_run_row(const gi_job *j, const gi_row *row, int64_t columns, gi_tiles *t)
{
    int         sources = j->inputs + j->masked;
    int64_t     size = ga_itemsize(j->out.dtype), step = gi_step(j, &j->out), n = j->tile;
    bool        cast = j->out.wanted != j->out.dtype, packed = !j->masked && !j->stream && step == size;
    const char *x[GI_MOST_INPUTS + 1]    = { NULL, NULL, NULL, NULL, NULL };
    int64_t     move[GI_MOST_INPUTS + 1] = { 0, 0, 0, 0, 0 }; /* bytes from element to element; -1: through a tile */
    gi_ahead    next;
    next.inputs = 0;
    for (int k = 0; k < sources; k++) {
        const gi_operand *v = gi_source_of(j, k);
        x[k]                = row->in[k];
        if (v->number) continue;
        if (row->step[k] == 0) { /* one element for the whole row */
            x[k] = (const char *)gi_read_tile(v, x[k], 0, n < columns ? n : columns, t->raw[k], t->cast[k]);
            continue;
        }
        move[k] = v->wanted == v->dtype && row->step[k] == ga_itemsize(v->dtype) ? row->step[k] : -1;
        if (move[k] > 0) next.step[next.inputs++] = GI_LINE * move[k] / size;
    }
    if (j->stream) n -= (int64_t)((uintptr_t)row->out % GI_LINE) / size; /* so that tiles end with lines */
    for (int64_t at = 0; at < columns; at += n, n = j->tile) {
        char *to = row->out + at * step, *result = packed && !cast ? to : t->result, *back = packed ? to : t->back;
        if (n > columns - at) n = columns - at;
        next.inputs = 0;
        for (int k = 0; k < sources; k++) {
            if (move[k] < 0) /* what is only copied needs no tile of its own */
                x[k] = (const char *)gi_read_tile(gi_source_of(j, k), row->in[k] + at * row->step[k], row->step[k], n,
                                                  t->raw[k], packed && !j->kernel ? to : t->cast[k]);
            if (move[k] > 0) next.from[next.inputs++] = x[k] + n * move[k];
        }
        const char *made = x[0];
        if (j->kernel) {
            j->kernel(n, result, x[0], x[1], x[2]);
            if (cast) gi_cast(j->out.dtype, j->out.wanted, n, back, result);
            made = cast ? back : result;
        }
        if (made != to) gi_write_tile(j, to, n, made, (const bool *)x[j->inputs], &next);
        for (int k = 0; k < sources; k++)
            if (move[k] > 0) x[k] += n * move[k];
    }
}

/* The rows of a block, one after the other. */
static void gi_run_rows(const gi_job *j, gi_row row, int64_t rows, int64_t columns, gi_tiles *t)
{
    for (int64_t r = 0; r < rows; r++) {
        if (j->direct) j->kernel(columns, row.out, row.in[0], row.in[1], row.in[2]);
        else gi_run_row(j, &row, columns, t);
        for (int k = 0; k < j->inputs + j->masked; k++) row.in[k] += row.down[k];
        row.out += gi_down(j, &j->out);
    }
}

/* The same where some inputs lie across: a square at a time. */
static void gi_run_squares(const gi_job *j, gi_row row, int64_t rows, int64_t columns, gi_tiles *t)
{
    __attribute__((aligned(64))) char squares[GI_MOST_INPUTS + 1][GI_SQUARE_BYTES];
    for (int64_t at = 0; at < columns; at += j->height) {
        int64_t n    = columns - at < j->height ? columns - at : j->height;
        gi_row  part = row;
        part.out += at * gi_step(j, &j->out);
        for (int k = 0; k < j->inputs + j->masked; k++) {
            part.in[k] += at * row.step[k];
            if (!gi_source_of(j, k)->crossed) continue;
            int size = (int)ga_itemsize(gi_source_of(j, k)->dtype);
            for (int64_t c = 0; c < n; c++)
                gi_gather(size, rows, squares[k] + c * j->height * size, part.in[k] + c * row.step[k], row.down[k]);
            part.in[k]   = squares[k];
            part.step[k] = j->height * size;
            part.down[k] = size;
        }
        gi_run_rows(j, part, rows, n, t);
    }
}

static int64_t gi_rows(const gi_job *j) { return j->ndim > 1 ? j->shape[j->ndim - 2] : 1; }
static int64_t gi_columns(const gi_job *j) { return j->shape[j->ndim - 1]; }

/* A unit of work is a block. */
static void gi_run_units(int64_t begin, int64_t end, void *job)
{
    const gi_job *j     = (const gi_job *)job;
    int64_t       bands = (gi_rows(j) + j->height - 1) / j->height, parts = (gi_columns(j) + j->width - 1) / j->width;
    gi_tiles      tiles;
    bool          crossed = false;
    for (int k = 0; k < j->inputs + j->masked; k++) crossed = crossed || gi_source_of(j, k)->crossed;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t outer = unit / parts / bands, first = unit / parts % bands * j->height, from = unit % parts * j->width;
        int64_t rows    = gi_rows(j) - first < j->height ? gi_rows(j) - first : j->height;
        int64_t columns = gi_columns(j) - from < j->width ? gi_columns(j) - from : j->width;
        gi_row  row;
        for (int k = 0; k < GI_MOST_INPUTS + 1; k++) row.in[k] = NULL;
        for (int k = 0; k < j->inputs + j->masked; k++) {
            const gi_operand *v = gi_source_of(j, k);
            row.in[k]           = v->number ? v->data : gi_locate(j, v, outer, first, from);
            row.step[k]         = v->number ? 0 : gi_step(j, v);
            row.down[k]         = v->number ? 0 : gi_down(j, v);
        }
        row.out = gi_locate(j, &j->out, outer, first, from);
        if (crossed) gi_run_squares(j, row, rows, columns, &tiles);
        else gi_run_rows(j, row, rows, columns, &tiles);
    }
    if (j->stream) gi_stream_end();
}

/* The operands of a job that have strides. Returns how many. */
static int gi_strided_operands(gi_job *j, gi_operand **all)
{
    int n = 0;
    for (int k = 0; k < j->inputs; k++)
        if (!j->in[k].number) all[n++] = &j->in[k];
    all[n++] = &j->out;
    if (j->masked) all[n++] = &j->mask;
    return n;
}

/* Leaves out dimensions of length 1 and joins those that lie in memory as one, for every operand. */
static void gi_coalesce(gi_job *j)
{
    gi_operand *all[GI_MOST_INPUTS + 2];
    int         operands = gi_strided_operands(j, all), n = 0;
    for (int d = 0; d < j->ndim; d++) {
        if (j->shape[d] == 1) continue;
        bool joins = n > 0;
        for (int k = 0; k < operands; k++) joins = joins && all[k]->strides[n - 1] == all[k]->strides[d] * j->shape[d];
        if (!joins) n++;
        j->shape[n - 1] = joins ? j->shape[n - 1] * j->shape[d] : j->shape[d];
        for (int k = 0; k < operands; k++) all[k]->strides[n - 1] = all[k]->strides[d];
    }
    if (n == 0) { /* one element */
        j->shape[n] = 1;
        for (int k = 0; k < operands; k++) all[k]->strides[n] = ga_itemsize(all[k]->dtype);
        n = 1;
    }
    j->ndim = n;
}

static int64_t gi_distance(int64_t stride) { return stride < 0 ? -stride : stride; }

/* Puts dimension `from` behind or before others, to become dimension `to`. */
static void gi_move_dimension(gi_job *j, int from, int to)
{
    gi_operand *all[GI_MOST_INPUTS + 2];
    int         operands = gi_strided_operands(j, all), way = to < from ? -1 : 1;
    for (int d = from; d != to; d += way) {
        int64_t length    = j->shape[d];
        j->shape[d]       = j->shape[d + way];
        j->shape[d + way] = length;
        for (int k = 0; k < operands; k++) {
            int64_t stride           = all[k]->strides[d];
            all[k]->strides[d]       = all[k]->strides[d + way];
            all[k]->strides[d + way] = stride;
        }
    }
}

/* Puts the dimension in which the output moves least last, so that a transposed output is written in its own order. */
static void gi_order_dimensions(gi_job *j)
{
    for (int i = 1; i < j->ndim; i++) {
        int d = i;
        while (d > 0 && gi_distance(j->out.strides[d - 1]) < gi_distance(j->out.strides[i])) d--;
        if (d < i) gi_move_dimension(j, i, d);
    }
}

/* Does it lie closer together along the rows than along the columns? */
static bool gi_lies_across(const gi_job *j, const gi_operand *v)
{
    return !v->number && gi_down(j, v) != 0 && gi_distance(gi_down(j, v)) < gi_distance(gi_step(j, v));
}

/* Which dimensions are the rows and the columns of blocks: those of the output, but no short columns, and as rows the dimension
   along which a transposed input is packed. True if the two belong together. */
static bool gi_choose_blocks(gi_job *j, int square)
{
    int last = j->ndim - 1;
    if (j->shape[last] < GI_SHORT_ROW) {
        int longest = last;
        for (int d = last - 1; d >= 0 && j->shape[longest] < GI_SHORT_ROW; d--)
            if (j->shape[d] > j->shape[longest]) longest = d;
        gi_move_dimension(j, longest, last);
    }
    bool across = gi_lies_across(j, &j->out);
    for (int k = 0; k < j->inputs + j->masked && last > 0 && !across; k++) {
        const gi_operand *v    = gi_source_of(j, k);
        int               best = last;
        if (v->number || gi_distance(v->strides[last]) < GI_LINE) continue;
        for (int d = 0; d < last; d++)
            if (v->strides[d] != 0 && gi_distance(v->strides[d]) < gi_distance(v->strides[best])) best = d;
        if (best == last) continue;
        gi_move_dimension(j, best, last - 1);
        break;
    }
    for (int k = 0; k < j->inputs + j->masked; k++) {
        gi_operand *v = k < j->inputs ? &j->in[k] : &j->mask;
        if (!gi_lies_across(j, v)) continue;
        across     = true;
        v->crossed = gi_rows(j) >= square / 2 && gi_distance(gi_step(j, v)) >= GI_LINE;
    }
    return across;
}

/* Can the kernel run over a whole row where the operand lies? */
static bool gi_runs_directly(const gi_job *j, const gi_operand *v)
{
    return !v->number && v->wanted == v->dtype && gi_step(j, v) == ga_itemsize(v->dtype);
}

static int64_t gi_round_up(int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }

/* Runs a job whose operands are complete. `cost`: how many simple operations one element is worth. */
static void gi_run(gi_job *j, int cost)
{
    int64_t total = 1, widest = ga_itemsize(j->out.dtype), out_size = widest;
    for (int d = 0; d < j->ndim; d++) total *= j->shape[d];
    if (total == 0) return;
    gi_order_dimensions(j);
    gi_coalesce(j);
    bool streamed = total * out_size >= GI_STREAM_FROM && cost == 1 && !j->masked; /* what computes long has time to write */
    for (int k = 0; k <= j->inputs; k++) {
        const gi_operand *v = k < j->inputs ? &j->in[k] : &j->out;
        if (ga_itemsize(v->dtype) > widest) widest = ga_itemsize(v->dtype);
        if (ga_itemsize(v->wanted) > widest) widest = ga_itemsize(v->wanted);
        if (k < j->inputs && v->data == j->out.data) streamed = false; /* its lines are in the cache already */
    }
    const int64_t square = widest <= 4 ? 64 : widest == 8 ? 32 : 16;
    bool          across = gi_choose_blocks(j, (int)square);
    j->stream            = streamed && gi_step(j, &j->out) == out_size ? gi_cpu_stream() : NULL;
    j->direct            = !j->masked && !j->stream && j->kernel && gi_runs_directly(j, &j->out);
    for (int k = 0; k < j->inputs; k++) j->direct = j->direct && gi_runs_directly(j, &j->in[k]);
    j->tile = GI_TILE_BYTES / widest;
    if (j->stream && j->tile > GI_STREAM_TILE / out_size) j->tile = GI_STREAM_TILE / out_size;

    int64_t rows = gi_rows(j), columns = gi_columns(j), work = 32768 / cost, threads = ga_get_num_threads();
    j->height = rows;
    j->width  = columns;
    if (total <= work && j->ndim <= 2 && !across) { /* one block: nothing to divide */
        gi_run_units(0, 1, j);
        return;
    }
    if (work < total / (8 * threads)) work = total / (8 * threads);
    if (across) {
        if (rows > square) j->height = square;
        j->width = gi_round_up(work / j->height + 1, square);
    } else if (columns > work) {
        j->height = 1;
        j->width  = gi_round_up(columns / gi_round_up((columns + work - 1) / work, rows == 1 ? threads : 1) + 1, GI_LINE);
    } else if (rows > work / columns) {
        j->height = work / columns;
    }
    if (j->width > columns) j->width = columns;
    int64_t units = total / rows / columns * ((rows + j->height - 1) / j->height) * ((columns + j->width - 1) / j->width);
    int64_t share = work / (j->height * j->width);
    gi_parallel(units, share > 0 ? share : 1, gi_run_units, j);
}

/* ---- planning -------------------------------------------------------------------------------------------------------- */

static void gi_operand_of(gi_operand *v, const ga_array *a, ga_dtype wanted, int ndim, const int64_t *shape)
{
    v->data   = (char *)a->data;
    v->dtype  = a->dtype;
    v->wanted = wanted;
    v->number = v->crossed = false;
    gi_broadcast_strides(a, ndim, shape, v->strides);
}

/* Do two views show the same elements in the same places, so that reading one while writing the other is safe? */
static bool gi_same_layout(const ga_array *a, int ndim, const int64_t *shape, const ga_array *out)
{
    int64_t strides[GPUARR_MAX_DIMS];
    if (a->data != out->data || a->dtype != out->dtype) return false;
    gi_broadcast_strides(a, ndim, shape, strides);
    for (int d = 0; d < ndim; d++)
        if (shape[d] > 1 && strides[d] != out->strides[d]) return false;
    return true;
}

/* The device of a call whose arrays must lie together (NULLs are passed over); GA_DEVICE_DEFAULT with an error if they do not. Without
   any array: the default device. */
static ga_device gi_common_device(const char *site, int n, const ga_array *const *arrays)
{
    const ga_array *first = NULL;
    for (int k = 0; k < n; k++) {
        if (!arrays[k]) continue;
        if (!first) first = arrays[k];
        if (arrays[k]->device == first->device) continue;
        gi_fail(site, GA_BAD_DEVICE,
                "an array of shape %s is on the %s and one of shape %s on the %s: bring them together with ga_to(a, %s)",
                gi_shape_of(first), first->device == GA_CPU ? "CPU" : "GPU", gi_shape_of(arrays[k]),
                arrays[k]->device == GA_CPU ? "CPU" : "GPU", first->device == GA_CPU ? "GA_CPU" : "GA_CUDA");
        return GA_DEVICE_DEFAULT;
    }
#if GI_HAS_CUDA
    if (first && first->device == GA_CUDA && !gi_cuda_touch_all(site, n, arrays)) return GA_DEVICE_DEFAULT;
#endif
    return first ? first->device : gi_default_device;
}

#if GI_HAS_CUDA
static bool      gi_cuda_run(const char *site, gi_job *j);
#endif
static ga_array *gi_convert(const char *site, const ga_array *a, ga_dtype dtype);
static bool      gi_assign_where(const char *site, ga_array *dst, ga_arg src, const ga_array *mask);
static ga_arg    gi_operand_arg(const ga_array *a);

/* All bytes of a new array become 0. */
static bool gi_clear(const char *site, ga_array *a)
{
    size_t bytes = (size_t)(a->size * ga_itemsize(a->dtype));
#if GI_HAS_CUDA
    if (a->device == GA_CUDA)
        return bytes == 0 || (gi_cuda_touch(site, a) &&
                              GI_CUDA_OK(site, cudaMemsetAsync(a->data, 0, bytes, gi_cuda_stream(gi_cuda_ordinal(a)))));
#endif
    (void)site;
    memset(a->data, 0, bytes);
    return true;
}

/* The whole of an elementwise call: shapes, devices, the output (made here unless out is given), overlap, the run.
   wanted[k]: the dtype in which the kernel takes input k; result: what it makes. NULL kernel: a copy of input 0. */
static ga_array *gi_map(const char *site, gi_function kernel, int cost, int n, const ga_arg *in, const ga_dtype *wanted,
                        ga_dtype result, ga_array *out, const ga_array *where)
{
    static const char *const names[GI_MOST_INPUTS] = { "the first operand", "the second operand", "the third operand",
                                                       "the fourth operand" };
    gi_job                   j;
    j.kernel = kernel.cpu;
    j.gpu    = kernel.gpu;
    j.inputs = n;
    j.ndim   = 0;
    j.masked = where != NULL;
    for (int k = 0; k < n; k++)
        if ((in[k].array || in[k].kind == GA_KIND_ARRAY) && !gi_check(site, in[k].array, names[k])) return NULL;
    if (out && !gi_check(site, out, ".out")) return NULL;
    if (where && !gi_check(site, where, ".where")) return NULL;
    const ga_array *all[GI_MOST_INPUTS + 2] = { NULL, NULL, NULL, NULL, where, out };
    for (int k = 0; k < n; k++) all[k] = in[k].array;
    ga_device device = gi_common_device(site, GI_MOST_INPUTS + 2, all);
    if (device == GA_DEVICE_DEFAULT) return NULL;
    for (int k = 0; k <= n; k++) {
        const ga_array *a = k < n ? in[k].array : where;
        if (a && !gi_broadcast_into(&j.ndim, j.shape, a->ndim, a->shape)) {
            const ga_array *first = in[0].array && in[0].array != a ? in[0].array : in[1 % n].array ? in[1 % n].array : a;
            return (ga_array *)gi_fail(
                site, GA_BAD_SHAPE, "shapes %s and %s do not broadcast: lengths must be equal or 1, counted from the last axis",
                gi_shape_of(first), gi_shape_of(a));
        }
    }
    if (out) {
        int     ndim = j.ndim;
        int64_t shape[GPUARR_MAX_DIMS];
        memcpy(shape, j.shape, sizeof shape);
        if (!gi_broadcast_into(&ndim, shape, out->ndim, out->shape) || !gi_equal_shapes(ndim, shape, out->ndim, out->shape))
            return (ga_array *)gi_fail(site, GA_BAD_SHAPE, ".out has shape %s, the result %s", gi_shape_of(out),
                                       gi_shape_text(j.ndim, j.shape));
        j.ndim = ndim;
        memcpy(j.shape, shape, sizeof shape);
        if (!gi_same_kind(result, out->dtype))
            return (ga_array *)gi_fail(
                site, GA_BAD_DTYPE,
                "the result is %s and does not go into .out of %s: use a dtype of the same kind or ga_astype",
                ga_dtype_name(result), ga_dtype_name(out->dtype));
        for (int d = 0; d < out->ndim; d++)
            if (out->shape[d] > 1 && out->strides[d] == 0)
                return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT, ".out repeats its elements (ga_broadcast_to): copy it first");
    }
    for (int k = 0; k < n; k++) {
        char text[64];
        if (in[k].array || gi_number_fits(in[k], wanted[k])) continue;
        gi_number_text(in[k], text, sizeof text);
        return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT,
                                   "the number %s does not fit %s: convert the array with ga_astype first", text,
                                   ga_dtype_name(wanted[k]));
    }

    ga_array *target = out ? out : gi_new(site, result, device, j.ndim, j.shape);
    if (!target) return NULL;
    if (!out && where && !gi_clear(site, target)) {
        ga_free(target);
        return NULL;
    }
    ga_array                         *copies[GI_MOST_INPUTS + 1] = { NULL, NULL, NULL, NULL, NULL };
    bool                              ok                         = true;
    __attribute__((aligned(64))) char tiles[GI_MOST_INPUTS][GI_TILE_BYTES];
    for (int k = 0; k <= n && ok; k++) {
        const ga_array *a = k < n ? in[k].array : where;
        gi_operand     *v = k < n ? &j.in[k] : &j.mask;
        if (k == n && !where) break;
        if (!a) { /* a tile of copies of the number */
            int size   = (int)ga_itemsize(wanted[k]);
            v->data    = tiles[k];
            v->number  = true;
            v->crossed = false;
            v->dtype = v->wanted = wanted[k];
            int64_t copies_of_it = GI_TILE_BYTES / size;
            gi_number_to(in[k], wanted[k], tiles[k]);
            if (device == GA_CPU)
                gi_repeat(size, target->size < copies_of_it ? target->size : copies_of_it, tiles[k], tiles[k]);
            continue;
        }
        if (out && ga_may_share_memory(a, out) && !gi_same_layout(a, j.ndim, j.shape, out)) {
            copies[k] = (ga_copy)(a, site); /* as if the sources had been copied before */
            ok        = copies[k] != NULL;
            a         = copies[k];
        }
#if GI_HAS_CUDA
        /* no casts on the way through tiles there: what the kernel takes otherwise is converted before, unless all is a copy */
        if (ok && device == GA_CUDA && a->dtype != (k < n ? wanted[k] : GA_BOOL) && (k == n || j.kernel)) {
            ga_array *cast = gi_convert(site, a, k < n ? wanted[k] : GA_BOOL);
            ga_free(copies[k]);
            copies[k] = cast;
            ok        = cast != NULL;
            a         = cast;
        }
#endif
        if (ok) gi_operand_of(v, a, k < n ? wanted[k] : GA_BOOL, j.ndim, j.shape);
    }
#if GI_HAS_CUDA
    if (ok && device == GA_CUDA && j.kernel && result != target->dtype) { /* nor behind the kernel */
        ga_array *same = gi_map(site, kernel, cost, n, in, wanted, result, NULL, NULL);
        ok             = same && gi_assign_where(site, target, gi_operand_arg(same), where);
        ga_free(same);
    } else if (ok && device == GA_CUDA) {
        gi_operand_of(&j.out, target, result, j.ndim, j.shape);
        ok = gi_cuda_run(site, &j);
    } else
#endif
        if (ok) {
        gi_operand_of(&j.out, target, result, j.ndim, j.shape);
        gi_run(&j, cost);
    }
    for (int k = 0; k <= n; k++) ga_free(copies[k]);
    if (ok) return target;
    if (!out) ga_free(target);
    return NULL;
}

/* ---- the rows -------------------------------------------------------------------------------------------------------- */

typedef enum gi_result { GI_RETURNS_SAME, GI_RETURNS_BOOL, GI_RETURNS_PART } gi_result;
enum { GI_CHEAP = 1, GI_COSTLY = 8 }; /* elements of elementary functions take about as long as eight sums */

/* Has the row of an operation this dtype, whether it is compiled or not? */
static bool gi_row_has(ga_op op, ga_dtype dtype, ga_dtype common)
{
    (void)common;
#ifdef GPUARR_FEW_DTYPES /* rows have all dtypes of a class or none */
    if (gi_is_complex(dtype)) return gi_is_complex(common);
    if (gi_is_int(dtype)) dtype = gi_is_signed(dtype) ? GA_I32 : GA_U8;
#endif
    return gi_cpu_kernel(op, dtype) != NULL;
}

/* The dtype in which an operation computes: the first one of its row that holds every operand. Numbers count only where they lift
   the arrays' dtype to another kind. */
static ga_dtype gi_loop_dtype(ga_op op, int n, const ga_arg *in, ga_dtype common)
{
    ga_dtype arrays = GA_DTYPE_DEFAULT;
    if (op == GA_OP_divide && gi_kind_of(common) < 2) return GA_F64; /* true division, as Python's */
    for (int k = 0; k < n; k++)
        if (in[k].array) arrays = arrays == GA_DTYPE_DEFAULT ? in[k].array->dtype : ga_promote(arrays, in[k].array->dtype);
    bool lifted = arrays == GA_DTYPE_DEFAULT || common != arrays;
    for (int d = (int)(lifted ? common : arrays); d < (int)GA_DTYPE_COUNT; d++) { /* none before holds them */
        bool holds = !lifted || ga_can_cast(common, (ga_dtype)d);
        for (int k = 0; k < n; k++) holds = holds && (!in[k].array || ga_can_cast(in[k].array->dtype, (ga_dtype)d));
        if (holds && gi_row_has(op, (ga_dtype)d, common)) return (ga_dtype)d;
    }
    return GA_DTYPE_DEFAULT;
}

static bool gi_is_logical(ga_op op)
{
    return op == GA_OP_logical_not || op == GA_OP_logical_and || op == GA_OP_logical_or || op == GA_OP_logical_xor;
}

/* Rows that leave numbers of this dtype as they are. */
static bool gi_only_copies(ga_op op, ga_dtype dtype)
{
    if (op == GA_OP_floor || op == GA_OP_ceil || op == GA_OP_trunc) return gi_kind_of(dtype) < 2;
    return (op == GA_OP_positive || op == GA_OP_conj || op == GA_OP_real) && !gi_is_complex(dtype);
}

/* May an operand be computed in that dtype? Plain numbers go by their kind alone. */
static bool gi_may_compute(ga_arg v, ga_dtype dtype)
{
    if (v.array) return gi_same_kind(v.array->dtype, dtype);
    return gi_kind_of(gi_number_dtype(v)) <= gi_kind_of(dtype);
}

static bool gi_is_comparison(ga_op op)
{
    return op == GA_OP_equal || op == GA_OP_not_equal || op == GA_OP_less || op == GA_OP_less_equal || op == GA_OP_greater ||
           op == GA_OP_greater_equal;
}

static ga_array *gi_contiguous(const char *site, const ga_array *a, ga_dtype dtype);

/* Is there a negative element, once it is of the signed integer dtype? (integer powers) */
static bool gi_any_negative(const char *site, ga_arg v, ga_dtype dtype, bool *failed)
{
    int64_t least = 0;
    if (!v.array) return v.kind == GA_KIND_INT && v.i < 0;
    if (!gi_is_signed(dtype) || v.array->size == 0) return false;
    ga_array *cast = gi_contiguous(site, v.array, dtype), *min = cast ? (ga_min)(cast, gi_reduce_site(site)) : NULL;
    *failed = min == NULL;
#if GI_HAS_CUDA
    if (min && min->device == GA_CUDA) { /* here the host needs to know */
        char number[8] = { 0 };
        *failed        = !gi_cuda_read(site, min, number, min->data, (size_t)ga_itemsize(dtype));
        gi_cast(GA_I64, dtype, 1, &least, number);
    } else
#endif
        if (min)
        gi_cast(GA_I64, dtype, 1, &least, min->data);
    ga_free(cast);
    ga_free(min);
    return least < 0;
}

/* int64 against uint64: their common dtype, float64, would round them. */
GI_FORMULA int gi_compare_signs(int64_t a, uint64_t b) { return a < 0 || (uint64_t)a < b ? -1 : (uint64_t)a > b; }
#define GI_MIXED(name, relation)                                                                                               \
    GI_FORMULA bool gi_signs_##name(int64_t x, uint64_t y) { return gi_compare_signs(x, y) relation 0; }                       \
    static void     gi_mixed_##name(int64_t n, void *out, const void *x, const void *y, const void *z)                         \
    {                                                                                                                          \
        (void)z;                                                                                                               \
        for (int64_t i = 0; i < n; i++) ((bool *)out)[i] = gi_signs_##name(((const int64_t *)x)[i], ((const uint64_t *)y)[i]); \
    }                                                                                                                          \
    static gi_function gi_mixed_function_##name(void)                                                                          \
    {                                                                                                                          \
        GI_FUNCTION(f, gi_mixed_##name, gi_cuda_map2<int64_t, uint64_t, bool, gi_signs_##name>);                               \
        return f;                                                                                                              \
    }
GI_MIXED(equal, ==)
GI_MIXED(not_equal, !=)
GI_MIXED(less, <)
GI_MIXED(less_equal, <=)
GI_MIXED(greater, >)
GI_MIXED(greater_equal, >=)
#undef GI_MIXED

static bool gi_mixes_signs(ga_op op, int n, const ga_arg *in)
{
    if (!gi_is_comparison(op) || n != 2) return false;
    ga_dtype x = in[0].array ? in[0].array->dtype : gi_number_dtype(in[0]),
             y = in[1].array ? in[1].array->dtype : gi_number_dtype(in[1]);
    return gi_is_int(x) && gi_is_int(y) && ga_promote(x, y) == GA_F64;
}

static ga_array *gi_compare_mixed(ga_op op, const ga_arg *in, ga_map_options o)
{
    ga_dtype    first                  = in[0].array ? in[0].array->dtype : gi_number_dtype(in[0]);
    bool        swapped                = first == GA_U64;
    ga_arg      both[2]                = { in[swapped ? 1 : 0], in[swapped ? 0 : 1] };
    ga_dtype    wanted[GI_MOST_INPUTS] = { GA_I64, GA_U64, GA_U64, GA_U64 };
    gi_function kernel                 = op == GA_OP_equal                              ? gi_mixed_function_equal()
                                         : op == GA_OP_not_equal                        ? gi_mixed_function_not_equal()
                                         : op == (swapped ? GA_OP_greater : GA_OP_less) ? gi_mixed_function_less()
                                         : op == (swapped ? GA_OP_greater_equal : GA_OP_less_equal) ? gi_mixed_function_less_equal()
                                         : op == (swapped ? GA_OP_less : GA_OP_greater) ? gi_mixed_function_greater()
                                                                                        : gi_mixed_function_greater_equal();
    return gi_map(o.site, kernel, 1, 2, both, wanted, GA_BOOL, o.out, o.where);
}

static gi_function gi_row_function(ga_op op, ga_dtype dtype)
{
    GI_FUNCTION(f, gi_cpu_kernel(op, dtype), gi_cuda_row(op, dtype));
    return f;
}

/* The power of floats to some plain numbers is a product or a root: exacter, and many times quicker. */
static bool gi_easy_power(ga_arg exponent, ga_dtype dtype, gi_function *f)
{
    double y = exponent.kind == GA_KIND_REAL ? exponent.re : (double)exponent.i;
    if (exponent.array || (exponent.kind != GA_KIND_REAL && exponent.kind != GA_KIND_INT)) return false;
#define GI_CASE(name, value)                                                                                                   \
    if (y == value) {                                                                                                          \
        GI_FUNCTION(narrow, gi_cpu_power(value, GA_F32), gi_cuda_map1<float, float, gi_power_##name##_f32>);                   \
        GI_FUNCTION(wide, gi_cpu_power(value, GA_F64), gi_cuda_map1<double, double, gi_power_##name##_f64>);                   \
        *f = dtype == GA_F32 ? narrow : wide;                                                                                  \
        return true;                                                                                                           \
    }
    GI_EASY_POWERS(GI_CASE)
#undef GI_CASE
    return false;
}

static ga_array *gi_call(ga_op op, const char *name, gi_result returns, int cost, int n, const ga_arg *in, ga_map_options o)
{
    for (int k = 0; k < n; k++)
        if (in[k].kind == GA_KIND_ARRAY && !gi_check(o.site, in[k].array,
                                                     n == 1   ? "the operand"
                                                     : k == 0 ? "the first operand"
                                                              : "an operand"))
            return NULL;
    if (!o.internal && (gi_null_option(o.site, "out", o.out) || gi_null_option(o.site, "where", o.where))) return NULL;
    ga_dtype common = gi_common_dtype(n, in);
    if (gi_is_comparison(op) && gi_is_int(common)) /* 300 is more than any uint8: compare in a dtype that holds both */
        for (int k = 0; k < n; k++)
            if (!in[k].array && !gi_number_fits(in[k], common)) common = ga_promote(common, gi_number_dtype(in[k]));
    ga_dtype loop = o.dtype;
    ga_arg   exchanged[2];
    if (loop != GA_DTYPE_DEFAULT) {
        if (!gi_is_dtype(loop)) return (ga_array *)gi_fail(o.site, GA_BAD_DTYPE, ".dtype = %d is not a dtype", (int)loop);
        for (int k = 0; k < n; k++)
            if (!gi_may_compute(in[k], loop))
                return (ga_array *)gi_fail(
                    o.site, GA_BAD_DTYPE, "%s cannot be computed in %s without losing its kind: use ga_astype first",
                    ga_dtype_name(in[k].array ? in[k].array->dtype : gi_number_dtype(in[k])), ga_dtype_name(loop));
        common = loop;
    }
    if (gi_kind_of(common) < 2) { /* rows that are stamped for floats only, because to integers they do little */
        if (op == GA_OP_fmax) op = GA_OP_maximum;
        if (op == GA_OP_fmin) op = GA_OP_minimum;
    }
    if (gi_is_logical(op) && loop == GA_DTYPE_DEFAULT) loop = GA_BOOL;
    if (gi_only_copies(op, common)) {
        if (common == GA_BOOL && (op == GA_OP_positive || op == GA_OP_conj)) common = GA_I8; /* as arithmetic on bool does */
        if (o.out && !gi_check(o.site, o.out, ".out")) return NULL;
        ga_dtype same[GI_MOST_INPUTS] = { o.out ? o.out->dtype : common, common, common, common };
        return gi_map(o.site, gi_copying, cost, n, in, same, common, o.out, o.where);
    }
    if (op == GA_OP_greater || op == GA_OP_greater_equal) { /* x > y is y < x */
        op           = op == GA_OP_greater ? GA_OP_less : GA_OP_less_equal;
        exchanged[0] = in[1];
        exchanged[1] = in[0];
        in           = exchanged;
    }
    if (loop == GA_DTYPE_DEFAULT) loop = gi_loop_dtype(op, n, in, common);
    if (loop != GA_DTYPE_DEFAULT && !gi_is_stamped(o.site, loop)) return NULL;
    if (loop == GA_DTYPE_DEFAULT || !gi_cpu_kernel(op, loop))
        return (ga_array *)gi_fail(o.site, GA_BAD_DTYPE, "%s does not exist for %s", name, ga_dtype_name(common));
    if (op == GA_OP_power && gi_is_int(loop)) {
        bool failed = false;
        if (gi_any_negative(o.site, in[1], loop, &failed))
            return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT,
                                       "integers to negative integer powers are not integers: use float operands");
        if (failed) return NULL;
    }
    ga_dtype    wanted[GI_MOST_INPUTS] = { loop, loop, loop, loop };
    ga_dtype    result = returns == GI_RETURNS_BOOL ? GA_BOOL : returns == GI_RETURNS_PART ? gi_real_dtype(loop) : loop;
    gi_function easy;
    if (gi_mixes_signs(op, n, in)) return gi_compare_mixed(op, in, o);
    if (op == GA_OP_power && gi_is_float(loop) && gi_easy_power(in[1], loop, &easy))
        return gi_map(o.site, easy, GI_CHEAP, 1, in, wanted, result, o.out, o.where);
    return gi_map(o.site, gi_row_function(op, loop), cost, n, in, wanted, result, o.out, o.where);
}

/* A unary operation takes an array. */
static ga_array *gi_call1(ga_op op, const char *name, gi_result returns, int cost, const ga_array *x, ga_map_options o)
{
    ga_arg in;
    memset(&in, 0, sizeof in);
    in.array = x;
    return gi_call(op, name, returns, cost, 1, &in, o);
}

#define GA_UNARY(name, dtypes, result, ...)                                                                                    \
    ga_array *(ga_##name)(const ga_array *x, ga_map_options o)                                                                 \
    {                                                                                                                          \
        return gi_call1(GA_OP_##name, "ga_" #name, GI_RETURNS_##result, GI_CHEAP, x, o);                                       \
    }
#define GA_ELEMENTARY(name, ...)                                                                                               \
    ga_array *(ga_##name)(const ga_array *x, ga_map_options o)                                                                 \
    {                                                                                                                          \
        return gi_call1(GA_OP_##name, "ga_" #name, GI_RETURNS_SAME, GI_COSTLY, x, o);                                          \
    }
#define GA_BINARY(name, dtypes, result, ...)                                                                                   \
    ga_array *(ga_##name)(ga_arg x, ga_arg y, ga_map_options o)                                                                \
    {                                                                                                                          \
        const ga_arg in[] = { x, y };                                                                                          \
        return gi_call(GA_OP_##name, "ga_" #name, GI_RETURNS_##result, GI_CHEAP, 2, in, o);                                    \
    }
#define GA_ELEMENTARY2(name, ...)                                                                                              \
    ga_array *(ga_##name)(ga_arg x, ga_arg y, ga_map_options o)                                                                \
    {                                                                                                                          \
        const ga_arg in[] = { x, y };                                                                                          \
        return gi_call(GA_OP_##name, "ga_" #name, GI_RETURNS_SAME, GI_COSTLY, 2, in, o);                                       \
    }
#define GA_TERNARY(name, dtypes, result, ...)                                                                                  \
    ga_array *(ga_##name)(ga_arg x, ga_arg y, ga_arg z, ga_map_options o)                                                      \
    {                                                                                                                          \
        const ga_arg in[] = { x, y, z };                                                                                       \
        return gi_call(GA_OP_##name, "ga_" #name, GI_RETURNS_##result, GI_CHEAP, 3, in, o);                                    \
    }
#define GA_TABLE
#include "gpuarr.h"

/* ---- copies, casts, choices ------------------------------------------------------------------------------------------ */

static ga_arg gi_operand_arg(const ga_array *a)
{
    ga_arg v;
    memset(&v, 0, sizeof v);
    v.array = a;
    return v;
}

/* dst[...] = src where mask, whatever the dtypes. */
static bool gi_assign_where(const char *site, ga_array *dst, ga_arg src, const ga_array *mask)
{
    ga_dtype wanted[GI_MOST_INPUTS] = { dst->dtype, dst->dtype, dst->dtype, dst->dtype };
    return gi_map(site, gi_copying, GI_CHEAP, 1, &src, wanted, dst->dtype, dst, mask) != NULL;
}

static bool gi_assign(const char *site, ga_array *dst, const ga_array *src)
{
    return gi_assign_where(site, dst, gi_operand_arg(src), NULL);
}

/* A new C-ordered array with the elements of a, cast to dtype. */
static ga_array *gi_convert(const char *site, const ga_array *a, ga_dtype dtype)
{
    ga_array *copy = gi_new(site, dtype, a->device, a->ndim, a->shape);
    if (copy && !gi_assign(site, copy, a)) {
        ga_free(copy);
        return NULL;
    }
    return copy;
}

/* A C-contiguous array of that dtype: another view of a if it is one already, else a converted copy. */
static ga_array *gi_contiguous(const char *site, const ga_array *a, ga_dtype dtype)
{
    if (a->dtype == dtype && ga_is_contiguous(a)) return gi_new_view(site, a, a->data, a->dtype, a->ndim, a->shape, a->strides);
    return gi_convert(site, a, dtype);
}

ga_array *(ga_copy)(const ga_array *a, const char *site)
{
    return gi_check(site, a, "a") ? gi_convert(site, a, a->dtype) : NULL;
}

ga_array *(ga_astype)(const ga_array *a, ga_dtype dtype, const char *site)
{
    if (!gi_check(site, a, "a")) return NULL;
    if (!gi_is_dtype(dtype))
        return (ga_array *)gi_fail(site, GA_BAD_DTYPE, "%d is not a dtype: use GA_F64, GA_I32 ...", (int)dtype);
    return gi_convert(site, a, dtype);
}

ga_array *(ga_ascontiguous)(const ga_array *a, const char *site)
{
    return gi_check(site, a, "a") ? gi_contiguous(site, a, a->dtype) : NULL;
}

/* Can all of a be copied into `out` on a device, as it is? */
static bool gi_fits_into(const char *site, const ga_array *a, ga_device device, const ga_array *out)
{
    if (out->device != device)
        gi_fail(site, GA_BAD_DEVICE, ".out is on the %s, not on the %s", out->device == GA_CPU ? "CPU" : "GPU",
                device == GA_CPU ? "CPU" : "GPU");
    else if (out->dtype != a->dtype)
        gi_fail(site, GA_BAD_DTYPE, ".out is %s, the array %s: ga_astype first", ga_dtype_name(out->dtype),
                ga_dtype_name(a->dtype));
    else if (!ga_same_shape(a, out))
        gi_fail(site, GA_BAD_SHAPE, ".out has shape %s, the array %s", gi_shape_of(out), gi_shape_of(a));
    else return true;
    return false;
}

static ga_array *gi_to_with(const ga_array *a, ga_device device, ga_to_options o)
{
    if (!gi_is_array(o.site, a, "a")) return NULL; /* not gi_check: the GPU waits for copies by itself */
    if (o.out && !gi_is_array(o.site, o.out, ".out")) return NULL;
    if (device == GA_DEVICE_DEFAULT) device = gi_default_device;
    if (!gi_has_device(o.site, device)) return NULL;
    if (o.out && !gi_fits_into(o.site, a, device, o.out)) return NULL;
#if GI_HAS_CUDA
    if (device == GA_CUDA || a->device == GA_CUDA) return gi_cuda_to(o.site, a, device, &o);
#endif
    if (!gi_check(o.site, a, "a")) return NULL;
    if (!o.out) return gi_convert(o.site, a, a->dtype);
    return gi_assign(o.site, o.out, a) ? o.out : NULL;
}

ga_array *(ga_to)(const ga_array *a, ga_device device, ga_to_options o)
{
    return gi_null_option(o.site, "out", o.out) ? NULL : gi_to_with(a, device, o);
}

/* ga_to without options, for other calls. */
static ga_array *gi_to(const char *site, const ga_array *a, ga_device device)
{
    ga_to_options o = { site, NULL, NULL, false };
    return gi_to_with(a, device, o);
}

/* The elements of a side by side on the CPU, for what looks at each of them: another view of a if they lie so already. */
static ga_array *gi_on_cpu(const char *site, const ga_array *a)
{
    return a->device == GA_CPU ? gi_contiguous(site, a, a->dtype) : gi_to(site, a, GA_CPU);
}

/* Takes over an array on the CPU that was read from a file, and brings it to the default device (NULL is passed on). */
static ga_array *gi_to_default_device(const char *site, ga_array *a)
{
    if (!a || a->device == gi_default_device) return a;
    ga_array *there = gi_to(site, a, gi_default_device);
    ga_free(a);
    return there;
}

ga_array *(ga_copyto)(ga_array *dst, ga_arg src, ga_copyto_options o)
{
    if (!gi_check(o.site, dst, "dst") || (src.kind == GA_KIND_ARRAY && !gi_check(o.site, src.array, "src"))) return NULL;
    if (gi_null_option(o.site, "where", o.where)) return NULL;
    ga_dtype from = src.array ? src.array->dtype : gi_number_dtype(src);
    if (!src.array && src.kind == GA_KIND_INT) from = gi_kind_of(dst->dtype) >= 1 ? dst->dtype : GA_I64;
    if (!src.array && src.kind == GA_KIND_UINT && gi_kind_of(dst->dtype) >= 1) from = dst->dtype;
    if (!gi_same_kind(from, dst->dtype))
        return (ga_array *)gi_fail(o.site, GA_BAD_DTYPE,
                                   "%s does not go into an array of %s without losing its kind: use ga_astype first",
                                   ga_dtype_name(from), ga_dtype_name(dst->dtype));
    int     ndim = dst->ndim;
    int64_t shape[GPUARR_MAX_DIMS];
    memcpy(shape, dst->shape, sizeof shape);
    const ga_array *both[2] = { src.array, o.where };
    for (int k = 0; k < 2; k++)
        if (both[k] && (!gi_broadcast_into(&ndim, shape, both[k]->ndim, both[k]->shape) ||
                        !gi_equal_shapes(ndim, shape, dst->ndim, dst->shape)))
            return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "%s has shape %s and does not broadcast to dst's %s",
                                       k ? ".where" : "src", gi_shape_of(both[k]), gi_shape_of(dst));
    return gi_assign_where(o.site, dst, src, o.where) ? dst : NULL;
}

ga_array *(ga_where)(const ga_array *condition, ga_arg x, ga_arg y, ga_map_options o)
{
    if (!gi_check(o.site, condition, "condition")) return NULL;
    if (!o.internal && (gi_null_option(o.site, "out", o.out) || gi_null_option(o.site, "where", o.where))) return NULL;
    const ga_arg in[3] = { gi_operand_arg(condition), x, y };
    for (int k = 1; k < 3; k++)
        if (in[k].kind == GA_KIND_ARRAY && !gi_check(o.site, in[k].array, k == 1 ? "x" : "y")) return NULL;
    ga_dtype dtype = o.dtype != GA_DTYPE_DEFAULT ? o.dtype : gi_common_dtype(2, in + 1);
    if (!gi_is_dtype(dtype)) return (ga_array *)gi_fail(o.site, GA_BAD_DTYPE, ".dtype = %d is not a dtype", (int)o.dtype);
    ga_dtype wanted[GI_MOST_INPUTS] = { GA_BOOL, dtype, dtype, dtype };
    GI_FUNCTION(choose, gi_cpu_select((int)ga_itemsize(dtype)), gi_cuda_select(ga_itemsize(dtype)));
    return gi_map(o.site, choose, GI_CHEAP, 3, in, wanted, dtype, o.out, o.where);
}

/* ---- comparing whole arrays -------------------------------------------------------------------------------------------- */
/* |a - b| <= atol + rtol * |b|; infinities are close to themselves only. z holds (rtol, atol). */
GI_FORMULA bool gi_close(double distance, double size, bool equal, ga_c128 z)
{
    return equal || (distance <= z.im + gi_mul_f64(z.re, size) && size < gi_infinity_f64());
}

#define GI_CLOSE(name, T, abs, sub, equal, isnan, nan_is_close)                                                                \
    GI_FORMULA bool gi_close_##name(T a, T b, ga_c128 tolerance)                                                               \
    {                                                                                                                          \
        return gi_close(abs(sub(a, b)), abs(b), equal(a, b) || (nan_is_close && isnan(a) && isnan(b)), tolerance);             \
    }                                                                                                                          \
    static void gi_isclose_##name(int64_t n, void *out, const void *x, const void *y, const void *z)                           \
    {                                                                                                                          \
        const T       *a = (const T *)x, *b = (const T *)y;                                                                    \
        const ga_c128 *tolerance = (const ga_c128 *)z;                                                                         \
        for (int64_t i = 0; i < n; i++) ((bool *)out)[i] = gi_close_##name(a[i], b[i], tolerance[i]);                          \
    }                                                                                                                          \
    static gi_function gi_isclose_function_##name(void)                                                                        \
    {                                                                                                                          \
        GI_FUNCTION(f, gi_isclose_##name, gi_cuda_map3<T, T, ga_c128, bool, gi_close_##name>);                                 \
        return f;                                                                                                              \
    }
GI_CLOSE(f64, double, gi_abs_f64, gi_sub_f64, gi_equal_f64, gi_isnan_f64, false)
GI_CLOSE(c128, ga_c128, gi_abs_c128, gi_sub_c128, gi_equal_c128, gi_isnan_c128, false)
GI_CLOSE(f64_nan, double, gi_abs_f64, gi_sub_f64, gi_equal_f64, gi_isnan_f64, true)
GI_CLOSE(c128_nan, ga_c128, gi_abs_c128, gi_sub_c128, gi_equal_c128, gi_isnan_c128, true)
#undef GI_CLOSE

static double gi_tolerance(double given, double standard) { return given == GA_EXACTLY ? 0 : given == 0 ? standard : given; }

ga_array *(ga_isclose)(ga_arg a, ga_arg b, ga_close_options o)
{
    const ga_arg numbers[2] = { a, b };
    ga_arg       in[3]      = { a, b, a };
    for (int k = 0; k < 2; k++)
        if (in[k].kind == GA_KIND_ARRAY && !gi_check(o.site, in[k].array, k == 0 ? "a" : "b")) return NULL;
    memset(&in[2], 0, sizeof in[2]);
    in[2].kind = GA_KIND_COMPLEX;
    in[2].re   = gi_tolerance(o.rtol, 1e-5);
    in[2].im   = gi_tolerance(o.atol, 1e-8);
    if (in[2].re < 0 || in[2].im < 0) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "a tolerance is negative");
    bool        is_complex = gi_is_complex(gi_common_dtype(2, numbers));
    ga_dtype    dtype = is_complex ? GA_C128 : GA_F64, wanted[GI_MOST_INPUTS] = { dtype, dtype, GA_C128, dtype };
    gi_function kernel = is_complex    ? o.equal_nan ? gi_isclose_function_c128_nan() : gi_isclose_function_c128()
                            : o.equal_nan ? gi_isclose_function_f64_nan()
                                       : gi_isclose_function_f64();
    return gi_map(o.site, kernel, GI_CHEAP, 3, in, wanted, GA_BOOL, NULL, NULL);
}

/* Are all elements of a bool array true? Frees it. */
static bool gi_all_true(const char *site, ga_array *a)
{
    if (!a) return false;
    ga_array *all = (ga_all)(a, gi_reduce_site(site));
    bool      yes = all && (ga_item_int)(all, site) != 0;
    ga_free(all);
    ga_free(a);
    return yes;
}

#if GI_HAS_CUDA
static int gi_place_of(ga_arg v) { return v.array->device == GA_CPU ? -1 : gi_cuda_ordinal(v.array); }

/* Arrays that do not lie on one device that works are compared on the CPU: copies[k] is what must be freed. False with an error. */
static bool gi_bring_together(const char *site, ga_arg *a, ga_arg *b, ga_array **copies)
{
    ga_arg *both[2]  = { a, b };
    bool    together = !a->array || !b->array || gi_place_of(*a) == gi_place_of(*b);
    copies[0] = copies[1] = NULL;
    for (int k = 0; k < 2; k++) {
        const ga_array *array = both[k]->array;
        if (!array || array->device == GA_CPU || (together && gi_cuda_ordinal(array) == gi_cuda_selected)) continue;
        both[k]->array = copies[k] = gi_to(site, array, GA_CPU);
        if (!copies[k]) {
            ga_free(copies[0]);
            return false;
        }
    }
    return true;
}
#endif

bool(ga_allclose)(ga_arg a, ga_arg b, ga_close_options o)
{
#if GI_HAS_CUDA
    ga_array *copies[2];
    if (a.kind == GA_KIND_ARRAY && !gi_check(o.site, a.array, "a")) return false;
    if (b.kind == GA_KIND_ARRAY && !gi_check(o.site, b.array, "b")) return false;
    if (!gi_bring_together(o.site, &a, &b, copies)) return false;
    bool close = gi_all_true(o.site, (ga_isclose)(a, b, o));
    ga_free(copies[0]);
    ga_free(copies[1]);
    return close;
#else
    return gi_all_true(o.site, (ga_isclose)(a, b, o));
#endif
}

static bool gi_array_equal(ga_arg a, ga_arg b, ga_close_options o)
{
    const ga_arg in[2] = { a, b };
    if (o.equal_nan) { /* exactly equal, or both NaN */
        o.rtol = o.atol = GA_EXACTLY;
        if (!gi_is_int(gi_common_dtype(2, in))) return gi_all_true(o.site, (ga_isclose)(a, b, o));
    }
    return gi_all_true(o.site, (ga_equal)(a, b, gi_map_site(o.site)));
}

bool(ga_array_equal)(ga_arg a, ga_arg b, ga_close_options o)
{
    const ga_arg in[2] = { a, b };
    for (int k = 0; k < 2; k++)
        if (in[k].kind == GA_KIND_ARRAY && !gi_check(o.site, in[k].array, k == 0 ? "a" : "b")) return false;
    if (a.array && b.array ? !ga_same_shape(a.array, b.array)
                           : (a.array && a.array->ndim > 0) || (b.array && b.array->ndim > 0))
        return false;
#if GI_HAS_CUDA
    ga_array *copies[2];
    if (!gi_bring_together(o.site, &a, &b, copies)) return false;
    bool equal = gi_array_equal(a, b, o);
    ga_free(copies[0]);
    ga_free(copies[1]);
    return equal;
#else
    return gi_array_equal(a, b, o);
#endif
}

/* ==== >>views: other ways to look at the same memory ============================================================== */
/*  Every view is a layout: where its first element lies, and its shape and strides. A function takes the layout of its array,
    changes it and makes an array of it; only ga_reshape, ga_ravel and ga_flatten may have to copy.                           */

typedef struct gi_layout {
    char   *data;
    int     ndim;
    int64_t shape[GPUARR_MAX_DIMS];
    int64_t strides[GPUARR_MAX_DIMS];
} gi_layout;

static gi_layout gi_layout_of(const ga_array *a)
{
    gi_layout l;
    l.data = (char *)a->data;
    l.ndim = a->ndim;
    memcpy(l.shape, a->shape, sizeof l.shape);
    memcpy(l.strides, a->strides, sizeof l.strides);
    return l;
}

static ga_array *gi_view_with(const char *site, const ga_array *a, const gi_layout *l)
{
    return gi_new_view(site, a, l->data, a->dtype, l->ndim, l->shape, l->strides);
}

/* Appends an axis; the caller has made sure that there is room. */
static void gi_layout_append(gi_layout *l, int64_t length, int64_t stride)
{
    l->shape[l->ndim]   = length;
    l->strides[l->ndim] = stride;
    l->ndim++;
}

static void gi_layout_swap(gi_layout *l, int i, int j)
{
    int64_t length = l->shape[i], stride = l->strides[i];
    l->shape[i]   = l->shape[j];
    l->strides[i] = l->strides[j];
    l->shape[j]   = length;
    l->strides[j] = stride;
}

static void gi_layout_flip(gi_layout *l, int axis)
{
    bool empty = false; /* then the last element is nowhere */
    for (int d = 0; d < l->ndim; d++)
        if (l->shape[d] == 0) empty = true;
    if (!empty) l->data += (l->shape[axis] - 1) * l->strides[axis];
    l->strides[axis] = -l->strides[axis];
}

ga_array *(ga_view)(const ga_array *a, const char *site)
{
    if (!gi_is_array(site, a, "a")) return NULL;
    gi_layout l = gi_layout_of(a);
    return gi_view_with(site, a, &l);
}

/* ---- ga_index ---------------------------------------------------------------------------------------------------- */

typedef enum gi_index_kind { GI_INDEX_INTEGER, GI_INDEX_SLICE, GI_INDEX_ELLIPSIS, GI_INDEX_NEWAXIS } gi_index_kind;

typedef struct gi_index_item {
    gi_index_kind kind;
    int64_t       start, stop, step; /* an integer index is start */
    bool          has_start, has_stop;
} gi_index_item;

/* The text of an index, and the item that is being read, for the errors. */
typedef struct gi_index_text {
    const char *site, *whole, *item;
    int         length, number;
} gi_index_text;

static void *gi_index_fail(const gi_index_text *t, const char *problem)
{
    return gi_fail(t->site, GA_BAD_ARGUMENT, "item %d, \"%.*s\", of the index \"%.200s\" %s", t->number,
                   t->length > 80 ? 80 : t->length, t->item, t->whole, problem);
}

static bool gi_is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/* Reads a decimal integer if there is one at *p, with blanks around it; one that is too large becomes the largest. */
static bool gi_read_integer(const char **p, int64_t *value)
{
    while (gi_is_blank(**p)) ++*p;
    const char *digits = **p == '-' || **p == '+' ? *p + 1 : *p;
    if (*digits < '0' || *digits > '9') return false;
    char *end;
    *value = (int64_t)strtoll(*p, &end, 10);
    *p     = end;
    while (gi_is_blank(**p)) ++*p;
    return true;
}

static bool gi_index_word(const gi_index_text *t, const char *word)
{
    return strlen(word) == (size_t)t->length && strncmp(t->item, word, (size_t)t->length) == 0;
}

static bool gi_read_index_item(const gi_index_text *t, gi_index_item *item)
{
    const char *p = t->item, *end = t->item + t->length;
    memset(item, 0, sizeof *item);
    item->step = 1;
    if (gi_index_word(t, "...") || gi_index_word(t, "Ellipsis")) {
        item->kind = GI_INDEX_ELLIPSIS;
        return true;
    }
    if (gi_index_word(t, "newaxis") || gi_index_word(t, "None")) {
        item->kind = GI_INDEX_NEWAXIS;
        return true;
    }
    item->has_start = gi_read_integer(&p, &item->start);
    if (p >= end && item->has_start) return true; /* past the end: the blanks behind it */
    if (*p == ':') {
        item->kind = GI_INDEX_SLICE;
        p++;
        item->has_stop = gi_read_integer(&p, &item->stop);
        if (*p == ':') {
            p++;
            gi_read_integer(&p, &item->step);
        }
    }
    if (p < end || item->kind != GI_INDEX_SLICE) {
        gi_index_fail(t, "is not an integer, start:stop:step, ... or newaxis");
        return false;
    }
    if (item->step == 0) {
        gi_index_fail(t, "has step 0; it may be positive or negative");
        return false;
    }
    if (item->step == INT64_MIN) item->step = -INT64_MAX; /* so that it can be negated */
    return true;
}

enum { GI_MOST_INDEX_ITEMS = 2 * GPUARR_MAX_DIMS + 1 }; /* all axes dropped, as many new ones, and an ellipsis */

/* Splits the text at its commas and reads the items. Returns their number, or -1 with an error. */
static int gi_read_index(const char *site, const char *whole, gi_index_item *items)
{
    gi_index_text t = { site, whole, whole, 0, 0 };
    const char   *p = whole;
    int           n = 0;
    while (gi_is_blank(*p)) p++;
    while (*p) { /* a comma after the last item is allowed, as in Python */
        while (gi_is_blank(*p)) p++;
        t.item = p;
        while (*p && *p != ',') p++;
        t.length = (int)(p - t.item);
        while (t.length > 0 && gi_is_blank(t.item[t.length - 1])) t.length--;
        t.number = n + 1;
        if (n == GI_MOST_INDEX_ITEMS) {
            gi_index_fail(&t, "is one more than any array can take");
            return -1;
        }
        if (!gi_read_index_item(&t, &items[n++])) return -1;
        if (*p == ',') p++;
        while (gi_is_blank(*p)) p++;
    }
    return n;
}

/* A bound of a slice as Python takes it: negative counts from the end, and what is outside is moved to the end it passed. */
static int64_t gi_slice_bound(int64_t bound, int64_t length, bool backwards)
{
    if (bound < 0) {
        bound += length;
        if (bound < 0) return backwards ? -1 : 0;
    } else if (bound >= length) {
        return backwards ? length - 1 : length;
    }
    return bound;
}

/* Where a slice of an axis starts and how many elements it has. */
static int64_t gi_slice_length(const gi_index_item *item, int64_t length, int64_t *start)
{
    bool    backwards = item->step < 0;
    int64_t first = backwards ? length - 1 : 0, stop = backwards ? -1 : length;
    if (item->has_start) first = gi_slice_bound(item->start, length, backwards);
    if (item->has_stop) stop = gi_slice_bound(item->stop, length, backwards);
    *start = first;
    if (backwards) return first > stop ? (first - stop - 1) / -item->step + 1 : 0;
    return first < stop ? (stop - first - 1) / item->step + 1 : 0;
}

static ga_array *gi_index_with(const char *site, const ga_array *a, const char *text, const gi_index_item *items, int n)
{
    int used = 0, ellipses = 0, result = a->ndim;
    for (int i = 0; i < n; i++) {
        if (items[i].kind == GI_INDEX_ELLIPSIS) ellipses++;
        if (items[i].kind == GI_INDEX_NEWAXIS) result++;
        if (items[i].kind == GI_INDEX_INTEGER) result--;
        if (items[i].kind == GI_INDEX_INTEGER || items[i].kind == GI_INDEX_SLICE) used++;
    }
    if (ellipses > 1)
        return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT, "the index \"%.200s\" has more than one ellipsis", text);
    if (used > a->ndim)
        return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT, "the index \"%.200s\" names %d axes, but the array has %d: shape %s",
                                   text, used, a->ndim, gi_shape_of(a));
    if (result > GPUARR_MAX_DIMS)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "the index \"%.200s\" gives %d dimensions; at most %d are possible",
                                   text, result, GPUARR_MAX_DIMS);
    gi_layout l      = gi_layout_of(a);
    int64_t   offset = 0;
    int       axis = 0, hidden = a->ndim - used; /* the axes that an ellipsis stands for, at the end if there is none */
    l.ndim = 0;
    for (int i = 0; i <= n; i++) {
        if (i == n || items[i].kind == GI_INDEX_ELLIPSIS) {
            for (; hidden > 0; hidden--, axis++) gi_layout_append(&l, a->shape[axis], a->strides[axis]);
            continue;
        }
        const gi_index_item *item = &items[i];
        if (item->kind == GI_INDEX_NEWAXIS) {
            gi_layout_append(&l, 1, 0);
            continue;
        }
        int64_t length = a->shape[axis], stride = a->strides[axis], start = item->start;
        if (item->kind == GI_INDEX_INTEGER) {
            if (start < -length || start >= length)
                return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT,
                                           "index %lld is out of bounds for axis %d with length %lld, in \"%.200s\"",
                                           (long long)start, axis, (long long)length, text);
            offset += (start < 0 ? start + length : start) * stride;
        } else {
            int64_t count = gi_slice_length(item, length, &start), step_bytes;
            if (count > 0) offset += start * stride;
            if (__builtin_mul_overflow(stride, item->step, &step_bytes))
                step_bytes = stride; /* one element at most: never used */
            gi_layout_append(&l, count, step_bytes);
        }
        axis++;
    }
    if (a->size > 0) l.data += offset;
    return gi_view_with(site, a, &l);
}

ga_array *(ga_index)(const char *site, const ga_array *a, const char *index, ...)
{
    if (!gi_is_array(site, a, "a")) return NULL;
    if (!index) return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT, "the index is NULL; it is a text such as \"1:-1, ::2\"");
    char    on_stack[256], *text = on_stack;
    va_list args;
    va_start(args, index);
    int length = vsnprintf(on_stack, sizeof on_stack, index, args);
    va_end(args);
    if (length < 0)
        return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT, "the numbers of the index \"%.200s\" cannot be printed", index);
    size_t room = (size_t)length + 1;
    if (room > sizeof on_stack) {
        text = (char *)gi_alloc(site, room);
        if (!text) return NULL;
        va_start(args, index);
        vsnprintf(text, room, index, args);
        va_end(args);
    }
    gi_index_item items[GI_MOST_INDEX_ITEMS];
    int           n      = gi_read_index(site, text, items);
    ga_array     *result = n < 0 ? NULL : gi_index_with(site, a, text, items, n);
    if (text != on_stack) gi_release(text, room);
    return result;
}

/* ---- the same elements in another shape -------------------------------------------------------------------------- */

/* Puts the one length -1 right and sees that the new shape has as many elements as the array. */
static bool gi_resolve_shape(const char *site, const ga_array *a, ga_shape *shape)
{
    if (shape->ndim < 0 || shape->ndim > GPUARR_MAX_DIMS) {
        gi_fail(site, GA_BAD_SHAPE, "%d dimensions; at most %d are possible", shape->ndim, GPUARR_MAX_DIMS);
        return false;
    }
    int     open  = -1;
    int64_t known = 1;
    bool    fits  = true;
    for (int d = 0; d < shape->ndim; d++) {
        if (shape->n[d] == -1 && open < 0) open = d;
        else if (shape->n[d] < 0) {
            gi_fail(site, GA_BAD_SHAPE, "the new shape %s has a negative length; one may be -1, to be computed",
                    gi_shape_text(shape->ndim, shape->n));
            return false;
        } else if (__builtin_mul_overflow(known, shape->n[d], &known)) {
            fits  = false;
            known = 1;
        }
    }
    if (open >= 0 ? known == 0 || a->size % known != 0 : known != a->size) fits = false;
    if (!fits) {
        gi_fail(site, GA_BAD_SHAPE, "shape %s with %lld elements cannot become %s", gi_shape_of(a), (long long)a->size,
                gi_shape_text(shape->ndim, shape->n));
        return false;
    }
    if (open >= 0) shape->n[open] = a->size / known;
    return true;
}

/* Can `shape` be laid over the memory of a as it is? Neighbouring axes of a that lie in memory like one long axis are joined to
   a run; each new axis must be cut out of one run. Both are walked from the last axis on. */
static bool gi_restride(const ga_array *a, const ga_shape *shape, int64_t *strides)
{
    if (a->size == 0) return gi_c_strides(a->dtype, shape->ndim, shape->n, strides) >= 0;
    int     axis = a->ndim - 1;                     /* the next axis of a */
    int64_t left = 1, step = ga_itemsize(a->dtype); /* of the run: elements not yet used, bytes between them */
    for (int d = shape->ndim - 1; d >= 0; d--) {
        if (left == 1 && shape->n[d] > 1) {
            while (a->shape[axis] == 1) axis--;
            step          = a->strides[axis];
            left          = a->shape[axis--];
            int64_t whole = left * step; /* bytes from one run to the next, if the axis before belongs to it */
            for (; axis >= 0 && (a->shape[axis] == 1 || a->strides[axis] == whole); axis--) {
                left *= a->shape[axis];
                whole *= a->shape[axis];
            }
        }
        if (left % shape->n[d] != 0) return false;
        strides[d] = step;
        step *= shape->n[d];
        left /= shape->n[d];
    }
    return true;
}

/* A C-ordered copy, seen in another shape of the same size. */
static ga_array *gi_reshaped_copy(const char *site, const ga_array *a, const ga_shape *shape)
{
    ga_array *copy = gi_convert(site, a, a->dtype);
    if (!copy) return NULL;
    int64_t strides[GPUARR_MAX_DIMS];
    gi_c_strides(a->dtype, shape->ndim, shape->n, strides);
    ga_array *view = gi_new_view(site, copy, copy->data, a->dtype, shape->ndim, shape->n, strides);
    ga_free(copy);
    return view;
}

ga_array *(ga_reshape)(const ga_array *a, ga_shape shape, const char *site)
{
    int64_t strides[GPUARR_MAX_DIMS];
    if (!gi_is_array(site, a, "a") || !gi_resolve_shape(site, a, &shape)) return NULL;
    if (!gi_restride(a, &shape, strides)) return gi_reshaped_copy(site, a, &shape);
    return gi_new_view(site, a, a->data, a->dtype, shape.ndim, shape.n, strides);
}

static ga_shape gi_flat_shape(const ga_array *a)
{
    ga_shape flat;
    memset(&flat, 0, sizeof flat);
    flat.ndim = 1;
    flat.n[0] = a->size;
    return flat;
}

ga_array *(ga_ravel)(const ga_array *a, const char *site)
{
    if (!gi_is_array(site, a, "a")) return NULL;
    ga_shape flat = gi_flat_shape(a);
    return ga_is_contiguous(a) ? (ga_reshape)(a, flat, site) : gi_reshaped_copy(site, a, &flat);
}

ga_array *(ga_flatten)(const ga_array *a, const char *site)
{
    if (!gi_is_array(site, a, "a")) return NULL;
    ga_shape flat = gi_flat_shape(a);
    return gi_reshaped_copy(site, a, &flat);
}

/* The C language asks that a number lies at a multiple of its size (a complex one, of the size of its parts). */
static bool gi_is_aligned(ga_dtype dtype, const gi_layout *l)
{
    int64_t unit    = ga_itemsize(gi_real_dtype(dtype));
    bool    aligned = (int64_t)((uintptr_t)l->data % (uintptr_t)unit) == 0;
    for (int d = 0; d < l->ndim; d++) {
        if (l->shape[d] == 0) return true;
        if (l->shape[d] > 1 && l->strides[d] % unit != 0) aligned = false;
    }
    return aligned;
}

ga_array *(ga_view_as)(const ga_array *a, ga_dtype dtype, const char *site)
{
    if (!gi_is_array(site, a, "a")) return NULL;
    if (!gi_is_dtype(dtype))
        return (ga_array *)gi_fail(site, GA_BAD_DTYPE, "%d is not a dtype: use GA_F64, GA_I32 ...", (int)dtype);
    gi_layout l      = gi_layout_of(a);
    int64_t   before = ga_itemsize(a->dtype), after = ga_itemsize(dtype);
    if (before != after) {
        int last = a->ndim - 1;
        if (last < 0)
            return (ga_array *)gi_fail(site, GA_BAD_DTYPE,
                                       "%s and %s differ in size, and a 0-d array has no axis to become longer or shorter",
                                       ga_dtype_name(a->dtype), ga_dtype_name(dtype));
        if (a->shape[last] != 1 && a->size != 0 && a->strides[last] != before)
            return (ga_array *)gi_fail(site, GA_BAD_SHAPE,
                                       "%s and %s differ in size, so the last axis must lie in one piece: ga_copy first",
                                       ga_dtype_name(a->dtype), ga_dtype_name(dtype));
        int64_t bytes = a->shape[last] * before;
        if (bytes % after != 0)
            return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "the last axis of %s has %lld bytes: no whole number of %s",
                                       gi_shape_of(a), (long long)bytes, ga_dtype_name(dtype));
        l.shape[last]   = bytes / after;
        l.strides[last] = after;
    }
    if (!gi_is_aligned(dtype, &l))
        return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT, "the elements would not be aligned as %s must be: ga_copy first",
                                   ga_dtype_name(dtype));
    return gi_new_view(site, a, l.data, dtype, l.ndim, l.shape, l.strides);
}

/* ---- axes in another order, fewer or more of them ---------------------------------------------------------------- */

/* Axis d of the view is axis order[d] of a. */
static ga_array *gi_permuted(const char *site, const ga_array *a, const int *order)
{
    gi_layout l = gi_layout_of(a);
    for (int d = 0; d < a->ndim; d++) {
        l.shape[d]   = a->shape[order[d]];
        l.strides[d] = a->strides[order[d]];
    }
    return gi_view_with(site, a, &l);
}

/* The axes that .axis or .axes name, as numbers from 0 on. Returns how many, 0 if none is named; -1 with an error if one is not
   there or is named twice. */
static int gi_named_axes(const ga_axes_options *o, int ndim, int *axes)
{
    ga_shape named = o->axes;
    if (named.ndim == 0 && (o->axis != 0 || gi_option_given(o->site, "axis"))) {
        named.ndim = 1;
        named.n[0] = o->axis;
    }
    if (named.ndim < 0 || named.ndim > GPUARR_MAX_DIMS) {
        gi_fail(o->site, GA_BAD_ARGUMENT, ".axes names %d axes; an array has at most %d", named.ndim, GPUARR_MAX_DIMS);
        return -1;
    }
    for (int i = 0; i < named.ndim; i++) {
        int64_t n = named.n[i];
        axes[i]   = gi_axis(o->site, n > INT_MAX ? INT_MAX : n < -INT_MAX ? -INT_MAX : (int)n, ndim);
        if (axes[i] < 0) return -1;
        for (int j = 0; j < i; j++)
            if (axes[j] == axes[i]) {
                gi_fail(o->site, GA_BAD_ARGUMENT, "axis %d is named twice in .axes %s", axes[i],
                        gi_shape_text(named.ndim, named.n));
                return -1;
            }
    }
    return named.ndim;
}

ga_array *(ga_transpose)(const ga_array *a, ga_axes_options o)
{
    if (!gi_is_array(o.site, a, "a")) return NULL;
    int order[GPUARR_MAX_DIMS], n = gi_named_axes(&o, a->ndim, order);
    if (n < 0) return NULL;
    if (n == 0)
        for (int d = 0; d < a->ndim; d++) order[d] = a->ndim - 1 - d;
    else if (n != a->ndim)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT,
                                   "%d %s named, but the array has %d: name every axis once in .axes = ga_axes(...)", n,
                                   n == 1 ? "axis is" : "axes are", a->ndim);
    return gi_permuted(o.site, a, order);
}

ga_array *(ga_swapaxes)(const ga_array *a, int axis1, int axis2, const char *site)
{
    if (!gi_is_array(site, a, "a")) return NULL;
    axis1 = gi_axis(site, axis1, a->ndim);
    axis2 = axis1 < 0 ? -1 : gi_axis(site, axis2, a->ndim);
    if (axis2 < 0) return NULL;
    gi_layout l = gi_layout_of(a);
    gi_layout_swap(&l, axis1, axis2);
    return gi_view_with(site, a, &l);
}

ga_array *(ga_moveaxis)(const ga_array *a, int source, int destination, const char *site)
{
    if (!gi_is_array(site, a, "a")) return NULL;
    source      = gi_axis(site, source, a->ndim);
    destination = source < 0 ? -1 : gi_axis(site, destination, a->ndim);
    if (destination < 0) return NULL;
    gi_layout l = gi_layout_of(a);
    for (int d = source; d < destination; d++) gi_layout_swap(&l, d, d + 1);
    for (int d = source; d > destination; d--) gi_layout_swap(&l, d, d - 1);
    return gi_view_with(site, a, &l);
}

ga_array *(ga_squeeze)(const ga_array *a, ga_axes_options o)
{
    if (!gi_is_array(o.site, a, "a")) return NULL;
    int axes[GPUARR_MAX_DIMS], n = gi_named_axes(&o, a->ndim, axes);
    if (n < 0) return NULL;
    bool drop[GPUARR_MAX_DIMS];
    for (int d = 0; d < a->ndim; d++) drop[d] = n == 0 && a->shape[d] == 1;
    for (int i = 0; i < n; i++) {
        if (a->shape[axes[i]] != 1)
            return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "axis %d of %s has length %lld; only length 1 can be squeezed out",
                                       axes[i], gi_shape_of(a), (long long)a->shape[axes[i]]);
        drop[axes[i]] = true;
    }
    gi_layout l = gi_layout_of(a);
    l.ndim      = 0;
    for (int d = 0; d < a->ndim; d++)
        if (!drop[d]) gi_layout_append(&l, a->shape[d], a->strides[d]);
    return gi_view_with(o.site, a, &l);
}

ga_array *(ga_expand_dims)(const ga_array *a, int axis, const char *site)
{
    if (!gi_is_array(site, a, "a")) return NULL;
    int ndim = a->ndim + 1;
    if (ndim > GPUARR_MAX_DIMS)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "%d dimensions; at most %d are possible", ndim, GPUARR_MAX_DIMS);
    if (axis < -ndim || axis >= ndim)
        return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT,
                                   "the new axis cannot be axis %d: the result has %d dimensions (axes %d to %d)", axis, ndim,
                                   -ndim, ndim - 1);
    gi_layout l = gi_layout_of(a);
    gi_layout_append(&l, 1, 0);
    for (int d = ndim - 1; d > (axis < 0 ? axis + ndim : axis); d--) gi_layout_swap(&l, d, d - 1);
    return gi_view_with(site, a, &l);
}

ga_array *(ga_broadcast_to)(const ga_array *a, ga_shape shape, const char *site)
{
    if (!gi_is_array(site, a, "a")) return NULL;
    if (shape.ndim < 0 || shape.ndim > GPUARR_MAX_DIMS)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "%d dimensions; at most %d are possible", shape.ndim, GPUARR_MAX_DIMS);
    bool fits = a->ndim <= shape.ndim;
    for (int d = 0; d < shape.ndim; d++)
        if (shape.n[d] < 0)
            return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "shape %s has a negative length",
                                       gi_shape_text(shape.ndim, shape.n));
    for (int d = 0; d < a->ndim && fits; d++) {
        int64_t wanted = shape.n[shape.ndim - a->ndim + d];
        if (a->shape[d] != 1 && a->shape[d] != wanted) fits = false;
    }
    if (!fits)
        return (ga_array *)gi_fail(
            site, GA_BAD_SHAPE, "shape %s cannot be stretched to %s: from the right, lengths must be equal or 1 in the first",
            gi_shape_of(a), gi_shape_text(shape.ndim, shape.n));
    int64_t strides[GPUARR_MAX_DIMS];
    if (gi_c_strides(a->dtype, shape.ndim, shape.n, strides) < 0)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "shape %s has more elements than can be counted",
                                   gi_shape_text(shape.ndim, shape.n));
    gi_broadcast_strides(a, shape.ndim, shape.n, strides);
    return gi_new_view(site, a, a->data, a->dtype, shape.ndim, shape.n, strides);
}

/* Is there an axis 0 and an axis 1? */
static bool gi_check_plane(const char *site, const ga_array *a)
{
    if (!gi_is_array(site, a, "a")) return false;
    if (a->ndim >= 2) return true;
    gi_fail(site, GA_BAD_SHAPE, "shape %s has fewer than two axes", gi_shape_of(a));
    return false;
}

ga_array *(ga_diagonal)(const ga_array *a, int64_t offset, const char *site)
{
    if (!gi_check_plane(site, a)) return NULL;
    int64_t rows = a->shape[0], cols = a->shape[1], row = 0, col = 0;
    if (offset > 0) col = offset < cols ? offset : cols;
    if (offset < 0) row = offset > -rows ? -offset : rows;
    int64_t   length = rows - row < cols - col ? rows - row : cols - col;
    gi_layout l      = gi_layout_of(a);
    if (length > 0 && a->size > 0) l.data += row * a->strides[0] + col * a->strides[1];
    l.ndim = 0;
    for (int d = 2; d < a->ndim; d++) gi_layout_append(&l, a->shape[d], a->strides[d]);
    gi_layout_append(&l, length, a->strides[0] + a->strides[1]);
    return gi_view_with(site, a, &l);
}

/* ---- axes turned round ------------------------------------------------------------------------------------------- */

ga_array *(ga_flip)(const ga_array *a, ga_axes_options o)
{
    if (!gi_is_array(o.site, a, "a")) return NULL;
    int axes[GPUARR_MAX_DIMS], n = gi_named_axes(&o, a->ndim, axes);
    if (n < 0) return NULL;
    gi_layout l = gi_layout_of(a);
    if (n == 0)
        for (int d = 0; d < a->ndim; d++) gi_layout_flip(&l, d);
    for (int i = 0; i < n; i++) gi_layout_flip(&l, axes[i]);
    return gi_view_with(o.site, a, &l);
}

ga_array *(ga_fliplr)(const ga_array *a, const char *site)
{
    if (!gi_check_plane(site, a)) return NULL;
    gi_layout l = gi_layout_of(a);
    gi_layout_flip(&l, 1);
    return gi_view_with(site, a, &l);
}

ga_array *(ga_flipud)(const ga_array *a, const char *site)
{
    if (!gi_is_array(site, a, "a")) return NULL;
    if (a->ndim < 1) return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "a 0-d array has no axis to turn round");
    gi_layout l = gi_layout_of(a);
    gi_layout_flip(&l, 0);
    return gi_view_with(site, a, &l);
}

ga_array *(ga_rot90)(const ga_array *a, int k, const char *site)
{
    if (!gi_check_plane(site, a)) return NULL;
    gi_layout l     = gi_layout_of(a);
    int       turns = (k % 4 + 4) % 4;
    if (turns >= 2) { /* half a turn */
        gi_layout_flip(&l, 0);
        gi_layout_flip(&l, 1);
    }
    if (turns % 2 == 1) { /* a quarter */
        gi_layout_flip(&l, 1);
        gi_layout_swap(&l, 0, 1);
    }
    return gi_view_with(site, a, &l);
}

/* ==== >>creation: new arrays ====================================================================================== */

/* ---- all elements alike ------------------------------------------------------------------------------------------ */

typedef struct gi_fill_job {
    char       *data;
    const char *element;
    size_t      itemsize;
    bool        bytes_alike; /* 0 and -1: then memset will do */
} gi_fill_job;

static void gi_fill_range(int64_t begin, int64_t end, void *job)
{
    const size_t       longest = 1 << 15; /* so that what is copied from stays in the nearest cache */
    const gi_fill_job *j       = (const gi_fill_job *)job;
    char              *p       = j->data + (size_t)begin * j->itemsize;
    size_t             bytes   = (size_t)(end - begin) * j->itemsize;
    if (j->bytes_alike) {
        memset(p, j->element[0], bytes);
        return;
    }
    memcpy(p, j->element, j->itemsize);
    for (size_t done = j->itemsize, n; done < bytes; done += n) { /* what is filled is copied behind itself */
        n = done < longest ? done : longest;
        if (n > bytes - done) n = bytes - done;
        memcpy(p + done, p, n);
    }
}

/* Fills a new array with an element of its dtype. */
static bool gi_fill(const char *site, ga_array *a, const void *element)
{
    GI_IF_CUDA(a->device, gi_cuda_fill(site, a, element));
    (void)site;
    gi_fill_job j = { (char *)a->data, (const char *)element, (size_t)ga_itemsize(a->dtype), true };
    for (size_t i = 1; i < j.itemsize; i++)
        if (j.element[i] != j.element[0]) j.bytes_alike = false;
    gi_parallel(a->size, 1 << 16, gi_fill_range, &j);
    return true;
}

static bool gi_is_number(ga_arg v) { return !v.array && v.kind != GA_KIND_ARRAY; }

/* The number as one element of a dtype. It must fit: integers as they are (NumPy 2), real numbers after their fraction is
   cut off. */
static bool gi_number_element(const char *site, ga_arg v, ga_dtype dtype, void *element)
{
    bool fits = v.kind == GA_KIND_COMPLEX ? gi_is_complex(dtype) : gi_number_fits(v, dtype);
    if (fits) gi_number_to(v, dtype, element);
    if (v.kind == GA_KIND_REAL && gi_is_int(dtype)) { /* it has been limited to the range of the dtype: has that changed it? */
        double back;
        gi_cast(GA_F64, dtype, 1, &back, element);
        fits = back == trunc(v.re);
    }
    if (fits) return true;
    char text[64];
    gi_number_text(v, text, sizeof text);
    gi_fail(site, GA_BAD_DTYPE, "%s does not fit %s", text, ga_dtype_name(dtype));
    return false;
}

/* Which memory do the options ask for? */
static gi_memory gi_memory_of(const ga_new_options *o) { return o->pinned ? GI_PINNED : o->managed ? GI_MANAGED : GI_ORDINARY; }

/* A new array of the options' kind, with any content. */
static ga_array *gi_new_empty(int ndim, const int64_t *shape, const ga_new_options *o)
{
    ga_device device = o->device != GA_DEVICE_DEFAULT ? o->device : gi_default_device;
    if (o->pinned && o->managed)
        return (ga_array *)gi_fail(o->site, GA_BAD_ARGUMENT, "memory is .pinned or .managed, not both");
    if (o->pinned && device == GA_CUDA)
        return (ga_array *)gi_fail(o->site, GA_BAD_DEVICE,
                                   ".pinned memory is on the CPU: leave it out, or say .device = GA_CPU");
    if (o->managed && device == GA_CPU)
        return (ga_array *)gi_fail(o->site, GA_BAD_DEVICE, ".managed memory is of the GPU: say .device = GA_CUDA");
    return gi_new_in(o->site, gi_memory_of(o), o->dtype, device, ndim, shape);
}

static ga_array *gi_new_full(int ndim, const int64_t *shape, ga_arg value, ga_new_options o)
{
    const char *site = o.site;
    ga_array   *a    = gi_new_empty(ndim, shape, &o);
    if (!a) return NULL;
    bool done = true;
    if (gi_is_number(value)) {
        ga_c128 element; /* room and alignment for an element of any dtype */
        done = gi_number_element(site, value, a->dtype, &element);
        done = done && gi_fill(site, a, &element);
    } else {
        ga_shape all;
        all.ndim = ndim;
        for (int d = 0; d < ndim; d++) all.n[d] = shape[d];
        ga_array *stretched = (ga_broadcast_to)(value.array, all, site);
        done                = stretched && gi_assign(site, a, stretched);
        ga_free(stretched);
    }
    if (done) return a;
    ga_free(a);
    return NULL;
}

ga_array *(ga_empty_n)(int ndim, const int64_t *shape, ga_new_options o) { return gi_new_empty(ndim, shape, &o); }
ga_array *(ga_empty)(ga_shape shape, ga_new_options o) { return gi_new_empty(shape.ndim, shape.n, &o); }
ga_array *(ga_zeros_n)(int ndim, const int64_t *shape, ga_new_options o) { return gi_new_full(ndim, shape, GA_ARG(0), o); }
ga_array *(ga_zeros)(ga_shape shape, ga_new_options o) { return gi_new_full(shape.ndim, shape.n, GA_ARG(0), o); }
ga_array *(ga_ones)(ga_shape shape, ga_new_options o) { return gi_new_full(shape.ndim, shape.n, GA_ARG(1), o); }

ga_array *(ga_full)(ga_shape shape, ga_arg value, ga_new_options o)
{
    if (!gi_is_number(value) && !gi_check(o.site, value.array, "value")) return NULL;
    if (o.dtype == GA_DTYPE_DEFAULT) o.dtype = value.array ? value.array->dtype : gi_number_dtype(value);
    return gi_new_full(shape.ndim, shape.n, value, o);
}

ga_array *(ga_scalar)(ga_arg value, ga_new_options o)
{
    ga_shape none = { 0, { 0 } };
    return (ga_full)(none, value, o);
}

/* What is not given is taken from a. */
static bool gi_like(const ga_array *a, ga_new_options *o)
{
    if (!gi_is_array(o->site, a, "a")) return false;
    if (o->dtype == GA_DTYPE_DEFAULT) o->dtype = a->dtype;
    if (o->device == GA_DEVICE_DEFAULT) o->device = a->device;
    return true;
}

ga_array *(ga_empty_like)(const ga_array *a, ga_new_options o)
{
    return gi_like(a, &o) ? gi_new_empty(a->ndim, a->shape, &o) : NULL;
}
ga_array *(ga_full_like)(const ga_array *a, ga_arg value, ga_new_options o)
{
    return gi_like(a, &o) ? gi_new_full(a->ndim, a->shape, value, o) : NULL;
}
ga_array *(ga_zeros_like)(const ga_array *a, ga_new_options o) { return (ga_full_like)(a, GA_ARG(0), o); }
ga_array *(ga_ones_like)(const ga_array *a, ga_new_options o) { return (ga_full_like)(a, GA_ARG(1), o); }

/* ---- memory and numbers of the caller ---------------------------------------------------------------------------- */

static ga_array *gi_wrap(const char *site, void *p, ga_dtype dtype, const ga_shape *shape, const int64_t *strides)
{
    gi_layout l;
    int64_t   c_strides[GPUARR_MAX_DIMS];
    l.data = (char *)p;
    l.ndim = shape->ndim;
    if (!gi_is_dtype(dtype))
        return (ga_array *)gi_fail(site, GA_BAD_DTYPE, "%d is not a dtype: use GA_F64, GA_I32 ...", (int)dtype);
    if (shape->ndim < 0 || shape->ndim > GPUARR_MAX_DIMS)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "%d dimensions; at most %d are possible", shape->ndim, GPUARR_MAX_DIMS);
    for (int d = 0; d < l.ndim; d++)
        if (shape->n[d] < 0)
            return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "shape %s has a negative length",
                                       gi_shape_text(shape->ndim, shape->n));
    int64_t bytes = gi_c_strides(dtype, shape->ndim, shape->n, c_strides);
    if (bytes < 0)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "shape %s has more elements than can be counted",
                                   gi_shape_text(shape->ndim, shape->n));
    if (bytes > 0 && !p) return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT, "the pointer is NULL");
    int64_t reach = ga_itemsize(dtype);
    for (int d = 0; d < l.ndim; d++) {
        int64_t far;
        l.shape[d]   = shape->n[d];
        l.strides[d] = strides ? strides[d] : c_strides[d];
        if (bytes == 0) continue;
        if (l.strides[d] == INT64_MIN || __builtin_mul_overflow(l.shape[d] - 1, l.strides[d], &far) ||
            __builtin_add_overflow(reach, far < 0 ? -far : far, &reach))
            return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT, "the strides %s reach beyond any memory",
                                       gi_shape_text(l.ndim, strides));
    }
    if (!gi_is_aligned(dtype, &l))
        return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT,
                                   "the elements are not aligned as %s must be: copy them to aligned memory first",
                                   ga_dtype_name(dtype));
    gi_buffer *b = (gi_buffer *)gi_alloc(site, sizeof *b);
    if (!b) return NULL;
    memset(b, 0, sizeof *b);
    b->references = 1;
    b->device     = GA_CPU;
    b->base       = p;
    b->bytes      = bytes == 0 ? 0 : (size_t)reach;
    b->wrapped    = true;
    return gi_new_handle(site, b, p, dtype, GA_CPU, l.ndim, l.shape, l.strides);
}

static ga_array *gi_wrap_with(void *p, ga_dtype dtype, const ga_shape *shape, const int64_t *strides, const ga_wrap_options *o)
{
    ga_device device = o->device == GA_DEVICE_DEFAULT ? GA_CPU : o->device;
    if (!gi_has_device(o->site, device)) return NULL;
#if GI_HAS_CUDA
    int  ordinal = gi_cuda_selected;
    bool managed = false;
    if (!gi_cuda_owner(o->site, p, device, &ordinal, &managed)) return NULL;
#endif
    ga_array *a = gi_wrap(o->site, p, dtype, shape, strides);
    if (!a) return NULL;
#if GI_HAS_CUDA
    if (device == GA_CUDA) {
        a->device = a->owner->device = device;
        a->owner->memory             = managed ? GI_MANAGED : GI_ORDINARY;
        a->owner->ordinal            = ordinal;
        a->owner->stream             = (ga_stream)gi_cuda_stream(ordinal);
        a->owner->thread             = &gi_cuda_selected;
    }
#endif
    a->owner->release = o->release; /* only now, so that after an error the memory is still the caller's */
    a->owner->user    = o->user;
    return a;
}

ga_array *(ga_wrap)(void *p, ga_dtype dtype, ga_shape shape, ga_wrap_options o)
{
    return gi_wrap_with(p, dtype, &shape, NULL, &o);
}

ga_array *(ga_wrap_strided)(void *p, ga_dtype dtype, ga_shape shape, ga_shape strides, ga_wrap_options o)
{
    if (strides.ndim != shape.ndim)
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE,
                                   "%d strides for %d dimensions: give the bytes from one element to the next on each axis",
                                   strides.ndim, shape.ndim);
    return gi_wrap_with(p, dtype, &shape, strides.n, &o);
}

ga_array *(ga_from)(const void *p, ga_dtype dtype, ga_shape shape, ga_new_options o)
{
    ga_array *numbers = gi_wrap(o.site, (void *)p, dtype, &shape, NULL);
    if (!numbers) return NULL;
    if (o.dtype == GA_DTYPE_DEFAULT) o.dtype = dtype;
    ga_array *a    = gi_new_empty(shape.ndim, shape.n, &o);
    bool      done = a != NULL;
#if GI_HAS_CUDA
    if (a && a->device == GA_CUDA) done = gi_cuda_upload(o.site, a, numbers);
    else
#endif
        done = done && gi_assign(o.site, a, numbers);
    if (a && !done) {
        ga_free(a);
        a = NULL;
    }
    ga_free(numbers);
    return a;
}

/* ---- numbers for the caller -------------------------------------------------------------------------------------- */

/* The address of the only element, or of the one at *index; NULL with an error. */
static const void *gi_element_at(const char *site, const ga_array *a, const ga_shape *index)
{
    if (!gi_check(site, a, "a")) return NULL;
    if (!index) {
        if (a->size == 1) return a->data;
        return gi_fail(site, GA_BAD_SHAPE, "shape %s has %lld elements, not one: use ga_item_at(a, ...)", gi_shape_of(a),
                       (long long)a->size);
    }
    if (index->ndim != a->ndim) return gi_fail(site, GA_BAD_ARGUMENT, "%d indices for %d dimensions", index->ndim, a->ndim);
    const char *p = (const char *)a->data;
    for (int d = 0; d < a->ndim; d++) {
        int64_t i = index->n[d], length = a->shape[d];
        if (i < -length || i >= length)
            return gi_fail(site, GA_BAD_ARGUMENT, "index %lld is out of bounds for axis %d with length %lld", (long long)i, d,
                           (long long)length);
        p += (i < 0 ? i + length : i) * a->strides[d];
    }
    return p;
}

/* The element as a double or an int64. */
static bool gi_item_as(const char *site, const ga_array *a, const ga_shape *index, ga_dtype dtype, void *number)
{
    const void *p = gi_element_at(site, a, index);
    if (!p) return false;
    if (gi_is_complex(a->dtype)) {
        gi_fail(site, GA_BAD_DTYPE, "a %s is two numbers: take ga_real or ga_imag first", ga_dtype_name(a->dtype));
        return false;
    }
#if GI_HAS_CUDA
    char element[16]; /* room for one of any dtype */
    if (a->device == GA_CUDA) {
        int selected     = gi_cuda_selected; /* one number may come from any GPU */
        gi_cuda_selected = gi_cuda_ordinal(a);
        bool read        = gi_cuda_touch(site, a) && gi_cuda_read(site, a, element, p, (size_t)ga_itemsize(a->dtype));
        gi_cuda_selected = selected;
        if (!read) return false;
        p = element;
    }
#endif
    gi_cast(dtype, a->dtype, 1, number, p);
    return true;
}

double(ga_item)(const ga_array *a, const char *site)
{
    double x;
    return gi_item_as(site, a, NULL, GA_F64, &x) ? x : (double)NAN;
}

int64_t(ga_item_int)(const ga_array *a, const char *site)
{
    int64_t x;
    return gi_item_as(site, a, NULL, GA_I64, &x) ? x : 0;
}

double(ga_item_at)(const ga_array *a, ga_shape index, const char *site)
{
    double x;
    return gi_item_as(site, a, &index, GA_F64, &x) ? x : (double)NAN;
}

int64_t(ga_item_int_at)(const ga_array *a, ga_shape index, const char *site)
{
    int64_t x;
    return gi_item_as(site, a, &index, GA_I64, &x) ? x : 0;
}

/* Are the elements of exactly this dtype, one behind the other? */
static bool gi_is_plain(const char *site, const ga_array *a, ga_dtype dtype)
{
    if (a->dtype != dtype)
        gi_fail(site, GA_BAD_DTYPE, "the array is %s, not %s: ga_astype first", ga_dtype_name(a->dtype), ga_dtype_name(dtype));
    else if (!ga_is_contiguous(a))
        gi_fail(site, GA_BAD_SHAPE, "the elements do not lie one behind the other: ga_ascontiguous first");
    else return true;
    return false;
}

void *(ga_data)(const ga_array *a, ga_dtype dtype, const char *site)
{
    if (!gi_check(site, a, "a")) return NULL;
    if (a->device != GA_CPU && (!a->owner || a->owner->memory != GI_MANAGED))
        return gi_fail(site, GA_BAD_DEVICE, "the array is on the GPU: ga_to(a, GA_CPU) first");
    if (!gi_is_plain(site, a, dtype)) return NULL;
    GI_IF_CUDA(a->device, gi_cuda_managed_data(site, a));
    return a->data;
}

/* ---- arrays that are computed from the number of each element ---------------------------------------------------- */
/* A generator writes elements begin to begin + n - 1 of an array, packed, in its own dtype; begin is a multiple of 4. Each
   element depends on its number alone, so threads may share the work as they like. */

typedef void (*gi_cpu_generator)(const void *plan, int64_t begin, int64_t n, void *out);
#if GI_HAS_CUDA
typedef bool (*gi_gpu_generator)(const char *site, ga_array *a, const void *plan); /* fills a whole new array */
static bool gi_cuda_make_arange_i64(const char *site, ga_array *a, const void *plan);
static bool gi_cuda_make_arange_f64(const char *site, ga_array *a, const void *plan);
static bool gi_cuda_make_arange_f32(const char *site, ga_array *a, const void *plan);
static bool gi_cuda_make_linspace(const char *site, ga_array *a, const void *plan);
static bool gi_cuda_make_random(const char *site, ga_array *a, const void *plan);
#define GI_GENERATOR(name)                                                                                                     \
    {                                                                                                                          \
        gi_make_##name, gi_cuda_make_##name                                                                                    \
    }
#else
typedef void *gi_gpu_generator;
#define GI_GENERATOR(name)                                                                                                     \
    {                                                                                                                          \
        gi_make_##name, NULL                                                                                                   \
    }
#endif
typedef struct gi_generator {
    gi_cpu_generator cpu;
    gi_gpu_generator gpu;
} gi_generator;

enum { GI_GENERATE_BLOCK = 512, GI_GENERATE_CHUNK = 1 << 13 }; /* elements; multiples of 4 */

typedef struct gi_generate_job {
    gi_cpu_generator generator;
    const void      *plan;
    ga_dtype         from, to;
    char            *data;
} gi_generate_job;

static void gi_generate_range(int64_t begin, int64_t end, void *job)
{
    const gi_generate_job *j        = (const gi_generate_job *)job;
    int64_t                itemsize = ga_itemsize(j->to);
    double                 block[GI_GENERATE_BLOCK]; /* generators make at most 8 bytes an element */
    if (j->from == j->to) {
        j->generator(j->plan, begin, end - begin, j->data + begin * itemsize);
        return;
    }
    for (int64_t i = begin, n; i < end; i += n) {
        n = end - i;
        if (n > GI_GENERATE_BLOCK) n = GI_GENERATE_BLOCK;
        j->generator(j->plan, i, n, block);
        gi_cast(j->to, j->from, n, j->data + i * itemsize, block);
    }
}

#if GI_HAS_CUDA
static bool gi_cuda_generate(const char *site, ga_array *a, ga_dtype from, gi_gpu_generator generator, const void *plan);
#endif

/* A new array of `dtype` whose elements the generator makes as `from`. */
static ga_array *gi_generate(const char *site, ga_dtype dtype, ga_device device, const ga_shape *shape, ga_dtype from,
                             gi_generator generator, const void *plan)
{
    ga_array *a = gi_new(site, dtype, device, shape->ndim, shape->n);
    if (!a) return NULL;
#if GI_HAS_CUDA
    if (a->device == GA_CUDA) {
        if (gi_cuda_generate(site, a, from, generator.gpu, plan)) return a;
        ga_free(a);
        return NULL;
    }
#endif
    gi_generate_job j = { generator.cpu, plan, from, a->dtype, (char *)a->data };
    gi_parallel(a->size, GI_GENERATE_CHUNK, gi_generate_range, &j);
    return a;
}

static ga_shape gi_line(int64_t n)
{
    ga_shape shape = { 1, { n } };
    return shape;
}

/* ---- sequences --------------------------------------------------------------------------------------------------- */

GI_BEGIN_FAST

/* NumPy computes arange from its first two elements: start + i * (second - start), integers in int64, float32 in float32. */
typedef struct gi_arange_plan {
    int64_t start_int, delta_int;
    double  start, second, delta;
} gi_arange_plan;

GI_FORMULA int64_t gi_arange_i64(const gi_arange_plan *p, int64_t i)
{
    return (int64_t)((uint64_t)p->start_int + (uint64_t)i * (uint64_t)p->delta_int); /* the product alone may overflow */
}
GI_FORMULA double gi_arange_f64(const gi_arange_plan *p, int64_t i)
{
    return i == 1 ? p->second : p->start + gi_mul_f64((double)i, p->delta);
}
GI_FORMULA float gi_arange_f32(const gi_arange_plan *p, int64_t i)
{
    return i == 1 ? (float)p->second : (float)p->start + gi_mul_f32((float)i, (float)p->delta);
}

static void gi_make_arange_i64(const void *plan, int64_t begin, int64_t n, void *out)
{
    for (int64_t i = 0; i < n; i++) ((int64_t *)out)[i] = gi_arange_i64((const gi_arange_plan *)plan, begin + i);
}
static void gi_make_arange_f64(const void *plan, int64_t begin, int64_t n, void *out)
{
    for (int64_t i = 0; i < n; i++) ((double *)out)[i] = gi_arange_f64((const gi_arange_plan *)plan, begin + i);
}
static void gi_make_arange_f32(const void *plan, int64_t begin, int64_t n, void *out)
{
    for (int64_t i = 0; i < n; i++) ((float *)out)[i] = gi_arange_f32((const gi_arange_plan *)plan, begin + i);
}

typedef struct gi_linspace_plan {
    double  start, stop, delta, factor, divisor;
    int64_t last;        /* the element that is exactly stop; -1: none */
    bool    tiny, whole; /* a step that rounds to 0: divide first; round down for an integer dtype */
} gi_linspace_plan;

GI_FORMULA double gi_linspace_f64(const gi_linspace_plan *p, int64_t i)
{
    double x = (double)i;
    x        = p->tiny ? gi_mul_f64(x / p->divisor, p->delta) : gi_mul_f64(x, p->factor);
    return i == p->last ? p->stop : x + p->start;
}

static void gi_make_linspace(const void *plan, int64_t begin, int64_t n, void *out)
{
    const gi_linspace_plan *p = (const gi_linspace_plan *)plan;
    double                 *x = (double *)out;
    for (int64_t i = 0; i < n; i++) x[i] = gi_linspace_f64(p, begin + i);
    for (int64_t i = 0; i < n && p->whole; i++) x[i] = floor(x[i]);
}

GI_END_FAST

static const gi_generator gi_arange_generator_i64 = GI_GENERATOR(arange_i64);
static const gi_generator gi_arange_generator_f64 = GI_GENERATOR(arange_f64);
static const gi_generator gi_arange_generator_f32 = GI_GENERATOR(arange_f32);
static const gi_generator gi_linspace_generator   = GI_GENERATOR(linspace);

/* How many of start, start + step ... lie before stop. -1: so many that they cannot be counted. */
static int64_t gi_range_length_int(int64_t start, int64_t stop, int64_t step)
{
    if (step > 0 ? start >= stop : start <= stop) return 0;
    uint64_t span  = step > 0 ? (uint64_t)stop - (uint64_t)start : (uint64_t)start - (uint64_t)stop;
    uint64_t width = step > 0 ? (uint64_t)step : 0 - (uint64_t)step, n = (span - 1) / width + 1;
    return n > (uint64_t)INT64_MAX ? -1 : (int64_t)n;
}
static int64_t gi_range_length(double start, double stop, double step)
{
    double n = (stop - start) / step;
    if (n == 0 && stop != start) return signbit(n) ? 0 : 1; /* a quotient too small for a double */
    n = ceil(n);
    return n < 9e18 ? (n > 0 ? (int64_t)n : 0) : -1; /* NaN as well */
}

/* start, stop and step of a range: int64 if all three are integers, else float64. */
typedef struct gi_range {
    bool    integers;
    int64_t start_int, stop_int, step_int;
    double  start, stop, step;
} gi_range;

/* The length of the range; -1 with an error. */
static int64_t gi_range_count(const char *site, const gi_range *r)
{
    if (r->step == 0) {
        gi_fail(site, GA_BAD_ARGUMENT, "the step is 0");
        return -1;
    }
    int64_t n =
        r->integers ? gi_range_length_int(r->start_int, r->stop_int, r->step_int) : gi_range_length(r->start, r->stop, r->step);
    if (n < 0)
        gi_fail(site, GA_BAD_ARGUMENT, "from %g to %g in steps of %g are no number of elements that can be counted", r->start,
                r->stop, r->step);
    return n;
}

/* The first two elements as integers of the dtype, so that the others follow as NumPy's; false with an error if any element
   does not fit. */
static bool gi_arange_integers(const char *site, const gi_range *r, int64_t n, ga_dtype dtype, gi_arange_plan *p)
{
    bool fits = true;
    if (r->integers) { /* all lie between start and stop */
        p->start_int = r->start_int;
        p->delta_int = r->step_int;
    } else {
        double first = trunc(r->start), delta = n < 2 ? 0 : trunc(p->second) - first, last = first + (double)(n - 1) * delta;
        fits = fabs(first) < 4e18 && fabs(last) < 4e18;
        if (fits) {
            p->start_int = (int64_t)first;
            p->delta_int = (int64_t)delta;
        }
    }
    if (n > 0 && fits) {
        long long first = p->start_int, last = gi_arange_i64(p, n - 1);
        fits = gi_number_fits(GA_ARG(first), dtype) && gi_number_fits(GA_ARG(last), dtype);
    }
    if (!fits) gi_fail(site, GA_BAD_DTYPE, "from %g to %g: not every number fits %s", r->start, r->stop, ga_dtype_name(dtype));
    return fits;
}

static ga_array *gi_arange(const char *site, const gi_range *r, ga_dtype dtype, ga_device device)
{
    int64_t        n     = gi_range_count(site, r);
    ga_shape       shape = gi_line(n);
    gi_arange_plan p     = { 0, 0, r->start, r->start + r->step, 0 };
    if (n < 0) return NULL;
    if (dtype == GA_DTYPE_DEFAULT) dtype = r->integers ? GA_I64 : GA_F64;
    if (gi_is_int(dtype) || (dtype == GA_BOOL && n <= 2)) {
        if (!gi_arange_integers(site, r, n, dtype, &p)) return NULL;
        return gi_generate(site, dtype, device, &shape, GA_I64, gi_arange_generator_i64, &p);
    }
    if (dtype == GA_BOOL) return (ga_array *)gi_fail(site, GA_BAD_DTYPE, "a range of bool has no third element");
    if (gi_real_dtype(dtype) == GA_F32) {
        p.delta = (float)p.second - (float)p.start;
        return gi_generate(site, dtype, device, &shape, GA_F32, gi_arange_generator_f32, &p);
    }
    p.delta = p.second - p.start;
    return gi_generate(site, dtype, device, &shape, GA_F64, gi_arange_generator_f64, &p);
}

ga_array *(ga_arange)(ga_arg start, ga_arg stop, ga_arg step, ga_new_options o)
{
    const ga_arg given[3] = { start, stop, step };
    double       real[3];
    gi_range     r;
    r.integers = true;
    for (int i = 0; i < 3; i++) {
        if (!gi_is_number(given[i]) || given[i].kind == GA_KIND_COMPLEX || given[i].kind == GA_KIND_UINT)
            return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT,
                                       "start, stop and step must be real numbers, integers within int64");
        bool integer = given[i].kind != GA_KIND_REAL;
        real[i]      = integer ? (double)given[i].i : given[i].re;
        if (!integer) r.integers = false;
    }
    r.start_int = start.i;
    r.stop_int  = stop.i;
    r.step_int  = step.i;
    r.start     = real[0];
    r.stop      = real[1];
    r.step      = real[2];
    return gi_arange(o.site, &r, o.dtype, o.device);
}

ga_array *(ga_linspace)(double start, double stop, int64_t num, ga_linspace_options o)
{
    if (num < 0) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "%lld numbers: give 0 or more", (long long)num);
    int64_t          divisor = o.no_endpoint ? num : num - 1;
    ga_shape         shape   = gi_line(num);
    gi_linspace_plan p       = { start, stop, stop - start, stop - start, (double)divisor, -1, false, false };
    if (divisor > 0) {
        p.factor = p.delta / p.divisor;
        p.tiny   = p.factor == 0;
    }
    if (!o.no_endpoint && num > 1) p.last = num - 1;
    p.whole = gi_is_int(o.dtype);
    return gi_generate(o.site, o.dtype, o.device, &shape, GA_F64, gi_linspace_generator, &p);
}

ga_array *(ga_logspace)(double start, double stop, int64_t num, ga_linspace_options o)
{
    ga_dtype dtype = o.dtype ? o.dtype : GA_F64;
    double   base  = o.base == 0 ? 10 : o.base;
    if (!gi_is_dtype(dtype))
        return (ga_array *)gi_fail(o.site, GA_BAD_DTYPE, "%d is not a dtype: use GA_F64, GA_I32 ...", (int)dtype);
    o.dtype             = GA_F64;
    ga_array *exponents = (ga_linspace)(start, stop, num, o);
    if (!exponents) return NULL;
    ga_map_options in_place = gi_map_site(o.site);
    in_place.out            = exponents;
    ga_array *powers        = (ga_power)(GA_ARG(base), GA_ARG(exponents), in_place);
    if (powers && dtype == GA_F64) return powers;
    ga_array *result = powers ? gi_convert(o.site, powers, dtype) : NULL;
    ga_free(exponents);
    return result;
}

ga_array *(ga_eye)(int64_t rows, int64_t cols, int64_t k, ga_new_options o)
{
    ga_shape  shape = { 2, { rows, cols } };
    ga_array *eye   = (ga_zeros)(shape, o);
    if (!eye) return NULL;
    ga_array *diagonal = (ga_diagonal)(eye, k, o.site);
    ga_array *one      = (ga_scalar)(GA_ARG(true), o);
    bool      done     = diagonal && one && gi_assign(o.site, diagonal, one);
    ga_free(diagonal);
    ga_free(one);
    if (done) return eye;
    ga_free(eye);
    return NULL;
}

/* ---- coordinates ------------------------------------------------------------------------------------------------- */

/* to[..., i, ...] = line[i], where i is the index along `axis`. */
static bool gi_put_coordinates(const char *site, ga_array *to, int axis, const ga_array *line)
{
    int64_t shape[GPUARR_MAX_DIMS], strides[GPUARR_MAX_DIMS];
    for (int d = 0; d < to->ndim; d++) {
        shape[d]   = d == axis ? line->shape[0] : 1;
        strides[d] = d == axis ? line->strides[0] : 0;
    }
    ga_array *standing = gi_new_view(site, line, line->data, line->dtype, to->ndim, shape, strides);
    bool      done     = standing && gi_assign(site, to, standing);
    ga_free(standing);
    return done;
}

/* The same for the part to[k], along its axis k. */
static bool gi_put_coordinates_at(const char *site, ga_array *to, int k, const ga_array *line)
{
    ga_array *part = (ga_index)(site, to, "%d", k);
    bool      done = part && gi_put_coordinates(site, part, k, line);
    ga_free(part);
    return done;
}

static void gi_free_all(int n, ga_array **arrays)
{
    for (int i = 0; i < n; i++) {
        ga_free(arrays[i]);
        arrays[i] = NULL;
    }
}

bool(ga_meshgrid_n)(int n, const ga_array *const *in, ga_array **outs, bool ij, const char *site)
{
    if (n < 0 || n > GPUARR_MAX_DIMS) {
        gi_fail(site, GA_BAD_ARGUMENT, "%d arrays; an array has at most %d dimensions", n, GPUARR_MAX_DIMS);
        return false;
    }
    if (n > 0 && (!in || !outs)) {
        gi_fail(site, GA_BAD_ARGUMENT, "the list of %s is NULL", in ? "results" : "arrays");
        return false;
    }
    for (int i = 0; i < n; i++) outs[i] = NULL;
    int64_t shape[GPUARR_MAX_DIMS];
    int     axes[GPUARR_MAX_DIMS]; /* along which each array runs */
    for (int i = 0; i < n; i++) {
        if (!gi_check(site, in[i], "an array of the list")) return false;
        axes[i]        = !ij && i < 2 && n >= 2 ? 1 - i : i;
        shape[axes[i]] = in[i]->size;
    }
    if (gi_common_device(site, n, in) == GA_DEVICE_DEFAULT) return false;
    for (int i = 0; i < n; i++) {
        ga_array *line = (ga_reshape)(in[i], gi_line(in[i]->size), site); /* of any shape, as NumPy takes it */
        if (line) outs[i] = gi_new(site, in[i]->dtype, in[i]->device, n, shape);
        bool done = outs[i] && gi_put_coordinates(site, outs[i], axes[i], line);
        ga_free(line);
        if (done) continue;
        gi_free_all(n, outs);
        return false;
    }
    return true;
}

bool(ga_meshgrid)(const ga_array *x, const ga_array *y, ga_array **xx, ga_array **yy, bool ij, const char *site)
{
    const ga_array *in[2] = { x, y };
    ga_array       *outs[2];
    if (!xx || !yy) {
        gi_fail(site, GA_BAD_ARGUMENT, "give the addresses of two array pointers for the results");
        return false;
    }
    bool done = (ga_meshgrid_n)(2, in, outs, ij, site);
    *xx       = outs[0];
    *yy       = outs[1];
    return done;
}

/* A new array (ndim, shape...) for one coordinate of each element along each axis. */
static ga_array *gi_new_grid(const char *site, ga_dtype dtype, ga_device device, const ga_shape *shape)
{
    ga_shape all;
    if (shape->ndim < 0 || shape->ndim >= GPUARR_MAX_DIMS)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE,
                                   "the grid has %d dimensions and one more for its axes; at most %d are possible", shape->ndim,
                                   GPUARR_MAX_DIMS);
    all.ndim = shape->ndim + 1;
    all.n[0] = shape->ndim;
    for (int d = 0; d < shape->ndim; d++) all.n[d + 1] = shape->n[d];
    return gi_new(site, dtype, device, all.ndim, all.n);
}

ga_array *(ga_indices)(ga_shape shape, ga_new_options o)
{
    ga_array *grid = gi_new_grid(o.site, o.dtype ? o.dtype : GA_I64, o.device, &shape);
    for (int k = 0; grid && k < shape.ndim; k++) {
        gi_range  r    = { true, 0, shape.n[k], 1, 0, (double)shape.n[k], 1 };
        ga_array *line = gi_arange(o.site, &r, GA_I64, grid->device);
        bool      done = line && gi_put_coordinates_at(o.site, grid, k, line);
        ga_free(line);
        if (done) continue;
        ga_free(grid);
        return NULL;
    }
    return grid;
}

/* One slice of ga_mgrid. With a count ("5j") it goes from start to stop in that many points. */
typedef struct gi_grid_slice {
    gi_range range;
    bool     counted;
    int64_t  count;
} gi_grid_slice;

/* Reads a number if there is one at *p, with blanks around it; else it changes nothing. */
static bool gi_read_number(const char **p, double *real, int64_t *integer, bool *whole)
{
    const char *start = *p;
    if (gi_read_integer(p, integer) && !strchr(".eE", **p ? **p : ',')) {
        *real = (double)*integer;
        return true;
    }
    *p = start;
    while (gi_is_blank(**p)) ++*p;
    if (strspn(*p, "+-.0123456789") == 0) return false; /* strtod would take nan, too */
    char  *end;
    double x = strtod(*p, &end);
    if (end == *p) return false;
    *real  = x;
    *whole = false;
    *p     = end;
    while (gi_is_blank(**p)) ++*p;
    return true;
}

/* Reads start:stop:step at *p, up to a comma or the end. */
static bool gi_read_grid_slice(const char **p, gi_grid_slice *s)
{
    gi_range *r        = &s->range;
    bool      whole[3] = { true, true, true };
    memset(s, 0, sizeof *s);
    r->step     = 1;
    r->step_int = 1;
    gi_read_number(p, &r->start, &r->start_int, &whole[0]); /* 0 if there is none */
    if (**p != ':') return false;
    ++*p;
    if (!gi_read_number(p, &r->stop, &r->stop_int, &whole[1])) return false;
    if (**p == ':') {
        ++*p;
        if (gi_read_number(p, &r->step, &r->step_int, &whole[2]) && **p == 'j') {
            ++*p;
            while (gi_is_blank(**p)) ++*p;
            if (!(fabs(r->step) < 9e18)) return false;
            s->counted = true;
            s->count   = (int64_t)fabs(r->step);
        }
    }
    r->integers = whole[0] && whole[1] && whole[2] && !s->counted;
    return **p == 0 || **p == ',';
}

/* The coordinates along one axis; `alone`: as numpy.arange rounds, otherwise start + i * step. */
static ga_array *gi_grid_line(const char *site, const gi_grid_slice *s, bool alone, ga_device device)
{
    const gi_range *r = &s->range;
    if (!s->counted && (r->integers || alone)) return gi_arange(site, r, GA_DTYPE_DEFAULT, device);
    int64_t        n     = s->counted ? s->count : gi_range_count(site, r);
    ga_shape       shape = gi_line(n);
    gi_arange_plan p     = { 0, 0, r->start, 0, r->step };
    if (n < 0) return NULL;
    if (s->counted) p.delta = n == 1 ? 1 : (r->stop - r->start) / (double)(n - 1);
    p.second = p.start + p.delta;
    return gi_generate(site, GA_F64, device, &shape, GA_F64, gi_arange_generator_f64, &p);
}

ga_array *(ga_mgrid)(const char *slices, ga_new_options o)
{
    gi_grid_slice s[GPUARR_MAX_DIMS];
    ga_array     *lines[GPUARR_MAX_DIMS] = { NULL };
    int           n                      = 0;
    bool          comma = false, integers = true, done = true;
    const char   *p = slices ? slices : "";
    do {
        if (n == GPUARR_MAX_DIMS)
            return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "\"%.200s\" has more than %d slices", slices, GPUARR_MAX_DIMS);
        if (!gi_read_grid_slice(&p, &s[n]))
            return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT,
                                       "slice %d of \"%.200s\" is not start:stop, start:stop:step or start:stop:5j", n + 1,
                                       slices ? slices : "");
        if (!s[n++].range.integers) integers = false;
        if (*p == ',') comma = true, p++;
        while (gi_is_blank(*p)) p++;
    } while (*p);
    ga_dtype dtype = o.dtype ? o.dtype : integers ? GA_I64 : GA_F64;
    ga_shape shape;
    shape.ndim = n;
    for (int k = 0; k < n && done; k++) {
        lines[k] = gi_grid_line(o.site, &s[k], !comma, o.device);
        done     = lines[k] != NULL;
        if (done) shape.n[k] = lines[k]->size;
    }
    ga_array *grid = NULL;
    if (done && !comma) { /* a single slice gives a single line */
        grid = gi_convert(o.site, lines[0], dtype);
    } else if (done) {
        grid = gi_new_grid(o.site, dtype, o.device, &shape);
        done = grid != NULL;
        for (int k = 0; k < n && done; k++) done = gi_put_coordinates_at(o.site, grid, k, lines[k]);
    }
    gi_free_all(n, lines);
    if (done) return grid;
    ga_free(grid);
    return NULL;
}

/* ---- repetition -------------------------------------------------------------------------------------------------- */

/* Copies one part of a into another. */
static bool gi_copy_part(const char *site, const ga_array *a, const gi_layout *to, const gi_layout *from)
{
    ga_array *dst = gi_view_with(site, a, to), *src = dst ? gi_view_with(site, a, from) : NULL;
    bool      done = src && gi_assign(site, dst, src);
    ga_free(dst);
    ga_free(src);
    return done;
}

/* `filled` has the extent of a's first copy; it is doubled along each axis until all is full, the last axis first. */
static bool gi_tile_from_corner(const char *site, const ga_array *a, gi_layout *filled)
{
    for (int d = a->ndim - 1; d >= 0; d--) {
        int64_t have = filled->shape[d], all = a->shape[d];
        for (int64_t n; have < all; have += n) {
            gi_layout from = *filled, to = *filled;
            n             = have < all - have ? have : all - have;
            from.shape[d] = to.shape[d] = n;
            to.data += have * a->strides[d];
            if (!gi_copy_part(site, a, &to, &from)) return false;
        }
        filled->shape[d] = all;
    }
    return true;
}

#if GI_HAS_CUDA
/* On a GPU one launch is better than many: a is read as (1, n), stretched to (repetitions, n), for each axis. False: these are more
   axes than an array has. */
static bool gi_tile_layouts(const ga_array *tiled, const ga_array *a, gi_layout *to, gi_layout *from)
{
    int missing = tiled->ndim - a->ndim;
    *to         = gi_layout_of(tiled);
    *from       = gi_layout_of(a);
    to->ndim = from->ndim = 0;
    for (int d = 0; d < tiled->ndim; d++) {
        int64_t n = d < missing ? 1 : a->shape[d - missing], repetitions = tiled->shape[d] / n;
        if (to->ndim + 2 > GPUARR_MAX_DIMS) return false;
        if (repetitions > 1) {
            gi_layout_append(to, repetitions, n * tiled->strides[d]);
            gi_layout_append(from, repetitions, 0);
        }
        if (n == 1) continue;
        gi_layout_append(to, n, tiled->strides[d]);
        gi_layout_append(from, n, a->strides[d - missing]);
    }
    return true;
}

static bool gi_tile_at_once(const char *site, const ga_array *tiled, const ga_array *a, const gi_layout *to,
                            const gi_layout *from)
{
    ga_array *dst = gi_view_with(site, tiled, to), *src = dst ? gi_view_with(site, a, from) : NULL;
    bool      done = src && gi_assign(site, dst, src);
    ga_free(src);
    ga_free(dst);
    return done;
}
#endif

ga_array *(ga_tile)(const ga_array *a, ga_shape reps, const char *site)
{
    if (!gi_check(site, a, "a")) return NULL;
    if (reps.ndim < 0 || reps.ndim > GPUARR_MAX_DIMS)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "%d dimensions; at most %d are possible", reps.ndim, GPUARR_MAX_DIMS);
    int     ndim = a->ndim > reps.ndim ? a->ndim : reps.ndim;
    int64_t shape[GPUARR_MAX_DIMS], once[GPUARR_MAX_DIMS];
    for (int d = 0; d < ndim; d++) { /* the shorter one is right-aligned, with ones before */
        int64_t rep = d < ndim - reps.ndim ? 1 : reps.n[d - (ndim - reps.ndim)];
        once[d]     = d < ndim - a->ndim ? 1 : a->shape[d - (ndim - a->ndim)];
        if (rep < 0 || __builtin_mul_overflow(once[d], rep, &shape[d]))
            return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT, "%s cannot be repeated %s times", gi_shape_of(a),
                                       gi_shape_text(reps.ndim, reps.n));
    }
    ga_array *tiled = gi_new(site, a->dtype, a->device, ndim, shape);
    if (!tiled || tiled->size == 0) return tiled;
    gi_layout corner = gi_layout_of(tiled);
#if GI_HAS_CUDA
    gi_layout stretched;
    if (a->device == GA_CUDA && gi_tile_layouts(tiled, a, &corner, &stretched)) {
        if (gi_tile_at_once(site, tiled, a, &corner, &stretched)) return tiled;
        ga_free(tiled);
        return NULL;
    }
    corner = gi_layout_of(tiled);
#endif
    memcpy(corner.shape, once, sizeof once);
    ga_array *first = gi_view_with(site, tiled, &corner);
    bool      done  = first && gi_assign(site, first, a) && gi_tile_from_corner(site, tiled, &corner);
    ga_free(first);
    if (done) return tiled;
    ga_free(tiled);
    return NULL;
}

/* An array (outer, n, inner) as (outer, n, repeats, inner): each of the n is written `repeats` times. */
static bool gi_repeat_into(const char *site, ga_array *to, const ga_array *a, int64_t outer, int64_t n, int64_t repeats,
                           int64_t inner)
{
    const ga_shape one_each = { 4, { outer, n, 1, inner } }, all = { 4, { outer, n, repeats, inner } };
    ga_array      *packed = gi_contiguous(site, a, a->dtype);
    ga_array      *src    = packed ? (ga_reshape)(packed, one_each, site) : NULL;
    ga_array      *dst    = src ? (ga_reshape)(to, all, site) : NULL;
    bool           done   = dst && gi_assign(site, dst, src);
    ga_free(dst);
    ga_free(src);
    ga_free(packed);
    return done;
}

ga_array *(ga_repeat)(const ga_array *a, int64_t repeats, ga_axis_options o)
{
    if (!gi_check(o.site, a, "a")) return NULL;
    if (repeats < 0) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "%lld repeats: give 0 or more", (long long)repeats);
    if (o.out || o.dtype) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "ga_repeat has no other option than .axis");
    gi_layout l     = gi_layout_of(a);
    int       axis  = 0;
    int64_t   outer = 1, inner = 1;
    if (o.axis != 0 || gi_option_given(o.site, "axis")) {
        axis = gi_axis(o.site, o.axis, a->ndim);
        if (axis < 0) return NULL;
    } else {
        l.ndim     = 1;
        l.shape[0] = a->size;
    }
    int64_t n = l.shape[axis];
    for (int d = 0; d < axis; d++) outer *= l.shape[d];
    for (int d = axis + 1; d < l.ndim; d++) inner *= l.shape[d];
    if (__builtin_mul_overflow(n, repeats, &l.shape[axis]))
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "%lld repeats of %lld elements are more than can be counted",
                                   (long long)repeats, (long long)n);
    ga_array *repeated = gi_new(o.site, a->dtype, a->device, l.ndim, l.shape);
    if (!repeated || repeated->size == 0 || gi_repeat_into(o.site, repeated, a, outer, n, repeats, inner)) return repeated;
    ga_free(repeated);
    return NULL;
}

/* ---- random numbers ---------------------------------------------------------------------------------------------- */
/* Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3; SC 2011) turns a counter and a
   key into four random words. The key is the seed; the counter is the stream and the number of a block of elements, so that
   every element can be computed alone. */

GI_BEGIN_FAST

typedef struct gi_philox_words {
    uint32_t w[4];
} gi_philox_words;

GI_FORMULA gi_philox_words gi_philox_round(gi_philox_words x, uint64_t key, uint32_t round)
{
    uint32_t        key0 = (uint32_t)key + round * 0x9E3779B9u, key1 = (uint32_t)(key >> 32) + round * 0xBB67AE85u;
    uint64_t        left = (uint64_t)0xD2511F53u * x.w[0], right = (uint64_t)0xCD9E8D57u * x.w[2];
    gi_philox_words y = { { (uint32_t)(right >> 32) ^ x.w[1] ^ key0, (uint32_t)right, (uint32_t)(left >> 32) ^ x.w[3] ^ key1,
                            (uint32_t)left } };
    return y;
}

GI_FORMULA gi_philox_words gi_philox(uint64_t counter, uint64_t stream, uint64_t key)
{
    gi_philox_words x = { { (uint32_t)counter, (uint32_t)(counter >> 32), (uint32_t)stream, (uint32_t)(stream >> 32) } };
    x                 = gi_philox_round(x, key, 0); /* ten rounds; no loop, so that compilers vectorise over counters */
    x                 = gi_philox_round(x, key, 1);
    x                 = gi_philox_round(x, key, 2);
    x                 = gi_philox_round(x, key, 3);
    x                 = gi_philox_round(x, key, 4);
    x                 = gi_philox_round(x, key, 5);
    x                 = gi_philox_round(x, key, 6);
    x                 = gi_philox_round(x, key, 7);
    x                 = gi_philox_round(x, key, 8);
    return gi_philox_round(x, key, 9);
}

typedef enum gi_random_kind { GI_UNIFORM_F32, GI_UNIFORM_F64, GI_INTEGERS, GI_NORMAL } gi_random_kind;

typedef struct gi_random_plan {
    gi_random_kind kind;
    uint64_t       seed, stream;
    uint64_t       low, span;   /* integers: low <= x < low + span, modulo 2**64 */
    double         mean, sigma; /* normal numbers */
} gi_random_plan;

/* Numbers in [0, 1): 24 bits of a word; 53 bits of two, of which both parts and their sum are exact. */
GI_FORMULA float  gi_unit_f32(uint32_t w) { return (float)(int32_t)(w >> 8) * 0x1p-24f; }
GI_FORMULA double gi_unit_f64(uint32_t low, uint32_t high)
{
    return gi_mul_f64((double)(int32_t)(high >> 6), 0x1p-26) +
           gi_mul_f64((double)(int32_t)((high & 63) << 21 | low >> 11), 0x1p-53);
}

/* The upper half of the 128 bits of a * b. */
GI_FORMULA uint64_t gi_multiply_high(uint64_t a, uint64_t b)
{
    uint64_t a_low = (uint32_t)a, a_high = a >> 32, b_low = (uint32_t)b, b_high = b >> 32;
    uint64_t middle = a_high * b_low + (a_low * b_low >> 32);
    return a_high * b_high + (middle >> 32) + ((a_low * b_high + (uint32_t)middle) >> 32);
}

/* low + bits * span / 2**64 would be slightly biased. Lemire (2019): draw again when the lower half of the product is below
   2**64 modulo span. Elements are fewer than 2**48, so the counters from attempt * 2**48 on are free for element i's next
   attempts. */
GI_FORMULA int64_t gi_random_integer(const gi_random_plan *p, uint64_t bits, int64_t i)
{
    if (bits * p->span < p->span) {
        uint64_t least = (0 - p->span) % p->span;
        for (uint64_t attempt = 1; bits * p->span < least; attempt++) {
            gi_philox_words x = gi_philox((attempt << 48) + (uint64_t)i, p->stream, p->seed);
            bits              = (uint64_t)x.w[1] << 32 | x.w[0];
        }
    }
    return (int64_t)(p->low + gi_multiply_high(bits, p->span));
}

/* Box and Muller (1958): a point at a random angle whose squared distance is exponentially distributed has two independent
   normal coordinates. */
GI_FORMULA double gi_normal_pair(const gi_random_plan *p, gi_philox_words x, double *second)
{
    double unit     = gi_unit_f64(x.w[0], x.w[1]) + 0x1p-53; /* in (0, 1]: it has a logarithm */
    double distance = gi_root_f64(gi_mul_f64(-2.0, gi_log_core_f64(unit)));
    double angle    = gi_mul_f64(0x1.921fb54442d18p+2, gi_unit_f64(x.w[2], x.w[3]));
    *second         = p->mean + gi_mul_f64(p->sigma, gi_mul_f64(distance, gi_sin_core_f64(angle)));
    return p->mean + gi_mul_f64(p->sigma, gi_mul_f64(distance, gi_cos_core_f64(angle)));
}

/* The words of many counters, word by word, so that the loops over them vectorise. */
enum { GI_COUNTERS = 64 };
typedef struct gi_random_words {
    uint32_t w[4][GI_COUNTERS];
} gi_random_words;

static GI_INLINE void gi_random_fill(const gi_random_plan *p, uint64_t counter, gi_random_words *b)
{
    GI_VECTORIZE
    for (int i = 0; i < GI_COUNTERS; i++) {
        gi_philox_words x = gi_philox(counter + (uint64_t)i, p->stream, p->seed);
        b->w[0][i]        = x.w[0];
        b->w[1][i]        = x.w[1];
        b->w[2][i]        = x.w[2];
        b->w[3][i]        = x.w[3];
    }
}

/* Elements begin to begin + 4 * GI_COUNTERS - 1: four from each counter. */
static GI_INLINE void gi_uniform_f32_block(const gi_random_plan *p, int64_t begin, float *x)
{
    gi_random_words b;
    gi_random_fill(p, (uint64_t)begin / 4, &b);
    GI_VECTORIZE
    for (int i = 0; i < GI_COUNTERS; i++) {
        x[4 * i]     = gi_unit_f32(b.w[0][i]);
        x[4 * i + 1] = gi_unit_f32(b.w[1][i]);
        x[4 * i + 2] = gi_unit_f32(b.w[2][i]);
        x[4 * i + 3] = gi_unit_f32(b.w[3][i]);
    }
}

/* Elements begin to begin + 2 * GI_COUNTERS - 1: two from each counter. */
static GI_INLINE void gi_uniform_f64_block(const gi_random_plan *p, int64_t begin, double *x)
{
    gi_random_words b;
    gi_random_fill(p, (uint64_t)begin / 2, &b);
    GI_VECTORIZE
    for (int i = 0; i < GI_COUNTERS; i++) {
        x[2 * i]     = gi_unit_f64(b.w[0][i], b.w[1][i]);
        x[2 * i + 1] = gi_unit_f64(b.w[2][i], b.w[3][i]);
    }
}

static GI_INLINE void gi_integers_block(const gi_random_plan *p, int64_t begin, int64_t *x)
{
    gi_random_words b;
    gi_random_fill(p, (uint64_t)begin / 2, &b);
    for (int i = 0; i < GI_COUNTERS; i++) {
        x[2 * i]     = gi_random_integer(p, (uint64_t)b.w[1][i] << 32 | b.w[0][i], begin + 2 * i);
        x[2 * i + 1] = gi_random_integer(p, (uint64_t)b.w[3][i] << 32 | b.w[2][i], begin + 2 * i + 1);
    }
}

static GI_INLINE void gi_normal_block(const gi_random_plan *p, int64_t begin, double *x)
{
    gi_random_words b;
    gi_random_fill(p, (uint64_t)begin / 2, &b);
    GI_VECTORIZE
    for (int i = 0; i < GI_COUNTERS; i++) {
        gi_philox_words words = { { b.w[0][i], b.w[1][i], b.w[2][i], b.w[3][i] } };
        double          second;
        x[2 * i]     = gi_normal_pair(p, words, &second);
        x[2 * i + 1] = second;
    }
}

static GI_INLINE void gi_random_blocks(const gi_random_plan *p, int64_t begin, int64_t n, void *out)
{
    double  last[2 * GI_COUNTERS]; /* the last block, of which only a part is wanted */
    int64_t each = p->kind == GI_UNIFORM_F32 ? 4 * GI_COUNTERS : 2 * GI_COUNTERS, itemsize = (int64_t)sizeof last / each;
    for (int64_t i = 0; i < n; i += each) {
        void *to = i + each <= n ? (char *)out + i * itemsize : (char *)last;
        switch (p->kind) {
        case GI_UNIFORM_F32: gi_uniform_f32_block(p, begin + i, (float *)to); break;
        case GI_UNIFORM_F64: gi_uniform_f64_block(p, begin + i, (double *)to); break;
        case GI_INTEGERS: gi_integers_block(p, begin + i, (int64_t *)to); break;
        default: gi_normal_block(p, begin + i, (double *)to); break;
        }
        if (to == last) memcpy((char *)out + i * itemsize, last, (size_t)((n - i) * itemsize));
    }
}

/* The same loops for two instruction sets. */
static void gi_random_baseline(const gi_random_plan *p, int64_t begin, int64_t n, void *out)
{
    gi_random_blocks(p, begin, n, out);
}
#if GI_HAS_X86
__attribute__((target("avx2,fma,bmi,bmi2"))) static void gi_random_avx2(const gi_random_plan *p, int64_t begin, int64_t n,
                                                                        void *out)
{
    gi_random_blocks(p, begin, n, out);
}
#endif

static void gi_make_random(const void *plan, int64_t begin, int64_t n, void *out)
{
    const gi_random_plan *p = (const gi_random_plan *)plan;
#if GI_HAS_X86
    if (gi_cpu_isa() >= GI_ISA_AVX2) {
        gi_random_avx2(p, begin, n, out);
        return;
    }
#endif
    gi_random_baseline(p, begin, n, out);
}

GI_END_FAST

static const gi_generator gi_random_generator = GI_GENERATOR(random);

/* The dtype of random numbers that are not integers; GA_DTYPE_DEFAULT with an error. */
static ga_dtype gi_random_dtype(const ga_random_options *o)
{
    ga_dtype dtype = o->dtype ? o->dtype : GA_F64;
    if (gi_is_float(dtype)) return dtype;
    gi_fail(o->site, GA_BAD_DTYPE, "%s: random numbers are float32 or float64; for integers use ga_random_integers",
            ga_dtype_name(dtype));
    return GA_DTYPE_DEFAULT;
}

ga_array *(ga_random)(ga_shape shape, ga_random_options o)
{
    ga_dtype       dtype = gi_random_dtype(&o);
    gi_random_plan p     = { dtype == GA_F32 ? GI_UNIFORM_F32 : GI_UNIFORM_F64, o.seed, o.stream, 0, 0, 0, 0 };
    if (!dtype) return NULL;
    return gi_generate(o.site, dtype, o.device, &shape, dtype, gi_random_generator, &p);
}

ga_array *(ga_random_normal)(double mean, double sigma, ga_shape shape, ga_random_options o)
{
    ga_dtype       dtype = gi_random_dtype(&o);
    gi_random_plan p     = { GI_NORMAL, o.seed, o.stream, 0, 0, mean, sigma };
    if (!dtype) return NULL;
    if (!(sigma >= 0)) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "sigma is %g; it must be 0 or more", sigma);
    return gi_generate(o.site, dtype, o.device, &shape, GA_F64, gi_random_generator, &p);
}

ga_array *(ga_random_integers)(int64_t low, int64_t high, ga_shape shape, ga_random_options o)
{
    ga_dtype       dtype = o.dtype ? o.dtype : GA_I64;
    gi_random_plan p     = { GI_INTEGERS, o.seed, o.stream, (uint64_t)low, (uint64_t)high - (uint64_t)low, 0, 0 };
    if (low >= high)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "there is no integer from %lld to below %lld", (long long)low,
                                   (long long)high);
    if (!gi_is_int(dtype))
        return (ga_array *)gi_fail(o.site, GA_BAD_DTYPE, "%s: random integers need an integer dtype", ga_dtype_name(dtype));
    if (!gi_number_fits(GA_ARG((long long)low), dtype) || !gi_number_fits(GA_ARG((long long)(high - 1)), dtype))
        return (ga_array *)gi_fail(o.site, GA_BAD_DTYPE, "not every integer from %lld to below %lld fits %s", (long long)low,
                                   (long long)high, ga_dtype_name(dtype));
    return gi_generate(o.site, dtype, o.device, &shape, GA_I64, gi_random_generator, &p);
}

/* ==== >>reduce: reductions along the documented tree ================================================================= */
/*  The elements that go into one result, in C order of the reduced axes, are a line. A line is cut into blocks of 1024 from its start;
    each block is folded by halves (gpuarr_cpu.h, >>folds), and so are the results of the blocks, again and again, until one is left.
    Neither threads nor strides change that order, so a result has the same bits however the array lies in memory.             */

typedef struct gi_lines {
    const ga_array *a;
    ga_dtype        dtype;         /* in which the elements are folded */
    int             kept, reduced; /* axes, joined where possible */
    int64_t         kept_shape[GPUARR_MAX_DIMS], kept_strides[GPUARR_MAX_DIMS];
    int64_t         shape[GPUARR_MAX_DIMS], strides[GPUARR_MAX_DIMS]; /* of the reduced axes */
    int64_t         lines, length;
    int             result_ndim;
    int64_t         result_shape[GPUARR_MAX_DIMS];
} gi_lines;

#if GI_HAS_CUDA
static bool      gi_cuda_folds_wider(ga_op op, ga_dtype dtype);
static bool      gi_cuda_reduce(const char *site, ga_op op, const gi_lines *p, ga_array *result);
static bool      gi_cuda_real_moment(const char *site, int what, bool skip_nan, bool shifted, int ddof, const gi_lines *p,
                                     ga_array *result);
static bool      gi_cuda_join_parts(const char *site, int what, ga_array *re, const ga_array *im, double n, int ddof);
static bool      gi_cuda_find_places(const char *site, bool largest, bool skip_nan, const gi_lines *p, ga_array *places,
                                     bool *nothing);
static ga_array *gi_cuda_dot(const char *site, const ga_array *a, const ga_array *b, ga_dtype dtype);
#endif

/* Which axes? Marks them; -1 with an error for an axis that does not exist or is named twice. */
static int gi_marked_axes(const char *site, int ndim, int axis, const ga_shape *axes, bool *marked)
{
    int count = 0;
    for (int d = 0; d < ndim; d++) marked[d] = false;
    if (axes->ndim > 0) {
        for (int k = 0; k < axes->ndim; k++) {
            int d = axes->n[k] < INT_MIN || axes->n[k] > INT_MAX ? gi_axis(site, INT_MAX, ndim)
                                                                 : gi_axis(site, (int)axes->n[k], ndim);
            if (d < 0) return -1;
            if (marked[d]) {
                gi_fail(site, GA_BAD_ARGUMENT, "axis %d is named twice", d);
                return -1;
            }
            marked[d] = true;
            count++;
        }
        return count;
    }
    if (ndim == 0 && (axis == 0 || axis == -1)) return 0; /* NumPy lets a number be reduced along its one imagined axis */
    if (axis != 0 || gi_option_given(site, "axis")) {
        int d = gi_axis(site, axis, ndim);
        if (d < 0) return -1;
        marked[d] = true;
        return 1;
    }
    for (int d = 0; d < ndim; d++) marked[d] = true;
    return ndim;
}

/* Adds an axis behind others, to the last one where they lie in memory as one. */
static void gi_join_axis(int *ndim, int64_t *shape, int64_t *strides, int64_t length, int64_t stride)
{
    int last = *ndim - 1;
    if (length == 1) return;
    if (last >= 0 && strides[last] == stride * length) {
        shape[last] *= length;
        strides[last] = stride;
        return;
    }
    shape[*ndim]       = length;
    strides[(*ndim)++] = stride;
}

/* Divides the axes of a into kept and reduced ones. False with an error. */
static bool gi_plan_lines(const char *site, gi_lines *p, const ga_array *a, ga_dtype dtype, int axis, const ga_shape *axes,
                          bool keepdims)
{
    bool marked[GPUARR_MAX_DIMS];
    memset(p, 0, sizeof *p);
    p->a      = a;
    p->dtype  = dtype;
    p->length = 1;
    p->lines  = 1;
    if (gi_marked_axes(site, a->ndim, axis, axes, marked) < 0) return false;
    for (int d = 0; d < a->ndim; d++) {
        if (!marked[d]) {
            gi_join_axis(&p->kept, p->kept_shape, p->kept_strides, a->shape[d], a->strides[d]);
            p->lines *= a->shape[d];
            p->result_shape[p->result_ndim++] = a->shape[d];
            continue;
        }
        gi_join_axis(&p->reduced, p->shape, p->strides, a->shape[d], a->strides[d]);
        p->length *= a->shape[d];
        if (keepdims) p->result_shape[p->result_ndim++] = 1;
    }
    if (p->reduced == 0) { /* one element a line */
        p->shape[0]   = 1;
        p->strides[0] = ga_itemsize(a->dtype);
        p->reduced    = 1;
    }
    return true;
}

static const char *gi_line_start(const gi_lines *p, int64_t line)
{
    const char *at = (const char *)p->a->data;
    for (int d = p->kept - 1; d >= 0; d--) {
        at += line % p->kept_shape[d] * p->kept_strides[d];
        line /= p->kept_shape[d];
    }
    return at;
}

/* How far element `index` of a line lies behind its first one. */
static int64_t gi_offset_in_line(const gi_lines *p, int64_t index)
{
    int64_t offset = 0;
    for (int d = p->reduced - 1; d > 0; d--) {
        offset += index % p->shape[d] * p->strides[d];
        index /= p->shape[d];
    }
    return offset + index * p->strides[0];
}

/* The elements start .. start + n (at most a block) of a line, packed, as p->dtype. raw and cast hold a block of any dtype. */
static const void *gi_read_line(const gi_lines *p, int64_t line, int64_t start, int64_t n, void *raw, void *cast)
{
    int         size = (int)ga_itemsize(p->a->dtype), inner = p->reduced - 1;
    const char *first  = gi_line_start(p, line);
    const void *packed = raw;
    if (p->reduced == 1 && p->strides[0] == size) {
        packed = first + start * size;
    } else {
        for (int64_t done = 0; done < n;) {
            int64_t index = start + done, run = p->shape[inner] - index % p->shape[inner];
            if (run > n - done) run = n - done;
            gi_gather(size, run, (char *)raw + done * size, first + gi_offset_in_line(p, index), p->strides[inner]);
            done += run;
        }
    }
    if (p->dtype == p->a->dtype) return packed;
    gi_cast(p->dtype, p->a->dtype, n, cast, packed);
    return cast;
}

/* How a line is folded: by a row of the table. */
typedef struct gi_reduction {
    gi_lines lines;
    gi_fold  fold;
    int      result_bytes;
    char    *result; /* packed results, one a line */
    char    *accs;   /* of the blocks of each line, or NULL when a line has only one */
    int64_t  blocks;
    int64_t  columns, width; /* of lines that are folded side by side: as many beside each other, as many at once */
} gi_reduction;

#define GI_ACC_BYTES 16 /* of the largest accumulator */

/* ---- lines one after the other ----------------------------------------------------------------------------------------- */

/* Reads a byte of each cache line in the order that the processor foresees, before loops that read from eight places at once. */
static void gi_touch(const void *p, int64_t bytes)
{
    const char *c   = (const char *)p;
    int         any = 0;
    for (int64_t i = 0; i < bytes; i += 64) any |= c[i];
    __asm__ volatile("" : : "r"(any));
}

/* A unit is a block of a line. */
static void gi_reduce_blocks(int64_t begin, int64_t end, void *job)
{
    gi_reduction                     *r = (gi_reduction *)job;
    const gi_lines                   *p = &r->lines;
    __attribute__((aligned(64))) char raw[GI_BLOCK * 16], cast[GI_BLOCK * 16], acc[GI_ACC_BYTES];
    int64_t                           size = ga_itemsize(p->a->dtype), line = begin / r->blocks, block = begin % r->blocks;
    bool                              direct = p->reduced == 1 && p->strides[0] == size && p->dtype == p->a->dtype;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t     start = block * GI_BLOCK, n = p->length - start < GI_BLOCK ? p->length - start : GI_BLOCK;
        const void *x = gi_read_line(p, line, start, n, raw, cast);
        if (direct) gi_touch(x, n * size);
        r->fold.block(n, r->accs ? r->accs + unit * r->fold.acc_bytes : acc, x);
        if (!r->accs) r->fold.end(1, r->result + line * r->result_bytes, acc, p->length);
        if (++block < r->blocks) continue;
        block = 0;
        line++;
    }
}

/* Folds the accumulators of a line's blocks, and their results again, until the first one holds the whole line. */
static void gi_fold_blocks(void (*halve)(int64_t n, void *accs), int bytes, void *accs, int64_t blocks)
{
    char *acc = (char *)accs;
    for (int64_t n = blocks; n > 1; n = (n + GI_BLOCK - 1) / GI_BLOCK)
        for (int64_t b = 0; b * GI_BLOCK < n; b++) {
            halve(n - b * GI_BLOCK < GI_BLOCK ? n - b * GI_BLOCK : GI_BLOCK, acc + b * GI_BLOCK * bytes);
            memmove(acc + b * bytes, acc + b * GI_BLOCK * bytes, (size_t)bytes);
        }
}

static void gi_reduce_lines(int64_t begin, int64_t end, void *job)
{
    gi_reduction *r = (gi_reduction *)job;
    for (int64_t line = begin; line < end; line++) {
        char *accs = r->accs + line * r->blocks * r->fold.acc_bytes;
        gi_fold_blocks(r->fold.halve, r->fold.acc_bytes, accs, r->blocks);
        r->fold.end(1, r->result + line * r->result_bytes, accs, r->lines.length);
    }
}

/* ---- lines side by side -------------------------------------------------------------------------------------------------- */
/*  A reduction over the first axis, say: neighbouring lines lie closer together than the elements of a line. Then a panel of them is
    folded row by row, each step of the tree for all of them at once.                                                          */

#define GI_PANEL_BYTES  8192 /* of the accumulators of a panel, */
#define GI_PANEL_WIDTH  1024 /* and at most so many lines, */
#define GI_PANEL_NARROW 128  /* or these, when rows must be gathered */
#define GI_PANEL_LEVELS 11   /* accumulators of the steps of the tree that are open at a time */
#define GI_SHORT_LINE   32   /* shorter lines are not worth being folded one after the other */

typedef struct gi_panel {
    const gi_lines *lines;
    int64_t         first, count; /* the lines */
    int64_t         start, n;     /* which of their elements: a block of them */
    char           *raw, *cast;   /* room for eight rows that must be gathered or cast */
} gi_panel;

/* How many lines lie beside each other, a constant step apart? 1 if they are better read one after the other. */
static int64_t gi_line_columns(const gi_lines *p)
{
    int64_t size = ga_itemsize(p->a->dtype);
    if (p->kept == 0) return 1;
    int64_t columns = p->kept_shape[p->kept - 1], apart = p->kept_strides[p->kept - 1], along = p->strides[p->reduced - 1];
    if (apart < 0) apart = -apart;
    if (along < 0) along = -along;
    if (apart == size && along > size) return columns;
    return columns >= 16 && (apart < along || p->length < GI_SHORT_LINE) ? columns : 1;
}

static bool gi_is_packed_row(const gi_lines *p)
{
    return p->dtype == p->a->dtype && p->kept_strides[p->kept - 1] == ga_itemsize(p->a->dtype);
}

/* Element k of the block of each line of a panel, packed, as the dtype of the lines; slot: which of the eight rows it is. */
static const void *gi_read_row(const gi_panel *s, int64_t k, int slot)
{
    const gi_lines *p    = s->lines;
    const char     *at   = gi_line_start(p, s->first) + gi_offset_in_line(p, s->start + k);
    int64_t         size = ga_itemsize(p->a->dtype), stride = p->kept_strides[p->kept - 1], room = GI_PANEL_NARROW * 16;
    if (gi_is_packed_row(p)) return at;
    gi_gather((int)size, s->count, s->raw + slot * room, at, stride);
    if (p->dtype == p->a->dtype) return s->raw + slot * room;
    gi_cast(p->dtype, p->a->dtype, s->count, s->cast + slot * room, s->raw + slot * room);
    return s->cast + slot * room;
}

/* Folds the elements k, k + step, k + 2 step ... of the block, for each line: the last step of the tree joins those at even places with
   those at odd ones. `more` has room for the accumulators of open steps. */
static void gi_fold_rows(const gi_fold *f, const gi_panel *s, int64_t k, int64_t step, char *accs, char *more)
{
    int64_t rows = (s->n - k + step - 1) / step;
    if (rows == 1) {
        f->widen(s->count, accs, gi_read_row(s, k, 0));
    } else if (rows == 8) {
        const void *x[8];
        for (int r = 0; r < 8; r++) x[r] = gi_read_row(s, k + r * step, r);
        f->rows(s->count, accs, x);
    } else {
        gi_fold_rows(f, s, k, 2 * step, accs, more);
        gi_fold_rows(f, s, k + step, 2 * step, more, more + s->count * f->acc_bytes);
        f->join(s->count, accs, more);
    }
}

/* The panel number `unit` of lines that lie `columns` beside each other, without its block of elements. */
static gi_panel gi_panel_of(const gi_lines *p, int64_t columns, int64_t width, int64_t unit)
{
    int64_t  panels = (columns + width - 1) / width, column = unit % panels * width;
    gi_panel s;
    memset(&s, 0, sizeof s);
    s.lines = p;
    s.first = unit / panels * columns + column;
    s.count = columns - column < width ? columns - column : width;
    return s;
}

/* A unit is a block of a panel. The accumulators of the blocks of `columns` lines lie block by block. */
static void gi_reduce_panels(int64_t begin, int64_t end, void *job)
{
    gi_reduction                     *r    = (gi_reduction *)job;
    const gi_lines                   *p    = &r->lines;
    int64_t                           size = r->fold.acc_bytes;
    __attribute__((aligned(64))) char room[GI_PANEL_LEVELS * GI_PANEL_BYTES];
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t  block = unit % r->blocks;
        gi_panel s     = gi_panel_of(p, r->columns, r->width, unit / r->blocks);
        s.start        = block * GI_BLOCK;
        s.n            = p->length - s.start < GI_BLOCK ? p->length - s.start : GI_BLOCK;
        s.raw          = room + sizeof room - 16 * GI_PANEL_NARROW * 16; /* narrow panels leave it free */
        s.cast         = s.raw + 8 * GI_PANEL_NARROW * 16;
        int64_t column = s.first % r->columns, group = s.first - column;
        char   *accs = r->accs ? r->accs + (group * r->blocks + block * r->columns + column) * size : room;
        gi_fold_rows(&r->fold, &s, 0, 1, accs, room + s.count * size);
        if (!r->accs) r->fold.end(s.count, r->result + s.first * r->result_bytes, accs, p->length);
    }
}

/* A unit is a panel: folds the accumulators of its blocks. */
static void gi_reduce_panel_blocks(int64_t begin, int64_t end, void *job)
{
    gi_reduction *r = (gi_reduction *)job;
    for (int64_t unit = begin; unit < end; unit++) {
        gi_panel s      = gi_panel_of(&r->lines, r->columns, r->width, unit);
        int64_t  column = s.first % r->columns, group = s.first - column, row = r->columns * r->fold.acc_bytes;
        char    *accs = r->accs + (group * r->blocks + column) * r->fold.acc_bytes;
        for (int64_t n = r->blocks; n > 1; n = (n + GI_BLOCK - 1) / GI_BLOCK)
            for (int64_t b = 0; b * GI_BLOCK < n; b++) {
                int64_t m = n - b * GI_BLOCK < GI_BLOCK ? n - b * GI_BLOCK : GI_BLOCK, h = 1;
                char   *first = accs + b * GI_BLOCK * row;
                while (h < m) h *= 2;
                for (h /= 2; h > 0; h /= 2)
                    for (int64_t i = 0; i < h && i + h < m; i++) r->fold.join(s.count, first + i * row, first + (i + h) * row);
                memmove(accs + b * row, first, (size_t)(s.count * r->fold.acc_bytes));
            }
        r->fold.end(s.count, r->result + s.first * r->result_bytes, accs, r->lines.length);
    }
}

/* How many lines of `columns` are folded at once: fewer where there would be too few panels for all threads. */
static int64_t gi_panel_width(const gi_lines *p, int64_t columns, int64_t most, int64_t blocks)
{
    int64_t width = gi_is_packed_row(p) ? most : GI_PANEL_NARROW, threads = ga_get_num_threads();
    while (width > 64 && p->lines / columns * ((columns + width - 1) / width) * blocks < 4 * threads) width /= 2;
    return width;
}

/* Runs a planned reduction of lines that are not empty into r->result. False: no memory. */
static bool gi_reduce(const char *site, gi_reduction *r)
{
    gi_lines *p = &r->lines;
    if (p->lines == 0) return true;
    r->blocks        = (p->length + GI_BLOCK - 1) / GI_BLOCK;
    r->columns       = gi_line_columns(p);
    r->accs          = NULL;
    size_t acc_bytes = 0;
    if (r->blocks > 1) {
        acc_bytes = (size_t)(p->lines * r->blocks) * (size_t)r->fold.acc_bytes;
        r->accs   = (char *)gi_alloc(site, acc_bytes);
        if (!r->accs) return false;
    }
    int64_t rows = p->length < GI_BLOCK ? p->length : GI_BLOCK; /* elements of a block */
    if (r->columns == 1) {
        gi_parallel(p->lines * r->blocks, 1 + 65536 / rows, gi_reduce_blocks, r);
        if (r->accs) gi_parallel(p->lines, 1 + 4096 / r->blocks, gi_reduce_lines, r);
    } else {
        int64_t most   = GI_PANEL_BYTES / r->fold.acc_bytes;
        r->width       = gi_panel_width(p, r->columns, most < GI_PANEL_WIDTH ? most : GI_PANEL_WIDTH, r->blocks);
        int64_t panels = p->lines / r->columns * ((r->columns + r->width - 1) / r->width);
        gi_parallel(panels * r->blocks, 1 + 65536 / (r->width * rows), gi_reduce_panels, r);
        if (r->accs) gi_parallel(panels, 1 + 4096 / (r->width * r->blocks), gi_reduce_panel_blocks, r);
    }
    if (r->accs) gi_release(r->accs, acc_bytes);
    return true;
}

/* Can a result of this dtype and shape be written into .out? False with an error if not. */
static bool gi_check_out(const char *site, const ga_array *out, ga_dtype dtype, int ndim, const int64_t *shape)
{
    if (!gi_check(site, out, ".out")) return false;
    if (!gi_equal_shapes(out->ndim, out->shape, ndim, shape))
        gi_fail(site, GA_BAD_SHAPE, ".out has shape %s, the result %s", gi_shape_of(out), gi_shape_text(ndim, shape));
    else if (!gi_same_kind(dtype, out->dtype))
        gi_fail(site, GA_BAD_DTYPE, "the result is %s and does not go into .out of %s", ga_dtype_name(dtype),
                ga_dtype_name(out->dtype));
    else return true;
    return false;
}

/* Gives the packed result its final dtype and place. Takes over `result` (NULL is passed on). */
static ga_array *gi_finish(const char *site, ga_array *result, ga_dtype dtype, ga_array *out)
{
    if (!result) return NULL;
    if (out) {
        bool ok = gi_check_out(site, out, dtype, result->ndim, result->shape) && gi_assign(site, out, result);
        ga_free(result);
        return ok ? out : NULL;
    }
    if (result->dtype == dtype) return result;
    ga_array *cast = gi_convert(site, result, dtype);
    ga_free(result);
    return cast;
}

/* ---- the rows -------------------------------------------------------------------------------------------------------- */

typedef enum gi_end { GI_ENDS_SUM, GI_ENDS_AVERAGE, GI_ENDS_SAME, GI_ENDS_BOOL, GI_ENDS_COUNT } gi_end;
enum { GI_START_0 = 0, GI_START_1 = 1, GI_START_NONE = -1 };

static ga_dtype gi_end_dtype(gi_end ends, ga_dtype d)
{
    switch (ends) {
    case GI_ENDS_SUM: return d == GA_BOOL || gi_is_signed(d) ? GA_I64 : gi_is_unsigned(d) ? GA_U64 : d;
    case GI_ENDS_AVERAGE: return gi_kind_of(d) < 2 ? GA_F64 : d;
    case GI_ENDS_BOOL: return GA_BOOL;
    case GI_ENDS_COUNT: return GA_I64;
    default: return d;
    }
}

/* What an empty line gives. */
static bool gi_fill_empty(const char *site, ga_array *result, int start, bool mean)
{
    ga_arg v;
    memset(&v, 0, sizeof v);
    v.kind = mean ? GA_KIND_REAL : GA_KIND_INT;
    v.i    = start;
    v.re   = gi_nan_f64();
#if GI_HAS_CUDA
    if (result->device == GA_CUDA) {
        char element[16];
        gi_number_to(v, result->dtype, element);
        return gi_cuda_fill(site, result, element);
    }
#endif
    (void)site;
    for (int64_t i = 0; i < result->size; i++)
        gi_number_to(v, result->dtype, (char *)result->data + i * ga_itemsize(result->dtype));
    return true;
}

/* Checks the call of a row and plans it; *op becomes another row's where that does the same. False with an error. */
static bool gi_plan_row(ga_op *op, const char *name, gi_end ends, int start, const ga_array *a, const ga_reduce_options *o,
                        gi_reduction *r)
{
    bool takes_dtype = ends == GI_ENDS_SUM || ends == GI_ENDS_AVERAGE;
    memset(r, 0, sizeof *r);
    if (o->dtype != GA_DTYPE_DEFAULT && !takes_dtype) return gi_fail(o->site, GA_BAD_DTYPE, "%s takes no .dtype", name), false;
    if (o->dtype != GA_DTYPE_DEFAULT && !gi_is_dtype(o->dtype))
        return gi_fail(o->site, GA_BAD_DTYPE, ".dtype = %d is not a dtype", (int)o->dtype), false;
    if (o->ddof != 0) return gi_fail(o->site, GA_BAD_ARGUMENT, "%s takes no .ddof: that is for ga_std and ga_var", name), false;
    if (!gi_is_float(a->dtype) && !gi_is_complex(a->dtype)) /* no NaN to leave out */
        *op = *op == GA_OP_nansum    ? GA_OP_sum
              : *op == GA_OP_nanprod ? GA_OP_prod
              : *op == GA_OP_nanmin  ? GA_OP_min
              : *op == GA_OP_nanmax  ? GA_OP_max
                                     : *op;
    ga_dtype dtype = ends == GI_ENDS_BOOL || ends == GI_ENDS_COUNT ? GA_BOOL
                     : o->dtype != GA_DTYPE_DEFAULT                ? o->dtype
                                                                   : a->dtype;
    if (!gi_plan_lines(o->site, &r->lines, a, dtype, o->axis, &o->axes, o->keepdims)) return false;
    if (!gi_cpu_fold(*op, dtype, &r->fold))
        return gi_fail(o->site, GA_BAD_DTYPE, "%s does not exist for %s", name, ga_dtype_name(dtype)), false;
    if (r->lines.length == 0 && r->lines.lines > 0 && start == GI_START_NONE)
        return gi_fail(o->site, GA_BAD_SHAPE, "%s of no elements (shape %s): there is none to return", name, gi_shape_of(a)),
               false;
    return true;
}

static ga_array *gi_reduce_row(ga_op op, const char *name, gi_end ends, int start, const ga_array *a, ga_reduce_options o)
{
    gi_reduction r;
    if (!gi_check(o.site, a, "a") || (!o.internal && gi_null_option(o.site, "out", o.out))) return NULL;
    if (!gi_plan_row(&op, name, ends, start, a, &o, &r)) return NULL;
#if GI_HAS_CUDA
    if (a->device == GA_CUDA && r.lines.dtype != a->dtype && gi_cuda_folds_wider(op, r.lines.dtype)) {
        ga_array *narrowed = gi_convert(o.site, a, r.lines.dtype),
                 *folded   = NULL; /* first rounded to the dtype that is asked for */
        if (narrowed) folded = gi_reduce_row(op, name, ends, start, narrowed, o);
        ga_free(narrowed);
        return folded;
    }
#endif
    ga_dtype  end_dtype = gi_end_dtype(ends, r.lines.dtype);
    ga_array *result    = gi_new(o.site, end_dtype, a->device, r.lines.result_ndim, r.lines.result_shape);
    if (!result) return NULL;
    r.result       = (char *)result->data;
    r.result_bytes = (int)ga_itemsize(end_dtype);
    bool ok;
    if (r.lines.length == 0) ok = gi_fill_empty(o.site, result, start, ends == GI_ENDS_AVERAGE);
#if GI_HAS_CUDA
    else if (a->device == GA_CUDA) ok = gi_cuda_reduce(o.site, op, &r.lines, result);
#endif
    else ok = gi_reduce(o.site, &r);
    if (!ok) {
        ga_free(result);
        return NULL;
    }
    if (o.dtype != GA_DTYPE_DEFAULT) result = gi_finish(o.site, result, o.dtype, NULL);
    return gi_finish(o.site, result, o.dtype != GA_DTYPE_DEFAULT ? o.dtype : end_dtype, o.out);
}

#define GA_FOLD(name, dtypes, acc, result, start, ...)                                                                         \
    ga_array *(ga_##name)(const ga_array *a, ga_reduce_options o)                                                              \
    {                                                                                                                          \
        return gi_reduce_row(GA_OP_##name, "ga_" #name, GI_ENDS_##result, GI_START_##start, a, o);                             \
    }
#define GA_TABLE
#include "gpuarr.h"

/* ---- moments: variance, standard deviation, means without NaN -------------------------------------------------------- */
/*  The tree is that of the sums, of nodes; gi_join_nodes says how two join. Elements are taken relative to the first one of the line. */

typedef enum gi_moment { GI_MEAN, GI_VAR, GI_STD } gi_moment;

GI_BEGIN_FAST
/* The moment from the node of all elements. */
GI_FORMULA double gi_moment_value(gi_moment what, bool skip_nan, int ddof, gi_node v)
{
    double r;
    if (what == GI_MEAN) return v.n > 0 ? v.s / v.n : gi_nan_f64();
    if (!gi_isfinite_f64(v.s)) /* something infinite or NaN */
        return gi_nan_f64();
    if (v.n - ddof > 0) r = v.m / (v.n - ddof);
    else /* as NumPy: 0 / 0 for no degrees of freedom */ r = v.m > 0 && !skip_nan ? gi_infinity_f64() : gi_nan_f64();
    return what == GI_STD ? gi_root_f64(r) : r;
}

/* The moment of n complex numbers; `sum`: the variances of their two parts, added. */
GI_FORMULA double gi_complex_moment(gi_moment what, double sum, double n, int ddof)
{
    double left = n - ddof; /* without ddof in the parts' variances, a division by 0 happens to the sum only */
    if (ddof != 0) sum = left > 0 ? gi_mul_f64(sum, n) / left : sum > 0 ? gi_infinity_f64() : gi_nan_f64();
    return what == GI_STD ? gi_root_f64(sum) : sum;
}
GI_END_FAST

typedef struct gi_moments {
    gi_lines             lines;
    gi_moment            what;
    bool                 skip_nan;
    int                  ddof;
    const gi_node_loops *of, *join; /* the loops of the elements, and those of float64 */
    int64_t              blocks, columns, width;
    gi_nodes             nodes; /* of all blocks: those of a line side by side, or of `columns` lines block by block */
    double              *result;
} gi_moments;

#define GI_NODE_WIDTH 256 /* lines side by side */
#define GI_NODE_STEP  128 /* elements of a line that are made nodes at once */

static gi_nodes gi_nodes_from(const gi_nodes *v, int64_t i)
{
    gi_nodes r = { v->n + i, v->s + i, v->m + i };
    return r;
}

/* What the elements of n neighbouring lines are taken relative to. */
static void gi_origins(const gi_moments *r, int64_t line, int64_t n, double *origin)
{
    const gi_lines                   *p = &r->lines;
    __attribute__((aligned(64))) char raw[GI_NODE_WIDTH * 16];
    gi_gather((int)ga_itemsize(p->a->dtype), n, raw, gi_line_start(p, line), n > 1 ? p->kept_strides[p->kept - 1] : 0);
    gi_cast(GA_F64, p->a->dtype, n, origin, raw);
    for (int64_t i = 0; i < n; i++) /* 0: so that nanmean of an array without NaN is its mean */
        if (r->what == GI_MEAN || !gi_isfinite_f64(origin[i])) origin[i] = 0;
}

/* Folds m nodes into the first. */
static void gi_halve_nodes(const gi_node_loops *loops, int64_t m, const gi_nodes *v)
{
    int64_t h = 1;
    while (h < m) h *= 2;
    for (h /= 2; h > 0; h /= 2) {
        gi_nodes more = gi_nodes_from(v, h);
        if (m <= h) continue;
        loops->join_counted(m - h, v, &more);
        m = h;
    }
}

/* The node of n elements, at most a block. `origin` is repeated GI_NODE_STEP times. */
static gi_node gi_block_node(const gi_moments *r, int64_t n, const void *x, const double *origin)
{
    __attribute__((aligned(64))) double count[GI_BLOCK], s[GI_BLOCK], m[GI_BLOCK];
    gi_nodes                            v    = { count, s, m };
    int64_t                             size = ga_itemsize(r->lines.dtype);
    gi_node                             node = { GI_BLOCK, 0, 0 };
    if (n == GI_BLOCK) {
        const void *eighths[8];
        for (int k = 0; k < 8; k++) eighths[k] = (const char *)x + k * GI_NODE_STEP * size;
        r->of->rows(GI_NODE_STEP, &v, eighths, origin);
        for (int h = GI_NODE_STEP / 2; h > 0; h /= 2) {
            gi_nodes more = gi_nodes_from(&v, h);
            r->join->join(h, &v, &more, 1, (double)h / GI_BLOCK);
        }
        node.s = s[0];
        node.m = m[0];
        if (!r->skip_nan || node.s == node.s) return node;
    }
    for (int64_t i = 0; i < n; i += GI_NODE_STEP) {
        gi_nodes part = gi_nodes_from(&v, i);
        r->of->widen(n - i < GI_NODE_STEP ? n - i : GI_NODE_STEP, &part, (const char *)x + i * size, origin, r->skip_nan);
    }
    gi_halve_nodes(r->join, n, &v);
    node.n = count[0];
    node.s = s[0];
    node.m = m[0];
    return node;
}

/* A unit is a block of a line. */
static void gi_moment_blocks(int64_t begin, int64_t end, void *job)
{
    gi_moments                         *r = (gi_moments *)job;
    const gi_lines                     *p = &r->lines;
    __attribute__((aligned(64))) char   raw[GI_BLOCK * 16];
    __attribute__((aligned(64))) double cast[GI_BLOCK], origin[GI_NODE_STEP];
    int64_t                             known = -1;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t line = unit / r->blocks, start = unit % r->blocks * GI_BLOCK;
        int64_t n = p->length - start < GI_BLOCK ? p->length - start : GI_BLOCK;
        if (line != known) {
            gi_origins(r, line, 1, origin);
            for (int i = 1; i < GI_NODE_STEP; i++) origin[i] = origin[0];
            known = line;
        }
        const void *x = gi_read_line(p, line, start, n, raw, cast);
        if (x != raw && x != cast) gi_touch(x, n * ga_itemsize(p->dtype));
        gi_node node     = gi_block_node(r, n, x, origin);
        r->nodes.n[unit] = node.n;
        r->nodes.s[unit] = node.s;
        r->nodes.m[unit] = node.m;
    }
}

static void gi_moment_lines(int64_t begin, int64_t end, void *job)
{
    gi_moments *r = (gi_moments *)job;
    for (int64_t line = begin; line < end; line++) {
        gi_nodes v = gi_nodes_from(&r->nodes, line * r->blocks);
        for (int64_t n = r->blocks; n > 1; n = (n + GI_BLOCK - 1) / GI_BLOCK)
            for (int64_t b = 0; b * GI_BLOCK < n; b++) {
                gi_nodes block = gi_nodes_from(&v, b * GI_BLOCK);
                gi_halve_nodes(r->join, n - b * GI_BLOCK < GI_BLOCK ? n - b * GI_BLOCK : GI_BLOCK, &block);
                v.n[b] = *block.n;
                v.s[b] = *block.s;
                v.m[b] = *block.m;
            }
        gi_node node    = { *v.n, *v.s, *v.m };
        r->result[line] = gi_moment_value(r->what, r->skip_nan, r->ddof, node);
    }
}

/* Joins the elements k, k + step, k + 2 step ... of a block of each line of a panel, as gi_fold_rows does. skip_nan: the counts differ from
   line to line. */
static void gi_join_rows(const gi_moments *r, const gi_panel *p, const double *origin, bool skip_nan, int64_t k, int64_t step,
                         const gi_nodes *to, const gi_nodes *more)
{
    int64_t rows = (p->n - k + step - 1) / step;
    if (rows == 1) {
        r->of->widen(p->count, to, gi_read_row(p, k, 0), origin, skip_nan);
    } else if (rows == 8 && !skip_nan) {
        const void *x[8];
        for (int i = 0; i < 8; i++) x[i] = gi_read_row(p, k + i * step, i);
        r->of->rows(p->count, to, x, origin);
    } else {
        gi_nodes beyond = gi_nodes_from(more, p->count);
        double   b = (double)(rows / 2), a = (double)rows - b;
        gi_join_rows(r, p, origin, skip_nan, k, 2 * step, to, more);
        gi_join_rows(r, p, origin, skip_nan, k + step, 2 * step, more, &beyond);
        if (skip_nan) r->join->join_counted(p->count, to, more);
        else r->join->join(p->count, to, more, a / b, b / gi_mul_f64(a, a + b));
    }
}

/* A unit is a block of a panel of lines. */
static void gi_moment_panels(int64_t begin, int64_t end, void *job)
{
    gi_moments                         *r = (gi_moments *)job;
    const gi_lines                     *p = &r->lines;
    __attribute__((aligned(64))) double count[GI_PANEL_LEVELS * GI_NODE_WIDTH], s[GI_PANEL_LEVELS * GI_NODE_WIDTH],
        m[GI_PANEL_LEVELS * GI_NODE_WIDTH], origin[GI_NODE_WIDTH];
    __attribute__((aligned(64))) char raw[8 * GI_PANEL_NARROW * 16], cast[8 * GI_PANEL_NARROW * 16];
    const gi_nodes                    more = { count, s, m };
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t  block  = unit % r->blocks;
        gi_panel v      = gi_panel_of(p, r->columns, r->width, unit / r->blocks);
        v.start         = block * GI_BLOCK;
        v.n             = p->length - v.start < GI_BLOCK ? p->length - v.start : GI_BLOCK;
        v.raw           = raw;
        v.cast          = cast;
        int64_t  column = v.first % r->columns, group = v.first - column;
        gi_nodes to  = gi_nodes_from(&r->nodes, group * r->blocks + block * r->columns + column);
        bool     nan = false;
        gi_origins(r, v.first, v.count, origin);
        gi_join_rows(r, &v, origin, false, 0, 1, &to, &more);
        for (int64_t i = 0; i < v.count; i++) {
            to.n[i] = (double)v.n;
            nan |= to.s[i] != to.s[i];
        }
        if (r->skip_nan && nan) gi_join_rows(r, &v, origin, true, 0, 1, &to, &more);
    }
}

/* A unit is a panel: joins the nodes of its blocks. */
static void gi_moment_panel_blocks(int64_t begin, int64_t end, void *job)
{
    gi_moments *r = (gi_moments *)job;
    for (int64_t unit = begin; unit < end; unit++) {
        gi_panel p      = gi_panel_of(&r->lines, r->columns, r->width, unit);
        int64_t  column = p.first % r->columns, group = p.first - column;
        gi_nodes v = gi_nodes_from(&r->nodes, group * r->blocks + column);
        for (int64_t n = r->blocks; n > 1; n = (n + GI_BLOCK - 1) / GI_BLOCK)
            for (int64_t b = 0; b * GI_BLOCK < n; b++) {
                int64_t  m = n - b * GI_BLOCK < GI_BLOCK ? n - b * GI_BLOCK : GI_BLOCK, h = 1;
                gi_nodes first = gi_nodes_from(&v, b * GI_BLOCK * r->columns), to = gi_nodes_from(&v, b * r->columns);
                while (h < m) h *= 2;
                for (h /= 2; h > 0; h /= 2)
                    for (int64_t i = 0; i < h && i + h < m; i++) {
                        gi_nodes x = gi_nodes_from(&first, i * r->columns), y = gi_nodes_from(&first, (i + h) * r->columns);
                        r->join->join_counted(p.count, &x, &y);
                    }
                memmove(to.n, first.n, (size_t)p.count * sizeof *to.n);
                memmove(to.s, first.s, (size_t)p.count * sizeof *to.s);
                memmove(to.m, first.m, (size_t)p.count * sizeof *to.m);
            }
        for (int64_t i = 0; i < p.count; i++) {
            gi_node node           = { v.n[i], v.s[i], v.m[i] };
            r->result[p.first + i] = gi_moment_value(r->what, r->skip_nan, r->ddof, node);
        }
    }
}

/* The moment of each line of a real array, as float64. */
static ga_array *gi_real_moment(gi_moment what, bool skip_nan, const ga_array *a, const ga_reduce_options *o)
{
    gi_moments r;
    ga_dtype   dtype = a->dtype == GA_F32 && a->device == GA_CPU ? GA_F32 : GA_F64;
    memset(&r, 0, sizeof r);
    r.what     = what;
    r.skip_nan = skip_nan;
    r.ddof     = o->ddof;
    if (!gi_plan_lines(o->site, &r.lines, a, dtype, o->axis, &o->axes, o->keepdims)) return NULL;
    ga_array *result = gi_new(o->site, GA_F64, a->device, r.lines.result_ndim, r.lines.result_shape);
    if (!result) return NULL;
#if GI_HAS_CUDA
    if (a->device == GA_CUDA) {
        bool ok = r.lines.length > 0 ? gi_cuda_real_moment(o->site, what, skip_nan, what != GI_MEAN, o->ddof, &r.lines, result)
                                     : gi_fill_empty(o->site, result, 0, true);
        if (ok) return result;
        ga_free(result);
        return NULL;
    }
#endif
    const gi_lines *p = &r.lines;
    r.result          = (double *)result->data;
    r.blocks          = (p->length + GI_BLOCK - 1) / GI_BLOCK;
    r.of              = gi_cpu_nodes(dtype);
    r.join            = gi_cpu_nodes(GA_F64);
    int64_t count = p->lines * r.blocks, rows = p->length < GI_BLOCK ? p->length : GI_BLOCK;
    for (int64_t i = 0; i < result->size && r.blocks == 0; i++) r.result[i] = gi_nan_f64();
    if (count == 0) return result;
    r.nodes.n = (double *)gi_alloc(o->site, (size_t)(3 * count) * sizeof(double));
    if (!r.nodes.n) {
        ga_free(result);
        return NULL;
    }
    r.nodes.s = r.nodes.n + count;
    r.nodes.m = r.nodes.s + count;
    r.columns = gi_line_columns(p);
    if (r.columns == 1) {
        gi_parallel(count, 1 + 32768 / rows, gi_moment_blocks, &r);
        gi_parallel(p->lines, 1 + 1024 / r.blocks, gi_moment_lines, &r);
    } else {
        r.width        = gi_panel_width(p, r.columns, GI_NODE_WIDTH, r.blocks);
        int64_t panels = p->lines / r.columns * ((r.columns + r.width - 1) / r.width);
        gi_parallel(panels * r.blocks, 1 + 32768 / (r.width * rows), gi_moment_panels, &r);
        gi_parallel(panels, 1 + 1024 / (r.width * r.blocks), gi_moment_panel_blocks, &r);
    }
    gi_release(r.nodes.n, (size_t)(3 * count) * sizeof(double));
    return result;
}

static ga_array *gi_moment_of(gi_moment what, bool skip_nan, const char *name, const ga_array *a, ga_reduce_options o)
{
    if (!gi_check(o.site, a, "a") || (!o.internal && gi_null_option(o.site, "out", o.out))) return NULL;
    if (o.dtype != GA_DTYPE_DEFAULT && !gi_is_float(o.dtype))
        return (ga_array *)gi_fail(o.site, GA_BAD_DTYPE, "%s returns floats: .dtype may be GA_F32 or GA_F64", name);
    if (what == GI_MEAN && o.ddof != 0)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "%s takes no .ddof: that is for ga_std and ga_var", name);
    ga_dtype  dtype = o.dtype != GA_DTYPE_DEFAULT ? o.dtype : gi_end_dtype(GI_ENDS_AVERAGE, gi_real_dtype(a->dtype));
    ga_array *result;
    if (!gi_is_complex(a->dtype)) {
        result = gi_real_moment(what, skip_nan, a, &o);
    } else if (what == GI_MEAN || skip_nan) {
        return (ga_array *)gi_fail(o.site, GA_BAD_DTYPE, "%s does not exist for %s", name, ga_dtype_name(a->dtype));
    } else { /* the variance of the real parts and that of the imaginary parts, together */
        ga_dtype          part = gi_real_dtype(a->dtype);
        ga_array         *re   = gi_new_view(o.site, a, a->data, part, a->ndim, a->shape, a->strides);
        ga_array         *im = gi_new_view(o.site, a, (char *)a->data + ga_itemsize(part), part, a->ndim, a->shape, a->strides);
        ga_reduce_options populations = o;
        populations.ddof              = 0;
        ga_array *v                   = re && im ? gi_real_moment(GI_VAR, false, re, &populations) : NULL;
        result                        = v ? gi_real_moment(GI_VAR, false, im, &populations) : NULL;
        double n                      = result && result->size > 0 ? (double)(a->size / result->size) : 0;
#if GI_HAS_CUDA
        if (result && a->device == GA_CUDA) {
            if (!gi_cuda_join_parts(o.site, what, result, v, n, o.ddof)) {
                ga_free(result);
                result = NULL;
            }
        } else
#endif
            for (int64_t i = 0; result && i < result->size; i++)
                ((double *)result->data)[i] =
                    gi_complex_moment(what, ((double *)v->data)[i] + ((double *)result->data)[i], n, o.ddof);
        ga_free(re);
        ga_free(im);
        ga_free(v);
    }
    return gi_finish(o.site, result, dtype, o.out);
}

ga_array *(ga_var)(const ga_array *a, ga_reduce_options o) { return gi_moment_of(GI_VAR, false, "ga_var", a, o); }
ga_array *(ga_std)(const ga_array *a, ga_reduce_options o) { return gi_moment_of(GI_STD, false, "ga_std", a, o); }
ga_array *(ga_nanmean)(const ga_array *a, ga_reduce_options o) { return gi_moment_of(GI_MEAN, true, "ga_nanmean", a, o); }
ga_array *(ga_nanvar)(const ga_array *a, ga_reduce_options o) { return gi_moment_of(GI_VAR, true, "ga_nanvar", a, o); }
ga_array *(ga_nanstd)(const ga_array *a, ga_reduce_options o) { return gi_moment_of(GI_STD, true, "ga_nanstd", a, o); }

/* ---- where the extremes are --------------------------------------------------------------------------------------------- */
/*  The first of the largest (or smallest) elements, or the first NaN. A line is searched in segments: each block is folded as by the
    row above, then the first block that holds the extreme is looked through. Lines side by side are gone through row by row.  */

enum {
    GI_SEGMENT_BLOCKS = 64,   /* of a line */
    GI_SEGMENT_ROWS   = 8192, /* of lines side by side, */
    GI_SEARCH_WIDTH   = 1024, /* so many at once */
    GI_SEARCH_LEAST   = 64    /* and not fewer */
};

typedef struct gi_search {
    gi_lines  lines;
    gi_fold   fold; /* of the extremes */
    gi_kernel less_equal, equal, unordered;
    bool      largest, skip_nan, nothing; /* nothing but NaN is left */
    int64_t   columns, width;             /* of lines side by side */
    int64_t   segment, segments;          /* elements of one, segments of a line */
    char     *extremes;                   /* of each segment: those of a line side by side, or of `columns` lines in turn */
    int64_t  *places, *result;
} gi_search;

static bool gi_is_nan(const gi_search *r, const void *x)
{
    bool nan;
    r->unordered(1, &nan, x, NULL, NULL);
    return nan;
}

/* Is x, which comes after `best`, to be preferred? */
static bool gi_is_better(const gi_search *r, const void *x, const void *best)
{
    bool no_better, nan = gi_is_nan(r, x);
    if (nan != gi_is_nan(r, best)) return nan != r->skip_nan;
    if (nan) return false;
    r->less_equal(1, &no_better, r->largest ? x : best, r->largest ? best : x, NULL);
    return !no_better;
}

/* Which of n packed elements is the first that equals x? There is one; NaN is looked for as NaN. */
static int64_t gi_first_equal(const gi_search *r, int64_t n, const void *elements, const void *x)
{
    enum { PART = 256 };
    __attribute__((aligned(64))) char wanted[PART * 16];
    bool                              found[PART], nan = gi_is_nan(r, x);
    int64_t                           size = ga_itemsize(r->lines.dtype), copies = n < PART ? n : (int64_t)PART;
    memcpy(wanted, x, (size_t)size);
    for (int64_t done = 1; done < copies && !nan; done *= 2)
        memcpy(wanted + done * size, wanted, (size_t)((done < copies - done ? done : copies - done) * size));
    for (int64_t start = 0; start < n; start += PART) {
        int64_t     m    = n - start < PART ? n - start : (int64_t)PART;
        const char *part = (const char *)elements + start * size;
        if (nan) r->unordered(m, found, part, NULL, NULL);
        else r->equal(m, found, part, wanted, NULL);
        const bool *hit = (const bool *)memchr(found, 1, (size_t)m);
        if (hit) return start + (hit - found);
    }
    return 0;
}

/* A unit is a segment of a line. */
static void gi_search_segments(int64_t begin, int64_t end, void *job)
{
    gi_search                        *r = (gi_search *)job;
    const gi_lines                   *p = &r->lines;
    __attribute__((aligned(64))) char raw[GI_BLOCK * 16], extremes[GI_SEGMENT_BLOCKS * 16], folded[GI_SEGMENT_BLOCKS * 16];
    int64_t                           size = ga_itemsize(p->dtype);
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t line = unit / r->segments, start = unit % r->segments * r->segment;
        int64_t n = p->length - start < r->segment ? p->length - start : r->segment, blocks = (n + GI_BLOCK - 1) / GI_BLOCK;
        for (int64_t b = 0; b < blocks; b++) {
            int64_t     m = n - b * GI_BLOCK < GI_BLOCK ? n - b * GI_BLOCK : GI_BLOCK;
            const void *x = gi_read_line(p, line, start + b * GI_BLOCK, m, raw, NULL);
            if (x != raw) gi_touch(x, m * size);
            r->fold.block(m, extremes + b * size, x);
        }
        memcpy(folded, extremes, (size_t)(blocks * size));
        if (blocks > 1) r->fold.halve(blocks, folded);
        int64_t     b = blocks > 1 ? gi_first_equal(r, blocks, extremes, folded) : 0;
        int64_t     m = n - b * GI_BLOCK < GI_BLOCK ? n - b * GI_BLOCK : GI_BLOCK;
        const void *x = gi_read_line(p, line, start + b * GI_BLOCK, m, raw, NULL);
        memcpy(r->extremes + unit * size, folded, (size_t)size);
        r->places[unit] = start + b * GI_BLOCK + gi_first_equal(r, m, x, folded);
    }
}

/* A unit is a segment of a panel of lines. */
static void gi_search_panels(int64_t begin, int64_t end, void *job)
{
    gi_search                        *r = (gi_search *)job;
    const gi_lines                   *p = &r->lines;
    __attribute__((aligned(64))) char raw[GI_PANEL_NARROW * 16];
    bool                              no_better[GI_SEARCH_WIDTH];
    int64_t                           size = ga_itemsize(p->dtype);
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t  segment = unit % r->segments;
        gi_panel v       = gi_panel_of(p, r->columns, r->width, unit / r->segments);
        v.start          = segment * r->segment;
        v.n              = p->length - v.start < r->segment ? p->length - v.start : r->segment;
        v.raw            = raw;
        int64_t  column = v.first % r->columns, to = (v.first - column) * r->segments + segment * r->columns + column;
        char    *best   = r->extremes + to * size;
        int64_t *places = r->places + to;
        memcpy(best, gi_read_row(&v, 0, 0), (size_t)(v.count * size));
        for (int64_t i = 0; i < v.count; i++) places[i] = v.start;
        for (int64_t k = 1; k < v.n; k++) {
            const char *x = (const char *)gi_read_row(&v, k, 0);
            r->less_equal(v.count, no_better, r->largest ? x : best, r->largest ? best : x, NULL);
            const bool *at = no_better, *beyond = no_better + v.count;
            for (; at < beyond && (at = (const bool *)memchr(at, 0, (size_t)(beyond - at))) != NULL; at++) { /* few, or NaN */
                int64_t i = at - no_better;
                if (!gi_is_better(r, x + i * size, best + i * size)) continue;
                memcpy(best + i * size, x + i * size, (size_t)size);
                places[i] = v.start + k;
            }
        }
    }
}

/* The best segment of each line. */
static void gi_search_lines(int64_t begin, int64_t end, void *job)
{
    gi_search *r    = (gi_search *)job;
    int64_t    size = ga_itemsize(r->lines.dtype), step = r->columns;
    for (int64_t line = begin; line < end; line++) {
        int64_t first = line % r->columns + (line - line % r->columns) * r->segments, best = first;
        for (int64_t k = 1; k < r->segments; k++)
            if (gi_is_better(r, r->extremes + (first + k * step) * size, r->extremes + best * size)) best = first + k * step;
        r->result[line] = r->places[best];
        if (r->skip_nan && gi_is_nan(r, r->extremes + best * size)) __atomic_store_n(&r->nothing, true, __ATOMIC_RELAXED);
    }
}

#if GI_HAS_CUDA
/* The same on the GPU, in one pass. */
static ga_array *gi_cuda_arg_extreme(ga_op op, const char *name, bool skip_nan, const ga_array *a, const ga_reduce_options *o)
{
    gi_reduction r;
    bool         largest = op == GA_OP_max || op == GA_OP_nanmax, nothing = false;
    if (!gi_plan_row(&op, name, GI_ENDS_SAME, GI_START_NONE, a, o, &r)) return NULL;
    ga_array *places = gi_new(o->site, GA_I64, GA_CUDA, r.lines.result_ndim, r.lines.result_shape);
    bool      ok     = places && gi_cuda_find_places(o->site, largest, skip_nan, &r.lines, places, &nothing);
    if (ok && nothing) gi_fail(o->site, GA_BAD_ARGUMENT, "%s of nothing but NaN: there is no index to return", name);
    if (ok && !nothing) return gi_finish(o->site, places, GA_I64, o->out);
    ga_free(places);
    return NULL;
}
#endif

static ga_array *gi_arg_extreme(ga_op op, const char *name, bool skip_nan, const ga_array *a, ga_reduce_options o)
{
    if (!gi_check(o.site, a, "a") || (!o.internal && gi_null_option(o.site, "out", o.out))) return NULL;
    if (o.axes.ndim > 1)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "%s works along one axis, or over all of them", name);
    GI_IF_CUDA(a->device, gi_cuda_arg_extreme(op, name, skip_nan, a, &o));
    gi_reduction plan;
    gi_search    r;
    memset(&r, 0, sizeof r);
    r.largest  = op == GA_OP_max || op == GA_OP_nanmax;
    r.skip_nan = skip_nan;
    if (!gi_plan_row(&op, name, GI_ENDS_SAME, GI_START_NONE, a, &o, &plan)) return NULL;
    ga_array *places = gi_new(o.site, GA_I64, a->device, plan.lines.result_ndim, plan.lines.result_shape);
    if (!places || places->size == 0) return gi_finish(o.site, places, GA_I64, o.out);
    const gi_lines *p    = &plan.lines;
    int64_t         size = ga_itemsize(a->dtype);
    r.lines              = *p;
    r.fold               = plan.fold;
    r.less_equal         = gi_cpu_kernel(GA_OP_less_equal, a->dtype);
    r.equal              = gi_cpu_kernel(GA_OP_equal, a->dtype);
    r.unordered          = gi_cpu_kernel(GA_OP_isnan, a->dtype);
    r.result             = (int64_t *)places->data;
    r.columns            = gi_line_columns(p);
    if (r.columns < GI_SEARCH_LEAST) r.columns = 1;
    r.segment     = r.columns > 1 ? GI_SEGMENT_ROWS : GI_SEGMENT_BLOCKS * GI_BLOCK;
    r.segments    = (p->length + r.segment - 1) / r.segment;
    int64_t count = p->lines * r.segments, work = p->length < r.segment ? p->length : r.segment; /* elements of a unit */
    r.places = (int64_t *)gi_alloc(o.site, (size_t)(count * (8 + size)));
    if (!r.places) {
        ga_free(places);
        return NULL;
    }
    r.extremes = (char *)(r.places + count);
    if (r.columns == 1) {
        gi_parallel(count, 1 + 65536 / work, gi_search_segments, &r);
    } else {
        r.width        = gi_panel_width(p, r.columns, GI_SEARCH_WIDTH, r.segments);
        int64_t panels = p->lines / r.columns * ((r.columns + r.width - 1) / r.width);
        gi_parallel(panels * r.segments, 1 + 65536 / (r.width * work), gi_search_panels, &r);
    }
    gi_parallel(p->lines, 1 + 16384 / r.segments, gi_search_lines, &r);
    gi_release(r.places, (size_t)(count * (8 + size)));
    if (r.nothing) {
        ga_free(places);
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "%s of nothing but NaN: there is no index to return", name);
    }
    return gi_finish(o.site, places, GA_I64, o.out);
}

ga_array *(ga_argmin)(const ga_array *a, ga_reduce_options o) { return gi_arg_extreme(GA_OP_min, "ga_argmin", false, a, o); }
ga_array *(ga_argmax)(const ga_array *a, ga_reduce_options o) { return gi_arg_extreme(GA_OP_max, "ga_argmax", false, a, o); }
ga_array *(ga_nanargmin)(const ga_array *a, ga_reduce_options o)
{
    return gi_arg_extreme(GA_OP_nanmin, "ga_nanargmin", true, a, o);
}
ga_array *(ga_nanargmax)(const ga_array *a, ga_reduce_options o)
{
    return gi_arg_extreme(GA_OP_nanmax, "ga_nanargmax", true, a, o);
}

/* ---- norm ---------------------------------------------------------------------------------------------------------------- */

/* f(x) of an array that is then freed. */
static ga_array *gi_then(ga_array *(*f)(const ga_array *, ga_map_options), const char *site, ga_array *x)
{
    ga_array *r = x ? f(x, gi_map_site(site)) : NULL;
    ga_free(x);
    return r;
}

ga_array *(ga_norm)(const ga_array *a, ga_norm_options o)
{
    if (!gi_check(o.site, a, "a")) return NULL;
    double   ord   = o.ord == 0 ? 2 : o.ord == GA_EXACTLY ? 0 : o.ord;
    ga_dtype dtype = gi_end_dtype(GI_ENDS_AVERAGE, gi_real_dtype(a->dtype));
    if (ord < 0 && ord != -(double)INFINITY)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT,
                                   ".ord = %g: use a positive number, INFINITY, -INFINITY or GA_EXACTLY (counts the nonzero)",
                                   ord);
    ga_reduce_options r = gi_reduce_site(o.site);
    r.axis              = o.axis;
    r.axes              = o.axes;
    r.keepdims          = o.keepdims;
    /* float64 first: the absolute value of the least integer does not fit its own type */
    ga_array *start = gi_contiguous(o.site, a, gi_is_complex(a->dtype) ? GA_C128 : GA_F64), *result = NULL;
    ga_array *wide = gi_then((ga_absolute), o.site, start);
    if (!wide) return NULL;
    if (isinf(ord)) {
        result = ord > 0 ? (ga_max)(wide, r) : (ga_min)(wide, r);
    } else if (ord == 0) {
        result = (ga_count_nonzero)(wide, r);
    } else if (ord == 1) {
        result = (ga_sum)(wide, r);
    } else if (ord == 2) {
        ga_array *squares = (ga_square)(wide, gi_map_site(o.site));
        if (squares) result = gi_then((ga_sqrt), o.site, (ga_sum)(squares, r));
        ga_free(squares);
    } else {
        ga_arg p, inverse;
        memset(&p, 0, sizeof p);
        p.kind           = GA_KIND_REAL;
        inverse          = p;
        p.re             = ord;
        inverse.re       = 1 / ord;
        ga_array *powers = (ga_power)(gi_operand_arg(wide), p, gi_map_site(o.site)), *sum = powers ? (ga_sum)(powers, r) : NULL;
        if (sum) result = (ga_power)(gi_operand_arg(sum), inverse, gi_map_site(o.site));
        ga_free(powers);
        ga_free(sum);
    }
    ga_free(wide);
    return gi_finish(o.site, result, dtype, NULL);
}

/* ==== >>rearranging: joining, cutting, choosing, sorting, counting, running sums ================================== */

/* ---- axes, and parts along them ---------------------------------------------------------------------------------- */

/* Was an axis named? A site without the text of a call (from a run-time caller) can only tell one that is not 0. */
static bool gi_axis_given(const char *site, int axis) { return axis != 0 || gi_option_given(site, "axis"); }

/* A view of a with *axis made the number of the axis that was named; where none was (or a has none), a flattened, and
   axis 0. */
static ga_array *gi_along(const char *site, const ga_array *a, int *axis)
{
    bool flat = !gi_axis_given(site, *axis) || (a->ndim == 0 && (*axis == 0 || *axis == -1));
    if (flat) {
        *axis = 0;
        return (ga_ravel)(a, site);
    }
    *axis = gi_axis(site, *axis, a->ndim);
    return *axis < 0 ? NULL : (ga_view)(a, site);
}

/* The options that a function does not take. */
static bool gi_takes_no_dtype(const char *name, const ga_axis_options *o)
{
    if (o->dtype == GA_DTYPE_DEFAULT) return true;
    gi_fail(o->site, GA_BAD_DTYPE, "%s takes no .dtype: use ga_astype", name);
    return false;
}
static bool gi_takes_only_axis(const char *name, const ga_axis_options *o)
{
    if (!gi_takes_no_dtype(name, o)) return false;
    if (!o->out) return true;
    gi_fail(o->site, GA_BAD_ARGUMENT, "%s takes no .out", name);
    return false;
}

/* The elements start .. start + length along an axis. */
static ga_array *gi_part(const char *site, const ga_array *a, int axis, int64_t start, int64_t length)
{
    gi_layout l = gi_layout_of(a);
    if (a->size > 0 && length > 0) l.data += start * l.strides[axis];
    l.shape[axis] = length;
    return gi_view_with(site, a, &l);
}

/* Copies a part of src to another place along the same axis of dst. */
static bool gi_copy_along(const char *site, ga_array *dst, int64_t to, const ga_array *src, int64_t from, int64_t length,
                          int axis)
{
    ga_array *target = gi_part(site, dst, axis, to, length);
    ga_array *source = target ? gi_part(site, src, axis, from, length) : NULL;
    bool      done   = source && gi_assign(site, target, source);
    ga_free(source);
    ga_free(target);
    return done;
}

/* ---- concatenate, stack ------------------------------------------------------------------------------------------ */

/* The dtype that holds all, as NumPy finds it: beginning with the largest, so that int16 and uint16 beside float32
   stay float32. */
static ga_dtype gi_promote_all(int n, const ga_array *const *arrays)
{
    ga_dtype dtype = arrays[0]->dtype;
    for (int k = 1; k < n; k++)
        if (arrays[k]->dtype > dtype) dtype = arrays[k]->dtype;
    for (int largest = (int)dtype; largest > GA_DTYPE_DEFAULT; largest--)
        for (int k = 0; k < n; k++)
            if ((int)arrays[k]->dtype == largest) dtype = ga_promote(dtype, arrays[k]->dtype);
    return dtype;
}

static bool gi_check_list(const char *site, int n, const ga_array *const *arrays)
{
    if (n < 1 || !arrays) {
        gi_fail(site, GA_BAD_ARGUMENT, "there is no array to join: give at least one");
        return false;
    }
    for (int k = 0; k < n; k++) {
        char name[32];
        snprintf(name, sizeof name, "array number %d", k);
        if (!gi_check(site, arrays[k], name)) return false;
    }
    return gi_common_device(site, n, arrays) != GA_DEVICE_DEFAULT;
}

/* Writes the arrays one behind the other along an axis of target; stacked: that axis is a new one. */
static bool gi_write_joined(const char *site, ga_array *target, int n, const ga_array *const *arrays, int axis, bool stacked)
{
    int64_t at = 0;
    for (int k = 0; k < n; k++) {
        gi_layout place  = gi_layout_of(target);
        int64_t   length = stacked ? 1 : arrays[k]->shape[axis];
        if (target->size > 0 && at < target->shape[axis]) place.data += at * place.strides[axis];
        place.shape[axis] = length;
        if (stacked) {
            for (int d = axis; d < target->ndim - 1; d++) gi_layout_swap(&place, d, d + 1);
            place.ndim--;
        }
        ga_array *part = gi_view_with(site, target, &place);
        bool      done = part && gi_assign(site, part, arrays[k]);
        ga_free(part);
        if (!done) return false;
        at += length;
    }
    return true;
}

static ga_array *gi_join_arrays(int n, const ga_array *const *arrays, int axis, bool stacked, int ndim, const int64_t *shape,
                                const ga_axis_options *o)
{
    if (gi_null_option(o->site, "out", o->out)) return NULL;
    if (o->dtype != GA_DTYPE_DEFAULT && !gi_is_dtype(o->dtype))
        return (ga_array *)gi_fail(o->site, GA_BAD_DTYPE, ".dtype = %d is not a dtype", (int)o->dtype);
    ga_dtype dtype = o->dtype != GA_DTYPE_DEFAULT ? o->dtype : gi_promote_all(n, arrays);
    for (int k = 0; k < n; k++)
        if (o->dtype != GA_DTYPE_DEFAULT && !gi_same_kind(arrays[k]->dtype, dtype))
            return (ga_array *)gi_fail(o->site, GA_BAD_DTYPE,
                                       "%s cannot become %s without losing its kind: use ga_astype first",
                                       ga_dtype_name(arrays[k]->dtype), ga_dtype_name(dtype));
    /* Straight into .out if it fits and holds none of the arrays. */
    bool direct = o->out && o->out->alive == GI_ALIVE && gi_equal_shapes(ndim, shape, o->out->ndim, o->out->shape) &&
                  gi_same_kind(dtype, o->out->dtype) && o->dtype == GA_DTYPE_DEFAULT;
    for (int k = 0; k < n && direct; k++) direct = !ga_may_share_memory(o->out, arrays[k]);
    ga_array *target = direct ? o->out : gi_new(o->site, dtype, arrays[0]->device, ndim, shape);
    if (!target) return NULL;
    bool done = gi_write_joined(o->site, target, n, arrays, axis, stacked);
    if (direct) return done ? target : NULL;
    if (done) return gi_finish(o->site, target, dtype, o->out);
    ga_free(target);
    return NULL;
}

ga_array *(ga_concatenate_n)(int n, const ga_array *const *arrays, ga_axis_options o)
{
    if (!gi_check_list(o.site, n, arrays)) return NULL;
    const ga_array *first = arrays[0];
    if (first->ndim == 0)
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "0-d arrays have no axis to be joined along: use ga_stack");
    int     axis = gi_axis(o.site, o.axis, first->ndim);
    int64_t shape[GPUARR_MAX_DIMS];
    if (axis < 0) return NULL;
    memcpy(shape, first->shape, sizeof shape);
    for (int k = 1; k < n; k++) {
        const ga_array *a    = arrays[k];
        bool            fits = a->ndim == first->ndim;
        for (int d = 0; d < a->ndim && fits; d++) fits = d == axis || a->shape[d] == first->shape[d];
        if (!fits)
            return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE,
                                       "array number %d has shape %s, the first %s: they may differ on axis %d only", k,
                                       gi_shape_of(a), gi_shape_of(first), axis);
        if (__builtin_add_overflow(shape[axis], a->shape[axis], &shape[axis]))
            return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "together the arrays have more elements than can be counted");
    }
    return gi_join_arrays(n, arrays, axis, false, first->ndim, shape, &o);
}

ga_array *(ga_stack_n)(int n, const ga_array *const *arrays, ga_axis_options o)
{
    if (!gi_check_list(o.site, n, arrays)) return NULL;
    const ga_array *first = arrays[0];
    int             ndim  = first->ndim + 1;
    if (ndim > GPUARR_MAX_DIMS)
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "%d dimensions; at most %d are possible", ndim, GPUARR_MAX_DIMS);
    for (int k = 1; k < n; k++)
        if (!ga_same_shape(first, arrays[k]))
            return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "array number %d has shape %s, the first %s: they must be equal",
                                       k, gi_shape_of(arrays[k]), gi_shape_of(first));
    int     axis = gi_axis(o.site, o.axis, ndim);
    int64_t shape[GPUARR_MAX_DIMS];
    if (axis < 0) return NULL;
    for (int d = 0; d < ndim; d++) shape[d] = d == axis ? n : first->shape[d < axis ? d : d - 1];
    return gi_join_arrays(n, arrays, axis, true, ndim, shape, &o);
}

/* ---- split ------------------------------------------------------------------------------------------------------- */

/* Views between neighbouring cuts: parts[k] is cuts(k) .. cuts(k + 1), as Python slices are taken. indices NULL: n
   equal parts. */
static bool gi_split(const ga_array *a, int n, const int64_t *indices, int axis, ga_array **parts, const char *site)
{
    int64_t length = a->shape[axis];
    for (int k = 0; k < n; k++) {
        int64_t start = 0, stop = length;
        if (indices) {
            if (k > 0) start = gi_slice_bound(indices[k - 1], length, false);
            if (k < n - 1) stop = gi_slice_bound(indices[k], length, false);
        } else {
            start = length / n * k;
            stop  = start + length / n;
        }
        parts[k] = gi_part(site, a, axis, start, stop > start ? stop - start : 0);
        if (parts[k]) continue;
        for (; k > 0; k--) {
            ga_free(parts[k - 1]);
            parts[k - 1] = NULL;
        }
        return false;
    }
    return true;
}

/* The axis to be split, -1 with an error. Clears the parts, so that a failed call leaves NULLs. */
static int gi_split_axis(const ga_array *a, int n, ga_array **parts, const ga_axis_options *o)
{
    if (n < 1 || !parts) {
        gi_fail(o->site, GA_BAD_ARGUMENT, "%d parts: give 1 or more, and an array of as many pointers", n);
        return -1;
    }
    for (int k = 0; k < n; k++) parts[k] = NULL;
    if (!gi_check(o->site, a, "a") || !gi_takes_only_axis("ga_split", o)) return -1;
    return gi_axis(o->site, o->axis, a->ndim);
}

bool(ga_split)(const ga_array *a, int n, ga_array **parts, ga_axis_options o)
{
    int axis = gi_split_axis(a, n, parts, &o);
    if (axis < 0) return false;
    if (a->shape[axis] % n != 0) {
        gi_fail(o.site, GA_BAD_SHAPE, "axis %d of %s cannot be split into %d equal parts: use ga_split_at", axis,
                gi_shape_of(a), n);
        return false;
    }
    return gi_split(a, n, NULL, axis, parts, o.site);
}

bool(ga_split_at)(const ga_array *a, int n, const int64_t *indices, ga_array **parts, ga_axis_options o)
{
    int axis = gi_split_axis(a, n, parts, &o);
    if (axis < 0) return false;
    if (!indices && n > 1) {
        gi_fail(o.site, GA_BAD_ARGUMENT, "indices is NULL: give the %d places to cut before", n - 1);
        return false;
    }
    return gi_split(a, n, indices, axis, parts, o.site);
}

/* ---- roll, pad --------------------------------------------------------------------------------------------------- */

ga_array *(ga_roll)(const ga_array *a, int64_t shift, ga_axis_options o)
{
    if (!gi_check(o.site, a, "a") || !gi_takes_only_axis("ga_roll", &o)) return NULL;
    int       axis   = o.axis;
    ga_array *source = gi_along(o.site, a, &axis);
    ga_array *rolled = source ? gi_new(o.site, a->dtype, a->device, a->ndim, a->shape) : NULL;
    ga_shape  shape; /* of the source: rolled is written in the same way */
    memset(&shape, 0, sizeof shape);
    if (source) {
        shape.ndim = source->ndim;
        memcpy(shape.n, source->shape, sizeof shape.n);
    }
    ga_array *target = rolled ? (ga_reshape)(rolled, shape, o.site) : NULL;
    bool      done   = target != NULL;
    if (done && target->size > 0) {
        int64_t n = source->shape[axis], s = (shift % n + n) % n;
        done = gi_copy_along(o.site, target, s, source, 0, n - s, axis) &&
               gi_copy_along(o.site, target, 0, source, n - s, s, axis);
    }
    ga_free(target);
    ga_free(source);
    if (done) return rolled;
    ga_free(rolled);
    return NULL;
}

/* Which of n elements stands at place i, which may lie before the first or behind the last. */
static int64_t gi_pad_source(ga_pad_mode mode, int64_t i, int64_t n)
{
    if (mode == GA_PAD_EDGE || n == 1) return i < 0 ? 0 : i < n ? i : n - 1;
    int64_t period = mode == GA_PAD_WRAP ? n : mode == GA_PAD_SYMMETRIC ? 2 * n : 2 * n - 2;
    i              = (i % period + period) % period;
    if (i < n) return i;
    return mode == GA_PAD_SYMMETRIC ? period - 1 - i : period - i;
}

/* Fills the places start .. stop along an axis from the places first .. first + n. `known` is what of the array is
   already known. Places whose sources lie side by side (forwards, backwards, or one for all) are one copy. */
static bool gi_pad_fill(const char *site, ga_array *padded, const gi_layout *known, int axis, ga_pad_mode mode, int64_t first,
                        int64_t n, int64_t start, int64_t stop)
{
    for (int64_t i = start; i < stop;) {
        int64_t from = gi_pad_source(mode, i - first, n), step = 0, count = 1;
        if (i + 1 < stop) step = gi_pad_source(mode, i + 1 - first, n) - from;
        while (i + count < stop && gi_pad_source(mode, i + count - first, n) == from + count * step) count++;
        gi_layout to = *known, of = *known;
        to.data += i * known->strides[axis];
        of.data += (first + from) * known->strides[axis];
        to.shape[axis] = of.shape[axis] = count;
        of.strides[axis] *= step;
        if (!gi_copy_part(site, padded, &to, &of)) return false;
        i += count;
    }
    return true;
}

/* The widths before and behind each axis and the padded shape. */
static bool gi_pad_widths(const ga_array *a, ga_shape *before, const ga_pad_options *o, int64_t *shape)
{
    ga_shape  after   = o->after.ndim == 0 ? *before : o->after;
    ga_shape *both[2] = { before, &after };
    for (int k = 0; k < 2; k++) {
        ga_shape *w = both[k];
        if (w->ndim != 1 && w->ndim != a->ndim) {
            gi_fail(o->site, GA_BAD_ARGUMENT, "%d widths for %d dimensions: give one for all, or one for each axis", w->ndim,
                    a->ndim);
            return false;
        }
        for (int d = 0; d < a->ndim; d++)
            if (w->ndim == 1) w->n[d] = w->n[0];
        for (int d = 0; d < a->ndim; d++)
            if (w->n[d] < 0) {
                gi_fail(o->site, GA_BAD_ARGUMENT, "a width is negative: %s", gi_shape_text(a->ndim, w->n));
                return false;
            }
    }
    for (int d = 0; d < a->ndim; d++) {
        if (o->mode != GA_PAD_CONSTANT && a->shape[d] == 0 && before->n[d] + after.n[d] > 0) {
            gi_fail(o->site, GA_BAD_SHAPE, "axis %d of %s is empty: it can only be padded with GA_PAD_CONSTANT", d,
                    gi_shape_of(a));
            return false;
        }
        if (__builtin_add_overflow(a->shape[d], before->n[d], &shape[d]) ||
            __builtin_add_overflow(shape[d], after.n[d], &shape[d])) {
            gi_fail(o->site, GA_BAD_SHAPE, "axis %d would become longer than can be counted", d);
            return false;
        }
    }
    return true;
}

ga_array *(ga_pad)(const ga_array *a, ga_shape before, ga_pad_options o)
{
    int64_t shape[GPUARR_MAX_DIMS];
    if (!gi_check(o.site, a, "a")) return NULL;
    if ((int)o.mode < GA_PAD_CONSTANT || o.mode > GA_PAD_WRAP)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, ".mode = %d is no way to pad: use GA_PAD_CONSTANT, GA_PAD_EDGE ...",
                                   (int)o.mode);
    if (!gi_pad_widths(a, &before, &o, shape)) return NULL;
    ga_array *padded = gi_new(o.site, a->dtype, a->device, a->ndim, shape);
    if (!padded || padded->size == 0) return padded;
    bool done = true;
    if (o.mode == GA_PAD_CONSTANT) {
        ga_arg value;
        memset(&value, 0, sizeof value);
        value.kind = GA_KIND_REAL;
        value.re   = o.value;
        done       = gi_assign_where(o.site, padded, value, NULL);
    }
    gi_layout known = gi_layout_of(padded); /* first the place of a; it grows axis by axis */
    for (int d = 0; d < a->ndim; d++) {
        if (a->size > 0) known.data += before.n[d] * known.strides[d];
        known.shape[d] = a->shape[d];
    }
    ga_array *middle = done ? gi_view_with(o.site, padded, &known) : NULL;
    done             = middle && gi_assign(o.site, middle, a);
    ga_free(middle);
    for (int d = 0; d < a->ndim && done && o.mode != GA_PAD_CONSTANT; d++) {
        int64_t first = before.n[d], n = a->shape[d];
        known.data -= first * known.strides[d];
        done = gi_pad_fill(o.site, padded, &known, d, o.mode, first, n, 0, first) &&
               gi_pad_fill(o.site, padded, &known, d, o.mode, first, n, first + n, shape[d]);
        known.shape[d] = shape[d];
    }
    if (done) return padded;
    ga_free(padded);
    return NULL;
}

/* ---- take -------------------------------------------------------------------------------------------------------- */

/* a as (outer, n, inner): rows of `bytes` bytes are moved, the one at indices[k] to place k. */
typedef struct gi_take_job {
    const char    *from;
    char          *to;
    const int64_t *indices;
    int64_t        count, n, bytes;
} gi_take_job;

GI_BEGIN_FAST
static void gi_take_rows(int64_t begin, int64_t end, void *job)
{
    const gi_take_job *j = (const gi_take_job *)job;
    for (int64_t row = begin; row < end;) {
        int64_t        outer = row / j->count, k = row % j->count, run = j->count - k < end - row ? j->count - k : end - row;
        const char    *from    = j->from + outer * j->n * j->bytes;
        char          *to      = j->to + row * j->bytes;
        const int64_t *indices = j->indices + k;
#define GI_MOVE(U)                                                                                                             \
    for (int64_t i = 0; i < run; i++) ((U *)(void *)to)[i] = ((const U *)(const void *)from)[indices[i]];                      \
    break
        switch (j->bytes) {
        case 1: GI_MOVE(uint8_t);
        case 2: GI_MOVE(uint16_t);
        case 4: GI_MOVE(uint32_t);
        case 8: GI_MOVE(uint64_t);
        default:
            for (int64_t i = 0; i < run; i++) memcpy(to + i * j->bytes, from + indices[i] * j->bytes, (size_t)j->bytes);
        }
#undef GI_MOVE
        row += run;
    }
}
GI_END_FAST

/* A new array for a[..., indices, ...] along an axis: the shape of indices takes the place of that axis. */
static ga_array *gi_new_taken(const char *site, const ga_array *a, int axis, const ga_array *indices)
{
    gi_layout l = gi_layout_of(a);
    l.ndim      = a->ndim - 1 + indices->ndim;
    if (l.ndim > GPUARR_MAX_DIMS)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "%d dimensions; at most %d are possible", l.ndim, GPUARR_MAX_DIMS);
    for (int d = 0; d < indices->ndim; d++) l.shape[axis + d] = indices->shape[d];
    for (int d = axis + 1; d < a->ndim; d++) l.shape[d - 1 + indices->ndim] = a->shape[d];
    return gi_new(site, a->dtype, a->device, l.ndim, l.shape);
}

#if GI_HAS_CUDA
static ga_array *gi_cuda_take(const char *site, const ga_array *a, int axis, const ga_array *indices, ga_take_mode mode);
static ga_array *gi_cuda_chosen(const char *site, const ga_array *condition, const ga_array *a);
static ga_array *gi_cuda_count_bins(const char *site, const ga_array *a, const ga_array *weights, int64_t bins,
                                    const double *edges);
static bool      gi_cuda_scan(const char *site, const ga_array *in, ga_dtype dtype, ga_array *out, int axis, ga_dtype wide,
                              ga_op op);
#endif

/* a[..., indices, ...] along an axis. The indices are int64, contiguous, valid. */
static ga_array *gi_take(const char *site, const ga_array *a, int axis, const ga_array *indices)
{
    GI_IF_CUDA(a->device, gi_cuda_take(site, a, axis, indices, GA_TAKE_CLIP));
    ga_array *packed = gi_contiguous(site, a, a->dtype);
    ga_array *taken  = packed ? gi_new_taken(site, a, axis, indices) : NULL;
    if (taken && taken->size > 0) {
        gi_take_job j = {
            (const char *)packed->data, (char *)taken->data, (const int64_t *)indices->data, indices->size, a->shape[axis],
            ga_itemsize(a->dtype)
        };
        for (int d = axis + 1; d < a->ndim; d++) j.bytes *= a->shape[d];
        int64_t rows = taken->size * ga_itemsize(a->dtype) / j.bytes;
        gi_parallel(rows, 1 + 65536 / j.bytes, gi_take_rows, &j);
    }
    ga_free(packed);
    return taken;
}

static void gi_bad_index(const char *site, int64_t i, int64_t n)
{
    gi_fail(site, GA_BAD_ARGUMENT, "index %lld is out of bounds for an axis with length %lld", (long long)i, (long long)n);
}

/* Puts the indices into 0 .. n - 1, by the mode; false with an error. */
static bool gi_settle_indices(const char *site, ga_array *indices, int64_t n, ga_take_mode mode)
{
    int64_t *index = (int64_t *)indices->data;
    for (int64_t k = 0; k < indices->size; k++) {
        int64_t i = index[k];
        if (i >= 0 && i < n) continue;
        if (mode == GA_TAKE_RAISE && i >= -n && i < 0) {
            index[k] = i + n;
        } else if (mode == GA_TAKE_WRAP) {
            index[k] = (i % n + n) % n;
        } else if (mode == GA_TAKE_CLIP) {
            index[k] = i < 0 ? 0 : n - 1;
        } else {
            gi_bad_index(site, i, n);
            return false;
        }
    }
    return true;
}

/* a[..., indices, ...] by the mode. The indices are int64 and contiguous; on the CPU they are settled where they are. */
static ga_array *gi_take_by(const char *site, const ga_array *a, int axis, ga_array *indices, ga_take_mode mode)
{
    if (a->shape[axis] == 0 && indices->size > 0)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE,
                                   "there is nothing to take: the axis has length 0, and %lld indices are given",
                                   (long long)indices->size);
    GI_IF_CUDA(a->device, gi_cuda_take(site, a, axis, indices, mode));
    return gi_settle_indices(site, indices, a->shape[axis], mode) ? gi_take(site, a, axis, indices) : NULL;
}

ga_array *(ga_take)(const ga_array *a, const ga_array *indices, ga_take_options o)
{
    if (!gi_check(o.site, a, "a") || !gi_check(o.site, indices, "indices")) return NULL;
    if (gi_kind_of(indices->dtype) > 1)
        return (ga_array *)gi_fail(o.site, GA_BAD_DTYPE, "indices are %s: they must be integers",
                                   ga_dtype_name(indices->dtype));
    if ((int)o.mode < GA_TAKE_RAISE || o.mode > GA_TAKE_CLIP)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, ".mode = %d is not GA_TAKE_RAISE, GA_TAKE_WRAP or GA_TAKE_CLIP",
                                   (int)o.mode);
    const ga_array *both[2] = { a, indices };
    if (gi_common_device(o.site, 2, both) == GA_DEVICE_DEFAULT) return NULL;
    int       axis    = o.axis;
    ga_array *along   = gi_along(o.site, a, &axis);
    ga_array *settled = !along                ? NULL
                        : a->device == GA_CPU ? gi_convert(o.site, indices, GA_I64)
                                              : gi_contiguous(o.site, indices, GA_I64);
    ga_array *taken   = settled ? gi_take_by(o.site, along, axis, settled, o.mode) : NULL;
    ga_free(settled);
    ga_free(along);
    return taken;
}

/* ---- nonzero, compress, extract ---------------------------------------------------------------------------------- */
/*  In chunks, twice: count what is true, then write, each chunk from where the counts of those before it end. */

#define GI_SELECT_TILE  ((int64_t)512)
#define GI_SELECT_CHUNK (64 * GI_SELECT_TILE)

typedef struct gi_select_job {
    const bool     *flags;
    int64_t         n, *starts; /* how many are true before each chunk */
    const char     *from;       /* the elements to choose from; NULL: write indices */
    char           *to;
    int64_t         itemsize, total;
    const ga_array *a; /* its shape turns a position into indices */
} gi_select_job;

GI_BEGIN_FAST
static int64_t gi_count_true(int64_t n, const bool *flags)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) count += flags[i];
    return count;
}

/* The places of the true ones, as if the first were `start`. There is room for one more. */
static int64_t gi_find_true(int64_t n, const bool *flags, int64_t start, int64_t *places)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        places[count] = start + i;
        count += flags[i];
    }
    return count;
}
GI_END_FAST

static void gi_count_chunks(int64_t begin, int64_t end, void *job)
{
    gi_select_job *j = (gi_select_job *)job;
    for (int64_t c = begin; c < end; c++) {
        int64_t start = c * GI_SELECT_CHUNK, n = j->n - start < GI_SELECT_CHUNK ? j->n - start : GI_SELECT_CHUNK;
        j->starts[c] = gi_count_true(n, j->flags + start);
    }
}

static void gi_select_chunks(int64_t begin, int64_t end, void *job)
{
    const gi_select_job *j = (const gi_select_job *)job;
    int64_t              places[GI_SELECT_TILE + 1];
    for (int64_t c = begin; c < end; c++) {
        int64_t at = j->starts[c], stop = j->n - c * GI_SELECT_CHUNK < GI_SELECT_CHUNK ? j->n : (c + 1) * GI_SELECT_CHUNK;
        for (int64_t start = c * GI_SELECT_CHUNK; start < stop; start += GI_SELECT_TILE) {
            int64_t n     = stop - start < GI_SELECT_TILE ? stop - start : GI_SELECT_TILE;
            int64_t count = gi_find_true(n, j->flags + start, start, places);
            if (j->from) {
                gi_take_job take = { j->from, j->to + at * j->itemsize, places, count, 0, j->itemsize };
                gi_take_rows(0, count, &take);
            } else { /* the last axis first: what is left of a place is its index along the axes before */
                for (int d = j->a->ndim - 1; d >= 0; d--) {
                    int64_t *row = (int64_t *)(void *)j->to + d * j->total + at, length = j->a->shape[d];
                    for (int64_t k = 0; k < count; k++) {
                        row[k]    = d == 0 ? places[k] : places[k] % length;
                        places[k] = d == 0 ? 0 : places[k] / length;
                    }
                }
            }
            at += count;
        }
    }
}

/* Counts the nonzero elements of condition. Then a (NULL: their indices) is written where they are, into a new array.
   */
static ga_array *gi_select(const char *site, const ga_array *condition, const ga_array *a)
{
    GI_IF_CUDA(condition->device, gi_cuda_chosen(site, condition, a));
    ga_array *flags  = gi_contiguous(site, condition, GA_BOOL);
    ga_array *packed = flags && a ? gi_contiguous(site, a, a->dtype) : NULL, *selected = NULL;
    int64_t   chunks = (condition->size + GI_SELECT_CHUNK - 1) / GI_SELECT_CHUNK;
    int64_t  *starts = flags && (packed || !a) ? (int64_t *)gi_alloc(site, (size_t)chunks * sizeof(int64_t)) : NULL;
    if (starts) {
        gi_select_job j;
        memset(&j, 0, sizeof j);
        j.flags  = (const bool *)flags->data;
        j.n      = condition->size;
        j.starts = starts;
        j.a      = condition;
        gi_parallel(chunks, 1, gi_count_chunks, &j);
        for (int64_t c = 0; c < chunks; c++) {
            int64_t count = starts[c];
            starts[c]     = j.total;
            j.total += count;
        }
        const int64_t indices[2] = { condition->ndim, j.total };
        if (a) selected = gi_new(site, a->dtype, a->device, 1, &j.total);
        else selected = gi_new(site, GA_I64, condition->device, 2, indices);
        if (selected) {
            j.from     = packed ? (const char *)packed->data : NULL;
            j.itemsize = ga_itemsize(selected->dtype);
            j.to       = (char *)selected->data;
            gi_parallel(chunks, 1, gi_select_chunks, &j);
        }
    }
    gi_release(starts, (size_t)chunks * sizeof(int64_t));
    ga_free(packed);
    ga_free(flags);
    return selected;
}

ga_array *(ga_nonzero)(const ga_array *a, const char *site)
{
    if (!gi_check(site, a, "a")) return NULL;
    if (a->ndim == 0) return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "a 0-d array has no axis to give indices along");
    return gi_select(site, a, NULL);
}

ga_array *(ga_extract)(const ga_array *condition, const ga_array *a, const char *site)
{
    if (!gi_check(site, condition, "condition") || !gi_check(site, a, "a")) return NULL;
    if (condition->size != a->size)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "condition has shape %s, a %s: they must have as many elements",
                                   gi_shape_of(condition), gi_shape_of(a));
    const ga_array *both[2] = { condition, a };
    return gi_common_device(site, 2, both) == GA_DEVICE_DEFAULT ? NULL : gi_select(site, condition, a);
}

ga_array *(ga_compress)(const ga_array *condition, const ga_array *a, ga_axis_options o)
{
    if (!gi_check(o.site, condition, "condition") || !gi_check(o.site, a, "a") || !gi_takes_no_dtype("ga_compress", &o) ||
        gi_null_option(o.site, "out", o.out))
        return NULL;
    if (condition->ndim != 1)
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "condition has shape %s: it must have one dimension",
                                   gi_shape_of(condition));
    const ga_array *both[2] = { condition, a };
    if (gi_common_device(o.site, 2, both) == GA_DEVICE_DEFAULT) return NULL;
    int       axis    = o.axis;
    ga_array *along   = gi_along(o.site, a, &axis);
    ga_array *indices = along ? gi_select(o.site, condition, NULL) : NULL;
    ga_array *line    = indices ? (ga_ravel)(indices, o.site) : NULL;  /* (1, count) */
    bool      inside  = line && condition->size <= along->shape[axis]; /* wherever it is true */
    ga_array *chosen  = !line    ? NULL
                        : inside ? gi_take(o.site, along, axis, line)
                                 : gi_take_by(o.site, along, axis, line, GA_TAKE_RAISE);
    ga_free(line);
    ga_free(indices);
    ga_free(along);
    return gi_finish(o.site, chosen, a->dtype, o.out);
}

/* ---- sort, argsort ----------------------------------------------------------------------------------------------- */
/*  Every element becomes an unsigned key that counts up in the wanted order: integers by adding a bias, floats by
    flipping bits, with one key for all NaNs (the last) and one for both zeros. Records that hold the keys are sorted
    by a radix sort, byte by byte from the lowest (little-endian, as every machine with a GPU); it is stable, and
    threads can share it. */

enum { GI_DIGITS = 256 };
#define GI_RADIX_CHUNK  ((int64_t)1 << 17) /* records that one thread moves */

GI_BEGIN_FAST

GI_FORMULA uint32_t gi_key_f32(uint32_t bits)
{
    const uint32_t sign = 0x80000000u, magnitude = bits & ~sign;
    if (magnitude > 0x7f800000u) return UINT32_MAX; /* NaN */
    if (magnitude == 0) return sign;
    return bits & sign ? ~bits : bits | sign;
}
GI_FORMULA uint64_t gi_key_f64(uint64_t bits)
{
    const uint64_t sign = (uint64_t)1 << 63, magnitude = bits & ~sign;
    if (magnitude > 0x7ff0000000000000u) return UINT64_MAX;
    if (magnitude == 0) return sign;
    return bits & sign ? ~bits : bits | sign;
}
GI_FORMULA uint32_t gi_bits_of_key_f32(uint32_t key) { return key & 0x80000000u ? key & 0x7fffffffu : ~key; }
GI_FORMULA uint64_t gi_bits_of_key_f64(uint64_t key) { return key >> 63 ? key & (UINT64_MAX >> 1) : ~key; }

/* The dtype of 4 or 8 bytes whose numbers are made keys, and what is added to an integer for that. */
static ga_dtype gi_key_dtype(ga_dtype dtype)
{
    if (ga_itemsize(dtype) > 4 || gi_is_float(dtype)) return dtype;
#ifdef GPUARR_FEW_DTYPES
    return GA_I32; /* the same bits */
#else
    return gi_is_signed(dtype) ? GA_I32 : GA_U32;
#endif
}
static uint64_t gi_key_bias(ga_dtype dtype) { return gi_is_signed(dtype) ? (uint64_t)1 << (8 * ga_itemsize(dtype) - 1) : 0; }

/* Keys of n packed elements of a real dtype. */
static void gi_to_keys(ga_dtype dtype, int64_t n, void *keys, const void *elements)
{
    uint32_t *key4 = (uint32_t *)keys;
    uint64_t *key8 = (uint64_t *)keys;
    uint64_t  bias = gi_key_bias(dtype);
    gi_cast(gi_key_dtype(dtype), dtype, n, keys, elements);
    if (dtype == GA_F32)
        for (int64_t i = 0; i < n; i++) key4[i] = gi_key_f32(key4[i]);
    else if (dtype == GA_F64)
        for (int64_t i = 0; i < n; i++) key8[i] = gi_key_f64(key8[i]);
    else if (ga_itemsize(dtype) <= 4)
        for (int64_t i = 0; i < n; i++) key4[i] += (uint32_t)bias;
    else
        for (int64_t i = 0; i < n; i++) key8[i] += bias;
}

/* The elements of n keys; the keys are lost. A NaN and -0 are then just any NaN and +0. */
static void gi_from_keys(ga_dtype dtype, int64_t n, void *elements, void *keys)
{
    uint32_t *key4 = (uint32_t *)keys;
    uint64_t *key8 = (uint64_t *)keys;
    uint64_t  bias = gi_key_bias(dtype);
    if (dtype == GA_F32)
        for (int64_t i = 0; i < n; i++) key4[i] = gi_bits_of_key_f32(key4[i]);
    else if (dtype == GA_F64)
        for (int64_t i = 0; i < n; i++) key8[i] = gi_bits_of_key_f64(key8[i]);
    else if (ga_itemsize(dtype) <= 4)
        for (int64_t i = 0; i < n; i++) key4[i] -= (uint32_t)bias;
    else
        for (int64_t i = 0; i < n; i++) key8[i] -= bias;
    gi_cast(dtype, gi_key_dtype(dtype), n, elements, keys);
}

/* Puts the zeros and the NaNs of a line back into their places in the sorted line, in their order and with their own
   bits. */
static void gi_restore_f32(int64_t n, float *sorted, const float *line)
{
    int64_t zeros = 0, nans = 0;
    for (int64_t i = 0; i < n; i++) {
        zeros += line[i] < 0;
        nans += line[i] == line[i];
    }
    for (int64_t i = 0; i < n; i++) {
        if (line[i] == 0) sorted[zeros++] = line[i];
        if (line[i] != line[i]) sorted[nans++] = line[i];
    }
}
static void gi_restore_f64(int64_t n, double *sorted, const double *line)
{
    int64_t zeros = 0, nans = 0;
    for (int64_t i = 0; i < n; i++) {
        zeros += line[i] < 0;
        nans += line[i] == line[i];
    }
    for (int64_t i = 0; i < n; i++) {
        if (line[i] == 0) sorted[zeros++] = line[i];
        if (line[i] != line[i]) sorted[nans++] = line[i];
    }
}

/* A job of the radix sort: one digit, a byte, of all records. `places` has a row for each chunk: how often each digit
   occurs there, then where the next record with that digit is to go. */
typedef struct gi_radix {
    char   *from, *to;
    int64_t n, chunks, *places;
    int     size, byte;
} gi_radix;

GI_FORMULA unsigned gi_digit(const gi_radix *r, int64_t i, int size) { return (unsigned char)r->from[i * size + r->byte]; }

static void gi_count_digits(int64_t begin, int64_t end, void *job)
{
    const gi_radix *r = (const gi_radix *)job;
    for (int64_t chunk = begin; chunk < end; chunk++) {
        int64_t start = chunk * GI_RADIX_CHUNK, stop = chunk == r->chunks - 1 ? r->n : start + GI_RADIX_CHUNK;
        int64_t count[GI_DIGITS] = { 0 };
        for (int64_t i = start; i < stop; i++) count[gi_digit(r, i, r->size)]++;
        memcpy(r->places + chunk * GI_DIGITS, count, sizeof count);
    }
}

/* Compiled for each size of a record. */
GI_FORMULA void gi_move_chunk(const gi_radix *r, int64_t chunk, int size)
{
    int64_t start = chunk * GI_RADIX_CHUNK, stop = chunk == r->chunks - 1 ? r->n : start + GI_RADIX_CHUNK;
    int64_t place[GI_DIGITS];
    memcpy(place, r->places + chunk * GI_DIGITS, sizeof place);
    for (int64_t i = start; i < stop; i++)
        memcpy(r->to + place[gi_digit(r, i, size)]++ * size, r->from + i * size, (size_t)size);
}

static void gi_move_records(int64_t begin, int64_t end, void *job)
{
    const gi_radix *r = (const gi_radix *)job;
    for (int64_t chunk = begin; chunk < end; chunk++) {
        if (r->size == 4) gi_move_chunk(r, chunk, 4);
        if (r->size == 8) gi_move_chunk(r, chunk, 8);
        if (r->size == 16) gi_move_chunk(r, chunk, 16);
    }
}

GI_END_FAST

/* Turns the counts into places. True if all records have the same digit: then there is nothing to move. */
static bool gi_place_digits(const gi_radix *r)
{
    int64_t at = 0;
    for (int digit = 0; digit < GI_DIGITS; digit++) {
        int64_t start = at;
        for (int64_t chunk = 0; chunk < r->chunks; chunk++) {
            int64_t *place = &r->places[chunk * GI_DIGITS + digit], count = *place;
            *place = at;
            at += count;
        }
        if (at - start == r->n) return true;
    }
    return false;
}

static int64_t gi_radix_chunks(int64_t n) { return n < GI_RADIX_CHUNK ? 1 : n / GI_RADIX_CHUNK; }

/* Sorts n records by `bytes` of their bytes from number `byte` on, the lowest first. `spare` has room for as many
   records. Returns where they are then: at records or at spare. */
static char *gi_sort_records(char *records, char *spare, int64_t n, int size, int byte, int bytes, int64_t *places)
{
    gi_radix r = { records, spare, n, gi_radix_chunks(n), places, size, byte };
    for (; r.byte < byte + bytes; r.byte++) {
        gi_parallel(r.chunks, 1, gi_count_digits, &r);
        if (gi_place_digits(&r)) continue;
        gi_parallel(r.chunks, 1, gi_move_records, &r);
        char *sorted = r.to;
        r.to         = r.from;
        r.from       = sorted;
    }
    return r.from;
}

/* Lines in; sorted lines, or the int64 indices that sort them, out. Short lines are sorted in groups, as one, and by
   the number of the line at last, because 256 counters are too many for one of them. */
typedef struct gi_sort_job {
    gi_lines lines, out;
    bool     indices;
    bool     by_keys; /* the keys are the records, and are turned back into elements: long lines of real numbers */
    int      record;  /* bytes of one: 4 or 8, a key; 8, a short key above a number; 16, a key and then a number */
    int64_t  group;   /* lines that are sorted at once */
    int64_t  units;   /* each sorts some of the groups, in its own scratch: */
    int64_t  half;    /* bytes: the records, and as many again, */
    int64_t  bytes;   /* behind them the elements, and the places of the digits */
    char    *scratch;
} gi_sort_job;

/* The number in a record of a group: that of the line, above that of the element in the group. */
enum { GI_GROUP_RECORDS = 8192, GI_LINE_SHIFT = 24 };

/* The key of a part (0 real, 1 imaginary) of a complex element. */
static uint64_t gi_part_key(ga_dtype dtype, const char *elements, uint64_t i, int part)
{
    double x;
    if (dtype == GA_C128) {
        memcpy(&x, elements + 16 * i + 8 * part, sizeof x);
    } else {
        float narrow;
        memcpy(&narrow, elements + 8 * i + 4 * part, sizeof narrow);
        x = (double)narrow;
    }
    return gi_key_f64(gi_bits_f64(x));
}

/* Complex numbers by real part, then imaginary part; those with a NaN behind all others: NaN in the imaginary part
   alone, in the real part alone, in both. Three stable sorts do it, the least important first. The records have their
   numbers. */
static char *gi_order_complex(const gi_sort_job *j, const char *elements, int64_t n, char *records, char *spare,
                              int64_t *places)
{
    const uint64_t nan = UINT64_MAX, mask = j->group > 1 ? ((uint64_t)1 << GI_LINE_SHIFT) - 1 : UINT64_MAX;
    ga_dtype       dtype = j->lines.dtype;
    for (int round = 0; round < 3; round++) {
        uint64_t *word = (uint64_t *)(void *)records;
        for (int64_t k = 0; k < n; k++) {
            uint64_t i    = word[2 * k + 1] & mask;
            uint64_t real = gi_part_key(dtype, elements, i, 0), imag = gi_part_key(dtype, elements, i, 1);
            word[2 * k] = round == 0 ? imag : round == 1 ? real : real == nan ? 2 : imag == nan ? 1 : 0;
        }
        char *sorted = gi_sort_records(records, spare, n, 16, 0, round < 2 ? 8 : 1, places);
        spare        = sorted == records ? spare : records;
        records      = sorted;
    }
    return records;
}

/* The order of the elements of a group of lines, as int64 numbers written over the records. */
static int64_t *gi_order_group(const gi_sort_job *j, const char *elements, int64_t lines, char *records, char *spare,
                               int64_t *places)
{
    ga_dtype        dtype = j->lines.dtype;
    int64_t         n = lines * j->lines.length, k = 0;
    int             key_bytes = (int)ga_itemsize(dtype), key_at = j->record == 8 ? 4 : 0;
    uint64_t       *word       = (uint64_t *)(void *)records;
    const uint32_t *key4       = (const uint32_t *)(const void *)spare;
    const uint64_t *key8       = (const uint64_t *)(const void *)spare;
    bool            is_complex = gi_is_complex(dtype);
    if (!is_complex) gi_to_keys(dtype, n, spare, elements);
    for (int64_t line = 0; line < lines; line++)
        for (int64_t i = 0; i < j->lines.length; i++, k++) {
            uint64_t number = j->group > 1 ? (uint64_t)line << GI_LINE_SHIFT | (uint64_t)k : (uint64_t)k;
            if (j->record == 8) {
                word[k] = (uint64_t)key4[k] << 32 | number;
            } else {
                word[2 * k]     = is_complex ? 0 : key_bytes > 4 ? key8[k] : key4[k];
                word[2 * k + 1] = number;
            }
        }
    char *sorted = is_complex ? gi_order_complex(j, elements, n, records, spare, places)
                              : gi_sort_records(records, spare, n, j->record, key_at, key_bytes, places);
    if (lines > 1)
        sorted = gi_sort_records(sorted, sorted == records ? spare : records, n, j->record, j->record - 8 + GI_LINE_SHIFT / 8,
                                 1, places);
    const uint64_t mask = j->group > 1 ? ((uint64_t)1 << GI_LINE_SHIFT) - 1 : j->record == 8 ? UINT32_MAX : UINT64_MAX;
    word                = (uint64_t *)(void *)sorted;
    for (k = 0; k < n; k++) word[k] = word[j->record == 8 ? k : 2 * k + 1] & mask;
    return (int64_t *)word;
}

/* One long line of real numbers: keys are enough. Returns where the sorted elements are: at records or at spare. */
static char *gi_sort_by_keys(const gi_sort_job *j, const char *line, char *records, char *spare, int64_t *places)
{
    ga_dtype dtype = j->lines.dtype;
    int64_t  n     = j->lines.length;
    gi_to_keys(dtype, n, records, line);
    char *keys   = gi_sort_records(records, spare, n, j->record, 0, (int)ga_itemsize(dtype), places);
    char *sorted = keys == records ? spare : records;
    gi_from_keys(dtype, n, sorted, keys);
    if (dtype == GA_F32) gi_restore_f32(n, (float *)(void *)sorted, (const float *)(const void *)line);
    if (dtype == GA_F64) gi_restore_f64(n, (double *)(void *)sorted, (const double *)(const void *)line);
    return sorted;
}

static void gi_sort_group(const gi_sort_job *j, int64_t first, int64_t lines, char *scratch)
{
    int         size = (int)ga_itemsize(j->lines.dtype), out_size = (int)ga_itemsize(j->out.dtype);
    int64_t     n = j->lines.length, *order = NULL;
    char       *records = scratch, *spare = scratch + j->half, *room = scratch + 2 * j->half;
    int64_t    *places   = (int64_t *)(void *)(scratch + j->bytes) - gi_radix_chunks(n * j->group) * GI_DIGITS;
    const char *elements = room;
    for (int64_t k = 0; k < lines; k++) {
        const char *line = (const char *)gi_read_line(&j->lines, first + k, 0, n, room + k * n * size, NULL);
        if (j->group == 1) elements = line;
        else if (line != room + k * n * size) /* it lies packed in a: put it beside the others */
            memcpy(room + k * n * size, line, (size_t)(n * size));
    }
    char *sorted;
    if (j->by_keys) {
        sorted = gi_sort_by_keys(j, elements, records, spare, places);
    } else {
        order  = gi_order_group(j, elements, lines, records, spare, places);
        sorted = (char *)order;
    }
    if (!j->by_keys && !j->indices) {
        sorted           = (char *)order == records ? spare : records;
        gi_take_job take = { elements, sorted, order, n * lines, 0, size };
        gi_parallel(n * lines, 65536, gi_take_rows, &take);
    }
    for (int64_t k = 0; k < lines; k++) {
        for (int64_t i = 0; i < n && j->indices && k > 0; i++) order[k * n + i] -= k * n; /* from its line's start */
        gi_scatter(out_size, n, (char *)gi_line_start(&j->out, first + k), j->out.strides[0], sorted + k * n * out_size);
    }
}

static void gi_sort_units(int64_t begin, int64_t end, void *job)
{
    const gi_sort_job *j      = (const gi_sort_job *)job;
    int64_t            groups = (j->lines.lines + j->group - 1) / j->group;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t share = groups / j->units, more = groups % j->units;
        int64_t first = unit * share + (unit < more ? unit : more), last = first + share + (unit < more);
        for (int64_t k = first; k < last; k++) {
            int64_t line = k * j->group, left = j->lines.lines - line;
            gi_sort_group(j, line, left < j->group ? left : j->group, j->scratch + unit * j->bytes);
        }
    }
}

/* Rounds up, so that what follows is aligned. */
static int64_t gi_padded(int64_t bytes) { return (bytes + GI_ALIGN - 1) / GI_ALIGN * GI_ALIGN; }

static void gi_plan_sort(gi_sort_job *j)
{
    int64_t n = j->lines.length, lines = j->lines.lines, size = ga_itemsize(j->lines.dtype), threads = ga_get_num_threads();
    j->group = GI_GROUP_RECORDS / n;
    if (j->group > GI_DIGITS) j->group = GI_DIGITS;
    if (j->group > lines) j->group = lines;
    if (j->group < 1) j->group = 1;
    j->by_keys = j->group == 1 && !j->indices && !gi_is_complex(j->lines.dtype);
    if (j->by_keys) j->record = size <= 4 ? 4 : 8;
    else j->record = size <= 4 && n <= UINT32_MAX ? 8 : 16;
    if (gi_is_complex(j->lines.dtype)) j->record = 16;
    int64_t groups = (lines + j->group - 1) / j->group;
    j->units       = groups < 4 * threads ? groups : 4 * threads;
    if (n >= 2 * GI_RADIX_CHUNK) j->units = 1; /* the threads share a line, else each has its own */
    j->half = gi_padded(n * j->group * j->record);
    j->bytes =
        2 * j->half + gi_padded(n * j->group * size) + gi_radix_chunks(n * j->group) * (int64_t)(GI_DIGITS * sizeof(int64_t));
}

#if GI_HAS_CUDA
static bool      gi_cuda_sort(const char *site, const ga_array *a, ga_array *result, int axis, bool indices);
static ga_array *gi_cuda_unique(const char *site, const ga_array *a, const ga_unique_options *o);
#endif

/* a sorted along an axis, or the indices that sort it. */
static ga_array *gi_sorted(const char *site, const ga_array *a, int axis, bool indices)
{
    ga_shape axes;
    memset(&axes, 0, sizeof axes);
    axes.ndim        = 1;
    axes.n[0]        = axis;
    ga_array *result = gi_new(site, indices ? GA_I64 : a->dtype, a->device, a->ndim, a->shape);
    if (!result || result->size == 0) return result;
#if GI_HAS_CUDA
    if (a->device == GA_CUDA) {
        if (gi_cuda_sort(site, a, result, axis, indices)) return result;
        ga_free(result);
        return NULL;
    }
#endif
    gi_sort_job j;
    memset(&j, 0, sizeof j);
    j.indices = indices;
    if (gi_plan_lines(site, &j.lines, a, a->dtype, axis, &axes, false) &&
        gi_plan_lines(site, &j.out, result, result->dtype, axis, &axes, false)) {
        gi_plan_sort(&j);
        j.scratch = (char *)gi_alloc(site, (size_t)(j.bytes * j.units));
    }
    if (!j.scratch) {
        ga_free(result);
        return NULL;
    }
    if (j.units == 1) gi_sort_units(0, 1, &j); /* not as a task, so that the radix sort may use the threads */
    else gi_parallel(j.units, 1, gi_sort_units, &j);
    gi_release(j.scratch, (size_t)(j.bytes * j.units));
    return result;
}

static ga_array *gi_sort_call(const char *name, const ga_array *a, const ga_axis_options *o, bool indices)
{
    if (!gi_check(o->site, a, "a") || !gi_takes_no_dtype(name, o) || gi_null_option(o->site, "out", o->out)) return NULL;
    int axis = gi_axis(o->site, gi_axis_given(o->site, o->axis) ? o->axis : -1, a->ndim);
    if (axis < 0) return NULL;
    return gi_finish(o->site, gi_sorted(o->site, a, axis, indices), indices ? GA_I64 : a->dtype, o->out);
}

ga_array *(ga_sort)(const ga_array *a, ga_axis_options o) { return gi_sort_call("ga_sort", a, &o, false); }
ga_array *(ga_argsort)(const ga_array *a, ga_axis_options o) { return gi_sort_call("ga_argsort", a, &o, true); }

/* ---- unique ------------------------------------------------------------------------------------------------------ */

/* Of a sorted line: where does a run of equal elements begin? All NaNs, sorted to the end, are one run. */
static ga_array *gi_run_starts(const char *site, const ga_array *sorted)
{
    ga_array *first = gi_new(site, GA_BOOL, sorted->device, 1, sorted->shape);
    if (!first || first->size == 0) return first;
    int64_t     n = first->size, size = ga_itemsize(sorted->dtype);
    bool       *flags = (bool *)first->data, is_nan = false;
    const char *s            = (const char *)sorted->data;
    gi_kernel   isnan_kernel = gi_cpu_kernel(GA_OP_isnan, sorted->dtype);
    flags[0]                 = true;
    gi_cpu_kernel(GA_OP_not_equal, sorted->dtype)(n - 1, flags + 1, s + size, s, NULL);
    for (int64_t i = n - 1; i > 0 && isnan_kernel; i--) {
        isnan_kernel(1, &is_nan, s + (i - 1) * size, NULL, NULL);
        if (!is_nan) break;
        flags[i] = false;
    }
    return first;
}

/* For each element of the array that was sorted: the number of its run, in the shape of a. */
static ga_array *gi_run_numbers(const char *site, const ga_array *a, const ga_array *order, const ga_array *starts)
{
    ga_array *inverse = gi_new(site, GA_I64, a->device, a->ndim, a->shape);
    if (!inverse) return NULL;
    const int64_t *place = (const int64_t *)order->data, *start = (const int64_t *)starts->data;
    for (int64_t run = 0; run < starts->size; run++) {
        int64_t stop = run + 1 < starts->size ? start[run + 1] : a->size;
        for (int64_t k = start[run]; k < stop; k++) ((int64_t *)inverse->data)[place[k]] = run;
    }
    return inverse;
}

static ga_array *gi_run_lengths(const char *site, const ga_array *a, const ga_array *starts)
{
    ga_array *counts = gi_new(site, GA_I64, a->device, 1, starts->shape);
    if (!counts) return NULL;
    const int64_t *start = (const int64_t *)starts->data;
    for (int64_t run = 0; run < starts->size; run++)
        ((int64_t *)counts->data)[run] = (run + 1 < starts->size ? start[run + 1] : a->size) - start[run];
    return counts;
}

/* The sorted values; what else is asked for is left in the options, and freed by the caller after a failure. */
static ga_array *gi_unique(const char *site, const ga_array *a, const ga_unique_options *o)
{
    GI_IF_CUDA(a->device, gi_cuda_unique(site, a, o));
    bool      ordered = o->index || o->inverse; /* else sorted values are enough */
    ga_array *line    = (ga_ravel)(a, site);
    ga_array *order   = line && ordered ? gi_sorted(site, line, 0, true) : NULL;
    ga_array *sorted  = order ? gi_take(site, line, 0, order) : line && !ordered ? gi_sorted(site, line, 0, false) : NULL;
    ga_array *flags   = sorted ? gi_run_starts(site, sorted) : NULL;
    ga_array *indices = flags ? gi_select(site, flags, NULL) : NULL;
    ga_array *starts  = indices ? (ga_ravel)(indices, site) : NULL; /* (1, runs) */
    ga_array *values  = starts ? gi_take(site, sorted, 0, starts) : NULL;
    if (values && o->index) *o->index = gi_take(site, order, 0, starts);
    if (values && o->inverse) *o->inverse = gi_run_numbers(site, a, order, starts);
    if (values && o->counts) *o->counts = gi_run_lengths(site, a, starts);
    ga_free(starts);
    ga_free(indices);
    ga_free(flags);
    ga_free(sorted);
    ga_free(order);
    ga_free(line);
    return values;
}

ga_array *(ga_unique)(const ga_array *a, ga_unique_options o)
{
    if (o.index) *o.index = NULL;
    if (o.inverse) *o.inverse = NULL;
    if (o.counts) *o.counts = NULL;
    if (!gi_check(o.site, a, "a")) return NULL;
    ga_array *values = gi_unique(o.site, a, &o);
    if (values && (!o.index || *o.index) && (!o.inverse || *o.inverse) && (!o.counts || *o.counts)) return values;
    ga_array **results[3] = { o.index, o.inverse, o.counts };
    for (int k = 0; k < 3; k++) {
        if (!results[k]) continue;
        ga_free(*results[k]);
        *results[k] = NULL;
    }
    ga_free(values);
    return NULL;
}

/* ---- histogram, bincount ----------------------------------------------------------------------------------------- */
/*  Weights are added in the order of the elements within blocks of 65536 elements (or as many as there are bins, if
    these are more), and the sums of the blocks in the order of the blocks: so the result does not depend on the
    threads, and is NumPy's for a histogram. */

#define GI_COUNT_BLOCK ((int64_t)65536)
#define GI_COUNT_TILE  ((int64_t)512)
#define GI_COUNT_ROOM  ((int64_t)1 << 23) /* bins of all blocks that are counted at once */

typedef struct gi_count_job {
    const ga_array *a, *weights;        /* contiguous; weights may be NULL */
    const double   *edges;              /* of a histogram; NULL: the elements are the numbers of their bins */
    int64_t         bins, block, first; /* elements of a block; the number of the first block that is counted now */
    double         *sums;               /* a row of bins for each block */
} gi_count_job;

GI_BEGIN_FAST

/* The bin of x by NumPy's rule; -1 for what is outside. The edges decide, the product is only a guess that may be one
   off. */
GI_FORMULA int64_t gi_bin_of(double x, const double *edges, int64_t bins)
{
    double low = edges[0], high = edges[bins];
    if (!(x >= low && x <= high)) return -1; /* NaN too */
    int64_t i = (int64_t)gi_mul_f64((x - low) / (high - low), (double)bins);
    if (i >= bins) i = bins - 1;
    if (x < edges[i]) return i - 1;
    return x >= edges[i + 1] && i != bins - 1 ? i + 1 : i;
}

static void gi_bins_of(int64_t n, int64_t *bin, const double *x, const double *edges, int64_t bins)
{
    for (int64_t i = 0; i < n; i++) bin[i] = gi_bin_of(x[i], edges, bins);
}

static void gi_count_blocks(int64_t begin, int64_t end, void *job)
{
    const gi_count_job *j = (const gi_count_job *)job;
    double              x[GI_COUNT_TILE], weight[GI_COUNT_TILE];
    int64_t             bin[GI_COUNT_TILE], size = ga_itemsize(j->a->dtype), n;
    for (int64_t b = begin; b < end; b++) {
        double *sums  = j->sums + b * j->bins;
        int64_t start = (j->first + b) * j->block, stop = j->a->size - start < j->block ? j->a->size : start + j->block;
        memset(sums, 0, (size_t)j->bins * sizeof *sums);
        for (; start < stop; start += n) {
            n                = stop - start < GI_COUNT_TILE ? stop - start : GI_COUNT_TILE;
            const char *from = (const char *)j->a->data + start * size;
            if (j->edges) {
                gi_cast(GA_F64, j->a->dtype, n, x, from);
                gi_bins_of(n, bin, x, j->edges, j->bins);
            } else {
                gi_cast(GA_I64, j->a->dtype, n, bin, from);
            }
            if (j->weights) {
                ga_dtype dtype = j->weights->dtype;
                gi_cast(GA_F64, dtype, n, weight, (const char *)j->weights->data + start * ga_itemsize(dtype));
                for (int64_t i = 0; i < n; i++)
                    if (bin[i] >= 0) sums[bin[i]] += weight[i];
            } else {
                for (int64_t i = 0; i < n; i++)
                    if (bin[i] >= 0) sums[bin[i]] += 1;
            }
        }
    }
}

GI_END_FAST

/* The sums of the weights (of ones) in each bin: a new float64 array (on a GPU, of ones, an int64 array). `edges` lies where a does. */
static ga_array *gi_count_bins(const char *site, const ga_array *a, const ga_array *weights, int64_t bins, const double *edges)
{
    GI_IF_CUDA(a->device, gi_cuda_count_bins(site, a, weights, bins, edges));
    gi_count_job j;
    memset(&j, 0, sizeof j);
    j.bins         = bins;
    j.edges        = edges;
    j.block        = bins > GI_COUNT_BLOCK ? bins : GI_COUNT_BLOCK;
    int64_t blocks = (a->size + j.block - 1) / j.block, at_once = bins > 0 ? GI_COUNT_ROOM / bins : blocks;
    if (at_once < 1) at_once = 1;
    if (at_once > 64) at_once = 64;
    if (at_once > blocks) at_once = blocks;
    size_t    bytes          = (size_t)(at_once * bins) * sizeof(double);
    ga_array *total          = gi_new(site, GA_F64, a->device, 1, &bins);
    ga_array *packed         = total ? gi_contiguous(site, a, a->dtype) : NULL;
    ga_array *packed_weights = packed && weights ? gi_contiguous(site, weights, weights->dtype) : NULL;
    bool      done           = packed && (packed_weights || !weights);
    if (done) {
        memset(total->data, 0, (size_t)bins * sizeof(double));
        j.a       = packed;
        j.weights = packed_weights;
        j.sums    = (double *)gi_alloc(site, bytes);
        done      = j.sums != NULL;
    }
    for (; done && j.first < blocks; j.first += at_once) {
        int64_t count = blocks - j.first < at_once ? blocks - j.first : at_once;
        gi_parallel(count, 1, gi_count_blocks, &j);
        for (int64_t b = 0; b < count; b++)
            for (int64_t i = 0; i < bins; i++) ((double *)total->data)[i] += j.sums[b * bins + i];
    }
    gi_release(j.sums, bytes);
    ga_free(packed_weights);
    ga_free(packed);
    if (done) return total;
    ga_free(total);
    return NULL;
}

static bool gi_check_weights(const char *site, const ga_array *weights, const ga_array *a)
{
    if (!weights) {
        if (!gi_option_given(site, "weights")) return true;
        gi_fail(site, GA_BAD_ARGUMENT, ".weights is NULL: the call that should have made it failed");
        return false;
    }
    if (!gi_check(site, weights, ".weights")) return false;
    if (!ga_same_shape(weights, a)) {
        gi_fail(site, GA_BAD_SHAPE, ".weights have shape %s, a %s: each element needs one", gi_shape_of(weights),
                gi_shape_of(a));
        return false;
    }
    if (gi_is_complex(weights->dtype)) {
        gi_fail(site, GA_BAD_DTYPE, ".weights are %s: they must be real", ga_dtype_name(weights->dtype));
        return false;
    }
    const ga_array *both[2] = { a, weights };
    return gi_common_device(site, 2, both) != GA_DEVICE_DEFAULT;
}

/* The smallest and the largest element (of at least one), as float64 or int64. */
static bool gi_min_max(const char *site, const ga_array *a, ga_dtype dtype, void *least, void *most)
{
    ga_reduce_options o   = gi_reduce_site(site);
    ga_array         *min = (ga_min)(a, o), *max = min ? (ga_max)(a, o) : NULL;
    bool              done = max && gi_item_as(site, min, NULL, dtype, least) && gi_item_as(site, max, NULL, dtype, most);
    ga_free(max);
    ga_free(min);
    return done;
}

static bool gi_histogram_range(const ga_array *a, const ga_histogram_options *o, double *low, double *high)
{
    bool given = o->low != o->high; /* NaN too */
    *low       = given ? o->low : 0;
    *high      = given ? o->high : 1;
    if (given && *low > *high) {
        gi_fail(o->site, GA_BAD_ARGUMENT, ".low = %g is above .high = %g", *low, *high);
        return false;
    }
    if (!given && a->size > 0 && !gi_min_max(o->site, a, GA_F64, low, high)) return false;
    if (*low != *low || *high != *high) {
        gi_fail(o->site, GA_BAD_ARGUMENT, "%s NaN, so there is no range: give .low and .high as numbers",
                given ? ".low or .high is" : "a holds a");
        return false;
    }
    if (!gi_isfinite_f64(*high - *low)) {
        gi_fail(o->site, GA_BAD_ARGUMENT, "the %s range from %g to %g is not finite: give .low and .high",
                given ? "given" : "data's", *low, *high);
        return false;
    }
    if (*low < *high) return true;
    *low -= 0.5;
    *high += 0.5;
    return true;
}

static double gi_rounded(ga_dtype dtype, double x) { return dtype == GA_F32 ? (double)(float)x : x; }

/* numpy.linspace in the precision that NumPy uses: the range of float32 data is worked out in float32, one that is
   given in float64 and rounded. */
static bool gi_histogram_edges(const ga_array *a, const ga_histogram_options *o, double low, double high, int64_t bins,
                               double *edges)
{
    bool     rounded = a->dtype == GA_F32;
    ga_dtype dtype   = rounded && o->low == o->high && a->size > 0 ? GA_F32 : GA_F64;
    low              = gi_rounded(dtype, low);
    high             = gi_rounded(dtype, high);
    double delta = gi_rounded(dtype, high - low), step = gi_rounded(dtype, delta / (double)bins);
    for (int64_t i = 0; i <= bins; i++) {
        double x = gi_rounded(dtype, (double)i);
        x        = step == 0 ? gi_rounded(dtype, gi_mul_f64(gi_rounded(dtype, x / (double)bins), delta))
                             : gi_rounded(dtype, gi_mul_f64(x, step));
        edges[i] = i == bins ? high : gi_rounded(rounded ? GA_F32 : GA_F64, x + low);
        if (rounded) edges[i] = (double)(float)edges[i];
        if (i == 0 || edges[i - 1] < edges[i]) continue;
        gi_fail(o->site, GA_BAD_ARGUMENT, "%lld bins are too many between %g and %g: neighbouring edges of %s are equal",
                (long long)bins, low, high, ga_dtype_name(rounded ? GA_F32 : GA_F64));
        return false;
    }
    return true;
}

/* Divides the sums by the widths of the bins, then by their total. */
static bool gi_to_density(const char *site, ga_array *sums, ga_dtype dtype, const double *edge)
{
    ga_map_options in_place = gi_map_site(site);
    in_place.out            = sums;
    ga_array *widths        = gi_new(site, GA_F64, GA_CPU, 1, sums->shape);
    ga_array *total         = widths ? (ga_sum)(sums, gi_reduce_site(site)) : NULL;
    for (int64_t i = 0; total && i < sums->size; i++)
        ((double *)widths->data)[i] = gi_rounded(dtype, edge[i + 1] - edge[i]); /* as numpy.diff */
    ga_array *there = total ? gi_to(site, widths, sums->device) : NULL;
    bool      done =
        there && (ga_divide)(GA_ARG(sums), GA_ARG(there), in_place) && (ga_divide)(GA_ARG(sums), GA_ARG(total), in_place);
    ga_free(there);
    ga_free(total);
    ga_free(widths);
    return done;
}

ga_array *(ga_histogram)(const ga_array *a, int64_t bins, ga_histogram_options o)
{
    double low, high;
    if (o.edges) *o.edges = NULL;
    if (!gi_check(o.site, a, "a") || !gi_check_weights(o.site, o.weights, a)) return NULL;
    if (gi_is_complex(a->dtype))
        return (ga_array *)gi_fail(o.site, GA_BAD_DTYPE, "a is %s: only real numbers can be put into bins",
                                   ga_dtype_name(a->dtype));
    if (bins < 1 || bins == INT64_MAX)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "%lld bins: give 1 or more", (long long)bins);
    if (!gi_histogram_range(a, &o, &low, &high)) return NULL;
    int64_t   points = bins + 1;
    ga_array *here   = gi_new(o.site, GA_F64, GA_CPU, 1, &points);
    double   *edge   = here ? (double *)here->data : NULL;
    bool      valid  = edge && gi_histogram_edges(a, &o, low, high, bins, edge);
    ga_array *edges  = !valid ? NULL : a->device == GA_CPU ? (ga_view)(here, o.site) : gi_to(o.site, here, a->device);
    ga_array *sums   = edges ? gi_count_bins(o.site, a, o.weights, bins, (const double *)edges->data) : NULL;
    ga_array *result = gi_finish(o.site, sums, o.weights || o.density ? GA_F64 : GA_I64, NULL);
    if (result && o.density && !gi_to_density(o.site, result, a->dtype, edge)) {
        ga_free(result);
        result = NULL;
    }
    if (o.edges && result) *o.edges = edges;
    else ga_free(edges);
    ga_free(here);
    return result;
}

ga_array *(ga_bincount)(const ga_array *a, ga_bincount_options o)
{
    if (!gi_check(o.site, a, "a") || !gi_check_weights(o.site, o.weights, a)) return NULL;
    if (gi_kind_of(a->dtype) > 1)
        return (ga_array *)gi_fail(o.site, GA_BAD_DTYPE, "a is %s: only integers can be counted; use ga_astype",
                                   ga_dtype_name(a->dtype));
    if (a->ndim != 1)
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "a has shape %s: it must have one dimension", gi_shape_of(a));
    if (o.minlength < 0)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, ".minlength = %lld is negative", (long long)o.minlength);
    int64_t least = 0, most = -1;
    if (a->size > 0 && !gi_min_max(o.site, a, GA_I64, &least, &most)) return NULL;
    if (least < 0 || most == INT64_MAX || (a->size > 0 && most < 0))
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "a holds numbers from %lld to %lld: they must not be negative",
                                   (long long)least, (long long)most);
    ga_array *sums = gi_count_bins(o.site, a, o.weights, most + 1 > o.minlength ? most + 1 : o.minlength, NULL);
    return gi_finish(o.site, sums, o.weights ? GA_F64 : GA_I64, NULL);
}

/* ---- cumsum, cumprod --------------------------------------------------------------------------------------------- */
/*  The documented tree of running sums, which a GPU follows with the same bits. A line is cut into blocks of 1024
    from its start. In a block, for d = 1, 2, 4 ... 512, x[i] is joined with x[i - d] for all i >= d at once (Hillis
    and Steele). The last ones of the blocks are a line that is treated in the same way; then each block is joined
    with what came before it. All this in the wide type of sums; a result is rounded once. Long lines are gone through
    twice, first for the last ones of the blocks alone. */

typedef struct gi_scan_job {
    gi_lines  lines, out; /* read as lines.dtype, made `wide`, written as the dtype of out */
    ga_dtype  wide;
    ga_op     op;        /* add or multiply, */
    gi_kernel join;      /* the kernel of that */
    int64_t   blocks;    /* of a line */
    bool      ends_only; /* write the last one of each block to ends, nothing else */
    char     *ends;      /* (lines, blocks - 1) of the wide type; in the second round what precedes each next block */
} gi_scan_job;

/* Puts what the last of 1024 elements becomes into the first: then neighbours are joined, and again those, as a tree.
   */
static void gi_last_of_block(const gi_scan_job *j, char *x, char *spare)
{
    int width = (int)ga_itemsize(j->wide);
    for (int64_t n = GI_BLOCK / 2; n > 0; n /= 2) {
        gi_gather(width, n, spare, x, 2 * width);
        gi_gather(width, n, spare + n * width, x + width, 2 * width);
        j->join(n, x, spare + n * width, spare, NULL);
    }
}

static void gi_running_u64(ga_op op, int64_t n, uint64_t *x)
{
    if (op == GA_OP_add)
        for (int64_t i = 1; i < n; i++) x[i] += x[i - 1];
    else
        for (int64_t i = 1; i < n; i++) x[i] *= x[i - 1];
}

/* n <= 1024 packed wide elements at x; spare has room for as many. Returns where the result is: at x or at spare. */
static char *gi_scan_block(const gi_scan_job *j, int64_t n, char *x, char *spare)
{
    int64_t width = ga_itemsize(j->wide);
    if (gi_is_int(j->wide)) { /* sums and products that wrap are the same in any order */
        gi_running_u64(j->op, n, (uint64_t *)(void *)x);
        return x;
    }
    for (int64_t d = 1; d < n; d *= 2) {
        memcpy(spare, x, (size_t)(d * width));
        j->join(n - d, spare + d * width, x + d * width, x, NULL);
        char *scanned = spare;
        spare         = x;
        x             = scanned;
    }
    return x;
}

static void gi_scan_units(int64_t begin, int64_t end, void *job)
{
    const gi_scan_job                *j = (const gi_scan_job *)job;
    __attribute__((aligned(64))) char raw[GI_BLOCK * 16], cast[GI_BLOCK * 16], x[GI_BLOCK * 16], spare[GI_BLOCK * 16];
    int64_t                           width = ga_itemsize(j->wide), blocks = j->ends_only ? j->blocks - 1 : j->blocks;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t line = unit / blocks, block = unit % blocks, start = block * GI_BLOCK;
        int64_t n      = j->lines.length - start < GI_BLOCK ? j->lines.length - start : GI_BLOCK;
        char   *before = block > 0 ? j->ends + (line * (j->blocks - 1) + block - 1) * width : NULL;
        gi_cast(j->wide, j->lines.dtype, n, x, gi_read_line(&j->lines, line, start, n, raw, cast));
        if (j->ends_only) {
            gi_last_of_block(j, x, spare);
            memcpy(j->ends + unit * width, x, (size_t)width);
            continue;
        }
        char *scanned = gi_scan_block(j, n, x, spare), *other = scanned == x ? spare : x;
        if (before) {
            memcpy(other, before, (size_t)width);
            for (int64_t done = 1; done < n; done *= 2) /* as many copies as there are elements */
                memcpy(other + done * width, other, (size_t)((done < n - done ? done : n - done) * width));
            j->join(n, other, other, scanned, NULL);
            char *joined = other;
            other        = scanned;
            scanned      = joined;
        }
        const ga_array *out = j->out.a;
        gi_cast(out->dtype, j->wide, n, other, scanned);
        int64_t stride = j->out.strides[0];
        gi_scatter((int)ga_itemsize(out->dtype), n, (char *)gi_line_start(&j->out, line) + start * stride, stride, other);
    }
}

/* Scans `in`, read as dtype, along an axis into out (of the same shape; it may be the same array). */
static bool gi_scan(const char *site, const ga_array *in, ga_dtype dtype, ga_array *out, int axis, ga_dtype wide, ga_op op)
{
    if (out->size == 0) return true;
    GI_IF_CUDA(out->device, gi_cuda_scan(site, in, dtype, out, axis, wide, op));
    ga_shape axes;
    memset(&axes, 0, sizeof axes);
    axes.ndim = 1;
    axes.n[0] = axis;
    gi_scan_job j;
    memset(&j, 0, sizeof j);
    if (!gi_plan_lines(site, &j.lines, in, dtype, axis, &axes, false) ||
        !gi_plan_lines(site, &j.out, out, out->dtype, axis, &axes, false))
        return false;
    j.wide          = wide;
    j.op            = op;
    j.join          = gi_cpu_kernel(op, wide);
    j.blocks        = (j.lines.length + GI_BLOCK - 1) / GI_BLOCK;
    ga_array *ends  = NULL;
    int64_t   lines = j.lines.lines, chunk = 1 + 16384 / (j.lines.length < GI_BLOCK ? j.lines.length : GI_BLOCK);
    bool      done = true;
    if (j.blocks > 1) {
        const int64_t shape[2] = { lines, j.blocks - 1 };
        ends                   = gi_new(site, wide, in->device, 2, shape);
        if (!ends) return false;
        j.ends      = (char *)ends->data;
        j.ends_only = true;
        gi_parallel(lines * (j.blocks - 1), chunk, gi_scan_units, &j);
        j.ends_only = false;
        done        = gi_scan(site, ends, wide, ends, 1, wide, op);
    }
    if (done) gi_parallel(lines * j.blocks, chunk, gi_scan_units, &j);
    ga_free(ends);
    return done;
}

static ga_array *gi_cumulate(ga_op op, const ga_array *a, const ga_axis_options *o)
{
    if (!gi_check(o->site, a, "a") || gi_null_option(o->site, "out", o->out)) return NULL;
    if (o->dtype != GA_DTYPE_DEFAULT && !gi_is_dtype(o->dtype))
        return (ga_array *)gi_fail(o->site, GA_BAD_DTYPE, ".dtype = %d is not a dtype", (int)o->dtype);
    ga_dtype  dtype  = o->dtype != GA_DTYPE_DEFAULT ? o->dtype : gi_end_dtype(GI_ENDS_SUM, a->dtype);
    ga_dtype  wide   = gi_is_float(dtype) ? GA_F64 : gi_is_complex(dtype) ? GA_C128 : gi_end_dtype(GI_ENDS_SUM, dtype);
    int       axis   = o->axis;
    ga_array *along  = gi_along(o->site, a, &axis);
    ga_array *result = along ? gi_new(o->site, dtype, a->device, along->ndim, along->shape) : NULL;
    if (result && !gi_scan(o->site, along, dtype, result, axis, wide, op)) {
        ga_free(result);
        result = NULL;
    }
    ga_free(along);
    return gi_finish(o->site, result, dtype, o->out);
}

ga_array *(ga_cumsum)(const ga_array *a, ga_axis_options o) { return gi_cumulate(GA_OP_add, a, &o); }
ga_array *(ga_cumprod)(const ga_array *a, ga_axis_options o) { return gi_cumulate(GA_OP_multiply, a, &o); }

/* ==== >>products: matrix products, and sums over products along labelled axes ========================================= */
/*  Every product is one job, or several: matrices with any strides, over any number of further axes. An element of the result is one
    chain: from nothing (-0 for floats), a[i][k] * b[k][j] is added by gi_fma in the order of k. So it has the same bits whatever the
    blocks, threads and instruction sets, and on the GPU. Its error grows with the length of the chain, as any plain sum's does.
    The other sums of products, of vectors alone, go along the documented tree (>>reduce).                                         */

enum { GI_PRODUCT_AXES = 2 * GPUARR_MAX_DIMS };

typedef struct gi_factor { /* an operand, or the result */
    char   *data;
    int64_t row, column; /* strides in bytes */
    int64_t next[GI_PRODUCT_AXES];
} gi_factor;

typedef struct gi_product { /* out[i][j] = sum over k of a[i][k] * b[k][j] */
    ga_dtype  dtype;        /* of all three */
    int64_t   rows, inner, columns;
    int       axes; /* and that many times over */
    int64_t   shape[GI_PRODUCT_AXES];
    gi_factor a, b, out; /* out does not overlap */
} gi_product;

#if GI_HAS_CUDA
static bool gi_cuda_product(const char *site, gi_product *p);
#endif

static void gi_swap_strides(int64_t *x, int64_t *y)
{
    int64_t t = *x;
    *x        = *y;
    *y        = t;
}

/* The same product as that of the transposed matrices. Not of complex numbers: the order of their four products would change. */
static void gi_transpose_product(gi_product *p)
{
    gi_factor a = p->a;
    p->a        = p->b;
    p->b        = a;
    gi_swap_strides(&p->rows, &p->columns);
    gi_swap_strides(&p->a.row, &p->a.column);
    gi_swap_strides(&p->b.row, &p->b.column);
    gi_swap_strides(&p->out.row, &p->out.column);
}

/* ---- on the CPU: blocks, packed side by side ------------------------------------------------------------------------- */
/*  A unit of work is a block of the result. GI_TILE_DEPTH products at a time, what it needs of b is packed into strips as wide as a
    tile, then a few rows of a at a time are packed and meet all these strips. What lies well already is not packed. Integers of 1 or 2
    bytes and bools are widened to 4 bytes on the way. A complex matrix is packed as a real one: a as it is, twice as long, and of each
    row of b two, (re, im) and (-im, re). */

GI_BEGIN_FAST
typedef void (*gi_packer)(int64_t lines, int64_t n, void *out, int64_t next, const char *in, int64_t line, int64_t step);
typedef void (*gi_unpack)(int64_t lines, int64_t n, char *out, int64_t line, int64_t step, const void *in, int64_t next);

/* n elements each of several lines, `next` apart in `out`. Lines that lie across the memory are read in squares. */
#define GI_PACK(name, unpack_name, U, W, narrow)                                                                               \
    static void name(int64_t lines, int64_t n, void *out, int64_t next, const char *in, int64_t line, int64_t step)            \
    {                                                                                                                          \
        const bool    packed = step == (int64_t)sizeof(U);                                                                     \
        const int64_t side   = packed ? n : 8;                                                                                 \
        for (int64_t l = 0; l < lines; l += 8)                                                                                 \
            for (int64_t i = 0; i < n; i += side)                                                                              \
                for (int64_t m = l; m < lines && m < l + 8; m++) {                                                             \
                    const char *from = in + m * line;                                                                          \
                    W          *to   = (W *)out + m * next;                                                                    \
                    int64_t     end  = n - i < side ? n : i + side;                                                            \
                    if (packed && sizeof(U) == sizeof(W)) memcpy(to, from, (size_t)n * sizeof(U));                             \
                    else if (packed)                                                                                           \
                        for (int64_t j = 0; j < n; j++) to[j] = ((const U *)(const void *)from)[j];                            \
                    else                                                                                                       \
                        for (int64_t j = i; j < end; j++) to[j] = *(const U *)(const void *)(from + j * step);                 \
                }                                                                                                              \
    }                                                                                                                          \
    static void unpack_name(int64_t lines, int64_t n, char *out, int64_t line, int64_t step, const void *in, int64_t next)     \
    {                                                                                                                          \
        for (int64_t l = 0; l < lines; l++) {                                                                                  \
            const W *from = (const W *)in + l * next;                                                                          \
            for (int64_t j = 0; j < n; j++) {                                                                                  \
                const W x                                 = from[j];                                                           \
                *(U *)(void *)(out + l * line + j * step) = narrow;                                                            \
            }                                                                                                                  \
        }                                                                                                                      \
    }
GI_PACK(gi_pack_bool, gi_unpack_bool, bool, uint32_t, x != 0)
GI_PACK(gi_pack_1, gi_unpack_1, uint8_t, uint32_t, (uint8_t)x)
GI_PACK(gi_pack_2, gi_unpack_2, uint16_t, uint32_t, (uint16_t)x)
GI_PACK(gi_pack_4, gi_unpack_4, uint32_t, uint32_t, x)
GI_PACK(gi_pack_8, gi_unpack_8, uint64_t, uint64_t, x)
GI_PACK(gi_pack_16, gi_unpack_16, ga_c128, ga_c128, x)
#undef GI_PACK
GI_END_FAST

#define GI_PANEL_ROW (GI_TILE_DEPTH + 8) /* elements from one packed row of a to the next: not in the same sets of the cache */
#define GI_BAND      2048                /* bytes of a packed row of a block */
#define GI_NEAR      16384               /* bytes that are packed on the stack */
#define GI_SMALL_B   131072              /* bytes that a tile may walk over in a b that is not packed */
#define GI_SMALL_ROW 4096                /* bytes from row to row in an a that is not packed */

typedef struct gi_blocks {
    const gi_product       *p;
    const gi_product_tiles *tiles;
    gi_packer               pack;
    gi_unpack               unpack;
    int64_t                 size, packed;           /* bytes of an element, before and after packing */
    int64_t                 parts;                  /* rows that one row of b becomes: 2 of complex numbers */
    int64_t                 width;                  /* columns in a vector; a strip is one or two vectors wide */
    bool                    flat;                   /* few rows meet a b that is read as it lies, */
    bool                    direct_a, direct_b;     /* or whole rows of a, whole strips of b are not packed */
    int64_t                 height, breadth, depth; /* of a block */
    int64_t                 down, across;           /* how many blocks */
    int64_t                 room;                   /* bytes of the strips of a block */
    int                     rooms;                  /* of which so many are in `memory`, one for each thread */
    char                   *memory;
    char                    taken[GI_MOST_THREADS]; /* atomic */
} gi_blocks;

static void gi_pack_lines(const gi_blocks *j, int64_t lines, int64_t n, void *out, int64_t next, const char *in, int64_t line,
                          int64_t step)
{
    if (line == j->size && step != j->size && j->tiles->pack_across && j->parts == 1)
        j->tiles->pack_across(lines, n, out, next, in, step);
    else j->pack(lines, n, out, next, in, line, step);
}

/* Below each packed row of b, its other part: of (re, im) it is (-im, re). */
static void gi_turn_strip(const gi_blocks *j, int64_t depth, int64_t n, char *strip, int64_t bytes)
{
    for (int64_t k = 0; k < depth; k++, strip += 2 * bytes)
        if (j->p->dtype == GA_C64) {
            const ga_c64 *from = (const ga_c64 *)(const void *)strip;
            ga_c64       *to   = (ga_c64 *)(void *)(strip + bytes);
            for (int64_t i = 0; i < n; i++) to[i] = gi_make_c64(-from[i].im, from[i].re);
        } else {
            const ga_c128 *from = (const ga_c128 *)(const void *)strip;
            ga_c128       *to   = (ga_c128 *)(void *)(strip + bytes);
            for (int64_t i = 0; i < n; i++) to[i] = gi_make_c128(-from[i].im, from[i].re);
        }
}

/* A strip of a block: its columns, and where it is. */
typedef struct gi_packed_strip {
    int64_t     n;
    const char *data;
    int64_t     row; /* bytes */
} gi_packed_strip;

/* The strip that begins at a column; what is packed lies in `strips`, one behind the other. */
static gi_packed_strip gi_strip_at(const gi_blocks *j, int64_t column, int64_t columns, int64_t depth, const char *b,
                                   const char *strips)
{
    gi_packed_strip s;
    const int64_t   most = 2 * j->width, left = columns - column;
    s.n         = left < most ? left : most;
    bool direct = j->direct_b && s.n % j->width == 0;
    s.row       = direct ? j->p->b.row : s.n > j->width ? 2 * j->tiles->bytes : j->tiles->bytes;
    s.data      = direct ? b + column * j->p->b.column : strips;
    if (!direct && !j->direct_b) s.data += column / most * 2 * j->tiles->bytes * j->parts * depth;
    return s;
}

static void gi_pack_strips(const gi_blocks *j, int64_t columns, int64_t depth, const char *b, char *strips)
{
    for (int64_t c = 0; c < columns; c += 2 * j->width) {
        gi_packed_strip s  = gi_strip_at(j, c, columns, depth, b, strips);
        char           *to = strips + (s.data - strips);
        if (j->direct_b && s.n % j->width == 0) continue;
        if (s.n * j->packed < s.row) memset(to, 0, (size_t)(depth * j->parts * s.row));
        gi_pack_lines(j, depth, s.n, to, j->parts * s.row / j->packed, b + c * j->p->b.column, j->p->b.row, j->p->b.column);
        if (j->parts == 2) gi_turn_strip(j, depth, s.n, to, s.row);
    }
}

/* A tile of the result. What is narrower than a strip, or does not lie side by side, is computed beside. */
static void gi_multiply_tile(const gi_blocks *j, int rows, int64_t depth, const char *a, int64_t a_row,
                             const gi_packed_strip *s, char *out, bool more)
{
    __attribute__((aligned(64))) char beside[GI_TILE_ROWS * 2 * 64];
    const gi_factor                  *to   = &j->p->out;
    const int                         wide = s->n > j->width ? 2 : 1;
    const int64_t                     row  = wide * j->tiles->bytes;
    if (s->n == wide * j->width && to->column == j->size && j->size == j->packed) {
        j->tiles->tile(rows, wide, depth * j->parts, a, a_row, s->data, s->row, out, to->row, more);
        return;
    }
    if (more) {
        memset(beside, 0, (size_t)(rows * row));
        j->pack(rows, s->n, beside, row / j->packed, out, to->row, to->column);
    }
    j->tiles->tile(rows, wide, depth * j->parts, a, a_row, s->data, s->row, beside, row, more);
    j->unpack(rows, s->n, out, to->row, to->column, beside, row / j->packed);
}

static void gi_multiply_block(const gi_blocks *j, int64_t rows, int64_t columns, const char *a, const char *b, char *out,
                              char *strips)
{
    __attribute__((aligned(64))) char panel[GI_TILE_ROWS * GI_PANEL_ROW * 8];
    const gi_product                 *p      = j->p;
    const int64_t                     packed = GI_PANEL_ROW * j->tiles->lane; /* bytes of a packed row of a */
    if (j->flat && rows == 1 && j->tiles->row && p->out.column == j->size) {
        j->tiles->row(p->inner, columns, a, p->a.column, b, p->b.row, out);
        return;
    }
    for (int64_t k = 0; k < p->inner; k += j->depth, b += j->depth * p->b.row) {
        const int64_t depth = p->inner - k < j->depth ? p->inner - k : j->depth;
        gi_pack_strips(j, columns, depth, b, strips);
        for (int64_t i = 0, r; i < rows; i += r) {
            const char *factors = a + i * p->a.row + k * p->a.column;
            r                   = rows - i;
            r                   = r >= j->tiles->rows ? j->tiles->rows : r >= 4 ? 4 : r >= 2 ? 2 : 1;
            if (!j->direct_a) {
                gi_pack_lines(j, r, depth, panel, packed / j->packed, factors, p->a.row, p->a.column);
                factors = panel;
            }
            for (int64_t c = 0; c < columns; c += 2 * j->width) {
                const gi_packed_strip s = gi_strip_at(j, c, columns, depth, b, strips);
                gi_multiply_tile(j, (int)r, depth, factors, j->direct_a ? p->a.row : packed, &s,
                                 out + i * p->out.row + c * p->out.column, k > 0);
            }
        }
    }
}

/* Where the matrices of an item lie. */
static void gi_locate_item(const gi_product *p, int64_t item, const char **a, const char **b, char **out)
{
    *a   = p->a.data;
    *b   = p->b.data;
    *out = p->out.data;
    for (int d = p->axes - 1; d >= 0; d--) {
        const int64_t above = d > 0 ? item / p->shape[d] : 0, index = item - above * p->shape[d];
        item = above;
        *a += index * p->a.next[d];
        *b += index * p->b.next[d];
        *out += index * p->out.next[d];
    }
}

static void gi_multiply_blocks(int64_t begin, int64_t end, void *job)
{
    gi_blocks                        *j = (gi_blocks *)job;
    const gi_product                 *p = j->p;
    __attribute__((aligned(64))) char near_[GI_NEAR];
    int                               mine = 0;
    while (mine < j->rooms && __atomic_exchange_n(&j->taken[mine], 1, __ATOMIC_ACQUIRE)) mine++;
    for (int64_t unit = begin; unit < end; unit++) {
        const int64_t item = unit / (j->down * j->across), block = unit - item * (j->down * j->across);
        const int64_t i = block % j->down * j->height, c = block / j->down * j->breadth;
        const char   *a, *b;
        char         *out;
        gi_locate_item(p, item, &a, &b, &out);
        gi_multiply_block(j, p->rows - i < j->height ? p->rows - i : j->height,
                          p->columns - c < j->breadth ? p->columns - c : j->breadth, a + i * p->a.row, b + c * p->b.column,
                          out + i * p->out.row + c * p->out.column, j->rooms ? j->memory + mine * j->room : near_);
    }
    if (j->rooms) __atomic_store_n(&j->taken[mine], 0, __ATOMIC_RELEASE);
}

/* How elements of a dtype are packed, and which type multiplies them. */
static ga_dtype gi_packing(gi_blocks *j, ga_dtype dtype)
{
    j->size   = ga_itemsize(dtype);
    j->packed = j->size < 4 ? 4 : j->size;
    j->parts  = gi_is_complex(dtype) ? 2 : 1;
    j->pack   = dtype == GA_BOOL ? gi_pack_bool
                : j->size == 1   ? gi_pack_1
                : j->size == 2   ? gi_pack_2
                : j->size == 4   ? gi_pack_4
                : j->size == 8   ? gi_pack_8
                                 : gi_pack_16;
    j->unpack = dtype == GA_BOOL ? gi_unpack_bool
                : j->size == 1   ? gi_unpack_1
                : j->size == 2   ? gi_unpack_2
                : j->size == 4   ? gi_unpack_4
                : j->size == 8   ? gi_unpack_8
                                 : gi_unpack_16;
    if (gi_kind_of(dtype) >= 2) return gi_real_dtype(dtype);
    return j->size == 8 ? GA_I64 : GA_I32;
}

static int64_t gi_over(int64_t n, int64_t by) { return (n + by - 1) / by; }

/* Cuts the result into blocks: so wide that the packed strips stay in a cache, so high that every thread has some. Few rows read b as
   it lies, eight rows of it at a time from one end to the other. */
static void gi_cut_blocks(gi_blocks *j, int64_t items)
{
    const gi_product *p       = j->p;
    const int64_t     threads = ga_get_num_threads(), most = j->tiles->rows, strip = 2 * j->width;
    const bool        whole = j->size == j->packed && j->parts == 1;
    j->flat                 = whole && p->rows <= most && p->b.column == j->size;
    j->depth                = j->flat ? 8 : GI_TILE_DEPTH / j->parts;
    if (j->depth > p->inner) j->depth = p->inner;
    j->direct_a = whole && p->a.column == j->size && (j->flat || llabs(p->a.row) < GI_SMALL_ROW);
    j->direct_b = j->flat || (whole && p->b.column == j->size && llabs(p->b.row) * j->depth <= GI_SMALL_B);
    j->breadth  = j->flat ? gi_over(gi_over(p->columns, threads), strip) * strip : GI_BAND / j->packed;
    if (j->flat && j->breadth > 16384) j->breadth = 16384;
    if (j->breadth > p->columns) j->breadth = p->columns;
    j->across = gi_over(p->columns, j->breadth);
    j->height = p->rows;
    for (j->down = 1; items * j->across * j->down < (j->height < 256 ? threads : 4 * threads) && j->height >= 64;) {
        j->height = gi_over(j->height / 2, most) * most;
        j->down   = gi_over(p->rows, j->height);
    }
    j->room = (j->direct_b ? 1 : gi_over(j->breadth, strip)) * 2 * j->tiles->bytes * j->parts * j->depth;
}

static bool gi_multiply_tiled(const char *site, const gi_product *p)
{
    const int64_t items = gi_size(p->axes, p->shape);
    gi_blocks     j;
    memset(&j, 0, sizeof j - sizeof j.taken);
    j.p     = p;
    j.tiles = gi_cpu_tiles(gi_packing(&j, p->dtype));
    j.width = j.tiles->bytes / j.packed;
    gi_cut_blocks(&j, items);
    const int64_t units = items * j.down * j.across, work = j.height * j.breadth * p->inner * j.parts;
    const int64_t chunk = 1 + 400000 / (work + 1);
    if (j.room > GI_NEAR) {
        j.rooms = ga_get_num_threads();
        if (j.rooms > gi_over(units, chunk)) j.rooms = (int)gi_over(units, chunk);
        memset(j.taken, 0, (size_t)j.rooms);
        j.memory = (char *)gi_alloc(site, (size_t)(j.rooms * j.room));
        if (!j.memory) return false;
    }
    gi_parallel(units, chunk, gi_multiply_blocks, &j);
    gi_release(j.memory, (size_t)(j.rooms * j.room));
    return true;
}

/* ---- on the CPU: few rows or columns, element by element --------------------------------------------------------------- */

#define GI_CHAINS 64 /* side by side in a unit of work */
#define GI_FEW    3  /* rows or columns that are computed so */

typedef struct gi_chained {
    const gi_product *p;
    gi_chains         chains;
    gi_chaining       j;
    int64_t           count, groups; /* chains side by side */
    int               times;         /* b's that each of them meets, */
    int64_t           again;         /* and how often that is done, for other a */
    int64_t           a_again, out_again;
} gi_chained;

static void gi_chain_units(int64_t begin, int64_t end, void *job)
{
    const gi_chained *c = (const gi_chained *)job;
    for (int64_t unit = begin; unit < end; unit++) {
        const int64_t item = c->groups == 1 ? unit : unit / c->groups, i = (unit - item * c->groups) * GI_CHAINS;
        const char   *a, *b;
        char         *out;
        gi_locate_item(c->p, item, &a, &b, &out);
        for (int64_t t = 0; t < c->again; t++)
            c->chains(c->count - i < GI_CHAINS ? c->count - i : GI_CHAINS, c->times, c->p->inner,
                      out + i * c->j.out_next + t * c->out_again, a + i * c->j.a_next + t * c->a_again, b + i * c->j.b_next,
                      &c->j);
    }
}

/* Chains side by side, along the longer side of the matrices; of numbers along the longest of the other axes. */
static void gi_multiply_chained(gi_product *p)
{
    gi_chained c;
    memset(&c, 0, sizeof c);
    if (p->columns > p->rows && !gi_is_complex(p->dtype)) gi_transpose_product(p);
    c.p        = p;
    c.chains   = gi_cpu_chains(p->dtype);
    c.j.a_step = p->a.column;
    c.j.b_step = p->b.row;
    c.count = c.times = 1;
    c.again           = 1;
    if (p->rows >= p->columns && p->rows > 1) {
        c.count       = p->rows;
        c.j.a_next    = p->a.row;
        c.j.out_next  = p->out.row;
        c.times       = (int)p->columns;
        c.j.b_again   = p->b.column;
        c.j.out_again = p->out.column;
    } else if (p->columns > 1) {
        c.count      = p->columns;
        c.j.b_next   = p->b.column;
        c.j.out_next = p->out.column;
        c.again      = p->rows;
        c.a_again    = p->a.row;
        c.out_again  = p->out.row;
    } else if (p->axes > 0) {
        int longest = 0;
        for (int d = 1; d < p->axes; d++)
            if (p->shape[d] > p->shape[longest]) longest = d;
        c.count           = p->shape[longest];
        c.j.a_next        = p->a.next[longest];
        c.j.b_next        = p->b.next[longest];
        c.j.out_next      = p->out.next[longest];
        p->shape[longest] = 1;
    }
    c.groups           = gi_over(c.count, GI_CHAINS);
    const int64_t work = (c.count < GI_CHAINS ? c.count : GI_CHAINS) * p->inner * c.times * c.again;
    gi_parallel(gi_size(p->axes, p->shape) * c.groups, 1 + 32768 / work, gi_chain_units, &c);
}

#if defined(GPUARR_USE_CBLAS) || defined(GPUARR_USE_CUBLAS)
/* ---- products that are left to a BLAS library ------------------------------------------------------------------------------ */

typedef struct gi_blas_matrix {
    bool    across; /* the matrix is the transposed of what lies in memory row by row */
    int64_t lead;   /* elements from row to row there */
} gi_blas_matrix;

static bool gi_is_for_blas(int64_t rows, int64_t columns, int64_t row, int64_t column, int64_t size, gi_blas_matrix *m)
{
    m->across = column != size;
    m->lead   = (m->across ? column : row) / size;
    return (m->across ? row : column) == size && (m->across ? column : row) % size == 0 && m->lead <= INT32_MAX &&
           m->lead >= (m->across ? rows : columns);
}

/* Is the product large enough, and does each matrix lie as a BLAS takes it? */
static bool gi_blas_takes(const gi_product *p, gi_blas_matrix *a, gi_blas_matrix *b, gi_blas_matrix *out)
{
    const int64_t size = ga_itemsize(p->dtype), most = INT32_MAX;
    return gi_kind_of(p->dtype) >= 2 && p->rows > 8 && p->columns > 8 && p->inner > 8 && p->rows <= most &&
           p->columns <= most && p->inner <= most && (double)p->rows * (double)p->columns * (double)p->inner > 250000 &&
           gi_is_for_blas(p->rows, p->inner, p->a.row, p->a.column, size, a) &&
           gi_is_for_blas(p->inner, p->columns, p->b.row, p->b.column, size, b) &&
           gi_is_for_blas(p->rows, p->columns, p->out.row, p->out.column, size, out) && !out->across;
}
#endif

#ifdef GPUARR_USE_CBLAS
static bool gi_cblas_product(const gi_product *p)
{
    gi_blas_matrix a, b, out;
    if (!gi_blas_takes(p, &a, &b, &out)) return false;
    const CBLAS_TRANSPOSE across_a = a.across ? CblasTrans : CblasNoTrans, across_b = b.across ? CblasTrans : CblasNoTrans;
    const int             m = (int)p->rows, n = (int)p->columns, k = (int)p->inner;
    const int             lead_a = (int)a.lead, lead_b = (int)b.lead, lead = (int)out.lead;
    const ga_c64          one64 = { 1, 0 }, zero64 = { 0, 0 };
    const ga_c128         one = { 1, 0 }, zero = { 0, 0 };
    for (int64_t item = 0; item < gi_size(p->axes, p->shape); item++) {
        const char *x, *y;
        char       *to;
        gi_locate_item(p, item, &x, &y, &to);
        const void *u = x, *v = y;
        void       *w = to;
        if (p->dtype == GA_F32)
            cblas_sgemm(CblasRowMajor, across_a, across_b, m, n, k, 1, (const float *)u, lead_a, (const float *)v, lead_b, 0,
                        (float *)w, lead);
        else if (p->dtype == GA_F64)
            cblas_dgemm(CblasRowMajor, across_a, across_b, m, n, k, 1, (const double *)u, lead_a, (const double *)v, lead_b, 0,
                        (double *)w, lead);
        else if (p->dtype == GA_C64)
            cblas_cgemm(CblasRowMajor, across_a, across_b, m, n, k, &one64, u, lead_a, v, lead_b, &zero64, w, lead);
        else cblas_zgemm(CblasRowMajor, across_a, across_b, m, n, k, &one, u, lead_a, v, lead_b, &zero, w, lead);
    }
    return true;
}
#endif

static bool gi_cpu_product(const char *site, gi_product *p)
{
    const int64_t size = ga_itemsize(p->dtype);
    if (!gi_is_complex(p->dtype)) { /* columns are the longer of two sides that are short, else those that lie side by side */
        const bool few = p->rows <= GI_FEW || p->columns <= GI_FEW;
        if (few ? p->columns < p->rows : p->out.column != size && p->out.row == size) gi_transpose_product(p);
    }
#ifdef GPUARR_USE_CBLAS
    if (gi_cblas_product(p)) return true;
#endif
    const bool chained = (p->rows <= GI_FEW && (p->columns < 16 || p->b.column != size)) || p->columns <= GI_FEW;
    if (!chained) return gi_multiply_tiled(site, p);
    gi_multiply_chained(p);
    return true;
}

/* ---- one job ------------------------------------------------------------------------------------------------------------ */

/* Runs the product where its memory is; the result has elements, and `inner` is not 0. False with an error. */
static bool gi_multiply(const char *site, ga_device device, gi_product *p)
{
    GI_IF_CUDA(device, gi_cuda_product(site, p));
    (void)device;
    return gi_cpu_product(site, p);
}

/* ---- dot: the sum of the products of two vectors, along the documented tree --------------------------------------------- */

typedef struct gi_dot {
    const ga_array *x, *y; /* 1-D, of one length */
    ga_dtype        wide;  /* in which they are multiplied and added */
    gi_kernel       multiply;
    gi_fold         fold;
    char           *sums; /* of the blocks */
} gi_dot;

static const void *gi_read_vector(const ga_array *a, ga_dtype dtype, int64_t start, int64_t n, void *raw, void *cast)
{
    int         size   = (int)ga_itemsize(a->dtype);
    const void *packed = (const char *)a->data + start * a->strides[0];
    if (a->strides[0] != size) {
        gi_gather(size, n, raw, packed, a->strides[0]);
        packed = raw;
    }
    if (a->dtype == dtype) return packed;
    gi_cast(dtype, a->dtype, n, cast, packed);
    return cast;
}

static void gi_dot_blocks(int64_t begin, int64_t end, void *job)
{
    const gi_dot                     *j = (const gi_dot *)job;
    __attribute__((aligned(64))) char raw[2][GI_BLOCK * 16], cast[2][GI_BLOCK * 16];
    for (int64_t block = begin; block < end; block++) {
        int64_t     start = block * GI_BLOCK, n = j->x->shape[0] - start < GI_BLOCK ? j->x->shape[0] - start : GI_BLOCK;
        const void *x = gi_read_vector(j->x, j->wide, start, n, raw[0], cast[0]);
        const void *y = gi_read_vector(j->y, j->wide, start, n, raw[1], cast[1]);
        j->multiply(n, cast[0], x, y, NULL);
        j->fold.block(n, j->sums + block * j->fold.acc_bytes, cast[0]);
    }
}

static ga_array *gi_cpu_dot(const char *site, const ga_array *x, const ga_array *y, ga_dtype wide)
{
    gi_dot    j;
    ga_array *result = gi_new(site, wide, GA_CPU, 0, NULL);
    int64_t   blocks = (x->shape[0] + GI_BLOCK - 1) / GI_BLOCK;
    if (!result) return NULL;
    if (blocks == 0) {
        (void)gi_clear(site, result);
        return result;
    }
    memset(&j, 0, sizeof j);
    j.x        = x;
    j.y        = y;
    j.wide     = wide;
    j.multiply = gi_cpu_kernel(GA_OP_multiply, wide);
    gi_cpu_fold(wide == GA_BOOL ? GA_OP_any : GA_OP_sum, wide, &j.fold);
    j.sums = (char *)gi_alloc(site, (size_t)(blocks * j.fold.acc_bytes));
    if (!j.sums) {
        ga_free(result);
        return NULL;
    }
    gi_parallel(blocks, 32, gi_dot_blocks, &j);
    gi_fold_blocks(j.fold.halve, j.fold.acc_bytes, j.sums, blocks);
    j.fold.end(1, result->data, j.sums, x->shape[0]);
    gi_release(j.sums, (size_t)(blocks * j.fold.acc_bytes));
    return result;
}

static ga_array *gi_dot_vectors(const char *site, const ga_array *x, const ga_array *y, ga_dtype dtype)
{
    ga_dtype wide = dtype == GA_F32    ? GA_F64
                    : dtype == GA_C64  ? GA_C128
                    : dtype == GA_BOOL ? dtype
                                       : gi_end_dtype(GI_ENDS_SUM, dtype);
    GI_IF_CUDA(x->device, gi_cuda_dot(site, x, y, dtype));
    return gi_finish(site, gi_cpu_dot(site, x, y, wide), dtype, NULL);
}

/* ---- labelled axes ------------------------------------------------------------------------------------------------------ */
/*  What einsum writes with letters: out[i][j] = sum over k of x[i][k] * y[k][j]. Axes with the same label run together.          */

enum { GI_LABELS = 64 };

typedef struct gi_term {
    const ga_array *a;
    int             labels[GPUARR_MAX_DIMS]; /* of its axes, no two alike */
} gi_term;

/* The length of an axis, and its strides in x, y and the result. */
typedef struct gi_extent_of {
    int64_t n, x, y, out;
} gi_extent_of;

typedef struct gi_contraction {
    const char  *site;
    ga_dtype     dtype;
    gi_term      x, y;
    int          ndim, labels[GPUARR_MAX_DIMS]; /* of the result */
    int          sums, summed[GPUARR_MAX_DIMS]; /* the labels that it does not have, which x and y both have */
    gi_extent_of of[GI_LABELS];                 /* each label */
    ga_array    *made[4];                       /* x and y converted, x and y rearranged */
} gi_contraction;

/* The labels of a term that are, or are not, in the list; returns how many. */
static int gi_pick_labels(const gi_term *t, int count, const int *list, bool listed, int *picked)
{
    int n = 0;
    for (int d = 0; d < t->a->ndim; d++) {
        bool found = false;
        for (int k = 0; k < count; k++) found = found || list[k] == t->labels[d];
        if (found == listed) picked[n++] = t->labels[d];
    }
    return n;
}

/* Axes of length 1 stretch. */
static void gi_measure_axes(gi_contraction *c)
{
    const gi_extent_of none = { 1, 0, 0, 0 };
    for (int l = 0; l < GI_LABELS; l++) c->of[l] = none;
    for (int d = 0; d < c->x.a->ndim; d++) {
        gi_extent_of *e = &c->of[c->x.labels[d]];
        if (c->x.a->shape[d] != 1) e->n = c->x.a->shape[d], e->x = c->x.a->strides[d];
    }
    for (int d = 0; d < c->y.a->ndim; d++) {
        gi_extent_of *e = &c->of[c->y.labels[d]];
        if (c->y.a->shape[d] != 1) e->n = c->y.a->shape[d], e->y = c->y.a->strides[d];
    }
}

/* A term seen along these labels: stretched where it does not have them. */
static ga_array *gi_view_labels(const gi_contraction *c, const gi_term *t, int count, const int *labels)
{
    gi_layout l = gi_layout_of(t->a);
    l.ndim      = count;
    for (int d = 0; d < count; d++) {
        l.shape[d]   = c->of[labels[d]].n;
        l.strides[d] = 0;
        for (int e = 0; e < t->a->ndim; e++)
            if (t->labels[e] == labels[d] && t->a->shape[e] != 1) l.strides[d] = t->a->strides[e];
    }
    return gi_view_with(c->site, t->a, &l);
}

/* Leaves out axes of length 1 and joins neighbours that lie in memory as one; returns how many are left. */
static int gi_join_extents(int count, gi_extent_of *e)
{
    int n = 0;
    for (int d = 0; d < count; d++) {
        if (e[d].n == 1) continue;
        gi_extent_of *last = n ? &e[n - 1] : NULL, next = e[d];
        bool joins = last && last->x == next.x * next.n && last->y == next.y * next.n && last->out == next.out * next.n;
        if (joins) {
            next.n *= last->n;
            *last = next;
        } else {
            e[n++] = next;
        }
    }
    return n;
}

static bool gi_convert_term(const gi_contraction *c, gi_term *t, ga_array **made)
{
    if (t->a->dtype == c->dtype) return true;
    *made = gi_convert(c->site, t->a, c->dtype);
    t->a  = *made;
    return *made != NULL;
}

/* Copies a term so that the summed labels come last and lie side by side. */
static bool gi_arrange_term(const gi_contraction *c, gi_term *t, ga_array **made)
{
    gi_term before = *t;
    int     n      = gi_pick_labels(&before, c->sums, c->summed, false, t->labels);
    memcpy(t->labels + n, c->summed, (size_t)c->sums * sizeof *t->labels);
    ga_array *view = gi_view_labels(c, &before, n + c->sums, t->labels);
    *made          = view ? gi_convert(c->site, view, c->dtype) : NULL;
    t->a           = *made;
    ga_free(view);
    return *made != NULL;
}

/* Makes one axis of all that are summed; a term is copied only if its own do not lie as one. */
static bool gi_line_up(gi_contraction *c, gi_extent_of *inner)
{
    gi_extent_of e[GPUARR_MAX_DIMS], x[GPUARR_MAX_DIMS], y[GPUARR_MAX_DIMS];
    for (int k = 0; k < c->sums; k++) {
        e[k] = x[k] = y[k] = c->of[c->summed[k]];
        x[k].y = y[k].x = 0;
    }
    *inner = c->of[GI_LABELS - 1]; /* a label that nothing has */
    for (int k = 0; k < c->sums; k++)
        if (e[k].n == 0) {
            inner->n = 0;
            return true;
        }
    int n = gi_join_extents(c->sums, e);
    if (n > 1) {
        if (gi_join_extents(c->sums, x) > 1 && !gi_arrange_term(c, &c->x, &c->made[2])) return false;
        if (gi_join_extents(c->sums, y) > 1 && !gi_arrange_term(c, &c->y, &c->made[3])) return false;
        gi_measure_axes(c);
        for (int k = 0; k < c->sums; k++) e[k] = c->of[c->summed[k]];
        n = gi_join_extents(c->sums, e);
    }
    if (n == 1) *inner = e[0];
    return true;
}

/* A number: the sum of all products. */
static ga_array *gi_contract_fully(const gi_contraction *c, gi_extent_of inner)
{
    ga_array *x = gi_new_view(c->site, c->x.a, c->x.a->data, c->dtype, 1, &inner.n, &inner.x);
    ga_array *y = gi_new_view(c->site, c->y.a, c->y.a->data, c->dtype, 1, &inner.n, &inner.y);
    ga_array *r = x && y ? gi_dot_vectors(c->site, x, y, c->dtype) : NULL;
    ga_free(x);
    ga_free(y);
    return r;
}

/* Nothing is summed: x * y, stretched. */
static ga_array *gi_contract_nothing(const gi_contraction *c, ga_array *out)
{
    ga_map_options o = gi_map_site(c->site);
    ga_array      *x = gi_view_labels(c, &c->x, c->ndim, c->labels), *y = gi_view_labels(c, &c->y, c->ndim, c->labels);
    o.out       = out;
    ga_array *r = x && y ? (ga_multiply)(gi_operand_arg(x), gi_operand_arg(y), o) : NULL;
    ga_free(x);
    ga_free(y);
    return r;
}

/* The rows of the matrices are the longest axis that only x has, the columns the longest that only y has. */
static void gi_choose_matrices(gi_product *p, int count, const gi_extent_of *e)
{
    int rows = -1, columns = -1;
    for (int d = 0; d < count; d++) {
        if (e[d].y == 0 && e[d].x != 0 && (rows < 0 || e[d].n > e[rows].n)) rows = d;
        if (e[d].x == 0 && e[d].y != 0 && (columns < 0 || e[d].n > e[columns].n)) columns = d;
    }
    p->rows = p->columns = 1;
    for (int d = 0; d < count; d++) {
        if (d == rows) {
            p->rows = e[d].n, p->a.row = e[d].x, p->out.row = e[d].out;
        } else if (d == columns) {
            p->columns = e[d].n, p->b.column = e[d].y, p->out.column = e[d].out;
        } else {
            p->shape[p->axes]  = e[d].n;
            p->a.next[p->axes] = e[d].x, p->b.next[p->axes] = e[d].y, p->out.next[p->axes] = e[d].out;
            p->axes++;
        }
    }
}

static bool gi_contract_into(gi_contraction *c, gi_extent_of inner, ga_array *result)
{
    gi_extent_of e[GPUARR_MAX_DIMS];
    gi_product   p;
    memset(&p, 0, sizeof p);
    if (result->size == 0) return true;
    if (inner.n == 0) return gi_clear(c->site, result);
    for (int d = 0; d < c->ndim; d++) {
        e[d]     = c->of[c->labels[d]];
        e[d].out = result->strides[d];
    }
    gi_choose_matrices(&p, gi_join_extents(c->ndim, e), e);
    p.dtype                = c->dtype;
    p.inner                = inner.n;
    p.a.column             = inner.x;
    p.b.row                = inner.y;
    p.a.data               = (char *)c->x.a->data;
    p.b.data               = (char *)c->y.a->data;
    p.out.data             = (char *)result->data;
#if GI_HAS_CUDA
    const ga_array *all[3] = { c->x.a, c->y.a, result };
    if (result->device == GA_CUDA && !gi_cuda_touch_all(c->site, 3, all)) return false;
#endif
    return gi_multiply(c->site, result->device, &p);
}

/* Can the result be written straight into `out`? It must be as dense as a new array, and apart from x and y. */
static bool gi_is_target(const gi_contraction *c, const ga_array *out, const int64_t *shape)
{
    if (!out || out->alive != GI_ALIVE || out->dtype != c->dtype || out->device != c->x.a->device || out->size == 0)
        return false;
    if (!gi_equal_shapes(c->ndim, shape, out->ndim, out->shape)) return false;
    const char *low, *high;
    gi_extent(out, &low, &high);
    return high - low == out->size * ga_itemsize(out->dtype) && !ga_may_share_memory(out, c->x.a) &&
           !ga_may_share_memory(out, c->y.a);
}

/* Of a contraction with its terms, dtype and the labels of the result: a new array, or `out` if that could be written. A number is a
   sum along the documented tree, everything else chains. */
static ga_array *gi_contract(gi_contraction *c, ga_array *out)
{
    ga_array    *result = NULL;
    int64_t      shape[GPUARR_MAX_DIMS];
    gi_extent_of inner;
    bool         ok = gi_convert_term(c, &c->x, &c->made[0]) && gi_convert_term(c, &c->y, &c->made[1]);
    if (ok) {
        c->sums = gi_pick_labels(&c->x, c->ndim, c->labels, false, c->summed);
        gi_measure_axes(c);
        ok = gi_line_up(c, &inner);
    }
    if (ok && c->sums == 0) {
        result = gi_contract_nothing(c, out);
    } else if (ok && c->ndim == 0) {
        result = gi_contract_fully(c, inner);
    } else if (ok) {
        for (int d = 0; d < c->ndim; d++) shape[d] = c->of[c->labels[d]].n;
        result = gi_is_target(c, out, shape) && inner.n > 0 ? out : gi_new(c->site, c->dtype, c->x.a->device, c->ndim, shape);
        if (result && !gi_contract_into(c, inner, result)) {
            if (result != out) ga_free(result);
            result = NULL;
        }
    }
    for (int k = 0; k < 4; k++) ga_free(c->made[k]);
    return result;
}

/* ---- matmul, dot, inner, outer, vdot, tensordot ------------------------------------------------------------------------- */

static bool gi_check_factors(const char *site, const ga_array *a, const ga_array *b, const ga_array *out)
{
    const ga_array *both[2] = { a, b };
    return gi_check(site, a, "a") && gi_check(site, b, "b") && !gi_null_option(site, "out", out) &&
           gi_common_device(site, 2, both) != GA_DEVICE_DEFAULT;
}

static void gi_contraction_of(gi_contraction *c, const char *site, const ga_array *a, const ga_array *b)
{
    memset(c, 0, sizeof *c);
    c->site  = site;
    c->dtype = ga_promote(a->dtype, b->dtype);
    c->x.a   = a;
    c->y.a   = b;
}

/* The result of a contraction, in .out if that is given. */
static ga_array *gi_contracted(gi_contraction *c, ga_array *out)
{
    ga_array *result = gi_contract(c, out);
    return result == out ? out : gi_finish(c->site, result, c->dtype, out);
}

static ga_array *gi_do_not_fit(const char *site, const ga_array *a, const ga_array *b, int axis_a, int axis_b)
{
    return (ga_array *)gi_fail(
        site, GA_BAD_SHAPE, "shapes %s and %s do not fit: axis %d of a has length %lld, axis %d of b, which it meets, %lld",
        gi_shape_of(a), gi_shape_of(b), axis_a, (long long)a->shape[axis_a], axis_b, (long long)b->shape[axis_b]);
}

/* The sum over axis_a[k] of a and axis_b[k] of b; the other axes of a, then those of b, are the result's. */
static ga_array *gi_sum_products(const char *site, const ga_array *a, const ga_array *b, int n, const int *axis_a,
                                 const int *axis_b, ga_array *out)
{
    gi_contraction c;
    bool           summed_a[GPUARR_MAX_DIMS] = { false }, summed_b[GPUARR_MAX_DIMS] = { false };
    gi_contraction_of(&c, site, a, b);
    if (a->ndim + b->ndim - 2 * n > GPUARR_MAX_DIMS)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE,
                                   "the product of shapes %s and %s has %d dimensions; at most %d are possible", gi_shape_of(a),
                                   gi_shape_of(b), a->ndim + b->ndim - 2 * n, GPUARR_MAX_DIMS);
    for (int k = 0; k < n; k++) {
        if (a->shape[axis_a[k]] != b->shape[axis_b[k]]) return gi_do_not_fit(site, a, b, axis_a[k], axis_b[k]);
        c.x.labels[axis_a[k]] = c.y.labels[axis_b[k]] = k;
        summed_a[axis_a[k]] = summed_b[axis_b[k]] = true;
    }
    for (int d = 0; d < a->ndim; d++)
        if (!summed_a[d]) c.labels[c.ndim] = c.x.labels[d] = n + c.ndim, c.ndim++;
    for (int d = 0; d < b->ndim; d++)
        if (!summed_b[d]) c.labels[c.ndim] = c.y.labels[d] = n + c.ndim, c.ndim++;
    return gi_contracted(&c, out);
}

ga_array *(ga_matmul)(const ga_array *a, const ga_array *b, ga_product_options o)
{
    gi_contraction c;
    if (!gi_check_factors(o.site, a, b, o.out)) return NULL;
    if (a->ndim == 0 || b->ndim == 0)
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "shapes %s and %s: a number is no matrix, use ga_multiply",
                                   gi_shape_of(a), gi_shape_of(b));
    enum { INNER, ROW, COLUMN, BATCH };
    const int inner_a = a->ndim - 1, inner_b = b->ndim == 1 ? 0 : b->ndim - 2;
    const int batch_a = a->ndim - 2, batch_b = b->ndim - 2; /* axes; -1 of vectors */
    if (a->shape[inner_a] != b->shape[inner_b]) return gi_do_not_fit(o.site, a, b, inner_a, inner_b);
    gi_contraction_of(&c, o.site, a, b);
    for (int d = 0; d < batch_a; d++) c.x.labels[d] = BATCH + batch_a - 1 - d;
    for (int d = 0; d < batch_b; d++) c.y.labels[d] = BATCH + batch_b - 1 - d;
    for (int d = 1; d <= batch_a && d <= batch_b; d++) {
        const int64_t na = a->shape[batch_a - d], nb = b->shape[batch_b - d];
        if (na != nb && na != 1 && nb != 1)
            return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE,
                                       "shapes %s and %s do not fit: the axes before the last two do not broadcast",
                                       gi_shape_of(a), gi_shape_of(b));
    }
    for (int d = (batch_a > batch_b ? batch_a : batch_b) - 1; d >= 0; d--) c.labels[c.ndim++] = BATCH + d;
    c.x.labels[inner_a] = c.y.labels[inner_b] = INNER;
    if (a->ndim > 1) c.labels[c.ndim++] = c.x.labels[batch_a] = ROW;
    if (b->ndim > 1) c.labels[c.ndim++] = c.y.labels[b->ndim - 1] = COLUMN;
    return gi_contracted(&c, o.out);
}

/* a * b where one of them is a number, as NumPy's products have it. */
static ga_array *gi_scale(const char *site, const ga_array *a, const ga_array *b, ga_array *out)
{
    ga_array *result = (ga_multiply)(gi_operand_arg(a), gi_operand_arg(b), gi_map_site(site));
    return gi_finish(site, result, ga_promote(a->dtype, b->dtype), out);
}

ga_array *(ga_dot)(const ga_array *a, const ga_array *b, ga_product_options o)
{
    if (!gi_check_factors(o.site, a, b, o.out)) return NULL;
    if (a->ndim == 0 || b->ndim == 0) return gi_scale(o.site, a, b, o.out);
    const int inner_a = a->ndim - 1, inner_b = b->ndim == 1 ? 0 : b->ndim - 2;
    return gi_sum_products(o.site, a, b, 1, &inner_a, &inner_b, o.out);
}

ga_array *(ga_inner)(const ga_array *a, const ga_array *b, ga_product_options o)
{
    if (!gi_check_factors(o.site, a, b, o.out)) return NULL;
    if (a->ndim == 0 || b->ndim == 0) return gi_scale(o.site, a, b, o.out);
    const int inner_a = a->ndim - 1, inner_b = b->ndim - 1;
    return gi_sum_products(o.site, a, b, 1, &inner_a, &inner_b, o.out);
}

ga_array *(ga_outer)(const ga_array *a, const ga_array *b, ga_product_options o)
{
    if (!gi_check_factors(o.site, a, b, o.out)) return NULL;
    ga_array *x = (ga_ravel)(a, o.site), *y = x ? (ga_ravel)(b, o.site) : NULL;
    ga_array *r = y ? gi_sum_products(o.site, x, y, 0, NULL, NULL, o.out) : NULL;
    ga_free(x);
    ga_free(y);
    return r;
}

ga_array *(ga_vdot)(const ga_array *a, const ga_array *b, const char *site)
{
    if (!gi_check_factors(site, a, b, NULL)) return NULL;
    if (a->size != b->size)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "shapes %s and %s have %lld and %lld elements: they must be as many",
                                   gi_shape_of(a), gi_shape_of(b), (long long)a->size, (long long)b->size);
    const int first = 0;
    ga_array *conj  = gi_is_complex(a->dtype) ? (ga_conj)(a, gi_map_site(site)) : (ga_view)(a, site);
    ga_array *x = conj ? (ga_ravel)(conj, site) : NULL, *y = x ? (ga_ravel)(b, site) : NULL;
    ga_array *r = y ? gi_sum_products(site, x, y, 1, &first, &first, NULL) : NULL;
    ga_free(conj);
    ga_free(x);
    ga_free(y);
    return r;
}

/* The axes of one operand that tensordot sums over; false with an error. */
static bool gi_tensor_axes(const char *site, const char *name, const ga_array *a, int n, const ga_shape *given, int first,
                           int *axes)
{
    bool marked[GPUARR_MAX_DIMS] = { false };
    if (given->ndim > 0 && given->ndim != n) {
        gi_fail(site, GA_BAD_ARGUMENT, ".axes_%s names %d axes, and %d are to be summed over", name, given->ndim, n);
        return false;
    }
    if (n > a->ndim) {
        gi_fail(site, GA_BAD_SHAPE, "%d axes are to be summed over, and %s has shape %s", n, name, gi_shape_of(a));
        return false;
    }
    for (int k = 0; k < n; k++) {
        int64_t axis = given->ndim > 0 ? given->n[k] : first + k;
        axes[k]      = gi_axis(site, axis < INT_MIN || axis > INT_MAX ? INT_MAX : (int)axis, a->ndim);
        if (axes[k] < 0) return false;
        if (marked[axes[k]]) {
            gi_fail(site, GA_BAD_ARGUMENT, "axis %d of %s is named twice", axes[k], name);
            return false;
        }
        marked[axes[k]] = true;
    }
    return true;
}

ga_array *(ga_tensordot)(const ga_array *a, const ga_array *b, int axes, ga_tensordot_options o)
{
    int axis_a[GPUARR_MAX_DIMS], axis_b[GPUARR_MAX_DIMS];
    if (!gi_check_factors(o.site, a, b, o.out)) return NULL;
    if (axes < 0) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "%d axes cannot be summed over: use 0 or more", axes);
    if (!gi_tensor_axes(o.site, "a", a, axes, &o.axes_a, a->ndim - axes, axis_a) ||
        !gi_tensor_axes(o.site, "b", b, axes, &o.axes_b, 0, axis_b))
        return NULL;
    return gi_sum_products(o.site, a, b, axes, axis_a, axis_b, o.out);
}

/* ---- einsum --------------------------------------------------------------------------------------------------------------- */

enum {
    GI_EINSUM_OPERANDS = 8,
    GI_LETTERS         = 52
}; /* labels: the letters A to Z, a to z, then the axes of "...", from the last */

typedef struct gi_einsum_job {
    const char *site, *text;
    int         n; /* operands that are left */
    gi_term     terms[GI_EINSUM_OPERANDS];
    ga_array   *made[GI_EINSUM_OPERANDS]; /* those that are ours, and not the caller's */
    ga_dtype    dtype;
    int         ndim, labels[GPUARR_MAX_DIMS]; /* of the result */
    int64_t     length[GI_LABELS];
    int         used[GI_LABELS]; /* how often in all operands */
    int         dots;            /* axes that "..." stands for, at most */
} gi_einsum_job;

static bool gi_is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }
static int  gi_letter_label(char c) { return c <= 'Z' ? c - 'A' : 26 + c - 'a'; }
static char gi_label_letter(int label) { return (char)(label < 26 ? 'A' + label : 'a' + label - 26); }

static bool gi_einsum_fail(const gi_einsum_job *e, const char *what)
{
    gi_fail(e->site, GA_BAD_ARGUMENT, "the subscripts \"%s\" %s", e->text, what);
    return false;
}

/* The letters of one operand or the result, from *p on to the next comma or the end of that side. -1 stands for "...". */
static bool gi_read_subscripts(const gi_einsum_job *e, const char **p, int *count, int *labels)
{
    const char *s    = *p;
    bool        dots = false;
    *count           = 0;
    for (; *s && *s != ',' && *s != '-'; s++) {
        if (*s == ' ') continue;
        if (*s == '.' && (s[1] != '.' || s[2] != '.' || dots))
            return gi_einsum_fail(e, "have a point that is not part of one \"...\"");
        if (*s != '.' && !gi_is_letter(*s)) {
            gi_fail(e->site, GA_BAD_ARGUMENT,
                    "the subscripts \"%s\" contain '%c': use letters, commas, spaces, \"...\" and \"->\"", e->text, *s);
            return false;
        }
        if (*count == GI_LABELS) return gi_einsum_fail(e, "have more letters than an array has axes");
        labels[(*count)++] = *s == '.' ? -1 : gi_letter_label(*s);
        if (*s == '.') dots = true, s += 2;
    }
    *p = s;
    return true;
}

/* Gives every axis of an operand its label; false if they are not as many. */
static bool gi_label_axes(gi_einsum_job *e, const ga_array *a, int k, int count, const int *written, int *labels)
{
    int letters = 0, n = 0;
    for (int i = 0; i < count; i++) letters += written[i] >= 0;
    const int dots = a->ndim - letters;
    if (dots < 0 || (dots > 0 && letters == count)) {
        gi_fail(e->site, GA_BAD_SHAPE, "operand number %d has shape %s, and the subscripts \"%s\" give it %d letter%s", k,
                gi_shape_of(a), e->text, letters, letters == 1 ? "" : "s");
        return false;
    }
    for (int i = 0; i < count; i++) {
        if (written[i] >= 0) labels[n++] = written[i];
        else
            for (int d = dots - 1; d >= 0; d--) labels[n++] = GI_LETTERS + d;
    }
    if (letters < count && dots > e->dots) e->dots = dots;
    return true;
}

/* An operand as a term: axes with the same letter become their diagonal. */
static bool gi_add_term(gi_einsum_job *e, const ga_array *a, int k, const int *labels)
{
    gi_term  *t = &e->terms[k];
    gi_layout l = gi_layout_of(a);
    l.ndim      = 0;
    for (int d = 0; d < a->ndim; d++) {
        int same = 0, label = labels[d];
        while (same < l.ndim && t->labels[same] != label) same++;
        if ((same < l.ndim && l.shape[same] != a->shape[d]) ||
            (e->length[label] != 1 && a->shape[d] != 1 && e->length[label] != a->shape[d])) {
            const long long here   = (long long)a->shape[d];
            const long long before = same < l.ndim ? (long long)l.shape[same] : (long long)e->length[label];
            if (label >= GI_LETTERS)
                gi_fail(e->site, GA_BAD_SHAPE, "the axes of \"...\" in \"%s\" do not broadcast: lengths %lld and %lld", e->text,
                        before, here);
            else
                gi_fail(e->site, GA_BAD_SHAPE, "'%c' of the subscripts \"%s\" has length %lld, and %lld in operand number %d",
                        gi_label_letter(label), e->text, before, here, k);
            return false;
        }
        if (a->shape[d] != 1) e->length[label] = a->shape[d];
        e->used[label]++;
        if (same < l.ndim) {
            l.strides[same] += a->strides[d];
            continue;
        }
        t->labels[l.ndim]   = label;
        l.shape[l.ndim]     = a->shape[d];
        l.strides[l.ndim++] = a->strides[d];
    }
    t->a = a;
    if (l.ndim == a->ndim) return true;
    t->a = e->made[k] = gi_view_with(e->site, a, &l);
    return t->a != NULL;
}

static bool gi_read_operands(gi_einsum_job *e, int n, const ga_array *const *arrays, const char **p)
{
    int count, written[GI_LABELS], labels[GPUARR_MAX_DIMS];
    for (int k = 0; k < n; k++) {
        if (!gi_read_subscripts(e, p, &count, written) || !gi_label_axes(e, arrays[k], k, count, written, labels) ||
            !gi_add_term(e, arrays[k], k, labels))
            return false;
        e->n = k + 1;
        if ((**p == ',') != (k + 1 < n)) {
            int commas = 0;
            for (const char *s = e->text; *s; s++) commas += *s == ',';
            gi_fail(e->site, GA_BAD_ARGUMENT, "the subscripts \"%s\" are for %d operand%s, and there %s %d", e->text,
                    commas + 1, commas ? "s" : "", n == 1 ? "is" : "are", n);
            return false;
        }
        if (**p == ',') ++*p;
    }
    return true;
}

/* The labels of the result: those behind "->", or else the axes of "..." and every letter that appears once, A to Z, a to z. */
static bool gi_read_result(gi_einsum_job *e, const char *p)
{
    int count = 0, written[GI_LABELS], labels[GI_LABELS], n = 0;
    if (*p == '-') {
        if (p[1] != '>') return gi_einsum_fail(e, "have a '-' that is not part of \"->\"");
        p += 2;
        if (!gi_read_subscripts(e, &p, &count, written)) return false;
        if (*p) return gi_einsum_fail(e, "have more behind the result");
    } else {
        written[count++] = -1;
        for (int l = 0; l < GI_LETTERS; l++)
            if (e->used[l] == 1) written[count++] = l;
    }
    bool dots = e->dots == 0;
    for (int i = 0; i < count; i++) {
        if (written[i] < 0) {
            for (int d = e->dots - 1; d >= 0; d--) labels[n++] = GI_LETTERS + d;
            dots = true;
            continue;
        }
        for (int k = 0; k < i; k++)
            if (written[k] == written[i]) return gi_einsum_fail(e, "have a letter twice in the result");
        if (e->used[written[i]] == 0) return gi_einsum_fail(e, "have a letter in the result that no operand has");
        labels[n++] = written[i];
    }
    if (!dots) return gi_einsum_fail(e, "have \"...\" in an operand and not in the result");
    if (n > GPUARR_MAX_DIMS) return gi_einsum_fail(e, "give the result more dimensions than an array can have");
    e->ndim = n;
    memcpy(e->labels, labels, (size_t)n * sizeof *labels);
    return true;
}

/* Is the label wanted by the result, or by an operand behind the first `passed`? */
static bool gi_label_wanted(const gi_einsum_job *e, int label, int passed)
{
    for (int d = 0; d < e->ndim; d++)
        if (e->labels[d] == label) return true;
    for (int k = passed; k < e->n; k++)
        for (int d = 0; d < e->terms[k].a->ndim; d++)
            if (e->terms[k].labels[d] == label) return true;
    return false;
}

/* Replaces an operand by an array of ours (NULL: it could not be made). */
static bool gi_replace_term(gi_einsum_job *e, int k, ga_array *made)
{
    ga_free(e->made[k]);
    e->made[k] = made;
    if (made) e->terms[k].a = made;
    return made != NULL;
}

/* Sums the first or second operand along the axes that nothing else has. */
static bool gi_sum_term(gi_einsum_job *e, int k)
{
    gi_term          *t     = &e->terms[k];
    const gi_term     other = e->terms[1 - k];
    ga_reduce_options o     = gi_reduce_site(e->site);
    int               n     = 0, labels[GPUARR_MAX_DIMS];
    if (e->dtype != GA_BOOL) o.dtype = e->dtype;
    for (int d = 0; d < t->a->ndim; d++) {
        bool wanted = gi_label_wanted(e, t->labels[d], 2);
        for (int i = 0; e->n > 1 && i < other.a->ndim; i++) wanted = wanted || other.labels[i] == t->labels[d];
        if (wanted) labels[n++] = t->labels[d];
        else o.axes.n[o.axes.ndim++] = d;
    }
    if (o.axes.ndim == 0) return true;
    memcpy(t->labels, labels, (size_t)n * sizeof *labels);
    return gi_replace_term(e, k, e->dtype == GA_BOOL ? (ga_any)(t->a, o) : (ga_sum)(t->a, o));
}

/* Makes the first two operands one; the last two straight into the result. */
static bool gi_join_terms(gi_einsum_job *e, ga_array *out)
{
    gi_contraction c;
    int            labels[2 * GPUARR_MAX_DIMS], n = 0;
    memset(&c, 0, sizeof c);
    c.site  = e->site;
    c.dtype = e->dtype;
    c.x     = e->terms[0];
    c.y     = e->terms[1];
    if (e->n == 2) {
        memcpy(labels, e->labels, (size_t)e->ndim * sizeof *labels);
        n = e->ndim;
    } else {
        for (int d = 0; d < c.x.a->ndim; d++)
            if (gi_label_wanted(e, c.x.labels[d], 2)) labels[n++] = c.x.labels[d];
        const int of_x = n;
        for (int d = 0; d < c.y.a->ndim; d++) {
            bool known = !gi_label_wanted(e, c.y.labels[d], 2);
            for (int i = 0; i < of_x; i++) known = known || labels[i] == c.y.labels[d];
            if (!known) labels[n++] = c.y.labels[d];
        }
        if (n > GPUARR_MAX_DIMS)
            return gi_einsum_fail(e, "have more dimensions on the way than an array can have: take fewer operands");
    }
    c.ndim = n;
    memcpy(c.labels, labels, (size_t)n * sizeof *labels);
    ga_array *joined = gi_contract(&c, e->n == 2 ? out : NULL);
    ga_free(e->made[1]);
    e->made[1] = NULL;
    if (!gi_replace_term(e, 0, joined)) return false;
    memcpy(e->terms[0].labels, labels, (size_t)n * sizeof *labels);
    for (int k = 2; k < e->n; k++) {
        e->terms[k - 1] = e->terms[k];
        e->made[k - 1]  = e->made[k];
        e->made[k]      = NULL;
    }
    e->n--;
    return true;
}

/* The one operand that is left, its axes in the order of the result. */
static ga_array *gi_einsum_result(const gi_einsum_job *e)
{
    const gi_term *t = &e->terms[0];
    gi_layout      l = gi_layout_of(t->a), from = l;
    l.ndim = e->ndim;
    for (int d = 0; d < e->ndim; d++) {
        int at = 0;
        while (t->labels[at] != e->labels[d]) at++;
        l.shape[d]   = from.shape[at];
        l.strides[d] = from.strides[at];
    }
    return gi_view_with(e->site, t->a, &l);
}

ga_array *(ga_einsum_n)(const char *subscripts, int n, const ga_array *const *arrays, ga_product_options o)
{
    gi_einsum_job e;
    const char   *p      = subscripts;
    ga_array     *result = NULL;
    memset(&e, 0, sizeof e);
    e.site = o.site;
    e.text = subscripts;
    for (int l = 0; l < GI_LABELS; l++) e.length[l] = 1;
    if (!subscripts)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "the subscripts are NULL: give a text such as \"ik,kj->ij\"");
    if (n < 1 || n > GI_EINSUM_OPERANDS)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "%d operands: 1 to %d are possible", n, (int)GI_EINSUM_OPERANDS);
    if (!gi_check_list(o.site, n, arrays) || gi_null_option(o.site, "out", o.out)) return NULL;
    e.dtype = gi_promote_all(n, arrays);
    bool ok = gi_read_operands(&e, n, arrays, &p) && gi_read_result(&e, p);
    while (ok && e.n > 1) ok = gi_sum_term(&e, 0) && gi_sum_term(&e, 1) && gi_join_terms(&e, o.out);
    if (n == 1) ok = ok && gi_sum_term(&e, 0);
    if (ok && e.made[0] == o.out && o.out) { /* written already */
        e.made[0] = NULL;
        result    = o.out;
    } else if (ok) {
        result = gi_finish(o.site, gi_einsum_result(&e), e.dtype, o.out);
    }
    for (int k = 0; k < GI_EINSUM_OPERANDS; k++) ga_free(e.made[k]);
    return result;
}

/* ==== >>convolution: sums of weighted neighbours ===================================================================== */
/*  Every convolution, correlation and filter with weights becomes one or several jobs of one kind:
        out[i] = sum over k of weights[k] * in[i + k + offset]
    in the raster order of k, each sum one chain of gi_weigh in the dtype of the job. What lies outside of `in` is what `border` says,
    and takes part in the chain like anything else. */

typedef struct gi_correlation {
    ga_dtype    dtype; /* of in, weights and out, which are packed in C order and do not overlap */
    int         ndim;  /* 1 to GPUARR_MAX_DIMS */
    const void *in;
    int64_t     shape[GPUARR_MAX_DIMS];
    const void *weights;
    int64_t     size[GPUARR_MAX_DIMS];
    void       *out;
    int64_t     result[GPUARR_MAX_DIMS]; /* the shape of out */
    int64_t     offset[GPUARR_MAX_DIMS]; /* which element of `in` out[0] multiplies by weights[0]; may be negative */
    ga_border   border;
    double      cval, cval_imag; /* outside, with GA_BORDER_CONSTANT */
} gi_correlation;

#if GI_HAS_CUDA
static bool gi_cuda_correlate(const char *site, const gi_correlation *c);
static bool gi_cuda_correlate_factored(const char *site, const gi_correlation *c);
static bool gi_cuda_correlate_fft(const char *site, const gi_correlation *c);
#endif

/* ---- on the CPU -------------------------------------------------------------------------------------------------------- */
/*  The results are cut into units of rows and columns for the threads. Where a unit's neighbours all lie inside of `in`, the loops
    of gpuarr_cpu.h read them there and write to `out`. The rest goes block by block through copies of what lies around the block, with
    the border filled in; many weights are taken a part at a time, so that the copies stay small.                               */

#define GI_BLOCK_BYTES ((int64_t)32 << 10) /* of the results of a block */
#define GI_PART_BYTES  ((int64_t)64 << 10) /* of the copy of its neighbours for some of the weights */
#define GI_UNIT_BYTES  ((int64_t)256 << 10)
#define GI_SLACK_BYTES ((int64_t)1 << 10) /* lines are rounded up to whole vectors */

typedef struct gi_correlator {
    gi_correlation    c;    /* axes without weights joined with their neighbours; the last two are rows and columns */
    int64_t           step; /* elements of a pixel: the length of the axes without weights behind the columns */
    int64_t           planes, weight_planes; /* of results and of weights: the products of the axes before */
    gi_correlate_loop lines, tiles;
    bool              tiled;        /* inside */
    bool              blocks_tiled; /* and in blocks, too */
    int64_t           size;         /* of an element */
    int64_t           width;        /* of the results; this and all columns in elements */
    int64_t           unit_rows, unit_columns, units_down, units_across;
    int64_t           block_rows, block_columns, part_height, part_width;
    char              constant[16];
} gi_correlator;

/* Some results: rows and columns of a plane. */
typedef struct gi_patch {
    int64_t plane, row, rows, column, columns;
} gi_patch;

/* Joins axes without weights; what is left is at least rows and columns. */
static void gi_join_axes(gi_correlator *j, const gi_correlation *c)
{
    bool untouched[GPUARR_MAX_DIMS + 1] = { false }, joins;
    j->c                                = *c;
    j->c.ndim                           = 0;
    j->step                             = 1;
    for (int d = 0; d < c->ndim; d++) {
        bool free_      = c->size[d] == 1 && c->offset[d] == 0 && c->result[d] == c->shape[d];
        joins           = free_ && j->c.ndim > 0 && untouched[j->c.ndim - 1];
        int to          = joins ? j->c.ndim - 1 : j->c.ndim++;
        untouched[to]   = free_;
        j->c.shape[to]  = joins ? j->c.shape[to] * c->shape[d] : c->shape[d];
        j->c.result[to] = joins ? j->c.result[to] * c->result[d] : c->result[d];
        j->c.size[to]   = c->size[d];
        j->c.offset[to] = c->offset[d];
    }
    int last = j->c.ndim - 1;
    if (last > 0 && untouched[last] &&
        j->c.shape[last] * ga_itemsize(c->dtype) < 256) { /* a short axis: of colours, for example */
        j->step   = j->c.shape[last];
        j->c.ndim = last;
    }
    while (j->c.ndim < 2) {
        for (int d = j->c.ndim; d > 0; d--) {
            j->c.shape[d]  = j->c.shape[d - 1];
            j->c.result[d] = j->c.result[d - 1];
            j->c.size[d]   = j->c.size[d - 1];
            j->c.offset[d] = j->c.offset[d - 1];
        }
        j->c.shape[0] = j->c.result[0] = j->c.size[0] = 1;
        j->c.offset[0]                                = 0;
        j->c.ndim++;
    }
}

/* The part of a patch whose neighbours all lie inside of `in`. False if that is nothing, or too little for the loops. */
static bool gi_find_inside(const gi_correlator *j, const gi_patch *p, gi_patch *inside)
{
    const gi_correlation *c    = &j->c;
    int                   rows = c->ndim - 2, columns = c->ndim - 1;
    int64_t               left = -c->offset[columns] * j->step, top = -c->offset[rows], plane = p->plane;
    int64_t               right  = left + (c->shape[columns] - c->size[columns] + 1) * j->step;
    int64_t               bottom = top + c->shape[rows] - c->size[rows] + 1;
    for (int d = rows - 1; d >= 0; d--) {
        int64_t i = plane % c->result[d] + c->offset[d];
        if (i < 0 || i + c->size[d] > c->shape[d]) return false;
        plane /= c->result[d];
    }
    *inside = *p;
    if (top > p->row) inside->row = top;
    if (left > p->column) inside->column = left;
    if (j->tiled && inside->column > p->column) /* leave whole tiles beside it */
        inside->column = p->column + (inside->column - p->column + j->tiles.columns - 1) / j->tiles.columns * j->tiles.columns;
    inside->rows    = (bottom < p->row + p->rows ? bottom : p->row + p->rows) - inside->row;
    inside->columns = (right < p->column + p->columns ? right : p->column + p->columns) - inside->column;
    if (j->tiled && inside->columns < p->columns) inside->columns -= inside->columns % j->tiles.columns;
    return j->weight_planes == 1 && inside->rows > 0 &&
           inside->columns >= (j->tiled && inside->rows >= GI_TAP_ROWS ? j->tiles.columns : j->lines.columns);
}

/* n elements of a row of pixels of `step` elements each, from element `start` on; outside of the row by the border. NULL: the row itself
   lies outside. */
static void gi_read_padded(const char *row, int64_t pixels, int64_t step, int64_t size, ga_border border, const char *constant,
                           int64_t start, int64_t n, char *to)
{
    const int64_t length = pixels * step;
    if (!row) gi_repeat((int)size, n, to, constant);
    for (int64_t i = 0; i < n && row;) {
        const int64_t at = start + i, left = n - i;
        int64_t       run = at < 0 ? -at : at < length ? length - at : left;
        if (run > left) run = left;
        if (at >= 0 && at < length) {
            memcpy(to + i * size, row + at * size, (size_t)(run * size));
        } else if (border == GA_BORDER_CONSTANT) {
            gi_repeat((int)size, run, to + i * size, constant);
        } else {
            int64_t pixel = at >= 0 ? at / step : -((step - 1 - at) / step), within = at - pixel * step;
            run = step - within < left ? step - within : left;
            memcpy(to + i * size, row + (gi_border_index(pixel, pixels, border) * step + within) * size, (size_t)(run * size));
        }
        i += run;
    }
}

/* Elements start .. start + n of the last axis of `in`, in the row with these coordinates; what is outside by the border. */
static void gi_read_bordered(const gi_correlation *c, const int64_t *row, int64_t start, int64_t n, const char *constant,
                             char *to)
{
    const int64_t size = ga_itemsize(c->dtype), length = c->shape[c->ndim - 1];
    int64_t       at = 0;
    for (int d = 0; d < c->ndim - 1 && at >= 0; d++) {
        int64_t i = gi_border_index(row[d], c->shape[d], c->border);
        at        = i < 0 ? -1 : at * c->shape[d] + i;
    }
    gi_read_padded(at < 0 ? NULL : (const char *)c->in + at * length * size, length, 1, size, c->border, constant, start, n,
                   to);
}

/* Where a row of `in` begins, counted from the first neighbour of a plane of results in a plane of weights; NULL: outside. */
static const char *gi_find_row(const gi_correlator *j, int64_t plane, int64_t weight_plane, int64_t row)
{
    const gi_correlation *c    = &j->c;
    int                   rows = c->ndim - 2;
    int64_t               at = gi_border_index(row + c->offset[rows], c->shape[rows], c->border), stride = c->shape[rows];
    for (int d = rows - 1; d >= 0 && at >= 0; d--) {
        int64_t i = gi_border_index(plane % c->result[d] + weight_plane % c->size[d] + c->offset[d], c->shape[d], c->border);
        at        = i < 0 ? -1 : at + i * stride;
        stride *= c->shape[d];
        plane /= c->result[d];
        weight_plane /= c->size[d];
    }
    return at < 0 ? NULL : (const char *)c->in + at * c->shape[rows + 1] * j->step * j->size;
}

static char *gi_patch_out(const gi_correlator *j, const gi_patch *p)
{
    return (char *)j->c.out + ((p->plane * j->c.result[j->c.ndim - 2] + p->row) * j->width + p->column) * j->size;
}

/* Copies what a part of the weights (row u and column v of a plane) meets around a block; zeros fill the room up. */
static void gi_copy_neighbours(const gi_correlator *j, const gi_patch *p, int64_t plane, int64_t u, int64_t v, const gi_taps *t,
                               int64_t room, char *x)
{
    const gi_correlation *c     = &j->c;
    const int             last  = c->ndim - 1;
    const int64_t         start = p->column + (v + c->offset[last]) * j->step, wanted = p->columns + (t->width - 1) * j->step;
    const int64_t         rows = p->rows + t->height - 1;
    for (int64_t i = 0; i < rows; i++) {
        char *to = x + i * t->pitch * j->size, *end = x + (i < rows - 1 ? (i + 1) * t->pitch : room) * j->size;
        gi_read_padded(gi_find_row(j, p->plane, plane, p->row + u + i), c->shape[last], j->step, j->size, c->border,
                       j->constant, start, wanted, to);
        to += wanted * j->size;
        memset(to, 0, (size_t)(end - to));
    }
}

/* How many of so many rows of weights to take next: tiles want 3 at least, now and in the end. */
static int64_t gi_part_height(const gi_correlator *j, int64_t left)
{
    if (left <= j->part_height) return left;
    return j->blocks_tiled && left - j->part_height < GI_TAP_ROWS - 1 ? left - (GI_TAP_ROWS - 1) : j->part_height;
}

/* A block of results through such copies, whose rows lie t.pitch elements apart; without tiles all of it is one line. */
static void gi_correlate_block(const gi_correlator *j, const gi_patch *p)
{
    __attribute__((aligned(64))) char x[GI_PART_BYTES + GI_SLACK_BYTES], sums[GI_BLOCK_BYTES + GI_SLACK_BYTES];
    const gi_correlation             *c      = &j->c;
    const bool                        tiled  = j->blocks_tiled;
    const gi_correlate_loop          *loop   = tiled ? &j->tiles : &j->lines;
    const int64_t                     height = c->size[c->ndim - 2], width = c->size[c->ndim - 1], unit = loop->columns;
    const int64_t                     rows   = tiled ? (p->rows + GI_TAP_ROWS - 1) / GI_TAP_ROWS * GI_TAP_ROWS : p->rows;
    const int64_t                     across = tiled ? (p->columns + unit - 1) / unit * unit : p->columns,
                  pitch                      = across + (j->part_width - 1) * j->step;
    const int64_t line                       = ((rows - 1) * pitch + across + unit - 1) / unit * unit;
    bool          begin                      = true;
    for (int64_t k = 0; k < j->weight_planes; k++)
        for (int64_t u = 0, part; u < height; u += part) {
            part = gi_part_height(j, height - u);
            for (int64_t v = 0; v < width; v += j->part_width, begin = false) {
                gi_taps t;
                t.height  = part;
                t.width   = width - v < j->part_width ? width - v : j->part_width;
                t.step    = j->step;
                t.pitch   = pitch;
                t.weights = (const char *)c->weights + ((k * height + u) * width + v) * j->size;
                gi_copy_neighbours(j, p, k, u, v, &t,
                                   (t.height - 1) * pitch + (tiled ? rows * pitch : line + (t.width - 1) * t.step), x);
                if (tiled) loop->run(&t, rows, across, x, sums, across, begin);
                else loop->run(&t, 1, line, x, sums, line, begin);
            }
        }
    for (int64_t i = 0; i < p->rows; i++)
        memcpy(gi_patch_out(j, p) + i * j->width * j->size, sums + i * (tiled ? across : pitch) * j->size,
               (size_t)(p->columns * j->size));
}

/* Straight from `in` to `out`: all neighbours of the patch lie inside. */
static void gi_correlate_inside(const gi_correlator *j, const gi_patch *p)
{
    const gi_correlation *c   = &j->c;
    const int64_t         row = p->row + c->offset[c->ndim - 2], column = p->column + c->offset[c->ndim - 1] * j->step;
    gi_taps               t;
    t.height      = c->size[c->ndim - 2];
    t.width       = c->size[c->ndim - 1];
    t.step        = j->step;
    t.pitch       = c->shape[c->ndim - 1] * j->step;
    t.weights     = c->weights;
    const char *x = gi_find_row(j, p->plane, 0, row - c->offset[c->ndim - 2]) + column * j->size;
    (j->tiled && p->rows >= GI_TAP_ROWS ? j->tiles : j->lines)
        .run(&t, p->rows, p->columns, x, gi_patch_out(j, p), j->width, true);
}

static void gi_correlate_blocks(const gi_correlator *j, gi_patch p)
{
    gi_patch block = p;
    for (int64_t i = 0; i < p.rows; i += j->block_rows)
        for (int64_t k = 0; k < p.columns; k += j->block_columns) {
            block.row     = p.row + i;
            block.rows    = p.rows - i < j->block_rows ? p.rows - i : j->block_rows;
            block.column  = p.column + k;
            block.columns = p.columns - k < j->block_columns ? p.columns - k : j->block_columns;
            gi_correlate_block(j, &block);
        }
}

static void gi_correlate_unit(const gi_correlator *j, const gi_patch *unit)
{
    gi_patch inside, beside = *unit;
    if (!gi_find_inside(j, unit, &inside)) {
        gi_correlate_blocks(j, *unit);
        return;
    }
    gi_correlate_inside(j, &inside);
    beside.rows = inside.row - unit->row; /* above and below */
    gi_correlate_blocks(j, beside);
    beside.row  = inside.row + inside.rows;
    beside.rows = unit->row + unit->rows - beside.row;
    gi_correlate_blocks(j, beside);
    beside         = inside; /* to the left and to the right */
    beside.column  = unit->column;
    beside.columns = inside.column - unit->column;
    gi_correlate_blocks(j, beside);
    beside.column  = inside.column + inside.columns;
    beside.columns = unit->column + unit->columns - beside.column;
    gi_correlate_blocks(j, beside);
}

static void gi_correlate_units(int64_t begin, int64_t end, void *job)
{
    const gi_correlator *j    = (const gi_correlator *)job;
    const int64_t        rows = j->c.result[j->c.ndim - 2];
    for (int64_t n = begin; n < end; n++) {
        gi_patch unit;
        unit.column  = n % j->units_across * j->unit_columns;
        unit.columns = j->width - unit.column < j->unit_columns ? j->width - unit.column : j->unit_columns;
        unit.plane   = n / j->units_across / j->units_down;
        unit.row     = n / j->units_across % j->units_down * j->unit_rows;
        unit.rows    = rows - unit.row < j->unit_rows ? rows - unit.row : j->unit_rows;
        gi_correlate_unit(j, &unit);
    }
}

/* n, but at most high, and at least low in any case. */
static int64_t gi_within(int64_t n, int64_t low, int64_t high)
{
    if (n > high) n = high;
    return n < low ? low : n;
}

/* How large units, blocks and parts of the weights are. */
static void gi_cut_correlation(gi_correlator *j)
{
    const gi_correlation *c    = &j->c;
    const int64_t         rows = c->result[c->ndim - 2], height = c->size[c->ndim - 2], width = c->size[c->ndim - 1];
    const int64_t         block = GI_BLOCK_BYTES / j->size, narrow = 1024 / j->size, part = GI_PART_BYTES / j->size;
    enum { LEAST_TILED = 2 * GI_TAP_ROWS }; /* rows of a copy, for 4 rows of results and 5 of weights */
    const int64_t span = j->tiled ? j->tiles.columns : j->lines.columns;
    j->block_columns   = gi_within(block / rows, narrow, j->tiled ? block / GI_TAP_ROWS : block) / span * span;
    if (j->block_columns > j->width) j->block_columns = j->tiled ? (j->width + span - 1) / span * span : j->width;
    j->part_width   = width;
    j->blocks_tiled = j->tiled && part / (j->block_columns + (width - 1) * j->step) >= LEAST_TILED;
    if (!j->blocks_tiled)
        j->part_width = gi_within((j->block_columns > narrow ? j->block_columns : narrow) / j->step, 1, width);
    const int64_t pitch = j->block_columns + (j->part_width - 1) * j->step, part_rows = part / pitch;
    j->block_rows = gi_within(block / (j->blocks_tiled ? j->block_columns : pitch), 1, part_rows / 2);
    if (j->blocks_tiled) j->block_rows = gi_within(j->block_rows / GI_TAP_ROWS, 1, rows) * GI_TAP_ROWS;
    j->part_height = j->part_width < width ? 1 : gi_within(part_rows - j->block_rows + 1, 1, height);
    /* units: some rows of blocks, but enough of them for all threads */
    int64_t unit    = GI_UNIT_BYTES / j->size;
    j->unit_columns = j->width < block ? j->width : block / span * span;
    j->unit_rows    = gi_within(unit / j->unit_columns, 1, rows);
    int64_t wanted  = 4 * ga_get_num_threads();
    while (j->unit_rows > 2 * GI_TAP_ROWS && j->planes * (rows / j->unit_rows) * (j->width / j->unit_columns) < wanted)
        j->unit_rows /= 2;
    if (j->unit_rows > GI_TAP_ROWS) j->unit_rows = j->unit_rows / GI_TAP_ROWS * GI_TAP_ROWS;
    j->units_down   = (rows + j->unit_rows - 1) / j->unit_rows;
    j->units_across = (j->width + j->unit_columns - 1) / j->unit_columns;
}

/* The element outside, with GA_BORDER_CONSTANT. */
static void gi_correlation_constant(const gi_correlation *c, void *element)
{
    ga_arg v;
    memset(&v, 0, sizeof v);
    v.kind = GA_KIND_COMPLEX;
    v.re   = c->cval;
    v.im   = c->cval_imag;
    gi_number_to(v, c->dtype, element);
}

static void gi_cpu_correlate(const gi_correlation *c)
{
    gi_correlator   j;
    const gi_dense *dense = gi_cpu_dense(c->dtype);
    memset(&j, 0, sizeof j);
    gi_join_axes(&j, c);
    int rows = j.c.ndim - 2, columns = j.c.ndim - 1;
    j.size          = ga_itemsize(c->dtype);
    j.planes        = gi_size(rows, j.c.result);
    j.weight_planes = gi_size(rows, j.c.size);
    j.width         = j.c.result[columns] * j.step;
    j.lines         = gi_cpu_correlate_lines(c->dtype);
    if (dense) j.tiles = dense->correlate_tiles;
    j.tiled = dense && j.c.size[rows] >= GI_TAP_ROWS - 1 && j.c.result[rows] >= GI_TAP_ROWS && j.width >= j.tiles.columns;
    gi_correlation_constant(c, j.constant);
    gi_cut_correlation(&j);
    int64_t work = j.unit_rows * j.unit_columns * gi_size(c->ndim, c->size); /* of a unit */
    gi_parallel(j.planes * j.units_down * j.units_across, 1 + 65536 / (work + 1), gi_correlate_units, &j);
}

/* Runs the job where its memory is. False with an error. */
static bool gi_correlate(const char *site, ga_device device, const gi_correlation *c)
{
    if (gi_size(c->ndim, c->result) == 0) return true;
    GI_IF_CUDA(device, gi_cuda_correlate(site, c));
    (void)site, (void)device;
    gi_cpu_correlate(c);
    return true;
}

/* ---- through Fourier transforms ------------------------------------------------------------------------------------------ */
/*  FFTW has to be linked, so it is used only when asked for: cc -DGPUARR_USE_FFTW main.c -lfftw3 -lfftw3f -lm -lpthread

    The results are cut into tiles. Around each one the neighbours are read, with the border filled in, transformed, multiplied by the
    transform of the weights, and transformed back; what of that went round the edges of the tile is left out.                       */

#if defined(GPUARR_USE_FFTW) && !defined(GPUARR_NO_FFTW)
#define GI_HAS_FFTW 1
#else
#define GI_HAS_FFTW 0
#endif

#if GI_HAS_FFTW || GI_HAS_CUFFT
typedef struct gi_fft {
    const gi_correlation *c;
    bool                  single, complex_;
    int64_t               length[GPUARR_MAX_DIMS], step[GPUARR_MAX_DIMS],
        tiles[GPUARR_MAX_DIMS];       /* of a tile: neighbours, results; how many */
    int     rank, n[GPUARR_MAX_DIMS]; /* the axes with weights */
    int64_t count, points, waves, parts;
    void   *forward, *back;
    size_t  x_bytes, bytes; /* of a tile's neighbours; with its waves */
    char   *weights;        /* a tile like those of the parts: the transform of the weights, conjugated and scaled */
    char   *scratch, constant[16];
} gi_fft;

/* The next length from n on without other factors than 2, 3 and 5. */
static int64_t gi_fast_length(int64_t n)
{
    for (;; n++) {
        int64_t rest = n;
        while (rest % 2 == 0) rest /= 2;
        while (rest % 3 == 0) rest /= 3;
        while (rest % 5 == 0) rest /= 5;
        if (rest == 1) return n;
    }
}

static void gi_fft_cut(gi_fft *f)
{
    static const int64_t  least[3] = { 8192, 256, 64 }; /* a tile that stays in the cache */
    const gi_correlation *c        = f->c;
    for (int d = 0; d < c->ndim; d++) f->rank += c->size[d] > 1;
    int64_t room = least[f->rank < 3 ? f->rank - 1 : 2];
    int     axis = 0;
    f->count = f->points = 1;
    for (int d = 0; d < c->ndim; d++) {
        const int64_t m = c->size[d], most = 4 * m > room ? 4 * m : room, whole = c->result[d] + m - 1;
        f->tiles[d]  = m == 1 ? c->result[d] : (c->result[d] - 1) / ((most < whole ? most : whole) - m + 1) + 1;
        f->step[d]   = (c->result[d] - 1) / f->tiles[d] + 1;
        f->length[d] = m == 1 ? 1 : gi_fast_length(f->step[d] + m - 1);
        f->count *= f->tiles[d];
        f->points *= f->length[d];
        if (m > 1) f->n[axis++] = (int)f->length[d];
    }
    int64_t last = f->n[f->rank - 1];
    f->waves     = f->complex_ ? f->points : f->points / last * (last / 2 + 1);
}

/* Can the weights be transformed? False with an error. */
static bool gi_fft_takes(const char *site, const gi_correlation *c)
{
    for (int d = 0; d < c->ndim; d++)
        if (c->size[d] > (int64_t)1 << 28) {
            gi_fail(site, GA_BAD_SHAPE, "weights of shape %s are too many for a Fourier transform: use GA_METHOD_DIRECT",
                    gi_shape_text(c->ndim, c->size));
            return false;
        }
    return true;
}
#endif

#if GI_HAS_FFTW
#if defined(__has_include)
#if !__has_include(<fftw3.h>)
#error "gpuarr: GPUARR_USE_FFTW needs fftw3.h: apt-get install libfftw3-dev, or compile without it"
#endif
#endif
#include <fftw3.h>

static pthread_mutex_t gi_fftw_planner = PTHREAD_MUTEX_INITIALIZER; /* FFTW plans for one thread at a time */

/* FFTW has each function twice. Plans go from x to its waves, or back. */
#define GI_FFTW(F, real)                                                                                                       \
    static void *gi_plan_##F(int rank, const int *n, void *x, void *waves, bool complex_, bool back)                           \
    {                                                                                                                          \
        F##_complex *z = (F##_complex *)x, *w = (F##_complex *)waves;                                                          \
        if (complex_)                                                                                                          \
            return F##_plan_dft(rank, n, back ? w : z, back ? z : w, back ? FFTW_BACKWARD : FFTW_FORWARD, FFTW_ESTIMATE);      \
        if (back) return F##_plan_dft_c2r(rank, n, w, (real *)x, FFTW_ESTIMATE);                                               \
        return F##_plan_dft_r2c(rank, n, (real *)x, w, FFTW_ESTIMATE);                                                         \
    }                                                                                                                          \
    static void gi_transform_##F(void *plan, void *x, void *waves, bool complex_, bool back)                                   \
    {                                                                                                                          \
        F##_complex *z = (F##_complex *)x, *w = (F##_complex *)waves;                                                          \
        if (complex_) F##_execute_dft((F##_plan)plan, back ? w : z, back ? z : w);                                             \
        else if (back) F##_execute_dft_c2r((F##_plan)plan, w, (real *)x);                                                      \
        else F##_execute_dft_r2c((F##_plan)plan, (real *)x, w);                                                                \
    }
GI_FFTW(fftw, double)
GI_FFTW(fftwf, float)
#undef GI_FFTW

/* The elements from these coordinates on, as many as a tile has. */
static void gi_fft_read(const gi_fft *f, const int64_t *start, char *x)
{
    const gi_correlation *c    = f->c;
    const int64_t         line = f->length[c->ndim - 1], size = ga_itemsize(c->dtype);
    for (int64_t row = 0; row < f->points / line; row++) {
        int64_t at[GPUARR_MAX_DIMS], rest = row;
        for (int d = c->ndim - 2; d >= 0; d--) {
            at[d] = start[d] + rest % f->length[d];
            rest /= f->length[d];
        }
        gi_read_bordered(c, at, start[c->ndim - 1], line, f->constant, x + row * line * size);
    }
}

/* Writes the results of a tile; `first`: their coordinates. */
static void gi_fft_write(const gi_fft *f, const int64_t *first, const char *x)
{
    const gi_correlation *c    = f->c;
    const int             last = c->ndim - 1;
    const int64_t         size = ga_itemsize(c->dtype);
    int64_t               count[GPUARR_MAX_DIMS], rows = 1;
    for (int d = 0; d <= last; d++) {
        count[d] = c->result[d] - first[d] < f->step[d] ? c->result[d] - first[d] : f->step[d];
        if (d < last) rows *= count[d];
    }
    for (int64_t row = 0; row < rows; row++) {
        int64_t from = 0, to = 0, stride = f->length[last], out_stride = c->result[last], rest = row;
        for (int d = last - 1; d >= 0; d--) {
            from += rest % count[d] * stride;
            to += (first[d] + rest % count[d]) * out_stride;
            rest /= count[d];
            stride *= f->length[d];
            out_stride *= c->result[d];
        }
        memcpy((char *)c->out + (to + first[last]) * size, x + from * size, (size_t)(count[last] * size));
    }
}

GI_BEGIN_FAST
static void gi_fft_multiply_f32(int64_t n, ga_c64 *x, const ga_c64 *w)
{
    for (int64_t i = 0; i < n; i++) x[i] = gi_mul_c64(x[i], w[i]);
}
static void gi_fft_multiply_f64(int64_t n, ga_c128 *x, const ga_c128 *w)
{
    for (int64_t i = 0; i < n; i++) x[i] = gi_mul_c128(x[i], w[i]);
}
GI_END_FAST

static void gi_transform(const gi_fft *f, char *tile, bool back)
{
    void *plan = back ? f->back : f->forward;
    if (f->single) gi_transform_fftwf(plan, tile, tile + f->x_bytes, f->complex_, back);
    else gi_transform_fftw(plan, tile, tile + f->x_bytes, f->complex_, back);
}

static void gi_fft_parts(int64_t begin, int64_t end, void *job)
{
    const gi_fft         *f = (const gi_fft *)job;
    const gi_correlation *c = f->c;
    for (int64_t part = begin; part < end; part++) {
        char *tile = f->scratch + part * (int64_t)f->bytes;
        for (int64_t n = f->count * part / f->parts; n < f->count * (part + 1) / f->parts; n++) {
            int64_t first[GPUARR_MAX_DIMS], start[GPUARR_MAX_DIMS], rest = n;
            for (int d = c->ndim - 1; d >= 0; d--) {
                first[d] = rest % f->tiles[d] * f->step[d];
                start[d] = first[d] + c->offset[d];
                rest /= f->tiles[d];
            }
            gi_fft_read(f, start, tile);
            gi_transform(f, tile, false);
            if (f->single)
                gi_fft_multiply_f32(f->waves, (ga_c64 *)(void *)(tile + f->x_bytes),
                                    (const ga_c64 *)(void *)(f->weights + f->x_bytes));
            else
                gi_fft_multiply_f64(f->waves, (ga_c128 *)(void *)(tile + f->x_bytes),
                                    (const ga_c128 *)(void *)(f->weights + f->x_bytes));
            gi_transform(f, tile, true);
            gi_fft_write(f, first, tile);
        }
    }
}

/* A correlation is a product with the conjugate of the transform; complex weights are conjugated before as well. */
static void gi_fft_weights(gi_fft *f)
{
    gi_correlation weights                = *f->c; /* the weights, with zeros behind */
    gi_fft         as_tile                = *f;
    int64_t        start[GPUARR_MAX_DIMS] = { 0 };
    const double   scale                  = 1 / (double)f->points;
    weights.in                            = f->c->weights;
    weights.border                        = GA_BORDER_CONSTANT;
    memcpy(weights.shape, f->c->size, sizeof weights.shape);
    memset(as_tile.constant, 0, sizeof as_tile.constant);
    as_tile.c = &weights;
    gi_fft_read(&as_tile, start, f->weights);
    for (int64_t i = 0; i < f->points && f->complex_; i++) {
        if (f->single) ((ga_c64 *)(void *)f->weights)[i] = gi_conj_c64(((ga_c64 *)(void *)f->weights)[i]);
        else ((ga_c128 *)(void *)f->weights)[i] = gi_conj_c128(((ga_c128 *)(void *)f->weights)[i]);
    }
    gi_transform(f, f->weights, false);
    for (int64_t i = 0; i < f->waves; i++) {
        char *wave = f->weights + f->x_bytes;
        if (f->single) {
            ga_c64 *z = (ga_c64 *)(void *)wave + i;
            *z        = gi_make_c64((float)(z->re * scale), (float)(-z->im * scale));
        } else {
            ga_c128 *z = (ga_c128 *)(void *)wave + i;
            *z         = gi_make_c128(z->re * scale, -z->im * scale);
        }
    }
}

/* Is it at least three times as fast? It rounds otherwise, so it is not worth less. By measurements an element of a tile and a factor 2
   of its size cost as much as 30 or, of complex numbers, 8 weights of the direct way. */
static bool gi_fft_pays(const gi_correlation *c)
{
    if (!gi_is_float(c->dtype) && !gi_is_complex(c->dtype)) return false;
    const double weights = 3 * (gi_is_complex(c->dtype) ? 8 : 30);
    gi_fft       f;
    memset(&f, 0, sizeof f);
    f.c = c;
    gi_fft_cut(&f);
    return (double)gi_size(c->ndim, c->result) * (double)gi_size(c->ndim, c->size) >
           weights * (double)f.count * (double)f.points * log2((double)f.points);
}

static bool gi_is_tame(int64_t n, bool single, const void *x) /* neither inf nor NaN */
{
    bool tame = true;
    for (int64_t i = 0; i < n; i++)
        tame &= single ? gi_isfinite_f32(((const float *)x)[i]) : gi_isfinite_f64(((const double *)x)[i]);
    return tame;
}

static bool gi_fft_is_safe(const gi_correlation *c)
{
    const int64_t parts  = gi_is_complex(c->dtype) ? 2 : 1;
    const bool    single = c->dtype == GA_F32 || c->dtype == GA_C64;
    return gi_is_tame(parts * gi_size(c->ndim, c->size), single, c->weights) &&
           gi_is_tame(parts * gi_size(c->ndim, c->shape), single, c->in);
}

static bool gi_fft_correlate(const char *site, const gi_correlation *c)
{
    gi_fft f;
    memset(&f, 0, sizeof f);
    f.c        = c;
    f.single   = c->dtype == GA_F32 || c->dtype == GA_C64;
    f.complex_ = gi_is_complex(c->dtype);
    gi_correlation_constant(c, f.constant);
    if (!gi_fft_takes(site, c)) return false;
    gi_fft_cut(&f);
    f.parts   = ga_get_num_threads() < f.count ? ga_get_num_threads() : f.count;
    f.x_bytes = (size_t)((f.points * ga_itemsize(c->dtype) + 63) / 64 * 64);
    f.bytes   = f.x_bytes + (size_t)((f.waves * (f.single ? 8 : 16) + 63) / 64 * 64);
    f.weights = (char *)gi_alloc(site, f.bytes);
    f.scratch = f.weights ? (char *)gi_alloc(site, f.bytes * (size_t)f.parts) : NULL;
    if (f.scratch) {
        pthread_mutex_lock(&gi_fftw_planner);
        void *(*plan)(int, const int *, void *, void *, bool, bool) = f.single ? gi_plan_fftwf : gi_plan_fftw;
        f.forward = plan(f.rank, f.n, f.weights, f.weights + f.x_bytes, f.complex_, false);
        f.back    = plan(f.rank, f.n, f.weights, f.weights + f.x_bytes, f.complex_, true);
        pthread_mutex_unlock(&gi_fftw_planner);
        if (!f.forward || !f.back)
            gi_fail(site, GA_NO_MEMORY, "FFTW has no memory for a transform of %lld elements", (long long)f.points);
    }
    bool done = f.forward && f.back;
    if (done) {
        gi_fft_weights(&f);
        gi_parallel(f.parts, 1, gi_fft_parts, &f);
    }
    pthread_mutex_lock(&gi_fftw_planner);
    if (f.single) fftwf_destroy_plan((fftwf_plan)f.forward), fftwf_destroy_plan((fftwf_plan)f.back);
    else fftw_destroy_plan((fftw_plan)f.forward), fftw_destroy_plan((fftw_plan)f.back);
    pthread_mutex_unlock(&gi_fftw_planner);
    gi_release(f.weights, f.bytes);
    gi_release(f.scratch, f.bytes * (size_t)f.parts);
    return done;
}
#else
static bool gi_fft_pays(const gi_correlation *c) { return (void)c, false; }
static bool gi_fft_is_safe(const gi_correlation *c) { return (void)c, false; }
static bool gi_fft_correlate(const char *site, const gi_correlation *c)
{
    (void)c;
    gi_fail(site, GA_NO_LIBRARY,
            "this program was built without FFTW, which GA_METHOD_FFT needs: compile with -DGPUARR_USE_FFTW -lfftw3 -lfftw3f "
            "(and, if "
            "fftw3.h is missing, apt-get install libfftw3-dev)");
    return false;
}
#endif

/* ---- weights that are an outer product -------------------------------------------------------------------------------- */

enum { GI_LEAST_FACTORED = 42 }; /* weights: as many cost as much as two passes over memory */

/* Is a weight the product of a and b, but for some ulp? */
GI_FORMULA bool gi_is_product(double weight, double a, double b, double ulps)
{
    return gi_abs_f64(gi_fma_f64(a, b, -weight)) <= gi_mul_f64(ulps, gi_abs_f64(weight));
}

static double gi_weight_at(const ga_array *w, int64_t i)
{
    return w->dtype == GA_F32 ? (double)((const float *)w->data)[i] : ((const double *)w->data)[i];
}

/* Fills column and row with what gives the weights (packed, on the CPU) as products: to 16 ulp, which is less than what the rounding of
   that many terms may sum up to; those of whole numbers exactly. */
static bool gi_factor_weights(const ga_array *w, ga_array *column, ga_array *row)
{
    const int64_t width = w->shape[1];
    const double  ulp   = w->dtype == GA_F32 ? FLT_EPSILON : DBL_EPSILON;
    int64_t       top   = 0;
    bool          whole = true;
    for (int64_t i = 0; i < w->size; i++) {
        double x = fabs(gi_weight_at(w, i));
        if (!(x <= DBL_MAX)) return false;
        if (x > fabs(gi_weight_at(w, top))) top = i;
        whole = whole && x == floor(x);
    }
    ga_arg number;
    memset(&number, 0, sizeof number);
    number.kind = GA_KIND_REAL;
    for (int64_t i = 0; i < column->size; i++) {
        number.re = gi_weight_at(w, i * width + top % width);
        gi_number_to(number, w->dtype, (char *)column->data + i * ga_itemsize(w->dtype));
    }
    for (int64_t i = 0; i < row->size; i++) {
        number.re = gi_weight_at(w, top / width * width + i) / gi_weight_at(w, top);
        gi_number_to(number, w->dtype, (char *)row->data + i * ga_itemsize(w->dtype));
    }
    for (int64_t i = 0; i < w->size; i++)
        if (!gi_is_product(gi_weight_at(w, i), gi_weight_at(column, i / width), gi_weight_at(row, i % width),
                           whole ? 0 : 16 * ulp))
            return false;
    return true;
}

/* Finds column and row as arrays on the device of the weights: 1 found, 0 there are none, -1 an error. *outside becomes the sum
   over a row of what is .cval everywhere. */
static int gi_find_factors(const char *site, const ga_array *weights, double cval, ga_array **column, ga_array **row,
                           double *outside)
{
    const int64_t down[2] = { weights->shape[0], 1 }, across[2] = { 1, weights->shape[1] };
    ga_array     *w = gi_on_cpu(site, weights), *c = w ? gi_new(site, w->dtype, GA_CPU, 2, down) : NULL;
    ga_array     *r     = c ? gi_new(site, w->dtype, GA_CPU, 2, across) : NULL;
    int           found = !r ? -1 : gi_factor_weights(w, c, r);
    if (found == 1) {
        *outside = -0.0;
        for (int64_t i = 0; i < r->size; i++)
            *outside = w->dtype == GA_F32 ? (double)gi_fma_f32((float)gi_weight_at(r, i), (float)cval, (float)*outside)
                                          : gi_fma_f64(gi_weight_at(r, i), cval, *outside);
        *column = gi_to(site, c, weights->device);
        *row    = *column ? gi_to(site, r, weights->device) : NULL;
        if (!*row) {
            ga_free(*column);
            found = -1;
        }
    }
    ga_free(w);
    ga_free(c);
    ga_free(r);
    return found;
}

/* The job as two: along the rows into `between`, then along the columns. */
static void gi_split_correlation(const gi_correlation *c, const void *column, const void *row, void *between,
                                 gi_correlation *along, gi_correlation *down)
{
    *along = *down   = *c;
    along->weights   = row;
    along->out       = between;
    along->size[0]   = 1;
    along->offset[0] = 0;
    along->result[0] = c->shape[0];
    down->in         = between;
    down->weights    = column;
    down->size[1]    = 1;
    down->offset[1]  = 0;
    down->shape[1]   = c->result[1];
}

static bool gi_correlate_twice(const char *site, ga_device device, const gi_correlation *c, const ga_array *column,
                               const ga_array *row, double outside)
{
    const int64_t between[2] = { c->shape[0], c->result[1] };
    ga_array     *sums       = gi_new(site, c->dtype, device, 2, between);
    if (!sums) return false;
    gi_correlation along, down;
    gi_split_correlation(c, column->data, row->data, sums->data, &along, &down);
    down.cval = outside;
    bool done = gi_correlate(site, device, &along) && gi_correlate(site, device, &down);
    ga_free(sums);
    return done;
}

/* ---- calls ------------------------------------------------------------------------------------------------------------ */

static bool gi_check_border(const char *site, ga_border border)
{
    if (border >= GA_BORDER_REFLECT && border <= GA_BORDER_WRAP) return true;
    gi_fail(site, GA_BAD_ARGUMENT, ".border = %d is none: use GA_BORDER_REFLECT, GA_BORDER_CONSTANT ...", (int)border);
    return false;
}

/* One number for all axes, or one for each: does the option's number fit? */
static bool gi_fits_axes(const char *site, const char *name, const ga_shape *s, int ndim)
{
    if (s->ndim <= 1 || s->ndim == ndim) return true;
    gi_fail(site, GA_BAD_SHAPE, ".%s has %d numbers: give one, or one for each of the %d dimensions", name, s->ndim, ndim);
    return false;
}
static int64_t gi_number_for(const ga_shape *s, int d) { return s->ndim > 1 ? s->n[d] : s->n[0]; }

/* An integer that a rounding error of a sum has missed, else the number without its fraction. */
GI_FORMULA double gi_whole_of(double x, double nearest, double cut)
{
    return gi_abs_f64(x - nearest) <= gi_mul_f64(gi_abs_f64(nearest), 0x1p-46) ? nearest : cut;
}
GI_FORMULA double gi_whole(double x) { return gi_whole_of(x, gi_rint_f64(x), gi_trunc_f64(x)); }

GI_BEGIN_FAST
static void gi_make_whole(int64_t n, void *out, const void *in, const void *y, const void *z)
{
    gi_kernel rint_ = gi_cpu_kernel(GA_OP_rint, GA_F64), trunc_ = gi_cpu_kernel(GA_OP_trunc, GA_F64);
    double    nearest[GI_TILE], cut[GI_TILE];
    (void)y, (void)z;
    for (int64_t start = 0; start < n; start += GI_TILE) {
        const double *x = (const double *)in + start;
        double       *o = (double *)out + start;
        int64_t       m = n - start < GI_TILE ? n - start : GI_TILE;
        rint_(m, nearest, x, NULL, NULL);
        trunc_(m, cut, x, NULL, NULL);
        for (int64_t i = 0; i < m; i++) o[i] = gi_whole_of(x[i], nearest[i], cut[i]);
    }
}
GI_END_FAST

/* The same for all elements, in place. Takes over the array: on error it is freed. */
static ga_array *gi_cut_fractions(const char *site, ga_array *a)
{
    GI_FUNCTION(whole, gi_make_whole, gi_cuda_map1<double, double, gi_whole>);
    const ga_arg   in[1]                  = { gi_operand_arg(a) };
    const ga_dtype wanted[GI_MOST_INPUTS] = { GA_F64, GA_F64, GA_F64, GA_F64 };
    if (gi_map(site, whole, GI_CHEAP, 1, in, wanted, GA_F64, a, NULL)) return a;
    ga_free(a);
    return NULL;
}

static bool gi_correlate_fft(const char *site, ga_device device, const gi_correlation *c)
{
    GI_IF_CUDA(device, gi_cuda_correlate_fft(site, c));
    return (void)device, gi_fft_correlate(site, c);
}

/* Should the job go through Fourier transforms? Only if asked to, or where that is faster and no NaN or inf would spread. */
static bool gi_wants_fft(ga_method method, ga_device device, const gi_correlation *c)
{
    if (method == GA_METHOD_DIRECT || gi_size(c->ndim, c->result) == 0 || gi_size(c->ndim, c->size) == 1) return false;
    return method == GA_METHOD_FFT || (device == GA_CPU && gi_fft_pays(c) && gi_fft_is_safe(c));
}

/* Runs a planned job by one of the methods. weights: the array that the job's weights are in. */
static bool gi_correlate_by(const char *site, ga_method method, const ga_array *weights, const gi_correlation *c)
{
    ga_array *column, *row;
    double    outside;
    int       factored = 0;
    if (method == GA_METHOD_AUTO && c->ndim == 2 && gi_is_float(c->dtype) && c->size[0] > 1 && c->size[1] > 1 &&
        weights->size >= GI_LEAST_FACTORED) {
        GI_IF_CUDA(weights->device, gi_cuda_correlate_factored(site, c));
        factored = gi_find_factors(site, weights, c->cval, &column, &row, &outside);
    }
    if (factored < 0) return false;
    if (!factored && gi_wants_fft(method, weights->device, c)) return gi_correlate_fft(site, weights->device, c);
    if (!factored) return gi_correlate(site, weights->device, c);
    bool done = gi_correlate_twice(site, weights->device, c, column, row, outside);
    ga_free(column);
    ga_free(row);
    return done;
}

/* Can results of this dtype and shape be written to `out` at once? It must not hold what they are computed from. */
static bool gi_takes_results(const ga_array *out, ga_dtype dtype, int ndim, const int64_t *shape, const ga_array *a,
                             const ga_array *b)
{
    return out && out->alive == GI_ALIVE && out->device == a->device && out->dtype == dtype && ga_is_contiguous(out) &&
           gi_equal_shapes(ndim, shape, out->ndim, out->shape) && !ga_may_share_memory(out, a) && !ga_may_share_memory(out, b);
}

/* What all calls come to: `c` has ndim, result, offset and border; `dtype` is computed in, `result` returned. Takes over `weights`
   (NULL is passed on). */
static ga_array *gi_run_correlation(const char *site, const ga_array *a, ga_array *weights, ga_dtype dtype, ga_dtype result,
                                    gi_correlation *c, ga_method method, ga_array *out)
{
    const bool rounded = method == GA_METHOD_FFT && gi_kind_of(dtype) < 2;
    if (rounded) dtype = GA_F64;
    const bool straight = weights && dtype == result && gi_takes_results(out, dtype, c->ndim, c->result, a, weights);
    ga_array  *in = weights ? gi_contiguous(site, a, dtype) : NULL, *w = in ? gi_contiguous(site, weights, dtype) : NULL;
    ga_array  *r    = !w ? NULL : straight ? out : gi_new(site, dtype, a->device, c->ndim, c->result);
    bool       done = false;
#if GI_HAS_CUDA
    if (straight && !gi_cuda_touch(site, out)) r = NULL;
#endif
    if (r) {
        c->dtype   = dtype;
        c->in      = in->data;
        c->weights = w->data;
        c->out     = r->data;
        memcpy(c->shape, a->shape, sizeof c->shape);
        memcpy(c->size, w->shape, sizeof c->size);
        done = gi_correlate_by(site, method, w, c);
    }
    ga_free(in);
    ga_free(w);
    ga_free(weights);
    if (done && straight) return out;
    if (done && rounded) {
        ga_map_options o = gi_map_site(site);
        o.out            = r;
        done             = (ga_rint)(r, o) != NULL;
    } else if (done && gi_kind_of(result) < 2 && dtype == GA_F64) r = gi_cut_fractions(site, r);
    if (done) return gi_finish(site, r, result, out);
    if (!straight) ga_free(r);
    return NULL;
}

/* The elements in the opposite order along all axes and (or) conjugated: a new handle. */
static ga_array *gi_turn(const char *site, const ga_array *a, bool turned, bool conjugate)
{
    gi_layout l = gi_layout_of(a);
    for (int d = 0; d < a->ndim && turned; d++) gi_layout_flip(&l, d);
    ga_array *r = gi_view_with(site, a, &l);
    if (!r || !conjugate || !gi_is_complex(a->dtype)) return r;
    ga_array *c = (ga_conj)(r, gi_map_site(site));
    ga_free(r);
    return c;
}

static bool gi_check_mode(const char *site, ga_mode mode, ga_method method)
{
    if (mode < GA_MODE_DEFAULT || mode > GA_VALID)
        gi_fail(site, GA_BAD_ARGUMENT, ".mode = %d is none: use GA_FULL, GA_SAME or GA_VALID", (int)mode);
    else if (method < GA_METHOD_AUTO || method > GA_METHOD_FFT)
        gi_fail(site, GA_BAD_ARGUMENT, ".method = %d is none: use GA_METHOD_AUTO, GA_METHOD_DIRECT or GA_METHOD_FFT",
                (int)method);
    else return true;
    return false;
}

/* a and v of one of the calls of signal processing: on one device, of as many dimensions, with elements. */
static bool gi_check_pair(const char *site, const ga_array *a, const ga_array *v)
{
    const ga_array *both[2] = { a, v };
    if (gi_common_device(site, 2, both) == GA_DEVICE_DEFAULT) return false;
    if (a->ndim != v->ndim)
        gi_fail(site, GA_BAD_SHAPE, "a has shape %s and v %s: they must have as many dimensions", gi_shape_of(a),
                gi_shape_of(v));
    else if (a->size == 0 || v->size == 0)
        gi_fail(site, GA_BAD_SHAPE, "%s has no elements: its shape is %s", a->size == 0 ? "a" : "v",
                gi_shape_of(a->size == 0 ? a : v));
    else return true;
    return false;
}

/* Of all places where a and v overlap, which numbers along each axis are asked for: from first on, c->result of them. */
typedef struct gi_places {
    int64_t first[GPUARR_MAX_DIMS], count[GPUARR_MAX_DIMS];
} gi_places;

/* Those where one lies inside the other. False with an error if neither is at least as large as the other along all axes. */
static bool gi_place_valid(const char *site, const ga_array *a, const ga_array *v, gi_places *p)
{
    bool a_fits = true, v_fits = true;
    for (int d = 0; d < a->ndim; d++) {
        int64_t n = a->shape[d], m = v->shape[d];
        v_fits      = v_fits && n >= m;
        a_fits      = a_fits && m >= n;
        p->first[d] = (n < m ? n : m) - 1;
        p->count[d] = (n < m ? m - n : n - m) + 1;
    }
    if (v_fits || a_fits) return true;
    gi_fail(site, GA_BAD_SHAPE, "shapes %s and %s: with GA_VALID one must be at least as large as the other along every axis",
            gi_shape_of(a), gi_shape_of(v));
    return false;
}

/* The sums over the products of a and v with zeros around both. The smaller one becomes the weights. */
static ga_array *gi_overlap(const char *site, const ga_array *a, const ga_array *v, bool correlate, bool conjugate_a,
                            bool conjugate_v, const gi_places *p, ga_method method, ga_array *out)
{
    const bool      exchange = v->size > a->size; /* then the larger one is read the way that the weights would be */
    const ga_array *large = exchange ? v : a, *small = exchange ? a : v;
    const ga_dtype  dtype = ga_promote(a->dtype, v->dtype);
    ga_array       *in    = gi_turn(site, large, exchange && correlate, exchange ? conjugate_v : conjugate_a);
    ga_array       *w     = in ? gi_turn(site, small, exchange || !correlate, exchange ? conjugate_a : conjugate_v) : NULL;
    gi_correlation  c;
    memset(&c, 0, sizeof c);
    c.ndim   = a->ndim;
    c.border = GA_BORDER_CONSTANT;
    for (int d = 0; d < c.ndim; d++) {
        c.result[d] = p->count[d];
        c.offset[d] = p->first[d] - (small->shape[d] - 1);
    }
    ga_array *r = w ? gi_run_correlation(site, in, w, dtype, dtype, &c, method, out) : NULL;
    ga_free(in);
    return r;
}

/* numpy.convolve and numpy.correlate of lines, scipy.signal's of more dimensions. */
static ga_array *gi_convolve_lines(const ga_array *a, const ga_array *v, bool correlate, ga_mode mode,
                                   const ga_convolve_options *o)
{
    gi_places p;
    if (mode == GA_VALID && !gi_place_valid(o->site, a, v, &p)) return NULL;
    for (int d = 0; d < a->ndim && mode != GA_VALID; d++) {
        const int64_t n = a->shape[d], m = v->shape[d];
        const bool    exchange = a->ndim == 1 && n < m; /* NumPy's: as long as the longer one */
        p.first[d]             = mode == GA_FULL ? 0 : exchange && correlate ? n / 2 : (exchange ? n - 1 : m - 1) / 2;
        p.count[d]             = mode == GA_FULL ? n + m - 1 : exchange ? m : n;
    }
    return gi_overlap(o->site, a, v, correlate, false, correlate, &p, o->method, o->out);
}

static ga_array *gi_convolve_any(const ga_array *a, const ga_array *v, bool correlate, const ga_convolve_options *o)
{
    const char *site = o->site;
    if (!gi_check(site, a, "a") || !gi_check(site, v, "v") || gi_null_option(site, "out", o->out)) return NULL;
    if (!gi_check_mode(site, o->mode, o->method)) return NULL;
    const ga_shape one = { 1, { 1 } }; /* a number is a line of one */
    ga_array      *x   = a->ndim == 0 ? (ga_reshape)(a, one, site) : (ga_view)(a, site);
    ga_array      *y = !x ? NULL : v->ndim == 0 ? (ga_reshape)(v, one, site) : (ga_view)(v, site), *r = NULL;
    ga_mode        mode = o->mode != GA_MODE_DEFAULT ? o->mode : correlate && x && x->ndim == 1 ? GA_VALID : GA_FULL;
    if (y && gi_check_pair(site, x, y)) r = gi_convolve_lines(x, y, correlate, mode, o);
    ga_free(x);
    ga_free(y);
    return r;
}

ga_array *(ga_convolve)(const ga_array *a, const ga_array *v, ga_convolve_options o)
{
    return gi_convolve_any(a, v, false, &o);
}
ga_array *(ga_correlate)(const ga_array *a, const ga_array *v, ga_convolve_options o)
{
    return gi_convolve_any(a, v, true, &o);
}

static ga_array *gi_convolve_planes(const ga_array *a, const ga_array *v, bool correlate, const ga_convolve2d_options *o)
{
    const char *site = o->site;
    if (!gi_check(site, a, "a") || !gi_check(site, v, "v") || gi_null_option(site, "out", o->out)) return NULL;
    if (!gi_check_mode(site, o->mode, o->method)) return NULL;
    if (o->boundary < GA_BOUNDARY_FILL || o->boundary > GA_BOUNDARY_SYMM)
        return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT,
                                   ".boundary = %d is none: use GA_BOUNDARY_FILL, GA_BOUNDARY_WRAP or GA_BOUNDARY_SYMM",
                                   (int)o->boundary);
    if (!gi_check_pair(site, a, v)) return NULL;
    if (a->ndim != 2)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "a has shape %s: it must have 2 dimensions; ga_convolve takes any",
                                   gi_shape_of(a));
    gi_places p;
    if (o->mode == GA_VALID) {
        if (!gi_place_valid(site, a, v, &p)) return NULL;
        bool exchange = a->shape[0] < v->shape[0] || a->shape[1] < v->shape[1]; /* SciPy conjugates the second one then, too */
        return gi_overlap(site, a, v, correlate, correlate && exchange, correlate && !exchange, &p, o->method, o->out);
    }
    for (int d = 0; d < 2; d++) {
        const int64_t n = a->shape[d], m = v->shape[d];
        p.first[d] = o->mode != GA_SAME ? 0 : correlate ? m / 2 : (m - 1) / 2;
        p.count[d] = o->mode == GA_SAME ? n : n + m - 1;
    }
    if (o->boundary == GA_BOUNDARY_FILL && o->fillvalue == 0)
        return gi_overlap(site, a, v, correlate, false, correlate, &p, o->method, o->out);
    const ga_dtype dtype = ga_promote(a->dtype, v->dtype);
    gi_correlation c;
    memset(&c, 0, sizeof c);
    c.ndim   = 2;
    c.cval   = o->fillvalue;
    c.border = o->boundary == GA_BOUNDARY_FILL   ? GA_BORDER_CONSTANT
               : o->boundary == GA_BOUNDARY_WRAP ? GA_BORDER_WRAP
                                                 : GA_BORDER_REFLECT;
    for (int d = 0; d < 2; d++) {
        c.result[d] = p.count[d];
        c.offset[d] = p.first[d] - (v->shape[d] - 1);
    }
    return gi_run_correlation(site, a, gi_turn(site, v, !correlate, correlate), dtype, dtype, &c, o->method, o->out);
}

ga_array *(ga_convolve2d)(const ga_array *a, const ga_array *v, ga_convolve2d_options o)
{
    return gi_convolve_planes(a, v, false, &o);
}
ga_array *(ga_correlate2d)(const ga_array *a, const ga_array *v, ga_convolve2d_options o)
{
    return gi_convolve_planes(a, v, true, &o);
}

/* scipy.ndimage's: the weights have as many dimensions as a. */
static ga_array *gi_convolve_image(const ga_array *a, const ga_array *weights, bool convolve, const ga_ndconvolve_options *o)
{
    const char    *site     = o->site;
    const bool     complex_ = gi_is_complex(a->dtype) || gi_is_complex(weights->dtype);
    const ga_dtype result   = complex_ ? ga_promote(a->dtype, GA_C64) : a->dtype;
    gi_correlation c;
    memset(&c, 0, sizeof c);
    c.ndim   = a->ndim;
    c.border = o->border;
    c.cval   = o->cval;
    memcpy(c.result, a->shape, sizeof c.result);
    for (int d = 0; d < a->ndim; d++) {
        const int64_t n = weights->shape[d], given = gi_number_for(&o->origin, d);
        const int64_t origin = convolve ? -given - (n % 2 == 0) : given; /* of the weights in the opposite order */
        if (n == 0)
            return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "there are no weights: their shape is %s", gi_shape_of(weights));
        if (origin < -(n / 2) || origin > (n - 1) / 2)
            return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT, ".origin = %lld along axis %d: for %lld weights use %lld to %lld",
                                       (long long)given, d, (long long)n,
                                       (long long)(convolve ? -((n - 1) / 2) - (n % 2 == 0) : -(n / 2)),
                                       (long long)(convolve ? n / 2 - (n % 2 == 0) : (n - 1) / 2));
        c.offset[d] = -(n / 2) - origin;
    }
    return gi_run_correlation(site, a, gi_turn(site, weights, convolve, !convolve), gi_kind_of(result) < 2 ? GA_F64 : result,
                              result, &c, o->method, o->out);
}

static ga_array *gi_ndconvolve(const ga_array *a, const ga_array *weights, bool convolve, const ga_ndconvolve_options *o)
{
    const char     *site    = o->site;
    const ga_array *both[2] = { a, weights };
    if (!gi_check(site, a, "a") || !gi_check(site, weights, "weights") || gi_null_option(site, "out", o->out)) return NULL;
    if (!gi_check_border(site, o->border) || !gi_check_mode(site, GA_MODE_DEFAULT, o->method) ||
        gi_common_device(site, 2, both) == GA_DEVICE_DEFAULT)
        return NULL;
    if (a->ndim != weights->ndim || a->ndim == 0)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE,
                                   "weights of shape %s do not fit an array of shape %s: give as many dimensions, at least one",
                                   gi_shape_of(weights), gi_shape_of(a));
    return gi_fits_axes(site, "origin", &o->origin, a->ndim) ? gi_convolve_image(a, weights, convolve, o) : NULL;
}

ga_array *(ga_ndconvolve)(const ga_array *a, const ga_array *weights, ga_ndconvolve_options o)
{
    return gi_ndconvolve(a, weights, true, &o);
}

ga_array *(ga_ndcorrelate)(const ga_array *a, const ga_array *weights, ga_ndconvolve_options o)
{
    return gi_ndconvolve(a, weights, false, &o);
}

/* Along one axis: weights of length 1 along all others. */
static ga_array *gi_convolve_axis(const ga_array *a, const ga_array *weights, bool convolve, const ga_convolve1d_options *o)
{
    const char *site = o->site;
    if (!gi_check(site, a, "a") || !gi_check(site, weights, "weights") || gi_null_option(site, "out", o->out)) return NULL;
    int axis = gi_axis(site, gi_axis_given(site, o->axis) ? o->axis : -1, a->ndim);
    if (axis < 0) return NULL;
    if (weights->ndim != 1)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "weights has shape %s: give a line of them, with one dimension",
                                   gi_shape_of(weights));
    ga_shape across, origin;
    memset(&across, 0, sizeof across);
    memset(&origin, 0, sizeof origin);
    across.ndim = origin.ndim = a->ndim;
    for (int d = 0; d < a->ndim; d++) across.n[d] = d == axis ? weights->shape[0] : 1;
    origin.n[axis]           = o->origin;
    ga_ndconvolve_options nd = { site, o->border, o->cval, origin, o->method, o->out };
    ga_array             *w = (ga_reshape)(weights, across, site), *r = w ? gi_ndconvolve(a, w, convolve, &nd) : NULL;
    ga_free(w);
    return r;
}

ga_array *(ga_convolve1d)(const ga_array *a, const ga_array *weights, ga_convolve1d_options o)
{
    return gi_convolve_axis(a, weights, true, &o);
}

ga_array *(ga_correlate1d)(const ga_array *a, const ga_array *weights, ga_convolve1d_options o)
{
    return gi_convolve_axis(a, weights, false, &o);
}

/* ==== >>filters: neighbourhoods, by order and by weights ============================================================== */

/* ---- windows: the least, the one of a rank, the mean ---------------------------------------------------------------- */
/*  out[i] is made of in[i + k + offset] for all k in a window: a box, or the true elements of a footprint. What is compared are keys
    (gpuarr_cpu.h, >>windows), so that every way of comparing has the same result; -0 comes before +0, and a NaN in the window
    gives NaN. A tile of results is computed from a packed copy of all elements that it needs:
      least, mean   along one axis after the other: of 1, 2, 4 ... elements, each from two of those before, for the whole tile at once;
                    the greatest is the least of the opposite order
      rank          by a network of minima and maxima of rows, made for this window: the elements above each other are sorted, then
                    sorted columns that lie side by side are merged; a row does so for all its positions at once
                    or, in a large window: the elements of the tile are numbered in their order, and the window is a set of bits that
                    moves along a line                                                                                        */

typedef enum gi_window_kind { GI_WINDOW_RANK, GI_WINDOW_LEAST, GI_WINDOW_GREATEST, GI_WINDOW_MEAN } gi_window_kind;

typedef struct gi_window {
    gi_correlation at; /* in, its dtype, out, their shape (also as result), the window's size, offset, border, cval */
    gi_window_kind kind;
    const bool    *footprint; /* which elements of the box belong to it, packed; NULL: all */
    int64_t        count, rank;
    gi_keys        keys;
    ga_dtype       work, result; /* means are computed in `work`; the dtype of out */
    bool           cut;          /* means lose their fractions */
} gi_window;

#if GI_HAS_CUDA
static bool gi_cuda_window(const char *site, const ga_array *a, const gi_window *w);
#endif

/* Networks. */

enum { GI_MOST_STEPS = 4096, GI_MOST_SORTED = 256 }; /* steps of a network; elements of a sorted list */

typedef struct gi_row_from { /* a row of keys, from its element `at` on */
    int row, at;
} gi_row_from;

typedef struct gi_sorted_rows { /* ascending */
    int         n;
    gi_row_from e[GI_MOST_SORTED];
} gi_sorted_rows;

/* A network while it is made. Each step has two rows of its own; gi_pack_network lets them take turns. */
typedef struct gi_network {
    int             inputs, rows, count;
    gi_network_step steps[GI_MOST_STEPS];
    gi_row_from     result;
    int             reach[GI_MOST_STEPS * 3]; /* of each row: how many elements more than results it needs, -1 none at all */
    int             place[GI_MOST_STEPS * 3]; /* of each row: where it lies, and the last step that reads it */
    int             last[GI_MOST_STEPS * 3];
} gi_network;

static void gi_compare(gi_network *net, gi_row_from a, gi_row_from b, gi_row_from *low, gi_row_from *high)
{
    const gi_network_step step = { a.row, b.row, net->rows, net->rows + 1, a.at, b.at, 0 };
    net->steps[net->count++]   = step;
    low->row                   = net->rows++;
    high->row                  = net->rows++;
    low->at = high->at = 0;
}

/* Batcher's odd-even merge. */
static void gi_merge(gi_network *net, const gi_sorted_rows *a, const gi_sorted_rows *b, gi_sorted_rows *out)
{
    gi_sorted_rows half[2], *even = &half[0], *odd = &half[1];
    out->n = a->n + b->n;
    if (a->n == 0 || b->n == 0) {
        memcpy(out->e, a->n ? a->e : b->e, (size_t)out->n * sizeof *out->e);
        return;
    }
    if (out->n == 2) {
        gi_compare(net, a->e[0], b->e[0], &out->e[0], &out->e[1]);
        return;
    }
    for (int k = 0; k < 2; k++) {
        gi_sorted_rows part[2];
        part[0].n = part[1].n = 0;
        for (int i = k; i < a->n; i += 2) part[0].e[part[0].n++] = a->e[i];
        for (int i = k; i < b->n; i += 2) part[1].e[part[1].n++] = b->e[i];
        gi_merge(net, &part[0], &part[1], &half[k]);
    }
    out->e[0] = even->e[0];
    for (int i = 1; i < out->n; i += 2) { /* what is left over has no partner */
        int k = i / 2;
        if (k >= odd->n) out->e[i] = even->e[k + 1];
        else if (k + 1 >= even->n) out->e[i] = odd->e[k];
        else gi_compare(net, odd->e[k], even->e[k + 1], &out->e[i], &out->e[i + 1]);
    }
}

static void gi_sort_operands(gi_network *net, int n, const gi_row_from *e, gi_sorted_rows *out)
{
    gi_sorted_rows a, b;
    out->n    = n;
    out->e[0] = e[0];
    if (n < 2) return;
    gi_sort_operands(net, n / 2, e, &a);
    gi_sort_operands(net, n - n / 2, e + n / 2, &b);
    gi_merge(net, &a, &b, out);
}

/* The elements of a window of `columns` columns and of the one beside it. */
static void gi_merge_beside(gi_network *net, const gi_sorted_rows *a, int columns, const gi_sorted_rows *beside,
                            gi_sorted_rows *out)
{
    gi_sorted_rows b = *beside;
    for (int i = 0; i < b.n; i++) b.e[i].at += columns;
    gi_merge(net, a, &b, out);
}

/* So many neighbouring columns, of which each is the sorted list `column`. Besides each list there is one of one column more, from
   which lists of twice as many and of one more than that are made. */
static void gi_sort_columns(gi_network *net, const gi_sorted_rows *column, int columns, gi_sorted_rows *out)
{
    gi_sorted_rows more, next;
    int            bit = 0;
    while (columns >> (bit + 1)) bit++;
    *out = *column;
    if (bit > 0) gi_merge_beside(net, column, 1, column, &more);
    for (int have = 1; bit > 0; have = columns >> bit) {
        bool odd = columns >> --bit & 1;
        if (odd) gi_merge_beside(net, &more, have + 1, out, &next);
        else gi_merge_beside(net, out, have, out, &next);
        if (bit > 0) {
            const gi_sorted_rows old = more;
            gi_merge_beside(net, &old, have + 1, odd ? &old : out, &more);
        }
        *out = next;
    }
}

/* The element of a rank in two lists together: the least of what is greater in each way to take rank + 1 elements from their fronts. */
static gi_row_from gi_select_operand(gi_network *net, const gi_sorted_rows *a, const gi_sorted_rows *b, int rank)
{
    gi_row_from best = { -1, 0 }, unused;
    for (int i = 0; i <= a->n && i <= rank + 1; i++) {
        int j = rank + 1 - i;
        if (j > b->n) continue;
        gi_row_from greater = i > 0 ? a->e[i - 1] : b->e[j - 1];
        if (i > 0 && j > 0) gi_compare(net, a->e[i - 1], b->e[j - 1], &unused, &greater);
        if (best.row < 0) best = greater;
        else gi_compare(net, best, greater, &best, &unused);
    }
    return best;
}

/* Leaves out what the result does not need, and lets rows be used again when nobody reads them any more. */
static void gi_pack_network(gi_network *net)
{
    int count = 0, ready = 0, *reach = net->reach, *last = net->last, *place = net->place, *spare = reach;
    for (int r = 0; r < net->rows; r++) reach[r] = last[r] = -1;
    reach[net->result.row] = net->result.at;
    for (int k = net->count - 1; k >= 0; k--) {
        gi_network_step *s    = &net->steps[k];
        int              more = reach[s->low] > reach[s->high] ? reach[s->low] : reach[s->high];
        s->reach              = more;
        if (more < 0) continue;
        if (reach[s->low] < 0) s->low = -1;
        if (reach[s->high] < 0) s->high = -1;
        if (reach[s->a] < more + s->at_a) reach[s->a] = more + s->at_a;
        if (reach[s->b] < more + s->at_b) reach[s->b] = more + s->at_b;
    }
    for (int k = 0; k < net->count; k++)
        if (net->steps[k].reach >= 0) net->steps[count++] = net->steps[k];
    net->count = count;
    for (int k = 0; k < count; k++) last[net->steps[k].a] = last[net->steps[k].b] = k;
    last[net->result.row] = count;
    net->rows             = net->inputs;
    for (int r = 0; r < net->inputs; r++) place[r] = r;
    for (int k = 0; k < count; k++) {
        gi_network_step *s       = &net->steps[k];
        int             *made[2] = { &s->low, &s->high };
        int              read[2] = { s->a, s->b };
        for (int i = 0; i < 2; i++) {
            if (*made[i] < 0) continue;
            place[*made[i]] = ready > 0 ? spare[--ready] : net->rows++;
            *made[i]        = place[*made[i]];
        }
        s->a = place[s->a];
        s->b = place[s->b];
        for (int i = 0; i < 2; i++)
            if (read[i] >= net->inputs && last[read[i]] == k && (i == 0 || read[0] != read[1])) spare[ready++] = place[read[i]];
    }
    net->result.row = place[net->result.row];
}

/* Tiles. */

enum {
    GI_ROW_BYTES      = 8192,  /* of a tile's row, at least; half a page and less would be read in no order that is foreseen */
    GI_TILE_MOST      = 65536, /* bytes of a tile */
    GI_NETWORK_BYTES  = 20480, /* of a network's rows */
    GI_SLIDE_ELEMENTS = 16384  /* that are numbered at once */
};

/* How the CPU does it. Every tile has the same extent; what lies beyond the end of the results is computed and thrown away. */
typedef struct gi_window_plan {
    const gi_window *w;
    int64_t          extent[GPUARR_MAX_DIMS], whole[GPUARR_MAX_DIMS]; /* results of a tile; elements that they need */
    int64_t          stride[GPUARR_MAX_DIMS], elements;               /* in the packed tile */
    int64_t          tiles, parts;
    bool (*run)(const struct gi_window_plan *p, const int64_t *start, int64_t kept,
                char *scratch);    /* is the tile still there? */
    gi_stream              stream; /* how results go past the caches; NULL: they do not */
    const gi_window_loops *loops;
    char                  *scratch;
    size_t                 scratch_bytes;         /* of a part */
    void (*median)(int64_t n, char *const *rows); /* in place of a network's steps */
    gi_network *net;
    int64_t     row_bytes; /* of a network */
    int64_t    *rows;      /* where the window's rows lie in the tile; behind that, the slide's positions */
    size_t      rows_bytes;
    int         axis; /* along which the window slides */
    gi_slide    slide;
} gi_window_plan;

/* Loops that compute by 64 bytes read behind the end. */
static int64_t gi_roomy(int64_t bytes) { return gi_padded(bytes + 2 * GI_ALIGN); }

/* The number of a position in a box of these lengths, and back. */
static void gi_unravel(int64_t number, int ndim, const int64_t *lengths, int64_t *at)
{
    for (int d = ndim - 1; d >= 0; d--) {
        at[d] = number % lengths[d];
        number /= lengths[d];
    }
}

static int64_t gi_offset_at(int ndim, const int64_t *at, const int64_t *strides)
{
    int64_t sum = 0;
    for (int d = 0; d < ndim; d++) sum += at[d] * strides[d];
    return sum;
}

/* The packed tile has the neighbours along the first so many axes. */
static void gi_lay_tile(gi_window_plan *p, int axes)
{
    p->elements = 1;
    for (int d = p->w->at.ndim - 1; d >= 0; d--) {
        p->whole[d]  = p->extent[d] + (d < axes ? p->w->at.size[d] - 1 : 0);
        p->stride[d] = p->elements;
        p->elements *= p->whole[d];
    }
}

/* Tiles as large as the window, with rows of at least `row` elements, and from there on twice as long where the neighbours weigh most, up
   to `most` elements. */
static void gi_choose_tiles(gi_window_plan *p, int64_t row, int64_t most)
{
    const gi_correlation *c = &p->w->at;
    for (int d = 0; d < c->ndim; d++) {
        p->extent[d] = d == c->ndim - 1 && row > c->size[d] ? row : c->size[d];
        if (p->extent[d] > c->result[d]) p->extent[d] = c->result[d];
    }
    for (;;) {
        int     longest  = -1;
        double  weight   = -1;
        int64_t elements = 1;
        for (int d = 0; d < c->ndim; d++) {
            double here = (double)(c->size[d] - 1) / (double)p->extent[d];
            if (p->extent[d] < c->result[d] && here >= weight) longest = d;
            if (longest == d) weight = here;
        }
        if (longest < 0) break;
        for (int d = 0; d < c->ndim; d++) elements *= p->extent[d] * (d == longest ? 2 : 1) + c->size[d] - 1;
        if (elements > most) break;
        p->extent[longest] *= 2;
    }
    p->tiles = 1;
    for (int d = 0; d < c->ndim; d++) { /* all of about the same length */
        int64_t tiles = (c->result[d] + p->extent[d] - 1) / p->extent[d];
        p->extent[d]  = (c->result[d] + tiles - 1) / tiles;
        if (d == c->ndim - 1 && tiles > 1) p->extent[d] = gi_padded(p->extent[d]);
        p->tiles *= (c->result[d] + p->extent[d] - 1) / p->extent[d];
    }
    gi_lay_tile(p, c->ndim);
}

/* Row number `row` of a tile, with all its neighbours along the last axis. */
static void gi_load_row(const gi_window_plan *p, const int64_t *start, int64_t row, char *to)
{
    const gi_correlation *c    = &p->w->at;
    int                   last = c->ndim - 1;
    int64_t               at[GPUARR_MAX_DIMS];
    char                  constant[16];
    gi_number_to(GA_ARG(c->cval), c->dtype, constant);
    gi_unravel(row, last, p->whole, at);
    for (int d = 0; d < last; d++) at[d] += start[d] + c->offset[d];
    gi_read_bordered(c, at, start[last] + c->offset[last], p->extent[last] + c->size[last] - 1, constant, to);
}

/* Row number `row` of the results of a tile goes where it belongs, unless it is beyond the end. */
static void gi_store_row(const gi_window_plan *p, const int64_t *start, int64_t row, const void *results)
{
    const gi_window      *w       = p->w;
    static const gi_ahead nothing = { 0, { NULL }, { 0 } };
    int                   last    = w->at.ndim - 1;
    int64_t               at[GPUARR_MAX_DIMS], to = 0, n = w->at.result[last] - start[last];
    gi_unravel(row, last, p->extent, at);
    for (int d = 0; d < last; d++) {
        if (start[d] + at[d] >= w->at.result[d]) return;
        to = to * w->at.result[d] + start[d] + at[d];
    }
    to = to * w->at.result[last] + start[last];
    if (n > p->extent[last]) n = p->extent[last];
    char *out = (char *)w->at.out + to * ga_itemsize(w->result);
    if (p->stream) p->stream(out, results, n * ga_itemsize(w->result), &nothing);
    else gi_cast(w->result, w->work, n, out, results);
}

/* The results lie in a packed tile: they become elements, and go where they belong. */
static void gi_store_tile(const gi_window_plan *p, const int64_t *start, char *tile)
{
    int     last = p->w->at.ndim - 1;
    int64_t rows = gi_size(last, p->extent), at[GPUARR_MAX_DIMS];
    for (int64_t row = 0; row < rows; row++) {
        gi_unravel(row, last, p->extent, at);
        char *results = tile + gi_offset_at(last, at, p->stride) * ga_itemsize(p->w->work);
        if (p->w->kind != GI_WINDOW_MEAN) p->loops->from_keys(&p->w->keys, p->extent[last], results);
        gi_store_row(p, start, row, results);
    }
}

/* Boxes. */

/* The least of `size` neighbours that lie so many elements apart, for n of them; of 1, 3, 9 ... which may overlap. The places take turns;
   returns in which of them, or at `from`, the result is. */
static char *gi_least_along(const gi_window_plan *p, int64_t n, int64_t size, int64_t apart, char *from, char *place,
                            char *other)
{
    int64_t bytes = apart * ga_itemsize(p->w->work);
    for (int64_t have = 1, more; have < size; have = more) {
        more           = have * 3 < size ? have * 3 : size;
        int64_t second = more - have < have ? more - have : have;
        p->loops->least(n - (more - have) * apart, place, from, from + second * bytes, from + (more - have) * bytes);
        n -= (more - have) * apart;
        from  = place;
        place = other;
        other = from;
    }
    return from;
}

/* The first rows of a tile that has moved by its extent along the first axis are the last ones of the one before; returns their number. */
static int64_t gi_keep_rows(const gi_window_plan *p, int64_t kept, char *tile)
{
    int64_t slab = p->stride[0] * ga_itemsize(p->w->work);
    memmove(tile, tile + p->extent[0] * slab, (size_t)(kept * slab));
    return kept * (p->stride[0] / p->whole[p->w->at.ndim - 1]);
}

/* Along the last axis row by row as they are read, then along the others all rows at once. */
static bool gi_run_least(const gi_window_plan *p, const int64_t *start, int64_t kept, char *scratch)
{
    const gi_window *w    = p->w;
    int              last = w->at.ndim - 1;
    int64_t          size = ga_itemsize(w->work), n = p->elements, length = p->extent[last] + w->at.size[last] - 1,
            bytes = gi_roomy(n * size);
    char *tile = scratch, *places[2] = { tile + bytes, tile + 2 * bytes }, *row = tile + 3 * bytes,
         *other = row + gi_roomy(length * size);
    for (int64_t r = gi_keep_rows(p, kept, tile); r < n / p->extent[last]; r++) {
        gi_load_row(p, start, r, row);
        p->loops->to_keys(&w->keys, length, row);
        memcpy(tile + r * p->extent[last] * size, gi_least_along(p, length, w->at.size[last], 1, row, other, row),
               (size_t)(p->extent[last] * size));
    }
    for (int d = 0; d < last; d++) {
        tile = gi_least_along(p, n, w->at.size[d], p->stride[d], tile, places[tile == places[0]], places[tile != places[0]]);
        if (d == 0) n -= (w->at.size[0] - 1) * p->stride[0];
    }
    gi_store_tile(p, start, tile);
    return true;
}

/* Elements of the tile that lie outside of the array along an axis become cval. */
static void gi_fill_outside(const gi_window_plan *p, const int64_t *start, int d, char *tile)
{
    const gi_correlation *c    = &p->w->at;
    int64_t               size = ga_itemsize(p->w->work), block = p->stride[d], first = start[d] + c->offset[d];
    char                  constant[16];
    gi_number_to(GA_ARG(c->cval), p->w->work, constant);
    for (int64_t k = 0; k < p->elements / block; k++) {
        int64_t i = first + k % p->whole[d];
        if (i >= 0 && i < c->shape[d]) continue;
        for (int64_t j = 0; j < block; j++) memcpy(tile + (k * block + j) * size, constant, (size_t)size);
    }
}

/* to[i] = from[i] + more[i + distance] */
static void gi_add_tile(const gi_window_plan *p, int64_t n, int64_t distance, char *to, const char *from, const char *more)
{
    gi_cpu_kernel(GA_OP_add, p->w->work)(n - distance, to, from, more + distance * ga_itemsize(p->w->work), NULL);
}

/* Of three tiles, the one that is neither of these. */
static char *gi_spare_tile(const gi_window_plan *p, char *scratch, const char *a, const char *b)
{
    while (scratch == a || scratch == b) scratch += gi_roomy(p->elements * ga_itemsize(p->w->work));
    return scratch;
}

/* Sums become means; those of integers are cut off, as they are stored between the axes. */
static void gi_divide_tile(const gi_window_plan *p, int64_t n, char *tile, int64_t by)
{
    ga_dtype  work   = p->w->work;
    gi_kernel divide = gi_cpu_kernel(GA_OP_divide, work), cut = p->w->cut ? gi_cpu_kernel(GA_OP_trunc, work) : NULL;
    double    number[GI_TILE];
    for (int64_t i = 0; i < GI_TILE; i++) gi_number_to(GA_ARG(by), work, (char *)number + i * ga_itemsize(work));
    for (int64_t i = 0; i < n; i += GI_TILE) {
        int64_t m  = n - i < GI_TILE ? n - i : GI_TILE;
        char   *at = tile + i * ga_itemsize(work);
        divide(m, at, at, number, NULL);
        if (cut) cut(m, at, at, NULL, NULL);
    }
}

/* A sum is made of the sums of 1, 2, 4 ... elements that its length is made of, in this order; each of those is the sum of its halves. */
static bool gi_run_mean(const gi_window_plan *p, const int64_t *start, int64_t kept, char *scratch)
{
    const gi_correlation *c = &p->w->at;
    int64_t               n = p->elements, size = ga_itemsize(p->w->work), length = p->whole[c->ndim - 1];
    char                 *tile = scratch, *raw = gi_spare_tile(p, scratch, tile, NULL);
    for (int64_t row = 0; row < n / length; row++) {
        gi_load_row(p, start, row, raw);
        gi_cast(p->w->work, c->dtype, length, tile + row * length * size, raw);
    }
    for (int d = 0; d < c->ndim; d++) {
        if (c->border == GA_BORDER_CONSTANT) gi_fill_outside(p, start, d, tile);
        char   *sum   = NULL;
        int64_t added = 0;
        for (int64_t have = 1; have <= c->size[d]; have *= 2) {
            if (c->size[d] & have) {
                char *more = gi_spare_tile(p, scratch, tile, sum);
                if (sum) gi_add_tile(p, n, added * p->stride[d], more, sum, tile);
                sum = sum ? more : tile;
                added += have;
            }
            if (have * 2 > c->size[d]) break;
            char *twice = gi_spare_tile(p, scratch, tile, sum);
            gi_add_tile(p, n, have * p->stride[d], twice, tile, tile);
            tile = twice;
        }
        tile = sum;
        if (d == 0) n -= (c->size[0] - 1) * p->stride[0];
        if (c->size[d] > 1) gi_divide_tile(p, n, tile, c->size[d]);
    }
    gi_store_tile(p, start, tile);
    (void)kept;
    return false;
}

/* A tile of keys. Is there a NaN? */
static bool gi_load_keys(const gi_window_plan *p, const int64_t *start, int64_t kept, char *tile)
{
    int64_t length = p->whole[p->w->at.ndim - 1], size = ga_itemsize(p->w->work);
    bool    nan = false;
    for (int64_t row = gi_keep_rows(p, kept, tile); row < p->elements / length; row++) {
        char *to = tile + row * length * size;
        gi_load_row(p, start, row, to);
        nan = p->loops->to_keys(&p->w->keys, length, to) || nan;
    }
    return nan;
}

/* Ranks by networks. */

/* The network of a box sorts the elements above each other and merges such columns; that of a footprint sorts all elements at once.
   False: the window is too large for a network. */
static bool gi_make_network(const gi_window *w, gi_network *net)
{
    const gi_correlation *c     = &w->at;
    int                   width = (int)c->size[c->ndim - 1], rows = (int)(w->count / width), n = 0;
    bool                  sort = w->kind == GI_WINDOW_RANK, box = !w->footprint && width > 1;
    gi_row_from           e[GI_MOST_SORTED], least              = { -1, 0 }, unused;
    gi_sorted_rows        column, a, b;
    if (w->count > (sort ? GI_MOST_SORTED : GI_MOST_STEPS)) return false;
    rows        = (int)gi_size(c->ndim - 1, c->size);
    e[0]        = least;
    net->count  = 0;
    net->inputs = net->rows = rows;
    for (int64_t k = 0; k < (int64_t)rows * width; k += box ? width : 1) {
        const gi_row_from element = { (int)(k / width), (int)(k % width) };
        if (w->footprint && !w->footprint[k]) continue;
        if (sort) e[n++] = element;
        else if (least.row < 0) least = element;
        else gi_compare(net, least, element, &least, &unused);
    }
    if (!sort && net->count == 0) gi_compare(net, least, least, &least, &unused); /* the result is no row of the tile itself */
    net->result = least;
    if (sort && box) { /* two halves, or all columns but one, and that one */
        int columns = width % 2 ? width - 1 : width / 2;
        gi_sort_operands(net, n, e, &column);
        gi_sort_columns(net, &column, columns, &a);
        b = width % 2 ? column : a;
        for (int i = 0; i < b.n; i++) b.e[i].at += columns;
    } else if (sort) {
        gi_sort_operands(net, n / 2, e, &a);
        gi_sort_operands(net, n - n / 2, e + n / 2, &b);
    }
    if (sort) net->result = gi_select_operand(net, &a, &b, (int)w->rank);
    gi_pack_network(net);
    return true;
}

static void gi_slide_tile(const gi_window_plan *p, const int64_t *start, char *scratch);

static bool gi_run_network(const gi_window_plan *p, const int64_t *start, int64_t kept, char *scratch)
{
    const gi_window *w    = p->w;
    int              last = w->at.ndim - 1;
    int64_t          size = ga_itemsize(w->work), at[GPUARR_MAX_DIMS];
    char            *tile = scratch, *more = scratch + gi_roomy(p->elements * size), **rows = (char **)(void *)more;
    if (gi_load_keys(p, start, kept, tile) && w->kind == GI_WINDOW_RANK) {
        gi_slide_tile(p, start, scratch); /* that counts the NaNs of a window */
        return false;
    }
    more += gi_roomy(p->net->rows * (int64_t)sizeof *rows);
    for (int k = p->net->inputs; k < p->net->rows; k++) rows[k] = more + (k - p->net->inputs) * p->row_bytes;
    for (int64_t row = 0; row < gi_size(last, p->extent); row++) {
        gi_unravel(row, last, p->extent, at);
        for (int k = 0; k < p->net->inputs; k++) rows[k] = tile + (gi_offset_at(last, at, p->stride) + p->rows[k]) * size;
        if (p->median) p->median(p->extent[last], rows);
        else p->loops->run_steps(p->net->steps, p->net->count, rows, p->extent[last]);
        char *result = rows[p->net->result.row];
        p->loops->from_keys(&w->keys, p->extent[last], result);
        gi_store_row(p, start, row, result);
    }
    return true;
}

/* Ranks by sets of bits. */

GI_BEGIN_FAST
/* Compiled for each size of a key. Records of unsigned keys and their places, 32 bits each, or 64. */
GI_FORMULA void gi_make_records(int64_t n, const char *keys, uint64_t *records, int size)
{
    for (int64_t i = 0; i < n; i++) {
        uint64_t key = 0;
        memcpy(&key, keys + i * size, (size_t)size);
        if (size == 8) records[2 * i] = (uint64_t)i, records[2 * i + 1] = key;
        else records[i] = key << 32 | (uint64_t)i;
    }
}

/* The keys with these numbers go to every `step`-th place. */
GI_FORMULA void gi_place_keys(int64_t n, const uint32_t *numbers, const uint64_t *records, int64_t step, char *to, int size)
{
    for (int64_t i = 0; i < n; i++) {
        uint64_t key = size == 8 ? records[2 * (int64_t)numbers[i] + 1] : records[numbers[i]] >> 32;
        memcpy(to + i * step * size, &key, (size_t)size);
    }
}

static void gi_find_numbers(int64_t n, const uint64_t *records, int size, uint32_t *numbers)
{
    if (size == 8)
        for (int64_t i = 0; i < n; i++) numbers[records[2 * i]] = (uint32_t)i;
    else
        for (int64_t i = 0; i < n; i++) numbers[(uint32_t)records[i]] = (uint32_t)i;
}
GI_END_FAST

/* A sort of the keys in the tile, then lines. */
static void gi_slide_tile(const gi_window_plan *p, const int64_t *start, char *scratch)
{
    const gi_window *w    = p->w;
    int              size = (int)ga_itemsize(w->work), ndim = w->at.ndim, record = size == 8 ? 16 : 8;
    int64_t          n = p->elements, step = p->stride[p->axis], length = p->extent[p->axis], at[GPUARR_MAX_DIMS];
    gi_slide         s    = p->slide;
    const gi_keys    sign = { size > 2 ? (uint64_t)1 << (8 * size - 1) : 0, false, 0 }; /* so that all keys are unsigned */
    char            *tile = scratch, *memory = tile + gi_roomy(n * size), *spare = memory + gi_roomy(n * record);
    int64_t         *places  = (int64_t *)(void *)(spare + gi_roomy(n * record));
    uint32_t        *numbers = (uint32_t *)(void *)(places + gi_radix_chunks(n) * GI_DIGITS), *found = numbers + n;
    uint64_t        *records = (uint64_t *)(void *)memory;
    s.bits                   = (uint64_t *)(void *)(found + length + (n + length) % 2);
    s.words                  = (n + 63) / 64;
    p->loops->from_keys(&sign, n, tile);
    switch (size) {
    case 1: gi_make_records(n, tile, records, 1); break;
    case 2: gi_make_records(n, tile, records, 2); break;
    case 4: gi_make_records(n, tile, records, 4); break;
    default: gi_make_records(n, tile, records, 8); break;
    }
    records = (uint64_t *)(void *)gi_sort_records(memory, spare, n, record, record / 2, size, places);
    gi_find_numbers(n, records, size, numbers);
    s.first_nan = (uint32_t)n;
    if (w->keys.real && w->kind == GI_WINDOW_RANK) /* their key is the greatest */
        while (s.first_nan > 0 &&
               (size == 8 ? records[2 * s.first_nan - 1] == UINT64_MAX : records[s.first_nan - 1] >> 32 == UINT32_MAX))
            s.first_nan--;
    int64_t lines[GPUARR_MAX_DIMS];
    memcpy(lines, p->extent, sizeof lines);
    lines[p->axis] = 1;
    for (int64_t line = 0; line < gi_size(ndim, lines); line++) {
        gi_unravel(line, ndim, lines, at);
        int64_t first = gi_offset_at(ndim, at, p->stride);
        gi_cpu_slide(&s, numbers + first, step, length, found);
        char *to = tile + first * size;
        switch (size) {
        case 1: gi_place_keys(length, found, records, step, to, 1); break;
        case 2: gi_place_keys(length, found, records, step, to, 2); break;
        case 4: gi_place_keys(length, found, records, step, to, 4); break;
        default: gi_place_keys(length, found, records, step, to, 8); break;
        }
    }
    p->loops->from_keys(&sign, n, tile);
    gi_store_tile(p, start, tile);
}

static bool gi_run_slide(const gi_window_plan *p, const int64_t *start, int64_t kept, char *scratch)
{
    gi_load_keys(p, start, kept, scratch);
    gi_slide_tile(p, start, scratch);
    return false;
}

/* Where the elements of the window lie in the tile, and which of them have none before and none behind them along an axis; with a NULL
   they are only counted. */
static void gi_list_window(const gi_window *w, const int64_t *stride, int axis, gi_slide *s, int64_t *positions)
{
    const gi_correlation *c   = &w->at;
    int64_t               all = gi_size(c->ndim, c->size), apart = 1, count = 0, first = 0, last = 0, at[GPUARR_MAX_DIMS];
    for (int d = axis + 1; d < c->ndim; d++) apart *= c->size[d];
    int64_t *leaving = positions ? positions + s->count : NULL, *entering = positions ? leaving + s->edges : NULL;
    for (int64_t k = 0; k < all; k++) {
        if (w->footprint && !w->footprint[k]) continue;
        gi_unravel(k, c->ndim, c->size, at);
        int64_t place = gi_offset_at(c->ndim, at, stride);
        bool    begin = at[axis] == 0 || (w->footprint && !w->footprint[k - apart]);
        bool    end   = at[axis] == c->size[axis] - 1 || (w->footprint && !w->footprint[k + apart]);
        if (positions) positions[count] = place;
        if (positions && begin) leaving[first] = place;
        if (positions && end) entering[last] = place;
        count++;
        first += begin;
        last += end;
    }
    s->count    = count;
    s->edges    = first;
    s->window   = positions;
    s->leaving  = leaving;
    s->entering = entering;
}

/* The whole on the CPU. */

/* Nanoseconds for a result, roughly. */
static double gi_network_cost(const gi_network *net, int64_t size)
{
    double results = 4;
    for (int k = 0; k < net->count; k++) results += (net->steps[k].low >= 0) + (net->steps[k].high >= 0);
    return results * (double)size / 32 * (size == 8 ? 0.7 : 0.5);
}

static double gi_slide_cost(const gi_window_plan *p, int64_t size)
{
    return 10 + 2.5 * (double)p->slide.edges +
           (4 + 3 * (double)size) * (double)p->elements / (double)gi_size(p->w->at.ndim, p->extent);
}

/* A unit is a part of the tiles, which go along the first axis as far as possible. */
static void gi_window_parts(int64_t begin, int64_t end, void *job)
{
    const gi_window_plan *p = (const gi_window_plan *)job;
    const gi_correlation *c = &p->w->at;
    int64_t               tiles[GPUARR_MAX_DIMS], start[GPUARR_MAX_DIMS];
    for (int d = 0; d < c->ndim; d++) tiles[d] = (c->result[d] + p->extent[d] - 1) / p->extent[d];
    for (int64_t part = begin; part < end; part++) {
        bool there = false;
        for (int64_t tile = p->tiles * part / p->parts; tile < p->tiles * (part + 1) / p->parts; tile++) {
            gi_unravel(tile / tiles[0], c->ndim - 1, tiles + 1, start + 1);
            start[0] = tile % tiles[0];
            there    = there && start[0] > 0 && c->ndim > 1;
            for (int d = 0; d < c->ndim; d++) start[d] *= p->extent[d];
            there = p->run(p, start, there ? c->size[0] - 1 : 0, p->scratch + (size_t)part * p->scratch_bytes);
        }
    }
    if (p->stream) gi_stream_end();
}

static int64_t gi_slide_bytes(int64_t n, int64_t size, int64_t length)
{
    return gi_roomy(n * size) + 2 * gi_roomy(n * (size == 8 ? 16 : 8)) +
           (gi_radix_chunks(n) * GI_DIGITS + (n + length + 1) / 2 + n / 64 + 1) * (int64_t)sizeof(int64_t);
}

/* Is it the median of a box of n rows of n elements? */
static bool gi_is_median_of(const gi_window *w, int64_t n)
{
    return w->kind == GI_WINDOW_RANK && !w->footprint && w->at.size[w->at.ndim - 1] == n && w->count == n * n &&
           w->rank == w->count / 2;
}

static void gi_use_median(gi_window_plan *p, void (*median)(int64_t n, char *const *rows), int inputs, int rows)
{
    p->median          = median;
    p->net->inputs     = inputs;
    p->net->rows       = rows;
    p->net->result.row = rows - 1;
}

/* A network or a slide, what is faster. False: no memory. */
static bool gi_plan_ranks(const char *site, gi_window_plan *p)
{
    const gi_window *w    = p->w;
    int64_t          size = ga_itemsize(w->work), length, at[GPUARR_MAX_DIMS];
    int              last = w->at.ndim - 1;
    p->net                = (gi_network *)gi_alloc(site, sizeof *p->net);
    if (!p->net) return false;
    p->net->inputs = 0;
    p->slide.edges = INT64_MAX;
    for (int d = last; d >= 0; d--) {
        gi_slide s = p->slide;
        gi_list_window(w, p->stride, d, &s, NULL);
        if (s.edges >= p->slide.edges) continue;
        p->slide = s;
        p->axis  = d;
    }
    p->slide.rank = w->kind == GI_WINDOW_RANK ? w->rank : 0;
    p->run        = gi_run_slide;
    gi_choose_tiles(p, 1, GI_SLIDE_ELEMENTS);
    if (gi_make_network(w, p->net) && gi_network_cost(p->net, size) < gi_slide_cost(p, size)) {
        if (gi_is_median_of(w, 3)) gi_use_median(p, p->loops->median_3x3, 3, 7);
        if (gi_is_median_of(w, 5)) gi_use_median(p, p->loops->median_5x5, 5, 21);
        int64_t row = GI_NETWORK_BYTES / (p->net->rows - p->net->inputs + 1);
        p->run      = gi_run_network;
        gi_choose_tiles(p, (row < 512 ? 512 : row) / size, GI_TILE_MOST / size);
    } else p->net->inputs = 0;
    if (p->elements > INT32_MAX)
        return gi_fail(site, GA_NO_MEMORY, "a window of shape %s is more than can be looked at at once",
                       gi_shape_text(last + 1, w->at.size));
    p->rows_bytes = (size_t)(p->net->inputs + p->slide.count + 2 * p->slide.edges) * sizeof *p->rows;
    p->rows       = (int64_t *)gi_alloc(site, p->rows_bytes);
    if (!p->rows) return false;
    for (int k = 0; k < p->net->inputs; k++) {
        gi_unravel(k, last, w->at.size, at);
        p->rows[k] = gi_offset_at(last, at, p->stride);
    }
    gi_list_window(w, p->stride, p->axis, &p->slide, p->rows + p->net->inputs);
    length           = p->extent[p->axis];
    p->scratch_bytes = (size_t)gi_slide_bytes(p->elements, size, length);
    if (p->net->inputs == 0) return true;
    p->row_bytes  = gi_roomy((p->extent[last] + w->at.size[last]) * size);
    int64_t bytes = gi_roomy(p->elements * size) + gi_roomy(p->net->rows * (int64_t)sizeof(char *)) +
                    (p->net->rows - p->net->inputs) * p->row_bytes;
    bool falls_back = w->keys.real && w->kind == GI_WINDOW_RANK;
    if (!falls_back || (size_t)bytes > p->scratch_bytes) p->scratch_bytes = (size_t)bytes;
    return true;
}

static bool gi_cpu_window(const char *site, const gi_window *w)
{
    gi_window_plan p;
    int64_t        size = ga_itemsize(w->work), threads = ga_get_num_threads();
    bool           done = true;
    memset(&p, 0, sizeof p);
    p.w     = w;
    p.loops = gi_cpu_windows((int)size);
    if (w->kind == GI_WINDOW_MEAN || (w->kind != GI_WINDOW_RANK && !w->footprint)) {
        p.run = w->kind == GI_WINDOW_MEAN ? gi_run_mean : gi_run_least;
        gi_choose_tiles(&p, GI_ROW_BYTES / size, GI_TILE_MOST / size);
        if (p.run == gi_run_least) gi_lay_tile(&p, w->at.ndim - 1);
        p.scratch_bytes = (size_t)(3 * gi_roomy(p.elements * size) +
                                   2 * gi_roomy((p.extent[w->at.ndim - 1] + w->at.size[w->at.ndim - 1]) * size));
    } else done = gi_plan_ranks(site, &p);
    if (w->work == w->result && 2 * gi_size(w->at.ndim, w->at.result) * size >= GI_STREAM_FROM)
        p.stream = gi_cpu_stream(); /* in and out */
    p.parts         = threads == 1 ? 1 : p.tiles < 4 * threads ? p.tiles : 4 * threads;
    p.scratch_bytes = (p.scratch_bytes + 63) / 64 * 64;
    p.scratch       = done ? (char *)gi_alloc(site, (size_t)p.parts * p.scratch_bytes) : NULL;
    done            = p.scratch != NULL;
    if (done) gi_parallel(p.parts, 1, gi_window_parts, &p);
    gi_release(p.scratch, (size_t)p.parts * p.scratch_bytes);
    gi_release(p.rows, p.rows_bytes);
    gi_release(p.net, sizeof *p.net);
    return done;
}

/* ---- calls for windows ------------------------------------------------------------------------------------------------- */

/* The window's size and place: from the footprint, or .sizes, or the size for all axes. */
static bool gi_place_window(const char *site, const ga_array *a, int64_t size, const ga_shape *sizes, const ga_array *footprint,
                            const ga_shape *origin, gi_correlation *c)
{
    const char *given = footprint ? "footprint" : sizes->ndim > 0 ? "sizes" : NULL;
    int         ndim  = footprint ? footprint->ndim : sizes->ndim;
    double      cells = 1;
    c->ndim           = a->ndim;
    if (given && size != 0) {
        gi_fail(site, GA_BAD_ARGUMENT, "the window is given twice: with .%s the size must be 0", given);
        return false;
    }
    if (given && ndim != a->ndim) {
        gi_fail(site, GA_BAD_SHAPE, ".%s has %d dimensions, the array %d", given, ndim, a->ndim);
        return false;
    }
    if (!gi_fits_axes(site, "origin", origin, a->ndim)) return false;
    for (int d = 0; d < a->ndim; d++) {
        int64_t n = footprint ? footprint->shape[d] : given ? sizes->n[d] : size, o = gi_number_for(origin, d);
        if (n < 1 || n > INT32_MAX) {
            gi_fail(site, GA_BAD_ARGUMENT, "the window has %lld elements along axis %d: use 1 to %d", (long long)n, d,
                    INT32_MAX);
            return false;
        }
        if (o < -(n / 2) || o > (n - 1) / 2) {
            gi_fail(site, GA_BAD_ARGUMENT, ".origin = %lld along axis %d: for %lld elements use %lld to %lld", (long long)o, d,
                    (long long)n, (long long)-(n / 2), (long long)((n - 1) / 2));
            return false;
        }
        c->size[d]   = n;
        c->offset[d] = -(n / 2) - o;
        cells *= 2 * (double)n;
    }
    if (cells < 0x1p45) return true;
    gi_fail(site, GA_NO_MEMORY, "a window of shape %s is more than any machine can hold", gi_shape_text(c->ndim, c->size));
    return false;
}

/* How the elements of a dtype become keys. */
static gi_keys gi_keys_of(ga_dtype dtype, gi_window_kind kind)
{
    uint64_t sign = (uint64_t)1 << (8 * ga_itemsize(dtype) - 1);
    bool     turn = ga_itemsize(dtype) <= 2 ? gi_is_signed(dtype) : gi_is_unsigned(dtype);
    gi_keys  k;
    k.real = gi_is_float(dtype);
    k.flip = (turn ? sign : 0) ^ (kind == GI_WINDOW_GREATEST ? UINT64_MAX : 0);
    k.nan  = kind == GI_WINDOW_RANK ? sign - 1 : sign; /* the greatest, the least */
    return k;
}

static bool gi_run_window(const char *site, const ga_array *a, const gi_window *w)
{
    if (a->size == 0) return true;
    GI_IF_CUDA(a->device, gi_cuda_window(site, a, w));
    return gi_cpu_window(site, w);
}

typedef enum gi_rank_kind { GI_RANK_MEDIAN, GI_RANK_LEAST, GI_RANK_GREATEST, GI_RANK_PERCENTILE, GI_RANK_NUMBER } gi_rank_kind;

/* Which rank a call wants. */
typedef struct gi_rank_rule {
    gi_rank_kind kind;
    double       percentile;
    int64_t      number;
} gi_rank_rule;

/* -1 with an error: there is no such rank. */
static int64_t gi_wanted_rank(const char *site, const gi_rank_rule *rule, int64_t count)
{
    double  p = rule->percentile < 0 ? rule->percentile + 100 : rule->percentile;
    int64_t n = rule->number < 0 ? rule->number + count : rule->number;
    switch (rule->kind) {
    case GI_RANK_MEDIAN: return count / 2;
    case GI_RANK_LEAST: return 0;
    case GI_RANK_GREATEST: return count - 1;
    case GI_RANK_PERCENTILE:
        if (p >= 0 && p <= 100) return p == 100 ? count - 1 : (int64_t)((double)count * p / 100);
        gi_fail(site, GA_BAD_ARGUMENT, "percentile %g: use 0 to 100, or -100 to 0 to count from the greatest",
                rule->percentile);
        return -1;
    default:
        if (n >= 0 && n < count) return n;
        gi_fail(site, GA_BAD_ARGUMENT, "there is no rank %lld in a window of %lld elements: use %lld to %lld",
                (long long)rule->number, (long long)count, (long long)-count, (long long)count - 1);
        return -1;
    }
}

/* The filters that choose one of the elements. host: the footprint on the CPU, where its elements are counted. */
static ga_array *gi_choose_of_window(const ga_array *a, const gi_rank_rule *rule, const ga_array *footprint,
                                     const ga_array *host, gi_window *w, const ga_window_options *o)
{
    const char *site  = o->site;
    const bool *cells = host ? (const bool *)host->data : NULL;
    w->count          = gi_size(a->ndim, w->at.size);
    if (host) {
        int64_t count = 0;
        for (int64_t k = 0; k < host->size; k++) count += cells[k];
        if (count == 0) return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT, ".footprint has no true element");
        if (count < w->count) w->footprint = (const bool *)(a->device == GA_CPU ? host : footprint)->data;
        w->count = count;
    }
    w->rank = gi_wanted_rank(site, rule, w->count);
    if (w->rank < 0) return NULL;
    w->kind = w->rank == 0 ? GI_WINDOW_LEAST : w->rank == w->count - 1 ? GI_WINDOW_GREATEST : GI_WINDOW_RANK;
    w->keys = gi_keys_of(a->dtype, w->kind);
    w->work = w->result = w->at.dtype = a->dtype;
    w->at.border                      = o->border;
    w->at.cval                        = o->cval;
    ga_array *in = gi_contiguous(site, a, a->dtype), *result = in ? gi_new(site, a->dtype, a->device, a->ndim, a->shape) : NULL;
    bool      done = false;
    if (result && a->ndim == 0) {
        done = gi_assign(site, result, in);
    } else if (result) {
        w->at.in  = in->data;
        w->at.out = result->data;
        memcpy(w->at.shape, a->shape, sizeof w->at.shape);
        memcpy(w->at.result, a->shape, sizeof w->at.result);
        done = gi_run_window(site, in, w);
    }
    ga_free(in);
    if (done) return result;
    ga_free(result);
    return NULL;
}

static ga_array *gi_rank_filter(const ga_array *a, const gi_rank_rule *rule, int64_t size, const ga_window_options *o)
{
    const char     *site    = o->site;
    const ga_array *both[3] = { a, o->footprint, o->out };
    gi_window       w;
    memset(&w, 0, sizeof w);
    if (!gi_check(site, a, "a") || gi_null_option(site, "footprint", o->footprint) || gi_null_option(site, "out", o->out))
        return NULL;
    if ((o->footprint && !gi_check(site, o->footprint, ".footprint")) || (o->out && !gi_check(site, o->out, ".out")))
        return NULL;
    if (gi_is_complex(a->dtype))
        return (ga_array *)gi_fail(site, GA_BAD_DTYPE, "%s has no order: take the real part, or the absolute value",
                                   ga_dtype_name(a->dtype));
    if (gi_common_device(site, 3, both) == GA_DEVICE_DEFAULT || !gi_check_border(site, o->border)) return NULL;
    if (!gi_place_window(site, a, size, &o->sizes, o->footprint, &o->origin, &w.at)) return NULL;
    ga_array *footprint = NULL, *host = NULL, *result = NULL;
    if (o->footprint) {
        footprint = gi_contiguous(site, o->footprint, GA_BOOL);
        host      = footprint ? gi_on_cpu(site, footprint) : NULL;
    }
    if (!o->footprint || host) result = gi_choose_of_window(a, rule, footprint, host, &w, o);
    ga_free(footprint);
    ga_free(host);
    return gi_finish(site, result, a->dtype, o->out);
}

ga_array *(ga_median_filter)(const ga_array *a, int64_t size, ga_window_options o)
{
    const gi_rank_rule rule = { GI_RANK_MEDIAN, 0, 0 };
    return gi_rank_filter(a, &rule, size, &o);
}

ga_array *(ga_minimum_filter)(const ga_array *a, int64_t size, ga_window_options o)
{
    const gi_rank_rule rule = { GI_RANK_LEAST, 0, 0 };
    return gi_rank_filter(a, &rule, size, &o);
}

ga_array *(ga_maximum_filter)(const ga_array *a, int64_t size, ga_window_options o)
{
    const gi_rank_rule rule = { GI_RANK_GREATEST, 0, 0 };
    return gi_rank_filter(a, &rule, size, &o);
}

ga_array *(ga_percentile_filter)(const ga_array *a, double percentile, int64_t size, ga_window_options o)
{
    const gi_rank_rule rule = { GI_RANK_PERCENTILE, percentile, 0 };
    return gi_rank_filter(a, &rule, size, &o);
}

ga_array *(ga_rank_filter)(const ga_array *a, int64_t rank, int64_t size, ga_window_options o)
{
    const gi_rank_rule rule = { GI_RANK_NUMBER, 0, rank };
    return gi_rank_filter(a, &rule, size, &o);
}

/* ---- filters with weights: along one axis after the other -------------------------------------------------------------- */
/*  float32 is computed in float32, everything else in float64. Where SciPy stores integers between the axes their fractions are cut
    off here too, but for those that are an integer but for rounding errors; what does not fit the dtype in the end saturates. */

typedef struct gi_filter {
    const char *site;
    ga_border   border;
    double      cval;
    ga_dtype    work, result; /* of the passes, of the call */
    /* a new array of dtype work or result, from one of any real dtype */
    ga_array *(*run)(const struct gi_filter *f, const ga_array *a);
    double         sigmas[GPUARR_MAX_DIMS]; /* Gaussian filters */
    int64_t        radii[GPUARR_MAX_DIMS];
    int            orders[GPUARR_MAX_DIMS];
    int            axis;   /* differences: along this axis, -1: all */
    double         middle; /* smoothed by 1, middle, 1 along the others */
    gi_correlation box;    /* means */
} gi_filter;

enum { GI_MOST_ORDER = 15 }; /* of a derivative */

static bool gi_is_whole(const gi_filter *f) { return gi_kind_of(f->result) < 2; }

/* The sums of n neighbours along an axis, the middle one being number n / 2; `in` is packed and of dtype work. */
static ga_array *gi_correlate_axis(const gi_filter *f, const ga_array *in, int axis, int64_t n, const double *weights)
{
    ga_new_options o = { NULL, GA_DTYPE_DEFAULT, GA_DEVICE_DEFAULT, false, false };
    ga_shape       length;
    gi_correlation c;
    memset(&length, 0, sizeof length);
    memset(&c, 0, sizeof c);
    o.site         = f->site;
    o.dtype        = f->work;
    o.device       = in->device;
    length.ndim    = 1;
    length.n[0]    = n;
    ga_array *w    = (ga_from)(weights, GA_F64, length, o);
    ga_array *sums = w ? gi_new(f->site, f->work, in->device, in->ndim, in->shape) : NULL;
    bool      done = false;
    if (sums) {
        c.dtype   = f->work;
        c.ndim    = in->ndim;
        c.in      = in->data;
        c.weights = w->data;
        c.out     = sums->data;
        c.border  = f->border;
        c.cval    = f->cval;
        memcpy(c.shape, in->shape, sizeof c.shape);
        memcpy(c.result, in->shape, sizeof c.result);
        for (int d = 0; d < c.ndim; d++) c.size[d] = 1;
        c.size[axis]   = n;
        c.offset[axis] = -(n / 2);
        done           = gi_correlate(f->site, in->device, &c);
    }
    ga_free(w);
    if (done) return sums;
    ga_free(sums);
    return NULL;
}

/* Cuts off the fractions of integers between the axes. Passes NULL on; on error frees the array. */
static ga_array *gi_between_axes(const gi_filter *f, ga_array *a)
{
    return a && gi_is_whole(f) ? gi_cut_fractions(f->site, a) : a;
}

/* Replaces *a by its sums along an axis; NULL if that fails. */
static void gi_pass(const gi_filter *f, ga_array **a, int axis, int64_t n, const double *weights)
{
    if (!*a) return;
    ga_array *sums = gi_correlate_axis(f, *a, axis, n, weights);
    ga_free(*a);
    *a = sums;
}

/* Replaces *a by a function of itself, or of itself and b, which is freed. */
static void gi_replace(const gi_filter *f, ga_array **a, ga_op op, ga_array *b)
{
    if (!*a || (op == GA_OP_add && !b)) {
        ga_free(*a);
        ga_free(b);
        *a = NULL;
        return;
    }
    ga_map_options o = gi_map_site(f->site);
    o.out            = *a;
    ga_array *done   = op == GA_OP_add      ? (ga_add)(gi_operand_arg(*a), gi_operand_arg(b), o)
                       : op == GA_OP_square ? (ga_square)(*a, o)
                                            : (ga_sqrt)(*a, o);
    ga_free(b);
    if (!done) {
        ga_free(*a);
        *a = NULL;
    }
}

/* The weights of a Gaussian's derivative, as scipy.ndimage computes them: the normalised Gaussian times a polynomial q, which each
   derivation makes q' - q x / sigma^2. In the order for a correlation. */
static void gi_gaussian_weights(double sigma, int order, int64_t radius, double *w)
{
    double variance = gi_mul_f64(sigma, sigma), scale = -0.5 / variance, sum = 0, q[GI_MOST_ORDER + 2] = { 1 };
    for (int64_t i = -radius; i <= radius; i++) {
        w[i + radius] = gi_op_exp_f64(gi_mul_f64(scale, gi_mul_f64((double)i, (double)i)));
        sum += w[i + radius];
    }
    for (int k = 0; k < order; k++) {
        double before = 0;
        for (int i = 0; i <= order; i++) {
            double here = q[i], slope = gi_mul_f64(i + 1, q[i + 1]);
            q[i]   = slope + gi_mul_f64(before, 1 / -variance);
            before = here;
        }
    }
    for (int64_t i = -radius; i <= radius; i++) {
        double at = 0, power = 1;
        for (int k = 0; k <= order; k++) {
            at += gi_mul_f64(q[k], power);
            power = gi_mul_f64(power, -(double)i);
        }
        w[i + radius] = gi_mul_f64(at, w[i + radius] / sum);
    }
}

/* Replaces *a by it with a Gaussian, or a derivative of one, along an axis. */
static void gi_blur_axis(const gi_filter *f, ga_array **a, int axis, int order)
{
    int64_t n = 2 * f->radii[axis] + 1;
    double *w = (double *)gi_alloc(f->site, (size_t)n * sizeof *w);
    if (w) {
        gi_gaussian_weights(f->sigmas[axis], order, f->radii[axis], w);
        gi_pass(f, a, axis, n, w);
        *a = gi_between_axes(f, *a);
    } else {
        ga_free(*a);
        *a = NULL;
    }
    gi_release(w, (size_t)n * sizeof *w);
}

/* A new array of dtype work: a, with a Gaussian along each axis. */
static ga_array *gi_blur(const gi_filter *f, const ga_array *a, const int *orders)
{
    ga_array *r = NULL;
    for (int d = 0; d < a->ndim; d++) {
        if (f->sigmas[d] <= 1e-15) continue;
        if (!r && !(r = gi_contiguous(f->site, a, f->work))) return NULL;
        gi_blur_axis(f, &r, d, orders[d]);
        if (!r) return NULL;
    }
    return r ? r : gi_convert(f->site, a, f->work);
}

static ga_array *gi_run_gaussian(const gi_filter *f, const ga_array *a) { return gi_blur(f, a, f->orders); }

/* The sum of derivatives along each axis (order 2), or the root of the sum of their squares (order 1). */
static ga_array *gi_run_derivatives(const gi_filter *f, const ga_array *a)
{
    ga_array *sum = NULL;
    for (int d = 0; d < a->ndim; d++) {
        int orders[GPUARR_MAX_DIMS] = { 0 };
        orders[d]                   = f->orders[0];
        ga_array *r                 = gi_blur(f, a, orders);
        if (f->orders[0] == 1) gi_replace(f, &r, GA_OP_square, NULL);
        if (d == 0) sum = r;
        else gi_replace(f, &sum, GA_OP_add, r);
        if (!sum) return NULL;
    }
    if (a->ndim == 0) return gi_convert(f->site, a, f->work);
    if (f->orders[0] == 1) gi_replace(f, &sum, GA_OP_sqrt, NULL);
    return sum;
}

/* Differences along an axis, smoothed along the others. */
static ga_array *gi_run_edges(const gi_filter *f, const ga_array *a)
{
    const double difference[3] = { -1, 0, 1 }, smooth[3] = { 1, f->middle, 1 };
    ga_array    *r = gi_contiguous(f->site, a, f->work);
    gi_pass(f, &r, f->axis, 3, difference);
    for (int d = 0; d < a->ndim; d++)
        if (d != f->axis) gi_pass(f, &r, d, 3, smooth);
    return r;
}

static ga_array *gi_run_laplace(const gi_filter *f, const ga_array *a)
{
    const double second[3] = { 1, -2, 1 };
    ga_array    *in = gi_contiguous(f->site, a, f->work), *sum = NULL;
    for (int d = 0; d < a->ndim && in; d++) {
        if (f->axis >= 0 && d != f->axis) continue;
        ga_array *r = gi_correlate_axis(f, in, d, 3, second);
        if (sum) gi_replace(f, &sum, GA_OP_add, r);
        else sum = r;
        if (!sum) break;
    }
    if (in && a->ndim == 0) sum = gi_convert(f->site, a, f->work);
    ga_free(in);
    return sum;
}

static ga_array *gi_run_means(const gi_filter *f, const ga_array *a)
{
    gi_window w;
    memset(&w, 0, sizeof w);
    w.at     = f->box;
    w.kind   = GI_WINDOW_MEAN;
    w.work   = f->work;
    w.result = f->result;
    w.cut    = gi_is_whole(f);
    bool box = false;
    for (int d = 0; d < a->ndim; d++) box = box || f->box.size[d] > 1;
    if (!box) return gi_convert(f->site, a, f->result);
    w.at.dtype = a->dtype;
#if GI_HAS_CUDA
    if (a->device == GA_CUDA) w.at.dtype = w.result = f->work; /* converted before and after */
#endif
    ga_array *in    = gi_contiguous(f->site, a, w.at.dtype),
             *means = in ? gi_new(f->site, w.result, a->device, a->ndim, a->shape) : NULL;
    bool done       = false;
    if (means) {
        w.at.in     = in->data;
        w.at.out    = means->data;
        w.at.border = f->border;
        w.at.cval   = f->cval;
        memcpy(w.at.shape, a->shape, sizeof w.at.shape);
        memcpy(w.at.result, a->shape, sizeof w.at.result);
        done = gi_run_window(f->site, in, &w);
    }
    ga_free(in);
    if (done) return means;
    ga_free(means);
    return NULL;
}

/* The real (0) or imaginary (1) parts of a complex array, where they lie. */
static ga_array *gi_part_of(const char *site, const ga_array *a, int part)
{
    ga_dtype real = gi_real_dtype(a->dtype);
    return gi_new_view(site, a, (char *)a->data + part * ga_itemsize(real), real, a->ndim, a->shape, a->strides);
}

/* A complex array: its two parts by themselves. */
static ga_array *gi_filter_parts(const gi_filter *f, const ga_array *a)
{
    ga_array *result = gi_new(f->site, f->work == GA_F32 ? GA_C64 : GA_C128, a->device, a->ndim, a->shape);
    for (int part = 0; part < 2 && result; part++) {
        gi_filter g  = *f;
        g.cval       = part == 0 ? f->cval : 0;
        ga_array *in = gi_part_of(f->site, a, part), *out = in ? gi_part_of(f->site, result, part) : NULL;
        ga_array *r    = out ? f->run(&g, in) : NULL;
        bool      done = r && gi_assign(f->site, out, r);
        ga_free(in);
        ga_free(out);
        ga_free(r);
        if (done) continue;
        ga_free(result);
        return NULL;
    }
    return result;
}

/* Begins a call: f gets what all filters have. */
static bool gi_begin_filter(gi_filter *f, const char *site, const ga_array *a, ga_border border, double cval,
                            const ga_array *out)
{
    const ga_array *both[2] = { a, out };
    memset(f, 0, sizeof *f);
    f->site   = site;
    f->border = border;
    f->cval   = cval;
    f->axis   = -1;
    if (!gi_check(site, a, "a") || gi_null_option(site, "out", out) || (out && !gi_check(site, out, ".out"))) return false;
    if (gi_common_device(site, 2, both) == GA_DEVICE_DEFAULT || !gi_check_border(site, border)) return false;
    f->result = out ? out->dtype : a->dtype;
    if (!gi_same_kind(a->dtype, f->result)) {
        gi_fail(site, GA_BAD_DTYPE, "the result is %s and does not go into .out of %s", ga_dtype_name(a->dtype),
                ga_dtype_name(f->result));
        return false;
    }
    f->work = gi_kind_of(f->result) < 2 ? GA_F64 : ga_promote(gi_real_dtype(a->dtype), gi_real_dtype(f->result));
    return true;
}

static ga_array *gi_end_filter(const gi_filter *f, const ga_array *a, ga_array *out)
{
    ga_dtype  result = f->result;
    gi_filter g      = *f;
    if (gi_is_complex(a->dtype)) g.result = gi_real_dtype(result);
    else if (gi_is_complex(result)) g.result = f->work;
    return gi_finish(f->site, gi_is_complex(a->dtype) ? gi_filter_parts(&g, a) : g.run(&g, a), result, out);
}

static bool gi_read_gaussian(gi_filter *f, const ga_array *a, double sigma, const ga_gaussian_options *o)
{
    const char *site = o->site;
    if (!gi_begin_filter(f, site, a, o->border, o->cval, o->out) || gi_null_option(site, "sigmas", o->sigmas)) return false;
    if (!gi_fits_axes(site, "order", &o->order, a->ndim) || !gi_fits_axes(site, "radius", &o->radius, a->ndim)) return false;
    if (o->sigmas && sigma != 0) {
        gi_fail(site, GA_BAD_ARGUMENT, "sigma is given twice: with .sigmas it must be 0");
        return false;
    }
    double truncate = o->truncate == 0 ? 4 : o->truncate;
    for (int d = 0; d < a->ndim; d++) {
        double  s = o->sigmas ? o->sigmas[d] : sigma, reach = gi_mul_f64(truncate, s) + 0.5;
        int64_t order = gi_number_for(&o->order, d), radius = o->radius.ndim > 0 ? gi_number_for(&o->radius, d) : -1;
        if (!(s >= 0) || s > 1e15 || !(truncate > 0)) {
            gi_fail(site, GA_BAD_ARGUMENT, "sigma %g and .truncate = %g: use numbers that are not negative", s, truncate);
            return false;
        }
        if (order < 0 || order > GI_MOST_ORDER) {
            gi_fail(site, GA_BAD_ARGUMENT, ".order = %lld: use 0 to %d", (long long)order, (int)GI_MOST_ORDER);
            return false;
        }
        if (o->radius.ndim > 0 && radius < 0) {
            gi_fail(site, GA_BAD_ARGUMENT, ".radius = %lld: use 0 or more", (long long)radius);
            return false;
        }
        if (radius < 0 && reach < 0x1p40) radius = (int64_t)reach;
        if (radius < 0 || radius >= (int64_t)1 << 40) {
            gi_fail(site, GA_NO_MEMORY, "sigma %g and .truncate = %g: that many weights are more than any machine can hold", s,
                    truncate);
            return false;
        }
        f->sigmas[d] = s;
        f->orders[d] = (int)order;
        f->radii[d]  = radius;
    }
    return true;
}

ga_array *(ga_gaussian_filter)(const ga_array *a, double sigma, ga_gaussian_options o)
{
    gi_filter f;
    if (!gi_read_gaussian(&f, a, sigma, &o)) return NULL;
    f.run = gi_run_gaussian;
    return gi_end_filter(&f, a, o.out);
}

static ga_array *gi_derivatives(const ga_array *a, double sigma, int order, const ga_gaussian_options *o)
{
    gi_filter f;
    if (!gi_read_gaussian(&f, a, sigma, o)) return NULL;
    if (o->order.ndim > 0) return (ga_array *)gi_fail(o->site, GA_BAD_ARGUMENT, ".order: it is %d here", order);
    if (order == 1 && gi_is_complex(a->dtype))
        return (ga_array *)gi_fail(o->site, GA_BAD_DTYPE, "the magnitude of a gradient is one of real numbers, not %s",
                                   ga_dtype_name(a->dtype));
    f.orders[0] = order;
    f.run       = gi_run_derivatives;
    return gi_end_filter(&f, a, o->out);
}

ga_array *(ga_gaussian_laplace)(const ga_array *a, double sigma, ga_gaussian_options o)
{
    return gi_derivatives(a, sigma, 2, &o);
}

ga_array *(ga_gaussian_gradient_magnitude)(const ga_array *a, double sigma, ga_gaussian_options o)
{
    return gi_derivatives(a, sigma, 1, &o);
}

static ga_array *gi_edges(const ga_array *a, double middle, const ga_edge_options *o)
{
    gi_filter f;
    if (!gi_begin_filter(&f, o->site, a, o->border, o->cval, o->out)) return NULL;
    f.axis = gi_axis(o->site, gi_option_given(o->site, "axis") ? o->axis : -1, a->ndim);
    if (f.axis < 0) return NULL;
    f.middle = middle;
    f.run    = gi_run_edges;
    return gi_end_filter(&f, a, o->out);
}

ga_array *(ga_sobel)(const ga_array *a, ga_edge_options o) { return gi_edges(a, 2, &o); }
ga_array *(ga_prewitt)(const ga_array *a, ga_edge_options o) { return gi_edges(a, 1, &o); }

ga_array *(ga_laplace)(const ga_array *a, ga_edge_options o)
{
    gi_filter f;
    if (!gi_begin_filter(&f, o.site, a, o.border, o.cval, o.out)) return NULL;
    if (gi_option_given(o.site, "axis") && (f.axis = gi_axis(o.site, o.axis, a->ndim)) < 0) return NULL;
    f.run = gi_run_laplace;
    return gi_end_filter(&f, a, o.out);
}

ga_array *(ga_uniform_filter)(const ga_array *a, int64_t size, ga_uniform_options o)
{
    gi_filter f;
    if (!gi_begin_filter(&f, o.site, a, o.border, o.cval, o.out)) return NULL;
    if (!gi_place_window(o.site, a, size, &o.sizes, NULL, &o.origin, &f.box)) return NULL;
    f.run = gi_run_means;
    return gi_end_filter(&f, a, o.out);
}

/* ==== >>order: medians and percentiles, by selection ================================================================= */
/*  No line is sorted. Every element becomes a 64-bit key whose order as an unsigned number is the order of the elements (NaN
    last). Of a long line the keys are counted in bins whose range a sample gives; only the keys of a bin in which a wanted
    rank lies are looked at again. Short lines, and what is left of long ones, are partitioned around pivots until the ranks
    are in their places. All of it counts and compares, so the threads' number leaves no trace in the result. */

#define GI_KEY_SIGN ((uint64_t)1 << 63)
#define GI_KEY_NAN  UINT64_MAX

enum {
    GI_SELECT_BINS   = 2048,
    GI_SELECT_SAMPLE = 1024,
    GI_SELECT_SHORT  = 8192,  /* keys that are partitioned at once */
    GI_SELECT_PART   = 65536, /* keys that are worth a thread */
    GI_SELECT_TRIES  = 64     /* pivots taken from the keys before pivots that halve their range: those end surely */
};

/* The eight-byte dtype that holds every element of a real dtype. */
static ga_dtype gi_rank_key_dtype(ga_dtype dtype)
{
    return gi_is_float(dtype) ? GA_F64 : gi_is_signed(dtype) ? GA_I64 : GA_U64;
}

GI_BEGIN_FAST
/* Turns n elements of a key dtype into their keys; keys may be x. */
static void gi_make_keys(ga_dtype dtype, int64_t n, uint64_t *keys, const void *x)
{
    const uint64_t infinity = (uint64_t)0x7FF << 52;
    memmove(keys, x, (size_t)n * sizeof *keys);
    if (dtype == GA_I64)
        for (int64_t i = 0; i < n; i++) keys[i] ^= GI_KEY_SIGN;
    if (dtype != GA_F64) return;
    for (int64_t i = 0; i < n; i++) {
        uint64_t u    = keys[i];
        uint64_t nan  = 0 - ((infinity - (u & ~GI_KEY_SIGN)) >> 63); /* all bits if it is one */
        uint64_t turn = (0 - (u >> 63)) | GI_KEY_SIGN;               /* all bits of a negative number, else the sign */
        keys[i]       = (u ^ turn) | nan;
    }
}

/* The element of a key, as its key dtype. */
static void gi_key_element(ga_dtype dtype, uint64_t key, void *element)
{
    if (dtype == GA_I64) key ^= GI_KEY_SIGN;
    if (dtype == GA_F64) key = key & GI_KEY_SIGN ? key ^ GI_KEY_SIGN : ~key;
    memcpy(element, &key, sizeof key);
}

static void gi_sort_few(uint64_t *v, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        uint64_t x = v[i];
        int64_t  k = i;
        for (; k > 0 && v[k - 1] > x; k--) v[k] = v[k - 1];
        v[k] = x;
    }
}

/* Brings the keys below the pivot to the front; returns their number. */
static int64_t gi_partition(uint64_t *v, int64_t n, uint64_t pivot)
{
    int64_t below = 0;
    for (int64_t i = 0; i < n; i++) { /* without a branch: it would be taken by chance */
        uint64_t x = v[i];
        v[i]       = v[below];
        v[below]   = x;
        below += x < pivot;
    }
    return below;
}

static uint64_t gi_middle(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t low = a < b ? a : b, high = a < b ? b : a;
    return c < low ? low : c > high ? high : c;
}

/* One of the keys, or, when many did not help, one that halves their range (then more than the smallest key, unless all are
   equal). */
static uint64_t gi_pivot(const uint64_t *v, int64_t n, int tries)
{
    if (tries < GI_SELECT_TRIES) {
        int64_t         s = n / 8;
        const uint64_t *a = v + s, *b = v + n / 2, *c = v + n - 1 - s;
        if (n < 256) return gi_middle(*a, *b, *c);
        return gi_middle(gi_middle(a[-s], *a, a[s]), gi_middle(b[-s], *b, b[s]), gi_middle(c[-s], *c, c[s]));
    }
    uint64_t low = v[0], high = v[0];
    for (int64_t i = 1; i < n; i++) {
        if (v[i] < low) low = v[i];
        if (v[i] > high) high = v[i];
    }
    return low == high ? low : low + (high - low) / 2 + 1;
}

/* Reorders n keys, `first` of the whole being below them, so that those of the m ascending ranks stand where sorting would
   put them. */
static void gi_rank_select(uint64_t *v, int64_t n, int64_t first, int64_t m, const int64_t *ranks, int tries)
{
    for (; m > 0; tries++) {
        if (n <= 24) {
            gi_sort_few(v, n);
            return;
        }
        uint64_t pivot = gi_pivot(v, n, tries);
        int64_t  below = gi_partition(v, n, pivot);
        bool     least = below == 0;
        if (least) below = pivot == UINT64_MAX ? n : gi_partition(v, n, pivot + 1); /* the keys equal to the least */
        int64_t left = 0;
        while (left < m && ranks[left] < first + below) left++;
        if (left == m && !least) {
            n = below;
            continue;
        }
        if (!least) gi_rank_select(v, below, first, left, ranks, tries + 1);
        v += below;
        n -= below;
        first += below;
        ranks += left;
        m -= left;
    }
}
GI_END_FAST

/* A step of the search in a long line: its keys, and the bins in which they are counted. Bin 0 takes what lies below `low`,
   the last one what lies beyond the others. */
typedef struct gi_rank_search {
    const gi_lines *lines; /* the keys are those of this line ... */
    int64_t         line;
    const uint64_t *keys; /* ... or these */
    int64_t         n, parts;
    uint64_t        low;
    int             shift;
    int64_t        *counts; /* of each part: GI_SELECT_BINS */
    uint64_t       *chosen; /* the keys of the bins that are looked at again */
} gi_rank_search;

/* The keys start .. start + n (at most a block); tile is where they may be made. */
static const uint64_t *gi_searched_keys(const gi_rank_search *s, int64_t start, int64_t n, uint64_t *tile)
{
    if (s->keys) return s->keys + start;
    __attribute__((aligned(64))) char raw[GI_BLOCK * 8];
    double                            wide[GI_BLOCK];
    gi_make_keys(s->lines->dtype, n, tile, gi_read_line(s->lines, s->line, start, n, raw, wide));
    return tile;
}

static int64_t gi_part_start(const gi_rank_search *s, int64_t part) { return part == s->parts ? s->n : s->n / s->parts * part; }

GI_BEGIN_FAST
static int64_t gi_rank_bin_of(const gi_rank_search *s, uint64_t key)
{
    uint64_t bin = (key - s->low) >> s->shift;
    bin          = bin < GI_SELECT_BINS - 2 ? bin + 1 : GI_SELECT_BINS - 1;
    return key < s->low ? 0 : (int64_t)bin;
}

static void gi_count_low(int64_t begin, int64_t end, void *job) /* the keys equal to `low` */
{
    gi_rank_search *s = (gi_rank_search *)job;
    uint64_t        tile[GI_BLOCK];
    for (int64_t part = begin; part < end; part++) {
        int64_t stop = gi_part_start(s, part + 1), equal = 0;
        for (int64_t i = gi_part_start(s, part); i < stop; i += GI_BLOCK) {
            int64_t         n    = stop - i < GI_BLOCK ? stop - i : GI_BLOCK;
            const uint64_t *keys = gi_searched_keys(s, i, n, tile);
            for (int64_t k = 0; k < n; k++) equal += keys[k] == s->low;
        }
        s->counts[part] = equal;
    }
}

static void gi_rank_count_bins(int64_t begin, int64_t end, void *job)
{
    gi_rank_search *s = (gi_rank_search *)job;
    uint64_t        tile[GI_BLOCK];
    for (int64_t part = begin; part < end; part++) {
        int64_t *counts = s->counts + part * GI_SELECT_BINS, stop = gi_part_start(s, part + 1);
        memset(counts, 0, GI_SELECT_BINS * sizeof *counts);
        for (int64_t i = gi_part_start(s, part); i < stop; i += GI_BLOCK) {
            int64_t         n    = stop - i < GI_BLOCK ? stop - i : GI_BLOCK;
            const uint64_t *keys = gi_searched_keys(s, i, n, tile);
            for (int64_t k = 0; k < n; k++) counts[gi_rank_bin_of(s, keys[k])]++;
        }
    }
}

/* counts now says where the next key of a bin goes; -1: nowhere. */
static void gi_choose_keys(int64_t begin, int64_t end, void *job)
{
    gi_rank_search *s = (gi_rank_search *)job;
    uint64_t        tile[GI_BLOCK];
    for (int64_t part = begin; part < end; part++) {
        int64_t *to = s->counts + part * GI_SELECT_BINS, stop = gi_part_start(s, part + 1);
        for (int64_t i = gi_part_start(s, part); i < stop; i += GI_BLOCK) {
            int64_t         n    = stop - i < GI_BLOCK ? stop - i : GI_BLOCK;
            const uint64_t *keys = gi_searched_keys(s, i, n, tile);
            for (int64_t k = 0; k < n; k++) {
                int64_t bin = gi_rank_bin_of(s, keys[k]);
                if (to[bin] >= 0) s->chosen[to[bin]++] = keys[k];
            }
        }
    }
}
GI_END_FAST

/* Bins between the least and the greatest key of a sample. */
static void gi_place_bins(gi_rank_search *s)
{
    uint64_t low = UINT64_MAX, high = 0, tile[1];
    for (int i = 0; i < GI_SELECT_SAMPLE; i++) {
        uint64_t key = *gi_searched_keys(s, s->n / GI_SELECT_SAMPLE * i, 1, tile);
        if (key == GI_KEY_NAN) continue;
        if (key < low) low = key;
        if (key > high) high = key;
    }
    if (low > high) low = high;
    s->low   = low;
    s->shift = 0;
    while ((high - low) >> s->shift > GI_SELECT_BINS - 3) s->shift++;
}

/* float32 is sifted as such, everything else as float64. */
static ga_dtype gi_sifted_as(ga_dtype dtype) { return dtype == GA_F32 ? GA_F32 : GA_F64; }

/* Bounds to sift elements of a dtype with, rounded inwards. */
static void gi_sift_bounds(ga_dtype dtype, double low, double high, void *bounds)
{
    double wide[2]   = { low, high };
    float  narrow[2] = { gi_cast_f32_f64(low), gi_cast_f32_f64(high) };
    if ((double)narrow[0] < low) narrow[0] = nextafterf(narrow[0], (float)INFINITY);
    if ((double)narrow[1] > high) narrow[1] = nextafterf(narrow[1], -(float)INFINITY);
    if (gi_sifted_as(dtype) == GA_F32) memcpy(bounds, narrow, sizeof narrow);
    else memcpy(bounds, wide, sizeof wide);
}

/* Which of n packed elements lie between or on the bounds: bit i % 64 of in[i / 64]. */
static void gi_sift(ga_dtype dtype, int64_t n, const void *x, const void *bounds, uint64_t *in)
{
    double          wide[GI_BLOCK];
    const ga_dtype  as     = gi_sifted_as(dtype);
    const gi_dense *loops  = gi_cpu_dense(as);
    int64_t         unused = 0;
    if (dtype == as) {
        loops->sift(n, x, bounds, in, &unused);
        return;
    }
    for (int64_t i = 0; i < n; i += GI_BLOCK) {
        int64_t m = n - i < GI_BLOCK ? n - i : GI_BLOCK;
        gi_cast(as, dtype, m, wide, (const char *)x + i * ga_itemsize(dtype));
        loops->sift(m, wide, bounds, in + i / 64, &unused);
    }
}

/* How many keys are equal to one. */
static int64_t gi_count_key(const gi_rank_search *search, uint64_t key)
{
    int64_t        counts[GI_MOST_THREADS], total = 0;
    gi_rank_search s = *search;
    s.low            = key;
    s.counts         = counts;
    gi_parallel(s.parts, 1, gi_count_low, &s);
    for (int64_t part = 0; part < s.parts; part++) total += counts[part];
    return total;
}

/* Most often one pass is enough: a large sample tells between which two elements the wanted ranks should lie. They are collected,
   and the elements below them counted. Elements are compared as float32, if they are, or as float64; so large integers may seem
   equal, but never in the wrong order. */
typedef struct gi_bracket {
    const gi_rank_search *search;
    gi_lines              lines;    /* as they are read: integers in their key dtype */
    ga_dtype              compared; /* as this */
    uint64_t              low, high;
    char                  bounds[16];
    bool                  collect; /* else there is but one element to be had */
    int64_t               room;    /* for collected keys, in each part */
    uint64_t             *keys;
    int64_t               found[GI_MOST_THREADS], from_low[GI_MOST_THREADS];
    bool                  finite[GI_MOST_THREADS];
} gi_bracket;

enum { GI_BRACKET_SAMPLE = 16384, GI_BRACKET_QUANTILES = 16 /* more are counted in bins, all at once */ };

/* The keys of `taken` elements of a line, one at random from each of as many equal parts; NaN is left out. Returns their number. */
static int64_t gi_sample_keys(const gi_lines *p, int64_t line, int64_t taken, uint64_t *keys)
{
    int64_t     size = ga_itemsize(p->a->dtype), part = p->length / taken, kept = 0;
    const char *first = gi_line_start(p, line);
    char        raw[GI_BLOCK * 8];
    double      wide[GI_BLOCK];
    uint32_t    chance = 1;
    for (int64_t i = 0; i < taken; i += GI_BLOCK) {
        int64_t n = taken - i < GI_BLOCK ? taken - i : GI_BLOCK;
        for (int64_t k = 0; k < n; k++) {
            chance              = chance * 1664525 + 1013904223;
            int64_t     element = (i + k) * part + (int64_t)((uint64_t)chance * (uint64_t)(part < 65536 ? part : 65536) >> 32);
            const char *at      = first;
            for (int d = p->reduced - 1; d > 0; d--) {
                at += element % p->shape[d] * p->strides[d];
                element /= p->shape[d];
            }
            memcpy(raw + k * size, at + element * p->strides[0], (size_t)size);
        }
        gi_cast(p->dtype, p->a->dtype, n, wide, raw);
        gi_make_keys(p->dtype, n, keys + kept, wide);
        for (int64_t k = kept, end = kept + n; k < end; k++) {
            keys[kept] = keys[k];
            kept += p->dtype != GA_F64 || keys[k] != GI_KEY_NAN;
        }
    }
    return kept;
}

GI_BEGIN_FAST
static void gi_collect_bracket(int64_t begin, int64_t end, void *job)
{
    gi_bracket                       *b = (gi_bracket *)job;
    const gi_rank_search             *s = b->search;
    __attribute__((aligned(64))) char raw[GI_BLOCK * 8];
    double                            cast[GI_BLOCK], wide[GI_BLOCK];
    uint64_t                          in[GI_BLOCK / 64];
    bool (*sift)(int64_t, const void *, const void *, uint64_t *, int64_t *) = gi_cpu_dense(b->compared)->sift;
    for (int64_t part = begin; part < end; part++) {
        uint64_t *keys = b->keys + part * b->room;
        int64_t   stop = gi_part_start(s, part + 1), found = 0, from_low = 0;
        bool      finite = true;
        for (int64_t i = gi_part_start(s, part); i < stop && (!b->collect || found + GI_BLOCK <= b->room); i += GI_BLOCK) {
            int64_t     n = stop - i < GI_BLOCK ? stop - i : GI_BLOCK;
            const void *x = gi_read_line(&b->lines, s->line, i, n, raw, cast), *compared = x;
            if (b->compared != b->lines.dtype) {
                gi_cast(b->compared, b->lines.dtype, n, wide, x);
                compared = wide;
            }
            finite = sift(n, compared, b->bounds, in, &from_low) && finite;
            for (int64_t k = 0; k < n; k += 64) {
                uint64_t bits = in[k / 64];
                for (; b->collect && bits; bits &= bits - 1) {
                    int64_t at = k + __builtin_ctzll(bits);
                    double  one;
                    if (b->compared == GA_F32) one = (double)((const float *)x)[at];
                    else memcpy(&one, (const char *)x + 8 * at, sizeof one);
                    memcpy(&keys[found++], &one, sizeof one);
                }
                for (; bits; bits &= bits - 1) found++;
            }
        }
        if (b->collect) gi_make_keys(s->lines->dtype, found, keys, keys);
        b->found[part]    = found;
        b->from_low[part] = from_low;
        b->finite[part]   = finite;
    }
}
GI_END_FAST

/* The element of a key as float64. */
static double gi_key_value(ga_dtype dtype, uint64_t key)
{
    char   element[8];
    double value;
    gi_key_element(dtype, key, element);
    gi_cast(GA_F64, dtype, 1, &value, element);
    return value;
}

/* Places the bracket for one quantile. False: the sample is too small, or of no help. */
static bool gi_place_bracket(gi_bracket *b, double quantile, uint64_t *sample)
{
    const gi_rank_search *s     = b->search;
    ga_dtype              dtype = s->lines->dtype;
    const uint64_t        least = dtype == GA_F64 ? ~((uint64_t)0xFFF << 52) : 0, most = dtype == GA_F64 ? ~least : UINT64_MAX;
    int64_t               taken = s->n / 8 < GI_BRACKET_SAMPLE ? s->n / 8 : (int64_t)GI_BRACKET_SAMPLE;
    int64_t               m     = gi_sample_keys(s->lines, s->line, taken, sample);
    int64_t               reach = 2 * (int64_t)sqrt((double)m) + 2, middle = (int64_t)(quantile * (double)m);
    int64_t               ranks[2] = { middle - reach, middle + reach };
    if (reach > m / 16) return false;
    bool bounded[2] = { ranks[0] >= 0, ranks[1] < m };
    gi_rank_select(sample, m, 0, bounded[0] + bounded[1], bounded[0] ? ranks : ranks + 1, 0);
    b->low     = bounded[0] ? sample[ranks[0]] : least;
    b->high    = bounded[1] ? sample[ranks[1]] : most;
    double low = gi_key_value(dtype, b->low), high = gi_key_value(dtype, b->high);
    gi_sift_bounds(b->compared, low, high, b->bounds);
    b->collect = low < high;
    return b->collect || dtype == GA_F64 || (b->low == b->high && fabs(low) < 0x1p53);
}

/* found[i] = the key of rank ranks[i], for m ascending ranks of which `first` lie below the n keys of s. Keys given as such are
   reordered. False: no memory. */
static bool gi_find_ranks(const char *site, gi_rank_search *s, int64_t first, int64_t m, const int64_t *ranks, uint64_t *found,
                          bool partition)
{
    if (s->keys && (partition || s->n <= GI_SELECT_SHORT)) {
        uint64_t *keys = (uint64_t *)(uintptr_t)s->keys;
        gi_rank_select(keys, s->n, first, m, ranks, 0);
        for (int64_t i = 0; i < m; i++) found[i] = keys[ranks[i] - first];
        return true;
    }
    size_t count_bytes = (size_t)s->parts * GI_SELECT_BINS * sizeof *s->counts;
    s->counts          = (int64_t *)gi_alloc(site, count_bytes);
    if (!s->counts) return false;
    gi_place_bins(s);
    gi_parallel(s->parts, 1, gi_rank_count_bins, s);

    int64_t below[GI_SELECT_BINS + 1], total = 0, rank = 0; /* keys below each bin, in the whole; keys to choose */
    below[0] = first;
    for (int bin = 0; bin < GI_SELECT_BINS; bin++) {
        int64_t count = 0, wanted = rank;
        for (int64_t part = 0; part < s->parts; part++) count += s->counts[part * GI_SELECT_BINS + bin];
        below[bin + 1] = below[bin] + count;
        while (rank < m && ranks[rank] < below[bin + 1]) rank++;
        bool inner = bin > 0 && bin < GI_SELECT_BINS - 1, single = inner && s->shift == 0; /* single: all its keys are equal */
        for (; single && wanted < rank; wanted++) found[wanted] = s->low + (uint64_t)bin - 1;
        for (int64_t part = 0; part < s->parts; part++) {
            int64_t *place = &s->counts[part * GI_SELECT_BINS + bin], keys = *place;
            *place = wanted < rank ? total : -1;
            if (wanted < rank) total += keys;
        }
    }
    bool ok = true;
    if (total > 0) {
        s->chosen = (uint64_t *)gi_alloc(site, (size_t)total * sizeof *s->chosen);
        ok        = s->chosen != NULL;
        if (ok) gi_parallel(s->parts, 1, gi_choose_keys, s);
        int64_t start = 0;
        rank          = 0;
        for (int bin = 0; bin < GI_SELECT_BINS && ok; bin++) {
            int64_t wanted = rank;
            while (rank < m && ranks[rank] < below[bin + 1]) rank++;
            if (s->counts[bin] < 0) continue;
            bool           inner = bin > 0 && bin < GI_SELECT_BINS - 1;
            gi_rank_search next;
            memset(&next, 0, sizeof next);
            next.keys  = s->chosen + start;
            next.n     = below[bin + 1] - below[bin];
            next.parts = next.n < s->parts * GI_SELECT_PART ? 1 + next.n / GI_SELECT_PART : s->parts;
            start += next.n; /* an outer bin has no narrower range: if it took most keys as well, stop guessing */
            bool most = !inner && next.n > s->n / 2;
            ok        = gi_find_ranks(site, &next, below[bin], rank - wanted, ranks + wanted, found + wanted, most);
        }
        if (s->chosen) gi_release(s->chosen, (size_t)total * sizeof *s->chosen);
    }
    gi_release(s->counts, count_bytes);
    return ok;
}

/* ---- quantiles of lines ---------------------------------------------------------------------------------------------- */

/* What a quantile is. */
typedef struct gi_quantile_rule {
    bool        median; /* the mean of the two in the middle */
    bool        skip_nan;
    bool        single; /* quantiles are float32 numbers */
    ga_quantile method;
    ga_dtype    source, result;
} gi_quantile_rule;

typedef struct gi_order {
    gi_lines         lines; /* read in the key dtype */
    gi_quantile_rule rule;
    int64_t          count;
    double          *quantiles; /* 0 to 1, ascending; one for a median */
    int64_t         *places;    /* where in the result each belongs */
    char            *out;       /* for each quantile, all lines; memory of the device of the lines */
    const ga_array  *result;    /* whose memory that is, or NULL */
    int64_t          parts;
    char            *scratch; /* of each part */
    size_t           scratch_bytes;
} gi_order;

/* The two elements that a quantile of n lies between, and how far it is from the first. */
typedef struct gi_rank {
    int64_t previous, next;
    double  gamma;
} gi_rank;

GI_BEGIN_FAST
/* NumPy's arithmetic, step by step. */
GI_FORMULA gi_rank gi_rank_of(gi_quantile_rule rule, double quantile, int64_t n)
{
    gi_rank r;
    if (rule.median) {
        r.previous = (n - 1) / 2;
        r.next     = n / 2;
        r.gamma    = 0.5;
        return r;
    }
    double last = (double)(n - 1);
    double at   = rule.single ? (double)gi_mul_f32((float)last, (float)quantile) : gi_mul_f64(last, quantile);
    switch (rule.method) {
    case GA_LOWER: at = floor(at); break;
    case GA_HIGHER: at = ceil(at); break;
    case GA_NEAREST: at = rint(at); break;
    case GA_MIDPOINT: at = 0.5 * (floor(at) + ceil(at)); break;
    default: break;
    }
    if (at >= last) {
        r.previous = r.next = n - 1;
        r.gamma             = 1;
        return r;
    }
    r.previous = (int64_t)at;
    r.next     = r.previous + 1;
    r.gamma    = at - floor(at);
    return r;
}

/* Between a and b, b - a = distance, as numpy's _lerp. */
GI_FORMULA double gi_lerp_f64(double a, double b, double distance, double t)
{
    return t >= 0.5 ? b - gi_mul_f64(distance, 1 - t) : a + gi_mul_f64(distance, t);
}
GI_FORMULA float gi_lerp_f32(float a, float b, double t)
{
    float distance = b - a;
    return t >= 0.5 ? b - gi_mul_f32(distance, (float)(1 - t)) : a + gi_mul_f32(distance, (float)t);
}

/* A median, or a quantile by GA_LINEAR or GA_MIDPOINT, from the two elements it lies between. Integers also have the distance of
   their keys, which does not overflow. */
GI_FORMULA double gi_quantile_between(gi_quantile_rule rule, gi_rank r, double a, double b, uint64_t key_distance)
{
    if (rule.median) return r.previous == r.next ? a : rule.result == GA_F32 ? (double)((float)(a + b) / 2) : (a + b) / 2;
    if (rule.result == GA_F32) return (double)gi_lerp_f32((float)a, (float)b, r.gamma);
    double distance = rule.source == GA_F64   ? b - a
                      : rule.source == GA_F32 ? (double)((float)b - (float)a)
                                              : (double)key_distance;
    return gi_lerp_f64(a, b, distance, r.gamma);
}

/* Writes one quantile from the keys of its two elements. */
static void gi_write_quantile(const gi_order *o, gi_rank r, uint64_t previous, uint64_t next, void *out)
{
    ga_dtype dtype = o->lines.dtype;
    char     element[8];
    gi_key_element(dtype, previous, element);
    if (!o->rule.median && o->rule.method != GA_LINEAR && o->rule.method != GA_MIDPOINT) {
        gi_cast(o->rule.result, dtype, 1, out, element);
        return;
    }
    double a, b;
    gi_cast(GA_F64, dtype, 1, &a, element);
    gi_key_element(dtype, next, element);
    gi_cast(GA_F64, dtype, 1, &b, element);
    double value = gi_quantile_between(o->rule, r, a, b, next - previous);
    gi_cast(o->rule.result, GA_F64, 1, out, &value);
}
GI_END_FAST

/* The ascending ranks that the quantiles of n elements need; returns their number. */
static int64_t gi_ranks_of(const gi_order *o, int64_t n, int64_t *ranks)
{
    int64_t m = 0;
    for (int64_t i = 0; i < o->count; i++) {
        gi_rank r       = gi_rank_of(o->rule, o->quantiles[i], n);
        int64_t both[2] = { r.previous, r.next };
        for (int k = 0; k < 2; k++) { /* they come nearly in order */
            int64_t at = m;
            while (at > 0 && ranks[at - 1] > both[k]) at--;
            if (at > 0 && ranks[at - 1] == both[k]) continue;
            memmove(ranks + at + 1, ranks + at, (size_t)(m - at) * sizeof *ranks);
            ranks[at] = both[k];
            m++;
        }
    }
    return m;
}

static uint64_t gi_key_of_rank(int64_t rank, int64_t m, const int64_t *ranks, const uint64_t *found)
{
    int64_t low = 0, high = m - 1;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (ranks[middle] < rank) low = middle + 1;
        else high = middle;
    }
    return found[low];
}

/* The quantiles of a line of n elements (NaN left out) whose ranks are found; n 0: NaN. */
static void gi_write_line(const gi_order *o, int64_t line, int64_t n, int64_t m, const int64_t *ranks, const uint64_t *found)
{
    int64_t size = ga_itemsize(o->rule.result);
    double  nan  = gi_nan_f64();
    for (int64_t i = 0; i < o->count; i++) {
        char *out = o->out + (o->places[i] * o->lines.lines + line) * size;
        if (n == 0) {
            gi_cast(o->rule.result, GA_F64, 1, out, &nan);
            continue;
        }
        gi_rank r = gi_rank_of(o->rule, o->quantiles[i], n);
        gi_write_quantile(o, r, gi_key_of_rank(r.previous, m, ranks, found), gi_key_of_rank(r.next, m, ranks, found), out);
    }
}

/* A unit is a part of the lines, each of them short enough to be partitioned. */
static void gi_order_units(int64_t begin, int64_t end, void *job)
{
    const gi_order                   *o = (const gi_order *)job;
    const gi_lines                   *p = &o->lines;
    __attribute__((aligned(64))) char raw[GI_BLOCK * 8];
    double                            wide[GI_BLOCK];
    for (int64_t part = begin; part < end; part++) {
        uint64_t *found = (uint64_t *)(void *)(o->scratch + (size_t)part * o->scratch_bytes), *keys = found + 2 * o->count;
        int64_t  *ranks = (int64_t *)(keys + p->length), share = p->lines / o->parts;
        int64_t   stop = part == o->parts - 1 ? p->lines : (part + 1) * share;
        for (int64_t line = part * share; line < stop; line++) {
            int64_t n = 0, m = 0;
            for (int64_t i = 0; i < p->length; i += GI_BLOCK) {
                int64_t count = p->length - i < GI_BLOCK ? p->length - i : GI_BLOCK;
                gi_make_keys(p->dtype, count, keys + i, gi_read_line(p, line, i, count, raw, wide));
            }
            if (p->dtype != GA_F64) n = p->length;
            for (int64_t i = 0; p->dtype == GA_F64 && i < p->length; i++) {
                keys[n] = keys[i];
                n += keys[i] != GI_KEY_NAN;
            }
            if (n < p->length && !o->rule.skip_nan) n = 0;
            if (n > 0) {
                m = gi_ranks_of(o, n, ranks);
                gi_rank_select(keys, n, 0, m, ranks, 0);
                for (int64_t i = 0; i < m; i++) found[i] = keys[ranks[i]];
            }
            gi_write_line(o, line, n, m, ranks, found);
        }
    }
}

/* Tries to find a quantile of a line with a bracket; returns 1 when it is written, 0 to search in bins, -1 when memory is out. */
static int gi_order_by_bracket(const char *site, const gi_order *all, int64_t quantile, const gi_rank_search *s)
{
    gi_order   o = *all;
    gi_bracket b;
    o.count = 1;
    o.quantiles += quantile;
    o.places += quantile;
    b.search     = s;
    b.lines      = o.lines;
    b.compared   = gi_sifted_as(o.rule.source);
    b.room       = s->n / s->parts / 8 + 2 * GI_BLOCK;
    int64_t room = s->parts * b.room < GI_BRACKET_SAMPLE ? (int64_t)GI_BRACKET_SAMPLE : s->parts * b.room;
    if (b.compared == GA_F32) b.lines.dtype = GA_F32;
    b.keys = (uint64_t *)gi_alloc(site, (size_t)room * sizeof *b.keys);
    if (!b.keys) return -1;
    int done = 0;
    if (gi_place_bracket(&b, *o.quantiles, b.keys)) {
        gi_parallel(s->parts, 1, gi_collect_bracket, &b);
        int64_t found = 0, n = s->n, below = 0, ranks[2], m = 0;
        bool    full = false, finite = true;
        for (int64_t part = 0; part < s->parts; part++) {
            full = full || (b.collect && b.found[part] + GI_BLOCK > b.room);
            if (b.collect) memmove(b.keys + found, b.keys + part * b.room, (size_t)b.found[part] * sizeof *b.keys);
            found += b.found[part];
            below -= b.from_low[part];
            finite = finite && b.finite[part];
        }
        if (!full && !finite) n -= gi_count_key(s, GI_KEY_NAN);
        below += n;
        if (n < s->n && !o.rule.skip_nan) n = 0;
        if (!full && n > 0) m = gi_ranks_of(&o, n, ranks);
        if (!full && (n == 0 || (ranks[0] >= below && ranks[m - 1] < below + found))) {
            uint64_t keys[2] = { b.low, b.low };
            done             = 1;
            if (n > 0 && b.collect) {
                gi_rank_search rest;
                memset(&rest, 0, sizeof rest);
                rest.keys  = b.keys;
                rest.n     = found;
                rest.parts = found < s->parts * GI_SELECT_PART ? 1 + found / GI_SELECT_PART : s->parts;
                if (!gi_find_ranks(site, &rest, below, m, ranks, keys, false)) done = -1;
            } else if (n > 0 && o.lines.dtype == GA_F64 && gi_key_value(GA_F64, b.low) == 0) { /* -0 before 0 */
                int64_t negative = gi_count_key(s, GI_KEY_SIGN - 1);
                for (int i = 0; i < m; i++) keys[i] = ranks[i] < below + negative ? GI_KEY_SIGN - 1 : GI_KEY_SIGN;
            }
            if (done == 1) gi_write_line(&o, s->line, n, m, ranks, keys);
        }
    }
    gi_release(b.keys, (size_t)room * sizeof *b.keys);
    return done;
}

/* The threads work together on one long line after the other. */
static bool gi_order_long_lines(const char *site, gi_order *o, int64_t threads)
{
    uint64_t      *found = (uint64_t *)(void *)o->scratch;
    int64_t       *ranks = (int64_t *)(found + 2 * o->count);
    gi_rank_search s;
    memset(&s, 0, sizeof s);
    s.lines = &o->lines;
    s.n     = o->lines.length;
    s.parts = s.n < threads * GI_SELECT_PART ? 1 + s.n / GI_SELECT_PART : threads;
    for (int64_t line = 0; line < o->lines.lines; line++) {
        int64_t n = s.n, m = 0;
        s.line   = line;
        int done = o->count <= GI_BRACKET_QUANTILES;
        for (int64_t i = 0; i < o->count && done == 1; i++) done = gi_order_by_bracket(site, o, i, &s);
        if (done < 0) return false;
        if (done > 0) continue;
        if (o->lines.dtype == GA_F64) n -= gi_count_key(&s, GI_KEY_NAN);
        if (n < s.n && !o->rule.skip_nan) n = 0;
        if (n > 0) {
            m = gi_ranks_of(o, n, ranks);
            if (!gi_find_ranks(site, &s, 0, m, ranks, found, false)) return false;
        }
        gi_write_line(o, line, n, m, ranks, found);
    }
    return true;
}

#if GI_HAS_CUDA
static bool gi_cuda_order(const char *site, const gi_order *o);
#endif

/* Runs a planned order statistic into o->out. False: no memory. */
static bool gi_run_order(const char *site, gi_order *o)
{
    const gi_lines *p       = &o->lines;
    int64_t         threads = ga_get_num_threads();
    if (p->lines == 0 || o->count == 0) return true;
    GI_IF_CUDA(p->a->device, gi_cuda_order(site, o));
    if (p->length == 0) {
        for (int64_t line = 0; line < p->lines; line++) gi_write_line(o, line, 0, 0, NULL, NULL);
        return true;
    }
    bool is_long     = p->length > GI_SELECT_PART || (p->lines == 1 && p->length > GI_SELECT_SHORT);
    o->parts         = is_long ? 1 : p->lines < threads ? p->lines : threads;
    o->scratch_bytes = (size_t)(4 * o->count + (is_long ? 0 : p->length) + 1) * sizeof(uint64_t);
    o->scratch       = (char *)gi_alloc(site, (size_t)o->parts * o->scratch_bytes);
    if (!o->scratch) return false;
    bool ok = true;
    if (is_long) ok = gi_order_long_lines(site, o, threads);
    else if (p->lines * p->length < GI_SELECT_SHORT / 4) /* not worth waking a thread */ gi_order_units(0, o->parts, o);
    else gi_parallel(o->parts, 1, gi_order_units, o);
    gi_release(o->scratch, (size_t)o->parts * o->scratch_bytes);
    return ok;
}

static bool gi_plan_order(const char *site, gi_order *o, const char *name, const ga_array *a, const ga_order_options *options)
{
    if (gi_is_complex(a->dtype)) {
        gi_fail(site, GA_BAD_DTYPE, "%s does not exist for %s: complex numbers have no order", name, ga_dtype_name(a->dtype));
        return false;
    }
    if (options->method < GA_LINEAR || options->method > GA_NEAREST) {
        gi_fail(site, GA_BAD_ARGUMENT, ".method = %d: use GA_LINEAR, GA_LOWER, GA_HIGHER, GA_MIDPOINT or GA_NEAREST",
                (int)options->method);
        return false;
    }
    o->rule.method = options->method;
    o->rule.source = a->dtype;
    return gi_plan_lines(site, &o->lines, a, gi_rank_key_dtype(a->dtype), options->axis, &options->axes, options->keepdims);
}

static ga_array *gi_median(const char *name, bool skip_nan, const ga_array *a, ga_order_options options)
{
    if (!gi_check(options.site, a, "a") || gi_null_option(options.site, "out", options.out)) return NULL;
    if (options.out && !gi_check(options.site, options.out, ".out")) return NULL;
    gi_order o;
    double   half  = 0.5;
    int64_t  place = 0;
    memset(&o, 0, sizeof o);
    if (!gi_plan_order(options.site, &o, name, a, &options)) return NULL;
    o.rule.median    = true;
    o.rule.skip_nan  = skip_nan;
    o.rule.result    = a->dtype == GA_F32 ? GA_F32 : GA_F64;
    o.count          = 1;
    o.quantiles      = &half;
    o.places         = &place;
    ga_array *result = gi_new(options.site, o.rule.result, a->device, o.lines.result_ndim, o.lines.result_shape);
    if (!result) return NULL;
    o.out    = (char *)result->data;
    o.result = result;
    if (!gi_run_order(options.site, &o)) {
        ga_free(result);
        return NULL;
    }
    return gi_finish(options.site, result, o.rule.result, options.out);
}

ga_array *(ga_median)(const ga_array *a, ga_order_options o) { return gi_median("ga_median", false, a, o); }
ga_array *(ga_nanmedian)(const ga_array *a, ga_order_options o) { return gi_median("ga_nanmedian", true, a, o); }

/* Takes n quantiles in percent, ascending, with the place of each. False with an error: one is not in 0 to 100. */
static bool gi_take_quantiles(const char *site, gi_order *o, int64_t n, const double *percent)
{
    double *q = o->quantiles;
    for (int64_t i = 0; i < n; i++) {
        if (!(percent[i] >= 0 && percent[i] <= 100)) {
            gi_fail(site, GA_BAD_ARGUMENT, "q = %g: percentiles lie between 0 and 100", percent[i]);
            return false;
        }
        q[i]         = o->rule.single ? (double)((float)percent[i] / 100.0f) : percent[i] / 100;
        o->places[i] = i;
    }
    for (int64_t step = n / 2; step > 0; step /= 2) /* Shell's sort */
        for (int64_t i = step; i < n; i++)
            for (int64_t k = i; k >= step && q[k] < q[k - step]; k -= step) {
                double  quantile    = q[k];
                int64_t place       = o->places[k];
                q[k]                = q[k - step];
                o->places[k]        = o->places[k - step];
                q[k - step]         = quantile;
                o->places[k - step] = place;
            }
    return true;
}

/* Percentiles that are given as an array, where the host can read them. */
static ga_array *gi_percent_numbers(const char *site, const ga_array *q)
{
    ga_array *numbers = gi_convert(site, q, GA_F64);
    if (!numbers || numbers->device == GA_CPU) return numbers;
    ga_array *here = gi_to(site, numbers, GA_CPU);
    ga_free(numbers);
    return here;
}

static ga_array *gi_percentile(const char *name, bool skip_nan, const ga_array *a, ga_arg q, ga_order_options options)
{
    const char *site = options.site;
    if (!gi_check(site, a, "a") || (q.kind == GA_KIND_ARRAY && !gi_check(site, q.array, "q"))) return NULL;
    if (gi_null_option(site, "out", options.out)) return NULL;
    gi_order o;
    memset(&o, 0, sizeof o);
    if (!gi_plan_order(site, &o, name, a, &options)) return NULL;
    if (q.array ? gi_is_complex(q.array->dtype) : q.kind == GA_KIND_COMPLEX)
        return (ga_array *)gi_fail(site, GA_BAD_DTYPE, "q is complex: percentiles are real numbers");
    bool between    = o.rule.method == GA_LINEAR || o.rule.method == GA_MIDPOINT;
    o.count         = q.array ? q.array->size : 1;
    o.rule.skip_nan = skip_nan;
    o.rule.single   = q.array && q.array->dtype == GA_F32;
    o.rule.result   = a->dtype;
    if (between && q.array) o.rule.result = ga_promote(a->dtype, o.rule.single ? GA_F32 : GA_F64);
    if (between && !q.array && a->dtype != GA_F32) o.rule.result = GA_F64;
    if (o.lines.length == 0 && o.lines.lines > 0 && !(skip_nan && gi_is_float(o.rule.result)))
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "%s of no elements (shape %s): there is none to return", name,
                                   gi_shape_of(a));

    int     ndim = q.array ? q.array->ndim : 0;
    int64_t shape[2 * GPUARR_MAX_DIMS];
    for (int d = 0; d < ndim; d++) shape[d] = q.array->shape[d];
    for (int d = 0; d < o.lines.result_ndim; d++) shape[ndim + d] = o.lines.result_shape[d];
    ga_array *percent = q.array ? gi_percent_numbers(site, q.array) : gi_new(site, GA_F64, GA_CPU, 0, NULL);
    if (!percent) return NULL;
    if (!q.array) gi_number_to(q, GA_F64, percent->data);
    size_t    bytes  = (size_t)o.count * (sizeof *o.quantiles + sizeof *o.places);
    ga_array *result = gi_new(site, o.rule.result, a->device, ndim + o.lines.result_ndim, shape);
    o.quantiles      = result ? (double *)gi_alloc(site, bytes) : NULL;
    bool ok          = o.quantiles != NULL;
    if (ok) {
        o.places = (int64_t *)(o.quantiles + o.count);
        o.out    = (char *)result->data;
        o.result = result;
        ok       = gi_take_quantiles(site, &o, o.count, (const double *)percent->data) && gi_run_order(site, &o);
    }
    gi_release(o.quantiles, bytes);
    ga_free(percent);
    if (ok) return gi_finish(site, result, o.rule.result, options.out);
    ga_free(result);
    return NULL;
}

ga_array *(ga_percentile)(const ga_array *a, ga_arg q, ga_order_options o)
{
    return gi_percentile("ga_percentile", false, a, q, o);
}
ga_array *(ga_nanpercentile)(const ga_array *a, ga_arg q, ga_order_options o)
{
    return gi_percentile("ga_nanpercentile", true, a, q, o);
}

/* ==== >>images: objects and their measures ============================================================================ */

#if GI_HAS_CUDA
static ga_array *gi_cuda_label(const ga_array *a, ga_dtype dtype, int connectivity, const ga_label_options *o);
#endif

/* ---- label ------------------------------------------------------------------------------------------------------------ */
/*  An image of any dimensions is a list of rows, those of its last axis, each held as bits: what is not 0, or above a threshold,
    makes runs. Runs are numbered in raster order and united with the runs that they touch in neighbouring rows before them. The
    root of a set is its first run, so the objects, numbered by their roots, come in raster order, however the work was divided.
    Long rows are read and written in pieces. */

enum { GI_PIECE_WORDS = 512 };

typedef struct gi_neighbour { /* a row before */
    int64_t rows;             /* how far */
    int     offset[GPUARR_MAX_DIMS];
    bool    corners; /* runs that meet only at a corner touch */
} gi_neighbour;

typedef struct gi_labelling {
    const ga_array    *a;         /* contiguous */
    const void        *threshold; /* NULL: what is not 0; else bounds to sift with */
    const gi_bit_rows *loops;
    int64_t            rows, columns, words, pieces; /* of a row */
    int                leading;                      /* axes of rows */
    int64_t            shape[GPUARR_MAX_DIMS];
    int64_t            bands, band_rows;
    uint64_t          *bits;
    int64_t           *starts;  /* of each piece its first run, and the number of runs */
    int64_t           *parents; /* of each run a run of the same object, not after this one; in the end the label */
    gi_neighbour      *neighbours;
    int                neighbour_count;
    int64_t            farthest; /* rows */
    int                itemsize;
    char              *out;
} gi_labelling;

/* The words of a piece; at: its first one in its row. */
static int64_t gi_piece_words(const gi_labelling *l, int64_t piece, int64_t *at)
{
    *at = piece % l->pieces * GI_PIECE_WORDS;
    return l->words - *at < GI_PIECE_WORDS ? l->words - *at : (int64_t)GI_PIECE_WORDS;
}

/* Bits of n elements. */
static void gi_bits_of(const gi_labelling *l, int64_t n, uint64_t *bits, const char *x)
{
    bool     flags[GI_BLOCK];
    ga_dtype dtype = l->a->dtype;
    int64_t  size  = ga_itemsize(dtype);
    if (l->threshold) gi_sift(dtype, n, x, l->threshold, bits);
    else if (size == 1) l->loops->pack(n, bits, x);
    else
        for (int64_t i = 0; i < n; i += GI_BLOCK) {
            int64_t m = n - i < GI_BLOCK ? n - i : GI_BLOCK;
            gi_cast(GA_BOOL, dtype, m, flags, x + i * size);
            l->loops->pack(m, bits + i / 64, flags);
        }
}

static void gi_read_pieces(int64_t begin, int64_t end, void *job)
{
    gi_labelling *l = (gi_labelling *)job;
    for (int64_t piece = begin; piece < end; piece++) {
        int64_t row = piece / l->pieces, at, words = gi_piece_words(l, piece, &at), column = at * 64;
        int64_t n = l->columns - column < words * 64 ? l->columns - column : words * 64;
        gi_bits_of(l, n, l->bits + row * l->words + at,
                   (const char *)l->a->data + (row * l->columns + column) * ga_itemsize(l->a->dtype));
    }
}

static uint64_t gi_word_before(const uint64_t *bits, int64_t at) { return at > 0 ? bits[-1] : 0; }

static void gi_count_runs(int64_t begin, int64_t end, void *job)
{
    gi_labelling *l = (gi_labelling *)job;
    for (int64_t piece = begin; piece < end; piece++) {
        int64_t         at, words = gi_piece_words(l, piece, &at);
        const uint64_t *bits = l->bits + piece / l->pieces * l->words + at;
        l->starts[piece + 1] = l->loops->runs(words, bits, gi_word_before(bits, at));
    }
}

static int64_t gi_first_run(const gi_labelling *l, int64_t row) { return l->starts[row * l->pieces]; }

/* Unites a row with its neighbours among the rows from low to high. */
static void gi_unite_row(gi_labelling *l, int64_t row, int64_t low, int64_t high)
{
    if (gi_first_run(l, row) == gi_first_run(l, row + 1)) return;
    int64_t at[GPUARR_MAX_DIMS], rest = row;
    for (int d = l->leading - 1; d >= 0; d--) {
        at[d] = rest % l->shape[d];
        rest /= l->shape[d];
    }
    for (int k = 0; k < l->neighbour_count; k++) {
        const gi_neighbour *v      = &l->neighbours[k];
        int64_t             before = row - v->rows;
        bool                inside = before >= low && before < high;
        for (int d = 0; d < l->leading; d++) inside = inside && at[d] + v->offset[d] >= 0 && at[d] + v->offset[d] < l->shape[d];
        if (inside && gi_first_run(l, before) < gi_first_run(l, before + 1))
            l->loops->unite(l->words, l->bits + before * l->words, l->bits + row * l->words, gi_first_run(l, before),
                            gi_first_run(l, row), v->corners, l->parents);
    }
}

static int64_t gi_band_start(const gi_labelling *l, int64_t band)
{
    return band * l->band_rows < l->rows ? band * l->band_rows : l->rows;
}

/* A unit is a band of rows, united among themselves. */
static void gi_label_bands(int64_t begin, int64_t end, void *job)
{
    gi_labelling *l = (gi_labelling *)job;
    for (int64_t band = begin; band < end; band++) {
        int64_t first = gi_band_start(l, band), stop = gi_band_start(l, band + 1);
        for (int64_t i = gi_first_run(l, first); i < gi_first_run(l, stop); i++) l->parents[i] = i;
        for (int64_t row = first; row < stop; row++) gi_unite_row(l, row, first, row);
    }
}

GI_BEGIN_FAST
static GI_INLINE void gi_put_label(char *out, int itemsize, int64_t label)
{
    uint8_t  u8  = (uint8_t)label;
    uint16_t u16 = (uint16_t)label;
    uint32_t u32 = (uint32_t)label;
    switch (itemsize) {
    case 1: memcpy(out, &u8, sizeof u8); break;
    case 2: memcpy(out, &u16, sizeof u16); break;
    case 4: memcpy(out, &u32, sizeof u32); break;
    default: memcpy(out, &label, sizeof label);
    }
}

/* The labels of n elements from their bits; out is cleared. run: the last one that began before; inside: it goes on. */
static GI_INLINE void gi_write_row(int64_t n, char *out, int itemsize, const uint64_t *bits, const int64_t *parents,
                                   int64_t run, bool inside)
{
    for (int64_t i = 0; i < n; i += 64) {
        uint64_t word = bits[i / 64], starts = word & ~(word << 1 | (uint64_t)inside);
        if (starts & (starts - 1) && n - i >= 64) { /* several runs: element by element, without a branch */
            uint64_t in = word;
            for (int k = 0; k < 64; k++, starts >>= 1, in >>= 1) {
                run += (int64_t)(starts & 1);
                gi_put_label(out + (i + k) * itemsize, itemsize, parents[run] & -(int64_t)(in & 1));
            }
        } else {
            for (uint64_t rest = word; rest;) {
                int first = __builtin_ctzll(rest), length = ~(rest >> first) ? __builtin_ctzll(~(rest >> first)) : 64;
                run += (int64_t)(starts >> first & 1);
                for (int k = first; k < first + length; k++) gi_put_label(out + (i + k) * itemsize, itemsize, parents[run]);
                rest = first + length < 64 ? rest >> (first + length) << (first + length) : 0;
            }
        }
        inside = word >> 63;
    }
}

static void gi_write_labels(int64_t begin, int64_t end, void *job)
{
    gi_labelling *l = (gi_labelling *)job;
    for (int64_t piece = begin; piece < end; piece++) {
        int64_t         row = piece / l->pieces, at, words = gi_piece_words(l, piece, &at), column = at * 64;
        int64_t         n = l->columns - column < words * 64 ? l->columns - column : words * 64, run = l->starts[piece] - 1;
        const uint64_t *bits   = l->bits + row * l->words + at;
        char           *out    = l->out + (row * l->columns + column) * l->itemsize;
        bool            inside = gi_word_before(bits, at) >> 63;
        memset(out, 0, (size_t)(n * l->itemsize));
        switch (l->itemsize) {
        case 1: gi_write_row(n, out, 1, bits, l->parents, run, inside); break;
        case 2: gi_write_row(n, out, 2, bits, l->parents, run, inside); break;
        case 4: gi_write_row(n, out, 4, bits, l->parents, run, inside); break;
        default: gi_write_row(n, out, 8, bits, l->parents, run, inside);
        }
    }
}
GI_END_FAST

/* The least number above x in the dtype that elements are sifted as; NaN if there is none. */
static double gi_next_above(ga_dtype dtype, double x)
{
    if (gi_sifted_as(dtype) == GA_F64) return x < (double)INFINITY ? nextafter(x, (double)INFINITY) : gi_nan_f64();
    float single = gi_cast_f32_f64(x);
    return single < (float)INFINITY ? (double)nextafterf(single, (float)INFINITY) : gi_nan_f64();
}

/* The rows before a row that touch it: offsets of -1, 0 and 1 along each leading axis, the first that is not 0 being -1, and
   at most `connectivity` of them not 0. Writes them unless neighbours is NULL; returns their number. */
static int gi_list_neighbours(gi_labelling *l, int connectivity)
{
    int combinations = 1, count = 0;
    for (int d = 0; d < l->leading; d++) combinations *= 3;
    for (int c = 0; c < combinations / 2; c++) { /* in this order the second half lies behind */
        gi_neighbour v;
        int          rest = c, moved = 0;
        int64_t      stride = 1;
        memset(&v, 0, sizeof v);
        for (int d = l->leading - 1; d >= 0; d--) {
            v.offset[d] = rest % 3 - 1;
            rest /= 3;
            moved += v.offset[d] != 0;
            v.rows -= v.offset[d] * stride;
            stride *= l->shape[d];
        }
        if (moved > connectivity) continue;
        v.corners = moved < connectivity;
        if (v.rows > l->farthest) l->farthest = v.rows;
        if (l->neighbours) l->neighbours[count] = v;
        count++;
    }
    return count;
}

/* Finds the objects of a planned image and numbers them; returns their number. starts is filled, parents and neighbours have
   their room. */
static int64_t gi_find_objects(gi_labelling *l)
{
    int64_t objects = 0;
    gi_parallel(l->bands, 1, gi_label_bands, l);
    for (int64_t band = 1; band < l->bands; band++) { /* the seams */
        int64_t first = gi_band_start(l, band), stop = gi_band_start(l, band + 1);
        if (stop > first + l->farthest) stop = first + l->farthest;
        for (int64_t row = first; row < stop; row++) gi_unite_row(l, row, 0, first);
    }
    for (int64_t i = 0; i < gi_first_run(l, l->rows); i++) /* parents come before, and are labels already */
        l->parents[i] = l->parents[i] == i ? ++objects : l->parents[l->parents[i]];
    return objects;
}

static int64_t gi_largest_int(ga_dtype dtype)
{
    int bits = 8 * (int)ga_itemsize(dtype) - gi_is_signed(dtype);
    return bits >= 63 ? INT64_MAX : ((int64_t)1 << bits) - 1;
}

/* Do numbers for so many objects fit? If not, an error. */
static bool gi_can_number(const char *site, int64_t objects, ga_dtype dtype)
{
    if (objects <= gi_largest_int(dtype)) return true;
    gi_fail(site, GA_BAD_DTYPE, "%lld objects cannot be numbered in %s: use a larger .dtype", (long long)objects,
            ga_dtype_name(dtype));
    return false;
}

ga_array *(ga_label)(const ga_array *a, ga_label_options o)
{
    const char *site = o.site;
    if (!gi_check(site, a, "a")) return NULL;
    ga_dtype dtype = o.dtype == GA_DTYPE_DEFAULT ? GA_I32 : o.dtype;
    if (!gi_is_int(dtype))
        return (ga_array *)gi_fail(site, GA_BAD_DTYPE, ".dtype = %s: labels are integers", ga_dtype_name(dtype));
    if (o.connectivity < 0)
        return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT, ".connectivity = %d: use 1 to the number of dimensions",
                                   o.connectivity);
    int  connectivity = o.connectivity == 0 ? 1 : o.connectivity;
    bool threshold    = o.above != 0 || gi_option_given(site, "above");
    if (threshold && gi_is_complex(a->dtype))
        return (ga_array *)gi_fail(site, GA_BAD_DTYPE, ".above does not exist for %s: complex numbers have no order",
                                   ga_dtype_name(a->dtype));
#if GI_HAS_CUDA
    if (a->device == GA_CUDA && threshold) {
        ga_array *bright = (ga_greater)(gi_operand_arg(a), GA_ARG(o.above), gi_map_site(site));
        ga_array *labels = bright ? gi_cuda_label(bright, dtype, connectivity, &o) : NULL;
        ga_free(bright);
        return labels;
    }
#endif
    GI_IF_CUDA(a->device, gi_cuda_label(a, dtype, connectivity, &o));
    gi_labelling l;
    char         bounds[16];
    memset(&l, 0, sizeof l);
    if (threshold) gi_sift_bounds(a->dtype, gi_next_above(a->dtype, o.above), (double)INFINITY, bounds);
    l.threshold = threshold ? bounds : NULL;
    l.loops     = gi_cpu_bit_rows();
    l.columns   = a->ndim > 0 ? a->shape[a->ndim - 1] : 1;
    l.leading   = a->ndim > 0 ? a->ndim - 1 : 0;
    l.rows      = l.columns > 0 ? a->size / l.columns : 0;
    l.words     = (l.columns + 63) / 64;
    l.pieces    = (l.words + GI_PIECE_WORDS - 1) / GI_PIECE_WORDS;
    l.itemsize  = (int)ga_itemsize(dtype);
    for (int d = 0; d < l.leading; d++) l.shape[d] = a->shape[d];
    l.neighbour_count = gi_list_neighbours(&l, connectivity);
    /* bands of whole planes where there are enough, so that few rows have neighbours in another band */
    int64_t threads = ga_get_num_threads();
    int64_t plane   = a->size > 0 && l.leading > 1 && l.shape[0] >= 2 * threads ? l.rows / l.shape[0] : 1;
    int64_t wanted  = a->size / 32768 + 1 < 4 * threads ? a->size / 32768 + 1 : 4 * threads;
    l.band_rows     = threads == 1 ? l.rows + 1 : (l.rows / plane / wanted + 1) * plane;
    l.bands         = (l.rows + l.band_rows - 1) / l.band_rows;

    ga_array *packed = gi_contiguous(site, a, a->dtype);
    ga_array *result = packed ? gi_new(site, dtype, a->device, a->ndim, a->shape) : NULL;
    int64_t   pieces = l.rows * l.pieces, share = 1 + 65536 / (l.columns + 1), objects = 0, *table = NULL;
    size_t    s_bytes = (size_t)(pieces + 1) * sizeof *l.starts, p_bytes = 0;
    size_t    n_bytes = (size_t)l.neighbour_count * sizeof *l.neighbours, b_bytes = (size_t)(l.rows * l.words) * sizeof *l.bits;
    l.starts     = result ? (int64_t *)gi_alloc(site, s_bytes) : NULL;
    l.neighbours = l.starts ? (gi_neighbour *)gi_alloc(site, n_bytes) : NULL;
    l.bits       = l.neighbours ? (uint64_t *)gi_alloc(site, b_bytes) : NULL;
    bool ok      = l.bits != NULL;
    if (ok) {
        gi_list_neighbours(&l, connectivity);
        l.a         = packed;
        l.out       = (char *)result->data;
        l.starts[0] = 0;
        gi_parallel(pieces, share, gi_read_pieces, &l);
        gi_parallel(pieces, 8 * share, gi_count_runs, &l);
        for (int64_t piece = 0; piece < pieces; piece++) l.starts[piece + 1] += l.starts[piece];
        p_bytes = (size_t)(l.starts[pieces] + 1) * sizeof *l.parents;
        table   = (int64_t *)gi_alloc(site, p_bytes);
        ok      = table != NULL;
    }
    if (ok) {
        table[0]  = 0; /* for what lies before the first run */
        l.parents = table + 1;
        objects   = gi_find_objects(&l);
        ok        = gi_can_number(site, objects, dtype);
    }
    if (ok) gi_parallel(pieces, share, gi_write_labels, &l);
    gi_release(table, p_bytes);
    gi_release(l.bits, b_bytes);
    gi_release(l.neighbours, n_bytes);
    gi_release(l.starts, s_bytes);
    ga_free(packed);
    if (ok && o.count) *o.count = objects;
    if (ok) return result;
    ga_free(result);
    return NULL;
}

/* ---- measures of labelled elements -------------------------------------------------------------------------------------- */
/*  The elements of a label, in raster order, are a line, folded by the documented tree in float64: ga_sum_labels(a, labels,
    ...) has the bits of ga_sum over the elements of the label, for any number of threads, and a GPU gets them by a stable
    sort by label. Here the runs of equal labels are sorted, by counting. */

typedef struct gi_label_run {
    int64_t at, length; /* positions in raster order */
    int64_t group;
} gi_label_run;

typedef struct gi_member_run {
    int64_t at, before; /* elements of its group before it */
} gi_member_run;

typedef struct gi_groups {
    int64_t         count;   /* distinct labels that are asked for, ascending: */
    int64_t         low;     /* low, low + 1 ... */
    const int64_t  *values;  /* or these */
    const ga_array *labels;  /* contiguous; NULL: everything is one group */
    int64_t         size;    /* elements of the image */
    int64_t         largest; /* atomic: label */
    bool           *busy;    /* of each GI_LABEL_WORD elements: is anything of interest among them? */
    int64_t        *places;  /* of each chunk of the image: runs; then where they go */
    gi_label_run   *runs;    /* in raster order */
    int64_t         parts;   /* of the runs */
    int64_t        *counts;  /* of each part: runs of each group; then where the next one goes */
    int64_t        *starts;  /* count + 1: elements of the groups before */
    int64_t        *first;   /* count + 1: where the runs of a group begin in */
    gi_member_run  *members; /* sorted by group */
} gi_groups;

/* The group of a label, -1 for none. */
static int64_t gi_group_of(const gi_groups *g, int64_t label)
{
    if (!g->values) {
        uint64_t group = (uint64_t)label - (uint64_t)g->low;
        return group < (uint64_t)g->count ? (int64_t)group : -1;
    }
    int64_t low = 0, high = g->count;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (g->values[middle] < label) low = middle + 1;
        else high = middle;
    }
    return low < g->count && g->values[low] == label ? low : -1;
}

#define GI_LABEL_WORD  64
#define GI_LABEL_CHUNK 8192

/* The label of element i. */
static int64_t gi_label_at(const ga_array *labels, int64_t i)
{
    switch (labels->dtype) {
#define GI_CASE(TAG, tag, T, name)                                                                                             \
    case GA_##TAG:                                                                                                             \
        return gi_cast_i64_##tag(((const T *)labels->data)[i]);
        GI_EACH_DTYPE(GI_CASE)
#undef GI_CASE
    default: return 0;
    }
}

GI_BEGIN_FAST
/* The bytes of an element; equal labels have equal bytes. */
static GI_INLINE uint64_t gi_label_bytes(const char *in, int64_t i, int size)
{
    uint8_t  u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    switch (size) {
    case 1: memcpy(&u8, in + i, sizeof u8); return u8;
    case 2: memcpy(&u16, in + 2 * i, sizeof u16); return u16;
    case 4: memcpy(&u32, in + 4 * i, sizeof u32); return u32;
    default: memcpy(&u64, in + 8 * i, sizeof u64); return u64;
    }
}

/* The first bit that is set from bit i on, n if there is none. */
static GI_INLINE int64_t gi_next_bit(const uint64_t *bits, int64_t i, int64_t n)
{
    if (i >= n) return n;
    uint64_t word = bits[i / 64] >> (i % 64);
    if (word) return i + __builtin_ctzll(word);
    for (i = i / 64 + 1; i < (n + 63) / 64; i++)
        if (bits[i]) return 64 * i + __builtin_ctzll(bits[i]);
    return n;
}

/* The runs among n elements from start on, written unless runs is NULL; returns their number. bits says which bytes are not 0;
   NULL: 0 is a label, too. Sets `largest` to a larger label. */
static GI_INLINE int64_t gi_scan_labels(const gi_groups *g, int64_t start, int64_t n, int size, const uint64_t *bits,
                                        gi_label_run *runs, int64_t *largest)
{
    const char *in    = (const char *)g->labels->data + start * size;
    int64_t     found = 0;
    for (int64_t i = 0; i < n;) {
        if (bits) i = gi_next_bit(bits, i * size, n * size) / size;
        if (i >= n) break;
        int64_t  first = i, label = gi_label_at(g->labels, start + i), group = gi_group_of(g, label);
        uint64_t bytes = gi_label_bytes(in, i, size);
        for (i++; i < n && gi_label_bytes(in, i, size) == bytes;) i++;
        if (label > *largest) *largest = label;
        if (group < 0) continue;
        if (runs) {
            runs[found].at     = start + first;
            runs[found].length = i - first;
            runs[found].group  = group;
        }
        found++;
    }
    return found;
}

/* The same for a chunk. The first time, when runs is NULL, it notes where there is something. */
static int64_t gi_scan_chunk(const gi_groups *g, int64_t chunk, gi_label_run *runs, int64_t *largest)
{
    uint64_t           room[GI_LABEL_CHUNK / 8], *bits = NULL; /* a bit a byte */
    int                size  = (int)ga_itemsize(g->labels->dtype);
    int64_t            start = chunk * GI_LABEL_CHUNK, n = g->size - start < GI_LABEL_CHUNK ? g->size - start : GI_LABEL_CHUNK;
    bool              *busy  = g->busy + start / GI_LABEL_WORD;
    const char        *in    = (const char *)g->labels->data + start * size;
    const gi_bit_rows *loops = gi_cpu_bit_rows();
    if (gi_group_of(g, 0) < 0) {
        bits = room;
        if (!runs) loops->pack(n * size, bits, in);
        for (int64_t i = 0; i < n; i += GI_LABEL_WORD) {
            int64_t   m  = n - i < GI_LABEL_WORD ? n - i : (int64_t)GI_LABEL_WORD;
            uint64_t *at = bits + i / GI_LABEL_WORD * size, any = 0;
            if (runs) {
                if (*busy) loops->pack(m * size, at, in + i * size);
                else memset(at, 0, (size_t)size * sizeof *at);
            } else {
                for (int64_t k = 0; k < (m * size + 63) / 64; k++) any |= at[k];
                *busy = any != 0;
            }
            busy++;
        }
    }
    switch (size) {
    case 1: return gi_scan_labels(g, start, n, 1, bits, runs, largest);
    case 2: return gi_scan_labels(g, start, n, 2, bits, runs, largest);
    case 4: return gi_scan_labels(g, start, n, 4, bits, runs, largest);
    default: return gi_scan_labels(g, start, n, 8, bits, runs, largest);
    }
}

static void gi_count_label_runs(int64_t begin, int64_t end, void *job)
{
    gi_groups *g       = (gi_groups *)job;
    int64_t    largest = 0;
    for (int64_t chunk = begin; chunk < end; chunk++) g->places[chunk + 1] = gi_scan_chunk(g, chunk, NULL, &largest);
    for (int64_t seen = __atomic_load_n(&g->largest, __ATOMIC_RELAXED); seen < largest;)
        if (__atomic_compare_exchange_n(&g->largest, &seen, largest, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) break;
}

static void gi_write_label_runs(int64_t begin, int64_t end, void *job)
{
    const gi_groups *g       = (const gi_groups *)job;
    int64_t          largest = INT64_MAX;
    for (int64_t chunk = begin; chunk < end; chunk++)
        if (g->places[chunk] < g->places[chunk + 1]) gi_scan_chunk(g, chunk, g->runs + g->places[chunk], &largest);
}

/* A unit is a part of the runs: counts those of each group, or with members there, writes them. */
static void gi_group_runs(int64_t begin, int64_t end, void *job)
{
    gi_groups *g = (gi_groups *)job;
    int64_t    n = g->places[(g->size + GI_LABEL_CHUNK - 1) / GI_LABEL_CHUNK];
    for (int64_t part = begin; part < end; part++) {
        int64_t *counts = g->counts + part * g->count, stop = part == g->parts - 1 ? n : (part + 1) * (n / g->parts);
        for (int64_t i = part * (n / g->parts); i < stop; i++) {
            const gi_label_run *run  = &g->runs[i];
            int64_t            *next = &counts[run->group];
            if (g->members) {
                g->members[*next].at     = run->at;
                g->members[*next].before = run->length;
            }
            ++*next;
        }
    }
}

/* Lengths become what lies before; starts[group + 1] the size of a group. */
static void gi_add_lengths(int64_t begin, int64_t end, void *job)
{
    gi_groups *g = (gi_groups *)job;
    for (int64_t group = begin; group < end; group++) {
        int64_t before = 0;
        for (int64_t i = g->first[group]; i < g->first[group + 1]; i++) {
            int64_t length       = g->members[i].before;
            g->members[i].before = before;
            before += length;
        }
        g->starts[group + 1] = before;
    }
}
GI_END_FAST

static int gi_compare_ints(const void *a, const void *b)
{
    int64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

/* Sorts n labels and leaves out repetitions; returns how many are left. */
static int64_t gi_unique_labels(int64_t *v, int64_t n)
{
    int64_t kept = 0;
    qsort(v, (size_t)n, sizeof *v, gi_compare_ints);
    for (int64_t i = 0; i < n; i++)
        if (kept == 0 || v[kept - 1] != v[i]) v[kept++] = v[i];
    return kept;
}

/* Can there be a result for each of the labels from 1 on? If not, an error. */
static bool gi_can_list(const char *site, int64_t largest)
{
    if (largest < (int64_t)1 << 40) return true;
    gi_fail(site, GA_BAD_ARGUMENT, "the largest label is %lld: give the labels that you want as index", (long long)largest);
    return false;
}

static void gi_free_groups(gi_groups *g)
{
    if (g->members) gi_release(g->members, (size_t)g->first[g->count] * sizeof *g->members);
    if (g->starts) gi_release(g->starts, (size_t)(2 * (g->count + 1)) * sizeof *g->starts);
    ga_free((ga_array *)(uintptr_t)g->labels);
}

/* Sorts the runs by group. False: no memory. */
static bool gi_sort_runs(const char *site, gi_groups *g, int64_t runs)
{
    int64_t threads = ga_get_num_threads();
    g->parts        = 1 + runs / (16384 + 4 * g->count); /* counting must be worth its table */
    if (g->parts > threads) g->parts = threads;
    size_t bytes = (size_t)(g->count * g->parts) * sizeof *g->counts;
    g->counts    = (int64_t *)gi_alloc(site, bytes);
    g->starts    = g->counts ? (int64_t *)gi_alloc(site, (size_t)(2 * (g->count + 1)) * sizeof *g->starts) : NULL;
    if (g->starts) {
        g->first      = g->starts + g->count + 1;
        int64_t total = 0;
        memset(g->counts, 0, bytes);
        gi_parallel(g->parts, 1, gi_group_runs, g);
        for (int64_t group = 0; group < g->count; group++) {
            g->first[group] = total;
            for (int64_t part = 0; part < g->parts; part++) {
                int64_t *place = &g->counts[part * g->count + group], members = *place;
                *place = total;
                total += members;
            }
        }
        g->first[g->count] = total;
        g->members         = (gi_member_run *)gi_alloc(site, (size_t)total * sizeof *g->members);
    }
    if (g->members) {
        gi_parallel(g->parts, 1, gi_group_runs, g);
        g->starts[0] = 0;
        gi_parallel(g->count, 1 + 16384 * g->count / (runs + 1), gi_add_lengths, g);
        for (int64_t group = 0; group < g->count; group++) g->starts[group + 1] += g->starts[group];
    }
    if (g->counts) gi_release(g->counts, bytes);
    return g->members != NULL;
}

/* Finds the members of the labels that are asked for, or with `all` of each label above 0. False with an error. */
static bool gi_find_groups(const char *site, gi_groups *g, const ga_array *labels, bool all)
{
    g->size        = labels->size;
    g->labels      = gi_contiguous(site, labels, labels->dtype);
    int64_t chunks = (g->size + GI_LABEL_CHUNK - 1) / GI_LABEL_CHUNK, total = 0;
    size_t  p_bytes = (size_t)(chunks + 1) * sizeof *g->places, b_bytes = (size_t)(g->size / GI_LABEL_WORD + 1);
    g->places = g->labels ? (int64_t *)gi_alloc(site, p_bytes) : NULL;
    g->busy   = g->places ? (bool *)gi_alloc(site, b_bytes) : NULL;
    bool ok   = g->busy != NULL;
    if (ok) {
        if (all) g->count = INT64_MAX;
        g->places[0] = 0;
        gi_parallel(chunks, 4, gi_count_label_runs, g);
        for (int64_t chunk = 0; chunk < chunks; chunk++) total = g->places[chunk + 1] += total;
        if (all) g->count = g->largest;
        ok      = !all || gi_can_list(site, g->largest);
        g->runs = ok ? (gi_label_run *)gi_alloc(site, (size_t)total * sizeof *g->runs) : NULL;
    }
    ok = ok && g->runs;
    if (ok) gi_parallel(chunks, 4, gi_write_label_runs, g);
    ok = ok && gi_sort_runs(site, g, total);
    gi_release(g->runs, (size_t)total * sizeof *g->runs);
    gi_release(g->busy, b_bytes);
    gi_release(g->places, p_bytes);
    if (!ok) gi_free_groups(g);
    return ok;
}

typedef enum gi_label_measure { GI_SUM_OF, GI_MEAN_OF, GI_MIN_OF, GI_MAX_OF, GI_SIZE_OF, GI_CENTER_OF } gi_label_measure;

/* Folds `sums` values an element over each group: the element itself, and for centers also its products with its coordinates. */
typedef struct gi_measuring {
    const gi_groups *groups;
    const ga_array  *a; /* contiguous */
    int              sums;
    gi_fold          fold;
    int64_t         *first_block; /* of each group; and the number of blocks */
    char            *accs;        /* for each sum the blocks of all groups */
    double          *results;     /* of each group: the sums */
} gi_measuring;

GI_BEGIN_FAST
/* The coordinates of n elements one after the other, along each axis. */
static void gi_coordinates(const ga_array *a, int64_t position, int64_t n, double (*out)[GI_BLOCK], int64_t to)
{
    int     last = a->ndim - 1;
    int64_t x[GPUARR_MAX_DIMS];
    while (n > 0 && last >= 0) {
        int64_t rest = position, m = n;
        for (int d = last; d >= 0; d--) {
            x[d] = rest % a->shape[d];
            rest /= a->shape[d];
        }
        if (m > a->shape[last] - x[last]) m = a->shape[last] - x[last]; /* to the end of the row */
        for (int d = 0; d < last; d++)
            for (int64_t i = 0; i < m; i++) out[d][to + i] = (double)x[d];
        for (int64_t i = 0; i < m; i++) out[last][to + i] = (double)(x[last] + i);
        position += m;
        to += m;
        n -= m;
    }
}

/* n members of a group from `start` on: elements as float64, and for centers their coordinates. */
static void gi_gather_members(const gi_measuring *m, int64_t group, int64_t start, int64_t n, double *out,
                              double (*coordinates)[GI_BLOCK])
{
    __attribute__((aligned(64))) char raw[GI_BLOCK * 8];
    const gi_groups                  *g    = m->groups;
    int64_t                           size = ga_itemsize(m->a->dtype), low = g->first[group], high = g->first[group + 1];
    const char                       *in = (const char *)m->a->data, *x = raw;
    while (high - low > 1) { /* the last run that does not begin after start */
        int64_t middle = low + (high - low) / 2;
        if (g->members[middle].before <= start) low = middle;
        else high = middle;
    }
    for (int64_t done = 0; done < n; low++) {
        const gi_member_run *run  = &g->members[low];
        int64_t              next = low + 1 < g->first[group + 1] ? run[1].before : g->starts[group + 1] - g->starts[group];
        int64_t              skip = start + done - run->before, take = next - run->before - skip;
        if (take > n - done) take = n - done;
        if (take == n) x = in + (run->at + skip) * size;
        else memcpy(raw + done * size, in + (run->at + skip) * size, (size_t)(take * size));
        if (m->sums > 1) gi_coordinates(m->a, run->at + skip, take, coordinates, done);
        done += take;
    }
    gi_cast(GA_F64, m->a->dtype, n, out, x);
}

/* A unit is a block of a group. */
static void gi_measure_blocks(int64_t begin, int64_t end, void *job)
{
    const gi_measuring *m = (const gi_measuring *)job;
    const gi_groups    *g = m->groups;
    double              x[GI_BLOCK], coordinates[GPUARR_MAX_DIMS][GI_BLOCK];
    int64_t             group = 0, beyond = g->count, blocks = m->first_block[g->count];
    while (beyond - group > 1) { /* the last group whose first block is not after `begin` */
        int64_t middle = group + (beyond - group) / 2;
        if (m->first_block[middle] <= begin) group = middle;
        else beyond = middle;
    }
    for (int64_t unit = begin; unit < end; unit++) {
        while (m->first_block[group + 1] <= unit) group++;
        int64_t start = (unit - m->first_block[group]) * GI_BLOCK, n = g->starts[group + 1] - g->starts[group] - start;
        if (n > GI_BLOCK) n = GI_BLOCK;
        gi_gather_members(m, group, start, n, x, coordinates);
        m->fold.block(n, m->accs + unit * m->fold.acc_bytes, x);
        if (m->sums == 1) continue;
        for (int d = 0; d < m->a->ndim; d++) {
            for (int64_t i = 0; i < n; i++) coordinates[d][i] = gi_mul_f64(x[i], coordinates[d][i]);
            m->fold.block(n, m->accs + ((d + 1) * blocks + unit) * m->fold.acc_bytes, coordinates[d]);
        }
    }
}
GI_END_FAST

/* A unit is a group: folds its blocks. */
static void gi_measure_groups(int64_t begin, int64_t end, void *job)
{
    const gi_measuring *m     = (const gi_measuring *)job;
    const gi_groups    *g     = m->groups;
    int                 bytes = m->fold.acc_bytes;
    for (int64_t group = begin; group < end; group++)
        for (int s = 0; s < m->sums; s++) {
            int64_t n    = m->first_block[group + 1] - m->first_block[group];
            char   *accs = m->accs + (s * m->first_block[g->count] + m->first_block[group]) * bytes;
            double *out  = &m->results[group * m->sums + s];
            *out         = 0;
            if (n == 0) continue;
            gi_fold_blocks(m->fold.halve, bytes, accs, n);
            m->fold.end(1, out, accs, g->starts[group + 1] - g->starts[group]);
        }
}

/* sums float64 for each group, to be released with its bytes, or NULL with an error. */
static double *gi_measure_all(const char *site, gi_label_measure what, const gi_groups *g, const ga_array *a, int sums,
                              size_t *bytes)
{
    gi_measuring m;
    memset(&m, 0, sizeof m);
    m.groups = g;
    m.sums   = sums;
    gi_cpu_fold(what == GI_MIN_OF ? GA_OP_nanmin : what == GI_MAX_OF ? GA_OP_max : GA_OP_sum, GA_F64, &m.fold);
    size_t first_bytes = (size_t)(g->count + 1) * sizeof *m.first_block, acc_bytes = 0;
    *bytes        = (size_t)(g->count * sums) * sizeof *m.results;
    m.a           = gi_contiguous(site, a, a->dtype);
    m.first_block = m.a ? (int64_t *)gi_alloc(site, first_bytes) : NULL;
    if (m.first_block) {
        int64_t blocks = 0;
        for (int64_t group = 0; group < g->count; group++) {
            m.first_block[group] = blocks;
            blocks += (g->starts[group + 1] - g->starts[group] + GI_BLOCK - 1) / GI_BLOCK;
        }
        m.first_block[g->count] = blocks;
        acc_bytes               = (size_t)(blocks * sums) * (size_t)m.fold.acc_bytes;
        m.accs                  = (char *)gi_alloc(site, acc_bytes);
        m.results               = m.accs ? (double *)gi_alloc(site, *bytes) : NULL;
        if (m.results) {
            int64_t share = g->count > 0 ? g->starts[g->count] / (blocks + 1) + 1 : 1; /* elements a block */
            gi_parallel(blocks, 1 + 32768 / share / sums, gi_measure_blocks, &m);
            gi_parallel(g->count, 256, gi_measure_groups, &m);
        }
        if (m.accs) gi_release(m.accs, acc_bytes);
        gi_release(m.first_block, first_bytes);
    }
    ga_free((ga_array *)(uintptr_t)m.a);
    return m.results;
}

/* A new array for the measures of n labels: of the shape of index if there is one, for centers with the coordinates behind. */
static ga_array *gi_new_measures(const char *site, gi_label_measure what, ga_device device, const ga_array *a,
                                 const ga_array *index, int64_t n)
{
    int64_t shape[GPUARR_MAX_DIMS + 1] = { n };
    int     ndim                       = 1;
    if (index && what != GI_CENTER_OF) {
        ndim = index->ndim;
        for (int d = 0; d < ndim; d++) shape[d] = index->shape[d];
    }
    if (what == GI_CENTER_OF) shape[ndim++] = a->ndim;
    return gi_new(site, what == GI_SIZE_OF ? GA_I64 : GA_F64, device, ndim, shape);
}

#if GI_HAS_CUDA
static ga_array *gi_cuda_measure_arrays(const char *site, gi_label_measure what, const ga_array *a, const ga_array *labels,
                                        const ga_array *index);
#endif

/* The common part of all measures. a is NULL for sizes; labels NULL: everything is one object (centers only, as sums_too). */
static ga_array *gi_measure_labels(const char *site, gi_label_measure what, const ga_array *a, const ga_array *labels,
                                   const ga_array *index, ga_array **sums_too)
{
    static const char *const names[3] = { "a", "labels", "index" };
    const ga_array          *all[3]   = { a, labels, index };
    for (int k = 0; k < 3; k++) {
        bool optional = (k == 0 && what == GI_SIZE_OF) || (k == 1 && what == GI_CENTER_OF) || k == 2;
        if (!all[k] && optional) continue;
        if (!gi_check(site, all[k], names[k])) return NULL;
        if (gi_is_complex(all[k]->dtype))
            return (ga_array *)gi_fail(site, GA_BAD_DTYPE, "%s is %s: use real numbers", names[k],
                                       ga_dtype_name(all[k]->dtype));
    }
    ga_device device = gi_common_device(site, 3, all);
    if (device == GA_DEVICE_DEFAULT) return NULL;
    if (a && labels && !ga_same_shape(a, labels))
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "a has shape %s, labels %s: each element needs its label",
                                   gi_shape_of(a), gi_shape_of(labels));
    if (!labels && index)
        return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT, "index without labels: without labels the whole array is measured");
#if GI_HAS_CUDA
    if (device == GA_CUDA) {
        ga_array *measured = gi_cuda_measure_arrays(site, what, a, labels, index);
        if (!measured || !sums_too) return measured;
        *sums_too = gi_cuda_measure_arrays(site, GI_SUM_OF, a, labels, index);
        if (*sums_too) return measured;
        ga_free(measured);
        return NULL;
    }
#endif
    gi_groups g;
    memset(&g, 0, sizeof g);
    g.low                  = 1;
    int64_t       whole[2] = { 0, a ? a->size : 0 }, runs[2] = { 0, 1 }, n = 1;
    gi_member_run everything = { 0, 0 };
    ga_array     *wanted = NULL, *sorted = NULL;
    if (!labels) {
        g.count   = 1;
        g.starts  = whole;
        g.first   = runs;
        g.members = &everything;
    } else if (index) {
        wanted = gi_convert(site, index, GA_I64);
        sorted = wanted ? gi_convert(site, wanted, GA_I64) : NULL;
        if (sorted) {
            int64_t *values = (int64_t *)sorted->data;
            n               = index->size;
            g.count         = gi_unique_labels(values, n);
            if (n > 0) g.low = values[0];
            if (n > 0 && (uint64_t)values[g.count - 1] - (uint64_t)values[0] != (uint64_t)g.count - 1) g.values = values;
        }
    }
    bool found = !labels || ((!index || sorted) && gi_find_groups(site, &g, labels, !index));
    if (labels && !index) n = g.count;

    int       sums   = what == GI_CENTER_OF ? a->ndim + 1 : 1;
    size_t    bytes  = 0;
    double   *values = found && what != GI_SIZE_OF ? gi_measure_all(site, what, &g, a, sums, &bytes) : NULL;
    ga_array *result = values || (found && what == GI_SIZE_OF) ? gi_new_measures(site, what, GA_CPU, a, index, n) : NULL;
    ga_array *totals = result && sums_too ? gi_new_measures(site, GI_SUM_OF, GA_CPU, a, index, n) : NULL;
    if (result && sums_too && !totals) {
        ga_free(result);
        result = NULL;
    }
    for (int64_t i = 0; result && i < n; i++) {
        int64_t       group = wanted ? gi_group_of(&g, ((const int64_t *)wanted->data)[i]) : i;
        int64_t       size  = g.starts[group + 1] - g.starts[group];
        const double *v     = values ? values + group * sums : NULL;
        if (what == GI_SIZE_OF) ((int64_t *)result->data)[i] = size;
        else if (what != GI_CENTER_OF) ((double *)result->data)[i] = what == GI_MEAN_OF ? v[0] / (double)size : v[0];
        else
            for (int d = 0; d < a->ndim; d++) ((double *)result->data)[i * a->ndim + d] = v[d + 1] / v[0];
        if (totals) ((double *)totals->data)[i] = v[0];
    }
    if (sums_too) *sums_too = totals;
    if (values) gi_release(values, bytes);
    if (found && labels) gi_free_groups(&g);
    ga_free(sorted);
    ga_free(wanted);
    return result;
}

ga_array *(ga_sum_labels)(const ga_array *a, const ga_array *labels, const ga_array *index, const char *site)
{
    return gi_measure_labels(site, GI_SUM_OF, a, labels, index, NULL);
}
ga_array *(ga_mean_labels)(const ga_array *a, const ga_array *labels, const ga_array *index, const char *site)
{
    return gi_measure_labels(site, GI_MEAN_OF, a, labels, index, NULL);
}
ga_array *(ga_min_labels)(const ga_array *a, const ga_array *labels, const ga_array *index, const char *site)
{
    return gi_measure_labels(site, GI_MIN_OF, a, labels, index, NULL);
}
ga_array *(ga_max_labels)(const ga_array *a, const ga_array *labels, const ga_array *index, const char *site)
{
    return gi_measure_labels(site, GI_MAX_OF, a, labels, index, NULL);
}
ga_array *(ga_size_labels)(const ga_array *labels, const ga_array *index, const char *site)
{
    return gi_measure_labels(site, GI_SIZE_OF, NULL, labels, index, NULL);
}
ga_array *(ga_center_of_mass)(const ga_array *a, const ga_array *labels, const ga_array *index, ga_center_options o)
{
    if (o.sums) *o.sums = NULL;
    return gi_measure_labels(o.site, GI_CENTER_OF, a, labels, index, o.sums);
}

/* ---- kappa-sigma clipping ------------------------------------------------------------------------------------------------ */

typedef struct gi_clipping {
    const ga_array *x;         /* contiguous */
    double          low, high; /* keep what lies between or on them */
    int64_t        *counts;    /* of each chunk: elements kept; then where they go */
    char           *out;       /* write them there */
    bool           *mask;      /* or what is not kept there */
} gi_clipping;

enum { GI_CLIP_CHUNK = 16384 };

static void gi_clip_chunks(int64_t begin, int64_t end, void *job)
{
    gi_clipping *c    = (gi_clipping *)job;
    int64_t      size = ga_itemsize(c->x->dtype);
    double       tile[GI_TILE];
    for (int64_t chunk = begin; chunk < end; chunk++) {
        int64_t start = chunk * GI_CLIP_CHUNK, count = 0;
        int64_t stop = c->x->size - start < GI_CLIP_CHUNK ? c->x->size : start + GI_CLIP_CHUNK;
        char   *out  = c->out ? c->out + c->counts[chunk] * size : NULL;
        for (int64_t i = start; i < stop; i += GI_TILE) {
            int64_t     n  = stop - i < GI_TILE ? stop - i : GI_TILE;
            const char *in = (const char *)c->x->data + i * size;
            gi_cast(GA_F64, c->x->dtype, n, tile, in);
            if (!out && !c->mask)
                for (int64_t k = 0; k < n; k++) count += (tile[k] >= c->low) & (tile[k] <= c->high);
            for (int64_t k = 0; c->mask && k < n; k++) c->mask[i + k] = !((tile[k] >= c->low) & (tile[k] <= c->high));
            for (int64_t from = 0; out && from < n;) { /* run by run */
                int64_t to = from;
                while (to < n && (tile[to] >= c->low) & (tile[to] <= c->high)) to++;
                memcpy(out, in + from * size, (size_t)((to - from) * size));
                out += (to - from) * size;
                from = to + 1;
            }
        }
        if (c->counts && !out) c->counts[chunk] = count;
    }
}

#if GI_HAS_CUDA
static ga_array *gi_cuda_keep_between(const char *site, const ga_array *x, double low, double high);
static bool      gi_cuda_between(const char *site, const ga_array *x, double low, double high, ga_array *flags, bool inside);
#endif

/* A new 1-D array with the elements of a contiguous x between or on the bounds, in their order; if that is all, maybe a view of x. */
static ga_array *gi_keep_between(const char *site, const ga_array *x, double low, double high)
{
    GI_IF_CUDA(x->device, gi_cuda_keep_between(site, x, low, high));
    int64_t     chunks = (x->size + GI_CLIP_CHUNK - 1) / GI_CLIP_CHUNK, kept = 0, stride = ga_itemsize(x->dtype);
    size_t      bytes = (size_t)chunks * sizeof(int64_t);
    gi_clipping c;
    memset(&c, 0, sizeof c);
    c.x      = x;
    c.low    = low;
    c.high   = high;
    c.counts = (int64_t *)gi_alloc(site, bytes);
    if (!c.counts) return NULL;
    gi_parallel(chunks, 2, gi_clip_chunks, &c);
    for (int64_t i = 0; i < chunks; i++) {
        int64_t count = c.counts[i];
        c.counts[i]   = kept;
        kept += count;
    }
    ga_array *result = kept == x->size ? gi_new_view(site, x, x->data, x->dtype, 1, &kept, &stride)
                                       : gi_new(site, x->dtype, x->device, 1, &kept);
    if (result && kept < x->size) {
        c.out = (char *)result->data;
        gi_parallel(chunks, 2, gi_clip_chunks, &c);
    }
    gi_release(c.counts, bytes);
    return result;
}

/* mask: which elements of a contiguous x do not lie between or on the bounds. */
static bool gi_mask_outside(const char *site, const ga_array *x, double low, double high, ga_array *mask)
{
    GI_IF_CUDA(x->device, gi_cuda_between(site, x, low, high, mask, false));
    (void)site;
    gi_clipping c;
    memset(&c, 0, sizeof c);
    c.x    = x;
    c.low  = low;
    c.high = high;
    c.mask = (bool *)mask->data;
    gi_parallel((x->size + GI_CLIP_CHUNK - 1) / GI_CLIP_CHUNK, 2, gi_clip_chunks, &c);
    return true;
}

/* Median (or mean) and standard deviation of a 1-D array without NaN, in float64; NaN for none. */
static bool gi_center_and_std(const char *site, const ga_array *x, bool mean, double *center, double *std)
{
    ga_reduce_options r = gi_reduce_site(site);
    ga_array         *m, *s = NULL;
    r.dtype = GA_F64;
    if (mean) {
        m = (ga_mean)(x, r);
    } else {
        ga_order_options options;
        gi_order         o;
        double           half  = 0.5;
        int64_t          place = 0;
        memset((void *)&options, 0, sizeof options);
        memset(&o, 0, sizeof o);
        if (!gi_plan_order(site, &o, "ga_sigma_clip", x, &options)) return false;
        m = gi_new(site, GA_F64, x->device, 0, NULL);
        if (!m) return false;
        o.rule.median = true;
        o.rule.result = GA_F64;
        o.count       = 1;
        o.quantiles   = &half;
        o.places      = &place;
        o.out         = (char *)m->data;
        o.result      = m;
        if (!gi_run_order(site, &o)) {
            ga_free(m);
            return false;
        }
    }
    bool known = m && gi_item_as(site, m, NULL, GA_F64, center);
    if (known) s = gi_real_moment(GI_STD, false, x, &r);
    known = s && gi_item_as(site, s, NULL, GA_F64, std);
    ga_free(s);
    ga_free(m);
    return known;
}

/* The number next to x upwards or downwards, so that "less than" becomes "at most"; infinities become the largest numbers:
   what is kept is finite. */
static double gi_inside(double x, bool strictly, double towards)
{
    if (strictly) x = nextafter(x, towards);
    return x < -DBL_MAX ? -DBL_MAX : x > DBL_MAX ? DBL_MAX : x;
}

ga_array *(ga_sigma_clip)(const ga_array *a, ga_sigma_options o)
{
    const char *site = o.site;
    if (!gi_check(site, a, "a")) return NULL;
    if (gi_is_complex(a->dtype))
        return (ga_array *)gi_fail(site, GA_BAD_DTYPE, "ga_sigma_clip does not exist for %s", ga_dtype_name(a->dtype));
    bool   lesson = o.rule == GA_CLIP_LESSON;
    double sigma  = o.sigma == 0 ? 3 : o.sigma;
    double below = o.sigma_low == 0 ? sigma : o.sigma_low, above = o.sigma_high == 0 ? sigma : o.sigma_high;
    if (!lesson && o.rule != GA_CLIP_ASTROPY)
        return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT, ".rule = %d: use GA_CLIP_LESSON or GA_CLIP_ASTROPY", (int)o.rule);
    if (!(below > 0 && above > 0))
        return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT, "a sigma is not positive: %g below, %g above", below, above);
    if (o.maxiters < -1) return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT, ".maxiters = %d: use -1 for no limit", o.maxiters);
    int most = lesson || o.maxiters == -1 ? INT_MAX : o.maxiters == 0 ? 5 : o.maxiters, passes = 0;

    double    low = 0, high = 0, keep_low = -DBL_MAX, keep_high = DBL_MAX;
    ga_array *whole = gi_contiguous(site, a, a->dtype), *x = whole ? gi_keep_between(site, whole, keep_low, keep_high) : NULL;
    bool      ok = x != NULL;
    for (int64_t removed = 1; ok && removed > 0 && passes < most; passes++) {
        double center, std;
        ok = gi_center_and_std(site, x, o.mean, &center, &std);
        if (!ok) break;
        low                 = center - gi_mul_f64(below, std);
        high                = center + gi_mul_f64(above, std);
        double    inner_low = gi_inside(low, lesson, (double)INFINITY), inner_high = gi_inside(high, lesson, -(double)INFINITY);
        ga_array *rest = gi_keep_between(site, x, inner_low, inner_high);
        ok             = rest != NULL;
        removed        = ok ? x->size - rest->size : 0;
        if (lesson) { /* what was removed once stays so; astropy's result is what lies within the last bounds */
            keep_low  = inner_low > keep_low ? inner_low : keep_low;
            keep_high = inner_high < keep_high ? inner_high : keep_high;
        } else {
            keep_low  = inner_low;
            keep_high = inner_high;
        }
        ga_free(x);
        x = rest;
        if (!lesson && ok && x->size == 0) most = passes + 1; /* nothing is left to take bounds from */
    }
    ga_array *result = NULL, *mask = NULL;
    if (ok && lesson) result = gi_new_view(site, x, x->data, x->dtype, 1, x->shape, x->strides);
    else if (ok) result = gi_keep_between(site, whole, keep_low, keep_high);
    if (result && result->data == a->data) { /* nothing was removed: still, what is returned is a new array */
        ga_array *copy = gi_convert(site, result, result->dtype);
        ga_free(result);
        result = copy;
    }
    if (result && o.mask) {
        mask = gi_new(site, GA_BOOL, a->device, a->ndim, a->shape);
        if (!mask || !gi_mask_outside(site, whole, keep_low, keep_high, mask)) {
            ga_free(mask);
            ga_free(result);
            mask = result = NULL;
        }
    }
    ga_free(x);
    ga_free(whole);
    if (o.mask) *o.mask = mask;
    if (!result) return NULL;
    if (o.passes) *o.passes = passes;
    if (o.low) *o.low = low;
    if (o.high) *o.high = high;
    return result;
}

/* ==== >>distances: between the rows of two arrays ====================================================================== */
/*  Each distance is one chain over the features in their order, in the dtype of the result, however the work is divided. (A matrix
    product would not be faster than this, and cancel digits where points are close.)                                       */

#if GI_HAS_CUDA
static bool gi_cuda_distances(const char *site, const gi_distances *d, const ga_array *x, const ga_array *y, ga_array *result);
static bool gi_cuda_squareform(const char *site, const ga_array *from, ga_array *to);
#endif

#define GI_DISTANCE_WORK   (1 << 17)  /* steps of a chain that are worth a thread */
#define GI_DISTANCE_STREAM (12 << 20) /* bytes of a result that is written past the caches */
#define GI_DISTANCE_ROOM   64         /* elements of a tile's widest row */

typedef struct gi_distance_job {
    const gi_distances *d;
    const gi_dense     *dense;
    int64_t             across; /* units beside each other */
} gi_distance_job;

static void gi_distance_units(int64_t begin, int64_t end, void *job)
{
    const gi_distance_job *j = (const gi_distance_job *)job;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t row = unit / j->across * j->d->unit_rows, column = unit % j->across * j->d->unit_columns;
        if (!j->d->condensed || column + j->d->unit_columns > row + 1) j->dense->distance_unit(j->d, row, column);
    }
}

/* The same distances, those of y from x. */
static gi_distances gi_swapped_distances(const gi_distances *d)
{
    gi_distances s  = *d;
    s.rows          = d->columns;
    s.columns       = d->rows;
    s.x             = d->y;
    s.y             = d->x;
    s.x_norms       = d->y_norms;
    s.y_norms       = d->x_norms;
    s.row_stride    = d->column_stride;
    s.column_stride = d->row_stride;
    return s;
}

static void gi_cpu_distances(const gi_distances *asked, ga_dtype dtype)
{
    const gi_dense *dense = gi_cpu_dense(dtype);
    int64_t         size = ga_itemsize(dtype), width = dense->lanes * dense->tile, threads = ga_get_num_threads();
    gi_distances    d = *asked;
    if (d.columns < dense->lanes && d.columns < d.rows && !d.condensed) d = gi_swapped_distances(asked); /* fewer idle lanes */
    int64_t depth = d.features > 0 ? d.features : 1, tiles = GI_DISTANCE_PACK / (width * size) / depth; /* that fit the cache */
    d.unit_columns = (tiles > 1 ? tiles : 1) * width;
    d.unit_rows    = tiles > 0 ? 8 * GI_DISTANCE_ROWS : GI_DISTANCE_ROWS;
    d.stream = d.column_stride == 1 && !d.condensed && (double)d.rows * (double)(d.row_stride * size) >= GI_DISTANCE_STREAM &&
               ((uintptr_t)d.out | (uintptr_t)(d.row_stride * size)) % 64 == 0;

    /* Units enough for all threads, some for those that are late; but each one packs its columns anew. */
    double  work   = (double)d.rows * (double)d.columns * (double)(d.features + 4);
    int64_t across = (d.columns + d.unit_columns - 1) / d.unit_columns, units;
    for (;; d.unit_rows /= 2) {
        units = (d.rows + d.unit_rows - 1) / d.unit_rows * across;
        if (work < GI_DISTANCE_WORK || units >= 8 * threads || d.unit_rows <= (units < threads ? 8 : 64)) break;
    }
    gi_distance_job j = { &d, dense, across };
    gi_parallel(units, 1 + (int64_t)((double)units * GI_DISTANCE_WORK / (work + 1)), gi_distance_units, &j);
}

/* Fills a packed result; x and y (NULL: pairs of x) are packed and of its dtype. */
static bool gi_find_distances(const char *site, ga_metric metric, const ga_array *x, const ga_array *y, ga_array *result)
{
    const ga_array *points[2] = { x, y };
    ga_array       *norms[2]  = { NULL, NULL };
    gi_distances    d;
    bool            ok = true;
    if (result->size == 0) return true;
    for (int k = 0; k < 2 && metric == GA_COSINE && ok; k++) { /* their distances from the origin */
        if (!points[k]) continue;
        int64_t   origin_shape[2] = { 1, x->shape[1] }, shape[2] = { 1, points[k]->shape[0] + GI_DISTANCE_ROOM };
        ga_array *origin = gi_new(site, x->dtype, x->device, 2, origin_shape);
        norms[k]         = origin && gi_clear(site, origin) ? gi_new(site, x->dtype, x->device, 2, shape) : NULL;
        ok = norms[k] && gi_clear(site, norms[k]) && gi_find_distances(site, GA_EUCLIDEAN, origin, points[k], norms[k]);
        ga_free(origin);
    }
    if (ok) {
        const ga_array *second = y ? y : x;
        memset(&d, 0, sizeof d);
        d.metric        = metric;
        d.features      = x->shape[1];
        d.rows          = x->shape[0];
        d.columns       = second->shape[0];
        d.x             = x->data;
        d.y             = second->data;
        d.x_norms       = norms[0] ? norms[0]->data : NULL;
        d.y_norms       = norms[1] ? norms[1]->data : d.x_norms;
        d.out           = result->data;
        d.row_stride    = d.columns;
        d.column_stride = 1;
        d.condensed     = !y;
#if GI_HAS_CUDA
        if (x->device == GA_CUDA) ok = gi_cuda_distances(site, &d, x, second, result);
        else
#endif
            gi_cpu_distances(&d, x->dtype);
    }
    ga_free(norms[1]);
    ga_free(norms[0]);
    return ok;
}

static bool gi_check_points(const char *site, const ga_array *a, const char *name)
{
    if (!gi_check(site, a, name)) return false;
    if (a->ndim != 2)
        gi_fail(site, GA_BAD_SHAPE, "%s has shape %s: use (points, features), two dimensions", name, gi_shape_of(a));
    else if (gi_is_complex(a->dtype))
        gi_fail(site, GA_BAD_DTYPE, "%s is %s: there are no distances of complex numbers", name, ga_dtype_name(a->dtype));
    else return true;
    return false;
}

/* The common part of ga_cdist and ga_pdist (y is NULL). */
static ga_array *gi_distances_into(const ga_array *x, const ga_array *y, int ndim, const int64_t *shape,
                                   const ga_distance_options *o)
{
    const ga_array *all[3] = { x, y, o->out };
    ga_dtype        dtype  = (y ? ga_promote(x->dtype, y->dtype) : x->dtype) == GA_F32 ? GA_F32 : GA_F64;
    if ((int)o->metric < GA_EUCLIDEAN || o->metric > GA_COSINE)
        return (ga_array *)gi_fail(o->site, GA_BAD_ARGUMENT, ".metric = %d is none: use GA_EUCLIDEAN, GA_CITYBLOCK ...",
                                   (int)o->metric);
    if (gi_null_option(o->site, "out", o->out) || (o->out && !gi_check_out(o->site, o->out, dtype, ndim, shape)) ||
        gi_common_device(o->site, 3, all) == GA_DEVICE_DEFAULT)
        return NULL;
    ga_array *px = gi_contiguous(o->site, x, dtype), *py = px && y ? gi_contiguous(o->site, y, dtype) : NULL, *result = NULL;
    bool      ok  = px && (py || !y);
    bool in_place = ok && o->out && o->out->dtype == dtype && ga_is_contiguous(o->out) && !ga_may_share_memory(o->out, px) &&
                    !ga_may_share_memory(o->out, py);
    if (in_place) result = gi_new_view(o->site, o->out, o->out->data, dtype, ndim, shape, o->out->strides);
    else if (ok) result = gi_new(o->site, dtype, x->device, ndim, shape);
    ok = result && gi_find_distances(o->site, o->metric, px, py, result);
    ga_free(py);
    ga_free(px);
    if (ok && !in_place) return gi_finish(o->site, result, dtype, o->out);
    ga_free(result);
    return ok ? o->out : NULL;
}

ga_array *(ga_cdist)(const ga_array *x, const ga_array *y, ga_distance_options o)
{
    if (!gi_check_points(o.site, x, "x") || !gi_check_points(o.site, y, "y")) return NULL;
    if (x->shape[1] != y->shape[1])
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "x has shape %s and y %s: their points must have as many features",
                                   gi_shape_of(x), gi_shape_of(y));
    const int64_t shape[2] = { x->shape[0], y->shape[0] };
    return gi_distances_into(x, y, 2, shape, &o);
}

/* How many pairs there are of n points; -1 with an error if they cannot be counted. */
static int64_t gi_pairs(const char *site, int64_t n)
{
    int64_t pairs;
    if (n < 2) return 0;
    if (!__builtin_mul_overflow(n % 2 ? n : n - 1, n / 2, &pairs)) return pairs;
    gi_fail(site, GA_BAD_SHAPE, "%lld points have more pairs than can be counted", (long long)n);
    return -1;
}

ga_array *(ga_pdist)(const ga_array *x, ga_distance_options o)
{
    if (!gi_check_points(o.site, x, "x")) return NULL;
    const int64_t pairs = gi_pairs(o.site, x->shape[0]);
    return pairs < 0 ? NULL : gi_distances_into(x, NULL, 1, &pairs, &o);
}

/* ---- squareform ------------------------------------------------------------------------------------------------------ */

typedef struct gi_square_job {
    char   *vector, *matrix; /* the vector is packed; the matrix has byte strides */
    int64_t n, row_stride, column_stride;
    int     itemsize;
} gi_square_job;

enum { GI_SQUARE_SIDE = 32 };

/* A unit is GI_SQUARE_SIDE rows, from the diagonal on, and the columns that mirror them: square by square, for the caches' sake. */
static void gi_vector_to_rows(int64_t begin, int64_t end, void *job)
{
    const gi_square_job *s = (const gi_square_job *)job;
    for (int64_t first = begin * GI_SQUARE_SIDE; first < end * GI_SQUARE_SIDE; first += GI_SQUARE_SIDE) {
        const int64_t last = first + GI_SQUARE_SIDE < s->n ? first + GI_SQUARE_SIDE : s->n;
        for (int64_t start = first; start < s->n; start += GI_SQUARE_SIDE)
            for (int64_t i = first; i < last; i++) {
                const int64_t j    = start > i ? start : i + 1,
                              stop = start + GI_SQUARE_SIDE < s->n ? start + GI_SQUARE_SIDE : s->n;
                char       *row    = s->matrix + i * s->row_stride;
                const char *v      = s->vector + gi_pair_place(s->n, i, j) * s->itemsize;
                if (start == first) memset(row + i * s->itemsize, 0, (size_t)s->itemsize);
                if (j >= stop) continue;
                memcpy(row + j * s->itemsize, v, (size_t)((stop - j) * s->itemsize));
                gi_scatter(s->itemsize, stop - j, s->matrix + j * s->row_stride + i * s->itemsize, s->row_stride, v);
            }
    }
}

static void gi_rows_to_vector(int64_t begin, int64_t end, void *job)
{
    const gi_square_job *s = (const gi_square_job *)job;
    for (int64_t i = begin; i < end; i++)
        gi_gather(s->itemsize, s->n - i - 1, s->vector + gi_pair_place(s->n, i, i + 1) * s->itemsize,
                  s->matrix + i * s->row_stride + (i + 1) * s->column_stride, s->column_stride);
}

static void gi_cpu_squareform(const ga_array *from, ga_array *to)
{
    const ga_array *matrix = to->ndim == 2 ? to : from, *vector = to->ndim == 2 ? from : to;
    gi_square_job   s = { (char *)vector->data, (char *)matrix->data, matrix->shape[0],
                          matrix->strides[0],   matrix->strides[1],   (int)ga_itemsize(to->dtype) };
    if (to->ndim == 1) gi_parallel(s.n - 1, 1 + 65536 / s.n, gi_rows_to_vector, &s);
    else gi_parallel((s.n + GI_SQUARE_SIDE - 1) / GI_SQUARE_SIDE, 1 + 1024 / s.n, gi_vector_to_rows, &s);
}

/* Is a square matrix symmetric, and 0 on its diagonal? If not, an error. */
static bool gi_check_distances(const char *site, const ga_array *v)
{
    ga_close_options  exactly;
    ga_reduce_options all      = gi_reduce_site(site);
    int64_t           shape[2] = { v->shape[1], v->shape[0] }, strides[2] = { v->strides[1], v->strides[0] };
    int64_t           along   = v->strides[0] + v->strides[1];
    double            nonzero = 0;
    memset((void *)&exactly, 0, sizeof exactly);
    exactly.site        = site;
    ga_array *turned    = gi_new_view(site, v, v->data, v->dtype, 2, shape, strides);
    ga_array *diagonal  = gi_new_view(site, v, v->data, v->dtype, 1, shape, &along);
    ga_array *any       = turned && diagonal ? (ga_any)(diagonal, all) : NULL;
    bool      symmetric = any && (ga_array_equal)(gi_operand_arg(v), gi_operand_arg(turned), exactly);
    bool      known     = any && gi_item_as(site, any, NULL, GA_F64, &nonzero);
    if (known && !symmetric)
        gi_fail(site, GA_BAD_ARGUMENT, "the matrix v is not symmetric: it holds no distances (or use .no_checks)");
    else if (known && nonzero != 0)
        gi_fail(site, GA_BAD_ARGUMENT, "the diagonal of the matrix v is not 0: it holds no distances (or use .no_checks)");
    ga_free(any);
    ga_free(diagonal);
    ga_free(turned);
    return known && symmetric && nonzero == 0;
}

ga_array *(ga_squareform)(const ga_array *v, ga_squareform_options o)
{
    if (!gi_check(o.site, v, "v")) return NULL;
    int64_t shape[2] = { 0, 0 };
    int     ndim     = v->ndim == 2 ? 1 : 2; /* of the result */
    if (v->ndim > 2)
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "v has shape %s: use a vector of distances or a matrix",
                                   gi_shape_of(v));
    if (v->ndim == 2) {
        if (v->shape[0] != v->shape[1])
            return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "v has shape %s: a matrix of distances is square", gi_shape_of(v));
        if (!o.no_checks && !gi_check_distances(o.site, v)) return NULL;
        shape[0] = gi_pairs(o.site, v->shape[0]);
    } else {
        int64_t n = (int64_t)ceil(sqrt(2 * (double)v->size));
        while (n > 1 && gi_pairs(o.site, n - 1) >= v->size) n--; /* the root was rounded */
        if (n < 1) n = 1;
        if (gi_pairs(o.site, n) != v->size)
            return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "v has %lld elements: n points have n * (n - 1) / 2 distances",
                                       (long long)v->size);
        shape[0] = shape[1] = n;
    }
    bool      any_layout = v->ndim == 2 && v->device == GA_CPU;
    ga_array *from =
        any_layout ? gi_new_view(o.site, v, v->data, v->dtype, 2, v->shape, v->strides) : gi_contiguous(o.site, v, v->dtype);
    ga_array *to = from ? gi_new(o.site, v->dtype, v->device, ndim, shape) : NULL;
    bool      ok = to != NULL;
#if GI_HAS_CUDA
    if (ok && to->size > 0 && to->device == GA_CUDA) ok = gi_cuda_squareform(o.site, from, to);
    else
#endif
        if (ok && to->size > 0)
        gi_cpu_squareform(from, to);
    ga_free(from);
    if (ok) return to;
    ga_free(to);
    return NULL;
}

/* ==== >>text: arrays as NumPy prints them ========================================================================= */
/*  First the elements that will be seen are copied side by side (of a long array only its corners), then they are measured, so
    that every word of the array gets the same width, then they are written. Digits come from printf's %e, whose rounding is
    exact, and no decimal point is ever read from or asked of the C library: the user's locale does not matter.             */

typedef struct gi_text { /* text that grows; a failed allocation is remembered and reported at the end */
    char  *s;
    size_t n, room, line; /* used and allocated bytes; where the last line begins */
    bool   failed;
} gi_text;

static void gi_put_bytes(gi_text *t, const char *s, size_t n)
{
    if (t->n + n + 1 > t->room && !t->failed) {
        size_t room  = 2 * (t->n + n) + 64;
        char  *moved = (char *)realloc(t->s, room);
        t->failed    = !moved;
        if (moved) t->s = moved, t->room = room;
    }
    if (t->failed) return;
    memcpy(t->s + t->n, s, n);
    for (size_t i = 0; i < n; i++)
        if (s[i] == '\n') t->line = t->n + i + 1;
    t->n += n;
    t->s[t->n] = 0;
}

static void gi_put(gi_text *t, const char *s) { gi_put_bytes(t, s, strlen(s)); }

static void gi_put_many(gi_text *t, char c, int64_t count)
{
    for (; count > 0; count--) gi_put_bytes(t, &c, 1);
}

/* Takes the blanks off the end; returns how many there were. */
static int64_t gi_strip(gi_text *t)
{
    int64_t blanks = 0;
    while (!t->failed && t->n > 0 && t->s[t->n - 1] == ' ') {
        t->s[--t->n] = 0;
        blanks++;
    }
    return blanks;
}

/* ---- digits ------------------------------------------------------------------------------------------------------ */

typedef struct gi_decimal { /* digit[0] . digit[1] digit[2] ... times 10 ** exponent */
    char digit[40];
    int  n, exponent;
    bool negative;
} gi_decimal;

/* x rounded to n digits (at most 32), halves to even. */
static gi_decimal gi_rounded_to(double x, int n)
{
    gi_decimal d;
    char       text[64];
    snprintf(text, sizeof text, "%.*e", n - 1, fabs(x));
    const char *p = text;
    for (d.n = 0; *p != 'e'; p++)
        if (*p >= '0' && *p <= '9') d.digit[d.n++] = *p;
    d.exponent = atoi(p + 1);
    d.negative = signbit(x);
    return d;
}

static gi_decimal gi_without_zeros(gi_decimal d)
{
    while (d.n > 1 && d.digit[d.n - 1] == '0') d.n--;
    return d;
}

static bool gi_reads_back(const gi_decimal *d, double x, bool single)
{
    char text[64];
    snprintf(text, sizeof text, "%.*se%d", d->n, d->digit, d->exponent - (d->n - 1));
    return single ? strtof(text, NULL) == (float)fabs(x) : strtod(text, NULL) == fabs(x);
}

/* x with n digits. The floats above a power of two lie wider apart than those below: there, the next decimal may read back as x
   though the nearest does not, and is taken, as in NumPy. */
static gi_decimal gi_digits(double x, bool single, int n, bool *reads_back)
{
    int        power;
    gi_decimal d = gi_rounded_to(x, n), next = d;
    *reads_back = gi_reads_back(&d, x, single);
    if (*reads_back || frexp(fabs(x), &power) != 0.5) return d;
    int last = n - 1;
    while (last > 0 && next.digit[last] == '9') next.digit[last--] = '0';
    if (next.digit[last] == '9') return d;
    next.digit[last]++;
    *reads_back = gi_reads_back(&next, x, single);
    return *reads_back ? next : d;
}

/* The fewest digits that read back as x, as float32 if `single`. */
static gi_decimal gi_shortest(double x, bool single)
{
    /* Numbers with at most `sure` digits differ as floats as well, so no other one of `sure` digits can read back; below the
       normal numbers that does not hold. */
    int  sure = single ? FLT_DIG : DBL_DIG, most = single ? FLT_DIG + 3 : DBL_DIG + 2;
    bool normal = fabs(x) >= (single ? (double)FLT_MIN : DBL_MIN);
    for (int n = normal ? sure : 1;; n++) {
        bool       reads_back;
        gi_decimal d = gi_digits(x, single, n, &reads_back);
        if (reads_back || n == most) return gi_without_zeros(d);
    }
}

/* The shortest digits of x, but none behind that of 10 ** last. */
static gi_decimal gi_shortest_to(double x, bool single, int last)
{
    gi_decimal d    = gi_shortest(x, single);
    int        keep = d.exponent - last + 1;
    if (d.n <= keep || x == 0) return d;
    if (keep > 0) return gi_without_zeros(gi_rounded_to(x, keep));
    bool up = false;
    if (keep == 0) { /* 0 or 1 in the last place */
        char text[400];
        int  length = snprintf(text, sizeof text, "%.*f", -last, x);
        up          = length > 0 && text[length - 1] == '1';
    }
    d.n        = 1;
    d.digit[0] = up ? '1' : '0';
    d.exponent = up ? last : 0;
    return d;
}

static void gi_put_positional(gi_text *t, const gi_decimal *d)
{
    int whole = d->exponent + 1; /* digits before the point */
    for (int i = 0; i < whole; i++) gi_put_bytes(t, i < d->n ? &d->digit[i] : "0", 1);
    gi_put(t, whole > 0 ? "." : "0.");
    if (d->n == 1 && d->digit[0] == '0') return;
    gi_put_many(t, '0', -whole);
    int first = whole > 0 ? whole : 0;
    if (d->n > first) gi_put_bytes(t, d->digit + first, (size_t)(d->n - first));
}

static void gi_put_exponent(gi_text *t, int exponent, int digits)
{
    char text[24];
    snprintf(text, sizeof text, "e%c%0*d", exponent < 0 ? '-' : '+', digits, abs(exponent));
    gi_put(t, text);
}

static const char *gi_not_finite(double x) { return isnan(x) ? "nan" : signbit(x) ? "-inf" : "inf"; }

/* ---- the format that all elements share: numpy's FloatingFormat, IntegerFormat and BoolFormat -------------------- */

typedef struct gi_float_format {
    bool single, scientific, plus; /* plus: "+" before what is not negative */
    int  precision, left, right;   /* most digits behind the point; columns before and behind it */
    int  exponent_digits;
} gi_float_format;

static double gi_float_at(const void *p, bool single)
{
    float  f;
    double d;
    if (!single) return memcpy(&d, p, sizeof d), d;
    return memcpy(&f, p, sizeof f), (double)f;
}

/* Must these numbers be written with exponents? The limits are compared in the dtype of the array, as NumPy does. */
static bool gi_is_scientific(bool single, double smallest, double largest, bool suppress)
{
    if (largest >= (single ? 1e6 : 1e8)) return true;
    if (suppress) return false;
    if (single) return (float)smallest < 1e-4f || (float)largest / (float)smallest > 1000.0f;
    return smallest < 1e-4 || largest / smallest > 1000;
}

/* The format for n floats that lie `stride` bytes apart. */
static gi_float_format gi_measure_floats(const char *p, int64_t n, int stride, bool single, bool plus, int precision,
                                         bool suppress)
{
    gi_float_format f        = { single, false, plus, precision, 0, 0, 2 };
    double          smallest = INFINITY, largest = 0;
    int64_t         finite    = 0;
    bool            minus_inf = plus;
    for (int64_t i = 0; i < n; i++) {
        double x = fabs(gi_float_at(p + i * stride, single));
        if (gi_float_at(p + i * stride, single) == -INFINITY) minus_inf = true;
        if (!isfinite(x)) continue;
        finite++;
        if (x != 0 && x < smallest) smallest = x;
        if (x > largest) largest = x;
    }
    f.scientific = largest > 0 && gi_is_scientific(single, smallest, largest, suppress);
    for (int64_t i = 0; i < n; i++) {
        double x = gi_float_at(p + i * stride, single);
        if (!isfinite(x)) continue;
        gi_decimal d = gi_shortest(x, single);
        d            = gi_shortest_to(x, single, f.scientific ? d.exponent - precision : -precision);
        bool zero    = d.digit[0] == '0';
        int  whole   = f.scientific || d.exponent < 0 ? 1 : d.exponent + 1;
        int  behind  = f.scientific ? d.n - 1 : zero || d.n - 1 < d.exponent ? 0 : d.n - 1 - d.exponent;
        if (whole + (d.negative || plus) > f.left) f.left = whole + (d.negative || plus);
        if (behind > f.right) f.right = behind;
        if (abs(d.exponent) > 99) f.exponent_digits = 3;
    }
    if (f.scientific) {
        f.precision = f.right;
        f.right += 2 + f.exponent_digits; /* "e+00" */
    }
    if (finite < n) { /* room for nan and inf */
        int room = minus_inf ? 4 : 3;
        if (f.left + 1 + f.right < room) f.left = room - 1 - f.right;
    }
    return f;
}

static void gi_put_float(gi_text *t, const gi_float_format *f, double x)
{
    int         width = f->left + 1 + f->right;
    const char *sign  = signbit(x) ? "-" : f->plus ? "+" : "";
    if (!isfinite(x)) {
        const char *word = gi_not_finite(x);
        bool        plus = f->plus && word[0] != '-';
        gi_put_many(t, ' ', width - (int)strlen(word) - plus);
        gi_put(t, plus ? "+" : "");
        gi_put(t, word);
        return;
    }
    size_t start = t->n; /* of the word */
    if (f->scientific) {
        bool       reads_back; /* digits beyond the shortest ones are the true ones, not zeros */
        gi_decimal d = gi_digits(x, f->single, f->precision + 1, &reads_back);
        gi_put_many(t, ' ', f->left - 1 - (int)strlen(sign));
        gi_put(t, sign);
        gi_put_bytes(t, d.digit, 1);
        gi_put(t, ".");
        gi_put_bytes(t, d.digit + 1, (size_t)(d.n - 1));
        gi_put_exponent(t, d.exponent, f->exponent_digits);
    } else {
        gi_decimal d = gi_shortest_to(x, f->single, -f->precision);
        gi_put_many(t, ' ', f->left - (d.exponent < 0 ? 1 : d.exponent + 1) - (int)strlen(sign));
        gi_put(t, sign);
        gi_put_positional(t, &d);
        gi_put_many(t, ' ', width - (int64_t)(t->n - start));
    }
}

/* A float of a 0-d array, as Python prints a number: 1.0, 1e+16; within a complex number 1. */
static void gi_put_scalar(gi_text *t, double x, bool single, bool plus, bool within_complex)
{
    if (plus && (isnan(x) || !signbit(x))) gi_put(t, "+");
    if (!isfinite(x)) {
        gi_put(t, gi_not_finite(x));
        return;
    }
    gi_decimal d = gi_shortest(x, single);
    if (signbit(x)) gi_put(t, "-");
    if (x == 0 || (fabs(x) >= 1e-4 && fabs(x) < (single ? 1e6 : 1e16))) {
        gi_put_positional(t, &d);
        if (d.exponent < d.n - 1 && x != 0) return;         /* digits behind the point */
        if (within_complex && !t->failed) t->s[--t->n] = 0; /* the point */
        else gi_put(t, "0");
        return;
    }
    gi_put_bytes(t, d.digit, 1);
    gi_put(t, d.n > 1 ? "." : "");
    gi_put_bytes(t, d.digit + 1, (size_t)(d.n - 1));
    gi_put_exponent(t, d.exponent, 2);
}

/* An integer as text; returns its length. */
static int gi_integer_text(char text[24], const void *p, ga_dtype dtype)
{
    switch ((int)dtype) {
#define GI_CASE(TAG, tag, T, name)                                                                                             \
    case GA_##TAG: {                                                                                                           \
        T v;                                                                                                                   \
        memcpy(&v, p, sizeof v);                                                                                               \
        return v < 1 ? snprintf(text, 24, "%lld", (long long)v) : snprintf(text, 24, "%llu", (unsigned long long)v);           \
    }
        GI_EACH_INT(GI_CASE)
#undef GI_CASE
    default: return 0;
    }
}

/* ---- the array --------------------------------------------------------------------------------------------------- */

typedef struct gi_printer {
    gi_text         text;
    const ga_array *a;
    int64_t         shown[GPUARR_MAX_DIMS]; /* how many along each axis */
    int64_t         head;                   /* where an axis is cut: elements before the "..." */
    const char     *next;                   /* the shown elements, packed */
    gi_float_format real, imag;
    int             width; /* of every element */
    const char     *separator;
} gi_printer;

static bool gi_is_cut(const gi_printer *p, int axis) { return p->shown[axis] < p->a->shape[axis]; }

/* Which part of an axis lies in a corner of a cut array: its beginning or its end. Sets where it begins among the shown elements
   and in the array; returns its length. */
static int64_t gi_corner(const gi_printer *p, int axis, bool at_end, int64_t *shown, int64_t *whole)
{
    int64_t length = p->a->shape[axis], head = gi_is_cut(p, axis) ? p->head : length, tail = p->shown[axis] - head;
    *shown = at_end ? head : 0;
    *whole = at_end ? length - tail : 0;
    return at_end ? tail : head;
}

/* The shown elements, packed, on the CPU: of an array on the GPU no others are copied. */
static ga_array *gi_shown_elements(const char *site, const gi_printer *p)
{
    const ga_array *a   = p->a;
    bool            cut = false, ok;
    for (int d = 0; d < a->ndim; d++) cut = cut || gi_is_cut(p, d);
    if (!cut) return gi_on_cpu(site, a);
    ga_array *shown = gi_new(site, a->dtype, a->device, a->ndim, p->shown);
    ok              = shown != NULL;
    for (int corner = 0; ok && corner < 1 << a->ndim; corner++) { /* bit d: the end of axis d */
        int64_t shape[GPUARR_MAX_DIMS], to = 0, from = 0, size = 1;
        for (int d = 0; d < a->ndim; d++) {
            int64_t shown_at, whole_at;
            shape[d] = gi_corner(p, d, corner >> d & 1, &shown_at, &whole_at);
            to += shown_at * shown->strides[d];
            from += whole_at * a->strides[d];
            size *= shape[d];
        }
        if (size == 0) continue;
        ga_array *target = gi_new_view(site, shown, (char *)shown->data + to, a->dtype, a->ndim, shape, shown->strides);
        ga_array *source = gi_new_view(site, a, (char *)a->data + from, a->dtype, a->ndim, shape, a->strides);
        ok               = target && source && gi_assign(site, target, source);
        ga_free(source);
        ga_free(target);
    }
    ga_array *packed = ok ? gi_on_cpu(site, shown) : NULL;
    ga_free(shown);
    return packed;
}

/* Sets the formats and the width from n packed elements. */
static void gi_measure(gi_printer *p, int64_t n, int precision, bool suppress)
{
    ga_dtype dtype = p->a->dtype;
    int      size  = (int)ga_itemsize(dtype);
    p->width       = 0;
    if (dtype == GA_BOOL) {
        p->width = p->a->ndim > 0 ? 5 : 0;
    } else if (gi_is_int(dtype)) {
        for (int64_t i = 0; i < n; i++) {
            char text[24];
            int  length = gi_integer_text(text, p->next + i * size, dtype);
            if (length > p->width) p->width = length;
        }
    } else {
        bool single = gi_real_dtype(dtype) == GA_F32;
        p->real     = gi_measure_floats(p->next, n, size, single, false, precision, suppress);
        p->width    = p->real.left + 1 + p->real.right;
        if (!gi_is_complex(dtype)) return;
        p->imag = gi_measure_floats(p->next + size / 2, n, size, single, true, precision, suppress);
        p->width += p->imag.left + 1 + p->imag.right + 1; /* and the j */
    }
}

static void gi_put_element(gi_printer *p)
{
    gi_text    *t     = &p->text;
    ga_dtype    dtype = p->a->dtype;
    const char *e     = p->next;
    int         size  = (int)ga_itemsize(dtype);
    p->next += size;
    if (dtype == GA_BOOL) {
        gi_put(t, !*e ? "False" : p->width > 0 ? " True" : "True");
    } else if (gi_is_int(dtype)) {
        char text[24];
        int  length = gi_integer_text(text, e, dtype);
        gi_put_many(t, ' ', p->width - length);
        gi_put(t, text);
    } else {
        gi_put_float(t, &p->real, gi_float_at(e, p->real.single));
        if (!gi_is_complex(dtype)) return;
        gi_put_float(t, &p->imag, gi_float_at(e + size / 2, p->imag.single));
        int64_t blanks = gi_strip(t);
        gi_put(t, "j");
        gi_put_many(t, ' ', blanks);
    }
}

/* Goes to a new line if `width` more columns do not fit into this one (and a new one would be emptier). */
static void gi_wrap_line(gi_text *t, int64_t width, int64_t line_width, int indent)
{
    int64_t column = (int64_t)(t->n - t->line);
    if (column + width <= line_width || column <= indent) return;
    gi_strip(t);
    gi_put(t, "\n");
    gi_put_many(t, ' ', indent);
}

/* Writes the axes from `axis` on, in brackets; `indent`: the columns before what the opening bracket holds. */
static void gi_put_axis(gi_printer *p, int axis, int indent, int64_t line_width)
{
    if (axis == p->a->ndim) {
        gi_put_element(p);
        return;
    }
    gi_text *t    = &p->text;
    bool     last = axis == p->a->ndim - 1, first = true;
    gi_put(t, "[");
    for (int64_t i = 0; i < p->shown[axis]; i++) {
        for (int dots = i == p->head && gi_is_cut(p, axis); dots >= 0; dots--) {
            if (last) {
                gi_put(t, first ? "" : p->separator);
                gi_wrap_line(t, dots ? 3 : p->width, line_width - 1, indent);
            } else if (!first) {
                gi_put(t, p->separator);
                gi_strip(t);
                gi_put_many(t, '\n', p->a->ndim - axis - 1);
                gi_put_many(t, ' ', indent);
            }
            first = false;
            if (dots) gi_put(t, "...");
            else gi_put_axis(p, axis + 1, indent + 1, line_width - 1);
        }
    }
    gi_put(t, "]");
}

/* A 0-d array without `repr`: the number alone. */
static void gi_put_0d(gi_printer *p, const void *e)
{
    ga_dtype dtype  = p->a->dtype;
    bool     single = gi_real_dtype(dtype) == GA_F32;
    if (gi_is_float(dtype)) {
        gi_put_scalar(&p->text, gi_float_at(e, single), single, false, false);
    } else if (gi_is_complex(dtype)) {
        double re = gi_float_at(e, single), im = gi_float_at((const char *)e + ga_itemsize(dtype) / 2, single);
        bool   pure = re == 0 && !signbit(re);
        if (!pure) {
            gi_put(&p->text, "(");
            gi_put_scalar(&p->text, re, single, false, true);
        }
        gi_put_scalar(&p->text, im, single, !pure, true);
        gi_put(&p->text, pure ? "j" : "j)");
    } else {
        gi_put_element(p);
    }
}

/* ", shape=(0, 3), dtype=float32)" as far as the elements do not tell, and the end of "array(". */
static void gi_put_repr_end(gi_printer *p, bool summarised, int line_width)
{
    ga_dtype dtype   = p->a->dtype;
    bool     empty   = p->a->size == 0;
    bool     implied = !empty && (dtype == GA_BOOL || dtype == GA_I64 || dtype == GA_F64 || dtype == GA_C128);
    bool     shape   = (empty && p->a->ndim != 1) || summarised;
    gi_text  extra   = { NULL, 0, 0, 0, false };
    if (shape) {
        gi_put(&extra, "shape=");
        gi_put(&extra, gi_shape_of(p->a));
    }
    if (!implied) {
        gi_put(&extra, shape ? ", dtype=" : "dtype=");
        gi_put(&extra, ga_dtype_name(dtype));
    }
    gi_put(&extra, ")");
    if (shape || !implied) {
        gi_put(&p->text, ",");
        size_t before = p->text.n;
        gi_wrap_line(&p->text, (int64_t)extra.n + 1, line_width, 0);
        if (p->text.n == before) gi_put(&p->text, " ");
        else gi_put(&p->text, "      "); /* below what follows "array(" */
    }
    if (extra.failed) p->text.failed = true;
    if (!extra.failed) gi_put_bytes(&p->text, extra.s, extra.n);
    free(extra.s);
}

char *(ga_to_string)(const ga_array *a, ga_print_options o)
{
    if (!gi_check(o.site, a, "a")) return NULL;
    if (o.precision < 0 || o.threshold < 0 || o.edgeitems < 0 || o.linewidth < 0)
        return (char *)gi_fail(o.site, GA_BAD_ARGUMENT,
                               "precision %d, threshold %d, edgeitems %d, linewidth %d: none may be negative", o.precision,
                               o.threshold, o.edgeitems, o.linewidth);
    if (!o.precision && !gi_option_given(o.site, "precision")) o.precision = 8;
    if (!o.threshold && !gi_option_given(o.site, "threshold")) o.threshold = 1000;
    if (!o.edgeitems && !gi_option_given(o.site, "edgeitems")) o.edgeitems = 3;
    if (!o.linewidth && !gi_option_given(o.site, "linewidth")) o.linewidth = 75;
    if (o.precision > 1000) o.precision = 1000; /* no float has more digits behind the point */

    gi_printer p;
    memset(&p, 0, sizeof p);
    p.a          = a;
    p.separator  = o.repr ? ", " : " ";
    p.head       = o.edgeitems;
    bool    cut  = a->size > o.threshold;
    int64_t tail = o.edgeitems > 0 ? o.edgeitems : 1, n = 1; /* the last element is always shown, as in NumPy */
    for (int d = 0; d < a->ndim; d++) {
        p.shown[d] = cut && a->shape[d] > 2 * (int64_t)o.edgeitems ? o.edgeitems + tail : a->shape[d];
        n *= p.shown[d];
    }
    if (a->size == 0) n = 0;
    ga_array *shown = gi_shown_elements(o.site, &p);
    if (!shown) return NULL;
    p.next = (const char *)shown->data;

    gi_measure(&p, n, o.precision, o.suppress);
    gi_put(&p.text, o.repr ? "array(" : "");
    if (n == 0) gi_put(&p.text, "[]");
    else if (a->ndim == 0 && !o.repr) gi_put_0d(&p, shown->data);
    else gi_put_axis(&p, 0, o.repr ? 7 : 1, o.repr ? o.linewidth - 1 : o.linewidth);
    if (o.repr) gi_put_repr_end(&p, cut, o.linewidth);
    ga_free(shown);
    if (!p.text.failed) return p.text.s;
    free(p.text.s);
    return (char *)gi_fail(o.site, GA_NO_MEMORY, "no memory for the text of %lld elements: use a smaller threshold",
                           (long long)n);
}

void(ga_print)(const ga_array *a, ga_print_options o)
{
    char *text = (ga_to_string)(a, o);
    if (!text) return;
    puts(text);
    free(text);
}

/* ==== >>npy: NumPy's .npy and .npz files ========================================================================== */
/*  Read: .npy 1.0 to 3.0 in any byte and memory order (the array is always in C order), .npz with stored or deflated entries.
    Written: what numpy.save and numpy.savez write. A file is not believed: what it claims is compared with its size before
    memory is asked for.                                                                                                     */

#include <sys/stat.h>

/* Where bytes are read from: a file, or memory. */
typedef struct gi_source {
    FILE                *file; /* NULL: bytes */
    const unsigned char *bytes;
    int64_t              size;
} gi_source;

static bool gi_read_at(const gi_source *s, int64_t at, void *to, size_t n)
{
    if (at < 0 || at > s->size || n > (uint64_t)(s->size - at)) return false;
    if (!s->file) {
        if (n > 0) memcpy(to, s->bytes + at, n);
        return true;
    }
    return fseek(s->file, (long)at, SEEK_SET) == 0 && fread(to, 1, n, s->file) == n;
}

static bool gi_open_source(const char *site, const char *path, gi_source *s)
{
    if (!path) {
        gi_fail(site, GA_BAD_ARGUMENT, "the path is NULL");
        return false;
    }
    errno    = 0;
    s->bytes = NULL;
    s->file  = fopen(path, "rb");
    if (s->file && fseek(s->file, 0, SEEK_END) == 0) {
        s->size = (int64_t)ftell(s->file);
        if (s->size >= 0) return true;
    }
    gi_fail(site, GA_NO_FILE, "cannot %s '%s': %s", s->file ? "go back and forth in" : "open", path, strerror(errno));
    if (s->file) fclose(s->file);
    return false;
}

/* The little-endian number of n bytes at p. */
static uint64_t gi_little_endian(const unsigned char *p, int n)
{
    uint64_t v = 0;
    while (n-- > 0) v = v << 8 | p[n];
    return v;
}

/* ---- the header of .npy: a Python dictionary --------------------------------------------------------------------- */

typedef struct gi_npy_header {
    ga_dtype dtype;
    bool     swapped, fortran; /* the other byte order; the first axis varies fastest */
    int      ndim;
    int64_t  shape[GPUARR_MAX_DIMS];
} gi_npy_header;

#define GI_LITTLE_ENDIAN (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)

static char gi_npy_kind(ga_dtype d)
{
    return d == GA_BOOL ? 'b' : gi_is_signed(d) ? 'i' : gi_is_int(d) ? 'u' : gi_is_float(d) ? 'f' : 'c';
}

static const char *gi_skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r') p++;
    return p;
}

/* "<f8" and the like. What gpuarr has no dtype for is an error that says what to save instead. */
static bool gi_read_descr(const char *site, const char *what, const char *descr, gi_npy_header *h)
{
    const char *p     = descr;
    char        order = strchr("<>=|", *p) && *p ? *p++ : '=';
    char        kind = *p, *end = NULL;
    long        size = kind ? strtol(p + 1, &end, 10) : 0;
    if (kind == '?' && p[1] == 0) kind = 'b', size = 1, end = NULL;
    bool plain = kind && (!end || (end > p + 1 && *end == 0));
    for (int d = GA_BOOL; plain && d < GA_DTYPE_COUNT; d++)
        if (kind == gi_npy_kind((ga_dtype)d) && size == ga_itemsize((ga_dtype)d)) {
            h->dtype   = (ga_dtype)d;
            h->swapped = order == (GI_LITTLE_ENDIAN ? '>' : '<');
            return true;
        }
    const char *is = "of an unknown dtype", *instead = "numpy.float64";
    if (kind == 'f' && size == 2) is = "float16", instead = "numpy.float32";
    if (kind == 'f' && size > 8) is = "long double", instead = "numpy.float64";
    if (kind == 'c' && size > 16) is = "complex long double", instead = "numpy.complex128";
    if (kind == 'M' || kind == 'm') is = "dates or times", instead = "numpy.int64";
    if (kind == 'O') is = "Python objects", instead = "numpy.float64";
    if (kind == 'S' || kind == 'U' || kind == 'a') is = "strings", instead = "numpy.float64";
    if (kind == 'V') is = "raw or structured", instead = "numpy.float64";
    gi_fail(site, GA_BAD_DTYPE, "the elements in %s are %s ('%.40s'), which gpuarr cannot hold: save a.astype(%s)", what, is,
            descr, instead);
    return false;
}

/* "(3, 4)"; returns what follows it, or NULL (a list, a missing comma, a number that is none). */
static const char *gi_read_shape(const char *p, gi_npy_header *h, bool *too_many)
{
    bool comma = false;
    h->ndim    = 0;
    if (*p++ != '(') return NULL;
    for (;;) {
        p = gi_skip_blanks(p);
        if (*p == ')') return h->ndim == 1 && !comma ? NULL : p + 1;
        if (h->ndim > 0 && !comma) return NULL;
        char *end;
        errno       = 0;
        long long n = strtoll(p, &end, 10);
        if (end == p || errno == ERANGE) return NULL;
        p = gi_skip_blanks(*end == 'L' ? end + 1 : end); /* 3L: written by Python 2 */
        if (h->ndim == GPUARR_MAX_DIMS) {
            *too_many = true;
            return NULL;
        }
        h->shape[h->ndim++] = n;
        comma               = *p == ',';
        if (comma) p++;
    }
}

/* {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), } in any order of the keys, and nothing else. */
static bool gi_read_header_text(const char *site, const char *what, const char *text, gi_npy_header *h)
{
    enum { DESCR = 1, ORDER = 2, SHAPE = 4 };
    int         seen     = 0;
    bool        too_many = false;
    const char *p = gi_skip_blanks(text), *stuck = p;
    if (*p++ != '{') p = NULL;
    while (p && *(p = gi_skip_blanks(p)) != '}') {
        stuck             = p;
        char        quote = *p++, value[48];
        const char *key   = p;
        size_t      n     = strcspn(p, "'\"");
        if ((quote != '\'' && quote != '"') || p[n] != quote) break;
        p = gi_skip_blanks(p + n + 1);
        if (*p++ != ':') break;
        p     = gi_skip_blanks(p);
        stuck = p;
        if (n == 5 && !strncmp(key, "descr", n)) {
            seen |= DESCR;
            quote = *p++;
            n     = strcspn(p, "'\"");
            if (quote == '[' || quote == '(') {
                gi_fail(site, GA_BAD_DTYPE,
                        "the elements in %s are structured (%.80s): save each field as an array of its own, a['field']", what,
                        stuck);
                return false;
            }
            if ((quote != '\'' && quote != '"') || p[n] != quote || n >= sizeof value) break;
            memcpy(value, p, n);
            value[n] = 0;
            if (!gi_read_descr(site, what, value, h)) return false;
            p += n + 1;
        } else if (n == 13 && !strncmp(key, "fortran_order", n)) {
            seen |= ORDER;
            h->fortran = !strncmp(p, "True", 4);
            if (!h->fortran && strncmp(p, "False", 5) != 0) break;
            p += h->fortran ? 4 : 5;
        } else if (n == 5 && !strncmp(key, "shape", n)) {
            seen |= SHAPE;
            p = gi_read_shape(p, h, &too_many);
            if (!p) break;
        } else {
            break;
        }
        p = gi_skip_blanks(p);
        if (*p == ',') p++;
        else if (*p != '}') break;
        stuck = p;
    }
    if (too_many)
        gi_fail(site, GA_BAD_SHAPE, "the array in %s has more than %d dimensions, %.60s: #define GPUARR_MAX_DIMS for more",
                what, GPUARR_MAX_DIMS, stuck);
    else if (!p || *p != '}' || *gi_skip_blanks(p + 1))
        gi_fail(site, GA_BAD_FILE, "the header of %s makes no sense at \"%.40s\": is it damaged?", what,
                p && *p == '}' ? p : stuck);
    else if (seen != (DESCR | ORDER | SHAPE))
        gi_fail(site, GA_BAD_FILE, "the header of %s lacks '%s': is it damaged?", what,
                !(seen & DESCR)   ? "descr"
                : !(seen & ORDER) ? "fortran_order"
                                  : "shape");
    else return true;
    return false;
}

/* Reads magic, version, length and dictionary, which begin at `at`; moves `at` to the data. */
static bool gi_read_header(const char *site, const char *what, const gi_source *s, int64_t *at, gi_npy_header *h)
{
    enum { LONGEST = 10000 }; /* as numpy.load's max_header_size; only structured dtypes come near it */
    unsigned char start[12];
    char          text[LONGEST + 1];
    errno = 0;
    if (!gi_read_at(s, *at, start, 10) || memcmp(start, "\x93NUMPY", 6) != 0) {
        gi_fail(site, GA_BAD_FILE, "%s is no .npy file: it does not begin with \\x93NUMPY%s%s", what, errno ? "; " : "",
                errno ? strerror(errno) : "");
        return false;
    }
    int major = start[6], minor = start[7], length_bytes = major == 1 ? 2 : 4;
    if (major < 1 || major > 3 || minor != 0) {
        gi_fail(site, GA_BAD_FILE, "%s is of version %d.%d of the .npy format; 1.0, 2.0 and 3.0 are known", what, major, minor);
        return false;
    }
    bool    whole  = gi_read_at(s, *at, start, (size_t)(8 + length_bytes));
    int64_t length = whole ? (int64_t)gi_little_endian(start + 8, length_bytes) : 0;
    if (length > LONGEST) {
        gi_fail(site, GA_BAD_FILE, "the header of %s claims %lld bytes, more than any array of numbers needs: is it damaged?",
                what, (long long)length);
        return false;
    }
    *at += 8 + length_bytes;
    if (!whole || !gi_read_at(s, *at, text, (size_t)length)) {
        gi_fail(site, GA_BAD_FILE, "%s ends within its header: was it cut short?", what);
        return false;
    }
    *at += length;
    text[length] = 0;
    for (int64_t i = 0; i < length; i++) { /* a message may quote the text: what cannot be shown is wrong anyway */
        bool blank = text[i] == '\n' || text[i] == '\r' || text[i] == '\t';
        if (!blank && (text[i] < ' ' || text[i] > '~')) text[i] = '?';
    }
    return gi_read_header_text(site, what, text, h);
}

/* ---- .npy -------------------------------------------------------------------------------------------------------- */

static void gi_swap_bytes(void *p, int64_t n, int width)
{
    for (unsigned char *b = (unsigned char *)p, *end = b + n * width; b < end; b += width)
        for (int i = 0; i < width / 2; i++) {
            unsigned char t  = b[i];
            b[i]             = b[width - 1 - i];
            b[width - 1 - i] = t;
        }
}

/* The array that begins at `at`; `what` names the file in messages. What follows the array is left alone, as NumPy does. */
static ga_array *gi_npy_read(const char *site, const char *what, const gi_source *s, int64_t at)
{
    gi_npy_header h;
    memset(&h, 0, sizeof h);
    if (!gi_read_header(site, what, s, &at, &h)) return NULL;
    int64_t shape[GPUARR_MAX_DIMS], strides[GPUARR_MAX_DIMS]; /* as it lies in the file */
    for (int d = 0; d < h.ndim; d++) {
        if (h.shape[d] < 0)
            return (ga_array *)gi_fail(site, GA_BAD_FILE, "%s claims the shape %s: is it damaged?", what,
                                       gi_shape_text(h.ndim, h.shape));
        shape[d] = h.shape[h.fortran ? h.ndim - 1 - d : d];
    }
    int64_t bytes = gi_c_strides(h.dtype, h.ndim, shape, strides), there = s->size - at;
    if (bytes < 0 || bytes > there)
        return (ga_array *)gi_fail(site, GA_BAD_FILE,
                                   "%s claims %s of %s, but only %lld bytes of data are there: was it cut short?", what,
                                   gi_shape_text(h.ndim, h.shape), ga_dtype_name(h.dtype), (long long)there);
    ga_array *a = gi_new(site, h.dtype, GA_CPU, h.ndim, shape);
    if (!a) return NULL;
    if (!gi_read_at(s, at, a->data, (size_t)bytes)) {
        ga_free(a);
        return (ga_array *)gi_fail(site, GA_NO_FILE, "cannot read %s: %s", what, errno ? strerror(errno) : "it ends early");
    }
    int parts = gi_is_complex(h.dtype) ? 2 : 1;
    if (h.swapped) gi_swap_bytes(a->data, a->size * parts, (int)ga_itemsize(h.dtype) / parts);
    if (h.dtype == GA_BOOL) /* any nonzero byte means true */
        for (unsigned char *b = (unsigned char *)a->data, *end = b + bytes; b < end; b++) *b = *b != 0;
    if (!h.fortran || h.ndim < 2) return a;

    /* Fortran order: the same memory with the axes reversed, then copied to C order like every array that is read. */
    int64_t reversed[GPUARR_MAX_DIMS];
    for (int d = 0; d < h.ndim; d++) reversed[d] = strides[h.ndim - 1 - d];
    ga_array *view = gi_new_view(site, a, a->data, a->dtype, h.ndim, h.shape, reversed);
    ga_array *c    = view ? gi_convert(site, view, a->dtype) : NULL;
    ga_free(view);
    ga_free(a);
    return c;
}

/* The array in the n bytes of an .npy file. */
static ga_array *gi_npy_parse(const char *site, const char *what, const void *bytes, size_t n)
{
    gi_source s = { NULL, (const unsigned char *)bytes, (int64_t)n };
    return gi_npy_read(site, what, &s, 0);
}

enum { GI_NAME_ROOM = 400 };

ga_array *(ga_load)(const char *path, const char *site)
{
    gi_source s;
    if (!gi_open_source(site, path, &s)) return NULL;
    char      what[GI_NAME_ROOM], start[4] = "";
    ga_array *a = NULL;
    snprintf(what, sizeof what, "'%.300s'", path);
    if (gi_read_at(&s, 0, start, 4) && !memcmp(start, "PK\3\4", 4))
        gi_fail(site, GA_BAD_FILE, "%s holds several arrays (.npz): use ga_load_from(path, name)", what);
    else a = gi_npy_read(site, what, &s, 0);
    fclose(s.file);
    return gi_to_default_device(site, a);
}

/* A file that is being written; the first error is kept for the end. */
typedef struct gi_output {
    FILE       *file;
    const char *path;
    int64_t     at;
    int         error; /* errno of what failed */
} gi_output;

static bool gi_open_output(const char *site, const char *path, gi_output *o)
{
    o->path  = path;
    o->at    = 0;
    o->error = errno = 0;
    o->file          = path ? fopen(path, "wb") : NULL;
    if (!path) gi_fail(site, GA_BAD_ARGUMENT, "the path is NULL");
    else if (!o->file) gi_fail(site, GA_NO_FILE, "cannot write '%s': %s", path, strerror(errno));
    return o->file != NULL;
}

static void gi_write(gi_output *o, const void *p, size_t n)
{
    errno = 0;
    if (!o->error && fwrite(p, 1, n, o->file) != n) o->error = errno ? errno : EIO;
    o->at += (int64_t)n;
}

/* A part of a file is not left behind (but /dev/full stays where it is). */
static bool gi_close_output(const char *site, gi_output *o, bool complete)
{
    errno = 0;
    if (fclose(o->file) != 0 && !o->error) o->error = errno ? errno : EIO;
    if (complete && !o->error) return true;
    struct stat about;
    if (stat(o->path, &about) == 0 && S_ISREG(about.st_mode)) (void)remove(o->path);
    if (o->error) gi_fail(site, GA_NO_FILE, "cannot write all of '%s': %s", o->path, strerror(o->error));
    return false;
}

enum { GI_NPY_HEADER_ROOM = 24 * GPUARR_MAX_DIMS + 256 };

/* The bytes before the data, as numpy.save writes them for a C-ordered array; returns their number, a multiple of 64. */
static int gi_npy_header_bytes(const ga_array *a, char *out)
{
    int  size  = (int)ga_itemsize(a->dtype);
    char order = size == 1 ? '|' : GI_LITTLE_ENDIAN ? '<' : '>';
    int  n     = 10 + snprintf(out + 10, GI_NPY_HEADER_ROOM - 10, "{'descr': '%c%c%d', 'fortran_order': False, 'shape': %s, }",
                               order, gi_npy_kind(a->dtype), size, gi_shape_of(a));
    if (a->ndim > 0) { /* NumPy leaves room for the first length to grow to 21 digits */
        char first[24];
        for (int i = snprintf(first, sizeof first, "%lld", (long long)a->shape[0]); i < 21; i++) out[n++] = ' ';
    }
    out[n++] = ' '; /* NumPy pads with 1 to 64 blanks before the line feed */
    do out[n++] = ' ';
    while (n % 64 != 0);
    out[n - 1] = '\n';
    memcpy(out, "\x93NUMPY\1\0", 8);
    out[8] = (char)((n - 10) & 255);
    out[9] = (char)((n - 10) >> 8);
    return n;
}

bool(ga_save)(const char *path, const ga_array *a, const char *site)
{
    if (!gi_check(site, a, "a")) return false;
    ga_array *c = gi_on_cpu(site, a);
    if (!c) return false;
    gi_output o;
    bool      done = gi_open_output(site, path, &o);
    if (done) {
        char header[GI_NPY_HEADER_ROOM];
        gi_write(&o, header, (size_t)gi_npy_header_bytes(c, header));
        gi_write(&o, c->data, (size_t)(c->size * ga_itemsize(c->dtype)));
        done = gi_close_output(site, &o, true);
    }
    ga_free(c);
    return done;
}

/* ---- CRC-32 ------------------------------------------------------------------------------------------------------ */

typedef struct gi_crc_table { /* row k: what a byte does to the remainder k bytes later */
    uint32_t row[8][256];
} gi_crc_table;

static void gi_make_crc_table(gi_crc_table *t)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int bit = 0; bit < 8; bit++) c = c >> 1 ^ (c & 1 ? 0xEDB88320u : 0);
        t->row[0][i] = c;
    }
    for (int k = 1; k < 8; k++)
        for (int i = 0; i < 256; i++) t->row[k][i] = t->row[k - 1][i] >> 8 ^ t->row[0][t->row[k - 1][i] & 255];
}

/* The CRC of what gave `crc` (0 at the start) followed by n more bytes. */
static uint32_t gi_crc(const gi_crc_table *t, uint32_t crc, const void *bytes, size_t n)
{
    const unsigned char *p = (const unsigned char *)bytes;
    crc                    = ~crc;
    for (; n >= 8; n -= 8, p += 8) { /* eight bytes at once: their effects are independent */
        uint32_t low = crc ^ (uint32_t)gi_little_endian(p, 4);
        crc          = t->row[7][low & 255] ^ t->row[6][low >> 8 & 255] ^ t->row[5][low >> 16 & 255] ^ t->row[4][low >> 24] ^
              t->row[3][p[4]] ^ t->row[2][p[5]] ^ t->row[1][p[6]] ^ t->row[0][p[7]];
    }
    for (; n > 0; n--, p++) crc = crc >> 8 ^ t->row[0][(crc ^ *p) & 255];
    return ~crc;
}

/* ---- inflate: the packed entries of numpy.savez_compressed (RFC 1951) -------------------------------------------- */

enum { GI_LONGEST_CODE = 15, GI_CODES = 1 << GI_LONGEST_CODE };

typedef struct gi_inflater {
    const unsigned char *in, *in_end;
    unsigned char       *out, *out_start, *out_end;
    uint64_t             bits;                                    /* read and not yet used, the next one lowest */
    int                  held;                                    /* how many; negative: more were used than there are */
    uint16_t             literals[GI_CODES], distances[GI_CODES]; /* by the next 15 bits: symbol * 16 + length of its code */
} gi_inflater;

static unsigned gi_peek_bits(gi_inflater *z, int n)
{
    for (; z->held >= 0 && z->held < n && z->in < z->in_end; z->held += 8) z->bits |= (uint64_t)*z->in++ << z->held;
    return (unsigned)(z->bits & ((1u << n) - 1));
}

static unsigned gi_take_bits(gi_inflater *z, int n)
{
    unsigned v = gi_peek_bits(z, n);
    z->bits >>= n;
    z->held -= n;
    return v;
}

/* The next symbol, or -1 if there is no such code. */
static int gi_take_symbol(gi_inflater *z, const uint16_t *table)
{
    unsigned entry = table[gi_peek_bits(z, GI_LONGEST_CODE)];
    (void)gi_take_bits(z, (int)(entry & 15));
    return entry == 0 || z->held < 0 ? -1 : (int)(entry >> 4);
}

/* The table of the code whose symbol i has length[i] bits; false if the lengths ask for more codes than there are. */
static bool gi_make_codes(uint16_t *table, const unsigned char *length, int n)
{
    memset(table, 0, GI_CODES * sizeof *table);
    unsigned code = 0;
    for (int bits = 1; bits <= GI_LONGEST_CODE; bits++, code <<= 1)
        for (int i = 0; i < n; i++) {
            if (length[i] != bits) continue;
            unsigned reversed = 0; /* codes are read from their highest bit on */
            for (int b = 0; b < bits; b++) reversed |= (code >> b & 1) << (bits - 1 - b);
            if (code++ >> bits) return false;
            for (unsigned k = reversed; k < GI_CODES; k += 1u << bits) table[k] = (uint16_t)(i << 4 | bits);
        }
    return true;
}

/* Reads the codes of a block: fixed ones, or their lengths, which are packed themselves. */
static bool gi_read_codes(gi_inflater *z, bool fixed)
{
    unsigned char length[288 + 32] = { 0 };
    int           literals = 288, distances = 30;
    if (fixed) {
        for (int i = 0; i < 288; i++) length[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
        memset(length + 288, 5, 30);
    } else {
        static const unsigned char order[] = { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15 };
        literals                           = (int)gi_take_bits(z, 5) + 257;
        distances                          = (int)gi_take_bits(z, 5) + 1;
        int n                              = (int)gi_take_bits(z, 4) + 4;
        for (int i = 0; i < n; i++) length[order[i]] = (unsigned char)gi_take_bits(z, 3);
        if (literals > 286 || distances > 30 || !gi_make_codes(z->literals, length, 19)) return false;
        memset(length, 0, sizeof length);
        for (int i = 0; i < literals + distances;) {
            int           symbol = gi_take_symbol(z, z->literals), repeat = 1;
            unsigned char value = (unsigned char)symbol;
            if (symbol < 0 || (symbol == 16 && i == 0)) return false;
            if (symbol >= 16) value = symbol == 16 ? length[i - 1] : 0;
            if (symbol == 16) repeat = 3 + (int)gi_take_bits(z, 2);
            if (symbol == 17) repeat = 3 + (int)gi_take_bits(z, 3);
            if (symbol == 18) repeat = 11 + (int)gi_take_bits(z, 7);
            if (i + repeat > literals + distances) return false;
            while (repeat-- > 0) length[i++] = value;
        }
    }
    return gi_make_codes(z->literals, length, literals) && gi_make_codes(z->distances, length + literals, distances);
}

/* Literals and copies of what came before, up to the end of the block. */
static bool gi_inflate_block(gi_inflater *z)
{
    for (;;) {
        int symbol = gi_take_symbol(z, z->literals);
        if (symbol == 256) return true;
        if (symbol < 0 || symbol > 285 || z->out == z->out_end) return false;
        if (symbol < 256) {
            *z->out++ = (unsigned char)symbol;
            continue;
        }
        /* Lengths 3 to 10 have symbols of their own; then four symbols to each number of extra bits. 258 has one as well. */
        int     k = symbol - 257, extra = k < 8 || k == 28 ? 0 : (k - 4) / 4;
        int64_t length = k < 8 ? 3 + k : k == 28 ? 258 : 3 + ((4 + k % 4) << extra) + (int)gi_take_bits(z, extra);
        int     far    = gi_take_symbol(z, z->distances);
        if (far < 0 || far > 29) return false;
        extra            = far < 4 ? 0 : (far - 2) / 2;
        int64_t distance = far < 4 ? 1 + far : 1 + ((2 + far % 2) << extra) + (int)gi_take_bits(z, extra);
        if (distance > z->out - z->out_start || length > z->out_end - z->out) return false;
        for (; length > 0; length--, z->out++) *z->out = *(z->out - distance);
    }
}

/* Unpacks `n` bytes into exactly `room` ones; false if the input is damaged. */
static bool gi_inflate(gi_inflater *z, const void *in, size_t n, void *out, size_t room)
{
    z->in        = (const unsigned char *)in;
    z->in_end    = z->in + n;
    z->out_start = z->out = (unsigned char *)out;
    z->out_end            = z->out + room;
    z->bits               = 0;
    z->held               = 0;
    for (bool last = false; !last;) {
        last          = gi_take_bits(z, 1) != 0;
        unsigned kind = gi_take_bits(z, 2);
        if (kind == 0) { /* stored: from the next whole byte on, length and its complement first */
            (void)gi_take_bits(z, z->held & 7);
            unsigned length = gi_take_bits(z, 16), complement = gi_take_bits(z, 16);
            if (z->held < 0 || (length ^ complement) != 0xFFFF) return false;
            z->in -= z->held / 8;
            z->bits = 0;
            z->held = 0;
            if (length > (size_t)(z->in_end - z->in) || length > (size_t)(z->out_end - z->out)) return false;
            if (length > 0) memcpy(z->out, z->in, length);
            z->in += length;
            z->out += length;
        } else if (kind == 3 || !gi_read_codes(z, kind == 1) || !gi_inflate_block(z)) {
            return false;
        }
        if (z->held < 0) return false;
    }
    return z->out == z->out_end;
}

/* ---- .npz: a zip archive of .npy files --------------------------------------------------------------------------- */

#ifndef GI_ZIP_LIMIT
#define GI_ZIP_LIMIT 0xFFFFFFFFu /* from here on sizes and places go into 64-bit fields (tests lower it) */
#endif

typedef struct gi_zip_entry {
    char     name[256]; /* without .npy */
    int      flags, method;
    uint32_t crc;
    uint64_t packed, size, at; /* bytes in the archive, unpacked; where its local header is */
} gi_zip_entry;

/* The directory of the archive, `bytes` long, at `at`; 0 entries if there is none. */
typedef struct gi_zip_directory {
    uint64_t entries, bytes, at;
} gi_zip_directory;

static bool gi_find_zip_directory(const char *site, const char *what, const gi_source *s, gi_zip_directory *z)
{
    enum { END = 22, END64 = 56, LOCATOR = 20, LONGEST_COMMENT = 65535, LONGEST = LOCATOR + END + LONGEST_COMMENT };
    size_t         room = s->size < LONGEST ? (size_t)s->size : (size_t)LONGEST;
    unsigned char *tail = (unsigned char *)gi_alloc(site, room);
    if (!tail) return false;
    int64_t              start = s->size - (int64_t)room;
    const unsigned char *end   = NULL;
    bool                 read  = gi_read_at(s, start, tail, room);
    for (size_t after = 0; read && !end && after + END <= room; after++) { /* bytes behind it: a comment */
        const unsigned char *p = tail + room - END - after;
        if (!memcmp(p, "PK\5\6", 4) && gi_little_endian(p + 20, 2) <= after) end = p;
    }
    bool found = end != NULL;
    if (found) {
        z->entries = gi_little_endian(end + 10, 2);
        z->bytes   = gi_little_endian(end + 12, 4);
        z->at      = gi_little_endian(end + 16, 4);
        unsigned char end64[END64];
        if (end - tail >= LOCATOR && !memcmp(end - LOCATOR, "PK\6\7", 4)) {
            uint64_t at = gi_little_endian(end - LOCATOR + 8, 8);
            found       = at < (uint64_t)s->size && gi_read_at(s, (int64_t)at, end64, END64) && !memcmp(end64, "PK\6\6", 4);
            z->entries  = found ? gi_little_endian(end64 + 32, 8) : 0;
            z->bytes    = found ? gi_little_endian(end64 + 40, 8) : 0;
            z->at       = found ? gi_little_endian(end64 + 48, 8) : 0;
        }
        found = found && z->bytes <= (uint64_t)s->size && z->at <= (uint64_t)s->size - z->bytes;
    }
    gi_release(tail, room);
    if (!found) gi_fail(site, GA_BAD_FILE, "%s is no .npz file (a zip archive), or was cut short", what);
    return found;
}

/* Reads the directory entry at p (before `end`) and returns what follows it; NULL if it is damaged. */
static const unsigned char *gi_read_zip_entry(const unsigned char *p, const unsigned char *end, gi_zip_entry *e)
{
    enum { FIXED = 46 };
    if (end - p < FIXED || memcmp(p, "PK\1\2", 4) != 0) return NULL;
    size_t name = (size_t)gi_little_endian(p + 28, 2), extra = (size_t)gi_little_endian(p + 30, 2);
    size_t comment = (size_t)gi_little_endian(p + 32, 2);
    if ((size_t)(end - p) < FIXED + name + extra + comment) return NULL;
    e->flags  = (int)gi_little_endian(p + 8, 2);
    e->method = (int)gi_little_endian(p + 10, 2);
    e->crc    = (uint32_t)gi_little_endian(p + 16, 4);
    e->packed = gi_little_endian(p + 20, 4);
    e->size   = gi_little_endian(p + 24, 4);
    e->at     = gi_little_endian(p + 42, 4);
    p += FIXED;
    size_t kept = name > 4 && !memcmp(p + name - 4, ".npy", 4) ? name - 4 : name;
    if (kept > sizeof e->name - 1) kept = sizeof e->name - 1;
    memcpy(e->name, p, kept);
    e->name[kept] = 0;
    for (char *c = e->name; *c; c++)
        if ((unsigned char)*c < ' ') *c = '?'; /* messages quote it */
    p += name;
    const unsigned char *extra_end = p + extra;
    while (extra_end - p >= 4) { /* tag, length, content: tag 1 holds the 64-bit values of the fields that are all ones */
        const unsigned char *field = p + 4, *next = field + gi_little_endian(p + 2, 2);
        if (next > extra_end) break;
        uint64_t *wide[] = { &e->size, &e->packed, &e->at };
        for (int i = 0; i < 3 && gi_little_endian(p, 2) == 1; i++)
            if (*wide[i] == 0xFFFFFFFFu && next - field >= 8) {
                *wide[i] = gi_little_endian(field, 8);
                field += 8;
            }
        p = next;
    }
    return extra_end + comment;
}

static bool gi_crc_is(const gi_source *s, int64_t at, uint64_t n, uint32_t expected)
{
    enum { PIECE = 1 << 15 };
    unsigned char piece[PIECE];
    gi_crc_table  table;
    uint32_t      crc = 0;
    gi_make_crc_table(&table);
    for (size_t now; n > 0; n -= now, at += (int64_t)now) {
        now = n < PIECE ? (size_t)n : (size_t)PIECE;
        if (!gi_read_at(s, at, piece, now)) return false;
        crc = gi_crc(&table, crc, piece, now);
    }
    return crc == expected;
}

/* Unpacks the deflated entry whose data begin at `at`, then reads it. */
static ga_array *gi_read_deflated(const char *site, const char *what, const gi_source *s, int64_t at, const gi_zip_entry *e)
{
    enum { BEST_RATIO = 1032 }; /* of deflate; more is a lie, refused before there is memory for it */
    if (e->size / BEST_RATIO > e->packed + 1)
        return (ga_array *)gi_fail(site, GA_BAD_FILE, "%s claims %llu bytes packed into %llu: is it damaged?", what,
                                   (unsigned long long)e->size, (unsigned long long)e->packed);
    size_t       size = (size_t)e->size, packed_size = (size_t)e->packed;
    ga_array    *a        = NULL;
    gi_inflater *inflater = (gi_inflater *)gi_alloc(site, sizeof *inflater);
    void        *packed   = inflater ? gi_alloc(site, packed_size) : NULL;
    void        *bytes    = packed ? gi_alloc(site, size) : NULL;
    if (bytes) {
        gi_source unpacked = { NULL, (const unsigned char *)bytes, (int64_t)size };
        if (!gi_read_at(s, at, packed, packed_size) || !gi_inflate(inflater, packed, packed_size, bytes, size) ||
            !gi_crc_is(&unpacked, 0, size, e->crc))
            gi_fail(site, GA_BAD_FILE, "%s is damaged: it cannot be unpacked to what its checksum says", what);
        else a = gi_npy_parse(site, what, bytes, size);
    }
    gi_release(bytes, size);
    gi_release(packed, packed_size);
    gi_release(inflater, sizeof *inflater);
    return a;
}

static ga_array *gi_read_zipped(const char *site, const char *what, const gi_source *s, const gi_zip_entry *e)
{
    enum { FIXED = 30 };
    unsigned char local[FIXED];
    if (e->at > (uint64_t)s->size || !gi_read_at(s, (int64_t)e->at, local, FIXED) || memcmp(local, "PK\3\4", 4) != 0)
        return (ga_array *)gi_fail(site, GA_BAD_FILE, "%s is not where the archive says: is it damaged?", what);
    int64_t at = (int64_t)(e->at + FIXED + gi_little_endian(local + 26, 2) + gi_little_endian(local + 28, 2));
    if (at > s->size || e->packed > (uint64_t)(s->size - at))
        return (ga_array *)gi_fail(site, GA_BAD_FILE, "%s claims %llu bytes, which are not there: was the archive cut short?",
                                   what, (unsigned long long)e->packed);
    if (e->flags & 1) return (ga_array *)gi_fail(site, GA_BAD_FILE, "%s is encrypted: write it with numpy.savez", what);
    if (e->method == 8) return gi_read_deflated(site, what, s, at, e);
    if (e->method != 0)
        return (ga_array *)gi_fail(site, GA_BAD_FILE, "%s is packed by an unknown method (%d): write it with numpy.savez", what,
                                   e->method);
    if (e->packed != e->size || !gi_crc_is(s, at, e->size, e->crc))
        return (ga_array *)gi_fail(site, GA_BAD_FILE, "%s is damaged: its bytes do not give its checksum", what);
    gi_source part = *s; /* ends where the entry ends */
    part.size      = at + (int64_t)e->size;
    return gi_npy_read(site, what, &part, at);
}

/* The array `name` (NULL: the first) of an archive. */
static ga_array *gi_npz_read(const char *site, const char *what, const gi_source *s, const char *name)
{
    gi_zip_directory z;
    if (!gi_find_zip_directory(site, what, s, &z)) return NULL;
    size_t         bytes     = (size_t)z.bytes;
    unsigned char *directory = (unsigned char *)gi_alloc(site, bytes);
    if (!directory) return NULL;
    const unsigned char *p = gi_read_at(s, (int64_t)z.at, directory, bytes) ? directory : NULL;
    gi_zip_entry         e;
    bool                 found = false;
    char                 there[GI_NAME_ROOM]; /* the names, for the message */
    int                  used  = 0;
    size_t               given = name ? strlen(name) : 0;
    there[0]                   = 0;
    for (uint64_t i = 0; p && i < z.entries && !found; i++) {
        p = gi_read_zip_entry(p, directory + bytes, &e);
        if (!p) break;
        size_t n = strlen(e.name);
        found    = !name || (given >= n && !memcmp(name, e.name, n) && (given == n || !strcmp(name + n, ".npy")));
        if (!found && used < (int)sizeof there - 1)
            used += snprintf(there + used, sizeof there - (size_t)used, used ? ", %s" : "%s", e.name);
    }
    ga_array *a = NULL;
    if (found) {
        char which[2 * GI_NAME_ROOM];
        snprintf(which, sizeof which, "array '%s' of %s", e.name, what);
        a = gi_read_zipped(site, which, s, &e);
    } else if (!p) {
        gi_fail(site, GA_BAD_FILE, "the directory of %s makes no sense: is it damaged?", what);
    } else if (!name) {
        gi_fail(site, GA_BAD_FILE, "%s holds no array", what);
    } else {
        gi_fail(site, GA_BAD_ARGUMENT, "%s holds no array '%.100s'; it has: %s", what, name, there);
    }
    gi_release(directory, bytes);
    return a;
}

ga_array *(ga_load_from)(const char *path, const char *name, const char *site)
{
    gi_source s;
    if (!gi_open_source(site, path, &s)) return NULL;
    char what[GI_NAME_ROOM];
    snprintf(what, sizeof what, "'%.300s'", path);
    ga_array *a = gi_npz_read(site, what, &s, name);
    fclose(s.file);
    return gi_to_default_device(site, a);
}

static void gi_write_number(gi_output *o, uint64_t v, int n)
{
    unsigned char bytes[8];
    for (int i = 0; i < n; i++) bytes[i] = (unsigned char)(v >> 8 * i);
    gi_write(o, bytes, (size_t)n);
}

/* A size or place in a 32-bit field: all ones where it does not fit. */
static void gi_write_32(gi_output *o, uint64_t v) { gi_write_number(o, v < GI_ZIP_LIMIT ? v : 0xFFFFFFFFu, 4); }

/* The header of an entry: before its data, or in the directory. Both have the same fields, the directory some more. */
static void gi_write_zip_entry(gi_output *o, const gi_zip_entry *e, const char *name, bool directory)
{
    bool     wide_size = e->size >= GI_ZIP_LIMIT, wide_at = directory && e->at >= GI_ZIP_LIMIT;
    unsigned extra = (wide_size ? 16u : 0u) + (wide_at ? 8u : 0u), version = extra > 0 ? 45 : 20;
    size_t   n = strlen(name);
    gi_write(o, directory ? "PK\1\2" : "PK\3\4", 4);
    if (directory) gi_write_number(o, 3 << 8 | version, 2); /* made on Unix */
    gi_write_number(o, version, 2);
    gi_write_number(o, (uint64_t)e->flags, 2);
    gi_write_number(o, 0, 4);          /* not packed; time 0:00 */
    gi_write_number(o, 1 << 5 | 1, 2); /* 1 January 1980, so that equal arrays give equal files */
    gi_write_number(o, e->crc, 4);
    gi_write_32(o, e->size);
    gi_write_32(o, e->size);
    gi_write_number(o, n + 4, 2);
    gi_write_number(o, extra > 0 ? extra + 4 : 0, 2);
    if (directory) {
        gi_write_number(o, 0, 6);           /* no comment, first disk, not text */
        gi_write_number(o, 0600u << 16, 4); /* permissions */
        gi_write_32(o, e->at);
    }
    gi_write(o, name, n);
    gi_write(o, ".npy", 4);
    if (extra > 0) gi_write_number(o, 1 | (uint64_t)extra << 16, 4);
    if (wide_size) gi_write_number(o, e->size, 8);
    if (wide_size) gi_write_number(o, e->size, 8);
    if (wide_at) gi_write_number(o, e->at, 8);
}

static void gi_write_zip_end(gi_output *o, uint64_t entries, uint64_t start)
{
    uint64_t end = (uint64_t)o->at;
    if (entries >= 0xFFFF || end >= GI_ZIP_LIMIT) {
        gi_write(o, "PK\6\6", 4);
        gi_write_number(o, 44, 8);            /* bytes that follow */
        gi_write_number(o, 45 | 45 << 16, 4); /* versions */
        gi_write_number(o, 0, 8);             /* disks */
        gi_write_number(o, entries, 8);
        gi_write_number(o, entries, 8);
        gi_write_number(o, end - start, 8);
        gi_write_number(o, start, 8);
        gi_write(o, "PK\6\7", 4);
        gi_write_number(o, 0, 4);
        gi_write_number(o, end, 8);
        gi_write_number(o, 1, 4);
    }
    gi_write(o, "PK\5\6", 4);
    gi_write_number(o, 0, 4);
    gi_write_number(o, entries < 0xFFFF ? entries : 0xFFFF, 2);
    gi_write_number(o, entries < 0xFFFF ? entries : 0xFFFF, 2);
    gi_write_32(o, end - start);
    gi_write_32(o, start);
    gi_write_number(o, 0, 2);
}

/* The names of arrays without one: arr_0, arr_1 ... as numpy.savez. */
static const char *gi_zip_name(const char *const *names, int i, char *room)
{
    if (names && names[i]) return names[i];
    snprintf(room, 24, "arr_%d", i);
    return room;
}

static bool gi_write_zipped(const char *site, gi_output *o, const gi_crc_table *table, const char *name, const ga_array *a,
                            gi_zip_entry *e)
{
    ga_array *c = gi_on_cpu(site, a);
    if (!c) return false;
    char   header[GI_NPY_HEADER_ROOM];
    size_t before = (size_t)gi_npy_header_bytes(c, header), bytes = (size_t)(c->size * ga_itemsize(c->dtype));
    e->at   = (uint64_t)o->at;
    e->size = before + bytes;
    e->crc  = gi_crc(table, gi_crc(table, 0, header, before), c->data, bytes);
    for (const char *p = name; *p; p++)
        if (*p & 0x80) e->flags = 1 << 11; /* the name is UTF-8 */
    gi_write_zip_entry(o, e, name, false);
    gi_write(o, header, before);
    gi_write(o, c->data, bytes);
    ga_free(c);
    return true;
}

bool(ga_savez)(const char *path, int n, const char *const *names, const ga_array *const *arrays, const char *site)
{
    if (n < 0 || (n > 0 && !arrays)) {
        gi_fail(site, GA_BAD_ARGUMENT, n < 0 ? "the number of arrays is negative" : "the list of arrays is NULL");
        return false;
    }
    char a_name[24], b_name[24];
    for (int i = 0; i < n; i++) {
        const char *name = gi_zip_name(names, i, a_name);
        if (!gi_check(site, arrays[i], name)) return false;
        if (strlen(name) > 250) {
            gi_fail(site, GA_BAD_ARGUMENT, "the name of array %d has %zu bytes; at most 250 are possible", i, strlen(name));
            return false;
        }
        for (int j = 0; j < i; j++)
            if (!strcmp(name, gi_zip_name(names, j, b_name))) {
                gi_fail(site, GA_BAD_ARGUMENT, "arrays %d and %d have the same name '%s'", j, i, name);
                return false;
            }
    }
    size_t        bytes   = (size_t)n * sizeof(gi_zip_entry);
    gi_zip_entry *entries = (gi_zip_entry *)gi_alloc(site, bytes);
    if (!entries) return false;
    memset(entries, 0, bytes);
    gi_output o;
    bool      done = gi_open_output(site, path, &o);
    if (done) {
        gi_crc_table table;
        gi_make_crc_table(&table);
        for (int i = 0; i < n && done; i++)
            done = gi_write_zipped(site, &o, &table, gi_zip_name(names, i, a_name), arrays[i], &entries[i]);
        uint64_t start = (uint64_t)o.at;
        for (int i = 0; i < n && done; i++) gi_write_zip_entry(&o, &entries[i], gi_zip_name(names, i, a_name), true);
        gi_write_zip_end(&o, (uint64_t)n, start);
        done = gi_close_output(site, &o, done);
    }
    gi_release(entries, bytes);
    return done;
}

/* ==== >>timing ==================================================================================================== */

double ga_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct gi_cuda_clock {
    const char *site;
    ga_event    from, to;
} gi_cuda_clock;

#if GI_HAS_CUDA
static void gi_cuda_synchronize(const char *site);
static bool gi_cuda_clock_start(gi_cuda_clock *c);
static bool gi_cuda_clock_stop(gi_cuda_clock *c, double *seconds);
static void gi_cuda_clock_free(gi_cuda_clock *c);
void(ga_synchronize)(void) { gi_cuda_synchronize("\tga_synchronize"); }
#else
/* A call on the CPU has done everything when it returns. */
void(ga_synchronize)(void) {}
static bool gi_cuda_clock_start(gi_cuda_clock *c) { return (void)c, false; }
static bool gi_cuda_clock_stop(gi_cuda_clock *c, double *seconds) { return (void)c, (void)seconds, false; }
static void gi_cuda_clock_free(gi_cuda_clock *c) { (void)c; }
#endif

static int gi_compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts the n times. */
static ga_times gi_summarise_times(double *seconds, int n)
{
    ga_times t = { 0, 0, 0, 0, 0 };
    qsort(seconds, (size_t)n, sizeof *seconds, gi_compare_doubles);
    for (int i = 0; i < n; i++) t.mean += seconds[i] / n;
    for (int i = 0; i < n; i++) t.std += (seconds[i] - t.mean) * (seconds[i] - t.mean) / n;
    t.std    = sqrt(t.std);
    t.min    = seconds[0];
    t.max    = seconds[n - 1];
    t.median = (seconds[(n - 1) / 2] + seconds[n / 2]) / 2;
    return t;
}

/* The clocks of a benchmark. */
typedef struct gi_stopwatch {
    double       *cpu, *device; /* seconds of each call */
    int           calls, device_calls;
    gi_cuda_clock clock;
} gi_stopwatch;

/* One call; what it makes is released after the clocks have stopped. Returns the seconds that it took altogether. */
static double gi_time_call(void (*f)(void *user), void *user, gi_stopwatch *w)
{
    gi_scope scope;
    gi_scope_begin(&scope);
    bool   on_gpu = gi_cuda_clock_start(&w->clock);
    double start  = ga_now();
    f(user);
    w->cpu[w->calls++] = ga_now() - start;
    if (on_gpu && gi_cuda_clock_stop(&w->clock, &w->device[w->device_calls])) w->device_calls++;
    (ga_synchronize)();
    double seconds = ga_now() - start;
    gi_scope_end(&scope);
    return seconds;
}

/* Microseconds with three decimals, whatever the locale. */
static const char *gi_microseconds(double seconds, char *text, size_t room)
{
    long long ns = llround(seconds * 1e9);
    snprintf(text, room, "%lld.%03lld", ns / 1000, ns % 1000);
    return text;
}

static void gi_print_times(const char *device, const ga_times *t)
{
    char text[5][32];
    printf(" %s: %s us +/- %s (min %s / max %s / median %s) us", device, gi_microseconds(t->mean, text[0], 32),
           gi_microseconds(t->std, text[1], 32), gi_microseconds(t->min, text[2], 32), gi_microseconds(t->max, text[3], 32),
           gi_microseconds(t->median, text[4], 32));
}

ga_benchmark_result(ga_benchmark)(void (*f)(void *user), void *user, ga_benchmark_options o)
{
    ga_benchmark_result r;
    memset(&r, 0, sizeof r);
    if (!f || o.repeat < 0 || o.max_seconds < 0) {
        gi_fail(o.site, GA_BAD_ARGUMENT, f ? "a negative number of calls or seconds" : "the function is NULL");
        return r;
    }
    int repeat = o.repeat > 0 ? o.repeat : 10000, warmup = o.warmup > 0 ? o.warmup : o.warmup < 0 ? 0 : 10;
    /* A number of calls that is asked for is done; else as many as fit into the time. */
    double       limit = o.max_seconds > 0 ? o.max_seconds : o.repeat > 0 ? (double)INFINITY : 1;
    size_t       bytes = (size_t)repeat * 2 * sizeof(double);
    double      *times = (double *)gi_alloc(o.site, bytes), spent = 0;
    gi_stopwatch w;
    if (!times) return r;
    memset(&w, 0, sizeof w);
    w.clock.site  = o.site;
    w.cpu         = times;
    w.device      = times + repeat;
    bool was_fine = gi_error_status == GA_OK, failed = false;
    for (int i = 0; i < warmup && spent < limit && !failed; i++) {
        w.calls = w.device_calls = 0;
        spent += gi_time_call(f, user, &w);
        failed = was_fine && gi_error_status != GA_OK;
    }
    w.calls = w.device_calls = 0;
    spent                    = 0;
    while (w.calls < repeat && (w.calls == 0 || spent < limit) && !failed) {
        spent += gi_time_call(f, user, &w);
        failed = was_fine && gi_error_status != GA_OK;
    }
    gi_cuda_clock_free(&w.clock);
    if (!failed) { /* else f has said why; the time of a failing call is no answer */
        r.repeats = w.calls;
        r.cpu     = gi_summarise_times(w.cpu, w.calls);
        if (w.device_calls > 0) r.device = gi_summarise_times(w.device, w.device_calls);
    }
    gi_release(times, bytes);
    if (o.quiet || r.repeats == 0) return r;
    const char *call = o.site ? strchr(o.site, '\t') : NULL;
    char        gpu[32];
    printf("%s:", o.name ? o.name : call ? call + 1 : "ga_benchmark");
    gi_print_times("CPU", &r.cpu);
    snprintf(gpu, sizeof gpu, " GPU-%d", ga_cuda_selected());
    if (r.device.max > 0) gi_print_times(gpu, &r.device);
    printf(", %d repeats\n", r.repeats);
    return r;
}

/* ==== >>pictures: PNG files, colour maps, numbers beside them ====================================================== */

#include <setjmp.h>
#include <sys/stat.h>

#if !defined(GPUARR_NO_STB) && defined(__has_include)
#if __has_include(<stb/stb_image_write.h>)
#define GI_HAS_STB 1
#elif __has_include(<stb_image_write.h>)
#define GI_HAS_STB 2
#endif
#endif

/* ---- files ------------------------------------------------------------------------------------------------------- */

static bool gi_is_regular_file(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

/* Writes a whole file. A part of one is not left behind (but /dev/full stays where it is). */
static bool gi_write_file(const char *site, const char *path, const void *bytes, size_t size)
{
    errno      = 0;
    FILE *file = fopen(path, "wb");
    if (!file) {
        gi_fail(site, GA_NO_FILE, "cannot write '%s': %s", path, strerror(errno));
        return false;
    }
    bool written = fwrite(bytes, 1, size, file) == size;
    int  reason  = errno;
    if (fclose(file) != 0 && written) {
        written = false;
        reason  = errno;
    }
    if (written) return true;
    if (gi_is_regular_file(path)) (void)remove(path);
    gi_fail(site, GA_NO_FILE, "cannot write all of '%s' (%zu bytes): %s", path, size, strerror(reason));
    return false;
}

/* ---- PNG --------------------------------------------------------------------------------------------------------- */

#ifdef GI_HAS_STB

/*  stb takes its memory from here, so that limits, statistics and failing allocations are the same as everywhere. It cannot
    report that memory is short (it would abort), hence the way back by longjmp; its blocks are in a list to be released then.
    (Unused when the program has its own copy of stb.) */
typedef struct gi_png_block {
    struct gi_png_block *prev, *next;
    size_t               bytes; /* of the whole block; what stb uses follows GI_ALIGN bytes after its start */
} gi_png_block;

static __thread struct {
    const char   *site;
    gi_png_block *first;
    jmp_buf       no_memory;
} gi_png;

__attribute__((unused)) static void *gi_png_alloc(size_t bytes)
{
    gi_png_block *b = (gi_png_block *)gi_alloc(gi_png.site, bytes + GI_ALIGN);
    if (!b) longjmp(gi_png.no_memory, 1);
    b->bytes = bytes + GI_ALIGN;
    b->prev  = NULL;
    b->next  = gi_png.first;
    if (b->next) b->next->prev = b;
    gi_png.first = b;
    return (char *)b + GI_ALIGN;
}

static void gi_png_release(void *p)
{
    if (!p) return;
    gi_png_block *b = (gi_png_block *)(void *)((char *)p - GI_ALIGN);
    if (b->prev) b->prev->next = b->next;
    else gi_png.first = b->next;
    if (b->next) b->next->prev = b->prev;
    gi_release(b, b->bytes);
}

__attribute__((unused)) static void *gi_png_grow(void *p, size_t old_bytes, size_t new_bytes)
{
    void *q = gi_png_alloc(new_bytes);
    if (p) memcpy(q, p, old_bytes < new_bytes ? old_bytes : new_bytes);
    gi_png_release(p);
    return q;
}

/*  Our private copy of stb, unless the program has included its own before this point. A program that wants its own in the same
    file includes it before gpuarr.h. */
#ifndef INCLUDE_STB_IMAGE_WRITE_H
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STBIW_MALLOC(bytes)                          gi_png_alloc(bytes)
#define STBIW_REALLOC_SIZED(p, old_bytes, new_bytes) gi_png_grow(p, old_bytes, new_bytes)
#define STBIW_FREE(p)                                gi_png_release(p)
#if GI_HAS_STB == 1
#include <stb/stb_image_write.h>
#else
#include <stb_image_write.h>
#endif
#undef STB_IMAGE_WRITE_STATIC
#undef STB_IMAGE_WRITE_IMPLEMENTATION
#pragma GCC diagnostic pop
#endif

typedef struct gi_png_target {
    const char *site, *path;
    bool        written;
} gi_png_target;

static void gi_png_finished(void *target, void *bytes, int size)
{
    gi_png_target *t = (gi_png_target *)target;
    t->written       = gi_write_file(t->site, t->path, bytes, (size_t)size);
}

/* Its own function, so that nothing of stb is inlined beside the setjmp. */
__attribute__((noinline)) static void gi_png_run(gi_png_target *t, int rows, int columns, int channels, const void *pixels)
{
    if (!stbi_write_png_to_func(gi_png_finished, t, columns, rows, channels, pixels, columns * channels))
        gi_fail(t->site, GA_NO_MEMORY, "no memory to compress a picture of %d x %d pixels", rows, columns);
}

static bool gi_write_png(const char *site, const char *path, int64_t rows, int64_t columns, int channels, const void *pixels)
{
    const int64_t most = (int64_t)1 << 30; /* stb counts bytes in int */
    if (rows > most || columns > most || rows * (columns * channels + 1) > most) {
        gi_fail(site, GA_BAD_SHAPE,
                "%lld x %lld pixels with %d channels are too large for PNG through stb (1 GiB): write "
                "it in pieces, or every second pixel: ga_index(a, \"::2, ::2\")",
                (long long)rows, (long long)columns, channels);
        return false;
    }
    gi_png_target target = { site, path, false };
    gi_png.site          = site;
    gi_png.first         = NULL;
    if (setjmp(gi_png.no_memory) == 0) gi_png_run(&target, (int)rows, (int)columns, channels, pixels);
    while (gi_png.first) gi_png_release((char *)gi_png.first + GI_ALIGN);
    return target.written;
}

#else

static bool gi_write_png(const char *site, const char *path, int64_t rows, int64_t columns, int channels, const void *pixels)
{
    (void)rows, (void)columns, (void)channels, (void)pixels;
    gi_fail(site, GA_NO_LIBRARY,
            "cannot write '%s': this program was built without stb_image_write.h, which makes PNG files; "
            "apt-get install libstb-dev (or put that header beside your source with -I.) and compile again",
            path);
    return false;
}

#endif

/* ---- ga_imsave --------------------------------------------------------------------------------------------------- */

#define GI_PICTURE_BLOCK ((int64_t)512)     /* elements that are widened to float64 at a time */
#define GI_PICTURE_CHUNK ((int64_t)1 << 15) /* elements that a thread takes at a time */

/* Elements of a C-contiguous array, from the given one on, as float64. */
static void gi_picture_values(const ga_array *a, int64_t begin, int64_t n, double *values)
{
    gi_cast(GA_F64, a->dtype, n, values, (const char *)a->data + begin * ga_itemsize(a->dtype));
}

/* The least and the largest finite value; low > high if there is none. */
typedef struct gi_range_job {
    const ga_array *a;
    double          above; /* only values greater than this one count */
    double          low, high;
    pthread_mutex_t lock;
} gi_range_job;

static void gi_range_task(int64_t begin, int64_t end, void *job)
{
    gi_range_job *j   = (gi_range_job *)job;
    double        low = INFINITY, high = -INFINITY, values[GI_PICTURE_BLOCK];
    for (int64_t i = begin; i < end; i += GI_PICTURE_BLOCK) {
        int64_t n = end - i < GI_PICTURE_BLOCK ? end - i : GI_PICTURE_BLOCK;
        gi_picture_values(j->a, i, n, values);
        for (int64_t k = 0; k < n; k++) {
            double x = values[k];
            if (!(x > j->above && x < INFINITY)) continue; /* NaN fails as well */
            if (x < low) low = x;
            if (x > high) high = x;
        }
    }
    pthread_mutex_lock(&j->lock);
    if (low < j->low) j->low = low;
    if (high > j->high) j->high = high;
    pthread_mutex_unlock(&j->lock);
}

static void gi_value_range(const ga_array *a, double above, double *low, double *high)
{
    gi_range_job job;
    job.a     = a;
    job.above = above;
    job.low   = INFINITY;
    job.high  = -INFINITY;
    pthread_mutex_init(&job.lock, NULL);
    gi_parallel(a->size, GI_PICTURE_CHUNK, gi_range_task, &job);
    pthread_mutex_destroy(&job.lock);
    *low  = job.low;
    *high = job.high;
}

typedef struct gi_imsave_job {
    const ga_array *a;
    unsigned char  *pixels;
    double          low, scale;
} gi_imsave_job;

static void gi_imsave_task(int64_t begin, int64_t end, void *job)
{
    const gi_imsave_job *j = (const gi_imsave_job *)job;
    double               values[GI_PICTURE_BLOCK];
    for (int64_t i = begin; i < end; i += GI_PICTURE_BLOCK) {
        int64_t n = end - i < GI_PICTURE_BLOCK ? end - i : GI_PICTURE_BLOCK;
        gi_picture_values(j->a, i, n, values);
        for (int64_t k = 0; k < n; k++) {
            double x         = j->scale * (values[k] - j->low);
            j->pixels[i + k] = x >= 255 ? 255 : x > 0 ? (unsigned char)x : 0; /* NaN: 0 */
        }
    }
}

/* NaN and infinite pixels do not count for min and max; -inf and NaN become 0, inf 255. */
bool(ga_imsave)(const char *path, const ga_array *a, const char *site)
{
    if (!gi_check(site, a, "a")) return false;
    if (!path) return gi_fail(site, GA_BAD_ARGUMENT, "the file name is NULL") != NULL;
    int channels = a->ndim == 3 && a->shape[2] <= 4 ? (int)a->shape[2] : a->ndim == 2 ? 1 : 0;
    if (channels < 1)
        return gi_fail(site, GA_BAD_SHAPE,
                       "shape %s is no picture: it must be (rows, columns) or (rows, columns, channels) with 1 "
                       "channel (grey), 2 (grey, alpha), 3 (red, green, blue) or 4 (and alpha)",
                       gi_shape_of(a)) != NULL;
    if (a->size == 0) return gi_fail(site, GA_BAD_SHAPE, "shape %s has no pixels", gi_shape_of(a)) != NULL;
    if (gi_is_complex(a->dtype))
        return gi_fail(site, GA_BAD_DTYPE, "%s has no grey values: take ga_absolute, ga_real or ga_imag of it",
                       ga_dtype_name(a->dtype)) != NULL;
    ga_array *c = gi_on_cpu(site, a);
    if (!c) return false;
    bool done = false;
    if (c->dtype == GA_U8) {
        done = gi_write_png(site, path, c->shape[0], c->shape[1], channels, c->data);
    } else {
        size_t        bytes = (size_t)c->size;
        gi_imsave_job job   = { c, (unsigned char *)gi_alloc(site, bytes), 0, 0 };
        if (job.pixels) {
            double high;
            gi_value_range(c, -INFINITY, &job.low, &high);
            if (high > job.low) job.scale = 255 / (high - job.low);
            gi_parallel(c->size, GI_PICTURE_CHUNK, gi_imsave_task, &job);
            done = gi_write_png(site, path, c->shape[0], c->shape[1], channels, job.pixels);
            gi_release(job.pixels, bytes);
        }
    }
    ga_free(c);
    return done;
}

/* ---- colour maps ------------------------------------------------------------------------------------------------- */

/*  matplotlib's maps of 256 colours by a few control points with straight lines between them. The points were fitted to the
    maps: no channel of any colour is off by more than 1 of 255. RdBu is ColorBrewer's.                                     */
typedef struct gi_colormap {
    const char *name;
    int         points;
    uint32_t    rgb[33];
} gi_colormap;

static const gi_colormap gi_colormaps[] = {
    { "viridis", 33, { 0x440054, 0x460c5f, 0x48186a, 0x482273, 0x472c7b, 0x453681, 0x423f85, 0x3e4989, 0x3a528a,
                       0x375a8c, 0x32628d, 0x2f6a8d, 0x2c728e, 0x28798e, 0x26818e, 0x23888d, 0x20908c, 0x1e978a,
                       0x1e9e88, 0x21a684, 0x27ad80, 0x31b47a, 0x3dbc74, 0x4bc26c, 0x5cc862, 0x6ece58, 0x81d34c,
                       0x95d73f, 0xaadc31, 0xc0de24, 0xd4e219, 0xeae418, 0xfde724 } },
    { "gray", 2, { 0x000000, 0xffffff } },
    { "gray_r", 2, { 0xffffff, 0x000000 } },
    { "inferno", 33, { 0x000002, 0x020212, 0x0a0623, 0x140b36, 0x200c4a, 0x2e0a5a, 0x3c0865, 0x490b6a, 0x560f6d,
                       0x63146e, 0x70196e, 0x7c1d6c, 0x89226a, 0x952666, 0xa22b61, 0xaf305b, 0xba3655, 0xc63d4d,
                       0xd14544, 0xda4e3b, 0xe35932, 0xea6428, 0xf1711e, 0xf57e13, 0xf98c09, 0xfb9b05, 0xfbaa0e,
                       0xfbb91e, 0xf8c932, 0xf5d948, 0xf1e864, 0xf1f585, 0xfcfea5 } },
    { "RdBu_r",
      11,
      { 0x043061, 0x2165ab, 0x4292c3, 0x92c5dd, 0xd0e4f0, 0xf7f7f7, 0xfcdac6, 0xf4a581, 0xd65f4d, 0xb1182a, 0x67001f } },
};

/* The 256 colours of a map; false if there is none of that name. */
static bool gi_colours(const char *name, unsigned char colours[256][3])
{
    const gi_colormap *map = NULL;
    for (size_t i = 0; i < sizeof gi_colormaps / sizeof *gi_colormaps; i++)
        if (strcmp(name, gi_colormaps[i].name) == 0) map = &gi_colormaps[i];
    if (!map) return false;
    for (int i = 0; i < 256; i++) {
        int at = i * (map->points - 1), k = at / 255, part = at % 255; /* between points k and k + 1 */
        if (k == map->points - 1) k--, part = 255;
        for (int c = 0; c < 3; c++) {
            int shift = 16 - 8 * c, p = (int)(map->rgb[k] >> shift & 255), q = (int)(map->rgb[k + 1] >> shift & 255);
            colours[i][c] = (unsigned char)((p * (255 - part) + q * part + 127) / 255);
        }
    }
    return true;
}

/* ---- drawing ----------------------------------------------------------------------------------------------------- */

#define GI_INK 0x262626u

typedef struct gi_canvas {
    unsigned char *pixels; /* red, green, blue */
    int64_t        rows, columns;
} gi_canvas;

/* A rectangle of one colour, as far as it lies on the canvas. */
static void gi_fill_box(gi_canvas *canvas, int64_t x, int64_t y, int64_t width, int64_t height, uint32_t rgb)
{
    for (int64_t r = y < 0 ? 0 : y; r < y + height && r < canvas->rows; r++)
        for (int64_t c = x < 0 ? 0 : x; c < x + width && c < canvas->columns; c++) {
            unsigned char *p = canvas->pixels + 3 * (r * canvas->columns + c);
            p[0]             = (unsigned char)(rgb >> 16 & 255);
            p[1]             = (unsigned char)(rgb >> 8 & 255);
            p[2]             = (unsigned char)(rgb & 255);
        }
}

/* Letters are 5 wide and 7 high (and one row below the line), in bands of 16, with a column between them. */
enum { GI_FONT_BANDS = 6, GI_FONT_ROWS = 8, GI_FONT_HEIGHT = 7, GI_FONT_STEP = 6 };
/* clang-format off */
static const char *const gi_font[GI_FONT_BANDS * GI_FONT_ROWS] = {
    /*  !"#$%&'()*+,-./ */
    "        #    # #   # #    #   ##     ##     #      #   #                                      #",
    "        #    # #   # #   #### ##  # #  #    #     #     #     #     #                         #",
    "        #    # #  ##### # #      #  # #    #     #       #  # # #   #                        # ",
    "        #          # #   ###    #    #           #       #   ###  #####       #####         #  ",
    "        #         #####   # #  #    # # #        #       #  # # #   #                      #   ",
    "                   # #  ####  #  ## #  #          #     #     #     #     ##          ##  #    ",
    "        #          # #    #      ##  ## #          #   #                  #           ##  #    ",
    "                                                                         #                     ",
    /* 0123456789:;<=>? */
    " ###    #    ###  #####    #  #####   ##  #####  ###   ###                 #         #     ### ",
    "#   #  ##   #   #    #    ##  #      #        # #   # #   #               #           #   #   #",
    "#  ##   #       #   #    # #  ####  #        #  #   # #   #   ##    ##   #    #####    #      #",
    "# # #   #      #     #  #  #      # ####    #    ###   ####   ##    ##  #               #    # ",
    "##  #   #     #       # #####     # #   #  #    #   #     #              #    #####    #    #  ",
    "#   #   #    #    #   #    #  #   # #   #  #    #   #    #    ##    ##    #           #        ",
    " ###   ###  #####  ###     #   ###   ###   #     ###   ##     ##    #      #         #      #  ",
    "                                                                   #                           ",
    /* @ABCDEFGHIJKLMNO */
    " ###    #   ####   ###  ###   ##### #####  ###  #   #  ###    ### #   # #     #   # #   #  ### ",
    "#   #  # #  #   # #   # #  #  #     #     #   # #   #   #      #  #  #  #     ## ## #   # #   #",
    "# ### #   # #   # #     #   # #     #     #     #   #   #      #  # #   #     # # # ##  # #   #",
    "# # # #   # ####  #     #   # ####  ####  # ### #####   #      #  ##    #     # # # # # # #   #",
    "# ### ##### #   # #     #   # #     #     #   # #   #   #      #  # #   #     #   # #  ## #   #",
    "#     #   # #   # #   # #  #  #     #     #   # #   #   #   #  #  #  #  #     #   # #   # #   #",
    " ###  #   # ####   ###  ###   ##### #      #### #   #  ###   ##   #   # ##### #   # #   #  ### ",
    "                                                                                               ",
    /* PQRSTUVWXYZ[\]^_ */
    "####   ###  ####   #### ##### #   # #   # #   # #   # #   # #####  ###  #      ###    #        ",
    "#   # #   # #   # #       #   #   # #   # #   # #   # #   #     #  #    #        #   # #       ",
    "#   # #   # #   # #       #   #   # #   # #   #  # #  #   #    #   #     #       #  #   #      ",
    "####  #   # ####   ###    #   #   # #   # # # #   #    # #    #    #      #      #             ",
    "#     # # # # #       #   #   #   # #   # # # #  # #    #    #     #       #     #             ",
    "#     #  #  #  #      #   #   #   #  # #  # # # #   #   #   #      #        #    #             ",
    "#      ## # #   # ####    #    ###    #    # #  #   #   #   #####  ###      #  ###             ",
    "                                                                                          #####",
    /* `abcdefghijklmno */
    " #          #               #         ##        #       #      #  #      ##                    ",
    "  #         #               #        #  #       #                 #       #                    ",
    "   #   ###  # ##   ###   ## #  ###   #     #### # ##   ##     ##  #  #    #   ## #  # ##   ### ",
    "          # ##  # #     #  ## #   # ###   #   # ##  #   #      #  # #     #   # # # ##  # #   #",
    "       #### #   # #     #   # #####  #    #   # #   #   #      #  ##      #   # # # #   # #   #",
    "      #   # #   # #   # #   # #      #     #### #   #   #      #  # #     #   #   # #   # #   #",
    "       #### ####   ###   ####  ###   #        # #   #  ###  #  #  #  #   ###  #   # #   #  ### ",
    "                                           ###               ##                                ",
    /* pqrstuvwxyz{|}~ */
    "                         #                                           #    #    #               ",
    "                         #                                          #     #     #              ",
    "####   #### # ##   #### ###   #   # #   # #   # #   # #   # #####   #     #     #              ",
    "#   # #   # ##  # #      #    #   # #   # #   #  # #  #   #    #   #      #      #   #  #      ",
    "#   # #   # #      ###   #    #   # #   # # # #   #   #   #   #     #     #     #   # # #      ",
    "####   #### #         #  #  # #  ##  # #  # # #  # #   ####  #      #     #     #   #  #       ",
    "#         # #     ####    ##   ## #   #    # #  #   #     # #####    #    #    #               ",
    "#         #                                            ###                                     ",
};
/* clang-format on */

/* Letters in a UTF-8 text. */
static int64_t gi_text_length(const char *text)
{
    int64_t n = 0;
    for (; *text; text++) n += ((unsigned char)*text & 0xC0) != 0x80; /* not a further byte of the same letter */
    return n;
}

static int64_t gi_text_width(const char *text, int64_t size) { return gi_text_length(text) * GI_FONT_STEP * size; }

/* One line of text with its upper left corner at (x, y); a dot of the font is size x size pixels. Letters beyond ASCII: "?". */
static void gi_draw_text(gi_canvas *canvas, int64_t x, int64_t y, int64_t size, const char *text)
{
    for (; *text; text++) {
        unsigned char letter = (unsigned char)*text;
        if ((letter & 0xC0) == 0x80) continue;
        if (letter < ' ') letter = ' ';
        if (letter > '~') letter = '?';
        const char *const *band = gi_font + (letter - ' ') / 16 * GI_FONT_ROWS;
        int                left = letter % 16 * GI_FONT_STEP;
        for (int row = 0; row < GI_FONT_ROWS; row++)
            for (int column = 0; column < GI_FONT_STEP - 1; column++)
                if (band[row][left + column] == '#') gi_fill_box(canvas, x + column * size, y + row * size, size, size, GI_INK);
        x += GI_FONT_STEP * size;
    }
}

/* ---- the numbers of a colour bar --------------------------------------------------------------------------------- */

enum { GI_MOST_TICKS = 200 };

typedef struct gi_tick {
    double value;
    char   text[24]; /* "": a short tick without a number */
} gi_tick;

typedef struct gi_ticks {
    int     n;
    gi_tick tick[GI_MOST_TICKS];
} gi_ticks;

/* Adds a tick with a number as printf's %f, %e or %g shows it; NULL: a short tick. Exponents lose their padding: 1e-5. */
static void gi_add_tick(gi_ticks *ticks, double value, int digits, const char *kind)
{
    if (ticks->n == GI_MOST_TICKS) return;
    gi_tick *t = &ticks->tick[ticks->n++];
    t->value   = value;
    t->text[0] = 0;
    if (!kind) return;
    if (*kind == 'f' || value == 0) snprintf(t->text, sizeof t->text, "%.*f", value == 0 && *kind != 'f' ? 0 : digits, value);
    else if (*kind == 'e') snprintf(t->text, sizeof t->text, "%.*e", digits, value);
    else snprintf(t->text, sizeof t->text, "%.*g", digits, value);
    char *e = strchr(t->text, 'e');
    if (!e) return;
    char *from = e + 1, *to = e + 1;
    if (*from == '-') *to++ = *from;
    if (*from == '-' || *from == '+') from++;
    while (*from == '0' && from[1]) from++;
    memmove(to, from, strlen(from) + 1);
}

/* About `most` round numbers between low and high: steps of 1, 2 or 5 times a power of ten. */
static void gi_linear_ticks(gi_ticks *ticks, double low, double high, int most)
{
    const double slack = 1e-9; /* so that rounding does not lose the ends */
    double       raw = (high - low) / most, power = pow(10, floor(log10(raw))), m = raw / power;
    double       step  = power * (m <= 1 + slack ? 1 : m <= 2 + slack ? 2 : m <= 5 + slack ? 5 : 10);
    double       first = ceil(low / step - slack), last = floor(high / step + slack), largest = fmax(fabs(low), fabs(high));
    bool         sound = step > 0 && step < INFINITY && last - first < (double)GI_MOST_TICKS && fabs(first) < 1e15;
    if (!sound) { /* one number only, or a range too fine or too wide for arithmetic: the ends */
        gi_add_tick(ticks, low, 4, "g");
        if (high > low) gi_add_tick(ticks, high, 4, "g");
        return;
    }
    int  finest = (int)floor(log10(step) + slack), coarsest = (int)floor(log10(largest) + slack);
    bool plain = largest < 1e5 && finest >= -4;
    for (double i = first; i <= last; i++)
        gi_add_tick(ticks, i * step + 0.0, plain ? (finest < 0 ? -finest : 0) : coarsest - finest, plain ? "f" : "e");
}

/* Powers of ten, short ticks between them; for a short range also 2 and 5 times them, for a shorter one round numbers. */
static void gi_log_ticks(gi_ticks *ticks, double low, double high, int most)
{
    const double slack = 1e-9;
    int          first = (int)floor(log10(low) + slack), last = (int)floor(log10(high) + slack);
    int          step    = 1 + (last - first) / most;
    double       decades = log10(high) - log10(low);
    if (decades < 0.7) {
        gi_linear_ticks(ticks, low, high, most);
        return;
    }
    for (int k = first; k <= last; k++)
        for (int m = 1; m <= 9; m++) {
            double value = m * pow(10, k);
            if (value < low * (1 - slack) || value > high * (1 + slack)) continue;
            bool number = m == 1 ? (k - first) % step == 0 : decades < 2.5 && most >= 3 * decades && (m == 2 || m == 5);
            if (!number && (m == 1 || step > 1)) continue;
            gi_add_tick(ticks, value, k >= -3 && k <= 4 ? 6 : 0, !number ? NULL : k >= -3 && k <= 4 ? "g" : "e");
        }
}

/* ---- ga_render and ga_imshow ------------------------------------------------------------------------------------- */

typedef struct gi_plot {
    const ga_array *a; /* 2-D, C-contiguous */
    unsigned char   colours[256][3];
    bool            log;
    double          vmin, vmax;  /* the numbers of the first and the last colour */
    double          start, span; /* the same for x or, if log, for log10(x): start and start + span */
    int64_t         scale;
    gi_canvas       canvas;
    int64_t         left, top; /* where the picture begins on the canvas */
} gi_plot;

/* Where a number lies between vmin, 0, and vmax, 1. */
static double gi_plot_position(const gi_plot *p, double x)
{
    if (p->log) x = x > 0 ? log10(x) : -INFINITY;
    return (x - p->start) / p->span;
}

static const unsigned char *gi_plot_colour(const gi_plot *p, double position)
{
    return p->colours[position >= 1 ? 255 : position > 0 ? (int)(position * 256) : 0];
}

/* Units are rows of the array. */
static void gi_plot_task(int64_t begin, int64_t end, void *job)
{
    static const unsigned char white[3] = { 255, 255, 255 };
    const gi_plot             *p        = (const gi_plot *)job;
    const int64_t              columns = p->a->shape[1], scale = p->scale, line_bytes = 3 * p->canvas.columns;
    double                     values[GI_PICTURE_BLOCK];
    for (int64_t row = begin; row < end; row++) {
        unsigned char *line = p->canvas.pixels + (p->top + row * scale) * line_bytes + 3 * p->left, *to = line;
        for (int64_t c = 0; c < columns; c += GI_PICTURE_BLOCK) {
            int64_t n = columns - c < GI_PICTURE_BLOCK ? columns - c : GI_PICTURE_BLOCK;
            gi_picture_values(p->a, row * columns + c, n, values);
            for (int64_t k = 0; k < n; k++) {
                bool                 nan    = values[k] != values[k];
                const unsigned char *colour = nan ? white : gi_plot_colour(p, gi_plot_position(p, values[k]));
                for (int64_t s = 0; s < scale; s++, to += 3) {
                    to[0] = colour[0];
                    to[1] = colour[1];
                    to[2] = colour[2];
                }
            }
        }
        for (int64_t s = 1; s < scale; s++) memcpy(line + s * line_bytes, line, (size_t)(to - line));
    }
}

/* Settles vmin and vmax from the options and the data. */
static bool gi_plot_range(gi_plot *p, const ga_imshow_options *o)
{
    const char *site = o->site;
    double      low, high;
    bool        min_given = gi_option_given(site, "vmin"), max_given = gi_option_given(site, "vmax");
    if (!min_given && !max_given) min_given = max_given = o->vmin != o->vmax; /* not from a call of the macro */
    if (o->vmin == o->vmax && min_given == max_given) min_given = max_given = false;
    p->log  = o->log;
    p->vmin = o->vmin;
    p->vmax = o->vmax;
    if (!min_given || !max_given) {
        gi_value_range(p->a, p->log ? 0 : -INFINITY, &low, &high);
        if (low > high) low = p->log ? 1 : 0, high = p->log ? 10 : 1; /* nothing to draw a colour for */
        if (!min_given) p->vmin = low;
        if (!max_given) p->vmax = high;
    }
    if (!isfinite(p->vmin) || !isfinite(p->vmax) || (p->log && !(p->vmin > 0 && p->vmax > 0)))
        return gi_fail(site, GA_BAD_ARGUMENT, "colours from .vmin = %g to .vmax = %g: both must be finite%s", p->vmin, p->vmax,
                       p->log ? " and, with .log = true, positive" : "") != NULL;
    p->start = p->log ? log10(p->vmin) : p->vmin;
    p->span  = (p->log ? log10(p->vmax) : p->vmax) - p->start;
    if (p->span == 0) p->span = INFINITY; /* one number only: it gets the first colour */
    return true;
}

/* The bar with its frame at (x, y), ticks and numbers to its right. */
static void gi_draw_colorbar(gi_plot *p, int64_t x, int64_t y, int64_t width, int64_t height, int64_t size,
                             const gi_ticks *ticks)
{
    int64_t line = size > 1 ? size / 2 : 1;
    gi_fill_box(&p->canvas, x - line, y - line, width + 2 * line, height + 2 * line, GI_INK);
    for (int64_t row = 0; row < height; row++) {
        const unsigned char *c = gi_plot_colour(p, 1 - ((double)row + 0.5) / (double)height);
        gi_fill_box(&p->canvas, x, y + row, width, 1, (uint32_t)c[0] << 16 | (uint32_t)c[1] << 8 | c[2]);
    }
    for (int i = 0; i < ticks->n; i++) {
        const gi_tick *t        = &ticks->tick[i];
        double         position = gi_plot_position(p, t->value);
        if (!(position >= -1e-6 && position <= 1 + 1e-6)) continue;
        int64_t at = y + (int64_t)floor((1 - position) * (double)(height - 1) + 0.5), length = t->text[0] ? 3 * size : 2 * size;
        gi_fill_box(&p->canvas, x + width + line, at - (line - 1) / 2, length, line, GI_INK);
        gi_draw_text(&p->canvas, x + width + line + 5 * size, at - GI_FONT_HEIGHT * size / 2, size, t->text);
    }
}

/*  Without a title and a colour bar the result is the picture alone, scale x scale pixels for each element. With one of them
    everything stands on white with a margin, the picture in a thin frame. NaN is white; row 0 of the array is on top. */
ga_array *(ga_render)(const ga_array *a, ga_imshow_options o)
{
    const char *site = o.site, *cmap = o.cmap ? o.cmap : "viridis", *title = o.title && *o.title ? o.title : NULL;
    gi_plot     p;
    gi_ticks    ticks;
    memset(&p, 0, sizeof p);
    ticks.n = 0;
    if (!gi_check(site, a, "a")) return NULL;
    if (a->ndim != 2)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "shape %s: only a 2-D array is drawn in colours of a map%s",
                                   gi_shape_of(a),
                                   a->ndim == 3 && a->shape[2] <= 4 ? "; for red, green, blue there is ga_imsave" : "");
    if (a->size == 0) return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "shape %s has no pixels", gi_shape_of(a));
    if (gi_is_complex(a->dtype))
        return (ga_array *)gi_fail(site, GA_BAD_DTYPE,
                                   "%s has no order for colours: take ga_absolute, ga_real or ga_imag of it",
                                   ga_dtype_name(a->dtype));
    if (!gi_colours(cmap, p.colours))
        return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT,
                                   "there is no colour map '%s': use viridis, gray, gray_r, inferno or RdBu_r", cmap);
    const int64_t most = (int64_t)1 << 30;
    p.scale            = o.scale ? o.scale : 1;
    if (p.scale < 0 || a->shape[0] > most / p.scale || a->shape[1] > most / p.scale)
        return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT,
                                   ".scale = %d for shape %s: it must be 1 or more, and no side of the picture "
                                   "longer than 2**30 pixels",
                                   o.scale, gi_shape_of(a));
    ga_array *c = gi_on_cpu(site, a);
    if (!c) return NULL;
    p.a = c;
    if (!gi_plot_range(&p, &o)) {
        ga_free(c);
        return NULL;
    }
    /* The layout: text grows with the picture; all distances are in dots of the font. */
    int64_t height = a->shape[0] * p.scale, width = a->shape[1] * p.scale, size = (height + width + 200) / 450;
    if (size < 1) size = 1;
    int64_t rows = height, columns = width, line = size > 1 ? size / 2 : 1, bar_width = 9 * size, bar_left = 0, bar_height = 0;
    if (title || o.colorbar) {
        int64_t margin = 10 * size;
        p.left         = margin;
        p.top          = margin + (title ? 13 * size : 0);
        columns        = p.left + width + margin;
        if (o.colorbar) {
            bar_height  = height > 64 * size ? height : 64 * size;
            bar_left    = p.left + width + 10 * size;
            int    room = (int)(bar_height / (16 * size)), longest = 0;
            double low = fmin(p.vmin, p.vmax), high = fmax(p.vmin, p.vmax);
            if (p.log) gi_log_ticks(&ticks, low, high, room < 9 ? room : 9);
            else gi_linear_ticks(&ticks, low, high, room < 9 ? room : 9);
            for (int i = 0; i < ticks.n; i++)
                if ((int)strlen(ticks.tick[i].text) > longest) longest = (int)strlen(ticks.tick[i].text);
            columns = bar_left + bar_width + (5 + GI_FONT_STEP * longest) * size + margin;
        }
        if (title && columns < gi_text_width(title, size) + 2 * margin) columns = gi_text_width(title, size) + 2 * margin;
        rows = p.top + (height > bar_height ? height : bar_height) + margin;
    }
    int64_t   shape[3] = { rows, columns, 3 };
    ga_array *picture  = gi_new(site, GA_U8, GA_CPU, 3, shape);
    if (picture) {
        p.canvas.pixels  = (unsigned char *)picture->data;
        p.canvas.rows    = rows;
        p.canvas.columns = columns;
        if (title || o.colorbar) {
            memset(picture->data, 255, (size_t)picture->size);
            gi_fill_box(&p.canvas, p.left - line, p.top - line, width + 2 * line, height + 2 * line, GI_INK);
        }
        if (title) {
            int64_t x = p.left + (width - gi_text_width(title, size)) / 2;
            gi_draw_text(&p.canvas, x > p.left ? x : p.left, p.top - 13 * size, size, title);
        }
        if (o.colorbar) gi_draw_colorbar(&p, bar_left, p.top, bar_width, bar_height, size, &ticks);
        gi_parallel(c->shape[0], 1 + GI_PICTURE_CHUNK / (width * p.scale), gi_plot_task, &p);
    }
    ga_free(c);
    return picture;
}

bool(ga_imshow)(const char *path, const ga_array *a, ga_imshow_options o)
{
    if (!gi_check(o.site, a, "a")) return false;
    if (!path) return gi_fail(o.site, GA_BAD_ARGUMENT, "the file name is NULL") != NULL;
    ga_array *picture = (ga_render)(a, o);
    if (!picture) return false;
    bool done = gi_write_png(o.site, path, picture->shape[0], picture->shape[1], 3, picture->data);
    ga_free(picture);
    return done;
}

/* ==== >>fits: images of astronomy, through CFITSIO ================================================================= */
/*  CFITSIO has to be linked, so it is used only when asked for: cc -DGPUARR_USE_CFITSIO main.c -lcfitsio -lm -lpthread   */

#if defined(GPUARR_USE_CFITSIO) && !defined(GPUARR_NO_CFITSIO)

#if defined(__has_include)
#if __has_include(<fitsio.h>)
#include <fitsio.h>
#elif __has_include(<cfitsio/fitsio.h>)
#include <cfitsio/fitsio.h>
#else
#error "gpuarr: GPUARR_USE_CFITSIO needs fitsio.h: apt-get install libcfitsio-dev, or compile without it"
#endif
#else
#include <fitsio.h>
#endif
#include <strings.h>
#include <sys/stat.h>

/*  CFITSIO is not made for several threads at once. Every use of it, also of its error messages, is inside this lock; gi_fail
    is called outside, because it may call a handler of the user, which may read another file. */
static pthread_mutex_t gi_fits_lock = PTHREAD_MUTEX_INITIALIZER;

enum { GI_FITS_COMPRESSED_AXES = 5 }; /* CFITSIO allows 6, and then gets the sixth wrong without a word (4.2.0) */

/* What went wrong, until it can be reported. Only the first one is kept. */
typedef struct gi_fits_trouble {
    ga_status status;
    char      text[700];
} gi_fits_trouble;

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static bool
gi_fits_refuse(gi_fits_trouble *t, ga_status status, const char *format, ...)
{
    if (t->status != GA_OK) return false;
    t->status = status;
    va_list args;
    va_start(args, format);
    vsnprintf(t->text, sizeof t->text, format, args);
    va_end(args);
    return false;
}

/* The same for an error of CFITSIO: what we were doing, its name for the error and its own notes. */
static bool gi_fits_failed(gi_fits_trouble *t, int error, const char *doing)
{
    char   name[FLEN_STATUS] = "", note[FLEN_ERRMSG], notes[400] = "";
    size_t used = 0;
    fits_get_errstatus(error, name);
    while (fits_read_errmsg(note))
        if (used + 1 < sizeof notes) {
            int n = snprintf(notes + used, sizeof notes - used, "; %s", note);
            used += n > 0 ? (size_t)n : 0;
        }
    bool      no_file = error == FILE_NOT_OPENED || error == FILE_NOT_CREATED || error == WRITE_ERROR;
    ga_status status  = error == MEMORY_ALLOCATION ? GA_NO_MEMORY : no_file ? GA_NO_FILE : GA_BAD_FILE;
    return gi_fits_refuse(t, status, "%s: CFITSIO error %d, %s%s", doing, error, name, notes);
}

static void gi_fits_close(fitsfile *file)
{
    int error = 0;
    if (file) fits_close_file(file, &error);
    fits_clear_errmsg(); /* whatever is left there is no news */
}

/*  CFITSIO (4.2.0) divides by the lengths of the tiles of a compressed image without a look at them, and the program ends. So
    the headers are looked through first for a length of 0. What is no plain FITS file is left to CFITSIO. */
static bool gi_fits_check_tiles(const char *path, gi_fits_trouble *t)
{
    enum { CARD = 80, BLOCK = 2880 };
    char  block[BLOCK + 1];
    FILE *file = fopen(path, "rb");
    bool  good = true, more = file != NULL;
    while (more && good) { /* one header and its data */
        int64_t bits = 0, axes = 0, pixels = 1, before = 0, groups = 1, bytes = 0;
        for (bool end = false; more && good && !end;) {
            more         = fread(block, 1, BLOCK, file) == BLOCK;
            block[BLOCK] = 0;
            for (char *card = block; more && card < block + BLOCK && !end; card += CARD) {
                const char *number = card + 10;
                while (*number == ' ' || *number == '\'') number++;
                int64_t value = strtoll(number, NULL, 10);
                if (strncmp(card, "END     ", 8) == 0) end = true;
                else if (strncmp(card, "BITPIX  ", 8) == 0) bits = value < 0 ? -value : value;
                else if (strncmp(card, "NAXIS   ", 8) == 0) axes = value;
                else if (strncmp(card, "NAXIS", 5) == 0) more = !__builtin_mul_overflow(pixels, value, &pixels);
                else if (strncmp(card, "PCOUNT  ", 8) == 0) before = value;
                else if (strncmp(card, "GCOUNT  ", 8) == 0) groups = value;
                else if (strncasecmp(card, "ZTILE", 5) == 0 && card[5] >= '0' && card[5] <= '9' && value < 1)
                    good = gi_fits_refuse(t, GA_BAD_FILE, "the header says that compressed tiles are %lld pixels long (%.6s)",
                                          (long long)value, card);
            }
        }
        if (axes == 0) pixels = 0;
        more = more && !__builtin_add_overflow(pixels, before, &bytes) && !__builtin_mul_overflow(bytes, groups, &bytes) &&
               !__builtin_mul_overflow(bytes, bits / 8, &bytes) && bytes >= 0 && bytes < INT64_MAX / 2;
        more = more && fseek(file, (long)((bytes + BLOCK - 1) / BLOCK * BLOCK), SEEK_CUR) == 0;
    }
    if (file) fclose(file);
    return good;
}

/* Opens a file that exists. The lock is held. */
static fitsfile *gi_fits_open(const char *path, int mode, gi_fits_trouble *t)
{
    fitsfile *file  = NULL;
    int       error = 0;
    if (!gi_fits_check_tiles(path, t)) return NULL;
    fits_clear_errmsg();
    errno = 0;
    if (!fits_open_diskfile(&file, path, mode, &error)) return file; /* diskfile: "a.fits[1]" is a name, no query */
    if (error == FILE_NOT_OPENED)                                    /* CFITSIO does not say why */
        gi_fits_refuse(t, GA_NO_FILE, "%s", errno ? strerror(errno) : "it cannot be opened");
    else gi_fits_failed(t, error, "it is no FITS file");
    return NULL;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* An image in a file, as its header describes it. */
typedef struct gi_fits_image {
    fitsfile *file;
    int       bitpix; /* 8, 16, 32, 64: integers; -32, -64: floats */
    bool      compressed;
    int       ndim;
    int64_t   shape[GPUARR_MAX_DIMS]; /* the last FITS axis first */
    double    scale, zero;            /* value = scale * stored + zero */
    bool      has_blank;
    long long blank;         /* the stored integer that means "no value" */
    ga_dtype  stored, dtype; /* as in the file, as returned */
} gi_fits_image;

static double gi_fits_real_key(fitsfile *file, const char *key, double otherwise)
{
    int    error = 0;
    double value = otherwise;
    fits_read_key(file, TDOUBLE, key, &value, NULL, &error);
    return error == 0 ? value : otherwise;
}

static bool gi_fits_integer_key(fitsfile *file, const char *key, long long *value)
{
    int      error = 0;
    LONGLONG v     = 0;
    fits_read_key(file, TLONGLONG, key, &v, NULL, &error);
    *value = v;
    return error == 0;
}

/* Is the current header-data unit an image with at least one axis? */
static bool gi_fits_is_image(fitsfile *file)
{
    int type = ANY_HDU, axes = 0, error = 0;
    fits_get_hdu_type(file, &type, &error);
    fits_get_img_dim(file, &axes, &error);
    return error == 0 && type == IMAGE_HDU && axes > 0;
}

static bool gi_fits_has_name(fitsfile *file, const char *name)
{
    char found[FLEN_VALUE] = "";
    int  error = 0, number = 0;
    fits_get_hdu_num(file, &number);
    fits_read_key(file, TSTRING, "EXTNAME", found, NULL, &error);
    if (error && number == 1) strcpy(found, "PRIMARY");
    return strcasecmp(found, name) == 0; /* the standard: case does not matter */
}

/* Goes to the image that the options ask for. */
static bool gi_fits_find(fitsfile *file, const ga_fits_options *o, gi_fits_trouble *t)
{
    int error = 0, last = 0;
    for (int number = o->hdu > 0 ? o->hdu : 1; !fits_movabs_hdu(file, number, NULL, &error); number++) {
        bool image = gi_fits_is_image(file);
        if (o->hdu > 0 && !image)
            return gi_fits_refuse(t, GA_BAD_FILE,
                                  "HDU %d holds no image (a table, or a header with NAXIS = 0): .hdu = 0 takes the first "
                                  "image of the file",
                                  o->hdu);
        if (o->name && gi_fits_has_name(file, o->name)) {
            if (image) return true;
            return gi_fits_refuse(t, GA_BAD_FILE, "the extension '%s' holds no image (a table, or a header with NAXIS = 0)",
                                  o->name);
        }
        if (!o->name && image) return true;
        last = number;
    }
    if (error != END_OF_FILE) return gi_fits_failed(t, error, "cannot go to the next header");
    if (o->hdu > 0) return gi_fits_refuse(t, GA_BAD_ARGUMENT, "there is no HDU %d in the file (the primary one is 1)", o->hdu);
    if (o->name) return gi_fits_refuse(t, GA_BAD_ARGUMENT, "no extension of the file's %d HDUs is called '%s'", last, o->name);
    return gi_fits_refuse(t, GA_BAD_FILE, "the file has no image: NAXIS is 0, or there are only tables, in all of its %d HDUs",
                          last);
}

/* The dtype that the pixels get: by astropy's rules. */
static void gi_fits_choose_dtype(gi_fits_image *f, bool raw)
{
    bool integer = f->bitpix > 0;
    f->stored    = f->bitpix == 8     ? GA_U8
                   : f->bitpix == 16  ? GA_I16
                   : f->bitpix == 32  ? GA_I32
                   : f->bitpix == 64  ? GA_I64
                   : f->bitpix == -32 ? GA_F32
                                      : GA_F64;
    f->dtype     = f->stored;
    if (raw) {
        f->scale     = 1;
        f->zero      = 0;
        f->has_blank = false;
    }
    if (!integer) {
        f->has_blank = false; /* for integers only */
        return;
    }
    /* The convention for the integers that FITS lacks: an offset of half the range. With no NaN, BLANK stays a number. */
    double half = f->bitpix == 8 ? -128 : ldexp(1, f->bitpix - 1);
    if (f->scale == 1 && f->zero == half) {
        f->dtype = f->bitpix == 8 ? GA_I8 : f->bitpix == 16 ? GA_U16 : f->bitpix == 32 ? GA_U32 : GA_U64;
        return;
    }
    if (f->scale != 1 || f->zero != 0 || f->has_blank) f->dtype = f->bitpix > 16 ? GA_F64 : GA_F32;
}

/* Refuses a header that claims more pixels than its file can hold, before memory is asked for. */
static bool gi_fits_check_size(const gi_fits_image *f, gi_fits_trouble *t)
{
    int64_t claimed[GPUARR_MAX_DIMS], strides[GPUARR_MAX_DIMS], file_bytes = f->file->Fptr->filesize;
    for (int d = 0; d < f->ndim; d++) {
        char      key[16];
        long long tile = 0;
        claimed[d]     = f->shape[d];
        snprintf(key, sizeof key, "ZTILE%d", f->ndim - d);
        if (f->compressed && gi_fits_integer_key(f->file, key, &tile) && tile > claimed[d]) claimed[d] = tile;
    }
    int64_t bytes = gi_c_strides(f->stored, f->ndim, claimed, strides);
    if (bytes < 0)
        return gi_fits_refuse(t, GA_BAD_FILE, "the header's shape %s is more bytes than can be counted",
                              gi_shape_text(f->ndim, claimed));
    if (f->compressed) {
        /* The best codecs reach some 10000 : 1 on an empty sky; the tiles are claims as well, CFITSIO allocates them. */
        const int64_t plausible = (int64_t)1 << 30, best_ratio = 1 << 16;
        if (bytes > plausible && bytes / best_ratio > file_bytes)
            return gi_fits_refuse(
                t, GA_BAD_FILE, "the header claims %s %s pixels, %lld bytes, compressed into a file of %lld: it is damaged",
                gi_shape_text(f->ndim, claimed), ga_dtype_name(f->stored), (long long)bytes, (long long)file_bytes);
        return true;
    }
    LONGLONG header = 0, data = 0, after = 0;
    int      error = 0;
    if (fits_get_hduaddrll(f->file, &header, &data, &after, &error)) return gi_fits_failed(t, error, "cannot find the pixels");
    int64_t end;
    if (__builtin_add_overflow((int64_t)data, bytes, &end) || end > file_bytes)
        return gi_fits_refuse(t, GA_BAD_FILE,
                              "the header claims %s %s pixels, %lld bytes from byte %lld on, but the file ends at byte %lld: "
                              "it is cut short or damaged",
                              gi_shape_text(f->ndim, f->shape), ga_dtype_name(f->stored), (long long)bytes, (long long)data,
                              (long long)file_bytes);
    return true;
}

/* Reads the header of the image that the options ask for. */
static bool gi_fits_describe(gi_fits_image *f, const ga_fits_options *o, gi_fits_trouble *t)
{
    if (!gi_fits_find(f->file, o, t)) return false;
    int error = 0;
    fits_get_img_type(f->file, &f->bitpix, &error);
    fits_get_img_dim(f->file, &f->ndim, &error);
    if (error) return gi_fits_failed(t, error, "cannot read the header");
    if (f->ndim > GPUARR_MAX_DIMS)
        return gi_fits_refuse(t, GA_BAD_SHAPE,
                              "the image has %d axes; at most %d are possible (#define GPUARR_MAX_DIMS for more)", f->ndim,
                              GPUARR_MAX_DIMS);
    LONGLONG lengths[GPUARR_MAX_DIMS];
    if (fits_get_img_sizell(f->file, f->ndim, lengths, &error))
        return gi_fits_failed(t, error, "cannot read the lengths of the axes");
    for (int d = 0; d < f->ndim; d++) {
        f->shape[d] = lengths[f->ndim - 1 - d];
        if (f->shape[d] < 0) return gi_fits_refuse(t, GA_BAD_FILE, "the length of an axis is %lld", (long long)f->shape[d]);
    }
    f->compressed = fits_is_compressed_image(f->file, &error) != 0;
    if (f->compressed && f->ndim > GI_FITS_COMPRESSED_AXES)
        return gi_fits_refuse(t, GA_BAD_SHAPE,
                              "the compressed image has %d axes; CFITSIO reads at most %d: uncompress the file with "
                              "funpack",
                              f->ndim, GI_FITS_COMPRESSED_AXES);
    f->scale     = gi_fits_real_key(f->file, "BSCALE", 1);
    f->zero      = gi_fits_real_key(f->file, "BZERO", 0);
    f->has_blank = gi_fits_integer_key(f->file, "BLANK", &f->blank) ||
                   (f->compressed && gi_fits_integer_key(f->file, "ZBLANK", &f->blank));
    gi_fits_choose_dtype(f, o->raw);
    return gi_fits_check_size(f, t);
}

/* The pixels as they are stored, in the machine's byte order. */
static bool gi_fits_read_stored(const gi_fits_image *f, int64_t n, void *pixels, gi_fits_trouble *t)
{
    int    error = 0, type = 0;
    float  nan32 = (float)NAN;
    double nan64 = NAN;
    void  *null  = NULL;
    switch (f->bitpix) {
    case 8: type = TBYTE; break;
    case 16: type = TSHORT; break;
    case 32: type = TINT; break;
    case 64: type = TLONGLONG; break;
    case -32: type = TFLOAT, null = &nan32; break;
    case -64: type = TDOUBLE, null = &nan64; break;
    default: return gi_fits_refuse(t, GA_BAD_FILE, "BITPIX is %d: it must be 8, 16, 32, 64, -32 or -64", f->bitpix);
    }
    fits_set_bscale(f->file, 1, 0, &error);
    if (f->compressed) { /* as the whole subset of it: otherwise at most 3 axes are possible */
        long first[GPUARR_MAX_DIMS], last[GPUARR_MAX_DIMS], step[GPUARR_MAX_DIMS];
        for (int d = 0; d < f->ndim; d++) {
            first[d] = step[d] = 1;
            last[d]            = (long)f->shape[f->ndim - 1 - d];
        }
        fits_read_subset(f->file, type, first, last, step, null, pixels, NULL, &error);
    } else { /* not asking for NaN, because denormal numbers would then become 0 */
        fits_read_img(f->file, type, 1, n, NULL, pixels, NULL, &error);
    }
    return error == 0 || gi_fits_failed(t, error, "cannot read the pixels");
}

/* Stored numbers to values, in the dtype of the result as astropy does: multiply, round, add, round. */
typedef struct gi_fits_job {
    const gi_fits_image *image;
    const char          *stored;
    char                *out;
} gi_fits_job;

static void gi_fits_scale_f32(int64_t n, float *x, float scale, float zero)
{
    if (scale != 1) /* two loops, so that no compiler makes one fused operation of the two */
        for (int64_t i = 0; i < n; i++) x[i] *= scale;
    if (zero != 0)
        for (int64_t i = 0; i < n; i++) x[i] += zero;
}

static void gi_fits_scale_f64(int64_t n, double *x, double scale, double zero)
{
    if (scale != 1)
        for (int64_t i = 0; i < n; i++) x[i] *= scale;
    if (zero != 0)
        for (int64_t i = 0; i < n; i++) x[i] += zero;
}

static bool gi_fits_is_blank(const gi_fits_image *f, const char *stored, int64_t i)
{
    switch (f->stored) {
    case GA_U8: return ((const uint8_t *)(const void *)stored)[i] == f->blank;
    case GA_I16: return ((const int16_t *)(const void *)stored)[i] == f->blank;
    case GA_I32: return ((const int32_t *)(const void *)stored)[i] == f->blank;
    case GA_I64: return ((const int64_t *)(const void *)stored)[i] == f->blank;
    default: return false;
    }
}

static void gi_fits_task(int64_t begin, int64_t end, void *job)
{
    const gi_fits_job   *j      = (const gi_fits_job *)job;
    const gi_fits_image *f      = j->image;
    const int64_t        n      = end - begin;
    const char          *stored = j->stored + begin * ga_itemsize(f->stored);
    char                *out    = j->out + begin * ga_itemsize(f->dtype);
    if (gi_is_int(f->dtype)) { /* an offset of half the range turns the highest bit */
        int top = (int)ga_itemsize(f->dtype) - 1;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        top     = 0;
#endif
        for (int64_t i = 0; i < n; i++) out[i * ga_itemsize(f->dtype) + top] ^= (char)0x80;
        return;
    }
    if (f->stored != f->dtype) gi_cast(f->dtype, f->stored, n, out, stored);
    if (f->dtype == GA_F32) gi_fits_scale_f32(n, (float *)(void *)out, (float)f->scale, (float)f->zero);
    else gi_fits_scale_f64(n, (double *)(void *)out, f->scale, f->zero);
    if (!f->has_blank) return;
    for (int64_t i = 0; i < n; i++) {
        if (!gi_fits_is_blank(f, stored, i)) continue;
        if (f->dtype == GA_F32) ((float *)(void *)out)[i] = (float)NAN;
        else ((double *)(void *)out)[i] = NAN;
    }
}

/* The image of an open file (or the trouble that there is already); the file is closed in any case. */
static ga_array *gi_fits_read_open(const char *site, const char *path, fitsfile *file, const ga_fits_options *o,
                                   gi_fits_trouble *t)
{
    gi_fits_image f;
    memset(&f, 0, sizeof f);
    f.file         = file;
    ga_array *a    = NULL;
    bool      good = false;
    if (t->status == GA_OK) {
        pthread_mutex_lock(&gi_fits_lock);
        good = gi_fits_describe(&f, o, t);
        pthread_mutex_unlock(&gi_fits_lock);
    }
    if (good) a = gi_new(site, f.dtype, GA_CPU, f.ndim, f.shape);
    /* Pixels of the same kind are read in place, others beside. */
    size_t bytes  = a ? (size_t)(a->size * ga_itemsize(f.stored)) : 0;
    bool   beside = good && gi_is_int(f.stored) && gi_is_float(f.dtype);
    void  *stored = !a ? NULL : beside ? gi_alloc(site, bytes) : a->data;
    good          = stored != NULL;
    pthread_mutex_lock(&gi_fits_lock);
    if (good && a->size > 0) good = gi_fits_read_stored(&f, a->size, stored, t);
    gi_fits_close(file);
    pthread_mutex_unlock(&gi_fits_lock);
    if (good && (f.stored != f.dtype || f.scale != 1 || f.zero != 0)) {
        gi_fits_job job = { &f, (const char *)stored, (char *)a->data };
        gi_parallel(a->size, (int64_t)1 << 16, gi_fits_task, &job);
    }
    if (beside && stored) gi_release(stored, bytes);
    if (good) return a;
    ga_free(a);
    if (t->status != GA_OK) gi_fail(site, t->status, "cannot read '%s': %s", path, t->text);
    return NULL;
}

ga_array *(ga_fits_read)(const char *path, ga_fits_options o)
{
    gi_fits_trouble t = { GA_OK, "" };
    if (!path) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "the file name is NULL");
    if (o.hdu < 0)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, ".hdu = %d: use 0 (the first image) or a number from 1 on", o.hdu);
    if (o.hdu > 0 && o.name)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, ".hdu = %d and .name = \"%s\": give one of them", o.hdu, o.name);
    pthread_mutex_lock(&gi_fits_lock);
    fitsfile *file = gi_fits_open(path, READONLY, &t);
    pthread_mutex_unlock(&gi_fits_lock);
    return gi_to_default_device(o.site, gi_fits_read_open(o.site, path, file, &o, &t));
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* The image type (BITPIX, with CFITSIO's codes for the unsigned conventions) and the type in memory of a dtype. */
static bool gi_fits_types(ga_dtype dtype, int *image, int *memory)
{
    switch (dtype) {
    case GA_BOOL:
    case GA_U8: *image = BYTE_IMG, *memory = TBYTE; return true;
    case GA_I8: *image = SBYTE_IMG, *memory = TSBYTE; return true;
    case GA_I16: *image = SHORT_IMG, *memory = TSHORT; return true;
    case GA_U16: *image = USHORT_IMG, *memory = TUSHORT; return true;
    case GA_I32: *image = LONG_IMG, *memory = TINT; return true;
    case GA_U32: *image = ULONG_IMG, *memory = TUINT; return true;
    case GA_I64: *image = LONGLONG_IMG, *memory = TLONGLONG; return true;
    case GA_U64: *image = ULONGLONG_IMG, *memory = TULONGLONG; return true;
    case GA_F32: *image = FLOAT_IMG, *memory = TFLOAT; return true;
    case GA_F64: *image = DOUBLE_IMG, *memory = TDOUBLE; return true;
    default: return false;
    }
}

/* Adds the array as an image to a new file, or to the end of one that exists. */
static bool gi_fits_add_image(const char *path, bool exists, const ga_array *a, const ga_fits_options *o, gi_fits_trouble *t)
{
    fitsfile *file  = NULL;
    int       error = 0, image = 0, memory = 0;
    LONGLONG  lengths[GPUARR_MAX_DIMS];
    long      first[GPUARR_MAX_DIMS], last[GPUARR_MAX_DIMS];
    gi_fits_types(a->dtype, &image, &memory);
    for (int d = 0; d < a->ndim; d++) {
        lengths[d] = a->shape[a->ndim - 1 - d];
        last[d]    = (long)lengths[d];
        first[d]   = 1;
    }
    errno = 0;
    if (exists) {
        file = gi_fits_open(path, READWRITE, t);
        if (!file) return false;
    } else if (fits_create_diskfile(&file, path, &error)) {
        if (error == FILE_NOT_CREATED && errno) return gi_fits_refuse(t, GA_NO_FILE, "%s", strerror(errno));
        return gi_fits_failed(t, error, "cannot make the file");
    }
    bool compress = o->compress && a->size > 0;
    if (compress) { /* without loss: Rice for integers, gzip with shuffled bytes for floats */
        fits_set_compression_type(file, gi_is_float(a->dtype) ? GZIP_2 : RICE_1, &error);
        fits_set_quantize_level(file, 0, &error);
    }
    fits_create_imgll(file, image, a->ndim, lengths, &error);
    if (o->name) fits_write_key_str(file, "EXTNAME", o->name, "name of this image", &error);
    if (compress) /* as a subset, for the same reason as above */
        fits_write_subset(file, memory, first, last, a->data, &error);
    else if (a->size > 0) fits_write_img(file, memory, 1, a->size, a->data, &error);
    if (error) {
        gi_fits_failed(t, error, "cannot write the image");
        gi_fits_close(file);
        return false;
    }
    if (fits_close_file(file, &error)) return gi_fits_failed(t, error, "cannot finish the file");
    return true;
}

static bool gi_copy_file(const char *from, const char *to, gi_fits_trouble *t)
{
    char   piece[1 << 14];
    size_t n;
    FILE  *in = fopen(from, "rb");
    if (!in) return gi_fits_refuse(t, GA_NO_FILE, "%s", strerror(errno));
    FILE *out  = fopen(to, "wb");
    bool  good = out != NULL;
    while (good && (n = fread(piece, 1, sizeof piece, in)) > 0) good = fwrite(piece, 1, n, out) == n;
    good = good && !ferror(in);
    if (!good) gi_fits_refuse(t, GA_NO_FILE, "cannot copy it before appending: %s", strerror(errno));
    fclose(in);
    if (out && fclose(out) != 0 && good)
        good = gi_fits_refuse(t, GA_NO_FILE, "cannot copy it before appending: %s", strerror(errno));
    return good;
}

/*  Everything is written to a file beside, which then takes the name: whatever goes wrong, the old file stays as it was. */
static bool gi_fits_replace(const char *path, const char *beside, const ga_array *a, const ga_fits_options *o,
                            gi_fits_trouble *t)
{
    struct stat about;
    bool        exists = stat(path, &about) == 0, append = o->append && exists;
    if (exists && !S_ISREG(about.st_mode)) return gi_fits_refuse(t, GA_NO_FILE, "that is no regular file");
    bool good = !append || gi_copy_file(path, beside, t);
    if (good) {
        pthread_mutex_lock(&gi_fits_lock);
        good = gi_fits_add_image(beside, append, a, o, t);
        pthread_mutex_unlock(&gi_fits_lock);
    }
    if (good && exists) (void)chmod(beside, about.st_mode & 07777);
    if (good && rename(beside, path) != 0) good = gi_fits_refuse(t, GA_NO_FILE, "%s", strerror(errno));
    if (!good) (void)remove(beside);
    return good;
}

bool(ga_fits_write)(const char *path, const ga_array *a, ga_fits_options o)
{
    enum { ROOM = 48 };
    static int      counter;
    gi_fits_trouble t = { GA_OK, "" };
    int             image, memory;
    if (!gi_check(o.site, a, "a")) return false;
    if (!path || !*path) return gi_fail(o.site, GA_BAD_ARGUMENT, "the file name is %s", path ? "empty" : "NULL") != NULL;
    if (!gi_fits_types(a->dtype, &image, &memory))
        return gi_fail(o.site, GA_BAD_DTYPE,
                       "FITS has no images of %s: write ga_real(a) and ga_imag(a), the second with .append = true",
                       ga_dtype_name(a->dtype)) != NULL;
    if (a->ndim == 0) return gi_fail(o.site, GA_BAD_SHAPE, "FITS has no 0-d images: ga_reshape(a, (1))") != NULL;
    if (o.compress && (a->dtype == GA_I64 || a->dtype == GA_U64))
        return gi_fail(o.site, GA_BAD_DTYPE, "CFITSIO cannot compress %s: leave .compress out, or write ga_astype(a, GA_I32)",
                       ga_dtype_name(a->dtype)) != NULL;
    if (o.compress && a->ndim > GI_FITS_COMPRESSED_AXES)
        return gi_fail(o.site, GA_BAD_SHAPE,
                       "shape %s has more than the %d dimensions that CFITSIO compresses: leave .compress out", gi_shape_of(a),
                       GI_FITS_COMPRESSED_AXES) != NULL;
    ga_array *c = gi_on_cpu(o.site, a);
    if (!c) return false;
    size_t room   = strlen(path) + ROOM;
    char  *beside = (char *)gi_alloc(o.site, room);
    bool   good   = false;
    if (beside) {
        snprintf(beside, room, "%s.%ld-%d.part", path, (long)getpid(), __atomic_add_fetch(&counter, 1, __ATOMIC_RELAXED));
        good = gi_fits_replace(path, beside, c, &o, &t);
        gi_release(beside, room);
    }
    ga_free(c);
    if (t.status != GA_OK) gi_fail(o.site, t.status, "cannot write '%s': %s", path, t.text);
    return good;
}

#else /* without CFITSIO */

static void *gi_fits_missing(const char *site, const char *path)
{
    return gi_fail(site, GA_NO_LIBRARY,
                   "'%s': this program was built without CFITSIO, which reads and writes FITS; compile with "
                   "-DGPUARR_USE_CFITSIO -lcfitsio (and, if fitsio.h is missing, apt-get install libcfitsio-dev)",
                   path ? path : "NULL");
}

ga_array *(ga_fits_read)(const char *path, ga_fits_options o) { return (ga_array *)gi_fits_missing(o.site, path); }

bool(ga_fits_write)(const char *path, const ga_array *a, ga_fits_options o)
{
    (void)a;
    return gi_fits_missing(o.site, path) != NULL;
}

#endif

/* An event is needed. */
static bool gi_is_event(const char *site, ga_event event)
{
    if (event) return true;
    gi_fail(site, GA_BAD_ARGUMENT, "the event is NULL: the call that should have made it failed, or it was never made");
    return false;
}

#if GI_HAS_CUDA
#define GI_CUDA_PART 3
#include "gpuarr_cuda.h"
#undef GI_CUDA_PART
#else
/* ==== >>without CUDA: what a program answers that was built without it ================================================ */

int  ga_cuda_count(void) { return 0; }
bool ga_cuda_select(int device) { return (void)device, gi_has_device("\tga_cuda_select", GA_CUDA); }
int  ga_cuda_selected(void) { return 0; }
int  ga_cuda_device_of(const ga_array *a) { return (void)gi_is_array("\tga_cuda_device_of", a, "the argument"), -1; }

ga_cuda_device ga_cuda_properties(int device)
{
    ga_cuda_device d;
    memset(&d, 0, sizeof d);
    (void)device, (void)gi_has_device("\tga_cuda_properties", GA_CUDA);
    return d;
}

ga_cuda_memory ga_cuda_memory_stats(void)
{
    ga_cuda_memory m;
    memset(&m, 0, sizeof m);
    (void)gi_has_device("\tga_cuda_memory_stats", GA_CUDA);
    return m;
}

void ga_cuda_memory_reset_peak(void) {}
void ga_cuda_memory_limit(int64_t bytes) { (void)bytes; }
void ga_cuda_memory_trim(void) {}

void *(ga_cuda_data)(const ga_array *a, ga_dtype dtype, const char *site)
{
    (void)dtype;
    if (gi_is_array(site, a, "a")) (void)gi_has_device(site, GA_CUDA);
    return NULL;
}

/* There is one stream, the default one, and nothing is ever waiting on it. */
static bool gi_is_default_stream(const char *site, ga_stream stream) { return !stream || gi_has_device(site, GA_CUDA); }

ga_stream ga_stream_new(void) { return (void)gi_has_device("\tga_stream_new", GA_CUDA), (ga_stream)NULL; }
void      ga_stream_free(ga_stream stream) { (void)gi_is_default_stream("\tga_stream_free", stream); }
bool      ga_set_stream(ga_stream stream) { return gi_is_default_stream("\tga_set_stream", stream); }
ga_stream ga_get_stream(void) { return NULL; }
bool      ga_stream_synchronize(ga_stream stream) { return gi_is_default_stream("\tga_stream_synchronize", stream); }
bool      ga_stream_query(ga_stream stream) { return gi_is_default_stream("\tga_stream_query", stream); }
bool      ga_stream_wait_event(ga_stream stream, ga_event event)
{
    return gi_is_event("\tga_stream_wait_event", event) && gi_is_default_stream("\tga_stream_wait_event", stream);
}

ga_event ga_event_new(void) { return (void)gi_has_device("\tga_event_new", GA_CUDA), (ga_event)NULL; }
void     ga_event_free(ga_event event) { (void)event; }
bool     ga_event_record(ga_event event, ga_stream stream)
{
    return (void)stream, gi_is_event("\tga_event_record", event) && gi_has_device("\tga_event_record", GA_CUDA);
}
bool ga_event_synchronize(ga_event event)
{
    return gi_is_event("\tga_event_synchronize", event) && gi_has_device("\tga_event_synchronize", GA_CUDA);
}
bool ga_event_query(ga_event event)
{
    return gi_is_event("\tga_event_query", event) && gi_has_device("\tga_event_query", GA_CUDA);
}
double ga_event_elapsed(ga_event from, ga_event to)
{
    const char *site = "\tga_event_elapsed";
    if (gi_is_event(site, from) && gi_is_event(site, to)) (void)gi_has_device(site, GA_CUDA);
    return (double)NAN;
}

/* A .cu file that launches kernels, linked to an implementation that a C compiler made. */
bool gi_launch_begin(const void *kernel, gi_dims grid, gi_dims block, ga_launch_options o, ga_stream *stream)
{
    return (void)kernel, (void)grid, (void)block, (void)stream, gi_has_device(o.site, GA_CUDA);
}
void *gi_launch_array(const ga_array *a, int number, ga_dtype dtype, ga_stream stream, const char *site)
{
    return (void)a, (void)number, (void)dtype, (void)stream, (void)gi_has_device(site, GA_CUDA), (void *)NULL;
}
bool gi_launch_end(const char *kernel, const char *site) { return (void)kernel, gi_has_device(site, GA_CUDA); }
#endif
#ifdef __NVCC__
#pragma nv_diagnostic pop
#endif
#endif /* GPUARR_IMPLEMENTATION */
#endif /* GA_TABLE */
