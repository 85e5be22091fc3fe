/* exp.h -- exp exp2 expm1 sinh cosh tanh power logaddexp, for f32 and f64.  Include base.h first.

   exp, expm1, tanh   x = n ln2 + r + lo with |r| <= ln2 / 2, the multiple of ln2 taken off by fma in two words; then
                      exp(x) = 2^n (1 + r + s), s = lo + r lo + r^2 p(r), and 1 + r is kept in two words, so that the
                      sum is rounded (almost) once.  tanh(|x|) = -e / (2 + e), e = expm1(-2|x|) in two words.
   exp2               n = round(x), r = x - n exactly, ln2 r in two words.
   sinh, cosh         from sinh and cosh of r and of n ln2, no division: sinh(a + b) = sinh a cosh b + cosh a sinh b.
   power              f64: log|x| in two words by 2 atanh(f / (2 + f)), error 2^-65 relative; the product with y in
                      two words; exp of the two words.  f32: exp2(y log2|x|) in f64.
   logaddexp          max + log1p(exp(-|x - y|)).

   No tables; no branches in cores.  Where 2^n is out of range (overflow, denormal results) the scale goes on in two
   steps, mostly in the slow functions. */

#define GI_NAN_F32 gi_from_bits_f32(0x7fc00000u)
#define GI_NAN_F64 gi_from_bits_f64(0x7ff8000000000000u)

/* ---------------------------------------------------------------------------------------------------- exp's parts */

/* exp of the argument is 2^n (1 + r + s).  n_bits ends in the bits of n (two's complement), and its lowest 12 bits
   (f32: 9 bits), halved too, hold nothing else. */
typedef struct { float r, s; uint32_t n_bits; } gi_exp_parts_f32;
typedef struct { double r, s; uint64_t n_bits; } gi_exp_parts_f64;

/* 1.5 2^23 (2^52) added: the sum's last bits are the nearest integer. */
#define GI_ROUND_F32 0x1.8p23f
#define GI_ROUND_F64 0x1.8p52

/* x + x_lo = n ln2 + r + lo; |x| < 2^9.  x + n ln2_1 is exact. */
GI_FORMULA void gi_exp_reduce_f32(float x, float x_lo, uint32_t *n_bits, float *r, float *lo) {
    float shifted = gi_fma_f32(x, 0x1.715476p0f, GI_ROUND_F32);
    float minus_n = GI_ROUND_F32 - shifted;
    float first = gi_fma_f32(minus_n, 0x1.62e43p-1f, x);
    float second = gi_fma_f32(minus_n, -0x1.05c61p-29f, x_lo);
    *r = first + second;
    *lo = (first - *r) + second;
    *n_bits = gi_bits_f32(shifted);
}
GI_FORMULA void gi_exp_reduce_f64(double x, double x_lo, uint64_t *n_bits, double *r, double *lo) {
    double shifted = gi_fma_f64(x, 0x1.71547652b82fep0, GI_ROUND_F64);
    double minus_n = GI_ROUND_F64 - shifted;
    double first = gi_fma_f64(minus_n, 0x1.62e42fefa39efp-1, x);
    double second = gi_fma_f64(minus_n, 0x1.abc9e3b39803fp-56, x_lo);
    *r = first + second;
    *lo = (first - *r) + second;
    *n_bits = gi_bits_f64(shifted);
}

/* Polynomial error relative to exp(r) - 1: 2^-30.9 (f32), 2^-61.5 (f64). */
GI_FORMULA gi_exp_parts_f32 gi_exp_split_f32(float x, float x_lo) {
    gi_exp_parts_f32 e;
    float r, lo;
    gi_exp_reduce_f32(x, x_lo, &e.n_bits, &r, &lo);
    float p = gi_fma_f32(0x1.9e0de4p-13f, r, 0x1.6d43c2p-10f);
    p = gi_fma_f32(p, r, 0x1.111306p-7f);
    p = gi_fma_f32(p, r, 0x1.5554fp-5f);
    p = gi_fma_f32(p, r, 0x1.555554p-3f);
    p = gi_fma_f32(p, r, 0.5f);
    e.r = r;
    e.s = gi_fma_f32(r, gi_fma_f32(r, p, lo), lo);
    return e;
}
GI_FORMULA gi_exp_parts_f64 gi_exp_split_f64(double x, double x_lo) {
    gi_exp_parts_f64 e;
    double r, lo;
    gi_exp_reduce_f64(x, x_lo, &e.n_bits, &r, &lo);
    double r2 = r * r, r4 = r2 * r2;
    double p0 = gi_fma_f64(0x1.5555555555559p-3, r, 0.5);
    double p1 = gi_fma_f64(0x1.111111110f65ap-7, r, 0x1.555555555554dp-5);
    double p2 = gi_fma_f64(0x1.a01a01afffe71p-13, r, 0x1.6c16c16c1aaf7p-10);
    double p3 = gi_fma_f64(0x1.71ddf81bab092p-19, r, 0x1.a01a018e10e94p-16);
    double p4 = gi_fma_f64(0x1.af5f12249e71p-26, r, 0x1.27e5133a9ba33p-22);
    p4 = gi_fma_f64(0x1.1f1a292963ac9p-29, r2, p4);
    double p = gi_fma_f64(gi_fma_f64(p4, r2, p3), r4, gi_fma_f64(p2, r2, p1));
    p = gi_fma_f64(p, r2, p0);
    e.r = r;
    e.s = gi_fma_f64(r2, p, gi_fma_f64(r, lo, lo));
    return e;
}

