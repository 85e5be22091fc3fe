/*  options.c -- options by name, by position and in a struct mean the same, zero is a value like any other, and what is not given is
    NumPy's default. Compiled as C, as C++ and by nvcc: structs and defaults agree.                                            */
#include "test.h"

static const double numbers[6] = { 3, -4, 0, 5, -12, 0 };

/* Of a call by name, the same by position, and the same by the function itself. */
#define THREE(named, placed, called, ...)                                                                                      \
    do {                                                                                                                       \
        CHECK_IS(named, __VA_ARGS__);                                                                                          \
        CHECK_IS(placed, __VA_ARGS__);                                                                                         \
        CHECK_IS(called, __VA_ARGS__);                                                                                         \
    } while (0)

static ga_reduce_options over(int axis)
{
    ga_reduce_options o = ga_reduce_defaults;
    o.axis              = axis;
    return o;
}

static ga_axis_options along(int axis)
{
    ga_axis_options o = ga_axis_defaults;
    o.axis            = axis;
    return o;
}

static void test_axis_0(void)
{
    ga_scope {
        ga_array        *a = ga_from(numbers, (2, 3)), *line = ga_ints(1, 0), *one = ga_ones((1, 1, 3));
        ga_order_options order = ga_order_defaults;
        ga_axes_options  axes  = ga_axes_defaults;
        ga_take_options  take  = ga_take_defaults;
        order.axis = axes.axis = take.axis = 0;
        THREE(ga_sum(a, .axis = 0), ga_sum(a, 0), (ga_sum)(a, over(0)), GA_F64, (3), 8, -16, 0);
        THREE(ga_sum(a, .axis = 1), ga_sum(a, 1), (ga_sum)(a, over(1)), GA_F64, (2), -1, -7);
        /* clang-format off */
        CHECK_IS(ga_sum(a, . axis = 0, .keepdims = true), GA_F64, (1, 3), 8, -16, 0);
        /* clang-format on */
        CHECK_IS(ga_sum(a), GA_F64, (), -8);
        CHECK_IS((ga_sum)(a, ga_reduce_defaults), GA_F64, (), -8);
        CHECK_IS((ga_sum)(a, over(GA_AXIS_DEFAULT)), GA_F64, (), -8);
        THREE(ga_max(a, .axis = 0), ga_max(a, 0), (ga_max)(a, over(0)), GA_F64, (3), 5, -4, 0);
        THREE(ga_std(a, .axis = 0), ga_std(a, 0), (ga_std)(a, over(0)), GA_F64, (3), 1, 4, 0);
        THREE(ga_argmax(a, .axis = 0), ga_argmax(a, 0), (ga_argmax)(a, over(0)), GA_I64, (3), 1, 0, 0);
        THREE(ga_median(a, .axis = 0), ga_median(a, 0), (ga_median)(a, order), GA_F64, (3), 4, -8, 0);
        THREE(ga_percentile(a, 50, .axis = 0), ga_percentile(a, 50, 0), (ga_percentile)(a, GA_ARG(50), order), GA_F64, (3), 4,
              -8, 0);
        THREE(ga_argsort(a, .axis = 0), ga_argsort(a, 0), (ga_argsort)(a, along(0)), GA_I64, (2, 3), 0, 1, 0, 1, 0, 1);
        THREE(ga_sort(a), ga_sort(a, -1), (ga_sort)(a, ga_axis_defaults), GA_F64, (2, 3), -4, 0, 3, -12, 0, 5);
        THREE(ga_cumsum(a, .axis = 0), ga_cumsum(a, 0), (ga_cumsum)(a, along(0)), GA_F64, (2, 3), 3, -4, 0, 8, -16, 0);
        CHECK_IS(ga_cumsum(a), GA_F64, (6), 3, -1, -1, 4, -8, -8);
        THREE(ga_take(a, line, .axis = 0), ga_take(a, line, 0), (ga_take)(a, line, take), GA_F64, (2, 3), 5, -12, 0, 3, -4, 0);
        THREE(ga_repeat(line, 2, .axis = 0), ga_repeat(line, 2, 0), (ga_repeat)(line, GA_ARG(2), along(0)), GA_I64, (4), 1, 1,
              0, 0);
        CHECK_IS(ga_repeat(a, 1, 0), GA_F64, (2, 3), 3, -4, 0, 5, -12, 0);
        THREE(ga_roll(a, 1, .axis = 0), ga_roll(a, 1, 0), (ga_roll)(a, 1, along(0)), GA_F64, (2, 3), 5, -12, 0, 3, -4, 0);
        THREE(ga_flip(a, .axis = 0), ga_flip(a, 0), (ga_flip)(a, axes), GA_F64, (2, 3), 5, -12, 0, 3, -4, 0);
        THREE(ga_squeeze(one, .axis = 0), ga_squeeze(one, 0), (ga_squeeze)(one, axes), GA_F64, (1, 3), 1, 1, 1);
        THREE(ga_concatenate((line, line), .axis = 0), ga_concatenate((line, line), 0), ga_concatenate((line, line)), GA_I64,
              (4), 1, 0, 1, 0);
        CHECK_IS(ga_stack((line, line), 1), GA_I64, (2, 2), 1, 1, 0, 0);
        CHECK_IS(ga_sobel(ga_ones((2, 2)), 0), GA_F64, (2, 2), 0, 0, 0, 0);
        CHECK_FAILS(ga_sum(a, 2), "no axis 2");
    }
}

