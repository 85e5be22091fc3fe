/* ---- unique ------------------------------------------------------------------------------------------------------ */

/* Elements of a sorted line; of each but the first, whether it is unlike the one before. */
typedef struct gi_unlike_job {
    const char *sorted;
    bool       *flags;
    int64_t     size;
    gi_kernel   not_equal;
} gi_unlike_job;

static void gi_unlike_part(int64_t begin, int64_t end, void *job)
{
    const gi_unlike_job *j    = (const gi_unlike_job *)job;
    const char          *from = j->sorted + begin * j->size;
    j->not_equal(end - begin, j->flags + begin + 1, from + j->size, from, NULL);
}

/* Of a sorted line: where does a run of equal elements begin? NaNs, sorted to the end, are one run if they are taken for equal. */
static ga_array *gi_unique_starts(const char *site, const ga_array *sorted, bool equal_nan)
{
    ga_array *first = gi_array_new(site, GA_BOOL, sorted->device, 1, sorted->shape);
    if (!first || first->size == 0) return first;
    int64_t       n = first->size, size = ga_itemsize(sorted->dtype);
    bool         *flags = (bool *)first->data, is_nan = false;
    const char   *s            = (const char *)sorted->data;
    gi_kernel     isnan_kernel = gi_row_kernel(gi_row_isnan(), sorted->dtype);
    gi_unlike_job unlike       = { s, flags, size, gi_row_kernel(gi_row_not_equal(), sorted->dtype) };
    flags[0]                   = true;
    gi_parallel(n - 1, 1 << 16, gi_unlike_part, &unlike);
    for (int64_t i = n - 1; i > 0 && isnan_kernel && equal_nan; i--) {
        isnan_kernel(1, &is_nan, s + (i - 1) * size, NULL, NULL);
        if (!is_nan) break;
        flags[i] = false;
    }
    return first;
}

/* For each element of the array that was sorted: the number of its run, in the shape of a. */
static ga_array *gi_unique_numbers(const char *site, const ga_array *a, const ga_array *order, const ga_array *starts)
{
    ga_array *inverse = gi_array_new(site, GA_I64, a->device, a->ndim, a->shape);
    if (!inverse) return NULL;
    const int64_t *place = (const int64_t *)order->data, *start = (const int64_t *)starts->data;
    for (int64_t run = 0; run < starts->size; run++) {
        int64_t stop = run + 1 < starts->size ? start[run + 1] : a->size;
        for (int64_t k = start[run]; k < stop; k++) ((int64_t *)inverse->data)[place[k]] = run;
    }
    return inverse;
}

static ga_array *gi_unique_lengths(const char *site, const ga_array *a, const ga_array *starts)
{
    ga_array *counts = gi_array_new(site, GA_I64, a->device, 1, starts->shape);
    if (!counts) return NULL;
    const int64_t *start = (const int64_t *)starts->data;
    for (int64_t run = 0; run < starts->size; run++)
        ((int64_t *)counts->data)[run] = (run + 1 < starts->size ? start[run + 1] : a->size) - start[run];
    return counts;
}

/* ---- integers that lie near each other: they are counted, not sorted -------------------------------------------------------------- */

enum {
    GI_TALLY_FROM = 256,
    GI_TALLY_MOST = 1 << 16,
    GI_TALLY_EACH = 4, /* elements of a value, or sorting is as fast */
    GI_TALLY_FEW  = 1024,
    GI_TALLY_PART = 1 << 17
};

typedef struct gi_tallying {
    int         size; /* bytes of an element */
    const char *elements;
    uint64_t    least;
    int64_t     n, values, parts; /* parts: which the threads share */
    int      tables; /* of each part: with one, increments of the same count would wait for each other where values are few */
    int64_t *counts;
} gi_tallying;

