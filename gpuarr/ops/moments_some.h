/* ---- means, variances and standard deviations of the elements that .where names --------------------------------------- */
/*  Their sum in float64 (complex128) over their number; then that of the squares of what they differ from it, over their number less
    .ddof, or 0 where there are not so many: of none the result is NaN, as NumPy's.                                             */

/* The mask as bool in the shape of a: a view. */
static ga_array *gi_do_mask(const gi_composition *c, const ga_array *a, const ga_array *where)
{
    ga_shape shape;
    memset(&shape, 0, sizeof shape);
    shape.ndim = a->ndim;
    memcpy(shape.n, a->shape, sizeof shape.n);
    int     ndim = a->ndim;
    int64_t both[GPUARR_MAX_DIMS];
    memcpy(both, a->shape, sizeof both);
    if (!gi_shape_broadcast(&ndim, both, where->ndim, where->shape) || !gi_shape_equal(ndim, both, a->ndim, a->shape))
        return (ga_array *)gi_fail(c->site, GA_BAD_SHAPE, ".where has shape %s and does not broadcast to a's %s",
                                   gi_shape_of(where), gi_shape_of(a));
    ga_array *truths = gi_copy_contiguous(c->site, where, GA_BOOL);
    return truths ? (ga_broadcast_to)(truths, shape, c->site) : NULL;
}

/* The sum of those of a that the mask names (NULL: of all), over the axes of the call. */
static ga_array *gi_do_sum_some(const gi_composition *c, const ga_array *a, const ga_array *mask, const ga_reduce_options *o,
                                bool keepdims)
{
    ga_reduce_options sum = gi_reduce_site(c->site);
    sum.axis              = o->axis;
    sum.axes              = o->axes;
    sum.keepdims          = keepdims;
    sum.out               = NULL;
    if (mask) a = (ga_where)(mask, gi_operand_arg(a), GA_ARG(0), gi_map_site(c->site)); /* as .where of a sum */
    return a ? gi_reduce_row(GI_WIDE_ROW(sum)(), a, sum) : NULL;
}

/* What the numbers x differ by, in square. */
static ga_array *gi_do_squares(const gi_composition *c, const ga_array *x)
{
    if (!x || !gi_is_complex(x->dtype)) return GI_DO_WIDE_1(c, square, x);
    return GI_DO_WIDE_2(c, add, GI_DO_WIDE_1(c, square, GI_DO_WIDE_1(c, real, x)),
                        GI_DO_WIDE_1(c, square, GI_DO_WIDE_1(c, imag, x)));
}

static ga_array *gi_do_moment_some(const gi_composition *c, gi_moment what, const ga_array *a, const ga_reduce_options *o)
{
    const ga_dtype of = gi_dtype_computed(what == GI_MEAN ? a->dtype : gi_dtype_real(a->dtype)),
                   dtype =
                       o->dtype != GA_DTYPE_DEFAULT ? gi_dtype_computed(o->dtype) : gi_reduce_end_dtype(GI_ENDS_AVERAGE, of),
                   wide = gi_is_complex(a->dtype) || gi_is_complex(dtype) ? GA_C128 : GA_F64,
                   end  = o->dtype != GA_DTYPE_DEFAULT ? o->dtype
                          : gi_is_half(a->dtype)       ? a->dtype
                                                       : dtype;
    const bool spread   = what != GI_MEAN;
    ga_array  *mask     = gi_do_mask(c, a, o->where);
    if (!mask) return NULL;
    ga_array *x = !spread && o->dtype != GA_DTYPE_DEFAULT ? (ga_astype)(a, o->dtype, c->site) : (ga_view)(a, c->site);
    if (x && x->dtype != wide) x = (ga_astype)(x, wide, c->site);
    ga_array *n = gi_do_sum_some(c, mask, NULL, o, spread || o->keepdims);
    ga_array *r = GI_DO_WIDE_2(c, divide, gi_do_sum_some(c, x, mask, o, spread || o->keepdims), n);
    if (spread) {
        ga_array *squares = gi_do_sum_some(c, gi_do_squares(c, GI_DO_WIDE_2(c, subtract, x, r)), mask, o, o->keepdims);
        if (!o->keepdims) n = gi_do_sum_some(c, mask, NULL, o, false);
        r = GI_DO_WIDE_2(c, divide, squares, GI_DO_WIDE_2(c, maximum, GI_DO_WIDE_2(c, subtract, n, (double)o->ddof), 0));
        if (what == GI_STD) r = GI_DO_WIDE_1(c, sqrt, r);
    }
    if (r && r->dtype != dtype) r = (ga_astype)(r, dtype, c->site);
    return r ? gi_copy_finish(c->site, r, end, o->out) : NULL;
}

/* Its options were taken; .where or .initial is given. */
static ga_array *gi_moment_some(gi_moment what, const char *name, const ga_array *a, ga_reduce_options o)
{
    if (what != GI_MEAN && o.dtype != GA_DTYPE_DEFAULT && !gi_is_float(gi_dtype_computed(o.dtype)))
        return (ga_array *)gi_fail(o.site, GA_BAD_DTYPE, "%s returns floats: .dtype may be GA_F32 or GA_F64", name);
    if (what == GI_MEAN && o.ddof != 0)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "%s takes no .ddof: that is for ga_std and ga_var", name);
    if (gi_is_given(o.initial))
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "%s takes no .initial: that is for sums, products, min and max",
                                   name);
    if (a->ndim == 0 && o.axis != GA_AXIS_DEFAULT && gi_axis(o.site, o.axis, 0) < 0) return NULL;
    gi_composition c;
    gi_compose_begin(&c, o.site);
    return gi_compose_end(&c, gi_do_moment_some(&c, what, a, &o));
}

static ga_array *gi_moment_call(gi_moment what, const char *name, const ga_array *a, ga_reduce_options o)
{
    if (o.where == GA_NO_ARRAY && !gi_is_given(o.initial)) return gi_moment_all(what, false, name, a, o);
    if (!gi_options_fold(&o) || !gi_array_check_half_any(o.site, a, "a")) return NULL;
    if (o.where != GA_NO_ARRAY && !gi_array_check_half_any(o.site, o.where, ".where")) return NULL;
    return gi_moment_some(what, name, a, o);
}

ga_array *(ga_var)(const ga_array *a, ga_reduce_options o) { return gi_moment_call(GI_VAR, "ga_var", a, o); }
ga_array *(ga_std)(const ga_array *a, ga_reduce_options o) { return gi_moment_call(GI_STD, "ga_std", a, o); }