static void test_zeroed_structs(void)
{
    ga_scope {
        ga_array         *a = ga_from(numbers, (2, 3));
        ga_reduce_options sum;
        ga_norm_options   norm;
        ga_axes_options   flip;
        ga_window_options window;
        memset((void *)&sum, 0, sizeof sum);
        memset((void *)&norm, 0, sizeof norm);
        memset((void *)&flip, 0, sizeof flip);
        memset((void *)&window, 0, sizeof window);
        CHECK_FAILS((ga_sum)(a, sum), "ga_sum: .out is NULL: a struct of options begins as ga_reduce_defaults");
        CHECK_FAILS((ga_norm)(a, norm), "ga_norm: .axis = 0 and .axes = ()");
        CHECK_FAILS((ga_norm)(a, norm), "begins as ga_norm_defaults");
        CHECK_FAILS((ga_flip)(a, flip), "begins as ga_axes_defaults");
        CHECK_FAILS((ga_median_filter)(a, 3, window), "ga_median_filter: .footprint is NULL");
        CHECK_FAILS(ga_sum(a, .out = NULL), ".out is NULL: the call that should have made it failed");
    }
}

static void test_axis_beside_axes(void)
{
    ga_scope {
        ga_array *a = ga_from(numbers, (2, 3));
        CHECK_FAILS(ga_sum(a, .axis = 0, .axes = ga_axes(1)), ".axis = 0 and .axes = (1,) are given: use one of them");
        CHECK_FAILS(ga_median(a, .axis = 0, .axes = ga_axes()), "use one of them");
        CHECK_FAILS(ga_norm(a, .axis = 0, .axes = ga_axes(1)), "use one of them");
        CHECK_FAILS(ga_flip(a, .axis = 0, .axes = ga_axes(1)), "use one of them");
        CHECK_FAILS(ga_sum(ga_chunked(a, 1, 2), .axis = 0, .axes = ga_axes(1)), "use one of them");
    }
}

/* What stands beyond an edge must fit the dtype; where it is computed in float64 it may be any number. */
static void test_values_fit(void)
{
    ga_scope {
        ga_array *u = ga_ones((2), GA_U8), *bytes = ga_ones((2, 2), GA_U8);
        CHECK_FAILS(ga_pad(u, (1), .value = 300), ".value = 300 does not fit uint8");
        CHECK_FAILS(ga_pad(u, (1), .value = -1), ".value = -1 does not fit uint8");
        CHECK_FAILS(ga_pad(u, (1), .value = (double)NAN), ".value = nan does not fit uint8");
        CHECK_FAILS(ga_pad(ga_chunked(u, 1), (1), .value = 300), ".value = 300 does not fit uint8");
        CHECK_IS(ga_pad(u, (1), .value = 255), GA_U8, (4), 255, 1, 1, 255);
        CHECK_IS(ga_pad(u, (1), .value = 1.7), GA_U8, (4), 1, 1, 1, 1);
        CHECK_IS(ga_pad(u, (1), .mode = GA_PAD_EDGE, .value = 300), GA_U8, (4), 1, 1, 1, 1);
        CHECK_FAILS(ga_maximum_filter(u, 3, .border = GA_BORDER_CONSTANT, .cval = 300), ".cval = 300 does not fit uint8");
        CHECK_IS(ga_maximum_filter(u, 3, .cval = 300), GA_U8, (2), 1, 1);
        CHECK_FAILS(ga_convolve2d(bytes, bytes, .fillvalue = 300), ".fillvalue = 300 does not fit uint8");
        CHECK_IS(ga_uniform_filter(u, 3, .border = GA_BORDER_CONSTANT, .cval = 301), GA_U8, (2), 101, 101);
    }
}

