/* ---- nodes: functions of the user's for chunks ---------------------------------------------------------------------------------------- */

typedef struct gi_blocks_plan {
    ga_block_function function;
    void             *user;
    int64_t           depth[GPUARR_MAX_DIMS]; /* the inputs are longer by it on both sides */
    int64_t           shape[GPUARR_MAX_DIMS]; /* of the inputs, without that */
    int64_t           chunk[GPUARR_MAX_DIMS]; /* of the inputs; those of the result are the node's */
} gi_blocks_plan;

/* A chunk of the result, in `out` or new. */
static ga_array *gi_call_block(gi_worker *w, const gi_lazy *n, ga_block *where, const gi_box *chunk, ga_array *out)
{
    const gi_blocks_plan *p = (const gi_blocks_plan *)n->plan;
    gi_box                wide, middle;
    bool                  deep = false, ok = true;
    for (int d = 0; d < n->ndim; d++) {
        wide.start[d]   = where->start[d]; /* the inputs begin depth before */
        wide.count[d]   = where->shape[d] + 2 * p->depth[d];
        wide.step[d]    = 1;
        middle.start[d] = p->depth[d];
        middle.count[d] = chunk->count[d];
        middle.step[d]  = 1;
        deep            = deep || p->depth[d] > 0;
    }
    size_t     bytes = (size_t)n->inputs * sizeof(ga_array *);
    ga_array **in    = (ga_array **)gi_mem_alloc(n->site, bytes);
    if (!in) return NULL;
    int made = 0;
    for (; made < n->inputs; made++) {
        ga_array *pulled = gi_pull_box(w, n->in[made], &wide);
        in[made]         = pulled ? gi_copy_contiguous(n->site, pulled, pulled->dtype) : NULL;
        ga_free(pulled);
        if (!in[made]) break;
    }
    ok          = made == n->inputs;
    ga_array *r = NULL;
    if (ok && out && !deep && ga_is_contiguous(out)) r = gi_array_hold(n->site, out);
    else if (ok) r = gi_array_new(n->site, n->dtype, GA_CPU, n->ndim, deep ? wide.count : chunk->count);
    if (r) {
        gi_scope scope;
        gi_scope_begin(&scope);
        gi_array_lend(r);
        for (int k = 0; k < made; k++) gi_array_lend(in[k]);
        ok = p->function(r, (const ga_array *const *)in, n->inputs, where, p->user);
        gi_array_take_back(r);
        for (int k = 0; k < made; k++) gi_array_take_back(in[k]);
        gi_scope_end(&scope);
        if (ok) gi_error_left_behind();
        else {
            char why[400] = "";
            if (gi_error_status != GA_OK) snprintf(why, sizeof why, ": %.390s", gi_error_text);
            gi_fail(n->site, GA_BAD_ARGUMENT, "the function returned false for chunk number %lld, [%s] of [%s]%s",
                    (long long)where->number, gi_shape_text(n->ndim, where->index), gi_shape_text(n->ndim, where->chunks), why);
        }
    }
    gi_array_free_all(made, in);
    gi_mem_release(in, bytes);
    if (r && ok && deep) {
        ga_array *cut = gi_box_view(n->site, r, &middle);
        ga_free(r);
        return cut;
    }
    if (r && ok) return r;
    ga_free(r);
    return NULL;
}

