/* ---- random numbers of other distributions: gamma, beta, binomial, Poisson ---------------------------------------------------- */
/*  Gamma numbers: Marsaglia and Tsang (2000); beta: the share of one gamma number of two. Counts: by inversion, from a table, where few of them
    have any probability; else Hörmann's transformed rejection (1993: PTRS and BTRS). What is rejected is tried again: try t of element i takes
    counters of its own, so that each can be computed alone. A try is written such that loops over many of them become vectors; draws one by one
    are at the end, for GPUs. */

enum { GI_COUNTS = 128, GI_TABLE_MEAN = 40 }; /* of a table: how many, and their largest mean (or any, of fewer) */

/* Try t of gamma numbers 2 j and 2 j + 1 takes the counters j + (from + 2 t) * 2**48, for two normal numbers, and the next one for two uniform
   ones; a shape below 1 the last one, GI_GAMMA_LAST, too. Of two gamma numbers the second one begins at GI_GAMMA_SECOND. */
enum { GI_GAMMA_LAST = 0x7fff, GI_GAMMA_SECOND = 0x8000 };

typedef struct gi_gamma {
    double shape;   /* x of shape < 1: of shape + 1, times u ** (1 / shape) */
    double a, c;    /* x = a * (1 + c * normal) ** 3 */
    double squeeze; /* 0: of so large a shape all but u = 1 are taken at once */
} gi_gamma;

typedef struct gi_hat {
    double mean, middle, a, b; /* a number: (2 a / (1/2 - |u|) + b) u + middle, rounded down */
    double sure, scale;        /* v up to this is taken at once (where u is not near an end); the height of the hat */
    double n, others;          /* binomial: others = n - mean */
    double top;                /* binomial: gi_binomial_tail of the most probable count, for the height 1 */
} gi_hat;

typedef enum gi_draws_kind { GI_GAMMA, GI_BETA, GI_COUNTED, GI_BINOMIAL, GI_POISSON } gi_draws_kind;

typedef struct gi_draws_plan {
    gi_draws_kind kind;
    bool          flipped; /* binomial: n - the count */
    uint64_t      seed, stream;
    int64_t       n, most; /* counts: no more than the dtype holds */
    double        scale;   /* gamma */
    gi_gamma      gamma[2];
    gi_hat        hat;
    uint64_t      below[GI_COUNTS]; /* 2**63 times the probability of 0 to k; the last one is 2**63 */
} gi_draws_plan;

/* What a try adds to a counter. */
GI_FORMULA uint64_t gi_try(int number) { return (uint64_t)number << 48; }

/* In (0, 1]. */
GI_FORMULA double gi_unit_above_0(uint64_t words) { return gi_unit_of_u64(words) + 0x1p-53; }

GI_FORMULA gi_gamma gi_gamma_of(double shape)
{
    gi_gamma g;
    g.shape = shape;
    g.a     = (shape < 1 ? shape + 1 : shape) - 1.0 / 3;
    g.c     = 1 / gi_root_f64(gi_mul_f64(9, g.a));
    g.squeeze =
        shape < 0x1p40 ? 0.0331 : 0; /* beyond, one of 2**45 would be rejected, and of what tells it too little is left */
    return g;
}

GI_FORMULA double gi_gamma_cube(const gi_gamma *g, double normal)
{
    const double v = 1 + gi_mul_f64(g->c, normal);
    return gi_mul_f64(v, gi_mul_f64(v, v));
}

/* Is a number taken? The first test, which is quick, says so of most. */
GI_FORMULA uint64_t gi_gamma_is_sure(const gi_gamma *g, double normal, double u)
{
    const double square = gi_mul_f64(normal, normal);
    return (uint64_t)(u < 1 - gi_mul_f64(gi_mul_f64(g->squeeze, square), square));
}

GI_FORMULA uint64_t gi_gamma_is_taken(const gi_gamma *g, double normal, double cube, double u)
{
    const double tail = gi_mul_f64(0.5, gi_mul_f64(normal, normal)) + gi_mul_f64(g->a, (1 - cube) + gi_log_core_f64(cube));
    return (uint64_t)(gi_log_core_f64(u) < tail) & (uint64_t)(cube > 0);
}

