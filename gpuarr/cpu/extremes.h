/* ---- the least or greatest: folds of ga_min, ga_max, ga_nanmin, ga_nanmax ------------------------------------------------ */
#if GI_ISA_BYTES == 64
/*  Compilers make three instructions of what joins two floats, as a NaN counts. Where there is none, which one comparison tells of two
    vectors, the first of them does the same, also of +0 and -0. For int64 and uint64 the lower sets have no instruction.     */
#define GI_AS_PD _mm512_castsi512_pd
#define GI_AS_PS _mm512_castsi512_ps
#define GI_WORD  static GI_INLINE __m512i
#define GI_MASK  static GI_INLINE uint32_t
/* b > a ? b : a; b < a ? b : a */
GI_WORD GI_FIND(gi_more_f64)(__m512i a, __m512i b) { return _mm512_castpd_si512(_mm512_max_pd(GI_AS_PD(b), GI_AS_PD(a))); }
GI_WORD GI_FIND(gi_less_f64)(__m512i a, __m512i b) { return _mm512_castpd_si512(_mm512_min_pd(GI_AS_PD(b), GI_AS_PD(a))); }
GI_WORD GI_FIND(gi_more_f32)(__m512i a, __m512i b) { return _mm512_castps_si512(_mm512_max_ps(GI_AS_PS(b), GI_AS_PS(a))); }
GI_WORD GI_FIND(gi_less_f32)(__m512i a, __m512i b) { return _mm512_castps_si512(_mm512_min_ps(GI_AS_PS(b), GI_AS_PS(a))); }
GI_WORD GI_FIND(gi_more_i64)(__m512i a, __m512i b) { return _mm512_max_epi64(a, b); }
GI_WORD GI_FIND(gi_less_i64)(__m512i a, __m512i b) { return _mm512_min_epi64(a, b); }
GI_WORD GI_FIND(gi_more_u64)(__m512i a, __m512i b) { return _mm512_max_epu64(a, b); }
GI_WORD GI_FIND(gi_less_u64)(__m512i a, __m512i b) { return _mm512_min_epu64(a, b); }
/* In which lanes is a or b NaN? */
GI_MASK GI_FIND(gi_nan_f64)(__m512i a, __m512i b) { return _mm512_cmp_pd_mask(GI_AS_PD(a), GI_AS_PD(b), _CMP_UNORD_Q); }
GI_MASK GI_FIND(gi_nan_f32)(__m512i a, __m512i b) { return _mm512_cmp_ps_mask(GI_AS_PS(a), GI_AS_PS(b), _CMP_UNORD_Q); }
GI_MASK GI_FIND(gi_nan_int)(__m512i a, __m512i b) { return (void)a, (void)b, 0; }
#define GI_OR_f64(joined, x, y) _mm512_mask_mov_epi64(joined, (__mmask8)GI_FIND(gi_nan_f64)(x, x), y)
#define GI_OR_f32(joined, x, y) _mm512_mask_mov_epi32(joined, (__mmask16)GI_FIND(gi_nan_f32)(x, x), y)
/* maximum and minimum, fmax and fmin (rows/type.h) */
GI_WORD GI_FIND(gi_max_f64)(__m512i a, __m512i b) { return GI_OR_f64(GI_FIND(gi_more_f64)(a, b), b, b); }
GI_WORD GI_FIND(gi_min_f64)(__m512i a, __m512i b) { return GI_OR_f64(GI_FIND(gi_less_f64)(a, b), b, b); }
GI_WORD GI_FIND(gi_max_f32)(__m512i a, __m512i b) { return GI_OR_f32(GI_FIND(gi_more_f32)(a, b), b, b); }
GI_WORD GI_FIND(gi_min_f32)(__m512i a, __m512i b) { return GI_OR_f32(GI_FIND(gi_less_f32)(a, b), b, b); }
GI_WORD GI_FIND(gi_nanmax_f64)(__m512i a, __m512i b) { return GI_OR_f64(GI_FIND(gi_more_f64)(a, b), a, b); }
GI_WORD GI_FIND(gi_nanmin_f64)(__m512i a, __m512i b) { return GI_OR_f64(GI_FIND(gi_less_f64)(a, b), a, b); }
GI_WORD GI_FIND(gi_nanmax_f32)(__m512i a, __m512i b) { return GI_OR_f32(GI_FIND(gi_more_f32)(a, b), a, b); }
GI_WORD GI_FIND(gi_nanmin_f32)(__m512i a, __m512i b) { return GI_OR_f32(GI_FIND(gi_less_f32)(a, b), a, b); }

