/* ---- axes put in, arrays stacked and cut ------------------------------------------------------------------------- */

ga_array *(ga_atleast_1d)(const ga_array *a, const char *site)
{
    if (!gi_array_is_alive(site, a, "a")) return NULL;
    gi_layout l = gi_layout_of(a);
    if (a->ndim == 0) gi_layout_append(&l, 1, 0);
    return gi_view_with(site, a, &l);
}

ga_array *(ga_atleast_2d)(const ga_array *a, const char *site)
{
    if (!gi_array_is_alive(site, a, "a")) return NULL;
    gi_layout l = gi_layout_of(a);
    if (a->ndim == 0) gi_layout_append(&l, 1, 0);
    if (a->ndim <= 1) {
        gi_layout_append(&l, 1, 0);
        gi_layout_swap(&l, 0, 1);
    }
    return gi_view_with(site, a, &l);
}

ga_array *(ga_atleast_3d)(const ga_array *a, const char *site)
{
    if (!gi_array_is_alive(site, a, "a")) return NULL;
    gi_layout l = gi_layout_of(a);
    while (l.ndim < 3) gi_layout_append(&l, 1, 0);
    if (a->ndim == 1) gi_layout_swap(&l, 0, 1);
    return gi_view_with(site, a, &l);
}

ga_array *(ga_matrix_transpose)(const ga_array *a, const char *site)
{
    if (!gi_array_is_alive(site, a, "a")) return NULL;
    if (a->ndim < 2)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "a has shape %s: it must be a matrix, or a stack of them",
                                   gi_shape_of(a));
    return (ga_swapaxes)(a, -1, -2, site);
}

/* Each array becomes what `as` makes of it, then they are joined: along that axis, or the first if they have no more. */
static ga_array *gi_stack_as(ga_array *(*as)(const ga_array *, const char *), int n, const ga_array *const *arrays, int axis,
                             const ga_join_options *o)
{
    if (!gi_options_join(o) || !gi_join_check_list(o->site, n, arrays)) return NULL;
    const ga_array **made = (const ga_array **)gi_mem_alloc(o->site, (size_t)n * sizeof *made);
    if (!made) return NULL;
    gi_composition c;
    gi_compose_begin(&c, o->site);
    bool all = true;
    for (int k = 0; k < n && all; k++) all = (made[k] = as(arrays[k], o->site)) != NULL;
    ga_axis_options joined = ga_axis_defaults;
    joined.site            = o->site;
    joined.dtype           = o->dtype;
    joined.axis            = all && made[0]->ndim > axis ? axis : 0;
    ga_array *r            = gi_compose_end(&c, all ? (ga_concatenate_n)(n, made, joined) : NULL);
    gi_mem_release(made, (size_t)n * sizeof *made);
    return r;
}

/* A vector as a column. */
static ga_array *gi_column_of(const ga_array *a, const char *site)
{
    if (a->ndim > 1) return (ga_view)(a, site);
    gi_layout l = gi_layout_of(a);
    while (l.ndim < 2) gi_layout_append(&l, 1, 0);
    return gi_view_with(site, a, &l);
}

ga_array *(ga_hstack_n)(int n, const ga_array *const *arrays, ga_join_options o)
{
    return gi_stack_as((ga_atleast_1d), n, arrays, 1, &o);
}
ga_array *(ga_vstack_n)(int n, const ga_array *const *arrays, ga_join_options o)
{
    return gi_stack_as((ga_atleast_2d), n, arrays, 0, &o);
}
ga_array *(ga_dstack_n)(int n, const ga_array *const *arrays, ga_join_options o)
{
    return gi_stack_as((ga_atleast_3d), n, arrays, 2, &o);
}
ga_array *(ga_column_stack_n)(int n, const ga_array *const *arrays, ga_join_options o)
{
    return gi_stack_as(gi_column_of, n, arrays, 1, &o);
}

