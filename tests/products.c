/* Products: what matmul, dot, inner, outer, vdot, tensordot and einsum give, and that each element of a matrix product is the one
   documented chain, bit for bit. cc tests/impl.c tests/products.c -lm -lpthread */
#include "test.h"

/* Numbers of different sizes; one in `odd` is a zero, an infinity or a NaN (0: none). */
static double draw_number(uint64_t odd)
{
    static const double rare[] = { 0.0, -0.0, INFINITY, -INFINITY, NAN };
    if (odd && test_random() % odd == 0) return rare[test_random() % 5];
    return ldexp((double)(int64_t)(test_random() % 2000001) - 1000000, (int)(test_random() % 8) - 24);
}

static ga_array *draw_array(ga_dtype dtype, int ndim, const int64_t *shape, uint64_t odd)
{
    ga_array *a = ga_empty_n(ndim, shape, .dtype = dtype, .device = GA_CPU), *there;
    int64_t   n = a ? a->size : 0;
    for (int64_t i = 0; i < n; i++) {
        const double re = draw_number(odd), im = draw_number(odd);
        uint64_t     bits = test_random();
        switch (dtype) {
        case GA_BOOL: ((bool *)a->data)[i] = bits % 3 == 0; break;
        case GA_F32: ((float *)a->data)[i] = (float)re; break;
        case GA_F64: ((double *)a->data)[i] = re; break;
        case GA_C64: ((ga_c64 *)a->data)[i] = (ga_c64){ (float)re, (float)im }; break;
        case GA_C128: ((ga_c128 *)a->data)[i] = (ga_c128){ re, im }; break;
        default: memcpy((char *)a->data + i * ga_itemsize(dtype), &bits, (size_t)ga_itemsize(dtype));
        }
    }
    if (!test_on_gpu()) return a;
    there = ga_to(a, GA_CUDA);
    ga_free(a);
    return there;
}

static ga_array *draw_matrix(ga_dtype dtype, int64_t rows, int64_t columns, uint64_t odd)
{
    const int64_t shape[2] = { rows, columns };
    return draw_array(dtype, 2, shape, odd);
}

/* ---- the documented chain ------------------------------------------------------------------------------------------------ */

typedef struct value {
    double   re, im; /* floats and complex */
    uint64_t bits;   /* integers, bool */
} value;

static value element(const ga_array *a, int64_t i, int64_t j)
{
    const char *p = (const char *)a->data + i * a->strides[0] + j * a->strides[1];
    value       v = { 0, 0, 0 };
    switch (a->dtype) {
    case GA_F32: v.re = *(const float *)(const void *)p; break;
    case GA_F64: v.re = *(const double *)(const void *)p; break;
    case GA_C64: v.re = ((const float *)(const void *)p)[0], v.im = ((const float *)(const void *)p)[1]; break;
    case GA_C128: v.re = ((const double *)(const void *)p)[0], v.im = ((const double *)(const void *)p)[1]; break;
    default: memcpy(&v.bits, p, (size_t)ga_itemsize(a->dtype));
    }
    return v;
}

static double fused(bool narrow, double a, double b, double c)
{
    return narrow ? (double)fmaf((float)a, (float)b, (float)c) : fma(a, b, c);
}

/* c + a * b as the documentation says: one rounding; of complex numbers the four products in their order. */
static value chain_on(ga_dtype dtype, value a, value b, value c)
{
    const bool narrow = dtype == GA_F32 || dtype == GA_C64;
    if (dtype == GA_F32 || dtype == GA_F64) {
        c.re = fused(narrow, a.re, b.re, c.re);
    } else if (dtype == GA_C64 || dtype == GA_C128) {
        c.re = fused(narrow, a.im, -b.im, fused(narrow, a.re, b.re, c.re));
        c.im = fused(narrow, a.im, b.re, fused(narrow, a.re, b.im, c.im));
    } else if (dtype == GA_BOOL) {
        c.bits |= a.bits & b.bits;
    } else {
        c.bits += a.bits * b.bits;
    }
    return c;
}

static bool same_number(double x, double y) { return isnan(x) ? isnan(y) : x == y && signbit(x) == signbit(y); }

