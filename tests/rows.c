/*  rows.c -- every row of the table runs its own worked example: on every dtype of its group, as arrays and with plain numbers. A row
    whose front macro is missing does not compile here, so that `make front` cannot be forgotten.                              */
#include "test.h"

static int passed, failed;

static void expect(const char *what, const char *dtype, ga_array *got, double want)
{
    if (got && (got->dtype == GA_C64 || got->dtype == GA_C128)) {
        ga_array *real = ga_real(got);
        ga_free(got);
        got = real;
    }
    double v = got && got->size > 0 ? ga_item(got) : NAN;
    if (got && (v == want || (isnan(want) && isnan(v)))) {
        passed++;
    } else {
        failed++;
        printf("FAIL %s of %s: got %g, want %g%s%s\n", what, dtype, v, want, ga_error() ? ": " : "",
               ga_error() ? ga_error() : "");
        ga_clear_error();
    }
    ga_free(got);
}

/* Is the dtype in the group, and can it hold the number? */
static bool belongs(const char *group, ga_dtype d)
{
    bool complex = d == GA_C64 || d == GA_C128, floats = d == GA_F32 || d == GA_F64,
         integer = !complex && !floats && d != GA_BOOL;
    if (!strcmp(group, "ALL") || !strcmp(group, "TRUTH") || !strcmp(group, "SWAP")) return true;
    if (!strcmp(group, "CPX")) return true;
    if (!strcmp(group, "ARITH")) return d != GA_BOOL;
    if (!strcmp(group, "REAL")) return integer || floats;
    if (!strcmp(group, "ORDER")) return !complex;
    if (!strcmp(group, "INT")) return integer;
    if (!strcmp(group, "BITS")) return integer || d == GA_BOOL;
    if (!strcmp(group, "FLT")) return floats;
    if (!strcmp(group, "FLTC")) return floats || complex;
    failed++;
    printf("FAIL the group %s of the table is not known here\n", group);
    return false;
}

static bool holds(ga_dtype d, double v)
{
    if (d == GA_BOOL) return v == 0 || v == 1;
    if (d >= GA_F32) return true;
    bool is_unsigned = d == GA_U8 || d == GA_U16 || d == GA_U32 || d == GA_U64;
    return v == floor(v) && (v >= 0 || !is_unsigned) && fabs(v) <= 127;
}

static ga_array *one(ga_dtype d, double v)
{
    ga_array *real = ga_full((1), v), *cast = ga_astype(real, d);
    ga_free(real);
    return cast;
}

#define EXAMPLE1(x, want)       const double X = x, WANT = want;
#define EXAMPLE2(x, y, want)    const double X = x, Y = y, WANT = want;
#define EXAMPLE3(x, y, z, want) const double X = x, Y = y, Z = z, WANT = want;

/* Of -0 these give -0, of 0 they give 0. */
static void test_signed_zeros(void)
{
    for (int k = 0; k < 4; k++) {
        const double zero = k % 2 ? 0.0 : -0.0;
        const char  *t    = k < 2 ? "float32" : "float64";
        ga_array    *x    = one(k < 2 ? GA_F32 : GA_F64, zero);
#define ODD(name) expect("the sign of ga_" #name " of a zero", t, ga_signbit(ga_##name(x)), zero == 0 && signbit(zero) != 0);
        ga_scope {
            ODD(sin)
            ODD(tan)
            ODD(arcsin)
            ODD(arctan)
            ODD(sinh)
            ODD(tanh)
            ODD(arcsinh)
            ODD(arctanh)
            ODD(expm1)
            ODD(log1p)
            ODD(cbrt)
            ODD(sqrt)
            ODD(floor)
            ODD(ceil)
            ODD(trunc)
            ODD(rint)
        }
#undef ODD
        ga_free(x);
    }
}

static bool is_negative(int64_t x) { return x < 0; }

/* Quotients and remainders by one number, as C's integers give them; by 0 they are 0. Beside some numbers these are all powers of 2 and their
   neighbours; of the numbers divided some are multiples, or lie beside one. */
