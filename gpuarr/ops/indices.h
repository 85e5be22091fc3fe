/* ---- order and places: lexsort, ravel_multi_index, unravel_index ------------------------------------------------------- */

/* The order so far (NULL: as they lie), sorted by a key; each sort keeps the order of those before. */
static ga_array *gi_do_order(const gi_composition *c, const ga_array *key, const ga_array *order)
{
    if (!order) return gi_do_along(c, (ga_argsort), key, 0);
    ga_array *moved = gi_do_take(c, key, order, 0), *next = moved ? gi_do_along(c, (ga_argsort), moved, 0) : NULL;
    return next ? gi_do_take(c, order, next, 0) : NULL;
}

/* The order by keys of one or two bytes; NULL with an error, or *declined. */
static ga_array *gi_order_by_digits(const char *site, int n, const ga_array *const *keys, bool *declined)
{
    gi_digit digit[GI_ORDER_MOST];
    int      digits = 0;
    for (int k = 0, more = 1; k < n; k++, digits += more) {
        const bool there = keys[k]->device == GA_CPU && !gi_is_deferred(keys[k]) && digits <= GI_ORDER_MOST - 2;
        more             = there ? gi_order_digits(keys[k], &digit[digits]) : 0;
        if ((*declined = more == 0)) return NULL;
    }
    ga_array *order = gi_array_new(site, GA_I64, GA_CPU, 1, keys[0]->shape);
    if (!order || gi_order_counted(site, order->size, digits, digit, (int64_t *)order->data)) return order;
    ga_free(order);
    return NULL;
}

ga_array *(ga_lexsort_n)(int n, const ga_array *const *keys, const char *site)
{
    if (!gi_join_check_list(site, n, keys)) return NULL;
    for (int k = 0; k < n; k++) {
        char name[40];
        snprintf(name, sizeof name, "key number %d", k);
        if (n > 1 && !gi_array_check(site, keys[k], name)) return NULL; /* in memory, so that one orders another */
        if (keys[k]->ndim != 1 || keys[k]->size != keys[0]->size)
            return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "%s has shape %s: all have one dimension and the same length", name,
                                       gi_shape_of(keys[k]));
    }
    bool      declined;
    ga_array *order = gi_order_by_digits(site, n, keys, &declined);
    if (!declined) return order;
    gi_composition c;
    gi_compose_begin(&c, site);
    order = gi_do_order(&c, keys[0], NULL);
    for (int k = 1; k < n && order; k++) order = gi_do_order(&c, keys[k], order);
    return gi_compose_end(&c, order);
}

/* ---- places in a shape, and in its elements in C order ------------------------------------------------------------------------ */

/* Integers as int64 of 0 to n - 1, by the mode. */
static ga_array *gi_do_bounded(const gi_composition *c, const ga_array *index, int64_t n, ga_take_mode mode)
{
    bool outside = false;
    if (mode == GA_TAKE_WRAP && n > 0) return GI_DO_2(c, remainder, index, n);
    if (mode == GA_TAKE_CLIP && n > 0) return (ga_clip)(GA_ARG(index), GA_ARG(0), GA_ARG(n - 1), gi_map_site(c->site));
    ga_array *both = GI_DO_2(c, logical_or, GI_DO_2(c, less, index, 0), GI_DO_2(c, greater_equal, index, n));
    ga_array *any  = both ? gi_do_fold(c, (ga_any), both, GA_AXIS_DEFAULT, false) : NULL;
    if (!any || !gi_item_as(c->site, any, NULL, GA_BOOL, &outside)) return NULL;
    if (!outside) return (ga_view)(index, c->site);
    return (ga_array *)gi_fail(c->site, GA_BAD_ARGUMENT, "an index is out of bounds for a length of %lld", (long long)n);
}

static ga_array *gi_do_integers(const gi_composition *c, const ga_array *a)
{
    if (!gi_array_check(c->site, a, "indices")) return NULL;
    if (gi_dtype_kind(a->dtype) != 1)
        return (ga_array *)gi_fail(c->site, GA_BAD_DTYPE, "indices are %s: they must be integers", ga_dtype_name(a->dtype));
    return (ga_astype)(a, GA_I64, c->site);
}

