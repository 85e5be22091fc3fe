/* Formulas given as text: worked examples, options, and every error. (Random formulas: tests/formulas.c)
   cc tests/impl.c tests/eval.c -lm -lpthread */
#include "errors.h"
#include <float.h>

/* One number of a formula without operands. */
static ga_array *value(const char *formula) { return ga_eval_n(formula, 0, NULL); }

static void test_numbers(void)
{
    CHECK_SCALAR(value("2 + 3 * 4"), GA_I64, 14);
    CHECK_SCALAR(value("(2 + 3) * 4"), GA_I64, 20);
    CHECK_SCALAR(value("-2**2"), GA_I64, -4);
    CHECK_SCALAR(value("2**-1"), GA_F64, 0.5);
    CHECK_SCALAR(value("2**3**2"), GA_I64, 512);
    CHECK_SCALAR(value("-7 // 2"), GA_I64, -4);
    CHECK_SCALAR(value("-7 % 3"), GA_I64, 2);
    CHECK_SCALAR(value("7.5 // 2"), GA_F64, 3);
    CHECK_SCALAR(value("10 - 4 - 3"), GA_I64, 3);
    CHECK_SCALAR(value("1 / 4"), GA_F64, 0.25);
    CHECK_SCALAR(value("1 << 3 + 1"), GA_I64, 16);
    CHECK_SCALAR(value("-1 >> 70"), GA_I64, -1);
    CHECK_SCALAR(value("1 | 2 ^ 3 & 5"), GA_I64, 3);
    CHECK_SCALAR(value("~5 + +1"), GA_I64, -5);
    CHECK_SCALAR(value("3 > 2"), GA_BOOL, 1);
    CHECK_SCALAR(value("(3 > 2) + True"), GA_I64, 2);
    CHECK_SCALAR(value("True & False"), GA_BOOL, 0);
    CHECK_SCALAR(value("0xff + 0b101 + 0o17 + 1_000"), GA_I64, 255 + 5 + 15 + 1000);
    CHECK_SCALAR(value("1.5e3 + .5 + 1."), GA_F64, 1501.5);
    CHECK_SCALAR(value("18446744073709551615"), GA_U64, 18446744073709551615.0);
    CHECK_SCALAR(value("2**63 - 1 - 9223372036854775000"), GA_I64, 807);
    CHECK_SCALAR(value("2**64 - 1 == 18446744073709551615"), GA_BOOL, 1);
    CHECK_SCALAR(value("~(2**64 - 1) + 2**64"), GA_I64, 0);
    CHECK_SCALAR(value("(10**30 + 7) % 10**9 - -2**100 // 3**60"), GA_I64, 37);
    CHECK_SCALAR(value("2**100 / 2**98 + (1 << 70 >> 69)"), GA_F64, 6);
    CHECK_SCALAR(value("2**100 * 0.5 == 2.0**99"), GA_BOOL, 1);
    CHECK_SCALAR(value("2**80 & 2**80 + 5 > 2**79"), GA_BOOL, 1);
    CHECK_SCALAR(value("pi"), GA_F64, 3.141592653589793);
    CHECK_SCALAR(value("-inf"), GA_F64, -(double)INFINITY);
    CHECK_SCALAR(value("real(2j * 2J)"), GA_F64, -4);
    CHECK_SCALAR(value("sqrt(16)"), GA_F64, 4);
    CHECK_SCALAR(value("abs(-3)"), GA_I64, 3);
    CHECK_SCALAR(value("round(2.5)"), GA_F64, 2);
    CHECK_SCALAR(value("round(-7)"), GA_I64, -7);
    CHECK_SCALAR(value("round(25, -1)"), GA_I64, 20);
    CHECK_SCALAR(value("round(2.345, 2)"), GA_F64, 2.35);
    CHECK_SCALAR(value("float32(2.5)"), GA_F32, 2.5);
    CHECK_SCALAR(value("where(1 < 2, 3, 4)"), GA_I64, 3);
    CHECK_SCALAR(value("sum(3)"), GA_I64, 3);
    CHECK_SCALAR(value("a = 3; b = a*a; a = b + 1; a"), GA_I64, 10);
}

static bool same_and_freed(ga_array *a, ga_array *b)
{
    const bool same = a && b && a->dtype == b->dtype && ga_array_equal(a, b, .equal_nan = true);
    ga_free(a), ga_free(b);
    return same;
}

