/* ---- trig ---------------------------------------------------------------------------------------------------------------- */
/* sin cos tan arcsin arccos arctan (x); arctan2 (y, x); hypot (x, y); nextafter (x, y), for float and double
   For each: gi_NAME_core_TAG (branch-free), gi_NAME_rare_TAG (1 where core is not to be trusted) and
   gi_NAME_slow_TAG (right there).
   Method:
     sin, cos, tan    reduce by pi/2 in three parts to r + low, |r| <= pi/4; polynomials for sin and cos, with the
                      low word; tan is their quotient, corrected once.  Huge arguments: integer product with 2/pi
                      (Payne, Hanek).
     arcsin, arccos   a + a^3 p(a^2) up to a = 1/2; beyond, pi/2 - 2 arcsin(sqrt((1 - a) / 2)),
                      the root with a low word.
     arctan, arctan2  t + t^3 p(t^2), |t| <= 1/2, the argument turned by a multiple of pi/4; t has a low word.
     hypot            sqrt(x^2 + y^2) and one correction by the nearly exact residual (Borges).
     nextafter        one step on the ordered integers.
   Largest errors in ulp by trig_check.c (f32 of one argument: all inputs; else 4 million points of each kind, tan 12):
           sin   cos   tan   arcsin arccos arctan arctan2 hypot nextafter
     f32   0.754 0.753 0.903 0.739  0.702  0.728  0.734   0.518 exact
     f64   0.778 0.758 0.950 0.666  0.631  0.777  0.752   0.518 exact      (hypot 0.758 and 0.755 with denormal results)
   Every NaN result is the canonical one.  gcc vectorises the square roots only with -fno-math-errno. */

/* ---- helpers, float ---- */

GI_FORMULA float    gi_trig_sqrt_f32(float x) { return gi_root_f32(x); }
GI_FORMULA float    gi_trig_nan_f32(void) { return gi_from_bits_f32(0x7fc00000u); }
GI_FORMULA float    gi_trig_infinity_f32(void) { return gi_from_bits_f32(0x7f800000u); }
GI_FORMULA float    gi_trig_abs_f32(float x) { return gi_from_bits_f32(gi_bits_f32(x) & 0x7fffffffu); }
GI_FORMULA uint32_t gi_trig_negative_f32(float x) { return gi_bits_f32(x) >> 31; }
GI_FORMULA uint32_t gi_trig_sign_f32(float x) { return gi_bits_f32(x) & 0x80000000u; }
/* x, its sign turned where s is the sign bit and not 0 */
GI_FORMULA float gi_trig_turn_f32(float x, uint32_t s) { return gi_from_bits_f32(gi_bits_f32(x) ^ s); }
/* 1 where a > bound or a is NaN, else 0; neither has its sign bit set */
GI_FORMULA uint32_t gi_trig_beyond_f32(float a, float bound) { return (gi_bits_f32(bound) - gi_bits_f32(a)) >> 31; }
GI_FORMULA uint32_t gi_trig_is_nan_f32(float x) { return gi_trig_beyond_f32(gi_trig_abs_f32(x), gi_trig_infinity_f32()); }
/* c0 + c1 z + c2 z^2 + c3 z^3 */
GI_FORMULA float gi_trig_cubic_f32(float c0, float c1, float c2, float c3, float z, float z2)
{
    return gi_fma_f32(gi_fma_f32(c3, z, c2), z2, gi_fma_f32(c1, z, c0));
}
/* 1 / sqrt(z) within 3.5 %, for normal z: good enough to scale a correction */
GI_FORMULA float gi_trig_rough_rsqrt_f32(float z) { return gi_from_bits_f32(0x5f3759dfu - (gi_bits_f32(z) >> 1)); }

/* ---- helpers, double ---- */

