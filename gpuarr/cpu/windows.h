/* ==== >>windows: one size of keys (GI_KEY is u8, u16, i32 or i64) =================================================== */
/*  What filters compare: integers that are ordered like the elements that they stand for. (Signed or unsigned, as most elements of
    the size are.)                                                                                                         */

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
#endif

static void GI_KEYED(gi_least)(int64_t n, void *out, const void *x, const void *y, const void *z)
{
    GI_KEY_T       *o = (GI_KEY_T *)out;
    const GI_KEY_T *a = (const GI_KEY_T *)x, *b = (const GI_KEY_T *)y, *c = (const GI_KEY_T *)z;
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) {
        const GI_KEY_T low = a[i] < b[i] ? a[i] : b[i];
        o[i]               = low < c[i] ? low : c[i];
    }
}

/* Medians of 3 x 3 and 5 x 5 elements, in registers: the columns are sorted, for 5 x 5 each is merged with the next, and of those what
   can be the median is found. (A network of steps on rows does as much and is bound by loads and stores.) */
#define GI_EXCHANGE(a, b)                                                                                                      \
    {                                                                                                                          \
        const GI_KEY_T low_ = a < b ? a : b;                                                                                   \
        b                   = a < b ? b : a;                                                                                   \
        a                   = low_;                                                                                            \
    }

static GI_INLINE GI_KEY_T GI_KEYED(gi_min)(GI_KEY_T a, GI_KEY_T b) { return a < b ? a : b; }
static GI_INLINE GI_KEY_T GI_KEYED(gi_max)(GI_KEY_T a, GI_KEY_T b) { return a < b ? b : a; }
static GI_INLINE GI_KEY_T GI_KEYED(gi_median_of_3)(GI_KEY_T a, GI_KEY_T b, GI_KEY_T c)
{
    const GI_KEY_T low = GI_KEYED(gi_min)(a, b), high = GI_KEYED(gi_max)(a, b);
    return GI_KEYED(gi_max)(low, GI_KEYED(gi_min)(high, c));
}

static void GI_KEYED(gi_sort_3)(int64_t n, const GI_KEY_T *__restrict x, const GI_KEY_T *__restrict y,
                                const GI_KEY_T *__restrict z, GI_KEY_T *__restrict low, GI_KEY_T *__restrict middle,
                                GI_KEY_T *__restrict high)
{
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) {
        GI_KEY_T a = x[i], b = y[i], c = z[i];
        GI_EXCHANGE(a, b)
        GI_EXCHANGE(b, c)
        GI_EXCHANGE(a, b)
        low[i]    = a;
        middle[i] = b;
        high[i]   = c;
    }
}

static void GI_KEYED(gi_median_of_9)(int64_t n, const GI_KEY_T *__restrict low, const GI_KEY_T *__restrict middle,
                                     const GI_KEY_T *__restrict high, GI_KEY_T *__restrict out)
{
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++)
        out[i] = GI_KEYED(gi_median_of_3)(GI_KEYED(gi_max)(GI_KEYED(gi_max)(low[i], low[i + 1]), low[i + 2]),
                                          GI_KEYED(gi_median_of_3)(middle[i], middle[i + 1], middle[i + 2]),
                                          GI_KEYED(gi_min)(GI_KEYED(gi_min)(high[i], high[i + 1]), high[i + 2]));
}

/* Five elements, ascending. */
static void GI_KEYED(gi_sort_5)(int64_t n, const GI_KEY_T *__restrict v, const GI_KEY_T *__restrict w,
                                const GI_KEY_T *__restrict x, const GI_KEY_T *__restrict y, const GI_KEY_T *__restrict z,
                                GI_KEY_T *__restrict o0, GI_KEY_T *__restrict o1, GI_KEY_T *__restrict o2,
                                GI_KEY_T *__restrict o3, GI_KEY_T *__restrict o4)
{
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) {
        GI_KEY_T a = v[i], b = w[i], c = x[i], d = y[i], e = z[i];
        GI_EXCHANGE(a, b)
        GI_EXCHANGE(d, e)
        GI_EXCHANGE(c, d)
        GI_EXCHANGE(d, e)
        GI_EXCHANGE(a, c)
        GI_EXCHANGE(c, e)
        GI_EXCHANGE(b, d)
        GI_EXCHANGE(b, c)
        GI_EXCHANGE(d, e)
        o0[i] = a;
        o1[i] = b;
        o2[i] = c;
        o3[i] = d;
        o4[i] = e;
    }
}