GI_BEGIN_FAST
static void gi_tally_parts(int64_t begin, int64_t end, void *job)
{
    const gi_tallying *t    = (const gi_tallying *)job;
    const int64_t      room = t->tables * t->values, v = t->values, turn = t->tables - 1;
    for (int64_t part = begin; part < end; part++) {
        const int64_t i = t->n / t->parts * part, stop = part == t->parts - 1 ? t->n : i + t->n / t->parts;
        int64_t      *counts = t->counts + part * room;
        memset(counts, 0, (size_t)room * sizeof *counts);
        if (t->size == 1) {
            const uint8_t *x = (const uint8_t *)t->elements, least = (uint8_t)t->least;
            for (int64_t k = i; k < stop; k++) counts[(k & turn) * v + (uint8_t)(x[k] - least)]++;
        } else if (t->size == 2) {
            const uint16_t *x = (const uint16_t *)(const void *)t->elements, least = (uint16_t)t->least;
            for (int64_t k = i; k < stop; k++) counts[(k & turn) * v + (uint16_t)(x[k] - least)]++;
        } else if (t->size == 4) {
            const uint32_t *x = (const uint32_t *)(const void *)t->elements, least = (uint32_t)t->least;
            for (int64_t k = i; k < stop; k++) counts[(k & turn) * v + (int64_t)(x[k] - least)]++;
        } else {
            const uint64_t *x = (const uint64_t *)(const void *)t->elements;
            for (int64_t k = i; k < stop; k++) counts[(k & turn) * v + (int64_t)(x[k] - t->least)]++;
        }
    }
}
GI_END_FAST

/* The bits of an element, of so many bytes, above the least one. */
static uint64_t gi_tally_apart(int size, const char *x, const char *least)
{
    uint64_t a = 0, b = 0; /* little-endian, as everywhere */
    memcpy(&a, x, (size_t)size);
    memcpy(&b, least, (size_t)size);
    return (a - b) & UINT64_MAX >> (64 - 8 * size);
}

/* Do packed integers lie near each other, as far as a sample says? */
static bool gi_tally_is_near(const ga_array *a)
{
    const int size = (int)ga_itemsize(a->dtype), above = 64 - 8 * size;
    int64_t   low = 0, high = 0;
    if (a->size < GI_TALLY_FROM || gi_dtype_kind(a->dtype) > 1) return false;
    for (int64_t k = 1; k < 16; k++) {
        const char   *x     = (const char *)a->data + a->size / 16 * k * size;
        const int64_t apart = (int64_t)(gi_tally_apart(size, x, (const char *)a->data) << above) >> above;
        low                 = apart < low ? apart : low;
        high                = apart > high ? apart : high;
    }
    return low > -GI_TALLY_MOST && high < GI_TALLY_MOST && high - low < GI_TALLY_MOST && high - low < a->size / GI_TALLY_EACH;
}

/* Counts, and makes arrays of the values that are there and of their counts; those of the parts are in `all`. */
static void gi_tally(const char *site, gi_tallying *t, ga_array *all, ga_dtype dtype, bool counts, ga_array **found)
{
    int64_t m = 0;
    t->counts = (int64_t *)all->data;
    gi_parallel(t->parts, 1, gi_tally_parts, t);
    for (int64_t k = 1; k < t->parts * t->tables; k++)
        for (int64_t v = 0; v < t->values; v++) t->counts[v] += t->counts[k * t->values + v];
    for (int64_t v = 0; v < t->values; v++) m += t->counts[v] > 0;
    found[0] = gi_array_new(site, dtype, GA_CPU, 1, &m);
    found[1] = found[0] && counts ? gi_array_new(site, GA_I64, GA_CPU, 1, &m) : NULL;
    m        = 0;
    for (int64_t v = 0; v < t->values && found[0]; v++) {
        const uint64_t x = t->least + (uint64_t)v;
        if (t->counts[v] == 0) continue;
        memcpy((char *)found[0]->data + m * t->size, &x, (size_t)t->size);
        if (found[1]) ((int64_t *)found[1]->data)[m] = t->counts[v];
        m++;
    }
}

/* The sorted values of packed integers, and how many there are of each; NULL with an error. False: they do not lie near each other. */
static bool gi_unique_tallied(const char *site, const ga_array *a, ga_array **values, ga_array **counts)
{
    gi_tallying    t;
    gi_composition c;
    const int64_t  threads = ga_get_num_threads();
    t.size                 = (int)ga_itemsize(a->dtype);
    if (!gi_tally_is_near(a)) return false;
    gi_compose_begin(&c, site);
    const ga_array *least   = gi_do_fold(&c, (ga_min), a, GA_AXIS_DEFAULT, false),
                   *most    = least ? gi_do_fold(&c, (ga_max), a, GA_AXIS_DEFAULT, false) : NULL;
    const uint64_t span     = most ? gi_tally_apart(t.size, (const char *)most->data, (const char *)least->data) : UINT64_MAX;
    const bool     is_near  = span < (uint64_t)GI_TALLY_MOST && span < (uint64_t)a->size / GI_TALLY_EACH;
    const bool     failed   = !most;
    ga_array      *found[2] = { NULL, NULL };
    if (is_near) {
        t.elements = (const char *)a->data;
        t.least    = 0;
        memcpy(&t.least, least->data, (size_t)t.size);
        t.n                = a->size;
        t.values           = (int64_t)span + 1;
        t.parts            = a->size / GI_TALLY_PART < threads ? a->size / GI_TALLY_PART + 1 : threads;
        t.tables           = t.values <= GI_TALLY_FEW ? 4 : 1;
        const int64_t room = t.parts * t.tables * t.values;
        ga_array     *all  = gi_array_new(site, GA_I64, GA_CPU, 1, &room);
        if (all) gi_tally(site, &t, all, a->dtype, counts != NULL, found);
        if (counts) *counts = gi_compose_keep(&c, found[1]);
    }
    *values = gi_compose_end(&c, found[0]);
    return is_near || failed;
}

