/* Functions of scipy.ndimage: a worked example of each, special cases, errors, chunked arrays.
   cc tests/impl.c tests/ndimage.c -lm -lpthread */
#ifndef GPUARR_IMPLEMENTATION
#define GPUARR_KERNELS
#endif
#include "test.h"

/* A picture of one character each: '.' is 0, '#' is 1, digits are themselves. */
static ga_array *picture(int64_t rows, const char *text)
{
    int64_t   n     = (int64_t)strlen(text);
    ga_array *cells = ga_zeros((rows, n / rows), .dtype = GA_I32, .device = GA_CPU);
    for (int64_t i = 0; cells && i < n; i++)
        ((int32_t *)cells->data)[i] = text[i] == '.' ? 0 : text[i] == '#' ? 1 : text[i] - '0';
    return test_on_gpu() ? ga_to(cells, GA_CUDA) : cells;
}

/* Is the array, of any dtype, that picture? */
static bool looks(const ga_array *a, const char *text, const char *call, int line)
{
    ga_array *there = a && a->ndim == 2 ? ga_astype(ga_to(a, GA_CPU), GA_I64) : NULL;
    bool      same  = there && there->size == (int64_t)strlen(text);
    for (int64_t i = 0; same && i < there->size; i++) {
        int64_t x = ((const int64_t *)there->data)[i];
        same      = x == (text[i] == '.' ? 0 : text[i] == '#' ? 1 : text[i] - '0');
    }
    if (!same) {
        char *printed = there ? ga_to_string(there) : NULL;
        printf("     %d: %s is %s\n", line, call, printed ? printed : "NULL");
        free(printed);
    }
    return same;
}
#define LOOKS(text, ...) test_check(looks(__VA_ARGS__, text, #__VA_ARGS__, __LINE__), __FILE__, __LINE__, #__VA_ARGS__)

