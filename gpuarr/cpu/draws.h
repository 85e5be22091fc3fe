/* ==== >>draws: gamma, beta, binomial and Poisson numbers, GI_DRAWS at once ========================================== */
/*  What formulas/draws.h says of one element. The elements of a block are in two planes: those of even numbers, and those of odd ones; of counts by
    rejection they are in their order. A block is tried as a whole; what is not taken at once is listed, and the list is tried again, shorter and
    shorter. */

/* n, rounded up to whole tiles. */
static GI_INLINE int GI_FIND(gi_draw_lanes)(int n)
{
    enum { PART = GI_ISA_TILE * GI_ISA_BYTES / 8 };
    return (n + PART - 1) & -PART;
}

typedef struct GI_FIND(gi_drawn) {
    uint64_t first[GI_DRAWS], second[GI_DRAWS];
} GI_FIND(gi_drawn);
#define GI_DRAWS_OWN __attribute__((noinline)) /* each has a large frame */
#define GI_DRAWN     GI_FIND(gi_drawn)

/* The words of n counters: of counter + i, or of counter + list[i] % period, where the list fills its last tile. */
static __attribute__((noinline)) void GI_FIND(gi_draw_words)(const gi_draws_plan *p, uint64_t counter, int n, const int *list,
                                                             int period, GI_DRAWN *w)
{
    enum { PART = GI_ISA_TILE * GI_ISA_BYTES / 8 };
    for (int start = 0; start < n; start += PART) {
        uint64_t at[PART];
        GI_FIND(gi_lanes_u64) counters[GI_ISA_TILE];
        if (list)
            for (int i = 0; i < PART; i++) at[i] = counter + (uint64_t)(list[start + i] & (period - 1));
        else
            for (int i = 0; i < PART; i++) at[i] = counter + (uint64_t)(start + i);
        memcpy(counters, at, sizeof counters);
        GI_FIND(gi_philox_tile)(p->seed, p->stream, counters, w->first + start, w->second + start);
    }
}

/* Appends to a list of n what is not taken of `count` places from `place` on. */
static GI_INLINE int GI_FIND(gi_draw_list)(int n, int *list, int place, int count, const uint64_t *taken)
{
    for (int i = place; i < place + count; i++) {
        list[n] = i;
        n += taken[i] == 0;
    }
    return n;
}

/* Fills the last tile of a list. */
static GI_INLINE void GI_FIND(gi_draw_fill)(int n, int *list)
{
    for (int i = n; i < GI_FIND(gi_draw_lanes)(n); i++) list[i] = list[0];
}

/* Keeps of a list what is not taken. */
static GI_INLINE int GI_FIND(gi_draw_left)(int n, int *list, const uint64_t *taken)
{
    int left = 0;
    for (int i = 0; i < n; i++) {
        list[left] = list[i];
        left += taken[i] == 0;
    }
    GI_FIND(gi_draw_fill)(left, list);
    return left;
}

/* ---- gamma numbers ------------------------------------------------------------------------------------------------------ */

typedef struct GI_FIND(gi_gamma_tries) {
    double normal[GI_DRAWS], u[GI_DRAWS], cube[GI_DRAWS];
} GI_FIND(gi_gamma_tries);
#define GI_TRIES GI_FIND(gi_gamma_tries)

/* All pairs of the planes. */
static __attribute__((noinline)) void GI_FIND(gi_gamma_first_try)(const gi_draws_plan *p, const gi_gamma *g, uint64_t counter,
                                                                  int pairs, GI_TRIES *t, uint64_t *taken)
{
    GI_DRAWN       w;
    const gi_gamma of = *g;
    GI_FIND(gi_draw_words)(p, counter, pairs, NULL, 1, &w);
    GI_VECTORIZE
    for (int i = 0; i < pairs; i++) {
        double sine, cosine = gi_normal_two(gi_unit_of_u64(w.first[i]), gi_unit_of_u64(w.second[i]), &sine);
        t->normal[i]                 = cosine;
        t->normal[GI_DRAW_PAIRS + i] = sine;
    }
    GI_FIND(gi_draw_words)(p, counter + gi_try(1), pairs, NULL, 1, &w);
    for (int plane = 0; plane < 2; plane++) {
        const uint64_t *word = plane ? w.second : w.first;
        const int       at   = plane * GI_DRAW_PAIRS;
        GI_VECTORIZE
        for (int i = 0; i < pairs; i++) {
            const double normal = t->normal[at + i], u = gi_unit_above_0(word[i]);
            t->u[at + i]    = u;
            t->cube[at + i] = gi_gamma_cube(&of, normal);
            taken[at + i]   = gi_gamma_is_sure(&of, normal, u);
        }
    }
}

