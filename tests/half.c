/* float16 and bfloat16: every conversion beside one that is written in another way, calls beside those of float32, what NumPy prints,
   files, chunks, and a sentence from each call that does not take them.   cc tests/impl.c tests/half.c -lm -lpthread */
#ifndef GPUARR_IMPLEMENTATION
#define GPUARR_KERNELS
#endif
#include "shows.h"

enum { ALL = 65536, TIES = 6 * 32768 };

static int fraction_bits(ga_dtype half) { return half == GA_F16 ? 10 : 7; }
static int lowest_power(ga_dtype half) { return half == GA_F16 ? -14 : -126; }

/* The value of a half, by arithmetic. */
static double value_of(ga_dtype half, unsigned bits)
{
    const int      n        = fraction_bits(half);
    const unsigned exponent = (bits & 0x7fff) >> n, fraction = bits & ((1u << n) - 1), most = 0x7fffu >> n;
    const double   sign = bits & 0x8000 ? -1 : 1;
    if (exponent == most) return fraction ? (double)NAN : sign * (double)INFINITY;
    if (exponent == 0) return sign * ldexp(fraction, lowest_power(half) - n);
    return sign * ldexp((double)((1u << n) + fraction), (int)exponent - 1 + lowest_power(half) - n);
}

/* The nearest half, by arithmetic; its value, as NaN has many bits. */
static double nearest_of(ga_dtype half, double x)
{
    int power;
    if (isnan(x) || isinf(x) || x == 0) return x;
    (void)frexp(x, &power); /* |x| is in [2**(power - 1), 2**power) */
    const int    lowest = lowest_power(half), last = (power - 1 > lowest ? power - 1 : lowest) - fraction_bits(half);
    const double near = ldexp(nearbyint(ldexp(x, -last)), last);
    return fabs(near) >= ldexp(1, half == GA_F16 ? 16 : 128) ? copysign((double)INFINITY, x) : near;
}

static bool is_same(double x, double y) { return (isnan(x) && isnan(y)) || (x == y && !signbit(x) == !signbit(y)); }

/* The bits of halves on the CPU. */
static const uint16_t *bits_of(const ga_array *a)
{
    return (const uint16_t *)ga_data(ga_to(ga_ascontiguous(a), GA_CPU), a->dtype);
}

/* Equal bits, or both NaN: b is on the device of a. */
static bool same_halves(const ga_array *a, const ga_array *b)
{
    if (!a || !b || a->dtype != b->dtype || !ga_same_shape(a, b)) return false;
    const uint16_t *x = bits_of(a), *y = bits_of(b);
    for (int64_t i = 0; i < a->size; i++)
        if (x[i] != y[i] && !(isnan(value_of(a->dtype, x[i])) && isnan(value_of(b->dtype, y[i])))) return false;
    return true;
}

/* All halves, on the device of the test. */
static ga_array *all_halves(ga_dtype half)
{
    ga_array *a = ga_empty((ALL), .dtype = half, .device = GA_CPU);
    for (int i = 0; i < ALL; i++) ((uint16_t *)a->data)[i] = (uint16_t)i;
    return ga_to(a, ga_get_device());
}

static void test_all_values(ga_dtype half)
{
    ga_scope {
        ga_array     *h = all_halves(half), *f = ga_astype(h, GA_F32), *d = ga_astype(h, GA_F64);
        const float  *single = (const float *)ga_data(ga_to(f, GA_CPU), GA_F32);
        const double *wide   = (const double *)ga_data(ga_to(d, GA_CPU), GA_F64);
        int           good   = 0;
        for (unsigned i = 0; i < ALL; i++)
            good += is_same(value_of(half, i), (double)single[i]) && is_same(value_of(half, i), wide[i]);
        CHECK(good == ALL);
        CHECK(same_halves(ga_astype(f, half), h) && same_halves(ga_astype(d, half), h));
        CHECK(same_halves(ga_astype(ga_astype(h, GA_C64), half), h) && same_halves(ga_astype(ga_astype(h, GA_C128), half), h));
        /* as integers they are what their float32 is */
        const ga_dtype others[] = { GA_BOOL, GA_I8, GA_U8, GA_I16, GA_U16, GA_I32, GA_U32, GA_I64, GA_U64, GA_C64, GA_C128 };
        for (int k = 0; k < 11; k++) CHECK(ga_array_equal(ga_astype(h, others[k]), ga_astype(f, others[k]), .equal_nan = true));
    }
}

/* Halves in order, 0 and -0 both 0. */
static int place_of(unsigned bits) { return bits & 0x8000 ? -(int)(bits & 0x7fff) : (int)bits; }

