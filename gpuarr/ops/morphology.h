/* ==== >>morphology: erosion, dilation, and what is made of them ======================================================= */

ga_array *(ga_generate_binary_structure)(int rank, int connectivity, const char *site)
{
    int64_t shape[GPUARR_MAX_DIMS];
    if (rank > GPUARR_MAX_DIMS)
        return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT, "rank %d: an array has at most %d dimensions", rank, GPUARR_MAX_DIMS);
    if (rank < 0) rank = 0;
    for (int d = 0; d < rank; d++) shape[d] = 3;
    ga_array *r = gi_array_new(site, GA_BOOL, GA_CPU, rank, shape);
    for (int64_t i = 0; r && i < r->size; i++) {
        int away = 0;
        for (int64_t rest = i, d = 0; d < rank; d++, rest /= 3) away += rest % 3 != 1;
        ((uint8_t *)r->data)[i] = away <= (connectivity > 1 ? connectivity : 1);
    }
    return gi_copy_to_default_device(site, r);
}

/* ---- binary erosion on the CPU ----------------------------------------------------------------------------------------- */
/*  The elements lie in a padded copy, so that a neighbour is a distance in it. A dilation is an erosion of what is not there. While many
    elements change, all are computed again; then only the neighbours of those that have changed.                               */

enum {
    GI_FROZEN      = 0x80, /* outside, or where the mask is false */
    GI_ERODE_BLOCK = 8192, /* elements of a row at once */
    GI_ERODE_OFTEN = 64    /* passes from which on it may be worth while to see whether they repeat */
};

typedef struct gi_erosion {
    bool           dilate, border;
    int            ndim;
    int64_t        shape[GPUARR_MAX_DIMS], strides[GPUARR_MAX_DIMS], first; /* of the padded copy */
    int64_t        blocks, rows, cells;                                     /* blocks of a row */
    const uint8_t *in, *mask;
    uint8_t       *now, *next, *out;
    int64_t       *offsets, count; /* of the true elements of the structure */
    int64_t        changed;
} gi_erosion;

GI_BEGIN_FAST
/* Where a block lies in the array and in the padded copy, and how long it is. */
static int64_t gi_erosion_block(const gi_erosion *e, int64_t unit, int64_t *plain, int64_t *padded)
{
    int64_t at[GPUARR_MAX_DIMS] = { 0 }, row = unit / e->blocks, x = unit % e->blocks * GI_ERODE_BLOCK,
            n = e->shape[e->ndim - 1];
    gi_unravel(row, e->ndim - 1, e->shape, at);
    *plain  = row * n + x;
    *padded = e->first + gi_offset_at(e->ndim - 1, at, e->strides) + x;
    return n - x < GI_ERODE_BLOCK ? n - x : (int64_t)GI_ERODE_BLOCK;
}

static void gi_erosion_load(int64_t begin, int64_t end, void *job)
{
    const gi_erosion *e = (const gi_erosion *)job;
    for (int64_t unit = begin, from, to; unit < end; unit++) {
        int64_t n = gi_erosion_block(e, unit, &from, &to);
        for (int64_t i = 0; i < n; i++) e->now[to + i] = (e->in[from + i] != 0) ^ (uint8_t)e->dilate;
        for (int64_t i = 0; e->mask && i < n; i++) e->now[to + i] |= e->mask[from + i] ? 0 : GI_FROZEN;
    }
}

static void gi_erosion_store(int64_t begin, int64_t end, void *job)
{
    const gi_erosion *e = (const gi_erosion *)job;
    for (int64_t unit = begin, from, to; unit < end; unit++) {
        int64_t n = gi_erosion_block(e, unit, &to, &from);
        for (int64_t i = 0; i < n; i++) e->out[to + i] = (e->now[from + i] & 1) ^ (uint8_t)e->dilate;
    }
}

