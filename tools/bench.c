/*  bench.c -- the C side of `make bench`: each workload as a user of gpuarr writes it. tools/bench.py makes the inputs, times the peers
    in turn with this program, compares the results and prints the table. It is spoken to in lines, and answers each with one:
        load NAME FILE.npy   random NAME DTYPE SHAPE   forget   row NAME   time CALLS   save FILE.npy
        threads N   limits   overheads   draw FILE PICTURE.png
    The files of the rows that work on files lie in the folder that GPUARR_BENCH_FILES names.
        bench ROW SIZE
    times that row of chunked arrays alone, and prints its seconds: on several ranks, if it is compiled with -DBENCH_MPI.          */
#define GPUARR_IMPLEMENTATION
#define GPUARR_USER_TABLE    "tools/bench_rows.h"
#define GPUARR_USER_FORMULAS "tools/bench_formulas.h"
#ifdef BENCH_MPI
#include "gpuarr_mpi.h"
#else
#include "gpuarr.h"
#endif
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ga_sin2_cos2(...) GA_CALL_2(ga_sin2_cos2, __VA_ARGS__)
#define ga_tone(...)      GA_CALL_2(ga_tone, __VA_ARGS__)
#define ga_stretch(...)   GA_CALL_3(ga_stretch, __VA_ARGS__)

GA_ELEMENTWISE_T(wave, FLT, T, (T u, T v), GA_SIN(u) * GA_SIN(u) + GA_COS(v) * GA_COS(v))
GA_ELEMENTWISE(toned, double, (double u, double v), u + v > 1.3 ? GA_SQRT(u + v) : u + v)
GA_ELEMENTWISE(byte_of, uint8_t, (double a, double low, double scale), (uint8_t)((a - low) * scale))
GA_STENCIL(heat, (1, 1), double, (double a),
           GA_AT(0, 0) + a * (GA_AT(-1, 0) + GA_AT(1, 0) + GA_AT(0, -1) + GA_AT(0, 1) - 4 * GA_AT(0, 0)))

/* ---- inputs ----------------------------------------------------------------------------------------------------------------- */

static ga_array *x, *y, *z, *out; /* out: of the shape and dtype of x */
static ga_array *result;          /* what the last call returned; it is freed by the next one, as in a loop of Python */

static bool set_input(const char *name, ga_array *array)
{
    ga_array **input = !strcmp(name, "x") ? &x : !strcmp(name, "y") ? &y : !strcmp(name, "z") ? &z : NULL;
    if (!input) return false;
    ga_free(*input);
    *input = array;
    return array != NULL;
}

/* Uniform numbers from 0 to 1 of a shape like 1000 or 30x30; of bool, whether they are above a half. */
static ga_array *random_input(const char *dtype, const char *shape)
{
    int64_t   rows, columns = 1;
    int       ndim = sscanf(shape, "%" SCNd64 "x%" SCNd64, &rows, &columns);
    ga_array *made = NULL;
    if (ndim < 1) return NULL;
    ga_scope {
        made = ga_random((rows * columns), .dtype = !strcmp(dtype, "float64") ? GA_F64 : GA_F32, .seed = 1);
        if (ndim == 2) made = ga_reshape(made, (rows, columns));
        made = ga_keep(!strcmp(dtype, "bool") ? ga_greater(made, 0.5) : made);
    }
    return made;
}

static void forget(void)
{
    ga_free(x), ga_free(y), ga_free(z), ga_free(out), ga_free(result);
    x = y = z = out = result = NULL;
    ga_memory_trim(); /* the next row's memory is counted */
}

/* ---- workloads of more than one call ---------------------------------------------------------------------------------------- */

/* The seed's picture: sin((j + right) / 50)**2 + cos((i + down) / 50)**2, the root of what is above 1.3, as bytes. */
static void stripes(ga_array *channel, const ga_array *row, const ga_array *column, int right, int down, bool own_rows)
{
    ga_array *sine = ga_sin(ga_divide(ga_add(column, right), 50)), *cosine = ga_cos(ga_divide(ga_add(row, down), 50));
    if (own_rows) ga_tone(ga_square(sine), ga_square(cosine), .out = channel);
    else ga_add(ga_square(sine), ga_square(cosine), .out = channel);
}

static ga_array *picture(int64_t height, int64_t width, bool own_rows)
{
    ga_array *row = ga_index(ga_arange(0, height, 1), ":, newaxis"), *column = ga_arange(0, width, 1);
    ga_array *rgb = ga_empty((height, width, 3));
    stripes(ga_index(rgb, ":, :, 0"), row, column, 0, 0, own_rows);
    stripes(ga_index(rgb, ":, :, 1"), row, column, 25, 0, own_rows);
    stripes(ga_index(rgb, ":, :, 2"), row, column, 0, 25, own_rows);
    if (!own_rows) ga_sqrt(rgb, .out = rgb, .where = ga_greater(rgb, 1.3));
    double min = ga_item(ga_min(rgb)), max = ga_item(ga_max(rgb));
    if (own_rows) ga_stretch(rgb, min, 255 / (max - min), .out = rgb);
    else ga_multiply(ga_subtract(rgb, min, .out = rgb), 255 / (max - min), .out = rgb);
    return ga_astype(rgb, GA_U8);
}

