/* ==== >>windows: filters' windows of keys (GI_KEY is u8, u16, i32 or i64) =========================================== */

#define GI_KEYED(stem) GI_JOIN(stem, GI_JOIN(_, GI_JOIN(GI_KEY, GI_JOIN(_, GI_ISA))))

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

#if GI_ISA_BYTES < 64 || GI_KEY_BITS < 32
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
#endif

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

#if GI_ISA_BYTES == 64 && GI_KEY_BITS >= 32
#define GI_VECTORS(name) GI_JOIN(_mm512_##name##_epi, GI_KEY_BITS)

/* A vector of columns of three rows, each of them ascending. */
static GI_INLINE void GI_KEYED(gi_sort_vectors)(const GI_KEY_T *x, const GI_KEY_T *y, const GI_KEY_T *z, __m512i *column)
{
    const __m512i a = _mm512_loadu_si512(x), b = _mm512_loadu_si512(y), c = _mm512_loadu_si512(z);
    const __m512i low = GI_VECTORS(min)(a, b), high = GI_VECTORS(max)(a, b), other = GI_VECTORS(min)(high, c);
    column[0] = GI_VECTORS(min)(low, other);
    column[1] = GI_VECTORS(max)(low, other);
    column[2] = GI_VECTORS(max)(high, c);
}

static GI_INLINE __m512i GI_KEYED(gi_median_of_vectors)(__m512i a, __m512i b, __m512i c)
{
    return GI_VECTORS(max)(GI_VECTORS(min)(a, b), GI_VECTORS(min)(GI_VECTORS(max)(a, b), c));
}

/* Of rows of elements, 3, then room for 3 more, and the result. All are computed by 64 bytes. The neighbours of sorted columns are made in
   registers, of these and the next ones: in memory, they would cross its lines. */
static void GI_KEYED(gi_median_3x3)(int64_t n, char *const *rows)
{
    enum { LANES = 512 / GI_KEY_BITS };
    const GI_KEY_T *x = (const GI_KEY_T *)(const void *)rows[0], *y = (const GI_KEY_T *)(const void *)rows[1],
                   *z = (const GI_KEY_T *)(const void *)rows[2];
    GI_KEY_T *out     = (GI_KEY_T *)(void *)rows[6];
    __m512i   here[3], next[3], one[3], two[3]; /* columns, and those behind them */
    GI_KEYED(gi_sort_vectors)(x, y, z, here);
    for (int64_t i = 0; i < n; i += LANES) {
        const int64_t at = i + LANES;
        GI_KEYED(gi_sort_vectors)(x + at, y + at, z + at, next);
        GI_UNROLL
        for (int k = 0; k < 3; k++) {
            one[k] = GI_VECTORS(alignr)(next[k], here[k], 1);
            two[k] = GI_VECTORS(alignr)(next[k], here[k], 2);
        }
        const __m512i low    = GI_VECTORS(max)(GI_VECTORS(max)(here[0], one[0]), two[0]);
        const __m512i middle = GI_KEYED(gi_median_of_vectors)(here[1], one[1], two[1]);
        const __m512i high   = GI_VECTORS(min)(GI_VECTORS(min)(here[2], one[2]), two[2]);
        _mm512_storeu_si512(out + i, GI_KEYED(gi_median_of_vectors)(low, middle, high));
        GI_UNROLL
        for (int k = 0; k < 3; k++) here[k] = next[k];
    }
}
#undef GI_VECTORS
#else
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
#endif

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

GI_TABLE(gi_window_loops, GI_KEYED(gi_window_loops),
         { GI_KEYED(gi_least), GI_KEYED(gi_run_steps), GI_KEYED(gi_median_3x3), GI_KEYED(gi_median_5x5) })
#undef GI_EXCHANGE
#undef GI_KEYED
#undef GI_KEY
#undef GI_KEY_T
#undef GI_KEY_BITS