static void gi_erosion_pass(int64_t begin, int64_t end, void *job)
{
    gi_erosion *e       = (gi_erosion *)job;
    int64_t     changed = 0;
    for (int64_t unit = begin, plain, at; unit < end; unit++) {
        int64_t        n = gi_erosion_block(e, unit, &plain, &at), k = e->count % 4;
        const uint8_t *now = e->now + at;
        uint8_t       *out = e->next + at;
        memset(out, 1, (size_t)n);
        for (int64_t j = 0; j < k; j++)
            for (int64_t i = 0; i < n; i++) out[i] &= now[e->offsets[j] + i];
        for (; k < e->count; k += 4) {
            const uint8_t *a = now + e->offsets[k], *b = now + e->offsets[k + 1], *c = now + e->offsets[k + 2],
                          *d = now + e->offsets[k + 3];
            for (int64_t i = 0; i < n; i++) out[i] &= a[i] & b[i] & c[i] & d[i];
        }
        int64_t differ = 0;
        for (int64_t i = 0; i < n; i++) {
            out[i] = now[i] >= GI_FROZEN ? now[i] : out[i];
            differ += out[i] != now[i];
        }
        changed += differ;
    }
    __atomic_fetch_add(&e->changed, changed, __ATOMIC_RELAXED);
}

/* The passes that are left (or all), from one element that has changed to the next. The structure has its middle: an element changes once. */
static bool gi_erosion_spread(const char *site, gi_erosion *e, int64_t left, bool all)
{
    int64_t  room = e->changed, head = 0, tail = 0, at, plain;
    uint8_t *now = e->now;
    for (int64_t i = 0; i < e->cells; i++) room += now[i] == 1;
    int64_t *queue = (int64_t *)gi_mem_alloc(site, (size_t)room * sizeof *queue);
    if (!queue) return false;
    for (int64_t unit = 0; unit < e->rows * e->blocks; unit++) {
        int64_t n = gi_erosion_block(e, unit, &plain, &at);
        for (int64_t i = at; i < at + n; i++)
            if (now[i] != e->next[i]) queue[tail++] = i;
    }
    for (int64_t level = tail; head < tail && (all || left > 0); level = tail, left--)
        for (; head < level; head++)
            for (int64_t k = 0; k < e->count; k++) {
                int64_t i = queue[head] - e->offsets[k];
                if (now[i] != 1) continue;
                now[i]        = 0;
                queue[tail++] = i;
            }
    gi_mem_release(queue, (size_t)room * sizeof *queue);
    return true;
}
GI_END_FAST

/* Is it as it was some passes ago, after k of them? Then it will be so again and again, and *left, which are still to come, become
   fewer than lie between. Compared with what was there after 64, 128, 256 ... passes, which is kept. */
static void gi_erosion_repeats(const gi_erosion *e, uint8_t *kept, int64_t *kept_at, int64_t k, int64_t *left)
{
    if (*kept_at > 0 && memcmp(kept, e->now, (size_t)e->cells) == 0) *left %= k - *kept_at;
    if (k < GI_ERODE_OFTEN || (k & (k - 1)) != 0) return;
    memcpy(kept, e->now, (size_t)e->cells);
    *kept_at = k;
}

static bool gi_erosion_run(const char *site, gi_erosion *e, int64_t iterations, bool middle)
{
    const bool all = iterations < 1, often = !middle && iterations > GI_ERODE_OFTEN;
    uint8_t   *kept = often ? (uint8_t *)gi_mem_alloc(site, (size_t)e->cells) : NULL;
    int64_t    left = all ? 1 : iterations, kept_at = 0;
    bool       done = kept || !often;
    memset(e->now, GI_FROZEN | (int)(e->border ^ e->dilate), (size_t)e->cells);
    memset(e->next, GI_FROZEN | (int)(e->border ^ e->dilate), (size_t)e->cells);
    if (done)
        gi_parallel_bytes((double)e->cells, e->rows * e->blocks, 1 + 16384 / (e->cells / e->rows + 1), gi_erosion_load, e);
    for (int64_t k = 1; done && left > 0; k++) {
        uint8_t *before = e->now;
        e->changed      = 0;
        gi_parallel_bytes((double)e->cells * (double)(e->count + 2), e->rows * e->blocks, 1 + 16384 / (e->cells / e->rows + 1),
                          gi_erosion_pass, e);
        e->now  = e->next;
        e->next = before;
        left -= !all;
        if (e->changed == 0) break;
        if (often) gi_erosion_repeats(e, kept, &kept_at, k, &left);
        if (!middle || e->changed > e->cells / 32 || left == 0) continue;
        done = gi_erosion_spread(site, e, left, all);
        break;
    }
    if (kept) gi_mem_release(kept, (size_t)e->cells);
    if (done)
        gi_parallel_bytes((double)e->cells, e->rows * e->blocks, 1 + 16384 / (e->cells / e->rows + 1), gi_erosion_store, e);
    return done;
}

