/*  The first program:   cc first.c -lm -lpthread && ./a.out   */
#define GPUARR_STATIC /* a program of one file: what it does not use is not compiled */
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"

int main(void)
{
    ga_on_error(GA_EXIT); /* an error ends the program, and says why */
    /* what is made in a scope is released at its end */
    ga_scope {
        ga_array *x    = ga_linspace(-3, 3, 600);                         /* 600 numbers, a row */
        ga_array *y    = ga_index(ga_linspace(-2, 2, 400), ":, newaxis"); /* 400 numbers as a column */
        ga_array *r    = ga_hypot(x, y);                                  /* broadcast: 400 x 600 */
        ga_array *wave = ga_eval("cos(8*r) * exp(-r)", (r));              /* a formula, in one pass over memory */
        ga_array *left = ga_index(wave, ":, :300");                       /* a view: shares the memory of wave */
        ga_negative(left, .out = left);                                   /* so this changes wave */
        ga_print(ga_index(wave, "::100, ::100"), .precision = 3);         /* every 100th row and column */
        printf("largest %.3f, standard deviation %.3f\n", ga_item(ga_max(wave)), ga_item(ga_std(wave)));
        ga_imshow("first.png", wave, .cmap = "RdBu_r", .vmin = -1, .vmax = 1, .colorbar = true, .title = "a wave");
    }
    return 0;
}