/* y 2^n for y about 1 and |n| < 2^8 (f64: 2^11), rounded once: the exponent's bits take n/2, a product the rest. */
GI_FORMULA float gi_scale_f32(float y, uint32_t n_bits) {
    uint32_t half = n_bits >> 1;
    float most = gi_from_bits_f32(gi_bits_f32(y) + (half << 23));
    return most * gi_from_bits_f32(((n_bits - half) << 23) + 0x3f800000u);
}
GI_FORMULA double gi_scale_f64(double y, uint64_t n_bits) {
    uint64_t half = n_bits >> 1;
    double most = gi_from_bits_f64(gi_bits_f64(y) + (half << 52));
    return most * gi_from_bits_f64(((n_bits - half) << 52) + 0x3ff0000000000000u);
}
/* 2^n for -126 <= n <= 127 (f64: -1022 <= n <= 1023) */
GI_FORMULA float gi_power_of_two_f32(uint32_t n_bits) { return gi_from_bits_f32((n_bits << 23) + 0x3f800000u); }
GI_FORMULA double gi_power_of_two_f64(uint64_t n_bits) {
    return gi_from_bits_f64((n_bits << 52) + 0x3ff0000000000000u);
}

/* x within [low, high]; NaN stays NaN */
GI_FORMULA float gi_clamp_f32(float x, float low, float high) {
    x = gi_pick_f32((uint32_t)(x > high), high, x);
    return gi_pick_f32((uint32_t)(x < low), low, x);
}
GI_FORMULA double gi_clamp_f64(double x, double low, double high) {
    x = gi_pick_f64((uint64_t)(x > high), high, x);
    return gi_pick_f64((uint64_t)(x < low), low, x);
}

/* ------------------------------------------------------------------------------------------------------------ exp */

/* (1 + r) + s, |r| <= 1/2, rounded (almost) once */
GI_FORMULA float gi_one_plus_f32(float r, float s) { float hi = 1.0f + r; return hi + ((r - (hi - 1.0f)) + s); }
GI_FORMULA double gi_one_plus_f64(double r, double s) { double hi = 1.0 + r; return hi + ((r - (hi - 1.0)) + s); }

/* exp(x + x_lo) where that is normal, nonsense elsewhere.  The lowest bits of n_bits go straight to the exponent. */
GI_FORMULA float gi_exp_normal_f32(float x, float x_lo) {
    gi_exp_parts_f32 e = gi_exp_split_f32(x, x_lo);
    return gi_from_bits_f32(gi_bits_f32(gi_one_plus_f32(e.r, e.s)) + (e.n_bits << 23));
}
GI_FORMULA double gi_exp_normal_f64(double x, double x_lo) {
    gi_exp_parts_f64 e = gi_exp_split_f64(x, x_lo);
    return gi_from_bits_f64(gi_bits_f64(gi_one_plus_f64(e.r, e.s)) + (e.n_bits << 52));
}
/* exp(x + x_lo) for any x but NaN, |x_lo| < 2^-10: beyond the clamp the results are inf and 0 all the same. */
GI_FORMULA float gi_exp_any_f32(float x, float x_lo) {
    gi_exp_parts_f32 e = gi_exp_split_f32(gi_clamp_f32(x, -110.0f, 90.0f), x_lo);
    return gi_scale_f32(gi_one_plus_f32(e.r, e.s), e.n_bits);
}
GI_FORMULA double gi_exp_any_f64(double x, double x_lo) {
    gi_exp_parts_f64 e = gi_exp_split_f64(gi_clamp_f64(x, -760.0, 720.0), x_lo);
    return gi_scale_f64(gi_one_plus_f64(e.r, e.s), e.n_bits);
}

/* Rare: x near overflow, NaN, or with a denormal result.  Very low x, -inf too, is not rare: 0. */
GI_FORMULA float gi_exp_core_f32(float x) {
    return gi_pick_f32((uint32_t)(x < -104.0f), 0.0f, gi_exp_normal_f32(x, 0.0f));
}
GI_FORMULA uint32_t gi_exp_rare_f32(float x) {
    return (uint32_t)!(x <= 88.0f) | ((uint32_t)(x < -87.0f) & (uint32_t)(x >= -104.0f));
}
GI_FORMULA float gi_exp_slow_f32(float x) { return x != x ? GI_NAN_F32 : gi_exp_any_f32(x, 0.0f); }

GI_FORMULA double gi_exp_core_f64(double x) {
    return gi_pick_f64((uint64_t)(x < -746.0), 0.0, gi_exp_normal_f64(x, 0.0));
}
GI_FORMULA uint64_t gi_exp_rare_f64(double x) {
    return (uint64_t)!(x <= 709.0) | ((uint64_t)(x < -708.0) & (uint64_t)(x >= -746.0));
}
GI_FORMULA double gi_exp_slow_f64(double x) { return x != x ? GI_NAN_F64 : gi_exp_any_f64(x, 0.0); }

/* ----------------------------------------------------------------------------------------------------------- exp2 */

/* 2^x = 2^n y, n = round(x) at the end of n_bits; |x| < 2^11.  Polynomial error 2^-28.3 (f32), 2^-57.9 (f64). */
GI_FORMULA float gi_exp2_split_f32(float x, uint32_t *n_bits) {
    float shifted = x + GI_ROUND_F32;
    float r = x - (shifted - GI_ROUND_F32);
    *n_bits = gi_bits_f32(shifted);
    float p = gi_fma_f32(0x1.416f8cp-13f, r, 0x1.5f041ap-10f);
    p = gi_fma_f32(p, r, 0x1.3b2ddcp-7f);
    p = gi_fma_f32(p, r, 0x1.c6af88p-5f);
    p = gi_fma_f32(p, r, 0x1.ebfbdcp-3f);
    float hi = gi_fma_f32(r, 0x1.62e43p-1f, 1.0f), lo = gi_fma_f32(r, 0x1.62e43p-1f, 1.0f - hi);
    return hi + gi_fma_f32(r, gi_fma_f32(r, p, -0x1.05c61p-29f), lo);
}
GI_FORMULA double gi_exp2_split_f64(double x, uint64_t *n_bits) {
    double shifted = x + GI_ROUND_F64;
    double r = x - (shifted - GI_ROUND_F64);
    *n_bits = gi_bits_f64(shifted);
    double r2 = r * r, r4 = r2 * r2;
    double p0 = gi_fma_f64(0x1.c6b08d704a045p-5, r, 0x1.ebfbdff82c5a1p-3);
    double p1 = gi_fma_f64(0x1.5d87fe78c39c2p-10, r, 0x1.3b2ab6fba07a3p-7);
    double p2 = gi_fma_f64(0x1.ffcbfbc701b45p-17, r, 0x1.4309130dc287cp-13);
    double p3 = gi_fma_f64(0x1.b5265478277d7p-24, r, 0x1.62bfc9fbd9359p-20);
    double p4 = gi_fma_f64(0x1.e7c47487fef3p-32, r, 0x1.e617aac61cefcp-28);
    double p = gi_fma_f64(gi_fma_f64(p4, r2, p3), r4, gi_fma_f64(p2, r2, p1));
    p = gi_fma_f64(p, r2, p0);
    double hi = gi_fma_f64(r, 0x1.62e42fefa39efp-1, 1.0), lo = gi_fma_f64(r, 0x1.62e42fefa39efp-1, 1.0 - hi);
    return hi + gi_fma_f64(r, gi_fma_f64(r, p, 0x1.abc9e3b39803fp-56), lo);
}

