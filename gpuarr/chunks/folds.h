/* ---- nodes: reductions --------------------------------------------------------------------------------------------------------------- */
/*  A reduction is worked out before what needs it, and its value stays in the node for that time. Lines that are not too long are given
    whole to the function for arrays in memory. Long ones are cut into parts that are whole branches of the documented tree, so
    that what is joined of them is what the tree gives.                                                                        */

typedef enum gi_fold_sort { GI_FOLD_ROW, GI_FOLD_MOMENT, GI_FOLD_PLACE, GI_FOLD_WHOLE } gi_fold_sort;

typedef struct gi_fold_plan {
    gi_fold_sort  sort;
    const char   *name;
    const gi_row *row;  /* rows, places */
    gi_moment     what; /* moments */
    bool          skip_nan;
    ga_array *(*whole)(const ga_array *a, const void *options,
                       const ga_shape *axes); /* any other: a public call along `axes` */
    double            options[24];
    ga_reduce_options o;
    bool              marked[GPUARR_MAX_DIMS]; /* the axes that are reduced */
} gi_fold_plan;

/* The reduction of an array in memory along its last axes. */
static ga_array *gi_fold_in_memory(const gi_fold_plan *p, const ga_array *a, int reduced)
{
    ga_reduce_options o = p->o;
    o.keepdims          = false;
    o.axis              = GA_AXIS_DEFAULT;
    o.axes.ndim         = reduced;
    for (int d = 0; d < reduced; d++) o.axes.n[d] = a->ndim - reduced + d;
    switch (p->sort) {
    case GI_FOLD_ROW: return gi_reduce_row(p->row, a, o);
    case GI_FOLD_MOMENT: return gi_moment_of(p->what, p->skip_nan, p->name, a, o);
    case GI_FOLD_PLACE: return gi_search_extreme(p->row, gi_row_less_equal(), p->name, p->skip_nan, a, o);
    default: return p->whole(a, p->options, &o.axes);
    }
}

/* a with the axes that are kept first, those that are reduced last. */
static gi_layout gi_reduced_last(const ga_array *a, const bool *marked)
{
    gi_layout l = gi_layout_of(a);
    int       n = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int d = 0; d < a->ndim; d++) {
            if (marked[d] != (pass == 1)) continue;
            l.shape[n]     = a->shape[d];
            l.strides[n++] = a->strides[d];
        }
    return l;
}

GI_TABLE(gi_lazy_kind, gi_kind_fold, { "reduction", gi_eval_first, GI_LOCAL | GI_FIRST | GI_ALONE, NULL })

/* The node of a reduction that has been checked. */
static ga_array *gi_chunked_fold(ga_dtype dtype, const ga_array *a, gi_fold_plan *p)
{
    const char *site = p->o.site;
    int64_t     shape[GPUARR_MAX_DIMS];
    int         ndim = 0;
    if (!gi_chunk_no_out(site, p->o.out) || gi_lines_mark_axes(site, a->ndim, p->o.axis, &p->o.axes, p->marked) < 0)
        return NULL;
    for (int d = 0; d < a->ndim; d++)
        if (!p->marked[d] || p->o.keepdims) shape[ndim++] = p->marked[d] ? 1 : a->shape[d];
    ga_array *r = gi_lazy_new(site, gi_kind_fold(), dtype, ndim, shape, 1, &a, p, sizeof *p);
    if (r) memset(r->owner->node->chunk, 0, sizeof r->owner->node->chunk);
    if (r) gi_chunk_fill_lengths(ndim, shape, ga_itemsize(dtype), r->owner->node->chunk);
    return r;
}

static gi_fold_plan gi_fold_plan_of(gi_fold_sort sort, const char *name, const gi_row *row, const ga_reduce_options *o)
{
    static gi_fold_plan none;
    gi_fold_plan        p = none;
    p.sort                = sort;
    p.name                = name;
    p.row                 = row;
    p.o                   = *o;
    return p;
}

static ga_array *gi_chunked_row(const gi_row *row, ga_dtype dtype, const ga_array *a, const ga_reduce_options *o)
{
    gi_fold_plan p = gi_fold_plan_of(GI_FOLD_ROW, row->name, row, o);
    return gi_chunked_fold(dtype, a, &p);
}

