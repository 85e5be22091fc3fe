/* ==== >>folds: one accumulator kind (GI_ACC is WIDE, MEAN, SAME, BOOL or COUNT) =================================== */
/*  The documented tree. A block holds up to 1024 elements; x[i] joins x[i + h] for h = 512, 256 ... 1, starting from the power of two
    that holds the block; an element without a partner stays as it is. The results of the blocks are folded in the same way.
    The first three steps are one loop over eight rows of elements: the eighths of a block, or rows of a matrix whose columns are
    folded side by side. Where the last ones of eight are missing, what changes no result stands in their place.                */

#define GI_A GI_NAME(GI_JOIN(gi_acc_, GI_ACC))

/* n elements that change nothing where they are joined; start: that of the row (the table). */
static GI_INLINE void GI_LOOP(GI_JOIN(gi_none_, GI_ACC))(int64_t n, GI_STORED *none, const int start)
{
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
    GI_STORED               none[GI_NONE];
    const GI_STORED        *x[8];
    const GI_STORED *const *from = (const GI_STORED *const *)rows;
    const int64_t           most = count == 8 || start < 0 || n < GI_NONE ? n : (int64_t)GI_NONE;
    if (count < 8) {
        for (int k = 0; k < count; k++) x[k] = from[k];
        for (int k = count; k < 8; k++) x[k] = start < 0 ? x[gi_fold_partner(k)] : none;
        if (start >= 0) GI_LOOP(GI_JOIN(gi_none_, GI_ACC))(most, none, start);
        from = x;
    }
    for (int64_t done = 0; done < n; done += most) {
        for (int k = 0; k < count && done > 0; k++) x[k] += most;
        GI_LOOP(GI_JOIN(gi_eight_, GI_ACC))(n - done < most ? n - done : most, (GI_A *)accs + done, from, of, join);
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
