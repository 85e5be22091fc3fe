/* Convolutions: NumPy's and SciPy's results, and every result bit for bit the chain of fused multiplications and additions that is
   promised, whatever the shapes, the borders and the way the work is cut.
   cc tests/impl.c tests/convolve.c -lm -lpthread */
#include "test.h"

/* ---- known results: those of numpy and scipy ------------------------------------------------------------------------- */

static void test_lines(void)
{
    ga_scope {
        ga_array *a = ga_values(1, 2, 3, 4, 5), *v = ga_values(1, 2, 3, 4), *one = ga_values(2), *i = ga_ints(1, 2, 3);
        CHECK_IS(ga_keep(ga_convolve(a, v)), GA_F64, (8), 1, 4, 10, 20, 30, 34, 31, 20);
        CHECK_IS(ga_keep(ga_convolve(v, a, .mode = GA_FULL)), GA_F64, (8), 1, 4, 10, 20, 30, 34, 31, 20);
        CHECK_IS(ga_keep(ga_convolve(a, v, .mode = GA_SAME)), GA_F64, (5), 4, 10, 20, 30, 34);
        CHECK_IS(ga_keep(ga_convolve(v, a, .mode = GA_SAME)), GA_F64, (5), 4, 10, 20, 30, 34);
        CHECK_IS(ga_keep(ga_convolve(a, v, .mode = GA_VALID)), GA_F64, (2), 20, 30);
        CHECK_IS(ga_keep(ga_convolve(v, a, .mode = GA_VALID)), GA_F64, (2), 20, 30);
        CHECK_IS(ga_keep(ga_correlate(a, v)), GA_F64, (2), 30, 40);
        CHECK_IS(ga_keep(ga_correlate(v, a)), GA_F64, (2), 40, 30);
        CHECK_IS(ga_keep(ga_correlate(a, v, .mode = GA_SAME)), GA_F64, (5), 11, 20, 30, 40, 26);
        CHECK_IS(ga_keep(ga_correlate(v, a, .mode = GA_SAME)), GA_F64, (5), 26, 40, 30, 20, 11);
        CHECK_IS(ga_keep(ga_correlate(a, v, .mode = GA_FULL)), GA_F64, (8), 4, 11, 20, 30, 40, 26, 14, 5);
        CHECK_IS(ga_keep(ga_convolve(a, one)), GA_F64, (5), 2, 4, 6, 8, 10);
        CHECK_IS(ga_keep(ga_convolve(ga_scalar(3), ga_scalar(4))), GA_I64, (1), 12); /* numbers are lines of one */
        CHECK_IS(ga_keep(ga_convolve(i, i)), GA_I64, (5), 1, 4, 10, 12, 9);
        CHECK_IS(ga_keep(ga_convolve(i, a)), GA_F64, (7), 1, 4, 10, 16, 22, 22, 15);
        CHECK_IS(ga_keep(ga_convolve(ga_index(a, "::-2"), ga_index(v, ":2"))), GA_F64, (4), 5, 13, 7, 2);
        ga_array *bytes = ga_astype(ga_ints(200, 100), GA_U8), *signs = ga_astype(ga_ints(-1), GA_I8),
                 *truths = ga_astype(i, GA_BOOL);
        CHECK_IS(ga_keep(ga_convolve(bytes, bytes)), GA_U8, (3), 64, 64, 16); /* they wrap */
        CHECK_IS(ga_keep(ga_convolve(bytes, signs)), GA_I16, (2), -200, -100);
        CHECK_IS(ga_keep(ga_convolve(truths, truths)), GA_BOOL, (5), 1, 1, 1, 1, 1);
        /* a delta is the image again */
        CHECK(ga_array_equal(ga_convolve(a, ga_values(0, 1, 0), .mode = GA_SAME), a));
    }
}

