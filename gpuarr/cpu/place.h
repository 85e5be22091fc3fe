/* ==== where the first extreme of a segment is (GI_PLACE_TAG is f32, f64, i32 or i64) ============================== */
/*  Once along it, and each lane keeps in which part it became better last; then the first element of a part that equals the extreme. */

#define GI_PLACE(stem)    GI_JOIN(stem, GI_JOIN(_, GI_JOIN(GI_PLACE_TAG, GI_JOIN(_, GI_ISA))))
#define GI_OF_PLACE(name) GI_JOIN(_mm512_##name##_, GI_PLACE_SUFFIX)
#define GI_PLACE_LANES    (64 / (int)sizeof(GI_PLACE_T))

#if GI_OPTIMIZED
#define GI_PLACE_STEP GI_INLINE
#else
#define GI_PLACE_STEP GI_OWN_FRAME
#endif

static GI_PLACE_STEP int64_t GI_PLACE(gi_place_one)(int64_t n, const GI_PLACE_T *x, const bool largest, int64_t ahead)
{
    enum { LANES = GI_PLACE_LANES, STEP = 4 * LANES, PART = 16 * STEP };
    GI_PLACE_VECTOR best[4], part[4];
    const int64_t   last = n - STEP; /* the last vectors may overlap those before */
    unsigned        nan  = 0;
    GI_UNROLL
    for (int k = 0; k < 4; k++) {
        best[k] = GI_PLACE_LOAD(x + k * LANES);
        part[k] = GI_OF_PLACE(set1)(0);
    }
    for (int64_t begin = 0; begin < n; begin += PART) {
        const int64_t         end    = n - begin < PART ? n : begin + PART;
        const GI_PLACE_VECTOR number = GI_OF_PLACE(set1)((GI_PLACE_T)(begin / PART));
        GI_PLACE_VECTOR       before[4], v[4];
        GI_UNROLL
        for (int k = 0; k < 4; k++) before[k] = best[k];
        for (int64_t i = begin; i < end; i += STEP) {
            const GI_PLACE_T *at = x + (i < last ? i : last);
            if (ahead) {
                GI_UNROLL
                for (int k = 0; k < 4; k++) __builtin_prefetch((const char *)(at + k * LANES) + ahead);
            }
            GI_UNROLL
            for (int k = 0; k < 4; k++) {
                v[k]    = GI_PLACE_LOAD(at + k * LANES);
                best[k] = largest ? GI_OF_PLACE(max)(v[k], best[k]) : GI_OF_PLACE(min)(v[k], best[k]);
            }
#if GI_PLACE_REAL
            nan |= GI_JOIN(GI_OF_PLACE(cmpunord), _mask)(v[0], v[1]) | GI_JOIN(GI_OF_PLACE(cmpunord), _mask)(v[2], v[3]);
#endif
        }
        GI_UNROLL
        for (int k = 0; k < 4; k++)
            part[k] = GI_OF_PLACE(mask_mov)(part[k], GI_JOIN(GI_OF_PLACE(cmpneq), _mask)(best[k], before[k]), number);
    }
    if (nan) return -1;
    GI_PLACE_VECTOR all = best[0];
    for (int k = 1; k < 4; k++) all = largest ? GI_OF_PLACE(max)(best[k], all) : GI_OF_PLACE(min)(best[k], all);
    const GI_PLACE_VECTOR wanted = GI_OF_PLACE(set1)(largest ? GI_OF_PLACE(reduce_max)(all) : GI_OF_PLACE(reduce_min)(all));
    int64_t               i      = 0;
    if (n > PART) { /* the first of the parts where the extreme of a lane is that of all */
        GI_PLACE_VECTOR first = GI_OF_PLACE(set1)((GI_PLACE_T)(n / PART));
        for (int k = 0; k < 4; k++)
            first = GI_OF_PLACE(mask_min)(first, GI_JOIN(GI_OF_PLACE(cmpeq), _mask)(best[k], wanted), first, part[k]);
        i = (int64_t)GI_OF_PLACE(reduce_min)(first) * PART;
    }
    for (;; i += STEP) {
        const int64_t start = i < last ? i : last;
        uint64_t      equal = 0;
        GI_UNROLL
        for (int k = 0; k < 4; k++)
            equal |= (uint64_t)GI_JOIN(GI_OF_PLACE(cmpeq), _mask)(GI_PLACE_LOAD(x + start + k * LANES), wanted) << k * LANES;
        if (equal) return start + __builtin_ctzll(equal);
    }
}

