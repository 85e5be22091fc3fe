/* Stencils of the user's own: SciPy's results, ga_ndcorrelate's bits, several steps at once, dtypes, views, threads, errors, failing
   allocations. */
#define GPUARR_KERNELS
#include "test.h"

/* In comments: the weights that SciPy's numbers were made with. */
GA_STENCIL(line, (2), double, (void), GA_AT(-2) + 10 * GA_AT(-1) + 100 * GA_AT(0) + 1000 * GA_AT(1) + 10000 * GA_AT(2))
GA_STENCIL(plane, (1, 1), double, (void), GA_AT(-1, -1) + 2 * GA_AT(-1, 0) + 3 * GA_AT(0, 0) + 5 * GA_AT(1, 1))
GA_STENCIL(space, (1, 1, 1), double, (void),
           GA_AT(-1, 0, 0) + 10 * GA_AT(0, -1, 0) + 100 * GA_AT(0, 0, 1) + 1000 * GA_AT(1, 1, -1))
GA_STENCIL(span, (1, 1), double, (void), {
    double low = GA_AT(0, 0), high = GA_AT(0, 0);
    for (int i = -1; i <= 1; i++)
        for (int j = -1; j <= 1; j++) {
            low  = GA_MINIMUM(low, GA_AT(i, j));
            high = GA_MAXIMUM(high, GA_AT(i, j));
        }
    return high - low;
})

static const ga_border borders[] = { GA_BORDER_REFLECT, GA_BORDER_CONSTANT, GA_BORDER_NEAREST, GA_BORDER_MIRROR,
                                     GA_BORDER_WRAP };
enum { BORDERS = sizeof borders / sizeof *borders };

/* ---- SciPy's results: ndimage.correlate and generic_filter with cval=7 -------------------------------------------------- */

static void test_known(void)
{
    ga_scope {
        ga_array *a = ga_values(3, 1, 4, 1, 5), *b = ga_reshape(ga_square(ga_arange(0, 6, 1)), (2, 3));
        ga_array *c = ga_reshape(ga_arange(0, 8, 1), (2, 2, 2));
        CHECK_IS(ga_stencil(line, (a)), GA_F64, (5), 41331, 14133, 51413, 55141, 15514);
        CHECK_IS(ga_stencil(line, (a), .border = GA_BORDER_CONSTANT, .cval = 7), GA_F64, (5), 41377, 14137, 51413, 75141,
                 77514);
        CHECK_IS(ga_stencil(line, (a), .border = GA_BORDER_NEAREST), GA_F64, (5), 41333, 14133, 51413, 55141, 55514);
        CHECK_IS(ga_stencil(line, (a), .border = GA_BORDER_MIRROR), GA_F64, (5), 41314, 14131, 51413, 15141, 41514);
        CHECK_IS(ga_stencil(line, (a), .border = GA_BORDER_WRAP), GA_F64, (5), 41351, 14135, 51413, 35141, 13514);
        CHECK_IS(ga_stencil(plane, (b)), GA_F64, (2, 3), 80, 130, 146, 107, 175, 209);
        CHECK_IS(ga_stencil(plane, (b), .border = GA_BORDER_CONSTANT, .cval = 7), GA_F64, (2, 3), 101, 149, 68, 69, 85, 119);
        CHECK_IS(ga_stencil(plane, (b), .border = GA_BORDER_NEAREST), GA_F64, (2, 3), 80, 130, 146, 107, 175, 209);
        CHECK_IS(ga_stencil(plane, (b), .border = GA_BORDER_MIRROR), GA_F64, (2, 3), 114, 169, 158, 33, 70, 89);
        CHECK_IS(ga_stencil(plane, (b), .border = GA_BORDER_WRAP), GA_F64, (2, 3), 123, 169, 123, 36, 70, 84);
        CHECK_IS(ga_stencil(space, (c)), GA_F64, (2, 2, 2), 6100, 6111, 6302, 6313, 6540, 6551, 6742, 6753);
        CHECK_IS(ga_stencil(space, (c), .border = GA_BORDER_CONSTANT, .cval = 7), GA_F64, (2, 2, 2), 7177, 6777, 7307, 7717,
                 7570, 7771, 7742, 7753);
        CHECK_IS(ga_stencil(space, (c), .border = GA_BORDER_MIRROR), GA_F64, (2, 2, 2), 7124, 6035, 5306, 4217, 3560, 2471,
                 1742, 653);
        CHECK_IS(ga_stencil(span, (b), .border = GA_BORDER_NEAREST), GA_F64, (2, 3), 16, 25, 24, 16, 25, 24);
        CHECK_IS(ga_stencil(line, (ga_values(2))), GA_F64, (1), 22222);
        CHECK_IS(ga_stencil(line, (ga_values(2)), .border = GA_BORDER_CONSTANT), GA_F64, (1), 200);
    }
}

