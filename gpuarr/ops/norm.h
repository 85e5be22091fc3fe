/* ---- norm ---------------------------------------------------------------------------------------------------------------- */

/* f(x) of an array that is then freed. */
static ga_array *gi_then(ga_array *(*f)(const ga_array *, ga_map_options), const char *site, ga_array *x)
{
    ga_array *r = x ? f(x, gi_map_site(site)) : NULL;
    ga_free(x);
    return r;
}

/* The largest of sizes, which is 0 of none, or the smallest. */
static ga_array *gi_extreme_size(const ga_array *x, bool largest, ga_reduce_options r)
{
    return !x ? NULL : !largest ? (ga_min)(x, r) : x->size > 0 ? (ga_max)(x, r) : (ga_sum)(x, r);
}

/* GA_FRO and GA_NUC are not for vectors. False with an error. */
static bool gi_norm_fits(const char *site, double ord, bool matrix)
{
    return matrix || (ord != GA_FRO && ord != GA_NUC) ||
           gi_fail(site, GA_BAD_ARGUMENT, "GA_FRO and GA_NUC are norms of one matrix (of stacks: ga_matrix_norm)") != NULL;
}

/* What a norm sums of real elements: their squares or sizes, in float64. */
typedef struct gi_sizes {
    const ga_array *a;
    gi_kernel       kernel;
    void (*squares)(int64_t n, double *out, const void *x); /* of the elements as they are, or NULL */
} gi_sizes;

static void gi_make_sizes(const void *job, int64_t first, int64_t n, void *to)
{
    const gi_sizes *j = (const gi_sizes *)job;
    const char     *x = (const char *)j->a->data + first * ga_itemsize(j->a->dtype);
    if (j->squares) j->squares(n, (double *)to, x);
    else if (j->a->dtype == GA_F64) j->kernel(n, to, x, NULL, NULL);
    else {
        gi_cast(GA_F64, j->a->dtype, n, to, x);
        j->kernel(n, to, to, NULL, NULL);
    }
}

static void gi_fetch_sizes(const void *job, int64_t first, int64_t n)
{
    const gi_sizes *j    = (const gi_sizes *)job;
    const int64_t   size = ga_itemsize(j->a->dtype);
    for (int64_t b = 0; b < n * size; b += GI_LINE) __builtin_prefetch((const char *)j->a->data + first * size + b);
}

/* Their sums: made as they are folded. NULL with an error, or *declined: it is another case. */
static ga_array *gi_norm_sums(const char *site, const ga_array *a, const gi_row *row, ga_reduce_options r, bool *declined)
{
    const bool     once  = row->op == GA_OP_square && (a->dtype == GA_F32 || a->dtype == GA_F64);
    const gi_sizes job   = { a, gi_row_kernel(row, GA_F64), once ? GI_LOOP_OF(nodes)(a->dtype)->squares : NULL };
    ga_array       sizes = *a;
    gi_maker       maker;
    gi_buffer      buffer;
    gi_lines       lines;
    memset(&maker, 0, sizeof maker);
    memset(&buffer, 0, sizeof buffer);
    maker.make    = gi_make_sizes;
    maker.fetch   = gi_fetch_sizes;
    maker.job     = &job;
    maker.bytes   = (double)ga_itemsize(a->dtype);
    maker.cost    = 2;
    buffer.device = GA_CPU;
    buffer.maker  = &maker;
    sizes.dtype   = GA_F64;
    sizes.owner   = &buffer;
    *declined = a->device != GA_CPU || gi_is_deferred(a) || gi_is_complex(a->dtype) || a->size == 0 || !ga_is_contiguous(a) ||
                gi_shape_c_strides(GA_F64, a->ndim, a->shape, sizes.strides) < 0;
    if (*declined || !gi_lines_plan(site, &lines, &sizes, GA_F64, r.axis, &r.axes, r.keepdims)) return NULL;
    const int64_t columns = gi_line_columns(&lines); /* so few to convert at a time take longer than new memory does: */
    const bool    few = columns > 1 && columns < 16 && a->dtype != GA_F64 && a->size * ga_itemsize(a->dtype) <= GI_NEAR_BYTES;
    *declined         = few || !gi_lines_can_be_made(&lines);
    return *declined ? NULL : (ga_sum)(&sizes, r);
}

