/* ---- matrix_power, multi_dot, kron, cross, vecdot, tensorsolve ... --------------------------------------------------------------- */
/*  Made of other calls, so they work wherever these do; a call that is given NULL, by one that has failed, fails in silence.     */

static ga_product_options gi_product_site(const char *site)
{
    ga_product_options o = ga_product_defaults;
    o.site               = site;
    return o;
}

static ga_array *gi_matrix_product(const char *site, const ga_array *a, const ga_array *b)
{
    return a && b ? (ga_matmul)(a, b, gi_product_site(site)) : NULL;
}

/* Is it a stack of square matrices, wherever it is? False with an error. */
static bool gi_are_square(const char *site, const ga_array *a)
{
    if (!gi_array_check_any(site, a, "a")) return false;
    if (a->ndim >= 2 && a->shape[a->ndim - 1] == a->shape[a->ndim - 2]) return true;
    gi_fail(site, GA_BAD_SHAPE, "a has shape %s: it must be a square matrix, or a stack of them", gi_shape_of(a));
    return false;
}

/* Unit matrices in the shape and dtype of a. */
static ga_array *gi_unit_matrices(const char *site, const ga_array *a)
{
    ga_new_options o = ga_new_defaults;
    ga_shape       shape;
    memset(&shape, 0, sizeof shape);
    o.site     = site;
    o.dtype    = a->dtype;
    o.device   = a->device;
    shape.ndim = a->ndim;
    memcpy(shape.n, a->shape, sizeof shape.n);
    ga_array *one = (ga_eye)(a->shape[a->ndim - 1], a->shape[a->ndim - 1], 0, o);
    ga_array *all = one ? (ga_broadcast_to)(one, shape, site) : NULL;
    ga_array *r   = all ? (ga_copy)(all, site) : NULL;
    ga_free(one);
    ga_free(all);
    return r;
}

ga_array *(ga_matrix_power)(const ga_array *a, int64_t n, const char *site)
{
    ga_array *r = NULL;
    if (!gi_are_square(site, a)) return NULL;
    if (n == 0) return gi_unit_matrices(site, a);
    ga_scope {
        const ga_array *power  = n < 0 ? (ga_inv)(a, site) : a;
        uint64_t        left   = n < 0 ? -(uint64_t)n : (uint64_t)n;
        const ga_array *result = NULL;
        if (left == 3) {
            result = gi_matrix_product(site, gi_matrix_product(site, power, power), power);
        } else {
            for (; left > 0 && power; left /= 2) {
                if (left % 2) result = result ? gi_matrix_product(site, result, power) : power;
                if (left % 2 && !result) break;
                if (left > 1) power = gi_matrix_product(site, power, power);
            }
        }
        if (power && result) r = ga_keep(result == a ? (ga_copy)(a, site) : (ga_view)(result, site));
    }
    return r;
}

/* ---- multi_dot -------------------------------------------------------------------------------------------------------------------- */

enum { GI_MOST_FACTORS = 64 };

/* Where to cut each chain of factors, for the fewest multiplications: lengths[i] rows, lengths[i + 1] columns (Cormen et al.). */
typedef struct gi_chain_order {
    const ga_array *factor[GI_MOST_FACTORS];
    double          cost[GI_MOST_FACTORS][GI_MOST_FACTORS];
    uint8_t         cut[GI_MOST_FACTORS][GI_MOST_FACTORS];
} gi_chain_order;

static void gi_order_chain(gi_chain_order *c, int n)
{
    for (int i = 0; i < n; i++) c->cost[i][i] = 0;
    for (int length = 1; length < n; length++)
        for (int i = 0; i + length < n; i++) {
            const int j   = i + length;
            c->cost[i][j] = INFINITY;
            for (int k = i; k < j; k++) {
                const double cost =
                    c->cost[i][k] + c->cost[k + 1][j] +
                    (double)c->factor[i]->shape[0] * (double)c->factor[k]->shape[1] * (double)c->factor[j]->shape[1];
                if (cost >= c->cost[i][j]) continue;
                c->cost[i][j] = cost;
                c->cut[i][j]  = (uint8_t)k;
            }
        }
}

