/*  cuda_map.c -- elementwise operations on the GPU give the bits of the CPU: every row of the table, every dtype, and operands that lie
    in memory in every way. Without CUDA in the build it says so and is skipped.                                                  */
#include "test.h"

/* Random elements, among them the awkward ones: NaN, infinities, signed zeros, denormals, the ends of the integers. */
static ga_array *random_array(ga_dtype d, int64_t n)
{
    ga_array *a = ga_empty((n), .dtype = d, .device = GA_CPU);
    for (int64_t i = 0; i < n; i++) {
        uint64_t bits = test_random(), kind = bits >> 60;
        char    *p = (char *)a->data + i * ga_itemsize(d);
        if (d == GA_BOOL) {
            *(bool *)p = bits & 1;
        } else if (d < GA_F32) {
            if (kind < 8) bits &= 7;
            memcpy(p, &bits, (size_t)ga_itemsize(d));
        } else {
            for (int part = 0; part < (d >= GA_C64 ? 2 : 1); part++) {
                static const double special[] = {
                    0.0, -0.0, 1.0, -1.0, INFINITY, -INFINITY, NAN, 0.5, 1e-310, 3e38, -2.5, 1e300
                };
                double v = ((double)(int64_t)test_random() * 0x1p-63) * (kind < 8 ? 4 : 1000);
                if (kind == 15) v = special[test_random() % 12];
                float f = (float)v;
                if (d == GA_F32 || d == GA_C64) memcpy(p + 4 * part, &f, 4);
                else memcpy(p + 8 * part, &v, 8);
            }
        }
    }
    return a;
}

/* Do both calls give the same, or both an error? */
static bool same(const ga_array *cpu, const ga_array *gpu) { return (!cpu && !gpu) || test_same_on_gpu(cpu, gpu); }

typedef struct row {
    const char *name;
    int         arity;
    ga_array *(*f1)(const ga_array *, ga_map_options);
    ga_array *(*f2)(ga_arg, ga_arg, ga_map_options);
    ga_array *(*f3)(ga_arg, ga_arg, ga_arg, ga_map_options);
} row;

static const row rows[] = {
#define GA_UNARY(name, ...)       { #name, 1, (ga_##name), NULL, NULL },
#define GA_ELEMENTARY(name, ...)  { #name, 1, (ga_##name), NULL, NULL },
#define GA_BINARY(name, ...)      { #name, 2, NULL, (ga_##name), NULL },
#define GA_ELEMENTARY2(name, ...) { #name, 2, NULL, (ga_##name), NULL },
#define GA_TERNARY(name, ...)     { #name, 3, NULL, NULL, (ga_##name) },
#define GA_TABLE
#include "gpuarr.h"
};

static ga_arg array_arg(const ga_array *a)
{
    ga_arg v;
    memset(&v, 0, sizeof v);
    v.array = a;
    return v;
}

static ga_arg number_arg(double x)
{
    ga_arg v;
    memset(&v, 0, sizeof v);
    v.kind = GA_KIND_INT;
    v.i    = (int64_t)x;
    v.re   = x;
    return v;
}

static ga_array *apply(const row *r, const ga_arg *v, ga_map_options o)
{
    o.site = "cuda_map.c\tthe row under test";
    if (r->arity == 1) return v[0].array ? r->f1(v[0].array, o) : NULL;
    if (r->arity == 2) return r->f2(v[0], v[1], o);
    return r->f3(v[0], v[1], v[2], o);
}

/* The k-th way in which an operand may lie: views of 1200 elements, all of the broadcast shape (20, 30). */
enum { LAYOUTS = 9 };
static ga_array *layout(int k, const ga_array *base)
{
    ga_array *all = ga_reshape(base, (40, 30)), *v = NULL;
    switch (k) {
    case 0: v = ga_index(all, ":20"); break;
    case 1: v = ga_index(all, "::2"); break;
    case 2: v = ga_index(all, "19::-1, ::-1"); break;
    case 3: {
        ga_array *turned = ga_reshape(base, (30, 40)), *part = ga_index(turned, ":, 3:23");
        v = ga_transpose(part);
        ga_free(turned);
        ga_free(part);
        break;
    }
    case 4: v = ga_index(all, "7"); break;        /* (30,): a row for all */
    case 5: v = ga_index(all, ":20, 4:5"); break; /* (20, 1): a column for all */
    case 6: {                                     /* one element further than alignment would want */
        ga_array *shifted = ga_index(base, "1:601");
        v                 = ga_reshape(shifted, (20, 30));
        ga_free(shifted);
        break;
    }
    case 7: v = ga_index(all, "3, 3"); break; /* no dimension at all */
    default: {
        ga_array *wide = ga_reshape(base, (20, 60)), *part = ga_index(wide, ":, 1::2");
        v = ga_view(part);
        ga_free(wide);
        ga_free(part);
    }
    }
    ga_free(all);
    return v;
}

