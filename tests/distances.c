/* Distances: SciPy's results, the documented chain bit for bit, dtypes, views, special numbers, empty arrays, squareform. */
#include "test.h"

static const ga_metric metrics[] = { GA_EUCLIDEAN, GA_SQEUCLIDEAN, GA_CITYBLOCK, GA_CHEBYSHEV, GA_COSINE };
enum { METRICS = sizeof metrics / sizeof *metrics };

/* ---- SciPy's results --------------------------------------------------------------------------------------------- */

static void test_known(void)
{
    ga_scope {
        ga_array *x = ga_reshape(ga_values(0, 0, 3, 4, -1, 2), (3, 2)), *y = ga_reshape(ga_values(0, 0, 6, 8), (2, 2));
        CHECK_IS(ga_cdist(x, y), GA_F64, (3, 2), 0, 10, 5, 5, sqrt(5.0), sqrt(85.0));
        CHECK_IS(ga_cdist(x, y, .metric = GA_SQEUCLIDEAN), GA_F64, (3, 2), 0, 100, 25, 25, 5, 85);
        CHECK_IS(ga_cdist(x, y, .metric = GA_CITYBLOCK), GA_F64, (3, 2), 0, 14, 7, 7, 3, 13);
        CHECK_IS(ga_cdist(x, y, .metric = GA_CHEBYSHEV), GA_F64, (3, 2), 0, 8, 4, 4, 2, 7);
        CHECK_IS(ga_cdist(x, y, .metric = GA_COSINE), GA_F64, (3, 2), NAN, NAN, NAN, 0, NAN, 1 - 10 / (sqrt(5.0) * 10));
        CHECK_IS(ga_pdist(x, .metric = GA_CITYBLOCK), GA_F64, (3), 7, 3, 6);
        CHECK_IS(ga_pdist(x), GA_F64, (3), 5, sqrt(5.0), sqrt(20.0));

        ga_array *integers = ga_reshape(ga_ints(1, 0, 0, 1), (2, 2)); /* the unit vectors: at right angles */
        CHECK_IS(ga_pdist(integers, .metric = GA_COSINE), GA_F64, (1), 1);
        CHECK_IS(ga_pdist(ga_multiply(integers, ga_ints(1, -1)), .metric = GA_COSINE), GA_F64, (1), 1);
        ga_array *opposite = ga_reshape(ga_values(2, 1, -4, -2), (2, 2)), *angle = ga_pdist(opposite, .metric = GA_COSINE);
        CHECK(fabs(ga_item(angle) - 2) < 1e-15);
    }
}

/* ---- the chain --------------------------------------------------------------------------------------------------- */

static double add_f64(ga_metric metric, double sum, double x, double y)
{
    double d = x - y;
    switch (metric) {
    case GA_CITYBLOCK: return sum + fabs(d);
    case GA_CHEBYSHEV: return sum > fabs(d) || isnan(sum) ? sum : fabs(d);
    case GA_COSINE: return fma(x, y, sum);
    default: return fma(d, d, sum);
    }
}

static float add_f32(ga_metric metric, float sum, float x, float y)
{
    float d = x - y;
    switch (metric) {
    case GA_CITYBLOCK: return sum + fabsf(d);
    case GA_CHEBYSHEV: return sum > fabsf(d) || isnan(sum) ? sum : fabsf(d);
    case GA_COSINE: return fmaf(x, y, sum);
    default: return fmaf(d, d, sum);
    }
}

/* As the documentation has it: one feature after the other, in the dtype of the result. */
static double one_f64(ga_metric metric, int64_t features, const double *x, const double *y)
{
    double sum = 0, xx = 0, yy = 0;
    for (int64_t k = 0; k < features; k++) {
        sum = add_f64(metric, sum, x[k], y[k]);
        xx  = fma(x[k], x[k], xx);
        yy  = fma(y[k], y[k], yy);
    }
    if (metric == GA_EUCLIDEAN) return sqrt(sum);
    if (metric != GA_COSINE) return sum;
    double lengths = sqrt(xx) * sqrt(yy), ratio = sum / lengths;
    return isnan(ratio) ? ratio : 1 - fmin(fmax(ratio, -1), 1);
}

