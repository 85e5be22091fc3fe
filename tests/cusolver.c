/* Factors by cuSOLVER, in a build with GPUARR_USE_CUSOLVER, of arrays on a GPU: every dtype, shape and triangle, stacks and views, large
   matrices, what is not finite, what fails, streams and devices. Arguments: `unconverged` expects the library to say so of everything. */
#include "test.h"
#include <pthread.h>

static const ga_dtype dtypes[] = { GA_F32, GA_F64, GA_C64, GA_C128 };

static bool      is_single(const ga_array *a) { return a->dtype == GA_F32 || a->dtype == GA_C64; }
static double    size_of(const ga_array *a) { return !a ? (double)NAN : a->size > 0 ? ga_item(ga_max(ga_absolute(a))) : 0; }
static ga_array *turned(const ga_array *a) { return ga_conj(ga_matrix_transpose(a)); }

/* How far they are apart, in units of rounding of that dtype. */
static double far(const ga_array *x, const ga_array *y, const ga_array *of)
{
    if (!x || !y || !ga_same_shape(x, y)) return NAN;
    return size_of(ga_subtract(x, y)) / (size_of(y) + 1e-300) / (is_single(of) ? 0x1p-23 : 0x1p-52);
}
static bool is_orthonormal(const ga_array *q)
{
    if (!q) return false;
    const int64_t n = q->shape[q->ndim - 1], m = q->shape[q->ndim - 2];
    ga_array     *product = ga_matmul(turned(q), q);
    return n == 0 ||
           size_of(ga_subtract(product, ga_eye(n, n, 0))) / (is_single(q) ? 0x1p-23 : 0x1p-52) < 30.0 * (double)(m + 1);
}

/* (items, m, n) random numbers; of a stack, the second matrix has rank 1. */
static ga_array *some_matrices(int64_t items, int64_t m, int64_t n, ga_dtype dtype)
{
    ga_array *a = ga_random_normal(0, 1, (items, m, n), .seed = (uint64_t)(m * 1000 + n));
    if (dtype >= GA_C64) a = ga_add(a, ga_multiply(ga_random_normal(0, 1, (items, m, n), .seed = 77), ((ga_c128){ 0, 1 })));
    if (items > 1) ga_copyto(ga_index(a, "1"), ga_matmul(ga_index(a, "1, :, :1"), ga_index(a, "1, :1, :")));
    return ga_astype(a, dtype);
}

static bool has(const ga_array *a, ga_dtype dtype, int64_t items, int64_t m, int64_t n)
{
    return a && a->device == GA_CUDA && a->dtype == dtype && ga_is_contiguous(a) && a->ndim == 3 && a->shape[0] == items &&
           a->shape[1] == m && a->shape[2] == n;
}

static void check_qr(const ga_array *a)
{
    const int64_t items = a->shape[0], m = a->shape[1], n = a->shape[2], k = m < n ? m : n;
    const double  most = 30 * (double)(m + n);
    ga_array     *q = NULL, *r = NULL, *alone = NULL;
    CHECK(ga_qr(a, &q, &r) && has(q, a->dtype, items, m, k) && has(r, a->dtype, items, k, n));
    CHECK(is_orthonormal(q) && far(ga_matmul(q, r), a, a) < most && ga_array_equal(r, ga_triu(r)));
    CHECK(ga_qr(a, NULL, &alone) && test_same_bits(alone, r));
    CHECK(ga_qr(a, &q, &r, GA_QR_COMPLETE) && has(q, a->dtype, items, m, m) && has(r, a->dtype, items, m, n));
    CHECK(is_orthonormal(q) && far(ga_matmul(q, r), a, a) < most && ga_array_equal(r, ga_triu(r)));
    CHECK(ga_qr(a, &alone, NULL, GA_QR_COMPLETE) && test_same_bits(alone, q));
}