/* The same, the three channels one behind the other until the bytes are written; by calls, or with two formulas of one's own. */
static ga_array *picture_in_planes(int64_t height, int64_t width, bool own)
{
    ga_array *across = ga_add(ga_arange(0, width, 1), ga_reshape(ga_values(0, 25, 0), (3, 1, 1)));
    ga_array *down   = ga_add(ga_index(ga_arange(0, height, 1), ":, newaxis"), ga_reshape(ga_values(0, 0, 25), (3, 1, 1)));
    ga_array *sine = ga_square(ga_sin(ga_divide(across, 50))), *cosine = ga_square(ga_cos(ga_divide(down, 50)));
    ga_array *rgb    = own ? ga_apply(toned, (sine, cosine)) : ga_add(sine, cosine);
    ga_array *pixels = ga_transpose(rgb, .axes = ga_axes(1, 2, 0));
    if (!own) ga_sqrt(rgb, .out = rgb, .where = ga_greater(rgb, 1.3));
    double min = ga_item(ga_min(rgb)), max = ga_item(ga_max(rgb));
    if (own) return ga_apply(byte_of, (pixels, min, 255 / (max - min)));
    ga_multiply(ga_subtract(rgb, min, .out = rgb), 255 / (max - min), .out = rgb);
    return ga_astype(pixels, GA_U8);
}

/* The same by one formula; the channels are the last axis. */
static ga_array *picture_by_formula(int64_t height, int64_t width)
{
    ga_array *i = ga_reshape(ga_arange(0, height, 1), (height, 1, 1)), *right = ga_values(0, 25, 0);
    ga_array *j = ga_reshape(ga_arange(0, width, 1), (width, 1)), *down = ga_values(0, 0, 25);
    return ga_eval("t = sin((j + right)/50)**2 + cos((i + down)/50)**2; rgb = where(t > 1.3, sqrt(t), t);"
                   "low = min(rgb); uint8((rgb - low) * (255/(max(rgb) - low)))",
                   (i, j, right, down));
}

/* (sources, 3): row, column and flux of each label */
static ga_array *measured(const ga_array *sky, const ga_array *labels)
{
    ga_array *flux = ga_sum_labels(sky, labels, NULL), *center = ga_center_of_mass(sky, labels, NULL);
    return ga_concatenate((center, ga_index(flux, ":, newaxis")), .axis = 1);
}

static ga_array *measured_at_once(const ga_array *sky, const ga_array *labels)
{
    ga_array *flux, *center = ga_center_of_mass(sky, labels, NULL, .sums = &flux);
    return ga_concatenate((center, ga_index(flux, ":, newaxis")), .axis = 1);
}

static ga_array *statistics(const ga_array *sky)
{
    ga_statistics s = ga_describe(sky);
    return ga_values(s.mean, s.median, s.std, s.max);
}

static ga_array *sources(const ga_array *sky)
{
    ga_array *bright = ga_greater(sky, 5 * ga_item(ga_std(ga_sigma_clip(sky))));
    return measured(sky, ga_label(bright));
}

static ga_array *sources_fused(const ga_array *sky)
{
    return measured_at_once(sky, ga_label(sky, .above = 5 * ga_item(ga_std(ga_sigma_clip(sky)))));
}

/* ---- decompositions, of which one result is compared ----------------------------------------------------------------------- */

static ga_array *triangle_of(const ga_array *a)
{
    ga_array *q, *r;
    return ga_qr(a, &q, &r) ? r : NULL;
}

static ga_array *eigenvalues_of(const ga_array *a)
{
    ga_array *w, *v;
    return ga_eigh(a, &w, &v) ? w : NULL;
}

static ga_array *singular_values_of(const ga_array *a)
{
    ga_array *u, *s, *vh;
    return ga_svd(a, &u, &s, &vh) ? s : NULL;
}

/* ---- chunked arrays and tasks, beside Dask ----------------------------------------------------------------------------------- */
/*  The results are a few numbers, or some of the elements: whole ones would only be carried about.                              */

/* An image of n x n pixels from a formula, its mean, and its bytes, which are stretched from the least to the most. */
static ga_array *chunked_picture(int64_t n)
{
    ga_array       *across = ga_arange(0, n, 1, .dtype = GA_F32, .chunks = ga_chunks(2000));
    ga_array       *down   = ga_expand_dims(ga_arange(0, n, 1, .dtype = GA_F32, .chunks = ga_chunks(2000)), 1);
    ga_array       *a      = ga_add(ga_multiply(across, 0.001), ga_multiply(down, 0.0007));
    ga_array       *b      = ga_add(ga_square(ga_sin(a)), ga_square(ga_cos(ga_add(a, 0.5))));
    ga_array       *least = ga_min(b), *range = ga_subtract(ga_max(b), least);
    const ga_array *wanted[2] = { ga_astype(ga_multiply(ga_divide(ga_subtract(b, least), range), 255), GA_U8),
                                  ga_mean(b, .dtype = GA_F64) };
    ga_array       *found[2];
    if (!ga_compute_n(2, wanted, found)) return NULL;
    return ga_values(ga_item(found[1]), ga_item(ga_mean(ga_index(found[0], "::16, ::16"))));
}

