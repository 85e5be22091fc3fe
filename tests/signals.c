/* Filters along an axis, regions of labels, signals, integrals: a worked example of each, special cases, errors, chunked arrays.
   cc tests/impl.c tests/signals.c -lm -lpthread */
#ifndef GPUARR_IMPLEMENTATION
#define GPUARR_KERNELS
#endif
#include "test.h"

static double range_of(const double *values, int64_t n, void *user)
{
    double low = values[0], high = values[0];
    for (int64_t i = 1; i < n; i++) {
        if (values[i] < low) low = values[i];
        if (values[i] > high) high = values[i];
    }
    return (high - low) * *(const double *)user;
}

static void test_lines(void)
{
    ga_scope {
        ga_array    *a = ga_astype(ga_ints(1, 5, 2, 8), GA_F64), *grid = ga_reshape(ga_ints(1, 5, 2, 8, 3, 0), (2, 3));
        const double sigmas[2] = { 0, 1 };
        double       one       = 1;
        CHECK_IS(ga_minimum_filter1d(a, 3), GA_F64, (4), 1, 1, 2, 2);
        CHECK_IS(ga_maximum_filter1d(a, 3, .origin = 1), GA_F64, (4), 5, 5, 5, 8);
        CHECK_IS(ga_maximum_filter1d(grid, 2, 0), GA_I64, (2, 3), 1, 5, 2, 8, 5, 2);
        CHECK_IS(ga_uniform_filter1d(a, 2, .border = GA_BORDER_CONSTANT, .cval = 3), GA_F64, (4), 2, 3, 3.5, 5);
        CHECK(ga_array_equal(ga_gaussian_filter1d(grid, 1), ga_gaussian_filter(grid, 0, .sigmas = sigmas)));
        CHECK(
            ga_array_equal(ga_gaussian_filter1d(a, 1.5, .order = ga_axes(1)), ga_gaussian_filter(a, 1.5, .order = ga_axes(1))));
        CHECK(ga_array_equal(ga_gaussian_filter1d(grid, 1, .axis = 0),
                             ga_transpose(ga_gaussian_filter1d(ga_transpose(grid), 1))));
        CHECK_FAILS(ga_minimum_filter1d(a, 3, .axis = 1), "axis 1");
        CHECK_FAILS(ga_minimum_filter1d(a, 0), "0 elements");
        CHECK_FAILS(ga_uniform_filter1d(a, 3, .method = GA_METHOD_FFT), ".method");
        CHECK_FAILS(ga_gaussian_filter1d(ga_scalar(1), 1), "axis");
        CHECK_FAILS(ga_gaussian_laplace(a, 1, .axis = 0), ".axis");
        ga_array *chunked = ga_chunked(a, 2);
        CHECK(test_on_gpu() || ga_array_equal(ga_maximum_filter1d(chunked, 3), ga_maximum_filter1d(a, 3)));
        if (test_on_gpu()) {
            CHECK_FAILS(ga_generic_filter(a, range_of, &one, 3), "ga_to(a, GA_CPU)");
            continue;
        }
        CHECK_IS(ga_generic_filter(a, range_of, &one, 3), GA_F64, (4), 4, 4, 6, 6);
        CHECK_IS(ga_generic_filter(grid, range_of, &one, 0, ga_reshape(ga_ints(1, 0, 1), (1, 3))), GA_I64, (2, 3), 4, 1, 3, 5,
                 8, 3);
        CHECK_IS(ga_generic_filter(grid, range_of, &one, 0, .sizes = ga_axes(2, 1), .border = GA_BORDER_CONSTANT, .cval = 1),
                 GA_I64, (2, 3), 0, 4, 1, 7, 2, 2);
        CHECK_IS(ga_generic_filter(a, range_of, &one, 1, .out = ga_full((4), 7.0)), GA_F64, (4), 0, 0, 0, 0);
        CHECK_SCALAR(ga_generic_filter(ga_scalar(4), range_of, &one, 1), GA_I64, 0);
        CHECK(ga_generic_filter(ga_zeros((0, 3)), range_of, &one, 3)->size == 0);
        CHECK_FAILS(ga_generic_filter(a, NULL, NULL, 3), "function is NULL");
        CHECK_FAILS(ga_generic_filter(ga_astype(a, GA_C64), range_of, &one, 3), "real numbers");
        CHECK_FAILS(ga_generic_filter(chunked, range_of, &one, 3), "chunked");
        CHECK_FAILS(ga_generic_filter(a, range_of, &one, 3, .border = GA_BORDER_GRID_WRAP), ".border");
    }
}

