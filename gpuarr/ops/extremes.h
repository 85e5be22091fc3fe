/* ---- where the extremes are --------------------------------------------------------------------------------------------- */
/*  The first of the largest (or smallest) elements, or the first NaN. A line is searched in segments: each block is folded as by the
    row above, then the first block with the best extreme is looked through. Of lines side by side some rows are folded, and looked
    through where that is better than all before.                                                                             */

#define GI_SEGMENT_BLOCKS 64     /* of a line */
#define GI_SEGMENT_ROWS   512    /* at least, of lines side by side, */
#define GI_SEARCH_WIDTH   2048   /* so many at once */
#define GI_SEARCH_LEAST   64     /* and not fewer */
enum { GI_SEARCH_TOGETHER = 8 }; /* rows, as a fold takes them */

typedef struct gi_search {
    gi_lines       lines;
    gi_fold        fold; /* of the extremes */
    gi_kernel      less_equal;
    gi_locate_loop locate;                     /* or NULL */
    gi_place_loop  place;                      /* of a segment; or NULL */
    bool           largest, skip_nan, nothing; /* nothing but NaN is left */
    int64_t        columns, width;             /* of lines side by side */
    int64_t        segment, segments;          /* elements of one, segments of a line */
    char          *extremes;        /* of each segment: those of a line side by side, or of `columns` lines in turn */
    int64_t       *places, *result; /* the same, and no extremes are kept, where a line is one segment */
} gi_search;

static bool gi_is_nan(const gi_search *r, const void *x)
{
    bool equals_itself;
    r->less_equal(1, &equals_itself, x, x, NULL);
    return !equals_itself;
}

static bool gi_search_is_better(const gi_search *r, const void *x, const void *best)
{
    switch (r->lines.dtype) {
#define GI_CASE(TAG, tag, T, name)                                                                                             \
    case GA_##TAG:                                                                                                             \
        return gi_is_better_##tag(*(const gi_stored_##tag *)x, *(const gi_stored_##tag *)best, r->largest, r->skip_nan);
        GI_EACH_DTYPE(GI_CASE)
#undef GI_CASE
    default: return false;
    }
}

/* The same of the rows of a panel: `extremes` are those of each line in these rows, or the only row. */
static void gi_take_better(const gi_search *r, const gi_panel *v, const void *extremes, const void *const *rows, int count,
                           void *best, int64_t *places, int64_t k)
{
    bool no_better[GI_SEARCH_WIDTH];
    r->less_equal(v->count, no_better, r->largest ? extremes : best, r->largest ? best : extremes, NULL);
    switch (r->lines.dtype) {
#define GI_CASE(TAG, tag, T, name)                                                                                             \
    case GA_##TAG:                                                                                                             \
        gi_take_better_##tag(v->count, no_better, (const gi_stored_##tag *)extremes, rows, count, (gi_stored_##tag *)best,     \
                             places, k, r->largest, r->skip_nan);                                                              \
        break;
        GI_EACH_DTYPE(GI_CASE)
#undef GI_CASE
    default: break;
    }
}

/* Which of n packed elements is the first that equals x? There is one; NaN is looked for as NaN. */
static int64_t gi_first_equal(const gi_search *r, int64_t n, const void *elements, const void *x)
{
    if (r->locate && n >= 64) { /* equal ones have equal bits, but for zeros; and NaNs are no equals */
        double value = 1;
        if (gi_is_float(r->lines.dtype)) gi_cast(GA_F64, r->lines.dtype, 1, &value, x);
        if (value < 0 || value > 0) return r->locate(n, elements, x);
    }
    switch (r->lines.dtype) {
#define GI_CASE(TAG, tag, T, name)                                                                                             \
    case GA_##TAG: return gi_first_equal_##tag(n, (const gi_stored_##tag *)elements, *(const gi_stored_##tag *)x);
        GI_EACH_DTYPE(GI_CASE)
#undef GI_CASE
    default: return 0;
    }
}

