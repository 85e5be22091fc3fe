/* ---- random numbers ---------------------------------------------------------------------------------------------- */
static void gi_make_random(const void *plan, int64_t begin, int64_t n, void *out)
{
    GI_LOOP_OF(random)((const gi_random_plan *)plan, begin, n, out);
}

GI_BEGIN_FAST
/* Element i alone. */
static void gi_make_random_one(const gi_random_plan *p, int64_t i, void *out)
{
    gi_philox_words x   = gi_philox((uint64_t)i / (p->kind == GI_UNIFORM_F32 ? 4 : 2), p->stream, p->seed);
    uint32_t        low = x.w[2 * (i % 2)], high = x.w[2 * (i % 2) + 1];
    double          pair[2];
    switch (p->kind) {
    case GI_UNIFORM_F32: *(float *)out = gi_unit_f32(x.w[i % 4]); break;
    case GI_UNIFORM_F64: *(double *)out = gi_unit_f64(low, high); break;
    case GI_INTEGERS: *(int64_t *)out = gi_random_integer(p, (uint64_t)high << 32 | low, i); break;
    case GI_EXPONENTIAL: *(double *)out = gi_exponential(p, gi_unit_f64(low, high)); break;
    default:
        pair[0]        = gi_normal_pair(p, gi_unit_f64(x.w[0], x.w[1]), gi_unit_f64(x.w[2], x.w[3]), &pair[1]);
        *(double *)out = pair[i % 2];
    }
}
GI_END_FAST

GI_TABLE(gi_generator, gi_random_generator, { gi_make_random, GI_MAKES_RANDOM })

/* The dtype of random numbers that are not integers; GA_DTYPE_DEFAULT with an error. */
static ga_dtype gi_random_dtype(const ga_random_options *o)
{
    ga_dtype dtype = o->dtype ? o->dtype : GA_F64;
    if (gi_dtype_kind(dtype) == 2) return dtype;
    gi_fail(o->site, GA_BAD_DTYPE, "%s: random numbers are floats; for integers use ga_random_integers", ga_dtype_name(dtype));
    return GA_DTYPE_DEFAULT;
}

ga_array *(ga_random)(ga_shape shape, ga_random_options o)
{
    ga_dtype       dtype = gi_options_random(&o) ? gi_random_dtype(&o) : GA_DTYPE_DEFAULT;
    const ga_dtype from  = gi_dtype_computed(dtype);
    gi_random_plan p     = { from == GA_F32 ? GI_UNIFORM_F32 : GI_UNIFORM_F64, o.seed, o.stream, 0, 0, 0, 0 };
    if (!dtype) return NULL;
    return gi_generate(o.site, dtype, o.device, &shape, from, *gi_random_generator(), &p, sizeof p, &o.chunks);
}

ga_array *(ga_random_normal)(double mean, double sigma, ga_shape shape, ga_random_options o)
{
    ga_dtype       dtype = gi_options_random(&o) ? gi_random_dtype(&o) : GA_DTYPE_DEFAULT;
    gi_random_plan p     = { GI_NORMAL, o.seed, o.stream, 0, 0, mean, sigma };
    if (!dtype) return NULL;
    if (!(sigma >= 0)) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "sigma is %g; it must be 0 or more", sigma);
    return gi_generate(o.site, dtype, o.device, &shape, GA_F64, *gi_random_generator(), &p, sizeof p, &o.chunks);
}

ga_array *(ga_random_integers)(int64_t low, int64_t high, ga_shape shape, ga_random_options o)
{
    ga_dtype       dtype = gi_options_random(&o) ? o.dtype ? o.dtype : GA_I64 : GA_DTYPE_DEFAULT;
    gi_random_plan p     = { GI_INTEGERS, o.seed, o.stream, (uint64_t)low, (uint64_t)high - (uint64_t)low, 0, 0 };
    if (!dtype) return NULL;
    if (low >= high)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "there is no integer from %lld to below %lld", (long long)low,
                                   (long long)high);
    if (!gi_is_int(dtype))
        return (ga_array *)gi_fail(o.site, GA_BAD_DTYPE, "%s: random integers need an integer dtype", ga_dtype_name(dtype));
    if (!gi_number_fits(GA_ARG((long long)low), dtype) || !gi_number_fits(GA_ARG((long long)(high - 1)), dtype))
        return (ga_array *)gi_fail(o.site, GA_BAD_DTYPE, "not every integer from %lld to below %lld fits %s", (long long)low,
                                   (long long)high, ga_dtype_name(dtype));
    return gi_generate(o.site, dtype, o.device, &shape, GA_I64, *gi_random_generator(), &p, sizeof p, &o.chunks);
}

