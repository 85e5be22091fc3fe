/* Convolutions on the GPU: the same bits as on the CPU, for every dtype, border and mode, and for shapes around those of the kernels'
   tiles. The implementation must be built with CUDA (nvcc, or g++ with tools/cudasim); without a GPU everything is skipped. */
#include "test.h"

/* Random elements on the CPU. `wild`: with NaN, infinities and the largest numbers among them. */
static ga_array *random_array(ga_dtype dtype, int ndim, const int64_t *shape, bool wild)
{
    static const double special[] = { INFINITY, -INFINITY, NAN, 3e38, 1e300, 1e-310, 0.0, -0.0 };
    ga_array           *a         = ga_empty_n(ndim, shape, .dtype = dtype, .device = GA_CPU);
    int                 size = (int)ga_itemsize(dtype), part = dtype == GA_F32 || dtype == GA_C64 ? 4 : 8;
    for (int64_t i = 0; i < a->size; i++) {
        char    *p    = (char *)a->data + i * size;
        uint64_t bits = test_random();
        if (dtype == GA_BOOL) *p = bits % 16 == 0;
        else if (dtype < GA_F32) memcpy(p, &bits, (size_t)size);
        else
            for (int k = 0; k < size; k += part) {
                double v = (double)(int64_t)test_random() * 0x1p-62;
                if (test_random() % 16 == 0) v = -0.0;
                if (wild && test_random() % 64 == 0) v = special[test_random() % 8];
                float f = (float)v;
                memcpy(p + k, part == 4 ? (const void *)&f : (const void *)&v, (size_t)part);
            }
    }
    return a;
}

/* ---- both ways of all calls ------------------------------------------------------------------------------------------- */

typedef enum call { CONVOLVE, CORRELATE, CONVOLVE2D, CORRELATE2D, NDCONVOLVE, NDCORRELATE, CONVOLVE1D } call;

typedef struct options { /* of any of the calls */
    ga_mode     mode;
    ga_method   method;
    ga_boundary boundary;
    ga_border   border;
    double      value;
    ga_shape    origin;
    int         axis;
} options;

static ga_array *run(call what, const ga_array *a, const ga_array *v, options o)
{
    switch (what) {
    case CONVOLVE: return ga_convolve(a, v, .mode = o.mode, .method = o.method);
    case CORRELATE: return ga_correlate(a, v, .mode = o.mode, .method = o.method);
    case CONVOLVE2D:
        return ga_convolve2d(a, v, .mode = o.mode, .boundary = o.boundary, .fillvalue = o.value, .method = o.method);
    case CORRELATE2D:
        return ga_correlate2d(a, v, .mode = o.mode, .boundary = o.boundary, .fillvalue = o.value, .method = o.method);
    case NDCONVOLVE: return ga_ndconvolve(a, v, .border = o.border, .cval = o.value, .origin = o.origin, .method = o.method);
    case NDCORRELATE: return ga_ndcorrelate(a, v, .border = o.border, .cval = o.value, .origin = o.origin, .method = o.method);
    default: return ga_convolve1d(a, v, .axis = o.axis, .border = o.border, .cval = o.value);
    }
}

static bool compare(call what, const ga_array *a, const ga_array *v, options o)
{
    ga_array *a_gpu = ga_to(a, GA_CUDA), *v_gpu = ga_to(v, GA_CUDA);
    ga_array *cpu = run(what, a, v, o), *gpu = run(what, a_gpu, v_gpu, o);
    bool      ok = test_same_on_gpu(cpu, gpu);
    if (!ok) printf("     call %d of %s\n", (int)what, ga_dtype_name(a->dtype));
    ga_free(cpu);
    ga_free(gpu);
    ga_free(a_gpu);
    ga_free(v_gpu);
    return ok;
}

/* The same with new random arrays. */
static bool compare_shapes(call what, ga_dtype dtype, int ndim, const int64_t *shape, const int64_t *weights, bool wild,
                           options o)
{
    ga_array *a = random_array(dtype, ndim, shape, wild),
             *v = random_array(dtype, ndim, weights, wild && test_random() % 4 == 0);
    bool ok     = compare(what, a, v, o);
    ga_free(a);
    ga_free(v);
    return ok;
}

