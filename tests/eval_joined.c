/* Formulas of which several steps are computed at once: polynomials, steps that are joined, sequences, lines of blocks.
   cc tests/impl.c tests/eval_joined.c -lm -lpthread */
#include "test.h"

static void put_around(char *text, const char *before, const char *behind)
{
    memmove(text + strlen(before), text, strlen(text) + 1);
    memcpy(text, before, strlen(before));
    strcat(text, behind);
}

/* Horner's rule, whose steps are computed two at a time. */
static void test_polynomials(void)
{
    const double numbers[9] = { 7, -0.5, 3e300, 0, NAN, 1e-310, 2, INFINITY, -1 };
    ga_scope {
        for (int n = 1; n <= 9; n++)
            for (int k = 0; k < 4; k++) {
                ga_array *x         = ga_astype(ga_subtract(ga_random((1, 5000)), k % 2 ? 0.5 : 0), k / 2 ? GA_F32 : GA_F64),
                         *y         = ga_random((1));
                ga_array *p         = ga_copy(x);
                char      text[400] = "x", turned[400] = "x", number[12];
                ga_arg    in[11] = { GA_ARG(x), GA_ARG(y) };
                for (int i = 0; i < n; i++) {
                    const double c = k / 2 && numbers[i] > 1e300 ? 8 : numbers[i];
                    p              = ga_add(ga_multiply(p, x), c);
                    in[2 + i]      = GA_ARG(c);
                    sprintf(number, "$%d", 3 + i);
                    put_around(text, "(", ") * x + "), strcat(text, number);
                    put_around(turned, " + x * (", ")"), put_around(turned, number, "");
                }
                CHECK(test_same_bits(ga_eval_n(text, 2 + n, in, .names = "x, y, c, d, e, f, g, h, i, j, k"), p));
                CHECK(test_same_bits(ga_eval_n(turned, 2 + n, in, .names = "x, y, c, d, e, f, g, h, i, j, k"), p));
                CHECK(ga_eval_n(text, 2 + n, in, .names = "x, y, c, d, e, f, g, h, i, j, k", .out = x) == x &&
                      test_same_bits(x, p));
            }
        ga_array *x = ga_random((3000)), *y = ga_random((3000));
        CHECK(test_same_bits(ga_eval("(x*y + 3)*y + 2", (x, y)), ga_add(ga_multiply(ga_add(ga_multiply(x, y), 3), y), 2)));
        CHECK(test_same_bits(ga_eval("p = x*y + 3; p*y + 2 + p", (x, y)),
                             ga_add(ga_add(ga_multiply(ga_add(ga_multiply(x, y), 3), y), 2), ga_add(ga_multiply(x, y), 3))));
        CHECK(test_same_bits(ga_eval("(x*y + 3)*(x*y + 3) + 2", (x, y)),
                             ga_add(ga_multiply(ga_add(ga_multiply(x, y), 3), ga_add(ga_multiply(x, y), 3)), 2)));
        CHECK(test_same_bits(ga_eval("sum((x*x + 3)*x + 2)", (x)),
                             ga_sum(ga_add(ga_multiply(ga_add(ga_multiply(x, x), 3), x), 2))));
    }
}

static void same_as(const char *text, const ga_array *made, const ga_array *expected)
{
    const bool same = made && expected && test_same_bits(made, expected);
    CHECK(same);
    if (!same) printf("of %s\n", text);
}

