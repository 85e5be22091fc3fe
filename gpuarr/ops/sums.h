/* ---- sums of parts: trapezoid, ptp, running sums, unwrap, nan_to_num ---------------------------------------------- */

/* Of neighbours along an axis the area between them. */
static ga_array *gi_do_areas(const gi_composition *c, const ga_array *y, int axis, const ga_trapezoid_options *o)
{
    int64_t   n    = y->shape[axis] > 0 ? y->shape[axis] - 1 : 0;
    ga_array *next = gi_do_part(c, y, axis, y->shape[axis] > 0 ? 1 : 0, n), *here = gi_do_part(c, y, axis, 0, n);
    ga_array *both = next && here ? GI_DO_2(c, add, next, here) : NULL, *area = NULL;
    if (both && o->x) {
        ga_array *steps = gi_array_check_any(c->site, o->x, ".x") ? (ga_view)(o->x, c->site) : NULL;
        if (steps && steps->ndim == 0) gi_fail(c->site, GA_BAD_SHAPE, ".x has no dimensions: give the places, or .dx");
        const int     along  = steps && steps->ndim > 1 ? gi_axis(c->site, axis - y->ndim, steps->ndim) : 0;
        const int64_t length = steps && steps->ndim > 0 && along >= 0 ? steps->shape[along] : 2; /* 2: a step for all */
        if (length - (length > 0) != n && length != 2 && n != 1)
            return (ga_array *)gi_fail(c->site, GA_BAD_SHAPE,
                                       ".x has shape %s: give the %lld places along axis %d, or those of all elements",
                                       gi_shape_of(o->x), (long long)y->shape[axis], axis);
        if (steps && steps->ndim > 0) steps = along >= 0 ? gi_do_diff(c, steps, along) : NULL;
        if (steps && steps->ndim == 1) steps = gi_do_turn(c, steps, axis, y->ndim);
        if (steps && steps->ndim > 0) area = GI_DO_2(c, multiply, steps, both);
    } else if (both) {
        area = gi_is_float(both->dtype) && o->dx == 1 ? both : GI_DO_2(c, multiply, both, o->dx);
    }
    if (!area || !gi_is_float(area->dtype)) return area ? GI_DO_2(c, divide, area, 2.0) : NULL;
    return (ga_multiply)(GA_ARG(area), GA_ARG(0.5), gi_map_in_place(c, area)); /* the same number */
}

ga_array *(ga_trapezoid)(const ga_array *y, ga_trapezoid_options o)
{
    if (!gi_options_trapezoid(&o) || !gi_array_check_any(o.site, y, "y")) return NULL;
    const int axis = gi_axis(o.site, gi_axis_or(o.axis, -1), y->ndim);
    if (axis < 0) return NULL;
    if (o.initial != GA_REAL_DEFAULT)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, ".initial: see ga_cumulative_trapezoid");
    gi_composition c;
    gi_compose_begin(&c, o.site);
    const bool across =
        y->ndim == 2 && !gi_is_deferred(y) && !o.x && gi_stride_length(y->strides[0]) < gi_stride_length(y->strides[1]);
    const int       along   = across ? 1 - axis : axis;
    ga_axes_options turning = ga_axes_defaults;
    turning.site            = o.site;
    const ga_array *lying   = across ? (ga_transpose)(y, turning) : y; /* nothing is to be turned round */
    ga_array       *areas   = lying ? gi_do_areas(&c, lying, along, &o) : NULL;
    return gi_compose_end(&c, areas ? gi_do_fold(&c, (ga_sum), areas, along, false) : NULL);
}

ga_array *(ga_cumulative_trapezoid)(const ga_array *y, ga_trapezoid_options o)
{
    if (!gi_options_trapezoid(&o) || !gi_array_check_any(o.site, y, "y")) return NULL;
    const int axis = gi_axis(o.site, gi_axis_or(o.axis, -1), y->ndim);
    if (axis < 0) return NULL;
    if (y->shape[axis] == 0) return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "axis %d of %s is empty", axis, gi_shape_of(y));
    if (o.initial != GA_REAL_DEFAULT && o.initial != 0)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, ".initial = %g: it is 0, or not given", o.initial);
    ga_cumulative_options running = ga_cumulative_defaults;
    gi_composition        c;
    running.site            = o.site;
    running.axis            = axis;
    running.include_initial = o.initial == 0;
    gi_compose_begin(&c, o.site);
    ga_array *areas = gi_do_areas(&c, y, axis, &o);
    return gi_compose_end(&c, areas ? (ga_cumulative_sum)(areas, running) : NULL);
}