static void test_planes(void)
{
    ga_scope {
        ga_array *a = ga_reshape(ga_arange(0.0, 12, 1), (3, 4)), *v = ga_reshape(ga_values(1, 2, 3, 4), (2, 2));
        CHECK_IS(ga_keep(ga_convolve2d(a, v)), GA_F64, (4, 5), 0, 1, 4, 7, 6, 4, 16, 26, 36, 26, 20, 56, 66, 76, 50, 24, 59, 66,
                 73, 44);
        CHECK_IS(ga_keep(ga_convolve2d(a, v, .mode = GA_SAME)), GA_F64, (3, 4), 0, 1, 4, 7, 4, 16, 26, 36, 20, 56, 66, 76);
        CHECK_IS(ga_keep(ga_convolve2d(a, v, .mode = GA_VALID)), GA_F64, (2, 3), 16, 26, 36, 56, 66, 76);
        CHECK_IS(ga_keep(ga_convolve2d(v, a, .mode = GA_VALID)), GA_F64, (2, 3), 16, 26, 36, 56, 66, 76);
        CHECK_IS(ga_keep(ga_correlate2d(a, v, .mode = GA_SAME)), GA_F64, (3, 4), 34, 44, 54, 24, 74, 84, 94, 40, 26, 29, 32,
                 11);
        CHECK_IS(ga_keep(ga_correlate2d(a, v, .mode = GA_VALID)), GA_F64, (2, 3), 34, 44, 54, 74, 84, 94);
        CHECK_IS(ga_keep(ga_correlate2d(v, a, .mode = GA_VALID)), GA_F64, (2, 3), 94, 84, 74, 54, 44, 34);
        CHECK_IS(ga_keep(ga_convolve2d(a, v, .mode = GA_SAME, .boundary = GA_BOUNDARY_WRAP)), GA_F64, (3, 4), 74, 60, 70, 80,
                 30, 16, 26, 36, 70, 56, 66, 76);
        CHECK_IS(ga_keep(ga_convolve2d(a, v, .mode = GA_SAME, .boundary = GA_BOUNDARY_SYMM)), GA_F64, (3, 4), 0, 4, 14, 24, 12,
                 16, 26, 36, 52, 56, 66, 76);
        CHECK_IS(ga_keep(ga_convolve2d(a, v, .mode = GA_SAME, .fillvalue = 1)), GA_F64, (3, 4), 9, 8, 11, 14, 10, 16, 26, 36,
                 26, 56, 66, 76);
        ga_array *z                        = ga_astype(ga_ones((1, 1)), GA_C64);
        ((ga_c64 *)ga_data(z, GA_C64))->im = 2; /* 1 + 2i */
        ga_array *product                  = ga_to(ga_correlate2d(z, z), GA_CPU);
        CHECK(product->dtype == GA_C64 && ((ga_c64 *)ga_data(product, GA_C64))->re == 5 &&
              ((ga_c64 *)ga_data(product, GA_C64))->im == 0);
    }
}

static void test_images(void)
{
    ga_scope {
        ga_array *a = ga_arange(0.0, 5, 1), *w = ga_values(1, 2, 3, 4);
        CHECK_IS(ga_keep(ga_ndconvolve(a, w)), GA_F64, (5), 4, 10, 20, 29, 35);
        CHECK_IS(ga_keep(ga_ndcorrelate(a, w)), GA_F64, (5), 5, 11, 20, 30, 36);
        CHECK_IS(ga_keep(ga_ndconvolve(a, w, .border = GA_BORDER_CONSTANT, .cval = 2)), GA_F64, (5), 12, 10, 20, 27, 30);
        CHECK_IS(ga_keep(ga_ndconvolve(a, w, .border = GA_BORDER_NEAREST)), GA_F64, (5), 4, 10, 20, 29, 36);
        CHECK_IS(ga_keep(ga_ndconvolve(a, w, .border = GA_BORDER_MIRROR)), GA_F64, (5), 8, 10, 20, 28, 32);
        CHECK_IS(ga_keep(ga_ndconvolve(a, w, .border = GA_BORDER_WRAP)), GA_F64, (5), 20, 10, 20, 25, 25);
        CHECK_IS(ga_keep(ga_ndcorrelate(a, w, .border = GA_BORDER_WRAP)), GA_F64, (5), 15, 15, 20, 30, 20);
        ga_array *m = ga_reshape(ga_arange(0.0, 6, 1), (2, 3)), *k = ga_values(1, 10);
        CHECK_IS(ga_keep(ga_convolve1d(m, k)), GA_F64, (2, 3), 1, 12, 22, 34, 45, 55);
        CHECK_IS(ga_keep(ga_convolve1d(m, k, .axis = 0)), GA_F64, (2, 3), 3, 14, 25, 33, 44, 55);
        CHECK_IS(ga_keep(ga_correlate1d(m, k, .axis = -2, .origin = -1)), GA_F64, (2, 3), 30, 41, 52, 33, 44, 55);
        /* integers: through float64, without their fractions; NumPy's and SciPy's dtypes */
        ga_array *i = ga_astype(ga_ints(1, 2, 3, 4), GA_I32), *thirds = ga_full((3), 1.0 / 3);
        CHECK_IS(ga_keep(ga_ndconvolve(i, thirds)), GA_I32, (4), 1, 2, 3, 3);
        CHECK_IS(ga_keep(ga_ndconvolve(ga_astype(i, GA_BOOL), thirds)), GA_BOOL, (4), 1, 1, 1, 1);
        CHECK_IS(ga_keep(ga_ndconvolve(ga_astype(ga_ints(0, 250, 255), GA_U8), ga_ones((1)), .border = GA_BORDER_CONSTANT)),
                 GA_U8, (3), 0, 250, 255);
        ga_array *c = ga_ndconvolve(ga_astype(i, GA_F32), ga_astype(thirds, GA_C64));
        CHECK(c && c->dtype == GA_C64 && ga_allclose(ga_real(c), ga_ndconvolve(ga_astype(i, GA_F32), thirds)));
    }
}

