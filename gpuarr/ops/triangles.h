/* ---- diagonals, triangles, powers of a vector ---------------------------------------------------------------------- */

/* The view of the diagonal of two axes, put last. */
static ga_array *gi_do_diagonal(const gi_composition *c, const ga_array *a, int64_t offset, int axis1, int axis2)
{
    if (a->ndim < 2) return (ga_array *)gi_fail(c->site, GA_BAD_SHAPE, "shape %s has fewer than two axes", gi_shape_of(a));
    axis1 = gi_axis(c->site, axis1, a->ndim);
    axis2 = axis1 < 0 ? -1 : gi_axis(c->site, axis2, a->ndim);
    if (axis2 < 0) return NULL;
    if (axis1 == axis2) return (ga_array *)gi_fail(c->site, GA_BAD_ARGUMENT, "axis %d twice: a diagonal has two axes", axis1);
    ga_array *first = (ga_moveaxis)(a, axis2, 0, c->site);
    return first ? (ga_diagonal)((ga_moveaxis)(first, axis1 < axis2 ? axis1 + 1 : axis1, 0, c->site), offset, c->site) : NULL;
}

ga_array *(ga_trace)(const ga_array *a, ga_trace_options o)
{
    if (!gi_options_trace(&o) || !gi_array_check_half_any(o.site, a, "a")) return NULL;
    gi_composition c;
    gi_compose_begin(&c, o.site);
    ga_array         *diagonal = gi_do_diagonal(&c, a, o.offset, o.axis1, o.axis2);
    ga_reduce_options sum      = gi_reduce_site(o.site);
    sum.axis                   = -1;
    sum.dtype                  = o.dtype;
    if (o.out) sum.out = o.out;
    return gi_compose_end(&c, diagonal ? (ga_sum)(diagonal, sum) : NULL);
}

/* A matrix of zeros with the elements of a line on the k-th diagonal. */
static ga_array *gi_diagonal_matrix(const char *site, const ga_array *line, int64_t k)
{
    int64_t n;
    if (k == INT64_MIN || __builtin_add_overflow(line->size, k < 0 ? -k : k, &n))
        return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT, "the diagonal %lld makes the matrix larger than can be counted",
                                   (long long)k);
    gi_composition c;
    gi_compose_begin(&c, site);
    const int64_t shape[2] = { n, n };
    ga_array     *r        = (ga_zeros_n)(2, shape, gi_new_on(site, line->dtype, line->device));
    ga_array     *to       = r ? (ga_diagonal)(r, k, site) : NULL;
    return gi_compose_end(&c, to && gi_copy_assign(site, to, line) ? r : NULL);
}

ga_array *(ga_diag)(const ga_array *v, ga_diagonal_options o)
{
    if (!gi_array_check_half(o.site, v, "v")) return NULL;
    if (v->ndim == 1) return gi_diagonal_matrix(o.site, v, o.k);
    if (v->ndim == 2) return (ga_diagonal)(v, o.k, o.site);
    return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "v has shape %s: it must have one dimension or two", gi_shape_of(v));
}

ga_array *(ga_diagflat)(const ga_array *v, ga_diagonal_options o)
{
    if (!gi_array_check_half(o.site, v, "v")) return NULL;
    ga_array *line = (ga_ravel)(v, o.site), *r = line ? gi_diagonal_matrix(o.site, line, o.k) : NULL;
    ga_free(line);
    return r;
}

/* Writes the elements of `line`, again and again, beginning with number *at, into a 1-D view. */
static bool gi_fill_again(const gi_composition *c, ga_array *to, const ga_array *line, int64_t *at)
{
    if (!to) return false;
    if (line->size == 1) return gi_copy_assign(c->site, to, line);
    ga_shape  all  = gi_line(*at + to->size);
    ga_array *many = (ga_resize)(line, all, c->site), *part = gi_do_part(c, many, 0, *at, to->size);
    *at = (*at + to->size) % line->size;
    return part && gi_copy_assign(c->site, to, part);
}

