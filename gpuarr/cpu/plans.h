#if defined(__clang__)
#define GI_VECTORIZE _Pragma("clang loop vectorize(enable) interleave(enable)")
#elif defined(__GNUC__)
#define GI_VECTORIZE _Pragma("GCC ivdep") /* out may be x itself, never overlap it otherwise */
#else
#define GI_VECTORIZE
#endif

/* Loops over arrays go over whole vectors, and then over the elements behind them, each GI_ONE_BY_ONE: of one loop over all of them gcc makes three,
   with shorter vectors for what is left, and takes longer. */
#if defined(__GNUC__) && !defined(__clang__)
#define GI_ONE_BY_ONE __asm__("");
#else
#define GI_ONE_BY_ONE
#endif

/* A 1 in each of eight bytes that is not 0; the first one is the lowest (little-endian). */
static inline uint64_t gi_eight_flags(const void *flags)
{
    const uint64_t low = 0x7F7F7F7F7F7F7F7Fu;
    uint64_t       u;
    memcpy(&u, flags, sizeof u);
    return (((u & low) + low) | u) >> 7 & 0x0101010101010101u;
}

#define GI_MEND          256   /* elements whose rare arguments are mended together */
#define GI_FETCHED_FROM  16384 /* elements from which on a call fetches ahead */
#define GI_FETCHED_AHEAD 2048  /* how many bytes ahead */

/* Convolutions. */
#define GI_TAP_ROWS     4    /* of results that are summed up together */
#define GI_LINE_VECTORS 8    /* the same in one row */
#define GI_TAP_LINE     1024 /* elements, for what is no float */

/* Integers without a sign, and what holds their products. */
typedef uint8_t                         gi_unsigned_i8, gi_unsigned_u8;
typedef uint16_t                        gi_unsigned_i16, gi_unsigned_u16, gi_double_i8, gi_double_u8;
typedef uint32_t                        gi_unsigned_i32, gi_unsigned_u32, gi_double_i16, gi_double_u16;
typedef uint64_t                        gi_unsigned_i64, gi_unsigned_u64, gi_double_i32, gi_double_u32;
__extension__ typedef unsigned __int128 gi_double_i64, gi_double_u64;
/* What holds the sum of eight. */
typedef int16_t  gi_eight_sum_i8;
typedef uint16_t gi_eight_sum_b8, gi_eight_sum_u8;
typedef int32_t  gi_eight_sum_i16;
typedef uint32_t gi_eight_sum_u16, gi_eight_sum_u32;
typedef int64_t  gi_eight_sum_i64, gi_eight_sum_i32;
typedef uint64_t gi_eight_sum_u64;
/* What holds them exactly, and their quotients nearly enough. */
typedef float  gi_quotient_i8, gi_quotient_u8, gi_quotient_i16, gi_quotient_u16;
typedef double gi_quotient_i32, gi_quotient_u32;
/* As many bits. */
typedef int32_t gi_signed_f32;
typedef int64_t gi_signed_f64;

typedef uint64_t gi_loose_u64 __attribute__((aligned(4))); /* complex64 lies where float32 may */
/* Several elements, moved as one number: they lie where the first of them may. */
typedef uint16_t gi_units_u16 __attribute__((aligned(1), may_alias));
typedef uint32_t gi_units_u32 __attribute__((aligned(1), may_alias));
typedef uint64_t gi_units_u64 __attribute__((aligned(1), may_alias));

typedef void (*gi_cast_kernel)(int64_t n, void *out, const void *x);

/* Convolutions: sums[i][j] += weights[u][v] * x[i + u][j + v * step] for all u and v in turn. */
typedef struct gi_taps {
    int64_t     height, width;
    int64_t     step, pitch; /* elements from a weight's x to the next one's, and from a row of x to the next */
    const void *weights;     /* packed */
} gi_taps;

typedef struct gi_correlate_loop {
    int64_t columns; /* how many at least, and a multiple of them unless `begin`: then the last ones may be computed twice */
    void (*run)(const gi_taps *t, int64_t rows, int64_t columns, const void *x, void *sums, int64_t pitch, bool begin);
} gi_correlate_loop;

enum { GI_START_0 = 0, GI_START_1 = 1, GI_START_NONE = -1 }; /* what a reduction of nothing gives */
enum { GI_NONE = 128 };                                      /* elements that stand for those that are missing */