static void test_next(ga_dtype half)
{
    ga_scope {
        ga_array       *x = all_halves(half), *y = ga_roll(ga_flip(x), 12345), *next = ga_nextafter(x, y);
        const uint16_t *a = bits_of(x), *b = bits_of(y), *n = bits_of(next), *s = bits_of(ga_spacing(x));
        int             good = 0, apart = 0;
        for (int i = 0; i < ALL; i++) {
            const double from = value_of(half, a[i]), to = value_of(half, b[i]), at = value_of(half, n[i]);
            const double above = value_of(half, from == 0 ? 1u : from < 0 ? a[i] - 1u : a[i] + 1u);
            if (isnan(from) || isnan(to)) good += isnan(at);
            else if (from == to) good += n[i] == a[i];
            else good += place_of(n[i]) == place_of(a[i]) + (from < to ? 1 : -1);
            if (isnan(from) || isinf(from)) apart += isnan(value_of(half, s[i]));
            else apart += value_of(half, s[i]) == above - from;
        }
        CHECK(good == ALL && apart == ALL);
        CHECK(bits_of(ga_nextafter(ga_full((1), -0.0, .dtype = half), 0.0))[0] == 0x8000);
        CHECK(bits_of(ga_nextafter(ga_zeros((1), .dtype = half), -1))[0] == 0x8001);
        CHECK(same_halves(ga_eval("nextafter(x, y) + spacing(x)", (x, y)), ga_add(next, ga_spacing(x))));
        CHECK(same_halves(ga_nextafter(ga_index(x, "::-3"), ga_index(y, "::-3")), ga_index(next, "::-3")));
        CHECK(same_halves(ga_nextafter(ga_astype(x, GA_F64), y, .dtype = half), next));
        CHECK(same_halves(ga_astype(ga_spacing(x, .out = ga_empty((ALL), .dtype = GA_F64)), half), ga_spacing(x)));
        if (test_on_gpu()) continue;
        ga_array *c = ga_chunked(x, 1000);
        CHECK(same_halves(ga_compute(ga_nextafter(c, y)), next) && same_halves(ga_compute(ga_spacing(c)), ga_spacing(x)));
    }
}

/* Between two neighbours: the middle, and what is next to it, in float32 and in float64. */
static void test_ties(ga_dtype half)
{
    ga_scope {
        ga_array *x = ga_empty((TIES), .device = GA_CPU), *y = ga_empty((TIES), .dtype = GA_F32, .device = GA_CPU);
        double   *wide   = (double *)x->data;
        float    *single = (float *)y->data;
        for (unsigned i = 0; i < TIES / 6; i++) {
            const double low = value_of(half, i), high = value_of(half, i + 1);
            double       middle = (low + high) / 2;
            if (isinf(high)) middle = low + (low - value_of(half, i - 1)) / 2; /* from here on it is infinite */
            for (unsigned k = 0; k < 6; k++) {
                const double sign = k < 3 ? 1 : -1, to = k % 3 == 0 ? 0 : k % 3 == 1 ? middle : (double)INFINITY;
                wide[6 * i + k]   = sign * nextafter(middle, to);
                single[6 * i + k] = (float)sign * nextafterf((float)middle, (float)to);
            }
        }
        const ga_array *from[2] = { x, y };
        for (int k = 0; k < 2; k++) {
            ga_array       *made = ga_astype(ga_to(from[k], ga_get_device()), half);
            const uint16_t *bits = bits_of(made);
            int             good = 0;
            for (int i = 0; i < TIES; i++)
                good += is_same(value_of(half, bits[i]), nearest_of(half, k ? (double)single[i] : wide[i]));
            CHECK(good == TIES);
        }
    }
    ga_scope { /* any float32 and float64 */
        const int n = 100000;
        ga_array *x = ga_empty((n), .device = GA_CPU), *y = ga_empty((n), .dtype = GA_F32, .device = GA_CPU);
        for (int i = 0; i < n; i++) {
            const uint64_t u = test_random(), near = (u & 0x800fffffffffffffu) | (uint64_t)(1023 - 30 + test_below(50)) << 52;
            const uint32_t v = (uint32_t)test_random();
            memcpy((char *)x->data + 8 * i, i % 2 ? &u : &near, 8);
            memcpy((char *)y->data + 4 * i, &v, 4);
        }
        const uint16_t *wide   = bits_of(ga_astype(ga_to(x, ga_get_device()), half)),
                       *single = bits_of(ga_astype(ga_to(y, ga_get_device()), half));
        int good               = 0;
        for (int i = 0; i < n; i++)
            good += is_same(value_of(half, wide[i]), nearest_of(half, ((const double *)x->data)[i])) &&
                    is_same(value_of(half, single[i]), nearest_of(half, (double)((const float *)y->data)[i]));
        CHECK(good == n);
    }
    ga_scope { /* integers */
        ga_array       *n = ga_arange(-70000, 70000, 1), *h = ga_astype(n, half), *i = ga_astype(ga_astype(n, GA_I32), half);
        const uint16_t *bits = bits_of(h);
        int             good = 0;
        for (int k = 0; k < 140000; k++) good += is_same(value_of(half, bits[k]), nearest_of(half, k - 70000));
        CHECK(good == 140000 && same_halves(i, h));
        CHECK(same_halves(ga_astype(ga_astype(n, GA_I16), half), ga_astype(ga_astype(ga_astype(n, GA_I16), GA_F64), half)));
        CHECK(ga_item(ga_astype(ga_scalar(INT64_MAX), half)) == (half == GA_F16 ? (double)INFINITY : 0x1p63));
        CHECK(ga_item(ga_astype(ga_scalar(true), half)) == 1);
    }
}

/* Halves of all kinds: all bits, NaN too, or near 1. */
static ga_array *some_halves(ga_dtype half, ga_shape shape, bool tame)
{
    ga_array *a = ga_empty_n(shape.ndim, shape.n, .dtype = half, .device = GA_CPU);
    for (int64_t i = 0; i < a->size; i++) {
        uint16_t bits = (uint16_t)test_random();
        if (tame) bits = (uint16_t)((bits & 0x803f) | (half == GA_F16 ? 0x3a00 : 0x3f00));
        ((uint16_t *)a->data)[i] = bits;
    }
    return ga_to(a, ga_get_device());
}

/* A call of halves is the call of float32, rounded. */
#define AS_SINGLE(call, x) same_halves(call(x), ga_astype(call(ga_astype(x, GA_F32)), (x)->dtype))
#define AS_SINGLE_WITH(call, x, ...)                                                                                           \
    same_halves(call(x, __VA_ARGS__), ga_astype(call(ga_astype(x, GA_F32), __VA_ARGS__), (x)->dtype))
