/* ---- many short lines, as many side by side as a vector has lanes ------------------------------------------------------ */
/*  Lane l of row i is element i of line l. Rows are put in order by a network of exchanges, of which none asks for a lane beside another: odd-even
    merges of up to 16 rows in registers, then bitonic ones. Floats are compared as such; what that does not tell apart is put right afterwards. */

/* The lesser of two rows to a, the greater to b, lane by lane. */
static GI_QUICK_STEP void GI_QUICK(gi_order_rows)(const bool real, __m512i *a, __m512i *b)
{
    const __m512i x = *a, y = *b;
#if GI_KEY_BITS == 32
    const __m512 u = _mm512_castsi512_ps(x), v = _mm512_castsi512_ps(y);
    *a = real ? _mm512_castps_si512(_mm512_min_ps(u, v)) : _mm512_min_epu32(x, y);
    *b = real ? _mm512_castps_si512(_mm512_max_ps(u, v)) : _mm512_ternarylogic_epi32(x, y, *a, 0x96); /* what is left of both */
#else
    const __m512d u = _mm512_castsi512_pd(x), v = _mm512_castsi512_pd(y);
    if (real) {
        *a = _mm512_castpd_si512(_mm512_min_pd(u, v));
        *b = _mm512_castpd_si512(_mm512_max_pd(u, v));
    } else {
        GI_QUICK(gi_order_two)(a, b);
    }
#endif
}

/* A step of an odd-even merge of runs of `run` rows: rows that are `apart` from each other. */
static GI_QUICK_STEP void GI_QUICK(gi_odd_even_step)(const bool real, const int rows, const int run, const int apart,
                                                     __m512i *v)
{
    GI_UNROLL
    for (int i = 0; i < GI_NETWORK_ROWS; i++) {
        const int first = i - apart % run, other = i + apart;
        if (first >= 0 && first / apart % 2 == 0 && other < rows && i / (2 * run) == other / (2 * run))
            GI_QUICK(gi_order_rows)(real, v + i, v + other);
    }
}

static GI_QUICK_STEP void GI_QUICK(gi_sort_each_column)(const bool real, const int rows, __m512i *v)
{
    GI_QUICK(gi_odd_even_step)(real, rows, 1, 1, v);
    GI_QUICK(gi_odd_even_step)(real, rows, 2, 2, v);
    GI_QUICK(gi_odd_even_step)(real, rows, 2, 1, v);
    if (rows <= 4) return;
    GI_QUICK(gi_odd_even_step)(real, rows, 4, 4, v);
    GI_QUICK(gi_odd_even_step)(real, rows, 4, 2, v);
    GI_QUICK(gi_odd_even_step)(real, rows, 4, 1, v);
    if (rows <= 8) return;
    GI_QUICK(gi_odd_even_step)(real, rows, 8, 8, v);
    GI_QUICK(gi_odd_even_step)(real, rows, 8, 4, v);
    GI_QUICK(gi_odd_even_step)(real, rows, 8, 2, v);
    GI_QUICK(gi_odd_even_step)(real, rows, 8, 1, v);
}

/* Columns that are bitonic. */
static GI_QUICK_STEP void GI_QUICK(gi_merge_columns)(const bool real, const int rows, __m512i *v)
{
    GI_UNROLL
    for (int step = GI_NETWORK_ROWS / 2; step > 0; step /= 2) {
        GI_UNROLL
        for (int i = 0; i < rows; i++)
            if (step < rows && (i & step) == 0) GI_QUICK(gi_order_rows)(real, v + i, v + i + step);
    }
}

/* Up to GI_NETWORK_ROWS rows, in registers; bitonic: their columns are, and need only be merged. */
static GI_QUICK_STEP void GI_QUICK(gi_sort_tile)(const bool real, const bool bitonic, const int rows, __m512i *row)
{
    __m512i v[GI_NETWORK_ROWS];
    GI_UNROLL
    for (int i = 0; i < rows; i++) v[i] = row[i];
    if (bitonic) GI_QUICK(gi_merge_columns)(real, rows, v);
    else GI_QUICK(gi_sort_each_column)(real, rows, v);
    GI_UNROLL
    for (int i = 0; i < rows; i++) row[i] = v[i];
}

/* Two runs, of `half` rows and of the others of `rows`, become one. (Rows that would follow are the greatest: they stay where they are.) */
static GI_QUICK_STEP void GI_QUICK(gi_merge_rows)(const bool real, int64_t half, int64_t rows, __m512i *row)
{
    for (int64_t i = 2 * half - rows; i < half; i++) GI_QUICK(gi_order_rows)(real, row + i, row + 2 * half - 1 - i);
    for (int64_t step = half / 2; step >= GI_NETWORK_ROWS; step /= 2)
        for (int64_t at = 0; at + step < rows; at += 2 * step)
            for (int64_t i = at; i < at + step && i + step < rows; i++) GI_QUICK(gi_order_rows)(real, row + i, row + i + step);
    for (int64_t at = 0; at < rows; at += GI_NETWORK_ROWS) GI_QUICK(gi_sort_tile)(real, true, GI_NETWORK_ROWS, row + at);
}

