/*  gpuarr_cpu.h -- the CPU backend. Included by gpuarr.h, never by you.

    The loops are ordinary code with ordinary line numbers. This file includes itself once per instruction set (GI_ISA) and, within
    that, once per element type (GA_TAG). A kernel works on packed elements: strides, casts and broadcasting are settled before by
    whoever calls it, a tile at a time.

        >>own kernels  >>loops  >>folds  >>moments  >>scans  >>windows  >>dense  >>stamp  >>random  >>find  >>isa             */

#if defined(GI_OWN_LOOPS)
/* ==== >>own kernels: the loops of GA_ELEMENTWISE, for files of the user's =============================================== */

enum { GI_OWN_PART = 256 }; /* elements that are computed once more, exactly, if an argument among them is rare */

#define GI_OWN_INLINE inline __attribute__((always_inline))

/* Where the part of the elements that begins at `from` ends. */
static inline int64_t gi_own_part_end(const gi_elements *e, int64_t from)
{
    return e->n - from < GI_OWN_PART ? e->n : from + GI_OWN_PART;
}

#if GI_HAS_CUDA
#define GI_OWN_CUDA(name, t) (void (*)(void)) gi_cuda_own_kernel<name##_formula_##t>
#else
#define GI_OWN_CUDA(name, t) NULL
#endif

/* What stands behind the store of a result. Where x * y + z and x * y - z are stored side by side, as the parts of a complex number,
   gcc makes one vfmaddsub of them, although it was told not to fuse anything; an asm statement keeps it from vectors. */
#if defined(__clang__)
#define GI_OWN_FAST
#define GI_OWN_STORED(value)
#else
#define GI_OWN_FAST                                                                                                            \
    __attribute__((optimize("O2", "tree-loop-vectorize", "no-tree-slp-vectorize", "vect-cost-model=dynamic",                   \
                            "no-trapping-math", "no-math-errno", "fp-contract=off")))
#define GI_OWN_STORED(value)                                                                                                   \
    if (__builtin_classify_type(value) == 12 /* a struct */) __asm__("");
#endif
#define GI_OWN_STAMP(name, t, isa, target)                                                                                     \
    static target GI_OWN_FAST void name##_##isa##_##t(const gi_elements *gi_e, bool gi_exact)                                  \
    {                                                                                                                          \
        for (int64_t from = 0, to = 0; from < gi_e->n; from = to) {                                                            \
            to = gi_own_part_end(gi_e, from);                                                                                  \
            if (gi_exact || name##_part_##t(gi_e, from, to, false)) (void)name##_part_##t(gi_e, from, to, true);               \
        }                                                                                                                      \
    }
#define GI_OWN_JOIN(name, isa, target)                                                                                         \
    static target GI_OWN_FAST void name##_join_##isa(int64_t n, void *accs, const void *more)                                  \
    {                                                                                                                          \
        name##_join_part(n, accs, more);                                                                                       \
    }
#if defined(__x86_64__) && defined(__GNUC__) && !defined(GPUARR_BASELINE_ONLY)
#if defined(__clang__)
#define GI_WIDE
#else
#define GI_WIDE ",prefer-vector-width=512"
#endif
#define GI_AVX2   __attribute__((target("avx2,fma")))
#define GI_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma" GI_WIDE)))
#define GI_OWN_STAMPS(name, t)                                                                                                 \
    GI_OWN_STAMP(name, t, baseline, ) GI_OWN_STAMP(name, t, avx2, GI_AVX2) GI_OWN_STAMP(name, t, avx512, GI_AVX512)
#define GI_LOOPS_FOR(name, t)                                                                                                  \
    {                                                                                                                          \
        name##_baseline_##t, name##_avx2_##t, name##_avx512_##t                                                                \
    }
#define GI_OWN_JOINS(name) GI_OWN_JOIN(name, baseline, ) GI_OWN_JOIN(name, avx2, GI_AVX2) GI_OWN_JOIN(name, avx512, GI_AVX512)
#define GI_JOINS_OF(name)                                                                                                      \
    {                                                                                                                          \
        name##_join_baseline, name##_join_avx2, name##_join_avx512                                                             \
    }
#else
#define GI_OWN_STAMPS(name, t) GI_OWN_STAMP(name, t, baseline, )
#define GI_LOOPS_FOR(name, t)                                                                                                  \
    {                                                                                                                          \
        name##_baseline_##t, NULL, NULL                                                                                        \
    }
#define GI_OWN_JOINS(name) GI_OWN_JOIN(name, baseline, )
#define GI_JOINS_OF(name)                                                                                                      \
    {                                                                                                                          \
        name##_join_baseline, NULL, NULL                                                                                       \
    }
#endif
#define GI_STAMP_OF(name, t, dtype)                                                                                            \
    {                                                                                                                          \
        dtype, GI_LOOPS_FOR(name, t), GI_OWN_CUDA(name, t)                                                                     \
    }

#elif defined(GI_ACC)
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
    const GA_T *x0 = (const GA_T *)rows[0], *x1 = (const GA_T *)rows[1], *x2 = (const GA_T *)rows[2],
               *x3 = (const GA_T *)rows[3], *x4 = (const GA_T *)rows[4], *x5 = (const GA_T *)rows[5],
               *x6 = (const GA_T *)rows[6], *x7 = (const GA_T *)rows[7];
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++)
        a[i] = join(join(join(of(x0[i]), of(x4[i])), join(of(x2[i]), of(x6[i]))),
                    join(join(of(x1[i]), of(x5[i])), join(of(x3[i]), of(x7[i]))));
}

static GI_INLINE void GI_LOOP(GI_JOIN(gi_widen_, GI_ACC))(int64_t n, void *accs, const void *in, GI_A (*of)(GA_T))
{
    GI_A *__restrict__ a = (GI_A *)accs;
    const GA_T *x        = (const GA_T *)in;
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

#elif defined(GI_KEY)
/* ==== >>windows: one size of keys (GI_KEY is u8, u16, i32 or i64) =================================================== */
/*  What filters compare: integers that are ordered like the elements that they stand for. (Signed or unsigned, as most elements of
    the size are.)                                                                                                         */

#define GI_ROWS(stem) GI_JOIN(stem, GI_JOIN(_, GI_JOIN(GI_KEY, GI_JOIN(_, GI_ISA))))

/* Elements become keys. Was there a NaN? */
static bool GI_ROWS(gi_to_keys)(const gi_keys *rule, int64_t n, void *elements)
{
    GI_KEY_T      *k         = (GI_KEY_T *)elements;
    const GI_KEY_T flip      = (GI_KEY_T)rule->flip;
#if GI_KEY_BITS >= 32
    const GI_KEY_T magnitude = (GI_KEY_T)(UINT64_MAX >> (65 - GI_KEY_BITS));
    const GI_KEY_T infinity  = (GI_KEY_T)(GI_KEY_BITS == 32 ? 0x7f800000 : (int64_t)0x7ff << 52);
    if (rule->real) {
        GI_KEY_T nan = 0; /* negative, if there is one */
        GI_VECTORIZE
        for (int64_t i = 0; i < n; i++) {
            const GI_KEY_T x = k[i];
            nan |= infinity - (x & magnitude);
            k[i] = x ^ ((x >> (GI_KEY_BITS - 1)) & magnitude) ^ flip;
        }
        if (nan >= 0) return false;
        for (int64_t i = 0; i < n; i++) {
            const GI_KEY_T x = k[i] ^ flip;
            if (x > infinity || x < ~infinity) k[i] = (GI_KEY_T)rule->nan;
        }
        return true;
    }
#endif
    if (flip == 0) return false;
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) k[i] = (GI_KEY_T)(k[i] ^ flip);
    return false;
}

static void GI_ROWS(gi_from_keys)(const gi_keys *rule, int64_t n, void *keys)
{
    GI_KEY_T      *k         = (GI_KEY_T *)keys;
    const GI_KEY_T flip      = (GI_KEY_T)rule->flip;
#if GI_KEY_BITS >= 32
    const GI_KEY_T magnitude = (GI_KEY_T)(UINT64_MAX >> (65 - GI_KEY_BITS));
    if (rule->real) {
        GI_VECTORIZE
        for (int64_t i = 0; i < n; i++) {
            const GI_KEY_T x = k[i] ^ flip;
            k[i]             = x ^ ((x >> (GI_KEY_BITS - 1)) & magnitude);
        }
        return;
    }
#endif
    if (flip == 0) return;
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) k[i] = (GI_KEY_T)(k[i] ^ flip);
}

static void GI_ROWS(gi_least)(int64_t n, void *out, const void *x, const void *y, const void *z)
{
    GI_KEY_T       *o = (GI_KEY_T *)out;
    const GI_KEY_T *a = (const GI_KEY_T *)x, *b = (const GI_KEY_T *)y, *c = (const GI_KEY_T *)z;
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) {
        const GI_KEY_T low = a[i] < b[i] ? a[i] : b[i];
        o[i]               = low < c[i] ? low : c[i];
    }
}

/* Medians of 3 x 3 and 5 x 5 elements, in registers: the columns are sorted, for 5 x 5 each is merged with the next, and of those what
   can be the median is found. (A network of steps on rows does as much and is bound by loads and stores.) */
#define GI_EXCHANGE(a, b)                                                                                                      \
    {                                                                                                                          \
        const GI_KEY_T low_ = a < b ? a : b;                                                                                   \
        b                   = a < b ? b : a;                                                                                   \
        a                   = low_;                                                                                            \
    }

static GI_INLINE GI_KEY_T GI_ROWS(gi_min)(GI_KEY_T a, GI_KEY_T b) { return a < b ? a : b; }
static GI_INLINE GI_KEY_T GI_ROWS(gi_max)(GI_KEY_T a, GI_KEY_T b) { return a < b ? b : a; }
static GI_INLINE GI_KEY_T GI_ROWS(gi_median_of_3)(GI_KEY_T a, GI_KEY_T b, GI_KEY_T c)
{
    const GI_KEY_T low = GI_ROWS(gi_min)(a, b), high = GI_ROWS(gi_max)(a, b);
    return GI_ROWS(gi_max)(low, GI_ROWS(gi_min)(high, c));
}

static void GI_ROWS(gi_sort_3)(int64_t n, const GI_KEY_T *__restrict x, const GI_KEY_T *__restrict y,
                               const GI_KEY_T *__restrict z, GI_KEY_T *__restrict low, GI_KEY_T *__restrict middle,
                               GI_KEY_T *__restrict high)
{
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) {
        GI_KEY_T a = x[i], b = y[i], c = z[i];
        GI_EXCHANGE(a, b)
        GI_EXCHANGE(b, c)
        GI_EXCHANGE(a, b)
        low[i]    = a;
        middle[i] = b;
        high[i]   = c;
    }
}

static void GI_ROWS(gi_median_of_9)(int64_t n, const GI_KEY_T *__restrict low, const GI_KEY_T *__restrict middle,
                                    const GI_KEY_T *__restrict high, GI_KEY_T *__restrict out)
{
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++)
        out[i] = GI_ROWS(gi_median_of_3)(GI_ROWS(gi_max)(GI_ROWS(gi_max)(low[i], low[i + 1]), low[i + 2]),
                                         GI_ROWS(gi_median_of_3)(middle[i], middle[i + 1], middle[i + 2]),
                                         GI_ROWS(gi_min)(GI_ROWS(gi_min)(high[i], high[i + 1]), high[i + 2]));
}

/* Five elements, ascending. */
static void GI_ROWS(gi_sort_5)(int64_t n, const GI_KEY_T *__restrict v, const GI_KEY_T *__restrict w,
                               const GI_KEY_T *__restrict x, const GI_KEY_T *__restrict y, const GI_KEY_T *__restrict z,
                               GI_KEY_T *__restrict o0, GI_KEY_T *__restrict o1, GI_KEY_T *__restrict o2,
                               GI_KEY_T *__restrict o3, GI_KEY_T *__restrict o4)
{
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) {
        GI_KEY_T a = v[i], b = w[i], c = x[i], d = y[i], e = z[i];
        GI_EXCHANGE(a, b)
        GI_EXCHANGE(d, e)
        GI_EXCHANGE(c, d)
        GI_EXCHANGE(d, e)
        GI_EXCHANGE(a, c)
        GI_EXCHANGE(c, e)
        GI_EXCHANGE(b, d)
        GI_EXCHANGE(b, c)
        GI_EXCHANGE(d, e)
        o0[i] = a;
        o1[i] = b;
        o2[i] = c;
        o3[i] = d;
        o4[i] = e;
    }
}

/* Two sorted columns side by side: c of length n + 1 merged with itself one further on. */
static void GI_ROWS(gi_merge_5)(int64_t n, GI_KEY_T *const *column, GI_KEY_T *const *pair)
{
    const GI_KEY_T *__restrict c0 = column[0], *__restrict c1 = column[1], *__restrict c2 = column[2],
                               *__restrict c3 = column[3], *__restrict c4 = column[4];
    GI_KEY_T *__restrict p0 = pair[0], *__restrict p1 = pair[1], *__restrict p2 = pair[2], *__restrict p3 = pair[3],
                         *__restrict p4 = pair[4], *__restrict p5 = pair[5], *__restrict p6 = pair[6], *__restrict p7 = pair[7],
                         *__restrict p8 = pair[8], *__restrict p9 = pair[9];
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) {
        GI_KEY_T a = c0[i], b = c1[i], c = c2[i], d = c3[i], e = c4[i];
        GI_KEY_T f = c0[i + 1], g = c1[i + 1], h = c2[i + 1], j = c3[i + 1], k = c4[i + 1];
        GI_EXCHANGE(a, f)
        GI_EXCHANGE(e, k)
        GI_EXCHANGE(f, e)
        GI_EXCHANGE(c, h)
        GI_EXCHANGE(f, c)
        GI_EXCHANGE(h, e)
        GI_EXCHANGE(b, g)
        GI_EXCHANGE(d, j)
        GI_EXCHANGE(g, d)
        GI_EXCHANGE(b, f)
        GI_EXCHANGE(g, c)
        GI_EXCHANGE(d, h)
        GI_EXCHANGE(j, e)
        p0[i] = a;
        p1[i] = b;
        p2[i] = f;
        p3[i] = g;
        p4[i] = c;
        p5[i] = d;
        p6[i] = h;
        p7[i] = j;
        p8[i] = e;
        p9[i] = k;
    }
}

/* The median of two such pairs and a column. */
static void GI_ROWS(gi_median_of_25)(int64_t n, GI_KEY_T *const *column, GI_KEY_T *const *pair, GI_KEY_T *__restrict out)
{
    const GI_KEY_T *__restrict p0 = pair[0], *__restrict p1 = pair[1], *__restrict p2 = pair[2], *__restrict p3 = pair[3],
                               *__restrict p4 = pair[4], *__restrict p5 = pair[5], *__restrict p6 = pair[6],
                               *__restrict p7 = pair[7], *__restrict p8 = pair[8], *__restrict p9 = pair[9];
    const GI_KEY_T *__restrict c0 = column[0], *__restrict c1 = column[1], *__restrict c2 = column[2],
                               *__restrict c3 = column[3], *__restrict c4 = column[4];
#define GI_LOW(a, b)  GI_ROWS(gi_min)(a, b)
#define GI_HIGH(a, b) GI_ROWS(gi_max)(a, b)
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) { /* the even ones of both, the odd ones, and the ten in the middle of all */
        GI_KEY_T a = GI_HIGH(p0[i], p0[i + 2]), b = GI_LOW(p8[i], p8[i + 2]), c = p4[i], d = p4[i + 2];
        GI_EXCHANGE(a, b)
        GI_EXCHANGE(c, d)
        GI_KEY_T e = GI_HIGH(c, a), f = GI_LOW(d, b), g = GI_HIGH(p2[i], p2[i + 2]), h = GI_LOW(p6[i], p6[i + 2]);
        GI_EXCHANGE(g, h)
        e = GI_HIGH(g, e);
        GI_EXCHANGE(f, h)
        a = GI_HIGH(p1[i], p1[i + 2]);
        b = GI_LOW(p9[i], p9[i + 2]);
        c = p5[i];
        d = p5[i + 2];
        GI_EXCHANGE(a, b)
        GI_EXCHANGE(c, d)
        c          = GI_HIGH(c, a);
        d          = GI_LOW(d, b);
        GI_KEY_T j = GI_HIGH(p3[i], p3[i + 2]), k = GI_LOW(p7[i], p7[i + 2]);
        GI_EXCHANGE(j, k)
        GI_EXCHANGE(j, c)
        d = GI_LOW(k, d);
        GI_EXCHANGE(j, e)
        GI_EXCHANGE(c, f)
        GI_EXCHANGE(d, h)
        j      = GI_LOW(GI_HIGH(j, c4[i + 4]), GI_HIGH(e, c3[i + 4]));
        c      = GI_LOW(GI_HIGH(c, c2[i + 4]), GI_HIGH(f, c1[i + 4]));
        out[i] = GI_LOW(GI_LOW(j, c), GI_LOW(GI_HIGH(d, c0[i + 4]), h));
    }
#undef GI_LOW
#undef GI_HIGH
}

