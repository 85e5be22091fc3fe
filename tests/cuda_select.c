/* Running sums, selection, counting, generators and rearranging on the GPU: the bits, shapes, dtypes and errors of the CPU. */
#include "test.h"

static const ga_dtype dtypes[] = { GA_BOOL, GA_I8,  GA_U8,  GA_I16, GA_U16, GA_I32, GA_U32,
                                   GA_I64,  GA_U64, GA_F32, GA_F64, GA_C64, GA_C128 };
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

/* Sizes around those of the kernels: warps, blocks, tiles. */
static const int64_t sizes[] = {
    0, 1, 2, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 2047, 2049, 4095, 4096, 4097, 5000, 70001
};
#define SIZES ((int)(sizeof sizes / sizeof *sizes) - test_small()) /* the largest is left out of a small test */

/* ---- comparing ----------------------------------------------------------------------------------------------------------- */

#define SAME(here, there) CHECK(test_same_freed(here, there))

/* An array and its copy on the GPU. */
typedef struct pair {
    ga_array *here, *there;
} pair;

static pair both(ga_array *here)
{
    pair p = { here, ga_to(here, GA_CUDA) };
    return p;
}

static void drop(pair p)
{
    ga_free(p.here);
    ga_free(p.there);
}

/* The same view of both. */
static pair view(pair p, const char *index)
{
    pair v = { (ga_index)("", p.here, "%s", index), (ga_index)("", p.there, "%s", index) };
    drop(p);
    return v;
}

/* Numbers of all kinds: of different sizes and signs, zeros of both signs; `wild`: NaN and infinity, too. */
static double number(bool wild)
{
    uint64_t r = test_random();
    switch (r % 16) {
    case 0: return 0;
    case 1: return -0.0;
    case 2: return wild ? NAN : 1;
    case 3: return wild && r % 5 == 0 ? INFINITY : 1e-3;
    case 4: return 1e9 * (double)(r >> 40);
    default: return ((double)(int64_t)(r >> 11) - 0x1p52) * 0x1p-45;
    }
}

static ga_array *numbers(int64_t n, ga_dtype dtype, bool wild)
{
    bool      complex = dtype == GA_C64 || dtype == GA_C128;
    ga_array *wide    = ga_empty_n(2, ((int64_t[]){ n, 2 }), .dtype = GA_F64);
    for (int64_t i = 0; i < 2 * n; i++) ((double *)wide->data)[i] = number(wild);
    ga_array *whole = complex ? ga_view_as(wide, GA_C128) : ga_index(wide, ":, :1");
    ga_array *flat = ga_ravel(whole), *a = ga_astype(flat, dtype);
    ga_free(flat);
    ga_free(whole);
    ga_free(wide);
    return a;
}

static pair pair_of(int64_t n, ga_dtype dtype) { return both(numbers(n, dtype, true)); }

static pair integers(int64_t n, int64_t low, int64_t high, ga_dtype dtype)
{
    ga_array *a = ga_empty_n(1, &n, .dtype = GA_I64);
    for (int64_t i = 0; i < n; i++) ((int64_t *)a->data)[i] = low + (int64_t)(test_random() % (uint64_t)(high - low));
    pair p = both(ga_astype(a, dtype));
    ga_free(a);
    return p;
}

static pair shaped(pair p, ga_shape shape)
{
    pair q = { (ga_reshape)(p.here, shape, ""), (ga_reshape)(p.there, shape, "") };
    drop(p);
    return q;
}
#define SHAPED(p, ...) shaped(p, ((ga_shape){ sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t), { __VA_ARGS__ } }))

