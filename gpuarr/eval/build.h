/* ---- building a pass --------------------------------------------------------------------------------------------------------- */

typedef struct gi_pass_builder {
    const gi_steps *steps;
    const gi_typed *typed;
    const bool     *stored;
    gi_fused       *p;
    int             slot[GI_PASS_STEPS]; /* where a step's elements are: a leaf, or GI_FUSED_SLOTS + the number of an op */
    ga_dtype        dtype[GI_PASS_OPS];  /* that an op makes */
} gi_pass_builder;

/* Adds an op; where it writes is found out later. -1: there is no room. */
static int gi_pass_add(gi_pass_builder *b, const gi_elementwise *e, ga_dtype from, ga_dtype to, int n, const int *x)
{
    gi_fused *p = b->p;
    if (p->ops == GI_PASS_OPS) return -1;
    gi_pass_op *op = &p->op[p->ops];
    memset(op, 0, sizeof *op);
    op->kind   = e ? e->kind : GI_OP_CAST;
    op->power  = e ? e->power : 0;
    op->kernel = e ? e->kernel : NULL;
    op->row    = e ? e->row : NULL;
    op->from   = from;
    op->to     = to;
    op->n      = n;
    op->root = op->sequence = -1;
    for (int k = 0; k < n; k++) op->x[k] = x[k];
    b->dtype[p->ops] = to;
    if (ga_itemsize(to) > p->widest) p->widest = (int)ga_itemsize(to);
    return GI_FUSED_SLOTS + p->ops++;
}

/* Where a step's elements are as that dtype; a conversion is added if need be. -1: there is no room. */
static int gi_pass_input(gi_pass_builder *b, int step, ga_dtype wanted)
{
    gi_fused       *p = b->p;
    const gi_typed *t = &b->typed[step];
    if (t->dtype == GA_DTYPE_DEFAULT) {
        for (int k = 0; k < p->numbers; k++)
            if (p->number[k].step == step && p->number[k].dtype == wanted) return GI_SLOT_NUMBER + k;
        if (p->numbers == GI_PASS_NUMBERS) return -1;
        p->number[p->numbers].step   = step;
        p->number[p->numbers].dtype  = wanted;
        p->number[p->numbers].tile   = NULL;
        p->number[p->numbers].copied = false;
        if (ga_itemsize(wanted) > p->widest) p->widest = (int)ga_itemsize(wanted);
        return GI_SLOT_NUMBER + p->numbers++;
    }
    const int slot = b->slot[step];
    if (slot < 0 || t->dtype == wanted) return slot;
    for (int k = 0; k < p->ops; k++) /* has it been converted before? */
        if (!p->op[k].kernel && p->op[k].x[0] == slot && p->op[k].to == wanted) return GI_FUSED_SLOTS + k;
    return gi_pass_add(b, NULL, t->dtype, wanted, 1, &slot);
}

/* Adds what computes a step. False: there is no room. */
static bool gi_pass_compute(gi_pass_builder *b, int step)
{
    const gi_typed *t = &b->typed[step];
    int             x[3];
    for (int k = 0; k < t->e.n; k++) {
        x[k] = gi_pass_input(b, t->e.x[k], t->e.wanted[k]);
        if (x[k] < 0) return false;
    }
    b->p->cost += t->e.cost;
    const bool makes = t->e.kernel || step == b->p->root; /* else it is there: its input, converted */
    b->slot[step]    = makes ? gi_pass_add(b, &t->e, t->e.kernel ? t->e.wanted[0] : t->dtype, t->dtype, t->e.n, x) : x[0];
    return b->slot[step] >= 0;
}

/* Leaves out the ops that nothing computes any more. */
static void gi_pass_drop(gi_pass_builder *b)
{
    gi_fused *p = b->p;
    int       number[GI_PASS_OPS], left = 0;
    for (int k = 0; k < p->ops; k++) {
        if (p->op[k].n < 0) continue;
        gi_pass_op op = p->op[k];
        for (int i = 0; i < op.n; i++)
            if (op.x[i] >= GI_FUSED_SLOTS) op.x[i] = GI_FUSED_SLOTS + number[op.x[i] - GI_FUSED_SLOTS];
        number[k]      = left;
        b->dtype[left] = op.to;
        p->op[left++]  = op;
    }
    p->ops = left;
}

/* The dtype of what an op reads. */
static ga_dtype gi_pass_input_dtype(const gi_pass_builder *b, int x)
{
    if (x >= GI_FUSED_SLOTS) return b->dtype[x - GI_FUSED_SLOTS];
    return gi_slot_is_number(x) ? b->p->number[x - GI_SLOT_NUMBER].dtype : b->typed[b->p->leaf[x]].dtype;
}

/* Finds the loop that keeps the op's numbers in registers; others need copies. */
static void gi_pass_find_number(const gi_pass_builder *b, gi_pass_op *op)
{
    int numbers = 0;
    for (int i = 0; i < op->n; i++) numbers |= gi_slot_is_number(op->x[i]) << i;
    gi_pass_order_numbers(op, numbers);
    for (int i = 0; i < op->n; i++) {
        const bool number = gi_slot_is_number(op->x[i]);
        op->size[i]       = number ? 0 : (int)ga_itemsize(gi_pass_input_dtype(b, op->x[i]));
        if (number && !op->with_number && op->root < 0) b->p->number[op->x[i] - GI_SLOT_NUMBER].copied = true;
    }
}