static void test_examples(void)
{
    ga_array *x = ga_arange(0, 4, 1, .dtype = GA_F32), *y = ga_values(1, 2, 3, 4),
             *column = ga_from(((double[]){ 10, 20 }), (2, 1));
    ga_array *flat   = ga_arange(0, 16, 1, .dtype = GA_F64);
    ga_array *u = ga_reshape(flat, (4, 4)), *i8 = ga_astype(x, GA_I8), *z = ga_astype(x, GA_C64);
    double    scale = 2;
    int       k     = 2;
    CHECK_IS(ga_eval("2*x + 1", (x)), GA_F32, (4), 1, 3, 5, 7);
    CHECK_IS(ga_eval("2*x + 1", (x, column, z)), GA_F32, (4), 1, 3, 5, 7); /* the others are left alone */
    CHECK_IS(ga_eval("x*scale", (x, scale)), GA_F32, (4), 0, 2, 4, 6);
    CHECK_IS(ga_eval("x*y + column", (x, y, column)), GA_F64, (2, 4), 10, 12, 16, 22, 20, 22, 26, 32);
    ga_array *turned = ga_index(x, "::-1");
    CHECK_IS(ga_eval("$1*$2", (*&turned, scale + 1)), GA_F32, (4), 9, 6, 3, 0);
    ga_free(turned);
    CHECK_IS(ga_eval("where(x > 1, -x, y)", (x, y)), GA_F64, (4), 1, 2, -2, -3);
    CHECK_IS(ga_eval("clip(x, 1, 2)", (x)), GA_F32, (4), 1, 1, 2, 2);
    CHECK_IS(ga_eval("round(x * 1.2345, 2)", (x)), GA_F32, (4), 0, 1.23f, 2.47f, 3.7f);
    CHECK_IS(ga_eval("round(column * k, decimals=-1) + 1", (column, k)), GA_F64, (2, 1), 21, 41);
    CHECK_IS(ga_eval("around(i8 * 7, -1)", (i8)), GA_I8, (4), 0, 10, 10, 20);
    CHECK_IS(ga_eval("round(i8, 3) - round(x, 0)", (i8, x)), GA_F32, (4), 0, 0, 0, 0);
    ga_array *into = ga_zeros((4), .dtype = GA_F32);
    ga_array *line = ga_values(1.25, 2.35, 1e300, NAN, INFINITY), *half = ga_astype(line, GA_F16);
    CHECK(ga_eval("round(y / 3, 1)", (y), .out = into) == into && into->dtype == GA_F32);
    CHECK_IS(into, GA_F32, (4), 0.3f, 0.7f, 1, 1.3f);
    CHECK(same_and_freed(ga_eval("round(line, 1)", (line)), ga_round(line, 1)));
    CHECK(same_and_freed(ga_eval("round(half, 1)", (half)), ga_round(half, 1)));
    CHECK(same_and_freed(ga_eval("round(line / 7, 1) - round(line / 7, 2)", (line)),
                         ga_eval("a = round(line / 7, 1); b = round(line / 7, 2); a - b", (line))));
    CHECK_IS(ga_eval("round(i8)", (i8)), GA_I8, (4), 0, 1, 2, 3); /* integers stay what they are */
    CHECK_IS(ga_eval("around(i8, decimals=0) * 7 + k", (i8, k)), GA_I8, (4), 2, 9, 16, 23);
    CHECK_IS(ga_eval("round(i8 * 7) / 2", (i8)), GA_F64, (4), 0, 3.5, 7, 10.5);
    CHECK_IS(ga_eval("round(k) + i8", (k, i8)), GA_I64, (4), 2, 3, 4, 5);
    CHECK_IS(ga_eval("round(x > 1) + x", (x)), GA_F32, (4), 0, 1, 3, 4);
    CHECK_IS(ga_eval("round(x / 2)", (x)), GA_F32, (4), 0, 0, 1, 2);
    CHECK_IS(ga_eval("round(x / 2, 0) + around(x)", (x)), GA_F32, (4), 0, 1, 3, 5);
    CHECK_IS(ga_eval("round(x / 2)", (x), .dtype = GA_F64), GA_F64, (4), 0, 0, 1, 2);
    CHECK_IS(ga_eval("round(i8)", (i8), .dtype = GA_F32), GA_F32, (4), 0, 1, 2, 3);
    ga_array *some = ga_eval("x > 1", (x)), *all = ga_ones((4), .dtype = GA_F32), *there = ga_ones((4), .dtype = GA_F32);
    CHECK(ga_eval("round(y / 2 + 0.1)", (y), .out = all, .where = some) == all);
    CHECK_IS(all, GA_F32, (4), 1, 1, 2, 2);
    CHECK(ga_eval("round(i8) - 3", (i8), .out = there) == there);
    CHECK_IS(there, GA_F32, (4), -3, -2, -1, 0);
    CHECK_IS(ga_eval("round(y / 3, 1)", (y), .where = some), GA_F64, (4), 0, 0, 1, 1.3);
    ga_array *third = ga_eval("z / 3 - 1j/7*z", (z)), *whole = ga_round(half);
    CHECK(same_and_freed(ga_eval("round(third, 2)", (third)), ga_round(third, 2))); /* part by part */
    CHECK(same_and_freed(ga_eval("round(z / 3 - 1j/7*z)", (z)), ga_round(third)));
    CHECK(same_and_freed(ga_eval("round(half) + half", (half)), ga_add(whole, half)));
    CHECK_IS(ga_eval("float16(x) / 3", (x)), GA_F16, (4), 0, 0.333251953125, 0.66650390625, 1);
    CHECK_IS(ga_eval("bfloat16(1.003 * y) + float16(y)", (y)), GA_F32, (4), 2, 4, 6.015625, 8);
    CHECK_IS(ga_eval("float16(x * 70000.0)", (x)), GA_F16, (4), 0, INFINITY, INFINITY, INFINITY);
    CHECK_IS(ga_eval("float16(i8)", (i8), .dtype = GA_F32), GA_F32, (4), 0, 1, 2, 3);
    CHECK_SCALAR(ga_eval("sum(x / 3, dtype=float16)", (x)), GA_F16, 2);
    ga_free(some), ga_free(third), ga_free(whole);
    ga_free(line);
    ga_free(half);
    CHECK_IS(ga_eval("percentile(u, 50, 0)", (u)), GA_F64, (4), 6, 7, 8, 9);
    CHECK_IS(ga_eval("(x > 0) & ~(x >= 3)", (x)), GA_BOOL, (4), 0, 1, 1, 0);
    CHECK_IS(ga_eval("uint8(x) << 2", (x)), GA_U8, (4), 0, 4, 8, 12);
    CHECK_IS(ga_eval("i8 + 1.5", (i8)), GA_F64, (4), 1.5, 2.5, 3.5, 4.5);
    CHECK_IS(ga_eval("i8**2", (i8)), GA_I8, (4), 0, 1, 4, 9);
    ga_array *truth = ga_greater(x, 1); /* power is ga_power, and ** 2 is ga_square */
    CHECK_IS(ga_eval("power(truth, 2) + 1", (truth)), GA_I64, (4), 1, 1, 2, 2);
    CHECK_IS(ga_eval("truth**2 + 1", (truth)), GA_I8, (4), 1, 1, 2, 2);
    for (int n = 1; n <= 3; n++) { /* the same formula, planned for the first of them */
        CHECK_IS(ga_eval("x**n + 1", (x, n)), GA_F32, (4), 1, 2, n == 1 ? 3 : n == 2 ? 5 : 9, n == 1 ? 4 : n == 2 ? 10 : 28);
        CHECK_IS(ga_eval("(i8 < n*100) + 1", (i8, n)), GA_I64, (4), 2, 2, 2, 2);
    }
    float single = 2.5f; /* numbers alone: float32, as ga_where(x, single, single) */
    CHECK_IS(ga_eval("where(x > 1, single, single) - truth", (x, single, truth)), GA_F32, (4), 2.5, 2.5, 1.5, 1.5);
    CHECK_IS(ga_eval_n("where($1 > 1, $2, $2) - $1", 2, ((const ga_arg[]){ GA_ARG(truth), GA_ARG(single) })), GA_F32, (4), 2.5,
             2.5, 1.5, 1.5);
    CHECK_IS(ga_eval_n("where($1 > 1, $2, $2) - $1", 2, ((const ga_arg[]){ GA_ARG(truth), GA_ARG(scale) })), GA_F64, (4), 2, 2,
             1, 1);
    ga_free(truth);
    CHECK_IS(ga_eval("real(z**2)", (z)), GA_F32, (4), 0, 1, 4, 9); /* as ga_square: complex numbers have no other powers */
    CHECK_IS(ga_eval("u[1:-1, 2:] + u[1:-1, :-2] + u[2:, 1:-1] + u[:-2, 1:-1] - 4*u[1:-1, 1:-1]", (u)), GA_F64, (2, 2), 0, 0, 0,
             0);
    CHECK_IS(ga_eval("u[k, ::3]", (u, k)), GA_F64, (2), 8, 11);
    CHECK_IS(ga_eval("(x + 1)[$2:]", (x, k)), GA_F32, (2), 3, 4);
    CHECK_IS(ga_eval("x[newaxis, :2]", (x)), GA_F32, (1, 2), 0, 1);
    CHECK_IS(ga_eval("sum(u, axis=0)", (u)), GA_F64, (4), 24, 28, 32, 36);
    CHECK_IS(ga_eval("max(u, 1, keepdims=True)", (u)), GA_F64, (4, 1), 3, 7, 11, 15);
    CHECK_IS(ga_eval("sum(u, axis=(0, -1), keepdims=True)", (u)), GA_F64, (1, 1), 120);
    CHECK_SCALAR(ga_eval("mean(u, axis=None)", (u)), GA_F64, 7.5);
    CHECK_SCALAR(ga_eval("sum(i8, dtype=float32)", (i8)), GA_F32, 6);
    CHECK_SCALAR(ga_eval("var(y, ddof=1)*3", (y)), GA_F64, 5);
    CHECK_SCALAR(ga_eval("median(y)", (y)), GA_F64, 2.5);
    CHECK_SCALAR(ga_eval("percentile(y, 50, axis=0)", (y)), GA_F64, 2.5);
    CHECK_SCALAR(ga_eval("argmax(-(y - 2)**2)", (y)), GA_I64, 1);
    CHECK_IS(ga_eval("d = u - mean(u, axis=0);; d[:, 0] ;", (u)), GA_F64, (4), -6, -2, 2, 6);
    CHECK_IS(ga_eval("x", (x)), GA_F32, (4), 0, 1, 2, 3);
    CHECK_IS(ga_eval("sum = x; sum + e", (x, y)), GA_F32, (4), 2.718281828459045f, 3.718281828459045f, 4.718281828459045f,
             5.718281828459045f);
    ga_array *pi = ga_ones((2)); /* an operand stands before the constant */
    CHECK_IS(ga_eval("pi + 1", (pi)), GA_F64, (2), 2, 2);
    /* text made at run time, the same call again, names apart */
    char         text[40];
    const ga_arg both[2] = { GA_ARG(y), GA_ARG(10) };
    for (int n = 1; n <= 3; n++) {
        snprintf(text, sizeof text, "first*%d + second", n % 2);
        CHECK_IS(ga_eval_n(text, 2, both, .names = "first, second"), GA_F64, (4), 10 + n % 2, 10 + 2 * (n % 2),
                 10 + 3 * (n % 2), 10 + 4 * (n % 2));
    }
    /* the same text with other names, and with none: not what was kept */
    CHECK_IS(ga_eval_n("first*1 + second", 2, both, .names = "second, first"), GA_F64, (4), 11, 12, 13, 14);
    FAILS(GA_BAD_ARGUMENT, ga_eval_n("first*1 + second", 2, both), "there is no \"first\"", "$1 to $2");
    ga_array *empty = ga_zeros((0, 3));
    ga_array *none  = ga_eval("sqrt(empty) + 1", (empty));
    CHECK(none && none->ndim == 2 && none->size == 0);
    CHECK_IS(ga_eval("sum(empty*2, axis=0)", (empty)), GA_F64, (3), 0, 0, 0);
    /* the result is new: changing it leaves the operand */
    ga_array *copy = ga_eval("y[::2]", (y));
    CHECK(!ga_may_share_memory(copy, y));
    ga_free(flat), ga_free(none), ga_free(copy), ga_free(empty), ga_free(pi), ga_free(x), ga_free(y), ga_free(column),
        ga_free(u), ga_free(i8), ga_free(z);
}

/* Every row by its name. */
static void test_rows(void)
{
    ga_array *x = ga_values(0.25, 0.5, 0.75), *y = ga_ints(3, 1, 2), *r, *s;
#define SAME(call, ...)                                                                                                        \
    (r = (call), s = ga_eval(__VA_ARGS__), CHECK(r ? test_same_bits(r, s) : !s), ga_free(r), ga_free(s), ga_clear_error())
    ga_set_error_handler(ga_ignore_error, NULL);
#define GA_UNARY(name, ...)       SAME((ga_##name)(x, ga_map_defaults), #name "(x)", (x, y));
#define GA_ELEMENTARY(name, ...)  SAME((ga_##name)(x, ga_map_defaults), #name "(x)", (x, y));
#define GA_BINARY(name, ...)      SAME((ga_##name)(GA_ARG(y), GA_ARG(x), ga_map_defaults), #name "(y, x)", (x, y));
#define GA_ELEMENTARY2(name, ...) SAME((ga_##name)(GA_ARG(y), GA_ARG(x), ga_map_defaults), #name "(y, x)", (x, y));
#define GA_TERNARY(name, ...)     SAME((ga_##name)(GA_ARG(x), GA_ARG(y), GA_ARG(2), ga_map_defaults), #name "(x, y, 2)", (x, y));
#define GA_FOLD(name, ...)        SAME((ga_##name)(x, ga_reduce_defaults), #name "(x)", (x, y));
#define GA_TABLE
#include "gpuarr.h"
    ga_set_error_handler(NULL, NULL);
    ga_free(x), ga_free(y);
}

