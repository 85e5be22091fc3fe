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
    int64_t i = 0;
    for (; i + 32 <= n; i += 32) {
        GI_UNROLL
        for (int v = 0; v < VECTORS; v++) {
            memcpy(&a, x + i + v * LANES, sizeof a);
            memcpy(&b, y + i + v * LANES, sizeof b);
            sums[v] += a * b;
        }
    }
    memcpy(sum, sums, sizeof sum);
    for (; i < n; i++) sum[i % 32] += x[i] * y[i];
    for (int half = 16; half > 0; half /= 2)
        for (int k = 0; k < half; k++) sum[k] += sum[k + half];
    return sum[0];
}

/* Rows k and k + 1 become c * x + s * y and c * y - s * x: `count` rotations {c, s}, with k = 0, 1 ..., or from the last pair of rows
   on backwards, where the rows are given from the last one on, `next` being negative, and s with the other sign. */
static void GI_FIND(gi_linear_turn)(int64_t count, int64_t n, const double *rotations, double *rows, int64_t next)
{
    enum { LANES = GI_ISA_BYTES / 8 };
    int64_t j = 0;
    for (; j + 2 * LANES <= n; j += 2 * LANES) {
        GI_V8   x[2], y[2], r;
        double *row = rows + j;
        memcpy(x, row, sizeof x);
        for (int64_t k = 0; k < count; k++, row += next) {
            const double c = rotations[2 * k], s = rotations[2 * k + 1];
            memcpy(y, row + next, sizeof y);
            GI_UNROLL
            for (int v = 0; v < 2; v++) {
                r    = c * x[v] + s * y[v];
                x[v] = c * y[v] - s * x[v];
                memcpy(row + v * LANES, &r, sizeof r);
            }
        }
        memcpy(row, x, sizeof x);
    }
    for (; j < n; j++) {
        double *row = rows + j, x = *row;
        for (int64_t k = 0; k < count; k++, row += next) {
            const double c = rotations[2 * k], s = rotations[2 * k + 1], y = row[next];
            *row = c * x + s * y;
            x    = c * y - s * x;
        }
        *row = x;
    }
}
GI_TABLE(gi_linear_loops, GI_FIND(gi_linear), { GI_FIND(gi_linear_add), GI_FIND(gi_linear_dot), GI_FIND(gi_linear_turn) })
#undef GI_V8