/* Which one of eight rows does number k join first? */
static GI_INLINE int gi_fold_partner(int k) { return k - (k >= 4 ? 4 : k >= 2 ? 2 : 1); }

typedef void (*gi_rows_loop)(int64_t n, void *accs, const void *const *rows, int count);

/* A word of elements that change nothing where a fold joins them. real_bytes: of a float, or of one of two parts; of others 0. */
static GI_INLINE uint64_t gi_none_word(int real_bytes, int start)
{
    if (real_bytes == 0) return 0; /* (if it starts at 1, a fold of others than real numbers takes no such elements) */
    if (real_bytes == 4) return start == GI_START_0 ? 0x8000000080000000u : 0x3F8000003F800000u; /* -0 or 1 */
    return start == GI_START_0 ? 0x8000000000000000u : 0x3FF0000000000000u;
}

GI_BEGIN_FAST
/* The loop of a fold over fewer than eight rows: elements that change nothing stand in the place of those that are missing, or what joins
   them first, if there are none such. */
static __attribute__((noinline, unused)) void gi_rows_some(gi_rows_loop loop, int64_t n, char *accs, int acc_bytes,
                                                           const void *const *rows, int size, int count, int start,
                                                           uint64_t none)
{
    const bool    alone = start == GI_START_NONE;
    const int64_t most  = alone || n < GI_NONE ? n : (int64_t)GI_NONE;
    uint64_t      nones[GI_NONE * sizeof(ga_c128) / sizeof(uint64_t)];
    const void   *x[8];
    for (int k = 0; k < 8; k++) x[k] = k < count ? rows[k] : alone ? x[gi_fold_partner(k)] : nones;
    const int64_t words = alone ? 0 : (most * size + 7) / 8;
    for (int64_t i = 0; i < words; i++) nones[i] = none;
    for (int64_t done = 0; done < n; done += most) {
        for (int k = 0; k < count; k++) x[k] = (const char *)rows[k] + done * size;
        loop(n - done < most ? n - done : most, accs + done * acc_bytes, x, 8);
    }
}
GI_END_FAST

/* How far ahead memory is fetched, in bytes: with more, data of the last cache is evicted before it is used; with less, data of memory comes
   late. */
enum { GI_LINES_AHEAD = 4096 };

#define GI_OP_OF(op, dtype) ((int)(op)*32 + (int)(dtype)) /* both in one number, for a switch */

/* What is fetched while packed elements are folded: what follows them; and what lies farther ahead, from memory into the second cache. */
enum { GI_FETCH_NOTHING, GI_FETCH_NEXT, GI_FETCH_FARTHER };

/* Folds 1 to 1024 packed elements. */
typedef void (*gi_block_loop)(int64_t n, void *acc, const void *x, int fetch);

/* Folds packed elements in whatever order; false if that may matter. */
typedef bool (*gi_at_once_loop)(int64_t n, void *acc, const void *x, bool fetch);

/* Folds eight rows, and joins the result with the accumulators of steps of the tree that are open: open[0] before it, open[1] before that ...
   The eight rows that come next lie `next` bytes behind these, and are fetched meanwhile; 0: nothing is. */
typedef void (*gi_open_loop)(int64_t n, void *to, const void *const *rows, int64_t next, const void *const *open, int steps);

typedef struct gi_fold {
    int      item_bytes, acc_bytes; /* of an element, of an accumulator */
    int      start;                 /* GI_START_ ... */
    uint64_t none[2];               /* elements that change nothing, if it takes some rows and has a start */
    /* accs[i]: the fold of rows[0][i] ... rows[count - 1][i]; of 1 to 8 rows if it takes some, else of 8 */
    gi_rows_loop rows;
    gi_open_loop rows_onto; /* or NULL */
    bool         takes_some;
    bool         any_order;                                         /* integers: in whatever order, the result is the same */
    void (*widen)(int64_t n, void *accs, const void *x);            /* accs[i]: x[i] alone */
    void (*join)(int64_t n, void *accs, const void *more);          /* accs[i] is joined with more[i] */
    void (*halve)(int64_t n, void *accs);                           /* 1 to 1024 accumulators into the first */
    void (*end)(int64_t m, void *out, const void *accs, int64_t n); /* m results from the accumulators of n elements each */
    /* 1 to 1024 packed elements at once, as rows and halve do; NULL: they do */
    gi_block_loop   block;
    gi_at_once_loop at_once; /* or NULL */
} gi_fold;

