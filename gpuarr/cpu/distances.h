/* ---- distances ------------------------------------------------------------------------------------------------------ */
/*  A tile is GI_DISTANCE_TILE rows of x against some vectors, whose lanes are rows of y, that is columns of the result. Its sums
    stay in registers over the features, each its own chain. The rows of y are laid beside each other before. A vector takes a
    subtraction and a fused product, for cityblock a subtraction, an absolute value and a sum: two and three instructions. How
    many of these a processor starts in a cycle, and not memory, is the limit if there are many features.                  */

#ifdef GI_ISA_MM
#define GI_DISTANCE_VECTORS GI_ISA_TILE
#else
#define GI_DISTANCE_VECTORS 1 /* it is slow without fma in any case: save compile time */
#endif

/* The larger one of numbers without a sign, NaN if any is NaN: they are ordered as their bits. */
static GI_INLINE GI_V GI_VFN(longest)(GI_V a, GI_V b)
{
    const GI_V_BITS x = (GI_V_BITS)a, y = (GI_V_BITS)b, first = (GI_V_BITS)(x > y);
    return (GI_V)((x & first) | (y & ~first));
}

static GI_INLINE GI_V GI_VFN(add_distance)(ga_metric metric, GI_V sum, const GA_T *x, GI_V y, GI_V one)
{
    const GI_V d = GI_VFN(less)(y, x);
    (void)one;
    switch (metric) {
    case GA_CITYBLOCK:
#ifdef GI_ISA_MM
        return GI_VFN(fma)(GI_VFN(abs)(d), one, sum); /* the same sum, for processors that multiply beside their adders */
#else
        return sum + GI_VFN(abs)(d);
#endif
    case GA_CHEBYSHEV: return GI_VFN(longest)(sum, GI_VFN(abs)(d));
    case GA_COSINE: return GI_VFN(fma)(GI_VFN(all)(*x), y, sum);
    default: return GI_VFN(fma)(d, d, sum);
    }
}

static GI_INLINE GI_V GI_VFN(cosine_distance)(GI_V product, GI_V lengths) /* as gi_cosine_distance */
{
    const GI_V      zero = { 0 }, two = GI_VFN(all)(2), d = GI_VFN(all)(1) - product / lengths;
    const GI_V_BITS below = (GI_V_BITS)(d < zero), above = (GI_V_BITS)(d > two);
    return (GI_V)(((GI_V_BITS)d & ~(below | above)) | ((GI_V_BITS)two & above));
}

typedef struct GI_LOOP(gi_distance_tile) {
    const GA_T *x[GI_DISTANCE_TILE], *y; /* rows; packed columns */
    int64_t     features;                /* to be added to */
    const GA_T *from;                    /* these sums; NULL: to 0 */
    GA_T       *to[GI_DISTANCE_TILE];    /* rows for the sums, or with the `last` features for the distances */
    const GA_T *x_norms, *y_norms, *w;
    bool        last, root, stream;
} GI_LOOP(gi_distance_tile);

static GI_INLINE void GI_LOOP(gi_fill_tile)(ga_metric metric, int vectors, const GI_LOOP(gi_distance_tile) * t)
{
    const GI_V one = GI_VFN(pin)(GI_VFN(all)(1)), zero = { 0 };
    GI_V       sums[GI_DISTANCE_TILE][GI_DISTANCE_VECTORS];
    GI_UNROLL
    for (int r = 0; r < GI_DISTANCE_TILE; r++) {
        GI_UNROLL
        for (int c = 0; c < vectors; c++) sums[r][c] = t->from ? GI_VFN(load)(t->from + (r * vectors + c) * GI_LANES) : zero;
    }
    for (int64_t k = 0; k < t->features; k++) {
        GI_V columns[GI_DISTANCE_VECTORS];
        GI_UNROLL
        for (int c = 0; c < vectors; c++) columns[c] = GI_VFN(pin)(GI_VFN(load)(t->y + (k * vectors + c) * GI_LANES));
        GI_UNROLL
        for (int r = 0; r < GI_DISTANCE_TILE; r++) {
            GI_UNROLL
            for (int c = 0; c < vectors; c++)
                sums[r][c] = GI_VFN(add_distance)(metric, sums[r][c], t->x[r] + k, columns[c], one);
        }
    }
    GI_UNROLL
    for (int r = 0; r < GI_DISTANCE_TILE; r++) {
        GI_UNROLL
        for (int c = 0; c < vectors; c++) {
            if (metric <= GA_SQEUCLIDEAN && t->root) sums[r][c] = GI_VFN(sqrt)(sums[r][c]);
            if (metric == GA_COSINE && t->last)
                sums[r][c] =
                    GI_VFN(cosine_distance)(sums[r][c], GI_VFN(all)(t->x_norms[r]) * GI_VFN(load)(t->y_norms + c * GI_LANES));
        }
    }
    if (t->stream) {
        GI_UNROLL
        for (int r = 0; r < GI_DISTANCE_TILE; r++) {
            GI_UNROLL
            for (int c = 0; c < vectors; c++) GI_VFN(stream)(t->to[r] + c * GI_LANES, sums[r][c]);
        }
    } else {
        GI_UNROLL
        for (int r = 0; r < GI_DISTANCE_TILE; r++) {
            GI_UNROLL
            for (int c = 0; c < vectors; c++) GI_VFN(store)(t->to[r] + c * GI_LANES, sums[r][c]);
        }
    }
}

