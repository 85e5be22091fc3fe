/* Functions that are compositions: a worked example of each, special cases, errors, chunked arrays.
   cc tests/impl.c tests/compositions.c -lm -lpthread */
#ifndef GPUARR_IMPLEMENTATION
#define GPUARR_KERNELS
#endif
#include "shows.h"

static void test_stacks(void)
{
    ga_scope {
        ga_array *a = ga_ints(1, 2, 3), *b = ga_ints(4, 5, 6), *n = ga_scalar(7), *m = ga_reshape(ga_arange(0, 6, 1), (2, 3)),
                 *parts[3];
        SHOWS(GA_I64, "[7]", ga_atleast_1d(n));
        SHOWS(GA_I64, "[[1 2 3]]", ga_atleast_2d(a));
        CHECK(ga_atleast_3d(m)->ndim == 3 && ga_atleast_3d(m)->shape[2] == 1 && ga_atleast_3d(a)->shape[1] == 3);
        SHOWS(GA_I64, "[1 2 3 4 5 6]", ga_hstack((a, b)));
        SHOWS(GA_I64, "[[1 2 3]\n [4 5 6]]", ga_vstack((a, b)));
        SHOWS(GA_I64, "[[[1 4]\n  [2 5]\n  [3 6]]]", ga_dstack((a, b)));
        SHOWS(GA_F32, "[[1. 4.]\n [2. 5.]\n [3. 6.]]", ga_column_stack((a, b), .dtype = GA_F32));
        SHOWS(GA_I64, "[1 2 3 4 5 6]", ga_concat((a, b)));
        SHOWS(GA_I64, "[[0 3]\n [1 4]\n [2 5]]", ga_matrix_transpose(m));
        SHOWS(GA_I64, "[[0 3]\n [1 4]\n [2 5]]", ga_permute_dims(m, .axes = ga_axes(1, 0)));
        CHECK(ga_array_split(m, 2, parts, .axis = 1) && parts[0]->shape[1] == 2 && parts[1]->shape[1] == 1);
        CHECK(ga_array_split(a, 2, parts) && parts[0]->size == 2);
        CHECK(ga_hsplit(m, 3, parts) && parts[2]->shape[1] == 1 && ga_item_int_at(parts[2], 1, 0) == 5);
        CHECK(ga_vsplit(m, 2, parts) && ga_dsplit(ga_atleast_3d(m), 1, parts));
        CHECK(ga_unstack(m, 2, parts) && parts[1]->ndim == 1 && ga_item_int_at(parts[1], 0) == 3);
        const ga_array *two[2] = { a, ga_reshape(a, (3, 1)) };
        CHECK(ga_broadcast_arrays(2, two, parts) && parts[0]->shape[0] == 3 && parts[0]->ndim == 2);
        CHECK_FAILS(ga_matrix_transpose(a), "it must be a matrix, or a stack of them");
        CHECK_FAILS(ga_hstack((a, m)), "array number 1");
        CHECK_FAILS(ga_triu_indices(INT64_MAX, .m = INT64_MAX), "more than can be counted");
        CHECK_FAILS(ga_hsplit(n, 1, parts), "1 or more are needed");
        CHECK_FAILS(ga_vsplit(a, 1, parts), "2 or more are needed");
        CHECK_FAILS(ga_hsplit(m, 2, parts), "equal parts");
        CHECK(ga_unstack(ga_zeros((2, 0)), 0, NULL, .axis = 1));
        CHECK_FAILS(ga_unstack(m, 0, NULL), "there are 2");
        CHECK_FAILS(ga_unstack(m, 3, parts), "there are 2");
        CHECK_FAILS(ga_unstack(m, 2, parts, .dtype = GA_F32), "splitting takes no .dtype");
        const ga_array *unlike[2] = { a, ga_ints(1, 2) };
        CHECK_FAILS(ga_broadcast_arrays(2, unlike, parts), "array number 1");
        CHECK(parts[0] == NULL && parts[1] == NULL);
        CHECK_FAILS(ga_broadcast_arrays(2, two, NULL), "outs is NULL");
    }
}

static void test_edits(void)
{
    ga_scope {
        ga_array *a = ga_ints(0, 1, 2, 3), *m = ga_reshape(ga_arange(0, 6, 1), (2, 3)), *places = ga_ints(0, -1),
                 *flags = ga_greater(a, 1);
        SHOWS(GA_I64, "[0 1 2 3 9]", ga_append(a, 9));
        SHOWS(GA_F64, "[0.  1.  2.  3.  0.5]", ga_append(a, 0.5));
        SHOWS(GA_I64, "[[0 1 2]\n [3 4 5]\n [0 1 2]\n [3 4 5]]", ga_append(m, m, .axis = 0));
        SHOWS(GA_I64, "[0 1 3]", ga_delete(a, 2));
        SHOWS(GA_I64, "[1 2]", ga_delete(a, places));
        SHOWS(GA_I64, "[0 1]", ga_delete(a, flags));
        SHOWS(GA_I64, "[[0 2]\n [3 5]]", ga_delete(m, 1, .axis = 1));
        SHOWS(GA_I64, "[0 1 9 2 3]", ga_insert(a, 2, 9));
        SHOWS(GA_I64, "[7 0 1 2 8 3]", ga_insert(a, places, ga_ints(7, 8)));
        SHOWS(GA_I64, "[[0 9 1 2]\n [3 9 4 5]]", ga_insert(m, 1, 9, .axis = 1));
        SHOWS(GA_I64, "[[0 1 2]\n [7 8 9]\n [3 4 5]]", ga_insert(m, 1, ga_ints(7, 8, 9), .axis = 0));
        SHOWS(GA_I64, "[[0 1 2]\n [3 0 1]]", ga_resize(a, (2, 3)));
        SHOWS(GA_I64, "[0 1]", ga_resize(a, (2)));
        SHOWS(GA_F64, "[0. 0.]", ga_resize(ga_zeros((0)), (2)));
        ga_array *padded = ga_ints(0, 0, 1, 0, 2, 0);
        SHOWS(GA_I64, "[1 0 2]", ga_trim_zeros(padded));
        SHOWS(GA_I64, "[1 0 2 0]", ga_trim_zeros(padded, "f"));
        SHOWS(GA_I64, "[0 0 1 0 2]", ga_trim_zeros(padded, .trim = "b"));
        SHOWS(GA_I64, "[]", ga_trim_zeros(ga_ints(0, 0)));
        CHECK_FAILS(ga_append(m, a, .axis = 0), "array number 1");
        CHECK_FAILS(ga_append(a, 1, .axis = 1), "no axis 1");
        CHECK_FAILS(ga_append(a, 1, .dtype = GA_F32), "takes no .dtype");
        CHECK_FAILS(ga_delete(a, 4), "index 4 is out of bounds");
        CHECK_FAILS(ga_delete(a, ga_values(1, 2)), "must be integers");
        CHECK_FAILS(ga_delete(a, ga_greater(ga_ints(1, 2), 0)), "2 flags for an axis of length 4");
        CHECK_FAILS(ga_insert(a, 5, 1), "index 5 is out of bounds");
        CHECK_FAILS(ga_insert(a, m, 1), "one dimension or none");
        CHECK_FAILS(ga_insert(a, 0, m), "more dimensions");
        SHOWS(GA_BOOL, "[ True False False  True  True]", ga_insert(flags, 0, true));
        CHECK_FAILS(ga_insert(flags, 0, 2), "int64 does not go into an array of bool");
        CHECK_FAILS(ga_insert(a, 0, 1.5), "float64 does not go into an array of int64 without losing its kind");
        CHECK_FAILS(ga_insert(ga_astype(a, GA_U8), places, -1), "-1 does not fit uint8");
        CHECK_FAILS(ga_resize(a, (2, -1)), "negative length");
        CHECK_FAILS(ga_resize(a, (1LL << 40, 1LL << 40)), "can be counted");
        CHECK_FAILS(ga_trim_zeros(m), "one dimension");
        CHECK_FAILS(ga_trim_zeros(a, "x"), ".trim");
    }
}

