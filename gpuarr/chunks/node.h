/* ==== >>chunks: arrays that are computed piece by piece =============================================================== */
/*  A chunked array is an ordinary view of memory that is not there: its data and strides tell which elements of its node it shows, as if
    the node's elements lay in C order from GI_NOWHERE on. So the functions of section >>views work on it as they are.

    A node is one operation and its inputs. It is evaluated for a box: some elements along each axis, equally far apart. It pulls the
    elements of its inputs that it needs, gives them to the function that works on arrays in memory, and lets them go: depth first, down
    to arrays in memory, files and generators. Threads share the boxes of the result. What a reduction needs all of is computed before
    what needs the reduction.                                                                                                   */

#define GI_NOWHERE     ((char *)((uintptr_t)1 << 46))
#define GI_NEVER_DEEP  8                   /* operations on top of each other that any thread can evaluate, */
#define GI_DEEPEST     1000                /* and that none may: they take stack */
#define GI_AUTO_BYTES  ((int64_t)16 << 20) /* of a chunk whose size is not given */
#define GI_PIECE_BYTES ((int64_t)1 << 18)  /* of what is evaluated at a time: a few of them fit into the near caches */
#define GI_WIDE_BYTES  ((int64_t)32 << 20) /* of lines that are read from files beside each other */
#define GI_LONGEST_LINE                                                                                                        \
    ((int64_t)1 << 20) /* of a reduction, undivided; the square of GI_BLOCK: the parts are whole branches of the tree */

typedef struct gi_box {
    int64_t start[GPUARR_MAX_DIMS], count[GPUARR_MAX_DIMS], step[GPUARR_MAX_DIMS];
} gi_box;

/* What a thread has in hand while it works out a piece. */
typedef struct gi_memo { /* elements that another node may ask for again */
    struct gi_memo *next;
    const gi_lazy  *node;
    gi_box          box;
    ga_array       *value;
    uint64_t        family; /* not 0: of a call with several results, instead of the node, */
    int             output; /* and which one it is */
} gi_memo;
typedef struct gi_worker {
    gi_memo  *memo;
    double    inside; /* seconds that operations below the one at hand have taken */
    ga_device device; /* where it wants what it pulls, */
    bool      gpu;    /* and may it use the GPU? */
} gi_worker;

enum {
    GI_LOCAL  = 1,  /* an element depends on few others, so a box may as well be cut into pieces */
    GI_ON_GPU = 2,  /* it is made by calls that a GPU can run, too; else it pulls to the CPU, and makes its result there */
    GI_FIRST  = 4,  /* all of it is worked out before what needs it, by a run of its own */
    GI_ALONE  = 8,  /* what it needs is pulled for it alone, not beside other things that may need the same */
    GI_LINK   = 16, /* it may be a link of a chain: its plan is a gi_map_plan */
    GI_SPREAD = 32  /* its inputs are broadcast to its shape */
};

typedef struct gi_lazy_kind {
    const char *name;
    /* The elements in the box, as a new array. `out`, if not NULL, has the box's shape and the node's dtype: they may be written there,
       and a view of it be returned. NULL with an error. */
    ga_array *(*eval)(gi_worker *w, const gi_lazy *n, const gi_box *box, ga_array *out);
    unsigned is;                            /* some of what follows */
    int64_t (*unpacking)(const gi_lazy *n); /* NULL, or it reads a packed file: bytes that a thread needs to unpack a chunk */
} gi_lazy_kind;

struct gi_lazy {
    const gi_lazy_kind *kind;
    const char         *site;
    ga_dtype            dtype;
    int                 ndim, depth, uses; /* uses (atomic): by how many others at the same time */
    bool                local, far;        /* this node and all below it are; this or some below it is in a file, */
    bool                rows;     /* which lies as the node's elements do, so that rows of them are read well in any order */
    bool                cpu_only; /* atomic: a GPU has refused its call */
    int64_t             shape[GPUARR_MAX_DIMS], strides[GPUARR_MAX_DIMS], chunk[GPUARR_MAX_DIMS];
    int                 inputs;
    ga_array          **in;    /* views of our own */
    void               *plan;  /* what the kind needs to know */
    ga_array           *value; /* all elements, once they are kept, or while a call computes */
    void (*close)(gi_lazy *n); /* NULL, or: lets go of what the plan holds open */
    uint64_t seed, print;      /* of its fingerprint: what no input tells; and the whole, while a call stores */
    uint64_t mark;             /* set while a call computes: the call that has seen it, */
    int      level;            /* how many reductions lie on top of each other up to here, */
    bool     ahead;            /* and whether all of it is worked out before what needs it, as they are */
    int64_t  nanoseconds;      /* atomic: that its own operation has taken so far */
    int32_t *ranks;            /* that worked its chunks out the last time; NULL: not known */
    size_t   room;             /* bytes of all this */
};