static ga_array *chunked_picture_by_formulas(int64_t n)
{
    ga_array       *i = ga_arange(0, n, 1, .dtype = GA_F32, .chunks = ga_chunks(2000)), *j = ga_expand_dims(i, 1);
    ga_array       *b         = ga_eval("a = 0.001*i + 0.0007*j; sin(a)**2 + cos(a + 0.5)**2", (i, j));
    const ga_array *wanted[2] = { ga_eval("low = min(b); uint8((b - low) * (255/(max(b) - low)))", (b)),
                                  ga_eval("mean(b, dtype=float64)", (b)) };
    ga_array       *found[2];
    if (!ga_compute_n(2, wanted, found)) return NULL;
    return ga_values(ga_item(found[1]), ga_item(ga_mean(ga_index(found[0], "::16, ::16"))));
}

static ga_array *chunked_cityblock(const ga_array *p, const ga_array *q)
{
    ga_array *d = ga_cdist(ga_chunked(p, 1000, -1), ga_chunked(q, 1000, -1), .metric = GA_CITYBLOCK);
    return ga_copy(ga_index(ga_compute(d), "::16, ::16"));
}

/* Ten additions and a sum, in chunks of 100 elements. */
static ga_array *many_chunks(int64_t chunks)
{
    ga_array *a = ga_zeros((chunks * 100), .chunks = ga_chunks(100));
    for (int i = 0; i < 10; i++) a = ga_add(a, i + 0.5);
    return ga_divide(ga_compute(ga_sum(a)), (double)chunks * 100);
}

/* The sum of sin(k)**2 over all k, in chunks of 10000: each is some work. */
static ga_array *sine_chunks(int64_t chunks)
{
    ga_array *a = ga_arange(0, (double)chunks * 10000, 1, .chunks = ga_chunks(10000));
    return ga_divide(ga_compute(ga_sum(ga_square(ga_sin(a)))), (double)chunks * 10000);
}

static bool increment(ga_result *r, const ga_result *in, int n, void *user)
{
    (void)in, (void)n;
    r->real = *(const double *)user + 1;
    return true;
}

static bool add_up(ga_result *r, const ga_result *in, int n, void *user)
{
    (void)user;
    r->real = 0;
    for (int k = 0; k < n; k++) r->real += in[k].real;
    return true;
}

/* A tree: n increments, and n - 1 sums of two. */
static ga_array *many_tasks(int64_t n)
{
    static double one = 1;
    ga_result     r   = { NULL };
    ga_graph     *g   = ga_graph_new();
    ga_task     **t   = (ga_task **)malloc((size_t)n * sizeof(ga_task *));
    for (int64_t k = 0; k < n && t; k++) t[k] = ga_delayed(g, increment, &one);
    for (int64_t left = n; left > 1 && t; left = (left + 1) / 2)
        for (int64_t k = 0; k < left / 2 || 2 * k < left; k++)
            t[k] = 2 * k + 1 < left ? ga_delayed(g, add_up, NULL, t[2 * k], t[2 * k + 1]) : t[2 * k];
    bool ok = t && ga_run(g, t[0], &r);
    free(t);
    ga_graph_free(g);
    return ok ? ga_values(r.real / (double)n) : NULL;
}

static const char *bench_file(const char *name) /* good until the next call but one */
{
    static char path[2][4096];
    static int  which;
    const char *folder = getenv("GPUARR_BENCH_FILES");
    which              = !which;
    snprintf(path[which], sizeof path[which], "%s/%s", folder ? folder : ".", name);
    return path[which];
}

/* The mean of a file's rows, and how each differs from it, into another file; in a sixteenth of the memory, or 8 MiB for each thread. */
static ga_array *npy_two_passes(bool synced)
{
    bool ok = false;
    ga_set_fsync(synced);
    ga_scope {
        ga_array *a    = ga_open(bench_file("big.npy"));
        int64_t   part = a ? a->size * ga_itemsize(a->dtype) / 16 : 0, least = (int64_t)ga_get_num_threads() << 23;
        ga_memory_limit(part > least ? part : least);
        ok = a && ga_store(ga_subtract(a, ga_mean(a, .axis = 0)), bench_file("anomaly.npy"));
        ga_memory_limit(0);
    }
    ga_set_fsync(true);
    return ok ? ga_compute(ga_index(ga_open(bench_file("anomaly.npy")), "::500, ::500")) : NULL;
}

