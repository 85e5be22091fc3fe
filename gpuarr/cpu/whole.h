/* ---- conversions of floats to int32 and int64 ------------------------------------------------------------------------------- */
#if GI_ISA_BYTES == 64
/* The processor makes the lowest integer of what does not fit: rightly of what lies below. The rest is put right, where there is any.
   V are so many floats of type F, FV their functions; W integers of type T, made by `convert`. */
#define GI_WHOLE(name, F, V, FV, real, T, W, TV, whole, M, lanes, convert, highest, beyond)                                    \
    static void GI_FIND(gi_whole_##name)(int64_t n, void *out, const void *x)                                                  \
    {                                                                                                                          \
        const V limit = FV##_set1_##real(beyond);                                                                              \
        for (int64_t i = 0; i < n; i += lanes) {                                                                               \
            const M some = (M)(n - i < lanes ? (1u << (n - i)) - 1 : (1u << lanes) - 1);                                       \
            const V v    = FV##_maskz_loadu_##real(some, (const F *)x + i);                                                    \
            W       made = convert(v);                                                                                         \
            if (FV##_cmp_##real##_mask(v, limit, _CMP_NLT_UQ)) {                                                               \
                made = TV##_maskz_mov_##whole(FV##_cmp_##real##_mask(v, v, _CMP_ORD_Q), made);                                 \
                made = TV##_mask_mov_##whole(made, FV##_cmp_##real##_mask(v, limit, _CMP_GE_OQ), highest);                     \
            }                                                                                                                  \
            TV##_mask_storeu_##whole((T *)out + i, some, made);                                                                \
        }                                                                                                                      \
    }
GI_WHOLE(i32_f32, float, __m512, _mm512, ps, int32_t, __m512i, _mm512, epi32, __mmask16, 16, _mm512_cvttps_epi32,
         _mm512_set1_epi32(INT32_MAX), 0x1p31f)
GI_WHOLE(i32_f64, double, __m512d, _mm512, pd, int32_t, __m256i, _mm256, epi32, __mmask8, 8, _mm512_cvttpd_epi32,
         _mm256_set1_epi32(INT32_MAX), 0x1p31)
GI_WHOLE(i64_f32, float, __m256, _mm256, ps, int64_t, __m512i, _mm512, epi64, __mmask8, 8, _mm512_cvttps_epi64,
         _mm512_set1_epi64(INT64_MAX), 0x1p63f)
GI_WHOLE(i64_f64, double, __m512d, _mm512, pd, int64_t, __m512i, _mm512, epi64, __mmask8, 8, _mm512_cvttpd_epi64,
         _mm512_set1_epi64(INT64_MAX), 0x1p63)
#undef GI_WHOLE

static gi_cast_kernel GI_FIND(gi_whole)(ga_dtype to, ga_dtype from)
{
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
