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
        CHECK_IS(ga_generic_filter(grid, range_of, &one, 0, .border = GA_BORDER_CONSTANT, .cval = 1, .sizes = ga_axes(2, 1)),
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
        CHECK_IS(ga_find_objects(ga_ones((2, 2500), .dtype = GA_I32), 0), GA_I64, (1, 2, 2), 0, 2, 0, 2500);
        CHECK(ga_find_objects(ga_zeros((3, 0), .dtype = GA_I32), 2)->shape[0] == 2);
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

/* Is one element before another in a sort? NaNs are last, and equal. */
static bool is_less(double x, double y) { return x < y || (!isnan(x) && isnan(y)); }

/* Extremes of labels and their boxes by definition: many elements, and equal ones, zeros of both signs, NaNs and a label without any. */
static void test_regions_by_definition(void)
{
    enum { COLUMNS = 500, LABELS = 12 };
    static double  value[300 * COLUMNS];
    static int64_t label[300 * COLUMNS];
    const int64_t  rows = test_on_gpu() ? 4 : 300, n = rows * COLUMNS;
    const ga_dtype dtypes[] = { GA_F32, GA_F64, GA_I8, GA_U8, GA_I32, GA_I64, GA_U64 };
    for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++)
        ga_scope {
            ga_array *drawn = ga_random_integers(-3, 4, (n), .seed = k), *kind = ga_random_integers(0, 50, (n), .seed = 77);
            ga_array *x = ga_astype(drawn, GA_F64), *special = ga_where(ga_equal(kind, 1), -0.0, NAN);
            x                = ga_astype(ga_where(ga_less(kind, 3), special, x),
                                         dtypes[k]); /* integers: NaN gives 0, uint's negative ones too */
            ga_array *labels = ga_random_integers(-1, LABELS, (n), .seed = 5), *back = ga_astype(x, GA_F64);
            labels = ga_where(ga_equal(labels, 4), 5, labels);
            int64_t low[LABELS], high[LABELS], boxes[LABELS][4];
            memset(boxes, 0, sizeof boxes);
            for (int l = 0; l < LABELS; l++) low[l] = high[l] = -1;
            for (int64_t i = 0; i < n; i++) {
                value[i] = ga_item_at(back, i);
                label[i] = (int64_t)ga_item_at(labels, i);
                if (label[i] < 1) continue;
                int64_t *l = &low[label[i]], *h = &high[label[i]], *box = boxes[label[i]];
                if (*l < 0 || is_less(value[i], value[*l])) *l = i;
                if (*h < 0 || !is_less(value[i], value[*h])) *h = i;
                const int64_t row = i / COLUMNS, column = i % COLUMNS;
                if (box[1] == 0 || row < box[0]) box[0] = row;
                if (box[3] == 0 || column < box[2]) box[2] = column;
                if (row + 1 > box[1]) box[1] = row + 1;
                if (column + 1 > box[3]) box[3] = column + 1;
            }
            const ga_array *grid = ga_reshape(x, (rows, COLUMNS)), *names = ga_reshape(labels, (rows, COLUMNS));
            ga_array       *at_low = ga_minimum_position(grid, names, NULL), *at_high = ga_maximum_position(grid, names, NULL);
            ga_array       *found = ga_find_objects(names, 0), *some = ga_maximum_position(grid, names, ga_ints(11, 2, 2, 99));
            CHECK(at_low && at_low->shape[0] == LABELS - 1 && found && found->shape[0] == LABELS - 1);
            CHECK(some && ga_item_at(some, 0, 1) == high[11] % COLUMNS && ga_item_at(some, 2, 0) == high[2] / COLUMNS);
            CHECK(some && ga_item_at(some, 3, 0) == 0 && ga_item_at(some, 3, 1) == 0);
            for (int l = 1; at_low && at_high && found && l < LABELS; l++) {
                const int64_t first = low[l] < 0 ? 0 : low[l], last = high[l] < 0 ? 0 : high[l];
                CHECK(ga_item_at(at_low, l - 1, 0) * COLUMNS + ga_item_at(at_low, l - 1, 1) == first);
                CHECK(ga_item_at(at_high, l - 1, 0) * COLUMNS + ga_item_at(at_high, l - 1, 1) == last);
                for (int end = 0; end < 4; end++) CHECK(ga_item_at(found, l - 1, end / 2, end % 2) == boxes[l][end]);
            }
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
        for (int k = 0; k < 4; k++) { /* beside an image of which all elements are on an edge */
            ga_array *image =
                         ga_astype(ga_random_integers(0, k < 2 ? 250 : 60000, (23, 31), .seed = 1), k < 2 ? GA_U8 : GA_U16),
                     *all = ga_random_integers(-4, 5, (23, 31), .seed = 2),
                     *few = ga_random_integers(0, 9, (23, 31), .seed = 3), *some = ga_where(ga_equal(few, 0), all, 0),
                     *box = ga_generate_binary_structure(2, k % 2 + 1), *thick = ga_zeros((3, 3, 3), .dtype = GA_BOOL);
            ga_copyto(ga_index(thick, "1"), box);
            ga_array *flooded = ga_watershed_ift(image, some, box);
            CHECK(ga_array_equal(ga_expand_dims(flooded, 0),
                                 ga_watershed_ift(ga_expand_dims(image, 0), ga_expand_dims(some, 0), thick)));
            CHECK(ga_item(ga_count_nonzero(flooded)) == 23 * 31);
        }
        CHECK(ga_watershed_ift(ga_zeros((0, 3), .dtype = GA_U8), ga_zeros((0, 3), .dtype = GA_I32))->size == 0);
        CHECK_SCALAR(ga_watershed_ift(ga_scalar(3, .dtype = GA_U8), ga_scalar(5)), GA_I64, 5);
        CHECK_FAILS(ga_watershed_ift(markers, markers), "uint8 or uint16");
        CHECK_FAILS(ga_watershed_ift(a, ga_astype(markers, GA_F64)), "use integers");
        CHECK_FAILS(ga_watershed_ift(a, ends), "markers (5");
        CHECK_FAILS(ga_watershed_ift(a, markers, ga_ones((3))), "use 3 along");
        CHECK_FAILS(ga_watershed_ift(a, markers, .iterations = 2), ".structure and .out");
    }
}

