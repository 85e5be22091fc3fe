/*  reductions.c -- reductions of one's own: against those of the library, which follow the same tree, bit for bit; against results that
    are known; what is said about mistakes; allocations that fail. The same file is compiled as C, as C++ and for the GPU.
        cc -I. tests/reductions.c -lm -lpthread */
#define GPUARR_KERNELS
#include "test.h"

#include "moments.h"

/* ---- the reductions -------------------------------------------------------------------------------------------------------- */

GA_REDUCTION(own_sum, double, (double x), double, 0, x, a + b, a)
GA_REDUCTION(own_sum32, float, (float x), double, 0, (double)x, a + b, (float)a)
GA_REDUCTION(own_isum, int64_t, (int64_t x), int64_t, 0, x, a + b, a)
GA_REDUCTION(own_mean, double, (double x), double, 0, x, a + b, a / (double)n)
GA_REDUCTION(own_max, float, (float x), float, -INFINITY, x, b > a ? b : a, a)
GA_REDUCTION(own_any, bool, (bool x), bool, false, x, a || b, a)
GA_REDUCTION(own_bytes, uint8_t, (uint8_t x), uint8_t, 7, x, (uint8_t)(a ^ b), a)
GA_REDUCTION(own_dot, double, (double x, double y), double, 0, x *y, a + b, a)
GA_REDUCTION(own_norm, double, (double x), double, 0, x *x, a + b, GA_SQRT(a))
GA_REDUCTION(weighted, double, (double x, float w, int32_t k), double, 0, x *(double)w + (double)k, a + b, a)
GA_FUNCTION double acc(double x) { return x; } /* a name as any other */
GA_REDUCTION(own_name, double, (double x), double, acc(0), acc(x), a + b, a)
GA_REDUCTION(own_exp, double, (double x), double, 0, GA_EXP(x), a + b, GA_LOG(a))
GA_REDUCTION(last_index, int64_t, (double x), int64_t, -1, x == x ? GA_INDEX : -1, b > a ? b : a, a)

typedef struct place {
    double  value;
    int64_t index;
} place;

GA_FUNCTION place place_of(double value, int64_t index)
{
    place p = { value, index };
    return p;
}
GA_FUNCTION place better(place a, place b) { return b.value > a.value || (b.value == a.value && b.index < a.index) ? b : a; }
GA_REDUCTION(own_argmax, int64_t, (double x, double y), place, place_of(-INFINITY, -1), place_of(x + y, GA_INDEX), better(a, b),
             a.index)

GA_REDUCTION(own_var, double, (double x), moments, moments_of(0, 0), moments_of(1, x), joined(a, b), a.m2 / a.n)

/* As large as an accumulator may be; and one of three bytes. */
typedef struct large {
    double v[8];
} large;

GA_FUNCTION large large_of(double x)
{
    large l = { { x, x * 2, x * 3, x * 4, x * 5, x * 6, x * 7, x * 8 } };
    return l;
}
GA_FUNCTION large both(large a, large b)
{
    for (int i = 0; i < 8; i++) a.v[i] = a.v[i] + b.v[i];
    return a;
}
GA_REDUCTION(eighth, double, (double x), large, large_of(0), large_of(x), both(a, b), a.v[7])

typedef struct rgb {
    uint8_t c[3];
} rgb;

GA_FUNCTION rgb rgb_of(uint8_t r, uint8_t g, uint8_t b)
{
    rgb p = { { r, g, b } };
    return p;
}
GA_FUNCTION rgb brighter(rgb a, rgb b)
{
    for (int i = 0; i < 3; i++) a.c[i] = b.c[i] > a.c[i] ? b.c[i] : a.c[i];
    return a;
}
GA_REDUCTION(brightest, uint32_t, (uint8_t r, uint8_t g, uint8_t b), rgb, rgb_of(0, 0, 0), rgb_of(r, g, b), brighter(a, b),
             (uint32_t)a.c[0] << 16 | (uint32_t)a.c[1] << 8 | a.c[2])

