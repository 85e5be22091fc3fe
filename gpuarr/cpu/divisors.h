/* ---- greatest common divisors, least common multiples, of 32 and 64 bits ------------------------------------------------------ */
#if GI_ISA_BYTES == 64
/*  Without a division (J. Stein, Journal of Computational Physics 1, 1967): the greatest common divisor of two odd numbers is that of the
    smaller one and the odd part of their difference. A lane that has it, has 0 and it, and keeps them.   */
#if GI_OPTIMIZED
#define GI_DIVISOR_STEP GI_INLINE
#else
#define GI_DIVISOR_STEP GI_OWN_FRAME
#endif
enum { GI_DIVISOR_VECTORS = 4 }; /* at once: each step waits for the one before */

/* Of each lane v the least bit that is set, 2^c, as a float's exponent: c - 1 and a multiple of the lane's bits; of 0 it is 0. */
static GI_DIVISOR_STEP __m512i GI_FIND(gi_least_bit)(const int size, __m512i v)
{
    if (size == 4) {
        const __m512i least = _mm512_and_si512(v, _mm512_sub_epi32(_mm512_setzero_si512(), v));
        return _mm512_srli_epi32(_mm512_castps_si512(_mm512_cvtepu32_ps(least)), 23);
    }
    const __m512i least = _mm512_and_si512(v, _mm512_sub_epi64(_mm512_setzero_si512(), v));
    return _mm512_srli_epi64(_mm512_castpd_si512(_mm512_cvtepu64_pd(least)), 52);
}

/* v / 2^c and v 2^c, without a rest and without overflow, by what gi_least_bit returns */
static GI_DIVISOR_STEP __m512i GI_FIND(gi_less_twos)(const int size, __m512i v, __m512i twos)
{
    return size == 4 ? _mm512_rorv_epi32(_mm512_ror_epi32(v, 1), twos) : _mm512_rorv_epi64(_mm512_ror_epi64(v, 1), twos);
}

static GI_DIVISOR_STEP __m512i GI_FIND(gi_more_twos)(const int size, __m512i v, __m512i twos)
{
    return size == 4 ? _mm512_rolv_epi32(_mm512_rol_epi32(v, 1), twos) : _mm512_rolv_epi64(_mm512_rol_epi64(v, 1), twos);
}

static GI_DIVISOR_STEP __m512i GI_FIND(gi_times)(const int size, __m512i a, __m512i b)
{
    return size == 4 ? _mm512_mullo_epi32(a, b) : _mm512_mullo_epi64(a, b);
}

/* 1 / v modulo 2^32 or 2^64, of an odd v: 3 v ^ 2 has 5 bits of it, and each step of Newton doubles them. */
static GI_DIVISOR_STEP __m512i GI_FIND(gi_inverse)(const int size, __m512i v)
{
    const __m512i two = size == 4 ? _mm512_set1_epi32(2) : _mm512_set1_epi64(2);
    const __m512i v3  = size == 4 ? _mm512_add_epi32(v, _mm512_add_epi32(v, v)) : _mm512_add_epi64(v, _mm512_add_epi64(v, v));
    __m512i       u   = _mm512_xor_si512(v3, two);
    GI_UNROLL
    for (int bits = 5; bits < 8 * size; bits *= 2) {
        const __m512i product = GI_FIND(gi_times)(size, u, v);
        u = GI_FIND(gi_times)(size, u, size == 4 ? _mm512_sub_epi32(two, product) : _mm512_sub_epi64(two, product));
    }
    return u;
}

/* Of some elements their sizes, which an unsigned type holds; 0 in the other lanes. */
static GI_DIVISOR_STEP __m512i GI_FIND(gi_sizes)(const int size, const bool negative, __mmask64 some, const char *x)
{
    const __m512i v = _mm512_maskz_loadu_epi8(some, x);
    return !negative ? v : size == 4 ? _mm512_abs_epi32(v) : _mm512_abs_epi64(v);
}

/* a and b, odd or 0: their greatest common divisor is in b, and a is 0. */
static GI_INLINE void GI_FIND(gi_common_divisors)(const int size, __m512i *a, __m512i *b)
{
    __m512i left;
    do {
        left = _mm512_setzero_si512();
        GI_UNROLL
        for (int k = 0; k < GI_DIVISOR_VECTORS; k++) {
            const __m512i least = size == 4 ? _mm512_min_epu32(a[k], b[k]) : _mm512_min_epu64(a[k], b[k]);
            const __m512i most  = size == 4 ? _mm512_max_epu32(a[k], b[k]) : _mm512_max_epu64(a[k], b[k]);
            const __m512i more  = size == 4 ? _mm512_sub_epi32(most, least) : _mm512_sub_epi64(most, least);
            a[k]                = least;
            b[k]                = GI_FIND(gi_less_twos)(size, more, GI_FIND(gi_least_bit)(size, more));
            left                = _mm512_or_si512(left, least);
        }
    } while (_mm512_test_epi64_mask(left, left));
}

