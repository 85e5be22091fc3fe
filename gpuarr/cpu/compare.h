/* ---- which numbers are less, or equal: less, less_equal, equal and not_equal of two arrays --------------------------------- */
#if GI_ISA_BYTES == 64
typedef uint64_t (*gi_comparison)(__m512i x, __m512i y);

/* Up to 64 results, of elements of `size` bytes. */
static GI_INLINE void GI_FIND(gi_compare_some)(const int size, gi_comparison is, int64_t n, char *out, const char *x,
                                               const char *y)
{
    uint64_t bits = 0;
    for (int64_t k = 0; k < size && 64 * k < n * size; k++) {
        const __mmask64 some = GI_FIND(gi_first_bytes)(n * size - 64 * k);
        bits |= is(_mm512_maskz_loadu_epi8(some, x + 64 * k), _mm512_maskz_loadu_epi8(some, y + 64 * k)) << (64 / size * k);
    }
    _mm512_mask_storeu_epi8(out, GI_FIND(gi_first_bytes)(n), _mm512_maskz_set1_epi8(bits, 1));
}

static GI_INLINE void GI_FIND(gi_compare)(const int size, gi_comparison is, int64_t n, void *out_, const void *x_,
                                          const void *y_)
{
    char       *out = (char *)out_;
    const char *x = (const char *)x_, *y = (const char *)y_;
    /* From here on whole lines are written, or, of wider elements, read. */
    int64_t i = n < 512 ? 0 : (int64_t)(-(uintptr_t)(size == 1 ? out : x) % 64) / size;
    if (i > 0) GI_FIND(gi_compare_some)(size, is, i, out, x, y);
    for (; i + 64 <= n; i += 64) {
        uint64_t bits = 0;
        GI_UNROLL
        for (int k = 0; k < size; k++)
            bits |= is(_mm512_loadu_si512(x + i * size + 64 * k), _mm512_loadu_si512(y + i * size + 64 * k)) << (64 / size * k);
        _mm512_storeu_si512(out + i, _mm512_maskz_set1_epi8(bits, 1));
    }
    if (i < n) GI_FIND(gi_compare_some)(size, is, n - i, out + i, x + i * size, y + i * size);
}

#define GI_EACH_REAL_COMPARED(X)                                                                                               \
    X(F32, f32, 32, ps)                                                                                                        \
    X(F64, f64, 64, pd)
#define GI_IS_INTEGER(name, how, tag, as)                                                                                      \
    static GI_INLINE uint64_t GI_FIND(gi_is_##name##_##tag)(__m512i x, __m512i y) { return _mm512_##how##_##as##_mask(x, y); }
#define GI_IS_REAL(name, when, tag, as)                                                                                        \
    static GI_INLINE uint64_t GI_FIND(gi_is_##name##_##tag)(__m512i x, __m512i y)                                              \
    {                                                                                                                          \
        return _mm512_cmp_##as##_mask(_mm512_castsi512_##as(x), _mm512_castsi512_##as(y), when);                               \
    }
#define GI_COMPARISON(name, tag, bits)                                                                                         \
    static void GI_FIND(gi_compare_##name##_##tag)(int64_t n, void *out, const void *x, const void *y, const void *z)          \
    {                                                                                                                          \
        (void)z;                                                                                                               \
        GI_FIND(gi_compare)(bits / 8, GI_FIND(gi_is_##name##_##tag), n, out, x, y);                                            \
    }
#define GI_COMPARISONS(TAG, tag, bits, as)                                                                                     \
    GI_COMPARISON(less, tag, bits)                                                                                             \
    GI_COMPARISON(less_equal, tag, bits)                                                                                       \
    GI_COMPARISON(equal, tag, bits)                                                                                            \
    GI_COMPARISON(not_equal, tag, bits)
#define GI_ARE_INTEGERS(TAG, tag, bits, as)                                                                                    \
    GI_IS_INTEGER(less, cmplt, tag, as)                                                                                        \
    GI_IS_INTEGER(less_equal, cmple, tag, as)                                                                                  \
    GI_IS_INTEGER(equal, cmpeq, tag, as)                                                                                       \
    GI_IS_INTEGER(not_equal, cmpneq, tag, as)
#define GI_ARE_REAL(TAG, tag, bits, as)                                                                                        \
    GI_IS_REAL(less, _CMP_LT_OQ, tag, as)                                                                                      \
    GI_IS_REAL(less_equal, _CMP_LE_OQ, tag, as)                                                                                \
    GI_IS_REAL(equal, _CMP_EQ_OQ, tag, as)                                                                                     \
    GI_IS_REAL(not_equal, _CMP_NEQ_UQ, tag, as)
GI_EACH_WHOLE(GI_ARE_INTEGERS)
GI_EACH_REAL_COMPARED(GI_ARE_REAL)
GI_EACH_WHOLE(GI_COMPARISONS)
GI_EACH_REAL_COMPARED(GI_COMPARISONS)
#undef GI_COMPARISONS
#undef GI_COMPARISON
#undef GI_ARE_INTEGERS
#undef GI_ARE_REAL
#undef GI_IS_INTEGER
#undef GI_IS_REAL

/* Puts these into what has been found for a row. */
static GI_INLINE void GI_FIND(gi_comparisons)(ga_op op, ga_dtype dtype, gi_kernel *kernel)
{
#define GI_COMPARISONS(TAG, tag, bits, as)                                                                                     \
    case GI_OP_OF(GA_OP_less, GA_##TAG): *kernel = GI_FIND(gi_compare_less_##tag); break;                                      \
    case GI_OP_OF(GA_OP_less_equal, GA_##TAG): *kernel = GI_FIND(gi_compare_less_equal_##tag); break;                          \
    case GI_OP_OF(GA_OP_equal, GA_##TAG): *kernel = GI_FIND(gi_compare_equal_##tag); break;                                    \
    case GI_OP_OF(GA_OP_not_equal, GA_##TAG): *kernel = GI_FIND(gi_compare_not_equal_##tag); break;
    switch (GI_OP_OF(op, dtype)) {
        GI_EACH_WHOLE(GI_COMPARISONS)
        GI_EACH_REAL_COMPARED(GI_COMPARISONS)
    default: break;
    }
#undef GI_COMPARISONS
}
#undef GI_EACH_REAL_COMPARED
#else
static GI_INLINE void GI_FIND(gi_comparisons)(ga_op op, ga_dtype dtype, gi_kernel *kernel)
{
    (void)op, (void)dtype, (void)kernel;
}
#endif
