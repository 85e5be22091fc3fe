/* ---- Fourier transforms: how a length is cut into stages ------------------------------------------------------------- */
/*  A length that is short, or has no two factors of GI_FOURIER_BLOCK bytes of reals each, is one chain of stages. Any other is n1 * n2:
    chains of length n1 over the elements j1 * n2 + j2, for each j2; then each result is multiplied by a root of unity; then chains
    of length n2 over j2 (Gentleman and Sande 1966, Bailey 1990). A chain is Stockham's (Cochran and others 1967): each stage reads all
    elements in order and writes them in the order that the next one reads. Lengths with large prime factors are convolutions of a
    longer, smooth length (Bluestein 1970). All this depends on the length, the dtype and whether numbers are real alone, so a result has
    the same bits, alone or among other lines, on the CPU and on a GPU.                                                        */

#ifdef __CUDACC__
#define GI_FOURIER_FN static inline __host__ __device__
#else
#define GI_FOURIER_FN static inline
#endif

enum {
    GI_FOURIER_BYTES  = 64,      /* of the reals that are computed side by side */
    GI_FOURIER_BESIDE = 1024,    /* elements at most of lines that are computed in lanes, each of them in one */
    GI_FOURIER_STAGES = 24,      /* at most, of a chain */
    GI_FOURIER_PRIME  = 163,     /* the largest that is a stage of its own; of real numbers, where a convolution rounds more: */
    GI_FOURIER_ALONE  = 271,     /* whatever the length, */
    GI_FOURIER_LARGE  = 367,     /* and where the length is twice the prime or more */
    GI_FOURIER_ROWS   = 23,      /* the smallest of which few lines are computed with the elements of a result in lanes */
    GI_FOURIER_TERMS  = 8,       /* of a stage's sums that are added one after the other */
    GI_FOURIER_ROOTS  = 1 << 13, /* numbers; of longer lines the roots between the chains are products of two */
    GI_FOURIER_HALVES = 1 << 20  /* roots of real numbers; more are products of two */
};

/* A transform of `radix` elements for all p < m, q < s: from q + s * (p + m * k) to q + s * (radix * p + k), for k < radix, where it is
   multiplied by exp(-2 pi i p k / (radix * m)). */
typedef struct gi_fourier_stage {
    int     radix;
    int64_t m, s;
    int64_t roots;  /* where in the table those of p = 1, 2 ... lie, k = 1 to radix - 1 each, as re, im */
    int64_t circle; /* and cos and sin of 2 pi k / radix */
    int64_t rows;   /* or -1; for few lines: for each block of k <= radix / 2, for j = 1 to radix / 2, cos and sin of
                       2 pi j k / radix */
} gi_fourier_stage;

typedef struct gi_fourier_chain {
    int64_t          n;
    int              stages;
    gi_fourier_stage stage[GI_FOURIER_STAGES];
} gi_fourier_chain;

/* A plan is kept with its tables, which are of the transform's precision. */
typedef struct gi_fourier {
    int64_t          n;
    bool             single;
    int              width;  /* lanes: reals that are computed side by side */
    int64_t          n1, n2; /* n2 is 1: one chain */
    gi_fourier_chain first, second;
    int64_t  prime;     /* the largest that is a stage and has no function of its own, or 0: so many elements are its room */
    int32_t *chosen;    /* of odd lengths: the k1 from which gi_fourier_turned makes the others, in order, without 0 */
    int      shift;     /* roots of k1 * j2 are those of the lowest bits of k1, so many, times those of the others */
    int64_t  near, far; /* where they lie: for each block of j2, for each k1, re of `width` lanes, then im */
    struct gi_fourier *inner;         /* of a convolution: its transforms; of real numbers: that of half the length */
    int64_t            chirp, filter; /* of a convolution: exp(-pi i k**2 / n), and the transform of its conjugates */
    int64_t            halves;        /* of real numbers: exp(-2 pi i k / n) for k <= n / 4: all re, then all im */
    int64_t            reals, shared; /* in the table, and without `rows`, which are the last */
    void              *table;
    bool               real;   /* of real numbers, of even length */
    bool               direct; /* for real numbers: a prime beyond GI_FOURIER_PRIME is a stage */
    int                users;
    uint64_t           used; /* when */
} gi_fourier;

static inline int gi_fourier_width(bool single) { return GI_FOURIER_BYTES / (int)(single ? sizeof(float) : sizeof(double)); }

