/* ---- matmul, dot, inner, outer, vdot, tensordot ------------------------------------------------------------------------- */

static bool gi_check_factors(const char *site, const ga_array *a, const ga_array *b)
{
    const ga_array *both[2] = { a, b };
    return gi_array_check_half_any(site, a, "a") && gi_array_check_half_any(site, b, "b") &&
           gi_common_device(site, 2, both) != GA_DEVICE_DEFAULT;
}

static void gi_contraction_of(gi_contraction *c, const char *site, const ga_array *a, const ga_array *b)
{
    memset(c, 0, offsetof(gi_contraction, of)); /* what is known of labels comes later */
    c->site  = site;
    c->dtype = gi_dtype_computed(ga_promote(a->dtype, b->dtype));
    c->x.a   = a;
    c->y.a   = b;
}

/* The result of a contraction, in .out if that is given. */
static ga_array *gi_contracted(gi_contraction *c, ga_array *out)
{
    GI_SETTLE_FLOATS;
    const ga_dtype dtype  = ga_promote(c->x.a->dtype, c->y.a->dtype);
    ga_array      *result = gi_contract(c, out);
    return result == out ? out : gi_copy_finish(c->site, result, dtype, out);
}

static ga_array *gi_do_not_fit(const char *site, const ga_array *a, const ga_array *b, int axis_a, int axis_b)
{
    return (ga_array *)gi_fail(
        site, GA_BAD_SHAPE, "shapes %s and %s do not fit: axis %d of a has length %lld, axis %d of b, which it meets, %lld",
        gi_shape_of(a), gi_shape_of(b), axis_a, (long long)a->shape[axis_a], axis_b, (long long)b->shape[axis_b]);
}

/* The sum over axis_a[k] of a and axis_b[k] of b; the other axes of a, then those of b, are the result's. */
static ga_array *gi_sum_products(const char *site, const ga_array *a, const ga_array *b, int n, const int *axis_a,
                                 const int *axis_b, ga_array *out)
{
    gi_contraction c;
    bool           summed_a[GPUARR_MAX_DIMS] = { false }, summed_b[GPUARR_MAX_DIMS] = { false };
    gi_contraction_of(&c, site, a, b);
    if (a->ndim + b->ndim - 2 * n > GPUARR_MAX_DIMS)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE,
                                   "the product of shapes %s and %s has %d dimensions; at most %d are possible", gi_shape_of(a),
                                   gi_shape_of(b), a->ndim + b->ndim - 2 * n, GPUARR_MAX_DIMS);
    for (int k = 0; k < n; k++) {
        if (a->shape[axis_a[k]] != b->shape[axis_b[k]]) return gi_do_not_fit(site, a, b, axis_a[k], axis_b[k]);
        c.x.labels[axis_a[k]] = c.y.labels[axis_b[k]] = k;
        summed_a[axis_a[k]] = summed_b[axis_b[k]] = true;
    }
    for (int d = 0; d < a->ndim; d++)
        if (!summed_a[d]) c.labels[c.ndim] = c.x.labels[d] = n + c.ndim, c.ndim++;
    for (int d = 0; d < b->ndim; d++)
        if (!summed_b[d]) c.labels[c.ndim] = c.y.labels[d] = n + c.ndim, c.ndim++;
    return gi_contracted(&c, out);
}

ga_array *(ga_matmul)(const ga_array *a, const ga_array *b, ga_product_options o)
{
    gi_contraction c;
    if (!gi_options_product(&o) || !gi_check_factors(o.site, a, b)) return NULL;
    if (a->ndim == 0 || b->ndim == 0)
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "shapes %s and %s: a number is no matrix, use ga_multiply",
                                   gi_shape_of(a), gi_shape_of(b));
    enum { INNER, ROW, COLUMN, BATCH };
    const int inner_a = a->ndim - 1, inner_b = b->ndim == 1 ? 0 : b->ndim - 2;
    const int batch_a = a->ndim - 2, batch_b = b->ndim - 2; /* axes; -1 of vectors */
    if (a->shape[inner_a] != b->shape[inner_b]) return gi_do_not_fit(o.site, a, b, inner_a, inner_b);
    gi_contraction_of(&c, o.site, a, b);
    for (int d = 0; d < batch_a; d++) c.x.labels[d] = BATCH + batch_a - 1 - d;
    for (int d = 0; d < batch_b; d++) c.y.labels[d] = BATCH + batch_b - 1 - d;
    for (int d = 1; d <= batch_a && d <= batch_b; d++) {
        const int64_t na = a->shape[batch_a - d], nb = b->shape[batch_b - d];
        if (na != nb && na != 1 && nb != 1)
            return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE,
                                       "shapes %s and %s do not fit: the axes before the last two do not broadcast",
                                       gi_shape_of(a), gi_shape_of(b));
    }
    for (int d = (batch_a > batch_b ? batch_a : batch_b) - 1; d >= 0; d--) c.labels[c.ndim++] = BATCH + d;
    c.x.labels[inner_a] = c.y.labels[inner_b] = INNER;
    if (a->ndim > 1) c.labels[c.ndim++] = c.x.labels[batch_a] = ROW;
    if (b->ndim > 1) c.labels[c.ndim++] = c.y.labels[b->ndim - 1] = COLUMN;
    return gi_contracted(&c, o.out);
}

