/* ---- quantiles of lines ---------------------------------------------------------------------------------------------- */

GI_BEGIN_FAST

/* Writes one quantile from the keys of its two elements. */
static void gi_write_quantile(const gi_order *o, gi_rank r, uint64_t previous, uint64_t next, void *out)
{
    ga_dtype dtype = o->lines.dtype;
    char     element[8];
    gi_key_element(dtype, previous, element);
    if (!gi_quantile_is_between(o->rule)) {
        gi_cast(o->rule.result, dtype, 1, out, element);
        return;
    }
    double a, b;
    gi_cast(GA_F64, dtype, 1, &a, element);
    gi_key_element(dtype, next, element);
    gi_cast(GA_F64, dtype, 1, &b, element);
    double value = gi_quantile_between(o->rule, r, a, b, next - previous);
    gi_cast(o->rule.result, GA_F64, 1, out, &value);
}
GI_END_FAST

/* The ascending ranks that the quantiles of n elements need; returns their number. */
static int64_t gi_ranks_of(const gi_order *o, int64_t n, int64_t *ranks)
{
    int64_t m = 0;
    for (int64_t i = 0; i < o->count; i++) {
        gi_rank r       = gi_rank_of(o->rule, o->quantiles[i], n);
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
        if (ranks[middle] < rank) low = middle + 1;
        else high = middle;
    }
    return found[low];
}

/* The quantiles of a line of n elements (NaN left out) whose ranks are found; n 0: NaN. */
static void gi_write_line(const gi_order *o, int64_t line, int64_t n, int64_t m, const int64_t *ranks, const uint64_t *found)
{
    int64_t size = ga_itemsize(o->rule.result);
    double  nan  = gi_nan_f64();
    for (int64_t i = 0; i < o->count; i++) {
        char *out = o->out + (o->places[i] * o->lines.lines + line) * size;
        if (n == 0) {
            gi_cast(o->rule.result, GA_F64, 1, out, &nan);
            continue;
        }
        gi_rank r = gi_rank_of(o->rule, o->quantiles[i], n);
        gi_write_quantile(o, r, gi_key_of_rank(r.previous, m, ranks, found), gi_key_of_rank(r.next, m, ranks, found), out);
    }
}

/* The unsigned key, in the key dtype, of a signed one of a dtype. */
static uint64_t gi_key_of_part(const gi_partitioning *p, int64_t key)
{
    const ga_dtype dtype = p->lines.dtype;
    double         value;
    float          single;
    if (dtype == GA_F32) {
        const int32_t bits = (int32_t)key ^ (((int32_t)key >> 31) & INT32_MAX);
        memcpy(&single, &bits, sizeof bits);
        value = (double)single;
        memcpy(&key, &value, sizeof key);
        return gi_key_of_f64((uint64_t)key);
    }
    if (p->rule.real || gi_is_signed(dtype)) return (uint64_t)key ^ GI_KEY_SIGN;
    return p->width == 4 ? (uint32_t)key ^ (uint32_t)p->rule.flip : (uint64_t)key ^ p->rule.flip;
}

/* Finds the keys of two ranks, the same or neighbours, of a packed line. */
static void gi_find_two(gi_partitioning *p, gi_partition_line *l, int64_t previous, int64_t next, uint64_t *found)
{
    gi_whereabouts w;
    int64_t        key[2], last[2];
    p->kth  = previous;
    p->last = next;
    if (!gi_find_kth(l, &w, key)) {
        p->last = previous;
        gi_find_kth(l, &w, key);
        p->kth = p->last = next;
        gi_find_kth(l, &w, last);
        key[1] = last[0];
    }
    for (int k = 0; k < 2; k++) found[k] = gi_key_of_part(p, key[k]);
}

/* How many keys of a packed line are equal to one. */
static int64_t gi_count_part(gi_partition_line *l, int64_t key)
{
    int64_t count[3];
    l->low = l->high = key;
    gi_keep_middle(l, count);
    return count[1];
}

