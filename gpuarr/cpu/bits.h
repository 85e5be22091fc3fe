/* ---- rows of bits ---------------------------------------------------------------------------------------------------- */

static GI_INLINE uint64_t GI_FIND(gi_pack_64)(const char *p) /* bit i: p[i] is not 0 */
{
    uint64_t bits = 0;
#if !defined(GI_ISA_MM)
    for (int k = 0; k < 64; k += 8)
        bits |= gi_eight_flags(p + k) * 0x0102040810204080u >> 56 << k; /* gathered in the highest byte */
#elif GI_ISA_BYTES == 64
    __m512i v = _mm512_loadu_si512(p);
    bits      = (uint64_t)_mm512_test_epi8_mask(v, v);
#else
    for (int k = 0; k < 64; k += 32) {
        __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(p + k));
        bits |= (uint64_t) ~(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(v, _mm256_setzero_si256())) << k;
    }
#endif
    return bits;
}

static void GI_FIND(gi_pack)(int64_t n, uint64_t *bits, const void *bytes)
{
    const char *p = (const char *)bytes;
    for (int64_t i = 0; i + 64 <= n; i += 64) bits[i / 64] = GI_FIND(gi_pack_64)(p + i);
    if (n % 64) {
        char rest[64];
        memset(rest, 0, sizeof rest);
        memcpy(rest, p + n / 64 * 64, (size_t)(n % 64));
        bits[n / 64] = GI_FIND(gi_pack_64)(rest);
    }
}

static void GI_FIND(gi_busy)(int64_t n, int size, bool *busy, const void *elements)
{
    const char *p = (const char *)elements;
    for (int64_t i = 0; i < n; i += 64, p += 64 * size) {
        uint64_t any = 0;
        if (n - i < 64)
            for (int64_t k = 0; k < (n - i) * size; k++) any |= (uint8_t)p[k];
        else
            for (int k = 0; k < size; k++) any |= GI_FIND(gi_pack_64)(p + 64 * k);
        busy[i / 64] = any != 0;
    }
}

static int64_t GI_FIND(gi_runs)(int64_t words, const uint64_t *bits, uint64_t before)
{
    int64_t count = 0;
    for (int64_t w = 0; w < words; w++) {
        count += __builtin_popcountll(bits[w] & ~(bits[w] << 1 | before >> 63));
        before = bits[w];
    }
    return count;
}

/* Where elements of both rows are set, a run of these begins for each pair of runs that meets. Corners: where a run of one row
   begins, one of the other may have ended just before. */
static void GI_FIND(gi_unite_rows)(int64_t words, const uint64_t *a, const uint64_t *b, int64_t run_a, int64_t run_b,
                                   bool corners, int64_t *parents)
{
    uint64_t x = 0, y = 0;
    for (int64_t w = 0; w < words; w++) {
        uint64_t x_before = x >> 63, y_before = y >> 63; /* the elements before these words */
        x = a[w];
        y = b[w];
        if (!(x | y)) continue;
        uint64_t x_left = x << 1 | x_before, y_left = y << 1 | y_before, x_starts = x & ~x_left, y_starts = y & ~y_left;
        uint64_t meet = x & y & ~(x_left & y_left);
        if (corners) meet |= (y_starts & x_left) | (x_starts & y_left);
        for (; meet; meet &= meet - 1) {
            uint64_t upto = meet ^ (meet - 1);
            gi_unite(parents, run_a + __builtin_popcountll(x_starts & upto) - 1,
                     run_b + __builtin_popcountll(y_starts & upto) - 1);
        }
        run_a += __builtin_popcountll(x_starts);
        run_b += __builtin_popcountll(y_starts);
    }
}

GI_TABLE(gi_bit_rows, GI_FIND(gi_bit_rows), { GI_FIND(gi_pack), GI_FIND(gi_busy), GI_FIND(gi_runs), GI_FIND(gi_unite_rows) })
static const gi_bit_rows *GI_FIND(gi_bits)(void) { return GI_FIND(gi_bit_rows)(); }

/* Powers to the plain numbers of GI_EASY_POWERS. */
#define GI_POWER(name, tag, T)                                                                                                 \
    static void GI_FIND(gi_powers_##name##_##tag)(int64_t n, void *out, const void *x, const void *y, const void *z)           \
    {                                                                                                                          \
        (void)y, (void)z;                                                                                                      \
        GI_VECTORIZE                                                                                                           \
        for (int64_t i = 0; i < n; i++) ((T *)out)[i] = gi_power_##name##_##tag(((const T *)x)[i]);                            \
    }
#define GI_POWERS(name, value) GI_POWER(name, f32, float) GI_POWER(name, f64, double)
GI_EASY_POWERS(GI_POWERS)
#undef GI_POWERS
#undef GI_POWER
#define GI_POWER_CASE(name, value)                                                                                             \
    if (exponent == value) return dtype == GA_F32 ? GI_FIND(gi_powers_##name##_f32) : GI_FIND(gi_powers_##name##_f64);
static gi_kernel GI_FIND(gi_power)(double exponent, ga_dtype dtype)
{
    GI_EASY_POWERS(GI_POWER_CASE)
    return NULL;
}
#undef GI_POWER_CASE

/* Copies past the caches: a line that is written as a whole need not be read before. When all is written: gi_stream_end. */
static void GI_FIND(gi_stream)(void *out, const void *in, int64_t bytes, const gi_ahead *next)
{
    char       *to   = (char *)out;
    const char *from = (const char *)in;
    enum { LINES = 4 }; /* at a time */
#if defined(GI_ISA_MM)
    enum { PART = 32 };
#define GI_STREAM(at)                                                                                                          \
    _mm256_stream_si256((__m256i *)(void *)(to + at), _mm256_loadu_si256((const __m256i *)(const void *)(from + at)))
#elif defined(__SSE2__)
    enum { PART = 16 };
#define GI_STREAM(at)                                                                                                          \
    _mm_stream_si128((__m128i *)(void *)(to + at), _mm_loadu_si128((const __m128i *)(const void *)(from + at)))
#endif
#ifdef GI_STREAM
    int64_t     head = (int64_t)(-(uintptr_t)to % GI_LINE);
    const char *fetch[GI_MOST_INPUTS];
    for (int k = 0; k < next->inputs; k++) fetch[k] = next->from[k];
    if (head > bytes) head = bytes;
    memcpy(to, from, (size_t)head);
    for (bytes -= head, to += head, from += head; bytes >= LINES * GI_LINE; bytes -= LINES * GI_LINE) {
        for (int k = 0; k < next->inputs; k++)
            for (int line = 0; line < LINES; line++, fetch[k] += next->step[k]) __builtin_prefetch(fetch[k]);
        GI_UNROLL
        for (int at = 0; at < LINES * GI_LINE; at += PART) GI_STREAM(at);
        to += LINES * GI_LINE;
        from += LINES * GI_LINE;
    }
    for (; bytes >= GI_LINE; bytes -= GI_LINE, to += GI_LINE, from += GI_LINE)
        for (int at = 0; at < GI_LINE; at += PART) GI_STREAM(at);
#undef GI_STREAM
#else
    (void)next;
#endif
    memcpy(to, from, (size_t)bytes);
}