static void test_options(void)
{
    ga_array *x = ga_arange(0, 6, 1, .dtype = GA_F64), *out = ga_zeros((6)), *single = ga_zeros((6), .dtype = GA_F32), *r;
    ga_array *mask = ga_greater(x, 2), *n = ga_scalar(0);
    CHECK(ga_eval("x*x", (x), .out = out) == out);
    CHECK_IS(ga_copy(out), GA_F64, (6), 0, 1, 4, 9, 16, 25);
    CHECK(ga_eval("x + 0.5", (x), .out = single) == single);
    CHECK_IS(ga_copy(single), GA_F32, (6), 0.5, 1.5, 2.5, 3.5, 4.5, 5.5);
    CHECK(ga_eval("-x", (x), .out = out, .where = mask) == out);
    CHECK_IS(ga_copy(out), GA_F64, (6), 0, 1, 4, -3, -4, -5);
    CHECK_IS(ga_eval("x + 1", (x), .where = mask), GA_F64, (6), 0, 0, 0, 4, 5, 6);
    CHECK_IS(ga_eval("x*x", (x), .dtype = GA_C128), GA_C128, (6), 0, 1, 4, 9, 16, 25);
    /* .dtype is that of the last step, whatever the same formula had before */
    const ga_dtype asked[] = { GA_F32, GA_DTYPE_DEFAULT, GA_F64, GA_C64, GA_F32 };
    ga_array      *twice   = ga_multiply(x, 2);
    for (int k = 0; k < 5; k++) {
        ga_array *a = ga_eval("(x*2) / 7", (x), .dtype = asked[k]), *b = ga_divide(twice, 7, .dtype = asked[k]);
        CHECK(test_same_bits(a, b));
        ga_free(a), ga_free(b);
        a = ga_eval("sum(x*2)", (x), .dtype = asked[k]), b = ga_sum(twice, .dtype = asked[k]);
        CHECK(test_same_bits(a, b));
        ga_free(a), ga_free(b);
    }
    ga_array *wide = ga_zeros((6)), *copied = ga_zeros((6));
    CHECK(ga_eval("positive(x*0.7)", (x), .dtype = GA_F32, .out = wide) == wide);
    r = ga_multiply(x, 0.7);
    CHECK(ga_positive(r, .dtype = GA_F32, .out = copied) == copied && test_same_bits(wide, copied));
    ga_free(twice), ga_free(r), ga_free(wide), ga_free(copied);
    CHECK_IS(ga_eval("x*2 > 4", (x), .dtype = GA_F32), GA_BOOL, (6), 0, 0, 0, 1, 1, 1);
    CHECK_IS(ga_eval("float32(x*x)", (x), .dtype = GA_F64), GA_F64, (6), 0, 1, 4, 9, 16, 25);
    CHECK_IS(ga_eval("where(x*2 > 4, x, -x)", (x), .dtype = GA_F32), GA_F32, (6), 0, -1, -2, 3, 4, 5);
    CHECK_IS(ga_eval("x", (x), .where = mask), GA_F64, (6), 0, 0, 0, 3, 4, 5);
    CHECK(ga_eval("7", (x), .out = out, .where = mask) == out);
    CHECK_IS(ga_copy(out), GA_F64, (6), 0, 1, 4, 7, 7, 7);
    CHECK(ga_eval("x[::-1]", (x), .out = out) == out);
    CHECK_IS(ga_copy(out), GA_F64, (6), 5, 4, 3, 2, 1, 0);
    CHECK(ga_eval("float32(x)", (x), .out = out) == out);
    CHECK_IS(ga_copy(out), GA_F64, (6), 0, 1, 2, 3, 4, 5);
    CHECK(ga_eval("count_nonzero(x > 1)", (x), .out = n) == n && ga_item(n) == 4);
    CHECK_SCALAR(ga_eval("sum(x)", (x), .dtype = GA_F32), GA_F32, 15);
    /* results over operands, and beside them */
    CHECK(ga_eval("x*2 + x", (x), .out = x) == x);
    CHECK_IS(ga_copy(x), GA_F64, (6), 0, 3, 6, 9, 12, 15);
    ga_array *behind = ga_index(x, "1:"), *before = ga_index(x, ":-1");
    CHECK(ga_eval("before + behind", (before, behind), .out = behind) == behind);
    CHECK_IS(ga_copy(x), GA_F64, (6), 0, 3, 9, 15, 21, 27);
    CHECK(ga_eval("x[::-1] + x*0", (x), .out = x) == x);
    CHECK_IS(ga_copy(x), GA_F64, (6), 27, 21, 15, 9, 3, 0);
    r                  = ga_empty((6));
    ga_eval_options o  = ga_eval_defaults;
    const ga_arg    in = GA_ARG(x);
    o.out              = r;
    CHECK((ga_eval_n)("$1 - 1", 1, &in, o) == r);
    CHECK_IS(r, GA_F64, (6), 26, 20, 14, 8, 2, -1);
    /* computed once, though the result goes into another dtype */
    CHECK(ga_eval("t = float32(x) + 1; t * t[0]", (x), .out = x) == x);
    CHECK_IS(ga_copy(x), GA_F64, (6), 784, 616, 448, 280, 112, 28);
    ga_free(x), ga_free(out), ga_free(single), ga_free(mask), ga_free(n), ga_free(behind), ga_free(before);
}

/* Numbers in an index, also negative ones behind a sign. */
static void test_index_numbers(void)
{
    ga_scope {
        ga_array       *x   = ga_random((12, 9));
        const int       one = 1, minus = -2;
        const int64_t   most = INT64_MAX, least = INT64_MIN;
        const ga_array *part = ga_index(x, "2:, -2:-7:-2");
        CHECK(test_same_bits(ga_eval("x[-minus:, minus:-7:minus]", (x, minus)), part));
        CHECK(test_same_bits(ga_eval("x[one:most, least:-one]", (x, one, most, least)), ga_index(x, "1:, :-1")));
        ga_array *i = ga_zeros((3), .dtype = GA_I64);
        CHECK(ga_item_int(ga_sum(ga_eval("i[:1] + -9223372036854775808", (i)))) == INT64_MIN);
        CHECK(ga_item_int(ga_sum(ga_eval("i[:1] + (-1 << 63)", (i)))) == INT64_MIN);
        CHECK(test_same_bits(ga_eval("x[::-one, -one]", (x, one)), ga_index(x, "::-1, -1")));
        CHECK(test_same_bits(ga_eval("x[::least, -one]", (x, one, least)), ga_index(x, "-1:, -1")));
        CHECK(test_same_bits(ga_eval("x[ - one , - minus:+ $3 ]", (x, one, minus)), ga_index(x, "- 1, +2:- 2")));
        CHECK(test_same_bits(ga_eval("x[- $2:, 1:- minus]", (x, one, minus)), ga_index(x, "-1:, 1:2")));
        const uint64_t huge = UINT64_MAX;
        CHECK(test_same_bits(ga_eval("x[one:huge, -huge:huge]", (x, one, huge)), ga_index(x, "1:")));
    }
}

/* Nothing is computed in an index, whatever the numbers are. */
static void test_index_computes_nothing(void)
{
    const char *const texts[] = { "x[1-k]", "x[:1-k]", "x[n-k]", "x[n$2]", "x[0-$2]", "x[2- k]", "x[$2$2]", "x[0$2]", "x[--k]",
                                  "x[k k]", "x[k1]",   "x[k-1]", "x[+-k]", "x[-]",    "x[(k)]",  "x[1 2]",  "x[:- ]", "x[-:]" };
    ga_scope {
        ga_array *x = ga_arange(0, 100, 1);
        for (int k = -3; k <= 3; k += 2)
            for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
                const int    n     = 1;
                const ga_arg in[3] = { GA_ARG(x), GA_ARG(k), GA_ARG(n) };
                FAILS(GA_BAD_ARGUMENT, ga_eval_n(texts[i], 3, in, .names = "x, k, n"), "of the index",
                      "nothing is computed in an index");
            }
        /* 160 characters that stand for more than 500 */
        ga_array     *y = ga_zeros((1, 1, 1, 1, 1, 1, 1, 40));
        const int64_t a = INT64_MIN, k = INT64_MAX;
        CHECK(test_same_bits(
            ga_eval("y[a:k:k,a:k:k,a:k:k,a:k:k,a:k:k,a:k:k,a:k:k,                                                           "
                    "              a:k]",
                    (y, a, k)),
            y));
    }
}

