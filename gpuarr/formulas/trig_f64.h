/* ---- sin, cos, tan double ---- */

/* |x| reduced by pi/2; for |x| <= 2^32. */
GI_FORMULA gi_reduced_f64 gi_reduce_core_f64(double x)
{
    double         a       = gi_trig_abs_f64(x);
    double         shifted = gi_fma_f64(a, 0x1.45f306dc9c883p-1, 0x1.8p52); /* its low bits are the multiple k */
    double         minus_k = 0x1.8p52 - shifted;
    double         first   = gi_fma_f64(minus_k, 0x1.921fb54442d18p0, a); /* exact */
    gi_reduced_f64 r;
    r.hi       = first + gi_mul_f64(minus_k, 0x1.1a62633145c07p-54); /* not fused: so first - hi is exact */
    r.lo       = gi_fma_f64(minus_k, -0x1.f1976b7ed8fbcp-110, gi_fma_f64(minus_k, 0x1.1a62633145c07p-54, first - r.hi));
    r.quadrant = gi_bits_f64(shifted);
    return r;
}
/* sin(hi + lo) = hi + the result; c is near cos(hi); polynomial error 2^-57.9 */
GI_FORMULA double gi_sin_rest_f64(double hi, double lo, double c)
{
    double z  = hi * hi;
    double z2 = z * z;
    double p  = gi_fma_f64(0x1.5d8e6226d3797p-33, z, -0x1.ae5e54ffce7d3p-26);
    p         = gi_fma_f64(p, z2, gi_fma_f64(0x1.71de355fa46d5p-19, z, -0x1.a01a019bf2b7ap-13));
    p         = gi_fma_f64(p, z2, gi_fma_f64(0x1.111111110f76p-7, z, -0x1.5555555555548p-3));
    return gi_fma_f64(hi * z, p, gi_mul_f64(lo, c));
}
/* cos(hi + lo) = *head + the result; polynomial error 2^-63.9 */
GI_FORMULA double gi_cos_rest_f64(double hi, double lo, double *head)
{
    double z = hi * hi, h = -0.5 * hi;
    double one_less = gi_fma_f64(h, hi, 1.0);
    double lost     = gi_fma_f64(h, hi, 1.0 - one_less);
    double z2       = z * z;
    double p        = gi_fma_f64(-0x1.8fa6a86831e76p-37, z, 0x1.1ee9dc126f59fp-29);
    p               = gi_fma_f64(p, z2, gi_fma_f64(-0x1.27e4f7f1ee40dp-22, z, 0x1.a01a019c8f942p-16));
    p               = gi_fma_f64(p, z2, gi_fma_f64(-0x1.6c16c16c15018p-10, z, 0x1.555555555554bp-5));
    *head           = one_less;
    return gi_fma_f64(z * z, p, gi_fma_f64(-hi, lo, lost));
}
/* sin of quadrant * pi/2 + hi + lo, its sign turned by the sign bit in s */
GI_FORMULA double gi_sin_finish_f64(gi_reduced_f64 r, uint64_t quadrant, uint64_t s)
{
    double   cos_head;
    double   cos_rest = gi_cos_rest_f64(r.hi, r.lo, &cos_head);
    double   sin_rest = gi_sin_rest_f64(r.hi, r.lo, cos_head);
    uint64_t odd      = quadrant & 1u;
    double   y        = gi_pick_f64(odd, cos_head, r.hi) + gi_pick_f64(odd, cos_rest, sin_rest);
    return gi_trig_turn_f64(y, ((quadrant & 2u) << 62) ^ s);
}
GI_FORMULA double gi_tan_finish_f64(gi_reduced_f64 r, uint64_t s)
{
    double cos_head;
    double cos_rest = gi_cos_rest_f64(r.hi, r.lo, &cos_head);
    double sin_rest = gi_sin_rest_f64(r.hi, r.lo, cos_head);
    double c = cos_head + cos_rest, c_low = cos_rest - (c - cos_head);
    double d = r.hi + sin_rest, d_low = sin_rest - (d - r.hi);
    /* sin / cos, or -cos / sin in the odd quadrants */
    uint64_t odd   = r.quadrant & 1u;
    double   above = gi_pick_f64(odd, c, d), above_low = gi_pick_f64(odd, c_low, d_low);
    double   below = gi_pick_f64(odd, d, c), below_low = gi_pick_f64(odd, d_low, c_low);
    double   inverse = 1.0 / below, q = above * inverse;
    double   left = gi_fma_f64(-q, below_low, gi_fma_f64(-q, below, above) + above_low);
    return gi_trig_turn_f64(gi_fma_f64(left, inverse, q), (odd << 63) ^ s);
}
GI_FORMULA double gi_sin_core_f64(double x)
{
    gi_reduced_f64 r = gi_reduce_core_f64(x);
    return gi_sin_finish_f64(r, r.quadrant, gi_trig_sign_f64(x));
}
GI_FORMULA double gi_cos_core_f64(double x)
{
    gi_reduced_f64 r = gi_reduce_core_f64(x);
    return gi_sin_finish_f64(r, r.quadrant + 1u, 0);
}
GI_FORMULA double   gi_tan_core_f64(double x) { return gi_tan_finish_f64(gi_reduce_core_f64(x), gi_trig_sign_f64(x)); }
GI_FORMULA uint64_t gi_sin_rare_f64(double x) { return (uint64_t) !(gi_trig_abs_f64(x) <= 0x1p32); }
GI_FORMULA uint64_t gi_cos_rare_f64(double x) { return gi_sin_rare_f64(x); }
GI_FORMULA uint64_t gi_tan_rare_f64(double x) { return gi_sin_rare_f64(x); }
GI_SLOW double      gi_sin_slow_f64(double x)
{
    if (!gi_trig_beyond_f64(gi_trig_infinity_f64(), gi_trig_abs_f64(x))) return gi_trig_nan_f64();
    gi_reduced_f64 r = gi_reduce_slow_f64(x);
    return gi_sin_finish_f64(r, r.quadrant, gi_trig_sign_f64(x));
}
GI_SLOW double gi_cos_slow_f64(double x)
{
    if (!gi_trig_beyond_f64(gi_trig_infinity_f64(), gi_trig_abs_f64(x))) return gi_trig_nan_f64();
    gi_reduced_f64 r = gi_reduce_slow_f64(x);
    return gi_sin_finish_f64(r, r.quadrant + 1u, 0);
}
GI_SLOW double gi_tan_slow_f64(double x)
{
    if (!gi_trig_beyond_f64(gi_trig_infinity_f64(), gi_trig_abs_f64(x))) return gi_trig_nan_f64();
    return gi_tan_finish_f64(gi_reduce_slow_f64(x), gi_trig_sign_f64(x));
}

