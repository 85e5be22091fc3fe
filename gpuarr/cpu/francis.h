/* ---- a double step of the QR method: reflectors of three neighbouring rows and columns ---------------------------------------- */

/* The reflector 1 - (1, v, w)^T (t, tv, tw) that makes (x, y, z) (beta, 0, 0), as v, w, t, tv, tw. Returns beta. */
static GI_INLINE double GI_FIND(gi_francis_reflector)(double x, double y, double z, double *to)
{
    double rest = gi_fma_f64(y, y, z * z), all = gi_fma_f64(x, x, rest), scale = 1;
    if (!(all > 1e-270)) { /* the squares of small numbers would vanish; those of the smallest must not */
        scale = 0x1p600;
        x *= scale;
        y *= scale;
        z *= scale;
        rest = gi_fma_f64(y, y, z * z);
        all  = gi_fma_f64(x, x, rest);
    }
    if (y == 0 && z == 0) {
        for (int i = 0; i < 5; i++) to[i] = 0;
        return x / scale;
    }
    const double size = gi_root_f64(all), beta = x >= 0 ? -size : size, first = x - beta;
    to[0] = y / first;
    to[1] = z / first;
    to[2] = -first / beta;
    to[3] = -y / beta;
    to[4] = -z / beta;
    return beta / scale;
}

/* Rows k to k + 2 of h, for k = l to m - 1, are multiplied by reflectors, of which the first makes `start` (beta, 0, 0) and each one after
   it column k - 1; and the columns of rows k + 1 to k + 3, which the next one needs. Only columns l to m count; rows begin on whole vectors,
   and behind row and column m are two more. The reflectors come to stand 8 numbers apart. */
static void GI_FIND(gi_francis_chase)(double *h, int64_t down, int64_t l, int64_t m, const double *start, double *reflectors)
{
    enum { LANES = GI_ISA_BYTES / 8 };
    for (int64_t k = l; k < m; k++) {
        double    *row = h + k * down, *f = reflectors + (k - l) * 8, *x = row + k - 1;
        const bool last = k + 1 == m;
        double     beta;
        if (k == l) beta = GI_FIND(gi_francis_reflector)(start[0], start[1], start[2], f);
        else beta = GI_FIND(gi_francis_reflector)(x[0], x[down], last ? 0 : x[2 * down], f);
        const GI_V8 v = GI_LV(all)(f[0]), w = GI_LV(all)(f[1]), t = GI_LV(all)(-f[2]), tv = GI_LV(all)(-f[3]),
                    tw = GI_LV(all)(-f[4]);
        for (int64_t j = k / 8 * 8; j <= m; j += LANES) {
            double     *at = row + j;
            const GI_V8 a = GI_LV(load)(at), b = GI_LV(load)(at + down), c = GI_LV(load)(at + 2 * down);
            const GI_V8 sum = GI_LV(fma)(w, c, GI_LV(fma)(v, b, a));
            GI_LV(store)(at, GI_LV(fma)(t, sum, a));
            GI_LV(store)(at + down, GI_LV(fma)(tv, sum, b));
            GI_LV(store)(at + 2 * down, GI_LV(fma)(tw, sum, c));
        }
        if (k > l) {
            x[0]    = beta;
            x[down] = 0;
            if (!last) x[2 * down] = 0;
        }
        GI_UNROLL
        for (int i = 1; i <= 3; i++) {
            double      *at  = row + i * down + k;
            const double sum = gi_fma_f64(f[1], at[2], gi_fma_f64(f[0], at[1], at[0]));
            at[0]            = gi_fma_f64(-f[2], sum, at[0]);
            at[1]            = gi_fma_f64(-f[3], sum, at[1]);
            at[2]            = gi_fma_f64(-f[4], sum, at[2]);
        }
    }
    memset(reflectors + (m - l) * 8, 0, 5 * sizeof *reflectors);
}

#if GI_OPTIMIZED
#define GI_FRANCIS_STEP GI_INLINE
#else
#define GI_FRANCIS_STEP GI_OWN_FRAME
#endif

/* Elements 0 and 1 of lines that are `down` apart, as two vectors; and back. */
static GI_INLINE void GI_FIND(gi_load_two)(const double *x, int64_t down, GI_V8 *two)
{
#ifdef GI_ISA_MM
    GI_JOIN(gi_turn_f64_, GI_ISA)((const char *)x, 8 * down, two);
#else
    for (int r = 0; r < GI_ISA_BYTES / 8; r++) {
        two[0][r] = x[r * down];
        two[1][r] = x[r * down + 1];
    }
#endif
}
static GI_INLINE void GI_FIND(gi_store_two)(double *x, int64_t down, const GI_V8 *two)
{
#if GI_ISA_BYTES == 64
    const __m512d even = _mm512_unpacklo_pd(two[0], two[1]), odd = _mm512_unpackhi_pd(two[0], two[1]);
    _mm_storeu_pd(x, _mm512_castpd512_pd128(even));
    _mm_storeu_pd(x + down, _mm512_castpd512_pd128(odd));
    _mm_storeu_pd(x + 2 * down, _mm512_extractf64x2_pd(even, 1));
    _mm_storeu_pd(x + 3 * down, _mm512_extractf64x2_pd(odd, 1));
    _mm_storeu_pd(x + 4 * down, _mm512_extractf64x2_pd(even, 2));
    _mm_storeu_pd(x + 5 * down, _mm512_extractf64x2_pd(odd, 2));
    _mm_storeu_pd(x + 6 * down, _mm512_extractf64x2_pd(even, 3));
    _mm_storeu_pd(x + 7 * down, _mm512_extractf64x2_pd(odd, 3));
#elif GI_ISA_BYTES == 32
    const __m256d even = _mm256_unpacklo_pd(two[0], two[1]), odd = _mm256_unpackhi_pd(two[0], two[1]);
    _mm_storeu_pd(x, _mm256_castpd256_pd128(even));
    _mm_storeu_pd(x + down, _mm256_castpd256_pd128(odd));
    _mm_storeu_pd(x + 2 * down, _mm256_extractf128_pd(even, 1));
    _mm_storeu_pd(x + 3 * down, _mm256_extractf128_pd(odd, 1));
#else
    for (int r = 0; r < GI_ISA_BYTES / 8; r++) {
        x[r * down]     = two[0][r];
        x[r * down + 1] = two[1][r];
    }
#endif
}