static const ga_array *gi_chain_product(const char *site, const gi_chain_order *c, int i, int j)
{
    if (i == j) return c->factor[i];
    const int k = c->cut[i][j];
    return gi_matrix_product(site, gi_chain_product(site, c, i, k), gi_chain_product(site, c, k + 1, j));
}

/* All factors as matrices: the first one may be a row, the last one a column. False with an error. */
static bool gi_take_factors(const char *site, gi_chain_order *c, int n, const ga_array *const *arrays)
{
    for (int k = 0; k < n; k++) {
        const ga_array *a = arrays[k];
        if (!gi_array_check_any(site, a, "an operand")) return false;
        if (a->ndim != 2 && !(a->ndim == 1 && (k == 0 || k == n - 1)))
            return gi_fail(site, GA_BAD_SHAPE,
                           "operand %d has shape %s: it must be a matrix; the first and the last may be vectors", k,
                           gi_shape_of(a)) != NULL;
        c->factor[k] = a->ndim == 2 ? a : (ga_expand_dims)(a, k == 0 ? 0 : 1, site);
        if (!c->factor[k]) return false;
        if (k > 0 && c->factor[k - 1]->shape[1] != c->factor[k]->shape[0])
            return gi_do_not_fit(site, arrays[k - 1], a, arrays[k - 1]->ndim - 1, 0) != NULL;
    }
    return true;
}

ga_array *(ga_multi_dot_n)(int n, const ga_array *const *arrays, ga_product_options o)
{
    const ga_product_options asked = o;
    if (!gi_options_product(&o)) return NULL;
    if (n < 2 || n > GI_MOST_FACTORS)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "%d operands: 2 to %d are possible", n, (int)GI_MOST_FACTORS);
    if (!arrays) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "the list of %d operands is NULL", n);
    ga_array       *r = NULL;
    gi_chain_order *c = (gi_chain_order *)gi_mem_alloc(o.site, sizeof *c);
    if (!c) return NULL;
    if (n == 2 && gi_array_check_any(o.site, arrays[0], "an operand") && gi_array_check_any(o.site, arrays[1], "an operand") &&
        arrays[0]->ndim == 1 && arrays[1]->ndim == 1) { /* a sum along the documented tree */
        gi_mem_release(c, sizeof *c);
        return (ga_dot)(arrays[0], arrays[1], asked);
    }
    ga_scope {
        ga_shape shape;
        memset(&shape, 0, sizeof shape);
        const bool      fits = gi_take_factors(o.site, c, n, arrays);
        const ga_array *p    = NULL;
        if (fits) {
            gi_order_chain(c, n);
            p = gi_chain_product(o.site, c, 0, n - 1);
        }
        if (p) {
            if (arrays[0]->ndim == 2) shape.n[shape.ndim++] = p->shape[0];
            if (arrays[n - 1]->ndim == 2) shape.n[shape.ndim++] = p->shape[1];
            ga_array *whole = (ga_reshape)(p, shape, o.site);
            r               = whole ? gi_copy_finish(o.site, whole, p->dtype, o.out) : NULL;
            if (r != o.out) r = ga_keep(r);
        }
    }
    gi_mem_release(c, sizeof *c);
    return r;
}

/* ---- kron, cross, vecdot ------------------------------------------------------------------------------------------------------------ */