enum { FILE_PART = 1 << 20 };

typedef struct plain_files {
    int  from, to;
    bool failed;
} plain_files;

static void read_part(int64_t begin, int64_t end, void *job)
{
    plain_files         *f = (plain_files *)job;
    static __thread char part[FILE_PART];
    for (int64_t k = begin; k < end; k++)
        if (pread(f->from, part, FILE_PART, (off_t)k * FILE_PART) < 0) f->failed = true;
}

static void copy_file_part(int64_t begin, int64_t end, void *job)
{
    plain_files         *f = (plain_files *)job;
    static __thread char part[FILE_PART];
    for (int64_t k = begin; k < end; k++) {
        ssize_t n = pread(f->from, part, FILE_PART, (off_t)k * FILE_PART);
        if (n < 0 || pwrite(f->to, part, (size_t)n, (off_t)k * FILE_PART) != n) f->failed = true;
    }
}

/* What reading those bytes twice and writing them once takes. */
static ga_array *npy_plain(bool synced)
{
    plain_files   f     = { open(bench_file("big.npy"), O_RDONLY), open(bench_file("plain"), O_RDWR | O_CREAT | O_TRUNC, 0600),
                            false };
    const int64_t parts = f.from < 0 ? 0 : (lseek(f.from, 0, SEEK_END) + FILE_PART - 1) / FILE_PART;
    if (f.from < 0 || f.to < 0) return NULL;
    gi_parallel(parts, 4, read_part, &f);
    gi_parallel(parts, 4, copy_file_part, &f);
    if (synced && fsync(f.to) != 0) f.failed = true;
    close(f.from), close(f.to);
    return f.failed ? NULL : ga_values(1);
}

