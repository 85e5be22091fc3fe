/* ---- power of many floats, 512 bits at a time -------------------------------------------------------------------------- */
/*  The formulas of power.h and exp.h, in their order, so that the bits are theirs; where the processor takes exponents off and puts them on by
    itself, nothing needs to be limited. Loops of their own for the logarithm and for what follows: the processor looks ahead over several vectors
    of a short formula, over hardly one of a long one. */
#define GI_ALL(x)       _mm512_set1_pd(x)
#define GI_FMA(a, b, c) _mm512_fmadd_pd(a, b, c)
#define GI_IS_SPECIAL   0x9F /* 0, inf, NaN */
#define GI_IS_DENORMAL  0x20

/* The bits of x > 0 whose mantissas begin at sqrt(1/2) as those of powers of two, and f, the mantissa less 1. */
static GI_INLINE __m512i gi_power_mantissa_avx512(__m512d x, __m512d *f)
{
    const __m512i below = _mm512_set1_epi64(0x3fe6a09e667f3bcd), bits = _mm512_set1_epi64(0x000fffffffffffff);
    const __m512i t = _mm512_add_epi64(_mm512_castpd_si512(x), _mm512_set1_epi64(0x3ff0000000000000 - 0x3fe6a09e667f3bcd));
    *f              = _mm512_sub_pd(_mm512_castsi512_pd(_mm512_add_epi64(_mm512_and_si512(t, bits), below)), GI_ALL(1.0));
    return t;
}

static GI_INLINE __m512d gi_power_log2_f32_avx512(__m512d x)
{
    __m512d       f;
    const __m512d n  = _mm512_getexp_pd(_mm512_castsi512_pd(gi_power_mantissa_avx512(x, &f)));
    const __m512d f2 = _mm512_mul_pd(f, f), f4 = _mm512_mul_pd(f2, f2);
    const __m512d p0   = GI_FMA(GI_ALL(-0x1.71547651b6f4cp-1), f, GI_ALL(0x1.71547652b58f1p0));
    const __m512d p1   = GI_FMA(GI_ALL(-0x1.715478885e34cp-2), f, GI_ALL(0x1.ec709de34054bp-2));
    const __m512d p2   = GI_FMA(GI_ALL(-0x1.ec6f2dee28718p-3), f, GI_ALL(0x1.2776b6cb61bdfp-2));
    const __m512d p3   = GI_FMA(GI_ALL(-0x1.7188d552e68c8p-3), f, GI_ALL(0x1.a61b7e440b68fp-3));
    const __m512d p4   = GI_FMA(GI_ALL(-0x1.23d6302371cebp-3), f, GI_ALL(0x1.481fa60f3bcf9p-3));
    const __m512d p5   = GI_FMA(GI_ALL(-0x1.13b9548893d2fp-3), f, GI_ALL(0x1.0ace164dcab52p-3));
    const __m512d p6   = GI_FMA(GI_ALL(-0x1.1da433e237e3dp-4), f, GI_ALL(0x1.0f6261c984131p-3));
    const __m512d high = GI_FMA(GI_FMA(p6, f4, GI_FMA(p5, f2, p4)), f4, GI_FMA(p3, f2, p2));
    return GI_FMA(GI_FMA(high, f4, GI_FMA(p1, f2, p0)), f, n);
}

static GI_INLINE __m256 gi_power_exp2_f32_avx512(__m512d t)
{
    const __m512d round = GI_ALL(GI_ROUND_F64), n = _mm512_sub_pd(_mm512_add_pd(t, round), round);
    const __m512d r = _mm512_sub_pd(t, n), r2 = _mm512_mul_pd(r, r);
    const __m512d p0 = GI_FMA(GI_ALL(0x1.62e42ff0e191dp-1), r, GI_ALL(1.0));
    const __m512d p1 = GI_FMA(GI_ALL(0x1.c6b08ac06c325p-5), r, GI_ALL(0x1.ebfbe0778724bp-3));
    const __m512d p2 = GI_FMA(GI_ALL(0x1.5d8a85fe7833cp-10), r, GI_ALL(0x1.3b29f39d4d49cp-7));
    const __m512d p3 = GI_FMA(GI_ALL(0x1.fde5fe328a61ep-17), r, GI_ALL(0x1.445c840469a21p-13));
    const __m512d y  = GI_FMA(GI_FMA(GI_FMA(p3, r2, p2), r2, p1), r2, p0);
    return _mm512_cvtpd_ps(_mm512_scalef_pd(y, n));
}

