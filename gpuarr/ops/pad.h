/* ---- roll, pad --------------------------------------------------------------------------------------------------- */

/* The same of a chunked array: its two parts joined. */
static ga_array *gi_roll_chunked(const char *site, const ga_array *a, const ga_array *source, int axis, int64_t shift)
{
    int64_t   n = source->shape[axis], s = n > 0 ? (shift % n + n) % n : 0;
    ga_array *tail          = gi_view_part(site, source, axis, n - s, s),
             *head          = tail ? gi_view_part(site, source, axis, 0, n - s) : NULL;
    const ga_array *both[2] = { tail, head };
    ga_array       *rolled  = head ? gi_join_along(site, 2, both, axis) : NULL;
    ga_shape        shape;
    memset(&shape, 0, sizeof shape);
    shape.ndim = a->ndim;
    memcpy(shape.n, a->shape, sizeof shape.n);
    ga_array *r = rolled ? (ga_reshape)(rolled, shape, site) : NULL;
    ga_free(tail);
    ga_free(head);
    ga_free(rolled);
    return r;
}

ga_array *(ga_roll)(const ga_array *a, int64_t shift, ga_axis_options o)
{
    if (!gi_options_axis(&o) || !gi_array_check_half_any(o.site, a, "a") || !gi_takes_only_axis("ga_roll", &o)) return NULL;
    int       axis   = o.axis;
    ga_array *source = gi_along(o.site, a, &axis);
    if (source && gi_is_deferred(a)) {
        ga_array *r = gi_roll_chunked(o.site, a, source, axis, shift);
        ga_free(source);
        return r;
    }
    ga_array *rolled = source ? gi_array_new(o.site, a->dtype, a->device, a->ndim, a->shape) : NULL;
    ga_shape  shape; /* of the source: rolled is written in the same way */
    memset(&shape, 0, sizeof shape);
    if (source) {
        shape.ndim = source->ndim;
        memcpy(shape.n, source->shape, sizeof shape.n);
    }
    ga_array *target = rolled ? (ga_reshape)(rolled, shape, o.site) : NULL;
    bool      done   = target != NULL;
    if (done && target->size > 0) {
        int64_t n = source->shape[axis], s = (shift % n + n) % n;
        done = gi_copy_along(o.site, target, s, source, 0, n - s, axis) &&
               gi_copy_along(o.site, target, 0, source, n - s, s, axis);
    }
    ga_free(target);
    ga_free(source);
    if (done) return rolled;
    ga_free(rolled);
    return NULL;
}

enum { GI_PAD_LONG_ROW = 4096 }; /* bytes: where rows are shorter, to fill all of the array is less work than their edges */

/* Which of n elements stands at place i, which may lie before the first or behind the last. */
static int64_t gi_pad_source(ga_pad_mode mode, int64_t i, int64_t n)
{
    if (mode == GA_PAD_EDGE || n == 1) return i < 0 ? 0 : i < n ? i : n - 1;
    int64_t period = mode == GA_PAD_WRAP ? n : mode == GA_PAD_SYMMETRIC ? 2 * n : 2 * n - 2;
    i              = (i % period + period) % period;
    if (i < n) return i;
    return mode == GA_PAD_SYMMETRIC ? period - 1 - i : period - i;
}

/* Fills the places start .. stop along an axis from the places first .. first + n. `known` is what of the array is
   already known. Places whose sources lie side by side (forwards, backwards, or one for all) are one copy. */
static bool gi_pad_fill(const char *site, ga_array *padded, const gi_layout *known, int axis, ga_pad_mode mode, int64_t first,
                        int64_t n, int64_t start, int64_t stop)
{
    for (int64_t i = start; i < stop;) {
        int64_t from = gi_pad_source(mode, i - first, n), step = 0, count = 1;
        if (i + 1 < stop) step = gi_pad_source(mode, i + 1 - first, n) - from;
        while (i + count < stop && gi_pad_source(mode, i + count - first, n) == from + count * step) count++;
        gi_layout to = *known, of = *known;
        to.data += i * known->strides[axis];
        of.data += (first + from) * known->strides[axis];
        to.shape[axis] = of.shape[axis] = count;
        of.strides[axis] *= step;
        if (!gi_copy_part(site, padded, &to, &of)) return false;
        i += count;
    }
    return true;
}