static bool close_to(const ga_array *a, ga_array *b)
{
    return a && b && a->dtype == b->dtype && ga_same_shape(a, b) && ga_allclose(a, b, .atol = 1e-12);
}

static void test_integrals(void)
{
    ga_scope {
        ga_array *y = ga_ints(1, 4, 9, 16, 25), *x = ga_ints(0, 1, 3, 4, 6), *four = ga_index(y, ":4"),
                 *f = ga_astype(y, GA_F32);
        CHECK_IS(ga_cumulative_trapezoid(y), GA_F64, (4), 2.5, 9, 21.5, 42);
        CHECK_IS(ga_cumulative_trapezoid(f, .dx = 2, .initial = 0), GA_F32, (5), 0, 5, 18, 43, 84);
        CHECK_IS(ga_cumulative_trapezoid(y, x), GA_F64, (4), 2.5, 15.5, 28, 69);
        CHECK(close_to(ga_simpson(y), ga_scalar(124.0 / 3))); /* of (x + 1)**2 from 0 to 4 */
        CHECK(close_to(ga_simpson(four, .dx = 2), ga_scalar(42.0)) && close_to(ga_simpson(f), ga_scalar((float)(124.0 / 3))));
        CHECK(close_to(ga_simpson(ga_square(x), x), ga_scalar(72.0)));
        CHECK(close_to(ga_simpson(ga_square(ga_index(x, ":4")), ga_index(x, ":4")), ga_scalar(64.0 / 3)));
        CHECK(close_to(ga_simpson(ga_transpose(ga_stack((y, y))), .axis = 0), ga_full((2), 124.0 / 3)));
        CHECK_SCALAR(ga_simpson(ga_index(y, ":2")), GA_F64, 2.5);
        CHECK_SCALAR(ga_simpson(ga_index(y, ":1")), GA_F64, 0);
        CHECK_FAILS(ga_simpson(ga_zeros((0))), "is empty");
        CHECK_FAILS(ga_simpson(y, four), "5 places");
        CHECK_FAILS(ga_simpson(y, .initial = 0), "ga_cumulative_trapezoid");
        CHECK_FAILS(ga_trapezoid(y, .initial = 0), "ga_cumulative_trapezoid");
        CHECK_FAILS(ga_cumulative_trapezoid(y, .initial = 1), ".initial = 1");
        CHECK_FAILS(ga_cumulative_trapezoid(ga_zeros((0))), "is empty");
        CHECK_FAILS(ga_cumulative_trapezoid(ga_scalar(1)), "axis");
        if (test_on_gpu()) continue;
        ga_array *chunked = ga_chunked(y, 2);
        CHECK(ga_array_equal(ga_simpson(chunked), ga_simpson(y)));
        CHECK(ga_array_equal(ga_cumulative_trapezoid(chunked), ga_cumulative_trapezoid(y)));
    }
}

static const ga_c128 unit = { 0, 1 };