#define CHECK_DIVISORS(T, least, most)                                                                                         \
    do {                                                                                                                       \
        const T  divisors[] = { 1, 2, 3, 7, 100, 127, (T)-1, (T)-2, (T)-7, (T)-128, most, most - 1, least, least + 1, 0 };     \
        T        x[70]      = { least, most, 0, 1, least + 1, most - 1 };                                                      \
        uint64_t seed       = 1;                                                                                               \
        for (int i = 6; i < 70; i++)                                                                                           \
            x[i] = (T)((seed = seed * 6364136223846793005u + 1442695040888963407u) >> (64 - 8 * sizeof(T)));                   \
        for (size_t k = 0; k < sizeof divisors / sizeof *divisors + 24 * sizeof(T); k++) {                                     \
            const size_t powers = k - sizeof divisors / sizeof *divisors;                                                      \
            const T      d =                                                                                                   \
                k < sizeof divisors / sizeof *divisors ? divisors[k] : (T)(((uint64_t)1 << powers / 3) + powers % 3 - 1); \
            for (int i = 50; i < 70; i++) x[i] = (T)((uint64_t)d * ((uint64_t)x[i - 40] >> i % 8) + (uint64_t)(i % 3) - 1);    \
            ga_array *a = ga_wrap(x, (70)), *q = ga_floor_divide(a, d), *r = ga_remainder(a, d);                               \
            for (int i = 0; i < 70; i++) {                                                                                     \
                const bool wraps = least != 0 && d == (T)-1; /* the least integer by -1 would be too large */                  \
                T          rest = d == 0 || wraps ? 0 : (T)(x[i] % d), quotient = d == 0  ? 0                                  \
                                                                                  : wraps ? (T)(0 - (uint64_t)x[i])            \
                                                                                          : (T)(x[i] / d);                     \
                if (least != 0 && rest != 0 && is_negative((int64_t)rest) != is_negative((int64_t)d))                          \
                    rest = (T)(rest + d), quotient = (T)(quotient - 1);                                                        \
                CHECK(q && ((const T *)q->data)[i] == quotient);                                                               \
                CHECK(r && ((const T *)r->data)[i] == rest);                                                                   \
            }                                                                                                                  \
            ga_free(a);                                                                                                        \
            ga_free(q);                                                                                                        \
            ga_free(r);                                                                                                        \
        }                                                                                                                      \
    } while (0)

/* One divisor differs from all the others. */
static void test_other_divisor(void)
{
    int32_t narrow[100];
    int64_t wide[100];
    for (int at = 0; at < 100; at++) {
        for (int i = 0; i < 100; i++) wide[i] = narrow[i] = i == at ? 3 : 7;
        for (int k = 0; k < 4; k++) {
            ga_array *y       = k & 1 ? ga_wrap(wide, (100)) : ga_wrap(narrow, (100)),
                     *x       = ga_full((100), -18, .dtype = y->dtype, .device = GA_CPU);
            ga_array    *r    = k & 2 ? ga_remainder(x, y) : ga_floor_divide(x, y);
            const double want = k & 2 ? 3 : -3, other = k & 2 ? 0 : -6;
            for (int i = 0; i < 100; i++) CHECK(r && ga_item_at(r, i) == (i == at ? other : want));
            ga_free(x);
            ga_free(y);
            ga_free(r);
        }
    }
}

/* Quotients of floats that are whole numbers or beside them, up to the largest that are found by a division. (Those of float32 are
   known from float64.) Some rare operands lie between them. */
