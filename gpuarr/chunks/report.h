/* ---- the trace and the report ---- */

/* Text inside of HTML and SVG, or of JSON. */
static void gi_write_escaped(FILE *f, const char *s, int n)
{
    for (int i = 0; i < n && s[i]; i++) switch (s[i]) {
        case '<': fputs("&lt;", f); break;
        case '>': fputs("&gt;", f); break;
        case '&': fputs("&amp;", f); break;
        case '"': fputs("&quot;", f); break;
        case '\\': fputs("&#92;", f); break;
        default: fputc((unsigned char)s[i] < ' ' ? ' ' : s[i], f);
        }
}

/* How many GPUs, from number 0 on, are among those that have done something? */
static int gi_gpus_of_events(void)
{
    int gpus = 0;
    for (int64_t i = 0; i < gi_watch.events; i++)
        if (gi_watch.event[i].gpu > gpus) gpus = gi_watch.event[i].gpu;
    return gpus;
}

/* The events as a file of Chrome's trace format; written anew at the end of each run. */
static void gi_write_trace(FILE *f)
{
    enum { GI_GPU_LINES = 1000 }; /* their numbers among the threads */
    fputs("{\"traceEvents\":[\n", f);
    for (int gpu = 0, gpus = gi_gpus_of_events(); gpu < gpus; gpu++)
        fprintf(f, "{\"ph\":\"M\",\"pid\":1,\"tid\":%d,\"name\":\"thread_name\",\"args\":{\"name\":\"GPU %d\"}},\n",
                GI_GPU_LINES + gpu, gpu);
    for (int64_t i = 0; i < gi_watch.events; i++) {
        const gi_event *e = &gi_watch.event[i];
        const char     *name;
        int             length = gi_event_name(e, &name), place = e->site ? (int)strcspn(e->site, "\t") : 0;
        fprintf(f,
                "%s{\"ph\":\"X\",\"pid\":1,\"tid\":%d,\"ts\":%s,\"dur\":%s,\"name\":\"%.*s\",\"cat\":\"%s\",\"args\":{"
                "\"number\":%lld,\"at\":\"",
                i ? ",\n" : "", e->gpu ? GI_GPU_LINES + e->gpu - 1 : e->thread,
                gi_with_decimals((e->start - gi_watch.begun) * 1e6, 3), gi_with_decimals((e->end - e->start) * 1e6, 3), length,
                name,
                e->name[0] ? "task"
                : e->unit  ? "unit"
                           : "operation",
                (long long)e->number);
        gi_write_escaped(f, e->site ? e->site : "", place);
        fputs("\"}}", f);
        if (e->unit || e->name[0])
            fprintf(f, ",\n{\"ph\":\"C\",\"pid\":1,\"ts\":%s,\"name\":\"memory\",\"args\":{\"MiB\":%s}}",
                    gi_with_decimals((e->end - gi_watch.begun) * 1e6, 3), gi_with_decimals((double)e->used_bytes / 1048576, 3));
    }
    fprintf(f, "\n],\"otherData\":{\"dropped\":\"%lld\"}}\n", (long long)gi_watch.dropped);
}

typedef struct gi_share_of_time { /* of all calls at one place of the program */
    const char *site;
    int64_t     times;
    double      seconds;
} gi_share_of_time;

static int gi_by_seconds(const void *x, const void *y)
{
    double a = ((const gi_share_of_time *)x)->seconds, b = ((const gi_share_of_time *)y)->seconds;
    return a < b ? 1 : a > b ? -1 : 0;
}

/* Colours that differ for different names, the same in all pictures. */
static const char *const gi_light_colours[] = { "#7fb3d5", "#f5b7b1", "#a9dfbf", "#f9e79f", "#d2b4de",
                                                "#f5cba7", "#a3e4d7", "#d5dbdb", "#aed6f1", "#e6b0aa" };

static const char *gi_colour_of(const char *name, int length)
{
    uint32_t h = 2166136261u;
    for (int i = 0; i < length; i++) h = (h ^ (unsigned char)name[i]) * 16777619u;
    return gi_light_colours[h % 10];
}