static void test_no_axes(void) /* NumPy's axis=() */
{
    ga_scope {
        ga_array *a = ga_from(numbers, (2, 3)), *one = ga_ones((1, 1, 1));
        CHECK_IS(ga_sum(a, .axes = ga_axes()), GA_F64, (2, 3), 3, -4, 0, 5, -12, 0);
        CHECK_IS(ga_max(a, .axes = ga_axes()), GA_F64, (2, 3), 3, -4, 0, 5, -12, 0);
        CHECK_IS(ga_std(a, .axes = ga_axes()), GA_F64, (2, 3), 0, 0, 0, 0, 0, 0);
        CHECK_IS(ga_median(a, .axes = ga_axes()), GA_F64, (2, 3), 3, -4, 0, 5, -12, 0);
        CHECK_IS(ga_norm(a, .axes = ga_axes()), GA_F64, (2, 3), 3, 4, 0, 5, 12, 0);
        CHECK_IS(ga_flip(a, .axes = ga_axes()), GA_F64, (2, 3), 3, -4, 0, 5, -12, 0);
        CHECK_IS(ga_squeeze(one, .axes = ga_axes()), GA_F64, (1, 1, 1), 1);
        CHECK_IS(ga_compute(ga_sum(ga_chunked(a, 1, 2), .axes = ga_axes())), GA_F64, (2, 3), 3, -4, 0, 5, -12, 0);
        ga_array *number = ga_zeros(());
        CHECK(number && number->ndim == 0);
    }
}

static void test_zeros(void)
{
    ga_scope {
        ga_array        *a = ga_from(numbers, (2, 3)), *near = ga_add(a, 1e-9), *few = ga_values(0, 0, 1, 2, 2);
        ga_close_options exactly = ga_close_defaults;
        ga_norm_options  norm    = ga_norm_defaults;
        exactly.rtol = exactly.atol = 0;
        norm.ord                    = 0;
        CHECK(ga_allclose(a, near) && !ga_allclose(a, near, .rtol = 0, .atol = 0) && !ga_allclose(a, near, 0, 0) &&
              !(ga_allclose)(GA_ARG(a), GA_ARG(near), exactly) && ga_allclose(a, near, 0) && ga_allclose(a, near, .rtol = 0));
        CHECK(ga_array_equal(ga_values(NAN), ga_values(NAN), true) && !ga_array_equal(ga_values(NAN), ga_values(NAN)));
        THREE(ga_norm(a, .ord = 0), ga_norm(a, 0), (ga_norm)(a, norm), GA_F64, (), 4);
        THREE(ga_norm(a, .ord = 1, .axis = 0), ga_norm(a, 1, 0), ga_norm(ga_negative(a), 1, 0), GA_F64, (3), 8, 16, 0);
        CHECK_IS(ga_norm(a, .axis = 1), GA_F64, (2), 5, 13);
        CHECK_IS(ga_norm(ga_values(2, 2), .ord = -1), GA_F64, (), 1);
        CHECK_IS(ga_norm(ga_values(3, 4), -2), GA_F64, (), 2.4);
        CHECK_IS(ga_norm(a, .ord = -1), GA_F64, (), 0); /* as NumPy, where a 0 is among them */
        ga_linspace_options half = ga_linspace_defaults;
        half.endpoint            = false;
        THREE(ga_linspace(0, 1, 4, .endpoint = false), ga_linspace(0, 1, 4, false), (ga_linspace)(0, 1, 4, half), GA_F64, (4),
              0, 0.25, 0.5, 0.75);
        CHECK_IS(ga_logspace(0, 2, 3, .base = 0), GA_F64, (3), 1, 0, 0);
        CHECK_IS(ga_gaussian_filter(a, 1, .truncate = 0), GA_F64, (2, 3), 3, -4, 0, 5, -12, 0);
        CHECK_IS(ga_histogram(few, 2, .low = 0, .high = 0), GA_I64, (2), 0, 2);
        CHECK_IS(ga_histogram(few, 2), GA_I64, (2), 2, 3);
        CHECK_FAILS(ga_histogram(few, 2, .high = 2), ".low and .high");
        CHECK_IS(ga_bincount(ga_ints(0, 2), .minlength = 0), GA_I64, (3), 1, 0, 1);
        CHECK_IS(ga_label(ga_values(1, -1, 1)), GA_I32, (3), 1, 1, 1);
        CHECK_IS(ga_label(ga_values(1, -1, 1), .above = 0), GA_I32, (3), 1, 0, 2);
        CHECK_FAILS(ga_label(a, .connectivity = 0), ".connectivity = 0");
        CHECK_IS(ga_sigma_clip(few, .sigma = 1, .maxiters = 0, .rule = GA_CLIP_ASTROPY), GA_F64, (5), 0, 0, 1, 2, 2);
        CHECK_FAILS(ga_sigma_clip(few, .sigma = 0), "not positive");
        CHECK_FAILS(ga_sigma_clip(few, .sigma_low = 0), "not positive");
        CHECK_FAILS(ga_render(a, .scale = 0), "scale");
        CHECK_FAILS(ga_render(a, (const char *)NULL), ".cmap is NULL");
        ga_array *dark = ga_render(a, .vmin = 0, .vmax = 0);
        CHECK(dark && dark->size == 18);
        char *text = ga_to_string(ga_values(1.25), .precision = 0);
        CHECK(text && !strcmp(text, "[1.]"));
        free(text);
    }
}

