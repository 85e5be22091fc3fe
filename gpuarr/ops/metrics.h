/* ==== >>distances: the other metrics, and weights ======================================================================= */
/*  Most are found by the kernels of ga_cdist. Of the distances of Jensen and Shannon, Mahalanobis and Minkowski, which are made of other
    calls, tiles are computed as arrays (features, points of x, points of y), feature by feature in one pass each, and folded along the
    features: by ga_sum, whose tree does not depend on the tiles. So differences of points that are close keep their digits.          */

#define GI_METRIC_TILE (1 << 16) /* elements of a tile for each thread; on a GPU 64 times as many */

typedef struct gi_metric_call {
    gi_composition             c;
    const ga_distance_options *o; /* V and VI are known */
    ga_dtype                   dtype;
    ga_array                  *w;        /* the weights as (features, 1, 1); NULL: there are none */
    double                     smallest; /* number above 0 */
} gi_metric_call;

/* A row whose result takes the place of d. */
static ga_array *gi_metric_into(const gi_metric_call *q, ga_array *(*row)(ga_arg, ga_arg, ga_map_options), ga_array *d,
                                ga_arg y)
{
    return d ? row(GA_ARG(d), y, gi_map_in_place(&q->c, d)) : NULL;
}
static ga_array *gi_metric_of(const gi_metric_call *q, ga_array *(*row)(const ga_array *, ga_map_options), ga_array *d)
{
    return d ? row(d, gi_map_in_place(&q->c, d)) : NULL;
}
static ga_array *gi_metric_sum(const gi_metric_call *q, const ga_array *d)
{
    return d ? gi_do_fold(&q->c, (ga_sum), d, 0, false) : NULL;
}

/* The sum of p log(p / m), 0 where p is 0. */
static ga_array *gi_metric_entropy(const gi_metric_call *q, const ga_array *p, const ga_array *m)
{
    ga_array *ratio = gi_metric_into(q, (ga_maximum), GI_DO_2(&q->c, divide, p, m), GA_ARG(q->smallest));
    ga_array *log   = gi_metric_of(q, (ga_log), ratio);
    return gi_metric_sum(q, log ? gi_metric_into(q, (ga_multiply), log, GA_ARG(p)) : NULL);
}

static ga_array *gi_metric_empty(const gi_metric_call *q, const ga_array *shares)
{
    ga_array *sum = gi_metric_sum(q, shares);
    return sum ? GI_DO_2(&q->c, equal, sum, 0) : NULL;
}

/* Infinite where one of the points is no distribution: its shares are all 0. */
static ga_array *gi_metric_jensenshannon(const gi_metric_call *q, const ga_array *x, const ga_array *y)
{
    ga_array *none = gi_metric_empty(q, x), *empty = none ? gi_metric_empty(q, y) : NULL;
    none           = empty ? GI_DO_2(&q->c, logical_or, none, empty) : NULL;
    ga_array *m    = gi_metric_into(q, (ga_multiply), GI_DO_2(&q->c, add, x, y), GA_ARG(0.5));
    m              = gi_metric_into(q, (ga_maximum), m, GA_ARG(q->smallest));
    ga_array *left = m ? gi_metric_entropy(q, x, m) : NULL, *right = left ? gi_metric_entropy(q, y, m) : NULL;
    ga_array *sum = right ? gi_metric_into(q, (ga_add), left, GA_ARG(right)) : NULL;
    sum           = gi_metric_into(q, (ga_maximum), gi_metric_into(q, (ga_multiply), sum, GA_ARG(0.5)), GA_ARG(0.0));
    sum           = gi_metric_of(q, (ga_sqrt), sum);
    return sum && none ? GI_DO_WHERE(&q->c, none, (double)INFINITY, sum) : NULL;
}

