/* ---- a * b + c, rounded once, on processors that cannot: vectors of 16 bytes --------------------------------------------- */
/*  The libraries' fma and fmaf take about a hundred nanoseconds there. These give the same bits (of a NaN, not which one). */
GI_BEGIN_FAST
typedef float     gi_fused_f32 __attribute__((vector_size(16)));
typedef double    gi_fused_f64 __attribute__((vector_size(16)));
typedef long long gi_fused_bits __attribute__((vector_size(16)));

/* a * b + c in float64, whose last bit is 1 if it is not exact, on whichever side it lies: that is rounded to float32 as the exact
   one would be. The product is exact. A NaN or infinity has no order. (Boldo and Melquiond 2008) */
static GI_INLINE gi_fused_f64 gi_fused_to_odd(gi_fused_f64 a, gi_fused_f64 b, gi_fused_f64 c)
{
    const gi_fused_bits sign = { INT64_MIN, INT64_MIN }, one = { 1, 1 };
    const gi_fused_f64  zero = { 0, 0 };
    const gi_fused_f64  p = a * b, s = p + c, of_c = s - p, lost = (p - (s - of_c)) + (c - of_c);
    const gi_fused_f64  outwards  = (gi_fused_f64)((gi_fused_bits)lost ^ ((gi_fused_bits)s & sign));
    const gi_fused_bits too_large = (gi_fused_bits)(outwards < zero),
                        too_small = (gi_fused_bits)(outwards > zero); /* 0 or -1 */
    return (gi_fused_f64)(((gi_fused_bits)s + too_large) | ((too_large | too_small) & one));
}

static GI_INLINE gi_fused_f32 gi_fused_fma_f32(gi_fused_f32 a, gi_fused_f32 b, gi_fused_f32 c)
{
    const __m128d low  = gi_fused_to_odd(_mm_cvtps_pd(a), _mm_cvtps_pd(b), _mm_cvtps_pd(c));
    const __m128d high = gi_fused_to_odd(_mm_cvtps_pd(_mm_movehl_ps(a, a)), _mm_cvtps_pd(_mm_movehl_ps(b, b)),
                                         _mm_cvtps_pd(_mm_movehl_ps(c, c)));
    return _mm_movelh_ps(_mm_cvtpd_ps(low), _mm_cvtpd_ps(high));
}

/* Float64: what may be wrong. `least`: NaN of 0, else just below the smallest size of a factor; `unsure`: not 0 in every bit. */
typedef struct gi_fused_doubt {
    gi_fused_f64  least;
    gi_fused_bits unsure;
} gi_fused_doubt;

static GI_INLINE void gi_fused_factor(gi_fused_doubt *d, gi_fused_f64 x)
{
    const gi_fused_bits size = { INT64_MAX, INT64_MAX }, one = { 1, 1 };
    d->least = _mm_min_pd((gi_fused_f64)(((gi_fused_bits)x & size) - one), d->least); /* the second one if the first is NaN */
}

/* The product and what its rounding loses, and the sum with c and what that loses (Dekker 1971, Knuth 1969): all but the last
   rounding is exact but for that of the two losses' sum. Where this might matter, or anything is infinite or NaN, it is unsure. Factors
   must be checked as well: products of small ones lose more. */
static GI_INLINE gi_fused_f64 gi_fused_try(gi_fused_doubt *d, gi_fused_f64 a, gi_fused_f64 b, gi_fused_f64 c)
{
    const gi_fused_f64 half = { 0x1p27 + 1, 0x1p27 + 1 }, tiny = { 0x1p-52, 0x1p-52 };
    const gi_fused_f64 wide_a = a * half, wide_b = b * half;
    const gi_fused_f64 ah = wide_a - (wide_a - a), al = a - ah, bh = wide_b - (wide_b - b), bl = b - bh;
    const gi_fused_f64 p = a * b, s = p + c, of_c = s - p;
    const gi_fused_f64 less  = (((p - ah * bh) - ah * bl - al * bh) - al * bl) + (((s - of_c) - p) + (of_c - c));
    const gi_fused_f64 error = less * tiny, sum = s - (less + error); /* less is +0 where nothing is lost: -0 stays -0 */
    d->unsure |= (gi_fused_bits)(sum - (s - (less - error)));
    return sum;
}

static GI_INLINE bool gi_fused_doubted(const gi_fused_doubt *d)
{
    const gi_fused_f64  small = { 0x1p-480, 0x1p-480 };
    const gi_fused_bits any   = (gi_fused_bits)(d->least < small) | d->unsure;
    return _mm_movemask_epi8(_mm_cmpeq_epi8((__m128i)any, _mm_setzero_si128())) != 0xffff;
}

static __attribute__((noinline, cold)) void gi_fused_slow(const gi_fused_f64 *a, const gi_fused_f64 *b, gi_fused_f64 *c)
{
    for (int i = 0; i < 2; i++) (*c)[i] = gi_fma_f64((*a)[i], (*b)[i], (*c)[i]);
}

static __attribute__((noinline)) gi_fused_f64 gi_fused_fma_f64(gi_fused_f64 a, gi_fused_f64 b, gi_fused_f64 c)
{
    gi_fused_doubt d = { { 1, 1 }, { 0, 0 } };
    gi_fused_factor(&d, a);
    gi_fused_factor(&d, b);
    const gi_fused_f64 sum = gi_fused_try(&d, a, b, c);
    if (__builtin_expect(!gi_fused_doubted(&d), 1)) return sum;
    gi_fused_slow(&a, &b, &c);
    return c;
}

/* A tile of gi_tile_of, of float64: false if any of it is in doubt; then nothing was written. */
static GI_INLINE bool gi_fused_tile(const int rows, const int wide, int64_t n, const char *a, int64_t a_row, const char *b,
                                    int64_t b_row, char *out, int64_t out_row, bool more)
{
    const gi_fused_f64 none = { -0.0, -0.0 };
    gi_fused_doubt     d    = { { 1, 1 }, { 0, 0 } };
    gi_fused_f64       sums[4][2];
    GI_UNROLL
    for (int r = 0; r < rows; r++) {
        GI_UNROLL
        for (int v = 0; v < wide; v++)
            sums[r][v] = more ? (gi_fused_f64)_mm_loadu_pd((const double *)(const void *)(out + r * out_row) + 2 * v) : none;
    }
    for (; n > 0; n--, a += sizeof(double), b += b_row) {
        gi_fused_f64 row[2];
        GI_UNROLL
        for (int v = 0; v < wide; v++) {
            row[v] = _mm_loadu_pd((const double *)(const void *)b + 2 * v);
            gi_fused_factor(&d, row[v]);
        }
        GI_UNROLL
        for (int r = 0; r < rows; r++) {
            const gi_fused_f64 factor = _mm_set1_pd(*(const double *)(const void *)(a + r * a_row));
            gi_fused_factor(&d, factor);
            GI_UNROLL
            for (int v = 0; v < wide; v++) sums[r][v] = gi_fused_try(&d, factor, row[v], sums[r][v]);
        }
    }
    if (gi_fused_doubted(&d)) return false;
    GI_UNROLL
    for (int r = 0; r < rows; r++) {
        GI_UNROLL
        for (int v = 0; v < wide; v++) _mm_storeu_pd((double *)(void *)(out + r * out_row) + 2 * v, sums[r][v]);
    }
    return true;
}
GI_END_FAST
