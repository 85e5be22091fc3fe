/* ---- norms, rank, condition, pinv, lstsq ---------------------------------------------------------------------------------------------- */
/*  Made of other calls, so they work wherever these do.                                                                         */

static ga_reduce_options gi_along_last(const char *site, int axis, bool keepdims)
{
    ga_reduce_options o = gi_reduce_site(site);
    o.axis              = axis;
    o.keepdims          = keepdims;
    return o;
}

ga_array *(ga_vector_norm)(const ga_array *a, ga_vector_norm_options o)
{
    if (!gi_norm_fits(o.site, o.ord, false)) return NULL;
    ga_norm_options n = ga_norm_defaults;
    n.site            = o.site;
    n.ord             = o.ord;
    n.axis            = o.axis;
    n.axes            = o.axes;
    n.keepdims        = o.keepdims;
    return (ga_norm)(a, n);
}

static bool gi_is_ord(double ord)
{
    const double size = gi_abs_f64(ord);
    return ord == GA_FRO || ord == GA_NUC || size == 1 || size == 2 || isinf(ord);
}

/* The sums, largest or smallest, of singular values s along the last axis. */
static ga_array *gi_norm_of_values(const ga_array *s, double ord, ga_reduce_options last)
{
    return s && ord == GA_NUC ? (ga_sum)(s, last) : gi_extreme_size(s, ord > 0, last);
}

/* The norm over the last two axes, which are then gone. */
static ga_array *gi_matrix_norm(const char *site, const ga_array *a, double ord)
{
    ga_array *r = NULL;
    ga_scope {
        const bool        rows = isinf(ord); /* the sums of rows; else of columns */
        ga_reduce_options last = gi_along_last(site, -1, false);
        ga_norm_options   n    = ga_norm_defaults;
        n.site                 = site;
        if (ord == GA_FRO) {
            n.axes.ndim = 2;
            n.axes.n[0] = -2;
            n.axes.n[1] = -1;
            r           = (ga_norm)(a, n);
        } else if (ord == GA_NUC || gi_abs_f64(ord) == 2) {
            r = gi_norm_of_values((ga_svdvals)(a, site), ord, last);
        } else {
            n.ord                = 1;
            n.axis               = rows ? -1 : -2;
            const ga_array *sums = (ga_norm)(a, n);
            r                    = gi_extreme_size(sums, ord > 0, last);
        }
        r = r ? ga_keep(r) : NULL;
    }
    return r;
}

ga_array *(ga_matrix_norm)(const ga_array *a, ga_matrix_norm_options o)
{
    if (!gi_array_check_any(o.site, a, "a")) return NULL;
    if (a->ndim < 2)
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "a has shape %s: it must be a matrix, or a stack of them",
                                   gi_shape_of(a));
    if (!gi_is_ord(o.ord))
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT,
                                   "matrices have no norm %g: use 1, -1, 2, -2, INFINITY, -INFINITY, GA_FRO or GA_NUC", o.ord);
    ga_array *r = gi_matrix_norm(o.site, a, o.ord);
    if (!r || !o.keepdims) return r;
    ga_array *wider = (ga_expand_dims)(r, -1, o.site), *widest = wider ? (ga_expand_dims)(wider, -1, o.site) : NULL;
    ga_free(wider);
    ga_free(r);
    return widest;
}

