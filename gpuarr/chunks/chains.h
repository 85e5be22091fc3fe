/* ---- nodes: elementwise operations ---------------------------------------------------------------------------------------------- */

typedef struct gi_map_plan {
    gi_function function;
    int         cost, inputs, outputs, output; /* output: which one this node is */
    uint64_t    family;                        /* which call it is one of, if that has several results */
    bool        masked;                        /* the mask is the last input of the node */
    ga_arg      in[GI_MOST_INPUTS];            /* those that are arrays are the node's inputs, in their order */
    ga_dtype    wanted[GI_MOST_INPUTS], result[GPUARR_MAX_OUTPUTS];
} gi_map_plan;

/* The box of an input that is broadcast to the node's shape. */
static ga_array *gi_pull_operand(gi_worker *w, const gi_lazy *n, const ga_array *a, const gi_box *box)
{
    gi_layout l = gi_layout_of(a);
    l.ndim      = n->ndim;
    memcpy(l.shape, n->shape, sizeof l.shape);
    gi_shape_broadcast_strides(a, n->ndim, n->shape, l.strides);
    l = gi_layout_part(&l, box);
    return gi_pull(w, a, &l, NULL);
}

/* Is it an array that nobody else has, so that results may be written over it? */
static bool gi_may_reuse(const ga_array *a, const gi_lazy *n, const gi_box *box)
{
    return a->dtype == n->dtype && a->owner && !a->owner->wrapped && !a->owner->node &&
           __atomic_load_n(&a->owner->references, __ATOMIC_RELAXED) == 1 && ga_is_contiguous(a) &&
           gi_shape_equal(a->ndim, a->shape, n->ndim, box->count);
}

/* ---- chains: elementwise operations on top of each other ---- */
/*  A chain is worked out tile by tile, so that what lies between its operations never leaves the nearest cache. It is a node with
    those below it of which it sees every element at its own place, and which nothing else needs. What it reads besides, its leaves,
    is pulled before, for the whole box.                                                                                       */

enum {
    GI_CHAIN_LINKS  = 64,
    GI_CHAIN_LEAVES = 24,
    GI_CHAIN_MADE   = 4,            /* leaves that are worked out: they lie about together */
    GI_CHAIN_TILE   = 8192,         /* bytes of a tile, */
    GI_CHAIN_BEHIND = 3 * GI_ALIGN, /* and of what is behind it: tiles a multiple of 4096 apart would slow down each other */
    GI_CHAIN_ROW    = 256           /* elements: shorter rows are packed first */
};

typedef struct gi_leaf {
    const gi_lazy  *reader;
    const ga_array *of; /* NULL: the number */
    ga_arg          number;
    ga_dtype        dtype;
    ga_array       *array; /* the elements of the box */
    int64_t         strides[GPUARR_MAX_DIMS];
    const char     *row;
    int             tile; /* of copies of one element, if that is repeated; -1: none */
} gi_leaf;

typedef struct gi_link { /* an operation of the chain */
    const gi_lazy *n;
    int64_t       *nanoseconds; /* the node's; NULL: the last one, whose time gi_eval adds */
    uint64_t      *mark;
    bool           kept;
    int            readers, last;              /* links that read it, and the last one of them */
    int            in[GI_MOST_INPUTS];         /* a link, or -1 - a leaf */
    int            tile, cast[GI_MOST_INPUTS]; /* tiles for its results, and for inputs that are converted; -1: none */
    double         seconds;                    /* of the first tile */
} gi_link;

typedef struct gi_chain {
    int     links, seen, leaves, made;
    gi_link link[GI_CHAIN_LINKS]; /* each behind those that it reads */
    gi_leaf leaf[GI_CHAIN_LEAVES];
} gi_chain;

static bool gi_may_be_link(const gi_lazy *n)
{
    const gi_map_plan *p = (const gi_map_plan *)n->plan;
    return (n->kind->is & GI_LINK) && !n->value && p->outputs == 1 && !p->masked;
}