#define AS_SINGLE2(call2, x, y)                                                                                                \
    same_halves(call2(x, y), ga_astype(call2(ga_astype(x, GA_F32), ga_astype(y, GA_F32)), (x)->dtype))
#define AS_TRUTH2(call2, x, y) ga_array_equal(call2(x, y), call2(ga_astype(x, GA_F32), ga_astype(y, GA_F32)))

static void test_elementwise(ga_dtype half)
{
    ga_scope {
        const ga_shape shape = { 2, { 37, 53 } };
        for (int tame = 0; tame < 2; tame++) {
            ga_array *x = some_halves(half, shape, tame), *y = some_halves(half, shape, tame),
                     *z = some_halves(half, shape, tame);
            CHECK(AS_SINGLE2(ga_add, x, y) && AS_SINGLE2(ga_subtract, x, y) && AS_SINGLE2(ga_multiply, x, y));
            CHECK(AS_SINGLE2(ga_divide, x, y) && AS_SINGLE2(ga_power, x, y) && AS_SINGLE2(ga_remainder, x, y));
            CHECK(AS_SINGLE2(ga_maximum, x, y) && AS_SINGLE2(ga_fmin, x, y) && AS_SINGLE2(ga_hypot, x, y));
            CHECK(AS_SINGLE(ga_exp, x) && AS_SINGLE(ga_log, x) && AS_SINGLE(ga_sin, x) && AS_SINGLE(ga_sqrt, x));
            CHECK(AS_SINGLE(ga_absolute, x) && AS_SINGLE(ga_negative, x) && AS_SINGLE(ga_floor, x) && AS_SINGLE(ga_rint, x));
            CHECK(AS_SINGLE(ga_positive, x) && AS_SINGLE(ga_real, x) && AS_SINGLE(ga_sign, x) && AS_SINGLE(ga_square, x));
            CHECK(AS_TRUTH2(ga_less, x, y) && AS_TRUTH2(ga_greater_equal, x, y) && AS_TRUTH2(ga_equal, x, y));
            CHECK(AS_TRUTH2(ga_logical_and, x, y) && ga_array_equal(ga_isnan(x), ga_isnan(ga_astype(x, GA_F32))));
            CHECK(ga_array_equal(ga_isfinite(x), ga_isfinite(ga_astype(x, GA_F32))));
            CHECK(ga_array_equal(ga_isclose(x, y), ga_isclose(ga_astype(x, GA_F32), ga_astype(y, GA_F32))));
            CHECK(ga_allclose(x, x, .equal_nan = true) && ga_array_equal(x, x, .equal_nan = true));
            CHECK(same_halves(ga_where(ga_less(x, y), x, y),
                              ga_astype(ga_where(ga_less(x, y), ga_astype(x, GA_F32), ga_astype(y, GA_F32)), half)));
            CHECK(same_halves(ga_clip(x, y, z),
                              ga_astype(ga_clip(ga_astype(x, GA_F32), ga_astype(y, GA_F32), ga_astype(z, GA_F32)), half)));
            /* any layout, and in place */
            ga_array *t = ga_transpose(x), *s = ga_index(t, "::-2, 1::3"), *u = ga_index(ga_transpose(y), "::-2, 1::3");
            CHECK(AS_SINGLE2(ga_add, s, u) && AS_SINGLE2(ga_add, t, ga_transpose(y)) && AS_SINGLE(ga_exp, s));
            ga_array *sum = ga_add(x, y), *wide = ga_empty_like(x, .dtype = GA_F64), *copy = ga_copy(x);
            CHECK(ga_add(copy, y, .out = copy) && same_halves(copy, sum));
            CHECK(ga_copyto(ga_index(copy, "::2"), ga_index(y, "::2")) &&
                  same_halves(ga_index(copy, "::2"), ga_index(y, "::2")));
            CHECK(same_halves(ga_index(copy, "1::2"), ga_index(sum, "1::2")));
            CHECK(ga_add(x, y, .out = wide) == wide && same_halves(ga_astype(wide, half), sum)); /* not rounded on the way */
            ga_array *some = ga_add(x, y, .where = ga_less(x, y));
            CHECK(same_halves(some, ga_where(ga_less(x, y), sum, ga_zeros_like(sum))));
        }
    }
    ga_scope { /* numbers adopt the dtype, and are rounded to it; the other dtypes by NumPy's table */
        ga_array *x = ga_full((3), 1.5, .dtype = half), *tenth = ga_full((3), 0.1, .dtype = half);
        CHECK(same_halves(ga_add(x, 0.1), ga_add(x, tenth)) && same_halves(ga_add(x, 0.1f), ga_add(x, tenth)));
        CHECK(same_halves(ga_power(x, 2), ga_multiply(x, x)) && same_halves(ga_power(x, 0.5), ga_sqrt(x)));
        CHECK(ga_array_equal(ga_equal(tenth, 0.1), ga_ones((3), .dtype = GA_BOOL)));
        CHECK(ga_add(x, ga_ones((3), .dtype = GA_U8))->dtype == half &&
              ga_add(x, ga_ones((3), .dtype = GA_BOOL))->dtype == half);
        CHECK(ga_add(x, ga_ones((3), .dtype = GA_I16))->dtype == GA_F32 &&
              ga_add(x, ga_ones((3), .dtype = GA_F32))->dtype == GA_F32);
        CHECK(ga_add(x, ga_ones((3), .dtype = GA_I32))->dtype == GA_F64 && ga_add(x, ga_complex(0, 1))->dtype == GA_C64);
        CHECK(ga_add(x, ga_ones((3), .dtype = half == GA_F16 ? GA_BF16 : GA_F16))->dtype == GA_F32);
        CHECK(same_halves(ga_divide(ga_ones((3)), 3, .dtype = half), ga_divide(ga_ones((3), .dtype = half), 3)));
        CHECK_FAILS(ga_bitwise_and(x, x), half == GA_F16 ? "does not exist for float16" : "does not exist for bfloat16");
        CHECK(ga_nextafter(x, ga_ones((3), .dtype = GA_F32))->dtype == GA_F32);
        CHECK_FAILS(ga_add(ga_full((3), ga_complex(0, 1)), 1, .dtype = half), "without losing its kind");
        CHECK_FAILS(ga_copyto(ga_ones((3), .dtype = GA_I32), x), "without losing its kind");
    }
}

