/* ---- Fourier transforms --------------------------------------------------------------------------------------------------- */
/*  The stages of the CPU's plan (gpuarr/plans/fourier.h), a kernel for each: a thread computes one butterfly. Lines are read into packed
    complex numbers, go to and fro between two buffers, and are written where they belong, as many together as fit.           */

enum { GI_FOURIER_NUMBERS = 1 << 25 }; /* of a buffer, if a line is not longer */

#define GI_BF(name)     gi_cuda_bf_##name
#define GI_BF_FN        static __device__ __forceinline__
#define GI_BF_MUL(a, c) gi_cuda_times(a, c)
#define GI_BF_FMA       gi_cuda_fma
#define GI_BF_ALL(a)    (a)
#define GI_BF_UNROLL    _Pragma("unroll")
#define GI_BF_T         float
#define GI_BF_R         float
#define GI_BF_W         float
#include "../plans/butterflies.h"
#undef GI_BF_T
#undef GI_BF_R
#undef GI_BF_W
#define GI_BF_T double
#define GI_BF_R double
#define GI_BF_W double
#include "../plans/butterflies.h"
#undef GI_BF_T
#undef GI_BF_R
#undef GI_BF_W
#undef GI_BF
#undef GI_BF_FN
#undef GI_BF_MUL
#undef GI_BF_FMA
#undef GI_BF_ALL
#undef GI_BF_UNROLL

template <class R> struct gi_cuda_complex {
    R re, im;
};

/* What reads the lines and writes them. */
template <class R> struct gi_cuda_fourier_lines {
    gi_fourier_job      j;
    gi_cuda_complex<R> *z; /* count lines, `pitch` numbers apart */
    int64_t             first, count, pitch;
    int64_t             m;                     /* numbers of a line that are transformed */
    bool                even;                  /* pairs of real numbers */
    const R            *halves, *far_, *chirp; /* tables, or NULL */
    int64_t             near_count;            /* of halves, */
    int                 shift;                 /* as in gi_fourier */
    gi_fourier_flow     flow;
    int64_t             n1;
    gi_fourier_chain    chain; /* for FROM_REALS, where there is but one */
    R                   side, scale, scale_im;
};

/* Where line number n begins, in bytes from the first one. */
GI_DEVICE int64_t gi_cuda_fourier_place(const gi_fourier_job &j, const int64_t *strides, int64_t n)
{
    int64_t place = 0;
#pragma unroll 1
    for (int d = j.ndim - 1; d > 0; d--) {
        place += n % j.shape[d] * strides[d];
        n /= j.shape[d];
    }
    return place + n * strides[0];
}

template <class R>
GI_DEVICE gi_cuda_complex<R> gi_cuda_fourier_get(const gi_cuda_fourier_lines<R> &l, const char *line, int64_t k)
{
    gi_cuda_complex<R> v = { 0, 0 };
    if (k < l.j.n_in && l.j.in_size == sizeof(R)) v.re = *(const R *)(line + k * l.j.in_step);
    else if (k < l.j.n_in) v = *(const gi_cuda_complex<R> *)(line + k * l.j.in_step);
    return v;
}

/* exp(-2 pi i k / n) */
template <class R> GI_DEVICE gi_cuda_complex<R> gi_cuda_fourier_half_root(const gi_cuda_fourier_lines<R> &l, int64_t k)
{
    const int64_t      high = l.shift > 0 ? k >> l.shift : 0, low = k - (high << l.shift);
    gi_cuda_complex<R> w = { l.halves[low], l.halves[low + l.near_count] };
    const R           *u = l.far_ + 4 * high;
    if (l.shift > 0) gi_cuda_bf_join(&w.re, &w.im, u[0], u[1], u[2], u[3]);
    return w;
}

/* Element k of n / 2 + 1 that tell all of them. */
template <class R>
GI_DEVICE gi_cuda_complex<R> gi_cuda_fourier_half(const gi_cuda_fourier_lines<R> &l, const char *line, int64_t k)
{
    gi_cuda_complex<R> v = gi_cuda_fourier_get(l, line, k);
    if (!l.j.inverse) v.im = -v.im;
    return v;
}

