/* ==== >>passes: one element type. GA_TAG is its tag, GA_T its C type ================================================== */
/*  GI_PASS says what is stamped: 1 the primitives, 2 conversions, 3 the formulas of the rows, 4 the loops of gpuarr_cpu.h, 5 the kernels
    of gpuarr_cuda.h, 6 the ops of its programs.                                                                                                          */

/* Which groups of the table's column `dtypes` the type belongs to: GI_IF_INT(code) is code or nothing. */
#undef GI_IF_ALL
#undef GI_IF_ARITH
#undef GI_IF_REAL
#undef GI_IF_ORDER
#undef GI_IF_INT
#undef GI_IF_BITS
#undef GI_IF_FLT
#undef GI_IF_FLTC
#define GI_IF_ALL(...) __VA_ARGS__
#if GI_CLASS != 0
#define GI_IF_ARITH(...) __VA_ARGS__
#else
#define GI_IF_ARITH(...)
#endif
#if GI_CLASS != 0 && GI_CLASS != 4
#define GI_IF_REAL(...) __VA_ARGS__
#else
#define GI_IF_REAL(...)
#endif
#if GI_CLASS != 4
#define GI_IF_ORDER(...) __VA_ARGS__
#else
#define GI_IF_ORDER(...)
#endif
#if GI_CLASS == 1 || GI_CLASS == 2
#define GI_IF_INT(...) __VA_ARGS__
#else
#define GI_IF_INT(...)
#endif
#if GI_CLASS <= 2
#define GI_IF_BITS(...) __VA_ARGS__
#else
#define GI_IF_BITS(...)
#endif
#if GI_CLASS == 3
#define GI_IF_FLT(...) __VA_ARGS__
#else
#define GI_IF_FLT(...)
#endif
#if GI_CLASS >= 3
#define GI_IF_FLTC(...) __VA_ARGS__
#else
#define GI_IF_FLTC(...)
#endif
#undef GI_IF_CPX
#if GI_CLASS == 4
#define GI_IF_CPX(...) __VA_ARGS__
#else
#define GI_IF_CPX(...)
#endif
#undef GI_IF_SWAP
#define GI_IF_SWAP(...)
#undef GI_IF_TRUTH
#if GI_CLASS == 0
#define GI_IF_TRUTH(...) __VA_ARGS__
#else
#define GI_IF_TRUTH(...)
#endif
/* Is the current type the accumulator of its own sums? */
#undef GI_OWN_WIDE
#undef GI_OWN_MEAN
#undef GI_OWN_SAME
#undef GI_OWN_BOOL
#undef GI_OWN_COUNT
#if GI_JOIN(GI_WIDEST_, GA_TAG)
#define GI_OWN_WIDE(...) __VA_ARGS__
#else
#define GI_OWN_WIDE(...)
#endif
#if GI_JOIN(GI_WIDEST_, GA_TAG) && GI_CLASS >= 3
#define GI_OWN_MEAN(...) __VA_ARGS__
#else
#define GI_OWN_MEAN(...)
#endif
#define GI_OWN_SAME(...)  __VA_ARGS__
#define GI_OWN_BOOL(...)  __VA_ARGS__
#define GI_OWN_COUNT(...) __VA_ARGS__

/* One #if after the other, not #elif: clang-format reads a file once for each combination of branches at every depth. */
#if GI_PASS == 1

/* ---- >>primitives: what the formulas are written in ---------------------------------------------------------------- */

#if GI_CLASS == 0
GI_FORMULA bool gi_truth_b8(bool x) { return x; }
GI_FORMULA bool gi_from_int_b8(int v) { return v != 0; }
GI_FORMULA bool gi_add_b8(bool a, bool b) { return a | b; }
GI_FORMULA bool gi_mul_b8(bool a, bool b) { return a & b; }
GI_FORMULA bool gi_abs_b8(bool x) { return x; }
GI_FORMULA bool gi_invert_b8(bool x) { return !x; }
GI_FORMULA bool gi_equal_b8(bool a, bool b) { return a == b; }
GI_FORMULA bool gi_less_b8(bool a, bool b) { return a < b; }
GI_FORMULA bool gi_less_equal_b8(bool a, bool b) { return a <= b; }
GI_FORMULA bool gi_maximum_b8(bool a, bool b) { return a | b; }
GI_FORMULA bool gi_minimum_b8(bool a, bool b) { return a & b; }

