/* A part of allocations.c: float16, which is computed in float32. */
static void test_halves(void)
{
    ga_array *f = ga_random((30, 40), .seed = 5), *x = ga_astype(f, GA_F16), *i = ga_astype(f, GA_I64),
             *out = ga_empty((40), .dtype = GA_F16), *mask = ga_greater(f, 0.5);
    RUN(ga_astype(i, GA_F16));
    RUN(ga_astype(x, GA_I64));
    RUN(ga_arange(0, 1, 0.1, .dtype = GA_BF16));
    RUN(ga_add(x, 0.1));
    RUN(ga_add(x, f));
    RUN(ga_add(f, f, .dtype = GA_F16));
    RUN(ga_exp(x, .where = mask));
    RUN(ga_power(x, 2));
    RUN(ga_less(x, x));
    RUN(ga_where(mask, x, i));
    RUN(ga_sum(x));
    RUN(ga_sum(f, 0, .dtype = GA_F16));
    RUN(ga_std(x, 1));
    RUN(ga_argmax(x, 0));
    RUN(ga_median(x, 0));
    RUN(ga_percentile(x, 30));
    RUN(ga_cumsum(x, 1));
    RUN(ga_sort(x));
    RUN(ga_argsort(x));
    RUN(ga_unique(x, .counts = &extra[0], .inverse = &extra[1]));
    RUN(ga_einsum("ij,kj->ik", (x, x)));
    RUN_INTO(ga_sum(x, 0, .out = out));
    RUN(ga_eval("x*x + 1", (x)));
    RUN_TEXT(ga_to_string(x));
    ga_free(mask);
    ga_free(out);
    ga_free(i);
    ga_free(x);
    ga_free(f);
}
