/* ---- differences, and sums of what lies between ------------------------------------------------------------------- */

/* What stands behind each element minus the element; of bool, whether they differ. */
static ga_array *gi_do_diff(const gi_composition *c, const ga_array *a, int axis)
{
    int64_t   n      = a ? a->shape[axis] : 0;
    ga_array *behind = gi_do_part(c, a, axis, n > 0 ? 1 : 0, n > 0 ? n - 1 : 0);
    ga_array *before = gi_do_part(c, a, axis, 0, n > 0 ? n - 1 : 0);
    if (!behind || !before) return NULL;
    return a->dtype == GA_BOOL ? GI_DO_2(c, not_equal, behind, before) : GI_DO_2(c, subtract, behind, before);
}

/* A number, or an array without dimensions, as long as an axis needs it: 1. */
static ga_array *gi_diff_end(const gi_composition *c, const ga_array *a, int axis, ga_arg end, const char *name)
{
    ga_array *more = gi_do_array_half(c, end, name, a->device);
    if (!more || more->ndim > 0) return more;
    ga_shape one;
    memset(&one, 0, sizeof one);
    one.ndim = a->ndim;
    memcpy(one.n, a->shape, sizeof one.n);
    one.n[axis] = 1;
    return (ga_broadcast_to)(more, one, c->site);
}

ga_array *(ga_diff)(const ga_array *a, ga_diff_options o)
{
    if (!gi_array_check_half_any(o.site, a, "a")) return NULL;
    if (!gi_option_operand(o.site, o.prepend, ".prepend") || !gi_option_operand(o.site, o.append, ".append")) return NULL;
    if (o.n < 0) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, ".n = %d times: give 0 or more", o.n);
    if (o.n == 0) return (ga_view)(a, o.site);
    int axis = gi_axis(o.site, gi_axis_or(o.axis, -1), a->ndim);
    if (axis < 0) return NULL;
    gi_composition c;
    gi_compose_begin(&c, o.site);
    ga_array *r = (ga_view)(a, o.site);
    if (r && gi_is_given(o.prepend)) {
        ga_array *before = gi_diff_end(&c, a, axis, o.prepend, ".prepend");
        r                = before ? gi_do_join(&c, before, r, axis) : NULL;
    }
    if (r && gi_is_given(o.append)) {
        ga_array *behind = gi_diff_end(&c, a, axis, o.append, ".append");
        r                = behind ? gi_do_join(&c, r, behind, axis) : NULL;
    }
    const ga_dtype half = r && o.n > 1 && gi_is_half(r->dtype) ? r->dtype : GA_DTYPE_DEFAULT; /* rounded once, at the end */
    if (half) r = (ga_astype)(r, GA_F32, o.site);
    for (int k = 0; k < o.n && r && (k == 0 || r->shape[axis] > 0); k++) r = gi_do_diff(&c, r, axis);
    return gi_compose_end(&c, half && r ? (ga_astype)(r, half, o.site) : r);
}

/* An end in the dtype of a, as 1-D. */
static ga_array *gi_ediff_end(const gi_composition *c, const ga_array *a, ga_arg end, const char *name)
{
    ga_array *given = gi_do_value(c, end, name, a);
    ga_array *line  = given && gi_copy_keeps_kind(c->site, end, a->dtype) ? (ga_ravel)(given, c->site) : NULL;
    return line ? (ga_astype)(line, a->dtype, c->site) : NULL;
}

ga_array *(ga_ediff1d)(const ga_array *a, ga_ediff_options o)
{
    if (!gi_array_check_half_any(o.site, a, "a")) return NULL;
    gi_composition c;
    gi_compose_begin(&c, o.site);
    ga_array *line = (ga_ravel)(a, o.site), *r = NULL;
    if (line && a->dtype == GA_BOOL)
        gi_fail(o.site, GA_BAD_DTYPE, "ga_ediff1d does not exist for bool: use ga_diff, which tells where elements differ");
    else r = gi_do_diff(&c, line, 0);
    if (r && gi_is_given(o.to_begin)) {
        ga_array *begin = gi_ediff_end(&c, a, o.to_begin, ".to_begin");
        r               = begin ? gi_do_join(&c, begin, r, 0) : NULL;
    }
    if (r && gi_is_given(o.to_end)) {
        ga_array *end = gi_ediff_end(&c, a, o.to_end, ".to_end");
        r             = end ? gi_do_join(&c, r, end, 0) : NULL;
    }
    return gi_compose_end(&c, r);
}

/* ---- gradient -------------------------------------------------------------------------------------------------------- */

/* The sum of w[0] f[i], w[1] f[i + 1], w[2] f[i + 2], for each i of `count` from `start` on. */
static ga_array *gi_do_weighed(const gi_composition *c, const ga_array *f, int axis, int64_t start, int64_t count,
                               const ga_arg *w)
{
    ga_array *sum = NULL;
    for (int k = 0; k < 3; k++) {
        if (w[k].kind == GA_KIND_REAL && w[k].re == 0) continue;
        ga_array *term = GI_DO_2(c, multiply, w[k], gi_do_part(c, f, axis, start + k, count));
        sum            = sum ? GI_DO_2(c, add, sum, term) : term;
        if (!sum) return NULL;
    }
    return sum;
}