/* Element k of what is transformed for n real numbers. */
template <class R>
GI_DEVICE gi_cuda_complex<R> gi_cuda_fourier_hermitian(const gi_cuda_fourier_lines<R> &l, const char *line, int64_t k)
{
    if (!l.even) {
        gi_cuda_complex<R> v = gi_cuda_fourier_half(l, line, 2 * k > l.j.n ? l.j.n - k : k);
        if (2 * k > l.j.n) v.im = -v.im;
        if (k == 0) v.im = 0;
        return v;
    }
    const int64_t      low = 2 * k > l.m ? l.m - k : k;
    gi_cuda_complex<R> a = gi_cuda_fourier_half(l, line, low), b = gi_cuda_fourier_half(l, line, l.m - low);
    if (k == 0) return { a.re + b.re, a.re - b.re };
    const gi_cuda_complex<R> w = gi_cuda_fourier_half_root(l, low);
    gi_cuda_bf_pairs(&a.re, &a.im, &b.re, &b.im, w.re, w.im);
    return low == k ? a : b;
}

template <class R>
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_fourier_read(const __grid_constant__ gi_cuda_fourier_lines<R> l)
{
    const int64_t t = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x, n = t / l.pitch, k = t - n * l.pitch;
    if (n >= l.count) return;
    const char        *line = l.j.in + gi_cuda_fourier_place(l.j, l.j.in_strides, l.first + n);
    gi_cuda_complex<R> v    = { 0, 0 };
    if (k < l.m) {
        if (l.j.kind == GI_FOURIER_REAL) {
            v = gi_cuda_fourier_hermitian(l, line, k);
        } else if (l.even) {
            v.re = gi_cuda_fourier_get(l, line, 2 * k).re;
            v.im = gi_cuda_fourier_get(l, line, 2 * k + 1).re;
        } else {
            v = gi_cuda_fourier_get(l, line, k);
        }
        v.im = v.im * l.side;
        if (l.chirp) gi_cuda_bf_times(&v.re, &v.im, l.chirp[2 * k], l.chirp[2 * k + 1]);
    }
    l.z[t] = v;
}

/* Element k of the transform. */
template <class R>
GI_DEVICE gi_cuda_complex<R> gi_cuda_fourier_value(const gi_cuda_fourier_lines<R> &l, const gi_cuda_complex<R> *z, int64_t k)
{
    gi_cuda_complex<R> v = z[k];
    if (l.chirp) {
        v.im = -v.im;
        gi_cuda_bf_times(&v.re, &v.im, l.chirp[2 * k], l.chirp[2 * k + 1]);
    }
    v.re = gi_cuda_times(v.re, l.scale);
    v.im = gi_cuda_times(v.im, l.scale_im);
    return v;
}

/* Element k <= n / 2 of the transform of n real numbers. */
template <class R>
GI_DEVICE gi_cuda_complex<R> gi_cuda_fourier_of_reals(const gi_cuda_fourier_lines<R> &l, const gi_cuda_complex<R> *z, int64_t k)
{
    const int64_t low = 2 * k > l.m ? l.m - k : k;
    const bool    turned =
        l.flow == GI_FOURIER_FROM_REALS && (l.n1 < l.m ? 2 * (k % l.n1) > l.n1 : gi_fourier_turned(&l.chain, k));
    gi_cuda_complex<R> a = gi_cuda_fourier_value(l, z, l.even ? low : turned ? l.m - k : k), b;
    if (!l.even) {
        if (k == 0) a.im = 0;
        if (turned) a.im = -a.im;
    } else if (low == 0) {
        a = { k == 0 ? a.re + a.im : a.re - a.im, 0 };
    } else {
        b                          = gi_cuda_fourier_value(l, z, l.m - low);
        const gi_cuda_complex<R> w = gi_cuda_fourier_half_root(l, low);
        gi_cuda_bf_halves(&a.re, &a.im, &b.re, &b.im, w.re, w.im);
        if (low != k) a = b;
    }
    if (l.j.inverse) a.im = -a.im;
    if (k == 0 && l.j.kind == GI_FOURIER_WHOLE) a.im = 0;
    return a;
}

template <class R>
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_fourier_write(const __grid_constant__ gi_cuda_fourier_lines<R> l)
{
    const int64_t t = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x, n = t / l.j.n_out, k = t - n * l.j.n_out;
    if (n >= l.count) return;
    char                     *to = l.j.out + gi_cuda_fourier_place(l.j, l.j.out_strides, l.first + n) + k * l.j.out_step;
    const gi_cuda_complex<R> *z  = l.z + n * l.pitch;
    gi_cuda_complex<R>        v;
    if (l.j.kind == GI_FOURIER_REAL) {
        v        = gi_cuda_fourier_value(l, z, l.even ? k / 2 : k);
        *(R *)to = l.even && k % 2 ? v.im : v.re;
        return;
    }
    if (l.j.kind == GI_FOURIER_COMPLEX) {
        v = gi_cuda_fourier_value(l, z, k);
    } else {
        v = gi_cuda_fourier_of_reals(l, z, 2 * k > l.j.n ? l.j.n - k : k);
        if (2 * k > l.j.n) v.im = -v.im;
    }
    *(gi_cuda_complex<R> *)to = v;
}

