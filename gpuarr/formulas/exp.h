/* ---- exp ---------------------------------------------------------------------------------------------------------------- */
/* exp exp2 expm1 sinh cosh tanh power logaddexp, for f32 and f64.  Include base.h first.

   exp                x = n ln2 + r with |r| <= ln2 / 2, the multiple of ln2 taken off by fma in two words, the first of
                      which is exact; then exp(x) = 2^n (1 + (first + (second + r^2 p(r)))).
   expm1              x = n ln2 + r + lo; exp(x) = 2^n (1 + r + s), s = lo + r lo + r^2 p(r), and 1 + r is kept in two
                      words, so that the sum is rounded (almost) once.
   tanh               a polynomial up to 0.7, then 1 - 2 / (exp(2|x|) + 1).
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
typedef struct {
    float    r, s;
    uint32_t n_bits;
} gi_exp_parts_f32;
typedef struct {
    double   r, s;
    uint64_t n_bits;
} gi_exp_parts_f64;

/* 1.5 2^23 (2^52) added: the sum's last bits are the nearest integer. */
#define GI_ROUND_F32 0x1.8p23f
#define GI_ROUND_F64 0x1.8p52

/* x + x_lo = n ln2 + first + second; |x| < 2^9 (f64: 2^12). first = x - n ln2_1 is exact. */
GI_FORMULA void gi_exp_reduce_f32(float x, float x_lo, uint32_t *n_bits, float *first, float *second)
{
    float shifted = gi_fma_f32(x, 0x1.715476p0f, GI_ROUND_F32);
    float minus_n = GI_ROUND_F32 - shifted;
    *first        = gi_fma_f32(minus_n, 0x1.62e43p-1f, x);
    *second       = gi_fma_f32(minus_n, -0x1.05c61p-29f, x_lo);
    *n_bits       = gi_bits_f32(shifted);
}
GI_FORMULA void gi_exp_reduce_f64(double x, double x_lo, uint64_t *n_bits, double *first, double *second)
{
    double shifted = gi_fma_f64(x, 0x1.71547652b82fep0, GI_ROUND_F64);
    double minus_n = GI_ROUND_F64 - shifted;
    *first         = gi_fma_f64(minus_n, 0x1.62e42fefa39efp-1, x);
    *second        = gi_fma_f64(minus_n, 0x1.abc9e3b39803fp-56, x_lo);
    *n_bits        = gi_bits_f64(shifted);
}

/* Polynomial error relative to exp(r) - 1: 2^-30.9 (f32), 2^-61.5 (f64). */
GI_FORMULA gi_exp_parts_f32 gi_exp_split_f32(float x, float x_lo)
{
    gi_exp_parts_f32 e;
    float            first, second;
    gi_exp_reduce_f32(x, x_lo, &e.n_bits, &first, &second);
    float r = first + second, lo = (first - r) + second;
    float p = gi_fma_f32(0x1.9e0de4p-13f, r, 0x1.6d43c2p-10f);
    p       = gi_fma_f32(p, r, 0x1.111306p-7f);
    p       = gi_fma_f32(p, r, 0x1.5554fp-5f);
    p       = gi_fma_f32(p, r, 0x1.555554p-3f);
    p       = gi_fma_f32(p, r, 0.5f);
    e.r     = r;
    e.s     = gi_fma_f32(r, gi_fma_f32(r, p, lo), lo);
    return e;
}
GI_FORMULA gi_exp_parts_f64 gi_exp_split_f64(double x, double x_lo)
{
    gi_exp_parts_f64 e;
    double           first, second;
    gi_exp_reduce_f64(x, x_lo, &e.n_bits, &first, &second);
    double r = first + second, lo = (first - r) + second;
    double r2 = r * r, r4 = r2 * r2;
    double p0 = gi_fma_f64(0x1.5555555555559p-3, r, 0.5);
    double p1 = gi_fma_f64(0x1.111111110f65ap-7, r, 0x1.555555555554dp-5);
    double p2 = gi_fma_f64(0x1.a01a01afffe71p-13, r, 0x1.6c16c16c1aaf7p-10);
    double p3 = gi_fma_f64(0x1.71ddf81bab092p-19, r, 0x1.a01a018e10e94p-16);
    double p4 = gi_fma_f64(0x1.af5f12249e71p-26, r, 0x1.27e5133a9ba33p-22);
    p4        = gi_fma_f64(0x1.1f1a292963ac9p-29, r2, p4);
    double p  = gi_fma_f64(gi_fma_f64(p4, r2, p3), r4, gi_fma_f64(p2, r2, p1));
    p         = gi_fma_f64(p, r2, p0);
    e.r       = r;
    e.s       = gi_fma_f64(r2, p, gi_fma_f64(r, lo, lo));
    return e;
}

