/* Objects, their measures, clipping, text, files and pictures of arrays on the GPU: the same bits as on the CPU.
   The implementation must be built with CUDA (nvcc, or g++ with tools/cudasim); without a GPU everything is skipped. */
#include "test.h"

#include <unistd.h>

/* Do both calls give the same, or both an error? Frees both. */
static bool same(ga_array *cpu, ga_array *gpu) { return (!cpu && !gpu) || test_same_freed(cpu, gpu); }

/* The sentence of the error, without file and line; "" for none. Clears it. */
static void take_error(char *text, size_t room)
{
    const char *error = ga_error(), *call = error ? strstr(error, ": ") : NULL;
    snprintf(text, room, "%s", call ? call : error ? error : "");
    ga_clear_error();
}

/* An array on the CPU of any dtype: zeros, and with the given probability something else. */
static ga_array *sparse(ga_dtype dtype, int ndim, const int64_t *shape, double density)
{
    ga_array *a = ga_zeros_n(ndim, shape, .device = GA_CPU);
    double   *p = (double *)a->data;
    for (int64_t i = 0; i < a->size; i++)
        if (test_uniform() < density) p[i] = 1 + floor(test_uniform() * 100);
    ga_array *b = ga_astype(a, dtype);
    ga_free(a);
    return b;
}

static const ga_dtype real_dtypes[] = { GA_BOOL, GA_I8, GA_U8, GA_I16, GA_U16, GA_I32, GA_U32, GA_I64, GA_U64, GA_F32, GA_F64 };
enum { REAL_DTYPES = sizeof real_dtypes / sizeof *real_dtypes, LAYOUTS = 6 };

/* Another look at a 2-D array (or more dimensions). The same for both devices. */
static ga_array *layout(const ga_array *a, int kind)
{
    switch (kind) {
    case 0: return ga_ascontiguous(a);
    case 1: return ga_transpose(a);
    case 2: return ga_flip(a);
    case 3: return ga_index(a, "1:, 1:");
    case 4: return ga_index(a, "::2, ::-3");
    default: {
        if (a->shape[0] == 0) return ga_ascontiguous(a);
        ga_array *row = ga_index(a, ":1"), *many;
        int64_t   shape[GPUARR_MAX_DIMS];
        for (int d = 0; d < a->ndim; d++) shape[d] = d == 0 ? 7 : a->shape[d];
        many = (ga_broadcast_to)(row, (ga_shape){ a->ndim, { shape[0], shape[1], a->ndim > 2 ? shape[2] : 0 } }, "\tbroadcast");
        ga_free(row);
        return many;
    }
    }
}

/* ---- label ------------------------------------------------------------------------------------------------------------ */

static ga_array *label(const ga_array *a, int connectivity, ga_dtype dtype, int64_t *count)
{
    *count = -1;
    return ga_label(a, .connectivity = connectivity, .dtype = dtype, .count = count);
}

static bool same_labels(const ga_array *a, int connectivity, ga_dtype dtype)
{
    char      cpu_says[300], gpu_says[300];
    int64_t   cpu_count, gpu_count;
    ga_array *there = ga_to(a, GA_CUDA), *cpu, *gpu;
    cpu             = label(a, connectivity, dtype, &cpu_count);
    take_error(cpu_says, sizeof cpu_says);
    gpu = label(there, connectivity, dtype, &gpu_count);
    take_error(gpu_says, sizeof gpu_says);
    bool ok = same(cpu, gpu) && cpu_count == gpu_count && !strcmp(cpu_says, gpu_says);
    if (ok && connectivity >= 0) { /* objects of what is above a number */
        cpu = ga_label(a, .connectivity = connectivity, .count = &cpu_count, .above = 40.5);
        take_error(cpu_says, sizeof cpu_says);
        gpu = ga_label(there, .connectivity = connectivity, .count = &gpu_count, .above = 40.5);
        take_error(gpu_says, sizeof gpu_says);
        ok = same(cpu, gpu) && cpu_count == gpu_count && !strcmp(cpu_says, gpu_says);
    }
    ga_free(there);
    return ok;
}

