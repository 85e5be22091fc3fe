/* What a user steers on a GPU: devices, memory, streams, events, copies; and what a program says that has none.
   With tools/cudasim in place of a GPU: `cuda_api none` runs without a device, `cuda_api two` with two of them.
   cc tests/cuda_api.c and an implementation built by nvcc, or by g++ with cudasim, or by cc */
#include "test.h"

#include <pthread.h>

/* Of cudasim: makes calls of the CUDA runtime fail. */
extern void cudasim_fail(const char *kind, long n) __attribute__((weak));
/* Does it watch what a program does wrong? Then only what is right is tried. */
extern int cudasim_is_checker(void) __attribute__((weak));

/* Did the last call fail with a sentence that holds these words? The error is cleared. */
static bool says(ga_status status, const char *words)
{
    const char *error = ga_error();
    bool        ok    = error && strstr(error, words) && ga_error_status() == status;
    if (!ok) printf("     expected '%s', the library says: %s\n", words, error ? error : "nothing");
    ga_clear_error();
    return ok;
}

static ga_array *count_to(int64_t n, ga_dtype dtype)
{
    ga_array *wide = ga_arange(0, n, 1), *a = ga_astype(wide, dtype);
    ga_free(wide);
    return a;
}

/* Are the elements of a, wherever it lies, factor * i? Frees nothing. */
static bool counts_by(const ga_array *a, double factor)
{
    ga_array *here = ga_to(a, GA_CPU), *wide = here ? ga_astype(here, GA_F64) : NULL;
    bool      ok = wide != NULL;
    for (int64_t i = 0; ok && i < wide->size; i++) ok = ((const double *)wide->data)[i] == factor * (double)i;
    ga_free(here);
    ga_free(wide);
    return ok;
}

/* ---- without a device -------------------------------------------------------------------------------------------- */

static void test_without(void)
{
    double    numbers[4] = { 1, 2, 3, 4 };
    ga_array *a = ga_ones((4)), *p = ga_zeros((4), .pinned = true), *into = ga_zeros((4));
    bool      built = false; /* with CUDA, but there is no device? */
    CHECK(ga_cuda_count() == 0 && !ga_error());
    CHECK(ga_to(a, GA_CUDA) == NULL && ga_error_status() == GA_BAD_DEVICE);
    built             = ga_error() && !strstr(ga_error(), "built without CUDA");
    const char *words = !built ? "this program was built without CUDA" : "there is no CUDA";
    CHECK(says(GA_BAD_DEVICE, words));
    CHECK(ga_zeros((3), .device = GA_CUDA) == NULL && says(GA_BAD_DEVICE, words));
    CHECK(ga_empty((3), .device = GA_CUDA, .managed = true) == NULL && says(GA_BAD_DEVICE, words));
    CHECK(ga_from(numbers, (4), .device = GA_CUDA) == NULL && says(GA_BAD_DEVICE, words));
    CHECK(ga_wrap(numbers, (4), .device = GA_CUDA) == NULL && says(GA_BAD_DEVICE, words));
    ga_set_device(GA_CUDA);
    CHECK(ga_get_device() == GA_CPU && says(GA_BAD_DEVICE, words));
    CHECK(!ga_cuda_select(0) && says(GA_BAD_DEVICE, words));
    CHECK(ga_cuda_selected() == 0 && ga_cuda_device_of(a) == -1 && !ga_error());
    CHECK(ga_cuda_properties(0).memory_bytes == 0 && says(GA_BAD_DEVICE, words));
    CHECK(ga_cuda_memory_stats().total_bytes == 0 && says(GA_BAD_DEVICE, words));
    ga_cuda_memory_limit(1000);
    ga_cuda_memory_limit(0);
    ga_cuda_memory_reset_peak();
    ga_cuda_memory_trim();
    CHECK(!ga_error());
    CHECK(ga_stream_new() == NULL && says(GA_BAD_DEVICE, words));
    CHECK(ga_get_stream() == NULL && ga_set_stream(NULL) && !ga_error());
    ga_stream_free(NULL);
    CHECK(ga_event_new() == NULL && says(GA_BAD_DEVICE, words));
    CHECK(!ga_event_record(NULL, NULL) && says(GA_BAD_ARGUMENT, "the event is NULL"));
    CHECK(!ga_event_synchronize(NULL) && says(GA_BAD_ARGUMENT, "the event is NULL"));
    CHECK(!ga_event_query(NULL) && says(GA_BAD_ARGUMENT, "the event is NULL"));
    CHECK(!ga_stream_wait_event(NULL, NULL) && says(GA_BAD_ARGUMENT, "the event is NULL"));
    CHECK(isnan(ga_event_elapsed(NULL, NULL)) && says(GA_BAD_ARGUMENT, "the event is NULL"));
    ga_event_free(NULL);
    ga_synchronize();
    CHECK(ga_cuda_data(a, GA_F64) == NULL && ga_error_status() == GA_BAD_DEVICE);
    ga_clear_error();
    /* nothing else changes: what is on the CPU works, pinned or not */
    CHECK(p && ga_data(p, GA_F64) && ga_to(a, GA_CPU, .out = p) == p && ga_item_at(p, 2) == 1);
    CHECK(ga_to(a, GA_CPU, .out = into, .async = true) == into && ga_array_equal(a, into));
    ga_array *copy = ga_to(a, GA_CPU);
    CHECK(ga_allclose(a, copy) && !ga_may_share_memory(a, copy));
    ga_free(copy);
    ga_free(into);
    ga_free(p);
    ga_free(a);
}

