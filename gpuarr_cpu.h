/*  gpuarr_cpu.h -- the CPU backend. Included by gpuarr.h, never by you.

    The loops are ordinary code with ordinary line numbers. This file includes itself once per instruction set (GI_ISA) and, within
    that, once per element type (GA_TAG). A kernel works on packed elements: strides, casts and broadcasting are settled before by
    whoever calls it, a tile at a time.

        >>loops  >>folds  >>moments  >>scans  >>dense  >>stamp  >>find  >>isa                                                                              */

#if defined(GI_ACC)
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
        for (int64_t i = 0; i < m; i++) any |= rare(x[i]);
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
        for (int64_t i = 0; i < m; i++) any |= rare(x[i], y[i]);
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
        x         = gi_join_nodes(x, y);
        count[i]  = x.n;
        s[i]      = x.s;
        m[i]      = x.m;
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
    return product ? GI_LOOP(gi_scan_block)(n, width, x, a, b, gi_mul_f64) : GI_LOOP(gi_scan_block)(n, width, x, a, b, gi_add_f64);
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

#if GI_CLASS == 3
/* ==== >>dense: loops that live in registers, on vectors of floats ================================================== */
/*  The lanes of a vector belong to different elements of the result. Each of these goes through the same chain of operations,
    however wide the vector is: so every instruction set gives the same bits.                                                 */
GI_BEGIN_FAST
/* clang-format off */
#define GI_V         GI_LOOP(gi_vector)
#define GI_V_BITS    GI_LOOP(gi_vector_bits)
#define GI_LANES     ((int)(GI_ISA_BYTES / sizeof(GA_T)))
#define GI_VFN(name) GI_LOOP(gi_v##name)
#define GI_MM_f32(name) GI_JOIN(GI_ISA_MM, name##_ps)
#define GI_MM_f64(name) GI_JOIN(GI_ISA_MM, name##_pd)
#define GI_MM           GI_JOIN(GI_MM_, GA_TAG) /* the intrinsics of this type: GI_MM(sqrt) is _mm256_sqrt_pd */
/* clang-format on */
typedef GA_T    GI_V __attribute__((vector_size(GI_ISA_BYTES)));
typedef GI_FLAG GI_V_BITS __attribute__((vector_size(GI_ISA_BYTES)));

static GI_INLINE GI_V GI_VFN(load)(const GA_T *p)
{
    GI_V v;
    memcpy(&v, p, sizeof v);
    return v;
}

static GI_INLINE void GI_VFN(store)(GA_T *p, GI_V v) { memcpy(p, &v, sizeof v); }

static GI_INLINE GI_V GI_VFN(all)(GA_T x) /* x in every lane */
{
    const GI_V zero = { 0 };
    return x - zero;
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

static const gi_dense GI_LOOP(gi_dense) = { GI_LANES };

#undef GI_V
#undef GI_V_BITS
#undef GI_LANES
#undef GI_VFN
#undef GI_MM_f32
#undef GI_MM_f64
#undef GI_MM
GI_END_FAST
#endif

/* ==== convolutions: sums[i] + weight * x[i] ========================================================================== */
static void GI_LOOP(gi_weigh)(int64_t n, void *sums_, const void *weight_, const void *x_)
{
    GA_T       *sums   = (GA_T *)sums_;
    const GA_T *x      = (const GA_T *)x_;
    const GA_T  weight = *(const GA_T *)weight_;
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) sums[i] = GA_FN(weigh)(sums[i], weight, x[i]);
}

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
#define GA_REDUCTION(name, dtypes, acc, result, start, of_x, join_ab, end_an, ...)                                     \
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
#define GA_REDUCTION(name, dtypes, acc, ...)                                                                            \
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
#define GI_PASS 4
#include "gpuarr.h"
#undef GI_PASS