ga_array *(ga_fill_diagonal)(ga_array *a, ga_arg value, ga_fill_options o)
{
    if (!gi_array_check_half(o.site, a, "a") || !gi_array_is_writable(o.site, a, "a")) return NULL;
    bool equal = a->ndim >= 2;
    for (int d = 1; d < a->ndim && a->ndim > 2; d++) equal = equal && a->shape[d] == a->shape[0];
    if (!equal)
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "a has shape %s: it must have two axes, or more of the same length",
                                   gi_shape_of(a));
    gi_composition c;
    gi_compose_begin(&c, o.site);
    ga_array *values = gi_do_value(&c, value, "value", a), *line = values ? (ga_ravel)(values, o.site) : NULL;
    bool      done = line != NULL;
    int64_t   at = 0, rows = a->shape[0], cols = a->shape[1];
    if (line && line->size == 0) done = gi_fail(o.site, GA_BAD_SHAPE, "value has no element") != NULL;
    for (int64_t top = 0; done && top < rows && a->size > 0; top += cols + 1) { /* behind each square one row is left out */
        gi_layout l = gi_layout_of(a);
        l.data += top * l.strides[0];
        l.ndim = 1;
        for (int d = 1; d < a->ndim; d++) l.strides[0] += a->strides[d];
        l.shape[0] = rows - top < cols ? rows - top : cols;
        done       = gi_fill_again(&c, gi_view_with(o.site, a, &l), line, &at);
        if (!o.wrap || a->ndim > 2) break;
    }
    gi_compose_end(&c, NULL);
    return done ? a : NULL;
}

/* ---- triangles --------------------------------------------------------------------------------------------------------- */

/* How many places row i has, from the left, up to the k-th diagonal. */
static int64_t gi_triangle_row(int64_t i, int64_t cols, int64_t k)
{
    return i + k + 1 < 0 ? 0 : i + k + 1 < cols ? i + k + 1 : cols;
}

/* True at and below the k-th diagonal, on the CPU. */
static ga_array *gi_triangle_here(const char *site, int64_t rows, int64_t cols, int64_t k)
{
    const int64_t shape[2] = { rows, cols };
    ga_array     *r        = gi_array_new(site, GA_BOOL, GA_CPU, 2, shape);
    for (int64_t i = 0; r && cols > 0 && i < rows; i++) {
        const int64_t ones = gi_triangle_row(i, cols, k);
        uint8_t      *row  = (uint8_t *)r->data + i * cols;
        memset(row, 1, (size_t)ones);
        memset(row + ones, 0, (size_t)(cols - ones));
    }
    return r;
}

/* Can there be such a triangle? Brings *k to where nothing changes beyond, and -k can be counted. False with an error. */
static bool gi_triangle_check(const char *site, int64_t rows, int64_t cols, int64_t *k)
{
    if (rows < 0 || cols < 0)
        return gi_fail(site, GA_BAD_SHAPE, "%lld rows and %lld columns: a length is negative", (long long)rows,
                       (long long)cols) != NULL;
    if (rows > INT64_MAX - cols)
        return gi_fail(site, GA_NO_MEMORY, "%lld rows and %lld columns are more than can be counted", (long long)rows,
                       (long long)cols) != NULL;
    *k = *k < -rows ? -rows : *k > cols ? cols : *k;
    return true;
}

/* The same on any device. */
static ga_array *gi_do_triangle(const gi_composition *c, int64_t rows, int64_t cols, int64_t k, ga_device device)
{
    if (!gi_triangle_check(c->site, rows, cols, &k)) return NULL;
    if (gi_device_meant(device) == GA_CPU) return gi_triangle_here(c->site, rows, cols, k);
    ga_array *row = gi_do_count(c, 0, rows, device), *col = gi_do_count(c, -k, cols, device);
    return GI_DO_2(c, greater_equal, gi_do_turn(c, row, 0, 2), col);
}