/* Exact for integers.  Rare as with exp. */
GI_FORMULA float gi_exp2_core_f32(float x) {
    uint32_t n_bits;
    float y = gi_exp2_split_f32(x, &n_bits);
    y = gi_from_bits_f32(gi_bits_f32(y) + (n_bits << 23));
    return gi_pick_f32((uint32_t)(x < -150.0f), 0.0f, y);
}
GI_FORMULA uint32_t gi_exp2_rare_f32(float x) {
    return (uint32_t)!(x <= 127.0f) | ((uint32_t)(x < -126.0f) & (uint32_t)(x >= -150.0f));
}
GI_FORMULA float gi_exp2_slow_f32(float x) {
    uint32_t n_bits;
    float y = gi_exp2_split_f32(gi_clamp_f32(x, -160.0f, 130.0f), &n_bits);
    return x != x ? GI_NAN_F32 : gi_scale_f32(y, n_bits);
}

GI_FORMULA double gi_exp2_core_f64(double x) {
    uint64_t n_bits;
    double y = gi_exp2_split_f64(x, &n_bits);
    y = gi_from_bits_f64(gi_bits_f64(y) + (n_bits << 52));
    return gi_pick_f64((uint64_t)(x < -1075.0), 0.0, y);
}
GI_FORMULA uint64_t gi_exp2_rare_f64(double x) {
    return (uint64_t)!(x <= 1023.0) | ((uint64_t)(x < -1022.0) & (uint64_t)(x >= -1075.0));
}
GI_FORMULA double gi_exp2_slow_f64(double x) {
    uint64_t n_bits;
    double y = gi_exp2_split_f64(gi_clamp_f64(x, -1090.0, 1030.0), &n_bits);
    return x != x ? GI_NAN_F64 : gi_scale_f64(y, n_bits);
}

/* ---------------------------------------------------------------------------------------------------------- expm1 */

/* expm1: 2^n (1 + r) - 1 is summed with its error, 2^n times the rest is added.  Rare: x near overflow, NaN. */
GI_FORMULA float gi_expm1_core_f32(float x) {
    gi_exp_parts_f32 e = gi_exp_split_f32(gi_pick_f32((uint32_t)(x < -20.0f), -20.0f, x), 0.0f);
    float hi = 1.0f + e.r, lo = (e.r - (hi - 1.0f)) + e.s;
    float scale = gi_power_of_two_f32(e.n_bits);
    float power = gi_mul_f32(hi, scale);
    float sum = power - 1.0f, part = sum - power;
    float error = (power - (sum - part)) + (-1.0f - part);
    float y = sum + gi_fma_f32(lo, scale, error);
    return gi_from_bits_f32(gi_bits_f32(y) | (gi_bits_f32(x) & 0x80000000u));     /* -0 */
}
GI_FORMULA uint32_t gi_expm1_rare_f32(float x) { return (uint32_t)!(x <= 88.0f); }
GI_FORMULA float gi_expm1_slow_f32(float x) { return gi_exp_slow_f32(x); }

GI_FORMULA double gi_expm1_core_f64(double x) {
    gi_exp_parts_f64 e = gi_exp_split_f64(gi_pick_f64((uint64_t)(x < -40.0), -40.0, x), 0.0);
    double hi = 1.0 + e.r, lo = (e.r - (hi - 1.0)) + e.s;
    double scale = gi_power_of_two_f64(e.n_bits);
    double power = gi_mul_f64(hi, scale);
    double sum = power - 1.0, part = sum - power;
    double error = (power - (sum - part)) + (-1.0 - part);
    double y = sum + gi_fma_f64(lo, scale, error);
    return gi_from_bits_f64(gi_bits_f64(y) | (gi_bits_f64(x) & 0x8000000000000000u));
}
GI_FORMULA uint64_t gi_expm1_rare_f64(double x) { return (uint64_t)!(x <= 709.0); }
GI_FORMULA double gi_expm1_slow_f64(double x) { return gi_exp_slow_f64(x); }

/* ----------------------------------------------------------------------------------------------------- sinh, cosh */

/* |x| = n ln2 + r + lo: sinh_n + sinh_n_lo and cosh_n + cosh_n_lo are those of n ln2,
   r + sinh_rest and 1 + cosh_rest those of r + lo */
typedef struct { float sinh_n, cosh_n, sinh_n_lo, cosh_n_lo, r, sinh_rest, cosh_rest; } gi_hyperbolic_f32;
typedef struct { double sinh_n, cosh_n, sinh_n_lo, cosh_n_lo, r, sinh_rest, cosh_rest; } gi_hyperbolic_f64;

