/* Fourier transforms: the definition, worked examples, the same bits for a line wherever it lies, every error. */
#include "test.h"

/* ---- worked examples: NumPy's results ------------------------------------------------------------------------------ */

static void test_known(void)
{
    ga_scope {
        ga_array *a = ga_values(1, 2, 3, 4), *z = ga_fft(a);
        CHECK(z->dtype == GA_C128);
        CHECK_IS(ga_real(z), GA_F64, (4), 10, -2, -2, -2);
        CHECK_IS(ga_imag(z), GA_F64, (4), 0, 2, 0, -2);
        CHECK_IS(ga_real(ga_ifft(z)), GA_F64, (4), 1, 2, 3, 4);
        CHECK_IS(ga_real(ga_ifft(a)), GA_F64, (4), 2.5, -0.5, -0.5, -0.5);
        CHECK_IS(ga_imag(ga_ifft(a)), GA_F64, (4), 0, -0.5, 0, 0.5);
        CHECK_IS(ga_real(ga_rfft(a)), GA_F64, (3), 10, -2, -2);
        CHECK_IS(ga_irfft(ga_rfft(a)), GA_F64, (4), 1, 2, 3, 4);
        CHECK_IS(ga_hfft(ga_values(1, 2, 3)), GA_F64, (4), 8, -2, 0, -2);
        CHECK_IS(ga_real(ga_ihfft(a)), GA_F64, (3), 2.5, -0.5, -0.5);
        CHECK_IS(ga_imag(ga_ihfft(a)), GA_F64, (3), 0, -0.5, 0);

        /* cut, filled up with zeros, divided otherwise; by position as NumPy */
        CHECK_IS(ga_real(ga_fft(a, .n = 2)), GA_F64, (2), 3, -1);
        CHECK_IS(ga_real(ga_fft(a, 1)), GA_F64, (1), 1);
        CHECK_IS(ga_real(ga_fft(ga_values(1, 1), 4, 0, GA_NORM_FORWARD)), GA_F64, (4), 0.5, 0.25, 0, 0.25);
        CHECK_IS(ga_real(ga_fft(a, .norm = GA_NORM_ORTHO)), GA_F64, (4), 5, -1, -1, -1);
        CHECK_IS(ga_real(ga_ifft(z, .norm = GA_NORM_FORWARD)), GA_F64, (4), 4, 8, 12, 16);

        /* several axes */
        ga_array *m = ga_reshape(a, (2, 2)), *all = ga_fft2(m);
        CHECK_IS(ga_real(all), GA_F64, (2, 2), 10, -2, -4, 0);
        CHECK_IS(ga_real(ga_ifft2(all)), GA_F64, (2, 2), 1, 2, 3, 4);
        CHECK_IS(ga_real(ga_fftn(m, .axes = ga_axes(0))), GA_F64, (2, 2), 4, 6, -2, -2);
        CHECK_IS(ga_real(ga_fftn(m, .s = ga_axes(1))), GA_F64, (2, 1), 1, 3);
        CHECK_IS(ga_real(ga_fftn(m, .s = ga_axes(-1, 1), .axes = ga_axes(0, 1))), GA_F64, (2, 1), 4, -2);
        CHECK_IS(ga_real(ga_rfft2(m)), GA_F64, (2, 2), 10, -2, -4, 0);
        CHECK_IS(ga_irfft2(ga_rfft2(m)), GA_F64, (2, 2), 1, 2, 3, 4);
        CHECK_IS(ga_irfftn(ga_rfftn(m)), GA_F64, (2, 2), 1, 2, 3, 4);
        CHECK_IS(ga_irfftn(a, .s = ga_axes(2, 1, 4), .axes = ga_axes(0, 0, 0)), GA_F64, (4), 0.375, 0.375, 0.375, 0.375);
        CHECK_IS(ga_real(ga_ifftn(ga_fftn(m))), GA_F64, (2, 2), 1, 2, 3, 4);
        CHECK_IS(ga_real(ga_fftn(m, .axes = ga_axes())), GA_F64, (2, 2), 1, 2, 3, 4);

        CHECK_IS(ga_fftfreq(5, 0.1), GA_F64, (5), 0, 2, 4, -4, -2);
        CHECK_IS(ga_fftfreq(4), GA_F64, (4), 0, 0.25, -0.5, -0.25);
        CHECK_IS(ga_rfftfreq(5, .d = 0.1), GA_F64, (3), 0, 2, 4);
        CHECK_IS(ga_fftshift(ga_fftfreq(5, 0.2)), GA_F64, (5), -2, -1, 0, 1, 2);
        CHECK_IS(ga_ifftshift(ga_fftshift(ga_fftfreq(5, 0.2))), GA_F64, (5), 0, 1, 2, -2, -1);
        CHECK_IS(ga_fftshift(m), GA_F64, (2, 2), 4, 3, 2, 1);
        CHECK_IS(ga_fftshift(m, 1), GA_F64, (2, 2), 2, 1, 4, 3);
        CHECK_IS(ga_fftshift(m, .axes = ga_axes(0)), GA_F64, (2, 2), 3, 4, 1, 2);
    }
}

