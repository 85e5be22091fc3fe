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
    result:  SAME the element type . BOOL . BYTE uint8 . PART the real type of a complex one
    An ELEMENTARY row has three functions in place of a formula: gi_name_core_T (fast, vectorised), gi_name_rare_T
    (where the core must not be trusted) and gi_name_slow_T (right there).

    Rows of your own can stand in a file of yours: -DGPUARR_USER_TABLE='"my_rows.h"', in every file that includes this one.
    Functions that their formulas call, written with GA_T and GA_FN(name), come from -DGPUARR_USER_FORMULAS='"my_formulas.h"', which is
    included once for each element type. Front macro: #define ga_name(...) GA_CALL_1(ga_name, __VA_ARGS__), or _2, _3 operands. */
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
GA_UNARY(       sqrt,         FLTC,  SAME, GA_FN(sqrt)(x),                 (9, 3),       "square root, NaN for x < 0"         )
GA_UNARY(       conj,         CPX,   SAME, GA_FN(conj)(x),                 (2, 2),       "complex conjugate"                  )
GA_UNARY(       real,         CPX,   PART, GA_FN(real)(x),                 (2, 2),       "real part"                          )
GA_UNARY(       imag,         ALL,   PART, GA_FN(imag)(x),                 (2, 0),       "imaginary part"                     )
GA_UNARY(       floor,        FLT,   SAME, GA_FN(floor)(x),                (2, 2),       "largest integer <= x"               )
GA_UNARY(       ceil,         FLT,   SAME, GA_FN(ceil)(x),                 (2, 2),       "smallest integer >= x"              )
GA_UNARY(       trunc,        FLT,   SAME, GA_FN(trunc)(x),                (2, 2),       "x without its fraction"             )
GA_UNARY(       rint,         FLT,   SAME, GA_FN(rint)(x),                 (2.5, 2),     "nearest integer, halves to even"    )
GA_UNARY(       deg2rad,      FLT,   SAME, GA_MUL(x, (GA_T)3.14159265358979323846 / (GA_T)180), (0, 0), "degrees in radians" )
GA_UNARY(       rad2deg,      FLT,   SAME, GA_MUL(x, (GA_T)180 / (GA_T)3.14159265358979323846), (0, 0), "radians in degrees" )
GA_UNARY(       isnan,        FLTC,  BOOL, GA_FN(isnan)(x),                (1, 0),       "is x not a number?"                 )
GA_UNARY(       isinf,        FLTC,  BOOL, GA_FN(isinf)(x),                (1, 0),       "is x infinite?"                     )
GA_UNARY(       isfinite,     FLTC,  BOOL, GA_FN(isfinite)(x),             (1, 1),       "is x neither infinite nor NaN?"     )
GA_UNARY(       signbit,      FLT,   BOOL, GA_FN(signbit)(x),              (-2, 1),      "is the sign bit set?"               )
GA_UNARY(       isneginf,     FLT,   BOOL, x == -GA_FN(infinity)(),        (1, 0),       "is x -infinity?"                    )
GA_UNARY(       isposinf,     FLT,   BOOL, x == GA_FN(infinity)(),         (1, 0),       "is x +infinity?"                    )
GA_UNARY(       iscomplex,    FLTC,  BOOL, GA_FN(imag)(x) != 0,            (2, 0),       "is the imaginary part not zero?"    )
GA_UNARY(       isreal,       FLTC,  BOOL, GA_FN(imag)(x) == 0,            (2, 1),       "is the imaginary part zero?"        )
GA_UNARY(       spacing,      FLT,   SAME, GA_FN(spacing)(x),              (INFINITY, NAN), "to the next number away from 0"  )
GA_UNARY(       bitwise_count, INT,  BYTE, GA_FN(bitwise_count)(x),        (7, 3),       "bits set in |x|: uint8"             )
GA_UNARY(       invert,       BITS,  SAME, GA_FN(invert)(x),               (0, ~0),      "every bit turned; not, for bool"    )
GA_UNARY(       logical_not,  TRUTH, BOOL, !GA_FN(truth)(x),               (2, 0),       "is x zero?"                         )

