/* ---- convolutions -------------------------------------------------------------------------------------------------- */

/* A row of x for the rows first .. last - 1 of a tile: row r of the results takes it with the weights r rows before these. */
static GI_INLINE void GI_LOOP(gi_take_row)(GI_V sums[GI_TAP_ROWS][GI_ISA_TILE], const gi_taps *t, const GA_T *x,
                                           const GA_T *weights, int first, int last)
{
    for (int64_t v = 0; v < t->width; v++) {
        GI_V part[GI_ISA_TILE];
        GI_UNROLL
        for (int c = 0; c < GI_ISA_TILE; c++) part[c] = GI_VFN(pin)(GI_VFN(load)(x + v * t->step + c * GI_LANES));
        GI_UNROLL
        for (int r = 0; r < GI_TAP_ROWS; r++) {
            if (r < first || r >= last) continue;
            const GI_V weight = GI_VFN(all)(weights[v - r * t->width]);
            GI_UNROLL
            for (int c = 0; c < GI_ISA_TILE; c++) sums[r][c] = GI_VFN(fma)(weight, part[c], sums[r][c]);
        }
    }
}

/* Tiles of 4 rows, so that each vector of x is loaded once for 4 weights. For 3 or more rows of weights. */
static void GI_LOOP(gi_correlate_tiles)(const gi_taps *t, int64_t rows, int64_t columns, const void *x_, void *sums_,
                                        int64_t pitch, bool begin)
{
    enum { COLUMNS = GI_ISA_TILE * GI_LANES };
    for (int64_t i = 0; i < rows; i += GI_TAP_ROWS) {
        if (i + GI_TAP_ROWS > rows) i = rows - GI_TAP_ROWS; /* some once more */
        for (int64_t j = 0; j < columns; j += COLUMNS) {
            if (j + COLUMNS > columns) j = columns - COLUMNS;
            const GA_T *x = (const GA_T *)x_ + i * t->pitch + j, *w = (const GA_T *)t->weights;
            GA_T       *to = (GA_T *)sums_ + i * pitch + j;
            GI_V        sums[GI_TAP_ROWS][GI_ISA_TILE];
            GI_UNROLL
            for (int r = 0; r < GI_TAP_ROWS; r++) {
                GI_UNROLL
                for (int c = 0; c < GI_ISA_TILE; c++)
                    sums[r][c] = begin ? GI_VFN(all)(GA_FN(nothing)()) : GI_VFN(load)(to + r * pitch + c * GI_LANES);
            }
            GI_LOOP(gi_take_row)(sums, t, x, w, 0, 1);
            GI_LOOP(gi_take_row)(sums, t, x += t->pitch, w += t->width, 0, 2);
            GI_LOOP(gi_take_row)(sums, t, x += t->pitch, w += t->width, 0, 3);
            for (int64_t u = 3; u < t->height; u++) GI_LOOP(gi_take_row)(sums, t, x += t->pitch, w += t->width, 0, 4);
            GI_LOOP(gi_take_row)(sums, t, x += t->pitch, w += t->width, 1, 4);
            GI_LOOP(gi_take_row)(sums, t, x += t->pitch, w += t->width, 2, 4);
            GI_LOOP(gi_take_row)(sums, t, x += t->pitch, w += t->width, 3, 4);
            GI_UNROLL
            for (int r = 0; r < GI_TAP_ROWS; r++) {
                GI_UNROLL
                for (int c = 0; c < GI_ISA_TILE; c++) GI_VFN(store)(to + r * pitch + c * GI_LANES, sums[r][c]);
            }
        }
    }
}

/* Each row by itself, for few rows of weights and for narrow images, whose rows lie one behind the other in one line. */
static void GI_LOOP(gi_correlate_lines)(const gi_taps *t, int64_t rows, int64_t columns, const void *x_, void *sums_,
                                        int64_t pitch, bool begin)
{
    enum { COLUMNS = GI_LINE_VECTORS * GI_LANES };
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j += COLUMNS) {
            if (j + COLUMNS > columns) j = columns - COLUMNS; /* some once more */
            const GA_T *x = (const GA_T *)x_ + i * t->pitch + j, *w = (const GA_T *)t->weights;
            GA_T       *to = (GA_T *)sums_ + i * pitch + j;
            GI_V        sums[GI_LINE_VECTORS];
            GI_UNROLL
            for (int c = 0; c < GI_LINE_VECTORS; c++)
                sums[c] = begin ? GI_VFN(all)(GA_FN(nothing)()) : GI_VFN(load)(to + c * GI_LANES);
            for (int64_t u = 0; u < t->height; u++)
                for (int64_t v = 0; v < t->width; v++, w++) {
                    const GA_T *from   = x + u * t->pitch + v * t->step;
                    const GI_V  weight = GI_VFN(all)(*w);
                    GI_UNROLL
                    for (int c = 0; c < GI_LINE_VECTORS; c++)
                        sums[c] = GI_VFN(fma)(weight, GI_VFN(load)(from + c * GI_LANES), sums[c]);
                }
            GI_UNROLL
            for (int c = 0; c < GI_LINE_VECTORS; c++) GI_VFN(store)(to + c * GI_LANES, sums[c]);
        }
}

enum { GI_LOOP(gi_tile_columns) = GI_ISA_TILE * GI_LANES, GI_LOOP(gi_line_columns) = GI_LINE_VECTORS * GI_LANES };
