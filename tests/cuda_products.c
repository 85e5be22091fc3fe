/* Matrix products on the GPU: the same bits as on the CPU, for every dtype, whatever the sizes beside the kernel's squares.
   The implementation must be built with CUDA (nvcc, or g++ with tools/cudasim). */
#include "test.h"

static const ga_dtype dtypes[] = { GA_BOOL, GA_I8,  GA_U8,  GA_I16, GA_U16, GA_I32, GA_U32,
                                   GA_I64,  GA_U64, GA_F32, GA_F64, GA_C64, GA_C128 };
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

/* Numbers of all sizes; floats with some that are 0, -0, infinite or NaN. */
static ga_array *numbers(int ndim, const int64_t *shape, ga_dtype dtype, uint64_t seed)
{
    ga_array *result = NULL;
    ga_scope {
        ga_array *x    = ga_zeros_n(ndim, shape, .dtype = dtype, .device = GA_CPU);
        ga_array *flat = dtype < GA_F32 ? ga_random_integers(-120, 120, (x->size), .seed = seed, .device = GA_CPU)
                                        : ga_random_normal(0, 3, (x->size), .seed = seed, .device = GA_CPU);
        if (dtype == GA_F32 || dtype == GA_F64) {
            ga_array *kind = ga_random_integers(0, 400, (flat->size), .seed = seed + 1, .device = GA_CPU);
            ga_copyto(flat, 0, .where = ga_less(kind, 20));
            ga_copyto(flat, -0.0, .where = ga_equal(kind, 21));
            ga_copyto(flat, INFINITY, .where = ga_equal(kind, 22));
            ga_copyto(flat, NAN, .where = ga_equal(kind, 23));
        }
        ga_copyto(ga_reshape(x, (x->size)), ga_astype(flat, dtype));
        result = ga_keep(x);
    }
    return result;
}

static bool same_product(const ga_array *a, const ga_array *b)
{
    ga_array *ga = ga_to(a, GA_CUDA), *gb = ga_to(b, GA_CUDA);
    bool      ok = test_same_freed(ga_matmul(a, b), ga_matmul(ga, gb));
    ga_free(ga);
    ga_free(gb);
    return ok;
}

static void test_sizes(void)
{
    static const int64_t sizes[][3] = { { 1, 1, 1 },    { 3, 0, 2 },      { 0, 3, 2 },     { 2, 3, 0 },    { 64, 16, 64 },
                                        { 63, 17, 65 }, { 65, 15, 63 },   { 5, 200, 7 },   { 1, 70, 130 }, { 130, 70, 1 },
                                        { 1, 300, 1 },  { 100, 1, 90 },   { 129, 33, 70 }, { 40, 32, 40 }, { 16, 8, 16 },
                                        { 17, 9, 15 },  { 128, 100, 128 } };
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int t = 0; t < DTYPES; t++) {
            const int64_t *n = sizes[s], of_a[2] = { n[0], n[1] }, of_b[2] = { n[1], n[2] };
            if (test_small() && n[0] * n[1] * n[2] > 30000) continue;
            ga_array *a = numbers(2, of_a, dtypes[t], 7 * s + 1), *b = numbers(2, of_b, dtypes[t], 7 * s + 3);
            if (!CHECK(same_product(a, b)))
                printf("     %lld x %lld x %lld, %s\n", (long long)n[0], (long long)n[1], (long long)n[2],
                       ga_dtype_name(dtypes[t]));
            ga_free(a);
            ga_free(b);
        }
}

static void test_views_and_batches(void)
{
    for (int t = 0; t < DTYPES; t += t == 0 ? 5 : 2) {
        const int64_t of_a[4] = { 2, 3, 20, 30 }, of_b[3] = { 3, 30, 25 }, square[2] = { 30, 20 };
        ga_array     *a = numbers(4, of_a, dtypes[t], 11), *b = numbers(3, of_b, dtypes[t], 12),
                 *c = numbers(2, square, dtypes[t], 13);
        ga_scope {
            ga_array *ga = ga_to(a, GA_CUDA), *gb = ga_to(b, GA_CUDA), *gc = ga_to(c, GA_CUDA);
            CHECK(test_same_freed(ga_matmul(a, b), ga_matmul(ga, gb)));
            CHECK(test_same_freed(ga_matmul(ga_transpose(c), c), ga_matmul(ga_transpose(gc), gc)));
            CHECK(test_same_freed(ga_matmul(c, ga_transpose(c)), ga_matmul(gc, ga_transpose(gc))));
            CHECK(test_same_freed(ga_matmul(ga_index(c, "::-2, 1::3"), ga_index(b, "1, 3:10, ::2")),
                                  ga_matmul(ga_index(gc, "::-2, 1::3"), ga_index(gb, "1, 3:10, ::2"))));
            CHECK(test_same_freed(ga_matmul(c, ga_index(b, "0, :20, 3")), ga_matmul(gc, ga_index(gb, "0, :20, 3"))));
            CHECK(test_same_freed(ga_outer(c, b), ga_outer(gc, gb)));
            CHECK(test_same_freed(ga_inner(c, c), ga_inner(gc, gc)));
            CHECK(test_same_freed(ga_einsum("ij,kj->ik", (c, c)), ga_einsum("ij,kj->ik", (gc, gc))));
            CHECK(test_same_freed(ga_einsum("ij,ij->i", (c, c)), ga_einsum("ij,ij->i", (gc, gc))));
        }
        ga_free(a);
        ga_free(b);
        ga_free(c);
    }
}

static void test_out(void)
{
    ga_scope {
        ga_array *a = ga_random((40, 40), .seed = 1, .device = GA_CPU), *ga = ga_to(a, GA_CUDA);
        ga_array *want = ga_matmul(a, a), *out = ga_zeros((40, 40), .device = GA_CUDA);
        CHECK(ga_matmul(ga, ga, .out = out) == out && ga_array_equal(ga_to(out, GA_CPU), want));
        ga_matmul(ga, ga, .out = ga); /* over its own factors */
        CHECK(ga_array_equal(ga_to(ga, GA_CPU), want));
        CHECK(!ga_matmul(a, ga) && strstr(ga_error(), "ga_to"));
        ga_clear_error();
    }
}

int main(void)
{
    test_sizes();
    test_views_and_batches();
    test_out();
    return test_end();
}
