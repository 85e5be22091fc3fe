/* ==== >>loops of one element type and instruction set ============================================================== */
#define GI_LOOP(stem) GI_JOIN(stem, GI_JOIN(_, GI_JOIN(GA_TAG, GI_JOIN(_, GI_ISA))))
#define GI_OP(name)   GI_NAME(gi_op_##name)
#if GI_CLASS == 4 /* long formulas that make no vectors: once is enough */
#define GI_MAP_VECTORS(n, T) (n)
#else
#define GI_MAP_VECTORS(n, T) GI_IN_VECTORS(n, sizeof(T))
#endif

#if GI_ISA_BYTES == 64
#include "lean.h"
#endif
static GI_INLINE void GI_LOOP(gi_map1_SAME)(int64_t n, void *o, const void *x_, GA_T (*f)(GA_T))
{
    GA_T            *out   = (GA_T *)o;
    const GI_STORED *x     = (const GI_STORED *)x_;
    const int64_t    whole = GI_MAP_VECTORS(n, GI_R);
    GI_VECTORIZE
    for (int64_t i = 0; i < whole; i++) out[i] = f(x[i]);
    for (int64_t i = whole; i < n; i++) {
        GI_ONE_BY_ONE
        out[i] = f(x[i]);
    }
}

static GI_INLINE void GI_LOOP(gi_map1_BOOL)(int64_t n, void *o, const void *x_, bool (*f)(GA_T))
{
    bool            *out   = (bool *)o;
    const GI_STORED *x     = (const GI_STORED *)x_;
    const int64_t    whole = GI_MAP_VECTORS(n, bool);
    GI_VECTORIZE
    for (int64_t i = 0; i < whole; i++) out[i] = f(x[i]);
    for (int64_t i = whole; i < n; i++) {
        GI_ONE_BY_ONE
        out[i] = f(x[i]);
    }
}

static GI_INLINE void GI_LOOP(gi_map1_BYTE)(int64_t n, void *o, const void *x_, uint8_t (*f)(GA_T))
{
    uint8_t         *out   = (uint8_t *)o;
    const GI_STORED *x     = (const GI_STORED *)x_;
    const int64_t    whole = GI_MAP_VECTORS(n, uint8_t);
    GI_VECTORIZE
    for (int64_t i = 0; i < whole; i++) out[i] = f(x[i]);
    for (int64_t i = whole; i < n; i++) {
        GI_ONE_BY_ONE
        out[i] = f(x[i]);
    }
}

static GI_INLINE void GI_LOOP(gi_map1_PART)(int64_t n, void *o, const void *x_, GI_R (*f)(GA_T))
{
    GI_R            *out   = (GI_R *)o;
    const GI_STORED *x     = (const GI_STORED *)x_;
    const int64_t    whole = GI_MAP_VECTORS(n, GI_R);
    GI_VECTORIZE
    for (int64_t i = 0; i < whole; i++) out[i] = f(x[i]);
    for (int64_t i = whole; i < n; i++) {
        GI_ONE_BY_ONE
        out[i] = f(x[i]);
    }
}

static GI_INLINE void GI_LOOP(gi_map2_SAME)(int64_t n, void *o, const void *x_, const void *y_, GA_T (*f)(GA_T, GA_T),
                                            const bool vectors)
{
    GA_T            *out = (GA_T *)o;
    const GI_STORED *x = (const GI_STORED *)x_, *y = (const GI_STORED *)y_;
    const int64_t    whole = vectors ? GI_MAP_VECTORS(n, GI_R) : 0;
    GI_VECTORIZE
    for (int64_t i = 0; i < whole; i++) out[i] = f(x[i], y[i]);
    for (int64_t i = whole; i < n; i++) {
        GI_ONE_BY_ONE
        out[i] = f(x[i], y[i]);
    }
}

static GI_INLINE void GI_LOOP(gi_map2_BOOL)(int64_t n, void *o, const void *x_, const void *y_, bool (*f)(GA_T, GA_T),
                                            const bool vectors)
{
    bool            *out = (bool *)o;
    const GI_STORED *x = (const GI_STORED *)x_, *y = (const GI_STORED *)y_;
    const int64_t    whole = vectors ? GI_MAP_VECTORS(n, bool) : 0;
    GI_VECTORIZE
    for (int64_t i = 0; i < whole; i++) out[i] = f(x[i], y[i]);
    for (int64_t i = whole; i < n; i++) {
        GI_ONE_BY_ONE
        out[i] = f(x[i], y[i]);
    }
}

