/* ---- sort, where there are few different values ------------------------------------------------------------------------ */
/*  Long lines of elements of one or two bytes: how often each value is there says all, and takes no room beside the result. */

typedef struct gi_counting {
    gi_lines lines, out;
    int      size; /* bytes of an element */
    int64_t  values, line, parts,
        units;       /* how many values there are; which line threads share, in how many parts; shares of the lines */
    int64_t *counts; /* of each part or share, in the order of the values */
} gi_counting;

enum { GI_COUNTING_TILE = 4096 };

GI_BEGIN_FAST

/* Values in their order, and elements: the highest bit of signed ones is turned. A bool is true or false, whatever its byte. */
static unsigned gi_counting_bias(const gi_counting *c) { return gi_is_signed(c->lines.dtype) ? (unsigned)(c->values / 2) : 0; }

/* Counts the elements begin .. end of a line. */
static void gi_count_values(const gi_counting *c, int64_t line, int64_t begin, int64_t end, int64_t *counts)
{
    char     room[GI_COUNTING_TILE * 2] __attribute__((aligned(64)));
    unsigned bias = gi_counting_bias(c);
    memset(counts, 0, (size_t)c->values * sizeof *counts);
    for (int64_t at = begin, n; at < end; at += n) {
        n                = end - at < GI_COUNTING_TILE ? end - at : (int64_t)GI_COUNTING_TILE;
        const void *tile = gi_read_line(&c->lines, line, at, n, room, NULL);
        if (c->size == 2) {
            for (int64_t i = 0; i < n; i++) counts[((const uint16_t *)tile)[i] ^ bias]++;
            continue;
        }
        uint16_t       four[4][256] = { { 0 } }; /* or equal neighbours would wait for each other */
        const uint8_t *byte         = (const uint8_t *)tile;
        for (int64_t i = 0; i < n; i++) four[i & 3][byte[i]]++;
        for (unsigned v = 0; v < 256; v++)
            counts[c->lines.dtype == GA_BOOL ? v != 0 : v ^ bias] += four[0][v] + four[1][v] + four[2][v] + four[3][v];
    }
}

/* Writes the elements begin .. end of the sorted line. */
static void gi_fill_values(const gi_counting *c, int64_t line, int64_t begin, int64_t end, const int64_t *counts)
{
    const int64_t stride = c->out.strides[0];
    char         *to     = (char *)gi_line_start(&c->out, line);
    unsigned      bias   = gi_counting_bias(c);
    for (int64_t value = 0, at = 0; value < c->values && at < end; at += counts[value++]) {
        const int64_t  first = at > begin ? at : begin, last = at + counts[value] < end ? at + counts[value] : end;
        const uint16_t element = (uint16_t)((unsigned)value ^ bias);
        if (first >= last) continue;
        if (c->size == 1 && stride == 1) memset(to + first, element, (size_t)(last - first));
        else if (c->size == 1)
            for (int64_t i = first; i < last; i++) to[i * stride] = (char)element;
        else
            for (int64_t i = first; i < last; i++) *(uint16_t *)(void *)(to + i * stride) = element;
    }
}

static void gi_sort_counted_lines(int64_t begin, int64_t end, void *job)
{
    const gi_counting *c = (const gi_counting *)job;
    for (int64_t unit = begin; unit < end; unit++)
        for (int64_t line = unit; line < c->lines.lines; line += c->units) {
            gi_count_values(c, line, 0, c->lines.length, c->counts + unit * c->values);
            gi_fill_values(c, line, 0, c->lines.length, c->counts + unit * c->values);
        }
}

static void gi_count_line_part(int64_t begin, int64_t end, void *job)
{
    const gi_counting *c = (const gi_counting *)job;
    const int64_t      n = c->lines.length / c->parts;
    for (int64_t part = begin; part < end; part++)
        gi_count_values(c, c->line, part * n, part == c->parts - 1 ? c->lines.length : (part + 1) * n,
                        c->counts + part * c->values);
}

