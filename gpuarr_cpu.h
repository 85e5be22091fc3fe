/*  gpuarr_cpu.h -- the CPU backend. Included by gpuarr.h, never by you.

    The loops are ordinary code with ordinary line numbers. This file includes itself once per instruction set (GI_ISA) and, within
    that, once per element type (GA_TAG). A kernel works on packed elements: strides, casts and broadcasting are settled before by
    whoever calls it, a tile at a time.

        >>loops  >>folds  >>dense  >>stamp  >>find  >>isa                                                                              */

#if defined(GI_ACC)
/* ==== >>folds: one accumulator kind (GI_ACC is WIDE, MEAN, SAME, BOOL or COUNT) =================================== */
/*  The documented tree. A block holds up to 1024 elements; x[i] joins x[i + h] for h = 512, 256 ... 1, starting from the power of two
    that holds the block; an element without a partner stays as it is. The results of the blocks are folded in the same way.   */

#define GI_A GI_NAME(GI_JOIN(gi_acc_, GI_ACC))

static GI_INLINE void GI_LOOP(GI_JOIN(gi_halve_, GI_ACC))(int64_t n, GI_A *a, GI_A (*join)(GI_A, GI_A))
{
    int64_t h = 1;
    while (h < n) h *= 2;
    if (h > n) { /* the first step of a block that is no power of two */
        h /= 2;
        for (int64_t i = 0; i < n - h; i++) a[i] = join(a[i], a[i + h]);
        n = h;
    }
    for (h = n / 2; h >= 16; h /= 2) {
        GI_VECTORIZE
        for (int64_t i = 0; i < h; i++) a[i] = join(a[i], a[i + h]);
    }
    for (; h > 0; h /= 2)
        for (int64_t i = 0; i < h; i++) a[i] = join(a[i], a[i + h]);
}

