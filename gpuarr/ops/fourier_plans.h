/* ---- plans of Fourier transforms, with their tables ---------------------------------------------------------------------- */
/*  Some plans are kept, until ga_shutdown: those that were used last, and tables of 64 MiB together.                          */

enum { GI_KEPT_FOURIERS = 32 };
#define GI_KEPT_FOURIER_BYTES ((size_t)64 << 20)

static struct {
    pthread_mutex_t lock;
    uint64_t        calls;
    gi_fourier     *kept[GI_KEPT_FOURIERS];
} gi_fouriers                          = { PTHREAD_MUTEX_INITIALIZER, 0, { NULL } };
static pthread_once_t gi_fouriers_once = PTHREAD_ONCE_INIT;

static void gi_fourier_free(gi_fourier *f)
{
    while (f && __atomic_sub_fetch(&f->users, 1, __ATOMIC_ACQ_REL) == 0) {
        gi_fourier *inner = f->inner;
        free(f->table);
        free(f->chosen);
        free(f);
        f = inner;
    }
}

static size_t gi_fourier_chosen_bytes(const gi_fourier *f) { return (size_t)(f->n1 / 2 + 1) * sizeof *f->chosen; }
static size_t gi_fourier_table_bytes(const gi_fourier *f)
{
    return (size_t)f->reals * (f->single ? sizeof(float) : sizeof(double));
}
static size_t gi_fourier_bytes(const gi_fourier *f)
{
    return gi_fourier_table_bytes(f) + (f->chosen ? gi_fourier_chosen_bytes(f) : 0);
}

static void gi_fouriers_forget(void)
{
    pthread_mutex_lock(&gi_fouriers.lock);
    for (int k = 0; k < GI_KEPT_FOURIERS; k++) {
        gi_fourier_free(gi_fouriers.kept[k]);
        gi_fouriers.kept[k] = NULL;
    }
    pthread_mutex_unlock(&gi_fouriers.lock);
}

static void gi_fouriers_before_fork(void) { pthread_mutex_lock(&gi_fouriers.lock); }
static void gi_fouriers_after_fork(void) { pthread_mutex_unlock(&gi_fouriers.lock); }
static void gi_fouriers_start(void)
{
    (void)pthread_atfork(gi_fouriers_before_fork, gi_fouriers_after_fork, gi_fouriers_after_fork);
    __atomic_store_n(&gi_ops_forget, &gi_fouriers_forget, __ATOMIC_RELAXED);
}

/* ---- tables ----------------------------------------------------------------------------------------------------------------- */

static void gi_fourier_put(gi_fourier *f, int64_t at, double re, double im, int64_t apart)
{
    if (f->single) {
        ((float *)f->table)[at]         = (float)re;
        ((float *)f->table)[at + apart] = (float)im;
    } else {
        ((double *)f->table)[at]         = re;
        ((double *)f->table)[at + apart] = im;
    }
}

/* exp(-2 pi i k / n) for any k, and its parts `apart` */
static void gi_fourier_root(gi_fourier *f, const gi_circle *c, int64_t at, int64_t k, int64_t apart)
{
    const gi_unity w = gi_circle_root(c, k % c->n);
    gi_fourier_put(f, at, w.cos.high, -w.sin.high, apart);
}

/* The same less 1, for the nearer factor of a root; for the other one, with what its rounding loses behind it. */
static void gi_fourier_near_root(gi_fourier *f, const gi_circle *c, int64_t at, int64_t k, int64_t apart)
{
    const gi_unity w = gi_circle_root(c, k % c->n);
    gi_fourier_put(f, at, (w.cos.high - 1) + w.cos.low, -w.sin.high, apart);
}
static void gi_fourier_far_root(gi_fourier *f, const gi_circle *c, int64_t at, int64_t k, int64_t apart)
{
    const gi_unity w  = gi_circle_root(c, k % c->n);
    const double   re = f->single ? (float)w.cos.high : w.cos.high, im = f->single ? (float)w.sin.high : w.sin.high;
    gi_fourier_put(f, at, re, -im, apart);
    gi_fourier_put(f, at + 2 * apart, (w.cos.high - re) + w.cos.low, (im - w.sin.high) - w.sin.low, apart);
}

/* Takes so much of the table, from a multiple of 64 bytes on. */
static int64_t gi_fourier_take(gi_fourier *f, int64_t reals)
{
    const int64_t at = f->reals;
    f->reals += (reals + f->width - 1) / f->width * f->width;
    return at;
}

