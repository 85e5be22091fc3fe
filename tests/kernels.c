/* Kernels of the user's own: GA_ELEMENTWISE and ga_apply. tests/cuda_kernels.cu is the same file, compiled for the GPU too: there every
   call is repeated on the GPU, and has the same bits. */
#define GPUARR_KERNELS
#include "test.h"

GA_ELEMENTWISE(axpy, float, (float a, float x, float y), a *x + y)
GA_ELEMENTWISE(collatz, int, (int x), {
    int n = 0;
    while (x > 1) {
        x = x % 2 ? 3 * x + 1 : x / 2;
        n++;
    }
    return n;
})
GA_ELEMENTWISE(polar, void, (double x, double y, double *r, double *phi), {
    *r   = GA_HYPOT(x, y);
    *phi = GA_ARCTAN2(y, x);
})
GA_ELEMENTWISE(place, int64_t, (bool x), GA_INDEX * 2 + x)
GA_ELEMENTWISE_T(clamp, REAL, T, (T x, T low, T high), x<low ? low : x> high ? high : x)
GA_ELEMENTWISE_T(halves, FLT, void, (T x, T *whole, int8_t *sign), {
    *whole = GA_FLOOR(x / 2);
    if (x < 0) *sign = -1; /* else it is 0 */
})
GA_ELEMENTWISE(conjugate, ga_c64, (ga_c64 z), {
    z.im = -z.im;
    return z;
})
GA_ELEMENTWISE(eight, double, (uint8_t a, int8_t b, uint16_t c, int16_t d, unsigned e, int64_t f, uint64_t g, double h),
               (double)(a + b + c + d) + e + (double)f + (double)g + h)
GA_ELEMENTWISE(four, float, (float x, double *a, int *b, bool *c), {
    *a = x * 2.0;
    *b = (int)x;
    *c = x > 1;
    return x + 1;
})
GA_ELEMENTWISE(tiny, int8_t, (unsigned int wide, int8_t *half, int8_t n), {
    *half = (int8_t)(n / 2);
    return (int8_t)(n + (int)wide);
})
/* without braces, and a semicolon that is none */
GA_ELEMENTWISE(square_of, double, (double x), double y = x; return y * y;)
GA_ELEMENTWISE(semicolon, int, (int8_t c), c == ';')
GA_ELEMENTWISE(returned, int, (int x), return x + 1)
/* rare arguments in a loop: it must see the right values */
GA_ELEMENTWISE(logs, int, (double x), {
    int n = 0;
    while (GA_LOG(x) > 1e-3 && n < 1000) {
        x = GA_SQRT(x);
        n++;
    }
    return n;
})

/* clang-format off */
#define EACH_FUNCTION(X)                                                                                               \
    X(exp, EXP) X(exp2, EXP2) X(expm1, EXPM1) X(log, LOG) X(log2, LOG2) X(log10, LOG10) X(log1p, LOG1P)                \
    X(sin, SIN) X(cos, COS) X(tan, TAN) X(arcsin, ARCSIN) X(arccos, ARCCOS) X(arctan, ARCTAN) X(sinh, SINH)            \
    X(cosh, COSH) X(tanh, TANH) X(arcsinh, ARCSINH) X(arccosh, ARCCOSH) X(arctanh, ARCTANH) X(cbrt, CBRT) X(sinc, SINC) \
    X(sqrt, SQRT) X(floor, FLOOR) X(ceil, CEIL) X(trunc, TRUNC) X(rint, RINT) X(absolute, ABSOLUTE)                    \
    X(sign, SIGN)
#define EACH_FUNCTION2(X)                                                                                              \
    X(power, POWER) X(arctan2, ARCTAN2) X(hypot, HYPOT) X(nextafter, NEXTAFTER) X(logaddexp, LOGADDEXP)                \
    X(logaddexp2, LOGADDEXP2)                                                                                          \
    X(maximum, MAXIMUM) X(minimum, MINIMUM) X(fmax, FMAX) X(fmin, FMIN) X(copysign, COPYSIGN) X(fmod, FMOD)            \
    X(remainder, REMAINDER) X(floor_divide, FLOOR_DIVIDE)
