/* Sorting, unique, medians and percentiles on the GPU against the CPU, bit for bit. Built with an implementation that has CUDA (nvcc,
   or g++ with tools/cudasim); without a device it says that it skips. CUDA_ORDER_LARGE=1 adds long lines. */
#include "test.h"

/* How random numbers are spread: over all bit patterns, over a few values, or as a photograph's around one. */
typedef enum spread { SPREAD_BITS, SPREAD_FEW, SPREAD_NARROW, SPREAD_EQUAL, SPREADS } spread;

/* Some number; now and then an odd one: NaN with any payload, infinite, either zero. nan: may it be NaN? */
static double number_of(spread how, bool nan)
{
    double x;
    if (test_random() % 16 == 0 && how != SPREAD_EQUAL) {
        switch (test_random() % 6) {
        case 0: return 0.0;
        case 1: return -0.0;
        case 2: return INFINITY;
        case 3: return -INFINITY;
        default: return nan ? (double)NAN : 1;
        }
    }
    if (how == SPREAD_EQUAL) return 7;
    if (how == SPREAD_FEW) return (double)(test_random() % 7) - 3;
    if (how == SPREAD_NARROW) return 1000 + (double)(test_random() % 65536) / 4096;
    uint64_t bits = test_random();
    memcpy(&x, &bits, sizeof x);
    return isnan(x) && !nan ? 2.5 : x;
}

static void set_float(void *p, int size, double x)
{
    if (size == 8) {
        uint64_t payload = test_random() & 0x80000000000000ffull;
        memcpy(p, &x, 8);
        if (isnan(x)) memcpy(p, &(uint64_t){ 0x7ff8000000000000ull | payload }, 8);
    } else {
        float y = (float)x;
        memcpy(p, &y, 4);
        if (isnan(x)) memcpy(p, &(uint32_t){ 0x7fc00000u | (uint32_t)(test_random() & 0x800000ffu) }, 4);
    }
}

static ga_array *random_array(ga_dtype dtype, int ndim, const int64_t *shape, spread how, bool nan)
{
    ga_array *a    = ga_empty_n(ndim, shape, .dtype = dtype, .device = GA_CPU);
    int       size = (int)ga_itemsize(dtype), part = dtype == GA_C64 ? 4 : dtype == GA_C128 ? 8 : size;
    for (int64_t i = 0; i < a->size * (size / part); i++) {
        char    *p    = (char *)a->data + i * part;
        uint64_t bits = how == SPREAD_BITS ? test_random() : how == SPREAD_EQUAL ? 7 : test_random() % 7 - 3;
        if (dtype >= GA_F32) set_float(p, part, number_of(how, nan));
        else if (dtype == GA_BOOL) *p = (char)(bits & 1);
        else memcpy(p, &bits, (size_t)part);
    }
    return a;
}

/* Have both the same dtype, shape and bits? Each NaN may be any NaN where arithmetic made it. */
static bool same_bits(const ga_array *cpu, const ga_array *gpu, bool any_nan)
{
    if (!cpu || !gpu || cpu->dtype != gpu->dtype || !ga_same_shape(cpu, gpu) || gpu->device != GA_CUDA) return false;
    ga_array *here = ga_to(gpu, GA_CPU), *packed = ga_ascontiguous(cpu);
    int64_t   size = ga_itemsize(cpu->dtype);
    bool      ok   = here && packed;
    for (int64_t i = 0; ok && i < cpu->size; i++) {
        const char *x = (const char *)packed->data + i * size, *y = (const char *)here->data + i * size;
        ok = memcmp(x, y, (size_t)size) == 0;
        if (!ok && any_nan && cpu->dtype == GA_F32)
            ok = isnan(*(const float *)(const void *)x) && isnan(*(const float *)(const void *)y);
        if (!ok && any_nan && cpu->dtype == GA_F64)
            ok = isnan(*(const double *)(const void *)x) && isnan(*(const double *)(const void *)y);
        if (!ok)
            printf("     element %lld of %lld differs (%s)\n", (long long)i, (long long)cpu->size, ga_dtype_name(cpu->dtype));
    }
    ga_free(here);
    ga_free(packed);
    return ok;
}