static void test_whole_quotients(void)
{
    enum { N = 3000 };
    float    x[N], y[N];
    uint64_t seed = 1;
    for (int i = 0; i < N; i++) {
        seed          = seed * 6364136223846793005u + 1442695040888963407u;
        const float q = (float)(((seed >> 42) + 1) >> (seed >> 16) % 22);
        y[i]          = (float)(1 + (seed >> 20 & 0xfff)) / 1024;
        x[i]          = i % 3 ? nextafterf(q * y[i], i % 3 == 1 ? 0 : INFINITY) : q * y[i];
        if (seed & 4096) x[i] = -x[i];
        if (seed & 8192) y[i] = -y[i];
        if (i % 100 == 0) y[i] = 0;
        if (i % 100 == 1) x[i] = INFINITY;
        if (i % 100 == 2) y[i] = -INFINITY;
        if (i % 100 == 3) x[i] = 1e30f;
    }
    ga_scope {
        ga_array *a = ga_wrap(x, (N)), *b = ga_wrap(y, (N)), *whole = ga_floor_divide(a, b), *rest = ga_remainder(a, b),
                 *wide = ga_floor_divide(ga_astype(a, GA_F64), ga_astype(b, GA_F64));
        for (int i = 0; i < N; i++) {
            const double floor_of = floor((double)x[i] / (double)y[i]), q = ga_item_at(whole, i), r = ga_item_at(rest, i);
            const bool   rare = i % 100 < 4;
            CHECK(rare ||
                  (q == floor_of && ga_item_at(wide, i) == floor_of && r == (float)((double)x[i] - floor_of * (double)y[i])));
            CHECK(rare || signbit(q) == signbit(floor_of == 0 ? x[i] / y[i] : floor_of));
            CHECK(i % 100 != 2 || x[i] == 0 || (q == (x[i] > 0 ? -1 : 0) && r == (x[i] > 0 ? -INFINITY : x[i])));
            CHECK((i % 100 != 0 && i % 100 != 1) || r != r);
        }
    }
}

/* Integers of 64 bits as ones of 32, of every number of them. */
static void test_lower_halves(void)
{
    int64_t x[70];
    for (int i = 0; i < 70; i++) x[i] = (int64_t)((uint64_t)(i + 1) * 11400714819323198485u);
    for (int n = 1; n <= 70; n++) {
        ga_array *a = ga_wrap(x, (n)), *half = ga_astype(a, GA_I32);
        for (int i = 0; i < n; i++) CHECK(half && (uint32_t)((const int32_t *)half->data)[i] == (uint32_t)x[i]);
        ga_free(a);
        ga_free(half);
    }
}

/* Small numbers, 0, powers of two and their neighbours, negative ones, Fibonacci's, whose common divisors take longest. */
static uint64_t any_integer(int kind, uint64_t *seed)
{
    *seed                = *seed * 6364136223846793005u + 1442695040888963407u;
    const uint64_t bits  = *seed ^ *seed >> 32;
    const int      shift = (int)(bits >> 8 & 63);
    uint64_t       a = 1, b = 1;
    if (kind == 0) return bits >> 16 & 0xff;
    if (kind == 1) return ((uint64_t)1 << shift) + (bits & 3) - 2;
    if (kind == 2) return bits >> shift;
    if (kind == 3) return 0 - (bits >> shift);
    if (kind == 4) return (uint64_t)1 << shift;
    for (int i = 0; i < 28 + shift; i++) {
        const uint64_t sum = a + b;
        a                  = b;
        b                  = sum;
    }
    return b;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        const uint64_t rest = a % b;
        a                   = b;
        b                   = rest;
    }
    return a;
}

/* Of integers that a dtype holds, by Euclid and by C's division: the divisor, the multiple, the quotient rounded down, the remainder. */
static void expected_of_pair(bool negative, uint64_t x, uint64_t y, uint64_t *want)
{
    const bool     x_below = negative && is_negative((int64_t)x), y_below = negative && is_negative((int64_t)y);
    const uint64_t a = x_below ? 0 - x : x, b = y_below ? 0 - y : y, divisor = common_divisor(a, b);
    const uint64_t quotient = b ? a / b : 0, rest = b ? a % b : 0, up = rest != 0 && x_below != y_below;
    want[0] = divisor;
    want[1] = divisor ? a / divisor * b : 0;
    want[2] = x_below != y_below ? 0 - quotient - up : quotient;
    want[3] = rest == 0 ? 0 : (x_below ? 0 - rest : rest) + (up ? y : 0);
}

