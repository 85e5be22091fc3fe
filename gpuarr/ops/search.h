/* ---- searchsorted, digitize, interp ----------------------------------------------------------------------------------- */
/*  The needles are taken 64 at a time. Where they ascend, the places of the first and the last bound those of the others. Few elements between
    are merged with them; more are halved for all needles side by side, so that the processor waits for several elements at once.   */

enum { GI_NEEDLES = 64, GI_NEEDLES_AT_ONCE = 16, GI_NEEDLES_FEW = 8, GI_MERGED = 128 };

GI_BEGIN_FAST
/* The places of `count` needles, at most 16, that lie in low .. low + length. */
static GI_INLINE void gi_bisect_few(const ga_dtype dtype, const bool right, const void *sorted, int64_t low, int64_t length,
                                    int count, const uint64_t *needle, int64_t *place)
{
    for (int k = 0; k < count; k++) place[k] = low;
    while (length > 0) {
        const int64_t half = length - length / 2;
        for (int k = 0; k < count; k++) /* the element that ends the first half */
            place[k] += half & -(int64_t)gi_bisection_before(dtype, right, sorted, place[k] + half - 1, needle[k]);
        length /= 2;
    }
}

/* The places of ascending needles that lie in low .. high. */
static GI_INLINE void gi_merge_few(const ga_dtype dtype, const bool right, const void *sorted, int64_t low, int64_t high,
                                   int count, const uint64_t *needle, int64_t *place)
{
    uint64_t key[GI_MERGED];
    int      k = 0, i = 0;
    for (int64_t at = low; at < high; at++) key[at - low] = gi_bisection_key(dtype, sorted, at);
    const int elements = (int)(high - low);
    while (k < count && i < elements) { /* without a branch on what is less: it would be taken by chance */
        const int before = right ? key[i] <= needle[k] : key[i] < needle[k];
        place[k]         = low + i;
        i += before;
        k += !before;
    }
    for (; k < count; k++) place[k] = high;
}

/* A search on the CPU; loop: that of many needles at once, or NULL. */
typedef struct gi_searching {
    gi_bisection   of;
    gi_bisect_loop loop;
    gi_keys        rule;
} gi_searching;

static GI_INLINE void gi_bisect_block(const ga_dtype dtype, const bool right, const gi_searching *s, int64_t start, int count)
{
    const gi_bisection *b = &s->of;
    uint64_t            needle[GI_NEEDLES];
    int64_t            *place = b->places + start, low = 0, high = b->n;
    int                 descents = 0;
    for (int k = 0; k < count; k++) needle[k] = gi_bisection_key(dtype, b->needles, start + k);
    for (int k = 1; k < count; k++) descents += needle[k] < needle[k - 1];
    if (descents == 0) {
        const uint64_t ends[2] = { needle[0], needle[count - 1] };
        int64_t        at[2];
        gi_bisect_few(dtype, right, b->sorted, 0, b->n, 2, ends, at);
        low  = at[0];
        high = at[1] < at[0] ? at[0] : at[1];
        if (high - low <= GI_MERGED) {
            gi_merge_few(dtype, right, b->sorted, low, high, count, needle, place);
            return;
        }
    }
    if (s->loop && count > GI_NEEDLES_FEW) {
        const char *needles = (const char *)b->needles + start * ga_itemsize(dtype);
        s->loop(&s->rule, right, b->sorted, low, high - low, count, needles, place);
        return;
    }
    for (int k = 0; k < count; k += GI_NEEDLES_AT_ONCE) {
        const int rest = count - k;
        if (rest >= GI_NEEDLES_AT_ONCE)
            gi_bisect_few(dtype, right, b->sorted, low, high - low, GI_NEEDLES_AT_ONCE, needle + k, place + k);
        else gi_bisect_few(dtype, right, b->sorted, low, high - low, rest, needle + k, place + k);
    }
}

static GI_INLINE void gi_bisect_blocks(const ga_dtype dtype, const gi_searching *s, int64_t begin, int64_t end)
{
    const gi_bisection *b = &s->of;
    for (int64_t block = begin; block < end; block++) {
        const int64_t start = block * GI_NEEDLES, rest = b->count - start;
        const int     count = rest < GI_NEEDLES ? (int)rest : GI_NEEDLES;
        if (b->right) gi_bisect_block(dtype, true, s, start, count);
        else gi_bisect_block(dtype, false, s, start, count);
    }
}