/* Both calls fail with the same sentence. */
static char sentence[1024];
static bool fails(ga_array *result)
{
    bool ok = result == NULL && ga_error() != NULL;
    if (ok) snprintf(sentence, sizeof sentence, "%s", strchr(ga_error(), ')') ? strrchr(ga_error(), ':') : ga_error());
    ga_clear_error();
    return ok;
}
static bool fails_alike(ga_array *result)
{
    char before[sizeof sentence];
    memcpy(before, sentence, sizeof before);
    return fails(result) && strcmp(before, sentence) == 0;
}
#define FAILS_ALIKE(here, there) CHECK(fails(here) && fails_alike(there))
static bool mixed(void)
{
    bool ok = ga_error() && ga_error_status() == GA_BAD_DEVICE && strstr(ga_error(), "bring them together with ga_to");
    ga_clear_error();
    return ok;
}
#define MIXED(call) CHECK((call) == 0 && mixed())

/* ---- running sums ---------------------------------------------------------------------------------------------------------- */

static void test_running(bool thorough)
{
    for (int d = 0; d < DTYPES; d++)
        for (int s = 0; s < SIZES; s++) {
            if (!thorough && (s + d) % 3) continue;
            pair p = both(numbers(sizes[s], dtypes[d], d % 2));
            SAME(ga_cumsum(p.here), ga_cumsum(p.there));
            SAME(ga_cumprod(p.here), ga_cumprod(p.there));
            drop(p);
        }
    for (int d = 0; d < DTYPES; d++) { /* lines along each axis, short and long, with gaps */
        pair p = SHAPED(both(numbers(3 * 1030 * 5, dtypes[d], false)), 3, 1030, 5);
        for (int axis = 0; axis < 3; axis++) SAME(ga_cumsum(p.here, .axis = axis), ga_cumsum(p.there, .axis = axis));
        p = view(p, "::-1, 3::2, 1:4");
        for (int axis = -3; axis < 0; axis++) SAME(ga_cumsum(p.here, .axis = axis), ga_cumsum(p.there, .axis = axis));
        SAME(ga_cumsum(p.here, .dtype = GA_F32), ga_cumsum(p.there, .dtype = GA_F32));
        SAME(ga_cumsum(p.here, .dtype = GA_I16), ga_cumsum(p.there, .dtype = GA_I16));
        SAME(ga_cumprod(p.here, .dtype = GA_BOOL, .axis = 2), ga_cumprod(p.there, .dtype = GA_BOOL, .axis = 2));
        drop(p);
    }
    static const int64_t lengths[] = { 1, 2, 3, 5, 10, 100, 255, 341, 500, 513, 1000, 1024, 1025, 2048, 2100 };
    static const int64_t others[]  = { 1, 2, 3, 4, 7, 33, 256, 768, 1500 };
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
            int64_t n = lengths[i], m = others[k];
            if (n * m > (thorough ? 800000 : 60000)) continue;
            pair p = both(numbers(n * m, k % 3 == 0 ? GA_F64 : k % 3 == 1 ? GA_F32 : GA_C64, false));
            p      = SHAPED(p, n, m);
            SAME(ga_cumsum(p.here, .axis = 0), ga_cumsum(p.there, .axis = 0));
            SAME(ga_cumsum(p.here, .axis = 1), ga_cumsum(p.there, .axis = 1));
            drop(p);
        }
    if (thorough) { /* blocks of blocks of blocks */
        pair p = both(numbers(1024 * 1024 + 5000, GA_F32, false));
        SAME(ga_cumsum(p.here), ga_cumsum(p.there));
        p = view(p, "1::3");
        SAME(ga_cumsum(p.here), ga_cumsum(p.there));
        drop(p);
    }
    pair p = both(numbers(4000, GA_F64, false)), o = both(ga_zeros((4000), .dtype = GA_F32));
    CHECK(ga_cumsum(p.there, .out = o.there) == o.there && ga_cumsum(p.here, .out = o.here) == o.here);
    SAME(ga_view(o.here), ga_view(o.there));
    MIXED(ga_cumsum(p.there, .out = o.here));
    FAILS_ALIKE(ga_cumsum(p.here, .axis = 1), ga_cumsum(p.there, .axis = 1));
    drop(o);
    drop(p);
}

/* ---- take, compress, extract, nonzero ------------------------------------------------------------------------------------- */

