/*  bits.c -- prints one hash of the results of every kind of operation. It must be the same for every compiler, optimisation level,
    instruction set (GPUARR_ISA) and number of threads (GPUARR_NUM_THREADS), and on the GPU (GPUARR_TEST_DEVICE=cuda); tests/run.sh
    compares. NaN counts as one value.                                                                                      */
#ifndef GPUARR_IMPLEMENTATION
#define GPUARR_KERNELS
#endif
#include "test.h"

#include "moments.h"

/* ---- formulas of one's own -------------------------------------------------------------------------------------------------- */

GA_ELEMENTWISE(wave, double, (double x, double y), GA_SIN(x) * GA_EXP(-0.001 * y * y) + x * y)
GA_ELEMENTWISE(wave32, float, (float x, float y), GA_SIN(x) * GA_EXP(-0.001f * y * y) + x * y)
GA_ELEMENTWISE(polar, void, (double x, float y, double *r, float *phi, int8_t *quadrant), {
    *r        = GA_HYPOT(x, y);
    *phi      = (float)GA_ARCTAN2(y, x);
    *quadrant = (int8_t)((x < 0) + 2 * (y < 0));
})
GA_ELEMENTWISE(along, double, (double x), x / 3 + (double)GA_INDEX * 0.1)
GA_ELEMENTWISE(orbit, int, (ga_c64 z), {
    float x = 0, y = 0;
    int   n = 0;
    while (n < 50 && x * x + y * y < 4) {
        float more = x * x - y * y + z.re;
        y          = 2 * x * y + z.im;
        x          = more;
        n++;
    }
    return n;
})
GA_ELEMENTWISE_T(blend, REAL, T, (T x, T y), (T)(x / 2 + y / 2))

GA_REDUCTION(length, double, (double x), double, 0, x *x, a + b, GA_SQRT(a))
GA_REDUCTION(mixed, float, (float x, double w), float, 0, (float)(GA_SIN(w) * x), a + b, a / (float)n)
GA_REDUCTION(parity, uint32_t, (uint32_t x), uint32_t, 0, x *(uint32_t)(2 * GA_INDEX + 1), a ^ b, a)
GA_REDUCTION(spread, double, (double x), moments, moments_of(0, 0), moments_of(1, x), joined(a, b), a.m2 / a.n)

GA_STENCIL(heat, (1, 1), double, (double a),
           GA_AT(0, 0) + a * (GA_AT(-1, 0) + GA_AT(1, 0) + GA_AT(0, -1) + GA_AT(0, 1) - 4 * GA_AT(0, 0)))
GA_STENCIL(bend, (2), float, (void), GA_SIN(GA_AT(-2)) * 0.3f + GA_AT(0) * GA_AT(1) - GA_EXP(-GA_AT(2) * GA_AT(2)))
GA_STENCIL(cells, (1, 1), uint8_t, (void), {
    int n = -GA_AT(0, 0);
    for (int i = -1; i <= 1; i++)
        for (int j = -1; j <= 1; j++) n += GA_AT(i, j);
    return n == 3 || (n == 2 && GA_AT(0, 0));
})
GA_STENCIL(blur, (1, 1, 1), double, (void),
           (GA_AT(-1, 0, 0) + GA_AT(1, 0, 0) + GA_AT(0, -1, 0) + GA_AT(0, 1, 0) + GA_AT(0, 0, -1) + GA_AT(0, 0, 1)) / 6)

/* ---- the hash --------------------------------------------------------------------------------------------------------------- */

static uint64_t hash = 1469598103934665603u;

static void add_bytes(const void *p, size_t n)
{
    const unsigned char *c = (const unsigned char *)p;
    for (size_t i = 0; i < n; i++) hash = (hash ^ c[i]) * 1099511628211u;
}