/* ---- numbers of other distributions: formulas/draws.h -------------------------------------------------------------------- */

static void gi_make_draws(const void *plan, int64_t begin, int64_t n, void *out)
{
    GI_LOOP_OF(draws)((const gi_draws_plan *)plan, begin, n, out);
}
GI_TABLE(gi_generator, gi_draws_generator, { gi_make_draws, GI_MAKES_DRAWS })

GI_BEGIN_FAST
/* The table of counts: `none`: the probability of 0; that of k + 1 is factor / (k + 1) times that of k, or, of n, factor * (n - k) / (k + 1) times.
   From the mean on, what is above is summed up, from its end: so small probabilities are as exact as 2**-63 allows. */
static void gi_table_counts(gi_draws_plan *p, double none, double factor, double n, double mean)
{
    double    chance[GI_COUNTS], sum = 0;
    const int middle = (int)mean;
    int       last   = 0;
    for (chance[0] = none; last < GI_COUNTS - 1; last++) {
        const double next = gi_mul_f64(chance[last], gi_mul_f64(n > 0 ? n - last : 1, factor) / (last + 1));
        if (next < 0x1p-70 && last >= middle) break;
        chance[last + 1] = next;
    }
    for (int k = 0; k < middle; k++) {
        sum += chance[k];
        p->below[k] = (uint64_t)gi_mul_f64(sum, 0x1p63);
    }
    sum            = 0;
    p->below[last] = (uint64_t)1 << 63;
    for (int k = last; k > middle; k--) {
        sum += chance[k];
        p->below[k - 1] = ((uint64_t)1 << 63) - (uint64_t)gi_mul_f64(sum, 0x1p63);
    }
}

static void gi_plan_poisson(gi_draws_plan *p, double mean)
{
    gi_hat *h = &p->hat;
    p->kind   = mean <= (double)GI_TABLE_MEAN ? GI_COUNTED : GI_POISSON;
    if (p->kind == GI_COUNTED) {
        gi_table_counts(p, gi_any_exp(-mean), mean, 0, mean);
        return;
    }
    h->mean   = mean;
    h->middle = mean + 0.43;
    h->b      = 0.931 + gi_mul_f64(2.53, gi_root_f64(mean));
    h->a      = -0.059 + gi_mul_f64(0.02483, h->b);
    h->scale  = 1.1239 + 1.1328 / (h->b - 3.4);
    h->sure   = 0.9277 - 3.6224 / (h->b - 2);
}

static void gi_plan_binomial(gi_draws_plan *p, int64_t count, double chance)
{
    gi_hat *h      = &p->hat;
    p->flipped     = chance > 0.5;
    p->n           = count;
    chance         = p->flipped ? 1 - chance : chance;
    const double n = (double)count, mean = gi_mul_f64(n, chance), odds = chance / (1 - chance);
    p->kind = count < GI_COUNTS || mean <= (double)GI_TABLE_MEAN ? GI_COUNTED : GI_BINOMIAL;
    if (p->kind == GI_COUNTED) {
        gi_table_counts(p, gi_any_exp(gi_mul_f64(n, gi_any_log1p(-chance))), n > 0 ? odds : 0, n, mean);
        return;
    }
    const double deviation = gi_root_f64(gi_mul_f64(mean, 1 - chance));
    h->n                   = n;
    h->mean                = mean;
    h->others              = n - mean;
    h->middle              = mean + 0.5;
    h->b                   = 1.15 + gi_mul_f64(2.53, deviation);
    h->a                   = -0.0873 + gi_mul_f64(0.0248, h->b) + gi_mul_f64(0.01, chance);
    h->scale               = gi_mul_f64(2.83 + 5.1 / h->b, deviation);
    h->sure                = 0.92 - 4.2 / h->b;
    h->top                 = gi_binomial_tail(h, gi_floor_f64(gi_mul_f64(n + 1, chance)), 1);
}
GI_END_FAST

static gi_draws_plan gi_draws_of(const ga_random_options *o)
{
    gi_draws_plan p;
    memset(&p, 0, sizeof p);
    p.seed   = o->seed;
    p.stream = o->stream;
    return p;
}

static ga_array *gi_random_draws(const gi_draws_plan *p, ga_dtype made, ga_dtype dtype, const ga_shape *shape,
                                 const ga_random_options *o)
{
    if (!dtype) return NULL;
    return gi_generate(o->site, dtype, o->device, shape, made, *gi_draws_generator(), p, sizeof *p, &o->chunks);
}