/* The same of fewer, which so many vectors hold; for those that are missing the first one stands. -1 only if all are NaN and skipped. */
static GI_PLACE_STEP int64_t GI_PLACE(gi_place_few)(const int vectors, int64_t n, const GI_PLACE_T *x, const bool largest,
                                                    bool skip_nan)
{
    const GI_PLACE_VECTOR first = GI_OF_PLACE(set1)(x[0]);
    GI_PLACE_VECTOR       v[4] = { first, first, first, first }, best = first;
    uint64_t              equal = 0, nan = 0;
    GI_UNROLL
    for (int k = 0; k < vectors; k++) {
        const int64_t  left = n - k * GI_PLACE_LANES;
        const unsigned some = left >= GI_PLACE_LANES ? ~0u : left > 0 ? (1u << left) - 1 : 0;
        v[k]                = GI_PLACE_LOAD_SOME(first, some, x + k * GI_PLACE_LANES);
        best                = largest ? GI_OF_PLACE(max)(v[k], best) : GI_OF_PLACE(min)(v[k], best);
#if GI_PLACE_REAL
        nan |= (uint64_t)GI_JOIN(GI_OF_PLACE(cmpunord), _mask)(v[k], v[k]) << k * GI_PLACE_LANES;
#endif
    }
    if (nan && !skip_nan) return __builtin_ctzll(nan);
#if GI_PLACE_REAL
    if (nan) { /* of a NaN and another number both instructions take the other one, which is the second operand */
        best = GI_OF_PLACE(set1)(largest ? -(GI_PLACE_T)INFINITY : (GI_PLACE_T)INFINITY);
        GI_UNROLL
        for (int k = 0; k < vectors; k++) best = largest ? GI_OF_PLACE(max)(v[k], best) : GI_OF_PLACE(min)(v[k], best);
    }
#endif
    const GI_PLACE_VECTOR wanted = GI_OF_PLACE(set1)(largest ? GI_OF_PLACE(reduce_max)(best) : GI_OF_PLACE(reduce_min)(best));
    GI_UNROLL
    for (int k = 0; k < vectors; k++) equal |= (uint64_t)GI_JOIN(GI_OF_PLACE(cmpeq), _mask)(v[k], wanted) << k * GI_PLACE_LANES;
    return equal ? __builtin_ctzll(equal) : -1; /* if the first one is equal, that is it */
}

static GI_INLINE int64_t GI_PLACE(gi_place_any)(int64_t n, const GI_PLACE_T *x, const bool largest, bool skip_nan,
                                                int64_t ahead)
{
    if (n <= GI_PLACE_LANES) return GI_PLACE(gi_place_few)(1, n, x, largest, skip_nan);
    if (n < 4 * GI_PLACE_LANES) return GI_PLACE(gi_place_few)(4, n, x, largest, skip_nan);
    return GI_PLACE(gi_place_one)(n, x, largest, ahead);
}

static int64_t GI_PLACE(gi_place)(int64_t n, const void *elements, bool largest, bool skip_nan, int64_t ahead)
{
    const GI_PLACE_T *x = (const GI_PLACE_T *)elements;
    return largest ? GI_PLACE(gi_place_any)(n, x, true, skip_nan, ahead) : GI_PLACE(gi_place_any)(n, x, false, skip_nan, ahead);
}
#undef GI_PLACE_STEP
#undef GI_PLACE
#undef GI_OF_PLACE
#undef GI_PLACE_LANES
#undef GI_PLACE_TAG
#undef GI_PLACE_SUFFIX
#undef GI_PLACE_T
#undef GI_PLACE_VECTOR
#undef GI_PLACE_LOAD
#undef GI_PLACE_LOAD_SOME
#undef GI_PLACE_REAL
