/* Rows and what is made of them: special values beside NumPy's, results in two arrays, facts about dtypes, bits, folds of some.
   cc tests/impl.c tests/numbers.c -lm -lpthread */
#ifndef GPUARR_IMPLEMENTATION
#define GPUARR_KERNELS
#endif
#include "shows.h"
#ifndef __cplusplus
#include <complex.h>
#endif

static void test_rows(void)
{
    ga_scope {
        ga_array *i8 = ga_astype(ga_ints(-128, -128, 12, 0), GA_I8), *j8 = ga_astype(ga_ints(0, 3, 18, 0), GA_I8);
        SHOWS(GA_I8, "[-128    1    6    0]", ga_gcd(i8, j8));
        SHOWS(GA_I8, "[   0 -128   36    0]", ga_lcm(i8, j8));
        SHOWS(GA_U8, "[1 1 2 0]", ga_bitwise_count(i8));
        SHOWS(GA_U8, "3", ga_bitwise_count(ga_scalar(-7)));
        ga_array *x = ga_values(1.5, -0.0, NAN, INFINITY, 0x1p-1074);
        SHOWS(GA_F64, "[ 5.e-324 -0.e+000      nan      inf  0.e+000]",
              ga_ldexp(x, -1075)); /* halves to even: of 1.5 * 2^-1075 is 2^-1074 */
        SHOWS(GA_F64, "[inf -0. nan inf inf]", ga_ldexp(x, 5000));
        SHOWS(GA_F32, "[6.]", ga_ldexp(ga_full((1), 1.5f), ga_ints(2)));
        SHOWS(GA_F64, "[1.  0.5 nan 1.  1. ]", ga_heaviside(x, 0.5));
        SHOWS(GA_F64, "[inf nan]", ga_spacing(ga_values(1.7976931348623157e308, -INFINITY)));
        CHECK(ga_item(ga_spacing(ga_scalar(-0.0))) == 0x1p-1074 && ga_item(ga_spacing(ga_scalar(-1.0))) == -0x1p-52);
        SHOWS(GA_F64, "[ 1.  0. -0.]", ga_rint(ga_sinc(ga_ints(0, 1, 2))));
        SHOWS(GA_F64, "[nan  1.]", ga_sinc(ga_values(INFINITY, 0x1p-1074)));
        SHOWS(GA_F64, "[ inf -inf  nan   4.]",
              ga_logaddexp2(ga_values(INFINITY, -INFINITY, NAN, 3), ga_values(-INFINITY, -INFINITY, 0, 3)));
        SHOWS(GA_BOOL, "[False False False  True False]", ga_isposinf(x));
        SHOWS(GA_BOOL, "[False  True]", ga_isneginf(ga_values(INFINITY, -INFINITY)));
        SHOWS(GA_BOOL, "[False False]", ga_isneginf(ga_ints(1, 2)));
        SHOWS(GA_BOOL, "[ True  True]", ga_isreal(ga_ints(1, 2)));
        SHOWS(GA_BOOL, "[False]", ga_iscomplex(ga_astype(ga_ints(1), GA_C64)));
        x = ga_ints(1, 2, 3);
        SHOWS(GA_I64, "[ 7  8 12]", ga_eval("bitwise_count(x) * x + lcm(x, 6)", (x)));
        CHECK_FAILS(ga_gcd(1.5, x), "does not exist for float64");
        CHECK_FAILS(ga_ldexp(x, ga_astype(x, GA_C64)), "does not exist for complex128");
        CHECK_FAILS(ga_logical_and(x, x, .dtype = GA_F64), "ga_logical_and does not exist for .dtype = float64");
        CHECK_FAILS(ga_eval("sqrt(x)", (x), .dtype = GA_I32), "ga_sqrt does not exist for .dtype = int32");
    }
}