/* ---- devices and memory -------------------------------------------------------------------------------------------- */

static void test_devices(void)
{
    int count = ga_cuda_count();
    CHECK(count >= 1 && ga_cuda_selected() == 0 && ga_cuda_select(0));
    CHECK(!ga_cuda_select(count) && says(GA_BAD_DEVICE, "there is no CUDA device"));
    CHECK(!ga_cuda_select(-1) && says(GA_BAD_DEVICE, "there is no CUDA device -1"));
    CHECK(ga_cuda_selected() == 0);
    ga_cuda_device d = ga_cuda_properties(0);
    CHECK(d.name[0] && d.major >= 5 && d.minor >= 0 && d.processors > 0 && d.memory_bytes > 0 && d.shared_bytes >= 16384);
    CHECK(ga_cuda_properties(count).processors == 0 && says(GA_BAD_DEVICE, "there is no CUDA device"));
    ga_array *a = ga_ones((3)), *g = ga_to(a, GA_CUDA);
    CHECK(g && g->device == GA_CUDA && ga_cuda_device_of(g) == 0 && ga_cuda_device_of(a) == -1);
    CHECK(ga_cuda_device_of(NULL) == -1 && says(GA_BAD_ARGUMENT, "NULL"));
    ga_set_device(GA_CUDA);
    ga_array *h = ga_zeros((2));
    CHECK(ga_get_device() == GA_CUDA && h && h->device == GA_CUDA);
    ga_set_device(GA_CPU);
    ga_free(h);
    ga_free(g);
    ga_free(a);
}

static void test_memory(void)
{
    ga_cuda_memory before = ga_cuda_memory_stats();
    CHECK(before.total_bytes > 0 && before.free_bytes > 0 && before.free_bytes <= before.total_bytes);
    ga_cuda_memory_reset_peak();
    ga_memory      host = ga_memory_stats();
    ga_array      *g = ga_zeros((1000, 1000), .device = GA_CUDA), *view = ga_index(g, "::2");
    ga_cuda_memory with = ga_cuda_memory_stats();
    CHECK(with.used_bytes - before.used_bytes == 8000000 && with.peak_bytes >= with.used_bytes);
    CHECK(with.arrays - before.arrays == 2);
    CHECK(ga_memory_stats().arrays - host.arrays == 2 && ga_memory_stats().used_bytes - host.used_bytes < 10000);
    CHECK(ga_report_leaks(NULL) == ga_memory_stats().arrays);
    ga_free(g);
    CHECK(ga_cuda_memory_stats().used_bytes == with.used_bytes);
    ga_free(view);
    CHECK(ga_cuda_memory_stats().used_bytes == before.used_bytes && ga_cuda_memory_stats().arrays == before.arrays);
    CHECK(ga_cuda_memory_stats().peak_bytes >= before.used_bytes + 8000000);
    ga_cuda_memory_trim();
    CHECK(ga_cuda_memory_stats().kept_bytes < 8000000);

    ga_cuda_memory_limit(before.used_bytes + 1000000);
    CHECK(ga_cuda_memory_stats().limit_bytes == before.used_bytes + 1000000);
    CHECK(ga_zeros((1000, 1000), .device = GA_CUDA) == NULL && says(GA_NO_MEMORY, "ga_cuda_memory_limit"));
    CHECK(ga_empty((1000, 1000), .device = GA_CUDA, .managed = true) == NULL && says(GA_NO_MEMORY, "limit"));
    g = ga_zeros((1000), .device = GA_CUDA);
    CHECK(g != NULL);
    ga_free(g);
    ga_cuda_memory_limit(0);
    CHECK(ga_empty((1 << 20, 1 << 20), .device = GA_CUDA) == NULL && says(GA_NO_MEMORY, "on the GPU"));

    ga_memory_limit(ga_memory_stats().used_bytes + 100000);
    CHECK(ga_empty((1000, 1000), .pinned = true) == NULL && says(GA_NO_MEMORY, "ga_memory_limit"));
    ga_memory_limit(0);
    host        = ga_memory_stats();
    ga_array *p = ga_ones((1000), .dtype = GA_F32, .pinned = true);
    CHECK(p && p->device == GA_CPU && ga_memory_stats().used_bytes - host.used_bytes >= 4000);
    CHECK(((float *)ga_data(p, GA_F32))[999] == 1);
    ga_free(p);
    CHECK(ga_memory_stats().used_bytes == host.used_bytes);
    CHECK(ga_empty((3), .pinned = true, .managed = true) == NULL && says(GA_BAD_ARGUMENT, "not both"));
    CHECK(ga_empty((3), .device = GA_CUDA, .pinned = true) == NULL && says(GA_BAD_DEVICE, ".pinned"));
    CHECK(ga_empty((3), .managed = true) == NULL && says(GA_BAD_DEVICE, ".managed"));

    g = ga_zeros((3), .device = GA_CUDA);
    CHECK(!ga_set_allocator(NULL, NULL, NULL) && says(GA_BAD_ARGUMENT, "alive"));
    FILE *f = tmpfile();
    if (f) {
        char text[4000] = "";
        ga_report_leaks(f);
        rewind(f);
        if (fread(text, 1, sizeof text - 1, f) > 0) CHECK(strstr(text, "on the GPU") != NULL);
        fclose(f);
    }
    ga_free(g);
}