/* The derivative inside, from the steps d between all neighbours: second order where they differ, too (Fornberg, 1988). */
static ga_array *gi_gradient_inside(const gi_composition *c, const ga_array *f, int axis, const ga_array *d, double step)
{
    int64_t n = f->shape[axis];
    if (!d) {
        ga_array *behind = gi_do_part(c, f, axis, 2, n - 2), *before = gi_do_part(c, f, axis, 0, n - 2);
        ga_array *both = behind && before ? GI_DO_2(c, subtract, behind, before) : NULL;
        return both ? GI_DO_2(c, divide, both, 2 * step) : NULL;
    }
    ga_array    *h = gi_do_part(c, d, axis, 0, n - 2), *k = gi_do_part(c, d, axis, 1, n - 2); /* before, behind */
    ga_array    *sum = GI_DO_2(c, add, h, k), *first = GI_DO_2(c, divide, k, GI_DO_2(c, multiply, h, sum));
    ga_array    *middle = GI_DO_2(c, divide, GI_DO_2(c, subtract, k, h), GI_DO_2(c, multiply, h, k));
    ga_array    *last   = GI_DO_2(c, divide, h, GI_DO_2(c, multiply, k, sum));
    const ga_arg w[3]   = { GA_ARG(GI_DO_1(c, negative, first)), GA_ARG(middle), GA_ARG(last) };
    return gi_do_weighed(c, f, axis, 0, n - 2, w);
}

/* The derivative at an edge, from the one or two steps next to it, h at the edge. */
static ga_array *gi_gradient_edge(const gi_composition *c, const ga_array *f, int axis, bool end, int order, double h, double k)
{
    int64_t n = f->shape[axis];
    if (order == 1) {
        int64_t   at   = end ? n - 2 : 0;
        ga_array *next = gi_do_part(c, f, axis, at + 1, 1), *here = gi_do_part(c, f, axis, at, 1);
        ga_array *d = next && here ? GI_DO_2(c, subtract, next, here) : NULL;
        return d ? GI_DO_2(c, divide, d, h) : NULL;
    }
    double       near = (2 * h + k) / (h * (h + k)), middle = (h + k) / (h * k), far = h / (k * (h + k));
    const ga_arg first[3] = { GA_ARG(-near), GA_ARG(middle), GA_ARG(-far) };
    const ga_arg last[3]  = { GA_ARG(far), GA_ARG(-middle), GA_ARG(near) };
    return gi_do_weighed(c, f, axis, end ? n - 3 : 0, 1, end ? last : first);
}

/* Reads the step number i of an axis. */
static bool gi_gradient_step(const gi_composition *c, const ga_array *d, int64_t i, double step, double *h)
{
    *h = step;
    if (!d) return true;
    ga_shape at;
    memset(&at, 0, sizeof at);
    at.ndim = d->ndim;
    for (int k = 0; k < d->ndim; k++)
        if (d->shape[k] > 1) at.n[k] = i;
    return gi_item_as(c->site, d, &at, GA_F64, h);
}

/* a / by, in place. By a power of two it is a product: the same number, in less time. */
static bool gi_divide_in_place(const gi_composition *c, ga_array *a, double by)
{
    const ga_map_options to       = gi_map_in_place(c, a);
    int                  exponent = 0;
    const bool           power    = fabs(frexp(by, &exponent)) == 0.5 && exponent > -8 && exponent < 8;
    if (power && gi_is_float(a->dtype)) return (ga_multiply)(GA_ARG(a), GA_ARG(1 / by), to) != NULL;
    return (ga_divide)(GA_ARG(a), GA_ARG(by), to) != NULL;
}

/* Where steps are equal, from what stands at the edges: what lies between is computed in its place. */
static ga_array *gi_gradient_of_parts(const gi_composition *c, const ga_array *f, int axis, const ga_array *first,
                                      const ga_array *last, double step)
{
    const int64_t n = f->shape[axis];
    ga_array     *r = gi_array_new(c->site, f->dtype, f->device, f->ndim, f->shape), *inside = gi_do_part(c, r, axis, 1, n - 2);
    ga_array     *begin = gi_do_part(c, r, axis, 0, 1), *end = gi_do_part(c, r, axis, n - 1, 1);
    ga_array     *behind = gi_do_part(c, f, axis, 2, n - 2), *before = gi_do_part(c, f, axis, 0, n - 2);
    if (!inside || !begin || !end || !behind || !before) return NULL;
    const bool done = gi_copy_assign(c->site, begin, first) && gi_copy_assign(c->site, end, last) &&
                      (ga_subtract)(GA_ARG(behind), GA_ARG(before), gi_map_in_place(c, inside)) &&
                      gi_divide_in_place(c, inside, 2 * step);
    return done ? r : NULL;
}