/* ---- the definition --------------------------------------------------------------------------------------------------- */

/* The largest error of a transform of n numbers, in units of what rounding leaves of their length. */
static double error_of(const ga_array *x, const ga_array *y, int64_t n, bool back)
{
    const ga_c128 *a = (const ga_c128 *)x->data, *b = (const ga_c128 *)y->data;
    double         worst = 0, length = 0;
    for (int64_t j = 0; j < n; j++) length += a[j].re * a[j].re + a[j].im * a[j].im;
    for (int64_t k = 0; k < n; k++) {
        double re = 0, im = 0;
        for (int64_t j = 0; j < n; j++) {
            const double angle = 2 * 3.14159265358979323846 * (double)(j * k % n) / (double)n * (back ? 1 : -1);
            re += a[j].re * cos(angle) - a[j].im * sin(angle);
            im += a[j].re * sin(angle) + a[j].im * cos(angle);
        }
        const double error = hypot(re / (back ? (double)n : 1) - b[k].re, im / (back ? (double)n : 1) - b[k].im);
        if (!(error <= worst)) worst = error;
    }
    return worst * (back ? (double)n : 1) / sqrt(length) / (back ? 1 : 1);
}

static ga_array *random_complex(int64_t rows, int64_t n, ga_dtype dtype)
{
    ga_array *re = ga_random_normal(0, 1, (rows, n), .seed = (uint64_t)n), *im = ga_random_normal(0, 1, (rows, n), .seed = 7);
    ga_array *z = ga_add(re, ga_multiply(im, ((ga_c128){ 0, 1 }))), *r = ga_astype(z, dtype);
    return r;
}

static void test_definition(void)
{
    static const int64_t more[] = { 120, 121, 127, 128, 143, 162, 200, 243, 256, 289, 360, 512, 521, 625, 720 };
    for (int64_t k = 1; k < 100 + (int64_t)(sizeof more / sizeof *more); k++)
        ga_scope {
            const int64_t n = k < 100 ? k : more[k - 100];
            ga_array     *x = random_complex(1, n, GA_C128), *line = test_to_cpu(ga_reshape(x, (n)));
            ga_array     *y = test_to_cpu(ga_fft(ga_reshape(x, (n)))), *back = test_to_cpu(ga_ifft(ga_reshape(x, (n))));
            CHECK(error_of(line, y, n, false) < 1e-14 && error_of(line, back, n, true) < 1e-14);
        }
}

/* How many roundings of float32 an element of a line's transform is off, in the mean. */
static double rounded_by(const ga_array *narrow, const ga_array *wide)
{
    const ga_array *off = ga_abs(ga_subtract(narrow, wide)), *size = ga_abs(wide);
    return 0x1p24 * sqrt(ga_item(ga_mean(ga_multiply(off, off))) / ga_item(ga_mean(ga_multiply(size, size))));
}

/* Real lines of lengths with the largest primes that are stages of their own: a convolution would be off by 2.7 to 3.6. */
static void test_primes(void)
{
    static const int64_t lengths[] = { 109, 113, 127, 241, 254, 381, 482, 538, 734, 993 };
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
        ga_scope {
            const int64_t n = lengths[k];
            ga_array *x = ga_astype(ga_random_normal(0, 1, (test_small() ? 10 : 64, n), .seed = 3), GA_F32), *z = ga_rfft(x);
            CHECK(rounded_by(z, ga_rfft(ga_astype(x, GA_F64))) < 2.2);
            CHECK(rounded_by(ga_irfft(z, n), ga_irfft(ga_astype(z, GA_C128), n)) < 2.2);
        }
}

/* ---- the same bits, wherever a line lies ------------------------------------------------------------------------------ */