/* ---- arcsin, arccos double ---- */

/* For a = |x| <= 1: arcsin(a) = hi + lo where a <= 1/2, else pi/2 - 2 (hi + lo) and big is 1.
   Polynomial error 2^-59.9 */
typedef struct {
    double   hi, lo;
    uint64_t big;
} gi_arcsin_parts_f64;
GI_FORMULA gi_arcsin_parts_f64 gi_arcsin_split_f64(double a)
{
    gi_arcsin_parts_f64 r;
    r.big           = gi_trig_beyond_f64(a, 0.5);
    double z        = gi_pick_f64(r.big, gi_fma_f64(-0.5, a, 0.5), a * a);
    double root     = gi_trig_sqrt_f64(z);
    double root_low = 0.5 * gi_fma_f64(-root, root, z) * gi_trig_rough_rsqrt_f64(z);
    root_low        = gi_pick_f64(r.big, root_low, 0.0);
    r.hi            = gi_pick_f64(r.big, root, a);
    double z2 = z * z, z4 = z2 * z2;
    double p = gi_fma_f64(
        0x1.0b45e9f72edb3p-5, z4,
        gi_trig_cubic_f64(0x1.613c1e6ed73f2p-7, 0x1.e5fbe88dfba57p-9, 0x1.639a894e228e8p-6, -0x1.57fad0deac45ep-6, z, z2));
    p = gi_fma_f64(
        p, z4,
        gi_trig_cubic_f64(0x1.6e8bdedebf9dfp-6, 0x1.1c49f077d5bc7p-6, 0x1.ca1f8af1f0a3ap-7, 0x1.75859dad05d79p-7, z, z2));
    p = gi_fma_f64(
        p, z4,
        gi_trig_cubic_f64(0x1.5555555555577p-3, 0x1.333333332e133p-4, 0x1.6db6db721247bp-5, 0x1.f1c71a95002fbp-6, z, z2));
    r.lo = gi_fma_f64(r.hi * z, p, root_low);
    return r;
}
/* eighths * pi/4 + hi + lo, eighths 0 to 4, where |hi| <= eighths * pi/4 unless eighths is 0 */
GI_FORMULA double gi_angle_sum_f64(double eighths, double hi, double lo)
{
    double base     = gi_mul_f64(eighths, 0x1.921fb54442d18p-1);
    double base_low = gi_fma_f64(eighths, 0x1.1a62633145c07p-55, gi_fma_f64(eighths, 0x1.921fb54442d18p-1, -base));
    double sum      = base + hi;
    return sum + (((base - sum) + hi) + (base_low + lo));
}
GI_FORMULA double gi_arcsin_core_f64(double x)
{
    double              a       = gi_trig_abs_f64(x);
    gi_arcsin_parts_f64 r       = gi_arcsin_split_f64(a);
    double              factor  = gi_pick_f64(r.big, -2.0, 1.0);
    double              eighths = gi_pick_f64(r.big, 2.0, 0.0);
    double              y       = gi_angle_sum_f64(eighths, gi_mul_f64(r.hi, factor), gi_mul_f64(r.lo, factor));
    y                           = gi_trig_turn_f64(y, gi_trig_sign_f64(x));
    return gi_pick_f64(gi_trig_beyond_f64(a, 1.0), gi_trig_nan_f64(), y);
}
GI_FORMULA double gi_arccos_core_f64(double x)
{
    double              a        = gi_trig_abs_f64(x);
    gi_arcsin_parts_f64 r        = gi_arcsin_split_f64(a);
    uint64_t            negative = gi_trig_negative_f64(x);
    /* pi/2 - arcsin(x); big: 2 (hi + lo) for positive x and pi - 2 (hi + lo) for negative x */
    double eighths = gi_pick_f64(r.big, gi_pick_f64(negative, 4.0, 0.0), 2.0);
    double factor  = gi_trig_turn_f64(gi_pick_f64(r.big, 2.0, -1.0), gi_trig_sign_f64(x));
    double y       = gi_angle_sum_f64(eighths, gi_mul_f64(r.hi, factor), gi_mul_f64(r.lo, factor));
    return gi_pick_f64(gi_trig_beyond_f64(a, 1.0), gi_trig_nan_f64(), y);
}
GI_FORMULA uint64_t gi_arcsin_rare_f64(double x)
{
    (void)x;
    return 0;
}
GI_FORMULA uint64_t gi_arccos_rare_f64(double x)
{
    (void)x;
    return 0;
}
GI_FORMULA double gi_arcsin_slow_f64(double x) { return gi_arcsin_core_f64(x); }
GI_FORMULA double gi_arccos_slow_f64(double x) { return gi_arccos_core_f64(x); }