/* The second test of what is listed. */
static void GI_FIND(gi_gamma_test)(const gi_gamma *g, int n, const int *list, const GI_TRIES *t, GI_TRIES *listed,
                                   uint64_t *taken)
{
    const gi_gamma of    = *g;
    const int      lanes = GI_FIND(gi_draw_lanes)(n);
    for (int i = 0; i < lanes; i++) {
        listed->normal[i] = t->normal[list[i]];
        listed->u[i]      = t->u[list[i]];
        listed->cube[i]   = t->cube[list[i]];
    }
    GI_VECTORIZE
    for (int i = 0; i < lanes; i++) taken[i] = gi_gamma_is_taken(&of, listed->normal[i], listed->cube[i], listed->u[i]);
}

/* The next try of what is listed. */
static __attribute__((noinline)) void GI_FIND(gi_gamma_next_try)(const gi_draws_plan *p, const gi_gamma *g, uint64_t counter,
                                                                 int n, const int *list, GI_TRIES *t, GI_TRIES *listed,
                                                                 uint64_t *taken)
{
    GI_DRAWN       w, y;
    const gi_gamma of    = *g;
    const int      lanes = GI_FIND(gi_draw_lanes)(n);
    GI_FIND(gi_draw_words)(p, counter, n, list, GI_DRAW_PAIRS, &w);
    GI_FIND(gi_draw_words)(p, counter + gi_try(1), n, list, GI_DRAW_PAIRS, &y);
    GI_VECTORIZE
    for (int i = 0; i < lanes; i++) {
        double         sine, cosine = gi_normal_two(gi_unit_of_u64(w.first[i]), gi_unit_of_u64(w.second[i]), &sine);
        const uint64_t odd    = (uint64_t)(list[i] >= GI_DRAW_PAIRS);
        const double   normal = gi_pick_f64(odd, sine, cosine), u = gi_unit_above_0(gi_pick_u64(odd, y.second[i], y.first[i]));
        listed->normal[i] = normal;
        listed->u[i]      = u;
        listed->cube[i]   = gi_gamma_cube(&of, normal);
        taken[i]          = gi_gamma_is_sure(&of, normal, u);
    }
    for (int i = 0; i < n; i++) {
        t->normal[list[i]] = listed->normal[i];
        t->u[list[i]]      = listed->u[i];
        t->cube[list[i]]   = listed->cube[i];
    }
}

/* n gamma numbers of scale 1 from element `begin` on, in planes; without the factors of a shape below 1. */
static __attribute__((noinline)) void GI_FIND(gi_gamma_block)(const gi_draws_plan *p, const gi_gamma *g, int from,
                                                              int64_t begin, int n, double *x)
{
    GI_TRIES     t, listed;
    uint64_t     taken[GI_DRAWS], counter = (uint64_t)begin / 2 + gi_try(from);
    int          list[GI_DRAWS], left;
    const int    pairs = GI_FIND(gi_draw_lanes)((n + 1) / 2);
    const double a     = g->a;
    GI_FIND(gi_gamma_first_try)(p, g, counter, pairs, &t, taken);
    left = GI_FIND(gi_draw_list)(0, list, 0, (n + 1) / 2, taken);
    left = GI_FIND(gi_draw_list)(left, list, GI_DRAW_PAIRS, n / 2, taken);
    GI_FIND(gi_draw_fill)(left, list);
    while (left > 0) {
        GI_FIND(gi_gamma_test)(g, left, list, &t, &listed, taken);
        left = GI_FIND(gi_draw_left)(left, list, taken);
        if (left == 0) break;
        counter += gi_try(2);
        GI_FIND(gi_gamma_next_try)(p, g, counter, left, list, &t, &listed, taken);
        left = GI_FIND(gi_draw_left)(left, list, taken);
    }
    for (int plane = 0; plane < 2; plane++) {
        double       *to   = x + plane * GI_DRAW_PAIRS;
        const double *cube = t.cube + plane * GI_DRAW_PAIRS;
        GI_VECTORIZE
        for (int i = 0; i < pairs; i++) to[i] = gi_mul_f64(a, cube[i]);
    }
}

/* The logarithms of those factors. */
static __attribute__((noinline)) void GI_FIND(gi_gamma_factors)(const gi_draws_plan *p, const gi_gamma *g, int from,
                                                                int64_t begin, int n, double *x)
{
    GI_DRAWN       w;
    const gi_gamma of    = *g;
    const int      pairs = GI_FIND(gi_draw_lanes)((n + 1) / 2);
    if (g->shape >= 1) {
        memset(x, 0, GI_DRAWS * sizeof *x);
        return;
    }
    GI_FIND(gi_draw_words)(p, (uint64_t)begin / 2 + gi_try(from + GI_GAMMA_LAST), pairs, NULL, 1, &w);
    for (int plane = 0; plane < 2; plane++) {
        const uint64_t *word = plane ? w.second : w.first;
        double         *to   = x + plane * GI_DRAW_PAIRS;
        GI_VECTORIZE
        for (int i = 0; i < pairs; i++) to[i] = gi_gamma_log_factor(&of, gi_unit_above_0(word[i]));
    }
}

