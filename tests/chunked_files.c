/*  chunked_files.c -- chunked arrays from files and into files: what is read is what lies there, and no more is read than that;
    what is wrong with a file is said. With a folder as argument: reads the *.zarr, *.h5 and *.npy that tests/chunked_files.py has put there.   */
#include "chunked.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

static char folder[200];
static bool packs; /* the implementation is built with zlib */

/* A path in the folder of this run; one of a few buffers. */
static const char *in_folder(const char *name)
{
    static char paths[8][400];
    static int  turn;
    char       *path = paths[turn++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static void put_file(const char *path, const void *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    CHECK(f && fwrite(bytes, 1, n, f) == n);
    if (f) fclose(f);
}
static void put_text(const char *path, const char *text) { put_file(path, text, strlen(text)); }

/* Bytes that this process has read by calls so far. */
static int64_t bytes_read(void)
{
    long long n = 0;
    FILE     *f = fopen("/proc/self/io", "r");
    if (!f || fscanf(f, "rchar: %lld", &n) != 1) n = -1;
    if (f) fclose(f);
    return n;
}

/* An .npy file as only NumPy writes it: of the other byte order, or with the first axis fastest. The elements are i * 3 + 1 (in C order). */
static void put_npy(const char *path, bool swapped, bool fortran, const char *kind, int size)
{
    char header[256];
    int  order = swapped ? '>' : '<',
        n = 10 + snprintf(header + 10, sizeof header - 10, "{'descr': '%c%s', 'fortran_order': %s, 'shape': (%d, %d, %d), }",
                          order, kind, fortran ? "True" : "False", 5, 7, 9);
    while (n % 64 != 63) header[n++] = ' ';
    header[n++] = '\n';
    memcpy(header, "\x93NUMPY\1\0", 8);
    header[8] = (char)(n - 10), header[9] = 0;
    FILE *f = fopen(path, "wb");
    CHECK(f != NULL);
    if (!f) return;
    fwrite(header, 1, (size_t)n, f);
    for (int i = 0; i < 5 * 7 * 9; i++) {
        int           at = fortran ? i % 5 * 63 + i / 5 % 7 * 9 + i / 35 : i, v = at * 3 + 1;
        unsigned char bytes[8];
        double        d = v;
        int64_t       k = v;
        memcpy(bytes, kind[0] == 'f' ? (const void *)&d : (const void *)&k, 8);
        for (int b = 0; b < size; b++) fputc(bytes[swapped ? size - 1 - b : b], f);
    }
    fclose(f);
}

static void npy(void)
{
    const char *path = in_folder("a.npy");
    ga_scope {
        for (int d = GA_BOOL; d < GA_BF16; d++) { /* each dtype of NumPy, chunks that do not divide, views of them */
            ga_array *m = ga_astype(ga_random((37, 11, 5), .seed = (uint64_t)d), (ga_dtype)d);
            if (d == GA_BOOL) m = ga_greater(ga_random((37, 11, 5)), 0.5);
            CHECK(ga_save(path, m));
            ga_shape chunks[] = { ga_chunks(0), ga_chunks(10, 4, 2), ga_chunks(1, 1, -1), ga_chunks(100, 3, 5) };
            for (int k = 0; k < 4; k++) {
                m           = ga_load(path);
                ga_array *x = ga_open(path, .chunks = chunks[k]);
                SAME(x, m);
                SAME(ga_index(x, "3:30:4, ::-1, 1:5:2"), ga_index(m, "3:30:4, ::-1, 1:5:2"));
                SAME(ga_transpose(x), ga_transpose(m));
                SAME(ga_index(x, "-1, 5"), ga_index(m, "-1, 5"));
                SAME(ga_ravel(x), ga_ravel(m));
                SAME(ga_index(ga_ravel(x), "5:2000:3"), ga_index(ga_ravel(m), "5:2000:3"));
                SAME(ga_copy(ga_index(x, "..., 2")), ga_copy(ga_index(m, "..., 2")));
            }
        }
        for (int k = 0; k < 8; k++) {
            put_npy(path, k & 1, k & 2, k & 4 ? "f8" : "i4", k & 4 ? 8 : 4);
            SAME(ga_open(path), ga_load(path));
            SAME(ga_open(path, .chunks = ga_chunks(2, 3, 4)), ga_load(path));
            SAME(ga_index(ga_open(path), "1:, ::-2, 3"), ga_index(ga_load(path), "1:, ::-2, 3"));
            SAME(ga_sum(ga_open(path, .chunks = ga_chunks(2, 3, 4)), .axis = 1), ga_sum(ga_load(path), .axis = 1));
            SAME(ga_add(ga_transpose(ga_open(path)), 1), ga_add(ga_transpose(ga_load(path)), 1));
        }
        CHECK(ga_save(path, ga_scalar(2.5)));
        SAME(ga_open(path), ga_load(path));
        SAME(ga_add(ga_open(path), 1), ga_add(ga_load(path), 1));
        CHECK(ga_save(path, ga_zeros((0, 3))));
        SAME(ga_open(path), ga_load(path));
        CHECK(ga_save(path, ga_zeros((5, 3))));
        ga_shape chunks = ga_chunks_of(ga_open(path, .chunks = ga_chunks(4, 2)));
        CHECK(chunks.ndim == 2 && chunks.n[0] == 4 && chunks.n[1] == 2);
    }
}

/* A file of 40 GB, of which only a few bytes are there: slices reach it, and read little more than they need. */
static void huge(void)
{
    const char *path = in_folder("huge.npy");
    enum { ROWS = 50000, COLUMNS = 100000 };
    char header[128];
    int  n = 10 + snprintf(header + 10, sizeof header - 10, "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }",
                           ROWS, COLUMNS);
    while (n < 127) header[n++] = ' ';
    header[n++] = '\n';
    memcpy(header, "\x93NUMPY\1\0v\0", 10);
    put_file(path, header, 128);
    double seven = 7;
    int    fd    = open(path, O_WRONLY);
    bool   made  = fd >= 0 && ftruncate(fd, 128 + (off_t)8 * ROWS * COLUMNS) == 0 &&
                pwrite(fd, &seven, 8, 128 + (off_t)8 * ((off_t)40000 * COLUMNS + 90000)) == 8;
    if (fd >= 0) close(fd);
    if (!made) { /* the file system has no holes */
        test_skip("no sparse file of 40 GB here", 8);
        remove(path);
        return;
    }
    ga_scope {
        ga_array *x = ga_open(path);
        struct {
            const char *index;
            int64_t     needed;
        } slices[] = { { "40000, 90000", 8 },      { "40000", 8 * COLUMNS },      { "39990:40010, 89990:90010", 3200 },
                       { "::5000, ::1000", 8000 }, { "40000, ::2", 4 * COLUMNS }, { "40000:40100:3, 90000:91000:2", 136000 } };
        for (size_t k = 0; k < sizeof slices / sizeof *slices; k++) {
            int64_t   before = bytes_read();
            ga_array *r      = ga_compute(ga_index(x, slices[k].index));
            int64_t   after  = bytes_read();
            CHECK(r && ga_item(ga_max(r)) == 7);
            if (before >= 0)
                CHECK(after - before >= slices[k].needed && after - before <= 2 * slices[k].needed + 10000)
                /* the forecast looks up how much memory there is */;
        }
    }
    remove(path);
}

/* What the path holds then cannot be opened. */
#define REFUSED(put, path, text, words)                                                                                        \
    do {                                                                                                                       \
        put(path, text);                                                                                                       \
        CHECK_FAILS(ga_open(path), words);                                                                                     \
    } while (0)

/* Does the error have these words once, and the others not at all? */
static bool says_once(const char *words, const char *others)
{
    const char *first = ga_error() ? strstr(ga_error(), words) : NULL;
    return first && !strstr(first + 1, words) && !strstr(ga_error(), others);
}

static void hostile_npy(void)
{
    const char *path = in_folder("b.npy");
    ga_scope {
        ga_array *m = ga_random((100, 1000));
        CHECK(ga_save(path, m));
        ga_array *x = ga_open(path, .chunks = ga_chunks(10, 1000));
        CHECK(truncate(path, 700000) == 0); /* while it is open */
        ga_array *y = ga_add(x, 1);
        CHECK_FAILS(ga_compute(y), "has become shorter");
        CHECK_FAILS(ga_compute(y), "b.npy");
        CHECK_FAILS(ga_compute(y), "for the elements [");
        ga_set_error_handler(ga_ignore_error, NULL);
        CHECK(!ga_compute(ga_sum(y)) && says_once("has become shorter", "[]"));
        ga_clear_error();
        ga_set_error_handler(NULL, NULL);
        SAME(ga_index(x, ":87"), ga_index(m, ":87")); /* what is there is there */
        CHECK_FAILS(ga_open(path), "was it cut short");
        CHECK_FAILS(ga_open(in_folder("none.npy")), "No such file");
        CHECK_FAILS(ga_open(NULL), "NULL");
        CHECK_FAILS(ga_open(folder), "no .zarray");
        CHECK_FAILS(ga_open("/dev/null"), "neither a file nor a folder");
        REFUSED(put_text, path, "hello", "no .npy file");
        REFUSED(put_text, path, "", "no .npy file");
        REFUSED(put_text, path, "PK\3\4 and so on", "ga_load_from");
        REFUSED(put_text, path, "SIMPLE  =                    T", "ga_fits_read");
        REFUSED(put_text, path, "CDF\1    ", "nccopy");
        CHECK(ga_save(path, ga_ones((3))));
        CHECK_FAILS(ga_open(path, .name = "x"), "leave .name out");
        CHECK_FAILS(ga_open(path, .chunks = ga_chunks(1, 2)), "one length for each axis");
        CHECK_FAILS(ga_open(path, .chunks = ga_chunks(-2)), "negative");
    }
    remove(path);
}

/* ---- Zarr ---- */

static void put_zarray(const char *dir, const char *text)
{
    char path[500];
    mkdir(dir, 0777);
    snprintf(path, sizeof path, "%s/.zarray", dir);
    put_text(path, text);
}

static void remove_files(const char *dir)
{
    char path[700];
    DIR *list = opendir(dir);
    for (struct dirent *e; list && (e = readdir(list)) != NULL;) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")) continue;
        snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
        if (remove(path) != 0) remove_files(path);
    }
    if (list) closedir(list);
    rmdir(dir);
}

static void zarr(void)
{
    const char *dir = in_folder("a.zarr");
    char        path[500];
#define ZARRAY(rest)                                                                                                           \
    "{\"zarr_format\": 2, \"shape\": [4, 3], \"chunks\": [2, 2], \"dtype\": \"<f8\", \"order\": \"C\", " rest "}"
#define GOOD "\"compressor\": null, \"filters\": null, \"fill_value\": \"NaN\""
    ga_scope {
        put_zarray(dir, ZARRAY(GOOD));
        const double one[4] = { 1, 2, 3, 4 }, two[4] = { 5, 0, 6, 0 };
        snprintf(path, sizeof path, "%s/0.0", dir);
        put_file(path, one, sizeof one);
        snprintf(path, sizeof path, "%s/1.1", dir);
        put_file(path, two, sizeof two);
        ga_array *x = ga_open(dir), *m = ga_reshape(ga_values(1, 2, NAN, 3, 4, NAN, NAN, NAN, 5, NAN, NAN, 6), (4, 3));
        ga_shape  chunks = ga_chunks_of(x);
        CHECK(chunks.n[0] == 2 && chunks.n[1] == 2);
        CHECK(ga_array_equal(ga_compute(x), m, .equal_nan = true));
        CHECK(ga_array_equal(ga_compute(ga_index(x, "::-3, ::2")), ga_index(m, "::-3, ::2"), .equal_nan = true));
        CHECK(ga_array_equal(ga_compute(ga_nansum(x, .axis = 1)), ga_nansum(m, .axis = 1)));
        put_file(path, two, 31);
        CHECK_FAILS(ga_compute(x), "chunk '1.1' of");
        CHECK_FAILS(ga_compute(x), "31 bytes");
        remove(path);
        mkdir(path, 0777);
        CHECK_FAILS(ga_compute(x), "no file");
        rmdir(path);
        REFUSED(put_zarray, dir, "{", "no JSON");
        REFUSED(put_zarray, dir, "[1, 2]", "Zarr of format ?");
        REFUSED(put_zarray, dir, "{\"zarr_format\": 3}", "format 3");
        REFUSED(put_zarray, dir,
                "{\"zarr_format\": 2, \"shape\": [4], \"chunks\": [2, 2], \"dtype\": \"<f8\", \"order\": \"C\"}",
                "'shape' and 'chunks'");
        REFUSED(put_zarray, dir, "{\"zarr_format\": 2, \"shape\": [4], \"chunks\": [0], \"dtype\": \"<f8\", \"order\": \"C\"}",
                "'shape' and 'chunks'");
        REFUSED(put_zarray, dir,
                "{\"zarr_format\": 2, \"shape\": [4], \"chunks\": [9223372036854775807], \"dtype\": \"<f8\", \"order\": \"C\"}",
                "more than can be counted");
        REFUSED(put_zarray, dir,
                "{\"zarr_format\": 2, \"shape\": [1,1,1,1,1,1,1,1,1], \"chunks\": [1], \"dtype\": \"<f8\", \"order\": \"C\"}",
                "GPUARR_MAX_DIMS");
        REFUSED(put_zarray, dir, "{\"zarr_format\": 2, \"shape\": [4], \"chunks\": [2], \"dtype\": \"<f16\", \"order\": \"C\"}",
                "long double");
        REFUSED(put_zarray, dir,
                "{\"zarr_format\": 2, \"shape\": [4], \"chunks\": [2], \"dtype\": [[\"x\", \"<f8\"]], \"order\": \"C\"}",
                "structured");
        REFUSED(put_zarray, dir, "{\"zarr_format\": 2, \"shape\": [4], \"chunks\": [2], \"dtype\": \"<f8\", \"order\": \"Q\"}",
                "'order'");
        REFUSED(put_zarray, dir, ZARRAY("\"compressor\": {\"id\": \"blosc\", \"cname\": \"lz4\"}"), "packed by blosc");
        REFUSED(put_zarray, dir, ZARRAY("\"compressor\": null, \"filters\": [{\"id\": \"delta\"}]"), "filter delta");
        REFUSED(put_zarray, dir, ZARRAY("\"fill_value\": \"many\""), "'fill_value'");
        REFUSED(put_zarray, dir, ZARRAY("\"dimension_separator\": \"-\""), "'dimension_separator'");
        put_zarray(dir, ZARRAY("\"compressor\": {\"id\": \"zlib\", \"level\": 1}"));
        x = ga_open(dir);
        CHECK_FAILS(ga_compute(x), "damaged: it cannot be unpacked");
        CHECK_FAILS(ga_open(dir, .name = "inner"), "inner");
        CHECK_FAILS(ga_open(folder, .name = "a.zarr/none"), "No such file");
        CHECK(ga_is_chunked(ga_open(folder, .name = "a.zarr")));
        snprintf(path, sizeof path, "%s/.zgroup", folder);
        put_text(path, "{\"zarr_format\": 2}");
        CHECK_FAILS(ga_open(folder), "it has: a.zarr");
        remove(path);
    }
    remove_files(dir);
}

/* ---- ga_store ---- */

/* The same bytes? */
static bool same_files(const char *a, const char *b)
{
    FILE *f = fopen(a, "rb"), *g = fopen(b, "rb");
    int   c = 0, d = 0;
    while (f && g && c == d && c != EOF) c = fgetc(f), d = fgetc(g);
    bool ok = f && g && c == d;
    if (f) fclose(f);
    if (g) fclose(g);
    return ok;
}

static bool exists(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0;
}

/* Is the implementation built with zlib? */
static bool can_pack(void)
{
    const char *path   = in_folder("try.zarr");
    bool        stored = false;
    ga_clear_error();
    ga_set_error_handler(ga_ignore_error, NULL);
    ga_scope
        stored = ga_store(ga_zeros((3)), path, .compressor = "zlib");
    ga_set_error_handler(NULL, NULL);
    CHECK(stored || (ga_error_status() == GA_NO_LIBRARY && strstr(ga_error(), "-DGPUARR_USE_ZLIB")));
    ga_clear_error();
    remove_files(path);
    if (stored) return true;
    printf("SKIP built without zlib: no packed chunks are written\n");
    test_skipped++;
    return false;
}

/* Packed chunks are small, and what they were. */
static void packed(void)
{
    const char *zlib = in_folder("z.zarr"), *gzip = in_folder("g.zarr");
    ga_scope {
        ga_array *m = ga_sin(ga_reshape(ga_floor_divide(ga_arange(0, 200000, 1), 8), (400, 500))), *x = ga_chunked(m, 70, 80),
                 *one = ga_ones((3));
        CHECK(ga_store(x, zlib, .compressor = "zlib") &&
              ga_store(m, gzip, .chunks = ga_chunks(-1, -1), .compressor = "gzip", .level = 9));
        SAME(ga_open(zlib), m);
        SAME(ga_open(gzip), m);
        struct stat about;
        char        path[500];
        snprintf(path, sizeof path, "%s/0.0", gzip);
        CHECK(stat(path, &about) == 0 && about.st_size > 1000 && about.st_size < 400000);              /* of 1.6 million */
        CHECK(ga_store(m, gzip, .compressor = "zlib", .level = 3, .overwrite = true, .resume = true)); /* one chunk */
        SAME(ga_open(gzip), m);
        CHECK_FAILS(ga_store(m, in_folder("f.zarr"), .compressor = "blosc"), "no compressor 'blosc'");
        CHECK_FAILS(ga_store(m, in_folder("f.zarr"), .compressor = "zlib", .level = 10), "level 10");
        CHECK_FAILS(ga_store(m, in_folder("f.zarr"), .level = 3), ".compressor");
        CHECK_FAILS(ga_store(one, in_folder("f.npy"), .compressor = "zlib"), "never packed");
    }
    remove_files(zlib);
    remove_files(gzip);
}

static void stores(void)
{
    const char *npy = in_folder("s.npy"), *wanted = in_folder("w.npy"), *dir = in_folder("s.zarr");
    ga_scope {
        for (int d = GA_BOOL; d < GA_BF16; d++) {
            ga_array *m        = d == GA_BOOL ? ga_greater(ga_random((37, 11, 5)), 0.5)
                                              : ga_astype(ga_multiply(ga_random((37, 11, 5), .seed = (uint64_t)d), 100), (ga_dtype)d);
            ga_shape  chunks[] = { ga_chunks(0), ga_chunks(10, 4, 2), ga_chunks(1, 11, 5), ga_chunks(5, 2, 5) };
            CHECK(ga_save(wanted, m));
            for (int k = 0; k < 4; k++) {
                ga_array *x = (ga_chunked)(m, chunks[k], "\ttest");
                CHECK(ga_store(x, npy, .resume = k & 1) && same_files(npy, wanted));
                CHECK(ga_store(x, dir, .overwrite = true, .resume = k & 1));
                SAME(ga_open(dir), m);
                ga_shape back = ga_chunks_of(ga_open(dir)), now = ga_chunks_of(x);
                CHECK(back.n[0] == now.n[0] && back.n[1] == now.n[1] && back.n[2] == now.n[2]);
            }
            CHECK(ga_store(m, npy) && same_files(npy, wanted)); /* of an array in memory; of a view */
            CHECK(ga_store(ga_transpose(m), npy, .chunks = ga_chunks(2, 3, 10)) && ga_save(wanted, ga_transpose(m)) &&
                  same_files(npy, wanted));
        }
        ga_array *m = ga_random((300, 200)), *x = ga_chunked(m, 70, 60), *mean = ga_mean(x, .axis = 0);
        CHECK(ga_store(ga_divide(ga_subtract(x, mean), ga_std(x)), npy) &&
              ga_save(wanted, ga_divide(ga_subtract(m, ga_mean(m, .axis = 0)), ga_std(m))) && same_files(npy, wanted));
        const ga_array *both[3]  = { ga_sin(x), mean, ga_cos(x) };
        const char     *paths[3] = { npy, in_folder("mean.npy"), dir };
        remove_files(dir);
        CHECK(ga_store_n(3, both, paths));
        SAME(ga_open(npy), ga_sin(m));
        SAME(ga_open(paths[1]), ga_mean(m, .axis = 0));
        SAME(ga_open(dir), ga_cos(m));
        CHECK(ga_store(ga_index(ga_open(npy), "::-1, 3:50"), wanted)); /* from file to file */
        SAME(ga_open(wanted), ga_index(ga_sin(m), "::-1, 3:50"));
        CHECK(ga_store(ga_sum(x), npy) && ga_item(ga_load(npy)) == ga_item(ga_sum(m)));
        CHECK(ga_store(ga_sum(x), dir, .overwrite = true));
        SAME(ga_open(dir), ga_sum(m));
        CHECK(ga_store(ga_zeros((0, 3)), npy) && ga_load(npy)->shape[1] == 3);
        CHECK(ga_store(ga_zeros((0, 3)), dir, .overwrite = true));
        SAME(ga_open(dir), ga_zeros((0, 3)));
        CHECK(ga_store(m, in_folder("plain"), .format = "npy"));
        SAME(ga_open(in_folder("plain")), m);
        CHECK(!exists(in_folder("s.npy.gpuarr.part")) && !exists(in_folder("s.zarr.gpuarr.part")) &&
              !exists(in_folder("s.npy.gpuarr.journal")) && !exists(in_folder("s.zarr.gpuarr.old")));
    }
    remove_files(dir);
}

static void store_mistakes(void)
{
    const char *npy = in_folder("s.npy"), *dir = in_folder("s.zarr");
    ga_scope {
        ga_array *m = ga_random((300, 200)), *x = ga_chunked(m, 70, 60),
                 *late = ga_greater(ga_nanargmax(ga_chunked(ga_full((9), NAN))), 0);
        CHECK(ga_store(m, npy) && ga_store(x, dir));
        CHECK_FAILS(ga_store(NULL, npy), "NULL");
        CHECK_FAILS(ga_store(x, NULL), "the path is NULL");
        CHECK_FAILS(ga_store(x, ""), strerror(ENOENT));
        CHECK_FAILS(ga_store(x, in_folder("s.tif")), ".format");
        CHECK_FAILS(ga_store(x, npy, .format = "tif"), "no format 'tif'");
        CHECK_FAILS(ga_store(x, npy, .chunks = ga_chunks(1)), "one length for each axis");
        CHECK_FAILS(ga_store(x, in_folder("none/s.npy")), "No such file");
        CHECK_FAILS(ga_store(x, in_folder("none/s.zarr")), "No such file");
        CHECK_FAILS(ga_store(x, dir), ".overwrite = true replaces it");
        CHECK_FAILS(ga_store(x, dir, .format = "npy"), "folder of that name");
        CHECK_FAILS(ga_store(x, npy, .format = "zarr"), "file of that name");
        CHECK_FAILS(ga_store(x, folder, .format = "zarr", .overwrite = true), "no Zarr array");
        CHECK_FAILS(ga_store(x, "/dev/null", .format = "npy"), "no ordinary file");
        CHECK_FAILS(ga_store(late, npy), "nothing but NaN");
        SAME(ga_open(npy), m); /* what was there still is */
        CHECK(!exists(in_folder("s.npy.gpuarr.part")));
        const ga_array *both[2]  = { x, m };
        const char     *paths[2] = { npy, npy };
        CHECK_FAILS(ga_store_n(2, both, paths), "the same path");
        CHECK_FAILS(ga_store_n(-1, both, paths), "-1 arrays");
        CHECK_FAILS(ga_store_n(2, NULL, paths), "2 arrays");
        /* a disk that is full, as far as files may grow here */
        pid_t child = fork();
        if (child == 0) {
            struct rlimit most = { 10000, 10000 };
            signal(SIGXFSZ, SIG_IGN);
            setrlimit(RLIMIT_FSIZE, &most);
            test_failed = 0;
            CHECK_FAILS(ga_store(x, npy), "File too large");
            CHECK_FAILS(ga_store(x, dir, .overwrite = true), "cannot write chunk '");
            CHECK_FAILS(ga_store(x, dir, .overwrite = true), "for the elements [");
            ga_set_error_handler(ga_ignore_error, NULL);
            CHECK(!ga_store(x, dir, .overwrite = true) && says_once("ga_store(x, dir", "[]"));
            fflush(stdout);
            _exit(test_failed);
        }
        int status = -1;
        CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
        SAME(ga_open(npy), m);
        SAME(ga_open(dir), m);
        CHECK(!exists(in_folder("s.npy.gpuarr.part")) && !exists(in_folder("s.zarr.gpuarr.part")));
    }
    remove_files(dir);
}

static void forecasts(void)
{
    const char *npy = in_folder("f.npy"), *dir = in_folder("f.zarr"), *packed_dir = in_folder("p.zarr");
    const int   part = TEST_ASAN || TEST_TSAN ? 2 : 1; /* nearly all of the time is that of random numbers */
    ga_set_num_threads(2);
    ga_scope {
        ga_shape  c = ga_chunks(250 / part, 350 / part);
        ga_array *a = ga_random((1500 / part, 1200 / part), .chunks = c),
                 *b = ga_random((1500 / part, 1200 / part), .seed = 2, .dtype = GA_F32, .chunks = c),
                 *m = ga_random((600, 300)), *x[4] = { a };
        int n = 3;
        CHECK(ga_store(a, npy) && ga_store(a, dir, .overwrite = true));
        x[1] = ga_open(npy);
        x[2] = ga_open(dir);
        if (packs) CHECK(ga_store(ga_floor(a), packed_dir, .overwrite = true, .compressor = "zlib"));
        if (packs) x[n++] = ga_open(packed_dir);
        for (int k = 0; k < n; k++) {
            CHECK(foreseen(x[k]));
            CHECK(foreseen(ga_sin(x[k])));
            CHECK(foreseen(ga_add(ga_sin(x[k]), ga_multiply(x[k], b))));
            CHECK(foreseen(ga_transpose(x[k])));
            CHECK(foreseen(ga_index(x[k], "::3, ::-2")));
            CHECK(foreseen(ga_sum(x[k])));
            CHECK(foreseen(ga_mean(x[k], .axis = 0)));
            CHECK(foreseen(ga_std(x[k], .axis = 1)));
            CHECK(foreseen(ga_subtract(x[k], ga_mean(x[k], .axis = 0))));
            CHECK(foreseen(ga_sort(x[k], .axis = 1)));
            CHECK(foreseen(ga_median(x[k], .axis = 0)));
            CHECK(foreseen(ga_cumsum(x[k], .axis = 0)));
            CHECK(foreseen(ga_gaussian_filter(x[k], 2)));
            CHECK(foreseen(ga_stack((x[k], ga_sqrt(x[k])), .axis = 2)));
        }
        CHECK(foreseen(ga_median_filter(b, 3)));
        CHECK(foreseen(ga_where(ga_greater(a, 0.5), a, b)));
        CHECK(foreseen(ga_matmul(ga_chunked(m, 100, 300), ga_transpose(ga_chunked(m, 100, 300)))));
        CHECK(foreseen(ga_cdist(ga_chunked(m, 100, 300), m)));
        ga_array *line = ga_random((1200000 / part, 6), .dtype = GA_F32, .chunks = ga_chunks(300000 / part, -1));
        CHECK(foreseen(ga_sum(line, .axis = 0)) && foreseen(ga_std(line, .axis = 0)));
        if (packs) { /* chunks are not kept where memory is short */
            ga_memory_trim();
            ga_memory_limit(ga_memory_stats().used_bytes + (24 << 20) / (part * part));
            CHECK(foreseen(ga_sin(ga_open(packed_dir))));
            ga_memory_limit(0);
        }
    }
    remove_files(dir);
    remove_files(packed_dir);
}

/* Reductions of x, a file, along an axis are those of the same elements in memory, and what they take was foreseen. */
static void folds_of(ga_array *x, ga_array *m, int axis)
{
    SAME(ga_mean(x, .axis = axis), ga_mean(m, .axis = axis));
    SAME(ga_sum(x, .axis = axis, .dtype = GA_F64), ga_sum(m, .axis = axis, .dtype = GA_F64));
    SAME(ga_max(x, .axis = axis, .keepdims = true), ga_max(m, .axis = axis, .keepdims = true));
    SAME(ga_count_nonzero(x, .axis = axis), ga_count_nonzero(m, .axis = axis));
    SAME(ga_std(x, .axis = axis, .ddof = 1), ga_std(m, .axis = axis, .ddof = 1));
    SAME(ga_nanmean(x, .axis = axis), ga_nanmean(m, .axis = axis));
    SAME(ga_nanvar(x, .axis = axis), ga_nanvar(m, .axis = axis));
    SAME(ga_argmax(x, .axis = axis), ga_argmax(m, .axis = axis));
    SAME(ga_subtract(x, ga_mean(x, .axis = axis, .keepdims = true)),
         ga_subtract(m, ga_mean(m, .axis = axis, .keepdims = true)));
    CHECK(foreseen(ga_mean(x, .axis = axis)) && foreseen(ga_std(x, .axis = axis)) && foreseen(ga_argmin(x, .axis = axis)));
    ga_array *several[] = { ga_var(x, .axis = axis), ga_sum(x, .axis = axis), ga_nanmean(x, .axis = axis) }, *r[3];
    CHECK(ga_compute_n(3, (const ga_array *const *)several, r));
    CHECK(ga_array_equal(r[0], ga_var(m, .axis = axis), .equal_nan = true));
    CHECK(ga_array_equal(r[1], ga_sum(m, .axis = axis), .equal_nan = true));
    CHECK(ga_array_equal(r[2], ga_nanmean(m, .axis = axis), .equal_nan = true));
}

/* Reductions across files, which read some rows at a time. */
static void folds(void)
{
    const char          *npy = in_folder("folds.npy"), *ints = in_folder("ints.npy"), *other = in_folder("fortran.npy");
    static const int64_t shapes[][3] = { { 31, 9001, 1 }, { 1000, 700, 1 }, { 1025, 301, 1 }, { 2600, 3, 110 },
                                         { 3, 1100, 90 }, { 9, 65, 1 },     { 20000, 70, 1 } };
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        for (int small = 0; small < 2; small++)
            ga_scope {
                const int64_t *n = shapes[k];
                ga_array      *m = ga_random_normal(3, 2, (n[0], n[1] * n[2]), .dtype = k % 2 ? GA_F64 : GA_F32), *a;
                if (n[2] > 1) m = ga_reshape(m, (n[0], n[1], n[2]));
                a = ga_astype(m, GA_I32);
                if (k % 3 == 1) ga_copyto(ga_index(m, "5::7, ::4"), NAN);
                CHECK(ga_store(m, npy) && ga_store(a, ints));
                ga_set_num_threads(1 + small);
                ga_memory_trim();
                if (small) ga_memory_limit(ga_memory_stats().used_bytes + 8 * m->size * ga_itemsize(m->dtype) + (64 << 20));
                ga_array *x = ga_open(npy);
                folds_of(x, m, 0);
                if (n[2] > 1) folds_of(x, m, 1);
                folds_of(ga_index(x, "::-1, 1::2"), ga_index(m, "::-1, 1::2"), 0);
                SAME(ga_mean(ga_open(ints), .axis = 0), ga_mean(a, .axis = 0));
                SAME(ga_mean(ga_transpose(x), .axis = 0), ga_mean(ga_transpose(m), .axis = 0));
                SAME(ga_sum(ga_sqrt(ga_transpose(ga_square(x))), .axis = 0),
                     ga_sum(ga_sqrt(ga_transpose(ga_square(m))), .axis = 0));
                SAME(ga_sum(ga_stack((x, x), .axis = 1), .axis = 0), ga_sum(ga_stack((m, m), .axis = 1), .axis = 0));
                SAME(ga_std(ga_concatenate((x, ga_square(x))), .axis = 0),
                     ga_std(ga_concatenate((m, ga_square(m))), .axis = 0));
                ga_memory_limit(0);
            }
    ga_set_num_threads(2);
    ga_scope { /* each element is read once, in rows: not some of them with all that lies between */
        ga_array *m = ga_random((5000, 700), .dtype = GA_F32);
        CHECK(ga_store(m, npy));
        ga_array *x      = ga_open(npy);
        int64_t   before = bytes_read();
        ga_array *r      = ga_compute(ga_std(x, .axis = 0));
        CHECK(r && bytes_read() - before < m->size * 4 + 100000);
        put_npy(other, false, true, "f8", 8);
        SAME(ga_mean(ga_open(other), .axis = 0), ga_mean(ga_load(other), .axis = 0));
    }
}

/* A run that fails, or is killed, in the middle leaves what it has done to the next one, which gives the same bytes. */
static void resumes(void)
{
    const char *dir = in_folder("in.zarr"), *npy = in_folder("r.npy"), *out = in_folder("r.zarr"), *wanted = in_folder("w.npy");
    char        hole[450], kept[500];
    snprintf(hole, sizeof hole, "%s/17.0", dir);
    snprintf(kept, sizeof kept, "%s.kept", hole);
    ga_scope {
        ga_array *m = ga_random((2000, 1000)), *y = NULL;
        CHECK(ga_store(m, dir, .chunks = ga_chunks(100, 1000)));
        CHECK(ga_save(wanted, ga_add(ga_sin(m), 0.5)));
        for (int k = 0; k < 2; k++) {
            const char *to   = k ? out : npy;
            double      plus = 0.5;
            CHECK(rename(hole, kept) == 0);
            put_text(hole, "damaged");
            ga_set_num_threads(1); /* then what comes before the hole is done */
            y = ga_add(ga_sin(ga_open(dir)), plus);
            CHECK_FAILS(ga_store(y, to, .resume = true, .compressor = k && packs ? "zlib" : NULL), "chunk '17.0'");
            CHECK(rename(kept, hole) == 0 && !exists(to));
            plus = 0.25;
            y    = ga_add(ga_sin(ga_open(dir)), plus);
            CHECK_FAILS(ga_store(y, to, .resume = true, .compressor = k && packs ? "zlib" : NULL), "of another expression");
            if (k && packs) CHECK_FAILS(ga_store(y, to, .resume = true, .compressor = "gzip"), "of another expression");
            plus           = 0.5;
            int64_t before = bytes_read();
            y              = ga_add(ga_sin(ga_open(dir)), plus);
            CHECK(ga_store(y, to, .resume = true, .compressor = k && packs ? "zlib" : NULL));
            if (before >= 0) CHECK(bytes_read() - before < 6000000); /* of 16 million */
            ga_set_num_threads(2);
            SAME(ga_open(to), ga_load(wanted));
        }
        CHECK(same_files(npy, wanted));
        CHECK(ga_store(y, out, .overwrite = true, .resume = true));
        SAME(ga_open(out), ga_load(wanted));
        for (int k = 0; k < 2; k++) {
            const char *to = k ? out : npy;
            char        journal[500];
            struct stat about;
            snprintf(journal, sizeof journal, "%s.gpuarr.journal", to);
            ga_array *big = ga_sin(ga_random_normal(0, 1, (4000, 1000), .seed = 5, .chunks = ga_chunks(50, 1000)));
            remove(npy);
            remove_files(out);
            pid_t child = fork();
            if (child == 0) _exit(!ga_store(big, to, .resume = true));
            int status = -1;
            while (waitpid(child, &status, WNOHANG) == 0)
                if (stat(journal, &about) == 0 && about.st_size > 130) {
                    kill(child, SIGKILL);
                    waitpid(child, &status, 0);
                    break;
                }
            CHECK(WIFSIGNALED(status) ? !exists(to) && exists(journal) : exists(to));
            CHECK(!WIFSIGNALED(status) || ga_store(big, to, .resume = true));
            SAME(ga_open(to), ga_compute(big));
            CHECK(!exists(journal));
        }
    }
    remove_files(dir);
    remove_files(out);
}

/* A call to write x + 1 of an array of Zarr, that fails at one of its chunks, which is whole again afterwards. Returns x + 1. */
static ga_array *fails_in_the_middle(const char *dir, const char *to)
{
    char hole[450], kept[500];
    snprintf(hole, sizeof hole, "%s/17.0", dir);
    snprintf(kept, sizeof kept, "%s.kept", hole);
    ga_array *m = ga_random((2000, 1000));
    CHECK(ga_store(m, dir, .chunks = ga_chunks(100, 1000), .overwrite = true));
    CHECK(rename(hole, kept) == 0);
    put_text(hole, "damaged");
    CHECK_FAILS(ga_store(ga_add(ga_open(dir), 1), to, .resume = true), "chunk '17.0'");
    CHECK(rename(kept, hole) == 0);
    return ga_add(m, 1);
}

/* What another call has left is neither trusted nor written to: a journal beside a part that it does not belong to, and a part without a
   journal, which is the file that a call has replaced, if it was killed at the end (ga_set_fsync). */
static void resumes_nothing(void)
{
    const char *dir = in_folder("l.zarr"), *to = in_folder("l.npy"), *twin = in_folder("l.same.npy");
    const char *part = in_folder("l.npy.gpuarr.part"), *journal = in_folder("l.npy.gpuarr.journal");
    ga_set_num_threads(1);
    for (int damaged = 0; damaged < 2; damaged++)
        ga_scope {
            ga_array *wanted = fails_in_the_middle(dir, to);
            CHECK(exists(part) && exists(journal));
            if (damaged) {
                CHECK(truncate(part, 0) == 0); /* made by a call that was killed before it had removed the journal */
            } else {
                CHECK(ga_save(to, ga_ones((3))) && !exists(part) && !exists(journal));
                CHECK(link(to, twin) == 0 && link(to, part) == 0);
            }
            CHECK(ga_store(ga_add(ga_open(dir), 1), to, .resume = true) && !exists(part) && !exists(journal));
            SAME(ga_open(to), wanted);
            if (!damaged) SAME(ga_open(twin), ga_ones((3)));
            remove(to);
        }
    ga_set_num_threads(2);
}

/* The same of the folder of an array, which a call without .resume was removing, or had just made, when it was killed. */
static void resumes_no_folder(void)
{
    const char *dir = in_folder("l.zarr"), *journal = in_folder("m.zarr.gpuarr.journal");
    const char *out = in_folder("m.zarr"), *part = in_folder("m.zarr.gpuarr.part"),
               *there = in_folder("m.zarr.gpuarr.part/.zarray");
    const char *gone = in_folder("m.zarr.gpuarr.part/.zarray.gone"), *chunk = in_folder("m.zarr.gpuarr.part/2.0");
    ga_set_num_threads(1);
    for (int removed = 0; removed < 3; removed++)
        ga_scope {
            ga_array *wanted = fails_in_the_middle(dir, out);
            if (removed == 1) CHECK(rename(there, gone) == 0 && unlink(chunk) == 0);
            if (removed == 2) remove_files(part);
            if (removed == 2) CHECK(mkdir(part, 0777) == 0);
            CHECK(ga_store(ga_add(ga_open(dir), 1), out, .resume = true) && !exists(journal));
            SAME(ga_open(out), wanted);
            remove_files(out);
        }
    remove_files(dir);
    ga_set_num_threads(2);
}

/* ---- the files of tests/chunked_files.py: each NAME.zarr, NAME.h5 or NAME.raw.npy is NAME.npy ---- */

static void peers(const char *where)
{
    DIR *list = opendir(where);
    CHECK(list != NULL);
    for (struct dirent *e; list && (e = readdir(list)) != NULL;) {
        char   path[700], reference[700];
        size_t n = strlen(e->d_name), kept = n;
        bool   hdf5 = n > 3 && !strcmp(e->d_name + n - 3, ".h5");
        if (hdf5) kept = n - 3;
        if (n > 5 && !strcmp(e->d_name + n - 5, ".zarr")) kept = n - 5;
        if (n > 8 && !strcmp(e->d_name + n - 8, ".raw.npy")) kept = n - 8;
        if (kept == n || strstr(e->d_name, ".out")) continue;
        snprintf(path, sizeof path, "%s/%s", where, e->d_name);
        snprintf(reference, sizeof reference, "%s/%.*s.npy", where, (int)kept, e->d_name);
        ga_scope {
            ga_array *x = hdf5 ? ga_open(path, .name = "group/x") : ga_open(path), *m = ga_load(reference);
            bool      ok = CHECK(x && m && ga_array_equal(ga_compute(x), m, .equal_nan = true));
            if (ok && m->ndim == 2 && m->size > 0) {
                ga_array *view = ga_index(x, "::-3, 1::2"), *same_view = ga_index(m, "::-3, 1::2");
                ok = CHECK(ga_array_equal(ga_compute(view), same_view, .equal_nan = true));
                if (!ga_can_cast(GA_C64, m->dtype))
                    ok = CHECK(ga_array_equal(ga_compute(ga_max(x, .axis = 0)), ga_max(m, .axis = 0), .equal_nan = true)) && ok;
            }
            snprintf(path, sizeof path, "%s/%.*s.out.npy", where, (int)kept, e->d_name);
            ok = CHECK(ga_store(x, path)) && ok;
            snprintf(path, sizeof path, "%s/%.*s.out.zarr", where, (int)kept, e->d_name);
            ok = CHECK(m && m->ndim == 2 ? ga_store(x, path, .chunks = ga_chunks(4, 7)) : ga_store(x, path)) && ok;
            for (int k = 0; k < 2 && packs; k++) {
                snprintf(path, sizeof path, "%s/%.*s.out.%s.zarr", where, (int)kept, e->d_name, k ? "gzip" : "zlib");
                ok = CHECK(ga_store(x, path, .compressor = k ? "gzip" : "zlib", .level = 1 + k * 8,
                                    .chunks = m && m->ndim == 2 ? ga_chunks(4, 7) : ga_chunks_of(x))) &&
                     ok;
                ok = CHECK(ga_array_equal(ga_compute(ga_open(path)), m, .equal_nan = true)) && ok;
            }
            if (!ok) printf("     in %s\n", path);
        }
    }
    if (list) closedir(list);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        snprintf(folder, sizeof folder, "%s", argv[1]);
        packs = can_pack();
        peers(argv[1]);
        return test_end();
    }
    const char *temporary = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/gpuarr-files-XXXXXX", temporary ? temporary : "/tmp");
    CHECK(mkdtemp(folder) != NULL);
    npy();
    huge();
    hostile_npy();
    zarr();
    stores();
    store_mistakes();
    packs = can_pack();
    if (packs) packed();
    forecasts();
    folds();
    resumes();
    resumes_nothing();
    resumes_no_folder();
    CHECK(ga_memory_stats().arrays == 0);
    CHECK(ga_report_leaks(stdout) == 0);
    remove_files(folder);
    return test_end();
}
