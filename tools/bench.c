/*  bench.c -- times some calls at 10^7 elements into an existing array and prints 'name dtype milliseconds', the median of many.
    tools/bench.py runs it beside NumPy and prints the ratios.                                                                 */
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"

static ga_array *x, *y, *out, *mask;
static int64_t   n = 10000000;

#define CALL(name, ...)                                                                                                        \
    static void name(void *user)                                                                                               \
    {                                                                                                                          \
        (void)user;                                                                                                            \
        __VA_ARGS__;                                                                                                           \
    }
CALL(add, ga_add(x, y, .out = out))
CALL(multiply_add, ga_multiply_add(x, y, x, .out = out))
CALL(divide, ga_divide(x, y, .out = out))
CALL(square_root, ga_sqrt(x, .out = out))
CALL(exponential, ga_exp(x, .out = out))
CALL(logarithm, ga_log(x, .out = out))
CALL(sine, ga_sin(x, .out = out))
CALL(tangens_hyperbolicus, ga_tanh(x, .out = out))
CALL(power, ga_power(x, y, .out = out))
CALL(less, ga_less(x, y, .out = mask))
CALL(where, ga_where(mask, x, y, .out = out))
CALL(sum, ga_sum(x))
CALL(std, ga_std(x))
CALL(maximum, ga_max(x))
CALL(median, ga_median(x))
CALL(new_add, ga_add(x, y))
CALL(sort, ga_sort(x))
CALL(extract, ga_extract(mask, x))

static void run(const char *name, ga_dtype dtype, void (*f)(void *))
{
    ga_benchmark_result r = ga_benchmark(f, NULL, .max_seconds = 0.4, .warmup = 2, .quiet = true);
    printf("%s %s %.4f\n", name, ga_dtype_name(dtype), r.cpu.median * 1e3);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    if (argc > 1) n = strtoll(argv[1], NULL, 10);
    const ga_dtype dtypes[] = { GA_F32, GA_F64 };
    for (int i = 0; i < 2; i++) {
        x    = ga_random((n), .dtype = dtypes[i], .seed = 1);
        y    = ga_random((n), .dtype = dtypes[i], .seed = 2);
        out  = ga_empty_like(x);
        mask = ga_less(x, y);
        run("add", dtypes[i], add);
        run("add_new", dtypes[i], new_add);
        run("multiply_add", dtypes[i], multiply_add);
        run("divide", dtypes[i], divide);
        run("sqrt", dtypes[i], square_root);
        run("exp", dtypes[i], exponential);
        run("log", dtypes[i], logarithm);
        run("sin", dtypes[i], sine);
        run("tanh", dtypes[i], tangens_hyperbolicus);
        run("power", dtypes[i], power);
        run("less", dtypes[i], less);
        run("where", dtypes[i], where);
        run("extract", dtypes[i], extract);
        run("sum", dtypes[i], sum);
        run("std", dtypes[i], std);
        run("max", dtypes[i], maximum);
        run("median", dtypes[i], median);
        run("sort", dtypes[i], sort);
        ga_free(x);
        ga_free(y);
        ga_free(out);
        ga_free(mask);
    }
    return 0;
}
