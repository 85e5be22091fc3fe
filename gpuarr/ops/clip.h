/* ---- kappa-sigma clipping ------------------------------------------------------------------------------------------------ */

typedef struct gi_clipping {
    const ga_array *x; /* contiguous */
    char            bounds[16];
    uint64_t       *bits;   /* what is kept */
    int64_t        *counts; /* of each chunk: elements kept; then where they go */
    char           *out;    /* their copies */
    bool           *mask;   /* or what is not kept */
} gi_clipping;

enum { GI_CLIP_CHUNK = 16384 };

static int64_t gi_clip_chunk_end(const gi_clipping *c, int64_t start)
{
    return c->x->size - start < GI_CLIP_CHUNK ? c->x->size : start + GI_CLIP_CHUNK;
}

static void gi_clip_sift(int64_t begin, int64_t end, void *job)
{
    gi_clipping *c = (gi_clipping *)job;
    for (int64_t chunk = begin; chunk < end; chunk++) {
        int64_t     start = chunk * GI_CLIP_CHUNK, n = gi_clip_chunk_end(c, start) - start;
        const char *x    = (const char *)c->x->data + start * ga_itemsize(c->x->dtype);
        c->counts[chunk] = gi_sift(c->x->dtype, n, x, c->bounds, c->bits + start / 64);
    }
}

GI_BEGIN_FAST
/* The first bit that is not set from bit i on, n if there is none. */
static GI_INLINE int64_t gi_next_gap(const uint64_t *bits, int64_t i, int64_t n)
{
    while (i < n) {
        uint64_t word = ~bits[i / 64] >> (i % 64);
        if (word) return i + __builtin_ctzll(word) < n ? i + __builtin_ctzll(word) : n;
        i = (i / 64 + 1) * 64;
    }
    return n;
}

static void gi_clip_copy(int64_t begin, int64_t end, void *job)
{
    gi_clipping *c    = (gi_clipping *)job;
    int64_t      size = ga_itemsize(c->x->dtype);
    for (int64_t chunk = begin; chunk < end; chunk++) {
        int64_t     start = chunk * GI_CLIP_CHUNK, stop = gi_clip_chunk_end(c, start);
        const char *in  = (const char *)c->x->data;
        char       *out = c->out + c->counts[chunk] * size;
        for (int64_t i = gi_next_bit(c->bits, start, stop); i < stop;) { /* run by run */
            int64_t gap = gi_next_gap(c->bits, i, stop);
            memcpy(out, in + i * size, (size_t)((gap - i) * size));
            out += (gap - i) * size;
            i = gi_next_bit(c->bits, gap, stop);
        }
    }
}

static void gi_clip_mask(int64_t begin, int64_t end, void *job)
{
    gi_clipping *c = (gi_clipping *)job;
    uint64_t     bits[GI_CLIP_CHUNK / 64];
    for (int64_t chunk = begin; chunk < end; chunk++) {
        int64_t start = chunk * GI_CLIP_CHUNK, n = gi_clip_chunk_end(c, start) - start;
        gi_sift(c->x->dtype, n, (const char *)c->x->data + start * ga_itemsize(c->x->dtype), c->bounds, bits);
        for (int64_t i = 0; i < n; i++) c->mask[start + i] = !(bits[i / 64] >> (i % 64) & 1);
    }
}
GI_END_FAST

/* A new 1-D array with the elements of a contiguous x between or on the bounds, in their order; if that is all, maybe a view of x. */
static ga_array *gi_keep_between(const char *site, const ga_array *x, double low, double high)
{
    if (x->device == GA_CUDA) return gi_gpu->keep_between(site, x, low, high);
    int64_t chunks = (x->size + GI_CLIP_CHUNK - 1) / GI_CLIP_CHUNK, kept = 0, stride = ga_itemsize(x->dtype);
    size_t  count_bytes = (size_t)chunks * sizeof(int64_t), bytes = count_bytes + (size_t)(x->size / 64 + 1) * sizeof(uint64_t);
    gi_clipping c;
    memset(&c, 0, sizeof c);
    c.x      = x;
    c.counts = (int64_t *)gi_mem_alloc(site, bytes);
    if (!c.counts) return NULL;
    c.bits = (uint64_t *)(c.counts + chunks);
    gi_sift_bounds(x->dtype, low, high, c.bounds);
    gi_parallel(chunks, 2, gi_clip_sift, &c);
    for (int64_t i = 0; i < chunks; i++) {
        int64_t count = c.counts[i];
        c.counts[i]   = kept;
        kept += count;
    }
    ga_array *result = kept == x->size ? gi_array_new_view(site, x, x->data, x->dtype, 1, &kept, &stride)
                                       : gi_array_new(site, x->dtype, x->device, 1, &kept);
    if (result && kept < x->size) {
        c.out = (char *)result->data;
        gi_parallel(chunks, 2, gi_clip_copy, &c);
    }
    gi_mem_release(c.counts, bytes);
    return result;
}

/* mask: which elements of a contiguous x do not lie between or on the bounds. */
static bool gi_mask_outside(const char *site, const ga_array *x, double low, double high, ga_array *mask)
{
    if (x->device == GA_CUDA) return gi_gpu->between(site, x, low, high, mask, false);
    gi_clipping c;
    memset(&c, 0, sizeof c);
    c.x    = x;
    c.mask = (bool *)mask->data;
    gi_sift_bounds(x->dtype, low, high, c.bounds);
    gi_parallel((x->size + GI_CLIP_CHUNK - 1) / GI_CLIP_CHUNK, 2, gi_clip_mask, &c);
    return true;
}

/* Median (or mean) and standard deviation of a 1-D array without NaN, in float64; NaN for none. */
static bool gi_center_and_std(const char *site, const ga_array *x, bool mean, double *center, double *std)
{
    ga_reduce_options r = gi_reduce_site(site);
    ga_array         *m, *s = NULL;
    r.dtype = GA_F64;
    if (mean) {
        m = (ga_mean)(x, r);
    } else {
        ga_order_options options = ga_order_defaults;
        gi_order         o;
        double           half  = 0.5;
        int64_t          place = 0;
        memset(&o, 0, sizeof o);
        if (!gi_order_plan(site, &o, "ga_sigma_clip", x, &options)) return false;
        m = gi_array_new(site, GA_F64, x->device, 0, NULL);
        if (!m) return false;
        o.rule.median = true;
        o.rule.result = GA_F64;
        o.count       = 1;
        o.quantiles   = &half;
        o.places      = &place;
        o.out         = (char *)m->data;
        o.result      = m;
        if (!gi_order_run(site, &o)) {
            ga_free(m);
            return false;
        }
    }
    bool known = m && gi_item_as(site, m, NULL, GA_F64, center);
    if (known) s = gi_moment_real(GI_STD, false, x, &r);
    known = s && gi_item_as(site, s, NULL, GA_F64, std);
    ga_free(s);
    ga_free(m);
    return known;
}

/* The number next to x upwards or downwards, so that "less than" becomes "at most"; infinities become the largest numbers:
   what is kept is finite. */
static double gi_inside(double x, bool strictly, double towards)
{
    if (strictly) x = nextafter(x, towards);
    return x < -DBL_MAX ? -DBL_MAX : x > DBL_MAX ? DBL_MAX : x;
}

/* What is asked for, and how far it has come. */
typedef struct gi_clip_rounds {
    bool   lesson, mean;
    double below, above; /* how many standard deviations */
    int    most, passes; /* rounds */
    double keep_low, keep_high;
    double low, high, std; /* of the last round that was looked at */
    bool   settled;        /* it removes nothing */
} gi_clip_rounds;
