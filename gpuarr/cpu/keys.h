/* ==== >>keys: one size of keys (GI_KEY is u8, u16, i32 or i64) ====================================================== */
/*  Integers that are ordered like the elements that they stand for: what sorts, selections and filters compare. (Signed or unsigned,
    as most elements of the size are.)                                                                                     */

#if GI_ISA_BYTES == 64
#include "lean.h"
#endif
#define GI_KEYED(stem) GI_JOIN(stem, GI_JOIN(_, GI_JOIN(GI_KEY, GI_JOIN(_, GI_ISA))))
#if GI_ISA_BYTES == 64 && GI_KEY_BITS >= 32
#define GI_KEYS(name) GI_JOIN(_mm512_##name##_epi, GI_KEY_BITS)
#if GI_KEY_BITS == 32
#define GI_KEY_MASK __mmask16
#else
#define GI_KEY_MASK __mmask8
#endif
#endif

/* Elements become keys. Was there a NaN? */
static bool GI_KEYED(gi_to_keys)(const gi_keys *rule, int64_t n, void *elements)
{
    GI_KEY_T      *k    = (GI_KEY_T *)elements;
    const GI_KEY_T flip = (GI_KEY_T)rule->flip;
#if GI_KEY_BITS >= 32
    const GI_KEY_T magnitude = (GI_KEY_T)(UINT64_MAX >> (65 - GI_KEY_BITS));
    const GI_KEY_T infinity  = (GI_KEY_T)(GI_KEY_BITS == 32 ? 0x7f800000 : (int64_t)0x7ff << 52);
    if (rule->real) {
        const GI_KEY_T last = (GI_KEY_T)rule->nan;
        GI_KEY_T       nan  = 0; /* negative, if there is one */
        GI_VECTORIZE
        for (int64_t i = 0; i < n; i++) {
            const GI_KEY_T x = k[i], beyond = infinity - (x & magnitude);
            nan |= beyond;
            k[i] = beyond < 0 ? last : x ^ ((x >> (GI_KEY_BITS - 1)) & magnitude) ^ flip;
        }
        return nan < 0;
    }
#endif
#if GI_KEY_BITS == 8
    if (rule->truth) {
        GI_VECTORIZE
        for (int64_t i = 0; i < n; i++) k[i] = (GI_KEY_T)((k[i] != 0) ^ flip);
        return false;
    }
#endif
    if (flip == 0) return false;
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) k[i] = (GI_KEY_T)(k[i] ^ flip);
    return false;
}

static void GI_KEYED(gi_from_keys)(const gi_keys *rule, int64_t n, void *keys)
{
    GI_KEY_T      *k    = (GI_KEY_T *)keys;
    const GI_KEY_T flip = (GI_KEY_T)rule->flip;
#if GI_KEY_BITS >= 32
    const GI_KEY_T magnitude = (GI_KEY_T)(UINT64_MAX >> (65 - GI_KEY_BITS));
    if (rule->real) {
        GI_VECTORIZE
        for (int64_t i = 0; i < n; i++) {
            const GI_KEY_T x = k[i] ^ flip;
            k[i]             = x ^ ((x >> (GI_KEY_BITS - 1)) & magnitude);
        }
        return;
    }
#endif
    if (flip == 0) return;
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) k[i] = (GI_KEY_T)(k[i] ^ flip);
}

/* Sorts each column of n rows of GI_COLUMN_BYTES by Batcher's merge exchange (Knuth, 5.2.2 M). */
static void GI_KEYED(gi_sort_columns)(int64_t n, void *rows)
{
    enum { COLUMNS = GI_COLUMN_BYTES * 8 / GI_KEY_BITS };
    GI_KEY_T *k    = (GI_KEY_T *)rows;
    int64_t   half = 1;
    while (2 * half < n) half *= 2;
    for (int64_t p = half; p > 0; p /= 2)
        for (int64_t q = half, r = 0, d = p;; d = q - p, q /= 2, r = p) {
            for (int64_t i = r; i + d < n; i += 2 * p)
                for (int64_t row = i; row < i + p && row + d < n; row++) {
                    GI_KEY_T *a = k + row * COLUMNS, *b = a + d * COLUMNS;
                    GI_VECTORIZE
                    for (int c = 0; c < COLUMNS; c++) {
                        const GI_KEY_T x = a[c], y = b[c];
                        a[c] = x < y ? x : y;
                        b[c] = x < y ? y : x;
                    }
                }
            if (q == p) break;
        }
}

#if GI_OPTIMIZED
#define GI_KEYED_STEP GI_INLINE
#else
#define GI_KEYED_STEP GI_OWN_FRAME
#endif

