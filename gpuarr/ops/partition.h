/* ---- partition, argpartition --------------------------------------------------------------------------------------------- */
/*  The elements before the one that a sort puts at place kth, then those equal to it, then those behind, each in the order that they have.
    Elements become keys as for a sort, but signed ones, of which that of -0 is one less than that of 0. A sample says between which two
    keys the wanted one should lie; one pass over the line keeps the keys between and counts those below; what it kept is searched in the same
    way. Where many are equal, one key is counted alone. A last pass moves the elements. Many short lines are sorted for their keys;
    lines of one or two bytes and medium ones have ways of their own: gi_partition_narrow, gi_partition_medium.   */

enum {
    GI_PART_TILE   = 512,
    GI_PART_FEW    = 256,  /* keys are searched at once */
    GI_PART_EACH   = 128,  /* so many elements give one to a sample */
    GI_PART_SAMPLE = 1024, /* at most */
    GI_PART_SHORT  = 256,  /* so long lines are sorted, if there are several; not more than a tile */
    GI_PART_POOR   = 8,    /* brackets that hardly helped, before brackets that halve the range: those end surely */
    GI_PART_MEDIUM = 2048, /* at most so long ones are read as a whole */
    GI_PART_TURNED = 512,  /* elements of an array whose lines are brought together, if they lie apart */
    GI_PART_ROOM   = 64    /* bytes that are written behind what is moved, at most */
};

typedef struct gi_partitioning {
    gi_lines            lines, out;
    bool                indices;
    int64_t             kth, last, length; /* the ranks that are wanted: one, or two neighbours */
    bool                alike;             /* -0 and 0 are equal */
    int                 size, width;       /* bytes of an element, and of its key: 4 or 8 */
    gi_keys             rule;
    const gi_key_loops *loops;
    int64_t             least, most;         /* keys */
    int64_t             units, parts, bytes; /* parts: of a line */
    const gi_lines     *sorted;              /* short lines: the same, sorted; else NULL */
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
        chance         = chance * 6364136223846793005u + 1442695040888963407u;
        const char *at = from + (i * (int64_t)part + (int64_t)((chance >> 32) * most >> 32)) * size;
        if (size == 4) memcpy(raw + i * 4, at, 4); /* no call */
        else if (size == 8) memcpy(raw + i * 8, at, 8);
        else memcpy(raw + i * size, at, (size_t)size);
    }
    const char *wide = kept ? raw : (const char *)gi_wide_elements(p, taken, raw, keys);
    if (!kept) p->loops->to_keys(&p->rule, taken, (void *)(uintptr_t)wide);
    for (int64_t i = 0; i < taken; i++) sample[i] = (uint64_t)gi_signed_key(p, wide, i) ^ GI_KEY_SIGN;
}

/* Brings keys of the m ascending ranks to their places, as gi_rank_select does. */
static void gi_order_few(uint64_t *v, int64_t n, int64_t m, const int64_t *ranks)
{
    const gi_word_sort sort = n <= GI_PART_SAMPLE ? GI_LOOP_OF(sort_words)() : NULL;
    if (sort) sort(n, v);
    else gi_rank_select(v, n, 0, m, ranks, 0);
}

/* Keys of ranks p->kth and p->last, `below` lying before these few. */
static void gi_few_ranks(const gi_partitioning *p, const char *keys, int64_t n, int64_t below, int64_t *found)
{
    const int64_t ranks[2] = { p->kth - below, p->last - below };
    GI_ARENA(uint64_t, few, GI_PART_FEW);
    for (int64_t i = 0; i < n; i++) few[i] = (uint64_t)gi_signed_key(p, keys, i) ^ GI_KEY_SIGN;
    gi_order_few(few, n, 2, ranks);
    for (int k = 0; k < 2; k++) found[k] = (int64_t)(few[ranks[k]] ^ GI_KEY_SIGN);
}
GI_END_FAST

/* Are the keys between all equal? */
static bool gi_is_one_key(const gi_partition_line *l, int64_t low, int64_t high)
{
    return low == high || (l->p->alike && low == -1 && high == 0);
}