ga_array *(ga_identity)(int64_t n, ga_new_options o) { return (ga_eye)(n, n, 0, o); }

ga_array *(ga_tri)(int64_t rows, int64_t cols, int64_t k, ga_new_options o)
{
    if (!gi_options_new(&o)) return NULL;
    if (o.chunks.ndim != 0 || o.pinned || o.managed)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "ga_tri takes .dtype and .device alone: chunk or copy its result");
    gi_composition c;
    const int64_t  shape[2] = { rows, cols };
    const ga_dtype dtype    = o.dtype == GA_DTYPE_DEFAULT ? GA_F64 : o.dtype;
    const bool     as_it_is = dtype == GA_BOOL && gi_device_meant(o.device) == GA_CPU; /* the triangle is the result */
    if (!gi_triangle_check(o.site, rows, cols, &k)) return NULL;
    gi_compose_begin(&c, o.site);
    ga_array *r = as_it_is ? NULL : gi_array_new(o.site, dtype, o.device, 2, shape); /* first: what has no room is this */
    ga_array *triangle = r || as_it_is ? gi_do_triangle(&c, rows, cols, k, o.device) : NULL;
    return gi_compose_end(&c, triangle ? gi_copy_finish(o.site, triangle, dtype, r) : NULL);
}

/* a where the triangle is `kept`, else 0. */
static ga_array *gi_triangle_of(const ga_array *a, int64_t k, bool kept, const char *site)
{
    if (!gi_array_check_half_any(site, a, "a")) return NULL;
    if (a->ndim == 0) return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "a has no dimensions: a triangle needs rows or columns");
    gi_composition c;
    gi_compose_begin(&c, site);
    int64_t   cols = a->shape[a->ndim - 1], rows = a->ndim > 1 ? a->shape[a->ndim - 2] : cols;
    ga_array *mask = gi_do_triangle(&c, rows, cols, k, a->device);
    ga_array *zero = (ga_zeros_n)(0, NULL, gi_new_on(site, a->dtype, a->device));
    ga_array *r    = mask && zero ? (kept ? GI_DO_WHERE(&c, mask, a, zero) : GI_DO_WHERE(&c, mask, zero, a)) : NULL;
    return gi_compose_end(&c, r);
}

ga_array *(ga_tril)(const ga_array *a, ga_diagonal_options o) { return gi_triangle_of(a, o.k, true, o.site); }
ga_array *(ga_triu)(const ga_array *a, ga_diagonal_options o)
{
    return gi_triangle_of(a, o.k > INT64_MIN ? o.k - 1 : o.k, false, o.site);
}

/* The places of a triangle, row by row; or all others. */
typedef struct gi_triangle_job {
    int64_t  cols, k;
    bool     lower;
    int64_t *row, *col;
} gi_triangle_job;

/* The places of the lower triangle in the rows before `row`. */
static int64_t gi_triangle_before(int64_t row, int64_t cols, int64_t k)
{
    int64_t       sum[2];
    const int64_t end[2] = { row + k + 1, k + 1 };
    for (int i = 0; i < 2; i++) { /* of 0, 1 ... cols, cols ...: the numbers before end */
        const int64_t n = end[i] < 0 ? 0 : end[i] < cols ? end[i] : cols;
        sum[i]          = n * (n - 1) / 2 + (end[i] - n > 0 ? (end[i] - n) * cols : 0);
    }
    return sum[0] - sum[1];
}

GI_BEGIN_FAST
static void gi_triangle_rows(int64_t begin, int64_t end, void *job)
{
    const gi_triangle_job *j   = (const gi_triangle_job *)job;
    const int64_t          at  = gi_triangle_before(begin, j->cols, j->k);
    int64_t               *row = j->row + (j->lower ? at : begin * j->cols - at), *col = j->col + (row - j->row);
    for (int64_t i = begin; i < end; i++) {
        const int64_t left  = gi_triangle_row(i, j->cols, j->k);
        const int64_t first = j->lower ? 0 : left, n = j->lower ? left : j->cols - left;
        for (int64_t p = 0; p < n; p++) row[p] = i;
        for (int64_t p = 0; p < n; p++) col[p] = first + p;
        row += n;
        col += n;
    }
}
GI_END_FAST

