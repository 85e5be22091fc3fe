/* ---- sets: isin, intersections, differences, unions ------------------------------------------------------------------- */

/* Which elements of a sorted line are equal to the one behind them; one fewer than the line has. */
static ga_array *gi_do_repeated(const gi_composition *c, const ga_array *sorted)
{
    int64_t n = sorted && sorted->size > 0 ? sorted->size - 1 : 0;
    if (!sorted) return NULL;
    ga_array *behind = gi_do_part(c, sorted, 0, sorted->size - n, n), *before = gi_do_part(c, sorted, 0, 0, n);
    return behind && before ? GI_DO_2(c, equal, behind, before) : NULL;
}

static ga_array *gi_do_unique(const gi_composition *c, const ga_array *a, ga_unique_options o)
{
    o.site = c->site;
    return (ga_unique)(a, o);
}

/* A flag for each element of a line: is it among those of a sorted line of real numbers? *found: the elements at the places where they should be. */
static ga_array *gi_isin_searched(const gi_composition *c, const ga_array *line, const ga_array *sorted, ga_array **found)
{
    ga_array *place = sorted ? gi_do_search(c, sorted, line, false, NULL) : NULL;
    if (!place) return NULL;
    ga_array *inside = GI_DO_2(c, minimum, place, sorted->size - 1);
    *found           = inside ? gi_do_take(c, sorted, inside, 0) : NULL;
    return *found ? GI_DO_2(c, equal, *found, line) : NULL;
}

/* a, or a copy in the dtype that it has together with the other one, in which different elements of it may be equal. */
static const ga_array *gi_do_promoted(const gi_composition *c, const ga_array *a, const ga_array *other)
{
    const ga_dtype dtype = ga_promote(a->dtype, other->dtype);
    return a->dtype == dtype ? a : (ga_astype)(a, dtype, c->site);
}

/* The same by a sort of both, which complex numbers have: equal ones come to stand side by side, first that of the line. */
static ga_array *gi_isin_sorted(const gi_composition *c, const ga_array *line, const ga_array *among)
{
    ga_array         *number = NULL;
    ga_unique_options o      = ga_unique_defaults;
    o.inverse                = &number;
    const ga_array *x = gi_do_promoted(c, line, among), *y = x ? gi_do_promoted(c, among, line) : NULL;
    ga_array       *own = y ? gi_do_unique(c, x, o) : NULL, *other = own ? gi_do_unique(c, y, ga_unique_defaults) : NULL;
    ga_array       *all   = other ? gi_do_join(c, own, other, 0) : NULL;
    ga_array       *order = all ? gi_do_along(c, (ga_argsort), all, 0) : NULL;
    ga_array       *twice = order ? gi_do_repeated(c, gi_do_take(c, all, order, 0)) : NULL;
    ga_array       *never = twice ? (ga_zeros)(gi_line(1), gi_new_on(c->site, GA_BOOL, line->device)) : NULL;
    ga_array       *flags = never ? gi_do_join(c, twice, never, 0) : NULL;
    ga_array       *back  = flags ? gi_do_along(c, (ga_argsort), order, 0) : NULL;
    ga_array       *ours  = back ? gi_do_take(c, flags, back, 0) : NULL;
    return ours ? gi_do_take(c, ours, number, 0) : NULL;
}

/* The same of integers of which those looked for lie close together: by a table of flags, from `least` on, and one that is false. */
typedef struct gi_flag_table {
    const ga_array *line;
    uint64_t        least, length;
    uint8_t        *flags;
    bool           *found;
} gi_flag_table;

GI_BEGIN_FAST
/* The elements start .. start + n, at most a block, as int64. */
static const int64_t *gi_as_int64(const ga_array *line, int64_t start, int64_t n, int64_t *room)
{
    const char *from = (const char *)line->data + start * ga_itemsize(line->dtype);
    if (line->dtype == GA_I64) return (const int64_t *)(const void *)from;
    gi_cast(GA_I64, line->dtype, n, room, from);
    return room;
}

static void gi_look_up_blocks(int64_t begin, int64_t end, void *job)
{
    const gi_flag_table *t = (const gi_flag_table *)job;
    GI_ARENA(int64_t, room, GI_BLOCK);
    for (int64_t block = begin; block < end; block++) {
        const int64_t  start = block * GI_BLOCK, n = t->line->size - start < GI_BLOCK ? t->line->size - start : GI_BLOCK;
        const int64_t *x = gi_as_int64(t->line, start, n, room);
        for (int64_t i = 0; i < n; i++) { /* what lies below `least` is beyond the table, too */
            const uint64_t place = (uint64_t)x[i] - t->least;
            t->found[start + i]  = t->flags[place < t->length ? place : t->length] != 0;
        }
    }
}
GI_END_FAST