/* Moderate divisors c lie between the least one and its inverse. Then x / c, or its remainder, is found without a division for x between the
   least dividend and the largest. */
static GI_INLINE float  gi_divisor_least_f32(void) { return 0x1p-20f; }
static GI_INLINE double gi_divisor_least_f64(void) { return 0x1p-100; }
static GI_INLINE float  gi_dividend_least_f32(void) { return 0x1p-60f; }
static GI_INLINE double gi_dividend_least_f64(void) { return 0x1p-900; }
static GI_INLINE float  gi_dividend_most_f32(void) { return 0x1p100f; }
static GI_INLINE double gi_dividend_most_f64(void) { return 0x1p900; }

/* Is x neither so large nor so small? */
static GI_INLINE int32_t gi_divides_easily_f32(float x)
{
    return (gi_abs_f32(x) >= gi_dividend_least_f32() && gi_abs_f32(x) <= gi_dividend_most_f32()) || x == 0;
}
static GI_INLINE int64_t gi_divides_easily_f64(double x)
{
    return (gi_abs_f64(x) >= gi_dividend_least_f64() && gi_abs_f64(x) <= gi_dividend_most_f64()) || x == 0;
}

#define GI_DISTANCE_TILE 4     /* rows of a tile */
#define GI_DISTANCE_PACK 32768 /* bytes of y that are used while they are in the first cache */
#define GI_DISTANCE_ROWS 128   /* rows whose sums are kept where the features come in several parts */

/* Where in out a distance lies, in elements. */
static GI_INLINE int64_t gi_distance_place(const gi_distances *d, int64_t row, int64_t column)
{
    return d->condensed ? gi_pair_place(d->columns, row, column) : row * d->row_stride + column * d->column_stride;
}

/* A row of an image as bits, 64 elements a word: what is not 0 makes runs. */
typedef struct gi_bit_rows {
    void (*pack)(int64_t n, uint64_t *bits, const void *bytes); /* bit i % 64 of bits[i / 64]: byte i is not 0; beyond n: 0 */
    void (*busy)(int64_t n, int size, bool *busy, const void *elements);   /* of each 64 elements: is any byte not 0? */
    int64_t (*runs)(int64_t words, const uint64_t *bits, uint64_t before); /* how many start there, after the word `before` */
    void (*unite)(int64_t words, const uint64_t *a, const uint64_t *b, int64_t run_a, int64_t run_b, bool corners,
                  int64_t *parents); /* the runs of two rows, numbered from run_a and run_b, that touch */
} gi_bit_rows;

/* Sets of runs: the parent of a run is a run of the same set, not after it; the first run of a set is its own. Rem's way to unite
   two: climbs on the side whose parent comes later, and hangs what it leaves under the earlier one. */
static GI_INLINE void gi_unite(int64_t *parents, int64_t x, int64_t y)
{
    while (parents[x] != parents[y]) {
        if (parents[x] > parents[y]) {
            int64_t swap = x;
            x            = y;
            y            = swap;
        }
        int64_t parent = parents[y];
        parents[y]     = parents[x];
        if (parent == y) return;
        y = parent;
    }
}

typedef struct gi_nodes { /* of moments: planes, so that the loops over them vectorise */
    double *n, *s, *m;
} gi_nodes;

typedef struct gi_node_loops { /* section >>moments */
    void (*rows)(int64_t n, const gi_nodes *to, const void *const *rows, const double *origin);
    void (*widen)(int64_t n, const gi_nodes *to, const void *x, const double *origin, bool skip_nan);
    void (*squares)(int64_t n, double *out, const void *x);
    /* of float64 alone: */
    void (*join)(int64_t n, const gi_nodes *a, const gi_nodes *b, double ratio, double scale);
    void (*join_counted)(int64_t n, const gi_nodes *a, const gi_nodes *b);
    void (*value)(int64_t n, double *out, const gi_nodes *of, gi_moment what, bool skip_nan, int ddof);
} gi_node_loops;
#define GI_LINE 64 /* bytes of a cache line */

