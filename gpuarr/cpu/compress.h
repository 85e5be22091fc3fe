/* ==== the elements that flags name, side by side ============================================================================= */
#if GI_ISA_BYTES == 64
static GI_INLINE int64_t GI_FIND(gi_compress_lanes)(const int size, int64_t n, void *out, const void *in, const uint8_t *flags)
{
    const int   lanes = 64 / size;
    const char *from  = (const char *)in;
    char       *to    = (char *)out;
    for (int64_t i = 0; i < n; i += 64) {
        const __m512i f      = _mm512_maskz_loadu_epi8(GI_FIND(gi_first_bytes)(n - i), flags + i);
        uint64_t      chosen = _mm512_test_epi8_mask(f, f);
        for (const char *next = from + i * size; chosen; next += 64) {
            const uint64_t these = chosen & (((uint64_t)1 << lanes) - 1);
            /* To compress into memory at once takes dozens of cycles on some processors. */
            _mm512_storeu_si512(
                to, size == 4 ? _mm512_maskz_compress_epi32((__mmask16)these, _mm512_maskz_loadu_epi32((__mmask16)these, next))
                              : _mm512_maskz_compress_epi64((__mmask8)these, _mm512_maskz_loadu_epi64((__mmask8)these, next)));
            to += __builtin_popcountll(these) * size;
            chosen >>= lanes;
        }
    }
    return (to - (char *)out) / size;
}
static int64_t GI_FIND(gi_compress_4)(int64_t n, void *out, const void *in, const uint8_t *flags)
{
    return GI_FIND(gi_compress_lanes)(4, n, out, in, flags);
}
static int64_t GI_FIND(gi_compress_8)(int64_t n, void *out, const void *in, const uint8_t *flags)
{
    return GI_FIND(gi_compress_lanes)(8, n, out, in, flags);
}
#endif

static gi_compress_loop GI_FIND(gi_compress)(int itemsize)
{
#if GI_ISA_BYTES == 64
    return itemsize == 4 ? GI_FIND(gi_compress_4) : itemsize == 8 ? GI_FIND(gi_compress_8) : NULL;
#else
    (void)itemsize;
    return NULL;
#endif
}
