/* ---- random numbers whose formulas take any number of words ------------------------------------------------------------------- */
/*  Element i draws from the counters i, i + 2**48, i + 2 * 2**48 ..., so that each can be computed alone. Gamma: Marsaglia and Tsang (2000).
    Poisson's and binomial numbers are split by gamma and beta ones until few events are left (Ahrens and Dieter, 1974; Devroye, 1986). */

typedef struct gi_draws {
    const gi_random_plan *plan;
    uint64_t              counter;
    gi_philox_words       words;
    bool                  half; /* words 2 and 3 are left */
} gi_draws;

/* In (0, 1]. */
GI_SLOW double gi_draw_unit(gi_draws *d)
{
    if (!d->half) {
        d->words = gi_philox(d->counter, d->plan->stream, d->plan->seed);
        d->counter += (uint64_t)1 << 48;
    }
    const int at = d->half ? 2 : 0;
    d->half      = !d->half;
    return gi_unit_f64(d->words.w[at], d->words.w[at + 1]) + 0x1p-53;
}

GI_FORMULA double gi_draw_normal(gi_draws *d)
{
    const double u = gi_draw_unit(d), v = gi_draw_unit(d);
    return gi_mul_f64(gi_root_f64(gi_mul_f64(-2, gi_any_log(u))), gi_any_cos(gi_mul_f64(0x1.921fb54442d18p+2, v)));
}

/* The logarithm of a gamma number: of a small shape they are too small for float64. */
GI_SLOW double gi_draw_log_gamma(gi_draws *d, double shape)
{
    const double less = shape < 1 ? gi_any_log(gi_draw_unit(d)) / shape : 0;
    const double a = (shape < 1 ? shape + 1 : shape) - 1.0 / 3, c = 1 / gi_root_f64(gi_mul_f64(9, a));
    for (;;) {
        const double x = gi_draw_normal(d), v = 1 + gi_mul_f64(c, x), u = gi_any_log(gi_draw_unit(d));
        if (v <= 0) continue;
        const double cube = gi_mul_f64(v, gi_mul_f64(v, v)), log = gi_any_log(cube);
        if (u < gi_mul_f64(0.5, gi_mul_f64(x, x)) + gi_mul_f64(a, (1 + -cube) + log)) return gi_any_log(a) + log + less;
    }
}

/* The share of the first of two gamma numbers. */
GI_FORMULA double gi_draw_beta(gi_draws *d, double a, double b)
{
    const double first = gi_draw_log_gamma(d, a), second = gi_draw_log_gamma(d, b);
    return 1 / (1 + gi_any_exp(second - first));
}

/* Of n uniform numbers, how many are below p: the one of middle rank tells about half of them. */
GI_SLOW double gi_draw_binomial(gi_draws *d, double n, double p)
{
    double count = 0;
    while (n > 24) {
        const double rank = gi_floor_f64(gi_mul_f64(n, 0.5)) + 1, after = n + 1 - rank, at = gi_draw_beta(d, rank, after);
        const bool   below = at < p;
        count              = below ? count + rank : count;
        n                  = below ? after - 1 : rank - 1;
        p                  = below ? (p - at) / (1 - at) : p / at;
    }
    for (; n > 0; n -= 1) count += gi_draw_unit(d) <= p ? 1 : 0;
    return count;
}

/* Events in a time: when the one of some number comes, tells how many there were. */
GI_SLOW double gi_draw_poisson(gi_draws *d, double time)
{
    double count = 0, product = 1;
    while (time > 16) {
        const double number = gi_floor_f64(gi_mul_f64(time, 0.875)), at = gi_any_exp(gi_draw_log_gamma(d, number));
        if (at > time) return count + gi_draw_binomial(d, number - 1, time / at);
        count += number;
        time = time - at;
    }
    const double least = gi_any_exp(-time);
    while ((product = gi_mul_f64(product, gi_draw_unit(d))) >= least) count += 1;
    return count;
}

GI_FORMULA double gi_draw(const gi_random_plan *p, int64_t i)
{
    gi_draws d;
    d.plan    = p;
    d.counter = (uint64_t)i;
    d.half    = false;
    switch (p->kind) {
    case GI_EXPONENTIAL: return gi_mul_f64(-p->sigma, gi_any_log(gi_draw_unit(&d)));
    case GI_GAMMA: return p->mean == 0 ? 0 : gi_mul_f64(p->sigma, gi_any_exp(gi_draw_log_gamma(&d, p->mean)));
    case GI_BETA: return gi_draw_beta(&d, p->mean, p->sigma);
    case GI_BINOMIAL: return gi_draw_binomial(&d, p->mean, p->sigma);
    default: return gi_draw_poisson(&d, p->mean);
    }
}
