/* ==== >>cuda sorting ====================================================================================================== */
/*  Elements become unsigned keys whose order is theirs. Lines that fit a block's shared memory are sorted there. Longer ones are sorted
    together by a stable radix sort of keys and numbers, the least important key first and that of the line last; one long line of
    real numbers by its keys alone. */

/* ---- keys ---------------------------------------------------------------------------------------------------------------- */

typedef enum gi_key_rule {
    GI_KEYS_UNSIGNED,
    GI_KEYS_TRUTH, /* bool: what is not 0 is 1 */
    GI_KEYS_SIGNED,
    GI_KEYS_FLOAT,    /* both zeros are equal, and all NaNs, the last */
    GI_KEYS_ORDER,    /* floats, but -0 comes before 0 */
    GI_KEYS_C64,      /* of complex numbers, see gi_order_complex: those with a NaN have the two greatest ... */
    GI_KEYS_C128_LOW, /* ... high halves, or high keys. Sort by the low one first */
    GI_KEYS_C128_HIGH,
    GI_KEYS_LINE /* the number of the line */
} gi_key_rule;

typedef struct gi_cuda_keys {
    gi_key_rule rule;
    int         size, bits; /* bytes of an element; bits of its key */
    int64_t     length;     /* of a line */
} gi_cuda_keys;

static gi_cuda_keys gi_cuda_keys_of(ga_dtype dtype, bool order)
{
    gi_cuda_keys k = { GI_KEYS_UNSIGNED, (int)ga_itemsize(dtype), 8 * (int)ga_itemsize(dtype), 1 };
    if (gi_is_signed(dtype)) k.rule = GI_KEYS_SIGNED;
    if (gi_is_float(dtype)) k.rule = order ? GI_KEYS_ORDER : GI_KEYS_FLOAT;
    if (dtype == GA_BOOL) {
        k.rule = GI_KEYS_TRUTH;
        k.bits = 1;
    }
    if (dtype == GA_C64) k.rule = GI_KEYS_C64;
    if (dtype == GA_C128) {
        k.rule = GI_KEYS_C128_HIGH;
        k.bits = 64;
    }
    return k;
}

GI_DEVICE void gi_cuda_key_at(gi_cuda_keys k, const char *p, uint32_t &key)
{
    const uint32_t sign = 0x80000000u;
    uint32_t       bits = k.size == 1 ? *(const uint8_t *)p : k.size == 2 ? *(const uint16_t *)p : *(const uint32_t *)p;
    switch (k.rule) {
    case GI_KEYS_TRUTH: key = bits != 0; break;
    case GI_KEYS_SIGNED: key = bits ^ (1u << (8 * k.size - 1)); break;
    case GI_KEYS_FLOAT: key = gi_key_f32(bits); break;
    case GI_KEYS_ORDER: key = (bits & ~sign) > 0x7f800000u ? UINT32_MAX : bits & sign ? ~bits : bits | sign; break;
    default: key = bits;
    }
}

GI_DEVICE void gi_cuda_key_at(gi_cuda_keys k, const char *p, uint64_t &key)
{
    const uint64_t sign = (uint64_t)1 << 63, nan = UINT64_MAX;
    if (k.size < 8) {
        uint32_t narrow;
        gi_cuda_key_at(k, p, narrow);
        key = narrow;
        return;
    }
    uint64_t bits = *(const uint64_t *)p, other;
    switch (k.rule) {
    case GI_KEYS_SIGNED: key = bits ^ sign; break;
    case GI_KEYS_FLOAT: key = gi_key_f64(bits); break;
    case GI_KEYS_ORDER: key = (bits & ~sign) > 0x7ff0000000000000u ? nan : bits & sign ? ~bits : bits | sign; break;
    case GI_KEYS_C64: {
        uint32_t re = gi_key_f32((uint32_t)bits), im = gi_key_f32((uint32_t)(bits >> 32));
        bool     only_im = im == UINT32_MAX && re != UINT32_MAX;
        key              = only_im ? (uint64_t)(UINT32_MAX - 1) << 32 | re : (uint64_t)re << 32 | im;
        break;
    }
    case GI_KEYS_C128_LOW:
    case GI_KEYS_C128_HIGH: {
        uint64_t re  = gi_key_f64(bits);
        other        = gi_key_f64(*(const uint64_t *)(p + 8));
        bool only_im = other == nan && re != nan;
        if (k.rule == GI_KEYS_C128_LOW) key = only_im ? re : other;
        else key = only_im ? nan - 1 : re;
        break;
    }
    default: key = bits;
    }
}

/* Is it the key of a NaN, or the high one of a complex number with a NaN? */
GI_DEVICE bool gi_cuda_is_nan_key(gi_cuda_keys k, uint64_t key)
{
    switch (k.rule) {
    case GI_KEYS_FLOAT: return key == (k.size == 4 ? UINT32_MAX : UINT64_MAX);
    case GI_KEYS_C64: return key >= (uint64_t)(UINT32_MAX - 1) << 32;
    case GI_KEYS_C128_HIGH: return key >= UINT64_MAX - 1;
    default: return false;
    }
}

/* Are two elements equal, as ga_unique sees them? NaNs are if it says so. */
GI_DEVICE bool gi_cuda_same_element(gi_cuda_keys k, bool equal_nan, const char *p, const char *q)
{
    uint64_t a, b;
    gi_cuda_key_at(k, p, a);
    gi_cuda_key_at(k, q, b);
    if (gi_cuda_is_nan_key(k, a)) return equal_nan && gi_cuda_is_nan_key(k, b);
    if (k.rule != GI_KEYS_C128_HIGH || a != b) return a == b;
    k.rule = GI_KEYS_C128_LOW;
    gi_cuda_key_at(k, p, a);
    gi_cuda_key_at(k, q, b);
    return a == b;
}

/* Writes the element of a key of a real dtype: any NaN, and 0 for both zeros, by GI_KEYS_FLOAT. */
GI_DEVICE void gi_cuda_element_of(gi_cuda_keys k, uint32_t key, char *p)
{
    if (k.rule == GI_KEYS_SIGNED) key ^= 1u << (8 * k.size - 1);
    if (k.rule == GI_KEYS_FLOAT || k.rule == GI_KEYS_ORDER) key = gi_bits_of_key_f32(key);
    if (k.size == 1) *(uint8_t *)p = (uint8_t)key;
    else if (k.size == 2) *(uint16_t *)p = (uint16_t)key;
    else *(uint32_t *)p = key;
}

GI_DEVICE void gi_cuda_element_of(gi_cuda_keys k, uint64_t key, char *p)
{
    if (k.rule == GI_KEYS_SIGNED) key ^= (uint64_t)1 << 63;
    if (k.rule == GI_KEYS_FLOAT || k.rule == GI_KEYS_ORDER) key = gi_bits_of_key_f64(key);
    *(uint64_t *)p = key;
}

GI_DEVICE void gi_cuda_move(int size, char *to, const char *from)
{
    switch (size) {
    case 1: *to = *from; break;
    case 2: *(uint16_t *)to = *(const uint16_t *)from; break;
    case 4: *(uint32_t *)to = *(const uint32_t *)from; break;
    case 8: *(uint64_t *)to = *(const uint64_t *)from; break;
    default: *(gi_16_bytes *)to = *(const gi_16_bytes *)from;
    }
}