/* A unit is a segment of a line. */
static void gi_search_segments(int64_t begin, int64_t end, void *job)
{
    gi_search      *r = (gi_search *)job;
    const gi_lines *p = &r->lines;
    GI_ARENA(char, raw, (GI_BLOCK + 8) * 16); /* elements, or accumulators of a span */
    __attribute__((aligned(64))) char extremes[2][16];
    const bool                        packed = gi_lies_packed(p);
    const int64_t                     size = ga_itemsize(p->dtype), block = packed ? GI_SPAN : GI_BLOCK;
    const bool                        far   = gi_lies_far(p);
    const int64_t                     ahead = far && gi_cpu_is_intel() ? (int64_t)GI_LINES_AHEAD : 0;
    int64_t                           line = begin / r->segments, first = begin % r->segments * r->segment;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t     best  = first;
        int64_t     stop  = p->length - first < r->segment ? p->length : first + r->segment;
        int64_t     place = -1; /* in the best block; -1: not yet known */
        int         kept  = 0;  /* which of the extremes is that of the best block */
        const void *x     = NULL;
        if (packed && r->place) {
            x     = gi_line_start(p, line) + first * size;
            place = r->place(stop - first, x, r->largest, r->skip_nan, ahead);
            if (place >= 0 && !r->extremes) {
                r->places[unit] = place;
                line++;
                continue;
            }
            if (place >= 0) memcpy(extremes[kept], (const char *)x + place * size, (size_t)size);
        }
        for (int64_t start = first; start < stop && (start > first || place < 0); start += block) {
            int64_t n             = stop - start < block ? stop - start : block;
            x                     = gi_read_line(p, line, start, n, raw, NULL);
            char *const   extreme = extremes[start == first ? kept : 1 - kept];
            const int64_t now     = r->place && !packed ? r->place(n, x, r->largest, r->skip_nan, 0) : -1;
            if (packed) {
                gi_fold_span(&r->fold, n, raw, x, far);
                memcpy(extreme, raw, (size_t)size);
            } else if (now < 0) gi_fold_block(&r->fold, n, extreme, x, false);
            else memcpy(extreme, (const char *)x + now * size, (size_t)size);
            if (start == first) place = now;
            if (start == first || !gi_search_is_better(r, extremes[1 - kept], extremes[kept])) continue;
            kept  = 1 - kept;
            best  = start;
            place = now;
        }
        if (place < 0) {
            int64_t n = stop - best < block ? stop - best : block;
            if (best + block < stop) x = gi_read_line(p, line, best, n, raw, NULL); /* it is not the last one read */
            place = gi_first_equal(r, n, x, extremes[kept]);
        }
        r->places[unit] = best + place;
        if (r->extremes) memcpy(r->extremes + unit * size, extremes[kept], (size_t)size);
        else if (r->skip_nan && gi_is_nan(r, extremes[kept])) __atomic_store_n(&r->nothing, true, __ATOMIC_RELAXED);
        first += r->segment;
        if (first < p->length) continue;
        first = 0;
        line++;
    }
}

/* A unit is a segment of a panel of lines. */
static void gi_search_panels(int64_t begin, int64_t end, void *job)
{
    gi_search      *r = (gi_search *)job;
    const gi_lines *p = &r->lines;
    GI_ARENA(char, raw, GI_PANEL_NARROW * 16);
    GI_ARENA(char, extremes, GI_SEARCH_WIDTH * 8);
    GI_ARENA(char, made, p->maker ? 8 * GI_PANEL_BYTES : 0);
    int64_t     size     = ga_itemsize(p->dtype);
    const bool  together = gi_is_packed_row(p) && r->fold.acc_bytes == size && size <= 8;
    const void *rows[GI_SEARCH_TOGETHER];
    for (int64_t unit = begin; unit < end; unit++) {
        gi_panel v       = gi_panel_block(p, r->columns, r->width, r->segments, r->segment, unit);
        int64_t  segment = v.start / r->segment;
        v.raw            = raw;
        if (p->maker) gi_panel_make(&v, made);
        int64_t  column = v.first % r->columns, to = (v.first - column) * r->segments + segment * r->columns + column;
        char    *best   = r->extremes + to * size;
        int64_t *places = r->places + to;
        memcpy(best, gi_read_row(&v, 0, 0), (size_t)(v.count * size));
        for (int64_t i = 0; i < v.count; i++) places[i] = v.start;
        int64_t k = 1;
        for (; together && k + GI_SEARCH_TOGETHER <= v.n; k += GI_SEARCH_TOGETHER) {
            gi_read_rows(&v, k, 1, GI_SEARCH_TOGETHER, rows);
            r->fold.rows(v.count, extremes, rows, GI_SEARCH_TOGETHER);
            gi_take_better(r, &v, extremes, rows, GI_SEARCH_TOGETHER, best, places, v.start + k);
        }
        for (; k < v.n; k++) {
            rows[0] = gi_read_row(&v, k, 0);
            gi_take_better(r, &v, rows[0], rows, 1, best, places, v.start + k);
        }
    }
}