/* ---- against the library's ------------------------------------------------------------------------------------------------- */

/* Same dtype, shape and bits? Frees both. */
static bool same(ga_array *got, ga_array *wanted)
{
    ga_array *g = got ? ga_copy(ga_to(got, GA_CPU)) : NULL, *w = wanted ? ga_copy(ga_to(wanted, GA_CPU)) : NULL;
    bool      ok = g && w && g->dtype == w->dtype && g->ndim == w->ndim;
    for (int d = 0; ok && d < g->ndim; d++) ok = g->shape[d] == w->shape[d];
    size_t bytes = ok ? (size_t)(g->size * ga_itemsize(g->dtype)) : 0;
    ok           = ok && (bytes == 0 || memcmp(g->data, w->data, bytes) == 0);
    return ok;
}

/* All reductions that the library has, too, over some axes of a float64 array. */
#define AGAINST(...)                                                                                                           \
    do {                                                                                                                       \
        CHECK(same(ga_reduce(own_sum, (x), __VA_ARGS__), ga_sum(x, __VA_ARGS__)));                                             \
        CHECK(same(ga_reduce(own_mean, (x), __VA_ARGS__), ga_mean(x, __VA_ARGS__)));                                           \
        CHECK(same(ga_reduce(own_sum32, (f), __VA_ARGS__), ga_sum(f, __VA_ARGS__)));                                           \
        CHECK(same(ga_reduce(own_isum, (i), __VA_ARGS__), ga_sum(i, __VA_ARGS__)));                                            \
        CHECK(same(ga_reduce(own_max, (f), __VA_ARGS__), ga_max(f, __VA_ARGS__)));                                             \
        CHECK(same(ga_reduce(own_any, (ga_greater(x, 2)), __VA_ARGS__), ga_any(ga_greater(x, 2), __VA_ARGS__)));               \
        CHECK(same(ga_reduce(own_norm, (x), __VA_ARGS__), ga_sqrt(ga_sum(ga_square(x), __VA_ARGS__))));                        \
        CHECK(same(ga_reduce(own_dot, (x, y), __VA_ARGS__), ga_sum(ga_multiply(x, y), __VA_ARGS__)));                          \
        CHECK(same(ga_reduce(own_exp, (y), __VA_ARGS__), ga_log(ga_sum(ga_exp(y), __VA_ARGS__))));                             \
        CHECK(same(ga_reduce(weighted, (x, f, i), __VA_ARGS__),                                                                \
                   ga_sum(ga_add(ga_multiply(x, ga_astype(f, GA_F64)), ga_astype(i, GA_F64)), __VA_ARGS__)));                  \
        CHECK(same(ga_reduce(eighth, (x), __VA_ARGS__), ga_sum(ga_multiply(x, 8), __VA_ARGS__)));                              \
        CHECK(ga_allclose(ga_reduce(own_var, (x), __VA_ARGS__), ga_var(x, __VA_ARGS__), .rtol = 1e-12));                       \
    } while (0)

static void against_axes(ga_array *x, ga_array *y, ga_array *f, ga_array *i)
{
    ga_scope {
        AGAINST(.keepdims = true);
    }
    for (int d = 0; d < x->ndim; d++)
        ga_scope {
            AGAINST(.axis = d);
            AGAINST(.axis = -1 - d, .keepdims = true);
            CHECK(same(ga_reduce(own_argmax, (x, 0), .axis = d), ga_argmax(x, .axis = d)));
        }
    if (x->ndim == 3)
        ga_scope {
            AGAINST(.axes = ga_axes(0, 2));
            AGAINST(.axes = ga_axes(1, 2), .keepdims = true);
            AGAINST(.axes = ga_axes(-2, 0));
        }
}