/* z, a power of |x|, with the sign of that of x, which is NaN where x < 0 and y is no integer. */
static GI_INLINE __m512 gi_power_sign_f32_avx512(__m512 z, __m512 x, __m512 y)
{
    const __m512    round = _mm512_set1_ps(GI_ROUND_F32), shifted = _mm512_add_ps(y, round);
    const __m512i   odd = _mm512_slli_epi32(_mm512_castps_si512(shifted), 31), bits = _mm512_castps_si512(x);
    const __mmask16 broken = _mm512_mask_cmp_ps_mask(_mm512_movepi32_mask(bits), _mm512_sub_ps(shifted, round), y, _CMP_NEQ_UQ);
    const __m512i   made   = _mm512_or_si512(_mm512_castps_si512(z), _mm512_and_si512(odd, bits));
    return _mm512_castsi512_ps(_mm512_mask_mov_epi32(made, broken, _mm512_set1_epi32(0x7fc00000)));
}
static GI_INLINE __m512d gi_power_sign_f64_avx512(__m512d z, __m512d x, __m512d y)
{
    const __m512d  round = GI_ALL(GI_ROUND_F64), shifted = _mm512_add_pd(y, round);
    const __m512i  odd = _mm512_slli_epi64(_mm512_castpd_si512(shifted), 63), bits = _mm512_castpd_si512(x);
    const __mmask8 broken = _mm512_mask_cmp_pd_mask(_mm512_movepi64_mask(bits), _mm512_sub_pd(shifted, round), y, _CMP_NEQ_UQ);
    const __m512i  made   = _mm512_or_si512(_mm512_castpd_si512(z), _mm512_and_si512(odd, bits));
    return _mm512_castsi512_pd(_mm512_mask_mov_epi64(made, broken, _mm512_set1_epi64(0x7ff8000000000000)));
}

/* Computes m elements, whole vectors, as gi_core2 does. True: some are rare. */
static bool gi_core_power_f32_avx512(int64_t m, float *out, const float *x, const float *y)
{
    __m512d   t[GI_MEND / 8];
    __mmask16 rare = 0, negative = 0;
    for (int64_t i = 0; i < m; i += 16) {
        const __m512    a = _mm512_loadu_ps(x + i), b = _mm512_abs_ps(_mm512_loadu_ps(y + i));
        const __mmask16 special = _mm512_fpclass_ps_mask(a, GI_IS_SPECIAL);
        rare                    = (__mmask16)(rare | special | _mm512_cmp_ps_mask(b, _mm512_set1_ps(0x1p22f), _CMP_NLT_UQ));
        negative                = (__mmask16)(negative | _mm512_movepi32_mask(_mm512_castps_si512(a)));
    }
    for (int64_t i = 0; i < m; i += 8) {
        const __m512d log2 = gi_power_log2_f32_avx512(_mm512_abs_pd(_mm512_cvtps_pd(_mm256_loadu_ps(x + i))));
        t[i / 8]           = _mm512_mul_pd(log2, _mm512_cvtps_pd(_mm256_loadu_ps(y + i)));
    }
    for (int64_t i = 0; i < m; i += 8) _mm256_storeu_ps(out + i, gi_power_exp2_f32_avx512(t[i / 8]));
    for (int64_t i = 0; i < m && negative; i += 16) {
        const __m512 z = _mm512_loadu_ps(out + i);
        _mm512_storeu_ps(out + i, gi_power_sign_f32_avx512(z, _mm512_loadu_ps(x + i), _mm512_loadu_ps(y + i)));
    }
    return rare != 0;
}