/* The sorted values; what else is asked for is left in the options, and freed by the caller after a failure. */
static ga_array *gi_unique(const char *site, const ga_array *a, const ga_unique_options *o)
{
    GI_SETTLE_FLOATS;
    if (a->device == GA_CUDA) return gi_gpu->unique(site, a, o);
    bool      ordered = o->index || o->inverse; /* else sorted values are enough */
    bool      placed  = ordered || o->counts;
    ga_array *tallied;
    if (!ordered && gi_unique_tallied(site, a, &tallied, o->counts)) return tallied;
    ga_array *line   = (ga_ravel)(a, site);
    ga_array *order  = line && ordered ? gi_sort_array(site, line, 0, true) : NULL;
    ga_array *sorted = order ? gi_take(site, line, 0, order) : line && !ordered ? gi_sort_array(site, line, 0, false) : NULL;
    ga_array *flags  = sorted ? gi_unique_starts(site, sorted, o->equal_nan) : NULL;
    bool      alone = flags && sorted->size > 0 && !memchr(flags->data, 0, (size_t)flags->size); /* no element is there twice */
    ga_array *values  = alone ? sorted : flags ? gi_select(site, flags, sorted) : NULL;
    ga_array *indices = values && placed ? gi_select(site, flags, NULL) : NULL;
    ga_array *starts  = indices ? (ga_ravel)(indices, site) : NULL; /* (1, runs) */
    if (starts && o->index) *o->index = gi_take(site, order, 0, starts);
    if (starts && o->inverse) *o->inverse = gi_unique_numbers(site, a, order, starts);
    if (starts && o->counts) *o->counts = gi_unique_lengths(site, a, starts);
    ga_free(starts);
    ga_free(indices);
    ga_free(flags);
    if (!alone) ga_free(sorted);
    ga_free(order);
    ga_free(line);
    return values;
}

/* ---- unique slices: rows, compared from their first element on ------------------------------------------------------------ */

/* The order of rows; of equal ones the first stays the first. */
static ga_array *gi_do_row_order(const gi_composition *c, const ga_array *rows)
{
    const int64_t n     = rows->shape[0];
    ga_array     *order = gi_do_count(c, 0, n, rows->device);
    if (n == 0) return order;                                    /* however long the rows are */
    for (int64_t k = rows->shape[1] - 1; k >= 0 && order; k--) { /* a stable sort for each element, the last one first */
        ga_array *part = gi_do_part(c, rows, 1, k, 1), *column = gi_do_reshape(c, part, 1, &n);
        ga_array *now  = column ? gi_do_take(c, column, order, 0) : NULL,
                 *step = now ? gi_do_along(c, (ga_argsort), now, 0) : NULL;
        ga_array *next = step ? gi_do_take(c, order, step, 0) : NULL;
        ga_free(part);
        ga_free(column);
        ga_free(now);
        ga_free(step);
        ga_free(order);
        order = next;
    }
    return order;
}

/* Of sorted rows: is it unlike the row before? The first one is. */
static ga_array *gi_do_row_starts(const gi_composition *c, const ga_array *rows)
{
    const int64_t n = rows->shape[0], more = n > 0 ? n - 1 : 0;
    ga_array     *behind = gi_do_part(c, rows, 0, n - more, more), *before = gi_do_part(c, rows, 0, 0, more);
    ga_array     *unlike = behind && before ? GI_DO_2(c, not_equal, behind, before) : NULL;
    ga_array     *others = unlike ? gi_do_fold(c, (ga_any), unlike, 1, false) : NULL;
    ga_array     *first  = others ? (ga_ones)(gi_line(n - more), gi_new_on(c->site, GA_BOOL, rows->device)) : NULL;
    return first ? gi_do_join(c, first, others, 0) : NULL;
}