static void test_against_library(void)
{
    static const int64_t shapes[][3] = { { 3, 4, 5 },    { 1, 1, 1 },    { 2, 1500, 3 }, { 40, 50, 60 },
                                         { 5, 3, 2100 }, { 1100, 1, 7 }, { 2100, 40, 1 } };
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        ga_scope {
            int64_t a = shapes[s][0], b = shapes[s][1], c = shapes[s][2];
            if (test_small() && a * b * c > 10000) continue;
            ga_array *x = ga_random_normal(0, 3, (a, b, c), .seed = s), *y = ga_random((a, b, c), .seed = s + 9);
            ga_array *f = ga_astype(ga_random_normal(1, 2, (a, b, c), .seed = s + 20), GA_F32);
            ga_array *i = ga_random_integers(-50, 50, (a, b, c), .dtype = GA_I32, .seed = s + 30);
            against_axes(x, y, f, i);
            against_axes(ga_transpose(x), ga_transpose(y), ga_transpose(f), ga_transpose(i));
            against_axes(ga_index(x, "::-1, :, ::2"), ga_index(y, ":, ::-1, ::2"), ga_index(f, ":, :, ::2"),
                         ga_index(i, ":, ::-1, ::-2"));
            against_axes(ga_ravel(x), ga_ravel(y), ga_ravel(f), ga_ravel(i));
        }
    for (int64_t n = 1; n < 3000000; n = n < 9 ? n + 1 : n * 3 - 7)
        ga_scope { /* lengths of a line */
            if (test_small() && n > 5000) break;
            ga_array *x = ga_random_normal(0, 3, (n), .seed = 5), *y = ga_random((n), .seed = 6);
            CHECK(same(ga_reduce(own_sum, (x)), ga_sum(x)) && same(ga_reduce(own_name, (x)), ga_sum(x)));
            CHECK(same(ga_reduce(own_dot, (x, y)), ga_dot(x, y)));
            CHECK(same(ga_reduce(own_argmax, (x, y)), ga_argmax(ga_add(x, y))));
            CHECK(ga_item(ga_reduce(last_index, (x))) == (double)(n - 1));
        }
}

/* ---- against what is known -------------------------------------------------------------------------------------------------- */

