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
    if (!gi_array_check_any(o.site, a, "a") || !gi_takes_only_axis("ga_roll", &o)) return NULL;
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

/* The pieces for the places start .. stop along an axis, as gi_pad_fill has them: views of a. Returns how many, -1 with an error. */
static int gi_pad_pieces(const char *site, const ga_array *a, int axis, ga_pad_mode mode, int64_t start, int64_t stop,
                         const ga_array **list)
{
    int n = 0;
    for (int64_t i = start; i < stop;) {
        int64_t from = gi_pad_source(mode, i, a->shape[axis]), step = 0, count = 1;
        if (i + 1 < stop) step = gi_pad_source(mode, i + 1, a->shape[axis]) - from;
        while (i + count < stop && gi_pad_source(mode, i + count, a->shape[axis]) == from + count * step) count++;
        gi_layout l = gi_layout_of(a);
        l.data += from * l.strides[axis];
        l.shape[axis] = count;
        l.strides[axis] *= step;
        list[n] = gi_view_with(site, a, &l);
        if (!list[n]) {
            gi_array_free_all(n, (ga_array **)(void *)list);
            return -1;
        }
        n++;
        i += count;
    }
    return n;
}

/* a with so many elements of `outside` (one element), or what the mode says, before and behind it along an axis; views joined. */
static ga_array *gi_pad_axis(const char *site, const ga_array *a, int axis, ga_pad_mode mode, int64_t before, int64_t behind,
                             const ga_array *outside)
{
    size_t           bytes = (size_t)(before + behind + 1) * sizeof(void *);
    const ga_array **list  = before + behind < INT_MAX ? (const ga_array **)gi_mem_alloc(site, bytes) : NULL;
    ga_array        *r     = NULL;
    ga_shape         as;
    int              n = 0, more;
    if (!list) return NULL;
    memset(&as, 0, sizeof as);
    as.ndim = a->ndim;
    for (int side = 0; side < 3 && n >= 0; side++) { /* before, a itself, behind */
        int64_t width = side == 0 ? before : behind;
        more          = 0;
        if (side == 1) {
            list[n] = (ga_view)(a, site);
            more    = list[n] ? 1 : -1;
        } else if (mode == GA_PAD_CONSTANT && width > 0) {
            memcpy(as.n, a->shape, sizeof as.n);
            as.n[axis] = width;
            list[n]    = (ga_broadcast_to)(outside, as, site);
            more       = list[n] ? 1 : -1;
        } else if (mode != GA_PAD_CONSTANT) {
            more = side == 0 ? gi_pad_pieces(site, a, axis, mode, -before, 0, list)
                             : gi_pad_pieces(site, a, axis, mode, a->shape[axis], a->shape[axis] + behind, list + n);
        }
        if (more < 0) {
            gi_array_free_all(n, (ga_array **)(void *)list);
            n = -1;
        } else n += more;
    }
    if (n > 0) {
        r = gi_join_along(site, n, list, axis);
        gi_array_free_all(n, (ga_array **)(void *)list);
    }
    gi_mem_release(list, bytes);
    return r;
}

static ga_array *gi_pad_chunked(const ga_array *a, const ga_shape *before, const ga_pad_options *o, const int64_t *shape)
{
    ga_array *outside = gi_array_new(o->site, a->dtype, GA_CPU, 0, NULL), *r = NULL;
    ga_arg    value;
    memset(&value, 0, sizeof value);
    value.kind = GA_KIND_REAL;
    value.re   = o->value;
    if (outside && gi_copy_assign_where(o->site, outside, value, NULL)) r = (ga_view)(a, o->site);
    for (int d = 0; d < a->ndim && r; d++) {
        if (shape[d] == a->shape[d]) continue;
        ga_array *more = gi_pad_axis(o->site, r, d, o->mode, before->n[d], shape[d] - a->shape[d] - before->n[d], outside);
        ga_free(r);
        r = more;
    }
    ga_free(outside);
    return r;
}

ga_array *(ga_pad)(const ga_array *a, ga_shape before, ga_pad_options o)
{
    int64_t shape[GPUARR_MAX_DIMS];
    if (!gi_array_check_any(o.site, a, "a")) return NULL;
    if ((int)o.mode < GA_PAD_CONSTANT || o.mode > GA_PAD_WRAP)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, ".mode = %d is no way to pad: use GA_PAD_CONSTANT, GA_PAD_EDGE ...",
                                   (int)o.mode);
    if (!gi_pad_widths(a, &before, &o, shape)) return NULL;
    if (gi_is_deferred(a)) return gi_pad_chunked(a, &before, &o, shape);
    ga_array *padded = gi_array_new(o.site, a->dtype, a->device, a->ndim, shape);
    if (!padded || padded->size == 0) return padded;
    bool done = true;
    if (o.mode == GA_PAD_CONSTANT) {
        ga_arg value;
        memset(&value, 0, sizeof value);
        value.kind = GA_KIND_REAL;
        value.re   = o.value;
        done       = gi_copy_assign_where(o.site, padded, value, NULL);
    }
    gi_layout known = gi_layout_of(padded); /* first the place of a; it grows axis by axis */
    for (int d = 0; d < a->ndim; d++) {
        if (a->size > 0) known.data += before.n[d] * known.strides[d];
        known.shape[d] = a->shape[d];
    }
    ga_array *middle = done ? gi_view_with(o.site, padded, &known) : NULL;
    done             = middle && gi_copy_assign(o.site, middle, a);
    ga_free(middle);
    for (int d = 0; d < a->ndim && done && o.mode != GA_PAD_CONSTANT; d++) {
        int64_t first = before.n[d], n = a->shape[d];
        known.data -= first * known.strides[d];
        done = gi_pad_fill(o.site, padded, &known, d, o.mode, first, n, 0, first) &&
               gi_pad_fill(o.site, padded, &known, d, o.mode, first, n, first + n, shape[d]);
        known.shape[d] = shape[d];
    }
    if (done) return padded;
    ga_free(padded);
    return NULL;
}
