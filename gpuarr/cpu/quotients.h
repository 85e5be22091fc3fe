/* ---- quotients and remainders of int32 and int64 by a number above 1, rounded down ------------------------------------------- */
#if GI_ISA_BYTES == 64
/*  As in divide.h, but u, which is x or ~x, has no sign bit: with p, 31 or 63, and 2^l, the least power of two that is not below the number d,
    the factor 2^(p + l) / d, rounded up, fits into a word of p + 1 bits, and u times that, shifted right by p + l, is the quotient (its
    complement, where x is negative). */
typedef struct gi_divisor {
    uint64_t factor;
    int      more; /* bits by which the upper half of the product is shifted */
    int64_t  by;
} gi_divisor;

#if GI_OPTIMIZED
#define GI_DIVIDE_STEP GI_INLINE
#else
#define GI_DIVIDE_STEP GI_OWN_FRAME
#endif

static gi_divisor GI_FIND(gi_divisor)(int bits, int64_t by)
{
    const int     length = 64 - __builtin_clzll((unsigned long long)by - 1);
    gi_double_i64 power  = (gi_double_i64)1 << (bits - 1 + length);
    gi_divisor    d      = { (uint64_t)((power + (uint64_t)by - 1) / (uint64_t)by), length - 1, by };
    return d;
}

static GI_DIVIDE_STEP __m512i GI_FIND(gi_divide_i32)(const bool rest, __m512i v, const gi_divisor *d)
{
    const __m512i odd_ones = _mm512_setr_epi32(1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31);
    const __m512i factor = _mm512_set1_epi32((int)(uint32_t)d->factor), sign = _mm512_srai_epi32(v, 31);
    const __m512i u = _mm512_xor_si512(v, sign), even = _mm512_mul_epu32(u, factor);
    const __m512i odd  = _mm512_mul_epu32(_mm512_srli_epi64(u, 32), factor),
                  high = _mm512_permutex2var_epi32(even, odd_ones, odd);
    const __m512i q    = _mm512_xor_si512(_mm512_srlv_epi32(high, _mm512_set1_epi32(d->more)), sign);
    return rest ? _mm512_sub_epi32(v, _mm512_mullo_epi32(q, _mm512_set1_epi32((int)d->by))) : q;
}

static GI_DIVIDE_STEP __m512i GI_FIND(gi_divide_i64)(const bool rest, __m512i v, const gi_divisor *d)
{
    const __m512i f = _mm512_set1_epi64((long long)d->factor), f1 = _mm512_srli_epi64(f, 32),
                  lower = _mm512_set1_epi64(0xFFFFFFFF);
    const __m512i sign = _mm512_srai_epi64(v, 63), u = _mm512_xor_si512(v, sign), u1 = _mm512_srli_epi64(u, 32);
    const __m512i a    = _mm512_add_epi64(_mm512_mul_epu32(u1, f), _mm512_srli_epi64(_mm512_mul_epu32(u, f), 32));
    const __m512i b    = _mm512_add_epi64(_mm512_mul_epu32(u, f1), _mm512_and_si512(a, lower));
    const __m512i more = _mm512_add_epi64(_mm512_srli_epi64(a, 32), _mm512_srli_epi64(b, 32));
    const __m512i high = _mm512_add_epi64(_mm512_mul_epu32(u1, f1), more);
    const __m512i q    = _mm512_xor_si512(_mm512_srlv_epi64(high, _mm512_set1_epi64(d->more)), sign);
    return rest ? _mm512_sub_epi64(v, _mm512_mullo_epi64(q, _mm512_set1_epi64(d->by))) : q;
}

static GI_DIVIDE_STEP __m512i GI_FIND(gi_divide_words)(const int size, const bool rest, __m512i v, const gi_divisor *d)
{
    return size == 4 ? GI_FIND(gi_divide_i32)(rest, v, d) : GI_FIND(gi_divide_i64)(rest, v, d);
}

