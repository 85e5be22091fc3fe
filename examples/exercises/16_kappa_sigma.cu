/*  Exercise 16: the kappa-sigma clip, on the device                                          make exercise-16

    You learn   Real work is a chain of steps, and what counts is that the data stays on the GPU from the
                first to the last. Astronomers find the background of an image so: pixels further than 3
                standard deviations from the median are stars, so they are thrown away; then median and
                deviation are computed anew, and so on until no pixel goes any more.
    You write   1. inside: keep[i] = 1 where x[i] lies strictly between low and high, else 0; and count, at
                   the end, how many were kept: every block adds its number to *count once (exercise 13 has
                   three ways; __syncthreads_count(yes) is a fourth).
                2. clip: the loop. No pixel leaves the GPU: only the median, the deviation and the count do.
    Hint        ga_item(ga_median(x)) and ga_item(ga_std(x)) are numbers. ga_empty_like(x, .dtype = GA_BOOL)
                makes keep, and ga_zeros((1), .dtype = GA_I32, .device = GA_CUDA) the count;
                ga_item_int(count) brings it back. ga_compress(keep, x) is the array of those that stay. The
                names low and high are numbers of type float for the kernel, float32 as the pixels are.
    At first    the checker says: "clip kept all 5000 pixels"                                                */
#include "exercise.h"
#include "gpuarr.h"

GA_KERNEL(inside, (const float *x, bool *keep, int *count, int n, float low, float high))
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    /* ---- your code here ---- */
    (void)i, (void)x, (void)keep, (void)count, (void)n, (void)low, (void)high;
    /* ---- end of your code ---- */
}

/* The pixels that stay: a new array, or x itself. */
static ga_array *clip(ga_array *x)
{
    /* ---- your code here ---- */
    /* ---- end of your code ---- */
    return x;
}

/* ---- The rest compares it with the same on the processor. From here on you need not change anything. ---- */

static ga_array *clip_on_cpu(ga_array *x)
{
    for (;;) {
        double    median = ga_item(ga_median(x)), deviation = ga_item(ga_std(x));
        ga_array *keep = ga_logical_and(ga_greater(x, median - 3 * deviation), ga_less(x, median + 3 * deviation));
        ga_array *rest = ga_compress(keep, x);
        if (!rest || rest->size == x->size) return x;
        x = rest;
    }
}

int main()
{
    int n = ex_size(5000, 50000, 1 << 24);
    ga_set_error_handler(ga_ignore_error, NULL); /* what it would print is told below */
    ga_scope {
        /* a sky that is noisy and has stars in it */
        ga_array *image = ga_random_normal(10, 2, (n), .dtype = GA_F32, .seed = 3);
        ga_array *stars = ga_index(image, "::50");
        ga_multiply(stars, 20, .out = stars);
        ga_array *on_gpu = ga_to(image, GA_CUDA), *rest = clip(on_gpu), *expected = clip_on_cpu(image);
        if (ga_error()) ex_wrong("gpuarr says: %s", ga_error());
        else if (!rest) ex_wrong("clip returned no array");
        else if (rest->device != GA_CUDA) ex_wrong("the result should be on the GPU");
        else if (rest->size == n) ex_wrong("clip kept all %d pixels, where %lld should stay", n, (long long)expected->size);
        else if (rest->size != expected->size)
            ex_wrong("clip kept %lld of %d pixels, where %lld should stay", (long long)rest->size, n,
                     (long long)expected->size);
        else if (ex_ran("inside")) {
            ga_array *got  = ga_to(rest, GA_CPU);
            float    *want = (float *)ga_data(expected, GA_F32), *have = (float *)ga_data(got, GA_F32);
            ex_same_values("the rest", std::vector<float>(have, have + got->size), std::vector<float>(want, want + got->size),
                           0, 0);
        }
        ex_time("clip", [&] {
            ga_scope {
                clip(on_gpu);
            }
        });
    }
    return ex_end();
}
