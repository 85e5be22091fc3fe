/* ---- rounds of clipping that are decided by a sketch --------------------------------------------------------------------- */
/*  Which elements lie beyond the bounds of a round can nearly always be told without knowing the bounds to their last bit. So one
    pass over a large array makes a sketch of it: the elements that may come to lie beyond (the tails) and those that may become
    the median (the middle) are copied; of all others (the core) it keeps the number, the sum and the sum of squares. Rounds are
    gone through on the sketch as long as it has what they need, and no element lies closer to a bound than rounding errors reach:
    then what is left is what the exact way leaves.                                                                          */

enum {
    GI_SKETCH_LEAST  = 65536,
    GI_SKETCH_SAMPLE = 16384,
    GI_SKETCH_TRIAL  = 4 /* rounds are tried on each fourth */,
    GI_SKETCH_BINS   = 2048
};

typedef struct gi_sketch {
    double    core_low, core_high, center;
    int64_t   core;                     /* elements between or on the bounds */
    double    sum, squares;             /* of their distances from center */
    double   *tails;                    /* the others that are left */
    int64_t   tail_count, removed_low;  /* removed below the core */
    uint64_t *middle;                   /* keys, in the order of their bins */
    int64_t   first;                    /* elements below them, removed or not */
    int64_t   bins[GI_SKETCH_BINS + 1]; /* where the keys of each bin start; their number */
} gi_sketch;

/* The last bin that does not start behind a place of the middle. */
static int64_t gi_sketch_bin_of(const gi_sketch *k, int64_t place)
{
    int64_t bin = 0, beyond = GI_SKETCH_BINS;
    while (beyond - bin > 1) {
        int64_t half = (bin + beyond) / 2;
        if (k->bins[half] <= place) bin = half;
        else beyond = half;
    }
    return bin;
}

/* The median of the n elements that are left; false if it is not in the middle. */
static bool gi_sketch_median(const gi_sketch *k, int64_t n, double *median)
{
    int64_t before = k->removed_low - k->first, places[2] = { before + (n - 1) / 2, before + n / 2 };
    if (places[0] < 0 || places[1] >= k->bins[GI_SKETCH_BINS]) return false;
    int64_t bin[2] = { gi_sketch_bin_of(k, places[0]), gi_sketch_bin_of(k, places[1]) }, both = bin[0] == bin[1];
    for (int64_t i = 0; i < 2 - both; i++) {
        int64_t start = k->bins[bin[i]];
        gi_rank_select(k->middle + start, k->bins[bin[i] + 1] - start, start, 1 + both, places + i, 0);
    }
    *median = (gi_key_value(GA_F64, k->middle[places[0]]) + gi_key_value(GA_F64, k->middle[places[1]])) / 2;
    return true;
}

GI_BEGIN_FAST
/* Removes the tails beyond the bounds. False: some lie within reach of one, so that is not certain. */
static bool gi_cut_tails(gi_sketch *k, double low, double high, double reach)
{
    int64_t kept = 0, near = 0;
    for (int64_t i = 0; i < k->tail_count; i++) { /* without a branch */
        double v       = k->tails[i];
        k->tails[kept] = v;
        kept += (v > low) & (v < high);
        near += (fabs(v - low) <= reach) | (fabs(v - high) <= reach);
        k->removed_low += v <= low;
    }
    k->tail_count = kept;
    return near == 0;
}
GI_END_FAST