static void test_label_shapes(void)
{
    static const struct {
        int     ndim;
        int64_t shape[5];
    } images[]                      = { { 0, { 0 } },          { 1, { 0 } },           { 1, { 1 } },
                                        { 1, { 31 } },         { 1, { 1025 } },        { 1, { 5000 } },
                                        { 2, { 0, 7 } },       { 2, { 7, 0 } },        { 2, { 1, 33 } },
                                        { 2, { 33, 1 } },      { 2, { 31, 32 } },      { 2, { 65, 33 } },
                                        { 2, { 100, 257 } },   { 3, { 3, 4, 5 } },     { 3, { 17, 1, 40 } },
                                        { 3, { 12, 13, 40 } }, { 4, { 3, 5, 4, 35 } }, { 5, { 3, 2, 4, 3, 6 } } };
    static const double densities[] = { 0.02, 0.3, 0.55, 0.8, 1 };
    for (size_t k = 0; k < sizeof images / sizeof *images; k++)
        for (size_t d = 0; d < sizeof densities / sizeof *densities; d++) {
            ga_array *a  = sparse(GA_BOOL, images[k].ndim, images[k].shape, densities[d]);
            bool      ok = true;
            for (int connectivity = 1; connectivity <= images[k].ndim + 1; connectivity++)
                ok = same_labels(a, connectivity, GA_I32) && ok;
            if (!CHECK(ok)) printf("     shape %d, density %g\n", (int)k, densities[d]);
            ga_free(a);
        }
}

/* Long, thin objects: what unites late. */
static ga_array *pattern(int kind, int64_t n)
{
    ga_array *a = ga_zeros((n, n), .dtype = GA_U8, .device = GA_CPU);
    uint8_t  *p = (uint8_t *)a->data;
    for (int64_t y = 0; y < n; y++)
        for (int64_t x = 0; x < n; x++) {
            int64_t left = x < y ? x : y, right = n - 1 - x < n - 1 - y ? n - 1 - x : n - 1 - y,
                    ring = left < right ? left : right;
            bool spiral  = ring % 2 == 0 || (y == ring && x == ring - 1);
            if (ring % 2 == 0 && y == ring + 1 && x == ring && ring + 1 < n / 2) spiral = false;
            bool on      = kind == 0   ? (x + y) % 2 == 0                            /* a chessboard */
                           : kind == 1 ? x % 2 == 0 || y == n - 1                    /* a comb, joined in the last row */
                           : kind == 2 ? x % 2 == 0 || y == 0                        /* in the first */
                           : kind == 3 ? y % 2 == 0 || x == (y % 4 == 1 ? n - 1 : 0) /* a snake */
                           : kind == 4 ? spiral
                                       : x == y || x == n - 1 - y; /* a cross of diagonals */
            p[y * n + x] = on;
        }
    return a;
}

static void test_label_patterns(void)
{
    for (int kind = 0; kind < 6; kind++)
        for (int64_t n = 33; n < 150; n += 38) {
            ga_array *a = pattern(kind, n);
            CHECK(same_labels(a, 1, GA_I32));
            CHECK(same_labels(a, 2, GA_U16));
            ga_free(a);
        }
}

static void test_label_dtypes(void)
{
    const int64_t shape[2] = { 40, 50 };
    for (int t = 0; t < REAL_DTYPES + 2; t++) {
        ga_dtype  dtype = t < REAL_DTYPES ? real_dtypes[t] : t == REAL_DTYPES ? GA_C64 : GA_C128;
        ga_array *a = sparse(dtype, 2, shape, 0.4), *there = ga_to(a, GA_CUDA);
        for (int k = 0; k < LAYOUTS; k++) {
            ga_array *x = layout(a, k), *y = layout(there, k);
            int64_t   n, m;
            CHECK(same(label(x, 1, GA_DTYPE_DEFAULT, &n), label(y, 1, GA_DTYPE_DEFAULT, &m)) && n == m);
            ga_free(x);
            ga_free(y);
        }
        ga_free(there);
        if (t < REAL_DTYPES) CHECK(same_labels(a, 2, dtype)); /* also what is no dtype for labels, or too small */
        ga_free(a);
    }
    ga_array *board = pattern(0, 33); /* 545 objects */
    for (int t = 0; t < REAL_DTYPES; t++) CHECK(same_labels(board, 1, real_dtypes[t]));
    CHECK(same_labels(board, -1, GA_I32));
    ga_free(board);
}