static void test_promotion(void)
{
    const ga_dtype all[]  = { GA_BOOL, GA_I8,  GA_U8,  GA_I16, GA_U16, GA_I32,  GA_U32,
                              GA_I64,  GA_U64, GA_F32, GA_F64, GA_C64, GA_C128, GA_F16 };
    const ga_dtype with[] = { GA_F16, GA_F16, GA_F16, GA_F32, GA_F32, GA_F64,  GA_F64,
                              GA_F64, GA_F64, GA_F32, GA_F64, GA_C64, GA_C128, GA_F16 };
    for (int k = 0; k < 14; k++) {
        CHECK(ga_promote(all[k], GA_F16) == with[k] && ga_promote(GA_F16, all[k]) == with[k]);
        CHECK(ga_can_cast(all[k], GA_F16) == (with[k] == GA_F16));
    }
    CHECK(ga_promote(GA_BF16, GA_U8) == GA_BF16 && ga_promote(GA_BF16, GA_F16) == GA_F32 &&
          ga_promote(GA_I16, GA_BF16) == GA_F32);
    CHECK(ga_can_cast(GA_F16, GA_F32) && ga_can_cast(GA_BF16, GA_C64) && !ga_can_cast(GA_F16, GA_BF16) &&
          !ga_can_cast(GA_F16, GA_I64));
    CHECK(ga_itemsize(GA_F16) == 2 && ga_itemsize(GA_BF16) == 2);
    CHECK(!strcmp(ga_dtype_name(GA_F16), "float16") && !strcmp(ga_dtype_name(GA_BF16), "bfloat16"));
    CHECK(ga_isdtype(GA_F16, "real floating") && ga_isdtype(GA_BF16, "numeric") && !ga_isdtype(GA_F16, "integral"));
    const ga_float_info f = ga_finfo(GA_F16), b = ga_finfo(GA_BF16);
    CHECK(f.bits == 16 && f.nmant == 10 && f.maxexp == 16 && f.minexp == -14 && f.precision == 3 && f.eps == 0x1p-10);
    CHECK(f.max == 65504 && f.min == -65504 && f.tiny == 0x1p-14 && f.smallest_subnormal == 0x1p-24 &&
          f.resolution == value_of(GA_F16, 0x1419));
    CHECK(b.bits == 16 && b.nmant == 7 && b.eps == 0x1p-7 && b.max == value_of(GA_BF16, 0x7f7f) && b.tiny == 0x1p-126);
}

static void test_reductions(ga_dtype half)
{
    ga_scope {
        const ga_shape shape = { 2, { 67, 129 } };
        ga_array      *x = some_halves(half, shape, true), *f = ga_astype(x, GA_F32);
        for (int axis = 0; axis < 2; axis++) {
            CHECK(AS_SINGLE_WITH(ga_sum, x, axis) && AS_SINGLE_WITH(ga_mean, x, axis) && AS_SINGLE_WITH(ga_max, x, axis) &&
                  AS_SINGLE_WITH(ga_std, x, axis));
            CHECK(AS_SINGLE_WITH(ga_prod, x, axis) && AS_SINGLE_WITH(ga_nansum, x, axis) &&
                  AS_SINGLE_WITH(ga_nanmean, x, axis) && AS_SINGLE_WITH(ga_var, x, axis));
            CHECK(AS_SINGLE_WITH(ga_median, x, axis) && AS_SINGLE_WITH(ga_percentile, x, 30, axis) &&
                  AS_SINGLE_WITH(ga_cumsum, x, axis));
            CHECK(AS_SINGLE_WITH(ga_sort, x, axis) && AS_SINGLE_WITH(ga_cumprod, x, axis) &&
                  AS_SINGLE_WITH(ga_nanmax, x, axis));
            CHECK(ga_array_equal(ga_argsort(x, axis), ga_argsort(f, axis)) &&
                  ga_array_equal(ga_argmax(x, axis), ga_argmax(f, axis)));
            CHECK(ga_array_equal(ga_any(x, axis), ga_any(f, axis)) &&
                  ga_array_equal(ga_count_nonzero(x, axis), ga_count_nonzero(f, axis)));
        }
        ga_array *out = ga_empty((129), .dtype = half), *wide = ga_empty((129));
        CHECK(ga_sum(x, .axis = 0, .out = out) == out && same_halves(out, ga_sum(x, 0)));
        CHECK(ga_sum(x, .axis = 0, .out = wide) == wide && same_halves(ga_astype(wide, half), out));
        ga_array *two = ga_astype(ga_values(1 + 0x1p-11, 1 + 0x1p-11 + 0x1p-23), GA_F32), *one = ga_empty((), .dtype = half);
        CHECK(ga_nanmean(two, .out = one) == one && same_halves(one, ga_astype(ga_nanmean(two), half)));
        ga_array *halves = ga_full((9), 0.1, .dtype = half), *sums = ga_empty((9)), *singles = ga_empty((9));
        CHECK(ga_cumulative_sum(halves, .out = sums) == sums && ga_array_equal(sums, ga_cumsum(halves, .out = singles)));
        CHECK(ga_array_equal(ga_cumsum(ga_astype(halves, GA_F32)), sums)); /* not rounded on the way */
        CHECK(ga_sum(x, .dtype = GA_F64)->dtype == GA_F64 && ga_mean(x, .dtype = GA_F32)->dtype == GA_F32);
        CHECK(same_halves(ga_sum(ga_full((3), 0.1), .dtype = half), ga_sum(ga_full((3), 0.1, .dtype = half))));
        CHECK(ga_sum(ga_full((70000), 1, .dtype = half))->dtype == half); /* not rounded before the end */
        CHECK(ga_item(ga_sum(ga_full((5000), 1, .dtype = half))) == nearest_of(half, 5000));
        CHECK_FAILS(ga_sum(x, .axis = 0, .where = ga_greater(x, 0), .out = ga_empty((129), .dtype = GA_I32)),
                    "does not go into");
        CHECK_FAILS(ga_max(x, .dtype = half), "takes no .dtype");
        CHECK_FAILS(ga_max(ga_zeros((0), .dtype = half)), "of no elements");
        CHECK_FAILS(ga_sum(x, 2), "axis");
    }
}

