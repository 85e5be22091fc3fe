/* ---- events: what each thread did when, for the trace and the report ------------------------------------------------------- */

/*  GA_TRACE=run.json in the environment writes what each thread did when, for ui.perfetto.dev; GA_REPORT=run.html a page with the
    threads' time line, the memory and the time of each operation; GA_PROGRESS=1 a line on stderr that grows. All of that is off, and
    costs a comparison per piece, unless it is asked for.                                                                       */

static __thread int gi_this_gpu; /* the GPU that this thread drives, and 1; 0: none */

typedef struct gi_event { /* a thread was busy with something */
    const char *site;
    bool        unit;        /* a unit of a run; else an operation inside one, or a task */
    char        name[24];    /* of a task; else empty, and the name is that of the call */
    int         thread, gpu; /* gpu: which one the thread drives, and 1; else 0 */
    int64_t     number, used_bytes;
    double      start, end;
} gi_event;

enum { GI_MOST_EVENTS = 1 << 18 }; /* later ones are counted only */

static struct {
    pthread_mutex_t      lock;
    bool                 asked;     /* atomic: has the environment been looked at? */
    bool                 events_on; /* atomic */
    const char          *trace, *report;
    ga_progress_function progress;
    void                *progress_user;
    gi_event            *event;
    int64_t              events, dropped;
    double               begun; /* the first run */
    int                  threads;
    FILE                *trace_file;
    pthread_mutex_t      telling; /* held while the progress function runs, and by who changes it */
} gi_watch = { PTHREAD_MUTEX_INITIALIZER, false, false, NULL, NULL, NULL, NULL, NULL, 0, 0, 0, 0, NULL,
               PTHREAD_MUTEX_INITIALIZER };

static bool gi_is_watched(void) { return __atomic_load_n(&gi_watch.events_on, __ATOMIC_RELAXED); }

static int gi_thread_number(void)
{
    static __thread int number;
    if (number == 0) number = __atomic_add_fetch(&gi_watch.threads, 1, __ATOMIC_RELAXED);
    return number - 1;
}

static void gi_keep_event(const gi_event *e)
{
    pthread_mutex_lock(&gi_watch.lock);
    if (gi_watch.events < GI_MOST_EVENTS) gi_watch.event[gi_watch.events++] = *e;
    else gi_watch.dropped++;
    pthread_mutex_unlock(&gi_watch.lock);
}

static void gi_note_event(const char *site, bool unit, int64_t number, double start, double end)
{
    const int gpu = gi_this_gpu;
    gi_event  e   = { site, unit, "", gpu ? 0 : gi_thread_number(), gpu, number, ga_memory_stats().used_bytes, start, end };
    gi_keep_event(&e);
}