/* ---- the rows --------------------------------------------------------------------------------------------------------------- */
/*  NEW(name, expression): what it returns is kept.   INTO(name, expression): it writes into out.                               */
/* clang-format off */
#define ROWS(NEW, INTO)                                                                                                        \
    INTO(add,             ga_add(x, y, .out = out))                                                                            \
    INTO(multiply_add,    ga_multiply_add(x, y, z, .out = out))                                                                \
    INTO(divide,          ga_divide(x, y, .out = out))                                                                         \
    INTO(sqrt,            ga_sqrt(x, .out = out))                                                                              \
    INTO(square,          ga_square(x, .out = out))                                                                            \
    INTO(exp,             ga_exp(x, .out = out))                                                                               \
    INTO(log,             ga_log(x, .out = out))                                                                               \
    INTO(sin,             ga_sin(x, .out = out))                                                                               \
    INTO(tanh,            ga_tanh(x, .out = out))                                                                              \
    INTO(power,           ga_power(x, 1.5, .out = out))                                                                        \
    NEW(add_new,          ga_add(x, y))                                                                                        \
    NEW(multiply_add_new, ga_multiply_add(x, y, z))                                                                            \
    NEW(divide_new,       ga_divide(x, y))                                                                                     \
    NEW(sqrt_new,         ga_sqrt(x))                                                                                          \
    NEW(square_new,       ga_square(x))                                                                                        \
    NEW(exp_new,          ga_exp(x))                                                                                           \
    NEW(log_new,          ga_log(x))                                                                                           \
    NEW(sin_new,          ga_sin(x))                                                                                           \
    NEW(tanh_new,         ga_tanh(x))                                                                                          \
    NEW(power_new,        ga_power(x, 1.5))                                                                                    \
    NEW(sin2_cos2_calls,  ga_add(ga_square(ga_sin(x)), ga_square(ga_cos(y))))                                                  \
    NEW(sin2_cos2,        ga_sin2_cos2(x, y))                                                                                  \
    NEW(sin2_cos2_own,    ga_apply(wave, (x, y)))                                                                              \
    NEW(where_number,     ga_where(ga_greater(x, 0.5), 1, 0))                                                                  \
    NEW(where_array,      ga_where(z, x, y))                                                                                   \
    NEW(greater,          ga_greater(x, 0.5))                                                                                  \
    NEW(to_other_float,   ga_astype(x, x->dtype == GA_F32 ? GA_F64 : GA_F32))                                                  \
    NEW(to_u8,            ga_astype(x, GA_U8))                                                                                 \
    INTO(copyto_mask,     ga_copyto(out, x, .where = z))                                                                       \
    NEW(compress,         ga_extract(ga_greater(x, 0.5), x))                                                                   \
    NEW(copy,             ga_copy(x))                                                                                          \
    NEW(transposed_copy,  ga_copy(ga_transpose(x)))                                                                            \
    NEW(transposed_add,   ga_add(ga_transpose(x), y))                                                                          \
    NEW(mirrored_copy,    ga_copy(ga_fliplr(x)))                                                                               \
    NEW(sum,              ga_sum(x))                                                                                           \
    NEW(sum_0,            ga_sum(x, .axis = 0))                                                                                \
    NEW(sum_1,            ga_sum(x, .axis = 1))                                                                                \
    NEW(mean,             ga_mean(x))                                                                                          \
    NEW(std,              ga_std(x))                                                                                           \
    NEW(std_0,            ga_std(x, .axis = 0))                                                                                \
    NEW(std_1,            ga_std(x, .axis = 1))                                                                                \
    NEW(min,              ga_min(x))                                                                                           \
    NEW(max,              ga_max(x))                                                                                           \
    NEW(max_0,            ga_max(x, .axis = 0))                                                                                \
    NEW(max_1,            ga_max(x, .axis = 1))                                                                                \
    NEW(argmax,           ga_argmax(x))                                                                                        \
    NEW(argmax_0,         ga_argmax(x, .axis = 0))                                                                             \
    NEW(argmax_1,         ga_argmax(x, .axis = 1))                                                                             \
    NEW(cumsum,           ga_cumsum(x))                                                                                        \
    NEW(median,           ga_median(x))                                                                                        \
    NEW(median_0,         ga_median(x, .axis = 0))                                                                             \
    NEW(sort,             ga_sort(x))                                                                                          \
    NEW(histogram,        ga_histogram(x, 256, .low = -5, .high = 5))                                                          \
    NEW(random,           ga_random((x->size), .dtype = GA_F32, .seed = 1))                                                    \
    NEW(normal,           ga_random_normal(0, 1, (x->size), .dtype = GA_F32, .seed = 1))                                       \
    NEW(picture,          picture(x->shape[0], x->shape[1], false))                                                            \
    NEW(picture_formula, picture_by_formula(x->shape[0], x->shape[1]))                                                       \
    NEW(picture_own_rows, picture(x->shape[0], x->shape[1], true))                                                             \
    NEW(picture_planes,   picture_in_planes(x->shape[0], x->shape[1], false))                                                  \
    NEW(picture_own,      picture_in_planes(x->shape[0], x->shape[1], true))                                                   \
    NEW(convolve,         ga_convolve(x, y))                                                                                   \
    NEW(convolve2d,       ga_convolve2d(x, y))                                                                                 \
    INTO(heat,            ga_stencil(heat, (x, 0.1), .border = GA_BORDER_CONSTANT, .out = out))                                \
    INTO(heat_16,         ga_stencil(heat, (x, 0.1), .border = GA_BORDER_CONSTANT, .steps = 16, .out = out))                   \
    NEW(gaussian,         ga_gaussian_filter(x, 2))                                                                            \
    NEW(median_filter,    ga_median_filter(x, 3, .border = GA_BORDER_NEAREST))                                                 \
    NEW(maximum_filter,   ga_maximum_filter(x, 9, .border = GA_BORDER_NEAREST))                                                \
    NEW(matmul,           ga_matmul(x, y))                                                                                     \
    NEW(cityblock,        ga_cdist(x, y, .metric = GA_CITYBLOCK))                                                              \
    NEW(sqeuclidean,      ga_cdist(x, y, .metric = GA_SQEUCLIDEAN))                                                            \
    NEW(canberra,         ga_cdist(x, y, .metric = GA_CANBERRA))                                                               \
    NEW(minkowski,        ga_cdist(x, y, .metric = GA_MINKOWSKI, .p = 3))                                                      \
    NEW(mahalanobis,      ga_cdist(x, y, .metric = GA_MAHALANOBIS))                                                            \
    NEW(euclidean,        ga_cdist(x, y))                                                                                      \
    NEW(pairs,            ga_pdist(x))                                                                                         \
    NEW(clip,             ga_sigma_clip(x))                                                                                    \
    NEW(statistics,       ga_values(ga_item(ga_mean(x)), ga_item(ga_median(x)), ga_item(ga_std(x)), ga_item(ga_max(x))))       \
    NEW(statistics_fused, statistics(x))                                                                                       \
    NEW(label,            ga_label(x))                                                                                         \
    NEW(measures,         measured(x, y))                                                                                      \
    NEW(measures_fused,   measured_at_once(x, y))                                                                              \
    NEW(chunked_formulas, chunked_picture_by_formulas(x->size))                                                               \
    NEW(chunked_picture,  chunked_picture(x->size))                                                                            \
    NEW(chunked_cityblock, chunked_cityblock(x, y))                                                                            \
    NEW(many_chunks,      many_chunks(x->size))                                                                                \
    NEW(sine_chunks,      sine_chunks(x->size))                                                                                \
    NEW(many_tasks,       many_tasks(x->size))                                                                                 \
    NEW(loadtxt,          ga_loadtxt(bench_file("table.txt")))                                                                 \
    NEW(savetxt,          ga_savetxt(bench_file("written.txt"), x) ? ga_values(1) : NULL)                                      \
    NEW(npy_two_passes,   npy_two_passes(true))                                                                                \
    NEW(npy_cached,       npy_two_passes(false))                                                                               \
    NEW(npy_plain,        npy_plain(true))                                                                                     \
    NEW(npy_plain_cached, npy_plain(false))                                                                                    \
    NEW(every_500th,      ga_compute(ga_mean(ga_index(ga_random((500000, 500000), .chunks = ga_chunks(0)), "::500, ::500"))))  \
    NEW(sources,          sources(x))                                                                                          \
    NEW(sources_fused,    sources_fused(x))                                                                                    \
    NEW(solve,            ga_solve(x, y))                                                                                      \
    NEW(inv,              ga_inv(x))                                                                                           \
    NEW(det,              ga_det(x))                                                                                           \
    NEW(cholesky,         ga_cholesky(x))                                                                                      \
    NEW(qr,               triangle_of(x))                                                                                      \
    NEW(eigh,             eigenvalues_of(x))                                                                                   \
    NEW(eigvalsh,         ga_eigvalsh(x))                                                                                      \
    NEW(svd,              singular_values_of(x))                                                                               \
    NEW(svdvals,          ga_svdvals(x))                                                                                       \
    NEW(fft,              ga_fft(x))                                                                                           \
    NEW(rfft,             ga_rfft(x))                                                                                          \
    NEW(fft2,             ga_fft2(x))                                                                                          \
    NEW(take,             ga_take(x, y))                                                                                       \
    INTO(put,             ga_put(out, y, z))                                                                                   \
    INTO(add_at,          ga_add_at(out, (y), z))                                                                              \
    NEW(unique,           ga_unique(x))                                                                                        \
    NEW(intersect1d,      ga_intersect1d(x, y))                                                                                \
    NEW(isin,             ga_isin(x, y))                                                                                       \
    NEW(searchsorted,     ga_searchsorted(x, y))                                                                               \
    NEW(interp,           ga_interp(x, y, z))                                                                                  \
    NEW(permutation,      ga_random_permutation(x))                                                                            \
    NEW(poisson,          ga_random_poisson(3, (x->size)))                                                                     \
    NEW(exponential,      ga_random_exponential(1, (x->size)))                                                                 \
    NEW(binary_erosion,   ga_binary_erosion(x, .iterations = 3))                                                               \
    NEW(grey_dilation,    ga_grey_dilation(x, 5))                                                                              \
    NEW(distances_to_0,   ga_distance_transform_edt(x))                                                                        \
    NEW(rotate,           ga_rotate(x, 30, .order = 1, .reshape = false))                                                      \
    NEW(zoom,             ga_zoom(x, 2))                                                                                       \
    NEW(lfilter,          ga_lfilter(y, z, x))                                                                                 \
    NEW(savgol_filter,    ga_savgol_filter(x, 31, 3))                                                                          \
    NEW(find_peaks,       ga_find_peaks(x))                                                                                    \
    NEW(welch,            ga_welch(x))                                                                                         \
    NEW(hilbert,          ga_hilbert(x))

