/* ---- sums of 1 to 1024 packed elements of float32 or float64, or of products of two: the same tree as gi_rows_ and gi_halve_ (fold.h) make */
#if GI_ISA_BYTES == 64
#if GI_OPTIMIZED
#define GI_SUM_STEP GI_INLINE
#else
#define GI_SUM_STEP GI_OWN_FRAME
#endif
/* Eight elements at x as float64; times those at y, if any. */
static GI_INLINE __m512d GI_FIND(gi_sum_load)(const char *x, const char *y, const int size)
{
    const __m512d v = size == 8 ? _mm512_loadu_pd((const double *)(const void *)x)
                                : _mm512_cvtps_pd(_mm256_loadu_ps((const float *)(const void *)x));
    return y ? _mm512_mul_pd(v, GI_FIND(gi_sum_load)(y, NULL, size)) : v;
}

/* The same of some of eight elements, and -0 for the others, which changes no sum. */
static GI_INLINE __m512d GI_FIND(gi_sum_load_some)(__mmask8 some, const char *x, const char *y, const int size)
{
    const __m512d none = _mm512_set1_pd(-0.0);
    const __m512d v =
        size == 8 ? _mm512_mask_loadu_pd(none, some, x) : _mm512_mask_cvtps_pd(none, some, _mm256_maskz_loadu_ps(some, x));
    if (!y) return v;
    const __m512d w = size == 8 ? _mm512_maskz_loadu_pd(some, y) : _mm512_cvtps_pd(_mm256_maskz_loadu_ps(some, y));
    return _mm512_mask_mul_pd(v, some, v, w);
}

static GI_INLINE double GI_FIND(gi_sum_lanes)(__m512d v)
{
    const __m256d four = _mm256_add_pd(_mm512_castpd512_pd256(v), _mm512_extractf64x4_pd(v, 1));
    const __m128d two  = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
    return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}

/* Fetches 64 elements that lie so many bytes ahead, into the first cache; and others, if asked, into the second one. */
static GI_INLINE void GI_FIND(gi_sum_fetch)(const char *x, const char *y, const int ahead, const int farther, const int size)
{
    for (int b = 0; b < 64 * size; b += 64) {
        __builtin_prefetch(x + ahead + b);
        if (y) __builtin_prefetch(y + ahead + b);
        if (farther) __builtin_prefetch(x + farther + b, 0, 2);
        if (farther && y) __builtin_prefetch(y + farther + b, 0, 2);
    }
}

/* Of 1024. Where asked, what lies ahead is fetched bit by bit, so that memory is never idle. The distances were measured: most others are slower. */
static GI_SUM_STEP double GI_FIND(gi_sum_block)(const char *x, const char *y, int fetch, const int size)
{
    __m512d   v[16];
    const int eighth = 128 * size, ahead = size == 4 ? 8192 : 6144, farther = size == 4 ? 10240 : 9216;
    GI_UNROLL
    for (int i = 0; i < 16; i++) {
        __m512d   row[8];
        const int at = 64 * size * i;
        if (fetch == GI_FETCH_NEXT) GI_FIND(gi_sum_fetch)(x + at, y ? y + at : NULL, 6 * eighth, 0, size);
        else if (fetch) GI_FIND(gi_sum_fetch)(x + at, y ? y + at : NULL, ahead, farther, size);
        GI_UNROLL
        for (int k = 0; k < 8; k++) {
            const int from = k * eighth + 8 * size * i;
            row[k]         = GI_FIND(gi_sum_load)(x + from, y ? y + from : NULL, size);
        }
        GI_UNROLL
        for (int h = 4; h > 0; h /= 2) {
            GI_UNROLL
            for (int k = 0; k < h; k++) row[k] = _mm512_add_pd(row[k], row[k + h]);
        }
        v[i] = *row;
    }
    GI_UNROLL
    for (int h = 8; h > 0; h /= 2) {
        GI_UNROLL
        for (int i = 0; i < h; i++) v[i] = _mm512_add_pd(v[i], v[i + h]);
    }
    return GI_FIND(gi_sum_lanes)(*v);
}