/* Matrix products (section >>dense). */
/* out[l][i] = in[i][l], rows of out `next` elements apart, rows of in `step` bytes. */
typedef void (*gi_turn_lines)(int64_t lines, int64_t n, void *out, int64_t next, const char *in, int64_t step);
/* Where the square after the one at `at` begins; the last one of n may overlap it. */
static GI_INLINE int64_t gi_next_square(int64_t at, int side, int64_t n)
{
    return at + side >= n ? n : at + 2 * side > n ? n - side : at + side;
}
#define GI_TILE_ROWS  8   /* at most */
#define GI_TILE_WIDE  3   /* vectors, at most */
#define GI_TILE_DEPTH 256 /* products that are added at a time */
typedef struct gi_product_tiles {
    int rows, wide;  /* of a tile, at most: so many rows, or 4, 2 or 1; and vectors */
    int bytes, lane; /* of a vector, and of a lane */
    void (*tile)(int rows, int wide, int64_t n, const char *a, int64_t a_row, const char *b, int64_t b_row, char *out,
                 int64_t out_row, bool more);
    void (*row)(int64_t inner, int64_t n, const char *a, int64_t a_step, const char *b, int64_t b_row, void *out); /* or NULL */
} gi_product_tiles;
/* Linear algebra, of float64: cpu/linear.h. */
typedef struct gi_linear_loops {
    void (*add)(int64_t inner, int64_t n, const double *a, int64_t a_step, const double *b, int64_t b_row, double *out);
    double (*dot)(int64_t n, const double *x, const double *y);
    void (*dots)(int64_t rows, int64_t n, const double *a, int64_t down, const double *x, double *to); /* of each row with x */
    double (*largest)(int64_t n, const double *x); /* of the sizes; or NaN */
    /* Of each row: x = tau * (x + its product with v), u -= x, and y += u times the row. */
    void (*pass)(int64_t rows, int64_t n, const double *a, int64_t down, const double *v, double tau, double *x, double *u,
                 double *y);
    void (*turn)(int64_t count, int64_t n, const double *rotations, double *rows, int64_t next);
    void (*turn_together)(int64_t count, int64_t n, const double *const *rotations, double *rows, int64_t next);
    void (*mirror)(int64_t rows, int64_t n, int64_t column, const double *a, int64_t down, const double *x, double own,
                   double beside, double *y);
    /* Rows of a multiple of 8: each less by[0][r] * w[0] and by[1][r] * w[1]; then to: their products with x. */
    void (*update)(int64_t rows, int64_t n, double *a, int64_t down, const double *const *by, const double *const *w,
                   const double *x, double *to);
    /* Rows of a multiple of 8: each less u[r] * w, and then less tau * (its product with x) * x. */
    void (*reflect)(int64_t rows, int64_t n, double *a, int64_t down, const double *u, const double *w, const double *x,
                    double tau);
    /* The LU decomposition of n columns of m elements, with pivots; false: one of them is 0. */
    bool (*columns)(int64_t n, int64_t m, double *a, int64_t down, int32_t *pivots);
    /* Of complex rows, whose imaginary parts lie `imag` behind the real ones. */
    void (*rotate_rows)(int64_t n, double *x, double *y, int64_t imag, double c, ga_c128 s);
    /* Of up to GI_SCHUR_ROWS rows. */
    void (*rotate_columns)(int rows, int64_t count, double *a, int64_t down, int64_t imag, const double *cosines,
                           const ga_c128 *sines);
    /* A double step of the QR method, of rows and columns l to m: see cpu/francis.h. */
    void (*chase)(double *h, int64_t down, int64_t l, int64_t m, const double *start, double *reflectors);
    void (*chase_columns)(double *h, int64_t down, int64_t l, int64_t m, int64_t begin, int64_t end, const double *reflectors);
    /* Of GI_LINEAR_LANES matrices at once, each of them in a lane: element (i, j) of all is at (i * columns + j) * GI_LINEAR_LANES. */
    void (*lu)(int64_t n, double *a, double *pivots, double *regular);
    void (*solve)(int64_t n, int64_t columns, const double *a, double *b);
    void (*cholesky)(int64_t n, double *a, double *regular);
} gi_linear_loops;
enum { GI_LINEAR_LANES = 8, GI_SWEEPS_TOGETHER = 4, GI_SCHUR_ROWS = 8, GI_FRANCIS_ROWS = 16 };