/* x / y, and 0 where y is 0. */
static ga_array *gi_do_over(const gi_composition *c, ga_arg x, const ga_array *y)
{
    ga_array *r = y ? (ga_divide)(x, gi_operand_arg(y), gi_map_site(c->site)) : NULL;
    return r ? GI_DO_WHERE(c, y, r, 0) : NULL;
}

/* Every other element of the last axis, from `first` on, `count` times. */
static ga_array *gi_do_every_other(const gi_composition *c, const ga_array *a, int64_t first, int64_t count)
{
    return a ? (ga_index)(c->site, a, "..., %lld:%lld:2", (long long)first, (long long)(first + 2 * count - (count > 0)))
             : NULL;
}

/* Simpson's rule for steps of 1, of float32 or float64 in C order: what it sums, one number for each two steps. */
typedef struct gi_parabolas {
    const ga_array  *y;
    int64_t          length, pairs, inner; /* of the axis; of steps; elements from one point to the next */
    double           numbers[2];           /* 4 and 3, of the dtype of y */
    gi_sequence      sequence;             /* (y0 + y1 * 4 + y2) / 3 */
    gi_sequence_loop loop;
} gi_parabolas;

static void gi_make_parabolas_of(const gi_parabolas *j, int64_t n, void *to, const char *y0, const char *y1, const char *y2)
{
    const void *from[5] = { y0, y1, y2, &j->numbers[0], &j->numbers[1] };
    j->loop(&j->sequence, n, to, from);
}

static void gi_make_parabolas(const void *job, int64_t first, int64_t n, void *to)
{
    enum { PIECE = 256 };
    const gi_parabolas *j    = (const gi_parabolas *)job;
    const int64_t       size = ga_itemsize(j->y->dtype), inner = j->inner;
    double              even[PIECE + 1], odd[PIECE];
    for (int64_t run; n > 0; n -= run, first += run, to = (char *)to + run * size) {
        const int64_t row = first / inner, at = first % inner, line = row / j->pairs, pair = row % j->pairs;
        const char   *y0   = (const char *)j->y->data + ((line * j->length + 2 * pair) * inner + at) * size;
        const int64_t left = inner > 1 ? inner - at : j->pairs - pair < PIECE ? j->pairs - pair : (int64_t)PIECE;
        run                = n < left ? n : left;
        if (inner > 1) {
            gi_make_parabolas_of(j, run, to, y0, y0 + inner * size, y0 + 2 * inner * size);
            continue;
        }
        gi_gather((int)size, run + 1, even, y0, 2 * size);
        gi_gather((int)size, run, odd, y0 + size, 2 * size);
        gi_make_parabolas_of(j, run, to, (const char *)even, (const char *)odd, (const char *)even + size);
    }
}

static void gi_fetch_parabolas(const void *job, int64_t first, int64_t n)
{
    const gi_parabolas *j    = (const gi_parabolas *)job;
    const int64_t       size = ga_itemsize(j->y->dtype), row = first / j->inner, bytes = j->inner * size;
    const char         *y0 = (const char *)j->y->data + (row / j->pairs * j->length + row % j->pairs * 2) * bytes;
    for (int k = 0; k < 3 && j->inner > 1; k++)
        for (int64_t b = 0; b < n * size; b += GI_LINE) __builtin_prefetch(y0 + k * bytes + first % j->inner * size + b);
}

