/* ---- linear algebra: what its algorithms do with rows of float64 ----------------------------------------------------------- */
#define GI_V8       GI_JOIN(gi_vector_f64_, GI_ISA)
#define GI_LV(name) GI_JOIN(GI_JOIN(gi_v, name), GI_JOIN(_f64_, GI_ISA))

/* out[j] += the sum over r of a[r] * b[r][j], in the order of r, each product fused into it. Rows are so many elements apart. */
static void GI_FIND(gi_linear_add)(int64_t inner, int64_t n, const double *a, int64_t a_step, const double *b, int64_t b_row,
                                   double *out)
{
    if (n == 1) { /* no vector that would wait for what was just written */
        double sum = *out;
        for (; inner > 0; inner--, a += a_step, b += b_row) sum = gi_fma_f64(*a, *b, sum);
        *out = sum;
        return;
    }
#define GI_ADD_ROWS(rows)                                                                                                      \
    for (; inner >= rows; inner -= rows, a += rows * a_step, b += rows * b_row)                                                \
    GI_JOIN(gi_row_of_f64_, GI_ISA)(rows, n, (const char *)a, 8 * a_step, (const char *)b, 8 * b_row, out, true)
    GI_ADD_ROWS(8);
    GI_ADD_ROWS(2);
    GI_ADD_ROWS(1);
#undef GI_ADD_ROWS
}

/* Fewer than eight elements, and zeros behind them. */
static GI_INLINE void GI_FIND(gi_load_some)(int64_t n, const double *x, GI_V8 *to)
{
#if GI_ISA_BYTES == 64
    *to = _mm512_maskz_loadu_pd((__mmask8)((1u << n) - 1), x);
#else
    double some[8] = { 0 };
    for (int64_t k = 0; k < n; k++) some[k] = x[k];
    memcpy(to, some, sizeof some);
#endif
}

/* Eight sums, which are folded by halves. */
static GI_INLINE double GI_FIND(gi_sum_of_eight)(double *sum)
{
    for (int half = 4; half > 0; half /= 2)
        for (int k = 0; k < half; k++) sum[k] += sum[k + half];
    return *sum;
}

/* The sum of x[i] * y[i]: of groups of eight, each product in one of 32 sums, that are folded by halves; to the last eight those of the
   rest are added. */
static double GI_FIND(gi_linear_dot)(int64_t n, const double *x, const double *y)
{
    enum { LANES = GI_ISA_BYTES / 8, VECTORS = 32 / LANES, GROUP = 8 / LANES };
    GI_V8   sums[VECTORS] = { { 0 } }, a, b, u[GROUP], w[GROUP];
    double  sum[8];
    int64_t i = 0;
    for (; i + 32 <= n; i += 32) {
        GI_UNROLL
        for (int v = 0; v < VECTORS; v++) {
            memcpy(&a, x + i + v * LANES, sizeof a);
            memcpy(&b, y + i + v * LANES, sizeof b);
            sums[v] += a * b;
        }
    }
    GI_UNROLL
    for (int g = 0; g < VECTORS - GROUP; g += GROUP) {
        if (i + 8 > n) break;
        GI_UNROLL
        for (int v = 0; v < GROUP; v++, i += LANES) {
            memcpy(&a, x + i, sizeof a);
            memcpy(&b, y + i, sizeof b);
            sums[g + v] += a * b;
        }
    }
    GI_UNROLL
    for (int v = 0; v < VECTORS / 2; v++) sums[v] += sums[v + VECTORS / 2];
    GI_UNROLL
    for (int v = 0; v < VECTORS / 4; v++) sums[v] += sums[v + VECTORS / 4];
    if (i < n) {
        GI_FIND(gi_load_some)(n - i, x + i, u);
        GI_FIND(gi_load_some)(n - i, y + i, w);
        GI_UNROLL
        for (int v = 0; v < GROUP; v++) sums[v] += u[v] * w[v];
    }
    memcpy(sum, sums, sizeof sum);
    return GI_FIND(gi_sum_of_eight)(sum);
}

