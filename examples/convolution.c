/*  The convolution of the lesson on GPU programming: an image of points is blurred with a Gaussian, on the CPU and on the GPU.
        cc convolution.c -lm -lpthread && ./a.out
        nvcc -x cu -std=c++17 -arch=native convolution.c && ./a.out --device cuda
    Options: --device cpu|cuda, --out DIR, --size N (rows and columns of the image, a multiple of 16).                         */
#define GPUARR_STATIC
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { UNIT = 16, KERNEL = 15 }; /* one point in each 16 x 16 pixels, and a kernel of 15 x 15 */

typedef struct lesson {
    ga_array *deltas, *gauss;       /* the image and the kernel */
    ga_array *deltas_1d, *gauss_1d; /* row after row, and the diagonal */
} lesson;

static lesson prepare(int64_t size)
{
    lesson    l;
    ga_array *primary_unit = ga_zeros((UNIT, UNIT)), *x, *y;
    ga_copyto(ga_index(primary_unit, "8, 8"), 1);
    l.deltas = ga_tile(primary_unit, (size / UNIT, size / UNIT));

    ga_array *line = ga_linspace(-2, 2, KERNEL);
    ga_meshgrid(line, line, &x, &y, false);
    double    sigma = 1, muu = 0;
    ga_array *dst = ga_eval("sqrt(x*x + y*y)", (x, y));
    l.gauss       = ga_eval("exp(-((dst - muu)**2 / (2.0 * sigma**2)))", (dst, muu, sigma));

    l.deltas_1d = ga_ravel(l.deltas);
    l.gauss_1d  = ga_copy(ga_diagonal(l.gauss, 0));
    return l;
}

static lesson to_gpu(lesson l)
{
    lesson gpu = { ga_to(l.deltas, GA_CUDA), ga_to(l.gauss, GA_CUDA), ga_to(l.deltas_1d, GA_CUDA), ga_to(l.gauss_1d, GA_CUDA) };
    return gpu;
}

/* The largest difference to the definition, which is four loops, in the top left corner of a full convolution. */
static double check(lesson l, const ga_array *convolved)
{
    const double *image = (const double *)ga_data(l.deltas, GA_F64), *kernel = (const double *)ga_data(l.gauss, GA_F64);
    double        worst = 0;
    for (int64_t row = 0; row < 100 && row < convolved->shape[0]; row++)
        for (int64_t column = 0; column < 100 && column < convolved->shape[1]; column++) {
            double sum = 0;
            for (int64_t i = 0; i < KERNEL; i++)
                for (int64_t j = 0; j < KERNEL; j++) {
                    int64_t y = row - i, x = column - j;
                    if (y < 0 || y >= l.deltas->shape[0] || x < 0 || x >= l.deltas->shape[1]) continue;
                    sum += kernel[i * KERNEL + j] * image[y * l.deltas->shape[1] + x];
                }
            worst = fmax(worst, fabs(sum - ga_item_at(convolved, row, column)));
        }
    return worst;
}

/* ---- what is timed --------------------------------------------------------------------------------------------------- */

static void convolve_2d(void *user)
{
    const lesson *l = (const lesson *)user;
    ga_convolve2d(l->deltas, l->gauss);
}

static void convolve_1d(void *user)
{
    const lesson *l = (const lesson *)user;
    ga_convolve(l->deltas_1d, l->gauss_1d);
}

static void transfer_compute_transferback(void *user)
{
    const lesson *l         = (const lesson *)user;
    ga_array     *convolved = ga_convolve2d(ga_to(l->deltas, GA_CUDA), ga_to(l->gauss, GA_CUDA));
    ga_to(convolved, GA_CPU);
}

/* Milliseconds of the best of five calls; on the GPU until it has done what the call asked for. */
static double best_of_5(const char *what, void (*f)(void *), lesson l)
{
    ga_benchmark_result r  = ga_benchmark(f, &l, .repeat = 5, .warmup = 1, .max_seconds = 60, .quiet = true);
    double              ms = 1e3 * fmax(r.cpu.min, r.device.min);
    printf("%-44s best of %d: %10.4g ms per loop\n", what, r.repeats, ms);
    return ms;
}