/* y 2^n for y about 1 and |n| < 2^8 (f64: 2^11), rounded once: the exponent's bits take n/2, a product the rest. */
GI_FORMULA float gi_scale_f32(float y, uint32_t n_bits)
{
    uint32_t half = n_bits >> 1;
    float    most = gi_from_bits_f32(gi_bits_f32(y) + (half << 23));
    return most * gi_from_bits_f32(((n_bits - half) << 23) + 0x3f800000u);
}
GI_FORMULA double gi_scale_f64(double y, uint64_t n_bits)
{
    uint64_t half = n_bits >> 1;
    double   most = gi_from_bits_f64(gi_bits_f64(y) + (half << 52));
    return most * gi_from_bits_f64(((n_bits - half) << 52) + 0x3ff0000000000000u);
}
/* 2^n for -126 <= n <= 127 (f64: -1022 <= n <= 1023) */
GI_FORMULA float  gi_power_of_two_f32(uint32_t n_bits) { return gi_from_bits_f32((n_bits << 23) + 0x3f800000u); }
GI_FORMULA double gi_power_of_two_f64(uint64_t n_bits) { return gi_from_bits_f64((n_bits << 52) + 0x3ff0000000000000u); }

/* x within [low, high]; NaN stays NaN. Written so that compilers use the processor's own minimum and maximum. */
GI_FORMULA float gi_clamp_f32(float x, float low, float high)
{
    x = high < x ? high : x;
    return low > x ? low : x;
}
GI_FORMULA double gi_clamp_f64(double x, double low, double high)
{
    x = high < x ? high : x;
    return low > x ? low : x;
}

/* ------------------------------------------------------------------------------------------------------------ exp */

/* (1 + r) + s, |r| <= 1/2, rounded (almost) once */
GI_FORMULA float gi_one_plus_f32(float r, float s)
{
    float hi = 1.0f + r;
    return hi + ((r - (hi - 1.0f)) + s);
}
GI_FORMULA double gi_one_plus_f64(double r, double s)
{
    double hi = 1.0 + r;
    return hi + ((r - (hi - 1.0)) + s);
}

/* exp(x + x_lo) where that is normal, nonsense elsewhere: 1 + (first + s) with the exact first word of r, so that two roundings count, of
   first + s (a quarter of a unit at most) and of the whole. Polynomial error relative to exp(r) - 1: 2^-26.0 (f32), 2^-55.5 (f64).
   The lowest bits of n_bits go straight to the exponent. */