GI_FORMULA double   gi_trig_sqrt_f64(double x) { return gi_root_f64(x); }
GI_FORMULA double   gi_trig_nan_f64(void) { return gi_from_bits_f64(0x7ff8000000000000ull); }
GI_FORMULA double   gi_trig_infinity_f64(void) { return gi_from_bits_f64(0x7ff0000000000000ull); }
GI_FORMULA double   gi_trig_abs_f64(double x) { return gi_from_bits_f64(gi_bits_f64(x) & 0x7fffffffffffffffull); }
GI_FORMULA uint64_t gi_trig_negative_f64(double x) { return gi_bits_f64(x) >> 63; }
GI_FORMULA uint64_t gi_trig_sign_f64(double x) { return gi_bits_f64(x) & 0x8000000000000000ull; }
/* x, its sign turned where s is the sign bit and not 0 */
GI_FORMULA double gi_trig_turn_f64(double x, uint64_t s) { return gi_from_bits_f64(gi_bits_f64(x) ^ s); }
/* 1 where a > bound or a is NaN, else 0; neither has its sign bit set */
GI_FORMULA uint64_t gi_trig_beyond_f64(double a, double bound) { return (gi_bits_f64(bound) - gi_bits_f64(a)) >> 63; }
GI_FORMULA uint64_t gi_trig_is_nan_f64(double x) { return gi_trig_beyond_f64(gi_trig_abs_f64(x), gi_trig_infinity_f64()); }
/* c0 + c1 z + c2 z^2 + c3 z^3 */
GI_FORMULA double gi_trig_cubic_f64(double c0, double c1, double c2, double c3, double z, double z2)
{
    return gi_fma_f64(gi_fma_f64(c3, z, c2), z2, gi_fma_f64(c1, z, c0));
}
/* 1 / sqrt(z) within 3.5 %, for normal z: good enough to scale a correction */
GI_FORMULA double gi_trig_rough_rsqrt_f64(double z) { return gi_from_bits_f64(0x5fe6eb50c7b537a9ull - (gi_bits_f64(z) >> 1)); }

/* ---- huge arguments ---- */

/* high and low word of a * b, without a 128-bit type */
GI_FORMULA uint64_t gi_product_high(uint64_t a, uint64_t b, uint64_t *low)
{
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t p = a0 * b0, q = a1 * b0, r = a0 * b1, s = a1 * b1;
    uint64_t middle = (p >> 32) + (uint32_t)q + (uint32_t)r;
    *low            = (middle << 32) | (uint32_t)p;
    return s + (q >> 32) + (r >> 32) + (middle >> 32);
}

/* 64 bits of 2/pi from the given place on; place 0 is the bit worth 1/2, and -64 is the smallest place allowed. */
GI_SLOW uint64_t gi_two_over_pi(int place)
{
    static const uint64_t words[21] = { 0,
                                        0xa2f9836e4e441529ull,
                                        0xfc2757d1f534ddc0ull,
                                        0xdb6295993c439041ull,
                                        0xfe5163abdebbc561ull,
                                        0xb7246e3a424dd2e0ull,
                                        0x06492eea09d1921cull,
                                        0xfe1deb1cb129a73eull,
                                        0xe88235f52ebb4484ull,
                                        0xe99c7026b45f7e41ull,
                                        0x3991d639835339f4ull,
                                        0x9c845f8bbdf9283bull,
                                        0x1ff897ffde05980full,
                                        0xef2f118b5a0a6d1full,
                                        0x6d367ecf27cb09b7ull,
                                        0x4f463f669e5fea2dull,
                                        0x7527bac7ebe5f17bull,
                                        0x3d0739f78a5292eaull,
                                        0x6bfb5fb11f8d5d08ull,
                                        0x56033046fc7b6babull,
                                        0xf0cfbc209af4361dull };
    int                   word = (place + 64) / 64, shift = (place + 64) % 64;
    return shift ? words[word] << shift | words[word + 1] >> (64 - shift) : words[word];
}

/* An angle reduced by multiples of pi/2: hi + lo in about [-pi/4, pi/4], and the number of multiples modulo 4. */
typedef struct {
    float    hi, lo;
    uint32_t quadrant;
} gi_reduced_f32;
typedef struct {
    double   hi, lo;
    uint64_t quadrant;
} gi_reduced_f64;