/* Two sorted columns side by side: c of length n + 1 merged with itself one further on. */
static void GI_KEYED(gi_merge_5)(int64_t n, GI_KEY_T *const *column, GI_KEY_T *const *pair)
{
    const GI_KEY_T *__restrict c0 = column[0], *__restrict c1 = column[1], *__restrict c2 = column[2],
                               *__restrict c3 = column[3], *__restrict c4 = column[4];
    GI_KEY_T *__restrict p0 = pair[0], *__restrict p1 = pair[1], *__restrict p2 = pair[2], *__restrict p3 = pair[3],
                         *__restrict p4 = pair[4], *__restrict p5 = pair[5], *__restrict p6 = pair[6], *__restrict p7 = pair[7],
                         *__restrict p8 = pair[8], *__restrict p9 = pair[9];
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) {
        GI_KEY_T a = c0[i], b = c1[i], c = c2[i], d = c3[i], e = c4[i];
        GI_KEY_T f = c0[i + 1], g = c1[i + 1], h = c2[i + 1], j = c3[i + 1], k = c4[i + 1];
        GI_EXCHANGE(a, f)
        GI_EXCHANGE(e, k)
        GI_EXCHANGE(f, e)
        GI_EXCHANGE(c, h)
        GI_EXCHANGE(f, c)
        GI_EXCHANGE(h, e)
        GI_EXCHANGE(b, g)
        GI_EXCHANGE(d, j)
        GI_EXCHANGE(g, d)
        GI_EXCHANGE(b, f)
        GI_EXCHANGE(g, c)
        GI_EXCHANGE(d, h)
        GI_EXCHANGE(j, e)
        p0[i] = a;
        p1[i] = b;
        p2[i] = f;
        p3[i] = g;
        p4[i] = c;
        p5[i] = d;
        p6[i] = h;
        p7[i] = j;
        p8[i] = e;
        p9[i] = k;
    }
}

/* The median of two such pairs and a column. */
static void GI_KEYED(gi_median_of_25)(int64_t n, GI_KEY_T *const *column, GI_KEY_T *const *pair, GI_KEY_T *__restrict out)
{
    const GI_KEY_T *__restrict p0 = pair[0], *__restrict p1 = pair[1], *__restrict p2 = pair[2], *__restrict p3 = pair[3],
                               *__restrict p4 = pair[4], *__restrict p5 = pair[5], *__restrict p6 = pair[6],
                               *__restrict p7 = pair[7], *__restrict p8 = pair[8], *__restrict p9 = pair[9];
    const GI_KEY_T *__restrict c0 = column[0], *__restrict c1 = column[1], *__restrict c2 = column[2],
                               *__restrict c3 = column[3], *__restrict c4 = column[4];
#define GI_LOW(a, b)  GI_KEYED(gi_min)(a, b)
#define GI_HIGH(a, b) GI_KEYED(gi_max)(a, b)
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) { /* the even ones of both, the odd ones, and the ten in the middle of all */
        GI_KEY_T a = GI_HIGH(p0[i], p0[i + 2]), b = GI_LOW(p8[i], p8[i + 2]), c = p4[i], d = p4[i + 2];
        GI_EXCHANGE(a, b)
        GI_EXCHANGE(c, d)
        GI_KEY_T e = GI_HIGH(c, a), f = GI_LOW(d, b), g = GI_HIGH(p2[i], p2[i + 2]), h = GI_LOW(p6[i], p6[i + 2]);
        GI_EXCHANGE(g, h)
        e = GI_HIGH(g, e);
        GI_EXCHANGE(f, h)
        a = GI_HIGH(p1[i], p1[i + 2]);
        b = GI_LOW(p9[i], p9[i + 2]);
        c = p5[i];
        d = p5[i + 2];
        GI_EXCHANGE(a, b)
        GI_EXCHANGE(c, d)
        c          = GI_HIGH(c, a);
        d          = GI_LOW(d, b);
        GI_KEY_T j = GI_HIGH(p3[i], p3[i + 2]), k = GI_LOW(p7[i], p7[i + 2]);
        GI_EXCHANGE(j, k)
        GI_EXCHANGE(j, c)
        d = GI_LOW(k, d);
        GI_EXCHANGE(j, e)
        GI_EXCHANGE(c, f)
        GI_EXCHANGE(d, h)
        j      = GI_LOW(GI_HIGH(j, c4[i + 4]), GI_HIGH(e, c3[i + 4]));
        c      = GI_LOW(GI_HIGH(c, c2[i + 4]), GI_HIGH(f, c1[i + 4]));
        out[i] = GI_LOW(GI_LOW(j, c), GI_LOW(GI_HIGH(d, c0[i + 4]), h));
    }