GI_FORMULA float gi_exp_normal_f32(float x, float x_lo)
{
    uint32_t n_bits;
    float    first, second;
    gi_exp_reduce_f32(x, x_lo, &n_bits, &first, &second);
    float r = first + second;
    float p = gi_fma_f32(0x1.6b79b2p-10f, r, 0x1.12292ep-7f);
    p       = gi_fma_f32(p, r, 0x1.555712p-5f);
    p       = gi_fma_f32(p, r, 0x1.5554aep-3f);
    p       = gi_fma_f32(p, r, 0x1.fffffep-2f);
    float y = 1.0f + (first + gi_fma_f32(r * r, p, second));
    return gi_from_bits_f32(gi_bits_f32(y) + (n_bits << 23));
}
GI_FORMULA double gi_exp_normal_f64(double x, double x_lo)
{
    uint64_t n_bits;
    double   first, second;
    gi_exp_reduce_f64(x, x_lo, &n_bits, &first, &second);
    double r = first + second, r2 = r * r, r4 = r2 * r2;
    double p0 = gi_fma_f64(0x1.555555555553bp-3, r, 0x1.0000000000005p-1);
    double p1 = gi_fma_f64(0x1.1111111118833p-7, r, 0x1.555555555211p-5);
    double p2 = gi_fma_f64(0x1.a01a0177efd45p-13, r, 0x1.6c16c17f2d91dp-10);
    double p3 = gi_fma_f64(0x1.71de81141e3b5p-19, r, 0x1.a019a6a6f3fcfp-16);
    double p4 = gi_fma_f64(0x1.ae775dc44a21dp-26, r, 0x1.28a2891ce12e4p-22);
    double p  = gi_fma_f64(gi_fma_f64(p4, r2, p3), r4, gi_fma_f64(p2, r2, p1));
    p         = gi_fma_f64(p, r2, p0);
    double y  = 1.0 + (first + gi_fma_f64(r2, p, second));
    return gi_from_bits_f64(gi_bits_f64(y) + (n_bits << 52));
}
/* exp(x + x_lo) for any x but NaN, |x_lo| < 2^-10: beyond the clamp the results are inf and 0 all the same. */
GI_FORMULA float gi_exp_any_f32(float x, float x_lo)
{
    gi_exp_parts_f32 e = gi_exp_split_f32(gi_clamp_f32(x, -110.0f, 90.0f), x_lo);
    return gi_scale_f32(gi_one_plus_f32(e.r, e.s), e.n_bits);
}
GI_FORMULA double gi_exp_any_f64(double x, double x_lo)
{
    gi_exp_parts_f64 e = gi_exp_split_f64(gi_clamp_f64(x, -760.0, 720.0), x_lo);
    return gi_scale_f64(gi_one_plus_f64(e.r, e.s), e.n_bits);
}

/* Rare: x near overflow, NaN, or with a denormal result.  Very low x, -inf too, is not rare: 0. */
GI_FORMULA float    gi_exp_core_f32(float x) { return gi_pick_f32((uint32_t)(x < -104.0f), 0.0f, gi_exp_normal_f32(x, 0.0f)); }
GI_FORMULA uint32_t gi_exp_rare_f32(float x)
{
    return (uint32_t) !(gi_from_bits_f32(gi_bits_f32(x - 0.5f) & 0x7fffffffu) <= 87.5f) & (uint32_t) !(x < -104.0f);
}
GI_FORMULA float gi_exp_slow_f32(float x) { return x != x ? GI_NAN_F32 : gi_exp_any_f32(x, 0.0f); }

GI_FORMULA double   gi_exp_core_f64(double x) { return gi_pick_f64((uint64_t)(x < -746.0), 0.0, gi_exp_normal_f64(x, 0.0)); }
GI_FORMULA uint64_t gi_exp_rare_f64(double x)
{
    return (uint64_t) !(gi_from_bits_f64(gi_bits_f64(x - 0.5) & 0x7fffffffffffffffu) <= 708.5) & (uint64_t) !(x < -746.0);
}
GI_FORMULA double gi_exp_slow_f64(double x) { return x != x ? GI_NAN_F64 : gi_exp_any_f64(x, 0.0); }

/* ----------------------------------------------------------------------------------------------------------- exp2 */