/* gi_linear_dots of a few rows: eight sums of each, that are folded by halves. */
static GI_INLINE void GI_FIND(gi_dots_of)(const int rows, int64_t n, const double *a, int64_t down, const double *x, double *to)
{
    enum { LANES = GI_ISA_BYTES / 8, VECTORS = 8 / LANES, MOST = 4 };
    GI_V8   sums[MOST][VECTORS] = { { { 0 } } }, b[VECTORS], u[VECTORS];
    double  sum[MOST][8];
    int64_t j = 0;
    for (; j + 8 <= n; j += 8) {
        GI_UNROLL
        for (int v = 0; v < VECTORS; v++) {
            memcpy(&u[v], x + j + v * LANES, sizeof *u);
            GI_UNROLL
            for (int r = 0; r < rows; r++) {
                memcpy(&b[v], a + r * down + j + v * LANES, sizeof *b);
                sums[r][v] += b[v] * u[v];
            }
        }
    }
    if (j < n) {
        GI_FIND(gi_load_some)(n - j, x + j, u);
        GI_UNROLL
        for (int r = 0; r < rows; r++) {
            GI_FIND(gi_load_some)(n - j, a + r * down + j, b);
            GI_UNROLL
            for (int v = 0; v < VECTORS; v++) sums[r][v] += b[v] * u[v];
        }
    }
    memcpy(sum, sums, sizeof sum);
    for (int r = 0; r < rows; r++) to[r] = GI_FIND(gi_sum_of_eight)(sum[r]);
}

static void GI_FIND(gi_linear_dots)(int64_t rows, int64_t n, const double *a, int64_t down, const double *x, double *to)
{
    for (; rows >= 4; rows -= 4, a += 4 * down, to += 4) GI_FIND(gi_dots_of)(4, n, a, down, x, to);
    for (; rows > 0; rows--, a += down, to++) GI_FIND(gi_dots_of)(1, n, a, down, x, to);
}

/* Of each row: x[r] becomes tau * (x[r] + its product with v), u[r] loses that, and y gains u[r] times the row, which is near by then. */
static GI_INLINE void GI_FIND(gi_pass_of)(const int rows, int64_t n, const double *a, int64_t down, const double *v, double tau,
                                          double *x, double *u, double *y)
{
    double products[4];
    GI_FIND(gi_dots_of)(rows, n, a, down, v, products);
    for (int r = 0; r < rows; r++) {
        x[r] = tau * (x[r] + products[r]);
        u[r] -= x[r];
    }
    GI_JOIN(gi_row_of_f64_, GI_ISA)(rows, n, (const char *)u, 8, (const char *)a, 8 * down, y, true);
}

static void GI_FIND(gi_linear_pass)(int64_t rows, int64_t n, const double *a, int64_t down, const double *v, double tau,
                                    double *x, double *u, double *y)
{
    for (; rows >= 4; rows -= 4, a += 4 * down, x += 4, u += 4) GI_FIND(gi_pass_of)(4, n, a, down, v, tau, x, u, y);
    for (; rows > 0; rows--, a += down, x++, u++) GI_FIND(gi_pass_of)(1, n, a, down, v, tau, x, u, y);
}

/* gi_linear_turn of vectors that lie side by side, as many as stay in registers. */
static GI_INLINE void GI_FIND(gi_turn_vectors)(const int sweeps, const int vectors, int64_t count,
                                               const double *const *rotations, double *row, int64_t next)
{
    enum { LANES = GI_ISA_BYTES / 8 };
    GI_V8 x[GI_SWEEPS_TOGETHER][4], y[4], r;
    GI_UNROLL
    for (int k = 0; k < sweeps; k++) {
        GI_UNROLL
        for (int v = 0; v < vectors; v++) memcpy(&x[k][v], row - k * next + v * LANES, sizeof r);
    }
    for (int64_t i = 0; i < count; i++) {
        row += next;
        GI_UNROLL
        for (int v = 0; v < vectors; v++) memcpy(&y[v], row + v * LANES, sizeof r);
        GI_UNROLL
        for (int k = 0; k < sweeps; k++) { /* what one has done with a row is what the next one finds there */
            const double c = rotations[k][2 * i], s = rotations[k][2 * i + 1];
            GI_UNROLL
            for (int v = 0; v < vectors; v++) {
                r       = c * x[k][v] + s * y[v];
                x[k][v] = c * y[v] - s * x[k][v];
                y[v]    = r;
            }
        }
        GI_UNROLL
        for (int v = 0; v < vectors; v++) memcpy(row - sweeps * next + v * LANES, &y[v], sizeof r);
    }
    GI_UNROLL
    for (int k = 0; k < sweeps; k++) {
        GI_UNROLL
        for (int v = 0; v < vectors; v++) memcpy(row - k * next + v * LANES, &x[k][v], sizeof r);
    }
}

/* Of two rows, the second `next` elements behind the first, x and y become c * x + s * y and c * y - s * x; then the same of the second and the
   one behind it: `count` rotations {c, s}. n is a multiple of 8. */