#endif
#if GI_CLASS == 1 || GI_CLASS == 2
/* Sums and products wrap: they are computed in an unsigned type, where that is defined. */
#define GI_W GI_JOIN(gi_wrap_, GA_TAG)
GI_FORMULA bool GA_FN(truth)(GA_T x) { return x != 0; }
GI_FORMULA GA_T GA_FN(from_int)(int v) { return (GA_T)v; }
GI_FORMULA GA_T GA_FN(add)(GA_T a, GA_T b) { return (GA_T)((GI_W)a + (GI_W)b); }
GI_FORMULA GA_T GA_FN(sub)(GA_T a, GA_T b) { return (GA_T)((GI_W)a - (GI_W)b); }
GI_FORMULA GA_T GA_FN(mul)(GA_T a, GA_T b) { return (GA_T)((GI_W)a * (GI_W)b); }
GI_FORMULA GA_T GA_FN(neg)(GA_T x) { return (GA_T)((GI_W)0 - (GI_W)x); }
GI_FORMULA GA_T GA_FN(invert)(GA_T x) { return (GA_T)~x; }
GI_FORMULA bool GA_FN(equal)(GA_T a, GA_T b) { return a == b; }
GI_FORMULA bool GA_FN(less)(GA_T a, GA_T b) { return a < b; }
GI_FORMULA bool GA_FN(less_equal)(GA_T a, GA_T b) { return a <= b; }
GI_FORMULA GA_T GA_FN(maximum)(GA_T a, GA_T b) { return a > b ? a : b; }
GI_FORMULA GA_T GA_FN(minimum)(GA_T a, GA_T b) { return a < b ? a : b; }
enum { GA_FN(bits) = 8 * sizeof(GA_T) };
#if GI_CLASS == 1
GI_FORMULA GA_T GA_FN(abs)(GA_T x) { return x < 0 ? GA_FN(neg)(x) : x; }
GI_FORMULA GA_T GA_FN(sign)(GA_T x) { return (GA_T)((x > 0) - (x < 0)); }
GI_FORMULA GA_T GA_FN(reciprocal)(GA_T x) { return (GA_T)(x == 1 || x == -1 ? x : 0); } /* 1 / 0 gives 0 */
/* Division by zero gives 0, as in NumPy; so does the one quotient that does not fit, MIN / -1, which wraps to MIN. */
GI_FORMULA GA_T GA_FN(fmod)(GA_T x, GA_T y) { return y == 0 || y == -1 ? (GA_T)0 : (GA_T)(x % y); }
GI_FORMULA GA_T GA_FN(remainder)(GA_T x, GA_T y)
{
    GA_T r = GA_FN(fmod)(x, y);
    return r != 0 && (r < 0) != (y < 0) ? (GA_T)(r + y) : r;
}
GI_FORMULA GA_T GA_FN(floor_divide)(GA_T x, GA_T y)
{
    if (y == 0) return 0;
    if (y == -1) return GA_FN(neg)(x);
    return (GA_T)(x / y - (x % y != 0 && (x < 0) != (y < 0)));
}
GI_FORMULA GA_T GA_FN(left_shift)(GA_T x, GA_T y) { return y >= 0 && y < GA_FN(bits) ? (GA_T)((GI_W)x << y) : (GA_T)0; }
GI_FORMULA GA_T GA_FN(right_shift)(GA_T x, GA_T y)
{
    return y >= 0 && y < GA_FN(bits) ? (GA_T)(x >> y) : (GA_T)(x < 0 ? -1 : 0);
}
#else
GI_FORMULA GA_T GA_FN(abs)(GA_T x) { return x; }
GI_FORMULA GA_T GA_FN(sign)(GA_T x) { return (GA_T)(x > 0); }
GI_FORMULA GA_T GA_FN(reciprocal)(GA_T x) { return (GA_T)(x == 1); }
GI_FORMULA GA_T GA_FN(fmod)(GA_T x, GA_T y) { return y == 0 ? (GA_T)0 : (GA_T)(x % y); }
GI_FORMULA GA_T GA_FN(remainder)(GA_T x, GA_T y) { return GA_FN(fmod)(x, y); }
GI_FORMULA GA_T GA_FN(floor_divide)(GA_T x, GA_T y) { return y == 0 ? (GA_T)0 : (GA_T)(x / y); }
GI_FORMULA GA_T GA_FN(left_shift)(GA_T x, GA_T y) { return y < GA_FN(bits) ? (GA_T)((GI_W)x << y) : (GA_T)0; }
GI_FORMULA GA_T GA_FN(right_shift)(GA_T x, GA_T y) { return y < GA_FN(bits) ? (GA_T)(x >> y) : (GA_T)0; }
#endif
/* Of sizes, which an unsigned type holds: of the smallest integer, too. They wrap back, as in NumPy. */
#if GI_CLASS == 1
GI_FORMULA GI_W GA_FN(size_of)(GA_T x) { return x < 0 ? (GI_W)0 - (GI_W)x : (GI_W)x; }
#else
GI_FORMULA GI_W GA_FN(size_of)(GA_T x) { return (GI_W)x; }
#endif
GI_FORMULA GI_W GA_FN(common_divisor)(GI_W a, GI_W b) /* Euclid */
{
    while (b != 0) {
        const GI_W rest = a % b;
        a               = b;
        b               = rest;
    }
    return a;
}
GI_FORMULA GA_T GA_FN(gcd)(GA_T x, GA_T y) { return (GA_T)GA_FN(common_divisor)(GA_FN(size_of)(x), GA_FN(size_of)(y)); }
GI_FORMULA GA_T GA_FN(lcm)(GA_T x, GA_T y)
{
    const GI_W a = GA_FN(size_of)(x), b = GA_FN(size_of)(y), divisor = GA_FN(common_divisor)(a, b);
    return divisor == 0 ? (GA_T)0 : (GA_T)(a / divisor * b);
}
GI_FORMULA uint8_t GA_FN(bitwise_count)(GA_T x) /* in pairs, in fours, in bytes; then the bytes' sum */
{
    GI_W u = GA_FN(size_of)(x);
    if (sizeof(GA_T) == 1) { /* in vectors of bytes */
        uint8_t b = (uint8_t)u;
        b         = (uint8_t)(b - (b >> 1 & 0x55));
        b         = (uint8_t)((b & 0x33) + (b >> 2 & 0x33));
        return (uint8_t)((b + (b >> 4)) & 0x0f);
    }
    u = u - (u >> 1 & (GI_W)0x5555555555555555u);
    u = (u & (GI_W)0x3333333333333333u) + (u >> 2 & (GI_W)0x3333333333333333u);
    u = (u + (u >> 4)) & (GI_W)0x0f0f0f0f0f0f0f0fu;
    return (uint8_t)(u * (GI_W)0x0101010101010101u >> 8 * (sizeof(GI_W) - 1));
}
/* By squaring, wrapping. Negative exponents are refused before any kernel runs. */
GI_FORMULA GA_T GA_FN(power)(GA_T x, GA_T y)
{
    GI_W result = 1, base = (GI_W)x;
    for (; y > 0; y = (GA_T)(y >> 1)) {
        if (y & 1) result *= base;
        base *= base;
    }
    return (GA_T)result;
}
#undef GI_W

