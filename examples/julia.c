/*  julia.c -- a Julia set, drawn by a kernel of your own with a loop in it, into out/julia.png.

    cc examples/julia.c -I. -lm -lpthread -o julia && ./julia
    nvcc -x cu -std=c++17 -arch=native -fmad=false examples/julia.c -I. -o julia && ./julia --device cuda                  */
#define GPUARR_STATIC
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include <string.h>
#include <sys/stat.h>

/* How many steps z -> z^2 + c it takes z to leave the circle of radius 2; 200 if it stays. */
GA_ELEMENTWISE(steps, uint8_t, (float x, float y, float c_x, float c_y), {
    int n = 0;
    while (n < 200 && x * x + y * y <= 4) {
        float next = x * x - y * y + c_x;
        y          = 2 * x * y + c_y;
        x          = next;
        n++;
    }
    return (uint8_t)n;
})

int main(int argc, char **argv)
{
    ga_on_error(GA_EXIT); /* an error ends the program, and says why */
    if (argc == 3 && !strcmp(argv[2], "cuda")) ga_set_device(GA_CUDA);
    ga_scope {
        ga_array *x = ga_linspace(-1.6, 1.6, 800, .dtype = GA_F32),
                 *y = ga_reshape(ga_linspace(1, -1, 500, .dtype = GA_F32), (500, 1));
        ga_array *n = ga_apply(steps, (x, y, -0.8f, 0.156f));
        mkdir("out", 0777);
        ga_imsave("out/julia.png", n);
        printf("%lld of %lld points stay, %.0f steps in all\n", (long long)ga_item(ga_count_nonzero(ga_equal(n, 200))),
               (long long)n->size, ga_item(ga_sum(n)));
    }
    return 0;
}