/* Wide tiles have a loop for each kind of chain, in functions of their own: without -O each value in them takes stack. */
static GI_OWN_FRAME void GI_LOOP(gi_fill_cityblock)(const GI_LOOP(gi_distance_tile) * t)
{
    GI_LOOP(gi_fill_tile)(GA_CITYBLOCK, GI_DISTANCE_VECTORS, t);
}
static GI_OWN_FRAME void GI_LOOP(gi_fill_chebyshev)(const GI_LOOP(gi_distance_tile) * t)
{
    GI_LOOP(gi_fill_tile)(GA_CHEBYSHEV, GI_DISTANCE_VECTORS, t);
}
static GI_OWN_FRAME void GI_LOOP(gi_fill_cosine)(const GI_LOOP(gi_distance_tile) * t)
{
    GI_LOOP(gi_fill_tile)(GA_COSINE, GI_DISTANCE_VECTORS, t);
}
static GI_OWN_FRAME void GI_LOOP(gi_fill_squares)(const GI_LOOP(gi_distance_tile) * t)
{
    GI_LOOP(gi_fill_tile)(GA_SQEUCLIDEAN, GI_DISTANCE_VECTORS, t);
}
static void GI_LOOP(gi_fill_wide_tile)(ga_metric metric, const GI_LOOP(gi_distance_tile) * t)
{
    switch (metric) {
    case GA_CITYBLOCK: GI_LOOP(gi_fill_cityblock)(t); break;
    case GA_CHEBYSHEV: GI_LOOP(gi_fill_chebyshev)(t); break;
    case GA_COSINE: GI_LOOP(gi_fill_cosine)(t); break;
    default: GI_LOOP(gi_fill_squares)(t);
    }
}

/* What a feature with a weight adds. */
static GI_INLINE GI_V GI_VFN(add_weighted)(ga_metric metric, GI_V sum, GI_V x, GI_V y, GI_V weight)
{
    const GI_V zero = { 0 }, d = GI_VFN(abs)(x - y), both = GI_VFN(abs)(x) + GI_VFN(abs)(y);
    switch (metric) {
    case GA_HAMMING: return sum + (GI_V)((GI_V_BITS)(x != y) & (GI_V_BITS)weight);
    case GA_CITYBLOCK: return sum + d * weight;
    case GA_CANBERRA: return sum + d / (both + (GI_V)((GI_V_BITS)(both == zero) & (GI_V_BITS)GI_VFN(all)(1))) * weight;
    case GA_SEUCLIDEAN: return sum + (d * weight) * (d * weight); /* a weight is a number, its square may not be */
    case GA_SQEUCLIDEAN: return sum + d * (d * weight);           /* as SciPy's: a weight of 0 leaves out what overflows */
    default: return sum + d * d * weight;
    }
}

/* One loop for all of these metrics, and a chain at a time: each ISA and dtype has this code, in programs that never ask for it too. */
static void GI_LOOP(gi_fill_weighted)(ga_metric metric, const GI_LOOP(gi_distance_tile) * t)
{
    for (int r = 0; r < GI_DISTANCE_TILE; r++) {
        GI_V sum = GI_VFN(all)(0);
        if (t->from) sum = GI_VFN(load)(t->from + r * GI_LANES);
        for (int64_t k = 0; k < t->features; k++)
            sum = GI_VFN(add_weighted)(metric, sum, GI_VFN(all)(t->x[r][k]), GI_VFN(load)(t->y + k * GI_LANES),
                                       GI_VFN(all)(t->w[k]));
        if (t->root) sum = GI_VFN(sqrt)(sum);
        if (t->stream) GI_VFN(stream)(t->to[r], sum);
        else GI_VFN(store)(t->to[r], sum);
    }
}

/* Lays n features of `rows` rows of y, `stride` elements apart, beside each other; lanes without a row repeat the last one. */
static void GI_LOOP(gi_pack_rows)(const GA_T *y, int64_t stride, int64_t rows, int64_t n, int64_t width, GA_T *packed)
{
    enum { TOGETHER = GI_LANES < 4 ? GI_LANES : 4 }; /* rows, whose elements are written side by side */
    for (int64_t l = 0; l < width; l += TOGETHER) {
        const GA_T *row[TOGETHER];
        for (int r = 0; r < TOGETHER; r++) row[r] = y + (l + r < rows ? l + r : rows - 1) * stride;
        for (int64_t k = 0; k < n; k++) {
            GI_UNROLL
            for (int r = 0; r < TOGETHER; r++) packed[k * width + l + r] = row[r][k];
        }
    }
}