ga_array *(ga_ravel_multi_index)(const ga_array *indices, ga_shape shape, ga_mode_options o)
{
    if (!gi_array_check(o.site, indices, "indices") || gi_shape_count(o.site, GA_U8, &shape) < 0) return NULL;
    if (indices->ndim < 1 || indices->shape[0] != shape.ndim)
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE,
                                   "indices have shape %s: the first axis must have length %d, that of %s",
                                   gi_shape_of(indices), shape.ndim, gi_shape_text(shape.ndim, shape.n));
    if ((int)o.mode < GA_TAKE_RAISE || o.mode > GA_TAKE_CLIP)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, ".mode = %d is not GA_TAKE_RAISE, GA_TAKE_WRAP or GA_TAKE_CLIP",
                                   (int)o.mode);
    gi_composition c;
    gi_compose_begin(&c, o.site);
    ga_array *all = gi_do_integers(&c, indices), *sum = NULL;
    for (int d = 0; all && d < shape.ndim; d++) {
        ga_array *row    = gi_do_part(&c, all, 0, d, 1),
                 *line   = row ? gi_do_reshape(&c, row, all->ndim - 1, all->shape + 1) : NULL;
        ga_array *within = line ? gi_do_bounded(&c, line, shape.n[d], o.mode) : NULL;
        if (!within) break;
        sum = sum ? (ga_multiply_add)(GA_ARG(sum), GA_ARG(shape.n[d]), GA_ARG(within), gi_map_site(o.site))
                  : (ga_copy)(within, o.site);
        if (!sum || d == shape.ndim - 1) return gi_compose_end(&c, sum);
    }
    if (all && shape.ndim == 0) gi_fail(o.site, GA_BAD_SHAPE, "the shape has no dimensions: there is nothing to index");
    return gi_compose_end(&c, NULL);
}

ga_array *(ga_unravel_index)(ga_arg indices, ga_shape shape, const char *site)
{
    const int64_t size = gi_shape_count(site, GA_U8, &shape);
    if (size < 0) return NULL;
    if (shape.ndim == 0)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "the shape has no dimensions: there is nothing to index");
    gi_composition c;
    gi_compose_begin(&c, site);
    const ga_array *rows[GPUARR_MAX_DIMS];
    ga_array *given = gi_do_array(&c, indices, "indices", GA_DEVICE_DEFAULT), *flat = given ? gi_do_integers(&c, given) : NULL;
    ga_array *left = flat ? gi_do_bounded(&c, flat, size, GA_TAKE_RAISE) : NULL;
    for (int d = shape.ndim - 1; d >= 0 && left; d--) {
        rows[d] = d == 0 ? left : GI_DO_2(&c, remainder, left, shape.n[d] > 0 ? shape.n[d] : 1);
        left    = d == 0 || !rows[d] ? left : GI_DO_2(&c, floor_divide, left, shape.n[d] > 0 ? shape.n[d] : 1);
        if (!rows[d]) left = NULL;
    }
    ga_axis_options stacked = ga_axis_defaults;
    stacked.site            = site;
    return gi_compose_end(&c, left ? (ga_stack_n)(shape.ndim, rows, stacked) : NULL);
}

/* ---- histograms of several dimensions ------------------------------------------------------------------------------------------ */

ga_array *(ga_histogram_bin_edges)(const ga_array *a, int64_t bins, ga_histogram_options o)
{
    if (o.edges)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "ga_histogram_bin_edges takes no .edges: they are what it returns");
    GI_SETTLE_FLOATS;
    if (!gi_options_histogram(&o) || (o.weights && !gi_array_check(o.site, o.weights, ".weights"))) return NULL;
    o.weights       = NULL;
    ga_array *edges = gi_histogram_bins(a, bins, &o);
    if (!edges || a->device == GA_CPU) return edges;
    ga_array *there = gi_copy_to(o.site, edges, a->device);
    ga_free(edges);
    return there;
}

/* A column as it is put into bins: in float64, or in float32 if its edges are to be, as NumPy's of float32 without a range. */
static ga_array *gi_do_column(const gi_composition *c, const ga_array *sample, int d, double low)
{
    const bool single = sample->dtype == GA_F32 && low == GA_REAL_DEFAULT && sample->size > 0;
    ga_array  *part = gi_do_part(c, sample, 1, d, 1), *x = part ? (ga_astype)(part, single ? GA_F32 : GA_F64, c->site) : NULL;
    return x ? (ga_ravel)(x, c->site) : NULL;
}

/* The edges of a column's bins, and for each of its elements the number of its bin, from 1 on; 0 and bins + 1 are outside. */
static bool gi_do_bins(const gi_composition *c, const ga_array *x, int64_t bins, double low, double high, ga_array **edges,
                       ga_array **place)
{
    ga_histogram_options o = ga_histogram_defaults;
    o.site                 = c->site;
    o.low                  = low;
    o.high                 = high;
    *place                 = NULL;
    *edges                 = (ga_histogram_bin_edges)(x, bins, o);
    ga_array *number       = *edges ? gi_do_search(c, *edges, x, true, NULL) : NULL,
             *last         = number ? gi_do_part(c, *edges, 0, bins, 1) : NULL;
    ga_array *at_end       = last ? GI_DO_2(c, equal, x, last) : NULL; /* the last bin has its upper edge, too */
    *place                 = at_end ? GI_DO_2(c, subtract, number, at_end) : NULL;
    return *place != NULL;
}

