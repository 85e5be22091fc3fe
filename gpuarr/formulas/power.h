/* ---------------------------------------------------------------------------------------------------------- power */

/* log2(x), x > 0, any float as a double.  Error 2^-38.5 relative to log2 of the mantissa part. */
GI_FORMULA double gi_power_log2_f32(double x)
{
    uint64_t t  = gi_bits_f64(x) - 0x3fe6a09e667f3bcdu + 0x3ff0000000000000u; /* mantissa from sqrt(1/2) on */
    double   n  = gi_from_bits_f64((t >> 52) | 0x4330000000000000u) - (0x1p52 + 1023.0);
    double   f  = gi_from_bits_f64((t & 0x000fffffffffffffu) + 0x3fe6a09e667f3bcdu) - 1.0;
    double   f2 = f * f, f4 = f2 * f2;
    double   p0   = gi_fma_f64(-0x1.71547651b6f4cp-1, f, 0x1.71547652b58f1p0);
    double   p1   = gi_fma_f64(-0x1.715478885e34cp-2, f, 0x1.ec709de34054bp-2);
    double   p2   = gi_fma_f64(-0x1.ec6f2dee28718p-3, f, 0x1.2776b6cb61bdfp-2);
    double   p3   = gi_fma_f64(-0x1.7188d552e68c8p-3, f, 0x1.a61b7e440b68fp-3);
    double   p4   = gi_fma_f64(-0x1.23d6302371cebp-3, f, 0x1.481fa60f3bcf9p-3);
    double   p5   = gi_fma_f64(-0x1.13b9548893d2fp-3, f, 0x1.0ace164dcab52p-3);
    double   p6   = gi_fma_f64(-0x1.1da433e237e3dp-4, f, 0x1.0f6261c984131p-3);
    double   high = gi_fma_f64(p6, f4, gi_fma_f64(p5, f2, p4));
    high          = gi_fma_f64(high, f4, gi_fma_f64(p3, f2, p2));
    return gi_fma_f64(gi_fma_f64(high, f4, gi_fma_f64(p1, f2, p0)), f, n);
}
/* 2^t to float, any t but NaN: error 2^-34.3 before the rounding to float */
GI_FORMULA float gi_power_exp2_f32(double t)
{
    double in      = gi_clamp_f64(t, -200.0, 200.0);
    double shifted = in + GI_ROUND_F64;
    double r = in - (shifted - GI_ROUND_F64), r2 = r * r;
    double p0 = gi_fma_f64(0x1.62e42ff0e191dp-1, r, 1.0);
    double p1 = gi_fma_f64(0x1.c6b08ac06c325p-5, r, 0x1.ebfbe0778724bp-3);
    double p2 = gi_fma_f64(0x1.5d8a85fe7833cp-10, r, 0x1.3b29f39d4d49cp-7);
    double p3 = gi_fma_f64(0x1.fde5fe328a61ep-17, r, 0x1.445c840469a21p-13);
    double y  = gi_fma_f64(gi_fma_f64(gi_fma_f64(p3, r2, p2), r2, p1), r2, p0);
    return (float)gi_from_bits_f64(gi_bits_f64(y) + (gi_bits_f64(shifted) << 52));
}
GI_FORMULA float gi_power_core_f32(float x, float y)
{
    float    shifted = y + GI_ROUND_F32;
    int      broken  = (x < 0.0f) & (shifted - GI_ROUND_F32 != y);    /* y is no integer */
    uint32_t sign    = (gi_bits_f32(shifted) << 31) & gi_bits_f32(x); /* x < 0 and y odd */
    double   a       = (double)gi_from_bits_f32(gi_bits_f32(x) & 0x7fffffffu);
    float    z       = gi_power_exp2_f32(gi_mul_f64(gi_power_log2_f32(a), (double)y));
    return broken ? GI_NAN_F32 : gi_from_bits_f32(gi_bits_f32(z) | sign);
}
/* Rare: x is 0, inf or NaN; |y| >= 2^22, inf or NaN. */
GI_FORMULA uint32_t gi_power_rare_f32(float x, float y)
{
    uint32_t a = gi_bits_f32(x) & 0x7fffffffu, b = gi_bits_f32(y) & 0x7fffffffu;
    return (uint32_t)(a - 1u >= 0x7f7fffffu) | (uint32_t)(b >= 0x4a800000u);
}