/* Built with a BLAS library (GPUARR_TEST_BLAS=1), large products have that library's bits. */
static bool by_blas(ga_dtype dtype, int64_t m, int64_t k, int64_t n)
{
    return getenv("GPUARR_TEST_BLAS") && dtype >= GA_F32 && m > 8 && k > 8 && n > 8 && m * k * n > 250000;
}

/* Near enough for a sum of k products whose sizes add up to `size`? */
static bool near(ga_dtype dtype, int64_t k, double got, double want, double size)
{
    return fabs(got - want) <= 2 * (double)k * ldexp(size, dtype == GA_F32 || dtype == GA_C64 ? -23 : -52);
}

/* Is the matrix `got` the product of a and b, by the chain? All lie on the CPU. Of large ones some elements are looked at. */
static bool is_product(const ga_array *a, const ga_array *b, const ga_array *got)
{
    if (!a || !b || !got || got->dtype != a->dtype || got->shape[0] != a->shape[0] || got->shape[1] != b->shape[1])
        return false;
    const uint64_t mask = ga_itemsize(a->dtype) >= 8 ? UINT64_MAX : ((uint64_t)1 << 8 * ga_itemsize(a->dtype)) - 1;
    const int64_t  work = got->size * a->shape[1], step = work > 200000 ? work / 100000 : 1;
    for (int64_t e = 0; e < got->size; e += step == 1 ? 1 : 1 + (int64_t)(test_random() % (uint64_t)(2 * step))) {
        const int64_t i = e / got->shape[1], j = e % got->shape[1];
        value         want = { -0.0, -0.0, 0 }, is = element(got, i, j);
        double        size = 0;
        for (int64_t k = 0; k < a->shape[1]; k++) {
            const value x = element(a, i, k), y = element(b, k, j);
            want = chain_on(a->dtype, x, y, want);
            size += hypot(x.re, x.im) * hypot(y.re, y.im);
        }
        if (a->shape[1] == 0) want.re = want.im = 0;
        want.bits &= mask;
        if (by_blas(a->dtype, a->shape[0], a->shape[1], b->shape[1]) && near(a->dtype, a->shape[1], is.re, want.re, size) &&
            near(a->dtype, a->shape[1], is.im, want.im, size))
            continue;
        if (a->dtype < GA_F32 ? is.bits == want.bits
                              : same_number(is.re, want.re) && (a->dtype < GA_C64 || same_number(is.im, want.im)))
            continue;
        printf("     element (%lld, %lld) is %.17g %.17g %llx, not %.17g %.17g %llx\n", (long long)i, (long long)j, is.re,
               is.im, (unsigned long long)is.bits, want.re, want.im, (unsigned long long)want.bits);
        return false;
    }
    return true;
}

static void check_chain(const ga_array *a, const ga_array *b, const char *index_a, const char *index_b, ga_array *out)
{
    ga_scope {
        ga_array *x   = *index_a == 'T' ? ga_transpose(a) : (ga_index)(GI_SITE("ga_index()"), a, index_a);
        ga_array *y   = *index_b == 'T' ? ga_transpose(b) : (ga_index)(GI_SITE("ga_index()"), b, index_b);
        ga_array *got = out ? ga_matmul(x, y, .out = out) : ga_matmul(x, y);
        ga_array *x0 = ga_to(x, GA_CPU), *y0 = ga_to(y, GA_CPU), *got0 = ga_to(got, GA_CPU);
        if (!CHECK(is_product(x0, y0, got0)))
            printf("     %s: (%lld, %lld) %s times (%lld, %lld) %s\n", ga_dtype_name(a->dtype), (long long)x->shape[0],
                   (long long)x->shape[1], index_a, (long long)y->shape[0], (long long)y->shape[1], index_b);
    }
}