static void test_two_results(void)
{
    ga_scope {
        ga_array *x = ga_values(2.5, -2.5, -0.0, INFINITY), *other = NULL;
        SHOWS(GA_F64, "[ 0. -1. -0. nan]", ga_divmod(x, 3, &other));
        SHOWS(GA_F64, "[2.5 0.5 0.  nan]", other);
        SHOWS(GA_I64, "[-1]", ga_divmod(ga_ints(-1), ga_ints(2), NULL));
        SHOWS(GA_F64, "[ 0.5 -0.5 -0.   0. ]", ga_modf(x, &other));
        SHOWS(GA_F64, "[ 2. -2. -0. inf]", other);
        SHOWS(GA_F64, "[ 0.625 -0.625 -0.       inf]", ga_frexp(x, &other));
        SHOWS(GA_I32, "[2 2 0 0]", other);
        SHOWS(GA_F64, "[0.5 0.5]", ga_frexp(ga_values(0x1p-1074, 8), &other));
        SHOWS(GA_I32, "[-1073     4]", other);
        SHOWS(GA_F64, "[0. 0.]", ga_modf(ga_ints(1, 2), NULL));
        for (int k = 0; k < 2; k++) { /* where elements lie side by side, and where they lie apart */
            const ga_dtype dtype = k ? GA_F64 : GA_F32;
            ga_array *wild = ga_multiply(ga_random_normal(0, 3, (90), .seed = 7), ga_exp2(ga_linspace(-160, 120, 90))), *apart,
                     *exponents = NULL, *wholes = NULL;
            wild =
                ga_astype(ga_concatenate((wild, ga_values(0, -0.0, INFINITY, -INFINITY, 0x1p-1074, -0x1p-1030, NAN))), dtype);
            apart = ga_index(ga_stack((wild, wild), .axis = 1), ":, 0");
            CHECK(test_same_bits(ga_frexp(wild, &exponents), ga_frexp(apart, &other)) && test_same_bits(exponents, other));
            CHECK(ga_item_int_at(exponents, -1) == 0);
            CHECK(test_same_bits(ga_modf(wild, &wholes), ga_modf(apart, &other)) && test_same_bits(wholes, other));
        }
        SHOWS(GA_F64, "[0.5  0.25]", ga_float_power(ga_ints(2, 4), -1));
        SHOWS(GA_F64, "[  0. 180.]", ga_angle(ga_ints(1, -1), .deg = true));
        ga_c64 i = { 0, 1 };
        SHOWS(GA_F32, "90.0", ga_angle(ga_scalar(i, .dtype = GA_C64), true));
        CHECK_FAILS(ga_modf(ga_astype(x, GA_C64), &other), "complex64");
        CHECK(other == NULL);
        CHECK_FAILS(ga_frexp((ga_array *)NULL, &other), "NULL");
        CHECK_FAILS(ga_frexp(ga_ones((2), .dtype = GA_C128), &other), "ga_frexp does not exist for complex128");
        CHECK_FAILS(ga_modf(ga_ones((2), .dtype = GA_C64), &other), "ga_modf does not exist for complex64");
        CHECK_FAILS(ga_divmod(x, ga_ints(1, 2), &other), "broadcast");
        SHOWS(GA_C128, "[-3.+4.j]", ga_float_power(ga_full((1), ga_complex(1, 2)), 2));
        ga_array *c = ga_full((4), 2.5, .chunks = ga_chunks(3));
        SHOWS(GA_F64, "[0.5 0.5 0.5 0.5]", ga_compute(ga_modf(c, &other)));
        SHOWS(GA_F64, "[2. 2. 2. 2.]", ga_compute(other));
        if (!getenv("GPUARR_TEST_OWN_STACK")) /* a small stack does not take so deep an expression */
            SHOWS(GA_F64, "[0.625 0.625 0.625 0.625]", ga_compute(ga_frexp(c, NULL)));
    }
}