/* The same with one value for all. */
static bool gi_pad_with(const char *site, ga_array *padded, const gi_layout *known, int axis, ga_arg value, int64_t start,
                        int64_t stop)
{
    gi_layout to = *known;
    if (start == stop) return true;
    to.data += start * known->strides[axis];
    to.shape[axis]  = stop - start;
    ga_array  *edge = gi_view_with(site, padded, &to);
    const bool done = edge && gi_copy_assign_where(site, edge, value, NULL);
    ga_free(edge);
    return done;
}

/* The widths before and behind each axis and the padded shape. */
static bool gi_pad_widths(const ga_array *a, ga_shape *before, const ga_pad_options *o, int64_t *shape)
{
    ga_shape  after   = o->after.ndim == 0 ? *before : o->after;
    ga_shape *both[2] = { before, &after };
    for (int k = 0; k < 2; k++) {
        ga_shape *w = both[k];
        if (w->ndim != 1 && w->ndim != a->ndim) {
            gi_fail(o->site, GA_BAD_ARGUMENT, "%d widths for %d dimensions: give one for all, or one for each axis", w->ndim,
                    a->ndim);
            return false;
        }
        for (int d = 0; d < a->ndim; d++)
            if (w->ndim == 1) w->n[d] = w->n[0];
        for (int d = 0; d < a->ndim; d++)
            if (w->n[d] < 0) {
                gi_fail(o->site, GA_BAD_ARGUMENT, "a width is negative: %s", gi_shape_text(a->ndim, w->n));
                return false;
            }
    }
    for (int d = 0; d < a->ndim; d++) {
        if (o->mode != GA_PAD_CONSTANT && a->shape[d] == 0 && before->n[d] + after.n[d] > 0) {
            gi_fail(o->site, GA_BAD_SHAPE, "axis %d of %s is empty: it can only be padded with GA_PAD_CONSTANT", d,
                    gi_shape_of(a));
            return false;
        }
        if (__builtin_add_overflow(a->shape[d], before->n[d], &shape[d]) ||
            __builtin_add_overflow(shape[d], after.n[d], &shape[d])) {
            gi_fail(o->site, GA_BAD_SHAPE, "axis %d would become longer than can be counted", d);
            return false;
        }
    }
    return true;
}

/* One period of what gi_pad_source repeats along an axis, from the array's first element on. */
static ga_array *gi_pad_period(const char *site, const ga_array *a, int axis, ga_pad_mode mode)
{
    int64_t n = a->shape[axis], back = mode == GA_PAD_WRAP        ? 0
                                       : mode == GA_PAD_SYMMETRIC ? n
                                                                  : n - 2; /* and so many backwards */
    if (back == 0) return (ga_view)(a, site);
    gi_layout l = gi_layout_of(a);
    l.data += (mode == GA_PAD_SYMMETRIC ? n - 1 : n - 2) * l.strides[axis];
    l.shape[axis] = back;
    l.strides[axis] *= -1;
    ga_array       *turned  = gi_view_with(site, a, &l);
    const ga_array *both[2] = { a, turned };
    ga_array       *period  = turned ? gi_join_along(site, 2, both, axis) : NULL;
    ga_free(turned);
    return period;
}

/* What stands at the places start .. stop along an axis, which all lie before the array's first element or behind its last. */
static ga_array *gi_pad_outside(const char *site, const ga_array *a, int axis, ga_pad_mode mode, int64_t start, int64_t stop,
                                const ga_array *constant)
{
    int64_t n = a->shape[axis];
    if (mode == GA_PAD_CONSTANT || mode == GA_PAD_EDGE || n == 1) {
        ga_shape shape;
        memset(&shape, 0, sizeof shape);
        shape.ndim = a->ndim;
        memcpy(shape.n, a->shape, sizeof shape.n);
        shape.n[axis] = stop - start;
        ga_array *edge =
            mode == GA_PAD_CONSTANT ? (ga_view)(constant, site) : gi_view_part(site, a, axis, start < 0 ? 0 : n - 1, 1);
        ga_array *r = edge ? (ga_broadcast_to)(edge, shape, site) : NULL;
        ga_free(edge);
        return r;
    }
    ga_array *period = gi_pad_period(site, a, axis, mode), *many = NULL, *r = NULL;
    if (period) {
        int64_t length = period->shape[axis], first = (start % length + length) % length,
                rest = stop - start - (length - first);
        many         = gi_repeat_along(site, period, rest > 0 ? 1 + rest / length + (rest % length > 0) : 1, axis);
        if (many) r = gi_view_part(site, many, axis, first, stop - start);
    }
    ga_free(many);
    ga_free(period);
    return r;
}

