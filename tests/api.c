/* What a user relies on, with the numbers written out by hand.
   cc tests/impl.c tests/api.c -lm -lpthread */
#include "test.h"

#include <time.h>

/* ---- programs as in the README ----------------------------------------------------------------------------------- */

static void test_first_program(void)
{
    ga_scope {
        ga_array *x = ga_linspace(0, 1, 5), *y = ga_linspace(0, 2, 3), *xx, *yy;
        CHECK(ga_meshgrid(x, y, &xx, &yy, false));
        CHECK(xx->ndim == 2 && xx->shape[0] == 3 && xx->shape[1] == 5 && ga_same_shape(xx, yy));
        CHECK(ga_item_at(xx, 2, 1) == 0.25 && ga_item_at(yy, 2, 1) == 2 && ga_item_at(yy, 0, 4) == 0);
        ga_array *r = ga_sqrt(ga_add(ga_square(xx), ga_square(yy)));
        CHECK(ga_item_at(r, 0, 4) == 1 && ga_item_at(r, 2, 0) == 2 && fabs(ga_item_at(r, 1, 4) - sqrt(2.0)) < 1e-15);
        CHECK(ga_meshgrid(x, y, &xx, &yy, true)); /* matrix order */
        CHECK(xx->shape[0] == 5 && xx->shape[1] == 3 && ga_item_at(xx, 1, 2) == 0.25 && ga_item_at(yy, 1, 2) == 2);

        /* The picture with the three discs: planes of a colour picture, a mask, an assignment. */
        ga_array *rgb = ga_zeros((4, 6, 3), .dtype = GA_F32);
        for (int c = 0; c < 3; c++) CHECK(ga_copyto(ga_index(rgb, "..., %d", c), c + 1));
        ga_array *bright = ga_greater(rgb, 1.3);
        CHECK(ga_copyto(rgb, ga_sqrt(rgb), .where = bright) == rgb); /* rgb[rgb > 1.3] = sqrt(...) */
        CHECK(ga_item_at(rgb, 3, 5, 0) == 1 && ga_item_at(rgb, 0, 0, 1) == (double)sqrtf(2) &&
              ga_item_at(rgb, 2, 2, 2) == (double)sqrtf(3));
        CHECK(ga_copyto(ga_index(rgb, ":2, ::2, 1"), 9) != NULL);
        CHECK(ga_item_at(rgb, 1, 4, 1) == 9 && ga_item_at(rgb, 1, 3, 1) != 9 && ga_item_at(rgb, 2, 4, 1) != 9);
    }
    CHECK(ga_memory_stats().arrays == 0);
}

/* ---- assignments that overlap ------------------------------------------------------------------------------------ */

static void test_overlap(void)
{
    ga_array *a = ga_arange(0, 6, 1), *head = ga_index(a, ":-1"), *tail = ga_index(a, "1:"), *back = ga_index(a, "::-1");
    CHECK(ga_copyto(tail, head) == tail); /* a[1:] = a[:-1] */
    CHECK_IS(ga_copy(a), GA_I64, (6), 0, 0, 1, 2, 3, 4);
    CHECK(ga_copyto(head, tail) == head); /* a[:-1] = a[1:] */
    CHECK_IS(ga_copy(a), GA_I64, (6), 0, 1, 2, 3, 4, 4);
    CHECK(ga_copyto(a, back) == a); /* a[:] = a[::-1] */
    CHECK_IS(ga_copy(a), GA_I64, (6), 4, 4, 3, 2, 1, 0);
    CHECK(ga_add(head, tail, .out = tail) == tail);
    CHECK_IS(ga_copy(a), GA_I64, (6), 4, 8, 7, 5, 3, 1);
    CHECK(ga_multiply(a, 2, .out = a) == a); /* the same elements in the same places */
    CHECK_IS(ga_copy(a), GA_I64, (6), 8, 16, 14, 10, 6, 2);
    CHECK(ga_cumsum(a, .out = back) == back);
    CHECK_IS(ga_copy(back), GA_I64, (6), 8, 24, 38, 48, 54, 56);
    ga_array *m = ga_reshape(a, (2, 3)), *first = ga_index(m, "0");
    CHECK(m->data == a->data);
    ga_array *t = ga_arange(0, 9, 1), *sq = ga_reshape(t, (3, 3)), *sqt = ga_transpose(sq);
    CHECK(ga_copyto(sq, sqt) == sq); /* a[:] = a.T */
    CHECK_IS(ga_copy(t), GA_I64, (9), 0, 3, 6, 1, 4, 7, 2, 5, 8);
    CHECK(ga_subtract(sq, sqt, .out = sqt) == sqt);
    CHECK_IS(ga_copy(sqt), GA_I64, (3, 3), 0, 2, 4, -2, 0, 2, -4, -2, 0);
    CHECK(ga_copyto(m, first) == m); /* the row into all rows */
    CHECK_IS(ga_copy(m), GA_I64, (2, 3), 56, 54, 48, 56, 54, 48);
    ga_array *mask = ga_ints(1, 0, 0), *mb = ga_astype(mask, GA_BOOL);
    CHECK(ga_copyto(m, -1, .where = mb) == m);
    CHECK_IS(ga_copy(m), GA_I64, (2, 3), -1, 54, 48, -1, 54, 48);
    /* A large one, which several threads share. */
    ga_array *large = ga_arange(0, 1000000, 1), *l0 = ga_index(large, ":-1"), *l1 = ga_index(large, "1:");
    CHECK(ga_copyto(l1, l0) && ga_item_at(large, 999999) == 999998 && ga_item_at(large, 500000) == 499999 &&
          ga_item_at(large, 1) == 0);
    ga_array *all[] = { large, l0, l1, mb, mask, sqt, sq, t, first, m, back, tail, head, a };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) ga_free(all[i]);
}

/* ---- views ------------------------------------------------------------------------------------------------------- */