static void draw(const char *out, const char *name, const ga_array *a)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.png", out, name);
    ga_imshow(path, a, .colorbar = true, .scale = 12, .title = name);
}

int main(int argc, char **argv)
{
    ga_on_error(GA_EXIT); /* an error ends the program, and says why */
    const char *out = "out", *device = "cpu";
    int64_t     size = 2048;
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 < argc && !strcmp(argv[i], "--out")) out = argv[i + 1];
        else if (i + 1 < argc && !strcmp(argv[i], "--device")) device = argv[i + 1];
        else if (i + 1 < argc && !strcmp(argv[i], "--size")) size = atoll(argv[i + 1]);
        else size = 0;
    }
    if (size < 2 * UNIT || size > 30000 || size % UNIT)
        return fputs("usage: convolution [--device cpu|cuda] [--out DIR] [--size N]\n", stderr), 2;
    bool gpu = !strcmp(device, "cuda") && ga_cuda_count() > 0;
    if (!strcmp(device, "cuda") && !gpu) printf("There is no GPU for this program: what follows is the CPU's part.\n");

    ga_scope {
        lesson    cpu       = prepare(size);
        ga_array *convolved = ga_convolve2d(cpu.deltas, cpu.gauss), *convolved_1d = ga_convolve(cpu.deltas_1d, cpu.gauss_1d);
        mkdir(out, 0777);
        draw(out, "deltas", ga_index(cpu.deltas, "0:32, 0:32"));
        draw(out, "gauss", cpu.gauss);
        draw(out, "convolved", ga_index(convolved, "0:32, 0:32"));
        printf("the image                 (%lld, %lld), %s/deltas.png\n", (long long)size, (long long)size, out);
        printf("convolved                 (%lld, %lld), %s/convolved.png, sum %.10g\n", (long long)convolved->shape[0],
               (long long)convolved->shape[1], out, ga_item(ga_sum(convolved)));
        printf("in one dimension          (%lld,), sum %.10g\n", (long long)convolved_1d->size, ga_item(ga_sum(convolved_1d)));
        printf("against the definition    largest difference %g\n", check(cpu, convolved));

        double ms_2d = best_of_5("convolve2d on the CPU", convolve_2d, cpu);
        double ms_1d = best_of_5("convolve, one dimension, on the CPU", convolve_1d, cpu);
        if (gpu) {
            lesson    there    = to_gpu(cpu);
            ga_array *other    = ga_convolve2d(there.deltas, there.gauss),
                     *other_1d = ga_convolve(there.deltas_1d, there.gauss_1d);
            bool   same        = ga_array_equal(convolved, other) && ga_array_equal(convolved_1d, other_1d);
            double gpu_2d      = best_of_5("convolve2d on the GPU", convolve_2d, there);
            double both        = best_of_5("transfer, convolve2d, transfer back", transfer_compute_transferback, cpu);
            double gpu_1d      = best_of_5("convolve, one dimension, on the GPU", convolve_1d, there);
            printf("\nspeedup of convolve2d     %.4g ms / %.4g ms = %.3g\n", ms_2d, gpu_2d, ms_2d / gpu_2d);
            printf("with the transfers        %.4g ms / %.4g ms = %.3g\n", ms_2d, both, ms_2d / both);
            printf("in one dimension          %.4g ms / %.4g ms = %.3g\n", ms_1d, gpu_1d, ms_1d / gpu_1d);
            printf("the same on both          %s\n", same ? "true" : "false");
            if (strstr(ga_cuda_properties(0).name, "cudasim"))
                printf("The GPU is cudasim's, a simulation on the CPU: its times say nothing about a GPU.\n");
        }
    }
    return 0;
}