/* The quotients, or remainders; false, and nothing is written: y is not one number above 1 again and again. */
static GI_INLINE bool GI_FIND(gi_divides)(const int size, const bool rest, int64_t n, void *o, const void *x, const void *y)
{
    const int64_t bytes = n * size, whole = bytes & -64;
    if (whole == 0) return false;
    const int64_t   by    = size == 4 ? *(const int32_t *)y : *(const int64_t *)y;
    const __mmask64 some  = GI_FIND(gi_first_bytes)(bytes - whole);
    const __m512i   first = size == 4 ? _mm512_set1_epi32((int)by) : _mm512_set1_epi64(by);
    if (by < 2) return false;
    __m512i differ = _mm512_setzero_si512();
    for (int64_t at = 0; at < whole; at += 64)
        differ = _mm512_or_si512(differ, _mm512_xor_si512(_mm512_loadu_si512((const char *)y + at), first));
    differ = _mm512_or_si512(differ, _mm512_xor_si512(_mm512_mask_loadu_epi8(first, some, (const char *)y + whole), first));
    if (_mm512_test_epi64_mask(differ, differ)) return false;
    const gi_divisor d = GI_FIND(gi_divisor)(8 * size, by);
    for (int64_t at = 0; at < whole; at += 64)
        _mm512_storeu_si512((char *)o + at, GI_FIND(gi_divide_words)(size, rest, _mm512_loadu_si512((const char *)x + at), &d));
    const __m512i last = GI_FIND(gi_divide_words)(size, rest, _mm512_maskz_loadu_epi8(some, (const char *)x + whole), &d);
    _mm512_mask_storeu_epi8((char *)o + whole, some, last);
    return true;
}