static void GI_FIND(gi_linear_turn)(int64_t count, int64_t n, const double *rotations, double *rows, int64_t next)
{
    enum { LANES = GI_ISA_BYTES / 8 };
    int64_t j = 0;
    for (; j + 4 * LANES <= n; j += 4 * LANES) GI_FIND(gi_turn_vectors)(1, 4, count, &rotations, rows + j, next);
    for (; j < n; j += LANES) GI_FIND(gi_turn_vectors)(1, 1, count, &rotations, rows + j, next);
}

/* The same of GI_SWEEPS_TOGETHER sweeps: each begins, and stays, one row before the one that precedes it. */
static void GI_FIND(gi_linear_turn_together)(int64_t count, int64_t n, const double *const *rotations, double *rows,
                                             int64_t next)
{
    enum { LANES = GI_ISA_BYTES / 8, WIDE = LANES == 8 ? 4 : 2 }; /* as many as there are registers for */
    int64_t j = 0;
    for (; j + WIDE * LANES <= n; j += WIDE * LANES)
        GI_FIND(gi_turn_vectors)(GI_SWEEPS_TOGETHER, WIDE, count, rotations, rows + j, next);
    for (; j < n; j += LANES) GI_FIND(gi_turn_vectors)(GI_SWEEPS_TOGETHER, 1, count, rotations, rows + j, next);
}

/* gi_mirror_rows of the columns `from` to `to` of eight. */
static GI_INLINE void GI_FIND(gi_mirror_some)(const int rows, int from, int to, const double *a, int64_t down, const double *x,
                                              const double *by, double *y, double (*sum)[8])
{
#if GI_ISA_BYTES == 64
    const __mmask8 some = (__mmask8)((1u << to) - (1u << from));
    const __m512d  u    = _mm512_maskz_loadu_pd(some, x);
    __m512d        all  = _mm512_maskz_loadu_pd(some, y);
    GI_UNROLL
    for (int r = 0; r < rows; r++) {
        const __m512d b = _mm512_maskz_loadu_pd(some, a + r * down);
        _mm512_storeu_pd(sum[r], _mm512_fmadd_pd(b, u, _mm512_loadu_pd(sum[r])));
        all = _mm512_fmadd_pd(_mm512_set1_pd(by[r]), b, all);
    }
    _mm512_mask_storeu_pd(y, some, all);
#else
    for (int k = from; k < to; k++)
        for (int r = 0; r < rows; r++) {
            sum[r][k] = gi_fma_f64(a[r * down + k], x[k], sum[r][k]);
            y[k]      = gi_fma_f64(by[r], a[r * down + k], y[k]);
        }
#endif
}

/* gi_linear_mirror of a few rows, which lie in registers: eight sums of each, that are then folded by halves. `half`: the first columns
   behind the rows are half of eight. Eight rows are two times four, the first of which has four columns more. */
static GI_INLINE void GI_FIND(gi_mirror_rows)(const int rows, bool half, int64_t n, const double *a, int64_t down,
                                              const double *x, double own, double beside, double *y)
{
    enum { LANES = GI_ISA_BYTES / 8, VECTORS = 8 / LANES, MOST = 8 };
    GI_V8   sums[MOST][VECTORS], b, u, to;
    double  sum[MOST][8] = { { 0 } }, by[MOST];
    int64_t j            = rows;
    GI_UNROLL
    for (int r = 0; r < rows; r++) by[r] = beside * x[r];
    if (half && n >= 8) {
        GI_FIND(gi_mirror_some)(rows < 4 ? rows : 4, 4, 8, a, down, x, by, y, sum);
        j = 8;
    }
    memcpy(sums, sum, sizeof sums);
    for (; j + 8 <= n; j += 8) {
        GI_UNROLL
        for (int v = 0; v < VECTORS; v++) {
            memcpy(&u, x + j + v * LANES, sizeof u);
            memcpy(&to, y + j + v * LANES, sizeof to);
            GI_UNROLL
            for (int r = 0; r < rows; r++) {
                memcpy(&b, a + r * down + j + v * LANES, sizeof b);
                sums[r][v] = GI_LV(fma)(b, u, sums[r][v]);
                to         = GI_LV(fma)(GI_LV(all)(by[r]), b, to);
            }
            memcpy(y + j + v * LANES, &to, sizeof to);
        }
    }
    memcpy(sum, sums, sizeof sum);
    if (j < n) GI_FIND(gi_mirror_some)(rows, 0, (int)(n - j), a + j, down, x + j, by, y + j, sum);
    for (int r = 0; r < rows; r++) {
        sum[r][0] = GI_FIND(gi_sum_of_eight)(sum[r]) + a[r * down + r] * x[r];
        for (int k = r + 1; k < rows && k % 4 > 0; k++) {
            sum[r][0] += a[r * down + k] * x[k];
            y[k] += by[r] * a[r * down + k];
        }
        y[r] += own * sum[r][0];
    }
}