static void test_triangles(void)
{
    ga_scope {
        ga_array *v = ga_ints(1, 2, 3), *m = ga_reshape(ga_arange(1, 10, 1), (3, 3)), *tall = ga_zeros((5, 2), .dtype = GA_I64);
        SHOWS(GA_I64, "[[1 0 0]\n [0 2 0]\n [0 0 3]]", ga_diag(v));
        SHOWS(GA_I64, "[2 6]", ga_diag(m, 1));
        SHOWS(GA_I64, "[[0 1 0]\n [0 0 2]\n [0 0 0]]", ga_diagflat(ga_ints(1, 2), .k = 1));
        SHOWS(GA_I64, "[[1 0 0]\n [4 5 0]\n [7 8 9]]", ga_tril(m));
        SHOWS(GA_I64, "[[0 2 3]\n [0 0 6]\n [0 0 0]]", ga_triu(m, 1));
        SHOWS(GA_F64, "[[1. 0.]\n [0. 1.]]", ga_identity(2));
        SHOWS(GA_I32, "[[1 1 0]\n [1 1 1]]", ga_tri(2, 3, 1, .dtype = GA_I32));
        CHECK(ga_tri(3, 0, 0)->size == 0 && ga_tri(0, 3, 0)->size == 0);
        SHOWS(GA_I64, "[[0 1 1]\n [0 0 1]]", ga_tril_indices(2));
        SHOWS(GA_I64, "[[0 0 1]\n [1 2 2]]", ga_triu_indices(3, .k = 1));
        CHECK_FAILS(ga_tril_indices(3, .m = -1), "-1 columns");
        CHECK_FAILS(ga_triu_indices(3, 0, -1), "-1 columns");
        for (int64_t n = 0; n < 5; n += 2) /* the places of a triangle and of the rest */
            for (int64_t wide = 0; wide < 6; wide++)
                for (int64_t k = -7; k < 8; k++)
                    ga_scope {
                        ga_array *tri = ga_tri(n, wide, k, .dtype = GA_BOOL), *rest = ga_logical_not(ga_tri(n, wide, k - 1));
                        CHECK(ga_array_equal(ga_tril_indices(n, .m = wide, .k = k), ga_nonzero(tri)));
                        CHECK(ga_array_equal(ga_triu_indices(n, .m = wide, .k = k), ga_nonzero(rest)));
                    }
        const int threads = ga_get_num_threads();
        ga_set_num_threads(4);
        for (int64_t k = -300; k <= 500; k += 400) /* large ones, by several threads */
            ga_scope {
                CHECK(
                    ga_array_equal(ga_tril_indices(700, .m = 900, .k = k), ga_nonzero(ga_tri(700, 900, k, .dtype = GA_BOOL))));
                CHECK(ga_array_equal(ga_triu_indices(3, .m = 100000, .k = k),
                                     ga_nonzero(ga_logical_not(ga_tri(3, 100000, k - 1)))));
            }
        ga_set_num_threads(threads);
        SHOWS(GA_I64, "[[0 1 2]\n [0 1 2]]", ga_diag_indices(3, 2));
        SHOWS(GA_I64, "[[1 1 1]\n [4 2 1]\n [9 3 1]]", ga_vander(v));
        SHOWS(GA_I64, "[[1 1]\n [1 2]\n [1 3]]", ga_vander(v, .n = 2, .increasing = true));
        SHOWS(GA_I64, "15", ga_trace(m));
        SHOWS(GA_F32, "8.0", ga_trace(m, .offset = 1, .dtype = GA_F32));
        CHECK(ga_fill_diagonal(m, 0) == m && ga_item_int(ga_trace(m)) == 0);
        CHECK(ga_fill_diagonal(tall, ga_ints(1, 2, 3), .wrap = true) == tall);
        SHOWS(GA_I64, "[[1 0]\n [0 2]\n [0 0]\n [3 0]\n [0 1]]", ga_copy(tall));
        SHOWS(GA_I64, "[[0 1]\n [2 0]]", ga_argwhere(ga_reshape(ga_ints(0, 5, 0, 0, 5, 0), (3, 2))));
        SHOWS(GA_I64, "[1 4]", ga_flatnonzero(ga_reshape(ga_ints(0, 5, 0, 0, 5, 0), (3, 2))));
        CHECK(ga_argwhere(ga_scalar(1))->shape[0] == 1 && ga_argwhere(ga_scalar(1))->shape[1] == 0);
        CHECK_FAILS(ga_diag(ga_zeros((1, 1, 1))), "one dimension or two");
        CHECK_FAILS(ga_diagflat(v, INT64_MIN), "larger than can be counted");
        CHECK_FAILS(ga_tril(ga_scalar(1)), "no dimensions");
        CHECK_FAILS(ga_tri(-1, 2, 0), "negative");
        CHECK_FAILS(ga_tri(10000000000, 10000000000, 0), "(10000000000, 10000000000) of float64 is more bytes");
        CHECK_FAILS(ga_tri(10000000000, 10000000000, 0, .dtype = GA_BOOL), "of bool is more bytes");
        CHECK_FAILS(ga_tri(1, 2, 0, .chunks = ga_chunks(1)), ".dtype and .device alone");
        CHECK_FAILS(ga_diag_indices(-1, 2), "at least 0");
        const ga_c128 far[1] = { { -INFINITY, -1 } };
        SHOWS(GA_F64, "[[-inf   1.]]", ga_real(ga_vander(ga_from(far, (1)), 2)));
        SHOWS(GA_F64, "[[-1.  0.]]", ga_imag(ga_vander(ga_from(far, (1)), 2)));
        CHECK(ga_vander(v, 1)->shape[1] == 1 && ga_vander(ga_zeros((0)), 2)->shape[1] == 2);
        CHECK_FAILS(ga_vander(m), "one dimension");
        CHECK_FAILS(ga_vander(v, -2), "fewer than 0");
        CHECK_FAILS(ga_vander(v, -1), "-1 columns");
        CHECK_FAILS(ga_trace(v), "fewer than two axes");
        CHECK_FAILS(ga_trace(m, .axis1 = 1), "axis 1 twice");
        CHECK_FAILS(ga_fill_diagonal(v, 1), "two axes");
        CHECK_FAILS(ga_fill_diagonal(m, ga_zeros((0))), "no element");
        CHECK_FAILS(ga_fill_diagonal(m, NAN), "float64 does not go into an array of int64 without losing its kind");
        CHECK_FAILS(ga_fill_diagonal(ga_zeros((2, 2), .dtype = GA_I32), 1LL << 40), "1099511627776 does not fit int32");
    }
}

