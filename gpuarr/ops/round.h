/* ---- round, geomspace ---------------------------------------------------------------------------------------------- */

static double gi_round_scale(int decimals)
{
    char power[24]; /* of ten, rounded once */
    snprintf(power, sizeof power, "1e%lld", decimals < 0 ? -(long long)decimals : (long long)decimals);
    return strtod(power, NULL);
}

/* Real numbers to so many decimals, as NumPy does: scaled, rounded to integers, halves to even, and scaled back. */
static ga_array *gi_do_round(const gi_composition *c, const ga_array *a, int decimals)
{
    if (decimals == 0) return GI_DO_1(c, rint, a);
    const double scale  = gi_round_scale(decimals);
    ga_array    *scaled = decimals > 0 ? GI_DO_2(c, multiply, a, scale) : GI_DO_2(c, divide, a, scale);
    ga_array    *whole  = GI_DO_1(c, rint, scaled);
    return decimals > 0 ? GI_DO_2(c, divide, whole, scale) : GI_DO_2(c, multiply, whole, scale);
}

ga_array *(ga_round)(const ga_array *a, ga_round_options o)
{
    if (!gi_options_round(&o) || !gi_array_check_half_any(o.site, a, "a")) return NULL;
    gi_composition c;
    gi_compose_begin(&c, o.site);
    ga_array *r = NULL;
    if (gi_is_int(a->dtype) && o.decimals >= 0) {
        r = (ga_copy)(a, o.site);
    } else if (gi_is_complex(a->dtype)) { /* part by part */
        ga_array *parts = gi_do_parts(&c, a);
        r               = parts ? gi_do_whole(&c, gi_do_round(&c, parts, o.decimals), a) : NULL;
    } else {
        r = gi_do_round(&c, a, o.decimals);
        if (r && gi_is_int(a->dtype)) r = (ga_astype)(r, a->dtype, o.site);
    }
    return gi_compose_end(&c, r ? gi_copy_finish(o.site, r, r->dtype, o.out) : NULL);
}

static bool gi_do_log10(const gi_composition *c, double x, double *r)
{
    ga_array *number = (ga_scalar)(GA_ARG(x), gi_new_on(c->site, GA_F64, GA_CPU)), *log = GI_DO_1(c, log10, number);
    return log && gi_item_as(c->site, log, NULL, GA_F64, r);
}

ga_array *(ga_geomspace)(double start, double stop, int64_t num, ga_linspace_options o)
{
    GI_SETTLE_FLOATS;
    if (!gi_options_linspace(&o)) return NULL;
    if (start == 0 || stop == 0)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "a geometric sequence has no 0: start is %g, stop %g", start, stop);
    if (o.base != ga_linspace_defaults.base)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "ga_geomspace takes no .base: use ga_logspace");
    const ga_dtype dtype = o.dtype == GA_DTYPE_DEFAULT ? GA_F64 : o.dtype;
    const double   sign  = start < 0 ? -1 : 1;
    gi_composition c;
    gi_compose_begin(&c, o.site);
    o.dtype = GA_F64;
    double    from, to;
    bool      known = gi_do_log10(&c, start * sign, &from) && gi_do_log10(&c, stop * sign, &to);
    ga_array *r     = known ? (ga_logspace)(from, to, num, o) : NULL;
    ga_array *index = r ? (ga_arange)(GA_ARG(0), GA_ARG(num), GA_ARG(1), gi_new_on(o.site, GA_I64, r->device)) : NULL;
    /* the ends are as they were given */
    if (index && num > 0) r = GI_DO_WHERE(&c, GI_DO_2(&c, equal, index, 0), start * sign, r);
    if (index && r && num > 1 && o.endpoint) r = GI_DO_WHERE(&c, GI_DO_2(&c, equal, index, num - 1), stop * sign, r);
    if (r) r = index ? GI_DO_2(&c, multiply, r, sign) : NULL;
    return gi_compose_end(&c, r ? gi_copy_finish(o.site, r, dtype, NULL) : NULL);
}