static void test_take(bool thorough)
{
    static const ga_take_mode modes[] = { GA_TAKE_RAISE, GA_TAKE_WRAP, GA_TAKE_CLIP };
    for (int d = 0; d < DTYPES; d++)
        for (int s = thorough ? 1 : 1 + d % 3; s < SIZES; s += thorough ? 1 : 3) {
            int64_t n = sizes[s];
            pair    p = pair_of(n, dtypes[d]);
            for (int m = 0; m < 3; m++) {
                pair i = m == 0 ? integers(n / 2 + 3, -n, n, GA_I64) : integers(n / 2 + 3, -5 * n, 5 * n, GA_I32);
                SAME(ga_take(p.here, i.here, .mode = modes[m]), ga_take(p.there, i.there, .mode = modes[m]));
                i = view(i, "::-2");
                SAME(ga_take(p.here, i.here, .mode = modes[m]), ga_take(p.there, i.there, .mode = modes[m]));
                drop(i);
            }
            drop(p);
        }
    for (int d = 0; d < DTYPES; d++) { /* along axes; rows of odd and even lengths, and moved by some bytes */
        pair p = SHAPED(pair_of(7 * 12 * 5, dtypes[d]), 7, 12, 5), i = SHAPED(integers(12, -7, 5, GA_I16), 2, 6);
        for (int round = 0; round < 3; round++) {
            if (round == 1) p = view(p, "1:, :, :");
            if (round == 2) p = view(p, ":, 1:7, ::-1");
            for (int axis = 0; axis < 3; axis++)
                SAME(ga_take(p.here, i.here, .axis = axis, .mode = GA_TAKE_WRAP),
                     ga_take(p.there, i.there, .axis = axis, .mode = GA_TAKE_WRAP));
        }
        drop(i);
        drop(p);
    }
    pair p = pair_of(100, GA_F32), i = integers(50, -150, 90, GA_I64), none = pair_of(0, GA_F32),
         nothing = integers(0, 0, 1, GA_I64);
    FAILS_ALIKE(ga_take(p.here, i.here), ga_take(p.there, i.there));
    FAILS_ALIKE(ga_take(none.here, i.here), ga_take(none.there, i.there));
    SAME(ga_take(p.here, nothing.here), ga_take(p.there, nothing.there));
    SAME(ga_take(none.here, nothing.here), ga_take(none.there, nothing.there));
    MIXED(ga_take(p.there, i.here));
    MIXED(ga_take(p.here, i.there));
    none = SHAPED(none, 0, 5);
    FAILS_ALIKE(ga_take(none.here, i.here, .axis = 1), ga_take(none.there, i.there, .axis = 1));
    SAME(ga_take(none.here, i.here, .axis = 1, .mode = GA_TAKE_CLIP),
         ga_take(none.there, i.there, .axis = 1, .mode = GA_TAKE_CLIP));
    drop(nothing);
    drop(none);
    drop(i);
    drop(p);
}

