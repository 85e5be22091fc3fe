/*  bits.c -- prints one hash of the results of every kind of operation. It must be the same for every compiler, optimisation level,
    instruction set (GPUARR_ISA) and number of threads (GPUARR_NUM_THREADS), and on the GPU (GPUARR_TEST_DEVICE=cuda); tests/run.sh
    compares. NaN counts as one value.                                                                                      */
#include "test.h"

static uint64_t hash = 1469598103934665603u;

static void add_bytes(const void *p, size_t n)
{
    const unsigned char *c = (const unsigned char *)p;
    for (size_t i = 0; i < n; i++) hash = (hash ^ c[i]) * 1099511628211u;
}

static void add_elements(const ga_array *a)
{
    ga_array *packed = test_to_cpu(a);
    if (!packed) {
        printf("FAIL %s\n", ga_error());
        exit(1);
    }
    add_bytes(packed->data, (size_t)(packed->size * ga_itemsize(packed->dtype)));
    ga_free(packed);
}

static const char *only; /* argv[1]: print the hash after each step, to find a difference */

static void add(const char *what, ga_array *a)
{
    if (!a) {
        printf("FAIL %s: %s\n", what, ga_error() ? ga_error() : "no result");
        exit(1);
    }
    bool real = a->dtype == GA_F32 || a->dtype == GA_F64;
    if (real) { /* every NaN is the same */
        ga_array *nan = ga_isnan(a), *same = ga_where(nan, 12345, a);
        add_elements(same);
        ga_free(nan);
        ga_free(same);
    } else {
        add_elements(a);
    }
    ga_free(a);
    if (only) printf("%016llx %s\n", (unsigned long long)hash, what);
}

/* Numbers of every size, from ordinary to infinite. */
static ga_array *numbers(ga_dtype d, int64_t n, uint64_t seed)
{
    ga_array *result = NULL;
    ga_scope {
        if (d == GA_F32 || d == GA_F64) {
            ga_array *bits  = ga_view_as(ga_random_integers(0, INT64_MAX, (n), .seed = seed), GA_U64);
            ga_array *wild  = ga_view_as(ga_copy(bits), GA_F64);
            ga_array *tame  = ga_random_normal(0, 10, (n), .seed = seed + 1);
            ga_array *third = ga_equal(ga_remainder(ga_arange(0, n, 1), 3), 0);
            result          = ga_keep(ga_astype(ga_where(third, wild, tame), d));
        } else {
            result = ga_keep(ga_astype(ga_random_integers(-100, 100, (n), .seed = seed), d));
        }
    }
    return result;
}