static float one_f32(ga_metric metric, int64_t features, const float *x, const float *y)
{
    float sum = 0, xx = 0, yy = 0;
    for (int64_t k = 0; k < features; k++) {
        sum = add_f32(metric, sum, x[k], y[k]);
        xx  = fmaf(x[k], x[k], xx);
        yy  = fmaf(y[k], y[k], yy);
    }
    if (metric == GA_EUCLIDEAN) return sqrtf(sum);
    if (metric != GA_COSINE) return sum;
    float lengths = sqrtf(xx) * sqrtf(yy), ratio = sum / lengths;
    return isnan(ratio) ? ratio : 1 - fminf(fmaxf(ratio, -1), 1);
}

static double one(ga_metric metric, const ga_array *x, int64_t i, const ga_array *y, int64_t j)
{
    int64_t f = x->shape[1];
    if (x->dtype == GA_F64) return one_f64(metric, f, (const double *)x->data + i * f, (const double *)y->data + j * f);
    return (double)one_f32(metric, f, (const float *)x->data + i * f, (const float *)y->data + j * f);
}

static bool same_number(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

/* Distances of packed points on the CPU (given to the call on the device of the test) are the chain's. */
static bool is_the_chain(ga_metric metric, const ga_array *x, const ga_array *y)
{
    bool      ok   = true;
    ga_array *here = ga_to(x, ga_get_device()), *there = ga_to(y, ga_get_device());
    ga_array *all = ga_cdist(here, there, .metric = metric), *pairs = ga_pdist(here, .metric = metric);
    ga_array *a = ga_astype(all, GA_F64), *p = ga_astype(pairs, GA_F64), *got = test_to_cpu(a), *condensed = test_to_cpu(p);
    ok = got && condensed && all->dtype == x->dtype && pairs->dtype == x->dtype;
    for (int64_t i = 0, at = 0; ok && i < x->shape[0]; i++) {
        for (int64_t j = 0; ok && j < y->shape[0]; j++)
            ok = same_number(((const double *)got->data)[i * y->shape[0] + j], one(metric, x, i, y, j));
        for (int64_t j = i + 1; ok && j < x->shape[0]; j++, at++)
            ok = same_number(((const double *)condensed->data)[at], one(metric, x, i, x, j));
    }
    ga_array *list[] = { here, there, all, pairs, a, p, got, condensed };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) ga_free(list[k]);
    return ok;
}

static void test_chain(void)
{
    static const int64_t shapes[][3] = { { 1, 1, 1 },    { 1, 1, 3000 },  { 2, 3, 5 },     { 4, 8, 8 },      { 5, 7, 1100 },
                                         { 3, 33, 129 }, { 33, 3, 130 },  { 31, 32, 7 },   { 32, 31, 128 },  { 65, 64, 3 },
                                         { 63, 65, 2 },  { 200, 1, 257 }, { 1, 200, 513 }, { 130, 100, 17 }, { 7, 70, 0 } };
    const size_t         count       = sizeof shapes / sizeof *shapes;
    for (size_t s = 0; s < count; s++)
        for (int t = 0; t < 2; t++) {
            const int64_t *n     = shapes[s];
            const ga_dtype dtype = t ? GA_F32 : GA_F64;
            if (test_small() && n[0] * n[1] * n[2] > 30000) continue;
            ga_array *x = ga_random_normal(1, 10, (n[0], n[2]), .dtype = dtype, .seed = 1, .device = GA_CPU);
            ga_array *y = ga_random_normal(0, 10, (n[1], n[2]), .dtype = dtype, .seed = 2, .device = GA_CPU);
            for (int m = 0; m < METRICS; m++)
                if (!CHECK(is_the_chain(metrics[m], x, y)))
                    printf("     metric %d, %s, (%lld, %lld) points of %lld features\n", m, ga_dtype_name(dtype),
                           (long long)n[0], (long long)n[1], (long long)n[2]);
            ga_free(x);
            ga_free(y);
        }
}