/* From planes to n elements in their order. */
static GI_INLINE void GI_FIND(gi_draw_joined)(int n, const double *planes, double *out)
{
    GI_VECTORIZE
    for (int i = 0; i < n / 2; i++) {
        out[2 * i]     = planes[i];
        out[2 * i + 1] = planes[GI_DRAW_PAIRS + i];
    }
    if (n % 2) out[n - 1] = planes[n / 2];
}

static GI_DRAWS_OWN void GI_FIND(gi_gammas)(const gi_draws_plan *p, int64_t begin, int n, double *out)
{
    double       x[GI_DRAWS], factor[GI_DRAWS];
    const double scale = p->scale;
    const int    pairs = GI_FIND(gi_draw_lanes)((n + 1) / 2);
    GI_FIND(gi_gamma_block)(p, p->gamma, 0, begin, n, x);
    if (p->gamma->shape < 1) GI_FIND(gi_gamma_factors)(p, p->gamma, 0, begin, n, factor);
    for (int from = 0; from < GI_DRAWS; from += GI_DRAW_PAIRS)
        if (p->gamma->shape < 1) {
            GI_VECTORIZE
            for (int i = from; i < from + pairs; i++) x[i] = gi_mul_f64(scale, gi_mul_f64(x[i], gi_exp_any_f64(factor[i], 0)));
        } else {
            GI_VECTORIZE
            for (int i = from; i < from + pairs; i++) x[i] = gi_mul_f64(scale, x[i]);
        }
    GI_FIND(gi_draw_joined)(n, x, out);
}

static GI_DRAWS_OWN void GI_FIND(gi_betas)(const gi_draws_plan *p, int64_t begin, int n, double *out)
{
    double          x[GI_DRAWS], y[GI_DRAWS], x_factor[GI_DRAWS], y_factor[GI_DRAWS];
    const gi_gamma *g = p->gamma, *h = p->gamma + 1;
    const int       pairs = GI_FIND(gi_draw_lanes)((n + 1) / 2);
    const bool      logs  = g->shape < 1 || h->shape < 1;
    GI_FIND(gi_gamma_block)(p, g, 0, begin, n, x);
    GI_FIND(gi_gamma_block)(p, h, GI_GAMMA_SECOND, begin, n, y);
    if (logs) GI_FIND(gi_gamma_factors)(p, g, 0, begin, n, x_factor);
    if (logs) GI_FIND(gi_gamma_factors)(p, h, GI_GAMMA_SECOND, begin, n, y_factor);
    for (int from = 0; from < GI_DRAWS; from += GI_DRAW_PAIRS)
        if (logs) {
            GI_VECTORIZE
            for (int i = from; i < from + pairs; i++)
                x[i] = gi_beta_of_logs(gi_log_core_f64(x[i]) + x_factor[i], gi_log_core_f64(y[i]) + y_factor[i]);
        } else {
            GI_VECTORIZE
            for (int i = from; i < from + pairs; i++) x[i] = gi_beta_of(x[i], y[i]);
        }
    GI_FIND(gi_draw_joined)(n, x, out);
}

/* ---- counts --------------------------------------------------------------------------------------------------------------- */

/* By inversion: guide[i] is the count of i / GI_GUIDE, from which on larger numbers are searched. */
static GI_DRAWS_OWN void GI_FIND(gi_counted)(const gi_draws_plan *p, int64_t begin, int n, const uint8_t *guide, int64_t *out)
{
    GI_DRAWN        w;
    const uint64_t *below = p->below;
    const int64_t   all = p->n, most = p->most;
    const bool      flipped = p->flipped;
    int64_t         k[GI_DRAWS];
    GI_FIND(gi_draw_words)(p, (uint64_t)begin / 2, (n + 1) / 2, NULL, 1, &w);
    for (int i = 0; i < (n + 1) / 2; i++)
        for (int second = 0; second < 2; second++) {
            const uint64_t u     = (second ? w.second[i] : w.first[i]) >> 1;
            int            found = guide ? guide[u >> (63 - GI_GUIDE_BITS)] : 0;
            while (u >= below[found]) found++;
            k[2 * i + second] = found;
        }
    GI_VECTORIZE
    for (int i = 0; i < n; i++) out[i] = gi_count_of(flipped, all, most, k[i]);
}

static void GI_FIND(gi_count_guide)(const gi_draws_plan *p, uint8_t *guide)
{
    int k = 0;
    for (uint64_t i = 0; i < GI_GUIDE; i++) {
        while (i << (63 - GI_GUIDE_BITS) >= p->below[k]) k++;
        guide[i] = (uint8_t)k;
    }
}

