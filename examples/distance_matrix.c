/*  The course's distributed distance matrix: blocks of ga_cdist, as a lazy array and as a graph of delayed calls.
        cc distance_matrix.c -lm -lpthread && ./a.out
    Options: --out DIR, --points N, --features N (coordinates of a point). The matrix of 12000 x 12000 distances has 1.1 GiB:
    it never exists. Pictures of both graphs, the times (report.html) and a trace for ui.perfetto.dev are written to DIR.     */
#define GPUARR_STATIC
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { BLOCK = 1000, MOST_BLOCKS = 100 };

static const char *out = "out";

static const char *in_out(const char *name) /* a path in DIR, good until the next call */
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/distance_matrix%s", out, name);
    return path;
}

/* Coordinates from 0 to 10 that look random, and that NumPy makes as well: (arange * factor) % 10007 / 1000. */
static ga_array *scatter(int64_t n, int64_t features, int64_t factor)
{
    ga_array *i = ga_arange(0, n * features, 1);
    return ga_reshape(ga_eval("i * factor % 10007 / 1000", (i, factor)), (n, features));
}

static void print_line(const char *way, double sum, double count, double least, double most, double seconds)
{
    printf("%-8s mean %.12g, smallest %.10g, largest %.10g  (%.3f s)\n", way, sum / count, least, most, seconds);
}

/* ---- delayed: a call for each block, and one for all of their results ---------------------------------------------------- */

typedef struct block {
    const ga_array *x, *y;
    int64_t         row, column; /* of its first distance */
} block;

typedef struct summary {
    double sum, least, most;
} summary;

static bool block_distances(ga_result *result, const ga_result *in, int n, void *user)
{
    const block *b = (const block *)user;
    (void)in, (void)n;
    ga_scope { /* a slice ends where the array ends, as in Python */
        ga_array *rows    = ga_index(b->x, "%lld:%lld", (long long)b->row, (long long)b->row + BLOCK);
        ga_array *columns = ga_index(b->y, "%lld:%lld", (long long)b->column, (long long)b->column + BLOCK);
        ga_array *d       = ga_cdist(rows, columns, .metric = GA_CITYBLOCK);
        summary  *s       = d ? (summary *)malloc(sizeof *s) : NULL;
        if (s) s->sum = ga_item(ga_sum(d)), s->least = ga_item(ga_min(d)), s->most = ga_item(ga_max(d));
        result->pointer = s;
    }
    return result->pointer != NULL;
}

static bool all_together(ga_result *result, const ga_result *in, int n, void *user)
{
    summary *all = (summary *)user;
    *all         = *(const summary *)in[0].pointer;
    for (int k = 1; k < n; k++) {
        const summary *s = (const summary *)in[k].pointer;
        all->sum += s->sum;
        all->least = fmin(all->least, s->least);
        all->most  = fmax(all->most, s->most);
    }
    result->pointer = all;
    return true;
}

static void release(ga_result *result) { free(result->pointer); }

static void delayed(const ga_array *x, const ga_array *y, summary *all)
{
    static block    blocks[MOST_BLOCKS * MOST_BLOCKS];
    static ga_task *tasks[MOST_BLOCKS * MOST_BLOCKS];
    ga_graph       *g = ga_graph_new();
    int             n = 0;
    for (int64_t row = 0; row < x->shape[0]; row += BLOCK)
        for (int64_t column = 0; column < y->shape[0]; column += BLOCK) {
            block b   = { x, y, row, column };
            blocks[n] = b;
            tasks[n]  = ga_delayed_n(g, block_distances, &blocks[n], 0, NULL, .release = release);
            n++;
        }
    ga_task  *last = ga_delayed_n(g, all_together, all, n, tasks); /* nothing has been computed so far */
    ga_result result;
    if (n < 200) ga_graph_visualize(g, in_out("_delayed.svg"));
    ga_run(g, last, &result);
    ga_graph_free(g);
}

int main(int argc, char **argv)
{
    ga_on_error(GA_EXIT); /* an error ends the program, and says why */
    int64_t n = 12000, features = 50;
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 < argc && !strcmp(argv[i], "--out")) out = argv[i + 1];
        else if (i + 1 < argc && !strcmp(argv[i], "--points")) n = atoll(argv[i + 1]);
        else if (i + 1 < argc && !strcmp(argv[i], "--features")) features = atoll(argv[i + 1]);
        else n = 0;
    }
    if (n < 2 || n > MOST_BLOCKS * BLOCK || features < 1 || features > 10000)
        return fputs("usage: distance_matrix [--out DIR] [--points N] [--features N]\n", stderr), 2;
    mkdir(out, 0777);
    setenv("GA_REPORT", in_out("_report.html"), 0); /* what each thread does when; yours count, if they are set */
    setenv("GA_TRACE", in_out("_trace.json"), 0);

    ga_scope {
        ga_array *x = scatter(n, features, 7919), *y = scatter(n, features, 104729);
        printf("%lld x %lld cityblock distances of points with %lld coordinates, %d threads\n", (long long)n, (long long)n,
               (long long)features, ga_get_num_threads());

        /* Lazy: the points are divided into chunks, so the matrix is, too. The three numbers are found in one pass. */
        ga_array *d = ga_cdist(ga_chunked(x, BLOCK, -1), ga_chunked(y, BLOCK, -1), .metric = GA_CITYBLOCK);
        ga_print(d);
        const ga_array *wanted[3] = { ga_sum(d), ga_min(d), ga_max(d) };
        ga_array       *found[3];
        ga_visualize(wanted[0], in_out("_lazy.svg"));
        double start = ga_now();
        ga_compute_n(3, wanted, found);
        summary lazy = { ga_item(found[0]), ga_item(found[1]), ga_item(found[2]) }, all;
        print_line("lazy", lazy.sum, (double)d->size, lazy.least, lazy.most, ga_now() - start);

        start = ga_now();
        delayed(x, y, &all);
        print_line("delayed", all.sum, (double)d->size, all.least, all.most, ga_now() - start);
        printf("the same: %s\n",
               all.least == lazy.least && all.most == lazy.most && fabs(all.sum - lazy.sum) <= 1e-12 * lazy.sum ? "yes" : "NO");

        /* Of a slice only its own distances are computed. */
        int64_t   step = n / 500 > 0 ? n / 500 : 1;
        ga_array *seen = ga_compute(ga_index(d, "::%lld, ::%lld", (long long)step, (long long)step));
        ga_imshow(in_out(".png"), seen, .cmap = "viridis", .colorbar = true,
                  .title = "cityblock distances of some of the points");
    }
    return 0;
}
