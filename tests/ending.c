/*  ending.c -- how a program ends: what an error does to it (ga_on_error), what is said at its end, and ga_shutdown. */
#include "test.h"
#include <pthread.h>
#include <signal.h>

static char said[4096]; /* by the last child, on stderr */

/* Runs f in a child, then exit(0) there: the status of its end. */
static int in_child(void (*f)(void))
{
    int   ends[2], status = 0;
    FILE *errors;
    fflush(NULL);
    if (!CHECK(pipe(ends) == 0)) return -1;
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        dup2(ends[1], 2);
        f();
        exit(0);
    }
    close(ends[1]);
    errors                                        = fdopen(ends[0], "r");
    said[fread(said, 1, sizeof said - 1, errors)] = 0;
    fclose(errors);
    waitpid(child, &status, 0);
    return status;
}

static int lines(void)
{
    int n = 0;
    for (const char *s = said; *s; s++) n += *s == '\n';
    return n;
}

static bool exits(int status, int with) { return WIFEXITED(status) && WEXITSTATUS(status) == with; }
static bool ends_by(int status, int sig) { return WIFSIGNALED(status) && WTERMSIG(status) == sig; }
static bool says(const char *words) { return strstr(said, words) != NULL; }

/* ---- what an error does --------------------------------------------------------------------------------------------------- */

static void fails(void) { ga_free(ga_add((ga_array *)NULL, 1)); }

/* The first call fails, all that follow do not know it, and the result is plausible. */
static void goes_on(void)
{
    ga_array *a = ga_ones((3)), *b = ga_ones((4));
    ga_add(a, b, .out = a);
    for (int k = 0; k < 20; k++) ga_multiply(a, 2, .out = a);
    fputs("computed\n", stderr);
}

static void asked_to_exit(void)
{
    ga_on_error(GA_EXIT);
    goes_on();
}

static void asked_to_trap(void)
{
    ga_on_error(GA_TRAP);
    goes_on();
}

static void asked_to_continue(void)
{
    ga_on_error(GA_CONTINUE);
    goes_on();
}

static void exit_in_environment(void)
{
    setenv("GPUARR_ON_ERROR", "exit", 1);
    goes_on();
}

static void trap_in_environment(void)
{
    setenv("GPUARR_ON_ERROR", "trap", 1);
    goes_on();
}

static void program_decides(void) /* what the program has asked for counts, not the environment */
{
    setenv("GPUARR_ON_ERROR", "trap", 1);
    asked_to_continue();
}

static void misspelt_in_environment(void)
{
    setenv("GPUARR_ON_ERROR", "exti", 1);
    goes_on();
}

static void no_number_in_environment(void)
{
    setenv("GPUARR_ISA", "AVX2", 1);
    setenv("GPUARR_NUM_THREADS", "2 or 3", 1);
    fprintf(stderr, "%s, %d threads\n", ga_isa(), ga_get_num_threads());
}

static void empty_in_environment(void)
{
    setenv("GPUARR_ISA", "", 1);
    setenv("GPUARR_NUM_THREADS", "", 1);
    fprintf(stderr, "%s, %d threads\n", ga_isa(), ga_get_num_threads());
}

static void unset_in_environment(void)
{
    unsetenv("GPUARR_ISA");
    unsetenv("GPUARR_NUM_THREADS");
    fprintf(stderr, "%s, %d threads\n", ga_isa(), ga_get_num_threads());
}

static void no_action(void)
{
    ga_on_error((ga_error_action)3);
    if (ga_error_status() == GA_BAD_ARGUMENT) fputs("read\n", stderr);
}

static void told(ga_status status, const char *sentence, void *user)
{
    fprintf(stderr, "%s%d %.9s\n", (const char *)user, status, sentence);
}

static void handler_comes_first(void)
{
    ga_set_error_handler(told, (void *)"handler: ");
    ga_on_error(GA_EXIT);
    goes_on();
}

static bool task_that_fails(ga_result *result, const ga_result *in, int n, void *user)
{
    (void)in, (void)n, (void)user;
    result->array = ga_add((ga_array *)NULL, 1);
    return result->array != NULL;
}

static bool careless_task(ga_result *result, const ga_result *in, int n, void *user)
{
    (void)task_that_fails(result, in, n, user);
    return true;
}

static bool careless_block(ga_array *out, const ga_array *const *in, int n, const ga_block *where, void *user)
{
    (void)n, (void)where;
    ga_add(in[0], (const ga_array *)user, .out = out); /* NULL */
    return true;
}

static void runs(ga_task_function f)
{
    ga_result result = { NULL };
    ga_graph *g      = ga_graph_new();
    bool      ok     = ga_run(g, ga_delayed(g, f, NULL), &result);
    ga_graph_free(g);
    fputs(ok ? "done\n" : "not done\n", stderr);
}

static void exits_for_task(void)
{
    ga_on_error(GA_EXIT);
    runs(task_that_fails);
}

static void runs_careless_task(void) { runs(careless_task); }

static void maps_careless_block(void)
{
    ga_array *a = ga_chunked(ga_zeros((4)), 4);
    ga_compute(ga_map_blocks(a, careless_block, NULL));
    fputs("done\n", stderr);
}

