/* ---- labelled axes ------------------------------------------------------------------------------------------------------ */
/*  What einsum writes with letters: out[i][j] = sum over k of x[i][k] * y[k][j]. Axes with the same label run together.          */

enum { GI_LABELS = 64 };

typedef struct gi_term {
    const ga_array *a;
    int             labels[GPUARR_MAX_DIMS]; /* of its axes, no two alike */
} gi_term;

/* The length of an axis, and its strides in x, y and the result. */
typedef struct gi_extent_of {
    int64_t n, x, y, out;
} gi_extent_of;

typedef struct gi_contraction {
    const char  *site;
    ga_dtype     dtype;
    gi_term      x, y;
    int          ndim, labels[GPUARR_MAX_DIMS]; /* of the result */
    int          sums, summed[GPUARR_MAX_DIMS]; /* the labels that it does not have, which x and y both have */
    ga_array    *made[4];                       /* x and y converted, x and y rearranged */
    gi_extent_of of[GI_LABELS];                 /* each label that one of them has */
} gi_contraction;

/* The labels of a term that are, or are not, in the list; returns how many. */
static int gi_pick_labels(const gi_term *t, int count, const int *list, bool listed, int *picked)
{
    int n = 0;
    for (int d = 0; d < t->a->ndim; d++) {
        bool found = false;
        for (int k = 0; k < count; k++) found = found || list[k] == t->labels[d];
        if (found == listed) picked[n++] = t->labels[d];
    }
    return n;
}

static const gi_extent_of gi_no_extent = { 1, 0, 0, 0 };

/* Axes of length 1 stretch. */
static void gi_measure_axes(gi_contraction *c)
{
    for (int d = 0; d < c->ndim; d++) c->of[c->labels[d]] = gi_no_extent;
    for (int d = 0; d < c->x.a->ndim; d++) c->of[c->x.labels[d]] = gi_no_extent;
    for (int d = 0; d < c->y.a->ndim; d++) c->of[c->y.labels[d]] = gi_no_extent;
    for (int d = 0; d < c->x.a->ndim; d++) {
        gi_extent_of *e = &c->of[c->x.labels[d]];
        if (c->x.a->shape[d] != 1) e->n = c->x.a->shape[d], e->x = c->x.a->strides[d];
    }
    for (int d = 0; d < c->y.a->ndim; d++) {
        gi_extent_of *e = &c->of[c->y.labels[d]];
        if (c->y.a->shape[d] != 1) e->n = c->y.a->shape[d], e->y = c->y.a->strides[d];
    }
}

/* A term seen along these labels: stretched where it does not have them. */
static ga_array *gi_view_labels(const gi_contraction *c, const gi_term *t, int count, const int *labels)
{
    gi_layout l = gi_layout_of(t->a);
    l.ndim      = count;
    for (int d = 0; d < count; d++) {
        l.shape[d]   = c->of[labels[d]].n;
        l.strides[d] = 0;
        for (int e = 0; e < t->a->ndim; e++)
            if (t->labels[e] == labels[d] && t->a->shape[e] != 1) l.strides[d] = t->a->strides[e];
    }
    return gi_view_with(c->site, t->a, &l);
}

/* Leaves out axes of length 1 and joins neighbours that lie in memory as one; returns how many are left. */
static int gi_join_extents(int count, gi_extent_of *e)
{
    int n = 0;
    for (int d = 0; d < count; d++) {
        if (e[d].n == 1) continue;
        gi_extent_of *last = n ? &e[n - 1] : NULL, next = e[d];
        bool joins = last && last->x == next.x * next.n && last->y == next.y * next.n && last->out == next.out * next.n;
        if (joins) {
            next.n *= last->n;
            *last = next;
        } else {
            e[n++] = next;
        }
    }
    return n;
}

static bool gi_convert_term(const gi_contraction *c, gi_term *t, ga_array **made)
{
    if (t->a->dtype == c->dtype) return true;
    *made = gi_copy_convert(c->site, t->a, c->dtype);
    t->a  = *made;
    return *made != NULL;
}

