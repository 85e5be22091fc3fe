/* ---- passes on a GPU: programs ----------------------------------------------------------------------------------------------- */

/* What a pass reads and writes. */
typedef struct gi_pass_arrays {
    const ga_array *leaf[GI_PASS_LEAVES], *mask; /* mask: or NULL */
    ga_array       *out;                         /* of the pass's shape */
    bool            input;                       /* does a leaf lie in .out? */
    bool            packed;                      /* do leaves and out lie in C order, in the same shape, without a mask? */
    ga_array       *copies[GI_PASS_LEAVES + 1];  /* to be freed */
} gi_pass_arrays;

typedef struct gi_program_builder {
    gi_program *g;
    int         maker[GI_PASS_TILES]; /* the op whose result a tile holds */
    int         kept[GI_PASS_TILES];  /* where results that a tile holds are kept; GI_FROM_LAST: nowhere yet */
    int         places;
} gi_program_builder;

/* Where op number k of a pass finds what lies in a slot. -1: there is no room. */
static int gi_program_source(gi_program_builder *b, int k, int slot)
{
    const int tile = slot - GI_SLOT_TILE;
    if (slot < GI_SLOT_NUMBER) return GI_FROM_LEAF + slot;
    if (tile < 0) return GI_FROM_NUMBER + slot - GI_SLOT_NUMBER;
    if (b->maker[tile] == k - 1) return GI_FROM_LAST;
    if (b->kept[tile] == GI_FROM_LAST) {
        if (b->places == GI_PROGRAM_KEPT) return -1;
        b->kept[tile] = GI_FROM_KEPT + b->places++;
    }
    return b->g->op[b->maker[tile]].keep = (uint8_t)b->kept[tile];
}

/* Adds an operation. False: there is no room. */
static bool gi_program_add(gi_program_builder *b, const gi_pass_op *from)
{
    const int k = b->g->ops;
    if (k == GI_PROGRAM_OPS) return false;
    gi_program_op *op = &b->g->op[k];
    op->kind          = (uint8_t)from->kind;
    op->what          = (uint16_t)(from->kind == GI_OP_ROW ? (int)from->row->op : from->power);
    op->from          = (uint8_t)from->from;
    op->dtype         = (uint8_t)(from->kind == GI_OP_CAST || from->kind == GI_OP_CHOICE ? from->to : from->from);
    op->operands      = (uint8_t)from->n;
    op->keep          = GI_FROM_LAST;
    for (int i = 0; i < from->n; i++) {
        const int x = gi_program_source(b, k, from->x[i]);
        if (x < 0) return false;
        op->x[i] = (uint8_t)x;
    }
    b->g->ops++;
    return true;
}

/* The ops of a pass whose results go into arrays of that dtype. False: there is no room. */
static bool gi_program_ops(const gi_fused *p, ga_dtype dtype, gi_program *g)
{
    gi_program_builder b;
    g->ops = 0;
    memset(&b, 0, sizeof b);
    b.g = g;
    if (p->leaves > GI_PROGRAM_LEAVES || p->numbers > GI_PROGRAM_NUMBERS) return false;
    for (int k = 0; k < p->ops; k++) {
        const int out = p->op[k].out;
        if (!gi_program_add(&b, &p->op[k])) return false;
        if (out != GI_SLOT_OUT) b.maker[out - GI_SLOT_TILE] = g->ops - 1;
    }
    if (dtype == p->dtype) return true;
    if (g->ops == GI_PROGRAM_OPS) return false;
    const gi_program_op cast = { 0, GI_OP_CAST, (uint8_t)dtype, (uint8_t)p->dtype, 1, { GI_FROM_LAST }, GI_FROM_LAST };
    g->op[g->ops++]          = cast;
    return true;
}

/* Can a GPU compute a pass in one kernel? Its results go into arrays of that dtype. */
static bool gi_pass_is_program(const gi_fused *p, ga_dtype dtype, const ga_arg *values)
{
    GI_ARENA(gi_program, g, 1);
    g->leaves    = p->leaves;
    g->out.dtype = dtype;
    for (int k = 0; k < p->leaves && k < GI_PROGRAM_LEAVES; k++) g->leaf[k].dtype = values[p->leaf[k]].array->dtype;
    return gi_program_ops(p, dtype, g) && gi_gpu->takes_program(g);
}

/* The ops and the numbers of a pass. False: there is no room. */
static bool gi_program_begin(const gi_fused *p, ga_dtype dtype, const ga_arg *values, gi_program *g)
{
    memset(g, 0, sizeof *g);
    g->leaves    = p->leaves;
    g->out.dtype = dtype;
    if (!gi_program_ops(p, dtype, g)) return false;
    for (int k = 0; k < p->numbers; k++) gi_number_to(values[p->number[k].step], p->number[k].dtype, (char *)&g->number[k]);
    return true;
}