static GI_INLINE void GI_LOOP(gi_map3_SAME)(int64_t n, void *o, const void *x_, const void *y_, const void *z_,
                                            GA_T (*f)(GA_T, GA_T, GA_T))
{
    GA_T            *out = (GA_T *)o;
    const GI_STORED *x = (const GI_STORED *)x_, *y = (const GI_STORED *)y_, *z = (const GI_STORED *)z_;
    const int64_t    whole = GI_MAP_VECTORS(n, GI_R);
    GI_VECTORIZE
    for (int64_t i = 0; i < whole; i++) out[i] = f(x[i], y[i], z[i]);
    for (int64_t i = whole; i < n; i++) {
        GI_ONE_BY_ONE
        out[i] = f(x[i], y[i], z[i]);
    }
}

#if GI_CLASS == 3 && !defined(GI_ISA_SCALAR)
/* Rare arguments (huge, infinite, NaN ...) are computed like the others, and then mended one by one; so where out is x, a part of the
   array is computed elsewhere, and copied. Parts are whole vectors, so that compilers make one loop, and none for what is left: the last
   vector begins where it fits, and is computed of what stood there. */
enum { GI_LOOP(gi_lanes) = GI_ISA_BYTES / (int)sizeof(GA_T) };

/* The last vector of n elements; of fewer these, and the first one again and again. */
static __attribute__((noinline)) void GI_LOOP(gi_last)(int64_t n, GA_T *last, const GA_T *x)
{
    if (n >= GI_LOOP(gi_lanes)) {
        memcpy(last, x + n - GI_LOOP(gi_lanes), GI_ISA_BYTES);
        return;
    }
    for (int64_t i = 0; i < GI_LOOP(gi_lanes); i++) last[i] = x[i < n ? i : 0];
}

/* How many elements are computed next of those that are left. */
static GI_INLINE int64_t GI_LOOP(gi_part)(int64_t left)
{
    const int64_t lanes = GI_LOOP(gi_lanes);
    return left >= GI_MEND ? GI_MEND : left >= lanes ? left & -lanes : lanes;
}

static GI_INLINE void GI_LOOP(gi_mend1)(int64_t m, GA_T *out, const GA_T *x, GI_FLAG (*rare)(GA_T), GA_T (*slow)(GA_T))
{
    for (int64_t i = 0; i < m; i++)
        if (rare(x[i])) out[i] = slow(x[i]);
}
static GI_INLINE void GI_LOOP(gi_mend2)(int64_t m, GA_T *out, const GA_T *x, const GA_T *y, GI_FLAG (*rare)(GA_T, GA_T),
                                        GA_T (*slow)(GA_T, GA_T))
{
    for (int64_t i = 0; i < m; i++)
        if (rare(x[i], y[i])) out[i] = slow(x[i], y[i]);
}

/* Computes a part, of whole vectors. True: some elements are rare. (Where that is a number of half the width, gcc computes two vectors side
   by side; a long formula alone waits for itself.) */
#if GI_ISA_BYTES == 64
typedef uint32_t GI_LOOP(gi_any_rare);
#else
typedef GI_FLAG GI_LOOP(gi_any_rare);
#endif
static GI_INLINE bool GI_LOOP(gi_core1)(int64_t m, GA_T *out, const GA_T *x, GA_T (*core)(GA_T), GI_FLAG (*rare)(GA_T))
{
    const int64_t whole      = m & -(int64_t)GI_LOOP(gi_lanes);
    GI_LOOP(gi_any_rare) any = 0;
    GI_VECTORIZE
    for (int64_t i = 0; i < whole; i++) {
        const GA_T a = x[i];
        any          = rare(a) ? 1 : any;
        out[i]       = core(a);
    }
    return any;
}
static GI_INLINE bool GI_LOOP(gi_core2)(int64_t m, GA_T *out, const GA_T *x, const GA_T *y, GA_T (*core)(GA_T, GA_T),
                                        GI_FLAG (*rare)(GA_T, GA_T))
{
    const int64_t whole      = m & -(int64_t)GI_LOOP(gi_lanes);
    GI_LOOP(gi_any_rare) any = 0;
    GI_VECTORIZE
    for (int64_t i = 0; i < whole; i++) {
        const GA_T a = x[i], b = y[i];
        any    = rare(a, b) ? 1 : any;
        out[i] = core(a, b);
    }
    return any;
}

/* Fetches what lies ahead, if there are many elements: in a long formula the processor does not look so far by itself. */
static GI_INLINE void GI_LOOP(gi_fetch)(int64_t n, int64_t left, const GA_T *x)
{
    const int64_t ahead = GI_FETCHED_AHEAD / (int64_t)sizeof *x;
    if (n < GI_FETCHED_FROM || left < ahead + GI_MEND) return;
    for (int64_t i = 0; i < GI_MEND; i += GI_LINE / (int64_t)sizeof *x) __builtin_prefetch(x + ahead + i);
}

