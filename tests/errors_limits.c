/* Arguments that no call can use: shapes and lists that are NULL or of more dimensions than there are, dtypes that are none, numbers at the
   end of their range; and repetitions and margins of chunked arrays that are long, which cost nothing until they are computed.
   cc tests/impl.c tests/errors_limits.c -lm -lpthread */
#define GPUARR_KERNELS
#include "errors.h"

#include <limits.h>

GA_ELEMENTWISE(twice, double, (double x), 2 * x)
GA_REDUCTION(total, double, (double x), double, 0, x, a + b, a)
GA_REDUCTION(inner, double, (double x, double y), double, 0, (x * y), a + b, a)
GA_STENCIL(middle, (1), double, (void), GA_AT(0))

/* A shape, or a list of axes, of so many dimensions. */
static ga_shape dims(int ndim)
{
    ga_shape s;
    memset(&s, 0, sizeof s);
    s.ndim = ndim;
    for (int d = 0; d < GPUARR_MAX_DIMS; d++) s.n[d] = 1;
    return s;
}

static bool copy_block(ga_array *out, const ga_array *const *in, int n, const ga_block *where, void *user)
{
    (void)n, (void)where, (void)user;
    return ga_copyto(out, GA_ARG(in[0])) != NULL;
}

static void test_shapes(void)
{
    const int64_t *none = NULL;
    ga_shape       most = dims(GPUARR_MAX_DIMS);
    FAILS(GA_BAD_ARGUMENT, ga_zeros_n(2, none), "shape", "NULL");
    FAILS(GA_BAD_ARGUMENT, ga_empty_n(2, none), "shape", "NULL");
    FAILS(GA_BAD_ARGUMENT, ga_zeros_n(2, none, .chunks = ga_chunks(1, 1)), "shape", "NULL");
    ga_array *scalar = ga_zeros_n(0, none);
    CHECK(scalar && scalar->ndim == 0);

    ga_array *a = ga_zeros((2, 3)), *c = ga_chunked(a, 1, 2);
    const int wrong[] = { GPUARR_MAX_DIMS + 1, 1000, INT_MAX, -1, INT_MIN };
    for (int i = 0; i < 5; i++) {
        ga_shape s = dims(wrong[i]);
        FAILS(GA_BAD_SHAPE, ga_zeros_n(s.ndim, most.n), "dimensions", "at most");
        FAILS(GA_BAD_SHAPE, ga_zeros_n(s.ndim, most.n, .chunks = ga_chunks(1, 1)), "dimensions", "at most");
        FAILS(GA_BAD_SHAPE, ga_zeros((2, 3), .chunks = s), "chunks", "dimensions; an array has at most");
        FAILS(GA_BAD_SHAPE, ga_eye(2, 3, 0, .chunks = s), "chunks", "dimensions; an array has at most");
        FAILS(GA_BAD_SHAPE, ga_indices((2, 3), .chunks = s), "chunks", "dimensions; an array has at most");
        FAILS(GA_BAD_SHAPE, ga_random((2, 3), .chunks = s), "chunks", "dimensions; an array has at most");
        FAILS(GA_BAD_SHAPE, ga_linspace(0, 1, 5, .chunks = s), "chunks", "dimensions; an array has at most");
        FAILS(GA_BAD_SHAPE, ga_map_blocks(c, copy_block, NULL, .chunks = s), "chunks", "dimensions; an array has at most");
        FAILS(GA_BAD_SHAPE, ga_map_overlap(c, copy_block, NULL, .depth = s), "depth", "dimensions; an array has at most");
        FAILS(GA_BAD_SHAPE, ga_minimum_filter(a, 3, .origin = s), "origin", "dimensions; an array has at most");
        FAILS(GA_BAD_SHAPE, ga_gaussian_filter(a, 1, .order = s), "order", "dimensions; an array has at most");
    }
    const int64_t huge = (int64_t)1 << 40; /* arrays without elements must have other lengths that can be counted, too */
    FAILS(GA_NO_MEMORY, ga_zeros((0, huge, huge, 0)),
          "shape (0, 1099511627776, 1099511627776, 0) of float64 is more bytes than", "lengths of 0 aside");
    FAILS(GA_NO_MEMORY, ga_zeros((0, INT64_MAX), .dtype = GA_U8), "counted");
    ga_scope {
        FAILS(GA_BAD_SHAPE, ga_broadcast_to(ga_zeros((0, 1)), (0, INT64_MAX)), "counted");
        FAILS(GA_BAD_SHAPE, ga_kron(ga_zeros((0, huge)), ga_broadcast_to(ga_ones((1, 1)), (1, huge))),
              "have products of lengths");
        const int64_t many = (int64_t)1 << 20;
        FAILS(GA_NO_MEMORY,
              ga_kron(ga_broadcast_to(ga_ones((1, 1)), (many, many)), ga_broadcast_to(ga_ones((1, 1)), (many, 16))), "bytes");
        ga_array *empty = ga_zeros((0, huge, 3, 0)), *sums = ga_sum(empty, .axis = 1);
        CHECK(sums && sums->ndim == 3 && sums->size == 0);
        FAILS(GA_BAD_SHAPE, ga_nanmax(empty), "0");
        ga_array *flat = ga_zeros((0, huge)), *tall = ga_zeros((huge, 0)), *q = NULL, *r = NULL;
        CHECK(ga_index(flat, ":, ::-1")->shape[1] == huge && ga_index(tall, "5:")->shape[0] == huge - 5);
        CHECK(ga_index(flat, ":, -5")->ndim == 1 && ga_unique(flat, .axis = 0)->shape[1] == huge);
        CHECK(ga_svdvals(flat)->size == 0 && ga_svdvals(tall)->size == 0 && ga_pinv(flat)->shape[0] == huge);
        CHECK(ga_pinv(tall)->shape[1] == huge && ga_packbits(ga_astype(tall, GA_U8), .axis = 0)->shape[0] == huge / 8);
        CHECK(ga_qr(ga_zeros((3, huge, 0)), &q, &r) && q->size == 0 && r->size == 0);
        for (int k = 0; k < 2; k++) {
            ga_array *left = ga_zeros((0, huge, 4), .dtype = k ? GA_C64 : GA_F32), *wide = ga_swapaxes(left, 1, 2),
                     *no_rows = ga_zeros((3, huge, 0), .dtype = left->dtype);
            CHECK(ga_svdvals(left)->shape[1] == 4 && ga_svdvals(wide)->size == 0 && ga_pinv(left)->shape[2] == huge);
            CHECK(ga_svdvals(no_rows)->size == 0 && ga_matrix_rank(left)->size == 0 && ga_cond(left)->size == 0);
            CHECK(ga_copy(left)->size == 0 && ga_add(left, 1)->size == 0 && ga_cumsum(left, .axis = 2)->shape[2] == 4);
            CHECK(ga_sort(wide)->size == 0 && ga_sum(no_rows, .axis = 1)->size == 0);
        }
    }
    ga_scope { /* nor do views make them longer */
        ga_array *empty = ga_zeros((0));
        FAILS(GA_BAD_SHAPE, ga_reshape(empty, (huge, 0, huge)), "counted", "lengths of 0 aside");
        FAILS(GA_BAD_SHAPE, ga_reshape(ga_chunked(empty, 1), (huge, 0, huge)), "counted", "lengths of 0 aside");
        FAILS(GA_BAD_SHAPE, ga_view_as(ga_zeros((huge * 128, 0), .dtype = GA_U8), GA_C128), "counted");
        CHECK(ga_reshape(ga_zeros((0, 5)), (3, 0, 7))->ndim == 3 && ga_reshape(empty, (3, -1))->shape[1] == 0);
    }
    ga_scope { /* shapes that no array has, but several together */
        for (int k = 0; k < 2; k++) {
            ga_array *one = ga_ones((1, 1)), *row = ga_broadcast_to(one, (1, huge)), *column = ga_broadcast_to(one, (huge, 1)),
                     *empty = ga_zeros((0, 1, huge)), *line = ga_broadcast_to(ga_ones((1)), (huge));
            if (k == 1) row = ga_chunked(row, 1, huge), column = ga_chunked(column, huge, 1);
            FAILS(GA_BAD_SHAPE, ga_reduce(inner, (row, column)),
                  "(1099511627776, 1099511627776) has more elements than can be");
            FAILS(GA_NO_MEMORY, ga_eval("sum(row * column)", (row, column)), "counted");
            FAILS(GA_NO_MEMORY, ga_eval("exp(row) * column", (row, column)), "counted");
            if (k == 1) break;
            FAILS(GA_BAD_SHAPE, ga_reduce(inner, (empty, ga_reshape(line, (huge, 1)))), "counted", "lengths of 0 aside");
            FAILS(GA_NO_MEMORY, ga_solve(ga_reshape(row, (1, huge, 1, 1)), ga_reshape(row, (huge, 1, 1, 1))), "counted");
            FAILS(GA_NO_MEMORY, ga_svd(ga_zeros((0, 1 << 20, 1, 1 << 20)), &one, &row, &column), "counted");
        }
    }
    FAILS(GA_BAD_SHAPE, ga_map_blocks(c, copy_block, NULL, .chunks = ga_chunks(INT64_MAX, 2)), ".chunks", "counted");
    FAILS(GA_BAD_SHAPE, ga_indices((INT64_MAX / 2, 3), .chunks = ga_chunks(1, 1, 1)), "more elements than can be counted");
    FAILS(GA_BAD_SHAPE, ga_mgrid("0:4611686018427387904, 0:3", .chunks = ga_chunks(1, 1, 1)), "counted");
    ga_free(c);
    ga_free(a);
    ga_free(scalar);
}