/* Is the processor's divider busy with that op? (By a number one divides without.) */
static bool gi_pass_divides(const gi_pass_op *op)
{
    const bool divides = gi_pass_is_row(op, GI_FORMULA_ROW(divide)()), by_number = op->n == 2 && gi_slot_is_number(op->x[1]);
    return (divides && !by_number) || gi_pass_is_row(op, GI_FORMULA_ROW(sqrt)());
}

static void gi_pass_place_sequence(gi_pass_sequence *s, const int *tile_of)
{
    for (int i = 0; i < s->q.operands; i++)
        if (s->slot[i] >= GI_FUSED_SLOTS) s->slot[i] = GI_SLOT_TILE + tile_of[s->slot[i] - GI_FUSED_SLOTS];
}

/* A tile for op k: a free one, or, in place, that of an input of its size that nothing needs any more. -1: there is none. */
static int gi_pass_tile_for(const gi_pass_builder *b, const int *holds, const int *last, int k, bool in_place)
{
    for (int t = 0; t < GI_PASS_TILES; t++) {
        const int held = holds[t];
        if (held < 0 || last[held] < k) return t;
        if (in_place && last[held] == k && ga_itemsize(b->dtype[held]) == ga_itemsize(b->dtype[k])) return t;
    }
    return -1;
}

/* Gives each op a tile to write to, elementary functions one of their own if there is room: in place they compute elsewhere, and copy. False:
   there is no room. */
static bool gi_pass_place(gi_pass_builder *b)
{
    gi_fused *p = b->p;
    int       last[GI_PASS_OPS], tile_of[GI_PASS_OPS], holds[GI_PASS_TILES];
    for (int k = 0; k < p->ops; k++) last[k] = -1;
    for (int k = 0; k < p->ops; k++) {
        for (int i = 0; i < p->op[k].n; i++) {
            const int x = p->op[k].x[i] - GI_FUSED_SLOTS;
            if (x < 0) continue;
            const int at =
                p->op[k].root >= 0 && p->op[x].root != p->op[k].root ? p->op[k].root : k; /* a sequence reads it there */
            if (at > last[x]) last[x] = at;
        }
    }
    for (int t = 0; t < GI_PASS_TILES; t++) holds[t] = -1;
    for (int k = 0; k < p->ops; k++) {
        gi_pass_op *op    = &p->op[k];
        const bool  alone = op->kernel && op->root < 0; /* no sequence, which reads what it has written */
        int         to    = gi_pass_tile_for(b, holds, last, k, alone && !gi_pass_is_long(op));
        if (to < 0 && alone) to = gi_pass_tile_for(b, holds, last, k, true);
        if (to < 0) return false;
        gi_pass_find_number(b, op);
        p->divides = p->divides || (op->root < 0 && gi_pass_divides(op));
        for (int i = 0; i < op->n; i++)
            if (op->x[i] >= GI_FUSED_SLOTS) op->x[i] = GI_SLOT_TILE + tile_of[op->x[i] - GI_FUSED_SLOTS];
        for (int i = 0; i < op->n; i++)
            if (op->ordered[i] >= GI_FUSED_SLOTS) op->ordered[i] = GI_SLOT_TILE + tile_of[op->ordered[i] - GI_FUSED_SLOTS];
        if (op->sequence >= 0) gi_pass_place_sequence(&p->sequence[op->sequence], tile_of);
        for (int i = op->n; i < GI_PASS_OPERANDS; i++) { /* a kernel does not look at what it has no use for */
            op->x[i]       = op->x[0];
            op->ordered[i] = op->ordered[0];
            op->size[i]    = op->size[0];
        }
        tile_of[k] = to;
        holds[to]  = k;
        op->out    = k == p->ops - 1 ? GI_SLOT_OUT : GI_SLOT_TILE + to;
        if (to >= p->tiles) p->tiles = to + 1;
    }
    return true;
}

/* The steps that a step is made of, down to stored ones. */
static void gi_pass_cone(const gi_steps *steps, const bool *stored, int root, bool *needed)
{
    memset(needed, 0, GI_PASS_STEPS * sizeof *needed);
    needed[root] = true;
    for (int k = root; k >= 0; k--)
        for (int i = 0; i < steps->step[k].n && needed[k] && (k == root || !stored[k]); i++) needed[steps->step[k].x[i]] = true;
}

