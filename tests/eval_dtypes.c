/* A program of one file that evaluates formulas: they have the dtypes of GPUARR_EVAL_DTYPES, and say so of others. */
#define GPUARR_STATIC
#define GPUARR_EVAL_DTYPES GA_BOOL, GA_I16, GA_F64
#define GPUARR_IMPLEMENTATION
#include "test.h"
#include "gpuarr.h"

int main(void)
{
    test_begin();
    ga_scope {
        ga_array *x = ga_arange(0, 10, 1, .dtype = GA_F64), *i16 = ga_astype(x, GA_I16), *f32 = ga_astype(x, GA_F32),
                 *i32 = ga_astype(x, GA_I32);
        CHECK(test_same_bits(ga_eval("where(x > 2, sqrt(x) + i16, -x)", (x, i16)),
                             ga_where(ga_greater(x, 2), ga_add(ga_sqrt(x), i16), ga_negative(x))));
        CHECK(ga_item(ga_eval("sum(i16 * 2)", (i16))) == 90 && ga_eval("i16 * 2", (i16))->dtype == GA_I16);
        CHECK_FAILS(ga_eval("f32 + 1", (f32)), "compiled without float32");
        CHECK_FAILS(ga_eval("x + i32", (x, i32)), "compiled without int32");
        CHECK_FAILS(ga_eval("sqrt(i16)", (i16)), "compiled without float32"); /* what it would be computed in */
        CHECK_FAILS(ga_eval("uint8(x) + 1", (x)), "GPUARR_EVAL_DTYPES");
        CHECK_FAILS(ga_eval("-(x > 2)", (x)), "ga_negative of bool is computed in int8");
        CHECK_FAILS(ga_eval("sin(x > 2)", (x)), "ga_sin of bool is computed in float32");
        CHECK(ga_item(ga_eval("argmin(-i16)", (i16))) == 9 && ga_item(ga_eval("argmax(x > 3)", (x))) == 4);
        CHECK(ga_item(ga_eval("nanargmax(where(x > 7, nan, x))", (x))) == 7 &&
              ga_item(ga_eval("nanargmin(i16 - 3)", (i16))) == 0);
        CHECK_FAILS(ga_eval("nanargmin(x * nan)", (x)), "nothing but NaN");
        CHECK_FAILS(ga_eval("argmin(float32(x))", (x)), "compiled without float32");
        CHECK_FAILS(ga_eval("sum(float32(x))", (x)), "compiled without float32");
        CHECK(test_same_bits(ga_eval("(i16 - 4) ** i16", (i16)), ga_power(ga_subtract(i16, 4), i16)));
        CHECK_FAILS(ga_eval("i16 ** (i16 - 1)", (i16)), "integers to negative integer powers");
        CHECK(ga_item(ga_eval("median(i16) + percentile(x, 50) + var(x > 4)", (i16, x))) == 9.25);
        CHECK(ga_item(ga_eval("mean(i16, where=i16 > 7)", (i16))) == 8.5 &&
              ga_item(ga_eval("var(i16, where=x > 7) + std(x, where=x < 2)", (i16, x))) == 0.75);
        ga_array *z = ga_chunked(ga_multiply(f32, ga_complex(0, 1.25)), 3);
        CHECK(ga_array_equal(ga_round(z, 0), ga_multiply(ga_round(ga_multiply(f32, 1.25), 0), ga_complex(0, 1))));
        CHECK(ga_item_at(ga_add(f32, 1), 2) == 3); /* calls have all */
    }
    CHECK(ga_memory_stats().arrays == 0);
    return test_end();
}