/* Of rows of elements, 3, then room for 3 more, and the result. All are computed by 64 bytes. */
static void GI_ROWS(gi_median_3x3)(int64_t n, char *const *rows)
{
    const int64_t part = 64 / sizeof(GI_KEY_T);
    GI_KEY_T     *r[7];
    for (int k = 0; k < 7; k++) r[k] = (GI_KEY_T *)(void *)rows[k];
    n = (n + part - 1) & -part;
    GI_ROWS(gi_sort_3)(n + part, r[0], r[1], r[2], r[3], r[4], r[5]);
    GI_ROWS(gi_median_of_9)(n, r[3], r[4], r[5], r[6]);
}

/* Of rows of elements, 5, then room for 15 more, and the result. */
static void GI_ROWS(gi_median_5x5)(int64_t n, char *const *rows)
{
    const int64_t part = 64 / sizeof(GI_KEY_T);
    GI_KEY_T     *r[21];
    for (int k = 0; k < 21; k++) r[k] = (GI_KEY_T *)(void *)rows[k];
    n = (n + part - 1) & -part;
    GI_ROWS(gi_sort_5)(n + part, r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8], r[9]);
    GI_ROWS(gi_merge_5)(n + part, r + 5, r + 10);
    GI_ROWS(gi_median_of_25)(n, r + 5, r + 10, r[20]);
}

/* Runs a network on rows of keys. Rows are as long as is needed and 64 bytes more, because they are computed by 64 bytes. */
static void GI_ROWS(gi_run_steps)(const gi_network_step *steps, int64_t count, char *const *rows, int64_t n)
{
    enum { PART = 64 / sizeof(GI_KEY_T) };
    for (const gi_network_step *s = steps; s < steps + count; s++) {
        const GI_KEY_T *a = (const GI_KEY_T *)(const void *)rows[s->a] + s->at_a;
        const GI_KEY_T *b = (const GI_KEY_T *)(const void *)rows[s->b] + s->at_b, *end = a + n + s->reach;
        GI_KEY_T       *low  = s->low < 0 ? NULL : (GI_KEY_T *)(void *)rows[s->low];
        GI_KEY_T       *high = s->high < 0 ? NULL : (GI_KEY_T *)(void *)rows[s->high];
        if (!high) {
            for (; a < end; a += PART, b += PART, low += PART) {
                GI_VECTORIZE
                for (int i = 0; i < PART; i++) low[i] = a[i] < b[i] ? a[i] : b[i];
            }
        } else if (!low) {
            for (; a < end; a += PART, b += PART, high += PART) {
                GI_VECTORIZE
                for (int i = 0; i < PART; i++) high[i] = a[i] < b[i] ? b[i] : a[i];
            }
        } else {
            for (; a < end; a += PART, b += PART, low += PART, high += PART) {
                GI_VECTORIZE
                for (int i = 0; i < PART; i++) {
                    const GI_KEY_T x = a[i], y = b[i];
                    low[i]  = x < y ? x : y;
                    high[i] = x < y ? y : x;
                }
            }
        }
    }
}

static const gi_window_loops
    GI_ROWS(gi_window_loops) = { GI_ROWS(gi_to_keys),   GI_ROWS(gi_from_keys),  GI_ROWS(gi_least),
                                 GI_ROWS(gi_run_steps), GI_ROWS(gi_median_3x3), GI_ROWS(gi_median_5x5) };
#undef GI_EXCHANGE
#undef GI_ROWS
#undef GI_KEY
#undef GI_KEY_T
#undef GI_KEY_BITS

#elif defined(GA_TAG)
/* ==== >>loops of one element type and instruction set ============================================================== */
#define GI_LOOP(stem) GI_JOIN(stem, GI_JOIN(_, GI_JOIN(GA_TAG, GI_JOIN(_, GI_ISA))))
#define GI_OP(name)   GI_NAME(gi_op_##name)

#if GI_ISA_STAMPS
static GI_INLINE void GI_LOOP(gi_map1_SAME)(int64_t n, void *o, const void *x_, GA_T (*f)(GA_T))
{
    GA_T       *out = (GA_T *)o;
    const GA_T *x   = (const GA_T *)x_;
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) out[i] = f(x[i]);
}

static GI_INLINE void GI_LOOP(gi_map1_BOOL)(int64_t n, void *o, const void *x_, bool (*f)(GA_T))
{
    bool       *out = (bool *)o;
    const GA_T *x   = (const GA_T *)x_;
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) out[i] = f(x[i]);
}

static GI_INLINE void GI_LOOP(gi_map1_PART)(int64_t n, void *o, const void *x_, GI_R (*f)(GA_T))
{
    GI_R       *out = (GI_R *)o;
    const GA_T *x   = (const GA_T *)x_;
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) out[i] = f(x[i]);
}

static GI_INLINE void GI_LOOP(gi_map2_SAME)(int64_t n, void *o, const void *x_, const void *y_, GA_T (*f)(GA_T, GA_T))
{
    GA_T       *out = (GA_T *)o;
    const GA_T *x = (const GA_T *)x_, *y = (const GA_T *)y_;
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) out[i] = f(x[i], y[i]);
}

static GI_INLINE void GI_LOOP(gi_map2_BOOL)(int64_t n, void *o, const void *x_, const void *y_, bool (*f)(GA_T, GA_T))
{
    bool       *out = (bool *)o;
    const GA_T *x = (const GA_T *)x_, *y = (const GA_T *)y_;
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) out[i] = f(x[i], y[i]);
}

static GI_INLINE void GI_LOOP(gi_map3_SAME)(int64_t n, void *o, const void *x_, const void *y_, const void *z_,
                                            GA_T (*f)(GA_T, GA_T, GA_T))
{
    GA_T       *out = (GA_T *)o;
    const GA_T *x = (const GA_T *)x_, *y = (const GA_T *)y_, *z = (const GA_T *)z_;
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) out[i] = f(x[i], y[i], z[i]);
}

#if GI_CLASS == 3
/* Rare arguments (huge, infinite, NaN ...) are looked for first; a part of the array that has some is copied, because out may be x,
   computed like the others, and then mended one by one. */
static GI_INLINE void GI_LOOP(gi_elementary1)(int64_t n, void *o, const void *x_, GA_T (*core)(GA_T), GI_FLAG (*rare)(GA_T),
                                              GA_T (*slow)(GA_T))
{
    for (int64_t start = 0; start < n; start += GI_MEND) {
        int64_t     m   = n - start < GI_MEND ? n - start : GI_MEND;
        GA_T       *out = (GA_T *)o + start, copy[GI_MEND];
        const GA_T *x   = (const GA_T *)x_ + start;
        GI_FLAG     any = 0;
        GI_VECTORIZE
        for (int64_t i = 0; i < m; i++) any = rare(x[i]) ? 1 : any;
        if (any) {
            memcpy(copy, x, (size_t)m * sizeof *x);
            x = copy;
        }
        GI_VECTORIZE
        for (int64_t i = 0; i < m; i++) out[i] = core(x[i]);
        if (any)
            for (int64_t i = 0; i < m; i++)
                if (rare(x[i])) out[i] = slow(x[i]);
    }
}

static GI_INLINE void GI_LOOP(gi_elementary2)(int64_t n, void *o, const void *x_, const void *y_, GA_T (*core)(GA_T, GA_T),
                                              GI_FLAG (*rare)(GA_T, GA_T), GA_T (*slow)(GA_T, GA_T))
{
    for (int64_t start = 0; start < n; start += GI_MEND) {
        int64_t     m   = n - start < GI_MEND ? n - start : GI_MEND;
        GA_T       *out = (GA_T *)o + start, copy[2][GI_MEND];
        const GA_T *x = (const GA_T *)x_ + start, *y = (const GA_T *)y_ + start;
        GI_FLAG     any = 0;
        GI_VECTORIZE
        for (int64_t i = 0; i < m; i++) any = rare(x[i], y[i]) ? 1 : any;
        if (any) {
            memcpy(copy[0], x, (size_t)m * sizeof *x);
            memcpy(copy[1], y, (size_t)m * sizeof *y);
            x = copy[0];
            y = copy[1];
        }
        GI_VECTORIZE
        for (int64_t i = 0; i < m; i++) out[i] = core(x[i], y[i]);
        if (any)
            for (int64_t i = 0; i < m; i++)
                if (rare(x[i], y[i])) out[i] = slow(x[i], y[i]);
    }
}
#endif

#define GI_ACC WIDE
#include "gpuarr_cpu.h"
#undef GI_ACC
#define GI_ACC MEAN
#include "gpuarr_cpu.h"
#undef GI_ACC
#define GI_ACC SAME
#include "gpuarr_cpu.h"
#undef GI_ACC
#define GI_ACC BOOL
#include "gpuarr_cpu.h"
#undef GI_ACC
#define GI_ACC COUNT
#include "gpuarr_cpu.h"
#undef GI_ACC

#if GI_CLASS == 3
/* ==== >>moments: nodes of the variance's tree (gpuarr.h, moments), side by side ===================================== */
/*  Until something is left out, neighbouring nodes hold equally many elements, and their counts are not stored.              */

/* Nodes of eight elements each: of rows[0][i] ... rows[7][i], relative to origin[i]. */
static void GI_LOOP(gi_node_rows)(int64_t n, const gi_nodes *to, const void *const *rows, const double *origin)
{
    double *__restrict__ s = to->s, *__restrict__ m = to->m;
    const GA_T *x0 = (const GA_T *)rows[0], *x1 = (const GA_T *)rows[1], *x2 = (const GA_T *)rows[2],
               *x3 = (const GA_T *)rows[3], *x4 = (const GA_T *)rows[4], *x5 = (const GA_T *)rows[5],
               *x6 = (const GA_T *)rows[6], *x7 = (const GA_T *)rows[7];
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) {
        double a = (double)x0[i] - origin[i], b = (double)x1[i] - origin[i], c = (double)x2[i] - origin[i],
               d = (double)x3[i] - origin[i], e = (double)x4[i] - origin[i], f = (double)x5[i] - origin[i],
               g = (double)x6[i] - origin[i], h = (double)x7[i] - origin[i];
        double m0 = gi_spread(a - e, 0.5), m1 = gi_spread(b - f, 0.5), m2 = gi_spread(c - g, 0.5), m3 = gi_spread(d - h, 0.5);
        a += e, b += f, c += g, d += h;
        m0 = m0 + m2 + gi_spread(a - c, 0.25);
        m1 = m1 + m3 + gi_spread(b - d, 0.25);
        a += c, b += d;
        s[i] = a + b;
        m[i] = m0 + m1 + gi_spread(a - b, 0.125);
    }
}

/* Nodes of one element each; NaN is left out if asked for. */
static void GI_LOOP(gi_node_widen)(int64_t n, const gi_nodes *to, const void *in, const double *origin, bool skip_nan)
{
    double *__restrict__ count = to->n, *__restrict__ s = to->s, *__restrict__ m = to->m;
    const GA_T    *x   = (const GA_T *)in;
    const uint64_t all = !skip_nan;
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) {
        double   v    = (double)x[i];
        uint64_t some = (uint64_t)(v == v) | all;
        count[i]      = gi_pick_f64(some, 1, 0);
        s[i]          = gi_pick_f64(some, v - origin[i], 0);
        m[i]          = 0;
    }
}

#if GI_JOIN(GI_WIDEST_, GA_TAG)
/* Joins nodes whose counts are the same for all i; the weights are what the formula makes of the counts. */
static void GI_LOOP(gi_node_join)(int64_t n, const gi_nodes *a, const gi_nodes *b, double ratio, double scale)
{
    double *__restrict__ s = a->s, *__restrict__ m = a->m;
    const double *other_s = b->s, *other_m = b->m;
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) {
        double t = s[i] - gi_mul_f64(ratio, other_s[i]);
        s[i]     = s[i] + other_s[i];
        m[i]     = m[i] + other_m[i] + gi_spread(t, scale);
    }
}

/* Joins nodes of any counts. */
static void GI_LOOP(gi_node_join_counted)(int64_t n, const gi_nodes *a, const gi_nodes *b)
{
    double *__restrict__ count = a->n, *__restrict__ s = a->s, *__restrict__ m = a->m;
    const double *other_count = b->n, *other_s = b->s, *other_m = b->m;
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) {
        gi_node x = { count[i], s[i], m[i] }, y = { other_count[i], other_s[i], other_m[i] };
        x        = gi_join_nodes(x, y);
        count[i] = x.n;
        s[i]     = x.s;
        m[i]     = x.m;
    }
}

static void GI_LOOP(gi_node_value)(int64_t n, double *out, const gi_nodes *of, gi_moment what, bool skip_nan, int ddof)
{
    const double *count = of->n, *s = of->s, *m = of->m;
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) {
        gi_node v = { count[i], s[i], m[i] };
        out[i]    = gi_moment_value(what, skip_nan, ddof, v);
    }
}

static const gi_node_loops GI_LOOP(gi_node_loops) = { GI_LOOP(gi_node_rows), GI_LOOP(gi_node_widen), GI_LOOP(gi_node_join),
                                                      GI_LOOP(gi_node_join_counted), GI_LOOP(gi_node_value) };
#else
static const gi_node_loops GI_LOOP(gi_node_loops) = { GI_LOOP(gi_node_rows), GI_LOOP(gi_node_widen), NULL, NULL, NULL };
#endif
#endif

#if GI_CLASS == 3
/* ==== >>scans: running sums and products (gpuarr.h, cumsum) ========================================================== */
/*  A block has n rows of `width` elements: of one line, or of as many side by side.                                           */

#if GI_JOIN(GI_WIDEST_, GA_TAG)
/* Two steps of the tree at once: each element joins the one d before it, and what that makes its neighbour 2 d before. */
static GI_INLINE void GI_LOOP(gi_scan_steps)(int64_t n, int64_t d, double *out, const double *x, double (*join)(double, double))
{
    double *__restrict__ o = out;
    const double *x1 = x - d, *x2 = x - 2 * d, *x3 = x - 3 * d;
    int64_t       stop[3];
    for (int k = 0; k < 3; k++) stop[k] = (k + 1) * d < n ? (k + 1) * d : n;
    memcpy(o, x, (size_t)stop[0] * sizeof *o);
    GI_VECTORIZE
    for (int64_t i = stop[0]; i < stop[1]; i++) o[i] = join(x[i], x1[i]);
    GI_VECTORIZE
    for (int64_t i = stop[1]; i < stop[2]; i++) o[i] = join(join(x[i], x1[i]), x2[i]);
    GI_VECTORIZE
    for (int64_t i = stop[2]; i < n; i++) o[i] = join(join(x[i], x1[i]), join(x2[i], x3[i]));
}

/* By way of a and b, one of which x may be; returns where the result is. */
static GI_INLINE const double *GI_LOOP(gi_scan_block)(int64_t n, int64_t width, const double *x, double *a, double *b,
                                                      double (*join)(double, double))
{
    for (int64_t d = 1; d < n; d *= 4) {
        double *to = x == a ? b : a;
        GI_LOOP(gi_scan_steps)(n * width, d * width, to, x, join);
        x = to;
    }
    return x;
}

/* What the last row of a whole block becomes, in the first row of a: neighbours are joined, and again those. */
static GI_INLINE void GI_LOOP(gi_scan_last)(int64_t width, const double *x, double *a, double (*join)(double, double))
{
    for (int64_t n = GI_BLOCK / 2; n > 0; n /= 2, x = a) {
        if (width == 1) {
            GI_VECTORIZE
            for (int64_t i = 0; i < n; i++) a[i] = join(x[2 * i + 1], x[2 * i]);
            continue;
        }
        for (int64_t i = 0; i < n; i++) {
            const double *two = x + 2 * i * width;
            GI_VECTORIZE
            for (int64_t k = 0; k < width; k++) a[i * width + k] = join(two[width + k], two[k]);
        }
    }
}

static const double *GI_LOOP(gi_scan_of)(bool product, int64_t n, int64_t width, const double *x, double *a, double *b)
{
    return product ? GI_LOOP(gi_scan_block)(n, width, x, a, b, gi_mul_f64)
                   : GI_LOOP(gi_scan_block)(n, width, x, a, b, gi_add_f64);
}

static void GI_LOOP(gi_scan_last_of)(bool product, int64_t width, const double *x, double *a)
{
    if (product) GI_LOOP(gi_scan_last)(width, x, a, gi_mul_f64);
    else GI_LOOP(gi_scan_last)(width, x, a, gi_add_f64);
}
#endif

/* n elements joined with what came before them: before[0] for all, or before[i] each; NULL: nothing. */
static void GI_LOOP(gi_scan_finish)(bool product, int64_t n, void *to, const double *before, bool each, const double *x)
{
    GA_T *__restrict__ out = (GA_T *)to;
    if (!before) {
        GI_VECTORIZE
        for (int64_t i = 0; i < n; i++) out[i] = (GA_T)x[i];
    } else if (each) {
        for (int64_t i = 0; i < n; i++) out[i] = (GA_T)(product ? gi_mul_f64(before[i], x[i]) : before[i] + x[i]);
    } else {
        const double one = *before;
        GI_VECTORIZE
        for (int64_t i = 0; i < n; i++) out[i] = (GA_T)(product ? gi_mul_f64(one, x[i]) : one + x[i]);
    }
}

