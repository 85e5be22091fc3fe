/*  inside.c -- functions of the program's that run inside of calls: for chunks, for progress, tasks, handlers of errors, what releases
    wrapped memory. Whatever they call works, or says why not, at once; and so it does in a child that was forked meanwhile. */
#include "test.h"

#include <pthread.h>
#include <sys/stat.h>

static char folder[200];

static const char *in_folder(const char *name)
{
    static char paths[8][300];
    static int  turn;
    char       *path = paths[turn = (turn + 1) % 8];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

/* ---- what is called -------------------------------------------------------------------------------------------------- */

static bool no_progress(const ga_progress *p, void *user) { return (void)p, (void)user, true; }
static bool a_task(ga_result *result, const ga_result *in, int n, void *user)
{
    return (void)result, (void)in, (void)n, (void)user, true;
}

static bool sets_threads(const ga_array *a) { return (void)a, ga_set_num_threads(3), ga_error_status() == GA_OK; }
static bool sets_progress(const ga_array *a) { return (void)a, ga_set_progress(no_progress, NULL), ga_error_status() == GA_OK; }
static bool shuts_down(const ga_array *a) { return (void)a, ga_shutdown(), ga_error_status() == GA_OK; }
static bool computes(const ga_array *a) { return ga_item(ga_compute(ga_sum(a))) == 6; }
static bool stores(const ga_array *a) { return ga_store(a, in_folder("inner.npy")); }
static bool persists(const ga_array *a) { return ga_persist(ga_sqrt(a)) != NULL; }
static bool prints(const ga_array *a)
{
    char *text = ga_to_string(a);
    bool  told = text && strstr(text, "<chunked float64 (3,), 3 chunks of (1,)");
    free(text);
    return told;
}
static bool draws(const ga_array *a) { return ga_visualize(ga_sqrt(a), in_folder("inner.svg")); }
static bool runs(const ga_array *a)
{
    ga_graph *g = ga_graph_new();
    ga_result r;
    bool      ran = ga_run(g, ga_delayed(g, a_task, NULL), &r);
    ga_graph_free(g);
    return (void)a, ran;
}
static bool forks(const ga_array *a)
{
    int   status = -1;
    pid_t child  = fork();
    if (child == 0) _exit(0);
    return (void)a, waitpid(child, &status, 0) == child && status == 0;
}

static const struct called {
    const char *name;
    bool (*call)(const ga_array *a);
    const char *says; /* inside of a run; NULL: it works */
} calls[] = {
    { "ga_set_num_threads", sets_threads, "cannot change the number of threads that run it" },
    { "ga_set_progress", sets_progress, NULL },
    { "ga_shutdown", shuts_down, "cannot end the thread that runs it" },
    { "ga_compute", computes, "nothing else can be computed" },
    { "ga_store", stores, "nothing else can be computed" },
    { "ga_persist", persists, "nothing else can be computed" },
    { "ga_to_string", prints, NULL },
    { "ga_visualize", draws, "nothing else can be computed" },
    { "ga_run", runs, NULL },
    { "fork", forks, NULL },
};
enum { CALLS = sizeof calls / sizeof *calls };

static const struct called *wanted;
static bool                 in_run; /* or in a handler, where all works */
static int                  right, wrong;

static void call_it(void)
{
    static __thread bool inner;
    if (inner) return;
    inner = true;
    ga_scope {
        ga_array *a = ga_chunked(ga_full((3), 2.0), 1);
        ga_clear_error();
        bool        done  = wanted->call(a);
        const char *error = ga_error(), *says = in_run ? wanted->says : NULL;
        bool        ok = says ? !done && error && strstr(error, says) : done && !error;
        if (!ok) printf("%s: %s\n", wanted->name, error ? error : done ? "it worked" : "it failed, and did not say why");
        __atomic_add_fetch(ok ? &right : &wrong, 1, __ATOMIC_RELAXED);
        ga_clear_error();
    }
    inner = false;
}

/* ---- where ---------------------------------------------------------------------------------------------------------- */

static ga_array *numbers(int rows) { return ga_chunked(ga_ones((600, 100)), rows, 100); }

static bool for_chunks(ga_array *out, const ga_array *const *in, int n, const ga_block *where, void *user)
{
    (void)n, (void)where;
    if (!user) call_it();
    return !user && ga_copyto(out, in[0]) != NULL;
}
static bool for_progress(const ga_progress *p, void *user)
{
    (void)p, (void)user;
    call_it();
    return true;
}
static bool for_task(ga_result *result, const ga_result *in, int n, void *user)
{
    (void)in, (void)n;
    if (!user) call_it();
    result->integer = 1;
    return !user;
}
static void for_error(ga_status status, const char *sentence, void *user)
{
    (void)status, (void)sentence, (void)user;
    call_it();
}
static void for_memory(void *memory, void *user)
{
    (void)user;
    free(memory);
    call_it();
}

static int fails; /* makes a function fail */

static void in_chunks(int rows) { CHECK(ga_compute(ga_map_blocks(numbers(rows), for_chunks, NULL)) != NULL); }
static void in_progress(int rows)
{
    ga_set_progress(for_progress, NULL);
    CHECK(ga_item(ga_compute(ga_sum(ga_sin(numbers(rows))))) > 0);
    ga_set_progress(NULL, NULL);
}
static void in_tasks(int rows)
{
    ga_graph *g = ga_graph_new();
    ga_task  *t[8];
    ga_result r;
    for (int k = 0; k < 8; k++) t[k] = ga_delayed(g, for_task, NULL);
    CHECK(ga_run(g, rows == 600 ? t[0] : ga_delayed_n(g, for_task, NULL, 8, t), &r) && r.integer == 1);
    ga_graph_free(g);
}
static void in_release(int rows) /* what is wrapped goes while its reader is persisted */
{
    double   *memory = (double *)calloc(60000, sizeof *memory);
    ga_array *wrap = ga_wrap(memory, (600, 100), .release = for_memory), *chunked = ga_chunked(wrap, rows, 100),
             *twice = ga_add(chunked, chunked);
    ga_free(wrap);
    ga_free(chunked);
    ga_array *there = ga_persist(twice);
    CHECK(there && right + wrong > 0);
}
static void in_error_of_compute(int rows) { CHECK(!ga_compute(ga_map_blocks(numbers(rows), for_chunks, &fails))); }
static void in_error_of_persist(int rows) { CHECK(!ga_persist(ga_map_blocks(numbers(rows), for_chunks, &fails))); }
static void in_error_of_store(int rows) { CHECK(!ga_store(numbers(rows), in_folder("none/x.npy"))); }
static void in_error_of_visualize(int rows) { CHECK(!ga_visualize(numbers(rows), in_folder("x.txt"))); }
static void in_error_of_run(int rows)
{
    ga_graph *g = ga_graph_new();
    ga_result r;
    CHECK(!ga_run(g, ga_delayed(g, for_task, rows ? &fails : NULL), &r));
    ga_graph_free(g);
}

static const struct place {
    const char *name;
    void (*go)(int rows);
    bool handler, free; /* a handler of errors; all works in it */
} places[] = {
    { "a function for chunks", in_chunks, false, false },
    { "a progress function", in_progress, false, false },
    { "a task", in_tasks, false, false },
    { "what releases memory", in_release, false, true },
    { "a handler, ga_compute", in_error_of_compute, true, true },
    { "a handler, ga_persist", in_error_of_persist, true, true },
    { "a handler, ga_store", in_error_of_store, true, true },
    { "a handler, ga_visualize", in_error_of_visualize, true, true },
    { "a handler, ga_run", in_error_of_run, true, true },
};
enum { PLACES = sizeof places / sizeof *places };

static int end_of(pid_t child)
{
    int status = -1;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

/* Each call at each place, in a process of its own: in chunks that several threads work on, and in a single one. */
static void each_call(const struct place *p)
{
    for (int c = 0; c < CALLS; c++)
        for (int how = 0; how < 3; how++) {
            fflush(NULL);
            pid_t child = fork();
            if (child == 0) {
                alarm(30); /* hanging is a failure */
                test_failed = 0;
                wanted      = &calls[c];
                in_run      = !p->free;
                ga_set_num_threads(how == 1 ? 1 : 3);
                ga_set_error_handler(p->handler ? for_error : ga_ignore_error, NULL);
                ga_scope
                    p->go(how == 2 ? 600 : 50);
                ga_set_error_handler(NULL, NULL);
                ga_set_progress(NULL, NULL);
                ga_clear_error();
                CHECK(right > 0 && wrong == 0);
                ga_scope
                    CHECK(ga_item(ga_compute(ga_sum(numbers(50)))) == 60000);
                fflush(NULL);
                _exit(test_failed > 0);
            }
            if (!CHECK(end_of(child) == 0)) printf("%s in %s, %d\n", calls[c].name, p->name, how);
        }
}

/* An error that a progress function leaves behind is told. */
static int  errors_told;
static void count_error(ga_status status, const char *sentence, void *user)
{
    (void)status, (void)sentence, (void)user, errors_told++;
}
static bool careless(const ga_progress *p, void *user) { return (void)p, (void)user, ga_set_num_threads(0), true; }
static void errors_left_behind(void)
{
    ga_set_error_handler(count_error, NULL);
    ga_set_progress(careless, NULL);
    ga_scope
        CHECK(ga_compute(ga_sum(numbers(600))) != NULL);
    ga_set_progress(NULL, NULL);
    ga_set_error_handler(NULL, NULL);
    CHECK(errors_told > 0);
    ga_clear_error();
}

/* ---- a fork while another thread computes --------------------------------------------------------------------------------- */

#if TEST_TSAN
static void forks_meanwhile(void) { test_skip("fork: ThreadSanitizer does not follow the threads of a child", 1); }
#else
static int   reached[2], go_on[2]; /* pipes: another thread is in the middle; it may go on */
static pid_t parent;

static bool waits(ga_array *out, const ga_array *const *in, int n, const ga_block *where, void *user)
{
    char c = 'w';
    (void)n, (void)user;
    if (getpid() == parent && where->number == 1 && (write(reached[1], &c, 1) != 1 || read(go_on[0], &c, 1) != 1)) return false;
    return ga_copyto(out, in[0]) != NULL;
}

static double value_of(const ga_array *a)
{
    double r = 0;
    ga_scope
        r = ga_item(ga_compute(a));
    return r;
}

static void *computes_too(void *a)
{
    CHECK(value_of((const ga_array *)a) == 120000);
    return NULL;
}

static void forks_meanwhile(void)
{
    char      c;
    pthread_t other;
    parent = getpid();
    for (int k = 0; k < 2; k++)
        ga_scope {
            /* in the middle of a sum, of which the child must not take what there is; or of one with another below it, which is done */
            ga_array *x = numbers(50), *mean = ga_mean(x), *block = ga_map_blocks(x, waits, NULL);
            ga_array *sum = ga_sum(k ? ga_add(block, mean) : ga_multiply(block, 2));
            CHECK(pipe(reached) == 0 && pipe(go_on) == 0);
            CHECK(pthread_create(&other, NULL, computes_too, sum) == 0);
            CHECK(read(reached[0], &c, 1) == 1);
            fflush(NULL);
            pid_t child = fork();
            if (child == 0) {
                alarm(30);
                bool right_sum = value_of(sum) == 120000 && value_of(ga_sum(x)) == 60000;
                _exit(!right_sum || value_of(mean) != 1);
            }
            CHECK(end_of(child) == 0);
            CHECK(write(go_on[1], "g", 1) == 1 && pthread_join(other, NULL) == 0);
            for (int i = 0; i < 2; i++) close(reached[i]), close(go_on[i]);
        }
}
#endif

int main(void)
{
    snprintf(folder, sizeof folder, "/tmp/gpuarr_inside.%d", (int)getpid());
    CHECK(mkdir(folder, 0777) == 0);
    for (int k = 0; k < PLACES; k++) each_call(&places[k]);
    errors_left_behind();
    forks_meanwhile();
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    CHECK(system(command) == 0);
    return test_end();
}
