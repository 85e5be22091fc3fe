/* ---- statistics ------------------------------------------------------------------------------------------------------ */
/*  What ga_mean, ga_median, ga_std, ga_min and ga_max return: a few blocks are folded for all of them before the next ones are read. */

typedef struct gi_describing {
    gi_reduction   mean;
    gi_moments     moments;
    gi_order       order; /* of the median */
    gi_rank_search search;
    gi_bracket     bracket;
    gi_range_loop  widen_range;
    double         range[GI_MOST_THREADS][2]; /* of each part: the least and the greatest element, in their dtype */
} gi_describing;

/* So many at once that the processor foresees most of what is read, so few that the caches keep them. */
enum { GI_DESCRIBE_BLOCKS = 16 };

static void gi_describe_parts(int64_t begin, int64_t end, void *job)
{
    gi_describing *d = (gi_describing *)job;
    const int64_t  n = GI_DESCRIBE_BLOCKS * GI_BLOCK, size = ga_itemsize(d->order.rule.source);
    const char    *first = (const char *)d->mean.lines.a->data;
    for (int64_t part = begin; part < end; part++) {
        int64_t i = gi_part_start(&d->search, part), stop = gi_part_start(&d->search, part + 1);
        for (int k = 0; k < 2; k++) memcpy((char *)d->range[part] + k * size, first + i * size, (size_t)size);
        for (int64_t beyond; i < stop; i = beyond) {
            beyond = stop - i < n ? stop : i + n;
            gi_collect_blocks(&d->bracket, part, i, beyond); /* reads them in the order that the processor foresees */
            gi_reduce_blocks(i / GI_BLOCK, (beyond + GI_BLOCK - 1) / GI_BLOCK, &d->mean);
            gi_moment_blocks(i / GI_BLOCK, (beyond + GI_BLOCK - 1) / GI_BLOCK, &d->moments);
            d->widen_range(beyond - i, first + i * size, d->range[part]);
        }
    }
}

/* The least and the greatest element, from those of the parts. False where these are uncertain: there may be NaN or -0. */
static bool gi_described_range(const gi_describing *d, double *min, double *max)
{
    bool odd = false;
    for (int64_t part = 0; part < d->search.parts; part++) {
        double range[2];
        gi_cast(GA_F64, d->order.rule.source, 2, range, d->range[part]);
        if (part == 0 || range[0] < *min) *min = range[0];
        if (part == 0 || range[1] > *max) *max = range[1];
        odd = odd || d->bracket.sifted[part].odd || d->bracket.found[part] > d->bracket.room - GI_PICK_ROOM;
    }
    return !odd && *min != 0 && *max != 0;
}

/* What a reduction of all elements returns. */
static bool gi_folded(const ga_array *a, ga_array *(*fold)(const ga_array *, ga_reduce_options), ga_reduce_options o, double *x)
{
    ga_array *number = fold(a, o);
    bool      known  = number && gi_item_as(o.site, number, NULL, GA_F64, x);
    ga_free(number);
    return known;
}