static ga_array *gi_metric_mahalanobis(const gi_metric_call *q, ga_array *d)
{
    if (!d) return NULL;
    const int64_t      flat[2] = { d->shape[0], d->shape[1] * d->shape[2] };
    ga_product_options p       = ga_product_defaults;
    p.site                     = q->c.site;
    ga_array *line = gi_do_reshape(&q->c, d, 2, flat), *e = line ? (ga_matmul)(q->o->VI, line, p) : NULL;
    e = e ? gi_do_reshape(&q->c, e, 3, d->shape) : NULL;
    return gi_metric_of(q, (ga_sqrt), gi_metric_sum(q, e ? gi_metric_into(q, (ga_multiply), e, GA_ARG(d)) : NULL));
}

/* The distances (points of x, points of y) of x as (features, points, 1) and y as (features, 1, points). */
static ga_array *gi_metric_tile(const gi_metric_call *q, const ga_array *x, const ga_array *y)
{
    if (q->o->metric == GA_JENSENSHANNON) return gi_metric_jensenshannon(q, x, y);
    ga_array *d = GI_DO_2(&q->c, subtract, x, y);
    if (q->o->metric == GA_MAHALANOBIS) return gi_metric_mahalanobis(q, d);
    d = gi_metric_into(q, (ga_power), gi_metric_of(q, (ga_absolute), d), GA_ARG(q->o->p));
    d = q->w ? gi_metric_into(q, (ga_multiply), d, GA_ARG(q->w)) : d;
    return gi_metric_into(q, (ga_power), gi_metric_sum(q, d), GA_ARG(1 / q->o->p));
}

/* ---- tile by tile ----------------------------------------------------------------------------------------------------- */

/* Writes a tile whose first distance is (i, j), of a matrix or of the pairs of n points. */
static bool gi_metric_write(const gi_metric_call *q, const ga_array *tile, ga_array *result, int64_t n, int64_t i, int64_t j)
{
    const gi_composition *c  = &q->c;
    ga_copyto_options     to = ga_copyto_defaults;
    bool                  ok = tile != NULL;
    to.site                  = c->site;
    if (ok && result->ndim == 2) {
        ga_array *there = gi_do_part(c, gi_do_part(c, result, 0, i, tile->shape[0]), 1, j, tile->shape[1]);
        return there && (ga_copyto)(there, GA_ARG(tile), to);
    }
    for (int64_t k = 0; ok && k < tile->shape[0]; k++) { /* what lies right of the diagonal */
        const int64_t first = j > i + k ? j : i + k + 1, count = j + tile->shape[1] - first;
        if (count <= 0) break;
        ga_array *row   = gi_do_part(c, gi_do_part(c, tile, 0, k, 1), 1, first - j, count);
        row             = row ? gi_do_reshape(c, row, 1, &count) : NULL;
        ga_array *there = row ? gi_do_part(c, result, 0, gi_pair_place(n, i + k, first), count) : NULL;
        ok              = there && (ga_copyto)(there, GA_ARG(row), to);
    }
    return ok;
}

/* All distances of the points x, as (features, points, 1), from y, as (features, 1, points); or the pairs of x. */
static bool gi_metric_tiles(gi_metric_call *q, const ga_array *x, const ga_array *y, ga_array *result)
{
    const int64_t room     = GI_METRIC_TILE * (x->device == GA_CUDA ? 64 : ga_get_num_threads());
    const int64_t features = x->shape[0] > 0 ? x->shape[0] : 1, most = room / features > 0 ? room / features : 1;
    const int64_t n = x->shape[1], m = y->shape[2], columns = m < most ? m : most, rows = most / columns;
    const bool    pairs = result->ndim == 1;
    bool          ok    = true;
    for (int64_t i = 0; ok && i < n; i += rows)
        for (int64_t j = pairs ? i + 1 : 0; ok && j < m; j += columns) {
            gi_metric_call t = *q; /* with temporaries of its own */
            gi_compose_begin(&t.c, q->c.site);
            ga_array *xs   = gi_do_part(&t.c, x, 1, i, n - i < rows ? n - i : rows);
            ga_array *ys   = xs ? gi_do_part(&t.c, y, 2, j, m - j < columns ? m - j : columns) : NULL;
            ga_array *tile = ys ? gi_metric_tile(&t, xs, ys) : NULL;
            ok             = gi_metric_write(&t, tile, result, n, i, j);
            gi_compose_end(&t.c, NULL);
        }
    return ok;
}

