/* ==== >>order: medians and percentiles, by selection ================================================================= */
/*  No line is sorted. Every element becomes a 64-bit key whose order as an unsigned number is the order of the elements (NaN last).
    Of a long line the keys are counted in bins whose range a sample gives; only the keys of a bin in which a wanted rank lies are
    looked at again. Short lines, and what is left of long ones, are partitioned around pivots until the ranks are in their places.
    All of it counts and compares, so the threads' number leaves no trace in the result.                                        */

#define GI_KEY_SIGN ((uint64_t)1 << 63)
#define GI_KEY_NAN  UINT64_MAX

enum {
    GI_SELECT_BINS   = 2048,
    GI_SELECT_SAMPLE = 1024,
    GI_SELECT_SHORT  = 8192,  /* keys that are partitioned at once */
    GI_SELECT_PART   = 65536, /* keys that are worth a thread */
    GI_SELECT_TRIES  = 64     /* pivots taken from the keys before pivots that halve their range: those end surely */
};

/* The eight-byte dtype that holds every element of a real dtype. */
static ga_dtype gi_key_dtype(ga_dtype dtype) { return gi_is_float(dtype) ? GA_F64 : gi_is_signed(dtype) ? GA_I64 : GA_U64; }

GI_BEGIN_FAST
/* Turns n elements of a key dtype into their keys; keys may be x. */
static void gi_make_keys(ga_dtype dtype, int64_t n, uint64_t *keys, const void *x)
{
    const uint64_t infinity = (uint64_t)0x7FF << 52;
    const char    *in       = (const char *)x;
    for (int64_t i = 0; i < n; i++) {
        uint64_t u;
        memcpy(&u, in + i * 8, sizeof u);
        if (dtype == GA_I64) u ^= GI_KEY_SIGN;
        if (dtype == GA_F64) {
            uint64_t key = u ^ ((0 - (u >> 63)) | GI_KEY_SIGN); /* negative: all bits turned, else the sign */
            u            = (u & ~GI_KEY_SIGN) > infinity ? GI_KEY_NAN : key;
        }
        keys[i] = u;
    }
}

/* The element of a key, as its key dtype. */
static void gi_key_element(ga_dtype dtype, uint64_t key, void *element)
{
    if (dtype == GA_I64) key ^= GI_KEY_SIGN;
    if (dtype == GA_F64) key = key & GI_KEY_SIGN ? key ^ GI_KEY_SIGN : ~key;
    memcpy(element, &key, sizeof key);
}

static void gi_sort_few(uint64_t *v, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        uint64_t x = v[i];
        int64_t  k = i;
        for (; k > 0 && v[k - 1] > x; k--) v[k] = v[k - 1];
        v[k] = x;
    }
}

/* Brings the keys below the pivot to the front; returns their number. */
static int64_t gi_partition(uint64_t *v, int64_t n, uint64_t pivot)
{
    int64_t below = 0;
    for (int64_t i = 0; i < n; i++) { /* without a branch: it would be taken by chance */
        uint64_t x = v[i];
        v[i]       = v[below];
        v[below]   = x;
        below += x < pivot;
    }
    return below;
}

static uint64_t gi_middle(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t low = a < b ? a : b, high = a < b ? b : a;
    return c < low ? low : c > high ? high : c;
}

/* One of the keys, or, when many did not help, one that halves their range (then more than the smallest key, unless all are equal). */
static uint64_t gi_pivot(const uint64_t *v, int64_t n, int tries)
{
    if (tries < GI_SELECT_TRIES) {
        int64_t         s = n / 8;
        const uint64_t *a = v + s, *b = v + n / 2, *c = v + n - 1 - s;
        if (n < 256) return gi_middle(*a, *b, *c);
        return gi_middle(gi_middle(a[-s], *a, a[s]), gi_middle(b[-s], *b, b[s]), gi_middle(c[-s], *c, c[s]));
    }
    uint64_t low = v[0], high = v[0];
    for (int64_t i = 1; i < n; i++) {
        if (v[i] < low) low = v[i];
        if (v[i] > high) high = v[i];
    }
    return low == high ? low : low + (high - low) / 2 + 1;
}