/* Few quantiles of a line that is longer than what is partitioned at once. */
static void gi_order_line(const gi_order *o, gi_partitioning *p, gi_partition_line *l, int64_t line)
{
    const int64_t size = ga_itemsize(o->rule.result);
    const double  nan  = gi_nan_f64();
    int64_t       n    = p->length;
    if (p->rule.real) n -= gi_count_part(l, p->most);
    if (n < p->length && !o->rule.skip_nan) n = 0;
    for (int64_t i = 0; i < o->count; i++) {
        char *out = o->out + (o->places[i] * o->lines.lines + line) * size;
        if (n == 0) {
            gi_cast(o->rule.result, GA_F64, 1, out, &nan);
            continue;
        }
        const gi_rank r = gi_rank_of(o->rule, o->quantiles[i], n);
        uint64_t      key[2];
        gi_find_two(p, l, r.previous, gi_quantile_is_between(o->rule) ? r.next : r.previous, key);
        gi_write_quantile(o, r, key[0], key[1], out);
    }
}

/* Are lines searched one quantile after the other? */
static bool gi_order_by_parts(const gi_order *o) { return o->lines.length > GI_PART_FEW && o->count <= GI_BRACKET_QUANTILES; }

/* Plans to search a line in parts: scratch, or NULL, has room for what it returns, in bytes. */
static size_t gi_order_parting(const gi_order *o, gi_partitioning *p, gi_partition_line *l, int64_t parts, char *scratch)
{
    memset(p, 0, sizeof *p);
    memset(l, 0, sizeof *l);
    p->lines       = o->lines;
    p->lines.dtype = o->rule.source;
    p->length      = o->lines.length;
    gi_partition_keys(p, o->rule.source);
    p->alike             = p->rule.real && o->rule.median; /* that of zeros is 0 */
    const int64_t counts = gi_mem_padded(3 * parts * (int64_t)sizeof *l->count);
    const int64_t kept   = gi_mem_padded(p->length * p->width + (parts + 2) * GI_PART_ROOM);
    l->p                 = p;
    l->parts             = parts;
    if (scratch) {
        l->count = (int64_t *)(void *)scratch;
        l->kept  = scratch + counts;
        l->to    = l->kept + kept; /* where a line is made that does not lie packed */
    }
    return (size_t)(counts + kept + (gi_lies_packed(&p->lines) ? 0 : gi_mem_padded(p->length * p->size)));
}

/* Writes the quantiles of a long line, searched in parts. False: no memory. */
static bool gi_order_long_line(const char *site, const gi_order *o, const gi_rank_search *s)
{
    gi_partitioning   p;
    gi_partition_line l;
    const size_t      bytes   = gi_order_parting(o, &p, &l, s->parts, NULL);
    char             *scratch = (char *)gi_mem_alloc(site, bytes);
    if (!scratch) return false;
    gi_order_parting(o, &p, &l, s->parts, scratch);
    l.line = (const char *)gi_read_line(&p.lines, s->line, 0, p.length, l.to, NULL);
    gi_order_line(o, &p, &l, s->line);
    gi_mem_release(scratch, bytes);
    return true;
}