/* ---- points, weights -------------------------------------------------------------------------------------------------- */

/* What share each feature has of the sum of its point, as (features, points); all 0 where a point is no distribution. */
static ga_array *gi_metric_shares(const gi_metric_call *q, ga_array *a)
{
    const gi_composition *c     = &q->c;
    ga_array             *sum   = a ? gi_do_fold(c, (ga_sum), a, 0, true) : NULL;
    ga_array             *below = sum ? gi_do_fold(c, (ga_any), GI_DO_2(c, less, a, 0), 0, true) : NULL;
    ga_array *zero = below ? GI_DO_2(c, equal, sum, 0) : NULL, *none = zero ? GI_DO_2(c, logical_or, below, zero) : NULL;
    ga_array *share = none ? GI_DO_2(c, divide, a, sum) : NULL;
    return share ? GI_DO_WHERE(c, none, 0, share) : NULL;
}

/* Points, packed as (features, points). */
static ga_array *gi_metric_points(const gi_metric_call *q, const ga_array *x)
{
    ga_array *t = (ga_matrix_transpose)(x, q->c.site);
    t           = t ? (ga_astype)(t, q->dtype, q->c.site) : NULL;
    return q->o->metric == GA_JENSENSHANNON ? gi_metric_shares(q, t) : t;
}

static ga_array *gi_metric_of_calls(gi_metric_call *q, const ga_array *x, const ga_array *y, int ndim, const int64_t *shape)
{
    const gi_composition *c      = &q->c;
    ga_array             *result = gi_array_new(c->site, q->dtype, x->device, ndim, shape);
    if (!result || result->size == 0) return result;
    if (q->o->w && !(q->w = gi_do_turn(c, q->o->w, 0, 3))) return NULL;
    ga_array *xs = gi_metric_points(q, x), *ys = xs && y ? gi_metric_points(q, y) : xs;
    if (!ys) return NULL;
    const int64_t down[3] = { xs->shape[0], xs->shape[1], 1 }, across[3] = { ys->shape[0], 1, ys->shape[1] };
    ga_array     *rows = gi_do_reshape(c, xs, 3, down), *columns = rows ? gi_do_reshape(c, ys, 3, across) : NULL;
    return columns && gi_metric_tiles(q, rows, columns, result) ? result : NULL;
}

/* ---- by the kernels of ga_cdist ----------------------------------------------------------------------------------------- */

/* Points without their means, and with weights as factors of the features: these kernels take none. */
static ga_array *gi_metric_prepare(const gi_metric_call *q, const ga_array *x, const ga_array *w)
{
    const gi_composition *c = &q->c;
    ga_array             *a = x ? (ga_astype)(x, q->dtype, c->site) : NULL;
    if (!a) return NULL;
    if (q->o->metric == GA_CHEBYSHEV) return GI_DO_WHERE(c, GI_DO_2(c, greater, w, 0), a, 0);
    if (q->o->metric == GA_CORRELATION) {
        ga_array *mean =
            w ? gi_do_fold(c, (ga_sum), GI_DO_2(c, multiply, a, w), 1, true) : gi_do_fold(c, (ga_mean), a, 1, true);
        if (w) {
            ga_array *total = gi_do_fold(c, (ga_sum), w, GA_AXIS_DEFAULT, false);
            mean            = total ? gi_metric_into(q, (ga_divide), mean, GA_ARG(total)) : NULL;
        }
        a = mean ? GI_DO_2(c, subtract, a, mean) : NULL;
    }
    return a && w ? GI_DO_2(c, multiply, a, GI_DO_1(c, sqrt, w)) : a;
}

static ga_array *gi_metric_prepared(const gi_metric_call *q, const ga_array *x, const ga_array *y, int ndim,
                                    const int64_t *shape)
{
    ga_distance_options k = *q->o;
    ga_array           *a = gi_metric_prepare(q, x, k.w), *b = a && y ? gi_metric_prepare(q, y, k.w) : NULL;
    k.metric = k.metric == GA_CHEBYSHEV ? GA_CHEBYSHEV : GA_COSINE;
    k.w      = NULL;
    return a && (b || !y) ? gi_distances_by_tiles(a, b, q->dtype, ndim, shape, &k) : NULL;
}