static ga_array *gi_isin_looked_up(const gi_composition *c, const ga_array *line, const ga_array *among, int64_t least,
                                   int64_t most)
{
    gi_flag_table t;
    GI_ARENA(int64_t, room, GI_BLOCK);
    t.line               = line;
    t.least              = (uint64_t)least;
    t.length             = (uint64_t)most - (uint64_t)least + 1;
    const int64_t blocks = (line->size + GI_BLOCK - 1) / GI_BLOCK;
    const size_t  bytes  = (size_t)t.length + 1;
    ga_array     *found  = gi_array_new(c->site, GA_BOOL, GA_CPU, 1, line->shape);
    t.flags              = found ? (uint8_t *)gi_mem_alloc(c->site, bytes) : NULL;
    if (!t.flags) return NULL;
    memset(t.flags, 0, bytes);
    for (int64_t i = 0; i < among->size; i += GI_BLOCK) {
        const int64_t  n = among->size - i < GI_BLOCK ? among->size - i : GI_BLOCK;
        const int64_t *x = gi_as_int64(among, i, n, room);
        for (int64_t k = 0; k < n; k++) t.flags[(uint64_t)x[k] - t.least] = 1;
    }
    t.found = (bool *)found->data;
    gi_parallel_bytes(16.0 * (double)line->size, blocks, 16, gi_look_up_blocks, &t);
    gi_mem_release(t.flags, bytes);
    return found;
}

/* By a table, if that is quick by NumPy's rule; else false. Not of uint64, which int64 does not hold, nor of what is not in this memory. */
static bool gi_isin_by_table(const gi_composition *c, const ga_array *line, const ga_array *among, ga_array **r)
{
    const ga_array *both[2] = { line, among };
    for (int k = 0; k < 2; k++)
        if (gi_is_deferred(both[k]) || both[k]->device != GA_CPU || !gi_is_int(both[k]->dtype) || both[k]->dtype == GA_U64)
            return false;
    const ga_array *low = gi_do_fold(c, (ga_min), among, GA_AXIS_DEFAULT, false),
                   *top = low ? gi_do_fold(c, (ga_max), among, GA_AXIS_DEFAULT, false) : NULL;
    *r                  = NULL;
    if (!top) return true;
    const int64_t least = (ga_item_int)(low, c->site), most = (ga_item_int)(top, c->site);
    if ((double)most - (double)least > 6.0 * ((double)line->size + (double)among->size)) return false;
    *r = gi_isin_looked_up(c, line, among, least, most);
    return true;
}

/* By a comparison with each, if these are few. */
enum { GI_ISIN_FEW = 4, GI_ISIN_SOME = 32, GI_ISIN_LONG = 16384 };
static bool gi_isin_is_few(const ga_array *line, const ga_array *among)
{
    return line->device == GA_CPU && !gi_is_deferred(line) && !gi_is_deferred(among) &&
           among->size <= (line->size < GI_ISIN_LONG ? GI_ISIN_FEW : GI_ISIN_SOME);
}

static ga_array *gi_isin_compared(const gi_composition *c, const ga_array *line, const ga_array *among)
{
    ga_array *r = GI_DO_2(c, equal, line, gi_do_part(c, among, 0, 0, 1)), *equal = NULL;
    for (int64_t k = 1; k < among->size && r; k++) {
        ga_map_options o = gi_map_in_place(c, equal);
        equal            = (ga_equal)(GA_ARG(line), GA_ARG(gi_do_part(c, among, 0, k, 1)), o);
        r                = equal ? (ga_logical_or)(GA_ARG(r), GA_ARG(equal), gi_map_in_place(c, r)) : NULL;
    }
    return r;
}

/* Is uint64 the dtype of one alone, and of the other a signed integer? They meet in float64, which rounds them. */
static bool gi_isin_is_rounded(const ga_array *line, const ga_array *test)
{
    return gi_is_int(line->dtype) && gi_is_int(test->dtype) && ga_promote(line->dtype, test->dtype) == GA_F64;
}

/* A flag for each element of a line, in the way that suits both. */
static ga_array *gi_isin_of_lines(const gi_composition *c, const ga_array *line, const ga_array *test)
{
    ga_array *r = NULL, *found;
    if (line->size == 0 || test->size == 0) return (ga_zeros)(gi_line(line->size), gi_new_on(c->site, GA_BOOL, line->device));
    if (gi_is_complex(ga_promote(line->dtype, test->dtype))) return gi_isin_sorted(c, line, test);
    if (gi_isin_by_table(c, line, test, &r)) return r;
    if (gi_isin_is_few(line, test)) return gi_isin_compared(c, line, test);
    return gi_isin_searched(c, line, gi_do_along(c, (ga_sort), test, 0), &found);
}