static GI_INLINE void GI_LOOP(GI_JOIN(gi_fold_, GI_ACC))(int64_t n, void *acc, const void *in, GI_A (*of)(GA_T),
                                                         GI_A (*join)(GI_A, GI_A), void (*halve)(int64_t, void *))
{
    const GA_T *x = (const GA_T *)in;
    GI_A        a[GI_BLOCK / 2];
    int64_t     h = GI_BLOCK / 2;
    if (n == GI_BLOCK) {
        GI_VECTORIZE
        for (int64_t i = 0; i < GI_BLOCK / 2; i++) a[i] = join(of(x[i]), of(x[i + GI_BLOCK / 2]));
    } else {
        while (h > 1 && h >= n) h /= 2;
        for (int64_t i = 0; i < h; i++) a[i] = i + h < n ? join(of(x[i]), of(x[i + h])) : of(x[i]);
    }
    if (h > 1) halve(h, a);
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

#if GI_DENSE
/* ==== >>dense: loops that live in registers, on vectors of floats (and for matrix products of integers) ============= */
/*  The lanes of a vector belong to different elements of the result. Each of these goes through the same chain of operations,
    however wide the vector is: so every instruction set gives the same bits.                                                 */
GI_BEGIN_FAST
/* clang-format off */
#define GI_W         GI_JOIN(gi_wrap_, GA_TAG) /* the type of a lane: integers are unsigned and wrap */
#define GI_V         GI_LOOP(gi_vector)
#define GI_V_BITS    GI_LOOP(gi_vector_bits)
#define GI_LANES     ((int)(GI_ISA_BYTES / sizeof(GA_T)))
#define GI_VFN(name) GI_LOOP(gi_v##name)
#define GI_MM_f32(name) GI_JOIN(GI_ISA_MM, name##_ps)
#define GI_MM_f64(name) GI_JOIN(GI_ISA_MM, name##_pd)
#define GI_MM           GI_JOIN(GI_MM_, GA_TAG) /* the intrinsics of this type: GI_MM(sqrt) is _mm256_sqrt_pd */
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

#else
static GI_INLINE GI_V GI_VFN(fma)(GI_V a, GI_V b, GI_V c) { return a * b + c; }
#endif

/* ---- matrix products: a tile of `rows` rows, each `wide` vectors, of out ------------------------------------------------ */
/* To out, or to nothing, n products a[r][k] * b[k][j] are added in the order of k. Rows are so many bytes apart. */
static GI_INLINE void GI_LOOP(gi_tile_of)(const int rows, const int wide, int64_t n, const char *a, int64_t a_row, const char *b,
                                          int64_t b_row, char *out, int64_t out_row, bool more)
{
    GI_V sums[GI_TILE_ROWS][2];
    GI_UNROLL
    for (int r = 0; r < rows; r++) {
        GI_UNROLL
        for (int v = 0; v < wide; v++)
            sums[r][v] = more ? GI_VFN(load)((const GI_W *)(const void *)(out + r * out_row) + v * GI_LANES)
                              : GI_VFN(all)((GI_W)-0.0);
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

static void GI_LOOP(gi_tile)(int rows, int wide, int64_t n, const char *a, int64_t a_row, const char *b, int64_t b_row, char *out,
                             int64_t out_row, bool more)
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
    default:
        GI_CASE(GI_ISA_ROWS)
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
            sum = GA_FN(fma)(*(const GA_T *)(const void *)(a + r * a_step), ((const GA_T *)(const void *)(b + r * b_row))[j], sum);
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
#define GI_Q         GI_JOIN(GI_Q_, GA_TAG)
#define GI_Q_f32     __m256
#define GI_Q_f64     __m256d
#define GI_Q_MM_f32(name) _mm256_##name##_ps
#define GI_Q_MM_f64(name) _mm256_##name##_pd
#define GI_Q_MM      GI_JOIN(GI_Q_MM_, GA_TAG)
#define GI_SIDE      ((int)(16 / sizeof(GA_T))) /* elements of each line that are turned at once, */
#define GI_LINES     (2 * GI_SIDE)              /* and of how many lines */
#define GI_TURN      GI_JOIN(gi_turn_, GI_JOIN(GA_TAG, GI_JOIN(_, GI_ISA)))

/* out[l][i] = in[i][l], rows of out `next` elements apart, rows of in `step` bytes */
static void GI_LOOP(gi_pack_across)(int64_t lines, int64_t n, void *out_, int64_t next, const char *in, int64_t step)
{
    GA_T         *out = (GA_T *)out_;
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
                sum[t][i] = GA_FN(fma)(((const GA_T *)(const void *)(a + i * j->a_next))[rest],
                                       *(const GA_T *)(const void *)(b + i * j->b_next + rest * j->b_step + t * j->b_again), sum[t][i]);
        for (int i = 0; i < groups * GI_LINES; i++)
            *(GA_T *)(void *)(out + i * j->out_next + t * j->out_again) = sum[t][i];
    }
}

/* As many of the chains as can be computed so; returns how many were. */
static int64_t GI_LOOP(gi_lines)(int64_t count, int times, int64_t n, char *out, const char *a, const char *b, const gi_chaining *j)
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
#define GI_PACK_ACROSS GI_LOOP(gi_pack_across)
#else
#define GI_PACK_ACROSS NULL
#endif
static const gi_tiles GI_LOOP(gi_tiles) = { GI_ISA_ROWS, GI_ISA_BYTES, sizeof(GI_W), GI_LOOP(gi_tile), GI_ROW, GI_PACK_ACROSS };
#undef GI_ROW
#undef GI_PACK_ACROSS

#undef GI_W
#undef GI_V
#undef GI_V_BITS
#undef GI_LANES
#undef GI_VFN
#undef GI_MM_f32
#undef GI_MM_f64
#undef GI_MM
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
                sum[i][t] = GA_FN(fma)(factor, *(const GA_T *)(const void *)(shared ? b + t * b_again : y[i] + k * b_step), sum[i][t]);
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
static void GI_LOOP(gi_chains)(int64_t count, int times, int64_t n, char *out, const char *a, const char *b, const gi_chaining *j)
{
    int64_t i = 0;
#if GI_CLASS == 3
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
    for (; i < count; i += 4)
        for (int t = 0; t < times; t++)
            GI_LOOP(gi_chains_of)(4, 1, false, count - i, n, out + i * j->out_next + t * j->out_again, a + i * j->a_next,
                                  b + i * j->b_next + t * j->b_again, j);
}

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
/* Folding accumulators does not depend on the element type: that is stamped in the pass of the accumulator's own type. */
#define GI_ACCTAG_WIDE  GI_WIDE_TAG
#define GI_ACCTAG_MEAN  GI_MEAN_TAG
#define GI_ACCTAG_SAME  GA_TAG
#define GI_ACCTAG_BOOL  GA_TAG
#define GI_ACCTAG_COUNT GA_TAG
#define GI_HALVE(name, acc) GI_JOIN(gi_halve_##name, GI_JOIN(_, GI_JOIN(GI_ACCTAG_##acc, GI_JOIN(_, GI_ISA))))

/* The formulas of a row, and from them: fold a block, fold accumulators, make the result. */
#define GI_RED(name, what) GI_LOOP(gi_##what##_##name)
#define GA_REDUCTION(name, dtypes, acc, result, start, of_x, join_ab, end_an, ...)                                     \
    GI_IF_##dtypes(static GI_INLINE GI_NAME(gi_acc_##acc) GI_RED(name, of)(GA_T x) { return (of_x); }                   \
    static GI_INLINE GI_NAME(gi_acc_##acc) GI_RED(name, join)(GI_NAME(gi_acc_##acc) a, GI_NAME(gi_acc_##acc) b)         \
    { return (join_ab); }                                                                                              \
    static void GI_HALVE(name, acc)(int64_t n, void *t);                                                                \
    GI_OWN_##acc(static void GI_HALVE(name, acc)(int64_t n, void *t)                                                    \
    { GI_LOOP(gi_halve_##acc)(n, (GI_NAME(gi_acc_##acc) *)t, GI_RED(name, join)); })                                    \
    static void GI_RED(name, block)(int64_t n, void *t, const void *x)                                                  \
    { GI_LOOP(gi_fold_##acc)(n, t, x, GI_RED(name, of), GI_RED(name, join), GI_HALVE(name, acc)); }                     \
    static void GI_RED(name, end)(void *out, const void *t, int64_t n)                                                  \
    {                                                                                                                  \
        const GI_NAME(gi_acc_##acc) a = *(const GI_NAME(gi_acc_##acc) *)t;                                              \
        const GI_NAME(gi_end_##result) r = GI_TO_##result(end_an);                                                      \
        (void)n;                                                                                                       \
        memcpy(out, &r, sizeof r);                                                                                     \
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
    fold->halve = GI_HALVE(name, acc); fold->end = GI_RED(name, end); return true;)
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
#undef GI_HALVE
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
#define GI_HALF(i) _mm_loadu_pd((const double *)(const void *)(from + (i) * next))
    const __m256d even = _mm256_insertf128_pd(_mm256_castpd128_pd256(GI_HALF(0)), GI_HALF(2), 1);
    const __m256d odd  = _mm256_insertf128_pd(_mm256_castpd128_pd256(GI_HALF(1)), GI_HALF(3), 1);
    turned[0]          = _mm256_unpacklo_pd(even, odd);
    turned[1]          = _mm256_unpackhi_pd(even, odd);
#undef GI_HALF
}

static GI_INLINE void GI_JOIN(gi_turn_f32_, GI_ISA)(const char *from, int64_t next, __m256 turned[4])
{
#define GI_HALF(i) _mm_loadu_ps((const float *)(const void *)(from + (i) * next))
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
static const gi_tiles *GI_FIND(gi_find_tiles)(ga_dtype dtype)
{
    switch (dtype) {
    case GA_F32: return &GI_FIND(gi_tiles_f32);
    case GA_F64: return &GI_FIND(gi_tiles_f64);
#if GI_ISA_INTEGERS
    case GA_I32: return &GI_FIND(gi_tiles_i32);
    case GA_I64: return &GI_FIND(gi_tiles_i64);
#endif
    default: return NULL;
    }
}
static const gi_dense *GI_FIND(gi_find_dense)(ga_dtype dtype)
{
    return dtype == GA_F32 ? &GI_FIND(gi_dense_f32) : dtype == GA_F64 ? &GI_FIND(gi_dense_f64) : NULL;
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
    int acc_bytes;                                      /* of one accumulator */
    void (*block)(int64_t n, void *acc, const void *x); /* 1 to 1024 packed elements into one accumulator */
    void (*halve)(int64_t n, void *accs);               /* 1 to 1024 accumulators into the first */
    void (*end)(void *out, const void *acc, int64_t n); /* the result from the accumulator of n elements */
} gi_fold;

/* Matrix products (section >>dense). */
enum { GI_TILE_ROWS = 8, GI_TILE_DEPTH = 256 };
typedef struct gi_tiles {
    int rows, bytes, lane; /* the most rows of a tile: these, 4, 2 or 1; bytes of a vector (tiles are one or two wide), and of a lane */
    void (*tile)(int rows, int wide, int64_t n, const char *a, int64_t a_row, const char *b, int64_t b_row, char *out, int64_t out_row,
                 bool more);
    void (*row)(int64_t inner, int64_t n, const char *a, int64_t a_step, const char *b, int64_t b_row, void *out); /* or NULL */
    void (*pack_across)(int64_t lines, int64_t n, void *out, int64_t next, const char *in, int64_t step); /* or NULL */
} gi_tiles;
/* Sums of products out[i][t] = the sum over k of a[i][k] * b[i][t][k]. */
typedef struct gi_chaining {
    int64_t a_next, b_next, out_next; /* bytes from i to i + 1, */
    int64_t b_again, out_again;       /* from t to t + 1, */
    int64_t a_step, b_step;           /* from k to k + 1 */
} gi_chaining;
typedef void (*gi_chains)(int64_t count, int times, int64_t n, char *out, const char *a, const char *b, const gi_chaining *j);

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
#define GI_ISA_ROWS   4  /* of a tile of two vectors */
#define GI_ISA_STAMPS 1
#define GI_ISA_INTEGERS 1
#define GI_ISA_DTYPES GI_EACH_STAMPED
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
                     "vect-cost-model=dynamic", "no-trapping-math", "no-math-errno", "fp-contract=off")
#pragma GCC target("avx2,fma")
#endif
#define GI_ISA        avx2
#define GI_ISA_BYTES  32
#define GI_ISA_TILE   2
#define GI_ISA_ROWS   6
#define GI_ISA_MM     _mm256_
#define GI_ISA_STAMPS 1
#define GI_ISA_INTEGERS 1
#define GI_ISA_DTYPES GI_EACH_STAMPED
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
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,prefer-vector-width=512")
#endif
/* Only floats gain from the wider registers: everything else is bound by memory, and each stamping takes compile time. */
#define GI_ISA        avx512
#define GI_ISA_BYTES  64
#define GI_ISA_TILE   4
#define GI_ISA_ROWS   8
#define GI_ISA_MM     _mm512_
#define GI_ISA_STAMPS (GI_CLASS == 3)
#define GI_ISA_INTEGERS 0
#define GI_ISA_DTYPES GI_EACH_FLT
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

static gi_chains gi_cpu_chains(ga_dtype dtype)
{
    gi_chains found = NULL;
#if GI_HAS_X86
    if (gi_cpu_isa() == GI_ISA_AVX512) found = gi_find_chains_avx512(dtype);
    if (!found && gi_cpu_isa() >= GI_ISA_AVX2) found = gi_find_chains_avx2(dtype);
#endif
    return found ? found : gi_find_chains_baseline(dtype);
}

static const gi_tiles *gi_cpu_tiles(ga_dtype dtype) /* of float32, float64, int32 or int64 */
{
    const gi_tiles *found = NULL;
#if GI_HAS_X86
    if (gi_cpu_isa() == GI_ISA_AVX512) found = gi_find_tiles_avx512(dtype);
    if (!found && gi_cpu_isa() >= GI_ISA_AVX2) found = gi_find_tiles_avx2(dtype);
#endif
    return found ? found : gi_find_tiles_baseline(dtype);
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