#ifdef GI_KEYS
/* Keys of a vector of elements; that of a NaN is the greatest. */
static GI_KEYED_STEP __m512i GI_KEYED(gi_vector_keys)(const bool real, __m512i v, __m512i flip)
{
    const __m512i magnitude = GI_KEYS(set1)((GI_KEY_T)(UINT64_MAX >> (65 - GI_KEY_BITS)));
    if (!real) return _mm512_xor_si512(v, flip);
#if GI_KEY_BITS == 32
    const GI_KEY_MASK nan = _mm512_fpclass_ps_mask(_mm512_castsi512_ps(v), 0x81);
#else
    const GI_KEY_MASK nan = _mm512_fpclass_pd_mask(_mm512_castsi512_pd(v), 0x81);
#endif
    v = _mm512_xor_si512(v, _mm512_and_si512(GI_KEYS(srai)(v, GI_KEY_BITS - 1), magnitude));
    return GI_KEYS(mask_mov)(v, nan, magnitude);
}
#endif

#if GI_KEY_BITS >= 32
enum { GI_KEYED(GI_SPLIT) = GI_ISA_BYTES == 64 ? 64 / (GI_KEY_BITS / 8) : 128 };

/* A step of gi_split, or, without `moved`, of gi_keep: at most GI_SPLIT elements. */
static GI_KEYED_STEP void GI_KEYED(gi_split_step)(const bool real, const gi_keys *rule, GI_KEY_T flip, const int64_t n,
                                                  const GI_KEY_T *x, GI_KEY_T low, GI_KEY_T high, const GI_KEY_T *moved,
                                                  GI_KEY_T **to)
{
#ifdef GI_KEYS
    enum { LANES = 512 / GI_KEY_BITS };
    const GI_KEY_MASK all = (GI_KEY_MASK)(n < LANES ? (1u << n) - 1 : (1u << LANES) - 1);
    const __m512i     e   = n < LANES ? GI_KEYS(maskz_loadu)(all, x) : _mm512_loadu_si512(x);
    const __m512i     key = GI_KEYED(gi_vector_keys)(real, e, GI_KEYS(set1)(flip)), least = GI_KEYS(set1)(low),
                  most = GI_KEYS(set1)(high);
    (void)rule;
    if (!moved) {
        const GI_KEY_MASK more = GI_JOIN(GI_KEYS(mask_cmpge), _mask)(all, key, least);
        const GI_KEY_MASK in   = GI_JOIN(GI_KEYS(mask_cmple), _mask)(more, key, most);
        _mm512_storeu_si512(to[1], GI_KEYS(maskz_compress)(in, key));
        to[0] += LANES - __builtin_popcountll(more);
        to[1] += __builtin_popcountll(in);
        return;
    }
    const __m512i     v     = n < LANES ? GI_KEYS(maskz_loadu)(all, moved) : _mm512_loadu_si512(moved);
    const GI_KEY_MASK less  = GI_JOIN(GI_KEYS(mask_cmplt), _mask)(all, key, least);
    const GI_KEY_MASK more  = GI_JOIN(GI_KEYS(mask_cmpgt), _mask)(all, key, most);
    const unsigned    other = (unsigned)all & ~((unsigned)less | more);
    _mm512_storeu_si512(to[0], GI_KEYS(maskz_compress)(less, v));
    _mm512_storeu_si512(to[2], GI_KEYS(maskz_compress)(more, v));
    to[0] += __builtin_popcountll(less);
    to[2] += __builtin_popcountll(more);
    if (other) { /* few, most often */
        _mm512_storeu_si512(to[1], GI_KEYS(maskz_compress)((GI_KEY_MASK)other, v));
        to[1] += __builtin_popcountll(other);
    }
#else
    GI_KEY_T          key[GI_KEYED(GI_SPLIT)], *before = to[0], *between = to[1], *behind = to[2];
    (void)real;
    (void)flip;
    memcpy(key, x, (size_t)n * sizeof *key);
    GI_KEYED(gi_to_keys)(rule, n, key);
    for (int64_t i = 0; i < n; i++) { /* without a branch: it would be taken by chance */
        const GI_KEY_T v = moved ? moved[i] : key[i];
        if (moved) *before = v;
        if (moved) *behind = v;
        *between = v;
        before += key[i] < low;
        behind += key[i] > high;
        between += key[i] >= low && key[i] <= high;
    }
    to[0] = before;
    to[1] = between;
    to[2] = behind;
#endif
}

static GI_INLINE void GI_KEYED(gi_split_all)(const bool real, const gi_keys *rule, int64_t n, const void *elements, int64_t low,
                                             int64_t high, const void *moved, void *const *to_, int64_t *count)
{
    enum { STEP = GI_KEYED(GI_SPLIT) };
    const GI_KEY_T *x = (const GI_KEY_T *)elements, *m = (const GI_KEY_T *)moved;
    GI_KEY_T       *to[3] = { (GI_KEY_T *)to_[0], (GI_KEY_T *)to_[1], (GI_KEY_T *)to_[2] };
    const GI_KEY_T  flip  = (GI_KEY_T)rule->flip;
    int64_t         i     = 0;
    for (; i + STEP <= n; i += STEP) {
        __builtin_prefetch((const char *)(x + i) + GI_SPLIT_AHEAD);
        GI_KEYED(gi_split_step)(real, rule, flip, STEP, x + i, (GI_KEY_T)low, (GI_KEY_T)high, moved ? m + i : NULL, to);
    }
    if (i < n) GI_KEYED(gi_split_step)(real, rule, flip, n - i, x + i, (GI_KEY_T)low, (GI_KEY_T)high, moved ? m + i : NULL, to);
    for (int k = 0; k < 3; k++) count[k] = to[k] - (GI_KEY_T *)to_[k];
}