/* Its sums along an axis, of `pairs` parabolas, made as they are summed. NULL with an error, or *declined: it is another case. */
static ga_array *gi_simpson_sums(const char *site, const ga_array *y, int axis, int64_t pairs, bool *declined)
{
    static const uint8_t steps[5][2] = { { 4 * GI_SEQUENCE_LOAD + GI_OF_ELEMENTS, 1 },
                                         { 4 * GI_SEQUENCE_MULTIPLY + GI_OF_NUMBER, 3 },
                                         { 4 * GI_SEQUENCE_ADD + GI_OF_ELEMENTS, 0 },
                                         { 4 * GI_SEQUENCE_ADD + GI_OF_ELEMENTS, 2 },
                                         { 4 * GI_SEQUENCE_DIVIDE + GI_OF_NUMBER, 4 } };
    enum { LEAST = 32 };
    gi_parabolas      j;
    gi_maker          maker;
    gi_buffer         buffer;
    ga_array          made       = *y;
    ga_reduce_options o          = gi_reduce_site(site);
    const double      numbers[2] = { 4, 3 };
    memset(&j, 0, sizeof j);
    j.inner = 1;
    for (int d = axis + 1; d < y->ndim; d++) j.inner *= y->shape[d];
    made.shape[axis] = pairs;
    *declined        = (y->dtype != GA_F32 && y->dtype != GA_F64) || y->device != GA_CPU || gi_is_deferred(y) || y->size == 0 ||
                !ga_is_contiguous(y) || (j.inner > 1 && j.inner < LEAST) ||
                gi_shape_c_strides(y->dtype, y->ndim, made.shape, made.strides) < 0;
    if (*declined) return NULL;
    j.y                 = y;
    j.length            = y->shape[axis];
    j.pairs             = pairs;
    j.loop              = GI_LOOP_OF(sequence)(y->dtype);
    j.sequence.operands = 5;
    j.sequence.steps    = 5;
    j.sequence.alone    = true;
    for (int k = 0; k < 5; k++) {
        j.sequence.size[k]      = k < 3 ? (int8_t)ga_itemsize(y->dtype) : 0;
        j.sequence.step[k].what = steps[k][0];
        j.sequence.step[k].x    = steps[k][1];
    }
    for (int k = 0; k < 2; k++) gi_cast(y->dtype, GA_F64, 1, &j.numbers[k], &numbers[k]);
    memset(&maker, 0, sizeof maker);
    memset(&buffer, 0, sizeof buffer);
    maker.make    = gi_make_parabolas;
    maker.fetch   = gi_fetch_parabolas;
    maker.job     = &j;
    maker.bytes   = 2 * (double)ga_itemsize(y->dtype);
    maker.cost    = 4;
    buffer.device = GA_CPU;
    buffer.maker  = &maker;
    made.size     = y->size / j.length * pairs;
    made.owner    = &buffer;
    o.axis        = axis;
    return (ga_sum)(&made, o);
}

/* Simpson's rule along the last axis, over n (odd) points; h: the steps, or NULL, and they are all 1. */
static ga_array *gi_simpson_odd(const gi_composition *c, const ga_array *y, const ga_array *h, int64_t n)
{
    const int64_t m = n / 2;
    ga_array *y0 = gi_do_every_other(c, y, 0, m), *y1 = gi_do_every_other(c, y, 1, m), *y2 = gi_do_every_other(c, y, 2, m), *r;
    if (!y0 || !y1 || !y2) return NULL;
    if (!h) {
        r = GI_DO_2(c, divide, GI_DO_2(c, add, GI_DO_2(c, add, y0, GI_DO_2(c, multiply, y1, 4.0)), y2), 3.0);
    } else {
        ga_array *h0 = gi_do_every_other(c, h, 0, m), *h1 = gi_do_every_other(c, h, 1, m);
        ga_array *sum = h0 && h1 ? GI_DO_2(c, add, h0, h1) : NULL, *ratio = h1 ? gi_do_over(c, GA_ARG(h0), h1) : NULL;
        if (!ratio) return NULL;
        ga_array *first  = GI_DO_2(c, subtract, 2.0, gi_do_over(c, GA_ARG(1.0), ratio)),
                 *last   = GI_DO_2(c, subtract, 2.0, ratio);
        ga_array *middle = gi_do_over(c, GA_ARG(GI_DO_2(c, multiply, sum, sum)), GI_DO_2(c, multiply, h0, h1));
        ga_array *ends   = GI_DO_2(c, add, GI_DO_2(c, multiply, y0, first), GI_DO_2(c, multiply, y2, last));
        ga_array *all    = GI_DO_2(c, add, ends, GI_DO_2(c, multiply, y1, middle));
        r                = GI_DO_2(c, multiply, all, GI_DO_2(c, divide, sum, 6.0));
    }
    return r ? gi_do_fold(c, (ga_sum), r, -1, false) : NULL;
}