static void add_elements(const ga_array *a)
{
    ga_array *packed = test_to_cpu(a);
    if (!packed) {
        printf("FAIL %s\n", ga_error());
        exit(1);
    }
    add_bytes(packed->data, (size_t)(packed->size * ga_itemsize(packed->dtype)));
    ga_free(packed);
}

static const char *only; /* argv[1]: print the hash after each step, to find a difference */

static void add(const char *what, ga_array *a)
{
    if (!a) {
        printf("FAIL %s: %s\n", what, ga_error() ? ga_error() : "no result");
        exit(1);
    }
    const bool complex = a->dtype == GA_C64 || a->dtype == GA_C128;
    if (complex || a->dtype == GA_F32 || a->dtype == GA_F64) { /* every NaN is the same */
        ga_array *packed = ga_flatten(a),
                 *parts  = ga_view_as(packed, a->dtype == GA_F32 || a->dtype == GA_C64 ? GA_F32 : GA_F64);
        ga_array *nan = ga_isnan(parts), *same = ga_where(nan, 12345, parts);
        add_elements(same);
        ga_free(nan);
        ga_free(same);
        ga_free(parts);
        ga_free(packed);
    } else {
        add_elements(a);
    }
    ga_free(a);
    if (only) printf("%016llx %s\n", (unsigned long long)hash, what);
}

/* Numbers of every size, from ordinary to infinite. */
static ga_array *numbers(ga_dtype d, int64_t n, uint64_t seed)
{
    ga_array *result = NULL;
    ga_scope {
        if (d == GA_F32 || d == GA_F64) {
            ga_array *bits  = ga_view_as(ga_random_integers(0, INT64_MAX, (n), .seed = seed), GA_U64);
            ga_array *wild  = ga_view_as(ga_copy(bits), GA_F64);
            ga_array *tame  = ga_random_normal(0, 10, (n), .seed = seed + 1);
            ga_array *third = ga_equal(ga_remainder(ga_arange(0, n, 1), 3), 0);
            result          = ga_keep(ga_astype(ga_where(third, wild, tame), d));
        } else {
            result = ga_keep(ga_astype(ga_random_integers(-100, 100, (n), .seed = seed), d));
        }
    }
    return result;
}

static void add_linear(const ga_array *given) /* on the CPU, wherever it is */
{
    ga_array *a = ga_to(given, GA_CPU), *r[4] = { NULL, NULL, NULL, NULL }, *square = ga_matmul(a, ga_conj(ga_transpose(a)));
    add("inv", ga_inv(a));
    add("solve", ga_solve(a, ga_index(a, ":, :1")));
    add("det", ga_det(a));
    add("cholesky", ga_cholesky(square));
    add("q", ga_qr(a, &r[0], &r[1]) ? r[0] : NULL);
    add("r", r[1]);
    add("w", ga_eigh(square, &r[0], &r[1]) ? r[0] : NULL);
    add("v", r[1]);
    add("w of any", ga_eig(a, &r[0], &r[1]) ? r[0] : NULL);
    add("v of any", r[1]);
    add("w alone", ga_eigvals(a));
    add("u", ga_svd(a, &r[0], &r[1], &r[2]) ? r[0] : NULL);
    add("s", r[1]);
    add("vh", r[2]);
    add("svdvals", ga_svdvals(ga_index(a, "::2")));
}