/* call(x, ...) into .out of that dtype: the bits of call(f, ...), f being x as float32. */
#define GIVES_SINGLE(call, x, f, dtype_, ...)                                                                                  \
    ga_array_equal(call(x, __VA_ARGS__, .out = ga_empty_like(call(f, __VA_ARGS__), .dtype = dtype_)), call(f, __VA_ARGS__))

static void test_folds_of_some(ga_dtype half)
{
    ga_scope {
        const ga_shape shape = { 2, { 67, 129 } };
        ga_array      *x = some_halves(half, shape, true), *f = ga_astype(x, GA_F32), *mask = ga_greater(x, 0.01);
        const ga_dtype wider[2] = { GA_F32, GA_F64 };
        for (int k = 0; k < 2; k++) {
            const ga_dtype to = wider[k];
            for (int axis = 0; axis < 2; axis++)
                CHECK(GIVES_SINGLE(ga_sum, x, f, to, axis, .where = mask) &&
                      GIVES_SINGLE(ga_prod, x, f, to, axis, .where = mask, .keepdims = true) &&
                      GIVES_SINGLE(ga_nansum, x, f, to, axis, .where = mask, .initial = GA_ARG(0.1)) &&
                      GIVES_SINGLE(ga_nanprod, x, f, to, axis, .initial = GA_ARG(1e5)) &&
                      GIVES_SINGLE(ga_max, x, f, to, axis, .where = mask, .initial = GA_ARG(1e5)));
            CHECK(GIVES_SINGLE(ga_sum, x, f, to, .where = mask) && GIVES_SINGLE(ga_sum, x, f, to, .initial = GA_ARG(1e5)) &&
                  GIVES_SINGLE(ga_sum, x, f, to, .axes = { 2, { 1, 0 } }, .where = mask, .keepdims = true));
            ga_array *tenths = ga_full((9), 0.1), *rounded = ga_astype(ga_astype(tenths, half), GA_F32),
                     *o = ga_empty((), .dtype = to);
            CHECK(ga_sum(tenths, .dtype = half, .initial = GA_ARG(1), .out = o) == o &&
                  ga_array_equal(o, ga_sum(rounded, .initial = GA_ARG(1))));
        }
        ga_array *many = ga_full((1000), 100, .dtype = half), *all = ga_ones((1000), .dtype = GA_BOOL), *sum = ga_empty(());
        CHECK(ga_sum(many, .where = all, .out = sum) == sum && ga_item(sum) == 100000);
        CHECK(ga_sum(many, .initial = GA_ARG(1), .out = sum) == sum && ga_item(sum) == 100001);
        ga_array *near = ga_empty((), .dtype = half);
        CHECK(ga_sum(many, .initial = GA_ARG(1), .out = near) == near && same_halves(near, ga_sum(many, .initial = GA_ARG(1))));
    }
}

static void test_products(ga_dtype half)
{
    ga_scope {
        const ga_shape shape = { 2, { 9, 9 } };
        ga_array *x = some_halves(half, shape, true), *y = some_halves(half, shape, true), *v = ga_ravel(x), *w = ga_ravel(y);
        CHECK(AS_SINGLE2(ga_matmul, x, y) && AS_SINGLE2(ga_dot, v, w) && AS_SINGLE2(ga_outer, v, w) &&
              AS_SINGLE2(ga_inner, x, y));
        CHECK(AS_SINGLE2(ga_vdot, x, y));
        ga_array *number = ga_astype(ga_scalar(1.5), half), *third = ga_astype(ga_scalar(0.3), half);
        CHECK(AS_SINGLE2(ga_inner, number, third) && AS_SINGLE2(ga_inner, v, third) && AS_SINGLE2(ga_dot, number, w));
        CHECK(same_halves(ga_einsum("ij,kj->ik", (x, y)),
                          ga_astype(ga_einsum("ij,kj->ik", (ga_astype(x, GA_F32), ga_astype(y, GA_F32))), half)));
        CHECK(same_halves(ga_einsum("ij->ji", (x)), ga_copy(ga_transpose(x))));
        CHECK(ga_matmul(x, ga_astype(y, GA_F64))->dtype == GA_F64);
        ga_array *out = ga_empty_like(x);
        CHECK(ga_matmul(x, y, .out = out) == out && same_halves(out, ga_matmul(x, y)));
    }
}

