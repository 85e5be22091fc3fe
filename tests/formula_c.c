/* What ga_formula_c prints, compiled: the bits are those of ga_eval. Without GENERATED it prints the kernels, and checks the errors. */
#include "formula_c.h"
#ifdef GENERATED
#define GPUARR_KERNELS
#endif
#include "test.h"
#ifdef GENERATED
#include GENERATED
#endif

#ifndef GENERATED
static void print(const char *name, const char *formula, const char *parameters)
{
    char *source = ga_formula_c(name, formula, parameters);
    CHECK(source);
    if (source) fputs(source, stdout);
    free(source);
}
#define PRINT(name, formula, parameters, ...) print(#name, formula, parameters);

static void test_errors(void)
{
    CHECK_FAILS(ga_formula_c("a b", "x", "float x"), "no name that a kernel may have");
    CHECK_FAILS(ga_formula_c("", "x", "float x"), "no name");
    CHECK_FAILS(ga_formula_c("f", "x", "float"), "the parameters are \"float\"");
    CHECK_FAILS(ga_formula_c("f", "x", "ga_c128 x"), "float x, int n");
    CHECK_FAILS(ga_formula_c("f", NULL, "float x"), "NULL");
    CHECK_FAILS(ga_formula_c("f", "x + z", "float x"), "z");
    CHECK_FAILS(ga_formula_c("f", "x - mean(x)", "float x"), "only what is elementwise");
    CHECK_FAILS(ga_formula_c("f", "float32(float16(x))", "float x"), "only what is elementwise");
    CHECK_FAILS(ga_formula_c("f", "sum(x, axis=0)", "float x"), "of everything");
    CHECK_FAILS(ga_formula_c("f", "median(x)", "float x"), "only what is elementwise");
    CHECK_FAILS(ga_formula_c("f", "1 + round(x, 2)", "float x"), "rint(x * 100) / 100");
    CHECK_FAILS(ga_formula_c("f", "std(x)", "float x"), "of everything");
    CHECK_FAILS(ga_formula_c("f", "x[1:]", "float x"), "only what is elementwise");
    CHECK_FAILS(ga_formula_c("f", "int32(x)", "float x"), "real numbers to integers");
    CHECK_FAILS(ga_formula_c("f", "x << 2", "int x"), "no form in C");
    CHECK_FAILS(ga_formula_c("f", "x * 2j", "float x"), "kernel makes arrays");
    CHECK_FAILS(ga_formula_c("f", "1 + 2", "float x"), "kernel makes arrays");
    CHECK_FAILS(ga_formula_c("int", "x", "float x"), "no name that a kernel may have");
    CHECK_FAILS(ga_formula_c("f", "x", "float x,"), "a name of its own");
    CHECK_FAILS(ga_formula_c("f", "x", "float x, int x"), "a name of its own");
    CHECK_FAILS(ga_formula_c("f", "x", "float 1x"), "a name of its own");
    CHECK_FAILS(ga_formula_c("f", "x", "float x, float while"), "a name of its own");
    /* however deep it is nested, on a small stack */
    char deep[1000] = "x", named[1000];
    for (int k = 0; k < 90; k++) {
        memmove(deep + 4, deep, strlen(deep) + 1);
        memcpy(deep, "-(2+", 4);
        strcat(deep, ")");
    }
    char *source = ga_formula_c("deep", deep, "double x");
    CHECK(source);
    free(source);
    CHECK_FAILS(ga_formula_c("f", strcat(strcpy(named, "sum("), strcat(deep, ")")), "double x"), "nested too deep");
}
#else
static int  wrong;
static void compare(const char *name, ga_array *by_kernel, ga_array *by_formula)
{
    if (by_kernel && by_formula && test_same_bits(by_kernel, by_formula)) return;
    printf("%s differs%s%s\n", name, ga_error() ? ": " : "", ga_error() ? ga_error() : "");
    wrong++;
}
#define COMPARE_MAP(name, formula, parameters, ...)                                                                            \
    compare(#name, ga_apply(name, (__VA_ARGS__)), ga_eval(formula, (__VA_ARGS__)));
#define COMPARE_FOLD(name, formula, parameters, ...)                                                                           \
    compare(#name, ga_reduce(name, (__VA_ARGS__)), ga_eval(formula, (__VA_ARGS__)));
#endif

int main(void)
{
#ifndef GENERATED
    MAPS(PRINT)
    FOLDS(PRINT)
    test_errors();
    return test_failed > 0;
#else
    test_begin();
    ga_scope {
        ga_array *d = ga_subtract(ga_multiply(ga_random((7, 301), .seed = 1), 40), 11), *e = ga_random((7, 301), .seed = 2);
        ga_array *f = ga_astype(d, GA_F32), *g = ga_astype(e, GA_F32), *i = ga_astype(d, GA_I32),
                 *b = ga_astype(ga_absolute(d), GA_U8);
        ga_array *l = ga_multiply(ga_astype(d, GA_I64), 1000000007), *m = ga_less(d, 3), *t1 = e, *t2 = d, *t3 = f;
        MAPS(COMPARE_MAP)
        FOLDS(COMPARE_FOLD)
    }
    CHECK(wrong == 0);
    return test_end();
#endif
}