static void test_recursions(void)
{
    ga_scope {
        ga_array *x = ga_astype(ga_ints(1, 0, 0, 2), GA_F64), *b = ga_ints(1, 1), *a = ga_values(2, -1), *zf,
                 *sos = ga_reshape(ga_values(1, 1, 0, 1, -0.5, 0, 2, 0, 0, 1, 0, 0), (2, 6)),
                 *two = ga_stack((x, ga_multiply(x, 2)));
        if (test_on_gpu()) {
            CHECK_FAILS(ga_lfilter(b, a, x), "ga_to(x, GA_CPU)");
            continue;
        }
        CHECK_IS(ga_lfilter(b, a, x), GA_F64, (4), 0.5, 0.75, 0.375, 1.1875);
        CHECK_IS(ga_lfilter(b, a, x, .zi = ga_values(4), .zf = &zf), GA_F64, (4), 4.5, 2.75, 1.375, 1.6875);
        CHECK_IS(zf, GA_F64, (1), 1.84375);
        CHECK_IS(ga_lfilter(b, a, ga_transpose(two), 0), GA_F64, (4, 2), 0.5, 1, 0.75, 1.5, 0.375, 0.75, 1.1875, 2.375);
        CHECK_IS(ga_lfilter(b, ga_ints(1), ga_ints(1, 2, 3)), GA_F64, (3), 1, 3, 5);
        CHECK_IS(ga_lfilter(ga_scalar(3), ga_ints(1), x, .zf = &zf), GA_F64, (4), 3, 0, 0, 6);
        CHECK(zf && zf->size == 0);
        CHECK(ga_lfilter(ga_astype(b, GA_F32), ga_astype(a, GA_F32), ga_astype(x, GA_C64))->dtype == GA_C64);
        CHECK(ga_array_equal(ga_imag(ga_lfilter(b, a, ga_multiply(x, unit))), ga_lfilter(b, a, x)));
        CHECK_IS(ga_sosfilt(sos, x), GA_F64, (4), 2, 3, 1.5, 4.75);
        CHECK(ga_array_equal(ga_sosfilt(sos, two, .zi = ga_zeros((2, 2, 2)), .zf = &zf), ga_sosfilt(sos, two)));
        CHECK_IS(ga_index(zf, "0, :, 0"), GA_F64, (2), 3.1875, 6.375);
        /* more lines than go at once, and with one after the other */
        ga_array *many  = ga_random((3, 50, 7), .seed = 1),
                 *front = ga_lfilter(b, a, ga_index(many, ":, :20"), .axis = 1, .zf = &zf);
        CHECK(ga_array_equal(ga_lfilter(b, a, many, 1),
                             ga_concatenate((front, ga_lfilter(b, a, ga_index(many, ":, 20:"), 1, zf)), .axis = 1)));
        CHECK_FAILS(ga_lfilter(b, ga_ints(0, 1), x), "a[0] is 0");
        CHECK_FAILS(ga_lfilter(two, a, x), "b has shape (2, 4): use a row of at least one coefficient");
        CHECK_FAILS(ga_lfilter(b, ga_zeros((0)), x), "a has shape (0,): use a row");
        CHECK_FAILS(ga_lfilter(b, a, x, .zi = ga_values(1, 2)), ".zi has shape (2,): use (1,)");
        CHECK_FAILS(ga_lfilter(ga_ints(1, 2, 3), a, x, .zi = ga_values(4)), ".zi has shape (1,): use (2,)"); /* not twice */
        CHECK_FAILS(ga_lfilter(b, ga_astype(a, GA_C64), x), "real coefficients");
        CHECK_FAILS(ga_lfilter(b, a, two, .zi = ga_values(1)), ".zi has shape (1,): use (2, 1)");
        CHECK_FAILS(ga_lfilter(b, a, x, 1), "axis 1");
        CHECK_FAILS(ga_lfilter(b, a, ga_chunked(x, 2)), "chunked");
        CHECK_FAILS(ga_sosfilt(two, x), "use (n, 6)");
        CHECK_FAILS(ga_sosfilt(ga_multiply(sos, 2), x), "sos[0, 3] is 2");
        CHECK_FAILS(ga_sosfilt(sos, x, .zi = ga_zeros((2))), "use (2, 2)");
    }
}

