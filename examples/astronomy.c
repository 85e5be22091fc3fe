/*  From a picture of the sky to a list of its sources: statistics, kappa-sigma clipping, segmentation, labels, measurements.
        cc -DGPUARR_USE_CFITSIO astronomy.c -lcfitsio -lm -lpthread && ./a.out image.fits
        cc astronomy.c -lm -lpthread && ./a.out                        (a generated sky: needs no file and no CFITSIO)        */
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct statistics {
    int64_t count;
    double  mean, median, std, min, max;
} statistics;

typedef struct sources {
    double    threshold, flux_total;
    int64_t   pixels, count, count8; /* brighter than the threshold; objects of 4- and of 8-connected pixels */
    ga_array *labels;                /* 0 where there is sky, else the number of the source */
    ga_array *flux, *position;       /* of source k + 1: its sum, its centre (row, column) */
    ga_array *brightest;             /* indices of the ten brightest */
} sources;

typedef struct lap {
    const char *step;
    double      seconds;
} lap;

static lap    laps[16];
static int    lap_count;
static double lap_start;

static void done(const char *step)
{
    laps[lap_count++] = (lap){ step, ga_now() - lap_start };
    lap_start         = ga_now();
}

/* ---- a sky of our own -------------------------------------------------------------------------------------------- */

/* Noise of sigma 1, a faint band of light, and point sources with a power law of fluxes seen with a beam of 2 pixels. */
static ga_array *generate_sky(int64_t size, uint64_t seed, int64_t count, double *peaks)
{
    const double beam = 2;
    ga_array    *sky = ga_random_normal(0, 1, (size, size), .dtype = GA_F32, .seed = seed);
    ga_array    *dice = ga_random((count, 3), .seed = seed, .stream = 1); /* row, column and flux of each source */
    ga_scope {
        ga_array *x = ga_linspace(-1, 1, size, .dtype = GA_F32), *y = ga_index(x, ":, newaxis");
        ga_array *across = ga_add(ga_multiply(x, 0.35), y); /* distance from a line through the middle */
        ga_add(sky, ga_multiply(ga_exp(ga_multiply(ga_square(across), -12)), 0.5), .out = sky);
    }
    for (int64_t k = 0; k < count && dice && sky; k++) ga_scope {
            double  row = ga_item_at(dice, k, 0) * (double)size, column = ga_item_at(dice, k, 1) * (double)size;
            int64_t top = (int64_t)fmax(row - 12, 0), left = (int64_t)fmax(column - 12, 0);
            int64_t bottom = (int64_t)fmin(row + 13, (double)size), right = (int64_t)fmin(column + 13, (double)size);
            peaks[k] = 6 * pow(1 - ga_item_at(dice, k, 2), -1 / 1.2); /* as many brighter than S as S to the power -1.2 */

            ga_array *window = ga_index(sky, "%lld:%lld, %lld:%lld", (long long)top, (long long)bottom, (long long)left, (long long)right);
            ga_array *dy = ga_subtract(ga_arange(top, bottom, 1, .dtype = GA_F32), row);
            ga_array *dx = ga_subtract(ga_arange(left, right, 1, .dtype = GA_F32), column);
            ga_array *r2 = ga_add(ga_index(ga_square(dy), ":, newaxis"), ga_square(dx));
            ga_array *bell = ga_exp(ga_multiply(r2, -1 / (2 * beam * beam)));
            ga_add(window, ga_multiply(bell, peaks[k]), .out = window); /* a view: this adds to the sky */
        }
    return sky;
}

/* ---- the four steps ---------------------------------------------------------------------------------------------- */

static statistics describe(const ga_array *a)
{
    return (statistics){ a ? a->size : 0,   ga_item(ga_mean(a)), ga_item(ga_median(a)),
                         ga_item(ga_std(a)), ga_item(ga_min(a)),  ga_item(ga_max(a)) };
}

static sources find_sources(const ga_array *data, double threshold)
{
    sources   s = { .threshold = threshold };
    ga_array *bright = ga_greater(data, threshold);
    s.pixels = ga_item_int(ga_count_nonzero(bright));
    done("segmentation");
    s.labels = ga_label(bright, .count = &s.count);
    done("label");
    s.flux = ga_sum_labels(data, s.labels, NULL);
    s.position = ga_center_of_mass(data, s.labels, NULL);
    s.brightest = ga_index(ga_argsort(s.flux), ":-11:-1");
    s.flux_total = ga_item(ga_sum(s.flux));
    done("measure");
    ga_label(bright, .connectivity = 2, .count = &s.count8);
    done("label, 8-connected");
    return s;
}

/* ---- what comes out ---------------------------------------------------------------------------------------------- */

static void json_statistics(const char *name, statistics s)
{
    printf("\"%s\": {\"count\": %lld, \"mean\": %.17g, \"median\": %.17g, \"std\": %.17g, \"min\": %.17g, \"max\": %.17g}", name,
           (long long)s.count, s.mean, s.median, s.std, s.min, s.max);
}

static void json_sources(const char *name, sources s)
{
    printf("\"%s\": {\"threshold\": %.17g, \"pixels\": %lld, \"sources\": %lld, \"sources_8connected\": %lld, \"top10\": [", name,
           s.threshold, (long long)s.pixels, (long long)s.count, (long long)s.count8);
    for (int64_t i = 0; i < s.brightest->size; i++) {
        int64_t k = (int64_t)ga_item_at(s.brightest, i);
        printf("%s{\"label\": %lld, \"flux\": %.17g, \"row\": %.17g, \"col\": %.17g}", i ? ", " : "", (long long)k + 1,
               ga_item_at(s.flux, k), ga_item_at(s.position, k, 0), ga_item_at(s.position, k, 1));
    }
    printf("], \"flux_total\": %.17g}", s.flux_total);
}

/* About 1000 pixels across: the brightest pixel of each block, or each pixel several times. */
static ga_array *fit(const ga_array *a)
{
    int64_t longest = a->shape[0] > a->shape[1] ? a->shape[0] : a->shape[1], block = (longest + 1199) / 1200, times = 1000 / longest;
    int64_t rows = a->shape[0] / block, columns = a->shape[1] / block;
    if (times > 1) return ga_repeat(ga_repeat(a, times, .axis = 0), times, .axis = 1);
    ga_array *whole = ga_index(a, ":%lld, :%lld", (long long)(rows * block), (long long)(columns * block));
    return ga_max(ga_reshape(whole, (rows, block, columns, block)), .axes = ga_axes(1, 3));
}

/* Each source in a colour of its own on the dimmed sky. */
static ga_array *paint_sources(const ga_array *sky, sources s, double vmin, double vmax)
{
    ga_array *grey = ga_multiply(ga_render(sky, .cmap = "gray", .log = true, .vmin = vmin, .vmax = vmax), 0.35, .dtype = GA_F32);
    ga_array *hue = ga_index(ga_multiply(ga_arange(0, s.count + 1, 1), 0.618034 * 6.283185), ":, newaxis");
    ga_array *palette = ga_add(ga_multiply(ga_cos(ga_add(hue, ga_values(0, 2.0944, 4.1888))), 95), 160); /* (sources + 1, 3) */
    ga_array *labels = fit(s.labels);
    return ga_astype(ga_where(ga_index(ga_greater(labels, 0), "..., newaxis"), ga_take(palette, labels, .axis = 0), grey), GA_U8);
}