static void gi_fill_line_part(int64_t begin, int64_t end, void *job)
{
    const gi_counting *c = (const gi_counting *)job;
    const int64_t      n = c->lines.length / c->parts;
    for (int64_t part = begin; part < end; part++)
        gi_fill_values(c, c->line, part * n, part == c->parts - 1 ? c->lines.length : (part + 1) * n, c->counts);
}

GI_END_FAST

static bool gi_sort_is_counted(const gi_lines *l)
{
    const int64_t size = ga_itemsize(l->dtype);
    return l->length >= (size == 1 ? (int64_t)1 << 13 : (int64_t)1 << 20) && size <= 2;
}

/* False with an error if there is no memory for the counters. */
static bool gi_sort_counted(const char *site, const gi_lines *lines, const gi_lines *out)
{
    const int64_t threads = ga_get_num_threads();
    gi_counting   c;
    memset(&c, 0, sizeof c);
    c.lines      = *lines;
    c.out        = *out;
    c.size       = (int)ga_itemsize(lines->dtype);
    c.values     = (int64_t)1 << (8 * c.size);
    c.parts      = lines->lines < threads && lines->length >= (int64_t)1 << 18 ? threads : 1;
    c.units      = c.parts > 1 ? c.parts : lines->lines < 4 * threads ? lines->lines : 4 * threads;
    size_t bytes = (size_t)(c.units * c.values) * sizeof *c.counts;
    c.counts     = (int64_t *)gi_mem_alloc(site, bytes);
    if (!c.counts) return false;
    if (c.parts == 1) gi_parallel(c.units, 1, gi_sort_counted_lines, &c);
    for (; c.parts > 1 && c.line < lines->lines; c.line++) { /* the threads share each line */
        gi_parallel(c.parts, 1, gi_count_line_part, &c);
        for (int64_t part = 1; part < c.parts; part++)
            for (int64_t v = 0; v < c.values; v++) c.counts[v] += c.counts[part * c.values + v];
        gi_parallel(c.parts, 1, gi_fill_line_part, &c);
    }
    gi_mem_release(c.counts, bytes);
    return true;
}

/* ---- the order of elements of one or two bytes ------------------------------------------------------------------------ */
/*  Byte by byte, the lowest first: stable, and each byte of a key tells at once behind how many elements one belongs.        */

enum { GI_ORDER_COUNTED_FROM = 256 }; /* elements that are worth the counters */

typedef struct gi_ordering {
    ga_dtype       dtype;
    int64_t        n, parts; /* that the threads share */
    const void    *keys;     /* packed */
    int            shift;    /* of the byte that counts */
    const int64_t *before;   /* the order so far; NULL: as they lie */
    int64_t       *after;
    uint8_t       *digits; /* that byte of each element, in the order so far */
    int64_t       *places; /* GI_DIGITS of each part */
} gi_ordering;

static int64_t gi_ordering_begin(const gi_ordering *o, int64_t part)
{
    return part == o->parts ? o->n : o->n / o->parts * part;
}