/* Rows of `width` lanes that hold n of them; the last one begins earlier where n is no multiple. */
static inline int64_t gi_fourier_blocks(int64_t n, int width) { return (n + width - 1) / width; }
static inline int64_t gi_fourier_start(int64_t block, int64_t n, int width)
{
    return (block + 1) * width <= n ? block * width : n - width;
}

/* Where the rows of a prime have its cosines for elements from k on, of a block; those of the next j, and the sines, lie 2 * width and width
   behind. */
static inline int64_t gi_fourier_row(int64_t radix, int64_t k, int width)
{
    return k / width * (radix / 2) * 2 * width + k % width;
}

/* So many of the roots between the chains are kept for each j2, by the lowest bits of k1 and by the others. */
static inline int64_t gi_fourier_near(const gi_fourier *f) { return f->n1 >> f->shift ? (int64_t)1 << f->shift : f->n1; }
static inline int64_t gi_fourier_far(const gi_fourier *f) { return ((f->n1 - 1) >> f->shift) + 1; }

/* So many of `halves` are kept. Those of long lines are roots of the lowest bits of k, and times those of the others, which lie at `far`. */
static inline int64_t gi_fourier_halves(const gi_fourier *f) { return f->shift > 0 ? (int64_t)1 << f->shift : f->n / 4 + 1; }

/* The radix of the next stage of a chain: 8, but no 2 is left behind where 4 * 4 can be, or 6. */
static inline int64_t gi_fourier_radix(int64_t n)
{
    if (n % 8 == 0 && n % 32 != 16) return 8;
    if (n % 4 == 0) return 4;
    if (n % 6 == 0) return 6;
    for (int64_t r = 2; r <= GI_FOURIER_LARGE; r++)
        if (n % r == 0) return r;
    return n;
}

/* About how long a chain takes for each element; to begin a stage takes as long as some elements. */
static inline double gi_fourier_cost(int64_t n)
{
    double       cost  = n > 192 ? 2 : 1; /* to read and write what comes after and before */
    const double begin = 24 / (double)n;
    for (int64_t r; n > 1; n /= r) {
        r = gi_fourier_radix(n);
        cost += begin + (r <= 8 ? 1 + 0.25 * (double)r : 0.75 * (double)r);
    }
    return cost + begin;
}

/* The largest prime that is a stage in transforms of n numbers. */
static inline int64_t gi_fourier_largest(int64_t n, bool reals)
{
    if (!reals) return GI_FOURIER_PRIME;
    if (n >= 2 * GI_FOURIER_LARGE) return GI_FOURIER_LARGE;
    if (n >= 2 * GI_FOURIER_ALONE) return n / 2;
    return GI_FOURIER_ALONE;
}

/* Is no prime factor larger? */
static inline bool gi_fourier_is_smooth(int64_t n, int64_t largest)
{
    for (int64_t r = 2; n > 1 && r <= largest; r++)
        while (n % r == 0) n /= r;
    return n == 1;
}

/* Takes n = a * b if it costs less than the best one so far. */
static inline void gi_fourier_try(gi_fourier *f, int64_t a, int64_t b, double *best)
{
    const int64_t w    = f->width;
    const double  cost = (double)(gi_fourier_blocks(b, f->width) * w) / (double)b * gi_fourier_cost(a) +
                        (double)(gi_fourier_blocks(a, f->width) * w) / (double)a * gi_fourier_cost(b) +
                        1e-3 * (double)(a > b ? a / b : b / a);
    if (f->n2 > 1 && cost >= *best) return;
    *best = cost;
    f->n1 = a;
    f->n2 = b;
}

/* Cuts a smooth length into n1 and n2. */
static inline void gi_fourier_cut(gi_fourier *f)
{
    double best = 0;
    f->n1       = f->n;
    f->n2       = 1;
    for (int64_t a = f->width; a <= f->n / a; a++) {
        if (f->n % a != 0) continue;
        gi_fourier_try(f, a, f->n / a, &best);
        gi_fourier_try(f, f->n / a, a, &best);
    }
}

/* About how long a transform of that many elements takes among others, in lanes. */
static inline double gi_fourier_cost_in_lanes(int64_t n)
{
    double stages = 2;
    for (int64_t left = n, r; left > 1; left /= r) {
        r = gi_fourier_radix(left);
        stages += r % 2 != 0 ? 0.75 + (double)r / 3 : 1 + 0.25 * (double)r;
    }
    return stages * (double)n;
}