static bool same_bits(const ga_array *a, const ga_array *b)
{
    ga_array  *x = test_to_cpu(ga_ascontiguous(a)), *y = test_to_cpu(ga_ascontiguous(b));
    const bool same =
        x->dtype == y->dtype && x->size == y->size && memcmp(x->data, y->data, (size_t)(x->size * ga_itemsize(x->dtype))) == 0;
    return same;
}

static void test_bits(void)
{
    static const int64_t lengths[] = { 1,   2,   3,   4,   5,    6,    7,    8,    9,    16,   27,  30,  45,
                                       47,  61,  62,  64,  67,   69,   77,   81,   100,  101,  109, 113, 127,
                                       131, 141, 143, 150, 163,  193,  225,  241,  256,  257,  262, 315, 360,
                                       393, 482, 603, 945, 1000, 1024, 1080, 1125, 1536, 3125, 4096 };
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
        for (int single = 0; single < 2 && (lengths[k] <= 360 || !test_small()); single++)
            ga_scope {
                const int64_t n = lengths[k];
                ga_array     *x = random_complex(19, n, single ? GA_C64 : GA_C128), *re = ga_real(x);
                ga_array     *all = ga_fft(x), *back = ga_ifft(x), *half = ga_rfft(re), *whole = ga_fft(re);
                CHECK(all->dtype == x->dtype && whole->dtype == x->dtype && ga_irfft(half, n)->dtype == re->dtype);
                CHECK(same_bits(ga_fft(ga_index(x, "3")), ga_index(all, "3")));
                CHECK(same_bits(ga_fft(ga_index(x, "::-2")), ga_index(all, "::-2")));
                for (int rows = 2; rows < 8; rows += 1 + rows / 3) { /* too few for lanes */
                    ga_array *few = ga_index(half, ":%d", rows);
                    CHECK(same_bits(ga_fft(ga_index(x, ":%d", rows)), ga_index(all, ":%d", rows)));
                    CHECK(same_bits(ga_rfft(ga_index(re, ":%d", rows)), few));
                    CHECK(same_bits(ga_irfft(few, n), ga_index(ga_irfft(half, n), ":%d", rows)));
                }
                CHECK(same_bits(ga_fft(ga_copy(ga_transpose(x)), .axis = 0), ga_transpose(all)));
                CHECK(same_bits(ga_ifft(ga_copy(ga_transpose(x)), .axis = 0), ga_transpose(back)));
                CHECK(same_bits(ga_rfft(ga_index(re, "5")), ga_index(half, "5")));
                CHECK(same_bits(ga_irfft(ga_index(half, "18"), n), ga_index(ga_irfft(half, n), "18")));
                CHECK(same_bits(ga_rfft(ga_index(re, "5"), n + 3), ga_index(ga_rfft(re, n + 3), "5")));
                CHECK(same_bits(ga_rfft(ga_copy(ga_transpose(re)), .axis = 0), ga_transpose(half)));
                CHECK(same_bits(ga_irfft(ga_copy(ga_transpose(half)), n, .axis = 0), ga_transpose(ga_irfft(half, n))));
                CHECK(same_bits(half, ga_index(whole, ":, :%lld", (long long)(n / 2 + 1))));
                /* of real numbers the others are conjugates, to the last bit */
                if (n > 2)
                    CHECK(same_bits(ga_index(whole, ":, :%lld:-1", (long long)(n / 2)),
                                    ga_conj(ga_index(whole, ":, 1:%lld", (long long)((n + 1) / 2)))));
                /* and the CPU's */
                ga_array *x0 = ga_to(x, GA_CPU), *re0 = ga_to(re, GA_CPU), *half0 = ga_to(half, GA_CPU);
                CHECK(same_bits(ga_fft(x0), all) && same_bits(ga_ifft(x0, n + 3), ga_ifft(x, n + 3)));
                CHECK(same_bits(ga_rfft(re0), half) && same_bits(ga_fft(re0), whole) && same_bits(ga_ifft(re0), ga_ifft(re)));
                CHECK(same_bits(ga_irfft(half0, n), ga_irfft(half, n)) && same_bits(ga_hfft(half0, n), ga_hfft(half, n)));
                CHECK(same_bits(ga_ihfft(re0), ga_ihfft(re)) && same_bits(ga_fft(x0, .axis = 0), ga_fft(x, .axis = 0)));
                CHECK(same_bits(ga_irfft(half0, n + 1, .axis = 0), ga_irfft(half, n + 1, .axis = 0)));
                ga_array *own = ga_copy(x);
                CHECK(ga_fft(own, .out = own) == own && same_bits(own, all));
            }
    if (test_small()) return;
    ga_scope { /* a long line alone, which threads share, and among others; and again without the kept plans */
        ga_array *x = random_complex(5, 65536, GA_C64), *all = ga_fft(x);
        CHECK(same_bits(ga_fft(ga_index(x, "2")), ga_index(all, "2")));
        ga_shutdown();
        CHECK(same_bits(ga_fft(x), all));
    }
}