static void test_broadcasting(void)
{
    ga_scope {
        ga_array *m = ga_reshape(ga_arange(0, 6, 1, .dtype = GA_F64), (2, 3)), *row = ga_values(1, 10, 100),
                 *column = ga_reshape(ga_values(1, -1), (2, 1));
        CHECK_IS(ga_reduce(own_dot, (m, row), .axis = 1), GA_F64, (2), 210, 543); /* a matrix and a vector */
        CHECK_IS(ga_reduce(own_dot, (m, row), .axis = 0), GA_F64, (3), 3, 50, 700);
        CHECK_IS(ga_reduce(own_dot, (row, m), .axis = -1, .keepdims = true), GA_F64, (2, 1), 210, 543);
        CHECK_SCALAR(ga_reduce(own_dot, (row, column)), GA_F64, 0); /* each with each */
        CHECK_IS(ga_reduce(own_dot, (row, column), .axis = 0), GA_F64, (3), 0, 0, 0);
        CHECK_IS(ga_reduce(own_dot, (row, column), .axis = 1), GA_F64, (2), 111, -111);
        CHECK_IS(ga_reduce(own_dot, (m, 2), .axis = 1), GA_F64, (2), 6, 24); /* numbers */
        CHECK_SCALAR(ga_reduce(own_dot, (3, 2.5)), GA_F64, 7.5);
        CHECK_SCALAR(ga_reduce(own_dot, (ga_scalar(3), ga_scalar(2.5)), .axis = 0), GA_F64, 7.5);
        CHECK_IS(ga_reduce(own_isum, (ga_ints(1, 2, 3)), .keepdims = true), GA_I64, (1), 6);
        CHECK_IS(ga_reduce(own_mean, (ga_astype(m, GA_U8)), .axis = 0), GA_F64, (3), 1.5, 2.5, 3.5); /* cast to its parameter */
        CHECK_IS(ga_reduce(own_argmax, (m, ga_values(0, 5, 0)), .axis = 1), GA_I64, (2), 1, 1);
        CHECK_SCALAR(ga_reduce(own_argmax, (m, ga_values(0, 5, 0))), GA_I64, 4);
        CHECK_IS(ga_reduce(last_index, (m), .axes = ga_axes(0, 1), .keepdims = true), GA_I64, (1, 1), 5);
        CHECK_IS(ga_reduce(own_bytes, (ga_astype(m, GA_U8)), .axis = 1), GA_U8, (2), 3, 2);
        CHECK_IS(ga_reduce(own_var, (m), .axis = 0), GA_F64, (3), 2.25, 2.25, 2.25);
        CHECK_SCALAR(ga_reduce(brightest, (ga_astype(m, GA_U8), 9, ga_astype(row, GA_U8))), GA_U32, 5 << 16 | 9 << 8 | 100);
        const ga_arg two[2] = { GA_ARG(m), GA_ARG(row) };
        CHECK_IS(ga_reduce_n(own_dot, 2, two, .axis = 1), GA_F64, (2), 210, 543);
        ga_array *out = ga_zeros((2), .dtype = GA_F32);
        CHECK(ga_reduce(own_dot, (m, row), .axis = 1, .out = out) == out);
        CHECK(ga_item_at(out, 0) == 210 && ga_item_at(out, 1) == 543);
        ga_array *first = ga_index(m, ":, 0");
        CHECK(ga_reduce(own_sum, (m), .axis = 1, .out = first) == first); /* written into what is read */
        CHECK(ga_item_at(m, 0, 0) == 3 && ga_item_at(m, 1, 0) == 12 && ga_item_at(m, 0, 1) == 1);
    }
}

static void test_nothing(void) /* no elements: the start, finished */
{
    ga_scope {
        ga_array *e = ga_zeros((3, 0)), *none = ga_zeros((0));
        CHECK_SCALAR(ga_reduce(own_sum, (none)), GA_F64, 0);
        CHECK_SCALAR(ga_reduce(own_max, (ga_astype(none, GA_F32))), GA_F32, -INFINITY);
        CHECK_SCALAR(ga_reduce(own_mean, (none)), GA_F64, NAN);
        CHECK_SCALAR(ga_reduce(own_argmax, (none, 1)), GA_I64, -1);
        CHECK_IS(ga_reduce(own_bytes, (ga_astype(e, GA_U8)), .axis = 1), GA_U8, (3), 7, 7, 7);
        CHECK_IS(ga_reduce(own_bytes, (ga_astype(e, GA_U8)), .axis = 0, .keepdims = true), GA_U8, (1, 0), 0);
        CHECK_SCALAR(ga_reduce(own_dot, (e, ga_ones((3, 1)))), GA_F64, 0);
    }
}

static void test_special(void) /* NaN, infinities, signed zeros */
{
    ga_scope {
        ga_array *x = ga_values(1, NAN, INFINITY), *zeros = ga_values(-0.0, -0.0);
        CHECK_SCALAR(ga_reduce(own_sum, (x)), GA_F64, NAN);
        CHECK_SCALAR(ga_reduce(own_max, (ga_astype(x, GA_F32))), GA_F32, INFINITY);
        CHECK_SCALAR(ga_reduce(own_norm, (ga_index(x, "::2"))), GA_F64, INFINITY);
        ga_array *zero = ga_to(ga_reduce(own_sum, (zeros)), GA_CPU);
        CHECK(zero && signbit(*(const double *)zero->data));
    }
}

/* ---- mistakes -------------------------------------------------------------------------------------------------------------------- */