/* in, mask and structure are packed and on the CPU. lead: how many elements of the structure lie before its middle. */
static ga_array *gi_erode(const char *site, gi_erosion *e, const ga_array *in, const ga_array *mask, const ga_array *structure,
                          const int64_t *lead, int64_t iterations)
{
    int64_t at[GPUARR_MAX_DIMS] = { 0 }, middle = 0;
    e->ndim     = in->ndim > 0 ? in->ndim : 1;
    e->shape[0] = e->cells = 1;
    for (int d = e->ndim - 1; d >= 0; d--) {
        int64_t n = in->ndim > 0 ? structure->shape[d] : 1, low = in->ndim > 0 ? lead[d] : 0,
                most = low > n - 1 - low ? low : n - 1 - low;
        if (in->ndim > 0) e->shape[d] = in->shape[d];
        e->strides[d] = e->cells;
        e->first += most * e->cells;
        if (__builtin_mul_overflow(e->cells, e->shape[d] + 2 * most, &e->cells) || e->cells > INT64_MAX / 16)
            return (ga_array *)gi_fail(site, GA_NO_MEMORY,
                                       "an array of shape %s with a structure of shape %s around it is too large",
                                       gi_shape_of(in), gi_shape_of(structure));
    }
    ga_array *out   = gi_array_new(site, GA_BOOL, GA_CPU, in->ndim, in->shape);
    size_t    bytes = (size_t)structure->size * sizeof *e->offsets;
    bool      done  = out && out->size == 0;
    e->offsets      = out && !done ? (int64_t *)gi_mem_alloc(site, bytes) : NULL;
    e->now          = e->offsets ? (uint8_t *)gi_mem_alloc(site, (size_t)(2 * e->cells)) : NULL;
    uint8_t *both   = e->now;
    if (both) {
        e->next   = both + e->cells;
        e->in     = (const uint8_t *)in->data;
        e->mask   = mask ? (const uint8_t *)mask->data : NULL;
        e->out    = (uint8_t *)out->data;
        e->blocks = (e->shape[e->ndim - 1] + GI_ERODE_BLOCK - 1) / GI_ERODE_BLOCK;
        e->rows   = out->size / e->shape[e->ndim - 1];
        for (int64_t k = 0; k < structure->size; k++) {
            if (!((const uint8_t *)structure->data)[k]) continue;
            gi_unravel(k, structure->ndim, structure->shape, at);
            int64_t offset = gi_offset_at(structure->ndim, at, e->strides) - gi_offset_at(structure->ndim, lead, e->strides);
            middle += memcmp(at, lead, (size_t)structure->ndim * sizeof *at) == 0;
            e->offsets[e->count++] = e->dilate ? -offset : offset;
        }
        done = gi_erosion_run(site, e, iterations, middle > 0);
        gi_mem_release(both, (size_t)(2 * e->cells));
    }
    if (e->offsets) gi_mem_release(e->offsets, bytes);
    if (done) return out;
    ga_free(out);
    return NULL;
}

/* ---- binary erosion everywhere ------------------------------------------------------------------------------------------ */

/* Of a dilation: the structure is mirrored, and so is its origin. */
static void gi_mirror_origin(ga_shape *origin, int ndim, const int64_t *size)
{
    int64_t mirrored[GPUARR_MAX_DIMS];
    for (int d = 0; d < ndim; d++) {
        const int64_t at = gi_option_for_axis(origin, d);
        mirrored[d]      = (at == INT64_MIN ? INT64_MAX : -at) - (size[d] % 2 == 0); /* either is beyond any structure */
    }
    memcpy(origin->n, mirrored, sizeof mirrored);
    origin->ndim = ndim;
}

static ga_array *gi_do_flip(const gi_composition *c, const ga_array *a)
{
    ga_axes_options o = ga_axes_defaults;
    o.site            = c->site;
    return a && a->ndim > 0 ? (ga_flip)(a, o) : (ga_view)(a, c->site);
}

