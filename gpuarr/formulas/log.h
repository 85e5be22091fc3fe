/* ==== >>elementary functions ========================================================================================= */
/* ---- log ---------------------------------------------------------------------------------------------------------------- */
/* log, log2, log10, log1p, arcsinh, arccosh, arctanh, cbrt   (f32 and f64; base.h first)

   Logarithms: x = 2^e (1+f) with 1+f in [sqrt(1/2), sqrt(2)), by integer operations on the bits.  log(1+f) is a head,
   f - f^2/2 rounded, and a tail below 0.024: f32 takes the tail from one polynomial, f64 from the series of
   2 arctanh(f / (2+f)).  e ln 2 is split so that its high part is exact; it and the head are added with their
   rounding error kept, and the small terms come last: below 0.93 ulp.
   log1p carries the rounding error of 1+x along; arcsinh and arccosh are log1p of a sum whose low part is carried too.
   arctanh is e ln(2)/2 + arctanh(s), s small, by one division.
   cbrt is a polynomial guess at m^(-1/3), m in [1, 8), one polynomial step, and one correction from the exact residual:
   no division, almost correctly rounded.
   arcsinh and arccosh need a square root that compilers vectorise: they do so with -fno-math-errno, or without it where
   sqrt and sqrtf are declared again with __attribute__((const)) and called by these names.
   Coefficients and the bounds beside them: tools/sollya/log.sollya, log_bases.py.  Accuracy: tests/ulp.c. */

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

GI_FORMULA float  gi_log_sqrt_f32(float x) { return gi_root_f32(x); }
GI_FORMULA double gi_log_sqrt_f64(double x) { return gi_root_f64(x); }

GI_FORMULA float  gi_log_nan_f32(void) { return gi_from_bits_f32(0x7fc00000u); }
GI_FORMULA double gi_log_nan_f64(void) { return gi_from_bits_f64(0x7ff8000000000000ull); }

GI_FORMULA float  gi_log_infinity_f32(void) { return gi_from_bits_f32(0x7f800000u); }
GI_FORMULA double gi_log_infinity_f64(void) { return gi_from_bits_f64(0x7ff0000000000000ull); }

/* |size| with the sign of x */
GI_FORMULA float gi_log_signed_f32(float size, float x)
{
    return gi_from_bits_f32((gi_bits_f32(size) & 0x7fffffffu) | (gi_bits_f32(x) & 0x80000000u));
}

GI_FORMULA double gi_log_signed_f64(double size, double x)
{
    return gi_from_bits_f64((gi_bits_f64(size) & 0x7fffffffffffffffull) | (gi_bits_f64(x) & 0x8000000000000000ull));
}

/* The bits of x > 0 (normal), moved so that the exponent field steps at sqrt(1/2) 2^k: the field is e + bias. */
GI_FORMULA uint32_t gi_log_shifted_f32(float x) { return gi_bits_f32(x) + (0x3f800000u - 0x3f3504f3u); }
GI_FORMULA uint64_t gi_log_shifted_f64(double x) { return gi_bits_f64(x) + (0x3ff0000000000000ull - 0x3fe6a09e667f3bcdull); }

/* e, from the shifted bits, by the integer-in-the-mantissa trick */
GI_FORMULA float gi_log_exponent_f32(uint32_t shifted)
{
    return gi_from_bits_f32((shifted >> 23) | 0x4b000000u) - (0x1p23f + 127.0f);
}

GI_FORMULA double gi_log_exponent_f64(uint64_t shifted)
{
    return gi_from_bits_f64((shifted >> 52) | 0x4330000000000000ull) - (0x1p52 + 1023.0);
}

/* f, exact, in [-0.293, 0.4143) */
GI_FORMULA float gi_log_fraction_f32(uint32_t shifted)
{
    return gi_from_bits_f32((shifted & 0x007fffffu) + 0x3f3504f3u) - 1.0f;
}

GI_FORMULA double gi_log_fraction_f64(uint64_t shifted)
{
    return gi_from_bits_f64((shifted & 0x000fffffffffffffull) + 0x3fe6a09e667f3bcdull) - 1.0;
}

/* c0 + c1 f + ... + c7 f^7 */
GI_FORMULA float gi_log_polynomial_f32(float f, float c0, float c1, float c2, float c3, float c4, float c5, float c6, float c7)
{
    float z   = f * f;
    float p01 = gi_fma_f32(c1, f, c0), p23 = gi_fma_f32(c3, f, c2), p45 = gi_fma_f32(c5, f, c4), p67 = gi_fma_f32(c7, f, c6);
    return gi_fma_f32(gi_fma_f32(p67, z, p45), z * z, gi_fma_f32(p23, z, p01));
}