/* ---- arctan, arctan2 double ---- */

/* eighths * pi/4 + arctan(above / (below + below_low)), the arctan turned by the sign bit in s.
   The quotient in [-1/2, 1/2]; polynomial error 2^-57.8 */
GI_FORMULA double gi_arctan_quotient_f64(double above, double below, double below_low, double eighths, uint64_t s)
{
    double inverse = 1.0 / below, t = gi_mul_f64(above, inverse);
    double t_low = gi_fma_f64(-t, below_low, gi_fma_f64(-t, below, above)) * inverse;
    double z     = t * t;
    double z2 = z * z, z4 = z2 * z2;
    double p =
        gi_trig_cubic_f64(-0x1.a39864e5a4c39p-5, 0x1.56f5c027c5b34p-5, -0x1.c17fb6ad560d1p-6, 0x1.4b83dcb5d9702p-7, z, z2);
    p = gi_fma_f64(
        p, z4,
        gi_trig_cubic_f64(-0x1.745cf4cb39789p-4, 0x1.3b113dc14f3cdp-4, -0x1.10f31f1dac3ebp-4, 0x1.dfe977c6dc21ep-5, z, z2));
    p = gi_fma_f64(
        p, z4,
        gi_trig_cubic_f64(-0x1.5555555555516p-2, 0x1.9999999991142p-3, -0x1.249249215de3bp-3, 0x1.c71c7090e8ec7p-4, z, z2));
    double rest = gi_fma_f64(t * z, p, gi_fma_f64(-z, t_low, t_low)); /* 1 - z is near the derivative */
    return gi_angle_sum_f64(eighths, gi_trig_turn_f64(t, s), gi_trig_turn_f64(rest, s));
}
/* a = |x|: arctan(a) up to 1/2, pi/4 + arctan((a - 1) / (a + 1)) up to 2, pi/2 + arctan(-1 / a) beyond. */
GI_FORMULA double gi_arctan_core_f64(double x)
{
    double   a      = gi_trig_abs_f64(x);
    uint64_t middle = gi_trig_beyond_f64(a, 0.5), large = gi_trig_beyond_f64(a, 2.0);
    a          = gi_pick_f64(gi_trig_beyond_f64(a, 0x1p512), 0x1p512, a); /* beyond it the result is pi/2 anyway */
    double sum = 1.0 + a, sum_low = gi_pick_f64(middle & ~large, a - (sum - 1.0), 0.0);
    double above   = gi_pick_f64(middle, gi_pick_f64(large, -1.0, a - 1.0), a);
    double below   = gi_pick_f64(middle, gi_pick_f64(large, a, sum), 1.0);
    double eighths = gi_pick_f64(middle, gi_pick_f64(large, 2.0, 1.0), 0.0);
    double y       = gi_trig_turn_f64(gi_arctan_quotient_f64(above, below, sum_low, eighths, 0), gi_trig_sign_f64(x));
    return gi_pick_f64(gi_trig_is_nan_f64(x), gi_trig_nan_f64(), y);
}
GI_FORMULA uint64_t gi_arctan_rare_f64(double x)
{
    (void)x;
    return 0;
}
GI_FORMULA double gi_arctan_slow_f64(double x) { return gi_arctan_core_f64(x); }