static void test_binary(void)
{
    ga_scope {
        ga_array *a      = picture(5, "......"
                                           ".####."
                                           ".####."
                                           ".####."
                                           "......"),
                 *dot    = picture(5, "......"
                                         "......"
                                         "..#..."
                                         "......"
                                         "......"),
                 *ring   = picture(5, "######"
                                        "#....#"
                                        "#.##.#"
                                        "#....#"
                                        "######"),
                 *square = ga_generate_binary_structure(2, 2), *two = ga_ones((1, 2), .dtype = GA_BOOL);
        LOOKS(".#.###.#.", ga_generate_binary_structure(2, 1));
        LOOKS("#########", square);
        CHECK(ga_item(ga_sum(ga_generate_binary_structure(3, 2))) == 19);
        CHECK(ga_generate_binary_structure(0, 1)->ndim == 0);
        LOOKS("..#...###.#####.###...#..", ga_iterate_structure(ga_generate_binary_structure(2, 1), 2));
        LOOKS("##", ga_iterate_structure(two, 1));
        LOOKS("###", ga_iterate_structure(two, 2));
        LOOKS("..............##..............", ga_binary_erosion(a));
        LOOKS("..............................", ga_binary_erosion(a, square, .iterations = 2));
        LOOKS("##.###"
              "#...##"
              ".....#"
              "#...##"
              "##.###",
              ga_binary_erosion(ga_equal(dot, 0), .iterations = 2, .border_value = true));
        LOOKS("......"
              "..#..."
              ".###.."
              "..#..."
              "......",
              ga_binary_dilation(dot, .iterations = 2, .mask = ga_index(ga_binary_dilation(dot), "::-1")));
        LOOKS("........#....###....#.........", ga_binary_dilation(dot));
        LOOKS(".............##...............", ga_binary_dilation(dot, two));
        LOOKS("..............##..............", ga_binary_dilation(dot, two, .origin = ga_axes(0, -1)));
        LOOKS("##############################", ga_binary_dilation(dot, .iterations = -1));
        LOOKS("......"
              ".####."
              ".####."
              ".####."
              "......",
              ga_binary_opening(a, square));
        LOOKS("......"
              "......"
              "......"
              "......"
              "......",
              ga_binary_opening(dot));
        LOOKS("......"
              ".####."
              ".####."
              ".####."
              "......",
              ga_binary_closing(a));
        LOOKS("......"
              ".####."
              ".####."
              ".####."
              "......",
              ga_binary_propagation(dot, .mask = a));
        LOOKS("##############################", ga_binary_fill_holes(ring));
        LOOKS("......"
              ".####."
              ".####."
              ".####."
              "......",
              ga_binary_fill_holes(a));
        LOOKS("..............#...............", ga_binary_hit_or_miss(dot, ga_ones((1, 1))));
        LOOKS("..............................", ga_binary_hit_or_miss(a, ga_ones((1, 1)), square));
        ga_array *into = ga_zeros_like(dot, .dtype = GA_U8);
        CHECK(ga_binary_dilation(dot, .out = into) == into && ga_item(ga_sum(into)) == 5);
        CHECK_SCALAR(ga_binary_erosion(ga_scalar(3)), GA_BOOL, 1);
        CHECK(ga_binary_erosion(ga_zeros((0, 4)))->size == 0);
        CHECK_FAILS(ga_binary_erosion(a, ga_ones((3))), "1 dimension");
        CHECK_FAILS(ga_binary_erosion(a, .mask = ga_ones((3))), ".mask (3");
        CHECK_FAILS(ga_binary_erosion(ga_astype(a, GA_C64)), "complex64");
        CHECK_FAILS(ga_binary_erosion(a, ga_zeros((3, 3)), .iterations = 0), "middle");
        CHECK_FAILS(ga_binary_erosion(a, .origin = ga_axes(2)), ".origin = 2");
        CHECK_FAILS(ga_binary_propagation(a, .iterations = 2), ".iterations");
        CHECK_FAILS(ga_binary_fill_holes(a, .mask = a), ".mask");
        CHECK_FAILS(ga_generate_binary_structure(9, 1), "rank 9");
        CHECK_FAILS(ga_iterate_structure(ga_zeros((0)), 2), "cannot be iterated");
        if (test_on_gpu()) continue;
        ga_array *chunked = ga_chunked(a, 2, 3);
        LOOKS("..............##..............", ga_compute(ga_binary_erosion(chunked)));
        CHECK(ga_array_equal(ga_binary_closing(chunked, .iterations = 2), ga_binary_closing(a, .iterations = 2)));
        ga_array *mask = ga_greater(ga_random((5, 6), .seed = 1), 0.5), *mask_chunks = ga_chunked(mask, 2, 3);
        CHECK(ga_array_equal(ga_binary_closing(a, .mask = mask_chunks), ga_binary_closing(a, .mask = mask)));
        CHECK_FAILS(ga_binary_propagation(chunked), "ga_compute");
    }
}

/* Elements that have two neighbours, again and again: these come to places that they had before, and so never end. */
static void test_erosion_repeats(void)
{
    const int64_t many = INT64_MAX - 1;
    if (test_on_gpu()) return;
    ga_scope {
        ga_array *sides = ga_astype(ga_ints(1, 0, 1), GA_BOOL), *far = ga_astype(ga_ints(1, 0, 0, 0, 1), GA_BOOL);
        ga_array *turns = ga_equal(ga_remainder(ga_arange(23), 2), 0),
                 *once  = ga_binary_erosion(turns, sides, .border_value = true);
        CHECK(!ga_array_equal(once, turns));
        CHECK(ga_array_equal(ga_binary_erosion(turns, sides, .iterations = many, .border_value = true), turns));
        CHECK(ga_array_equal(ga_binary_erosion(turns, sides, .iterations = many + 1, .border_value = true), once));
        ga_array *dots = ga_less(ga_random((40), .seed = 5), 0.3), *step = dots,
                 *mask = ga_greater(ga_random((40), .seed = 7), 0.1);
        bool same      = true;
        for (int k = 1; k <= 200; k++) {
            step = ga_binary_dilation(step, far, .mask = mask);
            same = same && ga_array_equal(ga_binary_dilation(dots, far, .iterations = k, .mask = mask), step);
        }
        CHECK(same);
        ga_array *before = ga_binary_dilation(dots, far, .iterations = 198, .mask = mask); /* they turn by two, if at all */
        CHECK(ga_array_equal(before, step));
        CHECK(ga_array_equal(ga_binary_dilation(dots, far, .iterations = many, .mask = mask), step));
    }
}

