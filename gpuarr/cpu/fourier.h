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

#define GI_BF(name)     GI_LOOP(gi_bf_##name)
#define GI_BF_FN        static GI_INLINE
#define GI_BF_T         GI_V
#define GI_BF_R         GA_T
#define GI_BF_W         GI_V
#define GI_BF_MUL(a, c) ((a) * (c))
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

/* Two vectors of complex numbers from memory, of which im is where `re` goes if they are to be exchanged. */
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

/* n elements of `width` complex numbers, `step` reals apart, and back; swap: re and im are exchanged. */
static void GI_LOOP(gi_fourier_split)(int64_t n, const GA_T *x, int64_t step, GA_T *y, bool swap)
{
    const int re = swap ? GI_F_W : 0, im = GI_F_W - re;
    for (int64_t j = 0; j < n; j++, x += step, y += GI_F_ELEMENT) GI_UNROLL
    for (int v = 0; v < GI_F_W; v += GI_LANES) {
        GI_V r, i;
        GI_LOOP(gi_fourier_load)(x + 2 * v, &r, &i);
        GI_VFN(store)(y + re + v, r);
        GI_VFN(store)(y + im + v, i);
    }
}
static void GI_LOOP(gi_fourier_join)(int64_t n, const GA_T *y, GA_T *x, int64_t step, bool swap, GA_T scale)
{
    const int re = swap ? GI_F_W : 0, im = GI_F_W - re;
    for (int64_t j = 0; j < n; j++, x += step, y += GI_F_ELEMENT) GI_UNROLL
    for (int v = 0; v < GI_F_W; v += GI_LANES)
        GI_LOOP(gi_fourier_store)(x + 2 * v, GI_VFN(load)(y + re + v) * scale, GI_VFN(load)(y + im + v) * scale);
}

/* The same of lines in lanes: each has n numbers, `pitch` reals from one line to the next. */
static void GI_LOOP(gi_fourier_gather)(int64_t n, int64_t lines, const GA_T *x, int64_t pitch, GA_T *y, bool swap)
{
    const int re = swap ? GI_F_W : 0, im = GI_F_W - re;
    int64_t   j = 0;
    for (; lines == GI_F_W && j + GI_LANES <= n; j += GI_LANES)
        for (int v = 0; v < GI_F_W; v += GI_LANES) {
            GI_V r[GI_LANES], i[GI_LANES];
            GI_UNROLL
            for (int l = 0; l < GI_LANES; l++) GI_LOOP(gi_fourier_load)(x + (v + l) * pitch + 2 * j, r + l, i + l);
            GI_LOOP(gi_fourier_square)(r);
            GI_LOOP(gi_fourier_square)(i);
            GI_UNROLL
            for (int l = 0; l < GI_LANES; l++) {
                GI_VFN(store)(y + (j + l) * GI_F_ELEMENT + re + v, r[l]);
                GI_VFN(store)(y + (j + l) * GI_F_ELEMENT + im + v, i[l]);
            }
        }
    for (; j < n; j++)
        for (int64_t l = 0; l < GI_F_W; l++) {
            y[j * GI_F_ELEMENT + re + l] = l < lines ? x[l * pitch + 2 * j] : 0;
            y[j * GI_F_ELEMENT + im + l] = l < lines ? x[l * pitch + 2 * j + 1] : 0;
        }
}
static void GI_LOOP(gi_fourier_scatter)(int64_t n, int64_t lines, const GA_T *y, GA_T *x, int64_t pitch, bool swap, GA_T scale)
{
    const int re = swap ? GI_F_W : 0, im = GI_F_W - re;
    int64_t   j = 0;
    for (; lines == GI_F_W && j + GI_LANES <= n; j += GI_LANES)
        for (int v = 0; v < GI_F_W; v += GI_LANES) {
            GI_V r[GI_LANES], i[GI_LANES];
            GI_UNROLL
            for (int l = 0; l < GI_LANES; l++) {
                r[l] = GI_VFN(load)(y + (j + l) * GI_F_ELEMENT + re + v) * scale;
                i[l] = GI_VFN(load)(y + (j + l) * GI_F_ELEMENT + im + v) * scale;
            }
            GI_LOOP(gi_fourier_square)(r);
            GI_LOOP(gi_fourier_square)(i);
            GI_UNROLL
            for (int l = 0; l < GI_LANES; l++) GI_LOOP(gi_fourier_store)(x + (v + l) * pitch + 2 * j, r[l], i[l]);
        }
    for (; j < n; j++)
        for (int64_t l = 0; l < lines; l++) {
            x[l * pitch + 2 * j]     = y[j * GI_F_ELEMENT + re + l] * scale;
            x[l * pitch + 2 * j + 1] = y[j * GI_F_ELEMENT + im + l] * scale;
        }
}