/* Along one axis; d: the steps, turned along it, or NULL, and they are all `step`. */
static ga_array *gi_gradient_along(const gi_composition *c, const ga_array *f, int axis, const ga_array *d, double step,
                                   int order)
{
    int64_t n = f->shape[axis];
    double  h[4];
    if (n < order + 1)
        return (ga_array *)gi_fail(c->site, GA_BAD_SHAPE, "axis %d of %s is too short: a gradient takes %d elements or more",
                                   axis, gi_shape_of(f), order + 1);
    const int64_t at[4] = { 0, order == 2 ? 1 : 0, n - 2, order == 2 ? n - 3 : n - 2 };
    for (int k = 0; k < 4; k++)
        if (!gi_gradient_step(c, d, at[k], step, &h[k])) return NULL;
    ga_array *first = gi_gradient_edge(c, f, axis, false, order, h[0], h[1]), *last;
    last            = first ? gi_gradient_edge(c, f, axis, true, order, h[2], h[3]) : NULL;
    if (!last) return NULL;
    if (!d && n > 2 && !gi_is_deferred(f)) return gi_gradient_of_parts(c, f, axis, first, last, step);
    const ga_array *three[3] = { first, NULL, NULL };
    const int       parts    = n > 2 ? 3 : 2;
    if (n > 2) three[1] = gi_gradient_inside(c, f, axis, d, step);
    three[parts - 1] = last;
    return three[1] ? gi_join_along(c->site, parts, three, axis) : NULL;
}

/* The steps of coordinates, along an axis; equal ones are one number. False with an error. */
static bool gi_gradient_steps(const gi_composition *c, const ga_array *f, int axis, const ga_array *x, ga_array **d,
                              double *step)
{
    if (x->ndim != 1 || x->size != f->shape[axis])
        return gi_fail(c->site, GA_BAD_SHAPE, ".spacing has shape %s: give a number, or the %lld coordinates of axis %d",
                       gi_shape_of(x), (long long)f->shape[axis], axis) != NULL;
    bool      equal = false;
    ga_array *wide = (ga_astype)(x, GA_F64, c->site), *line = wide ? gi_do_diff(c, wide, 0) : NULL;
    if (!line) return false;
    *d = gi_do_turn(c, line, axis, f->ndim);
    if (line->size == 0) return *d != NULL;
    ga_array *same = gi_do_fold(c, (ga_all), GI_DO_2(c, equal, line, gi_do_part(c, line, 0, 0, 1)), GA_AXIS_DEFAULT, false);
    if (!*d || !same || !gi_item_as(c->site, same, NULL, GA_BOOL, &equal)) return false;
    if (equal && !gi_gradient_step(c, line, 0, 0, step)) return false;
    if (equal) *d = NULL;
    return true;
}

ga_array *(ga_gradient)(const ga_array *f, ga_gradient_options o)
{
    if (!gi_array_check_any(o.site, f, "f")) return NULL;
    if (o.edge_order != 1 && o.edge_order != 2)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, ".edge_order = %d: it is 1 or 2", o.edge_order);
    const bool one   = o.axis != GA_AXIS_DEFAULT || f->ndim == 1;
    const int  first = o.axis == GA_AXIS_DEFAULT && f->ndim > 0 ? 0 : gi_axis(o.site, gi_axis_or(o.axis, 0), f->ndim);
    if (first < 0) return NULL;
    gi_composition c;
    gi_compose_begin(&c, o.site);
    const ga_dtype  dtype   = gi_reduce_end_dtype(GI_ENDS_AVERAGE, f->dtype);
    ga_array       *wide    = f->dtype == dtype ? (ga_view)(f, o.site) : (ga_astype)(f, dtype, o.site);
    ga_array       *spacing = wide ? gi_do_array(&c, o.spacing, ".spacing", f->device) : NULL, *r = NULL;
    const ga_array *made[GPUARR_MAX_DIMS];
    int             n = 0;
    for (int axis = first; spacing && axis < f->ndim && (n == 0 || !one); axis++, n++) {
        ga_array *d     = NULL;
        double    step  = 1;
        bool      known = spacing->ndim == 0 ? gi_item_as(o.site, spacing, NULL, GA_F64, &step)
                                             : gi_gradient_steps(&c, wide, axis, spacing, &d, &step);
        r               = known ? gi_gradient_along(&c, wide, axis, d, step, o.edge_order) : NULL;
        if (!r) break;
        made[n] = r;
    }
    ga_axis_options stacked = ga_axis_defaults;
    stacked.site            = o.site;
    if (r && !one) r = (ga_stack_n)(n, made, stacked);
    return gi_compose_end(&c, r ? gi_copy_finish(o.site, r, dtype, NULL) : NULL);
}