static void test_grey(void)
{
    ga_scope {
        ga_array *a       = picture(3, "12345"
                                             "13915"
                                             "12345"),
                 *heights = ga_reshape(ga_ints(0, 1, 0), (1, 3)), *cells = ga_reshape(ga_ints(1, 0, 1), (1, 3));
        CHECK(ga_array_equal(ga_grey_erosion(a, 3), ga_minimum_filter(a, 3)));
        CHECK(ga_array_equal(ga_grey_dilation(a, 3), ga_maximum_filter(a, 3)));
        CHECK(ga_array_equal(ga_grey_dilation(a, 2), ga_maximum_filter(a, 2, .origin = ga_axes(-1))));
        CHECK(ga_array_equal(ga_grey_dilation(a, 0, cells), ga_maximum_filter(a, 0, cells)));
        LOOKS("012340110101234", ga_grey_erosion(a, 0, .structure = heights));
        CHECK(ga_array_equal(ga_grey_opening(a, 3), ga_grey_dilation(ga_grey_erosion(a, 3), 3)));
        CHECK(ga_array_equal(ga_grey_closing(a, 3), ga_grey_erosion(ga_grey_dilation(a, 3), 3)));
        CHECK(ga_array_equal(ga_morphological_gradient(a, 3), ga_subtract(ga_grey_dilation(a, 3), ga_grey_erosion(a, 3))));
        CHECK(ga_array_equal(ga_morphological_laplace(a, 3),
                             ga_subtract(ga_add(ga_grey_dilation(a, 3), ga_grey_erosion(a, 3)), ga_multiply(a, 2))));
        CHECK(ga_array_equal(ga_white_tophat(a, 3), ga_subtract(a, ga_grey_opening(a, 3))));
        CHECK(ga_array_equal(ga_black_tophat(a, 3), ga_subtract(ga_grey_closing(a, 3), a)));
        CHECK(ga_white_tophat(ga_greater(a, 2), 3)->dtype == GA_BOOL);
        CHECK_IS(ga_grey_dilation(ga_astype(ga_ints(250, 3), GA_U8), 0, .structure = ga_ints(9)), GA_U8, (2), 255, 12);
        ga_array *into = ga_zeros_like(a, .dtype = GA_F64);
        CHECK(ga_grey_erosion(a, 3, .out = into) == into && ga_array_equal(into, ga_minimum_filter(a, 3)));
        CHECK_FAILS(ga_grey_erosion(a, 3, .structure = heights), "twice");
        CHECK_FAILS(ga_grey_erosion(a, 0, ga_ones((3, 3)), heights), ".footprint has shape (3, 3), .structure (1, 3)");
        CHECK_FAILS(ga_grey_erosion(a, 0, ga_zeros((1, 3)), heights), "no true element");
        CHECK_FAILS(ga_grey_erosion(ga_astype(a, GA_C64), 0, .structure = heights), "complex");
        CHECK_FAILS(ga_grey_dilation(a, 3, .origin = ga_axes(1, 2, 3)), ".origin");
        CHECK_FAILS(ga_grey_dilation(a, 3, .origin = ga_axes(INT64_MIN)), ".origin");
        if (test_on_gpu()) continue;
        ga_array *chunked = ga_chunked(a, 2, 3);
        CHECK(ga_array_equal(ga_grey_opening(chunked, 3), ga_grey_opening(a, 3)));
        CHECK(ga_array_equal(ga_grey_erosion(chunked, 0, .structure = heights), ga_grey_erosion(a, 0, .structure = heights)));
    }
}

