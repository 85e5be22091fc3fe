/* ---- conversions of floats to uint8, int32 and int64, and of 64-bit integers to half of that ------------------------------ */
#if GI_ISA_BYTES == 64
/* The loop over n elements: whole vectors, and some elements that are left. */
#define GI_WHOLE_LOOP(name, lanes, all)                                                                                        \
    static void GI_FIND(gi_whole_##name)(int64_t n, void *out, const void *x)                                                  \
    {                                                                                                                          \
        int64_t i = 0;                                                                                                         \
        for (; i + lanes <= n; i += lanes) GI_FIND(gi_whole_##name##_at)(i, all, out, x);                                      \
        if (i < n) GI_FIND(gi_whole_##name##_at)(i, (__mmask##lanes)((1u << (n - i)) - 1), out, x);                            \
    }

/*  The processor makes the lowest integer of what does not fit int32 or int64: rightly of what lies below. What lies beyond becomes the
    highest, and NaN 0, where there is any.                                                                                    */
static GI_INLINE void GI_FIND(gi_whole_i32_f32_at)(int64_t i, __mmask16 some, void *out, const void *x)
{
    const __m512 limit = _mm512_set1_ps(0x1p31f);
    const __m512 v     = _mm512_maskz_loadu_ps(some, (const float *)x + i);
    __m512i      made  = _mm512_cvttps_epi32(v);
    if (_mm512_cmp_ps_mask(v, limit, _CMP_NLT_UQ)) {
        made = _mm512_maskz_mov_epi32(_mm512_cmp_ps_mask(v, v, _CMP_ORD_Q), made);
        made = _mm512_mask_mov_epi32(made, _mm512_cmp_ps_mask(v, limit, _CMP_GE_OQ), _mm512_set1_epi32(INT32_MAX));
    }
    _mm512_mask_storeu_epi32((int32_t *)out + i, some, made);
}
GI_WHOLE_LOOP(i32_f32, 16, 0xffff)

static GI_INLINE void GI_FIND(gi_whole_i32_f64_at)(int64_t i, __mmask8 some, void *out, const void *x)
{
    const __m512d limit = _mm512_set1_pd(0x1p31);
    const __m512d v     = _mm512_maskz_loadu_pd(some, (const double *)x + i);
    __m256i       made  = _mm512_cvttpd_epi32(v);
    if (_mm512_cmp_pd_mask(v, limit, _CMP_NLT_UQ)) {
        made = _mm256_maskz_mov_epi32(_mm512_cmp_pd_mask(v, v, _CMP_ORD_Q), made);
        made = _mm256_mask_mov_epi32(made, _mm512_cmp_pd_mask(v, limit, _CMP_GE_OQ), _mm256_set1_epi32(INT32_MAX));
    }
    _mm256_mask_storeu_epi32((int32_t *)out + i, some, made);
}
GI_WHOLE_LOOP(i32_f64, 8, 0xff)

static GI_INLINE void GI_FIND(gi_whole_i64_f32_at)(int64_t i, __mmask8 some, void *out, const void *x)
{
    const __m256 limit = _mm256_set1_ps(0x1p63f);
    const __m256 v     = _mm256_maskz_loadu_ps(some, (const float *)x + i);
    __m512i      made  = _mm512_cvttps_epi64(v);
    if (_mm256_cmp_ps_mask(v, limit, _CMP_NLT_UQ)) {
        made = _mm512_maskz_mov_epi64(_mm256_cmp_ps_mask(v, v, _CMP_ORD_Q), made);
        made = _mm512_mask_mov_epi64(made, _mm256_cmp_ps_mask(v, limit, _CMP_GE_OQ), _mm512_set1_epi64(INT64_MAX));
    }
    _mm512_mask_storeu_epi64((int64_t *)out + i, some, made);
}
GI_WHOLE_LOOP(i64_f32, 8, 0xff)

static GI_INLINE void GI_FIND(gi_whole_i64_f64_at)(int64_t i, __mmask8 some, void *out, const void *x)
{
    const __m512d limit = _mm512_set1_pd(0x1p63);
    const __m512d v     = _mm512_maskz_loadu_pd(some, (const double *)x + i);
    __m512i       made  = _mm512_cvttpd_epi64(v);
    if (_mm512_cmp_pd_mask(v, limit, _CMP_NLT_UQ)) {
        made = _mm512_maskz_mov_epi64(_mm512_cmp_pd_mask(v, v, _CMP_ORD_Q), made);
        made = _mm512_mask_mov_epi64(made, _mm512_cmp_pd_mask(v, limit, _CMP_GE_OQ), _mm512_set1_epi64(INT64_MAX));
    }
    _mm512_mask_storeu_epi64((int64_t *)out + i, some, made);
}
GI_WHOLE_LOOP(i64_f64, 8, 0xff)

/* What fits int32 before it becomes uint8. */
static GI_INLINE void GI_FIND(gi_whole_u8_f32_at)(int64_t i, __mmask16 some, void *out, const void *x)
{
    const __m512  read = _mm512_maskz_loadu_ps(some, (const float *)x + i);
    const __m512  v    = _mm512_max_ps(read, _mm512_setzero_ps()); /* 0 where it is NaN */
    const __m512i made = _mm512_cvttps_epi32(_mm512_min_ps(v, _mm512_set1_ps(255)));
    _mm_mask_storeu_epi8((uint8_t *)out + i, some, _mm512_cvtepi32_epi8(made));
}
GI_WHOLE_LOOP(u8_f32, 16, 0xffff)

static GI_INLINE __m256i GI_FIND(gi_whole_eight)(const double *x, __mmask8 some)
{
    const __m512d v = _mm512_max_pd(_mm512_maskz_loadu_pd(some, x), _mm512_setzero_pd());
    return _mm512_cvttpd_epi32(_mm512_min_pd(v, _mm512_set1_pd(255)));
}
static GI_INLINE void GI_FIND(gi_whole_u8_f64_at)(int64_t i, __mmask16 some, void *out, const void *x)
{
    const double *from = (const double *)x + i;
    const __m512i low  = _mm512_castsi256_si512(GI_FIND(gi_whole_eight)(from, (__mmask8)(some & 0xff)));
    const __m512i both = _mm512_inserti64x4(low, GI_FIND(gi_whole_eight)(from + 8, (__mmask8)(some >> 8)), 1);
    _mm_mask_storeu_epi8((uint8_t *)out + i, some, _mm512_cvtepi32_epi8(both));
}
GI_WHOLE_LOOP(u8_f64, 16, 0xffff)
#undef GI_WHOLE_LOOP

static gi_cast_kernel GI_FIND(gi_whole)(ga_dtype to, ga_dtype from)
{
    if ((to == GA_I32 || to == GA_U32) && (from == GA_I64 || from == GA_U64))
        return GI_FIND(gi_every_second_32); /* lower halves */
    if (to == GA_U8) return from == GA_F32 ? GI_FIND(gi_whole_u8_f32) : from == GA_F64 ? GI_FIND(gi_whole_u8_f64) : NULL;
    if (to == GA_I32) return from == GA_F32 ? GI_FIND(gi_whole_i32_f32) : from == GA_F64 ? GI_FIND(gi_whole_i32_f64) : NULL;
    if (to == GA_I64) return from == GA_F32 ? GI_FIND(gi_whole_i64_f32) : from == GA_F64 ? GI_FIND(gi_whole_i64_f64) : NULL;
    return NULL;
}
#else
static gi_cast_kernel GI_FIND(gi_whole)(ga_dtype to, ga_dtype from)
{
    (void)to, (void)from;
    return NULL;
}
#endif