/* By the filters of minima and maxima. */
static ga_array *gi_erode_by_filters(const gi_composition *c, const ga_array *a, const ga_array *structure, bool dilate,
                                     const ga_binary_options *o)
{
    const gi_rank_rule rule = { dilate ? GI_RANK_GREATEST : GI_RANK_LEAST, 0, 0 };
    ga_window_options  w    = ga_window_defaults;
    w.site                  = c->site;
    w.border                = GA_BORDER_CONSTANT;
    w.cval                  = o->border_value;
    w.origin                = o->origin;
    w.out                   = NULL;
    w.footprint             = dilate ? gi_do_flip(c, structure) : structure;
    if (dilate) gi_mirror_origin(&w.origin, a->ndim, structure->shape);
    const ga_array *any  = gi_do_fold(c, (ga_any), structure, GA_AXIS_DEFAULT, false);
    double          some = 0; /* else all is eroded to true, or dilated to false */
    if (!any || !gi_item_as(c->site, any, NULL, GA_F64, &some)) return NULL;
    if (o->mask) a = GI_DO_2(c, not_equal, a, 0); /* what it leaves is 0 or 1, too */
    for (int64_t k = 0; a && (o->iterations < 1 || k < o->iterations); k++) {
        ga_array *r = some != 0 ? gi_rank_filter(a, &rule, 0, &w)
                      : dilate  ? GI_DO_2(c, logical_and, a, 0)
                                : GI_DO_2(c, logical_or, a, 1);
        if (o->mask) r = r ? GI_DO_WHERE(c, o->mask, r, a) : NULL;
        const ga_array *differs = NULL;
        double          changed = 1;
        if (o->iterations < 1 && r) differs = gi_do_fold(c, (ga_any), GI_DO_2(c, not_equal, a, r), GA_AXIS_DEFAULT, false);
        if (o->iterations < 1 && (!differs || !gi_item_as(c->site, differs, NULL, GA_F64, &changed))) return NULL;
        a = r;
        if (changed == 0) break;
    }
    return (ga_array *)(uintptr_t)a;
}

static bool gi_binary_fits(const ga_array *a, const ga_binary_options *o, gi_correlation *place)
{
    const char     *site   = o->site;
    const ga_array *all[4] = { a, o->structure, o->mask, o->out };
    ga_shape        sizes;
    sizes.ndim = 0;
    if (!gi_array_check_any(site, a, "a") || (o->structure && !gi_array_check(site, o->structure, ".structure")) ||
        (o->mask && !gi_array_check_any(site, o->mask, ".mask")) || (o->out && !gi_array_check(site, o->out, ".out")) ||
        gi_common_device(site, 4, all) == GA_DEVICE_DEFAULT)
        return false;
    if (gi_is_complex(a->dtype))
        gi_fail(site, GA_BAD_DTYPE, "a is %s: give what is true of it, as in ga_not_equal(a, 0)", ga_dtype_name(a->dtype));
    else if (o->mask && !ga_same_shape(a, o->mask))
        gi_fail(site, GA_BAD_SHAPE, "a has shape %s, .mask %s", gi_shape_of(a), gi_shape_of(o->mask));
    else if (o->structure && o->structure->ndim != a->ndim)
        gi_fail(site, GA_BAD_SHAPE, ".structure has %d dimensions, the array %d", o->structure->ndim, a->ndim);
    else if (o->iterations < 1 && (gi_is_deferred(a) || (o->mask && gi_is_deferred(o->mask))))
        gi_fail(site, GA_BAD_ARGUMENT,
                "a or .mask is chunked: how often it must be read is not known; compute it first with ga_compute");
    else return gi_place_window(site, a, o->structure ? 0 : 3, &sizes, o->structure, &o->origin, place);
    return false;
}

