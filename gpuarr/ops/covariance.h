/* ---- average, cov, corrcoef ----------------------------------------------------------------------------------------- */

/* Weights as an array that broadcasts with a: of its shape, or a line along an axis. */
static ga_array *gi_average_weights(const gi_composition *c, const ga_array *a, const ga_array *weights, int axis)
{
    if (!gi_array_check(c->site, weights, ".weights")) return NULL;
    if (gi_shape_equal(a->ndim, a->shape, weights->ndim, weights->shape)) return (ga_view)(weights, c->site);
    if (axis != GA_AXIS_DEFAULT && weights->ndim == 1) {
        const int along = gi_axis(c->site, axis, a->ndim);
        if (along < 0) return NULL;
        if (weights->size == a->shape[along]) return gi_do_turn(c, weights, along, a->ndim);
    }
    return (ga_array *)gi_fail(c->site, GA_BAD_SHAPE, ".weights has shape %s, a %s: they must be equal, or as long as .axis",
                               gi_shape_of(weights), gi_shape_of(a));
}

/* The weighted mean of a, and the sum of the weights, in one shape. */
static ga_array *gi_do_average(const gi_composition *c, const ga_array *a, const ga_array *weights, const ga_reduce_options *o,
                               ga_array **total)
{
    GI_SETTLE_FLOATS;
    bool     none  = true;
    ga_dtype dtype = ga_promote(a->dtype, weights->dtype);
    ga_shape shape;
    memset(&shape, 0, sizeof shape);
    shape.ndim = a->ndim;
    memcpy(shape.n, a->shape, sizeof shape.n);
    if (gi_dtype_kind(a->dtype) < 2) dtype = ga_promote(dtype, GA_F64);
    ga_array *wide = (ga_astype)(weights, dtype, c->site), *all = wide ? (ga_broadcast_to)(wide, shape, c->site) : NULL;
    *total         = all ? (ga_sum)(all, *o) : NULL;
    ga_array *zero = *total ? gi_do_fold(c, (ga_any), GI_DO_2(c, equal, *total, 0), GA_AXIS_DEFAULT, false) : NULL;
    if (!zero || !gi_item_as(c->site, zero, NULL, GA_BOOL, &none)) return NULL;
    if (none) return (ga_array *)gi_fail(c->site, GA_BAD_ARGUMENT, "the weights add up to 0: there is no average");
    ga_array *weighed = GI_DO_2(c, multiply, a, all), *sum = weighed ? (ga_sum)(weighed, *o) : NULL;
    return sum ? GI_DO_2(c, divide, sum, *total) : NULL;
}

ga_array *(ga_average)(const ga_array *a, ga_average_options o)
{
    if (o.sum_of_weights) *o.sum_of_weights = NULL;
    if (!gi_options_average(&o) || !gi_array_check_any(o.site, a, "a")) return NULL;
    ga_reduce_options r = gi_reduce_site(o.site);
    r.axis              = o.axis;
    r.axes              = o.axes;
    r.keepdims          = o.keepdims;
    gi_composition c;
    gi_compose_begin(&c, o.site);
    ga_array *mean = NULL, *total = NULL;
    if (o.weights) {
        ga_array *weights = gi_array_check(o.site, a, "a") ? gi_average_weights(&c, a, o.weights, o.axis) : NULL;
        mean              = weights ? gi_do_average(&c, a, weights, &r, &total) : NULL;
    } else {
        mean = (ga_mean)(a, r);
        if (mean && o.sum_of_weights)
            total = (ga_full_like)(mean, GA_ARG(mean->size > 0 ? (double)a->size / (double)mean->size : 0.0),
                                   gi_new_on(o.site, GA_DTYPE_DEFAULT, GA_DEVICE_DEFAULT));
    }
    if (o.sum_of_weights && mean && total) *o.sum_of_weights = gi_compose_keep(&c, total);
    return gi_compose_end(&c, o.sum_of_weights && !total ? NULL : mean);
}

/* ---- covariances --------------------------------------------------------------------------------------------------------- */