/* One of the factors, its elements repeated so that they meet those of the other one in long rows: the last two axes, which become one. */
static ga_array *gi_kron_rows(const char *site, const ga_array *a, const ga_shape *apart, int64_t before, int64_t last)
{
    ga_shape  whole = *apart;
    const int n     = apart->ndim;
    whole.n[n - 2]  = before;
    whole.n[n - 1]  = last;
    ga_array *x = (ga_reshape)(a, *apart, site), *wide = x ? (ga_broadcast_to)(x, whole, site) : NULL;
    ga_array *rows = wide ? gi_copy_contiguous(site, wide, wide->dtype) : NULL;
    whole.ndim     = n - 1;
    whole.n[n - 2] = before * last;
    return rows ? (ga_reshape)(rows, whole, site) : NULL;
}

/* Are rows of the second factor so short that this pays? */
static bool gi_kron_is_short(const ga_array *a, const ga_array *b)
{
    enum { SHORT = 32, LEAST = 256 };
    return a->ndim > 1 && b->ndim > 1 && a->device == GA_CPU && !gi_is_deferred(a) && !gi_is_deferred(b) &&
           (double)a->size * (double)b->size >= (double)LEAST && b->shape[b->ndim - 1] < SHORT &&
           a->shape[a->ndim - 1] <= a->size / 4 && b->shape[b->ndim - 1] <= b->size / 2;
}

ga_array *(ga_kron)(const ga_array *a, const ga_array *b, const char *site)
{
    ga_array *r = NULL;
    if (!gi_check_factors(site, a, b)) return NULL;
    const int n       = a->ndim > b->ndim ? a->ndim : b->ndim;
    bool      counted = true;
    if (2 * n > GPUARR_MAX_DIMS)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "shapes %s and %s: at most %d axes are possible here", gi_shape_of(a),
                                   gi_shape_of(b), GPUARR_MAX_DIMS / 2);
    ga_scope {
        ga_shape apart_a, apart_b, joined;
        memset(&apart_a, 0, sizeof apart_a);
        memset(&apart_b, 0, sizeof apart_b);
        memset(&joined, 0, sizeof joined);
        apart_a.ndim = apart_b.ndim = 2 * n;
        joined.ndim                 = n;
        for (int d = 0; d < n; d++) {
            const int64_t of_a = d < n - a->ndim ? 1 : a->shape[d - (n - a->ndim)],
                          of_b = d < n - b->ndim ? 1 : b->shape[d - (n - b->ndim)];
            apart_a.n[2 * d]   = of_a;
            apart_b.n[2 * d] = apart_a.n[2 * d + 1] = 1;
            apart_b.n[2 * d + 1]                    = of_b;
            counted                                 = counted && !__builtin_mul_overflow(of_a, of_b, &joined.n[d]);
        }
        const bool rows = counted && gi_kron_is_short(a, b);
        ga_array  *x = NULL, *y = NULL;
        if (rows) {
            const int64_t of_a = a->shape[a->ndim - 1], of_b = b->shape[b->ndim - 1];
            x = gi_kron_rows(site, a, &apart_a, of_a, of_b);
            y = x ? gi_kron_rows(site, b, &apart_b, of_a, of_b) : NULL;
        } else {
            x = counted ? (ga_reshape)(a, apart_a, site) : NULL;
            y = x ? (ga_reshape)(b, apart_b, site) : NULL;
        }
        ga_array *p = y ? (ga_multiply)(gi_operand_arg(x), gi_operand_arg(y), gi_map_site(site)) : NULL;
        r           = p ? ga_keep((ga_reshape)(p, joined, site)) : NULL;
    }
    if (!counted)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "shapes %s and %s have products of lengths that cannot be counted",
                                   gi_shape_of(a), gi_shape_of(b));
    return r;
}

/* a[i] * b[j] - a[j] * b[i] of the last axis. */
static ga_array *gi_cross_part(const char *site, const ga_array *a, const ga_array *b, int i, int j)
{
    ga_array *part[4];
    for (int k = 0; k < 4; k++) part[k] = (ga_index)(site, k % 2 ? b : a, "..., %d", k == 0 || k == 3 ? i : j);
    ga_array *x = (ga_multiply)(gi_operand_arg(part[0]), gi_operand_arg(part[1]), gi_map_site(site));
    ga_array *y = (ga_multiply)(gi_operand_arg(part[2]), gi_operand_arg(part[3]), gi_map_site(site));
    return (ga_subtract)(gi_operand_arg(x), gi_operand_arg(y), gi_map_site(site));
}