static void check_svd(const ga_array *a)
{
    const int64_t  items = a->shape[0], m = a->shape[1], n = a->shape[2], k = m < n ? m : n;
    const double   most = 30 * (double)(m + n);
    const ga_dtype real = is_single(a) ? GA_F32 : GA_F64;
    ga_array      *u = NULL, *s = NULL, *vh = NULL, *alone = NULL;
    CHECK(ga_svd(a, &u, &s, &vh, .full_matrices = false) && has(u, a->dtype, items, m, k) && has(vh, a->dtype, items, k, n));
    CHECK(s && s->dtype == real && s->ndim == 2 && s->shape[0] == items && s->shape[1] == k);
    CHECK(is_orthonormal(u) && is_orthonormal(turned(vh)));
    CHECK(far(ga_matmul(ga_multiply(u, ga_expand_dims(s, 1)), vh), a, a) < most);
    CHECK(ga_all(ga_greater_equal(ga_index(s, ":, :-1"), ga_index(s, ":, 1:"))) && far(ga_svdvals(a), s, a) < most);
    CHECK(ga_svd(a, &alone, NULL, NULL, .full_matrices = false) && far(alone, u, a) == 0);
    CHECK(ga_svd(a, NULL, NULL, &alone, .full_matrices = false) && far(alone, vh, a) == 0);
    CHECK(ga_svd(a, &u, NULL, &vh) && has(u, a->dtype, items, m, m) && has(vh, a->dtype, items, n, n));
    CHECK(is_orthonormal(u) && is_orthonormal(turned(vh)));
    ga_array *left = ga_index(u, "..., :%d", (int)k), *right = ga_index(vh, ":, :%d", (int)k);
    CHECK(far(ga_matmul(ga_multiply(left, ga_expand_dims(s, 1)), right), a, a) < most);
}

/* Of Hermitian matrices, with other numbers in the triangle, and the imaginary parts of the diagonal, that are not read. */
static void check_eigen(const ga_array *a)
{
    const int64_t  items = a->shape[0], n = a->shape[1];
    const double   most = 30 * (double)(n + 1);
    const ga_dtype real = is_single(a) ? GA_F32 : GA_F64;
    ga_array      *h = ga_add(a, turned(a)), *w = NULL, *v = NULL, *again = NULL;
    for (int upper = 0; upper < 2; upper++) {
        ga_array *junk = ga_full((1, n, n), NAN, .dtype = real), *half = upper ? ga_tril(junk, -1) : ga_triu(junk, 1);
        ga_array *given = ga_where(ga_isnan(half), ga_multiply(a, 1e30), h);
        if (a->dtype >= GA_C64) given = ga_add(given, ga_multiply(ga_eye(n, n, 0), ((ga_c64){ 0, 9 })));
        given = ga_astype(ga_where(ga_isnan(half), (double)NAN, given), a->dtype);
        CHECK(ga_eigh(given, &w, &v, .upper = upper == 1) && has(v, a->dtype, items, n, n));
        CHECK(w && w->dtype == real && w->ndim == 2 && w->shape[0] == items && w->shape[1] == n);
        CHECK(is_orthonormal(v) && far(ga_matmul(ga_multiply(v, ga_expand_dims(w, 1)), turned(v)), h, a) < most);
        CHECK(ga_all(ga_less_equal(ga_index(w, ":, :-1"), ga_index(w, ":, 1:"))));
        again = ga_eigvalsh(given, .upper = upper == 1);
        CHECK(far(again, w, a) < most);
    }
}