/* The integral over the last interval, h, of the parabola through the last three points (Cartwright, 2017); g is the interval before. */
static ga_array *gi_simpson_last(const gi_composition *c, const ga_array *y, const ga_array *g, const ga_array *h)
{
    ga_array *gh = GI_DO_2(c, multiply, g, h), *hh = GI_DO_2(c, multiply, h, h), *sum = GI_DO_2(c, add, g, h), *r = NULL;
    ga_array *three = GI_DO_2(c, multiply, gh, 3.0), *six = GI_DO_2(c, multiply, sum, 6.0);
    ga_array *weights[3];
    weights[2] = gi_do_over(c, GA_ARG(GI_DO_2(c, add, GI_DO_2(c, multiply, hh, 2.0), three)), six);
    weights[1] = gi_do_over(c, GA_ARG(GI_DO_2(c, add, hh, three)), GI_DO_2(c, multiply, g, 6.0));
    weights[0] = gi_do_over(c, GA_ARG(GI_DO_1(c, negative, GI_DO_2(c, multiply, hh, h))), GI_DO_2(c, multiply, six, g));
    for (int k = 2; k >= 0; k--) {
        ga_array *term = weights[k] ? GI_DO_2(c, multiply, weights[k], (ga_index)(c->site, y, "..., %d", k - 3)) : NULL;
        r              = r ? GI_DO_2(c, add, r, term) : term;
        if (!r) return NULL;
    }
    return r;
}

static ga_array *gi_do_simpson(const gi_composition *c, const ga_array *a, int axis, const ga_trapezoid_options *o)
{
    ga_array *y = (ga_moveaxis)(a, axis, -1, c->site), *h = NULL, *g = NULL, *last = NULL, *r;
    if (y && o->x) {
        ga_array *x = o->x->ndim == 1 ? (ga_view)(o->x, c->site) : (ga_moveaxis)(o->x, axis, -1, c->site);
        if (!x || !(h = gi_do_diff(c, (ga_astype)(x, GA_F64, c->site), x->ndim - 1))) return NULL;
    }
    const int64_t n        = a->shape[axis];
    bool          declined = !y || h || n < 3;
    r                      = declined ? NULL : gi_simpson_sums(c->site, a, axis, (n - 1) / 2, &declined);
    if (y && declined) r = gi_simpson_odd(c, y, h, n - 1 + n % 2);
    if (n % 2 == 0) {
        const double one = 1;
        g                = h ? (ga_index)(c->site, h, "..., -2")
                             : (ga_scalar)(GA_ARG(one),
                            gi_new_on(c->site, gi_reduce_end_dtype(GI_ENDS_AVERAGE, gi_dtype_real(a->dtype)), a->device));
        last             = g ? (h ? (ga_index)(c->site, h, "..., -1") : g) : NULL;
        last             = last ? gi_simpson_last(c, y, g, last) : NULL;
        r                = r && last ? GI_DO_2(c, add, r, last) : NULL;
    }
    return h || !r ? r : GI_DO_2(c, multiply, r, o->dx);
}

ga_array *(ga_simpson)(const ga_array *y, ga_trapezoid_options o)
{
    if (!gi_options_trapezoid(&o) || !gi_array_check_any(o.site, y, "y") || (o.x && !gi_array_check_any(o.site, o.x, ".x")))
        return NULL;
    const int axis = gi_axis(o.site, gi_axis_or(o.axis, -1), y->ndim);
    if (axis < 0) return NULL;
    const int64_t n = y->shape[axis];
    if (n == 0) return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "axis %d of %s is empty", axis, gi_shape_of(y));
    if (o.initial != GA_REAL_DEFAULT)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, ".initial: see ga_cumulative_trapezoid");
    if (o.x && ((o.x->ndim != 1 && o.x->ndim != y->ndim) || o.x->shape[o.x->ndim == 1 ? 0 : axis] != n))
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE,
                                   ".x has shape %s: give the %lld places along axis %d, or those of all elements",
                                   gi_shape_of(o.x), (long long)n, axis);
    if (n == 2) {
        if (!o.x) o.x = GA_NO_ARRAY;
        return (ga_trapezoid)(y, o);
    }
    gi_composition c;
    gi_compose_begin(&c, o.site);
    return gi_compose_end(&c, gi_do_simpson(&c, y, axis, &o));
}

