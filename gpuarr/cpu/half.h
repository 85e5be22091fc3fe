/* ---- conversions of float16 and bfloat16 --------------------------------------------------------------------------- */
#if GI_ISA_BYTES < 64 /* they wait for memory: the widest registers would gain little */
#define GI_HALF_LOOP(TO, to, T, FROM, from, F)                                                                                 \
    static void GI_FIND(gi_half_##to##_##from)(int64_t n, void *out, const void *x)                                            \
    {                                                                                                                          \
        GI_VECTORIZE                                                                                                           \
        for (int64_t i = 0; i < n; i++) ((T *)out)[i] = gi_cast_##to##_##from(((const F *)x)[i]);                              \
    }
GI_EACH_HALF_CAST(GI_HALF_LOOP)
#undef GI_HALF_LOOP
static gi_cast_kernel GI_FIND(gi_half)(ga_dtype to, ga_dtype from)
{
#define GI_CASE(TO, to_, T, FROM, from_, F)                                                                                    \
    if (to == GA_##TO && from == GA_##FROM) return GI_FIND(gi_half_##to_##_##from_);
    GI_EACH_HALF_CAST(GI_CASE)
#undef GI_CASE
    return NULL;
}
#else
static gi_cast_kernel GI_FIND(gi_half)(ga_dtype to, ga_dtype from) { return GI_LOWER(half)(to, from); }
#endif