static void GI_KEYED(gi_split)(const gi_keys *rule, int64_t n, const void *elements, int64_t low, int64_t high,
                               const void *moved, void *const *to, int64_t *count)
{
    if (rule->real) GI_KEYED(gi_split_all)(true, rule, n, elements, low, high, moved, to, count);
    else GI_KEYED(gi_split_all)(false, rule, n, elements, low, high, moved, to, count);
}

static void GI_KEYED(gi_keep)(const gi_keys *rule, int64_t n, const void *elements, int64_t low, int64_t high, void *to,
                              int64_t *count)
{
    void *all[3] = { to, to, to };
    if (rule->real) GI_KEYED(gi_split_all)(true, rule, n, elements, low, high, NULL, all, count);
    else GI_KEYED(gi_split_all)(false, rule, n, elements, low, high, NULL, all, count);
#ifdef GI_KEYS
    count[0] -= -n & (512 / GI_KEY_BITS - 1); /* lanes behind the end */
    count[2] = n - count[0] - count[1];
#endif
}

#ifdef GI_KEYS
/* The lanes of v that a mask names, side by side, to elements from `to` on; returns what is behind them. */
static GI_KEYED_STEP GI_KEY_T *GI_KEYED(gi_put_chosen)(GI_KEY_T *to, __m512i v, unsigned chosen)
{
    const int count = __builtin_popcount(chosen);
    GI_KEYS(mask_storeu)(to, (GI_KEY_MASK)((1u << count) - 1), GI_KEYS(maskz_compress)((GI_KEY_MASK)chosen, v));
    return to + count;
}

/* A vector of elements: which of them have keys below low, and above high? */
static GI_KEYED_STEP void GI_KEYED(gi_compare_lanes)(const bool real, __m512i v, __m512i flip, __m512i low, __m512i high,
                                                     unsigned all, unsigned *below, unsigned *above)
{
    const __m512i key = GI_KEYED(gi_vector_keys)(real, v, flip);
    *below            = GI_JOIN(GI_KEYS(mask_cmplt), _mask)((GI_KEY_MASK)all, key, low);
    *above            = GI_JOIN(GI_KEYS(mask_cmpgt), _mask)((GI_KEY_MASK)all, key, high);
}

static GI_INLINE void GI_KEYED(gi_part_each)(const bool real, __m512i flip, int64_t n, int64_t lines, const GI_KEY_T *x,
                                             const GI_KEY_T *middle, GI_KEY_T *to)
{
    enum { LANES = 512 / GI_KEY_BITS };
    const __m512i minus = GI_KEYS(set1)(-1), zero = _mm512_setzero_si512();
    for (int64_t line = 0; line < lines; line++, x += n, to += n) {
        const __m512i     key  = GI_KEYED(gi_vector_keys)(real, GI_KEYS(set1)(middle[line * n]), flip);
        const GI_KEY_MASK none = (GI_KEY_MASK)(GI_JOIN(GI_KEYS(cmpeq), _mask)(key, zero) | /* -0 and 0 are equal */
                                               GI_JOIN(GI_KEYS(cmpeq), _mask)(key, minus));
        const __m512i     low  = real ? GI_KEYS(mask_mov)(key, none, minus) : key,
                      high     = real ? GI_KEYS(mask_mov)(key, none, zero) : key;
        GI_KEY_T *before       = to, *equal, *behind;
        unsigned  below, above;
        int64_t   less = 0, more = 0;
        for (int64_t i = 0; i < n; i += LANES) {
            const unsigned all = (unsigned)(n - i < LANES ? (1u << (n - i)) - 1 : (1u << LANES) - 1);
            GI_KEYED(gi_compare_lanes)
            (real, GI_KEYS(maskz_loadu)((GI_KEY_MASK)all, x + i), flip, low, high, all, &below, &above);
            less += __builtin_popcount(below);
            more += __builtin_popcount(above);
        }
        equal  = to + less;
        behind = to + n - more;
        for (int64_t i = 0; i < n; i += LANES) {
            const unsigned all = (unsigned)(n - i < LANES ? (1u << (n - i)) - 1 : (1u << LANES) - 1);
            const __m512i  v   = GI_KEYS(maskz_loadu)((GI_KEY_MASK)all, x + i);
            GI_KEYED(gi_compare_lanes)(real, v, flip, low, high, all, &below, &above);
            before = GI_KEYED(gi_put_chosen)(before, v, below);
            behind = GI_KEYED(gi_put_chosen)(behind, v, above);
            if (all & ~(below | above)) equal = GI_KEYED(gi_put_chosen)(equal, v, all & ~(below | above));
        }
    }
}