static void test_errors(void)
{
    ga_array *x = ga_zeros((2, 3)), *column = ga_zeros((4, 1)), *i = ga_ones((3), .dtype = GA_I32), *none = NULL;
    ga_array *whole = ga_zeros((2, 3), .dtype = GA_I32);
    double    c     = 2;
    int       k     = 9;
    bool      yes   = true;
    ga_set_error_handler(ga_ignore_error, NULL);
    FAILS(GA_BAD_ARGUMENT, ga_eval("2*x + colunm", (x, column)), "there is no \"colunm\": did you mean column?",
          "\n    2*x + colunm\n          ^^^^^^\n", "x is float64 (2, 3)", "column is float64 (4, 1)");
    FAILS(GA_BAD_ARGUMENT, ga_eval("sqr(x)", (x)), "did you mean", "sqrt");
    FAILS(GA_BAD_ARGUMENT, ga_eval("quaternion(x)", (x)), "there is no \"quaternion\"", "the operands are x");
    FAILS(GA_BAD_SHAPE, ga_eval("x*2 + column", (x, column)), "do not broadcast", "(2, 3)", "(4, 1)",
          "\n    x*2 + column\n        ^\n");
    FAILS(GA_BAD_ARGUMENT, ga_eval("x +", (x)), "an operand is missing", "    x +\n       ^");
    FAILS(GA_BAD_ARGUMENT, ga_eval("x x", (x)), "an operator is missing", "\n      ^");
    FAILS(GA_BAD_ARGUMENT, ga_eval("(x + (2)", (x)), "never closed", "\n    ^\n");
    FAILS(GA_BAD_ARGUMENT, ga_eval("x)", (x)), "no '('");
    FAILS(GA_BAD_ARGUMENT, ga_eval("x]", (x)), "no '['");
    FAILS(GA_BAD_ARGUMENT, ga_eval("x[1", (x)), "'[' is never closed");
    FAILS(GA_BAD_ARGUMENT, ga_eval("x[]", (x)), "the index is empty");
    FAILS(GA_BAD_ARGUMENT, ga_eval("x.T + 1", (x)), "names have no members here");
    FAILS(GA_BAD_ARGUMENT, ga_eval("k = 0; x[k]", (x)), "an index takes numbers and operands");
    FAILS(GA_BAD_ARGUMENT, ga_eval("x[k]", (x, k)), "out of bounds", "index 9");
    FAILS(GA_BAD_ARGUMENT, ga_eval("x[c]", (x, c)), "c is no integer", "\n    x[c]\n      ^\n");
    FAILS(GA_BAD_ARGUMENT, ga_eval("x[0, x]", (x)), "x is an array, and an index takes integers",
          "\n    x[0, x]\n         ^\n");
    FAILS(GA_BAD_ARGUMENT, ga_eval("x[yes]", (x, yes)), "yes is a bool");
    FAILS(GA_BAD_ARGUMENT, ga_eval("x[$7]", (x, c)), "there is no operand $7");
    FAILS(GA_BAD_ARGUMENT, ga_eval("x[1.5]", (x)), "is not an integer");
    FAILS(GA_BAD_ARGUMENT, ga_eval("x[\t1.5\n]", (x)), "is not an integer", "\n    x[ 1.5 ]\n      ^^^^^");
    FAILS(GA_BAD_ARGUMENT, ga_eval("x + \x7f", (x)), "means nothing", "\n    x +  \n        ^\n");
    FAILS(GA_BAD_ARGUMENT, ga_eval("x\xb2", (x)), "means nothing", "\n    x\xb2\n     ^\n"); /* a square in Latin-1 */
    FAILS(GA_BAD_ARGUMENT, ga_eval("c[0]", (c)), "a number has no elements");
    FAILS(GA_BAD_ARGUMENT, ga_eval("x < 1 < c", (x, c)), "do not chain", "(a < b) & (b < c)");
    FAILS(GA_BAD_ARGUMENT, ga_eval("x and x", (x)), "written &");
    FAILS(GA_BAD_ARGUMENT, ga_eval("x or x", (x)), "written |");
    FAILS(GA_BAD_ARGUMENT, ga_eval("not x", (x)), "written ~");
    FAILS(GA_BAD_ARGUMENT, ga_eval("x if c else c", (x, c)), "where(condition, x, y)");
    FAILS(GA_BAD_ARGUMENT, ga_eval("sin x", (x)), "sin is a function");
    FAILS(GA_BAD_ARGUMENT, ga_eval("sin(x, c)", (x, c)), "sin takes 1 operand, not 2");
    FAILS(GA_BAD_ARGUMENT, ga_eval("where(x, c)", (x, c)), "where takes 3 operands, not 2");
    FAILS(GA_BAD_ARGUMENT, ga_eval("rint(x, 2)", (x)), "rint takes 1 operand, not 2");
    FAILS(GA_BAD_ARGUMENT, ga_eval("round(x, c)", (x, c)), "decimals are written as an integer");
    FAILS(GA_BAD_ARGUMENT, ga_eval("round(x, 2, 3)", (x)), "takes 1 operand, not 2");
    FAILS(GA_BAD_ARGUMENT, ga_eval("round(x, axis=1)", (x)), "round takes decimals, and nothing else");
    FAILS(GA_BAD_ARGUMENT, ga_eval("round(x, 2, decimals=3)", (x)), "given already");
    FAILS(GA_BAD_ARGUMENT, ga_eval("round(x, decimals=2, decimals=3)", (x)), "given already");
    FAILS(GA_BAD_ARGUMENT, ga_eval("around(x, decimals=2.0)", (x)), "decimals are written as an integer");
    FAILS(GA_BAD_ARGUMENT, ga_eval("round(x, 99999999999)", (x)), "this integer is too large here");
    FAILS(GA_BAD_ARGUMENT, ga_eval("sum(x axis=0)", (x)), "a ',' is missing here");
    FAILS(GA_BAD_ARGUMENT, ga_eval("x + int8(300)", (x)), "300 does not fit int8");
    FAILS(GA_BAD_ARGUMENT, ga_eval("uint8(-1)", (x)), "-1 does not fit uint8");
    FAILS(GA_BAD_ARGUMENT, ga_eval("int8(2j)", (x)), "is complex, and int8 is not: take its real(), imag() or abs()");
    FAILS(GA_BAD_ARGUMENT, ga_eval("(33554431 ** 22) >= 1", (x)), "beyond 126 bits");
    FAILS(GA_BAD_ARGUMENT, ga_eval("x - (1 + 2**64)", (x)), "the integer is beyond 64 bits",
          "\n    x - (1 + 2**64)\n           ^");
    const int one = 1;
    FAILS(GA_BAD_ARGUMENT, ga_eval("x*x + where(x > 0, 2**64 + one, x)", (x, one)), "beyond 64 bits");
    FAILS(GA_BAD_ARGUMENT, ga_eval("x*x + 2**62*(one + one + one + one + one)", (x, one)), "beyond 64 bits");
    ga_scope {
        CHECK(ga_item_int(ga_eval("-2**63", (x))) == INT64_MIN && ga_eval("1 << 63", (x))->dtype == GA_U64);
        ga_array *largest = ga_to(ga_eval_n("2**64 - 1", 0, NULL), GA_CPU);
        CHECK(largest->dtype == GA_U64 && *(uint64_t *)largest->data == UINT64_MAX);
        CHECK(ga_item(ga_eval("min(x, where=True) + 9*max(x, where = True , axis=None) - 77*var(x, where=True)", (x))) ==
              ga_item(ga_eval("min(x) + 9*max(x) - 77*var(x)", (x))));
        CHECK(ga_item(ga_eval("sum(x, where=True, initial=1)", (x))) == 1 + ga_item(ga_sum(x)));
        CHECK(ga_eval("complex64(2j)", (x))->dtype == GA_C64 && ga_item(ga_eval("bool(2j)", (x))) == 1);
    }
    FAILS(GA_BAD_ARGUMENT, ga_eval("round(x, 2, axis=1)", (x)), "round takes decimals, and nothing else");
    FAILS(GA_BAD_ARGUMENT, ga_eval("exp(x, axis=1)", (x)), "exp takes no options");
    FAILS(GA_BAD_ARGUMENT, ga_eval("sum(x, out=x)", (x)), "sum takes axis, keepdims, dtype, where and initial");
    FAILS(GA_BAD_ARGUMENT, ga_eval("median(x, ddof=1)", (x)), "median takes axis and keepdims");
    FAILS(GA_BAD_ARGUMENT, ga_eval("argmax(x, ddof=1)", (x)), "argmax takes axis and keepdims");
    FAILS(GA_BAD_ARGUMENT, ga_eval("mean(x, out=x)", (x)), "mean takes axis, keepdims, dtype and where");
    FAILS(GA_BAD_ARGUMENT, ga_eval("std(x, out=x)", (x)), "std takes axis, keepdims, dtype, ddof and where");
    FAILS(GA_BAD_ARGUMENT, ga_eval("nanstd(x, where=x)", (x)), "nanstd takes axis, keepdims, dtype and ddof");
    FAILS(GA_BAD_ARGUMENT, ga_eval("std(x, initial=1)", (x)), "std takes", "\n    std(x, initial=1)\n           ^^^^^^^");
    FAILS(GA_BAD_ARGUMENT, ga_eval("median(x, where=x)", (x)), "median takes axis and keepdims");
    FAILS(GA_BAD_ARGUMENT, ga_eval("sum(x, where=x, where=x)", (x)), "given already");
    FAILS(GA_BAD_ARGUMENT, ga_eval("sum(x, where=x, 0)", (x)), "options have names");
    FAILS(GA_BAD_ARGUMENT, ga_eval("sum(x, where=, axis=0)", (x)), "an operand is missing here");
    FAILS(GA_BAD_ARGUMENT, ga_eval("sum(x, where=x, x)", (x)), "options have names");
    FAILS(GA_BAD_ARGUMENT, ga_eval("1 + max(x, where=x > 1)", (x)), "needs .initial", "\n        ^^^");
    FAILS(GA_BAD_ARGUMENT, ga_eval("max(x, where=True & (x > 1))", (x)), "needs .initial", "\n    ^^^");
    FAILS(GA_BAD_ARGUMENT, ga_eval("mean(x, initial=1)", (x)), "takes no .initial", "\n    ^^^^");
    FAILS(GA_BAD_SHAPE, ga_eval("sum(x, where=column)", (x, column)), "does not broadcast to", "\n    ^^^");
    FAILS(GA_BAD_ARGUMENT, ga_eval("argmax(x, 0, True)", (x)), "options have names",
          "\n    argmax(x, 0, True)\n                 ^^^^");
    FAILS(GA_BAD_ARGUMENT, ga_eval("sum(x, axis=0, 1)", (x)), "options have names");
    FAILS(GA_BAD_ARGUMENT, ga_eval("sum(x, None, 1)", (x)), "options have names");
    FAILS(GA_BAD_ARGUMENT, ga_eval("sum(x, axis=c)", (x, c)), "is written as an integer");
    FAILS(GA_BAD_ARGUMENT, ga_eval("sum(x, keepdims=c)", (x, c)), "keepdims is True or False");
    FAILS(GA_BAD_ARGUMENT, ga_eval("sum(x, axis=(0, 1, 0, 1, 0, 1, 0, 1, 0, 1))", (x)), "so many axes");
    FAILS(GA_BAD_ARGUMENT, ga_eval("sum(x, axis=(0; 1))", (x)), "axis=(0, 2)");
    FAILS(GA_BAD_ARGUMENT, ga_eval("sum(x, axis=2)", (x)), "there is no axis 2", "\n    ^^^");
    FAILS(GA_BAD_ARGUMENT, ga_eval("sum(x, dtype=real)", (x)), "this is no dtype");
    FAILS(GA_BAD_ARGUMENT, ga_eval("sum(x, keepdims=True axis=1)", (x)), "a comma or ')' is missing");
    FAILS(GA_BAD_ARGUMENT, ga_eval("(x, c)", (x, c)), "no lists");
    FAILS(GA_BAD_ARGUMENT, ga_eval("x, c", (x, c)), "no lists");
    FAILS(GA_BAD_ARGUMENT, ga_eval("x = c", (x, c)), "needs no name");
    FAILS(GA_BAD_ARGUMENT, ga_eval("x; c", (x, c)), "give this one a name");
    FAILS(GA_BAD_ARGUMENT, ga_eval("(x = c)", (x, c)), "'==' compares");
    FAILS(GA_BAD_ARGUMENT, ga_eval("x.T", (x)), "no members");
    FAILS(GA_BAD_ARGUMENT, ga_eval("x @ x", (x)), "means nothing");
    FAILS(GA_BAD_ARGUMENT, ga_eval("x && x", (x)), "written &");
    FAILS(GA_BAD_ARGUMENT, ga_eval("x || x", (x)), "written |");
    FAILS(GA_BAD_ARGUMENT, ga_eval("!x", (x)), "written ~");
    FAILS(GA_BAD_ARGUMENT, ga_eval("x ? 1 : 2", (x)), "where(condition, x, y)");
    FAILS(GA_BAD_ARGUMENT, ga_eval("x += 1", (x)), "given once");
    FAILS(GA_BAD_ARGUMENT, ga_eval("a = x\nb = a; b", (x)), "a ';' is missing", "\n          ^");
    FAILS(GA_BAD_ARGUMENT, ga_eval("np.sin(x)", (x)), "without np.");
    FAILS(GA_BAD_ARGUMENT, ga_eval("ga_sin(x)", (x)), "written sin");
    FAILS(GA_BAD_ARGUMENT, ga_eval("M_PI*x", (x)), "written pi");
    FAILS(GA_BAD_ARGUMENT, ga_eval("MEAN(x)", (x)), "did you mean mean?");
    FAILS(GA_BAD_ARGUMENT, ga_eval("dot(x, x)", (x)), "call ga_dot before");
    FAILS(GA_BAD_ARGUMENT, ga_eval("x(x)", (x)), "is no function");
    FAILS(GA_BAD_ARGUMENT, ga_eval("(", (x)), "an operand is missing");
    FAILS(GA_BAD_ARGUMENT, ga_eval("0x*x", (x)), "no digits");
    FAILS(GA_BAD_ARGUMENT, ga_eval("017*x", (x)), "0o17");
    FAILS(GA_BAD_ARGUMENT, ga_eval("x[x[0]]", (x)), "no index in itself");
    FAILS(GA_BAD_ARGUMENT, ga_eval("sum(x, axis=0, axis=0)", (x)), "given already");
    FAILS(GA_BAD_ARGUMENT, ga_eval("sum(x, 'float')", (x)), "no texts in a formula");
    FAILS(GA_BAD_ARGUMENT, ga_eval("y + 1", (c > 0 ? x : none)), "$1 is the operand that is no plain name");
    FAILS(GA_BAD_DTYPE, ga_eval("x^2", (x)), "(a power is x**y)");
    ga_scope {
        CHECK(test_same_bits(ga_eval("sin(x,)", (x)), ga_sin(x)));
    }
    FAILS(GA_BAD_ARGUMENT, ga_eval("", (x)), "the formula is empty");
    FAILS(GA_BAD_ARGUMENT, ga_eval(";", (x)), "an operand is missing");
    FAILS(GA_BAD_ARGUMENT, ga_eval("2x", (x)), "no number");
    FAILS(GA_BAD_ARGUMENT, ga_eval("2.0f*x", (x)), "no number");
    FAILS(GA_BAD_ARGUMENT, ga_eval("99999999999999999999*x", (x)), "does not fit 64 bits");
    FAILS(GA_BAD_ARGUMENT, ga_eval("$3*x", (x, c)), "there are 2 operands, $1 to $2");
    FAILS(GA_BAD_ARGUMENT, ga_eval("$0", (x)), "there is one operand");
    FAILS(GA_BAD_ARGUMENT, ga_eval_n("$1", 0, NULL), "there are no operands");
    FAILS(GA_BAD_ARGUMENT, ga_eval("1 // (c - 2)", (c)), "division of a number by zero", "\n      ^^");
    FAILS(GA_BAD_ARGUMENT, ga_eval("2**64 + x", (x)), "beyond 64 bits");
    FAILS(GA_BAD_ARGUMENT, ga_eval("(-8)**0.5", (x)), "is complex");
    FAILS(GA_BAD_ARGUMENT, ga_eval("0**-1", (x)), "no negative powers");
    FAILS(GA_BAD_ARGUMENT, ga_eval("1.5 & 2", (x)), "for integers");
    FAILS(GA_BAD_ARGUMENT, ga_eval("1j // 2", (x)), "complex numbers");
    FAILS(GA_BAD_ARGUMENT, ga_eval("1 << -1", (x)), "negative number");
    FAILS(GA_BAD_ARGUMENT, ga_eval("i ** -2", (i)), "negative integer powers", "\n      ^^");
    FAILS(GA_BAD_DTYPE, ga_eval("x & 1", (x)), "bitwise_and does not exist for float64");
    FAILS(GA_BAD_DTYPE, ga_eval("x*1.5", (x), .dtype = GA_I32), "cannot be computed in int32");
    FAILS(GA_BAD_DTYPE, ga_eval("x", (x), .dtype = GA_I32), "cannot become int32", "int32(...)");
    FAILS(GA_BAD_DTYPE, ga_eval("x*2", (x), .out = whole), "the result is float64", "int32");
    FAILS(GA_BAD_SHAPE, ga_eval("x*2", (x), .out = column), ".out has shape (4, 1)");
    FAILS(GA_BAD_ARGUMENT, ga_eval("sum(x)", (x), .where = x), "sum takes no .where");
    FAILS(GA_BAD_DTYPE, ga_eval("median(x)", (x), .dtype = GA_F32), "median takes no .dtype");
    FAILS(GA_BAD_DTYPE, ga_eval("x", (x), .dtype = (ga_dtype)99), "not a dtype");
    FAILS(GA_BAD_ARGUMENT, ga_eval("none + 1", (none)), "the first operand is NULL");
    FAILS(GA_BAD_ARGUMENT, ga_eval("x + 1", (x), .out = NULL), ".out is NULL");
    FAILS(GA_BAD_ARGUMENT, ga_eval_n(NULL, 0, NULL), "the formula is NULL");
    FAILS(GA_BAD_ARGUMENT, ga_eval_n("$1", 2, NULL), "operands is NULL");
    FAILS(GA_BAD_ARGUMENT, ga_eval_n("$1", -1, NULL), "-1 operands");
    FAILS(GA_BAD_ARGUMENT, ga_eval_n("$1", 65, NULL), "at most 64");
    ga_array *freed = ga_zeros((2, 3));
    ga_free(freed);
    if (!TEST_ASAN) FAILS(GA_BAD_ARGUMENT, ga_eval("x*2 + 1", (x), .out = freed), ".out is no array");
    if (!TEST_ASAN) FAILS(GA_BAD_ARGUMENT, ga_eval("x*2 + 1", (x), .where = freed), ".where is no array");
    ga_set_error_handler(NULL, NULL);
    ga_free(x), ga_free(column), ga_free(i), ga_free(whole);
}