/* ---- the bits of ga_ndcorrelate ------------------------------------------------------------------------------------------- */
/*  Its sums are a product and then one GA_FMA after the other, in the raster order of the weights 1/3, 2/3, 3/3 ...            */

#define CHAIN_1(T)                                                                                                             \
    {                                                                                                                          \
        T sum = (T)1 / 3 * GA_AT(-2);                                                                                          \
        for (int i = -1, k = 2; i <= 2; i++, k++) sum = GA_FMA((T)k / 3, GA_AT(i), sum);                                       \
        return sum;                                                                                                            \
    }
#define CHAIN_2(T)                                                                                                             \
    {                                                                                                                          \
        T sum = (T)1 / 3 * GA_AT(-1, -3);                                                                                      \
        for (int k = 1; k < 21; k++) sum = GA_FMA((T)(k + 1) / 3, GA_AT(k / 7 - 1, k % 7 - 3), sum);                           \
        return sum;                                                                                                            \
    }
#define CHAIN_3(T)                                                                                                             \
    {                                                                                                                          \
        T sum = (T)1 / 3 * GA_AT(-2, -1, -1);                                                                                  \
        for (int k = 1; k < 45; k++) sum = GA_FMA((T)(k + 1) / 3, GA_AT(k / 9 - 2, k / 3 % 3 - 1, k % 3 - 1), sum);            \
        return sum;                                                                                                            \
    }
GA_STENCIL(chain_1_f64, (2), double, (void), CHAIN_1(double))
GA_STENCIL(chain_2_f64, (1, 3), double, (void), CHAIN_2(double))
GA_STENCIL(chain_3_f64, (2, 1, 1), double, (void), CHAIN_3(double))
GA_STENCIL(chain_1_f32, (2), float, (void), CHAIN_1(float))
GA_STENCIL(chain_2_f32, (1, 3), float, (void), CHAIN_2(float))
GA_STENCIL(chain_3_f32, (2, 1, 1), float, (void), CHAIN_3(float))

static const ga_stencil_kernel *const chains[2][3] = { { chain_1_f64, chain_2_f64, chain_3_f64 },
                                                       { chain_1_f32, chain_2_f32, chain_3_f32 } };

/* Random elements on the CPU, with some infinities, NaNs and zeros; strided, reversed or turned round. */
static ga_array *random_array(ga_dtype dtype, int ndim, const int64_t *shape)
{
    static const double special[] = { INFINITY, -INFINITY, NAN, 0.0, -0.0, 1e-310 };
    int64_t             twice[3];
    const int64_t       way = test_below(4);
    for (int d = 0; d < ndim; d++) twice[d] = way == 1 ? 2 * shape[d] : way == 2 ? shape[ndim - 1 - d] : shape[d];
    ga_array *a = ga_empty_n(ndim, twice, .device = GA_CPU);
    for (int64_t i = 0; i < a->size; i++)
        ((double *)a->data)[i] = test_below(200) ? (double)test_below(1 << 20) * 0x1p-19 - 1 : special[test_below(6)];
    a = ga_astype(a, dtype);
    if (way == 1) a = ga_index(a, ndim == 1 ? "::2" : ndim == 2 ? "::2, 1::2" : "1::2, ::2, ::2");
    if (way == 2) a = ga_transpose(a);
    if (way == 3) a = ga_index(a, "::-1");
    return a;
}

