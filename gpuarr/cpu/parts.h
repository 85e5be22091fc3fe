/* ==== floats taken apart: fractions and whole parts, mantissas and exponents =========================================== */

static void GI_LOOP(gi_fractions)(int64_t n, const void *x_, void *part_, void *whole_)
{
    const GA_T *x    = (const GA_T *)x_;
    GA_T       *part = (GA_T *)part_, *whole = (GA_T *)whole_;
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) {
        const GA_T w = GA_FN(trunc)(x[i]), rest = GA_FN(isinf)(x[i]) ? 0 : x[i] - w;
        whole[i] = w;
        part[i]  = GA_FN(copysign)(rest, x[i]);
    }
}

/* Denormals become normal before their bits tell the exponent. The exponents of 0, infinity and NaN are 0. */
static void GI_LOOP(gi_mantissas)(int64_t n, const void *x_, void *part_, void *exponent_)
{
    typedef GI_JOIN(gi_signed_, GA_TAG) word;
    enum { DIGITS = GA_FN(digits), BIAS = GA_FN(bias) - 1, UP = DIGITS + 2 };
    const word  least = (word)1 << DIGITS, all = (word)(2 * BIAS + 3) << DIGITS, half = (word)BIAS << DIGITS;
    const GA_T *x        = (const GA_T *)x_;
    GA_T       *part     = (GA_T *)part_;
    int32_t    *exponent = (int32_t *)exponent_;
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) {
        const word given = (word)GA_FN(bits)(x[i]), scaled = (word)GA_FN(bits)(GA_FN(mul)(x[i], GA_FN(two_to)(UP)));
        const word tiny = (given & all) < least ? -1 : 0, bits = given ^ ((given ^ scaled) & tiny), e = bits & all;
        const word some = e >= least && e < all ? -1 : 0, made = (bits & ~all) | half;
        part[i]     = GA_FN(from_bits)((GI_FLAG)(given ^ ((given ^ made) & some)));
        exponent[i] = (int32_t)(((e >> DIGITS) - BIAS - (tiny & UP)) & some);
    }
}