/* mantissa * 2^exponent (mantissa < 2^53, -60 <= exponent <= 971) reduced by pi/2, to about 100 bits. */
GI_SLOW gi_reduced_f64 gi_reduce_huge(uint64_t mantissa, int exponent)
{
    /* mantissa * 2/pi * 2^exponent modulo 4 in fixed point: 2 whole bits and 126 of fraction.  Bits of 2/pi that make
       multiples of 4 are left out at the top, and those worth less than the last bit at the bottom. */
    int      place = exponent - 2;
    uint64_t low, low_middle, dropped;
    uint64_t high = mantissa * gi_two_over_pi(place);
    high += gi_product_high(mantissa, gi_two_over_pi(place + 64), &low_middle);
    low = low_middle + gi_product_high(mantissa, gi_two_over_pi(place + 128), &dropped);
    high += low < low_middle;
    uint64_t quadrant = (high + 0x2000000000000000ull) >> 62; /* to the nearest multiple */
    high -= quadrant << 62;                                   /* the rest, signed */
    uint64_t negative = high >> 63;
    if (negative) {
        low  = ~low + 1;
        high = ~high + (low == 0);
    }
    int shift = 0;
    while (shift < 120 && !(high >> 63)) {
        high = high << 1 | low >> 63;
        low <<= 1;
        shift++;
    }
    /* the leading 53 bits and the 53 after them as two doubles, then times pi/2 */
    double scale   = gi_from_bits_f64((uint64_t)(1023 - 62 + 11 - shift) << 52);
    double first   = (double)(high >> 11) * scale;
    double second  = (double)((high << 53) >> 11 | low >> 22) * (scale * 0x1p-53);
    double product = gi_mul_f64(first, 0x1.921fb54442d18p0);
    double rest    = gi_fma_f64(first, 0x1.921fb54442d18p0, -product);
    rest           = gi_fma_f64(first, 0x1.1a62633145c07p-54, gi_fma_f64(second, 0x1.921fb54442d18p0, rest));
    gi_reduced_f64 r;
    r.hi       = product + rest;
    r.lo       = rest - (r.hi - product);
    r.hi       = gi_trig_turn_f64(r.hi, negative << 63);
    r.lo       = gi_trig_turn_f64(r.lo, negative << 63);
    r.quadrant = quadrant & 3;
    return r;
}
/* For finite x with |x| >= 1. */
GI_FORMULA gi_reduced_f32 gi_reduce_slow_f32(float x)
{
    uint32_t       u = gi_bits_f32(x) & 0x7fffffffu;
    gi_reduced_f64 d = gi_reduce_huge((u & 0x7fffffu) | 0x800000u, (int)(u >> 23) - 150);
    gi_reduced_f32 r;
    r.hi       = (float)d.hi;
    r.lo       = (float)((d.hi - (double)r.hi) + d.lo);
    r.quadrant = (uint32_t)d.quadrant;
    return r;
}
GI_FORMULA gi_reduced_f64 gi_reduce_slow_f64(double x)
{
    uint64_t u = gi_bits_f64(x) & 0x7fffffffffffffffull;
    return gi_reduce_huge((u & 0xfffffffffffffull) | 0x10000000000000ull, (int)(u >> 52) - 1075);
}

/* ---- sin, cos, tan float ---- */

