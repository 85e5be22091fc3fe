/* ---- Fourier transforms: chains of stages on `width` lanes ------------------------------------------------------------- */
/*  An element is `width` reals, then as many imaginary parts: a cache line each. Lanes are lines, or elements of one line that go through
    the same stages (gpuarr/plans/fourier.h).                                                                                  */
enum { GI_LOOP(gi_fourier_width) = GI_FOURIER_BYTES / (int)sizeof(GA_T) };
/* clang-format off */
#define GI_F_W         GI_LOOP(gi_fourier_width)
#define GI_F_ELEMENT   (2 * (int64_t)GI_F_W)
#define GI_F_LANES     GI_JOIN(GI_F_LANES_, GI_JOIN(GA_TAG, GI_JOIN(_, GI_ISA_BYTES)))
#define GI_F_LANES_f64_16 2
#define GI_F_LANES_f64_32 4
#define GI_F_LANES_f64_64 8
#define GI_F_LANES_f32_16 4
#define GI_F_LANES_f32_32 8
#define GI_F_LANES_f32_64 16
#define GI_F_LOW_2     0, 2
#define GI_F_LOW_4     0, 4, 1, 5
#define GI_F_LOW_8     0, 8, 1, 9, 2, 10, 3, 11
#define GI_F_LOW_16    0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define GI_F_HIGH_2    1, 3
#define GI_F_HIGH_4    2, 6, 3, 7
#define GI_F_HIGH_8    4, 12, 5, 13, 6, 14, 7, 15
#define GI_F_HIGH_16   8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#define GI_F_EVEN_2    0, 2
#define GI_F_EVEN_4    0, 2, 4, 6
#define GI_F_EVEN_8    0, 2, 4, 6, 8, 10, 12, 14
#define GI_F_EVEN_16   0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define GI_F_ODD_2     1, 3
#define GI_F_ODD_4     1, 3, 5, 7
#define GI_F_ODD_8     1, 3, 5, 7, 9, 11, 13, 15
#define GI_F_ODD_16    1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#define GI_F_BACK_2    1, 0
#define GI_F_BACK_4    3, 2, 1, 0
#define GI_F_BACK_8    7, 6, 5, 4, 3, 2, 1, 0
#define GI_F_BACK_16   15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0
#define GI_F_LIST(name) GI_JOIN(GI_F_##name##_, GI_F_LANES)
/* clang-format on */
#if defined(__clang__)
#define GI_F_SHUFFLE(name, LIST)                                                                                               \
    static GI_INLINE GI_V GI_VFN(name)(GI_V a, GI_V b) { return __builtin_shufflevector(a, b, GI_F_LIST(LIST)); }
#else
#define GI_F_SHUFFLE(name, LIST)                                                                                               \
    static GI_INLINE GI_V GI_VFN(name)(GI_V a, GI_V b)                                                                         \
    {                                                                                                                          \
        const GI_V_BITS list = { GI_F_LIST(LIST) };                                                                            \
        return __builtin_shuffle(a, b, list);                                                                                  \
    }
#endif
GI_F_SHUFFLE(zip_low, LOW)
GI_F_SHUFFLE(zip_high, HIGH)
GI_F_SHUFFLE(evens, EVEN)
GI_F_SHUFFLE(odds, ODD)
GI_F_SHUFFLE(turned, BACK)
#undef GI_F_SHUFFLE
#undef GI_F_LIST

#define GI_BF(name) GI_LOOP(gi_bf_##name)
#if GI_OPTIMIZED
#define GI_BF_FN static GI_INLINE
#else /* or frames grow large */
#define GI_BF_FN static GI_OWN_FRAME
#endif
#define GI_BF_T         GI_V
#define GI_BF_R         GA_T
#define GI_BF_W         GI_V
#define GI_BF_MUL(a, c) ((a) * (c))
#define GI_BF_FMA       GI_VFN(fma)
#define GI_BF_ALL       GI_VFN(all)
#define GI_BF_UNROLL    GI_UNROLL
#include "../plans/butterflies.h"

/* A square of lanes is turned round. */
static GI_INLINE void GI_LOOP(gi_fourier_square)(GI_V *rows)
{
    GI_UNROLL
    for (int round = 1; round < GI_LANES; round *= 2) {
        GI_V next[GI_LANES];
        GI_UNROLL
        for (int i = 0; i < GI_LANES / 2; i++) {
            next[2 * i]     = GI_VFN(zip_low)(rows[i], rows[i + GI_LANES / 2]);
            next[2 * i + 1] = GI_VFN(zip_high)(rows[i], rows[i + GI_LANES / 2]);
        }
        GI_UNROLL
        for (int i = 0; i < GI_LANES; i++) rows[i] = next[i];
    }
}

/* Two vectors of complex numbers from memory, and back. */
static GI_INLINE void GI_LOOP(gi_fourier_load)(const GA_T *x, GI_V *re, GI_V *im)
{
    const GI_V a = GI_VFN(load)(x), b = GI_VFN(load)(x + GI_LANES);
    *re = GI_VFN(evens)(a, b);
    *im = GI_VFN(odds)(a, b);
}
static GI_INLINE void GI_LOOP(gi_fourier_store)(GA_T *x, GI_V re, GI_V im)
{
    GI_VFN(store)(x, GI_VFN(zip_low)(re, im));
    GI_VFN(store)(x + GI_LANES, GI_VFN(zip_high)(re, im));
}

/* Where `reals` of a line can be read as so many vectors: there, if as many lie behind it, or in `pad`, which has room for them. */
static GI_INLINE const GA_T *GI_LOOP(gi_fourier_readable)(const GA_T *x, int64_t reals, int64_t behind, int vectors, GA_T *pad)
{
    if (reals >= vectors * GI_LANES || behind >= vectors * GI_LANES) return x;
    memcpy(pad, x, (size_t)reals * sizeof *x);
    return pad;
}

/* All lines of a group, of c <= C reals, which lie packed, into lanes, and back: real number i goes `step` reals behind the one before. C is a
   power of 2, to which the lines are filled up: then log2(C) rounds put real number i of all lines together. odd: times those of odd i. */