/* Describes a contiguous array of floats on the CPU. Returns 1, or 0 if that needs another way, -1 on error. */
static int gi_describe_at_once(const ga_array *a, const ga_describe_options *o, ga_statistics *s)
{
    const gi_row     *row     = gi_row_mean();
    ga_reduce_options r       = gi_reduce_site(o->site);
    ga_order_options  options = ga_order_defaults;
    gi_describing     d;
    double            half  = 0.5;
    int64_t           place = 0;
    char              number[8];
    memset(&d, 0, sizeof d);
    options.site = o->site;
    if (!gi_reduce_plan(&row, row->name, a, &r, &d.mean)) return -1;
    if (!gi_order_plan(o->site, &d.order, "ga_describe", a, &options)) return -1;
    r.ddof = o->ddof;
    if (!gi_moment_plan(GI_STD, false, a, &r, &d.moments)) return -1;
    d.widen_range       = GI_LOOP_OF(widen_range)(a->dtype);
    d.order.rule.median = true;
    d.order.rule.result = a->dtype;
    d.order.count       = 1;
    d.order.quantiles   = &half;
    d.order.places      = &place;
    d.order.out         = number;
    d.search.lines      = &d.order.lines;
    d.search.n          = a->size;
    d.search.parts      = gi_rank_parts(a->size);
    int done            = gi_begin_bracket(o->site, &d.order, &d.search, &d.bracket);
    if (done < 1) return done;

    int64_t blocks    = d.moments.blocks;
    size_t  bytes     = (size_t)(blocks * (3 * (int64_t)sizeof(double) + d.mean.fold.acc_bytes));
    d.moments.nodes.n = (double *)gi_mem_alloc(o->site, bytes);
    if (!d.moments.nodes.n) {
        gi_mem_release(d.bracket.keys, gi_bracket_bytes(&d.bracket));
        return -1;
    }
    d.moments.nodes.s    = d.moments.nodes.n + blocks;
    d.moments.nodes.m    = d.moments.nodes.s + blocks;
    d.moments.lines.near = d.mean.lines.near = true;
    d.moments.result                         = &s->std;
    d.mean.accs                              = (char *)(d.moments.nodes.m + blocks);
    d.mean.blocks                            = blocks;
    d.mean.result                            = number;
    gi_parallel(d.search.parts, 1, gi_describe_parts, &d);

    gi_reduce_lines(0, 1, &d.mean);
    gi_cast(GA_F64, a->dtype, 1, &s->mean, number);
    gi_moment_lines(0, 1, &d.moments);
    gi_cast(a->dtype, GA_F64, 1, number, &s->std); /* the dtype of ga_std */
    gi_cast(GA_F64, a->dtype, 1, &s->std, number);
    gi_mem_release(d.moments.nodes.n, bytes);
    bool ranged = gi_described_range(&d, &s->min, &s->max);
    done        = gi_end_bracket(o->site, &d.order, &d.search, &d.bracket);
    if (done == 0) done = gi_order_run(o->site, &d.order) ? 1 : -1;
    gi_cast(GA_F64, a->dtype, 1, &s->median, number);
    if (done == 1 && o->skip_nan && s->mean != s->mean) return 0; /* NaN, or infinities of both signs */
    r.ddof = 0;
    if (done == 1 && !ranged && !(gi_folded(a, (ga_min), r, &s->min) && gi_folded(a, (ga_max), r, &s->max))) return -1;
    s->count = a->size;
    return done;
}

/* In any other case: by one call each. False with an error. */
static bool gi_describe_apart(const ga_array *a, const ga_describe_options *o, ga_statistics *s)
{
    const char       *site = o->site;
    bool              skip = o->skip_nan && gi_is_float(a->dtype), ok = true;
    ga_reduce_options r     = gi_reduce_site(site);
    ga_order_options  order = ga_order_defaults;
    ga_array         *of[5] = { NULL, NULL, NULL, NULL, NULL }, *nan = NULL;
    double           *to[5] = { &s->mean, &s->median, &s->std, &s->min, &s->max };
    int64_t           nans  = 0;
    order.site              = site;
    of[0]                   = (skip ? (ga_nanmean) : (ga_mean))(a, r);
    of[1]                   = of[0] ? (skip ? (ga_nanmedian) : (ga_median))(a, order) : NULL;
    of[3]                   = of[1] ? (skip ? (ga_nanmin) : (ga_min))(a, r) : NULL;
    of[4]                   = of[3] ? (skip ? (ga_nanmax) : (ga_max))(a, r) : NULL;
    r.ddof                  = o->ddof;
    of[2]                   = of[4] ? (skip ? (ga_nanstd) : (ga_std))(a, r) : NULL;
    r.ddof                  = 0;
    if (skip && of[2]) { /* all is asked for before the first number is waited for */
        nan           = (ga_isnan)(a, gi_map_site(site));
        ga_array *sum = nan ? (ga_count_nonzero)(nan, r) : NULL;
        ok            = sum && gi_item_as(site, sum, NULL, GA_I64, &nans);
        ga_free(sum);
        ga_free(nan);
    }
    s->count = a->size - nans;
    for (int i = 0; i < 5; i++) {
        ok = ok && of[i] && gi_item_as(site, of[i], NULL, GA_F64, to[i]);
        ga_free(of[i]);
    }
    return ok;
}

ga_statistics(ga_describe)(const ga_array *a, ga_describe_options o)
{
    GI_SETTLE_FLOATS;
    const double  nan  = gi_nan_f64();
    ga_statistics none = { 0, nan, nan, nan, nan, nan }, s = none;
    if (!gi_array_check(o.site, a, "a")) return none;
    if (gi_is_complex(a->dtype)) {
        gi_fail(o.site, GA_BAD_DTYPE, "ga_describe does not exist for %s: complex numbers have no order",
                ga_dtype_name(a->dtype));
        return none;
    }
    if (a->size == 0) return none;
    bool large = a->device == GA_CPU && a->size > GI_SELECT_PART && gi_is_float(a->dtype) && ga_is_contiguous(a);
    int  done  = large ? gi_describe_at_once(a, &o, &s) : 0;
    if (done == 0) done = gi_describe_apart(a, &o, &s) ? 1 : -1;
    return done == 1 ? s : none;
}