static GI_INLINE void GI_LOOP(gi_fourier_butterflies)(const int r, const gi_fourier_stage *g, const GA_T *table, const GA_T *x,
                                                      GA_T *y)
{
    const int64_t s = g->s, m = g->m;
    const GA_T   *circle = table + g->circle, *w = table + g->roots;
    for (int64_t p = 0; p<m; p++, w += p> 1 ? 2 * (r - 1) : 0)
        for (int64_t q = 0; q < s; q++) {
            const GA_T *from = x + (q + s * p) * GI_F_ELEMENT;
            GA_T       *to   = y + (q + s * r * p) * GI_F_ELEMENT;
            for (int v = 0; v < GI_F_W; v += GI_LANES) {
                GI_V re[GI_FOURIER_PRIME], im[GI_FOURIER_PRIME];
                GI_UNROLL
                for (int k = 0; k < r; k++) {
                    re[k] = GI_VFN(load)(from + s * m * k * GI_F_ELEMENT + v);
                    im[k] = GI_VFN(load)(from + s * m * k * GI_F_ELEMENT + GI_F_W + v);
                }
                GI_BF(any)(r, re, im, circle);
                if (p > 0) {
                    GI_UNROLL
                    for (int k = 1; k < r; k++)
                        GI_BF(times)(re + k, im + k, GI_VFN(all)(w[2 * k - 2]), GI_VFN(all)(w[2 * k - 1]));
                }
                GI_UNROLL
                for (int k = 0; k < r; k++) {
                    GI_VFN(store)(to + s * k * GI_F_ELEMENT + v, re[k]);
                    GI_VFN(store)(to + s * k * GI_F_ELEMENT + GI_F_W + v, im[k]);
                }
            }
        }
}

/* Stages read x, which stays, and write a, b, a ...; returns where the result is. */
static const GA_T *GI_LOOP(gi_fourier_run)(const gi_fourier_chain *c, const GA_T *table, const GA_T *x, GA_T *a, GA_T *b)
{
    for (int k = 0; k < c->stages; k++) {
        const gi_fourier_stage *g = c->stage + k;
        GA_T                   *y = k % 2 ? b : a;
        switch (g->radix) {
        case 2: GI_LOOP(gi_fourier_butterflies)(2, g, table, x, y); break;
        case 3: GI_LOOP(gi_fourier_butterflies)(3, g, table, x, y); break;
        case 4: GI_LOOP(gi_fourier_butterflies)(4, g, table, x, y); break;
        case 5: GI_LOOP(gi_fourier_butterflies)(5, g, table, x, y); break;
        case 7: GI_LOOP(gi_fourier_butterflies)(7, g, table, x, y); break;
        case 8: GI_LOOP(gi_fourier_butterflies)(8, g, table, x, y); break;
        default: GI_LOOP(gi_fourier_butterflies)(g->radix, g, table, x, y);
        }
        x = y;
    }
    return x;
}

/* Multiplies what the first chains of a block have made by its roots of unity, and turns it: to (n2, width) for each block of k1. */
static void GI_LOOP(gi_fourier_turn)(const gi_fourier *f, int64_t block, GA_T *y, GA_T *to)
{
    const int64_t far = (f->n1 + f->step - 1) / f->step, start = gi_fourier_start(block, f->n2, GI_F_W);
    const GA_T   *near_ = (const GA_T *)f->table + f->near + block * f->step * GI_F_ELEMENT,
               *far_    = (const GA_T *)f->table + f->far + block * far * GI_F_ELEMENT;
    for (int64_t k = 1; k < f->n1; k++)
        for (int v = 0; v < GI_F_W; v += GI_LANES) {
            const GA_T *w = near_ + k % f->step * GI_F_ELEMENT + v, *u = far_ + k / f->step * GI_F_ELEMENT + v;
            GA_T       *z  = y + k * GI_F_ELEMENT + v;
            GI_V        re = GI_VFN(load)(z), im = GI_VFN(load)(z + GI_F_W);
            GI_V        wr = GI_VFN(load)(w), wi = GI_VFN(load)(w + GI_F_W);
            if (far > 1) GI_BF(times)(&wr, &wi, GI_VFN(load)(u), GI_VFN(load)(u + GI_F_W));
            GI_BF(times)(&re, &im, wr, wi);
            GI_VFN(store)(z, re);
            GI_VFN(store)(z + GI_F_W, im);
        }
    for (int64_t c = 0; c < gi_fourier_blocks(f->n1, GI_F_W); c++) {
        const GA_T *from = y + gi_fourier_start(c, f->n1, GI_F_W) * GI_F_ELEMENT;
        for (int64_t v = 0; v < GI_F_ELEMENT; v += GI_LANES)
            for (int64_t i = 0; i < GI_F_W; i += GI_LANES) {
                GA_T *at = to + (c * f->n2 + start + v % GI_F_W) * GI_F_ELEMENT + i + v / GI_F_W * GI_F_W;
                GI_V  rows[GI_LANES];
                GI_UNROLL
                for (int l = 0; l < GI_LANES; l++) rows[l] = GI_VFN(load)(from + (i + l) * GI_F_ELEMENT + v);
                GI_LOOP(gi_fourier_square)(rows);
                GI_UNROLL
                for (int l = 0; l < GI_LANES; l++) GI_VFN(store)(at + l * GI_F_ELEMENT, rows[l]);
            }
    }
}