static GI_QUICK_STEP void GI_QUICK(gi_sort_rows)(const bool real, int64_t rows, __m512i *row)
{
    if (rows <= 8) {
        GI_QUICK(gi_sort_tile)(real, false, 8, row);
        return;
    }
    for (int64_t at = 0; at < rows; at += GI_NETWORK_ROWS) GI_QUICK(gi_sort_tile)(real, false, GI_NETWORK_ROWS, row + at);
    for (int64_t half = GI_NETWORK_ROWS; half < rows; half *= 2)
        for (int64_t at = 0; at + half < rows; at += 2 * half)
            GI_QUICK(gi_merge_rows)(real, half, rows - at < 2 * half ? rows - at : 2 * half, row + at);
}

/* Functions of their own for floats and for integers. */
static GI_OWN_FRAME void GI_QUICK(gi_sort_float_rows)(int64_t rows, __m512i *row) { GI_QUICK(gi_sort_rows)(true, rows, row); }
static GI_OWN_FRAME void GI_QUICK(gi_sort_whole_rows)(int64_t rows, __m512i *row) { GI_QUICK(gi_sort_rows)(false, rows, row); }

/* Quarters of four vectors: quarter k of each comes to out[k * step]. */
static GI_QUICK_STEP void GI_QUICK(gi_turn_quarters)(__m512i a, __m512i b, __m512i c, __m512i d, const int step, __m512i *out)
{
    const __m512i low_ab = _mm512_shuffle_i64x2(a, b, 0x44), low_cd = _mm512_shuffle_i64x2(c, d, 0x44);
    const __m512i high_ab = _mm512_shuffle_i64x2(a, b, 0xEE), high_cd = _mm512_shuffle_i64x2(c, d, 0xEE);
    out[0]        = _mm512_shuffle_i64x2(low_ab, low_cd, 0x88);
    out[step]     = _mm512_shuffle_i64x2(low_ab, low_cd, 0xDD);
    out[2 * step] = _mm512_shuffle_i64x2(high_ab, high_cd, 0x88);
    out[3 * step] = _mm512_shuffle_i64x2(high_ab, high_cd, 0xDD);
}

/* 4, 8 or 16 rows become as many vectors: the rows of the first lane, then those of the next one, and so on. A square is turned. */
static GI_QUICK_STEP void GI_QUICK(gi_turn_rows)(const int rows, __m512i *v)
{
    enum { TOGETHER = 128 / GI_KEY_BITS }; /* rows of a lane, in a quarter of a vector */
    __m512i t[16];
    GI_UNROLL
    for (int i = 0; i < rows; i += 2) {
        t[i]     = GI_KEYS(unpacklo)(v[i], v[i + 1]);
        t[i + 1] = GI_KEYS(unpackhi)(v[i], v[i + 1]);
    }
#if GI_KEY_BITS == 32
    __m512i u[16];
    GI_UNROLL
    for (int i = 0; i < 16; i++) u[i] = t[i % rows]; /* all of them, which gcc -O0 wants to see */
    GI_UNROLL
    for (int i = 0; i < rows; i += 4) {
        t[i]     = _mm512_unpacklo_epi64(u[i], u[i + 2]);
        t[i + 1] = _mm512_unpackhi_epi64(u[i], u[i + 2]);
        t[i + 2] = _mm512_unpacklo_epi64(u[i + 1], u[i + 3]);
        t[i + 3] = _mm512_unpackhi_epi64(u[i + 1], u[i + 3]);
    }
#endif
    GI_UNROLL
    for (int k = 0; k < 4; k++) {
        const int groups = rows / TOGETHER, part = rows > GI_KEY_LANES ? 8 * (k % 2) + k / 2 : 4 / groups * k;
        const int next   = rows > GI_KEY_LANES ? 4 : groups; /* groups that come side by side */
        const int second = 1 % next * TOGETHER + 1 / next, third = 2 % next * TOGETHER + 2 / next;
        const int fourth = 3 % next * TOGETHER + 3 / next;
        if (k >= rows / 4) continue;
        GI_QUICK(gi_turn_quarters)(t[part], t[part + second], t[part + third], t[part + fourth], rows / 4, v + k);
    }
}

