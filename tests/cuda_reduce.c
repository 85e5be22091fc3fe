/* Reductions on the GPU against those on the CPU: the same bits (of NaNs: a NaN), the same shapes and dtypes, the same errors. */
#include "test.h"

/* Mostly ordinary numbers of different sizes; `odd`: one in so many is a zero, an infinity or a NaN (0: none). */
static double draw_number(uint64_t odd)
{
    if (odd && test_random() % odd == 0) {
        static const double rare[] = { 0.0, -0.0, INFINITY, -INFINITY, NAN, NAN };
        return rare[test_random() % 6];
    }
    return ldexp((double)(int64_t)(test_random() % 2000001) - 1000000, (int)(test_random() % 8) - 24);
}

static ga_array *draw_array(ga_dtype dtype, ga_shape shape, uint64_t odd)
{
    int64_t n = 1, size = ga_itemsize(dtype);
    for (int d = 0; d < shape.ndim; d++) n *= shape.n[d];
    char *p = (char *)malloc((size_t)(n * size + 1));
    for (int64_t i = 0; i < n; i++) {
        uint64_t bits = test_random() % 3 ? test_random() : 0;
        double   re = draw_number(odd), im = draw_number(odd);
        float    re32 = (float)re, im32 = (float)im;
        switch (dtype) {
        case GA_BOOL: p[i] = odd ? (char)(bits & 1) : 1; break;
        case GA_F32: memcpy(p + i * size, &re32, 4); break;
        case GA_F64: memcpy(p + i * size, &re, 8); break;
        case GA_C64:
            memcpy(p + i * size, &re32, 4);
            memcpy(p + i * size + 4, &im32, 4);
            break;
        case GA_C128:
            memcpy(p + i * size, &re, 8);
            memcpy(p + i * size + 8, &im, 8);
            break;
        default: memcpy(p + i * size, &bits, (size_t)size);
        }
    }
    ga_array *a = (ga_from)(p, dtype, shape, ga_from_defaults);
    free(p);
    return a;
}

typedef ga_array *(*reduction)(const ga_array *a, ga_reduce_options o);
static const struct {
    const char *name;
    reduction   f;
} reductions[] = { { "sum", ga_sum },
                   { "mean", ga_mean },
                   { "min", ga_min },
                   { "max", ga_max },
                   { "any", ga_any },
                   { "all", ga_all },
                   { "count", ga_count_nonzero },
                   { "prod", ga_prod },
                   { "nansum", ga_nansum },
                   { "nanprod", ga_nanprod },
                   { "nanmin", ga_nanmin },
                   { "nanmax", ga_nanmax },
                   { "var", ga_var },
                   { "std", ga_std },
                   { "nanmean", ga_nanmean },
                   { "nanvar", ga_nanvar },
                   { "nanstd", ga_nanstd },
                   { "argmin", ga_argmin },
                   { "argmax", ga_argmax },
                   { "nanargmin", ga_nanargmin },
                   { "nanargmax", ga_nanargmax } };
enum { REDUCTIONS = sizeof reductions / sizeof *reductions };

static int first_reduction, last_reduction = REDUCTIONS;

/* One call on both: the same result, or the same error. */
static void compare(const char *what, reduction f, const ga_array *cpu, const ga_array *gpu, ga_reduce_options o)
{
    char said[1000] = "";
    ga_clear_error();
    ga_array *x = f(cpu, o);
    if (!x) snprintf(said, sizeof said, "%s", ga_error());
    ga_clear_error();
    ga_array *y  = f(gpu, o);
    bool      ok = x ? test_same_freed(x, y) : y == NULL && ga_error() && !strcmp(said, ga_error());
    if (!CHECK(ok)) printf("     %s; the CPU says: %s\n", what, said);
    ga_clear_error();
}

/* All reductions of a view, over the given axes (none: all). */
static void compare_all(const char *layout, const ga_array *cpu, const ga_array *gpu, ga_shape axes, bool keepdims)
{
    for (int k = first_reduction; k < last_reduction; k++) {
        char              what[200], shape[100] = "";
        ga_reduce_options o = ga_reduce_defaults;
        if (axes.ndim > 0) o.axes = axes;
        o.keepdims = keepdims;
        if (axes.ndim > 1 && strstr(reductions[k].name, "arg")) continue;
        for (int d = 0; d < cpu->ndim; d++) snprintf(shape + strlen(shape), 20, " %lld", (long long)cpu->shape[d]);
        snprintf(what, sizeof what, "%s of %s, %s,%s over %d axes from %d", reductions[k].name, ga_dtype_name(cpu->dtype),
                 layout, shape, axes.ndim, axes.ndim ? (int)axes.n[0] : -1);
        compare(what, reductions[k].f, cpu, gpu, o);
    }
}