/* 2^x = 2^n y, n = round(x) at the end of n_bits; |x| < 2^11.  Polynomial error 2^-28.3 (f32), 2^-57.9 (f64). */
GI_FORMULA float gi_exp2_split_f32(float x, uint32_t *n_bits)
{
    float shifted = x + GI_ROUND_F32;
    float r       = x - (shifted - GI_ROUND_F32);
    *n_bits       = gi_bits_f32(shifted);
    float p       = gi_fma_f32(0x1.416f8cp-13f, r, 0x1.5f041ap-10f);
    p             = gi_fma_f32(p, r, 0x1.3b2ddcp-7f);
    p             = gi_fma_f32(p, r, 0x1.c6af88p-5f);
    p             = gi_fma_f32(p, r, 0x1.ebfbdcp-3f);
    float hi = gi_fma_f32(r, 0x1.62e43p-1f, 1.0f), lo = gi_fma_f32(r, 0x1.62e43p-1f, 1.0f - hi);
    return hi + gi_fma_f32(r, gi_fma_f32(r, p, -0x1.05c61p-29f), lo);
}
GI_FORMULA double gi_exp2_split_f64(double x, uint64_t *n_bits)
{
    double shifted = x + GI_ROUND_F64;
    double r       = x - (shifted - GI_ROUND_F64);
    *n_bits        = gi_bits_f64(shifted);
    double r2 = r * r, r4 = r2 * r2;
    double p0 = gi_fma_f64(0x1.c6b08d704a045p-5, r, 0x1.ebfbdff82c5a1p-3);
    double p1 = gi_fma_f64(0x1.5d87fe78c39c2p-10, r, 0x1.3b2ab6fba07a3p-7);
    double p2 = gi_fma_f64(0x1.ffcbfbc701b45p-17, r, 0x1.4309130dc287cp-13);
    double p3 = gi_fma_f64(0x1.b5265478277d7p-24, r, 0x1.62bfc9fbd9359p-20);
    double p4 = gi_fma_f64(0x1.e7c47487fef3p-32, r, 0x1.e617aac61cefcp-28);
    double p  = gi_fma_f64(gi_fma_f64(p4, r2, p3), r4, gi_fma_f64(p2, r2, p1));
    p         = gi_fma_f64(p, r2, p0);
    double hi = gi_fma_f64(r, 0x1.62e42fefa39efp-1, 1.0), lo = gi_fma_f64(r, 0x1.62e42fefa39efp-1, 1.0 - hi);
    return hi + gi_fma_f64(r, gi_fma_f64(r, p, 0x1.abc9e3b39803fp-56), lo);
}

/* Exact for integers.  Rare as with exp. */
GI_FORMULA float gi_exp2_core_f32(float x)
{
    uint32_t n_bits;
    float    y = gi_exp2_split_f32(x, &n_bits);
    y          = gi_from_bits_f32(gi_bits_f32(y) + (n_bits << 23));
    return gi_pick_f32((uint32_t)(x < -150.0f), 0.0f, y);
}
GI_FORMULA uint32_t gi_exp2_rare_f32(float x)
{
    return (uint32_t) !(x <= 127.0f) | ((uint32_t)(x < -126.0f) & (uint32_t)(x >= -150.0f));
}
GI_FORMULA float gi_exp2_slow_f32(float x)
{
    uint32_t n_bits;
    float    y = gi_exp2_split_f32(gi_clamp_f32(x, -160.0f, 130.0f), &n_bits);
    return x != x ? GI_NAN_F32 : gi_scale_f32(y, n_bits);
}

GI_FORMULA double gi_exp2_core_f64(double x)
{
    uint64_t n_bits;
    double   y = gi_exp2_split_f64(x, &n_bits);
    y          = gi_from_bits_f64(gi_bits_f64(y) + (n_bits << 52));
    return gi_pick_f64((uint64_t)(x < -1075.0), 0.0, y);
}
GI_FORMULA uint64_t gi_exp2_rare_f64(double x)
{
    return (uint64_t) !(x <= 1023.0) | ((uint64_t)(x < -1022.0) & (uint64_t)(x >= -1075.0));
}
GI_FORMULA double gi_exp2_slow_f64(double x)
{
    uint64_t n_bits;
    double   y = gi_exp2_split_f64(gi_clamp_f64(x, -1090.0, 1030.0), &n_bits);
    return x != x ? GI_NAN_F64 : gi_scale_f64(y, n_bits);
}

/* ---------------------------------------------------------------------------------------------------------- expm1 */

