/*  Exercise 14: an elementwise kernel with gpuarr                                            make exercise-14

    You learn   Most kernels do the same with each element: index, bounds, loop, launch, again and again.
                GA_ELEMENTWISE takes the formula alone and makes the rest of it, for GPU and processor from
                the same text, with the same bits. And one pass over the data costs a quarter of four: every
                call of the library reads all of its input and writes all of its result.
    You write   magnitude: how bright a star is, in the astronomers' way. It is zero - 2.5 * log10(flux) where
                the flux is above 0, and 99 elsewhere. The formula gives a float for two floats. Then
                magnitudes, which applies it to an array and a number.
    Hint        condition ? a : b is an expression. The logarithm is called GA_LOG10 in formulas, and floats
                are written with an f: 2.5f. ga_apply(kernel, (a, b)) applies a kernel to arrays and numbers,
                and returns a new array.
    At first    the checker says: "magnitudes returned no array"                                             */
#include "exercise.h"
#define GPUARR_KERNELS
#include "gpuarr.h"

/* ---- your code here ---- */
GA_ELEMENTWISE(magnitude, float, (float flux, float zero), flux + zero)
/* ---- end of your code ---- */

static ga_array *magnitudes(const ga_array *flux, float zero)
{
    /* ---- your code here ---- */
    (void)flux, (void)zero;
    return NULL;
    /* ---- end of your code ---- */
}

/* ---- The rest compares it with calls of the library, on both devices. From here on you need not change anything. ---- */

static ga_array *magnitudes_by_calls(const ga_array *flux, float zero)
{
    ga_array *all = ga_subtract(zero, ga_multiply(2.5f, ga_log10(ga_maximum(flux, 1e-30f))));
    return ga_where(ga_greater(flux, 0), all, ga_full_like(flux, 99));
}

static void try_device(const char *name, const ga_array *flux, const ga_array *expected)
{
    ga_array *m = magnitudes(flux, 25);
    if (!m) ex_wrong("magnitudes returned no array");
    else if (m->device != flux->device || m->dtype != GA_F32 || m->size != flux->size)
        ex_wrong("the result should be float32, as long as flux, and lie where flux lies");
    else {
        ga_array *got  = ga_to(m, GA_CPU);
        float    *want = (float *)ga_data(expected, GA_F32), *have = (float *)ga_data(got, GA_F32);
        if (!ex_same_values("magnitudes", std::vector<float>(have, have + m->size), std::vector<float>(want, want + m->size), 0,
                            0))
            printf("       (on the %s; flux[0] is %g)\n", name, ga_item_at(flux, 0));
    }
}

int main()
{
    int n = ex_size(3000, 1000000, 1 << 26);
    ga_set_error_handler(ga_ignore_error, NULL); /* what it would print is told below */
    ga_scope {
        ga_array *flux = ga_subtract(ga_random((n), .dtype = GA_F32, .seed = 4), 0.1f), *on_gpu = ga_to(flux, GA_CUDA);
        ga_array *expected = magnitudes_by_calls(flux, 25);
        try_device("GPU", on_gpu, expected);
        if (!ex_failures) try_device("processor", flux, expected);
        if (ga_error()) ex_wrong("gpuarr says: %s", ga_error());
        ex_time("magnitudes", [&] { ga_free(magnitudes(on_gpu, 25)); });
        ex_time("six calls of the library", [&] { ga_scope { magnitudes_by_calls(on_gpu, 25); } });
    }
    return ex_end();
}
