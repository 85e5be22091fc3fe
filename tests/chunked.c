/*  chunked.c -- arrays that are computed piece by piece: what they give has the bits of the same calls on arrays in memory, whatever
    the chunks; and every call that cannot take them says so.                                                            */
#define GPUARR_KERNELS
#include "chunked.h"

#include <pthread.h>
#include <sys/stat.h>

GA_ELEMENTWISE(along, double, (double x), x + (double)GA_INDEX / 8)

static void elementwise(const ga_array *a, const ga_array *b, ga_shape chunks)
{
    ga_scope {
        ga_array *x = (ga_chunked)(a, chunks, "\ttest"), *y = (ga_chunked)(b, chunks, "\ttest");
        CHECK(ga_is_chunked(x) && !ga_is_chunked(a) && ga_same_shape(x, a));
        SAME(ga_add(x, y), ga_add(a, b));
        SAME(ga_add(x, b), ga_add(a, b));
        SAME(ga_add(2, y), ga_add(2, b));
        SAME(ga_sin(ga_multiply(ga_add(x, y), x)), ga_sin(ga_multiply(ga_add(a, b), a)));
        SAME(ga_greater(x, 0.5), ga_greater(a, 0.5));
        SAME(ga_where(ga_greater(x, y), x, 0), ga_where(ga_greater(a, b), a, 0));
        SAME(ga_sqrt(x, .where = ga_greater(x, 0.5)), ga_sqrt(a, .where = ga_greater(a, 0.5)));
        SAME(ga_astype(x, GA_U8), ga_astype(a, GA_U8));
        SAME(ga_astype(x, GA_I64), ga_astype(a, GA_I64));
        SAME(ga_copy(x), ga_copy(a));
        SAME(ga_power(x, 2), ga_power(a, 2));
        SAME(ga_isclose(x, y), ga_isclose(a, b));
        ga_array *twice = ga_add(x, x), *memory = ga_add(a, a);
        SAME(ga_add(ga_sin(twice), ga_cos(twice)), ga_add(ga_sin(memory), ga_cos(memory)));
        ga_array *row = ga_index(x, "0"), *row_a = ga_index(a, "0");
        SAME(ga_add(x, row), ga_add(a, row_a));
        SAME(ga_add(ga_index(x, ":, :1"), row), ga_add(ga_index(a, ":, :1"), row_a));
    }
}

/* Elementwise operations on top of each other, which are worked out together: numbers, conversions, rows and columns, kernels of one's own. */
static ga_array *long_chain(const ga_array *a, const ga_array *b)
{
    ga_array *left = ga_multiply(ga_subtract(a, 0.5), ga_sqrt(ga_absolute(b)));
    return ga_add(left, ga_cos(ga_multiply(ga_astype(b, GA_F32), 3)));
}

static ga_array *bytes_of(const ga_array *a)
{
    ga_array *range = ga_subtract(ga_max(a), ga_min(a));
    return ga_astype(ga_multiply(ga_divide(ga_subtract(a, ga_min(a)), range), 255), GA_U8);
}

static ga_array *beside(const ga_array *a, const ga_array *r, const ga_array *c)
{
    return ga_multiply(ga_add(ga_square(ga_sin(r)), ga_multiply(ga_exp(c), 2)), ga_add(a, ga_multiply(r, c)));
}

static ga_array *counted(const ga_array *a) { return ga_apply(along, (ga_multiply(ga_apply(along, (ga_add(a, 1))), 2))); }