/* |x| reduced by pi/2; for |x| <= 2^17. */
GI_FORMULA gi_reduced_f32 gi_reduce_core_f32(float x)
{
    float          a       = gi_trig_abs_f32(x);
    float          shifted = gi_fma_f32(a, 0x1.45f306p-1f, 0x1.8p23f); /* its low bits are the multiple k */
    float          minus_k = 0x1.8p23f - shifted;
    float          first   = gi_fma_f32(minus_k, 0x1.921fb6p0f, a); /* exact */
    gi_reduced_f32 r;
    r.hi       = first + gi_mul_f32(minus_k, -0x1.777a5cp-25f); /* not fused: so first - hi is exact */
    r.lo       = gi_fma_f32(minus_k, -0x1.ee59dap-50f, gi_fma_f32(minus_k, -0x1.777a5cp-25f, first - r.hi));
    r.quadrant = gi_bits_f32(shifted);
    return r;
}
/* sin(hi + lo) = hi + the result; c is near cos(hi); polynomial error 2^-27.8 */
GI_FORMULA float gi_sin_rest_f32(float hi, float lo, float c)
{
    float z = hi * hi;
    float p = gi_fma_f32(gi_fma_f32(-0x1.991f2ap-13f, z, 0x1.1106ccp-7f), z, -0x1.555544p-3f);
    return gi_fma_f32(hi * z, p, gi_mul_f32(lo, c));
}
/* cos(hi + lo) = *head + the result; polynomial error 2^-32.8 */
GI_FORMULA float gi_cos_rest_f32(float hi, float lo, float *head)
{
    float z = hi * hi, h = -0.5f * hi;
    float one_less = gi_fma_f32(h, hi, 1.0f);
    float lost     = gi_fma_f32(h, hi, 1.0f - one_less);
    float p        = gi_fma_f32(gi_fma_f32(0x1.99e03ep-16f, z, -0x1.6c0c18p-10f), z, 0x1.55554ap-5f);
    *head          = one_less;
    return gi_fma_f32(z * z, p, gi_fma_f32(-hi, lo, lost));
}
/* sin of quadrant * pi/2 + hi + lo, its sign turned by the sign bit in s. One polynomial, with the coefficients of gi_cos_rest or
   gi_sin_rest, takes less than both. */
GI_FORMULA float gi_sin_finish_f32(gi_reduced_f32 r, uint32_t quadrant, uint32_t s)
{
    uint32_t odd = quadrant & 1u;
    float    z = r.hi * r.hi, h = -0.5f * r.hi;
    float    head = gi_fma_f32(h, r.hi, 1.0f), lost = gi_fma_f32(h, r.hi, 1.0f - head);
    float    c2  = gi_pick_f32(odd, 0x1.99e03ep-16f, -0x1.991f2ap-13f);
    float    c1  = gi_pick_f32(odd, -0x1.6c0c18p-10f, 0x1.1106ccp-7f);
    float    c0  = gi_pick_f32(odd, 0x1.55554ap-5f, -0x1.555544p-3f);
    float    p   = gi_fma_f32(gi_fma_f32(c2, z, c1), z, c0);
    float    low = gi_pick_f32(odd, gi_fma_f32(-r.hi, r.lo, lost), gi_mul_f32(r.lo, head));
    float    y   = gi_pick_f32(odd, head, r.hi) + gi_fma_f32(gi_pick_f32(odd, z, r.hi) * z, p, low);
    return gi_trig_turn_f32(y, ((quadrant & 2u) << 30) ^ s);
}
GI_FORMULA float gi_tan_finish_f32(gi_reduced_f32 r, uint32_t s)
{
    float cos_head;
    float cos_rest = gi_cos_rest_f32(r.hi, r.lo, &cos_head);
    float sin_rest = gi_sin_rest_f32(r.hi, r.lo, cos_head);
    float c = cos_head + cos_rest, c_low = cos_rest - (c - cos_head);
    float d = r.hi + sin_rest, d_low = sin_rest - (d - r.hi);
    /* sin / cos, or -cos / sin in the odd quadrants */
    uint32_t odd   = r.quadrant & 1u;
    float    above = gi_pick_f32(odd, c, d), above_low = gi_pick_f32(odd, c_low, d_low);
    float    below = gi_pick_f32(odd, d, c), below_low = gi_pick_f32(odd, d_low, c_low);
    float    inverse = 1.0f / below, q = above * inverse;
    float    left = gi_fma_f32(-q, below_low, gi_fma_f32(-q, below, above) + above_low);
    return gi_trig_turn_f32(gi_fma_f32(left, inverse, q), (odd << 31) ^ s);
}
GI_FORMULA float gi_sin_core_f32(float x)
{
    gi_reduced_f32 r = gi_reduce_core_f32(x);
    return gi_sin_finish_f32(r, r.quadrant, gi_trig_sign_f32(x));
}
GI_FORMULA float gi_cos_core_f32(float x)
{
    gi_reduced_f32 r = gi_reduce_core_f32(x);
    return gi_sin_finish_f32(r, r.quadrant + 1u, 0);
}
GI_FORMULA float    gi_tan_core_f32(float x) { return gi_tan_finish_f32(gi_reduce_core_f32(x), gi_trig_sign_f32(x)); }
GI_FORMULA uint32_t gi_sin_rare_f32(float x) { return (uint32_t) !(gi_trig_abs_f32(x) <= 0x1p17f); }
GI_FORMULA uint32_t gi_cos_rare_f32(float x) { return gi_sin_rare_f32(x); }
GI_FORMULA uint32_t gi_tan_rare_f32(float x) { return gi_sin_rare_f32(x); }
GI_SLOW float       gi_sin_slow_f32(float x)
{
    if (!gi_trig_beyond_f32(gi_trig_infinity_f32(), gi_trig_abs_f32(x))) return gi_trig_nan_f32();
    gi_reduced_f32 r = gi_reduce_slow_f32(x);
    return gi_sin_finish_f32(r, r.quadrant, gi_trig_sign_f32(x));
}
GI_SLOW float gi_cos_slow_f32(float x)
{
    if (!gi_trig_beyond_f32(gi_trig_infinity_f32(), gi_trig_abs_f32(x))) return gi_trig_nan_f32();
    gi_reduced_f32 r = gi_reduce_slow_f32(x);
    return gi_sin_finish_f32(r, r.quadrant + 1u, 0);
}
GI_SLOW float gi_tan_slow_f32(float x)
{
    if (!gi_trig_beyond_f32(gi_trig_infinity_f32(), gi_trig_abs_f32(x))) return gi_trig_nan_f32();
    return gi_tan_finish_f32(gi_reduce_slow_f32(x), gi_trig_sign_f32(x));
}