/* log(1+f) = f - f^2/2 + f^3 p(f); relative error in log(1+f): 2^-26.9 */
GI_FORMULA float gi_log_series_f32(float f)
{
    return gi_log_polynomial_f32(f, 0x1.55556ap-2f, -0x1.000234p-2f, 0x1.9996f4p-3f, -0x1.5468bcp-3f, 0x1.236e96p-3f,
                                 -0x1.0e5db8p-3f, 0x1.025b78p-3f, -0x1.2ddf6cp-4f);
}

/* log(1+f) = 2 arctanh(s) = f - f^2/2 + s (f^2/2 + z p(z)), s = f / (2+f), z = s^2; relative error 2^-59.4 */
GI_FORMULA double gi_log_series_f64(double z)
{
    double w    = z * z;
    double p012 = gi_fma_f64(0x1.24924941dc60dp-2, w, gi_fma_f64(0x1.999999997ff58p-2, z, 0x1.5555555555592p-1));
    double p34  = gi_fma_f64(0x1.74663bf27f228p-3, z, 0x1.c71c5218e11ccp-3);
    double p56  = gi_fma_f64(0x1.2f02bc1e5f362p-3, z, 0x1.39a2024cdf709p-3);
    return gi_fma_f64(gi_fma_f64(p56, w, p34), w * z, p012);
}

/* log(1+f) = *head + tail, the tail below 0.024 (head = f - f^2/2 rounded): tail + small is returned. */
GI_FORMULA float gi_log_tail_f32(float f, float small, float *head)
{
    float h    = 0.5f * f;
    float sum  = gi_fma_f32(-h, f, f);
    float lost = gi_fma_f32(-h, f, f - sum);
    *head      = sum;
    return gi_fma_f32(f * (f * f), gi_log_series_f32(f), lost + small);
}

GI_FORMULA double gi_log_tail_f64(double f, double small, double *head)
{
    double s    = f / (2.0 + f);
    double z    = s * s;
    double h    = 0.5 * f;
    double sum  = gi_fma_f64(-h, f, f);
    double lost = gi_fma_f64(-h, f, f - sum);
    *head       = sum;
    return gi_fma_f64(s, gi_fma_f64(z, gi_log_series_f64(z), gi_mul_f64(h, f)), lost + small);
}

/* big + head + tail, where |big| >= |head| or big = 0: the rounding error of big + head joins the tail */
GI_FORMULA float gi_log_join_f32(float big, float head, float tail)
{
    float sum  = big + head;
    float lost = head - (sum - big);
    return sum + (tail + lost);
}

GI_FORMULA double gi_log_join_f64(double big, double head, double tail)
{
    double sum  = big + head;
    double lost = head - (sum - big);
    return sum + (tail + lost);
}

/* log2(1+f) = scale f - scale f^2/2 + f^3 p(f), scale/2 as float32: error 0.08 units in the last place of the logarithm (log_bases.py) */
GI_FORMULA float gi_log2_series_f32(float f)
{
    return gi_log_polynomial_f32(f, 0x1.ec7098p-2f, -0x1.7157d4p-2f, 0x1.277c7ep-2f, -0x1.eb1ad2p-3f, 0x1.a36d34p-3f,
                                 -0x1.853022p-3f, 0x1.7a554ap-3f, -0x1.c44532p-4f);
}

/* log10(1+f) in the same way */
GI_FORMULA float gi_log10_series_f32(float f)
{
    return gi_log_polynomial_f32(f, 0x1.287a76p-3f, -0x1.bcba9ep-4f, 0x1.63ca16p-4f, -0x1.27ca86p-4f, 0x1.f9b31ep-5f,
                                 -0x1.d337b6p-5f, 0x1.c28682p-5f, -0x1.0da066p-5f);
}

/* Logarithm to another base: scale f to twice the precision, and the rest, f^2 (f series - scale/2); big + small is the power of 2,
   |big| >= |scale f| or big = 0 */
GI_FORMULA float gi_log_scaled_f32(float f, float scale, float scale_low, float series, float big, float small)
{
    float z = f * f, half = -0.5f * scale;
    float high = gi_mul_f32(f, scale), sum = big + high;
    float lost = gi_fma_f32(f, scale, -high) + (high - (sum - big));
    float rest = gi_fma_f32(gi_fma_f32(f, f, -z), half, gi_fma_f32(f, scale_low, small) + lost);
    return sum + gi_fma_f32(z, gi_fma_f32(f, series, half), rest);
}

