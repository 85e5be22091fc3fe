/* Every kernel that has a barrier, for tests/barriers.sh: without arguments the names of the parts, with a name that part. Linked with
   the kernels of tests/oracle_kernels.c. */
#include "test.h"

const void *oracle_kernel(const char *name);

static void all_along(ga_array *a)
{
#define GA_FOLD(name, ...)                                                                                                     \
    ga_##name(a);                                                                                                              \
    ga_##name(a, .axis = 0);                                                                                                   \
    ga_##name(a, .axis = -1);
#define GA_TABLE
#include "gpuarr.h"
}

static ga_array *numbers(ga_dtype dtype, int64_t rows, int64_t columns)
{
    return ga_astype(ga_random_integers(-100, 100, (rows, columns), .seed = 3), dtype);
}

static void reductions(void)
{
    all_along(numbers(GA_F32, 3, 3000));
    all_along(numbers(GA_I16, 70, 5));
    ga_array *c = numbers(GA_C128, 1100, 2);
    ga_sum(c), ga_prod(c, .axis = 0), ga_mean(c), ga_count_nonzero(c, .axis = 0);
}

static void moments(void)
{
    const ga_dtype dtypes[] = { GA_F32, GA_F64, GA_I32, GA_C64 };
    for (int i = 0; i < 4; i++) {
        ga_array *a = numbers(dtypes[i], 3, 3000);
        ga_var(a), ga_std(a, .axis = 0), ga_std(a, .axis = 1);
        if (i < 3) ga_nanstd(a), ga_nanvar(a, .axis = 1), ga_nanmean(a);
    }
}

static void search(void)
{
    ga_array *a = numbers(GA_F64, 3, 3000), *i = numbers(GA_U8, 2000, 3);
    ga_argmin(a), ga_argmax(a, .axis = 0), ga_argmax(a, .axis = 1), ga_nanargmin(a), ga_nanargmax(a, .axis = 1);
    ga_argmin(i), ga_argmax(i, .axis = 0), ga_argmax(i, .axis = 1);
}

static void scans(void)
{
    const ga_dtype dtypes[] = { GA_F32, GA_F64, GA_I32, GA_U8, GA_C128 };
    for (int i = 0; i < 5; i++) {
        ga_array *a = numbers(dtypes[i], 3, 3000), *t = ga_transpose(a);
        ga_cumsum(a), ga_cumsum(a, .axis = 0), ga_cumsum(a, .axis = 1), ga_cumprod(t, .axis = 0), ga_cumprod(t);
    }
}

static void selecting(void)
{
    ga_array *a = numbers(GA_F32, 3, 3000), *mask = ga_greater(a, 3), *long_one = numbers(GA_I64, 1, 20000);
    ga_nonzero(a), ga_extract(mask, a), ga_compress(ga_ints(1, 0, 1), a, .axis = 0), ga_nonzero(long_one);
    ga_take(a, ga_ints(2, 0, 1), .axis = 0), ga_take(a, ga_ints(5, -1)), ga_extract(ga_less(long_one, 0), long_one);
}

static void counting(void)
{
    ga_array *a = numbers(GA_F64, 3, 3000), *i = ga_absolute(ga_ravel(numbers(GA_I32, 3, 3000)));
    ga_histogram(a, 10), ga_histogram(a, 3000), ga_histogram(a, 10, .weights = ga_absolute(a));
    ga_bincount(i), ga_bincount(ga_multiply(i, 100)), ga_bincount(i, .weights = ga_sqrt(i));
}

static void sorting(void)
{
    const ga_dtype dtypes[] = { GA_F32, GA_F64, GA_I32, GA_U8, GA_I16, GA_C128 };
    for (int i = 0; i < 6; i++) {
        ga_array *a = numbers(dtypes[i], 3, 3000);
        ga_sort(a), ga_sort(a, .axis = 0), ga_argsort(a), ga_argsort(a, .axis = 0), ga_sort(ga_ravel(a)),
            ga_argsort(ga_ravel(a));
        if (dtypes[i] != GA_C128) ga_unique(a);
    }
}

static void order(void)
{
    const ga_dtype dtypes[] = { GA_F32, GA_F64, GA_I32, GA_U8 };
    for (int i = 0; i < 4; i++) {
        ga_array *a = numbers(dtypes[i], 3, 3000), *t = ga_transpose(a);
        ga_median(a), ga_median(a, .axis = 0), ga_median(a, .axis = 1), ga_median(t, .axis = 0), ga_nanmedian(a, .axis = 1);
        ga_percentile(a, 30), ga_percentile(a, ga_values(10, 50, 99.5), .axis = 1), ga_nanpercentile(t, 75, .axis = 0);
    }
}

static void products(void)
{
    ga_array *a = numbers(GA_F64, 40, 300), *v = numbers(GA_F64, 1, 300);
    ga_norm(a), ga_norm(a, .axis = 1, .ord = 3), ga_dot(ga_ravel(v), ga_ravel(v));
    const ga_dtype dtypes[] = { GA_BOOL, GA_U8, GA_I16, GA_I32, GA_I64, GA_F32, GA_F64, GA_C64, GA_C128 };
    for (int i = 0; i < 9; i++) {
        ga_array *x = numbers(dtypes[i], 20, 40);
        ga_matmul(x, ga_transpose(x)), ga_matmul(ga_transpose(x), x);
    }
    ga_allclose(a, a), ga_array_equal(a, a);
}