/* A unit is a part of the lines, each of them short enough to be partitioned. */
static void gi_order_units(int64_t begin, int64_t end, void *job)
{
    const gi_order *o = (const gi_order *)job;
    const gi_lines *p = &o->lines;
    GI_ARENA(char, raw, GI_BLOCK * 8);
    GI_ARENA(double, wide, GI_BLOCK);
    for (int64_t part = begin; part < end; part++) {
        char         *scratch = o->scratch + (size_t)part * o->scratch_bytes;
        const int64_t share = p->lines / o->parts, stop = part == o->parts - 1 ? p->lines : (part + 1) * share;
        for (int64_t line = part * share; line < stop; line++) {
            int64_t n = 0, m = 0;
            if (gi_order_by_parts(o)) {
                gi_partitioning   parting;
                gi_partition_line l;
                gi_order_parting(o, &parting, &l, 1, scratch);
                l.line = (const char *)gi_read_line(&parting.lines, line, 0, p->length, l.to, NULL);
                gi_order_line(o, &parting, &l, line);
                continue;
            }
            uint64_t *found = (uint64_t *)(void *)scratch, *keys = found + 2 * o->count;
            int64_t  *ranks = (int64_t *)(keys + p->length);
            for (int64_t i = 0; i < p->length; i += GI_BLOCK) {
                int64_t count = p->length - i < GI_BLOCK ? p->length - i : GI_BLOCK;
                gi_make_keys(p->dtype, count, keys + i, gi_read_line(p, line, i, count, raw, wide));
            }
            if (p->dtype != GA_F64) n = p->length;
            for (int64_t i = 0; p->dtype == GA_F64 && i < p->length; i++) {
                keys[n] = keys[i];
                n += keys[i] != GI_KEY_NAN;
            }
            if (n < p->length && !o->rule.skip_nan) n = 0;
            if (n > 0) {
                m = gi_ranks_of(o, n, ranks);
                gi_rank_select(keys, n, 0, m, ranks, 0);
                for (int64_t i = 0; i < m; i++) found[i] = keys[ranks[i]];
            }
            gi_write_line(o, line, n, m, ranks, found);
        }
    }
}

enum { GI_ORDER_SHORT = 64, GI_ORDER_COLUMNS = GI_COLUMN_BYTES / 8 };

/* A unit is a few short lines side by side: a network sorts their keys. */
static void gi_order_columns(int64_t begin, int64_t end, void *job)
{
    const gi_order     *o       = (const gi_order *)job;
    const gi_lines     *p       = &o->lines;
    const gi_key_loops *loops   = GI_LOOP_OF(keys)(8);
    const int64_t       columns = gi_line_columns(p);
    GI_ARENA(uint64_t, keys, GI_ORDER_SHORT * GI_ORDER_COLUMNS);
    GI_ARENA(char, room, 2 * GI_ORDER_COLUMNS * 16);
    uint64_t found[GI_ORDER_SHORT];
    int64_t  ranks[GI_ORDER_SHORT], ranked = 0, m = 0; /* of so many elements */
    memset(keys, 0, GI_ORDER_SHORT * GI_ORDER_COLUMNS * sizeof *keys);
    for (int64_t unit = begin; unit < end; unit++) {
        gi_panel s = gi_panel_of(p, columns, GI_ORDER_COLUMNS, unit);
        s.n        = p->length;
        s.raw      = room;
        s.cast     = room + GI_ORDER_COLUMNS * 16;
        for (int64_t i = 0; i < s.n; i++) {
            uint64_t *row = keys + i * GI_ORDER_COLUMNS;
            gi_make_keys(p->dtype, s.count, row, gi_read_row(&s, i, 0));
            for (int k = 0; k < GI_ORDER_COLUMNS; k++) row[k] ^= GI_KEY_SIGN; /* the network compares signed ones */
        }
        loops->sort_columns(s.n, keys);
        for (int64_t k = 0; k < s.count; k++) {
            int64_t n = s.n;
            while (n > 0 && p->dtype == GA_F64 && keys[(n - 1) * GI_ORDER_COLUMNS + k] == (GI_KEY_NAN ^ GI_KEY_SIGN)) n--;
            if (n < s.n && !o->rule.skip_nan) n = 0;
            if (n > 0 && n != ranked) m = gi_ranks_of(o, ranked = n, ranks);
            for (int64_t i = 0; i < m && n > 0; i++) found[i] = keys[ranks[i] * GI_ORDER_COLUMNS + k] ^ GI_KEY_SIGN;
            gi_write_line(o, s.first + k, n, m, ranks, found);
        }
    }
}