static void test_dtypes(void)
{
    ga_scope {
        const ga_float_info f = ga_finfo(GA_F32), c = ga_finfo(GA_C128);
        CHECK(f.bits == 32 && f.eps == 0x1p-23 && f.tiny == 0x1p-126 && f.max == 3.4028234663852886e38 && f.min == -f.max);
        CHECK(f.epsneg == 0x1p-24 && f.nmant == 23 && f.maxexp == 128 && f.minexp == -126 && f.precision == 6);
        CHECK(c.bits == 64 && c.max == 1.7976931348623157e308 && c.smallest_subnormal == 0x1p-1074 && c.resolution == 1e-15);
        CHECK(ga_iinfo(GA_I8).min == -128 && ga_iinfo(GA_I8).max == 127 && ga_iinfo(GA_U64).max == UINT64_MAX);
        CHECK(ga_iinfo(GA_I64).min == INT64_MIN && ga_iinfo(GA_I64).bits == 64 && ga_iinfo(GA_U8).max == 255);
        CHECK_FAILS(ga_finfo(GA_I32).bits != 0, "int32 has no fractions: ga_iinfo");
        CHECK_FAILS(ga_iinfo(GA_F32).bits != 0, "float32 is no integer: ga_finfo");
        CHECK_FAILS(ga_iinfo(GA_BOOL).bits != 0, "bool is no integer");
        CHECK_FAILS(ga_finfo((ga_dtype)99).bits != 0, "99 is not a dtype");
        CHECK(ga_isdtype(GA_I8, "signed integer") && !ga_isdtype(GA_U8, "signed integer") && ga_isdtype(GA_U8, "integral"));
        CHECK(ga_isdtype(GA_BOOL, "bool") && !ga_isdtype(GA_BOOL, "numeric") && ga_isdtype(GA_C64, "complex floating"));
        CHECK(ga_isdtype(GA_F32, "real floating") && ga_isdtype(GA_U16, "unsigned integer"));
        CHECK_FAILS(ga_isdtype(GA_F32, "float"), "kind is \"float\"");
        ga_array *a = ga_astype(ga_ints(1, 2), GA_F32), *u = ga_astype(a, GA_U16), *i = ga_astype(a, GA_I16);
        CHECK(ga_result_type((a, 2.5)) == GA_F32 && ga_result_type((i, 2.5)) == GA_F64 && ga_result_type((u, i)) == GA_I32);
        CHECK(ga_result_type((u, i, a)) == GA_F32); /* as NumPy, which looks at all of them */
        CHECK_FAILS(ga_result_type_n(0, NULL, "here") != GA_DTYPE_DEFAULT, "there is no operand");
        ga_array *bits = ga_ints(1, 0, 1, 1, 0, 0, 0, 0, 1), *bytes = ga_packbits(bits);
        SHOWS(GA_U8, "[176 128]", ga_packbits(bits));
        SHOWS(GA_U8, "[13  1]", ga_packbits(bits, .bitorder = GA_BITS_LITTLE));
        SHOWS(GA_U8, "[1 0 1 1 0 0 0 0 1]", ga_unpackbits(bytes, .count = 9));
        SHOWS(GA_U8, "[[1 0 1]\n [1 0 0]]", ga_unpackbits(ga_reshape(bytes, (2, 1)), .axis = 1, .count = -5));
        ga_array *many   = ga_astype(ga_linspace(0, 255, 9001), GA_U8),
                 *column = ga_reshape(many, (9001, 1)); /* more than a piece */
        CHECK(ga_array_equal(ga_unpackbits(many), ga_ravel(ga_unpackbits(column, .axis = 0))));
        CHECK(ga_array_equal(ga_unpackbits(many, .count = 72011), ga_ravel(ga_unpackbits(column, .axis = 0, .count = 72011))));
        CHECK(ga_array_equal(ga_unpackbits(many, .count = 65539), ga_ravel(ga_unpackbits(column, .axis = 0, .count = 65539))));
        for (int k = 0; k < 2; k++) { /* the first axis beside the last one */
            const ga_bit_order order = k ? GA_BITS_LITTLE : GA_BITS_BIG;
            ga_array *flags = ga_less(ga_random((21, 70), .seed = 6), 0.4), *across = ga_packbits(flags, 0, .bitorder = order);
            CHECK(ga_array_equal(across, ga_transpose(ga_packbits(ga_transpose(flags), -1, .bitorder = order))));
            for (int64_t count = -3; count < 40; count += 7)
                CHECK(ga_array_equal(
                    ga_unpackbits(across, 0, .count = count, .bitorder = order),
                    ga_transpose(ga_unpackbits(ga_transpose(across), .axis = -1, .count = count, .bitorder = order))));
        }
        SHOWS(GA_U8, "[[128 128]]", ga_packbits(ga_ones((1, 2), .dtype = GA_BOOL), 0));
        CHECK_FAILS(ga_packbits(a), "a is float32");
        CHECK_FAILS(ga_packbits(bits, .count = 3), "takes no .count");
        CHECK_IS(ga_prod(ga_values(3, 5), .initial = GA_ARG(ga_reshape(ga_values(2), ()))), GA_F64, (), 30);
        ga_array *large = ga_full((3000), 1e200), *fall = ga_negative(ga_full((3), 1e200)); /* 0 * 1e200 * 1e200 is 0 */
        CHECK_IS(ga_prod(large, .initial = GA_ARG(0)), GA_F64, (), 0);
        CHECK(signbit(ga_item(ga_prod(fall, .initial = GA_ARG(0)))) &&
              isnan(ga_item(ga_prod(ga_values(INFINITY, 2), .initial = GA_ARG(0)))));
        CHECK_IS(ga_prod(ga_astype(large, GA_C128), .initial = GA_ARG(ga_reshape(ga_values(0), ()))), GA_C128, (), 0);
        CHECK(ga_item(ga_prod(large, .initial = GA_ARG(ga_reshape(ga_values(2), ())))) == INFINITY);
        CHECK_IS(ga_prod(ga_reshape(large, (1500, 2)), 0, .initial = GA_ARG(0.0)), GA_F64, (2), 0, 0);
        CHECK_IS(ga_nanprod(ga_values(3, NAN), .initial = GA_ARG(0)), GA_F64, (), 0);
        CHECK_IS(ga_histogram(ga_values(1, 2, 2, 3), 2, .weights = ga_ints(1, 2, 3, 4)), GA_I64, (2), 1, 9);
        CHECK_IS(ga_histogram(ga_values(1, 1), 1, .weights = ga_full((2), 100, .dtype = GA_I8)), GA_I8, (1), -56);
        CHECK_FAILS(ga_unpackbits(bits), "a is int64: bits are unpacked of uint8");
        CHECK_FAILS(ga_unpackbits(bytes, .count = -17), "there are 16 bits");
        CHECK_FAILS(ga_packbits(bits, .bitorder = (ga_bit_order)7), ".bitorder = 7");
    }
}