bool(ga_broadcast_arrays)(int n, const ga_array *const *arrays, ga_array **outs, const char *site)
{
    for (int k = 0; outs && k < n; k++) outs[k] = NULL;
    if (!outs) return gi_fail(site, GA_BAD_ARGUMENT, "outs is NULL: give an array of as many pointers") != NULL;
    if (!gi_join_check_list(site, n, arrays)) return false;
    ga_shape shape;
    memset(&shape, 0, sizeof shape);
    for (int k = 0; k < n; k++)
        if (!gi_shape_broadcast(&shape.ndim, shape.n, arrays[k]->ndim, arrays[k]->shape)) {
            gi_fail(site, GA_BAD_SHAPE, "array number %d has shape %s, which does not fit %s: lengths must be equal or 1", k,
                    gi_shape_of(arrays[k]), gi_shape_text(shape.ndim, shape.n));
            return false;
        }
    for (int k = 0; k < n; k++) {
        outs[k] = (ga_broadcast_to)(arrays[k], shape, site);
        if (outs[k]) continue;
        gi_array_free_all(k, outs);
        return false;
    }
    return true;
}

/* ---- cut ------------------------------------------------------------------------------------------------------------- */

bool(ga_array_split)(const ga_array *a, int n, ga_array **parts, ga_axis_options o)
{
    int axis = gi_split_axis(a, n, parts, &o);
    if (axis < 0) return false;
    int64_t *cuts = (int64_t *)gi_mem_alloc(o.site, (size_t)n * sizeof *cuts); /* the first length % n parts have one more */
    if (!cuts) return false;
    int64_t length = a->shape[axis], each = length / n, more = length % n;
    for (int k = 0; k < n; k++) cuts[k] = (k + 1) * each + (k + 1 < more ? k + 1 : more);
    bool done = gi_split(a, n, cuts, axis, parts, o.site);
    gi_mem_release(cuts, (size_t)n * sizeof *cuts);
    return done;
}

/* Along that axis, or the first if there is no such; of an array with at least so many. */
static bool gi_split_along(const ga_array *a, int n, ga_array **parts, int axis, int least, const char *site)
{
    for (int k = 0; parts && k < n; k++) parts[k] = NULL;
    if (!gi_array_is_alive(site, a, "a")) return false;
    if (a->ndim < least) {
        gi_fail(site, GA_BAD_SHAPE, "shape %s has %d dimension%s: %d or more are needed", gi_shape_of(a), a->ndim,
                a->ndim == 1 ? "" : "s", least);
        return false;
    }
    ga_axis_options o = ga_axis_defaults;
    o.site            = site;
    o.axis            = a->ndim > axis ? axis : 0;
    return (ga_split)(a, n, parts, o);
}

bool(ga_hsplit)(const ga_array *a, int n, ga_array **parts, const char *site)
{
    return gi_split_along(a, n, parts, 1, 1, site);
}
bool(ga_vsplit)(const ga_array *a, int n, ga_array **parts, const char *site)
{
    return gi_split_along(a, n, parts, 0, 2, site);
}
bool(ga_dsplit)(const ga_array *a, int n, ga_array **parts, const char *site)
{
    return gi_split_along(a, n, parts, 2, 3, site);
}

bool(ga_unstack)(const ga_array *a, int n, ga_array **parts, ga_axis_options o)
{
    ga_array *none[1]; /* an axis of length 0 has no parts, and needs no pointers */
    int       axis = gi_split_axis(a, n == 0 ? 1 : n, n == 0 ? none : parts, &o);
    if (axis < 0) return false;
    if (a->shape[axis] != n) {
        gi_fail(o.site, GA_BAD_SHAPE, "%d parts of axis %d of %s: there are %lld", n, axis, gi_shape_of(a),
                (long long)a->shape[axis]);
        return false;
    }
    for (int k = 0; k < n; k++) {
        gi_layout l = gi_layout_of(a);
        if (a->size > 0) l.data += k * l.strides[axis];
        for (int d = axis; d < l.ndim - 1; d++) gi_layout_swap(&l, d, d + 1);
        l.ndim--;
        parts[k] = gi_view_with(o.site, a, &l);
        if (parts[k]) continue;
        gi_array_free_all(k, parts);
        return false;
    }
    return true;
}