#endif
#if GI_CLASS == 3
GI_FORMULA bool GA_FN(truth)(GA_T x) { return x != 0; }
GI_FORMULA GA_T GA_FN(from_int)(int v) { return (GA_T)v; }
GI_FORMULA GA_T GA_FN(add)(GA_T a, GA_T b) { return a + b; }
GI_FORMULA GA_T GA_FN(sub)(GA_T a, GA_T b) { return a - b; }
GI_FORMULA GA_T GA_FN(div)(GA_T a, GA_T b) { return a / b; }
GI_FORMULA GA_T GA_FN(neg)(GA_T x) { return -x; }
GI_FORMULA GA_T GA_FN(abs)(GA_T x) { return GI_BUILTIN(fabs)(x); }
GI_FORMULA GA_T GA_FN(sqrt)(GA_T x) /* one NaN on every processor */
{
    GA_T r = GA_FN(root)(x);
    return r == r ? r : GA_FN(nan)();
}
GI_FORMULA GA_T GA_FN(sign)(GA_T x) { return x > 0 ? (GA_T)1 : x < 0 ? (GA_T)-1 : x == 0 ? (GA_T)0 : x; }
GI_FORMULA GA_T GA_FN(reciprocal)(GA_T x) { return 1 / x; }
/* x to the power -1, 1/2 ... Of -inf: inf, and of -0: 0, where sqrt gives NaN and -0. What rounding took off the root or the square is
   added to the product, which is so rounded (almost) once. */
