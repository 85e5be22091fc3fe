/* ---- append, insert, delete, repeat, resize, trim_zeros -------------------------------------------------------------------- */

ga_array *(ga_append)(const ga_array *a, ga_arg values, ga_axis_options o)
{
    if (!gi_options_axis(&o) || !gi_array_check_half_any(o.site, a, "a") || !gi_takes_only_axis("ga_append", &o)) return NULL;
    const bool     flat = o.axis == GA_AXIS_DEFAULT;
    gi_composition c;
    gi_compose_begin(&c, o.site);
    ga_array *more = gi_do_array_half(&c, values, "values", a->device);
    if (!flat) return gi_compose_end(&c, more ? gi_do_join(&c, a, more, o.axis) : NULL);
    ga_array *before = (ga_ravel)(a, o.site), *behind = more ? (ga_ravel)(more, o.site) : NULL;
    return gi_compose_end(&c, behind ? gi_do_join(&c, before, behind, 0) : NULL);
}

/* Places along an axis of length n as int64 on the CPU, contiguous, negative ones counted from the end. `most` is the last that is. */
static ga_array *gi_edit_places(const gi_composition *c, const ga_array *places, int64_t n, int64_t most)
{
    if (places && gi_dtype_kind(places->dtype) != 1 && places->size > 0)
        return (ga_array *)gi_fail(c->site, GA_BAD_DTYPE, "the places are %s: they must be integers",
                                   ga_dtype_name(places->dtype));
    ga_array *here    = places && gi_array_check_half(c->site, places, "the places") ? gi_copy_on_cpu(c->site, places) : NULL;
    ga_array *settled = here ? gi_copy_convert(c->site, here, GA_I64) : NULL;
    for (int64_t k = 0; settled && k < settled->size; k++) {
        int64_t *place = (int64_t *)settled->data + k;
        if (*place < -n || *place > most) {
            gi_take_bad_index(c->site, *place, n);
            return NULL;
        }
        if (*place < 0) *place += n;
    }
    return settled;
}

/* Which elements of an axis stay, as bool. */
static ga_array *gi_delete_mask(const gi_composition *c, const ga_array *a, int axis, const ga_array *which)
{
    int64_t n = a->shape[axis];
    if (which->dtype == GA_BOOL && which->ndim == 1) {
        if (which->size == n) return GI_DO_1(c, logical_not, which);
        return (ga_array *)gi_fail(c->site, GA_BAD_SHAPE, "%lld flags for an axis of length %lld", (long long)which->size,
                                   (long long)n);
    }
    ga_array *places = gi_edit_places(c, which, n, n - 1);
    ga_array *stays  = places ? gi_array_new(c->site, GA_BOOL, GA_CPU, 1, &n) : NULL;
    if (!stays) return NULL;
    memset(stays->data, 1, (size_t)n);
    for (int64_t k = 0; k < places->size; k++) ((bool *)stays->data)[((const int64_t *)places->data)[k]] = false;
    return gi_copy_to(c->site, stays, a->device);
}

ga_array *(ga_delete)(const ga_array *a, ga_arg which, ga_axis_options o)
{
    if (!gi_options_axis(&o) || !gi_array_check_half_any(o.site, a, "a") || !gi_takes_only_axis("ga_delete", &o)) return NULL;
    gi_composition c;
    gi_compose_begin(&c, o.site);
    int       axis  = o.axis;
    ga_array *along = gi_along(o.site, a, &axis), *r = NULL;
    ga_array *places = along ? gi_do_array(&c, which, "which", GA_CPU) : NULL;
    if (places && places->size == 1 && gi_is_int(places->dtype)) { /* the parts on both sides: chunked arrays too */
        int64_t n = along->shape[axis];
        places    = gi_edit_places(&c, places, n, n - 1);
        if (places) {
            int64_t   at     = *(const int64_t *)places->data;
            ga_array *before = gi_do_part(&c, along, axis, 0, at), *behind = gi_do_part(&c, along, axis, at + 1, n - at - 1);
            r = before && behind ? gi_do_join(&c, before, behind, axis) : NULL;
        }
        return gi_compose_end(&c, r);
    }
    ga_array *mask = places ? gi_delete_mask(&c, along, axis, places) : NULL;
    if (mask) {
        ga_axis_options one = ga_axis_defaults;
        one.site            = o.site;
        one.axis            = axis;
        r                   = (ga_compress)(mask, along, one);
    }
    return gi_compose_end(&c, r);
}

