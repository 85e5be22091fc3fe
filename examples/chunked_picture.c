/*  The Dask cells of the NumPy, CuPy and Dask exercise: the work is divided into tiles, and only what is needed is computed.
        cc chunked_picture.c -lm -lpthread && ./a.out --out out
    GA_REPORT=report.html ./a.out shows afterwards what each thread did when.                                               */
#define GPUARR_STATIC
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include <string.h>
#include <sys/stat.h>

int main(int argc, char **argv)
{
    ga_on_error(GA_EXIT); /* an error ends the program, and says why */
    const char *out = argc > 2 && strcmp(argv[1], "--out") == 0 ? argv[2] : "out";
    char        path[4096];
    mkdir(out, 0777);
    ga_scope {
        /* 2 tiles down, 3 across */
        ga_array *yx = ga_mgrid("0:300, 0:600");
        ga_array *y  = ga_chunked(ga_index(yx, "0"), 150, 200);
        ga_array *x  = ga_chunked(ga_index(yx, "1"), 150, 200);

        /* Nothing is computed here: each of these is a recording of the steps. */
        ga_array *r   = ga_eval("sin(((x +  0)/100)**2 + ((y +  0)/100)**2)", (x, y));
        ga_array *g   = ga_eval("sin(((x + 10)/100)**2 + ((y +  0)/100)**2)", (x, y));
        ga_array *b   = ga_eval("sin(((x +  0)/100)**2 + ((y + 25)/100)**2)", (x, y));
        ga_array *rgb = ga_stack((r, g, b), .axis = -1);
        ga_print(rgb);
        snprintf(path, sizeof path, "%s/chunked_picture.svg", out);
        ga_visualize(rgb, path);

        /* mini and maxi are worked out before, both in one pass */
        ga_array *bytes =
            ga_compute(ga_eval("mini = min(rgb); maxi = max(rgb); uint8((255/(maxi - mini))*(rgb - mini))", (rgb)));
        snprintf(path, sizeof path, "%s/chunked_picture.png", out);
        ga_imsave(path, bytes);
        for (int c = 0; c < 3; c++)
            printf("%s%lld",
                   c ? ", " : "sums of red, green, blue: ", (long long)ga_item_int(ga_sum(ga_index(bytes, "..., %d", c))));
        puts("");

        /* A slice computes only what it shows: this array would have two tebibytes. */
        ga_array *huge = ga_random((500000, 500000), .chunks = ga_chunks(0));
        printf("mean of every 500th row and column of 500000 x 500000 random numbers: %.4f\n",
               ga_item(ga_compute(ga_mean(ga_index(huge, "::500, ::500")))));
    }
    return 0;
}
