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
        ga_array *i     = ga_arange(1, n + 1, 1);
        ga_array *u     = ga_eval("wave = sin(i * (pi / (n + 1))); wave[:, newaxis] * wave", (i, n));
        ga_array *later = ga_stencil(heat, (u, A), .border = GA_BORDER_CONSTANT, .steps = steps);
        double    s = sin(PI / (double)(2 * (n + 1))), factor = pow(1 - 8 * A * s * s, (double)steps);
        error = ga_item(ga_eval("max(abs(later - u*factor))", (later, u, factor))) / factor;
        printf("a wave on %lld^2 points fades to %.9f in %lld steps, relative error %.0e\n", (long long)n, factor,
               (long long)steps, error);
    }
    return error;
}

/* The same steps without a stencil, as in NumPy: a formula of slices of the plate with its cold edge around it. What shares memory with
   .out is computed aside, so each step passes over the plate twice, where the stencil goes many steps with each part of it. */
static ga_array *by_slices(const ga_array *plate, int steps)
{
    ga_array *u = ga_pad(plate, (1)), *inside = ga_index(u, "1:-1, 1:-1");
    for (int k = 0; k < steps; k++)
        ga_eval("u[1:-1, 1:-1] + A*(u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4*u[1:-1, 1:-1])", (u, A),
                .out = inside);
    return inside;
}

static bool same_by_slices(int64_t n, int steps)
{
    bool same = false;
    ga_scope {
        ga_array *u = ga_random((n, n), .seed = 1);
        same = ga_array_equal(by_slices(u, steps), ga_stencil(heat, (u, A), .border = GA_BORDER_CONSTANT, .steps = steps));
    }
    return same;
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
    bool right = fade(points, 1000) < 1e-12 && same_by_slices(points, 4);
    return spread(points, path) && right ? 0 : 1;
}