/* What is compared instead of elements of a line. special: set if there are NaNs, or -0. */
static GI_QUICK_STEP __m512i GI_QUICK(gi_comparable)(const bool real, __m512i v, __m512i flip, unsigned char *special)
{
    if (!real) return _mm512_xor_si512(v, flip);
#if GI_KEY_BITS == 32
    const __m512i     infinity = _mm512_set1_epi32(0x7f800000);
    const GI_KEY_MASK rare     = _mm512_fpclass_ps_mask(_mm512_castsi512_ps(v), 0x85);
#else
    const __m512i     infinity = _mm512_set1_epi64(0x7ff0000000000000);
    const GI_KEY_MASK rare     = _mm512_fpclass_pd_mask(_mm512_castsi512_pd(v), 0x85);
#endif
    if (!rare) return v;
    *special = 1;
    return GI_KEYS(mask_mov)(v, GI_JOIN(GI_WHOLE(cmpgt), _mask)(GI_KEYS(slli)(v, 1), GI_KEYS(slli)(infinity, 1)), infinity);
}

/* Rows of up to GI_KEY_LANES lines; those that there are not, and rows behind the last, are as great as can be. */
static GI_QUICK_STEP void GI_QUICK(gi_read_rows)(const bool real, __m512i flip, int64_t n, int64_t lines, const GI_KEY_T *from,
                                                 __m512i *row, unsigned char *special)
{
    __m512i greatest = GI_KEYS(set1)(-1);
#if GI_KEY_BITS == 32
    if (real) greatest = _mm512_set1_epi32(0x7f800000);
#else
    if (real) greatest = _mm512_set1_epi64(0x7ff0000000000000);
#endif
    const __m512i none = real ? greatest : _mm512_xor_si512(greatest, flip);
    for (int64_t i = 0; i < n; i += GI_KEY_LANES) {
        const GI_KEY_MASK in = GI_QUICK(gi_first_lanes)(n - i);
        __m512i           v[GI_KEY_LANES];
        GI_UNROLL
        for (int l = 0; l < GI_KEY_LANES; l++) {
            v[l] = GI_KEYS(mask_loadu)(none, l < lines ? in : (GI_KEY_MASK)0, from + l * n + i);
            v[l] = GI_QUICK(gi_comparable)(real, v[l], flip, special + l);
        }
        GI_QUICK(gi_turn_rows)(GI_KEY_LANES, v);
        GI_UNROLL
        for (int l = 0; l < GI_KEY_LANES; l++) row[i + l] = v[l];
    }
    for (int64_t i = (n + GI_KEY_LANES - 1) & -GI_KEY_LANES; i & (GI_NETWORK_ROWS - 1); i++) row[i] = greatest;
}

static GI_QUICK_STEP void GI_QUICK(gi_write_rows)(__m512i flip, int64_t n, int64_t lines, const __m512i *row, GI_KEY_T *to)
{
    for (int64_t i = 0; i < n; i += GI_KEY_LANES) {
        const GI_KEY_MASK in = GI_QUICK(gi_first_lanes)(n - i);
        __m512i           v[GI_KEY_LANES];
        GI_UNROLL
        for (int l = 0; l < GI_KEY_LANES; l++) v[l] = row[i + l];
        GI_QUICK(gi_turn_rows)(GI_KEY_LANES, v);
        GI_UNROLL
        for (int l = 0; l < GI_KEY_LANES; l++)
            GI_KEYS(mask_storeu)(to + l * n + i, l < lines ? in : (GI_KEY_MASK)0, _mm512_xor_si512(v[l], flip));
    }
}

static void GI_QUICK(gi_sort_lines)(const gi_keys *rule, int64_t n, int64_t lines, const void *from_, void *to_,
                                    unsigned char *special, void *rows_)
{
    __m512i        *row  = (__m512i *)rows_;
    const GI_KEY_T *from = (const GI_KEY_T *)from_;
    GI_KEY_T       *to   = (GI_KEY_T *)to_;
    const int64_t   rows = n <= 8 ? 8 : (n + GI_NETWORK_ROWS - 1) & -GI_NETWORK_ROWS;
    const __m512i   flip = GI_KEYS(set1)((GI_SIGNED_KEY)(rule->real ? 0 : rule->flip));
    for (; lines > 0; lines -= GI_KEY_LANES, from += GI_KEY_LANES * n, to += GI_KEY_LANES * n, special += GI_KEY_LANES) {
        if (rule->real) {
            GI_QUICK(gi_read_rows)(true, flip, n, lines, from, row, special);
            GI_QUICK(gi_sort_float_rows)(rows, row);
        } else {
            GI_QUICK(gi_read_rows)(false, flip, n, lines, from, row, special);
            GI_QUICK(gi_sort_whole_rows)(rows, row);
        }
        GI_QUICK(gi_write_rows)(flip, n, lines, row, to);
    }
}