/* The result as bool: dilated where `dilate` says so. o has passed gi_options_binary. */
static ga_array *gi_binary(const ga_array *a, bool dilate, const ga_binary_options *o)
{
    gi_correlation place;
    gi_composition c;
    memset(&place, 0, sizeof place);
    if (!gi_binary_fits(a, o, &place)) return NULL;
    gi_compose_begin(&c, o->site);
    ga_array *structure = o->structure ? gi_copy_contiguous(o->site, o->structure, GA_BOOL)
                                       : gi_copy_to(o->site, (ga_generate_binary_structure)(a->ndim, 1, o->site), a->device),
             *in = structure ? gi_copy_convert(o->site, a, GA_BOOL) : NULL, *cpu = NULL, *r = NULL;
    if (in) cpu = gi_copy_on_cpu(o->site, structure);
    int64_t lead[GPUARR_MAX_DIMS] = { 0 }, middle = 0;
    for (int d = 0; d < a->ndim; d++) {
        lead[d] = -place.offset[d];
        middle  = cpu ? middle * cpu->shape[d] + lead[d] : 0;
    }
    if (cpu && o->iterations < 1 && !((const uint8_t *)cpu->data)[middle])
        gi_fail(o->site, GA_BAD_ARGUMENT,
                "until nothing changes: the middle of .structure must be true, else this may not end");
    else if (cpu && (gi_is_deferred(a) || (o->mask && gi_is_deferred(o->mask)) || a->device == GA_CUDA))
        r = gi_erode_by_filters(&c, in, structure, dilate, o);
    else if (cpu) {
        ga_array  *mask = o->mask ? gi_copy_contiguous(o->site, o->mask, GA_BOOL) : NULL;
        gi_erosion e;
        memset(&e, 0, sizeof e);
        e.dilate = dilate;
        e.border = o->border_value;
        if (mask || !o->mask) r = gi_erode(o->site, &e, in, mask, structure, lead, o->iterations);
    }
    r = r ? gi_copy_finish(o->site, gi_compose_keep(&c, r), GA_BOOL, o->out) : NULL;
    return gi_compose_end(&c, r);
}

ga_array *(ga_binary_erosion)(const ga_array *a, ga_binary_options o)
{
    return gi_options_binary(&o) ? gi_binary(a, false, &o) : NULL;
}
ga_array *(ga_binary_dilation)(const ga_array *a, ga_binary_options o)
{
    return gi_options_binary(&o) ? gi_binary(a, true, &o) : NULL;
}

/* A dilation of an erosion, or the other way round. */
static ga_array *gi_binary_twice(const ga_array *a, bool dilate, const ga_binary_options *o)
{
    ga_binary_options first = *o;
    first.out               = NULL;
    ga_array *between       = gi_binary(a, dilate, &first);
    ga_array *r             = between ? gi_binary(between, !dilate, o) : NULL;
    ga_free(between);
    return r;
}
ga_array *(ga_binary_opening)(const ga_array *a, ga_binary_options o)
{
    return gi_options_binary(&o) ? gi_binary_twice(a, false, &o) : NULL;
}
ga_array *(ga_binary_closing)(const ga_array *a, ga_binary_options o)
{
    return gi_options_binary(&o) ? gi_binary_twice(a, true, &o) : NULL;
}

/* Those that go on until nothing changes. */
static bool gi_binary_endless(ga_binary_options *o)
{
    if (!gi_options_binary(o)) return false;
    if (o->iterations != 1) return gi_fail(o->site, GA_BAD_ARGUMENT, ".iterations: it goes on until nothing changes") != NULL;
    o->iterations = 0;
    return true;
}
ga_array *(ga_binary_propagation)(const ga_array *a, ga_binary_options o)
{
    return gi_binary_endless(&o) ? gi_binary(a, true, &o) : NULL;
}

/* What cannot be reached from outside. */
ga_array *(ga_binary_fill_holes)(const ga_array *a, ga_binary_options o)
{
    if (!gi_binary_endless(&o) || !gi_array_check(o.site, a, "a")) return NULL;
    if (o.mask || o.border_value)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT,
                                   ".mask and .border_value: the mask is what is not in a, outside is 1");
    gi_composition c;
    gi_compose_begin(&c, o.site);
    ga_binary_options reach = o;
    reach.mask              = GI_DO_1(&c, logical_not, a);
    reach.border_value      = true;
    reach.out               = NULL;
    ga_array *nothing       = (ga_zeros_like)(a, gi_new_on(o.site, GA_BOOL, GA_DEVICE_DEFAULT));
    ga_array *reached       = reach.mask && nothing ? gi_binary(nothing, true, &reach) : NULL;
    ga_array *r             = GI_DO_1(&c, logical_not, reached);
    return gi_compose_end(&c, gi_copy_finish(o.site, gi_compose_keep(&c, r), GA_BOOL, o.out));
}