/* For what comes first: who asks for it takes its value. */
static ga_array *gi_eval_first(gi_worker *w, const gi_lazy *n, const gi_box *box, ga_array *out)
{
    (void)w, (void)box, (void)out;
    return (ga_array *)gi_fail(n->site, GA_BAD_ARGUMENT, "a %s was asked for before it was worked out", n->kind->name);
}

/* Is it worked out before what needs it? */
static bool gi_comes_first(const gi_lazy *n) { return n->kind->is & GI_FIRST; }

static int64_t gi_box_count(int ndim, const int64_t *shape, const int64_t *lengths)
{
    int64_t n = 1;
    for (int d = 0; d < ndim; d++) n *= (shape[d] + lengths[d] - 1) / lengths[d];
    return n;
}

static void gi_lazy_let_go(gi_lazy *n)
{
    if (n->close) n->close(n);
    n->close = NULL;
    for (int k = 0; k < n->inputs; k++) {
        if (n->in[k] && gi_is_deferred(n->in[k]) && !(n->kind->is & GI_ALONE))
            __atomic_sub_fetch(&n->in[k]->owner->node->uses, 1, __ATOMIC_RELAXED);
        ga_free(n->in[k]);
    }
    n->inputs = 0;
}

static void gi_lazy_free(gi_lazy *n)
{
    gi_lazy_let_go(n);
    ga_free(n->value);
    if (n->ranks) gi_mem_release(n->ranks, (size_t)gi_box_count(n->ndim, n->shape, n->chunk) * sizeof *n->ranks);
    gi_mem_release(n, n->room);
}

/* ---- chunks ---------------------------------------------------------------------------------------------------------- */

/* Lengths for the axes of which there is none: whole ones from the last axis on, as many as fit. */
static void gi_chunk_fill_lengths(int ndim, const int64_t *shape, int64_t itemsize, int64_t *chunk)
{
    int64_t left = GI_AUTO_BYTES / itemsize;
    for (int d = 0; d < ndim; d++)
        if (chunk[d] > 0) left /= chunk[d] < left ? chunk[d] : left > 0 ? left : 1;
    for (int d = ndim - 1; d >= 0; d--) {
        if (chunk[d] > 0) continue;
        chunk[d] = shape[d] < left ? shape[d] : left;
        if (chunk[d] < 1) chunk[d] = 1;
        left /= chunk[d];
    }
}

/* The chunks that were asked for. False with an error. */
static bool gi_chunk_set_lengths(const char *site, gi_lazy *n, const ga_shape *chunks)
{
    bool alike = chunks->ndim == 0 || (chunks->ndim == 1 && chunks->n[0] == 0);
    if (!alike && chunks->ndim != n->ndim)
        return gi_fail(
                   site, GA_BAD_SHAPE,
                   "chunks %s for an array of shape %s: give one length for each axis (0: chosen for you, -1: the whole axis)",
                   gi_shape_text(chunks->ndim, chunks->n), gi_shape_text(n->ndim, n->shape)),
               false;
    for (int d = 0; d < n->ndim; d++) {
        int64_t length = alike ? 0 : chunks->n[d];
        if (length < -1)
            return gi_fail(site, GA_BAD_SHAPE, "chunks %s: a length is negative (0: chosen for you, -1: the whole axis)",
                           gi_shape_text(chunks->ndim, chunks->n)),
                   false;
        n->chunk[d] = length == -1 || length > n->shape[d] ? (n->shape[d] > 0 ? n->shape[d] : 1) : length;
    }
    gi_chunk_fill_lengths(n->ndim, n->shape, ga_itemsize(n->dtype), n->chunk);
    return true;
}

/* May its elements as well be computed some at a time? */
static bool gi_is_local(const ga_array *a) { return !gi_is_deferred(a) || a->owner->node->local || a->owner->node->value; }

/* ---- boxes ------------------------------------------------------------------------------------------------------------- */

