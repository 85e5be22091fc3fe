/* ==== >>compositions: calls that are made of other calls ============================================================ */
/*  Between gi_compose_begin and gi_compose_end every new array is a temporary, as in a ga_scope; the end releases all but the result,
    whatever has happened. A call that fails returns NULL, a call with NULL returns NULL, and the first error is the one that is kept: so a
    composition asks for NULL only where it looks into an array. Errors are told at the end, when nothing is held any more.

        gi_composition c;
        gi_compose_begin(&c, o.site);
        ga_array *d = GI_DO_2(&c, subtract, a, b);
        return gi_compose_end(&c, gi_do_fold(&c, (ga_sum), d, 0, false));

    The public functions that it calls get the site of the user's call. A composition has the chunked arrays and the devices that all of its
    calls have, without code for them.                                                                                            */

/* Compositions call these again and again: inlined, their operands and options are copied at each place. */
#define GI_ONE_COPY static __attribute__((noinline))

typedef struct gi_composition {
    gi_scope      temporaries;
    gi_error_held errors;
    const char   *site;
} gi_composition;

GI_ONE_COPY void gi_compose_begin(gi_composition *c, const char *site)
{
    c->site   = site;
    c->errors = gi_error_hold();
    gi_scope_begin(&c->temporaries);
}

/* Takes an array out of the temporaries, if it is one: the .out of a call is not. */
static ga_array *gi_compose_keep(const gi_composition *c, ga_array *a)
{
    return a && a->scope == &c->temporaries ? ga_keep(a) : a;
}

GI_ONE_COPY ga_array *gi_compose_end(gi_composition *c, ga_array *result)
{
    ga_array *kept = gi_compose_keep(c, result);
    gi_scope_end(&c->temporaries);
    gi_error_let_go(c->errors, "");
    return kept;
}

/* ---- the calls ----------------------------------------------------------------------------------------------------- */

/* Rows whose result takes the place of an array that nobody needs any more, unless its elements come later. */
GI_ONE_COPY ga_map_options gi_map_in_place(const gi_composition *c, ga_array *a)
{
    ga_map_options o = gi_map_site(c->site);
    if (a && !gi_is_deferred(a)) o.out = a;
    return o;
}

/* Rows of the table, by name, of operands that are arrays or numbers. */
#define GI_DO_1(c, name, x)         gi_do_1(c, (ga_##name), x)
#define GI_DO_2(c, name, x, y)      gi_do_2(c, (ga_##name), GA_ARG(x), GA_ARG(y))
#define GI_DO_WIDE_1(c, name, x)    gi_do_wide(c, GI_WIDE_ROW(name)(), 1, gi_operand_arg(x), GA_ARG(0))
#define GI_DO_WIDE_2(c, name, x, y) gi_do_wide(c, GI_WIDE_ROW(name)(), 2, GA_ARG(x), GA_ARG(y))
#define GI_DO_WHERE(c, mask, x, y)  (ga_where)(mask, GA_ARG(x), GA_ARG(y), gi_map_site((c)->site))

/* In float64 or complex128: such rows have no other loops in a program of one file. */
GI_ONE_COPY ga_array *gi_do_wide(const gi_composition *c, const gi_row *row, int n, ga_arg x, ga_arg y)
{
    const ga_arg in[2] = { x, y };
    return gi_call(row, n, in, gi_map_site(c->site));
}
GI_ONE_COPY ga_array *gi_do_1(const gi_composition *c, ga_array *(*row)(const ga_array *, ga_map_options), const ga_array *x)
{
    return row(x, gi_map_site(c->site));
}
GI_ONE_COPY ga_array *gi_do_2(const gi_composition *c, ga_array *(*row)(ga_arg, ga_arg, ga_map_options), ga_arg x, ga_arg y)
{
    return row(x, y, gi_map_site(c->site));
}

/* ga_sum and its like: along an axis, or GA_AXIS_DEFAULT. */
GI_ONE_COPY ga_array *gi_do_fold(const gi_composition *c, ga_array *(*fold)(const ga_array *, ga_reduce_options),
                                 const ga_array *a, int axis, bool keepdims)
{
    ga_reduce_options o = gi_reduce_site(c->site);
    o.axis              = axis;
    o.keepdims          = keepdims;
    return fold(a, o);
}