/* ---- stages ------------------------------------------------------------------------------------------------------------------ */

/* A stage of transforms that lie beside each other; by_...: from one element that is read to another. mirrored: elements behind the half are
   read as conjugates of those before it, and only p <= m / 2 are computed. */
template <class R> struct gi_cuda_fourier_stage {
    const gi_cuda_complex<R> *x;
    gi_cuda_complex<R>       *y;
    const R                  *roots, *circle;
    int64_t                   n, threads, s, by_q, by_p, by_k; /* n: of a line */
    int                       radix;
    bool                      mirrored;
    gi_wide_divisor           line, of_p; /* threads of a line; those of one p */
};

/* A thread's butterfly: where it reads and writes, and its roots. */
template <class R> struct gi_cuda_fourier_at {
    const gi_cuda_complex<R> *from;
    int64_t                   ahead; /* from -p to p */
    gi_cuda_complex<R>       *to;
    const R                  *w; /* NULL: 1 */
};
template <class R> GI_DEVICE gi_cuda_fourier_at<R> gi_cuda_fourier_find(const gi_cuda_fourier_stage<R> &g, int64_t t)
{
    const int64_t n = gi_divide_wide(t, g.line), i = t - n * g.line.by, p = gi_divide_wide(i, g.of_p), q = i - p * g.of_p.by;
    gi_cuda_fourier_at<R> at;
    at.from  = g.x + n * g.n + q * g.by_q + p * g.by_p;
    at.ahead = 2 * p * g.by_p;
    at.to    = g.y + n * g.n + q + g.s * g.radix * p;
    at.w     = p > 0 ? g.roots + 2 * (p - 1) * (g.radix - 1) : NULL;
    return at;
}
template <class R>
GI_DEVICE gi_cuda_complex<R> gi_cuda_fourier_element(const gi_cuda_fourier_stage<R> &g, const gi_cuda_fourier_at<R> &at, int k)
{
    if (!g.mirrored || 2 * k <= g.radix) return at.from[k * g.by_k];
    const gi_cuda_complex<R> v = at.from[(g.radix - k) * g.by_k - at.ahead];
    return { v.re, -v.im };
}

template <class R, int r>
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_fourier_butterfly(const __grid_constant__ gi_cuda_fourier_stage<R> g)
{
    const int64_t t = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x;
    if (t >= g.threads) return;
    const gi_cuda_fourier_at<R> at = gi_cuda_fourier_find(g, t);
    R                           re[r], im[r], out[2 * r];
#pragma unroll
    for (int k = 0; k < r; k++) {
        const gi_cuda_complex<R> v = gi_cuda_fourier_element(g, at, k);
        re[k]                      = v.re;
        im[k]                      = v.im;
    }
    if (r == 2) gi_cuda_bf_two(re, im, re + 1, im + 1);
    else if (r == 4) gi_cuda_bf_four(re, im, 1);
    else if (r == 6) gi_cuda_bf_six(re, im, out);
    else if (r == 8) gi_cuda_bf_eight(re, im);
    else gi_cuda_bf_odd(r, re, im, out, out + r, g.circle);
    if (at.w) {
#pragma unroll
        for (int k = 1; k < r; k++) gi_cuda_bf_times(re + k, im + k, at.w[2 * k - 2], at.w[2 * k - 1]);
    }
#pragma unroll
    for (int k = 0; k < r; k++) at.to[k * g.s] = { re[k], im[k] };
}