typedef __m512i (*gi_extreme)(__m512i a, __m512i b);

static GI_INLINE __mmask64 GI_FIND(gi_first_bytes)(int64_t n) { return n < 64 ? ((__mmask64)1 << n) - 1 : ~(__mmask64)0; }

/* As gi_rows_ and gi_halve_ (fold.h). `quick` joins what has no NaN. */
GI_WORD GI_FIND(gi_extreme_of_eight)(const __m512i *x, gi_extreme join)
{
    return join(join(join(x[0], x[4]), join(x[2], x[6])), join(join(x[1], x[5]), join(x[3], x[7])));
}

GI_WORD GI_FIND(gi_extreme_of_rows)(const __m512i *x, gi_extreme quick, gi_extreme join, uint32_t (*nan)(__m512i, __m512i))
{
    const uint32_t any = nan(x[0], x[1]) | nan(x[2], x[3]) | nan(x[4], x[5]) | nan(x[6], x[7]);
    return any ? GI_FIND(gi_extreme_of_eight)(x, join) : GI_FIND(gi_extreme_of_eight)(x, quick);
}

/* The bytes from one on, less than a vector. */
static GI_INLINE void GI_FIND(gi_extreme_some)(void *accs, const char *const *from, int64_t at, int64_t bytes, gi_extreme quick,
                                               gi_extreme join, uint32_t (*nan)(__m512i, __m512i))
{
    const __mmask64 some = GI_FIND(gi_first_bytes)(bytes);
    __m512i         x[8];
    GI_UNROLL
    for (int k = 0; k < 8; k++) x[k] = _mm512_maskz_loadu_epi8(some, from[k] + at);
    _mm512_mask_storeu_epi8((char *)accs + at, some, GI_FIND(gi_extreme_of_rows)(x, quick, join, nan));
}

static GI_INLINE void GI_FIND(gi_extreme_rows)(int64_t bytes, void *accs, const void *const *rows, int count, gi_extreme quick,
                                               gi_extreme join, uint32_t (*nan)(__m512i, __m512i))
{
    const char *from[8];
    __m512i     x[8];
    int64_t     at = 0;
    for (int k = 0; k < 8; k++) from[k] = k < count ? (const char *)rows[k] : from[gi_fold_partner(k)];
    const int64_t head = (int64_t)(-(uintptr_t)from[0] % 64); /* bytes before a line; behind them whole lines are read */
    if (head % 8 == 0 && head > 0 && bytes >= 512 && ((uintptr_t)from[1] - (uintptr_t)from[0]) % 64 == 0) {
        GI_FIND(gi_extreme_some)(accs, from, 0, head, quick, join, nan);
        at = head;
    }
    for (; at + 64 <= bytes; at += 64) {
        GI_UNROLL
        for (int k = 0; k < 8; k++) x[k] = _mm512_loadu_si512(from[k] + at);
        _mm512_storeu_si512((char *)accs + at, GI_FIND(gi_extreme_of_rows)(x, quick, join, nan));
    }
    if (at < bytes) GI_FIND(gi_extreme_some)(accs, from, at, bytes - at, quick, join, nan);
}

/* v's bytes from so many on, a power of two, at its begin. */
GI_WORD GI_FIND(gi_upper_bytes)(__m512i v, const int from)
{
    return from == 32   ? _mm512_shuffle_i64x2(v, v, 0xEE)
           : from == 16 ? _mm512_shuffle_i64x2(v, v, 0x55)
           : from == 8  ? _mm512_shuffle_epi32(v, (_MM_PERM_ENUM)0x4E)
                        : _mm512_shuffle_epi32(v, (_MM_PERM_ENUM)0xB1);
}