/* Copies a term so that the summed labels come last and lie side by side. */
static bool gi_arrange_term(const gi_contraction *c, gi_term *t, ga_array **made)
{
    gi_term before = *t;
    int     n      = gi_pick_labels(&before, c->sums, c->summed, false, t->labels);
    memcpy(t->labels + n, c->summed, (size_t)c->sums * sizeof *t->labels);
    ga_array *view = gi_view_labels(c, &before, n + c->sums, t->labels);
    *made          = view ? gi_copy_convert(c->site, view, c->dtype) : NULL;
    t->a           = *made;
    ga_free(view);
    return *made != NULL;
}

/* Makes one axis of all that are summed; a term is copied only if its own do not lie as one. */
static bool gi_line_up(gi_contraction *c, gi_extent_of *inner)
{
    gi_extent_of e[GPUARR_MAX_DIMS], x[GPUARR_MAX_DIMS], y[GPUARR_MAX_DIMS];
    for (int k = 0; k < c->sums; k++) {
        e[k] = x[k] = y[k] = c->of[c->summed[k]];
        x[k].y = y[k].x = 0;
    }
    *inner = gi_no_extent;
    for (int k = 0; k < c->sums; k++)
        if (e[k].n == 0) {
            inner->n = 0;
            return true;
        }
    int n = gi_join_extents(c->sums, e);
    if (n > 1) {
        if (gi_join_extents(c->sums, x) > 1 && !gi_arrange_term(c, &c->x, &c->made[2])) return false;
        if (gi_join_extents(c->sums, y) > 1 && !gi_arrange_term(c, &c->y, &c->made[3])) return false;
        gi_measure_axes(c);
        for (int k = 0; k < c->sums; k++) e[k] = c->of[c->summed[k]];
        n = gi_join_extents(c->sums, e);
    }
    if (n == 1) *inner = e[0];
    return true;
}

/* A number: the sum of all products. */
static ga_array *gi_contract_fully(const gi_contraction *c, gi_extent_of inner)
{
    if (c->x.a->device == GA_CPU) {
        const gi_strided u = { (const char *)c->x.a->data, inner.x, c->dtype };
        const gi_strided v = { (const char *)c->y.a->data, inner.y, c->dtype };
        return gi_dot_vectors(c->site, c->dtype, inner.n, u, v);
    }
    ga_array *x = gi_array_new_view(c->site, c->x.a, c->x.a->data, c->dtype, 1, &inner.n, &inner.x);
    ga_array *y = gi_array_new_view(c->site, c->y.a, c->y.a->data, c->dtype, 1, &inner.n, &inner.y);
    ga_array *r = x && y ? gi_gpu_dot(c->site, x, y, c->dtype) : NULL;
    ga_free(x);
    ga_free(y);
    return r;
}

/* Nothing is summed: x * y, stretched. */
static ga_array *gi_contract_nothing(const gi_contraction *c, ga_array *out)
{
    ga_map_options o = gi_map_site(c->site);
    ga_array      *x = gi_view_labels(c, &c->x, c->ndim, c->labels), *y = gi_view_labels(c, &c->y, c->ndim, c->labels);
    if (out) o.out = out;
    ga_array *r = x && y ? (ga_multiply)(gi_operand_arg(x), gi_operand_arg(y), o) : NULL;
    ga_free(x);
    ga_free(y);
    return r;
}

/* The rows of the matrices are the longest axis that only x has, the columns the longest that only y has. */
static void gi_choose_matrices(gi_product *p, int count, const gi_extent_of *e)
{
    int rows = -1, columns = -1;
    for (int d = 0; d < count; d++) {
        if (e[d].y == 0 && e[d].x != 0 && (rows < 0 || e[d].n > e[rows].n)) rows = d;
        if (e[d].x == 0 && e[d].y != 0 && (columns < 0 || e[d].n > e[columns].n)) columns = d;
    }
    p->rows = p->columns = 1;
    for (int d = 0; d < count; d++) {
        if (d == rows) {
            p->rows = e[d].n, p->a.row = e[d].x, p->out.row = e[d].out;
        } else if (d == columns) {
            p->columns = e[d].n, p->b.column = e[d].y, p->out.column = e[d].out;
        } else {
            p->shape[p->axes]  = e[d].n;
            p->a.next[p->axes] = e[d].x, p->b.next[p->axes] = e[d].y, p->out.next[p->axes] = e[d].out;
            p->axes++;
        }
    }
}