static void on_error(void)
{
    unsetenv("GPUARR_ON_ERROR");
    CHECK(exits(in_child(goes_on), 0) && says("(3,)") && says("computed"));
    CHECK(exits(in_child(asked_to_continue), 0) && says("computed"));
    CHECK(exits(in_child(asked_to_exit), 1) && says("ending.c:") && !says("computed") && lines() == 1);
    CHECK(ends_by(in_child(asked_to_trap), SIGTRAP) && says("ending.c:") && !says("computed"));
    CHECK(exits(in_child(exit_in_environment), 1) && !says("computed") && lines() == 1);
    CHECK(ends_by(in_child(trap_in_environment), SIGTRAP));
    CHECK(exits(in_child(program_decides), 0) && says("computed"));
    CHECK(exits(in_child(misspelt_in_environment), 0) && says("GPUARR_ON_ERROR=exti") && says("computed"));
    CHECK(exits(in_child(no_number_in_environment), 0) && says("GPUARR_ISA=AVX2 in the environment is none of baseline") &&
          says("GPUARR_NUM_THREADS=2 or 3 in the environment is not a number of threads from 1 to 256: using 2\n") &&
          says("2 threads") && lines() == 3);
    char as_unset[100] = "";
    CHECK(exits(in_child(unset_in_environment), 0) && lines() == 1);
    snprintf(as_unset, sizeof as_unset, "%.99s", said);
    CHECK(exits(in_child(empty_in_environment), 0) && !strcmp(said, as_unset));
    CHECK(exits(in_child(no_action), 0) && says("3 is no action") && says("read\n"));
    CHECK(exits(in_child(handler_comes_first), 1) && says("handler: 2 ") && !says("computed") && lines() == 1);
    CHECK(exits(in_child(exits_for_task), 1) && says("task 0, f (") && !says("not done"));

    /* a function that comes back content with an error of its own is told so */
    CHECK(exits(in_child(runs_careless_task), 0) && says("is NULL") && says("\ndone\n"));
    CHECK(exits(in_child(maps_careless_block), 0) && says("is NULL") && says("\ndone\n"));
}

/* ---- what nobody has read ------------------------------------------------------------------------------------------------ */

static void reads(void)
{
    fails();
    if (!ga_error()) fputs("no error\n", stderr);
}

static void reads_status(void)
{
    fails();
    if (ga_error_status() == GA_OK) fputs("no error\n", stderr);
}

static void clears(void)
{
    fails();
    ga_clear_error();
}

static void reads_the_first(void)
{
    clears();
    fails();
}

static void ignores(void)
{
    ga_set_error_handler(ga_ignore_error, NULL);
    fails();
}

static void *fails_there(void *unused)
{
    fails();
    return unused;
}

static void fails_in_thread(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, fails_there, NULL);
    pthread_join(thread, NULL);
    if (ga_error()) fputs("another thread's\n", stderr);
}

static void reads_inside(void) /* a task that asks for its own error has not read the one of before */
{
    fails();
    runs(task_that_fails);
}

static bool reading_task(ga_result *result, const ga_result *in, int n, void *user)
{
    (void)task_that_fails(result, in, n, user);
    return ga_error() != NULL;
}

static void reads_in_task(void)
{
    fails();
    runs(reading_task);
}

static void nothing_fails(void) { ga_free(ga_ones((3))); }

static void fork_after_error(void) /* the child has nothing to say of its parent's error */
{
    fails();
    ga_clear_error();
    fails();
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) exit(0);
    waitpid(child, NULL, 0);
    ga_clear_error();
}

static void unread(void)
{
    const char *line = "this program went on after the error above";
    CHECK(exits(in_child(nothing_fails), 0) && lines() == 0);
    CHECK(exits(in_child(fails), 0) && says(line) && lines() == 2);
    CHECK(exits(in_child(goes_on), 0) && says(line) && lines() == 3);
    CHECK(exits(in_child(reads), 0) && lines() == 1);
    CHECK(exits(in_child(reads_status), 0) && lines() == 1);
    CHECK(exits(in_child(clears), 0) && lines() == 1);
    CHECK(exits(in_child(reads_the_first), 0) && says(line) && lines() == 3);
    CHECK(exits(in_child(ignores), 0) && lines() == 0);
    CHECK(exits(in_child(fails_in_thread), 0) && says(line) && lines() == 2);
    CHECK(exits(in_child(reads_inside), 0) && says(line) && says("not done"));
    CHECK(exits(in_child(reads_in_task), 0) && says(line) && says("\ndone"));
    CHECK(exits(in_child(fork_after_error), 0) && lines() == 2);
}

/* A child may compute formulas, whatever other threads of its parent were at. */
static bool  computing = true;
static void *computes(void *unused)
{
    ga_array *x = ga_ones((8));
    while (__atomic_load_n(&computing, __ATOMIC_RELAXED)) ga_free(ga_eval("2*x + 1", (x)));
    ga_free(x);
    return unused;
}

static void forks_beside_formulas(void)
{
    pthread_t thread;
    ga_array *x = ga_ones((8));
    pthread_create(&thread, NULL, computes, NULL);
    for (int k = 0; k < 300; k++) {
        pid_t child  = fork();
        int   status = 0;
        if (child == 0) {
            alarm(20); /* it would hang */
            _exit(ga_item_at(ga_eval("2*x + 1", (x)), 3) == 3 ? 0 : 1);
        }
        waitpid(child, &status, 0);
        if (!exits(status, 0)) fprintf(stderr, "child %d ended with %d\n", k, status);
    }
    __atomic_store_n(&computing, false, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    ga_free(x);
}

int main(void)
{
    CHECK(exits(in_child(forks_beside_formulas), 0) && lines() == 0);
    on_error();
    unread();
    return test_end();
}