/* Filters without feedback beside those whose feedback is 0, sections that run one after the other beside all at once, few lines and many. */
static void test_ways_of_filters(void)
{
    if (test_on_gpu()) return; /* they are of arrays on the CPU */
    for (int64_t taps = 2; taps < 45; taps += taps < 9 ? 1 : 35)
        for (int64_t n = 0; n < 60; n += n < 3 ? 1 : 19)
            for (int64_t lines = 1; lines < 40; lines += 12)
                ga_scope {
                    ga_array *b = ga_random_normal(0, 1, (taps), .seed = 1), *x = ga_random_normal(0, 1, (n, lines), .seed = 2);
                    ga_array *zi = ga_random_normal(0, 1, (taps - 1, lines), .seed = 3), *zf = NULL, *ends = NULL;
                    ga_array *one = ga_lfilter(b, ga_ints(1), x, 0, .zi = zi, .zf = &zf);
                    CHECK(ga_array_equal(one, ga_lfilter(b, ga_ints(1, 0), x, 0, .zi = zi, .zf = &ends)) &&
                          ga_array_equal(zf, ends));
                }
    for (int64_t delays = 1; delays < 12; delays++)
        ga_scope { /* a line alone, and beside another one */
            ga_array *b = ga_random_normal(0, 1, (delays + 1), .seed = 1),
                     *a = ga_multiply(ga_random((delays + 1), .seed = 2), 0.2), *x = ga_random_normal(0, 1, (50), .seed = 3),
                     *kept = ga_copy(x), *zi = ga_random((delays), .seed = 4), *again = ga_copy(zi), *zf = NULL, *ends = NULL;
            ga_copyto(ga_index(a, "0"), 1.5);
            ga_array *one = ga_lfilter(b, a, x, .zi = zi, .zf = &zf),
                     *two = ga_lfilter(b, a, ga_stack((x, x)), .zi = ga_stack((zi, zi)), .zf = &ends);
            CHECK(test_same_bits(one, ga_copy(ga_index(two, "1"))) && test_same_bits(zf, ga_copy(ga_index(ends, "1"))));
            CHECK(test_same_bits(x, kept) && test_same_bits(zi, again) && !ga_may_share_memory(one, x));
        }
    for (int64_t k = 1; k < 10; k++)
        for (int64_t lines = 1; lines < 40; lines += 12)
            ga_scope {
                ga_array *sos = ga_multiply(ga_random_normal(0, 1, (k, 6), .seed = 4), 0.3);
                ga_array *x = ga_random_normal(0, 1, (lines, 31), .seed = 5), *y = x;
                ga_copyto(ga_index(sos, ":, 3"), 1);
                for (int64_t i = 0; i < k; i++)
                    y = ga_lfilter(ga_index(sos, "%lld, :3", (long long)i), ga_index(sos, "%lld, 3:", (long long)i), y);
                CHECK(ga_array_equal(ga_sosfilt(sos, x), y));
                CHECK(test_same_bits(ga_sosfilt(sos, x), ga_sosfilt(sos, x, .zi = ga_zeros((k, lines, 2)))));
            }
}