/* The places at and below the k-th diagonal, or all others, on the CPU; rows and cols are less than 2^31. */
static ga_array *gi_triangle_places(const char *site, int64_t rows, int64_t cols, int64_t k, bool lower)
{
    const int64_t   below = gi_triangle_before(rows, cols, k), n = lower ? below : rows * cols - below;
    const int64_t   shape[2] = { 2, n }, width = cols < GI_GENERATE_CHUNK ? cols + 1 : (int64_t)GI_GENERATE_CHUNK;
    ga_array       *r = gi_array_new(site, GA_I64, GA_CPU, 2, shape);
    gi_triangle_job j = { cols, k, lower, NULL, NULL };
    if (!r || n == 0) return r;
    j.row = (int64_t *)r->data;
    j.col = j.row + n;
    gi_parallel_bytes(16.0 * (double)n, rows, GI_GENERATE_CHUNK / width, gi_triangle_rows, &j);
    return r;
}

static ga_array *gi_triangle_indices(int64_t n, const ga_tri_options *o, bool lower)
{
    int64_t       k = lower || o->k == INT64_MIN ? o->k : o->k - 1;
    const int64_t m = o->m == GA_LENGTH_DEFAULT ? n : o->m;
    if (!gi_triangle_check(o->site, n, m, &k)) return NULL;
    if (gi_device_meant(o->device) == GA_CPU && n < INT32_MAX && m < INT32_MAX)
        return gi_triangle_places(o->site, n, m, k, lower);
    gi_composition c;
    gi_compose_begin(&c, o->site);
    ga_array *mask = gi_do_triangle(&c, n, m, k, o->device);
    if (mask && !lower) mask = GI_DO_1(&c, logical_not, mask);
    return gi_compose_end(&c, mask ? (ga_nonzero)(mask, o->site) : NULL);
}

ga_array *(ga_tril_indices)(int64_t n, ga_tri_options o) { return gi_triangle_indices(n, &o, true); }
ga_array *(ga_triu_indices)(int64_t n, ga_tri_options o) { return gi_triangle_indices(n, &o, false); }

typedef struct gi_diagonal {
    int64_t *to, n;
    int      ndim;
} gi_diagonal;

GI_BEGIN_FAST
static void gi_diagonal_places(int64_t begin, int64_t end, void *job)
{
    const gi_diagonal *d = (const gi_diagonal *)job;
    for (int k = 0; k < d->ndim; k++) {
        int64_t *to = d->to + k * d->n;
        for (int64_t i = begin; i < end; i++) to[i] = i;
    }
}
GI_END_FAST

ga_array *(ga_diag_indices)(int64_t n, int ndim, const char *site)
{
    if (n < 0 || ndim < 0)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "%lld elements of %d dimensions: both are at least 0", (long long)n,
                                   ndim);
    const int64_t   shape[2] = { ndim, n };
    const ga_device device   = gi_device_meant(GA_DEVICE_DEFAULT);
    ga_array       *places   = gi_array_new(site, GA_I64, GA_CPU, 2, shape);
    gi_diagonal     d        = { places ? (int64_t *)places->data : NULL, n, ndim };
    if (places && places->size > 0) gi_parallel_bytes(8.0 * (double)places->size, n, 4096, gi_diagonal_places, &d);
    if (!places || device == GA_CPU) return places;
    ga_to_options o = ga_to_defaults;
    o.site          = site;
    ga_array *there = (ga_to)(places, device, o);
    ga_free(places);
    return there;
}