/* A line of real numbers that is so long that the roots of its last step are products. */
static void test_long(void)
{
    if (test_small()) return;
    ga_scope {
        const int64_t n = 5 << 20;
        ga_array     *x = ga_random((n), .dtype = GA_F32), *half = ga_rfft(x), *all = ga_fft(ga_astype(x, GA_C64));
        ga_array     *apart = ga_abs(ga_subtract(half, ga_index(all, ":%lld", (long long)(n / 2 + 1))));
        CHECK(ga_item(ga_max(ga_index(apart, "1:"))) < 1e-6 * sqrt((double)n));
        CHECK(ga_item(ga_max(ga_abs(ga_subtract(ga_irfft(half), x)))) < 1e-6);
    }
}

/* One element of real lines: the largest give no infinity, the smallest keep their bits. */
static void test_extremes(void)
{
    static const int64_t lengths[] = { 2, 3, 4, 6, 8, 12, 16, 64, 90, 100, 1000, 2048 };
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
        for (int rows = 1; rows < 20; rows += 16) /* alone, and in lanes */
            ga_scope {
                const int64_t n   = lengths[k];
                ga_array     *one = ga_astype(ga_equal(ga_arange(0, (double)n, 1), ga_zeros((rows, 1))), GA_F64);
                ga_array     *x = ga_multiply(one, 1.5e308), *tiny = ga_multiply(one, 8.9002954340288055e-308);
                CHECK(ga_item(ga_max(ga_abs(ga_subtract(ga_divide(ga_rfft(x), 1.5e308), 1)))) < 1e-15);
                CHECK(ga_item(ga_max(ga_abs(ga_subtract(ga_divide(ga_fft(x), 1.5e308), 1)))) < 1e-15);
                CHECK(ga_item(ga_max(ga_abs(ga_subtract(ga_divide(ga_hfft(x, n), 1.5e308), 1)))) < 1e-15);
                CHECK(ga_item(ga_all(ga_equal(ga_rfft(tiny), 8.9002954340288055e-308))) == 1);
            }
}

/* ---- rounding ------------------------------------------------------------------------------------------------------------ */

/* The error of single precision, root mean square, of many lines of n random numbers, in units of what rounds 1. */
static double rounding_of(int64_t n, bool back)
{
    double error = 0;
    ga_scope {
        const int64_t lines = test_small() || TEST_ASAN ? 400 : 4000;
        ga_array     *x = ga_astype(ga_random_normal(0, 1, (lines, n)), GA_F32), *y = ga_rfft(x);
        ga_array     *rounded = back ? ga_irfft(y, n) : y,
                 *exact       = back ? ga_irfft(ga_astype(y, GA_C128), n) : ga_rfft(ga_astype(x, GA_F64));
        ga_array *off = ga_absolute(ga_subtract(ga_astype(rounded, exact->dtype), exact)), *size = ga_absolute(exact);
        error = sqrt(ga_item(ga_sum(ga_square(off))) / ga_item(ga_sum(ga_square(size)))) * 0x1p24;
    }
    return error;
}

static void test_rounding(void)
{
    static const struct {
        int64_t n;
        double  there, back;
    } most[] = { { 6, 0.85, 0.93 },  { 8, 0.79, 0.66 },  { 12, 0.95, 1.04 },  { 16, 1, 0.93 },     { 32, 1.2, 1.12 },
                 { 64, 1.33, 1.27 }, { 131, 1.6, 1.7 },  { 163, 1.75, 1.85 }, { 193, 1.75, 1.85 }, { 241, 1.85, 2.15 },
                 { 262, 1.8, 1.8 },  { 422, 1.95, 2.1 }, { 509, 3.2, 2.4 } };
    for (size_t k = 0; k < sizeof most / sizeof *most; k++) {
        CHECK(rounding_of(most[k].n, false) < most[k].there);
        CHECK(rounding_of(most[k].n, true) < most[k].back);
    }
}

/* ---- dtypes, shapes, errors --------------------------------------------------------------------------------------------- */

