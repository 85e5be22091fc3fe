/*  chunked_gpu.c -- GPUs that help to compute chunked arrays: each does its part, the bits are those of the CPU, what a GPU cannot do
    the CPU does, and no error on a GPU loses work. tests/cuda.sh runs chunked.c, chunked_ops.c and chunked_files.c so, too.
    With tools/cudasim there are two GPUs. Compiled by a C compiler, so that its own kernels are for the CPU only.          */
#define GPUARR_KERNELS
#include "chunked.h"

/* Of cudasim: makes calls of the CUDA runtime fail. */
extern void cudasim_fail(const char *kind, long n) __attribute__((weak));

GA_ELEMENTWISE(halved, double, (double x), 0.5 * x + (double)GA_INDEX)
GA_STENCIL(around, (1, 1), double, (void), GA_AT(-1, 0) + 2 * GA_AT(0, 0) - GA_AT(0, 1))
GA_REDUCTION(dot_of, double, (double x, double y), double, 0, x *y, a + b, a)

static int gpus;

/* Does each GPU have arrays meanwhile? */
static bool on_each(ga_array *chunked, ga_array *memory)
{
    for (int k = 0; k < gpus; k++) {
        ga_cuda_select(k);
        ga_cuda_memory_reset_peak();
    }
    bool ok = same(chunked, memory);
    for (int k = gpus - 1; k >= 0; k--) {
        ga_cuda_select(k);
        ga_cuda_memory m = ga_cuda_memory_stats();
        if (m.peak_bytes == 0) printf("     GPU %d did nothing\n", k);
        ok = ok && m.peak_bytes > 0 && m.used_bytes == 0;
    }
    return ok;
}
#define ON_EACH(...) test_check(on_each(__VA_ARGS__), __FILE__, __LINE__, #__VA_ARGS__)

static void each_works(void)
{
    ga_scope {
        ga_shape  c = ga_chunks(100, 250);
        ga_array *m = ga_random((800, 500), .seed = 3), *x = (ga_chunked)(m, c, "\ttest");
        ON_EACH(ga_sin(ga_add(x, 1)), ga_sin(ga_add(m, 1)));
        ON_EACH(ga_index(ga_add(x, 1), "::-2, 7::3"), ga_index(ga_add(m, 1), "::-2, 7::3"));
        ON_EACH(ga_sum(ga_sqrt(x), .axis = 1), ga_sum(ga_sqrt(m), .axis = 1));
        ON_EACH(ga_std(ga_sqrt(x), .axis = 0), ga_std(ga_sqrt(m), .axis = 0));
        ON_EACH(ga_median(ga_sqrt(x), .axis = 1), ga_median(ga_sqrt(m), .axis = 1));
        ON_EACH(ga_percentile(x, 30, .axis = 0), ga_percentile(m, 30, .axis = 0));
        ON_EACH(ga_random((800, 500), .seed = 9, .chunks = c), ga_random((800, 500), .seed = 9));
        SAME(ga_round(ga_multiply(x, ga_complex(1, 2)), 2),
             ga_round(ga_multiply(m, ga_complex(1, 2)), 2)); /* a kernel for the CPU alone */
        SAME(ga_cumsum(x, .axis = 1), ga_cumsum(m, .axis = 1));
        SAME(ga_matmul(ga_index(x, ":200, :100"), ga_index(x, ":100, :200")),
             ga_matmul(ga_index(m, ":200, :100"), ga_index(m, ":100, :200")));
        ga_array *out = ga_zeros((800, 500)), *wide = ga_zeros((800, 1000)), *part = ga_index(wide, ":, ::2");
        CHECK(ga_compute(ga_add(x, 1), .out = out) == out && ga_array_equal(out, ga_add(m, 1)));
        CHECK(ga_compute(ga_add(x, 1), .out = part) == part && ga_array_equal(part, out)); /* elements that lie apart */
        const ga_array *of[2]      = { ga_add(x, 2), ga_greater(ga_add(x, 2), 2.5) };
        ga_array       *results[2] = { NULL };
        CHECK(ga_compute_n(2, of, results) && ga_array_equal(results[0], ga_add(m, 2)) &&
              ga_array_equal(results[1], ga_greater(ga_add(m, 2), 2.5)));
        ga_array *kept = ga_persist(ga_sin(x));
        ON_EACH(ga_add(kept, ga_mean(kept)), ga_add(ga_sin(m), ga_mean(ga_sin(m))));
    }
}