/* out[i] = condition[i] ? x[i] : y[i], for elements of 1 to 16 bytes whatever they mean. */
#define GI_FIND(name) GI_JOIN(name, GI_JOIN(_, GI_ISA))
#define GI_SELECT(name, U)                                                                                                     \
    static void GI_FIND(gi_select_##name)(int64_t n, void *out, const void *c, const void *x, const void *y)                   \
    {                                                                                                                          \
        const bool *chosen = (const bool *)c;                                                                                  \
        const U    *a = (const U *)x, *b = (const U *)y;                                                                       \
        GI_VECTORIZE                                                                                                           \
        for (int64_t i = 0; i < n; i++) ((U *)out)[i] = (U)(b[i] ^ ((a[i] ^ b[i]) & (U)(0 - (U)chosen[i])));                   \
    }
GI_SELECT(u8, uint8_t)
GI_SELECT(u16, uint16_t)
GI_SELECT(u32, uint32_t)
GI_SELECT(u64, uint64_t)
#undef GI_SELECT
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
#define GI_DTYPE_CASE(TAG, tag, T, name)                                                                                       \
    case GA_##TAG:                                                                                                             \
        return GI_FIND(gi_weigh_##tag);
static gi_weigh GI_FIND(gi_find_weigh)(ga_dtype dtype)
{
    switch (dtype) {
        GI_ISA_DTYPES(GI_DTYPE_CASE)
    default: return NULL;
    }
}
#undef GI_DTYPE_CASE
static const gi_dense *GI_FIND(gi_find_dense)(ga_dtype dtype)
{
    return dtype == GA_F32 ? &GI_FIND(gi_dense_f32) : dtype == GA_F64 ? &GI_FIND(gi_dense_f64) : NULL;
}
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

#define GI_BLOCK    1024 /* elements: of the documented tree of reductions */
#define GI_MEND     256  /* elements whose rare arguments are mended together */

/* n packed elements: out[i] = f(x[i], y[i], z[i]). out may be one of x, y, z. */
typedef void (*gi_kernel)(int64_t n, void *out, const void *x, const void *y, const void *z);
typedef void (*gi_cast_kernel)(int64_t n, void *out, const void *x);

/* sums[i] += *weight * x[i], n packed elements. */
typedef void (*gi_weigh)(int64_t n, void *sums, const void *weight, const void *x);

typedef struct gi_fold {
    int acc_bytes;                                                  /* of one accumulator */
    void (*block)(int64_t n, void *acc, const void *x);             /* 1 to 1024 packed elements into one accumulator */
    void (*rows)(int64_t n, void *accs, const void *const *rows);   /* accs[i]: the fold of rows[0][i] ... rows[7][i] */
    void (*widen)(int64_t n, void *accs, const void *x);            /* accs[i]: x[i] alone */
    void (*join)(int64_t n, void *accs, const void *more);          /* accs[i] is joined with more[i] */
    void (*halve)(int64_t n, void *accs);                           /* 1 to 1024 accumulators into the first */
    void (*end)(int64_t m, void *out, const void *accs, int64_t n); /* m results from the accumulators of n elements each */
} gi_fold;

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

typedef struct gi_scan_loops { /* section >>scans; of float32 only the last one */
    const double *(*block)(bool product, int64_t n, int64_t width, const double *x, double *a, double *b);
    void (*last)(bool product, int64_t width, const double *x, double *a);
    void (*finish)(bool product, int64_t n, void *out, const double *before, bool each, const double *x);
} gi_scan_loops;

typedef struct gi_dense { /* loops on vectors of a float type, section >>dense */
    int lanes;            /* elements of a vector */
} gi_dense;

#if defined(__x86_64__) && defined(__GNUC__) && !defined(GPUARR_BASELINE_ONLY)
#include <immintrin.h>
#endif

GI_BEGIN_FAST
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(GPUARR_BASELINE_ONLY)
#pragma GCC push_options
#pragma GCC optimize("O1", "no-tree-vectorize", "no-trapping-math", "no-math-errno",                                           \
                     "fp-contract=off") /* hardly ever used: save compile time */
#endif
#define GI_ISA        baseline
#define GI_ISA_BYTES  16 /* of a vector register */
#define GI_ISA_TILE   2  /* vectors side by side in a tile that fits the registers */
#define GI_ISA_STAMPS 1
#define GI_ISA_DTYPES GI_EACH_STAMPED
#include "gpuarr_cpu.h"
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(GPUARR_BASELINE_ONLY)
#pragma GCC pop_options
#endif
#undef GI_ISA
#undef GI_ISA_BYTES
#undef GI_ISA_TILE
#undef GI_ISA_STAMPS
#undef GI_ISA_DTYPES

#if defined(__x86_64__) && defined(__GNUC__) && !defined(GPUARR_BASELINE_ONLY)
#define GI_HAS_X86 1
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
/* -O1 and the vectoriser: the other passes of -O2 would add some 4 s to the compile time for little speed. (Without the
   expensive optimizations gcc leaves out vzeroupper.) */
#pragma GCC push_options
#pragma GCC optimize("O1", "expensive-optimizations", "strict-aliasing", "tree-loop-vectorize", "no-tree-slp-vectorize", "no-tree-pre",   \
                     "vect-cost-model=dynamic", "no-trapping-math", "no-math-errno", "fp-contract=off")
#pragma GCC target("avx2,fma")
#endif
#define GI_ISA        avx2
#define GI_ISA_BYTES  32
#define GI_ISA_TILE   2
#define GI_ISA_MM     _mm256_
#define GI_ISA_STAMPS 1
#define GI_ISA_DTYPES GI_EACH_STAMPED
#include "gpuarr_cpu.h"
#undef GI_ISA
#undef GI_ISA_BYTES
#undef GI_ISA_TILE
#undef GI_ISA_MM
#undef GI_ISA_STAMPS
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
#define GI_ISA        avx512
#define GI_ISA_BYTES  64
#define GI_ISA_TILE   4
#define GI_ISA_MM     _mm512_
#define GI_ISA_STAMPS (GI_CLASS == 3)
#define GI_ISA_DTYPES GI_EACH_FLT
#include "gpuarr_cpu.h"
#undef GI_ISA
#undef GI_ISA_BYTES
#undef GI_ISA_TILE
#undef GI_ISA_MM
#undef GI_ISA_STAMPS
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

static gi_weigh gi_cpu_weigh(ga_dtype dtype)
{
    gi_weigh found = NULL;
#if GI_HAS_X86
    if (gi_cpu_isa() == GI_ISA_AVX512) found = gi_find_weigh_avx512(dtype);
    if (!found && gi_cpu_isa() >= GI_ISA_AVX2) found = gi_find_weigh_avx2(dtype);
#endif
    return found ? found : gi_find_weigh_baseline(dtype);
}

static const gi_dense *gi_cpu_dense(ga_dtype dtype) /* NULL unless float32 or float64 */
{
#if GI_HAS_X86
    if (gi_cpu_isa() == GI_ISA_AVX512) return gi_find_dense_avx512(dtype);
    if (gi_cpu_isa() == GI_ISA_AVX2) return gi_find_dense_avx2(dtype);
#endif
    return gi_find_dense_baseline(dtype);
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

static gi_kernel gi_cpu_select(int itemsize)
{
#if GI_HAS_X86
    if (gi_cpu_isa() == GI_ISA_AVX512) return gi_find_select_avx512(itemsize);
    if (gi_cpu_isa() == GI_ISA_AVX2) return gi_find_select_avx2(itemsize);
#endif
    return gi_find_select_baseline(itemsize);
}

#endif /* GI_CPU_INCLUDED */
#endif