/* expm1: 2^n (1 + r) - 1 is summed with its error, 2^n times the rest is added.  Rare: x near overflow, NaN. */
GI_FORMULA float gi_expm1_core_f32(float x)
{
    gi_exp_parts_f32 e  = gi_exp_split_f32(gi_pick_f32((uint32_t)(x < -20.0f), -20.0f, x), 0.0f);
    float            hi = 1.0f + e.r, lo = (e.r - (hi - 1.0f)) + e.s;
    float            scale = gi_power_of_two_f32(e.n_bits);
    float            power = gi_mul_f32(hi, scale);
    float            sum = power - 1.0f, part = sum - power;
    float            error = (power - (sum - part)) + (-1.0f - part);
    float            y     = sum + gi_fma_f32(lo, scale, error);
    return gi_from_bits_f32(gi_bits_f32(y) | (gi_bits_f32(x) & 0x80000000u)); /* -0 */
}
GI_FORMULA uint32_t gi_expm1_rare_f32(float x) { return (uint32_t) !(x <= 88.0f); }
GI_FORMULA float    gi_expm1_slow_f32(float x) { return gi_exp_slow_f32(x); }

GI_FORMULA double gi_expm1_core_f64(double x)
{
    gi_exp_parts_f64 e  = gi_exp_split_f64(gi_pick_f64((uint64_t)(x < -40.0), -40.0, x), 0.0);
    double           hi = 1.0 + e.r, lo = (e.r - (hi - 1.0)) + e.s;
    double           scale = gi_power_of_two_f64(e.n_bits);
    double           power = gi_mul_f64(hi, scale);
    double           sum = power - 1.0, part = sum - power;
    double           error = (power - (sum - part)) + (-1.0 - part);
    double           y     = sum + gi_fma_f64(lo, scale, error);
    return gi_from_bits_f64(gi_bits_f64(y) | (gi_bits_f64(x) & 0x8000000000000000u));
}
GI_FORMULA uint64_t gi_expm1_rare_f64(double x) { return (uint64_t) !(x <= 709.0); }
GI_FORMULA double   gi_expm1_slow_f64(double x) { return gi_exp_slow_f64(x); }

/* ----------------------------------------------------------------------------------------------------- sinh, cosh */

/* |x| = n ln2 + r + lo: sinh_n + sinh_n_lo and cosh_n + cosh_n_lo are those of n ln2,
   r + sinh_rest and 1 + cosh_rest those of r + lo */
typedef struct {
    float sinh_n, cosh_n, sinh_n_lo, cosh_n_lo, r, sinh_rest, cosh_rest;
} gi_hyperbolic_f32;
typedef struct {
    double sinh_n, cosh_n, sinh_n_lo, cosh_n_lo, r, sinh_rest, cosh_rest;
} gi_hyperbolic_f64;

/* Polynomial errors: sinh 2^-34.1, cosh 2^-33.2 (f32); sinh 2^-61.7, cosh 2^-58.0 (f64). */
GI_FORMULA gi_hyperbolic_f32 gi_hyperbolic_split_f32(float x)
{
    gi_hyperbolic_f32 h;
    uint32_t          n_bits;
    float             first, second;
    gi_exp_reduce_f32(gi_from_bits_f32(gi_bits_f32(x) & 0x7fffffffu), 0.0f, &n_bits, &first, &second);
    float r = first + second, lo = (first - r) + second;
    float z     = r * r;
    float s     = gi_fma_f32(gi_fma_f32(0x1.a28ee6p-13f, z, 0x1.110fe2p-7f), z, 0x1.555556p-3f);
    float c     = gi_fma_f32(gi_fma_f32(0x1.6d5196p-10f, z, 0x1.5554e4p-5f), z, 0.5f);
    float up    = gi_from_bits_f32((n_bits << 23) + 0x3f000000u); /* 2^n / 2 */
    float down  = gi_from_bits_f32(0x3f000000u - (n_bits << 23)); /* 2^-n / 2 */
    h.sinh_n    = up - down;
    h.cosh_n    = up + down;
    h.sinh_n_lo = (up - h.sinh_n) - down;
    h.cosh_n_lo = (up - h.cosh_n) + down;
    h.r         = r;
    h.sinh_rest = gi_fma_f32(r * z, s, lo);
    h.cosh_rest = gi_fma_f32(z, c, r * lo);
    return h;
}
GI_FORMULA gi_hyperbolic_f64 gi_hyperbolic_split_f64(double x)
{
    gi_hyperbolic_f64 h;
    uint64_t          n_bits;
    double            first, second;
    gi_exp_reduce_f64(gi_from_bits_f64(gi_bits_f64(x) & 0x7fffffffffffffffu), 0.0, &n_bits, &first, &second);
    double r = first + second, lo = (first - r) + second;
    double z = r * r, z2 = z * z;
    double s0   = gi_fma_f64(0x1.a01a01b001274p-13, z, 0x1.111111110f658p-7);
    double s1   = gi_fma_f64(0x1.af5f19ac80a35p-26, z, 0x1.71ddf817ce05ap-19);
    double s    = gi_fma_f64(s1, z2, s0);
    s           = gi_fma_f64(s, z, 0x1.5555555555559p-3);
    double c0   = gi_fma_f64(0x1.6c16c1853bec4p-10, z, 0x1.555555555026bp-5);
    double c1   = gi_fma_f64(0x1.28af6fe60b35bp-22, z, 0x1.a0199796b030dp-16);
    double c    = gi_fma_f64(c1, z2, c0);
    c           = gi_fma_f64(c, z, 0x1.000000000000bp-1);
    double up   = gi_from_bits_f64((n_bits << 52) + 0x3fe0000000000000u);
    double down = gi_from_bits_f64(0x3fe0000000000000u - (n_bits << 52));
    h.sinh_n    = up - down;
    h.cosh_n    = up + down;
    h.sinh_n_lo = (up - h.sinh_n) - down;
    h.cosh_n_lo = (up - h.cosh_n) + down;
    h.r         = r;
    h.sinh_rest = gi_fma_f64(r * z, s, lo);
    h.cosh_rest = gi_fma_f64(z, c, r * lo);
    return h;
}