/* Pairs of integers, so many of them: by vectors, and what is left. */
static void check_pairs(ga_dtype dtype, int n, uint64_t *seed)
{
    enum { MOST = 140 };
    uint64_t   x[MOST], y[MOST];
    const bool negative = dtype == GA_I32 || dtype == GA_I64;
    for (int i = 0; i < n; i++) {
        x[i] = any_integer((i * 7 + n) % 6, seed);
        y[i] = any_integer((i * 5 + n / 2) % 6, seed);
        if (i % 5 == 4) x[i] = y[i] * (x[i] & 0xff) + x[i] % 3 - 1;
        if (n % 3 == 1 && n % 2) { /* near 0, or near the end of those without a sign */
            x[i] = (x[i] & 0x3ff) - 512;
            y[i] = (y[i] & 0x3f) - 32;
        }
        if (n % 3 == 0) { /* below 2^53 in size */
            x[i] = negative ? (uint64_t)((int64_t)x[i] % ((int64_t)1 << 53)) : x[i] >> 11;
            y[i] = negative ? (uint64_t)((int64_t)y[i] % ((int64_t)1 << 53)) : y[i] >> 11;
        }
    }
    ga_scope {
        ga_array *a = ga_astype(ga_wrap(x, (n)), dtype), *b = ga_astype(ga_wrap(y, (n)), dtype);
        ga_array *of[] = { ga_gcd(a, b), ga_lcm(a, b), ga_floor_divide(a, b), ga_remainder(a, b), ga_copy(a), ga_copy(a) };
        ga_lcm(a, b, .out = of[4]);
        ga_remainder(a, b, .out = of[5]);
        const ga_array *xs = ga_astype(a, GA_U64), *ys = ga_astype(b, GA_U64);
        for (int k = 0; k < 6; k++) {
            const ga_array *got = ga_astype(of[k], GA_U64);
            int             bad = !got;
            for (int i = 0; i < n && !bad; i++) {
                uint64_t want[4], wanted;
                expected_of_pair(negative, ((const uint64_t *)xs->data)[i], ((const uint64_t *)ys->data)[i], want);
                wanted = want[k < 4 ? k : k == 4 ? 1 : 3];
                if (dtype == GA_I32) wanted = (uint64_t)(int32_t)(uint32_t)wanted;
                if (dtype == GA_U32) wanted = (uint32_t)wanted;
                if (dtype == GA_U8) wanted = (uint8_t)wanted;
                bad += ((const uint64_t *)got->data)[i] != wanted;
            }
            CHECK(!bad);
        }
    }
}

static void test_pairs_of_integers(void)
{
    uint64_t seed = 1;
    for (int n = 0; n <= 140; n++) {
        check_pairs(GA_I32, n, &seed);
        check_pairs(GA_I64, n, &seed);
        check_pairs(GA_U64, n, &seed);
        check_pairs(GA_U8, n, &seed);
#ifndef GPUARR_FEW_DTYPES
        check_pairs(GA_U32, n, &seed);
#endif
    }
}

static void test_divisors(void)
{
    CHECK_DIVISORS(uint8_t, 0, UINT8_MAX);
    CHECK_DIVISORS(int32_t, INT32_MIN, INT32_MAX);
    CHECK_DIVISORS(int64_t, INT64_MIN, INT64_MAX);
    CHECK_DIVISORS(uint64_t, 0, UINT64_MAX);
#ifndef GPUARR_FEW_DTYPES
    CHECK_DIVISORS(int8_t, INT8_MIN, INT8_MAX);
    CHECK_DIVISORS(int16_t, INT16_MIN, INT16_MAX);
    CHECK_DIVISORS(uint16_t, 0, UINT16_MAX);
    CHECK_DIVISORS(uint32_t, 0, UINT32_MAX);
#endif
}