GI_FORMULA double gi_gamma_log_factor(const gi_gamma *g, double u) { return gi_log_core_f64(u) / g->shape; }

/* The share of x of x and y, or of exp(x) and exp(y). */
GI_FORMULA double gi_beta_of(double x, double y) { return x / (x + y); }
GI_FORMULA double gi_beta_of_logs(double x, double y) { return 1 / (1 + gi_exp_any_f64(y - x, 0)); }

/* How much less likely is a Poisson count k than one whose mean it is: the logarithm, less that of its width, gi_count_width (Loader, 2000).
   Stirling's series is far off below 8, but counts by rejection have means above 40. */
GI_FORMULA double gi_count_tail(double k, double mean)
{
    const double least = k > 1 ? k : 1.0, r = 1 / least, r2 = gi_mul_f64(r, r);
    const double stirling =
        gi_mul_f64(r, gi_fma_f64(-r2, gi_fma_f64(-r2, gi_fma_f64(-r2, 1.0 / 1680, 1.0 / 1260), 1.0 / 360), 1.0 / 12));
    const double d = k - mean, v = d / (k + mean), v2 = gi_mul_f64(v, v);
    const double near = gi_mul_f64(v, gi_fma_f64(gi_mul_f64(k, v2), gi_log_series_f64(v2), d));
    const double far  = gi_fma_f64(k, gi_log_core_f64(least / mean), -d);
    return stirling + gi_pick_f64((uint64_t)(v2 < 0.028), near, far);
}

GI_FORMULA double gi_count_width(double k) { return k > 0 ? gi_mul_f64(k, 0x1.921fb54442d18p+2) : 1.0; }

GI_FORMULA double gi_hat_side(double u) { return 0.5 - gi_abs_f64(u); }

GI_FORMULA double gi_hat_number(const gi_hat *h, double u)
{
    return gi_floor_f64(gi_mul_f64(gi_mul_f64(2, h->a) / gi_hat_side(u) + h->b, u) + h->middle);
}

GI_FORMULA uint64_t gi_hat_is_sure(const gi_hat *h, double u, double v)
{
    return (uint64_t)(gi_hat_side(u) >= 0.07) & (uint64_t)(v <= h->sure);
}

GI_FORMULA double gi_hat_height(const gi_hat *h, double u, double v)
{
    const double side = gi_hat_side(u);
    return gi_mul_f64(v, h->scale) / (h->a / gi_mul_f64(side, side) + h->b);
}

GI_FORMULA uint64_t gi_hat_takes_poisson(const gi_hat *h, double k, double u, double v)
{
    const double height = gi_mul_f64(gi_hat_height(h, u, v), gi_root_f64(gi_count_width(k)));
    return (uint64_t)(gi_log_core_f64(height) + gi_count_tail(k, h->mean) <= 0) & (uint64_t)(k >= 0);
}

GI_FORMULA double gi_binomial_tail(const gi_hat *h, double k, double height)
{
    const double width = gi_root_f64(gi_mul_f64(gi_count_width(k), gi_count_width(h->n - k)));
    return gi_log_core_f64(gi_mul_f64(height, width)) + (gi_count_tail(k, h->mean) + gi_count_tail(h->n - k, h->others));
}

GI_FORMULA uint64_t gi_hat_takes_binomial(const gi_hat *h, double k, double u, double v)
{
    return (uint64_t)(gi_binomial_tail(h, k, gi_hat_height(h, u, v)) <= h->top) & (uint64_t)(k >= 0) & (uint64_t)(k <= h->n);
}

GI_FORMULA int64_t gi_count_of(bool flipped, int64_t n, int64_t most, int64_t k)
{
    k = flipped ? n - k : k;
    return k < most ? k : most;
}

/* ---- one by one ------------------------------------------------------------------------------------------------------------------ */