ga_array *(ga_cond)(const ga_array *a, ga_cond_options o)
{
    ga_array  *r      = NULL;
    const bool values = gi_abs_f64(o.p) == 2;
    if (!gi_are_matrices(o.site, a, "a", !values)) return NULL;
    if (!gi_is_ord(o.p))
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "matrices have no norm %g: see ga_matrix_norm", o.p);
    if (a->shape[a->ndim - 2] == 0 || a->shape[a->ndim - 1] == 0)
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "a has shape %s: it has no condition", gi_shape_of(a));
    ga_scope {
        const ga_map_options here  = gi_map_site(o.site);
        const ga_dtype       dtype = gi_dtype_real(gi_linear_dtype(a->dtype));
        const ga_array *wide = gi_copy_contiguous(o.site, a, gi_is_complex(a->dtype) ? GA_C128 : GA_F64), *x = NULL, *y = NULL;
        if (wide && values) {
            const ga_array *s = (ga_svdvals)(wide, o.site);
            x                 = s ? (ga_index)(o.site, s, o.p > 0 ? "..., 0" : "..., -1") : NULL;
            y                 = s ? (ga_index)(o.site, s, o.p > 0 ? "..., -1" : "..., 0") : NULL;
        } else if (wide) {
            const ga_array *inverse = gi_inverse(o.site, wide, true);
            x                       = gi_matrix_norm(o.site, wide, o.p);
            y                       = inverse ? gi_matrix_norm(o.site, inverse, o.p) : NULL;
        }
        ga_array *c = !x || !y ? NULL
                      : values ? (ga_divide)(gi_operand_arg(x), gi_operand_arg(y), here)
                               : (ga_multiply)(gi_operand_arg(x), gi_operand_arg(y), here);
        /* NaN of matrices without any is the condition of a singular one */
        ga_reduce_options o2 = gi_reduce_site(o.site);
        o2.axes.ndim         = 2;
        o2.axes.n[0]         = -2;
        o2.axes.n[1]         = -1;
        const ga_array *odd = c ? (ga_isnan)(wide, here) : NULL, *some = odd ? (ga_any)(odd, o2) : NULL,
                       *lost     = some ? (ga_isnan)(c, here) : NULL;
        const ga_array *whole    = lost ? (ga_logical_not)(some, here) : NULL;
        const ga_array *singular = whole ? (ga_logical_and)(gi_operand_arg(lost), gi_operand_arg(whole), here) : NULL;
        if (singular) c = (ga_where)(singular, GA_ARG((double)INFINITY), gi_operand_arg(c), here);
        if (singular && c) r = ga_keep(c->dtype == dtype ? c : (ga_astype)(c, dtype, o.site));
    }
    return r;
}

/* The relative size of singular values that count, unless it is given. */
static double gi_least_value(double given, const ga_array *a)
{
    const int64_t m = a->shape[a->ndim - 2], n = a->shape[a->ndim - 1];
    const bool    narrow = gi_dtype_real(gi_linear_dtype(a->dtype)) == GA_F32;
    return given != GA_REAL_DEFAULT ? given : (double)(m > n ? m : n) * (narrow ? (double)FLT_EPSILON : DBL_EPSILON);
}

/* Which singular values are larger than so much of the first one, which may have overflowed. */
static ga_array *gi_large_values(const char *site, const ga_array *s, double least)
{
    ga_array *first  = s ? (ga_index)(site, s, "..., :1") : NULL;
    ga_array *finite = first ? (ga_minimum)(gi_operand_arg(first), GA_ARG(DBL_MAX), gi_map_site(site)) : NULL;
    ga_array *limit  = finite ? (ga_multiply)(gi_operand_arg(finite), GA_ARG(least), gi_map_site(site)) : NULL;
    return limit ? (ga_greater)(gi_operand_arg(s), gi_operand_arg(limit), gi_map_site(site)) : NULL;
}

ga_array *(ga_matrix_rank)(const ga_array *a, ga_rank_options o)
{
    ga_array *r = NULL;
    if (!gi_array_check(o.site, a, "a")) return NULL;
    if (o.tol != GA_REAL_DEFAULT && o.rtol != GA_REAL_DEFAULT)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, ".tol and .rtol are both given: give one of them");
    ga_scope {
        ga_array *counted = NULL;
        if (a->ndim < 2) {
            ga_array *any = (ga_any)(a, gi_reduce_site(o.site));
            r             = any ? ga_keep((ga_astype)(any, GA_I64, o.site)) : NULL;
        } else {
            const ga_array *s = (ga_svdvals)(a, o.site), *total = s ? (ga_sum)(s, gi_reduce_site(o.site)) : NULL;
            double          sum = 0;
            if (!total || !gi_item_as(o.site, total, NULL, GA_F64, &sum)) s = NULL;
            else if (sum != sum) s = (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "a matrix with NaN or infinity has no rank");
            if (s && o.tol != GA_REAL_DEFAULT) counted = (ga_greater)(gi_operand_arg(s), GA_ARG(o.tol), gi_map_site(o.site));
            else counted = gi_large_values(o.site, s, gi_least_value(o.rtol, a));
            r = counted ? (ga_count_nonzero)(counted, gi_along_last(o.site, -1, false)) : NULL;
            r = r ? ga_keep(r) : NULL;
        }
    }
    return r;
}

