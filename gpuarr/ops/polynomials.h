/* ---- polynomials, and the windows of signals ------------------------------------------------------------------------ */

ga_array *(ga_polyval)(const ga_array *p, ga_arg x, const char *site)
{
    if (!gi_array_check(site, p, "p")) return NULL;
    if (p->ndim != 1)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "p has shape %s: it must have one dimension, the highest power first",
                                   gi_shape_of(p));
    gi_composition c;
    gi_compose_begin(&c, site);
    ga_array *at = gi_do_array(&c, x, "x", p->device);
    ga_array *y  = at ? (ga_zeros_like)(at, gi_new_on(site, GA_DTYPE_DEFAULT, GA_DEVICE_DEFAULT)) : NULL;
    for (int64_t k = 0; k < p->size && y; k++) { /* Horner */
        ga_array *before = y, *coefficient = gi_do_reshape(&c, gi_do_part(&c, p, 0, k, 1), 0, NULL);
        ga_array *raised = GI_DO_2(&c, multiply, before, at);
        y                = coefficient ? GI_DO_2(&c, add, raised, coefficient) : NULL;
        ga_free(raised);
        ga_free(before);
    }
    return gi_compose_end(&c, y);
}

/* Is a set of complex numbers that of their conjugates, too? False with an error. */
static bool gi_are_conjugate(const gi_composition *c, const ga_array *z, bool *equal)
{
    ga_array *own = gi_do_along(c, (ga_sort), z, 0), *turned = gi_do_along(c, (ga_sort), GI_DO_1(c, conj, z), 0);
    ga_array *all = turned ? gi_do_fold(c, (ga_all), GI_DO_2(c, equal, own, turned), GA_AXIS_DEFAULT, false) : NULL;
    return all && gi_item_as(c->site, all, NULL, GA_BOOL, equal);
}

ga_array *(ga_poly)(const ga_array *roots, const char *site)
{
    if (!gi_array_check(site, roots, "roots")) return NULL;
    if (roots->ndim != 1)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "roots have shape %s: they must have one dimension", gi_shape_of(roots));
    gi_composition c;
    gi_compose_begin(&c, site);
    const ga_dtype dtype = gi_reduce_end_dtype(GI_ENDS_AVERAGE, roots->dtype);
    ga_array      *z     = (ga_astype)(roots, dtype, site);
    ga_array      *one = z ? (ga_ones)(gi_line(1), gi_new_on(site, dtype, roots->device)) : NULL, *p = one;
    ga_array      *zero = one ? (ga_zeros_like)(one, gi_new_on(site, dtype, roots->device)) : NULL;
    bool           real = false;
    for (int64_t k = 0; p && k < roots->size; k++) {
        ga_array *less = zero ? GI_DO_2(&c, multiply, p, gi_do_part(&c, z, 0, k, 1)) : NULL;
        p              = less ? GI_DO_2(&c, subtract, gi_do_join(&c, p, zero, 0), gi_do_join(&c, zero, less, 0)) : NULL;
    }
    if (p && gi_is_complex(dtype) && !gi_are_conjugate(&c, z, &real)) p = NULL;
    if (p && real) p = GI_DO_1(&c, real, p);
    return gi_compose_end(&c, p);
}

/* ---- the Bessel function of an imaginary argument ------------------------------------------------------------------------- */

/*  I0 is even. Up to 20 by its power series, whose terms are all positive: 1 + t/1 (1 + t/4 (1 + t/9 (...))) with t = x x / 4. From there
    on by the series of large arguments (Abramowitz and Stegun, 9.7.1): exp(x) / sqrt(2 pi x) times 1 + 1/(8x) (1 + 9/(16x) (...)).  */
enum { GI_I0_TERMS = 54, GI_I0_LARGE = 20, GI_I0_LARGE_TERMS = 25 };

/* 1 + f(1) s (1 + f(2) s (...)), so many terms. */
static ga_array *gi_do_nested(const gi_composition *c, const ga_array *s, int terms, double (*factor)(int k))
{
    ga_array      *sum      = (ga_ones_like)(s, gi_new_on(c->site, GA_DTYPE_DEFAULT, GA_DEVICE_DEFAULT));
    ga_map_options in_place = gi_map_site(c->site);
    if (sum && !gi_is_deferred(sum)) in_place.out = sum;
    for (int k = terms; k > 0 && sum; k--) {
        sum = (ga_multiply)(GA_ARG(sum), GA_ARG(factor(k)), in_place);
        sum = sum ? (ga_multiply_add)(GA_ARG(sum), GA_ARG(s), GA_ARG(1.0), in_place) : NULL;
    }
    return sum;
}
static double gi_i0_factor(int k) { return 1.0 / ((double)k * k); }
static double gi_i0_large_factor(int k) { return (2.0 * k - 1) * (2.0 * k - 1) / (8.0 * k); }

