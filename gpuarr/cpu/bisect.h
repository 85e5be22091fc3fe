/* ==== places in a sorted array ========================================================================================== */
/*  Eight needles in a vector, four vectors side by side: each step gathers the elements that end the first halves. */
#if GI_ISA_BYTES == 64
#if GI_OPTIMIZED
#define GI_BISECT_STEP GI_INLINE
#else /* what is inlined has room of its own on the stack */
#define GI_BISECT_STEP GI_OWN_FRAME
#endif
/* Which elements stand before their needles: less, or, on the right, equal as well; NaN is the last. nan: needles that are NaN. */
static GI_INLINE __mmask8 GI_FIND(gi_before_8)(const bool real, const bool right, __m512i x, __m512i needle, __mmask8 nan)
{
    const __m512d a = _mm512_castsi512_pd(x), b = _mm512_castsi512_pd(needle);
    if (!real) return right ? _mm512_cmple_epu64_mask(x, needle) : _mm512_cmplt_epu64_mask(x, needle);
    if (right) return (__mmask8)(_mm512_cmp_pd_mask(a, b, _CMP_LE_OQ) | nan);
    return (__mmask8)(_mm512_cmp_pd_mask(a, b, _CMP_LT_OQ) | _mm512_mask_cmp_pd_mask(nan, a, a, _CMP_ORD_Q));
}
static GI_INLINE __mmask8 GI_FIND(gi_before_4)(const bool real, const bool right, __m256i x, __m256i needle, __mmask8 nan)
{
    const __m256 a = _mm256_castsi256_ps(x), b = _mm256_castsi256_ps(needle);
    if (!real) return right ? _mm256_cmple_epu32_mask(x, needle) : _mm256_cmplt_epu32_mask(x, needle);
    if (right) return (__mmask8)(_mm256_cmp_ps_mask(a, b, _CMP_LE_OQ) | nan);
    return (__mmask8)(_mm256_cmp_ps_mask(a, b, _CMP_LT_OQ) | _mm256_mask_cmp_ps_mask(nan, a, a, _CMP_ORD_Q));
}

static GI_BISECT_STEP void GI_FIND(gi_bisect_lanes)(const int size, const bool real, const bool right, const gi_keys *rule,
                                                    const void *sorted, int64_t low, int64_t length, int64_t count,
                                                    const void *needles, int64_t *places)
{
    enum { VECTORS = 4 };
    const __m512i flip8 = _mm512_set1_epi64((long long)(real ? 0 : rule->flip));
    const __m256i flip4 = _mm256_set1_epi32((int)(uint32_t)(real ? 0 : rule->flip));
    for (int64_t at = 0; at < count; at += 8 * VECTORS) {
        __m512i  needle8[VECTORS], place[VECTORS];
        __m256i  needle4[VECTORS];
        __mmask8 in[VECTORS], nan[VECTORS];
        GI_UNROLL
        for (int k = 0; k < VECTORS; k++) {
            const int64_t left = count - at - 8 * k, first = left > 0 ? at + 8 * k : at; /* of none */
            in[k]    = (__mmask8)GI_FIND(gi_first_bytes)(left > 0 ? left : 0);
            place[k] = _mm512_set1_epi64(low);
            nan[k]   = 0;
            if (size == 8) {
                needle8[k] = _mm512_maskz_loadu_epi64(in[k], (const int64_t *)needles + first);
                if (real) nan[k] = _mm512_fpclass_pd_mask(_mm512_castsi512_pd(needle8[k]), 0x81);
                needle8[k] = _mm512_xor_si512(needle8[k], flip8);
            } else {
                needle4[k] = _mm256_maskz_loadu_epi32(in[k], (const int32_t *)needles + first);
                if (real) nan[k] = _mm256_fpclass_ps_mask(_mm256_castsi256_ps(needle4[k]), 0x81);
                needle4[k] = _mm256_xor_si256(needle4[k], flip4);
            }
        }
        for (int64_t left = length; left > 0; left /= 2) {
            const int64_t half = left - left / 2;
            const __m512i step = _mm512_set1_epi64(half), last = _mm512_set1_epi64(half - 1);
            GI_UNROLL
            for (int k = 0; k < VECTORS; k++) {
                const __m512i of = _mm512_add_epi64(place[k], last);
                __mmask8      before;
                if (size == 8) {
                    const __m512i x = _mm512_xor_si512(_mm512_i64gather_epi64(of, sorted, 8), flip8);
                    before          = GI_FIND(gi_before_8)(real, right, x, needle8[k], nan[k]);
                } else {
                    const __m256i x = _mm256_xor_si256(_mm512_i64gather_epi32(of, sorted, 4), flip4);
                    before          = GI_FIND(gi_before_4)(real, right, x, needle4[k], nan[k]);
                }
                place[k] = _mm512_mask_add_epi64(place[k], before, place[k], step);
            }
        }
        GI_UNROLL
        for (int k = 0; k < VECTORS; k++)
            if (in[k]) _mm512_mask_storeu_epi64(places + at + 8 * k, in[k], place[k]);
    }
}

static GI_INLINE void GI_FIND(gi_bisect_of)(const int size, const gi_keys *rule, bool right, const void *sorted, int64_t low,
                                            int64_t length, int64_t count, const void *needles, int64_t *places)
{
    if (rule->real && right) GI_FIND(gi_bisect_lanes)(size, true, true, rule, sorted, low, length, count, needles, places);
    else if (rule->real) GI_FIND(gi_bisect_lanes)(size, true, false, rule, sorted, low, length, count, needles, places);
    else if (right) GI_FIND(gi_bisect_lanes)(size, false, true, rule, sorted, low, length, count, needles, places);
    else GI_FIND(gi_bisect_lanes)(size, false, false, rule, sorted, low, length, count, needles, places);
}
static void GI_FIND(gi_bisect_8)(const gi_keys *rule, bool right, const void *sorted, int64_t low, int64_t length,
                                 int64_t count, const void *needles, int64_t *places)
{
    GI_FIND(gi_bisect_of)(8, rule, right, sorted, low, length, count, needles, places);
}
static void GI_FIND(gi_bisect_4)(const gi_keys *rule, bool right, const void *sorted, int64_t low, int64_t length,
                                 int64_t count, const void *needles, int64_t *places)
{
    GI_FIND(gi_bisect_of)(4, rule, right, sorted, low, length, count, needles, places);
}
#undef GI_BISECT_STEP
#endif

static gi_bisect_loop GI_FIND(gi_bisect)(int itemsize)
{
#if GI_ISA_BYTES == 64
    return itemsize == 4 ? GI_FIND(gi_bisect_4) : itemsize == 8 ? GI_FIND(gi_bisect_8) : NULL;
#else
    (void)itemsize;
    return NULL;
#endif
}