static void images(void)
{
    ga_array *a = ga_random((60, 70), .seed = 1), *mask = ga_greater(a, 0.6), *labels = ga_label(mask);
    ga_label(mask, .connectivity = 2), ga_label(ga_greater(ga_random((5, 12, 13), .seed = 2), 0.5));
    ga_sum_labels(a, labels, NULL), ga_mean_labels(a, labels, NULL), ga_min_labels(a, labels, NULL);
    ga_max_labels(a, labels, NULL), ga_size_labels(labels, NULL), ga_center_of_mass(a, labels, NULL);
    ga_center_of_mass(a, NULL, NULL), ga_sigma_clip(a), ga_sigma_clip(a, .rule = GA_CLIP_ASTROPY, .sigma = 1, .mean = true);
}

static void distances(void)
{
    ga_array *x = numbers(GA_F32, 70, 40), *y = numbers(GA_F64, 20, 40);
    for (int metric = GA_EUCLIDEAN; metric <= GA_COSINE; metric++)
        ga_cdist(x, x, .metric = (ga_metric)metric), ga_cdist(x, y, .metric = (ga_metric)metric);
    ga_squareform(ga_squareform(ga_pdist(x))), ga_squareform(ga_pdist(y));
}

static void rearranging(void)
{
    ga_array *a = numbers(GA_F32, 40, 300), *t = ga_transpose(a);
    ga_copy(t), ga_roll(a, 7, .axis = 1), ga_pad(a, (2), .mode = GA_PAD_REFLECT), ga_tile(a, (2, 2)),
        ga_repeat(a, 3, .axis = 0);
    ga_concatenate((a, a), .axis = 1), ga_copyto(ga_index(a, "1:"), ga_index(a, ":-1")), ga_add(a, ga_index(a, "::-1"));
    ga_random_normal(0, 1, (5000), .seed = 1), ga_random_integers(0, 7, (5000), .seed = 1), ga_linspace(0, 1, 5000);
}

static void convolutions(void)
{
    const ga_dtype dtypes[] = { GA_F32, GA_F64, GA_C64, GA_C128 };
    for (int i = 0; i < 4; i++) { /* weights in several portions */
        ga_array *a = numbers(dtypes[i], 40, 90), *many = numbers(dtypes[i], 50, 5), *wide = numbers(dtypes[i], 1, 120);
        ga_ndconvolve(a, many), ga_ndconvolve(a, wide), ga_ndconvolve(a, ga_transpose(wide)), ga_ndconvolve(wide, wide);
    }
    ga_array *line  = ga_exp(ga_linspace(0, 1, 20)),
             *gauss = ga_multiply(line, ga_index(line, ":, newaxis")); /* in two passes */
    ga_convolve2d(gauss, gauss), ga_convolve2d(numbers(GA_F32, 40, 50), numbers(GA_F32, 20, 20));
}

static const ga_stencil_kernel *own(const char *name) { return (const ga_stencil_kernel *)oracle_kernel(name); }

static void stencils(void)
{
    ga_array *a = numbers(GA_F64, 20, 150), *cube = ga_random((9, 10, 40), .seed = 4);
    ga_stencil(own("slope"), (ga_ravel(numbers(GA_F32, 3, 1000)), 2));
    ga_stencil(own("heat"), (a, 0.1), .border = GA_BORDER_WRAP, .steps = 2), ga_stencil(own("seven"), (cube, 0.1, 0.4));
}

static void own_reductions(void)
{
    ga_array *a = numbers(GA_F64, 3, 3000);
    for (int axis = 0; axis < 2; axis++) {
        ga_reduce((const ga_reduction *)oracle_kernel("dot"), (a, a), .axis = axis);
        ga_reduce((const ga_reduction *)oracle_kernel("variance"), (a), .axis = axis);
    }
}

/* Pivots in rows further down, two blocks of columns, several matrices. */
static void linear_algebra(void)
{
    ga_array *a = ga_random((2, 7, 7), .seed = 5), *large = ga_random((150, 150), .seed = 6);
    ga_array *b = ga_matmul(a, ga_matrix_transpose(a));
    ga_inv(a), ga_det(a), ga_det(large), ga_solve_triangular(a, b, .lower = true);
    ga_cholesky(ga_add(b, ga_identity(7))), ga_cholesky(ga_add(ga_matmul(large, ga_matrix_transpose(large)), ga_identity(150)));
}

/* clang-format off */
#define PARTS(X) X(reductions) X(moments) X(search) X(scans) X(selecting) X(counting) X(sorting) X(order) X(products) X(images) X(distances) \
    X(rearranging) X(convolutions) X(stencils) X(own_reductions) X(linear_algebra)
/* clang-format on */

int main(int argc, char **argv)
{
    test_begin();
#define PART(name)                                                                                                             \
    if (argc < 2) printf("%s\n", #name);                                                                                       \
    else if (!strcmp(argv[1], #name))                                                                                          \
        ga_scope {                                                                                                             \
            name();                                                                                                            \
        }
    PARTS(PART)
    if (ga_error()) printf("FAIL %s\n", ga_error());
    return ga_error() != NULL;
}