/* Of a matrix whose rows are known from the diagonal on, and mirrored with the sign `own * beside`, some rows: y += the product of what
   they say and x. n: the elements of the first row from its diagonal on, which is in `column`; a, x and y begin there. */
static void GI_FIND(gi_linear_mirror)(int64_t rows, int64_t n, int64_t column, const double *a, int64_t down, const double *x,
                                      double own, double beside, double *y)
{
    while (rows > 0) { /* eights of columns that are whole cache lines, if the rows are */
        const bool    eight = GI_ISA_BYTES == 64 && rows >= 8 && n >= 16 && column % 8 == 0; /* there are registers for them */
        const int64_t some  = eight ? 8 : rows >= 4 && column % 4 == 0 ? 4 : 1;
        if (eight) GI_FIND(gi_mirror_rows)(8, true, n, a, down, x, own, beside, y);
        else if (some == 4) GI_FIND(gi_mirror_rows)(4, column % 8 == 0, n, a, down, x, own, beside, y);
        else GI_FIND(gi_mirror_rows)(1, false, n, a, down, x, own, beside, y);
        rows -= some;
        n -= some;
        column += some;
        a += some * (down + 1);
        x += some;
        y += some;
    }
}

/* gi_linear_update of a few rows: eight sums of each, that are then folded by halves. */
static GI_INLINE void GI_FIND(gi_update_rows)(const int rows, int64_t n, double *a, int64_t down, const double *by,
                                              const double *by_other, const double *const *w, const double *x, double *to)
{
    enum { LANES = GI_ISA_BYTES / 8, VECTORS = 8 / LANES, MOST = 4 };
    GI_V8  sums[MOST][VECTORS] = { { { 0 } } }, row, first, second, u;
    double sum[MOST][8];
    for (int64_t j = 0; j < n; j += 8) {
        GI_UNROLL
        for (int v = 0; v < VECTORS; v++) {
            const int64_t at = j + v * LANES;
            memcpy(&first, w[0] + at, sizeof first);
            memcpy(&second, w[1] + at, sizeof second);
            memcpy(&u, x + at, sizeof u);
            GI_UNROLL
            for (int r = 0; r < rows; r++) {
                memcpy(&row, a + r * down + at, sizeof row);
                row = GI_LV(fma)(GI_LV(all)(-by[r]), first, row);
                row = GI_LV(fma)(GI_LV(all)(-by_other[r]), second, row);
                memcpy(a + r * down + at, &row, sizeof row);
                sums[r][v] = GI_LV(fma)(row, u, sums[r][v]);
            }
        }
    }
    memcpy(sum, sums, sizeof sum);
    for (int r = 0; r < rows; r++) {
        to[r] = GI_FIND(gi_sum_of_eight)(sum[r]);
    }
}

static void GI_FIND(gi_linear_update)(int64_t rows, int64_t n, double *a, int64_t down, const double *const *by,
                                      const double *const *w, const double *x, double *to)
{
    int64_t r = 0;
    for (; r + 4 <= rows; r += 4) GI_FIND(gi_update_rows)(4, n, a + r * down, down, by[0] + r, by[1] + r, w, x, to + r);
    for (; r < rows; r++) GI_FIND(gi_update_rows)(1, n, a + r * down, down, by[0] + r, by[1] + r, w, x, to + r);
}

/* gi_linear_reflect of a few rows: eight sums of each, that are then folded by halves. */
static GI_INLINE void GI_FIND(gi_reflect_rows)(const int rows, int64_t n, double *a, int64_t down, const double *u,
                                               const double *w, const double *x, double tau)
{
    enum { LANES = GI_ISA_BYTES / 8, VECTORS = 8 / LANES, MOST = 4 };
    GI_V8  sums[MOST][VECTORS] = { { { 0 } } }, row, first, second;
    double sum[MOST][8];
    for (int64_t j = 0; j < n; j += 8) {
        GI_UNROLL
        for (int v = 0; v < VECTORS; v++) {
            const int64_t at = j + v * LANES;
            memcpy(&first, w + at, sizeof first);
            memcpy(&second, x + at, sizeof second);
            GI_UNROLL
            for (int r = 0; r < rows; r++) {
                memcpy(&row, a + r * down + at, sizeof row);
                row = GI_LV(fma)(GI_LV(all)(-u[r]), first, row);
                memcpy(a + r * down + at, &row, sizeof row);
                sums[r][v] = GI_LV(fma)(row, second, sums[r][v]);
            }
        }
    }
    memcpy(sum, sums, sizeof sum);
    for (int r = 0; r < rows; r++) {
        sum[r][0] = -tau * GI_FIND(gi_sum_of_eight)(sum[r]);
    }
    for (int64_t j = 0; j < n; j += LANES) {
        memcpy(&second, x + j, sizeof second);
        GI_UNROLL
        for (int r = 0; r < rows; r++) {
            memcpy(&row, a + r * down + j, sizeof row);
            row = GI_LV(fma)(GI_LV(all)(sum[r][0]), second, row);
            memcpy(a + r * down + j, &row, sizeof row);
        }
    }
}

