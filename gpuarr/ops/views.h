/* ==== >>views: other ways to look at the same memory ============================================================== */
/*  Every view is a layout: where its first element lies, and its shape and strides. A function takes the layout of its array,
    changes it and makes an array of it; only ga_reshape, ga_ravel and ga_flatten may have to copy.                           */

/* The elements start .. start + count of a along an axis. */
static ga_array *gi_view_part(const char *site, const ga_array *a, int axis, int64_t start, int64_t count)
{
    gi_layout l = gi_layout_of(a);
    if (a->size > 0) l.data += start * l.strides[axis];
    l.shape[axis] = count;
    return gi_view_with(site, a, &l);
}

/* ga_concatenate, from within. */
static ga_array *gi_join_along(const char *site, int n, const ga_array *const *arrays, int axis)
{
    ga_axis_options o = ga_axis_defaults;
    o.site            = site;
    o.axis            = axis;
    return (ga_concatenate_n)(n, arrays, o);
}

ga_array *(ga_view)(const ga_array *a, const char *site)
{
    if (!gi_array_is_alive(site, a, "a")) return NULL;
    gi_layout l = gi_layout_of(a);
    return gi_view_with(site, a, &l);
}

/* ---- ga_index ---------------------------------------------------------------------------------------------------- */

typedef enum gi_index_kind {
    GI_INDEX_INTEGER,
    GI_INDEX_SLICE,
    GI_INDEX_ELLIPSIS,
    GI_INDEX_NEWAXIS,
    GI_INDEX_KEPT, /* an integer whose axis stays, with length 1 */
    GI_INDEX_ARRAY
} gi_index_kind;

typedef struct gi_index_item {
    gi_index_kind kind;
    int64_t       start, stop, step; /* an integer index is start, and so is the number of an array, from 1 on */
    bool          has_start, has_stop;
} gi_index_item;

/* What names in an index stand for: those of a formula. `number` returns how many characters a name at `at` has, and its value; 0: there is
   none; -1 with an error. */
typedef struct gi_index_names {
    int (*number)(const struct gi_index_names *names, const char *at, int64_t *value);
} gi_index_names;

/* The text of an index, and the item that is being read, for the errors. */
typedef struct gi_index_text {
    const char           *site, *whole, *item;
    int                   length, number;
    const gi_index_names *names;  /* or NULL */
    int                   arrays; /* how many there are for $1, $2 ... */
    bool                  failed; /* has `names` told an error? */
} gi_index_text;

static void *gi_index_fail(const gi_index_text *t, const char *problem)
{
    return gi_fail(t->site, GA_BAD_ARGUMENT, "item %d, \"%.*s\", of the index \"%.200s\" %s", t->number,
                   t->length > 80 ? 80 : t->length, t->item, t->whole, problem);
}

static bool gi_is_digit(char c) { return c >= '0' && c <= '9'; }
static bool gi_is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static const char *gi_skip_blanks(const char *p)
{
    while (gi_is_blank(*p)) p++;
    return p;
}

/* Reads a decimal integer or a name, with a sign or none, if there is one at *p, with blanks around it; one that is too large becomes the
   largest. t: of an index, or NULL. */
static bool gi_read_index_number(gi_index_text *t, const char **p, int64_t *value)
{
    const char *at       = gi_skip_blanks(*p);
    const bool  negative = *at == '-';
    if (*at == '-' || *at == '+') at = gi_skip_blanks(at + 1);
    if (*at >= '0' && *at <= '9') {
        char          *end;
        const uint64_t size = strtoull(at, &end, 10), most = (uint64_t)INT64_MAX + negative;
        const uint64_t bits = size > most ? most : size;
        *value              = (int64_t)(negative ? 0 - bits : bits);
        *p                  = gi_skip_blanks(end);
        return true;
    }
    int64_t   named  = 0;
    const int length = t && t->names ? t->names->number(t->names, at, &named) : 0;
    if (length < 0) t->failed = true;
    if (length <= 0) return false;
    *value = !negative ? named : named == INT64_MIN ? INT64_MAX : -named;
    *p     = gi_skip_blanks(at + length);
    return true;
}

static bool gi_read_integer(const char **p, int64_t *value) { return gi_read_index_number(NULL, p, value); }

static bool gi_index_word(const gi_index_text *t, const char *word)
{
    return strlen(word) == (size_t)t->length && strncmp(t->item, word, (size_t)t->length) == 0;
}