/* Sums of products out[i][t] = the sum over k of a[i][k] * b[i][t][k]. */
typedef struct gi_chaining {
    int64_t a_next, b_next, out_next; /* bytes from i to i + 1, */
    int64_t b_again, out_again;       /* from t to t + 1, */
    int64_t a_step, b_step;           /* from k to k + 1 */
    int64_t before;                   /* from a result to what its sum begins with, elsewhere; 0: with nothing */
} gi_chaining;
typedef void (*gi_chains)(int64_t count, int times, int64_t n, char *out, const char *a, const char *b, const gi_chaining *j);

/* Elements begin to begin + n of the numbers that a plan describes; begin is a multiple of 4 (section >>random). */
typedef void (*gi_random_loop)(const gi_random_plan *p, int64_t begin, int64_t n, void *out);
/* The same of gi_draws_plan. */
typedef void (*gi_draws_loop)(const gi_draws_plan *p, int64_t begin, int64_t n, void *out);

/* A sequence of operations on elements of float32 or float64: each takes the result so far, and mostly another operand (cpu/sequence.h). */
typedef enum gi_sequence_what {
    GI_SEQUENCE_LOAD, /* the operand becomes the result */
    GI_SEQUENCE_ADD,
    GI_SEQUENCE_SUBTRACT,
    GI_SEQUENCE_SUBTRACT_FROM, /* the operand less the result */
    GI_SEQUENCE_MULTIPLY,
    GI_SEQUENCE_DIVIDE,
    GI_SEQUENCE_DIVIDE_INTO, /* the operand by the result */
    GI_SEQUENCE_SAVE,        /* the result, until the next one is saved; this and the next four have no operand */
    GI_SEQUENCE_NEGATIVE,
    GI_SEQUENCE_SQUARE,
    GI_SEQUENCE_SQRT,
    GI_SEQUENCE_ABSOLUTE,
    GI_SEQUENCE_ADD_SQUARE,   /* of elements x */
    GI_SEQUENCE_MULTIPLY_ADD, /* times elements x, and the number y added */
    GI_SEQUENCE_ADD_PRODUCT,  /* of elements x and y */
    GI_SEQUENCE_ADD_MULTIPLE, /* of elements x by the number y */
    GI_SEQUENCE_LESS,         /* than the operand; what is true decides the next choice */
    GI_SEQUENCE_LESS_EQUAL,
    GI_SEQUENCE_GREATER,
    GI_SEQUENCE_GREATER_EQUAL,
    GI_SEQUENCE_CHOOSE,      /* the operand where that was false */
    GI_SEQUENCE_CHOOSE_OTHER /* the operand where it was true */
} gi_sequence_what;

enum { GI_OF_ELEMENTS, GI_OF_NUMBER, GI_OF_SAVED, GI_SEQUENCE_STEPS = 48, GI_SEQUENCE_OPERANDS = 16 };

typedef struct gi_sequence_step {
    uint8_t what; /* 4 * gi_sequence_what + what the operand is */
    uint8_t x, y; /* operands */
} gi_sequence_step;

typedef struct gi_sequence {
    int              steps, operands;
    bool             alone;                      /* nothing is saved or compared */
    int              ahead;                      /* bytes: what lies so far behind is brought near meanwhile; 0: nothing */
    int8_t           size[GI_SEQUENCE_OPERANDS]; /* bytes from element to element; 0: a number */
    gi_sequence_step step[GI_SEQUENCE_STEPS];
} gi_sequence;
typedef void (*gi_sequence_loop)(const gi_sequence *q, int64_t n, void *out, const void *const *from);

enum { GI_COUNTERS = 64, GI_DRAWS = 256, GI_DRAW_PAIRS = GI_DRAWS / 2 }; /* that are taken at once */
enum { GI_GUIDE_BITS = 9, GI_GUIDE = 1 << GI_GUIDE_BITS };               /* parts of [0, 1) whose first counts are known */

typedef struct gi_scan_loops { /* section >>scans; of float32 only the last one */
    const double *(*block)(bool product, int64_t n, int64_t width, const double *x, double *a, double *b);
    void (*last)(bool product, int64_t width, const double *x, double *a);
    void (*finish)(bool product, int64_t n, void *out, const double *before, bool each, const double *x);
} gi_scan_loops;

/* Sums of the products of 1 to 1024 packed elements, which are still to be folded by halves; returns how many (section >>dot) */
typedef int64_t (*gi_dot_loop)(int64_t n, const void *x, const void *y, double *accs, int fetch);