static void GI_KEYED(gi_part_lines)(const gi_keys *rule, int64_t n, int64_t lines, const void *elements, const void *middle,
                                    void *to)
{
    const GI_KEY_T *x = (const GI_KEY_T *)elements, *m = (const GI_KEY_T *)middle;
    const __m512i   flip = GI_KEYS(set1)((GI_KEY_T)rule->flip);
    if (rule->real) GI_KEYED(gi_part_each)(true, flip, n, lines, x, m, (GI_KEY_T *)to);
    else GI_KEYED(gi_part_each)(false, flip, n, lines, x, m, (GI_KEY_T *)to);
}
#define GI_KEYED_PARTS GI_KEYED(gi_split), GI_KEYED(gi_keep), NULL, GI_KEYED(gi_part_lines)
#else
#define GI_KEYED_PARTS GI_KEYED(gi_split), GI_KEYED(gi_keep), NULL, NULL
#endif
#endif

#if GI_KEY_BITS < 32
enum { GI_KEYED(GI_COUNTED) = 64 }; /* keys that are compared together: not more than a key can count */

/* How many of n keys, a multiple of GI_COUNTED, are less? */
static GI_INLINE int64_t GI_KEYED(gi_count_less)(int64_t n, const GI_KEY_T *key, GI_KEY_T bound)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n; i += GI_KEYED(GI_COUNTED)) {
#if GI_ISA_BYTES == 64
        GI_UNROLL
        for (int k = 0; k < GI_KEYED(GI_COUNTED); k += 512 / GI_KEY_BITS) {
            const __m512i v = _mm512_loadu_si512(key + i + k);
#if GI_KEY_BITS == 8
            count += __builtin_popcountll(_mm512_cmplt_epu8_mask(v, _mm512_set1_epi8((char)bound)));
#else
            count += __builtin_popcountll(_mm512_cmplt_epu16_mask(v, _mm512_set1_epi16((short)bound)));
#endif
        }
#else
        GI_KEY_T less = 0;
        GI_VECTORIZE
        for (int k = 0; k < GI_KEYED(GI_COUNTED); k++) less = (GI_KEY_T)(less + (key[i + k] < bound));
        count += less;
#endif
    }
    return count;
}

/* The key of a rank: the greatest one that not more keys than that are less than. Found bit by bit. */
static GI_KEY_T GI_KEYED(gi_key_of_rank)(int64_t n, const GI_KEY_T *key, int64_t rank, int64_t *before)
{
    GI_KEY_T found = 0;
    *before        = 0;
    for (int bit = GI_KEY_BITS - 1; bit >= 0; bit--) {
        const GI_KEY_T greater = (GI_KEY_T)(found | 1u << bit);
        const int64_t  less    = GI_KEYED(gi_count_less)(n, key, greater);
        if (less > rank) continue;
        found   = greater;
        *before = less;
    }
    return found;
}

#if GI_ISA_BYTES == 64
/* The lanes of 16 numbers that a mask names, side by side, to elements or to int64 numbers from number `at` on. What is behind them, before
   `stop`, may be written over. */
static GI_KEYED_STEP int64_t GI_KEYED(gi_put_lanes)(const bool numbers, void *to, int64_t at, int64_t stop, __m512i v,
                                                    __mmask16 chosen)
{
    const int      count  = __builtin_popcount(chosen);
    const __m512i  parted = _mm512_maskz_compress_epi32(chosen, v);
    const unsigned in     = at + 16 <= stop ? 0xffff : (1u << count) - 1;
    if (numbers) {
        int64_t *place = (int64_t *)to + at;
        _mm512_mask_storeu_epi64(place, (__mmask8)in, _mm512_cvtepi32_epi64(_mm512_castsi512_si256(parted)));
        _mm512_mask_storeu_epi64(place + 8, (__mmask8)(in >> 8), _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64(parted, 1)));
        return at + count;
    }
#if GI_KEY_BITS == 8
    if (in == 0xffff) _mm_storeu_si128((__m128i *)(void *)((uint8_t *)to + at), _mm512_cvtepi32_epi8(parted));
    else _mm_mask_storeu_epi8((uint8_t *)to + at, (__mmask16)in, _mm512_cvtepi32_epi8(parted));
#else
    if (in == 0xffff) _mm256_storeu_si256((__m256i *)(void *)((uint16_t *)to + at), _mm512_cvtepi32_epi16(parted));
    else _mm256_mask_storeu_epi16((uint16_t *)to + at, (__mmask16)in, _mm512_cvtepi32_epi16(parted));