ga_array *(ga_cross)(const ga_array *a, const ga_array *b, ga_cross_options o)
{
    ga_array *r = NULL;
    if (!gi_check_factors(o.site, a, b)) return NULL;
    const bool given  = o.axis != GA_AXIS_DEFAULT;
    const int  axis_a = gi_axis(o.site, given ? o.axis : o.axisa, a->ndim);
    const int  axis_b = axis_a < 0 ? -1 : gi_axis(o.site, given ? o.axis : o.axisb, b->ndim);
    if (axis_b < 0) return NULL;
    if (a->shape[axis_a] != 3 || b->shape[axis_b] != 3)
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE,
                                   "shapes %s and %s: vectors have 3 elements, and these have %lld and %lld", gi_shape_of(a),
                                   gi_shape_of(b), (long long)a->shape[axis_a], (long long)b->shape[axis_b]);
    ga_scope {
        ga_axis_options last  = ga_axis_defaults;
        last.site             = o.site;
        last.axis             = -1;
        const ga_dtype  dtype = ga_promote(a->dtype, b->dtype);
        const ga_array *x = (ga_moveaxis)(a, axis_a, -1, o.site), *y = (ga_moveaxis)(b, axis_b, -1, o.site);
        ga_array       *parts[3] = { NULL, NULL, NULL };
        if (gi_is_half(dtype)) { /* rounded once, at the end */
            x = x ? (ga_astype)(x, GA_F32, o.site) : NULL;
            y = y ? (ga_astype)(y, GA_F32, o.site) : NULL;
        }
        for (int k = 0; k < 3 && x && y; k++) parts[k] = gi_cross_part(o.site, x, y, (k + 1) % 3, (k + 2) % 3);
        const ga_array *all[3] = { parts[0], parts[1], parts[2] };
        const ga_array *joined = parts[2] ? (ga_stack_n)(3, all, last) : NULL;
        ga_array       *turned = joined ? (ga_moveaxis)(joined, -1, given ? o.axis : o.axisc, o.site) : NULL;
        if (turned && gi_is_half(dtype)) turned = (ga_astype)(turned, dtype, o.site);
        r = turned ? ga_keep(turned) : NULL;
    }
    return r;
}

ga_array *(ga_vecdot)(const ga_array *a, const ga_array *b, ga_vecdot_options o)
{
    ga_array *r = NULL;
    if (!gi_check_factors(o.site, a, b)) return NULL;
    const int axis_a = gi_axis(o.site, o.axis, a->ndim), axis_b = axis_a < 0 ? -1 : gi_axis(o.site, o.axis, b->ndim);
    if (axis_b < 0) return NULL;
    if (a->shape[axis_a] != b->shape[axis_b]) return gi_do_not_fit(o.site, a, b, axis_a, axis_b);
    ga_scope {
        const ga_array *both[2] = { gi_is_complex(a->dtype) ? (ga_conj)(a, gi_map_site(o.site)) : a, b };
        if (both[0] && axis_a < a->ndim - 1) both[0] = (ga_moveaxis)(both[0], axis_a, -1, o.site);
        if (axis_b < b->ndim - 1) both[1] = (ga_moveaxis)(b, axis_b, -1, o.site);
        if (both[0] && both[1]) r = ga_keep((ga_einsum_n)("...i,...i->...", 2, both, gi_product_site(o.site)));
    }
    return r;
}

/* ---- tensors as matrices --------------------------------------------------------------------------------------------------------------- */