/* A result that is written past the caches (or, with rows that are not aligned, is not), by several threads. */
static void test_large(void)
{
    for (int64_t n = 1000; n <= 1001 && !test_small(); n++) {
        ga_array *x = ga_random((n, 5), .seed = 1, .device = GA_CPU), *y = ga_random((n, 5), .seed = 2, .device = GA_CPU);
        for (int m = 0; m < METRICS; m++) CHECK(is_the_chain(metrics[m], x, y));
        ga_free(x);
        ga_free(y);
    }
}

/* ---- dtypes, views, .out ----------------------------------------------------------------------------------------- */

static void test_dtypes(void)
{
    for (int d = GA_BOOL; d <= GA_F64; d++)
        for (int e = GA_BOOL; e <= GA_F64; e++)
            ga_scope {
                ga_array *x = ga_astype(ga_reshape(ga_values(1, 0, 1, 1), (2, 2)), (ga_dtype)d);
                ga_array *y = ga_astype(ga_reshape(ga_values(0, 0), (1, 2)), (ga_dtype)e);
                ga_dtype  r = ga_promote((ga_dtype)d, (ga_dtype)e) == GA_F32 ? GA_F32 : GA_F64;
                CHECK_IS(ga_cdist(x, y, .metric = GA_CITYBLOCK), r, (2, 1), 1, 2);
                CHECK_IS(ga_pdist(x, .metric = GA_SQEUCLIDEAN), d == GA_F32 ? GA_F32 : GA_F64, (1), 1);
            }
    ga_scope { /* differences do not wrap */
        ga_array *x = ga_astype(ga_reshape(ga_ints(100, -100), (2, 1)), GA_I8);
        ga_array *y = ga_astype(ga_reshape(ga_ints(3, 255), (2, 1)), GA_U8);
        CHECK_IS(ga_pdist(x), GA_F64, (1), 200);
        CHECK_IS(ga_pdist(y, .metric = GA_SQEUCLIDEAN), GA_F64, (1), 252 * 252);
        CHECK_IS(ga_cdist(x, y, .metric = GA_CHEBYSHEV), GA_F64, (2, 2), 97, 155, 103, 355);
    }
}

static bool equal(ga_array *a, ga_array *b)
{
    bool ok = a && b && a->dtype == b->dtype && ga_array_equal(a, b, .equal_nan = true);
    ga_free(a);
    ga_free(b);
    return ok;
}

static void test_views(void)
{
    ga_array *base = ga_random((40, 30), .seed = 3);
    for (int m = 0; m < METRICS; m++)
        ga_scope {
            ga_array *views[] = { ga_transpose(ga_index(base, ":30, :")), ga_index(base, "::-1, ::-1"),
                                  ga_index(base, "3:20:2, :"), ga_broadcast_to(ga_index(base, "2"), (5, 30)),
                                  ga_index(base, "1:, :") };
            for (size_t v = 0; v < sizeof views / sizeof *views; v++) {
                ga_array *packed = ga_copy(views[v]), *other = ga_copy(base);
                CHECK(equal(ga_cdist(views[v], base, .metric = metrics[m]), ga_cdist(packed, other, .metric = metrics[m])));
                CHECK(equal(ga_cdist(base, views[v], .metric = metrics[m]), ga_cdist(other, packed, .metric = metrics[m])));
                CHECK(equal(ga_pdist(views[v], .metric = metrics[m]), ga_pdist(packed, .metric = metrics[m])));
            }
        }
    ga_free(base);
}

