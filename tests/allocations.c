/* Failing allocations: every public function survives each of its allocations that fails, without a leak.
   cc tests/impl.c tests/allocations.c -lm -lpthread */
#ifndef GPUARR_IMPLEMENTATION
#define GPUARR_KERNELS
#endif
#include "test.h"

/* ---- an allocator that fails when it is told to ------------------------------------------------------------------ */

static int64_t calls_left = -1;          /* allocations until one fails; -1: none does */
static int64_t blocks, bytes_out, asked; /* alive, their bytes, how many were asked for */
static int64_t misuse;                   /* calls with wrong arguments */

static void *failing_alloc(size_t bytes, void *user)
{
    asked++;
    if (user != &blocks) misuse++;
    if (calls_left == 0) return NULL; /* once reached, everything fails until it is disarmed */
    if (calls_left > 0) calls_left--;
    void *p = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!p) return NULL;
    blocks++;
    bytes_out += (int64_t)bytes;
    memset(p, 0xA5, bytes); /* nobody may count on zeros */
    return p;
}

static void failing_free(void *p, size_t bytes, void *user)
{
    if (user != &blocks || !p) misuse++;
    blocks--;
    bytes_out -= (int64_t)bytes;
    free(p);
}

/* A variant in which only one allocation fails, so that what comes after an error is seen as well. */
static bool only_one;

static void *failing_alloc_once(size_t bytes, void *user)
{
    bool fails = only_one && calls_left == 0;
    if (fails) calls_left = -1;
    return fails ? NULL : failing_alloc(bytes, user);
}

/* What fails: the k-th allocation of the CPU and all later ones; that one alone; under cudasim the k-th allocation of the GPU and all
   later ones; the k-th call of the CUDA runtime that can fail (allocations, copies, launches, events) and all later ones. */
enum { CPU_FROM, CPU_ONCE, GPU_FROM, CUDA_FROM };
static const char *const cuda_kinds[] = { NULL, NULL, "malloc", "any" };

__attribute__((weak)) void cudasim_fail(const char *kind, long n);
__attribute__((weak)) long cudasim_fallible_calls(const char *kind);

static int ways(void) { return test_on_gpu() && cudasim_fail ? 4 : 2; }

/* ---- the runs ---------------------------------------------------------------------------------------------------- */

enum { EXTRAS = 8, MOST_ALLOCATIONS = 1000 };
static ga_array *extra[EXTRAS]; /* further results */
static int       functions_run, functions_failing, failures_injected;
static bool      in_a_function; /* the calls are on other lines of this file */
static bool      needs_library; /* the call needs CFITSIO or stb and does not have it */

typedef struct run {
    const char *text, *file;
    int         line;
    int         way;
    int64_t     k, arrays, used, blocks;
    bool        complained;
    char       *string;
} run;

static void run_begin(run *r)
{
    memset(extra, 0, sizeof extra);
    ga_clear_error();
    ga_memory m = ga_memory_stats();
    r->arrays   = m.arrays;
    r->used     = m.used_bytes;
    r->blocks   = blocks;
    only_one    = r->way == CPU_ONCE;
    if (r->way <= CPU_ONCE) calls_left = r->k;
    else cudasim_fail(cuda_kinds[r->way], (long)-(r->k + 1));
}

static void run_complain(run *r, const char *what)
{
    if (r->complained) return; /* one line for a call is enough */
    r->complained             = true;
    const char *const which[] = { "allocation %lld fails", "allocation %lld fails (later ones do not)",
                                  "allocation %lld on the GPU fails", "call %lld of the CUDA runtime fails" };
    char              failing[100];
    snprintf(failing, sizeof failing, which[r->way], (long long)r->k);
    printf("FAIL %s:%d: %s, %s: %s%s%s\n", r->file, r->line, r->text, failing, what,
           ga_error() ? "\n     the library says: " : "", ga_error() ? ga_error() : "");
    fflush(stdout);
}

/* Judges one call. Returns true when the series is over. `result` is an array to free, or NULL with `ok`. */
static bool run_end(run *r, bool ok, ga_array *result)
{
    bool reached = calls_left == 0 || (only_one && r->k >= 0 && calls_left == -1);
    if (r->way > CPU_ONCE) {
        reached = cudasim_fallible_calls(cuda_kinds[r->way]) > r->k;
        cudasim_fail("any", 0);
    }
    calls_left = -1;
    only_one   = false;
    if (ga_error_status() == GA_NO_LIBRARY) {
        needs_library = true;
        return true;
    }
    if (reached) failures_injected++;
    if (!reached && !ok) run_complain(r, "no allocation failed, and yet the call did");
    if (ok && ga_error()) run_complain(r, "it succeeded and left an error");
    if (!ok && result) run_complain(r, "it failed and returned an array");
    if (!ok && !ga_error()) run_complain(r, "it failed without an error");
    if (!ok && ga_error() && r->way != CUDA_FROM && (!strstr(ga_error(), "memory") || ga_error_status() != GA_NO_MEMORY))
        run_complain(r, "the error does not speak of memory");
    char place[300];
    if (in_a_function) snprintf(place, sizeof place, "%s:", r->file);
    else snprintf(place, sizeof place, "%s:%d: ", r->file, r->line);
    if (!ok && ga_error() && strncmp(ga_error(), place, strlen(place)) != 0)
        run_complain(r, "the error does not name file and line");
    for (int i = 0; i < EXTRAS; i++) {
        if (!ok && extra[i]) run_complain(r, "it failed and left something in its results");
        if (extra[i]) ga_free(extra[i]);
        extra[i] = NULL;
    }
    if (result) ga_free(result);
    ga_memory m = ga_memory_stats();
    if (m.arrays != r->arrays) {
        char text[100];
        snprintf(text, sizeof text, "%lld arrays more than before", (long long)(m.arrays - r->arrays));
        run_complain(r, text);
        ga_report_leaks(stdout);
    } else if (m.used_bytes != r->used || blocks != r->blocks) {
        char text[100];
        snprintf(text, sizeof text, "%lld bytes, %lld blocks more than before", (long long)(m.used_bytes - r->used),
                 (long long)(blocks - r->blocks));
        run_complain(r, text);
    }
    return !reached || r->k > MOST_ALLOCATIONS;
}

static void run_judge(run *r)
{
    if (r->k > MOST_ALLOCATIONS) run_complain(r, "it never ended");
    functions_run++;
    if (r->k == 0 && !needs_library) functions_failing--; /* never allocates */
    functions_failing++;
    if (needs_library) {
        needs_library = false;
        test_skip(r->text, 1);
    } else if (r->complained) {
        test_failed++;
    } else {
        test_passed++;
    }
}

/* Runs `call` with the k-th allocation failing, k = 0, 1, ... until none of its allocations was the k-th; in each of the ways. */
#define RUN_AS(setup, success, result, text_)                                                                                  \
    for (int way = 0; way < ways(); way++) {                                                                                   \
        run r;                                                                                                                 \
        memset(&r, 0, sizeof r);                                                                                               \
        r.text = text_, r.file = __FILE__, r.line = __LINE__, r.way = way;                                                     \
        for (;; r.k++) {                                                                                                       \
            run_begin(&r);                                                                                                     \
            setup;                                                                                                             \
            if (run_end(&r, success, result)) break;                                                                           \
        }                                                                                                                      \
        run_judge(&r);                                                                                                         \
    }
