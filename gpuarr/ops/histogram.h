/* ---- histogram, bincount ----------------------------------------------------------------------------------------- */
/*  Weights are added in the order of the elements within blocks of 65536 elements (or as many as there are bins, if
    these are more), and the sums of the blocks in the order of the blocks: so the result does not depend on the
    threads, and is NumPy's for a histogram. */

#define GI_COUNT_TILE ((int64_t)512)
#define GI_MOST_BINS  ((int64_t)1 << 48)
#define GI_COUNT_ROOM ((int64_t)1 << 23) /* bins of all blocks that are counted at once */

typedef struct gi_count_job {
    const ga_array *a, *weights;        /* contiguous; weights may be NULL */
    const double   *edges;              /* of a histogram; NULL: the elements are the numbers of their bins */
    int64_t         bins, block, first; /* elements of a block; the number of the first block that is counted now */
    double         *sums;               /* a row of bins for each block */
    int64_t        *counts;             /* not NULL: of the only block, without weights */
} gi_count_job;

GI_BEGIN_FAST

static void gi_bins_of(int64_t n, int64_t *bin, const double *x, const double *edges, int64_t bins)
{
    for (int64_t i = 0; i < n; i++) bin[i] = gi_bin_of(x[i], edges, bins);
}

/* The bins of n elements. room: of a tile. */
static const int64_t *gi_tile_bins(const gi_count_job *j, int64_t start, int64_t n, int64_t *room)
{
    const char *from = (const char *)j->a->data + start * ga_itemsize(j->a->dtype);
    if (j->edges) {
        double x[GI_COUNT_TILE];
        gi_cast(GA_F64, j->a->dtype, n, x, from);
        gi_bins_of(n, room, x, j->edges, j->bins);
    } else if (j->a->dtype == GA_I64) {
        return (const int64_t *)(const void *)from;
    } else {
        gi_cast(GA_I64, j->a->dtype, n, room, from);
    }
    return room;
}

static void gi_count_blocks(int64_t begin, int64_t end, void *job)
{
    const gi_count_job *j = (const gi_count_job *)job;
    double              weight[GI_COUNT_TILE];
    int64_t             room[GI_COUNT_TILE], n;
    for (int64_t b = begin; b < end; b++) {
        double *sums  = j->counts ? NULL : j->sums + b * j->bins;
        int64_t start = (j->first + b) * j->block, stop = j->a->size - start < j->block ? j->a->size : start + j->block;
        if (sums) memset(sums, 0, (size_t)j->bins * sizeof *sums);
        for (; start < stop; start += n) {
            n                  = stop - start < GI_COUNT_TILE ? stop - start : GI_COUNT_TILE;
            const int64_t *bin = gi_tile_bins(j, start, n, room);
            if (j->weights) {
                ga_dtype      dtype = j->weights->dtype;
                const double *w     = (const double *)j->weights->data + start;
                if (dtype != GA_F64) {
                    gi_cast(GA_F64, dtype, n, weight, (const char *)j->weights->data + start * ga_itemsize(dtype));
                    w = weight;
                }
                for (int64_t i = 0; i < n; i++)
                    if (bin[i] >= 0) sums[bin[i]] += w[i];
            } else if (j->counts) {
                for (int64_t i = 0; i < n; i++)
                    if (bin[i] >= 0) j->counts[bin[i]]++;
            } else {
                for (int64_t i = 0; i < n; i++)
                    if (bin[i] >= 0) sums[bin[i]] += 1;
            }
        }
    }
}

GI_END_FAST