static void test_choose(bool thorough)
{
    for (int d = 0; d < DTYPES; d++)
        for (int s = thorough ? 0 : d % 3; s < SIZES; s += thorough ? 1 : 3)
            for (int density = 0; density < 4; density++) {
                int64_t n = sizes[s];
                pair    p = pair_of(n, dtypes[d]), c = integers(n, density == 0 ? -9 : density - 2, density + 1, GA_I8);
                if (density == 1) { /* flags themselves, at odd addresses */
                    pair f = both(ga_astype(c.here, GA_BOOL));
                    drop(c);
                    c = f;
                    if (n > 40) c = view(c, "3:"), p = view(p, "3:");
                }
                SAME(ga_extract(c.here, p.here), ga_extract(c.there, p.there));
                SAME(ga_compress(c.here, p.here), ga_compress(c.there, p.there));
                SAME(ga_nonzero(p.here), ga_nonzero(p.there));
                SAME(ga_nonzero(c.here), ga_nonzero(c.there));
                c = view(c, "::-3"), p = view(p, "::3");
                SAME(ga_extract(c.here, p.here), ga_extract(c.there, p.there));
                drop(c);
                drop(p);
            }
    pair c = SHAPED(integers(4 * 30 * 7 * 5, -3, 2, GA_F32), 4, 30, 7, 5),
         p = SHAPED(pair_of(4 * 30 * 7 * 5, GA_C64), 4, 30, 7, 5);
    for (int round = 0; round < 2; round++) {
        SAME(ga_nonzero(c.here), ga_nonzero(c.there));
        SAME(ga_extract(c.here, p.here), ga_extract(c.there, p.there));
        for (int axis = 0; axis < 4; axis++) {
            pair line = integers(p.here->shape[axis], 0, 2, GA_I32);
            SAME(ga_compress(line.here, p.here, .axis = axis), ga_compress(line.there, p.there, .axis = axis));
            drop(line);
        }
        pair turned = { ga_transpose(c.here), ga_transpose(c.there) };
        SAME(ga_nonzero(turned.here), ga_nonzero(turned.there));
        drop(turned);
        c = view(c, "::-1, 5:20:3, :, 1:3"), p = view(p, ":, ::6, :, :2");
    }
    pair line = integers(200, 0, 2, GA_BOOL), empty = integers(0, 0, 1, GA_I64), zero = { ga_zeros((0, 3)), NULL };
    zero = both(zero.here);
    FAILS_ALIKE(ga_compress(line.here, p.here, .axis = 0), ga_compress(line.there, p.there, .axis = 0));
    FAILS_ALIKE(ga_compress(line.here, zero.here, .axis = 0), ga_compress(line.there, zero.there, .axis = 0));
    FAILS_ALIKE(ga_extract(line.here, p.here), ga_extract(line.there, p.there));
    SAME(ga_compress(empty.here, p.here, .axis = 0), ga_compress(empty.there, p.there, .axis = 0));
    SAME(ga_nonzero(zero.here), ga_nonzero(zero.there));
    SAME(ga_extract(zero.here, zero.here), ga_extract(zero.there, zero.there));
    MIXED(ga_extract(c.here, c.there));
    MIXED(ga_compress(line.here, p.there, .axis = 1));
    drop(zero);
    drop(empty);
    drop(line);
    drop(p);
    drop(c);
}

/* ---- histogram, bincount -------------------------------------------------------------------------------------------------- */

