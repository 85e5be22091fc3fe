/* ---- matrix products: a tile of `rows` rows, each `wide` vectors, of out ------------------------------------------------ */
/* To out, or to nothing, n products a[r][k] * b[k][j] are added in the order of k. Rows are so many bytes apart. */
static GI_INLINE void GI_LOOP(gi_tile_of)(const int rows, const int wide, int64_t n, const char *a, int64_t a_row,
                                          const char *b, int64_t b_row, char *out, int64_t out_row, bool more)
{
#ifdef GI_ISA_FUSED
    if (GI_CLASS == 3 && sizeof(GI_W) == 8 && gi_fused_tile(rows, wide, n, a, a_row, b, b_row, out, out_row, more)) return;
#endif
    GI_V sums[GI_TILE_ROWS][GI_ISA_WIDE];
    GI_UNROLL
    for (int r = 0; r < rows; r++) {
        GI_UNROLL
        for (int v = 0; v < wide; v++)
            sums[r][v] =
                more ? GI_VFN(load)((const GI_W *)(const void *)(out + r * out_row) + v * GI_LANES) : GI_VFN(all)((GI_W)-0.0);
    }
    for (; n > 0; n--, a += sizeof(GI_W), b += b_row) {
        GI_V row[GI_ISA_WIDE];
        GI_UNROLL
        for (int v = 0; v < wide; v++) row[v] = GI_VFN(load)((const GI_W *)(const void *)b + v * GI_LANES);
        GI_UNROLL
        for (int r = 0; r < rows; r++) {
            const GI_V factor = GI_VFN(all)(*(const GI_W *)(const void *)(a + r * a_row));
            GI_UNROLL
            for (int v = 0; v < wide; v++) sums[r][v] = GI_VFN(fma)(factor, row[v], sums[r][v]);
        }
    }
    GI_UNROLL
    for (int r = 0; r < rows; r++) {
        GI_UNROLL
        for (int v = 0; v < wide; v++) GI_VFN(store)((GI_W *)(void *)(out + r * out_row) + v * GI_LANES, sums[r][v]);
    }
}

/* A function for each number of rows: without optimisation, each inlined call would keep stack of its own. */
#define GI_TILE(name, rows)                                                                                                    \
    static __attribute__((noinline)) void GI_LOOP(name)(int wide, int64_t n, const char *a, int64_t a_row, const char *b,      \
                                                        int64_t b_row, char *out, int64_t out_row, bool more)                  \
    {                                                                                                                          \
        if (wide == GI_ISA_WIDE) GI_LOOP(gi_tile_of)(rows, GI_ISA_WIDE, n, a, a_row, b, b_row, out, out_row, more);            \
        else if (GI_ISA_WIDE > 2 && wide == 2) GI_LOOP(gi_tile_of)(rows, 2, n, a, a_row, b, b_row, out, out_row, more);        \
        else GI_LOOP(gi_tile_of)(rows, 1, n, a, a_row, b, b_row, out, out_row, more);                                          \
    }
GI_TILE(gi_tile_1, 1)
GI_TILE(gi_tile_2, 2)
#if GI_ISA_ROWS > 4
GI_TILE(gi_tile_4, 4)
#endif
GI_TILE(gi_tile_most, GI_ISA_ROWS)
#undef GI_TILE

static void GI_LOOP(gi_tile)(int rows, int wide, int64_t n, const char *a, int64_t a_row, const char *b, int64_t b_row,
                             char *out, int64_t out_row, bool more)
{
    if (rows == 1) GI_LOOP(gi_tile_1)(wide, n, a, a_row, b, b_row, out, out_row, more);
    else if (rows == 2) GI_LOOP(gi_tile_2)(wide, n, a, a_row, b, b_row, out, out_row, more);
#if GI_ISA_ROWS > 4
    else if (rows == 4) GI_LOOP(gi_tile_4)(wide, n, a, a_row, b, b_row, out, out_row, more);
#endif
    else GI_LOOP(gi_tile_most)(wide, n, a, a_row, b, b_row, out, out_row, more);
}

#if GI_CLASS == 3
/* out[j], or nothing, + the sum over r of a[r] * b[r][j], in the order of r: `rows` long rows at once. */
static GI_INLINE void GI_LOOP(gi_row_of)(const int rows, int64_t n, const char *a, int64_t a_step, const char *b, int64_t b_row,
                                         GA_T *out, bool more)
{
    GI_V    factor[8];
    int64_t j = 0;
    GI_UNROLL
    for (int r = 0; r < rows; r++) factor[r] = GI_VFN(all)(*(const GA_T *)(const void *)(a + r * a_step));
    for (; j + GI_LANES <= n; j += GI_LANES) {
        GI_V sum = more ? GI_VFN(load)(out + j) : GI_VFN(all)(GA_FN(nothing)());
        GI_UNROLL
        for (int r = 0; r < rows; r++)
            sum = GI_VFN(fma)(factor[r], GI_VFN(load)((const GA_T *)(const void *)(b + r * b_row) + j), sum);
        GI_VFN(store)(out + j, sum);
    }
#if GI_ISA_BYTES == 64
    if (j < n) {
        const GI_MASK some = (GI_MASK)((1u << (n - j)) - 1);
        GI_V          sum  = more ? (GI_V)GI_MM(maskz_loadu)(some, out + j) : GI_VFN(all)(GA_FN(nothing)());
        GI_UNROLL
        for (int r = 0; r < rows; r++)
            sum = GI_VFN(fma)(factor[r], GI_MM(maskz_loadu)(some, (const GA_T *)(const void *)(b + r * b_row) + j), sum);
        GI_MM(mask_storeu)(out + j, some, sum);
        j = n;
    }
#endif
    for (; j < n; j++) {
        GA_T sum = more ? out[j] : GA_FN(nothing)();
        for (int r = 0; r < rows; r++)
            sum = GA_FN(fma)(*(const GA_T *)(const void *)(a + r * a_step), ((const GA_T *)(const void *)(b + r * b_row))[j],
                             sum);
        out[j] = sum;
    }
}

/* A row of a matrix product, b's rows being read from one end to the other. */
static void GI_LOOP(gi_row)(int64_t inner, int64_t n, const char *a, int64_t a_step, const char *b, int64_t b_row, void *out)
{
    int64_t k = 0;
    for (; k + 8 <= inner; k += 8) GI_LOOP(gi_row_of)(8, n, a + k * a_step, a_step, b + k * b_row, b_row, (GA_T *)out, k > 0);
    for (; k < inner; k++) GI_LOOP(gi_row_of)(1, n, a + k * a_step, a_step, b + k * b_row, b_row, (GA_T *)out, k > 0);
}
#define GI_ROW GI_LOOP(gi_row)
#else
#define GI_ROW NULL
#endif