/* Fourier transforms (cpu/fourier.h). */
typedef struct gi_fourier_loops {
    void (*first)(const gi_fourier *f, gi_fourier_flow flow, int64_t block, const void *x, double side, void *between,
                  void *room);
    void (*second)(const gi_fourier *f, gi_fourier_flow flow, int64_t block, void *between, void *to, double scale, double side,
                   void *room);
    void (*few)(const gi_fourier *f, int64_t lines, bool across, const void *x, int64_t pitch, void *to, int64_t to_pitch,
                double scale, double side, void *room);
    void (*few_reals)(const gi_fourier *f, gi_fourier_kind kind, int64_t lines, const void *x, int64_t pitch, void *to,
                      int64_t to_pitch, double scale, bool inverse, void *room);
    void (*halves)(const gi_fourier *f, void *z);
    void (*pairs)(const gi_fourier *f, void *z);
    void (*multiply)(int64_t n, const void *x, double side, const void *w, void *out, double scale, double out_side);
    void (*convolve)(const gi_fourier *f, int64_t lines, const void *x, int64_t pitch, void *to, int64_t to_pitch, double scale,
                     double side, void *room);
} gi_fourier_loops;

typedef struct gi_sifted {    /* what is counted beside the elements that are found */
    int64_t inside, from_low; /* elements between or on the bounds; those on the lower one or above it */
    bool    odd;              /* some elements are infinite or NaN */
} gi_sifted;

typedef void (*gi_sift_loop)(int64_t n, const void *x, const void *bounds, uint64_t *in, gi_sifted *sum);
/* Adds the distances from range[2], a number of that type, and their squares; what lies outside range[0] .. range[1] counts as if on the
   bound. */
typedef void (*gi_clamped_loop)(int64_t n, const void *x, const double *range, double *sums);
typedef void (*gi_range_loop)(int64_t n, const void *x, void *range);

typedef struct gi_distance_tiles { /* section >>distances */
    int lanes;                     /* elements of a vector */
    int tile;                      /* vectors side by side in a tile */
    /* room: GI_DISTANCE_PACK bytes and those of GI_DISTANCE_ROWS rows of a tile */
    void (*unit)(const gi_distances *d, int64_t row, int64_t column, char *room);
} gi_distance_tiles;

/* A step of a sorting network on rows of keys: low = min(a, b), high = max(a, b), of elements `at` further on in rows a and b. */
typedef struct gi_network_step {
    int a, b, low, high; /* rows; -1: this result is not wanted */
    int at_a, at_b;
    int reach; /* so many elements more than results of the network */
} gi_network_step;

enum {
    GI_COLUMN_BYTES = 64, /* of a row of keys whose columns are sorted */
    GI_PART_LINE    = 4096,
    GI_SPLIT_AHEAD  = 2048 /* bytes prefetched ahead: hardware prefetchers stop at the end of a page */
};

typedef struct gi_key_loops {                                        /* for one size of elements, section >>keys */
    bool (*to_keys)(const gi_keys *rule, int64_t n, void *elements); /* in place; was there a NaN? */
    void (*from_keys)(const gi_keys *rule, int64_t n, void *keys);
    void (*sort_columns)(int64_t n, void *rows); /* of n rows of GI_COLUMN_BYTES, each by itself */
    /* Of 4 or 8 bytes. What is as wide as a key goes by the key of an element: below low to to[0], above high to to[2], else to to[1], in its
       order. Each `to` has room for what goes there, and 64 bytes. */
    void (*split)(const gi_keys *rule, int64_t n, const void *elements, int64_t low, int64_t high, const void *moved,
                  void *const *to, int64_t *count);
    /* Of 4 or 8 bytes. Keys between low and high go to `to`, which may be `elements` or lie before them, and has 64 bytes more. */
    void (*keep)(const gi_keys *rule, int64_t n, const void *elements, int64_t low, int64_t high, void *to, int64_t *count);
    /* Of 1 or 2 bytes, at most INT32_MAX of them (truths: GI_PART_LINE): the elements, or their int64 numbers, before that of rank kth, those
       equal to it, those behind, each in their order. `to` overlaps no element, and may be written over meanwhile. */
    void (*part_line)(const gi_keys *rule, int64_t n, const void *elements, int64_t kth, bool numbers, void *to);
    /* Of 4 or 8 bytes, NULL if there is no such loop: packed lines are parted by the element at `middle`, n elements further on for each line: those
       before it, equal to it, behind it, each in their order. */
    void (*part_lines)(const gi_keys *rule, int64_t n, int64_t lines, const void *elements, const void *middle, void *to);
} gi_key_loops;