/* log of x > 0 normal, as hi + lo, less (bias - 1023) ln2 */
GI_FORMULA void gi_power_log_f64(double x, double bias, double *log_hi, double *log_lo)
{
    uint64_t t = gi_bits_f64(x) - 0x3fe6a09e667f3bcdu + 0x3ff0000000000000u; /* mantissa from sqrt(1/2) on */
    double   n = gi_from_bits_f64((t >> 52) | 0x4330000000000000u) - (0x1p52 + bias);
    double   f = gi_from_bits_f64((t & 0x000fffffffffffffu) + 0x3fe6a09e667f3bcdu) - 1.0;
    /* s + s_lo = f / (2 + f) */
    double d = 2.0 + f, d_lo = f - (d - 2.0);
    double inverse = 1.0 / d;
    double s       = gi_mul_f64(f, inverse);
    double s_lo    = gi_fma_f64(-s, d_lo, gi_fma_f64(-s, d, f)) * inverse;
    double z = gi_mul_f64(s, s), z_lo = gi_fma_f64(s + s, s_lo, gi_fma_f64(s, s, -z));
    /* log(1 + f) = 2 s + s^3 (2/3 + z q(z)) */
    double z2 = z * z, z4 = z2 * z2;
    double q0   = gi_fma_f64(0x1.2492492492f4bp-2, z, 0x1.9999999999996p-2);
    double q1   = gi_fma_f64(0x1.745d1828c79ebp-3, z, 0x1.c71c71c59796ap-3);
    double q2   = gi_fma_f64(0x1.1120692f23eb2p-3, z, 0x1.3b1364f1016b4p-3);
    double q3   = gi_fma_f64(0x1.eabe236a2466ap-4, z, 0x1.de3e606605b35p-4);
    double q    = gi_fma_f64(gi_fma_f64(q3, z2, q2), z4, gi_fma_f64(q1, z2, q0));
    double c    = gi_fma_f64(z, q, 0x1.5555555555555p-1);
    double c_lo = gi_fma_f64(z_lo, q, gi_fma_f64(z, q, 0x1.5555555555555p-1 - c) + 0x1.5555555555555p-55);
    double w = gi_mul_f64(s, z), w_lo = gi_fma_f64(s_lo, z, gi_fma_f64(s, z_lo, gi_fma_f64(s, z, -w)));
    double v = gi_mul_f64(w, c), v_lo = gi_fma_f64(w, c_lo, gi_fma_f64(w_lo, c, gi_fma_f64(w, c, -v)));
    /* n ln2 (42 bits: exact) + 2 s + v, then all the small parts */
    double n_ln2 = gi_mul_f64(n, 0x1.62e42fefa38p-1);
    double a = gi_fma_f64(2.0, s, n_ln2), a_lo = gi_fma_f64(2.0, s, n_ln2 - a);
    double b = a + v, b_lo = (a - b) + v;
    double rest = gi_fma_f64(n, 0x1.ef35793c7673p-45, gi_fma_f64(2.0, s_lo, v_lo)) + (a_lo + b_lo);
    *log_hi     = b + rest;
    *log_lo     = (b - *log_hi) + rest;
}
GI_FORMULA double gi_power_core_f64(double x, double y)
{
    double   shifted = y + GI_ROUND_F64;
    int      broken  = (x < 0.0) & (shifted - GI_ROUND_F64 != y);     /* y is no integer */
    uint64_t sign    = (gi_bits_f64(shifted) << 63) & gi_bits_f64(x); /* x < 0 and y odd */
    double   log_hi, log_lo;
    gi_power_log_f64(gi_from_bits_f64(gi_bits_f64(x) & 0x7fffffffffffffffu), 1023.0, &log_hi, &log_lo);
    double t = gi_mul_f64(y, log_hi), t_lo = gi_fma_f64(y, log_lo, gi_fma_f64(y, log_hi, -t));
    double z = gi_exp_any_f64(t, t_lo);
    return broken ? GI_NAN_F64 : gi_from_bits_f64(gi_bits_f64(z) | sign);
}
/* Rare: x is 0, denormal, inf or NaN; |y| >= 2^30, inf or NaN. */
GI_FORMULA uint64_t gi_power_rare_f64(double x, double y)
{
    uint64_t a = gi_bits_f64(x) & 0x7fffffffffffffffu, b = gi_bits_f64(y) & 0x7fffffffffffffffu;
    return (uint64_t)(a - 0x0010000000000000u >= 0x7fe0000000000000u) | (uint64_t)(b >= 0x41d0000000000000u);
}

