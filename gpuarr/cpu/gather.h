/* ---- elements that lie two apart, or in reverse order, are brought side by side -------------------------------------------- */
/* Hardware prefetchers stop at the end of a page; what lies ahead most often is gathered next. */
enum { GI_FIND(GI_GATHER_AHEAD) = 4096 };
#if GI_ISA_BYTES == 64
static GI_INLINE void GI_FIND(gi_every_second)(const int size, int64_t n, void *out, const void *in)
{
    const int     lanes = 64 / size;
    const __m512i even  = size == 4 ? _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)
                                    : _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
    const char   *from  = (const char *)in;
    char         *to    = (char *)out;
    for (; n > 0; n -= lanes, from += 128, to += 64) {
        __m512i low, high;
        __builtin_prefetch(from + GI_FIND(GI_GATHER_AHEAD));
        __builtin_prefetch(from + GI_FIND(GI_GATHER_AHEAD) + 64);
        if (n > lanes) {
            low  = _mm512_loadu_si512(from);
            high = _mm512_loadu_si512(from + 64);
        } else { /* nothing may lie behind the last element */
            const int64_t bytes = (2 * n - 1) * size;
            low                 = _mm512_maskz_loadu_epi8(GI_FIND(gi_first_bytes)(bytes), from);
            high                = _mm512_maskz_loadu_epi8(GI_FIND(gi_first_bytes)(bytes < 64 ? 0 : bytes - 64), from + 64);
        }
        const __m512i v = size == 4 ? _mm512_permutex2var_epi32(low, even, high) : _mm512_permutex2var_epi64(low, even, high);
        if (n >= lanes) _mm512_storeu_si512(to, v);
        else _mm512_mask_storeu_epi8(to, GI_FIND(gi_first_bytes)(n * size), v);
    }
}
#define GI_GATHER_SECOND(bits, U)                                                                                              \
    static void GI_FIND(gi_every_second_##bits)(int64_t n, void *out, const void *in)                                          \
    {                                                                                                                          \
        GI_FIND(gi_every_second)(bits / 8, n, out, in);                                                                        \
    }
#else
#define GI_GATHER_SECOND(bits, U)                                                                                              \
    static void GI_FIND(gi_every_second_##bits)(int64_t n, void *out, const void *in)                                          \
    {                                                                                                                          \
        enum { PART = 512 / (int)sizeof(U) };                                                                                  \
        U       *to   = (U *)out;                                                                                              \
        const U *from = (const U *)in;                                                                                         \
        for (int64_t m; n > 0; n -= m, to += m, from += 2 * m) {                                                               \
            m = n < PART ? n : (int64_t)PART;                                                                                  \
            for (int64_t b = 0; b < 2 * m * (int64_t)sizeof(U); b += 64)                                                       \
                __builtin_prefetch((const char *)from + b + GI_FIND(GI_GATHER_AHEAD));                                         \
            GI_VECTORIZE                                                                                                       \
            for (int64_t i = 0; i < m; i++) to[i] = from[2 * i];                                                               \
        }                                                                                                                      \
    }
#endif
#define GI_GATHER(bits, U)                                                                                                     \
    GI_GATHER_SECOND(bits, U)                                                                                                  \
    static void GI_FIND(gi_reversed_##bits)(int64_t n, void *out, const void *in)                                              \
    {                                                                                                                          \
        U       *to   = (U *)out;                                                                                              \
        const U *from = (const U *)in;                                                                                         \
        GI_VECTORIZE                                                                                                           \
        for (int64_t i = 0; i < n; i++) to[i] = from[-i];                                                                      \
    }
#if GI_ISA_BYTES < 64
GI_GATHER(8, uint8_t)
GI_GATHER(16, uint16_t)
#endif
GI_GATHER(32, uint32_t)
GI_GATHER(64, gi_loose_u64)
#undef GI_GATHER
#undef GI_GATHER_SECOND

static gi_cast_kernel GI_FIND(gi_gather)(int itemsize, bool reversed)
{
    switch (itemsize) {
#if GI_ISA_BYTES < 64
    case 1: return reversed ? GI_FIND(gi_reversed_8) : GI_FIND(gi_every_second_8);
    case 2: return reversed ? GI_FIND(gi_reversed_16) : GI_FIND(gi_every_second_16);
#endif
    case 4: return reversed ? GI_FIND(gi_reversed_32) : GI_FIND(gi_every_second_32);
    case 8: return reversed ? GI_FIND(gi_reversed_64) : GI_FIND(gi_every_second_64);
    default: return GI_OR_LOWER(NULL, gather, itemsize, reversed);
    }
}

/* Are all of the indices 0 .. length - 1? (Either is negative if one is not.) */
static bool GI_FIND(gi_inside)(int64_t n, const int64_t *index, int64_t length)
{
    uint64_t outside = 0;
    GI_VECTORIZE
    for (int64_t k = 0; k < n; k++) outside |= (uint64_t)index[k] | ((uint64_t)(length - 1) - (uint64_t)index[k]);
    return outside >> 63 == 0;
}