/* ---- measures --------------------------------------------------------------------------------------------------------- */

typedef enum { SUM, MEAN, MIN, MAX, SIZE, CENTER, SUM_WITH_CENTER, MEASURES } measure_kind;

static ga_array *measure(measure_kind kind, const ga_array *a, const ga_array *labels, const ga_array *index)
{
    switch (kind) {
    case SUM: return ga_sum_labels(a, labels, index);
    case MEAN: return ga_mean_labels(a, labels, index);
    case MIN: return ga_min_labels(a, labels, index);
    case MAX: return ga_max_labels(a, labels, index);
    case SIZE: return ga_size_labels(labels, index);
    case CENTER: return ga_center_of_mass(a, labels, index);
    default: {
        ga_array *sums = NULL;
        ga_free(ga_center_of_mass(a, labels, index, .sums = &sums));
        return sums;
    }
    }
}

static bool same_measures(const ga_array *a, const ga_array *labels, const ga_array *index)
{
    ga_array *a_there = ga_to(a, GA_CUDA), *labels_there = labels ? ga_to(labels, GA_CUDA) : NULL;
    ga_array *index_there = index ? ga_to(index, GA_CUDA) : NULL;
    bool      ok          = true;
    for (measure_kind kind = labels ? SUM : CENTER; kind < MEASURES; kind++) {
        char      cpu_says[300], gpu_says[300];
        ga_array *cpu = measure(kind, a, labels, index), *gpu;
        take_error(cpu_says, sizeof cpu_says);
        gpu = measure(kind, a_there, labels_there, index_there);
        take_error(gpu_says, sizeof gpu_says);
        bool equal = same(cpu, gpu) && !strcmp(cpu_says, gpu_says);
        if (!equal) printf("     measure %d: '%s' '%s'\n", (int)kind, cpu_says, gpu_says);
        ok = ok && equal;
    }
    ga_free(index_there);
    ga_free(labels_there);
    ga_free(a_there);
    return ok;
}

/* Values of all sizes with some NaN, infinities and negative zeros. */
static ga_array *values(ga_dtype dtype, int ndim, const int64_t *shape)
{
    ga_array *a = ga_zeros_n(ndim, shape, .device = GA_CPU);
    double   *p = (double *)a->data;
    for (int64_t i = 0; i < a->size; i++) {
        double x = (test_uniform() - 0.5) * pow(10, floor(test_uniform() * 6)), u = test_uniform();
        p[i] = u < 0.0005 ? (double)NAN : u < 0.001 ? (double)INFINITY : u < 0.01 ? -0.0 : x;
    }
    ga_array *b = ga_astype(a, dtype);
    ga_free(a);
    return b;
}

/* Labels from 0 to `most`, in patches of different sizes; with `background`, most are 0. */
static ga_array *patches(ga_dtype dtype, int ndim, const int64_t *shape, int most, bool background)
{
    ga_array *a = ga_zeros_n(ndim, shape, .device = GA_CPU);
    double   *p = (double *)a->data;
    for (int64_t i = 0; i < a->size;) {
        double label = background && test_uniform() < 0.7 ? 0 : floor(test_uniform() * (most + 1));
        for (int64_t n = 1 + (int64_t)(test_uniform() * 20); n > 0 && i < a->size; n--) p[i++] = label;
    }
    ga_array *b = ga_astype(a, dtype);
    ga_free(a);
    return b;
}