static options options_with(ga_mode mode, ga_border border, double value)
{
    options o;
    memset(&o, 0, sizeof o);
    o.mode     = mode;
    o.method   = GA_METHOD_DIRECT;
    o.boundary = border == GA_BORDER_REFLECT ? GA_BOUNDARY_SYMM
                 : border == GA_BORDER_WRAP  ? GA_BOUNDARY_WRAP
                                             : GA_BOUNDARY_FILL;
    o.border   = border;
    o.value    = value;
    return o;
}

/* One of each way of computing: the others are the same with other names. */
static const ga_dtype kinds[] = { GA_F32, GA_F64, GA_C64, GA_C128, GA_U16, GA_I64 };
enum { KINDS = sizeof kinds / sizeof *kinds };

static const ga_dtype all[] = { GA_BOOL, GA_I8,  GA_U8,  GA_I16, GA_U16, GA_I32, GA_U32,
                                GA_I64,  GA_U64, GA_F32, GA_F64, GA_C64, GA_C128 };
enum { ALL = sizeof all / sizeof *all };

/* Of many cases some are tried. */
static bool wanted(void) { return test_random() % (test_small() ? 30 : 4) == 0; }

/* ---- what is compared -------------------------------------------------------------------------------------------------- */

static void test_dtypes_borders_modes(void)
{
    static const int64_t weights[][2] = { { 5, 4 }, { 1, 6 }, { 7, 1 }, { 1, 1 }, { 40, 3 }, { 2, 90 } };
    for (int t = 0; t < ALL; t++)
        for (int b = GA_BORDER_REFLECT; b <= GA_BORDER_WRAP; b++)
            for (int k = 0; k < 6; k++)
                for (int mode = GA_FULL; mode <= GA_VALID; mode++) {
                    const int64_t shape[2] = { 37, 70 };
                    options       o        = options_with((ga_mode)mode, (ga_border)b, k % 2 ? 3 : 0);
                    if (!wanted()) continue;
                    bool borders = b != GA_BORDER_NEAREST && b != GA_BORDER_MIRROR; /* SciPy's signal has no more */
                    if (borders && (mode != GA_VALID || b == GA_BORDER_CONSTANT) && (mode != GA_VALID || k < 4)) {
                        CHECK(compare_shapes(CONVOLVE2D, all[t], 2, shape, weights[k], b == 1, o));
                        CHECK(compare_shapes(CORRELATE2D, all[t], 2, shape, weights[k], b == 1, o));
                    }
                    if (mode != GA_SAME) continue;
                    CHECK(compare_shapes(NDCONVOLVE, all[t], 2, shape, weights[k], b == 1, o));
                    CHECK(compare_shapes(NDCORRELATE, all[t], 2, shape, weights[k], b == 1, o));
                }
}

/* Lines that fill parts of a tile, one or several; weights that fit a portion or do not. */
static void test_lines(void)
{
    static const int64_t lengths[] = { 1, 2, 7, 8, 9, 31, 32, 33, 63, 64, 65, 129, 1023, 2047, 2049, 5000 };
    static const int64_t weights[] = { 1, 2, 3, 4, 5, 8, 15, 30, 31, 32, 60, 61, 62, 63, 94, 95, 121, 300 };
    for (int t = 0; t < KINDS; t++)
        for (int i = 0; i < 16; i++)
            for (int k = 0; k < 18; k++) {
                if (!wanted()) continue;
                CHECK(compare_shapes(CONVOLVE, kinds[t], 1, &lengths[i], &weights[k], false,
                                     options_with(GA_FULL, GA_BORDER_WRAP, 0)));
                CHECK(compare_shapes(CORRELATE, kinds[t], 1, &lengths[i], &weights[k], k == 3,
                                     options_with(GA_SAME, GA_BORDER_WRAP, 0)));
            }
}

static void test_tiles(void)
{
    static const int64_t rows[] = { 1, 2, 31, 32, 33, 64, 65 }, columns[] = { 1, 8, 31, 32, 33, 63, 64, 65, 130 };
    static const int64_t weights[][2] = {
        { 2, 2 }, { 3, 3 }, { 15, 15 }, { 33, 2 }, { 34, 2 }, { 70, 5 }, { 4, 61 }, { 2, 100 }
    };
    for (int t = 0; t < KINDS; t++)
        for (int i = 0; i < 7; i++)
            for (int j = 0; j < 9; j++)
                for (int k = 0; k < 8; k++) {
                    const int64_t shape[2] = { rows[i], columns[j] };
                    if ((i + j + k + t) % 4 || !wanted()) continue;
                    CHECK(compare_shapes(CONVOLVE2D, kinds[t], 2, shape, weights[k], k == 0,
                                         options_with(GA_FULL, GA_BORDER_CONSTANT, 2)));
                    CHECK(compare_shapes(NDCONVOLVE, kinds[t], 2, shape, weights[k], k == 1,
                                         options_with(GA_SAME, (ga_border)((i + j) % 5), 1)));
                }
}