/* What moves elements moves halves: as uint16, which they are in memory. */
#define MOVES(call, x) same_halves(call(x), ga_view_as(call(ga_view_as(x, GA_U16)), (x)->dtype))
#define MOVES_WITH(call, x, ...)                                                                                               \
    same_halves(call(x, __VA_ARGS__), ga_view_as(call(ga_view_as(x, GA_U16), __VA_ARGS__), (x)->dtype))
static void test_moves(ga_dtype half)
{
    ga_scope {
        const ga_shape shape = { 2, { 7, 12 } };
        ga_array      *x = some_halves(half, shape, false), *i = ga_ints(2, 0, 5), *tame = some_halves(half, shape, true);
        CHECK(MOVES(ga_copy, ga_transpose(x)) && MOVES(ga_flip, x) && MOVES_WITH(ga_roll, x, 3) &&
              MOVES_WITH(ga_repeat, x, 3) && MOVES_WITH(ga_tile, x, (2, 2)));
        CHECK(MOVES_WITH(ga_take, x, i, .axis = 1) && MOVES(ga_tril, x) && MOVES(ga_ravel, x) &&
              MOVES_WITH(ga_pad, x, (2, 1)) && MOVES_WITH(ga_reshape, x, (12, 7)));
        CHECK(MOVES_WITH(ga_delete, x, 2) && MOVES_WITH(ga_index_take, x, (i)) && MOVES_WITH(ga_rot90, x, 1) &&
              MOVES(ga_fliplr, x) && MOVES_WITH(ga_diagonal, x, 1));
        ga_array *u = ga_view_as(x, GA_U16), *less = ga_less(u, 30000);
        CHECK(same_halves(ga_concatenate((x, x)), ga_view_as(ga_concatenate((u, u)), half)));
        CHECK(same_halves(ga_stack((x, x), -1), ga_view_as(ga_stack((u, u), -1), half)));
        CHECK(same_halves(ga_extract(less, x), ga_view_as(ga_extract(less, u), half)));
        CHECK(ga_array_equal(ga_nonzero(tame), ga_nonzero(ga_astype(tame, GA_F32))));
        CHECK(same_halves(ga_where(less, x, tame), ga_view_as(ga_where(less, u, ga_view_as(tame, GA_U16)), half)));
        CHECK(same_halves(ga_unique(tame), ga_astype(ga_unique(ga_astype(tame, GA_F32)), half)));
        ga_array *few = ga_index(tame, ":, :6"), *single = ga_astype(few, GA_F32), *spans = ga_empty((6)); /* rounded once */
        CHECK(same_halves(ga_diff(few, 3), ga_astype(ga_diff(single, 3), half)));
        CHECK(ga_ptp(few, 0, .out = spans) == spans && ga_array_equal(spans, ga_ptp(single, 0)));
        ga_array *left = ga_index(few, ":, :3"), *right = ga_index(few, ":, 3:");
        CHECK(same_halves(ga_cross(left, right), ga_astype(ga_cross(ga_astype(left, GA_F32), ga_astype(right, GA_F32)), half)));
        CHECK(same_halves(ga_diff(tame), ga_subtract(ga_index(tame, ":, 1:"), ga_index(tame, ":, :-1"))));
        CHECK(same_halves(ga_append(x, tame, 0), ga_concatenate((x, tame))));
        ga_array *c = ga_copy(x), *made = ga_zeros((4), .dtype = half);
        CHECK(ga_set_at(c, 0.1, 3, 4) && ga_item_at(c, 3, 4) == nearest_of(half, 0.1) &&
              ga_item_int_at(ga_full((1), 7, .dtype = half), 0) == 7);
        CHECK(ga_index_put(made, (ga_ints(1, 3)), 2.5) && ga_item_at(made, 3) == 2.5 && ga_item_at(made, 0) == 0);
        CHECK_FAILS(ga_add_at(made, (i), 1), "for storage in this call: ga_astype(a, GA_F32) first");
        CHECK(ga_data(ga_to(made, GA_CPU), half) && ga_eye(3, 3, 0, .dtype = half)->dtype == half);
    }
    ga_scope { /* new arrays */
        CHECK(same_halves(ga_linspace(0, 1, 7, .dtype = half), ga_astype(ga_linspace(0, 1, 7), half)));
        ga_array *tenths = ga_arange(0, 1, 0.1, .dtype = half);
        CHECK(same_halves(tenths, ga_multiply(ga_arange(0, 10, 1, .dtype = half), 0.1)));
        ga_array *far = ga_arange(1e39, 3.5e39, 1e39, .dtype = half); /* NumPy's, too */
        CHECK(isinf(ga_item_at(far, 0)) && isinf(ga_item_at(far, 1)) && isnan(ga_item_at(far, 2)));
        CHECK(same_halves(ga_random((9), .dtype = half), ga_astype(ga_random((9), .dtype = GA_F32), half)));
        CHECK(same_halves(ga_random_normal(0, 1, (9), .dtype = half), ga_astype(ga_random_normal(0, 1, (9)), half)));
        CHECK(ga_full((2), 1e6, .dtype = half)->dtype == half &&
              ga_item_at(ga_full((2), 1e6, .dtype = GA_F16), 1) == (double)INFINITY);
        CHECK_FAILS(ga_full((2), ga_complex(1, 2), .dtype = half), "does not fit");
        CHECK_FAILS(ga_random_integers(0, 5, (3), .dtype = half), "integer");
        uint16_t  memory[3] = { 0x3c00, 0xc000, 0 };
        ga_array *mine      = ga_view_as(ga_wrap(memory, (3)), GA_F16);
        CHECK(mine->data == (void *)memory && ga_item_at(mine, 1) == -2 && ga_set_at(mine, 0.5, 2) && memory[2] == 0x3800);
    }
}