/* sums[i]: of eight elements each of eight rows, `whole` of which are whole, one may be short, and the others are missing. */
static GI_SUM_STEP void GI_FIND(gi_sum_groups)(const int whole, int64_t n, int64_t groups, const char *x, const char *y,
                                               const int size, __m512d *sums)
{
    const __m512d none = _mm512_set1_pd(-0.0);
    __m512i       left = _mm512_sub_epi64(_mm512_set1_epi64(n - 8 * whole * groups), _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));
    for (int64_t i = 0; i < groups; i++) {
        const __mmask8 some = _mm512_cmpgt_epi64_mask(left, _mm512_setzero_si512());
        __m512d        part[8];
        GI_UNROLL
        for (int k = 0; k < 8; k++) {
            const int64_t at = (k * groups + i) * 8 * size;
            part[k]          = k < whole    ? GI_FIND(gi_sum_load)(x + at, y ? y + at : NULL, size)
                               : k == whole ? GI_FIND(gi_sum_load_some)(some, x + at, y ? y + at : NULL, size)
                                            : none;
        }
        GI_UNROLL
        for (int h = 4; h > 0; h /= 2) {
            GI_UNROLL
            for (int k = 0; k < h; k++)
                if (k + h <= whole) part[k] = _mm512_add_pd(part[k], part[k + h]);
        }
        sums[i] = *part;
        left    = _mm512_sub_epi64(left, _mm512_set1_epi64(8));
    }
}

/* Of fewer: n elements in eight rows. */
static GI_SUM_STEP double GI_FIND(gi_sum_some)(int64_t n, const char *x, const char *y, int fetch, const int size)
{
    const int64_t groups =
        n <= 64 ? 1 : 1 << (58 - __builtin_clzll((unsigned long long)n - 1)); /* of eight elements, in a row */
    __m512d v[16];
    for (int64_t b = 0; fetch && b < n * size; b += 64) {
        __builtin_prefetch(x + b + GI_LINES_AHEAD);
        if (y) __builtin_prefetch(y + b + GI_LINES_AHEAD);
    }
    switch ((n - 1) / (8 * groups)) {
    case 0: GI_FIND(gi_sum_groups)(0, n, 1, x, y, size, v); break;
    case 1: GI_FIND(gi_sum_groups)(1, n, 1, x, y, size, v); break;
    case 2: GI_FIND(gi_sum_groups)(2, n, 1, x, y, size, v); break;
    case 3: GI_FIND(gi_sum_groups)(3, n, 1, x, y, size, v); break;
    case 4: GI_FIND(gi_sum_groups)(4, n, groups, x, y, size, v); break;
    case 5: GI_FIND(gi_sum_groups)(5, n, groups, x, y, size, v); break;
    case 6: GI_FIND(gi_sum_groups)(6, n, groups, x, y, size, v); break;
    default: GI_FIND(gi_sum_groups)(7, n, groups, x, y, size, v); break;
    }
    for (int64_t h = groups / 2; h > 0; h /= 2)
        for (int64_t i = 0; i < h; i++) v[i] = _mm512_add_pd(v[i], v[i + h]);
    return GI_FIND(gi_sum_lanes)(*v);
}

/* accs[i] and on: the sums of eight elements, or some of them, of `count` rows of float32, joined with those of steps that are open. */
static GI_SUM_STEP void GI_FIND(gi_sum_columns)(int64_t i, __mmask8 some, double *accs, const void *const *rows,
                                                const int count, const void *const *open, const int steps)
{
    __m512d part[8];
    GI_UNROLL
    for (int k = 0; k < count; k++) {
        const char *x = (const char *)rows[k] + i * 4;
        part[k]       = some == 255 ? GI_FIND(gi_sum_load)(x, NULL, 4) : GI_FIND(gi_sum_load_some)(some, x, NULL, 4);
    }
    GI_UNROLL
    for (int h = 4; h > 0; h /= 2) {
        GI_UNROLL
        for (int k = 0; k < h; k++)
            if (k + h < count) part[k] = _mm512_add_pd(part[k], part[k + h]);
    }
    for (int k = 0; k < steps; k++) *part = _mm512_add_pd(_mm512_maskz_loadu_pd(some, (const double *)open[k] + i), *part);
    if (some == 255) _mm512_storeu_pd(accs + i, *part);
    else _mm512_mask_storeu_pd(accs + i, some, *part);
}

/* accs[i]: the sum of elements i of `count` rows. (Compilers would turn each vector of float32 into two with a third one to take them apart.)
   What lies so many bytes ahead is fetched: past the end of a row, from the start of the one `next` bytes on; 0: nothing is. */