/* ---- copies -------------------------------------------------------------------------------------------------------- */

static void test_to(void)
{
    ga_array *a = count_to(1000, GA_F32), *g = ga_to(a, GA_CUDA);
    CHECK(g && g->dtype == GA_F32 && counts_by(g, 1));
    ga_array *twice = ga_add(g, g), *again = ga_to(twice, GA_CUDA);
    CHECK(counts_by(twice, 2) && counts_by(again, 2) && !ga_may_share_memory(twice, again));
    /* views: any layout goes both ways */
    ga_array *odd = ga_index(a, "1::2"), *back = ga_index(a, "::-1"), *odd_g = ga_to(odd, GA_CUDA),
             *flipped = ga_index(g, "::-1");
    ga_array *odd_2 = ga_to(odd_g, GA_CPU), *back_2 = ga_to(flipped, GA_CPU);
    CHECK(ga_array_equal(odd, odd_2) && ga_array_equal(back, back_2));
    ga_array *empty = ga_zeros((0, 5)), *empty_g = ga_to(empty, GA_CUDA), *empty_2 = ga_to(empty_g, GA_CPU);
    CHECK(empty_2 && empty_2->size == 0 && ga_same_shape(empty, empty_2));
    /* into an array that is there */
    ga_array *into_g = ga_zeros((1000), .dtype = GA_F32, .device = GA_CUDA), *into = ga_zeros((1000), .dtype = GA_F32);
    CHECK(ga_to(a, GA_CUDA, .out = into_g) == into_g && counts_by(into_g, 1));
    CHECK(ga_to(twice, GA_CUDA, .out = into_g) == into_g && counts_by(into_g, 2));
    CHECK(ga_to(into_g, GA_CPU, .out = into) == into && counts_by(into, 2));
    ga_array *even = ga_index(into, "::2"), *even_g = ga_index(into_g, "::2"), *half = ga_index(g, ":500"),
             *half_a = ga_index(a, ":500");
    CHECK(ga_to(half, GA_CPU, .out = even) == even && ga_item_at(into, 998) == 499 && ga_item_at(into, 999) == 1998);
    CHECK(ga_to(half_a, GA_CUDA, .out = even_g) == even_g && ga_item_at(into_g, 998) == 499 && ga_item_at(into_g, 999) == 1998);
    CHECK(ga_to(a, GA_CUDA, .out = into) == NULL && says(GA_BAD_DEVICE, ".out is on the CPU"));
    CHECK(ga_to(a, GA_CUDA, .out = even_g) == NULL && says(GA_BAD_SHAPE, ".out has shape"));
    ga_array *f64 = ga_zeros((1000));
    CHECK(ga_to(g, GA_CPU, .out = f64) == NULL && says(GA_BAD_DTYPE, "ga_astype"));
    CHECK(ga_to(g, GA_CPU, .out = NULL) == NULL && says(GA_BAD_ARGUMENT, ".out is NULL"));
    CHECK(ga_to(NULL, GA_CPU) == NULL && says(GA_BAD_ARGUMENT, "NULL"));
    /* nothing is brought over silently */
    CHECK(ga_add(a, g) == NULL && says(GA_BAD_DEVICE, "ga_to"));
    CHECK(ga_copyto(a, g) == NULL && says(GA_BAD_DEVICE, "ga_to"));
    CHECK(ga_copyto(g, a) == NULL && says(GA_BAD_DEVICE, "ga_to"));
    CHECK(ga_add(g, 1, .out = a) == NULL && says(GA_BAD_DEVICE, "ga_to"));
    /* but whole comparisons and single numbers are */
    CHECK(ga_allclose(a, g) && ga_allclose(g, a) && ga_array_equal(g, a) && !ga_allclose(a, twice) &&
          !ga_array_equal(twice, a));
    CHECK(ga_item_at(g, 7) == 7 && ga_item_int_at(twice, -1) == 1998);
    CHECK(isnan(ga_item(g)) && says(GA_BAD_SHAPE, "1000 elements"));
    CHECK(ga_data(g, GA_F32) == NULL && says(GA_BAD_DEVICE, "ga_to(a, GA_CPU) first"));
    CHECK(ga_cuda_data(g, GA_F32) == g->data && !ga_error());
    CHECK(ga_cuda_data(g, GA_F64) == NULL && says(GA_BAD_DTYPE, "float32"));
    CHECK(ga_cuda_data(even_g, GA_F32) == NULL && says(GA_BAD_SHAPE, "one behind the other"));
    CHECK(ga_cuda_data(a, GA_F32) == NULL && says(GA_BAD_DEVICE, "ga_to(a, GA_CUDA) first"));
    ga_array *all[] = { a,     g,       twice,   again,  odd,  back, odd_g,  flipped, odd_2,  back_2,
                        empty, empty_g, empty_2, into_g, into, even, even_g, half,    half_a, f64 };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) ga_free(all[i]);
}