/* Of a quotient of integers below 2^53 in size, rounded down: a float64 that is rounded is not an integer that the exact one is not. */
static GI_DIVIDE_STEP __m512i GI_FIND(gi_divide_floats)(const bool rest, __m512i v, __m512i by)
{
    const __mmask8 some = _mm512_test_epi64_mask(by, by);
    const __m512d  x = _mm512_cvtepi64_pd(v), y = _mm512_mask_cvtepi64_pd(_mm512_set1_pd(1), some, by);
    const __m512d  q = _mm512_roundscale_pd(_mm512_div_pd(x, y), _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
    return _mm512_maskz_cvtpd_epi64(some, rest ? _mm512_fnmadd_pd(q, y, x) : q); /* the rest is exact */
}

static GI_DIVIDE_STEP __m512i GI_FIND(gi_size_i64)(const bool negative, __m512i v)
{
    return negative ? _mm512_abs_epi64(v) : v;
}

/* The quotients, or remainders, of 64 bits; false, and nothing is written: they are computed otherwise, as where float64 does not hold
   each x and y. */
static GI_INLINE bool GI_FIND(gi_divides_floats)(const bool negative, const bool rest, int64_t n, void *out, const void *x_,
                                                 const void *y_)
{
    int64_t       *o = (int64_t *)out;
    const int64_t *x = (const int64_t *)x_, *y = (const int64_t *)y_;
    if (!negative && !rest && n > 0 && y[0] == y[n - 1]) return false; /* by a number; the lower set has that, and is quicker */
    const int64_t  whole  = n & -8;
    const __mmask8 some   = (__mmask8)((1 << (n - whole)) - 1);
    __m512i        last_x = _mm512_maskz_loadu_epi64(some, x + whole), last_y = _mm512_maskz_loadu_epi64(some, y + whole);
    __m512i        most = _mm512_or_si512(GI_FIND(gi_size_i64)(negative, last_x), GI_FIND(gi_size_i64)(negative, last_y));
    for (int64_t i = 0; i < whole; i += 8) {
        most = _mm512_or_si512(GI_FIND(gi_size_i64)(negative, _mm512_loadu_si512(x + i)), most);
        most = _mm512_or_si512(GI_FIND(gi_size_i64)(negative, _mm512_loadu_si512(y + i)), most);
    }
    if (_mm512_test_epi64_mask(most, _mm512_set1_epi64(-((int64_t)1 << 53)))) return false;
    for (int64_t i = 0; i < whole; i += 8)
        _mm512_storeu_si512(o + i, GI_FIND(gi_divide_floats)(rest, _mm512_loadu_si512(x + i), _mm512_loadu_si512(y + i)));
    _mm512_mask_storeu_epi64(o + whole, some, GI_FIND(gi_divide_floats)(rest, last_x, last_y));
    return true;
}

/* Of uint8 by a number above 1, as in divide.h: the higher half of a product of 16 bits. */
static GI_DIVIDE_STEP __m512i GI_FIND(gi_divide_bytes)(__m512i v, __m512i factor)
{
    const __m512i upper = _mm512_set1_epi16((short)0xFF00);
    const __m512i even  = _mm512_mulhi_epu16(_mm512_andnot_si512(upper, v), factor);
    const __m512i odd   = _mm512_mulhi_epu16(_mm512_and_si512(upper, v), factor);
    return _mm512_ternarylogic_epi64(upper, odd, even, 0xCA); /* odd where `upper` is set, else even */
}

/* The quotients; false, and nothing is written: y is not one number above 1 again and again. */
static GI_INLINE bool GI_FIND(gi_divides_bytes)(int64_t n, void *o, const void *x, const void *y)
{
    const int64_t   whole = n & -64;
    const unsigned  by    = *(const uint8_t *)y;
    const __mmask64 some  = GI_FIND(gi_first_bytes)(n - whole);
    const __m512i   first = _mm512_set1_epi8((char)by);
    if (whole == 0 || by < 2) return false;
    __m512i differ = _mm512_xor_si512(_mm512_mask_loadu_epi8(first, some, (const char *)y + whole), first);
    for (int64_t i = 0; i < whole; i += 64)
        differ = _mm512_or_si512(differ, _mm512_xor_si512(_mm512_loadu_si512((const char *)y + i), first));
    if (_mm512_test_epi64_mask(differ, differ)) return false;
    const __m512i factor = _mm512_set1_epi16((short)(65535 / by + 1));
    for (int64_t i = 0; i < whole; i += 64)
        _mm512_storeu_si512((char *)o + i, GI_FIND(gi_divide_bytes)(_mm512_loadu_si512((const char *)x + i), factor));
    const __m512i last = _mm512_maskz_loadu_epi8(some, (const char *)x + whole);
    _mm512_mask_storeu_epi8((char *)o + whole, some, GI_FIND(gi_divide_bytes)(last, factor));
    return true;
}

/* Of a row and a dtype: the bytes of an element, whether it may be negative, and whether the row is the remainder. */
#define GI_EACH_DIVISION(X)                                                                                                    \
    X(floor_divide, U8, u8, 1, false, false)                                                                                   \
    X(floor_divide, I32, i32, 4, true, false)                                                                                  \
    X(floor_divide, I64, i64, 8, true, false)                                                                                  \
    X(floor_divide, U64, u64, 8, false, false)                                                                                 \
    X(remainder, I32, i32, 4, true, true)                                                                                      \
    X(remainder, I64, i64, 8, true, true)                                                                                      \
    X(remainder, U64, u64, 8, false, true)

#if GPUARR_PART == GPUARR_ALL
#define GI_LOWER_KERNEL(name, TAG, tag, ...) GI_JOIN(gi_kernel_##name##_##tag##_, GI_ISA_LOWER)(__VA_ARGS__);
#else
#define GI_LOWER_KERNEL(name, TAG, tag, ...)                                                                                   \
    gi_kernel lower = NULL;                                                                                                    \
    gi_fold   none;                                                                                                            \
    if (GI_LOWER(find)(GA_OP_##name, GA_##TAG, &lower, &none)) lower(__VA_ARGS__);
#endif
#define GI_DIVISION(name, TAG, tag, size, negative, rest)                                                                      \
    static void GI_FIND(gi_kernel_##name##_##tag)(int64_t n, void *out, const void *x, const void *y, const void *z)           \
    {                                                                                                                          \
        if (negative && GI_FIND(gi_divides)(size, rest, n, out, x, y)) return;                                                 \
        if (size == 1 && GI_FIND(gi_divides_bytes)(n, out, x, y)) return;                                                      \
        if (size == 8 && GI_FIND(gi_divides_floats)(negative, rest, n, out, x, y)) return;                                     \
        GI_LOWER_KERNEL(name, TAG, tag, n, out, x, y, z)                                                                       \
    }
GI_EACH_DIVISION(GI_DIVISION)
#undef GI_DIVISION
#undef GI_LOWER_KERNEL

/* Puts these into what has been found for a row. */
static GI_INLINE void GI_FIND(gi_divisions)(ga_op op, ga_dtype dtype, gi_kernel *kernel)
{
#define GI_DIVISION(name, TAG, tag, size, negative, rest)                                                                      \
    case GI_OP_OF(GA_OP_##name, GA_##TAG): *kernel = GI_FIND(gi_kernel_##name##_##tag); break;
    switch (GI_OP_OF(op, dtype)) {
        GI_EACH_DIVISION(GI_DIVISION)
    default: break;
    }
#undef GI_DIVISION
}
#undef GI_EACH_DIVISION
#undef GI_DIVIDE_STEP
#else
static GI_INLINE void GI_FIND(gi_divisions)(ga_op op, ga_dtype dtype, gi_kernel *kernel)
{
    (void)op, (void)dtype, (void)kernel;
}
#endif