/* The powers 0, 1, 2 ... of a column, side by side; again: the column, as often as there are powers behind the first. */
static ga_array *gi_do_powers(const gi_composition *c, const ga_array *column, const ga_array *again, bool increasing)
{
    ga_shape        shape;
    const int64_t   n = again->shape[1];
    ga_axis_options o = ga_axis_defaults;
    o.site            = c->site;
    o.axis            = 1;
    if (gi_is_deferred(column)) {
        ga_array *one    = (ga_ones_like)(column, gi_new_on(c->site, GA_DTYPE_DEFAULT, GA_DEVICE_DEFAULT));
        ga_array *powers = one ? (ga_cumprod)(again, o) : NULL, *r = powers ? gi_do_join(c, one, powers, 1) : NULL;
        return r && !increasing ? (ga_copy)((ga_fliplr)(r, c->site), c->site) : r;
    }
    memset(&shape, 0, sizeof shape);
    shape.ndim   = 2;
    shape.n[0]   = column->size;
    shape.n[1]   = n + 1;
    ga_array *r  = (ga_ones)(shape, gi_new_on(c->site, column->dtype, column->device));
    ga_array *up = increasing || !r ? r : (ga_fliplr)(r, c->site);
    o.out        = gi_do_part(c, up, 1, 1, n);
    return o.out && (ga_cumprod)(again, o) ? r : NULL;
}

ga_array *(ga_vander)(const ga_array *x, ga_vander_options o)
{
    if (!gi_array_check_half_any(o.site, x, "x")) return NULL;
    if (x->ndim != 1)
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "x has shape %s: it must have one dimension", gi_shape_of(x));
    const int64_t n = o.n == GA_LENGTH_DEFAULT ? x->size : o.n;
    if (n < 0) return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "%lld columns: there cannot be fewer than 0", (long long)n);
    gi_composition c;
    gi_compose_begin(&c, o.site);
    const int64_t shape[2] = { x->size, n };
    ga_array     *wide = (ga_astype)(x, ga_promote(x->dtype, GA_I64), o.site), *r = NULL;
    if (wide && n > 0) { /* ones, and beside them x, x, x ... multiplied as far as each column */
        ga_shape rest;
        memset(&rest, 0, sizeof rest);
        rest.ndim        = 2;
        rest.n[0]        = x->size;
        rest.n[1]        = n - 1;
        ga_array *column = gi_do_turn(&c, wide, 0, 2), *again = column ? (ga_broadcast_to)(column, rest, o.site) : NULL;
        r = again ? gi_do_powers(&c, column, again, o.increasing) : NULL;
    } else if (wide) {
        r = (ga_zeros_n)(2, shape, gi_new_on(o.site, wide->dtype, x->device));
    }
    return gi_compose_end(&c, r);
}

/* ---- where something is ---------------------------------------------------------------------------------------------- */

ga_array *(ga_flatnonzero)(const ga_array *a, const char *site)
{
    if (!gi_array_check_half(site, a, "a")) return NULL;
    gi_composition c;
    gi_compose_begin(&c, site);
    ga_array *line = (ga_ravel)(a, site), *found = line ? (ga_nonzero)(line, site) : NULL;
    return gi_compose_end(&c, found ? (ga_ravel)(found, site) : NULL);
}

ga_array *(ga_argwhere)(const ga_array *a, const char *site)
{
    if (!gi_array_check_half(site, a, "a")) return NULL;
    gi_composition c;
    gi_compose_begin(&c, site);
    ga_array *at_least = (ga_atleast_1d)(a, site), *found = at_least ? (ga_nonzero)(at_least, site) : NULL;
    ga_array *r = found ? (ga_matrix_transpose)(found, site) : NULL;
    if (r && a->ndim == 0) {
        const int64_t none[2] = { r->shape[0], 0 };
        r                     = (ga_zeros_n)(2, none, gi_new_on(site, GA_I64, a->device));
    }
    return gi_compose_end(&c, r ? (ga_ascontiguous)(r, site) : NULL);
}