/* clang-format on */
#define NEW_CALL(name, ...)                                                                                                    \
    static void call_##name(void)                                                                                              \
    {                                                                                                                          \
        ga_free(result);                                                                                                       \
        ga_scope {                                                                                                             \
            result = ga_keep(__VA_ARGS__);                                                                                     \
        }                                                                                                                      \
    }
#define INTO_CALL(name, ...)                                                                                                   \
    static void call_##name(void) { (void)(__VA_ARGS__); }
ROWS(NEW_CALL, INTO_CALL)

#include "bench_eval.h"

typedef struct row {
    const char *name;
    void (*call)(void);
    bool into;
} row;
#define NEW_ROW(name, ...)  { #name, call_##name, false },
#define INTO_ROW(name, ...) { #name, call_##name, true },
static const row rows[] = {
    ROWS(NEW_ROW, INTO_ROW) FORMULAS(FORMULA_ROWS){ "eval_squares", call_eval_squares, false },
    { "calls_squares", call_calls_squares, false },
    { "own_squares", call_own_squares, false },
};
static const row *chosen;

static bool choose(const char *name)
{
    chosen = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].name, name)) chosen = &rows[i];
    if (chosen && chosen->into && !out) out = ga_copy(x);
    if (chosen) chosen->call();
    return chosen && !ga_error();
}

static double seconds_per_call(long calls)
{
    double start = ga_now();
    for (long i = 0; i < calls; i++) chosen->call();
    return (ga_now() - start) / (double)calls;
}

/* ---- the limits of this machine: what its memory and its arithmetic can do ----------------------------------------------------- */