static bool gi_read_index_item(gi_index_text *t, gi_index_item *item)
{
    const char *p = t->item, *end = t->item + t->length;
    memset(item, 0, sizeof *item);
    item->step      = 1;
    item->has_start = gi_read_index_number(t, &p, &item->start);
    if (t->failed) return false;
    if (p >= end && item->has_start) return true; /* past the end: the blanks behind it */
    if (gi_index_word(t, "...") || gi_index_word(t, "Ellipsis")) {
        item->kind = GI_INDEX_ELLIPSIS;
        return true;
    }
    if (gi_index_word(t, "newaxis") || gi_index_word(t, "None")) {
        item->kind = GI_INDEX_NEWAXIS;
        return true;
    }
    if (!item->has_start) p = gi_skip_blanks(p);
    if (!item->has_start && *p == '$' && gi_is_digit(p[1])) {
        p++;
        (void)gi_read_index_number(t, &p, &item->start);
        item->kind = GI_INDEX_ARRAY;
        if (p >= end && item->start >= 1 && item->start <= t->arrays) return true;
        gi_index_fail(t, t->arrays > 0 ? "is no index array: they are $1, $2 ... in the order of the list"
                                       : "stands for an index array: ga_index_take(a, (array), .index = \"$1, :\") takes them");
        return false;
    }
    if (*p == ':') {
        item->kind = GI_INDEX_SLICE;
        p++;
        item->has_stop = gi_read_index_number(t, &p, &item->stop);
        if (!item->has_stop) p = gi_skip_blanks(p);
        if (*p == ':') {
            p++;
            if (!gi_read_index_number(t, &p, &item->step)) p = gi_skip_blanks(p);
        }
    }
    if (t->failed) return false;
    if (p < end || item->kind != GI_INDEX_SLICE) {
        gi_index_fail(t, t->names
                             ? "is not an integer or an operand, start:stop:step, ... or newaxis (nothing is computed in an "
                               "index: make k - 1 an operand)"
                             : "is not an integer, start:stop:step, ... or newaxis");
        return false;
    }
    if (item->step == 0) {
        gi_index_fail(t, "has step 0; it may be positive or negative");
        return false;
    }
    if (item->step == INT64_MIN) item->step = -INT64_MAX; /* so that it can be negated */
    return true;
}

enum { GI_MOST_INDEX_ITEMS = 2 * GPUARR_MAX_DIMS + 1 }; /* all axes dropped, as many new ones, and an ellipsis */

/* Splits the text at its commas and reads the items; names: what names in it stand for, or NULL; arrays: how many $1, $2 ... there are. Returns
   the number of items, or -1 with an error. */
static int gi_read_index(const char *site, const char *whole, const gi_index_names *names, int arrays, gi_index_item *items)
{
    gi_index_text t = { site, whole, whole, 0, 0, names, arrays, false };
    const char   *p = whole;
    int           n = 0;
    while (gi_is_blank(*p)) p++;
    while (*p) { /* a comma after the last item is allowed, as in Python */
        while (gi_is_blank(*p)) p++;
        t.item = p;
        while (*p && *p != ',') p++;
        t.length = (int)(p - t.item);
        while (t.length > 0 && gi_is_blank(t.item[t.length - 1])) t.length--;
        t.number = n + 1;
        if (n == GI_MOST_INDEX_ITEMS) {
            gi_index_fail(&t, "is one more than any array can take");
            return -1;
        }
        if (!gi_read_index_item(&t, &items[n++])) return -1;
        if (*p == ',') p++;
        while (gi_is_blank(*p)) p++;
    }
    return n;
}

/* A bound of a slice as Python takes it: negative counts from the end, and what is outside is moved to the end it passed. */
static int64_t gi_slice_bound(int64_t bound, int64_t length, bool backwards)
{
    if (bound < 0) {
        bound += length;
        if (bound < 0) return backwards ? -1 : 0;
    } else if (bound >= length) {
        return backwards ? length - 1 : length;
    }
    return bound;
}

/* Where a slice of an axis starts and how many elements it has. */
static int64_t gi_slice_length(const gi_index_item *item, int64_t length, int64_t *start)
{
    bool    backwards = item->step < 0;
    int64_t first = backwards ? length - 1 : 0, stop = backwards ? -1 : length;
    if (item->has_start) first = gi_slice_bound(item->start, length, backwards);
    if (item->has_stop) stop = gi_slice_bound(item->stop, length, backwards);
    *start = first;
    if (backwards) return first > stop ? (first - stop - 1) / -item->step + 1 : 0;
    return first < stop ? (stop - first - 1) / item->step + 1 : 0;
}