static void gi_fourier_lay_chain(gi_fourier *f, gi_fourier_chain *c, int64_t n)
{
    c->n = n;
    for (int64_t s = 1; n > 1;) {
        gi_fourier_stage *g = c->stage + c->stages++;
        g->radix            = (int)gi_fourier_radix(n);
        g->m                = n / g->radix;
        g->s                = s;
        g->roots            = gi_fourier_take(f, 2 * (g->m - 1) * (g->radix - 1));
        g->circle           = gi_fourier_take(f, 2 * g->radix);
        g->rows             = -1;
        if (g->radix > 8 && g->radix > f->prime) f->prime = g->radix;
        n = g->m;
        s *= g->radix;
    }
}

/* Of the one chain of lines that can be too few for lanes: a prime so large is its last stage, or there would be two chains. */
static void gi_fourier_lay_rows(gi_fourier *f)
{
    for (int i = 0; i < f->first.stages; i++) {
        gi_fourier_stage *g = f->first.stage + i;
        if (g->radix >= GI_FOURIER_ROWS && g->m == 1)
            g->rows = gi_fourier_take(
                f, gi_fourier_row(g->radix, gi_fourier_blocks(g->radix / 2 + 1, f->width) * f->width, f->width));
    }
}

static void gi_fourier_fill_rows(gi_fourier *f, const gi_fourier_stage *g, const gi_circle *c)
{
    for (int64_t j = 1; j <= g->radix / 2; j++)
        for (int64_t k = 0; k <= g->radix / 2; k++) {
            const gi_unity w = gi_circle_root(c, c->n / g->radix * (j * k % g->radix));
            gi_fourier_put(f, g->rows + gi_fourier_row(g->radix, k, f->width) + (j - 1) * 2 * f->width, w.cos.high, w.sin.high,
                           f->width);
        }
}

static void gi_fourier_fill_chain(gi_fourier *f, const gi_fourier_chain *chain, const gi_circle *c)
{
    for (int i = 0; i < chain->stages; i++) {
        const gi_fourier_stage *g  = chain->stage + i;
        int64_t                 at = g->roots;
        for (int64_t p = 1; p < g->m; p++)
            for (int64_t k = 1; k < g->radix; k++, at += 2) gi_fourier_root(f, c, at, c->n / (g->m * g->radix) * p * k, 1);
        for (int64_t k = 0; k < g->radix; k++) {
            const gi_unity w = gi_circle_root(c, c->n / g->radix * k);
            gi_fourier_put(f, g->circle + 2 * k, w.cos.high, w.sin.high, 1);
        }
        if (g->rows >= 0) gi_fourier_fill_rows(f, g, c);
    }
}

/* Roots of j2 * k for k < count that are `step` apart, `reals` in each lane. */
static void gi_fourier_fill_lanes(gi_fourier *f, const gi_circle *c, int64_t at, int64_t count, int64_t step, int64_t reals,
                                  void (*root)(gi_fourier *, const gi_circle *, int64_t, int64_t, int64_t))
{
    for (int64_t b = 0; b < gi_fourier_blocks(f->n2, f->width); b++)
        for (int64_t k = 0; k < count; k++, at += reals * f->width)
            for (int64_t l = 0; l < f->width; l++)
                root(f, c, at + l, (gi_fourier_start(b, f->n2, f->width) + l) * k * step, f->width);
}

static bool gi_fourier_choose(gi_fourier *f)
{
    f->chosen = (int32_t *)malloc(gi_fourier_chosen_bytes(f));
    for (int64_t k = 1, at = 0; f->chosen && k < f->n1; k++)
        if (!gi_fourier_turned(&f->first, k)) f->chosen[at++] = (int32_t)k;
    return f->chosen != NULL;
}

/* Places in the table. */
static void gi_fourier_lay(gi_fourier *f)
{
    if (f->real) {
        while (f->n / 4 > GI_FOURIER_HALVES && (int64_t)1 << f->shift << f->shift <= f->n / 4) f->shift++;
        f->halves = gi_fourier_take(f, 2 * gi_fourier_halves(f));
        if (f->shift > 0) f->far = gi_fourier_take(f, 4 * ((f->n / 4 >> f->shift) + 1));
    } else if (f->inner) {
        f->chirp  = gi_fourier_take(f, 2 * f->n);
        f->filter = gi_fourier_take(f, 2 * f->inner->n);
    } else {
        gi_fourier_cut(f);
        gi_fourier_lay_chain(f, &f->first, f->n1);
        if (f->n2 == 1) {
            f->shared = f->reals;
            gi_fourier_lay_rows(f);
            return;
        }
        gi_fourier_lay_chain(f, &f->second, f->n2);
        while ((f->n <= GI_FOURIER_ROOTS ? 1 : (int64_t)1 << f->shift) << f->shift < f->n1) f->shift++;
        f->near = gi_fourier_take(f, gi_fourier_blocks(f->n2, f->width) * gi_fourier_near(f) * 2 * f->width);
        f->far  = gi_fourier_take(f, gi_fourier_blocks(f->n2, f->width) * gi_fourier_far(f) * 4 * f->width);
    }
    f->shared = f->reals;
}