/* Goes through a round. False: it is not certain, and the sketch is used up, or it removes nothing, or is the last one allowed. */
static bool gi_sketch_round(gi_sketch *k, gi_clip_rounds *r)
{
    const double range[3] = { -DBL_MAX, DBL_MAX, k->center };
    int64_t      n = k->core + k->tail_count, before = k->tail_count;
    double       sums[2] = { k->sum, k->squares }, center;
    r->settled           = false;
    if (n < 2) return false;
    for (int64_t i = 0; i < before; i += GI_BLOCK)
        GI_LOOP_OF(sum_clamped)(GA_F64)(before - i < GI_BLOCK ? before - i : GI_BLOCK, k->tails + i, range, sums);
    double distance = sums[0] / (double)n, square = sums[1] / (double)n;
    if (!(square <= DBL_MAX) || !(distance * distance < square / 2)) return false; /* too much would cancel */
    center = k->center + distance;
    if (!r->mean && !gi_sketch_median(k, n, &center)) return false;
    r->std  = sqrt(square - distance * distance);
    r->low  = center - r->below * r->std;
    r->high = center + r->above * r->std;
    /* More than the rounding errors of the sums here, and of the exact way, can move the bounds. */
    double reach = 0x1p-40 * sqrt((double)n) * r->std * (1 + r->below + r->above) + 0x1p-44 * (fabs(r->low) + fabs(r->high));
    if (k->core > 0 && !(r->low + reach < k->core_low && k->core_high < r->high - reach)) return false;
    if (!gi_cut_tails(k, r->low, r->high, reach)) return false;
    r->settled = before == k->tail_count;
    if (r->settled || r->passes + 1 >= r->most) return false;
    if (r->keep_low < r->low) r->keep_low = r->low;
    if (r->keep_high > r->high) r->keep_high = r->high;
    r->passes++;
    return true;
}

typedef struct gi_sketch_part {
    int64_t   tails, middle;
    int64_t   below, above, lower; /* elements on each side of the core, NaN below it; those of them that are tails below it */
    bool      full;                /* there is more than there is room for */
    gi_sifted core, bracket;
    double    sums[2];
} gi_sketch_part;

typedef struct gi_sketching {
    const ga_array *x; /* contiguous */
    gi_sketch      *sketch;
    double          middle_low, middle_high, bin_scale;
    char            core_bounds[16], middle_bounds[16];
    int64_t         parts, room; /* for the tails and for the middle of each part */
    double         *tails, *middle;
    int64_t        *bins; /* of each part: how much of the middle is in each bin; then where the next one goes */
    gi_sketch_part  found[GI_MOST_THREADS];
} gi_sketching;

/* Draws a sample, goes through the rounds on that, and so finds where the core and the middle should be. False: no use. */
static bool gi_place_sketch(gi_sketching *s, const gi_lines *line, const gi_clip_rounds *r)
{
    gi_sketch     *k      = s->sketch;
    gi_clip_rounds trial  = *r;
    double        *sample = s->tails, core[2];
    int64_t        taken = s->x->size / 8 < GI_SKETCH_SAMPLE ? s->x->size / 8 : (int64_t)GI_SKETCH_SAMPLE, m = 0;
    gi_sample(line, 0, taken, sample);
    for (int64_t i = 0; i < taken; i++)
        if (fabs(sample[i]) <= DBL_MAX) sample[m++] = sample[i];
    if (m < taken / 2) return false;
    memset(k, 0, sizeof *k);
    k->tails      = sample + m;
    k->tail_count = m / GI_SKETCH_TRIAL;
    k->middle     = (uint64_t *)(void *)s->middle;
    for (int64_t i = 0; i < k->tail_count; i++) k->tails[i] = sample[GI_SKETCH_TRIAL * i];
    for (int bin = 1; bin <= GI_SKETCH_BINS; bin++) k->bins[bin] = k->tail_count;
    gi_make_keys(GA_F64, k->tail_count, k->middle, k->tails);
    if (trial.most < INT_MAX) trial.most++; /* so that it goes through the last one */
    if (!gi_sketch_median(k, k->tail_count, &k->center)) return false;
    for (int round = 0; round < 100 && gi_sketch_round(k, &trial); round++) continue;
    if (!(trial.std > 0)) return false;

    int64_t removed[2] = { 0, 0 }, reach = 2 * (int64_t)sqrt((double)m) + 2, ranks[2];
    for (int64_t i = 0; i < m; i++) {
        removed[0] += sample[i] < trial.keep_low;
        removed[1] += sample[i] > trial.keep_high;
    }
    for (int i = 0; i < 2; i++) { /* from the median of all to the one of what will be left, or the other way round */
        int64_t shift = (removed[0] - removed[1]) / 2;
        ranks[i]      = m / 2 + (i == (shift > 0) ? shift : 0) + (i == 0 ? -reach : reach);
    }
    if (ranks[0] < 0 || ranks[1] >= m || removed[0] + removed[1] > m / 2) return false;
    gi_make_keys(GA_F64, m, k->middle, sample);
    gi_rank_select(k->middle, m, 0, 2, ranks, 0);
    s->middle_low  = gi_key_value(GA_F64, k->middle[ranks[0]]);
    s->middle_high = gi_key_value(GA_F64, k->middle[ranks[1]]);
    s->bin_scale   = (double)GI_SKETCH_BINS / (s->middle_high - s->middle_low);
    gi_sift_bounds(s->x->dtype, s->middle_low, s->middle_high, s->middle_bounds);
    core[0] = (trial.low > trial.keep_low ? trial.low : trial.keep_low) + trial.std / 4;
    core[1] = (trial.high < trial.keep_high ? trial.high : trial.keep_high) - trial.std / 4;
    gi_sift_bounds(s->x->dtype, core[0], core[1], s->core_bounds);
    gi_cast(GA_F64, gi_sifted_as(s->x->dtype), 2, core, s->core_bounds);
    memset(k, 0, sizeof *k);
    k->core_low  = core[0];
    k->core_high = core[1];
    k->center    = s->middle_low;
    return k->core_low < s->middle_low && s->middle_high < k->core_high;
}