typedef struct gi_window_loops { /* for one size of keys, section >>windows */
    gi_kernel least;             /* of three */
    void (*run_steps)(const gi_network_step *steps, int64_t count, char *const *rows, int64_t n);
    void (*median_3x3)(int64_t n, char *const *rows);
    void (*median_5x5)(int64_t n, char *const *rows);
} gi_window_loops;

typedef int64_t (*gi_locate_loop)(int64_t n, const void *elements,
                                  const void *x); /* the first whose bits are those of *x; there is one */

/* The places of `count` needles among `length` sorted elements from number low on, where they lie; on the right of equal ones, or the left. Floats
   are compared as such, NaN last; of integers, the rule says which bits turn. */
typedef void (*gi_bisect_loop)(const gi_keys *rule, bool right, const void *sorted, int64_t low, int64_t length, int64_t count,
                               const void *needles, int64_t *places);

/* One product of a stack: rows of b and of out lie packed, and are at most 64 bytes long. */
typedef struct gi_small_product {
    int64_t rows, inner, columns, a_row, a_column, b_row, out_row; /* strides in bytes */
} gi_small_product;
typedef void (*gi_small_loop)(const gi_small_product *p, char *out, const char *a, const char *b);

/* Packs the elements whose flags are not 0, and counts them. out has room for 64 bytes more. */
typedef int64_t (*gi_compress_loop)(int64_t n, void *out, const void *in, const uint8_t *flags);

/* Where the first extreme of n elements is, or the first NaN, unless NaNs are skipped; -1: there is a NaN, and it is not known. What lies so
   many bytes ahead is fetched meanwhile; 0: nothing. */
typedef int64_t (*gi_place_loop)(int64_t n, const void *elements, bool largest, bool skip_nan, int64_t ahead);

enum { GI_LINE_ROWS = 512, GI_NETWORK_ROWS = 16 };

/* Keys above their numbers in words: (key - least) >> low >> rest, without the last `rest` bits, for which there is no room. */
typedef struct gi_numbering {
    int      digits, low, rest; /* digits, of the numbers, are given */
    uint64_t least;
} gi_numbering;

typedef void (*gi_word_sort)(int64_t n, void *words); /* unsigned, of 8 bytes */

typedef struct gi_quick_loops { /* of unsigned keys: cpu/quicksort.h */
    void (*sort)(int64_t n, void *keys);
    /* Elements of packed lines of up to GI_LINE_ROWS, by way of as many rows of 64 bytes. Floats have +infinity for NaN, and any zero for -0: special
       is set for such lines. */
    void (*sort_lines)(const gi_keys *rule, int64_t n, int64_t lines, const void *from, void *to, unsigned char *special,
                       void *rows);
    /* Elements of one line, to elsewhere. NaNs are last, in their order. True: there is -0, and the zeros are not in theirs. */
    bool (*sort_line)(const gi_keys *rule, int64_t n, const void *elements, void *to);
    /* Keys become sorted elements, in place. Of floats none is NaN, and zeros are in any order. */
    void (*sort_to_elements)(const gi_keys *rule, int64_t n, void *keys);
    /* Keys below the pivot go first. Returns how many they are. */
    int64_t (*split)(int64_t n, void *keys, uint64_t pivot);
    /* The same of at least 512 bytes of elements, which become keys elsewhere; -1: there is a NaN, and the keys are of no use. *minus: there is -0. */
    int64_t (*split_elements)(const gi_keys *rule, int64_t n, const void *elements, void *to, uint64_t pivot, bool *minus);
    /* The key of a rank; the keys are put in another order. */
    uint64_t (*select)(int64_t n, void *keys, int64_t rank);
    /* Of keys of 8 bytes. */
    void (*number)(int64_t n, const void *keys, uint64_t *words, gi_numbering *plan);
} gi_quick_loops;

/* A window of elements that are numbered in their order: it moves along lines and finds the one of a rank. */
typedef struct gi_slide {
    const int64_t *window, *leaving, *entering; /* where its elements lie, those without one behind, those without one before */
    int64_t        count, edges, rank;
    uint64_t      *bits;
    int64_t        words;
    uint32_t       first_nan; /* the number of the first NaN */
} gi_slide;