static void GI_FIND(gi_linear_reflect)(int64_t rows, int64_t n, double *a, int64_t down, const double *u, const double *w,
                                       const double *x, double tau)
{
    for (; rows >= 4; rows -= 4, a += 4 * down, u += 4) GI_FIND(gi_reflect_rows)(4, n, a, down, u, w, x, tau);
    for (; rows > 0; rows--, a += down, u++) GI_FIND(gi_reflect_rows)(1, n, a, down, u, w, x, tau);
}

typedef GI_JOIN(gi_vector_bits_f64_, GI_ISA) GI_FIND(gi_linear_mask);

static GI_INLINE GI_V8 GI_FIND(gi_linear_choose)(GI_FIND(gi_linear_mask) chosen, GI_V8 x, GI_V8 y)
{
    return (GI_V8)((chosen & (GI_FIND(gi_linear_mask))x) | (~chosen & (GI_FIND(gi_linear_mask))y));
}

/* The larger of two sizes, or NaN, lane by lane: their bits are in the order of the sizes, those of NaN behind all others. */
static GI_INLINE GI_V8 GI_FIND(gi_larger_size)(GI_V8 x, GI_V8 y)
{
    return GI_FIND(gi_linear_choose)((GI_FIND(gi_linear_mask))x > (GI_FIND(gi_linear_mask))y, x, y);
}

/* The largest of n sizes, or NaN if there is one. */
static double GI_FIND(gi_linear_largest)(int64_t n, const double *x)
{
    enum { LANES = GI_ISA_BYTES / 8, CHAINS = 4 };
    GI_V8    top[CHAINS] = { { 0 } };
    uint64_t lanes[LANES], largest = 0;
    int64_t  i = 0;
    for (; i + CHAINS * LANES <= n; i += CHAINS * LANES) {
        GI_UNROLL
        for (int k = 0; k < CHAINS; k++) top[k] = GI_FIND(gi_larger_size)(GI_LV(abs)(GI_LV(load)(x + i + k * LANES)), top[k]);
    }
    if (i > 0) {
        top[0] = GI_FIND(gi_larger_size)(GI_FIND(gi_larger_size)(top[0], top[1]), GI_FIND(gi_larger_size)(top[2], top[3]));
        memcpy(lanes, top, sizeof lanes);
        for (int k = 0; k < LANES; k++) largest = lanes[k] > largest ? lanes[k] : largest;
    }
    for (; i < n; i++) {
        const uint64_t bits = gi_bits_f64(gi_abs_f64(x[i]));
        largest             = bits > largest ? bits : largest;
    }
    return gi_from_bits_f64(largest);
}

/* ---- the LU decomposition of columns that are near ------------------------------------------------------------------------- */

/* x[i] -= by[k] * l[i] of some columns, n elements each, by[0] and the columns being `down` apart. */
static GI_INLINE void GI_FIND(gi_less_columns)(const int columns, int64_t n, const double *l, const double *by, double *x,
                                               int64_t down)
{
    enum { LANES = GI_ISA_BYTES / 8 };
    double  factor[4];
    int64_t i = 0;
    GI_UNROLL
    for (int k = 0; k < columns; k++) factor[k] = -by[k * down];
    for (; i + LANES <= n; i += LANES) {
        const GI_V8 v = GI_LV(load)(l + i);
        GI_UNROLL
        for (int k = 0; k < columns; k++)
            GI_LV(store)(x + k * down + i, GI_LV(fma)(GI_LV(all)(factor[k]), v, GI_LV(load)(x + k * down + i)));
    }
#if GI_ISA_BYTES == 64
    if (i == n) return;
    const __mmask8 some = (__mmask8)((1u << (n - i)) - 1);
    const __m512d  v    = _mm512_maskz_loadu_pd(some, l + i);
    GI_UNROLL
    for (int k = 0; k < columns; k++) {
        double *to = x + k * down + i;
        _mm512_mask_storeu_pd(to, some, _mm512_fmadd_pd(_mm512_set1_pd(factor[k]), v, _mm512_maskz_loadu_pd(some, to)));
    }
#else
    for (; i < n; i++)
        for (int k = 0; k < columns; k++) x[k * down + i] = gi_fma_f64(factor[k], l[i], x[k * down + i]);
#endif
}

