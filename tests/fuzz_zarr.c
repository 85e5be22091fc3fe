/* libFuzzer target: what ga_open takes from .zarray files, chunks (plain, zlib, gzip) and .npy files.
   clang -g -O1 -fsanitize=fuzzer,address,undefined -I. tests/fuzz_zarr.c -o build/fuzz_zarr -lm -lpthread
   build/fuzz_zarr -max_total_time=20 build/corpus/zarr   (an empty folder gets a few valid inputs) */
#include "fuzz.h"

/* An input: the text of .zarray, a zero byte, the bytes of a chunk. */
#define ZARRAY(dtype, order, packed, fill)                                                                                     \
    "{\"zarr_format\": 2, \"shape\": [5, 3], \"chunks\": [2, 4], \"dtype\": \"" dtype "\", \"order\": \"" order                \
    "\", \"compressor\": " packed ", \"fill_value\": " fill ", \"filters\": null, \"dimension_separator\": \".\"}"
static const char plain[] = ZARRAY("<f4", "C", "null", "\"NaN\"") "\0001234567890123456789012345678901";
static const char other[] = ZARRAY(">i2", "F", "null", "-3") "\0001234567890123456";
static const char zlib[]  = ZARRAY("|u1", "C", "{\"id\": \"zlib\", \"level\": 1}",
                                   "7") "\0\x78\x01\x63\x64\x62\x66\x61\x65\x63\x67\x00\x00\x00\x78\x00\x1d";
static const char gzip[] =
    ZARRAY("|b1", "C", "{\"id\": \"gzip\", \"level\": 1}", "true") "\0\x1f\x8b\x08\x00\x00\x00\x00\x00\x04\x03\x63\x64\x62\x66"
                                                                   "\x61\x65\x63\x67\x00\x00\xf7\x00\x11\x31\x08\x00\x00\x00";
static const char npy[] = "\x93NUMPY\x01\x00\x3C\x00{'descr': '>i2', 'fortran_order': True, 'shape': (2, 2), }     \n12345678";

static char folder[] = "/tmp/gpuarr-fuzz-XXXXXX";

static void write_seeds(const char *dir)
{
    fuzz_write(dir, "plain", plain, sizeof plain - 1);
    fuzz_write(dir, "other", other, sizeof other - 1);
    fuzz_write(dir, "zlib", zlib, sizeof zlib - 1);
    fuzz_write(dir, "gzip", gzip, sizeof gzip - 1);
    fuzz_write(dir, "npy", npy, sizeof npy - 1);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    fuzz_seed(*argc, *argv, write_seeds);
    if (!mkdtemp(folder)) exit(1);
    fuzz_begin();
    return 0;
}

/* What can be opened is a chunked array, whose first elements are there, or a sentence says why not. */
static void judge(ga_array *a)
{
    char index[200] = "";
    if (!a != !!ga_error()) abort();
    for (int d = 0; a && d < a->ndim; d++) strcat(index, d ? ", :6" : ":6");
    ga_array *part = !a ? NULL : a->ndim > 0 ? ga_index(a, "%s", index) : ga_view(a), *r = part ? ga_compute(part) : NULL;
    fuzz_judge(r);
    if (r) fuzz_read(r);
    ga_free(r);
    ga_free(part);
    ga_free(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const char *const chunks[] = { "0", "0.0", "0.0.0", "1.0", "1" };
    char                     path[100];
    ga_clear_error();
    if (n > 0 && data[0] == 0x93) {
        fuzz_write(folder, "a.npy", data, n);
        snprintf(path, sizeof path, "%s/a.npy", folder);
        judge(ga_open(path));
    } else {
        const uint8_t *end  = n > 0 ? (const uint8_t *)memchr(data, 0, n) : NULL;
        size_t         text = end ? (size_t)(end - data) : n, rest = end ? n - text - 1 : 0;
        fuzz_write(folder, ".zarray", data, text);
        for (int k = 0; k < 5; k++) fuzz_write(folder, chunks[k], end ? end + 1 : data, rest);
        judge(ga_open(folder));
    }
    fuzz_nothing_is_left();
    return 0;
}
