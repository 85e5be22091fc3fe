/* ---- sums of products, each one chain ---------------------------------------------------------------------------------- */
/* out[i][t] = the sum over k < n of a[i][k] * b[i][t][k]: `chains` i and `times` t at once. Of the i, the last ones may be the same. */
static GI_INLINE void GI_LOOP(gi_chains_of)(const int chains, const int times, const bool shared, int64_t count, int64_t n,
                                            char *out, const char *a, const char *b, const gi_chaining *j)
{
    GA_T        sum[8][3];
    const char *x[8], *y[8];
    GI_UNROLL
    for (int i = 0; i < chains; i++) {
        const int64_t at = i < count ? i : count - 1;
        x[i]             = a + at * j->a_next;
        y[i]             = b + at * j->b_next;
        GI_UNROLL
        for (int t = 0; t < times; t++)
            sum[i][t] = j->before ? *(const GA_T *)(const void *)(out + at * j->out_next + t * j->out_again + j->before)
                                  : GA_FN(nothing)();
    }
    const int64_t a_step = j->a_step, b_step = j->b_step, b_again = j->b_again;
    for (int64_t k = 0; k < n; k++, b += b_step) {
        GI_UNROLL
        for (int i = 0; i < chains; i++) {
            const GA_T factor = *(const GI_STORED *)(const void *)(x[i] + k * a_step);
            GI_UNROLL
            for (int t = 0; t < times; t++)
                sum[i][t] = GA_FN(fma)(factor, *(const GI_STORED *)(const void *)(shared ? b + t * b_again : y[i] + k * b_step),
                                       sum[i][t]);
        }
    }
    GI_UNROLL
    for (int i = 0; i < chains; i++) {
        if (i == count) break;
        GI_UNROLL
        for (int t = 0; t < times; t++) *(GA_T *)(void *)(out + i * j->out_next + t * j->out_again) = sum[i][t];
    }
}

#if GI_CLASS == 1 || GI_CLASS == 2
/* Of integers, whose sums have no order, one chain is vectors. */
static GI_INLINE GA_T GI_LOOP(gi_chain_of)(int64_t n, const GA_T *x, const GA_T *y, GA_T sum)
{
    GI_VECTORIZE
    for (int64_t k = 0; k < n; k++) sum = GA_FN(fma)(x[k], y[k], sum);
    return sum;
}
#endif

/* `times` is 1 unless b is shared by all i. */
static void GI_LOOP(gi_chains)(int64_t count, int times, int64_t n, char *out, const char *a, const char *b,
                               const gi_chaining *j)
{
    int64_t i = 0;
#if GI_CLASS == 3
#if GI_ISA_BYTES == 64
    /* Too few for whole vectors; or two matrices are turned round, for which shorter vectors have a third port. */
    const bool both =
        j->b_next != 0 && (sizeof(GA_T) == 4 ? n >= 64 && (count < 32 || j->a_next < 1536) : n >= 128 && count < 32);
    if (both || count < (int)(64 / sizeof(GA_T))) {
        GI_LOWER(chains)(sizeof(GA_T) == 4 ? GA_F32 : GA_F64)(count, times, n, out, a, b, j);
        return;
    }
#endif
#ifdef GI_ISA_MM
    i = GI_LOOP(gi_lines)(count, times, n, out, a, b, j);
#endif
    for (; i < count && times == 3; i += 4)
        GI_LOOP(gi_chains_of)(4, 3, true, count - i, n, out + i * j->out_next, a + i * j->a_next, b, j);
    for (; i < count && times == 2; i += 4)
        GI_LOOP(gi_chains_of)(4, 2, true, count - i, n, out + i * j->out_next, a + i * j->a_next, b, j);
    for (; i < count && j->b_next == 0; i += 8)
        GI_LOOP(gi_chains_of)(8, 1, true, count - i, n, out + i * j->out_next, a + i * j->a_next, b, j);
#endif
#if GI_CLASS == 1 || GI_CLASS == 2
    const bool packed = j->a_step == (int64_t)sizeof(GA_T) && j->b_step == (int64_t)sizeof(GA_T);
    for (; i < count && packed; i++)
        for (int t = 0; t < times; t++) {
            GA_T *to = (GA_T *)(void *)(out + i * j->out_next + t * j->out_again);
            *to      = GI_LOOP(gi_chain_of)(n, (const GA_T *)(const void *)(a + i * j->a_next),
                                       (const GA_T *)(const void *)(b + i * j->b_next + t * j->b_again),
                                       j->before ? *(const GA_T *)(const void *)((const char *)to + j->before)
                                                      : GA_FN(nothing)());
        }
#endif
    for (; i < count; i += 4)
        for (int t = 0; t < times; t++) GI_LOOP(gi_chains_of)
    (4, 1, false, count - i, n, out + i * j->out_next + t * j->out_again, a + i * j->a_next, b + i * j->b_next + t * j->b_again,
     j);
}