static bool gi_contract_into(gi_contraction *c, gi_extent_of inner, ga_array *result)
{
    gi_extent_of e[GPUARR_MAX_DIMS];
    gi_product   p;
    memset(&p, 0, sizeof p);
    if (result->size == 0) return true;
    if (inner.n == 0) return gi_array_clear(c->site, result);
    for (int d = 0; d < c->ndim; d++) {
        e[d]     = c->of[c->labels[d]];
        e[d].out = result->strides[d];
    }
    gi_choose_matrices(&p, gi_join_extents(c->ndim, e), e);
    p.dtype                = c->dtype;
    p.inner                = inner.n;
    p.a.column             = inner.x;
    p.b.row                = inner.y;
    p.a.data               = (char *)c->x.a->data;
    p.b.data               = (char *)c->y.a->data;
    p.out.data             = (char *)result->data;
    const ga_array *all[3] = { c->x.a, c->y.a, result };
    if (result->device == GA_CUDA && !gi_gpu->touch(c->site, 3, all)) return false;
    return gi_multiply(c->site, result->device, &p);
}

/* Can the result be written straight into `out`? It must be as dense as a new array, and apart from x and y. */
static bool gi_is_target(const gi_contraction *c, const ga_array *out, const int64_t *shape)
{
    if (!out || out->alive != GI_ALIVE || gi_is_deferred(out) || out->dtype != c->dtype || out->device != c->x.a->device ||
        out->size == 0)
        return false;
    if (!gi_shape_equal(c->ndim, shape, out->ndim, out->shape)) return false;
    const char *low, *high;
    gi_array_extent(out, &low, &high);
    return high - low == out->size * ga_itemsize(out->dtype) && !ga_may_share_memory(out, c->x.a) &&
           !ga_may_share_memory(out, c->y.a);
}

/* Of a contraction with its terms, dtype and the labels of the result: a new array, or `out` if that could be written. A number is a
   sum along the documented tree, everything else chains. */
static ga_array *gi_contract(gi_contraction *c, ga_array *out)
{
    ga_array    *result = NULL;
    int64_t      shape[GPUARR_MAX_DIMS];
    gi_extent_of inner;
    bool         ok = gi_convert_term(c, &c->x, &c->made[0]) && gi_convert_term(c, &c->y, &c->made[1]);
    if (ok) {
        c->sums = gi_pick_labels(&c->x, c->ndim, c->labels, false, c->summed);
        gi_measure_axes(c);
        ok = gi_is_deferred(c->x.a) || gi_is_deferred(c->y.a) || gi_line_up(c, &inner);
    }
    const bool chunked = ok && (gi_is_deferred(c->x.a) || gi_is_deferred(c->y.a));
    if (ok && c->sums == 0) {
        result = gi_contract_nothing(c, out);
    } else if (chunked) {
        result = gi_deferred()->contraction(c, out);
    } else if (ok && c->ndim == 0) {
        result = gi_contract_fully(c, inner);
    } else if (ok) {
        for (int d = 0; d < c->ndim; d++) shape[d] = c->of[c->labels[d]].n;
        result =
            gi_is_target(c, out, shape) && inner.n > 0 ? out : gi_array_new(c->site, c->dtype, c->x.a->device, c->ndim, shape);
        if (result && !gi_contract_into(c, inner, result)) {
            if (result != out) ga_free(result);
            result = NULL;
        }
    }
    for (int k = 0; k < 4; k++) ga_free(c->made[k]);
    return result;
}