/* Rare: near overflow, inf, NaN.  There sinh|x| = cosh x = exp|x| / 2, taken as exp(|x| - ln2) in two words. */
GI_FORMULA float gi_sinh_core_f32(float x)
{
    gi_hyperbolic_f32 h  = gi_hyperbolic_split_f32(x);
    float             hi = gi_fma_f32(h.cosh_n, h.r, h.sinh_n), lo = gi_fma_f32(h.cosh_n, h.r, h.sinh_n - hi);
    lo      = gi_fma_f32(h.cosh_n, h.sinh_rest, lo + h.sinh_n_lo);
    float y = hi + gi_fma_f32(h.sinh_n, h.cosh_rest, lo);
    return gi_from_bits_f32(gi_bits_f32(y) | (gi_bits_f32(x) & 0x80000000u));
}
GI_FORMULA float gi_cosh_core_f32(float x)
{
    gi_hyperbolic_f32 h  = gi_hyperbolic_split_f32(x);
    float             hi = gi_fma_f32(h.sinh_n, h.r, h.cosh_n), lo = gi_fma_f32(h.sinh_n, h.r, h.cosh_n - hi);
    lo = gi_fma_f32(h.sinh_n, h.sinh_rest, lo + h.cosh_n_lo);
    return hi + gi_fma_f32(h.cosh_n, h.cosh_rest, lo);
}
GI_FORMULA uint32_t gi_cosh_rare_f32(float x) { return (uint32_t)((gi_bits_f32(x) & 0x7fffffffu) > 0x42ae0000u); }
GI_FORMULA uint32_t gi_sinh_rare_f32(float x) { return gi_cosh_rare_f32(x); } /* |x| > 87 */
GI_FORMULA float    gi_cosh_slow_f32(float x)
{
    uint32_t a = gi_bits_f32(x) & 0x7fffffffu;
    if (a > 0x7f800000u) return GI_NAN_F32;
    return (float)(0.5 * gi_exp_any_f64((double)gi_from_bits_f32(a), 0.0));
}
GI_FORMULA float gi_sinh_slow_f32(float x)
{
    float y = gi_cosh_slow_f32(x);
    return y != y ? y : gi_from_bits_f32(gi_bits_f32(y) | (gi_bits_f32(x) & 0x80000000u));
}