#endif
    return at + count;
}

#if GI_KEY_BITS == 8
#define GI_NARROW(name) _mm512_##name##8
#define GI_NARROW_TEXT  "b"
#define GI_NARROW_MASK  __mmask64
#define GI_NARROW_ONE   char
#else
#define GI_NARROW(name) _mm512_##name##16
#define GI_NARROW_TEXT  "w"
#define GI_NARROW_MASK  __mmask32
#define GI_NARROW_ONE   short
#endif
enum { GI_KEYED(GI_LANES) = 512 / GI_KEY_BITS };

static GI_INLINE GI_NARROW_MASK GI_KEYED(gi_first_lanes)(int64_t n)
{
    return (GI_NARROW_MASK)(n < GI_KEYED(GI_LANES) ? ((uint64_t)1 << n) - 1 : ~(uint64_t)0);
}

/* 16 elements, or those of them that a mask names, as numbers of 4 bytes. */
static GI_INLINE __m512i GI_KEYED(gi_widen)(__mmask16 some, const GI_KEY_T *x)
{
#if GI_KEY_BITS == 8
    return _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(some, x));
#else
    return _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(some, x));
#endif
}

/* The lanes of v that a mask names, side by side, to elements from number `at` on; returns the number behind them. What is behind them, before
   `stop`, may be written over. For processors with AVX512-VBMI2: by assembler, so that nothing need be compiled for these alone. */
static GI_INLINE int64_t GI_KEYED(gi_put_straight)(GI_KEY_T *to, int64_t at, int64_t stop, __m512i v, GI_NARROW_MASK chosen)
{
    const int64_t next = at + __builtin_popcountll(chosen);
    __m512i       parted;
    __asm__("vpcompress" GI_NARROW_TEXT " {%1, %0%{%2%}%{z%}|%0%{%2%}%{z%}, %1}" : "=v"(parted) : "v"(v), "Yk"(chosen));
    if (at + GI_KEYED(GI_LANES) <= stop) _mm512_storeu_si512(to + at, parted);
    else GI_NARROW(mask_storeu_epi)(to + at, GI_KEYED(gi_first_lanes)(next - at), parted);
    return next;
}

static bool GI_KEYED(gi_is_straight)(void) { return __builtin_cpu_supports("avx512vbmi2"); }

/* gi_part_keys of elements, for processors with AVX512-VBMI2. */
static GI_KEYED_STEP void GI_KEYED(gi_part_straight)(int64_t n, const GI_KEY_T *x, GI_KEY_T key, GI_KEY_T flip, int64_t before,
                                                     int64_t more, GI_KEY_T *to)
{
    enum { LANES = GI_KEYED(GI_LANES) };
    const __m512i bound = GI_NARROW(set1_epi)((GI_NARROW_ONE)key), turn = GI_NARROW(set1_epi)((GI_NARROW_ONE)flip);
    int64_t       at = 0, at_equal = before, at_more = n - more;
    for (int64_t i = 0; i < n; i += LANES) {
        const GI_NARROW_MASK all = GI_KEYED(gi_first_lanes)(n - i);
        const __m512i        e = GI_NARROW(maskz_loadu_epi)(all, x + i), v = _mm512_xor_si512(e, turn);
        const GI_NARROW_MASK below = GI_JOIN(GI_NARROW(mask_cmplt_epu), _mask)(all, v, bound);
        const GI_NARROW_MASK above = GI_JOIN(GI_NARROW(mask_cmpgt_epu), _mask)(all, v, bound);
        const GI_NARROW_MASK equal = all & ~(below | above);
        at                         = GI_KEYED(gi_put_straight)(to, at, before, e, below);
        at_more                    = GI_KEYED(gi_put_straight)(to, at_more, n, e, above);
        if (equal) at_equal = GI_KEYED(gi_put_straight)(to, at_equal, n - more, e, equal);
    }
}

/* A step of gi_part_keys: 16 elements, or fewer. end: of the elements of each kind. */
static GI_KEYED_STEP void GI_KEYED(gi_part_step)(const bool numbers, const bool whole, int64_t n, const GI_KEY_T *x,
                                                 __m512i number, __m512i bound, __m512i turn, int64_t *at, const int64_t *end,
                                                 void *to)
{
    const unsigned in = whole ? 0xffff : (1u << n) - 1;
#if GI_KEY_BITS == 8
    const __m512i e = _mm512_cvtepu8_epi32(whole ? _mm_loadu_si128((const __m128i *)(const void *)x)
                                                 : _mm_maskz_loadu_epi8((__mmask16)in, x));
#else
    const __m512i e = _mm512_cvtepu16_epi32(whole ? _mm256_loadu_si256((const __m256i *)(const void *)x)
                                                  : _mm256_maskz_loadu_epi16((__mmask16)in, x));
#endif
    const __m512i  v = _mm512_xor_si512(e, turn), moved = numbers ? number : e;
    const unsigned less = in & _mm512_cmplt_epi32_mask(v, bound), greater = in & _mm512_cmpgt_epi32_mask(v, bound);
    const unsigned equal = in & ~(less | greater);
    at[0]                = GI_KEYED(gi_put_lanes)(numbers, to, at[0], end[0], moved, (__mmask16)less);
    at[2]                = GI_KEYED(gi_put_lanes)(numbers, to, at[2], end[2], moved, (__mmask16)greater);
    if (equal) at[1] = GI_KEYED(gi_put_lanes)(numbers, to, at[1], end[1], moved, (__mmask16)equal);
}
#endif

