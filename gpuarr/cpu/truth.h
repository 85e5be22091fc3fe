/* ---- which elements are not zero: conversions to bool, and their folds ----------------------------------------------------- */
#if GI_ISA_BYTES == 64
/* Bit i: element i of the first n of 64 is not zero. A float is zero if nothing remains without its sign; NaN is not. */
static GI_INLINE uint64_t GI_FIND(gi_truth_64)(const char *x, int64_t n, int size, bool real)
{
    uint64_t bits = 0;
    for (int k = 0; k < size && 64 * k < n * size; k++) {
        const int64_t left = n * size - 64 * k; /* bytes */
        const __m512i v =
            left >= 64 ? _mm512_loadu_si512(x + 64 * k) : _mm512_maskz_loadu_epi8(UINT64_MAX >> (64 - left), x + 64 * k);
        uint64_t is;
        if (size == 1) is = _mm512_test_epi8_mask(v, v);
        else if (size == 2) is = _mm512_test_epi16_mask(v, v);
        else if (size == 4) is = _mm512_test_epi32_mask(v, real ? _mm512_set1_epi32(INT32_MAX) : v);
        else is = _mm512_test_epi64_mask(v, real ? _mm512_set1_epi64(INT64_MAX) : v);
        bits |= is << 64 / size * k;
    }
    return bits;
}

static GI_INLINE void GI_FIND(gi_truth_of)(int64_t n, void *out, const void *x, int size, bool real)
{
    char       *to = (char *)out;
    const char *in = (const char *)x;
    int64_t     i  = 0;
    for (; i + 64 <= n; i += 64)
        _mm512_storeu_si512(to + i, _mm512_maskz_set1_epi8(GI_FIND(gi_truth_64)(in + i * size, 64, size, real), 1));
    if (i == n) return;
    const uint64_t bits = GI_FIND(gi_truth_64)(in + i * size, n - i, size, real);
    _mm512_mask_storeu_epi8(to + i, UINT64_MAX >> (64 - (n - i)), _mm512_maskz_set1_epi8(bits, 1));
}

static void GI_FIND(gi_truth_1)(int64_t n, void *out, const void *x) { GI_FIND(gi_truth_of)(n, out, x, 1, false); }
static void GI_FIND(gi_truth_2)(int64_t n, void *out, const void *x) { GI_FIND(gi_truth_of)(n, out, x, 2, false); }
static void GI_FIND(gi_truth_4)(int64_t n, void *out, const void *x) { GI_FIND(gi_truth_of)(n, out, x, 4, false); }
static void GI_FIND(gi_truth_8)(int64_t n, void *out, const void *x) { GI_FIND(gi_truth_of)(n, out, x, 8, false); }
static void GI_FIND(gi_truth_f32)(int64_t n, void *out, const void *x) { GI_FIND(gi_truth_of)(n, out, x, 4, true); }
static void GI_FIND(gi_truth_f64)(int64_t n, void *out, const void *x) { GI_FIND(gi_truth_of)(n, out, x, 8, true); }

/* The folds of ga_any over numbers as they are, without a conversion: bit by bit, and of ga_all what none is false makes of it. */
static GI_INLINE void GI_FIND(gi_truths_of)(int64_t n, void *accs, const void *const *rows, int count, int size, bool real,
                                            bool all)
{
    const uint64_t turn = all ? UINT64_MAX : 0;
    for (int64_t i = 0, now; i < n; i += now) {
        uint64_t bits = 0;
        now           = n - i < 64 ? n - i : 64;
        for (int k = 0; k < count; k++) {
            const char *x = (const char *)rows[k] + i * size;
            bits |= turn ^ (now == 64 ? GI_FIND(gi_truth_64)(x, 64, size, real) : GI_FIND(gi_truth_64)(x, now, size, real));
        }
        _mm512_mask_storeu_epi8((char *)accs + i, UINT64_MAX >> (64 - now), _mm512_maskz_set1_epi8(bits ^ turn, 1));
    }
}

