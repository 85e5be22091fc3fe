/* ---- the least or greatest of int64 and uint64 in eight rows: the lower sets have no instruction for it -------------------- */
#if GI_ISA_BYTES == 64
#define GI_EXTREMES(name, better)                                                                                              \
    static void GI_FIND(gi_##name##_rows)(int64_t n, void *accs, const void *const *rows, int count)                           \
    {                                                                                                                          \
        for (int64_t i = 0; i < n; i += 8) {                                                                                   \
            const __mmask8 some = (__mmask8)(n - i < 8 ? (1u << (n - i)) - 1 : 0xff);                                          \
            __m512i        v    = _mm512_maskz_loadu_epi64(some, (const int64_t *)rows[0] + i);                                \
            for (int k = 1; k < count; k++) v = better(v, _mm512_maskz_loadu_epi64(some, (const int64_t *)rows[k] + i));       \
            _mm512_mask_storeu_epi64((int64_t *)accs + i, some, v);                                                            \
        }                                                                                                                      \
    }
GI_EXTREMES(min_i64, _mm512_min_epi64)
GI_EXTREMES(max_i64, _mm512_max_epi64)
GI_EXTREMES(min_u64, _mm512_min_epu64)
GI_EXTREMES(max_u64, _mm512_max_epu64)
#undef GI_EXTREMES

static gi_rows_loop GI_FIND(gi_extremes)(ga_dtype dtype, bool largest)
{
    if (dtype == GA_I64) return largest ? GI_FIND(gi_max_i64_rows) : GI_FIND(gi_min_i64_rows);
    if (dtype == GA_U64) return largest ? GI_FIND(gi_max_u64_rows) : GI_FIND(gi_min_u64_rows);
    return NULL;
}
#else
static gi_rows_loop GI_FIND(gi_extremes)(ga_dtype dtype, bool largest)
{
    (void)dtype, (void)largest;
    return NULL;
}
#endif