static void test_async(void)
{
    enum { N = 100000 };
    ga_stream s = ga_stream_new(), t = ga_stream_new();
    ga_array *host = ga_empty((N), .pinned = true), *back = ga_empty((N), .pinned = true),
             *g = ga_empty((N), .device = GA_CUDA);
    CHECK(s && t && s != t && host && back && g);
    for (int round = 1; round <= 3; round++) {
        double *p = (double *)ga_data(host, GA_F64); /* waits for the copy of the round before */
        for (int64_t i = 0; i < N; i++) p[i] = (double)(round * i);
        CHECK(ga_to(host, GA_CUDA, .out = g, .stream = s, .async = true) == g);
        ga_set_stream(t);
        ga_array *sum = ga_add(g, g);
        CHECK(ga_to(sum, GA_CPU, .out = back, .async = true) == back);
        ga_free(sum);
        ga_set_stream(NULL);
        const double *q = (const double *)ga_data(back, GA_F64);
        CHECK(q && q[1] == 2 * round && q[N - 1] == 2.0 * round * (N - 1));
    }
    /* gpuarr's own calls wait, too */
    ga_to(g, GA_CPU, .out = back, .async = true);
    CHECK(counts_by(back, 3));
    ga_to(host, GA_CUDA, .out = g, .async = true);
    ga_copyto(host, 5);
    CHECK(counts_by(g, 3) && ga_item_at(host, 9) == 5);
    /* slices of pinned memory, several streams, in any order; two copies of one source */
    ga_array *low = ga_index(host, ":50000"), *high = ga_index(host, "50000:"), *g_low = ga_index(g, ":50000"),
             *g_high = ga_index(g, "50000:");
    CHECK(ga_to(low, GA_CUDA, .out = g_low, .stream = s, .async = true) &&
          ga_to(high, GA_CUDA, .out = g_high, .stream = t, .async = true));
    ga_array *once_more = ga_to(low, GA_CUDA, .stream = t, .async = true);
    CHECK(once_more && ga_item_at(g, 0) == 5 && ga_item_at(g, N - 1) == 5 && ga_item_at(once_more, 77) == 5);
    /* a new array for the host is pinned by itself; ordinary memory is right as well */
    ga_array *result = ga_to(g, GA_CPU, .async = true), *ordinary = ga_ones((N)), *g2 = ga_to(ordinary, GA_CUDA, .async = true);
    CHECK(result && ga_item_at(result, 3) == 5 && g2 && ga_item_at(g2, 5) == 1);
    CHECK(ga_to(g, GA_CPU, .out = ordinary, .async = true) == ordinary && ((double *)ordinary->data)[N - 1] == 5);
    ga_array *reversed = ga_index(host, "::-1"), *g3 = ga_to(reversed, GA_CUDA, .async = true);
    CHECK(g3 && ga_item_at(g3, 0) == 5);
    /* freed while the copy is under way */
    ga_array *short_lived = ga_full((N), 4, .dtype = GA_F64, .pinned = true);
    ga_to(short_lived, GA_CUDA, .out = g, .stream = s, .async = true);
    ga_free(short_lived);
    CHECK(ga_item_at(g, 1) == 4);
    ga_to(g, GA_CPU, .out = back, .stream = t, .async = true);
    ga_synchronize();
    CHECK(((double *)back->data)[3] == 4);
    ga_to(g, GA_CPU, .out = back, .stream = t, .async = true);
    CHECK(ga_stream_synchronize(t) && ((double *)back->data)[3] == 4);
    ga_array *all[] = { host, back, g, low, high, g_low, g_high, once_more, result, ordinary, g2, reversed, g3 };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) ga_free(all[i]);
    ga_stream_free(s);
    ga_stream_free(t);
}