/* The same for large radices: a thread computes elements k and radix - k, in the order of gi_cuda_bf_odd. */
template <class R>
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_fourier_pair(const __grid_constant__ gi_cuda_fourier_stage<R> g)
{
    const int64_t t = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x;
    if (t >= g.threads) return;
    const int                   r = g.radix, h = r / 2;
    const int                   k     = (int)(t % (h + 1));
    const gi_cuda_fourier_at<R> at    = gi_cuda_fourier_find(g, t / (h + 1));
    const gi_cuda_complex<R>    first = at.from[0];
    R                           cr = first.re, ci = first.im, sr = 0, si = 0, all_cr = 0, all_ci = 0, all_sr = 0, all_si = 0;
#pragma unroll 1
    for (int j = 1; j <= h; j++) {
        gi_cuda_complex<R> a = gi_cuda_fourier_element(g, at, j), b = gi_cuda_fourier_element(g, at, r - j);
        const R            c = g.circle[2 * (j * k % r)], s = g.circle[2 * (j * k % r) + 1];
        gi_cuda_bf_two(&a.re, &a.im, &b.re, &b.im);
        cr = gi_cuda_fma(a.re, c, cr); /* c is 1 where k is 0 */
        ci = gi_cuda_fma(a.im, c, ci);
        sr = gi_cuda_fma(b.re, s, sr);
        si = gi_cuda_fma(b.im, s, si);
        if (j % GI_FOURIER_TERMS != 0 || h <= GI_FOURIER_TERMS) continue;
        all_cr = all_cr + cr, all_ci = all_ci + ci, all_sr = all_sr + sr, all_si = all_si + si;
        cr = ci = sr = si = 0;
    }
    if (h > GI_FOURIER_TERMS) cr = all_cr + cr, ci = all_ci + ci, sr = all_sr + sr, si = all_si + si;
    if (k == 0) {
        at.to[0] = { cr, ci };
        return;
    }
    R re = cr + si, im = ci - sr, re2 = cr - si, im2 = ci + sr;
    if (at.w) {
        gi_cuda_bf_times(&re, &im, at.w[2 * k - 2], at.w[2 * k - 1]);
        gi_cuda_bf_times(&re2, &im2, at.w[2 * (r - k) - 2], at.w[2 * (r - k) - 1]);
    }
    at.to[k * g.s]       = { re, im };
    at.to[(r - k) * g.s] = { re2, im2 };
}

/* Between the chains: elements (k1, j2) of each line by their roots. FROM_REALS: k1 <= n1 / 2, some of them conjugates of the others. */
template <class R> struct gi_cuda_fourier_weights {
    gi_cuda_complex<R> *z;
    const R            *near_, *far_;
    int64_t             n1, n2, rows, near_count, far_count, threads;
    int                 width, shift;
    bool                reals;
    gi_fourier_chain    chain;
};
template <class R>
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_fourier_weigh(const __grid_constant__ gi_cuda_fourier_weights<R> m)
{
    const int64_t t = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x;
    if (t >= m.threads) return;
    const int64_t j = t % m.n2, k = t / m.n2 % m.rows, line = t / m.n2 / m.rows, last = (m.n2 - 1) / m.width,
                  block  = j / m.width < last ? j / m.width : last;
    const bool    turned = m.reals && gi_fourier_turned(&m.chain, k);
    const int64_t lane = j - (block < last ? block * m.width : m.n2 - m.width), high = k >> m.shift;
    const R      *w  = m.near_ + (block * m.near_count + k - (high << m.shift)) * 2 * m.width + lane;
    const R      *u  = m.far_ + (block * m.far_count + high) * 4 * m.width + lane;
    R             wr = w[0], wi = w[m.width];
    if (m.far_count > 1) gi_cuda_bf_join(&wr, &wi, u[0], u[m.width], u[2 * m.width], u[3 * m.width]);
    gi_cuda_complex<R> *z = m.z + line * m.n1 * m.n2, v = z[(turned ? m.n1 - k : k) * m.n2 + j];
    if (turned) v.im = -v.im;
    gi_cuda_bf_times(&v.re, &v.im, wr, wi);
    z[k * m.n2 + j] = v;
}

/* The product with a filter, conjugated. */
template <class R>
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_fourier_filter(gi_cuda_complex<R> *z, const gi_cuda_complex<R> *filter, int64_t n, int64_t threads)
{
    const int64_t t = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x;
    if (t >= threads) return;
    gi_cuda_complex<R> v = z[t], w = filter[t % n];
    gi_cuda_bf_times(&v.re, &v.im, w.re, w.im);
    z[t] = { v.re, -v.im };
}

/* ---- a call ------------------------------------------------------------------------------------------------------------------ */

template <class R> struct gi_cuda_fourier_call {
    const char         *site;
    const gi_fourier   *f, *smooth;     /* of the complex numbers; that which has the chains */
    const R            *table, *chirps; /* of smooth; of f, if that is another */
    gi_cuda_complex<R> *z, *other;      /* the lines, and a second buffer */
    gi_fourier_flow     flow;
    int64_t             count;
    cudaStream_t        stream;
};