enum { GI_WORTH_READING_ONCE = 8192 }; /* elements */

/* The greatest and the least, read once for both where they lie one behind the other. False with an error. */
static bool gi_do_extremes(const ga_array *a, const ga_reduce_options *o, ga_array **both)
{
    const gi_row *const     rows[2]    = { gi_row_max(), gi_row_min() };
    const ga_reduce_options options[2] = { *o, *o };
    bool                    declined   = true;
    const bool plain = a->device == GA_CPU && !gi_is_deferred(a) && !gi_is_half(a->dtype) && o->where == GA_NO_ARRAY &&
                       !gi_is_given(o->initial) && a->size >= GI_WORTH_READING_ONCE;
    if (plain && gi_reduce_rows(2, rows, a, options, both, &declined)) return true;
    if (!declined) return false;
    both[0] = (ga_max)(a, *o);
    both[1] = both[0] ? (ga_min)(a, *o) : NULL;
    return both[1] != NULL;
}

ga_array *(ga_ptp)(const ga_array *a, ga_reduce_options o)
{
    if (!gi_options_reduce(&o) || !gi_array_check_half_any(o.site, a, "a")) return NULL;
    if (o.dtype != GA_DTYPE_DEFAULT || o.ddof != 0)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "ga_ptp takes no .dtype and no .ddof");
    gi_composition c;
    gi_compose_begin(&c, o.site);
    ga_map_options to = gi_map_site(o.site);
    if (o.out) to.out = o.out;
    o.out = GA_NO_ARRAY;
    ga_array *both[2];
    return gi_compose_end(&c, gi_do_extremes(a, &o, both) ? (ga_subtract)(gi_operand_arg(both[0]), gi_operand_arg(both[1]), to)
                                                          : NULL);
}

/* ---- running sums ------------------------------------------------------------------------------------------------------ */

static ga_array *gi_cumulative(ga_array *(*run)(const ga_array *, ga_axis_options), int start, const ga_array *a,
                               ga_cumulative_options o)
{
    if (!gi_options_cumulative(&o) || !gi_array_check_half_any(o.site, a, "a")) return NULL;
    if (a->ndim > 1 && o.axis == GA_AXIS_DEFAULT)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "a has %d dimensions: give the .axis to go along", a->ndim);
    const int axis = gi_axis(o.site, gi_axis_or(o.axis, 0), a->ndim > 0 ? a->ndim : 1);
    if (axis < 0) return NULL;
    gi_composition c;
    gi_compose_begin(&c, o.site);
    ga_array       *line  = (ga_atleast_1d)(a, o.site);
    ga_axis_options along = ga_axis_defaults;
    along.site            = o.site;
    along.axis            = axis;
    along.dtype           = o.dtype;
    if (o.out && !o.include_initial) along.out = o.out;
    ga_array *r = line ? run(line, along) : NULL;
    if (r && o.include_initial) {
        ga_shape first;
        memset(&first, 0, sizeof first);
        first.ndim = r->ndim;
        memcpy(first.n, r->shape, sizeof first.n);
        first.n[axis]   = 1;
        ga_array *begin = (ga_full)(first, GA_ARG(start), gi_new_on(o.site, r->dtype, r->device));
        r               = begin ? gi_do_join(&c, begin, r, axis) : NULL;
        if (r) r = gi_copy_finish(o.site, r, r->dtype, o.out);
    }
    return gi_compose_end(&c, r);
}

ga_array *(ga_cumulative_sum)(const ga_array *a, ga_cumulative_options o) { return gi_cumulative((ga_cumsum), 0, a, o); }
ga_array *(ga_cumulative_prod)(const ga_array *a, ga_cumulative_options o) { return gi_cumulative((ga_cumprod), 1, a, o); }

/* The same of a without its NaNs. */
static ga_array *gi_nan_cumulate(ga_array *(*run)(const ga_array *, ga_axis_options), int start, const ga_array *a,
                                 ga_axis_options o)
{
    if (!gi_options_axis(&o) || !gi_array_check_half_any(o.site, a, "a")) return NULL;
    gi_composition c;
    gi_compose_begin(&c, o.site);
    ga_array *r = gi_dtype_kind(a->dtype) > 1 ? GI_DO_WHERE(&c, GI_DO_1(&c, isnan, a), start, a) : (ga_view)(a, o.site);
    if (!o.out) o.out = GA_NO_ARRAY;
    return gi_compose_end(&c, r ? run(r, o) : NULL);
}

