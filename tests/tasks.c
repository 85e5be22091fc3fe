/*  tasks.c -- graphs of functions: each runs once, after what it needs, and only if it is needed; results are released when their last
    user has run; errors stop the run and leave nothing behind. */
#include "test.h"
#include <sys/resource.h>

static int runs, released;

static bool constant(ga_result *result, const ga_result *in, int n, void *user)
{
    (void)in, (void)n;
    __atomic_add_fetch(&runs, 1, __ATOMIC_RELAXED);
    result->real = *(const double *)user;
    return true;
}

static bool sum(ga_result *result, const ga_result *in, int n, void *user)
{
    (void)user;
    __atomic_add_fetch(&runs, 1, __ATOMIC_RELAXED);
    result->real = 0;
    for (int k = 0; k < n; k++) result->real += in[k].real;
    return true;
}

static bool bad(ga_result *result, const ga_result *in, int n, void *user)
{
    (void)result, (void)in, (void)n, (void)user;
    return false;
}

static bool bad_call(ga_result *result, const ga_result *in, int n, void *user)
{
    (void)in, (void)n, (void)user;
    result->array = ga_add((ga_array *)NULL, 1);
    return result->array != NULL;
}

static void release(ga_result *result)
{
    (void)result;
    __atomic_add_fetch(&released, 1, __ATOMIC_RELAXED);
}

static bool array(ga_result *result, const ga_result *in, int n, void *user)
{
    (void)user;
    result->array = n == 0 ? ga_full((100), 1.0) : ga_add(in[0].array, in[1].array);
    return result->array != NULL;
}

/* Makes arrays and frees none: only its result is left, and what it keeps. */
static bool careless(ga_result *result, const ga_result *in, int n, void *user)
{
    (void)in, (void)n;
    ga_array *a = ga_full((100), 1.0), *b = ga_add(a, ga_multiply(a, 2));
    if (user) *(ga_array **)user = ga_keep(ga_index(b, ":50"));
    ga_scope {
        result->array = ga_keep(ga_index(b, "::2"));
    }
    return user || ga_item_at(in[0].array, 0) == 3;
}
static bool careless_and_bad(ga_result *result, const ga_result *in, int n, void *user)
{
    return careless(result, in, n, user) && false;
}
static bool same(ga_result *result, const ga_result *in, int n, void *user)
{
    (void)n, (void)user;
    *result = in[0];
    return true;
}
static void release_array(ga_result *result) { ga_free(result->array); }