static void test_fits(void)
{
    ga_scope {
        ga_array *cov = NULL, *places = ga_values(0, 1, 2, 3), *heights = ga_values(1, 3, 5, 7);
        int64_t   rank = 0;
        SHOWS(GA_C128, "[3.+0.j 2.+0.j 0.+0.j]", ga_round(ga_roots(ga_ints(0, 2, -10, 12, 0)), 9));
        SHOWS(GA_C64, "[0.+1.j 0.-1.j]", ga_roots(ga_astype(ga_ints(1, 0, 1), GA_F32)));
        SHOWS(GA_C128, "[]", ga_roots(ga_ints(0, 0)));
        SHOWS(GA_C128, "[]", ga_roots(ga_ints(5)));
        SHOWS(GA_F64, "[2. 1.]", ga_round(ga_polyfit(places, heights, 1, .rank = &rank), 9));
        CHECK(rank == 2);
        SHOWS(GA_F64, "[3. 2.]", ga_round(ga_polyfit(places, ga_values(2, 5, 8, 0), 1, .w = ga_values(1, 1, 1, 0)), 9));
        ga_array *noisy = ga_values(1, 3, 5, 8); /* by hand: 0.3 / 2 of what is left, over 5; 3.5, for the second one */
        SHOWS(GA_F64, "[2.3 0.8]", ga_round(ga_polyfit(places, noisy, 1, .cov = &cov), 9));
        SHOWS(GA_F64, "[[ 0.03  -0.045]\n [-0.045  0.105]]", ga_round(cov, 9));
        SHOWS(GA_F64, "[[2.3 2. ]\n [0.8 1. ]]",
              ga_round(ga_polyfit(places, ga_stack((noisy, heights), .axis = 1), 1, .cov = &cov, .unscaled = true), 9));
        SHOWS(GA_F64, "[[ 0.2 -0.3]\n [-0.3  0.7]]", ga_round(ga_squeeze(cov), 9));
        CHECK_FAILS(ga_roots(ga_ones((1, 1))), "one dimension");
        CHECK_FAILS(ga_roots(ga_values(1, NAN, 2)),
                    "p, divided by its first coefficient that is not 0, has numbers that are not");
        CHECK_FAILS(ga_polyfit(places, heights, -1), "deg is -1: it must be 0 or more");
        CHECK_FAILS(ga_polyfit(places, ga_zeros((3)), 1), "shapes (4,) and (3,) do not fit");
        CHECK_FAILS(ga_polyfit(places, heights, 1, .w = ga_zeros((3))), "w (3,) do not fit");
        CHECK_FAILS(ga_polyfit(places, heights, 3, .cov = &cov), "4 points for 4 coefficients: the covariance needs more");
        CHECK_FAILS(ga_polyfit(ga_ones((4)), heights, 1, .cov = &cov), "determine 1 of 2 coefficients");
        CHECK(!cov);
    }
}

static void test_numbers(void)
{
    ga_scope {
        ga_array *x = ga_values(1.25, -0.375, 2.5), *i = ga_ints(15, 25, -134), *odd = ga_values(NAN, INFINITY, -INFINITY, 1);
        const ga_c128 z[1] = { { 1.26, -2.71 } };
        SHOWS(GA_F64, "[ 1.2 -0.4  2.5]", ga_round(x, 1));
        SHOWS(GA_F64, "[ 1. -0.  2.]", ga_around(x));
        SHOWS(GA_I64, "[  20   20 -130]", ga_round(i, -1));
        SHOWS(GA_I64, "[  15   25 -134]", ga_round(i, 3));
        SHOWS(GA_C128, "[1.3-2.7j]", ga_round(ga_from(z, (1)), 1));
        ga_array *out = ga_zeros((3), .dtype = GA_F32);
        CHECK(ga_round(x, 1, .out = out) == out && ga_item_at(out, 1) < 0);
        SHOWS(GA_F64, "[ 1. -0.  2.]", ga_fix(x));
        SHOWS(GA_F64, "[1.25  0.375 2.5  ]", ga_abs(x));
        SHOWS(GA_F64, "[180.]", ga_degrees(ga_values(3.141592653589793)));
        SHOWS(GA_F64, "[3.14159265]", ga_radians(ga_values(180)));
        SHOWS(GA_F64, "[8.]", ga_pow(ga_values(2), 3));
        SHOWS(GA_I64, "[-16 -26 133]", ga_bitwise_invert(i));
        SHOWS(GA_F64, "2.5", ga_amax(x));
        SHOWS(GA_F64, "[   1.   10.  100. 1000.]", ga_geomspace(1, 1000, 4));
        SHOWS(GA_I32, "[-1 -2 -4]", ga_geomspace(-1, -4, 3, .dtype = GA_I32));
        SHOWS(GA_F64, "[ 0.  9. -9.  1.]", ga_nan_to_num(odd, .posinf = 9, .neginf = -9));
        SHOWS(GA_F64, "[1.         1.26606588]", ga_i0(ga_values(0, 1)));
        SHOWS(GA_F64, "[inf inf inf nan]", ga_i0(ga_values(-800, 1.7e308, INFINITY, NAN)));
        SHOWS(GA_F64, "[ 6. 17.]", ga_polyval(ga_ints(3, 2, 1), ga_values(1, 2)));
        SHOWS(GA_I64, "17", ga_polyval(ga_ints(3, 2, 1), 2));
        SHOWS(GA_F64, "[ 1. -3.  2.]", ga_poly(ga_ints(1, 2)));
        SHOWS(GA_F64, "[ 1. nan nan]", ga_poly(ga_values(2, NAN)));
        SHOWS(GA_F64, "[0.  0.5 1.  0.5 0. ]", ga_bartlett(5));
        SHOWS(GA_F64, "[0.08 0.54 1.   0.54 0.08]", ga_hamming(5));
        SHOWS(GA_F64, "[0.  0.5 1.  0.5 0. ]", ga_hanning(5));
        SHOWS(GA_F64, "[1.]", ga_blackman(1));
        SHOWS(GA_F32, "[1. 1. 1.]", ga_kaiser(3, 0, .dtype = GA_F32));
        SHOWS(GA_F64, "[]", ga_kaiser(0, 5));
        CHECK_FAILS(ga_round(x, .out = ga_zeros((2))), ".out");
        CHECK_FAILS(ga_geomspace(0, 1, 3), "no 0");
        CHECK_FAILS(ga_geomspace(1, 2, 3, .base = 2), "takes no .base");
        CHECK_FAILS(ga_geomspace(1, 2, -1), "-1 numbers");
        CHECK_FAILS(ga_i0(ga_zeros((1), .dtype = GA_C64)), "does not exist for complex64");
        CHECK_FAILS(ga_polyval(ga_ones((1, 1)), 1), "one dimension");
        CHECK_FAILS(ga_poly(ga_ones((1, 1))), "one dimension");
    }
}