/* The same of the squares of all floats of an array: the dot product with itself, which is summed alike. */
static ga_array *gi_norm_squares(const char *site, const ga_array *a)
{
    const gi_strided line = { (const char *)a->data, ga_itemsize(a->dtype), a->dtype };
    ga_array        *sum  = gi_array_new(site, GA_F64, GA_CPU, 0, NULL);
    if (!sum || gi_cpu_dot(site, a->size, line, line, GA_F64, GA_F64, sum->data)) return sum;
    ga_free(sum);
    return NULL;
}

/* In place, but chunked arrays are not written. */
static ga_map_options gi_norm_into(const char *site, ga_array *out)
{
    ga_map_options o = gi_map_site(site);
    if (!gi_is_deferred(out)) o.out = out;
    return o;
}

/* The sizes of the elements as a new array. In float64, because the size of the least integer does not fit its own dtype, and for sums; floats
   of which one is the norm keep their dtype. */
static ga_array *gi_norm_sizes(const char *site, const ga_array *a, bool one)
{
    if (one && gi_is_float(a->dtype)) return (ga_absolute)(a, gi_map_site(site));
    if (gi_is_complex(a->dtype)) return gi_then((ga_absolute), site, gi_copy_contiguous(site, a, GA_C128));
    ga_array *copy = gi_copy_convert(site, a, GA_F64), *sizes = copy ? (ga_absolute)(copy, gi_norm_into(site, copy)) : NULL;
    if (sizes != copy) ga_free(copy);
    return sizes;
}

ga_array *(ga_norm)(const ga_array *a, ga_norm_options o)
{
    GI_SETTLE_FLOATS;
    if (!gi_array_check_any(o.site, a, "a")) return NULL;
    if (!gi_options_norm(&o)) return NULL;
    const bool   all = o.axis == GA_AXIS_DEFAULT && o.axes.ndim < 0;
    const double ord = o.ord == GA_FRO ? 2 : o.ord;
    if (!gi_norm_fits(o.site, o.ord, all && a->ndim == 2)) return NULL;
    if (ord == GA_NUC) {
        ga_matrix_norm_options m = ga_matrix_norm_defaults;
        m.site                   = o.site;
        m.ord                    = ord;
        m.keepdims               = o.keepdims;
        return (ga_matrix_norm)(a, m);
    }
    ga_dtype          dtype = gi_reduce_end_dtype(GI_ENDS_AVERAGE, gi_dtype_real(a->dtype));
    ga_reduce_options r     = gi_reduce_site(o.site);
    r.axis                  = o.axis;
    r.axes                  = o.axes;
    r.keepdims              = o.keepdims;
    if (ord == 1 || ord == 2) {
        const bool dot = ord == 2 && all && !o.keepdims && gi_is_float(a->dtype) && a->device == GA_CPU && a->size > 0 &&
                         !gi_is_deferred(a) && ga_is_contiguous(a);
        bool      declined = false;
        ga_array *sums     = dot ? gi_norm_squares(o.site, a)
                                 : gi_norm_sums(o.site, a, ord == 2 ? gi_row_square() : gi_row_absolute(), r, &declined);
        if (sums && ord == 2) sums = gi_then((ga_sqrt), o.site, sums);
        if (!declined) return gi_copy_finish(o.site, sums, dtype, NULL);
    }
    if (ord == 0) return gi_copy_finish(o.site, (ga_count_nonzero)(a, r), dtype, NULL);
    ga_array *wide = gi_norm_sizes(o.site, a, isinf(ord)), *result = NULL;
    if (!wide) return NULL;
    if (isinf(ord)) {
        result = gi_extreme_size(wide, ord > 0, r);
    } else if (ord == 1) {
        result = (ga_sum)(wide, r);
    } else if (ord == 2) {
        ga_array *squares = (ga_square)(wide, gi_norm_into(o.site, wide));
        if (squares) result = gi_then((ga_sqrt), o.site, (ga_sum)(squares, r));
        if (squares != wide) ga_free(squares);
    } else {
        ga_arg p, inverse;
        memset(&p, 0, sizeof p);
        p.kind           = GA_KIND_REAL;
        inverse          = p;
        p.re             = ord;
        inverse.re       = 1 / ord;
        ga_array *powers = (ga_power)(gi_operand_arg(wide), p, gi_norm_into(o.site, wide)),
                 *sum    = powers ? (ga_sum)(powers, r) : NULL;
        if (sum) result = (ga_power)(gi_operand_arg(sum), inverse, gi_map_site(o.site));
        ga_free(sum);
        if (powers != wide) ga_free(powers);
    }
    ga_free(wide);
    return gi_copy_finish(o.site, result, dtype, NULL);
}