static int  told;
static char sentence[2000];
static void hear(ga_status status, const char *text, void *user)
{
    (void)status, (void)user;
    told++;
    snprintf(sentence, sizeof sentence, "%s", text);
}

/* An error is told once, whole, and an earlier one stays. */
static void test_telling(void)
{
    ga_array *x = ga_zeros((3)), *y = ga_zeros((4));
    ga_set_error_handler(hear, NULL);
    CHECK(!ga_eval("x + y", (x, y)) && told == 1 && strstr(sentence, "broadcast") && strstr(sentence, "\n      ^"));
    CHECK(!ga_eval("x + z", (x, y)) && told == 1 && !strstr(ga_error(), "there is no"));
    ga_clear_error();
    CHECK(!ga_eval("x + z", (x, y)) && told == 2 && strstr(ga_error(), "there is no \"z\""));
    ga_set_error_handler(NULL, NULL);
    ga_clear_error();
    ga_free(x), ga_free(y);
}

/* As deep, and as long, as a formula may be. */
static void test_limits(void)
{
    static char text[40000];
    ga_array   *x = ga_ones((2));
    size_t      n = 0;
    for (int k = 0; k < 900; k++) text[n++] = '(';
    text[n++] = 'x';
    for (int k = 0; k < 900; k++) text[n++] = ')';
    text[n]   = 0;
    ga_arg in = GA_ARG(x);
    CHECK_IS(ga_eval_n(text, 1, &in, .names = "x"), GA_F64, (2), 1, 1);
    for (n = 0; n < 800; n++) text[n] = n % 2 ? '+' : 'x';
    text[n]     = 0;
    text[n - 1] = ' ';
    CHECK_IS(ga_eval_n(text, 1, &in, .names = "x"), GA_F64, (2), 400, 400);
    memset(text, '-', 900);
    text[900] = 'x', text[901] = 0;
    CHECK_IS(ga_eval_n(text, 1, &in, .names = "x"), GA_F64, (2), 1, 1);
    ga_set_error_handler(ga_ignore_error, NULL);
    memset(text, '(', 5000);
    text[5000] = 0;
    FAILS(GA_BAD_ARGUMENT, ga_eval_n(text, 1, &in, .names = "x"), "more than 1000 steps");
    memset(text, '-', 5000);
    FAILS(GA_BAD_ARGUMENT, ga_eval_n(text, 1, &in, .names = "x"), "more than 1000 steps");
    for (n = 0; n < 16000; n += 4) memcpy(text + n, "x**", 4), text[n + 3] = ' ';
    text[n] = 0;
    FAILS(GA_BAD_ARGUMENT, ga_eval_n(text, 1, &in, .names = "x"), "more than 1000 steps");
    memset(text, ' ', 30000);
    text[30000] = 0;
    FAILS(GA_BAD_ARGUMENT, ga_eval_n(text, 1, &in, .names = "x"), "longer than 16384 characters");
    ga_set_error_handler(NULL, NULL);
    ga_free(x);
}