ga_array *(ga_nancumsum)(const ga_array *a, ga_axis_options o) { return gi_nan_cumulate((ga_cumsum), 0, a, o); }
ga_array *(ga_nancumprod)(const ga_array *a, ga_axis_options o) { return gi_nan_cumulate((ga_cumprod), 1, a, o); }

/* ---- unwrap ---------------------------------------------------------------------------------------------------------------- */

/* What must be added to differences so that they lie between -high and high, which are half a period away from 0. */
static ga_array *gi_unwrap_steps(const gi_composition *c, const ga_array *d, ga_arg period, ga_arg high, ga_arg low, bool both,
                                 double discont)
{
    ga_array *within = GI_DO_2(c, add, GI_DO_2(c, remainder, GI_DO_2(c, subtract, d, low), period), low);
    if (both) { /* a step of exactly half a period may go up as well: it keeps its sign */
        ga_array *half = GI_DO_2(c, logical_and, GI_DO_2(c, equal, within, low), GI_DO_2(c, greater, d, 0));
        within         = half ? GI_DO_WHERE(c, half, high, within) : NULL;
    }
    ga_array *step  = within ? GI_DO_2(c, subtract, within, d) : NULL;
    ga_array *small = step ? GI_DO_2(c, less, GI_DO_1(c, absolute, d), discont) : NULL;
    return small ? GI_DO_WHERE(c, small, 0, step) : NULL;
}

ga_array *(ga_unwrap)(const ga_array *p, ga_unwrap_options o)
{
    if (!gi_array_check_any(o.site, p, "p")) return NULL;
    const int axis = gi_axis(o.site, gi_axis_or(o.axis, -1), p->ndim);
    if (axis < 0) return NULL;
    ga_arg period = o.period, high = GA_ARG(0.0), low = GA_ARG(0.0);
    if (period.kind == GA_KIND_ARRAY && period.array == GA_NO_ARRAY) period = GA_ARG(6.283185307179586);
    if (period.kind != GA_KIND_INT && period.kind != GA_KIND_REAL)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, ".period must be a real number: .period = GA_ARG(360)");
    const bool   whole = period.kind == GA_KIND_INT && gi_dtype_kind(p->dtype) < 2;
    const double half  = (period.kind == GA_KIND_INT ? (double)period.i : period.re) / 2;
    if (!(half > 0)) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, ".period = %g: it must be greater than 0", 2 * half);
    high = whole ? GA_ARG(period.i / 2) : GA_ARG(half);
    low  = whole ? GA_ARG(-(period.i / 2)) : GA_ARG(-half);
    gi_composition c;
    gi_compose_begin(&c, o.site);
    int64_t   n    = p->shape[axis];
    ga_arg    zero = whole ? GA_ARG(0) : GA_ARG(0.0);
    ga_array *wide = GI_DO_2(&c, add, p, zero), *r = wide;
    if (wide && n > 1) {
        ga_array *d     = gi_do_diff(&c, p, axis);
        ga_array *steps = d ? gi_unwrap_steps(&c, d, period, high, low, !whole || period.i % 2 == 0,
                                              o.discont == GA_REAL_DEFAULT ? half : o.discont)
                            : NULL;
        ga_array *sums  = steps ? gi_do_along(&c, (ga_cumsum), steps, axis) : NULL;
        ga_array *rest  = sums ? GI_DO_2(&c, add, gi_do_part(&c, p, axis, 1, n - 1), sums) : NULL;
        ga_array *first = gi_do_part(&c, wide, axis, 0, 1);
        r               = rest && first ? gi_do_join(&c, first, rest, axis) : NULL;
        if (r) r = (ga_astype)(r, wide->dtype, o.site);
    }
    return gi_compose_end(&c, r);
}

/* ---- nan_to_num ------------------------------------------------------------------------------------------------------------ */

