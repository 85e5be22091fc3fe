/*  From a picture of the sky to a list of its sources: statistics, kappa-sigma clipping, segmentation, labels, measurements.
        cc astronomy.c -lm -lpthread && ./a.out                                                   (a sky of its own making)
        cc -DGPUARR_USE_CFITSIO astronomy.c -lcfitsio -lm -lpthread && ./a.out image.fits         (libcfitsio-dev)         */
#define GPUARR_STATIC
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct sources {
    double    threshold, flux_total;
    int64_t   pixels, count, count8; /* brighter than the threshold; groups of 4-connected and of 8-connected pixels */
    ga_array *labels;                /* 0 where there is sky, else the number of the source */
    ga_array *flux, *position;       /* of each source: its sum; its centre (row, column) */
    ga_array *brightest;             /* the indices of the ten brightest */
} sources;

/* ---- the four steps ---------------------------------------------------------------------------------------------- */

enum { SKY, STATISTICS, CLIPPING, SEGMENTATION, LABELLING, MEASURING, STEPS };
static const char *const step_names[STEPS] = { "sky", "statistics", "clipping", "segmentation", "labelling", "measuring" };
static double            seconds[STEPS], started;
static void              begin(void) { started = ga_now(); }
static void              end(int step) { seconds[step] = ga_now() - started, begin(); }

static sources find_sources(const ga_array *data, double threshold)
{
    sources s = { .threshold = threshold };
    begin();
    ga_array *bright = ga_eval("data > threshold", (data, threshold));
    end(SEGMENTATION);
    s.labels = ga_label(bright, .count = &s.count);
    end(LABELLING);
    s.flux     = ga_sum_labels(data, s.labels, NULL);
    s.position = ga_center_of_mass(data, s.labels, NULL);
    end(MEASURING);
    s.brightest  = ga_index(ga_argsort(s.flux), ":-11:-1");
    s.flux_total = ga_item(ga_sum(s.flux));
    s.pixels     = ga_item_int(ga_count_nonzero(bright));
    ga_label(bright, .connectivity = 2, .count = &s.count8);
    return s;
}

/* ---- a sky of our own: noise of sigma 1, a faint band of light, sources with a power law of brightness --------------- */

static ga_array *generate_sky(int64_t size, uint64_t seed, int64_t count)
{
    const int    n = (int)size, reach = 20; /* a source covers at most 41 x 41 pixels */
    const double beam = 3;                  /* a point is seen as a Gaussian with this sigma, in pixels */
    ga_array    *x = ga_linspace(-1, 1, n, .dtype = GA_F32), *y = ga_index(x, ":, newaxis");
    ga_array    *noise = ga_random_normal(0, 1.0 / 3, (n + 2, n + 2), .dtype = GA_F32, .seed = seed);
    /* the band, and nine shifted views of the noise: neighbours are seen together */
    ga_array *sky = ga_eval("0.5*exp(-12*(y + 0.35*x)**2)"
                            " + noise[ :-2, :-2] + noise[ :-2, 1:-1] + noise[ :-2, 2:]"
                            " + noise[1:-1, :-2] + noise[1:-1, 1:-1] + noise[1:-1, 2:]"
                            " + noise[2:,   :-2] + noise[2:,   1:-1] + noise[2:,   2:]",
                            (x, y, noise));

    ga_array *pixel = ga_arange(0, n, 1), *random = ga_random((count), .seed = seed, .stream = 2);
    ga_array *places = ga_multiply(ga_random((count, 2), .seed = seed, .stream = 1), n); /* rows and columns */
    ga_array *peaks  = ga_eval("6 * random**(-1/1.2)", (random));
    for (int64_t k = 0; k < count; k++)
        ga_scope {
            double    row = ga_item_at(places, k, 0), column = ga_item_at(places, k, 1), peak = ga_item_at(peaks, k);
            int       top = (int)fmax(row - reach, 0), bottom = (int)row + reach + 1;
            int       left = (int)fmax(column - reach, 0), right = (int)column + reach + 1;
            ga_array *i = ga_index(pixel, "%d:%d, newaxis", top, bottom), *j = ga_index(pixel, "%d:%d", left, right);
            ga_array *window = ga_index(sky, "%d:%d, %d:%d", top, bottom, left, right); /* a view: this adds to the sky */
            ga_eval("window + peak*exp(-((i - row)**2 + (j - column)**2) / (2*beam**2))",
                    (window, peak, i, row, j, column, beam), .out = window);
        }
    return sky;
}

