/* ==== >>order: medians and percentiles, by selection ================================================================= */
/*  No line is sorted. Every element becomes a 64-bit key whose order as an unsigned number is the order of the elements (NaN
    last). Few quantiles of a line are found as partition.h finds one, or, of long floats, between two bounds that a sample gives; for many, the
    keys are counted in bins, and only those of a bin in which a wanted rank lies are looked at again. Very short lines, and what is left of
    others, are partitioned around pivots until the ranks are in their places. All of it counts and compares, so the threads' number leaves no
    trace in the result. */

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
static ga_dtype gi_rank_key_dtype(ga_dtype dtype)
{
    return gi_is_float(dtype) ? GA_F64 : gi_is_signed(dtype) ? GA_I64 : GA_U64;
}

GI_BEGIN_FAST
/* The key of the float64 with these bits. */
static GI_INLINE uint64_t gi_key_of_f64(uint64_t u)
{
    const uint64_t infinity = (uint64_t)0x7FF << 52;
    uint64_t       nan      = 0 - ((infinity - (u & ~GI_KEY_SIGN)) >> 63); /* all bits if it is one */
    uint64_t       turn     = (0 - (u >> 63)) | GI_KEY_SIGN;               /* all bits of a negative number, else the sign */
    return (u ^ turn) | nan;
}

/* Turns n elements of a key dtype into their keys; keys may be x. */
static void gi_make_keys(ga_dtype dtype, int64_t n, uint64_t *keys, const void *x)
{
    if (x != keys) memmove(keys, x, (size_t)n * sizeof *keys);
    if (dtype == GA_I64)
        for (int64_t i = 0; i < n; i++) keys[i] ^= GI_KEY_SIGN;
    if (dtype == GA_F64)
        for (int64_t i = 0; i < n; i++) keys[i] = gi_key_of_f64(keys[i]);
}

/* The element of a key, as its key dtype. */
static void gi_key_element(ga_dtype dtype, uint64_t key, void *element)
{
    if (dtype == GA_I64) key ^= GI_KEY_SIGN;
    if (dtype == GA_F64) key = key & GI_KEY_SIGN ? key ^ GI_KEY_SIGN : ~key;
    memcpy(element, &key, sizeof key);
}

/* The element of a key as float64. */
static double gi_key_value(ga_dtype dtype, uint64_t key)
{
    char   element[8];
    double value;
    gi_key_element(dtype, key, element);
    gi_cast(GA_F64, dtype, 1, &value, element);
    return value;
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

/* One of the keys, or, when many did not help, one that halves their range (then more than the smallest key, unless all are
   equal). */
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

/* Reorders n keys, `first` of the whole being below them, so that those of the m ascending ranks stand where sorting would
   put them. */
static void gi_rank_select(uint64_t *v, int64_t n, int64_t first, int64_t m, const int64_t *ranks, int tries)
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
        if (!least) gi_rank_select(v, below, first, left, ranks, tries + 1);
        v += below;
        n -= below;
        first += below;
        ranks += left;
        m -= left;
    }
}
GI_END_FAST

/* A step of the search in a long line: its keys, and the bins in which they are counted. Bin 0 takes what lies below `low`,
   the last one what lies beyond the others. */
typedef struct gi_rank_search {
    const gi_lines *lines; /* the keys are those of this line ... */
    int64_t         line;
    const uint64_t *keys; /* ... or these */
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
    GI_ARENA(char, raw, GI_BLOCK * 8);
    GI_ARENA(double, wide, GI_BLOCK);
    gi_make_keys(s->lines->dtype, n, tile, gi_read_line(s->lines, s->line, start, n, raw, wide));
    return tile;
}

/* How many parts the threads take turns at. */
static int64_t gi_rank_parts(int64_t n)
{
    int64_t most = 4 * (int64_t)ga_get_num_threads();
    if (most > GI_MOST_THREADS) most = GI_MOST_THREADS;
    return n < most * GI_SELECT_PART ? 1 + n / GI_SELECT_PART : most;
}

/* Parts begin with a block. */
static int64_t gi_part_start(const gi_rank_search *s, int64_t part)
{
    return part == s->parts ? s->n : s->n / s->parts / GI_BLOCK * GI_BLOCK * part;
}

GI_BEGIN_FAST
static int64_t gi_rank_bin_of(const gi_rank_search *s, uint64_t key)
{
    uint64_t bin = (key - s->low) >> s->shift;
    bin          = bin < GI_SELECT_BINS - 2 ? bin + 1 : GI_SELECT_BINS - 1;
    return key < s->low ? 0 : (int64_t)bin;
}