/* Operations in one loop, and numbers in registers: those of the formula, and arrays of one element. */
static void joined(ga_array *x, ga_array *y, ga_array *z, double number)
{
    const ga_array *const c[2] = { ga_astype(ga_scalar(number), x->dtype), NULL };
    for (int k = 0; k < 2; k++) { /* as an array of one element, and as a number */
        const ga_arg n = k == 0 ? GA_ARG(c[0]) : GA_ARG(number);
#define SAME_AS(text, ...) same_as(text, ga_eval(text, (x, y, z, n)), __VA_ARGS__)
        SAME_AS("(x - y)**2", ga_square(ga_subtract(x, y)));
        SAME_AS("(x - n)**2", ga_square(ga_subtract(x, n)));
        SAME_AS("(n - x)**2", ga_square(ga_subtract(n, x)));
        SAME_AS("d = x - n; d*d", ga_square(ga_subtract(x, n)));
        SAME_AS("d = x - n; d*d + d", ga_add(ga_square(ga_subtract(x, n)), ga_subtract(x, n)));
        SAME_AS("(x - y) * z", ga_multiply(ga_subtract(x, y), z));
        SAME_AS("z * (x - y)", ga_multiply(z, ga_subtract(x, y)));
        SAME_AS("(x - n) * z", ga_multiply(ga_subtract(x, n), z));
        SAME_AS("(n - x) * z", ga_multiply(ga_subtract(n, x), z));
        SAME_AS("(x - y) * n", ga_multiply(ga_subtract(x, y), n));
        SAME_AS("n * (x - n)", ga_multiply(n, ga_subtract(x, n)));
        SAME_AS("(n - x) * n", ga_multiply(ga_subtract(n, x), n));
        SAME_AS("(x - n) * (y - n)", ga_multiply(ga_subtract(x, n), ga_subtract(y, n)));
        SAME_AS("(x - n) * (x - n) + 1", ga_add(ga_multiply(ga_subtract(x, n), ga_subtract(x, n)), 1));
        SAME_AS("(x - y) / (x + z)", ga_divide(ga_subtract(x, y), ga_add(x, z)));
        SAME_AS("(x - n) / sqrt(z)", ga_divide(ga_subtract(x, n), ga_sqrt(z)));
        SAME_AS("(n - x) / (y - n)", ga_divide(ga_subtract(n, x), ga_subtract(y, n)));
        SAME_AS("d = x - y; d / (d + z)", ga_divide(ga_subtract(x, y), ga_add(ga_subtract(x, y), z)));
        SAME_AS("sqrt(x*x + y*y + z*z)", ga_sqrt(ga_add(ga_add(ga_square(x), ga_square(y)), ga_square(z))));
        SAME_AS("sqrt(x*n + y)", ga_sqrt(ga_add(ga_multiply(x, n), y)));
        SAME_AS("sqrt(n*n + n)", ga_sqrt(ga_add(ga_multiply(n, n), n)));
        SAME_AS("sqrt(x*y + n) + x*y", ga_add(ga_sqrt(ga_add(ga_multiply(x, y), n)), ga_multiply(x, y)));
        SAME_AS("x*n + n", ga_add(ga_multiply(x, n), n));
        SAME_AS("n*x + y", ga_add(ga_multiply(n, x), y));
        SAME_AS("x*y + n", ga_add(ga_multiply(x, y), n));
        SAME_AS("(x*y + n)*y + n", ga_add(ga_multiply(ga_add(ga_multiply(x, y), n), y), n));
        SAME_AS("n / x - x / n", ga_subtract(ga_divide(n, x), ga_divide(x, n)));
        SAME_AS("where(x < n, y, z)", ga_where(ga_less(x, n), y, z));
        SAME_AS("where(x > n, y, z)", ga_where(ga_greater(x, n), y, z));
        SAME_AS("where(x <= n, y, z)", ga_where(ga_less_equal(x, n), y, z));
        SAME_AS("where(n <= x, y, z)", ga_where(ga_less_equal(n, x), y, z));
        SAME_AS("where(n < x, n, 0) + x", ga_add(ga_where(ga_less(n, x), n, 0), x));
        SAME_AS("where(x >= n, sqrt(x), x)", ga_where(ga_greater_equal(x, n), ga_sqrt(x), x));
        SAME_AS("where(x > n, 1, x - n)", ga_where(ga_greater(x, n), 1, ga_subtract(x, n)));
        SAME_AS("where(x == n, y, z)", ga_where(ga_equal(x, n), y, z));
        SAME_AS("t = x > n; where(t, y, z) + t", ga_add(ga_where(ga_greater(x, n), y, z), ga_greater(x, n)));
        SAME_AS("(x - n) * 3", ga_multiply(ga_subtract(x, n), 3));
        SAME_AS("where(x < 0.5, y, z)", ga_where(ga_less(x, 0.5), y, z));
        SAME_AS("where(x > 0.5, y, z)", ga_where(ga_greater(x, 0.5), y, z));
        SAME_AS("where(x <= 0.5, y, z)", ga_where(ga_less_equal(x, 0.5), y, z));
        SAME_AS("where(0.5 <= x, y, z)", ga_where(ga_less_equal(0.5, x), y, z));
        SAME_AS("where(0.5 < x, 0, 1) + x", ga_add(ga_where(ga_less(0.5, x), 0, 1), x));
        SAME_AS("where(x < 0.5, y, 2)", ga_where(ga_less(x, 0.5), y, 2));
        SAME_AS("where(x < nan, y, z)", ga_where(ga_less(x, NAN), y, z));
        SAME_AS("where(x < 0.5, y, 1) + (z - 0.25)**2",
                ga_add(ga_where(ga_less(x, 0.5), y, 1), ga_square(ga_subtract(z, 0.25))));
        SAME_AS("sum((x - n)**2)", ga_sum(ga_square(ga_subtract(x, n))));
        SAME_AS("max(where(x < n, y, z))", ga_max(ga_where(ga_less(x, n), y, z)));
        SAME_AS("abs(x - y) - -z", ga_subtract(ga_absolute(ga_subtract(x, y)), ga_negative(z)));
        SAME_AS("n - sqrt(abs(x*z - y))", ga_subtract(n, ga_sqrt(ga_absolute(ga_subtract(ga_multiply(x, z), y)))));
        SAME_AS("y / (n - x)", ga_divide(y, ga_subtract(n, x)));
        SAME_AS("(x*y) / (x - z)", ga_divide(ga_multiply(x, y), ga_subtract(x, z)));
        SAME_AS("(x - y) - (z - x)*n", ga_subtract(ga_subtract(x, y), ga_multiply(ga_subtract(z, x), n)));
        SAME_AS("multiply_add(2, 3, -x) * y", ga_multiply(ga_multiply_add(2, 3, ga_negative(x)), y));
        SAME_AS("(x - y)*(z + n) + (x + z)*(y - n)",
                ga_add(ga_multiply(ga_subtract(x, y), ga_add(z, n)), ga_multiply(ga_add(x, z), ga_subtract(y, n))));
        SAME_AS("((x - y)/(z + n) - x) / ((x + z)/(y - n) + y)",
                ga_divide(ga_subtract(ga_divide(ga_subtract(x, y), ga_add(z, n)), x),
                          ga_add(ga_divide(ga_add(x, z), ga_subtract(y, n)), y)));
        SAME_AS("where(x*y < z, x + y, x - y)", ga_where(ga_less(ga_multiply(x, y), z), ga_add(x, y), ga_subtract(x, y)));
        SAME_AS("where(z < x*y, (x - n)*z, y) - z",
                ga_subtract(ga_where(ga_less(z, ga_multiply(x, y)), ga_multiply(ga_subtract(x, n), z), y), z));
        SAME_AS("where(x + n <= y*z, 1, 0) * z",
                ga_multiply(ga_where(ga_less_equal(ga_add(x, n), ga_multiply(y, z)), 1, 0), z));
        SAME_AS("where(x < n, where(y < z, -x, y), z - n)",
                ga_where(ga_less(x, n), ga_where(ga_less(y, z), ga_negative(x), y), ga_subtract(z, n)));
        SAME_AS("where(where(x < y, x, -y) < z, x - n, 2)",
                ga_where(ga_less(ga_where(ga_less(x, y), x, ga_negative(y)), z), ga_subtract(x, n), 2));
        SAME_AS("d = x*y - z; sum(d*d - n)", ga_sum(ga_subtract(ga_square(ga_subtract(ga_multiply(x, y), z)), n)));
#undef SAME_AS
    }
    CHECK(test_same_bits(ga_eval("x[:1] - y", (x, y)), ga_subtract(ga_index(x, ":1"), y)));
    CHECK(test_same_bits(ga_eval("(x - mean(x)) / std(x)", (x)), ga_divide(ga_subtract(x, ga_mean(x)), ga_std(x))));
    CHECK(test_same_bits(ga_eval("l = min(x); (x - l) * (255 / (max(x) - l))", (x)),
                         ga_multiply(ga_subtract(x, ga_min(x)), ga_divide(255, ga_subtract(ga_max(x), ga_min(x))))));
    if (y->ndim != x->ndim) return;
    ga_array *o = ga_copy(x);
    CHECK(ga_eval("(o - y)**2 + o", (o, y), .out = o) == o && test_same_bits(o, ga_add(ga_square(ga_subtract(x, y)), x)));
    const ga_array *was = ga_copy(o);
    CHECK(ga_eval("where(o < 0.5, y, o)", (o, y), .out = o) == o && test_same_bits(o, ga_where(ga_less(was, 0.5), y, was)));
    ga_copyto(o, x);
    const ga_array *some = ga_less(y, 0.3), *before = ga_copy(o);
    CHECK(ga_eval("(o - y)*o - z", (o, y, z), .out = o, .where = some) == o &&
          test_same_bits(o, ga_where(some, ga_subtract(ga_multiply(ga_subtract(x, y), x), z), before)));
}

