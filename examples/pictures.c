/*  The five pictures of the NumPy, CuPy and Dask exercise, in C:   cc pictures.c -lm -lpthread && ./a.out --out out
    Each line of arithmetic is a line of the notebook, read from the inside out. Options: --out DIR, --device cpu|cuda.     */
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

static ga_array *bell(int column, int row) /* exp(0 - (x - column)**2 / 100**2 - (y - row)**2 / 100**2) */
{
    ga_array *dx2 = ga_divide(ga_square(ga_subtract(x, column)), 100 * 100);
    ga_array *dy2 = ga_divide(ga_square(ga_subtract(y, row)), 100 * 100);
    return ga_exp(ga_subtract(ga_subtract(0, dx2), dy2));
}

static ga_array *gauss(void)
{
    ga_array *rgb = ga_zeros((300, 600, 3));
    ga_copyto(ga_index(rgb, ":, :, 0"), bell(300, 100));
    ga_copyto(ga_index(rgb, ":, :, 1"), bell(200, 200));
    ga_copyto(ga_index(rgb, ":, :, 2"), bell(400, 200));
    return rgb;
}

static ga_array *rings(int right, int down) /* sin(((x + right) / 100)**2 + ((y + down) / 100)**2) */
{
    return ga_sin(ga_add(ga_square(ga_divide(ga_add(x, right), 100)), ga_square(ga_divide(ga_add(y, down), 100))));
}

static ga_array *sine(void)
{
    ga_array *rgb = ga_zeros((300, 600, 3));
    ga_copyto(ga_index(rgb, "20:220, 20:520, 0"), ga_index(rings(0, 0), "20:220, 20:520"));
    ga_copyto(ga_index(rgb, "50:250, 80:580, 1"), ga_index(rings(10, 0), "50:250, 80:580"));
    ga_copyto(ga_index(rgb, "80:280, 50:550, 2"), ga_index(rings(0, 25), "80:280, 50:550"));
    return rgb;
}

static ga_array *stripes(int right, int down) /* sin((x + right) / 50)**2 + cos((y + down) / 50)**2 */
{
    return ga_add(ga_square(ga_sin(ga_divide(ga_add(x, right), 50))), ga_square(ga_cos(ga_divide(ga_add(y, down), 50))));
}

static ga_array *plaid(void)
{
    ga_array *rgb = ga_zeros((300, 600, 3));
    ga_copyto(ga_index(rgb, ":, :, 0"), stripes(0, 0));
    ga_copyto(ga_index(rgb, ":, :, 1"), stripes(25, 0));
    ga_copyto(ga_index(rgb, ":, :, 2"), stripes(0, 25));
    return ga_copyto(rgb, ga_sqrt(rgb), .where = ga_greater(rgb, 1.3)); /* rgb[rgb > 1.3] = sqrt(rgb[rgb > 1.3]) */
}

static ga_array *dask(void) { return ga_stack((rings(0, 0), rings(10, 0), rings(0, 25)), .axis = -1); }

/* Writes DIR/NAME.png and prints the sum of each channel and the CRC-32 of all bytes, to be compared with NumPy's. */
static bool save(const char *dir, const char *name, const ga_array *rgb)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.png", dir, name);
    double    min = ga_item(ga_min(rgb)), max = ga_item(ga_max(rgb)); /* from min ... max to bytes, as ga_imsave does it */
    ga_array *bytes = ga_to(ga_astype(ga_multiply(255 / (max - min), ga_subtract(rgb, min)), GA_U8), GA_CPU);
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