static void test_chains(ga_dtype dtype)
{
    static const int64_t sizes[][3] = { { 1, 1, 1 },   { 2, 3, 4 },    { 3, 5, 3 },   { 1, 40, 33 },   { 33, 40, 1 },
                                        { 7, 9, 2 },   { 8, 16, 16 },  { 9, 17, 33 }, { 12, 7, 31 },   { 3, 300, 3 },
                                        { 5, 257, 8 }, { 1, 300, 70 }, { 70, 64, 1 }, { 40, 33, 100 }, { 6, 513, 5 },
                                        { 0, 3, 4 },   { 3, 0, 4 },    { 3, 4, 0 } };
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const int64_t m = sizes[s][0], k = sizes[s][1], n = sizes[s][2];
        if (test_small() && m * k * n > 3000) continue;
        ga_array *a = draw_matrix(dtype, m, k, 0), *b = draw_matrix(dtype, k, n, 0),
                 *wide_a = draw_matrix(dtype, 2 * m, 3 * k, 0), *wide_b = draw_matrix(dtype, 3 * k, 2 * n, 0),
                 *ta = draw_matrix(dtype, k, m, 0), *tb = draw_matrix(dtype, n, k, 0);
        ga_array *out = draw_matrix(dtype, m, n, 0), *tall = draw_matrix(dtype, n, m, 0), *across = ga_transpose(tall);
        check_chain(a, b, ":", ":", NULL);
        check_chain(ta, b, "T", ":", NULL);
        check_chain(a, tb, ":", "T", NULL);
        check_chain(ta, tb, "T", "T", out);
        check_chain(wide_a, wide_b, "::-2, ::3", "::-3, ::2", across);
        check_chain(a, wide_b, "::-1, ::-1", "::3, ::-2", out);
        ga_array *odd_a = draw_matrix(dtype, m, k, 20), *odd_b = draw_matrix(dtype, k, n, 20);
        check_chain(odd_a, odd_b, ":", ":", NULL);
        ga_array *all[] = { a, b, wide_a, wide_b, ta, tb, out, tall, across, odd_a, odd_b };
        for (int i = 0; i < 11; i++) ga_free(all[i]);
    }
    if (test_small()) return;
    ga_array *a = draw_matrix(dtype, 131, 300, 0), *b = draw_matrix(dtype, 300, 300, 0); /* several blocks, several threads */
    check_chain(a, b, ":", ":", NULL);
    check_chain(a, b, ":", "T", NULL);
    check_chain(b, a, "T", "T", NULL);
    ga_free(a);
    ga_free(b);
}

/* ---- known results ------------------------------------------------------------------------------------------------------- */

static void test_matmul(void)
{
    ga_scope {
        ga_array *a = ga_reshape(ga_arange(0, 6, 1), (2, 3)), *b = ga_reshape(ga_arange(0, 12, 1), (3, 4)),
                 *v = ga_ints(1, 2, 3);
        CHECK_IS(ga_matmul(a, b), GA_I64, (2, 4), 20, 23, 26, 29, 56, 68, 80, 92);
        CHECK_IS(ga_matmul(a, v), GA_I64, (2), 8, 26);
        CHECK_IS(ga_matmul(v, b), GA_I64, (4), 32, 38, 44, 50);
        CHECK_SCALAR(ga_matmul(v, v), GA_I64, 14);
        CHECK_IS(ga_matmul(a, ga_astype(b, GA_F32)), GA_F64, (2, 4), 20, 23, 26, 29, 56, 68, 80, 92);
        CHECK_IS(ga_matmul(ga_astype(a, GA_I8), ga_astype(ga_multiply(b, 10), GA_I8)), GA_I8, (2, 4), -56, -26, 4, 34, 48, -88,
                 32, -104);
        CHECK_IS(ga_matmul(ga_astype(a, GA_BOOL), ga_astype(b, GA_BOOL)), GA_BOOL, (2, 4), 1, 1, 1, 1, 1, 1, 1, 1);
        CHECK_IS(ga_matmul(ga_equal(a, 0), ga_equal(b, 0)), GA_BOOL, (2, 4), 1, 0, 0, 0, 0, 0, 0, 0);

        /* batches: the axes before the last two are broadcast */
        ga_array *batch = ga_reshape(ga_arange(0, 12, 1), (2, 2, 3));
        CHECK_IS(ga_matmul(batch, v), GA_I64, (2, 2), 8, 26, 44, 62);
        CHECK_IS(ga_matmul(batch, ga_reshape(v, (3, 1))), GA_I64, (2, 2, 1), 8, 26, 44, 62);
        CHECK_IS(ga_matmul(ga_reshape(batch, (2, 1, 2, 3)), ga_reshape(ga_ints(1, 2, 3, 0, 0, 1), (2, 3, 1))), GA_I64,
                 (2, 2, 2, 1), 8, 26, 2, 5, 44, 62, 8, 11);
        CHECK_IS(ga_matmul(v, ga_transpose(batch, .axes = ga_axes(0, 2, 1))), GA_I64, (2, 2), 8, 26, 44, 62);

        /* nothing to sum, nothing at all */
        CHECK_IS(ga_matmul(ga_zeros((2, 0)), ga_zeros((0, 2))), GA_F64, (2, 2), 0, 0, 0, 0);
        CHECK_SCALAR(ga_matmul(ga_zeros((0)), ga_zeros((0))), GA_F64, 0);
        CHECK_IS(ga_matmul(ga_zeros((0, 3)), ga_zeros((3, 2))), GA_F64, (0, 2), 0);
        CHECK_IS(ga_matmul(ga_zeros((0, 2, 3)), ga_zeros((3, 2))), GA_F64, (0, 2, 2), 0);

        /* NaN and infinities go where they belong, and nowhere else */
        ga_array *odd = ga_zeros((3, 40)), *ones = ga_ones((40, 5));
        ga_copyto(ga_index(odd, "1, 7"), NAN);
        ga_copyto(ga_index(odd, "2, 39"), INFINITY);
        CHECK_IS(ga_index(ga_matmul(odd, ones), ":, 3"), GA_F64, (3), 0, NAN, INFINITY);
        CHECK_IS(ga_index(ga_matmul(ga_transpose(ones), ga_transpose(odd)), "4"), GA_F64, (3), 0, NAN, INFINITY);
    }
}