static void test_transforms(void)
{
    const int beyond = GA_VALID + 1;
    ga_scope {
        ga_array *x = ga_ints(1, 2, 3, 4), *v = ga_ints(1, 0, -1), *grid = ga_reshape(ga_ints(1, 2, 3, 4, 5, 7), (2, 3)),
                 *into = ga_zeros((4)), *i = ga_full((4), unit, .dtype = GA_C128), *wave = ga_ints(0, 1, 0, -1);
        CHECK(close_to(ga_fftconvolve(x, v), ga_astype(ga_convolve(x, v), GA_F64)));
        CHECK(close_to(ga_fftconvolve(x, v, GA_SAME), ga_values(2, 2, 2, -3)));
        CHECK(close_to(ga_fftconvolve(v, x, GA_VALID), ga_values(2, 2)));
        CHECK(close_to(ga_fftconvolve(i, v), ga_convolve(i, v)) &&
              ga_fftconvolve(ga_astype(x, GA_F32), ga_astype(v, GA_F32))->dtype == GA_F32);
        CHECK(close_to(ga_fftconvolve(grid, grid), ga_astype(ga_convolve2d(grid, grid), GA_F64)));
        CHECK(close_to(ga_fftconvolve(grid, ga_ones((2, 1)), GA_SAME), ga_reshape(ga_values(1, 2, 3, 5, 7, 10), (2, 3))));
        CHECK(ga_fftconvolve(x, ga_ones((1)), .out = into) == into && ga_item_at(into, 3) == 4);
        CHECK_FAILS(ga_fftconvolve(x, grid), "dimensions");
        CHECK(close_to(ga_fftconvolve(grid, grid, .axis = 1),
                       ga_reshape(ga_values(1, 4, 10, 12, 9, 16, 40, 81, 70, 49), (2, 5))));
        CHECK(close_to(ga_fftconvolve(grid, ga_reshape(v, (1, 3)), GA_VALID, .axis = -1), ga_reshape(ga_values(2, 3), (2, 1))));
        CHECK(close_to(ga_fftconvolve(grid, ga_ones((2, 1)), .axes = ga_axes(1)), ga_astype(grid, GA_F64)));
        CHECK(close_to(ga_fftconvolve(grid, grid, .axes = ga_axes(1, 0)), ga_fftconvolve(grid, grid)));
        CHECK_FAILS(ga_fftconvolve(grid, ga_ones((3, 2)), .axis = 1), "along axis 0");
        CHECK_FAILS(ga_fftconvolve(grid, grid, .axis = 2), "axis 2");
        CHECK_FAILS(ga_fftconvolve(grid, grid, .axes = ga_axes(0, -2)), "named twice");
        CHECK_FAILS(ga_fftconvolve(grid, grid, .axis = 1, .axes = ga_axes(0)), "use one of them");
        CHECK_FAILS(ga_fftconvolve(x, v, (ga_mode)beyond), "the mode is");
        CHECK_FAILS(ga_fftconvolve(x, ga_zeros((0))), "empty");
        CHECK_FAILS(ga_fftconvolve(grid, ga_reshape(grid, (3, 2)), GA_VALID), "GA_VALID");
        CHECK_IS(ga_medfilt(x, (3)), GA_I64, (4), 1, 2, 3, 3);
        CHECK_IS(ga_medfilt(grid, (1, 3)), GA_I64, (2, 3), 1, 2, 2, 4, 5, 5);
        CHECK_FAILS(ga_medfilt(x, (2)), "odd");
        CHECK_FAILS(ga_medfilt(grid, (3, 3, 3)), "kernel_size");
        CHECK(close_to(ga_imag(ga_hilbert(wave)), ga_values(-1, 0, 1, 0)) &&
              close_to(ga_real(ga_hilbert(wave)), ga_astype(wave, GA_F64)));
        CHECK(ga_hilbert(ga_astype(grid, GA_F32), 5, 0)->shape[0] == 5 && ga_hilbert(ga_astype(grid, GA_F32))->dtype == GA_C64);
        CHECK_FAILS(ga_hilbert(i), "complex128");
        CHECK_FAILS(ga_hilbert(x, 0), "1 or more");
        CHECK_FAILS(ga_hilbert(x, .norm = GA_NORM_ORTHO), ".norm");
        CHECK(close_to(ga_resample(wave, 8), ga_values(0, 0.5, 1, 0.5, 0, -0.5, -1, -0.5)) == false);
        CHECK(close_to(ga_index(ga_resample(wave, 8), "::2"), ga_astype(wave, GA_F64)) &&
              close_to(ga_resample(ga_resample(x, 7), 4), ga_astype(x, GA_F64)));
        CHECK(close_to(ga_imag(ga_resample(ga_multiply(i, x), 6)), ga_resample(x, 6)) &&
              ga_resample(grid, 5, 1)->shape[1] == 5);
        CHECK_FAILS(ga_resample(x, 0), "to 0 elements");
        CHECK(close_to(ga_detrend(ga_ints(1, 3, 5, 7)), ga_zeros((4))) &&
              close_to(ga_detrend(x, .type = GA_TREND_CONSTANT), ga_values(-1.5, -0.5, 0.5, 1.5)));
        CHECK(close_to(ga_detrend(ga_ints(0, 1, 2, 9, 5, 1), .bp = ga_ints(3, 3)), ga_zeros((6))));
        CHECK(close_to(ga_detrend(grid, 0), ga_zeros((2, 3))) && ga_detrend(ga_astype(grid, GA_F32))->dtype == GA_F32);
        CHECK_FAILS(ga_detrend(x, .bp = ga_ints(5)), ".bp has 5");
        CHECK_FAILS(ga_detrend(x, .type = GA_TREND_NONE), ".type = 3");
        ga_array *cubes = ga_power(ga_arange(0, 9, 1), 3);
        CHECK(close_to(ga_savgol_filter(cubes, 5, 3), ga_astype(cubes, GA_F64)));
        CHECK(close_to(ga_savgol_filter(cubes, 5, 3, 2, 0.5), ga_multiply(ga_arange(0, 9, 1), 24.0)));
        CHECK(close_to(ga_savgol_filter(x, 3, 0, .border = GA_BORDER_NEAREST), ga_divide(ga_ints(4, 6, 9, 11), 3)));
        CHECK(close_to(ga_savgol_filter(grid, 2, 1, .axis = 0), ga_savgol_filter(grid, 1, 0)) &&
              ga_savgol_filter(ga_astype(x, GA_F32), 3, 1)->dtype == GA_F32);
        CHECK_FAILS(ga_savgol_filter(x, 5, 2), "longer than axis 0");
        CHECK_FAILS(ga_savgol_filter(x, 3, 3), "order 3 through 3 points: use an order below the number of points");
        CHECK_FAILS(ga_savgol_filter(x, 3, -1), "polyorder = -1: use 0 or more");
        CHECK_FAILS(ga_savgol_filter(x, 3, 1, 1, 0), ".delta = 0: give the spacing of the samples");
        CHECK(close_to(ga_savgol_filter(cubes, 5, 3, .delta = 0), ga_astype(cubes, GA_F64)));
        CHECK_FAILS(ga_savgol_filter(x, 0, 0), "window_length = 0: use 1 or more");
        CHECK_FAILS(ga_savgol_filter(x, 3, 1, .deriv = -1), ".deriv = -1: use 0 or more");
        CHECK(close_to(ga_savgol_filter(cubes, 5, 3, .deriv = 4), ga_zeros((9))));
        CHECK(close_to(ga_savgol_filter(cubes, 5, 3, .deriv = INT32_MAX), ga_zeros((9)))); /* at once */
        if (test_on_gpu()) continue;
        ga_array *line = ga_power(ga_linspace(-1, 1, 6001), 3);
        ga_memory_limit(ga_memory_stats().used_bytes +
                        ((int64_t)64 << 20)); /* half of what all weights of a long window take */
        CHECK(close_to(ga_savgol_filter(line, 4001, 3), line));
        ga_memory_limit(0);
        line = ga_linspace(-1, 1, (1 << 20) + 5); /* windows for whose ends the weights are too many */
        CHECK(close_to(ga_savgol_filter(line, (1 << 20) + 3, 1), line));
        CHECK(close_to(ga_savgol_filter(line, (1 << 20) - 1, 1), line)); /* by weights it would take half an hour */
        ga_array *rough =
            ga_random_normal(0, 1, (4600), .dtype = GA_F32, .seed = 7); /* float32 keeps its digits at high orders */
        ga_array *smooth = ga_savgol_filter(rough, 4501, 12), *exact = ga_savgol_filter(ga_astype(rough, GA_F64), 4501, 12);
        CHECK(ga_item(ga_max(ga_absolute(ga_subtract(smooth, exact)))) < 2e-6);
        CHECK(close_to(ga_savgol_filter(ga_stack((line, ga_negative(line)), .axis = 1), (1 << 20) + 3, 1, .axis = 0),
                       ga_stack((line, ga_negative(line)), .axis = 1)));
        ga_array *chunked = ga_chunked(x, 2);
        CHECK(close_to(ga_detrend(chunked), ga_zeros((4))));
        CHECK_FAILS(ga_fftconvolve(chunked, v), "chunked");
        CHECK_FAILS(ga_hilbert(chunked), "chunked");
        CHECK_FAILS(ga_savgol_filter(chunked, 3, 1), "chunked");
    }
}