static void chains(const ga_array *a, const ga_array *b, ga_shape chunks)
{
    ga_scope {
        ga_array *x = (ga_chunked)(a, chunks, "\ttest"), *y = (ga_chunked)(b, chunks, "\ttest"), *z = ga_add(x, 1),
                 *m = ga_add(a, 1);
        SAME(long_chain(x, y), long_chain(a, b));
        SAME(long_chain(z, y), long_chain(m, b));
        SAME(bytes_of(long_chain(z, z)), bytes_of(long_chain(m, m)));
        SAME(ga_index(long_chain(z, y), "3:50:7, ::-2"), ga_index(long_chain(m, b), "3:50:7, ::-2"));
        SAME(ga_transpose(long_chain(z, y)), ga_transpose(long_chain(m, b)));
        SAME(long_chain(ga_transpose(z), ga_transpose(b)), long_chain(ga_transpose(m), ga_transpose(b)));
        SAME(long_chain(ga_index(x, "::-1, ::-1"), ga_index(b, "::-1, ::-1")),
             long_chain(ga_index(a, "::-1, ::-1"), ga_index(b, "::-1, ::-1")));
        SAME(ga_stack((long_chain(x, y), long_chain(y, x), z), .axis = -1),
             ga_stack((long_chain(a, b), long_chain(b, a), m), .axis = -1));
        SAME(ga_where(ga_logical_and(ga_greater(x, 0.25), ga_less(y, 0.75)), ga_negative(z), 7),
             ga_where(ga_logical_and(ga_greater(a, 0.25), ga_less(b, 0.75)), ga_negative(m), 7));
        SAME(ga_bitwise_and(ga_astype(ga_multiply(x, 1000), GA_I32), 255),
             ga_bitwise_and(ga_astype(ga_multiply(a, 1000), GA_I32), 255));
        ga_array *row = ga_index(z, "4"), *column = ga_index(y, ":, 5:6"), *row_m = ga_index(m, "4"),
                 *column_b = ga_index(b, ":, 5:6");
        SAME(beside(z, row, column), beside(m, row_m, column_b));
        SAME(beside(z, row_m, column_b), beside(m, row_m, column_b));
        SAME(beside(ga_index(z, ":, :3"), ga_index(row, ":3"), column),
             beside(ga_index(m, ":, :3"), ga_index(row_m, ":3"), column_b));
        SAME(ga_square(ga_sin(ga_add(row, column))), ga_square(ga_sin(ga_add(row_m, column_b))));
        SAME(ga_index(beside(z, row, column), "7, 9"), ga_index(beside(m, row_m, column_b), "7, 9"));
        SAME(counted(x), counted(a));
        SAME(counted(ga_add(row, column)), counted(ga_add(row_m, column_b)));
        SAME(ga_index(counted(z), "2:9, 3:40:3"), ga_index(counted(m), "2:9, 3:40:3"));
        ga_array *deep = x, *deep_m = ga_copy(a), *wide = x, *wide_m = ga_copy(a); /* more than a chain can have */
        for (int k = 0; k < 100; k++) {
            deep   = ga_add(ga_multiply(deep, 0.5), k);
            deep_m = ga_add(ga_multiply(deep_m, 0.5), k);
        }
        SAME(deep, deep_m);
        const ga_shape none = { 0, { 0 } };
        for (int k = 0; k < 40; k++) {
            ga_array *other = ga_random((61, 83), .seed = (uint64_t)k, .chunks = k % 2 ? ga_chunks(0) : none);
            wide            = ga_add(wide, other);
            wide_m          = ga_add(wide_m, ga_random((61, 83), .seed = (uint64_t)k));
        }
        SAME(wide, wide_m);
        ga_array       *shared = ga_sin(long_chain(x, y)), *shared_m = ga_sin(long_chain(a, b)), *r[4] = { NULL };
        const ga_array *of[4] = { ga_square(shared), shared, ga_sum(shared), ga_add(ga_cos(shared), shared) };
        if (CHECK(ga_compute_n(4, of, r))) {
            CHECK(ga_array_equal(r[0], ga_square(shared_m)) && ga_array_equal(r[1], shared_m));
            CHECK(ga_item(r[2]) == ga_item(ga_sum(shared_m)) && ga_array_equal(r[3], ga_add(ga_cos(shared_m), shared_m)));
        }
        SAME(ga_index(ga_add(ga_sin(z), z), "3:3"), ga_index(ga_add(ga_sin(m), m), "3:3"));
        SAME(ga_sqrt(ga_add(ga_sum(z), 1)), ga_sqrt(ga_add(ga_sum(m), 1)));
    }
}

static void views(const ga_array *a, ga_shape chunks)
{
    ga_scope {
        ga_array *x = ga_add((ga_chunked)(a, chunks, "\ttest"), 1), *m = ga_add(a, 1);
        SAME(ga_index(x, "2:9, 3:40:3"), ga_index(m, "2:9, 3:40:3"));
        SAME(ga_index(x, "::-1, ::-2"), ga_index(m, "::-1, ::-2"));
        SAME(ga_index(x, "5"), ga_index(m, "5"));
        SAME(ga_index(x, "5, 7"), ga_index(m, "5, 7"));
        SAME(ga_index(x, "newaxis, 3:4, newaxis, :"), ga_index(m, "newaxis, 3:4, newaxis, :"));
        SAME(ga_transpose(x), ga_transpose(m));
        SAME(ga_flip(x), ga_flip(m));
        SAME(ga_rot90(x, 1), ga_rot90(m, 1));
        SAME(ga_ravel(x), ga_ravel(m));
        SAME(ga_index(ga_ravel(x), "17:1000:7"), ga_index(ga_ravel(m), "17:1000:7"));
        SAME(ga_reshape(x, (m->shape[1], m->shape[0])), ga_reshape(m, (m->shape[1], m->shape[0])));
        SAME(ga_reshape(ga_transpose(x), (-1)), ga_reshape(ga_transpose(m), (-1)));
        SAME(ga_diagonal(x, 2), ga_diagonal(m, 2));
        SAME(ga_broadcast_to(x, (3, m->shape[0], m->shape[1])), ga_broadcast_to(m, (3, m->shape[0], m->shape[1])));
        SAME(ga_add(ga_transpose(x), 1), ga_add(ga_transpose(m), 1));
        SAME(ga_sin(ga_index(x, "::-1, ::3")), ga_sin(ga_index(m, "::-1, ::3")));
        SAME(ga_index(x, "3:3"), ga_index(m, "3:3"));
        SAME(ga_stack((x, x, x), .axis = 2), ga_stack((m, m, m), .axis = 2));
        SAME(ga_stack((x, m)), ga_stack((m, m)));
        CHECK_FAILS(ga_concatenate((m), .out = x), ".out is chunked");
        SAME(ga_concatenate((x, ga_index(x, "1:4"), x)), ga_concatenate((m, ga_index(m, "1:4"), m)));
        SAME(ga_index(ga_concatenate((x, m, x), .axis = 1), "::2, ::-3"),
             ga_index(ga_concatenate((m, m, m), .axis = 1), "::2, ::-3"));
        SAME(ga_rechunk(x, 7, 5), m);
    }
}