static void test_choices(void)
{
    ga_scope {
        ga_array *x = ga_values(-2, -1, 0, 1, 2), *low = ga_less(x, 0), *high = ga_greater(x, -2), *which = ga_ints(0, 2, 1);
        SHOWS(GA_F64, "[10. 10.  0.  1.  2.]", ga_select((low, high), (10, x), -1));
        SHOWS(GA_F64, "[-1. -1.  5.  5.  5.]", ga_select((ga_logical_not(low)), (5), -1.0));
        SHOWS(GA_F64, "[ 1. -1.  0.  1.  2.]", ga_piecewise(x, (low, high), (1, x)));
        SHOWS(GA_F64, "[1. 1. 7. 7. 7.]", ga_piecewise(x, (low), (1, 7)));
        SHOWS(GA_I64, "[10  6 20]", ga_choose(which, (10, 20, ga_ints(5, 6, 7))));
        SHOWS(GA_I64, "[20 20 10]", ga_choose(ga_ints(9, 1, -4), (10, 20), GA_TAKE_CLIP));
        SHOWS(GA_C128, "[1.+0.j 2.+0.j 3.+0.j]", ga_sort_complex(ga_ints(2, 3, 1)));
        if (!test_on_gpu()) { /* many of the same real part: as where a NaN has them sorted another way */
            ga_array *parts = ga_random((300000), .seed = 2),
                     *z =
                         ga_add(ga_floor(ga_multiply(ga_random((300000), .seed = 1), 2)), ga_multiply(parts, ga_complex(0, 1)));
            ga_array *other = ga_argsort(ga_concatenate((z, ga_full((1), NAN))));
            CHECK(ga_array_equal(ga_argsort(z), ga_index(other, ":-1")) && ga_item_int_at(other, -1) == 300000);
        }
        CHECK_FAILS(ga_select((low, high), (1), 0), "1 values for 2 conditions");
        CHECK_FAILS(ga_select((x), (1), 0), "condition number 0 is float64: it must be bool");
        CHECK_FAILS(ga_select((low), (1), (ga_array *)NULL), "NULL");
        CHECK_FAILS(ga_piecewise(which, (ga_equal(which, 0)), (0.5)), "without losing its kind");
        CHECK_FAILS(ga_piecewise(which, (low), (1)), "condition number 0 has shape (5,), x (3,)");
        CHECK_FAILS(ga_choose(which, (1, 2)), "out of bounds");
        CHECK_FAILS(ga_choose(x, (1, 2)), "must be integers");
        CHECK_FAILS(ga_choose(which, (1, 2), .mode = (ga_take_mode)5), ".mode = 5");
        CHECK_FAILS(ga_choose_n(which, 0, NULL), "nothing to choose from");
        ga_array *chunked = ga_full((4), 2.5, .chunks = ga_chunks(3));
        SHOWS(GA_F64, "[1. 1. 1. 1.]", ga_compute(ga_select((ga_greater(chunked, 2)), (1), chunked)));
        SHOWS(GA_F64, "[1. 1. 1. 1.]", ga_compute(ga_piecewise(chunked, (ga_greater(chunked, 2)), (1))));
    }
}