static void test_shapes(void)
{
    const int64_t sizes[][3] = { { 1, 1, 1 }, { 2, 1, 5 }, { 3, 6, 1 },   { 3, 4, 4 },
                                 { 2, 9, 5 }, { 2, 5, 9 }, { 1, 33, 20 }, { 1, 20, 33 } };
    for (int k = 0; k < 8; k++)
        for (int d = 0; d < 4; d++)
            ga_scope {
                ga_array *a = some_matrices(sizes[k][0], sizes[k][1], sizes[k][2], dtypes[d]);
                check_qr(a);
                check_svd(a);
                check_eigen(some_matrices(sizes[k][0], sizes[k][1], sizes[k][1], dtypes[d]));
            }
    ga_scope { /* one after the other, where they are too large to be done together */
        check_eigen(some_matrices(2, test_small() ? 20 : 130, test_small() ? 20 : 130, GA_F32));
        /* other dtypes, and views of any strides */
        ga_array *a = some_matrices(6, 4, 5, GA_F64), *b = ga_reshape(a, (2, 3, 4, 5)),
                 *view = ga_index(b, "::-1, 1:, ::2, 4:0:-2");
        ga_array *q, *r, *u, *s, *vh, *q2, *r2, *u2, *s2, *vh2, *w, *v, *copy = ga_copy(view),
                                                                        *whole = ga_astype(ga_multiply(a, 9), GA_I16);
        CHECK(ga_qr(view, &q, &r) && ga_qr(copy, &q2, &r2) && test_same_bits(q, q2) && test_same_bits(r, r2));
        CHECK(ga_svd(view, &u, &s, &vh) && ga_svd(copy, &u2, &s2, &vh2) && test_same_bits(u, u2) && test_same_bits(vh, vh2));
        CHECK(u->ndim == 4 && u->shape[1] == 2 && s->ndim == 3 && test_same_bits(copy, ga_copy(view)));
        CHECK(ga_qr(whole, &q, &r) && q->dtype == GA_F64 && far(ga_matmul(q, r), ga_astype(whole, GA_F64), q) < 300);
        CHECK(ga_eigh(ga_index(whole, "0, :, :4"), &w, &v) && w->ndim == 1 && v->ndim == 2 && w->dtype == GA_F64);
        CHECK(ga_qr(ga_zeros((0, 3, 2)), &q, &r) && q->shape[0] == 0 && r->shape[2] == 2);
        CHECK(ga_svd(ga_zeros((2, 0, 3)), &u, &s, &vh) && s->size == 0 && vh->shape[1] == 3);
        CHECK(ga_eigh(ga_zeros((2, 0, 0)), &w, &v) && w->size == 0 && v->ndim == 3);
    }
}

/* What is not finite makes its own matrix NaN alone; numbers at the ends of the range are no worse than others. */
static void test_range(void)
{
    for (int d = 0; d < 4; d++)
        ga_scope {
            const bool      narrow = dtypes[d] == GA_F32 || dtypes[d] == GA_C64;
            const double    by[4]  = { narrow ? 1e-37 : 1e-305, narrow ? 1e37 : 1e306, 1, 1 };
            const ga_array *plain  = some_matrices(4, 3, 3, dtypes[d]);
            ga_array       *a = ga_copy(plain), *q, *r, *w, *v, *s, *u, *vh, *w2 = NULL, *v2, *s2 = NULL;
            ga_copyto(ga_index(a, "1"), ga_index(a, "3")); /* of full rank */
            a = ga_multiply(ga_add(a, turned(a)), 0.25);
            CHECK(ga_eigh(a, &w2, &v2) && (s2 = ga_svdvals(a)) != NULL);
            for (int i = 0; i < 4; i++) {
                ga_array *one = ga_index(a, "%d", i);
                if (i < 2) ga_multiply(one, by[i], .out = one);
                else ga_copyto(ga_index(a, "%d, 2, 0", i), i == 2 ? (double)NAN : (double)INFINITY);
            }
            CHECK(ga_qr(a, &q, &r) && ga_eigh(a, &w, &v) && ga_svd(a, &u, &s, &vh));
            for (int i = 0; i < 4; i++) {
                const ga_array *all[] = { ga_index(q, "%d", i), ga_index(r, "%d", i), ga_index(w, "%d", i),
                                          ga_index(v, "%d", i), ga_index(u, "%d", i), ga_index(s, "%d", i),
                                          ga_index(vh, "%d", i) };
                if (i < 2) {
                    ga_array *back_w = ga_divide(all[2], by[i]), *back_s = ga_divide(all[5], by[i]);
                    CHECK(is_orthonormal(all[0]) && is_orthonormal(all[3]) && is_orthonormal(all[4]));
                    CHECK(far(back_w, ga_index(w2, "%d", i), a) < 100 && far(back_s, ga_index(s2, "%d", i), a) < 100);
                } else
                    for (int k = 0; k < 7; k++) CHECK(ga_item(ga_all(ga_isnan(all[k]))) == 1);
            }
        }
}