/* Both as uint64: negative elements are in none. */
static ga_array *gi_isin_of_unsigned(const gi_composition *c, const ga_array *line, const ga_array *test)
{
    const bool ours = line->dtype != GA_U64;
    ga_array  *fits = GI_DO_2(c, greater_equal, ours ? line : test, 0);
    if (ours) {
        ga_array *whole = fits ? (ga_astype)(line, GA_U64, c->site) : NULL;
        ga_array *r     = whole ? gi_isin_of_lines(c, whole, test) : NULL;
        return r ? GI_DO_2(c, logical_and, r, fits) : NULL;
    }
    ga_array *chosen = fits ? (ga_extract)(fits, test, c->site) : NULL;
    ga_array *whole  = chosen ? (ga_astype)(chosen, GA_U64, c->site) : NULL;
    return whole ? gi_isin_of_lines(c, line, whole) : NULL;
}

/* The elements in one line; halves become float32. */
static ga_array *gi_do_wide_line(const gi_composition *c, const ga_array *a)
{
    ga_array *line = (ga_ravel)(a, c->site);
    return line && gi_is_half(line->dtype) ? (ga_astype)(line, GA_F32, c->site) : line;
}

static ga_array *gi_do_isin(const gi_composition *c, const ga_array *a, const ga_array *among, bool invert)
{
    const ga_array *both[2] = { a, among };
    if (!gi_array_check_half(c->site, a, "a") || !gi_array_check_half(c->site, among, "test") ||
        gi_common_device(c->site, 2, both) == GA_DEVICE_DEFAULT)
        return NULL;
    ga_array *line = gi_do_wide_line(c, a), *test = line ? gi_do_wide_line(c, among) : NULL;
    if (!test) return NULL;
    ga_array *r = gi_isin_is_rounded(line, test) ? gi_isin_of_unsigned(c, line, test) : gi_isin_of_lines(c, line, test);
    if (r && invert) r = GI_DO_1(c, logical_not, r);
    return r ? gi_do_reshape(c, r, a->ndim, a->shape) : NULL;
}

ga_array *(ga_isin)(ga_arg element, const ga_array *test, ga_isin_options o)
{
    if (!gi_array_check_half(o.site, test, "test")) return NULL;
    gi_composition c;
    gi_compose_begin(&c, o.site);
    ga_array *a = gi_do_array_half(&c, element, "element", test->device);
    return gi_compose_end(&c, a ? gi_do_isin(&c, a, test, o.invert) : NULL);
}

/* The different elements of both, which are known to be good, in one line, and where each comes from in the arrays. */
static ga_array *gi_do_both_unique(const gi_composition *c, const ga_array *a, const ga_array *b, ga_array **from)
{
    ga_unique_options first = ga_unique_defaults, second = ga_unique_defaults;
    first.index          = from;
    second.index         = from ? from + 1 : NULL;
    const ga_array *ours = gi_do_promoted(c, a, b), *theirs = ours ? gi_do_promoted(c, b, a) : NULL;
    ga_array       *x = theirs ? gi_do_unique(c, ours, first) : NULL, *y = x ? gi_do_unique(c, theirs, second) : NULL;
    return y ? gi_do_join(c, x, y, 0) : NULL;
}

/* Where flags are true: the elements of a line. */
static ga_array *gi_do_chosen(const gi_composition *c, const ga_array *flags, const ga_array *line)
{
    return flags && line ? (ga_extract)(flags, line, c->site) : NULL;
}

/* The elements of one sorted line that are in another of the same dtype; each has an element once. The shorter one is looked up. */
static ga_array *gi_do_shared(const gi_composition *c, const ga_array *x, const ga_array *y)
{
    const bool by_search = (x->dtype == GA_F32 || x->dtype == GA_F64) && x->size > 0 && y->size > 0;
    if (!by_search) return gi_do_chosen(c, gi_do_isin(c, x, y, false), x);
    const bool fewer = x->size <= y->size;
    ga_array  *found, *flags = gi_isin_searched(c, fewer ? x : y, fewer ? y : x, &found);
    return flags ? gi_do_chosen(c, flags, fewer ? x : found) : NULL;
}

/* The elements that both have, and, unless at is NULL, where each is first in either. */
static ga_array *gi_do_common(const gi_composition *c, const ga_array *a, const ga_array *b, ga_array **at)
{
    ga_array *from[2] = { NULL, NULL }, *r = NULL;
    ga_array *all = gi_do_both_unique(c, a, b, at ? from : NULL), *order = all ? gi_do_along(c, (ga_argsort), all, 0) : NULL;
    ga_array *sorted = order ? gi_do_take(c, all, order, 0) : NULL, *twice = gi_do_repeated(c, sorted);
    if (twice) r = gi_do_chosen(c, twice, gi_do_part(c, sorted, 0, 0, twice->size));
    if (!r || !at) return r;
    const int64_t n      = from[0]->size;
    ga_array     *first  = gi_do_chosen(c, twice, gi_do_part(c, order, 0, 0, twice->size));
    ga_array     *second = gi_do_chosen(c, twice, gi_do_part(c, order, 0, order->size - twice->size, twice->size));
    at[0]                = first ? gi_do_take(c, from[0], first, 0) : NULL;
    at[1]                = second ? gi_do_take(c, from[1], GI_DO_2(c, subtract, second, n), 0) : NULL;
    return at[0] && at[1] ? r : NULL;
}