/* Writes the part of a row of a tile that belongs to the result. */
static void GI_LOOP(gi_put_distances)(const gi_distances *d, int64_t row, int64_t column, int64_t width, const GA_T *from)
{
    const int64_t left = d->columns - column, stop = left < width ? left : width;
    GA_T         *out = (GA_T *)d->out + gi_distance_place(d, row, column);
    for (int64_t l = d->condensed && row >= column ? row + 1 - column : 0; l < stop; l++) out[l * d->column_stride] = from[l];
}

/* Columns of the tile that begins at one: near the end a wide tile would have whole vectors to spare. */
static GI_INLINE int64_t GI_LOOP(gi_tile_width)(const gi_distances *d, int64_t column)
{
    return d->w || d->columns - column <= (GI_DISTANCE_VECTORS - 1) * GI_LANES ? GI_LANES : GI_DISTANCE_VECTORS * GI_LANES;
}

/* A unit of the result: up to unit_rows rows and unit_columns columns from there. */
static void GI_LOOP(gi_distance_unit)(const gi_distances *d, int64_t row, int64_t column, char *room)
{
    enum { WIDTH = GI_DISTANCE_VECTORS * GI_LANES, FEATURES = GI_DISTANCE_PACK / (GI_DISTANCE_VECTORS * GI_ISA_BYTES) };
    GA_T         *packed      = (GA_T *)(void *)room;
    GA_T         *sums        = (GA_T *)(void *)(room + GI_DISTANCE_PACK); /* of all rows, if the features come in parts */
    const int64_t rows_end    = d->rows - row < d->unit_rows ? d->rows : row + d->unit_rows;
    const int64_t columns_end = d->columns - column < d->unit_columns ? d->columns : column + d->unit_columns;
    int64_t       done        = 0, width;
    do {
        GI_LOOP(gi_distance_tile) t;
        t.features = d->features - done < FEATURES ? d->features - done : (int64_t)FEATURES;
        t.last     = done + t.features == d->features;
        t.root     = t.last && (d->metric == GA_EUCLIDEAN || d->metric == GA_SEUCLIDEAN);
        t.w        = d->w ? (const GA_T *)d->w + done : NULL;
        GA_T *y    = packed;
        for (int64_t j = column; j < columns_end; j += width, y += t.features * width) {
            width = GI_LOOP(gi_tile_width)(d, j);
            GI_LOOP(gi_pack_rows)
            ((const GA_T *)d->y + j * d->features + done, d->features, d->columns - j, t.features, width, y);
        }
        for (int64_t i = row; i < rows_end; i += GI_DISTANCE_TILE) {
            const int64_t rows = rows_end - i < GI_DISTANCE_TILE ? rows_end - i : GI_DISTANCE_TILE;
            for (int r = 0; r < GI_DISTANCE_TILE; r++)
                t.x[r] = (const GA_T *)d->x + (i + (r < rows ? r : rows - 1)) * d->features + done;
            t.x_norms = d->x_norms ? (const GA_T *)d->x_norms + i : NULL;
            t.y       = packed;
            for (int64_t j = column; j < columns_end; j += width, t.y += t.features * width) {
                width = GI_LOOP(gi_tile_width)(d, j);
                if (d->condensed && j + width <= i + 1) continue;
                const bool whole = t.last && d->column_stride == 1 && rows == GI_DISTANCE_TILE && j + width <= d->columns &&
                                   !(d->condensed && i + GI_DISTANCE_TILE > j);
                GA_T *kept = d->features > FEATURES ? sums + (i - row) * WIDTH + (j - column) * GI_DISTANCE_TILE : sums;
                for (int r = 0; r < GI_DISTANCE_TILE; r++)
                    t.to[r] = whole ? (GA_T *)d->out + gi_distance_place(d, i + r, j) : kept + r * width;
                t.from    = done > 0 ? kept : NULL;
                t.y_norms = d->y_norms ? (const GA_T *)d->y_norms + j : NULL;
                t.stream  = whole && d->stream;
                if (d->w) GI_LOOP(gi_fill_weighted)(d->metric, &t);
                else if (GI_DISTANCE_VECTORS > 1 && width == WIDTH) GI_LOOP(gi_fill_wide_tile)(d->metric, &t);
                else GI_LOOP(gi_fill_tile)(d->metric, 1, &t);
                for (int r = 0; t.last && !whole && r < rows; r++)
                    GI_LOOP(gi_put_distances)(d, i + r, j, width, kept + r * width);
            }
        }
        done += t.features;
    } while (done < d->features);
    GI_VFN(fence)();
}

GI_TABLE(gi_distance_tiles, GI_LOOP(gi_distance_tiles), { GI_LANES, GI_DISTANCE_VECTORS, GI_LOOP(gi_distance_unit) })
