/*  ways.c -- one program, compiled in each way that the header knows (-DWAY=...): it prints the same in all of them. Whether that is
    right is what the other tests ask; this one is about what a way leaves out, or has in another order.                         */
#define LINKED        1 /* the implementation is in other objects */
#define WHOLE         2
#define STATIC        3
#define PLAIN_FIRST   4 /* a header of the program's own has included gpuarr.h before */
#define KERNELS_FIRST 5 /* and kernels stand before the implementation */

#if WAY == PLAIN_FIRST
#include "gpuarr.h"
#define GPUARR_IMPLEMENTATION
#elif WAY == LINKED || WAY == KERNELS_FIRST
#define GPUARR_KERNELS
#elif WAY == STATIC
#define GPUARR_STATIC
#define GPUARR_IMPLEMENTATION
#else
#define GPUARR_IMPLEMENTATION
#endif
#include "gpuarr.h"

#ifdef GPUARR_USER_TABLE
#define CUBE_AND_2       "cube_and(row, 2)" /* the row's name is known in formulas */
#define ga_cube_and(...) GA_CALL_2(ga_cube_and, __VA_ARGS__)
#else /* the same, as a kernel */
#define CUBE_AND_2        "(row*row*row + 2)"
GA_ELEMENTWISE_T(cube_and, REAL, T, (T x, T y), x *x *x + y)
#define ga_cube_and(x, y) ga_apply(cube_and, (x, y))
#endif
GA_ELEMENTWISE(bell, double, (double x, double width), GA_EXP(-x *x / width))
GA_REDUCTION(dot, double, (double x, double y), double, 0, x *y, a + b, a)
GA_STENCIL(heat, (1, 1), double, (double a),
           GA_AT(0, 0) + a * (GA_AT(-1, 0) + GA_AT(1, 0) + GA_AT(0, -1) + GA_AT(0, 1) - 4 * GA_AT(0, 0)))

#if WAY == KERNELS_FIRST
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#endif

/* The name, the dtype, the shape, and a hash of the elements, or the error. */
static void show(const char *name, ga_array *a)
{
    uint64_t hash = 14695981039346656037u;
    if (!a) {
        printf("%-12s %s\n", name, ga_error());
        ga_clear_error();
        return;
    }
    const unsigned char *bytes = (const unsigned char *)ga_data(a, a->dtype);
    for (int64_t i = 0; i < a->size * ga_itemsize(a->dtype); i++) hash = (hash ^ bytes[i]) * 1099511628211u;
    printf("%-12s %s, %d dimensions, %lld elements, %016llx\n", name, ga_dtype_name(a->dtype), a->ndim, (long long)a->size,
           (unsigned long long)hash);
}

int main(void)
{
    ga_set_error_handler(ga_ignore_error, NULL);
    ga_scope {
        ga_array *x = ga_reshape(ga_linspace(-3, 5, 7000), (70, 100)), *row = ga_arange(0, 100, 1, .dtype = GA_F32);
        ga_array *small = ga_arange(0, 256, 1, .dtype = GA_U8), *z = ga_negative(ga_astype(row, GA_C128));
        show("add", ga_add(x, row));
        show("sin", ga_sin(x));
        show("maximum", ga_maximum(small, 100));
        show("divide", ga_divide(small, 7));
        show("power", ga_power(row, 3));
        show("where", ga_where(ga_greater(x, 0), x, -1));
        show("complex", ga_multiply(z, z));
        show("convert", ga_astype(x, GA_I16));
        show("sum", ga_sum(x, .axis = 1));
        show("mean", ga_mean(small));
        show("std", ga_std(x, .axis = 0));
        show("argmax", ga_argmax(row));
        show("cumsum", ga_cumsum(x, .axis = 0));
        show("sort", ga_sort(ga_sin(row)));
        show("median", ga_median(x, .axis = 1));
        show("matmul", ga_matmul(x, row));
        show("convolve2d", ga_convolve2d(x, ga_ones((3, 3))));
        show("label", ga_label(ga_greater(ga_sin(ga_multiply(x, 9)), 0)));
        show("chunked", ga_compute(ga_mean(ga_random((400, 300), .seed = 7, .chunks = ga_chunks(100, 100)), .axis = 0)));
        show("own row", ga_cube_and(row, 2));
        show("formula", ga_eval(CUBE_AND_2 "*sum(x, axis=0) + sin(x)**2", (x, row)));
        show("own map", ga_apply(bell, (x, 4)));
        show("own fold", ga_reduce(dot, (x, row), .axis = 1));
        show("own stencil", ga_stencil(heat, (x, 0.1), .steps = 10));
        show("a mistake", ga_add(x, ga_ones((3))));
    }
    printf("%lld arrays are left\n", (long long)ga_memory_stats().arrays);
    return 0;
}