static void gi_program_view_of(gi_program_view *v, const ga_array *a, const gi_program *g)
{
    v->data  = (char *)a->data;
    v->dtype = a->dtype;
    v->size  = (int)ga_itemsize(a->dtype);
    gi_shape_broadcast_strides(a, g->ndim, g->shape, v->strides);
}

/* The arrays of a program, of the shape that is left after joining dimensions. */
static void gi_program_arrays(gi_program *g, const gi_fused *p, const gi_pass_arrays *m)
{
    int64_t *strides[GI_PROGRAM_LEAVES + 2];
    int      lists = 0;
    g->ndim        = m->out->ndim;
    g->masked      = m->mask != NULL;
    memcpy(g->shape, m->out->shape, sizeof g->shape);
    gi_program_view_of(&g->out, m->out, g);
    strides[lists++] = g->out.strides;
    for (int k = 0; k < p->leaves; k++) {
        gi_program_view_of(&g->leaf[k], m->leaf[k], g);
        strides[lists++] = g->leaf[k].strides;
    }
    if (m->mask) {
        gi_program_view_of(&g->mask, m->mask, g);
        strides[lists++] = g->mask.strides;
    }
    g->ndim = gi_job_coalesce_axes(g->ndim, g->shape, lists, strides);
    if (g->ndim > 0) return;
    g->ndim = 1; /* one element */
    for (int k = 0; k < lists; k++) strides[k][0] = 0;
    g->shape[0] = 1;
}

/* Runs a pass in one kernel. False with an error. */
static bool gi_pass_run_on_gpu(const char *site, const gi_fused *p, const ga_arg *values, const gi_pass_arrays *m)
{
    const ga_array *all[GI_PASS_LEAVES + 2] = { m->out, m->mask };
    GI_ARENA(gi_program, g, 1);
    memcpy(all + 2, m->leaf, (size_t)p->leaves * sizeof *all);
    if (!gi_program_begin(p, m->out->dtype, values, g))
        return gi_fail(site, GA_BAD_DEVICE, "the formula is too long for one kernel") != NULL;
    gi_program_arrays(g, p, m);
    if (!gi_gpu->takes_program(g)) return gi_fail(site, GA_BAD_DEVICE, "no kernel computes the formula") != NULL;
    return gi_gpu->touch(site, p->leaves + 2, all) && gi_gpu->run_program(site, g);
}

/* Turns to the device of the arrays, so that results are made there. False with an error. */
static bool gi_pass_turn_to(const char *site, const gi_fused *p, const ga_arg *values, const ga_array *where,
                            const ga_array *out)
{
    const ga_array *all[GI_PASS_LEAVES + 2] = { where, out };
    for (int k = 0; k < p->leaves; k++) all[k + 2] = values[p->leaf[k]].array;
    return gi_gpu->touch(site, p->leaves + 2, all);
}

/* The program that makes what a fold along these axes reads, of the pass's shape. False: there is none. */
static bool gi_program_feeds(const char *site, const gi_fused *p, const ga_arg *values, int ndim, const int64_t *shape,
                             const ga_reduce_options *o, gi_fed_program *f)
{
    gi_program *g = &f->program;
    int64_t    *strides[GI_PROGRAM_LEAVES + 2], lines = 1, length = 1;
    bool        reduced[GPUARR_MAX_DIMS];
    int         lists = 0;
    if (!gi_program_begin(p, p->dtype, values, g) || gi_lines_mark_axes(site, ndim, o->axis, &o->axes, reduced) < 0)
        return false;
    g->ndim = ndim;
    memcpy(g->shape, shape, sizeof g->shape);
    for (int k = 0; k < p->leaves; k++) {
        gi_program_view_of(&g->leaf[k], values[p->leaf[k]].array, g);
        strides[lists++] = g->leaf[k].strides;
    }
    for (int d = ndim - 1; d >= 0; d--) {
        f->line[d]  = reduced[d] ? 0 : lines;
        f->place[d] = reduced[d] ? length : 0;
        *(reduced[d] ? &length : &lines) *= shape[d];
    }
    strides[lists++] = f->line; /* so that kept and reduced dimensions are not joined */
    strides[lists++] = f->place;
    g->ndim          = gi_job_coalesce_axes(ndim, g->shape, lists, strides);
    return g->ndim > 0 && gi_gpu->takes_program(g);
}
