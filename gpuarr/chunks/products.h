/* ---- whole lines ---- */

typedef struct gi_line_call {
    gi_further    call;
    int           axis;
    bool          sorts, indices; /* or it scans: */
    int64_t       kth;            /* -1, or it partitions */
    ga_dtype      wide;
    const gi_row *row;
} gi_line_call;

static void gi_line_needs(const gi_lazy *n, int k, const gi_box *box, gi_box *part)
{
    int axis          = ((const gi_line_call *)n->plan)->axis;
    *part             = *box;
    part->start[axis] = 0;
    part->count[axis] = n->in[k]->shape[axis];
}

static ga_array *gi_line_run(const gi_lazy *n, const gi_box *box, const gi_box *part, ga_array *const *in, ga_array *out)
{
    const gi_line_call *p = (const gi_line_call *)n->plan;
    ga_array           *r;
    (void)out;
    if (p->sorts) {
        r = p->kth < 0 ? gi_sort_array(n->site, in[0], p->axis, p->indices)
                       : gi_partition_array(n->site, in[0], p->axis, p->kth, p->indices);
    } else {
        r = gi_array_new(n->site, n->dtype, in[0]->device, in[0]->ndim, in[0]->shape);
        if (r && !gi_scan(n->site, in[0], n->dtype, r, p->axis, p->wide, p->row)) {
            ga_free(r);
            return NULL;
        }
    }
    return gi_cut_out(n, r, part, box);
}

static ga_array *gi_chunked_lines(const ga_array *a, gi_line_call *p, ga_dtype dtype, const ga_axis_options *o)
{
    int64_t least[GPUARR_MAX_DIMS] = { 0 };
    if (!gi_chunk_no_out(o->site, o->out)) return NULL;
    p->call.needs = gi_line_needs;
    p->call.run   = gi_line_run;
    ga_array *r   = gi_new_call(o->site, a->ndim == 1, dtype, a->ndim, a->shape, 1, &a, p, sizeof *p);
    if (!r) return NULL;
    gi_lazy *n        = r->owner->node;
    n->chunk[p->axis] = a->shape[p->axis] > 0 ? a->shape[p->axis] : 1;
    least[p->axis]    = INT64_MAX;
    gi_settle_chunks(n, least);
    return r;
}

static ga_array *gi_chunked_sort(const ga_array *a, int axis, bool indices, int64_t kth, const ga_axis_options *o)
{
    gi_line_call p;
    memset(&p, 0, sizeof p);
    p.axis    = axis;
    p.sorts   = true;
    p.kth     = kth;
    p.indices = indices;
    return gi_chunked_lines(a, &p, indices ? GA_I64 : a->dtype, o);
}

static ga_array *gi_chunked_scan(const ga_array *a, int axis, ga_dtype dtype, ga_dtype wide, const gi_row *row,
                                 const ga_axis_options *o)
{
    gi_line_call p;
    memset(&p, 0, sizeof p);
    p.axis = axis;
    p.wide = wide;
    p.row  = row;
    return gi_chunked_lines(a, &p, dtype, o);
}

/* ---- products, distances ---- */

typedef struct gi_contraction_call {
    gi_further     call;
    gi_contraction c;
} gi_contraction_call;

static void gi_contraction_needs(const gi_lazy *n, int k, const gi_box *box, gi_box *part)
{
    const gi_contraction *c      = &((const gi_contraction_call *)n->plan)->c;
    const int            *labels = k == 0 ? c->x.labels : c->y.labels;
    gi_all_of(n->in[k], part);
    for (int d = 0; d < n->in[k]->ndim; d++)
        for (int e = 0; e < c->ndim; e++)
            if (labels[d] == c->labels[e] && n->in[k]->shape[d] != 1) {
                part->start[d] = box->start[e];
                part->count[d] = box->count[e];
            }
}

static ga_array *gi_contraction_run(const gi_lazy *n, const gi_box *box, const gi_box *part, ga_array *const *in, ga_array *out)
{
    gi_contraction c = ((const gi_contraction_call *)n->plan)->c;
    (void)box, (void)part;
    c.x.a = in[0];
    c.y.a = in[1];
    return gi_called(n, gi_contract(&c, out), out);
}

static ga_array *gi_chunked_contraction(const gi_contraction *c, const ga_array *out)
{
    gi_contraction_call p;
    int64_t             shape[GPUARR_MAX_DIMS] = { 0 }, least[GPUARR_MAX_DIMS];
    const ga_array     *in[2]                  = { c->x.a, c->y.a };
    if (!gi_chunk_no_out(c->site, out)) return NULL;
    p.call.needs = gi_contraction_needs;
    p.call.run   = gi_contraction_run;
    p.c          = *c;
    memset(p.c.made, 0, sizeof p.c.made);
    for (int d = 0; d < c->ndim; d++) {
        shape[d] = c->of[c->labels[d]].n;
        least[d] = 64;
    }
    ga_array *r = gi_new_call(c->site, c->ndim == 0, c->dtype, c->ndim, shape, 2, in, &p, sizeof p);
    if (!r) return NULL;
    for (int d = 0; d < c->ndim; d++)
        for (int k = 0; k < 2; k++)
            for (int axis = 0; axis < in[k]->ndim; axis++)
                if ((k == 0 ? c->x.labels : c->y.labels)[axis] == c->labels[d]) gi_chunk_along(r->owner->node, d, k, axis);
    gi_settle_chunks(r->owner->node, least);
    return r;
}