GI_BEGIN_FAST
static GI_INLINE int64_t gi_sketch_bin(const gi_sketching *s, double v)
{
    double bin = (v - s->middle_low) * s->bin_scale; /* NaN where bins have no width */
    return (int64_t)(bin < GI_SKETCH_BINS - 1 ? bin : GI_SKETCH_BINS - 1);
}

static void gi_sketch_parts(int64_t begin, int64_t end, void *job)
{
    gi_sketching         *s     = (gi_sketching *)job;
    const ga_dtype        dtype = s->x->dtype, as = gi_sifted_as(dtype);
    const int64_t         share = s->x->size / s->parts / GI_BLOCK * GI_BLOCK, most = s->room - GI_PICK_ROOM;
    const double          range[3]    = { s->sketch->core_low, s->sketch->core_high, s->sketch->center };
    const gi_sift_loop    sift        = GI_LOOP_OF(sift)(as);
    const gi_clamped_loop sum_clamped = GI_LOOP_OF(sum_clamped)(as);
    GI_ARENA(double, wide, GI_BLOCK);
    uint64_t core[GI_BLOCK / 64], bracket[GI_BLOCK / 64];
    for (int64_t part = begin; part < end; part++) {
        gi_sketch_part *found = &s->found[part];
        int64_t         stop = part == s->parts - 1 ? s->x->size : (part + 1) * share, kept = 0;
        double         *tails = s->tails + part * s->room, *middle = s->middle + part * s->room;
        memset(found, 0, sizeof *found);
        for (int64_t i = part * share; i < stop && found->tails <= most && found->middle <= most; i += GI_BLOCK) {
            int64_t     n = stop - i < GI_BLOCK ? stop - i : GI_BLOCK;
            const void *x = (const char *)s->x->data + i * ga_itemsize(dtype);
            if (as != dtype) {
                gi_cast(as, dtype, n, wide, x);
                x = wide;
            }
            sift(n, x, s->core_bounds, core, &found->core);
            sift(n, x, s->middle_bounds, bracket, &found->bracket);
            sum_clamped(n, x, range, found->sums);
            for (int64_t k = 0; k < n; k += 64) core[k / 64] ^= n - k < 64 ? ((uint64_t)1 << (n - k)) - 1 : ~(uint64_t)0;
            found->tails += gi_pick(as == GA_F32, n, x, core, tails + found->tails);
            found->middle += gi_pick(as == GA_F32, n, x, bracket, middle + found->middle);
        }
        found->full   = found->tails > most || found->middle > most;
        int64_t *bins = s->bins + part * GI_SKETCH_BINS;
        memset(bins, 0, GI_SKETCH_BINS * sizeof *bins);
        for (int64_t k = 0; k < found->middle; k++) bins[gi_sketch_bin(s, middle[k])]++;
        for (int64_t k = 0; k < found->tails; k++) {
            double v    = tails[k];
            tails[kept] = v;
            kept += fabs(v) <= DBL_MAX; /* what is infinite or NaN was never there */
            found->lower += (v < range[0]) & (v >= -DBL_MAX);
            found->above += v > range[1];
        }
        found->below = found->tails - found->above;
        found->tails = kept;
    }
}