static void test_measures(void)
{
    static const int64_t shapes[][3] = { { 60, 70, 0 }, { 9, 11, 13 }, { 0, 5, 0 } };
    for (int t = 0; t < REAL_DTYPES; t++)
        for (int s = 0; s < 3; s++) {
            int       ndim   = shapes[s][2] ? 3 : 2;
            ga_array *a      = values(real_dtypes[t], ndim, shapes[s]);
            ga_array *labels = patches(real_dtypes[(t + s) % REAL_DTYPES], ndim, shapes[s], 1 + 20 * t, t % 2);
            if (!CHECK(same_measures(a, labels, NULL))) printf("     dtype %d, shape %d\n", t, s);
            CHECK(same_measures(a, NULL, NULL));
            ga_array *index = ga_ints(7, 3, 3, 0, 500, -1, 12, 7, 1);
            ga_array *some = ga_reshape(index, (3, 3)), *none = ga_index(index, ":0"), *one = ga_index(index, "1");
            ga_array *small = ga_astype(some, real_dtypes[t]);
            CHECK(same_measures(a, labels, some));
            CHECK(same_measures(a, labels, small));
            CHECK(same_measures(a, labels, none));
            CHECK(same_measures(a, labels, one));
            CHECK(same_measures(a, NULL, one)); /* an error */
            ga_array *all[] = { small, one, none, some, index, labels, a };
            for (size_t k = 0; k < sizeof all / sizeof *all; k++) ga_free(all[k]);
        }
}

static void test_measures_of_views(void)
{
    const int64_t shape[3] = { 40, 31, 3 };
    ga_array     *a = values(GA_F32, 3, shape), *labels = patches(GA_I32, 3, shape, 9, true);
    ga_array     *a_there = ga_to(a, GA_CUDA), *labels_there = ga_to(labels, GA_CUDA);
    for (int k = 0; k < LAYOUTS; k++)
        for (measure_kind kind = SUM; kind < MEASURES; kind++) {
            ga_array *x = layout(a, k), *l = layout(labels, k), *x_there = layout(a_there, k),
                     *l_there = layout(labels_there, k);
            CHECK(same(measure(kind, x, l, NULL), measure(kind, x_there, l_there, NULL)));
            ga_array *all[] = { x, l, x_there, l_there };
            for (int i = 0; i < 4; i++) ga_free(all[i]);
        }
    CHECK(!ga_sum_labels(a_there, labels, NULL) && ga_error_status() == GA_BAD_DEVICE);
    ga_clear_error();
    ga_array *all[] = { a, labels, a_there, labels_there };
    for (int i = 0; i < 4; i++) ga_free(all[i]);
}

/* Many labels (several steps of sorting), far labels, and labels with more than a block, and more than a block of blocks. */
static void test_measures_of_sizes(void)
{
    const int64_t shape[2] = { test_small() ? 60 : 300, 400 }, long_shape[1] = { test_small() ? 9000 : 1024 * 1024 + 5000 };
    ga_array     *a = values(GA_F64, 2, shape);
    for (int most = 1; most < (test_small() ? 1000 : 100000); most = most * 17 + 3) {
        ga_array *labels = patches(GA_I64, 2, shape, most, false), *far = ga_multiply(labels, 1000003);
        ga_array *index = ga_unique(far), *there = ga_to(index, GA_CUDA);
        CHECK(same_measures(a, labels, NULL));
        CHECK(same_measures(a, far, index));
        ga_free(there);
        ga_free(index);
        ga_free(far);
        ga_free(labels);
    }
    ga_free(a);
    ga_array *line = values(GA_F32, 1, long_shape), *ones = ga_ones_like(line, .dtype = GA_U8);
    CHECK(same_measures(line, ones, NULL));
    ga_free(ones);
    ga_free(line);
}

/* ---- clipping --------------------------------------------------------------------------------------------------------- */

