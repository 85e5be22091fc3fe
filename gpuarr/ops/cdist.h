/* ==== >>distances: the calls ============================================================================================ */

static bool gi_check_points(const char *site, const ga_array *a, const char *name)
{
    if (!gi_array_check_any(site, a, name)) return false;
    if (a->ndim != 2)
        gi_fail(site, GA_BAD_SHAPE, "%s has shape %s: use (points, features), two dimensions", name, gi_shape_of(a));
    else if (gi_is_complex(a->dtype))
        gi_fail(site, GA_BAD_DTYPE, "%s is %s: there are no distances of complex numbers", name, ga_dtype_name(a->dtype));
    else return true;
    return false;
}

/* What an option of points with so many features must be. False with an error. */
static bool gi_check_distance_option(const char *site, const ga_array *a, const char *name, int ndim, int64_t features)
{
    if (!a) return true;
    if (!gi_array_check_any(site, a, name)) return false;
    if (a->ndim != ndim || a->shape[0] != features || a->shape[ndim - 1] != features)
        gi_fail(site, GA_BAD_SHAPE, "%s has shape %s: it must be %s for %lld features", name, gi_shape_of(a),
                ndim == 1 ? "one number for each feature," : "(features, features),", (long long)features);
    else if (gi_is_complex(a->dtype)) gi_fail(site, GA_BAD_DTYPE, "%s is %s: it must be real", name, ga_dtype_name(a->dtype));
    else return true;
    return false;
}

static bool gi_check_distance_options(const ga_distance_options *o, int64_t features)
{
    const ga_metric m = o->metric;
    if ((int)m < GA_EUCLIDEAN || m > GA_SEUCLIDEAN)
        gi_fail(o->site, GA_BAD_ARGUMENT, ".metric = %d is none: use GA_EUCLIDEAN, GA_CITYBLOCK ...", (int)m);
    else if (!(o->p > 0) || (o->p != 2 && m != GA_MINKOWSKI))
        gi_fail(o->site, GA_BAD_ARGUMENT, ".p = %g: it is for GA_MINKOWSKI, and greater than 0", o->p);
    else if (o->V && m != GA_SEUCLIDEAN) gi_fail(o->site, GA_BAD_ARGUMENT, ".V, the variances, is for GA_SEUCLIDEAN");
    else if (o->VI && m != GA_MAHALANOBIS)
        gi_fail(o->site, GA_BAD_ARGUMENT, ".VI, the inverse covariances, is for GA_MAHALANOBIS");
    else if (o->w && (m == GA_JENSENSHANNON || m == GA_MAHALANOBIS || m == GA_SEUCLIDEAN))
        gi_fail(o->site, GA_BAD_ARGUMENT, "GA_JENSENSHANNON, GA_MAHALANOBIS and GA_SEUCLIDEAN take no weights .w");
    else
        return gi_check_distance_option(o->site, o->w, ".w", 1, features) &&
               gi_check_distance_option(o->site, o->V, ".V", 1, features) &&
               gi_check_distance_option(o->site, o->VI, ".VI", 2, features);
    return false;
}

/* Those of the metrics behind GA_COSINE, and all with weights. NULL with an error if the program has none of these. */
static ga_array *gi_distances_of_calls(const ga_array *x, const ga_array *y, ga_dtype dtype, int ndim, const int64_t *shape,
                                       const ga_distance_options *o)
{
#ifdef GPUARR_STATIC
    __typeof__(gi_metrics_named) f = __atomic_load_n(&gi_metrics_named, __ATOMIC_RELAXED);
    if (f) return f(x, y, dtype, ndim, shape, o);
    return (ga_array *)gi_fail(
        o->site, GA_BAD_ARGUMENT,
        "nothing in this program of one file names a metric that takes .w: write .metric = (GA_MINKOWSKI, metric)");
#else
    return gi_metric_distances(x, y, dtype, ndim, shape, o);
#endif
}

/* The common part of ga_cdist and ga_pdist (y is NULL). */
static ga_array *gi_distances_into(const ga_array *x, const ga_array *y, int ndim, const int64_t *shape,
                                   const ga_distance_options *asked)
{
    GI_SETTLE_FLOATS;
    ga_distance_options given = *asked, *o = &given;
    const ga_array     *all[6] = { x, y, o->out, o->w, o->V, o->VI };
    ga_dtype            dtype  = (y ? ga_promote(x->dtype, y->dtype) : x->dtype) == GA_F32 ? GA_F32 : GA_F64;
    if (!gi_check_distance_options(o, x->shape[1]) || (o->out && !gi_check_out(o->site, o->out, dtype, ndim, shape)) ||
        gi_common_device(o->site, 6, all) == GA_DEVICE_DEFAULT)
        return NULL;
    if (o->metric == GA_MINKOWSKI && (o->p == 1 || o->p == 2 || o->p > DBL_MAX)) {
        o->metric = o->p == 1 ? GA_CITYBLOCK : o->p == 2 ? GA_EUCLIDEAN : GA_CHEBYSHEV;
        o->p      = 2;
    }
    if (o->metric > GA_COSINE || o->w) return gi_distances_of_calls(x, y, dtype, ndim, shape, o);
    if (gi_distances_defer(x, y, o)) return gi_deferred()->distances(x, y, dtype, ndim, shape, o);
    return gi_distances_by_tiles(x, y, dtype, ndim, shape, o);
}

ga_array *(ga_cdist)(const ga_array *x, const ga_array *y, ga_distance_options o)
{
    if (!gi_options_distance(&o) || !gi_check_points(o.site, x, "x") || !gi_check_points(o.site, y, "y")) return NULL;
    if (x->shape[1] != y->shape[1])
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "x has shape %s and y %s: their points must have as many features",
                                   gi_shape_of(x), gi_shape_of(y));
    const int64_t shape[2] = { x->shape[0], y->shape[0] };
    return gi_distances_into(x, y, 2, shape, &o);
}

ga_array *(ga_pdist)(const ga_array *x, ga_distance_options o)
{
    if (!gi_options_distance(&o) || !gi_check_points(o.site, x, "x")) return NULL;
    const int64_t pairs = gi_pairs(o.site, x->shape[0]);
    return pairs < 0 ? NULL : gi_distances_into(x, NULL, 1, &pairs, &o);
}

#ifdef GPUARR_STATIC /* from here on, what names one of these metrics brings them into the program */
GA_API ga_metric gi_metric(ga_metric metric)
{
    __atomic_store_n(&gi_metrics_named, &gi_metric_distances, __ATOMIC_RELAXED);
    return metric;
}
#define GA_BRAYCURTIS    gi_metric(GA_BRAYCURTIS)
#define GA_CANBERRA      gi_metric(GA_CANBERRA)
#define GA_CORRELATION   gi_metric(GA_CORRELATION)
#define GA_HAMMING       gi_metric(GA_HAMMING)
#define GA_JENSENSHANNON gi_metric(GA_JENSENSHANNON)
#define GA_MAHALANOBIS   gi_metric(GA_MAHALANOBIS)
#define GA_MINKOWSKI     gi_metric(GA_MINKOWSKI)
#define GA_SEUCLIDEAN    gi_metric(GA_SEUCLIDEAN)
#endif
