/* ==== >>timing ==================================================================================================== */

typedef struct gi_gpu_clock {
    const char *site;
    ga_event    from, to;
} gi_gpu_clock;

/* Two events around a call, on this thread's stream. Without a GPU in use nothing is measured. */
static bool gi_clock_start(gi_gpu_clock *c)
{
    if (!gi_gpu || !gi_gpu->in_use()) return false;
    if (!c->from) c->from = gi_gpu->new_event(c->site);
    if (!c->to) c->to = gi_gpu->new_event(c->site);
    return c->from && c->to && gi_gpu->record(c->site, c->from, ga_get_stream()) && gi_gpu->reach(c->site, c->from);
}

static bool gi_clock_stop(gi_gpu_clock *c, double *seconds)
{
    if (!gi_gpu->record(c->site, c->to, ga_get_stream()) || !gi_gpu->reach(c->site, c->to)) return false;
    *seconds = ga_event_elapsed(c->from, c->to);
    return *seconds >= 0;
}

static void gi_clock_free(gi_gpu_clock *c)
{
    ga_event_free(c->from);
    ga_event_free(c->to);
}

static int gi_compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts the n times. */
static ga_times gi_summarise_times(double *seconds, int n)
{
    ga_times t = { 0, 0, 0, 0, 0 };
    qsort(seconds, (size_t)n, sizeof *seconds, gi_compare_doubles);
    for (int i = 0; i < n; i++) t.mean += seconds[i] / n;
    for (int i = 0; i < n; i++) t.std += (seconds[i] - t.mean) * (seconds[i] - t.mean) / n;
    t.std    = sqrt(t.std);
    t.min    = seconds[0];
    t.max    = seconds[n - 1];
    t.median = (seconds[(n - 1) / 2] + seconds[n / 2]) / 2;
    return t;
}

/* The clocks of a benchmark. */
typedef struct gi_stopwatch {
    double      *cpu, *device; /* seconds of each call */
    int          calls, device_calls;
    gi_gpu_clock clock;
} gi_stopwatch;

/* One call; what it makes is released after the clocks have stopped. Returns the seconds that it took altogether. */
static double gi_time_call(void (*f)(void *user), void *user, gi_stopwatch *w)
{
    gi_scope scope;
    gi_scope_begin(&scope);
    bool   on_gpu = gi_clock_start(&w->clock);
    double start  = ga_now();
    f(user);
    w->cpu[w->calls++] = ga_now() - start;
    if (on_gpu && gi_clock_stop(&w->clock, &w->device[w->device_calls])) w->device_calls++;
    (ga_synchronize)();
    double seconds = ga_now() - start;
    gi_scope_end(&scope);
    return seconds;
}

/* Microseconds with three decimals, whatever the locale. */
static const char *gi_microseconds(double seconds, char *text, size_t room)
{
    long long ns = llround(seconds * 1e9);
    snprintf(text, room, "%lld.%03lld", ns / 1000, ns % 1000);
    return text;
}

static void gi_print_times(const char *device, const ga_times *t)
{
    char text[5][32];
    printf(" %s: %s us +/- %s (min %s / max %s / median %s) us", device, gi_microseconds(t->mean, text[0], 32),
           gi_microseconds(t->std, text[1], 32), gi_microseconds(t->min, text[2], 32), gi_microseconds(t->max, text[3], 32),
           gi_microseconds(t->median, text[4], 32));
}

ga_benchmark_result(ga_benchmark)(void (*f)(void *user), void *user, ga_benchmark_options o)
{
    ga_benchmark_result r;
    memset(&r, 0, sizeof r);
    const bool counted = o.repeat != -1, timed = o.max_seconds != GA_REAL_DEFAULT;
    if (!f || (counted && o.repeat < 1) || o.warmup < 0 || (timed && !(o.max_seconds >= 0))) {
        gi_fail(o.site, GA_BAD_ARGUMENT,
                f ? ".repeat = %d, .warmup = %d, .max_seconds = %g: measure one call or more" : "the function is NULL",
                o.repeat, o.warmup, timed ? o.max_seconds : 1);
        return r;
    }
    const int repeat = counted ? o.repeat : 10000, warmup = o.warmup;
    /* A number of calls that is asked for is done; else as many as fit into the time. */
    double       limit = timed ? o.max_seconds : counted ? (double)INFINITY : 1;
    size_t       bytes = (size_t)repeat * 2 * sizeof(double);
    double      *times = (double *)gi_mem_alloc(o.site, bytes), spent = 0;
    gi_stopwatch w;
    if (!times) return r;
    memset(&w, 0, sizeof w);
    w.clock.site  = o.site;
    w.cpu         = times;
    w.device      = times + repeat;
    bool was_fine = gi_error_status == GA_OK, failed = false;
    for (int i = 0; i < warmup && spent < limit && !failed; i++) {
        w.calls = w.device_calls = 0;
        spent += gi_time_call(f, user, &w);
        failed = was_fine && gi_error_status != GA_OK;
    }
    w.calls = w.device_calls = 0;
    spent                    = 0;
    while (w.calls < repeat && (w.calls == 0 || spent < limit) && !failed) {
        spent += gi_time_call(f, user, &w);
        failed = was_fine && gi_error_status != GA_OK;
    }
    gi_clock_free(&w.clock);
    if (!failed) { /* else f has said why; the time of a failing call is no answer */
        r.repeats = w.calls;
        r.cpu     = gi_summarise_times(w.cpu, w.calls);
        if (w.device_calls > 0) r.device = gi_summarise_times(w.device, w.device_calls);
    }
    gi_mem_release(times, bytes);
    if (o.quiet || r.repeats == 0) return r;
    const char *call = o.site ? strchr(o.site, '\t') : NULL;
    char        gpu[32];
    printf("%s:", o.name ? o.name : call ? call + 1 : "ga_benchmark");
    gi_print_times("CPU", &r.cpu);
    snprintf(gpu, sizeof gpu, " GPU-%d", ga_cuda_selected());
    if (r.device.max > 0) gi_print_times(gpu, &r.device);
    printf(", %d repeats\n", r.repeats);
    return r;
}
