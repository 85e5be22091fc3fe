/* ---- calls for windows ------------------------------------------------------------------------------------------------- */

/* The window's size and place: from the footprint, or .sizes, or the size for all axes. */
static bool gi_place_window(const char *site, const ga_array *a, int64_t size, const ga_shape *sizes, const ga_array *footprint,
                            const ga_shape *origin, gi_correlation *c)
{
    const char *given = footprint ? "footprint" : sizes->ndim > 0 ? "sizes" : NULL;
    int         ndim  = footprint ? footprint->ndim : sizes->ndim;
    double      cells = 1;
    c->ndim           = a->ndim;
    if (given && size != 0) {
        gi_fail(site, GA_BAD_ARGUMENT, "the window is given twice: with .%s the size must be 0", given);
        return false;
    }
    if (given && ndim != a->ndim) {
        gi_fail(site, GA_BAD_SHAPE, ".%s has %d dimensions, the array %d", given, ndim, a->ndim);
        return false;
    }
    if (!gi_option_fits_axes(site, "origin", origin, a->ndim)) return false;
    for (int d = 0; d < a->ndim; d++) {
        int64_t n = footprint ? footprint->shape[d] : given ? sizes->n[d] : size, o = gi_option_for_axis(origin, d);
        if (n < 1 || n > INT32_MAX) {
            gi_fail(site, GA_BAD_ARGUMENT, "the window has %lld elements along axis %d: use 1 to %d", (long long)n, d,
                    INT32_MAX);
            return false;
        }
        if (o < -(n / 2) || o > (n - 1) / 2) {
            gi_fail(site, GA_BAD_ARGUMENT, ".origin = %lld along axis %d: for %lld elements use %lld to %lld", (long long)o, d,
                    (long long)n, (long long)-(n / 2), (long long)((n - 1) / 2));
            return false;
        }
        c->size[d]   = n;
        c->offset[d] = -(n / 2) - o;
        cells *= 2 * (double)n;
    }
    if (cells < 0x1p45) return true;
    gi_fail(site, GA_NO_MEMORY, "a window of shape %s is more than any machine can hold", gi_shape_text(c->ndim, c->size));
    return false;
}

/* How the elements of a dtype become keys. */
static gi_keys gi_keys_of(ga_dtype dtype, gi_window_kind kind)
{
    uint64_t sign = (uint64_t)1 << (8 * ga_itemsize(dtype) - 1);
    bool     turn = ga_itemsize(dtype) <= 2 ? gi_is_signed(dtype) : gi_is_unsigned(dtype);
    gi_keys  k;
    k.truth = dtype == GA_BOOL;
    k.real  = gi_is_float(dtype);
    k.flip  = (turn ? sign : 0) ^ (kind == GI_WINDOW_GREATEST ? UINT64_MAX : 0);
    k.nan   = kind == GI_WINDOW_RANK ? sign - 1 : sign; /* the greatest, the least */
    return k;
}

static bool gi_window_run(const char *site, const ga_array *a, const gi_window *w)
{
    if (a->size == 0) return true;
    return a->device == GA_CUDA ? gi_gpu->window(site, a, w) : gi_cpu_window(site, w);
}

typedef enum gi_rank_kind { GI_RANK_MEDIAN, GI_RANK_LEAST, GI_RANK_GREATEST, GI_RANK_PERCENTILE, GI_RANK_NUMBER } gi_rank_kind;

/* Which rank a call wants. */
typedef struct gi_rank_rule {
    gi_rank_kind kind;
    double       percentile;
    int64_t      number;
} gi_rank_rule;

/* -1 with an error: there is no such rank. */
static int64_t gi_wanted_rank(const char *site, const gi_rank_rule *rule, int64_t count)
{
    double  p = rule->percentile < 0 ? rule->percentile + 100 : rule->percentile;
    int64_t n = rule->number < 0 ? rule->number + count : rule->number;
    switch (rule->kind) {
    case GI_RANK_MEDIAN: return count / 2;
    case GI_RANK_LEAST: return 0;
    case GI_RANK_GREATEST: return count - 1;
    case GI_RANK_PERCENTILE:
        if (p >= 0 && p <= 100) return p == 100 ? count - 1 : (int64_t)((double)count * p / 100);
        gi_fail(site, GA_BAD_ARGUMENT, "percentile %g: use 0 to 100, or -100 to 0 to count from the greatest",
                rule->percentile);
        return -1;
    default:
        if (n >= 0 && n < count) return n;
        gi_fail(site, GA_BAD_ARGUMENT, "there is no rank %lld in a window of %lld elements: use %lld to %lld",
                (long long)rule->number, (long long)count, (long long)-count, (long long)count - 1);
        return -1;
    }
}