/* Chunk by chunk, each whole. */
static ga_array *gi_eval_blocks(gi_worker *w, const gi_lazy *n, const gi_box *box, ga_array *out)
{
    const gi_blocks_plan *p    = (const gi_blocks_plan *)n->plan;
    gi_box                hull = gi_hull(n->ndim, box), all;
    int64_t               first[GPUARR_MAX_DIMS], count[GPUARR_MAX_DIMS], total = 1;
    for (int d = 0; d < n->ndim; d++) {
        first[d] = hull.start[d] / n->chunk[d];
        count[d] = hull.count[d] > 0 ? (hull.start[d] + hull.count[d] - 1) / n->chunk[d] - first[d] + 1 : 0;
        total *= count[d];
    }
    ga_array *r = NULL;
    for (int64_t k = 0; k < total; k++) {
        ga_block where;
        int64_t  rest = k;
        memset(&where, 0, sizeof where);
        where.ndim = n->ndim;
        bool exact = total == 1;
        for (int d = n->ndim - 1; d >= 0; d--) {
            where.index[d]  = first[d] + rest % count[d];
            where.chunks[d] = (n->shape[d] + n->chunk[d] - 1) / n->chunk[d];
            where.start[d]  = where.index[d] * p->chunk[d];
            where.shape[d]  = p->shape[d] - where.start[d] < p->chunk[d] ? p->shape[d] - where.start[d] : p->chunk[d];
            rest /= count[d];
            all.start[d] = where.index[d] * n->chunk[d];
            all.count[d] = n->shape[d] - all.start[d] < n->chunk[d] ? n->shape[d] - all.start[d] : n->chunk[d];
            all.step[d]  = 1;
        }
        for (int d = 0; d < n->ndim; d++) where.number = where.number * where.chunks[d] + where.index[d];
        exact = exact && gi_box_same(n->ndim, &all, box);
        if (exact) return gi_call_block(w, n, &where, &all, out);
        /* the box's elements that lie in this chunk */
        gi_box inside, place;
        bool   none = false;
        for (int d = 0; d < n->ndim; d++) {
            int64_t step = box->step[d], low = all.start[d] - box->start[d], high = low + all.count[d];
            int64_t from = low <= 0 ? 0 : (low + step - 1) / step, to = high <= 0 ? 0 : (high + step - 1) / step;
            if (to > box->count[d]) to = box->count[d];
            none           = none || from >= to;
            place.start[d] = from;
            place.count[d] = inside.count[d] = to - from;
            place.step[d]                    = 1;
            inside.start[d]                  = box->start[d] + from * step - all.start[d];
            inside.step[d]                   = step;
        }
        if (none) continue;
        bool      part  = false;
        ga_array *value = gi_kept_find(n, where.number);
        for (int d = 0; d < n->ndim; d++) part = part || inside.count[d] < all.count[d];
        if (!value) {
            value = gi_call_block(w, n, &where, &all, NULL);
            if (value && part) gi_kept_add(n, where.number, value);
        }
        if (value && !r) r = out ? gi_array_hold(n->site, out) : gi_array_new(n->site, n->dtype, GA_CPU, n->ndim, box->count);
        ga_array *from = value && r ? gi_box_view(n->site, value, &inside) : NULL,
                 *to   = from ? gi_box_view(n->site, r, &place) : NULL;
        bool ok        = to && gi_copy_assign(n->site, to, from);
        ga_free(value);
        ga_free(from);
        ga_free(to);
        if (ok) continue;
        ga_free(r);
        return NULL;
    }
    return r;
}
GI_TABLE(gi_lazy_kind, gi_kind_blocks, { "map_blocks", gi_eval_blocks, 0, NULL })

/* The node for chunks of `first`, and inputs that are longer by the depth. */
static ga_array *gi_chunked_blocks(int count, const ga_array *const *in, const ga_array *first, ga_block_function function,
                                   void *user, const int64_t *depth, const ga_blocks_options *o)
{
    gi_blocks_plan p;
    int64_t        shape[GPUARR_MAX_DIMS], chunk[GPUARR_MAX_DIMS];
    ga_dtype       dtype  = o->dtype ? o->dtype : first->dtype;
    ga_shape       chunks = ga_chunks_of(first);
    if (!function) return (ga_array *)gi_fail(o->site, GA_BAD_ARGUMENT, "the function is NULL");
    if (!gi_dtype_check(o->site, dtype) || !gi_dtype_is_stamped(o->site, dtype)) return NULL;
    if (o->chunks.ndim != 0 && o->chunks.ndim != first->ndim)
        return (ga_array *)gi_fail(o->site, GA_BAD_SHAPE,
                                   ".chunks = %s for an array of shape %s: give one length for each axis",
                                   gi_shape_text(o->chunks.ndim, o->chunks.n), gi_shape_of(first));
    memset(&p, 0, sizeof p);
    p.function = function;
    p.user     = user;
    for (int d = 0; d < first->ndim; d++) {
        p.depth[d] = depth[d];
        p.shape[d] = first->shape[d];
        p.chunk[d] = chunks.n[d] < 1 ? 1 : chunks.n[d];
        chunk[d]   = o->chunks.ndim ? o->chunks.n[d] : p.chunk[d];
        shape[d]   = p.shape[d];
        if (chunk[d] < 1)
            return (ga_array *)gi_fail(o->site, GA_BAD_SHAPE, ".chunks = %s: give at least 1",
                                       gi_shape_text(first->ndim, o->chunks.n));
        if (chunk[d] != p.chunk[d] && __builtin_mul_overflow(chunk[d], (p.shape[d] + p.chunk[d] - 1) / p.chunk[d], &shape[d]))
            return (ga_array *)gi_fail(o->site, GA_BAD_SHAPE, ".chunks = %s: the result would be longer than can be counted",
                                       gi_shape_text(first->ndim, o->chunks.n));
        if (depth[d] > 0 && chunk[d] != p.chunk[d])
            return (ga_array *)gi_fail(o->site, GA_BAD_ARGUMENT,
                                       ".chunks: those of ga_map_overlap are as large as the array's");
    }
    ga_array *r = gi_lazy_new(o->site, gi_kind_blocks(), dtype, first->ndim, shape, count, in, &p, sizeof p);
    if (r) memcpy(r->owner->node->chunk, chunk, (size_t)first->ndim * sizeof *chunk);
    return r;
}