/* Moves n elements, or their numbers: those whose keys are less than `key`, of which there are `before`, the equal ones, the others. */
static GI_KEYED_STEP void GI_KEYED(gi_part_keys)(const bool numbers, int64_t n, const GI_KEY_T *x, GI_KEY_T key, GI_KEY_T flip,
                                                 int64_t before, int64_t more, void *to)
{
#if GI_ISA_BYTES == 64
    if (!numbers && GI_KEYED(gi_is_straight)()) {
        GI_KEYED(gi_part_straight)(n, x, key, flip, before, more, (GI_KEY_T *)to);
        return;
    }
    const __m512i bound = _mm512_set1_epi32((int)key), turn = _mm512_set1_epi32((int)flip), next = _mm512_set1_epi32(16);
    const int64_t end[3] = { before, n - more, n };
    int64_t       at[3] = { 0, before, n - more }, i = 0;
    __m512i       number = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    for (; i + 16 <= n; i += 16, number = _mm512_add_epi32(number, next))
        GI_KEYED(gi_part_step)(numbers, true, 16, x + i, number, bound, turn, at, end, to);
    if (i < n) GI_KEYED(gi_part_step)(numbers, false, n - i, x + i, number, bound, turn, at, end, to);
#else
    int64_t  *place   = (int64_t *)to;
    GI_KEY_T *element = (GI_KEY_T *)to;
    /* Kind after kind; an element of another kind is overwritten by the next one. It ends with the last element of the kind. */
    int64_t at = 0;
    for (int kind = 0; kind < 3; kind++) {
        const int64_t  stop = kind == 0 ? before : kind == 1 ? n - more : n;
        const GI_KEY_T low  = kind == 0 ? 0 : kind == 1 ? key : (GI_KEY_T)(key + 1);
        const GI_KEY_T span = (GI_KEY_T)((kind == 0 ? key - 1 : kind == 1 ? key : (GI_KEY_T)-1) - low);
        for (int64_t i = 0; at < stop; i++) {
            if (numbers) place[at] = i;
            else element[at] = x[i];
            at += (GI_KEY_T)((x[i] ^ flip) - low) <= span;
        }
    }
#endif
}

/* How many of n elements have keys less than each of three bounds? */
static GI_INLINE void GI_KEYED(gi_count_three)(int64_t n, const GI_KEY_T *x, GI_KEY_T flip, const unsigned *bound,
                                               int64_t *count)
{
    const GI_KEY_T one = (GI_KEY_T)bound[0], two = (GI_KEY_T)bound[1], three = (GI_KEY_T)bound[2];
    int64_t        i = 0, below_one = 0, below_two = 0, below_three = 0;
    for (; i + GI_KEYED(GI_COUNTED) <= n; i += GI_KEYED(GI_COUNTED)) {
#if GI_ISA_BYTES == 64
        GI_UNROLL
        for (int k = 0; k < GI_KEYED(GI_COUNTED); k += 512 / GI_KEY_BITS) {
            const __m512i v = _mm512_loadu_si512(x + i + k);
#if GI_KEY_BITS == 8
            const __m512i key = _mm512_xor_si512(v, _mm512_set1_epi8((char)flip));
            below_one += __builtin_popcountll(_mm512_cmplt_epu8_mask(key, _mm512_set1_epi8((char)one)));
            below_two += __builtin_popcountll(_mm512_cmplt_epu8_mask(key, _mm512_set1_epi8((char)two)));
            below_three += __builtin_popcountll(_mm512_cmplt_epu8_mask(key, _mm512_set1_epi8((char)three)));
#else
            const __m512i key = _mm512_xor_si512(v, _mm512_set1_epi16((short)flip));
            below_one += __builtin_popcountll(_mm512_cmplt_epu16_mask(key, _mm512_set1_epi16((short)one)));
            below_two += __builtin_popcountll(_mm512_cmplt_epu16_mask(key, _mm512_set1_epi16((short)two)));
            below_three += __builtin_popcountll(_mm512_cmplt_epu16_mask(key, _mm512_set1_epi16((short)three)));
#endif
        }
#else
        GI_KEY_T less = 0, less_two = 0, less_three = 0;
        GI_VECTORIZE
        for (int k = 0; k < GI_KEYED(GI_COUNTED); k++) {
            const GI_KEY_T key = (GI_KEY_T)(x[i + k] ^ flip);
            less               = (GI_KEY_T)(less + (key < one));
            less_two           = (GI_KEY_T)(less_two + (key < two));
            less_three         = (GI_KEY_T)(less_three + (key < three));
        }
        below_one += less;
        below_two += less_two;
        below_three += less_three;
#endif
    }
    for (; i < n; i++) {
        const GI_KEY_T key = (GI_KEY_T)(x[i] ^ flip);
        below_one += key < one;
        below_two += key < two;
        below_three += key < three;
    }
    count[0] = below_one;
    count[1] = below_two;
    count[2] = below_three;
}