/* Polynomial errors: sinh 2^-34.1, cosh 2^-33.2 (f32); sinh 2^-61.7, cosh 2^-58.0 (f64). */
GI_FORMULA gi_hyperbolic_f32 gi_hyperbolic_split_f32(float x) {
    gi_hyperbolic_f32 h;
    uint32_t n_bits;
    float r, lo;
    gi_exp_reduce_f32(gi_from_bits_f32(gi_bits_f32(x) & 0x7fffffffu), 0.0f, &n_bits, &r, &lo);
    float z = r * r;
    float s = gi_fma_f32(gi_fma_f32(0x1.a28ee6p-13f, z, 0x1.110fe2p-7f), z, 0x1.555556p-3f);
    float c = gi_fma_f32(gi_fma_f32(0x1.6d5196p-10f, z, 0x1.5554e4p-5f), z, 0.5f);
    float up = gi_from_bits_f32((n_bits << 23) + 0x3f000000u);         /* 2^n / 2 */
    float down = gi_from_bits_f32(0x3f000000u - (n_bits << 23));       /* 2^-n / 2 */
    h.sinh_n = up - down;
    h.cosh_n = up + down;
    h.sinh_n_lo = (up - h.sinh_n) - down;
    h.cosh_n_lo = (up - h.cosh_n) + down;
    h.r = r;
    h.sinh_rest = gi_fma_f32(r * z, s, lo);
    h.cosh_rest = gi_fma_f32(z, c, r * lo);
    return h;
}
GI_FORMULA gi_hyperbolic_f64 gi_hyperbolic_split_f64(double x) {
    gi_hyperbolic_f64 h;
    uint64_t n_bits;
    double r, lo;
    gi_exp_reduce_f64(gi_from_bits_f64(gi_bits_f64(x) & 0x7fffffffffffffffu), 0.0, &n_bits, &r, &lo);
    double z = r * r, z2 = z * z;
    double s0 = gi_fma_f64(0x1.a01a01b001274p-13, z, 0x1.111111110f658p-7);
    double s1 = gi_fma_f64(0x1.af5f19ac80a35p-26, z, 0x1.71ddf817ce05ap-19);
    double s = gi_fma_f64(s1, z2, s0);
    s = gi_fma_f64(s, z, 0x1.5555555555559p-3);
    double c0 = gi_fma_f64(0x1.6c16c1853bec4p-10, z, 0x1.555555555026bp-5);
    double c1 = gi_fma_f64(0x1.28af6fe60b35bp-22, z, 0x1.a0199796b030dp-16);
    double c = gi_fma_f64(c1, z2, c0);
    c = gi_fma_f64(c, z, 0x1.000000000000bp-1);
    double up = gi_from_bits_f64((n_bits << 52) + 0x3fe0000000000000u);
    double down = gi_from_bits_f64(0x3fe0000000000000u - (n_bits << 52));
    h.sinh_n = up - down;
    h.cosh_n = up + down;
    h.sinh_n_lo = (up - h.sinh_n) - down;
    h.cosh_n_lo = (up - h.cosh_n) + down;
    h.r = r;
    h.sinh_rest = gi_fma_f64(r * z, s, lo);
    h.cosh_rest = gi_fma_f64(z, c, r * lo);
    return h;
}

/* Rare: near overflow, inf, NaN.  There sinh|x| = cosh x = exp|x| / 2, taken as exp(|x| - ln2) in two words. */
GI_FORMULA float gi_sinh_core_f32(float x) {
    gi_hyperbolic_f32 h = gi_hyperbolic_split_f32(x);
    float hi = gi_fma_f32(h.cosh_n, h.r, h.sinh_n), lo = gi_fma_f32(h.cosh_n, h.r, h.sinh_n - hi);
    lo = gi_fma_f32(h.cosh_n, h.sinh_rest, lo + h.sinh_n_lo);
    float y = hi + gi_fma_f32(h.sinh_n, h.cosh_rest, lo);
    return gi_from_bits_f32(gi_bits_f32(y) | (gi_bits_f32(x) & 0x80000000u));
}
GI_FORMULA float gi_cosh_core_f32(float x) {
    gi_hyperbolic_f32 h = gi_hyperbolic_split_f32(x);
    float hi = gi_fma_f32(h.sinh_n, h.r, h.cosh_n), lo = gi_fma_f32(h.sinh_n, h.r, h.cosh_n - hi);
    lo = gi_fma_f32(h.sinh_n, h.sinh_rest, lo + h.cosh_n_lo);
    return hi + gi_fma_f32(h.cosh_n, h.cosh_rest, lo);
}
GI_FORMULA uint32_t gi_cosh_rare_f32(float x) { return (uint32_t)((gi_bits_f32(x) & 0x7fffffffu) > 0x42ae0000u); }
GI_FORMULA uint32_t gi_sinh_rare_f32(float x) { return gi_cosh_rare_f32(x); }       /* |x| > 87 */
GI_FORMULA float gi_cosh_slow_f32(float x) {
    uint32_t a = gi_bits_f32(x) & 0x7fffffffu;
    if (a > 0x7f800000u) return GI_NAN_F32;
    return (float)(0.5 * gi_exp_any_f64((double)gi_from_bits_f32(a), 0.0));
}
GI_FORMULA float gi_sinh_slow_f32(float x) {
    float y = gi_cosh_slow_f32(x);
    return y != y ? y : gi_from_bits_f32(gi_bits_f32(y) | (gi_bits_f32(x) & 0x80000000u));
}