GI_FORMULA GA_T GA_FN(power_minus_one)(GA_T x) { return 1 / x; }
GI_FORMULA GA_T GA_FN(power_half)(GA_T x) { return x == -GA_FN(infinity)() ? -x : x == 0 ? (GA_T)0 : GA_FN(sqrt)(x); }
GI_FORMULA GA_T GA_FN(power_three_halves)(GA_T x)
{
    GA_T size = GI_BUILTIN(fabs)(x), root = GA_FN(sqrt)(x), lost = GA_FN(fma)(-root, root, x);
    return size < GA_FN(infinity)() ? GA_FN(fma)(x, root, GA_FN(mul)(GA_FN(mul)(root, (GA_T)0.5), lost)) : size;
}
GI_FORMULA GA_T GA_FN(power_square)(GA_T x) { return GA_FN(mul)(x, x); }
GI_FORMULA GA_T GA_FN(power_cube)(GA_T x)
{
    GA_T square = GA_FN(mul)(x, x), lost = GA_FN(fma)(x, x, -square);
    return square < GA_FN(infinity)() ? GA_FN(fma)(square, x, GA_FN(mul)(lost, x)) : GA_FN(mul)(square, x);
}
GI_FORMULA GA_T GA_FN(floor)(GA_T x) { return GI_BUILTIN(floor)(x); }
GI_FORMULA GA_T GA_FN(ceil)(GA_T x) { return GI_BUILTIN(ceil)(x); }
GI_FORMULA GA_T GA_FN(trunc)(GA_T x) { return GI_BUILTIN(trunc)(x); }
GI_FORMULA GA_T GA_FN(rint)(GA_T x) { return GI_BUILTIN(rint)(x); }
GI_FORMULA GA_T GA_FN(copysign)(GA_T x, GA_T y) { return GI_BUILTIN(copysign)(x, y); }
GI_FORMULA bool GA_FN(isnan)(GA_T x) { return x != x; }
GI_FORMULA bool GA_FN(isinf)(GA_T x) { return GI_BUILTIN(fabs)(x) == GA_FN(infinity)(); }
GI_FORMULA bool GA_FN(isfinite)(GA_T x) { return GI_BUILTIN(fabs)(x) < GA_FN(infinity)(); }
GI_FORMULA bool GA_FN(signbit)(GA_T x) { return (bool)(GA_FN(bits)(x) >> (8 * sizeof(GA_T) - 1)); }
GI_FORMULA bool GA_FN(equal)(GA_T a, GA_T b) { return a == b; }
GI_FORMULA bool GA_FN(less)(GA_T a, GA_T b) { return a < b; }
GI_FORMULA bool GA_FN(less_equal)(GA_T a, GA_T b) { return a <= b; }
/* A NaN wins; of two equal ones (+0 and -0) the first. Written so that compilers use the processor's own maximum. */
GI_FORMULA GA_T GA_FN(maximum)(GA_T a, GA_T b)
{
    GA_T larger = b > a ? b : a;
    return b == b ? larger : b;
}
GI_FORMULA GA_T GA_FN(minimum)(GA_T a, GA_T b)
{
    GA_T smaller = b < a ? b : a;
    return b == b ? smaller : b;
}
GI_FORMULA GA_T GA_FN(fmax)(GA_T a, GA_T b)
{
    GA_T larger = b > a ? b : a;
    return a == a ? larger : b;
}
GI_FORMULA GA_T GA_FN(fmin)(GA_T a, GA_T b)
{
    GA_T smaller = b < a ? b : a;
    return a == a ? smaller : b;
}
GI_FORMULA GA_T GA_FN(heaviside)(GA_T x, GA_T y) { return x != x ? x : x == 0 ? y : (GA_T)(x > 0); }
/* To the next number away from zero: its bits are the next integer. */
GI_FORMULA GA_T GA_FN(spacing)(GA_T x)
{
    const GA_T from = x == 0 ? (GA_T)0 : x;
    return GI_BUILTIN(fabs)(x) < GA_FN(infinity)() ? GA_FN(from_bits)(GA_FN(bits)(from) + 1) - from : GA_FN(nan)();
}
/* x 2^y, rounded once: the steps down leave all digits to the last one, or nothing at all. */
enum { GA_FN(digits) = sizeof(GA_T) == 4 ? 23 : 52, GA_FN(bias) = sizeof(GA_T) == 4 ? 127 : 1023 };
GI_FORMULA int GA_FN(ldexp_step)(int n)
{
    return n > GA_FN(bias) ? GA_FN(bias) : n < 1 - GA_FN(bias) ? 2 - GA_FN(bias) + GA_FN(digits) : n;
}
GI_FORMULA GA_T    GA_FN(two_to)(int n) { return GA_FN(from_bits)((GI_FLAG)(n + GA_FN(bias)) << GA_FN(digits)); }
GI_FORMULA GI_FLAG GA_FN(ldexp_rare)(GA_T x, GA_T y) { return (void)x, (GI_FLAG) !(GA_FN(abs)(y) < (GA_T)GA_FN(bias)); }
GI_FORMULA GA_T    GA_FN(ldexp_core)(GA_T x, GA_T y)
{
    return GA_FN(mul)(x, GA_FN(two_to)((int)(GA_FN(abs)(y) < (GA_T)GA_FN(bias) ? y : (GA_T)0)));
}
GI_FORMULA GA_T GA_FN(ldexp_slow)(GA_T x, GA_T y)
{
    const GA_T most  = (GA_T)(2 * GA_FN(bias) + 3 * GA_FN(digits));
    const int  n     = (int)(y > most ? most : y < -most ? -most : y == y ? y : (GA_T)0);
    const int  first = GA_FN(ldexp_step)(n), second = GA_FN(ldexp_step)(n - first);
    const int  third = GA_FN(ldexp_step)(n - first - second);
    return GA_FN(mul)(GA_FN(mul)(GA_FN(mul)(x, GA_FN(two_to)(first)), GA_FN(two_to)(second)), GA_FN(two_to)(third));
}
/* sin(t) / t, t = pi x. */
GI_FORMULA GA_T    GA_FN(sinc_angle)(GA_T x) { return GA_FN(mul)(x, (GA_T)3.14159265358979323846); }
GI_FORMULA GI_FLAG GA_FN(sinc_rare)(GA_T x) { return GA_FN(sin_rare)(GA_FN(sinc_angle)(x)); }
GI_FORMULA GA_T    GA_FN(sinc_slow)(GA_T x) { return GA_FN(sin_slow)(GA_FN(sinc_angle)(x)) / GA_FN(sinc_angle)(x); }
GI_FORMULA GA_T    GA_FN(sinc_core)(GA_T x)
{
    const GA_T t = GA_FN(sinc_angle)(x);
    return GA_FN(pick)((GI_FLAG)(x == 0), 1, GA_FN(sin_core)(t) / t);
}
/* As logaddexp: the larger one, and log2(1 + u) for u = 2^(their difference). Rare: u is about denormal, and the larger one so near 0
   that it matters. */