static size_t gi_bracket_bytes(const gi_bracket *b)
{
    int64_t room = b->search->parts * b->room;
    return (size_t)(room < GI_BRACKET_SAMPLE ? (int64_t)GI_BRACKET_SAMPLE : room) * sizeof *b->keys;
}

/* Places a bracket for the one quantile of an order; returns 1, or 0 if there is none, -1 when memory is out. */
static int gi_begin_bracket(const char *site, const gi_order *o, const gi_rank_search *s, gi_bracket *b)
{
    memset(b, 0, sizeof *b);
    b->search      = s;
    b->lines       = o->lines;
    b->lines.dtype = gi_sifted_as(o->rule.source);
    b->room        = s->n / s->parts / 8 + 2 * GI_BLOCK;
    b->keys        = (uint64_t *)gi_mem_alloc(site, gi_bracket_bytes(b));
    if (!b->keys) return -1;
    if (gi_place_bracket(b, *o->quantiles, b->keys)) return 1;
    gi_mem_release(b->keys, gi_bracket_bytes(b));
    return 0;
}

/* Keys of two ranks, the same or neighbours, among n packed elements of eight bytes, which may change. False: no memory. */
static bool gi_find_among(const char *site, ga_dtype dtype, bool alike, int64_t n, uint64_t *elements, int64_t previous,
                          int64_t next, uint64_t *found)
{
    gi_partitioning   p;
    gi_partition_line l;
    if (n <= GI_SELECT_SHORT / 4) {
        const int64_t ranks[2] = { previous, next };
        gi_make_keys(dtype, n, elements, elements);
        gi_rank_select(elements, n, 0, 2, ranks, 0);
        found[0] = elements[previous];
        found[1] = elements[next];
        return true;
    }
    memset(&p, 0, sizeof p);
    memset(&l, 0, sizeof l);
    gi_partition_keys(&p, dtype);
    p.lines.dtype        = dtype;
    p.length             = n;
    p.alike              = alike && p.rule.real;
    l.p                  = &p;
    l.parts              = n < 2 * GI_SELECT_PART ? 1 : gi_rank_parts(n);
    const int64_t counts = gi_mem_padded(3 * l.parts * (int64_t)sizeof *l.count),
                  kept   = n * p.width + (l.parts + 2) * GI_PART_ROOM;
    char *room           = (char *)gi_mem_alloc(site, (size_t)(counts + kept));
    if (!room) return false;
    l.line  = (const char *)elements;
    l.count = (int64_t *)(void *)room;
    l.kept  = room + counts;
    gi_find_two(&p, &l, previous, next, found);
    gi_mem_release(room, (size_t)(counts + kept));
    return true;
}

/* The key of the element at a place in the run of those that are equal to this one. -0 comes before 0. */
static uint64_t gi_key_in_run(const gi_order *o, const gi_rank_search *s, uint64_t key, int64_t place)
{
    if (o->rule.median || o->lines.dtype != GA_F64 || gi_key_value(GA_F64, key) != 0) return key;
    return place < gi_count_special(s, false) ? GI_KEY_SIGN - 1 : GI_KEY_SIGN;
}

/* The keys of m ranks, one or two neighbours: `below` elements lie before the bracket. Those collected are reordered. False: no memory. */
static bool gi_find_in_bracket(const char *site, const gi_order *o, const gi_rank_search *s, gi_bracket *b, int64_t below,
                               int64_t m, const int64_t *ranks, uint64_t *keys)
{
    int64_t inside = 0, from_low = 0, found = 0, first = m, last = -1;
    for (int64_t part = 0; part < s->parts; part++) {
        inside += b->sifted[part].inside;
        from_low += b->sifted[part].from_low;
    }
    const int64_t least  = !b->collect ? inside : b->open ? from_low - b->from_inner : 0; /* those equal to the lower bound */
    const int64_t middle = !b->collect ? 0 : b->open ? b->between : inside;
    for (int64_t i = 0; i < m; i++) {
        const int64_t at = ranks[i] - below;
        if (at < least) keys[i] = gi_key_in_run(o, s, b->low, at);
        else if (at >= least + middle) keys[i] = gi_key_in_run(o, s, b->high, at - least - middle);
        else {
            first = first < i ? first : i;
            last  = i;
        }
    }
    if (last < 0) return true;
    for (int64_t part = 0; part < s->parts; part++) {
        memmove(b->keys + found, b->keys + part * b->room, (size_t)b->found[part] * sizeof *b->keys);
        found += b->found[part];
    }
    uint64_t two[2];
    if (!gi_find_among(site, o->lines.dtype, o->rule.median, found, b->keys, ranks[first] - below - least,
                       ranks[last] - below - least, two))
        return false;
    keys[first] = two[0];
    keys[last]  = two[1];
    return true;
}