/* ---- by singular values: pinv, lstsq ------------------------------------------------------------------------------------------------------ */

/* The singular values and vectors of a, in float64 or complex128: by a = u s vh; `inverse`: 1 / s of those that count, else 0. `by` brings
   each matrix away from the ends of the range, where s or 1 / s would overflow. */
typedef struct gi_spectrum {
    ga_array *by, *u, *s, *vh, *large, *inverse;
} gi_spectrum;

/* For each matrix a power of two, (..., 1, 1); 1 where there is nothing to scale. */
static ga_array *gi_range_factors(const char *site, const ga_array *a)
{
    const ga_map_options here = gi_map_site(site);
    ga_reduce_options    o    = gi_reduce_site(site);
    o.axes.ndim               = 2;
    o.axes.n[0]               = -2;
    o.axes.n[1]               = -1;
    o.keepdims                = true;
    if (a->size == 0) return (ga_full)(gi_line(1), GA_ARG(1.0), gi_new_on(site, GA_F64, a->device));
    ga_array *size = (ga_absolute)(a, here), *most = size ? (ga_max)(size, o) : NULL;
    ga_array *large = most ? (ga_greater)(gi_operand_arg(most), GA_ARG(0x1p900), here) : NULL,
             *small = large ? (ga_less)(gi_operand_arg(most), GA_ARG(0x1p-900), here) : NULL;
    ga_array *up    = small ? (ga_where)(small, GA_ARG(0x1p600), GA_ARG(1.0), here) : NULL;
    return up ? (ga_where)(large, GA_ARG(0x1p-600), gi_operand_arg(up), here) : NULL;
}

static bool gi_spectrum_of(const char *site, gi_spectrum *x, const ga_array *a, double least)
{
    const ga_map_options here = gi_map_site(site);
    ga_svd_options       o    = ga_svd_defaults;
    memset(x, 0, sizeof *x);
    o.site               = site;
    o.full_matrices      = false;
    const ga_array *wide = gi_copy_contiguous(site, a, gi_is_complex(a->dtype) ? GA_C128 : GA_F64);
    x->by                = wide ? gi_range_factors(site, wide) : NULL;
    if (x->by) wide = (ga_multiply)(gi_operand_arg(wide), gi_operand_arg(x->by), here);
    if (!x->by || !wide || !(ga_svd)(wide, &x->u, &x->s, &x->vh, o)) return false;
    x->large            = gi_large_values(site, x->s, least);
    const ga_array *all = x->large ? (ga_divide)(GA_ARG(1.0), gi_operand_arg(x->s), here) : NULL;
    x->inverse          = all ? (ga_where)(x->large, gi_operand_arg(all), GA_ARG(0.0), here) : NULL;
    return x->inverse != NULL;
}

/* by vh^H diag(inverse) times u^H b, or u^H where b is NULL. */
static ga_array *gi_apply_spectrum(const char *site, const gi_spectrum *x, const ga_array *b)
{
    ga_array *u = gi_conj_turned(site, (ga_view)(x->u, site)), *v = gi_conj_turned(site, (ga_view)(x->vh, site));
    ga_array *right = b ? gi_matrix_product(site, u, b) : u, *factors = right ? (ga_expand_dims)(x->inverse, -1, site) : NULL;
    ga_array *scaled = factors ? (ga_multiply)(gi_operand_arg(factors), gi_operand_arg(right), gi_map_site(site)) : NULL;
    ga_array *r      = gi_matrix_product(site, v, scaled);
    return r ? (ga_multiply)(gi_operand_arg(r), gi_operand_arg(x->by), gi_map_site(site)) : NULL;
}

ga_array *(ga_pinv)(const ga_array *a, ga_pinv_options o)
{
    ga_array *r = NULL;
    if (!gi_are_matrices(o.site, a, "a", false)) return NULL;
    ga_scope {
        gi_spectrum     x;
        const ga_array *p = gi_spectrum_of(o.site, &x, a, o.rcond) ? gi_apply_spectrum(o.site, &x, NULL) : NULL;
        r                 = p ? ga_keep((ga_astype)(p, gi_linear_dtype(a->dtype), o.site)) : NULL;
    }
    return r;
}