static bool same_clipping(const ga_array *a, const ga_array *there, ga_clip_rule rule, double sigma, double above, int maxiters,
                          bool mean)
{
    ga_array *mask[2] = { NULL, NULL };
    int       passes[2];
    double    low[2] = { 0, 0 }, high[2] = { 0, 0 };
    ga_array *cpu = ga_sigma_clip(a, .rule = rule, .sigma = sigma, .sigma_high = above, .maxiters = maxiters, .mean = mean,
                                  .mask = &mask[0], .passes = &passes[0], .low = &low[0], .high = &high[0]);
    ga_array *gpu = ga_sigma_clip(there, .rule = rule, .sigma = sigma, .sigma_high = above, .maxiters = maxiters, .mean = mean,
                                  .mask = &mask[1], .passes = &passes[1], .low = &low[1], .high = &high[1]);
    bool ok = cpu && gpu && passes[0] == passes[1] && (memcmp(&low[0], &low[1], 8) == 0 || (isnan(low[0]) && isnan(low[1]))) &&
              (memcmp(&high[0], &high[1], 8) == 0 || (isnan(high[0]) && isnan(high[1])));
    bool masks = same(mask[0], mask[1]);
    return same(cpu, gpu) && ok && masks;
}

static void test_clipping(void)
{
    static const int64_t sizes[][2] = { { 0, 3 }, { 1, 1 }, { 5, 7 }, { 31, 33 }, { 120, 91 } };
    for (int t = 0; t < REAL_DTYPES; t++)
        for (int s = 0; s < 5; s++) {
            ga_array *a = values(real_dtypes[t], 2, sizes[s]), *there = ga_to(a, GA_CUDA);
            CHECK(same_clipping(a, there, GA_CLIP_LESSON, 3, GA_REAL_DEFAULT, 5, false));
            CHECK(same_clipping(a, there, GA_CLIP_LESSON, 2, 1.5, 0, true));
            CHECK(same_clipping(a, there, GA_CLIP_ASTROPY, 2, GA_REAL_DEFAULT, 5, false));
            CHECK(same_clipping(a, there, GA_CLIP_ASTROPY, 1, 2, -1, true));
            CHECK(same_clipping(a, there, GA_CLIP_ASTROPY, 30, GA_REAL_DEFAULT, 2, false));
            if (s > 2 && t % 3 == 0)
                for (int k = 1; k < LAYOUTS; k++) {
                    ga_array *x = layout(a, k), *y = layout(there, k);
                    CHECK(same_clipping(x, y, GA_CLIP_LESSON, 1.5, GA_REAL_DEFAULT, 0, false));
                    ga_free(x);
                    ga_free(y);
                }
            ga_free(there);
            ga_free(a);
        }
}

/* ---- text, files, pictures ---------------------------------------------------------------------------------------------- */

static char directory[64];

/* A path in the test's own directory; the next call but three reuses it. */
static const char *path_to(const char *name)
{
    static char paths[4][128];
    static int  next;
    char       *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}

static char *file_content(const char *path, long *bytes)
{
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    fseek(f, 0, SEEK_END);
    *bytes = ftell(f);
    rewind(f);
    char *content = (char *)malloc((size_t)*bytes + 1);
    if (fread(content, 1, (size_t)*bytes, f) != (size_t)*bytes) *bytes = -1;
    fclose(f);
    return content;
}

/* Are these two files equal? They are removed. */
static bool same_files(const char *one, const char *other)
{
    long  n = 0, m = 0;
    char *a = file_content(one, &n), *b = file_content(other, &m);
    bool  ok = a && b && n == m && n > 0 && memcmp(a, b, (size_t)n) == 0;
    free(a);
    free(b);
    remove(one);
    remove(other);
    return ok;
}