/* ---- what comes out ---------------------------------------------------------------------------------------------- */

/* About a thousand pixels across: the brightest of each block, or each one several times. */
static ga_array *fit(const ga_array *a)
{
    if (!a) return NULL;
    int64_t longest = a->shape[0] > a->shape[1] ? a->shape[0] : a->shape[1], block = 1 + longest / 1200, times = 1000 / longest;
    int64_t rows = a->shape[0] / block, columns = a->shape[1] / block;
    if (times > 1) return ga_repeat(ga_repeat(a, times, .axis = 0), times, .axis = 1);
    ga_array *whole = ga_index(a, ":%d, :%d", (int)(rows * block), (int)(columns * block));
    return ga_max(ga_reshape(whole, (rows, block, columns, block)), .axes = ga_axes(1, 3));
}

/* out/sky.png, and out/sources.png with each source in a colour of its own before the dimmed sky. */
static void draw(const char *out, const ga_array *data, ga_statistics clipped, sources s)
{
    char      sky_png[4096], sources_png[4096], title[100];
    ga_array *sky = fit(ga_subtract(data, clipped.median)), *labels = fit(s.labels);
    double    low = 1.5 * clipped.std, high = fmin(100 * clipped.std, ga_item(ga_max(sky)));
    snprintf(sky_png, sizeof sky_png, "%s/sky.png", out);
    snprintf(sources_png, sizeof sources_png, "%s/sources.png", out);
    snprintf(title, sizeof title, "%lld sources above %.4g", (long long)s.count, s.threshold);
    ga_imshow(sky_png, sky, .cmap = "inferno", .log = true, .vmin = low, .vmax = high, .colorbar = true, .title = title);

    ga_array *number = ga_arange(0, s.count + 1, 1), *rgb = ga_values(0, 2.1, 4.2), *blue = ga_values(12, 14, 34);
    ga_array *colours = ga_eval("165 + 90*cos(3.883*number[:, newaxis] + rgb)", (number, rgb)); /* the golden angle apart */
    ga_array *grey = ga_to(ga_render(sky, .cmap = "gray", .log = true, .vmin = low, .vmax = high), ga_get_device()); /* bytes */
    ga_array *colour = ga_take(colours, labels, .axis = 0);
    ga_imsave(sources_png, ga_eval("uint8(where(labels[..., newaxis] > 0, colour, 0.5*float32(grey) + blue))",
                                   (labels, colour, grey, blue)));
    printf("\n%s  %s\n", sky_png, sources_png);
}

static void print_statistics(const char *name, ga_statistics s)
{
    printf("%-10s %10lld %12.6g %12.6g %12.6g %12.6g %12.6g\n", name, (long long)s.count, s.mean, s.median, s.std, s.min,
           s.max);
}

static void print_sources(sources s)
{
    printf("\n\nthe brightest        flux         row      column\n");
    for (int64_t i = 0; s.brightest && i < s.brightest->size; i++) {
        int64_t k = (int64_t)ga_item_at(s.brightest, i);
        printf("%8lld %16.8g %11.2f %11.2f\n", (long long)k + 1, ga_item_at(s.flux, k), ga_item_at(s.position, k, 0),
               ga_item_at(s.position, k, 1));
    }
}

static void json_statistics(const char *name, ga_statistics s)
{
    printf("\"%s\": {\"count\": %lld, \"mean\": %.17g, \"median\": %.17g, \"std\": %.17g, \"min\": %.17g, \"max\": %.17g}",
           name, (long long)s.count, s.mean, s.median, s.std, s.min, s.max);
}

static void json_sources(const char *name, sources s)
{
    printf("\"%s\": {\"threshold\": %.17g, \"pixels\": %lld, \"sources\": %lld, \"sources_8connected\": %lld, \"top10\": [",
           name, s.threshold, (long long)s.pixels, (long long)s.count, (long long)s.count8);
    for (int64_t i = 0; s.brightest && i < s.brightest->size; i++) {
        int64_t k = (int64_t)ga_item_at(s.brightest, i);
        printf("%s{\"label\": %lld, \"flux\": %.17g, \"row\": %.17g, \"col\": %.17g}", i ? ", " : "", (long long)k + 1,
               ga_item_at(s.flux, k), ga_item_at(s.position, k, 0), ga_item_at(s.position, k, 1));
    }
    printf("], \"flux_total\": %.17g}", s.flux_total);
}