/* Writes the quantile from what has been collected, and frees it; returns 1, or 0 if it was not enough, -1 when memory is out. */
static int gi_end_bracket(const char *site, const gi_order *o, const gi_rank_search *s, gi_bracket *b)
{
    int     done   = 0;
    int64_t inside = 0, n = s->n, below = 0, ranks[2], m = 0;
    bool    full = false, odd = false;
    for (int64_t part = 0; part < s->parts; part++) {
        full = full || b->found[part] > b->room - GI_PICK_ROOM;
        odd  = odd || b->sifted[part].odd;
        inside += b->sifted[part].inside;
        below -= b->sifted[part].from_low;
    }
    if (!full && odd) n -= gi_count_special(s, true);
    below += n;
    if (n < s->n && !o->rule.skip_nan) n = 0;
    if (!full && n > 0) m = gi_ranks_of(o, n, ranks);
    if (!full && (n == 0 || (ranks[0] >= below && ranks[m - 1] < below + inside))) {
        uint64_t keys[2] = { 0, 0 };
        done             = gi_find_in_bracket(site, o, s, b, below, m, ranks, keys) ? 1 : -1;
        if (done == 1) gi_write_line(o, s->line, n, m, ranks, keys);
    }
    gi_mem_release(b->keys, gi_bracket_bytes(b));
    return done;
}

/* Tries to find a quantile of a line with a bracket; returns 1 when it is written, 0 to search in parts, -1 when memory is out. */
static int gi_order_by_bracket(const char *site, const gi_order *all, int64_t quantile, const gi_rank_search *s)
{
    gi_order   o = *all;
    gi_bracket b;
    o.count = 1;
    o.quantiles += quantile;
    o.places += quantile;
    int placed = gi_begin_bracket(site, &o, s, &b);
    if (b.nan && !o.rule.skip_nan && placed >= 0) {
        gi_write_line(&o, s->line, 0, 0, NULL, NULL);
        if (placed > 0) gi_mem_release(b.keys, gi_bracket_bytes(&b));
        return 1;
    }
    if (placed < 1) return placed;
    gi_parallel(s->parts, 1, gi_collect_bracket, &b);
    return gi_end_bracket(site, &o, s, &b);
}

/* The threads work together on one long line after the other. */
static bool gi_order_long_lines(const char *site, gi_order *o)
{
    uint64_t      *found = (uint64_t *)(void *)o->scratch;
    int64_t       *ranks = (int64_t *)(found + 2 * o->count);
    gi_rank_search s;
    memset(&s, 0, sizeof s);
    s.lines = &o->lines;
    s.n     = o->lines.length;
    s.parts = gi_rank_parts(s.n);
    for (int64_t line = 0; line < o->lines.lines; line++) {
        int64_t n = s.n, m = 0;
        s.line   = line;
        int done = o->count <= GI_BRACKET_QUANTILES && gi_is_float(o->rule.source); /* integers take less time as such */
        for (int64_t i = 0; i < o->count && done == 1; i++) done = gi_order_by_bracket(site, o, i, &s);
        if (done == 0 && gi_order_by_parts(o)) done = gi_order_long_line(site, o, &s) ? 1 : -1;
        if (done < 0) return false;
        if (done > 0) continue;
        if (o->lines.dtype == GA_F64) n -= gi_count_special(&s, true);
        if (n < s.n && !o->rule.skip_nan) n = 0;
        if (n > 0) {
            m = gi_ranks_of(o, n, ranks);
            if (!gi_find_ranks(site, &s, 0, m, ranks, found, false)) return false;
        }
        gi_write_line(o, line, n, m, ranks, found);
    }
    return true;
}