ga_array *(ga_map_blocks_n)(int n, const ga_array *const *arrays, ga_block_function function, void *user, ga_blocks_options o)
{
    const int64_t   depth[GPUARR_MAX_DIMS] = { 0 };
    const ga_array *first                  = NULL; /* the first one that is chunked */
    if (!gi_options_blocks(&o) || !gi_join_check_list(o.site, n, arrays)) return NULL;
    if (o.depth.ndim > 0) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, ".depth is for ga_map_overlap");
    for (int k = 0; k < n; k++) {
        if (!first && gi_is_deferred(arrays[k])) first = arrays[k];
        if (!gi_shape_equal(arrays[k]->ndim, arrays[k]->shape, arrays[0]->ndim, arrays[0]->shape))
            return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE,
                                       "array number %d has shape %s, the first one %s: they must be alike", k,
                                       gi_shape_of(arrays[k]), gi_shape_of(arrays[0]));
    }
    if (!first)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "there are no chunks: the array is in memory, see ga_chunked");
    return gi_chunked_blocks(n, arrays, first, function, user, depth, &o);
}

ga_array *(ga_map_blocks)(const ga_array *a, ga_block_function function, void *user, ga_blocks_options o)
{
    return gi_array_check_half_any(o.site, a, "a") ? (ga_map_blocks_n)(1, &a, function, user, o) : NULL;
}

ga_array *(ga_map_overlap)(const ga_array *a, ga_block_function function, void *user, ga_blocks_options o)
{
    ga_pad_options pad = ga_pad_defaults;
    int64_t        depth[GPUARR_MAX_DIMS];
    if (!gi_options_blocks(&o) || !gi_array_check_half_any(o.site, a, "a") || !gi_conv_check_border(o.site, o.border) ||
        !gi_option_fits_axes(o.site, "depth", &o.depth, a->ndim))
        return NULL;
    if (!gi_is_deferred(a))
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "there are no chunks: the array is in memory, see ga_chunked");
    for (int d = 0; d < a->ndim; d++) {
        depth[d] = o.depth.ndim ? gi_option_for_axis(&o.depth, d) : 0;
        if (depth[d] < 0) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, ".depth = %lld is negative", (long long)depth[d]);
    }
    if (o.border == GA_BORDER_CONSTANT && !gi_option_fits_dtype(o.site, "cval", o.cval, a->dtype)) return NULL;
    ga_shape before;
    memset(&before, 0, sizeof before);
    before.ndim = a->ndim;
    memcpy(before.n, depth, (size_t)a->ndim * sizeof *depth);
    pad.site         = o.site;
    pad.value        = o.cval;
    pad.mode         = o.border == GA_BORDER_REFLECT    ? GA_PAD_SYMMETRIC
                       : o.border == GA_BORDER_CONSTANT ? GA_PAD_CONSTANT
                       : o.border == GA_BORDER_NEAREST  ? GA_PAD_EDGE
                       : o.border == GA_BORDER_MIRROR   ? GA_PAD_REFLECT
                                                        : GA_PAD_WRAP;
    ga_array *padded = a->ndim > 0 ? (ga_pad)(a, before, pad) : (ga_view)(a, o.site), *r = NULL;
    if (padded) {
        const ga_array *in = padded;
        r                  = gi_chunked_blocks(1, &in, a, function, user, depth, &o);
    }
    ga_free(padded);
    return r;
}