/* Reorders n keys, `first` of the whole being below them, so that those of the m ascending ranks stand where sorting would put them. */
static void gi_select(uint64_t *v, int64_t n, int64_t first, int64_t m, const int64_t *ranks, int tries)
{
    for (; m > 0; tries++) {
        if (n <= 24) {
            gi_sort_few(v, n);
            return;
        }
        uint64_t pivot = gi_pivot(v, n, tries);
        int64_t  below = gi_partition(v, n, pivot);
        bool     least = below == 0;
        if (least) below = pivot == UINT64_MAX ? n : gi_partition(v, n, pivot + 1); /* the keys equal to the least */
        int64_t left = 0;
        while (left < m && ranks[left] < first + below) left++;
        if (left == m && !least) {
            n = below;
            continue;
        }
        if (!least) gi_select(v, below, first, left, ranks, tries + 1);
        v += below;
        n -= below;
        first += below;
        ranks += left;
        m -= left;
    }
}
GI_END_FAST

/* A step of the search in a long line: its keys, and the bins in which they are counted. Bin 0 takes what lies below `low`, the last
   one what lies beyond the others. */
typedef struct gi_rank_search {
    const gi_lines *lines; /* the keys are those of this line ... */
    int64_t         line;
    const uint64_t *keys;  /* ... or these */
    int64_t         n, parts;
    uint64_t        low;
    int             shift;
    int64_t        *counts; /* of each part: GI_SELECT_BINS */
    uint64_t       *chosen; /* the keys of the bins that are looked at again */
} gi_rank_search;

/* The keys start .. start + n (at most a block); tile is where they may be made. */
static const uint64_t *gi_searched_keys(const gi_rank_search *s, int64_t start, int64_t n, uint64_t *tile)
{
    if (s->keys) return s->keys + start;
    __attribute__((aligned(64))) char raw[GI_BLOCK * 8];
    double                            wide[GI_BLOCK];
    gi_make_keys(s->lines->dtype, n, tile, gi_read_line(s->lines, s->line, start, n, raw, wide));
    return tile;
}

static int64_t gi_part_start(const gi_rank_search *s, int64_t part) { return part == s->parts ? s->n : s->n / s->parts * part; }

GI_BEGIN_FAST
static int64_t gi_bin_of(const gi_rank_search *s, uint64_t key)
{
    uint64_t bin = ((key - s->low) >> s->shift) + 1;
    bin          = bin < GI_SELECT_BINS - 1 ? bin : GI_SELECT_BINS - 1;
    return key < s->low ? 0 : (int64_t)bin;
}

static void gi_count_nans(int64_t begin, int64_t end, void *job)
{
    gi_rank_search *s = (gi_rank_search *)job;
    uint64_t   tile[GI_BLOCK];
    for (int64_t part = begin; part < end; part++) {
        int64_t stop = gi_part_start(s, part + 1), nans = 0;
        for (int64_t i = gi_part_start(s, part); i < stop; i += GI_BLOCK) {
            int64_t         n    = stop - i < GI_BLOCK ? stop - i : GI_BLOCK;
            const uint64_t *keys = gi_searched_keys(s, i, n, tile);
            for (int64_t k = 0; k < n; k++) nans += keys[k] == GI_KEY_NAN;
        }
        s->counts[part] = nans;
    }
}

static void gi_count_bins(int64_t begin, int64_t end, void *job)
{
    gi_rank_search *s = (gi_rank_search *)job;
    uint64_t   tile[GI_BLOCK];
    for (int64_t part = begin; part < end; part++) {
        int64_t *counts = s->counts + part * GI_SELECT_BINS, stop = gi_part_start(s, part + 1);
        memset(counts, 0, GI_SELECT_BINS * sizeof *counts);
        for (int64_t i = gi_part_start(s, part); i < stop; i += GI_BLOCK) {
            int64_t         n    = stop - i < GI_BLOCK ? stop - i : GI_BLOCK;
            const uint64_t *keys = gi_searched_keys(s, i, n, tile);
            for (int64_t k = 0; k < n; k++) counts[gi_bin_of(s, keys[k])]++;
        }
    }
}