/* The filters that choose one of the elements. host: the footprint on the CPU, where its elements are counted. */
static ga_array *gi_window_choose(const ga_array *a, const gi_rank_rule *rule, const ga_array *footprint, const ga_array *host,
                                  gi_window *w, const ga_window_options *o)
{
    const char    *site  = o->site;
    const uint8_t *cells = host ? (const uint8_t *)host->data : NULL;
    w->count             = gi_shape_size(a->ndim, w->at.size);
    if (host) {
        int64_t count = 0;
        for (int64_t k = 0; k < host->size; k++) count += cells[k] != 0;
        if (count == 0) return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT, ".footprint has no true element");
        if (count < w->count) w->footprint = (const uint8_t *)(a->device == GA_CPU ? host : footprint)->data;
        w->count = count;
    }
    w->rank = gi_wanted_rank(site, rule, w->count);
    if (w->rank < 0) return NULL;
    if (o->border == GA_BORDER_CONSTANT && !gi_option_fits_dtype(site, "cval", o->cval, a->dtype)) return NULL;
    if (gi_is_deferred(a)) return gi_deferred()->choice(a, rule, host, w, o);
    w->kind = w->rank == 0 ? GI_WINDOW_LEAST : w->rank == w->count - 1 ? GI_WINDOW_GREATEST : GI_WINDOW_RANK;
    w->keys = gi_keys_of(a->dtype, w->kind);
    w->work = w->result = w->at.dtype = a->dtype;
    w->at.border                      = o->border;
    w->at.cval                        = o->cval;
    ga_array *in                      = gi_copy_contiguous(site, a, a->dtype),
             *result                  = in ? gi_array_new(site, a->dtype, a->device, a->ndim, a->shape) : NULL;
    bool done                         = false;
    if (result && a->ndim == 0) {
        done = gi_copy_assign(site, result, in);
    } else if (result) {
        w->at.in  = in->data;
        w->at.out = result->data;
        memcpy(w->at.shape, a->shape, sizeof w->at.shape);
        memcpy(w->at.result, a->shape, sizeof w->at.result);
        done = gi_window_run(site, in, w);
    }
    ga_free(in);
    if (done) return result;
    ga_free(result);
    return NULL;
}

static ga_array *gi_rank_filter(const ga_array *a, const gi_rank_rule *rule, int64_t size, const ga_window_options *o)
{
    const char     *site    = o->site;
    const ga_array *both[3] = { a, o->footprint, o->out };
    gi_window       w;
    memset(&w, 0, sizeof w);
    if (!gi_array_check_any(site, a, "a")) return NULL;
    if ((o->footprint && !gi_array_check(site, o->footprint, ".footprint")) ||
        (o->out && !gi_array_check(site, o->out, ".out")))
        return NULL;
    if (gi_is_complex(a->dtype))
        return (ga_array *)gi_fail(site, GA_BAD_DTYPE, "%s has no order: take the real part, or the absolute value",
                                   ga_dtype_name(a->dtype));
    if (gi_common_device(site, 3, both) == GA_DEVICE_DEFAULT || !gi_conv_check_border(site, o->border)) return NULL;
    if (!gi_place_window(site, a, size, &o->sizes, o->footprint, &o->origin, &w.at)) return NULL;
    ga_array *footprint = NULL, *host = NULL, *result = NULL;
    if (o->footprint) {
        footprint = gi_copy_contiguous(site, o->footprint, GA_BOOL);
        host      = footprint ? gi_copy_on_cpu(site, footprint) : NULL;
    }
    if (!o->footprint || host) result = gi_window_choose(a, rule, footprint, host, &w, o);
    ga_free(footprint);
    ga_free(host);
    return gi_copy_finish(site, result, a->dtype, o->out);
}

ga_array *(ga_median_filter)(const ga_array *a, int64_t size, ga_window_options o)
{
    const gi_rank_rule rule = { GI_RANK_MEDIAN, 0, 0 };
    return gi_options_window(&o) ? gi_rank_filter(a, &rule, size, &o) : NULL;
}

ga_array *(ga_minimum_filter)(const ga_array *a, int64_t size, ga_window_options o)
{
    const gi_rank_rule rule = { GI_RANK_LEAST, 0, 0 };
    return gi_options_window(&o) ? gi_rank_filter(a, &rule, size, &o) : NULL;
}

ga_array *(ga_maximum_filter)(const ga_array *a, int64_t size, ga_window_options o)
{
    const gi_rank_rule rule = { GI_RANK_GREATEST, 0, 0 };
    return gi_options_window(&o) ? gi_rank_filter(a, &rule, size, &o) : NULL;
}

ga_array *(ga_percentile_filter)(const ga_array *a, double percentile, int64_t size, ga_window_options o)
{
    const gi_rank_rule rule = { GI_RANK_PERCENTILE, percentile, 0 };
    return gi_options_window(&o) ? gi_rank_filter(a, &rule, size, &o) : NULL;
}

ga_array *(ga_rank_filter)(const ga_array *a, int64_t rank, int64_t size, ga_window_options o)
{
    const gi_rank_rule rule = { GI_RANK_NUMBER, 0, rank };
    return gi_options_window(&o) ? gi_rank_filter(a, &rule, size, &o) : NULL;
}