/* ---- every result is the chain that is promised -------------------------------------------------------------------------- */

static int64_t outside(int64_t i, int64_t n, ga_border border) /* -1: the constant */
{
    if (i >= 0 && i < n) return i;
    switch (border) {
    case GA_BORDER_CONSTANT: return -1;
    case GA_BORDER_NEAREST: return i < 0 ? 0 : n - 1;
    case GA_BORDER_WRAP: return (i % n + n) % n;
    case GA_BORDER_MIRROR:
        while (n > 1 && (i < 0 || i >= n)) i = i < 0 ? -i : 2 * n - 2 - i;
        return n > 1 ? i : 0;
    default:
        while (i < 0 || i >= n) i = i < 0 ? -1 - i : 2 * n - 1 - i;
        return i;
    }
}

/* The correlation of a and w (3-D, packed, float32 or float64), one fma after the other, from element `offset` on. */
static ga_array *chains(const ga_array *a, const ga_array *w, const int64_t *result, const int64_t *offset, ga_border border,
                        double cval)
{
    const bool single = a->dtype == GA_F32;
    ga_array  *out    = ga_empty((result[0], result[1], result[2]), .dtype = a->dtype, .device = GA_CPU);
    int64_t    n      = 0;
    for (int64_t z = 0; z < result[0]; z++)
        for (int64_t y = 0; y < result[1]; y++)
            for (int64_t x = 0; x < result[2]; x++, n++) {
                double  sum   = 0;
                bool    first = true;
                int64_t k     = 0;
                for (int64_t p = 0; p < w->shape[0]; p++)
                    for (int64_t q = 0; q < w->shape[1]; q++)
                        for (int64_t r = 0; r < w->shape[2]; r++, k++, first = false) {
                            int64_t i     = outside(z + p + offset[0], a->shape[0], border),
                                    j     = outside(y + q + offset[1], a->shape[1], border);
                            int64_t l     = outside(x + r + offset[2], a->shape[2], border),
                                    at    = (i * a->shape[1] + j) * a->shape[2] + l;
                            bool constant = i < 0 || j < 0 || l < 0;
                            if (single) {
                                float e = constant ? (float)cval : ((const float *)a->data)[at],
                                      f = ((const float *)w->data)[k];
                                sum     = first ? (double)(f * e) : (double)fmaf(f, e, (float)sum);
                            } else {
                                double e = constant ? cval : ((const double *)a->data)[at], f = ((const double *)w->data)[k];
                                sum = first ? f * e : fma(f, e, sum);
                            }
                        }
                if (single) ((float *)out->data)[n] = (float)sum;
                else ((double *)out->data)[n] = sum;
            }
    return out;
}

static ga_array *wild(ga_dtype dtype, int64_t n, uint64_t seed, bool specials) /* some zeros of both signs, inf and NaN */
{
    ga_array *x = ga_random_normal(0, 10, (n), .seed = seed, .device = GA_CPU);
    double   *p = (double *)x->data;
    for (int64_t i = 0; i < n && specials; i += 97)
        p[i] = i % 5 == 0 ? -0.0 : i % 5 == 1 ? 0.0 : i % 5 == 2 ? INFINITY : i % 5 == 3 ? NAN : 1e-310;
    ga_array *r = ga_astype(x, dtype);
    ga_free(x);
    return r;
}

