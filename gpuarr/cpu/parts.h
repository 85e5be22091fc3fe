/* ---- floats taken apart: fractions and whole parts, mantissas and exponents --------------------------------------------------- */

static void GI_FIND(gi_fractions_f32)(int64_t n, const void *x_, void *part_, void *whole_)
{
    const float *x    = (const float *)x_;
    float       *part = (float *)part_, *whole = (float *)whole_;
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) {
        const float w = gi_trunc_f32(x[i]), rest = gi_isinf_f32(x[i]) ? 0 : x[i] - w;
        whole[i] = w;
        part[i]  = gi_copysign_f32(rest, x[i]);
    }
}

static void GI_FIND(gi_fractions_f64)(int64_t n, const void *x_, void *part_, void *whole_)
{
    const double *x    = (const double *)x_;
    double       *part = (double *)part_, *whole = (double *)whole_;
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) {
        const double w = gi_trunc_f64(x[i]), rest = gi_isinf_f64(x[i]) ? 0 : x[i] - w;
        whole[i] = w;
        part[i]  = gi_copysign_f64(rest, x[i]);
    }
}

/* Denormals become normal before their bits tell the exponent. The exponents of 0, infinity and NaN are 0. */
static void GI_FIND(gi_mantissas_f32)(int64_t n, const void *x_, void *part_, void *exponent_)
{
    enum { EXPONENT = 0x7f800000, LEAST = 0x800000, HALF = 0x3f000000 };
    const float *x        = (const float *)x_;
    float       *part     = (float *)part_;
    int32_t     *exponent = (int32_t *)exponent_;
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) {
        const int32_t given = (int32_t)gi_bits_f32(x[i]), scaled = (int32_t)gi_bits_f32(gi_mul_f32(x[i], 0x1p25f));
        const int32_t tiny = (given & EXPONENT) < LEAST ? -1 : 0, bits = given ^ ((given ^ scaled) & tiny), e = bits & EXPONENT;
        const int32_t some = e >= LEAST && e < EXPONENT ? -1 : 0, made = (bits & ~EXPONENT) | HALF;
        part[i]     = gi_from_bits_f32((uint32_t)(given ^ ((given ^ made) & some)));
        exponent[i] = ((e >> 23) - 126 - (tiny & 25)) & some;
    }
}

static void GI_FIND(gi_mantissas_f64)(int64_t n, const void *x_, void *part_, void *exponent_)
{
    const int64_t all = (int64_t)0x7ff << 52, least = (int64_t)1 << 52, half = (int64_t)1022 << 52;
    const double *x        = (const double *)x_;
    double       *part     = (double *)part_;
    int32_t      *exponent = (int32_t *)exponent_;
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) {
        const int64_t given = (int64_t)gi_bits_f64(x[i]), scaled = (int64_t)gi_bits_f64(gi_mul_f64(x[i], 0x1p54));
        const int64_t tiny = (given & all) < least ? -1 : 0, bits = given ^ ((given ^ scaled) & tiny), e = bits & all;
        const int64_t some = e >= least && e < all ? -1 : 0, made = (bits & ~all) | half;
        part[i]     = gi_from_bits_f64((uint64_t)(given ^ ((given ^ made) & some)));
        exponent[i] = (int32_t)(((e >> 52) - 1022 - (tiny & 54)) & some);
    }
}

static gi_parts_loop GI_FIND(gi_parts)(ga_dtype dtype, bool exponents)
{
    if (exponents) return dtype == GA_F32 ? GI_FIND(gi_mantissas_f32) : GI_FIND(gi_mantissas_f64);
    return dtype == GA_F32 ? GI_FIND(gi_fractions_f32) : GI_FIND(gi_fractions_f64);
}
