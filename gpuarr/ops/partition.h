/* ---- partition, argpartition --------------------------------------------------------------------------------------------- */
/*  The elements before the one that a sort puts at place kth, then those equal to it, then those behind, each in the order that they have.
    Elements become keys as for a sort, but signed ones, of which that of -0 is one less than that of 0. A sample says between which two
    keys the wanted one should lie; one pass over the line keeps the keys between and counts those below; what it kept is searched in the same
    way. A last pass moves the elements.                                                                                         */

enum {
    GI_PART_TILE   = 512,
    GI_PART_FEW    = 256,  /* keys are searched at once */
    GI_PART_SAMPLE = 1024, /* at most */
    GI_PART_POOR   = 8,    /* brackets that hardly helped, before brackets that halve the range: those end surely */
    GI_PART_ROOM   = 64    /* bytes that are written behind what is moved, at most */
};

typedef struct gi_partitioning {
    gi_lines               lines, out;
    bool                   indices;
    int64_t                kth, length;
    int                    size, width; /* bytes of an element, and of its key: 4 or 8 */
    gi_keys                rule;
    const gi_window_loops *loops;
    int64_t                least, most;         /* keys */
    int64_t                units, parts, bytes; /* parts: of a line */
    char *scratch; /* of each unit: keys that are kept, the line if it is not packed, and the counts of the parts */
} gi_partitioning;

/* One line; the threads share its parts. */
typedef struct gi_partition_line {
    const gi_partitioning *p;
    const char            *line; /* packed */
    char                  *to, *kept;
    int64_t                low, high;     /* the keys between which a pass keeps, or that count as equal */
    int64_t                parts, *count; /* of each part: how many lie before, between and behind; then where these go */
} gi_partition_line;

static int64_t gi_part_begin(const gi_partition_line *l, int64_t part)
{
    return part == l->parts ? l->p->length : l->p->length / l->parts * part;
}
static char *gi_part_kept(const gi_partition_line *l, int64_t part)
{
    return l->kept + gi_part_begin(l, part) * l->p->width + part * GI_PART_ROOM;
}

GI_BEGIN_FAST
/* Packed elements as wide as their keys. */
static const void *gi_wide_elements(const gi_partitioning *p, int64_t n, const void *elements, void *room)
{
    int32_t *wide = (int32_t *)room;
    if (p->size == p->width) return elements;
    gi_cast(GA_I32, p->lines.dtype, n, wide, elements);
    for (int64_t i = 0; i < n && p->lines.dtype == GA_BOOL; i++) wide[i] = wide[i] != 0;
    return wide;
}

static int64_t gi_signed_key(const gi_partitioning *p, const char *keys, int64_t i)
{
    return p->width == 4 ? ((const int32_t *)(const void *)keys)[i] : ((const int64_t *)(const void *)keys)[i];
}

/* One element at random of each of `taken` equal parts of n, as unsigned keys. */
static void gi_sample_keys(const gi_partition_line *l, const char *kept, int64_t n, int64_t taken, uint64_t *sample)
{
    const gi_partitioning *p    = l->p;
    const int              size = kept ? p->width : p->size;
    const char            *from = kept ? kept : l->line;
    GI_ARENA(char, raw, GI_PART_SAMPLE * 8);
    GI_ARENA(char, keys, GI_PART_SAMPLE * 8);
    uint64_t chance = 1, part = (uint64_t)(n / taken), most = part < UINT32_MAX ? part : UINT32_MAX;
    for (int64_t i = 0; i < taken; i++) {
        chance = chance * 6364136223846793005u + 1442695040888963407u;
        memcpy(raw + i * size, from + (i * (int64_t)part + (int64_t)((chance >> 32) * most >> 32)) * size, (size_t)size);
    }
    const char *wide = kept ? raw : (const char *)gi_wide_elements(p, taken, raw, keys);
    if (!kept) p->loops->to_keys(&p->rule, taken, (void *)(uintptr_t)wide);
    for (int64_t i = 0; i < taken; i++) sample[i] = (uint64_t)gi_signed_key(p, wide, i) ^ GI_KEY_SIGN;
}

/* The key of rank `rank` of a few. */
static int64_t gi_few_rank(const gi_partitioning *p, const char *keys, int64_t n, int64_t rank)
{
    GI_ARENA(uint64_t, few, GI_PART_FEW);
    for (int64_t i = 0; i < n; i++) few[i] = (uint64_t)gi_signed_key(p, keys, i) ^ GI_KEY_SIGN;
    gi_rank_select(few, n, 0, 1, &rank, 0);
    return (int64_t)(few[rank] ^ GI_KEY_SIGN);
}
GI_END_FAST