static void test_differences(void)
{
    ga_scope {
        ga_array *a = ga_ints(1, 2, 4, 7), *m = ga_reshape(ga_arange(0, 6, 1), (2, 3)), *flags = ga_greater(a, 2),
                 *total = NULL;
        SHOWS(GA_I64, "[1 2 3]", ga_diff(a));
        SHOWS(GA_I64, "[1 1]", ga_diff(a, 2));
        SHOWS(GA_I64, "[1 1 2 3]", ga_diff(a, .prepend = GA_ARG(0)));
        SHOWS(GA_F64, "[1.  2.  3.  0.5]", ga_diff(a, .append = GA_ARG(ga_values(7.5))));
        SHOWS(GA_I64, "[[3 3 3]]", ga_diff(m, .axis = 0));
        SHOWS(GA_BOOL, "[False  True False]", ga_diff(flags));
        SHOWS(GA_I64, "[-9  1  2  3 99]", ga_ediff1d(a, .to_begin = GA_ARG(-9), .to_end = GA_ARG(99)));
        SHOWS(GA_F64, "[1.  1.5 2.5 3. ]", ga_gradient(a));
        SHOWS(GA_F64, "[2. 3. 5. 6.]", ga_gradient(a, .spacing = GA_ARG(0.5)));
        SHOWS(GA_F64, "[0.5 1.5 2.5 3.5]", ga_gradient(a, .edge_order = 2));
        SHOWS(GA_F64, "[1. 1. 1. 1.]", ga_gradient(a, .spacing = GA_ARG(a)));
        CHECK(ga_gradient(m)->ndim == 3 && ga_item_at(ga_gradient(m), 0, 1, 2) == 3);
        SHOWS(GA_F64, "10.0", ga_trapezoid(a));
        SHOWS(GA_F64, "20.0", ga_trapezoid(a, .dx = 2));
        SHOWS(GA_F64, "24.0", ga_trapezoid(a, a));
        SHOWS(GA_I64, "[0 1 0]", ga_unwrap(ga_ints(0, 1, 4), .period = GA_ARG(4)));
        SHOWS(GA_F64, "[ 0.          1.         -0.28318531]", ga_unwrap(ga_values(0, 1, 6)));
        SHOWS(GA_I64, "6", ga_ptp(a));
        SHOWS(GA_I64, "[ 1  3  7 14]", ga_cumulative_sum(a));
        SHOWS(GA_I64, "[ 1  1  2  8 56]", ga_cumulative_prod(a, .include_initial = true));
        SHOWS(GA_F64, "[1. 1. 3.]", ga_nancumsum(ga_values(1, NAN, 2)));
        SHOWS(GA_F64, "[1. 1. 2.]", ga_nancumprod(ga_values(1, NAN, 2)));
        SHOWS(GA_F64, "3.5", ga_average(a));
        SHOWS(GA_F64, "5.5", ga_average(a, .weights = ga_ints(0, 0, 1, 1), .sum_of_weights = &total));
        SHOWS(GA_F64, "2.0", total);
        SHOWS(GA_F64, "[[1. 1.]\n [1. 1.]]", ga_cov(m));
        SHOWS(GA_F64, "7.0", ga_cov(a));
        ga_array *spread = ga_reshape(ga_ints(7, -30, 11, 4, 127, 3, 5, -90, 8, 1), (2, 5)),
                 *w      = ga_values(.1, .9, .33, .7, .2);
        CHECK(test_same_bits(ga_cov(spread, .dtype = GA_F32, .aweights = w),
                             ga_cov(ga_astype(spread, GA_F32), .dtype = GA_F32, .aweights = w)));
        SHOWS(GA_F64, "5.25", ga_cov(a, .bias = true));
        SHOWS(GA_F64, "[[1. 1.]\n [1. 1.]]", ga_corrcoef(m));
        SHOWS(GA_F64, "3.0", ga_quantile(a, 0.5));
        SHOWS(GA_I64, "2", ga_quantile(a, 0.5, .method = GA_INVERTED_CDF));
        /* at the place of an element, that element, whatever the next one is; between equal infinities, infinity */
        SHOWS(GA_F64, "1.0", ga_quantile(ga_values(1, INFINITY), 0));
        SHOWS(GA_F64, "1.0", ga_quantile(ga_values(-INFINITY, 1), 1));
        SHOWS(GA_F64, "2.0", ga_quantile(ga_values(INFINITY, 2, 1), 0.5));
        SHOWS(GA_F64, "inf", ga_quantile(ga_values(INFINITY, INFINITY), 0.3));
        SHOWS(GA_F64, "5.0", ga_quantile(ga_values(-INFINITY, 5, 6), 0.5, .method = GA_AVERAGED_INVERTED_CDF));
        SHOWS(GA_F64, "-inf", ga_percentile(ga_values(-INFINITY, 1, -INFINITY), 30));
        SHOWS(GA_F32, "1.0", ga_quantile(ga_astype(ga_values(1, INFINITY), GA_F32), 0));
        SHOWS(GA_F64, "[2. 4.]", ga_nanquantile(ga_values(2, NAN, 4), ga_values(0, 1)));
        SHOWS(GA_I64, "[]", ga_diff(a, INT32_MAX));
        CHECK_FAILS(ga_ediff1d(ga_astype(a, GA_U8), .to_end = GA_ARG(300)), "300 does not fit uint8");
        CHECK_FAILS(ga_ediff1d(a, .to_begin = GA_ARG(1.5)), "float64 does not go into an array of int64");
        CHECK_FAILS(ga_diff(a, -1), "give 0 or more");
        CHECK_FAILS(ga_diff(ga_scalar(1)), "no dimensions");
        CHECK_FAILS(ga_ediff1d(flags), "does not exist for bool");
        CHECK_FAILS(ga_ediff1d(a, .to_end = GA_ARG(ga_values(0.5))), "without losing its kind");
        CHECK_FAILS(ga_gradient(ga_ints(1)), "too short");
        CHECK_FAILS(ga_gradient(a, .edge_order = 3), ".edge_order = 3");
        CHECK_FAILS(ga_gradient(a, .spacing = GA_ARG(m)), "coordinates of axis 0");
        CHECK_FAILS(ga_trapezoid(a, ga_scalar(1)), "no dimensions");
        CHECK_FAILS(ga_trapezoid(ga_ones((2, 3, 4)), ga_ones((3, 4)), .axis = 0), "axis -3");
        CHECK_FAILS(ga_unwrap(a, .period = GA_ARG(-1)), "greater than 0");
        CHECK_FAILS(ga_unwrap(a, .period = GA_ARG(a)), "real number");
        CHECK_FAILS(ga_ptp(a, .ddof = 1), "no .ddof");
        CHECK_FAILS(ga_cumulative_sum(m), "give the .axis");
        CHECK_FAILS(ga_average(a, .weights = ga_ints(1, 2)), ".weights has shape (2,)");
        CHECK_FAILS(ga_average(a, .weights = ga_ints(0, 0, 0, 0)), "add up to 0");
        CHECK_FAILS(ga_cov(ga_ones((1, 1, 1))), "at most two dimensions");
        CHECK_FAILS(ga_cov(m, .fweights = ga_values(1, 1, 1)), "integers");
        CHECK_FAILS(ga_cov(m, .aweights = ga_ints(1)), "one number for each");
        CHECK_FAILS(ga_cov(m, .aweights = ga_ints(1, -1, 1)), "negative");
        CHECK_FAILS(ga_cov(m, .dtype = GA_I32), "covariances are floats");
        CHECK_FAILS(ga_corrcoef(m, .bias = true), "change nothing");
        CHECK_FAILS(ga_quantile(a, 50), "quantiles lie between 0 and 1");
        CHECK_FAILS(ga_quantile(ga_zeros((0)), 0.5), "there is none to return");
        CHECK_FAILS(ga_nanquantile(ga_zeros((0), .dtype = GA_I64), 0.5, .method = GA_LOWER), "there is none to return");
        CHECK(isnan(ga_item(ga_nanquantile(ga_zeros((0)), 0.5, .method = GA_LOWER))));
    }
}

/* Integers that lie close together, and those at the ends of their dtypes, against a comparison of all with all. */
static void test_isin(void)
{
    static const ga_dtype dtypes[] = { GA_BOOL, GA_I8, GA_U8, GA_I32, GA_U32, GA_I64 };
    for (int i = 0; i < 36; i++)
        ga_scope {
            const ga_dtype one = dtypes[i / 6], other = dtypes[i % 6];
            const int64_t  far = i % 2 ? INT64_MAX : INT64_MIN;
            ga_array      *x   = ga_random_integers(-20, 20, (40), .seed = (uint64_t)i),
                     *y        = ga_add(ga_take(x, ga_ints(1, 5, 7, 9)), 1);
            if (one == GA_I64) x = ga_append(x, ga_ints(far, far + (i % 2 ? -1 : 1), INT64_MIN, 0));
            if (other == GA_I64 && i % 3 == 0) y = ga_add(y, far - ga_item_int(ga_max(y)) * (i % 2)); /* may wrap around */
            if (other == GA_I64 && i % 3 == 1) y = ga_append(y, ga_ints(INT64_MIN, INT64_MAX));
            x              = ga_astype(x, one);
            y              = ga_index(ga_astype(y, other), "::-1");
            ga_array *want = ga_any(ga_equal(ga_index(x, ":, newaxis"), y), .axis = 1);
            if (!CHECK(ga_array_equal(ga_isin(x, y), want) &&
                       ga_array_equal(ga_isin(x, y, .invert = true), ga_logical_not(want))))
                printf("     %s among %s\n", ga_dtype_name(one), ga_dtype_name(other));
            CHECK(!ga_item(ga_any(ga_isin(x, ga_index(y, ":0")))) && ga_isin(ga_index(x, ":0"), y)->size == 0);
        }
}