static void test_dtypes(void)
{
    const ga_dtype no_dtype = (ga_dtype)17;
    ga_array      *a = ga_zeros((2, 3)), *c = ga_chunked(a, 1, 2);
    FAILS(GA_BAD_DTYPE, ga_zeros((2, 3), .dtype = no_dtype), "17 is not a dtype");
    FAILS(GA_BAD_DTYPE, ga_zeros((2, 3), .dtype = no_dtype, .chunks = ga_chunks(1, 2)), "17 is not a dtype");
    FAILS(GA_BAD_DTYPE, ga_full((2, 3), a, .dtype = no_dtype, .chunks = ga_chunks(1, 2)), "17 is not a dtype");
    FAILS(GA_BAD_DTYPE, ga_indices((2, 3), .dtype = no_dtype), "17 is not a dtype");
    FAILS(GA_BAD_DTYPE, ga_indices((2, 3), .dtype = no_dtype, .chunks = ga_chunks(1, 1, 2)), "17 is not a dtype");
    FAILS(GA_BAD_DTYPE, ga_eye(2, 3, 0, .dtype = no_dtype, .chunks = ga_chunks(1, 2)), "17 is not a dtype");
    FAILS(GA_BAD_DTYPE, ga_logspace(0, 1, 5, .dtype = no_dtype, .chunks = ga_chunks(2)), "17 is not a dtype");
    FAILS(GA_BAD_DTYPE, ga_map_blocks(c, copy_block, NULL, .dtype = no_dtype), "17 is not a dtype");
    FAILS(GA_BAD_DTYPE, ga_map_overlap(c, copy_block, NULL, .dtype = no_dtype, .depth = ga_axes(1, 1)), "17 is not a dtype");
    ga_free(c);
    ga_free(a);
}