/* As arctan on the smaller by the larger, in the octant told by which is larger, the sign of x and the quotient. */
GI_FORMULA double gi_arctan2_core_f64(double y, double x)
{
    double   ay = gi_trig_abs_f64(y), ax = gi_trig_abs_f64(x);
    uint64_t swap = gi_trig_beyond_f64(ay, ax), left = gi_trig_negative_f64(x), s = (swap ^ left) << 63;
    double   num = gi_pick_f64(swap, ax, ay), den = gi_pick_f64(swap, ay, ax);
    uint64_t upper = gi_trig_beyond_f64(num, 0.5 * den);
    double   sum = den + num, sum_low = gi_pick_f64(upper, num - (sum - den), 0.0);
    double   above = gi_pick_f64(upper, num - den, num), below = gi_pick_f64(upper, sum, den);
    double   eighths = gi_pick_f64(swap, 2.0, gi_pick_f64(left, 4.0, 0.0));
    eighths          = eighths + gi_trig_turn_f64(gi_pick_f64(upper, 1.0, 0.0), s);
    return gi_trig_turn_f64(gi_arctan_quotient_f64(above, below, sum_low, eighths, s), gi_trig_sign_f64(y));
}
/* 1 unless the larger of |y|, |x| is in [2^-512, 2^512] and the smaller also, or zero */
GI_FORMULA uint64_t gi_arctan2_rare_f64(double y, double x)
{
    double   ay = gi_trig_abs_f64(y), ax = gi_trig_abs_f64(x);
    uint64_t swap = gi_trig_beyond_f64(ay, ax);
    double   num = gi_pick_f64(swap, ax, ay), den = gi_pick_f64(swap, ay, ax);
    return gi_trig_beyond_f64(den, 0x1p512) | gi_trig_beyond_f64(0x1p-512, den) |
           (gi_trig_beyond_f64(0x1p-512, num) & gi_trig_beyond_f64(num, 0.0));
}
GI_SLOW double gi_arctan2_slow_f64(double y, double x)
{
    if (gi_trig_is_nan_f64(y) | gi_trig_is_nan_f64(x)) return gi_trig_nan_f64();
    double ay = gi_trig_abs_f64(y), ax = gi_trig_abs_f64(x), infinity = gi_trig_infinity_f64();
    /* a fair pair of the same angle */
    if (ay == ax) {
        ax = 1.0;
        if (ay != 0.0) ay = 1.0;
    } else if (ax == infinity || ay == 0.0) {
        ay = 0.0;
        ax = 1.0;
    } else if (ay == infinity || ax == 0.0) {
        ay = 1.0;
        ax = 0.0;
    } else {
        double up = ay < 0x1p512 && ax < 0x1p512 ? 0x1p60 : 1.0; /* out of the denormals, where that matters */
        ay *= up;
        ax *= up;
        int ey = (int)(gi_bits_f64(ay) >> 52) - 1023, ex = (int)(gi_bits_f64(ax) >> 52) - 1023;
        if (ex - ey > 60 && !gi_trig_negative_f64(x)) return gi_trig_turn_f64(ay / ax, gi_trig_sign_f64(y));
        /* the larger into [1, 2), in two steps because 2^-e may be out of range */
        int    e         = ey > ex ? ey : ex;
        double half_down = gi_from_bits_f64((uint64_t)(1023 - e / 2) << 52);
        double rest_down = gi_from_bits_f64((uint64_t)(1023 - (e - e / 2)) << 52);
        ay               = ay * half_down * rest_down;
        ax               = ax * half_down * rest_down;
        /* so far below the other that the result is pi/2 or pi */
        if (ay < 0x1p-512) ay = 0.0;
        if (ax < 0x1p-512) ax = 0.0;
    }
    return gi_arctan2_core_f64(gi_trig_turn_f64(ay, gi_trig_sign_f64(y)), gi_trig_turn_f64(ax, gi_trig_sign_f64(x)));
}

