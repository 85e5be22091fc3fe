/* ---- linear algebra: what its algorithms do with rows of float64 ----------------------------------------------------------- */
#define GI_V8 GI_JOIN(gi_vector_f64_, GI_ISA)

/* out[j] += the sum over r of a[r] * b[r][j], in the order of r, each product fused into it. Rows are so many elements apart. */
static void GI_FIND(gi_linear_add)(int64_t inner, int64_t n, const double *a, int64_t a_step, const double *b, int64_t b_row,
                                   double *out)
{
#define GI_ADD_ROWS(rows)                                                                                                      \
    for (; inner >= rows; inner -= rows, a += rows * a_step, b += rows * b_row)                                                \
    GI_JOIN(gi_row_of_f64_, GI_ISA)(rows, n, (const char *)a, 8 * a_step, (const char *)b, 8 * b_row, out, true)
    GI_ADD_ROWS(8);
    GI_ADD_ROWS(2);
    GI_ADD_ROWS(1);
#undef GI_ADD_ROWS
}

/* The sum of x[i] * y[i]: 32 sums side by side, that are then folded by halves. */
static double GI_FIND(gi_linear_dot)(int64_t n, const double *x, const double *y)
{
    enum { LANES = GI_ISA_BYTES / 8, VECTORS = 32 / LANES };
    GI_V8   sums[VECTORS] = { { 0 } }, a, b;
    double  sum[32];
    int64_t i = 0, half = 16;
    if (n < 32) { /* what is left out is 0 */
        for (; half >= n && half > 1; half /= 2) {}
        for (; i < n; i++) sum[i] = 0.0 + x[i] * y[i];
        for (; i < 2 * half; i++) sum[i] = 0;
    }
    for (; i + 32 <= n; i += 32) {
        GI_UNROLL
        for (int v = 0; v < VECTORS; v++) {
            memcpy(&a, x + i + v * LANES, sizeof a);
            memcpy(&b, y + i + v * LANES, sizeof b);
            sums[v] += a * b;
        }
    }
    if (n >= 32) memcpy(sum, sums, sizeof sum);
    for (; i < n; i++) sum[i % 32] += x[i] * y[i];
    for (; half > 0; half /= 2)
        for (int k = 0; k < half; k++) sum[k] += sum[k + half];
    return sum[0];
}

/* gi_linear_turn of vectors that lie side by side, as many as stay in registers. */
static GI_INLINE void GI_FIND(gi_turn_vectors)(const int vectors, int64_t count, const double *rotations, double *row,
                                               int64_t next)
{
    enum { LANES = GI_ISA_BYTES / 8 };
    GI_V8 x[4], y, r;
    GI_UNROLL
    for (int v = 0; v < vectors; v++) memcpy(&x[v], row + v * LANES, sizeof x[v]);
    for (int64_t k = 0; k < count; k++, row += next) {
        const double c = rotations[2 * k], s = rotations[2 * k + 1];
        GI_UNROLL
        for (int v = 0; v < vectors; v++) {
            memcpy(&y, row + next + v * LANES, sizeof y);
            r    = c * x[v] + s * y;
            x[v] = c * y - s * x[v];
            memcpy(row + v * LANES, &r, sizeof r);
        }
    }
    GI_UNROLL
    for (int v = 0; v < vectors; v++) memcpy(row + v * LANES, &x[v], sizeof x[v]);
}

/* Of two rows, the second `next` elements behind the first, x and y become c * x + s * y and c * y - s * x; then the same of the second and the
   one behind it: `count` rotations {c, s}. n is a multiple of 8. */
static void GI_FIND(gi_linear_turn)(int64_t count, int64_t n, const double *rotations, double *rows, int64_t next)
{
    enum { LANES = GI_ISA_BYTES / 8 };
    int64_t j = 0;
    for (; j + 4 * LANES <= n; j += 4 * LANES) GI_FIND(gi_turn_vectors)(4, count, rotations, rows + j, next);
    for (; j < n; j += LANES) GI_FIND(gi_turn_vectors)(1, count, rotations, rows + j, next);
}

/* gi_linear_mirror of a few rows, which lie in registers: eight sums of each, that are then folded by halves. */
static GI_INLINE void GI_FIND(gi_mirror_rows)(const int rows, int64_t n, const double *a, int64_t down, const double *x,
                                              double own, double beside, double *y)
{
    enum { LANES = GI_ISA_BYTES / 8, VECTORS = 8 / LANES, MOST = 4 };
    GI_V8   sums[MOST][VECTORS] = { { { 0 } } }, b, u, to;
    double  sum[MOST][8], by[MOST];
    int64_t j = rows;
    GI_UNROLL
    for (int r = 0; r < rows; r++) by[r] = beside * x[r];
    for (; j + 8 <= n; j += 8) {
        GI_UNROLL
        for (int v = 0; v < VECTORS; v++) {
            memcpy(&u, x + j + v * LANES, sizeof u);
            memcpy(&to, y + j + v * LANES, sizeof to);
            GI_UNROLL
            for (int r = 0; r < rows; r++) {
                memcpy(&b, a + r * down + j + v * LANES, sizeof b);
                sums[r][v] += b * u;
                to += by[r] * b;
            }
            memcpy(y + j + v * LANES, &to, sizeof to);
        }
    }
    memcpy(sum, sums, sizeof sum);
    for (int k = 0; j < n; j++, k++)
        for (int r = 0; r < rows; r++) {
            sum[r][k] += a[r * down + j] * x[j];
            y[j] += by[r] * a[r * down + j];
        }
    for (int r = 0; r < rows; r++) {
        for (int half = 4; half > 0; half /= 2)
            for (int k = 0; k < half; k++) sum[r][k] += sum[r][k + half];
        sum[r][0] += a[r * down + r] * x[r];
        for (int k = r + 1; k < rows; k++) {
            sum[r][0] += a[r * down + k] * x[k];
            y[k] += by[r] * a[r * down + k];
        }
        y[r] += own * sum[r][0];
    }
}

/* Of a matrix whose rows are known from the diagonal on, and mirrored with the sign `own * beside`, some rows: y += the product of what
   they say and x. n: the elements of the first row from its diagonal on; a, x and y begin there. */
static void GI_FIND(gi_linear_mirror)(int64_t rows, int64_t n, const double *a, int64_t down, const double *x, double own,
                                      double beside, double *y)
{
    for (; rows >= 4; rows -= 4, n -= 4, a += 4 * down + 4, x += 4, y += 4)
        GI_FIND(gi_mirror_rows)(4, n, a, down, x, own, beside, y);
    for (; rows > 0; rows--, n--, a += down + 1, x++, y++) GI_FIND(gi_mirror_rows)(1, n, a, down, x, own, beside, y);
}
GI_TABLE(gi_linear_loops, GI_FIND(gi_linear),
         { GI_FIND(gi_linear_add), GI_FIND(gi_linear_dot), GI_FIND(gi_linear_turn), GI_FIND(gi_linear_mirror) })
#undef GI_V8