/* Keeps the keys of each part that lie between, if they are not all equal, and counts. */
static void gi_keep_parts(int64_t begin, int64_t end, void *job)
{
    const gi_partition_line *l    = (const gi_partition_line *)job;
    const gi_partitioning   *p    = l->p;
    const bool               one  = gi_is_one_key(l, l->low, l->high);
    const int64_t            tile = p->size == p->width && !one ? INT64_MAX : (int64_t)GI_PART_TILE;
    GI_ARENA(char, wide, GI_PART_TILE * 8);
    GI_ARENA(char, none, GI_PART_TILE * 8 + GI_PART_ROOM);
    for (int64_t part = begin; part < end; part++) {
        const int64_t stop  = gi_part_begin(l, part + 1);
        int64_t      *count = l->count + 3 * part;
        char         *kept  = gi_part_kept(l, part);
        memset(count, 0, 3 * sizeof *count);
        for (int64_t i = gi_part_begin(l, part), n; i < stop; i += n) {
            n = stop - i < tile ? stop - i : tile;
            int64_t     now[3];
            const void *elements = gi_wide_elements(p, n, l->line + i * p->size, wide);
            p->loops->keep(&p->rule, n, elements, l->low, l->high, one ? none : kept + count[1] * p->width, now);
            for (int k = 0; k < 3; k++) count[k] += now[k];
        }
    }
}

/* The same of n keys that have been kept; `to` may be `kept`. Keys that are all equal are only counted. */
static void gi_keep_again(const gi_partition_line *l, const char *kept, int64_t n, char *to, int64_t *count)
{
    const gi_keys as_they_are = { 0, false, 0, false };
    const bool    one         = gi_is_one_key(l, l->low, l->high);
    const int64_t tile        = one ? (int64_t)GI_PART_TILE : INT64_MAX;
    GI_ARENA(char, none, GI_PART_TILE * 8 + GI_PART_ROOM);
    memset(count, 0, 3 * sizeof *count);
    for (int64_t i = 0; i < n; i += tile) {
        int64_t now[3];
        l->p->loops->keep(&as_they_are, n - i < tile ? n - i : tile, kept + i * l->p->width, l->low, l->high, one ? none : to,
                          now);
        for (int k = 0; k < 3; k++) count[k] += now[k];
        if (!one) return;
    }
}

/* 0, 1, 2 ... as wide as keys. */
static void gi_part_numbers(const gi_partitioning *p, int64_t n, char *numbers)
{
    for (int64_t i = 0; i < n && p->width == 4; i++) ((int32_t *)(void *)numbers)[i] = (int32_t)i;
    for (int64_t i = 0; i < n && p->width == 8; i++) ((int64_t *)(void *)numbers)[i] = i;
}