/* The sums of the weights (of ones) in each bin: a new float64 array (of few ones, and on a GPU of ones, an int64 array). `edges` lies where a does. */
static ga_array *gi_count_bins(const char *site, const ga_array *a, const ga_array *weights, int64_t bins, const double *edges)
{
    if (a->device == GA_CUDA) return gi_gpu->count_bins(site, a, weights, bins, edges);
    const bool   one = a->size <= GI_COUNT_BLOCK, ones = one && !weights;
    ga_array    *total = gi_array_new(site, ones ? GA_I64 : GA_F64, a->device, 1, &bins); /* that many can be counted, then */
    gi_count_job j;
    if (!total) return NULL;
    memset(&j, 0, sizeof j);
    j.bins         = bins;
    j.edges        = edges;
    j.block        = bins > GI_COUNT_BLOCK ? bins : GI_COUNT_BLOCK;
    int64_t blocks = (a->size + j.block - 1) / j.block, at_once = bins > 0 ? GI_COUNT_ROOM / bins : blocks;
    if (at_once < 1) at_once = 1;
    if (at_once > 64) at_once = 64;
    if (at_once > blocks) at_once = blocks;
    size_t    bytes          = one ? 0 : (size_t)(at_once * bins) * sizeof(double);
    ga_array *packed         = gi_copy_contiguous(site, a, a->dtype);
    ga_array *packed_weights = packed && weights ? gi_copy_contiguous(site, weights, weights->dtype) : NULL;
    bool      done           = packed && (packed_weights || !weights);
    if (done) {
        memset(total->data, 0, (size_t)bins * sizeof(double));
        j.a       = packed;
        j.weights = packed_weights;
        j.counts  = ones ? (int64_t *)total->data : NULL;
        j.sums    = one ? (double *)total->data : (double *)gi_mem_alloc(site, bytes);
        done      = one || j.sums;
    }
    if (done && one) { /* straight into the result: 0 and such a sum are that sum */
        gi_count_blocks(0, blocks, &j);
        j.sums  = NULL;
        j.first = blocks;
    }
    for (; done && j.first < blocks; j.first += at_once) {
        int64_t count = blocks - j.first < at_once ? blocks - j.first : at_once;
        gi_parallel(count, 1, gi_count_blocks, &j);
        for (int64_t b = 0; b < count; b++)
            for (int64_t i = 0; i < bins; i++) ((double *)total->data)[i] += j.sums[b * bins + i];
    }
    gi_mem_release(j.sums, bytes);
    ga_free(packed_weights);
    ga_free(packed);
    if (done) return total;
    ga_free(total);
    return NULL;
}

static bool gi_check_weights(const char *site, const ga_array *weights, const ga_array *a)
{
    if (!weights) return true;
    if (!gi_array_check(site, weights, ".weights")) return false;
    if (!ga_same_shape(weights, a)) {
        gi_fail(site, GA_BAD_SHAPE, ".weights have shape %s, a %s: each element needs one", gi_shape_of(weights),
                gi_shape_of(a));
        return false;
    }
    if (gi_is_complex(weights->dtype)) {
        gi_fail(site, GA_BAD_DTYPE, ".weights are %s: they must be real", ga_dtype_name(weights->dtype));
        return false;
    }
    const ga_array *both[2] = { a, weights };
    return gi_common_device(site, 2, both) != GA_DEVICE_DEFAULT;
}

/* The smallest and the largest element (of at least one), as float64 or int64. */
static bool gi_min_max(const char *site, const ga_array *a, ga_dtype dtype, void *least, void *most)
{
    ga_reduce_options o   = gi_reduce_site(site);
    ga_array         *min = (ga_min)(a, o), *max = min ? (ga_max)(a, o) : NULL;
    bool              done = max && gi_item_as(site, min, NULL, dtype, least) && gi_item_as(site, max, NULL, dtype, most);
    ga_free(max);
    ga_free(min);
    return done;
}

/* The same of integers as int64. On the CPU the largest of their bits says enough where none is negative; then the smallest is said to be 0. */
static bool gi_whole_range(const char *site, const ga_array *a, int64_t *least, int64_t *most)
{
    if (a->device == GA_CPU && !gi_is_deferred(a) && a->dtype != GA_BOOL) {
        const int64_t     size = ga_itemsize(a->dtype), greatest = INT64_MAX >> (64 - 8 * size);
        ga_reduce_options o    = gi_reduce_site(site);
        ga_array          bits = *a;
        bits.dtype             = size == 1 ? GA_U8 : size == 2 ? GA_U16 : size == 4 ? GA_U32 : GA_U64;
        ga_array  *max         = (ga_max)(&bits, o);
        uint64_t   found       = 0;
        const bool done        = max && gi_item_as(site, max, NULL, GA_U64, &found);
        ga_free(max);
        *least = 0;
        *most  = (int64_t)found;
        if (!done || found <= (uint64_t)greatest || (gi_is_unsigned(a->dtype) && size < 8)) return done;
    }
    return gi_min_max(site, a, GA_I64, least, most);
}

