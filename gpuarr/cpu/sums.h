/* ---- a block of 1024 packed elements of float32 or float64 into its sum: the same tree as gi_rows_ and gi_halve_ (fold.h) make ---- */
#if GI_ISA_BYTES == 64
/* Eight elements at p as float64. */
static GI_INLINE __m512d GI_FIND(gi_sum_load)(const char *p, const int size)
{
    return size == 8 ? _mm512_loadu_pd((const double *)(const void *)p)
                     : _mm512_cvtps_pd(_mm256_loadu_ps((const float *)(const void *)p));
}

/* Where asked, what lies six eighths ahead is fetched bit by bit, so that memory is never idle. */
static GI_INLINE void GI_FIND(gi_sum_block)(void *acc, const char *x, bool fetch, const int size)
{
    __m512d   v[16];
    const int eighth = 128 * size;
    GI_UNROLL
    for (int i = 0; i < 16; i++) {
        __m512d row[8];
        for (int b = 0; fetch && b < 64 * size; b += 64) __builtin_prefetch(x + 6 * eighth + 64 * size * i + b);
        GI_UNROLL
        for (int k = 0; k < 8; k++) row[k] = GI_FIND(gi_sum_load)(x + k * eighth + 8 * size * i, size);
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
    const __m256d four = _mm256_add_pd(_mm512_castpd512_pd256(*v), _mm512_extractf64x4_pd(*v, 1));
    const __m128d two  = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
    _mm_store_sd((double *)acc, _mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}
static void GI_FIND(gi_sum_block_f32)(void *acc, const void *x, bool fetch)
{
    GI_FIND(gi_sum_block)(acc, (const char *)x, fetch, 4);
}
static void GI_FIND(gi_sum_block_f64)(void *acc, const void *x, bool fetch)
{
    GI_FIND(gi_sum_block)(acc, (const char *)x, fetch, 8);
}

/* Puts these into what has been found for a row. */
static GI_INLINE void GI_FIND(gi_sums)(ga_op op, ga_dtype dtype, gi_fold *fold)
{
    if (op != GA_OP_sum && op != GA_OP_mean) return;
    if (dtype == GA_F32) fold->block = GI_FIND(gi_sum_block_f32);
    if (dtype == GA_F64) fold->block = GI_FIND(gi_sum_block_f64);
}
#else
static GI_INLINE void GI_FIND(gi_sums)(ga_op op, ga_dtype dtype, gi_fold *fold) { (void)op, (void)dtype, (void)fold; }
#endif