static void reductions(const ga_array *a, ga_shape chunks)
{
    ga_scope {
        ga_array *x = ga_subtract((ga_chunked)(a, chunks, "\ttest"), 0.25), *m = ga_subtract(a, 0.25);
#define EACH(call)                                                                                                             \
    do {                                                                                                                       \
        SAME(call(x), call(m));                                                                                                \
        SAME(call(x, .axis = 0), call(m, .axis = 0));                                                                          \
        SAME(call(x, .axis = -1), call(m, .axis = -1));                                                                        \
        SAME(call(x, .axis = 0, .keepdims = true), call(m, .axis = 0, .keepdims = true));                                      \
    } while (0)
        EACH(ga_sum);
        EACH(ga_mean);
        EACH(ga_min);
        EACH(ga_max);
        EACH(ga_std);
        EACH(ga_var);
        EACH(ga_argmin);
        EACH(ga_argmax);
        EACH(ga_any);
        EACH(ga_count_nonzero);
        EACH(ga_nanmean);
        EACH(ga_nanargmax);
        SAME(ga_sum(x, .axes = ga_axes(1, 0)), ga_sum(m, .axes = ga_axes(1, 0)));
        SAME(ga_sum(x, .dtype = GA_F64), ga_sum(m, .dtype = GA_F64));
        SAME(ga_std(x, .ddof = 1), ga_std(m, .ddof = 1));
        SAME(ga_sum(ga_transpose(x)), ga_sum(ga_transpose(m)));
        SAME(ga_subtract(x, ga_mean(x)), ga_subtract(m, ga_mean(m)));
        SAME(ga_divide(ga_subtract(x, ga_mean(x, .axis = 0)), ga_std(x, .axis = 0)),
             ga_divide(ga_subtract(m, ga_mean(m, .axis = 0)), ga_std(m, .axis = 0)));
        SAME(ga_mean(ga_square(ga_subtract(x, ga_mean(x)))), ga_mean(ga_square(ga_subtract(m, ga_mean(m)))));
#undef EACH
    }
}