/* exp(-pi i k**2 / n), and the transform of its conjugates as they follow each other round a circle of the inner length, by a plan of
   double precision. False with an error. */
static bool gi_fourier_fill_chirp(const char *site, gi_fourier *f, const gi_fourier *wide, const gi_circle *c)
{
    const int64_t m     = wide->n;
    const size_t  bytes = gi_fourier_numbers(wide, m), all = bytes + gi_fourier_room(wide, 1);
    char         *room = (char *)gi_mem_alloc(site, all);
    ga_c128      *w    = (ga_c128 *)(void *)room;
    if (!room) return false;
    memset(room, 0, bytes);
    for (int64_t k = 0, square = 0; k < f->n; k++) { /* k**2 % (2 n) */
        const gi_unity root = gi_circle_root(c, square);
        gi_fourier_put(f, f->chirp + 2 * k, root.cos.high, -root.sin.high, 1);
        w[k > 0 ? m - k : 0] = w[k] = gi_make_c128(root.cos.high / (double)m, root.sin.high / (double)m);
        square                      = (square + 2 * k + 1) % (2 * f->n);
    }
    const gi_fourier_line line = { wide, 1, room, 0, room, 0, room + bytes, 1, 1, 1, GI_FOURIER_FULL };
    gi_fourier_smooth(&line);
    for (int64_t k = 0; k < m; k++) gi_fourier_put(f, f->filter + 2 * k, w[k].re, w[k].im, 1);
    gi_mem_release(room, all);
    return true;
}

static bool gi_fourier_fill(const char *site, gi_fourier *f, const gi_fourier *wide)
{
    gi_circle    c;
    const size_t bytes = (gi_fourier_table_bytes(f) + 63) / 64 * 64;
    bool         done  = true;
    f->table           = aligned_alloc(64, bytes > 0 ? bytes : 64);
    if (!f->table || (f->n % 2 != 0 && !f->inner && !gi_fourier_choose(f)) ||
        !gi_circle_new(&c, f->inner && !f->real ? 2 * f->n : f->n))
        return gi_fail(site, GA_NO_MEMORY, "no memory for the tables of a Fourier transform of length %lld", (long long)f->n) !=
               NULL;
    memset(f->table, 0, bytes);
    if (f->real) {
        const int64_t count = gi_fourier_halves(f);
        for (int64_t k = 0; k < count; k++)
            (f->shift > 0 ? gi_fourier_near_root : gi_fourier_root)(f, &c, f->halves + k, k, count);
        for (int64_t k = 0; f->shift > 0 && k <= f->n / 4 >> f->shift; k++)
            gi_fourier_far_root(f, &c, f->far + 4 * k, k << f->shift, 1);
    } else if (f->inner) {
        done = gi_fourier_fill_chirp(site, f, wide, &c);
    } else {
        gi_fourier_fill_chain(f, &f->first, &c);
        gi_fourier_fill_chain(f, &f->second, &c);
        if (f->n2 > 1) {
            const int64_t far = gi_fourier_far(f);
            gi_fourier_fill_lanes(f, &c, f->near, gi_fourier_near(f), 1, 2, far > 1 ? gi_fourier_near_root : gi_fourier_root);
            gi_fourier_fill_lanes(f, &c, f->far, far, (int64_t)1 << f->shift, 4, gi_fourier_far_root);
        }
    }
    gi_circle_free(&c);
    return done;
}

/* ---- plans ------------------------------------------------------------------------------------------------------------------ */

static gi_fourier *gi_fourier_find(int64_t n, bool single, bool real, bool direct)
{
    gi_fourier *found = NULL;
    pthread_mutex_lock(&gi_fouriers.lock);
    for (int k = 0; k < GI_KEPT_FOURIERS && !found; k++) {
        gi_fourier *f = gi_fouriers.kept[k];
        if (f && f->n == n && f->single == single && f->real == real && f->direct == direct) found = f;
    }
    if (found) {
        __atomic_add_fetch(&found->users, 1, __ATOMIC_RELAXED);
        found->used = ++gi_fouriers.calls;
    }
    pthread_mutex_unlock(&gi_fouriers.lock);
    return found;
}