static void test_views(void)
{
    ga_scope {
        ga_array *a = ga_reshape(ga_arange(0, 24, 1, .dtype = GA_F32), (2, 3, 4));
        float    *p = (float *)a->data;
        CHECK(a->strides[0] == 48 && a->strides[1] == 16 && a->strides[2] == 4 && a->size == 24 && ga_is_contiguous(a));
        ga_array *v = ga_index(a, "1, ::2, 3::-1");
        CHECK(v->ndim == 2 && v->shape[0] == 2 && v->shape[1] == 4 && v->strides[0] == 32 && v->strides[1] == -4 &&
              v->data == (void *)(p + 15));
        v = ga_index(a, "-1, -1, -1");
        CHECK(v->ndim == 0 && v->size == 1 && ga_item(v) == 23);
        v = ga_index(a, "..., newaxis, 0");
        CHECK(v->ndim == 3 && v->shape[0] == 2 && v->shape[1] == 3 && v->shape[2] == 1 && ga_item_at(v, 1, 2, 0) == 20);
        v = ga_index(a,
                     "%d:%d, %"
                     "d",
                     0, 1, 2);
        CHECK(v->ndim == 2 && v->shape[0] == 1 && v->shape[1] == 4 && ga_item_at(v, 0, 3) == 11);
        v = ga_index(a, ":, 5:2:-1, 1:1");
        CHECK(v->ndim == 3 && v->shape[1] == 0 && v->shape[2] == 0 && v->size == 0);
        v = ga_index(a, " ");
        CHECK(v->ndim == 3 && v->data == a->data);
        v = ga_index(a, " 1 ,...");
        CHECK(v->ndim == 2 && v->data == (void *)(p + 12));
        v = ga_transpose(a);
        CHECK(v->shape[0] == 4 && v->shape[2] == 2 && v->strides[0] == 4 && v->strides[2] == 48 && v->data == a->data &&
              !ga_is_contiguous(v));
        v = ga_transpose(a, .axes = ga_axes(1, 0, -1));
        CHECK(v->shape[0] == 3 && v->shape[1] == 2 && v->shape[2] == 4);
        v = ga_flip(a, .axis = -1);
        CHECK(v->data == (void *)(p + 3) && v->strides[2] == -4);
        v = ga_rot90(ga_index(a, "0"), 1);
        CHECK(v->shape[0] == 4 && v->shape[1] == 3 && ga_item_at(v, 0, 0) == 3 && ga_item_at(v, 3, 2) == 8);
        v = ga_broadcast_to(ga_index(a, "0, 0"), (5, 4));
        CHECK(v->strides[0] == 0 && v->strides[1] == 4 && v->data == a->data);
        v = ga_diagonal(a, 1);
        CHECK(v->ndim == 2 && v->shape[0] == 4 && v->shape[1] == 2 && ga_item_at(v, 0, 1) == 20);
        v = ga_view_as(a, GA_I32);
        CHECK(v->dtype == GA_I32 && v->data == a->data && ga_item_int(ga_index(v, "0, 0, 1")) == 0x3F800000);
        v = ga_view_as(a, GA_C64);
        CHECK(v->shape[2] == 2);
        v = ga_expand_dims(a, -1);
        CHECK(v->ndim == 4 && v->shape[3] == 1);
        v = ga_squeeze(v);
        CHECK(v->ndim == 3);
        v = ga_moveaxis(a, 0, -1);
        CHECK(v->shape[0] == 3 && v->shape[1] == 4 && v->shape[2] == 2);
        v = ga_ravel(a);
        CHECK(v->data == a->data && v->shape[0] == 24);
        v = ga_flatten(a);
        CHECK(v->data != a->data);
        v = ga_reshape(ga_transpose(a), (-1));
        CHECK(v->data != a->data && ga_is_contiguous(v) && ga_item_at(v, 1) == 12 &&
              ga_item_at(v, 2) == 4); /* C order of what is seen */
        v = ga_ascontiguous(a);
        CHECK(v->data == a->data);
        CHECK(ga_may_share_memory(a, ga_index(a, "1")) && !ga_may_share_memory(ga_index(a, "0"), ga_index(a, "1")) &&
              !ga_may_share_memory(a, ga_copy(a)));
        CHECK(ga_copyto(ga_index(a, "0, 1"), ga_values(9, 8, 7, 6)) != NULL);
        const float *now = (const float *)ga_data(test_to_cpu(a), GA_F32);
        CHECK(now && now[4] == 9 && now[7] == 6); /* into the same memory */
        /* A new array is in C order whatever its operands are, as the README says. */
        v = ga_add(ga_transpose(a), 1);
        CHECK(ga_is_contiguous(v) && v->strides[2] == 4);
        v = ga_copy(ga_index(a, "::-1"));
        CHECK(ga_is_contiguous(v) && ga_item_at(v, 0, 0, 0) == 12);
        if (!test_on_gpu()) CHECK(ga_data(a, GA_F32) == (void *)p && p[4] == 9);
    }
}

/* ---- dtypes ------------------------------------------------------------------------------------------------------ */

static ga_dtype dtype_and_free(ga_array *a)
{
    ga_dtype d = a ? a->dtype : GA_DTYPE_DEFAULT;
    ga_free(a);
    return d;
}

static void test_dtypes(void)
{
    ga_scope {
        ga_array *u8 = ga_full((2), 200, .dtype = GA_U8), *i8 = ga_full((2), -100, .dtype = GA_I8),
                 *f   = ga_ones((2), .dtype = GA_F32);
        ga_array *i64 = ga_ints(1, 2), *b = ga_greater(i64, 1), *c = ga_full((2), 1, .dtype = GA_C64);
        CHECK(u8->dtype == GA_U8 && ga_zeros((1))->dtype == GA_F64 && ga_full((1), 3)->dtype == GA_I64 &&
              ga_full((1), 3.0)->dtype == GA_F64);
        CHECK_IS(ga_arange(3), GA_I64, (3), 0, 1, 2);
        CHECK_IS(ga_arange(2.5), GA_F64, (3), 0, 1, 2);
        CHECK_IS(ga_arange(-1, 2), GA_I64, (3), -1, 0, 1);
        CHECK(ga_arange(0)->size == 0 && ga_arange(3, 1)->size == 0);
        for (int n = 1; n <= 3; n++) /* the first element is the start itself */
            for (int d = 0; d < 2; d++) {
                ga_dtype t = d ? GA_F64 : GA_F32;
                CHECK(signbit(ga_item_at(ga_arange(-0., n, 1, .dtype = t), 0)) &&
                      !signbit(ga_item_at(ga_arange(0., n, 1, .dtype = t), 0)));
            }
        CHECK_IS(ga_arange(1e39, 3.5e39, 1e39, .dtype = GA_F32), GA_F32, (3), INFINITY, INFINITY, NAN);
        CHECK_IS(ga_arange(0, 2.5e39, 1e39, .dtype = GA_F32), GA_F32, (3), 0, INFINITY, INFINITY);
        CHECK(!signbit(ga_item_at(ga_mgrid("-0.:1:3j, 0:1"), 0, 0, 0)));
        CHECK(ga_arange(0, 3, 1)->dtype == GA_I64 && ga_arange(0, 3, 1.0)->dtype == GA_F64 &&
              ga_linspace(0, 1, 2)->dtype == GA_F64);
        CHECK(ga_values(1)->dtype == GA_F64 && ga_ints(1)->dtype == GA_I64 && b->dtype == GA_BOOL);
        /* a number adopts the array's dtype */
        CHECK_IS(ga_add(u8, 100), GA_U8, (2), 44, 44); /* and wraps */
        CHECK_IS(ga_multiply(i8, 2), GA_I8, (2), 56, 56);
        CHECK(dtype_and_free(ga_add(f, 1)) == GA_F32 && dtype_and_free(ga_add(f, 1.5)) == GA_F32 &&
              dtype_and_free(ga_add(i64, 1.5)) == GA_F64);
        CHECK(dtype_and_free(ga_add(u8, 1.5)) == GA_F64 && dtype_and_free(ga_add(b, 1)) == GA_I64 &&
              dtype_and_free(ga_add(b, 1.0)) == GA_F64);
        CHECK(dtype_and_free(ga_add(u8, (bool)1)) == GA_U8 && dtype_and_free(ga_add(1, 2)) == GA_I64 &&
              dtype_and_free(ga_add(1, 2.0)) == GA_F64);
        /* arrays promote by NumPy's table */
        CHECK(dtype_and_free(ga_add(u8, i8)) == GA_I16 && dtype_and_free(ga_add(i64, f)) == GA_F64 &&
              dtype_and_free(ga_add(u8, f)) == GA_F32);
        CHECK(dtype_and_free(ga_add(f, c)) == GA_C64 && dtype_and_free(ga_add(i64, c)) == GA_C128 &&
              dtype_and_free(ga_add(b, u8)) == GA_U8);
        CHECK(ga_promote(GA_I64, GA_U64) == GA_F64 && ga_promote(GA_U32, GA_I8) == GA_I64 &&
              ga_promote(GA_F32, GA_I16) == GA_F32);
        CHECK(ga_can_cast(GA_I32, GA_F64) && !ga_can_cast(GA_I64, GA_F32) && ga_can_cast(GA_BOOL, GA_I8) &&
              !ga_can_cast(GA_F64, GA_F32));
        /* division, roots, sums */
        CHECK_IS(ga_divide(i64, 2), GA_F64, (2), 0.5, 1);
        CHECK_IS(ga_floor_divide(ga_ints(-7, 7), 2), GA_I64, (2), -4, 3);
        CHECK_IS(ga_remainder(ga_ints(-7, 7), 3), GA_I64, (2), 2, 1);
        CHECK_IS(ga_fmod(ga_ints(-7, 7), 3), GA_I64, (2), -1, 1);
        CHECK(dtype_and_free(ga_sqrt(i64)) == GA_F64 && dtype_and_free(ga_sqrt(f)) == GA_F32 &&
              dtype_and_free(ga_absolute(c)) == GA_F32);
        CHECK_SCALAR(ga_sum(u8), GA_U64, 400);
        CHECK_SCALAR(ga_sum(i8), GA_I64, -200);
        CHECK_SCALAR(ga_sum(b), GA_I64, 1);
        CHECK_SCALAR(ga_mean(u8), GA_F64, 200);
        CHECK_SCALAR(ga_max(u8), GA_U8, 200);
        CHECK(dtype_and_free(ga_mean(f)) == GA_F32 && dtype_and_free(ga_sum(f)) == GA_F32 &&
              dtype_and_free(ga_std(f)) == GA_F32);
        /* casts: saturating, NaN gives 0 */
        CHECK_IS(ga_astype(ga_values(300, -5, NAN, 2.9, -INFINITY), GA_U8), GA_U8, (5), 255, 0, 0, 2, 0);
        CHECK_IS(ga_astype(ga_values(3e9, -3e9, -2.9), GA_I32), GA_I32, (3), 2147483647, -2147483648.0, -2);
        CHECK_IS(ga_astype(ga_astype(ga_values(2147483520.0, 2147483648.0, NAN), GA_F32), GA_I32), GA_I32, (3), 2147483520,
                 2147483647, 0);
        CHECK_IS(ga_astype(ga_ints(256, -1), GA_U8), GA_U8, (2), 0, 255); /* integers wrap */
        CHECK_IS(ga_astype(ga_values(0, 0.1, NAN), GA_BOOL), GA_BOOL, (3), 0, 1, 1);
        CHECK_IS(ga_power(ga_ints(2, 3), 3), GA_I64, (2), 8, 27);
        ga_array *edges = ga_values(4, 0, -0.0, INFINITY, -INFINITY, NAN, -2);
        CHECK_IS(ga_power(edges, -1), GA_F64, (7), 0.25, INFINITY, -INFINITY, 0, -0.0, NAN, -0.5);
        CHECK_IS(ga_power(edges, 0.5), GA_F64, (7), 2, 0, 0, INFINITY, INFINITY, NAN, NAN);
        CHECK_IS(ga_power(edges, 1.5), GA_F64, (7), 8, 0, 0, INFINITY, INFINITY, NAN, NAN);
        CHECK_IS(ga_power(edges, 2), GA_F64, (7), 16, 0, 0, INFINITY, INFINITY, NAN, 4);
        CHECK_IS(ga_power(edges, 3), GA_F64, (7), 64, 0, -0.0, INFINITY, -INFINITY, NAN, -8);
        CHECK_IS(ga_power(ga_values(1e200, -1e150, 1e-200), 3), GA_F64, (3), INFINITY, -INFINITY, 0);
        CHECK_IS(ga_add(u8, 1, .dtype = GA_F32), GA_F32, (2), 201, 201);
        CHECK_IS(ga_divide(ga_values(1, -1, 0), 0), GA_F64, (3), INFINITY, -INFINITY, NAN);
        CHECK_IS(ga_floor_divide(ga_ints(1), 0), GA_I64, (1), 0); /* NumPy: 0 and a warning */
        CHECK(ga_itemsize(GA_C128) == 16 && !strcmp(ga_dtype_name(GA_U16), "uint16"));
    }
}