static void test_managed(void)
{
    ga_array *m = ga_ones((1000), .device = GA_CUDA, .managed = true);
    CHECK(m && m->device == GA_CUDA);
    ga_add(m, 1, .out = m);
    double *p = (double *)ga_data(m, GA_F64);
    CHECK(p == m->data && p[0] == 2 && p[999] == 2);
    for (int i = 0; i < 1000; i++) p[i] = i;
    ga_array *twice = ga_add(m, m);
    CHECK(counts_by(m, 1) && counts_by(twice, 2));
    CHECK(ga_data(m, GA_F32) == NULL && says(GA_BAD_DTYPE, "float64"));
    ga_array *view = ga_index(m, "10:20");
    CHECK(ga_data(view, GA_F64) == p + 10 && ga_cuda_data(view, GA_F64) == p + 10);
    ga_array *wrapped = ga_wrap(p, (1000), .device = GA_CUDA); /* a caller's managed memory */
    CHECK(wrapped && ga_data(wrapped, GA_F64) == p);
    ga_free(wrapped);
    ga_free(view);
    ga_free(twice);
    ga_free(m);
}

static int  released;
static void count_release(void *p, void *user)
{
    (void)p;
    *(int *)user += 1;
}

static void test_wrap(void)
{
    double    numbers[6] = { 0, 1, 2, 3, 4, 5 };
    ga_array *g          = ga_from(numbers, (6), .device = GA_CUDA);
    CHECK(g && g->device == GA_CUDA && counts_by(g, 1));
    double   *d = (double *)ga_cuda_data(g, GA_F64);
    ga_array *w = ga_wrap(d, (2, 3), .device = GA_CUDA, .release = count_release, .user = &released);
    CHECK(w && w->device == GA_CUDA && ga_cuda_device_of(w) == 0 && ga_item_at(w, 1, 2) == 5);
    ga_array *columns = ga_wrap_strided(d, (3, 2), (8, 24), .device = GA_CUDA);
    CHECK(columns && ga_item_at(columns, 2, 1) == 5 && ga_item_at(columns, 0, 1) == 3);
    ga_add(w, w, .out = w);
    CHECK(counts_by(g, 2));
    ga_free(w);
    CHECK(released == 1);
    ga_free(columns);
    CHECK(ga_wrap(numbers, (6), .device = GA_CUDA) == NULL && says(GA_BAD_DEVICE, "no memory of a GPU"));
    CHECK(ga_wrap(d, (6)) == NULL && says(GA_BAD_DEVICE, "say .device = GA_CUDA"));
    CHECK(ga_wrap((double *)NULL, (6), .device = GA_CUDA) == NULL && says(GA_BAD_ARGUMENT, "NULL"));
    w = ga_wrap((double *)NULL, (0), .device = GA_CUDA);
    CHECK(w && w->size == 0);
    ga_free(w);
    /* a caller's pinned memory */
    ga_array *pinned = ga_ones((6), .pinned = true), *mine = ga_wrap((double *)pinned->data, (6));
    CHECK(ga_to(mine, GA_CUDA, .out = g, .async = true) == g && ga_item_at(g, 4) == 1);
    ga_free(mine);
    ga_free(pinned);
    ga_free(g);
}

/* ---- streams and events ---------------------------------------------------------------------------------------------- */

static void test_streams(void)
{
    CHECK(ga_get_stream() == NULL);
    ga_stream s = ga_stream_new();
    CHECK(s && ga_set_stream(s) && ga_get_stream() == s);
    ga_array *a = ga_ones((5000), .device = GA_CUDA), *b = ga_add(a, 1);
    CHECK(ga_set_stream(NULL) && ga_get_stream() == NULL);
    ga_array *c = ga_add(a, b); /* on the default stream: behind what s does */
    CHECK(ga_item_at(c, 4999) == 3);
    CHECK(ga_stream_synchronize(s) && ga_stream_query(s) && ga_stream_synchronize(NULL) && ga_stream_query(NULL));
    ga_set_stream(s);
    ga_add(c, 1, .out = c);
    ga_stream_free(s); /* the arrays and this thread remember it */
    CHECK(ga_get_stream() == NULL && !ga_error());
    CHECK(ga_item_at(c, 0) == 4);
    ga_add(c, a, .out = c);
    CHECK(ga_item_at(c, 0) == 5);
    ga_stream_free(s);
    CHECK(says(GA_BAD_ARGUMENT, "no stream that is known"));
    CHECK(!ga_set_stream((ga_stream)2) && says(GA_BAD_ARGUMENT, "cudaStreamPerThread")); /* its number in CUDA */
    CHECK(ga_set_stream((ga_stream)1) && ga_get_stream() == NULL);                       /* cudaStreamLegacy */
    ga_free(a);
    ga_free(b);
    ga_free(c);
    ga_stream many[100];
    int       made = 0;
    while (made < 100 && (many[made] = ga_stream_new()) != NULL) made++;
    CHECK(made == 64 && says(GA_BAD_ARGUMENT, "64 streams"));
    while (made > 0) ga_stream_free(many[--made]);
    ga_stream_free(NULL);
    CHECK(!ga_error());
}

