/* Distances on the GPU: the same bits as on the CPU, whatever the sizes beside the kernels' tiles.
   The implementation must be built with CUDA (nvcc, or g++ with tools/cudasim). */
#include "test.h"

static const ga_metric metrics[] = { GA_EUCLIDEAN, GA_SQEUCLIDEAN, GA_CITYBLOCK, GA_CHEBYSHEV, GA_COSINE };
enum { METRICS = sizeof metrics / sizeof *metrics };

/* Points with ordinary coordinates, and where wild some that are 0, infinite or NaN. */
static ga_array *points(int64_t n, int64_t features, ga_dtype dtype, bool wild, uint64_t seed)
{
    ga_array *result = NULL;
    ga_scope {
        ga_array *x = ga_random_normal(1, 10, (n, features), .seed = seed, .device = GA_CPU);
        if (wild) {
            ga_array *kind = ga_random_integers(0, 60, (n, features), .seed = seed + 1, .device = GA_CPU);
            ga_copyto(x, 0, .where = ga_less(kind, 6));
            ga_copyto(x, INFINITY, .where = ga_equal(kind, 7));
            ga_copyto(x, NAN, .where = ga_equal(kind, 8));
            ga_copyto(x, -0.0, .where = ga_equal(kind, 9));
        }
        result = ga_keep(ga_astype(x, dtype));
    }
    return result;
}

static bool same_distances(const ga_array *x, const ga_array *y)
{
    bool      ok = true;
    ga_array *gx = ga_to(x, GA_CUDA), *gy = ga_to(y, GA_CUDA);
    for (int m = 0; m < METRICS; m++) {
        ok = test_same_freed(ga_cdist(x, y, .metric = metrics[m]), ga_cdist(gx, gy, .metric = metrics[m])) && ok;
        ok = test_same_freed(ga_pdist(x, .metric = metrics[m]), ga_pdist(gx, .metric = metrics[m])) && ok;
    }
    ga_free(gx);
    ga_free(gy);
    return ok;
}

/* The other metrics, and weights. */
static void test_others(void)
{
    static const int64_t shapes[][3] = { { 1, 1, 1 }, { 2, 3, 0 }, { 0, 3, 2 }, { 30, 40, 3 }, { 17, 5, 33 }, { 2, 3, 1100 } };
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int m = GA_EUCLIDEAN; m <= GA_SEUCLIDEAN; m++)
            for (int weighted = 0; weighted < 2; weighted++)
                ga_scope {
                    const int64_t *n     = shapes[s];
                    const bool     takes = m != GA_JENSENSHANNON && m != GA_MAHALANOBIS && m != GA_SEUCLIDEAN;
                    const ga_dtype dtype = m % 2 == weighted ? GA_F32 : GA_F64;
                    const double   p     = m == GA_MINKOWSKI ? 1.5 : 2;
                    if (m == GA_MAHALANOBIS && n[2] > 40) continue;
                    if (weighted ? !takes : m < GA_BRAYCURTIS) continue;
                    ga_array *x = points(n[0], n[2], dtype, weighted, s + 1), *y = points(n[1], n[2], dtype, false, s + 9);
                    const ga_array *w = weighted ? ga_random((n[2]), .seed = 3, .device = GA_CPU) : GA_NO_ARRAY;
                    const ga_array *vi =
                        m == GA_MAHALANOBIS ? ga_random((n[2], n[2]), .seed = 4, .device = GA_CPU) : GA_NO_ARRAY;
                    const ga_array *gw = weighted ? ga_to(w, GA_CUDA) : GA_NO_ARRAY, *gx = ga_to(x, GA_CUDA),
                                   *gvi = m == GA_MAHALANOBIS ? ga_to(vi, GA_CUDA) : GA_NO_ARRAY;
                    if (!CHECK(test_same_freed(
                            ga_cdist(x, y, .metric = (ga_metric)m, .p = p, .w = w, .VI = vi),
                            ga_cdist(gx, ga_to(y, GA_CUDA), .metric = (ga_metric)m, .p = p, .w = gw, .VI = gvi))) ||
                        !CHECK(test_same_freed(ga_pdist(x, .metric = (ga_metric)m, .p = p, .w = w, .VI = vi),
                                               ga_pdist(gx, .metric = (ga_metric)m, .p = p, .w = gw, .VI = gvi))))
                        printf("     metric %d, %d weights, shape %d\n", m, weighted, (int)s);
                }
    ga_scope { /* what stands for .VI is of all points */
        ga_array *x = points(30, 4, GA_F64, false, 1);
        CHECK(test_same_freed(ga_pdist(x, .metric = GA_MAHALANOBIS), ga_pdist(ga_to(x, GA_CUDA), .metric = GA_MAHALANOBIS)));
    }
}