static void test_dimensions(void)
{
    static const int64_t shapes[][5]  = { { 5, 6, 70 }, { 9, 40, 3 }, { 70, 3, 4 }, { 3, 4, 5, 6 }, { 2, 3, 2, 3, 20 } };
    static const int64_t weights[][5] = {
        { 2, 3, 4, 2, 3 }, { 1, 3, 1, 3, 1 }, { 3, 1, 1, 1, 1 }, { 3, 1, 5, 1, 2 }, { 1, 4, 3, 1, 1 }
    };
    static const int ndims[] = { 3, 3, 3, 4, 5 };
    for (int t = 0; t < KINDS; t++)
        for (int i = 0; i < 5; i++)
            for (int k = 0; k < 5; k++)
                for (int b = GA_BORDER_REFLECT; b <= GA_BORDER_WRAP; b++) {
                    options o = options_with(GA_FULL, (ga_border)b, 5);
                    if (!wanted()) continue;
                    CHECK(compare_shapes(NDCONVOLVE, kinds[t], ndims[i], shapes[i], weights[k], b == 2, o));
                    if (b == GA_BORDER_CONSTANT)
                        CHECK(compare_shapes(CONVOLVE, kinds[t], ndims[i], shapes[i], weights[k], false, o));
                    o.origin.ndim = 1, o.origin.n[0] = -1;
                    if (k == 0) CHECK(compare_shapes(NDCORRELATE, kinds[t], ndims[i], shapes[i], weights[k], false, o));
                }
}

/* A pass along each axis of a picture with channels, of lines that are longer than a tile and shorter. */
static void test_passes(void)
{
    const int64_t shape[3] = { 75, 40, 3 };
    for (int t = 0; t < KINDS; t++)
        for (int axis = 0; axis < 3; axis++)
            for (int64_t n = 1; n < 100; n = 3 * n + 2) {
                options   o = options_with(GA_SAME, n == 17 ? GA_BORDER_CONSTANT : GA_BORDER_MIRROR, 4);
                ga_array *a = random_array(kinds[t], 3, shape, false), *v = random_array(kinds[t], 1, &n, false);
                o.axis = axis;
                CHECK(compare(CONVOLVE1D, a, v, o));
                ga_free(a);
                ga_free(v);
            }
}

static void test_views(void)
{
    const int64_t shape[2] = { 90, 120 }, small[2] = { 9, 12 };
    for (int t = 0; t < ALL; t++) {
        ga_array     *a = random_array(all[t], 2, shape, false), *v = random_array(all[t], 2, small, false);
        const options o     = options_with(GA_SAME, GA_BORDER_REFLECT, 0);
        ga_array *views[]   = { ga_transpose(a), ga_index(a, "::-1, 5:80:3"), ga_index(a, "1:, 1:"), ga_index(a, "::2, ::-1") };
        ga_array *weights[] = { ga_transpose(v), ga_index(v, "::-2, ::5"), ga_index(v, "1:8, 1:8") };
        ga_array *row = ga_index(a, "3:4"), *many = ga_broadcast_to(row, (50, 120));
        for (int i = 0; i < 4; i++)
            for (int k = 0; k < 3; k++) CHECK(compare(CONVOLVE2D, views[i], weights[k], o));
        CHECK(compare(NDCONVOLVE, many, v, o));
        for (int i = 0; i < 4; i++) ga_free(views[i]);
        for (int k = 0; k < 3; k++) ga_free(weights[k]);
        ga_free(row);
        ga_free(many);
        ga_free(a);
        ga_free(v);
    }
}

/* Weights that are an outer product, nearly one, of whole numbers, with a NaN, nothing but zeros. */
static ga_array *outer_product(ga_dtype dtype, int64_t rows, int64_t columns, int kind)
{
    ga_array *a = ga_empty_n(2, ((const int64_t[]){ rows, columns }), .dtype = GA_F64, .device = GA_CPU);
    double   *p = (double *)a->data;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            double y = (double)i - 3, x = (double)j - 4.5;
            p[i * columns + j] = kind == 2   ? (double)((i - 2) * (j + 1))
                                 : kind == 4 ? 0
                                             : exp(-0.1 * y * y) * exp(-0.03 * x * x);
        }
    if (kind == 1) p[rows * columns / 2] *= 1.001;
    if (kind == 3) p[5] = NAN;
    if (kind == 5) p[7] = -INFINITY;
    if (kind == 6) p[rows * columns - 1] += 1e-30;
    ga_array *r = ga_astype(a, dtype);
    ga_free(a);
    return r;
}

