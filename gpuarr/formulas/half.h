/* ---- float16 and bfloat16: as bits of an integer, rounded to the nearest, of two the even one ------------------------ */
/*  Without branches, so that loops vectorise, and with what every processor rounds alike.                                */

GI_FORMULA float gi_cast_f32_f16(uint16_t h)
{
    const uint32_t sign = (uint32_t)(h & 0x8000u) << 16, bits = (uint32_t)(h & 0x7fffu) << 13;
    const uint32_t tiny = gi_bits_f32(gi_from_bits_f32(bits + 0x38800000u) - 0x1p-14f); /* 2**-14 * (1 + fraction) - 2**-14 */
    const uint32_t rest = bits + gi_pick_u32(bits >= 0x0f800000u, 0x70000000u, 0x38000000u); /* not finite; normal */
    return gi_from_bits_f32(sign | gi_pick_u32(bits < 0x00800000u, tiny, rest));
}

GI_FORMULA float gi_cast_f32_bf16(uint16_t h) { return gi_from_bits_f32((uint32_t)h << 16); }

GI_FORMULA uint16_t gi_cast_f16_f32(float x)
{
    const uint32_t sign = gi_bits_f32(x) >> 16 & 0x8000u, bits = gi_bits_f32(x) & 0x7fffffffu;
    const uint32_t tiny = gi_bits_f32(gi_from_bits_f32(bits) + 0.5f) - 0x3f000000u; /* the last place of 0.5 is 2**-24 */
    const uint32_t rest = (bits - 0x38000000u + 0xfffu + (bits >> 13 & 1u)) >> 13;
    uint32_t       half = gi_pick_u32(bits < 0x38800000u, tiny, rest);
    half                = gi_pick_u32(bits >= 0x47800000u, 0x7c00u, half); /* 65536 and more */
    half                = gi_pick_u32(bits > 0x7f800000u, 0x7e00u, half);
    return (uint16_t)(sign | half);
}

GI_FORMULA uint16_t gi_cast_bf16_f32(float x)
{
    const uint32_t bits = gi_bits_f32(x), nan = (bits & 0x7fffffffu) > 0x7f800000u;
    return (uint16_t)(gi_pick_u32(nan, bits | 0x00400000u, bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

/* Rounded to an odd last bit where it is not exact: what is rounded from there is as if it were rounded once. */
GI_FORMULA float gi_to_odd_f32(double x)
{
    const float    near = (float)x;
    const uint64_t sign = (uint64_t)1 << 63, there = gi_bits_f64((double)near) & ~sign, wanted = gi_bits_f64(x) & ~sign;
    const uint32_t even  = (uint32_t)(there != wanted && x == x) & ~gi_bits_f32(near);
    const uint32_t other = gi_bits_f32(near) + (there < wanted ? 1u : 0u - 1u);
    return gi_from_bits_f32(gi_pick_u32(even & 1u, other, gi_bits_f32(near)));
}

GI_FORMULA uint16_t gi_cast_f16_f64(double x) { return gi_cast_f16_f32(gi_to_odd_f32(x)); }
GI_FORMULA uint16_t gi_cast_bf16_f64(double x) { return gi_cast_bf16_f32(gi_to_odd_f32(x)); }

/* The next half after x towards y, of a format whose infinity has these bits; x where both are equal, as NumPy's of float16. */
GI_FORMULA uint16_t gi_next_half(uint16_t x, uint16_t y, uint32_t infinity)
{
    const uint32_t a = x & 0x7fffu, b = y & 0x7fffu, up = a < b && (x ^ y) < 0x8000u;
    if (a > infinity || b > infinity) return (uint16_t)(infinity | (infinity & (0u - infinity)) >> 1);
    if (x == y || (a | b) == 0) return x;
    return (uint16_t)(a == 0 ? (y & 0x8000u) + 1 : up ? x + 1u : x - 1u);
}
GI_FORMULA uint16_t gi_nextafter_f16(uint16_t x, uint16_t y) { return gi_next_half(x, y, 0x7c00); }
GI_FORMULA uint16_t gi_nextafter_bf16(uint16_t x, uint16_t y) { return gi_next_half(x, y, 0x7f80); }

/* How far the next half above is, as NumPy's of float16: positive, also where x is not. */
GI_FORMULA uint16_t gi_spacing_f16(uint16_t x)
{
    if ((x & 0x7fffu) >= 0x7c00) return 0x7e00;
    return gi_cast_f16_f32(gi_cast_f32_f16(gi_nextafter_f16(x, 0x7c00)) - gi_cast_f32_f16(x));
}
GI_FORMULA uint16_t gi_spacing_bf16(uint16_t x)
{
    if ((x & 0x7fffu) >= 0x7f80) return 0x7fc0;
    return gi_cast_bf16_f32(gi_cast_f32_bf16(gi_nextafter_bf16(x, 0x7f80)) - gi_cast_f32_bf16(x));
}

/* The conversions that have a loop, and a kernel: to, and from. All others are two steps, by gi_half_way. */
#define GI_EACH_HALF_CAST(X)                                                                                                   \
    X(F32, f32, float, F16, f16, uint16_t)                                                                                     \
    X(F32, f32, float, BF16, bf16, uint16_t)                                                                                   \
    X(F16, f16, uint16_t, F32, f32, float)                                                                                     \
    X(BF16, bf16, uint16_t, F32, f32, float)                                                                                   \
    X(F16, f16, uint16_t, F64, f64, double)                                                                                    \
    X(BF16, bf16, uint16_t, F64, f64, double)