#if GI_JOIN(GI_WIDEST_, GA_TAG)
static const gi_scan_loops GI_LOOP(gi_scan_loops) = { GI_LOOP(gi_scan_of), GI_LOOP(gi_scan_last_of), GI_LOOP(gi_scan_finish) };
#else
static const gi_scan_loops GI_LOOP(gi_scan_loops) = { NULL, NULL, GI_LOOP(gi_scan_finish) };
#endif
#endif

#if GI_DENSE
/* ==== >>dense: loops that live in registers, on vectors of floats (and for matrix products of integers) ============= */
/*  The lanes of a vector belong to different elements of the result. Each of these goes through the same chain of operations,
    however wide the vector is: so every instruction set gives the same bits.                                                 */
GI_BEGIN_FAST
/* clang-format off */
#define GI_W         GI_JOIN(gi_wrap_, GA_TAG) /* the type of a lane: integers are unsigned and wrap */
#define GI_V         GI_LOOP(gi_vector)
#define GI_V_BITS    GI_LOOP(gi_vector_bits)
#define GI_WIDE      GI_LOOP(gi_vector_wide)
#define GI_NARROW    GI_LOOP(gi_vector_narrow)
#define GI_LANES     ((int)(GI_ISA_BYTES / sizeof(GA_T)))
#define GI_VFN(name) GI_LOOP(gi_v##name)
#define GI_MM_f32(name) GI_JOIN(GI_ISA_MM, name##_ps)
#define GI_MM_f64(name) GI_JOIN(GI_ISA_MM, name##_pd)
#define GI_MM           GI_JOIN(GI_MM_, GA_TAG) /* the intrinsics of this type: GI_MM(sqrt) is _mm256_sqrt_pd */
#define GI_TO_ALL_f32   "ps {%2%{1to16%}, %1, %0|%0, %1, %2%{1to16%}}"
#define GI_TO_ALL_f64   "pd {%2%{1to8%}, %1, %0|%0, %1, %2%{1to8%}}"
#define GI_TO_ALL       GI_JOIN(GI_TO_ALL_, GA_TAG) /* 512-bit: operands in both syntaxes (-masm), one of them *x for all lanes */
/* clang-format on */
typedef GI_W GI_V __attribute__((vector_size(GI_ISA_BYTES)));

static GI_INLINE GI_V GI_VFN(load)(const GI_W *p)
{
    GI_V v;
    memcpy(&v, p, sizeof v);
    return v;
}

static GI_INLINE void GI_VFN(store)(GI_W *p, GI_V v) { memcpy(p, &v, sizeof v); }

static GI_INLINE GI_V GI_VFN(all)(GI_W x) /* x in every lane */
{
    const GI_V zero = { 0 };
    return x - zero;
}

#if GI_CLASS == 3
typedef GI_FLAG GI_V_BITS __attribute__((vector_size(GI_ISA_BYTES)));
typedef double  GI_WIDE __attribute__((vector_size(GI_ISA_BYTES)));
typedef float   GI_NARROW __attribute__((vector_size(GI_ISA_BYTES / 2)));

static GI_INLINE void GI_VFN(stream)(GA_T *p, GI_V v) /* past the caches; p is aligned to the vector */
{
#ifdef GI_ISA_MM
    GI_MM(stream)(p, v);
#else
    GI_VFN(store)(p, v);
#endif
}

static GI_INLINE void GI_VFN(fence)(void) /* after streams: other threads see what was written */
{
#ifdef GI_ISA_MM
    _mm_sfence();
#endif
}

/* Keeps v in a register: gcc would load it from memory again in each instruction that uses it. */
static GI_INLINE GI_V GI_VFN(pin)(GI_V v)
{
#ifdef GI_ISA_MM
    __asm__("" : "+v"(v));
#endif
    return v;
}

static GI_INLINE GI_V GI_VFN(fma)(GI_V a, GI_V b, GI_V c) /* a * b + c, rounded once */
{
#ifdef GI_ISA_MM
    return GI_MM(fmadd)(a, b, c);
#else
    for (int i = 0; i < GI_LANES; i++) c[i] = GI_NAME(gi_fma)(a[i], b[i], c[i]);
    return c;
#endif
}

/* a - *x in every lane. Between additions a broadcast costs as much as one of them, and nothing within an instruction. Compilers
   take it out if it has two uses; hence the assembler. */
static GI_INLINE GI_V GI_VFN(less)(GI_V a, const GA_T *x)
{
#if GI_ISA_BYTES == 64
    __asm__("vsub" GI_TO_ALL : "=v"(a) : "v"(a), "m"(*x));
    return a;
#else
    return a - GI_VFN(all)(*x);
#endif
}

static GI_INLINE GI_V GI_VFN(sqrt)(GI_V a)
{
#ifdef GI_ISA_MM
    return GI_MM(sqrt)(a);
#else
    for (int i = 0; i < GI_LANES; i++) a[i] = GI_NAME(gi_root)(a[i]);
    return a;
#endif
}

static GI_INLINE GI_V GI_VFN(abs)(GI_V a)
{
    const GI_V_BITS none = { 0 };
    return (GI_V)((GI_V_BITS)a & (none + ((GI_FLAG)-1 >> 1)));
}

static GI_INLINE GI_V GI_VFN(max)(GI_V a, GI_V b) /* the larger one, NaN if any is NaN */
{
    const GI_V_BITS first = (GI_V_BITS)(a > b) | (GI_V_BITS)(a != a);
    return (GI_V)(((GI_V_BITS)a & first) | ((GI_V_BITS)b & ~first));
}

/* ---- distances ------------------------------------------------------------------------------------------------------ */
/*  A tile is GI_DISTANCE_TILE rows of x against some vectors, whose lanes are rows of y, that is columns of the result. Its sums
    stay in registers over the features, each its own chain. The rows of y are laid beside each other before. A vector takes a
    subtraction and a fused product, for cityblock a subtraction, an absolute value and a sum: two and three instructions. How
    many of these a processor starts in a cycle, and not memory, is the limit if there are many features.                  */

#ifdef GI_ISA_MM
#define GI_DISTANCE_VECTORS GI_ISA_TILE
#else
#define GI_DISTANCE_VECTORS 1 /* it is slow without fma in any case: save compile time */
#endif

/* The larger one of numbers without a sign, NaN if any is NaN: they are ordered as their bits. */
static GI_INLINE GI_V GI_VFN(longest)(GI_V a, GI_V b)
{
    const GI_V_BITS x = (GI_V_BITS)a, y = (GI_V_BITS)b, first = (GI_V_BITS)(x > y);
    return (GI_V)((x & first) | (y & ~first));
}

static GI_INLINE GI_V GI_VFN(add_distance)(ga_metric metric, GI_V sum, const GA_T *x, GI_V y, GI_V one)
{
    const GI_V d = GI_VFN(less)(y, x);
    (void)one;
    switch (metric) {
    case GA_CITYBLOCK:
#ifdef GI_ISA_MM
        return GI_VFN(fma)(GI_VFN(abs)(d), one, sum); /* the same sum, for processors that multiply beside their adders */
#else
        return sum + GI_VFN(abs)(d);
#endif
    case GA_CHEBYSHEV: return GI_VFN(longest)(sum, GI_VFN(abs)(d));
    case GA_COSINE: return GI_VFN(fma)(GI_VFN(all)(*x), y, sum);
    default: return GI_VFN(fma)(d, d, sum);
    }
}

static GI_INLINE GI_V GI_VFN(cosine_distance)(GI_V product, GI_V lengths) /* as gi_cosine_distance */
{
    const GI_V      zero = { 0 }, two = GI_VFN(all)(2), d = GI_VFN(all)(1) - product / lengths;
    const GI_V_BITS below = (GI_V_BITS)(d < zero), above = (GI_V_BITS)(d > two);
    return (GI_V)(((GI_V_BITS)d & ~(below | above)) | ((GI_V_BITS)two & above));
}

typedef struct GI_LOOP(gi_distance_tile) {
    const GA_T *x[GI_DISTANCE_TILE], *y; /* rows; packed columns */
    int64_t     features;                /* to be added to */
    const GA_T *from;                    /* these sums; NULL: to 0 */
    GA_T       *to[GI_DISTANCE_TILE];    /* rows for the sums, or with the `last` features for the distances */
    const GA_T *x_norms, *y_norms;
    bool        last, root, stream;
} GI_LOOP(gi_distance_tile);

static GI_INLINE void GI_LOOP(gi_fill_tile)(ga_metric metric, int vectors, const GI_LOOP(gi_distance_tile) * t)
{
    const GI_V one = GI_VFN(pin)(GI_VFN(all)(1)), zero = { 0 };
    GI_V       sums[GI_DISTANCE_TILE][GI_DISTANCE_VECTORS];
    GI_UNROLL
    for (int r = 0; r < GI_DISTANCE_TILE; r++) {
        GI_UNROLL
        for (int c = 0; c < vectors; c++) sums[r][c] = t->from ? GI_VFN(load)(t->from + (r * vectors + c) * GI_LANES) : zero;
    }
    for (int64_t k = 0; k < t->features; k++) {
        GI_V columns[GI_DISTANCE_VECTORS];
        GI_UNROLL
        for (int c = 0; c < vectors; c++) columns[c] = GI_VFN(pin)(GI_VFN(load)(t->y + (k * vectors + c) * GI_LANES));
        GI_UNROLL
        for (int r = 0; r < GI_DISTANCE_TILE; r++) {
            GI_UNROLL
            for (int c = 0; c < vectors; c++)
                sums[r][c] = GI_VFN(add_distance)(metric, sums[r][c], t->x[r] + k, columns[c], one);
        }
    }
    GI_UNROLL
    for (int r = 0; r < GI_DISTANCE_TILE; r++) {
        GI_UNROLL
        for (int c = 0; c < vectors; c++) {
            if (metric <= GA_SQEUCLIDEAN && t->root) sums[r][c] = GI_VFN(sqrt)(sums[r][c]);
            if (metric == GA_COSINE && t->last)
                sums[r][c] =
                    GI_VFN(cosine_distance)(sums[r][c], GI_VFN(all)(t->x_norms[r]) * GI_VFN(load)(t->y_norms + c * GI_LANES));
        }
    }
    if (t->stream) {
        GI_UNROLL
        for (int r = 0; r < GI_DISTANCE_TILE; r++) {
            GI_UNROLL
            for (int c = 0; c < vectors; c++) GI_VFN(stream)(t->to[r] + c * GI_LANES, sums[r][c]);
        }
    } else {
        GI_UNROLL
        for (int r = 0; r < GI_DISTANCE_TILE; r++) {
            GI_UNROLL
            for (int c = 0; c < vectors; c++) GI_VFN(store)(t->to[r] + c * GI_LANES, sums[r][c]);
        }
    }
}

/* Wide tiles have a loop for each kind of chain. */
static GI_INLINE void GI_LOOP(gi_fill_wide_tile)(ga_metric metric, const GI_LOOP(gi_distance_tile) * t)
{
    switch (metric) {
    case GA_CITYBLOCK: GI_LOOP(gi_fill_tile)(GA_CITYBLOCK, GI_DISTANCE_VECTORS, t); break;
    case GA_CHEBYSHEV: GI_LOOP(gi_fill_tile)(GA_CHEBYSHEV, GI_DISTANCE_VECTORS, t); break;
    case GA_COSINE: GI_LOOP(gi_fill_tile)(GA_COSINE, GI_DISTANCE_VECTORS, t); break;
    default: GI_LOOP(gi_fill_tile)(GA_SQEUCLIDEAN, GI_DISTANCE_VECTORS, t);
    }
}

/* Lays n features of `rows` rows of y, `stride` elements apart, beside each other; lanes without a row repeat the last one. */
static void GI_LOOP(gi_pack_rows)(const GA_T *y, int64_t stride, int64_t rows, int64_t n, int64_t width, GA_T *packed)
{
    enum { TOGETHER = GI_LANES < 4 ? GI_LANES : 4 }; /* rows, whose elements are written side by side */
    for (int64_t l = 0; l < width; l += TOGETHER) {
        const GA_T *row[TOGETHER];
        for (int r = 0; r < TOGETHER; r++) row[r] = y + (l + r < rows ? l + r : rows - 1) * stride;
        for (int64_t k = 0; k < n; k++) {
            GI_UNROLL
            for (int r = 0; r < TOGETHER; r++) packed[k * width + l + r] = row[r][k];
        }
    }
}

/* Writes the part of a row of a tile that belongs to the result. */
static void GI_LOOP(gi_put_distances)(const gi_distances *d, int64_t row, int64_t column, int64_t width, const GA_T *from)
{
    const int64_t left = d->columns - column, stop = left < width ? left : width;
    GA_T         *out = (GA_T *)d->out + gi_distance_place(d, row, column);
    for (int64_t l = d->condensed && row >= column ? row + 1 - column : 0; l < stop; l++) out[l * d->column_stride] = from[l];
}

/* Columns of the tile that begins `left` columns before the end: a wide one would have whole vectors to spare there. */
static GI_INLINE int64_t GI_LOOP(gi_tile_width)(int64_t left)
{
    return left <= (GI_DISTANCE_VECTORS - 1) * GI_LANES ? GI_LANES : GI_DISTANCE_VECTORS * GI_LANES;
}

/* A unit of the result: up to unit_rows rows and unit_columns columns from there. */
static void GI_LOOP(gi_distance_unit)(const gi_distances *d, int64_t row, int64_t column)
{
    enum { WIDTH = GI_DISTANCE_VECTORS * GI_LANES, FEATURES = GI_DISTANCE_PACK / (GI_DISTANCE_VECTORS * GI_ISA_BYTES) };
    GA_T          packed[FEATURES * WIDTH] __attribute__((aligned(64)));
    GA_T          sums[GI_DISTANCE_ROWS * WIDTH] __attribute__((aligned(64))); /* of all rows, if the features come in parts */
    const int64_t rows_end    = d->rows - row < d->unit_rows ? d->rows : row + d->unit_rows;
    const int64_t columns_end = d->columns - column < d->unit_columns ? d->columns : column + d->unit_columns;
    int64_t       done        = 0, width;
    do {
        GI_LOOP(gi_distance_tile) t;
        t.features = d->features - done < FEATURES ? d->features - done : (int64_t)FEATURES;
        t.last     = done + t.features == d->features;
        t.root     = t.last && d->metric == GA_EUCLIDEAN;
        GA_T *y    = packed;
        for (int64_t j = column; j < columns_end; j += width, y += t.features * width) {
            width = GI_LOOP(gi_tile_width)(d->columns - j);
            GI_LOOP(gi_pack_rows)
            ((const GA_T *)d->y + j * d->features + done, d->features, d->columns - j, t.features, width, y);
        }
        for (int64_t i = row; i < rows_end; i += GI_DISTANCE_TILE) {
            const int64_t rows = rows_end - i < GI_DISTANCE_TILE ? rows_end - i : GI_DISTANCE_TILE;
            for (int r = 0; r < GI_DISTANCE_TILE; r++)
                t.x[r] = (const GA_T *)d->x + (i + (r < rows ? r : rows - 1)) * d->features + done;
            t.x_norms = d->x_norms ? (const GA_T *)d->x_norms + i : NULL;
            t.y       = packed;
            for (int64_t j = column; j < columns_end; j += width, t.y += t.features * width) {
                width = GI_LOOP(gi_tile_width)(d->columns - j);
                if (d->condensed && j + width <= i + 1) continue;
                const bool whole = t.last && d->column_stride == 1 && rows == GI_DISTANCE_TILE && j + width <= d->columns &&
                                   !(d->condensed && i + GI_DISTANCE_TILE > j);
                GA_T *kept = d->features > FEATURES ? sums + (i - row) * WIDTH + (j - column) * GI_DISTANCE_TILE : sums;
                for (int r = 0; r < GI_DISTANCE_TILE; r++)
                    t.to[r] = whole ? (GA_T *)d->out + gi_distance_place(d, i + r, j) : kept + r * width;
                t.from    = done > 0 ? kept : NULL;
                t.y_norms = d->y_norms ? (const GA_T *)d->y_norms + j : NULL;
                t.stream  = whole && d->stream;
                if (GI_DISTANCE_VECTORS > 1 && width == WIDTH) GI_LOOP(gi_fill_wide_tile)(d->metric, &t);
                else GI_LOOP(gi_fill_tile)(d->metric, 1, &t);
                for (int r = 0; t.last && !whole && r < rows; r++)
                    GI_LOOP(gi_put_distances)(d, i + r, j, width, kept + r * width);
            }
        }
        done += t.features;
    } while (done < d->features);
    GI_VFN(fence)();
}

/* ---- clipping ---- */
static GI_INLINE uint64_t GI_VFN(at_most)(GI_V a, GI_V b) /* bit i: a[i] <= b[i] */
{
#if !defined(GI_ISA_MM)
    uint64_t bits = 0;
    for (int i = 0; i < GI_LANES; i++) bits |= (uint64_t)(a[i] <= b[i]) << i;
    return bits;
#elif GI_ISA_BYTES == 64
    return (uint64_t)GI_JOIN(GI_MM(cmp), _mask)(a, b, _CMP_LE_OQ);
#else
    return (uint64_t)(uint32_t)GI_MM(movemask)(GI_MM(cmp)(a, b, _CMP_LE_OQ));
#endif
}