static void test_text(void)
{
    ga_scope { /* as NumPy 2.4 prints float16 */
        SHOWS(GA_F16, "[0.  0.1 0.2 0.3 0.4 0.5]", ga_index(ga_linspace(0, 1, 11, .dtype = GA_F16), ":6"));
        SHOWS(GA_F16, "[6.55e+04 1.00e+00]", ga_astype(ga_values(65504, 1), GA_F16));
        SHOWS(GA_F16, "[6.e-08 1.e+00]", ga_astype(ga_values(6e-8, 1), GA_F16));
        SHOWS(GA_F16, "[999.5   1. ]", ga_astype(ga_values(999.5, 1), GA_F16));
        SHOWS(GA_F16, "[2.048e+03 1.000e+00]", ga_astype(ga_values(2048, 1), GA_F16));
        SHOWS(GA_F16, "[-inf  nan  inf]", ga_astype(ga_values(-70000, NAN, 70000), GA_F16));
        SHOWS(GA_F16, "1e+03", ga_scalar(1000, .dtype = GA_F16));
        SHOWS(GA_F16, "990.0", ga_scalar(990, .dtype = GA_F16));
        SHOWS(GA_F16, "0.0001", ga_scalar(1e-4, .dtype = GA_F16));
        SHOWS(GA_BF16, "[0.1  3.14]", ga_astype(ga_values(0.1, 3.14159), GA_BF16));
        char *text = ga_to_string(ga_full((2), 0.1, .dtype = GA_F16), .repr = true);
        CHECK(text && !strcmp(text, "array([0.1, 0.1], dtype=float16)"));
        free(text);
    }
}

/* The sets of halves are those of the same numbers as float32. */
static void test_sets(ga_dtype half)
{
    ga_scope {
        ga_array *x = ga_values(1, 2, NAN, 2, -0.0, INFINITY, 3), *y = ga_values(2, 0, INFINITY, NAN, 7);
        ga_array *a = ga_astype(x, half), *b = ga_astype(y, half), *from[2];
        CHECK(same_halves(ga_unique(a), ga_astype(ga_unique(x), half)));
        CHECK(ga_array_equal(ga_isin(a, b), ga_isin(x, y)) && ga_array_equal(ga_isin(a, y), ga_isin(x, y)));
        CHECK(ga_array_equal(ga_isin(x, b), ga_isin(x, y)) && ga_item(ga_isin(2, b)) == 1);
        CHECK(same_halves(ga_intersect1d(a, b), ga_astype(ga_intersect1d(x, y), half)));
        CHECK(same_halves(ga_intersect1d(a, b, .index_a = &from[0], .index_b = &from[1]), ga_intersect1d(a, b)));
        CHECK(same_halves(ga_union1d(a, b), ga_astype(ga_union1d(x, y), half)));
        CHECK(same_halves(ga_setdiff1d(a, b), ga_astype(ga_setdiff1d(x, y), half)));
        CHECK(same_halves(ga_setxor1d(a, b), ga_astype(ga_setxor1d(x, y), half)));
    }
}

/* Calls that halves do not have say so, and what to do. */
static void test_sentences(void)
{
    ga_scope {
        ga_array *x = ga_ones((9, 9), .dtype = GA_F16), *line = ga_ones((9), .dtype = GA_BF16),
                 *f       = ga_ones((9, 9), .dtype = GA_F32);
        const char *words = "float16, which is for storage in this call: ga_astype(a, GA_F32) first";
        CHECK_FAILS(ga_convolve(line, line), "a is bfloat16, which is for storage in this call: ga_astype(a, GA_F32) first");
        CHECK_FAILS(ga_gaussian_filter(x, 1), words);
        CHECK_FAILS(ga_median_filter(x, 3), words);
        CHECK_FAILS(ga_solve(x, x), words);
        CHECK_FAILS(ga_inv(x), words);
        CHECK_FAILS(ga_fft(line), words);
        CHECK_FAILS(ga_histogram(line, 3), words);
        CHECK_FAILS(ga_label(x), words);
        CHECK_FAILS(ga_cdist(x, x, GA_EUCLIDEAN), words);
        CHECK_FAILS(ga_searchsorted(line, 1), words);
        CHECK_FAILS(ga_norm(x), words);
        CHECK_FAILS(ga_gaussian_filter(f, 1, .out = x), words);
        CHECK_FAILS(ga_label(ga_ones((3)), .dtype = GA_F16), ".dtype = float16 is for storage in this call: use GA_F32");
        CHECK_FAILS(ga_imshow("half.png", ga_to(x, GA_CPU)), words);
        CHECK_FAILS(ga_take(x, line), "must be integers");
    }
}

static void test_formulas(ga_dtype half)
{
    ga_scope { /* a formula has the bits of its calls: each of them rounds */
        const ga_shape shape = { 1, { 1000 } };
        ga_array      *x = some_halves(half, shape, true), *y = some_halves(half, shape, true), *f = ga_astype(x, GA_F32);
        CHECK(same_halves(ga_eval("x*y + exp(x)/3", (x, y)), ga_add(ga_multiply(x, y), ga_divide(ga_exp(x), 3))));
        CHECK(same_halves(ga_eval("sum(x*y)", (x, y)), ga_sum(ga_multiply(x, y))));
        CHECK(ga_array_equal(ga_eval("x*f", (x, f)), ga_multiply(f, f)) &&
              ga_array_equal(ga_eval("x < y", (x, y)), ga_less(x, y)));
        ga_array *out = ga_empty((1000), .dtype = half);
        CHECK(ga_eval("f*f + 1", (f), .out = out) == out && same_halves(out, ga_astype(ga_eval("f*f + 1", (f)), half)));
    }
}