static void creation(void)
{
    ga_scope {
        ga_shape c = ga_chunks(100, 7);
        SAME(ga_random((333, 55), .seed = 3, .chunks = c), ga_random((333, 55), .seed = 3));
        SAME(ga_random((333, 55), .dtype = GA_F32, .chunks = c), ga_random((333, 55), .dtype = GA_F32));
        SAME(ga_random_normal(1, 2, (333, 55), .chunks = ga_chunks(0)), ga_random_normal(1, 2, (333, 55)));
        SAME(ga_random_integers(-5, 50, (333, 55), .chunks = c), ga_random_integers(-5, 50, (333, 55)));
        SAME(ga_index(ga_random((333, 55), .seed = 3, .chunks = c), "3:300:7, 50:3:-5"),
             ga_index(ga_random((333, 55), .seed = 3), "3:300:7, 50:3:-5"));
        SAME(ga_zeros((30, 20), .chunks = ga_chunks(7, -1)), ga_zeros((30, 20)));
        SAME(ga_ones((30, 20), .dtype = GA_I32, .chunks = ga_chunks(7, 0)), ga_ones((30, 20), .dtype = GA_I32));
        SAME(ga_full((30), 2.5, .chunks = ga_chunks(7)), ga_full((30), 2.5));
        SAME(ga_arange(0, 1000, 3, .chunks = ga_chunks(70)), ga_arange(0, 1000, 3));
        SAME(ga_linspace(0, 1, 1001, .chunks = ga_chunks(70)), ga_linspace(0, 1, 1001));
        SAME(ga_logspace(0, 3, 1001, .chunks = ga_chunks(70)), ga_logspace(0, 3, 1001));
        SAME(ga_logspace(0, 3, 101, .dtype = GA_I32, .chunks = ga_chunks(70)), ga_logspace(0, 3, 101, .dtype = GA_I32));
        SAME(ga_eye(33, 55, 2, .chunks = ga_chunks(7, 10)), ga_eye(33, 55, 2));
        SAME(ga_eye(33, 55, -60, .dtype = GA_I32, .chunks = ga_chunks(0)), ga_eye(33, 55, -60, .dtype = GA_I32));
        SAME(ga_index(ga_eye(33, 55, -2, .chunks = ga_chunks(7, 10)), "::-3, 1::2"),
             ga_index(ga_eye(33, 55, -2), "::-3, 1::2"));
        SAME(ga_eye(0, 0, 0, .chunks = ga_chunks(0)), ga_eye(0, 0, 0));
        SAME(ga_indices((20, 30), .chunks = ga_chunks(1, 7, 9)), ga_indices((20, 30)));
        SAME(ga_indices((4, 5, 6), .dtype = GA_F32, .chunks = ga_chunks(0)), ga_indices((4, 5, 6), .dtype = GA_F32));
        const ga_shape no_axes   = { 0, { 0 } };
        ga_new_options in_chunks = ga_new_defaults;
        in_chunks.chunks         = ga_chunks(0);
        SAME((ga_indices)(no_axes, in_chunks), (ga_indices)(no_axes, ga_new_defaults));
        SAME(ga_indices((4, 0), .chunks = ga_chunks(0)), ga_indices((4, 0)));
        SAME(ga_mgrid("0:20, 3:30:2", .chunks = ga_chunks(2, 7, 9)), ga_mgrid("0:20, 3:30:2"));
        SAME(ga_mgrid("0:20:0.3, -1:1:50j", .chunks = ga_chunks(0)), ga_mgrid("0:20:0.3, -1:1:50j"));
        SAME(ga_mgrid("0:20:0.3, 0:5", .dtype = GA_I32, .chunks = ga_chunks(0)), ga_mgrid("0:20:0.3, 0:5", .dtype = GA_I32));
        SAME(ga_mgrid("0:20:0.3", .chunks = ga_chunks(9)), ga_mgrid("0:20:0.3"));
        ga_array *xx, *yy, *xm, *ym, *line = ga_arange(0, 30, 1);
        CHECK(ga_meshgrid(ga_linspace(0, 1, 20, .chunks = ga_chunks(7)), line, &xx, &yy, false) &&
              ga_meshgrid(ga_linspace(0, 1, 20), line, &xm, &ym, false));
        SAME(ga_add(xx, yy), ga_add(xm, ym));
        ga_shape of_grid = ga_chunks_of(ga_indices((20, 30), .chunks = ga_chunks(1, 7, 9)));
        CHECK(of_grid.n[0] == 1 && of_grid.n[1] == 7 && of_grid.n[2] == 9);
        ga_array *corner_of = ga_compute(ga_index(ga_indices((2000000, 3000000), .chunks = ga_chunks(0)), ":, -1, -1"));
        CHECK(corner_of && ga_item_int_at(corner_of, 0) == 1999999 && ga_item_int_at(corner_of, 1) == 2999999);
        CHECK_FAILS(ga_indices((20, -30), .chunks = ga_chunks(0)), "negative");
        CHECK_FAILS(ga_indices((20, 30), .chunks = ga_chunks(7, 9)), "one length for each axis");
        CHECK_FAILS(ga_eye(-3, 4, 0, .chunks = ga_chunks(0)), "negative");
        CHECK_FAILS(ga_mgrid("0:3, 0:4", .chunks = ga_chunks(-2, 1, 1)), "negative");
        ga_array *x = ga_ones((30, 20), .chunks = ga_chunks(7, 5));
        SAME(ga_zeros_like(x), ga_zeros((30, 20)));
        ga_shape k = ga_chunks_of(x);
        CHECK(k.ndim == 2 && k.n[0] == 7 && k.n[1] == 5);
        k = ga_chunks_of(ga_add(ga_transpose(x), 1));
        CHECK(k.ndim == 2 && k.n[0] == 5 && k.n[1] == 7);
        k = ga_chunks_of(ga_index(x, "::3"));
        CHECK(k.n[0] == 3);
        /* nobody could hold this one: its slices are all that is made */
        ga_array *huge = ga_random((500000, 500000), .chunks = ga_chunks(0)), *part = ga_mean(ga_index(huge, "::5000, ::5000"));
        ga_array *mean = ga_compute(part);
        CHECK(mean && fabs(ga_item(mean) - 0.5) < 0.02);
        ga_array *corner = ga_compute(ga_index(huge, "499999, -3:"));
        CHECK(corner && ga_item_at(corner, 2) >= 0 && ga_item_at(corner, 2) < 1);
        /* nor can bytes like these be added up */
        ga_array *most =
            ga_zeros((INT64_C(1) << 30, INT64_C(1) << 29), .chunks = ga_chunks(INT64_C(1) << 29, INT64_C(1) << 29));
        const ga_array *both[2] = { most, ga_add(most, 1) };
        ga_array       *results[2];
        CHECK_FAILS(ga_compute_n(2, both, results), ga_ranks() > 1
                                                        ? " PiB of memory (8192 PiB for results"
                                                        : "this needs about 8192 PiB of memory (8192 PiB for results");
        CHECK_FAILS(ga_compute(ga_cumsum(most, .axis = 1)), "this needs about");
    }
}

