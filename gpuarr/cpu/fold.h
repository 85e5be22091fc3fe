/* ==== >>folds: one accumulator kind (GI_ACC is WIDE, MEAN, SAME, BOOL or COUNT) =================================== */
/*  The documented tree. A block holds up to 1024 elements; x[i] joins x[i + h] for h = 512, 256 ... 1, starting from the power of two
    that holds the block; an element without a partner stays as it is. The results of the blocks are folded in the same way.
    The first three steps are one loop over eight rows of elements: the eighths of a block, or rows of a matrix whose columns are
    folded side by side. Where the last ones of eight are missing, what changes no result stands in their place.                */

#define GI_A GI_NAME(GI_JOIN(gi_acc_, GI_ACC))

/* n elements that change nothing where they are joined. start: that of the row (the table). Without one an element that is joined with
   itself stays, and `same` are those which these will meet. */
static GI_INLINE void GI_LOOP(GI_JOIN(gi_none_, GI_ACC))(int64_t n, GI_STORED *none, const int start, const GI_STORED *same)
{
    if (start < 0) memcpy(none, same, (size_t)n * sizeof *none);
    else
        for (int64_t i = 0; i < n; i++) none[i] = start == 0 ? GA_FN(nothing)() : GA_FN(from_int)(1);
}

static GI_INLINE void GI_LOOP(GI_JOIN(gi_eight_, GI_ACC))(int64_t n, GI_A *__restrict__ a, const GI_STORED *const *x,
                                                          GI_A (*of)(GA_T), GI_A (*join)(GI_A, GI_A))
{
    const GI_STORED *x0 = x[0], *x1 = x[1], *x2 = x[2], *x3 = x[3], *x4 = x[4], *x5 = x[5], *x6 = x[6], *x7 = x[7];
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++)
        a[i] = join(join(join(of(x0[i]), of(x4[i])), join(of(x2[i]), of(x6[i]))),
                    join(join(of(x1[i]), of(x5[i])), join(of(x3[i]), of(x7[i]))));
}

static GI_INLINE void GI_LOOP(GI_JOIN(gi_rows_, GI_ACC))(int64_t n, void *accs, const void *const *rows, int count,
                                                         const int start, GI_A (*of)(GA_T), GI_A (*join)(GI_A, GI_A))
{
    GI_STORED        none[GI_NONE];
    const GI_STORED *x[8];
    const int64_t    most = count == 8 || start < 0 || n < GI_NONE ? n : (int64_t)GI_NONE;
    for (int k = 0; k < count; k++) x[k] = (const GI_STORED *)rows[k];
    for (int k = count; k < 8; k++) x[k] = start < 0 ? x[gi_fold_partner(k)] : none;
    if (count < 8 && start >= 0) GI_LOOP(GI_JOIN(gi_none_, GI_ACC))(most, none, start, NULL);
    for (int64_t done = 0; done < n; done += most) {
        GI_LOOP(GI_JOIN(gi_eight_, GI_ACC))(n - done < most ? n - done : most, (GI_A *)accs + done, x, of, join);
        for (int k = 0; k < count; k++) x[k] += most;
    }
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
    for (; n >= 128; n /= 8) { /* three steps at once */
        const GI_A *a1 = a + n / 8, *a2 = a1 + n / 8, *a3 = a2 + n / 8, *a4 = a + n / 2, *a5 = a1 + n / 2, *a6 = a2 + n / 2,
                   *a7 = a3 + n / 2;
        GI_VECTORIZE
        for (int64_t i = 0; i < n / 8; i++)
            a[i] = join(join(join(a[i], a4[i]), join(a2[i], a6[i])), join(join(a1[i], a5[i]), join(a3[i], a7[i])));
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

/* A block, if its row takes some of eight rows: the last eighth may be short, and others missing. */
static GI_INLINE void GI_LOOP(GI_JOIN(gi_block_, GI_ACC))(int64_t n, void *acc, const void *in, const int start,
                                                          void (*rows)(int64_t, void *, const void *const *, int),
                                                          void (*widen)(int64_t, void *, const void *),
                                                          void (*halve)(int64_t, void *))
{
    __attribute__((aligned(64))) GI_A a[GI_BLOCK / 8];
    GI_STORED                         last[GI_NONE];
    const GI_STORED                  *x = (const GI_STORED *)in;
    int64_t                           h = 16; /* elements of an eighth */
    while (8 * h < n) h *= 2;
    if (n >= 64) {
        const int     count = (int)(n / h);
        const int64_t more  = n - count * h;
        const void   *eighths[8];
        for (int r = 0; r < count; r++) eighths[r] = x + r * h;
        if (more > 0 && more < GI_NONE) { /* it is never more; compilers that do not see it warn */
            memcpy(last, x + count * h, (size_t)more * sizeof *last);
            GI_LOOP(GI_JOIN(gi_none_, GI_ACC))(h - more, last + more, start, x + gi_fold_partner(count) * h + more);
            eighths[count] = last;
        }
        rows(h, a, eighths, count + (more > 0));
        halve(h, a);
    } else {
        widen(n, a, in);
        if (n > 1) halve(n, a);
    }
    memcpy(acc, a, sizeof *a);
}

/* The same of other rows. */
static GI_INLINE void GI_LOOP(GI_JOIN(gi_whole_block_, GI_ACC))(int64_t n, void *acc, const void *in,
                                                                void (*rows)(int64_t, void *, const void *const *, int),
                                                                void (*widen)(int64_t, void *, const void *),
                                                                void (*halve)(int64_t, void *))
{
    __attribute__((aligned(64))) GI_A a[GI_BLOCK];
    if (n == GI_BLOCK) {
        const void *eighths[8];
        for (int r = 0; r < 8; r++) eighths[r] = (const GA_T *)in + r * (GI_BLOCK / 8);
        rows(GI_BLOCK / 8, a, eighths, 8);
        halve(GI_BLOCK / 8, a);
    } else {
        widen(n, a, in);
        if (n > 1) halve(n, a);
    }
    memcpy(acc, a, sizeof *a);
}
#undef GI_A