/* Runs a planned order statistic into o->out. False: no memory. */
static bool gi_order_run(const char *site, gi_order *o)
{
    const gi_lines *p       = &o->lines;
    int64_t         threads = ga_get_num_threads();
    if (p->lines == 0 || o->count == 0) return true;
    if (p->a->device == GA_CUDA) return gi_gpu->order(site, o);
    if (p->length == 0) {
        for (int64_t line = 0; line < p->lines; line++) gi_write_line(o, line, 0, 0, NULL, NULL);
        return true;
    }
    const int64_t columns = gi_line_columns(p), few = GI_SELECT_SHORT / 4; /* elements not worth waking a thread */
    if (p->length <= GI_ORDER_SHORT && columns > 1) {
        const int64_t units = gi_count_panels(p->lines, columns, GI_ORDER_COLUMNS);
        gi_parallel(units, 1 + few / (p->length * GI_ORDER_COLUMNS), gi_order_columns, o);
        return true;
    }
    bool is_long     = p->length > GI_SELECT_PART || (p->lines == 1 && p->length > GI_SELECT_SHORT && !gi_order_by_parts(o));
    o->parts         = is_long ? 1 : p->lines < threads ? p->lines : threads;
    o->scratch_bytes = (size_t)(4 * o->count + (is_long ? 0 : p->length) + 1) * sizeof(uint64_t);
    gi_partitioning   parting;
    gi_partition_line part;
    if (!is_long && gi_order_by_parts(o)) o->scratch_bytes = gi_order_parting(o, &parting, &part, 1, NULL);
    o->scratch = (char *)gi_mem_alloc(site, (size_t)o->parts * o->scratch_bytes);
    if (!o->scratch) return false;
    bool ok = true;
    if (is_long) ok = gi_order_long_lines(site, o);
    else if (p->lines * p->length < few) gi_order_units(0, o->parts, o);
    else gi_parallel(o->parts, 1, gi_order_units, o);
    gi_mem_release(o->scratch, (size_t)o->parts * o->scratch_bytes);
    return ok;
}

static bool gi_order_plan(const char *site, gi_order *o, const char *name, const ga_array *a, const ga_order_options *options)
{
    if (gi_is_complex(a->dtype)) {
        gi_fail(site, GA_BAD_DTYPE, "%s does not exist for %s: complex numbers have no order", name, ga_dtype_name(a->dtype));
        return false;
    }
    if (options->method < GA_LINEAR || options->method > GA_NORMAL_UNBIASED) {
        gi_fail(site, GA_BAD_ARGUMENT, ".method = %d: use GA_LINEAR, GA_LOWER, GA_HIGHER, GA_MIDPOINT, GA_NEAREST ...",
                (int)options->method);
        return false;
    }
    if (a->ndim == 0 && options->axis != GA_AXIS_DEFAULT && gi_axis(site, options->axis, 0) < 0) return false;
    o->rule.method = options->method;
    o->rule.source = a->dtype;
    return gi_lines_plan(site, &o->lines, a, gi_rank_key_dtype(a->dtype), options->axis, &options->axes, options->keepdims);
}

