/* Filters on the GPU: the same bits as on the CPU, for every dtype, border and kind of window. The implementation must be built with CUDA
   (nvcc, or g++ with tools/cudasim); without a GPU everything is skipped. */
#include "test.h"

/* Random elements on the CPU; of floats some are infinite or -0, and sometimes NaN. */
static ga_array *random_array(ga_dtype dtype, ga_shape shape)
{
    static const double special[] = { INFINITY, -INFINITY, NAN, 3e38, -0.0, -0.0, -0.0, 1e-40 };
    ga_array           *a         = ga_empty_n(shape.ndim, shape.n, .dtype = dtype, .device = GA_CPU);
    const int           size = (int)ga_itemsize(dtype), part = dtype == GA_F32 || dtype == GA_C64 ? 4 : 8;
    const bool          wild = test_below(3) == 0;
    for (int64_t i = 0; i < a->size; i++) {
        char    *p    = (char *)a->data + i * size;
        uint64_t bits = test_random();
        if (dtype == GA_BOOL) *p = bits % 3 == 0;
        else if (dtype < GA_F32) memcpy(p, &bits, (size_t)size);
        else
            for (int k = 0; k < size; k += part) {
                double v = (double)(int64_t)test_random() * 0x1p-60;
                if (test_below(8) == 0) v = (double)test_below(3);
                if (wild && test_below(64) == 0) v = special[test_below(8)];
                float f = (float)v;
                memcpy(p + k, part == 4 ? (const void *)&f : (const void *)&v, (size_t)part);
            }
    }
    return a;
}

static ga_shape random_shape(void)
{
    ga_shape s           = GI_SHAPE(1, 1, 1, 1);
    s.ndim               = 1 + (int)test_below(4);
    const int64_t most[] = { test_small() ? 300 : 2000, 40, 11, 5 };
    for (int d = 0; d < s.ndim; d++) s.n[d] = 1 + test_below(most[s.ndim - 1]);
    return s;
}

/* A view of something larger, now and then. */
static ga_array *some_view(ga_array *a)
{
    switch (test_below(4)) {
    case 0: return ga_transpose(a);
    case 1: return ga_index(a, "::-2");
    default: return a;
    }
}

static void test_ranks(ga_dtype dtype)
{
    const int64_t  longest[] = { 60, 9, 4, 3 };
    ga_array      *base = random_array(dtype, random_shape()), *gpu_base = ga_to(base, GA_CUDA);
    const uint64_t view = test_random_state;
    ga_array      *a    = some_view(base);
    test_random_state   = view; /* the same view */
    ga_array *g         = some_view(gpu_base);
    ga_shape  sizes = GI_SHAPE(1, 1, 1, 1), origin = GI_SHAPE(0, 0, 0, 0);
    sizes.ndim = origin.ndim = a->ndim;
    int64_t count            = 1;
    for (int d = 0; d < a->ndim; d++) {
        sizes.n[d] = 1 + test_below(longest[a->ndim - 1]);
        if (test_below(3) == 0) origin.n[d] = test_below(sizes.n[d]) - sizes.n[d] / 2;
        count *= sizes.n[d];
    }
    const ga_border b    = (ga_border)test_below(5);
    const double    cval = (double)test_below(5) - (ga_can_cast(GA_I8, dtype) ? 1 : 0); /* it must fit */
    const int64_t   rank = test_below(count);
    CHECK(test_same_on_gpu(ga_median_filter(a, 0, .sizes = sizes, .border = b, .cval = cval, .origin = origin),
                           ga_median_filter(g, 0, .sizes = sizes, .border = b, .cval = cval, .origin = origin)));
    CHECK(test_same_on_gpu(ga_rank_filter(a, rank, 0, .sizes = sizes, .border = b, .cval = cval),
                           ga_rank_filter(g, rank, 0, .sizes = sizes, .border = b, .cval = cval)));
    CHECK(test_same_on_gpu(ga_minimum_filter(a, 0, .sizes = sizes, .border = b, .cval = cval),
                           ga_minimum_filter(g, 0, .sizes = sizes, .border = b, .cval = cval)));
    CHECK(test_same_on_gpu(ga_maximum_filter(a, 0, .sizes = sizes, .border = b, .cval = cval, .origin = origin),
                           ga_maximum_filter(g, 0, .sizes = sizes, .border = b, .cval = cval, .origin = origin)));
    ga_array *cells = ga_astype(random_array(GA_U8, sizes), GA_BOOL), *there = NULL;
    cells                                  = ga_logical_and(cells, random_array(GA_BOOL, sizes));
    ((bool *)cells->data)[cells->size - 1] = true;
    there                                  = ga_to(cells, GA_CUDA);
    CHECK(test_same_on_gpu(ga_percentile_filter(a, 40, 0, .footprint = cells, .border = b, .cval = cval),
                           ga_percentile_filter(g, 40, 0, .footprint = there, .border = b, .cval = cval)));
    CHECK(test_same_on_gpu(ga_minimum_filter(a, 0, .footprint = cells, .border = b, .cval = cval, .origin = origin),
                           ga_minimum_filter(g, 0, .footprint = there, .border = b, .cval = cval, .origin = origin)));
}