static GI_INLINE void gi_power_log_f64_avx512(__m512d x, __m512d *log_hi, __m512d *log_lo)
{
    const __m512d one = GI_ALL(1.0), two = GI_ALL(2.0), third = GI_ALL(0x1.5555555555555p-1);
    __m512d       f;
    const __m512i t = gi_power_mantissa_avx512(x, &f), high = _mm512_set1_epi64(0x4330000000000000);
    const __m512d n =
        _mm512_sub_pd(_mm512_castsi512_pd(_mm512_or_si512(_mm512_srli_epi64(t, 52), high)), GI_ALL(0x1p52 + 1023.0));
    const __m512d d = _mm512_add_pd(two, f), d_lo = _mm512_sub_pd(f, _mm512_sub_pd(d, two));
    const __m512d inverse = _mm512_div_pd(one, d), s = _mm512_mul_pd(f, inverse);
    const __m512d s_lo = _mm512_mul_pd(_mm512_fnmadd_pd(s, d_lo, _mm512_fnmadd_pd(s, d, f)), inverse);
    const __m512d z = _mm512_mul_pd(s, s), z_lo = GI_FMA(_mm512_add_pd(s, s), s_lo, _mm512_fmsub_pd(s, s, z));
    const __m512d z2 = _mm512_mul_pd(z, z), z4 = _mm512_mul_pd(z2, z2);
    const __m512d q0   = GI_FMA(GI_ALL(0x1.2492492492f4bp-2), z, GI_ALL(0x1.9999999999996p-2));
    const __m512d q1   = GI_FMA(GI_ALL(0x1.745d1828c79ebp-3), z, GI_ALL(0x1.c71c71c59796ap-3));
    const __m512d q2   = GI_FMA(GI_ALL(0x1.1120692f23eb2p-3), z, GI_ALL(0x1.3b1364f1016b4p-3));
    const __m512d q3   = GI_FMA(GI_ALL(0x1.eabe236a2466ap-4), z, GI_ALL(0x1.de3e606605b35p-4));
    const __m512d q    = GI_FMA(GI_FMA(q3, z2, q2), z4, GI_FMA(q1, z2, q0));
    const __m512d c    = GI_FMA(z, q, third);
    const __m512d rest = _mm512_add_pd(GI_FMA(z, q, _mm512_sub_pd(third, c)), GI_ALL(0x1.5555555555555p-55));
    const __m512d c_lo = GI_FMA(z_lo, q, rest), w = _mm512_mul_pd(s, z);
    const __m512d w_lo = GI_FMA(s_lo, z, GI_FMA(s, z_lo, _mm512_fmsub_pd(s, z, w))), v = _mm512_mul_pd(w, c);
    const __m512d v_lo  = GI_FMA(w, c_lo, GI_FMA(w_lo, c, _mm512_fmsub_pd(w, c, v)));
    const __m512d n_ln2 = _mm512_mul_pd(n, GI_ALL(0x1.62e42fefa38p-1));
    const __m512d a = GI_FMA(two, s, n_ln2), a_lo = GI_FMA(two, s, _mm512_sub_pd(n_ln2, a));
    const __m512d b = _mm512_add_pd(a, v), b_lo = _mm512_add_pd(_mm512_sub_pd(a, b), v);
    const __m512d small =
        _mm512_add_pd(GI_FMA(n, GI_ALL(0x1.ef35793c7673p-45), GI_FMA(two, s_lo, v_lo)), _mm512_add_pd(a_lo, b_lo));
    *log_hi = _mm512_add_pd(b, small);
    *log_lo = _mm512_add_pd(_mm512_sub_pd(b, *log_hi), small);
}