/* The node below n that a shows whole, element by element, if it may be a link; else NULL. */
static gi_lazy *gi_link_below(const gi_lazy *n, const ga_array *a)
{
    if (!gi_is_deferred(a) || a->data != (void *)GI_NOWHERE || !gi_may_be_link(a->owner->node)) return NULL;
    gi_lazy *below = a->owner->node;
    if (!gi_shape_equal(n->ndim, n->shape, below->ndim, below->shape) || !gi_shape_equal(n->ndim, n->shape, a->ndim, a->shape))
        return NULL;
    for (int d = 0; d < n->ndim; d++)
        if (n->shape[d] > 1 && a->strides[d] != below->strides[d]) return NULL;
    return below;
}

/* Adds a node and those below it that may be links. Returns its number, -1: there is no room. */
static int gi_add_link(gi_chain *c, const gi_lazy *n, gi_lazy *same)
{
    const gi_map_plan *p = (const gi_map_plan *)n->plan;
    int                in[GI_MOST_INPUTS];
    for (int i = 0; i < c->links; i++)
        if (c->link[i].n == n) return i;
    if (c->seen == GI_CHAIN_LINKS) return -1;
    c->seen++;
    for (int k = 0, a = 0; k < p->inputs; k++) {
        gi_lazy *below = p->in[k].array ? gi_link_below(n, n->in[a++]) : NULL;
        in[k]          = below ? gi_add_link(c, below, below) : -1;
    }
    gi_link *l = &c->link[c->links];
    memset(l, 0, sizeof *l);
    l->n           = n;
    l->nanoseconds = same ? &same->nanoseconds : NULL;
    l->mark        = same ? &same->mark : NULL;
    memcpy(l->in, in, (size_t)p->inputs * sizeof *in);
    return c->links++;
}

/* The chain that ends with n. False: there is none, it is worked out by itself. */
static bool gi_find_chain(gi_chain *c, const gi_lazy *n)
{
    int number[GI_CHAIN_LINKS], kept = 0;
    c->links = c->seen = c->leaves = c->made = 0;
    if (!gi_may_be_link(n)) return false;
    int root = gi_add_link(c, n, NULL);
    for (int i = root; i >= 0; i--) { /* what others need too is worked out by itself, once */
        gi_link *l = &c->link[i];
        l->kept    = i == root || l->readers == __atomic_load_n(&l->n->uses, __ATOMIC_RELAXED);
        for (int k = 0; k < ((const gi_map_plan *)l->n->plan)->inputs && l->kept; k++)
            if (l->in[k] >= 0) c->link[l->in[k]].readers++;
    }
    for (int i = 0; i <= root; i++) {
        gi_link           *l = &c->link[i];
        const gi_map_plan *p = (const gi_map_plan *)l->n->plan;
        number[i]            = -1;
        if (!l->kept) continue;
        for (int k = 0, a = 0; k < p->inputs; k++) {
            const ga_array *of = p->in[k].array ? l->n->in[a++] : NULL;
            if (l->in[k] >= 0 && number[l->in[k]] >= 0) {
                l->in[k]               = number[l->in[k]];
                c->link[l->in[k]].last = kept;
                continue;
            }
            if (c->leaves == GI_CHAIN_LEAVES) return false;
            gi_leaf *leaf = &c->leaf[c->leaves];
            leaf->reader  = l->n;
            leaf->of      = of;
            leaf->number  = p->in[k];
            leaf->dtype   = of ? of->dtype : p->wanted[k];
            leaf->array   = NULL;
            l->in[k]      = -1 - c->leaves++;
            c->made += of && gi_is_deferred(of) && !of->owner->node->value;
        }
        number[i]       = kept;
        c->link[kept++] = *l;
    }
    c->links = kept;
    return kept > 1 && c->made <= GI_CHAIN_MADE;
}