/* As many steps and operands as fit no single loop, and lengths around those that are computed at once. */
static void test_sequences(void)
{
    static const int sizes[] = { 1, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 257, 1000 };
    for (size_t k = 0; k < 2 * sizeof sizes / sizeof *sizes; k++)
        ga_scope {
            ga_array *of[3];
            for (int i = 0; i < 3; i++)
                of[i] = ga_astype(ga_subtract(ga_random((sizes[k / 2])), 0.25 * i), k % 2 ? GA_F32 : GA_F64);
            joined(of[0], of[1], of[2], 0.25);
            if (test_small() && k > 5) continue;
            for (int steps = 5; steps < 80; steps += 15) {
                char      text[1000] = "x", name[30];
                ga_array *p          = of[0];
                for (int i = 0; i < steps; i++) {
                    sprintf(name, ")*%s + %d.5", i % 2 ? "y" : "z", steps < 25 ? i : i % 3);
                    put_around(text, "(", name);
                    p = ga_add(ga_multiply(p, of[i % 2 ? 1 : 2]), (steps < 25 ? i : i % 3) + 0.5);
                }
                const ga_arg in[3] = { GA_ARG(of[0]), GA_ARG(of[1]), GA_ARG(of[2]) };
                same_as(text, ga_eval_n(text, 3, in, .names = "x, y, z"), p);
            }
        }
}