ga_array *(ga_binary_hit_or_miss)(const ga_array *a, ga_hit_options o)
{
    if (!gi_options_hit(&o) || !gi_array_check_any(o.site, a, "a")) return NULL;
    gi_composition c;
    gi_compose_begin(&c, o.site);
    ga_binary_options hit = ga_binary_defaults, miss;
    hit.site              = o.site;
    hit.mask = hit.out = NULL;
    hit.structure =
        o.structure1 ? o.structure1 : gi_copy_to(o.site, (ga_generate_binary_structure)(a->ndim, 1, o.site), a->device);
    hit.origin        = o.origin1;
    miss              = hit;
    miss.structure    = o.structure2 ? o.structure2 : GI_DO_1(&c, logical_not, hit.structure);
    miss.border_value = true;
    if (o.origin2.ndim > 0) miss.origin = o.origin2;
    ga_array *there = hit.structure && miss.structure ? gi_binary(a, false, &hit) : NULL;
    ga_array *empty = there ? GI_DO_1(&c, logical_not, a) : NULL, *apart = empty ? gi_binary(empty, false, &miss) : NULL;
    ga_array *r = GI_DO_2(&c, logical_and, there, apart);
    return gi_compose_end(&c, gi_copy_finish(o.site, gi_compose_keep(&c, r), GA_BOOL, o.out));
}

ga_array *(ga_iterate_structure)(const ga_array *structure, int64_t iterations, const char *site)
{
    if (!gi_array_check(site, structure, "structure")) return NULL;
    if (iterations < 2 || structure->ndim == 0) return (ga_copy)(structure, site);
    ga_pad_options    pad = ga_pad_defaults;
    ga_binary_options o   = ga_binary_defaults;
    ga_shape          before;
    pad.site = o.site = site;
    before.ndim = pad.after.ndim = structure->ndim;
    for (int d = 0; d < structure->ndim; d++) {
        int64_t n = structure->shape[d], all;
        if (n == 0 || __builtin_mul_overflow(iterations, n, &all))
            return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT, "structure has shape %s: it cannot be iterated %lld times",
                                       gi_shape_of(structure), (long long)iterations);
        before.n[d]    = (iterations - 1) * (n / 2);
        pad.after.n[d] = (iterations - 1) * (n - 1 - n / 2);
    }
    gi_composition c;
    gi_compose_begin(&c, site);
    o.structure  = structure;
    o.iterations = iterations - 1;
    o.mask = o.out = NULL;
    ga_array *wide = gi_copy_convert(site, structure, GA_BOOL), *padded = wide ? (ga_pad)(wide, before, pad) : NULL;
    return gi_compose_end(&c, padded ? gi_binary(padded, true, &o) : NULL);
}

/* ---- grey morphology ------------------------------------------------------------------------------------------------------ */

/* A structure or footprint on the CPU, mirrored or not. */
static ga_array *gi_grey_cells(const gi_composition *c, const ga_array *cells, bool mirrored, ga_dtype dtype)
{
    ga_array *turned = mirrored ? gi_do_flip(c, cells) : (ga_view)(cells, c->site);
    ga_array *packed = turned ? gi_copy_convert(c->site, turned, dtype) : NULL;
    return packed ? gi_copy_on_cpu(c->site, packed) : NULL;
}

/* a as float64, with as many elements around it as windows of this size reach over its edges. */
static ga_array *gi_do_surround(const gi_composition *c, const ga_array *a, const int64_t *size, const ga_shape *origin,
                                ga_border border, double cval)
{
    static const ga_pad_mode modes[5] = { GA_PAD_SYMMETRIC, GA_PAD_CONSTANT, GA_PAD_EDGE, GA_PAD_REFLECT, GA_PAD_WRAP };
    ga_pad_options           pad      = ga_pad_defaults;
    ga_shape                 before;
    memset(&before, 0, sizeof before);
    pad.site    = c->site;
    pad.mode    = a->size > 0 ? modes[border] : GA_PAD_CONSTANT;
    pad.value   = cval;
    before.ndim = pad.after.ndim = a->ndim;
    for (int d = 0; d < a->ndim; d++) {
        before.n[d]    = size[d] / 2 + gi_option_for_axis(origin, d);
        pad.after.n[d] = size[d] - 1 - before.n[d];
    }
    ga_array *in = gi_copy_convert(c->site, a, GA_F64);
    return in && a->ndim > 0 ? (ga_pad)(in, before, pad) : in;
}