/* Gives tiles to all that needs one; those that are not needed any more are given again. Returns how many there are. */
static int gi_share_tiles(gi_chain *c, int columns)
{
    int list[GI_CHAIN_LINKS + GI_MOST_INPUTS], idle = 0, tiles = 0;
    for (int i = 0; i < c->leaves; i++) c->leaf[i].tile = !c->leaf[i].of || c->leaf[i].strides[columns] == 0 ? tiles++ : -1;
    for (int i = 0; i < c->links; i++) {
        gi_link           *l     = &c->link[i];
        const gi_map_plan *p     = (const gi_map_plan *)l->n->plan;
        bool               apart = p->function.own.kernel != NULL; /* may it not write over what it reads? */
        l->tile                  = -1;
        for (int k = 0; k < p->inputs; k++) {
            const gi_link *below = l->in[k] < 0 ? NULL : &c->link[l->in[k]];
            ga_dtype       from  = below ? below->n->dtype : c->leaf[-1 - l->in[k]].dtype;
            bool           cast  = from != p->wanted[k] && (p->function.cpu || apart);
            l->cast[k]           = !cast ? -1 : idle > 0 ? list[--idle] : tiles++;
            if (below && below->last == i && !apart && !cast && from == l->n->dtype) l->tile = below->tile;
        }
        if (i == c->links - 1) l->tile = -1; /* its results go where they belong */
        else if (l->tile < 0) l->tile = idle > 0 ? list[--idle] : tiles++;
        for (int k = 0; k < p->inputs; k++) {
            const gi_link *below = l->in[k] < 0 ? NULL : &c->link[l->in[k]];
            bool           first = true;
            for (int j = 0; j < k; j++) first = first && l->in[j] != l->in[k];
            if (l->cast[k] >= 0) list[idle++] = l->cast[k];
            if (below && below->last == i && first && below->tile != l->tile) list[idle++] = below->tile;
        }
    }
    return tiles;
}

static char *gi_chain_tile(char *tiles, int number) { return tiles + (int64_t)number * (GI_CHAIN_TILE + GI_CHAIN_BEHIND); }

/* One tile, n elements, of all operations. `at`: how many elements of the row come before; `place` and `step` are those of GA_INDEX. */
static void gi_chain_run_links(gi_chain *c, char *tiles, int64_t at, int64_t n, char *out, int64_t place, int64_t step,
                               bool timed)
{
    double time = timed ? ga_now() : 0;
    for (int i = 0; i < c->links; i++) {
        gi_link           *l                 = &c->link[i];
        const gi_map_plan *p                 = (const gi_map_plan *)l->n->plan;
        const char        *x[GI_MOST_INPUTS] = { NULL };
        char              *to                = l->tile < 0 ? out : gi_chain_tile(tiles, l->tile);
        ga_dtype           from              = l->n->dtype;
        for (int k = 0; k < p->inputs; k++) {
            if (l->in[k] >= 0) {
                from = c->link[l->in[k]].n->dtype;
                x[k] = gi_chain_tile(tiles, c->link[l->in[k]].tile);
            } else {
                const gi_leaf *leaf = &c->leaf[-1 - l->in[k]];
                from                = leaf->dtype;
                x[k]                = leaf->tile < 0 ? leaf->row + at * ga_itemsize(from) : gi_chain_tile(tiles, leaf->tile);
            }
            if (l->cast[k] < 0) continue;
            gi_cast(p->wanted[k], from, n, gi_chain_tile(tiles, l->cast[k]), x[k]);
            x[k] = gi_chain_tile(tiles, l->cast[k]);
        }
        if (p->function.own.kernel) gi_job_run_own(&p->function.own, n, &to, x, place, step);
        else if (p->function.cpu) p->function.cpu(n, to, x[0], x[1], x[2]);
        else gi_cast(l->n->dtype, from, n, to, x[0]);
        if (!timed) continue;
        double now = ga_now();
        l->seconds = now - time;
        time       = now;
    }
}

/* The time that a chain took belongs to its operations, in the proportions of the first tile. */
static void gi_share_time(gi_worker *w, const gi_chain *c, double start)
{
    double all = ga_now() - start, sum = 0;
    for (int i = 0; i < c->links; i++) sum += c->link[i].seconds;
    for (int i = 0; i < c->links - 1 && sum > 0; i++) {
        double part = all * c->link[i].seconds / sum;
        __atomic_add_fetch(c->link[i].nanoseconds, (int64_t)(part * 1e9), __ATOMIC_RELAXED);
        w->inside += part;
        if (gi_is_watched()) gi_note_event(c->link[i].n->site, false, 0, start, start + part);
        start += part;
    }
}

/* Where the elements of a chain lie: its axes, joined where they can be. */
typedef struct gi_chain_shape {
    int             ndim;
    int64_t         shape[GPUARR_MAX_DIMS], out[GPUARR_MAX_DIMS]; /* out: strides */
    gi_indexed_from index;
} gi_chain_shape;