static bool gi_histogram_range(const ga_array *a, const ga_histogram_options *o, double *low, double *high)
{
    const bool given = o->low != GA_REAL_DEFAULT;
    *low             = given ? o->low : 0;
    *high            = given ? o->high : 1;
    if (given != (o->high != GA_REAL_DEFAULT)) {
        gi_fail(o->site, GA_BAD_ARGUMENT, ".low and .high make a range together: give both, or neither");
        return false;
    }
    if (given && *low > *high) {
        gi_fail(o->site, GA_BAD_ARGUMENT, ".low = %g is above .high = %g", *low, *high);
        return false;
    }
    if (!given && a->size > 0 && !gi_min_max(o->site, a, GA_F64, low, high)) return false;
    if (*low != *low || *high != *high) {
        gi_fail(o->site, GA_BAD_ARGUMENT, "%s NaN, so there is no range: give .low and .high as numbers",
                given ? ".low or .high is" : "a holds a");
        return false;
    }
    if (!gi_isfinite_f64(*high - *low)) {
        gi_fail(o->site, GA_BAD_ARGUMENT, "the %s range from %g to %g is not finite: give .low and .high",
                given ? "given" : "data's", *low, *high);
        return false;
    }
    if (*low < *high) return true;
    *low -= 0.5;
    *high += 0.5;
    return true;
}

static double gi_rounded(ga_dtype dtype, double x) { return dtype == GA_F32 ? (double)(float)x : x; }

/* numpy.linspace in the precision that NumPy uses: the range of float32 data is worked out in float32, one that is
   given in float64 and rounded. */
static bool gi_histogram_edges(const ga_array *a, const ga_histogram_options *o, double low, double high, int64_t bins,
                               double *edges)
{
    bool     rounded = a->dtype == GA_F32;
    ga_dtype dtype   = rounded && o->low == GA_REAL_DEFAULT && a->size > 0 ? GA_F32 : GA_F64;
    low              = gi_rounded(dtype, low);
    high             = gi_rounded(dtype, high);
    double delta = gi_rounded(dtype, high - low), step = gi_rounded(dtype, delta / (double)bins);
    for (int64_t i = 0; i <= bins; i++) {
        double x = gi_rounded(dtype, (double)i);
        x        = step == 0 ? gi_rounded(dtype, gi_mul_f64(gi_rounded(dtype, x / (double)bins), delta))
                             : gi_rounded(dtype, gi_mul_f64(x, step));
        edges[i] = i == bins ? high : gi_rounded(rounded ? GA_F32 : GA_F64, x + low);
        if (rounded) edges[i] = (double)(float)edges[i];
        if (i == 0 || edges[i - 1] < edges[i]) continue;
        gi_fail(o->site, GA_BAD_ARGUMENT, "%lld bins are too many between %g and %g: neighbouring edges of %s are equal",
                (long long)bins, low, high, ga_dtype_name(rounded ? GA_F32 : GA_F64));
        return false;
    }
    return true;
}

/* Divides the sums by the widths of the bins, then by their total. */
static bool gi_to_density(const char *site, ga_array *sums, ga_dtype dtype, const double *edge)
{
    ga_map_options in_place = gi_map_site(site);
    in_place.out            = sums;
    ga_array *widths        = gi_array_new(site, GA_F64, GA_CPU, 1, sums->shape);
    ga_array *total         = widths ? (ga_sum)(sums, gi_reduce_site(site)) : NULL;
    for (int64_t i = 0; total && i < sums->size; i++)
        ((double *)widths->data)[i] = gi_rounded(dtype, edge[i + 1] - edge[i]); /* as numpy.diff */
    ga_array *there = total ? gi_copy_to(site, widths, sums->device) : NULL;
    bool      done =
        there && (ga_divide)(GA_ARG(sums), GA_ARG(there), in_place) && (ga_divide)(GA_ARG(sums), GA_ARG(total), in_place);
    ga_free(there);
    ga_free(total);
    ga_free(widths);
    return done;
}

/* The sums of a histogram, in the dtype of the weights, as NumPy has them: integers of few bits wrap around. Takes `sums` over. */
static ga_array *gi_finish_sums(const char *site, ga_array *sums, ga_dtype dtype)
{
    if (gi_is_int(dtype) && ga_itemsize(dtype) < 8) sums = gi_copy_finish(site, sums, GA_I64, NULL);
    return gi_copy_finish(site, sums, dtype, NULL);
}