/* Words 0 and 1, or 2 and 3. */
GI_FORMULA uint64_t gi_draw_pair(const gi_philox_words *x, bool second)
{
    return second ? (uint64_t)x->w[3] << 32 | x->w[2] : (uint64_t)x->w[1] << 32 | x->w[0];
}

/* A gamma number of scale 1, without the factor of a shape below 1. */
GI_SLOW double gi_draw_gamma(const gi_draws_plan *p, const gi_gamma *g, int from, int64_t i)
{
    const bool second = i % 2;
    for (uint64_t at = (uint64_t)i / 2 + gi_try(from);; at += gi_try(2)) {
        const gi_philox_words x = gi_philox(at, p->stream, p->seed), y = gi_philox(at + gi_try(1), p->stream, p->seed);
        double                sine,
            normal     = gi_normal_two(gi_unit_of_u64(gi_draw_pair(&x, false)), gi_unit_of_u64(gi_draw_pair(&x, true)), &sine);
        const double u = gi_unit_above_0(gi_draw_pair(&y, second));
        normal         = second ? sine : normal;
        const double cube = gi_gamma_cube(g, normal);
        if (gi_gamma_is_sure(g, normal, u) || gi_gamma_is_taken(g, normal, cube, u)) return gi_mul_f64(g->a, cube);
    }
}

/* The logarithm of that factor. */
GI_SLOW double gi_draw_gamma_factor(const gi_draws_plan *p, const gi_gamma *g, int from, int64_t i)
{
    const gi_philox_words x = gi_philox((uint64_t)i / 2 + gi_try(from + GI_GAMMA_LAST), p->stream, p->seed);
    return g->shape < 1 ? gi_gamma_log_factor(g, gi_unit_above_0(gi_draw_pair(&x, i % 2))) : 0;
}

GI_FORMULA double gi_draw(const gi_draws_plan *p, int64_t i)
{
    const gi_gamma *g = p->gamma, *h = p->gamma + 1;
    const double    x = gi_draw_gamma(p, g, 0, i);
    if (p->kind == GI_GAMMA) {
        if (g->shape >= 1) return gi_mul_f64(p->scale, x);
        return gi_mul_f64(p->scale, gi_mul_f64(x, gi_exp_any_f64(gi_draw_gamma_factor(p, g, 0, i), 0)));
    }
    const double y = gi_draw_gamma(p, h, GI_GAMMA_SECOND, i);
    if (g->shape >= 1 && h->shape >= 1) return gi_beta_of(x, y);
    return gi_beta_of_logs(gi_log_core_f64(x) + gi_draw_gamma_factor(p, g, 0, i),
                           gi_log_core_f64(y) + gi_draw_gamma_factor(p, h, GI_GAMMA_SECOND, i));
}

GI_SLOW double gi_draw_rejecting(const gi_draws_plan *p, int64_t i)
{
    for (uint64_t at = (uint64_t)i;; at += gi_try(1)) {
        const gi_philox_words x = gi_philox(at, p->stream, p->seed);
        const double          u = gi_unit_of_u64(gi_draw_pair(&x, false)) - 0.5, v = gi_unit_above_0(gi_draw_pair(&x, true));
        const double          k = gi_hat_number(&p->hat, u);
        if (gi_hat_is_sure(&p->hat, u, v) ||
            (p->kind == GI_BINOMIAL ? gi_hat_takes_binomial(&p->hat, k, u, v) : gi_hat_takes_poisson(&p->hat, k, u, v)))
            return k;
    }
}

GI_FORMULA int64_t gi_draw_count(const gi_draws_plan *p, int64_t i)
{
    if (p->kind != GI_COUNTED) return gi_count_of(p->flipped, p->n, p->most, (int64_t)gi_draw_rejecting(p, i));
    const gi_philox_words x = gi_philox((uint64_t)i / 2, p->stream, p->seed);
    const uint64_t        u = gi_draw_pair(&x, i % 2) >> 1;
    int                   k = 0;
    while (u >= p->below[k]) k++;
    return gi_count_of(p->flipped, p->n, p->most, k);
}
