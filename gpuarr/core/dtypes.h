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

static bool gi_is_dtype(ga_dtype d) { return d > GA_DTYPE_DEFAULT && d < GA_DTYPE_COUNT; }
static bool gi_is_int(ga_dtype d) { return d >= GA_I8 && d <= GA_U64; }
static bool gi_is_signed(ga_dtype d) { return d == GA_I8 || d == GA_I16 || d == GA_I32 || d == GA_I64; }
static bool gi_is_unsigned(ga_dtype d) { return d == GA_U8 || d == GA_U16 || d == GA_U32 || d == GA_U64; }
static bool gi_is_float(ga_dtype d) { return d == GA_F32 || d == GA_F64; }
static bool gi_is_complex(ga_dtype d) { return d == GA_C64 || d == GA_C128; }
/* Are there arrays of this dtype in this build? False with an error. */
static bool gi_is_stamped(const char *site, ga_dtype dtype)
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
/* The dtype of the real part. */
static ga_dtype gi_real_dtype(ga_dtype d) { return d == GA_C64 ? GA_F32 : d == GA_C128 ? GA_F64 : d; }

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

/* bool 0, integers 1, floats 2, complex 3: a result may be written into an array of the same kind or a later one. */
static int  gi_kind_of(ga_dtype d) { return d == GA_BOOL ? 0 : gi_is_int(d) ? 1 : gi_is_float(d) ? 2 : 3; }
static bool gi_same_kind(ga_dtype from, ga_dtype to)
{
    if (gi_is_signed(from) && gi_is_unsigned(to)) return false; /* as NumPy's same_kind */
    return gi_kind_of(from) <= gi_kind_of(to);
}
