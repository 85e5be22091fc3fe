/* ---- nodes: joined arrays ----------------------------------------------------------------------------------------------------------- */

typedef struct gi_join_plan {
    int  axis;
    bool stacked;
} gi_join_plan;

static ga_array *gi_eval_join(gi_worker *w, const gi_lazy *n, const gi_box *box, ga_array *out)
{
    const gi_join_plan *p    = (const gi_join_plan *)n->plan;
    int                 axis = p->axis;
    ga_array           *r = out ? gi_array_hold(n->site, out) : gi_array_new(n->site, n->dtype, w->device, n->ndim, box->count);
    int64_t             at = 0; /* of the input's first element along the axis */
    for (int k = 0; k < n->inputs && r; k++) {
        const ga_array *a      = n->in[k];
        int64_t         length = p->stacked ? 1 : a->shape[axis], step = box->step[axis];
        int64_t from = box->start[axis] >= at ? 0 : (at - box->start[axis] + step - 1) / step; /* the box's elements in it */
        int64_t to   = at + length <= box->start[axis] ? 0 : (at + length - box->start[axis] + step - 1) / step;
        if (to > box->count[axis]) to = box->count[axis];
        if (from < to) {
            gi_layout place  = gi_layout_of(r);
            gi_box    part   = *box;
            part.start[axis] = box->start[axis] + from * step - at;
            part.count[axis] = to - from;
            place.data += from * place.strides[axis];
            place.shape[axis] = to - from;
            if (p->stacked)
                for (int d = axis; d < n->ndim - 1; d++) {
                    gi_layout_swap(&place, d, d + 1);
                    part.start[d] = box->start[d + 1];
                    part.count[d] = box->count[d + 1];
                    part.step[d]  = box->step[d + 1];
                }
            if (p->stacked) place.ndim--;
            gi_layout l      = gi_box_layout(a, &part);
            ga_array *target = gi_view_with(n->site, r, &place);
            bool      ok     = target && gi_pull_into(n->site, target, gi_pull(w, a, &l, a->dtype == n->dtype ? target : NULL));
            ga_free(target);
            if (!ok) {
                ga_free(r);
                r = NULL;
            }
        }
        at += length;
    }
    return r;
}
GI_TABLE(gi_lazy_kind, gi_kind_join, { "join", gi_eval_join, GI_LOCAL | GI_ON_GPU, NULL })

static ga_array *gi_chunked_join(int n, const ga_array *const *arrays, ga_dtype dtype, int axis, bool stacked, int ndim,
                                 const int64_t *shape, const ga_axis_options *o)
{
    gi_join_plan p = { axis, stacked };
    if (!gi_chunk_no_out(o->site, o->out)) return NULL;
    ga_array *r = gi_lazy_new(o->site, gi_kind_join(), dtype, ndim, shape, n, arrays, &p, sizeof p);
    if (!r) return NULL;
    gi_lazy *node = r->owner->node;
    for (int d = 0; d < ndim; d++) node->chunk[d] = 0;
    for (int k = 0; k < n; k++) {
        if (!gi_is_deferred(arrays[k])) continue;
        ga_shape chunks = ga_chunks_of(arrays[k]);
        for (int d = 0; d < ndim; d++)
            if (!(stacked && d == axis)) node->chunk[d] = chunks.n[stacked && d > axis ? d - 1 : d];
        break;
    }
    if (stacked) node->chunk[axis] = n; /* the arrays are computed beside each other */
    if (axis > 0) node->rows = false;   /* each is of several files */
    gi_chunk_fill_lengths(ndim, shape, ga_itemsize(dtype), node->chunk);
    return r;
}

/* ga_indices and ga_mgrid: the lines, each repeated along the axes of the others. */
static ga_array *gi_chunked_grid(const ga_new_options *o, ga_dtype dtype, const ga_shape *shape, ga_array *const *lines)
{
    ga_axis_options joining               = ga_axis_defaults;
    ga_new_options  all                   = *o;
    ga_array       *part[GPUARR_MAX_DIMS] = { NULL }, *grid = NULL;
    const ga_array *in[GPUARR_MAX_DIMS] = { NULL };
    int             n                   = shape->ndim - 1;
    bool            done                = true;
    joining.site                        = o->site;
    joining.out                         = NULL;
    all.dtype                           = dtype;
    if (n == 0) return gi_chunked_full(1, shape->n, GA_ARG(0), &all);
    for (int k = 0; k < n && done; k++) {
        part[k] = gi_grid_repeat_along(o->site, lines[k], k, n, shape->n + 1);
        done    = part[k] != NULL;
        in[k]   = part[k];
    }
    if (done) grid = gi_chunked_join(n, in, dtype, 0, true, shape->ndim, shape->n, &joining);
    gi_array_free_all(n, part);
    if (grid && gi_chunk_set_lengths(o->site, grid->owner->node, &o->chunks)) return grid;
    ga_free(grid);
    return NULL;
}