GI_FORMULA double gi_sinh_core_f64(double x) {
    gi_hyperbolic_f64 h = gi_hyperbolic_split_f64(x);
    double hi = gi_fma_f64(h.cosh_n, h.r, h.sinh_n), lo = gi_fma_f64(h.cosh_n, h.r, h.sinh_n - hi);
    lo = gi_fma_f64(h.cosh_n, h.sinh_rest, lo + h.sinh_n_lo);
    double y = hi + gi_fma_f64(h.sinh_n, h.cosh_rest, lo);
    return gi_from_bits_f64(gi_bits_f64(y) | (gi_bits_f64(x) & 0x8000000000000000u));
}
GI_FORMULA double gi_cosh_core_f64(double x) {
    gi_hyperbolic_f64 h = gi_hyperbolic_split_f64(x);
    double hi = gi_fma_f64(h.sinh_n, h.r, h.cosh_n), lo = gi_fma_f64(h.sinh_n, h.r, h.cosh_n - hi);
    lo = gi_fma_f64(h.sinh_n, h.sinh_rest, lo + h.cosh_n_lo);
    return hi + gi_fma_f64(h.cosh_n, h.cosh_rest, lo);
}
GI_FORMULA uint64_t gi_cosh_rare_f64(double x) {
    return (uint64_t)((gi_bits_f64(x) & 0x7fffffffffffffffu) > 0x4085e00000000000u);
}
GI_FORMULA uint64_t gi_sinh_rare_f64(double x) { return gi_cosh_rare_f64(x); }      /* |x| > 700 */
GI_FORMULA double gi_cosh_slow_f64(double x) {
    uint64_t a = gi_bits_f64(x) & 0x7fffffffffffffffu;
    if (a > 0x7ff0000000000000u) return GI_NAN_F64;
    /* |x| - 42 bits of ln2 is exact below 2^10 */
    return gi_exp_any_f64(gi_from_bits_f64(a) - 0x1.62e42fefa38p-1, -0x1.ef35793c7673p-45);
}
GI_FORMULA double gi_sinh_slow_f64(double x) {
    double y = gi_cosh_slow_f64(x);
    return y != y ? y : gi_from_bits_f64(gi_bits_f64(y) | (gi_bits_f64(x) & 0x8000000000000000u));
}

/* ----------------------------------------------------------------------------------------------------------- tanh */

/* tanh: valid everywhere.  e = expm1(-2|x|) = sum + rest, quotient -e / (2 + e) corrected by its remainder. */
GI_FORMULA float gi_tanh_core_f32(float x) {
    uint32_t a = gi_bits_f32(x) & 0x7fffffffu;
    float m = gi_pick_f32((uint32_t)(a > 0x41200000u), 10.0f, gi_from_bits_f32(a));     /* from 9.02 on tanh is 1 */
    gi_exp_parts_f32 e = gi_exp_split_f32(-2.0f * m, 0.0f);
    float hi = 1.0f + e.r, lo = (e.r - (hi - 1.0f)) + e.s;
    float scale = gi_power_of_two_f32(e.n_bits);
    float power = gi_mul_f32(hi, scale);
    float sum = power - 1.0f, rest = gi_fma_f32(lo, scale, power - (sum + 1.0f));
    float top = sum + rest, top_lo = (sum - top) + rest;
    float bottom = 2.0f + top, bottom_lo = (2.0f - bottom) + top + top_lo;
    float inverse = 1.0f / bottom;
    float q = top * inverse;
    float remainder = gi_fma_f32(-q, bottom, top) + gi_fma_f32(-q, bottom_lo, top_lo);
    float y = gi_fma_f32(remainder, inverse, q);
    y = gi_from_bits_f32((gi_bits_f32(y) & 0x7fffffffu) | (gi_bits_f32(x) & 0x80000000u));
    return gi_pick_f32((uint32_t)(x != x), GI_NAN_F32, y);
}
GI_FORMULA uint32_t gi_tanh_rare_f32(float x) { (void)x; return 0; }
GI_FORMULA float gi_tanh_slow_f32(float x) { return gi_tanh_core_f32(x); }

GI_FORMULA double gi_tanh_core_f64(double x) {
    uint64_t a = gi_bits_f64(x) & 0x7fffffffffffffffu;
    double m = gi_from_bits_f64(a);
    m = gi_pick_f64((uint64_t)(m > 20.0), 20.0, m);                                     /* from 19.07 on tanh is 1 */
    gi_exp_parts_f64 e = gi_exp_split_f64(-2.0 * m, 0.0);
    double hi = 1.0 + e.r, lo = (e.r - (hi - 1.0)) + e.s;
    double scale = gi_power_of_two_f64(e.n_bits);
    double power = gi_mul_f64(hi, scale);
    double sum = power - 1.0, rest = gi_fma_f64(lo, scale, power - (sum + 1.0));
    double top = sum + rest, top_lo = (sum - top) + rest;
    double bottom = 2.0 + top, bottom_lo = (2.0 - bottom) + top + top_lo;
    double inverse = 1.0 / bottom;
    double q = top * inverse;
    double remainder = gi_fma_f64(-q, bottom, top) + gi_fma_f64(-q, bottom_lo, top_lo);
    double y = gi_fma_f64(remainder, inverse, q);
    y = gi_from_bits_f64((gi_bits_f64(y) & 0x7fffffffffffffffu) | (gi_bits_f64(x) & 0x8000000000000000u));
    return gi_pick_f64((uint64_t)(x != x), GI_NAN_F64, y);
}
GI_FORMULA uint64_t gi_tanh_rare_f64(double x) { (void)x; return 0; }
GI_FORMULA double gi_tanh_slow_f64(double x) { return gi_tanh_core_f64(x); }

/* ---------------------------------------------------------------------------------------------------------- power */