static void check_same(const ga_array *cpu, ga_array *gpu, bool any_nan, const char *what, const ga_array *a, int axis)
{
    bool both_fail = !cpu && !gpu && ga_error(); /* percentiles of nothing */
    if (both_fail) ga_clear_error();
    if (!test_check(both_fail || same_bits(cpu, gpu, any_nan), __FILE__, __LINE__, what)) {
        printf("     %s of %s, %d dimensions, first of %lld, last of %lld, axis %d\n", what, ga_dtype_name(a->dtype), a->ndim,
               (long long)(a->ndim ? a->shape[0] : 1), (long long)(a->ndim ? a->shape[a->ndim - 1] : 1), axis);
        ga_clear_error();
    }
}

static void check_sorts(const ga_array *a, const ga_array *g, int axis)
{
    ga_scope {
        check_same(ga_sort(a, .axis = axis), ga_sort(g, .axis = axis), false, "sort", a, axis);
        check_same(ga_argsort(a, .axis = axis), ga_argsort(g, .axis = axis), false, "argsort", a, axis);
        for (int64_t kth = 0, n = a->shape[axis]; kth < n; kth += n / 2 + 1) {
            check_same(ga_partition(a, kth, axis), ga_partition(g, kth, axis), false, "partition", a, axis);
            check_same(ga_argpartition(a, kth, axis), ga_argpartition(g, kth, axis), false, "argpartition", a, axis);
        }
    }
}

static void check_unique(const ga_array *a, const ga_array *g)
{
    check_same(ga_unique(a), ga_unique(g), false, "unique", a, -1);
    for (int k = 0; k < 2; k++) {
        const bool same = k == 1;
        ga_scope {
            ga_array *i = NULL, *v = NULL, *n = NULL, *gi = NULL, *gv = NULL, *gn = NULL;
            ga_array *all = ga_unique(a, .index = &i, .inverse = &v, .counts = &n, .equal_nan = same);
            check_same(all, ga_unique(g, .index = &gi, .inverse = &gv, .counts = &gn, .equal_nan = same), false, "unique", a,
                       -1);
            check_same(i, gi, false, "unique's index", a, -1);
            check_same(v, gv, false, "unique's inverse", a, -1);
            check_same(n, gn, false, "unique's counts", a, -1);
            check_same(all, ga_unique(g, .counts = &gn, .equal_nan = same), false, "unique", a, -1);
            check_same(n, gn, false, "unique's counts alone", a, -1);
        }
    }
}

static void check_statistics(const ga_array *a, const ga_array *g)
{
    for (int skip = 0; skip < 2; skip++) {
        ga_statistics s = ga_describe(a, .skip_nan = skip != 0), t = ga_describe(g, .skip_nan = skip != 0);
        double        here[5] = { s.mean, s.median, s.std, s.min, s.max }, there[5] = { t.mean, t.median, t.std, t.min, t.max };
        ga_scope {
            CHECK(s.count == t.count);
            check_same(ga_from(here, (5), .device = GA_CPU), ga_from(there, (5), .device = GA_CUDA), true, "statistics", a,
                       skip);
        }
    }
}

static void check_quantiles(const ga_array *a, const ga_array *g, int axis)
{
    static const double percents[5] = { 37.5, 0, 100, 99.99, 50 };
    ga_scope {
        ga_array *q = ga_from(percents, (5), .device = GA_CPU), *single = ga_astype(q, GA_F32);
        check_same(ga_median(a, .axis = axis), ga_median(g, .axis = axis), true, "median", a, axis);
        check_same(ga_nanmedian(a, .axis = axis, .keepdims = true), ga_nanmedian(g, .axis = axis, .keepdims = true), true,
                   "nanmedian", a, axis);
        for (int method = GA_LINEAR; method <= GA_NORMAL_UNBIASED; method += test_small() ? 4 : 1) { /* the same kernels */
            ga_quantile_method m = (ga_quantile_method)method;
            check_same(ga_percentile(a, 30.1, .axis = axis, .method = m), ga_percentile(g, 30.1, .axis = axis, .method = m),
                       true, "percentile", a, axis);
            check_same(ga_nanpercentile(a, q, .axis = axis, .method = m), ga_nanpercentile(g, q, .axis = axis, .method = m),
                       true, "nanpercentile", a, axis);
            check_same(ga_percentile(a, single, .axis = axis, .method = m),
                       ga_percentile(g, ga_to(single, GA_CUDA), .axis = axis, .method = m), true,
                       "percentile of float32 numbers", a, axis);
        }
    }
}

