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
#define GA_REDUCTION(name, ...)   ADD(name, ga_##name(x))
#define GA_TABLE
#include "gpuarr.h"
            ADD(var, ga_var(x))
            ADD(nanstd, ga_nanstd(x))
            ADD(argmax, ga_argmax(x))
            ADD(cumsum, ga_cumsum(x))
            ADD(median, ga_median(x))
            ADD(sort, ga_sort(x))
            ADD(argsort, ga_argsort(x))
            for (int to = GA_BOOL; to < GA_DTYPE_COUNT; to++) ADD(astype, ga_astype(x, (ga_dtype)to))
            ga_set_error_handler(NULL, NULL);
            ga_free(x);
            ga_free(y);
            ga_free(z);
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
        add("uniform", ga_random((1000), .seed = 7, .dtype = GA_F32));
        add("integers", ga_random_integers(-5, 17, (1000), .seed = 7));
    }
    printf("%016llx\n", (unsigned long long)hash);
    return 0;
}
