/*  unload.c -- a library that contains gpuarr is loaded, used and unloaded 100 times: its threads end, its memory comes back. At exit,
    loaded, it waits for nobody. With -DLIBRARY this file is the library's own part.                         */
#define _DEFAULT_SOURCE 1
#if defined(LIBRARY)
#include "gpuarr.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool half(ga_result *result, const ga_result *in, int n, void *user)
{
    (void)in, (void)n, (void)user;
    ga_scope {
        result->real = ga_item(ga_sum(ga_ones((100000)))) / 2;
    }
    return true;
}

/* Something of each kind of work that keeps something: threads, blocks of memory, chunks, events. */
bool work(void);
bool work(void)
{
    bool ok = true;
    ga_set_num_threads(3);
    ga_scope {
        ga_array *x = ga_linspace(0, 1, 300000), *y = ga_sin(ga_add(x, 1));
        ga_array *lazy = ga_chunked(y, 30000), *sorted = ga_sort(y);
        ok = ga_item(ga_sum(y)) > 0 && ga_item(ga_compute(ga_mean(ga_multiply(lazy, 2)))) > 0 && sorted != NULL;
        ok = ok && ga_item(ga_eval("sum((x*2 - y)**2 + 1)", (x, y))) > 0;
    }
    ga_graph *g    = ga_graph_new();
    ga_task  *task = ga_delayed(g, half, NULL);
    ga_result r    = { NULL };
    ok             = ok && ga_run(g, task, &r) && r.real == 50000;
    ga_graph_free(g);
    return ok && ga_memory_stats().arrays == 0 && ga_memory_stats().total_bytes > 1000000 && !ga_error();
}

/* A call that lasts; it writes a byte to `ready` when it is under way. */
static bool nap(ga_array *out, const ga_array *const *in, int n, const ga_block *where, void *user)
{
    (void)out, (void)in, (void)n, (void)where;
    const int ready = *(const int *)user;
    if (write(ready, "", 1) == 1) sleep(60);
    return true;
}
void long_call(int ready);
void long_call(int ready)
{
    ga_array *a = ga_chunked(ga_zeros((1000)), 1);
    ga_compute(ga_map_blocks(a, nap, &ready));
}
#else

#include <dirent.h>
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int         passed, failed;
static const char *path;

#define CHECK(...)                                                                                                             \
    do {                                                                                                                       \
        if (__VA_ARGS__) passed++;                                                                                             \
        else failed++, printf("FAIL %s:%d: %s\n", __FILE__, __LINE__, #__VA_ARGS__), fflush(stdout);                           \
    } while (0)

static int threads(void)
{
    int  n = 0;
    DIR *d = opendir("/proc/self/task");
    while (d && readdir(d)) n++;
    if (d) closedir(d);
    return n - 2;
}

static bool is_mapped(void)
{
    char  line[4096];
    bool  found = false;
    FILE *f     = fopen("/proc/self/maps", "r");
    while (f && fgets(line, sizeof line, f)) found = found || strstr(line, strrchr(path, '/'));
    if (f) fclose(f);
    return found;
}

static long data_kib(void) /* VmData: private memory, with the stacks of threads */
{
    char  line[256];
    long  kib = -1;
    FILE *f   = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, "VmData:", 7) == 0) kib = strtol(line + 7, NULL, 10);
    if (f) fclose(f);
    return kib;
}

static long heap_bytes(void) { return (long)mallinfo2().uordblks; }

/* The functions of the library. */
static bool (*work)(void);
static void (*long_call)(int), (*shut_down)(void);

static void *load(void)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) printf("FAIL %s\n0 passed, 1 failed, 0 skipped\n", dlerror()), exit(1);
    *(void **)&work      = dlsym(library, "work");
    *(void **)&long_call = dlsym(library, "long_call");
    *(void **)&shut_down = dlsym(library, "ga_shutdown");
    return library;
}

static void load_and_unload(void)
{
    long before = 0, used = 0;
    bool worked = true, gone = true, alone = true;
    for (int k = 0; k < 100; k++) {
        void *library = load();
        worked        = worked && work();
        if (k == 0) CHECK(threads() > 1);
        dlclose(library);
        gone  = gone && !is_mapped();
        alone = alone && threads() == 1;
        if (k == 9) before = data_kib(), used = heap_bytes();
    }
    CHECK(worked);
    CHECK(gone);
    CHECK(alone);
    CHECK(heap_bytes() - used < 4096);
    CHECK(data_kib() - before < 8192); /* no thread's stack, no block; malloc itself keeps some */
    usleep(20000);                     /* what runs in code that is gone crashes here */
}

static void *work_in_thread(void *seen)
{
    pthread_barrier_t *both = (pthread_barrier_t *)seen;
    bool               ok   = work();
    pthread_barrier_wait(both); /* now it is unloaded */
    pthread_barrier_wait(both);
    return ok ? both : NULL;
}

/* A thread of the program's that has called the library outlives it. */
static void thread_stays(void)
{
    pthread_barrier_t both;
    pthread_t         thread;
    void             *library = load(), *ok = NULL;
    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&thread, NULL, work_in_thread, &both);
    pthread_barrier_wait(&both);
    dlclose(library);
    CHECK(!is_mapped() && threads() == 2);
    pthread_barrier_wait(&both);
    pthread_join(thread, &ok);
    CHECK(ok != NULL);
}

/* After ga_shutdown a library is as at the beginning. */
static void shut_down_and_go_on(void)
{
    void *library = load();
    for (int k = 0; k < 3; k++) {
        CHECK(work() && threads() > 1);
        shut_down();
        CHECK(threads() == 1);
    }
    dlclose(library);
}

static void *call_long(void *ready) { return long_call(*(int *)ready), NULL; }

/* exit() while calls are under way, in other threads and in gpuarr's own: it does not wait for them. */
static void exit_in_call(int *ready)
{
    pthread_t thread;
    char      byte;
    pthread_create(&thread, NULL, call_long, &ready[1]);
    if (read(ready[0], &byte, 1) == 1) exit(7);
}

/* The status of a child that runs f with the library loaded; it has ten seconds. */
static int status_of(void (*f)(int *))
{
    int ends[2], status = 0;
    if (pipe(ends) != 0) return -1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(10);
        (void)load();
        f(ends);
        _exit(2);
    }
    waitpid(child, &status, 0);
    close(ends[0]);
    close(ends[1]);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

int main(int argc, char **argv)
{
    if (argc != 2) return fputs("usage: unload ./libunload.so\n", stderr), 2;
    path = argv[1];
    alarm(100);
    load_and_unload();
    thread_stays();
    shut_down_and_go_on();
    CHECK(status_of(exit_in_call) == 7);
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed > 0;
}
#endif
