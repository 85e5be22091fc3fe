/* Threads: calls from several threads at once, any number of helper threads, calls from inside others, fork.
   cc -fsanitize=thread -DGPUARR_IMPLEMENTATION tests/threads.c -lm -lpthread */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* for cpu_set_t */
#endif
#ifndef GPUARR_IMPLEMENTATION
#define GPUARR_KERNELS
#endif
#include "test.h"

#include <dirent.h>
#include <pthread.h>
#include <sched.h>

GA_ELEMENTWISE(wave, double, (double x, float y), GA_SIN(x * 1e3) + y * x + (double)GA_INDEX)
GA_ELEMENTWISE(polar, void, (double x, double y, double *r, double *phi), {
    *r   = GA_HYPOT(x, y);
    *phi = GA_ARCTAN2(y, x);
})
GA_REDUCTION(dot, double, (double x, double y), double, 0, x *y, a + b, a)
GA_REDUCTION(last, int64_t, (double x), int64_t, -1, x > 0.5 ? GA_INDEX : -1, b > a ? b : a, a)
GA_STENCIL(heat, (1, 1), double, (double a),
           GA_AT(0, 0) + a * (GA_AT(-1, 0) + GA_AT(1, 0) + GA_AT(0, -1) + GA_AT(0, 1) - 4 * GA_AT(0, 0)))

/* One of everything, on arrays of its own. Returns a number that any other thread must get as well (a hash of the bits). */
static uint64_t hash_bytes(uint64_t h, const void *p, size_t n)
{
    const unsigned char *b = (const unsigned char *)p;
    for (size_t i = 0; i < n; i++) h = (h ^ b[i]) * 0x100000001B3u;
    return h;
}

static void add_to_hash(uint64_t *h, const ga_array *a)
{
    ga_array *c = ga_ascontiguous(a);
    if (!c) {
        *h = 0;
        return;
    }
    *h = hash_bytes(*h, c->shape, (size_t)c->ndim * sizeof c->shape[0]);
    *h = hash_bytes(*h, c->data, (size_t)(c->size * ga_itemsize(c->dtype)));
    ga_free(c);
}

#define H(...) add_to_hash(&h, (__VA_ARGS__))

static uint64_t everything(int64_t n, uint64_t seed)
{
    uint64_t h = 0xCBF29CE484222325u;
    ga_scope {
        ga_array *a = ga_random((n, 100), .seed = seed), *b = ga_random((100), .dtype = GA_F32, .seed = seed + 1);
        ga_array *i = ga_random_integers(-50, 50, (n), .seed = seed), *t = ga_transpose(a), *mask = ga_greater(a, 0.5);
        H(ga_add(a, b));
        H(ga_sin(ga_multiply(a, 100)));
        H(ga_multiply_add(a, 2, b));
        H(ga_power(a, 1.5));
        H(ga_sqrt(t));
        H(ga_where(mask, a, 0));
        H(ga_copyto(ga_copy(a), 7, .where = mask));
        H(ga_astype(a, GA_I16));
        H(ga_sum(a));
        H(ga_sum(a, .axis = 0));
        H(ga_mean(t, .axis = 0, .dtype = GA_F32));
        H(ga_std(a, .axis = 1));
        H(ga_max(t, .axis = 1));
        H(ga_argmin(a, .axis = 0));
        H(ga_any(mask, .axis = 1));
        H(ga_median(a, .axis = 0));
        H(ga_percentile(a, 30));
        H(ga_cumsum(a, .axis = 0));
        H(ga_norm(a));
        H(ga_dot(a, b));
        H(ga_sort(t, .axis = 1));
        H(ga_argsort(i));
        H(ga_unique(i));
        H(ga_roll(a, 3, .axis = 1));
        H(ga_pad(a, (1, 2), .mode = GA_PAD_REFLECT));
        H(ga_concatenate((a, a), .axis = 1));
        ga_array *parts[2] = { NULL, NULL };
        H(ga_apply(wave, (a, b)));
        H(ga_apply(wave, (t, 2), .out = t));
        H(ga_apply(polar, (a, b), .outs = parts));
        H(parts[1]);
        H(ga_reduce(dot, (a, b)));
        H(ga_reduce(dot, (t, 2), .axis = 0));
        H(ga_reduce(last, (a), .axis = 1));
        H(ga_stencil(heat, (a, 0.1), .steps = 5));
        H(ga_stencil(heat, (a, 0.2), .border = GA_BORDER_WRAP, .steps = 3, .out = a));
        H(ga_take(a, ga_ints(3, 1, -1), .axis = 0));
        H(ga_histogram(a, 20));
        H(ga_nonzero(mask));
        H(ga_extract(mask, a));
        H(ga_label(mask));
        H(ga_sum_labels(a, ga_label(mask), NULL));
        H(ga_sigma_clip(a, .sigma = 1.5));
        ga_statistics stats = ga_describe(a);
        H(ga_values(stats.mean, stats.median, stats.std));
        H(ga_render(a));
        H(ga_index(a, "::-3, 5:60:2"));
        H(ga_reshape(t, (-1)));
        H(ga_linspace(0, 1, n));
        H(ga_arange(0, n, 1, .dtype = GA_F32));
        H(ga_mgrid("0:20, 0:1:30j"));
        H(ga_tile(b, (3, 2)));
        for (int k = 0; k < 300; k++) { /* more texts than are kept */
            char         formula[80];
            const ga_arg in[2] = { GA_ARG(b), GA_ARG(k) };
            snprintf(formula, sizeof formula, "sum((b*%d + k)**2) + sin(b)*b", k % 260);
            H(ga_eval_n(formula, 2, in, .names = "b, k"));
        }
        H(ga_eval("d = a - mean(a, axis=0); d / sqrt(sum(d*d, axis=0)) + exp(b)*b", (a, b)));
        char *text = ga_to_string(a);
        h          = hash_bytes(h, text ? text : "", text ? strlen(text) : 0);
        free(text);
    }
    if (ga_error()) printf("     %s\n", ga_error());
    return ga_error() ? 0 : h;
}

