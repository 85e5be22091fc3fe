/* ==== >>morphology: distance transforms ================================================================================= */
/*  Along one axis after the other: the distance of q from what lies on its line is the least of those that the elements p of the line
    give, by the distances that they have from the axes before. Of p < u, u is the nearer one from a certain q on, so that a stack keeps the
    elements that are nearest somewhere (Meijster, Roerdink, Hesselink 2000; Felzenszwalb, Huttenlocher 2012).                  */

typedef struct gi_distance_rule {
    int    metric; /* a ga_metric */
    double square; /* of the distance of two neighbours; 1 but for GA_EUCLIDEAN, whose distances are squared here */
} gi_distance_rule;

GI_BEGIN_FAST
/* From an element that is `steps` away, and has the distance f itself. */
static inline double gi_transform_from(int metric, double square, double steps, double f)
{
    if (metric == GA_EUCLIDEAN) return gi_mul_f64(gi_mul_f64(steps, steps), square) + f;
    return fabs(steps) > f ? fabs(steps) : f;
}

/* The first q from which u is nearer than i < u; n or more: none. It is above 0. */
static inline double gi_transform_first(int metric, double square, double i, double f, double u, double g, double n)
{
    double middle = (double)((int64_t)(i + u) / 2);
    if (metric == GA_EUCLIDEAN) {
        double last = ((g - f) / square + gi_mul_f64(u - i, u + i)) / (2 * (u - i));
        return last < n ? (double)(int64_t)last + 1 : n;
    }
    return 1 + (f <= g ? (i + g > middle ? i + g : middle) : u - f < middle ? u - f : middle);
}

static inline void gi_transform_line(int metric, double square, int64_t n, double *x, int64_t *source, void *spare)
{
    double  *best = (double *)spare, *from = best + n, *start = from + n; /* of the stack: the distance, where, the first q */
    int64_t *was = (int64_t *)spare + 3 * n;                              /* and the source */
    int64_t  top = -1;
    double   u = 0, q = (double)(n - 1), end = (double)n;
    for (int64_t i = 0; i < n; i++, u++) {
        double f = x[i];
        if (f > DBL_MAX) continue;
        while (top >= 0 && gi_transform_from(metric, square, start[top] - from[top], best[top]) >
                               gi_transform_from(metric, square, start[top] - u, f))
            top--;
        double first = top < 0 ? 0 : gi_transform_first(metric, square, from[top], best[top], u, f, end);
        if (top >= 0 && first <= start[top]) first = start[top] + 1;
        if (first >= end) continue;
        top++;
        best[top]  = f;
        from[top]  = u;
        start[top] = first;
        if (source) was[top] = source[i];
    }
    for (int64_t i = n - 1; i >= 0 && top >= 0; i--, q--) {
        x[i] = gi_transform_from(metric, square, q - from[top], best[top]);
        if (source) source[i] = was[top];
        if (q == start[top]) top--;
    }
}

static void gi_transform_lines(const gi_sweep *s, int64_t width, double *x, int64_t *source, void *spare)
{
    const gi_distance_rule *t = (const gi_distance_rule *)s->user;
    for (int64_t k = 0; k < width; k++) {
        int64_t *from = source ? source + k * s->n : NULL;
        if (t->metric == GA_EUCLIDEAN) gi_transform_line(GA_EUCLIDEAN, t->square, s->n, x + k * s->n, from, spare);
        else gi_transform_line(GA_CHEBYSHEV, 1, s->n, x + k * s->n, from, spare);
    }
}

/* Each element takes a shorter way by the one before it. */
static inline void gi_transform_steps(int64_t n, int64_t width, double *x, int64_t *source, int64_t step)
{
    for (int64_t i = 1; i < n; i++, x += step) {
        for (int64_t k = 0; source && k < width; k++) source[step + k] = x[k] + 1 < x[step + k] ? source[k] : source[step + k];
        for (int64_t k = 0; k < width; k++) x[step + k] = x[k] + 1 < x[step + k] ? x[k] + 1 : x[step + k];
        if (source) source += step;
    }
}

/* The first axis, and all of GA_CITYBLOCK. */
static void gi_transform_scan(const gi_sweep *s, int64_t width, double *x, int64_t *source, void *spare)
{
    const gi_distance_rule *t = (const gi_distance_rule *)s->user;
    (void)spare;
    for (int back = 0; back < 2; back++) {
        int64_t end = back ? (s->n - 1) * width : 0, step = back ? -width : width;
        if (width == GI_SWEEP_LINES && !source) gi_transform_steps(s->n, GI_SWEEP_LINES, x + end, NULL, step);
        else gi_transform_steps(s->n, width, x + end, source ? source + end : NULL, step);
    }
    for (int64_t i = 0; t->metric == GA_EUCLIDEAN && i < s->n * width; i++)
        x[i] = gi_mul_f64(gi_mul_f64(x[i], x[i]), t->square);
}
GI_END_FAST