/* The sum of |x - y| by that of |x + y|. */
static ga_array *gi_metric_braycurtis(const gi_metric_call *q, const ga_array *x, const ga_array *y, int ndim,
                                      const int64_t *shape)
{
    ga_distance_options k     = *q->o;
    ga_array           *other = gi_metric_of(q, (ga_negative), (ga_astype)(y ? y : x, q->dtype, k.site));
    k.metric                  = GA_CITYBLOCK;
    k.out                     = NULL;
    ga_array *by              = other ? gi_distances_by_tiles(x, other, q->dtype, ndim, shape, &k) : NULL;
    return by ? gi_metric_into(q, (ga_divide), gi_distances_by_tiles(x, y, q->dtype, ndim, shape, &k), GA_ARG(by)) : NULL;
}

/* The sum of the weights, in the order of each distance: the share of all features is 1. */
static ga_array *gi_metric_all(const gi_metric_call *q, ga_distance_options k)
{
    const int64_t        one[2] = { 1, 1 }, point[2] = { 1, k.w->shape[0] };
    const ga_new_options there = gi_new_on(k.site, q->dtype, k.w->device);
    ga_array            *x = (ga_ones)(gi_line(point[1]), there), *y = x ? (ga_zeros)(gi_line(point[1]), there) : NULL;
    x             = y ? gi_do_reshape(&q->c, x, 2, point) : NULL;
    y             = x ? gi_do_reshape(&q->c, y, 2, point) : NULL;
    ga_array *sum = y ? gi_distances_by_tiles(x, y, q->dtype, 2, one, &k) : NULL;
    return sum ? gi_do_reshape(&q->c, sum, 0, one) : NULL;
}

/* With weights; those that are not given are 1. */
static ga_array *gi_metric_weighted(const gi_metric_call *q, const ga_array *x, const ga_array *y, int ndim,
                                    const int64_t *shape)
{
    ga_distance_options k    = *q->o;
    const bool          mean = k.metric == GA_HAMMING;
    if (k.metric == GA_SEUCLIDEAN) { /* by the standard deviations */
        ga_array *deviation = GI_DO_1(&q->c, sqrt, k.V);
        k.w                 = deviation ? GI_DO_2(&q->c, divide, 1, deviation) : NULL;
    } else if (!k.w) k.w = (ga_ones)(gi_line(x->shape[1]), gi_new_on(k.site, q->dtype, x->device));
    if (mean) k.out = NULL;
    ga_array *d = k.w ? gi_distances_by_tiles(x, y, q->dtype, ndim, shape, &k) : NULL;
    if (!mean || !d) return d;
    if (!q->o->w) return gi_metric_into(q, (ga_divide), d, GA_ARG((double)x->shape[1]));
    ga_array *all = gi_metric_all(q, k);
    return all ? gi_metric_into(q, (ga_divide), d, GA_ARG(all)) : NULL;
}

/* ---- the call ---------------------------------------------------------------------------------------------------------- */

/* The weights are not negative, and get the dtype of the result. */
static bool gi_metric_weights(const gi_metric_call *q, ga_distance_options *o)
{
    const gi_composition *c        = &q->c;
    const ga_array       *w        = gi_is_deferred(o->w) ? gi_deferred()->compute(c->site, o->w) : o->w;
    bool                  negative = false;
    ga_array             *below    = w ? gi_do_fold(c, (ga_any), GI_DO_2(c, less, w, 0), GA_AXIS_DEFAULT, false) : NULL;
    if (!below || !gi_item_as(c->site, below, NULL, GA_BOOL, &negative)) return false;
    if (negative) return gi_fail(c->site, GA_BAD_ARGUMENT, ".w has a negative number: weights are not negative") != NULL;
    o->w = (ga_astype)(w, q->dtype, c->site);
    return o->w != NULL;
}