/* The edges of the bins, in memory of the CPU. NULL with an error, also if a cannot be put into bins. */
static ga_array *gi_histogram_bins(const ga_array *a, int64_t bins, const ga_histogram_options *o)
{
    double low, high;
    if (!gi_array_check(o->site, a, "a") || !gi_check_weights(o->site, o->weights, a)) return NULL;
    if (gi_is_complex(a->dtype))
        return (ga_array *)gi_fail(o->site, GA_BAD_DTYPE, "a is %s: only real numbers can be put into bins",
                                   ga_dtype_name(a->dtype));
    if (bins < 1) return (ga_array *)gi_fail(o->site, GA_BAD_ARGUMENT, "%lld bins: give 1 or more", (long long)bins);
    if (bins > GI_MOST_BINS)
        return (ga_array *)gi_fail(o->site, GA_NO_MEMORY, "%lld bins are more than any machine can hold", (long long)bins);
    if (!gi_histogram_range(a, o, &low, &high)) return NULL;
    const int64_t points = bins + 1;
    ga_array     *edges  = gi_array_new(o->site, GA_F64, GA_CPU, 1, &points);
    if (!edges || gi_histogram_edges(a, o, low, high, bins, (double *)edges->data)) return edges;
    ga_free(edges);
    return NULL;
}

ga_array *(ga_histogram)(const ga_array *a, int64_t bins, ga_histogram_options o)
{
    GI_SETTLE_FLOATS;
    if (o.edges) *o.edges = NULL;
    ga_array *here   = gi_options_histogram(&o) ? gi_histogram_bins(a, bins, &o) : NULL;
    double   *edge   = here ? (double *)here->data : NULL;
    ga_array *edges  = !here ? NULL : a->device == GA_CPU ? (ga_view)(here, o.site) : gi_copy_to(o.site, here, a->device);
    ga_array *sums   = edges ? gi_count_bins(o.site, a, o.weights, bins, (const double *)edges->data) : NULL;
    ga_array *result = sums ? gi_finish_sums(o.site, sums, o.density ? GA_F64 : o.weights ? o.weights->dtype : GA_I64) : NULL;
    if (result && o.density && !gi_to_density(o.site, result, a->dtype, edge)) {
        ga_free(result);
        result = NULL;
    }
    if (o.edges && result) *o.edges = edges;
    else ga_free(edges);
    ga_free(here);
    return result;
}

ga_array *(ga_bincount)(const ga_array *a, ga_bincount_options o)
{
    GI_SETTLE_FLOATS;
    if (!gi_options_bincount(&o) || !gi_array_check(o.site, a, "a") || !gi_check_weights(o.site, o.weights, a)) return NULL;
    if (gi_dtype_kind(a->dtype) > 1)
        return (ga_array *)gi_fail(o.site, GA_BAD_DTYPE, "a is %s: only integers can be counted; use ga_astype",
                                   ga_dtype_name(a->dtype));
    if (a->ndim != 1)
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "a has shape %s: it must have one dimension", gi_shape_of(a));
    if (o.minlength < 0)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, ".minlength = %lld is negative", (long long)o.minlength);
    int64_t least = 0, most = -1;
    if (a->size > 0 && !gi_whole_range(o.site, a, &least, &most)) return NULL;
    if (least < 0 || (a->size > 0 && most < 0))
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "a holds numbers from %lld to %lld: they must not be negative",
                                   (long long)least, (long long)most);
    if (most >= GI_MOST_BINS || o.minlength > GI_MOST_BINS)
        return (ga_array *)gi_fail(
            o.site, GA_NO_MEMORY, "%s %lld: there is a counter for each number up to it, more than any machine can hold",
            most >= GI_MOST_BINS ? "a holds" : ".minlength =", (long long)(most >= GI_MOST_BINS ? most : o.minlength));
    ga_array *sums = gi_count_bins(o.site, a, o.weights, most + 1 > o.minlength ? most + 1 : o.minlength, NULL);
    return gi_copy_finish(o.site, sums, o.weights ? GA_F64 : GA_I64, NULL);
}