/* ---- few columns: the vectors of the left are not made, but multiplied by these columns as they come ---- */

enum { GI_LEAST_COLUMNS = 8 };

typedef struct gi_least {
    gi_matrices a; /* one real matrix with at least as many rows as columns */
    ga_array   *values, *x;
    double     *b; /* the columns, one behind the other */
    int64_t     columns, rank, lost;
    double      least; /* the relative size of singular values that count */
} gi_least;

/* n numbers times a reflector, whose v is 1 and then lies so many numbers apart; room: n numbers. */
static void gi_reflect_numbers(const gi_linear_loops *loops, int64_t n, double *x, const double *rest, int64_t step, double tau,
                               double *room)
{
    room[0] = 1;
    for (int64_t k = 1; k < n; k++) room[k] = rest[(k - 1) * step];
    const double by = -tau * loops->dot(n, room, x);
    loops->add(1, n, &by, 1, room, n, x);
}

/* The columns times the vectors of the left, in rows of GI_LEAST_COLUMNS, and what comes of the matrix. */
static bool gi_least_diagonal(const char *site, gi_least *j, gi_bidiagonal *b, const gi_svd_room *at, gi_sweeps *turned,
                              double *along)
{
    const gi_linear_loops *loops = GI_LOOP_OF(linear)();
    const int64_t          n = b->n, m = j->a.rows;
    bool                   lost = true;
    if (site && n > GI_LINEAR_SMALL) {
        if (!gi_svd_conquer(site, b, at, turned, &lost)) return false;
        for (int64_t c = 0; c < j->columns && !lost; c++) {
            loops->dots(n, n, turned[0].strips, n + 1, j->b + c * m, b->e);
            for (int64_t i = 0; i < n; i++) along[i * GI_LEAST_COLUMNS + c] = b->e[i];
        }
    }
    if (lost) {
        gi_sweeps_start(&turned[0], NULL, n, 1);
        turned[0].strips    = along;
        turned[0].width     = GI_LEAST_COLUMNS;
        turned[0].count     = 1;
        turned[0].rotations = at->sweeps[0];
        for (int64_t i = 0; i < n; i++)
            for (int64_t c = 0; c < GI_LEAST_COLUMNS; c++)
                along[i * GI_LEAST_COLUMNS + c] = c < j->columns ? j->b[c * m + i] : 0;
        gi_sweeps_start(&turned[1], at->sweeps[1], n, 1);
        lost = !gi_svd_sweeps(b->d, b->e, n, &turned[0], &turned[1]);
    }
    if (lost) gi_note_item(&j->lost, 0);
    return true;
}