/* A block of j2 of a line x that lies packed, to where it belongs in `between`; room: for 2 * n1 elements. */
static void GI_LOOP(gi_fourier_first)(const gi_fourier *f, int64_t block, const void *x, bool swap, void *between, void *room)
{
    GA_T *a = (GA_T *)room, *b = a + f->n1 * GI_F_ELEMENT;
    GI_LOOP(gi_fourier_split)(f->n1, (const GA_T *)x + 2 * gi_fourier_start(block, f->n2, GI_F_W), 2 * f->n2, a, swap);
    const GA_T *y = GI_LOOP(gi_fourier_run)(&f->first, (const GA_T *)f->table, a, b, a);
    GI_LOOP(gi_fourier_turn)(f, block, y == a ? a : b, (GA_T *)between);
}

/* A block of k1, which is written over, from there to the result, packed; room: for n2 elements. */
static void GI_LOOP(gi_fourier_second)(const gi_fourier *f, int64_t block, void *between, void *out, bool swap, double scale,
                                       void *room)
{
    GA_T       *a = (GA_T *)between + block * f->n2 * GI_F_ELEMENT;
    const GA_T *y = GI_LOOP(gi_fourier_run)(&f->second, (const GA_T *)f->table, a, (GA_T *)room, a);
    GI_LOOP(gi_fourier_join)(f->n2, y, (GA_T *)out + 2 * gi_fourier_start(block, f->n1, GI_F_W), 2 * f->n1, swap, (GA_T)scale);
}

/* Up to `width` lines of one chain; across: they lie side by side, and pitch goes along them. Pitches are of reals; room: for 2 * n elements. */
static void GI_LOOP(gi_fourier_few)(const gi_fourier *f, int64_t lines, bool across, const void *x, int64_t pitch, void *out,
                                    int64_t out_pitch, bool swap, double scale, void *room)
{
    GA_T *a = (GA_T *)room, *b = a + f->n * GI_F_ELEMENT;
    if (across) GI_LOOP(gi_fourier_split)(f->n, (const GA_T *)x, pitch, a, swap);
    else GI_LOOP(gi_fourier_gather)(f->n, lines, (const GA_T *)x, pitch, a, swap);
    const GA_T *y = GI_LOOP(gi_fourier_run)(&f->first, (const GA_T *)f->table, a, b, a);
    if (across) GI_LOOP(gi_fourier_join)(f->n, y, (GA_T *)out, out_pitch, swap, (GA_T)scale);
    else GI_LOOP(gi_fourier_scatter)(f->n, lines, y, (GA_T *)out, out_pitch, swap, (GA_T)scale);
}