static void test_out(void)
{
    ga_scope {
        ga_array *a = ga_reshape(ga_arange(0, 4, 1), (2, 2)), *out = ga_zeros((2, 2), .dtype = GA_I64);
        CHECK(ga_matmul(a, a, .out = out) == out);
        CHECK_IS(ga_copy(out), GA_I64, (2, 2), 2, 3, 6, 11);
        CHECK(ga_matmul(a, out, .out = out) == out); /* one of the operands */
        CHECK_IS(ga_copy(out), GA_I64, (2, 2), 6, 11, 22, 39);
        ga_array *wide = ga_zeros((4, 2)), *view = ga_index(wide, "::2");
        CHECK(ga_matmul(a, a, .out = view) == view); /* another dtype, and apart */
        CHECK_IS(ga_copy(wide), GA_F64, (4, 2), 2, 3, 0, 0, 6, 11, 0, 0);
        ga_array *t = ga_transpose(ga_index(out, "::-1"));
        CHECK(ga_matmul(a, a, .out = t) == t);
        CHECK_IS(ga_copy(out), GA_I64, (2, 2), 3, 11, 2, 6);
        CHECK(ga_matmul(a, ga_transpose(a), .out = a) == a);
        CHECK_IS(ga_copy(a), GA_I64, (2, 2), 1, 3, 3, 13);
        ga_array *number = ga_zeros_n(0, NULL);
        CHECK(ga_dot(ga_values(1, 2), ga_values(3, 4), .out = number) == number && ga_item(number) == 11);
        CHECK(ga_einsum("ij->ji", (a), .out = out) == out);
        CHECK(ga_einsum("ii,i->i", (a, ga_ints(2, 3)), .out = ga_index(out, "1")) != NULL);
        CHECK_IS(ga_copy(out), GA_I64, (2, 2), 1, 3, 2, 39);
    }
}