static void gi_write_report(FILE *f)
{
    enum { MOST_SITES = 200 };
    const int        wide = 1000, row = 26;
    double           end     = 0;
    int64_t          most    = 1;
    int              threads = 1, sites = 0, gpus = gi_gpus_of_events(); /* the GPUs' lines are below those of the threads */
    gi_share_of_time share[MOST_SITES];
    for (int64_t i = 0; i < gi_watch.events; i++) {
        const gi_event *e = &gi_watch.event[i];
        int             k = 0;
        if (e->end - gi_watch.begun > end) end = e->end - gi_watch.begun;
        if (e->used_bytes > most) most = e->used_bytes;
        if (e->thread + 1 > threads) threads = e->thread + 1;
        if (e->unit) continue;
        while (k < sites && share[k].site != e->site) k++;
        if (k == MOST_SITES) continue;
        if (k == sites) {
            gi_share_of_time none = { e->site, 0, 0 };
            share[sites++]        = none;
        }
        share[k].times++;
        share[k].seconds += e->end - e->start;
    }
    if (end <= 0) end = 1e-9;
    fprintf(f,
            "<!DOCTYPE html>\n<meta charset='utf-8'><title>gpuarr: what was computed</title>\n<style>body{font:14px "
            "sans-serif;margin:2em;max-width:%dpx}td,th{padding:2px "
            "12px 2px 0;text-align:left}text{font-size:11px}</style>\n<h1>What was computed</h1>\n<p>%lld pieces of work in "
            "%s s on %d thread%s and %d GPU%s; at most %s in arrays.%s</p>\n",
            wide + 100, (long long)gi_watch.events, gi_with_decimals(end, 3), threads, threads == 1 ? "" : "s", gpus,
            gpus == 1 ? "" : "s", gi_bytes_text(most), gi_watch.dropped ? " Later pieces are not in this page." : "");
    fprintf(f, "<h2>Time line</h2>\n<svg width='%d' height='%d'>\n", wide + 80, (threads + gpus) * row + 20);
    for (int t = 0; t < threads + gpus; t++)
        fprintf(f, "<text x='0' y='%d'>%s %d</text>\n", t * row + 17, t < threads ? "thread" : "GPU",
                t < threads ? t : t - threads);
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0; i < gi_watch.events; i++) {
            const gi_event *e = &gi_watch.event[i];
            const char     *name;
            int             length = gi_event_name(e, &name);
            double          x = 70 + (e->start - gi_watch.begun) / end * wide, w = (e->end - e->start) / end * wide;
            if (e->unit != (pass == 0) || (w < 0.2 && gi_watch.events > 5000)) continue;
            fprintf(f, "<rect x='%s' y='%d' width='%s' height='%d' fill='%s'><title>%.*s, number %lld: %s ms</title></rect>\n",
                    gi_with_decimals(x, 2), (e->gpu ? threads + e->gpu - 1 : e->thread) * row + (pass ? 6 : 2),
                    gi_with_decimals(w < 0.3 ? 0.3 : w, 2), pass ? row - 14 : row - 6,
                    pass ? gi_colour_of(name, length) : "#e5e8e8", length, name, (long long)e->number,
                    gi_with_decimals((e->end - e->start) * 1e3, 3));
        }
    fprintf(f, "<text x='70' y='%d'>0</text><text x='%d' y='%d'>%s s</text>\n</svg>\n", (threads + gpus) * row + 15, wide + 20,
            (threads + gpus) * row + 15, gi_with_decimals(end, 3));
    fprintf(f, "<h2>Memory</h2>\n<svg width='%d' height='140'><polyline fill='none' stroke='#2e86c1' points='", wide + 80);
    for (int64_t i = 0; i < gi_watch.events; i++) {
        const gi_event *e = &gi_watch.event[i];
        if (e->unit || e->name[0])
            fprintf(f, "%s,%s ", gi_with_decimals(70 + (e->end - gi_watch.begun) / end * wide, 1),
                    gi_with_decimals(120 - 100.0 * (double)e->used_bytes / (double)most, 1));
    }
    fprintf(f,
            "'/><text x='0' y='25'>%s</text><text x='0' "
            "y='122'>0</text></svg>\n<h2>Operations</h2>\n<table><tr><th>call<th>where<th>times<th>seconds, with what it asked "
            "for</tr>\n",
            gi_bytes_text(most));
    qsort(share, (size_t)sites, sizeof *share, gi_by_seconds);
    for (int k = 0; k < sites; k++) {
        const char *site = share[k].site ? share[k].site : "", *call = strchr(site, '\t');
        fputs("<tr><td>", f);
        gi_write_escaped(f, call ? call + 1 : site, (int)strlen(call ? call + 1 : site));
        fputs("<td>", f);
        gi_write_escaped(f, site, (int)strcspn(site, "\t"));
        fprintf(f, "<td>%lld<td>%s</tr>\n", (long long)share[k].times, gi_with_decimals(share[k].seconds, 4));
    }
    fputs("</table>\n", f);
}

/* At the end of a call that computes. A file that cannot be written is said, but fails nothing. */
static void gi_watch_ends(void)
{
    if (!gi_is_watched()) return;
    pthread_mutex_lock(&gi_watch.lock);
    for (int k = 0; k < 2; k++) {
        const char *asked = k == 0 ? gi_watch.trace : gi_watch.report;
        if (!asked || !*asked) continue;
        GI_ARENA(char, path, GI_PATH_ROOM);
        gi_new_file to;
        const char *slash = strrchr(asked, '/'), *dot = strrchr(asked, '.');
        int         stem = dot && (!slash || dot > slash) ? (int)(dot - asked) : (int)strlen(asked);
        if (ga_rank() == 0) snprintf(path, GI_PATH_ROOM, "%s", asked);
        else snprintf(path, GI_PATH_ROOM, "%.*s.%d%s", stem, asked, ga_rank(), asked + stem); /* run.1.json */
        bool begun = gi_file_begin(&to, path);
        if (begun && k == 0) gi_write_trace(to.file);
        else if (begun) gi_write_report(to.file);
        if (!begun || !gi_file_end(&to, true)) fprintf(stderr, "gpuarr: cannot write '%s': %s\n", path, to.why);
    }
    pthread_mutex_unlock(&gi_watch.lock);
}