/* ---- hypot double ---- */

GI_FORMULA double gi_hypot_core_f64(double x, double y)
{
    double   ax = gi_trig_abs_f64(x), ay = gi_trig_abs_f64(y);
    uint64_t swap = gi_trig_beyond_f64(ay, ax);
    double   a = gi_pick_f64(swap, ay, ax), b = gi_pick_f64(swap, ax, ay); /* a >= b */
    double   aa = gi_mul_f64(a, a), sum = gi_fma_f64(b, b, aa);
    double   h = gi_trig_sqrt_f64(sum), hh = gi_mul_f64(h, h);
    /* h^2 - a^2 - b^2, nearly exact */
    double excess = gi_fma_f64(-b, b, hh - aa) + (gi_fma_f64(h, h, -hh) - gi_fma_f64(a, a, -aa));
    return gi_fma_f64(-0.5 * excess, gi_trig_rough_rsqrt_f64(sum), h);
}
/* 1 unless the larger of |x|, |y| is zero or in [2^-480, 2^480] */
GI_FORMULA uint64_t gi_hypot_rare_f64(double x, double y)
{
    double ax = gi_trig_abs_f64(x), ay = gi_trig_abs_f64(y);
    double a = gi_pick_f64(gi_trig_beyond_f64(ay, ax), ay, ax);
    return gi_trig_beyond_f64(a, 0x1p480) | (gi_trig_beyond_f64(0x1p-480, a) & gi_trig_beyond_f64(a, 0.0));
}
GI_SLOW double gi_hypot_slow_f64(double x, double y)
{
    double ax = gi_trig_abs_f64(x), ay = gi_trig_abs_f64(y), infinity = gi_trig_infinity_f64();
    if (ax == infinity || ay == infinity) return infinity;
    if (gi_trig_is_nan_f64(x) | gi_trig_is_nan_f64(y)) return gi_trig_nan_f64();
    if (ax > 0x1p480 || ay > 0x1p480) return gi_hypot_core_f64(x * 0x1p-700, y * 0x1p-700) * 0x1p700;
    return gi_hypot_core_f64(x * 0x1p700, y * 0x1p700) * 0x1p-700;
}

/* ---- nextafter double ---- */

GI_FORMULA double gi_nextafter_core_f64(double x, double y)
{
    uint64_t x_negative = gi_trig_negative_f64(x), y_negative = gi_trig_negative_f64(y);
    uint64_t x_mask = (uint64_t)0 - x_negative, y_mask = (uint64_t)0 - y_negative;
    /* as ordered integers, two's complement, both zeros 0 */
    uint64_t ox = ((gi_bits_f64(x) & 0x7fffffffffffffffull) ^ x_mask) - x_mask;
    uint64_t oy = ((gi_bits_f64(y) & 0x7fffffffffffffffull) ^ y_mask) - y_mask;
    uint64_t up = (uint64_t)((int64_t)oy > (int64_t)ox), down = (uint64_t)((int64_t)ox > (int64_t)oy);
    uint64_t o = ox + up - down, negative = o >> 63, mask = (uint64_t)0 - negative;
    uint64_t size = (o ^ mask) - mask;
    negative |= x_negative & (((uint64_t)0 - size) >> 63 ^ 1u); /* a negative x that steps up to zero gives -0 */
    double next = gi_pick_f64(up | down, gi_from_bits_f64(size | negative << 63), y);
    return gi_pick_f64(gi_trig_is_nan_f64(x) | gi_trig_is_nan_f64(y), gi_trig_nan_f64(), next);
}
GI_FORMULA uint64_t gi_nextafter_rare_f64(double x, double y)
{
    (void)x;
    (void)y;
    return 0;
}
GI_FORMULA double gi_nextafter_slow_f64(double x, double y) { return gi_nextafter_core_f64(x, y); }