/* One row with operands k0, k1, k2 on both devices. */
static void compare(const row *r, ga_array *const *cpu, ga_array *const *gpu, int number, ga_map_options oc, ga_map_options og,
                    const char *how)
{
    ga_arg x[3], y[3];
    for (int k = 0; k < 3; k++) {
        x[k] = k == number ? number_arg(2) : array_arg(cpu[k]);
        y[k] = k == number ? number_arg(2) : array_arg(gpu[k]);
    }
    ga_clear_error();
    ga_array *c      = apply(r, x, oc);
    ga_status status = ga_error_status();
    ga_clear_error();
    ga_array *g = apply(r, y, og);
    if (ga_error_status() != status || !same(c, g)) {
        test_failed++;
        printf("FAIL ga_%s of %s, %s: %s\n", r->name, ga_dtype_name(cpu[0]->dtype), how,
               ga_error() ? ga_error() : "other bits");
    } else {
        test_passed++;
    }
    if (oc.out == GA_NO_ARRAY) {
        ga_free(c);
        ga_free(g);
    }
    ga_clear_error();
}

static void test_layouts(const row *r, ga_dtype d)
{
    ga_map_options none = ga_map_defaults;
    ga_array      *base[3], *there[3];
    for (int k = 0; k < 3; k++) {
        base[k] = random_array(d, 1200);
        if (k == 1 && d < GA_F32 && !strcmp(r->name, "power")) { /* whole numbers to small powers that are not negative */
            ga_array *small = ga_remainder(base[k], d == GA_BOOL ? 1 : 5), *fit = ga_astype(small, d);
            ga_free(base[k]);
            ga_free(small);
            base[k] = fit;
        }
        there[k] = ga_to(base[k], GA_CUDA);
    }
    for (int k = 0; k < LAYOUTS; k++) {
        ga_array *c[3], *g[3];
        char      how[64];
        snprintf(how, sizeof how, "layout %d", k);
        for (int i = 0; i < 3; i++) {
            c[i] = layout((k + 2 * i) % LAYOUTS, base[i]);
            g[i] = layout((k + 2 * i) % LAYOUTS, there[i]);
        }
        compare(r, c, g, -1, none, none, how);
        if (r->arity > 1) {
            compare(r, c, g, 0, none, none, "a number and an array");
            compare(r, c, g, 1, none, none, "an array and a number");
        }
        for (int i = 0; i < 3; i++) {
            ga_free(c[i]);
            ga_free(g[i]);
        }
    }
    for (int k = 0; k < 3; k++) {
        ga_free(base[k]);
        ga_free(there[k]);
    }
}

/* .out and .where: into every other element of a larger array, of the same and of a wider dtype, the operand itself being part of it. */
static void test_out(const row *r, ga_dtype d)
{
    if (r->arity != 2 || d == GA_BOOL || (d < GA_F32 && !strcmp(r->name, "power"))) return;
    for (int way = 0; way < 3; way++) {
        ga_dtype  wide = way == 1 ? GA_C128 : d;
        ga_array *out = random_array(wide, 600), *gout = ga_to(out, GA_CUDA), *x = random_array(d, 300),
                 *gx = ga_to(x, GA_CUDA), *mask = random_array(GA_BOOL, 300), *gmask = ga_to(mask, GA_CUDA);
        ga_array      *half = ga_index(out, "::2"), *ghalf = ga_index(gout, "::2");
        ga_array      *y = way == 2 ? ga_index(out, "300:") : ga_view(x), *gy = way == 2 ? ga_index(gout, "300:") : ga_view(gx);
        ga_array      *c[3] = { x, y, y }, *g[3] = { gx, gy, gy };
        ga_map_options oc = ga_map_defaults, og = ga_map_defaults;
        oc.out = half, oc.where = mask, og.out = ghalf, og.where = gmask;
        compare(r, c, g, -1, oc, og, way == 1 ? "into a wider .out where a mask is true" : "into .out where a mask is true");
        CHECK(same(out, gout)); /* nothing else was touched */
        ga_array *all[] = { out, gout, x, gx, mask, gmask, half, ghalf, y, gy };
        for (size_t k = 0; k < sizeof all / sizeof *all; k++) ga_free(all[k]);
    }
}