static void test_chains(void)
{
    static const int64_t sizes[3][3] = { { 5, 1, 1 }, { 3, 7, 1 }, { 5, 3, 3 } };
    for (int trial = 0; trial < (test_small() ? 60 : 400); trial++) {
        const int      ndim = 1 + trial % 3, single = trial / 3 % 2;
        const bool     large = !test_small() && trial % 20 == 7;
        const ga_dtype dtype = single ? GA_F32 : GA_F64;
        ga_border      b     = borders[test_below(BORDERS)];
        int64_t        shape[3];
        for (int d = 0; d < ndim; d++) shape[d] = 1 + test_below(large ? (ndim == 1 ? 200000 : ndim == 2 ? 700 : 70) : 19);
        ga_scope {
            ga_array *w = ga_empty_n(ndim, sizes[ndim - 1], .dtype = dtype, .device = GA_CPU);
            for (int64_t k = 0; k < w->size; k++)
                if (single) ((float *)w->data)[k] = (float)(k + 1) / 3;
                else ((double *)w->data)[k] = (double)(k + 1) / 3;
            ga_array *host = random_array(dtype, ndim, shape), *a = ga_to(host, ga_get_device());
            ga_array *expected = ga_ndcorrelate(host, w, .border = b, .cval = 0.7, .method = GA_METHOD_DIRECT);
            if (!CHECK(test_same_bits(ga_stencil(chains[single][ndim - 1], (a), .border = b, .cval = 0.7), expected)))
                printf("     border %d, %d dimensions: %lld ...\n", (int)b, ndim, (long long)shape[0]);
        }
    }
}

/* ---- steps -------------------------------------------------------------------------------------------------------------- */

GA_STENCIL(heat, (1, 1), double, (double a),
           GA_AT(0, 0) + a * (GA_AT(-1, 0) + GA_AT(1, 0) + GA_AT(0, -1) + GA_AT(0, 1) - 4 * GA_AT(0, 0)))
GA_STENCIL(smear, (3), float, (float a), GA_FMA(a, GA_AT(3) - GA_AT(-3), GA_AT(0)))
GA_STENCIL(mix, (1, 1, 2), int32_t, (void), GA_AT(1, 0, -2) ^ (GA_AT(0, 1, 0) & (GA_AT(-1, -1, 2) >> 1)))

static void compare_steps(const ga_stencil_kernel *k, ga_array *a, int64_t steps, ga_border border)
{
    ga_scope {
        ga_array *one = a, *all;
        for (int64_t i = 0; i < steps; i++)
            one = k->kernel.parameters ? ga_stencil(k, (one, 0.2), .border = border, .cval = 3)
                                       : ga_stencil(k, (one), .border = border, .cval = 3);
        for (int threads = 1; threads <= 3; threads++) {
            ga_set_num_threads(threads);
            all = k->kernel.parameters ? ga_stencil(k, (a, 0.2), .border = border, .cval = 3, .steps = steps)
                                       : ga_stencil(k, (a), .border = border, .cval = 3, .steps = steps);
            if (!CHECK(test_same_bits(one, all)))
                printf("     %s, %lld steps, border %d, %d threads\n", k->kernel.name, (long long)steps, (int)border, threads);
        }
    }
}

