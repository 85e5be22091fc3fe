/*  The temperatures of a month, a file for each day: their mean and each day's anomaly, in less memory than they take.
        cc monthly_mean.c -lm -lpthread && ./a.out
    Options: --out DIR, --rows N (latitudes, 360 and more). The files are written first, to DIR, as if by somebody else; a picture
    of the graph, a report of the run and a trace for ui.perfetto.dev come to lie beside them.                               */
#define GPUARR_STATIC
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DAYS = 31 };

static const char *out = "out";

static const char *in_out(const char *name) /* a path in DIR, good until the next call */
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/monthly_mean%s", out, name);
    return path;
}

static const char *path_of_day(int day)
{
    char name[32];
    snprintf(name, sizeof name, "_day%02d.npy", day + 1);
    return in_out(name);
}

/* Warm at the equator, warmer every day, and a wave that wanders east. */
static void write_day(int day, int64_t rows)
{
    ga_scope {
        ga_array *latitude  = ga_index(ga_linspace(-1.5, 1.5, rows, .dtype = GA_F32), ":, newaxis");
        ga_array *longitude = ga_linspace(0, 6.28, 2 * rows, .dtype = GA_F32);
        ga_array *kelvin =
            ga_eval("250 + 0.1*day + cos(latitude) * (40 + 4*sin(3*longitude + 0.2*day))", (latitude, longitude, day));
        ga_save(path_of_day(day), kelvin);
    }
}

int main(int argc, char **argv)
{
    ga_on_error(GA_EXIT); /* an error ends the program, and says why */
    int64_t rows = 360;
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 < argc && !strcmp(argv[i], "--out")) out = argv[i + 1];
        else if (i + 1 < argc && !strcmp(argv[i], "--rows")) rows = atoll(argv[i + 1]);
        else rows = 0;
    }
    if (rows < 360 || rows > 100000) return fputs("usage: monthly_mean [--out DIR] [--rows N]\n", stderr), 2;
    mkdir(out, 0777);
    setenv("GA_REPORT", in_out("_report.html"), 0); /* what each thread does when; yours count, if they are set */
    setenv("GA_TRACE", in_out("_trace.json"), 0);
    for (int day = 0; day < DAYS; day++) write_day(day, rows);

    const int64_t bytes = DAYS * rows * 2 * rows * 4, limit = bytes / 2;
    if (ga_get_num_threads() > 2) ga_set_num_threads(2); /* each needs memory for its piece */
    ga_memory_trim();
    ga_memory_limit(limit);
    ga_memory_reset_peak();
    ga_scope {
        /* Opening reads nothing but the heads of the files. The work is divided into bands of latitudes. */
        ga_array *day[DAYS];
        for (int k = 0; k < DAYS; k++) day[k] = ga_open(path_of_day(k), .chunks = ga_chunks((rows + 15) / 16, -1));
        ga_array *month = ga_stack_n(DAYS, (const ga_array *const *)day); /* (31, rows, columns) */
        ga_print(month);
        ga_array *mean = ga_mean(month, .axis = 0), *anomaly = ga_subtract(month, mean);
        ga_visualize(anomaly, in_out(".svg"));

        /* Two passes over the files: the mean is worked out before the anomalies, which are written as they come. */
        double start = ga_now();
        ga_store(anomaly, in_out("_anomaly.npy"));
        double          seconds   = ga_now() - start;
        const ga_array *wanted[3] = { mean, ga_mean(mean), ga_max(ga_absolute(anomaly)) };
        ga_array       *found[3];
        ga_compute_n(3, wanted, found);
        ga_save(in_out(".npy"), found[0]);
        printf("mean of the month %.4f K, largest anomaly %.4f K\n", ga_item(found[1]), ga_item(found[2]));
        printf("%.1f MiB in files, anomalies stored in %.3f s with at most %.1f MiB of memory (limit %.1f MiB)\n",
               (double)bytes / 1048576, seconds, (double)ga_memory_stats().peak_bytes / 1048576, (double)limit / 1048576);
        ga_imshow(in_out(".png"), found[0], .cmap = "inferno", .colorbar = true, .title = "mean of the month, K");
    }
    return 0;
}