/* By rejection. */
typedef struct GI_FIND(gi_hat_tries) {
    double u[GI_DRAWS], v[GI_DRAWS], k[GI_DRAWS];
} GI_FIND(gi_hat_tries);
#define GI_HATS GI_FIND(gi_hat_tries)

/* n elements, or what is listed. */
static __attribute__((noinline)) void GI_FIND(gi_hat_try)(const gi_draws_plan *p, uint64_t counter, int n, const int *list,
                                                          GI_HATS *t, uint64_t *taken)
{
    GI_DRAWN     w;
    const gi_hat of    = p->hat;
    const int    lanes = GI_FIND(gi_draw_lanes)(n);
    GI_FIND(gi_draw_words)(p, counter, n, list, GI_DRAWS, &w);
    GI_VECTORIZE
    for (int i = 0; i < lanes; i++) {
        const double u = gi_unit_of_u64(w.first[i]) - 0.5, v = gi_unit_above_0(w.second[i]);
        t->u[i]  = u;
        t->v[i]  = v;
        t->k[i]  = gi_hat_number(&of, u);
        taken[i] = gi_hat_is_sure(&of, u, v);
    }
}

/* The second test of what is listed. */
static void GI_FIND(gi_hat_test)(const gi_draws_plan *p, int n, const int *list, const GI_HATS *t, GI_HATS *listed,
                                 uint64_t *taken)
{
    const gi_hat of    = p->hat;
    const int    lanes = GI_FIND(gi_draw_lanes)(n);
    for (int i = 0; i < lanes; i++) {
        listed->u[i] = t->u[list[i]];
        listed->v[i] = t->v[list[i]];
        listed->k[i] = t->k[list[i]];
    }
    if (p->kind == GI_BINOMIAL) {
        GI_VECTORIZE
        for (int i = 0; i < lanes; i++) taken[i] = gi_hat_takes_binomial(&of, listed->k[i], listed->u[i], listed->v[i]);
    } else {
        GI_VECTORIZE
        for (int i = 0; i < lanes; i++) taken[i] = gi_hat_takes_poisson(&of, listed->k[i], listed->u[i], listed->v[i]);
    }
}

static GI_DRAWS_OWN void GI_FIND(gi_rejecting)(const gi_draws_plan *p, int64_t begin, int n, int64_t *out)
{
    GI_HATS       t, listed;
    uint64_t      taken[GI_DRAWS], counter = (uint64_t)begin;
    int           list[GI_DRAWS], left;
    const int64_t all = p->n, most = p->most;
    const bool    flipped = p->flipped;
    GI_FIND(gi_hat_try)(p, counter, n, NULL, &t, taken);
    left = GI_FIND(gi_draw_list)(0, list, 0, n, taken);
    GI_FIND(gi_draw_fill)(left, list);
    while (left > 0) {
        GI_FIND(gi_hat_test)(p, left, list, &t, &listed, taken);
        left = GI_FIND(gi_draw_left)(left, list, taken);
        if (left == 0) break;
        counter += gi_try(1);
        GI_FIND(gi_hat_try)(p, counter, left, list, &listed, taken);
        for (int i = 0; i < left; i++) {
            t.u[list[i]] = listed.u[i];
            t.v[list[i]] = listed.v[i];
            t.k[list[i]] = listed.k[i];
        }
        left = GI_FIND(gi_draw_left)(left, list, taken);
    }
    GI_VECTORIZE
    for (int i = 0; i < n; i++) out[i] = gi_count_of(flipped, all, most, (int64_t)t.k[i]);
}

static void GI_FIND(gi_draws)(const gi_draws_plan *p, int64_t begin, int64_t n, void *out)
{
    uint8_t    guide[GI_GUIDE];
    const bool guided = p->kind == GI_COUNTED && n >= GI_GUIDE / 8; /* else it is not worth it */
    if (guided) GI_FIND(gi_count_guide)(p, guide);
    for (int64_t i = 0; i < n; i += GI_DRAWS) {
        const int m = n - i < GI_DRAWS ? (int)(n - i) : (int)GI_DRAWS;
        switch (p->kind) {
        case GI_GAMMA: GI_FIND(gi_gammas)(p, begin + i, m, (double *)out + i); break;
        case GI_BETA: GI_FIND(gi_betas)(p, begin + i, m, (double *)out + i); break;
        case GI_COUNTED: GI_FIND(gi_counted)(p, begin + i, m, guided ? guide : NULL, (int64_t *)out + i); break;
        default: GI_FIND(gi_rejecting)(p, begin + i, m, (int64_t *)out + i); break;
        }
    }
}
#undef GI_DRAWS_OWN
#undef GI_DRAWN
#undef GI_TRIES
#undef GI_HATS