/* negative: the elements may be. multiple: the least common multiples instead, |x| / divisor |y|, which wrap. */
static GI_INLINE void GI_FIND(gi_divisors)(const int size, const bool negative, const bool multiple, int64_t n, void *o,
                                           const void *x_, const void *y_)
{
    const int64_t bytes = n * size;
    for (int64_t start = 0; start < bytes; start += 64 * GI_DIVISOR_VECTORS) {
        const char *x = (const char *)x_ + start, *y = (const char *)y_ + start;
        __m512i     a[GI_DIVISOR_VECTORS], b[GI_DIVISOR_VECTORS], twos[GI_DIVISOR_VECTORS];
        __mmask64   some[GI_DIVISOR_VECTORS];
        GI_UNROLL
        for (int k = 0; k < GI_DIVISOR_VECTORS; k++) {
            const int64_t rest = bytes - start - 64 * k;
            some[k]            = GI_FIND(gi_first_bytes)(rest > 0 ? rest : 0);
            a[k]               = GI_FIND(gi_sizes)(size, negative, some[k], x + 64 * k);
            b[k]               = GI_FIND(gi_sizes)(size, negative, some[k], y + 64 * k);
            twos[k]            = GI_FIND(gi_least_bit)(size, _mm512_or_si512(a[k], b[k]));
            a[k]               = GI_FIND(gi_less_twos)(size, a[k], GI_FIND(gi_least_bit)(size, a[k]));
            b[k]               = GI_FIND(gi_less_twos)(size, b[k], GI_FIND(gi_least_bit)(size, b[k]));
        }
        GI_FIND(gi_common_divisors)(size, a, b);
        GI_UNROLL
        for (int k = 0; k < GI_DIVISOR_VECTORS; k++) {
            __m512i result = GI_FIND(gi_more_twos)(size, b[k], twos[k]);
            if (multiple) { /* a quotient without a rest is a product with the inverse */
                const __m512i some_x = GI_FIND(gi_sizes)(size, negative, some[k], x + 64 * k);
                const __m512i part   = GI_FIND(gi_less_twos)(size, some_x, twos[k]);
                const __m512i factor = GI_FIND(gi_times)(size, part, GI_FIND(gi_inverse)(size, b[k]));
                result               = GI_FIND(gi_times)(size, factor, GI_FIND(gi_sizes)(size, negative, some[k], y + 64 * k));
            }
            _mm512_mask_storeu_epi8((char *)o + start + 64 * k, some[k], result);
        }
    }
}

/* Of a dtype: the bytes of an element, and whether it may be negative. */
#define GI_EACH_DIVISOR(X) X(I32, i32, 4, true) X(U32, u32, 4, false) X(I64, i64, 8, true) X(U64, u64, 8, false)
#define GI_DIVISOR_KERNEL(name, tag, ...)                                                                                      \
    static void GI_FIND(gi_kernel_##name##_##tag)(int64_t n, void *out, const void *x, const void *y, const void *z)           \
    {                                                                                                                          \
        (void)z;                                                                                                               \
        GI_FIND(gi_divisors)(__VA_ARGS__, n, out, x, y);                                                                       \
    }
#define GI_DIVISOR(TAG, tag, size, negative)                                                                                   \
    GI_DIVISOR_KERNEL(gcd, tag, size, negative, false) GI_DIVISOR_KERNEL(lcm, tag, size, negative, true)
GI_EACH_DIVISOR(GI_DIVISOR)
#undef GI_DIVISOR
#undef GI_DIVISOR_KERNEL

/* Puts these into what has been found for a row. */
static GI_INLINE void GI_FIND(gi_divisors_of)(ga_op op, ga_dtype dtype, gi_kernel *kernel)
{
#define GI_DIVISOR(TAG, tag, size, negative)                                                                                   \
    case GI_OP_OF(GA_OP_gcd, GA_##TAG): *kernel = GI_FIND(gi_kernel_gcd_##tag); break;                                         \
    case GI_OP_OF(GA_OP_lcm, GA_##TAG): *kernel = GI_FIND(gi_kernel_lcm_##tag); break;
    switch (GI_OP_OF(op, dtype)) {
        GI_EACH_DIVISOR(GI_DIVISOR)
    default: break;
    }
#undef GI_DIVISOR
}
#undef GI_EACH_DIVISOR
#undef GI_DIVISOR_STEP
#else
static GI_INLINE void GI_FIND(gi_divisors_of)(ga_op op, ga_dtype dtype, gi_kernel *kernel)
{
    (void)op, (void)dtype, (void)kernel;
}
#endif
