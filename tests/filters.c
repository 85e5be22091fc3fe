/* Filters: SciPy's results, brute force over many windows, borders and dtypes, NaN and zeros, views, empty arrays, results elsewhere. */
#include "test.h"

/* ---- SciPy's results --------------------------------------------------------------------------------------------- */

static const ga_border borders[] = { GA_BORDER_REFLECT, GA_BORDER_CONSTANT, GA_BORDER_NEAREST, GA_BORDER_MIRROR,
                                     GA_BORDER_WRAP };
enum { BORDERS = sizeof borders / sizeof *borders };

static ga_array *small(void) { return ga_reshape(ga_ints(3, 7, 1, 9, 8, 2, 6, 4, 5, 0, 7, 2), (3, 4)); }

static void test_borders(void)
{
    static const double medians[BORDERS][12]  = { { 3, 3, 6, 6, 5, 5, 4, 4, 5, 5, 2, 4 },
                                                  { 5, 5, 5, 5, 5, 5, 4, 5, 5, 5, 5, 5 },
                                                  { 3, 3, 6, 6, 5, 5, 4, 4, 5, 5, 2, 4 },
                                                  { 3, 6, 4, 6, 3, 5, 4, 6, 2, 6, 4, 6 },
                                                  { 4, 5, 4, 5, 4, 5, 4, 5, 4, 5, 4, 5 } };
    static const double minima[BORDERS][12]   = { { 3, 1, 1, 1, 2, 1, 1, 1, 0, 0, 0, 2 },
                                                  { 3, 1, 1, 1, 2, 1, 1, 1, 0, 0, 0, 2 },
                                                  { 3, 1, 1, 1, 2, 1, 1, 1, 0, 0, 0, 2 },
                                                  { 2, 1, 1, 1, 2, 1, 1, 1, 0, 0, 0, 2 },
                                                  { 0, 0, 0, 1, 2, 1, 1, 1, 0, 0, 0, 2 } };
    static const double means[BORDERS][12]    = { { 4, 3, 5, 6, 4, 4, 4, 5, 4, 4, 3, 4 },
                                                  { 5, 4, 5, 5, 4, 4, 4, 4, 4, 4, 3, 4 },
                                                  { 4, 3, 5, 6, 4, 4, 4, 5, 4, 4, 3, 4 },
                                                  { 4, 4, 4, 4, 4, 4, 4, 4, 2, 4, 3, 5 },
                                                  { 4, 3, 4, 4, 5, 4, 4, 4, 3, 4, 3, 5 } };
    static const double sobels[BORDERS][12]   = { { 6, -8, 8, 22, -13, -4, 8, -1, -21, 4, 8, -17 },
                                                  { 6, -1, 11, 12, -9, -4, 8, 0, -8, 7, 11, 0 },
                                                  { 6, -8, 8, 22, -13, -4, 8, -1, -21, 4, 8, -17 },
                                                  { 0, -8, 8, 0, 0, -4, 8, 0, 0, 0, 8, 0 },
                                                  { -8, -4, 8, 4, -8, -4, 8, 4, -8, 0, 8, 0 } };
    static const double laplaces[BORDERS][12] = { { 9, -15, 19, -13, -14, 13, -10, 5, -2, 14, -13, 7 },
                                                  { 13, -17, 23, -21, -17, 13, -10, 6, -2, 19, -15, 13 },
                                                  { 9, -15, 19, -13, -14, 13, -10, 5, -2, 14, -13, 7 },
                                                  { 18, -20, 24, -26, -20, 13, -10, 7, -4, 16, -14, 14 },
                                                  { 17, -22, 25, -26, -18, 13, -10, 9, -7, 21, -19, 17 } };
    static const double prewitts[BORDERS][12] = { { 5, 5, -5, -5, -3, 1, -8, -8, -8, -4, -3, -3 },
                                                  { 5, 1, -3, 5, 0, 1, -8, 4, 5, -1, 3, 5 },
                                                  { 5, 5, -5, -5, -3, 1, -8, -8, -8, -4, -3, -3 },
                                                  { 0, 0, 0, 0, -12, 1, -8, 5, 0, 0, 0, 0 },
                                                  { 7, 4, 3, 4, -12, 1, -8, 1, 5, -5, 5, -5 } };
    const ga_shape      shape                 = GI_SHAPE(3, 4);
    ga_scope {
        ga_array *a = small();
#define CHECK_BORDER(expected, call) test_is(call, GA_I64, shape, expected[k], __FILE__, __LINE__, #call)
        for (int k = 0; k < BORDERS; k++) {
            const ga_border b = borders[k];
            CHECK_BORDER(medians, ga_median_filter(a, 3, .border = b, .cval = 5));
            CHECK_BORDER(minima, ga_minimum_filter(a, 0, .sizes = ga_axes(2, 3), .border = b, .cval = 5));
            CHECK_BORDER(means, ga_uniform_filter(a, 0, .sizes = ga_axes(2, 3), .border = b, .cval = 5));
            CHECK_BORDER(sobels, ga_sobel(a, .border = b, .cval = 5));
            CHECK_BORDER(laplaces, ga_laplace(a, .border = b, .cval = 5));
            CHECK_BORDER(prewitts, ga_prewitt(a, .axis = 0, .border = b, .cval = 5));
        }
    }
}