GI_BEGIN_FAST
/* Counts the digits of each part. */
static void gi_order_counted_digits(int64_t begin, int64_t end, void *job)
{
    const gi_ordering *o      = (const gi_ordering *)job;
    const uint8_t     *byte   = (const uint8_t *)o->keys;
    const uint16_t    *narrow = (const uint16_t *)o->keys;
    const unsigned     flip   = gi_is_signed(o->dtype) && o->shift == 8 * ((int)ga_itemsize(o->dtype) - 1) ? 0x80 : 0;
    for (int64_t part = begin; part < end; part++) {
        const int64_t  first = gi_ordering_begin(o, part), n = gi_ordering_begin(o, part + 1) - first;
        const int64_t *before = o->before ? o->before + first : NULL;
        uint8_t       *digit  = o->digits + first;
        int64_t       *count = o->places + part * GI_DIGITS, four[4][GI_DIGITS] = { { 0 } };
        if (ga_itemsize(o->dtype) == 1 && before)
            for (int64_t i = 0; i < n; i++) digit[i] = (uint8_t)(byte[before[i]] ^ flip);
        else if (ga_itemsize(o->dtype) == 1)
            for (int64_t i = 0; i < n; i++) digit[i] = (uint8_t)(byte[first + i] ^ flip);
        else if (before)
            for (int64_t i = 0; i < n; i++) digit[i] = (uint8_t)((unsigned)narrow[before[i]] >> o->shift ^ flip);
        else
            for (int64_t i = 0; i < n; i++) digit[i] = (uint8_t)((unsigned)narrow[first + i] >> o->shift ^ flip);
        for (int64_t i = 0; i < n && o->dtype == GA_BOOL; i++) digit[i] = digit[i] != 0;
        for (int64_t i = 0; i < n; i++) four[i & 3][digit[i]]++; /* or equal neighbours would wait for each other */
        for (int v = 0; v < GI_DIGITS; v++) count[v] = four[0][v] + four[1][v] + four[2][v] + four[3][v];
    }
}

/* Puts the numbers of each part where their digits say. */
static void gi_order_counted_numbers(int64_t begin, int64_t end, void *job)
{
    const gi_ordering *o = (const gi_ordering *)job;
    for (int64_t part = begin; part < end; part++) {
        const int64_t first = gi_ordering_begin(o, part), last = gi_ordering_begin(o, part + 1);
        int64_t      *place = o->places + part * GI_DIGITS;
        for (int64_t i = first; i < last && o->before; i++) o->after[place[o->digits[i]]++] = o->before[i];
        for (int64_t i = first; i < last && !o->before; i++) o->after[place[o->digits[i]]++] = i;
    }
}
GI_END_FAST

/* Sorts the order so far by the digits at `shift`. */
static void gi_order_counted_by(gi_ordering *o, int shift, const int64_t *before, int64_t *after)
{
    int64_t at = 0;
    o->shift   = shift;
    o->before  = before;
    o->after   = after;
    gi_parallel(o->parts, 1, gi_order_counted_digits, o);
    for (int v = 0; v < GI_DIGITS; v++)
        for (int64_t part = 0; part < o->parts; part++) {
            int64_t *place = &o->places[part * GI_DIGITS + v], count = *place;
            *place = at;
            at += count;
        }
    gi_parallel(o->parts, 1, gi_order_counted_numbers, o);
}

/* Sorts the order so far (NULL: as they lie) of n packed elements to `after`, which is not there. False with an error: no memory. */
static bool gi_order_counted(const char *site, ga_dtype dtype, int64_t n, const void *keys, const int64_t *before,
                             int64_t *after)
{
    const int64_t threads = ga_get_num_threads();
    gi_ordering   o;
    memset(&o, 0, sizeof o);
    o.dtype                = dtype;
    o.n                    = n;
    o.keys                 = keys;
    o.parts                = n >= (int64_t)1 << 17 ? threads : 1;
    const bool    two      = ga_itemsize(dtype) == 2;
    const int64_t counters = o.parts * GI_DIGITS * (int64_t)sizeof(int64_t),
                  between  = two ? gi_mem_padded(n * (int64_t)sizeof(int64_t)) : 0;
    char *const room       = (char *)gi_mem_alloc(site, (size_t)(counters + between + n));
    if (!room) return false;
    o.places = (int64_t *)(void *)room;
    o.digits = (uint8_t *)room + counters + between;
    if (two) gi_order_counted_by(&o, 0, before, (int64_t *)(void *)(room + counters));
    gi_order_counted_by(&o, two ? 8 : 0, two ? (const int64_t *)(void *)(room + counters) : before, after);
    gi_mem_release(room, (size_t)(counters + between + n));
    return true;
}

static bool gi_order_is_counted(ga_dtype dtype, int64_t n)
{
    return ga_itemsize(dtype) <= 2 && !gi_is_half(dtype) && n >= GI_ORDER_COUNTED_FROM;
}