static void test_counting(bool thorough)
{
    static const int64_t bins[] = { 1, 3, 10, 255, 4096, 4097, 9000 };
    for (int d = 0; d < DTYPES - 2; d++)
        for (int s = thorough ? 0 : d % 3; s < SIZES; s += thorough ? 1 : 3) {
            ga_array *edges_here = NULL, *edges_there = NULL;
            pair      p = pair_of(sizes[s], dtypes[d]), w = pair_of(sizes[s], dtypes[(d + s) % (DTYPES - 2)]);
            int64_t   n = bins[(s + d) % 7];
            SAME(ga_histogram(p.here, n, .low = -70, .high = 90.5, .edges = &edges_here),
                 ga_histogram(p.there, n, .low = -70, .high = 90.5, .edges = &edges_there));
            SAME(edges_here, edges_there);
            SAME(ga_histogram(p.here, n, .low = -70, .high = 90.5, .weights = w.here),
                 ga_histogram(p.there, n, .low = -70, .high = 90.5, .weights = w.there));
            SAME(ga_histogram(p.here, n, .low = -1, .high = 100, .density = true),
                 ga_histogram(p.there, n, .low = -1, .high = 100, .density = true));
            drop(w);
            drop(p);
        }
    for (int d = 0; d < DTYPES - 2; d++) { /* the range from the data */
        pair p = both(numbers(3000, dtypes[d], false)), w = both(numbers(3000, GA_F32, false));
        SAME(ga_histogram(p.here, 50), ga_histogram(p.there, 50));
        SAME(ga_histogram(p.here, 7, .weights = w.here, .density = true),
             ga_histogram(p.there, 7, .weights = w.there, .density = true));
        p = SHAPED(p, 60, 50), w = SHAPED(w, 60, 50);
        p = view(p, "::-1, 3:20:2"), w = view(w, ":, 9:0:-1");
        SAME(ga_histogram(p.here, 20, .weights = w.here), ga_histogram(p.there, 20, .weights = w.there));
        drop(w);
        drop(p);
    }
    for (int d = 0; d < 9; d++)
        for (int s = thorough ? 0 : d % 3; s < SIZES; s += thorough ? 1 : 3) {
            pair p = integers(sizes[s], 0, d == 0 ? 2 : 100, dtypes[d]), w = pair_of(sizes[s], dtypes[(d + s) % (DTYPES - 2)]);
            SAME(ga_bincount(p.here), ga_bincount(p.there));
            SAME(ga_bincount(p.here, .minlength = 5000), ga_bincount(p.there, .minlength = 5000));
            SAME(ga_bincount(p.here, .weights = w.here), ga_bincount(p.there, .weights = w.there));
            p = view(p, "::-2"), w = view(w, "::2");
            SAME(ga_bincount(p.here, .weights = w.here), ga_bincount(p.there, .weights = w.there));
            drop(w);
            drop(p);
        }
    for (int round = 0; round < (test_small() ? 1 : 3);
         round++) { /* several blocks of weights; one bin with nearly all; more bins than a block */
        int64_t n = thorough ? 300000 : 140000;
        pair    p = integers(n, 0, round == 0 ? 50 : round == 1 ? 3 : 80000, GA_I32), w = both(numbers(n, GA_F64, false));
        for (int64_t i = 0; i < n && round == 1; i++)
            if (i % 97) ((int32_t *)p.here->data)[i] = 1;
        ga_free(p.there);
        p.there = ga_to(p.here, GA_CUDA);
        SAME(ga_bincount(p.here, .weights = w.here), ga_bincount(p.there, .weights = w.there));
        SAME(ga_bincount(p.here), ga_bincount(p.there));
        drop(w);
        drop(p);
    }
    pair p = integers(100, -3, 5, GA_I32), f = pair_of(100, GA_F32), c = pair_of(100, GA_C64);
    FAILS_ALIKE(ga_bincount(p.here), ga_bincount(p.there));
    FAILS_ALIKE(ga_histogram(f.here, 10), ga_histogram(f.there, 10)); /* NaN */
    FAILS_ALIKE(ga_histogram(p.here, 10, .weights = c.here), ga_histogram(p.there, 10, .weights = c.there));
    FAILS_ALIKE(ga_histogram(p.here, 10, .low = 1, .high = 1 + 1e-15), ga_histogram(p.there, 10, .low = 1, .high = 1 + 1e-15));
    MIXED(ga_histogram(p.here, 10, .weights = f.there));
    MIXED(ga_bincount(p.there, .weights = f.here));
    drop(c);
    drop(f);
    drop(p);
}

/* ---- generators ------------------------------------------------------------------------------------------------------------ */