typedef struct gi_distance_call {
    gi_further          call;
    ga_distance_options o;
} gi_distance_call;

/* Of the three arrays among the options a call has one or none: the input behind the points. */
static void gi_distance_with(ga_distance_options *o, const ga_array *with)
{
    if (o->w) o->w = with;
    if (o->V) o->V = with;
    if (o->VI) o->VI = with;
}

static void gi_distance_needs(const gi_lazy *n, int k, const gi_box *box, gi_box *part)
{
    gi_all_of(n->in[k], part);
    if (n->ndim == 1 || k == 2) return; /* pairs; an array of an option */
    part->start[0] = box->start[k];
    part->count[0] = box->count[k];
}

/* Distances first .. first + n of the pairs of points: row by row of the matrix, some rows at a time. */
static bool gi_some_pairs(const ga_distance_options *o, const ga_array *x, int64_t first, int64_t n, ga_array *out)
{
    int64_t points = x->shape[0], row = 0, size = ga_itemsize(out->dtype);
    while (gi_pair_place(points, row + 1, row + 2) <= first && row + 2 < points) row++;
    while (n > 0) {
        int64_t last = row + 32 < points - 1 ? row + 32 : points - 1;
        while (last - 1 > row && gi_pair_place(points, last - 1, last) >= first + n) last--;
        const int64_t shape[2] = { last - row, points - row - 1 };
        ga_array     *rows     = gi_view_part(o->site, x, 0, row, last - row),
                 *others       = gi_view_part(o->site, x, 0, row + 1, points - row - 1);
        ga_array *all          = rows && others ? gi_distances_into(rows, others, 2, shape, o) : NULL;
        bool      ok           = all != NULL;
        for (int64_t i = row; i < last && ok && n > 0; i++) {
            int64_t begin = gi_pair_place(points, i, i + 1), end = begin + points - i - 1, from = first > begin ? first : begin;
            int64_t count = end - from < n ? end - from : n;
            if (count <= 0) continue;
            memcpy((char *)out->data + (out->size - n) * size,
                   (char *)all->data + ((i - row) * shape[1] + (i - row) + from - begin) * size, (size_t)(count * size));
            n -= count;
            first += count;
        }
        ga_free(rows);
        ga_free(others);
        ga_free(all);
        if (!ok) return false;
        row = last;
    }
    return true;
}

static ga_array *gi_distance_run(const gi_lazy *n, const gi_box *box, const gi_box *part, ga_array *const *in, ga_array *out)
{
    ga_distance_options o = ((const gi_distance_call *)n->plan)->o;
    (void)part;
    if (n->ndim == 2) {
        gi_distance_with(&o, n->inputs > 2 ? in[2] : NULL);
        o.out = out;
        return gi_called(n, gi_distances_into(in[0], in[1], 2, box->count, &o), out);
    }
    ga_array *points = gi_copy_on_cpu(n->site, in[0]), *r = NULL; /* rows of the matrix are copied one by one */
    ga_array *with = n->inputs > 1 ? gi_copy_on_cpu(n->site, in[1]) : NULL;
    if (points && (with || n->inputs == 1)) r = gi_array_new(n->site, n->dtype, GA_CPU, 1, box->count);
    gi_distance_with(&o, with);
    bool ok = r && gi_some_pairs(&o, points, box->start[0], box->count[0], r);
    ga_free(with);
    ga_free(points);
    if (ok) return r;
    ga_free(r);
    return NULL;
}

static ga_array *gi_chunked_distances(const ga_array *x, const ga_array *y, ga_dtype dtype, int ndim, const int64_t *shape,
                                      const ga_distance_options *o)
{
    gi_distance_call p;
    const int64_t    least[2] = { 64, 64 };
    const ga_array  *with = o->w ? o->w : o->V ? o->V : o->VI, *in[3] = { x, y ? y : with, with };
    if (!gi_chunk_no_out(o->site, o->out)) return NULL;
    p.call.needs = gi_distance_needs;
    p.call.run   = gi_distance_run;
    p.o          = *o;
    ga_array *r  = gi_new_call(o->site, false, dtype, ndim, shape, ndim + (with != NULL), in, &p, sizeof p);
    if (!r) return NULL;
    for (int k = 0; y && k < 2; k++) gi_chunk_along(r->owner->node, k, k, 0);
    gi_settle_chunks(r->owner->node, least);
    return r;
}
