/* Distances: SciPy's results, the documented chain bit for bit, dtypes, views, special numbers, empty arrays, squareform. */
#include "test.h"

static const ga_metric metrics[] = { GA_EUCLIDEAN, GA_SQEUCLIDEAN, GA_CITYBLOCK, GA_CHEBYSHEV, GA_COSINE };
enum { METRICS = sizeof metrics / sizeof *metrics };
static const ga_metric chained[] = { GA_EUCLIDEAN, GA_SQEUCLIDEAN, GA_CITYBLOCK, GA_CHEBYSHEV,
                                     GA_COSINE,    GA_BRAYCURTIS,  GA_CANBERRA,  GA_HAMMING };
enum { CHAINED = sizeof chained / sizeof *chained };

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
    double d = x - y, both = fabs(x) + fabs(y);
    switch (metric) {
    case GA_BRAYCURTIS:
    case GA_CITYBLOCK: return sum + fabs(d);
    case GA_CANBERRA: return sum + fabs(d) / (both == 0 ? 1 : both);
    case GA_HAMMING: return x != y ? sum + 1 : sum;
    case GA_CHEBYSHEV: return sum > fabs(d) || isnan(sum) ? sum : fabs(d);
    case GA_COSINE: return fma(x, y, sum);
    default: return fma(d, d, sum);
    }
}

static float add_f32(ga_metric metric, float sum, float x, float y)
{
    float d = x - y, both = fabsf(x) + fabsf(y);
    switch (metric) {
    case GA_BRAYCURTIS:
    case GA_CITYBLOCK: return sum + fabsf(d);
    case GA_CANBERRA: return sum + fabsf(d) / (both == 0 ? 1 : both);
    case GA_HAMMING: return x != y ? sum + 1 : sum;
    case GA_CHEBYSHEV: return sum > fabsf(d) || isnan(sum) ? sum : fabsf(d);
    case GA_COSINE: return fmaf(x, y, sum);
    default: return fmaf(d, d, sum);
    }
}

/* As the documentation has it: one feature after the other, in the dtype of the result. */
static double one_f64(ga_metric metric, int64_t features, const double *x, const double *y)
{
    double sum = 0, other = 0, xx = 0, yy = 0;
    for (int64_t k = 0; k < features; k++) {
        sum   = add_f64(metric, sum, x[k], y[k]);
        other = add_f64(metric, other, x[k], -y[k]);
        xx    = fma(x[k], x[k], xx);
        yy    = fma(y[k], y[k], yy);
    }
    if (metric == GA_EUCLIDEAN) return sqrt(sum);
    if (metric == GA_BRAYCURTIS) return sum / other;
    if (metric == GA_HAMMING) return sum / (double)features;
    if (metric != GA_COSINE) return sum;
    double lengths = sqrt(xx) * sqrt(yy), ratio = sum / lengths;
    return isnan(ratio) ? ratio : 1 - fmin(fmax(ratio, -1), 1);
}