/* Sixteen chains of fused products, so that none waits for another. */
#if defined(__x86_64__)
#ifdef __clang__ /* takes the width of the vectors as it is */
#define FMA_512 __attribute__((target("avx512f")))
#else
#define FMA_512 __attribute__((target("avx512f,prefer-vector-width=512")))
#endif
#define FMA_256 __attribute__((target("avx2,fma")))
#else
#define FMA_512
#define FMA_256
#endif
#define FMA_LOOP(T, lanes)                                                                                                     \
    typedef T vector __attribute__((vector_size(lanes * sizeof(T))));                                                          \
    vector    chain[16], a = { 0 }, b = { 0 };                                                                                 \
    a += (T)0.999, b += (T)1e-9;                                                                                               \
    GI_UNROLL                                                                                                                  \
    for (int c = 0; c < 16; c++) chain[c] = a + (T)c;                                                                          \
    for (int64_t i = begin; i < end; i++)                                                                                      \
        for (int k = 0; k < 64; k++) {                                                                                         \
            GI_UNROLL                                                                                                          \
            for (int c = 0; c < 16; c++) chain[c] = chain[c] * a + b;                                                          \
        }                                                                                                                      \
    GI_UNROLL                                                                                                                  \
    for (int c = 1; c < 16; c++) chain[0] += chain[c];                                                                         \
    ((double *)sink)[0] = (double)chain[0][0];

static void FMA_512 fma_f32_512(int64_t begin, int64_t end, void *sink) { FMA_LOOP(float, 16) }
static void FMA_512 fma_f64_512(int64_t begin, int64_t end, void *sink) { FMA_LOOP(double, 8) }
static void FMA_256 fma_f32_256(int64_t begin, int64_t end, void *sink) { FMA_LOOP(float, 8) }
static void FMA_256 fma_f64_256(int64_t begin, int64_t end, void *sink) { FMA_LOOP(double, 4) }

/* Eight sums of vectors: as fast as bytes can be read. */
#define READ_LOOP(bytes)                                                                                                       \
    typedef uint64_t vector __attribute__((vector_size(bytes), may_alias));                                                    \
    vector           sum[8] = { { 0 } };                                                                                       \
    const vector    *v      = (const vector *)(const void *)p;                                                                 \
    for (size_t i = 0; i + 8 <= n / sizeof(vector); i += 8) {                                                                  \
        GI_UNROLL                                                                                                              \
        for (int c = 0; c < 8; c++) sum[c] += v[i + (size_t)c];                                                                \
    }                                                                                                                          \
    GI_UNROLL                                                                                                                  \
    for (int c = 1; c < 8; c++) sum[0] += sum[c];                                                                              \
    return sum[0][0];
static uint64_t FMA_512 read_512(const char *p, size_t n) { READ_LOOP(64) }
static uint64_t FMA_256 read_256(const char *p, size_t n) { READ_LOOP(32) }

typedef struct traffic {
    char    *from, *to; /* to: NULL where bytes are only read */
    size_t   part;      /* bytes of a unit */
    int      rounds;
    uint64_t seen; /* so that no compiler leaves the reading out */
} traffic;

static void move_part(int64_t begin, int64_t end, void *job)
{
    traffic *t  = (traffic *)job;
    size_t   at = (size_t)begin * t->part, n = (size_t)(end - begin) * t->part;
    uint64_t seen = 0;
    for (int i = 0; i < t->rounds; i++) {
        if (t->to) memcpy(t->to + at, t->from + at, n);
        else seen += !strcmp(ga_isa(), "avx512") ? read_512(t->from + at, n) : read_256(t->from + at, n);
        __asm__ volatile("" ::: "memory");
    }
    if (seen == 1) t->seen = seen;
}

static double best_seconds(int64_t units, int64_t chunk, gi_task task, void *job)
{
    double best = INFINITY;
    for (int i = 0; i < 15; i++) {
        double start = ga_now();
        gi_parallel(units, chunk, task, job);
        best = fmin(best, ga_now() - start);
    }
    return best;
}

/* Bytes per second of data that are so many bytes, read and written or only read: one thread's, over and over, or all threads'. */
static double traffic_rate(char *memory, size_t bytes, bool copied)
{
    enum { UNITS = 32 };
    size_t  each = copied ? bytes / 2 : bytes;
    traffic t    = { memory, copied ? memory + each : NULL, each / UNITS, 1 + (int)((1 << 20) / bytes), 0 };
    double  one  = best_seconds(1, 1, move_part, &(traffic){ t.from, t.to, each, t.rounds, 0 });
    return (double)bytes * t.rounds / fmin(one, best_seconds(UNITS, UNITS / 4, move_part, &t));
}

enum { LEAST_LIMIT = 14, MOST_LIMIT = 28 }; /* sizes from 16 KiB to 256 MiB */

