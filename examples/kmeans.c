/*  k-means: the eight colours that show a picture best, by two reductions of one's own.
        cc kmeans.c -lm -lpthread && ./a.out
        nvcc -x cu -std=c++17 -arch=native -fmad=false kmeans.c && ./a.out --device cuda
    Writes the picture and what is left of it to out/; options: --device cpu|cuda, --out DIR, --size N.                        */
#define GPUARR_STATIC
#define GPUARR_IMPLEMENTATION
#define GPUARR_KERNELS
#include "gpuarr.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { COLOURS = 8 };

/* Which colour is nearest? The smallest of an expression, and where it is. */
typedef struct nearest {
    double  distance;
    int64_t index;
} nearest;

GA_FUNCTION nearest candidate(double r, double g, double b, int64_t index)
{
    nearest c = { r * r + g * g + b * b, index };
    return c;
}
GA_FUNCTION nearest nearer(nearest a, nearest b)
{
    return b.distance < a.distance || (b.distance == a.distance && b.index < a.index) ? b : a;
}
GA_REDUCTION(nearest_colour, int64_t, (double r, double g, double b, double r2, double g2, double b2), nearest,
             candidate(0, 0, 0, -1), candidate(r - r2, g - g2, b - b2, GA_INDEX), nearer(a, b), a.index)

/* The mean of those elements that belong to a colour. */
typedef struct members {
    double sum, count;
} members;

GA_FUNCTION members member(double x, bool belongs)
{
    members m = { belongs ? x : 0, belongs ? 1.0 : 0.0 };
    return m;
}
GA_FUNCTION members together(members a, members b)
{
    members m = { a.sum + b.sum, a.count + b.count };
    return m;
}
GA_REDUCTION(mean_of_members, double, (double x, int64_t label, int64_t colour), members, member(0, false),
             member(x, label == colour), together(a, b), a.sum / a.count)

/* A sunset over the sea, (n, n, 3), from 0 to 1. */
static ga_array *sunset(int n)
{
    ga_array *x = ga_linspace(-1, 1, n), *y = ga_index(ga_linspace(-1, 1, n), ":, newaxis");
    ga_array *glow  = ga_exp(ga_multiply(ga_hypot(x, ga_add(y, 0.1)), -1.5));
    ga_array *waves = ga_multiply(ga_sin(ga_multiply(ga_divide(1, ga_add(ga_absolute(y), 0.05)), 9)), 0.08);
    ga_array *sea   = ga_add(ga_multiply(glow, 0.6), ga_add(waves, ga_multiply(x, 0.02)));
    ga_array *sky   = ga_less(y, 0.1);
    ga_array *red = ga_where(sky, ga_add(glow, 0.2), sea), *green = ga_where(sky, ga_square(glow), ga_multiply(sea, 0.7));
    ga_array *blue = ga_where(sky, ga_subtract(0.6, ga_multiply(glow, 0.4)), ga_add(0.25, ga_multiply(sea, 0.5)));
    return ga_clip(ga_stack((red, green, blue), .axis = 2), 0, 1);
}

int main(int argc, char **argv)
{
    ga_on_error(GA_EXIT); /* an error ends the program, and says why */
    const char *out = "out";
    int         n   = 192;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--out")) out = argv[i + 1];
        if (!strcmp(argv[i], "--size")) n = atoi(argv[i + 1]);
        if (!strcmp(argv[i], "--device") && !strcmp(argv[i + 1], "cuda")) ga_set_device(GA_CUDA);
    }
    (void)mkdir(out, 0777);
    ga_scope {
        ga_array *picture = sunset(n), *pixels = ga_reshape(picture, (-1, 3)), *row = ga_index(pixels, ":, newaxis, :");
        ga_array *label  = NULL;
        ga_array *colour = ga_copy(ga_index(pixels, "%d::%d", n * n / 16 + n / 3, n * n / COLOURS)); /* to begin with */
        double    spread = 0;
        for (int round = 0; round < 20; round++) {
            label             = ga_reduce(nearest_colour,
                                          (ga_index(row, ":, :, 0"), ga_index(row, ":, :, 1"), ga_index(row, ":, :, 2"),
                               ga_index(colour, ":, 0"), ga_index(colour, ":, 1"), ga_index(colour, ":, 2")),
                                          .axis = 1);
            ga_array *numbers = ga_index(ga_arange(0, COLOURS, 1, .dtype = GA_I64), ":, newaxis");
            ga_reduce(mean_of_members, (row, ga_index(label, ":, newaxis, newaxis"), numbers), .axis = 0, .out = colour);
            spread = ga_item(ga_mean(ga_square(ga_subtract(pixels, ga_take(colour, label, .axis = 0)))));
        }
        ga_array *poster = ga_reshape(ga_take(colour, label, .axis = 0), (n, n, 3));
        char      path[2][512];
        snprintf(path[0], sizeof path[0], "%s/sunset.png", out);
        snprintf(path[1], sizeof path[1], "%s/kmeans.png", out);
        ga_imsave(path[0], picture);
        ga_imsave(path[1], poster);
        printf("%d colours of %d pixels: mean square error %.10g\n", COLOURS, n * n, spread);
        ga_print(colour, .precision = 4);
    }
    return 0;
}
