/*  modes.c -- results have the same bits, and texts the same characters, in a program that rounds otherwise, takes subnormal numbers for 0,
    traps, or writes a decimal comma; and its modes are afterwards what they were.                                                      */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* feenableexcept */
#endif
#include "test.h"

#include <fenv.h>
#include <locale.h>

enum { RESULTS = 130 };

static ga_array *results[RESULTS], *again[RESULTS];

/* One of every kind of computation, of numbers that round and of subnormal ones. */
static int compute(ga_array **r)
{
    int       n = 0;
    ga_array *x = ga_random((70, 90), .seed = 3), *tiny = ga_multiply(x, 1e-310),
             *y = ga_random_normal(1, 3, (70, 90), .seed = 4);
    ga_array *f = ga_astype(y, GA_F32), *small = ga_multiply(f, 1e-40), *line = ga_index(x, "0"), *few = ga_index(y, ":3, :3");
    ga_array *many = ga_random((300, 1000), .seed = 5), *labels = ga_label(ga_greater(y, 2));
    r[n++] = x, r[n++] = tiny, r[n++] = y, r[n++] = f, r[n++] = small, r[n++] = many, r[n++] = labels;
#define R(...) (r[n] = ga_keep(__VA_ARGS__), CHECK(r[n]), n++)
    R(ga_add(x, tiny)), R(ga_divide(tiny, 3)), R(ga_sqrt(tiny)), R(ga_exp(y)), R(ga_tanh(small)), R(ga_power(x, 1.7));
    R(ga_add(tiny, 1e-310)), R(ga_multiply(tiny, 0.3)), R(ga_astype(tiny, GA_F32)), R(ga_astype(f, GA_F64));
    R(ga_sum(y)), R(ga_sum(y, .axis = 1)), R(ga_mean(tiny)), R(ga_std(f)), R(ga_var(y, .axis = 0)), R(ga_prod(line));
    R(ga_cumsum(y, .axis = 1)), R(ga_median(y)), R(ga_percentile(y, 33.3)), R(ga_norm(tiny)), R(ga_sort(y)),
        R(ga_argmax(small));
    R(ga_sort(ga_full((3), NAN))), R(ga_sort(ga_full((300), NAN))), R(ga_unique(ga_full((3), NAN))),
        R(ga_max(ga_full((3), NAN)));
    R(ga_divide(ga_astype(f, GA_C64), ga_astype(f, GA_C64))), R(ga_cdist(y, x, GA_COSINE)), R(ga_sqrt(ga_full((3), -1.0)));
    R(ga_matmul(y, ga_transpose(y))), R(ga_dot(line, line)), R(ga_convolve2d(y, few)), R(ga_gaussian_filter(y, 1.3));
    R(ga_gaussian_filter(tiny, 2.5)), R(ga_uniform_filter(tiny, 5)), R(ga_convolve(line, line));
    R(ga_linspace(0, 1e-309, 7)), R(ga_linspace(0, 1, 77)), R(ga_logspace(-3, 3, 20)), R(ga_arange(0, 1, 0.1)),
        R(ga_histogram(y, 9));
    R(ga_mgrid("0:1:7j, .5:2:.25")), R(ga_full((3), 1e-310)), R(ga_cdist(y, x)), R(ga_sigma_clip(y)),
        R(ga_mean_labels(y, labels, NULL));
    R(ga_center_of_mass(tiny, labels, NULL)), R(ga_isclose(tiny, 0, .atol = 1e-311)), R(ga_less(tiny, 1e-311));
    R(ga_exp(many)), R(ga_sum(many, .axis = 0)), R(ga_random_normal(0, 1e-310, (1000), .seed = 9)), R(ga_cbrt(small));
    R(ga_unique(small)), R(ga_median(small, .axis = 1)), R(ga_nanmedian(tiny)), R(ga_dot(ga_index(f, "0"), ga_index(f, "1")));
    R(ga_vdot(small, f)), R(ga_inner(ga_index(small, "0"), ga_index(f, "1"))), R(ga_cov(y)), R(ga_corrcoef(f));
    R(ga_full_like(f, 0.3)), R(ga_rotate(y, 20)), R(ga_shift(y, 0.7)), R(ga_zoom(y, 0.6)), R(ga_resample(y, 33));
    R(ga_lfilter(ga_index(x, "0, :1"), ga_index(few, "0"), line)),
        R(ga_lfilter(ga_index(x, "0, :1"), ga_index(few, "0"), ga_index(tiny, "0")));
    R(ga_sosfilt(ga_from(((double[]){ .1, .2, .1, 1, -.7, .3 }), (1, 6)), ga_index(tiny, "0")));
    R(ga_nan_to_num(ga_full((3), NAN))), R(ga_full((2), ga_item_at(small, 0, 0))), R(ga_full_like(f, 1e300));
    R(ga_distance_transform_edt(ga_greater(y, 2))), R(ga_expm(few)), R(ga_union1d(small, f)), R(ga_average(y, .weights = x));
    R(ga_greater(small, 0)), R(ga_count_nonzero(tiny)), R(ga_sign(tiny)), R(ga_fmod(y, 0.7)), R(ga_render(y, .colorbar = true));
    R(ga_random_gamma(0.3, 2, (500))), R(ga_random_beta(0.3, 5, (500))), R(ga_random_exponential(1e-309, (500)));
    ga_array *third = ga_remainder(ga_arange(0, 6300, 1, .dtype = GA_I64), 3), *tenths = ga_full((6300), 0.1);
    R(ga_minimum_position(small, labels, NULL)), R(ga_maximum_position(tiny, labels, NULL)), R(ga_find_objects(labels, 0));
    R(ga_minimum_position(ga_multiply(small, 0), labels, NULL)), R(ga_bincount(third, .weights = tenths));
    R(ga_bincount(ga_index(third, ":99"), .weights = ga_index(tenths, ":99"))), R(ga_histogram(tiny, 5)), R(ga_simpson(tiny));
    R(ga_norm(tiny, .ord = 1, .axis = 0)), R(ga_norm(small, .ord = INFINITY)), R(ga_norm(f, .ord = 3)), R(ga_kron(few, few));
    R(ga_det(ga_index(y, ":40, :40"))), R(ga_solve(ga_index(y, ":40, :40"), ga_index(x, "0, :40"))), R(ga_log2(small));
    R(ga_log10(f)), R(ga_trace(ga_multiply(tiny, 0.3))), R(ga_eigvals(few)), R(ga_eigvals(ga_index(y, ":40, :40"))),
        R(ga_sum(line)), R(ga_mean(ga_index(tiny, "0"))), R(ga_outer(ga_index(tiny, "0"), few)),
        R(ga_matmul(y, ga_transpose(y)));
    R(ga_random_poisson(3, (500))), R(ga_random_poisson(300, (500))), R(ga_random_binomial(1000, 0.3, (500)));
    return n;
}