static void test_sizes(void)
{
    static const int64_t shapes[][3] = { { 1, 1, 1 },     { 2, 3, 0 },      { 0, 3, 2 },    { 3, 0, 2 },    { 1, 130, 16 },
                                         { 130, 1, 15 },  { 63, 64, 17 },   { 64, 65, 16 }, { 65, 63, 31 }, { 128, 129, 1 },
                                         { 200, 70, 3 },  { 5, 7, 500 },    { 64, 64, 32 }, { 16, 17, 33 }, { 1, 1, 1000 },
                                         { 300, 260, 9 }, { 129, 191, 100 } };
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int kind = 0; kind < 4; kind++) {
            const int64_t *n = shapes[s];
            if (test_small() && n[0] * n[1] * (n[2] + 20) > 150000) continue;
            ga_array *x = points(n[0], n[2], kind % 2 ? GA_F32 : GA_F64, kind / 2, 10 * s + 1);
            ga_array *y = points(n[1], n[2], kind % 2 ? GA_F32 : GA_F64, kind / 2, 10 * s + 5);
            if (!CHECK(same_distances(x, y)))
                printf("     (%lld, %lld) points of %lld features, kind %d\n", (long long)n[0], (long long)n[1],
                       (long long)n[2], kind);
            ga_free(x);
            ga_free(y);
        }
}

static void test_dtypes_and_views(void)
{
    static const char *const views[] = { "::-1, ::-1", "::2, 1:", "3:, ::2", "5:6, :" };
    for (int d = GA_BOOL; d <= GA_F64; d++)
        ga_scope {
            ga_array *x = ga_astype(points(20, 6, GA_F64, false, (uint64_t)d), (ga_dtype)d), *gx = ga_to(x, GA_CUDA);
            ga_array *y = points(30, 6, GA_F32, false, 99), *gy = ga_to(y, GA_CUDA);
            CHECK(test_same_freed(ga_cdist(x, y, .metric = GA_CITYBLOCK), ga_cdist(gx, gy, .metric = GA_CITYBLOCK)));
            CHECK(test_same_freed(ga_pdist(x, .metric = GA_COSINE), ga_pdist(gx, .metric = GA_COSINE)));
            for (int v = 0; v < 4; v++) {
                ga_array *a = ga_index(x, views[v]), *b = ga_index(gx, views[v]);
                CHECK(test_same_freed(ga_cdist(a, a), ga_cdist(b, b)));
                CHECK(test_same_freed(ga_pdist(ga_transpose(a)), ga_pdist(ga_transpose(b))));
            }
            ga_array *a = ga_broadcast_to(ga_index(x, "1"), (70, 6)), *b = ga_broadcast_to(ga_index(gx, "1"), (70, 6));
            CHECK(test_same_freed(ga_cdist(a, y), ga_cdist(b, gy)));
            ga_array *out = ga_zeros((20, 60), .device = GA_CUDA), *every = ga_index(out, ":, 1::2");
            CHECK(ga_cdist(gx, gy, .out = every) == every && ga_item(ga_max(ga_index(out, ":, ::2"))) == 0);
            CHECK(test_same_freed(ga_astype(ga_cdist(x, y), GA_F64), ga_copy(every)));
        }
}

static void test_squareform(void)
{
    static const int64_t  sizes[]  = { 2, 3, 31, 32, 33, 64, 100, 300 };
    static const ga_dtype dtypes[] = { GA_U8, GA_I16, GA_F32, GA_F64, GA_C128 };
    for (int s = 0; s < (test_small() ? 6 : 8); s++)
        for (int d = 0; d < 5; d++)
            ga_scope {
                int64_t   n     = sizes[s];
                ga_array *whole = ga_random_integers(0, 200, (n * (n - 1) / 2), .seed = 1, .device = GA_CPU);
                ga_array *v = ga_astype(whole, dtypes[d]), *g = ga_to(v, GA_CUDA), *m = ga_squareform(v),
                         *gm = ga_squareform(g);
                CHECK(test_same_freed(ga_squareform(m), ga_squareform(gm)));
                CHECK(test_same_freed(ga_squareform(ga_index(m, "::-1, ::-1")), ga_squareform(ga_index(gm, "::-1, ::-1"))));
                CHECK(test_same_freed(m, gm));
            }
}

/* Mixed devices and a matrix that holds no distances: the sentences of the CPU. */
static void test_errors(void)
{
    ga_scope {
        ga_array *x = ga_ones((3, 2), .device = GA_CPU), *g = ga_ones((3, 2), .device = GA_CUDA),
                 *m = ga_ones((3, 3), .device = GA_CUDA);
        ga_set_error_handler(ga_ignore_error, NULL);
        CHECK(!ga_cdist(x, g) && ga_error_status() == GA_BAD_DEVICE);
        ga_clear_error();
        CHECK(!ga_cdist(g, g, .out = ga_ones((3, 3), .device = GA_CPU)) && ga_error_status() == GA_BAD_DEVICE);
        ga_clear_error();
        CHECK(!ga_squareform(m) && strstr(ga_error(), "diagonal") != NULL);
        ga_clear_error();
        CHECK(ga_copyto(ga_index(m, "0, 1"), 2) && !ga_squareform(m) && strstr(ga_error(), "symmetric") != NULL);
        ga_clear_error();
        ga_set_error_handler(NULL, NULL);
    }
}

int main(void)
{
    ga_set_device(GA_CUDA);
    if (!test_on_gpu()) {
        test_skip("there is no GPU, or the library was built without CUDA", 1);
        return test_end();
    }
    test_sizes();
    test_others();
    test_dtypes_and_views();
    test_squareform();
    test_errors();
    CHECK(ga_memory_stats().arrays == 0 && !ga_error());
    return test_end();
}