static bool same_text(const ga_array *cpu, const ga_array *gpu, int threshold, int edgeitems, bool repr)
{
    ga_print_options o = ga_print_defaults;
    o.threshold        = threshold;
    o.edgeitems        = edgeitems;
    o.repr             = repr;
    char *a = (ga_to_string)(cpu, o), *b = (ga_to_string)(gpu, o);
    bool  ok = a && b && !strcmp(a, b);
    if (!ok) printf("     CPU: %s\n     GPU: %s\n", a ? a : "NULL", b ? b : "NULL");
    free(a);
    free(b);
    return ok;
}

static void test_text(void)
{
    static const int64_t shapes[][3] = { { 3, 4, 0 }, { 12, 13, 0 }, { 5, 40, 9 }, { 0, 3, 0 }, { 2, 90, 0 } };
    for (int t = 0; t < REAL_DTYPES + 2; t++)
        for (int s = 0; s < 5; s++) {
            ga_dtype  dtype = t < REAL_DTYPES ? real_dtypes[t] : t == REAL_DTYPES ? GA_C64 : GA_C128;
            ga_array *a = values(dtype, shapes[s][2] ? 3 : 2, shapes[s]), *there = ga_to(a, GA_CUDA);
            for (int k = 0; k < LAYOUTS; k++) {
                ga_array *x = layout(a, k), *y = layout(there, k);
                CHECK(same_text(x, y, 1000, 3, false) && same_text(x, y, 20, 2, true) && same_text(x, y, 0, 0, false));
                ga_free(x);
                ga_free(y);
            }
            ga_free(there);
            ga_free(a);
        }
    ga_array *number = ga_scalar(2.5, .device = GA_CUDA), *line = ga_from(((double[]){ 1, 2, 3 }), (3), .device = GA_CUDA);
    char     *a = ga_to_string(number), *b = ga_to_string(line, .repr = true);
    CHECK(a && !strcmp(a, "2.5"));
    CHECK(b && !strcmp(b, "array([1., 2., 3.])"));
    free(a);
    free(b);
    ga_free(number);
    ga_free(line);
}

static void test_npy(void)
{
    const int64_t shape[2] = { 13, 7 };
    for (int t = 0; t < REAL_DTYPES + 2; t++) {
        ga_dtype  dtype = t < REAL_DTYPES ? real_dtypes[t] : t == REAL_DTYPES ? GA_C64 : GA_C128;
        ga_array *a = values(dtype, 2, shape), *there = ga_to(a, GA_CUDA);
        for (int k = 0; k < LAYOUTS; k++) {
            ga_array       *x = layout(a, k), *y = layout(there, k);
            const ga_array *on_cpu[2] = { x, a }, *mixed[2] = { y, a };
            CHECK(ga_save(path_to("cpu.npy"), x) && ga_save(path_to("gpu.npy"), y));
            ga_set_device(GA_CUDA);
            ga_array *loaded = ga_load(path_to("gpu.npy"));
            ga_set_device(GA_CPU);
            CHECK(same(ga_load(path_to("cpu.npy")), loaded));
            CHECK(same_files(path_to("cpu.npy"), path_to("gpu.npy")));
            CHECK(ga_savez(path_to("cpu.npz"), 2, NULL, on_cpu) && ga_savez(path_to("gpu.npz"), 2, NULL, mixed));
            ga_set_device(GA_CUDA);
            loaded = ga_load_from(path_to("gpu.npz"), "arr_0");
            ga_set_device(GA_CPU);
            CHECK(same(ga_load_from(path_to("cpu.npz"), "arr_0"), loaded));
            CHECK(same_files(path_to("cpu.npz"), path_to("gpu.npz")));
            ga_free(x);
            ga_free(y);
        }
        ga_free(there);
        ga_free(a);
    }
}

static bool no_library(void)
{
    bool missing = ga_error_status() == GA_NO_LIBRARY;
    if (missing) ga_clear_error();
    return missing;
}