/* a with `before` elements before it along an axis, and `behind` behind it: views joined. */
static ga_array *gi_pad_axis(const char *site, const ga_array *a, int axis, ga_pad_mode mode, int64_t before, int64_t behind,
                             const ga_array *constant)
{
    ga_array       *head = NULL, *tail = NULL, *r = NULL;
    const ga_array *list[3];
    int             n = 0;
    if (before > 0) head = gi_pad_outside(site, a, axis, mode, -before, 0, constant);
    if (behind > 0) tail = gi_pad_outside(site, a, axis, mode, a->shape[axis], a->shape[axis] + behind, constant);
    if ((head || before == 0) && (tail || behind == 0)) {
        if (head) list[n++] = head;
        list[n++] = a;
        if (tail) list[n++] = tail;
        r = gi_join_along(site, n, list, axis);
    }
    ga_free(head);
    ga_free(tail);
    return r;
}

static ga_array *gi_pad_chunked(const ga_array *a, const ga_shape *before, const ga_pad_options *o, const int64_t *shape)
{
    ga_array *constant = gi_array_new(o->site, a->dtype, GA_CPU, 0, NULL), *r = NULL;
    ga_arg    value;
    memset(&value, 0, sizeof value);
    value.kind = GA_KIND_REAL;
    value.re   = o->value;
    if (constant && gi_copy_assign_where(o->site, constant, value, NULL)) r = (ga_view)(a, o->site);
    for (int d = 0; d < a->ndim && r; d++) {
        if (shape[d] == a->shape[d]) continue;
        ga_array *more = gi_pad_axis(o->site, r, d, o->mode, before->n[d], shape[d] - a->shape[d] - before->n[d], constant);
        ga_free(r);
        r = more;
    }
    ga_free(constant);
    return r;
}

ga_array *(ga_pad)(const ga_array *a, ga_shape before, ga_pad_options o)
{
    int64_t shape[GPUARR_MAX_DIMS];
    if (!gi_options_pad(&o) || !gi_array_check_half_any(o.site, a, "a")) return NULL;
    if ((int)o.mode < GA_PAD_CONSTANT || o.mode > GA_PAD_WRAP)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, ".mode = %d is no way to pad: use GA_PAD_CONSTANT, GA_PAD_EDGE ...",
                                   (int)o.mode);
    if (!gi_pad_widths(a, &before, &o, shape)) return NULL;
    if (o.mode == GA_PAD_CONSTANT && !gi_option_fits_dtype(o.site, "value", o.value, a->dtype)) return NULL;
    if (gi_is_deferred(a)) return gi_pad_chunked(a, &before, &o, shape);
    ga_array *padded = gi_array_new(o.site, a->dtype, a->device, a->ndim, shape);
    if (!padded || padded->size == 0) return padded;
    const int64_t row  = a->ndim > 0 ? shape[a->ndim - 1] * ga_itemsize(a->dtype) : 0;         /* bytes */
    const bool    all  = o.mode == GA_PAD_CONSTANT && (a->size == 0 || row < GI_PAD_LONG_ROW); /* is filled, not the edges */
    bool          done = true;
    ga_arg        value;
    memset(&value, 0, sizeof value);
    value.kind = GA_KIND_REAL;
    value.re   = o.value;
    if (all) done = gi_copy_assign_where(o.site, padded, value, NULL);
    gi_layout known = gi_layout_of(padded); /* first the place of a; it grows axis by axis */
    for (int d = 0; d < a->ndim; d++) {
        if (a->size > 0) known.data += before.n[d] * known.strides[d];
        known.shape[d] = a->shape[d];
    }
    ga_array *middle = done ? gi_view_with(o.site, padded, &known) : NULL;
    done             = middle && gi_copy_assign(o.site, middle, a);
    ga_free(middle);
    for (int d = 0; d < a->ndim && done && !all; d++) {
        int64_t first = before.n[d], n = a->shape[d];
        known.data -= first * known.strides[d];
        if (o.mode == GA_PAD_CONSTANT)
            done = gi_pad_with(o.site, padded, &known, d, value, 0, first) &&
                   gi_pad_with(o.site, padded, &known, d, value, first + n, shape[d]);
        else
            done = gi_pad_fill(o.site, padded, &known, d, o.mode, first, n, 0, first) &&
                   gi_pad_fill(o.site, padded, &known, d, o.mode, first, n, first + n, shape[d]);
        known.shape[d] = shape[d];
    }
    if (done) return padded;
    ga_free(padded);
    return NULL;
}