static void compare(const char *mode, int n, char *text)
{
    ga_scope {
        CHECK(compute(again) == n);
        for (int k = 0; k < n; k++)
            if (!CHECK(test_same_bits(results[k], again[k]))) printf("     result %d, %s\n", k, mode);
        ga_array *tenth = ga_multiply(ga_index(again[2], "0, :9"), 0.1);
        char     *now   = ga_to_string(tenth);
        CHECK(now && strcmp(now, text) == 0);
        free(now);
    }
}

#if defined(__x86_64__)
static void     set_modes(unsigned modes) { __builtin_ia32_ldmxcsr((__builtin_ia32_stmxcsr() & ~0x8040u) | modes); }
static unsigned get_modes(void) { return __builtin_ia32_stmxcsr() & 0x8040u; }
#endif

/* A locale with a decimal comma: one that is installed, or one that is made. */
static bool set_comma(void)
{
    char at[] = "/tmp/gpuarr-locale-XXXXXX", command[256];
    if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
        if (!mkdtemp(at)) return false;
        snprintf(command, sizeof command, "localedef --no-archive -i de_DE -f UTF-8 %s/de_DE.UTF-8 >%s/log 2>&1", at, at);
        const bool made = system(command) == 0;
        setenv("LOCPATH", at, 1);
        const bool set = made && setlocale(LC_ALL, "de_DE.UTF-8");
        snprintf(command, sizeof command, "rm -rf %s", at);
        CHECK(system(command) == 0);
        if (!set) return false;
    }
    char text[8];
    snprintf(text, sizeof text, "%.1f", 0.5);
#ifdef __GLIBC__
    return CHECK(strcmp(text, "0,5") == 0);
#else
    return strcmp(text, "0,5") == 0; /* musl has decimal points only */
#endif
}

/* What stands in a text: fill values. */
static void test_zarr(void)
{
    char at[] = "/tmp/gpuarr-modes-XXXXXX", path[128], command[400];
    CHECK(mkdtemp(at));
    snprintf(path, sizeof path, "%s/x.zarr", at);
    CHECK(ga_store(ga_full((4), 2.5), path));
    snprintf(command, sizeof command, "sed -i 's/\"fill_value\": *[^,]*/\"fill_value\": 1.75/' %s/.zarray && rm -f %s/0", path,
             path);
    CHECK(system(command) == 0);
    ga_array *a = ga_open(path), *all = ga_compute(a);
    CHECK(all && ga_item_at(all, 2) == 1.75);
    snprintf(command, sizeof command, "rm -rf %s", at);
    CHECK(system(command) == 0);
}