/* Everything, of an array and of views of it. */
static void check_all(ga_dtype dtype, int ndim, const int64_t *shape, spread how, bool nan, bool views)
{
    ga_scope {
        ga_array *a = random_array(dtype, ndim, shape, how, nan), *g = ga_to(a, GA_CUDA);
        for (int axis = 0; axis < ndim; axis++) {
            check_sorts(a, g, axis);
            if (dtype < GA_C64) check_quantiles(a, g, axis);
        }
        check_unique(a, g);
        if (dtype < GA_C64) check_same(ga_median(a), ga_median(g), true, "median of all", a, -1);
        if (dtype < GA_C64) check_statistics(a, g);
        if (views && ndim == 2) {
            const ga_array *va[3] = { ga_transpose(a), ga_index(a, "::2, ::-1"), ga_index(a, "1:, 1::3") };
            const ga_array *vg[3] = { ga_transpose(g), ga_index(g, "::2, ::-1"), ga_index(g, "1:, 1::3") };
            for (int k = 0; k < 3; k++)
                for (int axis = 0; axis < 2; axis++) {
                    check_sorts(va[k], vg[k], axis);
                    if (dtype < GA_C64) check_quantiles(va[k], vg[k], axis);
                }
            check_unique(va[1], vg[1]);
        }
    }
}

static void check_lengths(int64_t most)
{
    static const int64_t lengths[] = { 1,    2,    3,    31,   32,   33,   255,   256,    257,   1023,
                                       1025, 2047, 2048, 2049, 4097, 5000, 33000, 100003, 300007 };
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths && lengths[k] <= most; k++)
        for (int dtype = GA_BOOL; dtype < TEST_DTYPES; dtype++) {
            spread how = (spread)((k + (size_t)dtype) % SPREADS);
            if (lengths[k] > (test_small() ? 1000 : 5000) && dtype != GA_U8 && dtype != GA_I16 && dtype != GA_I32 &&
                dtype != GA_F32 && dtype != GA_F64 && dtype != GA_C128)
                continue;
            check_all((ga_dtype)dtype, 1, &lengths[k], how, k % 2 == 0, false);
        }
}

static void check_shapes(void)
{
    static const int64_t shapes[][2] = { { 1, 1 },    { 5, 1 },    { 3, 7 },    { 40, 33 },  { 70, 3 },  { 9, 300 },
                                         { 5, 2100 }, { 2100, 3 }, { 3, 5000 }, { 2500, 2 }, { 1, 2050 } };
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        for (int dtype = GA_BOOL; dtype < TEST_DTYPES; dtype++) {
            bool large = shapes[k][0] * shapes[k][1] > 2000;
            if (large && test_small() && dtype != GA_F32 && dtype != GA_C128) continue;
            if (large && dtype != GA_U16 && dtype != GA_F32 && dtype != GA_I64 && dtype != GA_F64 && dtype != GA_C64 &&
                dtype != GA_C128)
                continue;
            check_all((ga_dtype)dtype, 2, shapes[k], (spread)((size_t)dtype % 3), k % 3 != 0, dtype >= GA_I64);
        }
}