GI_FORMULA double gi_sinh_core_f64(double x)
{
    gi_hyperbolic_f64 h  = gi_hyperbolic_split_f64(x);
    double            hi = gi_fma_f64(h.cosh_n, h.r, h.sinh_n), lo = gi_fma_f64(h.cosh_n, h.r, h.sinh_n - hi);
    lo       = gi_fma_f64(h.cosh_n, h.sinh_rest, lo + h.sinh_n_lo);
    double y = hi + gi_fma_f64(h.sinh_n, h.cosh_rest, lo);
    return gi_from_bits_f64(gi_bits_f64(y) | (gi_bits_f64(x) & 0x8000000000000000u));
}
GI_FORMULA double gi_cosh_core_f64(double x)
{
    gi_hyperbolic_f64 h  = gi_hyperbolic_split_f64(x);
    double            hi = gi_fma_f64(h.sinh_n, h.r, h.cosh_n), lo = gi_fma_f64(h.sinh_n, h.r, h.cosh_n - hi);
    lo = gi_fma_f64(h.sinh_n, h.sinh_rest, lo + h.cosh_n_lo);
    return hi + gi_fma_f64(h.cosh_n, h.cosh_rest, lo);
}
GI_FORMULA uint64_t gi_cosh_rare_f64(double x)
{
    return (uint64_t)((gi_bits_f64(x) & 0x7fffffffffffffffu) > 0x4085e00000000000u);
}
GI_FORMULA uint64_t gi_sinh_rare_f64(double x) { return gi_cosh_rare_f64(x); } /* |x| > 700 */
GI_FORMULA double   gi_cosh_slow_f64(double x)
{
    uint64_t a = gi_bits_f64(x) & 0x7fffffffffffffffu;
    if (a > 0x7ff0000000000000u) return GI_NAN_F64;
    /* |x| - 42 bits of ln2 is exact below 2^10 */
    return gi_exp_any_f64(gi_from_bits_f64(a) - 0x1.62e42fefa38p-1, -0x1.ef35793c7673p-45);
}
GI_FORMULA double gi_sinh_slow_f64(double x)
{
    double y = gi_cosh_slow_f64(x);
    return y != y ? y : gi_from_bits_f64(gi_bits_f64(y) | (gi_bits_f64(x) & 0x8000000000000000u));
}

/* ----------------------------------------------------------------------------------------------------------- tanh */

/* tanh: valid everywhere.  |x| <= 0.7: x + x^3 p(x^2); beyond 1 - 2 / (exp(2|x|) + 1), with 2|x| = n ln2 + 2r and the factor as a
   polynomial of r.  Polynomial error 2^-28.0 (f32), 2^-57.3 (f64). */
GI_FORMULA float gi_tanh_core_f32(float x)
{
    uint32_t a       = gi_bits_f32(x) & 0x7fffffffu;
    float    m       = gi_from_bits_f32(a < 0x41200000u ? a : 0x41200000u); /* from 9.02 on tanh is 1: 10 is enough */
    float    shifted = gi_fma_f32(m, 0x1.715476p1f, GI_ROUND_F32);
    float    r       = gi_fma_f32(GI_ROUND_F32 - shifted, 0x1.62e43p-2f, m);
    float    e       = gi_fma_f32(0x1.686aa2p-4f, r, 0x1.123d02p-2f);
    e                = gi_fma_f32(e, r, 0x1.555b82p-1f);
    e                = gi_fma_f32(e, r, 0x1.55548cp0f);
    e                = gi_fma_f32(e, r, 0x1.fffff8p0f);
    e                = gi_fma_f32(e, r, 2.0f);
    e                = gi_fma_f32(e, r, 1.0f);
    float large      = gi_fma_f32(-2.0f, 1.0f / gi_fma_f32(e, gi_power_of_two_f32(gi_bits_f32(shifted)), 1.0f), 1.0f);
    float z          = gi_mul_f32(x, x);
    float p          = gi_fma_f32(0x1.f2551cp-10f, z, -0x1.02972ap-7f);
    p                = gi_fma_f32(p, z, 0x1.617fecp-6f);
    p                = gi_fma_f32(p, z, -0x1.b9bb3cp-5f);
    p                = gi_fma_f32(p, z, 0x1.110f52p-3f);
    p                = gi_fma_f32(p, z, -0x1.55555p-2f);
    float small      = gi_fma_f32(gi_mul_f32(x, z), p, x);
    float y          = gi_pick_f32((uint32_t)(a > 0x3f333333u), large, small);
    y                = gi_from_bits_f32(gi_bits_f32(y) | (gi_bits_f32(x) & 0x80000000u)); /* of -0 too, whose sum is +0 */
    return gi_pick_f32((uint32_t)(x != x), GI_NAN_F32, y);
}
GI_FORMULA uint32_t gi_tanh_rare_f32(float x)
{
    (void)x;
    return 0;
}
GI_FORMULA float gi_tanh_slow_f32(float x) { return gi_tanh_core_f32(x); }