/* Bit i % 64 of in[i / 64]: x[i] lies between or on the bounds. What it counts is added to `sum`. */
static void GI_LOOP(gi_sift)(int64_t n, const void *x_, const void *bounds, uint64_t *in, gi_sifted *sum)
{
    const GA_T     *x   = (const GA_T *)x_;
    const GI_V      low = GI_VFN(all)(((const GA_T *)bounds)[0]), high = GI_VFN(all)(((const GA_T *)bounds)[1]);
    const GI_V      zero = { 0 };
    const GI_V_BITS none = { 0 };
    GI_V_BITS       odd  = none;
    GA_T            rest[64];
    for (int64_t i = 0; i < n; i += 64) {
        const GA_T *p   = x + i;
        uint64_t    all = ~(uint64_t)0, more = 0, less = 0;
        if (n - i < 64) {
            memset(rest, 0, sizeof rest);
            memcpy(rest, p, (size_t)(n - i) * sizeof *p);
            all = ((uint64_t)1 << (n - i)) - 1;
            p   = rest;
        }
        GI_UNROLL
        for (int k = 0; k < 64; k += GI_LANES) {
            const GI_V v = GI_VFN(load)(p + k);
            more |= GI_VFN(at_most)(low, v) << k;
            less |= GI_VFN(at_most)(v, high) << k;
            odd |= (GI_V_BITS)(v * zero); /* 0 or -0, or NaN */
        }
        more &= all;
        in[i / 64] = more & less;
        sum->from_low += __builtin_popcountll(more);
        sum->inside += __builtin_popcountll(more & less);
    }
    odd &= none + ((GI_FLAG)-1 >> 1);
    for (int i = 0; i < GI_LANES; i++)
        if (odd[i]) sum->odd = true;
}

static GI_INLINE GI_V GI_VFN(least)(GI_V a, GI_V b) /* of numbers; which zero does not matter */
{
#ifdef GI_ISA_MM
    return GI_MM(min)(a, b);
#else
    for (int i = 0; i < GI_LANES; i++) a[i] = a[i] < b[i] ? a[i] : b[i];
    return a;
#endif
}

static GI_INLINE GI_V GI_VFN(greatest)(GI_V a, GI_V b)
{
#ifdef GI_ISA_MM
    return GI_MM(max)(a, b);
#else
    for (int i = 0; i < GI_LANES; i++) a[i] = a[i] > b[i] ? a[i] : b[i];
    return a;
#endif
}

/* Widens range[0] .. range[1] until it holds n elements, none of them NaN. Of -0 and 0 it may hold either. */
static void GI_LOOP(gi_widen_range)(int64_t n, const void *x_, void *range)
{
    GA_T       *r = (GA_T *)range;
    const GA_T *x = (const GA_T *)x_;
    GI_V        low[4], high[4];
    int64_t     i = 0;
    for (int k = 0; k < 4; k++) low[k] = GI_VFN(all)(r[0]), high[k] = GI_VFN(all)(r[1]);
    for (; i + 4 * GI_LANES <= n; i += 4 * GI_LANES) {
        GI_UNROLL
        for (int k = 0; k < 4; k++) {
            const GI_V v = GI_VFN(load)(x + i + k * GI_LANES);
            low[k]       = GI_VFN(least)(low[k], v);
            high[k]      = GI_VFN(greatest)(high[k], v);
        }
    }
    for (int k = 1; k < 4; k++) low[0] = GI_VFN(least)(low[0], low[k]), high[0] = GI_VFN(greatest)(high[0], high[k]);
    for (int k = 0; k < GI_LANES; k++) {
        if (low[0][k] < r[0]) r[0] = low[0][k];
        if (high[0][k] > r[1]) r[1] = high[0][k];
    }
    for (; i < n; i++) {
        if (x[i] < r[0]) r[0] = x[i];
        if (x[i] > r[1]) r[1] = x[i];
    }
}

static GI_INLINE GI_WIDE GI_VFN(wide)(const GA_T *p) /* as float64, as many as fit */
{
    GI_WIDE w;
    if (sizeof *p == sizeof(double)) {
        memcpy(&w, p, sizeof w);
    } else {
#ifdef GI_ISA_MM
        GI_NARROW half;
        memcpy(&half, p, sizeof half);
        w = GI_JOIN(GI_ISA_MM, cvtps_pd)(half);
#else
        for (int i = 0; i < (int)(GI_ISA_BYTES / sizeof(double)); i++) w[i] = (double)p[i];
#endif
    }
    return w;
}

static GI_INLINE GI_WIDE GI_VFN(clamp)(GI_WIDE v, GI_WIDE low, GI_WIDE high) /* NaN becomes low */
{
#ifdef GI_ISA_MM
    return GI_MM_f64(min)(GI_MM_f64(max)(v, low), high);
#else
    for (int i = 0; i < (int)(GI_ISA_BYTES / sizeof(double)); i++) {
        v[i] = v[i] > low[i] ? v[i] : low[i];
        v[i] = v[i] < high[i] ? v[i] : high[i];
    }
    return v;
#endif
}

/* In no certain order: for what need not be known to the last bit. */
static void GI_LOOP(gi_sum_clamped)(int64_t n, const void *x_, const double *range, double *sums)
{
    enum { LANES = GI_ISA_BYTES / sizeof(double) };
    const GI_WIDE zero = { 0 }, low = range[0] - zero, high = range[1] - zero, center = range[2] - zero;
    GI_WIDE       sum[2] = { zero, zero }, squares[2] = { zero, zero };
    const GA_T   *x = (const GA_T *)x_;
    for (int64_t i = 0; i < n; i += 2 * LANES) {
        GA_T        rest[2 * LANES];
        const GA_T *p = x + i;
        if (n - i < 2 * LANES) {
            for (int k = 0; k < 2 * LANES; k++) rest[k] = i + k < n ? p[k] : (GA_T)range[2];
            p = rest;
        }
        GI_UNROLL
        for (int k = 0; k < 2; k++) {
            const GI_WIDE d = GI_VFN(clamp)(GI_VFN(wide)(p + k * LANES), low, high) - center;
            sum[k] += d;
            squares[k] += d * d;
        }
    }
    for (int k = 0; k < LANES; k++) {
        sums[0] += sum[0][k] + sum[1][k];
        sums[1] += squares[0][k] + squares[1][k];
    }
}

/* ---- convolutions -------------------------------------------------------------------------------------------------- */

/* A row of x for the rows first .. last - 1 of a tile: row r of the results takes it with the weights r rows before these. */
static GI_INLINE void GI_LOOP(gi_take_row)(GI_V sums[GI_TAP_ROWS][GI_ISA_TILE], const gi_taps *t, const GA_T *x,
                                           const GA_T *weights, int first, int last)
{
    for (int64_t v = 0; v < t->width; v++) {
        GI_V part[GI_ISA_TILE];
        GI_UNROLL
        for (int c = 0; c < GI_ISA_TILE; c++) part[c] = GI_VFN(pin)(GI_VFN(load)(x + v * t->step + c * GI_LANES));
        GI_UNROLL
        for (int r = 0; r < GI_TAP_ROWS; r++) {
            if (r < first || r >= last) continue;
            const GI_V weight = GI_VFN(all)(weights[v - r * t->width]);
            GI_UNROLL
            for (int c = 0; c < GI_ISA_TILE; c++) sums[r][c] = GI_VFN(fma)(weight, part[c], sums[r][c]);
        }
    }
}

/* Tiles of 4 rows, so that each vector of x is loaded once for 4 weights. For 3 or more rows of weights. */
static void GI_LOOP(gi_correlate_tiles)(const gi_taps *t, int64_t rows, int64_t columns, const void *x_, void *sums_,
                                        int64_t pitch, bool begin)
{
    enum { COLUMNS = GI_ISA_TILE * GI_LANES };
    for (int64_t i = 0; i < rows; i += GI_TAP_ROWS) {
        if (i + GI_TAP_ROWS > rows) i = rows - GI_TAP_ROWS; /* some once more */
        for (int64_t j = 0; j < columns; j += COLUMNS) {
            if (j + COLUMNS > columns) j = columns - COLUMNS;
            const GA_T *x = (const GA_T *)x_ + i * t->pitch + j, *w = (const GA_T *)t->weights;
            GA_T       *to = (GA_T *)sums_ + i * pitch + j;
            GI_V        sums[GI_TAP_ROWS][GI_ISA_TILE];
            GI_UNROLL
            for (int r = 0; r < GI_TAP_ROWS; r++) {
                GI_UNROLL
                for (int c = 0; c < GI_ISA_TILE; c++)
                    sums[r][c] = begin ? GI_VFN(all)(GA_FN(nothing)()) : GI_VFN(load)(to + r * pitch + c * GI_LANES);
            }
            GI_LOOP(gi_take_row)(sums, t, x, w, 0, 1);
            GI_LOOP(gi_take_row)(sums, t, x += t->pitch, w += t->width, 0, 2);
            GI_LOOP(gi_take_row)(sums, t, x += t->pitch, w += t->width, 0, 3);
            for (int64_t u = 3; u < t->height; u++) GI_LOOP(gi_take_row)(sums, t, x += t->pitch, w += t->width, 0, 4);
            GI_LOOP(gi_take_row)(sums, t, x += t->pitch, w += t->width, 1, 4);
            GI_LOOP(gi_take_row)(sums, t, x += t->pitch, w += t->width, 2, 4);
            GI_LOOP(gi_take_row)(sums, t, x += t->pitch, w += t->width, 3, 4);
            GI_UNROLL
            for (int r = 0; r < GI_TAP_ROWS; r++) {
                GI_UNROLL
                for (int c = 0; c < GI_ISA_TILE; c++) GI_VFN(store)(to + r * pitch + c * GI_LANES, sums[r][c]);
            }
        }
    }
}

/* Each row by itself, for few rows of weights and for narrow images, whose rows lie one behind the other in one line. */
static void GI_LOOP(gi_correlate_lines)(const gi_taps *t, int64_t rows, int64_t columns, const void *x_, void *sums_,
                                        int64_t pitch, bool begin)
{
    enum { COLUMNS = GI_LINE_VECTORS * GI_LANES };
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j += COLUMNS) {
            if (j + COLUMNS > columns) j = columns - COLUMNS; /* some once more */
            const GA_T *x = (const GA_T *)x_ + i * t->pitch + j, *w = (const GA_T *)t->weights;
            GA_T       *to = (GA_T *)sums_ + i * pitch + j;
            GI_V        sums[GI_LINE_VECTORS];
            GI_UNROLL
            for (int c = 0; c < GI_LINE_VECTORS; c++)
                sums[c] = begin ? GI_VFN(all)(GA_FN(nothing)()) : GI_VFN(load)(to + c * GI_LANES);
            for (int64_t u = 0; u < t->height; u++)
                for (int64_t v = 0; v < t->width; v++, w++) {
                    const GA_T *from   = x + u * t->pitch + v * t->step;
                    const GI_V  weight = GI_VFN(all)(*w);
                    GI_UNROLL
                    for (int c = 0; c < GI_LINE_VECTORS; c++)
                        sums[c] = GI_VFN(fma)(weight, GI_VFN(load)(from + c * GI_LANES), sums[c]);
                }
            GI_UNROLL
            for (int c = 0; c < GI_LINE_VECTORS; c++) GI_VFN(store)(to + c * GI_LANES, sums[c]);
        }
}

static const gi_dense GI_LOOP(gi_dense) = {
    GI_LANES,
    GI_DISTANCE_VECTORS,
    GI_LOOP(gi_distance_unit),
    GI_LOOP(gi_sift),
    GI_LOOP(gi_sum_clamped),
    GI_LOOP(gi_widen_range),
    { GI_ISA_TILE * GI_LANES, GI_LOOP(gi_correlate_tiles) },
    { GI_LINE_VECTORS * GI_LANES, GI_LOOP(gi_correlate_lines) },
};

#else
static GI_INLINE GI_V      GI_VFN(fma)(GI_V a, GI_V b, GI_V c) { return a * b + c; }
#endif

/* ---- matrix products: a tile of `rows` rows, each `wide` vectors, of out ------------------------------------------------ */
/* To out, or to nothing, n products a[r][k] * b[k][j] are added in the order of k. Rows are so many bytes apart. */
static GI_INLINE void GI_LOOP(gi_tile_of)(const int rows, const int wide, int64_t n, const char *a, int64_t a_row,
                                          const char *b, int64_t b_row, char *out, int64_t out_row, bool more)
{
    GI_V sums[GI_TILE_ROWS][2];
    GI_UNROLL
    for (int r = 0; r < rows; r++) {
        GI_UNROLL
        for (int v = 0; v < wide; v++)
            sums[r][v] =
                more ? GI_VFN(load)((const GI_W *)(const void *)(out + r * out_row) + v * GI_LANES) : GI_VFN(all)((GI_W)-0.0);
    }
    for (; n > 0; n--, a += sizeof(GI_W), b += b_row) {
        GI_V row[2];
        GI_UNROLL
        for (int v = 0; v < wide; v++) row[v] = GI_VFN(load)((const GI_W *)(const void *)b + v * GI_LANES);
        GI_UNROLL
        for (int r = 0; r < rows; r++) {
            const GI_V factor = GI_VFN(all)(*(const GI_W *)(const void *)(a + r * a_row));
            GI_UNROLL
            for (int v = 0; v < wide; v++) sums[r][v] = GI_VFN(fma)(factor, row[v], sums[r][v]);
        }
    }
    GI_UNROLL
    for (int r = 0; r < rows; r++) {
        GI_UNROLL
        for (int v = 0; v < wide; v++) GI_VFN(store)((GI_W *)(void *)(out + r * out_row) + v * GI_LANES, sums[r][v]);
    }
}

static void GI_LOOP(gi_tile)(int rows, int wide, int64_t n, const char *a, int64_t a_row, const char *b, int64_t b_row,
                             char *out, int64_t out_row, bool more)
{
#define GI_CASE(r)                                                                                                             \
    case r:                                                                                                                    \
        if (wide == 2) GI_LOOP(gi_tile_of)(r, 2, n, a, a_row, b, b_row, out, out_row, more);                                   \
        else GI_LOOP(gi_tile_of)(r, 1, n, a, a_row, b, b_row, out, out_row, more);                                             \
        break;
    switch (rows) {
        GI_CASE(1)
        GI_CASE(2)
#if GI_ISA_ROWS > 4
        GI_CASE(4)
#endif
    default: GI_CASE(GI_ISA_ROWS)
    }
#undef GI_CASE
}

#if GI_CLASS == 3
/* out[j], or nothing, + the sum over r of a[r] * b[r][j], in the order of r: `rows` long rows at once. */
static GI_INLINE void GI_LOOP(gi_row_of)(const int rows, int64_t n, const char *a, int64_t a_step, const char *b, int64_t b_row,
                                         GA_T *out, bool more)
{
    GI_V    factor[8];
    int64_t j = 0;
    GI_UNROLL
    for (int r = 0; r < rows; r++) factor[r] = GI_VFN(all)(*(const GA_T *)(const void *)(a + r * a_step));
    for (; j + GI_LANES <= n; j += GI_LANES) {
        GI_V sum = more ? GI_VFN(load)(out + j) : GI_VFN(all)(GA_FN(nothing)());
        GI_UNROLL
        for (int r = 0; r < rows; r++)
            sum = GI_VFN(fma)(factor[r], GI_VFN(load)((const GA_T *)(const void *)(b + r * b_row) + j), sum);
        GI_VFN(store)(out + j, sum);
    }
    for (; j < n; j++) {
        GA_T sum = more ? out[j] : GA_FN(nothing)();
        for (int r = 0; r < rows; r++)
            sum = GA_FN(fma)(*(const GA_T *)(const void *)(a + r * a_step), ((const GA_T *)(const void *)(b + r * b_row))[j],
                             sum);
        out[j] = sum;
    }
}

/* A row of a matrix product, b's rows being read from one end to the other. */
static void GI_LOOP(gi_row)(int64_t inner, int64_t n, const char *a, int64_t a_step, const char *b, int64_t b_row, void *out)
{
    int64_t k = 0;
    for (; k + 8 <= inner; k += 8) GI_LOOP(gi_row_of)(8, n, a + k * a_step, a_step, b + k * b_row, b_row, (GA_T *)out, k > 0);
    for (; k < inner; k++) GI_LOOP(gi_row_of)(1, n, a + k * a_step, a_step, b + k * b_row, b_row, (GA_T *)out, k > 0);
}
#define GI_ROW GI_LOOP(gi_row)
#else
#define GI_ROW NULL
#endif