/* clang-format on */
#define DEFINE(name, NAME)  GA_ELEMENTWISE_T(my_##name, FLT, T, (T x), GA_##NAME(x))
#define DEFINE2(name, NAME) GA_ELEMENTWISE_T(my_##name, FLT, T, (T x, T y), GA_##NAME(x, y))
EACH_FUNCTION(DEFINE)
EACH_FUNCTION2(DEFINE2)

/* ---- on both devices ---------------------------------------------------------------------------------------------------- */

#if defined(__CUDACC__) || defined(__CUDASIM__)
static bool on_gpu(void) { return ga_cuda_count() > 0; }
#else
static bool on_gpu(void) { return false; }
#endif

/* The call on the CPU, and, where there is a GPU, there: the same results. */
static bool apply_all(const ga_kernel *k, int n, const ga_arg *in, int outputs, ga_array **outs)
{
    ga_array *gpu_outs[4] = { NULL, NULL, NULL, NULL };
    ga_arg    gpu[8];
    ga_array *copies[8];
    bool      ok = true;
    for (int i = 0; i < outputs; i++) outs[i] = NULL;
    if (!ga_apply_n(k, n, in, .outs = outs)) return false;
    if (!on_gpu()) return true;
    for (int i = 0; i < n; i++) {
        copies[i] = NULL;
        gpu[i]    = in[i];
        if (in[i].array) gpu[i] = GA_ARG(copies[i] = ga_to(in[i].array, GA_CUDA));
    }
    ok = ga_apply_n(k, n, gpu, .outs = gpu_outs) != NULL;
    for (int i = 0; i < outputs && ok; i++) {
        ok = test_same_bits(outs[i], gpu_outs[i]);
        ga_free(gpu_outs[i]);
    }
    for (int i = 0; i < n; i++) ga_free(copies[i]);
    return ok;
}

static ga_array *apply_1(const ga_kernel *k, ga_arg x)
{
    ga_array *out = NULL;
    return apply_all(k, 1, &x, 1, &out) ? out : NULL;
}

static ga_array *apply_3(const ga_kernel *k, ga_arg x, ga_arg y, ga_arg z)
{
    ga_arg    in[3];
    ga_array *out = NULL;
    in[0]         = x;
    in[1]         = y;
    in[2]         = z;
    return apply_all(k, 3, in, 1, &out) ? out : NULL;
}

/* Numbers of every size, with rare ones at some places. */
static ga_array *samples(int64_t n, ga_dtype dtype, int seed)
{
    static const double special[] = {
        INFINITY, -INFINITY, NAN, 3e38, -1e300, 1e-310, 0.0, -0.0, 1e18, 709.7, -745.2, 1.0, -1.0
    };
    ga_array *a = ga_empty((n), .dtype = GA_F64);
    double   *p = (double *)a->data;
    uint64_t  s = 88172645463325252u + (uint64_t)seed;
    for (int64_t i = 0; i < n; i++) {
        s ^= s << 13, s ^= s >> 7, s ^= s << 17;
        p[i] = ldexp((double)(int64_t)s, (int)(s % 16) - 70);
        if (i % 257 == 13 && i > 1000) p[i] = special[s % (sizeof special / sizeof *special)];
    }
    return ga_astype(a, dtype);
}

/* ---- what comes out ------------------------------------------------------------------------------------------------------- */

