/*  The heat equation du/dt = d2u/dx2 + d2u/dy2 on a plate with cold edges: each step gives every point a part of the difference to its
    four neighbours. A single wave fades by a factor that mathematics knows; a hot letter spreads, in pictures.
        cc -O2 heat.c -lm -lpthread && ./a.out
    Options: --size N (points along an edge), --out DIR, --device cuda (built as a .cu file).                                   */
#define GPUARR_STATIC
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

GA_STENCIL(heat, (1, 1), double, (double a),
           GA_AT(0, 0) + a * (GA_AT(-1, 0) + GA_AT(1, 0) + GA_AT(0, -1) + GA_AT(0, 1) - 4 * GA_AT(0, 0)))

static const double PI = 3.14159265358979323846, A = 0.2; /* a = dt / dx^2; above 0.25 it would blow up */

/* sin(x) sin(y), which is 0 beyond the edges, becomes smaller by the same factor in each step. Returns the relative error. */
static double fade(int64_t n, int64_t steps)
{
    double error = 1;
    ga_scope {
        ga_array *wave  = ga_sin(ga_multiply(ga_arange(1, n + 1, 1), PI / (double)(n + 1)));
        ga_array *u     = ga_multiply(ga_index(wave, ":, newaxis"), wave);
        ga_array *later = ga_stencil(heat, (u, A), .border = GA_BORDER_CONSTANT, .steps = steps);
        double    s = sin(PI / (double)(2 * (n + 1))), factor = pow(1 - 8 * A * s * s, (double)steps);
        ga_array *off = ga_absolute(ga_subtract(later, ga_multiply(u, factor)));
        error         = ga_item(ga_max(off)) / factor;
        printf("a wave on %lld^2 points fades to %.9f in %lld steps, relative error %.0e\n", (long long)n, factor,
               (long long)steps, error);
    }
    return error;
}

/* A hot H on the plate, now and after some time, side by side. */
static bool spread(int64_t n, const char *path)
{
    bool written = false;
    ga_scope {
        ga_array *u = ga_zeros((n, n)), *bar = ga_index(u, "%lld:%lld", (long long)n / 4, (long long)n * 3 / 4);
        ga_copyto(ga_index(bar, ":, %lld:%lld", (long long)n / 4, (long long)n * 3 / 8), 1);
        ga_copyto(ga_index(bar, ":, %lld:%lld", (long long)n * 5 / 8, (long long)n * 3 / 4), 1);
        ga_copyto(ga_index(u, "%lld:%lld, %lld:%lld", (long long)n * 7 / 16, (long long)n * 9 / 16, (long long)n / 4,
                           (long long)n * 3 / 4),
                  1);
        ga_array *v = ga_stencil(heat, (u, A), .border = GA_BORDER_CONSTANT, .steps = n);
        ga_array *w = ga_stencil(heat, (v, A), .border = GA_BORDER_CONSTANT, .steps = n * n / 64);
        written     = ga_imshow(path, ga_concatenate((u, v, w), .axis = 1), .vmin = 0, .vmax = 1);
    }
    return written;
}

int main(int argc, char **argv)
{
    ga_on_error(GA_EXIT); /* an error ends the program, and says why */
    int64_t     points = 256;
    const char *out    = "out";
    char        path[512];
    for (int k = 1; k + 1 < argc; k += 2) {
        if (!strcmp(argv[k], "--size")) points = strtoll(argv[k + 1], NULL, 10);
        if (!strcmp(argv[k], "--out")) out = argv[k + 1];
        if (!strcmp(argv[k], "--device") && !strcmp(argv[k + 1], "cuda")) ga_set_device(GA_CUDA);
    }
    mkdir(out, 0777);
    snprintf(path, sizeof path, "%s/heat.png", out);
    bool right = fade(points, 1000) < 1e-12;
    return spread(points, path) && right ? 0 : 1;
}
