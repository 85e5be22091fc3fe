/* ---- elements that lie two apart, or in reverse order, are brought side by side -------------------------------------------- */
/* Hardware prefetchers stop at the end of a page; what lies ahead most often is gathered next. */
#define GI_GATHER(bits, U)                                                                                                     \
    static void GI_FIND(gi_every_second_##bits)(int64_t n, void *out, const void *in)                                          \
    {                                                                                                                          \
        enum { PART = 512 / (int)sizeof(U), AHEAD = 4096 };                                                                    \
        U       *to   = (U *)out;                                                                                              \
        const U *from = (const U *)in;                                                                                         \
        for (int64_t m; n > 0; n -= m, to += m, from += 2 * m) {                                                               \
            m = n < PART ? n : (int64_t)PART;                                                                                  \
            for (int64_t b = 0; b < 2 * m * (int64_t)sizeof(U); b += 64) __builtin_prefetch((const char *)from + b + AHEAD);   \
            GI_VECTORIZE                                                                                                       \
            for (int64_t i = 0; i < m; i++) to[i] = from[2 * i];                                                               \
        }                                                                                                                      \
    }                                                                                                                          \
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