static void long_lines(void)
{
    ga_scope {
        ga_array *m = ga_random((3, 2500003), .seed = 5, .dtype = GA_F32), *x = ga_chunked(m, 1, 100000);
        SAME(ga_sum(x), ga_sum(m));
        SAME(ga_mean(x, .axis = 1), ga_mean(m, .axis = 1));
        SAME(ga_std(x), ga_std(m));
        SAME(ga_var(x, .axis = 1), ga_var(m, .axis = 1));
        SAME(ga_argmax(x), ga_argmax(m));
        SAME(ga_argmin(x, .axis = 1), ga_argmin(m, .axis = 1));
        SAME(ga_sum(ga_transpose(x)), ga_sum(ga_transpose(m)));
        ga_array       *results[3] = { NULL };
        const ga_array *of[3]      = { ga_mean(x), ga_std(x), ga_max(x) };
        CHECK(ga_compute_n(3, of, results) && ga_array_equal(results[0], ga_mean(m)) && ga_array_equal(results[1], ga_std(m)) &&
              ga_array_equal(results[2], ga_max(m)));
        ga_array *holes = ga_copy(ga_index(m, "0"));
        ga_copyto(ga_index(holes, ":2000000"), NAN);
        SAME(ga_nanargmax(ga_chunked(holes)), ga_nanargmax(holes));
        SAME(ga_nanmean(ga_chunked(holes)), ga_nanmean(holes));
        SAME(ga_max(ga_chunked(holes)), ga_max(holes));
        SAME(ga_argmax(ga_chunked(holes)), ga_argmax(holes));
        ga_copyto(holes, NAN);
        CHECK_FAILS(ga_compute(ga_nanargmax(ga_chunked(holes))), "nothing but NaN");
    }
}

/* Long lines that lie across: several at a time, with the same bits. */
static void long_lines_across(void)
{
    ga_scope {
        ga_array *m = ga_random_normal(1, 2, (2200000, 5), .seed = 5, .dtype = GA_F32), *x = ga_chunked(m, 300000, 2);
        SAME(ga_sum(x, .axis = 0), ga_sum(m, .axis = 0));
        SAME(ga_std(x, .axis = 0), ga_std(m, .axis = 0));
        SAME(ga_argmax(x, .axis = 0), ga_argmax(m, .axis = 0));
        SAME(ga_max(ga_sqrt(ga_absolute(x)), .axis = 0), ga_max(ga_sqrt(ga_absolute(m)), .axis = 0));
        SAME(ga_prod(ga_index(x, "::2, ::-2"), .axis = 0, .dtype = GA_F64),
             ga_prod(ga_index(m, "::2, ::-2"), .axis = 0, .dtype = GA_F64));
        ga_copyto(ga_index(m, ":1500000, 1"), NAN);
        SAME(ga_nanmean(x, .axis = 0), ga_nanmean(m, .axis = 0));
        SAME(ga_nanargmin(x, .axis = 0), ga_nanargmin(m, .axis = 0));
        /* over several axes, with kept ones before and behind */
        ga_array       *c = ga_random((3, 700, 900, 4), .seed = 6), *y = ga_chunked(c, 2, 100, 900, 3);
        ga_array       *results[3] = { NULL };
        const ga_array *of[3]      = { ga_mean(y, .axes = ga_axes(1, 2)), ga_var(y, .axes = ga_axes(1, 2)),
                                       ga_min(y, .axes = ga_axes(1, 2)) };
        CHECK(ga_compute_n(3, of, results) && ga_array_equal(results[0], ga_mean(c, .axes = ga_axes(1, 2))) &&
              ga_array_equal(results[1], ga_var(c, .axes = ga_axes(1, 2))) &&
              ga_array_equal(results[2], ga_min(c, .axes = ga_axes(1, 2))));
        ga_copyto(ga_index(m, ":, 3"), NAN);
        CHECK_FAILS(ga_compute(ga_nanargmax(x, .axis = 0)), "nothing but NaN");
    }
}

static void persisted(void)
{
    ga_scope {
        ga_array *m = ga_random((300, 500)), *x = ga_sin(ga_chunked(m, 70, 80)), *y = ga_persist(x);
        CHECK(y && ga_is_chunked(y) && ga_is_chunked(x));
        ga_copyto(m, 7); /* it is no longer asked */
        SAME(ga_add(x, 1), ga_add(ga_sin(ga_random((300, 500))), 1));
        SAME(ga_sum(y), ga_sum(ga_sin(ga_random((300, 500)))));
        ga_array *out = ga_zeros((300, 500));
        CHECK(ga_compute(ga_add(x, 1), .out = out) == out && ga_array_equal(out, ga_add(ga_sin(ga_random((300, 500))), 1)));
        CHECK(ga_array_equal(ga_compute(m), m));
    }
}

/* .out that the expression reads: written when all has been read. */
static void into_itself(void)
{
    ga_scope {
        ga_array *m = ga_random((300, 500)), *want = ga_add(m, ga_flip(m));
        ga_array *same = ga_copy(m), *x = ga_chunked(same, 70, 80), *flipped = ga_chunked(ga_flip(same), 50, 100);
        CHECK(ga_compute(ga_add(x, flipped), .out = same) == same && ga_array_equal(same, want));
        ga_array *line = ga_ravel(m), *all = ga_concatenate((line, ga_zeros((1)))), *from = ga_index(all, ":-1");
        ga_array *to = ga_index(all, "1:"), *roots = ga_sqrt(line);
        CHECK(ga_compute(ga_sqrt(ga_chunked(from, 1000)), .out = to) == to && ga_array_equal(to, roots));
        ga_array *kept = ga_compute(ga_persist(ga_sin(ga_chunked(m, 70, 80))));
        CHECK(ga_compute(ga_flip(ga_persist(ga_chunked(kept, 70, 80))), .out = kept) == kept &&
              ga_array_equal(kept, ga_flip(ga_sin(m))));
        ga_array *e = ga_flip(ga_chunked(same, 70, 80)), *mirrored = ga_flip(want);
        int64_t   arrays = ga_memory_stats().arrays;
        CHECK(ga_compute(e, .out = same) == same && ga_memory_stats().arrays == arrays && ga_array_equal(same, mirrored));
    }
}