/* ---- arcsin, arccos float ---- */

/* For a = |x| <= 1: arcsin(a) = hi + lo where a <= 1/2, else pi/2 - 2 (hi + lo) and big is 1.
   Polynomial error 2^-27.6 */
typedef struct {
    float    hi, lo;
    uint32_t big;
} gi_arcsin_parts_f32;
GI_FORMULA gi_arcsin_parts_f32 gi_arcsin_split_f32(float a)
{
    gi_arcsin_parts_f32 r;
    r.big          = gi_trig_beyond_f32(a, 0.5f);
    float z        = gi_pick_f32(r.big, gi_fma_f32(-0.5f, a, 0.5f), a * a);
    float root     = gi_trig_sqrt_f32(z);
    float root_low = 0.5f * gi_fma_f32(-root, root, z) * gi_trig_rough_rsqrt_f32(z);
    root_low       = gi_pick_f32(r.big, root_low, 0.0f);
    r.hi           = gi_pick_f32(r.big, root, a);
    float z2 = z * z, z4 = z2 * z2;
    float p = gi_fma_f32(0x1.5959aap-5f, z4,
                         gi_trig_cubic_f32(0x1.5555c8p-3f, 0x1.330206p-4f, 0x1.747b72p-5f, 0x1.8c415ap-6f, z, z2));
    r.lo    = gi_fma_f32(r.hi * z, p, root_low);
    return r;
}
/* eighths * pi/4 + hi + lo, eighths 0 to 4, where |hi| <= eighths * pi/4 unless eighths is 0 */
GI_FORMULA float gi_angle_sum_f32(float eighths, float hi, float lo)
{
    float base     = gi_mul_f32(eighths, 0x1.921fb6p-1f);
    float base_low = gi_fma_f32(eighths, -0x1.777a5cp-26f, gi_fma_f32(eighths, 0x1.921fb6p-1f, -base));
    float sum      = base + hi;
    return sum + (((base - sum) + hi) + (base_low + lo));
}
GI_FORMULA float gi_arcsin_core_f32(float x)
{
    float               a       = gi_trig_abs_f32(x);
    gi_arcsin_parts_f32 r       = gi_arcsin_split_f32(a);
    float               factor  = gi_pick_f32(r.big, -2.0f, 1.0f);
    float               eighths = gi_pick_f32(r.big, 2.0f, 0.0f);
    float               y       = gi_angle_sum_f32(eighths, gi_mul_f32(r.hi, factor), gi_mul_f32(r.lo, factor));
    y                           = gi_trig_turn_f32(y, gi_trig_sign_f32(x));
    return gi_pick_f32(gi_trig_beyond_f32(a, 1.0f), gi_trig_nan_f32(), y);
}
GI_FORMULA float gi_arccos_core_f32(float x)
{
    float               a        = gi_trig_abs_f32(x);
    gi_arcsin_parts_f32 r        = gi_arcsin_split_f32(a);
    uint32_t            negative = gi_trig_negative_f32(x);
    /* pi/2 - arcsin(x); big: 2 (hi + lo) for positive x and pi - 2 (hi + lo) for negative x */
    float eighths = gi_pick_f32(r.big, gi_pick_f32(negative, 4.0f, 0.0f), 2.0f);
    float factor  = gi_trig_turn_f32(gi_pick_f32(r.big, 2.0f, -1.0f), gi_trig_sign_f32(x));
    float y       = gi_angle_sum_f32(eighths, gi_mul_f32(r.hi, factor), gi_mul_f32(r.lo, factor));
    return gi_pick_f32(gi_trig_beyond_f32(a, 1.0f), gi_trig_nan_f32(), y);
}
GI_FORMULA uint32_t gi_arcsin_rare_f32(float x)
{
    (void)x;
    return 0;
}
GI_FORMULA uint32_t gi_arccos_rare_f32(float x)
{
    (void)x;
    return 0;
}
GI_FORMULA float gi_arcsin_slow_f32(float x) { return gi_arcsin_core_f32(x); }
GI_FORMULA float gi_arccos_slow_f32(float x) { return gi_arccos_core_f32(x); }