/* The least (or greatest) sum of a and -structure (or structure, mirrored), of the elements that the footprint has. */
static ga_array *gi_grey_sums(const gi_composition *c, const ga_array *a, bool dilate, const ga_grey_options *o)
{
    const char     *site    = c->site;
    const ga_array *both[2] = { a, o->structure };
    gi_correlation  place;
    ga_shape        origin = o->origin, sizes;
    memset(&place, 0, sizeof place);
    memset(&sizes, 0, sizeof sizes);
    if (gi_common_device(site, 2, both) == GA_DEVICE_DEFAULT || !gi_conv_check_border(site, o->border) ||
        !gi_place_window(site, a, 0, &sizes, o->structure, &o->origin, &place))
        return NULL;
    if (o->footprint && !ga_same_shape(o->footprint, o->structure))
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE, ".footprint has shape %s, .structure %s", gi_shape_of(o->footprint),
                                   gi_shape_of(o->structure));
    if (gi_is_complex(a->dtype) || gi_is_complex(o->structure->dtype))
        return (ga_array *)gi_fail(site, GA_BAD_DTYPE,
                                   "complex numbers have no order: take the real part, or the absolute value");
    ga_array *heights = gi_grey_cells(c, o->structure, dilate, GA_F64),
             *cells   = o->footprint ? gi_grey_cells(c, o->footprint, dilate, GA_BOOL) : NULL;
    if (dilate) gi_mirror_origin(&origin, a->ndim, place.size);
    ga_array *wide = gi_do_surround(c, a, place.size, &origin, o->border, o->cval), *best = NULL;
    if (!wide || !heights || (o->footprint && !cells)) return NULL;
    for (int64_t k = 0, at[GPUARR_MAX_DIMS]; k < heights->size; k++) {
        if (cells && !((const uint8_t *)cells->data)[k]) continue;
        double    height = ((const double *)heights->data)[k];
        ga_array *part   = (ga_view)(wide, site);
        gi_unravel(k, a->ndim, heights->shape, at);
        for (int d = 0; d < a->ndim; d++) part = gi_do_part(c, part, d, at[d], a->shape[d]);
        ga_array *sum = GI_DO_2(c, add, part, dilate ? height : -height);
        best          = !best ? sum : dilate ? GI_DO_2(c, maximum, best, sum) : GI_DO_2(c, minimum, best, sum);
        if (best != sum) ga_free(sum);
        if (!best) return NULL;
    }
    if (!best) gi_fail(site, GA_BAD_ARGUMENT, ".footprint has no true element");
    return best ? gi_copy_convert(site, best, a->dtype) : NULL;
}

/* By the filters of minima and maxima, where the structure is flat. out: written in the end. */
static ga_array *gi_grey(const ga_array *a, int64_t size, bool dilate, const ga_grey_options *o, ga_array *out)
{
    if (!gi_array_check_any(o->site, a, "a") || (o->footprint && !gi_array_check(o->site, o->footprint, ".footprint")) ||
        (o->structure && !gi_array_check(o->site, o->structure, ".structure")))
        return NULL;
    if (o->structure && (size != 0 || o->sizes.ndim > 0))
        return (ga_array *)gi_fail(o->site, GA_BAD_ARGUMENT, "the window is given twice: with .structure the size must be 0");
    const gi_rank_rule rule = { dilate ? GI_RANK_GREATEST : GI_RANK_LEAST, 0, 0 };
    ga_window_options  w    = ga_window_defaults;
    gi_composition     c;
    int64_t            n[GPUARR_MAX_DIMS];
    gi_compose_begin(&c, o->site);
    ga_array *r  = NULL;
    bool      ok = gi_option_fits_axes(o->site, "origin", &o->origin, a->ndim);
    if (ok && o->structure) {
        r = gi_grey_sums(&c, a, dilate, o);
        r = r ? gi_copy_finish(o->site, gi_compose_keep(&c, r), a->dtype, out) : NULL;
    } else if (ok) {
        w.site      = o->site;
        w.footprint = o->footprint && dilate ? gi_do_flip(&c, o->footprint) : o->footprint;
        w.out       = out;
        w.border    = o->border;
        w.cval      = o->cval;
        w.sizes     = o->sizes;
        w.origin    = o->origin;
        for (int d = 0; d < a->ndim; d++)
            n[d] = o->footprint && d < o->footprint->ndim ? o->footprint->shape[d] : o->sizes.ndim > d ? o->sizes.n[d] : size;
        if (dilate) gi_mirror_origin(&w.origin, a->ndim, n);
        if (w.footprint || !o->footprint) r = gi_rank_filter(a, &rule, size, &w);
    }
    return gi_compose_end(&c, r);
}