/* ---- .where and .out --------------------------------------------------------------------------------------------- */

static void test_where_and_out(void)
{
    ga_scope {
        ga_array *a = ga_values(1, 4, 9, 16), *mask = ga_greater(a, 3.0), *out = ga_full((4), -1.0),
                 *f = ga_zeros((4), .dtype = GA_F32);
        CHECK(ga_sqrt(a, .out = out) == out && ga_item_at(out, 3) == 4);
        ga_copyto(out, -1);
        CHECK(ga_sqrt(a, .out = out, .where = mask) == out);
        CHECK_IS(ga_copy(out), GA_F64, (4), -1, 2, 3, 4);
        CHECK_IS(ga_sqrt(a, .where = mask), GA_F64, (4), 0, 2, 3, 4);
        CHECK(ga_add(a, 0.5, .out = f) == f && f->dtype == GA_F32 && ga_item_at(f, 0) == 1.5);
        CHECK_IS(ga_where(mask, a, 0), GA_F64, (4), 0, 4, 9, 16);
        CHECK_IS(ga_where(mask, 1, 0), GA_I64, (4), 0, 1, 1, 1);
        CHECK_IS(ga_where(ga_ints(0, 5), 1.5, 2), GA_F64, (2), 2, 1.5);
        ga_array *wide = ga_zeros((2, 4));
        CHECK(ga_add(a, 1, .out = wide) == wide && ga_item_at(wide, 1, 3) == 17); /* the result is broadcast into out */
        ga_array *sum = ga_zeros((4));
        CHECK(ga_sum(wide, .axis = 0, .out = sum) == sum);
        CHECK_IS(ga_copy(sum), GA_F64, (4), 4, 10, 20, 34);
        CHECK_IS(ga_sum(wide, .axis = -1, .keepdims = true), GA_F64, (2, 1), 34, 34);
        CHECK_IS(ga_sum(wide, .axes = ga_axes(0, 1), .keepdims = true), GA_F64, (1, 1), 68);
        CHECK_IS(ga_add(ga_reshape(ga_ints(1, 2), (2, 1)), ga_ints(10, 20, 30)), GA_I64, (2, 3), 11, 21, 31, 12, 22, 32);
        CHECK_IS(ga_clip(a, 2, ga_values(3, 3, 100, 10)), GA_F64, (4), 2, 3, 9, 10);
    }
}

/* Along each axis of a view, transposed or broadcast, calls give what they give of a copy of it. */
static void test_views_along_axes(void)
{
    static const int64_t shapes[4][3] = { { 2, 2, 9 }, { 5, 4, 3 }, { 3, 1, 20 }, { 2, 40, 5 } };
    static const int     order[6][3]  = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
    for (int of = 0; of < 4 * 8 * 6; of++)
        ga_scope {
            const int64_t  *n = shapes[of / 48];
            const int      *p = order[of % 6], repeated = of / 6 % 8; /* a bit for each axis */
            const ga_array *small = ga_random_integers(
                -9, 9, (repeated & 1 ? 1 : n[0], repeated & 2 ? 1 : n[1], repeated & 4 ? 1 : n[2]), .seed = 5);
            const ga_array *view = ga_transpose(ga_broadcast_to(small, (n[0], n[1], n[2])), .axes = ga_axes(p[0], p[1], p[2]));
            const ga_array *copy = ga_copy(view);
            for (int axis = 0; axis < 3; axis++)
                ga_scope {
                    CHECK(ga_array_equal(ga_cumsum(view, .axis = axis), ga_cumsum(copy, .axis = axis)));
                    CHECK(ga_array_equal(ga_cumprod(view, .axis = axis), ga_cumprod(copy, .axis = axis)));
                    CHECK(ga_array_equal(ga_sum(view, .axis = axis), ga_sum(copy, .axis = axis)));
                    CHECK(ga_array_equal(ga_var(view, .axis = axis), ga_var(copy, .axis = axis)));
                    CHECK(ga_array_equal(ga_argmax(view, .axis = axis), ga_argmax(copy, .axis = axis)));
                    CHECK(ga_array_equal(ga_median(view, .axis = axis), ga_median(copy, .axis = axis)));
                    CHECK(ga_array_equal(ga_argsort(view, .axis = axis), ga_argsort(copy, .axis = axis)));
                    CHECK(ga_array_equal(ga_roll(view, 2, .axis = axis), ga_roll(copy, 2, .axis = axis)));
                }
        }
}