/* counts now says where the next key of a bin goes; -1: nowhere. */
static void gi_choose_keys(int64_t begin, int64_t end, void *job)
{
    gi_rank_search *s = (gi_rank_search *)job;
    uint64_t   tile[GI_BLOCK];
    for (int64_t part = begin; part < end; part++) {
        int64_t *to = s->counts + part * GI_SELECT_BINS, stop = gi_part_start(s, part + 1);
        for (int64_t i = gi_part_start(s, part); i < stop; i += GI_BLOCK) {
            int64_t         n    = stop - i < GI_BLOCK ? stop - i : GI_BLOCK;
            const uint64_t *keys = gi_searched_keys(s, i, n, tile);
            for (int64_t k = 0; k < n; k++) {
                int64_t bin = gi_bin_of(s, keys[k]);
                if (to[bin] >= 0) s->chosen[to[bin]++] = keys[k];
            }
        }
    }
}
GI_END_FAST

/* Bins between the least and the greatest key of a sample. */
static void gi_place_bins(gi_rank_search *s)
{
    uint64_t low = UINT64_MAX, high = 0, tile[1];
    for (int i = 0; i < GI_SELECT_SAMPLE; i++) {
        uint64_t key = *gi_searched_keys(s, s->n / GI_SELECT_SAMPLE * i, 1, tile);
        if (key == GI_KEY_NAN) continue;
        if (key < low) low = key;
        if (key > high) high = key;
    }
    if (low > high) low = high;
    s->low   = low;
    s->shift = 0;
    while ((high - low) >> s->shift > GI_SELECT_BINS - 3) s->shift++;
}

/* found[i] = the key of rank ranks[i], for m ascending ranks of which `first` lie below the n keys of s. Keys given as such are
   reordered. False: no memory. */
static bool gi_find_ranks(const char *site, gi_rank_search *s, int64_t first, int64_t m, const int64_t *ranks, uint64_t *found, bool partition)
{
    if (s->keys && (partition || s->n <= GI_SELECT_SHORT)) {
        uint64_t *keys = (uint64_t *)(uintptr_t)s->keys;
        gi_select(keys, s->n, first, m, ranks, 0);
        for (int64_t i = 0; i < m; i++) found[i] = keys[ranks[i] - first];
        return true;
    }
    size_t count_bytes = (size_t)s->parts * GI_SELECT_BINS * sizeof *s->counts;
    s->counts          = (int64_t *)gi_alloc(site, count_bytes);
    if (!s->counts) return false;
    gi_place_bins(s);
    gi_parallel(s->parts, 1, gi_count_bins, s);

    int64_t below[GI_SELECT_BINS + 1], total = 0, rank = 0; /* keys below each bin, in the whole; keys to choose */
    below[0] = first;
    for (int bin = 0; bin < GI_SELECT_BINS; bin++) {
        int64_t count = 0, wanted = rank;
        for (int64_t part = 0; part < s->parts; part++) count += s->counts[part * GI_SELECT_BINS + bin];
        below[bin + 1] = below[bin] + count;
        while (rank < m && ranks[rank] < below[bin + 1]) rank++;
        bool inner = bin > 0 && bin < GI_SELECT_BINS - 1, single = inner && s->shift == 0; /* single: all its keys are equal */
        for (; single && wanted < rank; wanted++) found[wanted] = s->low + (uint64_t)bin - 1;
        for (int64_t part = 0; part < s->parts; part++) {
            int64_t *place = &s->counts[part * GI_SELECT_BINS + bin], keys = *place;
            *place         = wanted < rank ? total : -1;
            if (wanted < rank) total += keys;
        }
    }
    bool ok = true;
    if (total > 0) {
        s->chosen = (uint64_t *)gi_alloc(site, (size_t)total * sizeof *s->chosen);
        ok        = s->chosen != NULL;
        if (ok) gi_parallel(s->parts, 1, gi_choose_keys, s);
        int64_t start = 0;
        rank          = 0;
        for (int bin = 0; bin < GI_SELECT_BINS && ok; bin++) {
            int64_t wanted = rank;
            while (rank < m && ranks[rank] < below[bin + 1]) rank++;
            if (s->counts[bin] < 0) continue;
            bool      inner = bin > 0 && bin < GI_SELECT_BINS - 1;
            gi_rank_search next;
            memset(&next, 0, sizeof next);
            next.keys  = s->chosen + start;
            next.n     = below[bin + 1] - below[bin];
            next.parts = next.n < s->parts * GI_SELECT_PART ? 1 + next.n / GI_SELECT_PART : s->parts;
            start += next.n; /* an outer bin has no narrower range: if it took most keys as well, stop guessing */
            ok = gi_find_ranks(site, &next, below[bin], rank - wanted, ranks + wanted, found + wanted, !inner && next.n > s->n / 2);
        }
        if (s->chosen) gi_release(s->chosen, (size_t)total * sizeof *s->chosen);
    }
    gi_release(s->counts, count_bytes);
    return ok;
}