/* Large integers beside floats, complex numbers and uint64, in whose common dtype several of them are one. */
static void test_rounded_sets(void)
{
    ga_scope {
        const int64_t whole = (int64_t)1 << 53;
        ga_array     *x     = ga_ints(INT64_MAX, INT64_MAX - 1, whole + 1, 7, -1), *from[2];
        ga_array     *u     = ga_astype(ga_append(ga_multiply(ga_arange(40), 2), ga_ints(whole, whole + 1, -1)), GA_U64);
        ga_array     *y = ga_values(1, 2), *z = ga_astype(y, GA_C128);
        SHOWS(GA_BOOL, "[False False False False False]", ga_isin(x, z));
        SHOWS(GA_I64, "[-1  7]", ga_index(ga_setdiff1d(x, z), ":2"));
        CHECK(ga_setdiff1d(x, z)->size == 5);
        SHOWS(GA_BOOL, "[False False  True False False]", ga_isin(x, u)); /* -1 is not 2**64 - 1 */
        CHECK(ga_array_equal(ga_flatnonzero(ga_isin(u, x)), ga_ints(41)));
        SHOWS(GA_BOOL, "[ True False False False  True]", ga_isin(ga_ints(2, 3, whole + 2, -2, whole), u));
        CHECK(ga_array_equal(ga_flatnonzero(ga_isin(u, ga_ints(2, 3, whole + 2, -2, whole))), ga_ints(1, 40)));
        CHECK(ga_intersect1d(x, y)->size == 0 && ga_intersect1d(z, x)->size == 0);
        SHOWS(GA_F64, "[9.22337204e+18]",
              ga_intersect1d(x, ga_values(9223372036854775807.0), .index_a = &from[0], .index_b = &from[1]));
        CHECK(ga_item_int(from[0]) == 0 && ga_item_int(from[1]) == 0);
        CHECK(ga_array_equal(ga_setxor1d(x, y), ga_values(-1, 1, 2, 7, (double)whole, 9223372036854775808.0)));
    }
}

/* Few needles and many, in no order, among numbers with NaN, infinities and zeros of both signs: places by definition. */
static void test_searches(ga_dtype dtype)
{
    const int64_t lengths[] = { 0, 1, 2, 7, 64, 300 }, counts[] = { 1, 8, 9, 31, 32, 33, 64, 65, 200 };
    for (int of = 0; of < 6 * 9; of++)
        ga_scope {
            const int64_t n = lengths[of % 6], count = counts[of / 6];
            ga_array     *draw = ga_random_integers(-9, 9, (n + count), .seed = 5), *x = ga_astype(draw, dtype);
            if (dtype == GA_F32 || dtype == GA_F64) { /* 8 is NaN, -9 an infinity, and half of the zeros are -0 */
                ga_array *odd = ga_remainder(ga_arange(0, (double)(n + count), 1), 2);
                x             = ga_where(ga_equal(draw, 8), ga_astype(ga_values(NAN), dtype),
                                         ga_multiply(x, ga_astype(ga_where(odd, 1, -1), dtype)));
                x             = ga_where(ga_equal(draw, -9), ga_astype(ga_values(-INFINITY), dtype), x);
            }
            ga_array *sorted = ga_sort(ga_index(x, ":%lld", (long long)n)), *needles = ga_index(x, "%lld:", (long long)n);
            ga_array *line = ga_to(ga_astype(sorted, GA_F64), GA_CPU), *want = ga_to(ga_astype(needles, GA_F64), GA_CPU);
            for (int right = 0; right < 2; right++) {
                ga_array *places = ga_to(ga_searchsorted(sorted, needles, .side = right ? GA_RIGHT : GA_LEFT), GA_CPU);
                for (int64_t k = 0; k < count; k++) {
                    const double needle = ((const double *)want->data)[k];
                    int64_t      before = 0;
                    for (int64_t i = 0; i < n; i++) {
                        const double v = ((const double *)line->data)[i];
                        before += isnan(v) ? right && isnan(needle) : isnan(needle) || v < needle || (right && v == needle);
                    }
                    CHECK(((const int64_t *)places->data)[k] == before);
                }
            }
        }
}

