/* ==== products of small matrices ========================================================================================= */
/*  A row of b, and of the result, is one vector. Each element is one chain of fused products, as elsewhere. */
#if GI_ISA_BYTES == 64
enum { GI_FIND(GI_SMALL_ROWS) = 4 }; /* side by side */

static void GI_FIND(gi_small_f32)(const gi_small_product *p, char *out, const char *a, const char *b)
{
    const __mmask16 in = (__mmask16)((1u << p->columns) - 1);
    for (int64_t i = 0; i < p->rows; i += GI_FIND(GI_SMALL_ROWS)) {
        __m512      sum[GI_FIND(GI_SMALL_ROWS)];
        const char *row[GI_FIND(GI_SMALL_ROWS)];
        GI_UNROLL
        for (int r = 0; r < GI_FIND(GI_SMALL_ROWS); r++) {
            sum[r] = _mm512_set1_ps(-0.0f); /* which adds nothing */
            row[r] = a + (i + r < p->rows ? i + r : p->rows - 1) * p->a_row;
        }
        for (int64_t k = 0; k < p->inner; k++) {
            const __m512 y = _mm512_maskz_loadu_ps(in, b + k * p->b_row);
            GI_UNROLL
            for (int r = 0; r < GI_FIND(GI_SMALL_ROWS); r++)
                sum[r] = _mm512_fmadd_ps(_mm512_set1_ps(*(const float *)(const void *)(row[r] + k * p->a_column)), y, sum[r]);
        }
        GI_UNROLL
        for (int r = 0; r < GI_FIND(GI_SMALL_ROWS); r++)
            if (i + r < p->rows) _mm512_mask_storeu_ps(out + (i + r) * p->out_row, in, sum[r]);
    }
}

static void GI_FIND(gi_small_f64)(const gi_small_product *p, char *out, const char *a, const char *b)
{
    const __mmask8 in = (__mmask8)((1u << p->columns) - 1);
    for (int64_t i = 0; i < p->rows; i += GI_FIND(GI_SMALL_ROWS)) {
        __m512d     sum[GI_FIND(GI_SMALL_ROWS)];
        const char *row[GI_FIND(GI_SMALL_ROWS)];
        GI_UNROLL
        for (int r = 0; r < GI_FIND(GI_SMALL_ROWS); r++) {
            sum[r] = _mm512_set1_pd(-0.0); /* which adds nothing */
            row[r] = a + (i + r < p->rows ? i + r : p->rows - 1) * p->a_row;
        }
        for (int64_t k = 0; k < p->inner; k++) {
            const __m512d y = _mm512_maskz_loadu_pd(in, b + k * p->b_row);
            GI_UNROLL
            for (int r = 0; r < GI_FIND(GI_SMALL_ROWS); r++)
                sum[r] = _mm512_fmadd_pd(_mm512_set1_pd(*(const double *)(const void *)(row[r] + k * p->a_column)), y, sum[r]);
        }
        GI_UNROLL
        for (int r = 0; r < GI_FIND(GI_SMALL_ROWS); r++)
            if (i + r < p->rows) _mm512_mask_storeu_pd(out + (i + r) * p->out_row, in, sum[r]);
    }
}
#endif

static gi_small_loop GI_FIND(gi_small)(ga_dtype dtype)
{
#if GI_ISA_BYTES == 64
    return dtype == GA_F32 ? GI_FIND(gi_small_f32) : dtype == GA_F64 ? GI_FIND(gi_small_f64) : NULL;
#else
    (void)dtype;
    return NULL;
#endif
}
