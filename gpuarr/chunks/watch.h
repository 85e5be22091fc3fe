/* ---- what a run tells: progress, a trace, a report --------------------------------------------------------------------------------- */

bool ga_progress_line(const ga_progress *p, void *user)
{
    if (!p) return gi_fail("\tga_progress_line", GA_BAD_ARGUMENT, "the progress is NULL") != NULL;
    const int    wide = 30;
    const double done = p->done > 0 ? (p->done < 1 ? p->done : 1) : 0; /* NaN: 0 */
    const int    full = (int)(done * wide);
    (void)user;
    fprintf(stderr, "\r%-24.24s [%.*s%*s] %3.0f %%, %s s, %s s left, %s   ", p->what ? p->what : "", full,
            "##############################", wide - full, "", 100 * done, gi_with_decimals(p->seconds, 1),
            gi_with_decimals(p->left, 1), gi_bytes_text(p->used_bytes));
    if (done >= 1) fputc('\n', stderr);
    return true;
}

/* The progress function runs on one thread at a time, which may change it meanwhile. */
static __thread int gi_telling;

static void gi_telling_begins(void)
{
    if (gi_telling++ == 0) pthread_mutex_lock(&gi_watch.telling);
}

static void gi_telling_ends(void)
{
    if (--gi_telling == 0) pthread_mutex_unlock(&gi_watch.telling);
}

void ga_set_progress(ga_progress_function f, void *user)
{
    gi_telling_begins();
    gi_watch.progress      = f;
    gi_watch.progress_user = user;
    gi_telling_ends();
}

/* A fork finds all locks of the chunks free, but those that are held while functions of the program's run: these are made anew. */
static void gi_chunks_before_fork(void)
{
    pthread_mutex_lock(&gi_kept_chunks.lock);
    pthread_mutex_lock(&gi_watch.lock);
}
static void gi_chunks_after_fork(void)
{
    pthread_mutex_unlock(&gi_watch.lock);
    pthread_mutex_unlock(&gi_kept_chunks.lock);
}
static void gi_chunks_in_forked_child(void)
{
    gi_chunks_after_fork();
    if (gi_telling == 0) pthread_mutex_init(&gi_watch.telling, NULL);
    gi_computing_forked();
}
__attribute__((constructor)) static void gi_chunks_expect_forks(void)
{
    pthread_atfork(gi_chunks_before_fork, gi_chunks_after_fork, gi_chunks_in_forked_child);
}

/* As at the beginning: the environment is asked again. */
static void gi_watch_forget(void)
{
    gi_kept_forget();
    pthread_mutex_lock(&gi_watch.lock);
    __atomic_store_n(&gi_watch.events_on, false, __ATOMIC_RELAXED);
    __atomic_store_n(&gi_watch.asked, false, __ATOMIC_RELEASE);
    free(gi_watch.event);
    gi_watch.event  = NULL;
    gi_watch.events = gi_watch.dropped = 0;
    pthread_mutex_unlock(&gi_watch.lock);
}

static void gi_watch_begins(void)
{
    if (__atomic_load_n(&gi_watch.asked, __ATOMIC_ACQUIRE)) return;
    gi_telling_begins();
    pthread_mutex_lock(&gi_watch.lock);
    const char *progress = getenv("GA_PROGRESS");
    gi_watch.trace       = getenv("GA_TRACE");
    gi_watch.report      = getenv("GA_REPORT");
    gi_watch.begun       = ga_now();
    __atomic_store_n(&gi_chunks_forget, &gi_watch_forget, __ATOMIC_RELAXED);
    if (progress && *progress && *progress != '0' && !gi_watch.progress) gi_watch.progress = ga_progress_line;
    if ((gi_watch.trace && *gi_watch.trace) || (gi_watch.report && *gi_watch.report)) {
        gi_watch.event = (gi_event *)malloc(GI_MOST_EVENTS * sizeof(gi_event));
        if (gi_watch.event) __atomic_store_n(&gi_watch.events_on, true, __ATOMIC_RELAXED);
    }
    __atomic_store_n(&gi_watch.asked, true, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&gi_watch.lock);
    gi_telling_ends();
}

/* The name of a call, "ga_add", from its site. Returns its length. */
static int gi_call_name(const char *site, const char **name)
{
    const char *call = site ? strchr(site, '\t') : NULL;
    *name            = call ? call + 1 : site ? site : "gpuarr";
    return (int)strcspn(*name, "(");
}

static int gi_event_name(const gi_event *e, const char **name)
{
    if (!e->name[0]) return gi_call_name(e->site, name);
    *name = e->name;
    return (int)strlen(e->name);
}

/* n more units of a run are done: tells the progress. False, with an error, if the progress function wants to stop. */
static bool gi_watch_progress(gi_computation *r, int64_t n)
{
    bool    go_on = true;
    int64_t done  = __atomic_add_fetch(&r->done, n, __ATOMIC_RELAXED);
    if (!gi_watch.progress || ga_rank() > 0) return true;
    gi_telling_begins();
    double now = ga_now();
    if (gi_watch.progress && (now - r->told > 0.1 || done == r->units)) {
        ga_progress p;
        const char *name;
        char        what[64];
        int         length = gi_call_name(r->folds ? r->fold[0]->site : r->site, &name);
        snprintf(what, sizeof what, "%.*s", length, name);
        r->told      = now;
        p.what       = what;
        p.done       = (double)done / (double)r->units;
        p.seconds    = now - r->begun;
        p.left       = p.seconds / (double)done * (double)(r->units - done);
        p.used_bytes = ga_memory_stats().used_bytes;
        go_on        = gi_watch.progress(&p, gi_watch.progress_user);
    }
    gi_telling_ends();
    if (go_on) gi_error_left_behind();
    if (!go_on) gi_fail(r->site, GA_STOPPED, "the progress function stopped it");
    return go_on;
}

/* A unit of a run is done. It fails if the progress function wants to stop. */
static bool gi_watch_unit_done(gi_computation *r, int64_t number, double start)
{
    if (gi_is_watched()) gi_note_event(r->site, true, number, start, ga_now());
    return gi_watch_progress(r, 1);
}