static gi_chain_shape gi_shape_of_chain(gi_chain *c, const gi_lazy *n, const gi_box *box, const ga_array *out)
{
    gi_chain_shape s;
    int64_t       *strides[GI_CHAIN_LEAVES + 2];
    int            lists = 0;
    bool           own   = false;
    memset(&s, 0, sizeof s);
    memcpy(s.shape, box->count, sizeof s.shape);
    memcpy(s.out, out->strides, sizeof s.out);
    s.index          = gi_box_index(n, box);
    strides[lists++] = s.out;
    for (int i = 0; i < c->links; i++) own = own || ((const gi_map_plan *)c->link[i].n->plan)->function.own.kernel;
    if (own) strides[lists++] = s.index.strides;
    for (int i = 0; i < c->leaves; i++) {
        if (!c->leaf[i].of) continue;
        gi_shape_broadcast_strides(c->leaf[i].array, n->ndim, box->count, c->leaf[i].strides);
        strides[lists++] = c->leaf[i].strides;
    }
    s.ndim = gi_job_coalesce_axes(n->ndim, s.shape, lists, strides);
    if (s.ndim > 0) return s;
    s.ndim     = 1; /* one element */
    s.shape[0] = 1;
    for (int k = 0; k < lists; k++) strides[k][0] = 0;
    return s;
}

/* Leaves that do not lie along the rows are copied, so that they do; all that are repeated or in rows are, if those are short. */
static bool gi_pack_leaves(gi_chain *c, const gi_lazy *n, const gi_box *box, const gi_chain_shape *s, bool short_rows)
{
    for (int i = 0; i < c->leaves; i++) {
        gi_leaf *leaf = &c->leaf[i];
        if (!leaf->of) continue;
        int64_t step   = leaf->strides[s->ndim - 1];
        bool    across = step != 0 && step != ga_itemsize(leaf->dtype),
             whole     = gi_shape_size(n->ndim, box->count) == leaf->array->size;
        if (!across && (!short_rows || leaf->array->size == 1 || (whole && ga_is_contiguous(leaf->array)))) continue;
        ga_array *packed = short_rows ? gi_array_new(n->site, leaf->dtype, GA_CPU, n->ndim, box->count)
                                      : gi_array_new(n->site, leaf->dtype, GA_CPU, leaf->array->ndim, leaf->array->shape);
        if (!packed || !gi_copy_assign(n->site, packed, leaf->array)) {
            ga_free(packed);
            return false;
        }
        ga_free(leaf->array);
        leaf->array = packed;
    }
    return true;
}

/* Works out a chain whose leaves are there, row by row. */
static bool gi_chain_run(gi_worker *w, gi_chain *c, const gi_lazy *n, const gi_chain_shape *s, ga_array *out)
{
    int     last   = s->ndim - 1;
    size_t  bytes  = (size_t)gi_share_tiles(c, last) * (GI_CHAIN_TILE + GI_CHAIN_BEHIND);
    int64_t widest = 1, columns = s->shape[last], size = ga_itemsize(n->dtype);
    char   *tiles = (char *)gi_mem_alloc(n->site, bytes);
    if (!tiles) return false;
    for (int i = 0; i < c->leaves; i++)
        if (ga_itemsize(c->leaf[i].dtype) > widest) widest = ga_itemsize(c->leaf[i].dtype);
    for (int i = 0; i < c->links; i++) {
        const gi_map_plan *p = (const gi_map_plan *)c->link[i].n->plan;
        if (ga_itemsize(c->link[i].n->dtype) > widest) widest = ga_itemsize(c->link[i].n->dtype);
        for (int k = 0; k < p->inputs; k++)
            if (ga_itemsize(p->wanted[k]) > widest) widest = ga_itemsize(p->wanted[k]);
    }
    int64_t tile = GI_CHAIN_TILE / widest, copies = tile < columns ? tile : columns;
    double  start = ga_now();
    for (int i = 0; i < c->leaves; i++) {
        gi_leaf                          *leaf = &c->leaf[i];
        __attribute__((aligned(16))) char element[16];
        leaf->row = NULL;
        if (leaf->of) continue;
        gi_number_to(leaf->number, leaf->dtype, element);
        gi_repeat((int)ga_itemsize(leaf->dtype), copies, gi_chain_tile(tiles, leaf->tile), element);
    }
    for (int64_t row = 0; row < out->size / columns; row++) {
        int64_t rest = row, place = s->index.first, at[GPUARR_MAX_DIMS] = { 0 };
        char   *to = (char *)out->data;
        for (int d = last - 1; d >= 0; d--) {
            at[d] = rest % s->shape[d];
            rest /= s->shape[d];
            to += at[d] * s->out[d];
            place += at[d] * s->index.strides[d];
        }
        for (int i = 0; i < c->leaves; i++) {
            gi_leaf *leaf = &c->leaf[i];
            if (!leaf->of) continue;
            const char *from = (const char *)leaf->array->data;
            for (int d = 0; d < last; d++) from += at[d] * leaf->strides[d];
            if (leaf->tile >= 0 && from != leaf->row)
                gi_repeat((int)ga_itemsize(leaf->dtype), copies, gi_chain_tile(tiles, leaf->tile), from);
            leaf->row = from;
        }
        for (int64_t done = 0; done < columns; done += tile)
            gi_chain_run_links(c, tiles, done, columns - done < tile ? columns - done : tile, to + done * size,
                               place + done * s->index.strides[last], s->index.strides[last], row == 0 && done == 0);
    }
    gi_share_time(w, c, start);
    gi_mem_release(tiles, bytes);
    return true;
}