static void test_generators(void)
{
    for (int s = 0; s < SIZES; s++) {
        int64_t n = sizes[s];
        for (int d = 0; d < DTYPES; d++) {
            ga_dtype t = dtypes[d];
            if ((s + d) % 2 && n > 300) continue;
            if (t != GA_BOOL || n <= 2) {
                if (n < 30) SAME(ga_arange(3, 3 + n, 1, .dtype = t), ga_arange(3, 3 + n, 1, .dtype = t, .device = GA_CUDA));
                if (t >= GA_I32) SAME(ga_arange(n, 0, -1, .dtype = t), ga_arange(n, 0, -1, .dtype = t, .device = GA_CUDA));
            }
            if (t >= GA_F32)
                SAME(ga_arange(0.1, 0.1 + 0.3 * (double)n, 0.3, .dtype = t),
                     ga_arange(0.1, 0.1 + 0.3 * (double)n, 0.3, .dtype = t, .device = GA_CUDA));
            SAME(ga_linspace(-3.7, 100, n, .dtype = t), ga_linspace(-3.7, 100, n, .dtype = t, .device = GA_CUDA));
            SAME(ga_linspace(1e-320, 0, n, .endpoint = false, .dtype = t),
                 ga_linspace(1e-320, 0, n, .endpoint = false, .dtype = t, .device = GA_CUDA));
            if (t >= GA_I8 && t <= GA_U64)
                SAME(ga_random_integers(0, 100, (n), .dtype = t, .seed = 7),
                     ga_random_integers(0, 100, (n), .dtype = t, .seed = 7, .device = GA_CUDA));
        }
        for (int d = 0; d < 2; d++) {
            ga_dtype t = d ? GA_F32 : GA_F64;
            SAME(ga_random((n), .dtype = t, .seed = 42), ga_random((n), .dtype = t, .seed = 42, .device = GA_CUDA));
            SAME(ga_random((n), .dtype = t, .seed = 1u << 31, .stream = 3),
                 ga_random((n), .dtype = t, .seed = 1u << 31, .stream = 3, .device = GA_CUDA));
            SAME(ga_random_normal(2, 1.5, (n), .dtype = t, .seed = 5),
                 ga_random_normal(2, 1.5, (n), .dtype = t, .seed = 5, .device = GA_CUDA));
            SAME(ga_random_exponential(3, (n), .dtype = t, .seed = 5),
                 ga_random_exponential(3, (n), .dtype = t, .seed = 5, .device = GA_CUDA));
            if (n > 3000) continue;
            static const double shapes[] = { 0, 1e-3, 0.5, 1, 2.5, 1e6, 1e13 }; /* above and below 1, many and few rejections */
            for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
                SAME(ga_random_gamma(shapes[k], 2, (n), .dtype = t, .seed = 5),
                     ga_random_gamma(shapes[k], 2, (n), .dtype = t, .seed = 5, .device = GA_CUDA));
                if (k == 0) continue;
                SAME(ga_random_beta(shapes[k], 1.5, (n), .dtype = t, .seed = 5),
                     ga_random_beta(shapes[k], 1.5, (n), .dtype = t, .seed = 5, .device = GA_CUDA));
            }
        }
        static const double means[] = { 0, 1e-3, 3, 40, 41, 1000, 1e12 }; /* from a table, and by rejection */
        for (size_t k = 0; k < sizeof means / sizeof *means && n <= 3000; k++) {
            SAME(ga_random_poisson(means[k], (n), .seed = 5), ga_random_poisson(means[k], (n), .seed = 5, .device = GA_CUDA));
            SAME(ga_random_poisson(means[k], (n), .dtype = GA_U8, .seed = 5),
                 ga_random_poisson(means[k], (n), .dtype = GA_U8, .seed = 5, .device = GA_CUDA));
            const int64_t tries = k % 2 ? 10000000 : (int64_t)(2 * means[k]);
            const double  p     = k % 2 ? means[k] * 1e-7 : 0.7;
            SAME(ga_random_binomial(tries, p, (n), .seed = 5), ga_random_binomial(tries, p, (n), .seed = 5, .device = GA_CUDA));
        }
        SAME(ga_random_integers(INT64_MIN, INT64_MAX, (n), .seed = 9),
             ga_random_integers(INT64_MIN, INT64_MAX, (n), .seed = 9, .device = GA_CUDA));
        SAME(ga_random_integers(-5, INT64_MAX - 9, (n)), ga_random_integers(-5, INT64_MAX - 9, (n), .device = GA_CUDA));
        SAME(ga_logspace(-2, 3, n), ga_logspace(-2, 3, n, .device = GA_CUDA));
    }
    for (int d = 0; d < DTYPES; d++) {
        ga_dtype t = dtypes[d];
        SAME(ga_eye(7, 11, 2, .dtype = t), ga_eye(7, 11, 2, .dtype = t, .device = GA_CUDA));
        SAME(ga_full((3, 5), 7, .dtype = t), ga_full((3, 5), 7, .dtype = t, .device = GA_CUDA));
        SAME(ga_zeros((17), .dtype = t), ga_zeros((17), .dtype = t, .device = GA_CUDA));
        SAME(ga_indices((4, 5, 6), .dtype = t), ga_indices((4, 5, 6), .dtype = t, .device = GA_CUDA));
        pair p = pair_of(5, t);
        SAME(ga_full((4, 5), p.here), ga_full((4, 5), p.there, .device = GA_CUDA));
        SAME(ga_ones_like(p.here), ga_ones_like(p.there));
        MIXED(ga_full((4, 5), p.here, .device = GA_CUDA));
        drop(p);
    }
    SAME(ga_mgrid("0:30, 0:60:2"), ga_mgrid("0:30, 0:60:2", .device = GA_CUDA));
    SAME(ga_mgrid("0:1:5j, 3:-7:-0.3"), ga_mgrid("0:1:5j, 3:-7:-0.3", .device = GA_CUDA));
    SAME(ga_mgrid("0:1:0.1"), ga_mgrid("0:1:0.1", .device = GA_CUDA));
    SAME(ga_indices((0, 5)), ga_indices((0, 5), .device = GA_CUDA));
    SAME(ga_logspace(0, 6, 20, .dtype = GA_I32, .base = 2),
         ga_logspace(0, 6, 20, .dtype = GA_I32, .base = 2, .device = GA_CUDA));
    const float values[] = { 1, -2, NAN, 4, 5, 6 };
    SAME(ga_from(values, (2, 3)), ga_from(values, (2, 3), .device = GA_CUDA));
    SAME(ga_from(values, (2, 3), .dtype = GA_I8), ga_from(values, (2, 3), .dtype = GA_I8, .device = GA_CUDA));
    pair      x = pair_of(6, GA_F32), y = integers(9, 0, 50, GA_I16);
    ga_array *here[2], *there[2];
    for (int ij = 0; ij < 2; ij++) {
        CHECK(ga_meshgrid(x.here, y.here, &here[0], &here[1], ij) && ga_meshgrid(x.there, y.there, &there[0], &there[1], ij));
        SAME(here[0], there[0]);
        SAME(here[1], there[1]);
    }
    MIXED(ga_meshgrid(x.here, y.there, &here[0], &here[1], true));
    CHECK(ga_item_at(y.there, 3) == ga_item_at(y.here, 3) && ga_item_int_at(y.there, -1) == ga_item_int_at(y.here, -1));
    drop(y);
    drop(x);
}