/* The best segment of each line. */
static void gi_search_lines(int64_t begin, int64_t end, void *job)
{
    gi_search *r    = (gi_search *)job;
    int64_t    size = ga_itemsize(r->lines.dtype), step = r->columns;
    for (int64_t line = begin; line < end; line++) {
        const int64_t column = r->segments > 1 ? line % r->columns : 0;
        int64_t       first = column + (line - column) * r->segments, best = first;
        for (int64_t k = 1; k < r->segments; k++)
            if (gi_search_is_better(r, r->extremes + (first + k * step) * size, r->extremes + best * size))
                best = first + k * step;
        r->result[line] = r->places[best];
        if (r->skip_nan && gi_is_nan(r, r->extremes + best * size)) __atomic_store_n(&r->nothing, true, __ATOMIC_RELAXED);
    }
}

/* The same on the GPU, in one pass. */
static ga_array *gi_search_extreme_on_gpu(const char *name, bool largest, bool skip_nan, const gi_lines *p,
                                          const ga_reduce_options *o)
{
    bool      nothing = false;
    ga_array *places  = gi_array_new(o->site, GA_I64, GA_CUDA, p->result_ndim, p->result_shape);
    bool      ok      = places && gi_gpu->find_places(o->site, largest, skip_nan, p, places, &nothing);
    if (ok && nothing) gi_fail(o->site, GA_BAD_ARGUMENT, "%s of nothing but NaN: there is no index to return", name);
    if (ok && !nothing) return gi_copy_finish(o->site, places, GA_I64, o->out);
    ga_free(places);
    return NULL;
}