static void check_chain(ga_dtype dtype, const int64_t *n, const int64_t *k, ga_border border, int way)
{
    ga_scope {
        ga_array *a = ga_reshape(wild(dtype, n[0] * n[1] * n[2], 1, way % 2 == 1), (n[0], n[1], n[2]));
        ga_array *w = ga_reshape(wild(dtype, k[0] * k[1] * k[2], 2, false), (k[0], k[1], k[2]));
        ga_array *x = ga_to(a, ga_get_device()), *v = ga_to(w, ga_get_device()), *want, *got;
        int64_t   result[3], offset[3];
        bool      fits = true;
        for (int d = 0; d < 3; d++) {
            result[d] = way == 2 ? n[d] + k[d] - 1 : way == 3 ? n[d] - k[d] + 1 : n[d];
            offset[d] = way == 2 ? 1 - k[d] : way == 3 ? 0 : -(k[d] / 2);
            fits      = fits && result[d] > 0;
        }
        if (way < 2) {
            got = ga_ndcorrelate(x, v, .border = border, .cval = 1.5, .method = GA_METHOD_DIRECT);
        } else if (fits && w->size <= a->size) {
            got    = ga_correlate(x, v, .mode = way == 2 ? GA_FULL : GA_VALID, .method = GA_METHOD_DIRECT);
            border = GA_BORDER_CONSTANT;
        } else {
            got = NULL;
        }
        if (got) {
            want = chains(a, w, result, offset, border, way < 2 ? 1.5 : 0);
            if (!CHECK(test_same_bits(got, want)))
                printf("     %s, shape %lld %lld %lld, weights %lld %lld %lld, border %d, way %d\n", ga_dtype_name(dtype),
                       (long long)n[0], (long long)n[1], (long long)n[2], (long long)k[0], (long long)k[1], (long long)k[2],
                       (int)border, way);
        } else {
            CHECK(way >= 2 && !ga_error());
        }
    }
}

static void test_chains(void)
{
    /* tiles, lines, narrow and flat images, colours, planes; weights larger than the image; parts of many weights */
    static const int64_t cases[][6] = {
        { 1, 1, 1, 1, 1, 1 },   { 1, 1, 300, 1, 1, 7 },   { 1, 1, 2000, 1, 1, 1 },  { 1, 1, 700, 1, 1, 900 },
        { 1, 70, 90, 1, 3, 3 }, { 1, 70, 90, 1, 5, 4 },   { 1, 67, 131, 1, 15, 2 }, { 1, 40, 64, 1, 2, 9 },
        { 1, 300, 3, 1, 5, 3 }, { 1, 3, 300, 1, 3, 15 },  { 1, 90, 40, 1, 11, 1 },  { 1, 90, 40, 1, 1, 11 },
        { 20, 30, 3, 5, 3, 1 }, { 20, 30, 3, 1, 9, 1 },   { 6, 20, 80, 3, 3, 3 },   { 4, 5, 6, 3, 1, 5 },
        { 9, 40, 70, 4, 1, 1 }, { 1, 5, 6, 1, 30, 31 },   { 3, 2, 4, 9, 7, 1 },     { 1, 80, 70, 1, 45, 3 },
        { 1, 6, 33, 1, 3, 3 },  { 1, 4, 1200, 1, 34, 1 },
    };
    const size_t count = sizeof cases / sizeof *cases;
    for (size_t i = 0; i < count; i++)
        for (int way = 0; way < 4; way++)
            for (int single = 0; single < 2; single++)
                check_chain(single ? GA_F32 : GA_F64, cases[i], cases[i] + 3, (ga_border)((i + (size_t)way) % 5), way);
}

/* ---- integers, complex numbers, methods, results ------------------------------------------------------------------------- */

static void test_dtypes(void)
{
    for (int d = GA_BOOL; d < TEST_DTYPES; d++)
        ga_scope {
            const ga_dtype dtype = (ga_dtype)d;
            ga_array      *a     = ga_astype(ga_random_integers(0, 3, (23, 45), .seed = 1), dtype),
                     *v          = ga_astype(ga_random_integers(0, 3, (5, 4), .seed = 2), dtype);
            ga_array *wide       = ga_convolve2d(ga_astype(a, GA_F64), ga_astype(v, GA_F64), .method = GA_METHOD_DIRECT);
            ga_array *got = ga_convolve2d(a, v, .method = GA_METHOD_DIRECT), *want = ga_astype(wide, dtype);
            CHECK(got && got->dtype == dtype && ga_array_equal(got, want)); /* small whole numbers: exact in all */
            ga_array *t = ga_transpose(ga_convolve2d(ga_transpose(a), ga_transpose(v)));
            CHECK(t && ga_array_equal(t, want)); /* strides */
            got = ga_ndconvolve(a, v, .border = GA_BORDER_WRAP);
            CHECK(got && got->dtype == dtype && ga_same_shape(got, a));
        }
}