static const char usage[] = "usage: astronomy [FILE.fits] [--json] [--threshold lesson|background] [--out DIR]\n"
                            "                 [--seed N] [--size N] [--device cpu|cuda]\n";

int main(int argc, char **argv)
{
    ga_on_error(GA_EXIT); /* an error ends the program, and says why */
    const char *file = NULL, *out = "out", *threshold = "lesson", *device = "cpu";
    int64_t     size = 2048, seed = 1;
    bool        json = false, wrong = false;
    for (int i = 1; i < argc; i++) {
        const char *option = argv[i];
        if (!strcmp(option, "--json")) json = true;
        else if (option[0] != '-') file = option;
        else if (++i == argc) wrong = true;
        else if (!strcmp(option, "--threshold")) threshold = argv[i];
        else if (!strcmp(option, "--device")) device = argv[i];
        else if (!strcmp(option, "--out")) out = argv[i];
        else if (!strcmp(option, "--seed")) seed = atoll(argv[i]);
        else if (!strcmp(option, "--size")) size = atoll(argv[i]);
        else wrong = true;
    }
    bool over_background = !strcmp(threshold, "background");
    if (wrong || size < 100 || size > 30000 || (!over_background && strcmp(threshold, "lesson")))
        return fputs(usage, stderr), 2;
    if (!strcmp(device, "cuda")) ga_set_device(GA_CUDA);

    ga_scope {
        begin();
        int64_t   generated = file ? 0 : size * size / 10000;
        ga_array *image     = file ? ga_squeeze(ga_fits_read(file)) : generate_sky(size, (uint64_t)seed, generated);
        end(SKY);
        if (image->ndim != 2) return fprintf(stderr, "%s has %d axes, a picture has 2\n", file, image->ndim), 1;

        ga_array     *data = ga_astype(image, GA_F64), *missing = ga_isnan(data), *finite = ga_extract(ga_isfinite(data), data);
        int64_t       nan = ga_item_int(ga_count_nonzero(missing));
        ga_statistics raw = ga_describe(finite);
        ga_copyto(data, 0, .where = missing);
        end(STATISTICS);
        int           passes  = 0;
        ga_statistics clipped = ga_describe(ga_sigma_clip(finite, .sigma = 3, .passes = &passes));
        end(CLIPPING);
        double lesson = 5 * clipped.std, background = clipped.median + lesson;

        if (json) {
            const char *slash = file ? strrchr(file, '/') : NULL, *name = slash ? slash + 1 : file ? file : "generated";
            printf("{\"file\": \"%s\", \"shape\": [%lld, %lld], \"dtype\": \"%s\", \"nan\": %lld, ", name,
                   (long long)image->shape[0], (long long)image->shape[1], ga_dtype_name(image->dtype), (long long)nan);
            json_statistics("raw", raw);
            printf(", \"clip_passes\": %d, ", passes);
            json_statistics("clipped", clipped);
            printf(", ");
            json_sources("lesson", find_sources(data, lesson));
            printf(", ");
            json_sources("background", find_sources(data, background));
            printf("}\n");
            return 0;
        }
        sources s = find_sources(data, over_background ? background : lesson);
        printf("%s: %lld x %lld %s, %lld NaN\n\n", file ? file : "a generated sky", (long long)image->shape[0],
               (long long)image->shape[1], ga_dtype_name(image->dtype), (long long)nan);
        printf("               pixels         mean       median          std          min          max\n");
        print_statistics("raw", raw);
        print_statistics("clipped", clipped);
        printf("clipped in %d passes\n\nthreshold %.6g (%s5 x clipped std): %lld pixels, %lld sources", passes, s.threshold,
               over_background ? "clipped median + " : "", (long long)s.pixels, (long long)s.count);
        if (generated) printf(" (%lld were generated)", (long long)generated);
        print_sources(s);
        printf("\nstep                 ms\n");
        for (int i = 0; i < STEPS; i++) printf("%-12s %10.1f\n", step_names[i], 1e3 * seconds[i]);
        mkdir(out, 0777);
        draw(out, data, clipped, s);
    }
    return 0;
}