static GI_INLINE void GI_LOOP(gi_fourier_deal)(const int C, int64_t c, const GA_T *x, GA_T *y, int64_t step, GA_T odd)
{
    for (int v = 0; v < GI_F_W; v += GI_LANES, x += GI_LANES * c) {
        GI_V rows[GI_LANES], next[GI_LANES];
        GA_T filled[GI_LANES * GI_LANES];
        for (int l = 0; l < GI_LANES && c < C; l++) { /* with what lies behind, if that is there */
            if ((GI_F_W - v - l) * c >= C) memcpy(filled + l * C, x + l * c, (size_t)C * sizeof *x);
            else memcpy(filled + l * C, x + l * c, (size_t)c * sizeof *x);
        }
        GI_UNROLL
        for (int i = 0; i < C; i++) rows[i] = GI_VFN(load)((c < C ? filled : x) + i * GI_LANES);
        GI_UNROLL
        for (int round = 1; round < C; round *= 2) {
            GI_UNROLL
            for (int i = 0; i < C / 2; i++) {
                next[i]         = GI_VFN(evens)(rows[2 * i], rows[2 * i + 1]);
                next[C / 2 + i] = GI_VFN(odds)(rows[2 * i], rows[2 * i + 1]);
            }
            GI_UNROLL
            for (int i = 0; i < C; i++) rows[i] = next[i];
        }
        GI_UNROLL
        for (int i = 0; i < C; i++)
            if (i < c) GI_VFN(store)(y + i * step + v, i % 2 ? rows[i] * odd : rows[i]);
    }
}
static GI_INLINE void GI_LOOP(gi_fourier_collect)(const int C, int64_t c, const GA_T *y, int64_t step, GA_T *x, GA_T even,
                                                  GA_T odd)
{
    for (int v = 0; v < GI_F_W; v += GI_LANES, x += GI_LANES * c) {
        GI_V rows[GI_LANES], next[GI_LANES];
        GA_T filled[GI_LANES * GI_LANES];
        GI_UNROLL
        for (int i = 0; i < C; i++) rows[i] = GI_VFN(load)(y + (i < c ? i : 0) * step + v) * (i % 2 ? odd : even);
        GI_UNROLL
        for (int round = 1; round < C; round *= 2) {
            GI_UNROLL
            for (int i = 0; i < C / 2; i++) {
                next[2 * i]     = GI_VFN(zip_low)(rows[i], rows[C / 2 + i]);
                next[2 * i + 1] = GI_VFN(zip_high)(rows[i], rows[C / 2 + i]);
            }
            GI_UNROLL
            for (int i = 0; i < C; i++) rows[i] = next[i];
        }
        GI_UNROLL
        for (int i = 0; i < C; i++) GI_VFN(store)((c < C ? filled : x) + i * GI_LANES, rows[i]);
        for (int l = 0; l < GI_LANES && c < C; l++) { /* over the next lines, which are written later */
            if ((GI_F_W - v - l) * c >= C) memcpy(x + l * c, filled + l * C, (size_t)C * sizeof *x);
            else memcpy(x + l * c, filled + l * C, (size_t)c * sizeof *x);
        }
    }
}
#define GI_FOURIER_SHORT(C)                                                                                                    \
    static void GI_LOOP(gi_fourier_deal_##C)(int64_t c, const GA_T *x, GA_T *y, int64_t step, GA_T odd)                        \
    {                                                                                                                          \
        GI_LOOP(gi_fourier_deal)(C <= GI_LANES ? C : 1, c, x, y, step, odd);                                                   \
    }                                                                                                                          \
    static void GI_LOOP(gi_fourier_collect_##C)(int64_t c, const GA_T *y, int64_t step, GA_T *x, GA_T even, GA_T odd)          \
    {                                                                                                                          \
        GI_LOOP(gi_fourier_collect)(C <= GI_LANES ? C : 1, c, y, step, x, even, odd);                                          \
    }
GI_FOURIER_SHORT(2)
GI_FOURIER_SHORT(4)
GI_FOURIER_SHORT(8)
GI_FOURIER_SHORT(16)
#undef GI_FOURIER_SHORT
static void GI_LOOP(gi_fourier_deal_any)(int64_t c, const GA_T *x, GA_T *y, int64_t step, GA_T odd)
{
    if (c <= 2) GI_LOOP(gi_fourier_deal_2)(c, x, y, step, odd);
    else if (c <= 4) GI_LOOP(gi_fourier_deal_4)(c, x, y, step, odd);
    else if (c <= 8) GI_LOOP(gi_fourier_deal_8)(c, x, y, step, odd);
    else GI_LOOP(gi_fourier_deal_16)(c, x, y, step, odd);
}
static void GI_LOOP(gi_fourier_collect_any)(int64_t c, const GA_T *y, int64_t step, GA_T *x, GA_T even, GA_T odd)
{
    if (c <= 2) GI_LOOP(gi_fourier_collect_2)(c, y, step, x, even, odd);
    else if (c <= 4) GI_LOOP(gi_fourier_collect_4)(c, y, step, x, even, odd);
    else if (c <= 8) GI_LOOP(gi_fourier_collect_8)(c, y, step, x, even, odd);
    else GI_LOOP(gi_fourier_collect_16)(c, y, step, x, even, odd);
}

/* n numbers of each of some lines, `pitch` reals from one line to the next, into lanes, and back. side: -1 makes conjugates. The last
   vectors of whole groups overlap those before; those of lines that are shorter than a vector reach into the lines behind, which are
   written later. */
static void GI_LOOP(gi_fourier_gather)(int64_t n, int64_t lines, const GA_T *x, int64_t pitch, GA_T *y, GA_T side)
{
    const bool whole             = lines == GI_F_W && (n >= GI_LANES || pitch == 2 * n);
    GA_T       pad[2 * GI_LANES] = { 0 };
    if (whole && 2 * n <= GI_LANES) {
        GI_LOOP(gi_fourier_deal_any)(2 * n, x, y, GI_F_W, side);
        return;
    }
    for (int64_t b = 0, j; whole && b < gi_fourier_blocks(n, GI_LANES); b++)
        for (int v = 0; v < GI_F_W; v += GI_LANES) {
            GI_V re[GI_LANES], im[GI_LANES];
            j = n < GI_LANES ? 0 : gi_fourier_start(b, n, GI_LANES);
            GI_UNROLL
            for (int l = 0; l < GI_LANES; l++) {
                const GA_T *from = x + (v + l) * pitch + 2 * j;
                GI_LOOP(gi_fourier_load)
                (GI_LOOP(gi_fourier_readable)(from, 2 * n, (GI_F_W - v - l) * pitch, 2, pad), re + l, im + l);
                im[l] = im[l] * side;
            }
            GI_LOOP(gi_fourier_square)(re);
            GI_LOOP(gi_fourier_square)(im);
            GI_UNROLL
            for (int l = 0; l < GI_LANES; l++) {
                if (l >= n) continue;
                GI_VFN(store)(y + (j + l) * GI_F_ELEMENT + v, re[l]);
                GI_VFN(store)(y + (j + l) * GI_F_ELEMENT + GI_F_W + v, im[l]);
            }
        }
    if (!whole && lines < GI_F_W) memset(y, 0, (size_t)(n * GI_F_ELEMENT) * sizeof *y);
    for (int64_t l = 0; l < lines && !whole; l++)
        for (int64_t j = 0; j < n; j++) {
            y[j * GI_F_ELEMENT + l]          = x[l * pitch + 2 * j];
            y[j * GI_F_ELEMENT + GI_F_W + l] = x[l * pitch + 2 * j + 1] * side;
        }
}
static void GI_LOOP(gi_fourier_scatter)(int64_t n, int64_t lines, const GA_T *y, GA_T *x, int64_t pitch, GA_T scale, GA_T side)
{
    const bool whole = lines == GI_F_W && (n >= GI_LANES || pitch == 2 * n);
    if (whole && 2 * n <= GI_LANES) {
        GI_LOOP(gi_fourier_collect_any)(2 * n, y, GI_F_W, x, scale, side);
        return;
    }
    for (int64_t b = 0, j; whole && b < gi_fourier_blocks(n, GI_LANES); b++)
        for (int v = 0; v < GI_F_W; v += GI_LANES) {
            GI_V re[GI_LANES], im[GI_LANES];
            GA_T pad[2 * GI_LANES];
            j = n < GI_LANES ? 0 : gi_fourier_start(b, n, GI_LANES);
            GI_UNROLL
            for (int l = 0; l < GI_LANES; l++) {
                const GA_T *from = y + (j + (l < n ? l : 0)) * GI_F_ELEMENT + v;
                re[l]            = GI_VFN(load)(from) * scale;
                im[l]            = GI_VFN(load)(from + GI_F_W) * side;
            }
            GI_LOOP(gi_fourier_square)(re);
            GI_LOOP(gi_fourier_square)(im);
            GI_UNROLL
            for (int l = 0; l < GI_LANES; l++) {
                GA_T      *to     = x + (v + l) * pitch + 2 * j;
                const bool direct = n >= GI_LANES || (GI_F_W - v - l) * pitch >= 2 * GI_LANES;
                GI_LOOP(gi_fourier_store)(direct ? to : pad, re[l], im[l]);
                if (!direct) memcpy(to, pad, (size_t)(2 * n) * sizeof *to);
            }
        }
    for (int64_t l = 0; l < lines && !whole; l++)
        for (int64_t j = 0; j < n; j++) {
            x[l * pitch + 2 * j]     = y[j * GI_F_ELEMENT + l] * scale;
            x[l * pitch + 2 * j + 1] = y[j * GI_F_ELEMENT + GI_F_W + l] * side;
        }
}

/* The same of real numbers: imaginary parts are left. */
static void GI_LOOP(gi_fourier_gather_reals)(int64_t n, int64_t lines, const GA_T *x, int64_t pitch, GA_T *y)
{
    const bool all = lines == GI_F_W, brief = all && n < GI_LANES && pitch == n, whole = all && n >= GI_LANES;
    for (int64_t b = 0, j; whole && b < gi_fourier_blocks(n, GI_LANES); b++)
        for (int v = 0; v < GI_F_W; v += GI_LANES) {
            GI_V re[GI_LANES];
            j = gi_fourier_start(b, n, GI_LANES);
            GI_UNROLL
            for (int l = 0; l < GI_LANES; l++) re[l] = GI_VFN(load)(x + (v + l) * pitch + j);
            GI_LOOP(gi_fourier_square)(re);
            GI_UNROLL
            for (int l = 0; l < GI_LANES; l++) GI_VFN(store)(y + (j + l) * GI_F_ELEMENT + v, re[l]);
        }
    if (whole) return;
    if (!all) memset(y, 0, (size_t)(n * GI_F_ELEMENT) * sizeof *y);
    if (brief) GI_LOOP(gi_fourier_deal_any)(n, x, y, GI_F_ELEMENT, 1);
    for (int64_t l = 0; l < lines && !brief; l++)
        for (int64_t j = 0; j < n; j++) y[j * GI_F_ELEMENT + l] = x[l * pitch + j];
}
static void GI_LOOP(gi_fourier_scatter_reals)(int64_t n, int64_t lines, const GA_T *y, GA_T *x, int64_t pitch, GA_T scale)
{
    const bool all = lines == GI_F_W, brief = all && n < GI_LANES && pitch == n, whole = all && n >= GI_LANES;
    for (int64_t b = 0, j; whole && b < gi_fourier_blocks(n, GI_LANES); b++)
        for (int v = 0; v < GI_F_W; v += GI_LANES) {
            GI_V re[GI_LANES];
            j = gi_fourier_start(b, n, GI_LANES);
            GI_UNROLL
            for (int l = 0; l < GI_LANES; l++) re[l] = GI_VFN(load)(y + (j + l) * GI_F_ELEMENT + v) * scale;
            GI_LOOP(gi_fourier_square)(re);
            GI_UNROLL
            for (int l = 0; l < GI_LANES; l++) GI_VFN(store)(x + (v + l) * pitch + j, re[l]);
        }
    if (brief) GI_LOOP(gi_fourier_collect_any)(n, y, GI_F_ELEMENT, x, scale, scale);
    for (int64_t l = 0; l < lines && !whole && !brief; l++)
        for (int64_t j = 0; j < n; j++) x[l * pitch + j] = y[j * GI_F_ELEMENT + l] * scale;
}

/* Where the first stage of a chain reads numbers (complex, or FROM_REALS real ones), or the last one writes them (complex, or TO_REALS real
   ones): `step` reals from one element to the next; 0: as between stages. Parts re and im are multiplied, of what is real none, or re. */
typedef struct GI_LOOP(gi_fourier_side) {
    int64_t step;
    GA_T    re, im;
} GI_LOOP(gi_fourier_side);

/* A chain of several transforms: they lie beside each other, element by element, or (`behind`) are read one behind the other. */
typedef struct GI_LOOP(gi_fourier_walk) {
    const GA_T     *table;
    int64_t         beside, some; /* so many of them are computed, the first ones */
    bool            behind;
    gi_fourier_flow flow;
    const int32_t  *chosen; /* FROM_REALS: as in gi_fourier */
    int             few;    /* lines, in the first lanes, that are too few to be computed in lanes; 0: they are not */
    GA_T           *spare;  /* room for the elements of a prime's butterfly */
} GI_LOOP(gi_fourier_walk);

/* Where the results of a prime's butterfly go: `next` reals from one to the next, and by their roots, from that of element 1 on (NULL: 1). */
typedef struct GI_LOOP(gi_fourier_goal) {
    const GA_T *w;
    GA_T       *to;
    int64_t     next;
    const GI_LOOP(gi_fourier_side) * out;
    bool real; /* alone is written */
} GI_LOOP(gi_fourier_goal);

static GI_INLINE void GI_LOOP(gi_fourier_put)(const GI_LOOP(gi_fourier_goal) * g, int k, GI_V re, GI_V im)
{
    GA_T *to = g->to + g->next * k;
    if (g->w && k > 0) GI_BF(times)(&re, &im, GI_VFN(all)(g->w[2 * k - 2]), GI_VFN(all)(g->w[2 * k - 1]));
    if (g->out->step && g->real) {
        GI_VFN(store)(to, re * g->out->re);
    } else if (g->out->step) {
        GI_LOOP(gi_fourier_store)(to, re * g->out->re, im * g->out->im);
    } else {
        GI_VFN(store)(to, re);
        GI_VFN(store)(to + GI_F_W, im);
    }
}

/* Some results of a prime's butterfly, of elements from k on and of those as far from r, of which `re` and `im` have the sums of elements j
   and r - j, and then the differences. Elements k and r - k have the same cosines, and opposite sines. Long sums are those of sums of
   GI_FOURIER_TERMS, which are rounded less. reals: no `im` is read, and no element r - k computed; turned: no imaginary part is. */
enum { GI_LOOP(gi_fourier_together) = GI_ISA_BYTES == 64 && GI_OPTIMIZED ? 4 : 2 }; /* so many sums stay in registers */
GI_BF_FN void GI_LOOP(gi_fourier_prime_some)(const bool reals, const bool turned, int r, int k, const GI_V *re, const GI_V *im,
                                             const GA_T *circle, const GI_LOOP(gi_fourier_goal) * goal)
{
    enum { SOME = GI_LOOP(gi_fourier_together) };
    const int  h    = r / 2;
    const GI_V none = GI_VFN(all)(0);
    GI_V       cr[SOME], ci[SOME], sr[SOME], si[SOME], all_cr[SOME], all_ci[SOME], all_sr[SOME], all_si[SOME];
    int        at[SOME];
    GI_UNROLL
    for (int c = 0; c < SOME; c++) {
        cr[c] = re[0], ci[c] = reals || turned ? none : im[0], sr[c] = si[c] = none;
        all_cr[c] = all_ci[c] = all_sr[c] = all_si[c] = none;
        at[c]                                         = k + c;
    }
    for (int j = 1; j <= h; j++) {
        GI_UNROLL
        for (int c = 0; c < SOME; c++) {
            const GI_V cosine = GI_VFN(all)(circle[2 * at[c]]), sine = GI_VFN(all)(circle[2 * at[c] + 1]);
            cr[c] = GI_VFN(fma)(re[j], cosine, cr[c]);
            if (!turned) sr[c] = GI_VFN(fma)(re[r - j], sine, sr[c]);
            if (!reals && !turned) ci[c] = GI_VFN(fma)(im[j], cosine, ci[c]);
            if (!reals) si[c] = GI_VFN(fma)(im[r - j], sine, si[c]);
            at[c] += k + c < r - at[c] ? k + c : k + c - r;
        }
        if (j % GI_FOURIER_TERMS != 0 || h <= GI_FOURIER_TERMS) continue;
        GI_UNROLL
        for (int c = 0; c < SOME; c++) {
            all_cr[c] = all_cr[c] + cr[c], all_ci[c] = all_ci[c] + ci[c], all_sr[c] = all_sr[c] + sr[c],
            all_si[c] = all_si[c] + si[c];
            cr[c] = ci[c] = sr[c] = si[c] = none;
        }
    }
    GI_UNROLL
    for (int c = 0; c < SOME; c++) {
        if (h > GI_FOURIER_TERMS)
            cr[c] = all_cr[c] + cr[c], ci[c] = all_ci[c] + ci[c], sr[c] = all_sr[c] + sr[c], si[c] = all_si[c] + si[c];
        if (k + c == 0) {
            GI_LOOP(gi_fourier_put)(goal, 0, cr[c], ci[c]);
            continue;
        }
        GI_LOOP(gi_fourier_put)(goal, k + c, cr[c] + si[c], ci[c] - sr[c]);
        if (!reals) GI_LOOP(gi_fourier_put)(goal, r - k - c, cr[c] - si[c], ci[c] + sr[c]);
    }
}

/* last: of the stages of a chain */
static __attribute__((noinline)) void GI_LOOP(gi_fourier_prime)(int r, gi_fourier_flow flow, bool last, GI_V *re, GI_V *im,
                                                                const GA_T *circle, const GI_LOOP(gi_fourier_goal) * goal)
{
    enum { SOME = GI_LOOP(gi_fourier_together) };
    for (int j = 1; j <= r / 2; j++) {
        const GI_V a = re[j], b = re[r - j];
        re[j]     = a + b;
        re[r - j] = a - b;
        if (flow == GI_FOURIER_FROM_REALS) continue;
        const GI_V i = im[j], i2 = im[r - j];
        im[j]     = i + i2;
        im[r - j] = i - i2;
    }
    for (int k = 0; k <= r / 2; k += SOME) { /* the last ones begin among those before */
        const int first = k + SOME <= r / 2 + 1 ? k : r / 2 + 1 - SOME;
        if (flow == GI_FOURIER_FROM_REALS) GI_LOOP(gi_fourier_prime_some)(true, false, r, first, re, im, circle, goal);
        else if (flow == GI_FOURIER_TO_REALS && last)
            GI_LOOP(gi_fourier_prime_some)(false, true, r, first, re, im, circle, goal);
        else GI_LOOP(gi_fourier_prime_some)(false, false, r, first, re, im, circle, goal);
    }
}

/* Of one line, one or two vectors of results from `first` on, or of two lines a vector each. The sums and differences of their elements lie in `x`;
   to `out` re and im of elements k <= r / 2, then of elements r - k. reals, turned: as above */
GI_BF_FN void GI_LOOP(gi_fourier_prime_block)(const int vectors, const int lines, const int r, const bool reals,
                                              const bool turned, int first, const GA_T *x, const GA_T *rows, GA_T *out)
{
    const int   h = r / 2, all = vectors * lines;
    const GI_V  none = GI_VFN(all)(0);
    const GA_T *of[2];
    GI_V        cr[2], ci[2], sr[2], si[2], all_cr[2], all_ci[2], all_sr[2], all_si[2];
    GI_UNROLL
    for (int v = 0; v < 2; v++) {
        const GA_T *a = x + v % lines * 4 * (h + 1);
        cr[v] = GI_VFN(all)(a[0]), ci[v] = reals || turned ? none : GI_VFN(all)(a[1]), sr[v] = si[v] = none;
        all_cr[v] = all_ci[v] = all_sr[v] = all_si[v] = none;
        if (v < vectors) of[v] = rows + gi_fourier_row(r, first + v * GI_LANES, GI_F_W);
    }
    for (int j = 1; j <= h; j++) {
        GI_UNROLL
        for (int v = 0; v < all; v++) {
            const GA_T *a = x + (v % lines * (h + 1) + j) * 4, *w = of[v / lines] + (int64_t)(j - 1) * GI_F_ELEMENT;
            const GI_V  c = GI_VFN(load)(w), s = GI_VFN(load)(w + GI_F_W);
            cr[v] = GI_VFN(fma)(GI_VFN(all)(a[0]), c, cr[v]);
            if (!turned) sr[v] = GI_VFN(fma)(GI_VFN(all)(a[2]), s, sr[v]);
            if (!reals && !turned) ci[v] = GI_VFN(fma)(GI_VFN(all)(a[1]), c, ci[v]);
            if (!reals) si[v] = GI_VFN(fma)(GI_VFN(all)(a[3]), s, si[v]);
        }
        if (j % GI_FOURIER_TERMS != 0 || h <= GI_FOURIER_TERMS) continue;
        GI_UNROLL
        for (int v = 0; v < all; v++) {
            all_cr[v] = all_cr[v] + cr[v], all_ci[v] = all_ci[v] + ci[v], all_sr[v] = all_sr[v] + sr[v],
            all_si[v] = all_si[v] + si[v];
            cr[v] = ci[v] = sr[v] = si[v] = none;
        }
    }
    GI_UNROLL
    for (int v = 0; v < all; v++) {
        const int     at  = first + v / lines * GI_LANES;
        const int64_t row = gi_fourier_blocks(h + 1, GI_F_W) * GI_F_W;
        GA_T         *to  = out + v % lines * 4 * row + at;
        if (h > GI_FOURIER_TERMS)
            cr[v] = all_cr[v] + cr[v], ci[v] = all_ci[v] + ci[v], sr[v] = all_sr[v] + sr[v], si[v] = all_si[v] + si[v];
        GI_VFN(store)(to, cr[v] + si[v]);
        GI_VFN(store)(to + row, ci[v] - sr[v]);
        GI_VFN(store)(to + 2 * row, cr[v] - si[v]);
        GI_VFN(store)(to + 3 * row, ci[v] + sr[v]);
        if (at == 0) to[0] = cr[v][0], to[row] = ci[v][0];
    }
}
GI_BF_FN void GI_LOOP(gi_fourier_prime_blocks)(int r, const bool reals, const bool turned, int lines, const GA_T *x,
                                               const GA_T *rows, GA_T *out)
{
    int first = 0;
    for (; lines == 2 && first <= r / 2; first += GI_LANES)
        GI_LOOP(gi_fourier_prime_block)(1, 2, r, reals, turned, first, x, rows, out);
    for (; first + GI_LANES <= r / 2; first += 2 * GI_LANES)
        GI_LOOP(gi_fourier_prime_block)(2, 1, r, reals, turned, first, x, rows, out);
    if (first <= r / 2) GI_LOOP(gi_fourier_prime_block)(1, 1, r, reals, turned, first, x, rows, out);
}

/* For each pair of elements j and r - j: re and im of their sum, then of their difference. */
static void GI_LOOP(gi_fourier_prime_sums)(int r, gi_fourier_flow flow, const GA_T *x, int64_t by_k, GA_T *sums)
{
    const bool reals = flow == GI_FOURIER_FROM_REALS, turned = flow == GI_FOURIER_TO_REALS;
    for (int j = 0; j <= r / 2; j++, sums += 4) {
        const GA_T *a = x + by_k * j, *b = j == 0 || turned ? a : x + by_k * (r - j);
        sums[0] = j > 0 ? a[0] + b[0] : a[0];
        sums[2] = a[0] - b[0];
        if (reals) continue;
        const GA_T im = turned ? -b[GI_F_W] : b[GI_F_W];
        sums[1]       = j > 0 ? a[GI_F_W] + im : a[GI_F_W];
        sums[3]       = a[GI_F_W] - im;
    }
}

/* The butterflies of few lines, with the same bits, two at a time: the elements of the results lie in lanes. They are those of a chain's last
   stage, whose roots are 1. */
static __attribute__((noinline)) void GI_LOOP(gi_fourier_prime_few)(const gi_fourier_stage *g, gi_fourier_flow         flow,
                                                                    const GI_LOOP(gi_fourier_walk) * walk, const GA_T *x,
                                                                    GA_T *y)
{
    const bool    reals = flow == GI_FOURIER_FROM_REALS;
    const int     r = g->radix, h = r / 2, lines = walk->few;
    const int64_t count = lines * (reals ? 1 : walk->chosen ? g->s / 2 : g->s), next = g->s * GI_F_ELEMENT;
    const GA_T   *rows = walk->table + g->rows;
    const int64_t row  = gi_fourier_blocks(h + 1, GI_F_W) * GI_F_W;
    GA_T         *sums = walk->spare, *out = sums + 2 * 4 * (h + 1);
    for (int64_t n = 0; n < count; n += 2) {
        const int some = n + 1 < count ? 2 : 1;
        int64_t   at[2];
        for (int i = 0; i < some; i++) {
            const int64_t q = (n + i) / lines;
            at[i]           = (walk->chosen && !reals ? walk->chosen[q] : q) * GI_F_ELEMENT + (n + i) % lines;
            GI_LOOP(gi_fourier_prime_sums)(r, flow, x + at[i], next, sums + i * 4 * (h + 1));
        }
        if (reals) GI_LOOP(gi_fourier_prime_blocks)(r, true, false, some, sums, rows, out);
        else if (flow == GI_FOURIER_TO_REALS) GI_LOOP(gi_fourier_prime_blocks)(r, false, true, some, sums, rows, out);
        else GI_LOOP(gi_fourier_prime_blocks)(r, false, false, some, sums, rows, out);
        for (int i = 0; i < some; i++)
            for (int k = 0; k < (reals ? h + 1 : r); k++) {
                const GA_T *of    = out + i * 4 * row + (k > h ? 2 * row + r - k : k);
                GA_T       *to    = y + at[i] + next * k;
                const bool  first = (n + i) % lines == 0; /* into the other lanes, too, which hold nothing else */
                const GI_V  re = GI_VFN(all)(of[0]), im = GI_VFN(all)(of[row]);
                for (int v = 0; first && v < GI_F_W; v += GI_LANES) {
                    GI_VFN(store)(to + v, re);
                    GI_VFN(store)(to + GI_F_W + v, im);
                }
                if (!first) to[0] = re[0], to[GI_F_W] = im[0];
            }
    }
}

/* The r elements of a butterfly. TO_REALS: behind the half there are conjugates of those before it, element p + m * k that of
   m * (r - k) - p; ahead: from -p to p. */
static GI_INLINE void GI_LOOP(gi_fourier_take)(const int r, const gi_fourier_flow flow, const GA_T *x, int64_t by_k,
                                               int64_t ahead, GI_V *re, GI_V *im)
{
    GI_UNROLL
    for (int k = 0; k < r; k++) {
        const bool  turned = flow == GI_FOURIER_TO_REALS && k > r / 2;
        const GA_T *from   = x + (turned ? by_k * (r - k) - ahead : by_k * k);
        re[k]              = GI_VFN(load)(from);
        if (flow != GI_FOURIER_FROM_REALS) im[k] = turned ? -GI_VFN(load)(from + GI_F_W) : GI_VFN(load)(from + GI_F_W);
    }
}

/* re: room for r vectors, im: for 3 * r, or, if `prime`, for r. */
static GI_INLINE void GI_LOOP(gi_fourier_butterflies)(const int r, const bool prime, const gi_fourier_flow flow, GI_V *re,
                                                      GI_V *im, const gi_fourier_stage                  *g,
                                                      const GI_LOOP(gi_fourier_walk) * walk, const GA_T *x,
                                                      const GI_LOOP(gi_fourier_side) * in, GA_T         *y,
                                                      const GI_LOOP(gi_fourier_side) * out)
{
    const int64_t s = g->s * walk->beside, m = g->m, next = in->step ? in->step : GI_F_ELEMENT,
                  out_next = out->step ? out->step : GI_F_ELEMENT;
    const int64_t by_q = walk->behind ? m * r : 1, by_p = walk->behind ? 1 : s, by_k = m * by_p * next;
    const bool    reals = flow == GI_FOURIER_FROM_REALS, all = walk->some == walk->beside && !walk->chosen;
    const int64_t last = flow == GI_FOURIER_TO_REALS ? m / 2 : m - 1, each = all && !reals ? s : walk->some,
                  runs  = reals || all   ? 1
                          : walk->chosen ? g->s / 2
                                         : g->s;
    const int   results = reals ? r / 2 + 1 : r;
    const GA_T *circle = walk->table + g->circle, *w = walk->table + g->roots;
    for (int64_t p = 0; p <= last; p++, w += p > 1 ? 2 * (r - 1) : 0)
        for (int64_t run = 0; run < runs; run++) {
            const int64_t q    = reals ? 0 : (walk->chosen ? walk->chosen[run] : run) * walk->beside;
            const GA_T   *from = x + (q * by_q + p * by_p) * next;
            GA_T         *to   = y + (q + s * r * p) * out_next;
            for (int64_t i = 0; i < each; i++, from += by_q * next, to += out_next) {
                for (int v = 0; v < GI_F_W; v += GI_LANES) {
                    if (in->step && !reals) {
                        GI_UNROLL
                        for (int k = 0; k < r; k++) {
                            GI_LOOP(gi_fourier_load)(from + by_k * k + 2 * v, re + k, im + k);
                            im[k] = im[k] * in->im;
                        }
                    } else {
                        GI_LOOP(gi_fourier_take)(r, flow, from + v, by_k, 2 * p * by_p * next, re, im);
                    }
                    if (prime) {
                        const bool real = flow == GI_FOURIER_TO_REALS;
                        const GI_LOOP(gi_fourier_goal)
                            goal = { p > 0 ? w : NULL, to + (out->step && !real ? 2 * v : v), s * out_next, out, real };
                        GI_LOOP(gi_fourier_prime)(r, flow, m == 1, re, im, circle, &goal);
                        continue;
                    }
                    if (reals) GI_BF(odd_of_reals)(r, re, im, im + r, circle);
                    else GI_BF(any)(r, re, im, im + r, circle);
                    if (p > 0) {
                        GI_UNROLL
                        for (int k = 1; k < results; k++)
                            GI_BF(times)(re + k, im + k, GI_VFN(all)(w[2 * k - 2]), GI_VFN(all)(w[2 * k - 1]));
                    }
                    if (out->step && flow == GI_FOURIER_TO_REALS) {
                        GI_UNROLL
                        for (int k = 0; k < r; k++) GI_VFN(store)(to + s * k * out_next + v, re[k] * out->re);
                    } else if (out->step) {
                        GI_UNROLL
                        for (int k = 0; k < results; k++)
                            GI_LOOP(gi_fourier_store)(to + s * k * out_next + 2 * v, re[k] * out->re, im[k] * out->im);
                    } else {
                        GI_UNROLL
                        for (int k = 0; k < results; k++) {
                            GI_VFN(store)(to + s * k * GI_F_ELEMENT + v, re[k]);
                            GI_VFN(store)(to + s * k * GI_F_ELEMENT + GI_F_W + v, im[k]);
                        }
                    }
                }
            }
        }
}

/* A function for each radix: without optimisation, what is inlined has room of its own on the stack. */
#define GI_FOURIER_RADIX(name, radix, prime, flow, vectors)                                                                    \
    static void GI_LOOP(name)(const gi_fourier_stage *g, const GI_LOOP(gi_fourier_walk) * walk, const GA_T *x,                 \
                              const GI_LOOP(gi_fourier_side) * in, GA_T * y, const GI_LOOP(gi_fourier_side) * out)             \
    {                                                                                                                          \
        GI_V room[vectors];                                                                                                    \
        GI_LOOP(gi_fourier_butterflies)(radix, prime, flow, room, room + (radix), g, walk, x, in, y, out);                     \
    }
GI_FOURIER_RADIX(gi_fourier_stage_2, 2, false, GI_FOURIER_FULL, 8)
GI_FOURIER_RADIX(gi_fourier_stage_3, 3, false, GI_FOURIER_FULL, 12)
GI_FOURIER_RADIX(gi_fourier_stage_4, 4, false, GI_FOURIER_FULL, 16)
GI_FOURIER_RADIX(gi_fourier_stage_5, 5, false, GI_FOURIER_FULL, 20)
GI_FOURIER_RADIX(gi_fourier_stage_6, 6, false, GI_FOURIER_FULL, 18)
GI_FOURIER_RADIX(gi_fourier_stage_7, 7, false, GI_FOURIER_FULL, 28)
GI_FOURIER_RADIX(gi_fourier_stage_8, 8, false, GI_FOURIER_FULL, 32)
GI_FOURIER_RADIX(gi_fourier_from_reals_3, 3, false, GI_FOURIER_FROM_REALS, 12)
GI_FOURIER_RADIX(gi_fourier_from_reals_5, 5, false, GI_FOURIER_FROM_REALS, 20)
GI_FOURIER_RADIX(gi_fourier_from_reals_7, 7, false, GI_FOURIER_FROM_REALS, 28)
GI_FOURIER_RADIX(gi_fourier_to_reals_3, 3, false, GI_FOURIER_TO_REALS, 12)
GI_FOURIER_RADIX(gi_fourier_to_reals_5, 5, false, GI_FOURIER_TO_REALS, 20)
GI_FOURIER_RADIX(gi_fourier_to_reals_7, 7, false, GI_FOURIER_TO_REALS, 28)
#undef GI_FOURIER_RADIX

static void GI_LOOP(gi_fourier_stage_prime)(const gi_fourier_stage *g, gi_fourier_flow         flow,
                                            const GI_LOOP(gi_fourier_walk) * walk, const GA_T *x,
                                            const GI_LOOP(gi_fourier_side) * in, GA_T *y, const GI_LOOP(gi_fourier_side) * out)
{
    GI_V *room = (GI_V *)(void *)walk->spare;
    if (walk->few > 0 && g->rows >= 0) GI_LOOP(gi_fourier_prime_few)(g, flow, walk, x, y);
    else GI_LOOP(gi_fourier_butterflies)(g->radix, true, flow, room, room + g->radix, g, walk, x, in, y, out);
}

static void GI_LOOP(gi_fourier_stage_full)(const gi_fourier_stage *g, const GI_LOOP(gi_fourier_walk) * walk, const GA_T *x,
                                           const GI_LOOP(gi_fourier_side) * in, GA_T *y, const GI_LOOP(gi_fourier_side) * out)
{
    switch (g->radix) {
    case 2: GI_LOOP(gi_fourier_stage_2)(g, walk, x, in, y, out); break;
    case 3: GI_LOOP(gi_fourier_stage_3)(g, walk, x, in, y, out); break;
    case 4: GI_LOOP(gi_fourier_stage_4)(g, walk, x, in, y, out); break;
    case 5: GI_LOOP(gi_fourier_stage_5)(g, walk, x, in, y, out); break;
    case 6: GI_LOOP(gi_fourier_stage_6)(g, walk, x, in, y, out); break;
    case 7: GI_LOOP(gi_fourier_stage_7)(g, walk, x, in, y, out); break;
    case 8: GI_LOOP(gi_fourier_stage_8)(g, walk, x, in, y, out); break;
    default: GI_LOOP(gi_fourier_stage_prime)(g, GI_FOURIER_FULL, walk, x, in, y, out);
    }
}
/* From real numbers, or to them. */
static void GI_LOOP(gi_fourier_stage_reals)(const gi_fourier_stage *g, const GI_LOOP(gi_fourier_walk) * walk, const GA_T *x,
                                            const GI_LOOP(gi_fourier_side) * in, GA_T *y, const GI_LOOP(gi_fourier_side) * out)
{
    const bool to = walk->flow == GI_FOURIER_TO_REALS;
    switch (g->radix) {
    case 3: (to ? GI_LOOP(gi_fourier_to_reals_3) : GI_LOOP(gi_fourier_from_reals_3))(g, walk, x, in, y, out); break;
    case 5: (to ? GI_LOOP(gi_fourier_to_reals_5) : GI_LOOP(gi_fourier_from_reals_5))(g, walk, x, in, y, out); break;
    case 7: (to ? GI_LOOP(gi_fourier_to_reals_7) : GI_LOOP(gi_fourier_from_reals_7))(g, walk, x, in, y, out); break;
    default: GI_LOOP(gi_fourier_stage_prime)(g, walk->flow, walk, x, in, y, out);
    }
}

/* The first stage reads x, the last one writes `to`, those between a, b, a ... FROM_REALS: of the transforms that a stage finds, the first
   is of real numbers. */
static void GI_LOOP(gi_fourier_run)(const gi_fourier_chain *c, GI_LOOP(gi_fourier_walk) walk, const GA_T *x,
                                    const GI_LOOP(gi_fourier_side) * in, GA_T *to, const GI_LOOP(gi_fourier_side) * out,
                                    GA_T *a, GA_T *b)
{
    const GI_LOOP(gi_fourier_side) between = { 0, 1, 1 };
    for (int k = 0; k < c->stages; k++, walk.behind = false) {
        const gi_fourier_stage               *g      = c->stage + k;
        const bool                            last   = k == c->stages - 1;
        GA_T                                 *y      = last ? to : k % 2 ? b : a;
        const GI_LOOP(gi_fourier_side) *const reads  = k == 0 ? in : &between;
        const GI_LOOP(gi_fourier_side) *const writes = last ? out : &between;
        if (walk.flow != GI_FOURIER_FULL) GI_LOOP(gi_fourier_stage_reals)(g, &walk, x, reads, y, writes);
        if (walk.flow == GI_FOURIER_FULL || (walk.flow == GI_FOURIER_FROM_REALS && g->s > 1))
            GI_LOOP(gi_fourier_stage_full)(g, &walk, x, reads, y, writes);
        x = y;
    }
}

static void GI_LOOP(gi_fourier_conjugate)(int64_t elements, const GA_T *from, GA_T *to)
{
    for (int64_t j = 0; j < elements * GI_F_ELEMENT; j += GI_F_ELEMENT)
        for (int v = 0; v < GI_F_W; v += GI_LANES) {
            GI_VFN(store)(to + j + v, GI_VFN(load)(from + j + v));
            GI_VFN(store)(to + j + GI_F_W + v, -GI_VFN(load)(from + j + GI_F_W + v));
        }
}

/* Of what first chains have made of real numbers, rows k < limit that were not computed, of `row` elements each. */
static void GI_LOOP(gi_fourier_fill_rows)(const gi_fourier *f, GA_T *y, int64_t row, int64_t limit)
{
    for (int64_t i = 0; i < f->n1 / 2; i++) {
        const int64_t k    = f->n1 - f->chosen[i];
        const GA_T   *from = y + f->chosen[i] * row * GI_F_ELEMENT;
        GA_T         *to   = y + k * row * GI_F_ELEMENT;
        if (k < limit) GI_LOOP(gi_fourier_conjugate)(row, from, to);
    }
}

/* Rows of a square by their roots of unity: k1, from k on, times j2 of a block. */
static GI_INLINE void GI_LOOP(gi_fourier_weigh)(const gi_fourier *f, int64_t block, int64_t k, int v, GI_V *re, GI_V *im)
{
    const int64_t far   = gi_fourier_far(f);
    const GA_T   *near_ = (const GA_T *)f->table + f->near + block * gi_fourier_near(f) * GI_F_ELEMENT + v,
               *far_    = (const GA_T *)f->table + f->far + block * far * 2 * GI_F_ELEMENT + v;
    GI_UNROLL
    for (int l = 0; l < GI_LANES; l++) {
        const int64_t high = (k + l) >> f->shift;
        const GA_T   *w = near_ + (k + l - (high << f->shift)) * GI_F_ELEMENT, *u = far_ + high * 2 * GI_F_ELEMENT;
        GI_V          wr = GI_VFN(load)(w), wi = GI_VFN(load)(w + GI_F_W);
        if (far > 1) GI_BF(join)
        (&wr, &wi, GI_VFN(load)(u), GI_VFN(load)(u + GI_F_W), GI_VFN(load)(u + 2 * GI_F_W), GI_VFN(load)(u + 3 * GI_F_W));
        GI_BF(times)(re + l, im + l, wr, wi);
    }
}

/* Multiplies what the first chains of a block have made by its roots, and turns it: to (n2, width) for each of the first blocks of k1. */
static void GI_LOOP(gi_fourier_turn)(const gi_fourier *f, int64_t blocks, int64_t block, const GA_T *y, GA_T *to)
{
    const int64_t start = gi_fourier_start(block, f->n2, GI_F_W);
    for (int64_t c = 0; c < blocks; c++)
        for (int v = 0; v < GI_F_W; v += GI_LANES)
            for (int64_t i = 0; i < GI_F_W; i += GI_LANES) {
                const int64_t k    = gi_fourier_start(c, f->n1, GI_F_W) + i;
                const GA_T   *from = y + k * GI_F_ELEMENT + v;
                GA_T         *at   = to + (c * f->n2 + start + v) * GI_F_ELEMENT + i;
                GI_V          re[GI_LANES], im[GI_LANES];
                GI_UNROLL
                for (int l = 0; l < GI_LANES; l++) {
                    re[l] = GI_VFN(load)(from + l * GI_F_ELEMENT);
                    im[l] = GI_VFN(load)(from + l * GI_F_ELEMENT + GI_F_W);
                }
                GI_LOOP(gi_fourier_weigh)(f, block, k, v, re, im);
                GI_LOOP(gi_fourier_square)(re);
                GI_LOOP(gi_fourier_square)(im);
                GI_UNROLL
                for (int l = 0; l < GI_LANES; l++) {
                    GI_VFN(store)(at + l * GI_F_ELEMENT, re[l]);
                    GI_VFN(store)(at + l * GI_F_ELEMENT + GI_F_W, im[l]);
                }
            }
}

/* A block of j2 of a line x that lies packed, to where it belongs in `between`; room: for 2 * n1 elements and a
   prime's. */
static void GI_LOOP(gi_fourier_first)(const gi_fourier *f, gi_fourier_flow flow, int64_t block, const void *x, double side,
                                      void *between, void *room)
{
    const bool reals                  = flow == GI_FOURIER_FROM_REALS;
    const GI_LOOP(gi_fourier_side) in = { reals ? f->n2 : 2 * f->n2, 1, (GA_T)side }, out = { 0, 1, 1 };
    const GI_LOOP(gi_fourier_walk) one = { (const GA_T *)f->table,
                                           1,
                                           1,
                                           false,
                                           reals ? flow : GI_FOURIER_FULL,
                                           reals ? f->chosen : NULL,
                                           0,
                                           (GA_T *)room + 2 * f->n1 * GI_F_ELEMENT };
    const int64_t start = gi_fourier_start(block, f->n2, GI_F_W), blocks = gi_fourier_blocks(gi_fourier_rows(f, flow), GI_F_W);
    GA_T         *a = (GA_T *)room, *b = a + f->n1 * GI_F_ELEMENT, *last = f->first.stages % 2 ? a : b;
    GI_LOOP(gi_fourier_run)(&f->first, one, (const GA_T *)x + (reals ? start : 2 * start), &in, last, &out, a, b);
    if (reals) GI_LOOP(gi_fourier_fill_rows)(f, last, 1, blocks * GI_F_W);
    GI_LOOP(gi_fourier_turn)(f, blocks, block, last, (GA_T *)between);
}

/* A block of k1, which is written over, from there to the result, packed; room: for n2 elements and a prime's. */
static void GI_LOOP(gi_fourier_second)(const gi_fourier *f, gi_fourier_flow flow, int64_t block, void *between, void *to,
                                       double scale, double side, void *room)
{
    const bool reals                   = flow == GI_FOURIER_TO_REALS;
    const GI_LOOP(gi_fourier_side) in  = { 0, 1, 1 };
    const GI_LOOP(gi_fourier_side) out = { reals ? f->n1 : 2 * f->n1, (GA_T)scale, (GA_T)(side * scale) };
    const GI_LOOP(gi_fourier_walk) one = { (const GA_T *)f->table,         1,    1, false,
                                           reals ? flow : GI_FOURIER_FULL, NULL, 0, (GA_T *)room + f->n2 * GI_F_ELEMENT };
    const int64_t start                = gi_fourier_start(block, f->n1, GI_F_W);
    GA_T         *a = (GA_T *)between + block * f->n2 * GI_F_ELEMENT, *at = (GA_T *)to + (reals ? start : 2 * start);
    GI_LOOP(gi_fourier_run)(&f->second, one, a, &in, at, &out, (GA_T *)room, a);
}

/* What the first chains of lines in lanes have made, by its roots. */
static void GI_LOOP(gi_fourier_weigh_lanes)(const gi_fourier *f, gi_fourier_flow flow, GA_T *all)
{
    const GA_T   *table   = (const GA_T *)f->table + f->near;
    const int64_t columns = gi_fourier_columns(f, flow);
    for (int64_t k = 0; k < gi_fourier_rows(f, flow); k++) {
        GA_T *y = all + k * f->n2 * GI_F_ELEMENT;
        for (int64_t j = 0; j < columns; j++, y += GI_F_ELEMENT) {
            const int64_t last = gi_fourier_blocks(f->n2, GI_F_W) - 1, block = j / GI_F_W < last ? j / GI_F_W : last;
            const GA_T   *w  = table + (block * f->n1 + k) * GI_F_ELEMENT + j - gi_fourier_start(block, f->n2, GI_F_W);
            const GI_V    wr = GI_VFN(all)(w[0]), wi = GI_VFN(all)(w[GI_F_W]);
            for (int v = 0; v < GI_F_W; v += GI_LANES) {
                GI_V re = GI_VFN(load)(y + v), im = GI_VFN(load)(y + GI_F_W + v);
                GI_BF(times)(&re, &im, wr, wi);
                GI_VFN(store)(y + v, re);
                GI_VFN(store)(y + GI_F_W + v, im);
            }
        }
    }
}

/* Of lines in lanes, elements k <= n / 2 of those k1 for which no second chains were computed. */
static void GI_LOOP(gi_fourier_unfold_lanes)(const gi_fourier *f, GA_T *y)
{
    for (int64_t start = 0; start <= f->n / 2; start += f->n1)
        for (int64_t k = start + f->n1 / 2 + 1; k < start + f->n1 && k <= f->n / 2; k++)
            GI_LOOP(gi_fourier_conjugate)(1, y + (f->n - k) * GI_F_ELEMENT, y + k * GI_F_ELEMENT);
}

/* Transforms so many lines in lanes, from x to `to`, or, if that is NULL, to somewhere in `room`, for 2 * n elements and a prime's, where x
   may begin. Returns where. FROM_REALS: elements k <= n / 2. */
static GA_T *GI_LOOP(gi_fourier_lanes)(const gi_fourier *f, gi_fourier_flow flow, int64_t lines, const GA_T *x,
                                       const GI_LOOP(gi_fourier_side) * in, GA_T *to, const GI_LOOP(gi_fourier_side) * out,
                                       GA_T *room)
{
    const GI_LOOP(gi_fourier_side) between = { 0, 1, 1 };
    const bool  two = f->n2 > 1, reads = flow == GI_FOURIER_FROM_REALS, writes = flow == GI_FOURIER_TO_REALS;
    const GA_T *table                    = (const GA_T *)f->table;
    const GI_LOOP(gi_fourier_walk) first = { table,
                                             f->n2,
                                             two ? gi_fourier_columns(f, flow) : 1,
                                             false,
                                             two && writes ? GI_FOURIER_FULL : flow,
                                             reads ? f->chosen : NULL,
                                             2 * lines < GI_F_W ? (int)lines : 0,
                                             room + 2 * f->n * GI_F_ELEMENT };
    const GI_LOOP(gi_fourier_walk)
        second = { table, f->n1, gi_fourier_rows(f, flow),      true, writes ? flow : GI_FOURIER_FULL,
                   NULL,  0,     room + 2 * f->n * GI_F_ELEMENT };
    GA_T *a = room, *b = a + f->n * GI_F_ELEMENT, *half = f->first.stages % 2 ? b : a; /* the stages write b, a, b ... */
    if (to && !two) half = to;
    GI_LOOP(gi_fourier_run)(&f->first, first, x, in, half, two ? &between : out, b, a);
    if (reads) GI_LOOP(gi_fourier_fill_rows)(f, half, f->n2, f->n1 / 2 + 1);
    if (!two) return half;
    GA_T *other = half == a ? b : a, *last = to ? to : f->second.stages % 2 ? other : half;
    GI_LOOP(gi_fourier_weigh_lanes)(f, flow, half);
    GI_LOOP(gi_fourier_run)(&f->second, second, half, &between, last, out, other, half);
    if (reads) GI_LOOP(gi_fourier_unfold_lanes)(f, last);
    return last;
}

/* Up to `width` lines of at most GI_FOURIER_BESIDE elements, in lanes; across: they lie side by side, and pitch goes along them. Pitches
   are of reals; room: for 2 * n elements and a prime's. side: -1 for conjugates of x, and of the result. */
static void GI_LOOP(gi_fourier_few)(const gi_fourier *f, int64_t lines, bool across, const void *x_, int64_t pitch, void *to_,
                                    int64_t to_pitch, double scale, double side, void *room)
{
    const GI_LOOP(gi_fourier_side) between = { 0, 1, 1 };
    const GI_LOOP(gi_fourier_side) in = { pitch, 1, (GA_T)side }, out = { to_pitch, (GA_T)scale, (GA_T)(side * scale) };
    const GA_T *x = (const GA_T *)x_;
    GA_T       *a = (GA_T *)room, *to = (GA_T *)to_;
    if (across && f->n > 1) {
        (void)GI_LOOP(gi_fourier_lanes)(f, GI_FOURIER_FULL, lines, x, &in, to, &out, a);
        return;
    }
    GI_LOOP(gi_fourier_gather)(f->n, lines, x, across ? 2 : pitch, a, (GA_T)side);
    const GA_T *y = GI_LOOP(gi_fourier_lanes)(f, GI_FOURIER_FULL, lines, a, &between, NULL, &between, a);
    GI_LOOP(gi_fourier_scatter)(f->n, lines, y, to, across ? 2 : to_pitch, (GA_T)scale, (GA_T)(side * scale));
}

/* exp(-2 pi i k / n) for k and, if the vectors hold `lanes` roots, those behind it: then k is a multiple of them. */
static GI_INLINE void GI_LOOP(gi_fourier_half_root)(const gi_fourier *f, int64_t k, const bool lanes, GI_V *wr, GI_V *wi)
{
    const int64_t count = gi_fourier_halves(f), low = f->shift > 0 ? k & (count - 1) : k;
    const GA_T   *w = (const GA_T *)f->table + f->halves + low, *u = (const GA_T *)f->table + f->far + 4 * (k >> f->shift);
    *wr = lanes ? GI_VFN(load)(w) : GI_VFN(all)(w[0]);
    *wi = lanes ? GI_VFN(load)(w + count) : GI_VFN(all)(w[count]);
    if (f->shift > 0) GI_BF(join)(wr, wi, GI_VFN(all)(u[0]), GI_VFN(all)(u[1]), GI_VFN(all)(u[2]), GI_VFN(all)(u[3]));
}

/* Elements k and m - k of the m numbers z, in place: each pair by one of these. */
static GI_INLINE void GI_LOOP(gi_fourier_ends)(const gi_fourier *f, GA_T *z,
                                               void (*of)(GI_V *, GI_V *, GI_V *, GI_V *, GI_V, GI_V))
{
    const int64_t m = f->n / 2;
    GI_V          ar, ai, br, bi, wr, wi;
    for (int64_t k = 1; k <= m - k;) {
        if (k % GI_LANES == 0 && k + GI_LANES <= m - k - GI_LANES + 1) {
            GA_T *low = z + 2 * k, *high = z + 2 * (m - k - GI_LANES + 1);
            GI_LOOP(gi_fourier_load)(low, &ar, &ai);
            GI_LOOP(gi_fourier_load)(high, &br, &bi);
            br = GI_VFN(turned)(br, br);
            bi = GI_VFN(turned)(bi, bi);
            GI_LOOP(gi_fourier_half_root)(f, k, true, &wr, &wi);
            of(&ar, &ai, &br, &bi, wr, wi);
            GI_LOOP(gi_fourier_store)(low, ar, ai);
            GI_LOOP(gi_fourier_store)(high, GI_VFN(turned)(br, br), GI_VFN(turned)(bi, bi));
            k += GI_LANES;
            continue;
        }
        GA_T *low = z + 2 * k, *high = z + 2 * (m - k);
        ar = GI_VFN(all)(low[0]), ai = GI_VFN(all)(low[1]), br = GI_VFN(all)(high[0]), bi = GI_VFN(all)(high[1]);
        GI_LOOP(gi_fourier_half_root)(f, k, false, &wr, &wi);
        of(&ar, &ai, &br, &bi, wr, wi);
        high[0] = br[0], high[1] = bi[0];
        low[0] = ar[0], low[1] = ai[0];
        k++;
    }
}

/* The transform of 2 m real numbers from that of pairs of them: m numbers become m + 1; and back, up to a factor 2. */
static void GI_LOOP(gi_fourier_halves)(const gi_fourier *f, void *z_)
{
    const int64_t m = f->n / 2;
    GA_T         *z = (GA_T *)z_, re = z[0], im = z[1];
    GI_LOOP(gi_fourier_ends)(f, z, GI_BF(halves));
    z[0] = re + im, z[1] = 0;
    z[2 * m] = re - im, z[2 * m + 1] = 0;
}
static void GI_LOOP(gi_fourier_pairs)(const gi_fourier *f, void *z_)
{
    const int64_t m = f->n / 2;
    GA_T         *z = (GA_T *)z_, first = z[0], last = z[2 * m];
    GI_LOOP(gi_fourier_ends)(f, z, GI_BF(pairs));
    z[0] = first + last, z[1] = first - last;
}

/* The same of lines in lanes; what is read is multiplied by `scale`, the imaginary parts of what is written by `side`. */
static GI_INLINE void GI_LOOP(gi_fourier_ends_lanes)(const gi_fourier *f, GA_T *y, GA_T scale, GA_T side,
                                                     void (*of)(GI_V *, GI_V *, GI_V *, GI_V *, GI_V, GI_V))
{
    const int64_t m = f->n / 2;
    GI_V          wr, wi;
    for (int64_t k = 1; k <= m - k; k++) {
        GI_LOOP(gi_fourier_half_root)(f, k, false, &wr, &wi);
        for (int v = 0; v < GI_F_W; v += GI_LANES) {
            GA_T *low = y + k * GI_F_ELEMENT + v, *high = y + (m - k) * GI_F_ELEMENT + v;
            GI_V  ar = GI_VFN(load)(low) * scale, ai = GI_VFN(load)(low + GI_F_W) * scale, br = GI_VFN(load)(high) * scale,
                 bi = GI_VFN(load)(high + GI_F_W) * scale;
            of(&ar, &ai, &br, &bi, wr, wi);
            GI_VFN(store)(high, br);
            GI_VFN(store)(high + GI_F_W, bi * side);
            GI_VFN(store)(low, ar);
            GI_VFN(store)(low + GI_F_W, ai * side);
        }
    }
}
static void GI_LOOP(gi_fourier_halves_lanes)(const gi_fourier *f, GA_T *y, GA_T scale)
{
    GA_T *last = y + f->n / 2 * GI_F_ELEMENT;
    GI_LOOP(gi_fourier_ends_lanes)(f, y, scale, 1, GI_BF(halves));
    for (int v = 0; v < GI_F_W; v += GI_LANES) {
        const GI_V re = GI_VFN(load)(y + v) * scale, im = GI_VFN(load)(y + GI_F_W + v) * scale;
        GI_VFN(store)(y + v, re + im);
        GI_VFN(store)(last + v, re - im);
        GI_VFN(store)(y + GI_F_W + v, GI_VFN(all)(0));
        GI_VFN(store)(last + GI_F_W + v, GI_VFN(all)(0));
    }
}
static void GI_LOOP(gi_fourier_pairs_lanes)(const gi_fourier *f, GA_T *y)
{
    GI_LOOP(gi_fourier_ends_lanes)(f, y, 1, -1, GI_BF(pairs));
    for (int v = 0; v < GI_F_W; v += GI_LANES) {
        const GI_V first = GI_VFN(load)(y + v), last = GI_VFN(load)(y + f->n / 2 * GI_F_ELEMENT + v);
        GI_VFN(store)(y + v, first + last);
        GI_VFN(store)(y + GI_F_W + v, -(first - last));
    }
}

/* In lanes, element 0 gets that imaginary part, and elements n - k become the conjugates of those k < n / 2. */
static void GI_LOOP(gi_fourier_mirror_lanes)(int64_t n, GA_T *y, GA_T first)
{
    for (int v = 0; v < GI_F_W; v += GI_LANES) GI_VFN(store)(y + GI_F_W + v, GI_VFN(all)(first));
    for (int64_t k = 1; k < n - k; k++) GI_LOOP(gi_fourier_conjugate)(1, y + k * GI_F_ELEMENT, y + (n - k) * GI_F_ELEMENT);
}

/* Up to `width` lines that lie packed, are real before or (GI_FOURIER_REAL) after the transform, and computed in lanes; room: for 3 * n / 2 + 1
   elements, of odd lengths for 2 * n and a prime's. */
static void GI_LOOP(gi_fourier_few_reals)(const gi_fourier *f, gi_fourier_kind kind, int64_t lines, const void *x,
                                          int64_t pitch, void *to, int64_t to_pitch, double scale_, bool inverse, void *room)
{
    const GI_LOOP(gi_fourier_side) between = { 0, 1, 1 };
    const gi_fourier *pairs                = f->real ? f->inner : f;
    const int64_t     n = f->n, half = n / 2 + 1;
    const bool        back = kind == GI_FOURIER_REAL;
    GA_T             *y = (GA_T *)room, side = inverse ? -1 : 1, scale = (GA_T)scale_;
    if (back) GI_LOOP(gi_fourier_gather)(half, lines, (const GA_T *)x, pitch, y, f->real ? -side : side);
    else if (f->real) GI_LOOP(gi_fourier_gather)(n / 2, lines, (const GA_T *)x, pitch, y, 1);
    else GI_LOOP(gi_fourier_gather_reals)(n, lines, (const GA_T *)x, pitch, y);
    if (back && f->real) GI_LOOP(gi_fourier_pairs_lanes)(f, y);
    else if (back) GI_LOOP(gi_fourier_mirror_lanes)(f->n2 > 1 ? n : 1, y, (GA_T)-0.0);
    y = GI_LOOP(gi_fourier_lanes)(pairs, gi_fourier_flow_of(f, kind), lines, y, &between, NULL, &between, y);
    if (back && f->real) {
        GI_LOOP(gi_fourier_scatter)(n / 2, lines, y, (GA_T *)to, to_pitch, scale, -scale);
        return;
    }
    if (back) {
        GI_LOOP(gi_fourier_scatter_reals)(n, lines, y, (GA_T *)to, to_pitch, scale);
        return;
    }
    if (f->real) {
        GI_LOOP(gi_fourier_halves_lanes)(f, y, scale);
        scale = 1;
    }
    GI_LOOP(gi_fourier_mirror_lanes)(kind == GI_FOURIER_WHOLE ? n : 1, y, kind == GI_FOURIER_WHOLE ? 0 * side : 0);
    GI_LOOP(gi_fourier_scatter)
    (kind == GI_FOURIER_WHOLE ? n : half, lines, y, (GA_T *)to, to_pitch, scale, side * scale);
}

/* out[k] = x[k] * w[k] * scale; side: -1 for conjugates of x, and of the result. */
static void GI_LOOP(gi_fourier_multiply)(int64_t n, const void *x_, double side_, const void *w_, void *out_, double scale_,
                                         double out_side)
{
    const GA_T *x = (const GA_T *)x_, *w = (const GA_T *)w_;
    const GA_T  side = (GA_T)side_, scale = (GA_T)scale_, scale_im = (GA_T)(scale_ * out_side);
    GA_T       *out = (GA_T *)out_;
    int64_t     k   = 0;
    for (; k + GI_LANES <= n; k += GI_LANES) {
        GI_V re, im, wr, wi;
        GI_LOOP(gi_fourier_load)(x + 2 * k, &re, &im);
        GI_LOOP(gi_fourier_load)(w + 2 * k, &wr, &wi);
        im = im * side;
        GI_BF(times)(&re, &im, wr, wi);
        GI_LOOP(gi_fourier_store)(out + 2 * k, re * scale, im * scale_im);
    }
    for (; k < n; k++) {
        GI_V re = GI_VFN(all)(x[2 * k]), im = GI_VFN(all)(x[2 * k + 1] * side);
        GI_BF(times)(&re, &im, GI_VFN(all)(w[2 * k]), GI_VFN(all)(w[2 * k + 1]));
        out[2 * k]     = re[0] * scale;
        out[2 * k + 1] = im[0] * scale_im;
    }
}

/* The same of n elements in lanes, without a scale, from there to where they may lie too. */
static void GI_LOOP(gi_fourier_multiply_lanes)(int64_t n, const GA_T *x, GA_T side, const GA_T *w, GA_T *out, GA_T out_side)
{
    for (int64_t k = 0; k < n; k++, x += GI_F_ELEMENT, out += GI_F_ELEMENT) {
        const GI_V wr = GI_VFN(all)(w[2 * k]), wi = GI_VFN(all)(w[2 * k + 1]);
        for (int v = 0; v < GI_F_W; v += GI_LANES) {
            GI_V re = GI_VFN(load)(x + v), im = GI_VFN(load)(x + GI_F_W + v) * side;
            GI_BF(times)(&re, &im, wr, wi);
            GI_VFN(store)(out + v, re);
            GI_VFN(store)(out + GI_F_W + v, im * out_side);
        }
    }
}

/* Up to `width` lines whose transform is a convolution of lines in lanes. Back, that is the transform of conjugates, of which it gives the
   conjugates. room: for twice the elements of these. */
static void GI_LOOP(gi_fourier_convolve)(const gi_fourier *f, int64_t lines, const void *x, int64_t pitch, void *to,
                                         int64_t to_pitch, double scale, double side, void *room)
{
    const GI_LOOP(gi_fourier_side) between = { 0, 1, 1 };
    const gi_fourier *smooth               = f->inner;
    const GA_T       *chirp = (const GA_T *)f->table + f->chirp, *filter = (const GA_T *)f->table + f->filter;
    GA_T             *a = (GA_T *)room, *y;
    GI_LOOP(gi_fourier_gather)(f->n, lines, (const GA_T *)x, pitch, a, (GA_T)side);
    GI_LOOP(gi_fourier_multiply_lanes)(f->n, a, 1, chirp, a, 1);
    memset(a + f->n * GI_F_ELEMENT, 0, (size_t)((smooth->n - f->n) * GI_F_ELEMENT) * sizeof *a);
    y = GI_LOOP(gi_fourier_lanes)(smooth, GI_FOURIER_FULL, lines, a, &between, NULL, &between, a);
    GI_LOOP(gi_fourier_multiply_lanes)(smooth->n, y, 1, filter, a, -1);
    y = GI_LOOP(gi_fourier_lanes)(smooth, GI_FOURIER_FULL, lines, a, &between, NULL, &between, a);
    GI_LOOP(gi_fourier_multiply_lanes)(f->n, y, -1, chirp, y, 1);
    GI_LOOP(gi_fourier_scatter)(f->n, lines, y, (GA_T *)to, to_pitch, (GA_T)scale, (GA_T)(side * scale));
}

GI_TABLE(gi_fourier_loops, GI_LOOP(gi_fourier_loops),
         { GI_LOOP(gi_fourier_first), GI_LOOP(gi_fourier_second), GI_LOOP(gi_fourier_few), GI_LOOP(gi_fourier_few_reals),
           GI_LOOP(gi_fourier_halves), GI_LOOP(gi_fourier_pairs), GI_LOOP(gi_fourier_multiply), GI_LOOP(gi_fourier_convolve) })
#undef GI_F_W
#undef GI_F_ELEMENT
#undef GI_F_LANES
#undef GI_BF
#undef GI_BF_FN
#undef GI_BF_T
#undef GI_BF_R
#undef GI_BF_W
#undef GI_BF_MUL
#undef GI_BF_FMA
#undef GI_BF_ALL
#undef GI_BF_UNROLL