static void test_others(void)
{
    ga_scope {
        ga_array *a = ga_reshape(ga_arange(0, 6, 1), (2, 3)), *b = ga_reshape(ga_arange(0, 12, 1), (2, 3, 2)),
                 *v = ga_ints(1, 2, 3);
        ga_array *m = ga_reshape(ga_arange(0, 12, 1), (3, 4)), *two = ga_scalar(2);
        CHECK_SCALAR(ga_dot(v, v), GA_I64, 14);
        CHECK_IS(ga_dot(a, v), GA_I64, (2), 8, 26);
        CHECK_IS(ga_dot(a, ga_transpose(a)), GA_I64, (2, 2), 5, 14, 14, 50);
        CHECK_IS(ga_dot(v, b), GA_I64, (2, 2), 16, 22, 52, 58);
        CHECK_IS(ga_dot(a, b), GA_I64, (2, 2, 2), 10, 13, 28, 31, 28, 40, 100, 112);
        CHECK_IS(ga_dot(v, two), GA_I64, (3), 2, 4, 6);
        CHECK_IS(ga_dot(ga_scalar(0.5), v), GA_F64, (3), 0.5, 1, 1.5);
        CHECK_IS(ga_inner(a, a), GA_I64, (2, 2), 5, 14, 14, 50);
        CHECK_IS(ga_inner(a, ga_swapaxes(b, 1, 2)), GA_I64, (2, 2, 2), 10, 13, 28, 31, 28, 40, 100, 112);
        CHECK_SCALAR(ga_inner(v, v), GA_I64, 14);
        CHECK_IS(ga_inner(two, v), GA_I64, (3), 2, 4, 6);
        CHECK_IS(ga_outer(v, ga_ints(4, 5)), GA_I64, (3, 2), 4, 5, 8, 10, 12, 15);
        CHECK_IS(ga_outer(a, ga_values(1, -1)), GA_F64, (6, 2), 0, 0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5);
        CHECK_IS(ga_outer(ga_zeros((0)), v), GA_F64, (0, 3), 0);
        CHECK_IS(ga_tensordot(a, m, 1), GA_I64, (2, 4), 20, 23, 26, 29, 56, 68, 80, 92);
        CHECK_IS(ga_tensordot(ga_ints(1, 2), ga_ints(3, 4), 0), GA_I64, (2, 2), 3, 4, 6, 8);
        CHECK_SCALAR(ga_tensordot(a, a, 2), GA_I64, 55);
        CHECK_IS(ga_tensordot(b, a, 2, .axes_a = ga_axes(1, 0), .axes_b = ga_axes(-1, 0)), GA_I64, (2), 110, 125);

        const ga_c128 x[2] = { { 1, 2 }, { 3, -1 } }, y[2] = { { 2, -1 }, { 0, 1 } };
        ga_array     *p = ga_from(x, (2)), *q = ga_from(y, (2));
        CHECK_SCALAR(ga_real(ga_vdot(p, q)), GA_F64, -1);
        CHECK_SCALAR(ga_imag(ga_vdot(p, q)), GA_F64, -2);
        CHECK_SCALAR(ga_real(ga_dot(p, q)), GA_F64, 5);
        CHECK_SCALAR(ga_imag(ga_dot(p, q)), GA_F64, 6);
        CHECK_SCALAR(ga_vdot(a, ga_flatten(a)), GA_I64, 55);
        ga_array *square = ga_matmul(ga_reshape(p, (2, 1)), ga_reshape(q, (1, 2)));
        CHECK_IS(ga_real(square), GA_F64, (2, 2), 4, -2, 5, 1);
        CHECK_IS(ga_imag(square), GA_F64, (2, 2), 3, 1, -5, 3);
    }
}