/* ---- arctan, arctan2 float ---- */

/* eighths * pi/4 + arctan(above / (below + below_low)), the arctan turned by the sign bit in s.
   The quotient in [-1/2, 1/2]; polynomial error 2^-31.8 */
GI_FORMULA float gi_arctan_quotient_f32(float above, float below, float below_low, float eighths, uint32_t s)
{
    float inverse = 1.0f / below, t = gi_mul_f32(above, inverse);
    float t_low = gi_fma_f32(-t, below_low, gi_fma_f32(-t, below, above)) * inverse;
    float z     = t * t;
    float z2    = z * z;
    float p     = gi_fma_f32(0x1.3fd504p-5f, z, -0x1.480d2ep-4f);
    p           = gi_fma_f32(p, z2, gi_fma_f32(0x1.c07266p-4f, z, -0x1.24503p-3f));
    p           = gi_fma_f32(p, z2, gi_fma_f32(0x1.999744p-3f, z, -0x1.555552p-2f));
    float rest  = gi_fma_f32(t * z, p, gi_fma_f32(-z, t_low, t_low)); /* 1 - z is near the derivative */
    return gi_angle_sum_f32(eighths, gi_trig_turn_f32(t, s), gi_trig_turn_f32(rest, s));
}
/* a = |x|: arctan(a) up to 1/2, pi/4 + arctan((a - 1) / (a + 1)) up to 2, pi/2 + arctan(-1 / a) beyond. */
GI_FORMULA float gi_arctan_core_f32(float x)
{
    float    a      = gi_trig_abs_f32(x);
    uint32_t middle = gi_trig_beyond_f32(a, 0.5f), large = gi_trig_beyond_f32(a, 2.0f);
    a         = gi_pick_f32(gi_trig_beyond_f32(a, 0x1p60f), 0x1p60f, a); /* beyond it the result is pi/2 anyway */
    float sum = 1.0f + a, sum_low = gi_pick_f32(middle & ~large, a - (sum - 1.0f), 0.0f);
    float above   = gi_pick_f32(middle, gi_pick_f32(large, -1.0f, a - 1.0f), a);
    float below   = gi_pick_f32(middle, gi_pick_f32(large, a, sum), 1.0f);
    float eighths = gi_pick_f32(middle, gi_pick_f32(large, 2.0f, 1.0f), 0.0f);
    float y       = gi_trig_turn_f32(gi_arctan_quotient_f32(above, below, sum_low, eighths, 0), gi_trig_sign_f32(x));
    return gi_pick_f32(gi_trig_is_nan_f32(x), gi_trig_nan_f32(), y);
}
GI_FORMULA uint32_t gi_arctan_rare_f32(float x)
{
    (void)x;
    return 0;
}
GI_FORMULA float gi_arctan_slow_f32(float x) { return gi_arctan_core_f32(x); }