static void gi_rank_count_bins(int64_t begin, int64_t end, void *job)
{
    const gi_rank_search s = *(const gi_rank_search *)job;
    GI_ARENA(uint64_t, tile, GI_BLOCK);
    for (int64_t part = begin; part < end; part++) {
        int64_t *counts = s.counts + part * GI_SELECT_BINS, stop = gi_part_start(&s, part + 1);
        memset(counts, 0, GI_SELECT_BINS * sizeof *counts);
        for (int64_t i = gi_part_start(&s, part); i < stop; i += GI_BLOCK) {
            int64_t         n    = stop - i < GI_BLOCK ? stop - i : GI_BLOCK;
            const uint64_t *keys = gi_searched_keys(&s, i, n, tile);
            for (int64_t k = 0; k < n; k++) counts[gi_rank_bin_of(&s, keys[k])]++;
        }
    }
}

/* counts now says where the next key of a bin goes; -1: nowhere. */
static void gi_choose_keys(int64_t begin, int64_t end, void *job)
{
    const gi_rank_search s = *(const gi_rank_search *)job; /* a copy, which no key is written into */
    GI_ARENA(uint64_t, tile, GI_BLOCK);
    for (int64_t part = begin; part < end; part++) {
        int64_t *to = s.counts + part * GI_SELECT_BINS, stop = gi_part_start(&s, part + 1);
        for (int64_t i = gi_part_start(&s, part); i < stop; i += GI_BLOCK) {
            int64_t         n    = stop - i < GI_BLOCK ? stop - i : GI_BLOCK;
            const uint64_t *keys = gi_searched_keys(&s, i, n, tile);
            for (int64_t k = 0; k < n; k++) {
                int64_t bin = gi_rank_bin_of(&s, keys[k]);
                if (to[bin] >= 0) s.chosen[to[bin]++] = keys[k];
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

/* float32 is sifted as such, everything else as float64. */
static ga_dtype gi_sifted_as(ga_dtype dtype) { return dtype == GA_F32 ? GA_F32 : GA_F64; }

/* Bounds to sift elements of a dtype with, rounded inwards. */
static void gi_sift_bounds(ga_dtype dtype, double low, double high, void *bounds)
{
    double wide[2]   = { low, high };
    float  narrow[2] = { gi_cast_f32_f64(low), gi_cast_f32_f64(high) };
    if ((double)narrow[0] < low) narrow[0] = nextafterf(narrow[0], (float)INFINITY);
    if ((double)narrow[1] > high) narrow[1] = nextafterf(narrow[1], -(float)INFINITY);
    if (gi_sifted_as(dtype) == GA_F32) memcpy(bounds, narrow, sizeof narrow);
    else memcpy(bounds, wide, sizeof wide);
}

/* Which of n packed elements lie between or on the bounds: bit i % 64 of in[i / 64]. Returns their number. */
static int64_t gi_sift(ga_dtype dtype, int64_t n, const void *x, const void *bounds, uint64_t *in)
{
    GI_ARENA(double, wide, GI_BLOCK);
    const ga_dtype     as   = gi_sifted_as(dtype);
    const gi_sift_loop sift = GI_LOOP_OF(sift)(as);
    gi_sifted          sum  = { 0, 0, false };
    if (dtype == as) sift(n, x, bounds, in, &sum);
    else
        for (int64_t i = 0; i < n; i += GI_BLOCK) {
            int64_t m = n - i < GI_BLOCK ? n - i : GI_BLOCK;
            gi_cast(as, dtype, m, wide, (const char *)x + i * ga_itemsize(dtype));
            sift(m, wide, bounds, in + i / 64, &sum);
        }
    return sum.inside;
}

/* low: the signed key of a float, as wide as that; counts: of each part how many elements have it. */
static void gi_count_floats(int64_t begin, int64_t end, void *job)
{
    const gi_rank_search *s = (const gi_rank_search *)job;
    gi_lines              p = *s->lines;
    gi_keys               rule;
    p.dtype                   = p.a->dtype;
    const int           size  = (int)ga_itemsize(p.dtype);
    const gi_key_loops *loops = GI_LOOP_OF(keys)(size);
    GI_ARENA(char, raw, GI_BLOCK * 8);
    GI_ARENA(char, none, GI_BLOCK * 8 + 64);
    memset(&rule, 0, sizeof rule);
    rule.real = true;
    rule.nan  = size == 4 ? INT32_MAX : INT64_MAX;
    for (int64_t part = begin; part < end; part++) {
        int64_t stop = gi_part_start(s, part + 1), equal = 0, now[3];
        for (int64_t i = gi_part_start(s, part); i < stop; i += GI_BLOCK) {
            const int64_t n = stop - i < GI_BLOCK ? stop - i : GI_BLOCK;
            loops->keep(&rule, n, gi_read_line(&p, s->line, i, n, raw, NULL), (int64_t)s->low, (int64_t)s->low, none, now);
            equal += now[1];
        }
        s->counts[part] = equal;
    }
}

/* How many of the line's floats are NaN, or else -0. */
static int64_t gi_count_special(const gi_rank_search *search, bool nan)
{
    int64_t        counts[GI_MOST_THREADS], total = 0;
    gi_rank_search s = *search;
    s.low            = !nan ? UINT64_MAX : s.lines->a->dtype == GA_F32 ? INT32_MAX : INT64_MAX;
    s.counts         = counts;
    gi_parallel(s.parts, 1, gi_count_floats, &s);
    for (int64_t part = 0; part < s.parts; part++) total += counts[part];
    return total;
}

/* Most often one pass is enough: a large sample tells between which two elements the wanted ranks should lie. They are collected,
   and the elements below them counted. For floats alone, which are compared as float32, if they are, or as float64. */
typedef struct gi_bracket {
    const gi_rank_search *search;
    gi_lines              lines; /* as they are read and compared: of float32 or float64 */
    uint64_t              low, high;
    char                  bounds[16], inner[16]; /* aligned, as elements are */
    bool                  collect;               /* else there is but one element to be had */
    bool                  open; /* many are equal to low or to high: only what lies between the inner bounds is collected */
    bool                  nan;  /* the sample has one */
    int64_t               room; /* for collected elements, in each part */
    uint64_t             *keys; /* what is collected: elements in their eight-byte dtype, then their keys */
    int64_t               found[GI_MOST_THREADS];
    gi_sifted             sifted[GI_MOST_THREADS];
    int64_t               between;    /* of all parts, if it is open: what lies between the inner bounds; atomic */
    int64_t               from_inner; /* what lies not below them; atomic */
} gi_bracket;

enum {
    GI_BRACKET_SAMPLE    = 16384,
    GI_BRACKET_MANY      = 64,          /* one part in so many of the sample is equal to a bound: it is better left out */
    GI_BRACKET_RUN       = 16,          /* blocks that a thread reads one behind the other */
    GI_BRACKET_QUANTILES = 16,          /* more are counted in bins, all at once */
    GI_PICK_ROOM         = GI_BLOCK + 1 /* for what a block may bring */
};

typedef struct gi_sampling {
    const gi_lines *lines;
    int64_t         line, taken;
    char           *out;
} gi_sampling;

/* A unit is a block of the sample. */
static void gi_sample_blocks(int64_t begin, int64_t end, void *job)
{
    const gi_sampling *s    = (const gi_sampling *)job;
    const gi_lines    *p    = s->lines;
    int64_t            size = ga_itemsize(p->a->dtype), part = p->length / s->taken, most = part < INT32_MAX ? part : INT32_MAX;
    const char        *first = gi_line_start(p, s->line);
    GI_ARENA(char, raw, GI_BLOCK * 8);
    for (int64_t block = begin; block < end; block++) {
        int64_t  start = block * GI_BLOCK, n = s->taken - start < GI_BLOCK ? s->taken - start : GI_BLOCK;
        uint32_t chance = (uint32_t)block * 2654435769u + 1;
        for (int64_t k = 0; k < n; k++) {
            chance = chance * 1664525 + 1013904223;
            const char *at =
                first + gi_offset_in_line(p, (start + k) * part + (int64_t)((uint64_t)chance * (uint64_t)most >> 32));
            if (size == 4) memcpy(raw + k * 4, at, 4); /* the next ones are fetched meanwhile */
            else memcpy(raw + k * size, at, (size_t)size);
        }
        gi_cast(p->dtype, p->a->dtype, n, s->out + start * 8, raw);
    }
}

/* `taken` elements of a line, one at random from each of as many equal parts, in an eight-byte dtype. */
static void gi_sample(const gi_lines *p, int64_t line, int64_t taken, void *out)
{
    gi_sampling s = { p, line, taken, (char *)out };
    gi_parallel((taken + GI_BLOCK - 1) / GI_BLOCK, 2, gi_sample_blocks, &s);
}

GI_BEGIN_FAST
/* Copies element i, float32 as float64, else eight bytes. */
static GI_INLINE void gi_pick_one(bool single, const void *x, int64_t i, char *out)
{
    if (single) {
        double wide = (double)((const float *)x)[i];
        memcpy(out, &wide, sizeof wide);
    } else {
        memcpy(out, (const char *)x + 8 * i, 8);
    }
}

static GI_INLINE int64_t gi_pick_as(bool single, int64_t n, const void *x, const uint64_t *in, char *out)
{
    const uint64_t top   = (uint64_t)1 << 63;
    int64_t        found = 0;
    for (int64_t i = 0; i < n; i += 64) {
        uint64_t bits = in[i / 64];
        if (n - i < 64) {
            for (; bits; bits &= bits - 1) gi_pick_one(single, x, i + __builtin_ctzll(bits), out + 8 * found++);
            continue;
        }
        do
            for (int k = 0; k < 4; k++) { /* most words name less than that: there is no branch to be guessed */
                gi_pick_one(single, x, i + __builtin_ctzll(bits | top), out + 8 * found);
                found += bits != 0;
                bits &= bits - 1;
            }
        while (bits);
    }
    return found;
}

/* Copies the elements that the bits name and returns their number. One more may be written behind. */
static int64_t gi_pick(bool single, int64_t n, const void *x, const uint64_t *in, void *out)
{
    return single ? gi_pick_as(true, n, x, in, (char *)out) : gi_pick_as(false, n, x, in, (char *)out);
}
GI_END_FAST

/* Of the elements start .. stop of a part; what does not fit is not collected. */
static void gi_collect_blocks(gi_bracket *b, int64_t part, int64_t start, int64_t stop)
{
    const gi_rank_search *s = b->search;
    GI_ARENA(char, raw, GI_BLOCK * 8);
    GI_ARENA(double, wide, GI_BLOCK);
    uint64_t           in[GI_BLOCK / 64], *keys = b->keys + part * b->room;
    const gi_sift_loop sift  = GI_LOOP_OF(sift)(b->lines.dtype);
    int64_t            found = b->found[part];
    gi_sifted          sum = b->sifted[part], between = { 0, 0, false };
    for (int64_t i = start; i < stop && found <= b->room - GI_PICK_ROOM; i += GI_BLOCK) {
        int64_t     n = stop - i < GI_BLOCK ? stop - i : GI_BLOCK;
        const void *x = gi_read_line(&b->lines, s->line, i, n, raw, wide);
        sift(n, x, b->bounds, in, &sum);
        if (b->open) sift(n, x, b->inner, in, &between);
        if (b->collect) found += gi_pick(b->lines.dtype == GA_F32, n, x, in, keys + found);
    }
    b->found[part]  = found;
    b->sifted[part] = sum;
    if (!b->open) return;
    __atomic_fetch_add(&b->between, between.inside, __ATOMIC_RELAXED);
    __atomic_fetch_add(&b->from_inner, between.from_low, __ATOMIC_RELAXED);
}

/* The parts take turns along the line: what is to be collected may lie in one place. */
static void gi_collect_bracket(int64_t begin, int64_t end, void *job)
{
    gi_bracket   *b = (gi_bracket *)job;
    const int64_t n = b->search->n, run = GI_BRACKET_RUN * GI_BLOCK;
    for (int64_t part = begin; part < end; part++)
        for (int64_t i = part * run; i < n; i += b->search->parts * run)
            gi_collect_blocks(b, part, i, n - i < run ? n : i + run);
}

/* Are many keys of a sample equal to this one? (Those of 0 and -0 are.) */
static bool gi_has_many(int64_t n, const uint64_t *sample, uint64_t key)
{
    const bool     zero  = gi_key_value(GA_F64, key) == 0;
    const uint64_t least = zero ? GI_KEY_SIGN - 1 : key, most = zero ? GI_KEY_SIGN : key;
    int64_t        equal = 0;
    for (int64_t i = 0; i < n; i += 8) equal += sample[i] >= least && sample[i] <= most;
    return equal > n / (8 * GI_BRACKET_MANY);
}

/* The number of the dtype beside x. */
static double gi_beside(ga_dtype dtype, double x, double side)
{
    return dtype == GA_F32 ? (double)nextafterf((float)x, (float)side) : nextafter(x, side);
}

/* Bounds that leave out what many elements are equal to. */
static void gi_open_bracket(gi_bracket *b, const bool *bounded, int64_t n, const uint64_t *sample)
{
    const ga_dtype dtype  = b->lines.dtype;
    const bool     many[] = { bounded[0] && gi_has_many(n, sample, b->low), bounded[1] && gi_has_many(n, sample, b->high) };
    double         low = gi_key_value(GA_F64, b->low), high = gi_key_value(GA_F64, b->high);
    b->open = many[0] || many[1];
    if (many[0]) low = gi_beside(dtype, low, INFINITY);
    if (many[1]) high = gi_beside(dtype, high, -(double)INFINITY);
    gi_sift_bounds(dtype, low, high, b->inner);
}

/* Places the bracket for one quantile. False: the sample is too small, or of no help. */
static bool gi_place_bracket(gi_bracket *b, double quantile, uint64_t *sample)
{
    const gi_rank_search *s     = b->search;
    const uint64_t        least = ~((uint64_t)0xFFF << 52), most = ~least; /* the keys of the infinities */
    int64_t               taken = s->n / 8 < GI_BRACKET_SAMPLE ? s->n / 8 : (int64_t)GI_BRACKET_SAMPLE;
    int64_t               m     = 0;
    gi_sample(s->lines, s->line, taken, sample);
    gi_make_keys(GA_F64, taken, sample, sample);
    for (int64_t i = 0; i < taken; i++) {
        sample[m] = sample[i];
        m += sample[i] != GI_KEY_NAN;
    }
    b->nan        = m < taken;
    int64_t reach = 2 * (int64_t)sqrt((double)m) + 2, middle = (int64_t)(quantile * (double)m);
    int64_t ranks[2] = { middle - reach, middle + reach };
    if (reach > m / 16) return false;
    bool bounded[2] = { ranks[0] >= 0, ranks[1] < m };
    gi_rank_select(sample, m, 0, bounded[0] + bounded[1], bounded[0] ? ranks : ranks + 1, 0);
    b->low     = bounded[0] ? sample[ranks[0]] : least;
    b->high    = bounded[1] ? sample[ranks[1]] : most;
    double low = gi_key_value(GA_F64, b->low), high = gi_key_value(GA_F64, b->high);
    gi_sift_bounds(b->lines.dtype, low, high, b->bounds);
    b->collect = low < high;
    if (b->collect) gi_open_bracket(b, bounded, m, sample);
    return true;
}

/* found[i] = the key of rank ranks[i], for m ascending ranks of which `first` lie below the n keys of s. Keys given as such are
   reordered. False: no memory. */
static bool gi_find_ranks(const char *site, gi_rank_search *s, int64_t first, int64_t m, const int64_t *ranks, uint64_t *found,
                          bool partition)
{
    if (s->keys && (partition || s->n <= GI_SELECT_SHORT)) {
        uint64_t *keys = (uint64_t *)(uintptr_t)s->keys;
        gi_rank_select(keys, s->n, first, m, ranks, 0);
        for (int64_t i = 0; i < m; i++) found[i] = keys[ranks[i] - first];
        return true;
    }
    size_t count_bytes = (size_t)s->parts * GI_SELECT_BINS * sizeof *s->counts;
    s->counts          = (int64_t *)gi_mem_alloc(site, count_bytes);
    if (!s->counts) return false;
    gi_place_bins(s);
    gi_parallel(s->parts, 1, gi_rank_count_bins, s);

    GI_ARENA(int64_t, below, GI_SELECT_BINS + 1);
    int64_t total = 0, rank = 0; /* keys below each bin, in the whole; keys to choose */
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
            *place = wanted < rank ? total : -1;
            if (wanted < rank) total += keys;
        }
    }
    bool ok = true;
    if (total > 0) {
        s->chosen = (uint64_t *)gi_mem_alloc(site, (size_t)total * sizeof *s->chosen);
        ok        = s->chosen != NULL;
        if (ok) gi_parallel(s->parts, 1, gi_choose_keys, s);
        int64_t start = 0;
        rank          = 0;
        for (int bin = 0; bin < GI_SELECT_BINS && ok; bin++) {
            int64_t wanted = rank;
            while (rank < m && ranks[rank] < below[bin + 1]) rank++;
            if (s->counts[bin] < 0) continue;
            bool           inner = bin > 0 && bin < GI_SELECT_BINS - 1;
            gi_rank_search next;
            memset(&next, 0, sizeof next);
            next.keys  = s->chosen + start;
            next.n     = below[bin + 1] - below[bin];
            next.parts = next.n < s->parts * GI_SELECT_PART ? 1 + next.n / GI_SELECT_PART : s->parts;
            start += next.n; /* an outer bin has no narrower range: if it took most keys as well, stop guessing */
            bool most = !inner && next.n > s->n / 2;
            ok        = gi_find_ranks(site, &next, below[bin], rank - wanted, ranks + wanted, found + wanted, most);
        }
        if (s->chosen) gi_mem_release(s->chosen, (size_t)total * sizeof *s->chosen);
    }
    gi_mem_release(s->counts, count_bytes);
    return ok;
}
