/* GPUARR_FEW_DTYPES: seven dtypes work as ever, the others are named in a sentence. Built with -DGPUARR_FEW_DTYPES, implementation too. */
#include "test.h"

static bool refused(ga_array *a, const char *dtype)
{
    char words[128];
    snprintf(words, sizeof words, "%s does not exist in this build: compile without GPUARR_FEW_DTYPES", dtype);
    bool ok = !a && ga_error_status() == GA_BAD_DTYPE && strstr(ga_error(), words);
    ga_clear_error();
    ga_free(a);
    return ok;
}

/* The result has this dtype and this first element. */
static bool gives(ga_array *a, ga_dtype dtype, double first)
{
    ga_array *flat = ga_ravel(a), *one = ga_index(flat, "0");
    bool      ok = a && a->dtype == dtype && ga_item(one) == first;
    ga_free(one);
    ga_free(flat);
    ga_free(a);
    return ok;
}

static void test_on(ga_device device)
{
    ga_scope {
        int16_t   shorts[3] = { 1, 2, 3 };
        ga_c128   number    = { 1, 2 };
        ga_array *b         = ga_ones((5), .dtype = GA_BOOL, .device = device),
                 *u         = ga_full((5), 200, .dtype = GA_U8, .device = device);
        ga_array *i         = ga_full((5), -3, .dtype = GA_I32, .device = device),
                 *f         = ga_full((5), 2.5, .dtype = GA_F32, .device = device);
        ga_array *l = ga_full((5), 7, .dtype = GA_I64, .device = device), *d = ga_full((5), 0.5, .device = device);
        CHECK(b && u && i && f && l && d);
        CHECK(gives(ga_add(b, b), GA_BOOL, 1) && gives(ga_add(u, u), GA_U8, 144) && gives(ga_add(u, i), GA_I32, 197));
        CHECK(gives(ga_add(f, i), GA_F64, -0.5) && gives(ga_add(f, u), GA_F32, 202.5) && gives(ga_multiply(l, d), GA_F64, 3.5));
        CHECK(gives(ga_less(i, u), GA_BOOL, 1) && gives(ga_bitwise_and(u, 15), GA_U8, 8) && gives(ga_power(i, 3), GA_I32, -27));
        CHECK(gives(ga_sqrt(ga_square(l)), GA_F64, 7) && gives(ga_where(b, i, l), GA_I64, -3) &&
              gives(ga_isnan(u), GA_BOOL, 0));
        CHECK(gives(ga_sum(u), GA_U64, 1000) && gives(ga_sum(b), GA_I64, 5) && gives(ga_mean(u), GA_F64, 200));
        CHECK(gives(ga_max(f), GA_F32, 2.5) && gives(ga_std(i), GA_F64, 0) && gives(ga_cumsum(u), GA_U64, 200));
        CHECK(gives(ga_sort(u), GA_U8, 200) && gives(ga_argsort(b), GA_I64, 0) && gives(ga_unique(i), GA_I32, -3));
        CHECK(gives(ga_median(u), GA_F64, 200) && gives(ga_label(b), GA_I32, 1) && gives(ga_nonzero(u), GA_I64, 0));
        CHECK(gives(ga_histogram(f, 3), GA_I64, 0) && gives(ga_bincount(u), GA_I64, 0) &&
              gives(ga_take(f, l, .mode = GA_TAKE_CLIP), GA_F32, 2.5));
        CHECK(gives(ga_astype(f, GA_U8), GA_U8, 2) && gives(ga_astype(l, GA_U64), GA_U64, 7) &&
              gives(ga_astype(u, GA_BOOL), GA_BOOL, 1));
        CHECK(gives(ga_matmul(u, i), GA_I32, -3000) && gives(ga_einsum("i,j->ij", (u, u)), GA_U8, 64) &&
              gives(ga_dot(f, f), GA_F32, 31.25));
        CHECK(gives(ga_index(ga_matmul(ga_broadcast_to(u, (5, 5)), u), "0"), GA_U8, 64) && gives(ga_inner(b, b), GA_BOOL, 1));
        CHECK(gives(ga_sigma_clip(d, .rule = GA_CLIP_ASTROPY), GA_F64, 0.5) && gives(ga_isclose(f, i), GA_BOOL, 0) &&
              gives(ga_pad(u, (1)), GA_U8, 0));
        ga_array *h = ga_full((5), 1.5, .dtype = GA_F16, .device = device);
        CHECK(gives(ga_add(h, 0.25), GA_F16, 1.75) && gives(ga_add(h, u), GA_F16, 201.5) &&
              gives(ga_multiply(h, i), GA_F64, -4.5));
        CHECK(gives(ga_astype(h, GA_I64), GA_I64, 1) && gives(ga_astype(l, GA_BF16), GA_BF16, 7) &&
              gives(ga_sum(h), GA_F16, 7.5));
        CHECK(refused(ga_zeros((3), .dtype = GA_I16, .device = device), "int16") && refused(ga_astype(f, GA_C64), "complex64"));
        CHECK(refused(ga_multiply(f, number), "complex64") && refused(ga_negative(b), "int8") &&
              refused(ga_view_as(u, GA_I8), "int8"));
        CHECK(refused(ga_wrap(shorts, (3)), "int16") && refused(ga_from(shorts, (3), .device = device), "int16"));
        CHECK(ga_bitwise_and(f, f) == NULL && strstr(ga_error(), "does not exist for float32"));
        ga_clear_error();
    }
}

int main(void)
{
    ga_set_error_handler(ga_ignore_error, NULL);
    test_on(GA_CPU);
    if (ga_cuda_count() > 0) test_on(GA_CUDA);
    CHECK(ga_memory_stats().arrays == 0);
    return test_end();
}