/* From 512 rows on, LU and Cholesky, too. */
static void test_large(void)
{
    const int64_t n = 513;
    for (int d = 0; d < 4; d++)
        ga_scope {
            ga_array *a = ga_reshape(some_matrices(1, n, n, dtypes[d]), (n, n)), *b = ga_ones((n, 2), .dtype = dtypes[d]);
            ga_array *x = ga_solve(a, b), *y = ga_solve(a, ga_index(b, ":, 0"));
            CHECK(x && x->dtype == dtypes[d] && x->ndim == 2 && ga_is_contiguous(x) && y && y->ndim == 1);
            CHECK(far(ga_matmul(a, x), b, a) < 1e6 && far(y, ga_copy(ga_index(x, ":, 1")), a) < 1e6);
            ga_array *z = ga_solve(ga_matrix_transpose(a), b);
            CHECK(far(ga_matmul(ga_matrix_transpose(a), z), b, a) < 1e6);
            if (d % 2 == 0) {
                ga_array *i = ga_inv(a);
                CHECK(i && i->dtype == dtypes[d] && far(ga_matmul(a, i), ga_eye(n, n, 0, .dtype = dtypes[d]), a) < 1e6);
            }
            ga_array *p = ga_add(ga_matmul(a, turned(a)), ga_eye(n, n, 0, .dtype = dtypes[d]));
            for (int upper = 0; upper < 2; upper++) {
                ga_array *half = upper ? ga_triu(p) : ga_tril(p), *l = ga_cholesky(half, .upper = upper == 1);
                CHECK(l && l->dtype == dtypes[d] && ga_array_equal(l, upper ? ga_triu(l) : ga_tril(l)));
                CHECK(far(upper ? ga_matmul(turned(l), l) : ga_matmul(l, turned(l)), p, a) < 30 * (double)n);
            }
            ga_copyto(ga_index(p, "7, 7"), -1);
            CHECK_FAILS(ga_cholesky(p), "the matrix is not positive definite");
            ga_copyto(ga_index(p, "7, 7"), NAN);
            CHECK_FAILS(ga_cholesky(p), "the matrix is not positive definite");
            ga_copyto(ga_index(a, "5"), ga_index(a, "6"));
            ga_copyto(ga_index(a, "5:7"), 0);
            CHECK_FAILS(ga_solve(a, b), "singular matrix: no inverse");
            CHECK_FAILS(ga_inv(a), "singular matrix: no inverse");
            CHECK_FAILS(ga_solve(a, ga_ones((3))), "a has 513 rows, b 3");
        }
    ga_scope { /* in the dtype of both; of a stack, the item is named */
        ga_array *a = ga_multiply(ga_eye(n, n, 0, .dtype = GA_F32), 2), *x = ga_solve(a, ga_ones((n)));
        CHECK(x && x->dtype == GA_F64 && ga_item_at(x, n - 1) == 0.5);
        ga_array *stack = ga_stack((a, ga_multiply(a, -1.0)));
        CHECK_FAILS(ga_cholesky(stack), "the matrix is not positive definite: number 1 of 2");
        ga_copyto(ga_index(stack, "1"), a);
        CHECK(far(ga_cholesky(stack), ga_sqrt(stack), a) < 2);
    }
}