static void test_complex(void)
{
    ga_scope {
        ga_array *re = ga_random_normal(0, 1, (30, 40), .seed = 1), *im = ga_random_normal(0, 1, (30, 40), .seed = 2);
        ga_array *i = ga_astype(ga_ones((1)), GA_C128), *unit = ga_zeros((1), .dtype = GA_C128, .device = GA_CPU);
        ((ga_c128 *)unit->data)->im = 1;
        unit                        = ga_to(unit, i->device);
        ga_array *a = ga_add(re, ga_multiply(im, unit)), *v = ga_index(a, "4:7, 9:14");
        ga_array *vr = ga_real(v), *vi = ga_imag(v), *got = ga_convolve2d(a, v);
        CHECK(ga_allclose(ga_real(got), ga_subtract(ga_convolve2d(re, vr), ga_convolve2d(im, vi))));
        CHECK(ga_allclose(ga_imag(got), ga_add(ga_convolve2d(re, vi), ga_convolve2d(im, vr))));
        CHECK(ga_allclose(ga_correlate2d(a, v), ga_convolve2d(a, ga_conj(ga_flip(v)))));
        CHECK(ga_allclose(ga_correlate(a, v), ga_correlate2d(a, v)));
        CHECK(ga_allclose(ga_ndcorrelate(a, v, .border = GA_BORDER_NEAREST),
                          ga_ndconvolve(a, ga_conj(ga_flip(v)), .border = GA_BORDER_NEAREST)));
    }
}

static void test_outer_products(void)
{
    ga_scope {
        ga_array *g = ga_random((15), .seed = 4), *h = ga_random((9), .seed = 5),
                 *a = ga_random_normal(0, 1, (50, 70), .seed = 6);
        ga_array *k = ga_multiply(ga_reshape(g, (15, 1)), ga_reshape(h, (1, 9)));
        for (int border = GA_BORDER_REFLECT; border <= GA_BORDER_WRAP; border++) {
            ga_array *direct = ga_ndconvolve(a, k, .border = (ga_border)border, .cval = 3, .method = GA_METHOD_DIRECT);
            ga_array *passes = ga_ndconvolve(a, k, .border = (ga_border)border, .cval = 3);
            CHECK(ga_allclose(direct, passes, .rtol = 1e-13, .atol = 1e-13));
        }
        CHECK(ga_allclose(ga_convolve2d(a, k), ga_convolve2d(a, k, .method = GA_METHOD_DIRECT), .rtol = 1e-13, .atol = 1e-13));
        ga_array *f = ga_astype(a, GA_F32), *q = ga_astype(k, GA_F32);
        CHECK(ga_allclose(ga_convolve2d(f, q), ga_convolve2d(f, q, .method = GA_METHOD_DIRECT), .rtol = 1e-5, .atol = 1e-5));
        /* whole numbers stay exact: they are taken apart only where that is exact */
        ga_array *b     = ga_multiply(ga_reshape(ga_values(1, 6, 15, 20, 15, 6, 1), (7, 1)), ga_values(1, 6, 15, 20, 15, 6, 1));
        ga_array *whole = ga_rint(ga_multiply(a, 100));
        CHECK(ga_array_equal(ga_convolve2d(whole, b), ga_convolve2d(whole, b, .method = GA_METHOD_DIRECT)));
        CHECK(ga_array_equal(ga_convolve2d(whole, ga_ones((9, 9))),
                             ga_convolve2d(whole, ga_ones((9, 9)), .method = GA_METHOD_DIRECT)));
        /* one weight that does not fit is enough */
        ga_array *almost = ga_copy(k);
        CHECK(ga_copyto(ga_index(almost, "7, 3"), 2));
        CHECK(ga_array_equal(ga_convolve2d(a, almost), ga_convolve2d(a, almost, .method = GA_METHOD_DIRECT)));
    }
}