static ga_array *gi_order_median(const char *name, bool skip_nan, const ga_array *a, ga_order_options options)
{
    GI_SETTLE_FLOATS;
    if (!gi_array_check_half_any(options.site, a, "a")) return NULL;
    if (gi_is_half(a->dtype)) {
        ga_dtype  asked = GA_DTYPE_DEFAULT, half;
        ga_array *wide  = gi_half_widen(options.site, a, &asked, &half);
        return gi_half_end(options.site, wide, wide ? gi_order_median(name, skip_nan, wide, options) : NULL, options.out, half);
    }
    if (options.out && !gi_array_check_half(options.site, options.out, ".out")) return NULL;
    gi_order o;
    double   middle = 0.5;
    int64_t  place  = 0;
    memset(&o, 0, sizeof o);
    if (!gi_order_plan(options.site, &o, name, a, &options)) return NULL;
    if (options.method != GA_LINEAR)
        return (ga_array *)gi_fail(options.site, GA_BAD_ARGUMENT, "%s takes no .method: use ga_quantile(a, 0.5, ...)", name);
    o.rule.result = a->dtype == GA_F32 ? GA_F32 : GA_F64;
    if (gi_is_deferred(a)) return gi_deferred()->median(name, skip_nan, o.rule.result, a, &options);
    o.rule.median    = true;
    o.rule.skip_nan  = skip_nan;
    o.count          = 1;
    o.quantiles      = &middle;
    o.places         = &place;
    ga_array *result = gi_array_new(options.site, o.rule.result, a->device, o.lines.result_ndim, o.lines.result_shape);
    if (!result) return NULL;
    o.out    = (char *)result->data;
    o.result = result;
    if (!gi_order_run(options.site, &o)) {
        ga_free(result);
        return NULL;
    }
    return gi_copy_finish(options.site, result, o.rule.result, options.out);
}

ga_array *(ga_median)(const ga_array *a, ga_order_options o)
{
    return gi_options_order(&o) ? gi_order_median("ga_median", false, a, o) : NULL;
}
ga_array *(ga_nanmedian)(const ga_array *a, ga_order_options o)
{
    return gi_options_order(&o) ? gi_order_median("ga_nanmedian", true, a, o) : NULL;
}

/* Do all of them lie in 0 to `whole`, 100 or 1? False with an error. */
static bool gi_are_percentiles(const char *site, int64_t n, const double *percent, double whole)
{
    for (int64_t i = 0; i < n; i++)
        if (!(percent[i] >= 0 && percent[i] <= whole)) {
            gi_fail(site, GA_BAD_ARGUMENT, "q = %.16g: %s lie between 0 and %g", percent[i],
                    whole == 1 ? "quantiles" : "percentiles", whole);
            return false;
        }
    return true;
}

