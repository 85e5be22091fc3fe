/*  Stars that attract each other: a force is a reduction over all others, and the energy stays what it was.
        cc nbody.c -lm -lpthread && ./a.out
        nvcc -x cu -std=c++17 -arch=native -fmad=false nbody.c && ./a.out --device cuda
    Options: --device cpu|cuda, --stars N, --steps N.                                                                         */
#define GPUARR_STATIC
#define GPUARR_IMPLEMENTATION
#define GPUARR_KERNELS
#include "gpuarr.h"
#include <stdlib.h>
#include <string.h>

/* Squares of distances, softened: no two stars come closer than 0.05. */
GA_FUNCTION double squares(double x, double y, double z) { return x * x + y * y + z * z + 0.0025; }
GA_FUNCTION double cubed_root(double d2) { return d2 * GA_SQRT(d2); }

/* How a star at x, y, z is drawn along x by those of mass m at x2, y2, z2. */
GA_REDUCTION(pull, double, (double x, double y, double z, double m, double x2, double y2, double z2), double, 0,
             m *(x2 - x) / cubed_root(squares(x2 - x, y2 - y, z2 - z)), a + b, a)
GA_REDUCTION(kinetic, double, (double m, double u, double v, double w), double, 0, m *(u *u + v * v + w * w), a + b, a / 2)
/* (With that of each star with itself, which never changes. Each pair is met twice.) */
GA_REDUCTION(potential, double, (double x, double y, double z, double m, double x2, double y2, double z2, double m2), double, 0,
             m *m2 / GA_SQRT(squares(x2 - x, y2 - y, z2 - z)), a + b, -a / 2)

typedef struct stars {
    ga_array *m, *at[3], *speed[3]; /* masses, places, velocities */
} stars;

static ga_array *column(ga_array *a) { return ga_index(a, ":, newaxis"); }

static double energy(const stars *s)
{
    ga_array *k = ga_reduce(kinetic, (s->m, s->speed[0], s->speed[1], s->speed[2]));
    ga_array *p = ga_reduce(
        potential, (column(s->at[0]), column(s->at[1]), column(s->at[2]), column(s->m), s->at[0], s->at[1], s->at[2], s->m));
    return ga_item(k) + ga_item(p);
}

/* Velocities after the time dt. */
static void accelerate(stars *s, double dt)
{
    for (int d = 0; d < 3; d++) {
        ga_array *x = s->at[d], *y = s->at[(d + 1) % 3], *z = s->at[(d + 2) % 3];
        ga_array *a = ga_reduce(pull, (column(x), column(y), column(z), s->m, x, y, z), .axis = 1);
        ga_multiply_add(a, dt, s->speed[d], .out = s->speed[d]);
    }
}

int main(int argc, char **argv)
{
    ga_on_error(GA_EXIT); /* an error ends the program, and says why */
    int n = 300, steps = 100;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--stars")) n = atoi(argv[i + 1]);
        if (!strcmp(argv[i], "--steps")) steps = atoi(argv[i + 1]);
        if (!strcmp(argv[i], "--device") && !strcmp(argv[i + 1], "cuda")) ga_set_device(GA_CUDA);
    }
    const double dt = 0.002;
    ga_scope {
        stars s = { ga_full((n), 1.0 / n), { NULL, NULL, NULL }, { NULL, NULL, NULL } };
        for (int d = 0; d < 3; d++) {
            s.at[d]    = ga_random_normal(0, d == 2 ? 0.1 : 1, (n), .seed = (uint64_t)d + 1); /* a flat cloud */
            s.speed[d] = ga_zeros((n));
        }
        ga_multiply(s.at[1], -0.7, .out = s.speed[0]); /* that turns */
        ga_multiply(s.at[0], 0.7, .out = s.speed[1]);
        double before = energy(&s);
        accelerate(&s, dt / 2);
        for (int k = 0; k < steps; k++)
            ga_scope { /* leapfrog */
                for (int d = 0; d < 3; d++) ga_multiply_add(s.speed[d], dt, s.at[d], .out = s.at[d]);
                accelerate(&s, k + 1 < steps ? dt : dt / 2);
            }
        double after = energy(&s);
        printf("%d stars, %d steps: energy %.12g, before %.12g, changed by %.2g of it\n", n, steps, after, before,
               after / before - 1);
    }
    return 0;
}
