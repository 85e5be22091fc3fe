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
        CHECK_FAILS(ga_binary_propagation(chunked), "ga_compute");
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

int main(void)
{
    test_begin();
    test_binary();
    test_grey();
    test_transforms();
    return test_end();
}