static void mistakes(void)
{
    ga_scope {
        ga_array *m = ga_ones((4, 5)), *x = ga_chunked(m, 2, 2), *out = ga_ones((4, 5)), *i = ga_ones((4), .dtype = GA_I32);
        CHECK_FAILS(ga_item(ga_sum(x)) == 0, "ga_compute it first");
        CHECK_FAILS(ga_data(x, GA_F64), "chunked");
        CHECK_FAILS(ga_add(x, 1, .out = out), "give it to ga_compute");
        CHECK_FAILS(ga_add(m, 1, .out = x), "chunked");
        CHECK_FAILS(ga_copyto(x, 1), "chunked");
        CHECK_FAILS(ga_sum(x, .out = out), ".out");
        CHECK_FAILS(ga_sum(x, .axis = 2), "there is no axis 2");
        CHECK_FAILS(ga_add(x, ga_ones((3))), "do not broadcast");
        CHECK_FAILS(ga_chunked(m, 2), "one length for each axis");
        CHECK_FAILS(ga_chunked(m, 2, -3), "negative");
        CHECK_FAILS(ga_chunked(NULL, 2, 2), "NULL");
        CHECK_FAILS(ga_compute(x, .out = i), ".out");
        CHECK_FAILS(ga_compute(NULL), "NULL");
        CHECK_FAILS(ga_persist(NULL), "NULL");
        CHECK_FAILS((ga_set_num_gpus(-2), !ga_error()), "-2 GPUs");
        CHECK_FAILS((ga_set_num_gpus(100), !ga_error()), ga_cuda_count() > 0 ? "100 GPUs from number 0 on" : "CUDA");
        CHECK_FAILS(ga_power(ga_chunked(i), ga_chunked(i)), "chunked");
        CHECK_FAILS(ga_view_as(x, GA_I64), "chunked");
        CHECK_FAILS(ga_max(ga_chunked(ga_zeros((0)))), "no elements");
        CHECK_FAILS(ga_empty((3), .chunks = ga_chunks(1)), "in memory");
        CHECK_FAILS(ga_random((3), .dtype = GA_I32, .chunks = ga_chunks(1)), "random numbers are");
        CHECK_FAILS(ga_random((3, 3), .chunks = ga_chunks(1)), "one length for each axis");
        ga_array *deep = x;
        ga_set_error_handler(ga_ignore_error, NULL);
        for (int k = 0; k < 1100 && deep; k++) deep = ga_add(deep, 1);
        ga_set_error_handler(NULL, NULL);
        CHECK(!deep && ga_error() && strstr(ga_error(), "ga_persist"));
        ga_clear_error();
        SAME(ga_sum(ga_chunked(ga_zeros((0, 3))), .axis = 0), ga_sum(ga_zeros((0, 3)), .axis = 0));
        SAME(ga_add(ga_chunked(ga_zeros((0, 3))), 1), ga_zeros((0, 3)));
        SAME(ga_add(ga_chunked(ga_scalar(3.0)), 1), ga_scalar(4.0));
    }
}

/* In a thread with a small stack: as deep as it may be an expression is computed, and one that is deeper is a sentence. */
static void *deep_in_small(void *unused)
{
    ga_scope {
        ga_array *x = ga_zeros((30, 30), .chunks = ga_chunks(10, 10)), *next = x;
        int       depth = 0;
        ga_set_error_handler(ga_ignore_error, NULL);
        for (; next && depth < 500; depth++) {
            x    = next;
            next = ga_roll(ga_add(x, 1), 1, .axis = 0);
        }
        ga_set_error_handler(NULL, NULL);
        CHECK(!next && depth > 5 && ga_error() && strstr(ga_error(), "more stack than this thread has"));
        ga_clear_error();
        ga_array *all = ga_compute(x);
        CHECK(all && ga_item_at(all, 3, 4) == depth - 1);
    }
    return unused;
}

static void small_stacks(void)
{
    pthread_t      thread;
    pthread_attr_t attributes;
    if (ga_ranks() > 1) return; /* MPI may want one thread */
    if (TEST_ASAN || TEST_TSAN) {
        test_skip("a thread of 128 KiB has no room for a sanitizer's frames", 3);
        return;
    }
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 128 << 10);
    bool began = CHECK(pthread_create(&thread, &attributes, deep_in_small, NULL) == 0);
    if (began) pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
}

