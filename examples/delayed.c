/*  The course's exercises with dask.delayed: inc and add, a tree of sums, and threads against processes.
        cc delayed.c -lm -lpthread && ./a.out
    Options: --out DIR, --nap SECONDS (how long inc and add sleep, as time.sleep in the course), --steps N (of each busy call).
    Pictures of the graphs, a report of the runs and a trace for ui.perfetto.dev are written to DIR.                         */
#define GPUARR_STATIC
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LEAVES = 8, BUSY = 8 };

static const char *out = "out";
static double      nap = 0.1;

static const char *in_out(const char *name) /* a path in DIR, good until the next call */
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/delayed%s", out, name);
    return path;
}

/* ---- functions that wait for each other ------------------------------------------------------------------------------------ */

static bool inc(ga_result *result, const ga_result *in, int n, void *user)
{
    (void)in, (void)n;
    usleep((useconds_t)(nap * 1e6));
    result->integer = *(const int *)user + 1;
    return true;
}

static bool add(ga_result *result, const ga_result *in, int n, void *user)
{
    (void)n, (void)user;
    usleep((useconds_t)(nap * 1e6));
    result->integer = in[0].integer + in[1].integer;
    return true;
}

/* Runs what `last` needs, and says how long it took beside what one would expect: naps one behind the other. */
static void run(ga_graph *g, ga_task *last, const char *picture, const char *what, int naps)
{
    ga_result result;
    double    start = ga_now();
    ga_run(g, last, &result);
    printf("%-36s = %3lld  %5.2f naps of %d\n", what, (long long)result.integer, (ga_now() - start) / nap, naps);
    ga_graph_visualize(g, in_out(picture));
    ga_graph_free(g);
}

static void chain(void) /* inc(1) and inc(2) at the same time, then add: two naps, not three */
{
    static int one = 1, two = 2;
    ga_graph  *g = ga_graph_new();
    ga_task   *x = ga_delayed(g, inc, &one), *y = ga_delayed(g, inc, &two), *z = ga_delayed(g, add, NULL, x, y);
    run(g, z, "_chain.svg", "add(inc(1), inc(2))", 3);
}

static void tree(void) /* 8 incs at once, then 4, 2 and 1 adds: four naps, not fifteen */
{
    static int data[LEAVES];
    ga_graph  *g = ga_graph_new();
    ga_task   *level[LEAVES];
    for (int k = 0; k < LEAVES; k++) {
        data[k]  = k + 1;
        level[k] = ga_delayed(g, inc, &data[k]);
    }
    for (int width = LEAVES / 2; width > 0; width /= 2)
        for (int k = 0; k < width; k++) level[k] = ga_delayed(g, add, NULL, level[2 * k], level[2 * k + 1]);
    run(g, level[0], "_tree.svg", "the sum of inc(1) ... inc(8)", 2 * LEAVES - 1);
}

/* ---- threads against processes ----------------------------------------------------------------------------------------------- */
/*  In Python only one thread at a time may run Python's own code, so functions like this one need processes, which cost: each result
    is copied from one to another. C has no such lock. To see it, the same calls run one after the other, as tasks on all threads,
    and each in a process of its own. Several machines are mpirun's part.                                                      */

typedef struct busy {
    int64_t first, steps;
} busy;

static int64_t longest_walk(const busy *b) /* n / 2 or 3 n + 1 until 1: the most steps from any of these numbers */
{
    int64_t most = 0;
    for (int64_t i = b->first; i < b->first + b->steps; i++) {
        int64_t steps = 0;
        for (int64_t n = i; n > 1; n = n % 2 ? 3 * n + 1 : n / 2) steps++;
        most = steps > most ? steps : most;
    }
    return most;
}

static bool walk(ga_result *result, const ga_result *in, int n, void *user)
{
    (void)in, (void)n;
    result->integer = longest_walk((const busy *)user);
    return true;
}

static bool most(ga_result *result, const ga_result *in, int n, void *user)
{
    (void)user;
    result->integer = 0;
    for (int k = 0; k < n; k++)
        if (in[k].integer > result->integer) result->integer = in[k].integer;
    return true;
}

static int64_t in_this_thread(const busy *b)
{
    int64_t longest = 0;
    for (int k = 0; k < BUSY; k++) {
        int64_t steps = longest_walk(&b[k]);
        longest       = steps > longest ? steps : longest;
    }
    return longest;
}

static int64_t in_threads(busy *b)
{
    ga_graph *g = ga_graph_new();
    ga_task  *tasks[BUSY];
    ga_result result;
    for (int k = 0; k < BUSY; k++) tasks[k] = ga_delayed(g, walk, &b[k]);
    ga_task *last = ga_delayed_n(g, most, NULL, BUSY, tasks);
    ga_run(g, last, &result);
    ga_graph_visualize(g, in_out("_busy.svg"));
    ga_graph_free(g);
    return result.integer;
}

static int64_t in_processes(const busy *b)
{
    int     ends[2];
    int64_t longest = 0, steps;
    if (pipe(ends) != 0) return -1;
    fflush(stdout);
    for (int k = 0; k < BUSY; k++) {
        pid_t child = fork();
        if (child < 0) return -1;
        if (child > 0) continue;
        steps = longest_walk(&b[k]);
        _exit(write(ends[1], &steps, sizeof steps) == sizeof steps ? 0 : 1); /* so few bytes are written at once */
    }
    close(ends[1]);
    int answers = 0;
    while (read(ends[0], &steps, sizeof steps) == sizeof steps) {
        answers++;
        longest = steps > longest ? steps : longest;
    }
    close(ends[0]);
    while (wait(NULL) > 0) {}
    return answers == BUSY ? longest : -1;
}

int main(int argc, char **argv)
{
    ga_on_error(GA_EXIT); /* an error ends the program, and says why */
    int64_t steps = 200000;
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 < argc && !strcmp(argv[i], "--out")) out = argv[i + 1];
        else if (i + 1 < argc && !strcmp(argv[i], "--nap")) nap = atof(argv[i + 1]);
        else if (i + 1 < argc && !strcmp(argv[i], "--steps")) steps = atoll(argv[i + 1]);
        else nap = -1;
    }
    if (!(nap > 0 && nap < 100) || steps < 1 || steps > 100000000)
        return fputs("usage: delayed [--out DIR] [--nap SECONDS] [--steps N]\n", stderr), 2;
    mkdir(out, 0777);
    setenv("GA_REPORT", in_out("_report.html"), 0); /* what each thread does when; yours count, if they are set */
    setenv("GA_TRACE", in_out("_trace.json"), 0);

    const int processors = ga_get_num_threads();
    ga_set_num_threads(LEAVES); /* who sleeps needs no processor */
    chain();
    tree();
    ga_set_num_threads(processors);

    busy b[BUSY];
    for (int k = 0; k < BUSY; k++) b[k].first = 1 + k * steps, b[k].steps = steps;
    double  start     = ga_now();
    int64_t alone     = in_this_thread(b);
    double  one       = ga_now();
    int64_t threads   = in_threads(b);
    double  two       = ga_now();
    int64_t processes = in_processes(b);
    double  three     = ga_now();
    printf("longest walk from numbers up to %lld: %lld, %lld, %lld steps\n", (long long)(BUSY * steps), (long long)alone,
           (long long)threads, (long long)processes);
    printf("one after the other %.3f s, %d threads %.3f s, %d processes %.3f s\n", one - start, processors, two - one, BUSY,
           three - two);
    return threads != alone || processes != alone;
}