static void test_steps(void)
{
    const int threads = ga_get_num_threads();
    for (int b = 0; b < BORDERS; b++)
        ga_scope { /* those of the larger arrays are taken several at a time */
            const int64_t less = test_small() ? 20 : 1;
            ga_array     *rows = ga_random((700 / less, 611), .seed = 1), *line_ = ga_random((700001 / less), .seed = 2);
            ga_array     *cubes = ga_random_integers(-1000000000, 1000000000, (100 / less, 77, 97), .dtype = GA_I32, .seed = 3);
            compare_steps(heat, rows, 11, borders[b]);
            compare_steps(smear, ga_astype(line_, GA_F32), 9, borders[b]);
            compare_steps(mix, cubes, 5, borders[b]);
            compare_steps(heat, ga_index(rows, ":5, :3"), 40, borders[b]);
        }
    ga_set_num_threads(threads);
    ga_scope { /* where the results go */
        ga_array *u = ga_zeros((9, 9)), *v = ga_zeros((9, 9), .dtype = GA_F32), *w = ga_full((9, 9), 7.0);
        ga_copyto(ga_index(u, "4, 4"), 1);
        ga_array *expected = ga_stencil(heat, (u, 0.125), .steps = 3);
        CHECK(ga_stencil(heat, (u, 0.125), .steps = 3, .out = v) == v && ga_array_equal(v, expected));
        CHECK(ga_stencil(heat, (u, 0.125), .steps = 3, .out = w) == w && ga_array_equal(w, expected));
        CHECK(ga_stencil(heat, (u, 0.125), .steps = 3, .out = u) == u && ga_array_equal(u, expected));
        CHECK(ga_item(ga_sum(u)) == 1);
    }
}

/* ---- dtypes, elementary functions, computed offsets ------------------------------------------------------------------------ */

GA_STENCIL(life, (1, 1), uint8_t, (void), {
    int n = 0;
    for (int i = -1; i <= 1; i++)
        for (int j = -1; j <= 1; j++) n += GA_AT(i, j);
    return n == 3 || (n == 4 && GA_AT(0, 0));
})
GA_STENCIL(erode, (1), bool, (void), GA_AT(-1) && GA_AT(0) && GA_AT(1))
GA_STENCIL(sum_i64, (1), int64_t, (int64_t k), k *(GA_AT(-1) + GA_AT(1)))
GA_STENCIL(turn, (1), ga_c64, (void), {
    ga_c64 z = { -GA_AT(1).im, GA_AT(1).re };
    return z;
})
GA_STENCIL(waves, (1), double, (double a, int b), GA_SIN(GA_AT(1)) + a * (double)b)
GA_STENCIL(far, (1), double, (int how_far), GA_AT(how_far))
GA_STENCIL(shift, (0, 2), float, (void), GA_AT(0, 2))
GA_STENCIL(wide, (40, 50), double, (void), GA_AT(-40, 50) - GA_AT(40, -50)) /* more than a GPU's shared memory holds */
GA_STENCIL(mean, (1, 1, 1), ga_c128, (double w), {
    ga_c128 z = { w * (GA_AT(-1, 0, 0).re + GA_AT(0, 1, 0).re), w * (GA_AT(0, 0, 1).im - GA_AT(0, -1, 1).im) };
    return z;
})

