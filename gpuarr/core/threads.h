/* ---- threads ----------------------------------------------------------------------------------------------------- */
/*  A pool of our own. A call cuts its work into pieces and gives each thread a range of them, the same one each time, so that calls over
    the same arrays find them in the caches of their processors; who has done his own range takes half of what another has left. A
    call waits for the helpers that have joined it, never for one that is still waking up. Helpers that find no work spin for
    a moment, then sleep, so that the threads of other libraries do not starve. To wake one costs more than a short call:
    that is done for long ones, and for short ones that follow each other. One call at a time uses the pool; another that comes
    meanwhile, or from inside, does its work alone.                                                                          */

double ga_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef void (*gi_task)(int64_t begin, int64_t end, void *job);

enum { GI_MOST_THREADS = 256, GI_SPINS = 2000 /* of a caller that waits, before it yields */ };
/* The state of the pool: how many helpers are inside a job, whether more may join, and the number of the job. */
enum { GI_JOB_INSIDE = 0xffff, GI_JOB_OPEN = 0x10000, GI_JOB_NUMBER = 0x20000 };

/* How long work takes is counted in bytes that are read or written, 10 to 30 picoseconds each. */
#ifndef GI_WORTH_SHARING
#define GI_WORTH_SHARING 5e5 /* with helpers that are awake */
#define GI_WORTH_WAKING  4e6
#endif
/* Seconds: */
#define GI_SPINNING   50e-6 /* before a helper sleeps */
#define GI_NOT_RESTED 40e-6 /* between calls that follow each other so soon that helpers would still be awake */
#define GI_LONG_ALONE 60e-6 /* so much of such calls is worth waking the helpers, too, */
#define GI_ONE_ALONE  3e-6  /* if the last one took as long as this: what need not look at all it is given does not */
enum { GI_MANY_TOGETHER = 8 /* calls that helpers shared before they slept again: waking them was worth it */ };

/* Pieces of the work that a thread has still to do: the first in the upper half, the end in the lower. */
typedef struct gi_pieces {
    __attribute__((aligned(64))) uint64_t range; /* atomic */
} gi_pieces;

static gi_pieces gi_left[GI_MOST_THREADS]; /* of the calling thread and of each helper */

static struct {
    pthread_mutex_t busy; /* held by the call that uses the pool */
    pthread_mutex_t lock; /* for sleeping */
    pthread_cond_t  wake;
    int             wanted, started;
    int             sleeping, called; /* helpers that nobody has called; calls that nobody has heard. sleeping: atomic */
    uint64_t        state;            /* atomic; what follows changes only while nobody is inside and none may join */
    int             threads;          /* helpers from this number on may not join */
    int64_t         units, chunk;
    gi_task         task;
    void           *job;
} gi_threads = {
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL
};

static pthread_t gi_helper_threads[GI_MOST_THREADS - 1]; /* those that were started */
static bool      gi_helpers_leave;                       /* atomic: they are asked to */

static __thread bool gi_parallel_inside;

/* Is this a function of the program's that a run calls: for chunks, for progress, or a task? It must not wait for what is its run's. */
static bool gi_is_inside_run(void) { return gi_in_run || gi_parallel_inside; }