ga_array *(ga_intersect1d)(const ga_array *a, const ga_array *b, ga_intersect_options o)
{
    if (o.index_a) *o.index_a = NULL;
    if (o.index_b) *o.index_b = NULL;
    gi_composition c;
    gi_compose_begin(&c, o.site);
    const bool known  = gi_array_check_half(o.site, a, "a") && gi_array_check_half(o.site, b, "b");
    const bool places = o.index_a || o.index_b;
    ga_array  *at[2] = { NULL, NULL }, *x = NULL, *y = NULL, *r = NULL;
    if (known && a->dtype == b->dtype && !places) { /* of two dtypes, different ones may become equal */
        x = gi_do_unique(&c, a, ga_unique_defaults);
        y = x ? gi_do_unique(&c, b, ga_unique_defaults) : NULL;
        r = y ? gi_do_shared(&c, x, y) : NULL;
    } else if (known) {
        r = gi_do_common(&c, a, b, places ? at : NULL);
    }
    if (r && o.index_a) *o.index_a = gi_compose_keep(&c, at[0]);
    if (r && o.index_b) *o.index_b = gi_compose_keep(&c, at[1]);
    return gi_compose_end(&c, r);
}

ga_array *(ga_union1d)(const ga_array *a, const ga_array *b, const char *site)
{
    gi_composition c;
    gi_compose_begin(&c, site);
    ga_array *x = gi_array_check_half(site, a, "a") && gi_array_check_half(site, b, "b") ? (ga_ravel)(a, site) : NULL,
             *y = x ? (ga_ravel)(b, site) : NULL, *all = y ? gi_do_join(&c, x, y, 0) : NULL;
    return gi_compose_end(&c, all ? gi_do_unique(&c, all, ga_unique_defaults) : NULL);
}

ga_array *(ga_setdiff1d)(const ga_array *a, const ga_array *b, const char *site)
{
    gi_composition c;
    gi_compose_begin(&c, site);
    ga_array *own   = gi_do_unique(&c, a, ga_unique_defaults);
    ga_array *other = own && gi_array_check_half(site, b, "b") ? gi_do_isin(&c, own, b, true) : NULL;
    return gi_compose_end(&c, gi_do_chosen(&c, other, own));
}

ga_array *(ga_setxor1d)(const ga_array *a, const ga_array *b, const char *site)
{
    gi_composition c;
    gi_compose_begin(&c, site);
    const bool known = gi_array_check_half(site, a, "a") && gi_array_check_half(site, b, "b");
    ga_array *all = known ? gi_do_both_unique(&c, a, b, NULL) : NULL, *sorted = all ? gi_do_along(&c, (ga_sort), all, 0) : NULL;
    if (sorted && sorted->size > 0) { /* different from the one before, and from the one behind */
        ga_array *again = gi_do_repeated(&c, sorted), *other = again ? GI_DO_1(&c, logical_not, again) : NULL;
        ga_array *end    = (ga_ones)(gi_line(1), gi_new_on(site, GA_BOOL, sorted->device));
        ga_array *before = other && end ? gi_do_join(&c, end, other, 0) : NULL;
        ga_array *behind = before ? gi_do_join(&c, other, end, 0) : NULL;
        sorted           = behind ? gi_do_chosen(&c, GI_DO_2(&c, logical_and, before, behind), sorted) : NULL;
    }
    return gi_compose_end(&c, sorted);
}

/* ---- ga_unique with NaNs that differ, by the names of the array API -------------------------------------------------------- */

ga_array *(ga_unique_all)(const ga_array *a, ga_array **index, ga_array **inverse, ga_array **counts, const char *site)
{
    ga_unique_options o = ga_unique_defaults;
    o.site              = site;
    o.index             = index;
    o.inverse           = inverse;
    o.counts            = counts;
    o.equal_nan         = false;
    return (ga_unique)(a, o);
}
ga_array *(ga_unique_values)(const ga_array *a, const char *site) { return (ga_unique_all)(a, NULL, NULL, NULL, site); }
ga_array *(ga_unique_counts)(const ga_array *a, ga_array **counts, const char *site)
{
    return (ga_unique_all)(a, NULL, NULL, counts, site);
}
ga_array *(ga_unique_inverse)(const ga_array *a, ga_array **inverse, const char *site)
{
    return (ga_unique_all)(a, NULL, inverse, NULL, site);
}