static void test_memory(void)
{
    ga_scope {
        ga_array     *a    = ga_random((40, 40), .dtype = GA_F32), *q, *r;
        const int64_t used = ga_cuda_memory_stats().used_bytes;
        ga_cuda_memory_limit(used + 8000); /* more than one copy, less than the call needs */
        CHECK_FAILS(ga_qr(a, &q, &r), "would pass the limit");
        CHECK(!q && !r && ga_cuda_memory_stats().used_bytes == used);
        ga_cuda_memory_limit(0);
        CHECK(ga_qr(a, &q, &r) && ga_svdvals(a));
    }
}

/* Each thread on a stream of its own, with one handle for all. */
static void *on_stream(void *result)
{
    ga_set_device(GA_CUDA);
    ga_stream stream = ga_stream_new();
    ga_set_stream(stream);
    ga_scope {
        ga_array *a = ga_random_normal(0, 1, (3, 24, 24), .seed = 9), *w = NULL, *v = NULL;
        for (int k = 0; k < 5; k++)
            if (ga_eigh(a, &w, &v)) *(double *)result = ga_item(ga_sum(w));
    }
    ga_set_stream(NULL);
    ga_stream_free(stream);
    return NULL;
}
static void test_streams(void)
{
    pthread_t thread[3];
    double    sum[4] = { 0, 1, 2, 3 };
    for (int k = 0; k < 3; k++) CHECK(pthread_create(&thread[k], NULL, on_stream, &sum[k]) == 0);
    for (int k = 0; k < 3; k++) CHECK(pthread_join(thread[k], NULL) == 0);
    on_stream(&sum[3]);
    for (int k = 0; k < 3; k++) CHECK(sum[k] == sum[3]);
}

static void test_devices(void)
{
    for (int device = 0; device < ga_cuda_count(); device++)
        ga_scope {
            ga_array *q, *r;
            CHECK(ga_cuda_select(device));
            ga_array *a = some_matrices(2, 6, 3, GA_F32);
            CHECK(ga_qr(a, &q, &r) && far(ga_matmul(q, r), a, a) < 300);
        }
    if (ga_cuda_count() > 1)
        ga_scope {
            ga_array *a = ga_ones((3, 3));
            ga_cuda_select(0);
            CHECK_FAILS(ga_svdvals(a), "lies on CUDA device 1, and device 0 is selected");
        }
}

static void test_unconverged(void)
{
    ga_scope {
        ga_array *a = ga_ones((3, 3)), *stack = ga_ones((2, 3, 2)), *w = a, *v = a, *u, *s, *vh;
        CHECK_FAILS(ga_eigh(a, &w, &v), "the eigenvalues do not converge");
        CHECK(!w && !v);
        CHECK_FAILS(ga_eigvalsh(ga_ones((2, 3, 3))), "the eigenvalues do not converge: number 0 of 2");
        CHECK_FAILS(ga_svd(stack, &u, &s, &vh), "the singular values do not converge: number 0 of 2");
        CHECK_FAILS(ga_svdvals(a), "the singular values do not converge");
        CHECK_FAILS(ga_pinv(a), "the singular values do not converge");
        CHECK(ga_qr(a, &w, &v)); /* needs no iteration */
    }
}

int main(int argc, char **argv)
{
    test_begin();
    if (!test_on_gpu()) {
        test_skip("cuSOLVER is for arrays on a GPU", 1);
        return test_end();
    }
    if (argc > 1 && strcmp(argv[1], "unconverged") == 0) test_unconverged();
    else {
        test_shapes();
        test_range();
        if (!test_small()) test_large();
        test_memory();
        test_streams();
        test_devices();
        ga_shutdown(); /* handles are made anew after it */
        test_devices();
    }
    CHECK(ga_memory_stats().arrays == 0);
    return test_end();
}