static void test_joined(void)
{
    const double numbers[7] = { 0.5, 0, -0.25, NAN, INFINITY, 2, 3e-42 };
    const int    sizes[3]   = { 1, 700, 5000 };
    for (int k = 0; k < 7 * 3 * 2; k += test_small() ? 5 : 1)
        ga_scope {
            const int      n     = sizes[k / 2 % 3];
            const ga_dtype dtype = k % 2 ? GA_F32 : GA_F64;
            ga_array      *of[3];
            for (int i = 0; i < 3; i++) of[i] = ga_astype(ga_subtract(ga_random((n)), 0.25 * i), dtype);
            ga_copyto(ga_index(of[0], "::7"), numbers[k / 6]);
            ga_copyto(ga_index(of[1], "::5"), numbers[(k / 6 + 3) % 7]);
            joined(of[0], of[1], of[2], numbers[k / 6]);
            joined(ga_index(of[0], "::-1"), ga_index(of[1], ":20, newaxis"), ga_index(of[2], ":1"), numbers[k / 6]);
        }
    if (test_small()) return; /* all results are kept: under cudasim's checker these take 13 GB */
    ga_scope {                /* larger than the nearest caches hold */
        ga_array *x = ga_random((300000)), *y = ga_random((300000)), *z = ga_random((300000));
        joined(x, y, z, 0.5);
    }
    ga_scope { /* than any cache holds: results go past them */
        ga_array *x = ga_random((4200001)), *y = ga_random((4200001));
        CHECK(test_same_bits(ga_eval("(x - 0.5)*y", (x, y)), ga_multiply(ga_subtract(x, 0.5), y)));
        CHECK(test_same_bits(ga_eval("where(x < 0.5, y, x) - 1", (x, y)), ga_subtract(ga_where(ga_less(x, 0.5), y, x), 1)));
        CHECK(test_same_bits(ga_eval("(x*y + 3)*y + 2", (x, y)), ga_add(ga_multiply(ga_add(ga_multiply(x, y), 3), y), 2)));
        CHECK(test_same_bits(ga_eval("x - x[:1]*y", (x, y)), ga_subtract(x, ga_multiply(ga_index(x, ":1"), y))));
        ga_array *z = ga_random((2100, 2001)), *column = ga_index(z, ":, 7:8");
        CHECK(test_same_bits(ga_eval("sqrt(z)*z + column", (z, column)), ga_add(ga_multiply(ga_sqrt(z), z), column)));
    }
}