/* The variables as the rows of a matrix, in the dtype that they are computed in. */
static ga_array *gi_cov_rows(const gi_composition *c, const ga_array *m, ga_dtype dtype, bool rowvar, const char *name)
{
    if (m->ndim > 2)
        return (ga_array *)gi_fail(c->site, GA_BAD_SHAPE, "%s has shape %s: it must have at most two dimensions", name,
                                   gi_shape_of(m));
    ga_array *wide = m->dtype == dtype ? (ga_view)(m, c->site) : (ga_astype)(m, dtype, c->site),
             *rows = wide ? (ga_atleast_2d)(wide, c->site) : NULL;
    return rows && !rowvar && m->ndim == 2 ? (ga_matrix_transpose)(rows, c->site) : rows;
}

static ga_array *gi_cov_variables(const gi_composition *c, const ga_array *m, const ga_cov_options *o)
{
    ga_dtype dtype = ga_promote(m->dtype, GA_F64);
    if (o->y) dtype = ga_promote(dtype, o->y->dtype);
    if (o->dtype != GA_DTYPE_DEFAULT) dtype = o->dtype;
    if (gi_dtype_kind(dtype) < 2)
        return (ga_array *)gi_fail(c->site, GA_BAD_DTYPE, ".dtype = %s: covariances are floats", ga_dtype_name(dtype));
    ga_array *x = gi_cov_rows(c, m, dtype, o->rowvar, "m"),
             *y = x && o->y ? gi_cov_rows(c, o->y, dtype, o->rowvar, ".y") : NULL;
    return o->y ? (y ? gi_do_join(c, x, y, 0) : NULL) : x;
}

/* The weights of the observations, fweights times aweights, or NULL where there are none; false with an error. */
static bool gi_cov_weights(const gi_composition *c, const ga_array *x, const ga_cov_options *o, ga_array **w)
{
    const ga_array *given[2] = { o->fweights, o->aweights };
    *w                       = NULL;
    for (int k = 0; k < 2; k++) {
        bool            negative = false;
        const char     *name     = k == 0 ? ".fweights" : ".aweights";
        const ga_array *v        = given[k];
        if (!v) continue;
        if (!gi_array_check(c->site, v, name)) return false;
        if (v->ndim != 1 || v->size != x->shape[1])
            return gi_fail(c->site, GA_BAD_SHAPE, "%s has shape %s: it must be one number for each of the %lld observations",
                           name, gi_shape_of(v), (long long)x->shape[1]) != NULL;
        if (k == 0 ? gi_dtype_kind(v->dtype) > 1 : gi_is_complex(v->dtype))
            return gi_fail(c->site, GA_BAD_DTYPE, "%s is %s: it must be %s", name, ga_dtype_name(v->dtype),
                           k == 0 ? "integers" : "real") != NULL;
        ga_array *below = gi_do_fold(c, (ga_any), GI_DO_2(c, less, v, 0), GA_AXIS_DEFAULT, false);
        if (!below || !gi_item_as(c->site, below, NULL, GA_BOOL, &negative)) return false;
        if (negative) return gi_fail(c->site, GA_BAD_ARGUMENT, "%s has a negative number", name) != NULL;
        ga_array *wide = (ga_astype)(v, GA_F64, c->site);
        *w             = *w && wide ? GI_DO_2(c, multiply, *w, wide) : wide;
        if (!*w) return false;
    }
    return true;
}

/* Divided by that: the number of observations, or the sum of their weights, without the degrees of freedom. */
static bool gi_cov_divisor(const gi_composition *c, const ga_array *x, const ga_array *w, const ga_cov_options *o,
                           double *divisor)
{
    const int ddof = o->ddof == INT32_MIN ? !o->bias : o->ddof;
    double    sum = (double)x->shape[1], both = 0;
    if (w) {
        ga_array *total = gi_do_fold(c, (ga_sum), w, GA_AXIS_DEFAULT, false);
        if (!total || !gi_item_as(c->site, total, NULL, GA_F64, &sum)) return false;
    }
    *divisor = sum - ddof;
    if (w && o->aweights && ddof != 0) {
        ga_array *square = gi_do_fold(c, (ga_sum), GI_DO_2(c, multiply, w, o->aweights), GA_AXIS_DEFAULT, false);
        if (!square || !gi_item_as(c->site, square, NULL, GA_F64, &both)) return false;
        const double lost = ddof * both;
        *divisor          = sum - lost / sum;
    }
    if (*divisor <= 0) *divisor = 0;
    return true;
}