static void test_transforms(void)
{
    ga_scope {
        ga_array *a    = picture(3, "#####"
                                       "#####"
                                       "##.##"),
                 *line = ga_to(ga_ints(1, 1, 0, 1, 1, 1), GA_CPU), *all = ga_to(ga_ones((2)), GA_CPU), *indices;
        const double twice[1] = { 2 }, wrong[1] = { 0 };
        if (test_on_gpu()) {
            CHECK_FAILS(ga_distance_transform_edt(a), "ga_to(a, GA_CPU)");
            continue;
        }
        LOOKS("2222221112"
              "21.12",
              ga_distance_transform_cdt(a));
        LOOKS("43234321232"
              "1.12",
              ga_distance_transform_cdt(a, GA_CITYBLOCK));
        LOOKS("43234321232"
              "1.12",
              ga_distance_transform_bf(a, GA_CITYBLOCK));
        LOOKS("85458521254"
              "1.14",
              ga_round(ga_square(ga_distance_transform_edt(a))));
        CHECK_IS(ga_distance_transform_edt(line), GA_F64, (6), 2, 1, 0, 1, 2, 3);
        CHECK_IS(ga_distance_transform_edt(line, .sampling = twice), GA_F64, (6), 4, 2, 0, 2, 4, 6);
        CHECK_IS(ga_distance_transform_bf(line), GA_F64, (6), 2, 1, 0, 1, 2, 3);
        CHECK_IS(ga_distance_transform_bf(line, GA_CHEBYSHEV), GA_U32, (6), 2, 1, 0, 1, 2, 3);
        CHECK(ga_distance_transform_cdt(line, .indices = &indices) != NULL);
        CHECK_IS(indices, GA_I32, (1, 6), 2, 2, 2, 2, 2, 2);
        CHECK_IS(ga_distance_transform_edt(all), GA_F64, (2), INFINITY, INFINITY);
        CHECK_IS(ga_distance_transform_cdt(all, .indices = &indices), GA_I32, (2), -1, -1);
        CHECK_IS(indices, GA_I32, (1, 2), -1, -1);
        CHECK_IS(ga_distance_transform_bf(all, GA_CITYBLOCK), GA_U32, (2), UINT32_MAX, UINT32_MAX);
        CHECK(ga_distance_transform_edt(ga_zeros((3, 0)))->size == 0);
        CHECK_SCALAR(ga_distance_transform_edt(ga_scalar(0)), GA_F64, 0);
        CHECK_FAILS(ga_distance_transform_edt(line, GA_CITYBLOCK), "GA_EUCLIDEAN here");
        CHECK_FAILS(ga_distance_transform_cdt(line, GA_EUCLIDEAN), "ga_distance_transform_edt");
        CHECK_FAILS(ga_distance_transform_bf(line, GA_COSINE), ".metric = 4");
        CHECK_FAILS(ga_distance_transform_edt(line, .sampling = wrong), "above 0");
        CHECK_FAILS(ga_distance_transform_cdt(line, .sampling = twice), "with GA_EUCLIDEAN");
        CHECK_FAILS(ga_distance_transform_edt(ga_chunked(line, 2)), "chunked");
        CHECK_FAILS(ga_distance_transform_edt(ga_zeros((1, 1, 1, 1, 1, 1, 1, 1)), .indices = &indices), "dimension more");
    }
}

static bool close_to(const ga_array *a, ga_array *b)
{
    return a && b && ga_same_shape(a, b) && ga_allclose(a, b, .atol = 1e-12);
}