/* (ndim, ...): where the sources are; -1 where there is none. */
static ga_array *gi_transform_indices(const char *site, const ga_array *a, const ga_array *distances, const int64_t *source)
{
    int64_t shape[GPUARR_MAX_DIMS + 1];
    if (a->ndim == GPUARR_MAX_DIMS)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE, ".indices has a dimension more than a, which has %d already", a->ndim);
    shape[0] = a->ndim;
    for (int d = 0; d < a->ndim; d++) shape[d + 1] = a->shape[d];
    ga_array *r = gi_array_new(site, GA_I32, GA_CPU, a->ndim + 1, shape);
    for (int64_t i = 0; r && i < a->size; i++) {
        int64_t at[GPUARR_MAX_DIMS];
        gi_unravel(source[i], a->ndim, a->shape, at);
        for (int d = 0; d < a->ndim; d++)
            ((int32_t *)r->data)[d * a->size + i] = ((const double *)distances->data)[i] > DBL_MAX ? -1 : (int32_t)at[d];
    }
    return r;
}

/* float64, of GA_EUCLIDEAN squared, infinite where a has no 0; a has no complex numbers. */
static ga_array *gi_transform_all(const gi_composition *c, const ga_array *a, const ga_transform_options *o, ga_array **indices)
{
    ga_array *r     = (ga_where)(a, GA_ARG(INFINITY), GA_ARG(0.0), gi_map_site(c->site));
    size_t    bytes = (size_t)a->size * sizeof(int64_t);
    bool      done  = r != NULL;
    gi_sweep  s;
    memset(&s, 0, sizeof s);
    s.a      = r;
    s.spare  = 4;
    s.source = r && o->indices ? (int64_t *)gi_mem_alloc(c->site, bytes) : NULL;
    if (o->indices && !s.source) return NULL;
    for (int64_t i = 0; s.source && i < a->size; i++) s.source[i] = i;
    for (int d = a->ndim - 1; d >= 0 && done; d--) {
        double           step = o->sampling ? o->sampling[d] : 1;
        gi_distance_rule t;
        t.metric = o->metric;
        t.square = gi_mul_f64(step, step);
        s.user   = &t;
        s.apart  = d < a->ndim - 1 && o->metric != GA_CITYBLOCK;
        s.run    = s.apart ? gi_transform_lines : gi_transform_scan;
        done     = gi_sweep_axis(c->site, &s, d);
    }
    if (done && s.source) done = (*indices = gi_transform_indices(c->site, a, r, s.source)) != NULL;
    if (s.source) gi_mem_release(s.source, bytes);
    return done ? r : NULL;
}

static ga_array *gi_transform_call(const ga_array *a, const ga_transform_options *o, ga_dtype dtype)
{
    GI_SETTLE_FLOATS;
    if (o->indices) *o->indices = NULL;
    if (!gi_check_on_cpu(o->site, a, "a")) return NULL;
    if (o->metric != GA_EUCLIDEAN && o->metric != GA_CITYBLOCK && o->metric != GA_CHEBYSHEV)
        return (ga_array *)gi_fail(o->site, GA_BAD_ARGUMENT, ".metric = %d: use GA_EUCLIDEAN, GA_CITYBLOCK or GA_CHEBYSHEV",
                                   (int)o->metric);
    for (int d = 0; o->sampling && d < a->ndim; d++)
        if (!(o->sampling[d] > 0 && o->sampling[d] < 1e150) || o->metric != GA_EUCLIDEAN)
            return (ga_array *)gi_fail(o->site, GA_BAD_ARGUMENT, ".sampling: use numbers above 0, with GA_EUCLIDEAN");
    gi_composition c;
    ga_array      *indices = NULL;
    gi_compose_begin(&c, o->site);
    ga_array *r = gi_transform_all(&c, a, o, &indices);
    if (r && o->metric == GA_EUCLIDEAN) r = GI_DO_1(&c, sqrt, r);
    if (r && dtype == GA_I32) r = (ga_where)(GI_DO_1(&c, isfinite, r), gi_operand_arg(r), GA_ARG(-1.0), gi_map_site(o->site));
    if (r) r = gi_copy_convert(o->site, r, dtype);
    if (r && o->indices) *o->indices = gi_compose_keep(&c, indices);
    return gi_compose_end(&c, r);
}

ga_array *(ga_distance_transform_edt)(const ga_array *a, ga_transform_options o)
{
    if (!gi_options_transform(&o)) return NULL;
    if (o.metric == -1) o.metric = GA_EUCLIDEAN;
    if (o.metric != GA_EUCLIDEAN) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, ".metric is GA_EUCLIDEAN here");
    return gi_transform_call(a, &o, GA_F64);
}
ga_array *(ga_distance_transform_cdt)(const ga_array *a, ga_transform_options o)
{
    if (!gi_options_transform(&o)) return NULL;
    if (o.metric == -1) o.metric = GA_CHEBYSHEV;
    if (o.metric == GA_EUCLIDEAN)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT,
                                   ".metric is GA_CHEBYSHEV or GA_CITYBLOCK here: see ga_distance_transform_edt");
    return gi_transform_call(a, &o, GA_I32);
}
ga_array *(ga_distance_transform_bf)(const ga_array *a, ga_transform_options o)
{
    if (!gi_options_transform(&o)) return NULL;
    if (o.metric == -1) o.metric = GA_EUCLIDEAN;
    return gi_transform_call(a, &o, o.metric == GA_EUCLIDEAN ? GA_F64 : GA_U32);
}