/* ga_sort, ga_cumsum and their like. */
GI_ONE_COPY ga_array *gi_do_along(const gi_composition *c, ga_array *(*f)(const ga_array *, ga_axis_options), const ga_array *a,
                                  int axis)
{
    ga_axis_options o = ga_axis_defaults;
    o.site            = c->site;
    o.axis            = axis;
    return f(a, o);
}

/* a[..., indices, ...] along an axis. */
GI_ONE_COPY ga_array *gi_do_take(const gi_composition *c, const ga_array *a, const ga_array *indices, int axis)
{
    ga_take_options o = ga_take_defaults;
    o.site            = c->site;
    o.axis            = axis;
    return (ga_take)(a, indices, o);
}

/* The elements start .. start + count along an axis: a view. */
GI_ONE_COPY ga_array *gi_do_part(const gi_composition *c, const ga_array *a, int axis, int64_t start, int64_t count)
{
    return a ? gi_part(c->site, a, axis, start, count) : NULL;
}

GI_ONE_COPY ga_array *gi_do_join(const gi_composition *c, const ga_array *first, const ga_array *second, int axis)
{
    const ga_array *both[2] = { first, second };
    return gi_join_along(c->site, 2, both, axis);
}

GI_ONE_COPY ga_array *gi_do_reshape(const gi_composition *c, const ga_array *a, int ndim, const int64_t *shape)
{
    ga_shape s;
    memset(&s, 0, sizeof s);
    s.ndim = ndim;
    for (int d = 0; d < ndim && d < GPUARR_MAX_DIMS; d++) s.n[d] = shape[d];
    return (ga_reshape)(a, s, c->site);
}

/* Of a 1-D array: the view with `ndim` dimensions, of length 1 but along `axis`. */
GI_ONE_COPY ga_array *gi_do_turn(const gi_composition *c, const ga_array *line, int axis, int ndim)
{
    int64_t shape[GPUARR_MAX_DIMS];
    for (int d = 0; d < GPUARR_MAX_DIMS; d++) shape[d] = d == axis && line ? line->size : 1;
    return gi_do_reshape(c, line, ndim, shape);
}

/* ---- new arrays ---------------------------------------------------------------------------------------------------- */

GI_ONE_COPY ga_new_options gi_new_on(const char *site, ga_dtype dtype, ga_device device)
{
    ga_new_options o = ga_new_defaults;
    o.site           = site;
    o.dtype          = dtype;
    o.device         = device;
    return o;
}

/* start, start + 1 ... of so many int64. */
GI_ONE_COPY ga_array *gi_do_count(const gi_composition *c, int64_t start, int64_t count, ga_device device)
{
    return (ga_arange)(GA_ARG(start), GA_ARG(start + count), GA_ARG(1), gi_new_on(c->site, GA_I64, device));
}

/* An operand as an array: a number becomes one without dimensions, where the other arrays are. */
GI_ONE_COPY ga_array *gi_do_array_half(const gi_composition *c, ga_arg v, const char *name, ga_device device)
{
    if (v.kind != GA_KIND_ARRAY) return (ga_scalar)(v, gi_new_on(c->site, GA_DTYPE_DEFAULT, device));
    return gi_array_check_half_any(c->site, v.array, name) ? (ga_view)(v.array, c->site) : NULL;
}
GI_ONE_COPY ga_array *gi_do_array(const gi_composition *c, ga_arg v, const char *name, ga_device device)
{
    ga_array *a = gi_do_array_half(c, v, name, device);
    return a && gi_array_is_no_half(c->site, a, name) ? a : NULL;
}

/* The same for elements of a: a number must fit its dtype, and becomes of it. */
GI_ONE_COPY ga_array *gi_do_value(const gi_composition *c, ga_arg v, const char *name, const ga_array *a)
{
    if (v.kind == GA_KIND_ARRAY) return gi_do_array_half(c, v, name, a->device);
    if (!gi_copy_keeps_kind(c->site, v, a->dtype)) return NULL;
    return (ga_scalar)(v, gi_new_on(c->site, a->dtype, a->device));
}