/* Any x and y, by the rules of C99 annex F. */
GI_FORMULA double gi_power_slow_f64(double x, double y)
{
    uint64_t infinity = 0x7ff0000000000000u, sign_bit = 0x8000000000000000u;
    uint64_t a_bits = gi_bits_f64(x) & ~sign_bit, b_bits = gi_bits_f64(y) & ~sign_bit;
    double   a = gi_from_bits_f64(a_bits), b = gi_from_bits_f64(b_bits);
    uint64_t y_negative = gi_bits_f64(y) >> 63;
    if (x == 1.0 || b_bits == 0) return 1.0;
    if (a_bits > infinity || b_bits > infinity) return GI_NAN_F64;
    int      integer = b >= 0x1p53 || (double)(int64_t)b == b; /* inf too */
    int      odd     = b < 0x1p53 && integer && ((int64_t)b & 1);
    uint64_t sign    = odd ? gi_bits_f64(x) & sign_bit : 0;
    uint64_t z;
    if (b_bits == infinity) {
        if (a == 1.0) return 1.0;
        z = (uint64_t)(a > 1.0) != y_negative ? infinity : 0u;
    } else if (a_bits == 0 || a_bits == infinity) {
        z = (uint64_t)(a_bits != 0) != y_negative ? infinity : 0;
    } else if (x < 0.0 && !integer) {
        return GI_NAN_F64;
    } else {
        double log_hi, log_lo;
        int    denormal = a_bits < 0x0010000000000000u;
        gi_power_log_f64(denormal ? a * 0x1p54 : a, denormal ? 1077.0 : 1023.0, &log_hi, &log_lo);
        if (b > 0x1p64) y = y_negative ? -0x1p64 : 0x1p64; /* 0, 1 or inf all the same */
        double t = gi_mul_f64(y, log_hi), t_lo = gi_fma_f64(y, log_lo, gi_fma_f64(y, log_hi, -t));
        if (t > 720.0 || t < -760.0) t_lo = 0.0;
        z = gi_bits_f64(gi_exp_any_f64(t, t_lo));
    }
    return gi_from_bits_f64(z | sign);
}
/* In double nothing overflows, and what is odd or special in float is so in double. */
GI_FORMULA float gi_power_slow_f32(float x, float y)
{
    if (x == 1.0f || y == 0.0f) return 1.0f;
    if (x != x || y != y) return GI_NAN_F32;
    double z = gi_power_slow_f64((double)x, (double)y);
    return z != z ? GI_NAN_F32 : (float)z;
}

/* Plain numbers as exponents for which x^y is a product or a root; section >>primitives has the formulas. */
#define GI_EASY_POWERS(X) X(minus_one, -1.0) X(half, 0.5) X(three_halves, 1.5) X(square, 2.0) X(cube, 3.0)

/* ------------------------------------------------------------------------------------------------------ logaddexp */