/* Arrays that do not lie in C order are cut line by line: columns (some NaN), rows, parts of larger arrays, backwards, .out and .where. */
static void test_lines(void)
{
    const ga_dtype dtypes[3] = { GA_F64, GA_F32, GA_I32 };
    const int      sizes[4]  = { 300, 1024, 1500, 9001 };
    for (int k = 0; k < 3 * 4 * 2; k += test_small() ? 5 : 1)
        ga_scope {
            const int      n     = sizes[k / 3 % 4];
            const ga_dtype dtype = dtypes[k % 3];
            ga_array      *whole = ga_astype(ga_multiply(ga_random((7, n + 4)), 9), dtype),
                     *column     = ga_index(ga_copy(whole), ":, :1");
            ga_array *row = ga_index(ga_copy(whole), "3, 2:-2"), *x = ga_index(whole, ":, 2:-2"),
                     *back = ga_index(ga_copy(whole), "::-1, -3:1:-1");
            if (dtype != GA_I32) ga_copyto(ga_index(column, "2:4"), NAN), ga_copyto(ga_index(x, ":, ::11"), -NAN);
            if (k >= 12) x = ga_stack((x, back, x)), column = ga_index(ga_stack((column, column, column)), ":, :, :1");
#define SAME_AS(text, ...) same_as(text, ga_eval(text, (x, row, column, back)), __VA_ARGS__)
            SAME_AS("row * column + 1", ga_add(ga_multiply(row, column), 1));
            SAME_AS("(x - column) * 3", ga_multiply(ga_subtract(x, column), 3));
            SAME_AS("(x - column)**2 + row", ga_add(ga_square(ga_subtract(x, column)), row));
            SAME_AS("column + x - row", ga_subtract(ga_add(column, x), row));
            SAME_AS("x + column - row", ga_subtract(ga_add(x, column), row));
            SAME_AS("column * x / row", ga_divide(ga_multiply(column, x), row));
            SAME_AS("column - x * column", ga_subtract(column, ga_multiply(x, column)));
            SAME_AS("x * column + column", ga_add(ga_multiply(x, column), column));
            SAME_AS("column * column - x", ga_subtract(ga_multiply(column, column), x));
            SAME_AS("where(x < column, row, column) + 1", ga_add(ga_where(ga_less(x, column), row, column), 1));
            SAME_AS("float64(x) / column - back", ga_subtract(ga_divide(ga_astype(x, GA_F64), column), back));
            SAME_AS("maximum(x, column) - minimum(column, row)", ga_subtract(ga_maximum(x, column), ga_minimum(column, row)));
            SAME_AS("sum(x * column + row, axis=-1)", ga_sum(ga_add(ga_multiply(x, column), row), .axis = -1));
            SAME_AS("max((x - column) * 2, axis=0)", ga_max(ga_multiply(ga_subtract(x, column), 2), .axis = 0));
            const ga_array *expected = ga_subtract(ga_multiply(x, column), row);
            for (int way = 0; way < 3; way++) { /* into all, every other and a part of larger elements, and of another dtype */
                ga_array *wide = ga_zeros((3, 7, 2 * n + 5), .dtype = way == 2 && dtype != GA_I32 ? GA_F64 : dtype);
                ga_array *out  = ga_index(wide, way == 0 ? "..., 3:%d" : "..., 2:%d:2", way == 0 ? n + 3 : 2 * n + 2);
                if (x->ndim == 2) out = ga_index(out, "1");
                CHECK(ga_eval("x*column - row", (x, row, column), .out = out) == out);
                CHECK(test_same_bits(ga_copy(out), ga_astype(expected, wide->dtype)));
                ga_array *mask = ga_greater(x, 4), *masked = ga_copy(out);
                ga_eval("x*column + row", (x, row, column), .out = out, .where = mask);
                ga_add(ga_multiply(x, column), row, .out = masked, .where = mask);
                CHECK(test_same_bits(ga_copy(out), masked));
            }
#undef SAME_AS
        }
}

/* Numbers that are wider than all arrays and the result. */