/* The keys from low to high, side by side to `kept`, where there is room for n of them; returns how many. less: how many are less than low. */
static GI_KEYED_STEP int64_t GI_KEYED(gi_keep_between)(int64_t n, const GI_KEY_T *x, GI_KEY_T flip, GI_KEY_T low, GI_KEY_T high,
                                                       GI_KEY_T *kept, int64_t *less)
{
    int64_t m = 0, below = 0;
#if GI_ISA_BYTES == 64
    if (GI_KEYED(gi_is_straight)()) {
        enum { LANES = GI_KEYED(GI_LANES) };
        const __m512i turn = GI_NARROW(set1_epi)((GI_NARROW_ONE)flip), least = GI_NARROW(set1_epi)((GI_NARROW_ONE)low),
                      most = GI_NARROW(set1_epi)((GI_NARROW_ONE)high);
        for (int64_t i = 0; i < n; i += LANES) {
            const GI_NARROW_MASK all    = GI_KEYED(gi_first_lanes)(n - i);
            const __m512i        key    = _mm512_xor_si512(GI_NARROW(maskz_loadu_epi)(all, x + i), turn);
            const GI_NARROW_MASK behind = GI_JOIN(GI_NARROW(mask_cmpge_epu), _mask)(all, key, least);
            const GI_NARROW_MASK in     = GI_JOIN(GI_NARROW(mask_cmple_epu), _mask)(behind, key, most);
            below += __builtin_popcountll(all & ~behind);
            m = GI_KEYED(gi_put_straight)(kept, m, n, key, in);
        }
        *less = below;
        return m;
    }
    const __m512i turn = _mm512_set1_epi32((int)flip), least = _mm512_set1_epi32((int)low), most = _mm512_set1_epi32((int)high);
    for (int64_t i = 0; i < n; i += 16) {
        const __mmask16 all    = (__mmask16)(n - i < 16 ? (1u << (n - i)) - 1 : 0xffff);
        const __m512i   key    = _mm512_xor_si512(GI_KEYED(gi_widen)(all, x + i), turn);
        const __mmask16 behind = _mm512_mask_cmpge_epi32_mask(all, key, least);
        const __mmask16 in     = _mm512_mask_cmple_epi32_mask(behind, key, most);
        below += __builtin_popcount((unsigned)all & ~(unsigned)behind);
        m = GI_KEYED(gi_put_lanes)(false, kept, m, n, key, in);
    }
#else
    const GI_KEY_T span = (GI_KEY_T)(high - low);
    for (int64_t i = 0; i < n; i++) { /* without a branch: it would be taken by chance */
        const GI_KEY_T key = (GI_KEY_T)(x[i] ^ flip);
        kept[m]            = key;
        m += (GI_KEY_T)(key - low) <= span;
        below += key < low;
    }
#endif
    *less = below;
    return m;
}

/* The key of a rank among n, if it is from low to less than high. before, upto: how many keys are less than these two; then how many are less
   than the one that is found, and how many are not greater. Three bounds lie, in turn, around where the counts suggest it, and where they
   quarter the range. */
static GI_KEY_T GI_KEYED(gi_key_within)(int64_t n, const GI_KEY_T *x, GI_KEY_T flip, int64_t rank, unsigned low, unsigned high,
                                        int64_t *before, int64_t *upto)
{
    enum { NEAR = 16 };
    for (bool expect = true; high - low > 1; expect = !expect) {
        int64_t        count[3];
        unsigned       bound[3];
        const unsigned width = high - low;
        bound[1]             = low + (width > 2 ? width / 2 : 1);
        unsigned apart       = width / 4;
        if (expect && width > NEAR) {
            bound[1] = low + (unsigned)((double)width * ((double)(rank - *before) + 0.5) / (double)(*upto - *before));
            apart    = width / 32 + 2;
        }
        bound[0] = bound[1] > low + apart ? bound[1] - apart : low + 1;
        bound[2] = bound[1] + apart < high ? bound[1] + apart : high - 1;
        GI_KEYED(gi_count_three)(n, x, flip, bound, count);
        for (int b = 0; b < 3; b++) {
            if (count[b] <= rank && bound[b] > low) low = bound[b], *before = count[b];
            if (count[b] > rank && bound[b] < high) high = bound[b], *upto = count[b];
        }
    }
    return (GI_KEY_T)low;
}