static void test_sums(ga_dtype dtype)
{
    ga_array       *a = random_array(dtype, random_shape()), *g = ga_to(a, GA_CUDA);
    const ga_border b    = (ga_border)test_below(5);
    const double    cval = (double)test_below(5) - 1.5, sigma = 0.3 + (double)test_below(8) / 4;
    const int64_t   size = 1 + test_below(a->ndim == 1 ? 200 : 12);
    CHECK(test_same_on_gpu(ga_uniform_filter(a, size, .border = b, .cval = cval),
                           ga_uniform_filter(g, size, .border = b, .cval = cval)));
    CHECK(test_same_on_gpu(ga_gaussian_filter(a, sigma, .border = b, .cval = cval),
                           ga_gaussian_filter(g, sigma, .border = b, .cval = cval)));
    CHECK(test_same_on_gpu(ga_gaussian_filter(a, sigma, .order = ga_axes(1), .border = b),
                           ga_gaussian_filter(g, sigma, .order = ga_axes(1), .border = b)));
    CHECK(
        test_same_on_gpu(ga_sobel(a, .axis = 0, .border = b, .cval = cval), ga_sobel(g, .axis = 0, .border = b, .cval = cval)));
    CHECK(test_same_on_gpu(ga_laplace(a, .border = b, .cval = cval), ga_laplace(g, .border = b, .cval = cval)));
    if (dtype < GA_C64)
        CHECK(test_same_on_gpu(ga_gaussian_gradient_magnitude(a, sigma, .border = b),
                               ga_gaussian_gradient_magnitude(g, sigma, .border = b)));
    CHECK(test_same_on_gpu(ga_gaussian_laplace(a, sigma, .border = b), ga_gaussian_laplace(g, sigma, .border = b)));
    CHECK(test_same_on_gpu(ga_prewitt(a, .border = b), ga_prewitt(g, .border = b)));
}

/* Rows around the size of a block, windows around powers of two, larger than the array, and out elsewhere. */
static void test_sizes(void)
{
    const int64_t lengths[] = { 1, 2, 31, 255, 256, 257, 1025, 5000 };
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        if (test_small() && lengths[k] > 300) break;
        const int64_t n = lengths[k];
        ga_array     *a = random_array(GA_F32, GI_SHAPE(2, n)), *g = ga_to(a, GA_CUDA);
        for (int64_t size = 1; size < 70; size = size * 2 + test_below(3) - 1 + (size < 2)) {
            CHECK(test_same_on_gpu(ga_uniform_filter(a, 0, .sizes = ga_axes(1, size)),
                                   ga_uniform_filter(g, 0, .sizes = ga_axes(1, size))));
            CHECK(test_same_on_gpu(ga_median_filter(a, 0, .sizes = ga_axes(2, size)),
                                   ga_median_filter(g, 0, .sizes = ga_axes(2, size))));
            CHECK(test_same_on_gpu(ga_maximum_filter(a, 0, .sizes = ga_axes(3, size)),
                                   ga_maximum_filter(g, 0, .sizes = ga_axes(3, size))));
        }
        ga_array *at = ga_transpose(a), *gt = ga_transpose(g);
        CHECK(test_same_on_gpu(ga_median_filter(at, 5), ga_median_filter(gt, 5)));
        ga_array *out = ga_zeros_like(a, .dtype = GA_F64), *there = ga_zeros_like(g, .dtype = GA_F64);
        CHECK(test_same_on_gpu(ga_gaussian_filter(a, 1, .out = out), ga_gaussian_filter(g, 1, .out = there)));
        CHECK(test_same_on_gpu(ga_median_filter(a, 3, .out = a), ga_median_filter(g, 3, .out = g)));
    }
}

int main(void)
{
    if (ga_cuda_count() == 0) {
        test_skip("there is no GPU", 1);
        return test_end();
    }
    for (int round = 0; round < (test_small() ? 1 : 4); round++)
        for (int d = GA_BOOL; d < TEST_DTYPES; d++) {
            ga_scope {
                if (d < GA_C64) test_ranks((ga_dtype)d);
            }
            ga_scope
                test_sums((ga_dtype)d);
        }
    ga_scope
        test_sizes();
    return test_end();
}
