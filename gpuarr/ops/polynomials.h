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

/* The eigenvalues of the companion matrix. Leading zeros count for nothing, each one at the end is a root 0. */
ga_array *(ga_roots)(const ga_array *p, const char *site)
{
    if (!gi_array_check(site, p, "p")) return NULL;
    if (p->ndim != 1)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "p has shape %s: it must be coefficients in one dimension",
                                   gi_shape_of(p));
    gi_composition c;
    gi_compose_begin(&c, site);
    const ga_dtype  dtype = p->dtype == GA_F32 || p->dtype == GA_C64 ? GA_C64 : GA_C128;
    ga_trim_options o     = ga_trim_defaults;
    o.site                = site;
    o.trim                = "f";
    ga_array *wide = (ga_astype)(p, gi_is_complex(p->dtype) ? GA_C128 : GA_F64, site), *from = (ga_trim_zeros)(wide, o);
    o.trim             = "b";
    ga_array     *used = (ga_trim_zeros)(from, o);
    const int64_t n = used ? used->size : 0, zeros = used ? from->size - n : 0;
    ga_array     *none = used ? (ga_zeros)(gi_line(zeros), gi_new_on(site, GA_C128, p->device)) : NULL, *w = none;
    if (n > 1 && none) {
        ga_array *below = (ga_eye)(n - 2, n - 1, 0, gi_new_on(site, wide->dtype, p->device)),
                 *first = gi_do_part(&c, used, 0, 0, 1);
        ga_array *row   = GI_DO_1(&c, negative, GI_DO_2(&c, divide, gi_do_part(&c, used, 0, 1, n - 1), first));
        bool      sound = true;
        ga_array *all   = gi_do_fold(&c, (ga_all), GI_DO_1(&c, isfinite, row), GA_AXIS_DEFAULT, false);
        if (!all || !gi_item_as(site, all, NULL, GA_BOOL, &sound)) return gi_compose_end(&c, NULL);
        if (!sound) {
            gi_fail(site, GA_BAD_ARGUMENT,
                    "p, divided by its first coefficient that is not 0, has numbers that are not finite");
            return gi_compose_end(&c, NULL);
        }
        w = gi_do_join(&c, (ga_eigvals)(gi_do_join(&c, gi_do_turn(&c, row, 1, 2), below, 0), site), none, 0);
    }
    return gi_compose_end(&c, w ? (ga_astype)(w, dtype, site) : NULL);
}

/* The inverse of v^T v, which was scaled, times the mean square of what is left over: of one column of y, or of several. */
static ga_array *gi_polyfit_cov(gi_composition *c, const ga_array *v, const ga_array *scale, const ga_array *rest, int64_t left,
                                bool one)
{
    ga_array *square = gi_matrix_product(c->site, (ga_matrix_transpose)(v, c->site), v), *inverse = (ga_inv)(square, c->site);
    ga_array *cov = GI_DO_2(c, divide, GI_DO_2(c, divide, inverse, scale), gi_do_turn(c, scale, 0, 2));
    if (!one) cov = (ga_expand_dims)(cov, 2, c->site);
    return rest ? GI_DO_2(c, multiply, cov, GI_DO_2(c, divide, rest, (double)left)) : cov;
}

/* Rows times weights, in the dtype of the rows. */
static ga_array *gi_do_weigh(const gi_composition *c, const ga_array *rows, const ga_array *w)
{
    ga_array *by = rows ? (ga_astype)(w, gi_dtype_real(rows->dtype), c->site) : NULL;
    return by ? GI_DO_2(c, multiply, rows, gi_do_turn(c, by, 0, rows->ndim)) : NULL;
}