static ga_array *gi_index_with(const char *site, const ga_array *a, const char *text, const gi_index_item *items, int n)
{
    int used = 0, ellipses = 0, result = a->ndim;
    for (int i = 0; i < n; i++) {
        if (items[i].kind == GI_INDEX_ELLIPSIS) ellipses++;
        if (items[i].kind == GI_INDEX_NEWAXIS) result++;
        if (items[i].kind == GI_INDEX_INTEGER) result--;
        if (items[i].kind != GI_INDEX_ELLIPSIS && items[i].kind != GI_INDEX_NEWAXIS) used++;
    }
    if (ellipses > 1)
        return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT, "the index \"%.200s\" has more than one ellipsis", text);
    if (used > a->ndim)
        return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT, "the index \"%.200s\" names %d axes, but the array has %d: shape %s",
                                   text, used, a->ndim, gi_shape_of(a));
    if (result > GPUARR_MAX_DIMS)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "the index \"%.200s\" gives %d dimensions; at most %d are possible",
                                   text, result, GPUARR_MAX_DIMS);
    gi_layout l      = gi_layout_of(a);
    int64_t   offset = 0;
    int       axis = 0, hidden = a->ndim - used; /* the axes that an ellipsis stands for, at the end if there is none */
    l.ndim = 0;
    for (int i = 0; i <= n; i++) {
        if (i == n || items[i].kind == GI_INDEX_ELLIPSIS) {
            for (; hidden > 0; hidden--, axis++) gi_layout_append(&l, a->shape[axis], a->strides[axis]);
            continue;
        }
        const gi_index_item *item = &items[i];
        if (item->kind == GI_INDEX_NEWAXIS) {
            gi_layout_append(&l, 1, 0);
            continue;
        }
        int64_t length = a->shape[axis], stride = a->strides[axis], start = item->start;
        if (item->kind == GI_INDEX_INTEGER || item->kind == GI_INDEX_KEPT) {
            if (start < -length || start >= length)
                return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT,
                                           "index %lld is out of bounds for axis %d with length %lld, in \"%.200s\"",
                                           (long long)start, axis, (long long)length, text);
            if (a->size > 0) offset += (start < 0 ? start + length : start) * stride;
            if (item->kind == GI_INDEX_KEPT) gi_layout_append(&l, 1, stride);
        } else {
            int64_t count = gi_slice_length(item, length, &start), step_bytes;
            if (count > 0 && a->size > 0) offset += start * stride;
            if (__builtin_mul_overflow(stride, item->step, &step_bytes))
                step_bytes = stride; /* one element at most: never used */
            gi_layout_append(&l, count, step_bytes);
        }
        axis++;
    }
    if (offset != 0) l.data += offset; /* that of no elements may be NULL */
    return gi_view_with(site, a, &l);
}

/* Would printf write a number to memory? */
static bool gi_format_writes(const char *text)
{
    while ((text = strchr(text, '%'))) {
        text += 1 + strcspn(text + 1, "%diouxXeEfFgGaAcCsSpmn"); /* what ends a conversion */
        if (*text == 'n') return true;
        if (*text) text++;
    }
    return false;
}

ga_array *(ga_index)(const char *site, const ga_array *a, const char *index, ...)
{
    if (!gi_array_is_alive(site, a, "a")) return NULL;
    if (!index) return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT, "the index is NULL; it is a text such as \"1:-1, ::2\"");
    if (gi_format_writes(index))
        return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT, "the index \"%.200s\" has a %%n, which writes to memory", index);
    char    on_stack[256], *text = on_stack;
    va_list args;
    va_start(args, index);
    int length = vsnprintf(on_stack, sizeof on_stack, index, args);
    va_end(args);
    if (length < 0)
        return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT, "the numbers of the index \"%.200s\" cannot be printed", index);
    size_t room = (size_t)length + 1;
    if (room > sizeof on_stack) {
        text = (char *)gi_mem_alloc(site, room);
        if (!text) return NULL;
        va_start(args, index);
        vsnprintf(text, room, index, args);
        va_end(args);
    }
    gi_index_item items[GI_MOST_INDEX_ITEMS];
    int           n      = gi_read_index(site, text, NULL, 0, items);
    ga_array     *result = n < 0 ? NULL : gi_index_with(site, a, text, items, n);
    if (text != on_stack) gi_mem_release(text, room);
    return result;
}