/* The same: scale (head + tail), head * scale to twice the precision */
GI_FORMULA double gi_log_scaled_f64(double f, double scale, double scale_low, double big, double small)
{
    double head;
    double tail = gi_log_tail_f64(f, 0.0, &head);
    double high = gi_mul_f64(head, scale);
    double low  = gi_fma_f64(head, scale_low, gi_fma_f64(head, scale, -high));
    return gi_log_join_f64(big, high, gi_fma_f64(tail, scale, low) + small);
}

/* 1 unless x is positive, finite and normal */
GI_FORMULA uint32_t gi_log_unusual_f32(float x) { return gi_bits_f32(x) - 0x00800000u >= 0x7f000000u; }

GI_FORMULA uint64_t gi_log_unusual_f64(double x) { return gi_bits_f64(x) - 0x0010000000000000ull >= 0x7fe0000000000000ull; }

/* ---- log --------------------------------------------------------------------------------------------------------- */

/* log(x) + shift ln 2, x positive normal: (e ln2 + f) - f^2/2 + ..., where the rounding error of the first sum joins the rest. So three
   roundings count: of the whole, and of f^2/2 and the rest, which are a fifth of the result at most. */
GI_FORMULA float gi_log_plus_f32(float x, float shift)
{
    uint32_t shifted = gi_log_shifted_f32(x);
    float    e       = gi_log_exponent_f32(shifted) + shift;
    float    f = gi_log_fraction_f32(shifted), big = gi_mul_f32(e, 0x1.62e4p-1f), sum = big + f;
    float    small = gi_fma_f32(e, 0x1.7f7d1cp-20f, f - (sum - big));
    return sum + gi_fma_f32(f * f, gi_fma_f32(f, gi_log_series_f32(f), -0.5f), small);
}

GI_FORMULA double gi_log_plus_f64(double x, double shift)
{
    uint64_t shifted = gi_log_shifted_f64(x);
    double   e       = gi_log_exponent_f64(shifted) + shift;
    double   f = gi_log_fraction_f64(shifted), big = gi_mul_f64(e, 0x1.62e42fefa38p-1), sum = big + f;
    double   small = gi_fma_f64(e, 0x1.ef35793c7673p-45, f - (sum - big));
    double   s = f / (2.0 + f), z = s * s, h = 0.5 * f;
    return sum + gi_fma_f64(-h, f, gi_fma_f64(s, gi_fma_f64(z, gi_log_series_f64(z), gi_mul_f64(h, f)), small));
}

GI_FORMULA float  gi_log_core_f32(float x) { return gi_log_plus_f32(x, 0.0f); }
GI_FORMULA double gi_log_core_f64(double x) { return gi_log_plus_f64(x, 0.0); }

GI_FORMULA uint32_t gi_log_rare_f32(float x) { return gi_log_unusual_f32(x); }
GI_FORMULA uint64_t gi_log_rare_f64(double x) { return gi_log_unusual_f64(x); }

/* what every logarithm gives for +-0, negative, infinite and NaN arguments */
GI_SLOW float gi_log_special_f32(float x)
{
    if (x == 0.0f) return -gi_log_infinity_f32();
    return gi_bits_f32(x) == 0x7f800000u ? x : gi_log_nan_f32();
}

GI_SLOW double gi_log_special_f64(double x)
{
    if (x == 0.0) return -gi_log_infinity_f64();
    return gi_bits_f64(x) == 0x7ff0000000000000ull ? x : gi_log_nan_f64();
}

/* 1 for positive denormals */
GI_FORMULA int gi_log_denormal_f32(float x) { return gi_bits_f32(x) - 1u < 0x007fffffu; }
GI_FORMULA int gi_log_denormal_f64(double x) { return gi_bits_f64(x) - 1u < 0x000fffffffffffffull; }

GI_SLOW float gi_log_slow_f32(float x)
{
    return gi_log_denormal_f32(x) ? gi_log_plus_f32(x * 0x1p24f, -24.0f) : gi_log_special_f32(x);
}

GI_SLOW double gi_log_slow_f64(double x)
{
    return gi_log_denormal_f64(x) ? gi_log_plus_f64(x * 0x1p54, -54.0) : gi_log_special_f64(x);
}

/* ---- log2: exact for powers of two ------------------------------------------------------------------------------- */