static ga_array *view(const ga_array *a, const char *index) { return (ga_index)(GI_SITE("ga_index(a)"), a, index); }

/* The same view of both, then all reductions over the axes. */
static void compare_view(const ga_array *cpu, const ga_array *gpu, const char *index, ga_shape axes)
{
    ga_array *x = view(cpu, index), *y = view(gpu, index);
    if (CHECK(x && y)) compare_all(index, x, y, axes, false);
    ga_free(x);
    ga_free(y);
}

static ga_shape no_axes(void)
{
    ga_shape s;
    memset(&s, 0, sizeof s);
    return s;
}
static ga_shape axes_of(int n, int a, int b)
{
    ga_shape s = no_axes();
    s.ndim     = n;
    s.n[0]     = a;
    s.n[1]     = b;
    return s;
}

static void test_lengths(ga_dtype dtype, const int64_t *lengths, int n, uint64_t odd)
{
    for (int k = 0; k < n; k++) {
        ga_shape  shape = axes_of(1, (int)lengths[k], 0);
        ga_array *cpu = draw_array(dtype, shape, odd), *gpu = ga_to(cpu, GA_CUDA);
        if (CHECK(cpu && gpu)) {
            compare_all("packed", cpu, gpu, no_axes(), false);
            compare_view(cpu, gpu, "1:", no_axes());
            if (lengths[k] < 6000) {
                compare_view(cpu, gpu, "::-1", no_axes());
                compare_view(cpu, gpu, "1::3", no_axes());
            }
        }
        ga_free(cpu);
        ga_free(gpu);
    }
}

/* Two dimensions: along rows and columns, of many and of few lines. */
static void test_planes(ga_dtype dtype, uint64_t odd)
{
    static const int64_t shapes[][2] = { { 1, 1 },   { 3, 4 },     { 40, 3 },     { 3, 1024 },  { 1025, 3 }, { 2, 2500 },
                                         { 70, 33 }, { 2100, 17 }, { 300, 1000 }, { 129, 257 }, { 4100, 40 } };
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        ga_array *cpu = draw_array(dtype, axes_of(2, (int)shapes[k][0], (int)shapes[k][1]), odd), *gpu = ga_to(cpu, GA_CUDA);
        if (CHECK(cpu && gpu)) {
            compare_all("rows", cpu, gpu, axes_of(1, 1, 0), true);
            compare_all("columns", cpu, gpu, axes_of(1, 0, 0), false);
            compare_view(cpu, gpu, "1:, 1:", no_axes());
            if (shapes[k][0] < 1000) {
                compare_view(cpu, gpu, "::-1, ::2", axes_of(1, 0, 0));
                compare_view(cpu, gpu, "::2, ::-1", axes_of(1, 1, 0));
                compare_view(cpu, gpu, ":, 1:", axes_of(1, 1, 0));
                compare_view(cpu, gpu, "1:, :-1", no_axes());
            }
        }
        ga_free(cpu);
        ga_free(gpu);
    }
}