#if GI_CLASS == 3 && defined(GI_ISA_MM)
/* ---- matrices that lie across: squares of them are turned round in registers (gi_turn, below) ---------------------------- */
#define GI_Q              GI_JOIN(GI_Q_, GA_TAG)
#define GI_Q_f32          __m256
#define GI_Q_f64          __m256d
#define GI_Q_MM_f32(name) _mm256_##name##_ps
#define GI_Q_MM_f64(name) _mm256_##name##_pd
#define GI_Q_MM           GI_JOIN(GI_Q_MM_, GA_TAG)
#define GI_SIDE           ((int)(16 / sizeof(GA_T))) /* elements of each line that are turned at once, */
#define GI_LINES          (2 * GI_SIDE)              /* and of how many lines */
#define GI_TURN           GI_JOIN(gi_turn_, GI_JOIN(GA_TAG, GI_JOIN(_, GI_ISA)))

/* out[l][i] = in[i][l], rows of out `next` elements apart, rows of in `step` bytes */
static void GI_LOOP(gi_pack_across)(int64_t lines, int64_t n, void *out_, int64_t next, const char *in, int64_t step)
{
    GA_T         *out   = (GA_T *)out_;
    const int64_t l_end = lines / GI_SIDE * GI_SIDE, i_end = n / GI_LINES * GI_LINES;
    for (int64_t i = 0; i < i_end; i += GI_LINES)
        for (int64_t l = 0; l < l_end; l += GI_SIDE) {
            GI_Q turned[GI_SIDE];
            GI_TURN(in + i * step + l * (int64_t)sizeof(GA_T), step, turned);
            GI_UNROLL
            for (int s = 0; s < GI_SIDE; s++) GI_Q_MM(storeu)(out + (l + s) * next + i, turned[s]);
        }
    for (int64_t l = 0; l < lines; l++)
        for (int64_t i = l < l_end ? i_end : 0; i < n; i++)
            out[l * next + i] = ((const GA_T *)(const void *)(in + i * step))[l];
}

/* gi_chains of lines that are packed: groups * GI_LINES of them, b packed as well, or shared by all and `times` lines of it. */
static GI_INLINE void GI_LOOP(gi_lines_of)(const int groups, const int times, const bool shared, int64_t n, char *out,
                                           const char *a, const char *b, const gi_chaining *j)
{
    const bool short_ = j->a_next < 4096; /* too short for the processor to see what comes next */
    GI_Q       sums[2][3];
    GA_T       sum[3][2 * GI_LINES];
    int64_t    k = 0;
    GI_UNROLL
    for (int g = 0; g < groups; g++) {
        GI_UNROLL
        for (int t = 0; t < times; t++) sums[g][t] = GI_Q_MM(set1)(GA_FN(nothing)());
    }
    for (; k + 4 * GI_SIDE <= n; k += 4 * GI_SIDE) { /* whole cache lines: those of all lines may compete for one place */
        const int64_t at = k * (int64_t)sizeof(GA_T);
        GI_UNROLL
        for (int g = 0; g < groups; g++) {
            GI_UNROLL
            for (int i = 0; i < GI_LINES && short_; i++)
                __builtin_prefetch(a + ((g + groups) * GI_LINES + i) * j->a_next + at, 0, 2);
            GI_UNROLL
            for (int part = 0; part < 4; part++) {
                GI_Q x[GI_SIDE], y[GI_SIDE];
                GI_TURN(a + g * GI_LINES * j->a_next + at + part * 16, j->a_next, x);
                if (!shared) GI_TURN(b + g * GI_LINES * j->b_next + at + part * 16, j->b_next, y);
                GI_UNROLL
                for (int s = 0; s < GI_SIDE; s++) {
                    const char *factor = b + (k + part * GI_SIDE + s) * j->b_step;
                    GI_UNROLL
                    for (int t = 0; t < times; t++) {
                        if (shared) y[s] = GI_Q_MM(set1)(*(const GA_T *)(const void *)(factor + t * j->b_again));
                        sums[g][t] = GI_Q_MM(fmadd)(x[s], y[s], sums[g][t]);
                    }
                }
            }
        }
    }
    GI_UNROLL
    for (int g = 0; g < groups; g++) {
        GI_UNROLL
        for (int t = 0; t < times; t++) GI_Q_MM(storeu)(&sum[t][g * GI_LINES], sums[g][t]);
    }
    for (int t = 0; t < times; t++) {
        for (int64_t rest = k; rest < n; rest++)
            for (int i = 0; i < groups * GI_LINES; i++)
                sum[t][i] =
                    GA_FN(fma)(((const GA_T *)(const void *)(a + i * j->a_next))[rest],
                               *(const GA_T *)(const void *)(b + i * j->b_next + rest * j->b_step + t * j->b_again), sum[t][i]);
        for (int i = 0; i < groups * GI_LINES; i++) *(GA_T *)(void *)(out + i * j->out_next + t * j->out_again) = sum[t][i];
    }
}

/* As many of the chains as can be computed so; returns how many were. */
static int64_t GI_LOOP(gi_lines)(int64_t count, int times, int64_t n, char *out, const char *a, const char *b,
                                 const gi_chaining *j)
{
    const bool shared = j->b_next == 0;
    int64_t    i      = 0;
    if (n < 4 * GI_SIDE || j->a_step != (int64_t)sizeof(GA_T) || (!shared && j->b_step != (int64_t)sizeof(GA_T))) return 0;
    for (; i + 2 * GI_LINES <= count; i += 2 * GI_LINES) {
        char       *to   = out + i * j->out_next;
        const char *from = a + i * j->a_next;
        if (!shared) GI_LOOP(gi_lines_of)(2, 1, false, n, to, from, b + i * j->b_next, j);
        else if (times == 1) GI_LOOP(gi_lines_of)(2, 1, true, n, to, from, b, j);
        else if (times == 2) GI_LOOP(gi_lines_of)(2, 2, true, n, to, from, b, j);
        else GI_LOOP(gi_lines_of)(2, 3, true, n, to, from, b, j);
    }
    return i;
}
#define GI_PACK_ACROSS    GI_LOOP(gi_pack_across)
#else
#define GI_PACK_ACROSS NULL
#endif
static const gi_product_tiles GI_LOOP(gi_product_tiles) = { GI_ISA_ROWS,      GI_ISA_BYTES, sizeof(GI_W),
                                                            GI_LOOP(gi_tile), GI_ROW,       GI_PACK_ACROSS };
#undef GI_ROW
#undef GI_PACK_ACROSS

#undef GI_W
#undef GI_DISTANCE_VECTORS
#undef GI_V
#undef GI_V_BITS
#undef GI_WIDE
#undef GI_NARROW
#undef GI_LANES
#undef GI_VFN
#undef GI_MM_f32
#undef GI_MM_f64
#undef GI_MM
#undef GI_TO_ALL_f32
#undef GI_TO_ALL_f64
#undef GI_TO_ALL
#undef GI_Q
#undef GI_Q_f32
#undef GI_Q_f64
#undef GI_Q_MM_f32
#undef GI_Q_MM_f64
#undef GI_Q_MM
#undef GI_SIDE
#undef GI_LINES
#undef GI_TURN
GI_END_FAST
#endif

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
        for (int t = 0; t < times; t++) sum[i][t] = GA_FN(nothing)();
    }
    const int64_t a_step = j->a_step, b_step = j->b_step, b_again = j->b_again;
    for (int64_t k = 0; k < n; k++, b += b_step) {
        GI_UNROLL
        for (int i = 0; i < chains; i++) {
            const GA_T factor = *(const GA_T *)(const void *)(x[i] + k * a_step);
            GI_UNROLL
            for (int t = 0; t < times; t++)
                sum[i][t] =
                    GA_FN(fma)(factor, *(const GA_T *)(const void *)(shared ? b + t * b_again : y[i] + k * b_step), sum[i][t]);
        }
    }
    GI_UNROLL
    for (int i = 0; i < chains; i++) {
        if (i == count) break;
        GI_UNROLL
        for (int t = 0; t < times; t++) *(GA_T *)(void *)(out + i * j->out_next + t * j->out_again) = sum[i][t];
    }
}

/* `times` is 1 unless b is shared by all i. */
static void GI_LOOP(gi_chains)(int64_t count, int times, int64_t n, char *out, const char *a, const char *b,
                               const gi_chaining *j)
{
    int64_t i = 0;
#if GI_CLASS == 3
#ifdef GI_ISA_MM
    i         = GI_LOOP(gi_lines)(count, times, n, out, a, b, j);
#endif
    for (; i < count && times == 3; i += 4)
        GI_LOOP(gi_chains_of)(4, 3, true, count - i, n, out + i * j->out_next, a + i * j->a_next, b, j);
    for (; i < count && times == 2; i += 4)
        GI_LOOP(gi_chains_of)(4, 2, true, count - i, n, out + i * j->out_next, a + i * j->a_next, b, j);
    for (; i < count && j->b_next == 0; i += 8)
        GI_LOOP(gi_chains_of)(8, 1, true, count - i, n, out + i * j->out_next, a + i * j->a_next, b, j);
#endif
    for (; i < count; i += 4)
        for (int t = 0; t < times; t++) GI_LOOP(gi_chains_of)
    (4, 1, false, count - i, n, out + i * j->out_next + t * j->out_again, a + i * j->a_next, b + i * j->b_next + t * j->b_again,
     j);
}

#if GI_CLASS != 3
/* ==== convolutions of what is no float: the sums of a short line stay in the cache, weight after weight =============== */
static void GI_LOOP(gi_correlate_lines)(const gi_taps *t, int64_t rows, int64_t columns, const void *x_, void *sums_,
                                        int64_t pitch, bool begin)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t start = 0; start < columns; start += GI_TAP_LINE) {
            const GA_T *x = (const GA_T *)x_ + i * t->pitch + start, *w = (const GA_T *)t->weights;
            GA_T       *sums = (GA_T *)sums_ + i * pitch + start;
            int64_t     n    = columns - start < GI_TAP_LINE ? columns - start : GI_TAP_LINE;
            if (begin)
                for (int64_t k = 0; k < n; k++) sums[k] = GA_FN(nothing)();
            for (int64_t u = 0; u < t->height; u++)
                for (int64_t v = 0; v < t->width; v++, w++) {
                    const GA_T *from   = x + u * t->pitch + v * t->step;
                    const GA_T  weight = *w;
                    GI_VECTORIZE
                    for (int64_t k = 0; k < n; k++) sums[k] = GA_FN(weigh)(sums[k], weight, from[k]);
                }
        }
}
#endif

/* clang-format off */
/* ---- >>stamp: formula x loop -> gi_add_kernel_f32_avx2 -------------------------------------------------------------- */
#define GI_KERNEL(name)  GI_LOOP(gi_kernel_##name)
#define GI_KERNEL1(name) static void GI_KERNEL(name)(int64_t n, void *o, const void *x, const void *y, const void *z)
#define GA_UNARY(name, dtypes, result, ...)                                                                             \
    GI_IF_##dtypes(GI_KERNEL1(name) { (void)y, (void)z; GI_LOOP(gi_map1_##result)(n, o, x, GI_OP(name)); })
#define GA_BINARY(name, dtypes, result, ...)                                                                            \
    GI_IF_##dtypes(GI_KERNEL1(name) { (void)z; GI_LOOP(gi_map2_##result)(n, o, x, y, GI_OP(name)); })
#define GA_TERNARY(name, dtypes, result, ...)                                                                           \
    GI_IF_##dtypes(GI_KERNEL1(name) { GI_LOOP(gi_map3_##result)(n, o, x, y, z, GI_OP(name)); })