static void test_narrow(void)
{
    const ga_dtype dtypes[4] = { GA_F32, GA_I32, GA_U8, GA_BOOL };
    for (int k = 0; k < 16; k++)
        ga_scope {
            ga_array *x   = ga_astype(ga_subtract(ga_arange(0, 700, 1), 30), dtypes[k / 4]),
                     *out = ga_zeros((700), .dtype = dtypes[k % 4]);
            double    p = 1.5, q = 2.5;
            ga_array *choice = ga_where(ga_greater(x, 0), 1.5, 2.5), *large = ga_where(ga_greater(x, 0), 4294967296, 0);
#define SAME_AS(text, ...) same_as(text, ga_eval(text, (x, p, q)), __VA_ARGS__)
            SAME_AS("float32(where(x > 0, 1.5, 2.5))", ga_astype(choice, GA_F32));
            SAME_AS("float32(where(x > 0, p, q))", ga_astype(choice, GA_F32));
            SAME_AS("int32(where(x > 0, 1.5, 2.5))", ga_astype(choice, GA_I32));
            SAME_AS("bool(where(x > 0, 4294967296, 0))", ga_astype(large, GA_BOOL));
            SAME_AS("bool(where(x > 0, 4294967296, 0)) & (x < 10)", ga_bitwise_and(ga_astype(large, GA_BOOL), ga_less(x, 10)));
            SAME_AS("x * float32(where(x > 0, 3, 7))", ga_multiply(x, ga_astype(ga_where(ga_greater(x, 0), 3, 7), GA_F32)));
            SAME_AS("sum(float32(where(x > 0, 1.5, 2.5)))", ga_sum(ga_astype(choice, GA_F32)));
#undef SAME_AS
            if (k % 4 > 0) continue; /* the others lose their kind */
            CHECK(ga_eval("where(x > 0, 1.5, 2.5)", (x), .out = out) == out &&
                  test_same_bits(out, ga_astype(choice, out->dtype)));
        }
}

/* Results that are streamed past the caches, into memory that begins anywhere in a cache line: what lies around them stays. */
static void test_streamed(void)
{
    enum { N = (32 << 20) / 4 + 1003, AROUND = 16 };
    const int offsets[] = { 1, 15 };
    float    *single    = (float *)malloc((N + 2 * AROUND) * sizeof *single);
    double   *wide      = (double *)malloc((N + 2 * AROUND) * sizeof *wide);
    for (int k = 0; single && wide && k < (test_small() ? 1 : 2); k++)
        ga_scope {
            const int at = offsets[k];
            ga_array *x = ga_random((N), .seed = 1, .dtype = GA_F32, .device = GA_CPU), *y = ga_add(x, 2),
                     *out = ga_wrap(single + at, (N), .device = GA_CPU), *other = ga_wrap(wide + at, (N), .device = GA_CPU);
            for (int i = 0; i < N + 2 * AROUND; i++) single[i] = 7, wide[i] = 7;
            ga_array *want = ga_divide(ga_multiply(ga_add(x, y), 3), 7);
            CHECK(ga_eval("(x + y) * 3 / 7", (x, y), .out = out) == out && test_same_bits(out, want));
            CHECK(ga_eval("(x + y) * 3 / 7", (x, y), .out = other) == other && test_same_bits(other, ga_astype(want, GA_F64)));
            CHECK(ga_eval("x * y + 1", (x, y), .out = out) == out && test_same_bits(out, ga_add(ga_multiply(x, y), 1)));
            ga_array *table = ga_reshape(ga_index(out, ":-3"), (N / 8, 8)),
                     *row   = ga_arange(0, 8, 1, .dtype = GA_F32, .device = GA_CPU),
                     *grid  = ga_reshape(ga_index(x, ":-3"), (N / 8, 8));
            CHECK(ga_eval("(grid + row) * 3", (grid, row), .out = table) == table &&
                  test_same_bits(ga_copy(table), ga_multiply(ga_add(grid, row), 3)));
            ga_array *bytes = ga_view_as(ga_index(out, ":%d", (32 << 20) / 4 + 2), GA_U8),
                     *low = ga_astype(ga_multiply(ga_random((bytes->size), .seed = 2, .dtype = GA_F32, .device = GA_CPU), 200),
                                      GA_U8),
                     *odd = ga_index(bytes, "1:");
            low           = ga_index(low, "1:");
            CHECK(ga_eval("low + low * 3", (low), .out = odd) == odd &&
                  test_same_bits(ga_copy(odd), ga_add(low, ga_multiply(low, 3))));
            bool kept = true;
            for (int i = 0; i < AROUND; i++)
                kept =
                    kept && (i >= at || (single[i] == 7 && wide[i] == 7)) && single[at + N + i] == 7 && wide[at + N + i] == 7;
            CHECK(kept);
        }
    CHECK(single && wide);
    free(single);
    free(wide);
}

int main(void)
{
    test_begin();
    test_streamed();
    test_polynomials();
    test_joined();
    test_sequences();
    test_lines();
    test_narrow();
    ga_report_leaks(stdout);
    CHECK(ga_memory_stats().arrays == 0 && ga_memory_stats().used_bytes == 0);
    return test_end();
}