GI_FORMULA GA_T GA_FN(logaddexp2_sum)(GA_T high, GA_T u, GA_T guard)
{
    const GA_T scale    = (GA_T)1.44269504088896340736,
               scale_lo = (GA_T)(sizeof(GA_T) == 4 ? 1.9259629911266175e-08 : 2.0355273740931033e-17);
    GA_T log, rest;
    GA_FN(log1p_unit)(u, guard, &log, &rest);
    const GA_T sum   = GA_FN(mul)(log, scale),
               lost  = GA_FN(fma)(log, scale_lo, GA_FN(fma)(rest, scale, GA_FN(fma)(log, scale, -sum)));
    const GA_T total = high + sum, part = total - high;
    return total + ((high - (total - part)) + (sum - part) + lost);
}
GI_FORMULA GA_T GA_FN(logaddexp2_core)(GA_T x, GA_T y)
{
    GA_T high, d, d_lo;
    GA_FN(logaddexp_order)(x, y, &high, &d, &d_lo);
    const GA_T    u     = GA_FN(exp2_core)(d);
    const GA_T    sum   = GA_FN(logaddexp2_sum)(high, GA_FN(fma)(GA_FN(mul)(u, (GA_T)0.69314718055994530942), d_lo, u),
                                           (GA_T)(sizeof(GA_T) == 4 ? 0x1p-124 : 0x1p-960));
    const GI_FLAG alone = (GI_FLAG)(d < (GA_T)(sizeof(GA_T) == 4 ? -96 : -894)) | (GI_FLAG)(high - high != 0);
    return GA_FN(pick)((GI_FLAG)(d != d), GA_FN(nan)(), GA_FN(pick)(alone, high + 0, sum));
}
GI_FORMULA GI_FLAG GA_FN(logaddexp2_rare)(GA_T x, GA_T y)
{
    const GA_T sum = x + y, product = GI_BUILTIN(fabs)(GA_FN(mul)(x, y));
    return (GI_FLAG)(product < (GA_T)(sizeof(GA_T) == 4 ? 0x1p-60 : 0x1p-800)) &
           (GI_FLAG)(sum < (GA_T)(sizeof(GA_T) == 4 ? -95 : -893)) & (GI_FLAG)(sum > (GA_T)(sizeof(GA_T) == 4 ? -152 : -1078));
}
GI_FORMULA GA_T GA_FN(logaddexp2_slow)(GA_T x, GA_T y) /* log2(1 + u) is u / log(2) */
{
    GA_T high, d, d_lo;
    GA_FN(logaddexp_order)(x, y, &high, &d, &d_lo);
    return GA_FN(fma)(GA_FN(exp2_slow)(d), (GA_T)1.44269504088896340736, high);
}
/* Of two vectors with this product and these lengths; rounding errors do not make it negative, or larger than 2. */
GI_FORMULA GA_T GA_FN(cosine_distance)(GA_T product, GA_T length, GA_T other)
{
    const GA_T d = GA_FN(fma)(product / GA_FN(mul)(length, other), -1, 1); /* 1 - the cosine, which nvcc must not fuse */
    return d < 0 ? (GA_T)0 : d > 2 ? (GA_T)2 : d;
}
GI_FORMULA GA_T GA_FN(nan_to)(GA_T x, int v) { return x == x ? x : (GA_T)v; }
/* The remainder is exact; see NumPy's divmod for the rules of signs and infinities. */
GI_FORMULA GA_T GA_FN(fmod)(GA_T x, GA_T y) { return GA_FN(exact_fmod)(x, y); }
GI_FORMULA GA_T GA_FN(remainder_of)(GA_T y, GA_T r) /* r: fmod(x, y) */
{
    if (r == 0) return GI_BUILTIN(copysign)((GA_T)0, y);
    return (r < 0) != (y < 0) ? r + y : r;
}
GI_FORMULA GA_T GA_FN(remainder)(GA_T x, GA_T y) { return GA_FN(remainder_of)(y, GA_FN(fmod)(x, y)); }
GI_FORMULA GA_T GA_FN(floor_divide_of)(GA_T x, GA_T y, GA_T r)
{
    if (y == 0) return x / y;
    GA_T q = (x - r) / y;
    if (r != 0 && (r < 0) != (y < 0)) q -= 1;
    if (q == 0) return GI_BUILTIN(copysign)((GA_T)0, x / y);
    GA_T whole = GI_BUILTIN(floor)(q);
    return q - whole > (GA_T)0.5 ? whole + 1 : whole;
}
GI_FORMULA GA_T GA_FN(floor_divide)(GA_T x, GA_T y) { return GA_FN(floor_divide_of)(x, y, GA_FN(fmod)(x, y)); }