/* Made on the GPU, whichever elements are asked for. */
static void generated(void)
{
    ga_scope {
        ga_shape c = ga_chunks(50, 33), line = ga_chunks(1000);
#define PARTS(chunked, memory)                                                                                                 \
    do {                                                                                                                       \
        ga_array *x = (chunked), *m = (memory);                                                                                \
        SAME(x, m);                                                                                                            \
        SAME(ga_index(x, "..., 3::5"), ga_index(m, "..., 3::5"));                                                              \
        SAME(ga_index(x, "..., ::-1"), ga_index(m, "..., ::-1"));                                                              \
        SAME(ga_index(ga_ravel(x), "777:2999"), ga_index(ga_ravel(m), "777:2999"));                                            \
    } while (0)
        PARTS(ga_random((101, 77), .seed = 3, .chunks = c), ga_random((101, 77), .seed = 3));
        PARTS(ga_random((101, 77), .dtype = GA_F32, .chunks = c), ga_random((101, 77), .dtype = GA_F32));
        PARTS(ga_random_normal(1, 2, (101, 77), .chunks = c), ga_random_normal(1, 2, (101, 77)));
        PARTS(ga_random_integers(-5, 50, (101, 77), .chunks = c), ga_random_integers(-5, 50, (101, 77)));
        PARTS(ga_random_integers(0, 200, (101, 77), .dtype = GA_U8, .chunks = c),
              ga_random_integers(0, 200, (101, 77), .dtype = GA_U8));
        PARTS(ga_random_exponential(2, (101, 77), .chunks = c), ga_random_exponential(2, (101, 77)));
        PARTS(ga_random_gamma(0.7, 2, (101, 77), .chunks = c), ga_random_gamma(0.7, 2, (101, 77)));
        PARTS(ga_random_poisson(50, (101, 77), .dtype = GA_U8, .chunks = c), ga_random_poisson(50, (101, 77), .dtype = GA_U8));
        PARTS(ga_arange(0, 9000, 3, .chunks = line), ga_arange(0, 9000, 3));
        PARTS(ga_arange(0, 3000, 1, .dtype = GA_I16, .chunks = line), ga_arange(0, 3000, 1, .dtype = GA_I16));
        PARTS(ga_arange(0.5, 900, 0.25, .dtype = GA_F32, .chunks = line), ga_arange(0.5, 900, 0.25, .dtype = GA_F32));
        PARTS(ga_linspace(0, 1, 4001, .chunks = line), ga_linspace(0, 1, 4001));
        PARTS(ga_full((101, 77), 2.5, .chunks = c), ga_full((101, 77), 2.5));
        PARTS(ga_ones((101, 77), .dtype = GA_C64, .chunks = c), ga_ones((101, 77), .dtype = GA_C64));
        PARTS(ga_eye(90, 70, 2, .chunks = c), ga_eye(90, 70, 2)); /* made by the CPU */
    }
}

/* Branches of long lines, folded there or here. */
static void long_lines(void)
{
    ga_scope {
        int64_t   n = test_small() ? 1100003 : 2500003;
        ga_array *m = ga_random((n), .dtype = GA_F32, .seed = 5), *x = ga_chunked(m, 400000),
                 *i = ga_astype(ga_multiply(m, 1000), GA_I32), *y = ga_chunked(i), *hole = ga_copy(m), *z = ga_chunked(hole);
        ga_copyto(ga_index(hole, "5:70000"), NAN);
        ON_EACH(ga_sum(x), ga_sum(m));
        SAME(ga_std(x), ga_std(m));
        SAME(ga_argmax(x), ga_argmax(m));
        SAME(ga_max(x), ga_max(m));
        SAME(ga_prod(ga_add(x, 0.6)), ga_prod(ga_add(m, 0.6)));
        SAME(ga_sum(y), ga_sum(i));
        SAME(ga_sum(x, .dtype = GA_F64), ga_sum(m, .dtype = GA_F64));
        SAME(ga_sum(y, .dtype = GA_F32), ga_sum(i, .dtype = GA_F32));
        SAME(ga_mean(y), ga_mean(i));
        SAME(ga_any(y), ga_any(i));
        SAME(ga_count_nonzero(y), ga_count_nonzero(i));
        SAME(ga_nansum(z), ga_nansum(hole));
        SAME(ga_min(z), ga_min(hole));
        SAME(ga_nanargmin(z), ga_nanargmin(hole));
        SAME(ga_nanmean(z), ga_nanmean(hole));
        ga_array       *results[3] = { NULL };
        const ga_array *of[3]      = { ga_mean(x), ga_var(x), ga_min(x) }; /* one pass */
        CHECK(ga_compute_n(3, of, results) && ga_array_equal(results[0], ga_mean(m)) && ga_array_equal(results[1], ga_var(m)) &&
              ga_array_equal(results[2], ga_min(m)));
    }
}