int main(void)
{
    test_begin();
    test_divisors();
    test_pairs_of_integers();
    test_other_divisor();
    test_whole_quotients();
    test_lower_halves();
    test_signed_zeros();
    for (int i = GA_BOOL; i < TEST_DTYPES; i++) {
        const ga_dtype    d = (ga_dtype)i;
        const char *const t = ga_dtype_name(d);

#define TEST1(name, group, example)                                                                                            \
    {                                                                                                                          \
        EXAMPLE1 example if (belongs(group, d) && holds(d, X) && holds(d, WANT))                                               \
        {                                                                                                                      \
            ga_array *x = one(d, X);                                                                                           \
            expect("ga_" #name "(array)", t, ga_##name(x), WANT);                                                              \
            ga_free(x);                                                                                                        \
        }                                                                                                                      \
    }
#define TEST2(name, group, example)                                                                                            \
    {                                                                                                                          \
        EXAMPLE2 example if (belongs(group, d) && holds(d, X) && holds(d, Y) && holds(d, WANT))                                \
        {                                                                                                                      \
            ga_array *x = one(d, X), *y = one(d, Y);                                                                           \
            expect("ga_" #name "(array, array)", t, ga_##name(x, y), WANT);                                                    \
            expect("ga_" #name "(array, number)", t, ga_##name(x, Y), WANT);                                                   \
            expect("ga_" #name "(number, array)", t, ga_##name(X, y), WANT);                                                   \
            ga_free(x);                                                                                                        \
            ga_free(y);                                                                                                        \
        }                                                                                                                      \
    }
#define TEST3(name, group, example)                                                                                            \
    {                                                                                                                          \
        EXAMPLE3 example if (belongs(group, d) && holds(d, X) && holds(d, Y) && holds(d, Z) && holds(d, WANT))                 \
        {                                                                                                                      \
            ga_array *x = one(d, X), *y = one(d, Y), *z = one(d, Z);                                                           \
            expect("ga_" #name "(arrays)", t, ga_##name(x, y, z), WANT);                                                       \
            expect("ga_" #name "(array, number, number)", t, ga_##name(x, Y, Z), WANT);                                        \
            ga_free(x);                                                                                                        \
            ga_free(y);                                                                                                        \
            ga_free(z);                                                                                                        \
        }                                                                                                                      \
    }
#define TESTR(name, group, want)                                                                                               \
    if (belongs(group, d) && (d != GA_BOOL || want == 1 || !strcmp(group, "TRUTH"))) {                                         \
        ga_array *numbers = ga_values(1, 2, 3), *x = ga_astype(numbers, d);                                                    \
        if (d != GA_BOOL || (!strcmp(group, "TRUTH"))) expect("ga_" #name " of {1, 2, 3}", t, ga_##name(x), want);             \
        ga_free(numbers);                                                                                                      \
        ga_free(x);                                                                                                            \
    }
        /* Float operations with bit operands: a number that is no integer cannot be an operand of a bit operation. */
#define GA_UNARY(name, dtypes, result, formula, example, doc)                  TEST1(name, #dtypes, example)
#define GA_ELEMENTARY(name, dtypes, example, doc)                              TEST1(name, #dtypes, example)
#define GA_BINARY(name, dtypes, result, formula, example, doc)                 GI_PICK_##dtypes(name, #dtypes, example)
#define GA_ELEMENTARY2(name, dtypes, example, doc)                             TEST2(name, #dtypes, example)
#define GA_TERNARY(name, dtypes, result, formula, example, doc)                TEST3(name, #dtypes, example)
#define GA_FOLD(name, dtypes, acc, result, start, of, join, end, example, doc) TESTR(name, #dtypes, example)
#define GI_PICK_ALL                                                            TEST2
#define GI_PICK_ARITH                                                          TEST2
#define GI_PICK_REAL                                                           TEST2
#define GI_PICK_ORDER                                                          TEST2
#define GI_PICK_FLT                                                            TEST2
#define GI_PICK_FLTC                                                           TEST2
#define GI_PICK_TRUTH                                                          TEST2
#define GI_PICK_SWAP                                                           TEST2
#define GI_PICK_INT                                                            TEST_BITS
#define GI_PICK_BITS                                                           TEST_BITS
#define TEST_BITS(name, group, example)                                                                                        \
    {                                                                                                                          \
        EXAMPLE2 example if (belongs(group, d) && holds(d, X) && holds(d, Y) && holds(d, WANT))                                \
        {                                                                                                                      \
            ga_array *x = one(d, X), *y = one(d, Y);                                                                           \
            expect("ga_" #name "(array, array)", t, ga_##name(x, y), WANT);                                                    \
            expect("ga_" #name "(array, number)", t, ga_##name(x, (int)Y), WANT);                                              \
            expect("ga_" #name "(number, array)", t, ga_##name((int)X, y), WANT);                                              \
            ga_free(x);                                                                                                        \
            ga_free(y);                                                                                                        \
        }                                                                                                                      \
    }
#define GA_TABLE
#include "gpuarr.h"
    }
    if (ga_memory_stats().arrays != 0) {
        failed++;
        printf("FAIL %lld arrays were not freed\n", (long long)ga_report_leaks(stdout));
    }
    printf("%d passed, %d failed, 0 skipped\n", passed + test_passed, failed + test_failed);
    return failed + test_failed != 0;
}