static void test_lists(void)
{
    const ga_arg *none = NULL;
    FAILS(GA_BAD_ARGUMENT, ga_apply_n(twice, 1, none), "operands", "NULL");
    FAILS(GA_BAD_ARGUMENT, ga_reduce_n(total, 1, none), "operands", "NULL");
    FAILS(GA_BAD_ARGUMENT, ga_stencil_n(middle, 1, none), "operands", "NULL");
    ga_array *a = ga_ints(1, 2, 3);
    FAILS(GA_NO_MEMORY, ga_bincount(a, .minlength = INT64_MAX), ".minlength = 9223372036854775807",
          "more than any machine can hold");
    ga_free(a);
}

static void test_progress(void)
{
    const double done[] = { 0, 1, -1, 1e300, INFINITY, -INFINITY, NAN };
    CHECK_FAILS(ga_progress_line(NULL, NULL), "the progress is NULL");
    fflush(stderr);
    int saved = dup(2);
    CHECK(freopen("/dev/null", "w", stderr) != NULL);
    for (int i = 0; i < 7; i++) {
        ga_progress p = { i % 2 ? "a call" : NULL, done[i], done[i], done[i], INT64_MIN };
        CHECK(ga_progress_line(&p, NULL));
    }
    fflush(stderr);
    dup2(saved, 2);
    close(saved);
}