/* a * b where one of them is a number, as NumPy's products have it. */
static ga_array *gi_scale(const char *site, const ga_array *a, const ga_array *b, ga_array *out)
{
    ga_array *result = (ga_multiply)(gi_operand_arg(a), gi_operand_arg(b), gi_map_site(site));
    return gi_copy_finish(site, result, ga_promote(a->dtype, b->dtype), out);
}

ga_array *(ga_dot)(const ga_array *a, const ga_array *b, ga_product_options o)
{
    if (!gi_options_product(&o) || !gi_check_factors(o.site, a, b)) return NULL;
    if (a->ndim == 0 || b->ndim == 0) return gi_scale(o.site, a, b, o.out);
    const int inner_a = a->ndim - 1, inner_b = b->ndim == 1 ? 0 : b->ndim - 2;
    return gi_sum_products(o.site, a, b, 1, &inner_a, &inner_b, o.out);
}

ga_array *(ga_inner)(const ga_array *a, const ga_array *b, ga_product_options o)
{
    if (!gi_options_product(&o) || !gi_check_factors(o.site, a, b)) return NULL;
    if (a->ndim == 0 || b->ndim == 0) return gi_scale(o.site, a, b, o.out);
    const int inner_a = a->ndim - 1, inner_b = b->ndim - 1;
    return gi_sum_products(o.site, a, b, 1, &inner_a, &inner_b, o.out);
}

ga_array *(ga_outer)(const ga_array *a, const ga_array *b, ga_product_options o)
{
    if (!gi_options_product(&o) || !gi_check_factors(o.site, a, b)) return NULL;
    ga_array *x = (ga_ravel)(a, o.site), *y = x ? (ga_ravel)(b, o.site) : NULL;
    ga_array *r = y ? gi_sum_products(o.site, x, y, 0, NULL, NULL, o.out) : NULL;
    ga_free(x);
    ga_free(y);
    return r;
}

ga_array *(ga_vdot)(const ga_array *a, const ga_array *b, const char *site)
{
    if (!gi_check_factors(site, a, b)) return NULL;
    if (a->size != b->size)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "shapes %s and %s have %lld and %lld elements: they must be as many",
                                   gi_shape_of(a), gi_shape_of(b), (long long)a->size, (long long)b->size);
    const int first = 0;
    if (a->ndim == 1 && b->ndim == 1 && !gi_is_complex(a->dtype)) return gi_sum_products(site, a, b, 1, &first, &first, NULL);
    ga_array *conj = gi_is_complex(a->dtype) ? (ga_conj)(a, gi_map_site(site)) : (ga_view)(a, site);
    ga_array *x = conj ? (ga_ravel)(conj, site) : NULL, *y = x ? (ga_ravel)(b, site) : NULL;
    ga_array *r = y ? gi_sum_products(site, x, y, 1, &first, &first, NULL) : NULL;
    ga_free(conj);
    ga_free(x);
    ga_free(y);
    return r;
}

/* The axes of one operand that tensordot sums over; false with an error. */
static bool gi_tensor_axes(const char *site, const char *name, const ga_array *a, int n, const ga_shape *given, int first,
                           int *axes)
{
    bool marked[GPUARR_MAX_DIMS] = { false };
    if (given->ndim > 0 && given->ndim != n) {
        gi_fail(site, GA_BAD_ARGUMENT, ".axes_%s names %d axes, and %d are to be summed over", name, given->ndim, n);
        return false;
    }
    if (n > a->ndim) {
        gi_fail(site, GA_BAD_SHAPE, "%d axes are to be summed over, and %s has shape %s", n, name, gi_shape_of(a));
        return false;
    }
    for (int k = 0; k < n; k++) {
        int64_t axis = given->ndim > 0 ? given->n[k] : first + k;
        axes[k]      = gi_axis(site, axis < INT_MIN || axis > INT_MAX ? INT_MAX : (int)axis, a->ndim);
        if (axes[k] < 0) return false;
        if (marked[axes[k]]) {
            gi_fail(site, GA_BAD_ARGUMENT, "axis %d of %s is named twice", axes[k], name);
            return false;
        }
        marked[axes[k]] = true;
    }
    return true;
}

ga_array *(ga_tensordot)(const ga_array *a, const ga_array *b, int axes, ga_tensordot_options o)
{
    int axis_a[GPUARR_MAX_DIMS], axis_b[GPUARR_MAX_DIMS];
    if (!gi_options_tensordot(&o) || !gi_check_factors(o.site, a, b)) return NULL;
    if (axes < 0) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "%d axes cannot be summed over: use 0 or more", axes);
    if (!gi_tensor_axes(o.site, "a", a, axes, &o.axes_a, a->ndim - axes, axis_a) ||
        !gi_tensor_axes(o.site, "b", b, axes, &o.axes_b, 0, axis_b))
        return NULL;
    return gi_sum_products(o.site, a, b, axes, axis_a, axis_b, o.out);
}