static void test_chunked(void)
{
    if (test_on_gpu()) return;
    ga_scope {
        ga_array *x = ga_reshape(ga_arange(0, 600, 1, .dtype = GA_F32), (30, 20)), *c = ga_chunked(x, 7, 6);
        double    k    = 2.5;
        ga_array *lazy = ga_eval("d = c - mean(c, axis=0); d / sqrt(sum(d*d, axis=0)) + c[:, ::-1]", (c));
        CHECK(lazy && ga_is_chunked(lazy));
        CHECK(
            test_same_bits(ga_compute(lazy), ga_eval("d = x - mean(x, axis=0); d / sqrt(sum(d*d, axis=0)) + x[:, ::-1]", (x))));
        CHECK_FAILS(ga_eval("c + x", (c, x), .out = lazy), "chunked");
        CHECK(ga_array_equal(ga_compute(ga_eval("round(c / 7, 2) - round(c / 7, 1)", (c))),
                             ga_eval("round(x / 7, 2) - round(x / 7, 1)", (x))));
        CHECK(test_same_bits(ga_compute(ga_eval("round(c / 7) - round(int16(c)) * k", (c, k))),
                             ga_eval("round(x / 7) - round(int16(x)) * k", (x, k))));
        ga_array *masked = ga_eval("exp(c - k) * 2 + x", (c, k, x), .where = ga_less(c, 300));
        CHECK(test_same_bits(ga_compute(masked), ga_eval("exp(x - k) * 2 + x", (x, k), .where = ga_less(x, 300))));
        ga_array *one = ga_eval("sqrt(abs(c - k)) * 2 + c", (c, k));
        CHECK(test_same_bits(ga_compute(one), ga_eval("sqrt(abs(x - k)) * 2 + x", (x, k))));
    }
}

static uint64_t random_bits(void)
{
    static uint64_t s = 88172645463325252u;
    s ^= s << 13;
    s ^= s >> 7;
    return s ^= s << 17;
}