static void test_pictures(void)
{
    const int64_t shape[3] = { 20, 31, 3 };
    for (int t = 0; t < REAL_DTYPES; t++) {
        ga_array *rgb = values(real_dtypes[t], 3, shape), *rgb_there = ga_to(rgb, GA_CUDA);
        bool      saved = ga_imsave(path_to("cpu.png"), rgb);
        if (!saved && no_library()) {
            test_skip("pictures: built without stb_image_write.h", 1);
            ga_free(rgb);
            ga_free(rgb_there);
            return;
        }
        CHECK(saved && ga_imsave(path_to("gpu.png"), rgb_there));
        CHECK(same_files(path_to("cpu.png"), path_to("gpu.png")));
        ga_array *grey = ga_index(rgb, ":, ::-1, 1"), *grey_there = ga_index(rgb_there, ":, ::-1, 1");
        for (int log = 0; log < 2; log++) {
            CHECK(ga_imshow(path_to("cpu.png"), grey, .log = log, .colorbar = true, .title = "values"));
            CHECK(ga_imshow(path_to("gpu.png"), grey_there, .log = log, .colorbar = true, .title = "values"));
            CHECK(same_files(path_to("cpu.png"), path_to("gpu.png")));
        }
        ga_array *cpu = ga_render(grey, .cmap = "inferno", .scale = 2),
                 *gpu = ga_render(grey_there, .cmap = "inferno", .scale = 2);
        CHECK(cpu && gpu && gpu->device == GA_CPU && ga_array_equal(cpu, gpu)); /* pictures are for the host */
        ga_array *all[] = { cpu, gpu, grey, grey_there, rgb, rgb_there };
        for (int i = 0; i < 6; i++) ga_free(all[i]);
    }
}

static void test_fits(void)
{
    const int64_t shape[2] = { 9, 14 };
    for (int t = 1; t < REAL_DTYPES; t++) {
        ga_array *a = values(real_dtypes[t], 2, shape), *there = ga_to(a, GA_CUDA);
        for (int k = 0; k < LAYOUTS; k++) {
            ga_array *x = layout(a, k), *y = layout(there, k);
            bool      written = ga_fits_write(path_to("cpu.fits"), x);
            if (!written && no_library()) {
                test_skip("FITS: built without CFITSIO", 1);
                ga_array *all[] = { x, y, a, there };
                for (int i = 0; i < 4; i++) ga_free(all[i]);
                return;
            }
            CHECK(written && ga_fits_write(path_to("gpu.fits"), y));
            ga_set_device(GA_CUDA);
            ga_array *read = ga_fits_read(path_to("gpu.fits"));
            ga_set_device(GA_CPU);
            CHECK(same(ga_fits_read(path_to("cpu.fits")), read));
            CHECK(same_files(path_to("cpu.fits"), path_to("gpu.fits")));
            ga_free(x);
            ga_free(y);
        }
        ga_free(there);
        ga_free(a);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = { { "label", test_label_shapes },
                  { "label", test_label_patterns },
                  { "label", test_label_dtypes },
                  { "measures", test_measures },
                  { "measures", test_measures_of_views },
                  { "measures", test_measures_of_sizes },
                  { "clipping", test_clipping },
                  { "text", test_text },
                  { "npy", test_npy },
                  { "pictures", test_pictures },
                  { "fits", test_fits } };
    ga_set_error_handler(ga_ignore_error, NULL);
    ga_array *probe = ga_zeros((1), .device = GA_CUDA);
    if (!probe) {
        printf("no CUDA here: %s\n", ga_error());
        test_skip("images on the GPU: NOT tested, there is no CUDA device or the program was built without CUDA", 11);
        return test_end();
    }
    ga_free(probe);
    snprintf(directory, sizeof directory, "/tmp/gpuarr-cuda-images-XXXXXX");
    if (!mkdtemp(directory)) return perror(directory), 1;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) /* cuda_images label: only that */
        if (argc < 2 || !strcmp(argv[1], parts[k].name)) parts[k].run();
    CHECK(rmdir(directory) == 0);
    CHECK(ga_error() == NULL);
    CHECK(ga_memory_stats().arrays == 0);
    return test_end();
}