static bool gi_least_one(const char *site, int64_t item, double *room, void *job)
{
    gi_least              *j     = (gi_least *)job;
    const gi_linear_loops *loops = GI_LOOP_OF(linear)();
    const gi_dense         a     = gi_matrix(&j->a, item);
    const int64_t          m = j->a.rows, n = j->a.columns, columns = j->columns;
    const gi_svd_room      at    = gi_lay_svd(room, m, n, 1, n);
    double                *along = room + at.numbers, *v = along + n * GI_LEAST_COLUMNS, *y = v + m, *x = y + n;
    double                *values = (double *)j->values->data;
    const double           scale  = gi_scale_matrix(&a, m, n);
    gi_sweeps              turned[2];
    gi_bidiagonal          b;
    if (scale != scale) {
        for (int64_t i = 0; i < n; i++) values[i] = scale;
        for (int64_t i = 0; i < n * columns; i++) ((double *)j->x->data)[i] = scale;
        return true;
    }
    if (!gi_svd_begin(site, &a, m, n, values, &at, &b)) return false;
    for (int64_t i = 0; i < n * columns && m > n; i++)
        gi_reflect_numbers(loops, m - i % n, j->b + i / n * m + i % n, a.p + (i % n + 1) * a.down + i % n, a.down,
                           at.taus[i % n].re, v);
    if (!gi_svd_reduce(site, &b, at.block)) return false;
    for (int64_t i = 0; i < n * columns; i++)
        gi_reflect_numbers(loops, n - i % n, j->b + i / n * m + i % n, b.a.p + (i % n + 1) * b.a.down + i % n, b.a.down,
                           b.left[i % n].re, v);
    if (!gi_least_diagonal(site, j, &b, &at, turned, along)) return false;
    double most = 0;
    for (int64_t i = 0; i < n; i++) most = gi_abs_f64(values[i]) > most ? gi_abs_f64(values[i]) : most;
    for (int64_t c = 0; c < columns; c++) {
        const int64_t width = turned[1].width;
        for (int64_t i = 0; i < n; i++)
            y[i] = gi_abs_f64(values[i]) > j->least * most ? along[i * GI_LEAST_COLUMNS + c] / values[i] : 0;
        memset(x, 0, (size_t)(turned[1].count * width) * 8);
        for (int64_t k = 0; k < turned[1].count; k++)
            loops->add(n, width, y, 1, turned[1].strips + k * n * width, width, x + k * width);
        for (int64_t i = n - 2; i >= 0; i--)
            gi_reflect_numbers(loops, n - i - 1, x + i + 1, b.a.p + i * b.a.down + i + 2, 1, b.right[i].re, v);
        for (int64_t i = 0; i < n; i++) ((double *)j->x->data)[i * columns + c] = x[i] / scale;
    }
    for (int64_t i = 0; i < n; i++) {
        j->rank += gi_abs_f64(values[i]) > j->least * most;
        b.e[i] = -gi_abs_f64(values[i]);
    }
    gi_order_numbers(b.e, n, at.order, at.order + n);
    for (int64_t i = 0; i < n; i++) values[i] = -b.e[at.order[i]] * scale;
    return true;
}

/* Can they be computed so? */
static bool gi_is_least(const ga_array *a, const ga_array *b)
{
#ifdef GPUARR_USE_CUSOLVER
    if (gi_solver_takes(a)) return false;
#endif
#ifdef GPUARR_USE_LAPACKE
    if (a->shape[0] > GI_LINEAR_SMALL) return false;
#endif
    return a->dtype == GA_F64 && b->dtype == GA_F64 && a->shape[0] >= a->shape[1] && a->shape[1] > 0 &&
           b->shape[1] <= GI_LEAST_COLUMNS;
}

/* x and the singular values of a, temporaries; of float64 matrices without gaps. False with an error. */
static bool gi_least_squares(const char *site, gi_least *j, const ga_array *a, const ga_array *b, double least)
{
    const int64_t m = a->shape[0], n = a->shape[1], columns = b->shape[1], shape[2] = { n, columns };
    memset(j, 0, sizeof *j);
    j->columns       = columns;
    j->least         = least;
    j->lost          = 1;
    ga_array *turned = (ga_matrix_transpose)(b, site), *copy = turned ? gi_copy_convert(site, turned, GA_F64) : NULL;
    copy      = copy ? gi_copy_move(site, copy, GA_CPU) : NULL;
    j->values = copy ? gi_array_new(site, GA_F64, GA_CPU, 1, &n) : NULL;
    j->x      = j->values ? gi_array_new(site, GA_F64, GA_CPU, 2, shape) : NULL;
    bool done = j->x && gi_matrices_of(site, &j->a, GA_CPU, a, 1);
    if (done) {
        const int64_t numbers = gi_lay_svd(NULL, m, n, 1, n).numbers + n * GI_LEAST_COLUMNS + m + 2 * n + GI_STRIP;
        j->b                  = (double *)copy->data;
        done                  = gi_each_matrix(site, 1, m, numbers, GI_WORK_SVD, gi_least_one, j) &&
               gi_all_done(site, j->lost, 1, "the singular values do not converge");
    }
    ga_free(j->a.memory);
    if (!done) return false;
    j->x      = gi_copy_move(site, j->x, a->device);
    j->values = gi_copy_move(site, j->values, a->device);
    return j->x && j->values;
}