/* The call gives NULL and this status, and the sentence begins with the place and has the words. */
static void fails(ga_array *result, ga_status status, int line, const char *call, const char *a, const char *b)
{
    const char *error = ga_error();
    bool ok = !result && error && ga_error_status() == status && strstr(error, "reductions.c:") && strstr(error, "ga_reduce") &&
              strstr(error, a) && strstr(error, b);
    if (!test_check(ok, __FILE__, line, call) && error) printf("     it says: %s\n", error);
    ga_clear_error();
}
#define FAILS(status, call, a, b) (ga_clear_error(), fails(call, status, __LINE__, #call, a, b))

static void test_errors(void)
{
    ga_scope {
        ga_array *m = ga_zeros((2, 3)), *three = ga_zeros((3)), *four = ga_zeros((4)), *c = ga_zeros((3), .dtype = GA_C64);
        ga_array *i = ga_zeros((3), .dtype = GA_I32), *null = NULL;
        FAILS(GA_BAD_ARGUMENT, ga_reduce(own_dot, (m)), "own_dot", "2 operands, not 1");
        FAILS(GA_BAD_ARGUMENT, ga_reduce(own_sum, (m, m)), "own_sum", "1 operand, not 2");
        FAILS(GA_BAD_SHAPE, ga_reduce(own_dot, (m, four)), "(2, 3)", "(4,)");
        FAILS(GA_BAD_ARGUMENT, ga_reduce(own_sum, (m), .axis = 2), "no axis 2", "2 dimensions");
        FAILS(GA_BAD_ARGUMENT, ga_reduce(own_sum, (m), .axes = ga_axes(0, -2)), "axis 0", "twice");
        FAILS(GA_BAD_DTYPE, ga_reduce(own_sum, (m), .dtype = GA_F32), "own_sum", "ga_astype");
        FAILS(GA_BAD_ARGUMENT, ga_reduce(own_sum, (m), .ddof = 1), "own_sum", "ddof");
        FAILS(GA_BAD_SHAPE, ga_reduce(own_sum, (m), .axis = 0, .out = four), "(4,)", "(3,)");
        FAILS(GA_BAD_DTYPE, ga_reduce(own_sum, (m), .axis = 0, .out = i), "float64", "int32");
        FAILS(GA_BAD_DTYPE, ga_reduce(own_sum, (c)), "complex64", "float64");
        FAILS(GA_BAD_DTYPE, ga_reduce(own_isum, (m)), "float64", "int64");
        FAILS(GA_BAD_ARGUMENT, ga_reduce(own_bytes, (300)), "300 does not fit parameter x of own_bytes", "uint8");
        FAILS(GA_BAD_DTYPE, ga_reduce(own_bytes, (ga_ints(1, 300))), "takes uint8 as x", "int64: use ga_astype");
        if (test_on_gpu()) FAILS(GA_BAD_DEVICE, ga_reduce(own_dot, (three, ga_zeros((3), .device = GA_CPU))), "GPU", "ga_to");
        ga_clear_error();
        CHECK(ga_reduce(own_sum, (null)) == NULL);
        ga_clear_error();
        FAILS(GA_BAD_ARGUMENT, ga_reduce(own_sum, (m), .out = null), ".out", "NULL");
        if (TEST_ASAN) {
            test_skip("freed arrays: AddressSanitizer reports them itself", 1);
        } else {
            ga_array *freed = ga_zeros((3));
            ga_free(freed);
            FAILS(GA_BAD_ARGUMENT, ga_reduce(own_sum, (m), .axis = 0, .out = freed), ".out", "freed");
        }
        FAILS(GA_BAD_ARGUMENT, ga_reduce((const ga_reduction *)NULL, (m)), "reduction", "NULL");
        CHECK(same(ga_reduce(own_any, (true)), ga_any(ga_greater(ga_scalar(1), 0)))); /* in C `true` is an int */
    }
    ga_clear_error();
}

/* ---- allocations that fail ------------------------------------------------------------------------------------------------------- */

static int64_t calls_left = -1, refused, alive;

