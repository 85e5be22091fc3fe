/* ---- dtypes ------------------------------------------------------------------------------------------------------ */

static const char *const gi_dtype_names[] = { "none",
#define GI_ENTRY(TAG, tag, T, name) name,
                                              GI_EACH_DTYPE(GI_ENTRY) GI_EACH_HALF(GI_ENTRY)
#undef GI_ENTRY
};
static const int gi_itemsizes[] = { 0,
#define GI_ENTRY(TAG, tag, T, name) (int)sizeof(T),
                                    GI_EACH_DTYPE(GI_ENTRY) GI_EACH_HALF(GI_ENTRY)
#undef GI_ENTRY
};

#ifdef GPUARR_STATIC
/* The dtypes for which every row is compiled in a program that calls ga_eval, as bits. */
#ifndef GPUARR_EVAL_DTYPES
#define GPUARR_EVAL_DTYPES GA_BOOL, GA_U8, GA_I32, GA_I64, GA_F32, GA_F64
#endif
#define GI_DTYPE_BIT(dtype) ((int)(dtype) > 0 ? 1 << ((int)(dtype)&31) : 0)
#define GI_DTYPE_BITS_(a, b, c, d, e, f, g, h, i, j, k, l, m, ...)                                                             \
    (GI_DTYPE_BIT(a) | GI_DTYPE_BIT(b) | GI_DTYPE_BIT(c) | GI_DTYPE_BIT(d) | GI_DTYPE_BIT(e) | GI_DTYPE_BIT(f) |               \
     GI_DTYPE_BIT(g) | GI_DTYPE_BIT(h) | GI_DTYPE_BIT(i) | GI_DTYPE_BIT(j) | GI_DTYPE_BIT(k) | GI_DTYPE_BIT(l) |               \
     GI_DTYPE_BIT(m))
#define GI_DTYPE_BITS(...) GI_DTYPE_BITS_(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
enum { GI_FORMULA_DTYPES = GI_DTYPE_BITS(GPUARR_EVAL_DTYPES) | 1 << GA_BOOL }; /* comparisons make bool */
#endif

/* Are there arrays of this dtype in this build? False with an error. */
static bool gi_dtype_is_stamped(const char *site, ga_dtype dtype)
{
#ifdef GPUARR_FEW_DTYPES
    switch (dtype) {
#define GI_CASE(TAG, tag, T, name) case GA_##TAG:
        GI_EACH_STAMPED(GI_CASE)
        GI_EACH_HALF(GI_CASE)
#undef GI_CASE
        return true;
    default:
        gi_fail(site, GA_BAD_DTYPE, "%s does not exist in this build: compile without GPUARR_FEW_DTYPES",
                gi_dtype_names[dtype]);
        return false;
    }
#else
    return (void)site, (void)dtype, true;
#endif
}

/* Is it a dtype at all? False with an error. */
static bool gi_dtype_check(const char *site, ga_dtype dtype)
{
    return gi_is_dtype(dtype) || gi_fail(site, GA_BAD_DTYPE, "%d is not a dtype: use GA_F64, GA_I32 ...", (int)dtype) != NULL;
}

const char *ga_dtype_name(ga_dtype d) { return gi_is_dtype(d) ? gi_dtype_names[d] : "?"; }
int64_t     ga_itemsize(ga_dtype d) { return gi_is_dtype(d) ? gi_itemsizes[d] : 0; }

ga_dtype ga_promote(ga_dtype a, ga_dtype b)
{
    if (!gi_is_dtype(a) || !gi_is_dtype(b)) return GA_DTYPE_DEFAULT;
    if (a > b) { /* bool, then integers by size, floats, complex */
        ga_dtype t = a;
        a          = b;
        b          = t;
    }
    if (a == b || a == GA_BOOL) return b;
    if (gi_is_half(b)) return a == GA_I8 || a == GA_U8 ? b : ga_promote(gi_dtype_computed(a), GA_F32); /* holds all of a byte */
    if (gi_is_int(b)) {
        if (gi_is_signed(a) == gi_is_signed(b)) return b; /* same signedness: the larger one comes later */
        ga_dtype s = gi_is_signed(a) ? a : b, u = gi_is_signed(a) ? b : a;
        if (ga_itemsize(s) > ga_itemsize(u)) return s;
        switch (u) {
        case GA_U8: return GA_I16;
        case GA_U16: return GA_I32;
        case GA_U32: return GA_I64;
        default: return GA_F64;
        }
    }
    bool wide = gi_is_int(a) ? ga_itemsize(a) >= 4 : a == GA_F64 || a == GA_C128; /* does a need 53 bits? */
    if (b == GA_F32) return wide ? GA_F64 : GA_F32;
    if (b == GA_C64) return wide ? GA_C128 : GA_C64;
    return b;
}

bool ga_can_cast(ga_dtype from, ga_dtype to) { return gi_is_dtype(from) && ga_promote(from, to) == to; }