/* As NumPy 2: a bound beyond the dtype does not bind. */
static void test_bounds(void)
{
    ga_scope {
        ga_array *u = ga_astype(ga_ints(1, 200, 7), GA_U8), *i = ga_ints(-3, 5, 9), *s = ga_astype(i, GA_I8);
        SHOWS(GA_U8, "[  1 200   7]", ga_clip(u, -5, 300));
        SHOWS(GA_U8, "[  2 200   7]", ga_clip(u, 2, UINT64_MAX));
        SHOWS(GA_I8, "[ 1 -3  5]", ga_clip(u, -3, 5, .dtype = GA_I8)); /* 200 is -56 there */
        SHOWS(GA_U8, "[1 9 7]", ga_eval("clip(u, -5, 9)", (u)));
        ga_array *chunked = ga_full((2), 200, .dtype = GA_U8, .chunks = ga_chunks(1));
        SHOWS(GA_U8, "[9 9]", ga_compute(ga_clip(chunked, INT64_MIN, 9)));
        SHOWS(GA_I64, "[-3  5  9]", ga_clip(i, INT64_MIN, UINT64_MAX));
        SHOWS(GA_I8, "[-3  5  9]", ga_clip(s, -1000, 1000));
        SHOWS(GA_U64, "[5 9]", ga_clip(ga_astype(ga_index(i, "1:"), GA_U64), -1, UINT64_MAX));
        CHECK_FAILS(ga_clip(u, 256, 300), "the number 256 does not fit uint8"); /* nothing is left between these */
        CHECK_FAILS(ga_clip(u, -5, -1), "the number -1 does not fit uint8");
        CHECK_FAILS(ga_quantile(i, 1.0000001), "q = 1.0000001: quantiles");
    }
}

/* Is the only element that number, but for rounding? The signs of zeros count. */
static bool is_number(const ga_array *a, double re, double im)
{
    const ga_c128 z      = ga_item_complex(a);
    const double  got[2] = { z.re, z.im }, want[2] = { re, im };
    bool          same = true;
    for (int k = 0; k < 2; k++)
        same = same && (isnan(want[k])                   ? isnan(got[k])
                        : isinf(want[k]) || want[k] == 0 ? got[k] == want[k] && signbit(got[k]) == signbit(want[k])
                                                         : fabs(got[k] - want[k]) <= 1e-15 * hypot(re, im));
    if (!same) printf("     got %.17g %.17g\n", z.re, z.im);
    return same;
}
#define OF(f, re, im) ga_##f(ga_scalar(ga_complex(re, im)))
#define PI            3.141592653589793

