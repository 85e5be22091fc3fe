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