static ga_array *gi_as_matrix(const char *site, const ga_array *a, int64_t rows)
{
    ga_shape shape;
    memset(&shape, 0, sizeof shape);
    shape.ndim = 2;
    shape.n[0] = rows;
    shape.n[1] = rows > 0 ? a->size / rows : 0;
    return (ga_reshape)(a, shape, site);
}

/* A view of a with the axes of a list behind the others. */
static ga_array *gi_axes_last(const char *site, const ga_array *a, const ga_shape *list)
{
    ga_axes_options o                       = ga_axes_defaults;
    bool            listed[GPUARR_MAX_DIMS] = { false };
    int             axes[GPUARR_MAX_DIMS], others = 0;
    o.site = site;
    for (int k = 0; k < list->ndim; k++) {
        axes[k] = list->n[k] < INT_MIN || list->n[k] > INT_MAX ? INT_MAX : (int)list->n[k];
        axes[k] = gi_axis(site, axes[k], a->ndim);
        if (axes[k] < 0) return NULL;
        if (listed[axes[k]]) return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT, ".axes names axis %d twice", axes[k]);
        listed[axes[k]] = true;
    }
    o.axes.ndim = a->ndim;
    for (int d = 0; d < a->ndim; d++)
        if (!listed[d]) o.axes.n[others++] = d;
    for (int k = 0; k < list->ndim; k++) o.axes.n[others + k] = axes[k];
    return (ga_transpose)(a, o);
}

ga_array *(ga_tensorsolve)(const ga_array *a, const ga_array *b, ga_tensorsolve_options o)
{
    ga_array *r = NULL;
    if (!gi_options_axeslast(&o) || !gi_array_check(o.site, a, "a") || !gi_array_check(o.site, b, "b")) return NULL;
    ga_scope {
        const ga_array *x = gi_axes_last(o.site, a, &o.axes);
        ga_shape        shape;
        memset(&shape, 0, sizeof shape);
        for (int d = b->ndim; x && d < x->ndim; d++) shape.n[shape.ndim++] = x->shape[d];
        const int64_t n = gi_shape_size(shape.ndim, shape.n);
        if (x && (n * n != x->size || b->size != n || b->ndim > x->ndim)) {
            gi_fail(o.site, GA_BAD_SHAPE,
                    "shapes %s and %s do not fit: behind the axes of b, a must have as many elements as b", gi_shape_of(x),
                    gi_shape_of(b));
        } else if (x) {
            ga_array *matrix = gi_as_matrix(o.site, x, n), *line = matrix ? (ga_ravel)(b, o.site) : NULL;
            ga_array *y = line ? (ga_solve)(matrix, line, o.site) : NULL;
            r           = y ? ga_keep((ga_reshape)(y, shape, o.site)) : NULL;
        }
    }
    return r;
}

ga_array *(ga_tensorinv)(const ga_array *a, ga_tensorinv_options o)
{
    ga_array *r = NULL;
    if (!gi_array_check(o.site, a, "a")) return NULL;
    if (o.ind <= 0) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, ".ind = %d: use 1 or more", o.ind);
    const int     first = o.ind < a->ndim ? o.ind : a->ndim;
    const int64_t rows = gi_shape_size(first, a->shape), columns = gi_shape_size(a->ndim - first, a->shape + first);
    if (rows != columns)
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE,
                                   "a has shape %s: its first %d axes have %lld elements, the others %lld", gi_shape_of(a),
                                   first, (long long)rows, (long long)columns);
    ga_scope {
        ga_shape shape;
        memset(&shape, 0, sizeof shape);
        shape.ndim = a->ndim;
        for (int d = 0; d < a->ndim; d++) shape.n[d] = a->shape[(d + first) % a->ndim];
        ga_array *matrix = gi_as_matrix(o.site, a, rows), *inverse = matrix ? (ga_inv)(matrix, o.site) : NULL;
        r = inverse ? ga_keep((ga_reshape)(inverse, shape, o.site)) : NULL;
    }
    return r;
}