static void test_complex(void)
{
    ga_scope {
        ga_array *x = ga_values(1, 2), *z = ga_add(x, ga_complex(0, 1));
        SHOWS(GA_C128, "[1.+1.j 2.+1.j]", ga_copy(z));
        CHECK(ga_add(ga_astype(x, GA_F32), ga_complex(0, 1))->dtype == GA_C64);
        CHECK(ga_item_complex_at(z, 1).re == 2 && ga_item_complex_at(z, -2).im == 1);
        CHECK(ga_item_complex(ga_scalar(7)).re == 7 && ga_item_complex(ga_scalar(7)).im == 0);
        CHECK(isnan(ga_item(ga_index(z, "0"))) && strstr(ga_error(), "ga_item_complex"));
        ga_clear_error();
#ifndef __cplusplus
        SHOWS(GA_C128, "[1.+2.j 2.+2.j]", ga_add(x, 2 * _Complex_I));
        CHECK(ga_scalar((double)2 * _Complex_I)->dtype == GA_C128 && ga_scalar(2.0f * _Complex_I)->dtype == GA_C64);
#endif
        CHECK(is_number(OF(exp, 0, PI), -1, 1.2246467991473532e-16) && is_number(OF(exp, -INFINITY, INFINITY), 0, 0));
        CHECK(is_number(OF(exp, 720, 1), INFINITY, INFINITY) && is_number(OF(exp, INFINITY, NAN), INFINITY, NAN));
        CHECK(is_number(OF(log, -1, 0), 0, PI) && is_number(OF(log, -1, -0.0), 0, -PI));
        CHECK(is_number(OF(log, 0, 0), -INFINITY, 0) && is_number(OF(log, 1, 1e-10), 5e-21, 1e-10));
        CHECK(is_number(OF(log1p, 1e-20, 1e-20), 1e-20, 1e-20) && is_number(OF(expm1, 1e-20, 1e-20), 1e-20, 1e-20));
        CHECK(is_number(OF(log2, 8, 0), 3, 0) && is_number(OF(log10, 0, 100), 2, PI / 2 / 2.302585092994046));
        CHECK(is_number(OF(exp2, 3, 0), 8, 0) &&
              is_number(OF(exp2, 0, PI), cos(PI * 0.6931471805599453), sin(PI * 0.6931471805599453)));
        CHECK(is_number(OF(sqrt, -4, 0), 0, 2) && is_number(OF(sqrt, -4, -0.0), 0, -2) && is_number(OF(sqrt, 3, 4), 2, 1));
        CHECK(is_number(OF(sqrt, NAN, INFINITY), INFINITY, INFINITY) && is_number(OF(sqrt, -0.0, 0), 0, 0));
        CHECK(is_number(OF(log, NAN, 0.75), NAN, NAN) && is_number(OF(log2, 0.75, NAN), NAN, NAN) &&
              is_number(OF(log10, INFINITY, NAN), INFINITY, NAN));
        CHECK(ga_item(ga_imag(OF(sqrt, 1.7e308, 1e-160))) == 3.8348249442368522e-315);
        CHECK(is_number(OF(sign, 2, -INFINITY), 0, -1) && is_number(OF(sign, -INFINITY, NAN), -1, 0) &&
              is_number(OF(sign, INFINITY, INFINITY), NAN, NAN));
        CHECK(is_number(OF(sign, -1.7e308, 1.7e308), -0.70710678118654757, 0.70710678118654757)); /* whose length overflows */
        CHECK(is_number(OF(sqrt, 1e308, 1e308), 1.0986841134678098e154, 4.550898605622274e153));
        CHECK(is_number(OF(sin, 0, 1), 0, sinh(1)) && is_number(OF(cos, 0, 1), cosh(1), -0.0) &&
              is_number(OF(tan, 0, 1), 0, tanh(1)));
        CHECK(is_number(OF(sinh, 1, PI / 2), 7.195914210350386e-17, cosh(1)) &&
              is_number(OF(cosh, INFINITY, NAN), INFINITY, NAN));
        CHECK(is_number(OF(tanh, 1000, 1), 1, 0) && is_number(OF(tanh, INFINITY, INFINITY), 1, 0));
        CHECK(is_number(OF(arcsin, 2, 0), PI / 2, 1.3169578969248166) &&
              is_number(OF(arcsin, 2, -0.0), PI / 2, -1.3169578969248166));
        CHECK(is_number(OF(arcsin, 5e-324, -5e-324), 5e-324, -5e-324) && is_number(OF(arcsinh, 5e-324, 0), 5e-324, 0));
        CHECK(is_number(OF(arccos, 2, 0), 0, -1.3169578969248166) && is_number(OF(arccos, -2, 0), PI, -1.3169578969248166));
        CHECK(is_number(OF(arccosh, 0, 0), 0, PI / 2) && is_number(OF(arccosh, -2, -0.0), 1.3169578969248166, -PI));
        CHECK(is_number(OF(arcsinh, 0, 2), 1.3169578969248166, PI / 2) && is_number(OF(arcsinh, 1e-20, 0), 1e-20, 0));
        CHECK(is_number(OF(arctan, 0, 2), PI / 2, 0.5493061443340549) && is_number(OF(arctanh, 1, 0), INFINITY, 0));
        CHECK(is_number(OF(arctanh, 2, -0.0), 0.5493061443340549, -PI / 2) &&
              is_number(OF(arctanh, 1, 1e-200), 230.60508288968455, PI / 4));
        CHECK(is_number(ga_power(ga_scalar(ga_complex(1, 2)), 3), -11, -2) &&
              is_number(ga_power(ga_complex(0, 1), ga_scalar(ga_complex(0, 1))), exp(-PI / 2), 0));
        CHECK(is_number(ga_power(ga_scalar(ga_complex(0, 0)), 0.5), 0, 0) &&
              is_number(ga_power(ga_scalar(ga_complex(0, 0)), -1), NAN, NAN));
        /* what a reciprocal, or a power before it, cannot hold */
        const ga_c128 tiny = ga_item_complex(OF(reciprocal, 1.5e308, 1.5e308));
        CHECK(tiny.re == 0.5 / 1.5e308 && tiny.im == -tiny.re);
        CHECK(is_number(ga_power(ga_scalar(ga_complex(1e10, 1e10)), -89), 0, -0.0));
        CHECK(isinf(ga_item_complex(ga_power(ga_scalar(ga_complex(1e-10, 1e-10)), -89)).re));
        CHECK(is_number(ga_eval("exp(1j * $1)", (ga_scalar(0.5))), cos(0.5), sin(0.5)));
        ga_array *c = ga_full((5), ga_complex(-1, 0), .chunks = ga_chunks(2));
        SHOWS(GA_C128, "[0.+1.j 0.+1.j 0.+1.j 0.+1.j 0.+1.j]", ga_compute(ga_sqrt(c)));
        SHOWS(GA_C64, "[0.+1.j]", ga_sqrt(ga_full((1), ga_complex(-1, 0), .dtype = GA_C64)));
    }
}