int main(int argc, char **argv)
{
    only                  = argc > 1 ? argv[1] : NULL;
    const int64_t sizes[] = { 1, 7, 1025, 1023, 1024, 70001 }, rows = test_small() ? 30 : 300;
    const size_t  count = test_small() ? 3 : sizeof sizes / sizeof *sizes;
    test_begin();
    for (int i = GA_BOOL; i < GA_DTYPE_COUNT; i++) {
        const ga_dtype d = (ga_dtype)i;
        for (size_t s = 0; s < count; s++) {
            ga_array *x = numbers(d, sizes[s], 1), *y = numbers(d, sizes[s], 2), *z = numbers(d, sizes[s], 3);
            ga_array *nine = ga_index(y, ":9"), *two = ga_index(y, "-2:");
            ga_set_error_handler(ga_ignore_error, NULL); /* rows that the dtype does not have say so */
#define ADD(name, call)                                                                                                        \
    {                                                                                                                          \
        ga_array *r = call;                                                                                                    \
        if (r) add(#name, r);                                                                                                  \
        else ga_clear_error();                                                                                                 \
    }
#define GA_UNARY(name, ...)       ADD(name, ga_##name(x))
#define GA_ELEMENTARY(name, ...)  ADD(name, ga_##name(x))
#define GA_BINARY(name, ...)      ADD(name, ga_##name(x, y))
#define GA_ELEMENTARY2(name, ...) ADD(name, ga_##name(x, y))
#define GA_TERNARY(name, ...)     ADD(name, ga_##name(x, y, z))
#define GA_FOLD(name, ...)        ADD(name, ga_##name(x))
#define GA_TABLE
#include "gpuarr.h"
            static const double exponents[] = { -1, 0.5, 1.5, 2, 3, 2.25 };
            for (int k = 0; k < 6; k++) ADD(power of a number, ga_power(x, exponents[k]))
            ADD(dot, ga_dot(x, y))
            ADD(var, ga_var(x))
            ADD(nanstd, ga_nanstd(x))
            ADD(argmax, ga_argmax(x))
            ADD(cumsum, ga_cumsum(x))
            ADD(median, ga_median(x))
            ADD(sort, ga_sort(x))
            ADD(argsort, ga_argsort(x))
            ADD(convolve, ga_convolve(x, nine))
            ADD(correlate1d, ga_correlate1d(x, two, .border = GA_BORDER_MIRROR))
            for (int to = GA_BOOL; to < GA_DTYPE_COUNT; to++) ADD(astype, ga_astype(x, (ga_dtype)to))
            ga_set_error_handler(NULL, NULL);
            ga_free(x);
            ga_free(y);
            ga_free(z);
            ga_free(nine);
            ga_free(two);
        }
    }
    ga_scope { /* two dimensions, strides, broadcasting, pictures */
        ga_array *a = ga_random_normal(0, 1, (rows, 257), .seed = 5), *f = ga_astype(a, GA_F32);
        add("sum 0", ga_sum(a, .axis = 0));
        add("sum 1", ga_sum(f, .axis = 1));
        add("std 0", ga_std(f, .axis = 0));
        add("mean T", ga_mean(ga_transpose(f), .axis = 0));
        add("broadcast", ga_add(ga_index(a, "::-1, ::2"), ga_index(a, "0, ::2")));
        int64_t   count;
        ga_array *labels = ga_label(ga_greater(a, 1), .count = &count);
        add("label", ga_copy(labels));
        add("flux", ga_sum_labels(a, labels, NULL));
        add("center", ga_center_of_mass(a, labels, NULL));
        add("clip", ga_sigma_clip(a));
        ga_array *sky = ga_reshape(f, (257, rows)), *flux = NULL;
        add("label above", ga_label(sky, .above = 0.8, .connectivity = 2));
        add("centers", ga_center_of_mass(sky, ga_label(sky, .above = 0.5), NULL, .sums = &flux));
        add("sums", flux);
        double    low, high;
        ga_array *bright = ga_multiply(sky, ga_add(ga_square(sky), 1));
        add("clip f32", ga_sigma_clip(bright, .low = &low, .high = &high));
        add("bounds", ga_values(low, high));
        add("percentiles", ga_percentile(bright, ga_values(0.1, 25, 50, 99)));
        for (int metric = GA_EUCLIDEAN; metric <= GA_COSINE; metric++) {
            ga_array *x = ga_reshape(numbers(GA_F64, 81 * 150, 8), (81, 150)), *y = ga_index(a, ":, :150");
            add("cdist", ga_cdist(x, y, .metric = (ga_metric)metric));
            add("cdist to few", ga_cdist(y, ga_index(y, ":3"), .metric = (ga_metric)metric));
            add("cdist f32", ga_cdist(ga_index(f, ":, :5"), ga_index(f, ":, 7:12"), .metric = (ga_metric)metric));
            add("pdist", ga_pdist(a, .metric = (ga_metric)metric));
            add("pdist f32", ga_pdist(f, .metric = (ga_metric)metric));
        }
        for (int border = GA_BORDER_REFLECT; border <= GA_BORDER_WRAP; border++) {
            const ga_border b = (ga_border)border;
            ga_array       *k = ga_index(a, ":9, :9"), *bell = ga_multiply(ga_index(a, ":9, :1"), ga_index(a, ":1, :9"));
            add("direct", ga_ndcorrelate(a, k, .border = b, .cval = 0.1));
            add("direct f32", ga_ndconvolve(f, ga_index(k, ":3, :3"), .border = b, .cval = 0.1));
            add("passes", ga_ndconvolve(a, bell, .border = b, .cval = 0.1));
            add("down", ga_convolve1d(f, ga_index(k, "0"), .axis = 0, .border = b));
            add("across", ga_convolve1d(a, ga_index(k, "0"), .border = b));
            ga_array *solid = ga_reshape(a, (rows / 10, 10, 257)), *rgb = ga_reshape(ga_index(f, ":, :255"), (rows, 85, 3));
            add("planes", ga_ndconvolve(solid, ga_reshape(ga_index(k, "3, :8"), (2, 2, 2)), .border = b));
            add("colours", ga_ndconvolve(rgb, ga_reshape(ga_index(k, ":5, :4"), (5, 4, 1)), .border = b));
            add("narrow", ga_ndconvolve(ga_index(f, ":, :5"), ga_index(k, ":4, :4"), .border = b));
        }
        add("full", ga_convolve2d(a, ga_index(a, ":5, :6")));
        add("valid f32", ga_convolve2d(f, ga_index(f, ":40, :3"), .mode = GA_VALID));
        for (int d = GA_BOOL; d < GA_DTYPE_COUNT; d++) {
            ga_array *x     = ga_reshape(numbers((ga_dtype)d, 71 * 290, 9), (71, 290)),
                     *y     = ga_reshape(numbers((ga_dtype)d, 290 * 75, 10), (290, 75));
            ga_array *small = ga_index(x, ":2, :75"), *t = ga_transpose(y);
            add("matmul", ga_matmul(x, y));
            add("matmul T", ga_matmul(t, ga_transpose(x)));
            add("matmul, a column", ga_matmul(x, ga_index(y, ":, 3")));
            add("matmul, a row", ga_matmul(ga_index(t, "3"), ga_transpose(x)));
            add("matmul, few rows", ga_matmul(small, t));
            add("matmul, few columns", ga_matmul(t, ga_transpose(ga_index(x, ":3"))));
            add("einsum rows", ga_einsum("ij,ij->i", (x, x)));
            add("einsum columns", ga_einsum("ij,ij->j", (x, x)));
        }
        add("uniform", ga_random((1000), .seed = 7, .dtype = GA_F32));
        add("integers", ga_random_integers(-5, 17, (1000), .seed = 7));
    }
    for (int i = GA_BOOL; i < GA_DTYPE_COUNT; i++)
        ga_scope { /* filters */
            ga_array *x = ga_reshape(numbers((ga_dtype)i, rows * 57, 8), (rows, 57)), *t = ga_transpose(x);
            add("gaussian", ga_gaussian_filter(x, 1.3));
            add("gaussian T", ga_gaussian_filter(t, 0.8, .order = ga_axes(1), .border = GA_BORDER_WRAP));
            add("sobel", ga_sobel(x, .border = GA_BORDER_CONSTANT, .cval = 2));
            add("means", ga_uniform_filter(x, 0, .sizes = ga_axes(5, 14)));
            if (i >= GA_C64) continue;
            add("least", ga_minimum_filter(x, 0, .sizes = ga_axes(3, 8)));
            add("3x3", ga_median_filter(x, 3));
            add("5x5", ga_median_filter(t, 5));
            add("network", ga_rank_filter(x, 9, 0, .sizes = ga_axes(4, 7), .border = GA_BORDER_MIRROR));
            add("large", ga_percentile_filter(x, 30, 23));
            add("footprint", ga_median_filter(x, 0, .footprint = ga_greater(ga_random((5, 6), .seed = 9), 0.5)));
        }
    printf("%016llx\n", (unsigned long long)hash);
    return 0;
}
