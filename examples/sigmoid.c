/*  sigmoid.c -- 1 / (1 + exp(-x)) of ten million numbers: four calls, each of which goes through memory, and one kernel of your own
    that goes through it once. The results have the same bits.

    cc examples/sigmoid.c -I. -lm -lpthread -o sigmoid && ./sigmoid
    nvcc -x cu -std=c++17 -arch=native -fmad=false examples/sigmoid.c -I. -o sigmoid && ./sigmoid --device cuda            */
#define GPUARR_STATIC
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include <string.h>

GA_ELEMENTWISE_T(sigmoid, FLT, T, (T x), 1 / (1 + GA_EXP(-x)))

static void unfused(void *x) { ga_reciprocal(ga_add(ga_exp(ga_negative((ga_array *)x)), 1)); }
static void fused(void *x) { ga_apply(sigmoid, ((ga_array *)x)); }

int main(int argc, char **argv)
{
    ga_on_error(GA_EXIT); /* an error ends the program, and says why */
    if (argc == 3 && !strcmp(argv[2], "cuda")) ga_set_device(GA_CUDA);
    ga_scope {
        ga_array *x = ga_linspace(-20, 20, 10000000, .dtype = GA_F32);
        ga_array *a = ga_reciprocal(ga_add(ga_exp(ga_negative(x)), 1)), *b = ga_apply(sigmoid, (x));
        printf("the same bits: %s; the sum is %.1f\n", ga_array_equal(a, b) ? "yes" : "no", ga_item(ga_sum(b)));
        double calls  = ga_benchmark(unfused, x, .max_seconds = 0.5, .quiet = true).cpu.min;
        double kernel = ga_benchmark(fused, x, .max_seconds = 0.5, .quiet = true).cpu.min;
        printf("four calls %.1f ms, one kernel %.1f ms: %.1f times as fast\n", 1e3 * calls, 1e3 * kernel, calls / kernel);
    }
    return 0;
}
