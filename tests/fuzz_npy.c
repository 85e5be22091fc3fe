/* libFuzzer target: what is read from .npy and .npz files, and the inflater on its own.
   clang -g -O1 -fsanitize=fuzzer,address,undefined -I. tests/fuzz_npy.c -o build/fuzz_npy -lm -lpthread
   build/fuzz_npy -max_total_time=20 build/corpus/npy   (an empty folder gets a few valid files) */
#include "fuzz.h"

/* Written by NumPy's savez_compressed and by zlib. */
/* clang-format off */
static const unsigned char deflated_npz[] = {
    80, 75, 3, 4, 45, 0, 0, 0, 8, 0, 0, 0, 33, 0, 43, 49, 28, 238, 255, 255, 255, 255, 255, 255,
    255, 255, 5, 0, 20, 0, 120, 46, 110, 112, 121, 1, 0, 16, 0, 208, 0, 0, 0, 0, 0, 0, 0, 139,
    0, 0, 0, 0, 0, 0, 0, 157, 200, 203, 10, 1, 81, 0, 128, 225, 127, 220, 141, 251, 253, 206, 113, 61,
    212, 172, 148, 146, 172, 237, 200, 198, 194, 74, 147, 57, 162, 100, 116, 70, 54, 242, 20, 94, 216, 120, 5, 255,
    238, 255, 62, 155, 221, 122, 187, 55, 120, 242, 146, 142, 242, 142, 90, 46, 132, 92, 94, 166, 210, 18, 242, 228,
    234, 135, 182, 111, 7, 87, 59, 234, 231, 43, 251, 234, 41, 223, 189, 179, 125, 87, 254, 143, 103, 150, 152, 79,
    44, 241, 22, 127, 103, 130, 65, 128, 32, 33, 194, 68, 136, 18, 35, 142, 73, 130, 36, 41, 210, 100, 200, 146,
    35, 79, 129, 34, 37, 202, 84, 168, 82, 163, 78, 131, 38, 45, 218, 116, 16, 116, 233, 209, 103, 192, 144, 17,
    146, 47, 80, 75, 3, 4, 45, 0, 0, 0, 8, 0, 0, 0, 33, 0, 238, 25, 187, 93, 255, 255, 255, 255,
    255, 255, 255, 255, 5, 0, 20, 0, 121, 46, 110, 112, 121, 1, 0, 16, 0, 130, 0, 0, 0, 0, 0, 0,
    0, 70, 0, 0, 0, 0, 0, 0, 0, 155, 236, 23, 234, 27, 16, 201, 200, 80, 198, 80, 173, 158, 146, 90,
    156, 92, 164, 110, 165, 160, 94, 147, 100, 168, 174, 163, 160, 158, 150, 95, 84, 82, 148, 152, 23, 159, 95, 148,
    146, 10, 18, 119, 75, 204, 41, 78, 5, 138, 23, 103, 36, 22, 164, 2, 249, 26, 70, 58, 154, 58, 10, 181,
    10, 20, 0, 46, 70, 6, 0, 80, 75, 1, 2, 45, 3, 45, 0, 0, 0, 8, 0, 0, 0, 33, 0, 43,
    49, 28, 238, 139, 0, 0, 0, 208, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 128,
    1, 0, 0, 0, 0, 120, 46, 110, 112, 121, 80, 75, 1, 2, 45, 3, 45, 0, 0, 0, 8, 0, 0, 0,
    33, 0, 238, 25, 187, 93, 70, 0, 0, 0, 130, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 128, 1, 194, 0, 0, 0, 121, 46, 110, 112, 121, 80, 75, 5, 6, 0, 0, 0, 0, 2, 0, 2,
    0, 102, 0, 0, 0, 63, 1, 0, 0, 0, 0,
};
static const unsigned char dynamic_deflate[] = {
    205, 143, 73, 110, 4, 49, 12, 3, 37, 107, 179, 173, 245, 255, 175, 77, 55, 50, 135, 201, 15, 114, 37, 136,
    34, 11, 144, 207, 236, 213, 153, 189, 246, 28, 22, 150, 157, 20, 87, 153, 181, 200, 153, 96, 192, 98, 245, 17,
    179, 3, 90, 174, 164, 86, 43, 101, 166, 144, 28, 66, 24, 89, 130, 221, 16, 137, 78, 42, 250, 245, 219, 114,
    25, 220, 19, 214, 165, 14, 219, 62, 234, 130, 51, 40, 214, 251, 69, 210, 110, 195, 138, 40, 252, 10, 126, 27,
    174, 227, 219, 162, 233, 46, 72, 119, 224, 43, 253, 32, 29, 53, 15, 17, 162, 57, 127, 70, 193, 9, 107, 70,
    114, 149, 61, 183, 188, 20, 142, 153, 156, 94, 97, 47, 146, 157, 234, 245, 184, 65, 185, 31, 177, 191, 166, 8,
    255, 81, 253, 7,
};
static const unsigned char fixed_deflate[] = {
    75, 76, 74, 78, 68, 69, 58, 10, 16, 26, 0,
};
/* clang-format on */