/* Counts of the bins without what lies outside; of densities, divided by their sum and the widths of the bins. */
static ga_array *gi_histogram_counts(const gi_composition *c, const ga_array *place, const ga_shape *bins,
                                     ga_array *const *edges, const ga_dtype *dtypes, const ga_histogramdd_options *o)
{
    ga_shape            all = *bins;
    ga_bincount_options b   = ga_bincount_defaults;
    const ga_array     *flat;
    ga_mode_options     r = ga_mode_defaults;
    r.site = b.site = c->site;
    for (int d = 0; d < all.ndim; d++) all.n[d] += 2;
    if ((b.minlength = gi_shape_count(c->site, GA_U8, &all)) < 0) return NULL;
    if (o->weights) b.weights = o->weights;
    flat             = (ga_ravel_multi_index)(place, all, r);
    ga_array *counts = flat ? (ga_bincount)(flat, b) : NULL, *wide = counts ? (ga_astype)(counts, GA_F64, c->site) : NULL;
    ga_array *core = wide ? (ga_reshape)(wide, all, c->site) : NULL, *total = NULL;
    for (int d = 0; d < all.ndim && core; d++) core = gi_do_part(c, core, d, 1, bins->n[d]);
    if (!core || !o->density) return core ? (ga_copy)(core, c->site) : NULL;
    total = gi_do_fold(c, (ga_sum), core, GA_AXIS_DEFAULT, false);
    for (int d = 0; d < all.ndim && core; d++) {
        const ga_array *exact = gi_do_diff(c, edges[d], 0), *widths = exact ? (ga_astype)(exact, dtypes[d], c->site) : NULL;
        core = GI_DO_2(c, divide, core, gi_do_turn(c, widths, d, all.ndim));
    }
    return core && total ? GI_DO_2(c, divide, core, total) : NULL;
}

ga_array *(ga_histogramdd)(const ga_array *sample, ga_shape bins, ga_histogramdd_options o)
{
    for (int d = 0; o.edges && d < bins.ndim && d < GPUARR_MAX_DIMS; d++) o.edges[d] = NULL;
    if (!gi_options_histogramdd(&o) || !gi_array_check(o.site, sample, "sample") || !gi_shape_check(o.site, bins.ndim, bins.n))
        return NULL;
    if (sample->ndim != 2 || sample->shape[1] != bins.ndim)
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE,
                                   "sample has shape %s: it must be (points, %d), a column for each number of bins",
                                   gi_shape_of(sample), bins.ndim);
    gi_composition c;
    gi_compose_begin(&c, o.site);
    ga_array       *edges[GPUARR_MAX_DIMS], **outs[GPUARR_MAX_DIMS], *place[GPUARR_MAX_DIMS];
    ga_array       *r = NULL;
    const ga_array *rows[GPUARR_MAX_DIMS];
    ga_dtype        dtypes[GPUARR_MAX_DIMS];
    ga_axis_options stacked = ga_axis_defaults;
    stacked.site            = o.site;
    int d                   = 0;
    for (; d < bins.ndim; d++) {
        const double    low  = o.ranges ? o.ranges[2 * d] : GA_REAL_DEFAULT;
        const ga_array *x    = gi_do_column(&c, sample, d, low);
        const double    high = o.ranges ? o.ranges[2 * d + 1] : GA_REAL_DEFAULT;
        if (!x || !gi_do_bins(&c, x, bins.n[d], low, high, &edges[d], &place[d])) break;
        rows[d]   = place[d];
        outs[d]   = o.edges ? &o.edges[d] : NULL;
        dtypes[d] = x->dtype;
    }
    if (d == bins.ndim) {
        ga_array *all = (ga_stack_n)(d, rows, stacked);
        r             = all ? gi_histogram_counts(&c, all, &bins, edges, dtypes, &o) : NULL;
    }
    for (int k = 0; r && k < d; k++)
        if (outs[k]) *outs[k] = gi_compose_keep(&c, edges[k]);
    return gi_compose_end(&c, r);
}

ga_array *(ga_histogram2d)(const ga_array *x, const ga_array *y, ga_shape bins, ga_histogramdd_options o)
{
    for (int d = 0; o.edges && d < 2; d++) o.edges[d] = NULL;
    if (bins.ndim == 1) {
        bins.ndim = 2;
        bins.n[1] = bins.n[0];
    }
    gi_composition c;
    gi_compose_begin(&c, o.site);
    const ga_array *both[2] = { x, y };
    ga_axis_options stacked = ga_axis_defaults;
    stacked.site            = o.site;
    stacked.axis            = 1;
    ga_array *sample = (ga_stack_n)(2, both, stacked), *r = NULL;
    if (sample && sample->ndim != 2)
        gi_fail(o.site, GA_BAD_SHAPE, "x has shape %s: both must have one dimension", gi_shape_of(x));
    else if (sample) r = (ga_histogramdd)(sample, bins, o);
    for (int d = 0; r && o.edges && d < 2; d++) gi_compose_keep(&c, o.edges[d]);
    return gi_compose_end(&c, r);
}