/* The length of at least n for a convolution, of no prime but 2, 3 and 5: the smallest multiple of 64; or, where lines are computed in lanes,
   the cheapest multiple of `width`, so that one alone can be cut, and of 7 too. */
static inline int64_t gi_fourier_longer(int64_t n, int width)
{
    const bool    lanes  = n <= GI_FOURIER_BESIDE;
    const int64_t least  = lanes ? width : 64;
    const int64_t beyond = lanes ? 2 * n : least + 1; /* without lanes, no factor is 7 */
    int64_t       best   = 64;
    while (best < n) best *= 2;
    for (int64_t seven = least; seven < beyond; seven *= 7)
        for (int64_t five = seven; five < 2 * n; five *= 5)
            for (int64_t three = five; three < 2 * n; three *= 3) {
                int64_t length = three;
                while (length < n) length *= 2;
                if (lanes ? gi_fourier_cost_in_lanes(length) < gi_fourier_cost_in_lanes(best) : length < best) best = length;
            }
    return best;
}

typedef enum gi_fourier_kind {
    GI_FOURIER_COMPLEX, /* n numbers from n */
    GI_FOURIER_HALF,    /* of n real numbers n / 2 + 1, which tell the others */
    GI_FOURIER_WHOLE,   /* of n real numbers all n */
    GI_FOURIER_REAL     /* of n / 2 + 1, which tell the others, n real numbers */
} gi_fourier_kind;

/* The transforms of many lines, which are not empty. */
typedef struct gi_fourier_job {
    const gi_fourier *f;
    gi_fourier_kind   kind;
    bool              inverse;
    double            scale;
    const ga_array   *from, *to;
    const char       *in;
    char             *out;
    int64_t           n_in, n_out, n;    /* elements of a line that are read (what is missing is 0), written, and transformed */
    size_t            in_size, out_size; /* bytes of an element */
    int64_t           in_step, out_step; /* from one to the next */
    int               ndim;              /* axes of the lines; one at least */
    int64_t           shape[GPUARR_MAX_DIMS], in_strides[GPUARR_MAX_DIMS], out_strides[GPUARR_MAX_DIMS];
} gi_fourier_job;

/*  Real numbers of an odd length take about half of the stages of complex ones. Forward, the first chains read real numbers. Their stages
    make transforms of which one is of real numbers again, and gives r / 2 pairs of conjugates: one of each pair is computed. Then second
    chains are for k1 <= n1 / 2. Back, the numbers tell those behind the half: first chains are for j2 <= n2 / 2, and of the transforms
    whose results are real (the second ones, or, in one chain, the first) each stage reads and writes p <= m / 2.
    Forward, what the first chains compute has the bits of complex ones; back, that of a chain's first such stage alone has.    */
typedef enum gi_fourier_flow { GI_FOURIER_FULL, GI_FOURIER_FROM_REALS, GI_FOURIER_TO_REALS } gi_fourier_flow;

static inline gi_fourier_flow gi_fourier_flow_of(const gi_fourier *f, gi_fourier_kind kind)
{
    if (f->real || f->inner || kind == GI_FOURIER_COMPLEX) return GI_FOURIER_FULL;
    return kind == GI_FOURIER_REAL ? GI_FOURIER_TO_REALS : GI_FOURIER_FROM_REALS;
}

/* Chains of the second kind that are computed, and of the first kind. */
static inline int64_t gi_fourier_rows(const gi_fourier *f, gi_fourier_flow flow)
{
    return flow == GI_FOURIER_FROM_REALS ? f->n1 / 2 + 1 : f->n1;
}
static inline int64_t gi_fourier_columns(const gi_fourier *f, gi_fourier_flow flow)
{
    return flow == GI_FOURIER_TO_REALS ? f->n2 / 2 + 1 : f->n2;
}

/* Does a chain that reads real numbers give element k as the conjugate of element n - k? */
GI_FOURIER_FN bool gi_fourier_turned(const gi_fourier_chain *c, int64_t k)
{
    for (int i = 0; i < c->stages && k > 0; k /= c->stage[i++].radix)
        if (k % c->stage[i].radix != 0) return k % c->stage[i].radix > c->stage[i].radix / 2;
    return false;
}