static bool turn(ga_array *out, const ga_array *const *in, int n, const ga_block *where, void *user)
{
    (void)n, (void)where;
    if (user) return false;
    const double *x = (const double *)in[0]->data; /* of the CPU */
    for (int64_t i = 0; i < out->size; i++) ((double *)out->data)[i] = 1 - x[i];
    return out->device == GA_CPU && in[0]->device == GA_CPU;
}

/* What only the CPU can do, below and above of what a GPU can. (In tests/cuda_chunked.cu the GPU has the kernels.) */
static void cpu_only(void)
{
    ga_scope {
        ga_shape  c = ga_chunks(50, 120);
        ga_array *m = ga_random((200, 240), .seed = 4), *x = (ga_chunked)(m, c, "\ttest"), *s = ga_sin(m), *y = ga_sin(x);
        ON_EACH(ga_add(ga_map_blocks(y, turn, NULL), 1), ga_add(ga_subtract(1, s), 1));
        ON_EACH(ga_sqrt(ga_map_overlap(y, turn, NULL, .depth = ga_axes(1, 2))), ga_sqrt(ga_subtract(1, s)));
        ON_EACH(ga_add(ga_apply(halved, (y)), 1), ga_add(ga_apply(halved, (s)), 1));
        ON_EACH(ga_exp(ga_stencil(around, (y))), ga_exp(ga_stencil(around, (s))));
        ON_EACH(ga_reduce(dot_of, (y, x), .axis = 1), ga_reduce(dot_of, (s, m), .axis = 1));
        SAME(ga_reduce(dot_of, (y, x)), ga_reduce(dot_of, (s, m)));
        SAME(ga_pdist(ga_index(y, ":60")), ga_pdist(ga_index(s, ":60")));
        bool away = true;
        CHECK_FAILS(ga_compute(ga_add(ga_map_blocks(y, turn, &away), 1)), "the function returned false for chunk number");
        CHECK_FAILS(ga_compute(ga_add(ga_map_blocks(y, turn, &away), 1)), "(for the elements [");
    }
}

static void stored(void)
{
    ga_scope {
        ga_shape  c = ga_chunks(100, 120);
        ga_array *m = ga_random((700, 240), .seed = 4), *x = (ga_chunked)(m, c, "\ttest");
        CHECK(ga_store(ga_sin(x), "build/tests/gpu.npy") && ga_array_equal(ga_load("build/tests/gpu.npy"), ga_sin(m)));
        CHECK(ga_store(ga_transpose(x), "build/tests/gpu.zarr", .overwrite = true));
        ga_array *file = ga_open("build/tests/gpu.zarr");
        ON_EACH(ga_add(file, 1), ga_transpose(ga_add(m, 1)));
        ON_EACH(ga_mean(ga_open("build/tests/gpu.npy"), .axis = 0), ga_mean(ga_sin(m), .axis = 0));
        CHECK(ga_store(ga_cos(x), "build/tests/gpu.npy", .resume = true));
        CHECK(ga_array_equal(ga_load("build/tests/gpu.npy"), ga_cos(m)));
    }
}

static void limit_each(int64_t bytes)
{
    for (int k = gpus - 1; k >= 0; k--) {
        ga_cuda_select(k);
        ga_cuda_memory_reset_peak();
        ga_cuda_memory_limit(bytes);
    }
}