/* Keeps the keys of each part that lie between, and counts. */
static void gi_keep_parts(int64_t begin, int64_t end, void *job)
{
    const gi_partition_line *l    = (const gi_partition_line *)job;
    const gi_partitioning   *p    = l->p;
    const int64_t            tile = p->size == p->width ? INT64_MAX : (int64_t)GI_PART_TILE;
    GI_ARENA(char, wide, GI_PART_TILE * 8);
    for (int64_t part = begin; part < end; part++) {
        const int64_t stop  = gi_part_begin(l, part + 1);
        int64_t      *count = l->count + 3 * part;
        char         *kept  = gi_part_kept(l, part);
        memset(count, 0, 3 * sizeof *count);
        for (int64_t i = gi_part_begin(l, part), n; i < stop; i += n) {
            n = stop - i < tile ? stop - i : tile;
            int64_t     now[3];
            const void *elements = gi_wide_elements(p, n, l->line + i * p->size, wide);
            p->loops->keep(&p->rule, n, elements, l->low, l->high, kept + count[1] * p->width, now);
            for (int k = 0; k < 3; k++) count[k] += now[k];
        }
    }
}

/* The same of n keys that have been kept; `to` may be `kept`. */
static void gi_keep_again(const gi_partition_line *l, const char *kept, int64_t n, char *to, int64_t *count)
{
    const gi_keys as_they_are = { 0, false, 0, false };
    l->p->loops->keep(&as_they_are, n, kept, l->low, l->high, to, count);
}

/* Writes what lies side by side to the places from number `at` on. start: of the tile whose elements they number. */
static void gi_put_parted(const gi_partition_line *l, int64_t n, void *moved, int64_t at, int64_t start)
{
    const gi_partitioning *p      = l->p;
    const int64_t          stride = p->out.strides[0];
    char                  *to     = l->to + at * stride;
    GI_ARENA(char, room, GI_PART_TILE * 8);
    if (p->indices) {
        int64_t *wide = (int64_t *)(void *)(stride == 8 ? to : room);
        if (p->width == 4)
            for (int64_t i = 0; i < n; i++) wide[i] = start + ((const int32_t *)moved)[i];
        else
            for (int64_t i = 0; i < n; i++) wide[i] = start + ((const int64_t *)moved)[i];
        if (stride != 8) gi_scatter(8, n, to, stride, wide);
        return;
    }
    if (p->size < p->width) gi_cast(p->lines.dtype, GA_I32, n, room, moved);
    gi_scatter(p->size, n, to, stride, p->size < p->width ? room : (char *)moved);
}

/* Moves the elements of each part, or their numbers, to where they belong. */
static void gi_move_parted(int64_t begin, int64_t end, void *job)
{
    const gi_partition_line *l        = (const gi_partition_line *)job;
    const gi_partitioning   *p        = l->p;
    const bool               straight = !p->indices && p->size == p->width && p->out.strides[0] == p->size;
    enum { ROOM = GI_PART_TILE * 8 + GI_PART_ROOM };
    GI_ARENA(char, keys, GI_PART_TILE * 8);
    GI_ARENA(char, numbers, GI_PART_TILE * 8);
    GI_ARENA(char, room, 3 * ROOM);
    for (int i = 0; i < GI_PART_TILE && p->indices; i++) {
        if (p->width == 4) ((int32_t *)(void *)numbers)[i] = i;
        else ((int64_t *)(void *)numbers)[i] = i;
    }
    for (int64_t part = begin; part < end; part++) {
        const int64_t  stop = gi_part_begin(l, part + 1), *first = l->count + 3 * part;
        const int64_t *next =
            part + 1 < l->parts ? first + 3 : l->count + 1; /* where the next part, or the next kind, begins */
        const int64_t last[3] = { next[0], next[1], part + 1 < l->parts ? next[2] : p->length };
        int64_t       at[3]   = { first[0], first[1], first[2] };
        for (int64_t i = gi_part_begin(l, part), n; i < stop; i += n) {
            n                = stop - i < GI_PART_TILE ? stop - i : (int64_t)GI_PART_TILE;
            const void *wide = gi_wide_elements(p, n, l->line + i * p->size, keys);
            void       *to[3];
            int64_t     now[3];
            for (int k = 0; k < 3; k++) { /* where they belong, if nothing else is written over */
                const bool there = straight && at[k] + n + GI_PART_ROOM / p->size <= last[k];
                to[k]            = there ? l->to + at[k] * p->size : room + k * ROOM;
            }
            p->loops->split(&p->rule, n, wide, l->low, l->high, p->indices ? numbers : (const char *)wide, to, now);
            for (int k = 0; k < 3; k++) {
                if (now[k] > 0 && to[k] == room + k * ROOM) gi_put_parted(l, now[k], to[k], at[k], i);
                at[k] += now[k];
            }
        }
    }
}