/* Folds of some elements have the bits of their calls, of arrays in memory and of chunked ones. */
static void test_folds_of_some(void)
{
    for (int chunked = 0; chunked <= !test_on_gpu(); chunked++)
        ga_scope {
            ga_array *a = ga_subtract(ga_random((90, 70), .seed = 4), 0.4), *x = chunked ? ga_chunked(a, 17, 70) : a;
            ga_array *m = ga_greater(x, 0), *row = ga_less(ga_random((70), .seed = 5), 0.5),
                     *n = ga_astype(ga_multiply(x, 90), GA_I8);
            double from = -7;
#define AS_CALLED(text, call)                                                                                                  \
    do {                                                                                                                       \
        ga_array *made = ga_eval(text, (x, m, row, n, from)), *called = call;                                                  \
        CHECK(test_same_bits(ga_compute(made), ga_compute(called)));                                                           \
    } while (0)
            AS_CALLED("sum(x, where=m)", ga_sum(x, .where = m));
            AS_CALLED("sum(x, 0, where=x > 0.1, keepdims=True)", ga_sum(x, 0, .where = ga_greater(x, 0.1), .keepdims = true));
            AS_CALLED("sum(x, initial=from, axis=1)", ga_sum(x, 1, .initial = GA_ARG(from)));
            AS_CALLED("sum(exp(x), where=row, initial=2)", ga_sum(ga_exp(x), .where = row, .initial = GA_ARG(2)));
            AS_CALLED("prod(x, axis=0, initial=from, where=~m)",
                      ga_prod(x, 0, .initial = GA_ARG(from), .where = ga_logical_not(m)));
            AS_CALLED("min(n, where=m, initial=99)", ga_min(n, .where = m, .initial = GA_ARG(99)));
            AS_CALLED("x - max(x, axis=1, where=m, initial=-inf, keepdims=True)",
                      ga_subtract(x, ga_max(x, 1, .where = m, .initial = GA_ARG(-INFINITY), .keepdims = true)));
            AS_CALLED("any(n, axis=0, where=m)", ga_any(n, 0, .where = m));
            AS_CALLED("all(m, where=row)", ga_all(m, .where = row));
            AS_CALLED("count_nonzero(n, where=x > from)", ga_count_nonzero(n, .where = ga_greater(x, from)));
            AS_CALLED("nansum(x / n, where=m)", ga_nansum(ga_divide(x, n), .where = m));
            AS_CALLED("mean(x*2, 1, where=m)", ga_mean(ga_multiply(x, 2), 1, .where = m));
            AS_CALLED("mean(x, where=m, dtype=float32) + mean(x, where=row)",
                      ga_add(ga_mean(x, .where = m, .dtype = GA_F32), ga_mean(x, .where = row)));
            AS_CALLED("std(x, axis=0, ddof=1, where=m)", ga_std(x, 0, .ddof = 1, .where = m));
            AS_CALLED("var(x + 1, where=row) - var(x + 1)",
                      ga_subtract(ga_var(ga_add(x, 1), .where = row), ga_var(ga_add(x, 1))));
            AS_CALLED("sum(x, where=from < 0) + sum(x)", ga_multiply(ga_sum(x), 2));
            AS_CALLED("sum(x, where=False, initial=3)", ga_full((), 3, .dtype = GA_F64));
#undef AS_CALLED
        }
}