/* log2(x), x > 0, any float as a double.  Error 2^-38.5 relative to log2 of the mantissa part. */
GI_FORMULA double gi_power_log2_f32(double x) {
    uint64_t t = gi_bits_f64(x) - 0x3fe6a09e667f3bcdu + 0x3ff0000000000000u;        /* mantissa from sqrt(1/2) on */
    double n = gi_from_bits_f64((t >> 52) | 0x4330000000000000u) - (0x1p52 + 1023.0);
    double f = gi_from_bits_f64((t & 0x000fffffffffffffu) + 0x3fe6a09e667f3bcdu) - 1.0;
    double f2 = f * f, f4 = f2 * f2;
    double p0 = gi_fma_f64(-0x1.71547651b6f4cp-1, f, 0x1.71547652b58f1p0);
    double p1 = gi_fma_f64(-0x1.715478885e34cp-2, f, 0x1.ec709de34054bp-2);
    double p2 = gi_fma_f64(-0x1.ec6f2dee28718p-3, f, 0x1.2776b6cb61bdfp-2);
    double p3 = gi_fma_f64(-0x1.7188d552e68c8p-3, f, 0x1.a61b7e440b68fp-3);
    double p4 = gi_fma_f64(-0x1.23d6302371cebp-3, f, 0x1.481fa60f3bcf9p-3);
    double p5 = gi_fma_f64(-0x1.13b9548893d2fp-3, f, 0x1.0ace164dcab52p-3);
    double p6 = gi_fma_f64(-0x1.1da433e237e3dp-4, f, 0x1.0f6261c984131p-3);
    double high = gi_fma_f64(p6, f4, gi_fma_f64(p5, f2, p4));
    high = gi_fma_f64(high, f4, gi_fma_f64(p3, f2, p2));
    return gi_fma_f64(gi_fma_f64(high, f4, gi_fma_f64(p1, f2, p0)), f, n);
}
/* 2^t to float, any t but NaN: error 2^-34.3 before the rounding to float */
GI_FORMULA float gi_power_exp2_f32(double t) {
    double in = gi_clamp_f64(t, -200.0, 200.0);
    double shifted = in + GI_ROUND_F64;
    double r = in - (shifted - GI_ROUND_F64), r2 = r * r;
    double p0 = gi_fma_f64(0x1.62e42ff0e191dp-1, r, 1.0);
    double p1 = gi_fma_f64(0x1.c6b08ac06c325p-5, r, 0x1.ebfbe0778724bp-3);
    double p2 = gi_fma_f64(0x1.5d8a85fe7833cp-10, r, 0x1.3b29f39d4d49cp-7);
    double p3 = gi_fma_f64(0x1.fde5fe328a61ep-17, r, 0x1.445c840469a21p-13);
    double y = gi_fma_f64(gi_fma_f64(gi_fma_f64(p3, r2, p2), r2, p1), r2, p0);
    return (float)gi_from_bits_f64(gi_bits_f64(y) + (gi_bits_f64(shifted) << 52));
}
GI_FORMULA float gi_power_core_f32(float x, float y) {
    uint32_t negative = gi_bits_f32(x) >> 31;
    float shifted = y + GI_ROUND_F32;
    uint32_t broken = (uint32_t)(shifted - GI_ROUND_F32 != y);                      /* y is no integer */
    uint32_t sign = (gi_bits_f32(shifted) & negative) << 31;                        /* x < 0 and y odd */
    double a = (double)gi_from_bits_f32(gi_bits_f32(x) & 0x7fffffffu);
    float z = gi_power_exp2_f32(gi_mul_f64(gi_power_log2_f32(a), (double)y));
    return gi_pick_f32(broken & negative, GI_NAN_F32, gi_from_bits_f32(gi_bits_f32(z) | sign));
}
/* Rare: x is 0, inf or NaN; |y| >= 2^22, inf or NaN. */
GI_FORMULA uint32_t gi_power_rare_f32(float x, float y) {
    uint32_t a = gi_bits_f32(x) & 0x7fffffffu, b = gi_bits_f32(y) & 0x7fffffffu;
    return (uint32_t)(a - 1u >= 0x7f7fffffu) | (uint32_t)(b >= 0x4a800000u);
}

/* log of x > 0 normal, as hi + lo, plus n_extra ln2 */
GI_FORMULA void gi_power_log_f64(double x, double n_extra, double *log_hi, double *log_lo) {
    uint64_t t = gi_bits_f64(x) - 0x3fe6a09e667f3bcdu + 0x3ff0000000000000u;        /* mantissa from sqrt(1/2) on */
    double n = gi_from_bits_f64((t >> 52) | 0x4330000000000000u) - (0x1p52 + 1023.0) + n_extra;
    double f = gi_from_bits_f64((t & 0x000fffffffffffffu) + 0x3fe6a09e667f3bcdu) - 1.0;
    /* s + s_lo = f / (2 + f) */
    double d = 2.0 + f, d_lo = f - (d - 2.0);
    double inverse = 1.0 / d;
    double s = f * inverse;
    double s_lo = gi_fma_f64(-s, d_lo, gi_fma_f64(-s, d, f)) * inverse;
    double z = gi_mul_f64(s, s), z_lo = gi_fma_f64(s + s, s_lo, gi_fma_f64(s, s, -z));
    /* log(1 + f) = 2 s + s^3 (2/3 + z q(z)) */
    double z2 = z * z, z4 = z2 * z2;
    double q0 = gi_fma_f64(0x1.2492492492f4bp-2, z, 0x1.9999999999996p-2);
    double q1 = gi_fma_f64(0x1.745d1828c79ebp-3, z, 0x1.c71c71c59796ap-3);
    double q2 = gi_fma_f64(0x1.1120692f23eb2p-3, z, 0x1.3b1364f1016b4p-3);
    double q3 = gi_fma_f64(0x1.eabe236a2466ap-4, z, 0x1.de3e606605b35p-4);
    double q = gi_fma_f64(gi_fma_f64(q3, z2, q2), z4, gi_fma_f64(q1, z2, q0));
    double c = gi_fma_f64(z, q, 0x1.5555555555555p-1);
    double c_lo = gi_fma_f64(z_lo, q, gi_fma_f64(z, q, 0x1.5555555555555p-1 - c) + 0x1.5555555555555p-55);
    double w = gi_mul_f64(s, z), w_lo = gi_fma_f64(s_lo, z, gi_fma_f64(s, z_lo, gi_fma_f64(s, z, -w)));
    double v = gi_mul_f64(w, c), v_lo = gi_fma_f64(w, c_lo, gi_fma_f64(w_lo, c, gi_fma_f64(w, c, -v)));
    /* n ln2 (42 bits: exact) + 2 s + v, then all the small parts */
    double n_ln2 = gi_mul_f64(n, 0x1.62e42fefa38p-1);
    double a = gi_fma_f64(2.0, s, n_ln2), a_lo = gi_fma_f64(2.0, s, n_ln2 - a);
    double b = a + v, b_lo = (a - b) + v;
    double rest = gi_fma_f64(n, 0x1.ef35793c7673p-45, gi_fma_f64(2.0, s_lo, v_lo)) + (a_lo + b_lo);
    *log_hi = b + rest;
    *log_lo = (b - *log_hi) + rest;
}
GI_FORMULA double gi_power_core_f64(double x, double y) {
    uint64_t negative = gi_bits_f64(x) >> 63;
    double shifted = y + GI_ROUND_F64;
    uint64_t broken = (uint64_t)(shifted - GI_ROUND_F64 != y);                      /* y is no integer */
    uint64_t sign = (gi_bits_f64(shifted) & negative) << 63;                        /* x < 0 and y odd */
    double log_hi, log_lo;
    gi_power_log_f64(gi_from_bits_f64(gi_bits_f64(x) & 0x7fffffffffffffffu), 0.0, &log_hi, &log_lo);
    double t = gi_mul_f64(y, log_hi), t_lo = gi_fma_f64(y, log_lo, gi_fma_f64(y, log_hi, -t));
    double z = gi_exp_any_f64(t, t_lo);
    return gi_pick_f64(broken & negative, GI_NAN_F64, gi_from_bits_f64(gi_bits_f64(z) | sign));
}
/* Rare: x is 0, denormal, inf or NaN; |y| >= 2^30, inf or NaN. */
GI_FORMULA uint64_t gi_power_rare_f64(double x, double y) {
    uint64_t a = gi_bits_f64(x) & 0x7fffffffffffffffu, b = gi_bits_f64(y) & 0x7fffffffffffffffu;
    return (uint64_t)(a - 0x0010000000000000u >= 0x7fe0000000000000u) | (uint64_t)(b >= 0x41d0000000000000u);
}