/* How many keys of the line lie before, between and behind; those between are kept side by side. */
static void gi_keep_middle(gi_partition_line *l, int64_t *count)
{
    const int width = l->p->width;
    gi_parallel(l->parts, 1, gi_keep_parts, l);
    memset(count, 0, 3 * sizeof *count);
    for (int64_t part = 0; part < l->parts; part++) {
        const int64_t *now = l->count + 3 * part;
        if (part > 0) memmove(l->kept + count[1] * width, gi_part_kept(l, part), (size_t)(now[1] * width));
        for (int k = 0; k < 3; k++) count[k] += now[k];
    }
}

/* Two keys between which the one of rank `rank` of n should lie. kept: where they are, NULL: in the line. */
static void gi_bracket_rank(gi_partition_line *l, const char *kept, int64_t n, int64_t rank, bool single)
{
    GI_ARENA(uint64_t, sample, GI_PART_SAMPLE);
    int64_t       taken  = n / 32 < 32 ? 32 : n / 32 > GI_PART_SAMPLE ? (int64_t)GI_PART_SAMPLE : n / 32;
    const int64_t reach  = single ? 0 : 1 + (int64_t)(1.5 * sqrt((double)taken));
    const int64_t at     = (int64_t)((double)rank / (double)n * (double)taken);
    int64_t       two[2] = { at - reach, at + reach };
    gi_sample_keys(l, kept, n, taken, sample);
    const int64_t ends[2] = { two[0] < 0 ? 0 : two[0], two[1] < taken ? two[1] : taken - 1 };
    gi_rank_select(sample, taken, 0, single ? 1 : 2, ends, 0);
    const int64_t low = (int64_t)(sample[ends[0]] ^ GI_KEY_SIGN), high = (int64_t)(sample[ends[1]] ^ GI_KEY_SIGN);
    if (two[0] >= 0 && low > l->low) l->low = low;
    if (two[1] < taken && high < l->high) l->high = high;
}

/* Are the keys between all equal? Those of -0 and 0 are. */
static bool gi_is_one_key(const gi_partition_line *l, int64_t low, int64_t high)
{
    return low == high || (l->p->rule.real && low == -1 && high == 0);
}

/* Brings l->low and l->high to the key of rank kth of the line, and counts what lies before, between and behind in each part. */
static void gi_find_kth(gi_partition_line *l)
{
    const gi_partitioning *p     = l->p;
    const int              width = p->width;
    int64_t                low = p->least, high = p->most; /* it lies between these */
    int64_t                n = p->length, below = 0, count[3], first = p->length;
    const char            *kept = NULL; /* where the keys are that may be it, or NULL, in the line; `below` lie before them */
    bool                   all  = n <= GI_PART_FEW;
    for (int poor = 0; !gi_is_one_key(l, low, high);) {
        if (kept && n <= GI_PART_FEW) {
            low = high = gi_few_rank(p, kept, n, p->kth - below);
            break;
        }
        l->low  = low;
        l->high = high;
        if (!all && poor < GI_PART_POOR) gi_bracket_rank(l, kept, n, p->kth - below, poor % 2 == 1);
        else if (!all) l->high = low + (int64_t)(((uint64_t)high - (uint64_t)low) / 2);
        if (p->rule.real && l->low == 0) l->low = -1;
        if (p->rule.real && l->high == -1) l->high = 0;
        char *to = l->kept; /* the first ones are kept, if there is room, to be counted at last */
        if (kept && first <= p->length / 2) to += first * width + GI_PART_ROOM;
        if (kept) gi_keep_again(l, kept, n, to, count);
        else gi_keep_middle(l, count);
        const int64_t rank = p->kth - below;
        if (rank >= count[0] && rank < count[0] + count[1]) {
            low  = l->low;
            high = l->high;
            poor += !all && count[1] > n / 2;
            if (!kept) first = count[1];
            kept = to;
            n    = count[1];
            below += count[0];
            all = false;
            continue;
        }
        if (rank < count[0]) high = l->low - 1; /* the bracket missed it: once more, with all that may be it */
        else low = l->high + 1;
        poor++;
        kept  = NULL;
        n     = p->length;
        below = 0;
        all   = true;
    }
    const bool zero = p->rule.real && (low == 0 || low == -1);
    l->low          = zero ? -1 : low;
    l->high         = zero ? 0 : low;
    if (!kept || first > p->length / 2) {
        gi_keep_middle(l, count);
        return;
    }
    char *from = l->kept, *to = from + first * width + GI_PART_ROOM;
    for (int64_t part = 0, m; part < l->parts; part++, from += m * width) {
        int64_t *now = l->count + 3 * part;
        m            = now[1];
        gi_keep_again(l, from, m, to, count);
        now[0] += count[0];
        now[1] = count[1];
        now[2] += count[2];
    }
}