int main(void)
{
    static double one = 1, two = 2;
    ga_graph     *g = ga_graph_new();
    ga_task      *a = ga_delayed(g, constant, &one), *b = ga_delayed(g, constant, &two), *c = ga_delayed(g, sum, NULL, a, b),
            *d = ga_delayed(g, sum, NULL, c, c, a), *unused = ga_delayed(g, sum, NULL, d);
    ga_result r;
    CHECK(ga_run(g, d, &r) && r.real == 7 && runs == 4);
    CHECK(ga_run(g, d, &r) && r.real == 7 && runs == 8); /* each run computes anew */
    ga_task *const both[2] = { c, a };
    ga_result      results[2];
    CHECK(ga_run_n(g, 2, both, results) && results[0].real == 3 && results[1].real == 1 && runs == 11);
    CHECK(unused && ga_graph_visualize(g, "build/tests/tasks.svg") && ga_graph_visualize(g, "build/tests/tasks.dot"));
    CHECK_FAILS(ga_graph_visualize(g, "build/tests/tasks.svg", .tasks = 3), "5 tasks are too many");
    CHECK_FAILS(ga_graph_visualize(g, "build/tests/tasks.txt"), "must end in");

    /* errors: of a task, of a call in it, of arguments */
    ga_task *kept = ga_delayed_n(g, constant, &one, 0, NULL, .release = release, .name = "kept");
    ga_task *e = ga_delayed(g, bad, NULL, kept), *f = ga_delayed(g, sum, NULL, e, kept), *h = ga_delayed(g, bad_call, NULL, a);
    CHECK_FAILS(ga_run(g, f, &r), "bad (tests/tasks.c:");
    CHECK(released == 1);
    CHECK_FAILS(ga_run(g, h, &r), "the first operand is NULL");
    CHECK_FAILS(ga_delayed(NULL, sum, NULL), "the graph is NULL");
    CHECK_FAILS(ga_delayed(g, NULL, NULL), "the function is NULL");
    CHECK_FAILS(ga_delayed(g, sum, NULL, a, NULL, b), "task 1 of those that are needed is NULL");
    CHECK_FAILS(ga_run(g, NULL, &r), "NULL");
    CHECK_FAILS(ga_run(NULL, a, &r), "the graph is NULL");
    ga_graph *other = ga_graph_new();
    CHECK_FAILS(ga_run(other, a, &r), "task 0 is one of another graph");
    CHECK_FAILS(ga_delayed(other, sum, NULL, a), "task 0 of those that are needed is one of another graph");
    ga_graph_free(other);
    ga_graph_free(g);
    ga_graph_free(NULL);
    if (TEST_ASAN || TEST_TSAN) {
        test_skip("memory that was freed is not looked at under this sanitizer", 4);
    } else {
        CHECK_FAILS(ga_run(g, d, &r), "the graph was freed");
        CHECK_FAILS((ga_graph_free(g), false), "the graph was freed");
        CHECK_FAILS(ga_graph_visualize(g, "build/tests/tasks.svg"), "the graph was freed");
        ga_graph *next = ga_graph_new(); /* where g was */
        CHECK_FAILS(ga_run(next, d, &r), "task 0 was freed, with its graph");
        ga_graph_free(next);
    }

    /* arrays as results: those in between are released when nobody needs them any more */
    g                 = ga_graph_new();
    ga_task *level[8] = { NULL };
    for (int k = 0; k < 8; k++) level[k] = ga_delayed_n(g, array, NULL, 0, NULL, .release = release_array);
    for (int n = 4; n > 0; n /= 2)
        for (int k = 0; k < n; k++) {
            ga_task *const pair[2] = { level[2 * k], level[2 * k + 1] };
            level[k]               = ga_delayed_n(g, array, NULL, 2, pair, .release = release_array);
        }
    CHECK(ga_run(g, level[0], &r) && r.array && ga_item_at(r.array, 99) == 8 && ga_report_leaks(NULL) == 1);
    ga_free(r.array);
    ga_graph_free(g);

    /* what a task makes is released, whether it fails or not, except its result and what it has kept */
    ga_array *kept_array = NULL;
    g                    = ga_graph_new();
    ga_scope {
        ga_task *first = ga_delayed_n(g, careless, &kept_array, 0, NULL, .release = release_array);
        CHECK(ga_run(g, ga_delayed(g, careless, NULL, first), &r) && ga_item_at(r.array, 49) == 3);
        CHECK(kept_array && ga_item_at(kept_array, 49) == 3 && ga_report_leaks(NULL) == 2);
        ga_free(r.array);
        ga_free(kept_array);
        CHECK_FAILS(ga_run(g, ga_delayed(g, careless_and_bad, NULL, first), &r), "failed");
        CHECK(ga_report_leaks(NULL) == 1);
        ga_free(kept_array);
    }
    ga_graph_free(g);

    /* without .release arrays are released all the same; who gives its input on gives a view */
    g                  = ga_graph_new();
    char      name[16] = "join";
    ga_task  *x = ga_delayed(g, array, NULL), *y = ga_delayed(g, same, NULL, x), *z = ga_delayed(g, same, NULL, y);
    ga_task  *joined   = ga_delayed(g, array, NULL, y, ga_delayed(g, same, NULL, z));
    ga_task  *asked[4] = { x, y, x, z };
    ga_result given[4];
    CHECK(ga_run(g, joined, &r) && ga_item_at(r.array, 99) == 2 && ga_report_leaks(NULL) == 1);
    ga_free(r.array);
    CHECK(ga_run_n(g, 4, asked, given) && ga_report_leaks(NULL) == 4);
    for (int k = 0; k < 4; k++) {
        CHECK(ga_item_at(given[k].array, 99) == 1);
        ga_free(given[k].array);
    }
    ga_task *stop = ga_delayed_n(g, bad, NULL, 1, &joined, .name = name);
    memset(name, 'x', 4);
    CHECK_FAILS(ga_run(g, stop, &r), "join (");
    CHECK(ga_report_leaks(NULL) == 0);
    ga_graph_free(g);

    /* many: a million tasks, wide and then deep */
    g = ga_graph_new();
    enum { MANY = 1000000 };
    static ga_task *all[MANY];
    double          start = ga_now();
    for (int k = 0; k < MANY / 2; k++) all[k] = ga_delayed(g, constant, &one);
    ga_task *total = ga_delayed_n(g, sum, NULL, MANY / 2, all);
    for (int k = 0; k < MANY / 2; k++) total = ga_delayed(g, sum, NULL, total, all[k]);
    double made = ga_now();
    CHECK(ga_run(g, total, &r) && r.real == MANY);
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    printf("     a million tasks: made in %.2f s, run in %.2f s, %ld MiB at most\n", made - start, ga_now() - made,
           use.ru_maxrss / 1024);
    ga_graph_free(g);
    CHECK(ga_report_leaks(stdout) == 0 && ga_memory_stats().used_bytes == 0);
    return test_end();
}