static void test_positions(void)
{
    int64_t counted = 0;
    ga_scope {
        ga_array *a = ga_from(numbers, (2, 3)), *out = ga_zeros((2, 3)), *inverse = NULL, *index = NULL;
        CHECK_IS(ga_sum(a, 1, GA_F32), GA_F32, (2), -1, -7);
        CHECK_IS(ga_zeros((2), GA_I32), GA_I32, (2), 0, 0);
        CHECK(ga_add(a, 1, out) == out);
        CHECK_IS(ga_view(out), GA_F64, (2, 3), 4, -3, 1, 6, -11, 1);
        CHECK(ga_sort(a, 0, GA_DTYPE_DEFAULT, out) == out);
        CHECK_IS(ga_view(out), GA_F64, (2, 3), 3, -12, 0, 5, -4, 0);
        CHECK_IS(ga_unique(a, &index, &inverse), GA_F64, (5), -12, -4, 0, 3, 5);
        CHECK(index && index->size == 5 && inverse && inverse->size == 6);
        CHECK(ga_unique(ga_values(NAN, 1, NAN))->size == 2 && ga_unique(ga_values(NAN, 1, NAN), .equal_nan = false)->size == 3);
        CHECK_IS(ga_bincount(ga_ints(0, 2), ga_values(0.5, 2), 4), GA_F64, (4), 0.5, 0, 2, 0);
        CHECK_IS(ga_convolve(ga_ints(1, 2, 3), ga_ints(1, 1), GA_VALID), GA_I64, (2), 3, 5);
        CHECK_IS(ga_cdist(ga_zeros((1, 2)), ga_ones((1, 2)), GA_CITYBLOCK), GA_F64, (1, 1), 2);
        CHECK_IS(ga_minimum_filter(ga_ints(3, 1, 2), 0, ga_ones((2))), GA_I64, (3), 3, 1, 1);
        CHECK_IS(ga_convolve1d(ga_ints(3, 1, 2), ga_ints(1, 1), 0), GA_I64, (3), 4, 3, 4);
        CHECK(ga_label(a, .count = &counted) && counted > 0);
    }
}

static ga_array *nothing(void) { return NULL; }

static void test_not_given(void)
{
    ga_scope {
        ga_array *a = ga_from(numbers, (2, 3)), *mask = ga_greater(a, 0);
        CHECK_IS(ga_add(a, 1, .where = GA_NO_ARRAY), GA_F64, (2, 3), 4, -3, 1, 6, -11, 1);
        CHECK_IS(ga_add(a, 1, .where = mask), GA_F64, (2, 3), 4, 0, 0, 6, 0, 0);
        CHECK_FAILS(ga_add(a, 1, .where = nothing()), ".where is NULL");
        CHECK_FAILS(ga_add(a, 1, nothing()), ".out is NULL");
        CHECK_FAILS(ga_sum(a, .out = nothing()), ".out is NULL");
        CHECK_FAILS(ga_sort(a, .out = nothing()), ".out is NULL");
        CHECK_FAILS(ga_median(a, .out = nothing()), ".out is NULL");
        CHECK_FAILS(ga_matmul(a, mask, .out = nothing()), ".out is NULL");
        CHECK_FAILS(ga_copyto(a, 1, .where = nothing()), ".where is NULL");
        CHECK_FAILS(ga_median_filter(a, 0, .footprint = nothing()), ".footprint is NULL");
        CHECK_FAILS(ga_bincount(a, nothing()), ".weights is NULL");
        ga_map_options o = ga_map_defaults;
        o.where          = NULL;
        CHECK_FAILS((ga_negative)(a, o), ".where is NULL");
    }
}

