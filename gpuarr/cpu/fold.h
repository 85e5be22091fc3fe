/* ==== >>folds: one accumulator kind (GI_ACC is WIDE, MEAN, SAME, BOOL or COUNT) =================================== */
/*  The documented tree. A block holds up to 1024 elements; x[i] joins x[i + h] for h = 512, 256 ... 1, starting from the power of two
    that holds the block; an element without a partner stays as it is. The results of the blocks are folded in the same way.
    The first three steps are one loop over eight rows of elements: the eighths of a block, or rows of a matrix whose columns are
    folded side by side.                                                                                                        */

#define GI_A GI_NAME(GI_JOIN(gi_acc_, GI_ACC))

static GI_INLINE void GI_LOOP(GI_JOIN(gi_rows_, GI_ACC))(int64_t n, void *accs, const void *const *rows, GI_A (*of)(GA_T),
                                                         GI_A (*join)(GI_A, GI_A))
{
    GI_A *__restrict__ a = (GI_A *)accs;
    const GI_STORED *x0 = (const GI_STORED *)rows[0], *x1 = (const GI_STORED *)rows[1], *x2 = (const GI_STORED *)rows[2],
                    *x3 = (const GI_STORED *)rows[3], *x4 = (const GI_STORED *)rows[4], *x5 = (const GI_STORED *)rows[5],
                    *x6 = (const GI_STORED *)rows[6], *x7 = (const GI_STORED *)rows[7];
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++)
        a[i] = join(join(join(of(x0[i]), of(x4[i])), join(of(x2[i]), of(x6[i]))),
                    join(join(of(x1[i]), of(x5[i])), join(of(x3[i]), of(x7[i]))));
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
    int64_t h = 1;
    while (h < n) h *= 2;
    if (h > n) { /* the first step of a block that is no power of two */
        h /= 2;
        GI_VECTORIZE
        for (int64_t i = 0; i < n - h; i++) a[i] = join(a[i], a[i + h]);
        n = h;
    }
    for (h = n / 2; h >= 16; h /= 2)
        for (int64_t start = 0; start < h; start += 16) {
            GI_VECTORIZE
            for (int64_t i = start; i < start + 16; i++) a[i] = join(a[i], a[i + h]);
        }
    if (n < 16) {
        for (; h > 0; h /= 2)
            for (int64_t i = 0; i < h; i++) a[i] = join(a[i], a[i + h]);
        return;
    }
    GI_VECTORIZE
    for (int i = 0; i < 8; i++) a[i] = join(a[i], a[i + 8]);
    GI_VECTORIZE
    for (int i = 0; i < 4; i++) a[i] = join(a[i], a[i + 4]);
    GI_VECTORIZE
    for (int i = 0; i < 2; i++) a[i] = join(a[i], a[i + 2]);
    a[0] = join(a[0], a[1]);
}

static GI_INLINE void GI_LOOP(GI_JOIN(gi_block_, GI_ACC))(int64_t n, void *acc, const void *in,
                                                          void (*rows)(int64_t, void *, const void *const *),
                                                          void (*widen)(int64_t, void *, const void *),
                                                          void (*halve)(int64_t, void *))
{
    __attribute__((aligned(64))) GI_A a[GI_BLOCK];
    if (n == GI_BLOCK) {
        const void *eighths[8];
        for (int r = 0; r < 8; r++) eighths[r] = (const GA_T *)in + r * (GI_BLOCK / 8);
        rows(GI_BLOCK / 8, a, eighths);
        halve(GI_BLOCK / 8, a);
    } else {
        widen(n, a, in);
        if (n > 1) halve(n, a);
    }
    memcpy(acc, a, sizeof *a);
}
#undef GI_A