static void gi_partition_one(const gi_partitioning *p, int64_t number, char *scratch)
{
    gi_partition_line l;
    const int64_t     n  = p->length;
    int64_t           at = 0;
    l.p                  = p;
    l.parts              = p->parts;
    l.kept               = scratch;
    l.count              = (int64_t *)(void *)(scratch + p->bytes - gi_mem_padded(3 * l.parts * (int64_t)sizeof *l.count));
    l.line = (const char *)gi_read_line(&p->lines, number, 0, n, (char *)l.count - gi_mem_padded(n * p->size), NULL);
    l.to   = (char *)gi_line_start(&p->out, number);
    gi_find_kth(&l);
    for (int k = 0; k < 3; k++)
        for (int64_t part = 0; part < l.parts; part++) {
            const int64_t count   = l.count[3 * part + k];
            l.count[3 * part + k] = at;
            at += count;
        }
    gi_parallel(l.parts, 1, gi_move_parted, &l);
}

static void gi_partition_units(int64_t begin, int64_t end, void *job)
{
    const gi_partitioning *p = (const gi_partitioning *)job;
    for (int64_t unit = begin; unit < end; unit++)
        for (int64_t line = unit; line < p->lines.lines; line += p->units)
            gi_partition_one(p, line, p->scratch + unit * p->bytes);
}

/* Of real numbers on the CPU, into `result`. False with an error: no memory. */
static bool gi_partition_run(const char *site, const ga_array *a, int axis, int64_t kth, bool indices, ga_array *result)
{
    gi_partitioning p;
    ga_shape        axes;
    memset(&axes, 0, sizeof axes);
    axes.ndim = 1;
    axes.n[0] = axis;
    memset(&p, 0, sizeof p);
    if (!gi_lines_plan(site, &p.lines, a, a->dtype, axis, &axes, false) ||
        !gi_lines_plan(site, &p.out, result, result->dtype, axis, &axes, false))
        return false;
    const int64_t threads = ga_get_num_threads();
    p.indices             = indices;
    p.kth                 = kth;
    p.length              = p.lines.length;
    p.size                = (int)ga_itemsize(a->dtype);
    p.width               = p.size == 8 ? 8 : 4;
    p.most                = p.width == 8 ? INT64_MAX : INT32_MAX;
    p.least               = -p.most - 1;
    p.rule.real           = gi_is_float(a->dtype);
    p.rule.nan            = (uint64_t)p.most;
    p.rule.flip           = p.size == p.width && !p.rule.real && !gi_is_signed(a->dtype) ? (uint64_t)p.most + 1 : 0;
    p.loops               = GI_LOOP_OF(windows)(p.width);
    p.units               = p.lines.lines < 4 * threads ? p.lines.lines : 4 * threads;
    if (p.length >= 2 * GI_SELECT_PART) p.units = 1;     /* the threads share a line, else each has its own */
    p.parts = p.units > 1 ? 1 : gi_rank_parts(p.length); /* once: another thread may change the number of threads */
    p.bytes = gi_mem_padded(p.length * p.width + (p.parts + 2) * GI_PART_ROOM) + gi_mem_padded(p.length * p.size) +
              gi_mem_padded(3 * p.parts * (int64_t)sizeof(int64_t));
    p.scratch = (char *)gi_mem_alloc(site, (size_t)(p.units * p.bytes));
    if (!p.scratch) return false;
    if (p.units == 1) gi_partition_units(0, 1, &p); /* not as a task, so that it may use the threads */
    else gi_parallel(p.units, 1, gi_partition_units, &p);
    gi_mem_release(p.scratch, (size_t)(p.units * p.bytes));
    return true;
}