static ga_array *gi_do_nan_to_num(const gi_composition *c, const ga_array *x, const ga_nan_options *o)
{
    if (!x) return NULL;
    const double most =
        x->dtype == GA_F32 ? 3.40282346638528859811704183484516925e38 : 1.79769313486231570814527423731704357e308;
    ga_array *r = GI_DO_WHERE(c, GI_DO_1(c, isnan, x), o->nan, x);
    r           = GI_DO_WHERE(c, GI_DO_2(c, equal, x, INFINITY), o->posinf == GA_REAL_DEFAULT ? most : o->posinf, r);
    return GI_DO_WHERE(c, GI_DO_2(c, equal, x, -INFINITY), o->neginf == GA_REAL_DEFAULT ? -most : o->neginf, r);
}

/* The real numbers of a complex array, contiguous, 1-D. */
static ga_array *gi_do_parts(const gi_composition *c, const ga_array *a)
{
    ga_array *packed = (ga_copy)(a, c->site), *line = packed ? (ga_ravel)(packed, c->site) : NULL;
    return line ? (ga_view_as)(line, gi_dtype_real(a->dtype), c->site) : NULL;
}

/* And back: in the shape and dtype of a. */
static ga_array *gi_do_whole(const gi_composition *c, const ga_array *parts, const ga_array *a)
{
    ga_array *line = parts ? (ga_view_as)(parts, a->dtype, c->site) : NULL;
    return line ? gi_do_reshape(c, line, a->ndim, a->shape) : NULL;
}

/* out: re and im in turn, numbers of so many bytes. */
static inline void gi_pair_parts(int64_t n, size_t size, char *out, const char *re, const char *im)
{
    for (int64_t i = 0; i < n; i++, out += 2 * size, re += size, im += size) {
        memcpy(out, re, size);
        memcpy(out + size, im, size);
    }
}
static void gi_join_parts_f32(int64_t n, void *out, const void *re, const void *im, const void *none)
{
    (void)none;
    gi_pair_parts(n, sizeof(float), (char *)out, (const char *)re, (const char *)im);
}
static void gi_join_parts_f64(int64_t n, void *out, const void *re, const void *im, const void *none)
{
    (void)none;
    gi_pair_parts(n, sizeof(double), (char *)out, (const char *)re, (const char *)im);
}

/* The real or the imaginary part of complex numbers, by the wide row of that name. */
static ga_array *gi_do_part_of(const gi_composition *c, const gi_row *part, const ga_array *a)
{
    ga_array *wide = (ga_astype)(a, GA_C128, c->site), *r = wide ? gi_call1(part, wide, gi_map_site(c->site)) : NULL;
    return r ? (ga_astype)(r, gi_dtype_real(a->dtype), c->site) : NULL;
}

/* Chunked parts, real and imaginary, as complex numbers: what views cannot do where no elements are. */
static ga_array *gi_do_join_parts(const gi_composition *c, const ga_array *re, const ga_array *im)
{
    if (!re || !im) return NULL;
    const bool        single                 = re->dtype == GA_F32;
    const gi_function join                   = { single ? gi_join_parts_f32 : gi_join_parts_f64, NULL, GI_NOT_OWN };
    const ga_arg      in[2]                  = { gi_operand_arg(re), gi_operand_arg(im) };
    const ga_dtype    wanted[GI_MOST_INPUTS] = { re->dtype, re->dtype };
    return gi_map(c->site, join, GI_CHEAP, 2, in, wanted, single ? GA_C64 : GA_C128, NULL, NULL);
}

ga_array *(ga_nan_to_num)(const ga_array *x, ga_nan_options o)
{
    GI_SETTLE_FLOATS;
    if (!gi_array_check_any(o.site, x, "x")) return NULL;
    gi_composition c;
    gi_compose_begin(&c, o.site);
    ga_array *r = NULL;
    if (gi_is_complex(x->dtype) && gi_is_deferred(x)) {
        r = gi_do_join_parts(&c, gi_do_nan_to_num(&c, gi_do_part_of(&c, GI_WIDE_ROW(real)(), x), &o),
                             gi_do_nan_to_num(&c, gi_do_part_of(&c, GI_WIDE_ROW(imag)(), x), &o));
    } else if (gi_is_complex(x->dtype)) {
        ga_array *parts = gi_do_parts(&c, x);
        r               = parts ? gi_do_whole(&c, gi_do_nan_to_num(&c, parts, &o), x) : NULL;
    } else r = gi_is_float(x->dtype) ? gi_do_nan_to_num(&c, x, &o) : (ga_copy)(x, o.site);
    return gi_compose_end(&c, r);
}