/* The variances or the inverse covariances of all points, where they are not given. */
static bool gi_metric_defaults(const gi_metric_call *q, const ga_array *x, const ga_array *y, ga_distance_options *o)
{
    const gi_composition *c   = &q->c;
    const ga_array       *all = y ? gi_do_join(c, x, y, 0) : x;
    ga_array             *cov;
    if (!all) return false;
    if (o->metric == GA_SEUCLIDEAN) {
        ga_reduce_options r = gi_reduce_site(c->site);
        r.axis              = 0;
        r.ddof              = 1;
        return (o->V = (ga_var)(all, r)) != NULL;
    }
    if (all->shape[0] <= all->shape[1])
        return gi_fail(c->site, GA_BAD_ARGUMENT,
                       "%lld points of %lld features have no inverse covariances: give .VI, or more points than features",
                       (long long)all->shape[0], (long long)all->shape[1]) != NULL;
    ga_cov_options v         = ga_cov_defaults;
    const int64_t  square[2] = { all->shape[1], all->shape[1] };
    v.site                   = c->site;
    v.rowvar                 = false;
    v.y = v.fweights = v.aweights = NULL;
    cov                           = gi_do_cov(c, all, &v);
    if (cov && gi_is_deferred(cov)) cov = gi_deferred()->compute(c->site, cov);
    cov   = cov ? gi_do_reshape(c, cov, 2, square) : NULL;
    o->VI = cov ? (ga_inv)(cov, c->site) : NULL;
    return o->VI != NULL;
}

/* Are there chunked arrays among them? */
static bool gi_distances_defer(const ga_array *x, const ga_array *y, const ga_distance_options *o)
{
    const ga_array *all[5] = { x, y, o->w, o->V, o->VI };
    for (int k = 0; k < 5; k++)
        if (all[k] && gi_is_deferred(all[k])) return true;
    return false;
}

static ga_array *gi_do_metric(gi_metric_call *q, const ga_array *x, const ga_array *y, int ndim, const int64_t *shape,
                              ga_distance_options *o)
{
    const gi_composition *c = &q->c;
    if (o->w && !gi_metric_weights(q, o)) return NULL;
    if (((o->metric == GA_SEUCLIDEAN && !o->V) || (o->metric == GA_MAHALANOBIS && !o->VI)) && !gi_metric_defaults(q, x, y, o))
        return NULL;
    if (o->V && !(o->V = (ga_astype)(o->V, q->dtype, c->site))) return NULL;
    if (o->VI && !(o->VI = (ga_astype)(o->VI, q->dtype, c->site))) return NULL;
    if (gi_distances_defer(x, y, o)) return gi_deferred()->distances(x, y, q->dtype, ndim, shape, o);
    ga_array *r;
    switch (o->metric) {
    case GA_CHEBYSHEV:
    case GA_COSINE:
    case GA_CORRELATION: r = gi_metric_prepared(q, x, y, ndim, shape); break;
    case GA_BRAYCURTIS: r = gi_metric_braycurtis(q, x, y, ndim, shape); break;
    case GA_JENSENSHANNON:
    case GA_MAHALANOBIS:
    case GA_MINKOWSKI: r = gi_metric_of_calls(q, x, y, ndim, shape); break;
    default: r = gi_metric_weighted(q, x, y, ndim, shape);
    }
    return r == o->out ? r : gi_copy_finish(c->site, r, q->dtype, o->out);
}

static ga_array *gi_metric_distances(const ga_array *x, const ga_array *y, ga_dtype dtype, int ndim, const int64_t *shape,
                                     const ga_distance_options *asked)
{
    ga_distance_options o = *asked;
    gi_metric_call      q;
    memset(&q, 0, sizeof q);
    q.o        = &o;
    q.dtype    = dtype;
    q.smallest = dtype == GA_F32 ? 0x1p-149 : 0x1p-1074;
    gi_compose_begin(&q.c, o.site);
    return gi_compose_end(&q.c, gi_do_metric(&q, x, y, ndim, shape, &o));
}

#ifdef GPUARR_STATIC /* set by what names one of these metrics: gi_metric */
static ga_array *(*gi_metrics_named)(const ga_array *x, const ga_array *y, ga_dtype dtype, int ndim, const int64_t *shape,
                                     const ga_distance_options *o);
#endif