/* Takes n quantiles, parts of `whole`, ascending, with the place of each. */
static void gi_take_quantiles(gi_order *o, int64_t n, const double *percent, double whole)
{
    double *q = o->quantiles;
    for (int64_t i = 0; i < n; i++) {
        q[i]         = o->rule.single ? (double)((float)percent[i] / (float)whole) : percent[i] / whole;
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
}

/* Percentiles as float64, where the host can read them. NULL with an error. */
static ga_array *gi_percent_numbers(const char *site, ga_arg q, double whole)
{
    ga_array *numbers = q.array ? gi_copy_convert(site, q.array, GA_F64) : gi_array_new(site, GA_F64, GA_CPU, 0, NULL),
             *here    = numbers;
    if (numbers && numbers->device != GA_CPU) {
        here = gi_copy_to(site, numbers, GA_CPU);
        ga_free(numbers);
    }
    if (here && !q.array) gi_number_to(q, GA_F64, here->data);
    if (!here || gi_are_percentiles(site, here->size, (const double *)here->data, whole)) return here;
    ga_free(here);
    return NULL;
}

/* `whole`: percentiles lie between 0 and 100, quantiles between 0 and 1. */
static ga_array *gi_order_percentile(const char *name, bool skip_nan, double whole, const ga_array *a, ga_arg q,
                                     ga_order_options options)
{
    GI_SETTLE_FLOATS;
    const char *site = options.site;
    if (!gi_array_check_half_any(site, a, "a") || (q.kind == GA_KIND_ARRAY && !gi_array_check(site, q.array, "q"))) return NULL;
    if (gi_is_half(a->dtype)) {
        ga_dtype  asked = GA_DTYPE_DEFAULT, half;
        ga_array *wide  = gi_half_widen(site, a, &asked, &half);
        return gi_half_end(site, wide, wide ? gi_order_percentile(name, skip_nan, whole, wide, q, options) : NULL, options.out,
                           half);
    }
    gi_order o;
    memset(&o, 0, sizeof o);
    if (!gi_order_plan(site, &o, name, a, &options)) return NULL;
    if (q.array ? gi_is_complex(q.array->dtype) : q.kind == GA_KIND_COMPLEX)
        return (ga_array *)gi_fail(site, GA_BAD_DTYPE, "q is complex: quantiles are real numbers");
    bool between    = gi_quantile_is_between(o.rule);
    o.count         = q.array ? q.array->size : 1;
    o.rule.skip_nan = skip_nan;
    o.rule.single   = q.array && q.array->dtype == GA_F32;
    o.rule.result   = a->dtype;
    if (between && q.array) o.rule.result = ga_promote(a->dtype, o.rule.single ? GA_F32 : GA_F64);
    if (between && !q.array && a->dtype != GA_F32) o.rule.result = GA_F64;
    if (o.lines.length == 0 && o.lines.lines > 0 && !(skip_nan && gi_is_float(o.rule.result)))
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "%s of no elements (shape %s): there is none to return", name,
                                   gi_shape_of(a));
    ga_array *percent = gi_percent_numbers(site, q, whole);
    if (percent && gi_is_deferred(a)) {
        ga_array *r = gi_deferred()->percentile(name, skip_nan, whole, o.rule.result, a, q, percent, &options);
        ga_free(percent);
        return r;
    }
    if (!percent) return NULL;
    int     ndim = q.array ? q.array->ndim : 0;
    int64_t shape[2 * GPUARR_MAX_DIMS];
    for (int d = 0; d < ndim; d++) shape[d] = q.array->shape[d];
    for (int d = 0; d < o.lines.result_ndim; d++) shape[ndim + d] = o.lines.result_shape[d];
    size_t    bytes  = (size_t)o.count * (sizeof *o.quantiles + sizeof *o.places);
    ga_array *result = gi_array_new(site, o.rule.result, a->device, ndim + o.lines.result_ndim, shape);
    o.quantiles      = result ? (double *)gi_mem_alloc(site, bytes) : NULL;
    bool ok          = o.quantiles != NULL;
    if (ok) {
        o.places = (int64_t *)(o.quantiles + o.count);
        o.out    = (char *)result->data;
        o.result = result;
        gi_take_quantiles(&o, o.count, (const double *)percent->data, whole);
        ok = gi_order_run(site, &o);
    }
    gi_mem_release(o.quantiles, bytes);
    ga_free(percent);
    if (ok) return gi_copy_finish(site, result, o.rule.result, options.out);
    ga_free(result);
    return NULL;
}

ga_array *(ga_percentile)(const ga_array *a, ga_arg q, ga_order_options o)
{
    return gi_options_order(&o) ? gi_order_percentile("ga_percentile", false, 100, a, q, o) : NULL;
}
ga_array *(ga_nanpercentile)(const ga_array *a, ga_arg q, ga_order_options o)
{
    return gi_options_order(&o) ? gi_order_percentile("ga_nanpercentile", true, 100, a, q, o) : NULL;
}
ga_array *(ga_quantile)(const ga_array *a, ga_arg q, ga_order_options o)
{
    return gi_options_order(&o) ? gi_order_percentile("ga_quantile", false, 1, a, q, o) : NULL;
}
ga_array *(ga_nanquantile)(const ga_array *a, ga_arg q, ga_order_options o)
{
    return gi_options_order(&o) ? gi_order_percentile("ga_nanquantile", true, 1, a, q, o) : NULL;
}