/* ---- quantiles of lines ---------------------------------------------------------------------------------------------- */

typedef struct gi_order {
    gi_lines    lines;     /* read in the key dtype */
    bool        median;    /* one quantile, and the mean of the two in the middle */
    bool        skip_nan;
    bool        single;    /* quantiles are float32 numbers */
    ga_quantile method;
    int64_t     count;
    double     *quantiles; /* 0 to 1, ascending */
    int64_t    *places;    /* where in the result each belongs */
    ga_dtype    result;
    char       *out;       /* for each quantile, all lines */
    int64_t     parts;
    char       *scratch;   /* of each part */
    size_t      scratch_bytes;
} gi_order;

/* The two elements that a quantile of n lies between, and how far it is from the first. */
typedef struct gi_rank {
    int64_t previous, next;
    double  gamma;
} gi_rank;

GI_BEGIN_FAST
/* NumPy's arithmetic, step by step. */
static gi_rank gi_rank_of(const gi_order *o, double quantile, int64_t n)
{
    gi_rank r;
    if (o->median) {
        r.previous = (n - 1) / 2;
        r.next     = n / 2;
        r.gamma    = 0.5;
        return r;
    }
    double last = (double)(n - 1), at = o->single ? (double)((float)last * (float)quantile) : last * quantile;
    switch (o->method) {
    case GA_LOWER: at = floor(at); break;
    case GA_HIGHER: at = ceil(at); break;
    case GA_NEAREST: at = rint(at); break;
    case GA_MIDPOINT: at = 0.5 * (floor(at) + ceil(at)); break;
    default: break;
    }
    if (at >= last) {
        r.previous = r.next = n - 1;
        r.gamma    = 1;
        return r;
    }
    r.previous = (int64_t)at;
    r.next     = r.previous + 1;
    r.gamma    = at - floor(at);
    return r;
}

/* Between a and b, b - a = distance, as numpy's _lerp. */
static double gi_lerp_f64(double a, double b, double distance, double t)
{
    return t >= 0.5 ? b - distance * (1 - t) : a + distance * t;
}
static float gi_lerp_f32(float a, float b, double t)
{
    float distance = b - a;
    return t >= 0.5 ? b - distance * (float)(1 - t) : a + distance * (float)t;
}

/* Writes one quantile from the keys of its two elements. */
static void gi_write_quantile(const gi_order *o, gi_rank r, uint64_t previous, uint64_t next, void *out)
{
    ga_dtype dtype = o->lines.dtype;
    char     element[8];
    gi_key_element(dtype, previous, element);
    if (!o->median && o->method != GA_LINEAR && o->method != GA_MIDPOINT) {
        gi_cast(o->result, dtype, 1, out, element);
        return;
    }
    double a, b;
    gi_cast(GA_F64, dtype, 1, &a, element);
    gi_key_element(dtype, next, element);
    gi_cast(GA_F64, dtype, 1, &b, element);
    bool   floats = dtype == GA_F64;
    double value;
    if (o->median) {
        value = r.previous == r.next ? a : o->result == GA_F32 ? (double)((float)(a + b) / 2) : (a + b) / 2;
    } else if (o->result == GA_F32) {
        value = (double)gi_lerp_f32((float)a, (float)b, r.gamma);
    } else {
        double distance = !floats ? (double)(next - previous) : o->lines.a->dtype == GA_F32 ? (double)((float)b - (float)a) : b - a;
        value           = gi_lerp_f64(a, b, distance, r.gamma);
    }
    gi_cast(o->result, GA_F64, 1, out, &value);
}
GI_END_FAST