/* modf, or with exponents, of int32, frexp; neither result may be x. */
typedef void (*gi_parts_loop)(int64_t n, const void *x, void *part, void *other);

/* The loops of one instruction set. What it does not have it asks of the next lower one. */
typedef struct gi_loops {
    bool (*find)(ga_op op, ga_dtype dtype, gi_kernel *kernel, gi_fold *fold); /* of a row; false: it does not have the dtype */
    gi_cast_kernel (*cast)(ga_dtype to, ga_dtype from);
    const gi_distance_tiles *(*distances)(ga_dtype dtype); /* float32 or float64; so are the next three */
    gi_sift_loop (*sift)(ga_dtype dtype);
    gi_clamped_loop (*sum_clamped)(ga_dtype dtype);
    gi_range_loop (*widen_range)(ga_dtype dtype);
    const gi_window_loops *(*windows)(int itemsize);
    void (*slide)(const gi_slide *s, const uint32_t *first, int64_t step, int64_t n, uint32_t *out);
    const gi_bit_rows *(*bits)(void);
    gi_correlate_loop (*correlate)(ga_dtype dtype);
    /* Of other dtypes none. For 3 or more rows of weights; rows of results as the columns: at least 4, or a multiple. */
    gi_correlate_loop (*correlate_tiles)(ga_dtype dtype);
    gi_random_loop random;
    const gi_node_loops *(*nodes)(ga_dtype dtype);      /* float32 or float64 */
    const gi_scan_loops *(*scans)(ga_dtype dtype);      /* float32 or float64 */
    const gi_fourier_loops *(*fourier)(ga_dtype dtype); /* float32 or float64 */
    gi_chains (*chains)(ga_dtype dtype);
    const gi_product_tiles *(*tiles)(ga_dtype dtype); /* of float32, float64, int32 or int64 */
    gi_turn_lines (*turn)(int itemsize);              /* NULL: none for elements of that size */
    gi_kernel (*select)(int itemsize);
    gi_kernel (*power)(double exponent, ga_dtype dtype);
    gi_kernel (*with_number)(ga_op op, int numbers, ga_dtype dtype); /* bits; NULL: there is none; numbers.h */
    gi_sequence_loop (*sequence)(ga_dtype dtype);                    /* float32 or float64 */
    gi_kernel (*replace)(int itemsize); /* out[i] = x[i] where y[i], a bool, is true; for elements of up to 8 bytes */
    gi_stream stream;                   /* how results that no cache would keep are written */
    const gi_linear_loops *(*linear)(void);
    gi_cast_kernel (*half)(ga_dtype to, ga_dtype from);     /* of GI_EACH_HALF_CAST; NULL: none */
    gi_dot_loop (*dot)(ga_dtype dtype);                     /* float32 or float64 */
    gi_locate_loop (*locate)(int itemsize);                 /* NULL: none for elements of that size */
    gi_bisect_loop (*bisect)(int itemsize);                 /* NULL: none for elements of that size */
    gi_small_loop (*small)(ga_dtype dtype);                 /* NULL: none for that dtype */
    const gi_quick_loops *(*quick)(int itemsize);           /* NULL: none for keys of that size */
    gi_place_loop (*place)(ga_dtype dtype);                 /* NULL: none for that dtype */
    gi_rows_loop (*truths)(ga_dtype from, bool all);        /* folds of ga_any or ga_all; NULL: none for that dtype */
    gi_block_loop (*truth_blocks)(ga_op op, ga_dtype from); /* the same of packed lines, and of ga_count_nonzero */
    /* Packs elements of up to 8 bytes: every second one, or from the first one back. */
    gi_cast_kernel (*gather)(int itemsize, bool reversed);
    bool (*inside)(int64_t n, const int64_t *index, int64_t length); /* are all of them 0 .. length - 1? */
    gi_compress_loop (*compress)(int itemsize);                      /* NULL: none for elements of that size */
    gi_word_sort (*sort_words)(void);                                /* that of quick(8), without the rest; or NULL */
    const gi_key_loops *(*keys)(int itemsize);
    gi_draws_loop draws;
    gi_parts_loop (*parts)(ga_dtype dtype, bool exponents); /* float32 or float64 */
} gi_loops;