GI_FORMULA float gi_log2_plus_f32(float x, float shift)
{
    uint32_t shifted = gi_log_shifted_f32(x);
    float    e       = gi_log_exponent_f32(shifted) + shift;
    float    f       = gi_log_fraction_f32(shifted);
    return gi_log_scaled_f32(f, 0x1.715476p0f, 0x1.4ae0cp-26f, gi_log2_series_f32(f), e, 0.0f);
}

GI_FORMULA double gi_log2_plus_f64(double x, double shift)
{
    uint64_t shifted = gi_log_shifted_f64(x);
    double   e       = gi_log_exponent_f64(shifted) + shift;
    return gi_log_scaled_f64(gi_log_fraction_f64(shifted), 0x1.71547652b82fep0, 0x1.777d0ffda0d24p-56, e, 0.0);
}

GI_FORMULA float  gi_log2_core_f32(float x) { return gi_log2_plus_f32(x, 0.0f); }
GI_FORMULA double gi_log2_core_f64(double x) { return gi_log2_plus_f64(x, 0.0); }

GI_FORMULA uint32_t gi_log2_rare_f32(float x) { return gi_log_unusual_f32(x); }
GI_FORMULA uint64_t gi_log2_rare_f64(double x) { return gi_log_unusual_f64(x); }

GI_SLOW float gi_log2_slow_f32(float x)
{
    return gi_log_denormal_f32(x) ? gi_log2_plus_f32(x * 0x1p24f, -24.0f) : gi_log_special_f32(x);
}

GI_SLOW double gi_log2_slow_f64(double x)
{
    return gi_log_denormal_f64(x) ? gi_log2_plus_f64(x * 0x1p54, -54.0) : gi_log_special_f64(x);
}

/* ---- log10: exact for powers of ten ------------------------------------------------------------------------------ */

GI_FORMULA float gi_log10_plus_f32(float x, float shift)
{
    uint32_t shifted = gi_log_shifted_f32(x);
    float    e       = gi_log_exponent_f32(shifted) + shift;
    float    f       = gi_log_fraction_f32(shifted);
    return gi_log_scaled_f32(f, 0x1.bcb7b2p-2f, -0x1.5b235ep-27f, gi_log10_series_f32(f), gi_mul_f32(e, 0x1.3442p-2f),
                             gi_mul_f32(e, -0x1.95ec1p-19f));
}

GI_FORMULA double gi_log10_plus_f64(double x, double shift)
{
    uint64_t shifted = gi_log_shifted_f64(x);
    double   e       = gi_log_exponent_f64(shifted) + shift;
    return gi_log_scaled_f64(gi_log_fraction_f64(shifted), 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57,
                             gi_mul_f64(e, 0x1.34413509f78p-2), gi_mul_f64(e, 0x1.fef311f12b358p-46));
}

GI_FORMULA float  gi_log10_core_f32(float x) { return gi_log10_plus_f32(x, 0.0f); }
GI_FORMULA double gi_log10_core_f64(double x) { return gi_log10_plus_f64(x, 0.0); }

GI_FORMULA uint32_t gi_log10_rare_f32(float x) { return gi_log_unusual_f32(x); }
GI_FORMULA uint64_t gi_log10_rare_f64(double x) { return gi_log_unusual_f64(x); }

GI_SLOW float gi_log10_slow_f32(float x)
{
    return gi_log_denormal_f32(x) ? gi_log10_plus_f32(x * 0x1p24f, -24.0f) : gi_log_special_f32(x);
}

GI_SLOW double gi_log10_slow_f64(double x)
{
    return gi_log_denormal_f64(x) ? gi_log10_plus_f64(x * 0x1p54, -54.0) : gi_log_special_f64(x);
}

/* ---- log1p ------------------------------------------------------------------------------------------------------- */

/* log(1 + y + low), y > -1 and below 2^126 (f32), 2^1022 (f64), |low| at most half an ulp of y.  With u = 1+y rounded
   and error = 1+y-u:  u + error + low = 2^e (1 + f + (error + low) / 2^e).  Where e is 0, f + error is y itself. */