/* For counts[k] repeats of k: these numbers, int64 on the CPU. */
static ga_array *gi_repeat_places(const gi_composition *c, const ga_array *counts)
{
    const int64_t *count = (const int64_t *)counts->data;
    int64_t        total = 0;
    for (int64_t k = 0; k < counts->size; k++) {
        if (count[k] < 0)
            return (ga_array *)gi_fail(c->site, GA_BAD_ARGUMENT, "%lld repeats: give 0 or more", (long long)count[k]);
        if (__builtin_add_overflow(total, count[k], &total))
            return (ga_array *)gi_fail(c->site, GA_BAD_SHAPE, "the repeats are more elements than can be counted");
    }
    ga_array      *places = gi_array_new(c->site, GA_I64, GA_CPU, 1, &total);
    int64_t       *place  = places ? (int64_t *)places->data : NULL;
    int64_t *const stop   = place ? place + total : NULL;
    for (int64_t k = 0; place && k < counts->size; place += count[k++]) {
        const int64_t many = count[k];
        if (stop - place >= 4) { /* without a branch that is taken by chance: what is beyond them is written over */
            place[0] = place[1] = place[2] = place[3] = k;
            for (int64_t i = 4; i < many; i++) place[i] = k;
        } else {
            for (int64_t i = 0; i < many; i++) place[i] = k;
        }
    }
    return places;
}

static ga_array *gi_repeat_each(const gi_composition *c, const ga_array *a, const ga_array *repeats, int axis)
{
    if (!gi_array_check_half(c->site, repeats, "repeats")) return NULL;
    if (gi_dtype_kind(repeats->dtype) > 1)
        return (ga_array *)gi_fail(c->site, GA_BAD_DTYPE, "repeats is %s: it must be integers", ga_dtype_name(repeats->dtype));
    ga_array *along = gi_along(c->site, a, &axis);
    if (!along) return NULL;
    if (repeats->size == 1) {
        int64_t         one;
        ga_axis_options o = ga_axis_defaults;
        o.site            = c->site;
        o.axis            = axis;
        o.out             = NULL;
        return gi_item_as(c->site, repeats, NULL, GA_I64, &one) ? gi_repeat_all(along, one, o) : NULL;
    }
    if (repeats->ndim != 1 || repeats->size != along->shape[axis])
        return (ga_array *)gi_fail(c->site, GA_BAD_SHAPE, "repeats has shape %s: give one number, or one for each of %lld",
                                   gi_shape_of(repeats), (long long)along->shape[axis]);
    ga_array *here = gi_copy_on_cpu(c->site, repeats), *counts = here ? gi_copy_contiguous(c->site, here, GA_I64) : NULL;
    ga_array *places = counts ? gi_repeat_places(c, counts) : NULL,
             *there  = places ? gi_copy_to(c->site, places, a->device) : NULL;
    return there ? gi_do_take(c, along, there, axis) : NULL;
}

ga_array *(ga_repeat)(const ga_array *a, ga_arg repeats, ga_axis_options o)
{
    if (!gi_options_axis(&o) || !gi_array_check_half_any(o.site, a, "a") || !gi_takes_only_axis("ga_repeat", &o)) return NULL;
    if (repeats.kind == GA_KIND_INT || repeats.kind == GA_KIND_BOOL) return gi_repeat_all(a, repeats.i, o);
    if (repeats.kind != GA_KIND_ARRAY) {
        char text[64];
        gi_number_text(repeats, text, sizeof text);
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "%s repeats: give %s", text,
                                   repeats.kind == GA_KIND_UINT ? "an integer that int64 holds" : "an integer");
    }
    gi_composition c;
    gi_compose_begin(&c, o.site);
    return gi_compose_end(&c, gi_repeat_each(&c, a, repeats.array, o.axis));
}

/* `values` in the dtype of a, as many dimensions, and its shape but for *count elements along the axis (-1: as many as it has). */
static ga_array *gi_insert_values(const gi_composition *c, const ga_array *a, int axis, const ga_array *values, bool one,
                                  int64_t *count)
{
    if (!values || values->ndim > a->ndim) {
        if (values)
            gi_fail(c->site, GA_BAD_SHAPE, "values have shape %s, more dimensions than %s", gi_shape_of(values),
                    gi_shape_of(a));
        return NULL;
    }
    gi_layout l = gi_layout_of(values);
    while (l.ndim < a->ndim) gi_layout_append(&l, 1, 0);
    for (int k = values->ndim; k > 0 && values->ndim < a->ndim; k--) gi_layout_swap(&l, k - 1, k - 1 + a->ndim - values->ndim);
    for (int d = 0; d < axis && one; d++) gi_layout_swap(&l, d, d + 1); /* at one place the first axis is the inserted one */
    ga_shape shape;
    memset(&shape, 0, sizeof shape);
    shape.ndim = a->ndim;
    memcpy(shape.n, a->shape, sizeof shape.n);
    if (*count < 0) *count = l.shape[axis];
    shape.n[axis]  = *count;
    ga_array *cast = (ga_astype)(gi_view_with(c->site, values, &l), a->dtype, c->site);
    return cast ? (ga_broadcast_to)(cast, shape, c->site) : NULL;
}

/* Where each element of the result comes from: below n from a, from n on from the values. */
static ga_array *gi_insert_sources(const gi_composition *c, const ga_array *places, int64_t n)
{
    int64_t   m = places->size, length = n + m, at = 0;
    ga_array *order = gi_do_along(c, (ga_argsort), places, 0), *from = gi_array_new(c->site, GA_I64, GA_CPU, 1, &length);
    if (!order || !from) return NULL;
    int64_t *to = (int64_t *)from->data;
    for (int64_t k = 0; k < m; k++) {
        int64_t which = ((const int64_t *)order->data)[k], place = ((const int64_t *)places->data)[which];
        for (; at < place; at++) *to++ = at;
        *to++ = n + which;
    }
    for (; at < n; at++) *to++ = at;
    return from;
}