static void test_outer_products(void)
{
    static const int64_t sizes[][2] = { { 6, 7 }, { 15, 15 }, { 2, 300 }, { 90, 3 }, { 5, 8 } };
    for (int t = 0; t < 2; t++)
        for (int k = 0; k < 5; k++)
            for (int kind = 0; kind < 7; kind++)
                for (int b = GA_BORDER_REFLECT; b <= GA_BORDER_WRAP; b++) {
                    const int64_t shape[2] = { 50, 77 };
                    options       o = options_with(GA_FULL, (ga_border)b, b == GA_BORDER_CONSTANT && kind % 2 ? NAN : 2.5);
                    if (!wanted()) continue;
                    ga_array *a = random_array(t ? GA_F64 : GA_F32, 2, shape, kind == 2);
                    ga_array *v = outer_product(t ? GA_F64 : GA_F32, sizes[k][0], sizes[k][1], kind);
                    o.method    = GA_METHOD_AUTO;
                    CHECK(compare(NDCONVOLVE, a, v, o));
                    if (b != GA_BORDER_NEAREST && b != GA_BORDER_MIRROR) CHECK(compare(CONVOLVE2D, a, v, o));
                    ga_free(a);
                    ga_free(v);
                }
}

/* Into an array that is there, and into a view of one. */
static void test_out(void)
{
    const int64_t shape[2] = { 40, 90 }, small[2] = { 3, 3 };
    ga_array     *a = random_array(GA_F32, 2, shape, false), *v = random_array(GA_F32, 2, small, false);
    ga_array     *there = ga_to(a, GA_CUDA), *weights = ga_to(v, GA_CUDA),
             *out  = ga_zeros((40, 90), .dtype = GA_F32, .device = GA_CUDA);
    ga_array *wide = ga_zeros((80, 90), .device = GA_CUDA), *part = ga_index(wide, "::2"), *right = ga_ndconvolve(a, v);
    CHECK(ga_ndconvolve(there, weights, .out = out) == out && test_same_on_gpu(right, out));
    CHECK(ga_ndconvolve(there, weights, .out = part) == part && ga_array_equal(right, part));
    CHECK(ga_ndconvolve(there, weights, .out = there) == there && test_same_on_gpu(right, there));
    ga_array *all_of_them[] = { a, v, there, weights, out, part, wide, right };
    for (int i = 0; i < 8; i++) ga_free(all_of_them[i]);
}

/* Through Fourier transforms: near what is computed directly (on the CPU FFTW may make them). */
static void test_fft(void)
{
    static const int64_t weights[][2] = { { 5, 4 }, { 1, 6 }, { 7, 1 }, { 40, 80 } };
    for (int d = GA_F32; d <= GA_C128; d++)
        for (int k = 0; k < 4; k++)
            ga_scope {
                const int64_t shape[2] = { 30, 50 };
                ga_array *a = random_array((ga_dtype)d, 2, shape, false), *v = random_array((ga_dtype)d, 2, weights[k], false);
                ga_array *there = ga_to(a, GA_CUDA), *filter = ga_to(v, GA_CUDA);
                const double error = d == GA_F32 || d == GA_C64 ? 2e-3 : 1e-11;
                for (int b = GA_BORDER_REFLECT; b <= GA_BORDER_WRAP; b++) {
                    options   o     = options_with(GA_SAME, (ga_border)b, 3);
                    ga_array *right = run(NDCORRELATE, a, v, o);
                    o.method        = GA_METHOD_FFT;
                    CHECK(ga_allclose(ga_to(run(NDCORRELATE, there, filter, o), GA_CPU), right, .rtol = 0, .atol = error));
                }
            }
}

int main(void)
{
    if (ga_cuda_count() == 0) {
        test_skip("there is no GPU, or this is built without CUDA", 1);
        return test_end();
    }
    test_dtypes_borders_modes();
    test_lines();
    test_tiles();
    test_dimensions();
    test_passes();
    test_views();
    test_outer_products();
    test_out();
    test_fft();
    CHECK(ga_error() == NULL);
    return test_end();
}