/* Are the elements from `start` on those of the small array from `from` on? Frees neither. */
static bool same_part(const ga_array *large, int64_t start, const ga_array *small, int64_t from, int64_t count)
{
    ga_array *x        = ga_index(large, "%lld:%lld", (long long)start, (long long)(start + count)),
             *computed = x ? ga_compute(x) : NULL,
             *y        = ga_index(small, "%lld:%lld", (long long)from, (long long)(from + count));
    bool same          = computed && y && ga_array_equal(computed, y);
    ga_free(x);
    ga_free(y);
    ga_free(computed);
    return same;
}

/* A chunked array many times, and with wide margins: recorded at once, and right where it is looked at. */
static void test_long(void)
{
    const int64_t many[] = { 300, (1 << 16) + 1, 1 << 23, (int64_t)1 << 31, ((int64_t)1 << 40) + 7 };
    const int64_t wide = (int64_t)12 << 28, narrow = 12; /* alike modulo each mode's period */
    ga_array     *a = ga_values(3, 1, 2), *c = ga_chunked(a, 2), *few = ga_tile(a, (12));
    double        begin = ga_now();
    for (int i = 0; i < 5; i++) {
        ga_array *t = ga_tile(c, (many[i]));
        CHECK(t && t->ndim == 1 && t->shape[0] == 3 * many[i]);
        if (!t) continue;
        CHECK(same_part(t, 0, few, 0, 30) && same_part(t, t->size / 2 / 3 * 3 + 1, few, 1, 30) &&
              same_part(t, t->size - 30, few, 6, 30));
        ga_free(t);
    }
    ga_array *plane = ga_tile(c, ((int64_t)1 << 33, 5)),
             *row   = plane ? ga_index(plane, "%lld", 123456789012ll % (1ll << 33)) : NULL;
    CHECK(plane && plane->shape[0] == (int64_t)1 << 33 && plane->shape[1] == 15 && row && same_part(row, 0, few, 0, 15));
    FAILS(GA_BAD_ARGUMENT, ga_tile(c, (INT64_MAX)), "repeated");
    FAILS(GA_NO_MEMORY, ga_tile(c, ((int64_t)1 << 40, (int64_t)1 << 40)), "more bytes than can be counted");

    for (int mode = GA_PAD_CONSTANT; mode <= GA_PAD_WRAP; mode++) {
        ga_array *large = ga_pad(c, (wide), .mode = (ga_pad_mode)mode, .value = 9),
                 *small = ga_pad(a, (narrow), .mode = (ga_pad_mode)mode, .value = 9);
        CHECK(large && large->shape[0] == 2 * wide + 3);
        CHECK(large && same_part(large, 0, small, 0, 10) && same_part(large, wide - 12, small, 0, 27) &&
              same_part(large, 2 * wide - 7, small, 17, 10));
        ga_free(large);
        ga_free(small);
        if (getenv("GPUARR_TEST_OWN_STACK")) continue; /* a small stack does not take so deep an expression */
        allowed = GA_BAD_SHAPE;
        FAILS(GA_NO_MEMORY, ga_pad(c, ((int64_t)1 << 60), .mode = (ga_pad_mode)mode), "than can be counted");
    }
    CHECK(ga_now() - begin < 5); /* one list of 2^23 arrays took 15 s */
    ga_free(row);
    ga_free(plane);
    ga_free(few);
    ga_free(c);
    ga_free(a);
}

int main(void)
{
    ga_set_error_handler(ga_ignore_error, NULL);
    test_shapes();
    test_dtypes();
    test_lists();
    test_progress();
    test_long();
    CHECK(ga_memory_stats().arrays == 0);
    return test_end();
}