/* As arctan on the smaller by the larger, in the octant told by which is larger, the sign of x and the quotient. */
GI_FORMULA float gi_arctan2_core_f32(float y, float x)
{
    float    ay = gi_trig_abs_f32(y), ax = gi_trig_abs_f32(x);
    uint32_t swap = gi_trig_beyond_f32(ay, ax), left = gi_trig_negative_f32(x), s = (swap ^ left) << 31;
    float    num = gi_pick_f32(swap, ax, ay), den = gi_pick_f32(swap, ay, ax);
    uint32_t upper = gi_trig_beyond_f32(num, 0.5f * den);
    float    sum = den + num, sum_low = gi_pick_f32(upper, num - (sum - den), 0.0f);
    float    above = gi_pick_f32(upper, num - den, num), below = gi_pick_f32(upper, sum, den);
    float    eighths = gi_pick_f32(swap, 2.0f, gi_pick_f32(left, 4.0f, 0.0f));
    eighths          = eighths + gi_trig_turn_f32(gi_pick_f32(upper, 1.0f, 0.0f), s);
    return gi_trig_turn_f32(gi_arctan_quotient_f32(above, below, sum_low, eighths, s), gi_trig_sign_f32(y));
}
/* 1 unless the larger of |y|, |x| is in [2^-60, 2^60] and the smaller also, or zero */
GI_FORMULA uint32_t gi_arctan2_rare_f32(float y, float x)
{
    float    ay = gi_trig_abs_f32(y), ax = gi_trig_abs_f32(x);
    uint32_t swap = gi_trig_beyond_f32(ay, ax);
    float    num = gi_pick_f32(swap, ax, ay), den = gi_pick_f32(swap, ay, ax);
    return gi_trig_beyond_f32(den, 0x1p60f) | gi_trig_beyond_f32(0x1p-60f, den) |
           (gi_trig_beyond_f32(0x1p-60f, num) & gi_trig_beyond_f32(num, 0.0f));
}
GI_SLOW float gi_arctan2_slow_f32(float y, float x)
{
    if (gi_trig_is_nan_f32(y) | gi_trig_is_nan_f32(x)) return gi_trig_nan_f32();
    float ay = gi_trig_abs_f32(y), ax = gi_trig_abs_f32(x), infinity = gi_trig_infinity_f32();
    /* a fair pair of the same angle */
    if (ay == ax) {
        ax = 1.0f;
        if (ay != 0.0f) ay = 1.0f;
    } else if (ax == infinity || ay == 0.0f) {
        ay = 0.0f;
        ax = 1.0f;
    } else if (ay == infinity || ax == 0.0f) {
        ay = 1.0f;
        ax = 0.0f;
    } else {
        float up = ay < 0x1p60f && ax < 0x1p60f ? 0x1p30f : 1.0f; /* out of the denormals, where that matters */
        ay *= up;
        ax *= up;
        int ey = (int)(gi_bits_f32(ay) >> 23) - 127, ex = (int)(gi_bits_f32(ax) >> 23) - 127;
        if (ex - ey > 30 && !gi_trig_negative_f32(x)) return gi_trig_turn_f32(ay / ax, gi_trig_sign_f32(y));
        /* the larger into [1, 2), in two steps because 2^-e may be out of range */
        int   e         = ey > ex ? ey : ex;
        float half_down = gi_from_bits_f32((uint32_t)(127 - e / 2) << 23);
        float rest_down = gi_from_bits_f32((uint32_t)(127 - (e - e / 2)) << 23);
        ay              = ay * half_down * rest_down;
        ax              = ax * half_down * rest_down;
        /* so far below the other that the result is pi/2 or pi */
        if (ay < 0x1p-60f) ay = 0.0f;
        if (ax < 0x1p-60f) ax = 0.0f;
    }
    return gi_arctan2_core_f32(gi_trig_turn_f32(ay, gi_trig_sign_f32(y)), gi_trig_turn_f32(ax, gi_trig_sign_f32(x)));
}