static void test_events(void)
{
    ga_stream s = ga_stream_new(), t = ga_stream_new();
    ga_event  first = ga_event_new(), last = ga_event_new();
    CHECK(first && last);
    if (!cudasim_is_checker || !cudasim_is_checker())
        CHECK(isnan(ga_event_elapsed(first, last)) && says(GA_BAD_ARGUMENT, "recorded"));
    CHECK(ga_event_record(first, s));
    ga_set_stream(s);
    ga_array *a = ga_ones((100000), .device = GA_CUDA), *b = ga_exp(a);
    CHECK(ga_event_record(last, s) && ga_stream_wait_event(t, last) && ga_event_synchronize(last));
    CHECK(ga_event_query(last) && ga_event_query(first) && ga_stream_synchronize(t) && ga_stream_query(t));
    double seconds = ga_event_elapsed(first, last);
    CHECK(seconds >= 0 && seconds < 60);
    CHECK(!ga_event_record(NULL, s) && says(GA_BAD_ARGUMENT, "the event is NULL"));
    CHECK(isnan(ga_event_elapsed(first, NULL)) && says(GA_BAD_ARGUMENT, "the event is NULL"));
    ga_set_stream(NULL);
    ga_event_free(first);
    ga_event_free(last);
    ga_event_free(NULL);
    ga_free(a);
    ga_free(b);
    ga_stream_free(s);
    ga_stream_free(t);
}

/* ---- several threads ----------------------------------------------------------------------------------------------------- */

enum { THREADS = 4, ROUNDS = 20, LENGTH = 3000 };
static ga_array *shared;

static void *worker(void *argument)
{
    bool      own_stream = *(const bool *)argument;
    ga_stream s          = own_stream ? ga_stream_new() : NULL;
    ga_set_stream(s);
    for (int round = 0; round < ROUNDS; round++) {
        ga_array *sum = ga_add(shared, round), *view = ga_index(shared, "::3"), *part = ga_multiply(view, 2);
        CHECK(sum && part && ga_item_at(sum, LENGTH - 1) == LENGTH - 1 + round && ga_item_at(part, 5) == 30);
        ga_free(sum);
        ga_free(view);
        ga_free(part);
    }
    CHECK(ga_error() == NULL);
    if (s) ga_stream_free(s);
    return NULL;
}

static void test_threads(void)
{
    for (int own_streams = 0; own_streams < 2; own_streams++) {
        bool      own  = own_streams;
        ga_array *host = count_to(LENGTH, GA_F64);
        pthread_t threads[THREADS];
        shared = ga_to(host, GA_CUDA);
        for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, worker, &own);
        for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
        ga_add(shared, shared, .out = shared);
        CHECK(counts_by(shared, 2));
        ga_free(shared);
        ga_free(host);
    }
}

/* ---- several devices -------------------------------------------------------------------------------------------------------- */

static void test_two_devices(void)
{
    if (ga_cuda_count() < 2) {
        test_skip("one device: nothing was copied between two", 1);
        return;
    }
    ga_array *a = count_to(5000, GA_I32), *g0 = ga_to(a, GA_CUDA);
    CHECK(ga_cuda_select(1) && ga_cuda_selected() == 1);
    ga_cuda_memory before = ga_cuda_memory_stats();
    ga_array *g1 = ga_to(a, GA_CUDA), *g01 = ga_to(g0, GA_CUDA), *zero = ga_zeros((5000), .dtype = GA_I32, .device = GA_CUDA);
    CHECK(ga_cuda_device_of(g0) == 0 && ga_cuda_device_of(g1) == 1 && ga_cuda_device_of(g01) == 1);
    CHECK(ga_cuda_memory_stats().arrays - before.arrays == 3 && ga_cuda_memory_stats().used_bytes - before.used_bytes == 60000);
    CHECK(counts_by(g01, 1) && counts_by(g1, 1));
    ga_array *sum = ga_add(g1, g01);
    CHECK(sum && ga_cuda_device_of(sum) == 1 && counts_by(sum, 2));
    CHECK(ga_add(g0, g1) == NULL && says(GA_BAD_DEVICE, "CUDA devices 0 and 1"));
    CHECK(ga_add(g0, g0) == NULL && says(GA_BAD_DEVICE, "ga_cuda_select(0)"));
    CHECK(ga_item_at(g0, 17) == 17 && counts_by(g0, 1) && ga_cuda_selected() == 1);
    CHECK(ga_allclose(g0, g1) && ga_array_equal(g1, g0) && ga_array_equal(g0, a) && !ga_array_equal(g0, sum) &&
          ga_array_equal(g0, g0));
    ga_array *odd = ga_index(g0, "::-2"), *odd1 = ga_to(odd, GA_CUDA), *odd_h = ga_to(odd, GA_CPU);
    CHECK(ga_cuda_device_of(odd1) == 1 && ga_item_at(odd1, 0) == 4999 && ga_array_equal(odd1, odd_h));
    CHECK(ga_to(g0, GA_CUDA, .out = zero) == zero && counts_by(zero, 1));
    CHECK(ga_to(sum, GA_CUDA, .out = g0) == g0 && counts_by(g0, 2) && ga_cuda_device_of(g0) == 0);
    /* streams belong to a device */
    ga_stream s1 = ga_stream_new();
    CHECK(ga_set_stream(s1) && ga_get_stream() == s1);
    CHECK(ga_cuda_select(0) && ga_get_stream() == NULL);
    CHECK(ga_to(a, GA_CUDA, .stream = s1) == NULL && says(GA_BAD_DEVICE, ".stream belongs to CUDA device 1"));
    ga_array *g10 = ga_to(sum, GA_CUDA); /* device 1 works on s1 here, too */
    CHECK(ga_cuda_device_of(g10) == 0 && counts_by(g10, 2));
    ga_array *p = ga_ones((5000), .dtype = GA_I32, .pinned = true);
    CHECK(ga_to(p, GA_CUDA, .out = g0, .async = true) && ga_to(p, GA_CUDA, .out = g1, .async = true));
    CHECK(ga_item_at(g0, 3) == 1 && ga_item_at(g1, 4) == 1);
    ga_free(p);
    ga_stream_free(s1);
    ga_array *all[] = { a, g0, g1, g01, zero, sum, odd, odd1, odd_h, g10 };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) ga_free(all[i]);
    CHECK(ga_cuda_select(1) && ga_cuda_memory_stats().used_bytes == before.used_bytes && ga_cuda_select(0));
}