static void test_solids(ga_dtype dtype, uint64_t odd)
{
    ga_shape shape = axes_of(3, 9, 20);
    shape.n[2]     = 31;
    ga_array *cpu = draw_array(dtype, shape, odd), *gpu = ga_to(cpu, GA_CUDA);
    if (CHECK(cpu && gpu)) {
        compare_all("middle", cpu, gpu, axes_of(1, 1, 0), false);
        compare_all("first and last", cpu, gpu, axes_of(2, 0, 2), true);
        compare_all("last two", cpu, gpu, axes_of(2, 2, 1), false);
        compare_view(cpu, gpu, "1:, 1:, 1:", no_axes()); /* three strides */
        compare_view(cpu, gpu, ":, :, :3", no_axes());   /* runs of three */
        compare_view(cpu, gpu, ":, ::-2, 5", axes_of(1, 0, 0));
        compare_view(cpu, gpu, "4, 3, 2", no_axes());      /* one number */
        compare_view(cpu, gpu, "newaxis, 4:4", no_axes()); /* no element */
        compare_view(cpu, gpu, "4:4", axes_of(1, 0, 0));   /* empty lines */
        compare_view(cpu, gpu, "4:4", axes_of(1, 1, 0));   /* no line */
        ga_array *x = ga_index(cpu, "0, 0, :"), *y = ga_index(gpu, "0, 0, :");
        ga_array *wide = ga_broadcast_to(x, (1500, 31)), *wide_gpu = ga_broadcast_to(y, (1500, 31));
        compare_all("broadcast", wide, wide_gpu, axes_of(1, 0, 0), false);
        compare_all("broadcast", wide, wide_gpu, axes_of(1, 1, 0), false);
        ga_free(wide);
        ga_free(wide_gpu);
        ga_free(x);
        ga_free(y);
    }
    ga_free(cpu);
    ga_free(gpu);
}

/* Products of views of two arrays that are in both places. */
static void compare_dot(const ga_array *a, const ga_array *b, const char *index_a, const char *index_b)
{
    ga_array *there_a = ga_to(a, GA_CUDA), *there_b = ga_to(b, GA_CUDA);
    ga_array *x = view(a, index_a), *y = view(b, index_b), *there_x = view(there_a, index_a), *there_y = view(there_b, index_b);
    ga_clear_error();
    if (!CHECK(test_same_freed(ga_dot(x, y), ga_dot(there_x, there_y))))
        printf("     dot of %s %s and %s %s, %d and %d dimensions\n", ga_dtype_name(a->dtype), index_a, ga_dtype_name(b->dtype),
               index_b, x->ndim, y->ndim);
    ga_array *all[] = { there_a, there_b, x, y, there_x, there_y };
    for (int k = 0; k < 6; k++) ga_free(all[k]);
}

static void test_dot(ga_dtype first, ga_dtype second)
{
    static const int lengths[]  = { 0, 1, 5, 1023, 1024, 1025, 3000 };
    static const int sizes[][3] = { { 5, 40, 33 }, { 3, 1500, 9 }, { 70, 3, 300 }, { 1, 1, 1 }, { 4, 0, 3 }, { 0, 3, 3 } };
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        ga_array *a = draw_array(first, axes_of(1, lengths[k], 0), 0), *b = draw_array(second, axes_of(1, lengths[k], 0), 500);
        compare_dot(a, b, ":", ":");
        compare_dot(a, b, "::-1", ":");
        compare_dot(a, b, "::2", "::2");
        ga_free(a);
        ga_free(b);
    }
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        ga_array *a = draw_array(first, axes_of(2, sizes[k][0], sizes[k][1]), 3000);
        ga_array *b = draw_array(second, axes_of(2, sizes[k][1], sizes[k][2]), 0);
        compare_dot(a, b, ":", ":");
        compare_dot(a, b, "::-1, ::-1", ":, ::2");
        if (sizes[k][2] > 0) compare_dot(a, b, ":", ":, 0");
        if (sizes[k][0] > 0) compare_dot(a, b, "0", ":");
        ga_free(a);
        ga_free(b);
    }
    ga_shape solid = axes_of(3, 3, 4);
    solid.n[2]     = 50;
    ga_array *a = draw_array(first, solid, 0), *b = draw_array(second, axes_of(1, 50, 0), 0);
    compare_dot(a, b, ":", ":");
    ga_free(a);
    ga_free(b);
}