/* What no struct of options may hold. */
static void test_validity(void)
{
    ga_scope {
        ga_array *a = ga_from(numbers, (2, 3)), *c = ga_chunked(a, 1, 2);
        ga_shape  many;
        memset(&many, 0, sizeof many);
        for (int k = 0; k < 3; k++) {
            const ga_dtype bad = (ga_dtype)(k == 0 ? 100 : k == 1 ? -1 : GA_DTYPE_COUNT);
            many.ndim          = k == 0 ? GPUARR_MAX_DIMS + 1 : k == 1 ? -2 : INT32_MAX;
            CHECK_FAILS(ga_zeros((2), .dtype = bad), "is not a dtype");
            CHECK_FAILS(ga_indices((2, 2), .dtype = bad, .chunks = ga_chunks(1, 1, 1)), "is not a dtype");
            CHECK_FAILS(ga_mgrid("0:3", .dtype = bad, .chunks = ga_chunks(1, 1)), "is not a dtype");
            CHECK_FAILS(ga_arange(0, 3, 1, .dtype = bad), "is not a dtype");
            CHECK_FAILS(ga_linspace(0, 3, 4, .dtype = bad), "is not a dtype");
            CHECK_FAILS(ga_eye(3, 3, 0, .dtype = bad, .chunks = ga_chunks(1, 1)), "is not a dtype");
            CHECK_FAILS(ga_random((3), .dtype = bad), "is not a dtype");
            CHECK_FAILS(ga_random_integers(0, 3, (3), .dtype = bad), "is not a dtype");
            CHECK_FAILS(ga_add(a, 1, .dtype = bad), "is not a dtype");
            CHECK_FAILS(ga_sum(a, .dtype = bad), "is not a dtype");
            CHECK_FAILS(ga_std(a, .dtype = bad), "is not a dtype");
            CHECK_FAILS(ga_argmax(a, .dtype = bad), "is not a dtype");
            CHECK_FAILS(ga_cumsum(a, .dtype = bad), "is not a dtype");
            CHECK_FAILS(ga_concatenate((a, a), .dtype = bad), "is not a dtype");
            CHECK_FAILS(ga_label(a, .dtype = bad), "is not a dtype");
            CHECK_FAILS(ga_map_blocks(c, (ga_block_function)0, NULL, .dtype = bad), "is not a dtype");
            CHECK_FAILS(ga_zeros((2), .chunks = many), ".chunks has");
            CHECK_FAILS(ga_linspace(0, 1, 5, .chunks = many), ".chunks has");
            CHECK_FAILS(ga_random((5), .chunks = many), ".chunks has");
            CHECK_FAILS(ga_sum(a, .axes = many), ".axes names");
            CHECK_FAILS(ga_median(a, .axes = many), ".axes names");
            CHECK_FAILS(ga_norm(a, .axes = many), ".axes names");
            CHECK_FAILS(ga_flip(a, .axes = many), ".axes names");
            CHECK_FAILS(ga_pad(a, (1), .after = many), ".after has");
            CHECK_FAILS(ga_tensordot(a, a, 1, .axes_a = many, .axes_b = ga_axes(0)), ".axes_a has");
            CHECK_FAILS(ga_uniform_filter(a, 0, .sizes = many), ".sizes has");
            CHECK_FAILS(ga_median_filter(a, 3, .origin = many), ".origin has");
            CHECK_FAILS(ga_gaussian_filter(a, 1, .order = many), ".order has");
            CHECK_FAILS(ga_map_overlap(c, (ga_block_function)0, NULL, .depth = many), ".depth has");
        }
    }
}

int main(void)
{
    test_axis_0();
    test_zeroed_structs();
    test_axis_beside_axes();
    test_values_fit();
    test_no_axes();
    test_zeros();
    test_positions();
    test_not_given();
    test_validity();
    return test_end();
}