/* The same of calls: a stable sort by 0, 1 or 2, where an element lies before, is equal or lies behind. */
static ga_array *gi_do_partition(const gi_composition *c, const ga_array *a, int axis, int64_t kth, bool indices)
{
    ga_array *middle = gi_do_part(c, gi_do_along(c, (ga_sort), a, axis), axis, kth, 1);
    ga_array *before = middle ? GI_DO_2(c, less, a, middle) : NULL, *upto = before ? GI_DO_2(c, less_equal, a, middle) : NULL;
    if (upto && gi_is_float(a->dtype)) { /* a NaN lies behind all numbers and is equal to another */
        ga_array *nan = GI_DO_1(c, isnan, middle), *number = GI_DO_1(c, logical_not, GI_DO_1(c, isnan, a));
        ga_array *less = nan && number ? GI_DO_2(c, logical_and, nan, number) : NULL;
        before         = less ? GI_DO_2(c, logical_or, before, less) : NULL;
        upto           = before ? GI_DO_2(c, logical_or, upto, nan) : NULL;
    }
    ga_array *behind = upto ? (ga_astype)(GI_DO_1(c, logical_not, upto), GA_I32, c->site) : NULL;
    ga_array *third  = behind ? GI_DO_2(c, subtract, behind, before) : NULL;
    ga_array *order  = third ? gi_do_along(c, (ga_argsort), third, axis) : NULL;
    if (!order || indices) return order;
    ga_along_options o = ga_along_defaults;
    o.site             = c->site;
    o.axis             = axis;
    return (ga_take_along_axis)(a, order, o);
}

/* a in memory, partitioned along an axis; or the indices that do it. */
static ga_array *gi_partition_array(const char *site, const ga_array *a, int axis, int64_t kth, bool indices)
{
    if (gi_is_complex(a->dtype)) return gi_sort_array(site, a, axis, indices);
    if (a->device == GA_CUDA) {
        gi_composition c;
        gi_compose_begin(&c, site);
        ga_array *truths = a->dtype == GA_BOOL ? gi_copy_truths(site, a) : (ga_view)(a, site);
        return gi_compose_end(&c, truths ? gi_do_partition(&c, truths, axis, kth, indices) : NULL);
    }
    ga_array *result = gi_array_new(site, indices ? GA_I64 : a->dtype, a->device, a->ndim, a->shape);
    if (result && result->size > 0 && !gi_partition_run(site, a, axis, kth, indices, result)) {
        ga_free(result);
        return NULL;
    }
    return result;
}

static ga_array *gi_partition_call(const char *name, const ga_array *a, int64_t kth, ga_axis_options *o, bool indices)
{
    if (!gi_array_check_half_any(o->site, a, "a") || !gi_takes_only_axis(name, o)) return NULL;
    const int     axis = gi_axis(o->site, gi_axis_or(o->axis, -1), a->ndim);
    const int64_t n    = axis < 0 ? 0 : a->shape[axis];
    if (axis < 0) return NULL;
    if (a->size == 0 && !gi_is_deferred(a))
        return gi_array_new(o->site, indices ? GA_I64 : a->dtype, a->device, a->ndim, a->shape);
    if (kth < -n || kth >= n)
        return (ga_array *)gi_fail(o->site, GA_BAD_ARGUMENT, "kth = %lld is out of bounds for axis %d with length %lld",
                                   (long long)kth, axis, (long long)n);
    if (kth < 0) kth += n;
    if (gi_is_half(a->dtype)) {
        ga_dtype  half, asked = GA_DTYPE_DEFAULT;
        ga_array *wide = gi_half_widen(o->site, a, &asked, &half);
        return gi_half_end(o->site, wide, wide ? gi_partition_call(name, wide, kth, o, indices) : NULL, NULL, half);
    }
    if (gi_is_deferred(a)) return gi_deferred()->sort(a, axis, indices, kth, o);
    GI_SETTLE_FLOATS;
    return gi_partition_array(o->site, a, axis, kth, indices);
}

ga_array *(ga_partition)(const ga_array *a, int64_t kth, ga_axis_options o)
{
    return gi_options_axis(&o) ? gi_partition_call("ga_partition", a, kth, &o, false) : NULL;
}
ga_array *(ga_argpartition)(const ga_array *a, int64_t kth, ga_axis_options o)
{
    return gi_options_axis(&o) ? gi_partition_call("ga_argpartition", a, kth, &o, true) : NULL;
}