/* sum + rest = log(1 + u), 2^-97 <= u <= 1 (f64: 2^-895), any u <= 1 if guard is 0: above 1/2 as
   ln2 + log(1 + f), f = (u - 1) / 2, so -1/4 <= f <= 1/2.  The guard, far below u, keeps products from becoming
   denormal, which is slow on some machines.  Polynomial error 2^-27.6 (f32), 2^-55.9 (f64). */
#define GI_GUARD_F32 0x1p-124f
#define GI_GUARD_F64 0x1p-960
GI_FORMULA void gi_log1p_unit_f32(float u, float guard, float *sum, float *rest)
{
    uint32_t big = (uint32_t)(u > 0.5f);
    float    f   = gi_pick_f32(big, gi_fma_f32(0.5f, u, -0.5f), u);
    float    hi = gi_pick_f32(big, 0x1.62e43p-1f, 0.0f), lo = gi_pick_f32(big, -0x1.05c61p-29f, guard);
    float    f2 = gi_fma_f32(f, f, guard);
    float    p0 = gi_fma_f32(-0x1.000042p-2f, f, 0x1.5555a4p-2f);
    float    p1 = gi_fma_f32(-0x1.54ef16p-3f, f, 0x1.996966p-3f);
    float    p2 = gi_fma_f32(-0x1.0d93fcp-3f, f, 0x1.2886bap-3f);
    float    p3 = gi_fma_f32(-0x1.713e14p-5f, f, 0x1.aca096p-4f);
    float    p  = gi_fma_f32(gi_fma_f32(gi_fma_f32(p3, f2, p2), f2, p1), f2, p0);
    *sum        = hi + f;
    *rest       = gi_fma_f32(f2, gi_fma_f32(f, p, -0.5f), lo) + (f - (*sum - hi));
}
GI_FORMULA void gi_log1p_unit_f64(double u, double guard, double *sum, double *rest)
{
    uint64_t big = (uint64_t)(u > 0.5);
    double   f   = gi_pick_f64(big, gi_fma_f64(0.5, u, -0.5), u);
    double   hi = gi_pick_f64(big, 0x1.62e42fefa39efp-1, 0.0), lo = gi_pick_f64(big, 0x1.abc9e3b39803fp-56, guard);
    double   s = f / (2.0 + f), z = gi_fma_f64(s, s, guard), z2 = gi_fma_f64(z, z, guard);
    double   q0 = gi_fma_f64(0x1.99999998f0626p-2, z, 0x1.5555555555777p-1);
    double   q1 = gi_fma_f64(0x1.c71c012e18dcp-3, z, 0x1.249249b26f469p-2);
    double   q2 = gi_fma_f64(0x1.38520f4d5db06p-3, z, 0x1.7474ec1ccdc57p-3);
    double   q  = gi_fma_f64(gi_fma_f64(gi_fma_f64(0x1.3ac489c1407b6p-3, z2, q2), z2, q1), z2, q0);
    *sum        = hi + f;
    *rest       = gi_fma_f64(-s, gi_fma_f64(-z, q, f), lo) + (f - (*sum - hi));
}
/* high = max(x, y), d + d_lo = min(x, y) - high exactly, 0 for equal infinities.
   d_lo means nothing where d is infinite. */
GI_FORMULA void gi_logaddexp_order_f32(float x, float y, float *high, float *d, float *d_lo)
{
    uint32_t same = (uint32_t)(x == y);
    *high         = gi_pick_f32((uint32_t)(x > y), x, y);
    float low     = gi_from_bits_f32(gi_bits_f32(x) ^ gi_bits_f32(y) ^ gi_bits_f32(*high));
    float sum = low - *high, part = sum - low;
    float error = (low - (sum - part)) - (*high + part);
    *d          = gi_pick_f32(same, 0.0f, sum);
    *d_lo       = gi_pick_f32(same, 0.0f, error);
}
GI_FORMULA void gi_logaddexp_order_f64(double x, double y, double *high, double *d, double *d_lo)
{
    uint64_t same = (uint64_t)(x == y);
    *high         = gi_pick_f64((uint64_t)(x > y), x, y);
    double low    = gi_from_bits_f64(gi_bits_f64(x) ^ gi_bits_f64(y) ^ gi_bits_f64(*high));
    double sum = low - *high, part = sum - low;
    double error = (low - (sum - part)) - (*high + part);
    *d           = gi_pick_f64(same, 0.0, sum);
    *d_lo        = gi_pick_f64(same, 0.0, error);
}
/* The sum is rounded (almost) once; high + 0 where high is all or infinite (-0 + 0 is 0).
   Rare: exp(d) is about denormal (the core takes it as 0) and the larger argument so near 0 that it matters; then
   x y is near 0 and x + y the lower one. */