static ga_array *gi_insert(const gi_composition *c, const ga_array *a, int axis, ga_array *places, const ga_array *values)
{
    int64_t n = a->shape[axis], count = -1;
    bool    one = places && places->ndim == 0;
    if (places && places->ndim > 1)
        return (ga_array *)gi_fail(c->site, GA_BAD_SHAPE, "the places have shape %s: they must have one dimension or none",
                                   gi_shape_of(places));
    places = gi_edit_places(c, places, n, n);
    if (!places) return NULL;
    if (places->size != 1) {
        count           = places->size;
        ga_array *line  = (ga_ravel)(places, c->site);
        ga_array *added = gi_insert_values(c, a, axis, values, false, &count);
        ga_array *all   = added ? gi_do_join(c, a, added, axis) : NULL,
                 *from  = all && line ? gi_insert_sources(c, line, n) : NULL;
        return from ? gi_do_take(c, all, gi_copy_to(c->site, from, a->device), axis) : NULL;
    }
    int64_t         at       = *(const int64_t *)places->data;
    ga_array       *added    = gi_insert_values(c, a, axis, values, one, &count);
    const ga_array *three[3] = { gi_do_part(c, a, axis, 0, at), added, gi_do_part(c, a, axis, at, n - at) };
    return three[0] && added && three[2] ? gi_join_along(c->site, 3, three, axis) : NULL;
}

ga_array *(ga_insert)(const ga_array *a, ga_arg where, ga_arg values, ga_axis_options o)
{
    if (!gi_options_axis(&o) || !gi_array_check_half_any(o.site, a, "a") || !gi_takes_only_axis("ga_insert", &o)) return NULL;
    gi_composition c;
    gi_compose_begin(&c, o.site);
    int       axis  = o.axis;
    ga_array *along = gi_along(o.site, a, &axis), *places = along ? gi_do_array(&c, where, "where", GA_CPU) : NULL;
    ga_array *added = places ? gi_do_value(&c, values, "values", a) : NULL;
    return gi_compose_end(&c, added ? gi_insert(&c, along, axis, places, added) : NULL);
}

ga_array *(ga_resize)(const ga_array *a, ga_shape shape, const char *site)
{
    if (!gi_array_check_half_any(site, a, "a")) return NULL;
    const int64_t size = gi_shape_count(site, a->dtype, &shape);
    if (size < 0) return NULL;
    if (a->size == 0 || size == 0) return (ga_zeros)(shape, gi_new_on(site, a->dtype, a->device));
    gi_composition c;
    gi_compose_begin(&c, site);
    ga_shape  times = gi_line((size - 1) / a->size + 1);
    ga_array *line = (ga_ravel)(a, site), *many = line && times.n[0] > 1 ? (ga_tile)(line, times, site) : line;
    ga_array *part = gi_do_part(&c, many, 0, 0, size), *r = part ? (ga_reshape)(part, shape, site) : NULL;
    return gi_compose_end(&c, r && ga_may_share_memory(r, a) ? (ga_copy)(r, site) : r);
}

/* How many flags are false before the first that is true; -1 with an error. */
static int64_t gi_false_before(const gi_composition *c, const ga_array *flags)
{
    if (!flags || flags->size == 0) return flags ? 0 : -1;
    int64_t   first;
    bool      found;
    ga_array *place = gi_do_fold(c, (ga_argmax), flags, GA_AXIS_DEFAULT, false);
    if (!place || !gi_item_as(c->site, place, NULL, GA_I64, &first)) return -1;
    ga_array *flag = gi_do_part(c, flags, 0, first, 1);
    if (!flag || !gi_item_as(c->site, flag, NULL, GA_BOOL, &found)) return -1;
    return found ? first : flags->size;
}

ga_array *(ga_trim_zeros)(const ga_array *a, ga_trim_options o)
{
    if (!gi_options_trim(&o) || !gi_array_check_half(o.site, a, "a")) return NULL;
    if (a->ndim != 1)
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "a has shape %s: it must have one dimension", gi_shape_of(a));
    if (strlen(o.trim) > 2 || strspn(o.trim, "fFbB") != strlen(o.trim))
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, ".trim = \"%.20s\": it is \"f\", \"b\" or \"fb\"", o.trim);
    gi_composition c;
    gi_compose_begin(&c, o.site);
    ga_array *flags = GI_DO_2(&c, not_equal, a, 0), *turned = flags ? (ga_flipud)(flags, o.site) : NULL;
    int64_t   before = strpbrk(o.trim, "fF") ? gi_false_before(&c, flags) : 0;
    int64_t   behind = strpbrk(o.trim, "bB") ? gi_false_before(&c, turned) : 0, count = a->size - before - behind;
    bool      known = turned && before >= 0 && behind >= 0;
    return gi_compose_end(&c, known ? gi_do_part(&c, a, 0, before, count > 0 ? count : 0) : NULL);
}