static float one_f32(ga_metric metric, int64_t features, const float *x, const float *y)
{
    float sum = 0, other = 0, xx = 0, yy = 0;
    for (int64_t k = 0; k < features; k++) {
        sum   = add_f32(metric, sum, x[k], y[k]);
        other = add_f32(metric, other, x[k], -y[k]);
        xx    = fmaf(x[k], x[k], xx);
        yy    = fmaf(y[k], y[k], yy);
    }
    if (metric == GA_EUCLIDEAN) return sqrtf(sum);
    if (metric == GA_BRAYCURTIS) return sum / other;
    if (metric == GA_HAMMING) return sum / (float)features;
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
            for (int m = 0; m < CHAINED; m++)
                if (!CHECK(is_the_chain(chained[m], x, y)))
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
        CHECK(is_the_chain(GA_CANBERRA, x, y)); /* with weights */
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

/* ---- the other metrics ------------------------------------------------------------------------------------------------ */

static const ga_metric others[] = { GA_BRAYCURTIS,    GA_CANBERRA,    GA_CORRELATION, GA_HAMMING,
                                    GA_JENSENSHANNON, GA_MAHALANOBIS, GA_MINKOWSKI,   GA_SEUCLIDEAN };
enum { OTHERS = sizeof others / sizeof *others };

static bool is_near(const ga_array *a, double x) { return fabs(ga_item(a) - x) <= 1e-14 * fabs(x); }

/* Worked by hand, or SciPy's. */
static void test_others(void)
{
    ga_scope {
        ga_array *x = ga_reshape(ga_values(1, -2, 0, 0, 2, 2), (3, 2)), *y = ga_reshape(ga_values(3, 4, 0, 1), (2, 2));
        CHECK_IS(ga_cdist(x, y, .metric = GA_BRAYCURTIS), GA_F64, (3, 2), 8.0 / 6, 4.0 / 2, 1, 1, 3.0 / 11, 3.0 / 5);
        CHECK_IS(ga_cdist(x, y, .metric = GA_CANBERRA), GA_F64, (3, 2), 1.5, 2, 2, 1, 1.0 / 5 + 2.0 / 6, 1 + 1.0 / 3);
        CHECK_IS(ga_cdist(x, y, .metric = GA_HAMMING), GA_F64, (3, 2), 1, 1, 1, 0.5, 1, 1);
        CHECK_IS(ga_pdist(x, .metric = GA_HAMMING), GA_F64, (3), 1, 1, 1);
        CHECK_IS(ga_cdist(x, y, .metric = GA_CORRELATION), GA_F64, (3, 2), 2, 2, NAN, NAN, NAN, NAN);
        CHECK_IS(ga_cdist(x, y, .metric = GA_MINKOWSKI), GA_F64, (3, 2), sqrt(40), sqrt(10), 5, 1, sqrt(5), sqrt(5));
        CHECK_IS(ga_cdist(x, y, .metric = GA_MINKOWSKI, .p = 1), GA_F64, (3, 2), 8, 4, 7, 1, 3, 3);
        CHECK_IS(ga_cdist(x, y, .metric = GA_MINKOWSKI, .p = INFINITY), GA_F64, (3, 2), 6, 3, 4, 1, 2, 2);
        CHECK(is_near(ga_index(ga_cdist(x, y, .metric = GA_MINKOWSKI, .p = 3), "0, 0"), 6.0731779437513245));
        CHECK_IS(ga_pdist(x, .metric = GA_SEUCLIDEAN, .V = ga_values(0.25, 4)), GA_F64, (3), sqrt(5), sqrt(8), sqrt(17));
        CHECK_IS(ga_cdist(y, ga_reshape(ga_values(1, 3), (1, 2)), .metric = GA_SEUCLIDEAN), GA_F64, (2, 1),
                 sqrt(4 / (7.0 / 3) + 1 / (7.0 / 3)), sqrt(1 / (7.0 / 3) + 4 / (7.0 / 3)));
        ga_array *vi = ga_reshape(ga_values(2, 1, 0, 3), (2, 2));
        CHECK_IS(ga_cdist(x, y, .metric = GA_MAHALANOBIS, .VI = vi), GA_F64, (3, 2), sqrt(8 + 12 + 108), sqrt(2 - 3 + 27),
                 sqrt(18 + 12 + 48), sqrt(3), sqrt(2 + 2 + 12), sqrt(8 + 2 + 3));
        ga_array *p = ga_reshape(ga_values(1, 1, 2, 0, 0, 0, -1, 2), (4, 2)),
                 *d = ga_cdist(p, ga_index(p, ":2"), .metric = GA_JENSENSHANNON);
        CHECK(d && is_near(ga_index(d, "0, 1"), 0.46450140402245893) && is_near(ga_index(d, "1, 0"), 0.46450140402245893));
        CHECK_IS(ga_index(d, "2:"), GA_F64, (2, 2), INFINITY, INFINITY, INFINITY, INFINITY);
        CHECK(ga_item(ga_index(d, "0, 0")) == 0);
    }
}

/* What stands for V and VI, of all points together; in chunks too. */
static void test_variances(void)
{
    ga_scope {
        ga_array *x = ga_random((9, 3), .seed = 1, .device = GA_CPU), *y = ga_random((7, 3), .seed = 2, .device = GA_CPU);
        ga_array *all = ga_concatenate((x, y)), *v = ga_var(all, .axis = 0, .ddof = 1),
                 *vi = ga_inv(ga_cov(all, .rowvar = false));
        ga_array *cx = ga_chunked(x, 4, -1), *cy = ga_chunked(y, 4, -1);
        ga_array *w = ga_to(ga_values(1, 0.5, 2), GA_CPU), *cw = ga_chunked(w, 2);
        ga_array *r = ga_cdist(x, y, .metric = GA_SEUCLIDEAN), *s = ga_cdist(x, y, .metric = GA_MAHALANOBIS);
        CHECK(ga_allclose(r, ga_cdist(x, y, .metric = GA_SEUCLIDEAN, .V = v), .rtol = 1e-14));
        CHECK(ga_allclose(s, ga_cdist(x, y, .metric = GA_MAHALANOBIS, .VI = vi), .rtol = 1e-11));
        CHECK(ga_allclose(ga_compute(ga_cdist(cx, cy, .metric = GA_SEUCLIDEAN)), r, .rtol = 1e-14));
        CHECK(ga_allclose(ga_compute(ga_cdist(cx, cy, .metric = GA_MAHALANOBIS)), s, .rtol = 1e-11));
        ga_array *pairs = ga_pdist(x, .metric = GA_MAHALANOBIS, .VI = vi);
        CHECK(ga_array_equal(ga_compute(ga_pdist(cx, .metric = GA_MAHALANOBIS, .VI = vi)), pairs));
        pairs = ga_pdist(x, .metric = GA_SEUCLIDEAN, .V = v);
        CHECK(ga_array_equal(ga_compute(ga_pdist(cx, .metric = GA_SEUCLIDEAN, .V = v)), pairs));
        pairs = ga_cdist(x, y, .metric = GA_CANBERRA, .w = w);
        CHECK(ga_array_equal(ga_compute(ga_cdist(cx, cy, .metric = GA_CANBERRA, .w = cw)), pairs));
        CHECK(ga_array_equal(ga_compute(ga_cdist(x, y, .metric = GA_CANBERRA, .w = cw)), pairs));
        pairs = ga_cdist(x, y, .metric = GA_COSINE, .w = w);
        CHECK(ga_allclose(ga_compute(ga_cdist(cx, cy, .metric = GA_COSINE, .w = cw)), pairs));
        for (int m = 0; m < OTHERS; m++) {
            if (others[m] == GA_MAHALANOBIS || others[m] == GA_SEUCLIDEAN) continue;
            const double p = others[m] == GA_MINKOWSKI ? 3 : 2;
            ga_array    *d = ga_cdist(x, y, .metric = others[m], .p = p), *e = ga_cdist(cx, cy, .metric = others[m], .p = p);
            CHECK(ga_array_equal(ga_compute(e), d));
            CHECK(ga_array_equal(ga_compute(ga_pdist(cx, .metric = others[m], .p = p)),
                                 ga_pdist(x, .metric = others[m], .p = p)));
        }
    }
}

/* Weights: twice is as if the feature were there twice, 0 as if it were not there. */
static void test_weights(void)
{
    static const ga_metric takes[] = { GA_EUCLIDEAN,  GA_SQEUCLIDEAN, GA_CITYBLOCK,   GA_CHEBYSHEV, GA_COSINE,
                                       GA_BRAYCURTIS, GA_CANBERRA,    GA_CORRELATION, GA_HAMMING,   GA_MINKOWSKI };
    ga_array              *x = ga_random_integers(0, 8, (9, 3), .seed = 1), *y = ga_random_integers(0, 8, (7, 3), .seed = 2);
    for (size_t m = 0; m < sizeof takes / sizeof *takes; m++)
        ga_scope {
            const double    p = takes[m] == GA_MINKOWSKI ? 1.5 : 2;
            const ga_array *w = ga_values(2, 0, 1), *both = ga_ints(0, 0, 2);
            ga_array *want = ga_cdist(ga_take(x, both, .axis = 1), ga_take(y, both, .axis = 1), .metric = takes[m], .p = p);
            CHECK(ga_allclose(ga_cdist(x, y, .metric = takes[m], .p = p, .w = w), want, .equal_nan = true));
            ga_array *fx     = ga_astype(x, GA_F32),
                     *narrow = ga_cdist(fx, ga_astype(y, GA_F32), .metric = takes[m], .p = p, .w = w);
            CHECK(narrow && narrow->dtype == GA_F32 && ga_allclose(narrow, want, .atol = 1e-6, .equal_nan = true));
            want = ga_pdist(ga_take(x, both, .axis = 1), .metric = takes[m], .p = p);
            CHECK(ga_allclose(ga_pdist(x, .metric = takes[m], .p = p, .w = w), want, .equal_nan = true));
        }
    ga_free(x);
    ga_free(y);
}

/* A weight of 0 leaves out a difference whose square overflows, where SciPy does; the root is NaN there, too. */
static void test_weight_of_nothing(void)
{
    ga_scope {
        ga_array *x = ga_reshape(ga_values(1e200, 1), (1, 2)), *y = ga_reshape(ga_values(0, 3), (1, 2)), *w = ga_values(0, 1);
        ga_array *fx = ga_astype(ga_divide(x, 1e170), GA_F32), *fy = ga_zeros((1, 2), .dtype = GA_F32);
        CHECK(ga_item(ga_cdist(x, y, .metric = GA_SQEUCLIDEAN, .w = w)) == 4);
        CHECK(ga_item(ga_cdist(fx, fy, .metric = GA_SQEUCLIDEAN, .w = w)) == 0);
        CHECK(isnan(ga_item(ga_cdist(x, y, .w = w))) && isinf(ga_item(ga_cdist(x, y, .metric = GA_SQEUCLIDEAN))));
    }
}

/* Of points that differ in all features the share is 1, however sums of the weights are rounded. */
static void test_share_of_all(void)
{
    for (uint64_t seed = 1; seed <= 40; seed++)
        ga_scope {
            const int64_t n = seed % 2 ? 50 : 1100;
            ga_array     *x = ga_zeros((2, n)), *w = ga_random((n), .dtype = seed % 3 ? GA_F64 : GA_F32, .seed = seed);
            if (seed % 3 == 0) x = ga_astype(x, GA_F32);
            ga_array *y = ga_add(x, 1), *d = ga_cdist(x, y, .metric = GA_HAMMING, .w = w);
            CHECK(ga_item(ga_min(d)) == 1 && ga_item(ga_max(d)) == 1);
        }
}

/* Sums of small integers are exact, in whatever order. */
static void test_weighted_sums(void)
{
    static const int64_t shapes[][3] = { { 1, 1, 1 }, { 5, 9, 3 }, { 33, 3, 70 }, { 7, 34, 1100 }, { 3, 70, 0 } };
    for (size_t s = 0; s < 2 * sizeof shapes / sizeof *shapes; s++)
        ga_scope {
            const int64_t *n     = shapes[s / 2];
            const ga_dtype dtype = s % 2 ? GA_F32 : GA_F64;
            ga_array *x = ga_random_integers(0, 8, (n[0], n[2]), .seed = 1), *w = ga_random_integers(1, 4, (n[2]), .seed = 3);
            ga_array *y = ga_random_integers(0, 8, (n[1], n[2]), .seed = 2), *v = ga_power(ga_full((n[2]), 0.25), w);
            ga_array *fx = ga_astype(x, dtype), *fy = ga_astype(y, dtype), *fw = ga_index(w, "::-1");
            ga_array *d       = ga_subtract(ga_index(x, ":, newaxis"), y),
                     *squares = ga_sum(ga_multiply(ga_square(d), fw), .axis = 2);
            ga_array *lengths = ga_sum(ga_multiply(ga_absolute(d), fw), .axis = 2);
            ga_array *differ  = ga_sum(ga_multiply(ga_not_equal(d, 0), fw), .axis = 2);
            differ            = ga_divide(ga_astype(differ, dtype), ga_astype(ga_sum(w), dtype));
            CHECK(ga_array_equal(ga_cdist(fx, fy, .metric = GA_SQEUCLIDEAN, .w = fw), squares));
            CHECK(ga_array_equal(ga_cdist(fx, fy, .metric = GA_EUCLIDEAN, .w = fw), ga_sqrt(ga_astype(squares, dtype))));
            CHECK(ga_array_equal(ga_cdist(fx, fy, .metric = GA_CITYBLOCK, .w = fw), lengths));
            CHECK(ga_array_equal(ga_cdist(fx, fy, .metric = GA_HAMMING, .w = fw), differ, .equal_nan = true));
            squares = ga_sum(ga_divide(ga_square(d), v), .axis = 2);
            CHECK(ga_array_equal(ga_cdist(fx, fy, .metric = GA_SEUCLIDEAN, .V = v), ga_sqrt(ga_astype(squares, dtype))));
            ga_array *both = ga_sum(ga_multiply(ga_absolute(ga_add(ga_index(x, ":, newaxis"), y)), fw), .axis = 2);
            both           = ga_divide(ga_astype(lengths, dtype), ga_astype(both, dtype));
            CHECK(ga_array_equal(ga_cdist(fx, fy, .metric = GA_BRAYCURTIS, .w = fw), both, .equal_nan = true));
        }
}

/* Tiles of few rows and columns, pairs, dtypes, views and .out: one distance after the other is the same. */
static void test_tiles(void)
{
    static const int64_t shapes[][3] = { { 3, 4, 2 }, { 70, 50, 3 }, { 2, 3, 1100 }, { 300, 400, 5 }, { 1, 2, 200000 } };
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int m = 0; m < 2 * OTHERS; m++)
            ga_scope {
                const int64_t *n = shapes[s];
                if (test_small() && n[0] * n[1] * n[2] > 30000) break;
                if (others[m / 2] == GA_MAHALANOBIS && n[2] > 5) continue;
                const ga_dtype dtype = m % 2 ? GA_F32 : GA_F64;
                const double   p     = others[m / 2] == GA_MINKOWSKI ? 3 : 2;
                ga_array      *x     = ga_random((n[0], n[2]), .dtype = dtype, .seed = 1),
                         *y          = ga_random((n[1], n[2]), .dtype = dtype, .seed = 2);
                const ga_array *v    = others[m / 2] == GA_SEUCLIDEAN ? ga_ones((n[2])) : GA_NO_ARRAY,
                               *vi   = others[m / 2] == GA_MAHALANOBIS ? ga_eye(n[2], n[2], 0) : GA_NO_ARRAY;
#define TO(x, y) ga_cdist(x, y, .metric = others[m / 2], .p = p, .V = v, .VI = vi)
                ga_array *all = TO(x, y), *last = ga_index(all, "-1:, -1:"), *first = ga_index(all, ":1, :1");
                CHECK(all && all->dtype == dtype);
                CHECK(ga_array_equal(TO(ga_index(x, "-1:"), ga_index(y, "-1:")), last));
                CHECK(ga_array_equal(TO(ga_index(x, ":1"), ga_index(y, ":1")), first));
                ga_array *out = ga_zeros((n[0], 2 * n[1])), *every = ga_index(out, ":, ::2");
                CHECK(ga_cdist(x, y, .metric = others[m / 2], .p = p, .V = v, .VI = vi, .out = every) == every);
                CHECK(ga_array_equal(every, all) && ga_item(ga_sum(ga_index(out, ":, 1::2"))) == 0);
                ga_array *square = TO(y, y), *pairs = ga_pdist(y, .metric = others[m / 2], .p = p, .V = v, .VI = vi);
                CHECK(ga_array_equal(pairs, ga_squareform(square, .checks = false)));
                CHECK(ga_array_equal(TO(ga_index(x, "::-1"), ga_index(y, "::-1")), ga_index(all, "::-1, ::-1")));
            }
}