/* Plain numbers as exponents, some of which have kernels of their own. */
static void test_powers(ga_dtype d)
{
    static const double exponents[] = { -1, 0.5, 1.5, 2, 3, 2.25 };
    ga_array           *x = random_array(d, 1200), *gx = ga_to(x, GA_CUDA);
    for (size_t k = 0; k < sizeof exponents / sizeof *exponents; k++) {
        ga_array *c = ga_power(x, exponents[k]), *g = ga_power(gx, exponents[k]);
        CHECK(same(c, g));
        ga_free(c);
        ga_free(g);
    }
    ga_free(x);
    ga_free(gx);
}

/* Lengths around the vectors and blocks of the kernels, at every offset from alignment. */
static void test_lengths(const row *r, ga_dtype d)
{
    static const int64_t lengths[] = { 0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 33, 255, 256, 257, 1023, 1025, 4099 };
    ga_map_options       none      = ga_map_defaults;
    ga_array            *base = random_array(d, 4200), *there = ga_to(base, GA_CUDA);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int offset = 0; offset < 4; offset++) {
            ga_array *c[3], *g[3];
            for (int k = 0; k < 3; k++) {
                int64_t first = offset + 5 * (k % 2);
                c[k]          = ga_index(base, "%lld:%lld", (long long)first, (long long)(first + lengths[i]));
                g[k]          = ga_index(there, "%lld:%lld", (long long)first, (long long)(first + lengths[i]));
            }
            compare(r, c, g, -1, none, none, "many lengths");
            for (int k = 0; k < 3; k++) {
                ga_free(c[k]);
                ga_free(g[k]);
            }
        }
    ga_free(base);
    ga_free(there);
}

static void test_casts(void)
{
    for (int i = GA_BOOL; i < TEST_DTYPES; i++)
        for (int j = GA_BOOL; j < TEST_DTYPES; j++) {
            ga_array *base = random_array((ga_dtype)i, 1200), *there = ga_to(base, GA_CUDA);
            for (int k = 0; k < LAYOUTS; k++) {
                ga_array *c = layout(k, base), *g = layout(k, there);
                ga_array *x = ga_astype(c, (ga_dtype)j), *y = ga_astype(g, (ga_dtype)j);
                if (!CHECK(same(x, y)))
                    printf("     from %s to %s, layout %d\n", ga_dtype_name((ga_dtype)i), ga_dtype_name((ga_dtype)j), k);
                ga_array *all[] = { c, g, x, y };
                for (size_t n = 0; n < 4; n++) ga_free(all[n]);
            }
            ga_free(base);
            ga_free(there);
        }
}

/* Calls with a condition and two operands: where, isclose, a few rows. */
enum { RESULTS = 9 };
static void several(const ga_array *c, const ga_array *x, const ga_array *y, ga_array **results)
{
    ga_array *r[RESULTS] = { ga_where(c, x, y),
                             ga_where(x, 1, 0),
                             ga_add(x, y),
                             ga_less(x, y),
                             ga_equal(x, y),
                             ga_isclose(x, y),
                             ga_isclose(x, x, .equal_nan = true),
                             ga_maximum(x, y),
                             ga_copy(x) };
    memcpy(results, r, sizeof r);
}