template <class R> static void gi_cuda_fourier_launch(const gi_cuda_fourier_stage<R> &g, cudaStream_t stream)
{
    void (*kernel)(gi_cuda_fourier_stage<R>) = gi_cuda_fourier_pair<R>;
    switch (g.radix) {
    case 2: kernel = gi_cuda_fourier_butterfly<R, 2>; break;
    case 3: kernel = gi_cuda_fourier_butterfly<R, 3>; break;
    case 4: kernel = gi_cuda_fourier_butterfly<R, 4>; break;
    case 5: kernel = gi_cuda_fourier_butterfly<R, 5>; break;
    case 6: kernel = gi_cuda_fourier_butterfly<R, 6>; break;
    case 7: kernel = gi_cuda_fourier_butterfly<R, 7>; break;
    case 8: kernel = gi_cuda_fourier_butterfly<R, 8>; break;
    }
    GI_LAUNCH(kernel, gi_cuda_blocks(g.threads), GI_CUDA_THREADS, stream, g);
}

/* The stages of a chain, of transforms that lie beside each other, or that the first stage reads one behind the other; mirrored: their results
   are real. */
template <class R>
static bool gi_cuda_fourier_chain(gi_cuda_fourier_call<R> *c, const gi_fourier_chain *chain, int64_t beside, bool behind,
                                  bool mirrored)
{
    for (int i = 0; i < chain->stages; i++, behind = false) {
        const gi_fourier_stage  *s = chain->stage + i;
        gi_cuda_fourier_stage<R> g;
        g.x                = c->z;
        g.y                = c->other;
        g.roots            = c->table + s->roots;
        g.circle           = c->table + s->circle;
        g.n                = c->smooth->n;
        g.radix            = s->radix;
        g.s                = s->s * beside;
        g.by_q             = behind ? chain->n : 1;
        g.by_p             = behind ? 1 : g.s;
        g.by_k             = s->m * g.by_p;
        g.mirrored         = mirrored;
        const int64_t line = mirrored ? g.n / (g.radix * s->m) * (s->m / 2 + 1) : g.n / g.radix;
        g.threads          = c->count * line;
        g.line             = gi_wide_divisor_of(line, g.threads);
        g.of_p             = gi_wide_divisor_of(g.s, g.threads);
        if (g.radix > 8) g.threads *= g.radix / 2 + 1;
        gi_cuda_fourier_launch(g, c->stream);
        if (!gi_cuda_launched(c->site, "a Fourier transform")) return false;
        gi_cuda_complex<R> *swap = c->z;
        c->z                     = c->other;
        c->other                 = swap;
    }
    return true;
}

template <class R> static bool gi_cuda_fourier_smooth(gi_cuda_fourier_call<R> *c)
{
    const gi_fourier *f    = c->smooth;
    const bool        back = c->flow == GI_FOURIER_TO_REALS;
    if (!gi_cuda_fourier_chain(c, &f->first, f->n2, false, back && f->n2 == 1)) return false;
    if (f->n2 == 1) return true;
    const int64_t                    rows = gi_fourier_rows(f, c->flow);
    const gi_cuda_fourier_weights<R> m    = { c->z,
                                              c->table + f->near,
                                              c->table + f->far,
                                              f->n1,
                                              f->n2,
                                              rows,
                                              gi_fourier_near(f),
                                              gi_fourier_far(f),
                                              c->count * rows * f->n2,
                                              f->width,
                                              f->shift,
                                              c->flow == GI_FOURIER_FROM_REALS,
                                              f->first };
    GI_LAUNCH(gi_cuda_fourier_weigh<R>, gi_cuda_blocks(m.threads), GI_CUDA_THREADS, c->stream, m);
    return gi_cuda_launched(c->site, "a Fourier transform") && gi_cuda_fourier_chain(c, &f->second, f->n1, true, back);
}

template <class R> static bool gi_cuda_fourier_transform(gi_cuda_fourier_call<R> *c)
{
    if (!gi_cuda_fourier_smooth(c)) return false;
    if (c->f == c->smooth) return true;
    const int64_t threads = c->count * c->smooth->n;
    GI_LAUNCH(gi_cuda_fourier_filter<R>, gi_cuda_blocks(threads), GI_CUDA_THREADS, c->stream, c->z,
              (const gi_cuda_complex<R> *)(c->chirps + c->f->filter), c->smooth->n, threads);
    return gi_cuda_launched(c->site, "a Fourier transform") && gi_cuda_fourier_smooth(c);
}