/* A function for each dtype: without optimisation, what is inlined has room of its own on the stack. */
#define GI_BISECT_BLOCKS(TAG, tag, T, name)                                                                                    \
    static void gi_bisect_blocks_##tag(const gi_searching *s, int64_t begin, int64_t end)                                      \
    {                                                                                                                          \
        gi_bisect_blocks(GA_##TAG, s, begin, end);                                                                             \
    }
GI_EACH_BOOL(GI_BISECT_BLOCKS)
GI_EACH_INT(GI_BISECT_BLOCKS)
GI_EACH_FLT(GI_BISECT_BLOCKS)
#undef GI_BISECT_BLOCKS

static void gi_bisect_range(int64_t begin, int64_t end, void *job)
{
    const gi_searching *s = (const gi_searching *)job;
    switch (s->of.dtype) {
#define GI_CASE(TAG, tag, T, name)                                                                                             \
    case GA_##TAG: gi_bisect_blocks_##tag(s, begin, end); break;
        GI_EACH_BOOL(GI_CASE)
        GI_EACH_INT(GI_CASE)
        GI_EACH_FLT(GI_CASE)
#undef GI_CASE
    default: break;
    }
}
GI_END_FAST

/* The places of needles in a sorted line; both in one dtype, and contiguous. */
static ga_array *gi_bisect(const char *site, const ga_array *sorted, const ga_array *needles, bool right)
{
    ga_array *places = gi_array_new(site, GA_I64, needles->device, needles->ndim, needles->shape);
    if (!places || places->size == 0) return places;
    if (needles->device == GA_CUDA) {
        if (gi_gpu->bisect(site, sorted, needles, right, places)) return places;
        ga_free(places);
        return NULL;
    }
    gi_searching s = { gi_bisection_of(sorted, needles, right, places), GI_LOOP_OF(bisect)((int)ga_itemsize(sorted->dtype)),
                       gi_unsigned_keys(sorted->dtype) };
    double       halvings = 1;
    for (int64_t n = s.of.n; n > 0; n /= 2) halvings++;
    int64_t blocks = (s.of.count + GI_NEEDLES - 1) / GI_NEEDLES;
    gi_parallel_bytes(8 * (double)s.of.count * halvings, blocks, 64, gi_bisect_range, &s);
    return places;
}

/* The same of any arrays: a, in the order of sorter if there is one, and v. */
static ga_array *gi_do_search(const gi_composition *c, const ga_array *a, const ga_array *v, bool right, const ga_array *sorter)
{
    const ga_array *all[3] = { a, v, sorter };
    if (!gi_array_check(c->site, a, "a") || !gi_array_check(c->site, v, "v") ||
        (sorter && !gi_array_check(c->site, sorter, ".sorter")) ||
        gi_common_device(c->site, sorter ? 3 : 2, all) == GA_DEVICE_DEFAULT)
        return NULL;
    if (a->ndim != 1)
        return (ga_array *)gi_fail(c->site, GA_BAD_SHAPE, "a has shape %s: it must have one dimension, in ascending order",
                                   gi_shape_of(a));
    if (sorter && (sorter->ndim != 1 || sorter->size != a->size))
        return (ga_array *)gi_fail(c->site, GA_BAD_SHAPE, ".sorter has shape %s, a %s: they must be equal", gi_shape_of(sorter),
                                   gi_shape_of(a));
    const ga_dtype dtype = ga_promote(a->dtype, v->dtype);
    if (gi_is_complex(dtype))
        return (ga_array *)gi_fail(c->site, GA_BAD_DTYPE, "%s is not searched: give real numbers", ga_dtype_name(dtype));
    const ga_array *ordered = sorter ? gi_do_take(c, a, sorter, 0) : a;
    ga_array       *sorted  = ordered ? gi_copy_contiguous(c->site, ordered, dtype) : NULL;
    ga_array       *needles = sorted ? gi_copy_contiguous(c->site, v, dtype) : NULL;
    return needles ? gi_bisect(c->site, sorted, needles, right) : NULL;
}

ga_array *(ga_searchsorted)(const ga_array *a, ga_arg v, ga_searchsorted_options o)
{
    if (!gi_options_searchsorted(&o) || !gi_array_check(o.site, a, "a")) return NULL;
    if (o.side != GA_LEFT && o.side != GA_RIGHT)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, ".side = %d: it is GA_LEFT or GA_RIGHT", (int)o.side);
    gi_composition c;
    gi_compose_begin(&c, o.site);
    ga_array *needles = gi_do_array(&c, v, "v", a->device);
    return gi_compose_end(&c, needles ? gi_do_search(&c, a, needles, o.side == GA_RIGHT, o.sorter) : NULL);
}