/* The layout of the part of l that a box shows; an axis that repeats one element (stride 0) is cut to that one. */
static gi_layout gi_layout_part(const gi_layout *l, const gi_box *box)
{
    gi_layout part = *l;
    for (int d = 0; d < l->ndim; d++) {
        bool repeats = l->strides[d] == 0;
        if (l->shape[d] > 0) part.data += repeats ? 0 : box->start[d] * l->strides[d];
        part.shape[d]   = repeats && box->count[d] > 1 ? 1 : box->count[d];
        part.strides[d] = l->strides[d] * box->step[d];
    }
    return part;
}

/* Which elements of its node does a chunked layout show? axis[d]: the axis of the node along which its axis d runs, -1: along none. False
   if an axis runs along several, or two along the same (reshaped arrays, diagonals). */
static bool gi_box_of(const gi_lazy *n, const gi_layout *l, gi_box *box, int *axis)
{
    int64_t at = l->data - GI_NOWHERE;
    bool    used[GPUARR_MAX_DIMS];
    for (int d = 0; d < n->ndim; d++) {
        used[d]       = false;
        box->start[d] = n->shape[d] > 1 ? at / n->strides[d] : 0;
        at -= box->start[d] * n->strides[d];
        box->count[d] = box->step[d] = 1;
    }
    for (int v = 0; v < l->ndim; v++) {
        int64_t length = l->shape[v], stride = l->strides[v] < 0 ? -l->strides[v] : l->strides[v];
        axis[v] = -1;
        if (length <= 1 || stride == 0) continue;
        int d = 0;
        while (d < n->ndim && (n->shape[d] == 1 || n->strides[d] > stride)) d++;
        if (d == n->ndim || used[d] || stride % n->strides[d] != 0) return false;
        int64_t step = stride / n->strides[d], reach = (length - 1) * step;
        if (l->strides[v] < 0) box->start[d] -= reach;
        if (box->start[d] < 0 || box->start[d] + reach >= n->shape[d]) return false;
        box->count[d] = length;
        box->step[d]  = step;
        used[d]       = true;
        axis[v]       = d;
    }
    return true;
}

/* Do the elements of a chunked array lie in the order of its node, and those of the node as in a file? */
static bool gi_shows_rows(const ga_array *a)
{
    const gi_lazy *n = a->owner->node;
    gi_layout      l = gi_layout_of(a);
    gi_box         box;
    int            axis[GPUARR_MAX_DIMS], last = -1;
    if (!n->rows || a->size == 0 || !gi_box_of(n, &l, &box, axis)) return false;
    for (int v = 0; v < a->ndim; v++) {
        if (axis[v] < 0) continue;
        if (axis[v] < last) return false;
        last = axis[v];
    }
    return true;
}

/* The layout over `box_data`, an array of a box of a node, of the elements that l shows (as gi_box_of has told). */
static gi_layout gi_layout_over(const gi_layout *l, const int *axis, const gi_layout *box_data)
{
    gi_layout r = *l;
    r.data      = box_data->data;
    for (int v = 0; v < l->ndim; v++) {
        r.strides[v] = axis[v] < 0 ? 0 : box_data->strides[axis[v]];
        if (axis[v] < 0 || l->strides[v] >= 0) continue;
        r.data += (l->shape[v] - 1) * r.strides[v];
        r.strides[v] = -r.strides[v];
    }
    return r;
}

/* The other way: `out` shows what l does; where do the elements of the box lie in it? */
static gi_layout gi_box_over(const gi_lazy *n, const gi_layout *l, const int *axis, const ga_array *out)
{
    gi_layout r = gi_layout_of(out);
    r.ndim      = n->ndim;
    for (int d = 0; d < n->ndim; d++) {
        r.shape[d]   = 1;
        r.strides[d] = ga_itemsize(n->dtype);
    }
    for (int v = 0; v < l->ndim; v++) {
        if (axis[v] < 0) continue;
        r.shape[axis[v]]   = l->shape[v];
        r.strides[axis[v]] = out->strides[v];
        if (l->strides[v] >= 0) continue;
        r.data += (l->shape[v] - 1) * out->strides[v];
        r.strides[axis[v]] = -out->strides[v];
    }
    return r;
}

static bool gi_box_same(int ndim, const gi_box *a, const gi_box *b)
{
    for (int d = 0; d < ndim; d++)
        if (a->start[d] != b->start[d] || a->count[d] != b->count[d] || (a->count[d] > 1 && a->step[d] != b->step[d]))
            return false;
    return true;
}