static void test_regions(void)
{
    ga_scope {
        ga_array *labels = ga_reshape(ga_ints(1, 1, 0, 3, 3, 0, 0, 3, 3, 0, 0, 1), (3, 4)),
                 *a = ga_reshape(ga_ints(4, 2, 9, 7, 5, 0, 0, 5, 7, 0, 0, 2), (3, 4)), *three = ga_ints(3, 2, 3), *low, *high,
                 *at_low, *at_high, *values, *counts, *f = ga_astype(a, GA_F32);
        CHECK_IS(ga_minimum_position(a, labels, NULL), GA_I64, (3, 2), 0, 1, 0, 0, 1, 0);
        CHECK_IS(ga_maximum_position(a, labels, three), GA_I64, (3, 2), 2, 0, 0, 0, 2, 0);
        CHECK_IS(ga_maximum_position(a, NULL, NULL), GA_I64, (1, 2), 0, 2);
        CHECK(ga_extrema(f, labels, NULL, &low, &high, &at_low, &at_high));
        CHECK_IS(low, GA_F32, (3), 2, 0, 5);
        CHECK_IS(high, GA_F32, (3), 4, 0, 7);
        CHECK(ga_array_equal(at_low, ga_minimum_position(a, labels, NULL)) &&
              ga_array_equal(at_high, ga_maximum_position(a, labels, NULL)));
        CHECK(ga_extrema(a, NULL, NULL, NULL, &high, &at_low, NULL));
        CHECK_IS(high, GA_I64, (1), 9);
        CHECK_IS(at_low, GA_I64, (1, 2), 1, 1);
        CHECK_IS(ga_variance(a, labels, three), GA_F64, (3), 1, NAN, 1);
        CHECK_IS(ga_standard_deviation(f, labels, three), GA_F64, (3), 1, NAN, 1);
        CHECK_IS(ga_variance(ga_ints(1, 3), NULL, NULL), GA_F64, (1), 1);
        CHECK_IS(ga_find_objects(labels, 0), GA_I64, (3, 2, 2), 0, 3, 0, 4, 0, 0, 0, 0, 0, 3, 0, 4);
        CHECK_IS(ga_find_objects(labels, 1), GA_I64, (1, 2, 2), 0, 3, 0, 4);
        CHECK(ga_find_objects(ga_zeros((2, 2), .dtype = GA_I32), 0)->shape[0] == 0);
        CHECK_IS(ga_value_indices(ga_reshape(ga_ints(7, 5, 7, 5, 5, 8), (2, 3)), &values, &counts), GA_I64, (2, 6), 0, 1, 1, 0,
                 0, 1, 1, 0, 1, 0, 2, 2);
        CHECK_IS(values, GA_I64, (3), 5, 7, 8);
        CHECK_IS(counts, GA_I64, (3), 3, 2, 1);
        CHECK_FAILS(ga_minimum_position(a, ga_ints(1), NULL), "needs its label");
        CHECK_FAILS(ga_variance(a, NULL, three), "index without labels");
        CHECK_FAILS(ga_extrema(ga_astype(a, GA_C64), labels, NULL, &low, NULL, NULL, NULL), "complex64");
        CHECK(low == NULL);
        CHECK_FAILS(ga_maximum_position(ga_zeros((0)), NULL, NULL), "no elements");
        CHECK_FAILS(ga_find_objects(f, 0), "use integers");
        CHECK_FAILS(ga_find_objects(ga_scalar(1), 0), "no dimensions");
        CHECK_FAILS(ga_value_indices(f, &values, NULL), "use integers");
        if (!test_on_gpu()) CHECK_FAILS(ga_variance(ga_chunked(a, 2, 2), labels, NULL), "chunked");
    }
}

static void test_watershed(void)
{
    ga_scope {
        ga_array *a       = ga_astype(ga_reshape(ga_ints(0, 0, 9, 0, 0, 0, 0, 9, 0, 0), (2, 5)), GA_U8),
                 *markers = ga_reshape(ga_ints(3, 0, 0, 0, 0, 0, 0, 0, 0, -2), (2, 5)),
                 *line = ga_astype(ga_ints(0, 5, 3, 9, 1), GA_U16), *ends = ga_astype(ga_ints(1, 0, 0, 0, 2), GA_I8),
                 *square = ga_generate_binary_structure(2, 2);
        if (test_on_gpu()) {
            CHECK_FAILS(ga_watershed_ift(a, markers), "ga_to(a, GA_CPU)");
            continue;
        }
        CHECK_IS(ga_watershed_ift(a, markers), GA_I64, (2, 5), 3, 3, 3, -2, -2, 3, 3, 3, -2, -2);
        CHECK_IS(ga_watershed_ift(line, ends), GA_I8, (5), 1, 1, 1, 1, 2);
        CHECK(ga_array_equal(ga_watershed_ift(a, markers, square), ga_watershed_ift(a, markers)));
        CHECK(ga_watershed_ift(ga_zeros((0, 3), .dtype = GA_U8), ga_zeros((0, 3), .dtype = GA_I32))->size == 0);
        CHECK_SCALAR(ga_watershed_ift(ga_scalar(3, .dtype = GA_U8), ga_scalar(5)), GA_I64, 5);
        CHECK_FAILS(ga_watershed_ift(markers, markers), "uint8 or uint16");
        CHECK_FAILS(ga_watershed_ift(a, ga_astype(markers, GA_F64)), "use integers");
        CHECK_FAILS(ga_watershed_ift(a, ends), "markers (5");
        CHECK_FAILS(ga_watershed_ift(a, markers, ga_ones((3))), "use 3 along");
        CHECK_FAILS(ga_watershed_ift(a, markers, .iterations = 2), ".structure and .out");
    }
}

int main(void)
{
    test_begin();
    test_lines();
    test_regions();
    test_watershed();
    return test_end();
}