static GI_INLINE void GI_FIND(gi_extreme_halve)(int64_t n, void *accs, const int size, gi_extreme join)
{
    char   *a     = (char *)accs;
    int64_t bytes = n * size, half = n > 1 ? size * ((int64_t)1 << (64 - __builtin_clzll((unsigned long long)n - 1))) : size;
    for (; bytes > 64; bytes = half) { /* whole vectors, which can be read at once where they were written, and what is left */
        half /= 2;
        int64_t i = 0;
        for (; i + 64 <= bytes - half; i += 64)
            _mm512_storeu_si512(a + i, join(_mm512_loadu_si512(a + i), _mm512_loadu_si512(a + half + i)));
        if (i == bytes - half) continue;
        const __mmask64 some = GI_FIND(gi_first_bytes)(bytes - half - i);
        const __m512i   v = _mm512_loadu_si512(a + i), w = _mm512_maskz_loadu_epi8(some, a + half + i);
        _mm512_storeu_si512(a + i, _mm512_mask_mov_epi8(v, some, join(v, w)));
    }
    __m512i v = bytes == 64 ? _mm512_loadu_si512(a) : _mm512_maskz_loadu_epi8(GI_FIND(gi_first_bytes)(bytes), a);
    GI_UNROLL
    for (int from = 32; from >= size; from /= 2) {
        if (bytes <= from) continue;
        const __m512i joined = join(v, GI_FIND(gi_upper_bytes)(v, from));
        v     = bytes == 2 * from ? joined : _mm512_mask_mov_epi8(v, GI_FIND(gi_first_bytes)(bytes - from), joined);
        bytes = from;
    }
    memcpy(a, &v, (size_t)size);
}

/* Of a row and a dtype: the bytes of an element, what joins two vectors, also without NaN, and what tells of NaN. */
#define GI_EACH_EXTREME(X)                                                                                                     \
    X(min, F32, f32, 4, min, less, f32)                                                                                        \
    X(max, F32, f32, 4, max, more, f32)                                                                                        \
    X(nanmin, F32, f32, 4, nanmin, less, f32)                                                                                  \
    X(nanmax, F32, f32, 4, nanmax, more, f32)                                                                                  \
    X(min, F64, f64, 8, min, less, f64)                                                                                        \
    X(max, F64, f64, 8, max, more, f64)                                                                                        \
    X(nanmin, F64, f64, 8, nanmin, less, f64)                                                                                  \
    X(nanmax, F64, f64, 8, nanmax, more, f64)                                                                                  \
    X(min, I64, i64, 8, less, less, int)                                                                                       \
    X(max, I64, i64, 8, more, more, int)                                                                                       \
    X(min, U64, u64, 8, less, less, int)                                                                                       \
    X(max, U64, u64, 8, more, more, int)