/* On the GPU where this file is compiled for it. */
static void own_formulas(int64_t rows)
{
    ga_array *x = ga_reshape(numbers(GA_F64, rows * 1201, 11), (rows, 1201)), *back = ga_index(x, "::-1, ::-3");
    ga_array *y = ga_reshape(numbers(GA_F64, rows * 1201, 12), (rows, 1201)), *f = ga_astype(x, GA_F32),
             *mask  = ga_greater(y, 0);
    ga_array *plane = ga_astype(ga_random_normal(0, 0.7, (rows, 91, 2), .seed = 13), GA_F32), *parts[3] = { NULL, NULL, NULL };
    add("own", ga_apply(wave, (x, y)));
    add("own, views", ga_apply(wave, (back, ga_index(y, "0, ::3"))));
    add("own f32", ga_apply(wave32, (f, 0.5)));
    add("own f32, tame", ga_apply(wave32, (ga_random((rows, 7), .seed = 4), 3)));
    add("own, where", ga_apply(wave, (x, 2), .where = mask));
    ga_apply(polar, (x, ga_astype(y, GA_F32)), .outs = parts);
    for (int i = 0; i < 3; i++) add("own, several results", parts[i]);
    add("own, index", ga_apply(along, (x)));
    add("own, index of a view", ga_apply(along, (ga_transpose(back))));
    add("own, a loop", ga_apply(orbit, (ga_squeeze(ga_view_as(plane, GA_C64)))));
    for (int i = GA_I8; i <= GA_F64; i++) {
        ga_array *a = numbers((ga_dtype)i, 5000, 14);
        add("own, for each dtype", ga_apply(blend, (a, ga_index(a, "::-1"))));
        ga_free(a);
    }
    ga_array *tame  = ga_random_normal(0, 10, (rows, 1201), .seed = 15);
    ga_array *whole = ga_astype(ga_random_integers(0, 9999, (rows, 1201), .seed = 16), GA_U32);
    for (int axis = 0; axis < 2; axis++) {
        add("own reduction", ga_reduce(length, (tame), .axis = axis));
        add("own reduction f32", ga_reduce(mixed, (f, tame), .axis = axis));
        add("own reduction, broadcast", ga_reduce(mixed, (0.1, ga_transpose(tame)), .axis = axis));
        add("own reduction, index", ga_reduce(parity, (whole), .axis = axis));
        add("own reduction, struct", ga_reduce(spread, (tame), .axis = axis));
    }
    add("own reduction of all", ga_reduce(spread, (back)));
    add("own reduction of all", ga_reduce(parity, (ga_transpose(whole)), .keepdims = true));
}

/* Stencils run on the CPU. */
static void own_stencils(int64_t rows)
{
    ga_array *x = ga_random_normal(0, 10, (rows, 257), .seed = 17), *t = ga_transpose(x), *f = ga_astype(ga_ravel(x), GA_F32);
    ga_array *life  = ga_astype(ga_greater(x, 4), GA_U8),
             *solid = ga_reshape(ga_random((rows * 330), .seed = 18), (10, rows, 33));
    for (int border = GA_BORDER_REFLECT; border <= GA_BORDER_WRAP; border++) {
        const ga_border b = (ga_border)border;
        add("own stencil", ga_stencil(heat, (x, 0.1), .border = b, .cval = 0.3));
        add("own stencil, steps", ga_stencil(heat, (t, 0.2), .border = b, .cval = 0.3, .steps = 37));
        add("own stencil f32", ga_stencil(bend, (ga_index(f, "::-2")), .border = b, .steps = 5));
        add("own stencil u8", ga_stencil(cells, (life), .border = b, .steps = 20));
        add("own stencil 3-D", ga_stencil(blur, (solid), .border = b, .steps = 3));
    }
}