static void test_search(void)
{
    ga_scope {
        ga_array *a = ga_ints(1, 2, 2, 5), *v = ga_ints(0, 2, 9), *x = ga_values(0, 1.5, 3, 9), *xp = ga_values(1, 2, 3),
                 *fp = ga_values(10, 20, 0), *from[3] = { NULL, NULL, NULL }, *edges[2];
        SHOWS(GA_I64, "[0 1 4]", ga_searchsorted(a, v));
        SHOWS(GA_I64, "[0 3 4]", ga_searchsorted(a, v, GA_RIGHT));
        SHOWS(GA_I64, "1", ga_searchsorted(a, 1.5));
        SHOWS(GA_I64, "2", ga_searchsorted(ga_ints(5, 1, 2), 4, .sorter = ga_ints(1, 2, 0)));
        SHOWS(GA_I64, "[2 3]", ga_searchsorted(ga_values(1, 2, NAN), ga_values(3, NAN), GA_RIGHT));
        SHOWS(GA_I64, "[0 3 4]", ga_digitize(v, a));
        SHOWS(GA_I64, "[0 1 4]", ga_digitize(v, a, .right = true));
        SHOWS(GA_I64, "[3 1 0]", ga_digitize(v, ga_ints(5, 2, 1)));
        SHOWS(GA_F64, "[10. 15.  0.  0.]", ga_interp(x, xp, fp));
        SHOWS(GA_F64, "[-1. 15.  0.  7.]", ga_interp(x, xp, fp, -1, 7));
        SHOWS(GA_F64, "15.0", ga_interp(1.5, xp, fp));
        SHOWS(GA_F64, "[ 5. 15.]", ga_interp(ga_values(0, 5.5), xp, fp, .period = 4));
        const ga_c128 ends[2] = { { 0, 1 }, { INFINITY, 3 } };
        ga_array     *heights = ga_interp(ga_values(0.5, NAN, 9), ga_values(0, 1), ga_from(ends, (2)), .right = 7);
        SHOWS(GA_F64, "[inf nan  7.]", ga_real(heights));
        SHOWS(GA_F64, "[2. 0. 0.]", ga_imag(heights));
        SHOWS(GA_BOOL, "[False  True False]", ga_isin(v, a));
        SHOWS(GA_BOOL, "True", ga_isin(5, a));
        SHOWS(GA_BOOL, "[ True False  True]", ga_isin(v, a, .invert = true));
        SHOWS(GA_I64, "[2]", ga_intersect1d(a, v, .index_a = &from[0], .index_b = &from[1]));
        CHECK(ga_item_int_at(from[0], 0) == 1 && ga_item_int_at(from[1], 0) == 1);
        SHOWS(GA_I64, "[0 1 2 5 9]", ga_union1d(a, v));
        SHOWS(GA_I64, "[1 5]", ga_setdiff1d(a, v));
        CHECK_FAILS(ga_setdiff1d(a, ga_chunked(ga_to(v, GA_CPU), 2)), "b is chunked");
        CHECK_FAILS(ga_intersect1d(a, ga_chunked(ga_to(v, GA_CPU), 2)), "b is chunked");
        CHECK_FAILS(ga_setxor1d(a, ga_chunked(ga_to(v, GA_CPU), 2)), "b is chunked");
        SHOWS(GA_I64, "[0 1 5 9]", ga_setxor1d(a, v));
        SHOWS(GA_I64, "[1 2 5]", ga_unique_values(a));
        SHOWS(GA_I64, "[1 2 5]", ga_unique_all(a, &from[0], &from[1], &from[2]));
        SHOWS(GA_I64, "[1 2 1]", ga_copy(from[2]));
        SHOWS(GA_I64, "[1 2 5]", ga_unique_counts(a, &from[0]));
        SHOWS(GA_I64, "[1 2 5]", ga_unique_inverse(a, &from[0]));
        SHOWS(GA_I64, "[0 1 1 2]", ga_copy(from[0]));
        SHOWS(GA_I64, "[2 0 1]", ga_lexsort((ga_ints(1, 2, 3), ga_ints(5, 5, 0))));
        SHOWS(GA_I64, "[1 2 3]", ga_partition(ga_ints(3, 1, 2), 1));
        SHOWS(GA_I64, "[1 2 0]", ga_argpartition(ga_ints(3, 1, 2), -1));
        /* a long line of short integers: less, equal, greater, each in their order */
        ga_array *many = ga_random_integers(-300, 300, (5000), .dtype = GA_I16, .seed = 1);
        ga_array *kth = ga_index(ga_sort(many), "3000"), *less = ga_compress(ga_less(many, kth), many),
                 *equal = ga_compress(ga_equal(many, kth), many), *more = ga_compress(ga_greater(many, kth), many);
        CHECK(ga_array_equal(ga_partition(many, 3000), ga_concatenate((less, equal, more))));
        CHECK(ga_array_equal(ga_take(many, ga_argpartition(many, 3000)), ga_partition(many, 3000)));
        /* integers near each other, and the same as floats */
        ga_array *counts[2], *values = ga_unique_counts(many, &counts[0]);
        CHECK(ga_array_equal(values, ga_unique_counts(ga_astype(many, GA_F64), &counts[1])) &&
              ga_array_equal(counts[0], counts[1]));
        SHOWS(GA_I64, "[22 41]", ga_ravel_multi_index(ga_reshape(ga_ints(3, 6, 4, 5), (2, 2)), (7, 6)));
        SHOWS(GA_I64, "[[3 6]\n [4 5]]", ga_unravel_index(ga_ints(22, 41), (7, 6)));
        SHOWS(GA_I64, "[1 2]", ga_unravel_index(8, (3, 6)));
        SHOWS(GA_F64, "[1. 3. 5.]", ga_histogram_bin_edges(a, 2));
        SHOWS(GA_F64, "[[3. 0.]\n [0. 1.]]", ga_histogram2d(a, a, (2)));
        SHOWS(GA_F64, "[1. 2. 1.]", ga_histogramdd(ga_reshape(ga_ints(0, 1, 1, 2), (4, 1)), (3), .edges = edges));
        CHECK(edges[0]->size == 4);
        ga_array *single = ga_astype(ga_values(1000, 1000.1, 1000.2, 1000.3, 1000.4, 1001), GA_F32), *zeros = ga_zeros((6)),
                 *flat = ga_astype(zeros, GA_F32);
        SHOWS(GA_F64, "[1. 1. 1. 1. 1. 0. 0. 0. 0. 1.]", ga_ravel(ga_histogram2d(single, flat, (10, 1), .edges = edges)));
        CHECK(edges[0]->dtype == GA_F64 && ga_array_equal(edges[0], ga_histogram_bin_edges(single, 10)));
        SHOWS(GA_F64, "[1. 1. 1. 1. 1. 0. 0. 0. 0. 1.]", ga_histogramdd(ga_reshape(single, (6, 1)), (10)));
        SHOWS(GA_F64, "[1.66707367 1.66605654 1.66707367]",
              ga_index(ga_ravel(ga_histogram2d(single, flat, (10, 1), .density = true)), ":3"));
        const double range[4] = { 1000, 1001, GA_REAL_DEFAULT, GA_REAL_DEFAULT }; /* float64 with a range, or beside float64 */
        SHOWS(GA_F64, "[2. 0. 2. 0. 1. 0. 0. 0. 0. 1.]", ga_ravel(ga_histogram2d(single, flat, (10, 1), .ranges = range)));
        SHOWS(GA_F64, "[2. 0. 2. 0. 1. 0. 0. 0. 0. 1.]", ga_ravel(ga_histogram2d(single, zeros, (10, 1))));
        CHECK_FAILS(ga_histogramdd(ga_reshape(single, (6, 1)), (100000)), "neighbouring edges of float32 are equal");
        CHECK_FAILS(ga_searchsorted(ga_ones((2, 2)), 1), "one dimension");
        CHECK_FAILS(ga_searchsorted(a, 1, .side = (ga_side)2), "GA_LEFT or GA_RIGHT");
        CHECK_FAILS(ga_searchsorted(a, 1, .sorter = v), ".sorter has shape (3,)");
        CHECK_FAILS(ga_searchsorted(ga_ones((1), .dtype = GA_C64), 1), "is not searched");
        CHECK_FAILS(ga_digitize(1, ga_ints(1, 3, 2)), "neither ascend nor descend");
        CHECK_FAILS(ga_digitize(1, ga_ones((1, 1))), "one dimension");
        CHECK_FAILS(ga_interp(1, xp, v = ga_ints(1, 2)), "same length");
        CHECK_FAILS(ga_interp(1, xp, fp, .period = 0), ".period = 0");
        CHECK_FAILS(ga_interp(ga_ones((1), .dtype = GA_C64), xp, fp), "x is complex");
        CHECK_FAILS(ga_lexsort((a, xp)), "key number 1");
        CHECK_FAILS(ga_lexsort_n(2, NULL), "no array in the list");
        CHECK_FAILS(ga_median(a, .method = GA_LOWER), "ga_median takes no .method: use ga_quantile");

        const ga_device before = ga_get_device();
        ga_set_device(GA_CPU); /* complex64 that lies as float32 may */
        ga_array *floats = ga_arange(0, 9, 1, .dtype = GA_F32, .device = GA_CPU),
                 *loose  = ga_wrap((ga_c64 *)(void *)((float *)floats->data + 1), (4));
        SHOWS(GA_F32, "[7. 5. 3. 1.]", ga_real(ga_copy(ga_flip(loose))));
        CHECK(ga_copyto(ga_index(loose, "::2"), ga_index(loose, "1::2")) != NULL);
        SHOWS(GA_F32, "[3. 3. 7. 7.]", ga_real(loose));
        ga_array *above = ga_greater(ga_real(loose), 5);
        SHOWS(GA_F32, "[0. 0. 7. 7.]", ga_real(ga_where(above, loose, 0)));
        SHOWS(GA_F32, "[0. 0. 7. 7.]", ga_real(ga_eval("where(above, loose, 0)", (above, loose))));
        SHOWS(GA_F32, "[7. 3.]", ga_real(ga_take(loose, ga_ints(3, 0))));
        SHOWS(GA_F32, "[7. 3.]", ga_real(ga_take_along_axis(loose, ga_ints(3, 0), 0)));
        CHECK(ga_put_along_axis(loose, ga_ints(3, 0), ga_take(loose, ga_ints(3, 0)), 0) == loose);
        SHOWS(GA_F32, "[7. 7.]", ga_real(ga_extract(above, loose)));
        ga_array *square = ga_transpose(ga_reshape(loose, (2, 2))), *same = ga_copy(square);
        CHECK(ga_array_equal(ga_matmul(square, square), ga_matmul(same, same)));
        CHECK(ga_copyto(loose, ga_flip(loose), .where = above) && ga_index_put(loose, (ga_ints(0)), 9) &&
              ga_add_at(loose, (ga_ints(1, 1)), ga_index(loose, ":2")));
        ga_set_device(before);
        CHECK_FAILS(ga_partition(a, 4), "kth = 4");
        CHECK(ga_partition(ga_ones((0)), 3)->size == 0 && ga_argpartition(ga_ones((2, 0)), 0)->dtype == GA_I64); /* as NumPy */
        CHECK_FAILS(ga_ravel_multi_index(a, (3, 3)), "must have length 2");
        CHECK_FAILS(ga_ravel_multi_index(ga_ints(1, 9), (3, 3)), "length of 3");
        CHECK_FAILS(ga_ravel_multi_index(ga_values(1, 1), (3, 3)), "must be integers");
        CHECK_FAILS(ga_unravel_index(9, (3, 3)), "out of bounds");
        CHECK_FAILS(ga_histogram_bin_edges(a, 2, .edges = edges), "takes no .edges");
        CHECK_FAILS(ga_histogramdd(a, (2)), "(points, 1)");
        CHECK_FAILS(ga_histogram2d(ga_ones((2, 2)), ga_ones((2, 2)), (2)), "one dimension");
    }
}