#endif
#if GI_CLASS == 4
#define GI_PART(name) GI_JOIN(gi_##name##_, GI_JOIN(GI_RTAG_, GA_TAG)) /* the primitive of the real type */
GI_FORMULA GA_T GA_FN(make)(GI_R re, GI_R im)
{
    GA_T z;
    z.re = re;
    z.im = im;
    return z;
}
GI_FORMULA bool GA_FN(truth)(GA_T x) { return (x.re != 0) | (x.im != 0); }
GI_FORMULA GA_T GA_FN(from_int)(int v) { return GA_FN(make)((GI_R)v, 0); }
GI_FORMULA GA_T GA_FN(add)(GA_T a, GA_T b) { return GA_FN(make)(a.re + b.re, a.im + b.im); }
GI_FORMULA GA_T GA_FN(sub)(GA_T a, GA_T b) { return GA_FN(make)(a.re - b.re, a.im - b.im); }
GI_FORMULA GA_T GA_FN(neg)(GA_T x) { return GA_FN(make)(-x.re, -x.im); }
GI_FORMULA GA_T GA_FN(conj)(GA_T x) { return GA_FN(make)(x.re, -x.im); }
GI_FORMULA GI_R GA_FN(real)(GA_T x) { return x.re; }
GI_FORMULA GI_R GA_FN(imag)(GA_T x) { return x.im; }
/* Both parts are sums: of a difference beside a sum gcc makes one fused instruction (vfmaddsub), though contraction is off. */
GI_FORMULA GA_T GA_FN(mul)(GA_T a, GA_T b)
{
    return GA_FN(make)(GI_PART(mul)(a.re, b.re) + GI_PART(mul)(-a.im, b.im),
                       GI_PART(mul)(a.re, b.im) + GI_PART(mul)(a.im, b.re));
}
/* Smith's method, as NumPy: no overflow on the way. */
GI_FORMULA GA_T GA_FN(div)(GA_T a, GA_T b)
{
    GI_R re = GI_PART(abs)(b.re), im = GI_PART(abs)(b.im);
    if (re >= im) {
        if (re == 0 && im == 0) return GA_FN(make)(a.re / re, a.im / im);
        GI_R ratio = b.im / b.re, scale = 1 / (b.re + GI_PART(mul)(b.im, ratio));
        return GA_FN(make)((a.re + GI_PART(mul)(a.im, ratio)) * scale, (a.im + GI_PART(mul)(-a.re, ratio)) * scale);
    }
    GI_R ratio = b.re / b.im, scale = 1 / (b.im + GI_PART(mul)(b.re, ratio));
    return GA_FN(make)((GI_PART(mul)(a.re, ratio) + a.im) * scale, (GI_PART(mul)(a.im, ratio) + -a.re) * scale);
}
GI_FORMULA GI_R GA_FN(abs)(GA_T x) { return GI_PART(hypot)(x.re, x.im); }
GI_FORMULA GA_T GA_FN(sign)(GA_T x)
{
    GI_R       length = GA_FN(abs)(x);
    const bool re = GI_PART(isinf)(x.re), im = GI_PART(isinf)(x.im);
    if (re != im) return GA_FN(make)(re ? GI_PART(copysign)(1, x.re) : 0, im ? GI_PART(copysign)(1, x.im) : 0);
    if (length == 0) return GA_FN(make)(0, 0);
    if (!re && GI_PART(isinf)(length)) { /* though its parts are finite */
        x      = GA_FN(make)(GI_PART(mul)(x.re, (GI_R)0.5), GI_PART(mul)(x.im, (GI_R)0.5));
        length = GA_FN(abs)(x);
    }
    return GA_FN(make)(x.re / length, x.im / length);
}
GI_FORMULA GA_T GA_FN(reciprocal)(GA_T x)
{
    const bool turned = GI_PART(abs)(x.re) <= GI_PART(abs)(x.im);
    const GI_R large = turned ? x.im : x.re, small = turned ? x.re : x.im, ratio = small / large;
    GI_R       by = 1, size = large + GI_PART(mul)(small, ratio);
    if (GI_PART(isinf)(size)) { /* though 1 / size need not be 0 */
        by   = (GI_R)0.5;
        size = GI_PART(mul)(large, by) + GI_PART(mul)(GI_PART(mul)(small, by), ratio);
    }
    return turned ? GA_FN(make)(GI_PART(mul)(ratio, by) / size, -by / size)
                  : GA_FN(make)(by / size, GI_PART(mul)(-ratio, by) / size);
}
GI_FORMULA bool GA_FN(isnan)(GA_T x) { return (x.re != x.re) | (x.im != x.im); }
GI_FORMULA bool GA_FN(isinf)(GA_T x) { return GI_PART(isinf)(x.re) || GI_PART(isinf)(x.im); }
GI_FORMULA bool GA_FN(isfinite)(GA_T x) { return GI_PART(isfinite)(x.re) && GI_PART(isfinite)(x.im); }
GI_FORMULA bool GA_FN(equal)(GA_T a, GA_T b) { return (a.re == b.re) & (a.im == b.im); }
/* Complex numbers are ordered by their real parts, then by their imaginary parts; NaN first of all, as in NumPy. */
GI_FORMULA bool GA_FN(less)(GA_T a, GA_T b)
{
    return a.re < b.re ? !((a.im != a.im) | (b.im != b.im)) : (a.re == b.re) & (a.im < b.im);
}
GI_FORMULA bool GA_FN(less_equal)(GA_T a, GA_T b)
{
    return a.re < b.re ? !((a.im != a.im) | (b.im != b.im)) : (a.re == b.re) & (a.im <= b.im);
}
GI_FORMULA GA_T GA_FN(maximum)(GA_T a, GA_T b) { return GA_FN(isnan)(a) || GA_FN(less_equal)(b, a) ? a : b; }
GI_FORMULA GA_T GA_FN(minimum)(GA_T a, GA_T b) { return GA_FN(isnan)(a) || GA_FN(less_equal)(a, b) ? a : b; }
GI_FORMULA GA_T GA_FN(nan_to)(GA_T x, int v) { return GA_FN(isnan)(x) ? GA_FN(from_int)(v) : x; }
/* The four products one after the other. */
GI_FORMULA GA_T GA_FN(fma)(GA_T a, GA_T b, GA_T c)
{
    return GA_FN(make)(GI_PART(fma)(a.im, -b.im, GI_PART(fma)(a.re, b.re, c.re)),
                       GI_PART(fma)(a.im, b.re, GI_PART(fma)(a.re, b.im, c.im)));
}
#undef GI_PART
#endif

#if GI_CLASS < 3
GI_FORMULA GA_T GA_FN(fma)(GA_T a, GA_T b, GA_T c) { return GA_FN(add)(c, GA_FN(mul)(a, b)); }
#endif

/* sum + weight * x, one link in the chain of a convolution. Links begin at gi_nothing, to which a first product is added unchanged. */
#if GI_CLASS == 3
GI_FORMULA GA_T GA_FN(weigh)(GA_T sum, GA_T weight, GA_T x) { return GA_FN(fma)(weight, x, sum); }
GI_FORMULA GA_T GA_FN(nothing)(void) { return -(GA_T)0; }
#else
GI_FORMULA GA_T GA_FN(weigh)(GA_T sum, GA_T weight, GA_T x) { return GA_FN(add)(sum, GA_FN(mul)(weight, x)); }
#if GI_CLASS == 4
GI_FORMULA GA_T GA_FN(nothing)(void) { return GA_FN(make)(-(GI_R)0, -(GI_R)0); }
#else
GI_FORMULA GA_T GA_FN(nothing)(void) { return 0; }
#endif
#endif