static ga_array *gi_eval_chain(gi_worker *w, const gi_lazy *n, const gi_box *box, ga_array *out, gi_chain *c)
{
    const bool     apart = ((const gi_map_plan *)n->plan)->function.own.kernel != NULL;
    bool           ok    = true;
    ga_array      *r     = NULL;
    gi_chain_shape s;
    for (int i = 0; i < c->leaves && ok; i++) {
        gi_leaf *leaf = &c->leaf[i];
        if (leaf->of) leaf->array = gi_pull_operand(w, leaf->reader, leaf->of, box);
        ok = !leaf->of || leaf->array;
    }
    for (int i = 0; i < c->leaves && ok && !out && !apart; i++)
        if (c->leaf[i].of && gi_may_reuse(c->leaf[i].array, n, box)) out = c->leaf[i].array;
    if (ok) r = out ? gi_array_hold(n->site, out) : gi_array_new(n->site, n->dtype, GA_CPU, n->ndim, box->count);
    ok = r != NULL;
    if (ok) {
        s               = gi_shape_of_chain(c, n, box, r);
        bool short_rows = s.ndim > 1 && s.shape[s.ndim - 1] < GI_CHAIN_ROW;
        bool elsewhere  = short_rows || (s.shape[s.ndim - 1] > 1 && s.out[s.ndim - 1] != ga_itemsize(n->dtype));
        if (elsewhere && !ga_is_contiguous(r)) {
            ga_free(r);
            r = gi_array_new(n->site, n->dtype, GA_CPU, n->ndim, box->count);
        }
        ok = r && gi_pack_leaves(c, n, box, &s, short_rows);
        if (ok) s = gi_shape_of_chain(c, n, box, r);
        ok = ok && gi_chain_run(w, c, n, &s, r);
    }
    for (int i = 0; i < c->leaves; i++)
        if (c->leaf[i].of) ga_free(c->leaf[i].array);
    if (ok) return r;
    ga_free(r);
    return NULL;
}