static uint64_t expected[4];

static void *worker(void *which)
{
    int  k    = (int)(intptr_t)which;
    bool same = true;
    for (int round = 0; round < 2; round++) same = everything(k % 2 ? 30 : 700, (uint64_t)k) == expected[k] && same;
    /* The error belongs to the thread. */
    if (k == 2) {
        ga_array *none = NULL;
        same           = ga_add(none, 1) == NULL && ga_error() != NULL && same;
    }
    return (void *)(intptr_t)(same ? 1 : 0);
}

static void test_concurrent(int threads_of_the_library)
{
    pthread_t threads[4];
    ga_set_num_threads(threads_of_the_library);
    CHECK(ga_get_num_threads() == threads_of_the_library);
    for (int k = 0; k < 4; k++) CHECK(pthread_create(&threads[k], NULL, worker, (void *)(intptr_t)k) == 0);
    for (int k = 0; k < 4; k++) {
        void *same = NULL;
        pthread_join(threads[k], &same);
        CHECK(same != NULL);
    }
    CHECK(ga_error() == NULL);
}

/* Changing the number of threads while others calculate. */
static void *changes(void *unused)
{
    (void)unused;
    for (int i = 0; i < 200; i++) ga_set_num_threads(1 + i % 4);
    return NULL;
}

static bool  stop_changing;
static void *changes_on(void *unused)
{
    (void)unused;
    for (int i = 0; !__atomic_load_n(&stop_changing, __ATOMIC_RELAXED); i++) ga_set_num_threads(i % 2 ? 1 : 64);
    return NULL;
}

/* The room that a partition needs depends on the number of threads. */
static void test_changing_in_partitions(void)
{
    pthread_t t;
    bool      same = true;
    CHECK(pthread_create(&t, NULL, changes_on, NULL) == 0);
    ga_scope {
        ga_array *both = ga_full((4, 2 * 600000), 7, .dtype = GA_F32), *lines = ga_index(both, ":, ::2");
        ga_copyto(ga_index(both, ":, :600"), ga_arange(0, 600, 1));
        ga_array *sorted = ga_sort(lines); /* the same order, since what lies before and behind is sorted already */
        for (int i = 0; i < 4; i++) same = same && ga_array_equal(ga_partition(lines, 400000), sorted);
    }
    __atomic_store_n(&stop_changing, true, __ATOMIC_RELAXED);
    pthread_join(t, NULL);
    CHECK(same);
    ga_set_num_threads(2);
}

/* Who brings the elements of a line side by side, too. */
static void test_changing_in_sorts(void)
{
    pthread_t t;
    bool      same = true;
    stop_changing  = false;
    CHECK(pthread_create(&t, NULL, changes_on, NULL) == 0);
    ga_scope {
        const ga_array *line   = ga_index(ga_random_integers(-1000000, 1000000, (80000), .seed = 1), "::2");
        const ga_array *sorted = ga_sort(ga_copy(line));
        for (int i = 0; i < 3000 && same; i++) {
            ga_array *again = ga_sort(line);
            same            = ga_array_equal(again, sorted);
            ga_free(again);
        }
    }
    __atomic_store_n(&stop_changing, true, __ATOMIC_RELAXED);
    pthread_join(t, NULL);
    CHECK(same);
    ga_set_num_threads(2);
}

static void test_changing(void)
{
    pthread_t t;
    CHECK(pthread_create(&t, NULL, changes, NULL) == 0);
    CHECK(everything(700, 0) == expected[0]);
    pthread_join(t, NULL);
    ga_set_num_threads(2);
}

/* A call inside a call: the error handler and the callback of ga_wrap calculate, ga_benchmark calls functions. */
static int  nested_ok;
static void nested(ga_status status, const char *sentence, void *user)
{
    (void)status, (void)sentence, (void)user;
    ga_array *a = ga_ones((200000)), *s = ga_sum(a);
    if (ga_item(s) == 200000) nested_ok++;
    ga_free(s);
    ga_free(a);
}
static void released(void *p, void *user)
{
    (void)p;
    nested(GA_OK, "", user);
}
static void benchmarked(void *user)
{
    (void)user;
    nested(GA_OK, "", user);
    ga_add(ga_ones((100000)), 1); /* freed by the benchmark */
}