/* Any x and y, by the rules of C99 annex F. */
GI_FORMULA double gi_power_slow_f64(double x, double y) {
    uint64_t infinity = 0x7ff0000000000000u, sign_bit = 0x8000000000000000u;
    uint64_t a_bits = gi_bits_f64(x) & ~sign_bit, b_bits = gi_bits_f64(y) & ~sign_bit;
    double a = gi_from_bits_f64(a_bits), b = gi_from_bits_f64(b_bits);
    uint64_t y_negative = gi_bits_f64(y) >> 63;
    if (x == 1.0 || b_bits == 0) return 1.0;
    if (a_bits > infinity || b_bits > infinity) return GI_NAN_F64;
    int integer = b >= 0x1p53 || (double)(int64_t)b == b;           /* inf too */
    int odd = b < 0x1p53 && integer && ((int64_t)b & 1);
    uint64_t sign = odd ? gi_bits_f64(x) & sign_bit : 0;
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
        int denormal = a_bits < 0x0010000000000000u;
        gi_power_log_f64(denormal ? a * 0x1p54 : a, denormal ? -54.0 : 0.0, &log_hi, &log_lo);
        if (b > 0x1p64) y = y_negative ? -0x1p64 : 0x1p64;          /* 0, 1 or inf all the same */
        double t = gi_mul_f64(y, log_hi), t_lo = gi_fma_f64(y, log_lo, gi_fma_f64(y, log_hi, -t));
        if (t > 720.0 || t < -760.0) t_lo = 0.0;
        z = gi_bits_f64(gi_exp_any_f64(t, t_lo));
    }
    return gi_from_bits_f64(z | sign);
}
/* In double nothing overflows, and what is odd or special in float is so in double. */
GI_FORMULA float gi_power_slow_f32(float x, float y) {
    if (x == 1.0f || y == 0.0f) return 1.0f;
    if (x != x || y != y) return GI_NAN_F32;
    double z = gi_power_slow_f64((double)x, (double)y);
    return z != z ? GI_NAN_F32 : (float)z;
}

/* ------------------------------------------------------------------------------------------------------ logaddexp */

/* sum + rest = log(1 + u), 2^-97 <= u <= 1 (f64: 2^-895), any u <= 1 if guard is 0: above 1/2 as
   ln2 + log(1 + f), f = (u - 1) / 2, so -1/4 <= f <= 1/2.  The guard, far below u, keeps products from becoming
   denormal, which is slow on some machines.  Polynomial error 2^-27.6 (f32), 2^-55.9 (f64). */