GI_FORMULA double gi_tanh_core_f64(double x)
{
    uint64_t a       = gi_bits_f64(x) & 0x7fffffffffffffffu;
    double   m       = gi_from_bits_f64(a < 0x4034000000000000u ? a : 0x4034000000000000u); /* from 19.07 on tanh is 1 */
    double   shifted = gi_fma_f64(m, 0x1.71547652b82fep1, GI_ROUND_F64);
    double   r       = gi_fma_f64(GI_ROUND_F64 - shifted, 0x1.62e42fefa39efp-2, m);
    double   e       = gi_fma_f64(0x1.ae14986273112p-15, r, 0x1.28b0b201c999p-12);
    e                = gi_fma_f64(e, r, 0x1.71dec61c567b4p-10);
    e                = gi_fma_f64(e, r, 0x1.a0199603d82e8p-8);
    e                = gi_fma_f64(e, r, 0x1.a01a015587441p-6);
    e                = gi_fma_f64(e, r, 0x1.6c16c185ee646p-4);
    e                = gi_fma_f64(e, r, 0x1.111111111fa15p-2);
    e                = gi_fma_f64(e, r, 0x1.555555554fe59p-1);
    e                = gi_fma_f64(e, r, 0x1.555555555551bp0);
    e                = gi_fma_f64(e, r, 0x1.000000000000cp1);
    e                = gi_fma_f64(e, r, 2.0);
    e                = gi_fma_f64(e, r, 1.0);
    double large     = gi_fma_f64(-2.0, 1.0 / gi_fma_f64(e, gi_power_of_two_f64(gi_bits_f64(shifted)), 1.0), 1.0);
    double z         = gi_mul_f64(x, x);
    double p         = gi_fma_f64(0x1.4228abd667d42p-18, z, -0x1.c620dbc0d0b26p-16);
    p                = gi_fma_f64(p, z, 0x1.71a02b7f61c63p-14);
    p                = gi_fma_f64(p, z, -0x1.ec7e20f587604p-13);
    p                = gi_fma_f64(p, z, 0x1.3495bf231a324p-11);
    p                = gi_fma_f64(p, z, -0x1.7d8c955721fe1p-10);
    p                = gi_fma_f64(p, z, 0x1.d6d1f9360e42p-9);
    p                = gi_fma_f64(p, z, -0x1.226e2896d212ap-7);
    p                = gi_fma_f64(p, z, 0x1.664f481167c93p-6);
    p                = gi_fma_f64(p, z, -0x1.ba1ba1b7cca1cp-5);
    p                = gi_fma_f64(p, z, 0x1.111111110e0a8p-3);
    p                = gi_fma_f64(p, z, -0x1.5555555555529p-2);
    double small     = gi_fma_f64(gi_mul_f64(x, z), p, x);
    double y         = gi_pick_f64((uint64_t)(a > 0x3fe6666666666666u), large, small);
    y = gi_from_bits_f64(gi_bits_f64(y) | (gi_bits_f64(x) & 0x8000000000000000u)); /* of -0 too, whose sum is +0 */
    return gi_pick_f64((uint64_t)(x != x), GI_NAN_F64, y);
}
GI_FORMULA uint64_t gi_tanh_rare_f64(double x)
{
    (void)x;
    return 0;
}
GI_FORMULA double gi_tanh_slow_f64(double x) { return gi_tanh_core_f64(x); }