/* Where the largest of n sizes is, which is *most; the first one if there are several. (*most = -1: NaN alone.) */
static GI_INLINE int64_t GI_FIND(gi_largest_size)(int64_t n, const double *x, double *most)
{
    enum { LANES = GI_ISA_BYTES / 8 };
    GI_V8   top = GI_LV(all)(-1);
    double  lanes[LANES];
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        const GI_V8 size = GI_LV(abs)(GI_LV(load)(x + i));
        top              = GI_FIND(gi_linear_choose)((GI_FIND(gi_linear_mask))(size > top), size, top);
    }
    GI_LV(store)(lanes, top);
    *most = -1;
    for (int k = 0; k < LANES; k++) *most = lanes[k] > *most ? lanes[k] : *most;
    for (; i < n; i++) *most = gi_abs_f64(x[i]) > *most ? gi_abs_f64(x[i]) : *most;
    for (i = 0; i < n; i++)
        if (gi_abs_f64(x[i]) == *most) return i;
    return 0;
}

/* Decomposes n columns of m elements, `down` apart: each that is done is taken from those behind it. False: a pivot is 0. */
static bool GI_FIND(gi_linear_columns)(int64_t n, int64_t m, double *a, int64_t down, int32_t *pivots)
{
    bool regular = true;
    for (int64_t c = 0; c < n && c < m; c++) {
        double       *l     = a + c * down, most;
        const int64_t pivot = c + GI_FIND(gi_largest_size)(m - c, l + c, &most);
        int64_t       k     = c + 1;
        pivots[c]           = (int32_t)pivot;
        for (int64_t j = 0; j < n && pivot != c; j++) {
            double *column = a + j * down, t = column[c];
            column[c]     = column[pivot];
            column[pivot] = t;
        }
        regular = regular && most != 0;
        for (int64_t i = c + 1; i < m && most != 0; i++) l[i] = l[i] / l[c];
        l += c + 1;
        for (; k + 4 <= n; k += 4) GI_FIND(gi_less_columns)(4, m - c - 1, l, a + k * down + c, a + k * down + c + 1, down);
        for (; k < n; k++) GI_FIND(gi_less_columns)(1, m - c - 1, l, a + k * down + c, a + k * down + c + 1, down);
    }
    return regular;
}

/* ---- rotations of complex rows and columns, real and imaginary parts apart -------------------------------------------------- */

/* Rows x and y become c x + s y and c y - conj(s) x. */
static void GI_FIND(gi_linear_rotate_rows)(int64_t n, double *x, double *y, int64_t imag, double c, ga_c128 s)
{
    enum { LANES = GI_ISA_BYTES / 8 };
    int64_t j = 0;
    for (; j + LANES <= n; j += LANES) {
        const GI_V8 xr = GI_LV(load)(x + j), xi = GI_LV(load)(x + imag + j);
        const GI_V8 yr = GI_LV(load)(y + j), yi = GI_LV(load)(y + imag + j);
        GI_LV(store)(x + j, c * xr + (s.re * yr - s.im * yi));
        GI_LV(store)(x + imag + j, c * xi + (s.re * yi + s.im * yr));
        GI_LV(store)(y + j, c * yr - (s.re * xr + s.im * xi));
        GI_LV(store)(y + imag + j, c * yi - (s.re * xi - s.im * xr));
    }
    for (; j < n; j++) {
        const double xr = x[j], xi = x[imag + j], yr = y[j], yi = y[imag + j];
        x[j]        = c * xr + (s.re * yr - s.im * yi);
        x[imag + j] = c * xi + (s.re * yi + s.im * yr);
        y[j]        = c * yr - (s.re * xr + s.im * xi);
        y[imag + j] = c * yi - (s.re * xi - s.im * xr);
    }
}

/* A vector of what lies in a column of rows; `next`: where the rows are. */
static GI_INLINE GI_V8 GI_FIND(gi_load_down)(const double *x, const int64_t *next)
{
#if GI_ISA_BYTES == 64
    const GI_V8 v = { x[next[0]], x[next[1]], x[next[2]], x[next[3]], x[next[4]], x[next[5]], x[next[6]], x[next[7]] };
#elif GI_ISA_BYTES == 32
    const GI_V8 v = { x[next[0]], x[next[1]], x[next[2]], x[next[3]] };
#else
    const GI_V8 v = { x[next[0]], x[next[1]] };
#endif
    return v;
}

static GI_INLINE void GI_FIND(gi_store_down)(double *x, const int64_t *next, GI_V8 v)
{
    GI_UNROLL
    for (int r = 0; r < GI_ISA_BYTES / 8; r++) x[next[r]] = v[r];
}