#define GI_GUARD_F32 0x1p-124f
#define GI_GUARD_F64 0x1p-960
GI_FORMULA void gi_log1p_unit_f32(float u, float guard, float *sum, float *rest) {
    uint32_t big = (uint32_t)(u > 0.5f);
    float f = gi_pick_f32(big, gi_fma_f32(0.5f, u, -0.5f), u);
    float hi = gi_pick_f32(big, 0x1.62e43p-1f, 0.0f), lo = gi_pick_f32(big, -0x1.05c61p-29f, guard);
    float f2 = gi_fma_f32(f, f, guard);
    float p0 = gi_fma_f32(-0x1.000042p-2f, f, 0x1.5555a4p-2f);
    float p1 = gi_fma_f32(-0x1.54ef16p-3f, f, 0x1.996966p-3f);
    float p2 = gi_fma_f32(-0x1.0d93fcp-3f, f, 0x1.2886bap-3f);
    float p3 = gi_fma_f32(-0x1.713e14p-5f, f, 0x1.aca096p-4f);
    float p = gi_fma_f32(gi_fma_f32(gi_fma_f32(p3, f2, p2), f2, p1), f2, p0);
    *sum = hi + f;
    *rest = gi_fma_f32(f2, gi_fma_f32(f, p, -0.5f), lo) + (f - (*sum - hi));
}
GI_FORMULA void gi_log1p_unit_f64(double u, double guard, double *sum, double *rest) {
    uint64_t big = (uint64_t)(u > 0.5);
    double f = gi_pick_f64(big, gi_fma_f64(0.5, u, -0.5), u);
    double hi = gi_pick_f64(big, 0x1.62e42fefa39efp-1, 0.0), lo = gi_pick_f64(big, 0x1.abc9e3b39803fp-56, guard);
    double s = f / (2.0 + f), z = gi_fma_f64(s, s, guard), z2 = gi_fma_f64(z, z, guard);
    double q0 = gi_fma_f64(0x1.99999998f0626p-2, z, 0x1.5555555555777p-1);
    double q1 = gi_fma_f64(0x1.c71c012e18dcp-3, z, 0x1.249249b26f469p-2);
    double q2 = gi_fma_f64(0x1.38520f4d5db06p-3, z, 0x1.7474ec1ccdc57p-3);
    double q = gi_fma_f64(gi_fma_f64(gi_fma_f64(0x1.3ac489c1407b6p-3, z2, q2), z2, q1), z2, q0);
    *sum = hi + f;
    *rest = gi_fma_f64(-s, gi_fma_f64(-z, q, f), lo) + (f - (*sum - hi));
}
/* high = max(x, y), d + d_lo = min(x, y) - high exactly, 0 for equal infinities.
   d_lo means nothing where d is infinite. */
GI_FORMULA void gi_logaddexp_order_f32(float x, float y, float *high, float *d, float *d_lo) {
    uint32_t same = (uint32_t)(x == y);
    *high = gi_pick_f32((uint32_t)(x > y), x, y);
    float low = gi_from_bits_f32(gi_bits_f32(x) ^ gi_bits_f32(y) ^ gi_bits_f32(*high));
    float sum = low - *high, part = sum - low;
    float error = (low - (sum - part)) - (*high + part);
    *d = gi_pick_f32(same, 0.0f, sum);
    *d_lo = gi_pick_f32(same, 0.0f, error);
}
GI_FORMULA void gi_logaddexp_order_f64(double x, double y, double *high, double *d, double *d_lo) {
    uint64_t same = (uint64_t)(x == y);
    *high = gi_pick_f64((uint64_t)(x > y), x, y);
    double low = gi_from_bits_f64(gi_bits_f64(x) ^ gi_bits_f64(y) ^ gi_bits_f64(*high));
    double sum = low - *high, part = sum - low;
    double error = (low - (sum - part)) - (*high + part);
    *d = gi_pick_f64(same, 0.0, sum);
    *d_lo = gi_pick_f64(same, 0.0, error);
}
/* The sum is rounded (almost) once; high + 0 where high is all or infinite (-0 + 0 is 0).
   Rare: exp(d) is about denormal (the core takes it as 0) and the larger argument so near 0 that it matters; then
   x y is near 0 and x + y the lower one. */
GI_FORMULA float gi_logaddexp_core_f32(float x, float y) {
    float high, d, d_lo;
    gi_logaddexp_order_f32(x, y, &high, &d, &d_lo);
    float sum, rest;
    gi_log1p_unit_f32(gi_exp_normal_f32(d, d_lo), GI_GUARD_F32, &sum, &rest);
    float total = high + sum, part = total - high;
    float error = (high - (total - part)) + (sum - part);
    uint32_t alone = (uint32_t)(d < -67.0f) | (uint32_t)(high - high != 0.0f);
    float z = gi_pick_f32(alone, high + 0.0f, total + (error + rest));
    return gi_pick_f32((uint32_t)(d != d), GI_NAN_F32, z);
}
GI_FORMULA uint32_t gi_logaddexp_rare_f32(float x, float y) {
    float sum = x + y, product = gi_from_bits_f32(gi_bits_f32(x * y) & 0x7fffffffu);
    return (uint32_t)(product < 0x1p-70f) & (uint32_t)(sum < -66.0f) & (uint32_t)(sum > -105.0f);
}
GI_FORMULA float gi_logaddexp_slow_f32(float x, float y) {
    float high, d, d_lo;
    gi_logaddexp_order_f32(x, y, &high, &d, &d_lo);
    float sum, rest;
    gi_log1p_unit_f32(gi_exp_any_f32(d, d_lo), 0.0f, &sum, &rest);
    return high + (sum + rest);
}

GI_FORMULA double gi_logaddexp_core_f64(double x, double y) {
    double high, d, d_lo;
    gi_logaddexp_order_f64(x, y, &high, &d, &d_lo);
    double sum, rest;
    gi_log1p_unit_f64(gi_exp_normal_f64(d, d_lo), GI_GUARD_F64, &sum, &rest);
    double total = high + sum, part = total - high;
    double error = (high - (total - part)) + (sum - part);
    uint64_t alone = (uint64_t)(d < -620.0) | (uint64_t)(high - high != 0.0);
    double z = gi_pick_f64(alone, high + 0.0, total + (error + rest));
    return gi_pick_f64((uint64_t)(d != d), GI_NAN_F64, z);
}
GI_FORMULA uint64_t gi_logaddexp_rare_f64(double x, double y) {
    double sum = x + y, product = gi_from_bits_f64(gi_bits_f64(x * y) & 0x7fffffffffffffffu);
    return (uint64_t)(product < 0x1p-800) & (uint64_t)(sum < -619.0) & (uint64_t)(sum > -747.0);
}
GI_FORMULA double gi_logaddexp_slow_f64(double x, double y) {
    double high, d, d_lo;
    gi_logaddexp_order_f64(x, y, &high, &d, &d_lo);
    double sum, rest;
    gi_log1p_unit_f64(gi_exp_any_f64(d, d_lo), 0.0, &sum, &rest);
    return high + (sum + rest);
}