static void write_seeds(const char *dir)
{
    char path[500];
    ga_scope {
        for (int d = GA_BOOL; d < GA_BF16; d++) {
            snprintf(path, sizeof path, "%s/%s.npy", dir, ga_dtype_name((ga_dtype)d));
            ga_save(path, ga_ones((2, 3), .dtype = (ga_dtype)d));
        }
        snprintf(path, sizeof path, "%s/scalar.npy", dir);
        ga_save(path, ga_scalar(1.5));
        snprintf(path, sizeof path, "%s/empty.npy", dir);
        ga_save(path, ga_zeros((0, 3)));
        const char     *names[2]  = { "x", "long name" };
        const ga_array *arrays[2] = { ga_ones((2)), ga_ones((3, 1), .dtype = GA_U8) };
        snprintf(path, sizeof path, "%s/two.npz", dir);
        ga_savez(path, 2, names, arrays);
    }
    static const char fortran[] =
        "\x93NUMPY\x01\x00\x3C\x00{'descr': '>i2', 'fortran_order': True, 'shape': (2, 2), }     \n12345678";
    static const char version_2[] =
        "\x93NUMPY\x02\x00\x3E\x00\x00\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2L,), }      \n12345678";
    fuzz_write(dir, "fortran.npy", fortran, sizeof fortran - 1);
    fuzz_write(dir, "version2.npy", version_2, sizeof version_2 - 1);
    fuzz_write(dir, "deflated.npz", deflated_npz, sizeof deflated_npz);
    fuzz_write(dir, "dynamic.deflate", dynamic_deflate, sizeof dynamic_deflate);
    fuzz_write(dir, "fixed.deflate", fixed_deflate, sizeof fixed_deflate);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    fuzz_seed(*argc, *argv, write_seeds);
    fuzz_begin();
    return 0;
}

/* What came out must be an array, wholly there, or a sentence. */
static void judge(ga_array *a)
{
    fuzz_judge(a);
    if (!a) return;
    int64_t size = 1;
    for (int d = 0; d < a->ndim; d++) size *= a->shape[d];
    if (size != a->size || !ga_is_contiguous(a) || a->ndim > GPUARR_MAX_DIMS) abort();
    fuzz_read(a);
    ga_free(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    ga_clear_error();
    if (n > 0 && data[0] == 0x93) {
        judge(gi_npy_parse("fuzz\tga_load(data)", "'data'", data, n));
    } else if (n > 0 && data[0] == 'P') {
        gi_source s = { NULL, data, (int64_t)n };
        judge(gi_npz_read("fuzz\tga_load_from(data)", "'data'", &s, NULL));
        ga_clear_error();
        judge(gi_npz_read("fuzz\tga_load_from(data)", "'data'", &s, "y"));
    } else {
        static gi_inflater  inflater;
        static const size_t rooms[] = { 400, 26, 0, 1, 70000 }; /* the first two are those of the seeds */
        for (int i = 0; i < 5; i++) {
            void *out = malloc(rooms[i]); /* so that one byte too many is seen */
            if (out) (void)gi_inflate(&inflater, data, n, out, rooms[i]);
            free(out);
        }
    }
    fuzz_nothing_is_left();
    return 0;
}