static void test_spectra(void)
{
    ga_scope {
        ga_array *x = ga_astype(ga_ints(0, 1, 0, -1, 0, 1, 0, -1), GA_F64), *f, *t, *pair = ga_stack((x, ga_multiply(x, 2))),
                 *ones = ga_ones((4));
        CHECK(close_to(ga_periodogram(x, 8, .frequencies = &f), ga_values(0, 0, 0.5, 0, 0)));
        CHECK_IS(f, GA_F64, (5), 0, 1, 2, 3, 4);
        CHECK(close_to(ga_periodogram(x, .nfft = 4, .scaling = GA_SPECTRUM), ga_values(0, 0.5, 0)));
        CHECK(close_to(ga_periodogram(x, .nfft = 4, .return_onesided = false), ga_values(0, 1, 0, 1)));
        CHECK(close_to(ga_welch(x, .values = ones), ga_values(0, 2, 0)) &&
              close_to(ga_welch(x, 1, "boxcar", .nperseg = 4), ga_values(0, 2, 0)));
        CHECK(close_to(ga_welch(ga_transpose(pair), 1, "boxcar", .nperseg = 4, .axis = 0),
                       ga_transpose(ga_reshape(ga_values(0, 2, 0, 0, 8, 0), (2, 3)))));
        CHECK(close_to(ga_spectrogram(x, 2, .values = ones, .noverlap = 2, .frequencies = &f, .times = &t),
                       ga_reshape(ga_values(0, 0, 0, 1, 1, 1, 0, 0, 0), (3, 3))));
        CHECK_IS(f, GA_F64, (3), 0, 0.5, 1);
        CHECK_IS(t, GA_F64, (3), 1, 2, 3);
        CHECK(ga_spectrogram(pair, .nperseg = 4, .axis = 0)->ndim == 3 && ga_welch(ga_astype(x, GA_F32))->dtype == GA_F32);
        CHECK(close_to(ga_welch(ga_add(x, 3), 1, "hann", .nperseg = 4, .nfft = 6, .detrend = GA_TREND_LINEAR),
                       ga_welch(ga_add(x, 5), 1, .nperseg = 4, .nfft = 6, .detrend = GA_TREND_LINEAR)));
        CHECK(ga_welch(ga_astype(x, GA_C128), .nperseg = 4)->size == 4);
        /* pieces with the powers 2, 8 and 32 at the middle: their median is divided by 1 + 1/3 - 1/2 */
        ga_array *louder =
            ga_concatenate((ga_index(x, ":4"), ga_multiply(ga_index(x, ":4"), 2), ga_multiply(ga_index(x, ":4"), 4)));
        CHECK(close_to(ga_welch(louder, .values = ones, .noverlap = 0, .average = GA_AVERAGE_MEDIAN),
                       ga_values(0, 8 * 6. / 5, 0)) &&
              close_to(ga_welch(louder, .values = ones, .noverlap = 0), ga_values(0, 14, 0)));
        /* sin: -2i / sqrt(4) at the middle */
        ga_array *z = ga_spectrogram(x, .values = ones, .noverlap = 0, .mode = GA_MODE_COMPLEX);
        CHECK(z->dtype == GA_C128 && close_to(ga_imag(z), ga_reshape(ga_values(0, 0, -1, -1, 0, 0), (3, 2))) &&
              close_to(ga_real(z), ga_zeros((3, 2))));
        CHECK(close_to(ga_spectrogram(x, .values = ones, .noverlap = 0, .mode = GA_MODE_MAGNITUDE), ga_absolute(z)) &&
              close_to(ga_spectrogram(x, .values = ones, .noverlap = 0, .mode = GA_MODE_ANGLE), ga_angle(z)));
        /* an impulse at element 3 of 4: each frequency is turned by 3/4 of a period more, -3 pi / 2, seen as pi / 2 */
        ga_array *late = ga_values(0, 0, 0, 1);
        CHECK(close_to(
            ga_spectrogram(late, .values = ones, .detrend = GA_TREND_NONE, .return_onesided = false, .mode = GA_MODE_PHASE),
            ga_reshape(ga_multiply(ga_arange(4), 1.5707963267948966), (4, 1))));
        /* of 4 points: at 0 (the end), 1 and 3 (half way), 2 (the middle); what is constant has the power sum(w)^2 / (4 sum(w^2)) */
        static const struct {
            const char *name;
            double      end, half;
        } windows[] = {
            { "triang", 1. / 3, 2. / 3 },         { "bartlett", 0, 0.5 }, { "parzen", 0.016, 0.424 },
            { "bohman", 0, 0.3183098861837907 },  { "barthann", 0, 0.5 }, { "cosine", 0.30901699437494745, 0.8090169943749475 },
            { "lanczos", 0, 0.6366197723675814 }, { "tukey", 0, 1 }
        };
        for (size_t k = 0; k < sizeof windows / sizeof *windows; k++) {
            const double e = windows[k].end, h = windows[k].half, sum = e + 2 * h + 1;
            ga_array    *p = ga_welch(ga_ones((4)), 1, windows[k].name, .nperseg = 4, .detrend = GA_TREND_NONE);
            CHECK(p && fabs(ga_item_at(p, 0) - sum * sum / (e * e + 2 * h * h + 1)) < 1e-14);
        }
        CHECK_FAILS(ga_welch(x, 1, "han"), "there is no window");
        CHECK_FAILS(ga_welch(x, .nperseg = 4, .nfft = 3), "use 4 or more");
        CHECK_FAILS(ga_welch(x, .nperseg = 4, .noverlap = 4), ".noverlap = 4");
        CHECK_FAILS(ga_welch(x, .mode = GA_MODE_ANGLE), ".mode = 3: use a ga_spectrum_mode, in ga_spectrogram");
        CHECK_FAILS(ga_spectrogram(x, .mode = (ga_spectrum_mode)5), ".mode = 5");
        CHECK_FAILS(ga_welch(x, .average = (ga_averaging)2),
                    ".average = 2: use GA_AVERAGE_MEAN or GA_AVERAGE_MEDIAN, in ga_welch");
        CHECK_FAILS(ga_periodogram(x, .average = GA_AVERAGE_MEDIAN), ".average = 1");
        CHECK_FAILS(ga_welch(x, .noverlap = -1), ".noverlap = -1: use 0 or more");
        CHECK_FAILS(ga_welch(x, .nperseg = 0), "pieces of 0 elements of a line of 8: use 1 or more");
        CHECK_FAILS(ga_spectrogram(x, .nperseg = 4, .nfft = 0), ".nfft = 0: use 4 or more");
        CHECK_FAILS(ga_periodogram(x, .nfft = 0), ".nfft = 0: use 1 or more");
        CHECK_FAILS(ga_welch(x, .values = ones, .nperseg = 3), ".values");
        CHECK_FAILS(ga_welch(ones, .values = x), "pieces of 8");
        CHECK_FAILS(ga_welch(ga_zeros((0))), "x has shape (0,): there is nothing");
        CHECK_FAILS(ga_welch(ga_zeros((0, 5))), "x has shape (0, 5): there is nothing");
        CHECK_FAILS(ga_welch(x, 0), ".fs = 0: use a rate above 0");
        CHECK_FAILS(ga_welch(x, NAN), ".fs = nan: use a rate above 0");
        CHECK_FAILS(ga_welch(x, .detrend = (ga_trend)9), ".detrend = 9: use a ga_trend");
        CHECK_FAILS(ga_welch(x, .axis = 1), "axis 1");
        CHECK_FAILS(ga_periodogram(x, .nperseg = 4), "ga_welch");
        CHECK_FAILS(ga_spectrogram(ga_zeros((1, 1, 1, 1, 1, 1, 1, 1))), "8 dimensions");
        if (!test_on_gpu()) CHECK_FAILS(ga_welch(ga_chunked(x, 2)), "chunked");
    }
}