ga_array *(ga_polyfit)(const ga_array *x, const ga_array *y, int64_t deg, ga_polyfit_options o)
{
    if (o.cov) *o.cov = NULL;
    if (!gi_options_polyfit(&o) || !gi_array_check(o.site, x, "x") || !gi_array_check(o.site, y, "y") ||
        (o.w && !gi_array_check(o.site, o.w, "w")))
        return NULL;
    if (deg < 0 || deg == INT64_MAX)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "deg is %lld: it must be 0 or more", (long long)deg);
    if (x->ndim != 1 || y->ndim < 1 || y->ndim > 2 || x->size == 0 || x->size != y->shape[0] ||
        (o.w && (o.w->ndim != 1 || o.w->size != x->size)))
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE,
                                   "shapes %s and %s%s%s do not fit: x, and w, have one dimension and some elements, y as "
                                   "many rows",
                                   gi_shape_of(x), gi_shape_of(y), o.w ? ", w " : "", o.w ? gi_shape_of(o.w) : "");
    if (o.cov && !o.unscaled && x->size <= deg + 1)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT,
                                   "%lld points for %lld coefficients: the covariance needs more, or .unscaled = true",
                                   (long long)x->size, (long long)deg + 1);
    gi_composition c;
    gi_compose_begin(&c, o.site);
    ga_array         *rest = NULL, *cov = NULL, *at = GI_DO_2(&c, add, x, 0.0), *right = GI_DO_2(&c, add, y, 0.0);
    ga_vander_options powers = ga_vander_defaults;
    ga_lstsq_options  least  = ga_lstsq_defaults;
    int64_t           rank   = 0;
    powers.site = least.site = o.site;
    powers.n                 = deg + 1;
    least.rank               = &rank;
    least.residuals          = o.cov ? &rest : NULL;
    ga_array *v              = (ga_vander)(at, powers);
    if (o.w) {
        v     = gi_do_weigh(&c, v, o.w);
        right = gi_do_weigh(&c, right, o.w);
    }
    ga_array *scale = GI_DO_1(&c, sqrt, gi_do_fold(&c, (ga_sum), GI_DO_1(&c, square, v), 0, false));
    v               = GI_DO_2(&c, divide, v, scale);
    least.rcond = o.rcond == GA_REAL_DEFAULT && at ? (double)x->size * (at->dtype == GA_F32 ? (double)FLT_EPSILON : DBL_EPSILON)
                                                   : o.rcond;
    ga_array *fit = (ga_lstsq)(v, right, least);
    fit           = fit ? GI_DO_2(&c, divide, fit, gi_do_turn(&c, scale, 0, y->ndim)) : NULL;
    if (o.rank) *o.rank = rank;
    if (fit && o.cov && rank <= deg)
        fit = (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT,
                                  "the points determine %lld of %lld coefficients: there is no covariance", (long long)rank,
                                  (long long)deg + 1);
    if (fit && o.cov) {
        cov    = gi_polyfit_cov(&c, v, scale, o.unscaled ? NULL : rest, x->size - deg - 1, y->ndim == 1);
        *o.cov = gi_compose_keep(&c, cov);
    }
    return gi_compose_end(&c, o.cov && !cov ? NULL : fit);
}

/* ---- the Bessel function of an imaginary argument ------------------------------------------------------------------------- */

/*  I0 is even. Up to 20 by its power series, whose terms are all positive: 1 + t/1 (1 + t/4 (1 + t/9 (...))) with t = x x / 4. From there
    on by the series of large arguments (Abramowitz and Stegun, 9.7.1): exp(x) / sqrt(2 pi x) times 1 + 1/(8x) (1 + 9/(16x) (...)).  */
enum { GI_I0_TERMS = 54, GI_I0_LARGE = 20, GI_I0_LARGE_TERMS = 25 };

static double gi_i0_factor(int k) { return 1.0 / ((double)k * k); }
static double gi_i0_large_factor(int k) { return (2.0 * k - 1) * (2.0 * k - 1) / (8.0 * k); }