static double random_mantissa(void) /* from 1 to 2 */
{
    const uint64_t bits = random_bits() >> 12 | 0x3ff0000000000000u;
    double         d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

/* A formula divides by a number without dividing: the bits are those of a division all the same. */
static void test_dividing_by_numbers(void)
{
    enum { N = 1000, DIVISORS = 400 };
    static const double special[]  = { 0.0,   -0.0,    INFINITY, -INFINITY, NAN,    5e-324, -1e-310,  DBL_MIN,
                                       1e300, DBL_MAX, -DBL_MAX, 1e-280,    -3e290, 1e305,  0x1p-900, 0x1p900 };
    static const double divisors[] = { 1,        -1,        2,      0.5,   -4,     3,       10000, -7,      1e-3,
                                       0x1p1000, 0x1p-1022, 5e-324, 1e200, 1e-200, DBL_MAX, 0,     INFINITY };
    if (test_on_gpu()) return; /* it divides */
    ga_array *x = ga_zeros((N)), *f = ga_zeros((N), .dtype = GA_F32);
    int       wrong = 0;
    for (int k = 0; k < DIVISORS; k++) {
        double *v = ga_data(x, GA_F64), c = random_mantissa();
        float  *w = (float *)ga_data(f, GA_F32);
        if (k < (int)(sizeof divisors / sizeof *divisors)) c = divisors[k];
        else if (k % 4 == 1) c = 2 - 0x1p-52 * (double)(1 + random_bits() % 40);
        for (int i = 0; i < N; i++) { /* near quotients that are exact, and halfway between two */
            const double q = random_mantissa();
            v[i]           = i % 3 == 0 ? q : i % 3 == 1 ? q * c : fma(q, c, 0x1p-53 * c);
            if (i % 2) v[i] = nextafter(v[i], i % 4 == 1 ? 0 : 10);
            if (k % 2 && i > 600 && i < 600 + 16) v[i] = special[i - 600];
            if (k % 8 == 2 && i % 7 == 0) v[i] = i % 2 ? 0.0 : -0.0;
            w[i] = (float)v[i];
        }
        ga_scope {
            const double *a = (const double *)ga_data(ga_eval("x / c * 1", (x, c)), GA_F64);
            const float  *b = (const float *)ga_data(ga_eval("f / c * 1", (f, c)), GA_F32);
            for (int i = 0; i < N; i++) {
                const double quotient = v[i] / c;
                const float  single   = w[i] / (float)c;
                wrong += !(isnan(quotient) ? isnan(a[i]) : !memcmp(&a[i], &quotient, sizeof quotient));
                wrong += !(isnan(single) ? isnan(b[i]) : !memcmp(&b[i], &single, sizeof single));
            }
        }
    }
    CHECK(wrong == 0);
    ga_free(x);
    ga_free(f);
    ga_clear_error();
}

/* Results that no cache would keep take another way to memory, a few lines at a time. */
static void test_large(void)
{
    enum { N = 4200007 };
    if (test_on_gpu()) return;
    ga_scope {
        ga_array *x = ga_random((N), .dtype = GA_F32, .seed = 1), *y = ga_random((N), .seed = 2);
        ga_array *mask = ga_less(x, 0.4), *whole = ga_zeros((N + 3)), *out = ga_index(whole, "3:");
        ga_array *ratio = ga_divide(ga_subtract(x, y), ga_add(x, 2.5));
        CHECK(test_same_bits(ga_eval("(x - y) / (x + 2.5)", (x, y)), ratio));
        CHECK(ga_eval("(x - y) / (x + 2.5)", (x, y), .out = out) == out && test_same_bits(ga_copy(out), ratio));
        CHECK(ga_item_at(whole, 2) == 0);
        CHECK(
            test_same_bits(ga_eval("where(mask, x / 3, y + 1)", (mask, x, y)), ga_where(mask, ga_divide(x, 3), ga_add(y, 1))));
        CHECK(test_same_bits(ga_eval("where(mask, 2, y / x)", (mask, x, y)), ga_where(mask, 2, ga_divide(y, x))));
        ga_array *pair = ga_zeros((N), .dtype = GA_C128), *bytes = ga_astype(ga_multiply(x, 100), GA_U8);
        CHECK(test_same_bits(ga_eval("x * y + 2", (x, y), .out = pair), ga_astype(ga_add(ga_multiply(x, y), 2), GA_C128)));
        CHECK(test_same_bits(ga_eval("bytes * x - y", (bytes, x, y)), ga_subtract(ga_multiply(bytes, x), y)));
        CHECK(test_same_bits(ga_eval("(x*y + 3)*y + 2", (x, y)), ga_add(ga_multiply(ga_add(ga_multiply(x, y), 3), y), 2)));
    }
}

/* The results of a fold over elements that it reads, of lines before and behind. */
static void test_folds_over_operands(void)
{
    static const struct {
        const char *formula;
        int64_t     lines, length, first;
    } of[] = { { "sum(x*x + 1, axis=1)", 600, 3, 600 }, { "max(x*2, axis=1)", 600, 3, 600 },
               { "mean(x*x, axis=-1)", 4, 397, 0 },     { "min(x + 1, axis=1)", 300, 5, 700 },
               { "nansum(x*2, axis=1)", 600, 3, 1 },    { "prod(x*1, axis=1)", 4, 397, 398 },
               { "std(x*2 + 1, axis=1)", 600, 3, 600 }, { "argmax(x*2, axis=1)", 600, 3, 600 },
               { "sum(x*x, axis=0)", 3, 600, 600 } };
    for (size_t k = 0; k < sizeof of / sizeof *of; k++)
        ga_scope {
            const bool places = strncmp(of[k].formula, "argmax", 6) == 0;
            ga_array  *v      = ga_remainder(ga_arange(0, of[k].lines * of[k].length, 1, .dtype = places ? GA_I64 : GA_F64), 5);
            ga_array  *x = ga_reshape(v, (of[k].lines, of[k].length)), *want = ga_eval(of[k].formula, (x));
            ga_array  *out = ga_index(v, "%lld:%lld", (long long)of[k].first, (long long)(of[k].first + want->size));
            CHECK(ga_eval(of[k].formula, (x), .out = out) == out);
            if (!ga_array_equal(out, want)) printf("%s over its operand:\n", of[k].formula);
            CHECK(ga_array_equal(out, want));
        }
    ga_scope { /* windows of one element further on */
        ga_array *v    = ga_astype(ga_remainder(ga_arange(0, 400, 1), 7), GA_F64),
                 *x    = ga_sliding_window_view(ga_index(v, ":390"), (2));
        ga_array *want = ga_eval("sum(x*2, axis=1)", (x)), *out = ga_index(v, "2:391");
        CHECK(ga_eval("sum(x*2, axis=1)", (x), .out = out) == out && ga_array_equal(out, want));
    }
}

/* An empty .out may have any strides: NumPy's are 0. */
static void test_empty_out(void)
{
    double    numbers[1] = { 0 };
    ga_array *x = ga_zeros((0, 3), .device = GA_CPU), *out = ga_wrap_strided(numbers, (0, 3), (0, 0), .device = GA_CPU);
    CHECK(ga_eval("x*2 + 1", (x), .out = out) == out && ga_multiply(x, 2, .out = out) == out && !ga_error());
    ga_free(x), ga_free(out);
}

/* A balanced tree of calls, and its formula: many operations, operands and results that are needed later. */
static ga_array *grow(char *text, int depth, int *leaves, int n, const ga_arg *in)
{
    const int leaf = (*leaves)++ % n;
    if (depth == 0) {
        sprintf(text + strlen(text), "$%d", leaf + 1);
        return ga_copy(in[leaf].array);
    }
    const char *const sign[] = { " - ", " * ", " + " };
    strcat(text, "(");
    ga_array *x = grow(text, depth - 1, leaves, n, in);
    strcat(text, sign[depth % 3]);
    ga_array *y = grow(text, depth - 1, leaves, n, in);
    strcat(text, ")");
    return depth % 3 == 0 ? ga_subtract(x, y) : depth % 3 == 1 ? ga_multiply(x, y) : ga_add(x, y);
}

static void test_long(void)
{
    enum { MOST = 20, ROWS = 3, COLUMNS = 301 };
    static const ga_dtype dtypes[] = { GA_F32, GA_U16, GA_F64, GA_I8 };
    ga_scope {
        ga_arg in[MOST];
        for (int k = 0; k < MOST; k++) {
            ga_array *a = ga_astype(ga_multiply(ga_random((ROWS, COLUMNS + k % 3), .seed = (uint64_t)k), 100),
                                    dtypes[k % 4 / (1 + k % 2)]);
            in[k]       = GA_ARG(ga_index(a, k % 5 == 4 ? "2, -301:" : k % 2 ? ":, :301" : ":, -301:"));
        }
        for (int depth = 3; depth <= 8; depth++)
            for (int n = 3; n <= MOST; n += 5) {
                char      text[4000] = "";
                int       leaves     = 0;
                ga_array *expected   = grow(text, depth, &leaves, n, in),
                         *out        = ga_zeros((ROWS, 2 * COLUMNS), .dtype = expected->dtype);
                CHECK(test_same_bits(ga_eval_n(text, n, in), expected));
                ga_array *every = ga_index(out, ":, ::2"), *mask = ga_greater(expected, 0);
                CHECK(ga_eval_n(text, n, in, .out = every) && test_same_bits(every, expected));
                ga_copyto(out, 7);
                CHECK(ga_eval_n(text, n, in, .out = every, .where = mask) &&
                      test_same_bits(every, ga_where(mask, expected, ga_full_like(expected, 7))));
            }
    }
}

/* What a fold reads is made piece by piece, of lines or of rows of lines side by side: it has the bits of a fold of an array. */
static void test_folds(void)
{
    static const char *const folds[] = { "sum", "mean",    "max",    "nanmin", "nansum", "any",       "count_nonzero", "var",
                                         "std", "nanmean", "nanstd", "argmin", "argmax", "nanargmax", "median" };
    static const char *const along[] = {
        "", ", axis=0", ", 1", ", axis=-1, keepdims=True", ", axis=(0, 1)", ", axis=(2, 0)", ", axis=()"
    };
    static const int64_t  shapes[][3] = { { 1, 1, 4500 }, { 1, 5, 2050 },  { 1, 300, 300 }, { 1, 1100, 70 }, { 1, 3000, 3 },
                                          { 1, 1024, 8 }, { 1, 1030, 89 }, { 7, 200, 65 },  { 40, 9, 70 },   { 70, 40, 9 },
                                          { 3, 5, 1300 }, { 0, 5, 7 },     { 9, 64, 1 } };
    static const ga_dtype dtypes[]    = { GA_F32, GA_F64, GA_I16, GA_C64 };
    enum {
        FOLDS  = sizeof folds / sizeof *folds,
        ALONG  = sizeof along / sizeof *along,
        SHAPES = sizeof shapes / sizeof *shapes
    };
    for (int k = 0; k < SHAPES * 4; k += test_small() ? 5 : 1)
        ga_scope {
            const int64_t *n     = shapes[k / 4];
            ga_array      *drawn = ga_subtract(ga_multiply(ga_random((n[0], n[1], n[2]), .seed = 5), 9), 4);
            ga_array      *x = ga_astype(drawn, dtypes[k % 4]), *y = ga_index(ga_astype(drawn, GA_F32), "..., ::-1");
            if (k % 4 < 2 && x->size > 0) ga_copyto(ga_index(x, "-1, ::7, 0"), NAN);
            const ga_arg in[] = { GA_ARG(x), GA_ARG(y), GA_ARG(ga_multiply(x, y)) };
            for (int i = 0; i < FOLDS * ALONG; i += test_small() && x->size > 20000 ? 4 : 1) {
                char fed[60], whole[60];
                snprintf(fed, sizeof fed, "%s(x*y%s)", folds[i / ALONG], along[i % ALONG]);
                snprintf(whole, sizeof whole, "%s(product%s)", folds[i / ALONG], along[i % ALONG]);
                ga_set_error_handler(ga_ignore_error, NULL);
                ga_array *a = ga_eval_n(fed, 3, in, .names = "x, y, product"),
                         *b = ga_eval_n(whole, 3, in, .names = "x, y, product");
                ga_set_error_handler(NULL, NULL);
                ga_clear_error();
                if (!CHECK(a ? test_same_bits(a, b) : !b))
                    printf("     %s of %s %lld x %lld x %lld\n", fed, ga_dtype_name(x->dtype), (long long)n[0], (long long)n[1],
                           (long long)n[2]);
            }
        }
}

/* Folds of the same elements, which are made or read once for all of them: each has its own bits. */
static void test_folds_beside(void)
{
    static const char *const folds[]     = { "min", "max", "mean", "sum", "nanmax", "nansum", "prod", "var", "all" };
    static const char *const along[]     = { "", ", axis=-1", ", axis=0", ", axis=(0, 1), keepdims=True", ", axis=()" };
    static const int64_t     shapes[][2] = { { 1, 1 }, { 3, 1500 }, { 70, 65 }, { 5000, 3 }, { 2, 40000 }, { 0, 4 } };
    static const ga_dtype    dtypes[]    = { GA_F64, GA_F32, GA_I32, GA_BOOL, GA_C64 };
    enum { FOLDS = sizeof folds / sizeof *folds, ALONG = sizeof along / sizeof *along };
    for (int k = 0; k < 6 * 5; k++)
        for (int i = 0; i < ALONG; i++)
            ga_scope {
                const int64_t *n     = shapes[k / 5];
                ga_array      *drawn = ga_subtract(ga_multiply(ga_random((n[0], n[1]), .seed = 6), 9), 4);
                ga_array      *x = ga_astype(drawn, dtypes[k % 5]), *y = ga_index(x, "::-1");
                if (k % 5 < 2 && x->size > 7) ga_copyto(ga_index(x, "-1, ::7"), NAN);
                ga_array *single[FOLDS], *product = ga_multiply(x, y);
                char      one[80], fed[2000] = "0", read[2000] = "0";
                ga_array *sum = NULL;
                ga_set_error_handler(ga_ignore_error, NULL);
                for (int f = 0; f < FOLDS; f++) { /* those that there are, one by one */
                    snprintf(one, sizeof one, "%s(product%s)", folds[f], along[i]);
                    single[f] = ga_eval(one, (product));
                    if (!single[f]) continue;
                    snprintf(fed + strlen(fed), 200, " + %s(x*y%s)", folds[f], along[i]);
                    snprintf(read + strlen(read), 200, " + %s(product%s)", folds[f], along[i]);
                    sum = sum ? ga_add(sum, single[f]) : ga_add(0, single[f]);
                }
                ga_set_error_handler(NULL, NULL);
                ga_clear_error();
                if (!sum) continue;
                CHECK(test_same_bits(ga_eval(fed, (x, y)), sum) && test_same_bits(ga_eval(read, (product)), sum));
                if (x->size == 0 || dtypes[k % 5] == GA_BOOL || x->device != GA_CPU) continue; /* the GPU's are not chunked */
                if (getenv("GPUARR_TEST_OWN_STACK")) continue; /* a small stack does not take so deep an expression */
                ga_array *pieces = ga_chunked(x, 2, 1000), *other = ga_index(pieces, "::-1");
                CHECK(test_same_bits(ga_compute(ga_eval(fed, (pieces, other), .names = "x, y")), sum));
            }
    ga_scope { /* an error is that of the fold which has it */
        ga_array *x = ga_ones((0, 3)), *z = ga_ones((3), .dtype = GA_C64);
        FAILS(GA_BAD_SHAPE, ga_eval("sum(x*x) + max(x*x)", (x)), "max of no elements",
              "\n    sum(x*x) + max(x*x)\n               ^^^");
        FAILS(GA_BAD_DTYPE, ga_eval("sum(z*z) + nanmin(z*z)", (z)), "nanmin does not exist for complex64");
    }
}

/* Few elements that are repeated along a line, as the channels of each row of a picture: tiles begin at any of them, and lines end anywhere.
   What is made of such arrays alone is stored, and what is made of that computed again for each fold. */
static void test_short_runs(void)
{
    static const int64_t  widths[] = { 1, 2, 41, 170, 683, 1366 };
    static const ga_dtype dtypes[] = { GA_F64, GA_F32, GA_I16 };
    for (int k = 0; k < 6 * 3 * 4; k++)
        ga_scope {
            const int64_t  width = widths[k / 12], channels = k % 4 + (k % 4 == 3 ? 6 : 0) + 1; /* 1, 2, 3, 10 */
            const ga_dtype dtype = dtypes[k / 4 % 3];
            ga_array      *down  = ga_astype(ga_multiply(ga_random((9, 1, channels), .seed = 1), 50), dtype);
            ga_array      *right = ga_astype(ga_multiply(ga_random((width, channels), .seed = 2), 70), dtype);
            ga_array      *sum = ga_add(down, right), *less = ga_less(right, down), *out = ga_zeros_like(sum);
            CHECK(test_same_bits(ga_eval("(down + right)*(right - down)", (down, right)),
                                 ga_multiply(sum, ga_subtract(right, down))));
            CHECK(ga_eval("2*down + right", (down, right), .out = out, .where = less) &&
                  test_same_bits(out, ga_where(less, ga_add(ga_multiply(2, down), right), ga_zeros_like(sum))));
            ga_array *root = ga_add(ga_sin(down), ga_sqrt(right)), *low = ga_min(root), *high = ga_max(root);
            ga_array *least = ga_min(root, .axis = 0), *most = ga_max(root, .axis = 0);
            CHECK(
                test_same_bits(ga_eval("s = sin(down) + sqrt(right); (s - min(s)) * (255 / (max(s) - min(s)))", (down, right)),
                               ga_multiply(ga_subtract(root, low), ga_divide(255, ga_subtract(high, low)))));
            CHECK(test_same_bits(ga_eval("s = sin(down) + sqrt(right); (s - min(s, 0)) * max(s, axis=0)", (down, right)),
                                 ga_multiply(ga_subtract(root, least), most)));
        }
}

/* On a GPU a fold needs memory for a piece of what it reads, not for all of it. */
static void test_fold_memory(void)
{
    if (!test_on_gpu()) return;
    ga_scope {
        const int64_t            cache = ga_cuda_properties(ga_cuda_selected()).cache_bytes, rows = cache / 1024;
        ga_array                *x = ga_random((rows, 1001), .dtype = GA_F64), *column = ga_random((rows, 1), .dtype = GA_F64);
        static const char *const formulas[] = { "sum(x*x)", "var(x - 0.5, axis=1)", "max(x - column, axis=0)",
                                                "argmin((x - column)**2)" };
        for (int k = 0; k < 4; k++) {
            const int64_t used = ga_cuda_memory_stats().used_bytes;
            ga_cuda_memory_reset_peak();
            const ga_arg in[] = { GA_ARG(x), GA_ARG(column) };
            CHECK(ga_eval_n(formulas[k], 2, in, .names = "x, column"));
            CHECK(ga_cuda_memory_stats().peak_bytes - used < x->size * 8 / 2);
        }
    }
}

/* Formulas of many operands that are dear stay one pass, without arrays in between. */
static void test_many_terms(void)
{
    for (int terms = 1; terms < 24; terms++)
        ga_scope {
            ga_array *x = ga_random((test_small() ? 3000 : 300000), .seed = 3), *out = ga_empty_like(x),
                     *sum  = ga_exp(ga_multiply(x, 1.0));
            char text[600] = "exp(x*1.0)";
            for (int k = 1; k < terms; k++) {
                snprintf(text + strlen(text), 30, " + exp(x*1.%d)", k);
                char factor[20];
                snprintf(factor, sizeof factor, "1.%d", k);
                sum = ga_add(sum, ga_exp(ga_multiply(x, strtod(factor, NULL))));
            }
            const int64_t used = ga_memory_stats().used_bytes;
            ga_memory_reset_peak();
            CHECK(ga_eval(text, (x), .out = out) == out);
            if (x->device == GA_CPU && !test_small()) CHECK(ga_memory_stats().peak_bytes - used < x->size * 8 / 2);
            CHECK(test_same_bits(out, sum));
        }
}

/* Little work, whose operands lie as the result does, in one tile or a few: the same bits as of operands that lie otherwise. */
static void test_little_work(void)
{
    static const char *const texts[]   = { "x*y + 1", "(x - y)/(x + y)", "tanh(x)*exp(-y)/(1 + x*x)",
                                           "where(x > 0.5, sqrt(x), y)", "sin(x)**2 + y*2" };
    static const int         lengths[] = { 1, 31, 256, 257, 1000, 1025, 3000 };
    for (size_t k = 0; k < sizeof texts / sizeof *texts * 14; k++)
        ga_scope {
            const ga_dtype dtype  = k % 2 ? GA_F32 : GA_F64;
            const char    *text   = texts[k / 14];
            const int      length = lengths[k / 2 % 7];
            ga_array      *x      = ga_index(ga_random((2 * length), .dtype = dtype, .seed = 1), "::2");
            ga_array      *y      = ga_index(ga_random((2 * length), .dtype = dtype, .seed = 2), "::2");
            ga_array      *a = ga_copy(x), *b = ga_copy(y), *wanted = ga_eval(text, (x, y));
            CHECK(test_same_bits(ga_eval_n(text, 2, ((ga_arg[2]){ GA_ARG(a), GA_ARG(b) }), .names = "x, y"), wanted));
            CHECK(ga_eval_n(text, 2, ((ga_arg[2]){ GA_ARG(a), GA_ARG(b) }), .names = "x, y", .out = b) == b);
            CHECK(test_same_bits(b, wanted));
        }
}

/* Folds of few elements: of packed operands, which are made before, and of others. */
static void test_few_elements(void)
{
    static const ga_dtype dtypes[]   = { GA_F64, GA_F32, GA_I64, GA_I16, GA_C64 };
    static const int64_t  lengths[]  = { 1, 2, 7, 100, 512, 1023, 1025, 2050 }; /* of 8 KB and less, and of more */
    static const char    *formulas[] = { "sum($1*$2)",
                                         "max(abs($1 - $2), axis=0)",
                                         "mean($1 + $2, axis=1)",
                                         "std($1*$2)",
                                         "any(abs($1) > abs($2), axis=-1)",
                                         "prod($1 - $2, axis=0)",
                                         "argmax(abs($1*$2))",
                                         "var($1 - $2, axis=0, ddof=1)",
                                         "sum(exp(abs($1)*0.01) + $2, keepdims=True)",
                                         "count_nonzero($1 - $2)" };
    for (int i = test_on_gpu() ? 6 : 0; i < 8; i++)
        for (int k = 0; k < 5; k++)
            ga_scope {
                ga_array *wide = ga_astype(ga_random_integers(-9, 9, (2, 2, 2 * lengths[i]), .seed = (uint64_t)i), dtypes[k]);
                ga_array *far = ga_index(wide, "0, :, ::2"), *far_too = ga_index(wide, "1, :, ::2"), *x = ga_copy(far),
                         *y = ga_copy(far_too);
                for (int f = 0; f < 10; f++) {
                    ga_array *here = ga_eval(formulas[f], (x, y)), *there = ga_eval(formulas[f], (far, far_too));
                    if (!CHECK(here && test_same_bits(here, there)))
                        printf("     %s of %s\n", formulas[f], ga_dtype_name(dtypes[k]));
                }
            }
}

/* A fold of what lies far away, and is brought near meanwhile: the bits of the calls. */
static void test_far_folds(void)
{
    for (int k = 0; k < 2 && !test_small(); k++)
        ga_scope {
            ga_array *x = ga_random((1200001), .dtype = k ? GA_F32 : GA_F64, .seed = 1);
            ga_array *y = ga_random((1200001), .dtype = k ? GA_F32 : GA_F64, .seed = 2);
            CHECK(test_same_bits(ga_eval("sum((x - y)**2)", (x, y)), ga_sum(ga_square(ga_subtract(x, y)))));
        }
}

/* What was read is kept, and given back by ga_shutdown; results own nothing of it. */
static void test_keeping(void)
{
    ga_array *x    = ga_ones((3));
    int64_t   used = ga_memory_stats().used_bytes;
    for (int k = 0; k < 1000; k++) {
        char   text[40];
        ga_arg in = GA_ARG(x);
        snprintf(text, sizeof text, "$1 + %d", k);
        ga_array *y = ga_eval_n(text, 1, &in);
        if (!y || ga_item_at(y, 2) != 1 + k) CHECK(!"the sum is right");
        ga_free(y);
        if (k == 500) ga_shutdown();
    }
    CHECK(ga_memory_stats().used_bytes == used && !ga_error());
    ga_free(x);
}

int main(void)
{
    test_begin();
    test_numbers();
    test_examples();
    test_rows();
    test_options();
    test_index_numbers();
    test_index_computes_nothing();
    test_errors();
    test_telling();
    test_limits();
    test_chunked();
    test_dividing_by_numbers();
    test_large();
    test_folds_over_operands();
    test_empty_out();
    test_long();
    test_folds();
    test_folds_beside();
    test_short_runs();
    test_fold_memory();
    test_many_terms();
    test_little_work();
    test_few_elements();
    test_far_folds();
    test_keeping();
    ga_report_leaks(stdout);
    CHECK(ga_memory_stats().arrays == 0 && ga_memory_stats().used_bytes == 0);
    return test_end();
}