GI_FORMULA float gi_logaddexp_core_f32(float x, float y)
{
    float high, d, d_lo;
    gi_logaddexp_order_f32(x, y, &high, &d, &d_lo);
    float sum, rest;
    gi_log1p_unit_f32(gi_exp_normal_f32(d, d_lo), GI_GUARD_F32, &sum, &rest);
    float    total = high + sum, part = total - high;
    float    error = (high - (total - part)) + (sum - part);
    uint32_t alone = (uint32_t)(d < -67.0f) | (uint32_t)(high - high != 0.0f);
    float    z     = gi_pick_f32(alone, high + 0.0f, total + (error + rest));
    return gi_pick_f32((uint32_t)(d != d), GI_NAN_F32, z);
}
GI_FORMULA uint32_t gi_logaddexp_rare_f32(float x, float y)
{
    float sum = x + y, product = gi_from_bits_f32(gi_bits_f32(x * y) & 0x7fffffffu);
    return (uint32_t)(product < 0x1p-70f) & (uint32_t)(sum < -66.0f) & (uint32_t)(sum > -105.0f);
}
GI_FORMULA float gi_logaddexp_slow_f32(float x, float y)
{
    float high, d, d_lo;
    gi_logaddexp_order_f32(x, y, &high, &d, &d_lo);
    float sum, rest;
    gi_log1p_unit_f32(gi_exp_any_f32(d, d_lo), 0.0f, &sum, &rest);
    return high + (sum + rest);
}

GI_FORMULA double gi_logaddexp_core_f64(double x, double y)
{
    double high, d, d_lo;
    gi_logaddexp_order_f64(x, y, &high, &d, &d_lo);
    double sum, rest;
    gi_log1p_unit_f64(gi_exp_normal_f64(d, d_lo), GI_GUARD_F64, &sum, &rest);
    double   total = high + sum, part = total - high;
    double   error = (high - (total - part)) + (sum - part);
    uint64_t alone = (uint64_t)(d < -620.0) | (uint64_t)(high - high != 0.0);
    double   z     = gi_pick_f64(alone, high + 0.0, total + (error + rest));
    return gi_pick_f64((uint64_t)(d != d), GI_NAN_F64, z);
}
GI_FORMULA uint64_t gi_logaddexp_rare_f64(double x, double y)
{
    double sum = x + y, product = gi_from_bits_f64(gi_bits_f64(x * y) & 0x7fffffffffffffffu);
    return (uint64_t)(product < 0x1p-800) & (uint64_t)(sum < -619.0) & (uint64_t)(sum > -747.0);
}
GI_FORMULA double gi_logaddexp_slow_f64(double x, double y)
{
    double high, d, d_lo;
    gi_logaddexp_order_f64(x, y, &high, &d, &d_lo);
    double sum, rest;
    gi_log1p_unit_f64(gi_exp_any_f64(d, d_lo), 0.0, &sum, &rest);
    return high + (sum + rest);
}

GI_FORMULA float gi_hypot_f32(float x, float y)
{
    return gi_hypot_rare_f32(x, y) ? gi_hypot_slow_f32(x, y) : gi_hypot_core_f32(x, y);
}
GI_FORMULA double gi_hypot_f64(double x, double y)
{
    return gi_hypot_rare_f64(x, y) ? gi_hypot_slow_f64(x, y) : gi_hypot_core_f64(x, y);
}