/* The first of equal extremes, and the first NaN, in lines of all lengths at which the way to find them changes. */
static void test_extremes_of_lines(void)
{
    static const int64_t  lengths[] = { 1, 31, 32, 63, 64, 65, 100, 127, 128, 255, 257, 1000, 1024, 1025, 1100, 5000 };
    static const ga_dtype dtypes[]  = { GA_F32, GA_F64, GA_I32, GA_I64, GA_U8 };
    for (int of = 0; of < 16 * 5 * 8; of++)
        ga_scope {
            const int64_t  n     = lengths[of / 40];
            const ga_dtype dtype = dtypes[of / 8 % 5];
            const int64_t  range = of & 1 ? 4 : 100000; /* few values: extremes that are there often */
            ga_array      *x     = ga_astype(ga_random_integers(-range, range, (3, n), .seed = (uint64_t)(of + 1)), dtype),
                     *holes      = NULL;
            if (dtype == GA_F32 || dtype == GA_F64) {
                ga_array *chance = ga_random((3, n), .seed = (uint64_t)(of + 1));
                x                = ga_where(ga_greater(x, 0), x, ga_multiply(x, of & 2 ? 0.0 : 1.0)); /* zeros of both signs */
                x                = ga_copy(ga_astype(x, dtype));
                holes            = ga_astype(ga_where(ga_less(chance, 0.01), NAN, x), dtype);
            }
            if (of & 4) x = ga_flip(x, .axis = 1);
            for (int k = 0; k < 2; k++) {
                const ga_array *from = k == 0 ? x : holes;
                if (!from) continue;
                ga_array *least = ga_argmin(from, .axis = 1), *most = ga_argmax(from, .axis = 1);
                for (int64_t line = 0; line < 3; line++) {
                    int64_t low = 0, high = 0;
                    for (int64_t i = 1; i < n; i++) {
                        const double v = ga_item_at(from, line, i), a = ga_item_at(from, line, low),
                                     b = ga_item_at(from, line, high);
                        if (!isnan(a) && (isnan(v) || v < a)) low = i;
                        if (!isnan(b) && (isnan(v) || v > b)) high = i;
                    }
                    CHECK(ga_item_int_at(least, line) == low && ga_item_int_at(most, line) == high);
                }
            }
        }
}

/* Lines of several segments: equal extremes where one part, or one segment, ends and the next begins, zeros of both signs, a late NaN. */
static void test_extremes_far_apart(void)
{
    static const int64_t  places[] = { 0, 1, 1023, 1024, 4095, 4096, 32767, 32768, 65535, 65536, 131071, 131072, 199999 };
    static const ga_dtype dtypes[] = { GA_F32, GA_F64, GA_I32, GA_I64 };
    const int             count    = (int)(sizeof places / sizeof *places);
    for (int of = 0; of < 4 * count; of++)
        ga_scope {
            const int64_t place = places[of / 4], last = 199999;
            ga_array     *x = ga_full((2, 200000), 0, .dtype = dtypes[of % 4]), *line = ga_index(x, "1");
            CHECK(ga_item_int(ga_argmax(x)) == 0 && ga_item_int_at(ga_argmin(x, .axis = 1), 1) == 0);
            CHECK(ga_set_at(line, 3, place) && ga_set_at(line, 3, last));
            CHECK(ga_item_int_at(ga_argmax(x, .axis = 1), 1) == place && ga_item_int(ga_argmax(x)) == 200000 + place);
            CHECK(ga_item_int(ga_argmin(ga_negative(line))) == place && ga_item_int(ga_argmin(line)) == (place == 0));
            if (of % 4 > 1) continue;
            CHECK(ga_set_at(line, -0.0, place) && ga_set_at(line, 0.0, last));
            CHECK(ga_item_int(ga_argmax(line)) == 0 && ga_item_int(ga_argmin(line)) == 0);
            CHECK(ga_set_at(line, NAN, place) && ga_set_at(line, NAN, last) && ga_set_at(line, 5, 7));
            CHECK(ga_item_int(ga_argmax(line)) == place && ga_item_int(ga_nanargmax(line)) == 7);
        }
}

/* ---- what else is promised --------------------------------------------------------------------------------------- */