/* x, y, z -= the product of (x, y, z) and (1, v, w), times t, tv, tw; `on`: 1, or 0 in lanes that stay what they are. */
static GI_FRANCIS_STEP void GI_FIND(gi_francis_reflect)(const double *f, const bool some, const double *on, GI_V8 *x, GI_V8 *y,
                                                        GI_V8 *z)
{
    GI_V8 sum = GI_LV(fma)(GI_LV(all)(f[1]), *z, GI_LV(fma)(GI_LV(all)(f[0]), *y, *x));
    if (some) sum = sum * GI_LV(load)(on);
    *x = GI_LV(fma)(GI_LV(all)(-f[2]), sum, *x);
    *y = GI_LV(fma)(GI_LV(all)(-f[3]), sum, *y);
    *z = GI_LV(fma)(GI_LV(all)(-f[4]), sum, *z);
}

/* Columns 0 to 2 and then 1 to 3 of two vectors of rows are multiplied by two reflectors; x and y: columns 0 and 1, and then 2 and 3. */
static GI_FRANCIS_STEP void GI_FIND(gi_francis_two)(const bool some, double *at, int64_t down, const double *f,
                                                    const double *on, GI_V8 *x, GI_V8 *y)
{
    enum { LANES = GI_ISA_BYTES / 8 };
    GI_UNROLL
    for (int v = 0; v < 2; v++) {
        GI_V8 ahead[2], done[2];
        GI_FIND(gi_load_two)(at + 2 + v * LANES * down, down, ahead);
        GI_FIND(gi_francis_reflect)(f, some, on + v * LANES, &x[v], &y[v], &ahead[0]);
        done[0] = x[v];
        done[1] = y[v];
        GI_FIND(gi_francis_reflect)(f + 8, some, on + v * LANES - 1, &done[1], &ahead[0], &ahead[1]);
        GI_FIND(gi_store_two)(at + v * LANES * down, down, done);
        x[v] = ahead[0];
        y[v] = ahead[1];
    }
}

/* Columns k to k + 2 of two vectors of rows are multiplied by reflector k, of `count` and perhaps one behind them that changes nothing; but
   not those of the rows behind k. at: column 0 of row 0; `before`: the first of the rows. */
static GI_FRANCIS_STEP void GI_FIND(gi_francis_strip)(double *at, int64_t down, int64_t before, int64_t count, const double *f)
{
    enum { LANES = GI_ISA_BYTES / 8, ROWS = GI_FRANCIS_ROWS };
    static const double on[2 * ROWS] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
    GI_V8               x[2], y[2], two[2];
    int64_t             k = 0;
    at += before * down;
    GI_UNROLL
    for (int v = 0; v < 2; v++) {
        GI_FIND(gi_load_two)(at + v * LANES * down, down, two);
        x[v] = two[0];
        y[v] = two[1];
    }
    for (; k < count && k < ROWS; k += 2, at += 2, f += 16)
        GI_FIND(gi_francis_two)(true, at, down, f, on + ROWS - 1 - k + before, x, y);
    for (; k < count; k += 2, at += 2, f += 16) GI_FIND(gi_francis_two)(false, at, down, f, on, x, y);
    GI_UNROLL
    for (int v = 0; v < 2; v++) {
        two[0] = x[v];
        two[1] = y[v];
        GI_FIND(gi_store_two)(at + v * LANES * down, down, two);
    }
}

/* Columns k to k + 2 of the rows up to k are multiplied by reflector k, as gi_francis_chase has done with those behind k: of strips of
   GI_FRANCIS_ROWS rows, from row l on. */
static void GI_FIND(gi_francis_columns)(double *h, int64_t down, int64_t l, int64_t m, int64_t begin, int64_t end,
                                        const double *reflectors)
{
    for (int64_t s = begin; s < end; s++)
        for (int64_t before = 0, first = s * GI_FRANCIS_ROWS; before < GI_FRANCIS_ROWS; before += 2 * (GI_ISA_BYTES / 8))
            if (l + first + before < m)
                GI_FIND(gi_francis_strip)(h + (l + first) * (down + 1), down, before, m - l - first, reflectors + first * 8);
}
#undef GI_FRANCIS_STEP
