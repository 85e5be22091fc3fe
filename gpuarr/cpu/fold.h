/* ==== >>folds: one accumulator kind (GI_ACC is WIDE, MEAN, SAME, BOOL or COUNT) =================================== */
/*  The documented tree. A block holds up to 1024 elements; x[i] joins x[i + h] for h = 512, 256 ... 1, starting from the power of two
    that holds the block; an element without a partner stays as it is. The results of the blocks are folded in the same way.
    The first three steps are one loop over eight rows of elements: the eighths of a block, or rows of a matrix whose columns are
    folded side by side. Where the last ones of eight are missing, what changes no result stands in their place.                */

#define GI_A GI_NAME(GI_JOIN(gi_acc_, GI_ACC))

static GI_INLINE void GI_LOOP(GI_JOIN(gi_eight_, GI_ACC))(int64_t n, GI_A *__restrict__ a, const GI_STORED *const *x,
                                                          GI_A (*of)(GA_T), GI_A (*join)(GI_A, GI_A), const bool   sums)
{
    const GI_STORED *x0 = x[0], *x1 = x[1], *x2 = x[2], *x3 = x[3], *x4 = x[4], *x5 = x[5], *x6 = x[6], *x7 = x[7];
#if GI_CLASS <= 2
    if (sums && sizeof(GA_T) <= 2) { /* eight of them fit twice the bits, and all of it is exact */
        typedef GI_JOIN(gi_eight_sum_, GA_TAG) sum;
        GI_VECTORIZE
        for (int64_t i = 0; i < n; i++) {
            const sum even = (sum)((sum)((GA_T)x0[i] + (GA_T)x2[i]) + (sum)((GA_T)x4[i] + (GA_T)x6[i]));
            const sum odd  = (sum)((sum)((GA_T)x1[i] + (GA_T)x3[i]) + (sum)((GA_T)x5[i] + (GA_T)x7[i]));
            a[i]           = (GI_A)(sum)(even + odd);
        }
        return;
    }
#else
    (void)sums;
#endif
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++)
        a[i] = join(join(join(of(x0[i]), of(x4[i])), join(of(x2[i]), of(x6[i]))),
                    join(join(of(x1[i]), of(x5[i])), join(of(x3[i]), of(x7[i]))));
}

/* loop: of the row itself, to which this belongs. sums: of elements as they are. */
static GI_INLINE void GI_LOOP(GI_JOIN(gi_rows_, GI_ACC))(int64_t n, void *accs, const void *const *rows, int count,
                                                         const int    start, GI_A (*of)(GA_T), GI_A (*join)(GI_A, GI_A),
                                                         gi_rows_loop loop, const bool sums)
{
    if (count == 8) GI_LOOP(GI_JOIN(gi_eight_, GI_ACC))(n, (GI_A *)accs, (const GI_STORED *const *)rows, of, join, sums);
    else
        gi_rows_some(loop, n, (char *)accs, sizeof(GI_A), rows, sizeof(GI_STORED), count, start,
                     gi_none_word(GI_CLASS < 3 ? 0 : (int)sizeof(GI_R), start));
}

static GI_INLINE void GI_LOOP(GI_JOIN(gi_widen_, GI_ACC))(int64_t n, void *accs, const void *in, GI_A (*of)(GA_T))
{
    GI_A *__restrict__ a = (GI_A *)accs;
    const GI_STORED *x   = (const GI_STORED *)in;
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) a[i] = of(x[i]);
}

static GI_INLINE void GI_LOOP(GI_JOIN(gi_join_, GI_ACC))(int64_t n, void *accs, const void *more, GI_A (*join)(GI_A, GI_A))
{
    GI_A *__restrict__ a = (GI_A *)accs;
    const GI_A *b        = (const GI_A *)more;
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) a[i] = join(a[i], b[i]);
}

static GI_INLINE void GI_LOOP(GI_JOIN(gi_halve_, GI_ACC))(int64_t n, void *accs, GI_A (*join)(GI_A, GI_A))
{
    GI_A   *a = (GI_A *)accs;
    int64_t h = n > 1 ? (int64_t)1 << (64 - __builtin_clzll((unsigned long long)n - 1)) : 1;
#ifdef GI_ISA_SCALAR
    for (; n > 1; n = h) {
        h /= 2;
        for (int64_t i = 0; i < n - h; i++) a[i] = join(a[i], a[i + h]);
    }
#else
    while (n > 1 && n != 16) {
        h /= 2; /* the first step of n elements may join some of them alone */
        GI_VECTORIZE
        for (int64_t i = 0; i < n - h; i++) a[i] = join(a[i], a[i + h]);
        n = h;
    }
    if (n < 16) return;
    GI_VECTORIZE
    for (int i = 0; i < 8; i++) a[i] = join(a[i], a[i + 8]);
    GI_VECTORIZE
    for (int i = 0; i < 4; i++) a[i] = join(a[i], a[i + 4]);
    GI_VECTORIZE
    for (int i = 0; i < 2; i++) a[i] = join(a[i], a[i + 2]);
    a[0] = join(a[0], a[1]);
#endif
}
#undef GI_A