/* Several axes at once, broadcasts, nothing at all, and results that go into .out. */
static void check_more(void)
{
    ga_scope {
        int64_t   shape[4] = { 4, 3, 5, 6 };
        ga_array *a = random_array(GA_F32, 4, shape, SPREAD_NARROW, false), *g = ga_to(a, GA_CUDA);
        check_same(ga_median(a, .axes = ga_axes(0, 2)), ga_median(g, .axes = ga_axes(0, 2)), true, "median over axes", a, 0);
        check_same(ga_percentile(a, 70, .axes = ga_axes(3, 1), .keepdims = true),
                   ga_percentile(g, 70, .axes = ga_axes(3, 1), .keepdims = true), true, "percentile over axes", a, 3);
        ga_array *wide  = ga_broadcast_to(ga_index(a, "0, 0"), (50, 5, 6)),
                 *gwide = ga_broadcast_to(ga_index(g, "0, 0"), (50, 5, 6));
        for (int axis = 0; axis < 3; axis++) {
            check_sorts(wide, gwide, axis);
            check_quantiles(wide, gwide, axis);
        }
        check_unique(wide, gwide);
        check_same(ga_median(wide, .axes = ga_axes(0, 1)), ga_median(gwide, .axes = ga_axes(0, 1)), true, "median", wide, 0);

        int64_t   tall[3] = { 90, 50, 7 };
        ga_array *b = random_array(GA_F64, 3, tall, SPREAD_BITS, true), *gb = ga_to(b, GA_CUDA);
        check_same(ga_nanmedian(b, .axes = ga_axes(0, 1)), ga_nanmedian(gb, .axes = ga_axes(0, 1)), true, "nanmedian over axes",
                   b, 0);
        check_same(ga_nanmedian(b, .axes = ga_axes(0, 2)), ga_nanmedian(gb, .axes = ga_axes(0, 2)), true, "nanmedian over axes",
                   b, 0);

        int64_t   none[2] = { 0, 3 };
        ga_array *e = random_array(GA_F32, 2, none, SPREAD_BITS, true), *ge = ga_to(e, GA_CUDA);
        check_sorts(e, ge, 0);
        check_sorts(e, ge, 1);
        check_unique(e, ge);
        check_same(ga_median(e, .axis = 0), ga_median(ge, .axis = 0), true, "median of nothing", e, 0);
        check_same(ga_median(e, .axis = 1), ga_median(ge, .axis = 1), true, "medians of nothing", e, 1);
        check_same(ga_nanpercentile(e, 5, .axis = 0), ga_nanpercentile(ge, 5, .axis = 0), true, "nanpercentile of nothing", e,
                   0);

        ga_array *many = ga_linspace(0, 100, 205, .device = GA_CPU);
        check_same(ga_percentile(b, many), ga_percentile(gb, many), true, "205 percentiles", b, -1);
        check_same(ga_nanpercentile(b, many, .axis = 1), ga_nanpercentile(gb, many, .axis = 1), true, "205 percentiles", b, 1);
        check_same(ga_percentile(a, many, .axis = 0), ga_percentile(g, many, .axis = 0), true, "205 percentiles", a, 0);

        ga_array *out = ga_zeros((4, 3, 6), .dtype = GA_F64), *gout = ga_to(out, GA_CUDA);
        check_same(ga_median(a, .axis = 2, .out = out), ga_median(g, .axis = 2, .out = gout), true, "median into .out", a, 2);
        check_same(ga_sort(a, .axis = 1, .out = a), ga_sort(g, .axis = 1, .out = g), false, "sort in place", a, 1);
    }
}

/* A line that is long enough for the ways of long ones: keys alone, many quantiles. */
static void check_long(void)
{
    static const ga_dtype dtypes[] = { GA_U8, GA_I16, GA_F32, GA_F64 };
    ga_scope {
        ga_array *many = ga_linspace(0, 100, 40, .device = GA_CPU);
        for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++) {
            int64_t   n = (1 << 20) + 77;
            ga_array *a = random_array(dtypes[k], 1, &n, k % 2 ? SPREAD_BITS : SPREAD_NARROW, true), *g = ga_to(a, GA_CUDA);
            check_sorts(a, g, 0);
            check_quantiles(a, g, 0);
            check_same(ga_nanpercentile(a, many), ga_nanpercentile(g, many), true, "40 percentiles", a, 0);
        }
    }
}

static void check_errors(void)
{
    ga_scope {
        ga_array *a = ga_ones((4, 5), .dtype = GA_C64, .device = GA_CPU), *g = ga_to(a, GA_CUDA);
        CHECK(ga_median(g) == NULL && strstr(ga_error(), "complex numbers have no order"));
        ga_clear_error();
        CHECK(ga_sort(g, .axis = 2) == NULL && ga_error());
        ga_clear_error();
        CHECK(ga_percentile(ga_real(g), 101) == NULL && strstr(ga_error(), "percentiles lie between 0 and 100"));
        ga_clear_error();
    }
}

static void quiet(ga_status status, const char *sentence, void *user)
{
    (void)status;
    (void)sentence;
    (void)user;
}

int main(void)
{
    ga_set_error_handler(quiet, NULL);
    ga_array *probe = ga_zeros((1), .device = GA_CUDA);
    if (!probe) {
        printf("SKIP every test of sorting and medians on the GPU: %s\n", ga_error());
        test_skipped++;
        return test_end();
    }
    ga_free(probe);
    bool large = getenv("CUDA_ORDER_LARGE") != NULL;
    check_lengths(large ? INT64_MAX : test_small() ? 2049 : 5000);
    check_shapes();
    check_more();
    if (large) check_long();
    check_errors();
    return test_end();
}