GI_FORMULA float gi_log1p_sum_f32(float y, float low)
{
    float    u       = 1.0f + y;
    float    back    = u - 1.0f;
    float    error   = (1.0f - (u - back)) + (y - back);
    uint32_t shifted = gi_log_shifted_f32(u);
    float    e       = gi_log_exponent_f32(shifted);
    float    scale   = gi_from_bits_f32(0x7f000000u - (shifted & 0xff800000u)); /* 2^-e */
    float    f       = gi_log_fraction_f32(shifted);
    float    more    = gi_mul_f32(error, scale);
    float    g       = f + more;
    float    rest    = gi_fma_f32(low, scale, (f - g) + more);
    rest             = gi_fma_f32(-rest, g, rest); /* rest / (1+g), nearly */
    float head;
    float tail = gi_log_tail_f32(g, gi_fma_f32(e, 0x1.7f7d1cp-20f, rest), &head);
    return gi_log_join_f32(gi_mul_f32(e, 0x1.62e4p-1f), head, tail);
}

GI_FORMULA double gi_log1p_sum_f64(double y, double low)
{
    double   u       = 1.0 + y;
    double   back    = u - 1.0;
    double   error   = (1.0 - (u - back)) + (y - back);
    uint64_t shifted = gi_log_shifted_f64(u);
    double   e       = gi_log_exponent_f64(shifted);
    double   scale   = gi_from_bits_f64(0x7fe0000000000000ull - (shifted & 0xfff0000000000000ull));
    double   f       = gi_log_fraction_f64(shifted);
    double   more    = gi_mul_f64(error, scale);
    double   g       = f + more;
    double   rest    = gi_fma_f64(low, scale, (f - g) + more);
    rest             = gi_fma_f64(-rest, g, rest);
    double head;
    double tail = gi_log_tail_f64(g, gi_fma_f64(e, 0x1.ef35793c7673p-45, rest), &head);
    return gi_log_join_f64(gi_mul_f64(e, 0x1.62e42fefa38p-1), head, tail);
}

/* the sign of x survives everywhere, also that of -0 */
GI_FORMULA float  gi_log1p_core_f32(float x) { return gi_log_signed_f32(gi_log1p_sum_f32(x, 0.0f), x); }
GI_FORMULA double gi_log1p_core_f64(double x) { return gi_log_signed_f64(gi_log1p_sum_f64(x, 0.0), x); }

/* x <= -1, x >= 2^126 (f32) or 2^1022 (f64), NaN */
GI_FORMULA uint32_t gi_log1p_rare_f32(float x)
{
    uint32_t bits = gi_bits_f32(x);
    return (uint32_t)(bits >= 0xbf800000u) | (uint32_t)(bits - 0x7e800000u < 0x01800000u);
}

GI_FORMULA uint64_t gi_log1p_rare_f64(double x)
{
    uint64_t bits = gi_bits_f64(x);
    return (uint64_t)(bits >= 0xbff0000000000000ull) | (uint64_t)(bits - 0x7fd0000000000000ull < 0x0030000000000000ull);
}

GI_SLOW float gi_log1p_slow_f32(float x)
{
    if (x == -1.0f) return -gi_log_infinity_f32();
    return gi_log_unusual_f32(x) ? gi_log_special_f32(x) : gi_log_plus_f32(x, 0.0f);
}

GI_SLOW double gi_log1p_slow_f64(double x)
{
    if (x == -1.0) return -gi_log_infinity_f64();
    return gi_log_unusual_f64(x) ? gi_log_special_f64(x) : gi_log_plus_f64(x, 0.0);
}

/* ---- arcsinh = sign(x) log1p(a + a^2 / (1 + sqrt(1 + a^2))), a = |x| --------------------------------------------- */

GI_FORMULA float gi_arcsinh_core_f32(float x)
{
    float a = gi_from_bits_f32(gi_bits_f32(x) & 0x7fffffffu);
    float t = gi_mul_f32(a, a) / (1.0f + gi_log_sqrt_f32(gi_fma_f32(a, a, 1.0f))); /* <= a */
    float y = a + t;
    return gi_log_signed_f32(gi_log1p_sum_f32(y, t - (y - a)), x);
}

GI_FORMULA double gi_arcsinh_core_f64(double x)
{
    double a = gi_from_bits_f64(gi_bits_f64(x) & 0x7fffffffffffffffull);
    double t = gi_mul_f64(a, a) / (1.0 + gi_log_sqrt_f64(gi_fma_f64(a, a, 1.0)));
    double y = a + t;
    return gi_log_signed_f64(gi_log1p_sum_f64(y, t - (y - a)), x);
}

/* |x| >= 2^60, NaN */
GI_FORMULA uint32_t gi_arcsinh_rare_f32(float x) { return (gi_bits_f32(x) & 0x7fffffffu) >= 0x5d800000u; }

GI_FORMULA uint64_t gi_arcsinh_rare_f64(double x) { return (gi_bits_f64(x) & 0x7fffffffffffffffull) >= 0x43b0000000000000ull; }