/* Keeps a new plan, and forgets those that were not used for longest where there are too many. */
static void gi_fourier_keep(gi_fourier *f)
{
    size_t bytes = gi_fourier_bytes(f);
    (void)pthread_once(&gi_fouriers_once, gi_fouriers_start);
    if (bytes > GI_KEPT_FOURIER_BYTES / 2) return;
    pthread_mutex_lock(&gi_fouriers.lock);
    for (int k = 0; k < GI_KEPT_FOURIERS; k++) bytes += gi_fouriers.kept[k] ? gi_fourier_bytes(gi_fouriers.kept[k]) : 0;
    for (;;) {
        int place = 0;
        for (int k = 1; k < GI_KEPT_FOURIERS; k++) {
            const gi_fourier *a = gi_fouriers.kept[place], *b = gi_fouriers.kept[k];
            if (a && (!b || b->used < a->used)) place = k;
        }
        bool free_place = !gi_fouriers.kept[place];
        if (free_place && bytes <= GI_KEPT_FOURIER_BYTES) {
            gi_fouriers.kept[place] = f;
            f->used                 = ++gi_fouriers.calls;
            __atomic_add_fetch(&f->users, 1, __ATOMIC_RELAXED);
            break;
        }
        int oldest = -1;
        for (int k = 0; k < GI_KEPT_FOURIERS; k++)
            if (gi_fouriers.kept[k] && (oldest < 0 || gi_fouriers.kept[k]->used < gi_fouriers.kept[oldest]->used)) oldest = k;
        bytes -= gi_fourier_bytes(gi_fouriers.kept[oldest]);
        gi_fourier_free(gi_fouriers.kept[oldest]);
        gi_fouriers.kept[oldest] = NULL;
    }
    pthread_mutex_unlock(&gi_fouriers.lock);
}

/* gi_fourier_free when done. wide: of a convolution, `inner` of double precision. NULL with an error. */
static gi_fourier *gi_fourier_new(const char *site, int64_t n, bool single, gi_fourier *inner, const gi_fourier *wide,
                                  bool real)
{
    gi_fourier *f = (gi_fourier *)calloc(1, sizeof *f);
    if (!f) {
        gi_fourier_free(inner);
        return (gi_fourier *)gi_fail(site, GA_NO_MEMORY, "no memory for the plan of a Fourier transform");
    }
    f->n      = n;
    f->single = single;
    f->width  = gi_fourier_width(single);
    f->inner  = inner;
    f->real   = real;
    f->direct = !inner && !gi_fourier_is_smooth(n, GI_FOURIER_PRIME);
    f->users  = 1;
    gi_fourier_lay(f);
    if (gi_fourier_fill(site, f, wide)) {
        gi_fourier_keep(f);
        return f;
    }
    gi_fourier_free(f);
    return NULL;
}

/* Of complex numbers, of a length without large prime factors. */
static gi_fourier *gi_fourier_of_smooth(const char *site, int64_t n, bool single)
{
    gi_fourier *f = gi_fourier_find(n, single, false, !gi_fourier_is_smooth(n, GI_FOURIER_PRIME));
    return f ? f : gi_fourier_new(site, n, single, NULL, NULL, false);
}

static gi_fourier *gi_fourier_complex(const char *site, int64_t n, bool single, int64_t largest)
{
    if (gi_fourier_is_smooth(n, largest)) return gi_fourier_of_smooth(site, n, single);
    gi_fourier *f = gi_fourier_find(n, single, false, false);
    if (f) return f;
    const int64_t longer = gi_fourier_longer(2 * n - 1, gi_fourier_width(single));
    gi_fourier   *wide = gi_fourier_of_smooth(site, longer, false), *inner = wide;
    if (wide && single) inner = gi_fourier_of_smooth(site, longer, true);
    if (inner) f = gi_fourier_new(site, n, single, inner, wide, false);
    if (single) gi_fourier_free(wide);
    return f;
}

/* Of n real numbers; of odd length they are complex ones. */
static gi_fourier *gi_fourier_of(const char *site, int64_t n, bool single, bool real)
{
    const int64_t largest = gi_fourier_largest(n, real);
    if (!real || n % 2 != 0) return gi_fourier_complex(site, n, single, largest);
    gi_fourier *f = gi_fourier_find(n, single, true, false);
    if (f) return f;
    gi_fourier *inner = gi_fourier_complex(site, n / 2, single, largest);
    return inner ? gi_fourier_new(site, n, single, inner, NULL, true) : NULL;
}