#define GI_EXTREME(name, TAG, tag, size, join, quick, nan)                                                                     \
    static void GI_FIND(gi_##name##_##tag##_rows)(int64_t n, void *accs, const void *const *rows, int count)                   \
    {                                                                                                                          \
        GI_FIND(gi_extreme_rows)                                                                                               \
        (n * size, accs, rows, count, GI_FIND(gi_##quick##_##tag), GI_FIND(gi_##join##_##tag), GI_FIND(gi_nan_##nan));         \
    }                                                                                                                          \
    static void GI_FIND(gi_##name##_##tag##_halve)(int64_t n, void *accs)                                                      \
    {                                                                                                                          \
        GI_FIND(gi_extreme_halve)(n, accs, size, GI_FIND(gi_##join##_##tag));                                                  \
    }
GI_EACH_EXTREME(GI_EXTREME)
#undef GI_EXTREME

/* Is the sign of any number set? Then zeros may differ. */
static GI_INLINE bool GI_FIND(gi_extreme_signs)(int64_t bytes, const char *x, const int size)
{
    const __m512i sign = size == 4 ? _mm512_set1_epi32(INT32_MIN) : _mm512_set1_epi64(INT64_MIN);
    __m512i       any  = _mm512_setzero_si512();
    int64_t       at   = 0;
    for (; at + 64 <= bytes; at += 64) any = _mm512_or_si512(any, _mm512_loadu_si512(x + at));
    if (at < bytes) any = _mm512_or_si512(any, _mm512_maskz_loadu_epi8(GI_FIND(gi_first_bytes)(bytes - at), x + at));
    return _mm512_test_epi32_mask(any, sign) != 0;
}

/* Packed elements, in whatever order. `first` changes nothing, or is one of them. */
static GI_INLINE uint32_t GI_FIND(gi_extreme_at_once)(int64_t bytes, void *acc, const char *x, bool fetch, const int size,
                                                      gi_extreme join, uint32_t (*nan)(__m512i, __m512i), __m512i first)
{
    const int unit = size < 4 ? 4 : size;
    __m512i   v, e[8];
    int64_t   at   = 0;
    uint32_t  nans = 0;
    if (bytes < 64) {
        e[0] = _mm512_mask_loadu_epi8(first, GI_FIND(gi_first_bytes)(bytes), x);
        v    = join(first, e[0]);
        nans = nan(e[0], e[0]);
    } else { /* some elements count twice */
        e[0] = _mm512_loadu_si512(x);
        e[1] = _mm512_loadu_si512(x + bytes - 64);
        v    = join(join(first, e[0]), e[1]);
        nans = nan(e[0], e[1]);
        at = (uintptr_t)x % (unsigned)size > 0 ? 64 : 64 - (int64_t)((uintptr_t)x % 64); /* from here on whole lines are read */
    }
    if (at + 512 <= bytes) {
        __m512i more[4] = { v, v, v, v };
        for (; at + 512 <= bytes; at += 512) {
            GI_UNROLL
            for (int k = 0; k < 8; k++) {
                if (fetch) __builtin_prefetch(x + at + 64 * k + GI_LINES_AHEAD);
                e[k]        = _mm512_loadu_si512(x + at + 64 * k);
                more[k % 4] = join(more[k % 4], e[k]);
            }
            nans |= nan(e[0], e[1]) | nan(e[2], e[3]) | nan(e[4], e[5]) | nan(e[6], e[7]);
        }
        v = join(join(more[0], more[1]), join(more[2], more[3]));
    }
    for (; at + 64 < bytes; at += 64) {
        e[0] = _mm512_loadu_si512(x + at);
        v    = join(v, e[0]);
        nans |= nan(e[0], e[0]);
    }
    GI_UNROLL
    for (int from = 32; from >= unit; from /= 2) v = join(v, GI_FIND(gi_upper_bytes)(v, from));
    if (size <= 2) v = join(v, _mm512_srli_epi32(v, 16));
    if (size == 1) v = join(v, _mm512_srli_epi32(v, 8));
    memcpy(acc, &v, (size_t)size);
    return nans;
}

/* Of floats: `quick` joins what has no NaN, and one with a NaN to the first. The order of zeros with different signs would matter, and that of
   NaNs; where NaN is left out, an infinity may stand for nothing but NaN. */
#define GI_AT_ONCE(name, tag, T, size, quick, nan, leaves_nan, nothing, set)                                                   \
    static bool GI_FIND(gi_##name##_##tag##_at_once)(int64_t n, void *acc, const void *x, bool fetch)                          \
    {                                                                                                                          \
        T              found;                                                                                                  \
        const uint32_t nans = GI_FIND(gi_extreme_at_once)(n * size, &found, (const char *)x, fetch, size,                      \
                                                          GI_FIND(gi_##quick##_##tag), GI_FIND(gi_nan_##nan), set(nothing));   \
        if (nans || (leaves_nan && found == nothing)) return false;                                                            \
        if (found == 0 && GI_FIND(gi_extreme_signs)(n * size, (const char *)x, size)) return false;                            \
        memcpy(acc, &found, sizeof found);                                                                                     \
        return true;                                                                                                           \
    }
#define GI_ONES_F32(x) _mm512_castps_si512(_mm512_set1_ps(x))
#define GI_ONES_F64(x) _mm512_castpd_si512(_mm512_set1_pd(x))
GI_AT_ONCE(min, f32, float, 4, less, f32, false, INFINITY, GI_ONES_F32)
GI_AT_ONCE(max, f32, float, 4, more, f32, false, -INFINITY, GI_ONES_F32)
GI_AT_ONCE(nanmin, f32, float, 4, less, int, true, INFINITY, GI_ONES_F32)
GI_AT_ONCE(nanmax, f32, float, 4, more, int, true, -INFINITY, GI_ONES_F32)
GI_AT_ONCE(min, f64, double, 8, less, f64, false, (double)INFINITY, GI_ONES_F64)
GI_AT_ONCE(max, f64, double, 8, more, f64, false, -(double)INFINITY, GI_ONES_F64)
GI_AT_ONCE(nanmin, f64, double, 8, less, int, true, (double)INFINITY, GI_ONES_F64)
GI_AT_ONCE(nanmax, f64, double, 8, more, int, true, -(double)INFINITY, GI_ONES_F64)
#undef GI_AT_ONCE
#undef GI_ONES_F32
#undef GI_ONES_F64

#define GI_WHOLE_OF(name, tag, bits, as)                                                                                       \
    GI_WORD     GI_FIND(gi_##name##_whole_##tag)(__m512i a, __m512i b) { return _mm512_##name##_##as(a, b); }                  \
    static bool GI_FIND(gi_##name##_##tag##_at_once)(int64_t n, void *acc, const void *x, bool fetch)                          \
    {                                                                                                                          \
        const __m512i first = _mm512_set1_epi##bits(*(const int##bits##_t *)x);                                                \
        GI_FIND(gi_extreme_at_once)                                                                                            \
        (n * (bits / 8), acc, (const char *)x, fetch, bits / 8, GI_FIND(gi_##name##_whole_##tag), GI_FIND(gi_nan_int), first); \
        return true;                                                                                                           \
    }
#define GI_WHOLES_OF(TAG, tag, bits, as) GI_WHOLE_OF(min, tag, bits, as) GI_WHOLE_OF(max, tag, bits, as)
GI_EACH_WHOLE(GI_WHOLES_OF)
#undef GI_WHOLES_OF
#undef GI_WHOLE_OF

/* Puts these into what has been found for a row. */
static GI_INLINE void GI_FIND(gi_extremes)(ga_op op, ga_dtype dtype, gi_fold *fold)
{
#define GI_WHOLES_OF(TAG, tag, bits, as)                                                                                       \
    case GI_OP_OF(GA_OP_min, GA_##TAG): fold->at_once = GI_FIND(gi_min_##tag##_at_once); break;                                \
    case GI_OP_OF(GA_OP_max, GA_##TAG): fold->at_once = GI_FIND(gi_max_##tag##_at_once); break;
    switch (GI_OP_OF(op, dtype)) {
        GI_EACH_WHOLE(GI_WHOLES_OF)
    default: break;
    }
#undef GI_WHOLES_OF
#define GI_EXTREME(name, TAG, tag, size, join, quick, nan)                                                                     \
    case GI_OP_OF(GA_OP_##name, GA_##TAG):                                                                                     \
        fold->rows = GI_FIND(gi_##name##_##tag##_rows), fold->halve = GI_FIND(gi_##name##_##tag##_halve);                      \
        fold->at_once = GI_FIND(gi_##name##_##tag##_at_once);                                                                  \
        break;
    switch (GI_OP_OF(op, dtype)) {
        GI_EACH_EXTREME(GI_EXTREME)
    default: break;
    }
#undef GI_EXTREME
}
#undef GI_EACH_EXTREME
#undef GI_AS_PD
#undef GI_AS_PS
#undef GI_WORD
#undef GI_MASK
#undef GI_OR_f64
#undef GI_OR_f32
#else
static GI_INLINE void GI_FIND(gi_extremes)(ga_op op, ga_dtype dtype, gi_fold *fold) { (void)op, (void)dtype, (void)fold; }
#endif
