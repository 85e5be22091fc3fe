/* ==== products of small matrices (GI_SMALL_TAG is a type) ================================================================= */
/*  A row of b, and of the result, is one vector. Each element is one chain of products, of floats fused ones, as elsewhere; small integers
    become 4 bytes wide on the way. */

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
            sum[r] = GI_OF_SMALL(set1)(GI_SMALL_NOTHING);
            row[r] = a + (i + r < p->rows ? i + r : p->rows - 1) * p->a_row;
        }
        for (int64_t k = 0; k < p->inner; k++) {
            const GI_SMALL_VECTOR y = GI_SMALL_LOAD(in, b + k * p->b_row);
            GI_UNROLL
            for (int r = 0; r < ROWS; r++) {
                const GI_SMALL_T x = *(const GI_SMALL_T *)(const void *)(row[r] + k * p->a_column);
                sum[r]             = GI_SMALL_FMA(GI_OF_SMALL(set1)(x), y, sum[r]);
            }
        }
        GI_UNROLL
        for (int r = 0; r < ROWS; r++)
            if (i + r < p->rows) GI_SMALL_STORE(out + (i + r) * p->out_row, in, sum[r]);
    }
}
#undef GI_OF_SMALL
#undef GI_SMALL_TAG
#undef GI_SMALL_SUFFIX
#undef GI_SMALL_T
#undef GI_SMALL_VECTOR
#undef GI_SMALL_MASK
#undef GI_SMALL_NOTHING
#undef GI_SMALL_LOAD
#undef GI_SMALL_STORE
#undef GI_SMALL_FMA