/* Numbers in texts: formulas, grids, indices, sentences, what is printed. */
static void test_texts(void)
{
    ga_array *x = ga_multiply(ga_ones((2)), 1234.5678);
    CHECK_IS(ga_eval("x * 0.5 + 1.5e-1", (x), .names = "x"), GA_F64, (2), 1234.5678 * 0.5 + 0.15, 1234.5678 * 0.5 + 0.15);
    CHECK_IS(ga_round(x, 2), GA_F64, (2), 1234.57, 1234.57);
    CHECK_IS(ga_round(x, -2), GA_F64, (2), 1200, 1200);
    CHECK_IS(ga_mgrid("0:1:0.25"), GA_F64, (4), 0, 0.25, 0.5, 0.75);
    char *text = ga_to_string(x, .precision = 2), *line = ga_formula_c("f", "x * 0.25", "float x");
    CHECK(text && !strcmp(text, "[1234.57 1234.57]"));
    CHECK(line && strstr(line, "0.25") && !strstr(line, "0,25"));
    free(text);
    free(line);
    CHECK_FAILS(ga_gaussian_filter(x, -0.5), "sigma -0.5 and");
    CHECK_FAILS(ga_add(ga_ones((2), .dtype = GA_U8), 1.5, .out = ga_ones((2), .dtype = GA_U8)), "float64");
    CHECK(localeconv()->decimal_point[0] == ','); /* the program's locale is as it was */
}

/* In a file: is there a number, and does each comma between digits stand behind a decimal, as in "70.0,1.5"? */
static bool has_points(const char *path)
{
    FILE *f       = fopen(path, "r");
    bool  points  = true;
    int   numbers = 0, last[4] = { 0, 0, 0, 0 }; /* the character, and those before it */
    for (int c; f && (c = fgetc(f)) != EOF;) {
        memmove(last + 1, last, 3 * sizeof *last);
        last[0] = c;
        if (c < '0' || c > '9' || last[2] < '0' || last[2] > '9') continue;
        if (last[1] == '.') numbers++;
        if (last[1] != ',' || last[3] == '.') continue;
        if (points) printf("     in %s: %c,%c\n", path, last[2], c);
        points = false;
    }
    if (f) fclose(f);
    return points && numbers > 0;
}

static bool one(ga_result *result, const ga_result *in, int n, void *user)
{
    (void)in, (void)n, (void)user;
    result->real = 1;
    return true;
}

/* What is written for other programs: pictures of an expression and of tasks, a trace, a report. */
static void test_pictures(const char *trace, const char *report, const char *svg)
{
    ga_array *x = ga_multiply(ga_ones((60, 60), .chunks = ga_chunks(20, 20)), 0.5), *all = ga_compute(ga_sum(x, .axis = 0));
    ga_graph *g    = ga_graph_new();
    ga_task  *need = ga_delayed(g, one, NULL), *last = ga_delayed(g, one, NULL, need, need);
    ga_result result;
    CHECK(all && ga_run(g, last, &result));
    CHECK(has_points(trace) && has_points(report));
    CHECK(ga_visualize(x, svg) && has_points(svg));
    CHECK(ga_visualize(x, svg, .color = GA_COLOR_TIME) && has_points(svg));
    CHECK(ga_graph_visualize(g, svg) && has_points(svg));
    ga_graph_free(g);
}

int main(void)
{
    char trace[64], report[64], svg[64]; /* of each process its own */
    snprintf(trace, sizeof trace, "build/tests/modes.%d.json", (int)getpid());
    snprintf(report, sizeof report, "build/tests/modes.%d.html", (int)getpid());
    snprintf(svg, sizeof svg, "build/tests/modes.%d.svg", (int)getpid());
    setenv("GA_TRACE", trace, 1);
    setenv("GA_REPORT", report, 1);
    test_begin();
    ga_scope {
        const int n          = compute(results);
        char     *text       = ga_to_string(ga_multiply(ga_index(results[2], "0, :9"), 0.1));
        const int rounding[] = { FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };
        for (int k = 0; k < 3; k++) {
            fesetround(rounding[k]);
            compare("with another rounding", n, text);
            CHECK(fegetround() == rounding[k]);
            fesetround(FE_TONEAREST);
        }
#if defined(__x86_64__)
        set_modes(0x8040);
        compare("with subnormal numbers as 0", n, text);
        CHECK(get_modes() == 0x8040);
        set_modes(0);
#endif
#ifdef __GLIBC__
        const int traps = FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW;
        feenableexcept(traps);
        compare("with traps", n, text);
        CHECK(fegetexcept() == traps);
        fedisableexcept(traps);
#endif
        if (set_comma()) {
            compare("with a decimal comma", n, text);
            test_zarr();
            test_texts();
            test_pictures(trace, report, svg);
        } else {
            test_skip("no locale with a decimal comma: localedef, or its sources, are not installed (Debian: locales)", 20);
        }
        free(text);
    }
    remove(trace);
    remove(report);
    remove(svg);
    return test_end();
}