static void test_out(void)
{
    ga_scope {
        ga_array *x = ga_random((9, 9), .seed = 4), *y = ga_random((9, 9), .seed = 5), *want = ga_cdist(x, y);
        ga_array *out = ga_zeros((9, 9)), *wide = ga_zeros((9, 18)), *every = ga_index(wide, ":, ::2");
        CHECK(ga_cdist(x, y, .out = out) == out && ga_array_equal(out, want));
        CHECK(ga_cdist(x, y, .out = every) == every && ga_array_equal(every, want));
        CHECK(ga_item(ga_sum(ga_index(wide, ":, 1::2"))) == 0);
        ga_array *narrow = ga_zeros((9, 9), .dtype = GA_F32), *complex = ga_zeros((9, 9), .dtype = GA_C128);
        CHECK(ga_cdist(x, y, .out = narrow) == narrow && ga_array_equal(narrow, ga_astype(want, GA_F32)));
        CHECK(ga_cdist(x, y, .out = complex) == complex && ga_array_equal(complex, want));
        ga_array *points = ga_copy(x); /* what is read is overwritten */
        CHECK(ga_cdist(points, y, .out = points) == points && ga_array_equal(points, want));
        ga_array *turned = ga_transpose(points);
        CHECK(ga_copyto(points, x) && ga_cdist(y, points, .out = turned) == turned && ga_array_equal(turned, ga_cdist(y, x)));
        ga_array *pairs = ga_zeros((36));
        CHECK(ga_pdist(x, .metric = GA_COSINE, .out = pairs) == pairs &&
              ga_array_equal(pairs, ga_pdist(x, .metric = GA_COSINE)));
    }
}

/* ---- special numbers, empty arrays ------------------------------------------------------------------------------- */

static void test_special(void)
{
    ga_scope {
        ga_array *x    = ga_reshape(ga_values(NAN, 1, 2, 1, NAN, 2, 1, 2, NAN, INFINITY, 1, 2, -INFINITY, 0, -0.0), (5, 3));
        ga_array *zero = ga_zeros((1, 3)), *there = ga_reshape(ga_values(INFINITY, 1, 1), (1, 3));
        for (int m = 0; m < METRICS; m++) { /* a NaN among the features wins, wherever it stands */
            const bool cosine = metrics[m] == GA_COSINE;
            CHECK_IS(ga_cdist(x, zero, .metric = metrics[m]), GA_F64, (5, 1), NAN, NAN, NAN, cosine ? NAN : INFINITY,
                     cosine ? NAN : INFINITY);
            CHECK_IS(ga_cdist(x, there, .metric = metrics[m]), GA_F64, (5, 1), NAN, NAN, NAN, NAN, cosine ? NAN : INFINITY);
        }
        ga_array *tiny = ga_reshape(ga_values(3e-200, 4e-200), (1, 2)), *huge = ga_reshape(ga_values(1e200, 1e200), (1, 2));
        CHECK_IS(ga_cdist(tiny, ga_zeros((1, 2))), GA_F64, (1, 1), 0); /* the squares are too small, as in SciPy */
        CHECK_IS(ga_cdist(tiny, ga_zeros((1, 2)), .metric = GA_CITYBLOCK), GA_F64, (1, 1), 3e-200 + 4e-200);
        CHECK_IS(ga_cdist(huge, ga_zeros((1, 2))), GA_F64, (1, 1), INFINITY);
        CHECK_IS(ga_cdist(huge, ga_negative(huge), .metric = GA_CHEBYSHEV), GA_F64, (1, 1), 2e200);
    }
    ga_scope { /* rounding never makes a cosine distance negative, or larger than 2 */
        ga_array *x = ga_random_normal(0, 1, (test_small() ? 20 : 300, 7), .seed = 6);
        for (int t = 0; t < 2; t++) {
            ga_array *points = ga_astype(x, t ? GA_F32 : GA_F64);
            ga_array *same   = ga_diagonal(ga_cdist(points, ga_multiply(points, 3), .metric = GA_COSINE), 0);
            ga_array *back   = ga_diagonal(ga_cdist(points, ga_multiply(points, -7), .metric = GA_COSINE), 0);
            CHECK(ga_item(ga_min(same)) == 0 && ga_item(ga_max(same)) < (t ? 1e-6 : 1e-15));
            CHECK(ga_item(ga_max(back)) == 2 && ga_item(ga_min(back)) > 2 - (t ? 1e-6 : 1e-15));
        }
    }
}