static void test_kinds(void)
{
    ga_scope {
        ga_array *glider = ga_zeros((12, 12), .dtype = GA_U8);
        ga_copyto(ga_index(glider, "1, 2"), 1);
        ga_copyto(ga_index(glider, "2, 3"), 1);
        ga_copyto(ga_index(glider, "3, 1:4"), 1);
        ga_array *later = ga_stencil(life, (glider), .border = GA_BORDER_WRAP, .steps = 4 * 30);
        CHECK(ga_array_equal(later, ga_roll(ga_roll(glider, 30, .axis = 0), 30, .axis = 1)));

        CHECK_IS(ga_stencil(erode, (ga_astype(ga_ints(1, 1, 1, 0, 1), GA_BOOL))), GA_BOOL, (5), 1, 1, 0, 0, 0);
        CHECK_IS(ga_stencil(sum_i64, (ga_ints(1, 2, 3), 10)), GA_I64, (3), 30, 40, 50);
        CHECK_IS(ga_stencil(sum_i64, (ga_astype(ga_ints(1, 2, 3), GA_I8), 10)), GA_I64, (3), 30, 40,
                 50); /* computed in int64 */
        CHECK_IS(ga_imag(ga_stencil(turn, (ga_astype(ga_ints(1, 2), GA_C64)))), GA_F32, (2), 2, 2);
        CHECK_IS(ga_stencil(shift, (ga_reshape(ga_arange(0, 4, 1), (1, 4)))), GA_F32, (1, 4), 2, 3, 3, 2);
        CHECK_IS(ga_stencil(far, (ga_values(1, 2, 3), -1)), GA_F64, (3), 1, 1, 2);

        ga_array *x = ga_random_normal(0, 1000, (5000), .seed = 5);
        ga_copyto(ga_index(x, "7::901"), 1e300); /* rare arguments */
        ga_copyto(ga_index(x, "9::1203"), INFINITY);
        ga_array *expected = ga_add(ga_sin(ga_index(x, "1:")), 0.5 * 3);
        CHECK(test_same_bits(ga_ascontiguous(ga_index(ga_stencil(waves, (x, 0.5, 3)), ":-1")), expected));

        ga_array *y = ga_random((130, 211), .seed = 6);
        CHECK(test_same_bits(ga_stencil(wide, (y), .border = GA_BORDER_WRAP),
                             ga_subtract(ga_roll(ga_roll(y, 40, .axis = 0), -50, .axis = 1),
                                         ga_roll(ga_roll(y, -40, .axis = 0), 50, .axis = 1))));
        ga_array *z = ga_astype(ga_random((21, 19, 70), .seed = 7), GA_C128);
        for (int b = 0; b < BORDERS; b++) { /* on the GPU, if the tests run there, and on the CPU */
            ga_array *y_cpu = ga_to(y, GA_CPU), *z_cpu = ga_to(z, GA_CPU);
            CHECK(test_same_bits(ga_stencil(wide, (y), .border = borders[b], .cval = 3, .steps = 3),
                                 ga_stencil(wide, (y_cpu), .border = borders[b], .cval = 3, .steps = 3)));
            CHECK(test_same_bits(ga_stencil(mean, (z, 0.3), .border = borders[b], .cval = 3, .steps = 2),
                                 ga_stencil(mean, (z_cpu, 0.3), .border = borders[b], .cval = 3, .steps = 2)));
        }

        CHECK_IS(ga_stencil(line, (ga_zeros((0)))), GA_F64, (0), 0);
        CHECK_IS(ga_stencil(heat, (ga_zeros((3, 0)), 1), .steps = 3), GA_F64, (3, 0), 0);
        CHECK_IS(ga_stencil(heat, (ga_zeros((0, 3)), 1), .border = GA_BORDER_WRAP), GA_F64, (0, 3), 0);
    }
}

/* ---- errors --------------------------------------------------------------------------------------------------------------- */

/* Is the call's error of this kind, and does its sentence hold these words? */
static bool refused(const void *result, ga_status status, const char *words)
{
    bool ok = !result && ga_error_status() == status && ga_error() && strstr(ga_error(), words);
    if (!ok) printf("     it says: %s\n", ga_error() ? ga_error() : "nothing");
    ga_clear_error();
    return ok;
}