/* ---- a new node ------------------------------------------------------------------------------------------------------- */

/* Nothing can be written yet. False with an error. */
static bool gi_chunk_no_out(const char *site, const ga_array *out)
{
    if (!out) return true;
    gi_fail(
        site, GA_BAD_ARGUMENT,
        "the operands are chunked, so there is nothing yet to be written into .out: leave it out, and give it to ga_compute");
    return false;
}

/* How deep may an expression be that this thread computes? */
static int64_t gi_deepest_here(void)
{
    enum { OF_A_CALL = 12 << 10, OF_AN_OPERATION = 3 << 10 }; /* bytes of stack */
    return (gi_stack_left() - OF_A_CALL) / OF_AN_OPERATION;
}

/* A chunked array of a new node, whose plan is a copy of the given one; NULL with an error. Its chunks are to be set. */
static ga_array *gi_lazy_new(const char *site, const gi_lazy_kind *kind, ga_dtype dtype, int ndim, const int64_t *shape,
                             int inputs, const ga_array *const *in, const void *plan, size_t plan_bytes)
{
    if (!gi_dtype_check(site, dtype) || !gi_shape_check(site, ndim, shape)) return NULL;
    size_t list = sizeof(gi_lazy), behind = (list + (size_t)inputs * sizeof(ga_array *) + 15) / 16 * 16,
           room = behind + plan_bytes;
    gi_lazy *n  = (gi_lazy *)gi_mem_alloc(site, room);
    if (!n) return NULL;
    memset(n, 0, behind);
    n->kind  = kind;
    n->site  = site;
    n->dtype = dtype;
    n->ndim  = ndim;
    n->room  = room;
    n->in    = (ga_array **)(void *)((char *)n + list);
    n->plan  = (char *)n + behind;
    n->local = kind->is & GI_LOCAL;
    if (plan_bytes > 0) memcpy(n->plan, plan, plan_bytes);
    for (int d = 0; d < ndim; d++) n->shape[d] = n->chunk[d] = shape[d];
    bool ok = gi_shape_c_strides(dtype, ndim, shape, n->strides) >= 0;
    if (!ok)
        gi_fail(site, GA_NO_MEMORY, "shape %s of %s is more bytes than can be counted", gi_shape_text(ndim, shape),
                ga_dtype_name(dtype));
    for (int k = 0; k < inputs && ok; k++) {
        n->in[n->inputs] = gi_array_hold(site, in[k]);
        ok               = n->in[n->inputs] != NULL;
        if (!ok) break;
        n->inputs++;
        if (!gi_is_deferred(in[k])) continue;
        gi_lazy *below = in[k]->owner->node;
        if (!(kind->is & GI_ALONE)) __atomic_add_fetch(&below->uses, 1, __ATOMIC_RELAXED);
        n->local = n->local && (below->local || below->value);
        if (below->far && !below->value) {
            n->rows = (n->rows || !n->far) && gi_shows_rows(in[k]);
            n->far  = true;
        }
        if (below->depth + 1 > n->depth) n->depth = below->depth + 1;
    }
    if (ok && n->depth > GI_NEVER_DEEP && n->depth > gi_deepest_here())
        ok = gi_fail(site, GA_BAD_ARGUMENT,
                     "the expression is %d operations deep, and to compute it takes more stack than this thread has: let "
                     "ga_persist work out what there is, every few operations, or give the thread a larger stack",
                     n->depth) != NULL;
    if (ok && n->depth > GI_DEEPEST)
        ok = gi_fail(site, GA_BAD_ARGUMENT,
                     "the expression is more than %d operations deep: let ga_persist work out what there is, every few hundred "
                     "operations",
                     GI_DEEPEST) != NULL;
    gi_buffer *b = ok ? (gi_buffer *)gi_mem_alloc(site, sizeof *b) : NULL;
    if (!b) {
        gi_lazy_free(n);
        return NULL;
    }
    memset(b, 0, sizeof *b);
    b->references = 1;
    b->base       = GI_NOWHERE;
    b->wrapped    = true;
    b->device     = GA_CPU;
    b->node       = n;
    return gi_array_new_handle(site, b, GI_NOWHERE, dtype, GA_CPU, ndim, shape, n->strides);
}