static void test_functions(void)
{
    ga_scope {
        ga_array *m = ga_reshape(ga_arange(0, 6, 1), (2, 3));
        CHECK_IS(ga_tile(ga_ints(1, 2), (2, 2)), GA_I64, (2, 4), 1, 2, 1, 2, 1, 2, 1, 2);
        CHECK_IS(ga_repeat(m, 2, .axis = 1), GA_I64, (2, 6), 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5);
        CHECK_IS(ga_repeat(ga_ints(3, 4), 2), GA_I64, (4), 3, 3, 4, 4);
        ga_array *bytes = ga_astype(ga_arange(0, 17, 1), GA_U8);
        for (int64_t width = 2; width <= 8; width *= 2) { /* rows that do not lie as numbers of that size do */
            ga_array *rows = ga_reshape(ga_index(bytes, "1:"), (-1, width));
            CHECK(ga_array_equal(ga_index(ga_repeat(rows, 3, .axis = 0), "1::3"), rows));
            CHECK(ga_array_equal(ga_take(rows, ga_arange(0, 16 / width, 1), .axis = 0), rows));
            CHECK(ga_array_equal(ga_roll(ga_roll(rows, 1, .axis = 0), -1, .axis = 0), rows));
        }
        CHECK_IS(ga_eye(2, 3, 1), GA_F64, (2, 3), 0, 1, 0, 0, 0, 1);
        CHECK_IS(ga_indices((2, 2)), GA_I64, (2, 2, 2), 0, 0, 1, 1, 0, 1, 0, 1);
        CHECK_IS(ga_mgrid("0:2, 0:1:3j"), GA_F64, (2, 2, 3), 0, 0, 0, 1, 1, 1, 0, 0.5, 1, 0, 0.5, 1);
        CHECK_IS(ga_mgrid("0:6:2"), GA_I64, (3), 0, 2, 4);
        CHECK_IS(ga_arange(5, 0, -2), GA_I64, (3), 5, 3, 1);
        CHECK_IS(ga_linspace(0, 1, 4, .endpoint = false), GA_F64, (4), 0, 0.25, 0.5, 0.75);
        CHECK_IS(ga_logspace(0, 2, 3), GA_F64, (3), 1, 10, 100);
        CHECK_IS(ga_logspace(0, 3, 4, .base = 2), GA_F64, (4), 1, 2, 4, 8);
        CHECK_IS(ga_cumsum(m, .axis = 1), GA_I64, (2, 3), 0, 1, 3, 3, 7, 12);
        CHECK_IS(ga_cumsum(m), GA_I64, (6), 0, 1, 3, 6, 10, 15);
        CHECK_IS(ga_argmax(m, .axis = 0), GA_I64, (3), 1, 1, 1);
        CHECK_SCALAR(ga_median(m), GA_F64, 2.5);
        CHECK(!signbit(ga_item(ga_median(ga_values(-0.0)))) && !signbit(ga_item(ga_median(ga_values(-0.0, -0.0)))));
        CHECK(!signbit(ga_item(ga_median(ga_scalar(-0.0)))) && !signbit(ga_item(ga_nanmedian(ga_values(NAN, -0.0)))));
        CHECK_SCALAR(ga_nanstd(ga_ints(1, 2), .ddof = 2), GA_F64, (double)INFINITY); /* NaN for floats alone, as NumPy says */
        CHECK(isnan(ga_item(ga_nanstd(ga_values(1, 2), .ddof = 2))));
        CHECK_SCALAR(ga_percentile(m, 20), GA_F64, 1);
        CHECK_IS(ga_percentile(m, ga_values(0, 100)), GA_F64, (2), 0, 5);
        CHECK_SCALAR(ga_norm(ga_values(3, 4)), GA_F64, 5);
        CHECK_SCALAR(ga_dot(ga_ints(1, 2), ga_ints(3, 4)), GA_I64, 11);
        CHECK_IS(ga_dot(m, ga_transpose(m)), GA_I64, (2, 2), 5, 14, 14, 50);
        CHECK_IS(ga_concatenate((m, m), .axis = 1), GA_I64, (2, 6), 0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5);
        CHECK_IS(ga_stack((ga_ints(1, 2), ga_ints(3, 4)), .axis = 1), GA_I64, (2, 2), 1, 3, 2, 4);
        CHECK_IS(ga_roll(ga_ints(1, 2, 3), 1), GA_I64, (3), 3, 1, 2);
        CHECK_IS(ga_pad(ga_ints(1, 2), (1), .value = 9), GA_I64, (4), 9, 1, 2, 9);
        ga_array *rows = ga_reshape(ga_arange(6000), (2, 3, 1000)); /* so long that edges alone are filled */
        for (int behind = 0; behind < 3; behind++) {
            ga_array *p = ga_pad(rows, (1, 0, 2), .value = -1, .after = ga_axes(0, 4, behind));
            CHECK(ga_array_equal(ga_index(p, "1:, :3, 2:1002"), rows) && p->shape[2] == 1002 + behind);
            CHECK(ga_item_int(ga_count_nonzero(ga_equal(p, -1))) == p->size - rows->size);
        }
        CHECK(ga_array_equal(ga_pad(rows, (0), .value = -1), rows));
        CHECK(ga_item_int(ga_count_nonzero(ga_equal(ga_pad(ga_zeros((0, 1000)), (1, 3), .value = 5), 5))) == 2012);
        CHECK_IS(ga_sort(ga_values(3, NAN, 1)), GA_F64, (3), 1, 3, NAN);
        CHECK_IS(ga_argsort(ga_ints(3, 1, 2)), GA_I64, (3), 1, 2, 0);
        CHECK_IS(ga_argsort(ga_scalar(5.0)), GA_I64, (1), 0);
        CHECK_IS(ga_argsort(ga_scalar(5.0, .dtype = GA_F16), .axis = 0), GA_I64, (1), 0);
        CHECK_IS(ga_nonzero(ga_ints(0, 5, 7)), GA_I64, (1, 2), 1, 2);
        CHECK_IS(ga_extract(ga_greater(m, 2), m), GA_I64, (3), 3, 4, 5);
        CHECK_IS(ga_take(m, ga_ints(2, -1), .axis = 1), GA_I64, (2, 2), 2, 2, 5, 5);
        CHECK_IS(ga_histogram(ga_values(0, 0.5, 1, 1), 2), GA_I64, (2), 1, 3);
        CHECK_IS(ga_bincount(ga_ints(0, 2, 2)), GA_I64, (3), 1, 0, 2);
        ga_array *parts[3] = { NULL, NULL, NULL };
        CHECK(ga_split(m, 3, parts, .axis = 1) && parts[1]->data == (void *)((int64_t *)m->data + 1));
        CHECK_IS(ga_copy(parts[2]), GA_I64, (2, 1), 2, 5);
        ga_array *counts = NULL, *values = ga_unique(ga_ints(3, 1, 3), .counts = &counts);
        CHECK_IS(values, GA_I64, (2), 1, 3);
        CHECK_IS(counts, GA_I64, (2), 1, 2);
        ga_statistics stats = ga_describe(ga_values(1, 2, 3, 6)),
                      rest  = ga_describe(ga_values(NAN, 2, 4), .skip_nan = true, .ddof = 1);
        CHECK(stats.count == 4 && stats.mean == 3 && stats.median == 2.5 && stats.std == sqrt(3.5) && stats.min == 1 &&
              stats.max == 6);
        CHECK(rest.count == 2 && rest.mean == 3 && rest.median == 3 && rest.std == sqrt(2) && rest.min == 2 && rest.max == 4);
        CHECK(isnan(ga_describe(ga_values(NAN, 2)).max) && isnan(ga_describe(ga_zeros((0, 3))).mean));
        int64_t   objects = 0;
        ga_array *labels  = ga_label(ga_ints(1, 1, 0, 1), .count = &objects);
        CHECK(objects == 2);
        CHECK_IS(ga_sum_labels(ga_values(1, 2, 3, 4), labels, NULL), GA_F64, (2), 3, 4);
        CHECK_IS(ga_copy(labels), GA_I32, (4), 1, 1, 0, 2);
        CHECK_IS(ga_label(ga_values(0.5, 2, 3, -1, 2.5), .above = 2), GA_I32, (5), 0, 0, 1, 0, 2);
        CHECK_IS(ga_label(ga_ints(-1, 0, 2), .above = -0.0, .dtype = GA_U8), GA_U8, (3), 0, 0, 1);
        ga_array *flux = NULL, *center = ga_center_of_mass(ga_values(1, 3, 3, 4), labels, NULL, .sums = &flux);
        CHECK_IS(center, GA_F64, (2, 1), 0.75, 3);
        CHECK_IS(flux, GA_F64, (2), 4, 4);
        CHECK_IS(ga_center_of_mass(ga_values(0, 1, 0, 1), NULL, NULL), GA_F64, (1, 1), 2);
        CHECK(ga_allclose(ga_values(1, 2), ga_values(1, 2.00000001)) && !ga_allclose(ga_values(1, 2), ga_values(1, 2.1)));
        CHECK(!ga_allclose(ga_values(1, 2), ga_values(1, 2.00000001), .rtol = 0, .atol = 0));
        CHECK(ga_array_equal(m, m) && !ga_array_equal(m, ga_add(m, 1)) && ga_array_equal(ga_ints(1), ga_values(1)));
        CHECK(!ga_array_equal(ga_values(NAN), ga_values(NAN)) &&
              ga_array_equal(ga_values(NAN), ga_values(NAN), .equal_nan = true));
        /* random: the same seed, the same numbers, whatever the shape */
        ga_array *r = ga_random((1000), .seed = 7), *r2 = ga_random((10, 100), .seed = 7), *r3 = ga_random((1000), .seed = 8);
        CHECK(ga_array_equal(r, ga_ravel(r2)) && !ga_array_equal(r, r3) &&
              !ga_array_equal(r, ga_random((1000), .seed = 7, .stream = 1)));
        CHECK(ga_item(ga_min(r)) >= 0 && ga_item(ga_max(r)) < 1 && fabs(ga_item(ga_mean(r)) - 0.5) < 0.05);
        ga_array *ri = ga_random_integers(-2, 3, (1000), .seed = 1);
        CHECK(ga_item_int(ga_min(ri)) == -2 && ga_item_int(ga_max(ri)) == 2 && ri->dtype == GA_I64);
        /* 0-d and empty arrays */
        CHECK_SCALAR(ga_add(ga_scalar(2), 3), GA_I64, 5);
        CHECK_SCALAR(ga_scalar(0.5f), GA_F32, 0.5); /* as numpy.float32(0.5) */
        CHECK_SCALAR(ga_scalar(0.1), GA_F64, 0.1);
        CHECK_SCALAR(ga_add(0.5f, 1.5f), GA_F32, 2);
        CHECK_SCALAR(ga_add(0.5f, 1.5), GA_F64, 2);
        CHECK_IS(ga_full((2), 0.5f), GA_F32, (2), 0.5, 0.5);
        CHECK_IS(ga_add(ga_ones((2)), 0.5f), GA_F64, (2), 1.5, 1.5);
        CHECK_SCALAR(ga_sum(ga_zeros((0, 3))), GA_F64, 0);
        CHECK_IS(ga_sum(ga_zeros((0, 3)), .axis = 0), GA_F64, (3), 0, 0, 0);
        CHECK_SCALAR(ga_mean(ga_zeros((0))), GA_F64, NAN);
        CHECK_SCALAR(ga_prod(ga_zeros((0))), GA_F64, 1);
        CHECK(ga_add(ga_zeros((0, 3)), 1)->size == 0);
    }
    CHECK(!ga_error());
}