#define RUN(...) RUN_AS(ga_array *got = (__VA_ARGS__), got != NULL, got, #__VA_ARGS__) /* returns a new array */
#define RUN_INTO(...)                                                                                                          \
    RUN_AS(const void *got = (__VA_ARGS__), got != NULL, NULL, #__VA_ARGS__)      /* returns one of its arguments */
#define RUN_BOOL(...)   RUN_AS(bool got = (__VA_ARGS__), got, NULL, #__VA_ARGS__) /* bool; results in extra[] */
#define RUN_NUMBER(...) RUN_AS(double got = (double)(__VA_ARGS__), !isnan(got), NULL, #__VA_ARGS__)
#define RUN_TEXT(...)   RUN_AS(char *got = (__VA_ARGS__); bool had = got != NULL; free(got), had, NULL, #__VA_ARGS__)

static const char *path_of(const char *name)
{
    static char path[6][300];
    static int  turn;
    const char *dir = getenv("TMPDIR");
    turn            = (turn + 1) % 6;
    snprintf(path[turn], sizeof path[turn], "%s/gpuarr_memory_%ld_%s", dir ? dir : "/tmp", (long)getpid(), name);
    return path[turn];
}

static void test_creation(void)
{
    double          numbers[6] = { 1, 2, 3, 4, 5, 6 };
    int64_t         lengths[2] = { 2, 3 };
    ga_array       *m          = ga_from(numbers, (2, 3));
    ga_array       *v = ga_values(1, 2, 3), *counts = ga_ints(2, 0, 1);
    const ga_array *in[2] = { v, v };
    RUN(ga_zeros((2, 3)));
    RUN(ga_ones((2, 3), .dtype = GA_I32));
    RUN(ga_empty((2, 3)));
    RUN(ga_full((2, 3), 7));
    RUN(ga_zeros_n(2, lengths));
    RUN(ga_empty_n(2, lengths));
    RUN(ga_zeros_like(m));
    RUN(ga_ones_like(m));
    RUN(ga_empty_like(m));
    RUN(ga_full_like(m, 3));
    RUN(ga_scalar(4.5));
    RUN(ga_arange(0, 10, 2));
    RUN(ga_arange(0, 1, 0.25, .dtype = GA_C64));
    RUN(ga_linspace(0, 1, 5));
    RUN(ga_linspace(0, 9, 5, .dtype = GA_I32));
    RUN(ga_logspace(0, 3, 4));
    RUN(ga_logspace(0, 3, 4, .dtype = GA_F32));
    RUN(ga_eye(3, 4, 1));
    RUN_BOOL(ga_meshgrid_n(2, in, extra, true));
    RUN_BOOL(ga_meshgrid(v, v, &extra[0], &extra[1], false));
    RUN(ga_indices((2, 3)));
    RUN(ga_mgrid("0:3, 0:1:5j"));
    RUN(ga_tile(m, (2, 2)));
    RUN(ga_repeat(m, 2));
    RUN(ga_repeat(m, 2, .axis = 0));
    RUN(ga_repeat(v, counts));
    RUN(ga_from(numbers, (3, 2)));
    RUN(ga_from(numbers, (3, 2), .dtype = GA_F32));
    RUN(ga_values(1, 2, 3));
    RUN(ga_ints(1, 2, 3));
    RUN(ga_wrap(numbers, (2, 3)));
    RUN(ga_wrap_strided(numbers, (2, 2), (24, 8)));
    RUN(ga_random((3, 4), .seed = 1));
    RUN(ga_random_poisson(30, (3, 4), .dtype = GA_I32));
    RUN(ga_random_integers(0, 10, (3, 4)));
    RUN(ga_random_integers(0, 10, (3, 4), .dtype = GA_U8));
    RUN(ga_random_normal(0, 1, (3, 4)));
    RUN(ga_random_choice(7, (3), .replace = false));
    RUN(ga_copy(m));
    RUN(ga_astype(m, GA_I8));
    RUN(ga_to(m, GA_CPU));
    RUN(ga_ascontiguous(m));
    ga_array *t = ga_transpose(m);
    RUN(ga_ascontiguous(t));
    ga_free(t);
    ga_array *one = ga_scalar(3.0);
    RUN_NUMBER(ga_item(one));
    RUN_BOOL(ga_item_int(one) == 3);
    RUN_NUMBER(ga_item_at(m, 1, 2));
    ga_array *host = test_to_cpu(m);
    RUN_INTO(ga_data(host, GA_F64));
    ga_free(host);
    ga_free(one);
    ga_free(m);
    ga_free(counts);
    ga_free(v);
}

static void test_views(void)
{
    ga_array *m = ga_random((2, 3, 4), .seed = 1);
    ga_array *t = ga_transpose(m);
    char      text[400]; /* longer than what ga_index keeps on the stack */
    memset(text, ' ', sizeof text);
    memcpy(text, "::1, 0", 6);
    text[sizeof text - 1] = 0;
    RUN(ga_index(m, "1, ::-1, newaxis"));
    RUN(ga_index(m, "%s", text));
    RUN(ga_view(m));
    RUN(ga_view_as(m, GA_I64));
    RUN(ga_reshape(m, (6, -1)));
    RUN(ga_reshape(t, (6, 4)));
    RUN(ga_ravel(m));
    RUN(ga_ravel(t));
    RUN(ga_flatten(m));
    RUN(ga_transpose(m));
    RUN(ga_transpose(m, .axes = ga_axes(2, 0, 1)));
    RUN(ga_swapaxes(m, 0, 1));
    RUN(ga_moveaxis(m, 0, -1));
    RUN(ga_squeeze(m));
    RUN(ga_expand_dims(m, 1));
    RUN(ga_broadcast_to(m, (5, 2, 3, 4)));
    RUN(ga_diagonal(m, 1));
    RUN(ga_flip(m));
    RUN(ga_fliplr(m));
    RUN(ga_flipud(m));
    RUN(ga_rot90(m, 1));
    RUN(ga_rot90(m, 1, .axes = ga_axes(1, 0)));
    RUN(ga_sliding_window_view(m, (1), .axis = 0));
    RUN(ga_as_strided(m, (1), (8)));
    CHECK(ga_is_contiguous(m) && !ga_is_contiguous(t) && ga_same_shape(m, m) && ga_may_share_memory(m, t));
    ga_free(t);
    ga_free(m);
}

static void test_elementwise(void)
{
    ga_array *a = ga_random((3, 4), .seed = 1), *b = ga_random((4), .seed = 2);
    ga_array *i = ga_random_integers(1, 5, (3, 4), .seed = 1), *k = ga_random_integers(0, 5, (4), .seed = 2);
    ga_array *mask = ga_greater(a, 0.5), *out = ga_zeros((3, 4)), *c = ga_astype(a, GA_C128), *u = ga_astype(i, GA_U64);
    ga_array *t = ga_transpose(a), *square = ga_random((4, 4), .seed = 5), *square_t = ga_transpose(square);
    /* one run for each row of the table, with array operands that need a cast or a broadcast */
#define GA_UNARY(name, ...)                                                                                                    \
    RUN(ga_##name(i));                                                                                                         \
    RUN(ga_##name(i, .where = mask));
#define GA_ELEMENTARY(name, ...)                                                                                               \
    RUN(ga_##name(i));                                                                                                         \
    RUN(ga_##name(t));
#define GA_BINARY(name, ...)                                                                                                   \
    RUN(ga_##name(i, k));                                                                                                      \
    RUN(ga_##name(2, i));
#define GA_ELEMENTARY2(name, ...)                                                                                              \
    RUN(ga_##name(a, k));                                                                                                      \
    RUN(ga_##name(a, 2));
#define GA_TERNARY(name, ...)                                                                                                  \
    RUN(ga_##name(a, b, 1));                                                                                                   \
    RUN(ga_##name(0, i, k));
#define GA_TABLE
#include "gpuarr.h"
    RUN(ga_add(a, k));
    RUN(ga_power(i, k));
    RUN(ga_less(i, u));
    RUN(ga_multiply(c, 2));
    RUN(ga_add(1, 2));
    RUN_INTO(ga_add(a, b, .out = out));
    RUN_INTO(ga_add(a, b, .out = out, .where = mask));
    RUN_INTO(ga_add(square, square_t, .out = square)); /* overlap: a copy is made */
    RUN(ga_where(mask, a, b));
    RUN(ga_where(i, a, 0));
    RUN(ga_isclose(a, b));
    RUN_BOOL(ga_allclose(a, a));
    RUN_BOOL(ga_allclose(c, c, .equal_nan = true));
    RUN_BOOL(ga_array_equal(a, a));
    RUN_BOOL(ga_array_equal(a, a, .equal_nan = true));
    RUN_INTO(ga_copyto(out, a));
    RUN_INTO(ga_copyto(out, b, .where = mask));
    RUN_INTO(ga_copyto(square, square_t));
    ga_array *all[] = { square_t, square, t, u, c, out, mask, k, i, b, a };
    for (size_t n = 0; n < sizeof all / sizeof *all; n++) ga_free(all[n]);
}

static void test_reductions(void)
{
    ga_array *a = ga_random((4, 3, 5), .seed = 1), *i = ga_random_integers(0, 9, (4, 3, 5)), *t = ga_transpose(a);
    ga_array *c   = ga_astype(a, GA_C64);
    ga_array *out = ga_zeros((4, 5)), *q = ga_values(10, 50, 90), *indices = ga_zeros((4, 5), .dtype = GA_I64);
    ga_array *long_one = ga_random((5000), .seed = 6);
#define GA_FOLD(name, ...)                                                                                                     \
    RUN(ga_##name(a));                                                                                                         \
    RUN(ga_##name(i, .axis = 0));                                                                                              \
    RUN(ga_##name(t, .axes = ga_axes(0, 2), .keepdims = true));                                                                \
    RUN(ga_##name(long_one));
#define GA_TABLE
#include "gpuarr.h"
    RUN_INTO(ga_sum(a, .axis = 1, .out = out));
    RUN(ga_sum(a, .axis = 1, .dtype = GA_F32));
    RUN(ga_sum(c));
    RUN(ga_var(a));
    RUN(ga_var(a, .axis = 1, .ddof = 1));
    RUN(ga_var(c, .axis = 1));
    RUN(ga_std(a));
    RUN(ga_std(i, .axis = 1));
    RUN_INTO(ga_std(a, .axis = 1, .out = out));
    RUN(ga_nanmean(a, .axis = 1));
    RUN(ga_nanvar(a, .axis = 1));
    RUN(ga_nanstd(a, .axis = 1));
    RUN(ga_argmin(a));
    RUN(ga_argmax(a, .axis = 1));
    RUN_INTO(ga_argmax(a, .axis = 1, .out = indices));
    RUN(ga_nanargmin(a));
    RUN(ga_nanargmax(a, .axis = 1));
    RUN(ga_median(a));
    RUN(ga_median(t, .axis = 1));
    RUN_INTO(ga_median(a, .axis = 1, .out = out));
    RUN(ga_nanmedian(a, .axis = 1));
    RUN(ga_percentile(a, 30));
    RUN(ga_percentile(i, q, .axis = 1));
    RUN(ga_nanpercentile(a, q, .axis = 1, .keepdims = true));
    RUN(ga_cumsum(a));
    RUN(ga_cumsum(t, .axis = 1));
    RUN(ga_cumprod(i, .axis = 1));
    RUN(ga_norm(a));
    RUN(ga_norm(c, .axis = 1));
    RUN(ga_norm(a, .ord = 3.5));
    RUN(ga_norm(a, .axis = 1, .ord = INFINITY));
    RUN(ga_norm(i, .ord = 0));
    ga_free(long_one);
    ga_free(indices);
    ga_free(q);
    ga_free(out);
    ga_free(c);
    ga_free(t);
    ga_free(i);
    ga_free(a);
}

static void test_rearranging(void)
{
    ga_array *a = ga_random((4, 6), .seed = 1), *b = ga_random((4, 6), .seed = 2), *t = ga_transpose(a);
    ga_array *i = ga_random_integers(0, 4, (12), .seed = 3), *row = ga_ints(1, 0, 1, 1), *weights = ga_random((12), .seed = 4);
    ga_array *mask = ga_greater(a, 0.5), *f = ga_astype(a, GA_F32);
    const ga_array *list[2] = { a, b };
    const int64_t   cuts[2] = { 1, 4 };
    RUN(ga_concatenate((a, b)));
    RUN(ga_concatenate((a, f), .axis = 1));
    RUN(ga_concatenate_n(2, list, .axis = 1));
    RUN(ga_stack((a, b)));
    RUN(ga_stack_n(2, list, .axis = 2));
    RUN_BOOL(ga_split(a, 3, extra, .axis = 1));
    RUN_BOOL(ga_split_at(a, 3, cuts, extra, .axis = 1));
    RUN(ga_fft(a));
    RUN(ga_fft(a, 77));
    RUN(ga_ifft(t, 67));
    RUN(ga_rfft(a, 128));
    RUN(ga_irfft(a, 9));
    RUN(ga_fft(a, .axis = 0));
    RUN(ga_fftn(f));
    RUN(ga_rfft2(a));
    RUN(ga_irfft2(a));
    RUN(ga_fftfreq(5));
    RUN(ga_fftshift(a));
    RUN(ga_roll(a, 2));
    RUN(ga_roll(t, -1, .axis = 1));
    RUN(ga_pad(a, (1)));
    RUN(ga_pad(t, (1, 2), .mode = GA_PAD_EDGE));
    RUN(ga_pad(a, (1, 2), .mode = GA_PAD_REFLECT));
    RUN(ga_pad(a, (1, 2), .mode = GA_PAD_SYMMETRIC));
    RUN(ga_pad(a, (1, 2), .mode = GA_PAD_WRAP, .after = ga_axes(2, 1)));
    RUN(ga_sort(a));
    RUN(ga_sort(t, .axis = 0));
    RUN(ga_argsort(a));
    RUN(ga_argsort(i));
    RUN(ga_unique(i));
    RUN(ga_unique(i, .index = &extra[0], .inverse = &extra[1], .counts = &extra[2]));
    RUN(ga_unique(i, .index = &extra[0], .inverse = &extra[1], .counts = &extra[2], .axis = 0));
    RUN(ga_sum(i, .axis = 0, .where = i, .initial = GA_ARG(2)));
    RUN(ga_max(i, .where = i, .initial = GA_ARG(2)));
    RUN(ga_mean(i, .where = i));
    RUN(ga_std(i, .axis = 0, .where = i));
    RUN(ga_nonzero(a));
    RUN(ga_compress(row, a, .axis = 0));
    RUN(ga_compress(row, a));
    RUN(ga_extract(mask, a));
    RUN(ga_take(a, i));
    RUN(ga_take(a, i, .axis = 0));
    RUN(ga_take(t, row, .axis = 1, .mode = GA_TAKE_CLIP));
    RUN(ga_histogram(a, 5));
    RUN(ga_histogram(i, 5, .weights = weights, .edges = &extra[0]));
    RUN(ga_histogram(a, 5, .low = 0, .high = 2, .density = true, .edges = &extra[0]));
    RUN(ga_bincount(i));
    RUN(ga_bincount(i, .weights = weights, .minlength = 20));
    ga_free(f);
    ga_free(mask);
    ga_free(weights);
    ga_free(row);
    ga_free(i);
    ga_free(t);
    ga_free(b);
    ga_free(a);
}

static void test_shapes(void)
{
    ga_array *a = ga_random((4, 3), .seed = 1), *v = ga_values(1, 3, 2, 2), *i = ga_ints(0, 2), *m = ga_reshape(v, (2, 2)),
             *z = ga_astype(v, GA_C64), *flags = ga_greater(v, 2);
    const ga_array *list[2] = { v, v };
    RUN(ga_atleast_1d(v));
    RUN(ga_atleast_2d(v));
    RUN(ga_atleast_3d(v));
    RUN(ga_matrix_transpose(a));
    RUN(ga_hstack((v, v)));
    RUN(ga_vstack((v, v)));
    RUN(ga_dstack((v, v)));
    RUN(ga_column_stack((v, v)));
    RUN_BOOL(ga_broadcast_arrays(2, list, extra));
    RUN_BOOL(ga_array_split(a, 2, extra));
    RUN_BOOL(ga_hsplit(a, 3, extra));
    RUN_BOOL(ga_vsplit(a, 2, extra));
    RUN_BOOL(ga_unstack(a, 4, extra));
    RUN(ga_append(v, 1));
    RUN(ga_append(a, a, .axis = 0));
    RUN(ga_insert(a, 1, 2, .axis = 1));
    RUN(ga_insert(v, i, i));
    RUN(ga_delete(v, 1));
    RUN(ga_delete(v, i));
    RUN(ga_delete(v, flags));
    RUN(ga_resize(v, (3, 3)));
    RUN(ga_trim_zeros(v));
    RUN(ga_diag(v));
    RUN(ga_diagflat(a, 1));
    RUN(ga_identity(3));
    RUN(ga_tri(3, 3, 0));
    RUN(ga_tril(a));
    RUN(ga_triu(a));
    RUN(ga_tril_indices(3));
    RUN(ga_triu_indices(3));
    RUN(ga_diag_indices(3, 2));
    RUN(ga_vander(v));
    RUN(ga_trace(a));
    RUN(ga_argwhere(a));
    RUN(ga_flatnonzero(a));
    RUN_INTO(ga_fill_diagonal(m, i));
    RUN(ga_round(v, 1));
    RUN(ga_round(z));
    RUN(ga_geomspace(1, 8, 4));
    ga_free(flags);
    ga_free(z);
    ga_free(m);
    ga_free(i);
    ga_free(v);
    ga_free(a);
}

static void test_sums(void)
{
    ga_array *a = ga_random((4, 3), .seed = 1), *v = ga_values(1, 3, 2, 2), *w = ga_values(1, 2, 3), *i = ga_ints(1, 2, 3),
             *z = ga_astype(v, GA_C64);
    RUN(ga_diff(a, 2, .axis = 0, .prepend = GA_ARG(0)));
    RUN(ga_ediff1d(v, .to_end = GA_ARG(1), .to_begin = GA_ARG(v)));
    RUN(ga_gradient(a));
    RUN(ga_gradient(a, .axis = 1, .spacing = GA_ARG(w), .edge_order = 2));
    RUN(ga_trapezoid(a, w));
    RUN(ga_unwrap(a));
    RUN(ga_ptp(a, .axis = 0));
    RUN(ga_cumulative_sum(v, .include_initial = true));
    RUN(ga_cumulative_prod(v));
    RUN(ga_nancumsum(a));
    RUN(ga_nancumprod(a));
    RUN(ga_average(a, 1, .weights = w, .sum_of_weights = &extra[0]));
    RUN(ga_average(a, .sum_of_weights = &extra[0]));
    RUN(ga_cov(a, .fweights = i, .aweights = w));
    RUN(ga_corrcoef(a));
    RUN(ga_quantile(a, 0.3, .axis = 0));
    RUN(ga_nanquantile(a, 0.3));
    RUN(ga_nan_to_num(v));
    RUN(ga_nan_to_num(z));
    RUN(ga_i0(v));
    RUN(ga_polyval(v, a));
    RUN(ga_poly(z));
    RUN(ga_bartlett(5));
    RUN(ga_blackman(5));
    RUN(ga_random_permutation(a));
    RUN(ga_random_permutation(5000));
    RUN(ga_kaiser(5, 3));
    ga_free(z);
    ga_free(i);
    ga_free(w);
    ga_free(v);
    ga_free(a);
}

static void test_written(void)
{
    ga_array *v = ga_values(1, 2, 3, 4), *m = ga_reshape(v, (2, 2)), *places = ga_ints(0, 1), *mask = ga_greater(m, 1),
             *order = ga_argsort(m), *bytes = ga_packbits(mask), *pair = ga_values(1, 2);
    RUN_BOOL(ga_set_at(m, 1, 0, 0));
    RUN(ga_index_take(m, (places, GA_COLON)));
    RUN(ga_index_take(m, (mask)));
    RUN(ga_index_take(m, (places), .index = "$1, newaxis, 0"));
    RUN_INTO(ga_index_put(m, (places), 1));
    RUN_INTO(ga_add_at(m, (places), m));
    RUN(ga_take_along_axis(m, order));
    RUN_INTO(ga_put_along_axis(m, order, m));
    RUN_INTO(ga_put(m, places, v));
    RUN_INTO(ga_place(m, m, v));
    RUN(ga_select((mask), (m), 0));
    RUN(ga_piecewise(m, (mask), (1, 2)));
    RUN(ga_choose(places, (pair, 2)));
    RUN(ga_sort_complex(v));
    RUN(ga_packbits(mask, .axis = 0));
    RUN(ga_unpackbits(bytes, .count = 5));
    RUN(ga_divmod(v, 2, &extra[0]));
    RUN(ga_modf(v, &extra[0]));
    RUN(ga_frexp(v, &extra[0]));
    RUN(ga_angle(v, .deg = true));
    RUN(ga_float_power(v, 2));
    RUN(ga_sinc(v));
    ga_free(pair);
    ga_free(bytes);
    ga_free(order);
    ga_free(mask);
    ga_free(places);
    ga_free(m);
    ga_free(v);
}

static void test_places(void)
{
    ga_array *v = ga_values(1, 2, 3, 4), *w = ga_values(2, 3, 5), *i = ga_ints(0, 2, 1, 3), *m = ga_reshape(i, (2, 2)),
             *z = ga_astype(v, GA_C64), *down = ga_flip(v), *near = ga_random_integers(-100, 100, (1000), .dtype = GA_I16),
             *u = ga_astype(w, GA_U64), *h = ga_astype(v, GA_F16);
    RUN(ga_searchsorted(v, w));
    RUN(ga_searchsorted(i, 2.5, .sorter = i));
    RUN(ga_digitize(w, v));
    RUN(ga_digitize(w, down));
    RUN(ga_interp(w, v, v));
    RUN(ga_interp(w, v, v, .period = 3));
    RUN(ga_interp(w, v, z));
    RUN(ga_isin(w, v));
    RUN(ga_isin(z, v, .invert = true));
    RUN(ga_isin(i, u));
    RUN(ga_isin(u, i));
    RUN(ga_isin(i, z));
    RUN(ga_isin(h, h));
    RUN(ga_intersect1d(v, w));
    RUN(ga_intersect1d(w, v));
    RUN(ga_union1d(h, h));
    RUN(ga_eval("sum(v*v)", (v)));
    RUN(ga_intersect1d(v, w, .index_a = &extra[0], .index_b = &extra[1]));
    RUN(ga_union1d(v, w));
    RUN(ga_setdiff1d(v, w));
    RUN(ga_setxor1d(v, w));
    RUN(ga_unique_values(v));
    RUN(ga_unique_counts(v, &extra[0]));
    RUN(ga_unique_counts(near, &extra[0]));
    RUN(ga_unique_inverse(v, &extra[0]));
    RUN(ga_unique_all(v, &extra[0], &extra[1], &extra[2]));
    RUN(ga_lexsort((v, i)));
    RUN(ga_partition(v, 1));
    RUN(ga_argpartition(v, 1));
    RUN(ga_partition(m, 1));
    RUN(ga_argpartition(m, 1));
    RUN(ga_ravel_multi_index(m, (4, 4)));
    RUN(ga_unravel_index(i, (4, 4)));
    RUN(ga_histogram_bin_edges(v, 3));
    RUN(ga_histogramdd(m, (2, 3), .edges = extra));
    RUN(ga_histogram2d(v, i, (3), .density = true, .weights = v));
    ga_free(down);
    ga_free(z);
    ga_free(m);
    ga_free(i);
    ga_free(u);
    ga_free(h);
    ga_free(near);
    ga_free(w);
    ga_free(v);
}

static void test_images(void)
{
    ga_array *a = ga_random((6, 7), .seed = 1), *mask = ga_greater(a, 0.5), *labels = ga_label(mask), *index = ga_ints(1, 2);
    ga_array *often = ga_random((12, 13), .seed = 2), *places = ga_random_integers(0, 5, (12, 13)), /* labels change often */
                                                          *sideways = ga_random((13, 12), .seed = 3),
             *turned                                                = ga_transpose(sideways);
    int64_t count;
    int     passes;
    double  low, high;
    RUN(ga_label(mask));
    RUN(ga_label(a, .connectivity = 2, .count = &count, .dtype = GA_I64));
    RUN(ga_label(a, .above = 0.5));
    RUN(ga_sum_labels(a, labels, NULL));
    RUN(ga_mean_labels(a, labels, index));
    RUN(ga_min_labels(a, labels, NULL));
    RUN(ga_max_labels(a, labels, index));
    RUN(ga_sum_labels(often, places, NULL));
    RUN(ga_mean_labels(often, places, index));
    RUN(ga_max_labels(turned, places, NULL));
    RUN(ga_size_labels(labels, NULL));
    RUN(ga_size_labels(labels, index));
    RUN(ga_center_of_mass(a, labels, NULL));
    RUN(ga_center_of_mass(a, labels, index));
    RUN(ga_center_of_mass(a, NULL, NULL));
    RUN(ga_center_of_mass(a, labels, index, .sums = &extra[0]));
    RUN(ga_center_of_mass(a, NULL, NULL, .sums = &extra[0]));
    RUN(ga_sigma_clip(a));
    RUN_NUMBER(ga_describe(a).min);
    RUN_NUMBER(ga_describe(a, .skip_nan = true).std);
    ga_array *sky =
        ga_random_normal(0, 1, (test_small() ? 700 : 300000), .seed = 1); /* so many are sketched, searched in one pass */
    RUN(ga_sigma_clip(sky));
    RUN(ga_sigma_clip(sky, .mask = &extra[0], .low = &low));
    RUN(ga_median(sky));
    RUN(ga_percentile(sky, 90));
    RUN_NUMBER(ga_describe(sky).max);
    ga_array *fifth = ga_index(sky, "5");
    ga_copyto(fifth, NAN);
    ga_free(fifth);
    RUN_NUMBER(ga_describe(sky, .skip_nan = true).median);
    ga_free(sky);
    RUN(ga_sigma_clip(a, .rule = GA_CLIP_ASTROPY, .sigma = 1, .mean = true, .mask = &extra[0], .passes = &passes, .low = &low,
                      .high = &high));
    ga_free(turned);
    ga_free(sideways);
    ga_free(places);
    ga_free(often);
    ga_free(index);
    ga_free(labels);
    ga_free(mask);
    ga_free(a);
}

static void test_filters(void)
{
    ga_array *a = ga_random((9, 11), .seed = 1), *u8 = ga_astype(a, GA_U8), *z = ga_astype(a, GA_C64), *back = ga_transpose(a);
    ga_array *out = ga_zeros_like(a), *cells = ga_eye(3, 3, 0, .dtype = GA_BOOL);
    const double sigmas[2] = { 0.5, 1 };
    RUN(ga_gaussian_filter(a, 1));
    RUN(ga_gaussian_filter(u8, 0, .sigmas = sigmas));
    RUN(ga_gaussian_filter(z, 1));
    RUN(ga_gaussian_filter(back, 1));
    RUN_INTO(ga_gaussian_filter(a, 1, .out = out));
    RUN(ga_gaussian_laplace(a, 1));
    RUN(ga_gaussian_gradient_magnitude(u8, 1));
    RUN(ga_sobel(a));
    RUN(ga_prewitt(u8));
    RUN(ga_laplace(a));
    RUN(ga_laplace(z, .axis = 0));
    RUN(ga_uniform_filter(a, 3));
    RUN(ga_uniform_filter(u8, 4));
    RUN(ga_minimum_filter(a, 3));
    RUN(ga_maximum_filter(back, 8));
    RUN(ga_median_filter(a, 3));
    RUN(ga_median_filter(u8, 9));
    RUN(ga_percentile_filter(a, 20, 40));
    RUN(ga_rank_filter(a, 1, 0, .footprint = cells));
    RUN_INTO(ga_median_filter(a, 5, .out = out));
    ga_array *mask = ga_greater(a, 0.3), *into = ga_zeros_like(mask), *heights = ga_ones((3, 3));
    ga_array *turn = ga_eye(2, 2, 0), *a_places = ga_ones((2, 3));
    RUN(ga_generate_binary_structure(2, 2));
    RUN(ga_iterate_structure(cells, 3));
    RUN(ga_binary_erosion(mask, cells, .iterations = 2, .mask = u8));
    RUN_INTO(ga_binary_dilation(a, .iterations = 0, .mask = mask, .out = into));
    RUN(ga_binary_opening(mask));
    RUN(ga_binary_closing(mask, cells));
    RUN(ga_binary_propagation(u8, .mask = mask));
    RUN_INTO(ga_binary_fill_holes(mask, .out = into));
    RUN(ga_binary_hit_or_miss(mask));
    RUN(ga_grey_erosion(a, 3));
    RUN(ga_grey_dilation(u8, 0, cells));
    RUN(ga_grey_opening(a, 0, .structure = heights, .footprint = cells));
    RUN(ga_grey_closing(a, 3));
    RUN_INTO(ga_morphological_gradient(a, 3, .out = out));
    RUN(ga_morphological_laplace(a, 3));
    RUN(ga_white_tophat(mask, 3));
    RUN(ga_black_tophat(a, 3));
    if (!test_on_gpu()) {
        RUN(ga_distance_transform_edt(mask, .indices = &extra[0], .sampling = sigmas));
        const double each[2] = { 0.5, 1.5 };
        RUN(ga_spline_filter(z));
        RUN(ga_spline_filter1d(a, .border = GA_BORDER_GRID_WRAP));
        RUN(ga_map_coordinates(a, a_places));
        RUN_INTO(ga_shift(a, 0, .each = each, .out = out));
        RUN(ga_zoom(u8, 2, .border = GA_BORDER_GRID_CONSTANT));
        RUN(ga_zoom(z, 0.5, .border = GA_BORDER_NEAREST));
        RUN(ga_affine_transform(a, turn, .offset = each));
        RUN(ga_rotate(u8, 30));
        RUN(ga_distance_transform_cdt(mask));
        RUN(ga_distance_transform_bf(mask, GA_CITYBLOCK));
    }
    ga_array *all[] = { turn, a_places, heights, into, mask, back, out, cells, z, u8, a };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) ga_free(all[k]);
}

static void test_products(void)
{
    ga_array *a = ga_random((20, 30), .seed = 1), *b = ga_random((30, 70), .seed = 2), *t = ga_transpose(b),
             *v = ga_random((30), .seed = 3);
    ga_array *i = ga_random_integers(0, 9, (20, 30), .dtype = GA_I32), *c = ga_astype(a, GA_C64),
             *cube = ga_random((4, 5, 30), .seed = 4);
    ga_array *out = ga_zeros((20, 70)), *wide = ga_zeros((40, 70)), *apart = ga_index(wide, "::2"),
             *square = ga_random((9, 9), .seed = 5);
    ga_array *five = ga_index(square, ":5"), *turned = ga_swapaxes(cube, 1, 2);
    ga_array *large = ga_random((300, 40), .seed = 6), *across = ga_transpose(large),
             *nine = ga_index(large, ":9, :30"); /* more than the stack takes */
    RUN(ga_matmul(a, b));
    RUN(ga_matmul(large, across));
    RUN(ga_matmul(i, b));
    RUN(ga_matmul(c, b));
    RUN(ga_matmul(a, v));
    RUN(ga_matmul(v, v));
    RUN(ga_matmul(cube, b));
    RUN_INTO(ga_matmul(a, b, .out = out));
    RUN_INTO(ga_matmul(a, b, .out = apart));
    RUN_INTO(ga_matmul(square, square, .out = square));
    RUN(ga_dot(v, v));
    RUN(ga_dot(a, v));
    RUN(ga_dot(cube, b));
    RUN(ga_inner(a, t));
    RUN(ga_outer(v, v));
    RUN(ga_vdot(c, a));
    RUN(ga_tensordot(cube, a, 1, .axes_b = ga_axes(1)));
    RUN(ga_tensordot(square, square, 2));
    RUN(ga_einsum("ij,jk->ik", (a, b)));
    RUN(ga_einsum("ij,ij->i", (a, i)));
    RUN(ga_einsum("ii", (square)));
    RUN(ga_einsum("ii->i", (square)));
    RUN(ga_einsum("ijk,jl,lk->i", (cube, five, nine)));
    RUN(ga_einsum("ijk,lkj->il", (cube, turned))); /* no two axes lie as one */
    RUN_INTO(ga_einsum("ij,kj->ik", (a, t), .out = out));
    ga_array *all[] = { a, b, t, v, i, c, cube, out, wide, apart, square, large, across, five, turned, nine };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) ga_free(all[k]);
}

static void test_distances(void)
{
    ga_array *x = ga_random((6, 3), .seed = 1), *y = ga_random((4, 3), .seed = 2, .dtype = GA_F32),
             *i   = ga_ints(3, 1, 2, 5, 2, 4);
    ga_array *out = ga_zeros((6, 4)), *wide = ga_zeros((6, 8)), *every = ga_index(wide, ":, ::2"), *pairs = ga_zeros((15));
    ga_array *points = ga_reshape(i, (2, 3)), *v = ga_pdist(x), *m = ga_squareform(v);
    RUN(ga_cdist(x, y));
    RUN(ga_cdist(x, points, .metric = GA_CITYBLOCK));
    RUN(ga_cdist(x, y, .metric = GA_COSINE));
    RUN_INTO(ga_cdist(x, y, .out = out));
    RUN_INTO(ga_cdist(x, y, .metric = GA_CHEBYSHEV, .out = every));
    RUN(ga_pdist(x));
    RUN(ga_pdist(x, .metric = GA_COSINE));
    RUN(ga_pdist(x, .metric = GA_JENSENSHANNON));
    RUN(ga_cdist(x, y, .metric = GA_MAHALANOBIS));
    RUN_INTO(ga_pdist(x, .metric = GA_SQEUCLIDEAN, .out = pairs));
    RUN(ga_squareform(v));
    RUN(ga_squareform(m));
    RUN(ga_squareform(m, .checks = false));
    ga_array *all[] = { x, y, i, out, wide, every, pairs, points, v, m };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) ga_free(all[k]);
}

static void test_convolutions(void)
{
    ga_array *a = ga_random((20, 30), .seed = 1), *t = ga_transpose(a), *v = ga_random((3, 4), .seed = 2),
             *i = ga_ints(1, 2, 3, 4);
    ga_array *g = ga_random((9), .seed = 3), *column = ga_reshape(g, (9, 1)), *bell = ga_multiply(column, g),
             *line = ga_ravel(a);
    ga_array *c = ga_astype(v, GA_C64), *out = ga_zeros((20, 30)), *wide = ga_zeros((20, 60)),
             *every = ga_index(wide, ":, ::2");
    RUN(ga_convolve(line, g));
    RUN(ga_convolve(g, line, .mode = GA_SAME));
    RUN(ga_convolve(t, v, .mode = GA_VALID));
    RUN(ga_correlate(i, i));
    RUN(ga_correlate(a, c, .mode = GA_FULL));
    RUN(ga_convolve2d(a, v));
    RUN(ga_convolve2d(a, bell, .mode = GA_SAME)); /* in passes */
    RUN(ga_convolve2d(t, v, .boundary = GA_BOUNDARY_WRAP));
    RUN(ga_correlate2d(v, a, .mode = GA_VALID));
    RUN(ga_ndconvolve(a, v));
    RUN(ga_ndconvolve(i, i, .border = GA_BORDER_MIRROR)); /* through float64 */
    RUN(ga_ndcorrelate(a, c, .origin = ga_axes(-1, 0)));
    RUN_INTO(ga_ndconvolve(a, v, .out = out));
    RUN_INTO(ga_ndcorrelate(a, bell, .out = every));
    RUN(ga_convolve1d(a, g));
    RUN(ga_correlate1d(t, g, .axis = 0));
    RUN(ga_convolve(line, g, .method = GA_METHOD_FFT));
    RUN(ga_convolve2d(a, c, .method = GA_METHOD_FFT));
    RUN(ga_convolve(i, i, .method = GA_METHOD_FFT));
    ga_array *all[] = { a, t, v, i, g, column, bell, line, c, out, wide, every };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) ga_free(all[k]);
}

/* Chunked arrays from files and into files. */
static void test_chunk_files(void)
{
    /* a chunk of five bytes, 5 4 3 2 1, packed by zlib */
    static const unsigned char packed[] = { 0x78, 0x01, 0x01, 0x05, 0x00, 0xfa, 0xff, 0x05,
                                            0x04, 0x03, 0x02, 0x01, 0x00, 0x3c, 0x00, 0x10 };
    const char                *npy = path_of("c.npy"), *dir = path_of("c.zarr"), *out = path_of("d.npy");
    char                       zarray[400], chunk[400];
    const ga_device            device = ga_get_device();
    ga_set_device(GA_CPU);
    ga_array *a = ga_random((60, 7), .seed = 1), *x = NULL, *y = NULL, *z = NULL;
    snprintf(zarray, sizeof zarray, "%s/.zarray", dir);
    snprintf(chunk, sizeof chunk, "%s/0", dir);
    CHECK(ga_save(npy, a));
    RUN(ga_open(npy));
    x = ga_open(npy, .chunks = ga_chunks(20, 3));
    RUN(ga_compute(x));
    y = ga_sin(x);
    RUN_BOOL(ga_store(y, out));
    RUN_BOOL(ga_store(a, out, .chunks = ga_chunks(7, 7)));
    RUN_BOOL(ga_store(y, dir, .overwrite = true));
    z = ga_open(dir);
    RUN(ga_compute(z));
    ga_free(z);
    const ga_array *both[2]  = { x, y };
    const char     *paths[2] = { out, dir };
    RUN_BOOL(ga_store_n(2, both, paths, .overwrite = true, .chunks = ga_chunks(60, 7)));
    ga_array *wide = ga_random((20, 20000), .seed = 2); /* read some rows at a time */
    CHECK(ga_save(out, wide));
    z             = ga_open(out);
    ga_array *std = ga_std(z, .axis = 0), *sum = ga_sum(z, .axis = 0);
    RUN(ga_compute(std));
    RUN(ga_compute(sum));
    ga_free(std), ga_free(sum), ga_free(wide), ga_free(z);
    ga_clear_error();
    remove(chunk);
    snprintf(chunk, sizeof chunk, "%s/0.0", dir);
    remove(chunk);
    snprintf(chunk, sizeof chunk, "%s/0", dir);
    FILE *f = fopen(zarray, "wb");
    if (f)
        fputs("{\"zarr_format\": 2, \"shape\": [5], \"chunks\": [5], \"dtype\": \"|u1\", \"order\": \"C\", \"compressor\": "
              "{\"id\": \"zlib\"}}",
              f);
    if (f) fclose(f);
    f = fopen(chunk, "wb");
    if (f) fwrite(packed, 1, sizeof packed, f);
    if (f) fclose(f);
    RUN(ga_open(dir));
    z = ga_open(dir);
    RUN(ga_compute(z));
    remove(chunk);
    remove(zarray);
    remove(dir);
    remove(npy);
    remove(out);
    ga_free(z);
    ga_free(y);
    ga_free(x);
    ga_free(a);
    ga_set_device(device);
}

static void test_files(void)
{
    ga_array   *a = ga_random((6, 7), .seed = 1), *t = ga_transpose(a), *rgb = ga_random((5, 4, 3), .seed = 2);
    ga_array   *bytes = ga_astype(rgb, GA_U8), *i = ga_astype(a, GA_I16);
    const char *names[2] = { "first", "second" }, *npy = path_of("a.npy"), *npz = path_of("a.npz"), *picture = path_of("a.png");
    const char *text          = path_of("a.txt");
    const ga_dtype  dtypes[2] = { GA_F64, GA_F32 };
    const char     *fits      = path_of("a.fits");
    const ga_array *arrays[2] = { a, t };
    RUN_BOOL(ga_imsave(picture, a));
    RUN_BOOL(ga_imsave(picture, bytes));
    RUN_BOOL(ga_imsave(picture, rgb));
    RUN(ga_render(a));
    RUN(ga_render(t, .cmap = "inferno", .log = true, .colorbar = true, .scale = 3, .title = "a title"));
    RUN_BOOL(ga_imshow(picture, a));
    RUN_BOOL(ga_imshow(picture, i, .colorbar = true));
    if (access(picture, R_OK) == 0) RUN(ga_imread(picture)); /* else there is no stb here to write it */
    ga_array *png = ga_imencode(a);
    RUN(ga_imencode(a));
    RUN(ga_imencode(bytes));
    if (png) RUN(ga_imdecode(png));
    if (!png) ga_clear_error();
    ga_free(png);
    remove(picture);
    RUN(ga_from_dlpack(ga_to_dlpack(t)));
    RUN(ga_from_dlpack(ga_to_dlpack(t, .copy = GA_COPY_ALWAYS), .copy = GA_COPY_ALWAYS));
    RUN(ga_from_dlpack_unversioned(ga_to_dlpack_unversioned(t)));
    RUN_BOOL(ga_save(npy, a));
    RUN(ga_load(npy));
    RUN(ga_load(npy, .mmap = true));
    RUN_BOOL(ga_save(npy, t));
    RUN(ga_load(npy));
    RUN_BOOL(ga_savez(npz, 2, names, arrays));
    RUN(ga_load_from(npz, "second"));
    RUN(ga_load_from(npz, NULL));
    RUN_BOOL(ga_savetxt(text, t));
    RUN_BOOL(ga_savetxt(text, a, .fmt = "%g %g %g %d %s %f %e"));
    RUN(ga_loadtxt(text));
    RUN(ga_loadtxt(text, .usecols = ga_axes(0, -1)));
    RUN(ga_genfromtxt(text, .missing_values = "0"));
    RUN(ga_genfromtxt(text, .widths = "3, 3"));
    const char *const packed = "build/tests/allocations.txt.gz";
    if (ga_savetxt(packed, t)) {
        RUN_BOOL(ga_savetxt(packed, t));
        RUN(ga_loadtxt(packed));
    } else ga_clear_error(); /* built without zlib */
    (void)remove(packed);
    RUN_BOOL(ga_loadtxt_n(text, 2, dtypes, extra, .usecols = ga_axes(0, -1)));
    RUN_BOOL(ga_genfromtxt_n(text, 2, dtypes, extra, .usecols = ga_axes(0, -1)));
    RUN_BOOL(ga_tofile(t, text));
    RUN_BOOL(ga_tofile(a, text, .swapped = true));
    RUN(ga_fromfile(text, .swapped = true));
    remove(text);
    remove(npy);
    remove(npz);
    RUN_BOOL(ga_fits_write(fits, a));
    RUN_BOOL(ga_fits_write(fits, t, .name = "SECOND", .append = true));
    RUN(ga_fits_read(fits));
    RUN_BOOL(ga_fits_write(fits, i, .compress = true));
    RUN(ga_fits_read(fits));
    remove(fits);
    RUN_TEXT(ga_to_string(a));
    RUN_TEXT(ga_to_string(t, .threshold = 5, .repr = true));
    ga_free(i);
    ga_free(bytes);
    ga_free(rgb);
    ga_free(t);
    ga_free(a);
}

/* ---- formulas of one's own ------------------------------------------------------------------------------------------ */

GA_ELEMENTWISE(axpy, float, (float a, float x, float y), a *x + y)
GA_ELEMENTWISE(polar, void, (double x, double y, double *r, double *phi), {
    *r   = GA_HYPOT(x, y);
    *phi = GA_ARCTAN2(y, x);
})
GA_ELEMENTWISE_T(blend, REAL, T, (T x, T y), (T)(x + (T)GA_INDEX * y))
GA_REDUCTION(dot, double, (double x, double y), double, 0, x *y, a + b, a)
GA_REDUCTION(heaviest, int64_t, (float x), int64_t, -1, x > 0 ? GA_INDEX : -1, b > a ? b : a, a)
GA_STENCIL(heat, (1, 1), double, (double a),
           GA_AT(0, 0) + a * (GA_AT(-1, 0) + GA_AT(1, 0) + GA_AT(0, -1) + GA_AT(0, 1) - 4 * GA_AT(0, 0)))
GA_STENCIL(bend, (2), float, (void), GA_AT(-2) - GA_AT(2))

/* Results for .outs: the first is written into an array, or, like the second, a new one, which goes into `extra`. */
static ga_array  *outs[2], *given;
static ga_array **outs_into(ga_array *first)
{
    outs[0] = given = first;
    outs[1]         = NULL;
    return outs;
}
static bool outs_done(const ga_array *result)
{
    extra[0] = outs[0] == given ? NULL : outs[0];
    extra[1] = outs[1];
    return result != NULL;
}

/* These are compiled by a C compiler: for the CPU. */
static void test_own(void)
{
    const ga_device device = ga_get_device();
    ga_set_device(GA_CPU);
    ga_array *a = ga_random((6, 50), .seed = 1), *b = ga_random((50), .seed = 2), *t = ga_index(a, ":, ::-1");
    ga_array *f = ga_astype(a, GA_F32), *i = ga_random_integers(0, 9, (6, 50)), *square = ga_random((70, 70), .seed = 3);
    ga_array *out = ga_zeros((6, 50)), *mask = ga_greater(a, 0.5), *turned = ga_transpose(square), *few = ga_zeros((50));
    ga_array *large = ga_random((300, 1000), .seed = 4), *none = ga_index(a, ":, :0");
    RUN(ga_apply(axpy, (2, f, f)));
    RUN(ga_apply(axpy, (2, a, b)));
    RUN(ga_apply(axpy, (2, 3, 4)));
    RUN(ga_apply(axpy, (t, f, 1), .where = mask));
    RUN_INTO(ga_apply(axpy, (a, b, 1), .out = out));
    RUN_INTO(ga_apply(axpy, (a, b, 1), .out = out, .where = mask));
    RUN_INTO(ga_apply(blend, (square, turned), .out = square)); /* overlap: a copy is made */
    RUN(ga_apply(blend, (i, f)));
    RUN_BOOL(outs_done(ga_apply(polar, (a, b), .outs = outs_into(NULL))));
    RUN_BOOL(outs_done(ga_apply(polar, (i, f), .outs = outs_into(NULL))));
    RUN_BOOL(outs_done(ga_apply(polar, (a, b), .outs = outs_into(out))));
    RUN_BOOL(outs_done(ga_apply(polar, (turned, square), .outs = outs_into(square))));
    RUN(ga_reduce(dot, (a, b)));
    RUN(ga_reduce(dot, (a, b), .axis = 0));
    RUN(ga_reduce(dot, (f, 2), .axis = 1, .keepdims = true));
    RUN(ga_reduce(dot, (turned, square), .axes = ga_axes(0, 1)));
    RUN_INTO(ga_reduce(dot, (a, i), .axis = 0, .out = few));
    RUN(ga_reduce(dot, (large, large)));
    RUN(ga_reduce(heaviest, (t), .axis = 0));
    RUN(ga_reduce(heaviest, (none), .axis = 1));
    RUN(ga_stencil(heat, (square, 0.1)));
    RUN(ga_stencil(heat, (turned, 0.1), .steps = 7, .border = GA_BORDER_WRAP));
    RUN(ga_stencil(heat, (i, 0.1), .steps = 2));
    RUN(ga_stencil(heat, (large, 0.1), .steps = 50));
    RUN_INTO(ga_stencil(heat, (square, 0.1), .out = square, .steps = 3));
    RUN_INTO(ga_stencil(heat, (turned, 0.1), .out = square, .steps = 3)); /* overlap */
    RUN_INTO(ga_stencil(heat, (f, 0.1), .out = out));
    RUN(ga_stencil(bend, (b), .steps = 3));
    ga_array *const all[] = { a, b, t, f, i, square, out, mask, turned, few, large, none };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) ga_free(all[k]);
    ga_set_device(device);
}

/* Some expressions in chunks, from recording to result. */
static ga_array *in_chunks(const ga_array *a, int which)
{
    ga_array *r = NULL;
    ga_scope {
        ga_array *x = ga_chunked(a, 7, 20), *s = ga_sin(x), *many[3] = { NULL };
        switch (which) {
        case 0: r = ga_compute(ga_add(s, ga_multiply(s, 2))); break;
        case 1: r = ga_compute(ga_subtract(s, ga_mean(s))); break;
        case 2: r = ga_compute(ga_stack((s, a), .axis = 2)); break;
        case 3: r = ga_compute(ga_ravel(ga_transpose(s))); break;
        case 4: r = ga_compute(ga_where(ga_greater(s, 0.5), s, ga_random((30, 40), .chunks = ga_chunks(7, 20)))); break;
        case 5: r = ga_compute(ga_std(s, .axis = 0)); break;
        case 6: r = ga_compute(ga_argmax(s)); break;
        case 7: r = ga_persist(s); break;
        case 8: /* does not fit, and is kept in a file */
            ga_memory_limit(ga_memory_stats().used_bytes + (3 << 20));
            if (s) r = ga_persist(ga_sqrt(ga_random((512, 1024), .chunks = ga_chunks(64, 1024))));
            ga_memory_limit(0);
            if (r && ga_memory_stats().spilled_bytes == 0) r = NULL;
            break;
        case 9: r = ga_compute(ga_add(ga_index(ga_indices((30, 40), .chunks = ga_chunks(0)), "0"), s)); break;
        case 10: r = ga_compute(ga_add(ga_eye(30, 40, 1, .chunks = ga_chunks(0)), s)); break;
        case 11:
            if (s) r = ga_compute(ga_logspace(0, 1, 40, .chunks = ga_chunks(9)));
            break;
        case 12: r = ga_compute(ga_sqrt(ga_add(ga_transpose(ga_square(s)), ga_multiply(ga_index(s, "3, :30"), 2)))); break;
        case 13: r = ga_compute(ga_nan_to_num(ga_multiply(s, ga_complex(0, 1)))); break;
        case 14: r = ga_compute(ga_round(ga_multiply(s, ga_complex(0, 1)), 2)); break;
        default:
            if (ga_compute_n(3, (const ga_array *const[]){ s, ga_sum(s), ga_var(s) }, many)) r = many[0];
        }
        r = ga_keep(r);
    }
    return r;
}

static bool give(ga_result *result, const ga_result *in, int n, void *user)
{
    (void)in, (void)n, (void)user;
    result->array = ga_ones((3));
    return result->array != NULL;
}
static void let_go(ga_result *result) { ga_free(result->array); }

static bool run_tasks(void)
{
    ga_graph *g    = ga_graph_new();
    ga_task  *last = g ? ga_delayed_n(g, give, NULL, 0, NULL, .release = let_go) : NULL;
    for (int k = 0; k < 20 && last; k++) last = ga_delayed_n(g, give, NULL, 1, &last, .release = let_go);
    ga_result r;
    bool      ok = last && ga_run(g, last, &r);
    if (ok) ga_free(r.array);
    ga_graph_free(g);
    return ok;
}

static void test_chunked(void)
{
    const ga_device device  = ga_get_device();
    int             threads = ga_get_num_threads();
    ga_set_device(GA_CPU);
    ga_set_num_threads(1); /* the allocator counts without a lock */
    ga_array *a = ga_random((30, 40), .seed = 1), *x = ga_chunked(a, 7, 20), *y = ga_sin(x);
    in_a_function = true;
    for (int which = 0; which < 16; which++) RUN(in_chunks(a, which));
    RUN_BOOL(run_tasks());
    in_a_function = false;
    ga_free(a);
    a = ga_full((3), 1e300);
    RUN(ga_prod(a, .initial = GA_ARG(0)));
    RUN_BOOL(ga_visualize(y, path_of("expression.svg")));
    RUN_BOOL(ga_visualize(y, path_of("expression.dot"), .tasks = 1));
    remove(path_of("expression.svg")), remove(path_of("expression.dot"));
    ga_free(y);
    ga_free(x);
    ga_free(a);
    ga_set_num_threads(threads);
    ga_set_device(device);
}

static void test_eval(void)
{
    ga_array *x = ga_random((5, 300), .seed = 1), *y = ga_ones((300)), *out = ga_zeros((5, 300));
    RUN(ga_eval("x", (x)));
    RUN(ga_eval("2 + 3", (x)));
    RUN(ga_eval("2*x + y[::-1]**2", (x, y)));
    RUN(ga_eval("d = x - mean(x, axis=0); d / sqrt(sum(d*d, axis=0))", (x)));
    RUN(ga_eval("std(x*y, axis=0) + argmax(x - y, axis=0) / sum(x*y)", (x, y), .dtype = GA_F32));
    RUN(ga_eval("where(x > median(x), float32(x), std(y)) + percentile(y, 20)", (x, y)));
    RUN(ga_eval("round(x, 2) - round(float32(x), -1) + round(y > 0, 1)", (x, y)));
    RUN_TEXT(ga_formula_c("f", "sin(x)**2 + n", "float x, int n"));
    RUN_INTO(ga_eval("x*y + abs(-2)", (x, y), .out = out));
    RUN_INTO(ga_eval("out[:, ::-1]*2 - x", (x, out), .out = out, .where = y));
    ga_free(x), ga_free(y), ga_free(out);
}

static void do_nothing(void *user) { (void)user; }

static void test_benchmark(void)
{
    RUN_BOOL(ga_benchmark(do_nothing, NULL, .repeat = 3, .warmup = 0, .quiet = true).repeats > 0);
}

#include "allocations_half.h"
#include "allocations_linear.h"
#include "allocations_signals.h"

static void test_failing_allocations(bool linear_alone)
{
    static void (*const parts[])(void) = { test_creation,    test_views,     test_elementwise, test_reductions,   test_halves,
                                           test_products,    test_linear,    test_distances,   test_convolutions, test_files,
                                           test_chunk_files, test_benchmark, test_rearranging, test_shapes,       test_sums,
                                           test_written,     test_places,    test_images,      test_filters,      test_signals,
                                           test_own,         test_eval,      test_chunked };
    CHECK(ga_memory_stats().arrays == 0);
    CHECK(ga_set_allocator(failing_alloc_once, failing_free, &blocks));
    ga_set_error_handler(ga_ignore_error, NULL);
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if (!linear_alone || parts[k] == test_linear) parts[k]();
    CHECK(blocks == 0 && bytes_out == 0 && misuse == 0);
    ga_clear_error();
    /* Not while arrays are alive. */
    ga_array *a = ga_zeros((3));
    CHECK(!ga_set_allocator(NULL, NULL, NULL) && ga_error_status() == GA_BAD_ARGUMENT && strstr(ga_error(), "alive"));
    ga_clear_error();
    ga_free(a);
    CHECK(!ga_set_allocator(failing_alloc, NULL, NULL) && ga_error_status() == GA_BAD_ARGUMENT);
    ga_clear_error();
    CHECK(ga_set_allocator(NULL, NULL, NULL) && !ga_error());
    int64_t before = asked;
    ga_free(ga_zeros((3)));
    CHECK(asked == before);
    printf("%d calls, %d failed allocations\n", functions_run, failures_injected);
}

int main(int argc, char **argv)
{
    ga_set_num_threads(2);
    test_begin();
    test_failing_allocations(argc > 1 && strcmp(argv[1], "linear") == 0);
    return test_end();
}