/* where, copyto, isclose, comparisons of int64 with uint64, operands of several dtypes, many dimensions. */
static void test_the_rest(void)
{
    for (int i = GA_BOOL; i < TEST_DTYPES; i++) {
        ga_dtype  d = (ga_dtype)i, other = (ga_dtype)(1 + (i * 5) % (TEST_DTYPES - 1));
        ga_array *a = random_array(d, 1200), *b = random_array(other, 1200), *m = random_array(GA_BOOL, 1200);
        ga_array *ga = ga_to(a, GA_CUDA), *gb = ga_to(b, GA_CUDA), *gm = ga_to(m, GA_CUDA);
        for (int k = 0; k < LAYOUTS; k++) {
            ga_array *x = layout(k, a), *y = layout((k + 2) % LAYOUTS, b), *c = layout((k + 4) % LAYOUTS, m);
            ga_array *gx = layout(k, ga), *gy = layout((k + 2) % LAYOUTS, gb), *gc = layout((k + 4) % LAYOUTS, gm);
            ga_array *r[RESULTS], *s[RESULTS];
            several(c, x, y, r);
            several(gc, gx, gy, s);
            for (int n = 0; n < RESULTS; n++) {
                if (!CHECK(same(r[n], s[n])))
                    printf("     %s and %s, layout %d, result %d\n", ga_dtype_name(d), ga_dtype_name(other), k, n);
                ga_free(r[n]);
                ga_free(s[n]);
            }
            ga_array *t = ga_zeros((20, 30), .dtype = GA_C128), *gt = ga_zeros((20, 30), .dtype = GA_C128, .device = GA_CUDA);
            CHECK(ga_copyto(t, x, .where = c) && ga_copyto(gt, gx, .where = gc) && same(t, gt));
            CHECK(ga_copyto(t, 7) && ga_copyto(gt, 7) && same(t, gt));
            ga_array *all[] = { x, y, c, gx, gy, gc, t, gt };
            for (size_t n = 0; n < sizeof all / sizeof *all; n++) ga_free(all[n]);
        }
        ga_array *all[] = { a, b, m, ga, gb, gm };
        for (size_t n = 0; n < sizeof all / sizeof *all; n++) ga_free(all[n]);
    }
    ga_array *signs = random_array(GA_I64, 500), *bits = random_array(GA_U64, 500), *gs = ga_to(signs, GA_CUDA),
             *gb  = ga_to(bits, GA_CUDA);
    ga_array *r[] = { ga_equal(signs, bits),   ga_less(signs, bits),          ga_less_equal(bits, signs),
                      ga_greater(signs, bits), ga_greater_equal(bits, signs), ga_not_equal(signs, bits) };
    ga_array *s[] = { ga_equal(gs, gb),   ga_less(gs, gb),          ga_less_equal(gb, gs),
                      ga_greater(gs, gb), ga_greater_equal(gb, gs), ga_not_equal(gs, gb) };
    for (size_t n = 0; n < 6; n++) {
        CHECK(same(r[n], s[n]));
        ga_free(r[n]);
        ga_free(s[n]);
    }
    ga_array *deep = random_array(GA_F32, 2 * 3 * 4 * 5 * 6 * 2), *v = ga_reshape(deep, (2, 3, 4, 5, 6, 2)),
             *gd = ga_to(deep, GA_CUDA), *gv = ga_reshape(gd, (2, 3, 4, 5, 6, 2));
    ga_array *w = ga_index(v, "::-1, ::2, 1::2, :, ::-2"), *gw = ga_index(gv, "::-1, ::2, 1::2, :, ::-2");
    ga_array *sum = ga_add(w, w), *gsum = ga_add(gw, gw);
    CHECK(same(sum, gsum));
    ga_array *all[] = { signs, bits, gs, gb, deep, v, gd, gv, w, gw, sum, gsum };
    for (size_t n = 0; n < sizeof all / sizeof *all; n++) ga_free(all[n]);
}

static void test_mixing(void)
{
    ga_array *c = ga_ones((3)), *g = ga_ones((3), .device = GA_CUDA);
    ga_clear_error();
    CHECK(!ga_add(c, g) && ga_error_status() == GA_BAD_DEVICE && strstr(ga_error(), "ga_to("));
    ga_clear_error();
    CHECK(!ga_add(c, c, .out = g) && ga_error_status() == GA_BAD_DEVICE);
    ga_clear_error();
    CHECK(!ga_copyto(g, c) && ga_error_status() == GA_BAD_DEVICE);
    ga_clear_error();
    CHECK(ga_item_at(g, 2) == 1);
    ga_free(c);
    ga_free(g);
}

int main(void)
{
    ga_set_error_handler(ga_ignore_error, NULL);
    ga_array *first = ga_zeros((1), .device = GA_CUDA);
    if (!first) {
        printf("SKIP the GPU: %s\n", ga_error());
        test_skipped = 1;
        return test_end();
    }
    ga_free(first);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int d = GA_BOOL; d < TEST_DTYPES; d++) {
            test_layouts(&rows[i], (ga_dtype)d);
            test_out(&rows[i], (ga_dtype)d);
            if (!strcmp(rows[i].name, "add") || !strcmp(rows[i].name, "negative") || !strcmp(rows[i].name, "less") ||
                !strcmp(rows[i].name, "multiply_add") || !strcmp(rows[i].name, "absolute"))
                test_lengths(&rows[i], (ga_dtype)d);
        }
    test_powers(GA_F32);
    test_powers(GA_F64);
    test_casts();
    test_the_rest();
    test_mixing();
    ga_clear_error();
    CHECK(ga_memory_stats().arrays == 0);
    return test_end();
}