/* asked: of min, max, nanmin or nanmax. less_equal: the row of that, of the same set. */
static ga_array *gi_search_extreme(const gi_row *asked, const gi_row *less_equal, const char *name, bool skip_nan,
                                   const ga_array *a, ga_reduce_options o)
{
    if (!gi_array_check_half_any(o.site, a, "a")) return NULL;
    if (gi_half_concerns(a, o.dtype)) {
        ga_dtype  half;
        ga_array *wide = gi_half_widen(o.site, a, &o.dtype, &half);
        return gi_half_end(o.site, wide, wide ? gi_search_extreme(asked, less_equal, name, skip_nan, wide, o) : NULL, o.out,
                           half);
    }
    const gi_row *row = asked; /* or another one that does the same */
    gi_reduction  plan;
    gi_search     r;
    if (!gi_reduce_plan(&row, name, a, &o, &plan)) return NULL;
    if (gi_is_deferred(a)) return gi_deferred()->place(asked, name, skip_nan, a, &o);
    const bool largest = asked->op == GA_OP_max || asked->op == GA_OP_nanmax;
    if (a->device == GA_CUDA) return gi_search_extreme_on_gpu(name, largest, skip_nan, &plan.lines, &o);
    memset(&r, 0, sizeof r);
    r.largest        = largest;
    r.skip_nan       = skip_nan;
    ga_array *places = gi_array_new(o.site, GA_I64, a->device, plan.lines.result_ndim, plan.lines.result_shape);
    if (!places || places->size == 0) return gi_copy_finish(o.site, places, GA_I64, o.out);
    const gi_lines *p    = &plan.lines;
    int64_t         size = ga_itemsize(a->dtype);
    r.lines              = *p;
    r.fold               = plan.fold;
    r.locate             = gi_is_complex(a->dtype) ? NULL : GI_LOOP_OF(locate)((int)size);
    r.place      = gi_lies_packed(p) || p->length <= GI_BLOCK || a->dtype == GA_I64 ? GI_LOOP_OF(place)(a->dtype) : NULL;
    r.less_equal = gi_row_kernel(less_equal, a->dtype);
    r.result     = (int64_t *)places->data;
    r.columns    = gi_lies_packed(p) && r.place && p->length > 2 ? 1 : gi_line_columns(p);
    if (r.columns < GI_SEARCH_LEAST) r.columns = 1;
    r.segment      = GI_SEGMENT_BLOCKS * GI_BLOCK;
    int64_t panels = 0;
    if (r.columns > 1) {
        r.width = gi_is_packed_row(p) ? GI_SEARCH_WIDTH : GI_PANEL_NARROW;
        if (p->maker && r.width * size > GI_PANEL_BYTES) r.width = GI_PANEL_BYTES / size;
        panels         = gi_count_panels(p->lines, r.columns, r.width);
        int64_t wanted = 1 + 4 * ga_get_num_threads() / panels; /* long segments: few elements are better than all before */
        r.segment      = (p->length + wanted - 1) / wanted;
        if (r.segment < GI_SEGMENT_ROWS) r.segment = GI_SEGMENT_ROWS;
    }
    r.segments         = (p->length + r.segment - 1) / r.segment;
    int64_t      count = p->lines * r.segments, work = p->length < r.segment ? p->length : r.segment; /* elements of a unit */
    const bool   direct = r.columns == 1 && r.segments == 1;
    const size_t room   = direct ? 0 : (size_t)(count * (8 + size));
    r.places            = direct ? r.result : (int64_t *)gi_mem_alloc(o.site, room);
    if (!r.places) {
        ga_free(places);
        return NULL;
    }
    r.extremes   = direct ? NULL : (char *)(r.places + count);
    double bytes = gi_lines_bytes(p);
    if (r.columns == 1)
        gi_parallel_bytes(bytes, count, gi_share(count, gi_lines_worth(p, 32768, work)), gi_search_segments, &r);
    else gi_parallel_bytes(bytes, panels * r.segments, gi_lines_worth(p, 65536, r.width * work), gi_search_panels, &r);
    if (!direct) gi_parallel_bytes((double)room, p->lines, 1 + 16384 / r.segments, gi_search_lines, &r);
    if (!direct) gi_mem_release(r.places, room);
    if (r.nothing) {
        ga_free(places);
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "%s of nothing but NaN: there is no index to return", name);
    }
    return gi_copy_finish(o.site, places, GA_I64, o.out);
}

static bool gi_options_search(const char *name, ga_reduce_options *o)
{
    if (!gi_options_reduce(o)) return false;
    if (o->axes.ndim <= 1) return true;
    gi_fail(o->site, GA_BAD_ARGUMENT, "%s works along one axis, or over all of them", name);
    return false;
}

/* A call, with rows of one set: those of ga_argmin here, those of formulas there. */
static ga_array *gi_search_call(const gi_row *asked, const gi_row *less_equal, const ga_array *a, ga_reduce_options o)
{
    const bool  skip_nan = asked->op == GA_OP_nanmin || asked->op == GA_OP_nanmax;
    const char *name     = asked->op == GA_OP_min      ? "ga_argmin"
                           : asked->op == GA_OP_max    ? "ga_argmax"
                           : asked->op == GA_OP_nanmin ? "ga_nanargmin"
                                                       : "ga_nanargmax";
    return gi_options_search(name, &o) ? gi_search_extreme(asked, less_equal, name, skip_nan, a, o) : NULL;
}

ga_array *(ga_argmin)(const ga_array *a, ga_reduce_options o)
{
    return gi_search_call(gi_row_min(), gi_row_less_equal(), a, o);
}
ga_array *(ga_argmax)(const ga_array *a, ga_reduce_options o)
{
    return gi_search_call(gi_row_max(), gi_row_less_equal(), a, o);
}
ga_array *(ga_nanargmin)(const ga_array *a, ga_reduce_options o)
{
    return gi_search_call(gi_row_nanmin(), gi_row_less_equal(), a, o);
}
ga_array *(ga_nanargmax)(const ga_array *a, ga_reduce_options o)
{
    return gi_search_call(gi_row_nanmax(), gi_row_less_equal(), a, o);
}