/* Arrays that live until the program has nearly ended. */
static ga_array *late[2];
static void      free_late(void)
{
    ga_free(late[0]);
    ga_free(late[1]);
}

/* ---- benchmark, fork ------------------------------------------------------------------------------------------------------------ */

static void add_on_gpu(void *user) { ga_add((ga_array *)user, 1); }

static void test_benchmark(void)
{
    ga_array           *g = ga_ones((10000), .device = GA_CUDA);
    ga_benchmark_result r = ga_benchmark(add_on_gpu, g, .repeat = 5, .quiet = true);
    CHECK(r.repeats == 5 && r.cpu.max > 0 && r.device.max > 0 && r.device.min <= r.device.median &&
          r.device.median <= r.device.max);
    r = ga_benchmark(add_on_gpu, g, .repeat = 3, .name = "ga_add");
    CHECK(r.repeats == 3);
    ga_free(g);
}

static void test_fork(void)
{
    ga_array *g = ga_ones((10), .device = GA_CUDA), *a = ga_ones((10));
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        bool ok = ga_to(a, GA_CUDA) == NULL && ga_error_status() == GA_BAD_DEVICE && strstr(ga_error(), "fork");
        ga_clear_error();
        ga_array *sum = ga_add(a, a);
        ok            = ok && ga_item_at(sum, 9) == 2 && ga_cuda_count() == 0;
        ga_free(sum);
        ga_free(g);
        ga_free(a);
        _exit(ok ? 0 : 1);
    }
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    CHECK(ga_item_at(g, 9) == 1);
    ga_free(g);
    ga_free(a);
}

/* ---- every call of the runtime fails once ------------------------------------------------------------------------------------------ */

static ga_array *scenario_to(void) { return ga_to(shared, GA_CUDA); }
static ga_array *scenario_zeros(void) { return ga_zeros((100), .device = GA_CUDA); }
static ga_array *scenario_full(void) { return ga_full((100), 7.5, .device = GA_CUDA, .managed = true); }
static ga_array *scenario_pinned(void) { return ga_zeros((100), .pinned = true); }
static ga_array *scenario_from(void)
{
    double x[3] = { 1, 2, 3 };
    return ga_from(x, (3), .device = GA_CUDA);
}
static ga_array *on_gpu; /* made before the calls fail */
static ga_array *scenario_add(void) { return ga_add(on_gpu, on_gpu); }
static ga_array *scenario_cast(void) { return ga_astype(on_gpu, GA_F32); }
static ga_array *scenario_back(void) { return ga_to(on_gpu, GA_CPU); }
static ga_array *scenario_async(void)
{
    ga_array *a = ga_to(on_gpu, GA_CPU, .async = true);
    return ga_data(a, GA_F64) ? a : (ga_free(a), (ga_array *)NULL);
}
static ga_array *scenario_item(void) { return isnan(ga_item_at(on_gpu, 3)) ? NULL : ga_zeros((1)); }
static ga_array *scenario_compare(void) { return ga_allclose(on_gpu, shared) ? ga_zeros((1)) : NULL; }
static ga_array *scenario_strided(void)
{
    ga_array *view = ga_index(on_gpu, "::2"), *a = ga_to(view, GA_CPU);
    ga_free(view);
    return a;
}
static ga_array *scenario_streams(void)
{
    ga_stream s = ga_stream_new();
    if (!s) return NULL;
    ga_array *a = ga_set_stream(s) ? ga_add(on_gpu, 1) : NULL;
    ga_set_stream(NULL);
    ga_array *b = a ? ga_add(a, on_gpu) : NULL;
    ga_free(a);
    ga_stream_free(s);
    if (b && !ga_error()) return b;
    ga_free(b);
    return NULL;
}
static ga_array *scenario_events(void)
{
    ga_event from = ga_event_new(), to = ga_event_new();
    bool     ok = from && to && ga_event_record(from, NULL) && ga_event_record(to, NULL) && ga_event_synchronize(to) &&
              ga_event_elapsed(from, to) >= 0;
    ga_event_free(from);
    ga_event_free(to);
    return ok ? ga_zeros((1)) : NULL;
}
static ga_array *scenario_benchmark(void)
{
    return ga_benchmark(add_on_gpu, on_gpu, .repeat = 2, .warmup = 1, .quiet = true).repeats == 2 ? ga_zeros((1)) : NULL;
}
static ga_array *scenario_peer(void)
{
    ga_array *there = ga_cuda_select(1) ? ga_to(on_gpu, GA_CUDA) : NULL;
    ga_array *here  = ga_cuda_select(0) && there ? ga_to(there, GA_CUDA) : NULL;
    ga_free(there);
    return here;
}