/* log(2 |x|) there */
GI_SLOW float gi_arcsinh_slow_f32(float x)
{
    float a = gi_from_bits_f32(gi_bits_f32(x) & 0x7fffffffu);
    if (x != x) return gi_log_nan_f32();
    return gi_log_unusual_f32(a) ? x : gi_log_signed_f32(gi_log_plus_f32(a, 1.0f), x);
}

GI_SLOW double gi_arcsinh_slow_f64(double x)
{
    double a = gi_from_bits_f64(gi_bits_f64(x) & 0x7fffffffffffffffull);
    if (x != x) return gi_log_nan_f64();
    return gi_log_unusual_f64(a) ? x : gi_log_signed_f64(gi_log_plus_f64(a, 1.0), x);
}

/* ---- arccosh = log1p(t + sqrt(t^2 + 2 t)), t = x - 1 ------------------------------------------------------------- */

GI_FORMULA float gi_arccosh_core_f32(float x)
{
    float t    = x - 1.0f;
    float root = gi_log_sqrt_f32(gi_fma_f32(t, t, 2.0f * t)); /* >= t */
    float y    = root + t;
    return gi_log1p_sum_f32(y, t - (y - root));
}

GI_FORMULA double gi_arccosh_core_f64(double x)
{
    double t    = x - 1.0;
    double root = gi_log_sqrt_f64(gi_fma_f64(t, t, 2.0 * t));
    double y    = root + t;
    return gi_log1p_sum_f64(y, t - (y - root));
}

/* outside [1, 2^60), NaN */
GI_FORMULA uint32_t gi_arccosh_rare_f32(float x) { return gi_bits_f32(x) - 0x3f800000u >= 0x1e000000u; }

GI_FORMULA uint64_t gi_arccosh_rare_f64(double x) { return gi_bits_f64(x) - 0x3ff0000000000000ull >= 0x03c0000000000000ull; }

GI_SLOW float gi_arccosh_slow_f32(float x)
{
    if (!(x >= 1.0f)) return gi_log_nan_f32();
    return gi_log_unusual_f32(x) ? x : gi_log_plus_f32(x, 1.0f);
}

GI_SLOW double gi_arccosh_slow_f64(double x)
{
    if (!(x >= 1.0)) return gi_log_nan_f64();
    return gi_log_unusual_f64(x) ? x : gi_log_plus_f64(x, 1.0);
}

/* ---- arctanh ----------------------------------------------------------------------------------------------------- */

/* With a = |x| and e near log2((1+a) / (1-a)):  arctanh(a) = e ln(2)/2 + arctanh(s),
   s = ((1+a) - 2^e (1-a)) / ((1+a) + 2^e (1-a)) = (a (2^e+1) - (2^e-1)) / ((2^e+1) - a (2^e-1)): each side is one fma,
   as 2^e+1 is exact.  e comes from the difference of the bit patterns of 1+a and 1-a, a rough logarithm, stepping at
   e + 2/3: |s| stays below 0.2434 and is well below the result where e > 0.  Where e = 0, s is a. */
GI_FORMULA float gi_arctanh_core_f32(float x)
{
    float    a       = gi_from_bits_f32(gi_bits_f32(x) & 0x7fffffffu);
    uint32_t shifted = gi_bits_f32(1.0f + a) - gi_bits_f32(1.0f - a) + 0x002aaaabu;
    float    power   = gi_from_bits_f32((shifted & 0xff800000u) + 0x3f800000u);
    float    e       = gi_from_bits_f32((shifted >> 23) | 0x4b000000u) - 0x1p23f;
    float    s       = gi_fma_f32(a, power + 1.0f, 1.0f - power) / gi_fma_f32(a, 1.0f - power, power + 1.0f);
    float    z       = s * s;
    float    p01     = gi_fma_f32(0x1.99a0c6p-3f, z, 0x1.55555p-2f); /* relative error 2^-32.3 */
    float    p23     = gi_fma_f32(0x1.006c88p-3f, z, 0x1.231ee8p-3f);
    float    tail    = gi_fma_f32(gi_mul_f32(s, z), gi_fma_f32(p23, z * z, p01), gi_mul_f32(e, 0x1.7f7d1cp-21f));
    return gi_log_signed_f32(gi_log_join_f32(gi_mul_f32(e, 0x1.62e4p-2f), s, tail), x);
}