static void test_nested(void)
{
    double    x[3] = { 1, 2, 3 };
    ga_array *none = NULL;
    ga_set_error_handler(nested, NULL);
    CHECK(ga_sqrt(none) == NULL && nested_ok == 1);
    ga_set_error_handler(NULL, NULL);
    ga_clear_error();
    ga_free(ga_wrap(x, (3), .release = released));
    CHECK(nested_ok == 2);
    int64_t             before = ga_memory_stats().arrays;
    ga_benchmark_result r      = ga_benchmark(benchmarked, NULL, .repeat = 5, .warmup = 0, .quiet = true);
    CHECK(r.repeats == 5 && nested_ok == 7 && ga_memory_stats().arrays == before);
}

/* An array made here and freed there, many times over: the pool is shared. */
enum { HANDED = 200 };
static ga_array *handed[HANDED];
static void     *frees(void *unused)
{
    (void)unused;
    for (int i = 0; i < HANDED; i++) {
        ga_array *a;
        while (!(a = __atomic_exchange_n(&handed[i], (ga_array *)NULL, __ATOMIC_ACQ_REL))) sched_yield();
        ga_free(a);
    }
    return NULL;
}

static void test_handing_over(void)
{
    pthread_t t;
    int64_t   before = ga_memory_stats().arrays;
    CHECK(pthread_create(&t, NULL, frees, NULL) == 0);
    ga_array *base = ga_ones((1000));
    for (int i = 0; i < HANDED; i++)
        __atomic_store_n(&handed[i], i % 2 ? ga_full((100), i) : ga_index(base, "%d:", i), __ATOMIC_RELEASE);
    pthread_join(t, NULL);
    ga_free(base);
    CHECK(ga_memory_stats().arrays == before);
}

/* Helpers run where their caller may, but not on his processor; a caller who is bound to one is served as well. */
#ifdef __linux__
static void helpers_may(const cpu_set_t *callers, int *others, int *within)
{
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *d; tasks && (d = readdir(tasks));) {
        cpu_set_t may, both;
        int       thread = atoi(d->d_name);
        if (thread <= 0 || thread == (int)getpid() || sched_getaffinity(thread, sizeof may, &may) != 0) continue;
        CPU_AND(&both, &may, callers);
        ++*others;
        *within += CPU_COUNT(&may) > 0 && CPU_EQUAL(&both, &may);
    }
    if (tasks) closedir(tasks);
}

static void test_processors(void)
{
    cpu_set_t all, one;
    int       others = 0, within = 0;
    CHECK(sched_getaffinity(0, sizeof all, &all) == 0);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) { /* on each in turn: the helpers are moved out of the way */
        if (!CPU_ISSET(cpu, &all)) continue;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
        CHECK(everything(700, 0) == expected[0]);
        CHECK(sched_setaffinity(0, sizeof all, &all) == 0);
        CHECK(everything(700, 0) == expected[0]);
    }
    helpers_may(&all, &others, &within);
    CHECK(others > 0 && within == others);
}
#else
static void          test_processors(void) { test_skip("processors of threads: on Linux only", 1); }
#endif

/* A child has no helper threads: it starts its own. It must not hang, whatever the other threads of the parent did. */
#if TEST_TSAN
static void test_fork(void) { test_skip("fork: ThreadSanitizer does not follow the threads of a child", 1); }
#else
static volatile bool stop_allocating;
static void         *allocates(void *unused)
{
    (void)unused;
    while (!__atomic_load_n(&stop_allocating, __ATOMIC_RELAXED)) ga_free(ga_zeros((64)));
    return NULL;
}

static bool child_is_right(void)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        alarm(60); /* hanging is a failure */
        _exit(everything(700, 0) == expected[0] ? 0 : 1);
    }
    int status = -1;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void test_fork(void)
{
    ga_set_num_threads(2);
    CHECK(everything(700, 0) == expected[0]);
    for (int i = 0; i < 3; i++) CHECK(child_is_right());
    CHECK(everything(700, 0) == expected[0]);
    pthread_t t;
    CHECK(pthread_create(&t, NULL, allocates, NULL) == 0);
    for (int i = 0; i < 20; i++)
        if (!CHECK(child_is_right())) break;
    __atomic_store_n(&stop_allocating, true, __ATOMIC_RELAXED);
    pthread_join(t, NULL);
}
#endif

int main(void)
{
    ga_set_num_threads(1);
    for (int k = 0; k < 4; k++) expected[k] = everything(k % 2 ? 30 : 700, (uint64_t)k);
    CHECK(expected[0] && expected[1] && expected[2] && expected[3] && expected[0] != expected[2]);
    for (int n = 1; n <= 4; n *= 2) {
        ga_set_num_threads(n);
        CHECK(everything(700, 0) == expected[0]);
        test_concurrent(n);
    }
    test_changing();
    test_changing_in_partitions();
    test_changing_in_sorts();
    test_nested();
    test_handing_over();
    test_processors();
    test_fork();
    CHECK(ga_memory_stats().arrays == 0);
    return test_end();
}