static void test_errors(void)
{
    ga_set_error_handler(ga_ignore_error, NULL);
    ga_scope {
        ga_array *u = ga_zeros((4, 4)), *v = ga_zeros((4)), *out = ga_zeros((4, 5)), *none = NULL;
        ga_array *c = ga_zeros((4, 4), .dtype = GA_C128), *i = ga_zeros((4, 4), .dtype = GA_I32);
        CHECK(refused(ga_stencil(heat, (u)), GA_BAD_ARGUMENT, "takes an array and 1 number, not 1 operand"));
        CHECK(refused(ga_stencil(heat, (u, 1, 2)), GA_BAD_ARGUMENT, "not 3 operands"));
        CHECK(refused(ga_stencil(heat, (1, 1)), GA_BAD_ARGUMENT, "give the array there"));
        CHECK(refused(ga_stencil(heat, (u, v)), GA_BAD_ARGUMENT, "operand 2 of heat"));
        CHECK(refused(ga_stencil(heat, (none, 1)), GA_BAD_ARGUMENT, "the first operand is NULL"));
        CHECK(refused(ga_stencil(heat, (v, 1)), GA_BAD_SHAPE, "has a reach along 2 axes, and the array the shape (4,)"));
        CHECK(refused(ga_stencil(line, (u)), GA_BAD_SHAPE, "along 1 axis,"));
        CHECK(refused(ga_stencil(heat, (c, 1)), GA_BAD_DTYPE, "use ga_astype first"));
        CHECK(refused(ga_stencil(life, (u)), GA_BAD_DTYPE, "takes uint8"));
        CHECK(refused(ga_stencil(life, (i)), GA_BAD_DTYPE, "the array is int32"));
        CHECK(refused(ga_stencil(sum_i64, (v, 1)), GA_BAD_DTYPE, "takes int64"));
        CHECK(refused(ga_stencil(far, (v, 0.5)), GA_BAD_ARGUMENT, "the number 0.5 does not fit parameter how_far of far"));
        CHECK(refused(ga_stencil(far, (v, 3000000000)), GA_BAD_ARGUMENT, "which is int32"));
        CHECK(refused(ga_stencil(heat, (u, 1), .border = (ga_border)9), GA_BAD_ARGUMENT, ".border = 9"));
        CHECK(refused(ga_stencil(heat, (u, 1), .steps = -1), GA_BAD_ARGUMENT, ".steps = -1"));
        CHECK(refused(ga_stencil(heat, (u, 1), .out = out), GA_BAD_SHAPE, ".out has shape (4, 5)"));
        CHECK(refused(ga_stencil(heat, (u, 1), .out = i), GA_BAD_DTYPE, "does not go into .out"));
        CHECK(refused(ga_stencil(heat, (u, 1), .out = none), GA_BAD_ARGUMENT, ".out is NULL"));
        CHECK(refused(ga_stencil((const ga_stencil_kernel *)NULL, (u, 1)), GA_BAD_ARGUMENT, "the stencil is NULL"));
        CHECK(refused(ga_stencil(far, (v, 2)), GA_BAD_ARGUMENT, "beyond its reach of (1,)"));
        CHECK(strstr(far->kernel.site, "stencils.c:") != NULL);
    }
    ga_set_error_handler(NULL, NULL);
}

/* ---- failing allocations ---------------------------------------------------------------------------------------------------- */

static int64_t left, blocks;

static void *failing_alloc(size_t bytes, void *user)
{
    if (left == 0) return (void)user, (void *)NULL;
    left--;
    blocks++;
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static void failing_free(void *p, size_t bytes, void *user)
{
    (void)bytes, (void)user;
    blocks--;
    free(p);
}

static void test_memory(void)
{
    ga_set_error_handler(ga_ignore_error, NULL);
    left = INT64_MAX;
    CHECK(ga_set_allocator(failing_alloc, failing_free, NULL));
    ga_array     *whole = ga_full((900, 600), 0.5, .device = GA_CPU), *u = ga_transpose(whole);
    const int64_t there  = blocks;
    int           failed = 0;
    for (int64_t n = 0;; n++, failed++) {
        left        = n;
        ga_array *v = ga_stencil(heat, (u, 0.1), .steps = 20);
        left        = INT64_MAX;
        if (v) {
            ga_free(v);
            break;
        }
        CHECK(ga_error_status() == GA_NO_MEMORY && blocks == there);
        ga_clear_error();
    }
    CHECK(failed >= 5 && blocks == there);
    ga_free(u);
    ga_free(whole);
    CHECK(ga_set_allocator(NULL, NULL, NULL));
    ga_set_error_handler(NULL, NULL);
}

int main(void)
{
    test_begin();
    test_known();
    test_chains();
    test_steps();
    test_kinds();
    test_errors();
    if (!test_on_gpu()) test_memory();
    CHECK(ga_error() == NULL);
    return test_end();
}