/* ---- rearranging, views ---------------------------------------------------------------------------------------------------- */

static void test_rearranging(void)
{
    for (int d = 0; d < DTYPES; d++) {
        pair p = SHAPED(pair_of(4 * 6 * 5, dtypes[d]), 4, 6, 5);
        for (int round = 0; round < 3; round++) {
            if (round == 1) p = view(p, "::-1, 1::2, 1:4");
            if (round == 2) p = view(p, "2:2, :, :");
            SAME(ga_tile(p.here, (2, 1, 3)), ga_tile(p.there, (2, 1, 3)));
            SAME(ga_tile(p.here, (3, 2, 2, 5)), ga_tile(p.there, (3, 2, 2, 5)));
            SAME(ga_repeat(p.here, 3), ga_repeat(p.there, 3));
            SAME(ga_repeat(p.here, 2, .axis = 1), ga_repeat(p.there, 2, .axis = 1));
            SAME(ga_roll(p.here, 7), ga_roll(p.there, 7));
            SAME(ga_roll(p.here, -2, .axis = 1), ga_roll(p.there, -2, .axis = 1));
            for (int mode = GA_PAD_CONSTANT; mode <= (round == 2 ? GA_PAD_CONSTANT : GA_PAD_WRAP); mode++)
                SAME(ga_pad(p.here, (2, 0, 9), .mode = (ga_pad_mode)mode, .value = 3, .after = ga_axes(1, 7, 2)),
                     ga_pad(p.there, (2, 0, 9), .mode = (ga_pad_mode)mode, .value = 3, .after = ga_axes(1, 7, 2)));
            SAME(ga_concatenate((p.here, p.here), .axis = 2), ga_concatenate((p.there, p.there), .axis = 2));
            SAME(ga_stack((p.here, p.here), .axis = 1), ga_stack((p.there, p.there), .axis = 1));
            SAME(ga_flip(p.here, .axis = 1), ga_flip(p.there, .axis = 1));
            SAME(ga_rot90(p.here, 3), ga_rot90(p.there, 3));
            SAME(ga_fliplr(p.here), ga_fliplr(p.there));
            SAME(ga_flipud(p.here), ga_flipud(p.there));
            SAME(ga_diagonal(p.here, 1), ga_diagonal(p.there, 1));
            SAME(ga_transpose(p.here), ga_transpose(p.there));
            SAME(ga_swapaxes(p.here, 0, 2), ga_swapaxes(p.there, 0, 2));
            SAME(ga_moveaxis(p.here, 0, 2), ga_moveaxis(p.there, 0, 2));
            SAME(ga_expand_dims(p.here, 1), ga_expand_dims(p.there, 1));
            SAME(ga_flatten(p.here), ga_flatten(p.there));
            SAME(ga_ravel(p.here), ga_ravel(p.there));
            SAME(ga_reshape(p.here, (-1, 3)), ga_reshape(p.there, (-1, 3)));
            SAME(ga_broadcast_to(p.here, (2, p.here->shape[0], p.here->shape[1], p.here->shape[2])),
                 ga_broadcast_to(p.there, (2, p.here->shape[0], p.here->shape[1], p.here->shape[2])));
            SAME(ga_ascontiguous(p.here), ga_ascontiguous(p.there));
            ga_array *here[3], *there[3];
            CHECK(ga_split(p.here, 3, here, .axis = 2 - (round == 0)) && ga_split(p.there, 3, there, .axis = 2 - (round == 0)));
            for (int k = 0; k < 3; k++) SAME(here[k], there[k]);
            const int64_t cuts[] = { 1, 2 };
            CHECK(ga_split_at(p.here, 3, cuts, here) && ga_split_at(p.there, 3, cuts, there));
            for (int k = 0; k < 3; k++) SAME(here[k], there[k]);
            MIXED(ga_concatenate((p.here, p.there)));
            MIXED(ga_stack((p.there, p.here)));
        }
        drop(p);
    }
    pair a = pair_of(30, GA_F32), b = integers(12, -5, 5, GA_I16), o = both(ga_zeros((42), .dtype = GA_F64));
    SAME(ga_concatenate((a.here, b.here)), ga_concatenate((a.there, b.there)));
    CHECK(ga_concatenate((a.there, b.there), .out = o.there) == o.there &&
          ga_concatenate((a.here, b.here), .out = o.here) == o.here);
    SAME(ga_view(o.here), ga_view(o.there));
    MIXED(ga_concatenate((a.there, b.there), .out = o.here));
    SAME(ga_view_as(a.here, GA_U8), ga_view_as(a.there, GA_U8));
    SAME(ga_squeeze(a.here), ga_squeeze(a.there));
    drop(o);
    drop(b);
    drop(a);
}

/* "thorough" as an argument: all sizes with all dtypes, which takes a minute. */
int main(int argc, char **argv)
{
    bool thorough = argc > 1 && strcmp(argv[1], "thorough") == 0;
    ga_set_error_handler(ga_ignore_error, NULL);
    ga_array *one = ga_zeros((1), .device = GA_CUDA);
    if (!one && test_wants("cuda")) {
        CHECK(!"there is no GPU");
        return test_end();
    }
    if (!one) {
        printf("%s\n", ga_error());
        test_skip("no CUDA device: selection and counting on the GPU are not tested", 1);
        return test_end();
    }
    ga_free(one);
    test_running(thorough);
    test_take(thorough);
    test_choose(thorough);
    test_generators();
    test_rearranging();
    test_counting(thorough);
    CHECK(ga_report_leaks(NULL) == 0);
    return test_end();
}