/* The ascending ranks that the quantiles of n elements need; returns their number. */
static int64_t gi_ranks_of(const gi_order *o, int64_t n, int64_t *ranks)
{
    int64_t m = 0;
    for (int64_t i = 0; i < o->count; i++) {
        gi_rank r       = gi_rank_of(o, o->quantiles[i], n);
        int64_t both[2] = { r.previous, r.next };
        for (int k = 0; k < 2; k++) { /* they come nearly in order */
            int64_t at = m;
            while (at > 0 && ranks[at - 1] > both[k]) at--;
            if (at > 0 && ranks[at - 1] == both[k]) continue;
            memmove(ranks + at + 1, ranks + at, (size_t)(m - at) * sizeof *ranks);
            ranks[at] = both[k];
            m++;
        }
    }
    return m;
}

static uint64_t gi_key_of_rank(int64_t rank, int64_t m, const int64_t *ranks, const uint64_t *found)
{
    int64_t low = 0, high = m - 1;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (ranks[middle] < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return found[low];
}

/* The quantiles of a line of n elements (NaN left out) whose ranks are found; n 0: NaN. */
static void gi_write_line(const gi_order *o, int64_t line, int64_t n, int64_t m, const int64_t *ranks, const uint64_t *found)
{
    int64_t size = ga_itemsize(o->result);
    double  nan  = gi_nan_f64();
    for (int64_t i = 0; i < o->count; i++) {
        char *out = o->out + (o->places[i] * o->lines.lines + line) * size;
        if (n == 0) {
            gi_cast(o->result, GA_F64, 1, out, &nan);
            continue;
        }
        gi_rank r = gi_rank_of(o, o->quantiles[i], n);
        gi_write_quantile(o, r, gi_key_of_rank(r.previous, m, ranks, found), gi_key_of_rank(r.next, m, ranks, found), out);
    }
}

/* A unit is a part of the lines, each of them short enough to be partitioned. */
static void gi_order_units(int64_t begin, int64_t end, void *job)
{
    const gi_order *o = (const gi_order *)job;
    const gi_lines *p = &o->lines;
    __attribute__((aligned(64))) char raw[GI_BLOCK * 8];
    double                            wide[GI_BLOCK];
    for (int64_t part = begin; part < end; part++) {
        uint64_t *found = (uint64_t *)(void *)(o->scratch + (size_t)part * o->scratch_bytes), *keys = found + 2 * o->count;
        int64_t  *ranks = (int64_t *)(keys + p->length), share = p->lines / o->parts;
        int64_t   stop = part == o->parts - 1 ? p->lines : (part + 1) * share;
        for (int64_t line = part * share; line < stop; line++) {
            int64_t n = 0, m = 0;
            for (int64_t i = 0; i < p->length; i += GI_BLOCK) {
                int64_t count = p->length - i < GI_BLOCK ? p->length - i : GI_BLOCK;
                gi_make_keys(p->dtype, count, keys + i, gi_read_line(p, line, i, count, raw, wide));
            }
            if (p->dtype != GA_F64) n = p->length;
            for (int64_t i = 0; p->dtype == GA_F64 && i < p->length; i++) {
                keys[n] = keys[i];
                n += keys[i] != GI_KEY_NAN;
            }
            if (n < p->length && !o->skip_nan) n = 0;
            if (n > 0) {
                m = gi_ranks_of(o, n, ranks);
                gi_select(keys, n, 0, m, ranks, 0);
                for (int64_t i = 0; i < m; i++) found[i] = keys[ranks[i]];
            }
            gi_write_line(o, line, n, m, ranks, found);
        }
    }
}

/* The threads work together on one long line after the other. */
static bool gi_order_long_lines(const char *site, gi_order *o, int64_t threads)
{
    uint64_t *found = (uint64_t *)(void *)o->scratch;
    int64_t  *ranks = (int64_t *)(found + 2 * o->count), nans[GI_MOST_THREADS];
    gi_rank_search s;
    memset(&s, 0, sizeof s);
    s.lines = &o->lines;
    s.n     = o->lines.length;
    s.parts = s.n < threads * GI_SELECT_PART ? 1 + s.n / GI_SELECT_PART : threads;
    for (int64_t line = 0; line < o->lines.lines; line++) {
        int64_t n = s.n, m = 0;
        s.line    = line;
        if (o->lines.dtype == GA_F64) {
            s.counts = nans;
            gi_parallel(s.parts, 1, gi_count_nans, &s);
            for (int64_t part = 0; part < s.parts; part++) n -= nans[part];
            if (n < s.n && !o->skip_nan) n = 0;
        }
        if (n > 0) {
            m = gi_ranks_of(o, n, ranks);
            if (!gi_find_ranks(site, &s, 0, m, ranks, found, false)) return false;
        }
        gi_write_line(o, line, n, m, ranks, found);
    }
    return true;
}

/* Runs a planned order statistic into o->out. False: no memory. */
static bool gi_run_order(const char *site, gi_order *o)
{
    const gi_lines *p       = &o->lines;
    int64_t         threads = ga_get_num_threads();
    if (p->lines == 0 || o->count == 0) return true;
    if (p->length == 0) {
        for (int64_t line = 0; line < p->lines; line++) gi_write_line(o, line, 0, 0, NULL, NULL);
        return true;
    }
    bool is_long     = p->length > GI_SELECT_PART || (p->lines == 1 && p->length > GI_SELECT_SHORT);
    o->parts         = is_long ? 1 : p->lines < threads ? p->lines : threads;
    o->scratch_bytes = (size_t)(4 * o->count + (is_long ? 0 : p->length) + 1) * sizeof(uint64_t);
    o->scratch       = (char *)gi_alloc(site, (size_t)o->parts * o->scratch_bytes);
    if (!o->scratch) return false;
    bool ok = true;
    if (is_long)
        ok = gi_order_long_lines(site, o, threads);
    else if (p->lines * p->length < GI_SELECT_SHORT / 4) /* not worth waking a thread */
        gi_order_units(0, o->parts, o);
    else
        gi_parallel(o->parts, 1, gi_order_units, o);
    gi_release(o->scratch, (size_t)o->parts * o->scratch_bytes);
    return ok;
}

static bool gi_plan_order(const char *site, gi_order *o, const char *name, const ga_array *a, const ga_order_options *options)
{
    if (gi_is_complex(a->dtype)) {
        gi_fail(site, GA_BAD_DTYPE, "%s does not exist for %s: complex numbers have no order", name, ga_dtype_name(a->dtype));
        return false;
    }
    if (options->method < GA_LINEAR || options->method > GA_NEAREST) {
        gi_fail(site, GA_BAD_ARGUMENT, ".method = %d: use GA_LINEAR, GA_LOWER, GA_HIGHER, GA_MIDPOINT or GA_NEAREST", (int)options->method);
        return false;
    }
    o->method = options->method;
    return gi_plan_lines(site, &o->lines, a, gi_key_dtype(a->dtype), options->axis, &options->axes, options->keepdims);
}

static ga_array *gi_median(const char *name, bool skip_nan, const ga_array *a, ga_order_options options)
{
    if (!gi_check(options.site, a, "a")) return NULL;
    gi_order o;
    double   half  = 0.5;
    int64_t  place = 0;
    memset(&o, 0, sizeof o);
    if (!gi_plan_order(options.site, &o, name, a, &options)) return NULL;
    o.median    = true;
    o.skip_nan  = skip_nan;
    o.count     = 1;
    o.quantiles = &half;
    o.places    = &place;
    o.result    = a->dtype == GA_F32 ? GA_F32 : GA_F64;
    ga_array *result = gi_new(options.site, o.result, a->device, o.lines.result_ndim, o.lines.result_shape);
    if (!result) return NULL;
    o.out = (char *)result->data;
    if (!gi_run_order(options.site, &o)) {
        ga_free(result);
        return NULL;
    }
    return gi_finish(options.site, result, o.result, options.out);
}

ga_array *(ga_median)(const ga_array *a, ga_order_options o) { return gi_median("ga_median", false, a, o); }
ga_array *(ga_nanmedian)(const ga_array *a, ga_order_options o) { return gi_median("ga_nanmedian", true, a, o); }

/* Takes n quantiles in percent, ascending, with the place of each. False with an error: one is not in 0 to 100. */
static bool gi_take_quantiles(const char *site, gi_order *o, int64_t n, const double *percent)
{
    double *q = o->quantiles;
    for (int64_t i = 0; i < n; i++) {
        if (!(percent[i] >= 0 && percent[i] <= 100)) {
            gi_fail(site, GA_BAD_ARGUMENT, "q = %g: percentiles lie between 0 and 100", percent[i]);
            return false;
        }
        q[i]         = o->single ? (double)((float)percent[i] / 100.0f) : percent[i] / 100;
        o->places[i] = i;
    }
    for (int64_t step = n / 2; step > 0; step /= 2) /* Shell's sort */
        for (int64_t i = step; i < n; i++)
            for (int64_t k = i; k >= step && q[k] < q[k - step]; k -= step) {
                double  quantile    = q[k];
                int64_t place       = o->places[k];
                q[k]                = q[k - step];
                o->places[k]        = o->places[k - step];
                q[k - step]         = quantile;
                o->places[k - step] = place;
            }
    return true;
}

static ga_array *gi_percentile(const char *name, bool skip_nan, const ga_array *a, ga_arg q, ga_order_options options)
{
    const char *site = options.site;
    if (!gi_check(site, a, "a") || (q.kind == GA_KIND_ARRAY && !gi_check(site, q.array, "q"))) return NULL;
    gi_order o;
    memset(&o, 0, sizeof o);
    if (!gi_plan_order(site, &o, name, a, &options)) return NULL;
    if (q.array ? gi_is_complex(q.array->dtype) : q.kind == GA_KIND_COMPLEX)
        return (ga_array *)gi_fail(site, GA_BAD_DTYPE, "q is complex: percentiles are real numbers");
    bool between = o.method == GA_LINEAR || o.method == GA_MIDPOINT;
    o.skip_nan   = skip_nan;
    o.count      = q.array ? q.array->size : 1;
    o.single     = q.array && q.array->dtype == GA_F32;
    o.result     = a->dtype;
    if (between && q.array) o.result = ga_promote(a->dtype, o.single ? GA_F32 : GA_F64);
    if (between && !q.array && a->dtype != GA_F32) o.result = GA_F64;
    if (o.lines.length == 0 && o.lines.lines > 0 && !(skip_nan && gi_is_float(o.result)))
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "%s of no elements (shape %s): there is none to return", name, gi_shape_of(a));

    int     ndim = q.array ? q.array->ndim : 0;
    int64_t shape[2 * GPUARR_MAX_DIMS];
    for (int d = 0; d < ndim; d++) shape[d] = q.array->shape[d];
    for (int d = 0; d < o.lines.result_ndim; d++) shape[ndim + d] = o.lines.result_shape[d];
    ga_array *percent = q.array ? gi_convert(site, q.array, GA_F64) : gi_new(site, GA_F64, GA_CPU, 0, NULL);
    if (!percent) return NULL;
    if (!q.array) gi_number_to(q, GA_F64, percent->data);
    size_t    bytes  = (size_t)o.count * (sizeof *o.quantiles + sizeof *o.places);
    ga_array *result = gi_new(site, o.result, a->device, ndim + o.lines.result_ndim, shape);
    o.quantiles      = result ? (double *)gi_alloc(site, bytes) : NULL;
    bool ok          = o.quantiles != NULL;
    if (ok) {
        o.places = (int64_t *)(o.quantiles + o.count);
        o.out    = (char *)result->data;
        ok       = gi_take_quantiles(site, &o, o.count, (const double *)percent->data) && gi_run_order(site, &o);
    }
    gi_release(o.quantiles, bytes);
    ga_free(percent);
    if (ok) return gi_finish(site, result, o.result, options.out);
    ga_free(result);
    return NULL;
}

ga_array *(ga_percentile)(const ga_array *a, ga_arg q, ga_order_options o) { return gi_percentile("ga_percentile", false, a, q, o); }
ga_array *(ga_nanpercentile)(const ga_array *a, ga_arg q, ga_order_options o) { return gi_percentile("ga_nanpercentile", true, a, q, o); }