/* Operations per second in float32 and in float64; then sizes, and bytes per second of a copy and of a sum of so many bytes. */
static void print_limits(void)
{
    enum { ROUNDS = 20000 };
    double  sink[2];
    char   *p    = (char *)aligned_alloc(64, (size_t)1 << MOST_LIMIT);
    bool    wide = !strcmp(ga_isa(), "avx512");
    int64_t n    = (int64_t)4 * ga_get_num_threads() * ROUNDS;
    double  ops  = (double)n * 64 * 16 * 2 * (wide ? 64 : 32); /* times the bytes of a vector */
    if (!p) return;
    memset(p, 1, (size_t)1 << MOST_LIMIT);
    printf("%g %g", ops / 4 / best_seconds(n, ROUNDS, wide ? fma_f32_512 : fma_f32_256, sink),
           ops / 8 / best_seconds(n, ROUNDS, wide ? fma_f64_512 : fma_f64_256, sink));
    for (int k = LEAST_LIMIT; k <= MOST_LIMIT; k += 2)
        printf(" %zu %g %g", (size_t)1 << k, traffic_rate(p, (size_t)1 << k, true), traffic_rate(p, (size_t)1 << k, false));
    printf("\n");
    free(p);
}

/* ---- the pictures ----------------------------------------------------------------------------------------------------------- */
/*  tools/benching/drawing.py says what is where, in lines:
        page WIDTH HEIGHT   box X Y WIDTH HEIGHT COLOUR   line X Y X2 Y2 COLOUR   text X Y SIZE WORDS                            */

static void draw_line(gi_canvas *canvas, int64_t ax, int64_t ay, int64_t bx, int64_t by, uint32_t colour)
{
    int64_t steps = llabs(bx - ax) > llabs(by - ay) ? llabs(bx - ax) : llabs(by - ay);
    for (int64_t k = 0; k <= steps; k++)
        gi_fill_box(canvas, ax + (steps ? (bx - ax) * k / steps : 0) - 1, ay + (steps ? (by - ay) * k / steps : 0) - 1, 3, 3,
                    colour);
}

static bool draw(const char *lines, const char *picture_png)
{
    char      line[512], words[400];
    long      a, b, c, d;
    unsigned  colour;
    ga_array *page   = NULL;
    gi_canvas canvas = { NULL, 0, 0 };
    FILE     *f      = fopen(lines, "r");
    if (!f) return false;
    while (fgets(line, sizeof line, f)) {
        if (!page && sscanf(line, "page %ld %ld", &a, &b) == 2) {
            page = ga_full((b, a, 3), 255, .dtype = GA_U8);
            if (!page) break;
            canvas = (gi_canvas){ (unsigned char *)ga_data(page, GA_U8), b, a };
        } else if (sscanf(line, "box %ld %ld %ld %ld %x", &a, &b, &c, &d, &colour) == 5)
            gi_fill_box(&canvas, a, b, c, d, colour);
        else if (sscanf(line, "line %ld %ld %ld %ld %x", &a, &b, &c, &d, &colour) == 5) draw_line(&canvas, a, b, c, d, colour);
        else if (sscanf(line, "text %ld %ld %ld %399[^\n]", &a, &b, &c, words) == 4) gi_draw_text(&canvas, a, b, c, words);
    }
    fclose(f);
    bool done = page && ga_imsave(picture_png, page);
    ga_free(page);
    return done;
}

/* ---- a row alone, on all ranks ---------------------------------------------------------------------------------------------- */

static int time_alone(const char *name, const char *size)
{
    double best = INFINITY, spent = 0;
    x = ga_zeros((atoll(size)), .dtype = GA_U8);
    if (!x || !choose(name)) return 1;
    for (int i = 0; i < 25 && (i < 2 || spent < 0.3); i++) {
        double seconds = seconds_per_call(1);
        best           = fmin(best, seconds);
        spent += seconds;
#ifdef BENCH_MPI
        spent = i < 4 ? 0 : 1; /* all ranks make as many calls */
#endif
    }
    if (ga_rank() == 0) printf("%.9g\n", best);
    forget();
    return 0;
}

int main(int argc, char **argv)
{
    char line[8192], word[64], path[4096], second[4096];
    long calls;
    if (argc == 3) return time_alone(argv[1], argv[2]);
    while (fgets(line, sizeof line, stdin)) {
        bool done = true;
        if (sscanf(line, "time %ld", &calls) == 1 && chosen) printf("%.9g\n", seconds_per_call(calls));
        else if (!strncmp(line, "limits", 6)) print_limits();
        else if (!strncmp(line, "overheads", 9)) print_overheads();
        else {
            if (sscanf(line, "load %63s %4095[^\n]", word, path) == 2) done = set_input(word, ga_load(path));
            else if (sscanf(line, "random %63s %63s %4095s", word, path, second) == 3)
                done = set_input(word, random_input(path, second));
            else if (sscanf(line, "row %63s", word) == 1) done = choose(word);
            else if (sscanf(line, "threads %ld", &calls) == 1) ga_set_num_threads((int)calls);
            else if (sscanf(line, "save %4095[^\n]", path) == 1) done = ga_save(path, chosen && chosen->into ? out : result);
            else if (sscanf(line, "draw %4095s %4095[^\n]", path, second) == 2) done = draw(path, second);
            else if (!strncmp(line, "forget", 6)) forget();
            else done = false;
            printf("%s\n", done ? "ok" : "failed");
        }
        fflush(stdout);
        ga_clear_error();
    }
    forget();
    return 0;
}