/* 1 if a line ascends (equal neighbours may), -1 if it descends, 0 if neither; -2 with an error. */
static int gi_direction_of(const gi_composition *c, const ga_array *line)
{
    bool found = false;
    if (line->size < 2) return 1;
    ga_array *before = gi_do_part(c, line, 0, 0, line->size - 1), *behind = gi_do_part(c, line, 0, 1, line->size - 1);
    for (int way = 1; way >= -1 && before && behind; way -= 2) {
        ga_array *right_way = way > 0 ? GI_DO_2(c, less_equal, before, behind) : GI_DO_2(c, greater_equal, before, behind);
        ga_array *all       = gi_do_fold(c, (ga_all), right_way, GA_AXIS_DEFAULT, false);
        if (!all || !gi_item_as(c->site, all, NULL, GA_BOOL, &found)) return -2;
        if (found) return way;
    }
    return before && behind ? 0 : -2;
}

ga_array *(ga_digitize)(ga_arg x, const ga_array *bins, ga_digitize_options o)
{
    if (!gi_array_check(o.site, bins, "bins")) return NULL;
    if (bins->ndim != 1)
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "bins have shape %s: they must have one dimension", gi_shape_of(bins));
    gi_composition c;
    gi_compose_begin(&c, o.site);
    ga_array *at = gi_do_array(&c, x, "x", bins->device), *r = NULL;
    int       way = at ? gi_direction_of(&c, bins) : -2;
    if (way == 0) gi_fail(o.site, GA_BAD_ARGUMENT, "bins neither ascend nor descend");
    if (way == 1) r = gi_do_search(&c, bins, at, !o.right, NULL);
    if (way == -1) {
        ga_array *turned = (ga_flipud)(bins, o.site), *places = turned ? gi_do_search(&c, turned, at, !o.right, NULL) : NULL;
        r = places ? GI_DO_2(&c, subtract, bins->size, places) : NULL;
    }
    return gi_compose_end(&c, r);
}

/* ---- interp -------------------------------------------------------------------------------------------------------------- */

/* xp and fp in order, within one period, and a point of the next period at each end. */
static bool gi_interp_periodic(const gi_composition *c, double period, ga_array **x, ga_array **xp, ga_array **fp)
{
    *x               = GI_DO_2(c, remainder, *x, period);
    ga_array *within = GI_DO_2(c, remainder, *xp, period), *order = within ? gi_do_along(c, (ga_argsort), within, 0) : NULL;
    ga_array *places = order ? gi_do_take(c, within, order, 0) : NULL, *heights = places ? gi_do_take(c, *fp, order, 0) : NULL;
    if (!heights) return false;
    int64_t         last  = places->size - 1;
    const ga_array *xs[3] = { GI_DO_2(c, subtract, gi_do_part(c, places, 0, last, 1), period), places,
                              GI_DO_2(c, add, gi_do_part(c, places, 0, 0, 1), period) };
    const ga_array *fs[3] = { gi_do_part(c, heights, 0, last, 1), heights, gi_do_part(c, heights, 0, 0, 1) };
    *xp                   = xs[0] && xs[2] ? gi_join_along(c->site, 3, xs, 0) : NULL;
    *fp                   = fs[0] && fs[2] ? gi_join_along(c->site, 3, fs, 0) : NULL;
    return *x && *xp && *fp;
}

