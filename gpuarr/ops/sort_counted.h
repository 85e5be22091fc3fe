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
/*  Byte by byte, the lowest first: stable, and each byte of a key tells at once behind how many elements one belongs. Between two bytes
    the order is kept as records, of a place and above it the byte that comes next.                                            */

enum {
    GI_ORDER_COUNTED_FROM = 256, /* elements that are worth the counters */
    GI_ORDER_MOST         = 16
}; /* bytes that are sorted by in one go */

typedef struct gi_digit { /* a byte of each element */
    const uint8_t *at;
    int64_t        stride;
    uint8_t        flip;
    bool           truth; /* of a bool, whatever its byte */
} gi_digit;

typedef struct gi_ordering {
    int64_t         n, parts; /* that the threads share */
    const gi_digit *given;
    uint8_t        *made;
    const uint8_t  *digit, *next; /* what is sorted by, and will be then; NULL: this is the last one */
    bool            wide;         /* records of 8 bytes, not 4 */
    const void     *records;      /* the order so far; NULL: as they lie */
    void           *to;           /* records; of the last digit int64 */
    int64_t        *places;       /* GI_DIGITS of each part */
} gi_ordering;

static int64_t gi_ordering_begin(const gi_ordering *o, int64_t part)
{
    return part == o->parts ? o->n : o->n / o->parts * part;
}

GI_BEGIN_FAST
/* Brings the digits side by side, as they count. */
static void gi_order_make_digits(int64_t begin, int64_t end, void *job)
{
    const gi_ordering *o     = (const gi_ordering *)job;
    const gi_digit     d     = *o->given;
    const int64_t      first = gi_ordering_begin(o, begin), last = gi_ordering_begin(o, end);
    uint8_t *__restrict__ to = o->made;
    if (d.stride == 1)
        for (int64_t i = first; i < last; i++) to[i] = d.at[i] ^ d.flip;
    else if (d.stride == 2)
        for (int64_t i = first; i < last; i++) to[i] = d.at[2 * i] ^ d.flip;
    else
        for (int64_t i = first; i < last; i++) to[i] = d.at[i * d.stride] ^ d.flip;
    for (int64_t i = first; i < last && d.truth; i++) to[i] = to[i] != 0;
}

/* Counts the digits of each part. */
static void gi_order_counted_digits(int64_t begin, int64_t end, void *job)
{
    const gi_ordering *o      = (const gi_ordering *)job;
    const uint32_t    *narrow = (const uint32_t *)o->records;
    const uint64_t    *wide   = (const uint64_t *)o->records;
    for (int64_t part = begin; part < end; part++) {
        const int64_t  first = gi_ordering_begin(o, part), last = gi_ordering_begin(o, part + 1);
        const uint8_t *digit = o->digit;
        int64_t       *count = o->places + part * GI_DIGITS, four[4][GI_DIGITS] = { { 0 } };
        /* or equal neighbours would wait for each other */
        if (!o->records)
            for (int64_t i = first; i < last; i++) four[i & 3][digit[i]]++;
        else if (o->wide)
            for (int64_t i = first; i < last; i++) four[i & 3][wide[i] >> 56]++;
        else
            for (int64_t i = first; i < last; i++) four[i & 3][narrow[i] >> 24]++;
        for (int v = 0; v < GI_DIGITS; v++) count[v] = four[0][v] + four[1][v] + four[2][v] + four[3][v];
    }
}

/* Puts the elements from one on to another one where their digits say. */
static GI_INLINE void gi_order_put(const gi_ordering *o, int64_t *place, int64_t begin, int64_t end, const bool read,
                                   const bool write, const bool wide)
{
    const int       shift = wide ? 56 : 24;
    const uint8_t  *digit = o->digit, *next = o->next;
    const uint32_t *narrow_from = (const uint32_t *)o->records;
    const uint64_t *wide_from   = (const uint64_t *)o->records;
    int64_t        *to          = (int64_t *)o->to;
    uint32_t       *narrow_to   = (uint32_t *)o->to;
    uint64_t       *wide_to     = (uint64_t *)o->to;
    for (int64_t k = begin; k < end; k++) {
        const uint64_t record = !read ? (uint64_t)k : wide ? wide_from[k] : narrow_from[k];
        const uint64_t i      = read ? record & (((uint64_t)1 << shift) - 1) : record;
        const int64_t  at     = place[read ? record >> shift : digit[k]]++;
        if (!write) to[at] = (int64_t)i;
        else if (wide) wide_to[at] = i | (uint64_t)next[i] << shift;
        else narrow_to[at] = (uint32_t)(i | (uint64_t)next[i] << shift);
    }
}