static void test_windows(void)
{
    ga_scope {
        ga_array *a = small(), *cross = ga_astype(ga_reshape(ga_ints(0, 1, 0, 1, 1, 1, 0, 1, 0), (3, 3)), GA_BOOL);
        CHECK_IS(ga_median_filter(a, 0, .footprint = cross), GA_I64, (3, 4), 3, 3, 6, 9, 5, 6, 4, 4, 5, 2, 6, 2);
        CHECK_IS(ga_maximum_filter(a, 0, .footprint = cross), GA_I64, (3, 4), 8, 7, 9, 9, 8, 8, 7, 9, 8, 7, 7, 7);
        CHECK_IS(ga_rank_filter(a, -2, 0, .footprint = cross), GA_I64, (3, 4), 7, 7, 7, 9, 8, 7, 6, 6, 5, 5, 7, 4);
        CHECK_IS(ga_percentile_filter(a, 30, 3), GA_I64, (3, 4), 3, 2, 2, 4, 3, 2, 2, 2, 2, 2, 2, 2);
        CHECK_IS(ga_percentile_filter(a, -30, 3), GA_I64, (3, 4), 7, 7, 7, 9, 7, 7, 7, 7, 5, 7, 6, 6);
        CHECK_IS(ga_maximum_filter(a, 3, .origin = ga_axes(1, -1)), GA_I64, (3, 4), 8, 9, 9, 9, 8, 9, 9, 9, 8, 9, 9, 9);
        CHECK_IS(ga_uniform_filter(ga_astype(a, GA_F32), 0, .sizes = ga_axes(1, 2), .origin = ga_axes(0, -1)), GA_F32, (3, 4),
                 5, 4, 5, 9, 5, 4, 5, 4, 2.5, 3.5, 4.5, 2);

        /* windows larger than the array */
        CHECK_IS(ga_median_filter(a, 9), GA_I64, (3, 4), 4, 5, 4, 5, 4, 5, 4, 5, 4, 5, 4, 5);
        CHECK_IS(ga_median_filter(a, 9, .border = GA_BORDER_WRAP), GA_I64, (3, 4), 5, 4, 5, 4, 5, 4, 5, 4, 5, 4, 5, 4);
        CHECK_IS(ga_median_filter(a, 9, .border = GA_BORDER_MIRROR), GA_I64, (3, 4), 5, 4, 5, 4, 6, 4, 5, 4, 5, 4, 5, 4);
        CHECK_IS(ga_minimum_filter(a, 1001), GA_I64, (3, 4), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

        ga_array *line = ga_ints(2, 8, 0, 4, 1, 9, 9, 0),
                 *cube = ga_reshape(ga_remainder(ga_multiply(ga_arange(0, 24, 1), 7), 11), (2, 3, 4));
        CHECK_IS(ga_uniform_filter(line, 3), GA_I64, (8), 4, 3, 4, 1, 4, 6, 6, 3);
        CHECK_IS(ga_minimum_filter(line, 3), GA_I64, (8), 2, 0, 0, 0, 1, 1, 0, 0);
        CHECK_IS(ga_maximum_filter(line, 3), GA_I64, (8), 8, 8, 8, 4, 9, 9, 9, 9);
        CHECK_IS(ga_median_filter(cube, 3), GA_I64, (2, 3, 4), 3, 5, 6, 6, 4, 4, 5, 5, 4, 4, 4, 4, 6, 6, 6, 6, 6, 5, 5, 5, 6, 4,
                 4, 4);
        CHECK_IS(ga_minimum_filter(cube, 0, .sizes = ga_axes(3, 1, 2)), GA_I64, (2, 3, 4), 0, 0, 3, 3, 2, 2, 2, 1, 1, 1, 0, 0,
                 0, 0, 3, 3, 2, 2, 2, 1, 1, 1, 0, 0);
    }
}

/* Are these the numbers, to so many units in the last place of the largest? Frees a. */
static bool near(ga_array *a, double ulps, const double *expected, int64_t n)
{
    ga_array *host = a ? test_to_cpu(a) : NULL, *flat = host ? ga_astype(ga_ravel(host), GA_F64) : NULL;
    bool      ok    = flat && flat->size == n;
    double    scale = 0, unit = a && a->dtype == GA_F32 ? 0x1p-24 : 0x1p-53;
    for (int64_t i = 0; i < n; i++) scale = fmax(scale, fabs(expected[i]));
    for (int64_t i = 0; ok && i < n; i++) {
        ok = fabs(ga_item_at(flat, i) - expected[i]) <= ulps * unit * scale;
        if (!ok) printf("     element %d is %.17g, expected %.17g\n", (int)i, ga_item_at(flat, i), expected[i]);
    }
    return ok;
}

static void test_gaussians(void)
{
    static const double delta[4][9] = {
        { 0, 0, 0.05448868454964294, 0.24420134200323332, 0.4026199468942474, 0.24420134200323332, 0.05448868454964294, 0, 0 },
        { 0, 0, 0.10897736909928588, 0.24420134200323332, 0, -0.24420134200323332, -0.10897736909928588, 0, 0 },
        { 0, 0, 0.1634660536489288, 0, -0.4026199468942474, 0, 0.1634660536489288, 0, 0 },
        { 0, 0, 0.10897736909928588, -0.48840268400646664, 0, 0.48840268400646664, -0.10897736909928588, 0, 0 },
    };
    static const double narrow[6]    = { 1.320407776251724,  3.4680100052147793, 2.8521339059542066,
                                         7.0406237268239895, 5.531989994785221,  6.786834590970079 };
    static const double cut[6]       = { 1.822205857183591, 2.6296569046940155, 4.1925489524895765,
                                         5.533382428449228, 6.370343095305985,  6.4518627618776065 };
    static const double rows[12]     = { 0.5719502350635945, 1.898138659966071, 4.519403588506092,  7.0105075164642425,
                                         19.987207193196063, 26.40311875524604, 36.014423493226126, 43.59525055833177,
                                         71.40246415132853,  82.90809885052602, 99.50944339794614,  112.17999360019931 };
    static const double laplace[12]  = { 22.6902552775176,    28.946136317262084, 36.06167218331187,  34.19398404675394,
                                         35.38001929510757,   27.557174873618592, 24.54569985721872,  8.599286259427334,
                                         -40.430443922491925, -62.33201380521437, -75.47049970406391, -105.49563876308873 };
    static const double gradient[12] = { 8.774858189527043,  12.294558499484879, 16.440257698220346, 18.99932716467898,
                                         31.942957031272663, 39.15518596684634,  46.921566120557124, 52.14153877587162,
                                         24.127619501741982, 30.630499785998254, 34.81036343256706,  34.29475995836858 };
    static const double bytes[12]    = { 4.655686346851226, 4.517892890311798,  4.747371559977409, 5.701117115147279,
                                         4.768279228888067, 4.283816167834791,  4.417900515067313, 4.753425665998312,
                                         4.38275091176884,  3.8317624221681137, 4.036340941584906, 3.903656234401952 };
    const double        sigmas[2]    = { 0, 1 };
    ga_scope {
        ga_array *d = ga_zeros((9)), *x = ga_values(1, 4, 2, 8, 5, 7), *f = ga_zeros((9), .dtype = GA_F32);
        ga_copyto(ga_index(d, "4"), 1);
        ga_copyto(ga_index(f, "4"), 1);
        for (int order = 0; order < 4; order++) {
            CHECK(near(ga_gaussian_filter(d, 1, .order = ga_axes(order), .radius = ga_axes(2)), 8, delta[order], 9));
            CHECK(near(ga_gaussian_filter(f, 1, .order = ga_axes(order), .radius = ga_axes(2)), 8, delta[order], 9));
        }
        CHECK(near(ga_gaussian_filter(x, 0.5), 8, narrow, 6));
        CHECK(near(ga_gaussian_filter(x, 1, .truncate = 1), 8, cut, 6));
        CHECK(near(ga_gaussian_filter(ga_astype(x, GA_F32), 0.5), 8, narrow, 6));
        CHECK_IS(ga_gaussian_filter(x, 0), GA_F64, (6), 1, 4, 2, 8, 5, 7);
        CHECK_IS(ga_gaussian_filter(x, 3, .radius = ga_axes(0)), GA_F64, (6), 1, 4, 2, 8, 5, 7);

        ga_array *squares = ga_square(ga_reshape(ga_arange(0.0, 12.0, 1.0), (3, 4)));
        CHECK(near(ga_gaussian_filter(squares, 0, .sigmas = sigmas), 16, rows, 12));
        CHECK(near(ga_gaussian_laplace(squares, 0.6), 32, laplace, 12));
        CHECK(near(ga_gaussian_gradient_magnitude(squares, 0.6), 32, gradient, 12));
        CHECK_IS(ga_gaussian_gradient_magnitude(ga_astype(squares, GA_I32), 0.6), GA_I32, (3, 4), 8, 11, 14, 18, 31, 38, 45, 51,
                 23, 29, 33, 33);
        CHECK_IS(ga_gaussian_filter(ga_reshape(ga_arange(0, 50, 2), (5, 5)), 1), GA_I64, (5, 5), 4, 6, 8, 9, 11, 10, 12, 14, 15,
                 17, 20, 22, 24, 25, 27, 29, 31, 33, 34, 36, 35, 37, 39, 40, 42);

        /* integers into floats are not cut off; into a larger dtype they keep their signs, where their own saturates */
        ga_array *u8 = ga_astype(small(), GA_U8), *wide = ga_empty((3, 4), .dtype = GA_F64);
        CHECK(near(ga_gaussian_filter(u8, 1, .out = wide), 8, bytes, 12));
        CHECK_IS(ga_sobel(u8, .out = ga_empty((3, 4), .dtype = GA_I16)), GA_I16, (3, 4), 6, -8, 8, 22, -13, -4, 8, -1, -21, 4,
                 8, -17);
        CHECK_IS(ga_sobel(u8), GA_U8, (3, 4), 6, 0, 8, 22, 0, 0, 8, 0, 0, 4, 8, 0);
        CHECK_IS(ga_laplace(u8, .axis = 1), GA_U8, (3, 4), 4, 0, 14, 0, 0, 10, 0, 2, 0, 12, 0, 5);
        for (int v = 1; v < 256; v += 23) { /* where all are equal, the filters change nothing, in spite of rounding errors */
            ga_array *even = ga_full((5, 40), v, .dtype = GA_U8);
            CHECK(ga_array_equal(ga_gaussian_filter(even, 0.7 + v / 64.0), even));
            CHECK(ga_array_equal(ga_uniform_filter(even, 3 + v % 9), even));
        }

        /* complex numbers, part by part; bool */
        const ga_c128 unit = { 0, 1 };
        ga_array     *z = ga_add(x, ga_multiply(ga_flip(x), unit)), *s = ga_gaussian_filter(z, 0.5);
        CHECK(s && s->dtype == GA_C128 && ga_array_equal(ga_real(s), ga_gaussian_filter(x, 0.5)) &&
              ga_array_equal(ga_imag(s), ga_gaussian_filter(ga_flip(x), 0.5)));
        ga_array *gap = ga_astype(ga_ints(1, 1, 1, 0, 1, 1, 1, 1), GA_BOOL);
        CHECK_IS(ga_uniform_filter(gap, 3), GA_BOOL, (8), 1, 1, 0, 0, 0, 1, 1, 1);
        CHECK_IS(ga_minimum_filter(gap, 3), GA_BOOL, (8), 1, 1, 0, 0, 0, 1, 1, 1);
        CHECK_IS(ga_maximum_filter(gap, 3), GA_BOOL, (8), 1, 1, 1, 1, 1, 1, 1, 1);
        CHECK_IS(ga_median_filter(gap, 3), GA_BOOL, (8), 1, 1, 1, 1, 1, 1, 1, 1);
    }
}

/* ---- brute force -------------------------------------------------------------------------------------------------- */

/* Random elements, many of them equal; of floats with a NaN here and there if `nan`. */
static ga_array *random_image(ga_dtype dtype, int64_t height, int64_t width, bool nan)
{
    double *v = (double *)malloc((size_t)(height * width) * sizeof *v);
    for (int64_t i = 0; i < height * width; i++) {
        v[i] =
            (double)(test_random() % 200) - (dtype == GA_U8 || dtype == GA_U16 || dtype == GA_U32 || dtype == GA_U64 ? 0 : 100);
        if (dtype == GA_F32 || dtype == GA_F64) v[i] = test_random() % 8 == 0 ? -0.0 : v[i] / 16;
        if (nan && test_random() % 500 == 0) v[i] = NAN;
        if (dtype == GA_BOOL) v[i] = v[i] > 30;
    }
    ga_array *a = ga_astype(ga_from(v, (height, width)), dtype);
    free(v);
    return a;
}

static int compare(const void *x, const void *y)
{
    double a, b;
    memcpy(&a, x, sizeof a);
    memcpy(&b, y, sizeof b);
    if (isnan(a) || isnan(b)) return isnan(a) - isnan(b);
    if (a == 0 && b == 0) return (signbit(b) != 0) - (signbit(a) != 0);
    return (a > b) - (a < b);
}

static int64_t outside(int64_t i, int64_t n, ga_border border) /* -1: the constant */
{
    while (i < 0 || i >= n) {
        if (border == GA_BORDER_CONSTANT) return -1;
        if (border == GA_BORDER_NEAREST || n == 1) return i < 0 ? 0 : n - 1;
        if (border == GA_BORDER_WRAP) i += i < 0 ? n : -n;
        else i = (i < 0 ? (border == GA_BORDER_REFLECT ? -1 : 0) : 2 * n - (border == GA_BORDER_REFLECT ? 1 : 2)) - i;
    }
    return i;
}

/* Looks at some results, at all of small images. a: on the CPU, float64. */
static bool is_rank(const ga_array *a, double cval, const ga_array *result, int64_t rank, int64_t h, int64_t w,
                    const bool *footprint, ga_border border)
{
    ga_array *got    = result ? ga_astype(test_to_cpu(result), GA_F64) : NULL;
    double   *window = (double *)malloc((size_t)(h * w) * sizeof *window), found;
    int64_t   height = a->shape[0], width = a->shape[1], step = a->size > 2000 ? a->size / 600 : 1;
    bool      ok = got != NULL;
    for (int64_t i = 0; ok && i < a->size; i += step) {
        int64_t n = 0;
        for (int64_t k = 0; k < h * w; k++) {
            int64_t y = outside(i / width + k / w - h / 2, height, border),
                    x = outside(i % width + k % w - w / 2, width, border);
            if (!footprint || footprint[k]) window[n++] = y < 0 || x < 0 ? cval : ((const double *)a->data)[y * width + x];
        }
        qsort(window, (size_t)n, sizeof *window, compare);
        found           = ((const double *)got->data)[i];
        double expected = isnan(window[n - 1]) ? NAN : window[rank];
        ok              = compare(&found, &expected) == 0;
        if (!ok) printf("     at (%d, %d): %g, expected %g\n", (int)(i / width), (int)(i % width), found, expected);
    }
    free(window);
    return ok;
}

static void test_ranks(ga_dtype dtype, int64_t height, int64_t width, int64_t h, int64_t w, bool nan)
{
    ga_scope {
        ga_array *a = random_image(dtype, height, width, nan), *wide = ga_astype(test_to_cpu(a), GA_F64);
        bool     *cells = (bool *)malloc((size_t)(h * w));
        int64_t   count = 0;
        for (int64_t k = 0; k < h * w; k++) count += cells[k] = test_random() % 4 != 0 || k == 0;
        ga_array       *footprint = ga_from(cells, (h, w));
        const ga_border b         = borders[test_random() % BORDERS];
        const int64_t   rank      = (int64_t)(test_random() % (uint64_t)(h * w)),
                      of_print    = (int64_t)(test_random() % (uint64_t)count);
        const ga_shape sizes      = GI_SHAPE(h, w);
        const double   cval       = dtype == GA_BOOL ? 1 : 7;
        bool ok = is_rank(wide, cval, ga_median_filter(a, 0, .sizes = sizes, .border = b, .cval = 7), h * w / 2, h, w, NULL, b);
        ok = ok && is_rank(wide, cval, ga_rank_filter(a, rank, 0, .sizes = sizes, .border = b, .cval = 7), rank, h, w, NULL, b);
        ok = ok &&
             is_rank(wide, cval, ga_maximum_filter(a, 0, .sizes = sizes, .border = b, .cval = 7), h * w - 1, h, w, NULL, b);
        ok = ok &&
             is_rank(wide, cval, ga_minimum_filter(a, 0, .footprint = footprint, .border = b, .cval = 7), 0, h, w, cells, b);
        ok = ok && is_rank(wide, cval, ga_rank_filter(a, of_print, 0, .footprint = footprint, .border = b, .cval = 7), of_print,
                           h, w, cells, b);
        if (!CHECK(ok))
            printf("     %s, image %d x %d, window %d x %d, border %d, ranks %d, %d\n", ga_dtype_name(dtype), (int)height,
                   (int)width, (int)h, (int)w, (int)b, (int)rank, (int)of_print);
        free(cells);
    }
}

static void test_brute_force(void)
{
    static const int64_t windows[][2] = { { 1, 1 },  { 1, 2 },   { 2, 1 },  { 2, 2 },  { 3, 3 },  { 1, 7 },  { 9, 1 },
                                          { 5, 5 },  { 4, 6 },   { 7, 7 },  { 9, 4 },  { 3, 9 },  { 1, 31 }, { 10, 10 },
                                          { 15, 3 }, { 13, 17 }, { 1, 90 }, { 40, 1 }, { 25, 21 } };
    const size_t         count        = test_small() ? 10 : sizeof windows / sizeof *windows;
    for (size_t k = 0; k < count; k++) {
        const int64_t h = windows[k][0], w = windows[k][1];
        for (int d = GA_BOOL; d <= GA_F64; d++) {
            test_ranks((ga_dtype)d, 1 + (int64_t)(test_random() % 20), 1 + (int64_t)(test_random() % 40), h, w, false);
            if (d >= GA_F32) test_ranks((ga_dtype)d, 30, 37, h, w, true);
        }
        if (test_small() || test_on_gpu()) continue; /* several tiles of the CPU */
        test_ranks(k % 2 ? GA_U8 : GA_I16, 300, 500, h, w, false);
        test_ranks(k % 2 ? GA_F64 : GA_F32, 260, 310, h, w, k % 3 == 0);
        test_ranks(k % 2 ? GA_F32 : GA_U64, 3, 40000, h, w, false);
    }
}

static void test_means(void)
{
    ga_scope {
        for (int64_t size = 1; size < 70; size += 1 + size / 5) { /* sums of small integers are exact in any order */
            ga_array *a = random_image(GA_I32, 13, 90, false), *sums = ga_astype(a, GA_F64);
            ga_array *means = ga_uniform_filter(sums, 0, .sizes = ga_axes(1, size), .border = GA_BORDER_CONSTANT, .cval = 3);
            ga_array *total = ga_zeros((13, 90)), *padded = ga_pad(sums, (0, size), .value = 3);
            for (int64_t k = 0; k < size; k++)
                ga_add(total, ga_index(padded, ":, %d:%d", (int)(size - size / 2 + k), (int)(size - size / 2 + k + 90)),
                       .out = total);
            CHECK(ga_array_equal(means, ga_divide(total, (double)size)));
            ga_array *whole = ga_uniform_filter(a, 0, .sizes = ga_axes(1, size), .border = GA_BORDER_CONSTANT, .cval = 3);
            CHECK(whole->dtype == GA_I32 && ga_array_equal(whole, ga_trunc(ga_divide(total, (double)size))));
        }
    }
}

/* ---- special numbers, views, shapes ---------------------------------------------------------------------------------- */

static bool has_sign(const ga_array *a, int i) { return signbit(ga_item_at(test_to_cpu(a), i)) != 0; }

static void test_special_numbers(void)
{
    ga_scope {
        ga_array *a = ga_values(1, NAN, 3, 4, 5, INFINITY, 7, 8), *f = ga_astype(a, GA_F32);
        CHECK_IS(ga_median_filter(a, 3), GA_F64, (8), NAN, NAN, NAN, 4, 5, 7, 8, 8);
        CHECK_IS(ga_minimum_filter(f, 3), GA_F32, (8), NAN, NAN, NAN, 3, 4, 5, 7, 7);
        CHECK_IS(ga_maximum_filter(f, 3), GA_F32, (8), NAN, NAN, NAN, 5, INFINITY, INFINITY, INFINITY, 8);
        CHECK_IS(ga_uniform_filter(a, 2), GA_F64, (8), 1, NAN, NAN, 3.5, 4.5, INFINITY, INFINITY, 7.5);
        CHECK_IS(ga_percentile_filter(a, 50, 5), GA_F64, (8), NAN, NAN, NAN, NAN, 5, 7, 8, 8);
        CHECK_IS(ga_median_filter(ga_values(1, 2, 3), 3, .border = GA_BORDER_CONSTANT, .cval = NAN), GA_F64, (3), NAN, 2, NAN);
        CHECK_IS(ga_median_filter(ga_full((4, 5), NAN), 3, .border = GA_BORDER_CONSTANT), GA_F64, (4, 5), NAN, NAN, NAN, NAN,
                 NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN);
        ga_array *zeros = ga_values(0.0, -0.0, 0.0, 0.0, -0.0, -0.0); /* -0 comes first */
        ga_array *least = ga_minimum_filter(zeros, 2), *greatest = ga_maximum_filter(zeros, 2),
                 *middle = ga_median_filter(zeros, 3);
        for (int i = 0; i < 6; i++) {
            CHECK(has_sign(least, i) == (i != 0 && i != 3));
            CHECK(has_sign(greatest, i) == (i == 5));
            CHECK(has_sign(middle, i) == (i == 4 || i == 5));
        }
        const uint64_t most = UINT64_MAX, in[4] = { most, 0, most - 1, 1 }; /* more than a double holds */
        const uint64_t maxima[4] = { most, most, most - 1, most - 1 }, medians[4] = { most, most - 1, 1, 1 };
        CHECK(ga_array_equal(ga_maximum_filter(ga_from(in, (4)), 3), ga_from(maxima, (4))));
        CHECK(ga_array_equal(ga_median_filter(ga_from(in, (4)), 3), ga_from(medians, (4))));
    }
}

static void test_views(void)
{
    ga_scope {
        ga_array *a = random_image(GA_F32, 40, 50, false), *t = ga_transpose(a), *step = ga_index(a, "::-2, 3::3"),
                 *row = ga_index(a, "7");
        CHECK(ga_array_equal(ga_median_filter(t, 3), ga_transpose(ga_median_filter(a, 3))));
        CHECK(ga_array_equal(ga_median_filter(step, 5), ga_median_filter(ga_copy(step), 5)));
        CHECK(ga_array_equal(ga_gaussian_filter(step, 1.5), ga_gaussian_filter(ga_copy(step), 1.5)));
        CHECK(ga_array_equal(ga_uniform_filter(ga_broadcast_to(row, (6, 50)), 3),
                             ga_uniform_filter(ga_copy(ga_broadcast_to(row, (6, 50))), 3)));
        CHECK(ga_array_equal(ga_sobel(t, .axis = 0), ga_transpose(ga_sobel(a))));
        ga_array *footprint = ga_greater(ga_random((3, 5), .seed = 3), 0.4);
        CHECK(ga_array_equal(ga_rank_filter(t, 2, 0, .footprint = ga_transpose(footprint)),
                             ga_transpose(ga_rank_filter(a, 2, 0, .footprint = footprint))));

        ga_array *expected = ga_median_filter(a, 3), *there = ga_zeros((50, 40), .dtype = GA_F64), *same = ga_copy(a);
        CHECK(ga_median_filter(a, 3, .out = ga_transpose(there)) != NULL && ga_array_equal(ga_transpose(there), expected));
        CHECK(ga_median_filter(same, 3, .out = same) == same && ga_array_equal(same, expected));
        same = ga_copy(a);
        CHECK(ga_gaussian_filter(same, 1, .out = same) == same && ga_array_equal(same, ga_gaussian_filter(a, 1)));

        /* nothing to filter */
        ga_array *none = ga_zeros((3, 0, 2), .dtype = GA_I16), *one = ga_scalar(2.5);
        CHECK(ga_same_shape(ga_median_filter(none, 3), none) && ga_same_shape(ga_gaussian_filter(none, 1), none));
        CHECK(ga_same_shape(ga_uniform_filter(none, 4), none) && ga_same_shape(ga_sobel(none), none) &&
              ga_same_shape(ga_laplace(none), none));
        CHECK_SCALAR(ga_median_filter(one, 3), GA_F64, 2.5);
        CHECK_SCALAR(ga_gaussian_filter(one, 3), GA_F64, 2.5);
        CHECK_SCALAR(ga_uniform_filter(one, 3), GA_F64, 2.5);
        CHECK_SCALAR(ga_laplace(one), GA_F64, 2.5);

        /* seven axes: windows along some of them */
        ga_array *deep = ga_random_integers(0, 100, (3, 2, 2, 3, 1, 2, 4), .seed = 4);
        ga_array *flat = ga_median_filter(ga_reshape(deep, (12, 24)), 0, .sizes = ga_axes(1, 3), .border = GA_BORDER_NEAREST);
        CHECK(flat && ga_array_equal(ga_median_filter(deep, 0, .sizes = ga_axes(1, 1, 1, 1, 1, 1, 1)), deep));
        CHECK(ga_array_equal(ga_maximum_filter(deep, 0, .sizes = ga_axes(5, 1, 1, 1, 1, 1, 1)),
                             ga_broadcast_to(ga_max(deep, .axis = 0, .keepdims = true), (3, 2, 2, 3, 1, 2, 4))));
    }
}

static void test_threads(void) /* any number gives the same bits */
{
    ga_scope {
        ga_array *a = random_image(GA_F32, 400, 333, false), *r[2][6];
        for (int k = 0; k < 2; k++) {
            ga_set_num_threads(k == 0 ? 1 : 3);
            r[k][0] = ga_median_filter(a, 3);
            r[k][1] = ga_median_filter(a, 15);
            r[k][2] = ga_uniform_filter(a, 11);
            r[k][3] = ga_gaussian_filter(a, 2.5);
            r[k][4] = ga_minimum_filter(a, 8);
            r[k][5] = ga_percentile_filter(a, 20, 4);
        }
        for (int i = 0; i < 6; i++) CHECK(ga_array_equal(r[0][i], r[1][i]));
    }
    ga_set_num_threads(2);
}

int main(void)
{
    test_begin();
    test_borders();
    test_windows();
    test_gaussians();
    test_brute_force();
    test_means();
    test_special_numbers();
    test_views();
    if (!test_on_gpu()) test_threads();
    return test_end();
}