/* Elements k and m - k of the m numbers z, in place: each pair by one of these. */
static GI_INLINE void GI_LOOP(gi_fourier_ends)(int64_t m, GA_T *z, const GA_T *wr, const GA_T *wi,
                                               void (*of)(GI_V *, GI_V *, GI_V *, GI_V *, GI_V, GI_V))
{
    int64_t k = 1;
    for (; k + GI_LANES <= m - k - GI_LANES + 1; k += GI_LANES) {
        GA_T *low = z + 2 * k, *high = z + 2 * (m - k - GI_LANES + 1);
        GI_V  ar, ai, br, bi;
        GI_LOOP(gi_fourier_load)(low, &ar, &ai);
        GI_LOOP(gi_fourier_load)(high, &br, &bi);
        br = GI_VFN(turned)(br, br);
        bi = GI_VFN(turned)(bi, bi);
        of(&ar, &ai, &br, &bi, GI_VFN(load)(wr + k), GI_VFN(load)(wi + k));
        GI_LOOP(gi_fourier_store)(low, ar, ai);
        GI_LOOP(gi_fourier_store)(high, GI_VFN(turned)(br, br), GI_VFN(turned)(bi, bi));
    }
    for (; k <= m - k; k++) {
        GA_T *low = z + 2 * k, *high = z + 2 * (m - k);
        GI_V  ar = GI_VFN(all)(low[0]), ai = GI_VFN(all)(low[1]), br = GI_VFN(all)(high[0]), bi = GI_VFN(all)(high[1]);
        of(&ar, &ai, &br, &bi, GI_VFN(all)(wr[k]), GI_VFN(all)(wi[k]));
        high[0] = br[0], high[1] = bi[0];
        low[0] = ar[0], low[1] = ai[0];
    }
}

/* The transform of 2 m real numbers from that of pairs of them: m numbers become m + 1; and back, up to a factor 2. */
static void GI_LOOP(gi_fourier_halves)(const gi_fourier *f, void *z_)
{
    const int64_t m = f->n / 2;
    GA_T         *z = (GA_T *)z_, re = z[0], im = z[1];
    const GA_T   *w = (const GA_T *)f->table + f->halves;
    GI_LOOP(gi_fourier_ends)(m, z, w, w + m / 2 + 1, GI_BF(halves));
    z[0] = re + im, z[1] = 0;
    z[2 * m] = re - im, z[2 * m + 1] = 0;
}
static void GI_LOOP(gi_fourier_pairs)(const gi_fourier *f, void *z_)
{
    const int64_t m = f->n / 2;
    GA_T         *z = (GA_T *)z_, first = z[0], last = z[2 * m];
    const GA_T   *w = (const GA_T *)f->table + f->halves;
    GI_LOOP(gi_fourier_ends)(m, z, w, w + m / 2 + 1, GI_BF(pairs));
    z[0] = first + last, z[1] = first - last;
}

/* out[k] = x[k] * w[k]; of x and out re and im may be exchanged. */
static void GI_LOOP(gi_fourier_multiply)(int64_t n, const void *x_, bool swap_x, const void *w_, void *out_, bool swap_out,
                                         double scale_)
{
    const GA_T *x = (const GA_T *)x_, *w = (const GA_T *)w_, scale = (GA_T)scale_;
    GA_T       *out = (GA_T *)out_;
    int64_t     k   = 0;
    for (; k + GI_LANES <= n; k += GI_LANES) {
        GI_V re, im, wr, wi;
        if (swap_x) GI_LOOP(gi_fourier_load)(x + 2 * k, &im, &re);
        else GI_LOOP(gi_fourier_load)(x + 2 * k, &re, &im);
        GI_LOOP(gi_fourier_load)(w + 2 * k, &wr, &wi);
        GI_BF(times)(&re, &im, wr, wi);
        if (swap_out) GI_LOOP(gi_fourier_store)(out + 2 * k, im * scale, re * scale);
        else GI_LOOP(gi_fourier_store)(out + 2 * k, re * scale, im * scale);
    }
    for (; k < n; k++) {
        GI_V re = GI_VFN(all)(x[2 * k + swap_x]), im = GI_VFN(all)(x[2 * k + !swap_x]);
        GI_BF(times)(&re, &im, GI_VFN(all)(w[2 * k]), GI_VFN(all)(w[2 * k + 1]));
        out[2 * k + swap_out]  = re[0] * scale;
        out[2 * k + !swap_out] = im[0] * scale;
    }
}

GI_TABLE(gi_fourier_loops, GI_LOOP(gi_fourier_loops),
         { GI_LOOP(gi_fourier_first), GI_LOOP(gi_fourier_second), GI_LOOP(gi_fourier_few), GI_LOOP(gi_fourier_halves),
           GI_LOOP(gi_fourier_pairs), GI_LOOP(gi_fourier_multiply) })
#undef GI_F_W
#undef GI_F_ELEMENT
#undef GI_F_LANES
#undef GI_BF
#undef GI_BF_FN
#undef GI_BF_T
#undef GI_BF_R
#undef GI_BF_W
#undef GI_BF_MUL
#undef GI_BF_UNROLL