/* ---- hypot float ---- */

GI_FORMULA float gi_hypot_core_f32(float x, float y)
{
    float    ax = gi_trig_abs_f32(x), ay = gi_trig_abs_f32(y);
    uint32_t swap = gi_trig_beyond_f32(ay, ax);
    float    a = gi_pick_f32(swap, ay, ax), b = gi_pick_f32(swap, ax, ay); /* a >= b */
    float    aa = gi_mul_f32(a, a), sum = gi_fma_f32(b, b, aa);
    float    h = gi_trig_sqrt_f32(sum), hh = gi_mul_f32(h, h);
    /* h^2 - a^2 - b^2, nearly exact */
    float excess = gi_fma_f32(-b, b, hh - aa) + (gi_fma_f32(h, h, -hh) - gi_fma_f32(a, a, -aa));
    return gi_fma_f32(-0.5f * excess, gi_trig_rough_rsqrt_f32(sum), h);
}
/* 1 unless the larger of |x|, |y| is zero or in [2^-60, 2^60] */
GI_FORMULA uint32_t gi_hypot_rare_f32(float x, float y)
{
    float ax = gi_trig_abs_f32(x), ay = gi_trig_abs_f32(y);
    float a = gi_pick_f32(gi_trig_beyond_f32(ay, ax), ay, ax);
    return gi_trig_beyond_f32(a, 0x1p60f) | (gi_trig_beyond_f32(0x1p-60f, a) & gi_trig_beyond_f32(a, 0.0f));
}
GI_SLOW float gi_hypot_slow_f32(float x, float y)
{
    float ax = gi_trig_abs_f32(x), ay = gi_trig_abs_f32(y), infinity = gi_trig_infinity_f32();
    if (ax == infinity || ay == infinity) return infinity;
    if (gi_trig_is_nan_f32(x) | gi_trig_is_nan_f32(y)) return gi_trig_nan_f32();
    if (ax > 0x1p60f || ay > 0x1p60f) return gi_hypot_core_f32(x * 0x1p-90f, y * 0x1p-90f) * 0x1p90f;
    return gi_hypot_core_f32(x * 0x1p90f, y * 0x1p90f) * 0x1p-90f;
}

/* ---- nextafter float ---- */

GI_FORMULA float gi_nextafter_core_f32(float x, float y)
{
    uint32_t x_negative = gi_trig_negative_f32(x), y_negative = gi_trig_negative_f32(y);
    uint32_t x_mask = (uint32_t)0 - x_negative, y_mask = (uint32_t)0 - y_negative;
    /* as ordered integers, two's complement, both zeros 0 */
    uint32_t ox = ((gi_bits_f32(x) & 0x7fffffffu) ^ x_mask) - x_mask;
    uint32_t oy = ((gi_bits_f32(y) & 0x7fffffffu) ^ y_mask) - y_mask;
    uint32_t up = (uint32_t)((int32_t)oy > (int32_t)ox), down = (uint32_t)((int32_t)ox > (int32_t)oy);
    uint32_t o = ox + up - down, negative = o >> 31, mask = (uint32_t)0 - negative;
    uint32_t size = (o ^ mask) - mask;
    negative |= x_negative & (((uint32_t)0 - size) >> 31 ^ 1u); /* a negative x that steps up to zero gives -0 */
    float next = gi_pick_f32(up | down, gi_from_bits_f32(size | negative << 31), y);
    return gi_pick_f32(gi_trig_is_nan_f32(x) | gi_trig_is_nan_f32(y), gi_trig_nan_f32(), next);
}
GI_FORMULA uint32_t gi_nextafter_rare_f32(float x, float y)
{
    (void)x;
    (void)y;
    return 0;
}
GI_FORMULA float gi_nextafter_slow_f32(float x, float y) { return gi_nextafter_core_f32(x, y); }