/* Of up to GI_SCHUR_ROWS rows, columns 0 and 1, then 1 and 2 ... become c x + conj(s) y and c y - s x: `count` rotations. */
static void GI_FIND(gi_linear_rotate_columns)(int rows, int64_t count, double *a, int64_t down, int64_t imag,
                                              const double *cosines, const ga_c128 *sines)
{
    enum { LANES = GI_ISA_BYTES / 8, VECTORS = GI_SCHUR_ROWS / LANES };
    GI_V8   xr[VECTORS], xi[VECTORS];
    int64_t next[GI_SCHUR_ROWS];
    for (int r = 0; r < GI_SCHUR_ROWS; r++)
        next[r] = (r < rows ? r : rows - 1) * down; /* what is missing is the last one, again and again */
    GI_UNROLL
    for (int v = 0; v < VECTORS; v++) {
        xr[v] = GI_FIND(gi_load_down)(a, next + v * LANES);
        xi[v] = GI_FIND(gi_load_down)(a + imag, next + v * LANES);
    }
    for (int64_t k = 0; k < count; k++, a++) {
        const double  c = cosines[k];
        const ga_c128 t = sines[k];
        GI_UNROLL
        for (int v = 0; v < VECTORS; v++) {
            const int64_t *at = next + v * LANES;
            const GI_V8    yr = GI_FIND(gi_load_down)(a + 1, at), yi = GI_FIND(gi_load_down)(a + imag + 1, at);
            GI_FIND(gi_store_down)(a, at, c * xr[v] + (t.re * yr + t.im * yi));
            GI_FIND(gi_store_down)(a + imag, at, c * xi[v] + (t.re * yi - t.im * yr));
            const GI_V8 re = c * yr - (t.re * xr[v] - t.im * xi[v]);
            xi[v]          = c * yi - (t.re * xi[v] + t.im * xr[v]);
            xr[v]          = re;
        }
    }
    GI_UNROLL
    for (int v = 0; v < VECTORS; v++) {
        GI_FIND(gi_store_down)(a, next + v * LANES, xr[v]);
        GI_FIND(gi_store_down)(a + imag, next + v * LANES, xi[v]);
    }
}

#include "francis.h"

/* ---- small matrices, GI_LINEAR_LANES at once: the same operations on each element as for one of them ------------------------ */
#define GI_LANE_AT(a, row, column) ((a) + ((row)*n + (column)) * GI_LINEAR_LANES)
/* Finds the pivots of column c of one vector of matrices, and brings their rows to row c. Returns the size of the pivots. */
static GI_INLINE GI_V8 GI_FIND(gi_linear_pivot)(int64_t n, int64_t c, double *a, double *pivots)
{
    GI_V8 most = GI_LV(all)(-1), row = GI_LV(all)((double)c);
    for (int64_t i = c; i < n; i++) {
        const GI_V8 size                   = GI_LV(abs)(GI_LV(load)(GI_LANE_AT(a, i, c)));
        const GI_FIND(gi_linear_mask) more = (GI_FIND(gi_linear_mask))(size > most);
        most                               = GI_FIND(gi_linear_choose)(more, size, most);
        row                                = GI_FIND(gi_linear_choose)(more, GI_LV(all)((double)i), row);
    }
    GI_LV(store)(pivots + c * GI_LINEAR_LANES, row);
    for (int64_t i = c + 1; i < n; i++) {
        const GI_FIND(gi_linear_mask) swap = (GI_FIND(gi_linear_mask))(row == GI_LV(all)((double)i));
        for (int64_t k = 0; k < n; k++) {
            const GI_V8 x = GI_LV(load)(GI_LANE_AT(a, c, k)), y = GI_LV(load)(GI_LANE_AT(a, i, k));
            GI_LV(store)(GI_LANE_AT(a, c, k), GI_FIND(gi_linear_choose)(swap, y, x));
            GI_LV(store)(GI_LANE_AT(a, i, k), GI_FIND(gi_linear_choose)(swap, x, y));
        }
    }
    return most;
}