static GI_INLINE __m512d gi_power_exp_f64_avx512(__m512d x, __m512d x_lo)
{
    const __m512d one = GI_ALL(1.0), round = GI_ALL(GI_ROUND_F64);
    const __m512d n      = _mm512_sub_pd(GI_FMA(x, GI_ALL(0x1.71547652b82fep0), round), round);
    const __m512d first  = _mm512_fnmadd_pd(n, GI_ALL(0x1.62e42fefa39efp-1), x);
    const __m512d second = _mm512_fnmadd_pd(n, GI_ALL(0x1.abc9e3b39803fp-56), x_lo);
    const __m512d r = _mm512_add_pd(first, second), lo = _mm512_add_pd(_mm512_sub_pd(first, r), second);
    const __m512d r2 = _mm512_mul_pd(r, r), r4 = _mm512_mul_pd(r2, r2);
    const __m512d p0 = GI_FMA(GI_ALL(0x1.5555555555559p-3), r, GI_ALL(0.5));
    const __m512d p1 = GI_FMA(GI_ALL(0x1.111111110f65ap-7), r, GI_ALL(0x1.555555555554dp-5));
    const __m512d p2 = GI_FMA(GI_ALL(0x1.a01a01afffe71p-13), r, GI_ALL(0x1.6c16c16c1aaf7p-10));
    const __m512d p3 = GI_FMA(GI_ALL(0x1.71ddf81bab092p-19), r, GI_ALL(0x1.a01a018e10e94p-16));
    const __m512d p4 = GI_FMA(GI_ALL(0x1.af5f12249e71p-26), r, GI_ALL(0x1.27e5133a9ba33p-22));
    const __m512d p5 = GI_FMA(GI_ALL(0x1.1f1a292963ac9p-29), r2, p4);
    const __m512d p  = GI_FMA(GI_FMA(GI_FMA(p5, r2, p3), r4, GI_FMA(p2, r2, p1)), r2, p0);
    const __m512d s = GI_FMA(r2, p, GI_FMA(r, lo, lo)), hi = _mm512_add_pd(one, r);
    const __m512d y = _mm512_add_pd(hi, _mm512_add_pd(_mm512_sub_pd(r, _mm512_sub_pd(hi, one)), s));
    return _mm512_scalef_pd(y, n);
}

static bool gi_core_power_f64_avx512(int64_t m, double *out, const double *x, const double *y)
{
    __m512d  t[GI_MEND / 8], t_lo[GI_MEND / 8];
    __mmask8 rare = 0, negative = 0;
    for (int64_t i = 0; i < m; i += 8) {
        const __m512d  a = _mm512_loadu_pd(x + i), b = _mm512_loadu_pd(y + i);
        const __mmask8 special = _mm512_fpclass_pd_mask(a, GI_IS_SPECIAL | GI_IS_DENORMAL);
        rare                   = (__mmask8)(rare | special | _mm512_cmp_pd_mask(_mm512_abs_pd(b), GI_ALL(0x1p30), _CMP_NLT_UQ));
        negative               = (__mmask8)(negative | _mm512_movepi64_mask(_mm512_castpd_si512(a)));
        __m512d log_hi, log_lo;
        gi_power_log_f64_avx512(_mm512_abs_pd(a), &log_hi, &log_lo);
        t[i / 8]    = _mm512_mul_pd(b, log_hi);
        t_lo[i / 8] = GI_FMA(b, log_lo, _mm512_fmsub_pd(b, log_hi, t[i / 8]));
    }
    for (int64_t i = 0; i < m; i += 8) _mm512_storeu_pd(out + i, gi_power_exp_f64_avx512(t[i / 8], t_lo[i / 8]));
    for (int64_t i = 0; i < m && negative; i += 8) {
        const __m512d z = _mm512_loadu_pd(out + i);
        _mm512_storeu_pd(out + i, gi_power_sign_f64_avx512(z, _mm512_loadu_pd(x + i), _mm512_loadu_pd(y + i)));
    }
    return rare != 0;
}
#undef GI_ALL
#undef GI_FMA
#undef GI_IS_SPECIAL
#undef GI_IS_DENORMAL