/* Sorts the middle into its bins. */
static void gi_sketch_middle(int64_t begin, int64_t end, void *job)
{
    gi_sketching *s = (gi_sketching *)job;
    for (int64_t part = begin; part < end; part++) {
        const double *middle = s->middle + part * s->room;
        int64_t      *bins   = s->bins + part * GI_SKETCH_BINS;
        for (int64_t k = 0; k < s->found[part].middle; k++)
            s->sketch->middle[bins[gi_sketch_bin(s, middle[k])]++] = gi_key_of_f64(gi_bits_f64(middle[k]));
    }
}
GI_END_FAST

/* What the parts have found becomes the sketch. */
static void gi_join_sketch(gi_sketching *s)
{
    gi_sketch *k   = s->sketch;
    double     low = k->core_low - k->center, high = k->core_high - k->center;
    int64_t    from = 0, middle = 0; /* of the core from the middle on */
    k->tails = s->tails;
    for (int64_t part = 0; part < s->parts; part++) {
        const gi_sketch_part *found = &s->found[part];
        double                below = (double)found->below, above = (double)found->above;
        memmove(k->tails + k->tail_count, s->tails + part * s->room, (size_t)found->tails * sizeof *k->tails);
        k->tail_count += found->tails;
        k->core += found->core.inside;
        k->sum += found->sums[0] - (below * low + above * high);
        k->squares += found->sums[1] - (below * (low * low) + above * (high * high));
        k->first += found->lower + found->core.inside;
        from += found->bracket.from_low - (found->core.from_low - found->core.inside);
    }
    k->first -= from;
    for (int bin = 0; bin < GI_SKETCH_BINS; bin++) {
        k->bins[bin] = middle;
        for (int64_t part = 0; part < s->parts; part++) {
            int64_t *place = &s->bins[part * GI_SKETCH_BINS + bin], keys = *place;
            *place = middle;
            middle += keys;
        }
    }
    k->bins[GI_SKETCH_BINS] = middle;
}

/* Goes through as many rounds as a sketch of x decides. False: no memory. */
static bool gi_clip_by_sketch(const char *site, const ga_array *x, gi_clip_rounds *r)
{
    gi_lines line;
    ga_shape every_axis;
    GI_ARENA(gi_sketch, k, 1);
    GI_ARENA(gi_sketching, s, 1);
    memset(s, 0, sizeof *s);
    memset(&every_axis, 0, sizeof every_axis);
    every_axis.ndim = -1; /* all */
    if (!gi_lines_plan(site, &line, x, GA_F64, GA_AXIS_DEFAULT, &every_axis, false)) return false;
    s->x      = x;
    s->sketch = k;
    s->parts  = ga_get_num_threads();
    if (x->size < s->parts * GI_SELECT_PART) s->parts = 1 + x->size / GI_SELECT_PART;
    s->room      = x->size / s->parts / 8 + 2 * GI_BLOCK;
    size_t bytes = (size_t)(s->parts * (2 * s->room + GI_SKETCH_BINS)) * sizeof(double);
    s->tails     = (double *)gi_mem_alloc(site, bytes);
    if (!s->tails) return false;
    s->middle = s->tails + s->parts * s->room;
    s->bins   = (int64_t *)(void *)(s->middle + s->parts * s->room);
    bool full = !gi_place_sketch(s, &line, r), ok = true;
    if (!full) gi_parallel(s->parts, 1, gi_sketch_parts, s);
    for (int64_t part = 0; part < s->parts; part++) full = full || s->found[part].full;
    if (!full) {
        gi_join_sketch(s);
        size_t key_bytes = (size_t)k->bins[GI_SKETCH_BINS] * sizeof *k->middle;
        k->middle        = (uint64_t *)gi_mem_alloc(site, key_bytes);
        ok               = k->middle != NULL;
        if (ok) gi_parallel(s->parts, 1, gi_sketch_middle, s);
        while (ok && gi_sketch_round(k, r)) continue;
        gi_mem_release(k->middle, key_bytes);
    }
    gi_mem_release(s->tails, bytes);
    return ok;
}

