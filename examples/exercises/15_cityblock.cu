/*  Exercise 15: a matrix of distances                                                        make exercise-15

    You learn   The result of a kernel can have two dimensions where its inputs have one each: here the
                distance of each of n points from each of m others. gpuarr brings arrays to the GPU and back,
                knows their shapes, and launches your kernel with its checks: ga_launch stands for <<< >>>,
                and an array stands for its pointer.
    You write   1. cityblock: d[i][j] = |x[i][0] - y[j][0]| + |x[i][1] - y[j][1]| + ... , one thread for each
                   pair (i, j). Each point has f coordinates; the arrays are packed, row after row.
                2. distances: makes the array of the result on the GPU, and launches the kernel.
    Hint        ga_empty((n, m), .dtype = GA_F32, .device = GA_CUDA) makes it. ga_launch(cityblock, grid,
                block, (x, y, d, n, m, f)); grid and block may be dim3(...), and ga_blocks(n, 16) is how many
                blocks of 16 it takes for n. Neighbouring threads should write neighbouring elements (exercise
                06). Who wants more: tiles of x and y in shared memory (exercise 07).
    At first    the checker says: "distances returned no array"                                              */
#include "exercise.h"
#include "gpuarr.h"

GA_KERNEL(cityblock, (const float *x, const float *y, float *d, int n, int m, int f))
{
    /* ---- your code here ---- */
    (void)x, (void)y, (void)d, (void)n, (void)m, (void)f;
    /* ---- end of your code ---- */
}

static ga_array *distances(const ga_array *x, const ga_array *y)
{
    int       n = (int)x->shape[0], m = (int)y->shape[0], f = (int)x->shape[1];
    ga_array *d = NULL;
    /* ---- your code here ---- */
    (void)n, (void)m, (void)f;
    /* ---- end of your code ---- */
    return d;
}

/* ---- The rest compares it with gpuarr's own. From here on you need not change anything. ---- */

int main()
{
    int n = ex_size(50, 300, 8000), m = ex_size(70, 500, 8000), f = ex_size(5, 16, 32);
    ga_set_error_handler(ga_ignore_error, NULL); /* what it would print is told below */
    ga_scope {
        ga_array *x = ga_random((n, f), .dtype = GA_F32, .seed = 1), *y = ga_random((m, f), .dtype = GA_F32, .seed = 2);
        ga_array *x_gpu = ga_to(x, GA_CUDA), *y_gpu = ga_to(y, GA_CUDA), *d = distances(x_gpu, y_gpu);
        if (!d) ex_wrong("distances returned no array");
        else if (d->device != GA_CUDA || d->dtype != GA_F32 || d->ndim != 2 || d->shape[0] != n || d->shape[1] != m)
            ex_wrong("the result should be a float32 array of shape (%d, %d) on the GPU", n, m);
        if (ga_error()) ex_wrong("gpuarr says: %s", ga_error());
        if (!ex_failures && ex_ran("cityblock")) {
            ga_array *expected = ga_cdist(x, y, .metric = GA_CITYBLOCK), *got = ga_to(d, GA_CPU);
            float    *want = (float *)ga_data(expected, GA_F32), *have = (float *)ga_data(got, GA_F32);
            ex_same_values("d", std::vector<float>(have, have + n * m), std::vector<float>(want, want + n * m), 1e-5, m);
        }
        ex_time("distances", [&] { ga_free(distances(x_gpu, y_gpu)); });
        ex_time("ga_cdist", [&] { ga_free(ga_cdist(x_gpu, y_gpu, .metric = GA_CITYBLOCK)); });
    }
    return ex_end();
}
