/* ---- numbers as operands ------------------------------------------------------------------------------------------- */

static inline ga_dtype gi_number_dtype(ga_arg v)
{
    switch (v.kind) {
    case GA_KIND_BOOL: return GA_BOOL;
    case GA_KIND_INT: return GA_I64;
    case GA_KIND_UINT: return GA_U64;
    case GA_KIND_COMPLEX: return v.single ? GA_C64 : GA_C128;
    default: return v.single ? GA_F32 : GA_F64;
    }
}

/* Can the number be an element of this dtype? Only integers can fail: 300 is no uint8. */
static __attribute__((unused)) bool gi_number_fits(ga_arg v, ga_dtype dtype)
{
    if (!gi_is_int(dtype)) return true;
    if (v.kind == GA_KIND_UINT) return dtype == GA_U64;
    if (v.kind != GA_KIND_INT) return true;
    switch (dtype) {
#define GI_CASE(TAG, tag, T, name)                                                                                             \
    case GA_##TAG: return gi_cast_##tag##_i64(v.i) == (T)v.i && (int64_t)(T)v.i == v.i && (v.i >= 0 || gi_is_signed(dtype));
        GI_EACH_INT(GI_CASE)
#undef GI_CASE
    default: return true;
    }
}

/* Writes the number as one element of the dtype. */
static __attribute__((unused)) void gi_number_to(ga_arg v, ga_dtype dtype, void *element)
{
    ga_c128 z;
    z.re           = v.re;
    z.im           = v.im;
    uint64_t large = (uint64_t)v.i;
    switch (dtype) {
#define GI_CASE(TAG, tag, T, name)                                                                                             \
    case GA_##TAG: {                                                                                                           \
        T e = v.kind == GA_KIND_REAL      ? gi_cast_##tag##_f64(v.re)                                                          \
              : v.kind == GA_KIND_COMPLEX ? gi_cast_##tag##_c128(z)                                                            \
              : v.kind == GA_KIND_UINT    ? gi_cast_##tag##_u64(large)                                                         \
                                          : gi_cast_##tag##_i64(v.i);                                                             \
        memcpy(element, &e, sizeof e);                                                                                         \
        break;                                                                                                                 \
    }
        GI_EACH_DTYPE(GI_CASE)
#undef GI_CASE
    case GA_F16:
    case GA_BF16: {
        gi_number_to(v, GA_F64, &z.re);
        const uint16_t e = dtype == GA_F16 ? gi_cast_f16_f64(z.re) : gi_cast_bf16_f64(z.re);
        memcpy(element, &e, sizeof e);
        break;
    }
    default: break;
    }
}