static void test_chunks(ga_dtype half)
{
    ga_scope {
        const ga_shape shape = { 2, { 40, 30 } };
        ga_array      *x = ga_to(some_halves(half, shape, true), GA_CPU), *y = ga_to(some_halves(half, shape, true), GA_CPU),
                 *c = ga_chunked(x, 7, 11);
        CHECK(c->dtype == half && same_halves(ga_compute(c), x));
        CHECK(same_halves(ga_compute(ga_add(ga_multiply(c, y), 0.1)), ga_add(ga_multiply(x, y), 0.1)));
        CHECK(same_halves(ga_compute(ga_power(c, 2)), ga_power(x, 2)) &&
              ga_array_equal(ga_compute(ga_less(c, y)), ga_less(x, y)));
        CHECK(same_halves(ga_compute(ga_sum(c, 0, .where = ga_less(x, y))), ga_sum(x, 0, .where = ga_less(x, y))));
        CHECK_FAILS(ga_sum(c, 0, .where = ga_less(x, y), .out = ga_empty((30))),
                    "there is nothing yet to be written into .out");
        CHECK(same_halves(ga_compute(ga_sum(c, 0)), ga_sum(x, 0)) && same_halves(ga_compute(ga_mean(c)), ga_mean(x)));
        CHECK(same_halves(ga_compute(ga_std(c, 1)), ga_std(x, 1)) && same_halves(ga_compute(ga_sort(c, 0)), ga_sort(x, 0)));
        CHECK(same_halves(ga_compute(ga_cumsum(c, 1)), ga_cumsum(x, 1)) &&
              ga_array_equal(ga_compute(ga_argmax(c, 1)), ga_argmax(x, 1)));
        CHECK(same_halves(ga_compute(ga_median(c, 0)), ga_median(x, 0)) &&
              same_halves(ga_compute(ga_matmul(c, ga_transpose(y))), ga_matmul(x, ga_transpose(y))));
        CHECK(same_halves(ga_compute(ga_concatenate((c, y))), ga_concatenate((x, y))) &&
              same_halves(ga_compute(ga_pad(c, (2))), ga_pad(x, (2))));
        CHECK(same_halves(ga_compute(ga_where(ga_less(c, y), c, y)), ga_where(ga_less(x, y), x, y)));
        CHECK(same_halves(ga_compute(ga_astype(ga_chunked(ga_astype(x, GA_F64), 7, 30), half)), x));
        ga_array *zeros = ga_full((9), 1.5, .dtype = half, .chunks = ga_chunks(4)), *kept = ga_persist(ga_add(c, c));
        CHECK(same_halves(ga_compute(zeros), ga_full((9), 1.5, .dtype = half, .device = GA_CPU)) &&
              same_halves(ga_compute(kept), ga_add(x, x)));
    }
}

static void test_files(void)
{
    ga_scope {
        char dir[] = "/tmp/gpuarr_half_XXXXXX", npy[64], npz[64], zarr[64];
        CHECK(mkdtemp(dir));
        snprintf(npy, sizeof npy, "%s/x.npy", dir);
        snprintf(npz, sizeof npz, "%s/x.npz", dir);
        snprintf(zarr, sizeof zarr, "%s/x.zarr", dir);
        const ga_shape  shape = { 2, { 40, 30 } };
        ga_array       *x = some_halves(GA_F16, shape, false), *b = ga_astype(x, GA_BF16), *here = ga_to(x, GA_CPU);
        const char     *names[1] = { "half" };
        const ga_array *list[1] = { x }, *others[1] = { b };
        CHECK(ga_save(npy, x) && same_halves(ga_load(npy), x));
        CHECK(ga_savez(npz, 1, names, list) && same_halves(ga_load_from(npz, "half"), x));
        CHECK(same_halves(ga_compute(ga_open(npy)), here));
        CHECK(ga_store(ga_chunked(here, 10, 30), zarr) && same_halves(ga_compute(ga_open(zarr)), here));
        CHECK_FAILS(ga_save(npy, b), "NumPy has no bfloat16");
        CHECK_FAILS(ga_savez(npz, 1, names, others), "NumPy has no bfloat16");
        CHECK_FAILS(ga_store(ga_to(b, GA_CPU), zarr), "NumPy has no bfloat16");
        CHECK(ga_save(npy, ga_view_as(b, GA_U16)) && same_halves(ga_view_as(ga_load(npy), GA_BF16), b));
        char command[128];
        snprintf(command, sizeof command, "rm -r %s", dir);
        CHECK(system(command) == 0);
    }
}

int main(void)
{
    test_begin();
    const ga_dtype halves[2] = { GA_F16, GA_BF16 };
    for (int k = 0; k < 2; k++) {
        test_all_values(halves[k]);
        test_next(halves[k]);
        test_ties(halves[k]);
        test_elementwise(halves[k]);
        test_reductions(halves[k]);
        test_folds_of_some(halves[k]);
        test_products(halves[k]);
        test_moves(halves[k]);
        test_sets(halves[k]);
        test_formulas(halves[k]);
        if (!test_on_gpu()) test_chunks(halves[k]);
    }
    test_promotion();
    test_text();
    test_sentences();
    test_files();
    CHECK(ga_report_leaks(stderr) == 0);
    return test_end();
}