/* The line between neighbours, from the left one; where that is NaN, from the right one, and where they are equal, their height. */
static ga_array *gi_interp_between(const gi_composition *c, const ga_array *x, const ga_array *xp, const ga_array *fp,
                                   const ga_array *left)
{
    ga_array *run = gi_do_diff(c, xp, 0), *rise = gi_do_diff(c, fp, 0),
             *slopes = rise && run ? GI_DO_2(c, divide, rise, run) : NULL;
    ga_array *right = GI_DO_2(c, add, left, 1), *slope = gi_do_take(c, slopes, left, 0);
    ga_array *x0 = gi_do_take(c, xp, left, 0), *x1 = gi_do_take(c, xp, right, 0);
    ga_array *f0 = gi_do_take(c, fp, left, 0), *f1 = gi_do_take(c, fp, right, 0);
    if (!f0 || !f1 || !x0 || !x1) return NULL;
    ga_array *from_left  = GI_DO_2(c, add, GI_DO_2(c, multiply, slope, GI_DO_2(c, subtract, x, x0)), f0);
    ga_array *from_right = GI_DO_2(c, add, GI_DO_2(c, multiply, slope, GI_DO_2(c, subtract, x, x1)), f1);
    ga_array *level      = GI_DO_WHERE(c, GI_DO_2(c, equal, f0, f1), f0, from_right);
    ga_array *mended     = GI_DO_WHERE(c, GI_DO_1(c, isnan, from_right), level, from_right);
    ga_array *height     = GI_DO_WHERE(c, GI_DO_1(c, isnan, from_left), mended, from_left);
    return GI_DO_WHERE(c, GI_DO_2(c, equal, x, x0), f0, height);
}

/* The same for the elements begin to end on the CPU, in one pass. */
typedef struct gi_interpolation {
    const double  *x, *xp, *fp;
    const int64_t *places;
    int64_t        n;
    double         left, right, *to;
} gi_interpolation;

GI_BEGIN_FAST
static void gi_interp_elements(int64_t begin, int64_t end, void *job)
{
    const gi_interpolation *j    = (const gi_interpolation *)job;
    const int64_t           last = j->n - 1;
    for (int64_t i = begin; i < end; i++) {
        const int64_t place = j->places[i], at = place < 1 || last < 1 ? 0 : place > last ? last - 1 : place - 1;
        const double  x = j->x[i], x0 = j->xp[at], f0 = j->fp[at];
        double        height = j->fp[last];
        if (x != j->xp[last] && last > 0) {
            const double x1 = j->xp[at + 1], f1 = j->fp[at + 1], slope = (f1 - f0) / (x1 - x0);
            height = gi_mul_f64(slope, x - x0) + f0;
            if (height != height) height = gi_mul_f64(slope, x - x1) + f1;
            if (height != height && f0 == f1) height = f0;
            if (x == x0) height = f0;
        }
        if (x > j->xp[last]) height = j->right;
        if (place == 0) height = j->left;
        j->to[i] = x != x && last > 0 ? x : height;
    }
}
GI_END_FAST

static ga_array *gi_interp_on_cpu(const gi_composition *c, const ga_array *x, const ga_array *xp, const ga_array *fp,
                                  const ga_array *places, const ga_interp_options *o)
{
    ga_array        *r        = gi_array_new(c->site, GA_F64, GA_CPU, x->ndim, x->shape);
    const bool       periodic = o->period != GA_REAL_DEFAULT;
    const double    *heights  = (const double *)fp->data;
    gi_interpolation j;
    if (!r) return NULL;
    j.x      = (const double *)x->data;
    j.xp     = (const double *)xp->data;
    j.fp     = heights;
    j.places = (const int64_t *)places->data;
    j.n      = xp->size;
    j.left   = periodic || o->left == GA_REAL_DEFAULT ? heights[0] : o->left;
    j.right  = periodic || o->right == GA_REAL_DEFAULT ? heights[j.n - 1] : o->right;
    j.to     = (double *)r->data;
    gi_parallel_bytes(64 * (double)r->size, r->size, 4096, gi_interp_elements, &j);
    return r;
}

