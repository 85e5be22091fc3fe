/*  The five pictures of the NumPy, CuPy and Dask exercise, in C:   cc pictures.c -lm -lpthread && ./a.out --out out
    The arithmetic is that of the notebook, letter by letter: formulas. Options: --out DIR, --device cpu|cuda.              */
#define GPUARR_STATIC
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include <string.h>
#include <sys/stat.h>

static ga_array *y, *x; /* the row and the column of every pixel: y, x = numpy.mgrid[0:300, 0:600] */

static ga_array *flag(void) /* what do you think it will be? */
{
    ga_array *rgb = ga_zeros((9, 18, 3));
    ga_copyto(ga_index(rgb, ":4, :9, 2"), 1);
    ga_copyto(ga_index(rgb, "4:, :, :"), 1);
    ga_copyto(ga_index(rgb, ":, 9:, :"), 1);
    ga_copyto(ga_index(rgb, "::2, :, 1:"), 0);
    return rgb;
}

static ga_array *gauss(void)
{
    ga_array *rgb = ga_zeros((300, 600, 3));
    ga_eval("exp(0 - (x - 300)**2/100**2 - (y - 100)**2/100**2)", (x, y), .out = ga_index(rgb, ":, :, 0"));
    ga_eval("exp(0 - (x - 200)**2/100**2 - (y - 200)**2/100**2)", (x, y), .out = ga_index(rgb, ":, :, 1"));
    ga_eval("exp(0 - (x - 400)**2/100**2 - (y - 200)**2/100**2)", (x, y), .out = ga_index(rgb, ":, :, 2"));
    return rgb;
}

static ga_array *sine(void)
{
    ga_array *rgb = ga_zeros((300, 600, 3));
    ga_eval("(sin(((x +  0)/100)**2 + ((y +  0)/100)**2))[20:220, 20:520]", (x, y), .out = ga_index(rgb, "20:220, 20:520, 0"));
    ga_eval("(sin(((x + 10)/100)**2 + ((y +  0)/100)**2))[50:250, 80:580]", (x, y), .out = ga_index(rgb, "50:250, 80:580, 1"));
    ga_eval("(sin(((x +  0)/100)**2 + ((y + 25)/100)**2))[80:280, 50:550]", (x, y), .out = ga_index(rgb, "80:280, 50:550, 2"));
    return rgb;
}

static ga_array *plaid(void)
{
    ga_array *rgb = ga_zeros((300, 600, 3));
    ga_eval("sin((x +  0)/50)**2 + cos((y +  0)/50)**2", (x, y), .out = ga_index(rgb, ":, :, 0"));
    ga_eval("sin((x + 25)/50)**2 + cos((y +  0)/50)**2", (x, y), .out = ga_index(rgb, ":, :, 1"));
    ga_eval("sin((x +  0)/50)**2 + cos((y + 25)/50)**2", (x, y), .out = ga_index(rgb, ":, :, 2"));
    return ga_eval("where(rgb > 1.3, sqrt(rgb), rgb)", (rgb), .out = rgb); /* rgb[rgb > 1.3] = sqrt(rgb[rgb > 1.3]) */
}

static ga_array *dask(void)
{
    ga_array *r = ga_eval("sin(((x +  0)/100)**2 + ((y +  0)/100)**2)", (x, y));
    ga_array *g = ga_eval("sin(((x + 10)/100)**2 + ((y +  0)/100)**2)", (x, y));
    ga_array *b = ga_eval("sin(((x +  0)/100)**2 + ((y + 25)/100)**2)", (x, y));
    return ga_stack((r, g, b), .axis = -1);
}

/* Writes DIR/NAME.png and prints the sum of each channel and the CRC-32 of all bytes, to be compared with NumPy's. */
static bool save(const char *dir, const char *name, const ga_array *rgb)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.png", dir, name);
    double    mini = ga_item(ga_min(rgb)), maxi = ga_item(ga_max(rgb)); /* from mini ... maxi to bytes, as ga_imsave does it */
    ga_array *bytes = ga_to(ga_eval("uint8((255/(maxi - mini))*(rgb - mini))", (rgb, mini, maxi)), GA_CPU);
    ga_array *sums  = ga_sum(bytes, .axes = ga_axes(0, 1));
    if (!ga_imsave(path, rgb) || !sums) return false;
    const uint8_t *p   = (const uint8_t *)ga_data(bytes, GA_U8);
    uint32_t       crc = ~0u;
    for (int64_t bit = 0; bit < 8 * bytes->size; bit++) {
        crc ^= p[bit / 8] >> bit % 8 & 1;
        crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
    }
    printf("%-15s %3d x %3d   channel sums %8.0f %8.0f %8.0f   crc32 %08x\n", path, (int)rgb->shape[0], (int)rgb->shape[1],
           ga_item_at(sums, 0), ga_item_at(sums, 1), ga_item_at(sums, 2), ~crc);
    return true;
}

int main(int argc, char **argv)
{
    ga_on_error(GA_EXIT); /* an error ends the program, and says why */
    const char *out = "out";
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 < argc && !strcmp(argv[i], "--out")) out = argv[i + 1];
        else if (i + 1 < argc && !strcmp(argv[i], "--device")) ga_set_device(strcmp(argv[i + 1], "cuda") ? GA_CPU : GA_CUDA);
        else return fputs("usage: pictures [--out DIR] [--device cpu|cuda]\n", stderr), 2;
    }
    mkdir(out, 0777);
    ga_scope {
        ga_array *yx = ga_mgrid("0:300, 0:600");
        y            = ga_index(yx, "0");
        x            = ga_index(yx, "1");
        save(out, "flag", flag());
        save(out, "gauss", gauss());
        save(out, "sin", sine());
        save(out, "plaid", plaid());
        save(out, "dask", dask());
    }
    return 0;
}