/* NaN, empty arrays, no features; zeros and infinities, as in SciPy. */
static void test_others_special(void)
{
    ga_scope {
        ga_array *x = ga_reshape(ga_values(0, 0, -0.0, 0, INFINITY, 1, 5e-324, -1e308), (4, 2)),
                 *y = ga_reshape(ga_values(0, -0.0, INFINITY, 1, 0, 1e308), (3, 2)), *v = ga_values(0, 4);
        CHECK_IS(ga_cdist(x, y, .metric = GA_CANBERRA), GA_F64, (4, 3), 0, NAN, 1, 0, NAN, 1, NAN, NAN, NAN, 2, NAN, NAN);
        CHECK_IS(ga_cdist(x, y, .metric = GA_HAMMING), GA_F64, (4, 3), 0, 1, 0.5, 0, 1, 0.5, 1, 0, 1, 1, 1, 1);
        CHECK_IS(ga_cdist(x, y, .metric = GA_BRAYCURTIS), GA_F64, (4, 3), NAN, NAN, 1, NAN, NAN, 1, NAN, NAN, NAN, 1, NAN,
                 INFINITY);
        CHECK_IS(ga_cdist(y, y, .metric = GA_SEUCLIDEAN, .V = v), GA_F64, (3, 3), NAN, INFINITY, NAN, INFINITY, NAN, INFINITY,
                 NAN, INFINITY, NAN);
        ga_array *near = ga_cdist(ga_zeros((1, 1)), ga_full((1, 1), 1e-155), .metric = GA_SEUCLIDEAN, .V = ga_values(1e-310));
        CHECK(fabs(ga_item(near) - 1) < 1e-14); /* 1 / V is beyond float64 */
    }
    ga_scope {
        ga_array *x = ga_reshape(ga_values(1, NAN, 3, 4, 5, 7), (3, 2)), *none = ga_zeros((0, 2)), *blank = ga_zeros((2, 0));
        for (int m = 0; m < OTHERS; m++) {
            const double    p = others[m] == GA_MINKOWSKI ? 3 : 2, no = others[m] == GA_HAMMING ? 1 : NAN;
            const ga_array *vi = others[m] == GA_MAHALANOBIS ? ga_eye(2, 2, 0) : GA_NO_ARRAY,
                           *v  = others[m] == GA_SEUCLIDEAN ? ga_ones((2)) : GA_NO_ARRAY;
            ga_array *r        = ga_cdist(x, x, .metric = others[m], .p = p, .V = v, .VI = vi);
            CHECK_IS(ga_index(r, "0, 1:"), GA_F64, (2), no, no);
            CHECK(ga_item(ga_index(r, "1, 2")) == ga_item(ga_index(r, "2, 1")));
            r = ga_cdist(x, none, .metric = others[m], .p = p, .V = v, .VI = vi);
            CHECK(r && r->shape[0] == 3 && r->shape[1] == 0);
            r = ga_pdist(none, .metric = others[m], .p = p, .V = v, .VI = vi);
            CHECK(r && r->ndim == 1 && r->size == 0);
            const bool zero = others[m] == GA_CANBERRA || others[m] >= GA_MAHALANOBIS;
            double     want = zero ? 0 : others[m] == GA_JENSENSHANNON ? INFINITY : NAN;
            CHECK_IS(ga_pdist(blank, .metric = others[m], .p = p), GA_F64, (1), want);
        }
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
    test_others();
    test_variances();
    test_weights();
    test_share_of_all();
    test_weight_of_nothing();
    test_weighted_sums();
    test_tiles();
    test_others_special();
    CHECK(ga_memory_stats().arrays == 0 && !ga_error());
    return test_end();
}