GI_FORMULA double gi_arctanh_core_f64(double x)
{
    double   a       = gi_from_bits_f64(gi_bits_f64(x) & 0x7fffffffffffffffull);
    uint64_t shifted = gi_bits_f64(1.0 + a) - gi_bits_f64(1.0 - a) + 0x0005555555555555ull;
    double   power   = gi_from_bits_f64((shifted & 0xfff0000000000000ull) + 0x3ff0000000000000ull);
    double   e       = gi_from_bits_f64((shifted >> 52) | 0x4330000000000000ull) - 0x1p52;
    double   s       = gi_fma_f64(a, power + 1.0, 1.0 - power) / gi_fma_f64(a, 1.0 - power, power + 1.0);
    double   z       = s * s;
    double   w       = z * z;
    double   p01     = gi_fma_f64(0x1.99999999c333bp-3, z, 0x1.55555555554b9p-2); /* relative error 2^-57.4 */
    double   p23     = gi_fma_f64(0x1.c71c86fd277bfp-4, z, 0x1.2492490657134p-3);
    double   p45     = gi_fma_f64(0x1.3b89ae882826p-4, z, 0x1.7458fc43c462cp-4);
    double   p67     = gi_fma_f64(0x1.32f72159b975dp-4, z, 0x1.09745ab63e0dbp-4);
    double   p       = gi_fma_f64(gi_fma_f64(p67, w, p45), w * w, gi_fma_f64(p23, w, p01));
    double   tail    = gi_fma_f64(gi_mul_f64(s, z), p, gi_mul_f64(e, 0x1.ef35793c7673p-46));
    return gi_log_signed_f64(gi_log_join_f64(gi_mul_f64(e, 0x1.62e42fefa38p-2), s, tail), x);
}

/* |x| >= 1 - 2^-22 (f32), 1 - 2^-51 (f64), NaN */
GI_FORMULA uint32_t gi_arctanh_rare_f32(float x) { return (gi_bits_f32(x) & 0x7fffffffu) >= 0x3f7ffffcu; }

GI_FORMULA uint64_t gi_arctanh_rare_f64(double x) { return (gi_bits_f64(x) & 0x7fffffffffffffffull) >= 0x3feffffffffffffcull; }

/* (log(1+a) - log(1-a)) / 2, where log(1-a) is large */
GI_SLOW float gi_arctanh_slow_f32(float x)
{
    float a = gi_from_bits_f32(gi_bits_f32(x) & 0x7fffffffu);
    if (!(a <= 1.0f)) return gi_log_nan_f32();
    if (a == 1.0f) return gi_log_signed_f32(gi_log_infinity_f32(), x);
    return gi_log_signed_f32(0.5f * (gi_log_plus_f32(1.0f + a, 0.0f) - gi_log_plus_f32(1.0f - a, 0.0f)), x);
}

GI_SLOW double gi_arctanh_slow_f64(double x)
{
    double a = gi_from_bits_f64(gi_bits_f64(x) & 0x7fffffffffffffffull);
    if (!(a <= 1.0)) return gi_log_nan_f64();
    if (a == 1.0) return gi_log_signed_f64(gi_log_infinity_f64(), x);
    return gi_log_signed_f64(0.5 * (gi_log_plus_f64(1.0 + a, 0.0) - gi_log_plus_f64(1.0 - a, 0.0)), x);
}

/* ---- cbrt -------------------------------------------------------------------------------------------------------- */

/* |x| = 2^(3k) m, m in [1, 8); y ~ m^(-1/3); c = m y^2 ~ cbrt(m); then one Newton step c + (m - c^3) y^2 / 3, where the
   residual m - c^3 is exact to far below an ulp.  Good for normal x; +-0 stays. */
