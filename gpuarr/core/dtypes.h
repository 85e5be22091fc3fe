/* ---- dtypes ------------------------------------------------------------------------------------------------------ */

static const char *const gi_dtype_names[] = { "none",
#define GI_ENTRY(TAG, tag, T, name) name,
                                              GI_EACH_DTYPE(GI_ENTRY)
#undef GI_ENTRY
};
static const int gi_itemsizes[] = { 0,
#define GI_ENTRY(TAG, tag, T, name) (int)sizeof(T),
                                    GI_EACH_DTYPE(GI_ENTRY)
#undef GI_ENTRY
};

/* Are there arrays of this dtype in this build? False with an error. */
static bool gi_dtype_is_stamped(const char *site, ga_dtype dtype)
{
#ifdef GPUARR_FEW_DTYPES
    switch (dtype) {
#define GI_CASE(TAG, tag, T, name) case GA_##TAG:
        GI_EACH_STAMPED(GI_CASE)
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