/* Of real heights. */
static ga_array *gi_interp_heights(const gi_composition *c, const ga_array *x, const ga_array *xp, const ga_array *fp,
                                   const ga_interp_options *o)
{
    const int64_t n     = xp->size;
    ga_array     *place = gi_do_search(c, xp, x, true, NULL);
    if (place && x->device == GA_CPU) return gi_interp_on_cpu(c, x, xp, fp, place, o);
    ga_array *first = place ? gi_do_part(c, fp, 0, 0, 1) : NULL, *last = first ? gi_do_part(c, fp, 0, n - 1, 1) : NULL;
    if (!last) return NULL;
    ga_array *end = gi_do_reshape(c, last, 0, NULL), *begin = gi_do_reshape(c, first, 0, NULL), *r = end;
    if (n > 1) { /* of the places 0 to n the middle ones lie between neighbours */
        ga_array *left    = (ga_clip)(GA_ARG(GI_DO_2(c, subtract, place, 1)), GA_ARG(0), GA_ARG(n - 2), gi_map_site(c->site));
        ga_array *at_last = GI_DO_2(c, equal, x, gi_do_reshape(c, gi_do_part(c, xp, 0, n - 1, 1), 0, NULL));
        r                 = left ? GI_DO_WHERE(c, at_last, end, gi_interp_between(c, x, xp, fp, left)) : NULL;
    }
    const bool periodic = o->period != GA_REAL_DEFAULT;
    ga_array  *far      = GI_DO_2(c, greater, x, gi_do_reshape(c, gi_do_part(c, xp, 0, n - 1, 1), 0, NULL));
    ga_array  *near     = GI_DO_2(c, equal, place, 0);
    if (!r || !far || !near || !begin) return NULL;
    r = periodic || o->right == GA_REAL_DEFAULT ? GI_DO_WHERE(c, far, end, r) : GI_DO_WHERE(c, far, o->right, r);
    return periodic || o->left == GA_REAL_DEFAULT ? GI_DO_WHERE(c, near, begin, r) : GI_DO_WHERE(c, near, o->left, r);
}

static ga_array *gi_do_interp(const gi_composition *c, ga_array *x, ga_array *xp, ga_array *fp, const ga_interp_options *o)
{
    const double period = o->period < 0 ? -o->period : o->period;
    x                   = gi_copy_contiguous(c->site, x, GA_F64);
    xp                  = gi_copy_contiguous(c->site, xp, GA_F64);
    fp                  = gi_copy_contiguous(c->site, fp, gi_is_complex(fp->dtype) ? GA_C128 : GA_F64);
    if (!x || !xp || !fp || (o->period != GA_REAL_DEFAULT && !gi_interp_periodic(c, period, &x, &xp, &fp))) return NULL;
    const bool        pair     = gi_is_complex(fp->dtype);
    const ga_array   *parts[2] = { pair ? GI_DO_1(c, real, fp) : fp, pair ? GI_DO_1(c, imag, fp) : NULL };
    ga_interp_options other    = *o; /* the ends are real numbers */
    if (o->left != GA_REAL_DEFAULT) other.left = 0;
    if (o->right != GA_REAL_DEFAULT) other.right = 0;
    ga_array *r = parts[0] ? gi_interp_heights(c, x, xp, parts[0], o) : NULL;
    if (r && pair) {
        parts[1]      = parts[1] ? gi_interp_heights(c, x, xp, parts[1], &other) : NULL;
        ga_array *all = gi_array_new(c->site, GA_C128, r->device, r->ndim, r->shape);
        ga_array *re = all ? gi_part_view(c->site, all, 0) : NULL, *im = re ? gi_part_view(c->site, all, 1) : NULL;
        r = im && parts[1] && gi_copy_assign(c->site, re, r) && gi_copy_assign(c->site, im, parts[1]) ? all : NULL;
    }
    const bool settled = xp->size == 1 || (!pair && x->device == GA_CPU); /* one point has one height, as NumPy says */
    return r && !settled ? GI_DO_WHERE(c, GI_DO_1(c, isnan, x), x, r) : r;
}

ga_array *(ga_interp)(ga_arg x, const ga_array *xp, const ga_array *fp, ga_interp_options o)
{
    if (!gi_array_check(o.site, xp, "xp") || !gi_array_check(o.site, fp, "fp")) return NULL;
    if (xp->ndim != 1 || fp->ndim != 1 || xp->size != fp->size || xp->size == 0)
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE,
                                   "xp has shape %s, fp %s: both are one line of the same length, not empty", gi_shape_of(xp),
                                   gi_shape_of(fp));
    if (o.period == 0) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, ".period = 0: it must be another number");
    gi_composition c;
    gi_compose_begin(&c, o.site);
    ga_array *at = gi_do_array(&c, x, "x", xp->device), *xs = (ga_view)(xp, o.site), *fs = (ga_view)(fp, o.site);
    if (at && gi_is_complex(at->dtype))
        at = (ga_array *)gi_fail(o.site, GA_BAD_DTYPE, "x is complex: the places of ga_interp are real numbers");
    return gi_compose_end(&c, at && xs && fs && gi_array_check(o.site, at, "x") ? gi_do_interp(&c, at, xs, fs, &o) : NULL);
}