/* Takes the first piece of a range. False: it has none. */
static bool gi_take_piece(gi_pieces *own, int64_t *piece)
{
    uint64_t has = __atomic_load_n(&own->range, __ATOMIC_RELAXED);
    while (has >> 32 < (uint32_t)has)
        if (__atomic_compare_exchange_n(&own->range, &has, has + ((uint64_t)1 << 32), true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {
            *piece = (int64_t)(has >> 32);
            return true;
        }
    return false;
}

/* Moves the second half of what another has left to a range that is empty. False: nothing is left. */
static bool gi_take_half(gi_pieces *own, gi_pieces *other)
{
    uint64_t has = __atomic_load_n(&other->range, __ATOMIC_RELAXED);
    while (has >> 32 < (uint32_t)has) {
        uint64_t half = ((uint32_t)has - (has >> 32) + 1) / 2, end = (uint32_t)has;
        if (!__atomic_compare_exchange_n(&other->range, &has, has - half, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) continue;
        __atomic_store_n(&own->range, (end - half) << 32 | end, __ATOMIC_RELAXED);
        return true;
    }
    return false;
}

/* The part of thread number `self`; 0 is the one that calls. */
static void gi_take_pieces(int self)
{
    for (int k = 0; k < gi_threads.threads; k++) { /* its own range first, then those of the others */
        int other = self + k < gi_threads.threads ? self + k : self + k - gi_threads.threads;
        if (k > 0 && !gi_take_half(&gi_left[self], &gi_left[other])) continue;
        for (int64_t piece; gi_take_piece(&gi_left[self], &piece); k = 0) {
            int64_t begin = piece * gi_threads.chunk, left = gi_threads.units - begin;
            gi_threads.task(begin, begin + (left < gi_threads.chunk ? left : gi_threads.chunk), gi_threads.job);
        }
    }
}

static void gi_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* Is there a job that a helper can join, which has done all up to number `done`? */
static bool gi_job_waits(uint64_t state, uint64_t done) { return (state & GI_JOB_OPEN) && state / GI_JOB_NUMBER != done; }

/*  Linux may start a helper that it wakes on the very processor of its caller, and leave it behind him for milliseconds, though
    another one idles: in a virtual machine an idle processor may look as if it were taken away (available_idle_cpu of its
    scheduler). So helpers may run wherever their caller may, but not where he is; they are told so again when he has moved. */
#if defined(__linux__)
static struct {
    int      id[GI_MOST_THREADS]; /* of the helpers that have begun; atomic */
    unsigned from;                /* the processor that they are kept off */
    int      told;                /* so many helpers are */
} gi_kept_off;

static void gi_helper_begins(int self) { __atomic_store_n(&gi_kept_off.id[self], (int)syscall(SYS_gettid), __ATOMIC_RELAXED); }

static void gi_keep_helpers_off_caller(void)
{
    unsigned      here;
    unsigned long may[128], others = 0;
    enum { BITS = 8 * sizeof may[0] };
    if (syscall(SYS_getcpu, &here, NULL, NULL) != 0 || (here == gi_kept_off.from && gi_kept_off.told == gi_threads.started))
        return;
    long bytes = syscall(SYS_sched_getaffinity, 0, sizeof may, may);
    if (bytes <= 0 || here >= 8 * (unsigned)bytes) return;
    may[here / BITS] &= ~(1ul << here % BITS);
    for (size_t k = 0; k < (size_t)bytes / sizeof may[0]; k++) others |= may[k];
    if (!others) return; /* the caller is bound to one processor */
    gi_kept_off.from = here;
    for (gi_kept_off.told = 0; gi_kept_off.told < gi_threads.started; gi_kept_off.told++) {
        int thread = __atomic_load_n(&gi_kept_off.id[gi_kept_off.told + 1], __ATOMIC_RELAXED);
        if (thread == 0) return; /* it has not begun yet */
        syscall(SYS_sched_setaffinity, thread, (size_t)bytes, may);
    }
}
static void gi_forget_helpers(void) { memset(&gi_kept_off, 0, sizeof gi_kept_off); }
#else
static void gi_helper_begins(int self) { (void)self; }
static void gi_keep_helpers_off_caller(void) {}
static void gi_forget_helpers(void) {}
#endif

/* Sleeps until somebody calls, or not at all if there is a job. */
static void gi_sleep(uint64_t done)
{
    pthread_mutex_lock(&gi_threads.lock);
    __atomic_add_fetch(&gi_threads.sleeping, 1, __ATOMIC_SEQ_CST); /* before looking: who opens a job looks here behind it */
    if (gi_job_waits(__atomic_load_n(&gi_threads.state, __ATOMIC_SEQ_CST), done)) {
        __atomic_sub_fetch(&gi_threads.sleeping, 1, __ATOMIC_SEQ_CST);
    } else {
        while (!gi_threads.called && !gi_helpers_leave) pthread_cond_wait(&gi_threads.wake, &gi_threads.lock);
        if (gi_threads.called) gi_threads.called--;
    }
    pthread_mutex_unlock(&gi_threads.lock);
}

/* Calls sleeping helpers, at most so many. */
static void gi_call_helpers(int most)
{
    gi_keep_helpers_off_caller();
    pthread_mutex_lock(&gi_threads.lock);
    int n = gi_threads.sleeping < most ? gi_threads.sleeping : most;
    gi_threads.called += n;
    __atomic_sub_fetch(&gi_threads.sleeping, n, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&gi_threads.lock);
    for (int k = 0; k < n; k++) pthread_cond_signal(&gi_threads.wake);
}

static void *gi_helper_thread(void *number)
{
    int      self  = (int)(intptr_t)number;
    uint64_t done  = 0;
    double   since = 0;       /* when it began to spin */
    (void)gi_floats_settle(); /* a thread begins with what its maker had set */
    gi_parallel_inside = true;
    gi_helper_begins(self);
    for (int spins = 0; !__atomic_load_n(&gi_helpers_leave, __ATOMIC_RELAXED); spins++) {
        uint64_t state = __atomic_load_n(&gi_threads.state, __ATOMIC_RELAXED);
        if (gi_job_waits(state, done) && gi_arena_has_room()) {
            if (!__atomic_compare_exchange_n(&gi_threads.state, &state, state + 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
                continue;
            done  = state / GI_JOB_NUMBER;
            spins = 0;
            if (self < gi_threads.threads) gi_take_pieces(self);
            __atomic_sub_fetch(&gi_threads.state, 1, __ATOMIC_RELEASE);
        }
        if (spins == 0) since = ga_now();
        if (spins % 64 == 63 && ga_now() - since > GI_SPINNING) {
            gi_sleep(done);
            spins = -1;
        } else {
            gi_pause();
        }
    }
    return NULL;
}

/* A fork finds the pool of memory whole; the child has no helpers and starts its own when it needs them. */
static void gi_before_fork(void)
{
    pthread_mutex_lock(&gi_pool.lock);
    if (gi_gpu) gi_gpu->lock();
}
static void gi_after_fork(void)
{
    if (gi_gpu) gi_gpu->unlock();
    pthread_mutex_unlock(&gi_pool.lock);
}
static void gi_in_forked_child(void)
{
    if (gi_gpu) gi_gpu->forked();
    gi_error_unread  = false; /* the parent's */
    gi_errors_unread = 0;
    gi_forget_helpers();
    gi_threads.started = gi_threads.sleeping = gi_threads.called = 0;
    gi_threads.state &= ~(uint64_t)(GI_JOB_OPEN | GI_JOB_INSIDE);
    pthread_mutex_init(&gi_threads.busy, NULL);
    pthread_mutex_init(&gi_threads.lock, NULL);
    pthread_cond_init(&gi_threads.wake, NULL);
    gi_after_fork();
}
__attribute__((constructor)) static void gi_expect_forks(void)
{
    pthread_atfork(gi_before_fork, gi_after_fork, gi_in_forked_child);
}

/* A thread of ours, on a stack of its own size: functions of the program's may run there, and the C library's choice is 128 KiB under
   musl, else what the shell said. Returns what pthread_create does. */
static int gi_thread_create(pthread_t *thread, bool detached, void *(*run)(void *), void *argument)
{
    enum { STACK = 8 << 20 };
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    pthread_attr_setdetachstate(&attributes, detached ? PTHREAD_CREATE_DETACHED : PTHREAD_CREATE_JOINABLE);
    int error = pthread_create(thread, &attributes, run, argument);
    pthread_attr_destroy(&attributes);
    return error;
}

#if defined(__linux__) && !defined(__cplusplus)
extern int pthread_getattr_np(pthread_t, pthread_attr_t *); /* hidden though there, see platform.h */
extern int pthread_attr_getstack(const pthread_attr_t *, void **, size_t *);
#endif

/* The bytes of stack that this thread has left; of a stack that the C library does not know, INT64_MAX. */
__attribute__((unused)) static int64_t gi_stack_left(void)
{
    static __thread char *low, *high;
    char *const           here = (char *)__builtin_frame_address(0);
#ifdef __linux__
    pthread_attr_t attributes;
    if (!high && pthread_getattr_np(pthread_self(), &attributes) == 0) {
        void  *begin;
        size_t bytes;
        if (pthread_attr_getstack(&attributes, &begin, &bytes) == 0) {
            low  = (char *)begin;
            high = low + bytes;
        }
        pthread_attr_destroy(&attributes);
    }
#endif
    return here > low && here < high ? here - low : INT64_MAX;
}

static void gi_threads_start(void)
{
    while (gi_threads.started < gi_threads.wanted - 1) {
        int error = gi_thread_create(&gi_helper_threads[gi_threads.started], false, gi_helper_thread,
                                     (void *)(intptr_t)(gi_threads.started + 1));
        if (error) { /* no more threads to be had: carry on with those there are */
            gi_threads.wanted = gi_threads.started + 1;
            return;
        }
        gi_threads.started++;
    }
}

/* Ends the helpers; when they are needed, others are started. Waits for the call that uses them. */
static void gi_threads_end(void)
{
    pthread_mutex_lock(&gi_threads.busy);
    pthread_mutex_lock(&gi_threads.lock);
    __atomic_store_n(&gi_helpers_leave, true, __ATOMIC_RELAXED);
    pthread_cond_broadcast(&gi_threads.wake);
    pthread_mutex_unlock(&gi_threads.lock);
    for (int k = 0; k < gi_threads.started; k++) pthread_join(gi_helper_threads[k], NULL);
    gi_forget_helpers();
    gi_threads.started = gi_threads.sleeping = gi_threads.called = 0;
    gi_helpers_leave                                             = false;
    pthread_mutex_unlock(&gi_threads.busy);
}

/* The processors that this process may use: mpirun, taskset and containers leave it some of them. */
static long gi_processors(void)
{
    char  line[4096];
    long  n = 0, online = sysconf(_SC_NPROCESSORS_ONLN);
    FILE *f = fopen("/proc/self/status", "r");
    while (f && n == 0 && fgets(line, sizeof line, f)) {
        if (strncmp(line, "Cpus_allowed:", 13) != 0) continue;
        for (const char *p = line + 13; *p; p++) {
            int digit = *p >= '0' && *p <= '9' ? *p - '0' : *p >= 'a' && *p <= 'f' ? *p - 'a' + 10 : 0;
            n += (digit & 1) + (digit >> 1 & 1) + (digit >> 2 & 1) + (digit >> 3 & 1);
        }
    }
    if (f) fclose(f);
    n = n > 0 && n < online ? n : online;
#ifdef GPUARR_USE_MPI /* the ranks on this machine share them: Open MPI and MPICH say how many there are */
    const char *here = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    if (!here) here = getenv("MPI_LOCALNRANKS");
    long ranks = here ? strtol(here, NULL, 10) : 1;
    if (n == online && ranks > 1) n /= ranks;
#endif
    return n;
}

int ga_get_num_threads(void)
{
    int n = __atomic_load_n(&gi_threads.wanted, __ATOMIC_RELAXED);
    if (n > 0) return n;
    const char *asked = getenv("GPUARR_NUM_THREADS");
    char       *end   = NULL;
    const bool  given = asked && *asked;
    const long  found = given ? strtol(asked, &end, 10) : gi_processors();
    n                 = found < 1 ? 1 : found > GI_MOST_THREADS ? GI_MOST_THREADS : (int)found;
    if (given && (*end || found < 1 || found > GI_MOST_THREADS))
        fprintf(stderr, "gpuarr: GPUARR_NUM_THREADS=%s in the environment is not a number of threads from 1 to %d: using %d\n",
                asked, GI_MOST_THREADS, n);
    __atomic_store_n(&gi_threads.wanted, n, __ATOMIC_RELAXED);
    return n;
}

void ga_set_num_threads(int n)
{
    if (n < 1 || n > GI_MOST_THREADS) {
        gi_fail("\tga_set_num_threads", GA_BAD_ARGUMENT, "%d threads: use 1 to %d", n, GI_MOST_THREADS);
        return;
    }
    if (gi_is_inside_run()) {
        gi_fail("\tga_set_num_threads", GA_BAD_ARGUMENT,
                "a task, or a function for chunks or for progress, cannot change the number of threads that run it");
        return;
    }
    pthread_mutex_lock(&gi_threads.busy);
    __atomic_store_n(&gi_threads.wanted, n, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&gi_threads.busy);
}

/* Cuts n units into pieces of `chunk` and does them with the helpers that come. The pool is ours. */
static void gi_parallel_run_job(int threads, int64_t n, int64_t chunk, bool wake, gi_task task, void *job)
{
    while (n / chunk >= INT32_MAX) chunk *= 2;
    int64_t pieces = (n + chunk - 1) / chunk, ranges = pieces < threads ? pieces : threads;
    gi_threads.task    = task;
    gi_threads.job     = job;
    gi_threads.units   = n;
    gi_threads.chunk   = chunk;
    gi_threads.threads = threads;
    for (int64_t k = 0; k < threads; k++) {
        uint64_t first = (uint64_t)(k < ranges ? k * pieces / ranges : 0),
                 end   = (uint64_t)(k < ranges ? (k + 1) * pieces / ranges : 0);
        __atomic_store_n(&gi_left[k].range, first << 32 | end, __ATOMIC_RELAXED);
    }
    uint64_t number = __atomic_load_n(&gi_threads.state, __ATOMIC_RELAXED) / GI_JOB_NUMBER + 1;
    __atomic_store_n(&gi_threads.state, number * GI_JOB_NUMBER + GI_JOB_OPEN, __ATOMIC_SEQ_CST);
    if (wake && __atomic_load_n(&gi_threads.sleeping, __ATOMIC_SEQ_CST) > 0)
        gi_call_helpers(gi_threads.started < threads ? (int)ranges - 1 : gi_threads.started); /* any of them may hear it */
    gi_parallel_inside = true;
    gi_take_pieces(0);
    gi_parallel_inside = false;
    uint64_t state     = __atomic_and_fetch(&gi_threads.state, ~(uint64_t)GI_JOB_OPEN, __ATOMIC_ACQUIRE);
    for (int spins = 0; state & GI_JOB_INSIDE; spins++) {
        if (spins < GI_SPINS) gi_pause();
        else sched_yield();
        state = __atomic_load_n(&gi_threads.state, __ATOMIC_ACQUIRE);
    }
}

/* Does short work without the helpers, which sleep. Is there more and more of it, they are called; at once, if the last time that they
   were called for it much followed. */
static void gi_parallel_run_short(int threads, int64_t n, int64_t chunk, gi_task task, void *job)
{
    static __thread double   last, took;          /* when such work was done last, how long it took without helpers, */
    static __thread double   together;            /* and with what was just before it */
    static __thread uint64_t called = UINT64_MAX; /* the number of the job for which this thread called the helpers last */
    const uint64_t           number = __atomic_load_n(&gi_threads.state, __ATOMIC_RELAXED) / GI_JOB_NUMBER;
    const bool               much   = called < number && number - called >= GI_MANY_TOGETHER;
    double                   start  = ga_now();
    if (start - last > GI_NOT_RESTED) together = 0;
    if (took >= GI_ONE_ALONE && (much || together > GI_LONG_ALONE)) {
        gi_parallel_run_job(threads, n, chunk, true, task, job);
        called   = number;
        together = 0;
        last     = ga_now();
    } else {
        task(0, n, job);
        last = ga_now();
        took = last - start;
        together += took;
    }
}

/* Calls task(begin, end, job) until the units 0 to n - 1 are done, `chunk` at a time, on several threads when there is more than one
   chunk and enough work: so many bytes as it would read and write in the same time (see GI_WORTH_SHARING).
   Which thread does which unit must not matter to the result. Tasks must not create or free arrays, nor report errors. */
static void gi_parallel_bytes(double bytes, int64_t n, int64_t chunk, gi_task task, void *job)
{
    if (n <= 0) return;
    GI_SETTLE_FLOATS;
    int threads = ga_get_num_threads();
    if (bytes < GI_WORTH_SHARING || n <= chunk || threads == 1 || gi_parallel_inside ||
        pthread_mutex_trylock(&gi_threads.busy) != 0) {
        task(0, n, job);
        return;
    }
    gi_threads_start();
    bool wake = bytes >= GI_WORTH_WAKING;
    if (wake || __atomic_load_n(&gi_threads.sleeping, __ATOMIC_RELAXED) < gi_threads.started)
        gi_parallel_run_job(threads, n, chunk, wake, task, job);
    else gi_parallel_run_short(threads, n, chunk, task, job);
    pthread_mutex_unlock(&gi_threads.busy);
}

/* The same for what is worth waking the helpers. */
static void gi_parallel(int64_t n, int64_t chunk, gi_task task, void *job)
{
    gi_parallel_bytes(GI_WORTH_WAKING, n, chunk, task, job);
}
