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
    gi_fail(o->site, GA_BAD_DTYPE, "%s: random numbers are float32 or float64; for integers use ga_random_integers",
            ga_dtype_name(dtype));
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

/* ---- numbers that are drawn one by one ---------------------------------------------------------------------------------- */

static void gi_make_draws(const void *plan, int64_t begin, int64_t n, void *out)
{
    for (int64_t i = 0; i < n; i++) ((double *)out)[i] = gi_draw((const gi_random_plan *)plan, begin + i);
}
GI_TABLE(gi_generator, gi_draws_generator, { gi_make_draws, GI_MAKES_RANDOM })

static ga_array *gi_random_draws(gi_random_kind kind, double a, double b, const ga_shape *shape, ga_random_options o)
{
    const bool     counts = kind == GI_BINOMIAL || kind == GI_POISSON;
    const ga_dtype wanted = o.dtype ? o.dtype : GA_I64;
    if (!gi_options_random(&o)) return NULL;
    if (counts && gi_dtype_kind(wanted) != 1)
        return (ga_array *)gi_fail(o.site, GA_BAD_DTYPE, "%s: counts need an integer dtype", ga_dtype_name(wanted));
    const ga_dtype dtype = counts ? GA_F64 : gi_random_dtype(&o);
    gi_random_plan p     = { kind, o.seed, o.stream, 0, 0, a, b };
    if (!dtype) return NULL;
    ga_array *r = gi_generate(o.site, dtype, o.device, shape, GA_F64, *gi_draws_generator(), &p, sizeof p, &o.chunks);
    if (!counts || !r) return r;
    ga_array *whole = (ga_astype)(r, wanted, o.site);
    ga_free(r);
    return whole;
}

/* Is a parameter larger than 0, or at least 0, and finite? */
static bool gi_is_parameter(const char *site, const char *name, double x, bool positive, double most)
{
    if ((positive ? x > 0 : x >= 0) && x <= most) return true;
    gi_fail(site, GA_BAD_ARGUMENT, "%s is %g: it must be %s, and at most %g", name, x, positive ? "larger than 0" : "0 or more",
            most);
    return false;
}

ga_array *(ga_random_exponential)(double scale, ga_shape shape, ga_random_options o)
{
    return gi_is_parameter(o.site, "scale", scale, false, DBL_MAX) ? gi_random_draws(GI_EXPONENTIAL, 0, scale, &shape, o)
                                                                   : NULL;
}

ga_array *(ga_random_gamma)(double k, double scale, ga_shape shape, ga_random_options o)
{
    if (!gi_is_parameter(o.site, "the shape parameter", k, false, 1e300) ||
        !gi_is_parameter(o.site, "scale", scale, false, DBL_MAX))
        return NULL;
    return gi_random_draws(GI_GAMMA, k, scale, &shape, o);
}

ga_array *(ga_random_beta)(double a, double b, ga_shape shape, ga_random_options o)
{
    if (!gi_is_parameter(o.site, "a", a, true, 1e300) || !gi_is_parameter(o.site, "b", b, true, 1e300)) return NULL;
    /* So small, only their ratio counts, how often it is 1 and not 0: the logarithms of gamma numbers stay finite. */
    const double up = a < 1e-290 && b < 1e-290 ? 0x1p100 : 1;
    return gi_random_draws(GI_BETA, a * up, b * up, &shape, o);
}

ga_array *(ga_random_binomial)(int64_t n, double p, ga_shape shape, ga_random_options o)
{
    if (!gi_is_parameter(o.site, "n", (double)n, false, 0x1p53) || !gi_is_parameter(o.site, "p", p, false, 1)) return NULL;
    return gi_random_draws(GI_BINOMIAL, (double)n, p, &shape, o);
}

ga_array *(ga_random_poisson)(double lam, ga_shape shape, ga_random_options o)
{
    return gi_is_parameter(o.site, "lam", lam, false, 0x1p52) ? gi_random_draws(GI_POISSON, lam, 0, &shape, o) : NULL;
}