static void gi_order_counted_numbers(int64_t begin, int64_t end, void *job)
{
    const gi_ordering *o = (const gi_ordering *)job;
    for (int64_t part = begin; part < end; part++) {
        const int64_t first = gi_ordering_begin(o, part), last = gi_ordering_begin(o, part + 1);
        int64_t      *place = o->places + part * GI_DIGITS;
        if (!o->records && !o->next) gi_order_put(o, place, first, last, false, false, false);
        else if (o->wide && !o->records) gi_order_put(o, place, first, last, false, true, true);
        else if (o->wide && o->next) gi_order_put(o, place, first, last, true, true, true);
        else if (o->wide) gi_order_put(o, place, first, last, true, false, true);
        else if (!o->records) gi_order_put(o, place, first, last, false, true, false);
        else if (o->next) gi_order_put(o, place, first, last, true, true, false);
        else gi_order_put(o, place, first, last, true, false, false);
    }
}
GI_END_FAST

/* Sorts the order so far by a digit. */
static void gi_order_counted_by(gi_ordering *o)
{
    int64_t at = 0;
    gi_parallel(o->parts, 1, gi_order_counted_digits, o);
    for (int v = 0; v < GI_DIGITS; v++)
        for (int64_t part = 0; part < o->parts; part++) {
            int64_t *place = &o->places[part * GI_DIGITS + v], count = *place;
            *place = at;
            at += count;
        }
    gi_parallel(o->parts, 1, gi_order_counted_numbers, o);
}

/* The indices that sort n elements by the last of some digits, then by the one before it ... False with an error: no memory. */
static bool gi_order_counted(const char *site, int64_t n, int digits, const gi_digit *digit, int64_t *order)
{
    const uint8_t *bytes[GI_ORDER_MOST];
    gi_ordering    o;
    int64_t        made = 0;
    memset(&o, 0, sizeof o);
    o.n     = n;
    o.wide  = n > (int64_t)1 << 24;
    o.parts = n >= (int64_t)1 << 17 ? ga_get_num_threads() : 1;
    for (int k = 0; k < digits; k++) {
        const bool packed = digit[k].stride == 1 && !digit[k].flip && !digit[k].truth;
        bytes[k]          = packed ? digit[k].at : NULL;
        made += packed ? 0 : n;
    }
    const int64_t counters = o.parts * GI_DIGITS * (int64_t)sizeof(int64_t), half = gi_mem_padded(n * (o.wide ? 8 : 4));
    const int64_t between = half * (digits < 3 ? digits - 1 : 2);
    const size_t  size    = (size_t)(counters + between + made);
    char *const   room    = (char *)gi_mem_alloc(site, size);
    if (!room) return false;
    o.places = (int64_t *)(void *)room;
    o.made   = (uint8_t *)room + counters + between;
    for (int k = 0; k < digits; k++) {
        if (bytes[k]) continue;
        o.given = &digit[k];
        gi_parallel(o.parts, 1, gi_order_make_digits, &o);
        bytes[k] = o.made;
        o.made += n;
    }
    for (int k = 0; k < digits; k++) {
        o.digit = bytes[k];
        o.next  = k < digits - 1 ? bytes[k + 1] : NULL;
        o.to    = o.next ? (void *)(room + counters + k % 2 * half) : (void *)order;
        gi_order_counted_by(&o);
        o.records = o.to;
    }
    gi_mem_release(room, size);
    return true;
}

/* The digits of a line, the lowest first; how many. 0: it is not sorted by them. */
static int gi_order_digits(const ga_array *a, gi_digit *digit)
{
    const int size = (int)ga_itemsize(a->dtype);
    if (size > 2 || gi_is_half(a->dtype) || a->size < GI_ORDER_COUNTED_FROM) return 0;
    for (int k = 0; k < size; k++) {
        digit[k].at     = (const uint8_t *)a->data + k;
        digit[k].stride = a->strides[0];
        digit[k].flip   = gi_is_signed(a->dtype) && k == size - 1 ? 0x80 : 0;
        digit[k].truth  = a->dtype == GA_BOOL;
    }
    return size;
}