/* Pieces are halved until they fit; if nothing does, the CPU works alone. */
static void little_memory(void)
{
    const int64_t limits[] = { 300000, 40000, 100 };
    ga_scope {
        ga_shape  c = ga_chunks(150, 500);
        ga_array *m = ga_random((600, 500), .seed = 3), *x = (ga_chunked)(m, c, "\ttest");
        for (int k = 0; k < 3; k++) {
            limit_each(limits[k]);
            SAME(ga_sin(ga_multiply(ga_add(x, 1), x)), ga_sin(ga_multiply(ga_add(m, 1), m)));
            SAME(ga_sum(ga_sin(x), .axis = 1), ga_sum(ga_sin(m), .axis = 1));
            SAME(ga_sum(ga_sin(x)), ga_sum(ga_sin(m)));
            SAME(ga_std(ga_ravel(x)), ga_std(ga_ravel(m)));
            SAME(ga_reduce(dot_of, (x, x)), ga_reduce(dot_of, (m, m)));
            SAME(ga_cumsum(x, .axis = 1), ga_cumsum(m, .axis = 1)); /* whole chunks only */
            ga_cuda_memory used = ga_cuda_memory_stats();
            CHECK(used.peak_bytes <= limits[k] && (k == 2 || used.peak_bytes > 0) && used.used_bytes == 0);
        }
        limit_each(0);
    }
}

/* One call of the CUDA runtime fails: the right bits or an error that says where, and nothing is lost. */
static void failures(const char *kind)
{
    ga_scope {
        ga_array *m = ga_random((60, 500), .seed = 3), *x = ga_chunked(m, 30, 500), *of[3] = { NULL }, *want[3] = { NULL };
        of[0]   = ga_sin(ga_add(x, 1));
        want[0] = ga_sin(ga_add(m, 1));
        of[1]   = ga_sum(ga_add(x, 1), .axis = 1);
        want[1] = ga_sum(ga_add(m, 1), .axis = 1);
        of[2]   = ga_sum(ga_cumsum(x, .axis = 1), .axis = 0);
        want[2] = ga_sum(ga_cumsum(m, .axis = 1), .axis = 0);
        ga_set_error_handler(ga_ignore_error, NULL);
        for (int k = 0; k < 3; k++)
            for (long n = 1; n < (test_small() ? 40 : 150); n++) {
                int64_t used = ga_memory_stats().used_bytes;
                ga_clear_error();
                cudasim_fail(kind, n);
                ga_array *r = ga_compute(of[k]);
                cudasim_fail(kind, 0);
                bool ok = r ? ga_array_equal(r, want[k]) : ga_error() && strstr(ga_error(), "(for the elements [");
                if (!ok) printf("     expression %d, %s %ld: %s\n", k, kind, n, r ? "wrong elements" : ga_error());
                CHECK(ok);
                ga_free(r);
                ga_clear_error();
                CHECK(ga_memory_stats().used_bytes == used && ga_cuda_memory_stats().used_bytes == 0);
            }
        ga_set_error_handler(NULL, NULL);
    }
}

/* `chunked_gpu report`: with GA_REPORT and GA_TRACE. */
static void report(void)
{
    ga_scope {
        ga_array *x    = ga_chunked(ga_random((800, 500)), 100, 250);
        char     *text = ga_to_string(ga_sin(x));
        CHECK(text && strstr(text, " on each of 2 GPUs>"));
        free(text);
        CHECK(ga_compute(ga_sin(x)));
        CHECK(count_in("build/tests/gpu.html", ">GPU 0<") == 1 && count_in("build/tests/gpu.html", ">GPU 1<") == 1);
        CHECK(count_in("build/tests/gpu.html", ">thread 0<") == 1 && count_in("build/tests/gpu.html", "and 2 GPUs;") == 1);
        CHECK(count_in("build/tests/gpu.json", "{\"name\":\"GPU 0\"}") == 1 &&
              count_in("build/tests/gpu.json", "\"tid\":1001") >= 2);
    }
}