static ga_array *gi_chunked_moment(gi_moment what, bool skip_nan, const char *name, ga_dtype dtype, const ga_array *a,
                                   const ga_reduce_options *o)
{
    gi_fold_plan p = gi_fold_plan_of(GI_FOLD_MOMENT, name, NULL, o);
    p.what         = what;
    p.skip_nan     = skip_nan;
    return gi_chunked_fold(dtype, a, &p);
}

static ga_array *gi_chunked_place(const gi_row *row, const char *name, bool skip_nan, const ga_array *a,
                                  const ga_reduce_options *o)
{
    gi_fold_plan p = gi_fold_plan_of(GI_FOLD_PLACE, name, row, o);
    p.skip_nan     = skip_nan;
    return gi_chunked_fold(GA_I64, a, &p);
}

/* ---- reductions of the user's ---- */
/*  As the others they are worked out before what needs them: line by line by the very call, long lines as branches of the documented tree. */

typedef struct gi_own_fold {
    const ga_reduction *asked;
    gi_reducing         r; /* what was chosen of it for these operands; no lines yet */
    int                 operands, ndim;
    ga_arg              in[GPUARR_MAX_INPUTS]; /* those that are arrays are the node's inputs, in their order */
    int64_t             shape[GPUARR_MAX_DIMS];
    bool                marked[GPUARR_MAX_DIMS];
    ga_reduce_options   o;
} gi_own_fold;

GI_TABLE(gi_lazy_kind, gi_kind_own_fold, { "reduction", gi_eval_first, GI_LOCAL | GI_FIRST, NULL })

static ga_array *gi_chunked_reduce(const ga_reduction *asked, const gi_reducing *r, int operands, const ga_arg *in,
                                   const ga_reduce_options *o, int ndim, const int64_t *shape)
{
    gi_own_fold     p;
    const ga_array *arrays[GPUARR_MAX_INPUTS];
    int64_t         result[GPUARR_MAX_DIMS];
    int             inputs = 0, m = 0;
    if (!gi_chunk_no_out(o->site, o->out)) return NULL;
    memset((void *)&p, 0, sizeof p);
    p.asked    = asked;
    p.r        = *r;
    p.operands = operands;
    p.ndim     = ndim;
    p.o        = *o;
    if (gi_lines_mark_axes(o->site, ndim, o->axis, &o->axes, p.marked) < 0) return NULL;
    for (int d = 0; d < ndim; d++) {
        p.shape[d] = shape[d];
        if (!p.marked[d] || o->keepdims) result[m++] = p.marked[d] ? 1 : shape[d];
    }
    for (int i = 0; i < operands; i++) {
        p.in[i] = in[i];
        if (in[i].array) arrays[inputs++] = in[i].array;
    }
    ga_array *f = gi_lazy_new(o->site, gi_kind_own_fold(), r->k->result, m, result, inputs, arrays, &p, sizeof p);
    if (f) memset(f->owner->node->chunk, 0, sizeof f->owner->node->chunk);
    if (f) gi_chunk_fill_lengths(m, result, ga_itemsize(r->k->result), f->owner->node->chunk);
    return f;
}

/* ---- medians, percentiles ---- */

typedef struct gi_order_call { /* options of gi_fold_plan.whole */
    const char        *site, *name;
    bool               skip_nan, median, listed, single; /* listed: q came in an array, of float32 or of something else */
    ga_quantile_method method;
    double             whole, q;
} gi_order_call;

static ga_array *gi_order_lines(const ga_array *a, const void *options, const ga_shape *axes)
{
    const gi_order_call *p = (const gi_order_call *)options;
    ga_order_options     o = ga_order_defaults;
    ga_arg               q;
    o.site   = p->site;
    o.out    = NULL;
    o.axes   = *axes;
    o.method = p->method;
    if (p->median) return gi_order_median(p->name, p->skip_nan, a, o);
    memset(&q, 0, sizeof q);
    q.kind = GA_KIND_REAL;
    q.re   = p->q;
    if (!p->listed) return gi_order_percentile(p->name, p->skip_nan, p->whole, a, q, o);
    ga_array *number = gi_array_new(p->site, p->single ? GA_F32 : GA_F64, GA_CPU, 0, NULL), *r = NULL;
    if (number) {
        gi_number_to(q, number->dtype, number->data);
        r = gi_order_percentile(p->name, p->skip_nan, p->whole, a, gi_operand_arg(number), o);
    }
    ga_free(number);
    return r;
}