#define GI_TRUTHS(kind, size, real)                                                                                            \
    static void GI_FIND(gi_any_##kind)(int64_t n, void *accs, const void *const *rows, int count)                              \
    {                                                                                                                          \
        GI_FIND(gi_truths_of)(n, accs, rows, count, size, real, false);                                                        \
    }                                                                                                                          \
    static void GI_FIND(gi_all_##kind)(int64_t n, void *accs, const void *const *rows, int count)                              \
    {                                                                                                                          \
        GI_FIND(gi_truths_of)(n, accs, rows, count, size, real, true);                                                         \
    }
GI_TRUTHS(2, 2, false)
GI_TRUTHS(4, 4, false)
GI_TRUTHS(8, 8, false)
GI_TRUTHS(f32, 4, true)
GI_TRUTHS(f64, 8, true)
#undef GI_TRUTHS

static gi_rows_loop GI_FIND(gi_truths)(ga_dtype from, bool all)
{
    switch (from) {
    case GA_I16:
    case GA_U16: return all ? GI_FIND(gi_all_2) : GI_FIND(gi_any_2);
    case GA_I32:
    case GA_U32: return all ? GI_FIND(gi_all_4) : GI_FIND(gi_any_4);
    case GA_I64:
    case GA_U64: return all ? GI_FIND(gi_all_8) : GI_FIND(gi_any_8);
    case GA_F32: return all ? GI_FIND(gi_all_f32) : GI_FIND(gi_any_f32);
    case GA_F64: return all ? GI_FIND(gi_all_f64) : GI_FIND(gi_any_f64);
    default: return NULL;
    }
}

/* The folds of a block of a line: of ga_any, ga_all and ga_count_nonzero. */
static GI_INLINE void GI_FIND(gi_truth_block)(ga_op op, int64_t n, void *acc, const void *elements, int fetch, int size,
                                              bool real)
{
    const char    *x     = (const char *)elements;
    const uint64_t turn  = op == GA_OP_all ? UINT64_MAX : 0;
    uint64_t       bits  = 0;
    int64_t        count = 0;
    int64_t        i = 0, now = (int64_t)(-(uintptr_t)x % 64) / size; /* first those before a line, if they are not all */
    if (n < 256) now = 0;
    while (i < n) {
        for (; now == 0 && i + 64 <= n; i += 64) {
            const uint64_t is = GI_FIND(gi_truth_64)(x + i * size, 64, size, real);
            for (int k = 0; k < size && fetch; k++) __builtin_prefetch(x + i * size + 64 * k + GI_LINES_AHEAD);
            bits |= is ^ turn;
            if (op == GA_OP_count_nonzero) count += __builtin_popcountll(is);
        }
        if (now == 0) now = n - i;
        if (now > 0) {
            const uint64_t is = GI_FIND(gi_truth_64)(x + i * size, now, size, real);
            bits |= (is ^ turn) & (UINT64_MAX >> (64 - now));
            if (op == GA_OP_count_nonzero) count += __builtin_popcountll(is);
        }
        i += now, now = 0;
    }
    if (op == GA_OP_count_nonzero) memcpy(acc, &count, sizeof count);
    else *(bool *)acc = (bits != 0) != (op == GA_OP_all);
}

#define GI_TRUTH_BLOCK(op, kind, size, real)                                                                                   \
    static void GI_FIND(gi_##op##_block_##kind)(int64_t n, void *acc, const void *x, int fetch)                                \
    {                                                                                                                          \
        GI_FIND(gi_truth_block)(GA_OP_##op, n, acc, x, fetch, size, real);                                                     \
    }
#define GI_TRUTH_BLOCKS(kind, size, real)                                                                                      \
    GI_TRUTH_BLOCK(any, kind, size, real)                                                                                      \
    GI_TRUTH_BLOCK(all, kind, size, real)                                                                                      \
    GI_TRUTH_BLOCK(count_nonzero, kind, size, real)                                                                            \
    static gi_block_loop GI_FIND(gi_blocks_##kind)(ga_op op)                                                                   \
    {                                                                                                                          \
        return op == GA_OP_any   ? GI_FIND(gi_any_block_##kind)                                                                \
               : op == GA_OP_all ? GI_FIND(gi_all_block_##kind)                                                                \
                                 : GI_FIND(gi_count_nonzero_block_##kind);                                                     \
    }
GI_TRUTH_BLOCKS(1, 1, false)
GI_TRUTH_BLOCKS(2, 2, false)
GI_TRUTH_BLOCKS(4, 4, false)
GI_TRUTH_BLOCKS(8, 8, false)
GI_TRUTH_BLOCKS(f32, 4, true)
GI_TRUTH_BLOCKS(f64, 8, true)
#undef GI_TRUTH_BLOCKS
#undef GI_TRUTH_BLOCK

static gi_block_loop GI_FIND(gi_truth_blocks)(ga_op op, ga_dtype from)
{
    switch (from) {
    case GA_BOOL:
    case GA_I8:
    case GA_U8: return GI_FIND(gi_blocks_1)(op);
    case GA_I16:
    case GA_U16: return GI_FIND(gi_blocks_2)(op);
    case GA_I32:
    case GA_U32: return GI_FIND(gi_blocks_4)(op);
    case GA_I64:
    case GA_U64: return GI_FIND(gi_blocks_8)(op);
    case GA_F32: return GI_FIND(gi_blocks_f32)(op);
    case GA_F64: return GI_FIND(gi_blocks_f64)(op);
    default: return NULL;
    }
}

static gi_cast_kernel GI_FIND(gi_truth)(ga_dtype from)
{
    switch (from) {
    case GA_I8:
    case GA_U8: return GI_FIND(gi_truth_1);
    case GA_I16:
    case GA_U16: return GI_FIND(gi_truth_2);
    case GA_I32:
    case GA_U32: return GI_FIND(gi_truth_4);
    case GA_I64:
    case GA_U64: return GI_FIND(gi_truth_8);
    case GA_F32: return GI_FIND(gi_truth_f32);
    case GA_F64: return GI_FIND(gi_truth_f64);
    default: return NULL;
    }
}
#else
static gi_cast_kernel GI_FIND(gi_truth)(ga_dtype from)
{
    (void)from;
    return NULL;
}
static gi_rows_loop GI_FIND(gi_truths)(ga_dtype from, bool all)
{
    (void)from, (void)all;
    return NULL;
}
static gi_block_loop GI_FIND(gi_truth_blocks)(ga_op op, ga_dtype from)
{
    (void)op, (void)from;
    return NULL;
}
#endif