int main(int argc, char **argv)
{
    only                  = argc > 1 ? argv[1] : NULL;
    const int64_t sizes[] = { 1, 7, 1025, 1023, 1024, 70001 }, rows = test_small() ? 30 : 300;
    const size_t  count = test_small() ? 3 : sizeof sizes / sizeof *sizes;
    test_begin();
    for (int i = GA_BOOL; i < TEST_DTYPES; i++) {
        const ga_dtype d = (ga_dtype)i;
        for (size_t s = 0; s < count; s++) {
            ga_array *x = numbers(d, sizes[s], 1), *y = numbers(d, sizes[s], 2), *z = numbers(d, sizes[s], 3);
            ga_array *nine = ga_index(y, ":9"), *two = ga_index(y, "-2:");
            ga_set_error_handler(ga_ignore_error, NULL); /* rows that the dtype does not have say so */
#define ADD(name, call)                                                                                                        \
    {                                                                                                                          \
        ga_array *r = call;                                                                                                    \
        if (r) add(#name, r);                                                                                                  \
        else ga_clear_error();                                                                                                 \
    }
#define GA_UNARY(name, ...)       ADD(name, ga_##name(x))
#define GA_ELEMENTARY(name, ...)  ADD(name, ga_##name(x))
#define GA_BINARY(name, ...)      ADD(name, ga_##name(x, y))
#define GA_ELEMENTARY2(name, ...) ADD(name, ga_##name(x, y))
#define GA_TERNARY(name, ...)     ADD(name, ga_##name(x, y, z))
#define GA_FOLD(name, ...)        ADD(name, ga_##name(x))
#define GA_TABLE
#include "gpuarr.h"
            static const double exponents[] = { -1, 0.5, 1.5, 2, 3, 2.25 };
            for (int k = 0; k < 6; k++) ADD(power of a number, ga_power(x, exponents[k]))
            ADD(dot, ga_dot(x, y))
            ADD(var, ga_var(x))
            ADD(nanstd, ga_nanstd(x))
            ADD(argmax, ga_argmax(x))
            ADD(cumsum, ga_cumsum(x))
            ADD(median, ga_median(x))
            ADD(sort, ga_sort(x))
            ADD(argsort, ga_argsort(x))
            ADD(convolve, ga_convolve(x, nine))
            ADD(correlate1d, ga_correlate1d(x, two, .border = GA_BORDER_MIRROR))
            for (int to = GA_BOOL; to < TEST_DTYPES; to++) ADD(astype, ga_astype(x, (ga_dtype)to))
            ga_set_error_handler(NULL, NULL);
            ga_free(x);
            ga_free(y);
            ga_free(z);
            ga_free(nine);
            ga_free(two);
        }
    }
    ga_scope { /* two dimensions, strides, broadcasting, pictures */
        ga_array *a = ga_random_normal(0, 1, (rows, 257), .seed = 5), *f = ga_astype(a, GA_F32);
        add("sum 0", ga_sum(a, .axis = 0));
        add("sum 1", ga_sum(f, .axis = 1));
        add("std 0", ga_std(f, .axis = 0));
        add("mean T", ga_mean(ga_transpose(f), .axis = 0));
        add("broadcast", ga_add(ga_index(a, "::-1, ::2"), ga_index(a, "0, ::2")));
        int64_t   stars;
        ga_array *labels = ga_label(ga_greater(a, 1), .count = &stars);
        add("label", ga_copy(labels));
        add("flux", ga_sum_labels(a, labels, NULL));
        add("center", ga_center_of_mass(a, labels, NULL));
        add("clip", ga_sigma_clip(a));
        ga_array *sky = ga_reshape(f, (257, rows)), *flux = NULL;
        add("label above", ga_label(sky, .connectivity = 2, .above = 0.8));
        add("centers", ga_center_of_mass(sky, ga_label(sky, .above = 0.5), NULL, .sums = &flux));
        add("sums", flux);
        double    low, high;
        ga_array *bright = ga_multiply(sky, ga_add(ga_square(sky), 1));
        add("clip f32", ga_sigma_clip(bright, .low = &low, .high = &high));
        ga_statistics stats = ga_describe(bright);
        add("statistics", ga_values(stats.mean, stats.median, stats.std, stats.min, stats.max));
        add("bounds", ga_values(low, high));
        add("percentiles", ga_percentile(bright, ga_values(0.1, 25, 50, 99)));
        for (int metric = GA_EUCLIDEAN; metric <= GA_COSINE; metric++) {
            ga_array *x = ga_reshape(numbers(GA_F64, 81 * 150, 8), (81, 150)), *y = ga_index(a, ":, :150");
            add("cdist", ga_cdist(x, y, .metric = (ga_metric)metric));
            add("cdist to few", ga_cdist(y, ga_index(y, ":3"), .metric = (ga_metric)metric));
            add("cdist f32", ga_cdist(ga_index(f, ":, :5"), ga_index(f, ":, 7:12"), .metric = (ga_metric)metric));
            add("pdist", ga_pdist(a, .metric = (ga_metric)metric));
            add("pdist f32", ga_pdist(f, .metric = (ga_metric)metric));
        }
        for (int border = GA_BORDER_REFLECT; border <= GA_BORDER_WRAP; border++) {
            const ga_border b = (ga_border)border;
            ga_array       *k = ga_index(a, ":9, :9"), *bell = ga_multiply(ga_index(a, ":9, :1"), ga_index(a, ":1, :9"));
            add("direct", ga_ndcorrelate(a, k, .border = b, .cval = 0.1));
            add("direct f32", ga_ndconvolve(f, ga_index(k, ":3, :3"), .border = b, .cval = 0.1));
            add("passes", ga_ndconvolve(a, bell, .border = b, .cval = 0.1));
            add("down", ga_convolve1d(f, ga_index(k, "0"), .axis = 0, .border = b));
            add("across", ga_convolve1d(a, ga_index(k, "0"), .border = b));
            ga_array *solid = ga_reshape(a, (rows / 10, 10, 257)), *rgb = ga_reshape(ga_index(f, ":, :255"), (rows, 85, 3));
            add("planes", ga_ndconvolve(solid, ga_reshape(ga_index(k, "3, :8"), (2, 2, 2)), .border = b));
            add("colours", ga_ndconvolve(rgb, ga_reshape(ga_index(k, ":5, :4"), (5, 4, 1)), .border = b));
            add("narrow", ga_ndconvolve(ga_index(f, ":, :5"), ga_index(k, ":4, :4"), .border = b));
        }
        add("full", ga_convolve2d(a, ga_index(a, ":5, :6")));
        add("valid f32", ga_convolve2d(f, ga_index(f, ":40, :3"), .mode = GA_VALID));
        for (int d = GA_BOOL; d < TEST_DTYPES; d++) {
            ga_array *x     = ga_reshape(numbers((ga_dtype)d, 71 * 290, 9), (71, 290)),
                     *y     = ga_reshape(numbers((ga_dtype)d, 290 * 75, 10), (290, 75));
            ga_array *small = ga_index(x, ":2, :75"), *t = ga_transpose(y);
            add("matmul", ga_matmul(x, y));
            add("matmul T", ga_matmul(t, ga_transpose(x)));
            add("matmul, a column", ga_matmul(x, ga_index(y, ":, 3")));
            add("matmul, a row", ga_matmul(ga_index(t, "3"), ga_transpose(x)));
            add("matmul, few rows", ga_matmul(small, t));
            add("matmul, few columns", ga_matmul(t, ga_transpose(ga_index(x, ":3"))));
            add("einsum rows", ga_einsum("ij,ij->i", (x, x)));
            add("einsum columns", ga_einsum("ij,ij->j", (x, x)));
        }
        for (int k = 0; k < 6; k++) { /* some products and sums are not normal, and some not finite */
            const ga_dtype d     = k % 2 ? GA_F32 : GA_F64;
            const double   reach = (k % 2 ? 64 : 512) + 15 * (k / 2);
            ga_array      *x     = ga_multiply(ga_subtract(ga_random((60, 5), .dtype = d, .seed = 13), 0.5), 2 * reach),
                     *y          = ga_multiply(ga_subtract(ga_random((5, 40), .dtype = d, .seed = 14), 0.5), 2 * reach);
            ga_array *left = ga_multiply(ga_exp2(x), ga_sign(ga_sin(x))), *right = ga_multiply(ga_exp2(y), ga_sign(ga_sin(y)));
            add("matmul, far apart", ga_matmul(left, right));
        }
        for (int64_t n = 20; n < 200; n += 130) { /* one block, and several */
            ga_array *x = ga_random_normal(0, 1, (n, n), .seed = 11), *im = ga_random_normal(0, 1, (n, n), .seed = 12);
            add_linear(x);
            add_linear(ga_add(x, ga_multiply(im, ((ga_c128){ 0, 1 }))));
        }
        add("uniform", ga_random((1000), .dtype = GA_F32, .seed = 7));
        add("integers", ga_random_integers(-5, 17, (1000), .seed = 7));
        add("exponential", ga_random_exponential(2, (1000), .seed = 7));
        static const double shapes[] = { 1e-3, 0.5, 1, 2.5, 1e6, 1e13 }, means[] = { 1e-3, 3, 40, 41, 1000, 1e12 };
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
            add("gamma", ga_random_gamma(shapes[k], 2, (1111), .seed = 7));
            add("beta", ga_random_beta(shapes[k], 1.5, (1111), .seed = 7));
            add("poisson", ga_random_poisson(means[k], (1111), .seed = 7));
            add("binomial", ga_random_binomial(10000000, means[k] * 1e-7 < 1 ? means[k] * 1e-7 : 0.7, (1111), .seed = 7));
        }
    }
    static const int64_t lengths[] = { 7, 61, 64, 67, 105, 256, 945, 1024, 2187, 4096, 10007, 16384 };
    for (int single = 0; single < 2; single++)
        for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
            ga_scope { /* Fourier transforms: in lanes, in blocks, convolved */
                const int64_t n    = lengths[k];
                ga_array     *x    = ga_random((18, n), .dtype = single ? GA_F32 : GA_F64, .seed = (uint64_t)n);
                ga_array     *half = ga_rfft(x);
                add("rfft", ga_copy(half));
                add("irfft", ga_irfft(half, n));
                add("fft", ga_fft(half));
                add("ifft of a line", ga_ifft(ga_index(half, "3"), .norm = GA_NORM_ORTHO));
                add("fft2", ga_fft2(x));
            }
    for (int i = GA_BOOL; i < TEST_DTYPES; i++)
        ga_scope { /* filters */
            ga_array *x = ga_reshape(numbers((ga_dtype)i, rows * 57, 8), (rows, 57)), *t = ga_transpose(x);
            add("gaussian", ga_gaussian_filter(x, 1.3));
            add("gaussian T", ga_gaussian_filter(t, 0.8, .order = ga_axes(1), .border = GA_BORDER_WRAP));
            add("sobel", ga_sobel(x, .border = GA_BORDER_CONSTANT, .cval = 2));
            add("means", ga_uniform_filter(x, 0, .sizes = ga_axes(5, 14)));
            if (i >= GA_C64) continue;
            add("least", ga_minimum_filter(x, 0, .sizes = ga_axes(3, 8)));
            add("3x3", ga_median_filter(x, 3));
            add("5x5", ga_median_filter(t, 5));
            add("network", ga_rank_filter(x, 9, 0, .border = GA_BORDER_MIRROR, .sizes = ga_axes(4, 7)));
            add("large", ga_percentile_filter(x, 30, 23));
            add("footprint", ga_median_filter(x, 0, .footprint = ga_greater(ga_random((5, 6), .seed = 9), 0.5)));
        }
#if !defined(__CUDACC__) && !defined(__CUDASIM__)
    ga_set_device(GA_CPU);
#endif
    ga_scope {
        own_formulas(rows);
    }
    ga_set_device(GA_CPU);
    ga_scope {
        own_stencils(rows);
        ga_array *tens = ga_power(ga_full((1), 10), ga_divide(ga_arange(0, 257, 1), 256)); /* where a colour begins */
        add("picture", ga_render(ga_reshape(tens, (1, 257)), .log = true));
    }
    printf("%016llx\n", (unsigned long long)hash);
    return 0;
}
