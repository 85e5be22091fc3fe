/* ---- round, geomspace ---------------------------------------------------------------------------------------------- */

static double gi_round_scale(int decimals)
{
    char power[24], *end; /* of ten, rounded once */
    snprintf(power, sizeof power, "1e%lld", decimals < 0 ? -(long long)decimals : (long long)decimals);
    return gi_read_real(power, &end);
}

/* The rows that rounding calls: those of calls, or those of formulas. */
typedef struct gi_round_rows {
    const gi_row *rint, *multiply, *divide;
} gi_round_rows;

/* A row of n operands, a temporary array and a number; in place, if the elements are there. */
static ga_array *gi_do_in_place(const gi_composition *c, const gi_row *row, int n, ga_array *a, double number)
{
    const ga_arg in[2] = { gi_operand_arg(a), GA_ARG(number) };
    return gi_call(row, n, in, gi_map_in_place(c, a));
}

/* Real numbers to so many decimals, as NumPy does: scaled, rounded to integers, halves to even, and scaled back. */
static ga_array *gi_do_round_reals(const gi_composition *c, const gi_round_rows *rows, const ga_array *a, int decimals)
{
    if (decimals == 0) return gi_call1(rows->rint, a, gi_map_site(c->site));
    const double  scale = gi_round_scale(decimals);
    const gi_row *there = decimals > 0 ? rows->multiply : rows->divide, *back = decimals > 0 ? rows->divide : rows->multiply;
    const ga_arg  in[2]  = { gi_operand_arg(a), GA_ARG(scale) };
    ga_array     *scaled = gi_call(there, 2, in, gi_map_site(c->site));
    return gi_do_in_place(c, back, 2, gi_do_in_place(c, rows->rint, 1, scaled, scale), scale);
}

/* A new array of any numbers to so many decimals; complex ones part by part. */
static ga_array *gi_do_round(const gi_composition *c, const gi_round_rows *rows, const ga_array *a, int decimals)
{
    if (gi_is_int(a->dtype) && decimals >= 0) return (ga_copy)(a, c->site);
    if (gi_is_complex(a->dtype) && gi_is_deferred(a))
        return gi_do_join_parts(c, gi_do_round_reals(c, rows, gi_do_part_of(c, GI_WIDE_ROW(real)(), a), decimals),
                                gi_do_round_reals(c, rows, gi_do_part_of(c, GI_WIDE_ROW(imag)(), a), decimals));
    ga_array *parts = gi_is_complex(a->dtype) ? gi_do_parts(c, a) : NULL;
    if (gi_is_complex(a->dtype)) return parts ? gi_do_whole(c, gi_do_round_reals(c, rows, parts, decimals), a) : NULL;
    ga_array *r = gi_do_round_reals(c, rows, a, decimals);
    return r && gi_is_int(a->dtype) ? (ga_astype)(r, a->dtype, c->site) : r;
}

ga_array *(ga_round)(const ga_array *a, ga_round_options o)
{
    if (!gi_options_round(&o) || !gi_array_check_half_any(o.site, a, "a")) return NULL;
    const gi_round_rows rows = { gi_row_rint(), gi_row_multiply(), gi_row_divide() };
    gi_composition      c;
    gi_compose_begin(&c, o.site);
    ga_array *r = gi_do_round(&c, &rows, a, o.decimals);
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