static void test_empty(void)
{
    ga_scope {
        ga_array *none = ga_zeros((0, 3)), *three = ga_ones((3, 3)), *blank = ga_zeros((3, 0)), *single = ga_ones((1, 3));
        ga_array *nothing = ga_zeros((0, 0));
        for (int m = 0; m < METRICS; m++) {
            double    v = metrics[m] == GA_COSINE ? NAN : 0;
            ga_array *a = ga_cdist(none, three, .metric = metrics[m]), *b = ga_cdist(three, none, .metric = metrics[m]);
            CHECK(a && a->ndim == 2 && a->shape[0] == 0 && a->shape[1] == 3 && a->dtype == GA_F64);
            CHECK(b && b->shape[0] == 3 && b->shape[1] == 0);
            CHECK_IS(ga_cdist(blank, ga_zeros((2, 0)), .metric = metrics[m]), GA_F64, (3, 2), v, v, v, v, v, v);
            CHECK_IS(ga_pdist(blank, .metric = metrics[m]), GA_F64, (3), v, v, v);
            const ga_array *few[] = { none, single, nothing };
            for (int k = 0; k < 3; k++) {
                ga_array *p = ga_pdist(few[k], .metric = metrics[m]);
                CHECK(p && p->ndim == 1 && p->shape[0] == 0 && p->dtype == GA_F64);
            }
            CHECK(ga_same_shape(ga_cdist(nothing, nothing, .metric = metrics[m]), nothing));
        }
    }
}

/* ---- squareform -------------------------------------------------------------------------------------------------- */

static void test_squareform(void)
{
    ga_scope {
        CHECK_IS(ga_squareform(ga_ints(1, 2, 3)), GA_I64, (3, 3), 0, 1, 2, 1, 0, 3, 2, 3, 0);
        ga_array *m = ga_reshape(ga_values(0, 1, 2, 1, 0, 3, 2, 3, 0), (3, 3));
        CHECK_IS(ga_squareform(m), GA_F64, (3), 1, 2, 3);
        CHECK_IS(ga_squareform(ga_values(5)), GA_F64, (2, 2), 0, 5, 5, 0);
        CHECK_IS(ga_squareform(ga_scalar(5.0)), GA_F64, (2, 2), 0, 5, 5, 0); /* as SciPy takes a number */
        CHECK_IS(ga_squareform(ga_zeros((0), .dtype = GA_I16)), GA_I16, (1, 1), 0);
        ga_array *one_point = ga_squareform(ga_zeros((1, 1), .dtype = GA_F32)), *none = ga_squareform(ga_zeros((0, 0)));
        CHECK(one_point && one_point->ndim == 1 && one_point->size == 0 && one_point->dtype == GA_F32);
        CHECK(none && none->ndim == 1 && none->size == 0);

        ga_array *lopsided = ga_reshape(ga_values(7, 1, NAN, 4), (2, 2));
        CHECK_IS(ga_squareform(lopsided, .checks = false), GA_F64, (1), 1);
    }
    for (int64_t n = 2; n <= (test_small() ? 40 : 130); n += n < 40 ? 7 : 31)
        for (int d = GA_BOOL; d < TEST_DTYPES; d++)
            ga_scope { /* there and back; views; what pdist and cdist agree on */
                ga_array *points = ga_random((n, 2), .seed = (uint64_t)n);
                ga_array *v = ga_astype(ga_multiply(ga_pdist(points), 100), (ga_dtype)d), *m = ga_squareform(v);
                ga_array *rows = ga_broadcast_to(ga_index(v, "newaxis"), (2, v->size)), *back = ga_index(rows, "1, ::-1");
                CHECK(m && m->dtype == (ga_dtype)d && m->shape[0] == n && m->shape[1] == n && ga_is_contiguous(m));
                CHECK(ga_array_equal(m, ga_transpose(m)) && ga_array_equal(ga_squareform(m), v));
                CHECK(ga_array_equal(ga_squareform(ga_transpose(m)), v));
                CHECK(ga_array_equal(ga_squareform(back), ga_squareform(ga_copy(back))));
                if (d == GA_F64) CHECK(ga_array_equal(ga_squareform(ga_pdist(points)), ga_cdist(points, points)));
            }
}

int main(void)
{
    test_begin();
    test_known();
    test_chain();
    test_large();
    test_dtypes();
    test_views();
    test_out();
    test_special();
    test_empty();
    test_squareform();
    CHECK(ga_memory_stats().arrays == 0 && !ga_error());
    return test_end();
}