/* The order that a partition makes of a line: what lies before, is equal, lies behind, each as it lay. A NaN lies behind all numbers. */
static ga_array *parting_of(const ga_array *line, int64_t kth)
{
    ga_array *middle = ga_index(ga_sort(line), "%lld", (long long)kth), *less = ga_less(line, middle),
             *more = ga_greater(line, middle);
    if (line->dtype == GA_F64 || line->dtype == GA_F32) {
        ga_array *nan = ga_isnan(line), *none = ga_isnan(middle);
        less = ga_logical_or(less, ga_logical_and(none, ga_logical_not(nan)));
        more = ga_logical_or(more, ga_logical_and(nan, ga_logical_not(none)));
    }
    return ga_argsort(ga_subtract(ga_astype(more, GA_I32), less));
}

/* Ascending needles, few and many for each element, with repetitions, NaNs and infinities; against a comparison of all with all. And the elements
   that two lines share, of which either is the longer one. */
static void test_sorted_needles(void)
{
    static const ga_dtype dtypes[]  = { GA_U8, GA_I32, GA_F32, GA_F64 };
    static const int      lengths[] = { 1, 30, 700 };
    for (int i = test_on_gpu() ? 60 : 0; i < 72; i++)
        ga_scope {
            const ga_dtype dtype = dtypes[i % 4];
            const int      n = lengths[i / 4 % 3], count = lengths[i / 12 % 3] + 40, values = i / 36 ? 60 : 3000;
            ga_array      *x = ga_astype(ga_random_integers(0, values, (n), .seed = (uint64_t)i), dtype),
                     *v      = ga_astype(ga_random_integers(-3, values + 3, (count), .seed = 99), dtype);
            if (i % 4 > 1) {
                x = ga_append(ga_append(x, ga_values(NAN, INFINITY)), ga_values(-0.0, -INFINITY));
                v = ga_append(ga_append(v, ga_values(INFINITY, 0)), ga_values(NAN, -INFINITY));
            }
            x              = ga_sort(ga_astype(x, dtype));
            v              = ga_sort(ga_astype(v, dtype));
            ga_array *each = ga_index(v, ":, newaxis"), *last = ga_isnan(each), *number = ga_logical_not(ga_isnan(x));
            ga_array *left  = ga_sum(ga_logical_or(ga_less(x, each), ga_logical_and(last, number)), .axis = 1);
            ga_array *right = ga_sum(ga_logical_or(ga_less_equal(x, each), last), .axis = 1);
            CHECK(ga_array_equal(ga_searchsorted(x, v), left));
            CHECK(ga_array_equal(ga_searchsorted(x, v, GA_RIGHT), right));
            ga_array *own = ga_unique(x), *shared = ga_any(ga_equal(ga_index(own, ":, newaxis"), v), .axis = 1);
            CHECK(ga_array_equal(ga_intersect1d(ga_flipud(x), v), ga_extract(shared, own)));
            CHECK(ga_array_equal(ga_intersect1d(v, x), ga_extract(shared, own)));
        }
}

/* Lines of all lengths that are partitioned in ways of their own, of both axes. */
static void test_partitions(void)
{
    static const ga_dtype dtypes[] = { GA_F64, GA_F32, GA_I64, GA_I32, GA_U64, GA_U8, GA_BOOL, GA_I8, GA_I16, GA_U16, GA_U32 };
    static const int64_t  longer[] = { 300, 511, 1000, 1024, 1025, 2048, 2049, 4096, 4097 };
    const int64_t         next     = test_on_gpu() ? 6 : 1; /* where a line is sorted, and no more */
    for (int64_t i = 0; i < 38; i += next)
        for (int k = 0; k < 11; k++)
            ga_scope {
                const int64_t n = i < 23 ? 1 + 11 * i : i < 29 ? 232 + i : longer[i - 29], rows = i < 29 ? 3 : 17;
                ga_array     *lines = ga_astype(
                        ga_random_integers(0, i % 2 ? 100 : 4 * n, (rows, n), .seed = (uint64_t)n, .dtype = GA_I64), dtypes[k]);
                if (dtypes[k] == GA_U64) ga_add(lines, UINT64_MAX - 60, .out = lines); /* around 2^63 and beyond the end */
                if ((dtypes[k] == GA_F64 || dtypes[k] == GA_F32)) {                    /* with NaN, -0 and 0 */
                    ga_subtract(lines, 50, .out = lines);
                    ga_copyto(lines, NAN, .where = ga_less(lines, -40));
                    ga_copyto(lines, -0.0, .where = ga_greater(lines, 40 + n));
                }
                const int64_t kth  = k % 3 == 0 ? n / 2 : k % 3 == 1 ? 0 : n - 1;
                ga_array     *down = ga_copy(ga_transpose(lines)), *parts = ga_partition(lines, kth, .axis = 1),
                         *order = ga_argpartition(lines, kth, .axis = 1);
                CHECK(test_same_bits(ga_transpose(ga_partition(down, kth, .axis = 0)), parts));
                CHECK(test_same_bits(ga_transpose(ga_argpartition(down, kth, .axis = 0)), order));
                CHECK(test_same_bits(ga_transpose(ga_partition(ga_transpose(lines), kth, .axis = 0)), parts));
                CHECK(test_same_bits(ga_transpose(ga_argpartition(ga_transpose(lines), kth, .axis = 0)), order));
                for (int64_t row = 0; row < 3; row++) {
                    ga_array *line = ga_index(lines, "%lld", (long long)row), *expected = parting_of(line, kth);
                    CHECK(test_same_bits(ga_index(order, "%lld", (long long)row), expected));
                    CHECK(test_same_bits(ga_index(parts, "%lld", (long long)row), ga_take(line, expected)));
                    CHECK(test_same_bits(ga_index(parts, "%lld", (long long)row), ga_partition(line, kth)));
                    CHECK(test_same_bits(ga_index(order, "%lld", (long long)row), ga_argpartition(line, kth)));
                }
            }
}

/* Long lines of one or two bytes, of which a sample (cpu/keys.h, gi_key_far) says where the kth element is: all that it reads is 0, the
   others are not, or the other way round, or the line is all one. */
static void test_misleading_lines(void)
{
    static const ga_dtype dtypes[]   = { GA_U8, GA_I8, GA_U16, GA_I16 };
    static const int64_t  sizes[][2] = { { 4097, 128 },
                                         { 40000, 512 },
                                         { 262145, 2048 } }; /* elements, and those of the sample */
    for (int i = 0; i < (test_on_gpu() ? 1 : 3); i++)        /* on a GPU there is no sample */
        for (int k = 0; k < 12; k++)
            ga_scope {
                const int64_t n = sizes[i][0], step = n / sizes[i][1];
                ga_array     *line = ga_zeros((n), .dtype = dtypes[k % 4]);
                for (int64_t s = 0; s < sizes[i][1]; s++) ga_set_at(line, 100, step * s + s * 37 % step);
                if (k / 4 == 1) ga_subtract(100, line, .out = line);
                if (k / 4 == 2) ga_copyto(line, dtypes[k % 4] == GA_U8 ? 255 : dtypes[k % 4] == GA_U16 ? 65535 : -1);
                for (int64_t kth = 0; kth < n; kth += n / 3) {
                    const ga_array *expected = parting_of(line, kth);
                    CHECK(test_same_bits(ga_argpartition(line, kth), expected));
                    CHECK(test_same_bits(ga_partition(line, kth), ga_take(line, expected)));
                }
            }
}