/* What is put together from reductions, and options. */
static void test_calls(ga_dtype dtype)
{
    ga_array *a = draw_array(dtype, axes_of(2, 40, 60), 0), *b = ga_to(a, GA_CUDA);
    ga_array *out = ga_zeros((60)), *out_there = ga_to(out, GA_CUDA), *wrong = ga_zeros((61)),
             *wrong_there = ga_to(wrong, GA_CUDA);
    CHECK(test_same_freed(ga_norm(a), ga_norm(b)));
    CHECK(test_same_freed(ga_norm(a, .axis = 0, .ord = 1), ga_norm(b, .axis = 0, .ord = 1)));
    CHECK(test_same_freed(ga_norm(a, .axis = 1, .ord = INFINITY), ga_norm(b, .axis = 1, .ord = INFINITY)));
    CHECK(test_same_freed(ga_norm(a, .ord = 0), ga_norm(b, .ord = 0)));
    CHECK(test_same_freed(ga_norm(a, .ord = 3), ga_norm(b, .ord = 3)));
    CHECK(test_same_freed(ga_sum(a, .dtype = GA_C128), ga_sum(b, .dtype = GA_C128)));
    CHECK(test_same_freed(ga_mean(a, .dtype = GA_C64, .axis = 1), ga_mean(b, .dtype = GA_C64, .axis = 1)));
    CHECK(test_same_freed(ga_std(a, .ddof = 1, .axis = 0), ga_std(b, .ddof = 1, .axis = 0)));
    CHECK(test_same_freed(ga_var(a, .ddof = 40, .axis = 0), ga_var(b, .ddof = 40, .axis = 0)));
    CHECK(test_same_freed(ga_std(a, .dtype = GA_F32), ga_std(b, .dtype = GA_F32)));
    CHECK(ga_mean(b, .axis = 0, .out = out_there) == (dtype < GA_C64 ? out_there : NULL));
    if (dtype < GA_C64) {
        CHECK(ga_mean(a, .axis = 0, .out = out) == out);
        CHECK(test_same_freed(ga_copy(out), ga_copy(out_there)));
    }
    CHECK(ga_sum(b, .axis = 0, .out = wrong_there) == NULL && ga_sum(b, .axis = 0, .out = out) == NULL);
    CHECK(ga_sum(b, .axis = 2) == NULL && ga_max(b, .ddof = 1) == NULL && ga_argmax(b, .dtype = GA_F64) == NULL);
    ga_clear_error();
    if (dtype == GA_I8 || dtype == GA_I32 || dtype == GA_I64) {
        ga_array *x = ga_remainder(b, 5), *y = ga_subtract(x, 4);
        CHECK(ga_power(b, y) == NULL);
        ga_clear_error();
        ga_free(ga_power(b, x));
        CHECK(ga_error() == NULL);
        ga_free(x);
        ga_free(y);
    }
    ga_array *all[] = { a, b, out, out_there, wrong, wrong_there };
    for (int k = 0; k < 6; k++) ga_free(all[k]);
}

int main(int argc, char **argv)
{
    static const int64_t short_lines[] = {
        0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 255, 256, 257, 1000, 1023, 1024, 1025, 2048, 5000
    };
    static const int64_t long_lines[] = { 300001, 1048576 + 1025 };
    ga_set_error_handler(ga_ignore_error, NULL);
    ga_array *one = ga_ones((1)), *there = ga_to(one, GA_CUDA);
    if (!there) {
        test_skip("the GPU's reductions: no CUDA device, or built without CUDA", 1);
        ga_free(one);
        return test_end();
    }
    ga_free(one);
    ga_free(there);
    if (argc > 2) {
        first_reduction = atoi(argv[1]);
        last_reduction  = atoi(argv[2]);
    }
    for (int dtype = GA_BOOL; dtype < TEST_DTYPES; dtype++) {
        test_dot((ga_dtype)dtype, (ga_dtype)dtype);
        test_calls((ga_dtype)dtype);
    }
    test_dot(GA_F32, GA_I16);
    test_dot(GA_I8, GA_U8);
    test_dot(GA_C64, GA_F64);
    test_dot(GA_BOOL, GA_C128);
    for (int dtype = GA_BOOL; dtype < TEST_DTYPES; dtype++) {
        bool real = dtype < GA_F32;
        if (test_small() && real && dtype != GA_BOOL && dtype != GA_U8 && dtype != GA_I64) continue; /* the same kernels */
        test_lengths((ga_dtype)dtype, short_lines, sizeof short_lines / sizeof *short_lines, real ? 1 : 500);
        test_planes((ga_dtype)dtype, 3000);
        test_solids((ga_dtype)dtype, real ? 0 : 60);
        if (dtype == GA_F32 && test_small()) test_lengths((ga_dtype)dtype, long_lines, 1, 0);
        if ((dtype == GA_U8 || dtype >= GA_F32) && !test_small()) test_lengths((ga_dtype)dtype, long_lines, 2, 0);
    }
    return test_end();
}