/*              name                       dtypes  example          what it computes                                          */
GA_ELEMENTARY(  exp,                       FLTC,   (0, 1),          "e to the power x"                                        )
GA_ELEMENTARY(  exp2,                      FLTC,   (3, 8),          "2 to the power x"                                        )
GA_ELEMENTARY(  expm1,                     FLTC,   (0, 0),          "exp(x) - 1, exact near 0"                                )
GA_ELEMENTARY(  log,                       FLTC,   (1, 0),          "natural logarithm"                                       )
GA_ELEMENTARY(  log2,                      FLTC,   (8, 3),          "logarithm to base 2"                                     )
GA_ELEMENTARY(  log10,                     FLTC,   (1000, 3),       "logarithm to base 10"                                    )
GA_ELEMENTARY(  log1p,                     FLTC,   (0, 0),          "log(1 + x), exact near 0"                                )
GA_ELEMENTARY(  sin,                       FLTC,   (0, 0),          "sine of x in radians"                                    )
GA_ELEMENTARY(  cos,                       FLTC,   (0, 1),          "cosine of x in radians"                                  )
GA_ELEMENTARY(  tan,                       FLTC,   (0, 0),          "tangent of x in radians"                                 )
GA_ELEMENTARY(  arcsin,                    FLTC,   (0, 0),          "inverse sine"                                            )
GA_ELEMENTARY(  arccos,                    FLTC,   (1, 0),          "inverse cosine"                                          )
GA_ELEMENTARY(  arctan,                    FLTC,   (0, 0),          "inverse tangent"                                         )
GA_ELEMENTARY(  sinh,                      FLTC,   (0, 0),          "hyperbolic sine"                                         )
GA_ELEMENTARY(  cosh,                      FLTC,   (0, 1),          "hyperbolic cosine"                                       )
GA_ELEMENTARY(  tanh,                      FLTC,   (0, 0),          "hyperbolic tangent"                                      )
GA_ELEMENTARY(  arcsinh,                   FLTC,   (0, 0),          "inverse hyperbolic sine"                                 )
GA_ELEMENTARY(  arccosh,                   FLTC,   (1, 0),          "inverse hyperbolic cosine"                               )
GA_ELEMENTARY(  arctanh,                   FLTC,   (0, 0),          "inverse hyperbolic tangent"                              )
GA_ELEMENTARY(  cbrt,                      FLT,    (27, 3),         "cube root"                                               )
GA_ELEMENTARY(  sinc,                      FLT,    (0, 1),          "sin(pi x) / (pi x)"                                      )

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
GA_BINARY(      gcd,          INT,   SAME, GA_FN(gcd)(x, y),               (12, 18, 6),  "greatest common divisor"            )
GA_BINARY(      lcm,          INT,   SAME, GA_FN(lcm)(x, y),               (4, 6, 12),   "least common multiple"              )
GA_BINARY(      heaviside,    FLT,   SAME, GA_FN(heaviside)(x, y),         (0, 3, 3),    "0 for x < 0, y at 0, else 1"        )
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
GA_ELEMENTARY2( power,                     ARITH,  (2, 3, 8),       "x to the power y"                                        )
GA_ELEMENTARY2( arctan2,                   FLT,    (0, 1, 0),       "angle of the point (y, x), first argument y"             )
GA_ELEMENTARY2( hypot,                     FLT,    (3, 4, 5),       "length of the vector (x, y)"                             )
GA_ELEMENTARY2( ldexp,                     FLT,    (3, 2, 12),      "x * 2**y, rounded once"                                  )
GA_ELEMENTARY2( nextafter,                 FLT,    (2, 2, 2),       "the next number after x towards y"                       )
GA_ELEMENTARY2( logaddexp,                 FLT,    (-INFINITY, 0, 0), "log(exp(x) + exp(y))"                                  )
GA_ELEMENTARY2( logaddexp2,                FLT,    (3, 3, 4),       "log2(2**x + 2**y)"                                       )