#undef GI_LOW
#undef GI_HIGH
}

/* Of rows of elements, 3, then room for 3 more, and the result. All are computed by 64 bytes. */
static void GI_KEYED(gi_median_3x3)(int64_t n, char *const *rows)
{
    const int64_t part = 64 / sizeof(GI_KEY_T);
    GI_KEY_T     *r[7];
    for (int k = 0; k < 7; k++) r[k] = (GI_KEY_T *)(void *)rows[k];
    n = (n + part - 1) & -part;
    GI_KEYED(gi_sort_3)(n + part, r[0], r[1], r[2], r[3], r[4], r[5]);
    GI_KEYED(gi_median_of_9)(n, r[3], r[4], r[5], r[6]);
}

/* Of rows of elements, 5, then room for 15 more, and the result. */
static void GI_KEYED(gi_median_5x5)(int64_t n, char *const *rows)
{
    const int64_t part = 64 / sizeof(GI_KEY_T);
    GI_KEY_T     *r[21];
    for (int k = 0; k < 21; k++) r[k] = (GI_KEY_T *)(void *)rows[k];
    n = (n + part - 1) & -part;
    GI_KEYED(gi_sort_5)(n + part, r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8], r[9]);
    GI_KEYED(gi_merge_5)(n + part, r + 5, r + 10);
    GI_KEYED(gi_median_of_25)(n, r + 5, r + 10, r[20]);
}

/* Runs a network on rows of keys. Rows are as long as is needed and 64 bytes more, because they are computed by 64 bytes. */
static void GI_KEYED(gi_run_steps)(const gi_network_step *steps, int64_t count, char *const *rows, int64_t n)
{
    enum { PART = 64 / sizeof(GI_KEY_T) };
    for (const gi_network_step *s = steps; s < steps + count; s++) {
        const GI_KEY_T *a = (const GI_KEY_T *)(const void *)rows[s->a] + s->at_a;
        const GI_KEY_T *b = (const GI_KEY_T *)(const void *)rows[s->b] + s->at_b, *end = a + n + s->reach;
        GI_KEY_T       *low  = s->low < 0 ? NULL : (GI_KEY_T *)(void *)rows[s->low];
        GI_KEY_T       *high = s->high < 0 ? NULL : (GI_KEY_T *)(void *)rows[s->high];
        if (!high) {
            for (; a < end; a += PART, b += PART, low += PART) {
                GI_VECTORIZE
                for (int i = 0; i < PART; i++) low[i] = a[i] < b[i] ? a[i] : b[i];
            }
        } else if (!low) {
            for (; a < end; a += PART, b += PART, high += PART) {
                GI_VECTORIZE
                for (int i = 0; i < PART; i++) high[i] = a[i] < b[i] ? b[i] : a[i];
            }
        } else {
            for (; a < end; a += PART, b += PART, low += PART, high += PART) {
                GI_VECTORIZE
                for (int i = 0; i < PART; i++) {
                    const GI_KEY_T x = a[i], y = b[i];
                    low[i]  = x < y ? x : y;
                    high[i] = x < y ? y : x;
                }
            }
        }
    }
}

#if GI_KEY_BITS < 32
#define GI_KEYED_PARTS NULL, NULL
#else
#define GI_KEYED_PARTS GI_KEYED(gi_split), GI_KEYED(gi_keep)
#endif
GI_TABLE(gi_window_loops, GI_KEYED(gi_window_loops),
         { GI_KEYED(gi_to_keys), GI_KEYED(gi_from_keys), GI_KEYED(gi_sort_columns), GI_KEYED_PARTS, GI_KEYED(gi_least),
           GI_KEYED(gi_run_steps), GI_KEYED(gi_median_3x3), GI_KEYED(gi_median_5x5) })
#undef GI_KEYED_PARTS
#undef GI_KEYED_STEP
#undef GI_EXCHANGE
#undef GI_KEYED
#undef GI_KEYS
#undef GI_KEY_MASK
#undef GI_KEY
#undef GI_KEY_T
#undef GI_KEY_BITS