#if GI_CLASS < 4
GI_FORMULA GA_T GA_FN(real)(GA_T x) { return x; }
GI_FORMULA GA_T GA_FN(imag)(GA_T x) { return (void)x, (GA_T)0; }
GI_FORMULA GA_T GA_FN(conj)(GA_T x) { return x; }
#endif

#endif /* GI_PASS == 1 */
#if GI_PASS == 2
/* clang-format off */
/* ---- conversions ---------------------------------------------------------------------------------------------------- */
/* Conversions to this type, from each type: gi_cast_f32_i64(x). */
#if GI_CLASS == 0
#define GI_CAST(TAG, from, F, name) GI_FORMULA bool gi_cast_b8_##from(F x) { return gi_truth_##from(x); }
GI_EACH_BOOL(GI_CAST) GI_EACH_INT(GI_CAST) GI_EACH_FLT(GI_CAST) GI_EACH_COMPLEX(GI_CAST)
#undef GI_CAST
#endif
#if GI_CLASS == 4
#define GI_CAST(TAG, from, F, name)                                                                                     \
    GI_FORMULA GA_T GI_JOIN(GA_FN(cast), _##from)(F x) { return GA_FN(make)((GI_R)x, 0); }
GI_EACH_BOOL(GI_CAST) GI_EACH_INT(GI_CAST) GI_EACH_FLT(GI_CAST)
#undef GI_CAST
#define GI_CAST(TAG, from, F, name)                                                                                     \
    GI_FORMULA GA_T GI_JOIN(GA_FN(cast), _##from)(F x) { return GA_FN(make)((GI_R)x.re, (GI_R)x.im); }
GI_EACH_COMPLEX(GI_CAST)
#undef GI_CAST
#endif
#if GI_CLASS >= 1 && GI_CLASS <= 3
#if GI_CLASS == 3 /* a choice vectorises */
GI_FORMULA GA_T GI_JOIN(GA_FN(cast), _b8)(bool x) { return x ? (GA_T)1 : (GA_T)0; }
#else
GI_FORMULA GA_T GI_JOIN(GA_FN(cast), _b8)(bool x) { return (GA_T)x; }
#endif
#define GI_CAST(TAG, from, F, name) GI_FORMULA GA_T GI_JOIN(GA_FN(cast), _##from)(F x) { return (GA_T)x; }
GI_EACH_INT(GI_CAST)
#if GI_CLASS == 3
GI_EACH_FLT(GI_CAST)
#else
#undef GI_CAST
/* Saturates; NaN gives 0. C leaves a cast of what does not fit undefined, and processors differ. Of integers up to int32, x is brought into
   the range first: compilers make no vectors of a cast that is done only for some. (The highest int32 is no float32; `most` is the next lower.) */
#define GI_CAST(TAG, from, F, name)                                                                                     \
    GI_FORMULA GA_T GI_JOIN(GA_FN(cast), _##from)(F x)                                                                 \
    {                                                                                                                  \
        if (sizeof(GA_T) > 4 || (sizeof(GA_T) == 4 && GA_FN(lowest) == 0))                                             \
            return x >= (F)GA_FN(highest) ? GA_FN(highest) : x <= (F)GA_FN(lowest) ? GA_FN(lowest) : x == x ? (GA_T)x : (GA_T)0; \
        const bool above = sizeof(GA_T) == sizeof(F) && x >= (F)GA_FN(highest);                                        \
        const F    most  = sizeof(GA_T) == sizeof(F) ? (F)2147483520 : (F)GA_FN(highest);                              \
        F          c     = GA_FN(lowest) == 0 || x == x ? x : (F)0;                                                    \
        c                = c > (F)GA_FN(lowest) ? c : (F)GA_FN(lowest);                                                \
        const GA_T within = (GA_T)(int32_t)(c < most ? c : most);                                                      \
        return above ? GA_FN(highest) : within;                                                                        \
    }
GI_EACH_FLT(GI_CAST)
#endif
#undef GI_CAST
#define GI_CAST(TAG, from, F, name)                                                                                     \
    GI_FORMULA GA_T GI_JOIN(GA_FN(cast), _##from)(F x) { return GI_JOIN(GA_FN(cast), GI_JOIN(_, GI_RTAG_##from))(x.re); }
GI_EACH_COMPLEX(GI_CAST)
#undef GI_CAST
#endif

/* Accumulators and results of reductions, by the words of the table. */
typedef GI_JOIN(gi_, GI_WIDE_TAG) GI_NAME(gi_acc_WIDE);
typedef GI_JOIN(gi_, GI_MEAN_TAG) GI_NAME(gi_acc_MEAN);
typedef GA_T    GI_NAME(gi_acc_SAME);
typedef bool    GI_NAME(gi_acc_BOOL);
typedef int64_t GI_NAME(gi_acc_COUNT);
typedef GI_JOIN(gi_, GI_SUM_TAG) GI_NAME(gi_end_SUM);
typedef GI_JOIN(gi_, GI_AVERAGE_TAG) GI_NAME(gi_end_AVERAGE);
typedef GA_T    GI_NAME(gi_end_SAME);
typedef bool    GI_NAME(gi_end_BOOL);
typedef int64_t GI_NAME(gi_end_COUNT);
/* clang-format on */

#endif /* GI_PASS == 2 */
#if GI_PASS == 3
#ifdef GPUARR_USER_FORMULAS
#define GI_USER_FORMULAS
#include "../../gpuarr.h"
#undef GI_USER_FORMULAS
#endif
/* ---- >>rows of one element type: gi_op_add_f32(x, y) --------------------------------------------------------------- */
#define GI_OP(name) GI_NAME(gi_op_##name)
#define GA_UNARY(name, dtypes, result, formula, ...)                                                                           \
    GI_IF_##dtypes(GI_FORMULA GI_RESULT_##result GI_OP(name)(GA_T x) { return (formula); })
#define GA_BINARY(name, dtypes, result, formula, ...)                                                                          \
    GI_IF_##dtypes(GI_FORMULA GI_RESULT_##result GI_OP(name)(GA_T x, GA_T y) { return (formula); })
#define GA_TERNARY(name, dtypes, result, formula, ...)                                                                         \
    GI_IF_##dtypes(GI_FORMULA GI_RESULT_##result GI_OP(name)(GA_T x, GA_T y, GA_T z) { return (formula); })
#if GI_CLASS == 3
#define GA_ELEMENTARY(name, ...)                                                                                               \
    GI_FORMULA GA_T GI_OP(name)(GA_T x) { return GA_FN(name##_rare)(x) ? GA_FN(name##_slow)(x) : GA_FN(name##_core)(x); }
#define GA_ELEMENTARY2(name, ...)                                                                                              \
    GI_FORMULA GA_T GI_OP(name)(GA_T x, GA_T y)                                                                                \
    {                                                                                                                          \
        return GA_FN(name##_rare)(x, y) ? GA_FN(name##_slow)(x, y) : GA_FN(name##_core)(x, y);                                 \
    }
#else
#define GA_ELEMENTARY(name, dtypes, ...) GI_IF_##dtypes(GI_FORMULA GA_T GI_OP(name)(GA_T x) { return GA_FN(name)(x); })
#define GA_ELEMENTARY2(name, dtypes, ...)                                                                                      \
    GI_IF_##dtypes(GI_FORMULA GA_T GI_OP(name)(GA_T x, GA_T y) { return GA_FN(name)(x, y); })
#endif
#define GA_TABLE
#include "table.h"
#undef GI_OP

#if GI_CLASS == 3
#define GI_ANY GI_FLAG
#elif GI_CLASS == 4
#define GI_ANY bool
#else
#define GI_ANY GA_T
#endif
/* Which of n elements is the first that equals x, or, when x is NaN, the first NaN? There is one. */
GI_FORMULA int64_t GA_FN(first_equal)(int64_t n, const GI_STORED *v, GA_T x)
{
    enum { STEP = 16 }; /* compared at once */
    int64_t i = 0;
    if (GA_FN(equal)(x, x)) {
        for (; i + STEP < n; i += STEP) {
            GI_ANY any = 0;
            for (int k = 0; k < STEP; k++) any = (GI_ANY)(any | (GI_ANY)GA_FN(equal)(v[i + k], x));
            if (any) break;
        }
        while (i < n - 1 && !GA_FN(equal)(v[i], x)) i++;
    } else
        while (i < n - 1 && GA_FN(equal)(v[i], v[i])) i++;
    return i;
}
#undef GI_ANY

/* Is x, which comes after `best`, to be preferred? */
GI_FORMULA bool GA_FN(is_better)(GA_T x, GA_T best, bool largest, bool skip_nan)
{
    const bool nan = !GA_FN(equal)(x, x);
    if (nan != !GA_FN(equal)(best, best)) return nan != skip_nan;
    return !nan && !(largest ? GA_FN(less_equal)(x, best) : GA_FN(less_equal)(best, x));
}

/* Of n lines side by side, `best` are the extremes so far, and `extremes` those of the rows from number k on. Lines that are no_better
   are left out. */
static inline void GA_FN(take_better)(int64_t n, const bool *no_better, const GI_STORED *extremes, const void *const *rows,
                                      int count, GI_STORED *best, int64_t *places, int64_t k, bool largest, bool skip_nan)
{
    const bool *at = no_better, *beyond = no_better + n;
    for (; at < beyond && (at = (const bool *)memchr(at, 0, (size_t)(beyond - at))) != NULL; at++) { /* few, or NaN */
        const int64_t i   = at - no_better;
        const GA_T    x   = extremes[i];
        const bool    nan = !GA_FN(equal)(x, x);
        int           r   = 0;
        if (!GA_FN(is_better)(x, best[i], largest, skip_nan)) continue;
        for (; r < count - 1; r++) { /* the first one */
            const GA_T y = ((const GI_STORED *)rows[r])[i];
            if (nan ? !GA_FN(equal)(y, y) : GA_FN(equal)(y, x)) break;
        }
        best[i]   = x;
        places[i] = k + r;
    }
}

#endif /* GI_PASS == 3 */
#if GI_PASS == 4
#include "../cpu/type.h"

#endif
#if GI_PASS == 5
#include "../cuda/type.h"
#endif
#if GI_PASS == 6
#include "../cuda/program_rows.h"
#endif