static void test_failures(void)
{
    static ga_array *(*const scenarios[])(void) = { scenario_to,      scenario_zeros,  scenario_full,      scenario_pinned,
                                                    scenario_from,    scenario_add,    scenario_cast,      scenario_back,
                                                    scenario_async,   scenario_item,   scenario_compare,   scenario_strided,
                                                    scenario_streams, scenario_events, scenario_benchmark, scenario_peer };
    if (!cudasim_fail) {
        test_skip("calls of the CUDA runtime fail on demand with cudasim only", 1);
        return;
    }
    shared = ga_ones((100));
    on_gpu = ga_to(shared, GA_CUDA);
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        if (scenarios[i] == scenario_peer && ga_cuda_count() < 2) continue;
        int failed = 0;
        for (long n = 1; n < 200; n++) {
            ga_memory      host = ga_memory_stats();
            ga_cuda_memory gpu  = ga_cuda_memory_stats();
            ga_clear_error();
            cudasim_fail("any", n);
            ga_array *a = scenarios[i]();
            cudasim_fail("any", 0);
            bool reported = ga_error() != NULL;
            if (reported != (a == NULL)) {
                printf("     scenario %d, call %ld: %s\n", (int)i, n, ga_error() ? ga_error() : "no error");
                CHECK(reported == (a == NULL));
            }
            ga_free(a);
            ga_clear_error();
            ga_cuda_select(0);
            ga_set_stream(NULL);
            if (ga_memory_stats().arrays != host.arrays || ga_memory_stats().used_bytes != host.used_bytes ||
                ga_cuda_memory_stats().used_bytes != gpu.used_bytes) {
                printf("     scenario %d, call %ld leaks\n", (int)i, n);
                CHECK(false);
            }
            if (!reported && n > 12) break;
            failed += reported;
        }
        if (failed == 0) printf("     scenario %d never failed\n", (int)i);
        CHECK(failed > 0);
        CHECK(ga_array_equal(on_gpu, shared)); /* and everything works again */
    }
    ga_free(on_gpu);
    ga_free(shared);
}

int main(int argc, char **argv)
{
    const char *devices = argc > 1 && strcmp(argv[1], "none") == 0 ? "0" : argc > 1 && strcmp(argv[1], "two") == 0 ? "2" : NULL;
    if (devices && !(getenv("CUDASIM_DEVICES") && strcmp(getenv("CUDASIM_DEVICES"), devices) == 0)) {
        if (!cudasim_fail) {
            test_skip("the number of devices can be chosen with cudasim only", 1);
            return test_end();
        }
        setenv("CUDASIM_DEVICES", devices, 1); /* read when a program starts */
        execv(argv[0], argv);
        return 1;
    }
    ga_set_error_handler(ga_ignore_error, NULL);
    atexit(free_late); /* runs after CUDA's own, which are registered later */
    if (ga_cuda_count() == 0) {
        test_without();
        if (ga_memory_stats().arrays) ga_report_leaks(stdout);
        CHECK(ga_memory_stats().arrays == 0);
        return test_end();
    }
    test_devices();
    test_memory();
    test_to();
    test_async();
    test_managed();
    test_wrap();
    test_streams();
    test_events();
    test_threads();
    test_two_devices();
    test_benchmark();
    test_fork();
    test_failures();
    if (ga_memory_stats().arrays) ga_report_leaks(stdout);
    CHECK(ga_memory_stats().arrays == 0 && ga_cuda_memory_stats().used_bytes == 0);
    late[0] = ga_ones((10), .device = GA_CUDA);
    late[1] = ga_to(late[0], GA_CPU, .async = true);
    return test_end();
}