static void test_einsum(void)
{
    ga_scope {
        ga_array *a = ga_reshape(ga_arange(0, 6, 1), (2, 3)), *m = ga_reshape(ga_arange(0, 12, 1), (3, 4)),
                 *v = ga_ints(1, 2, 3);
        ga_array *b = ga_reshape(ga_arange(0, 12, 1), (2, 3, 2)), *square = ga_index(m, ":, :3"), *sign = ga_ints(1, -1);
        CHECK_IS(ga_einsum("ij,ij->i", (a, a)), GA_I64, (2), 5, 50);
        CHECK_IS(ga_einsum("ik,jk->ij", (a, a)), GA_I64, (2, 2), 5, 14, 14, 50);
        CHECK_IS(ga_einsum("ij,jk->ik", (a, m)), GA_I64, (2, 4), 20, 23, 26, 29, 56, 68, 80, 92);
        CHECK_IS(ga_einsum("ij,jk", (a, m)), GA_I64, (2, 4), 20, 23, 26, 29, 56, 68, 80, 92);
        CHECK_IS(ga_einsum("ba,ca", (a, a)), GA_I64, (2, 2), 5, 14, 14, 50);
        CHECK_IS(ga_einsum("ii->i", (square)), GA_I64, (3), 0, 5, 10);
        CHECK_SCALAR(ga_einsum("ii", (square)), GA_I64, 15);
        CHECK_IS(ga_einsum("ij->j", (a)), GA_I64, (3), 3, 5, 7);
        CHECK_SCALAR(ga_einsum("ij->", (a)), GA_I64, 15);
        CHECK_IS(ga_einsum("ij->ji", (a)), GA_I64, (3, 2), 0, 3, 1, 4, 2, 5);
        CHECK_IS(ga_einsum("i,j->ij", (v, v)), GA_I64, (3, 3), 1, 2, 3, 2, 4, 6, 3, 6, 9);
        CHECK_SCALAR(ga_einsum("i,i", (v, v)), GA_I64, 14);
        CHECK_IS(ga_einsum("...ij,j->...i", (ga_swapaxes(b, 1, 2), v)), GA_I64, (2, 2), 16, 22, 52, 58);
        CHECK_IS(ga_einsum("i...->...", (b)), GA_I64, (3, 2), 6, 8, 10, 12, 14, 16);
        CHECK_IS(ga_einsum("ij,jk,kl->il", (a, m, ga_transpose(m))), GA_I64, (2, 3), 162, 554, 946, 504, 1688, 2872);
        CHECK_IS(ga_einsum("ij,kj,k->i", (a, a, sign)), GA_I64, (2), -9, -36);
        CHECK_IS(ga_einsum(" a b , b -> a", (a, v)), GA_I64, (2), 8, 26);
        CHECK_IS(ga_einsum("ij,ij,ij->j", (a, a, a)), GA_I64, (3), 27, 65, 133);
        CHECK_IS(ga_einsum("iij->ij", (ga_reshape(ga_arange(0, 8, 1), (2, 2, 2)))), GA_I64, (2, 2), 0, 1, 6, 7);
        CHECK_IS(ga_einsum("ij,k->kji", (ga_index(a, ":, :2"), sign)), GA_I64, (2, 2, 2), 0, 3, 1, 4, 0, -3, -1, -4);
        CHECK_SCALAR(ga_einsum("Ba,aB->", (a, ga_transpose(a))), GA_I64, 55);
        CHECK_IS(ga_einsum("ij,ij->i", (ga_astype(a, GA_F32), ga_astype(a, GA_F32))), GA_F32, (2), 5, 50);
        CHECK_IS(ga_einsum("ij->i", (ga_equal(a, 4))), GA_BOOL, (2), 0, 1);
        CHECK_IS(ga_einsum("ij->i", (ga_astype(ga_multiply(a, 50), GA_I8))), GA_I8, (2), -106, 88);
        ga_array *diagonal = ga_einsum("ii->i", (square)); /* a view, as NumPy's */
        CHECK(ga_may_share_memory(diagonal, m));
        const ga_array *list[2] = { a, v };
        CHECK_IS(ga_einsum_n("ij,j->i", 2, list), GA_I64, (2), 8, 26);
        ga_array *five[5] = { v, v, v, v, v };
        CHECK_SCALAR(ga_einsum_n("i,i,i,i,i->", 5, (const ga_array *const *)five), GA_I64, 276);
    }
}