/* Many short lines have the bits of each one alone: NaN last, zeros of both signs in their order. */
static void test_sorted_lines(void)
{
    const ga_dtype dtypes[] = { GA_F32, GA_F64, GA_I8, GA_U8, GA_I16, GA_U16, GA_I32, GA_U32, GA_I64, GA_U64 };
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        ga_scope {
            const int64_t lines = 70, n = 37, size = ga_itemsize(dtypes[d]);
            ga_array     *real =
                ga_rint(ga_multiply(ga_sin(ga_arange(0, (double)(lines * n), 1, .dtype = GA_F64)), d < 2 ? 3 : 100));
            ga_array *place = ga_arange(0, (double)(lines * n), 1, .dtype = GA_I64);
            ga_array *whole = d < 2 ? ga_where(ga_equal(ga_remainder(place, 11), 0), (double)NAN, real)
                                    : ga_astype(real, GA_I64); /* a negative number becomes a large unsigned one */
            ga_array *a = ga_reshape(ga_astype(whole, dtypes[d]), (lines, n)), *sorted = ga_to(ga_sort(a), GA_CPU);
            CHECK(sorted && sorted->size == lines * n);
            for (int64_t i = 0; i < lines; i++) {
                ga_array *one = ga_to(ga_sort(ga_take(a, ga_ints(i), .axis = 0)), GA_CPU);
                CHECK(sorted && one && memcmp(one->data, (char *)sorted->data + i * n * size, (size_t)(n * size)) == 0);
            }
        }
}

/* Lines of lengths around those that a sort goes another way from: in order, and stable, on one thread and on three. */
static void test_sorted_lengths(void)
{
    const ga_dtype dtypes[]  = { GA_F32, GA_F64, GA_I16, GA_I32, GA_U32, GA_I64 };
    const int64_t  lengths[] = { 0,   1,   2,   16,  63,  64,  65,   127,   128,   129,   191,
                                 255, 256, 257, 300, 511, 513, 4097, 32767, 40000, 131073 };
    const int      threads   = ga_get_num_threads();
    if (test_on_gpu()) return; /* cuda_order.c sorts there */
    for (int of = 0; of < (int)(sizeof lengths / sizeof *lengths) * 6 * 6; of++)
        ga_scope {
            const int64_t  n = lengths[of / 36], kind = of / 6 % 6;
            const ga_dtype dtype = dtypes[of % 6];
            if (n > 600 && test_small()) continue;
            ga_array *place = ga_arange(0, (double)n, 1, .dtype = GA_I64),
                     *x     = ga_random_integers(-1000000, 1000000, (n), .seed = 3);
            if (kind == 1) x = place;
            if (kind == 2) x = ga_negative(place);
            if (kind == 3) x = ga_remainder(x, 3);
            if (kind == 4) x = ga_where(ga_equal(ga_remainder(x, 5), 0), x, -1); /* of uint32 the greatest */
            x = ga_astype(x, dtype);
            if (kind == 5 && of % 6 < 2) { /* zeros of both signs, and NaN where n is odd */
                x = ga_astype(ga_subtract(ga_remainder(x, 3), 1), dtype);
                x = ga_where(ga_equal(ga_remainder(place, 7), n % 2 ? 0 : 7), ga_astype(ga_values(NAN), dtype),
                             ga_multiply(x, ga_astype(ga_subtract(ga_remainder(place, 2), 0.5), dtype)));
            }
            /* The order is one of all places, in which elements are not less than those before them, and equal ones keep theirs. */
            const int teams[] = { 1, 3, 2, 5, 9 };
            ga_array *orders[2], *lines[2]; /* of the first two */
            for (int t = 0; t < (n >= 32767 ? 5 : 2); t++) {
                ga_set_num_threads(teams[t]);
                ga_array *order = ga_argsort(x), *sorted = ga_sort(x);
                CHECK(order && sorted && sorted->size == n && sorted->dtype == dtype);
                if (t > 1) { /* the same */
                    CHECK(memcmp(sorted->data, lines[0]->data, (size_t)(n * ga_itemsize(dtype))) == 0);
                    CHECK(memcmp(order->data, orders[0]->data, (size_t)(8 * n)) == 0);
                    continue;
                }
                orders[t]             = order;
                lines[t]              = sorted;
                const ga_array *taken = ga_take(x, order);
                CHECK(taken && memcmp(taken->data, sorted->data, (size_t)(n * ga_itemsize(dtype))) == 0);
                CHECK(ga_item(ga_all(ga_equal(ga_bincount(order, .minlength = n), 1))) == 1);
                if (n < 2) continue;
                ga_array *a = ga_index(sorted, ":-1"), *b = ga_index(sorted, "1:"), *i = ga_index(order, ":-1"),
                         *j     = ga_index(order, "1:");
                ga_array *alike = ga_logical_or(ga_equal(a, b), ga_logical_and(ga_isnan(a), ga_isnan(b)));
                ga_array *right = ga_logical_or(ga_less(a, b), ga_logical_and(ga_isnan(b), ga_logical_not(ga_isnan(a))));
                CHECK(ga_item(ga_all(ga_where(alike, ga_less(i, j), right))) == 1);
            }
            ga_set_num_threads(threads);
        }
}

/* More threads than share a line, and a NaN that one of their blocks has: the same order as on one thread. */
static void test_sorted_by_many(void)
{
    const int threads = ga_get_num_threads();
    if (test_on_gpu() || test_small()) return;
    for (int k = 0; k < 3; k++)
        ga_scope {
            ga_array *x = ga_random((700001), .dtype = k == 1 ? GA_F32 : GA_F64);
            if (k == 2) ga_set_at(x, NAN, 555555);
            ga_set_num_threads(1);
            ga_array *one = ga_sort(x), *places = ga_argsort(x);
            ga_set_num_threads(100);
            ga_array *many = ga_sort(x);
            CHECK(memcmp(one->data, many->data, (size_t)(700001 * ga_itemsize(x->dtype))) == 0);
            CHECK(ga_array_equal(places, ga_argsort(x)));
        }
    ga_set_num_threads(threads);
}

/* Centers of labels that lie scattered, by definition. */
static void test_scattered_centers(void)
{
    if (test_on_gpu()) return;
    for (int of = 0; of < 6; of++)
        ga_scope {
            const int ndim = of % 3 + 1;
            ga_array *a = ga_random((4199)), *labels = ga_random_integers(0, 9, (4199), .seed = 4); /* 13 x 17 x 19 */
            if (ndim == 2) a = ga_reshape(a, (221, 19)), labels = ga_reshape(labels, (221, 19));
            if (ndim == 3) a = ga_reshape(a, (13, 17, 19)), labels = ga_reshape(labels, (13, 17, 19));
            if (of > 2) a = ga_transpose(ga_copy(ga_transpose(a)));
            ga_array     *sums = NULL, *centers = ga_center_of_mass(a, labels, NULL, .sums = &sums);
            const double *x = (const double *)ga_ascontiguous(a)->data;
            for (int64_t label = 1; label < 9; label++) {
                double sum = 0, moment[3] = { 0 };
                for (int64_t i = 0; i < labels->size; i++) {
                    int64_t rest = i;
                    if (((const int64_t *)labels->data)[i] != label) continue;
                    sum += x[i];
                    for (int d = ndim - 1; d >= 0; rest /= labels->shape[d--])
                        moment[d] += x[i] * (double)(rest % labels->shape[d]);
                }
                CHECK(fabs(((const double *)sums->data)[label - 1] - sum) < 1e-9);
                for (int d = 0; d < ndim; d++)
                    CHECK(fabs(((const double *)centers->data)[(label - 1) * ndim + d] - moment[d] / sum) < 1e-9);
            }
        }
}