static int  told;
static bool count_progress(const ga_progress *p, void *user)
{
    told++;
    CHECK(p->done > 0 && p->done <= 1 && p->what && p->seconds >= 0);
    return user == NULL;
}

static void pictures_and_progress(void)
{
    char svg[64], dot[64]; /* of each process its own */
    snprintf(svg, sizeof svg, "build/tests/chunked%d.svg", ga_rank());
    snprintf(dot, sizeof dot, "build/tests/chunked%d.dot", ga_rank());
    ga_scope {
        ga_array *m = ga_random((40, 60)), *x = ga_chunked(m, 20, 20), *y = ga_subtract(ga_sin(x), ga_mean(x));
        CHECK(ga_visualize(y, svg));
        CHECK(count_in(svg, "<title>") == 1 + 6 + 6 + 1 + 6); /* the array, its chunks, sin, mean, subtract */
        CHECK(ga_visualize(y, dot));
        CHECK(count_in(dot, " -> ") == 6 + 6 + 6 + 6 + 6);
        CHECK(ga_visualize(y, svg, .tasks = 5, .color = GA_COLOR_TIME) && count_in(svg, "<title>") == 5);
        CHECK(count_in(svg, "6 chunks") == 3 && count_in(svg, "1 chunk<") == 1);
        CHECK(ga_visualize(ga_eval("sqrt(abs(x - 0.5)) * 2 + x", (x)), svg));
        if (ga_get_num_gpus() == 0) /* a formula is one node, however many operations it has */
            CHECK(count_in(svg, "<title>") == 1 + 6 + 6);
        CHECK_FAILS(ga_visualize(y, "build/tests/chunked.png"), "must end in .svg or .dot");
        CHECK_FAILS(ga_visualize(m, svg), "in memory");
        CHECK_FAILS(ga_visualize(y, "no/such/folder.svg"), "cannot write");
        ga_set_progress(count_progress, NULL);
        CHECK(ga_compute(y) && told >= (ga_rank() == 0 ? 2 : 0)); /* of several processes the first tells */
        ga_set_progress(count_progress, m);
        CHECK_FAILS(ga_compute(y), "stopped");
        CHECK(ga_error_status() == GA_OK);
        ga_set_progress(NULL, NULL);
        CHECK(ga_compute(y) != NULL);
    }
}

/* What does not fit is refused before any work; what is worked out in pieces needs little. */
static void memory(void)
{
    ga_scope {
        ga_array *huge = ga_random((100000, 100000), .chunks = ga_chunks(0)),
                 *x    = ga_sqrt(ga_random((4000, 4000), .chunks = ga_chunks(0)));
        CHECK_FAILS(ga_compute(huge), "(74.5 GiB for results, ");
        CHECK_FAILS(ga_persist(ga_random((10000000, 10000000), .chunks = ga_chunks(0))),
                    "728 TiB do not fit into memory, and '");
        ga_memory_trim();
        ga_memory_limit(ga_memory_stats().used_bytes + (24 << 20));
        CHECK_FAILS(ga_compute(x), "24.0 MiB are left of ga_memory_limit");
        ga_memory_reset_peak();
        ga_array *mean = ga_compute(ga_mean(x));
        CHECK(mean && fabs(ga_item(mean) - 2.0 / 3) < 1e-3);
        CHECK(ga_memory_stats().peak_bytes <= ga_memory_stats().limit_bytes);
        ga_memory_limit(0);
        char *text = ga_to_string(x);
        CHECK(text &&
              strstr(text, "<chunked float64 (4000, 4000), 8 chunks of (524, 4000), 122 MiB; computing it takes about"));
        if (text) printf("     %s\n", text);
        free(text);
    }
}