/* Orders of elements of one or two bytes, by themselves and as keys, beside those of int64. */
static void test_orders(void)
{
    static const ga_dtype dtypes[] = { GA_U8, GA_I8, GA_U16, GA_I16, GA_BOOL };
    static const int64_t  sizes[]  = { 100, 256, 1001, 300001 };
    for (int i = 0; i < (test_on_gpu() ? 3 : 4); i++)
        ga_scope {
            ga_array *wide[5], *keys[5], *all = NULL;
            for (int k = 0; k < 5; k++) {
                const int low = dtypes[k] == GA_I8 ? -5 : dtypes[k] == GA_I16 ? -300 : 0, high = k < 2 ? 5 : k < 4 ? 300 : 2;
                ga_array *x = ga_random_integers(low, high, (2 * sizes[i]), .seed = (uint64_t)k, .dtype = GA_I64);
                keys[k]     = ga_index(ga_astype(x, dtypes[k]), "::2");
                wide[k]     = ga_index(x, "::2");
                CHECK(test_same_bits(ga_argsort(keys[k]), ga_argsort(wide[k])));
                all = all ? ga_add(all, ga_multiply(wide[k], k == 1   ? 100
                                                             : k == 2 ? 10000
                                                             : k == 3 ? 10000000
                                                                      : 1e10))
                          : wide[k];
            }
            CHECK(test_same_bits(ga_lexsort((keys[0], keys[1], keys[2], keys[3], keys[4])), ga_argsort(all)));
            CHECK(test_same_bits(ga_lexsort((keys[0], wide[1], keys[2])), ga_lexsort((wide[0], wide[1], wide[2]))));
            CHECK(test_same_bits(ga_lexsort((wide[0], keys[1])), ga_lexsort((wide[0], wide[1]))));
        }
}

/* Variances of labels: the sums of the elements of each, and of the squares of their distances from the mean. */
static void test_variances(void)
{
    for (int i = 0; i < 4; i++)
        ga_scope {
            ga_array *a      = ga_random_normal(7, 2, (90, 100), .seed = 3, .dtype = i % 2 ? GA_F32 : GA_F64);
            ga_array *labels = ga_random_integers(0, 9, (90, 100), .seed = 4); /* in short runs, and in long ones */
            if (i > 1) labels = ga_repeat(ga_index(labels, ":, ::10"), 10, .axis = 1);
            ga_array *index = ga_ints(3, 77, 8, 3), *v = ga_variance(a, labels, index), *all = ga_variance(a, labels, NULL);
            CHECK(all->size == 8 && v->size == 4);
            CHECK(test_same_bits(ga_standard_deviation(a, labels, index), ga_sqrt(v)));
            for (int64_t k = 0; k < 4; k++) {
                ga_array *x      = ga_astype(ga_extract(ga_equal(labels, ga_index(index, "%lld", (long long)k)), a), GA_F64);
                ga_array *square = ga_square(ga_subtract(x, ga_divide(ga_sum(x), (double)x->size)));
                ga_array *one    = ga_index(v, "%lld", (long long)k);
                if (x->size == 0) CHECK(isnan(ga_item(one)));
                else CHECK(test_same_bits(one, ga_divide(ga_sum(square), (double)x->size)));
                if (k != 1) CHECK(test_same_bits(one, ga_index(all, "%lld", k == 2 ? 7LL : 2LL)));
            }
        }
}

/* Of chunked arrays: the same, or a sentence. */
static void test_chunked(void)
{
    if (test_on_gpu()) return;
    ga_scope {
        ga_array *a = ga_random((40, 30), .seed = 1), *c = ga_chunked(a, 16, 8), *v = ga_random((100), .seed = 2),
                 *w = ga_chunked(v, 30);
#define SAME(of, ...)                                                                                                          \
    do {                                                                                                                       \
        ga_array *x = of, *plain = __VA_ARGS__;                                                                                \
        x              = of##_chunks;                                                                                          \
        ga_array *lazy = __VA_ARGS__, *here = lazy ? ga_compute(lazy) : NULL;                                                  \
        CHECK(plain &&here &&test_same_bits(plain, here));                                                                     \
    } while (0)
        ga_array *a_chunks = c, *v_chunks = w;
        ga_array *z   = ga_divide(ga_astype(ga_subtract(a, 0.5), GA_C128),
                                  ga_subtract(ga_round(ga_multiply(a, 3)), 1)), /* inf, nan */
            *z_chunks = ga_chunked(z, 16, 8), *s = ga_astype(z, GA_C64), *s_chunks = ga_chunked(s, 9, 30);
        SAME(a, ga_round(x, 2));
        SAME(z, ga_round(x, 2));
        SAME(s, ga_round(x));
        SAME(z, ga_nan_to_num(x, .posinf = 3));
        SAME(s, ga_nan_to_num(ga_conj(x)));
        SAME(a, ga_tril(x));
        SAME(a, ga_triu(x, -3));
        SAME(a, ga_diff(x));
        SAME(a, ga_diff(x, 2, .axis = 0));
        SAME(a, ga_gradient(x));
        SAME(a, ga_gradient(x, .axis = 1, .edge_order = 2, .spacing = GA_ARG(0.5)));
        SAME(v, ga_gradient(x, .spacing = GA_ARG(ga_cumsum(v))));
        SAME(a, ga_trapezoid(x));
        SAME(a, ga_cumulative_sum(x, .axis = 1));
        SAME(a, ga_ptp(x, .axis = 0));
        SAME(a, ga_average(x, .axis = 0));
        SAME(a, ga_nan_to_num(x));
        if (!getenv("GPUARR_TEST_OWN_STACK")) { /* a small stack does not take so deep expressions */
            SAME(a, ga_unwrap(ga_multiply(x, 20)));
            SAME(a, ga_i0(x));
        }
        SAME(a, ga_quantile(x, 0.3, .axis = 1, .method = GA_HAZEN));
        SAME(v, ga_append(x, 3));
        SAME(v, ga_delete(x, 7));
        SAME(v, ga_insert(x, 7, 3));
        SAME(v, ga_hstack((x, x)));
        SAME(v, ga_atleast_2d(x));
        SAME(v, ga_ediff1d(x));
        SAME(v, ga_vander(x, 3));
        CHECK_FAILS(ga_searchsorted(w, 1), "ga_compute it first");
        CHECK_FAILS(ga_diag(w), "ga_compute it first");
    }
}

static void test_handler(ga_status status, const char *sentence, void *user)
{
    (void)status, (void)sentence;
    *(int64_t *)user = ga_memory_stats().arrays;
}

/* A handler is told when the call has let go of all that it had, and what it makes is kept. */
static void test_let_go(void)
{
    ga_array *a      = ga_ints(1, 2, 3);
    int64_t   before = ga_memory_stats().arrays, told = -1;
    ga_clear_error();
    ga_set_error_handler(test_handler, &told);
    CHECK(ga_insert(a, 1, a, .axis = 3) == NULL && told == before);
    ga_clear_error();
    told = -1;
    CHECK(ga_interp(a, a, a, .period = 0) == NULL && told == before);
    ga_clear_error();
    told           = -1;
    ga_array *none = ga_multiply(a, 0);
    CHECK(ga_average(a, .weights = none) == NULL && told == before + 1);
    ga_free(none);
    ga_set_error_handler(NULL, NULL);
    ga_clear_error();
    ga_free(a);
}

int main(void)
{
    test_begin();
    test_stacks();
    test_edits();
    test_triangles();
    test_numbers();
    test_fits();
    test_differences();
    test_searches(GA_F32);
    test_searches(GA_F64);
    test_searches(GA_I32);
    test_searches(GA_I64);
    test_search();
    test_sorted_needles();
    test_partitions();
    test_misleading_lines();
    test_orders();
    test_variances();
    test_isin();
    test_rounded_sets();
    test_chunked();
    test_let_go();
    return test_end();
}
