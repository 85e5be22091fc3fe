/* ==== >>divide: integers divided by one number ====================================================================== */
/*  A product and two shifts are a division by a number that is known (Granlund and Montgomery, PLDI 1994, figure 4.1). Rounded down, the quotient
    of a negative x is that of ~x, with every bit turned.                                                                       */
#define GI_W GI_JOIN(gi_wrap_, GA_TAG)
#define GI_U GI_JOIN(gi_unsigned_, GA_TAG)
#define GI_D GI_JOIN(gi_double_, GA_TAG)

static GI_INLINE void GI_LOOP(gi_divide_loop)(bool rest, int64_t n, GA_T *out, const GA_T *x, GA_T by)
{
    enum { BITS = GA_FN(bits) };
    const bool negative = by < (GA_T)1; /* it is not 0 */
    const GI_U size     = (GI_U)(negative ? (GI_U)0 - (GI_U)by : (GI_U)by);
    const int  length   = size > 1 ? 64 - __builtin_clzll((unsigned long long)size - 1) : 0;
    const GI_U factor   = (GI_U)((GI_D)((((GI_D)1 << length) - size) << BITS) / size + 1);
    const int  one = length > 0, more = length > 1 ? length - 1 : 0;
    const GI_U turned = (GI_U)(negative ? -1 : 0);
    const GA_T below  = (GA_T)negative;
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) {
        const GI_U sign = (GI_U)(x[i] < below ? -1 : 0), u = (GI_U)(((GI_U)x[i] - (GI_U)below) ^ sign);
        const GI_U high = (GI_U)((GI_D)((GI_D)u * factor) >> BITS), sum = (GI_U)((GI_U)((GI_U)(u - high) >> one) + high);
        const GI_U q = (GI_U)((GI_U)(sum >> more) ^ sign ^ turned);
        out[i]       = rest ? (GA_T)(GI_U)((GI_U)x[i] - (GI_U)((GI_W)q * (GI_U)by)) : (GA_T)q;
    }
}

/* Are all n elements of y one number but 0, and enough to make that worth while? */
static bool GI_LOOP(gi_is_divisor)(int64_t n, const GA_T *y)
{
    GA_T differ = 0;
    if (n < 32 || y[0] == 0 || y[0] != y[n - 1]) return false;
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) differ |= (GA_T)(y[i] ^ y[0]);
    return differ == 0;
}

static bool GI_LOOP(gi_short_floor_divide)(int64_t n, void *o, const void *x, const void *y)
{
    if (!GI_LOOP(gi_is_divisor)(n, (const GA_T *)y)) return false;
    GI_LOOP(gi_divide_loop)(false, n, (GA_T *)o, (const GA_T *)x, *(const GA_T *)y);
    return true;
}

static bool GI_LOOP(gi_short_remainder)(int64_t n, void *o, const void *x, const void *y)
{
    if (!GI_LOOP(gi_is_divisor)(n, (const GA_T *)y)) return false;
    GI_LOOP(gi_divide_loop)(true, n, (GA_T *)o, (const GA_T *)x, *(const GA_T *)y);
    return true;
}
#undef GI_W
#undef GI_U
#undef GI_D