/* The rows of a matrix without repetitions; what else is asked for is left in the options, among the temporaries. */
static ga_array *gi_do_unique_rows(const gi_composition *c, const ga_array *rows, const ga_unique_options *o)
{
    ga_array *order = gi_do_row_order(c, rows), *sorted = order ? gi_do_take(c, rows, order, 0) : NULL;
    ga_array *starts = sorted ? gi_do_row_starts(c, sorted) : NULL, *places = starts ? (ga_flatnonzero)(starts, c->site) : NULL;
    ga_array *values = places ? gi_do_take(c, sorted, places, 0) : NULL;
    if (values && o->index) *o->index = gi_do_take(c, order, places, 0);
    if (values && o->inverse) {
        ga_array *run = gi_do_along(c, (ga_cumsum), starts, 0), *number = run ? GI_DO_2(c, subtract, run, 1) : NULL;
        ga_array *back = number ? gi_do_along(c, (ga_argsort), order, 0) : NULL;
        *o->inverse    = back ? gi_do_take(c, number, back, 0) : NULL;
    }
    if (values && o->counts) {
        ga_array *end  = (ga_full)(gi_line(1), GA_ARG(rows->shape[0]), gi_new_on(c->site, GA_I64, rows->device));
        ga_array *ends = end ? gi_do_join(c, places, end, 0) : NULL;
        ga_array *stop = gi_do_part(c, ends, 0, 1, places->size);
        *o->counts     = stop ? GI_DO_2(c, subtract, stop, places) : NULL;
    }
    return values;
}

static ga_array *gi_unique_slices(const gi_composition *c, const ga_array *a, const ga_unique_options *o)
{
    const int axis = gi_axis(c->site, o->axis, a->ndim);
    if (axis < 0) return NULL;
    ga_array *front = (ga_moveaxis)(a, axis, 0, c->site);
    if (!front) return NULL;
    int64_t       shape[GPUARR_MAX_DIMS], n = front->shape[0];
    const int64_t flat[2] = { n, a->size > 0 ? a->size / n : gi_shape_size(front->ndim - 1, front->shape + 1) };
    ga_array     *rows = gi_do_reshape(c, front, 2, flat), *values = rows ? gi_do_unique_rows(c, rows, o) : NULL;
    if (!values) return NULL;
    memcpy(shape, front->shape, sizeof shape);
    shape[0]         = values->shape[0];
    ga_array *back   = gi_do_reshape(c, values, front->ndim, shape);
    ga_array *slices = back ? (ga_moveaxis)(back, 0, axis, c->site) : NULL;
    return slices ? gi_copy_contiguous(c->site, slices, slices->dtype) : NULL;
}

/* The values, of elements in memory; what else was asked for is kept, or nothing is. */
static ga_array *gi_unique_elements(const char *site, const ga_array *elements, const ga_unique_options *o)
{
    if (o->axis == GA_AXIS_DEFAULT) return gi_unique(site, elements, o);
    gi_composition c;
    gi_compose_begin(&c, site);
    ga_array  *values     = gi_unique_slices(&c, elements, o);
    ga_array **results[3] = { o->index, o->inverse, o->counts };
    for (int k = 0; k < 3; k++)
        if (results[k]) *results[k] = gi_compose_keep(&c, *results[k]);
    return gi_compose_end(&c, values);
}

ga_array *(ga_unique)(const ga_array *a, ga_unique_options o)
{
    if (o.index) *o.index = NULL;
    if (o.inverse) *o.inverse = NULL;
    if (o.counts) *o.counts = NULL;
    if (!gi_array_check_half(o.site, a, "a")) return NULL;
    const ga_dtype dtype = gi_dtype_computed(a->dtype);
    ga_array *elements = a->dtype == GA_BOOL ? gi_copy_truths(o.site, a) : gi_copy_contiguous(o.site, a, dtype), *values = NULL;
    if (elements) values = gi_copy_finish(o.site, gi_unique_elements(o.site, elements, &o), a->dtype, NULL);
    ga_free(elements);
    if (values && (!o.index || *o.index) && (!o.inverse || *o.inverse) && (!o.counts || *o.counts)) return values;
    ga_array **results[3] = { o.index, o.inverse, o.counts };
    for (int k = 0; k < 3; k++) {
        if (!results[k]) continue;
        ga_free(*results[k]);
        *results[k] = NULL;
    }
    ga_free(values);
    return NULL;
}