static ga_array *gi_eval_map(gi_worker *w, const gi_lazy *n, const gi_box *box, ga_array *out)
{
    if (!w->gpu && gi_may_be_link(n)) {
        bool below = false, found = false;
        for (int k = 0; k < n->inputs; k++) below = below || gi_link_below(n, n->in[k]);
        gi_chain *chain = below ? (gi_chain *)gi_mem_alloc(n->site, sizeof *chain) : NULL;
        ga_array *r     = NULL;
        if (below && !chain) return NULL;
        if (chain) {
            found = gi_find_chain(chain, n);
            if (found) r = gi_eval_chain(w, n, box, out, chain);
            gi_mem_release(chain, sizeof *chain);
        }
        if (found) return r;
    }
    const gi_map_plan *p                          = (const gi_map_plan *)n->plan;
    ga_array          *pulled[GI_MOST_INPUTS + 1] = { NULL }, *result[GPUARR_MAX_OUTPUTS] = { NULL }, *target = NULL;
    ga_arg             in[GI_MOST_INPUTS];
    bool               ok = true;
    gi_map_call        c  = { n->site,   p->function, p->cost, p->inputs, p->outputs, in,   p->wanted,
                              p->result, p->result,   result,  NULL,      NULL,       false };
    for (gi_memo *m = w->memo; m && p->family; m = m->next)
        if (m->family == p->family && m->output == p->output && gi_box_same(n->ndim, &m->box, box))
            return gi_array_hold(n->site, m->value);
    for (int k = 0; k < n->inputs && ok; k++) {
        pulled[k] = gi_pull_operand(w, n, n->in[k], box);
        ok        = pulled[k] != NULL;
    }
    for (int k = 0, a = 0; k < p->inputs; k++) {
        in[k] = p->in[k];
        if (in[k].array) in[k].array = pulled[a++];
    }
    if (p->masked) c.where = pulled[n->inputs - 1];
    for (int k = 0; k < n->inputs && ok && !out && !p->masked; k++)
        if (gi_may_reuse(pulled[k], n, box)) out = pulled[k];
    if (!p->masked) target = out;
    gi_indexed_from index = gi_box_index(n, box); /* broadcast inputs alone would not tell that */
    c.index               = &index;
    if (ok && !target) target = gi_array_new(n->site, n->dtype, w->device, n->ndim, box->count);
    else target = ok ? gi_array_hold(n->site, target) : NULL;
    ok                = ok && target && (!p->masked || gi_array_clear(n->site, target));
    result[p->output] = target;
    ok                = ok && gi_map_run(&c);
    for (int k = 0; k < n->inputs; k++) ga_free(pulled[k]);
    for (int k = 0; k < p->outputs && ok; k++)
        ok = k == p->output || gi_worker_remember(w, n, p->family, k, box, result[k]); /* for the nodes of the other results */
    for (int k = 0; k < p->outputs; k++)
        if (k != p->output || !ok) ga_free(result[k]);
    return ok ? target : NULL;
}
GI_TABLE(gi_lazy_kind, gi_kind_map, { "map", gi_eval_map, GI_LOCAL | GI_ON_GPU | GI_LINK | GI_SPREAD, NULL })

/* Along each axis the chunks of the first input that is chunked and as long. */
static void gi_chunk_as_inputs(gi_lazy *n)
{
    for (int d = 0; d < n->ndim; d++) n->chunk[d] = 0;
    for (int k = 0; k < n->inputs; k++) {
        if (!gi_is_deferred(n->in[k])) continue;
        ga_shape chunks = ga_chunks_of(n->in[k]);
        for (int d = 0; d < chunks.ndim; d++) {
            int at = n->ndim - chunks.ndim + d;
            if (n->chunk[at] == 0 && n->in[k]->shape[d] == n->shape[at]) n->chunk[at] = chunks.n[d];
        }
    }
    gi_chunk_fill_lengths(n->ndim, n->shape, ga_itemsize(n->dtype), n->chunk);
}

/* The nodes of an elementwise call that has been found right. */
static bool gi_chunked_map(const gi_map_call *c, int ndim, const int64_t *shape)
{
    const ga_array *in[GI_MOST_INPUTS + 1];
    gi_map_plan     p;
    int             n = 0;
    memset(&p, 0, sizeof p);
    p.function = c->function;
    p.cost     = c->cost;
    p.inputs   = c->inputs;
    p.outputs  = c->outputs;
    p.masked   = c->where != NULL;
    for (int k = 0; k < c->inputs; k++) {
        p.in[k]     = c->in[k];
        p.wanted[k] = c->wanted[k];
        if (c->in[k].array) in[n++] = c->in[k].array;
    }
    if (c->where) in[n++] = c->where;
    for (int k = 0; k < c->outputs; k++) {
        p.result[k] = c->result[k];
        if (!gi_chunk_no_out(c->site, c->out[k])) return false;
    }
    static uint64_t families;
    if (c->outputs > 1) p.family = __atomic_add_fetch(&families, 1, __ATOMIC_RELAXED);
    for (int k = 0; k < c->outputs; k++) {
        p.output  = k;
        c->out[k] = gi_lazy_new(c->site, gi_kind_map(), p.result[k], ndim, shape, n, in, &p, sizeof p);
        if (c->out[k]) {
            gi_chunk_as_inputs(c->out[k]->owner->node);
            continue;
        }
        for (; k > 0; k--) {
            ga_free(c->out[k - 1]);
            c->out[k - 1] = NULL;
        }
        return false;
    }
    return true;
}
