/* ---- what a backend computes with ---------------------------------------------------------------------------------- */

/* n packed elements: out[i] = f(x[i], y[i], z[i]). out may be one of x, y, z. */
typedef void (*gi_kernel)(int64_t n, void *out, const void *x, const void *y, const void *z);

#define GI_MOST_INPUTS GPUARR_MAX_INPUTS /* of an elementwise call */

/* What will be read next, and is fetched while a result is streamed. */
typedef struct gi_ahead {
    int         inputs;
    const char *from[GI_MOST_INPUTS];
    int64_t     step[GI_MOST_INPUTS]; /* bytes for each line of the result */
} gi_ahead;

typedef void (*gi_stream)(void *out, const void *in, int64_t bytes, const gi_ahead *next);

/* How elements become keys: integers that are ordered like them, unsigned ones of 1 and 2 bytes, signed ones of 4 and 8. */
typedef struct gi_keys {
    uint64_t flip;  /* bits that are turned in each: the sign where it means the opposite; all, for the opposite order */
    bool     real;  /* before that, of negative floats all bits but the sign are turned */
    uint64_t nan;   /* the key of every NaN */
    bool     truth; /* bool: first of all, what is not 0 becomes 1 */
} gi_keys;

enum { GI_SQUARE_SIDE = 32 }; /* rows and columns of a square matrix that are mirrored at a time */

/* The distances of each row of x (a row of the result) from each row of y (a column). */
typedef struct gi_distances {
    ga_metric   metric;
    int64_t     features, rows, columns;
    const void *x, *y;             /* packed */
    const void *x_norms, *y_norms; /* GA_COSINE: the lengths of their rows, with room for a tile behind the last */
    const void *w;                 /* a factor for each feature: for others than GA_CHEBYSHEV and GA_COSINE; NULL: none */
    void       *out;
    int64_t     row_stride, column_stride; /* of out, in elements */
    bool        condensed;                 /* pairs: only the columns behind the row, packed row after row */
    bool        stream;                    /* the rows of out are aligned, and out is too large for the caches */
    int64_t     unit_rows, unit_columns; /* at most GI_DISTANCE_ROWS and a tile, if the features do not fit GI_DISTANCE_PACK */
} gi_distances;