ga_array *(ga_sigma_clip)(const ga_array *a, ga_sigma_options o)
{
    GI_SETTLE_FLOATS;
    const char    *site = o.site;
    double         low = -DBL_MAX, high = DBL_MAX;
    gi_clip_rounds r;
    memset(&r, 0, sizeof r);
    r.lesson    = o.rule == GA_CLIP_LESSON;
    r.mean      = o.mean;
    r.below     = o.sigma_low == GA_REAL_DEFAULT ? o.sigma : o.sigma_low;
    r.above     = o.sigma_high == GA_REAL_DEFAULT ? o.sigma : o.sigma_high;
    r.most      = r.lesson || o.maxiters == -1 ? INT_MAX : o.maxiters;
    r.keep_low  = -DBL_MAX;
    r.keep_high = DBL_MAX;
    if (!gi_array_check(site, a, "a")) return NULL;
    if (gi_is_complex(a->dtype))
        return (ga_array *)gi_fail(site, GA_BAD_DTYPE, "ga_sigma_clip does not exist for %s", ga_dtype_name(a->dtype));
    if (!r.lesson && o.rule != GA_CLIP_ASTROPY)
        return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT, ".rule = %d: use GA_CLIP_LESSON or GA_CLIP_ASTROPY", (int)o.rule);
    if (!(r.below > 0 && r.above > 0))
        return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT, "a sigma is not positive: %g below, %g above", r.below, r.above);
    if (o.maxiters < -1) return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT, ".maxiters = %d: use -1 for no limit", o.maxiters);

    ga_array *whole = gi_copy_contiguous(site, a, a->dtype), *x = NULL; /* x: what is left */
    bool      ok = whole != NULL, done = r.most == 0, sketch = ok && whole->device == GA_CPU;
    bool      wanted = !r.lesson || o.low || o.high; /* the last bounds, to their last bit */
    while (ok && !done) {
        int passes = r.passes;
        if (sketch && (x ? x : whole)->size >= GI_SKETCH_LEAST) ok = gi_clip_by_sketch(site, x ? x : whole, &r);
        sketch = r.passes > passes;
        if (ok && (!x || sketch)) {
            ga_array *rest = gi_keep_between(site, x ? x : whole, r.keep_low, r.keep_high);
            ok             = rest != NULL;
            ga_free(x);
            x = rest;
        }
        if (!ok) break;
        int64_t before = x->size;
        if (!r.settled || wanted) { /* a round in the exact way */
            double center, std;
            ok = gi_center_and_std(site, x, o.mean, &center, &std);
            if (!ok) break;
            low               = center - gi_mul_f64(r.below, std);
            high              = center + gi_mul_f64(r.above, std);
            double inner_low  = gi_inside(low, r.lesson, (double)INFINITY);
            double inner_high = gi_inside(high, r.lesson, -(double)INFINITY);
            /* what the lesson removed once stays so; astropy's result is what lies within the last bounds */
            r.keep_low     = r.lesson && !(inner_low > r.keep_low) ? r.keep_low : inner_low;
            r.keep_high    = r.lesson && !(inner_high < r.keep_high) ? r.keep_high : inner_high;
            ga_array *rest = gi_keep_between(site, x, inner_low, inner_high);
            ok             = rest != NULL;
            ga_free(x);
            x = rest;
        }
        r.passes++;
        done = ok && (x->size == before || r.passes >= r.most || (!r.lesson && x->size == 0)); /* nothing to take bounds from */
    }
    ga_array *result = NULL, *mask = NULL;
    if (ok && r.lesson) result = gi_array_new_view(site, x, x->data, x->dtype, 1, x->shape, x->strides);
    else if (ok) result = gi_keep_between(site, whole, r.keep_low, r.keep_high);
    if (result && result->data == a->data) { /* nothing was removed: still, what is returned is a new array */
        ga_array *copy = gi_copy_convert(site, result, result->dtype);
        ga_free(result);
        result = copy;
    }
    if (result && o.mask) {
        mask = gi_array_new(site, GA_BOOL, a->device, a->ndim, a->shape);
        if (!mask || !gi_mask_outside(site, whole, r.keep_low, r.keep_high, mask)) {
            ga_free(mask);
            ga_free(result);
            mask = result = NULL;
        }
    }
    ga_free(x);
    ga_free(whole);
    if (o.mask) *o.mask = mask;
    if (!result) return NULL;
    if (o.passes) *o.passes = r.passes;
    if (o.low) *o.low = low;
    if (o.high) *o.high = high;
    return result;
}