static void test_values(void)
{
    ga_array *x = ga_arange(0, 10, 1), *y = ga_ones((3, 10), .dtype = GA_F32);
    ga_array *r = apply_3(axpy, GA_ARG(2), GA_ARG(x), GA_ARG(y));
    CHECK(r && r->dtype == GA_F32 && r->ndim == 2 && r->shape[0] == 3 && r->shape[1] == 10);
    CHECK(ga_item(ga_index(r, "2, 7")) == 15);
    r = apply_3(axpy, GA_ARG(2), GA_ARG(3), GA_ARG(4));
    CHECK(r && r->ndim == 0 && ga_item(r) == 10);
    CHECK(ga_item(ga_sum(apply_1(collatz, GA_ARG(ga_arange(0, 30, 1, .dtype = GA_I32))))) == 423);
    r = apply_1(logs, GA_ARG(ga_negative(ga_absolute(samples(3000, GA_F64, 1)))));
    CHECK(r && ga_item(ga_max(r)) == 0); /* the logarithm is NaN at once */

    /* products and sums are two operations: 1 + 2^-12 squared, less its rounded square */
    ga_array *a = ga_full((100), 1 + 0x1p-12, .dtype = GA_F32), *minus = ga_negative(ga_multiply(a, a));
    CHECK(ga_count_nonzero(apply_3(axpy, GA_ARG(a), GA_ARG(a), GA_ARG(minus))) != NULL);
    CHECK(ga_item(ga_count_nonzero(apply_3(axpy, GA_ARG(a), GA_ARG(a), GA_ARG(minus)))) == 0);

    ga_array *z = ga_full((5), 2, .dtype = GA_C64);
    CHECK(test_same_bits(apply_1(conjugate, GA_ARG(ga_multiply(z, 1))), ga_conj(z)));

    ga_arg    many[8];
    ga_array *one = ga_ones((1000), .dtype = GA_U8), *sum = NULL;
    for (int i = 0; i < 8; i++) many[i] = i % 2 ? GA_ARG(i) : GA_ARG(one);
    CHECK(apply_all(eight, 8, many, 1, &sum) && ga_item(ga_min(sum)) == 20 && ga_item(ga_max(sum)) == 20);

    ga_arg    x1 = GA_ARG(ga_arange(0, 1001, 1));
    ga_array *outs[4];
    CHECK(apply_all(four, 1, &x1, 4, outs));
    CHECK(ga_array_equal(outs[0], ga_add(x1.array, 1)) && ga_array_equal(outs[1], ga_multiply(x1.array, 2)));
    CHECK(outs[2]->dtype == GA_I32 && ga_array_equal(outs[2], x1.array) && outs[3]->dtype == GA_BOOL);
    CHECK(ga_item(ga_count_nonzero(outs[3])) == 999);
}