/* What does not fit is kept in a file, with the same bits. */
static void spilled(void)
{
    char line[1024] = "";
    ga_scope {
        ga_array *a = ga_random((2000, 3000), .seed = 3), *sum = ga_sum(ga_sqrt(a), .axis = 1),
                 *turned = ga_ascontiguous(ga_transpose(ga_sqrt(a))), *x, *y;
        ga_free(a);
        x = ga_sqrt(ga_random((2000, 3000), .seed = 3, .chunks = ga_chunks(300, 700)));
        ga_memory_trim();
        ga_memory_limit(ga_memory_stats().used_bytes + (24 << 20));
        FILE *heard = tmpfile();
        int   tell  = dup(2);
        CHECK(heard && dup2(fileno(heard), 2) == 2);
        y = ga_persist(x);
        CHECK(dup2(tell, 2) == 2);
        (void)close(tell);
        rewind(heard);
        CHECK(fgets(line, sizeof line, heard) &&
              strstr(line, "ga_persist(x): 45.8 MiB do not fit into the 24.0 MiB that are left: kept in "));
        CHECK(!fgets(line, sizeof line, heard));
        (void)fclose(heard);
        CHECK(y && ga_is_chunked(y) && ga_memory_stats().spilled_bytes == 2000 * 3000 * 8);
        CHECK(ga_persist(x) && ga_persist(y) && ga_memory_stats().spilled_bytes == 2000 * 3000 * 8);
        CHECK_FAILS(ga_compute(x), "24.0 MiB are left of ga_memory_limit");
        SAME(ga_sum(x, .axis = 1), sum);
        ga_memory_limit(0);
        SAME(ga_transpose(y), turned);
        SAME(ga_index(ga_transpose(y), "10:2000:7, ::-3"), ga_index(turned, "10:2000:7, ::-3"));

        /* an operation that needs whole chunks, of something that is spilled already, and mistakes */
        ga_array *z = ga_sort(ga_add(y, 1), .axis = 1), *sorted = ga_transpose(ga_sort(ga_add(turned, 1), .axis = 0));
        ga_memory_trim();
        ga_memory_limit(ga_memory_stats().used_bytes + (40 << 20));
        ga_set_error_handler(ga_ignore_error, NULL); /* no line then */
        CHECK(ga_persist(z) && ga_memory_stats().spilled_bytes == 2 * 2000 * 3000 * 8);
        ga_set_error_handler(NULL, NULL);
        setenv("GA_SPILL", "/no/such/folder", 1);
        CHECK_FAILS(ga_persist(ga_add(y, 2)), "'/no/such/folder', where they would be kept, cannot be used");
        setenv("GA_SPILL", "/proc", 1);
        CHECK_FAILS(ga_persist(ga_add(y, 2)), "/proc");
        unsetenv("GA_SPILL");
        ga_memory_trim();
        ga_memory_limit(ga_memory_stats().used_bytes + (100 << 10));
        CHECK_FAILS(ga_persist(ga_add(y, 2)), "this needs about");
        ga_memory_limit(0);
        SAME(z, sorted);
    }
    CHECK(ga_memory_stats().spilled_bytes == 0);

    /* of a deep expression what is persisted is no longer deep */
    ga_scope {
        ga_array *x = ga_chunked(ga_zeros((10)));
        for (int k = 0; k < 1500 && x; k++) x = k % 500 == 499 ? ga_persist(x) : ga_add(x, 1);
        SAME(x, ga_full((10), 1497.0));
    }
}

static bool writes(const char *folder, const char *file, const char *text)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *f    = fopen(path, "w");
    bool  done = f && fputs(text, f) >= 0;
    return f && fclose(f) == 0 && done;
}

/* In a control group inside of one that is limited, what is beyond the limit is refused before any work. */
static void control_groups(void)
{
    char outer[200], inner[220], text[40];
    bool made = false;
    for (int version = 1; version <= 2 && !made; version++) {
        const char *root = version == 1 ? "/sys/fs/cgroup/memory" : "/sys/fs/cgroup";
        if (version == 2) (void)writes(root, "cgroup.subtree_control", "+memory");
        snprintf(outer, sizeof outer, "%s/gpuarr-test-%ld", root, (long)getpid());
        snprintf(inner, sizeof inner, "%s/inner", outer);
        made = mkdir(outer, 0700) == 0 && writes(outer, version == 1 ? "memory.limit_in_bytes" : "memory.max", "536870912") &&
               mkdir(inner, 0700) == 0;
        if (!made) (void)rmdir(outer);
    }
    if (!made || ga_ranks() > 1) {
        test_skip("control groups: none can be made here (or by one rank of several)", 1);
        if (made) (void)rmdir(inner), (void)rmdir(outer);
        return;
    }
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        snprintf(text, sizeof text, "%ld", (long)getpid());
        if (!writes(inner, "cgroup.procs", text)) _exit(2);
        ga_array *x = ga_zeros((1 << 27), .chunks = ga_chunks(1 << 16)), *sum = ga_compute(ga_sum(x)); /* 1 GiB, and 8 bytes */
        bool computed = sum && ga_item(sum) == 0, refused = !ga_compute(x) && strstr(ga_error(), "this needs about 1.0 GiB");
        _exit(computed && refused ? 0 : 1);
    }
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 2) test_skip("control groups: nobody may enter them here", 1);
    else CHECK(WEXITSTATUS(status) == 0);
    CHECK(rmdir(inner) == 0 && rmdir(outer) == 0);
}

int main(void)
{
    const ga_shape chunks[] = { { 2, { 3, 4 } }, { 2, { 64, 10 } }, { 2, { 1, -1 } }, { 0, { 0 } } };
    ga_array      *a = ga_random((61, 83), .seed = 1), *b = ga_random((61, 83), .seed = 2, .dtype = GA_F32);
    for (int k = 0; k < 4; k++) {
        elementwise(a, b, chunks[k]);
        chains(a, b, chunks[k]);
        chains(b, a, chunks[k]);
        views(a, chunks[k]);
        reductions(a, chunks[k]);
        reductions(b, chunks[k]);
    }
    creation();
    long_lines();
    long_lines_across();
    persisted();
    into_itself();
    spilled();
    control_groups();
    mistakes();
    memory();
    small_stacks();
    pictures_and_progress();
    if (getenv("GA_TRACE")) CHECK(count_in(getenv("GA_TRACE"), "ga_sin") > 0);
    ga_free(a);
    ga_free(b);
    CHECK(ga_report_leaks(stdout) == 0);
    return test_end();
}