/* What is left of b: the sum of |b - a x|^2 of each column, or nothing where that is no least square of its own. */
static ga_array *gi_residuals(const char *site, const ga_array *a, const ga_array *b, const ga_array *x, bool any,
                              ga_dtype dtype)
{
    const ga_map_options here = gi_map_site(site);
    const int64_t        none = 0;
    if (!any) return gi_array_new(site, dtype, a->device, 1, &none);
    ga_array *back = gi_matrix_product(site, a, x),
             *rest = back ? (ga_subtract)(gi_operand_arg(b), gi_operand_arg(back), here) : NULL;
    ga_array *size = rest ? (ga_absolute)(rest, here) : NULL, *square = size ? (ga_square)(size, here) : NULL;
    ga_array *sum = square ? (ga_sum)(square, gi_along_last(site, 0, false)) : NULL;
    return sum ? (ga_astype)(sum, dtype, site) : NULL;
}

ga_array *(ga_lstsq)(const ga_array *a, const ga_array *b, ga_lstsq_options o)
{
    ga_array        *made[3] = { NULL, NULL, NULL }, *x = NULL;
    ga_array **const to[2] = { o.residuals, o.s };
    gi_hand_out(2, to, made);
    if (!gi_are_system(o.site, a, b, false)) return NULL;
    if (o.rcond != o.rcond)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, ".rcond is NaN: give a number, or leave it out");
    if (a->ndim != 2 || b->ndim > 2 || a->shape[0] != b->shape[0])
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "shapes %s and %s do not fit: a is a matrix, and b has as many rows",
                                   gi_shape_of(a), gi_shape_of(b));
    const ga_dtype dtype = ga_promote(gi_linear_dtype(a->dtype), gi_linear_dtype(b->dtype)), real = gi_dtype_real(dtype);
    bool           done = false;
    ga_scope {
        gi_spectrum     w;
        const ga_dtype  wide    = gi_is_complex(dtype) ? GA_C128 : GA_F64;
        const ga_array *matrix  = gi_copy_contiguous(o.site, a, wide),
                       *columns = b->ndim == 1 ? (ga_expand_dims)(b, 1, o.site) : b;
        const ga_array *right   = columns ? gi_copy_contiguous(o.site, columns, wide) : NULL;
        const double    eps     = real == GA_F32 ? (double)FLT_EPSILON : DBL_EPSILON;
        const double least = o.rcond == GA_REAL_DEFAULT ? (double)(a->shape[0] > a->shape[1] ? a->shape[0] : a->shape[1]) * eps
                             : o.rcond < 0              ? eps
                                                        : o.rcond;
        const ga_array *y = NULL, *factor = NULL;
        int64_t         rank = 0;
        if (matrix && right && gi_is_least(matrix, right)) {
            gi_least few;
            if (gi_least_squares(o.site, &few, matrix, right, least)) y = few.x;
            w.s  = few.values;
            rank = few.rank;
        } else if (matrix && right && gi_spectrum_of(o.site, &w, matrix, least)) {
            y      = gi_apply_spectrum(o.site, &w, right);
            factor = y ? (ga_ravel)(w.by, o.site) : NULL;
            w.s    = factor ? (ga_divide)(gi_operand_arg(w.s), gi_operand_arg(factor), gi_map_site(o.site)) : NULL;
            const ga_array *count = w.s ? (ga_count_nonzero)(w.large, gi_reduce_site(o.site)) : NULL;
            if (!count || !gi_item_as(o.site, count, NULL, GA_I64, &rank)) y = NULL;
        }
        const ga_array *line = y && b->ndim == 1 ? (ga_index)(o.site, y, ":, 0") : y;
        if (line) {
            if (o.rank) *o.rank = rank;
            if (o.residuals)
                made[0] = gi_residuals(o.site, matrix, right, y, rank == a->shape[1] && a->shape[0] > a->shape[1], real);
            if (o.s && w.s) made[1] = (ga_astype)(w.s, real, o.site);
            x    = (ga_astype)(line, dtype, o.site);
            done = x && (made[0] || !o.residuals) && (made[1] || !o.s);
        }
        for (int k = 0; k < 2 && done; k++)
            if (made[k]) made[k] = ga_keep(made[k]);
        x = done ? ga_keep(x) : NULL;
    }
    if (done) gi_hand_out(2, to, made);
    return x;
}