/* What is the same of all these functions is compiled once. */
static __attribute__((noinline)) void GI_LOOP(gi_elementary1)(int64_t n, void *o, const void *x_,
                                                              bool (*core)(int64_t m, GA_T *out, const GA_T *x),
                                                              void (*mend)(int64_t m, GA_T *out, const GA_T *x))
{
    const int64_t lanes = GI_LOOP(gi_lanes);
    const bool    apart = o != x_;
    GA_T          last[GI_LOOP(gi_lanes)], made[GI_MEND];
    if (n < 1) return;
    GI_LOOP(gi_last)(n, last, (const GA_T *)x_);
    for (int64_t start = 0, m; start < n; start += m) {
        const bool  ends = n - start < lanes;
        const GA_T *x    = ends ? last : (const GA_T *)x_ + start;
        GA_T       *to = (GA_T *)o + (ends ? n - lanes : start), *out = apart && n >= lanes ? to : made;
        m = GI_LOOP(gi_part)(n - start);
        GI_LOOP(gi_fetch)(n, n - start, x);
        if (core(m, out, x)) mend(m, out, x);
        if (out != to) memcpy(n < lanes ? (GA_T *)o : to, made, (size_t)(n < lanes ? n : m) * sizeof *made);
    }
}

static __attribute__((noinline)) void GI_LOOP(gi_elementary2)(int64_t n, void *o, const void *x_, const void *y_,
                                                              bool (*core)(int64_t m, GA_T *out, const GA_T *x, const GA_T *y),
                                                              void (*mend)(int64_t m, GA_T *out, const GA_T *x, const GA_T *y))
{
    const int64_t lanes = GI_LOOP(gi_lanes);
    const bool    apart = o != x_ && o != y_;
    GA_T          last[2][GI_LOOP(gi_lanes)], made[GI_MEND];
    if (n < 1) return;
    GI_LOOP(gi_last)(n, last[0], (const GA_T *)x_);
    GI_LOOP(gi_last)(n, last[1], (const GA_T *)y_);
    for (int64_t start = 0, m; start < n; start += m) {
        const bool  ends = n - start < lanes;
        const GA_T *x = ends ? last[0] : (const GA_T *)x_ + start, *y = ends ? last[1] : (const GA_T *)y_ + start;
        GA_T       *to = (GA_T *)o + (ends ? n - lanes : start), *out = apart && n >= lanes ? to : made;
        m = GI_LOOP(gi_part)(n - start);
        GI_LOOP(gi_fetch)(n, n - start, x);
        GI_LOOP(gi_fetch)(n, n - start, y);
        if (core(m, out, x, y)) mend(m, out, x, y);
        if (out != to) memcpy(n < lanes ? (GA_T *)o : to, made, (size_t)(n < lanes ? n : m) * sizeof *made);
    }
}
#endif

#define GI_ACC WIDE
#include "fold.h"
#undef GI_ACC
#define GI_ACC MEAN
#include "fold.h"
#undef GI_ACC
#define GI_ACC SAME
#include "fold.h"
#undef GI_ACC
#define GI_ACC BOOL
#include "fold.h"
#undef GI_ACC
#define GI_ACC COUNT
#include "fold.h"
#undef GI_ACC

#if GI_CLASS == 3
#include "moments.h"
#include "scans.h"
#include "dot.h"
#endif
#if GI_CLASS >= 1 && GI_CLASS <= 3
#include "divide.h"
#endif
#if GI_ISA_BYTES == 64 && defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif
#if GI_DENSE
#include "dense.h"
#endif
#if !GI_HAS_TWIN
#include "chains.h"
#endif

#if GI_CLASS != 3 && !GI_HAS_TWIN
/* ==== convolutions of what is no float: the sums of a short line stay in the cache, weight after weight =============== */
enum { GI_LOOP(gi_line_columns) = 1 };
static void GI_LOOP(gi_correlate_lines)(const gi_taps *t, int64_t rows, int64_t columns, const void *x_, void *sums_,
                                        int64_t pitch, bool begin)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t start = 0; start < columns; start += GI_TAP_LINE) {
            const GI_STORED *x = (const GI_STORED *)x_ + i * t->pitch + start, *w = (const GI_STORED *)t->weights;
            GA_T            *sums = (GA_T *)sums_ + i * pitch + start;
            int64_t          n    = columns - start < GI_TAP_LINE ? columns - start : GI_TAP_LINE;
            if (begin)
                for (int64_t k = 0; k < n; k++) sums[k] = GA_FN(nothing)();
            for (int64_t u = 0; u < t->height; u++)
                for (int64_t v = 0; v < t->width; v++, w++) {
                    const GI_STORED *from   = x + u * t->pitch + v * t->step;
                    const GA_T       weight = *w;
                    GI_VECTORIZE
                    for (int64_t k = 0; k < n; k++) sums[k] = GA_FN(weigh)(sums[k], weight, from[k]);
                }
        }
}
#endif

#if GI_ISA_BYTES == 64
#include "lean.h"
#endif
#include "stamp.h"
#if GI_ISA_BYTES == 64 && defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif
#undef GI_LOOP
#undef GI_OP
#undef GI_MAP_VECTORS