/* 1 + f(1) s (1 + f(2) s (...)), so many terms, of float64 on the CPU. */
static void gi_nested(int64_t n, double *sum, const double *s, int terms, double (*factor)(int k))
{
    enum { TILE = 256 };
    const gi_kernel scale = GI_LOOP_OF(with_number)(GA_OP_multiply, 2, GA_F64);
    const gi_kernel add   = GI_LOOP_OF(with_number)(GA_OP_multiply_add, 4, GA_F64);
    const double    one   = 1;
    for (int64_t m; n > 0; n -= m, sum += m, s += m) {
        m = n < TILE ? n : (int64_t)TILE;
        for (int64_t i = 0; i < m; i++) sum[i] = one;
        for (int k = terms; k > 0; k--) {
            const double f = factor(k);
            scale(m, sum, sum, &f, NULL);
            add(m, sum, sum, s, &one);
        }
    }
}
static void gi_i0_series(int64_t n, void *out, const void *s, const void *y, const void *z)
{
    (void)y, (void)z;
    gi_nested(n, (double *)out, (const double *)s, GI_I0_TERMS, gi_i0_factor);
}
static void gi_i0_large_series(int64_t n, void *out, const void *s, const void *y, const void *z)
{
    (void)y, (void)z;
    gi_nested(n, (double *)out, (const double *)s, GI_I0_LARGE_TERMS, gi_i0_large_factor);
}

/* The same; elsewhere by calls. */
static ga_array *gi_do_nested(const gi_composition *c, const ga_array *s, bool large)
{
    const int terms               = large ? (int)GI_I0_LARGE_TERMS : (int)GI_I0_TERMS;
    double (*const factor)(int k) = large ? gi_i0_large_factor : gi_i0_factor;
    if (s->device == GA_CPU && !gi_is_deferred(s)) {
        const ga_arg      in                     = gi_operand_arg(s);
        const ga_dtype    wanted[GI_MOST_INPUTS] = { GA_F64, GA_F64, GA_F64, GA_F64 };
        const gi_function series                 = { large ? gi_i0_large_series : gi_i0_series, NULL, GI_NOT_OWN };
        return gi_map(c->site, series, 2 * terms, 1, &in, wanted, GA_F64, NULL, NULL);
    }
    ga_array      *sum      = (ga_ones_like)(s, gi_new_on(c->site, GA_DTYPE_DEFAULT, GA_DEVICE_DEFAULT));
    ga_map_options in_place = gi_map_in_place(c, sum);
    for (int k = terms; k > 0 && sum; k--) {
        sum = (ga_multiply)(GA_ARG(sum), GA_ARG(factor(k)), in_place);
        sum = sum ? (ga_multiply_add)(GA_ARG(sum), GA_ARG(s), GA_ARG(1.0), in_place) : NULL;
    }
    return sum;
}

static ga_array *gi_do_i0(const gi_composition *c, const ga_array *a)
{
    ga_array *wide = (ga_astype)(a, GA_F64, c->site), *x = GI_DO_1(c, absolute, wide);
    ga_array *large = x ? GI_DO_2(c, greater, x, GI_I0_LARGE) : NULL;
    ga_array *small = GI_DO_2(c, minimum, x, (double)GI_I0_LARGE), *beyond = GI_DO_2(c, maximum, x, (double)GI_I0_LARGE);
    ga_array *half = GI_DO_2(c, multiply, small, 0.5), *t = GI_DO_1(c, square, half);
    ga_array *near   = t ? gi_do_nested(c, t, false) : NULL;
    ga_array *over   = near ? GI_DO_1(c, reciprocal, beyond) : NULL;
    ga_array *series = over ? gi_do_nested(c, over, true) : NULL;
    ga_array *finite =
        series ? GI_DO_2(c, minimum, beyond, 1e300) : NULL; /* far above that exp, and so the result, is infinite */
    ga_array *root = GI_DO_1(c, sqrt, GI_DO_2(c, multiply, finite, 6.283185307179586));
    ga_array *far  = series ? GI_DO_2(c, divide, GI_DO_2(c, multiply, GI_DO_1(c, exp, beyond), series), root) : NULL;
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
