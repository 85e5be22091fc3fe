/* ==== products of small matrices (GI_SMALL_TAG is f32 or f64) ============================================================ */
/*  A row of b, and of the result, is one vector. Each element is one chain of fused products, as elsewhere. */

#define GI_OF_SMALL(name) GI_JOIN(_mm512_##name##_, GI_SMALL_SUFFIX)

static void GI_FIND(GI_JOIN(gi_small_, GI_SMALL_TAG))(const gi_small_product *p, char *out, const char *a, const char *b)
{
    enum { ROWS = 4 }; /* side by side */
    const GI_SMALL_MASK in = (GI_SMALL_MASK)GI_FIND(gi_first_bytes)(p->columns);
    for (int64_t i = 0; i < p->rows; i += ROWS) {
        GI_SMALL_VECTOR sum[ROWS];
        const char     *row[ROWS];
        GI_UNROLL
        for (int r = 0; r < ROWS; r++) {
            sum[r] = GI_OF_SMALL(set1)((GI_SMALL_T)-0.0); /* which adds nothing */
            row[r] = a + (i + r < p->rows ? i + r : p->rows - 1) * p->a_row;
        }
        for (int64_t k = 0; k < p->inner; k++) {
            const GI_SMALL_VECTOR y = GI_OF_SMALL(maskz_loadu)(in, b + k * p->b_row);
            GI_UNROLL
            for (int r = 0; r < ROWS; r++) {
                const GI_SMALL_T x = *(const GI_SMALL_T *)(const void *)(row[r] + k * p->a_column);
                sum[r]             = GI_OF_SMALL(fmadd)(GI_OF_SMALL(set1)(x), y, sum[r]);
            }
        }
        GI_UNROLL
        for (int r = 0; r < ROWS; r++)
            if (i + r < p->rows) GI_OF_SMALL(mask_storeu)(out + (i + r) * p->out_row, in, sum[r]);
    }
}
#undef GI_OF_SMALL
#undef GI_SMALL_TAG
#undef GI_SMALL_SUFFIX
#undef GI_SMALL_T
#undef GI_SMALL_VECTOR
#undef GI_SMALL_MASK