static ga_array *gi_do_i0(const gi_composition *c, const ga_array *a)
{
    ga_array *wide = (ga_astype)(a, GA_F64, c->site), *x = GI_DO_1(c, absolute, wide);
    ga_array *large = x ? GI_DO_2(c, greater, x, GI_I0_LARGE) : NULL;
    ga_array *small = GI_DO_2(c, minimum, x, (double)GI_I0_LARGE), *beyond = GI_DO_2(c, maximum, x, (double)GI_I0_LARGE);
    ga_array *half = GI_DO_2(c, multiply, small, 0.5), *t = GI_DO_1(c, square, half);
    ga_array *near   = t ? gi_do_nested(c, t, GI_I0_TERMS, gi_i0_factor) : NULL;
    ga_array *over   = near ? GI_DO_1(c, reciprocal, beyond) : NULL;
    ga_array *series = over ? gi_do_nested(c, over, GI_I0_LARGE_TERMS, gi_i0_large_factor) : NULL;
    ga_array *root   = GI_DO_1(c, sqrt, GI_DO_2(c, multiply, beyond, 6.283185307179586));
    ga_array *far    = series ? GI_DO_2(c, divide, GI_DO_2(c, multiply, GI_DO_1(c, exp, beyond), series), root) : NULL;
    return far ? GI_DO_WHERE(c, large, far, near) : NULL;
}

ga_array *(ga_i0)(const ga_array *x, const char *site)
{
    if (!gi_array_check_any(site, x, "x")) return NULL;
    if (gi_is_complex(x->dtype))
        return (ga_array *)gi_fail(site, GA_BAD_DTYPE, "ga_i0 does not exist for %s", ga_dtype_name(x->dtype));
    gi_composition c;
    gi_compose_begin(&c, site);
    return gi_compose_end(&c, gi_copy_finish(site, gi_do_i0(&c, x), x->dtype == GA_F32 ? GA_F32 : GA_F64, NULL));
}

/* ---- windows ---------------------------------------------------------------------------------------------------------------- */

/* 1 - m, 3 - m ... m - 1: twice the distances from the middle of m places. */
static ga_array *gi_window_places(int64_t m, const ga_new_options *o)
{
    ga_new_options places = *o;
    places.dtype          = GA_F64;
    return m < 1 ? (ga_arange)(GA_ARG(0), GA_ARG(0), GA_ARG(1), places)
                 : (ga_arange)(GA_ARG(1 - m), GA_ARG(m), GA_ARG(2), places);
}

static ga_array *gi_window_end(gi_composition *c, const ga_new_options *o, ga_array *w)
{
    return gi_compose_end(c, gi_copy_finish(o->site, w, o->dtype == GA_DTYPE_DEFAULT ? GA_F64 : o->dtype, NULL));
}

/* a[0] + a[1] cos(pi n / (m - 1)) + a[2] cos(2 pi n / (m - 1)) */
static ga_array *gi_cosine_window(int64_t m, ga_new_options o, const double *a)
{
    if (!gi_options_new(&o)) return NULL;
    gi_composition c;
    gi_compose_begin(&c, o.site);
    ga_array *n = gi_window_places(m, &o), *w = m == 1 && n ? (ga_ones_like)(n, gi_new_on(o.site, GA_F64, n->device)) : n;
    for (int k = 0; k < 3 && m > 1 && n; k++) {
        if (k > 0 && a[k] == 0) break;
        ga_array *angle = GI_DO_2(&c, divide, GI_DO_2(&c, multiply, n, k * 3.141592653589793), (double)(m - 1));
        ga_array *wave  = GI_DO_2(&c, multiply, GI_DO_1(&c, cos, angle), a[k]);
        w               = k == 0 ? wave : GI_DO_2(&c, add, w, wave);
    }
    return gi_window_end(&c, &o, w);
}

ga_array *(ga_blackman)(int64_t m, ga_new_options o)
{
    static const double a[3] = { 0.42, 0.5, 0.08 };
    return gi_cosine_window(m, o, a);
}
ga_array *(ga_hamming)(int64_t m, ga_new_options o)
{
    static const double a[3] = { 0.54, 0.46, 0 };
    return gi_cosine_window(m, o, a);
}
ga_array *(ga_hanning)(int64_t m, ga_new_options o)
{
    static const double a[3] = { 0.5, 0.5, 0 };
    return gi_cosine_window(m, o, a);
}

ga_array *(ga_bartlett)(int64_t m, ga_new_options o)
{
    if (!gi_options_new(&o)) return NULL;
    gi_composition c;
    gi_compose_begin(&c, o.site);
    ga_array *n = gi_window_places(m, &o), *w = m == 1 && n ? (ga_ones_like)(n, gi_new_on(o.site, GA_F64, n->device)) : n;
    if (m > 1 && n) w = GI_DO_2(&c, subtract, 1.0, GI_DO_2(&c, divide, GI_DO_1(&c, absolute, n), (double)(m - 1)));
    return gi_window_end(&c, &o, w);
}

ga_array *(ga_kaiser)(int64_t m, double beta, ga_new_options o)
{
    if (!gi_options_new(&o)) return NULL;
    gi_composition c;
    gi_compose_begin(&c, o.site);
    ga_array *n = gi_window_places(m, &o), *w = m == 1 && n ? (ga_ones_like)(n, gi_new_on(o.site, GA_F64, n->device)) : n;
    if (m > 1 && n) {
        ga_array *square = GI_DO_1(&c, square, GI_DO_2(&c, divide, n, (double)(m - 1)));
        ga_array *height = GI_DO_1(&c, sqrt, GI_DO_2(&c, subtract, 1.0, square));
        ga_array *inside = height ? gi_do_i0(&c, GI_DO_2(&c, multiply, height, beta)) : NULL;
        ga_array *most   = inside ? gi_do_i0(&c, (ga_scalar)(GA_ARG(beta), gi_new_on(o.site, GA_F64, n->device))) : NULL;
        w                = most ? GI_DO_2(&c, divide, inside, most) : NULL;
    }
    return gi_window_end(&c, &o, w);
}