static void *failing_alloc(size_t bytes, void *user)
{
    (void)user;
    if (calls_left == 0) return refused++, (void *)NULL;
    if (calls_left > 0) calls_left--;
    alive++;
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static void counting_free(void *p, size_t bytes, void *user)
{
    (void)bytes, (void)user;
    alive--;
    free(p);
}

/* Each allocation of the call fails in turn, and all later ones: NULL, a sentence, nothing is left behind. */
#define RUN(call)                                                                                                              \
    for (int64_t k = 0, done = 0; !done && k < 200; k++) {                                                                     \
        int64_t before = alive, arrays = ga_memory_stats().arrays;                                                             \
        ga_clear_error();                                                                                                      \
        refused           = 0;                                                                                                 \
        calls_left        = k;                                                                                                 \
        ga_array *run_got = call;                                                                                              \
        done              = refused == 0;                                                                                      \
        calls_left        = -1;                                                                                                \
        CHECK(done ? run_got != NULL : run_got == NULL && ga_error_status() == GA_NO_MEMORY);                                  \
        ga_free(run_got);                                                                                                      \
        CHECK(ga_memory_stats().arrays == arrays && alive == before);                                                          \
        ga_clear_error();                                                                                                      \
    }

static void test_memory(void)
{
    ga_set_allocator(failing_alloc, counting_free, NULL);
    ga_array *x = ga_random((3, 2500)), *t = ga_transpose(x), *i = ga_random_integers(0, 9, (3, 2500)), *row = ga_ones((2500)),
             *none = ga_ones((0));
    RUN(ga_reduce(own_sum, (x)));
    RUN(ga_reduce(own_dot, (x, i), .axis = 1));
    RUN(ga_reduce(own_dot, (x, row), .axis = 0));
    RUN(ga_reduce(own_dot, (t, 2), .axis = 0, .keepdims = true));
    RUN(ga_reduce(own_var, (i), .axis = 0));
    RUN(ga_reduce(own_sum, (none)));
    ga_free(none);
    ga_free(row);
    ga_free(i);
    ga_free(t);
    ga_free(x);
    ga_set_allocator(NULL, NULL, NULL);
}

/* ---- the same bits ---------------------------------------------------------------------------------------------------------------- */

static void test_threads(void)
{
    ga_scope {
        int64_t   n = test_small() ? 3000 : 300000;
        ga_array *x = ga_random_normal(0, 1, (n, 3), .seed = 3), *one[4];
        ga_set_num_threads(1);
        one[0] = ga_reduce(own_var, (x), .axis = 0);
        one[1] = ga_reduce(own_exp, (x));
        one[2] = ga_reduce(own_norm, (ga_transpose(x)), .axis = 1);
        one[3] = ga_reduce(own_argmax, (x, 1), .axis = 1);
        for (int threads = 2; threads < 6; threads++) {
            ga_set_num_threads(threads);
            CHECK(same(ga_reduce(own_var, (x), .axis = 0), one[0]));
            CHECK(same(ga_reduce(own_exp, (x)), one[1]));
            CHECK(same(ga_reduce(own_norm, (ga_transpose(x)), .axis = 1), one[2]));
            CHECK(same(ga_reduce(own_argmax, (x, 1), .axis = 1), one[3]));
        }
    }
}

/* Of lines of each length, alone and side by side. */
static void test_lengths(void)
{
    for (int64_t n = 1; n <= (test_small() ? 70 : 1100); n += n < 70 ? 1 : 37)
        for (int nan = 0; nan < 2; nan++)
            ga_scope {
                ga_array *x = ga_random_normal(0, 1, (20, n), .seed = 5);
                if (nan) ga_copyto(ga_index(x, "::3, %lld", (long long)(n / 2)), NAN);
                ga_array *across = ga_transpose(ga_copy(ga_transpose(x)));
                CHECK(same(ga_var(x, .axis = 1), ga_var(across, .axis = 1)));
                CHECK(same(ga_nanvar(x, .axis = 1), ga_nanvar(across, .axis = 1)));
                CHECK(same(ga_norm(x, .axis = 1), ga_norm(across, .axis = 1)));
                CHECK(same(ga_max(x, .axis = 1), ga_max(across, .axis = 1)));
            }
}

/* Numbers are folded as they are where only their truth matters: the results are those of bools. */
/* Norms over axes 0 and 2, and over axis 1: those of the rows that a transposed copy has. */
static void test_norms(void)
{
    static const ga_dtype dtypes[] = { GA_F64, GA_F32, GA_I32, GA_C64 };
    static const double   orders[] = { 1, 2, 0, 3, -1, INFINITY, -INFINITY };
    static const int shapes[][3] = { { 2, 130, 3 }, { 2, 1000, 3 }, { 3, 500, 2 }, { 4, 300, 7 }, { 40, 20, 50 }, { 2, 3, 4 } };
    for (size_t t = 0; t < sizeof dtypes / sizeof *dtypes; t++)
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
            ga_scope {
                const int64_t m = shapes[k][0], n = shapes[k][1], l = shapes[k][2];
                ga_array     *a =
                    ga_astype(ga_subtract(ga_reshape(ga_arange(0, (double)(m * n * l), 1), (m, n, l)), 77), dtypes[t]);
                ga_array *rows  = ga_reshape(ga_ascontiguous(ga_transpose(a, .axes = ga_axes(1, 0, 2))), (n, m * l));
                ga_array *lines = ga_reshape(ga_ascontiguous(ga_transpose(a, .axes = ga_axes(0, 2, 1))), (m * l, n));
                for (size_t o = 0; o < sizeof orders / sizeof *orders; o++) {
                    const double ord = orders[o];
                    CHECK(test_same_bits(ga_norm(a, .ord = ord, .axes = ga_axes(0, 2)), ga_norm(rows, .ord = ord, .axis = 1)));
                    CHECK(test_same_bits(ga_ravel(ga_norm(a, .ord = ord, .axis = 1)), ga_norm(lines, .ord = ord, .axis = 1)));
                }
                ga_array *sizes = ga_sum(ga_absolute(ga_astype(rows, t == 3 ? GA_C128 : GA_F64)), .axis = 1);
                CHECK(ga_allclose(ga_norm(a, .ord = 1, .axes = ga_axes(0, 2)), sizes, .rtol = 1e-6));
            }
}

static void test_truths(void)
{
    const ga_dtype dtypes[]  = { GA_I16, GA_I32, GA_U64, GA_F32, GA_F64 };
    const int64_t  lengths[] = { 1, 7, 9, 64, 300, 1030 };
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++)
            for (int d = 0; d < 5; d++)
                ga_scope {
                    ga_array *x = ga_full((lengths[i], lengths[k]), -0.0, .dtype = GA_F64);
                    ga_copyto(x, 256, .where = ga_less(ga_random((lengths[i], lengths[k]), .seed = 7), d % 2 ? 0.003 : 0.997));
                    if (d > 2) ga_copyto(ga_index(x, "::5, ::3"), NAN);
                    x            = ga_astype(x, dtypes[d]);
                    ga_array *is = ga_not_equal(x, 0);
                    for (int axis = 0; axis < 2; axis++) {
                        CHECK(same(ga_any(x, .axis = axis), ga_any(is, .axis = axis)));
                        CHECK(same(ga_all(x, .axis = axis), ga_all(is, .axis = axis)));
                    }
                    CHECK(same(ga_any(x), ga_any(is)));
                    CHECK(same(ga_all(x), ga_all(is)));
                }
}

int main(void)
{
    test_begin();
    ga_set_error_handler(ga_ignore_error, NULL);
    test_against_library();
    test_broadcasting();
    test_nothing();
    test_special();
    test_errors();
    test_memory();
    test_threads();
    test_lengths();
    test_norms();
    test_truths();
    return test_end();
}
