/* libFuzzer target: FITS files, read through CFITSIO with every option.
   clang -g -O1 -fsanitize=fuzzer,address,undefined -I. -DGPUARR_USE_CFITSIO tests/fuzz_fits.c -o build/fuzz_fits -lcfitsio -lm -lpthread
   build/fuzz_fits -max_total_time=20 -max_len=20000 build/corpus/fits   (an empty folder gets a few valid files) */
#include "fuzz.h"

/* CFITSIO believes counts in a header, asks calloc for 2^60 columns and is fine with a NULL: so is this run. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "allocator_may_return_null=1"; }

static char path[300]; /* the file that is read again and again */

static void forget_file(void) { remove(path); }

static void write_seeds(const char *dir)
{
    char seed[500];
    ga_scope {
        for (int d = GA_BOOL; d <= GA_F64; d++) {
            snprintf(seed, sizeof seed, "%s/%s.fits", dir, ga_dtype_name((ga_dtype)d));
            ga_fits_write(seed, ga_ones((2, 3), .dtype = (ga_dtype)d));
        }
        ga_array *a = ga_astype(ga_reshape(ga_arange(0, 64, 1), (8, 8)), GA_I16);
        snprintf(seed, sizeof seed, "%s/rice.fits", dir);
        ga_fits_write(seed, a, .compress = true);
        snprintf(seed, sizeof seed, "%s/two.fits", dir);
        ga_fits_write(seed, ga_zeros((2, 2, 2)));
        ga_fits_write(seed, a, .name = "SECOND", .append = true);
    }
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    fuzz_seed(*argc, *argv, write_seeds);
    /* CFITSIO leaks and asks for gigabytes when tiles are damaged; that is not what is tested here. */
    static char timeout[] = "-timeout=10", leaks[] = "-detect_leaks=0", once[] = "-malloc_limit_mb=100000",
                all[]    = "-rss_limit_mb=4000";
    static char *flags[] = { timeout, leaks, once, all };
    fuzz_flags(argc, argv, 4, flags);
    snprintf(path, sizeof path, "%s/gpuarr_fuzz_%ld.fits", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (long)getpid());
    atexit(forget_file);
    fuzz_begin();
    return 0;
}

static void judge(ga_array *a)
{
    fuzz_judge(a);
    if (a) {
        fuzz_read(a);
        if (!ga_is_contiguous(a)) abort();
    }
    ga_free(a);
    ga_clear_error();
    fuzz_nothing_is_left();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    int f = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (f < 0 || write(f, data, n) != (ssize_t)n || close(f) != 0) {
        perror(path);
        exit(1);
    }
    gi_fits_trouble t = { GA_OK, "" };
    (void)gi_fits_check_tiles(path, &t);
    /* CFITSIO (4.2.0) itself reads past the end of damaged compressed tiles: only their headers are tested, which is our part. */
    for (size_t i = 0; i + 6 <= n; i++)
        if (memcmp(data + i, "ZIMAGE", 6) == 0) return 0;
    judge(ga_fits_read(path));
    judge(ga_fits_read(path, .raw = true));
    judge(ga_fits_read(path, .hdu = 2));
    judge(ga_fits_read(path, .name = "SECOND"));
    return 0;
}
