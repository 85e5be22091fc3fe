/*  Conway's Game of Life on a torus: a cell lives on with two or three neighbours, and is born with three. A glider moves by one cell
    along both axes in four steps; a random soup settles, in a picture.
        cc -O2 life.c -lm -lpthread && ./a.out
    Options: --size N (cells along an edge), --out DIR, --device cuda (built as a .cu file).                                   */
#define GPUARR_STATIC
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

GA_STENCIL(life, (1, 1), uint8_t, (void), {
    int n = 0;
    for (int i = -1; i <= 1; i++)
        for (int j = -1; j <= 1; j++) n += GA_AT(i, j);
    return n == 3 || (n == 4 && GA_AT(0, 0));
})

/* Is the glider where it should be, after 4 k steps k cells further down and to the right? */
static bool glide(int64_t n, int64_t k)
{
    bool right = false;
    ga_scope {
        ga_array *glider = ga_zeros((n, n), .dtype = GA_U8);
        ga_copyto(ga_index(glider, "0, 1"), 1);
        ga_copyto(ga_index(glider, "1, 2"), 1);
        ga_copyto(ga_index(glider, "2, :3"), 1);
        ga_array *later = ga_stencil(life, (glider), .border = GA_BORDER_WRAP, .steps = 4 * k);
        ga_array *moved = ga_roll(ga_roll(glider, k, .axis = 0), k, .axis = 1);
        right           = ga_array_equal(later, moved);
        printf("a glider after %lld steps is moved by %lld cells: %s\n", (long long)(4 * k), (long long)k,
               right ? "true" : "false");
    }
    return right;
}

/* A soup of which a third lives, and 100 and 1000 steps later. */
static bool settle(int64_t n, const char *path)
{
    bool written = false;
    ga_scope {
        ga_array *soup  = ga_astype(ga_less(ga_random((n, n), .seed = 1), 1.0 / 3), GA_U8);
        ga_array *later = ga_stencil(life, (soup), .border = GA_BORDER_WRAP, .steps = 100);
        ga_array *last  = ga_stencil(life, (later), .border = GA_BORDER_WRAP, .steps = 900);
        printf("of a soup of %lld^2 cells live %.0f, after 100 steps %.0f, after 1000 steps %.0f\n", (long long)n,
               ga_item(ga_sum(soup)), ga_item(ga_sum(later)), ga_item(ga_sum(last)));
        written = ga_imsave(path, ga_multiply(ga_concatenate((soup, later, last), .axis = 1), 255));
    }
    return written;
}

int main(int argc, char **argv)
{
    ga_on_error(GA_EXIT); /* an error ends the program, and says why */
    int64_t     cells = 256;
    const char *out   = "out";
    char        path[512];
    for (int k = 1; k + 1 < argc; k += 2) {
        if (!strcmp(argv[k], "--size")) cells = strtoll(argv[k + 1], NULL, 10);
        if (!strcmp(argv[k], "--out")) out = argv[k + 1];
        if (!strcmp(argv[k], "--device") && !strcmp(argv[k + 1], "cuda")) ga_set_device(GA_CUDA);
    }
    mkdir(out, 0777);
    snprintf(path, sizeof path, "%s/life.png", out);
    bool right = glide(cells, 3 * cells + 7);
    return settle(cells, path) && right ? 0 : 1;
}