static ga_array *gi_do_cov(const gi_composition *c, const ga_array *m, const ga_cov_options *o)
{
    ga_array *x = gi_cov_variables(c, m, o), *w, *mean, *total;
    double    divisor;
    if (!x || !gi_cov_weights(c, x, o, &w) || !gi_cov_divisor(c, x, w, o, &divisor)) return NULL;
    if (w) {
        ga_reduce_options r = gi_reduce_site(c->site);
        r.axis              = 1;
        r.keepdims          = true;
        ga_array *turned    = gi_do_turn(c, w, 1, 2);
        mean                = turned ? gi_do_average(c, x, turned, &r, &total) : NULL;
    } else mean = gi_do_fold(c, (ga_mean), x, 1, true);
    const bool own  = mean && mean->dtype == x->dtype && (x->dtype != m->dtype || o->y); /* then nobody else sees x */
    ga_array  *away = mean ? (ga_subtract)(GA_ARG(x), GA_ARG(mean), own ? gi_map_in_place(c, x) : gi_map_site(c->site)) : NULL;
    ga_array  *weighed = away && w ? GI_DO_2(c, multiply, away, w) : away;
    if (weighed && gi_is_complex(weighed->dtype)) weighed = GI_DO_1(c, conj, weighed);
    ga_array          *other = weighed ? (ga_matrix_transpose)(weighed, c->site) : NULL;
    ga_product_options p     = ga_product_defaults;
    p.site                   = c->site;
    ga_array *sums = other ? (ga_matmul)(away, other, p) : NULL, *r = sums ? GI_DO_2(c, multiply, sums, 1 / divisor) : NULL;
    return r && r->size == 1 ? gi_do_reshape(c, r, 0, NULL) : r;
}

static bool gi_cov_check(const ga_array *m, const ga_cov_options *o)
{
    return gi_array_check_any(o->site, m, "m") && (!o->y || gi_array_check_any(o->site, o->y, ".y"));
}

ga_array *(ga_cov)(const ga_array *m, ga_cov_options o)
{
    GI_SETTLE_FLOATS;
    if (!gi_options_cov(&o) || !gi_cov_check(m, &o)) return NULL;
    gi_composition c;
    gi_compose_begin(&c, o.site);
    return gi_compose_end(&c, gi_do_cov(&c, m, &o));
}

/* Rounding may lead beyond 1. */
static ga_array *gi_within_one(const gi_composition *c, const ga_array *x)
{
    return GI_DO_2(c, minimum, GI_DO_2(c, maximum, x, -1), 1);
}

ga_array *(ga_corrcoef)(const ga_array *x, ga_cov_options o)
{
    GI_SETTLE_FLOATS;
    if (!gi_options_cov(&o) || !gi_cov_check(x, &o)) return NULL;
    if (o.bias || o.ddof != INT32_MIN || o.fweights || o.aweights)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT,
                                   "ga_corrcoef takes .y, .rowvar and .dtype: the others change nothing");
    gi_composition c;
    gi_compose_begin(&c, o.site);
    ga_array *r = gi_do_cov(&c, x, &o), *unit = NULL;
    if (r && r->ndim == 0) {
        unit = GI_DO_2(&c, divide, r, r);
    } else if (r) {
        ga_array *spread = GI_DO_1(&c, sqrt, GI_DO_1(&c, real, (ga_diagonal)(r, 0, o.site)));
        ga_array *rows   = gi_do_turn(&c, spread, 0, 2);
        unit             = rows ? GI_DO_2(&c, divide, GI_DO_2(&c, divide, r, rows), spread) : NULL;
        if (unit && gi_is_complex(unit->dtype)) unit = gi_do_whole(&c, gi_within_one(&c, gi_do_parts(&c, unit)), unit);
        else if (unit) unit = gi_within_one(&c, unit);
    }
    return gi_compose_end(&c, unit);
}