#if GI_CLASS == 3
#define GA_ELEMENTARY(name, ...)                                                                                        \
    GI_KERNEL1(name)                                                                                                   \
    {                                                                                                                  \
        (void)y, (void)z;                                                                                              \
        GI_LOOP(gi_elementary1)(n, o, x, GA_FN(name##_core), GA_FN(name##_rare), GA_FN(name##_slow));                  \
    }
#define GA_ELEMENTARY2(name, ...)                                                                                       \
    GI_KERNEL1(name)                                                                                                   \
    {                                                                                                                  \
        (void)z;                                                                                                       \
        GI_LOOP(gi_elementary2)(n, o, x, y, GA_FN(name##_core), GA_FN(name##_rare), GA_FN(name##_slow));               \
    }
#else
#define GA_ELEMENTARY2(name, dtypes, ...)                                                                               \
    GI_IF_##dtypes(GI_KERNEL1(name) { (void)z; GI_LOOP(gi_map2_SAME)(n, o, x, y, GI_OP(name)); })
#endif

/* ---- reductions ------------------------------------------------------------------------------------------------------- */
/* Joining accumulators does not depend on the element type: that is stamped in the pass of the accumulator's own type. */
#define GI_ACCTAG_WIDE  GI_WIDE_TAG
#define GI_ACCTAG_MEAN  GI_MEAN_TAG
#define GI_ACCTAG_SAME  GA_TAG
#define GI_ACCTAG_BOOL  GA_TAG
#define GI_ACCTAG_COUNT GA_TAG
#define GI_OF_ACC(what, name, acc)                                                                                     \
    GI_JOIN(gi_##what##_##name, GI_JOIN(_, GI_JOIN(GI_ACCTAG_##acc, GI_JOIN(_, GI_ISA))))

/* The formulas of a row, and from them the loops of its gi_fold. */
#define GI_RED(name, what) GI_LOOP(gi_##what##_##name)
#define GA_FOLD(name, dtypes, acc, result, start, of_x, join_ab, end_an, ...)                                     \
    GI_IF_##dtypes(static GI_INLINE GI_NAME(gi_acc_##acc) GI_RED(name, of)(GA_T x) { return (of_x); }                   \
    static GI_INLINE GI_NAME(gi_acc_##acc) GI_RED(name, both)(GI_NAME(gi_acc_##acc) a, GI_NAME(gi_acc_##acc) b)         \
    { return (join_ab); }                                                                                              \
    static void GI_OF_ACC(join, name, acc)(int64_t n, void *a, const void *b);                                         \
    static void GI_OF_ACC(halve, name, acc)(int64_t n, void *a);                                                        \
    GI_OWN_##acc(static void GI_OF_ACC(join, name, acc)(int64_t n, void *a, const void *b)                              \
    { GI_LOOP(gi_join_##acc)(n, a, b, GI_RED(name, both)); }                                                           \
    static void GI_OF_ACC(halve, name, acc)(int64_t n, void *a)                                                         \
    { GI_LOOP(gi_halve_##acc)(n, a, GI_RED(name, both)); })                                                            \
    static void GI_RED(name, rows)(int64_t n, void *a, const void *const *rows)                                         \
    { GI_LOOP(gi_rows_##acc)(n, a, rows, GI_RED(name, of), GI_RED(name, both)); }                                       \
    static void GI_RED(name, widen)(int64_t n, void *a, const void *x)                                                  \
    { GI_LOOP(gi_widen_##acc)(n, a, x, GI_RED(name, of)); }                                                             \
    static void GI_RED(name, block)(int64_t n, void *acc, const void *x)                                                \
    { GI_LOOP(gi_block_##acc)(n, acc, x, GI_RED(name, rows), GI_RED(name, widen), GI_OF_ACC(halve, name, acc)); }        \
    static void GI_RED(name, end)(int64_t m, void *out, const void *accs, int64_t n)                                    \
    {                                                                                                                  \
        for (int64_t i = 0; i < m; i++) {                                                                              \
            const GI_NAME(gi_acc_##acc) a = ((const GI_NAME(gi_acc_##acc) *)accs)[i];                                   \
            ((GI_NAME(gi_end_##result) *)out)[i] = GI_TO_##result(end_an);                                             \
        }                                                                                                              \
        (void)n;                                                                                                       \
    })
#define GA_TABLE
#include "gpuarr.h"

/* ---- >>find: the kernel or the fold of an operation for this type; false if the row does not have it ------------------ */
#define GI_CASE(name) case GA_OP_##name: *kernel = GI_KERNEL(name); return true;
#define GA_UNARY(name, dtypes, ...)       GI_IF_##dtypes(GI_CASE(name))
#define GA_BINARY(name, dtypes, ...)      GI_IF_##dtypes(GI_CASE(name))
#define GA_TERNARY(name, dtypes, ...)     GI_IF_##dtypes(GI_CASE(name))
#define GA_ELEMENTARY(name, dtypes, ...)  GI_IF_##dtypes(GI_CASE(name))
#define GA_ELEMENTARY2(name, dtypes, ...) GI_IF_##dtypes(GI_CASE(name))
#define GA_FOLD(name, dtypes, acc, ...)                                                                            \
    GI_IF_##dtypes(case GA_OP_##name: fold->acc_bytes = (int)sizeof(GI_NAME(gi_acc_##acc)); fold->block = GI_RED(name, block); \
    fold->rows = GI_RED(name, rows); fold->widen = GI_RED(name, widen); fold->join = GI_OF_ACC(join, name, acc);       \
    fold->halve = GI_OF_ACC(halve, name, acc); fold->end = GI_RED(name, end); return true;)
static bool GI_LOOP(gi_find)(ga_op op, gi_kernel *kernel, gi_fold *fold)
{
    switch (op) {
#define GA_TABLE
#include "gpuarr.h"
    default: return false;
    }
}
#undef GI_CASE
#undef GI_KERNEL
#undef GI_KERNEL1
#undef GI_RED
#undef GI_OF_ACC
#undef GI_ACCTAG_WIDE
#undef GI_ACCTAG_MEAN
#undef GI_ACCTAG_SAME
#undef GI_ACCTAG_BOOL
#undef GI_ACCTAG_COUNT

/* Conversions to this type. */
#define GI_CAST(TAG, from, F, name)                                                                                     \
    static void GI_LOOP(gi_cast_##from)(int64_t n, void *o, const void *x_)                                             \
    {                                                                                                                  \
        GA_T    *out = (GA_T *)o;                                                                                      \
        const F *x   = (const F *)x_;                                                                                  \
        GI_VECTORIZE                                                                                                   \
        for (int64_t i = 0; i < n; i++) out[i] = GI_JOIN(GA_FN(cast), _##from)(x[i]);                                  \
    }
GI_EACH_STAMPED(GI_CAST)
#undef GI_CAST
#define GI_CAST(TAG, from, F, name)                                                                                     \
    case GA_##TAG: return GI_LOOP(gi_cast_##from);
static gi_cast_kernel GI_LOOP(gi_find_cast)(ga_dtype from)
{
    switch (from) {
        GI_EACH_STAMPED(GI_CAST)
    default: return NULL;
    }
}
#undef GI_CAST

/* clang-format on */
#endif /* GI_ISA_STAMPS */
#undef GI_LOOP
#undef GI_OP

#elif defined(GI_ISA)
/* ==== one instruction set: every element type ====================================================================== */
#ifdef GI_ISA_MM
/* turned[s] = element s of the lines 0, 1, 2 ...; lines `next` bytes apart. */
static GI_INLINE void GI_JOIN(gi_turn_f64_, GI_ISA)(const char *from, int64_t next, __m256d turned[2])
{
#define GI_HALF(i) _mm_loadu_pd((const double *)(const void *)(from + (i)*next))
    const __m256d even = _mm256_insertf128_pd(_mm256_castpd128_pd256(GI_HALF(0)), GI_HALF(2), 1);
    const __m256d odd  = _mm256_insertf128_pd(_mm256_castpd128_pd256(GI_HALF(1)), GI_HALF(3), 1);
    turned[0]          = _mm256_unpacklo_pd(even, odd);
    turned[1]          = _mm256_unpackhi_pd(even, odd);
#undef GI_HALF
}

static GI_INLINE void GI_JOIN(gi_turn_f32_, GI_ISA)(const char *from, int64_t next, __m256 turned[4])
{
#define GI_HALF(i) _mm_loadu_ps((const float *)(const void *)(from + (i)*next))
    __m256 four[4];
    GI_UNROLL
    for (int i = 0; i < 4; i++) four[i] = _mm256_insertf128_ps(_mm256_castps128_ps256(GI_HALF(i)), GI_HALF(i + 4), 1);
    const __m256 low01 = _mm256_unpacklo_ps(four[0], four[1]), low23 = _mm256_unpacklo_ps(four[2], four[3]);
    const __m256 high01 = _mm256_unpackhi_ps(four[0], four[1]), high23 = _mm256_unpackhi_ps(four[2], four[3]);
    turned[0] = _mm256_shuffle_ps(low01, low23, 0x44);
    turned[1] = _mm256_shuffle_ps(low01, low23, 0xEE);
    turned[2] = _mm256_shuffle_ps(high01, high23, 0x44);
    turned[3] = _mm256_shuffle_ps(high01, high23, 0xEE);
#undef GI_HALF
}
#endif

#define GI_PASS 4
#include "gpuarr.h"
#undef GI_PASS

/* out[i] = condition[i] ? x[i] : y[i], for elements of 1 to 16 bytes whatever they mean. */
#define GI_FIND(name) GI_JOIN(name, GI_JOIN(_, GI_ISA))
#define GI_SELECT(name, U)                                                                                                     \
    static void GI_FIND(gi_select_##name)(int64_t n, void *out, const void *c, const void *x, const void *y)                   \
    {                                                                                                                          \
        const uint8_t *chosen = (const uint8_t *)c; /* not bool: or gcc would not vectorise it */                              \
        GI_VECTORIZE                                                                                                           \
        for (int64_t i = 0; i < n; i++) {                                                                                      \
            const U a = ((const U *)x)[i], b = ((const U *)y)[i];                                                              \
            ((U *)out)[i] = chosen[i] ? a : b;                                                                                 \
        }                                                                                                                      \
    }
GI_SELECT(u8, uint8_t)
GI_SELECT(u16, uint16_t)
GI_SELECT(u32, uint32_t)
GI_SELECT(u64, uint64_t)
#undef GI_SELECT
#define GI_REPLACE(name, U)                                                                                                    \
    static void GI_FIND(gi_replace_##name)(int64_t n, void *out, const void *x, const void *c, const void *unused)             \
    {                                                                                                                          \
        const uint8_t *chosen = (const uint8_t *)c;                                                                            \
        (void)unused;                                                                                                          \
        GI_VECTORIZE                                                                                                           \
        for (int64_t i = 0; i < n; i++)                                                                                        \
            if (chosen[i]) ((U *)out)[i] = ((const U *)x)[i];                                                                  \
    }
GI_REPLACE(u8, uint8_t)
GI_REPLACE(u16, uint16_t)
GI_REPLACE(u32, uint32_t)
GI_REPLACE(u64, uint64_t)
#undef GI_REPLACE
static gi_kernel GI_FIND(gi_find_replace)(int itemsize)
{
    switch (itemsize) {
    case 1: return GI_FIND(gi_replace_u8);
    case 2: return GI_FIND(gi_replace_u16);
    case 4: return GI_FIND(gi_replace_u32);
    default: return GI_FIND(gi_replace_u64);
    }
}
static void GI_FIND(gi_select_c128)(int64_t n, void *out, const void *c, const void *x, const void *y)
{
    const bool    *chosen = (const bool *)c;
    const ga_c128 *a = (const ga_c128 *)x, *b = (const ga_c128 *)y;
    for (int64_t i = 0; i < n; i++) ((ga_c128 *)out)[i] = chosen[i] ? a[i] : b[i];
}
static gi_kernel GI_FIND(gi_find_select)(int itemsize)
{
    switch (itemsize) {
    case 1: return GI_FIND(gi_select_u8);
    case 2: return GI_FIND(gi_select_u16);
    case 4: return GI_FIND(gi_select_u32);
    case 8: return GI_FIND(gi_select_u64);
    default: return GI_FIND(gi_select_c128);
    }
}

/* ---- rows of bits ---------------------------------------------------------------------------------------------------- */

static GI_INLINE uint64_t GI_FIND(gi_pack_64)(const char *p) /* bit i: p[i] is not 0 */
{
    uint64_t bits = 0;
#if !defined(GI_ISA_MM)
    for (int k = 0; k < 64; k += 8) {
        const uint64_t low = 0x7F7F7F7F7F7F7F7Fu;
        uint64_t       u;
        memcpy(&u, p + k, sizeof u);
        u = (((u & low) + low) | u) >> 7 & 0x0101010101010101u; /* a 1 for each byte, then gathered in the highest */
        bits |= u * 0x0102040810204080u >> 56 << k;
    }
#elif GI_ISA_BYTES == 64
    __m512i v = _mm512_loadu_si512(p);
    bits      = (uint64_t)_mm512_test_epi8_mask(v, v);
#else
    for (int k = 0; k < 64; k += 32) {
        __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(p + k));
        bits |= (uint64_t) ~(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(v, _mm256_setzero_si256())) << k;
    }
#endif
    return bits;
}

static void GI_FIND(gi_pack)(int64_t n, uint64_t *bits, const void *bytes)
{
    const char *p = (const char *)bytes;
    for (int64_t i = 0; i + 64 <= n; i += 64) bits[i / 64] = GI_FIND(gi_pack_64)(p + i);
    if (n % 64) {
        char rest[64];
        memset(rest, 0, sizeof rest);
        memcpy(rest, p + n / 64 * 64, (size_t)(n % 64));
        bits[n / 64] = GI_FIND(gi_pack_64)(rest);
    }
}

static void GI_FIND(gi_busy)(int64_t n, int size, bool *busy, const void *elements)
{
    const char *p = (const char *)elements;
    for (int64_t i = 0; i < n; i += 64, p += 64 * size) {
        uint64_t any = 0;
        if (n - i < 64)
            for (int64_t k = 0; k < (n - i) * size; k++) any |= (uint8_t)p[k];
        else
            for (int k = 0; k < size; k++) any |= GI_FIND(gi_pack_64)(p + 64 * k);
        busy[i / 64] = any != 0;
    }
}

static int64_t GI_FIND(gi_runs)(int64_t words, const uint64_t *bits, uint64_t before)
{
    int64_t count = 0;
    for (int64_t w = 0; w < words; w++) {
        count += __builtin_popcountll(bits[w] & ~(bits[w] << 1 | before >> 63));
        before = bits[w];
    }
    return count;
}

/* Where elements of both rows are set, a run of these begins for each pair of runs that meets. Corners: where a run of one row
   begins, one of the other may have ended just before. */
static void GI_FIND(gi_unite_rows)(int64_t words, const uint64_t *a, const uint64_t *b, int64_t run_a, int64_t run_b,
                                   bool corners, int64_t *parents)
{
    uint64_t x = 0, y = 0;
    for (int64_t w = 0; w < words; w++) {
        uint64_t x_before = x >> 63, y_before = y >> 63; /* the elements before these words */
        x = a[w];
        y = b[w];
        if (!(x | y)) continue;
        uint64_t x_left = x << 1 | x_before, y_left = y << 1 | y_before, x_starts = x & ~x_left, y_starts = y & ~y_left;
        uint64_t meet = x & y & ~(x_left & y_left);
        if (corners) meet |= (y_starts & x_left) | (x_starts & y_left);
        for (; meet; meet &= meet - 1) {
            uint64_t upto = meet ^ (meet - 1);
            gi_unite(parents, run_a + __builtin_popcountll(x_starts & upto) - 1,
                     run_b + __builtin_popcountll(y_starts & upto) - 1);
        }
        run_a += __builtin_popcountll(x_starts);
        run_b += __builtin_popcountll(y_starts);
    }
}

static const gi_bit_rows GI_FIND(gi_bit_rows) = { GI_FIND(gi_pack), GI_FIND(gi_busy), GI_FIND(gi_runs),
                                                  GI_FIND(gi_unite_rows) };

/* Powers to the plain numbers of GI_EASY_POWERS. */
#define GI_POWER(name, tag, T)                                                                                                 \
    static void GI_FIND(gi_powers_##name##_##tag)(int64_t n, void *out, const void *x, const void *y, const void *z)           \
    {                                                                                                                          \
        (void)y, (void)z;                                                                                                      \
        GI_VECTORIZE                                                                                                           \
        for (int64_t i = 0; i < n; i++) ((T *)out)[i] = gi_power_##name##_##tag(((const T *)x)[i]);                            \
    }
#define GI_POWERS(name, value) GI_POWER(name, f32, float) GI_POWER(name, f64, double)
GI_EASY_POWERS(GI_POWERS)
#undef GI_POWERS
#undef GI_POWER
#define GI_POWER_CASE(name, value)                                                                                             \
    if (exponent == value) return dtype == GA_F32 ? GI_FIND(gi_powers_##name##_f32) : GI_FIND(gi_powers_##name##_f64);
static gi_kernel GI_FIND(gi_find_power)(double exponent, ga_dtype dtype)
{
    GI_EASY_POWERS(GI_POWER_CASE)
    return NULL;
}
#undef GI_POWER_CASE

/* Copies past the caches: a line that is written as a whole need not be read before. When all is written: gi_stream_end. */
static void GI_FIND(gi_stream)(void *out, const void *in, int64_t bytes, const gi_ahead *next)
{
    char       *to   = (char *)out;
    const char *from = (const char *)in;
    enum { LINES = 4 }; /* at a time */
#if defined(GI_ISA_MM)
    enum { PART = 32 };
#define GI_STREAM(at)                                                                                                          \
    _mm256_stream_si256((__m256i *)(void *)(to + at), _mm256_loadu_si256((const __m256i *)(const void *)(from + at)))
#elif defined(__SSE2__)
    enum { PART = 16 };
#define GI_STREAM(at)                                                                                                          \
    _mm_stream_si128((__m128i *)(void *)(to + at), _mm_loadu_si128((const __m128i *)(const void *)(from + at)))
#endif
#ifdef GI_STREAM
    int64_t     head = (int64_t)(-(uintptr_t)to % GI_LINE);
    const char *fetch[GI_MOST_INPUTS];
    for (int k = 0; k < next->inputs; k++) fetch[k] = next->from[k];
    if (head > bytes) head = bytes;
    memcpy(to, from, (size_t)head);
    for (bytes -= head, to += head, from += head; bytes >= LINES * GI_LINE; bytes -= LINES * GI_LINE) {
        for (int k = 0; k < next->inputs; k++)
            for (int line = 0; line < LINES; line++, fetch[k] += next->step[k]) __builtin_prefetch(fetch[k]);
        GI_UNROLL
        for (int at = 0; at < LINES * GI_LINE; at += PART) GI_STREAM(at);
        to += LINES * GI_LINE;
        from += LINES * GI_LINE;
    }
    for (; bytes >= GI_LINE; bytes -= GI_LINE, to += GI_LINE, from += GI_LINE)
        for (int at = 0; at < GI_LINE; at += PART) GI_STREAM(at);
#undef GI_STREAM
#else
    (void)next;
#endif
    memcpy(to, from, (size_t)bytes);
}

/* ==== >>random: random numbers from many counters at once ============================================================ */
typedef long long          GI_FIND(gi_lanes_i64) __attribute__((vector_size(GI_ISA_BYTES)));
typedef unsigned long long GI_FIND(gi_lanes_u64) __attribute__((vector_size(GI_ISA_BYTES)));
#define GI_VI GI_FIND(gi_lanes_i64)
#define GI_VU GI_FIND(gi_lanes_u64)

/* The products of the lower halves of the lanes. */
static GI_INLINE GI_VU GI_FIND(gi_multiply_halves)(GI_VU a, GI_VU b)
{
#ifdef GI_ISA_MM
    return (GI_VU)GI_JOIN(GI_ISA_MM, mul_epu32)((GI_VI)a, (GI_VI)b);
#else
    for (int i = 0; i < GI_ISA_BYTES / 8; i++) a[i] = (a[i] & UINT32_MAX) * (b[i] & UINT32_MAX);
    return a;
#endif
}

/* gi_philox for GI_COUNTERS counters: words 0 and 1, and words 2 and 3 of each. Of the lanes only the lower halves are words. */
static GI_INLINE void GI_FIND(gi_philox_all)(const gi_random_plan *p, uint64_t counter, uint64_t *first, uint64_t *second)
{
    enum { LANES = GI_ISA_BYTES / 8, PART = GI_ISA_TILE * LANES };
    const GI_VU zero = { 0 }, half = zero + UINT32_MAX;
    uint64_t    numbers[PART];
    GI_VU       number[GI_ISA_TILE];
    for (int i = 0; i < PART; i++) numbers[i] = (uint64_t)i;
    memcpy(number, numbers, sizeof number);
    for (int start = 0; start < GI_COUNTERS; start += PART) {
        GI_VU    a[GI_ISA_TILE], b[GI_ISA_TILE], c[GI_ISA_TILE], d[GI_ISA_TILE];
        uint32_t key0 = (uint32_t)p->seed, key1 = (uint32_t)(p->seed >> 32);
        GI_UNROLL
        for (int v = 0; v < GI_ISA_TILE; v++) {
            a[v] = number[v] + (counter + (uint64_t)start);
            b[v] = a[v] >> 32;
            c[v] = zero + p->stream;
            d[v] = zero + (p->stream >> 32);
        }
        for (int round = 0; round < 10; round++) {
            GI_UNROLL
            for (int v = 0; v < GI_ISA_TILE; v++) {
                GI_VU left  = GI_FIND(gi_multiply_halves)(a[v], zero + 0xD2511F53u),
                      right = GI_FIND(gi_multiply_halves)(c[v], zero + 0xCD9E8D57u);
                a[v]        = right >> 32 ^ b[v] ^ (zero + key0);
                c[v]        = left >> 32 ^ d[v] ^ (zero + key1);
                b[v]        = right;
                d[v]        = left;
            }
            key0 += 0x9E3779B9u;
            key1 += 0xBB67AE85u;
        }
        GI_UNROLL
        for (int v = 0; v < GI_ISA_TILE; v++) {
            a[v] = (a[v] & half) | b[v] << 32;
            c[v] = (c[v] & half) | d[v] << 32;
        }
        memcpy(first + start, a, sizeof a);
        memcpy(second + start, c, sizeof c);
    }
}
#undef GI_VI
#undef GI_VU

/* The words of GI_COUNTERS counters, in their order. */
typedef union GI_FIND(gi_random_words) {
    uint64_t pair[2 * GI_COUNTERS];
    uint32_t word[4 * GI_COUNTERS];
} GI_FIND(gi_random_words);
#define GI_WORDS GI_FIND(gi_random_words)

static GI_INLINE void GI_FIND(gi_random_fill)(const gi_random_plan *p, int64_t counter, GI_WORDS *b)
{
    uint64_t first[GI_COUNTERS], second[GI_COUNTERS];
    GI_FIND(gi_philox_all)(p, (uint64_t)counter, first, second);
    GI_VECTORIZE
    for (int i = 0; i < GI_COUNTERS; i++) {
        b->pair[2 * i]     = first[i];
        b->pair[2 * i + 1] = second[i];
    }
}

/* Elements begin to begin + 4 * GI_COUNTERS - 1: four from each counter. */
static void GI_FIND(gi_uniform_f32_block)(const gi_random_plan *p, int64_t begin, float *x)
{
    GI_WORDS b;
    GI_FIND(gi_random_fill)(p, begin / 4, &b);
    GI_VECTORIZE
    for (int i = 0; i < 4 * GI_COUNTERS; i++) x[i] = gi_unit_f32(b.word[i]);
}

/* Elements begin to begin + 2 * GI_COUNTERS - 1: two from each counter. */
static void GI_FIND(gi_uniform_f64_block)(const gi_random_plan *p, int64_t begin, double *x)
{
    GI_WORDS b;
    GI_FIND(gi_random_fill)(p, begin / 2, &b);
    GI_VECTORIZE
    for (int i = 0; i < 2 * GI_COUNTERS; i++) x[i] = gi_unit_of_u64(b.pair[i]);
}

static void GI_FIND(gi_integers_block)(const gi_random_plan *p, int64_t begin, int64_t *x)
{
    GI_WORDS       b;
    const uint64_t low = p->low, span = p->span;
    uint64_t       any = 0;
    GI_FIND(gi_random_fill)(p, begin / 2, &b);
    GI_VECTORIZE
    for (int i = 0; i < 2 * GI_COUNTERS; i++) {
        x[i] = (int64_t)(low + gi_multiply_high(b.pair[i], span));
        any |= b.pair[i] * span < span;
    }
    for (int i = 0; i < 2 * GI_COUNTERS && any; i++)
        x[i] = gi_random_integer(p, b.pair[i], begin + i); /* perhaps drawn again */
}

static void GI_FIND(gi_normal_block)(const gi_random_plan *p, int64_t begin, double *x)
{
    uint64_t first[GI_COUNTERS], second[GI_COUNTERS];
    GI_FIND(gi_philox_all)(p, (uint64_t)begin / 2, first, second);
    GI_VECTORIZE
    for (int i = 0; i < GI_COUNTERS; i++) {
        double sine, cosine = gi_normal_pair(p, gi_unit_of_u64(first[i]), gi_unit_of_u64(second[i]), &sine);
        x[2 * i]     = cosine;
        x[2 * i + 1] = sine;
    }
}

static void GI_FIND(gi_random_blocks)(const gi_random_plan *p, int64_t begin, int64_t n, void *out)
{
    double  last[2 * GI_COUNTERS]; /* the last block, of which only a part is wanted */
    int64_t each = p->kind == GI_UNIFORM_F32 ? 4 * GI_COUNTERS : 2 * GI_COUNTERS, itemsize = (int64_t)sizeof last / each;
    for (int64_t i = 0; i < n; i += each) {
        void *to = i + each <= n ? (char *)out + i * itemsize : (char *)last;
        switch (p->kind) {
        case GI_UNIFORM_F32: GI_FIND(gi_uniform_f32_block)(p, begin + i, (float *)to); break;
        case GI_UNIFORM_F64: GI_FIND(gi_uniform_f64_block)(p, begin + i, (double *)to); break;
        case GI_INTEGERS: GI_FIND(gi_integers_block)(p, begin + i, (int64_t *)to); break;
        default: GI_FIND(gi_normal_block)(p, begin + i, (double *)to); break;
        }
        if (to == last) memcpy((char *)out + i * itemsize, last, (size_t)((n - i) * itemsize));
    }
}
#undef GI_WORDS

/* The tables of this instruction set. */
#define GI_DTYPE_CASE(TAG, tag, T, name)                                                                                       \
    case GA_##TAG:                                                                                                             \
        return GI_FIND(gi_find_##tag)(op, kernel, fold);
static bool GI_FIND(gi_find)(ga_op op, ga_dtype dtype, gi_kernel *kernel, gi_fold *fold)
{
    switch (dtype) {
        GI_ISA_DTYPES(GI_DTYPE_CASE)
    default: return false;
    }
}
#undef GI_DTYPE_CASE
#define GI_DTYPE_CASE(TAG, tag, T, name)                                                                                       \
    case GA_##TAG:                                                                                                             \
        return GI_FIND(gi_find_cast_##tag)(from);
static gi_cast_kernel GI_FIND(gi_find_cast)(ga_dtype to, ga_dtype from)
{
    switch (to) {
        GI_ISA_DTYPES(GI_DTYPE_CASE)
    default: return NULL;
    }
}
#undef GI_DTYPE_CASE
/* ---- windows that slide -------------------------------------------------------------------------------------------- */

#if GI_ISA_BYTES < 64 /* integers and bits gain nothing from the widest registers */
/* The window moves along a line; its elements are a set of bits, and `below` counts those in the words before `word`. */
static void GI_FIND(gi_slide)(const gi_slide *s, const uint32_t *first, int64_t step, int64_t n, uint32_t *out)
{
    int64_t below = 0, word = 0, nans = 0;
    memset(s->bits, 0, (size_t)s->words * sizeof *s->bits);
    for (int64_t k = 0; k < s->count; k++) {
        uint32_t x = first[s->window[k]];
        s->bits[x / 64] |= (uint64_t)1 << x % 64;
        nans += x >= s->first_nan;
    }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < s->edges && i > 0; k++) {
            uint32_t old = first[(i - 1) * step + s->leaving[k]], x = first[i * step + s->entering[k]];
            s->bits[old / 64] &= ~((uint64_t)1 << old % 64);
            s->bits[x / 64] |= (uint64_t)1 << x % 64;
            below += (x / 64 < word) - (old / 64 < word);
            nans += (x >= s->first_nan) - (old >= s->first_nan);
        }
        while (below > s->rank) below -= __builtin_popcountll(s->bits[--word]);
        for (int64_t here; below + (here = __builtin_popcountll(s->bits[word])) <= s->rank; word++) below += here;
        uint64_t left = s->bits[word];
        for (int64_t k = below; k < s->rank; k++) left &= left - 1;
        out[i] = nans > 0 ? s->first_nan : (uint32_t)(word * 64 + __builtin_ctzll(left));
    }
}
#endif

#define GI_KEY      u8
#define GI_KEY_T    uint8_t
#define GI_KEY_BITS 8
#include "gpuarr_cpu.h"
#define GI_KEY      u16
#define GI_KEY_T    uint16_t
#define GI_KEY_BITS 16
#include "gpuarr_cpu.h"
#define GI_KEY      i32
#define GI_KEY_T    int32_t
#define GI_KEY_BITS 32
#include "gpuarr_cpu.h"
#define GI_KEY      i64
#define GI_KEY_T    int64_t
#define GI_KEY_BITS 64
#include "gpuarr_cpu.h"
static const gi_window_loops *GI_FIND(gi_find_windows)(int itemsize)
{
    switch (itemsize) {
    case 1: return &GI_FIND(gi_window_loops_u8);
    case 2: return &GI_FIND(gi_window_loops_u16);
    case 4: return &GI_FIND(gi_window_loops_i32);
    default: return &GI_FIND(gi_window_loops_i64);
    }
}

#undef GI_DTYPE_CASE
#define GI_DTYPE_CASE(TAG, tag, T, name)                                                                                       \
    case GA_##TAG:                                                                                                             \
        return GI_FIND(gi_chains_##tag);
static gi_chains GI_FIND(gi_find_chains)(ga_dtype dtype)
{
    switch (dtype) {
        GI_ISA_DTYPES(GI_DTYPE_CASE)
    default: return NULL;
    }
}
#undef GI_DTYPE_CASE
static const gi_product_tiles *GI_FIND(gi_find_tiles)(ga_dtype dtype)
{
    switch (dtype) {
    case GA_F32: return &GI_FIND(gi_product_tiles_f32);
    case GA_F64: return &GI_FIND(gi_product_tiles_f64);
#if GI_ISA_INTEGERS
    case GA_I32: return &GI_FIND(gi_product_tiles_i32);
    case GA_I64: return &GI_FIND(gi_product_tiles_i64);
#endif
    default: return NULL;
    }
}
static const gi_dense *GI_FIND(gi_find_dense)(ga_dtype dtype)
{
    return dtype == GA_F32 ? &GI_FIND(gi_dense_f32) : dtype == GA_F64 ? &GI_FIND(gi_dense_f64) : NULL;
}
#if GI_ISA_BYTES < 64
#define GI_DTYPE_CASE(TAG, tag, T, name)                                                                                       \
    case GA_##TAG:                                                                                                             \
        loop.run = GI_FIND(gi_correlate_lines_##tag);                                                                          \
        break;
static gi_correlate_loop GI_FIND(gi_find_correlate)(ga_dtype dtype)
{
    gi_correlate_loop loop = { 1, NULL };
    switch (dtype) {
        GI_ISA_DTYPES(GI_DTYPE_CASE)
    default: break;
    }
    return loop;
}
#undef GI_DTYPE_CASE
#endif
static const gi_node_loops *GI_FIND(gi_find_nodes)(ga_dtype dtype)
{
    return dtype == GA_F32 ? &GI_FIND(gi_node_loops_f32) : &GI_FIND(gi_node_loops_f64);
}
static const gi_scan_loops *GI_FIND(gi_find_scans)(ga_dtype dtype)
{
    return dtype == GA_F32 ? &GI_FIND(gi_scan_loops_f32) : &GI_FIND(gi_scan_loops_f64);
}
#undef GI_FIND

#else
/* ==== >>isa: the instruction sets, and which one to use ============================================================= */
#ifndef GI_CPU_INCLUDED
#define GI_CPU_INCLUDED

#define GI_INLINE inline __attribute__((always_inline)) /* so that the formula is inlined and the loop vectorised */
#if defined(__clang__)
#define GI_VECTORIZE _Pragma("clang loop vectorize(enable) interleave(enable)")
#elif defined(__GNUC__)
#define GI_VECTORIZE _Pragma("GCC ivdep") /* out may be x itself, never overlap it otherwise */
#else
#define GI_VECTORIZE
#endif

#if defined(__clang__)
#define GI_UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define GI_UNROLL _Pragma("GCC unroll 16") /* loops over a tile: so that it becomes registers */
#else
#define GI_UNROLL
#endif

#define GI_MEND         256  /* elements whose rare arguments are mended together */

/* Convolutions. */
#define GI_TAP_ROWS     4    /* of results that are summed up together */
#define GI_LINE_VECTORS 8    /* the same in one row */
#define GI_TAP_LINE     1024 /* elements, for what is no float */

/* n packed elements: out[i] = f(x[i], y[i], z[i]). out may be one of x, y, z. */
typedef void (*gi_kernel)(int64_t n, void *out, const void *x, const void *y, const void *z);
typedef void (*gi_cast_kernel)(int64_t n, void *out, const void *x);

/* Convolutions: sums[i][j] += weights[u][v] * x[i + u][j + v * step] for all u and v in turn. */
typedef struct gi_taps {
    int64_t     height, width;
    int64_t     step, pitch; /* elements from a weight's x to the next one's, and from a row of x to the next */
    const void *weights;     /* packed */
} gi_taps;

typedef struct gi_correlate_loop {
    int64_t columns; /* how many at least, and a multiple of them unless `begin`: then the last ones may be computed twice */
    void (*run)(const gi_taps *t, int64_t rows, int64_t columns, const void *x, void *sums, int64_t pitch, bool begin);
} gi_correlate_loop;

typedef struct gi_fold {
    int acc_bytes;                                                  /* of one accumulator */
    void (*block)(int64_t n, void *acc, const void *x);             /* 1 to 1024 packed elements into one accumulator */
    void (*rows)(int64_t n, void *accs, const void *const *rows);   /* accs[i]: the fold of rows[0][i] ... rows[7][i] */
    void (*widen)(int64_t n, void *accs, const void *x);            /* accs[i]: x[i] alone */
    void (*join)(int64_t n, void *accs, const void *more);          /* accs[i] is joined with more[i] */
    void (*halve)(int64_t n, void *accs);                           /* 1 to 1024 accumulators into the first */
    void (*end)(int64_t m, void *out, const void *accs, int64_t n); /* m results from the accumulators of n elements each */
} gi_fold;

#define GI_DISTANCE_TILE 4                 /* rows of a tile */
#define GI_DISTANCE_PACK 32768             /* bytes of y that are used while they are in the first cache */
#define GI_DISTANCE_ROWS 128               /* rows whose sums are kept where the features come in several parts */

/* The distances of each row of x (a row of the result) from each row of y (a column). */
typedef struct gi_distances {
    ga_metric   metric;
    int64_t     features, rows, columns;
    const void *x, *y;             /* packed */
    const void *x_norms, *y_norms; /* GA_COSINE: the lengths of their rows, with room for a tile behind the last */
    void       *out;
    int64_t     row_stride, column_stride; /* of out, in elements */
    bool        condensed;                 /* y is x: only the columns behind the row, packed row after row */
    bool        stream;                    /* the rows of out are aligned, and out is too large for the caches */
    int64_t     unit_rows, unit_columns; /* at most GI_DISTANCE_ROWS and a tile, if the features do not fit GI_DISTANCE_PACK */
} gi_distances;

/* Where in out a distance lies, in elements. */
static GI_INLINE int64_t gi_distance_place(const gi_distances *d, int64_t row, int64_t column)
{
    return d->condensed ? gi_pair_place(d->columns, row, column) : row * d->row_stride + column * d->column_stride;
}

/* A row of an image as bits, 64 elements a word: what is not 0 makes runs. */
typedef struct gi_bit_rows {
    void (*pack)(int64_t n, uint64_t *bits, const void *bytes); /* bit i % 64 of bits[i / 64]: byte i is not 0; beyond n: 0 */
    void (*busy)(int64_t n, int size, bool *busy, const void *elements);   /* of each 64 elements: is any byte not 0? */
    int64_t (*runs)(int64_t words, const uint64_t *bits, uint64_t before); /* how many start there, after the word `before` */
    void (*unite)(int64_t words, const uint64_t *a, const uint64_t *b, int64_t run_a, int64_t run_b, bool corners,
                  int64_t *parents); /* the runs of two rows, numbered from run_a and run_b, that touch */
} gi_bit_rows;

/* Sets of runs: the parent of a run is a run of the same set, not after it; the first run of a set is its own. Rem's way to unite
   two: climbs on the side whose parent comes later, and hangs what it leaves under the earlier one. */
static GI_INLINE void gi_unite(int64_t *parents, int64_t x, int64_t y)
{
    while (parents[x] != parents[y]) {
        if (parents[x] > parents[y]) {
            int64_t swap = x;
            x            = y;
            y            = swap;
        }
        int64_t parent = parents[y];
        parents[y]     = parents[x];
        if (parent == y) return;
        y = parent;
    }
}

typedef struct gi_nodes { /* of moments: planes, so that the loops over them vectorise */
    double *n, *s, *m;
} gi_nodes;

typedef struct gi_node_loops { /* section >>moments */
    void (*rows)(int64_t n, const gi_nodes *to, const void *const *rows, const double *origin);
    void (*widen)(int64_t n, const gi_nodes *to, const void *x, const double *origin, bool skip_nan);
    /* of float64 alone: */
    void (*join)(int64_t n, const gi_nodes *a, const gi_nodes *b, double ratio, double scale);
    void (*join_counted)(int64_t n, const gi_nodes *a, const gi_nodes *b);
    void (*value)(int64_t n, double *out, const gi_nodes *of, gi_moment what, bool skip_nan, int ddof);
} gi_node_loops;
#define GI_LINE          64                /* bytes of a cache line */
#define GI_MOST_INPUTS   GPUARR_MAX_INPUTS /* of an elementwise call */

/* What will be read next, and is fetched while a result is streamed. */
typedef struct gi_ahead {
    int         inputs;
    const char *from[GI_MOST_INPUTS];
    int64_t     step[GI_MOST_INPUTS]; /* bytes for each line of the result */
} gi_ahead;

typedef void (*gi_stream)(void *out, const void *in, int64_t bytes, const gi_ahead *next);

/* Matrix products (section >>dense). */
/* out[l][i] = in[i][l], rows of out `next` elements apart, rows of in `step` bytes. */
typedef void (*gi_turn_lines)(int64_t lines, int64_t n, void *out, int64_t next, const char *in, int64_t step);
#define GI_TILE_ROWS     8                 /* at most */
#define GI_TILE_DEPTH    256               /* products that are added at a time */
typedef struct gi_product_tiles {
    int rows, bytes,
        lane; /* the most rows of a tile: these, 4, 2 or 1; bytes of a vector (tiles are one or two wide), and of a lane */
    void (*tile)(int rows, int wide, int64_t n, const char *a, int64_t a_row, const char *b, int64_t b_row, char *out,
                 int64_t out_row, bool more);
    void (*row)(int64_t inner, int64_t n, const char *a, int64_t a_step, const char *b, int64_t b_row, void *out); /* or NULL */
    gi_turn_lines pack_across;                                                                                     /* or NULL */
} gi_product_tiles;
/* Sums of products out[i][t] = the sum over k of a[i][k] * b[i][t][k]. */
typedef struct gi_chaining {
    int64_t a_next, b_next, out_next; /* bytes from i to i + 1, */
    int64_t b_again, out_again;       /* from t to t + 1, */
    int64_t a_step, b_step;           /* from k to k + 1 */
} gi_chaining;
typedef void (*gi_chains)(int64_t count, int times, int64_t n, char *out, const char *a, const char *b, const gi_chaining *j);

/* Elements begin to begin + n of the numbers that a plan describes; begin is a multiple of 4 (section >>random). */
typedef void (*gi_random_loop)(const gi_random_plan *p, int64_t begin, int64_t n, void *out);
enum { GI_COUNTERS = 64 }; /* that are taken at once */

typedef struct gi_scan_loops { /* section >>scans; of float32 only the last one */
    const double *(*block)(bool product, int64_t n, int64_t width, const double *x, double *a, double *b);
    void (*last)(bool product, int64_t width, const double *x, double *a);
    void (*finish)(bool product, int64_t n, void *out, const double *before, bool each, const double *x);
} gi_scan_loops;

typedef struct gi_sifted {    /* what is counted beside the elements that are found */
    int64_t inside, from_low; /* elements between or on the bounds; those on the lower one or above it */
    bool    odd;              /* some elements are infinite or NaN */
} gi_sifted;

typedef struct gi_dense { /* loops on vectors of a float type, section >>dense */
    int lanes;            /* elements of a vector */
    int tile;             /* vectors side by side in a tile of distances */
    void (*distance_unit)(const gi_distances *d, int64_t row, int64_t column);
    void (*sift)(int64_t n, const void *x, const void *bounds, uint64_t *in, gi_sifted *sum);
    /* adds the distances from range[2], a number of that type, and their squares; what lies outside range[0] .. range[1] counts as if
       on the bound */
    void (*sum_clamped)(int64_t n, const void *x, const double *range, double *sums);
    void (*widen_range)(int64_t n, const void *x, void *range);
    gi_correlate_loop correlate_tiles; /* for 3 or more rows of weights; rows as the columns: at least 4, or a multiple */
    gi_correlate_loop correlate_lines;
} gi_dense;

/* How elements become keys: integers that are ordered like them, unsigned ones of 1 and 2 bytes, signed ones of 4 and 8. */
typedef struct gi_keys {
    uint64_t flip; /* bits that are turned in each: the sign where it means the opposite; all, for the opposite order */
    bool     real; /* before that, of negative floats all bits but the sign are turned */
    uint64_t nan;  /* the key of every NaN */
} gi_keys;

/* A step of a sorting network on rows of keys: low = min(a, b), high = max(a, b), of elements `at` further on in rows a and b. */
typedef struct gi_network_step {
    int a, b, low, high; /* rows; -1: this result is not wanted */
    int at_a, at_b;
    int reach; /* so many elements more than results of the network */
} gi_network_step;

typedef struct gi_window_loops {                                     /* for one size of elements, section >>windows */
    bool (*to_keys)(const gi_keys *rule, int64_t n, void *elements); /* in place; was there a NaN? */
    void (*from_keys)(const gi_keys *rule, int64_t n, void *keys);
    gi_kernel least; /* of three */
    void (*run_steps)(const gi_network_step *steps, int64_t count, char *const *rows, int64_t n);
    void (*median_3x3)(int64_t n, char *const *rows);
    void (*median_5x5)(int64_t n, char *const *rows);
} gi_window_loops;

/* A window of elements that are numbered in their order: it moves along lines and finds the one of a rank. */
typedef struct gi_slide {
    const int64_t *window, *leaving, *entering; /* where its elements lie, those without one behind, those without one before */
    int64_t        count, edges, rank;
    uint64_t      *bits;
    int64_t        words;
    uint32_t       first_nan; /* the number of the first NaN */
} gi_slide;

#if defined(__x86_64__) && defined(__GNUC__) && !defined(GPUARR_BASELINE_ONLY)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

GI_BEGIN_FAST
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(GPUARR_BASELINE_ONLY)
#pragma GCC push_options
#pragma GCC optimize("O1", "no-tree-vectorize", "no-trapping-math", "no-math-errno",                                           \
                     "fp-contract=off") /* hardly ever used: save compile time */
#endif
#define GI_ISA          baseline
#define GI_ISA_BYTES    16 /* of a vector register */
#define GI_ISA_TILE     2  /* vectors side by side in a tile that fits the registers */
#define GI_ISA_ROWS     4  /* of a tile of two vectors */
#define GI_ISA_STAMPS   1
#define GI_ISA_INTEGERS 1
#define GI_ISA_DTYPES   GI_EACH_STAMPED
#include "gpuarr_cpu.h"
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(GPUARR_BASELINE_ONLY)
#pragma GCC pop_options
#endif
#undef GI_ISA
#undef GI_ISA_BYTES
#undef GI_ISA_TILE
#undef GI_ISA_ROWS
#undef GI_ISA_STAMPS
#undef GI_ISA_INTEGERS
#undef GI_ISA_DTYPES

#if defined(__x86_64__) && defined(__GNUC__) && !defined(GPUARR_BASELINE_ONLY)
#define GI_HAS_X86 1
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
/* -O1 and the vectoriser: the other passes of -O2 would add some 4 s to the compile time for little speed. (Without the
   expensive optimizations gcc leaves out vzeroupper.) */
#pragma GCC push_options
#pragma GCC optimize("O1", "expensive-optimizations", "strict-aliasing", "tree-loop-vectorize", "no-tree-slp-vectorize",       \
                     "no-tree-pre", "vect-cost-model=dynamic", "no-trapping-math", "no-math-errno", "fp-contract=off")
#pragma GCC target("avx2,fma")
#endif
#define GI_ISA          avx2
#define GI_ISA_BYTES    32
#define GI_ISA_TILE     2
#define GI_ISA_ROWS     6
#define GI_ISA_MM       _mm256_
#define GI_ISA_STAMPS   1
#define GI_ISA_INTEGERS 1
#define GI_ISA_DTYPES   GI_EACH_STAMPED
#include "gpuarr_cpu.h"
#undef GI_ISA
#undef GI_ISA_BYTES
#undef GI_ISA_TILE
#undef GI_ISA_ROWS
#undef GI_ISA_MM
#undef GI_ISA_STAMPS
#undef GI_ISA_INTEGERS
#undef GI_ISA_DTYPES
#if defined(__clang__)
#pragma clang attribute pop
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"))), apply_to = function)
#else
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC optimize("no-tree-pre") /* it takes formulas like a maximum of maxima apart */
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,prefer-vector-width=512")
#endif
/* Only floats gain from the wider registers: everything else is bound by memory, and each stamping takes compile time. */
#define GI_ISA          avx512
#define GI_ISA_BYTES    64
#define GI_ISA_TILE     4
#define GI_ISA_ROWS     8
#define GI_ISA_MM       _mm512_
#define GI_ISA_STAMPS   (GI_CLASS == 3)
#define GI_ISA_INTEGERS 0
#define GI_ISA_DTYPES   GI_EACH_FLT
#include "gpuarr_cpu.h"
#undef GI_ISA
#undef GI_ISA_BYTES
#undef GI_ISA_TILE
#undef GI_ISA_ROWS
#undef GI_ISA_MM
#undef GI_ISA_STAMPS
#undef GI_ISA_INTEGERS
#undef GI_ISA_DTYPES
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#else
#define GI_HAS_X86 0
#endif
GI_END_FAST

typedef enum gi_isa { GI_ISA_UNKNOWN, GI_ISA_BASELINE, GI_ISA_AVX2, GI_ISA_AVX512 } gi_isa;

static gi_isa gi_cpu_isa(void)
{
    static int known; /* atomic; every thread finds the same */
    int        isa = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (isa != GI_ISA_UNKNOWN) return (gi_isa)isa;
    isa = GI_ISA_BASELINE;
#if GI_HAS_X86
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) isa = GI_ISA_AVX2;
    if (isa == GI_ISA_AVX2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        isa = GI_ISA_AVX512;
#endif
    const char *asked = getenv("GPUARR_ISA");
    if (asked && !strcmp(asked, "baseline")) isa = GI_ISA_BASELINE;
    if (asked && !strcmp(asked, "avx2") && isa > GI_ISA_AVX2) isa = GI_ISA_AVX2;
    __atomic_store_n(&known, isa, __ATOMIC_RELAXED);
    return (gi_isa)isa;
}

const char *ga_isa(void)
{
    switch (gi_cpu_isa()) {
    case GI_ISA_AVX512: return "avx512";
    case GI_ISA_AVX2: return "avx2";
    default: return "baseline";
    }
}

/* Integers are finite and no NaN: these rows need no kernel for each of them. */
static void gi_kernel_false(int64_t n, void *out, const void *x, const void *y, const void *z)
{
    (void)x, (void)y, (void)z;
    memset(out, 0, (size_t)n);
}

static void gi_kernel_true(int64_t n, void *out, const void *x, const void *y, const void *z)
{
    (void)x, (void)y, (void)z;
    memset(out, 1, (size_t)n);
}

/* What a row has for a dtype, for the best instruction set that has it: a kernel, or for reductions a fold. False: nothing. */
static bool gi_cpu_find(ga_op op, ga_dtype dtype, gi_kernel *kernel, gi_fold *fold)
{
#if GI_HAS_X86
    if (gi_cpu_isa() == GI_ISA_AVX512 && gi_find_avx512(op, dtype, kernel, fold)) return true;
    if (gi_cpu_isa() >= GI_ISA_AVX2 && gi_find_avx2(op, dtype, kernel, fold)) return true;
#endif
    return gi_find_baseline(op, dtype, kernel, fold);
}

/* The kernel of an elementwise operation for a dtype, NULL if its row has none. */
static gi_kernel gi_cpu_kernel(ga_op op, ga_dtype dtype)
{
    gi_kernel kernel = NULL;
    gi_fold   unused;
    if (dtype < GA_F32 && (op == GA_OP_isnan || op == GA_OP_isinf)) return gi_kernel_false;
    if (dtype < GA_F32 && op == GA_OP_isfinite) return gi_kernel_true;
    return gi_cpu_find(op, dtype, &kernel, &unused) ? kernel : NULL;
}

/* How a reduction folds a dtype; false if its row does not have it. */
static bool gi_cpu_fold(ga_op op, ga_dtype dtype, gi_fold *fold)
{
    gi_kernel unused;
    return gi_cpu_find(op, dtype, &unused, fold);
}

static gi_cast_kernel gi_cpu_cast(ga_dtype to, ga_dtype from)
{
    gi_cast_kernel found = NULL;
#if GI_HAS_X86
    if (gi_cpu_isa() == GI_ISA_AVX512) found = gi_find_cast_avx512(to, from);
    if (!found && gi_cpu_isa() >= GI_ISA_AVX2) found = gi_find_cast_avx2(to, from);
#endif
    return found ? found : gi_find_cast_baseline(to, from);
}

static const gi_dense *gi_cpu_dense(ga_dtype dtype) /* NULL unless float32 or float64 */
{
#if GI_HAS_X86
    if (gi_cpu_isa() == GI_ISA_AVX512) return gi_find_dense_avx512(dtype);
    if (gi_cpu_isa() == GI_ISA_AVX2) return gi_find_dense_avx2(dtype);
#endif
    return gi_find_dense_baseline(dtype);
}

static const gi_window_loops *gi_cpu_windows(int itemsize)
{
#if GI_HAS_X86
    if (gi_cpu_isa() == GI_ISA_AVX512) return gi_find_windows_avx512(itemsize);
    if (gi_cpu_isa() == GI_ISA_AVX2) return gi_find_windows_avx2(itemsize);
#endif
    return gi_find_windows_baseline(itemsize);
}

static void gi_cpu_slide(const gi_slide *s, const uint32_t *first, int64_t step, int64_t n, uint32_t *out)
{
#if GI_HAS_X86
    if (gi_cpu_isa() >= GI_ISA_AVX2) gi_slide_avx2(s, first, step, n, out);
    else
#endif
        gi_slide_baseline(s, first, step, n, out);
}

static const gi_bit_rows *gi_cpu_bit_rows(void)
{
#if GI_HAS_X86
    if (gi_cpu_isa() == GI_ISA_AVX512) return &gi_bit_rows_avx512;
    if (gi_cpu_isa() == GI_ISA_AVX2) return &gi_bit_rows_avx2;
#endif
    return &gi_bit_rows_baseline;
}

static gi_correlate_loop gi_cpu_correlate_lines(ga_dtype dtype)
{
    const gi_dense *dense = gi_cpu_dense(dtype);
    if (dense) return dense->correlate_lines;
#if GI_HAS_X86
    if (gi_cpu_isa() >= GI_ISA_AVX2) return gi_find_correlate_avx2(dtype);
#endif
    return gi_find_correlate_baseline(dtype);
}

static gi_random_loop gi_cpu_random(void)
{
#if GI_HAS_X86
    if (gi_cpu_isa() == GI_ISA_AVX512) return gi_random_blocks_avx512;
    if (gi_cpu_isa() == GI_ISA_AVX2) return gi_random_blocks_avx2;
#endif
    return gi_random_blocks_baseline;
}

static const gi_node_loops *gi_cpu_nodes(ga_dtype dtype) /* float32 or float64 */
{
#if GI_HAS_X86
    if (gi_cpu_isa() == GI_ISA_AVX512) return gi_find_nodes_avx512(dtype);
    if (gi_cpu_isa() == GI_ISA_AVX2) return gi_find_nodes_avx2(dtype);
#endif
    return gi_find_nodes_baseline(dtype);
}

static const gi_scan_loops *gi_cpu_scans(ga_dtype dtype) /* float32 or float64 */
{
#if GI_HAS_X86
    if (gi_cpu_isa() == GI_ISA_AVX512) return gi_find_scans_avx512(dtype);
    if (gi_cpu_isa() == GI_ISA_AVX2) return gi_find_scans_avx2(dtype);
#endif
    return gi_find_scans_baseline(dtype);
}

static gi_chains gi_cpu_chains(ga_dtype dtype)
{
    gi_chains found = NULL;
#if GI_HAS_X86
    if (gi_cpu_isa() == GI_ISA_AVX512) found = gi_find_chains_avx512(dtype);
    if (!found && gi_cpu_isa() >= GI_ISA_AVX2) found = gi_find_chains_avx2(dtype);
#endif
    return found ? found : gi_find_chains_baseline(dtype);
}

static const gi_product_tiles *gi_cpu_tiles(ga_dtype dtype) /* of float32, float64, int32 or int64 */
{
    const gi_product_tiles *found = NULL;
#if GI_HAS_X86
    if (gi_cpu_isa() == GI_ISA_AVX512) found = gi_find_tiles_avx512(dtype);
    if (!found && gi_cpu_isa() >= GI_ISA_AVX2) found = gi_find_tiles_avx2(dtype);
#endif
    return found ? found : gi_find_tiles_baseline(dtype);
}

static gi_turn_lines gi_cpu_turn(int itemsize) /* NULL: this instruction set has none for elements of the size */
{
    return itemsize == 4 ? gi_cpu_tiles(GA_F32)->pack_across : itemsize == 8 ? gi_cpu_tiles(GA_F64)->pack_across : NULL;
}

static gi_kernel gi_cpu_select(int itemsize)
{
#if GI_HAS_X86
    if (gi_cpu_isa() == GI_ISA_AVX512) return gi_find_select_avx512(itemsize);
    if (gi_cpu_isa() == GI_ISA_AVX2) return gi_find_select_avx2(itemsize);
#endif
    return gi_find_select_baseline(itemsize);
}

static gi_kernel gi_cpu_power(double exponent, ga_dtype dtype)
{
#if GI_HAS_X86
    if (gi_cpu_isa() == GI_ISA_AVX512) return gi_find_power_avx512(exponent, dtype);
    if (gi_cpu_isa() == GI_ISA_AVX2) return gi_find_power_avx2(exponent, dtype);
#endif
    return gi_find_power_baseline(exponent, dtype);
}

/* out[i] = x[i] where y[i], a bool, is true; for elements of up to 8 bytes. */
static gi_kernel gi_cpu_replace(int itemsize)
{
#if GI_HAS_X86
    if (gi_cpu_isa() == GI_ISA_AVX512) return gi_find_replace_avx512(itemsize);
    if (gi_cpu_isa() == GI_ISA_AVX2) return gi_find_replace_avx2(itemsize);
#endif
    return gi_find_replace_baseline(itemsize);
}

/* How results that no cache would keep are written. */
static gi_stream gi_cpu_stream(void)
{
#if GI_HAS_X86
    if (gi_cpu_isa() == GI_ISA_AVX512) return gi_stream_avx512;
    if (gi_cpu_isa() == GI_ISA_AVX2) return gi_stream_avx2;
#endif
    return gi_stream_baseline;
}

/* What was streamed is there for other threads before what is written from now on. */
static void gi_stream_end(void)
{
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

#endif /* GI_CPU_INCLUDED */
#endif