static ga_array *gi_chunked_order(ga_dtype dtype, const ga_array *a, const gi_order_call *call, const ga_order_options *options)
{
    ga_reduce_options o = ga_reduce_defaults;
    o.site              = call->site;
    o.axis              = options->axis;
    o.axes              = options->axes;
    o.keepdims          = options->keepdims;
    o.out               = options->out;
    gi_fold_plan p      = gi_fold_plan_of(GI_FOLD_WHOLE, call->name, NULL, &o);
    p.whole             = gi_order_lines;
    memcpy(p.options, call, sizeof *call);
    return gi_chunked_fold(dtype, a, &p);
}

static gi_order_call gi_order_call_of(const char *name, bool skip_nan, const ga_order_options *o)
{
    gi_order_call p;
    memset(&p, 0, sizeof p);
    p.site     = o->site;
    p.name     = name;
    p.skip_nan = skip_nan;
    p.method   = o->method;
    return p;
}

static ga_array *gi_chunked_median(const char *name, bool skip_nan, ga_dtype dtype, const ga_array *a,
                                   const ga_order_options *o)
{
    gi_order_call p = gi_order_call_of(name, skip_nan, o);
    p.median        = true;
    return gi_chunked_order(dtype, a, &p, o);
}

/* Several percentiles: each by itself, of lines that are computed once. */
static ga_array *gi_chunked_percentile(const char *name, bool skip_nan, double whole, ga_dtype dtype, const ga_array *a,
                                       ga_arg q, const ga_array *percent, const ga_order_options *o)
{
    gi_order_call p       = gi_order_call_of(name, skip_nan, o);
    const double *numbers = (const double *)percent->data;
    p.whole               = whole;
    if (!q.array) {
        p.q = numbers[0];
        return gi_chunked_order(dtype, a, &p, o);
    }
    if (!gi_chunk_no_out(o->site, o->out)) return NULL;
    if (q.array->size == 0 || q.array->size > INT_MAX)
        return (ga_array *)gi_fail(o->site, GA_BAD_SHAPE,
                                   "q of shape %s for a chunked array: give some percentiles, or ga_compute a first",
                                   gi_shape_of(q.array));
    p.listed           = true;
    p.single           = q.array->dtype == GA_F32;
    int              n = (int)q.array->size, made = 0;
    ga_array        *r = NULL, *joined = NULL;
    const ga_array **list = (const ga_array **)gi_mem_alloc(o->site, (size_t)n * sizeof *list);
    for (; list && made < n; made++) {
        p.q        = numbers[made];
        list[made] = gi_chunked_order(dtype, a, &p, o);
        if (!list[made]) break;
    }
    if (list && made == n) {
        ga_axis_options along = ga_axis_defaults;
        along.axis            = 0;
        along.site            = o->site;
        joined                = (ga_stack_n)(n, list, along);
    }
    if (joined) {
        ga_shape shape;
        memset(&shape, 0, sizeof shape);
        shape.ndim = q.array->ndim + joined->ndim - 1;
        if (shape.ndim > GPUARR_MAX_DIMS)
            gi_fail(o->site, GA_BAD_SHAPE, "the result has more dimensions than an array can have");
        else {
            for (int d = 0; d < shape.ndim; d++)
                shape.n[d] = d < q.array->ndim ? q.array->shape[d] : joined->shape[d - q.array->ndim + 1];
            r = (ga_reshape)(joined, shape, o->site);
        }
    }
    if (list) {
        gi_array_free_all(made, (ga_array **)(void *)list);
        gi_mem_release(list, (size_t)n * sizeof *list);
    }
    ga_free(joined);
    return r;
}