/* `chunked_gpu asked`: GPUARR_NUM_GPUS asks for more than there are. */
static void asked(void)
{
    ga_scope {
        ga_array *x = ga_chunked(ga_ones((4, 5)), 2, 2);
        CHECK_FAILS(ga_compute(ga_add(x, 1)), "GPUARR_NUM_GPUS asks for 5 GPUs from number 0 on, and there are 2");
        CHECK_FAILS(ga_store(ga_add(x, 1), "build/tests/gpu.npy"), "GPUARR_NUM_GPUS asks for 5 GPUs");
        CHECK_FAILS(ga_get_num_gpus(), "GPUARR_NUM_GPUS asks for 5 GPUs");
        ga_set_num_gpus(1);
        CHECK(ga_get_num_gpus() == 1);
        SAME(ga_add(x, 1), ga_full((4, 5), 2.0));
    }
}

static void chosen(void)
{
    CHECK(ga_get_num_gpus() == 0);
    CHECK_FAILS((ga_set_num_gpus(gpus + 1), ga_error() == NULL), "from number 0 on, and there");
    CHECK_FAILS((ga_set_num_gpus(-2), ga_error() == NULL), "-2 GPUs");
    CHECK(ga_get_num_gpus() == 0);
    ga_set_num_gpus(-1);
    CHECK(ga_get_num_gpus() == gpus);
    ga_cuda_select(gpus - 1); /* the last one */
    CHECK_FAILS((ga_set_num_gpus(2), ga_error() == NULL), "this asks for 2 GPUs from number");
    ga_set_num_gpus(1);
    CHECK(ga_get_num_gpus() == 1 && ga_cuda_selected() == gpus - 1);
    ga_scope {
        ga_array *m = ga_random((40, 50)), *x = ga_chunked(m, 20, 20);
        ga_cuda_memory_reset_peak();
        SAME(ga_add(x, 1), ga_add(m, 1));
        CHECK(ga_cuda_memory_stats().peak_bytes > 0);
        ga_cuda_select(0);
        if (gpus > 1) CHECK(ga_cuda_memory_stats().peak_bytes <= 8); /* where a kernel was tried */
    }
    ga_cuda_select(0);
    ga_set_num_gpus(0);
    CHECK(ga_get_num_gpus() == 0);
}

/* Runs this program once more, as it says, with two GPUs of cudasim. */
static bool again(char **argv, const char *mode)
{
    pid_t child  = fork();
    int   status = -1;
    if (child == 0) {
        execl(argv[0], argv[0], mode, (char *)NULL);
        _exit(1);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "all";
    if (cudasim_fail && !(getenv("CUDASIM_DEVICES") && !strcmp(getenv("CUDASIM_DEVICES"), "2"))) {
        setenv("CUDASIM_DEVICES", "2", 1); /* read when a program starts */
        execv(argv[0], argv);
        return 1;
    }
    gpus = ga_cuda_count();
    if (gpus == 0) {
        test_skip("there is no GPU, and no cudasim: nothing was computed on one", 1);
        return test_end();
    }
    if (!strcmp(mode, "report")) {
        setenv("GA_REPORT", "build/tests/gpu.html", 1);
        setenv("GA_TRACE", "build/tests/gpu.json", 1);
        setenv("GPUARR_NUM_GPUS", "2", 1);
        report();
        return test_end();
    }
    if (!strcmp(mode, "asked")) {
        setenv("GPUARR_NUM_GPUS", "5", 1);
        asked();
        return test_end();
    }
#ifndef OWN_KERNELS_ONLY
    if (cudasim_fail) CHECK(again(argv, "report") && again(argv, "asked"));
#endif
    unsetenv("GPUARR_NUM_GPUS");
    ga_set_device(GA_CPU);
    chosen();
    ga_set_num_threads(1);
    ga_set_num_gpus(-1);
    cpu_only();
#ifdef OWN_KERNELS_ONLY
    return test_end();
#endif
    each_works();
    generated();
    long_lines();
    stored();
    little_memory();
    if (cudasim_fail) {
        failures("malloc");
        failures("any");
    } else test_skip("calls of the CUDA runtime fail on demand with cudasim only", 1);
    ga_set_num_threads(2); /* all together */
    each_works();
    if (ga_memory_stats().arrays) ga_report_leaks(stdout);
    CHECK(ga_memory_stats().arrays == 0);
    return test_end();
}