/* The pass that makes step `root`, with sequences or without. False: there is no room for it. */
static bool gi_pass_build_with(const gi_steps *steps, const gi_typed *typed, const bool *stored, int root, bool sequences,
                               gi_fused *p)
{
    gi_pass_builder b;
    bool            needed[GI_PASS_STEPS];
    memset(p, 0, offsetof(gi_fused, number));
    gi_pass_cone(steps, stored, root, needed);
    b.steps  = steps;
    b.typed  = typed;
    b.stored = stored;
    b.p      = p;
    p->root  = root;
    p->dtype = typed[root].dtype;
    for (int k = 0; k <= root; k++) {
        b.slot[k] = -1;
        if (!needed[k] || typed[k].dtype == GA_DTYPE_DEFAULT) continue;
        if (k == root || !stored[k]) {
            if (!gi_pass_compute(&b, k)) return false;
            continue;
        }
        if (p->leaves == GI_PASS_LEAVES) return false;
        if (ga_itemsize(typed[k].dtype) > p->widest) p->widest = (int)ga_itemsize(typed[k].dtype);
        b.slot[k]            = p->leaves;
        p->leaf[p->leaves++] = k;
    }
    gi_pass_join_products(p);
    gi_pass_drop(&b);
    if (sequences) gi_pass_find_sequences(p);
    return gi_pass_place(&b);
}

/* What a sequence reads stays in tiles until then: of many such results there is only room without sequences. */
static bool gi_pass_build(const gi_steps *steps, const gi_typed *typed, const bool *stored, int root, gi_fused *p)
{
    return gi_pass_build_with(steps, typed, stored, root, true, p) || gi_pass_build_with(steps, typed, stored, root, false, p);
}

/* ---- which steps are stored ------------------------------------------------------------------------------------------------- */

/* Stores what cannot be a part of a pass, what calls need (but folds), and what several passes need if it is dear to compute again. What has
   been stored already (`small`) costs nothing there. */
static void gi_passes_store(const gi_steps *steps, const bool *small, gi_passes *s)
{
    uint64_t  reached[GI_PASS_STEPS];
    int       roots = 0, cost[GI_PASS_STEPS];
    const int n     = steps->count;
    for (int k = 0; k < n; k++) {
        const bool inner = s->typed[k].elementwise && !(small && small[k]);
        reached[k]       = 0;
        s->stored[k]     = !inner || k == n - 1;
        cost[k]          = inner ? s->typed[k].e.cost : 0;
        for (int i = 0; i < steps->step[k].n && inner; i++) {
            cost[k] += cost[steps->step[k].x[i]];
            if (cost[k] > GI_COSTLY) cost[k] = GI_COSTLY; /* more makes no difference */
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        if (steps->step[k].last < 0) continue;
        const bool shared = (reached[k] & (reached[k] - 1)) != 0;
        if (s->typed[k].elementwise && shared && cost[k] >= GI_COSTLY) s->stored[k] = true;
        const bool begins = s->typed[k].elementwise || s->typed[k].folds; /* a pass, if it is stored */
        if (s->stored[k] && begins) reached[k] = (uint64_t)1 << (roots++ & 63);
        for (int i = 0; i < steps->step[k].n; i++) {
            const int x = steps->step[k].x[i];
            if (!begins) s->stored[x] = true;
            reached[x] |= begins ? reached[k] : 0;
        }
    }
}

/* Makes the passes for what is stored, and finds out what is needed how long. False: there is no room. */
static bool gi_passes_build(const gi_steps *steps, gi_passes *s)
{
    bool needed[GI_PASS_STEPS];
    s->count = 0;
    for (int k = 0; k < steps->count; k++) {
        s->last[k] = steps->step[k].last < 0 ? -1 : k;
        s->by[k]   = -1;
        if (s->last[k] < 0 || !s->stored[k]) continue;
        const bool folds = s->typed[k].folds && !s->stored[steps->step[k].x[0]]; /* what the pass of its input makes */
        const int  root  = folds ? steps->step[k].x[0] : k;
        int        inner = folds;
        gi_pass_cone(steps, s->stored, root, needed);
        for (int i = 0; i < k; i++) {
            if (needed[i] && s->stored[i]) s->last[i] = k;
            inner += needed[i] && !s->stored[i];
        }
        if (inner == 0) continue; /* a single call does it as well */
        if (s->count == GI_MOST_PASSES || !gi_pass_build(steps, s->typed, s->stored, root, &s->pass[s->count])) return false;
        s->by[k] = s->count++;
    }
    s->last[steps->count - 1] = steps->count;
    return true;
}

/* Plans how a formula is computed on arrays of these dtypes; dtype: the option of the last step; s->any says whether there is anything to
   gain. */
static void gi_passes_plan(const gi_steps *steps, const ga_arg *operands, ga_dtype dtype, gi_passes *s)
{
    s->any   = false;
    s->folds = false;
    s->count = 0;
    if (steps->count > GI_PASS_STEPS) return;
    for (int k = 0; k < steps->count; k++)
        gi_type_step(&steps->step[k], operands, s->typed, k == steps->count - 1 ? dtype : GA_DTYPE_DEFAULT, &s->typed[k]);
    for (int k = 0; k < steps->count; k++)
        if (gi_is_half(s->typed[k].dtype)) return; /* calls round what they make */
    for (int k = 0; k < steps->count - 1; k++) s->folds = s->folds || (s->typed[k].folds && steps->step[k].last >= 0);
    gi_passes_store(steps, NULL, s);
    s->any = gi_passes_build(steps, s) && s->count > 0;
}