/* ---- text and files ---------------------------------------------------------------------------------------------- */

static void prints(ga_array *a, const char *plain, const char *repr)
{
    char *s = ga_to_string(a), *r = ga_to_string(a, .repr = true);
    if (!CHECK(s && !strcmp(s, plain))) printf("     got\n%s\n     expected\n%s\n", s ? s : "NULL", plain);
    if (!CHECK(r && !strcmp(r, repr))) printf("     got\n%s\n     expected\n%s\n", r ? r : "NULL", repr);
    free(s);
    free(r);
    ga_free(a);
}

static void test_text(void)
{
    prints(ga_arange(0, 4, 1), "[0 1 2 3]", "array([0, 1, 2, 3])");
    prints(ga_linspace(0, 1, 3), "[0.  0.5 1. ]", "array([0. , 0.5, 1. ])");
    prints(ga_values(1, NAN, -INFINITY), "[  1.  nan -inf]", "array([  1.,  nan, -inf])");
    prints(ga_eye(2, 2, 0), "[[1. 0.]\n [0. 1.]]", "array([[1., 0.],\n       [0., 1.]])");
    prints(ga_full((2), 1.5, .dtype = GA_F32), "[1.5 1.5]", "array([1.5, 1.5], dtype=float32)");
    prints(ga_zeros((2), .dtype = GA_BOOL), "[False False]", "array([False, False])");
    prints(ga_scalar(3.25), "3.25", "array(3.25)");
    prints(ga_zeros((0)), "[]", "array([], dtype=float64)");
    prints(ga_zeros((0, 3)), "[]", "array([], shape=(0, 3), dtype=float64)");
    prints(ga_arange(0, 1001, 1), "[   0    1    2 ...  998  999 1000]",
           "array([   0,    1,    2, ...,  998,  999, 1000], shape=(1001,))");
    prints(ga_values(1e-10, 1), "[1.e-10 1.e+00]", "array([1.e-10, 1.e+00])");
    ga_array *a = ga_values(1.0 / 3, 2);
    char     *s = ga_to_string(a, .precision = 2);
    CHECK(s && !strcmp(s, "[0.33 2.  ]"));
    free(s);
    ga_free(a);

    /* ga_print writes it and a newline. */
    FILE *f     = tmpfile();
    int   saved = f ? dup(1) : -1;
    if (saved < 0) {
        test_skip("stdout cannot be redirected", 1);
    } else {
        char text[100];
        a = ga_ints(1, 2, 3);
        fflush(stdout);
        dup2(fileno(f), 1);
        ga_print(a);
        fflush(stdout);
        dup2(saved, 1);
        close(saved);
        rewind(f);
        size_t n = fread(text, 1, sizeof text - 1, f);
        text[n]  = 0;
        CHECK(!strcmp(text, "[1 2 3]\n"));
        ga_free(a);
    }
    if (f) fclose(f);

    const char *path = "/tmp/gpuarr_api_test.npy";
    ga_scope {
        a = ga_transpose(ga_random((3, 4), .dtype = GA_F32, .seed = 2));
        CHECK(ga_save(path, a));
        ga_array *b = ga_load(path);
        CHECK(b && b->dtype == GA_F32 && ga_array_equal(a, b) && ga_is_contiguous(b));
        remove(path);
    }
}

/* ---- time and the environment ------------------------------------------------------------------------------------ */

static int  calls;
static void sleeps(void *user)
{
    const struct timespec ms = { 0, 1000000 };
    CHECK(user == &calls);
    calls++;
    nanosleep(&ms, NULL);
}

static void test_benchmark(void)
{
    double              before = ga_now();
    ga_benchmark_result r      = ga_benchmark(sleeps, &calls, .repeat = 5, .warmup = 2, .quiet = true);
    double              spent  = ga_now() - before;
    CHECK(r.repeats == 5 && calls == 7 && spent >= 7e-3 && spent < 5);
    CHECK(r.cpu.min >= 1e-3 && r.cpu.min <= r.cpu.median && r.cpu.median <= r.cpu.max && r.cpu.mean >= r.cpu.min &&
          r.cpu.mean <= r.cpu.max && r.cpu.std >= 0);
    CHECK(test_on_gpu() || r.device.mean == 0);
    r = ga_benchmark(sleeps, &calls, .warmup = 0, .max_seconds = 0.05, .quiet = true);
    CHECK(r.repeats >= 1 && r.repeats <= 50);
    ga_synchronize();
    CHECK(ga_now() > before);
}

/* Runs in a child, where the library has not been used before: main() forks it first. */
static int in_child(const char *name, const char *value, bool (*check)(const char *value))
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        setenv(name, value, 1);
        _exit(check(value) ? 0 : 1);
    }
    int status = -1;
    if (child < 0 || waitpid(child, &status, 0) != child) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool threads_are(const char *value)
{
    long asked = strtol(value, NULL, 10);
    return ga_get_num_threads() == (asked < 1 ? 1 : asked);
}
static bool isa_is(const char *value)
{
    const char *isa  = ga_isa();
    ga_array   *a    = ga_linspace(0, 100, 10000);
    double      sum  = ga_item(ga_sum(ga_sin(a)));
    bool        same = fabs(sum - 14.4) < 10 && !ga_error(); /* about 100 * (1 - cos 100), and it runs */
    if (!strcmp(value, "baseline")) return same && !strcmp(isa, "baseline");
    return same && (!strcmp(isa, "baseline") || !strcmp(isa, "avx2"));
}

static void test_environment(void)
{
    CHECK(in_child("GPUARR_NUM_THREADS", "3", threads_are) == 0);
    CHECK(in_child("GPUARR_NUM_THREADS", "1", threads_are) == 0);
    CHECK(in_child("GPUARR_NUM_THREADS", "0", threads_are) == 0);
    CHECK(in_child("GPUARR_NUM_THREADS", "nonsense", threads_are) == 0);
    CHECK(in_child("GPUARR_ISA", "baseline", isa_is) == 0);
    CHECK(in_child("GPUARR_ISA", "avx2", isa_is) == 0);
    const char *isa = ga_isa();
    CHECK(!strcmp(isa, "baseline") || !strcmp(isa, "avx2") || !strcmp(isa, "avx512"));
    CHECK(ga_get_device() == GA_CPU);
    ga_set_device(GA_CPU);
    ga_set_num_threads(3);
    CHECK(ga_get_num_threads() == 3 && !ga_error());
}