ga_array *(ga_grey_erosion)(const ga_array *a, int64_t size, ga_grey_options o)
{
    return gi_options_grey(&o) ? gi_grey(a, size, false, &o, o.out) : NULL;
}
ga_array *(ga_grey_dilation)(const ga_array *a, int64_t size, ga_grey_options o)
{
    return gi_options_grey(&o) ? gi_grey(a, size, true, &o, o.out) : NULL;
}

static ga_array *gi_grey_twice(const ga_array *a, int64_t size, bool dilate, const ga_grey_options *o, ga_array *out)
{
    ga_array *between = gi_grey(a, size, dilate, o, NULL), *r = between ? gi_grey(between, size, !dilate, o, out) : NULL;
    ga_free(between);
    return r;
}
ga_array *(ga_grey_opening)(const ga_array *a, int64_t size, ga_grey_options o)
{
    return gi_options_grey(&o) ? gi_grey_twice(a, size, false, &o, o.out) : NULL;
}
ga_array *(ga_grey_closing)(const ga_array *a, int64_t size, ga_grey_options o)
{
    return gi_options_grey(&o) ? gi_grey_twice(a, size, true, &o, o.out) : NULL;
}

/* The difference of two results; NULL if one of them is. Of bool, where `odd`: where they differ. */
static ga_array *gi_grey_difference(const gi_composition *c, const ga_array *x, const ga_array *y, bool odd, ga_array *out)
{
    ga_array *r = odd && x && x->dtype == GA_BOOL ? GI_DO_2(c, bitwise_xor, x, y) : GI_DO_2(c, subtract, x, y);
    return r ? gi_copy_finish(c->site, gi_compose_keep(c, r), r->dtype, out) : NULL;
}
ga_array *(ga_morphological_gradient)(const ga_array *a, int64_t size, ga_grey_options o)
{
    if (!gi_options_grey(&o)) return NULL;
    gi_composition c;
    gi_compose_begin(&c, o.site);
    ga_array *high = gi_grey(a, size, true, &o, NULL), *low = high ? gi_grey(a, size, false, &o, NULL) : NULL;
    return gi_compose_end(&c, gi_grey_difference(&c, high, low, false, o.out));
}
ga_array *(ga_morphological_laplace)(const ga_array *a, int64_t size, ga_grey_options o)
{
    if (!gi_options_grey(&o)) return NULL;
    gi_composition c;
    gi_compose_begin(&c, o.site);
    ga_array *high = gi_grey(a, size, true, &o, NULL), *low = high ? gi_grey(a, size, false, &o, NULL) : NULL;
    ga_array *sum = GI_DO_2(&c, add, high, low), *once = sum ? GI_DO_2(&c, subtract, sum, a) : NULL;
    return gi_compose_end(&c, once ? gi_grey_difference(&c, once, a, false, o.out) : NULL);
}
ga_array *(ga_white_tophat)(const ga_array *a, int64_t size, ga_grey_options o)
{
    if (!gi_options_grey(&o)) return NULL;
    gi_composition c;
    gi_compose_begin(&c, o.site);
    ga_array *opened = gi_grey_twice(a, size, false, &o, NULL);
    return gi_compose_end(&c, opened ? gi_grey_difference(&c, a, opened, true, o.out) : NULL);
}
ga_array *(ga_black_tophat)(const ga_array *a, int64_t size, ga_grey_options o)
{
    if (!gi_options_grey(&o)) return NULL;
    gi_composition c;
    gi_compose_begin(&c, o.site);
    ga_array *closed = gi_grey_twice(a, size, true, &o, NULL);
    return gi_compose_end(&c, closed ? gi_grey_difference(&c, closed, a, true, o.out) : NULL);
}