/* The same sums by another way: what einsum, tensordot and matmul give of floats has the same bits. */
static void test_agreement(ga_dtype dtype)
{
    const int64_t s[3] = { 5, 6, 7 }, t[4] = { 4, 6, 7, 3 };
    ga_scope {
        ga_array *a = draw_array(dtype, 3, s, 0), *b = draw_array(dtype, 4, t, 0);
        ga_array *x = ga_reshape(a, (5, 42)), *y = ga_reshape(ga_moveaxis(b, 0, 2), (42, 12));
        ga_array *want   = ga_reshape(ga_matmul(x, y), (5, 4, 3));
        ga_array *ways[] = { ga_tensordot(a, b, 2, .axes_a = ga_axes(1, 2), .axes_b = ga_axes(1, 2)),
                             ga_einsum("xij,aijb->xab", (a, b)),
                             ga_einsum("xij,aijb->xab", (ga_copy(a), ga_moveaxis(ga_copy(ga_moveaxis(b, 2, 0)), 0, 2))) };
        for (int k = 0; k < 3; k++) CHECK(ga_array_equal(want, ways[k], .equal_nan = true));
        ga_array *square = ga_index(a, ":, :, :5"), *each = ga_einsum("bij,bjk->bik", (square, ga_swapaxes(square, 1, 2)));
        CHECK(ga_array_equal(each, ga_matmul(square, ga_swapaxes(square, 1, 2)), .equal_nan = true));
        for (int k = 0; k < 5; k++) {
            ga_array *one = ga_index(square, "%d", k);
            CHECK(ga_array_equal(ga_index(each, "%d", k), ga_matmul(one, ga_transpose(one)), .equal_nan = true));
        }
        ga_array *rows = ga_einsum("ij,ij->i", (x, x)), *columns = ga_einsum("ij,ij->j", (x, x)), *t0 = ga_transpose(x);
        for (int k = 0; k < 5; k++)
            CHECK(ga_array_equal(ga_index(rows, "%d:%d", k, k + 1),
                                 ga_index(ga_matmul(ga_index(x, "%d:%d", k, k + 1), ga_index(t0, ":, %d:%d", k, k + 1)), "0"),
                                 .equal_nan = true));
        CHECK(ga_array_equal(columns, ga_einsum("ij,ij->i", (t0, t0)), .equal_nan = true));
    }
}

/* Sums of float32 beyond its own precision: vectors add up in float64, matrices in float32. */
static void test_precision(void)
{
    ga_scope {
        ga_array *large = ga_full((1 << 12), 4097, .dtype = GA_F32); /* 4097^2 needs 25 bits */
        CHECK_SCALAR(ga_dot(large, large), GA_F32, (float)(4097.0 * 4097.0 * 4096));
        ga_array *small = ga_full((1, 3000), 0.1, .dtype = GA_F32), *r = ga_matmul(small, ga_transpose(small));
        float     want = 0;
        for (int k = 0; k < 3000; k++) want = fmaf(0.1f, 0.1f, want);
        CHECK((float)ga_item(r) == want && fabsf(want - 30) > 1e-6f);
    }
}

/* Products of a stack have the bits of those of its matrices, -0 as well; rows that lie packed, and others. */
static void test_stacks(ga_dtype dtype)
{
    for (int of = 0; of < 9 * 9 * 9; of += test_small() ? 7 : 1)
        ga_scope {
            static const int64_t lengths[] = { 1, 2, 3, 4, 5, 8, 9, 16, 17 };
            const int64_t        m = lengths[of % 9], k = lengths[of / 9 % 9], n = lengths[of / 81];
            ga_array            *a = ga_rint(ga_subtract(ga_random((3, m, k), .seed = 1), 0.6)), /* 0, -0 and -1 */
                *b                 = ga_subtract(ga_random((3, k, n), .seed = 2), of % 2 ? 0.5 : 0);
            a                      = ga_astype(a, dtype);
            b                      = ga_astype(b, dtype);
            if (of % 3 == 1) a = ga_matrix_transpose(ga_copy(ga_matrix_transpose(a)));
            if (of % 5 == 1) b = ga_index(b, ":, ::-1");
            if (of % 5 == 2) b = ga_index(ga_concatenate((b, b), .axis = 2), ":, :, :%lld", (long long)n);
            if (of % 5 == 3) b = ga_index(b, "1");
            ga_array *stack = ga_matmul(a, b), *host = ga_to(stack, GA_CPU);
            for (int64_t i = 0; i < 3; i++) {
                ga_array *one = ga_to(
                    ga_matmul(ga_index(a, "%lld", (long long)i), b->ndim == 2 ? b : ga_index(b, "%lld", (long long)i)), GA_CPU);
                CHECK(host && one && one->size == m * n &&
                      memcmp(one->data, (char *)host->data + i * m * n * ga_itemsize(dtype),
                             (size_t)(m * n * ga_itemsize(dtype))) == 0);
            }
        }
}

int main(void)
{
    test_begin();
    test_stacks(GA_F32);
    test_stacks(GA_F64);
    test_matmul();
    test_out();
    test_others();
    test_einsum();
    test_precision();
    for (int dtype = GA_BOOL; dtype < TEST_DTYPES; dtype++) {
        test_chains((ga_dtype)dtype);
        test_agreement((ga_dtype)dtype);
    }
    return test_end();
}