/* Many short lines, which are gone through side by side, give what each of them gives alone. */
static void test_short_lines(void)
{
    static const int64_t  lengths[] = { 1, 2, 7, 8, 9, 31, 40, 63, 64, 65 };
    static const ga_dtype dtypes[]  = { GA_F64, GA_F32, GA_I64 };
    for (int of = 0; of < 10 * 3 * 2; of++)
        ga_scope {
            const int64_t n = lengths[of / 6];
            ga_array     *x = ga_astype(ga_random_integers(-4, 4, (37, n), .seed = (uint64_t)(of + 1)), dtypes[of % 3]);
            if (of % 3 < 2) x = ga_astype(ga_where(ga_less(ga_random((37, n), .seed = 5), 0.05), NAN, x), dtypes[of % 3]);
            if (of / 3 % 2) x = ga_transpose(ga_copy(ga_transpose(x)));
            ga_array *median = ga_median(x, .axis = 1), *number = ga_nanmedian(x, .axis = 1),
                     *product = ga_cumprod(x, .axis = 1);
            ga_array *third = ga_percentile(x, 30, .axis = 1, .method = GA_HIGHER), *least = ga_min(x, .axis = 1);
            ga_array *sums = ga_zeros((n, 74), .dtype = product->dtype), *out = ga_transpose(ga_index(sums, "::-1, ::2"));
            ga_array *powers = ga_vander(ga_ravel(ga_index(x, ":, 0")), .n = n);
            CHECK(ga_cumsum(x, .axis = 1, .out = out) == out && ga_item(ga_count_nonzero(ga_index(sums, ":, 1::2"))) == 0);
            for (int line = 0; line < 37; line += test_small() ? 9 : 1) {
                const ga_array *one = ga_copy(ga_index(x, "%d", line)), *first = ga_astype(ga_index(one, ":1"), powers->dtype);
#define SAME_LINE(a, b) CHECK(ga_array_equal(ga_index(a, "%d", line), b, .equal_nan = true))
                SAME_LINE(median, ga_median(one));
                SAME_LINE(number, ga_nanmedian(one));
                SAME_LINE(third, ga_percentile(one, 30, .method = GA_HIGHER));
                SAME_LINE(least, ga_min(one));
                SAME_LINE(product, ga_cumprod(one));
                SAME_LINE(out, ga_cumsum(one));
                if (n > 1)
                    CHECK(ga_array_equal(ga_index(powers, "%d, :-1", line), ga_flip(ga_cumprod(ga_repeat(first, n - 1))),
                                         .equal_nan = true));
#undef SAME_LINE
            }
        }
}

/* Complex numbers are twice as wide as what else is scanned. */
static void test_scans_of_complex_numbers(void)
{
    static const int64_t lengths[] = { 1, 2, 17, 24, 30, 31, 100, 384, 700, 768, 1030 };
    for (int of = 0; of < 11 * 2; of++)
        ga_scope {
            const int64_t n = lengths[of / 2];
            ga_array *x = ga_add(ga_random((n, 300), .seed = 1), ga_multiply(ga_random((n, 300), .seed = 2), ga_complex(0, 1)));
            if (of % 2) x = ga_astype(x, GA_C64);
            ga_array *down = ga_cumsum(x, .axis = 0), *along = ga_cumprod(ga_copy(ga_transpose(x)), .axis = 1);
            for (int line = 0; line < 300; line += test_small() ? 97 : 13) {
                const ga_array *one = ga_copy(ga_index(x, ":, %d", line));
                CHECK(ga_array_equal(ga_index(down, ":, %d", line), ga_cumsum(one)));
                CHECK(ga_array_equal(ga_index(along, "%d", line), ga_cumprod(one), .equal_nan = true));
            }
        }
}

/* The least and the greatest, folded by halves: which zero and whether NaN is so determined. */
static void test_extremes_by_halves(void)
{
    static const double some[] = { 3, -0.0, 0.0, -7, 0.0, -0.0, NAN, 12, -0.0, 0.5 };
    for (int64_t n = 1; n <= 1024; n += n < 140 || n > 1020 ? 1 : 61)
        for (int kind = 0; kind < 12; kind++)
            ga_scope {
                const bool least = kind & 1, skip = kind & 2;
                const int  range = kind / 4; /* zeros; those without NaN; all */
                double     part[1024];
                ga_array  *x     = ga_empty((n), .dtype = GA_F64, .device = GA_CPU);
                double    *value = (double *)ga_data(x, GA_F64);
                for (int64_t i = 0; i < n; i++) {
                    value[i] = some[i * 7 % 10];
                    if (value[i] != value[i] && range < 2) value[i] = -0.0;
                    if (range == 0 && value[i] != 0) value[i] = 0;
                    part[i] = value[i];
                }
                int64_t half = 1;
                while (half < n) half *= 2;
                for (int64_t m = n; m > 1; m = half) {
                    half /= 2;
                    for (int64_t i = 0; i < m - half; i++) {
                        const double a = part[i], b = part[i + half], better = (least ? b < a : b > a) ? b : a;
                        part[i] = skip ? (a == a ? better : b) : (b == b ? better : b);
                    }
                }
                for (int narrow = 0; narrow < 2; narrow++) {
                    const ga_array *y      = narrow ? ga_astype(x, GA_F32) : x;
                    const double    result = skip    ? ga_item(least ? ga_nanmin(y) : ga_nanmax(y))
                                             : least ? ga_item(ga_min(y))
                                                     : ga_item(ga_max(y));
                    CHECK(part[0] != part[0] ? result != result : result == part[0] && !signbit(result) == !signbit(part[0]));
                }
            }
}

/* Floats become integers as each of them would alone: what does not fit saturates, NaN is 0. */
static void test_floats_to_integers(void)
{
    static const double some[] = { 0x1p31, -0x1p31, 0x1p31 - 1, -0x1p31 - 1, 0x1p63, -0x1p63, 0x1p64,     INFINITY, -INFINITY,
                                   NAN,    -0.0,    1.5,        -1.9999,     1e300,  -1e300,  2147483520, 3e9,      -7,
                                   41,     0x1p62,  -0x1p62,    0.5,         100,    255,     256,        255.9,    254.5 };
    enum { MANY = 27 };
    for (int64_t n = 1; n < 2 * MANY; n++)
        ga_scope {
            double values[2 * MANY];
            for (int64_t i = 0; i < n; i++) values[i] = some[(7 * i + n) % MANY];
            ga_array *x = ga_from(values, (n)), *single = ga_astype(x, GA_F32);
            for (int k = 0; k < 4; k++) {
                const ga_array *from = k & 1 ? single : x, *made = ga_to(ga_astype(from, k & 2 ? GA_I32 : GA_I64), GA_CPU);
                const ga_array *bytes = ga_to(ga_astype(from, GA_U8), GA_CPU);
                const double    most  = k & 2 ? 0x1p31 : 0x1p63;
                for (int64_t i = 0; i < n; i++) {
                    const double  v      = k & 1 ? (double)(float)values[i] : values[i];
                    const int64_t wanted = isnan(v)    ? 0
                                           : v >= most ? (k & 2 ? INT32_MAX : INT64_MAX)
                                           : v < -most ? (k & 2 ? INT32_MIN : INT64_MIN)
                                                       : (int64_t)v;
                    CHECK(ga_item_int_at(made, i) == wanted);
                    CHECK(ga_item_int_at(bytes, i) == (v >= 255 ? 255 : v > 0 ? (int64_t)v : 0));
                }
            }
        }
}

/* Powers of integers to one exponent wrap as products do. */
static void test_powers_to_a_number(void)
{
    for (int of = 0; of < (GA_F32 - GA_BOOL - 1) * 12; of++)
        ga_scope {
            const ga_dtype dtype = (ga_dtype)(GA_BOOL + 1 + of / 12);
            ga_array      *x     = ga_astype(ga_random_integers(-300, 300, (333), .seed = 3), dtype),
                     *product    = ga_ones((333), .dtype = dtype);
            for (int k = 0; k < of % 12; k++) product = ga_multiply(product, x);
            CHECK(ga_array_equal(ga_power(x, of % 12), product));
        }
}

int main(void)
{
    test_environment(); /* forks: before the GPU is used */
    test_begin();
    test_first_program();
    test_overlap();
    test_views();
    test_dtypes();
    test_where_and_out();
    test_views_along_axes();
    test_extremes_of_lines();
    test_extremes_far_apart();
    test_short_lines();
    test_floats_to_integers();
    test_scans_of_complex_numbers();
    test_extremes_by_halves();
    test_powers_to_a_number();
    test_functions();
    test_sorted_lines();
    test_sorted_lengths();
    test_scattered_centers();
    test_text();
    test_benchmark();
    test_sorted_by_many(); /* last: it leaves many threads behind */
    CHECK(ga_memory_stats().arrays == 0 && !ga_error());
    return test_end();
}