/* All bytes divided by all numbers, by vectors and what is left; and powers of lines of each length. */
static void test_division_of_bytes(void)
{
    enum { N = 256 + 45, MOST = 70 };
    for (int is_signed = 0; is_signed < 2; is_signed++)
        for (int by = is_signed ? -128 : 1; by < (is_signed ? 128 : 256); by++)
            ga_scope {
                if (by == 0) continue;
                ga_array *x    = ga_astype(ga_subtract(ga_arange(0, N, 1), is_signed ? 128 : 0), is_signed ? GA_I8 : GA_U8);
                ga_array *back = ga_astype(x, GA_I32), *q = ga_floor_divide(x, by), *r = ga_remainder(x, by);
                int       bad = !q || !r || q->dtype != x->dtype;
                for (int64_t i = 0; i < N && !bad; i++) {
                    const int a = (int)ga_item_at(back, i), down = a / by - (a % by != 0 && (a % by < 0) != (by < 0));
                    const int want = is_signed ? (int8_t)down : down; /* -128 / -1 wraps */
                    bad += (int)ga_item_at(q, i) != want || (int)ga_item_at(r, i) != a - down * by;
                }
                CHECK(!bad);
            }
    ga_scope {
        ga_array *x = ga_random_integers(-9, 10, (MOST, MOST)), *y = ga_random_integers(0, 70, (MOST, MOST), .seed = 3);
        for (int64_t n = 1; n <= MOST; n++) {
            ga_array *p   = ga_to(ga_power(ga_index(x, ":, :%d", (int)n), ga_index(y, ":, :%d", (int)n)), GA_CPU);
            int       bad = !p;
            for (int64_t i = 0; i < MOST * n && !bad; i++) {
                uint64_t power = 1;
                for (int k = 0; k < (int)ga_item_at(y, i / n, i % n); k++)
                    power *= (uint64_t)(int64_t)ga_item_at(x, i / n, i % n);
                bad += ((const int64_t *)p->data)[i] != (int64_t)power;
            }
            CHECK(!bad);
        }
    }
}

int main(void)
{
    test_begin();
    test_dtypes();
    test_choices();
    test_bounds();
    test_rows();
    test_complex();
    test_two_results();
    test_folds_of_some();
    test_division_of_bytes();
    return test_end();
}