static void test_forms(void)
{
    ga_scope {
        CHECK(ga_fft(ga_ints(1, 2))->dtype == GA_C128 && ga_rfft(ga_greater(ga_ints(1, 2), 1))->dtype == GA_C128);
        CHECK(ga_rfft(ga_astype(ga_ints(1, 2), GA_F32))->dtype == GA_C64);
        CHECK(ga_irfft(ga_astype(ga_ints(1, 2), GA_F32))->dtype == GA_F32);
        CHECK_IS(ga_real(ga_fft(ga_ones((0)), 3)), GA_F64, (3), 0, 0, 0);
        CHECK(ga_fft(ga_ones((0, 4)))->size == 0 && ga_rfft(ga_ones((3, 0, 5)))->shape[2] == 3);
        CHECK(ga_fft2(ga_broadcast_to(ga_ones((1)), (3, 4)))->size == 12);
        ga_array *out = ga_zeros((3), .dtype = GA_C64);
        CHECK(ga_rfft(ga_values(1, 2, 3, 4), .out = out) == out);
        CHECK_IS(ga_real(out), GA_F32, (3), 10, -2, -2);
        ga_array *inf = ga_fft(ga_values(1, INFINITY));
        CHECK(isinf(ga_item(ga_real(ga_index(inf, "0")))));
    }
}

static void test_errors(void)
{
    ga_scope {
        ga_array *a = ga_ones((3, 4)), *z = ga_fft(a), *empty = ga_ones((3, 0)), *number = ga_scalar(1);
        CHECK_FAILS(ga_fft(NULL), "a is NULL");
        CHECK_FAILS(ga_fft(a, .n = 0), "ga_fft of 0 elements: give it 1 or more, and at most 2^40");
        CHECK_FAILS(ga_fft(a, -3), "ga_fft of -3 elements");
        CHECK_FAILS(ga_fftfreq(INT64_MAX), "give 1 or more, and at most 2^46");
        CHECK_FAILS(ga_fft(empty), "ga_fft of 0 elements");
        CHECK_FAILS(ga_irfft(ga_index(z, ":, :1")), "ga_irfft of 0 elements");
        CHECK_FAILS(ga_fft(number), "there is no axis -1: the array has no dimensions");
        CHECK_FAILS(ga_fft(a, .axis = 2), "there is no axis 2");
        CHECK_FAILS(ga_fft(a, .norm = (ga_fft_norm)3), ".norm = 3 is none: use GA_NORM_BACKWARD");
        CHECK_FAILS(ga_rfft(z), "ga_rfft takes real numbers, and a is complex128: use ga_fft, or ga_real first");
        CHECK_FAILS(ga_ihfft(z), "ga_ihfft takes real numbers");
        CHECK_FAILS(ga_rfftn(z), "ga_rfftn takes real numbers, and a is complex128: use ga_fftn");
        CHECK_FAILS(ga_fft(a, .out = a), "the result is complex128 and does not go into .out of float64");
        CHECK_FAILS(ga_fft(a, .out = ga_fft(a, 3)), ".out has shape (3, 3), the result (3, 4)");
        CHECK_FAILS(ga_fftn(a, .s = ga_axes(2, 2, 2)), ".s has 3 lengths for 3 axes, and a has 2");
        CHECK_FAILS(ga_fft2(a, .s = ga_axes(2)), ".s has 1 lengths for 2 axes");
        CHECK_FAILS(ga_fftn(a, .axes = ga_axes(5)), "there is no axis 5");
        CHECK_FAILS(ga_fft2(ga_ones((3))), "there is no axis -2");
        CHECK_FAILS(ga_rfftn(a, .axes = ga_axes()), "ga_rfftn needs an axis at least");
        CHECK_FAILS(ga_fftn(a, .s = ga_axes(0, 1)), "ga_fftn of 0 elements");
        CHECK_FAILS(ga_fftfreq(0), "frequencies of 0 elements: give 1 or more");
        CHECK_FAILS(ga_fftshift(a, 3), "there is no axis 3");
        CHECK_FAILS(ga_fft(ga_ones((3, 4), .chunks = ga_chunks(1, 4))), "ga_compute it first");
    }
}

int main(void)
{
    test_begin();
    test_known();
    test_definition();
    test_primes();
    test_bits();
    test_long();
    test_extremes();
    test_rounding();
    test_forms();
    test_errors();
    CHECK(ga_memory_stats().arrays == 0 && !ga_error());
    return test_end();
}
