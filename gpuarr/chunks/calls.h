/* ---- nodes: calls that look further -------------------------------------------------------------------------------------------------- */
/*  An element of their result is made of more than what stands at its place: of whole lines, of rows and columns, of neighbours. For a box
    of the result one box of each input is pulled, and given to the very call for arrays in memory.                                */

#define GI_CALL_BYTES  ((int64_t)1 << 22) /* of a chunk of such a result, where that costs nothing, */
#define GI_CALL_SPARE  ((int64_t)2 << 20) /* for tiles and lists of their own, when memory is foreseen */
#define GI_CALL_MOST   ((int64_t)1 << 26) /* and where its inputs are computed again for each */
#define GI_CALL_INPUTS 3

typedef struct gi_further { /* what a plan begins with */
    /* Which box of input k does a box of the result need? It may reach over the edges: what stands there comes from the opposite edge. */
    void (*needs)(const gi_lazy *n, int k, const gi_box *box, gi_box *part);
    /* The elements in the box, whose steps are 1, from these parts; in `out`, or new. */
    ga_array *(*run)(const gi_lazy *n, const gi_box *box, const gi_box *part, ga_array *const *in, ga_array *out);
} gi_further;

/* Writes a box of a to `to`, whose shape is the box's; axis by axis, from d on, what lies beyond an edge is taken from the opposite one. */
static bool gi_pull_around(gi_worker *w, const ga_array *a, const gi_box *box, int d, ga_array *to)
{
    while (d < a->ndim && box->start[d] >= 0 && box->start[d] + box->count[d] <= a->shape[d]) d++;
    if (d == a->ndim) {
        gi_layout l = gi_box_layout(a, box);
        return gi_pull_into(NULL, to, gi_pull(w, a, &l, to));
    }
    int64_t n  = a->shape[d];
    bool    ok = true;
    for (int64_t done = 0; done < box->count[d] && ok;) {
        gi_box part     = *box;
        part.start[d]   = ((box->start[d] + done) % n + n) % n;
        part.count[d]   = n - part.start[d] < box->count[d] - done ? n - part.start[d] : box->count[d] - done;
        ga_array *place = gi_view_part(NULL, to, d, done, part.count[d]);
        ok              = place && gi_pull_around(w, a, &part, d + 1, place);
        ga_free(place);
        done += part.count[d];
    }
    return ok;
}

static ga_array *gi_pull_box(gi_worker *w, const ga_array *a, const gi_box *box)
{
    bool inside = true;
    for (int d = 0; d < a->ndim; d++) inside = inside && box->start[d] >= 0 && box->start[d] + box->count[d] <= a->shape[d];
    if (inside) {
        gi_layout l = gi_box_layout(a, box);
        return gi_pull(w, a, &l, NULL);
    }
    ga_array *r = gi_array_new(NULL, a->dtype, w->device, a->ndim, box->count);
    if (r && gi_pull_around(w, a, box, 0, r)) return r;
    ga_free(r);
    return NULL;
}

/* All between the first and the last element of a box. */
static gi_box gi_hull(int ndim, const gi_box *box)
{
    gi_box hull = *box;
    for (int d = 0; d < ndim; d++) {
        hull.count[d] = box->count[d] > 0 ? (box->count[d] - 1) * box->step[d] + 1 : 0;
        hull.step[d]  = 1;
    }
    return hull;
}

/* Of r, which shows a larger box, the elements of a smaller one. Takes over r (NULL is passed on). */
static ga_array *gi_cut_out(const gi_lazy *n, ga_array *r, const gi_box *larger, const gi_box *box)
{
    if (!r || gi_box_same(n->ndim, larger, box)) return r;
    gi_box inside = *box;
    for (int d = 0; d < n->ndim; d++) inside.start[d] -= larger->start[d];
    ga_array *cut = gi_box_view(n->site, r, &inside);
    ga_free(r);
    return cut;
}

static ga_array *gi_eval_call(gi_worker *w, const gi_lazy *n, const gi_box *box, ga_array *out)
{
    const gi_further *p                  = (const gi_further *)n->plan;
    ga_array         *in[GI_CALL_INPUTS] = { NULL }, *r = NULL;
    gi_box            part[GI_CALL_INPUTS], hull        = gi_hull(n->ndim, box);
    bool              ok = true;
    for (int k = 0; k < n->inputs && ok; k++) {
        p->needs(n, k, &hull, &part[k]);
        in[k] = gi_pull_box(w, n->in[k], &part[k]);
        ok    = in[k] != NULL;
    }
    if (ok) r = p->run(n, &hull, part, in, gi_shape_equal(n->ndim, hull.count, n->ndim, box->count) ? out : NULL);
    for (int k = 0; k < n->inputs; k++) ga_free(in[k]);
    return gi_cut_out(n, r, &hull, box);
}
GI_TABLE(gi_lazy_kind, gi_kind_call, { "call", gi_eval_call, GI_ON_GPU, NULL })

static void gi_all_of(const ga_array *a, gi_box *part)
{
    for (int d = 0; d < a->ndim; d++) {
        part->start[d] = 0;
        part->count[d] = a->shape[d];
        part->step[d]  = 1;
    }
}

/* Calls that need all of their inputs at once are made before what needs them, as reductions are. */
GI_TABLE(gi_lazy_kind, gi_kind_whole, { "call", gi_eval_first, GI_FIRST | GI_ALONE, NULL })

/* Along axis d the chunks of axis `axis` of an input, if that has any. */
static void gi_chunk_along(gi_lazy *n, int d, int k, int axis)
{
    if (n->chunk[d] == 0 && gi_is_deferred(n->in[k]) && n->in[k]->shape[axis] > 1) n->chunk[d] = ga_chunks_of(n->in[k]).n[axis];
}

/* Chunks for the axes that have none yet, and none that are larger than is good, unless they would become shorter than `least`. */
static void gi_settle_chunks(gi_lazy *n, const int64_t *least)
{
    bool    local = true;
    int64_t most, bytes;
    for (int k = 0; k < n->inputs; k++) local = local && gi_is_local(n->in[k]);
    for (int d = 0; d < n->ndim; d++)
        if (n->chunk[d] > n->shape[d]) n->chunk[d] = n->shape[d];
    gi_chunk_fill_lengths(n->ndim, n->shape, ga_itemsize(n->dtype), n->chunk);
    for (most = local ? GI_CALL_BYTES : GI_CALL_MOST;;) {
        int longest = -1;
        bytes       = ga_itemsize(n->dtype);
        for (int d = 0; d < n->ndim; d++) {
            bytes *= n->chunk[d];
            if (n->chunk[d] > 1 && n->chunk[d] > least[d] && (longest < 0 || n->chunk[d] > n->chunk[longest])) longest = d;
        }
        if (bytes <= most || longest < 0) return;
        n->chunk[longest] = (n->chunk[longest] + 1) / 2;
    }
}

static ga_array *gi_new_call(const char *site, bool whole, ga_dtype dtype, int ndim, const int64_t *shape, int inputs,
                             const ga_array *const *in, const void *plan, size_t plan_bytes)
{
    ga_array *r = gi_lazy_new(site, whole ? gi_kind_whole() : gi_kind_call(), dtype, ndim, shape, inputs, in, plan, plan_bytes);
    for (int d = 0; r && d < ndim; d++) r->owner->node->chunk[d] = 0;
    return r;
}

/* What a call wrote to `out`, or made. */
static ga_array *gi_called(const gi_lazy *n, ga_array *r, ga_array *out)
{
    return r && r == out ? gi_array_hold(n->site, out) : r;
}