/* gi_key_of_rank of a long line, and how many keys are greater. A sample says between which two keys it should lie; those between are brought
   together in `room`, where n have room, and searched. */
static GI_KEY_T GI_KEYED(gi_key_far)(int64_t n, const GI_KEY_T *x, GI_KEY_T flip, int64_t rank, GI_KEY_T *room, int64_t *before,
                                     int64_t *more)
{
    enum { MOST = 2048, KEYS = 1 << GI_KEY_BITS };
    GI_KEY_T      sample[MOST];
    const int64_t taken = n < 1 << 15 ? 128 : n < 1 << 18 ? 512 : (int64_t)MOST;
    const int64_t reach = taken == 128 ? 24 : taken == 512 ? 48 : 96; /* four standard deviations of a rank in the sample */
    const int64_t at    = (int64_t)((double)rank / (double)n * (double)taken);
    int64_t       some, below, upto;
    for (int64_t i = 0; i < taken; i++) sample[i] = (GI_KEY_T)(x[(n / taken) * i + i * 37 % (n / taken)] ^ flip);
    unsigned low  = at < reach ? 0 : GI_KEYED(gi_key_of_rank)(taken, sample, at - reach, &some);
    unsigned high = at + reach >= taken ? KEYS - 1 : GI_KEYED(gi_key_of_rank)(taken, sample, at + reach, &some);
    int64_t  kept = GI_KEYED(gi_keep_between)(n, x, flip, (GI_KEY_T)low, (GI_KEY_T)high, room, &below);
    *before       = below;
    upto          = below + kept;
    if (rank < below || rank >= upto) { /* it is not between */
        const bool under = rank < below;
        if (under) upto = below, *before = 0;
        else *before = upto, upto = n;
        const GI_KEY_T found =
            GI_KEYED(gi_key_within)(n, x, flip, rank, under ? 0 : high + 1, under ? low : (unsigned)KEYS, before, &upto);
        *more = n - upto;
        return found;
    }
    const int64_t padded = (kept + GI_KEYED(GI_COUNTED) - 1) & -(int64_t)GI_KEYED(GI_COUNTED);
    if (padded <= n) memset(room + kept, -1, (size_t)(padded - kept) * sizeof *room); /* these are not less than any other */
    *before = 0;
    upto    = kept;
    const GI_KEY_T found =
        GI_KEYED(gi_key_within)(padded <= n ? padded : kept, room, 0, rank - below, low, high + 1, before, &upto);
    *before += below;
    *more = n - below - upto;
    return found;
}

static void GI_KEYED(gi_part_line)(const gi_keys *rule, int64_t n, const void *elements, int64_t kth, bool numbers, void *to)
{
    enum { ROOM = GI_PART_LINE + (int)GI_KEYED(GI_COUNTED) };
    const GI_KEY_T *x = (const GI_KEY_T *)elements, flip = (GI_KEY_T)(rule->truth ? 0 : rule->flip);
    GI_KEY_T        key[ROOM], found;
    int64_t         before, more;
    if (n > GI_PART_LINE) {
        found = GI_KEYED(gi_key_far)(n, x, flip, kth, (GI_KEY_T *)to, &before, &more);
    } else {
        const int64_t padded = (n + GI_KEYED(GI_COUNTED) - 1) & -(int64_t)GI_KEYED(GI_COUNTED);
        memcpy(key, elements, (size_t)n * sizeof *key);
        GI_KEYED(gi_to_keys)(rule, n, key);
        memset(key + n, -1, (size_t)(padded - n) * sizeof *key); /* these are not less than any other */
        found = GI_KEYED(gi_key_of_rank)(padded, key, kth, &before);
        more  = found == (GI_KEY_T)-1 ? 0 : n - GI_KEYED(gi_count_less)(padded, key, (GI_KEY_T)(found + 1));
        if (rule->truth) x = key;
    }
    if (numbers) GI_KEYED(gi_part_keys)(true, n, x, found, flip, before, more, to);
    else GI_KEYED(gi_part_keys)(false, n, x, found, flip, before, more, to);
}
#define GI_KEYED_PARTS NULL, NULL, GI_KEYED(gi_part_line), NULL
#endif
GI_TABLE(gi_key_loops, GI_KEYED(gi_key_loops),
         { GI_KEYED(gi_to_keys), GI_KEYED(gi_from_keys), GI_KEYED(gi_sort_columns), GI_KEYED_PARTS })
#undef GI_KEYED_PARTS
#undef GI_NARROW_MASK
#undef GI_NARROW_ONE
#undef GI_NARROW_TEXT
#undef GI_NARROW
#undef GI_KEYED_STEP
#undef GI_KEYED
#undef GI_KEYS
#undef GI_KEY_MASK
#if GI_ISA_BYTES == 64 && defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif
