/* Errors, as in errors.c: reductions, rearranging, images, filters, products, distances, convolutions.
   cc tests/impl.c tests/errors_algorithms.c -lm -lpthread */
#include "errors.h"

static void test_reductions(void)
{
    ga_array *a = ga_ones((2, 3)), *e = ga_zeros((0)), *e2 = ga_zeros((3, 0)), *c = ga_ones((3), .dtype = GA_C64),
             *out = ga_zeros((5));
    ga_array *n = ga_full((2), NAN), *i32 = ga_zeros((3), .dtype = GA_I32);
    ga_array *b = ga_zeros((3), .dtype = GA_BOOL);
    /* axes, the same for all */
#define AXES(name)                                                                                                             \
    FAILS(GA_BAD_ARGUMENT, ga_##name(a, .axis = 2), "no axis 2", "2 dimensions");                                              \
    FAILS(GA_BAD_ARGUMENT, ga_##name(a, .axis = -3), "no axis -3", "2 dimensions");
#define GA_FOLD(name, ...)                                                                                                     \
    AXES(name)                                                                                                                 \
    FAILS(GA_BAD_ARGUMENT, ga_##name(a, .axes = ga_axes(0, -2)), "axis 0", "twice");                                           \
    FAILS(GA_BAD_ARGUMENT, ga_##name(a, .axes = ga_axes(0, 5)), "no axis 5");                                                  \
    FAILS(GA_BAD_SHAPE, ga_##name(a, .out = out), ".out", "(5,)", "()");                                                       \
    FAILS(GA_BAD_ARGUMENT, ga_##name(a, .ddof = 1), "ddof");
#define GA_TABLE
#include "gpuarr.h"
    /* clang-format off */
    AXES(var) AXES(std) AXES(nanmean) AXES(nanvar) AXES(nanstd) AXES(argmin) AXES(argmax) AXES(nanargmin)
    AXES(nanargmax) AXES(median) AXES(nanmedian) AXES(cumsum) AXES(cumprod) AXES(norm)
        /* clang-format on */
        AXES(sort) AXES(argsort) FAILS(GA_BAD_ARGUMENT, ga_percentile(a, 50, .axis = 2), "no axis 2");
    FAILS(GA_BAD_ARGUMENT, ga_percentile(a, 50, .axes = ga_axes(1, 1)), "axis 1", "twice");
    FAILS(GA_BAD_ARGUMENT, ga_median(a, .axes = ga_axes(1, 1)), "axis 1", "twice");
    FAILS(GA_BAD_ARGUMENT, ga_argmax(a, .axes = ga_axes(0, 1)), "ga_argmax", "one axis");
    ga_array *scalar = ga_scalar(1.0);
    CHECK_SCALAR(ga_sum(scalar, .axis = 0), GA_F64, 1); /* as NumPy */
    FAILS(GA_BAD_ARGUMENT, ga_sum(scalar, .axis = 1), "no axis 1", "no dimensions");
    FAILS(GA_BAD_ARGUMENT, ga_median(scalar, .axis = 0), "no axis 0", "no dimensions");
    FAILS(GA_BAD_ARGUMENT, ga_nanmedian(scalar, .axis = -1), "no axis -1", "no dimensions");
    FAILS(GA_BAD_ARGUMENT, ga_percentile(scalar, 50, .axis = 0), "no axis 0", "no dimensions");
    FAILS(GA_BAD_ARGUMENT, ga_argsort(scalar, .axis = 1), "no axis 1");
    FAILS(GA_BAD_ARGUMENT, ga_sort(scalar), "no axis -1", "no dimensions");
    ga_free(scalar);

    FAILS(GA_BAD_SHAPE, ga_min(e), "ga_min", "no elements", "(0,)");
    FAILS(GA_BAD_SHAPE, ga_max(e), "ga_max", "no elements");
    FAILS(GA_BAD_SHAPE, ga_nanmin(e), "no elements");
    FAILS(GA_BAD_SHAPE, ga_max(e2, .axis = 1), "no elements", "(3, 0)");
    allowed = GA_BAD_ARGUMENT;
    FAILS(GA_BAD_SHAPE, ga_argmin(e), "");
    allowed = GA_BAD_ARGUMENT;
    FAILS(GA_BAD_SHAPE, ga_argmax(e2, .axis = 1), "");
    CHECK_IS(ga_max(e2, .axis = 0), GA_F64, (0), 0); /* nothing is asked of nothing */
    FAILS(GA_BAD_ARGUMENT, ga_nanargmin(n), "NaN");
    FAILS(GA_BAD_ARGUMENT, ga_nanargmax(n), "NaN");

    FAILS(GA_BAD_DTYPE, ga_min(a, .dtype = GA_F32), "dtype");
    FAILS(GA_BAD_DTYPE, ga_sum(a, .dtype = (ga_dtype)17), "17");
    FAILS(GA_BAD_DTYPE, ga_std(a, .dtype = GA_I32), "GA_F32");
    FAILS(GA_BAD_DTYPE, ga_nanmin(c), "complex64");
    FAILS(GA_BAD_DTYPE, ga_sum(a, .axis = 0, .out = i32), "float64", "int32");
    FAILS(GA_BAD_DTYPE, ga_std(a, .axis = 0, .out = i32), "float64", "int32");
    FAILS(GA_BAD_DTYPE, ga_argmax(a, .axis = 0, .out = b), "int64", "bool");
    FAILS(GA_BAD_SHAPE, ga_std(a, .axis = 0, .out = out), "(5,)", "(3,)");
    FAILS(GA_BAD_SHAPE, ga_argmax(a, .axis = 0, .out = out), "(5,)", "(3,)");
    FAILS(GA_BAD_SHAPE, ga_median(a, .axis = 0, .out = out), "(5,)", "(3,)");
    FAILS(GA_BAD_SHAPE, ga_cumsum(a, .axis = 0, .out = out), "(5,)", "(2, 3)");

    FAILS(GA_BAD_ARGUMENT, ga_percentile(a, 101), "101", "100");
    FAILS(GA_BAD_ARGUMENT, ga_percentile(a, -0.5), "-0.5");
    FAILS(GA_BAD_ARGUMENT, ga_percentile(a, NAN), "nan");
    FAILS(GA_BAD_ARGUMENT, ga_percentile(a, 50, .method = (ga_quantile_method)13), "13", "GA_LINEAR");
    FAILS(GA_BAD_DTYPE, ga_percentile(a, c), "complex");
    FAILS(GA_BAD_DTYPE, ga_median(c), "ga_median", "complex64");
    FAILS(GA_BAD_DTYPE, ga_percentile(c, 50), "ga_percentile", "complex64");
    FAILS(GA_BAD_DTYPE, ga_sort(a, .dtype = GA_F32), "dtype");
    FAILS(GA_BAD_DTYPE, ga_cumsum(a, .dtype = (ga_dtype)17), "17");

    ga_free(b);
    ga_free(i32);
    ga_free(n);
    ga_free(out);
    ga_free(c);
    ga_free(e2);
    ga_free(e);
    ga_free(a);
}

static void test_rearranging(void)
{
    ga_array *a = ga_ones((2, 3)), *b = ga_ones((2, 4)), *v = ga_arange(0, 5, 1), *f = ga_ones((5)), *zero_d = ga_scalar(1.0),
             *none = NULL;
    ga_array *parts[8], *e = ga_zeros((0)), *c = ga_ones((3), .dtype = GA_C64), *minus = ga_ints(1, -2, 3),
                        *out = ga_zeros((9));
    int64_t         cuts[2]  = { 1, 2 };
    const ga_array *list[2]  = { a, b };
    FAILS(GA_BAD_SHAPE, ga_concatenate((a, b)), "(2, 3)", "(2, 4)", "axis 0");
    FAILS(GA_BAD_SHAPE, ga_concatenate((a, v), .axis = 1), "(2, 3)", "(5,)");
    FAILS(GA_BAD_ARGUMENT, ga_concatenate((a, a), .axis = 2), "no axis 2");
    FAILS(GA_BAD_SHAPE, ga_concatenate((zero_d, zero_d)), "0-d", "ga_stack");
    FAILS(GA_BAD_ARGUMENT, ga_concatenate_n(0, list), "at least one");
    FAILS(GA_BAD_ARGUMENT, ga_concatenate_n(-1, list), "");
    FAILS(GA_BAD_ARGUMENT, ga_concatenate_n(2, NULL), "");
    FAILS(GA_BAD_SHAPE, ga_concatenate((a, b), .axis = 1, .out = out), "(9,)", "(2, 7)");
    FAILS(GA_BAD_DTYPE, ga_concatenate((a, b), .axis = 1, .dtype = GA_I32), "float64", "int32");
    FAILS(GA_BAD_SHAPE, ga_stack((a, b)), "(2, 3)", "(2, 4)");
    FAILS(GA_BAD_ARGUMENT, ga_stack((a, a), .axis = 3), "3");
    FAILS(GA_BAD_ARGUMENT, ga_stack_n(0, list), "at least one");
    ga_array *eight = ga_zeros((1, 1, 1, 1, 1, 1, 1, 1));
    FAILS(GA_BAD_SHAPE, ga_stack((eight, eight)), "9 dimensions", "8");
    ga_free(eight);

    FAILS(GA_BAD_SHAPE, ga_split(v, 2, parts), "(5,)", "2", "ga_split_at");
    FAILS(GA_BAD_ARGUMENT, ga_split(v, 0, parts), "0 parts");
    FAILS(GA_BAD_ARGUMENT, ga_split(v, -1, parts), "-1");
    FAILS(GA_BAD_ARGUMENT, ga_split(v, 5, NULL), "");
    FAILS(GA_BAD_ARGUMENT, ga_split(v, 5, parts, .axis = 1), "no axis 1");
    FAILS(GA_BAD_ARGUMENT, ga_split_at(v, 3, NULL, parts), "NULL");
    FAILS(GA_BAD_ARGUMENT, ga_split_at(v, 0, cuts, parts), "0");
    FAILS(GA_BAD_ARGUMENT, ga_roll(a, 1, .axis = 2), "no axis 2");
    FAILS(GA_BAD_ARGUMENT, ga_pad(a, (1, 2, 3)), "3 widths", "2 dimensions");
    FAILS(GA_BAD_ARGUMENT, ga_pad(a, (-1)), "negative", "-1");
    FAILS(GA_BAD_ARGUMENT, ga_pad(a, (1), .after = ga_axes(1, 2, 3)), "3 widths");
    FAILS(GA_BAD_ARGUMENT, ga_pad(a, (1), .after = ga_axes(-1, 2)), "negative");
    FAILS(GA_BAD_ARGUMENT, ga_pad(a, (1), .mode = (ga_pad_mode)7), "7", "GA_PAD_CONSTANT");
    FAILS(GA_BAD_SHAPE, ga_pad(e, (1), .mode = GA_PAD_EDGE), "empty", "GA_PAD_CONSTANT");
    allowed = GA_BAD_SHAPE;
    FAILS(GA_NO_MEMORY, ga_pad(a, (INT64_MAX)), "");
    FAILS(GA_BAD_ARGUMENT, ga_sort(a, .axis = 5), "no axis 5");
    FAILS(GA_BAD_SHAPE, ga_sort(a, .out = out), "(9,)", "(2, 3)");
    FAILS(GA_BAD_SHAPE, ga_nonzero(zero_d), "0-d");
    FAILS(GA_BAD_SHAPE, ga_compress(a, a), "(2, 3)", "one dimension");
    FAILS(GA_BAD_ARGUMENT, ga_compress(v, a, .axis = 2), "no axis 2");
    FAILS(GA_BAD_SHAPE, ga_compress(f, a, .axis = 0), "condition has 5 elements, the axis 2", "none may be true");
    {
        ga_array *mask = ga_ones((2, 3, 1), .dtype = GA_BOOL), *nine = ga_arange(0, 9, 1);
        FAILS(GA_BAD_SHAPE, ga_index_take(a, (mask)), "a mask has shape (2, 3, 1)", "names 3 axes, but a has 2", "(2, 3)");
        FAILS(GA_BAD_SHAPE, ga_index_take(a, (mask), .index = "$1, 0"), "(2, 3, 1)", "names 4 axes");
        FAILS(GA_BAD_SHAPE, ga_trapezoid(v, nine), ".x has shape (9,)", "the 5 places along axis 0");
        FAILS(GA_BAD_SHAPE, ga_cumulative_trapezoid(a, nine, .axis = 1), ".x has shape (9,)", "the 3 places along axis 1");
        ga_free(mask), ga_free(nine);
    }
    FAILS(GA_BAD_SHAPE, ga_extract(v, a), "(5,)", "(2, 3)");
    FAILS(GA_BAD_DTYPE, ga_take(a, f), "float64", "integers");
    ga_array *seven = ga_ints(0, 7), *before = ga_ints(-7);
    FAILS(GA_BAD_ARGUMENT, ga_take(v, seven), "index 7", "length 5");
    FAILS(GA_BAD_ARGUMENT, ga_take(a, before), "index -7", "length 6");
    FAILS(GA_BAD_ARGUMENT, ga_take(a, seven, .axis = 1), "index 7", "length 3");
    FAILS(GA_BAD_ARGUMENT, ga_take(a, v, .axis = 2), "no axis 2");
    FAILS(GA_BAD_ARGUMENT, ga_take(a, v, .mode = (ga_take_mode)3), "3", "GA_TAKE_RAISE");
    FAILS(GA_BAD_SHAPE, ga_take(e, seven), "length 0");
    FAILS(GA_BAD_SHAPE, ga_take(e, seven, .mode = GA_TAKE_WRAP), "length 0");
    ga_free(seven);
    ga_free(before);

    FAILS(GA_BAD_ARGUMENT, ga_histogram(a, 0), "0 bins");
    FAILS(GA_BAD_ARGUMENT, ga_histogram(a, -3), "-3 bins");
    FAILS(GA_NO_MEMORY, ga_histogram(a, INT64_MAX), "9223372036854775807 bins are more than any machine can hold");
    FAILS(GA_NO_MEMORY, ga_histogram(a, INT64_C(1) << 60), "1152921504606846976 bins are more than any machine can hold");
    ga_array *largest = ga_full((2), INT64_MAX, .dtype = GA_I64);
    FAILS(GA_NO_MEMORY, ga_bincount(largest), "a holds 9223372036854775807", "more than any machine can hold");
    FAILS(GA_NO_MEMORY, ga_bincount(ga_take(largest, ga_zeros((0), .dtype = GA_I64)), .minlength = INT64_MAX),
          ".minlength = 9223372036854775807");
    ga_free(largest);
    FAILS(GA_BAD_ARGUMENT, ga_gaussian_filter(a, 1e18), "sigma 1e+18 is wider than any array");
    FAILS(GA_BAD_ARGUMENT, ga_gaussian_filter(a, -1), "sigma -1", "not negative");
    FAILS(GA_BAD_ARGUMENT, ga_histogram(a, 3, .low = 2, .high = 1), "2", "1", "above");
    FAILS(GA_BAD_ARGUMENT, ga_histogram(a, 3, .low = 0, .high = INFINITY), "finite");
    FAILS(GA_BAD_ARGUMENT, ga_histogram(a, 3, .low = NAN, .high = 1), "NaN");
    ga_array *bad = ga_values(1, NAN);
    FAILS(GA_BAD_ARGUMENT, ga_histogram(bad, 3), "NaN", ".low");
    ga_free(bad);
    FAILS(GA_BAD_DTYPE, ga_histogram(c, 3), "complex64");
    FAILS(GA_BAD_SHAPE, ga_histogram(a, 3, .weights = f), "(5,)", "(2, 3)");
    ga_array *cw = ga_ones((5), .dtype = GA_C64);
    FAILS(GA_BAD_DTYPE, ga_histogram(f, 3, .weights = cw), "complex64");
    FAILS(GA_BAD_DTYPE, ga_bincount(v, .weights = cw), "complex64");
    ga_free(cw);
    FAILS(GA_BAD_DTYPE, ga_bincount(f), "float64", "integers");
    FAILS(GA_BAD_SHAPE, ga_bincount(ga_reshape(v, (5, 1))), "(5, 1)", "one dimension");
    FAILS(GA_BAD_ARGUMENT, ga_bincount(minus), "-2", "negative");
    FAILS(GA_BAD_ARGUMENT, ga_bincount(v, .minlength = -1), "-1");
    FAILS(GA_BAD_SHAPE, ga_bincount(v, .weights = a), "(2, 3)", "(5,)");
    ga_array *far_away = ga_ints((int64_t)1 << 60);
    FAILS(GA_NO_MEMORY, ga_bincount(far_away), "");
    ga_free(far_away);
    ga_array *uneven = NULL;
    FAILS(GA_BAD_ARGUMENT, ga_unique(none, .counts = &uneven), "NULL");
    CHECK(uneven == NULL);
    ga_free(out);
    ga_free(minus);
    ga_free(c);
    ga_free(e);
    ga_free(zero_d);
    ga_free(f);
    ga_free(v);
    ga_free(b);
    ga_free(a);
}

static void test_products(void)
{
    ga_array *a = ga_ones((2, 3)), *v = ga_ones((4)), *cube = ga_ones((2, 2, 2)), *cubes = ga_ones((3, 2, 2)),
             *n = ga_scalar(2.0), *none = NULL, *i32 = ga_ones((2, 2), .dtype = GA_I32), *flat = ga_ones((5)), *list[9];
    const char *nothing = NULL;
    FAILS(GA_BAD_SHAPE, ga_matmul(a, v), "(2, 3)", "(4,)", "axis 1 of a has length 3", "4");
    FAILS(GA_BAD_SHAPE, ga_matmul(a, a), "(2, 3)", "axis 1 of a", "axis 0 of b", "2");
    FAILS(GA_BAD_SHAPE, ga_matmul(cube, cubes), "(2, 2, 2)", "(3, 2, 2)", "broadcast");
    FAILS(GA_BAD_SHAPE, ga_matmul(a, n), "(2, 3)", "()", "ga_multiply");
    FAILS(GA_BAD_SHAPE, ga_matmul(n, a), "()", "ga_multiply");
    FAILS(GA_BAD_SHAPE, ga_matmul(a, ga_transpose(a), .out = flat), ".out", "(5,)", "(2, 2)");
    FAILS(GA_BAD_DTYPE, ga_matmul(a, ga_transpose(a), .out = i32), "float64", "int32");
    FAILS(GA_BAD_SHAPE, ga_dot(a, v), "(2, 3)", "(4,)", "length 3");
    FAILS(GA_BAD_SHAPE, ga_dot(a, a), "(2, 3)", "length 3");
    FAILS(GA_BAD_SHAPE, ga_dot(v, v, .out = v), "(4,)");
    FAILS(GA_BAD_SHAPE, ga_inner(a, v), "(2, 3)", "(4,)", "length 3");
    FAILS(GA_BAD_SHAPE, ga_vdot(a, v), "(2, 3)", "(4,)", "6", "4");
    FAILS(GA_BAD_SHAPE, ga_tensordot(a, a, 1), "(2, 3)", "length 3");
    FAILS(GA_BAD_SHAPE, ga_tensordot(a, v, 2), "2 axes", "b", "(4,)");
    FAILS(GA_BAD_ARGUMENT, ga_tensordot(a, a, -1), "-1");
    FAILS(GA_BAD_ARGUMENT, ga_tensordot(a, a, 1, .axes_a = ga_axes(2)), "no axis 2");
    FAILS(GA_BAD_ARGUMENT, ga_tensordot(a, a, 2, .axes_a = ga_axes(0)), ".axes_a", "1", "2");
    FAILS(GA_BAD_ARGUMENT, ga_tensordot(a, a, 2, .axes_b = ga_axes(0, -2)), "axis 0 of b", "twice");
    ga_array *six = ga_ones((1, 1, 1, 1, 1, 1));
    if (GPUARR_MAX_DIMS == 8) FAILS(GA_BAD_SHAPE, ga_tensordot(six, six, 0), "12 dimensions", "8");
    if (GPUARR_MAX_DIMS == 8) FAILS(GA_BAD_SHAPE, ga_dot(six, six), "10 dimensions", "8");

    FAILS(GA_BAD_ARGUMENT, ga_einsum(nothing, (a)), "NULL");
    FAILS(GA_BAD_ARGUMENT, ga_einsum("i1,j", (a, v)), "i1,j", "'1'");
    FAILS(GA_BAD_ARGUMENT, ga_einsum("ij,jk", (a)), "ij,jk", "2 operands", "1");
    FAILS(GA_BAD_ARGUMENT, ga_einsum("ij", (a, v)), "1 operand", "2");
    FAILS(GA_BAD_SHAPE, ga_einsum("ijk", (a)), "number 0", "(2, 3)", "ijk", "3 letters");
    FAILS(GA_BAD_SHAPE, ga_einsum("i", (a)), "(2, 3)", "1 letter");
    FAILS(GA_BAD_SHAPE, ga_einsum("ij,j", (a, v)), "'j'", "length 3", "4", "number 1");
    FAILS(GA_BAD_SHAPE, ga_einsum("ii", (a)), "'i'", "2", "3");
    FAILS(GA_BAD_SHAPE, ga_einsum("...,...", (cube, cubes)), "...", "2", "3");
    FAILS(GA_BAD_ARGUMENT, ga_einsum("ij->ik", (a)), "no operand has");
    FAILS(GA_BAD_ARGUMENT, ga_einsum("ij->ii", (a)), "twice");
    FAILS(GA_BAD_ARGUMENT, ga_einsum("ij->i->j", (a)), "behind the result");
    FAILS(GA_BAD_ARGUMENT, ga_einsum("ij-i", (a)), "ij-i");
    FAILS(GA_BAD_ARGUMENT, ga_einsum("i..j", (a)), "...");
    FAILS(GA_BAD_ARGUMENT, ga_einsum("...j->j", (a)), "...", "not in the result");
    FAILS(GA_BAD_SHAPE, ga_einsum("ij->j", (a), .out = flat), "(5,)", "(3,)");
    FAILS(GA_BAD_DTYPE, ga_einsum("ij,kj->ik", (a, a), .out = i32), "float64", "int32");
    FAILS(GA_BAD_ARGUMENT, ga_einsum("ij,j", (a, none)), "NULL");
    if (GPUARR_MAX_DIMS == 8) FAILS(GA_BAD_ARGUMENT, ga_einsum("abcdef,ghijkl", (six, six)), "dimensions");
    for (int k = 0; k < 9; k++) list[k] = v;
    FAILS(GA_BAD_ARGUMENT, ga_einsum_n("i,i,i,i,i,i,i,i,i->", 9, (const ga_array *const *)list), "9 operands", "8");
    FAILS(GA_BAD_ARGUMENT, ga_einsum_n("->", 0, (const ga_array *const *)list), "0 operands");
    ga_array *all[] = { a, v, cube, cubes, n, i32, flat, six };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) ga_free(all[k]);
}

static void test_distances(void)
{
    ga_array *a = ga_ones((2, 3)), *b = ga_ones((4, 3)), *narrow = ga_ones((2, 2)), *line = ga_ones((3)),
             *cube = ga_ones((2, 2, 2));
    ga_array *c = ga_ones((2, 3), .dtype = GA_C64), *whole = ga_zeros((2, 4), .dtype = GA_I64), *good = ga_zeros((2, 4));
    ga_array *column = ga_ones((4, 1)), *one_c = ga_ones((1, 1), .dtype = GA_C64), *minus = ga_negative(line);
    FAILS(GA_BAD_SHAPE, ga_cdist(a, narrow), "(2, 3)", "(2, 2)", "features");
    FAILS(GA_BAD_SHAPE, ga_cdist(line, a), "x", "(3,)", "two dimensions");
    FAILS(GA_BAD_SHAPE, ga_cdist(a, cube), "y", "(2, 2, 2)");
    FAILS(GA_BAD_SHAPE, ga_pdist(line), "x", "(3,)");
    FAILS(GA_BAD_DTYPE, ga_cdist(c, a), "x", "complex64");
    FAILS(GA_BAD_DTYPE, ga_cdist(a, c), "y", "complex64");
    FAILS(GA_BAD_DTYPE, ga_pdist(c), "complex64");
    FAILS(GA_BAD_ARGUMENT, ga_cdist(a, b, .metric = (ga_metric)13), ".metric", "13", "GA_EUCLIDEAN");
    FAILS(GA_BAD_ARGUMENT, ga_cdist(a, b, .p = 3), ".p", "GA_MINKOWSKI");
    FAILS(GA_BAD_ARGUMENT, ga_pdist(a, .metric = GA_MINKOWSKI, .p = 0), ".p = 0", "greater");
    FAILS(GA_BAD_ARGUMENT, ga_pdist(a, .metric = GA_MINKOWSKI, .p = NAN), ".p = ", "greater");
    FAILS(GA_BAD_ARGUMENT, ga_cdist(a, b, .V = line), ".V", "GA_SEUCLIDEAN");
    FAILS(GA_BAD_ARGUMENT, ga_cdist(a, b, .VI = a), ".VI", "GA_MAHALANOBIS");
    FAILS(GA_BAD_ARGUMENT, ga_cdist(a, b, .metric = GA_SEUCLIDEAN, .w = line), ".w", "GA_SEUCLIDEAN");
    FAILS(GA_BAD_SHAPE, ga_cdist(a, b, .w = a), ".w", "(2, 3)", "3 features");
    FAILS(GA_BAD_SHAPE, ga_pdist(narrow, .metric = GA_SEUCLIDEAN, .V = line), ".V", "(3,)", "2 features");
    FAILS(GA_BAD_SHAPE, ga_pdist(a, .metric = GA_MAHALANOBIS, .VI = a), ".VI", "(2, 3)", "(features, features)");
    FAILS(GA_BAD_DTYPE, ga_pdist(column, .metric = GA_MAHALANOBIS, .VI = one_c), ".VI", "complex64");
    FAILS(GA_BAD_ARGUMENT, ga_pdist(a, .metric = GA_CANBERRA, .w = minus), ".w", "negative");
    FAILS(GA_BAD_ARGUMENT, ga_pdist(a, .metric = GA_MAHALANOBIS), "2 points", "3 features", ".VI");
    FAILS(GA_BAD_ARGUMENT, ga_pdist(a, .metric = (ga_metric)-1), ".metric", "-1");
    FAILS(GA_BAD_SHAPE, ga_cdist(a, b, .out = a), ".out", "(2, 3)", "(2, 4)");
    FAILS(GA_BAD_SHAPE, ga_pdist(b, .out = line), ".out", "(3,)", "(6,)");
    FAILS(GA_BAD_DTYPE, ga_cdist(a, b, .out = whole), "int64", "float64");
    CHECK(ga_cdist(a, b, .out = good) == good);
    ga_array *point = ga_ones((1, 0)), *many = ga_broadcast_to(point, ((int64_t)1 << 33, 0)); /* no features take no memory */
    FAILS(GA_BAD_SHAPE, ga_pdist(many), "8589934592", "pairs");
    allowed = GA_NO_MEMORY;
    FAILS(GA_BAD_SHAPE, ga_cdist(many, many), "");
    ga_clear_error();
    ga_array *lopsided = ga_reshape(ga_values(0, 1, 2, 0), (2, 2)), *full = ga_ones((2, 2)), *five = ga_ones((5));
    ga_array *nan = ga_full((2, 2), NAN);
    FAILS(GA_BAD_SHAPE, ga_squareform(cube), "(2, 2, 2)");
    FAILS(GA_BAD_SHAPE, ga_squareform(a), "(2, 3)", "square");
    FAILS(GA_BAD_SHAPE, ga_squareform(five), "5", "n * (n - 1) / 2");
    FAILS(GA_BAD_ARGUMENT, ga_squareform(lopsided), "symmetric", ".checks");
    FAILS(GA_BAD_ARGUMENT, ga_squareform(full), "diagonal", ".checks");
    FAILS(GA_BAD_ARGUMENT, ga_squareform(nan), "symmetric"); /* no NaN equals another, says SciPy too */
    ga_array *all[] = {
        a, b, narrow, line, cube, c, whole, good, point, many, lopsided, full, five, nan, column, one_c, minus
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) ga_free(all[k]);
}

static void test_convolutions(void)
{
    ga_array *a = ga_ones((4, 5)), *v = ga_ones((2, 3)), *line = ga_ones((6)), *tall = ga_ones((6, 2)),
             *cube  = ga_ones((2, 2, 2));
    ga_array *empty = ga_zeros((0, 3)), *none = ga_zeros((0)), *whole = ga_zeros((4, 5), .dtype = GA_I64),
             *number = ga_scalar(2);
    FAILS(GA_BAD_SHAPE, ga_convolve(a, line), "(4, 5)", "(6,)", "as many dimensions");
    FAILS(GA_BAD_SHAPE, ga_convolve(number, a), "(1,)", "(4, 5)");
    FAILS(GA_BAD_SHAPE, ga_convolve(none, line), "a has no elements", "(0,)");
    FAILS(GA_BAD_SHAPE, ga_correlate(line, none), "v has no elements");
    FAILS(GA_BAD_ARGUMENT, ga_convolve(line, line, .mode = (ga_mode)4), ".mode", "4", "GA_FULL");
    FAILS(GA_BAD_ARGUMENT, ga_correlate(line, line, .mode = (ga_mode)-1), ".mode", "-1");
    FAILS(GA_BAD_ARGUMENT, ga_convolve(line, line, .method = (ga_method)3), ".method", "3", "GA_METHOD_DIRECT");
    FAILS(GA_BAD_SHAPE, ga_convolve(a, tall, .mode = GA_VALID), "(4, 5)", "(6, 2)", "GA_VALID");
    FAILS(GA_BAD_SHAPE, ga_convolve(line, line, .out = line), ".out", "(6,)", "(11,)");
    FAILS(GA_BAD_SHAPE, ga_convolve2d(line, line), "(6,)", "2 dimensions", "ga_convolve");
    FAILS(GA_BAD_SHAPE, ga_correlate2d(cube, cube), "(2, 2, 2)", "2 dimensions");
    FAILS(GA_BAD_SHAPE, ga_convolve2d(empty, v), "a has no elements", "(0, 3)");
    FAILS(GA_BAD_SHAPE, ga_correlate2d(a, tall, .mode = GA_VALID), "(4, 5)", "(6, 2)", "GA_VALID");
    FAILS(GA_BAD_ARGUMENT, ga_convolve2d(a, v, .mode = (ga_mode)9), ".mode", "9");
    FAILS(GA_BAD_ARGUMENT, ga_correlate2d(a, v, .method = (ga_method)-2), ".method", "-2");
    FAILS(GA_BAD_ARGUMENT, ga_convolve2d(a, v, .boundary = (ga_boundary)3), ".boundary", "3", "GA_BOUNDARY_SYMM");
    FAILS(GA_BAD_DTYPE, ga_convolve2d(a, v, .mode = GA_SAME, .out = whole), "float64", "int64");
    FAILS(GA_BAD_SHAPE, ga_ndconvolve(a, line), "(6,)", "(4, 5)", "as many dimensions");
    FAILS(GA_BAD_SHAPE, ga_ndcorrelate(number, number), "()", "at least one");
    FAILS(GA_BAD_SHAPE, ga_ndconvolve(a, empty), "no weights", "(0, 3)");
    FAILS(GA_BAD_ARGUMENT, ga_ndconvolve(a, v, .border = (ga_border)5), ".border", "5", "GA_BORDER_REFLECT");
    FAILS(GA_BAD_ARGUMENT, ga_ndcorrelate(a, v, .method = (ga_method)7), ".method", "7");
    FAILS(GA_BAD_SHAPE, ga_ndconvolve(a, v, .origin = ga_axes(0, 0, 0)), ".origin", "3 numbers", "2 dimensions");
    FAILS(GA_BAD_ARGUMENT, ga_ndcorrelate(a, v, .origin = ga_axes(0, 2)), ".origin", "2", "axis 1", "-1 to 1");
    FAILS(GA_BAD_ARGUMENT, ga_ndcorrelate(a, v, .origin = ga_axes(1, 0)), ".origin", "axis 0", "-1 to 0");
    FAILS(GA_BAD_ARGUMENT, ga_ndconvolve(a, v, .origin = ga_axes(1, 0)), ".origin", "axis 0", "-1 to 0");
    FAILS(GA_BAD_SHAPE, ga_ndconvolve(a, v, .out = v), ".out", "(2, 3)", "(4, 5)");
    FAILS(GA_BAD_DTYPE, ga_ndconvolve(a, v, .out = whole), "float64", "int64");
    FAILS(GA_BAD_SHAPE, ga_convolve1d(a, v), "(2, 3)", "one dimension");
    FAILS(GA_BAD_SHAPE, ga_correlate1d(a, none), "no weights");
    FAILS(GA_BAD_ARGUMENT, ga_convolve1d(a, line, .axis = 2), "axis 2", "2 dimensions");
    FAILS(GA_BAD_ARGUMENT, ga_convolve1d(number, line), "no dimensions");
    FAILS(GA_BAD_ARGUMENT, ga_correlate1d(a, line, .axis = 0, .origin = 3), ".origin", "3", "axis 0", "6 weights", "-3 to 2");
    FAILS(GA_BAD_ARGUMENT, ga_convolve1d(a, line, .axis = 0, .origin = INT64_MIN), ".origin", "axis 0");
    FAILS(GA_BAD_ARGUMENT, ga_convolve1d(a, line, .border = (ga_border)-1), ".border", "-1");
    ga_array *all[] = { a, v, line, tall, cube, empty, none, whole, number };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) ga_free(all[k]);
}

static void test_images(void)
{
    ga_array *a = ga_ones((2, 3)), *labels = ga_ones((2, 3), .dtype = GA_I32), *other = ga_ones((3, 3), .dtype = GA_I32);
    ga_array *c = ga_ones((2, 3), .dtype = GA_C64), *index = ga_ints(1), *none = NULL;
    FAILS(GA_BAD_DTYPE, ga_label(a, .dtype = GA_F32), "float32", "integers");
    FAILS(GA_BAD_DTYPE, ga_label(a, .dtype = (ga_dtype)17), "");
    FAILS(GA_BAD_ARGUMENT, ga_label(a, .connectivity = -1), "-1");
    FAILS(GA_BAD_DTYPE, ga_label(c, .above = 0), "complex64", "above");
    ga_array *row = ga_arange(0, 600, 1), *odd = ga_remainder(row, 2), *far = ga_full((2, 3), 0x1p41), *sums = a;
    FAILS(GA_BAD_DTYPE, ga_label(odd, .dtype = GA_U8), "300", "uint8");
    FAILS(GA_BAD_DTYPE, ga_label(odd, .dtype = GA_U8, .above = 0.5), "300", "uint8");
    FAILS(GA_BAD_ARGUMENT, ga_sum_labels(a, far, NULL), "2199023255552", "index");
    FAILS(GA_BAD_ARGUMENT, ga_center_of_mass(a, far, NULL, .sums = &sums), "2199023255552", "index");
    CHECK(sums == NULL);
    ga_free(far);
    ga_free(row);
    ga_free(odd);
    ga_array *halves = ga_full((2, 3), 1.5);
    FAILS(GA_BAD_ARGUMENT, ga_sum_labels(a, halves, NULL), "labels has 1.5", "whole");
    FAILS(GA_BAD_ARGUMENT, ga_variance(a, labels, halves), "index has 1.5", "whole");
    FAILS(GA_BAD_ARGUMENT, ga_minimum_position(a, halves, index), "labels has 1.5", "whole");
    ga_free(halves);
    ga_array *nans = ga_full((2, 3), NAN), *endless = ga_full((2, 3), -INFINITY, .dtype = GA_F32);
    FAILS(GA_BAD_ARGUMENT, ga_sum_labels(a, nans, NULL), "labels has nan", "whole");
    FAILS(GA_BAD_ARGUMENT, ga_max_labels(a, labels, nans), "index has nan", "whole");
    FAILS(GA_BAD_ARGUMENT, ga_size_labels(endless, NULL), "labels has -inf", "whole");
    ga_copyto(nans, 0x1p63);
    FAILS(GA_BAD_ARGUMENT, ga_sum_labels(a, nans, index), "labels has 9.22337e+18", "within int64");
    ga_free(nans);
    ga_free(endless);
    FAILS(GA_BAD_SHAPE, ga_sum_labels(a, other, NULL), "(2, 3)", "(3, 3)");
    FAILS(GA_BAD_SHAPE, ga_mean_labels(a, other, index), "(2, 3)", "(3, 3)");
    FAILS(GA_BAD_SHAPE, ga_min_labels(a, other, index), "(2, 3)", "(3, 3)");
    FAILS(GA_BAD_SHAPE, ga_max_labels(a, other, index), "(2, 3)", "(3, 3)");
    FAILS(GA_BAD_SHAPE, ga_center_of_mass(a, other, index), "(2, 3)", "(3, 3)");
    FAILS(GA_BAD_DTYPE, ga_sum_labels(c, labels, NULL), "complex64");
    FAILS(GA_BAD_DTYPE, ga_max_labels(c, labels, index), "complex64");
    FAILS(GA_BAD_DTYPE, ga_center_of_mass(c, labels, NULL), "complex64");
    FAILS(GA_BAD_ARGUMENT, ga_sum_labels(a, none, NULL), "labels");
    FAILS(GA_BAD_ARGUMENT, ga_size_labels(none, NULL), "labels");
    FAILS(GA_BAD_ARGUMENT, ga_center_of_mass(a, none, index), "labels");
    FAILS(GA_BAD_DTYPE, ga_sigma_clip(c), "complex64");
    FAILS_AS(GA_BAD_DTYPE, ga_describe(c).count == 0, "ga_describe(c)", "complex64");
    FAILS(GA_BAD_ARGUMENT, ga_sigma_clip(a, .sigma = -1), "-1");
    FAILS(GA_BAD_ARGUMENT, ga_sigma_clip(a, .sigma = NAN), "nan");
#ifndef __cplusplus
    FAILS(GA_BAD_ARGUMENT, ga_sigma_clip(a, .rule = (ga_clip_rule)9), "9"); /* C++ has no such value */
#endif
    FAILS(GA_BAD_ARGUMENT, ga_sigma_clip(a, .rule = GA_CLIP_ASTROPY, .maxiters = -2), "-2");
    ga_free(index);
    ga_free(c);
    ga_free(other);
    ga_free(labels);
    ga_free(a);
}

static void test_filters(void)
{
    ga_array     *a = ga_ones((4, 5)), *none = ga_zeros((3, 3), .dtype = GA_BOOL), *row = ga_ones((3), .dtype = GA_BOOL);
    ga_array     *bytes = ga_ones((4, 5), .dtype = GA_U8), *z = ga_ones((4, 5), .dtype = GA_C64), *other = ga_ones((5, 4));
    ga_array     *point   = ga_scalar(1.0);
    const double *missing = NULL, sigmas[2] = { 1, -1 };
    FAILS(GA_BAD_ARGUMENT, ga_median_filter(a, 0), "0 elements", "axis 0");
    FAILS(GA_BAD_ARGUMENT, ga_median_filter(a, -3), "-3");
    FAILS(GA_BAD_ARGUMENT, ga_uniform_filter(a, 0, .sizes = ga_axes(3, 0)), "axis 1");
    FAILS(GA_BAD_ARGUMENT, ga_uniform_filter(a, (int64_t)1 << 31), "2147483648");
    FAILS(GA_BAD_ARGUMENT, ga_uniform_filter(a, 3, .sizes = ga_axes(3, 3)), "twice", ".sizes");
    FAILS(GA_BAD_ARGUMENT, ga_minimum_filter(a, 3, .footprint = none), "twice", ".footprint");
    FAILS(GA_BAD_ARGUMENT, ga_minimum_filter(a, 0, .footprint = none), "no true element");
    FAILS(GA_BAD_SHAPE, ga_minimum_filter(a, 0, .footprint = row), "1 dimension", "2");
    FAILS(GA_BAD_SHAPE, ga_maximum_filter(a, 0, .sizes = ga_axes(3, 3, 3)), "3 dimensions", "2");
    FAILS(GA_BAD_SHAPE, ga_maximum_filter(a, 3, .origin = ga_axes(0, 0, 0)), ".origin", "3 numbers");
    FAILS(GA_BAD_ARGUMENT, ga_maximum_filter(a, 3, .origin = ga_axes(2)), ".origin = 2", "-1 to 1");
    FAILS(GA_BAD_ARGUMENT, ga_uniform_filter(a, 4, .origin = ga_axes(0, -3)), ".origin = -3", "axis 1", "-2 to 1");
    FAILS(GA_NO_MEMORY, ga_median_filter(a, 2000000000), "(2000000000, 2000000000)", "machine");
    FAILS(GA_BAD_ARGUMENT, ga_rank_filter(a, 9, 3), "rank 9", "9 elements", "-9 to 8");
    FAILS(GA_BAD_ARGUMENT, ga_rank_filter(a, -10, 3), "-10");
    FAILS(GA_BAD_ARGUMENT, ga_percentile_filter(a, 101, 3), "101", "-100 to 0");
    FAILS(GA_BAD_ARGUMENT, ga_percentile_filter(a, NAN, 3), "0 to 100");
    FAILS(GA_BAD_ARGUMENT, ga_median_filter(a, 3, .border = (ga_border)7), ".border = 7");
    FAILS(GA_BAD_ARGUMENT, ga_gaussian_filter(a, 1, .border = (ga_border)-1), ".border = -1");
    FAILS(GA_BAD_ARGUMENT, ga_laplace(a, .border = (ga_border)5), ".border = 5");
    FAILS(GA_BAD_DTYPE, ga_median_filter(z, 3), "complex64", "order");
    FAILS(GA_BAD_DTYPE, ga_gaussian_gradient_magnitude(z, 1), "complex64");
    FAILS(GA_BAD_DTYPE, ga_median_filter(a, 3, .out = bytes), "float64", "uint8");
    FAILS(GA_BAD_DTYPE, ga_gaussian_filter(a, 1, .out = bytes), "float64", "uint8");
    FAILS(GA_BAD_DTYPE, ga_gaussian_filter(z, 1, .out = a), "complex64", "float64");
    FAILS(GA_BAD_SHAPE, ga_median_filter(a, 3, .out = other), "(5, 4)", "(4, 5)");
    FAILS(GA_BAD_SHAPE, ga_sobel(a, .out = other), "(5, 4)", "(4, 5)");
    FAILS(GA_BAD_ARGUMENT, ga_gaussian_filter(a, -1), "sigma -1");
    FAILS(GA_BAD_ARGUMENT, ga_gaussian_filter(a, NAN), "sigma");
    FAILS(GA_BAD_ARGUMENT, ga_gaussian_filter(a, 0, .sigmas = sigmas), "sigma -1");
    FAILS(GA_BAD_ARGUMENT, ga_gaussian_filter(a, 1, .sigmas = sigmas), "twice");
    FAILS(GA_BAD_ARGUMENT, ga_gaussian_filter(a, 0, .sigmas = missing), ".sigmas", "NULL");
    FAILS(GA_BAD_ARGUMENT, ga_gaussian_filter(a, 1, .truncate = -1), "truncate");
    FAILS(GA_BAD_ARGUMENT, ga_gaussian_filter(a, 1, .order = ga_axes(-1)), ".order = -1");
    FAILS(GA_BAD_ARGUMENT, ga_gaussian_filter(a, 1, .order = ga_axes(0, 16)), ".order = 16");
    FAILS(GA_BAD_SHAPE, ga_gaussian_filter(a, 1, .order = ga_axes(0, 1, 0)), ".order", "3 numbers");
    FAILS(GA_BAD_SHAPE, ga_gaussian_filter(a, 1, .radius = ga_axes(3, 1, 0)), ".radius", "3 numbers");
    FAILS(GA_BAD_ARGUMENT, ga_gaussian_filter(a, 1, .radius = ga_axes(2, -2)), ".radius = -2");
    FAILS(GA_NO_MEMORY, ga_gaussian_filter(a, 1e14), "weights");
    FAILS(GA_BAD_ARGUMENT, ga_gaussian_laplace(a, 1, .order = ga_axes(1)), ".order", "2");
    FAILS(GA_BAD_ARGUMENT, ga_sobel(a, .axis = 2), "axis 2", "2 dimensions");
    FAILS(GA_BAD_ARGUMENT, ga_prewitt(point), "no dimensions");
    FAILS(GA_BAD_ARGUMENT, ga_laplace(a, .axis = -3), "axis -3");
    if (test_on_gpu()) {
        ga_array *cpu = ga_ones((3, 3), .device = GA_CPU), *out = ga_ones((4, 5), .device = GA_CPU);
        FAILS(GA_BAD_DEVICE, ga_median_filter(a, 0, .footprint = cpu), "CPU", "GPU");
        FAILS(GA_BAD_DEVICE, ga_gaussian_filter(a, 1, .out = out), "CPU", "GPU");
    }
}

int main(void)
{
    ga_set_error_handler(ga_ignore_error, NULL);
    test_begin();
    ga_scope { /* releases what a failing outer call leaves behind */
        test_reductions();
        test_rearranging();
        test_images();
        test_filters();
        test_products();
        test_distances();
        test_convolutions();
    }
    CHECK(ga_report_leaks(stdout) == 0);
    return test_end();
}