/* The dtype of counts; p->most: the largest number that it, and int64, holds. GA_DTYPE_DEFAULT with an error. */
static ga_dtype gi_counts_dtype(gi_draws_plan *p, const ga_random_options *o)
{
    const ga_dtype dtype = o->dtype ? o->dtype : GA_I64;
    if (gi_dtype_kind(dtype) != 1) {
        gi_fail(o->site, GA_BAD_DTYPE, "%s: counts need an integer dtype", ga_dtype_name(dtype));
        return GA_DTYPE_DEFAULT;
    }
    const int bits = 8 * (int)ga_itemsize(dtype) - (gi_is_signed(dtype) || ga_itemsize(dtype) == 8);
    p->most        = (int64_t)(((uint64_t)1 << bits) - 1);
    return dtype;
}

/* Is a parameter larger than 0, or at least 0, and finite? */
static bool gi_is_parameter(const char *site, const char *name, double x, bool positive, double most)
{
    if ((positive ? x > 0 : x >= 0) && x <= most) return true;
    gi_fail(site, GA_BAD_ARGUMENT, "%s is %g: it must be %s, and at most %g", name, x, positive ? "larger than 0" : "0 or more",
            most);
    return false;
}

/* Exponentially distributed numbers, whose scale is known to be one. */
static ga_array *gi_random_exponentials(double scale, const ga_shape *shape, const ga_random_options *o)
{
    const ga_dtype       dtype = gi_random_dtype(o);
    const gi_random_plan p     = { GI_EXPONENTIAL, o->seed, o->stream, 0, 0, 0, scale };
    if (!dtype) return NULL;
    return gi_generate(o->site, dtype, o->device, shape, GA_F64, *gi_random_generator(), &p, sizeof p, &o->chunks);
}

ga_array *(ga_random_exponential)(double scale, ga_shape shape, ga_random_options o)
{
    if (!gi_options_random(&o) || !gi_is_parameter(o.site, "scale", scale, false, DBL_MAX)) return NULL;
    return gi_random_exponentials(scale, &shape, &o);
}

ga_array *(ga_random_gamma)(double k, double scale, ga_shape shape, ga_random_options o)
{
    GI_SETTLE_FLOATS;
    if (!gi_options_random(&o) || !gi_is_parameter(o.site, "the shape parameter", k, false, 1e300) ||
        !gi_is_parameter(o.site, "scale", scale, false, DBL_MAX))
        return NULL;
    if (k == 1) return gi_random_exponentials(scale, &shape, &o); /* which are gamma numbers, too */
    gi_draws_plan p = gi_draws_of(&o);
    p.kind          = GI_GAMMA;
    p.gamma[0]      = gi_gamma_of(k > 0 ? k : 1);
    p.scale         = k > 0 ? scale : 0;
    return gi_random_draws(&p, GA_F64, gi_random_dtype(&o), &shape, &o);
}

ga_array *(ga_random_beta)(double a, double b, ga_shape shape, ga_random_options o)
{
    GI_SETTLE_FLOATS;
    if (!gi_options_random(&o) || !gi_is_parameter(o.site, "a", a, true, 1e300) ||
        !gi_is_parameter(o.site, "b", b, true, 1e300))
        return NULL;
    /* So small, only their ratio counts, how often it is 1 and not 0: the logarithms of gamma numbers stay finite. */
    const double  up = a < 1e-290 && b < 1e-290 ? 0x1p100 : 1;
    gi_draws_plan p  = gi_draws_of(&o);
    p.kind           = GI_BETA;
    p.gamma[0]       = gi_gamma_of(a * up);
    p.gamma[1]       = gi_gamma_of(b * up);
    return gi_random_draws(&p, GA_F64, gi_random_dtype(&o), &shape, &o);
}

ga_array *(ga_random_binomial)(int64_t n, double p, ga_shape shape, ga_random_options o)
{
    GI_SETTLE_FLOATS;
    if (!gi_options_random(&o) || !gi_is_parameter(o.site, "n", (double)n, false, 0x1p53) ||
        !gi_is_parameter(o.site, "p", p, false, 1))
        return NULL;
    gi_draws_plan  plan  = gi_draws_of(&o);
    const ga_dtype dtype = gi_counts_dtype(&plan, &o);
    gi_plan_binomial(&plan, n, p);
    return gi_random_draws(&plan, GA_I64, dtype, &shape, &o);
}

ga_array *(ga_random_poisson)(double lam, ga_shape shape, ga_random_options o)
{
    GI_SETTLE_FLOATS;
    if (!gi_options_random(&o) || !gi_is_parameter(o.site, "lam", lam, false, 0x1p52)) return NULL;
    gi_draws_plan  plan  = gi_draws_of(&o);
    const ga_dtype dtype = gi_counts_dtype(&plan, &o);
    gi_plan_poisson(&plan, lam);
    return gi_random_draws(&plan, GA_I64, dtype, &shape, &o);
}