/*              name          dtypes result formula of x, y, z             example       what it computes                     */
GA_TERNARY(     multiply_add, ARITH, SAME, GA_ADD(GA_MUL(x, y), z),        (2, 3, 4, 10), "x * y + z in one pass"             )
GA_TERNARY(     clip,         ORDER, SAME, GA_FN(minimum)(GA_FN(maximum)(x, y), z), (7, 2, 5, 5), "x limited to [y, z]"       )

/*  A fold starts from `start` (NONE: an empty array is an error), takes each element through `of x`, joins two by `join a, b`
    along the documented tree, and makes the result by `end a, n`.
    acc: what it adds in: WIDE int64, uint64, float64, complex128 . MEAN float64, complex128 . SAME the element type . BOOL .
    COUNT int64.    result: SUM the dtype of NumPy's sum . AVERAGE that of NumPy's mean . SAME . BOOL . COUNT int64            */
/*              name           dtypes acc    result   start of x                                  join a, b             end a, n              {1,2,3} */
GA_FOLD(        count_nonzero, TRUTH, COUNT, COUNT,   0,    GA_FN(truth)(x),                      a + b,                a,                    3, "how many are not zero"     )
GA_FOLD(        sum,           ALL,   WIDE,  SUM,     0,    GA_WIDEN(x),                          GA_WIDE_ADD(a, b),    a,                    6, "sum"                       )
GA_FOLD(        prod,          ALL,   WIDE,  SUM,     1,    GA_WIDEN(x),                          GA_WIDE_MUL(a, b),    a,                    6, "product"                   )
GA_FOLD(        mean,          ALL,   MEAN,  AVERAGE, 0,    GA_MEAN_OF(x),                        GA_MEAN_ADD(a, b),    GA_MEAN_OVER(a, n),   2, "arithmetic mean"           )
GA_FOLD(        min,           ALL,   SAME,  SAME,    NONE, x,                                    GA_FN(minimum)(a, b), a,                    1, "smallest element"          )
GA_FOLD(        max,           ALL,   SAME,  SAME,    NONE, x,                                    GA_FN(maximum)(a, b), a,                    3, "largest element"           )
GA_FOLD(        any,           TRUTH, BOOL,  BOOL,    0,    GA_FN(truth)(x),                      (a | b),              a,                    1, "is any element nonzero?"   )
GA_FOLD(        all,           TRUTH, BOOL,  BOOL,    1,    GA_FN(truth)(x),                      (a & b),              a,                    1, "are all nonzero?"          )
GA_FOLD(        nansum,        FLTC,  WIDE,  SUM,     0,    GA_WIDEN(GA_FN(nan_to)(x, 0)),        GA_WIDE_ADD(a, b),    a,                    6, "sum without the NaNs"      )
GA_FOLD(        nanprod,       FLTC,  WIDE,  SUM,     1,    GA_WIDEN(GA_FN(nan_to)(x, 1)),        GA_WIDE_MUL(a, b),    a,                    6, "product without the NaNs"  )
GA_FOLD(        nanmin,        FLT,   SAME,  SAME,    NONE, x,                                    GA_FN(fmin)(a, b),    a,                    1, "smallest without the NaNs" )
GA_FOLD(        nanmax,        FLT,   SAME,  SAME,    NONE, x,                                    GA_FN(fmax)(a, b),    a,                    3, "largest without the NaNs"  )
/* clang-format on */
#ifdef GPUARR_USER_TABLE
#define GI_USER_TABLE
#include "../../gpuarr.h"
#undef GI_USER_TABLE
#endif
#undef GA_UNARY
#undef GA_BINARY
#undef GA_TERNARY
#undef GA_ELEMENTARY
#undef GA_ELEMENTARY2
#undef GA_FOLD
#undef GA_TABLE
