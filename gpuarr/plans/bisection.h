/* ---- places in a sorted array --------------------------------------------------------------------------------------- */

/* For each needle: how many of n sorted elements are less (right: less or equal). All packed, of one real dtype. */
typedef struct gi_bisection {
    ga_dtype    dtype;
    bool        right;
    int64_t     n, count;
    const void *sorted, *needles;
    int64_t    *places;
} gi_bisection;

static inline gi_bisection gi_bisection_of(const ga_array *sorted, const ga_array *needles, bool right, ga_array *places)
{
    gi_bisection b;
    memset(&b, 0, sizeof b);
    b.dtype   = sorted->dtype;
    b.right   = right;
    b.n       = sorted->size;
    b.count   = needles->size;
    b.sorted  = sorted->data;
    b.needles = needles->data;
    b.places  = (int64_t *)places->data;
    return b;
}

GI_BEGIN_FAST
/* Element i as a number that orders like the elements, NaN last, as ga_sort. */
GI_FORMULA uint64_t gi_bisection_key(const ga_dtype dtype, const void *p, int64_t i)
{
    const uint64_t sign = (uint64_t)1 << 63;
    switch (dtype) {
    case GA_BOOL: return ((const uint8_t *)p)[i] != 0;
    case GA_I8: return (uint64_t)(int64_t)((const int8_t *)p)[i] ^ sign;
    case GA_U8: return ((const uint8_t *)p)[i];
    case GA_I16: return (uint64_t)(int64_t)((const int16_t *)p)[i] ^ sign;
    case GA_U16: return ((const uint16_t *)p)[i];
    case GA_I32: return (uint64_t)(int64_t)((const int32_t *)p)[i] ^ sign;
    case GA_U32: return ((const uint32_t *)p)[i];
    case GA_I64: return (uint64_t)((const int64_t *)p)[i] ^ sign;
    case GA_U64: return ((const uint64_t *)p)[i];
    case GA_F32: return gi_key_f32(gi_bits_f32(((const float *)p)[i]));
    default: return gi_key_f64(gi_bits_f64(((const double *)p)[i]));
    }
}

/* Does the element i of the sorted ones stand before a needle? */
GI_FORMULA bool gi_bisection_before(const ga_dtype dtype, const bool right, const void *sorted, int64_t i, uint64_t needle)
{
    const uint64_t key = gi_bisection_key(dtype, sorted, i);
    return right ? key <= needle : key < needle;
}
GI_END_FAST