static void test_fft(void)
{
    static const int64_t cases[][4] = { { 1, 300, 1, 70 }, { 40, 50, 11, 12 }, { 5, 6, 30, 31 },
                                        { 300, 20, 1, 9 }, { 20, 300, 9, 1 },  { 700, 700, 40, 3 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int d = GA_F32; d < TEST_DTYPES; d++)
            ga_scope {
                const ga_dtype dtype = (ga_dtype)d;
                const double   error = dtype == GA_F32 || dtype == GA_C64 ? 2e-3 : 1e-11;
                ga_array      *a     = ga_astype(ga_random_normal(0, 1, (cases[i][0], cases[i][1]), .seed = 1), dtype);
                ga_array      *v     = ga_astype(ga_random_normal(0, 1, (cases[i][2], cases[i][3]), .seed = 2), dtype);
                for (int border = GA_BORDER_REFLECT; border <= GA_BORDER_WRAP; border++)
                    CHECK(ga_allclose(ga_ndcorrelate(a, v, .border = (ga_border)border, .cval = 2, .method = GA_METHOD_FFT),
                                      ga_ndcorrelate(a, v, .border = (ga_border)border, .cval = 2, .method = GA_METHOD_DIRECT),
                                      .rtol = 0, .atol = error));
                CHECK(ga_allclose(ga_convolve(a, v, .method = GA_METHOD_FFT), ga_convolve(a, v, .method = GA_METHOD_DIRECT),
                                  .rtol = 0, .atol = error));
            }
    ga_scope {
        ga_array *i = ga_random_integers(-9, 9, (500), .seed = 1), *k = ga_random_integers(-9, 9, (60), .seed = 2);
        CHECK(ga_array_equal(ga_convolve(i, k, .method = GA_METHOD_FFT), ga_convolve(i, k))); /* rounded to whole numbers */
        ga_array *nan = ga_ones((4000)), *many = ga_ones((3000));
        CHECK(ga_copyto(ga_index(nan, "7"), NAN) &&
              ga_item(ga_count_nonzero(ga_isnan(ga_convolve(nan, many)))) == 3000); /* stays where it is */
    }
}

static void test_out(void)
{
    ga_scope {
        ga_array *a = ga_random_normal(0, 1, (40, 50), .seed = 1), *k = ga_random_normal(0, 1, (3, 4), .seed = 2),
                 *want = ga_ndconvolve(a, k);
        ga_array *out = ga_zeros((40, 50)), *every = ga_index(ga_zeros((80, 50)), "::-2"),
                 *single = ga_zeros((40, 50), .dtype = GA_F32);
        CHECK(ga_ndconvolve(a, k, .out = out) == out && ga_array_equal(out, want));
        CHECK(ga_ndconvolve(a, k, .out = every) == every && ga_array_equal(every, want));
        CHECK(ga_ndconvolve(a, k, .out = single) == single && ga_array_equal(single, ga_astype(want, GA_F32)));
        ga_array *b = ga_copy(a), *turned = ga_flip(b);
        CHECK(ga_ndconvolve(b, k, .out = b) == b && ga_array_equal(b, want)); /* onto itself */
        CHECK(ga_copyto(b, a) && ga_ndconvolve(b, k, .out = turned) == turned && ga_array_equal(turned, want));
        CHECK(ga_copyto(b, a) && ga_convolve2d(b, k, .mode = GA_SAME, .out = b) == b &&
              ga_array_equal(b, ga_convolve2d(a, k, .mode = GA_SAME)));
        ga_array *line = ga_arange(0.0, 100, 1), *part = ga_index(line, ":50"), *rest = ga_index(line, "50:");
        ga_array *sums = ga_convolve(part, ga_values(1, 1, 1), .mode = GA_SAME);
        CHECK(ga_convolve(part, ga_values(1, 1, 1), .mode = GA_SAME, .out = rest) == rest && ga_array_equal(rest, sums));
        ga_array *empty = ga_zeros((0, 5)), *nothing = ga_ndconvolve(empty, k);
        CHECK(nothing && nothing->shape[0] == 0 && nothing->shape[1] == 5);
        CHECK(ga_ndconvolve(ga_zeros((3, 0)), ga_ones((2, 2)), .border = GA_BORDER_MIRROR) != NULL);
    }
    CHECK(ga_memory_stats().arrays == 0);
}

int main(void)
{
    test_begin();
    test_lines();
    test_planes();
    test_images();
    test_chains();
    test_dtypes();
    test_complex();
    test_outer_products();
    test_fft();
    test_out();
    return test_end();
}