static void test_functions(void)
{
    for (int d = 0; d < 2; d++) {
        ga_dtype  dtype = d ? GA_F64 : GA_F32;
        ga_array *x = samples(5000, dtype, 7), *y = samples(5000, dtype, 8), *out = NULL;
        ga_arg    both[2];
        both[0] = GA_ARG(x);
        both[1] = GA_ARG(y);
#define SAME(name, NAME)                                                                                                       \
    ga_scope {                                                                                                                 \
        CHECK(test_same_bits(apply_1(my_##name, GA_ARG(x)), ga_##name(x)));                                                    \
        ga_array *own = ga_copy(x);                                                                                            \
        CHECK(test_same_bits(ga_apply(my_##name, (own), .out = own), ga_##name(x)));                                           \
    }
#define SAME2(name, NAME)                                                                                                      \
    ga_scope {                                                                                                                 \
        CHECK(apply_all(my_##name, 2, both, 1, &out) && test_same_bits(out, ga_##name(x, y)));                                 \
    }
        EACH_FUNCTION(SAME)
        EACH_FUNCTION2(SAME2)
        ga_array *parts[2];
        if (d) {
            CHECK(apply_all(polar, 2, both, 2, parts));
            CHECK(test_same_bits(parts[0], ga_hypot(x, y)) && test_same_bits(parts[1], ga_arctan2(y, x)));
        }
        CHECK(apply_all(halves, 1, both, 2, parts) && test_same_bits(parts[0], ga_floor(ga_divide(x, 2))));
        CHECK(parts[1]->dtype == GA_I8 && test_same_bits(parts[1], ga_negative(ga_astype(ga_less(x, 0), GA_I8))));
    }
}

/* Each instruction set that this processor has gives the same bits. */
static void test_instruction_sets(void)
{
    ga_array *x = samples(3001, GA_F64, 5), *out[3] = { NULL, NULL, NULL };
    int       sets = strcmp(ga_isa(), "avx512") == 0 ? 3 : strcmp(ga_isa(), "avx2") == 0 ? 2 : 1;
    for (int s = 0; s < sets; s++) {
        const gi_stamp *stamp = &my_sin->stamp[1];
        gi_elements     e;
        memset(&e, 0, sizeof e);
        out[s]       = ga_empty_like(x);
        e.n          = x->size;
        e.operand[0] = x->data;
        e.result     = out[s]->data;
        if (!stamp->cpu[s]) break; /* compiled for one instruction set */
        stamp->cpu[s](&e, false);
        CHECK(test_same_bits(out[s], ga_sin(x)));
        stamp->cpu[s](&e, true);
        CHECK(test_same_bits(out[s], ga_sin(x)));
    }
}

static void test_generic(void)
{
    static const ga_dtype all[] = { GA_I8, GA_U8, GA_I16, GA_U16, GA_I32, GA_U32, GA_I64, GA_U64, GA_F32, GA_F64 };
    for (int d = 0; d < 10; d++) {
        ga_array *x = ga_arange(0, 100, 1, .dtype = all[d]), *r = apply_3(clamp, GA_ARG(x), GA_ARG(20), GA_ARG(30));
        CHECK(r && r->dtype == all[d] && test_same_bits(r, ga_clip(x, 20, 30)));
    }
    ga_array *x = ga_arange(0, 10, 1, .dtype = GA_I32);
    ga_array *r = apply_3(clamp, GA_ARG(x), GA_ARG(2.5), GA_ARG(ga_full((1), 5, .dtype = GA_F32)));
    CHECK(r && r->dtype == GA_F64 && ga_item(ga_min(r)) == 2.5 && ga_item(ga_max(r)) == 5);
    ga_array *bools = ga_equal(x, 3);
    CHECK(apply_1(my_sin, GA_ARG(bools))->dtype == GA_F32 && apply_1(my_sin, GA_ARG(x))->dtype == GA_F64);
    CHECK(!ga_apply(clamp, (ga_ones((3), .dtype = GA_C64), 0, 1)) && strstr(ga_error(), "clamp") &&
          strstr(ga_error(), "complex64"));
    ga_clear_error();
}

/* ---- views, options, places -------------------------------------------------------------------------------------------------- */

static void test_views(void)
{
    ga_array *f = ga_zeros((30, 40), .dtype = GA_BOOL), *t = ga_transpose(f), *back = ga_index(f, "::-1, 3::2");
    CHECK(test_same_bits(apply_1(place, GA_ARG(f)), ga_reshape(ga_arange(0, 2400, 2, .dtype = GA_I64), (30, 40))));
    CHECK(test_same_bits(apply_1(place, GA_ARG(t)), ga_reshape(ga_arange(0, 2400, 2, .dtype = GA_I64), (40, 30))));
    CHECK(test_same_bits(apply_1(place, GA_ARG(back)), ga_reshape(ga_arange(0, 1140, 2, .dtype = GA_I64), (30, 19))));
    ga_array *large = apply_1(place, GA_ARG(ga_zeros((300, 7, 500), .dtype = GA_BOOL)));
    CHECK(test_same_bits(large, ga_reshape(ga_arange(0, 2100000, 2, .dtype = GA_I64), (300, 7, 500))));
    ga_array *out = ga_zeros((40, 30), .dtype = GA_I64), *out_t = ga_transpose(out);
    CHECK(ga_apply(place, (f), .out = out_t) == out_t && ga_item(ga_index(out, "1, 2")) == 2 * (2 * 40 + 1));
    CHECK(ga_item(ga_index(apply_1(place, GA_ARG(ga_zeros((1, 1), .dtype = GA_BOOL))), "0, 0")) == 0);

    ga_array *x = ga_arange(0, 1000, 1, .dtype = GA_F32), *y = ga_transpose(ga_ones((1000, 3), .dtype = GA_F32));
    CHECK(test_same_bits(apply_3(axpy, GA_ARG(1), GA_ARG(x), GA_ARG(y)), ga_add(x, y)));
    CHECK(test_same_bits(apply_3(axpy, GA_ARG(1), GA_ARG(ga_index(x, "::-1")), GA_ARG(0)), ga_copy(ga_index(x, "::-1"))));
    ga_array *wide = ga_zeros((1000)), *mask = ga_greater(x, 500);
    CHECK(ga_apply(axpy, (1, x, 1), .out = wide, .where = mask) == wide && ga_item(ga_sum(wide)) == 374749);
    ga_array *some = ga_apply(axpy, (1, x, 1), .where = mask);
    CHECK(ga_array_equal(some, wide));
    ga_array *shifted = ga_copy(x), *to = ga_index(shifted, "1:"), *from = ga_index(shifted, ":-1");
    CHECK(ga_apply(axpy, (1, from, 1), .out = to) == to && ga_item(ga_index(shifted, "999")) == 999 &&
          ga_item(ga_index(shifted, "1")) == 1);
    CHECK(apply_1(collatz, GA_ARG(ga_zeros((0, 3), .dtype = GA_I32)))->size == 0);

    ga_array *pair[2] = { NULL, ga_zeros((10)) }, *kept = pair[1];
    CHECK(ga_apply(polar, (ga_arange(0, 10, 1), 0), .outs = pair) == pair[0] && pair[1] == kept && pair[0]->size == 10);
}

/* ---- errors -------------------------------------------------------------------------------------------------------------------- */

#define FAILS(status, text, ...)                                                                                               \
    do {                                                                                                                       \
        ga_clear_error();                                                                                                      \
        const bool none = !(__VA_ARGS__);                                                                                      \
        CHECK(ga_error_status() == status && none && strstr(ga_error(), text));                                                \
        ga_clear_error();                                                                                                      \
    } while (0)

static void test_errors(void)
{
    ga_array       *x = ga_zeros((4)), *y = ga_zeros((3)), *c = ga_zeros((4), .dtype = GA_C128), *pair[2] = { x, x };
    ga_array *const nothing = NULL;
    FAILS(GA_BAD_ARGUMENT, "kernels.c:6) takes 3 operands, not 2", ga_apply(axpy, (x, x)));
    FAILS(GA_BAD_SHAPE, "shapes (4,) and (3,) do not broadcast", ga_apply(axpy, (1, x, y)));
    FAILS(GA_BAD_DTYPE, "operand 1 is float64 and collatz (", ga_apply(collatz, (x)));
    FAILS(GA_BAD_DTYPE, "operand 2 is complex128 and axpy", ga_apply(axpy, (1, c, 1)));
    FAILS(GA_BAD_DTYPE, "takes int8 as n: use ga_astype first",
          ga_apply(tiny, (1, ga_zeros((4), .dtype = GA_I64)), .outs = pair));
    FAILS(GA_BAD_DTYPE, "operand 1 is int64 and tiny (", ga_apply(tiny, (ga_zeros((4), .dtype = GA_I64), 1), .outs = pair));
    FAILS(GA_BAD_DTYPE, "operand 2 is uint8 and tiny (", ga_apply(tiny, (1, ga_zeros((4), .dtype = GA_U8)), .outs = pair));
    FAILS(GA_BAD_ARGUMENT, "kernels.c:15) has 2 results: give .outs", ga_apply(polar, (x, 1)));
    FAILS(GA_BAD_ARGUMENT, "share memory", ga_apply(polar, (x, 1), .outs = pair));
    FAILS(GA_BAD_ARGUMENT, "the second operand is NULL", ga_apply(axpy, (1, nothing, 1)));
    FAILS(GA_BAD_ARGUMENT, ".out is NULL", ga_apply(axpy, (1, x, 1), .out = nothing));
    FAILS(GA_BAD_SHAPE, ".out has shape (3,), the result (4,)", ga_apply(axpy, (1, x, 1), .out = y));
    FAILS(GA_BAD_DTYPE, "does not go into .out of int32", ga_apply(axpy, (1, x, 1), .out = ga_zeros((4), .dtype = GA_I32)));
    FAILS(GA_BAD_ARGUMENT, "a kernel is NULL", ga_apply((const ga_kernel *)NULL, (x)));
#if !defined(__CUDACC__) && !defined(__CUDASIM__)
    if (ga_cuda_count() > 0)
        FAILS(GA_BAD_DEVICE, "axpy was compiled by a C compiler", ga_apply(axpy, (1, ga_to(x, GA_CUDA), 1)));
#endif
}

int main(void)
{
    ga_set_error_handler(ga_ignore_error, NULL);
    ga_scope {
        test_values();
    }
    ga_scope {
        test_functions();
    }
    ga_scope {
        test_instruction_sets();
    }
    ga_scope {
        test_generic();
    }
    ga_scope {
        test_views();
    }
    ga_scope {
        test_errors();
    }
    CHECK(ga_memory_stats().used_bytes == 0);
    return test_end();
}