/* All lines, a buffer full after the other. */
template <class R>
static bool gi_cuda_fourier_all(gi_cuda_fourier_call<R> *c, gi_cuda_fourier_lines<R> *l, int64_t lines, int64_t together)
{
    for (l->first = 0; l->first < lines; l->first += together) {
        l->count = c->count = lines - l->first < together ? lines - l->first : together;
        l->z                = c->z;
        GI_LAUNCH(gi_cuda_fourier_read<R>, gi_cuda_blocks(l->count * l->pitch), GI_CUDA_THREADS, c->stream, *l);
        if (!gi_cuda_launched(c->site, "a Fourier transform") || !gi_cuda_fourier_transform(c)) return false;
        l->z = c->z;
        GI_LAUNCH(gi_cuda_fourier_write<R>, gi_cuda_blocks(l->count * l->j.n_out), GI_CUDA_THREADS, c->stream, *l);
        if (!gi_cuda_launched(c->site, "a Fourier transform")) return false;
    }
    return true;
}

template <class R> static bool gi_cuda_fourier_of(const char *site, const gi_fourier_job *j)
{
    gi_cuda_fourier_call<R>  c     = {};
    gi_cuda_fourier_lines<R> l     = {};
    int64_t                  lines = 1;
    for (int d = 0; d < j->ndim; d++) lines *= j->shape[d];
    c.site                 = site;
    c.f                    = j->f->real ? j->f->inner : j->f;
    c.smooth               = c.f->inner ? c.f->inner : c.f;
    c.stream               = gi_cuda_current_stream();
    const int64_t     most = GI_FOURIER_NUMBERS / c.smooth->n, together = most < 1 ? 1 : most < lines ? most : lines;
    const gi_fourier *plans[3] = { c.smooth, c.f != c.smooth ? c.f : NULL, j->f->real ? j->f : NULL };
    size_t            at[3], numbers = (size_t)(together * c.smooth->n) * sizeof(gi_cuda_complex<R>), bytes = 2 * numbers;
    for (int k = 0; k < 3; k++) {
        at[k] = bytes = (bytes + 63) / 64 * 64;
        if (plans[k]) bytes += (size_t)plans[k]->shared * sizeof(R);
    }
    char *p  = (char *)gi_cuda_alloc(site, gi_cuda_selected, c.stream, bytes);
    bool  ok = p != NULL;
    for (int k = 0; k < 3 && ok; k++)
        if (plans[k]) ok = gi_cuda_write(site, j->to, p + at[k], plans[k]->table, (size_t)plans[k]->shared * sizeof(R));
    if (ok) {
        const bool back = j->kind == GI_FOURIER_REAL || (j->kind == GI_FOURIER_COMPLEX && j->inverse);
        c.z             = (gi_cuda_complex<R> *)p;
        c.other         = (gi_cuda_complex<R> *)(p + numbers);
        c.table         = (const R *)(p + at[0]);
        c.chirps        = (const R *)(p + at[1]);
        l.j             = *j;
        l.pitch         = c.smooth->n;
        l.m             = c.f->n;
        l.even          = j->f->real;
        l.halves        = (const R *)(p + at[2]) + j->f->halves;
        l.far_          = (const R *)(p + at[2]) + j->f->far;
        l.near_count    = gi_fourier_halves(j->f);
        l.shift         = j->f->real ? j->f->shift : 0;
        l.flow = c.flow = gi_fourier_flow_of(j->f, j->kind);
        l.n1            = j->f->n1;
        l.chain         = j->f->first;
        l.chirp         = plans[1] ? c.chirps + c.f->chirp : NULL;
        l.side          = back ? -1 : 1;
        l.scale         = (R)j->scale;
        l.scale_im      = (R)(back ? -j->scale : j->scale);
        ok              = gi_cuda_fourier_all(&c, &l, lines, together);
    }
    gi_cuda_release(p, gi_cuda_selected, c.stream, bytes);
    return ok;
}

static bool gi_cuda_fourier(const char *site, const gi_fourier_job *j)
{
    const ga_array *both[2] = { j->from, j->to };
    if (!gi_cuda_touch_all(site, 2, both)) return false;
    return j->f->single ? gi_cuda_fourier_of<float>(site, j) : gi_cuda_fourier_of<double>(site, j);
}