/* Writes what lies side by side to the places from number `at` on. start: of the tile whose elements they number. */
static void gi_put_parted(const gi_partition_line *l, int64_t n, void *moved, int64_t at, int64_t start)
{
    const gi_partitioning *p      = l->p;
    const int64_t          stride = p->out.strides[0];
    char                  *to     = l->to + at * stride;
    GI_ARENA(char, room, n * 8);
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
    if (p->indices) gi_part_numbers(p, (int64_t)GI_PART_TILE, numbers);
    for (int64_t part = begin; part < end; part++) {
        const int64_t  stop = gi_part_begin(l, part + 1), *first = l->count + 3 * part;
        const int64_t *next =
            part + 1 < l->parts ? first + 3 : l->count + 1; /* where the next part, or the next kind, begins */
        const int64_t last[3] = { next[0], next[1], part + 1 < l->parts ? next[2] : p->length };
        int64_t       at[3]   = { first[0], first[1], first[2] };
        const int64_t start   = gi_part_begin(l, part);
        int           whole   = 0; /* where all elements of the part go, if to one place */
        while (whole < 3 && last[whole] - first[whole] < stop - start) whole++;
        if (p->lines.dtype == GA_BOOL) whole = 3; /* what is not 0 becomes 1 */
        if (whole < 3 && !p->indices) {
            gi_scatter(p->size, stop - start, l->to + at[whole] * p->out.strides[0], p->out.strides[0],
                       l->line + start * p->size);
            continue;
        }
        for (int64_t i = start, n; i < stop; i += n) {
            n = stop - i < GI_PART_TILE ? stop - i : (int64_t)GI_PART_TILE;
            if (whole < 3) {
                gi_put_parted(l, n, numbers, at[whole] + i - start, i);
                continue;
            }
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

/* How many keys of the line lie before, between and behind; those between are kept side by side, if they are not all equal. */
static void gi_keep_middle(gi_partition_line *l, int64_t *count)
{
    const int  width = l->p->width;
    const bool one   = gi_is_one_key(l, l->low, l->high);
    gi_parallel(l->parts, 1, gi_keep_parts, l);
    memset(count, 0, 3 * sizeof *count);
    for (int64_t part = 0; part < l->parts; part++) {
        const int64_t *now = l->count + 3 * part;
        if (part > 0 && !one) memmove(l->kept + count[1] * width, gi_part_kept(l, part), (size_t)(now[1] * width));
        for (int k = 0; k < 3; k++) count[k] += now[k];
    }
}

/* Where the wanted keys are: among n that have been kept, or NULL, in the line; `below` lie before these. They are not less than low and
   not more than high: of the n, `under` are less than low, and `inside` lie between. */
typedef struct gi_whereabouts {
    const char *kept;
    int64_t     n, below, low, high, under, inside;
    int64_t     first; /* of those that were kept first and are kept still; the whole line: none are */
} gi_whereabouts;

/* Two keys between which the wanted ones should lie. One key, if many are equal: those beside it leave as well. */
static void gi_bracket_rank(gi_partition_line *l, const gi_whereabouts *w)
{
    GI_ARENA(uint64_t, sample, GI_PART_SAMPLE);
    int64_t taken = w->n / GI_PART_EACH < 32 ? 32 : w->n / GI_PART_EACH, m = 0, many = 0;
    if (taken > GI_PART_SAMPLE) taken = GI_PART_SAMPLE;
    const uint64_t least = (uint64_t)w->low ^ GI_KEY_SIGN, most = (uint64_t)w->high ^ GI_KEY_SIGN;
    gi_sample_keys(l, w->kept, w->n, taken, sample);
    for (int64_t i = 0; i < taken; i++) {
        if (l->p->alike && sample[i] == GI_KEY_SIGN - 1) sample[i] = GI_KEY_SIGN; /* -0 */
        sample[m] = sample[i];
        m += sample[i] >= least && sample[i] <= most;
    }
    if (m < 8) return; /* few lie there */
    const int64_t reach = 1 + (int64_t)sqrt((double)m), before = w->below + w->under;
    const double  share = (double)m / (double)w->inside;
    const int64_t place = (int64_t)((double)(l->p->kth - before) * share), at = place < m ? place : m - 1;
    const int64_t last   = (int64_t)((double)(l->p->last - before) * share);
    const int64_t two[3] = { at < reach ? 0 : at - reach, at, last + reach < m ? last + reach : m - 1 };
    gi_order_few(sample, m, 3, two);
    const uint64_t low = at < reach ? least : sample[two[0]], high = last + reach < m ? sample[two[2]] : most;
    for (int64_t i = 0; i < m; i++) many += sample[i] >= low && sample[i] <= high;
    const bool one = many - (two[2] - two[0] + 1) > m / 4;
    l->low         = (int64_t)((one ? sample[at] : low) ^ GI_KEY_SIGN);
    l->high        = (int64_t)((one ? sample[at] : high) ^ GI_KEY_SIGN);
}

/* The keys of ranks p->kth and p->last. False: something lies between these, each must be searched alone. */
static bool gi_find_kth(gi_partition_line *l, gi_whereabouts *w, int64_t *found)
{
    const gi_partitioning *p     = l->p;
    const gi_whereabouts   begin = { NULL, p->length, 0, p->least, p->most, 0, p->length, p->length };
    *w                           = begin;
    for (int poor = 0; !gi_is_one_key(l, w->low, w->high);) {
        if (w->kept && w->n <= GI_PART_FEW) {
            gi_few_ranks(p, w->kept, w->n, w->below, found);
            return true;
        }
        l->low  = w->low;
        l->high = w->high;
        if (w->n > GI_PART_FEW && poor < GI_PART_POOR) gi_bracket_rank(l, w);
        else if (w->n > GI_PART_FEW) l->high = w->low + (int64_t)(((uint64_t)w->high - (uint64_t)w->low) / 2);
        if (p->alike && l->low == 0) l->low = -1;
        if (p->alike && l->high == -1) l->high = w->high == 0 && l->low < -1 ? -2 : 0; /* never both bounds as they were */
        char *to = l->kept; /* the first ones are kept, if there is room, to be counted at last */
        if (w->kept && w->first <= p->length / 2) to += w->first * p->width + GI_PART_ROOM;
        int64_t       count[3];
        const int64_t rank = p->kth - w->below, last = p->last - w->below;
        if (w->kept) gi_keep_again(l, w->kept, w->n, to, count);
        else gi_keep_middle(l, count);
        if (rank >= count[0] && last < count[0] + count[1]) {
            poor += count[1] > w->n / 2;
            if (!w->kept) w->first = count[1];
            w->kept = to;
            w->low  = l->low;
            w->high = l->high;
            w->n = w->inside = count[1];
            w->below += count[0];
            w->under = 0;
            continue;
        }
        poor++;
        if (last < count[0]) { /* the bracket missed them */
            w->high   = l->low - 1;
            w->inside = count[0] - w->under;
        } else if (rank >= count[0] + count[1]) {
            w->low = l->high + 1;
            w->inside -= count[0] + count[1] - w->under;
            w->under = count[0] + count[1];
        } else return false;
        if (w->kept != to || gi_is_one_key(l, l->low, l->high)) continue;
        w->under += w->below; /* they are written over */
        w->below = 0;
        w->kept  = NULL;
        w->n     = p->length;
    }
    found[0] = found[1] = w->low;
    return true;
}

/* Brings l->low and l->high to the key of rank p->kth of the line, and counts what lies before, between and behind in each part. */
static void gi_count_kth(gi_partition_line *l)
{
    const gi_partitioning *p = l->p;
    gi_whereabouts         w;
    int64_t                key[2], count[3];
    gi_find_kth(l, &w, key);
    const bool    zero = p->alike && (*key == 0 || *key == -1);
    const int64_t low = zero ? -1 : *key, high = zero ? 0 : *key;
    const bool    counted = w.kept == l->kept && w.n == w.first && w.n == w.inside && gi_is_one_key(l, w.low, w.high);
    l->low                = low;
    l->high               = high;
    if (counted) return;
    if (!w.kept || w.first > p->length / 2) {
        gi_keep_middle(l, count);
        return;
    }
    const char *from = l->kept;
    for (int64_t part = 0, m; part < l->parts; part++, from += m * p->width) {
        int64_t *now = l->count + 3 * part;
        m            = now[1];
        gi_keep_again(l, from, m, NULL, count); /* of one key: only counted */
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
    gi_count_kth(&l);
    for (int k = 0; k < 3; k++)
        for (int64_t part = 0; part < l.parts; part++) {
            const int64_t count   = l.count[3 * part + k];
            l.count[3 * part + k] = at;
            at += count;
        }
    gi_parallel(l.parts, 1, gi_move_parted, &l);
}

/* Splits a line, elements as wide as keys, by the wanted key, and moves what comes of it. numbers: those of its elements. room: three times that
   of the elements and GI_PART_ROOM. */
static void gi_part_at_once(const gi_partitioning *p, int64_t line, const void *wide, int64_t key, const char *numbers,
                            char *room)
{
    const int64_t     n = p->length, apart = n * p->width + GI_PART_ROOM;
    const int         item   = p->indices ? 8 : p->size;
    const bool        packed = p->out.strides[0] == item && p->width == item, zero = p->alike && (key == 0 || key == -1);
    void *const       to[3] = { room, room + apart, room + 2 * apart };
    int64_t           count[3], at = 0;
    gi_partition_line l;
    l.p  = p;
    l.to = (char *)gi_line_start(&p->out, line);
    p->loops->split(&p->rule, n, wide, zero ? -1 : key, zero ? 0 : key, p->indices ? numbers : (const char *)wide, to, count);
    for (int k = 0; k < 3; at += count[k++]) {
        if (count[k] == 0) continue;
        if (packed) memcpy(l.to + at * item, to[k], (size_t)(count[k] * item));
        else gi_put_parted(&l, count[k], to[k], at, 0);
    }
}

/* Short lines: the wanted key is read from the sorted line. */
static void gi_partition_short(int64_t begin, int64_t end, void *job)
{
    const gi_partitioning *p = (const gi_partitioning *)job;
    const int64_t          n = p->length;
    if (p->loops->part_lines && p->size == p->width && !p->indices && gi_lines_adjoin(&p->lines) && gi_lines_adjoin(&p->out) &&
        gi_lines_adjoin(p->sorted)) {
        p->loops->part_lines(&p->rule, n, end - begin, gi_line_start(&p->lines, begin),
                             gi_line_start(p->sorted, begin) + p->kth * p->size, (char *)gi_line_start(&p->out, begin));
        return;
    }
    GI_ARENA(char, raw, GI_PART_SHORT * 8);
    GI_ARENA(char, keys, GI_PART_SHORT * 8);
    GI_ARENA(char, numbers, GI_PART_SHORT * 8);
    GI_ARENA(char, room, 3 * (GI_PART_SHORT * 8 + GI_PART_ROOM));
    if (p->indices) gi_part_numbers(p, n, numbers);
    for (int64_t line = begin; line < end; line++) {
        int64_t one[1];
        memcpy(one, gi_line_start(p->sorted, line) + p->kth * p->sorted->strides[0], (size_t)p->size);
        void *key = (void *)(uintptr_t)gi_wide_elements(p, 1, one, keys);
        p->loops->to_keys(&p->rule, 1, key);
        const int64_t found = gi_signed_key(p, (const char *)key, 0);
        gi_part_at_once(p, line, gi_wide_elements(p, n, gi_read_line(&p->lines, line, 0, n, raw, NULL), keys), found, numbers,
                        room);
    }
}

GI_BEGIN_FAST
/* The signed key that an unsigned one stands for. */
static int64_t gi_turned_key(const gi_partitioning *p, uint64_t key)
{
    return p->width == 4 ? (int32_t)((uint32_t)key ^ 0x80000000u) : (int64_t)(key ^ GI_KEY_SIGN);
}

/* Two keys of a sample of TAKEN, as signed ones, between which that of rank p->kth should lie. */
static void gi_bracket_line(const gi_partitioning *p, const gi_quick_loops *quick, const char *elements, int64_t *low,
                            int64_t *high)
{
    enum { TAKEN = 64, REACH = 9 };
    const int64_t n = p->length, at = p->kth * TAKEN / n;
    const gi_keys rule = gi_unsigned_keys(p->lines.dtype);
    char          sample[TAKEN * 8] __attribute__((aligned(64)));
    for (int64_t i = 0; i < TAKEN; i++) { /* one of each of as many parts, at another place in each */
        const char *x = elements + (TAKEN * i + i * 37 % TAKEN) * n / (TAKEN * TAKEN) * p->width;
        if (p->width == 4) memcpy(sample + 4 * i, x, 4);
        else memcpy(sample + 8 * i, x, 8);
    }
    p->loops->to_keys(&rule, (int64_t)TAKEN, sample);
    quick->sort((int64_t)TAKEN, sample);
    *low  = at < REACH ? p->least : gi_turned_key(p, (uint64_t)gi_signed_key(p, sample, at - REACH));
    *high = at + REACH >= TAKEN ? p->most : gi_turned_key(p, (uint64_t)gi_signed_key(p, sample, at + REACH));
}

/* The key of rank p->kth of a line of elements as wide as keys. keys: room for all and GI_PART_ROOM. */
static int64_t gi_select_in_line(const gi_partitioning *p, const char *elements, char *keys)
{
    const gi_quick_loops *quick = GI_LOOP_OF(quick)(p->width);
    const gi_keys         rule  = gi_unsigned_keys(p->lines.dtype);
    const int64_t         n     = p->length;
    int64_t               low, high, count[3] = { n, 0, 0 };
    if (n > GI_PART_SHORT) {
        gi_bracket_line(p, quick, elements, &low, &high);
        p->loops->keep(&p->rule, n, elements, low, high, keys, count);
    }
    if (p->kth < count[0] || p->kth >= count[0] + count[1]) { /* it is not between */
        memcpy(keys, elements, (size_t)(n * p->width));
        p->loops->to_keys(&rule, n, keys);
        return gi_turned_key(p, quick->select(n, keys, p->kth));
    }
    for (int64_t i = 0; i < count[1] && p->width == 4; i++) ((uint32_t *)(void *)keys)[i] ^= 0x80000000u;
    for (int64_t i = 0; i < count[1] && p->width == 8; i++) ((uint64_t *)(void *)keys)[i] ^= GI_KEY_SIGN;
    return gi_turned_key(p, quick->select(count[1], keys, p->kth - count[0]));
}

GI_END_FAST

/* Lines that are not long, of elements as wide as keys. */
static void gi_partition_medium(int64_t begin, int64_t end, void *job)
{
    const gi_partitioning *p = (const gi_partitioning *)job;
    GI_ARENA(char, raw, GI_PART_MEDIUM * 8);
    GI_ARENA(char, keys, GI_PART_MEDIUM * 8 + GI_PART_ROOM);
    GI_ARENA(char, numbers, GI_PART_MEDIUM * 8);
    GI_ARENA(char, room, 3 * (GI_PART_MEDIUM * 8 + GI_PART_ROOM));
    if (p->indices) gi_part_numbers(p, p->length, numbers);
    for (int64_t line = begin; line < end; line++) {
        const char *elements = (const char *)gi_read_line(&p->lines, line, 0, p->length, raw, NULL);
        gi_part_at_once(p, line, elements, gi_select_in_line(p, elements, keys), numbers, room);
    }
}

/* Lines of elements of one or two bytes: gi_key_far finds the key of the rank in long ones, in others it is found bit by bit. */
static void gi_partition_narrow(int64_t begin, int64_t end, void *job)
{
    const gi_partitioning *p      = (const gi_partitioning *)job;
    const int64_t          n      = p->length;
    const ga_dtype         dtype  = p->lines.dtype;
    const int              item   = p->indices ? 8 : p->size;
    const gi_keys          rule   = { gi_is_signed(dtype) ? (uint64_t)1 << (8 * p->size - 1) : 0, false, 0, dtype == GA_BOOL };
    const bool             packed = p->out.strides[0] == item;
    const gi_key_loops    *loops  = GI_LOOP_OF(keys)(p->size);
    GI_ARENA(char, raw, GI_PART_LINE * 2);
    GI_ARENA(char, room, GI_PART_LINE * 8);
    for (int64_t line = begin; line < end; line++) {
        char       *to       = (char *)gi_line_start(&p->out, line);
        const void *elements = gi_read_line(&p->lines, line, 0, n, raw, NULL);
        loops->part_line(&rule, n, elements, p->kth, p->indices, packed ? to : room);
        if (!packed) gi_scatter(item, n, to, p->out.strides[0], room);
    }
}

static void gi_partition_units(int64_t begin, int64_t end, void *job)
{
    const gi_partitioning *p = (const gi_partitioning *)job;
    for (int64_t unit = begin; unit < end; unit++)
        for (int64_t line = unit; line < p->lines.lines; line += p->units)
            gi_partition_one(p, line, p->scratch + unit * p->bytes);
}

/* How elements of a dtype become keys. */
static void gi_partition_keys(gi_partitioning *p, ga_dtype dtype)
{
    p->size      = (int)ga_itemsize(dtype);
    p->width     = p->size == 8 ? 8 : 4;
    p->most      = p->width == 8 ? INT64_MAX : INT32_MAX;
    p->least     = -p->most - 1;
    p->rule.real = gi_is_float(dtype);
    p->rule.nan  = (uint64_t)p->most;
    p->rule.flip = p->size == p->width && !p->rule.real && !gi_is_signed(dtype) ? (uint64_t)p->most + 1 : 0;
    p->loops     = GI_LOOP_OF(keys)(p->width);
}

/* The same where the lines are short: all of them are sorted as well, into an array of its own. */
static bool gi_partition_sorted(const char *site, gi_partitioning *p, const ga_array *a, int axis, const ga_shape *axes)
{
    gi_lines  lines;
    ga_array *sorted = gi_sort_array(site, a, axis, false);
    bool      done   = sorted && gi_lines_plan(site, &lines, sorted, sorted->dtype, axis, axes, false);
    p->sorted        = &lines;
    if (done)
        gi_parallel_bytes(8.0 * (double)(a->size * p->size), p->lines.lines, 1 + GI_SELECT_PART / p->length / 8,
                          gi_partition_short, p);
    ga_free(sorted);
    return done;
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
    gi_partition_keys(&p, a->dtype);
    p.indices = indices;
    p.kth = p.last = kth;
    p.length       = p.lines.length;
    p.alike        = p.rule.real;
    /* Long lines as well, unless many threads would share one, or what is not 0 must become 1. */
    const bool whole = gi_lies_packed(&p.lines) && gi_lies_packed(&p.out) && a->dtype != GA_BOOL && p.length <= INT32_MAX &&
                       (p.length < 2 * GI_SELECT_PART || threads <= 2);
    if (p.size <= 2 && (whole || p.length <= GI_PART_LINE)) {
        gi_parallel_bytes(8.0 * (double)(a->size * p.size), p.lines.lines, 1 + GI_SELECT_PART / p.length / 8,
                          gi_partition_narrow, &p);
        return true;
    }
    if (p.length <= GI_PART_SHORT && p.lines.lines > 1) return gi_partition_sorted(site, &p, a, axis, &axes);
    if (p.length <= GI_PART_MEDIUM && p.size == p.width && GI_LOOP_OF(quick)(p.width)) {
        gi_parallel_bytes(8.0 * (double)(a->size * p.size), p.lines.lines, 1 + GI_SELECT_PART / p.length / 8,
                          gi_partition_medium, &p);
        return true;
    }
    p.units = p.lines.lines < 4 * threads ? p.lines.lines : 4 * threads;
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

/* Lines of an array of the CPU are partitioned where they lie. */
static ga_array *gi_partition_lines(const char *site, const ga_array *a, int axis, int64_t kth, bool indices)
{
    ga_array *result = gi_array_new(site, indices ? GA_I64 : a->dtype, a->device, a->ndim, a->shape);
    if (result && result->size > 0 && !gi_partition_run(site, a, axis, kth, indices, result)) {
        ga_free(result);
        return NULL;
    }
    return result;
}

/* Lines whose elements lie apart are partitioned in a copy where they lie side by side. */
static ga_array *gi_partition_turned(const char *site, const ga_array *a, int axis, int64_t kth, bool indices)
{
    const int last  = a->ndim - 1;
    ga_array *lines = (ga_moveaxis)(a, axis, last, site), *packed = lines ? gi_copy_convert(site, lines, a->dtype) : NULL;
    ga_array *parted = packed ? gi_partition_lines(site, packed, last, kth, indices) : NULL;
    ga_array *back = parted ? (ga_moveaxis)(parted, last, axis, site) : NULL, *result = NULL;
    if (back) result = gi_copy_convert(site, back, back->dtype);
    ga_free(lines);
    ga_free(packed);
    ga_free(parted);
    ga_free(back);
    return result;
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
    if (a->strides[axis] != ga_itemsize(a->dtype) && a->shape[axis] < a->size && a->size >= GI_PART_TURNED)
        return gi_partition_turned(site, a, axis, kth, indices);
    return gi_partition_lines(site, a, axis, kth, indices);
}

static ga_array *gi_partition_call(const char *name, const ga_array *a, int64_t kth, ga_axis_options *o, bool indices)
{
    if (!gi_array_check_half_any(o->site, a, "a") || !gi_takes_only_axis(name, o)) return NULL;
    if (indices && a->ndim == 0) { /* as ga_argsort: of an array of one element */
        ga_array *line = (ga_ravel)(a, o->site), *r = line ? gi_partition_call(name, line, kth, o, true) : NULL;
        ga_free(line);
        return r;
    }
    const int     axis = gi_axis(o->site, gi_axis_or(o->axis, -1), a->ndim);
    const int64_t n    = axis < 0 ? 0 : a->shape[axis];
    if (axis < 0) return NULL;
    if (a->size == 0 && !gi_is_deferred(a))
        return gi_array_new(o->site, indices ? GA_I64 : a->dtype, a->device, a->ndim, a->shape);
    if (a->size == 0) kth = 0;
    else if (kth < -n || kth >= n)
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