GI_FORMULA float gi_cbrt_core_f32(float x)
{
    uint32_t bits     = gi_bits_f32(x) & 0x7fffffffu;
    float    field    = gi_from_bits_f32((bits >> 23) | 0x4b000000u) - (0x1p23f + 2.0f);
    uint32_t third    = gi_bits_f32(gi_fma_f32(field, 0x1.555556p-2f, 0x1.8p23f)) - 0x4b400000u; /* k + 42 */
    float    m        = gi_from_bits_f32(bits - ((third * 3u - 126u) << 23));
    float    y        = gi_fma_f32(gi_fma_f32(gi_fma_f32(-0x1.4e1776p-9f, m, 0x1.77f884p-5f), m, -0x1.305768p-2f), m,
                                   0x1.3cad5cp0f); /* relative error 2^-5.8 */
    float    e        = gi_fma_f32(gi_mul_f32(-m, y), gi_mul_f32(y, y), 1.0f);
    float    step     = gi_mul_f32(e, gi_fma_f32(0x1.c7cff4p-3f, e, 0x1.55aedp-2f)); /* 2^-17.3 */
    y                 = gi_fma_f32(y, step, y);
    float    square   = gi_mul_f32(y, y);
    float    c        = gi_mul_f32(m, square);
    float    c2       = gi_mul_f32(c, c);
    float    c2_low   = gi_fma_f32(c, c, -c2);
    float    residual = gi_fma_f32(-c2_low, c, gi_fma_f32(-c2, c, m));
    float    root     = gi_fma_f32(residual, gi_mul_f32(square, 0x1.555556p-2f), c);
    uint32_t result   = gi_bits_f32(root) + ((third - 42u) << 23);
    return gi_from_bits_f32(gi_pick_u32(bits == 0u, 0u, result) | (gi_bits_f32(x) & 0x80000000u));
}

GI_FORMULA double gi_cbrt_core_f64(double x)
{
    uint64_t bits     = gi_bits_f64(x) & 0x7fffffffffffffffull;
    double   field    = gi_from_bits_f64((bits >> 52) | 0x4330000000000000ull) - (0x1p52 + 1.0);
    uint64_t third    = gi_bits_f64(gi_fma_f64(field, 0x1.5555555555555p-2, 0x1p52)) - 0x4330000000000000ull; /* k + 341 */
    double   m        = gi_from_bits_f64(bits - ((third + (third << 1) - 1023u) << 52));
    double   y        = gi_fma_f64(0x1.32dd5c0d97e02p-11, m, -0x1.a98c4d93a9f38p-7);
    y                 = gi_fma_f64(gi_fma_f64(gi_fma_f64(y, m, 0x1.bc6f3f7f882e4p-4), m, -0x1.c369e4a6a9344p-2), m,
                                   0x1.56739c6238f73p0); /* relative error 2^-7.1 */
    double e          = gi_fma_f64(gi_mul_f64(-m, y), gi_mul_f64(y, y), 1.0);
    double p01        = gi_fma_f64(0x1.c71c702f879a5p-3, e, 0x1.555554cd86c7dp-2); /* 2^-34.7 */
    double p23        = gi_fma_f64(0x1.27222643ce7fcp-3, e, 0x1.621e8a4bf05b2p-3);
    double step       = gi_mul_f64(e, gi_fma_f64(p23, gi_mul_f64(e, e), p01));
    y                 = gi_fma_f64(y, step, y);
    double   square   = gi_mul_f64(y, y);
    double   c        = gi_mul_f64(m, square);
    double   c2       = gi_mul_f64(c, c);
    double   c2_low   = gi_fma_f64(c, c, -c2);
    double   residual = gi_fma_f64(-c2_low, c, gi_fma_f64(-c2, c, m));
    double   root     = gi_fma_f64(residual, gi_mul_f64(square, 0x1.5555555555555p-2), c);
    uint64_t result   = gi_bits_f64(root) + ((third - 341u) << 52);
    return gi_from_bits_f64(gi_pick_u64(bits == 0u, 0u, result) | (gi_bits_f64(x) & 0x8000000000000000ull));
}

/* denormals (0 is not one), infinities, NaN */
GI_FORMULA uint32_t gi_cbrt_rare_f32(float x)
{
    uint32_t bits = gi_bits_f32(x) & 0x7fffffffu;
    return (uint32_t)(bits - 1u < 0x007fffffu) | (uint32_t)(bits >= 0x7f800000u);
}

GI_FORMULA uint64_t gi_cbrt_rare_f64(double x)
{
    uint64_t bits = gi_bits_f64(x) & 0x7fffffffffffffffull;
    return (uint64_t)(bits - 1u < 0x000fffffffffffffull) | (uint64_t)(bits >= 0x7ff0000000000000ull);
}

GI_SLOW float gi_cbrt_slow_f32(float x)
{
    if (x != x) return gi_log_nan_f32();
    if ((gi_bits_f32(x) & 0x7fffffffu) == 0x7f800000u) return x;
    return gi_cbrt_core_f32(x * 0x1p24f) * 0x1p-8f;
}

GI_SLOW double gi_cbrt_slow_f64(double x)
{
    if (x != x) return gi_log_nan_f64();
    if ((gi_bits_f64(x) & 0x7fffffffffffffffull) == 0x7ff0000000000000ull) return x;
    return gi_cbrt_core_f64(x * 0x1p54) * 0x1p-18;
}