static GI_SUM_STEP void GI_FIND(gi_sum_rows)(int64_t n, double *accs, const void *const *rows, const int count, int64_t next,
                                             const void *const *open, const int steps)
{
    const int64_t ahead = 512;
    int64_t       i     = 0;
    for (; i + 16 <= n; i += 16) {
        const int64_t at = 4 * i + ahead, fetch = at < 4 * n ? at : next + at - 4 * n;
        for (int k = 0; next && k < count; k++) __builtin_prefetch((const char *)rows[k] + fetch);
        GI_FIND(gi_sum_columns)(i, 255, accs, rows, count, open, steps);
        GI_FIND(gi_sum_columns)(i + 8, 255, accs, rows, count, open, steps);
    }
    for (; i + 8 <= n; i += 8) GI_FIND(gi_sum_columns)(i, 255, accs, rows, count, open, steps);
    if (i < n) GI_FIND(gi_sum_columns)(i, (__mmask8)((1u << (n - i)) - 1), accs, rows, count, open, steps);
}

static void GI_FIND(gi_sum_rows_f32)(int64_t n, void *accs, const void *const *rows, int count)
{
    double *to = (double *)accs;
    switch (count) {
    case 1: GI_FIND(gi_sum_rows)(n, to, rows, 1, 0, NULL, 0); break;
    case 2: GI_FIND(gi_sum_rows)(n, to, rows, 2, 0, NULL, 0); break;
    case 3: GI_FIND(gi_sum_rows)(n, to, rows, 3, 0, NULL, 0); break;
    case 4: GI_FIND(gi_sum_rows)(n, to, rows, 4, 0, NULL, 0); break;
    case 5: GI_FIND(gi_sum_rows)(n, to, rows, 5, 0, NULL, 0); break;
    case 6: GI_FIND(gi_sum_rows)(n, to, rows, 6, 0, NULL, 0); break;
    case 7: GI_FIND(gi_sum_rows)(n, to, rows, 7, 0, NULL, 0); break;
    default: GI_FIND(gi_sum_rows)(n, to, rows, 8, 0, NULL, 0); break;
    }
}

/* Most often few steps are open. */
static void GI_FIND(gi_sum_rows_onto_f32)(int64_t n, void *accs, const void *const *rows, int64_t next, const void *const *open,
                                          int steps)
{
    double *to = (double *)accs;
    switch (steps) {
    case 0: GI_FIND(gi_sum_rows)(n, to, rows, 8, next, open, 0); break;
    case 1: GI_FIND(gi_sum_rows)(n, to, rows, 8, next, open, 1); break;
    case 2: GI_FIND(gi_sum_rows)(n, to, rows, 8, next, open, 2); break;
    default: GI_FIND(gi_sum_rows)(n, to, rows, 8, next, open, steps); break;
    }
}

#define GI_SUM_OF(tag, size)                                                                                                   \
    static void GI_FIND(gi_sum_block_##tag)(int64_t n, void *acc, const void *x, int fetch)                                    \
    {                                                                                                                          \
        const char  *p = (const char *)x;                                                                                      \
        const double sum =                                                                                                     \
            n == GI_BLOCK ? GI_FIND(gi_sum_block)(p, NULL, fetch, size) : GI_FIND(gi_sum_some)(n, p, NULL, fetch, size);       \
        memcpy(acc, &sum, sizeof sum);                                                                                         \
    }                                                                                                                          \
    static int64_t GI_FIND(gi_dot_block_##tag)(int64_t n, const void *x, const void *y, double *accs, int fetch)               \
    {                                                                                                                          \
        const char *p = (const char *)x, *q = (const char *)y;                                                                 \
        accs[0] = n == GI_BLOCK ? GI_FIND(gi_sum_block)(p, q, fetch, size) : GI_FIND(gi_sum_some)(n, p, q, fetch, size);       \
        return 1;                                                                                                              \
    }
GI_SUM_OF(f32, 4)
GI_SUM_OF(f64, 8)
#undef GI_SUM_OF

#undef GI_SUM_STEP

/* Puts these into what has been found for a row. */
static GI_INLINE void GI_FIND(gi_sums)(ga_op op, ga_dtype dtype, gi_fold *fold)
{
    if (op != GA_OP_sum && op != GA_OP_mean) return;
    if (dtype == GA_F32) {
        fold->block = GI_FIND(gi_sum_block_f32), fold->rows = GI_FIND(gi_sum_rows_f32);
        fold->rows_onto = GI_FIND(gi_sum_rows_onto_f32);
    }
    if (dtype == GA_F64) fold->block = GI_FIND(gi_sum_block_f64);
}
#else
static GI_INLINE void GI_FIND(gi_sums)(ga_op op, ga_dtype dtype, gi_fold *fold) { (void)op, (void)dtype, (void)fold; }
#endif