static void test_interpolation(void)
{
    ga_scope {
        ga_array *line = ga_to(ga_astype(ga_ints(1, 2, 4, 8), GA_F64), GA_CPU), *whole = ga_to(ga_ints(1, 3), GA_CPU);
        if (test_on_gpu()) {
            CHECK_FAILS(ga_zoom(ga_to(line, GA_CUDA), 2), "ga_to(a, GA_CPU)");
            continue;
        }
        ga_array *grid = ga_reshape(ga_arange(0.0, 12.0, 1.0), (4, 3)), *places = ga_reshape(ga_values(0.5, 2, 0.5, 1), (2, 2)),
                 *four = ga_reshape(ga_ints(1, 2, 3, 4), (2, 2)), *half = ga_values(0.5), *empty = ga_zeros((0));
        const double each[2] = { 1, -1 }, one[1] = { 1 };
        /* a spline of order 3 has 1/6, 2/3, 1/6 of its coefficients at whole places */
        ga_array *c = ga_spline_filter(line), *ends = ga_concatenate((ga_index(c, "1:2"), c, ga_index(c, "2:3")));
        CHECK(close_to(ga_convolve(ends, ga_divide(ga_values(1, 4, 1), 6), GA_VALID), line));
        CHECK(close_to(ga_spline_filter1d(line, 3), c) && ga_array_equal(ga_spline_filter1d(line, 1), line));
        CHECK(close_to(ga_spline_filter1d(grid, .axis = 0), ga_transpose(ga_spline_filter1d(ga_transpose(grid)))));
        CHECK_IS(ga_map_coordinates(grid, places, .order = 1), GA_F64, (2), 2, 7);
        for (int order = 0; order <= 5; order++) {
            CHECK(close_to(ga_map_coordinates(grid, ga_indices((4, 3)), .order = order), grid));
            CHECK(close_to(ga_shift(line, 1, .order = order), ga_values(0, 1, 2, 4)));
            for (int n = 2; n <= 8; n++) { /* splines go through the elements of short lines, too */
                ga_array *few = ga_random((n)), *at = ga_indices((n));
                CHECK(close_to(ga_map_coordinates(few, at, .order = order, .border = GA_BORDER_REFLECT), few));
                CHECK(close_to(ga_map_coordinates(few, at, .order = order, .border = GA_BORDER_MIRROR), few));
            }
            CHECK(close_to(ga_shift(line, -1, .order = order, .border = GA_BORDER_GRID_WRAP), ga_values(2, 4, 8, 1)));
        }
        CHECK_IS(ga_shift(line, 0.5, .order = 1, .border = GA_BORDER_CONSTANT, .cval = 9), GA_F64, (4), 9, 1.5, 3, 6);
        CHECK_IS(ga_shift(line, 0.5, .order = 1, .border = GA_BORDER_GRID_CONSTANT, .cval = 9), GA_F64, (4), 5, 1.5, 3, 6);
        const double far[3] = { 1e20, INFINITY, NAN }; /* the others do not see it */
        for (int k = 0; k < 3; k++)
            CHECK_IS(ga_index(ga_shift(line, 1.5, .order = 1, .border = GA_BORDER_GRID_CONSTANT, .cval = far[k]), "2:"), GA_F64,
                     (2), 1.5, 3);
        CHECK_IS(ga_shift(line, 2, .order = 1, .border = GA_BORDER_REFLECT), GA_F64, (4), 2, 1, 1, 2);
        CHECK_IS(ga_shift(line, 2, .order = 1, .border = GA_BORDER_MIRROR), GA_F64, (4), 4, 2, 1, 2);
        CHECK_IS(ga_shift(line, 2, .order = 1, .border = GA_BORDER_NEAREST), GA_F64, (4), 1, 1, 1, 2);
        CHECK_IS(ga_shift(four, 0, .order = 1, .each = each), GA_I64, (2, 2), 0, 0, 2, 0);
        CHECK_IS(ga_zoom(whole, 2, .order = 1), GA_I64, (4), 1, 2, 2, 3);
        CHECK_IS(ga_zoom(whole, 2, .order = 0), GA_I64, (4), 1, 1, 3, 3);
        CHECK_IS(ga_zoom(line, 0.5, .order = 1), GA_F64, (2), 1, 8);
        CHECK_IS(ga_zoom(line, 0.5, .order = 1, .grid_mode = true), GA_F64, (2), 1.5, 6);
        CHECK_IS(ga_zoom(four, 1), GA_I64, (2, 2), 1, 2, 3, 4);
        CHECK_IS(ga_affine_transform(line, ga_reshape(half, (1, 1)), .order = 1), GA_F64, (4), 1, 1.5, 2, 3);
        CHECK_IS(ga_affine_transform(line, half, .order = 1, .offset = one, .output_shape = ga_axes(2)), GA_F64, (2), 2, 3);
        CHECK_IS(ga_affine_transform(line, ga_reshape(ga_values(0.5, 1), (1, 2)), .order = 1), GA_F64, (4), 2, 3, 4, 6);
        CHECK_IS(ga_affine_transform(line, ga_values(0), .order = 1, .offset = one), GA_F64, (4), 2, 2, 2, 2);
        CHECK_IS(ga_rotate(four, 90, .order = 1), GA_I64, (2, 2), 2, 4, 1, 3);
        CHECK_IS(ga_rotate(four, 180), GA_I64, (2, 2), 4, 3, 2, 1);
        CHECK(ga_rotate(grid, 45)->shape[0] == 5 && ga_rotate(grid, 45, .reshape = false)->shape[1] == 3);
        CHECK(ga_shift(ga_astype(line, GA_C64), 1)->dtype == GA_C64 && ga_zoom(ga_astype(whole, GA_U8), 1.5)->dtype == GA_U8);
        CHECK(ga_item(ga_isnan(ga_map_coordinates(line, ga_full((1, 1), NAN)))) == 1);
        CHECK_IS(ga_map_coordinates(line, ga_full((1, 1), INFINITY), .border = GA_BORDER_NEAREST, .order = 1), GA_F64, (1), 8);
        ga_array *into = ga_zeros_like(line);
        CHECK(ga_shift(line, 1, .order = 0, .out = into) == into && ga_item_at(into, 3) == 4);
        CHECK_FAILS(ga_shift(line, 1, .order = 6), ".order = 6: use 0 to 5");
        CHECK_FAILS(ga_spline_filter(line, 1), "use 2 to 5");
        CHECK_FAILS(ga_spline_filter(line, .axis = 0), "ga_spline_filter1d");
        CHECK_FAILS(ga_shift(line, 1, .border = (ga_border)9), ".border = 9");
        CHECK_FAILS(ga_minimum_filter(line, 3, .border = GA_BORDER_GRID_WRAP), ".border = 6");
        CHECK_FAILS(ga_shift(line, 1, .each = one), ".each");
        CHECK_FAILS(ga_zoom(line, 1, .each = one), ".each");
        CHECK_FAILS(ga_zoom(line, -1), "zoom -1");
        CHECK_FAILS(ga_map_coordinates(line, line, .grid_mode = true), ".grid_mode");
        CHECK_FAILS(ga_map_coordinates(grid, line), "(2, ...)");
        CHECK_FAILS(ga_affine_transform(grid, half), "use (2, 2)");
        CHECK_FAILS(ga_affine_transform(grid, ga_ones((3, 3))), "last row");
        CHECK_FAILS(ga_affine_transform(line, ga_ones((1, 2)), .offset = one), "twice");
        CHECK_FAILS(ga_rotate(line, 30), "two axes");
        CHECK_FAILS(ga_rotate(grid, 30, .axes = ga_axes(0, 0)), "axis 0 twice");
        CHECK_FAILS(ga_rotate(grid, INFINITY), "angle inf");
        CHECK(ga_zoom(empty, 2)->shape[0] == 0 && ga_shift(ga_zeros((0, 3)), 1)->shape[1] == 3);
        CHECK_FAILS(ga_map_coordinates(empty, ga_reshape(half, (1, 1))), "nothing to interpolate");
        CHECK_FAILS(ga_shift(ga_scalar(1.0), 1), "no axis");
        CHECK_FAILS(ga_shift(line, 1, .out = ga_zeros((4), .dtype = GA_I32)), "int32");
    }
}

int main(void)
{
    test_begin();
    test_binary();
    test_erosion_repeats();
    test_grey();
    test_transforms();
    test_interpolation();
    return test_end();
}
