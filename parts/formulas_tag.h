/* ==== >>primitives and formulas of one element type: GA_TAG is set, GA_T is its C type ============================ */

#define GI_CLASS GI_JOIN(GI_CLASS_, GA_TAG) /* 0 bool, 1 signed, 2 unsigned, 3 float, 4 complex */

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

#elif GI_CLASS == 1 || GI_CLASS == 2
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
GI_FORMULA GA_T GA_FN(reciprocal)(GA_T x) { return (GA_T)(x == 1 ? 1 : x == (GA_T)-1 ? x : 0); } /* 1 / 0 gives 0 */
GI_FORMULA GA_T GA_FN(floor)(GA_T x) { return x; }
GI_FORMULA GA_T GA_FN(ceil)(GA_T x) { return x; }
GI_FORMULA GA_T GA_FN(trunc)(GA_T x) { return x; }
enum { GA_FN(bits) = 8 * sizeof(GA_T) };
#if GI_CLASS == 1
GI_FORMULA GA_T GA_FN(abs)(GA_T x) { return x < 0 ? GA_FN(neg)(x) : x; }
GI_FORMULA GA_T GA_FN(sign)(GA_T x) { return (GA_T)((x > 0) - (x < 0)); }
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
GI_FORMULA GA_T GA_FN(right_shift)(GA_T x, GA_T y) { return y >= 0 && y < GA_FN(bits) ? (GA_T)(x >> y) : (GA_T)(x < 0 ? -1 : 0); }
#else
GI_FORMULA GA_T GA_FN(abs)(GA_T x) { return x; }
GI_FORMULA GA_T GA_FN(sign)(GA_T x) { return (GA_T)(x > 0); }
GI_FORMULA GA_T GA_FN(fmod)(GA_T x, GA_T y) { return y == 0 ? (GA_T)0 : (GA_T)(x % y); }
GI_FORMULA GA_T GA_FN(remainder)(GA_T x, GA_T y) { return GA_FN(fmod)(x, y); }
GI_FORMULA GA_T GA_FN(floor_divide)(GA_T x, GA_T y) { return y == 0 ? (GA_T)0 : (GA_T)(x / y); }
GI_FORMULA GA_T GA_FN(left_shift)(GA_T x, GA_T y) { return y < GA_FN(bits) ? (GA_T)((GI_W)x << y) : (GA_T)0; }
GI_FORMULA GA_T GA_FN(right_shift)(GA_T x, GA_T y) { return y < GA_FN(bits) ? (GA_T)(x >> y) : (GA_T)0; }
#endif
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

#elif GI_CLASS == 3
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
/* A NaN wins; of two equal ones (+0 and -0) the first. */
GI_FORMULA GA_T GA_FN(maximum)(GA_T a, GA_T b) { return ((a >= b) | (a != a)) ? a : b; }
GI_FORMULA GA_T GA_FN(minimum)(GA_T a, GA_T b) { return ((a <= b) | (a != a)) ? a : b; }
GI_FORMULA GA_T GA_FN(fmax)(GA_T a, GA_T b) { return ((a >= b) | (b != b)) ? a : b; }
GI_FORMULA GA_T GA_FN(fmin)(GA_T a, GA_T b) { return ((a <= b) | (b != b)) ? a : b; }
GI_FORMULA GA_T GA_FN(nan_to)(GA_T x, int v) { return x == x ? x : (GA_T)v; }
/* The remainder is exact; see NumPy's divmod for the rules of signs and infinities. */
GI_FORMULA GA_T GA_FN(fmod)(GA_T x, GA_T y) { return GA_FN(exact_fmod)(x, y); }
GI_FORMULA GA_T GA_FN(remainder)(GA_T x, GA_T y)
{
    GA_T r = GA_FN(fmod)(x, y);
    if (r == 0) return GI_BUILTIN(copysign)((GA_T)0, y);
    return (r < 0) != (y < 0) ? r + y : r;
}
GI_FORMULA GA_T GA_FN(floor_divide)(GA_T x, GA_T y)
{
    if (y == 0) return x / y;
    GA_T r = GA_FN(fmod)(x, y), q = (x - r) / y;
    if (r != 0 && (r < 0) != (y < 0)) q -= 1;
    if (q == 0) return GI_BUILTIN(copysign)((GA_T)0, x / y);
    GA_T whole = GI_BUILTIN(floor)(q);
    return q - whole > (GA_T)0.5 ? whole + 1 : whole;
}

#else /* complex */
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
GI_FORMULA GA_T GA_FN(mul)(GA_T a, GA_T b)
{
    return GA_FN(make)(GI_PART(mul)(a.re, b.re) - GI_PART(mul)(a.im, b.im), GI_PART(mul)(a.re, b.im) + GI_PART(mul)(a.im, b.re));
}
/* Smith's method, as NumPy: no overflow on the way. */
GI_FORMULA GA_T GA_FN(div)(GA_T a, GA_T b)
{
    GI_R re = GI_PART(abs)(b.re), im = GI_PART(abs)(b.im);
    if (re >= im) {
        if (re == 0 && im == 0) return GA_FN(make)(a.re / re, a.im / re);
        GI_R ratio = b.im / b.re, scale = 1 / (b.re + GI_PART(mul)(b.im, ratio));
        return GA_FN(make)((a.re + GI_PART(mul)(a.im, ratio)) * scale, (a.im - GI_PART(mul)(a.re, ratio)) * scale);
    }
    GI_R ratio = b.re / b.im, scale = 1 / (b.im + GI_PART(mul)(b.re, ratio));
    return GA_FN(make)((GI_PART(mul)(a.re, ratio) + a.im) * scale, (GI_PART(mul)(a.im, ratio) - a.re) * scale);
}
GI_FORMULA GI_R GA_FN(abs)(GA_T x) { return GI_PART(hypot)(x.re, x.im); }
GI_FORMULA GA_T GA_FN(sign)(GA_T x)
{
    GI_R length = GA_FN(abs)(x);
    if (length == 0) return GA_FN(make)(0, 0);
    return GA_FN(make)(x.re / length, x.im / length);
}
GI_FORMULA GA_T GA_FN(reciprocal)(GA_T x)
{
    if (GI_PART(abs)(x.re) <= GI_PART(abs)(x.im)) {
        GI_R ratio = x.re / x.im, size = x.im + GI_PART(mul)(x.re, ratio);
        return GA_FN(make)(ratio / size, -1 / size);
    }
    GI_R ratio = x.im / x.re, size = x.re + GI_PART(mul)(x.im, ratio);
    return GA_FN(make)(1 / size, -ratio / size);
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
#undef GI_PART
#endif

#if GI_CLASS < 4
GI_FORMULA GA_T GA_FN(real)(GA_T x) { return x; }
GI_FORMULA GA_T GA_FN(imag)(GA_T x) { return (void)x, (GA_T)0; }
GI_FORMULA GA_T GA_FN(conj)(GA_T x) { return x; }
#endif
#if GI_CLASS < 3
GI_FORMULA bool GA_FN(isnan)(GA_T x) { return (void)x, false; }
GI_FORMULA bool GA_FN(isinf)(GA_T x) { return (void)x, false; }
GI_FORMULA bool GA_FN(isfinite)(GA_T x) { return (void)x, true; }
GI_FORMULA GA_T GA_FN(fmax)(GA_T a, GA_T b) { return GA_FN(maximum)(a, b); }
GI_FORMULA GA_T GA_FN(fmin)(GA_T a, GA_T b) { return GA_FN(minimum)(a, b); }
GI_FORMULA GA_T GA_FN(nan_to)(GA_T x, int v) { return (void)v, x; }
#endif