/* a becomes L and U; pivots: the row that was swapped with row c; regular: 0 where a pivot is 0, else 1. */
static void GI_FIND(gi_linear_lu)(int64_t n, double *a, double *pivots, double *regular)
{
    for (int v = 0; v < GI_LINEAR_LANES; v += GI_ISA_BYTES / 8, a += GI_ISA_BYTES / 8, pivots += GI_ISA_BYTES / 8) {
        const GI_V8 one = GI_LV(all)(1), zero = { 0 };
        GI_V8       sound = one;
        for (int64_t c = 0; c < n; c++) {
            const GI_FIND(gi_linear_mask) none = (GI_FIND(gi_linear_mask))(GI_FIND(gi_linear_pivot)(n, c, a, pivots) == zero);
            const GI_V8 pivot                  = GI_FIND(gi_linear_choose)(none, one, GI_LV(load)(GI_LANE_AT(a, c, c)));
            sound                              = GI_FIND(gi_linear_choose)(none, zero, sound);
            for (int64_t i = c + 1; i < n; i++) {
                const GI_V8 x = GI_LV(load)(GI_LANE_AT(a, i, c)) / pivot;
                GI_LV(store)(GI_LANE_AT(a, i, c), x);
                for (int64_t k = c + 1; k < n; k++) GI_LV(store)
                (GI_LANE_AT(a, i, k), GI_LV(fma)(-GI_LV(load)(GI_LANE_AT(a, c, k)), x, GI_LV(load)(GI_LANE_AT(a, i, k))));
            }
        }
        GI_LV(store)(regular + v, sound);
    }
}

/* b becomes what solves L U x = b, its rows being swapped. */
static void GI_FIND(gi_linear_solve)(int64_t n, int64_t columns, const double *a, double *b)
{
    for (int v = 0; v < GI_LINEAR_LANES; v += GI_ISA_BYTES / 8, a += GI_ISA_BYTES / 8, b += GI_ISA_BYTES / 8)
        for (int64_t k = 0; k < 2 * n; k++) {
            const bool    upper = k >= n;
            const int64_t i = upper ? 2 * n - 1 - k : k, from = upper ? i + 1 : 0, to = upper ? n : i;
            const GI_V8   pivot = upper ? GI_LV(load)(GI_LANE_AT(a, i, i)) : GI_LV(all)(1);
            for (int64_t j = 0; j < columns; j++) {
                GI_V8 x = GI_LV(load)(b + (i * columns + j) * GI_LINEAR_LANES);
                for (int64_t r = from; r < to; r++)
                    x = GI_LV(fma)(-GI_LV(load)(GI_LANE_AT(a, i, r)), GI_LV(load)(b + (r * columns + j) * GI_LINEAR_LANES), x);
                GI_LV(store)(b + (i * columns + j) * GI_LINEAR_LANES, upper ? x / pivot : x);
            }
        }
}

/* The lower triangle becomes that of the decomposition, the rest 0; regular: 0 where a matrix is not positive definite, else 1. */
static void GI_FIND(gi_linear_cholesky)(int64_t n, double *a, double *regular)
{
    for (int v = 0; v < GI_LINEAR_LANES; v += GI_ISA_BYTES / 8, a += GI_ISA_BYTES / 8) {
        const GI_V8 one = GI_LV(all)(1), zero = { 0 };
        GI_V8       sound = one;
        for (int64_t c = 0; c < n; c++) {
            GI_V8 root = one;
            for (int64_t i = c; i < n; i++) {
                GI_V8 x = GI_LV(load)(GI_LANE_AT(a, i, c));
                for (int64_t r = 0; r < c; r++)
                    x = GI_LV(fma)(-GI_LV(load)(GI_LANE_AT(a, c, r)), GI_LV(load)(GI_LANE_AT(a, i, r)), x);
                if (i == c) {
                    sound = GI_FIND(gi_linear_choose)((GI_FIND(gi_linear_mask))(x > zero), sound, zero);
                    root  = GI_LV(sqrt)(x);
                }
                GI_LV(store)(GI_LANE_AT(a, i, c), i == c ? root : x / root);
            }
            for (int64_t k = c + 1; k < n; k++) GI_LV(store)(GI_LANE_AT(a, c, k), zero);
        }
        GI_LV(store)(regular + v, sound);
    }
}
#undef GI_LANE_AT
GI_TABLE(gi_linear_loops, GI_FIND(gi_linear),
         { GI_FIND(gi_linear_add), GI_FIND(gi_linear_dot), GI_FIND(gi_linear_dots), GI_FIND(gi_linear_largest),
           GI_FIND(gi_linear_pass), GI_FIND(gi_linear_turn), GI_FIND(gi_linear_turn_together), GI_FIND(gi_linear_mirror),
           GI_FIND(gi_linear_update), GI_FIND(gi_linear_reflect), GI_FIND(gi_linear_columns), GI_FIND(gi_linear_rotate_rows),
           GI_FIND(gi_linear_rotate_columns), GI_FIND(gi_francis_chase), GI_FIND(gi_francis_columns), GI_FIND(gi_linear_lu),
           GI_FIND(gi_linear_solve), GI_FIND(gi_linear_cholesky) })
#undef GI_LV
#undef GI_V8