static void test_peaks(void)
{
    ga_scope {
        ga_array *x = ga_astype(ga_ints(0, 2, 0, 3, 3, 3, 1, 5, 4, 0), GA_F64);
        ga_peaks  p;
        if (test_on_gpu()) {
            CHECK_FAILS(ga_find_peaks(x), "ga_to(x, GA_CPU)");
            continue;
        }
        CHECK_IS(ga_find_peaks(x, .found = &p), GA_I64, (3), 1, 4, 7);
        CHECK_IS(p.peak_heights, GA_F64, (3), 2, 3, 5);
        CHECK_IS(p.left_thresholds, GA_F64, (3), 2, 0, 4);
        CHECK_IS(p.right_thresholds, GA_F64, (3), 2, 0, 1);
        CHECK_IS(p.prominences, GA_F64, (3), 2, 2, 5);
        CHECK_IS(p.left_bases, GA_I64, (3), 0, 2, 2);
        CHECK_IS(p.right_bases, GA_I64, (3), 2, 6, 9);
        CHECK_IS(p.width_heights, GA_F64, (3), 1, 2, 2.5);
        CHECK_IS(p.left_ips, GA_F64, (3), 0.5, 2 + 2.0 / 3, 6.375);
        CHECK_IS(p.right_ips, GA_F64, (3), 1.5, 5.5, 8.375);
        CHECK_IS(p.widths, GA_F64, (3), 1, 5.5 - (2 + 2.0 / 3), 2);
        CHECK_IS(p.plateau_sizes, GA_I64, (3), 1, 3, 1);
        CHECK_IS(p.left_edges, GA_I64, (3), 1, 3, 7);
        CHECK_IS(p.right_edges, GA_I64, (3), 1, 5, 7);
        CHECK_IS(ga_find_peaks(x, 3), GA_I64, (2), 4, 7);
        CHECK_IS(ga_find_peaks(x, .height_max = 3), GA_I64, (2), 1, 4);
        CHECK_IS(ga_find_peaks(x, .threshold = 1), GA_I64, (2), 1, 7);
        CHECK_IS(ga_find_peaks(x, .distance = 4), GA_I64, (2), 1, 7);
        CHECK_IS(ga_find_peaks(x, .prominence = 3), GA_I64, (1), 7);
        CHECK_IS(ga_find_peaks(x, .wlen = 3, .prominence_max = 1), GA_I64, (2), 4, 7);
        CHECK_IS(ga_find_peaks(x, .width = 2, .rel_height = 0.5), GA_I64, (2), 4, 7);
        CHECK_IS(ga_find_peaks(x, .plateau_size = 2), GA_I64, (1), 4);
        for (int k = 1; k < 60; k++) { /* the places alone, and with all that is known of them; many elements are equal */
            ga_array *steps = ga_random_integers(0, 2 + k % 7, (7 * k), .seed = (uint64_t)k);
            CHECK(ga_array_equal(ga_find_peaks(steps), ga_find_peaks(steps, .found = &p)));
            CHECK(ga_array_equal(ga_find_peaks(steps, 2, .height_max = 5, .distance = k % 13 + 1),
                                 ga_find_peaks(steps, 2, .height_max = 5, .distance = k % 13 + 1, .found = &p)));
        }
        CHECK_IS(ga_find_peaks(x, .distance = 1e300), GA_I64, (1), 7);
        CHECK(ga_find_peaks(ga_zeros((0)))->size == 0 && ga_find_peaks(ga_ints(1, 2))->size == 0 &&
              ga_find_peaks(ga_index(x, "::-1"))->size == 3);
        CHECK_FAILS(ga_find_peaks(ga_ones((2, 2)), .found = &p), "a line of real numbers");
        CHECK(p.widths == NULL);
        CHECK_FAILS(ga_find_peaks(x, .distance = 0.5), ".distance = 0.5: use 1 or more");
        CHECK_FAILS(ga_find_peaks(x, .wlen = 1), ".wlen = 1: use 2 or more");
        CHECK_FAILS(ga_find_peaks(x, .rel_height = -1), ".rel_height = -1: use 0 or more");
        CHECK_FAILS(ga_find_peaks(ga_chunked(x, 2)), "chunked");
    }
}

int main(void)
{
    test_begin();
    test_lines();
    test_regions();
    test_regions_by_definition();
    test_watershed();
    test_integrals();
    test_recursions();
    test_ways_of_filters();
    test_transforms();
    test_spectra();
    test_peaks();
    return test_end();
}
