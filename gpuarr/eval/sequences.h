/* ---- sequences: cheap operations that are computed together, in registers ------------------------------------------------ */
/*  Sums, products, quotients, roots and choices of float32 or float64, each of which only the next one needs, become one op on the CPU: its
    steps keep what they make in registers (cpu/sequence.h), where loops of their own would write it to a tile and read it again. One
    result can be saved while another one is computed, and the truths of one comparison wait for their choice. The ops that such a
    sequence computes stay, for the programs of GPUs, and a CPU leaves them out.                                               */

/* What a sequence has free while it computes an op: the place of a saved result, and that of truths. */
typedef struct gi_sequence_free {
    bool save, truths;
} gi_sequence_free;

typedef struct gi_sequence_builder {
    gi_fused         *p;
    const int        *used; /* how often the result of each op is an operand */
    gi_pass_sequence *s;
    int               root, parts, part[GI_PASS_OPS]; /* the op whose place the sequence takes, and all ops that it computes */
    bool              full;
    void (*make)(struct gi_sequence_builder *b, int k, gi_sequence_free has); /* makes the result of op k the result so far */
} gi_sequence_builder;

/* How a sequence computes the op, if it can: *what, or *exchanged where its second operand is what was made last. */
static bool gi_sequence_takes(const gi_pass_op *op, gi_sequence_what *what, gi_sequence_what *exchanged)
{
    if ((op->to != GA_F32 && op->to != GA_F64) || (op->kind != GI_OP_ROW && op->kind != GI_OP_CHOICE)) return false;
    *what = *exchanged = GI_SEQUENCE_CHOOSE;
    if (op->kind == GI_OP_CHOICE) return true;
    if (op->from != op->to) return false; /* the size of complex numbers */
    switch ((int)op->row->op) {
    case GA_OP_add:
    case GA_OP_multiply_add: *what = *exchanged = GI_SEQUENCE_ADD; return true;
    case GA_OP_multiply: *what = *exchanged = GI_SEQUENCE_MULTIPLY; return true;
    case GA_OP_subtract: *what = GI_SEQUENCE_SUBTRACT, *exchanged = GI_SEQUENCE_SUBTRACT_FROM; return true;
    case GA_OP_divide: *what = GI_SEQUENCE_DIVIDE, *exchanged = GI_SEQUENCE_DIVIDE_INTO; return true;
    case GA_OP_negative: *what = GI_SEQUENCE_NEGATIVE; return true;
    case GA_OP_square: *what = GI_SEQUENCE_SQUARE; return true;
    case GA_OP_sqrt: *what = GI_SEQUENCE_SQRT; return true;
    case GA_OP_absolute: *what = GI_SEQUENCE_ABSOLUTE; return true;
    default: return false;
    }
}

/* Is what decides a choice a comparison that only it needs, of the sequence's dtype? */
static bool gi_sequence_compares(const gi_sequence_builder *b, int slot)
{
    const int k = slot - GI_FUSED_SLOTS;
    if (k < 0 || b->used[k] != 1 || !b->p->op[k].row || b->p->op[k].from != b->p->op[b->root].to) return false;
    return b->p->op[k].row->op == GA_OP_less || b->p->op[k].row->op == GA_OP_less_equal;
}

/* Is a slot what only the op that reads it needs, `uses` times, and can the sequence compute it on the way? */
static bool gi_sequence_makes(const gi_sequence_builder *b, int slot, int uses, gi_sequence_free has)
{
    gi_sequence_what  what, exchanged;
    const int         k  = slot - GI_FUSED_SLOTS;
    const gi_pass_op *op = k >= 0 ? &b->p->op[k] : NULL;
    if (!op || b->used[k] != uses || op->to != b->p->op[b->root].to || !gi_sequence_takes(op, &what, &exchanged)) return false;
    return op->kind == GI_OP_ROW || (has.truths && gi_sequence_compares(b, op->x[0]));
}

/* The number of an operand of the sequence. */
static uint8_t gi_sequence_operand(gi_sequence_builder *b, int slot)
{
    gi_sequence *q = &b->s->q;
    int          k = 0;
    while (k < q->operands && b->s->slot[k] != slot) k++;
    if (k == GI_SEQUENCE_OPERANDS) b->full = true;
    if (k == GI_SEQUENCE_OPERANDS) return 0;
    b->s->slot[k] = slot;
    q->size[k]    = (int8_t)(gi_slot_is_number(slot) ? 0 : ga_itemsize(b->p->op[b->root].to));
    if (k == q->operands) q->operands++;
    return (uint8_t)k;
}

static void gi_sequence_add(gi_sequence_builder *b, gi_sequence_what what, int of, int x, int y)
{
    gi_sequence *q = &b->s->q;
    b->full        = b->full || q->steps == GI_SEQUENCE_STEPS;
    if (b->full) return;
    gi_sequence_step *s = &q->step[q->steps++];
    s->what             = (uint8_t)(4 * (int)what + of);
    s->x                = x < 0 ? 0 : gi_sequence_operand(b, x);
    s->y                = y < 0 ? 0 : gi_sequence_operand(b, y);
}

/* A step with what lies in a slot. */
static void gi_sequence_with(gi_sequence_builder *b, gi_sequence_what what, int slot)
{
    gi_sequence_add(b, what, gi_slot_is_number(slot) ? GI_OF_NUMBER : GI_OF_ELEMENTS, slot, -1);
}

/* Is that the result so far: was it compared as it was loaded? */
static bool gi_sequence_holds(const gi_sequence_builder *b, int slot)
{
    const gi_sequence_step *s = &b->s->q.step[b->s->q.steps];
    if (b->s->q.steps < 2 || s[-1].what < 4 * GI_SEQUENCE_LESS || s[-1].what >= 4 * GI_SEQUENCE_CHOOSE) return false;
    return s[-2].what == 4 * GI_SEQUENCE_LOAD + GI_OF_ELEMENTS && b->s->slot[s[-2].x] == slot;
}

/* Makes what lies in a slot, which the op reads `uses` times, the result so far: computed if it can be, else loaded. */
static void gi_sequence_first(gi_sequence_builder *b, int slot, int uses, gi_sequence_free has)
{
    if (gi_sequence_makes(b, slot, uses, has)) b->make(b, slot - GI_FUSED_SLOTS, has);
    else if (!gi_sequence_holds(b, slot)) gi_sequence_with(b, GI_SEQUENCE_LOAD, slot);
}

/* Of two operands; exchanged: the step that takes them in the other order. */
static void gi_sequence_two(gi_sequence_builder *b, gi_sequence_what what, gi_sequence_what exchanged, int x, int y,
                            gi_sequence_free has)
{
    const gi_sequence_free rest    = { false, has.truths };
    const bool             makes_y = gi_sequence_makes(b, y, 1, has);
    if (makes_y && !gi_sequence_makes(b, x, 1, has)) {
        gi_sequence_first(b, y, 1, has);
        gi_sequence_with(b, exchanged, x);
        return;
    }
    gi_sequence_first(b, x, 1, has);
    if (!makes_y || !has.save) {
        gi_sequence_with(b, what, y);
        return;
    }
    gi_sequence_add(b, GI_SEQUENCE_SAVE, 0, -1, -1);
    gi_sequence_first(b, y, 1, rest);
    gi_sequence_add(b, exchanged, GI_OF_SAVED, -1, -1);
}

static void gi_sequence_product(gi_sequence_builder *b, int x, int y, gi_sequence_free has)
{
    if (x != y) {
        gi_sequence_two(b, GI_SEQUENCE_MULTIPLY, GI_SEQUENCE_MULTIPLY, x, y, has);
        return;
    }
    gi_sequence_first(b, x, 2, has);
    gi_sequence_add(b, GI_SEQUENCE_SQUARE, 0, -1, -1);
}

/* x*y + z */
static void gi_sequence_sum(gi_sequence_builder *b, int x, int y, int z, gi_sequence_free has)
{
    const gi_sequence_free rest = { false, has.truths };
    const bool makes_x = gi_sequence_makes(b, x, x == y ? 2 : 1, has), makes_y = gi_sequence_makes(b, y, x == y ? 2 : 1, has);
    if (gi_slot_is_number(x) || makes_y) { /* the other one first */
        const int first = x;
        x               = y;
        y               = first;
    }
    const bool makes = makes_x || makes_y, by_number = gi_slot_is_number(y);
    if (!makes && !gi_slot_is_number(x) && gi_sequence_makes(b, z, 1, has)) {
        b->make(b, z - GI_FUSED_SLOTS, has);
        if (x == y) gi_sequence_add(b, GI_SEQUENCE_ADD_SQUARE, 0, x, -1);
        else gi_sequence_add(b, by_number ? GI_SEQUENCE_ADD_MULTIPLE : GI_SEQUENCE_ADD_PRODUCT, 0, x, y);
    } else if (makes && gi_sequence_makes(b, z, 1, has) && has.save) {
        b->make(b, z - GI_FUSED_SLOTS, has);
        gi_sequence_add(b, GI_SEQUENCE_SAVE, 0, -1, -1);
        gi_sequence_product(b, x, y, rest);
        gi_sequence_add(b, GI_SEQUENCE_ADD, GI_OF_SAVED, -1, -1);
    } else if (makes_x != makes_y && !by_number && gi_slot_is_number(z)) { /* a step of Horner's rule */
        gi_sequence_first(b, x, 1, has);
        gi_sequence_add(b, GI_SEQUENCE_MULTIPLY_ADD, 0, y, z);
    } else {
        gi_sequence_product(b, x, y, has);
        gi_sequence_with(b, GI_SEQUENCE_ADD, z);
    }
}

static void gi_sequence_choice(gi_sequence_builder *b, const gi_pass_op *op, gi_sequence_free has)
{
    const int              k    = op->x[0] - GI_FUSED_SLOTS;
    const gi_pass_op      *test = &b->p->op[k];
    const bool             less = test->row->op == GA_OP_less;
    const gi_sequence_free rest = { has.save, false };
    b->part[b->parts++]         = k;
    gi_sequence_two(b, less ? GI_SEQUENCE_LESS : GI_SEQUENCE_LESS_EQUAL, less ? GI_SEQUENCE_GREATER : GI_SEQUENCE_GREATER_EQUAL,
                    test->x[0], test->x[1], has);
    gi_sequence_two(b, GI_SEQUENCE_CHOOSE, GI_SEQUENCE_CHOOSE_OTHER, op->x[1], op->x[2], rest);
}

/* Makes the result of op k the result so far, and before it what it is made of. */
static void gi_sequence_op(gi_sequence_builder *b, int k, gi_sequence_free has)
{
    const gi_pass_op *op = &b->p->op[k];
    gi_sequence_what  what, exchanged;
    (void)gi_sequence_takes(op, &what, &exchanged);
    b->part[b->parts++] = k;
    if (op->kind == GI_OP_CHOICE) {
        if (gi_sequence_compares(b, op->x[0])) gi_sequence_choice(b, op, has);
        else b->full = true;
    } else if (what == GI_SEQUENCE_MULTIPLY) gi_sequence_product(b, op->x[0], op->x[1], has);
    else if (op->n == 3) gi_sequence_sum(b, op->x[0], op->x[1], op->x[2], has);
    else if (op->n == 2) gi_sequence_two(b, what, exchanged, op->x[0], op->x[1], has);
    else {
        gi_sequence_first(b, op->x[0], 1, has);
        gi_sequence_add(b, what, 0, -1, -1);
    }
}

/* Makes sequences of the ops of a pass, the last ones first. What is no part of one, or does not fit, stays as it is. */
static void gi_pass_find_sequences(gi_fused *p)
{
    int                 used[GI_PASS_OPS];
    gi_sequence_builder b;
    gi_sequence_what    what, exchanged;
    gi_pass_count_uses(p, used);
    b.p    = p;
    b.used = used;
    b.make = gi_sequence_op;
    for (int k = p->ops - 1; k >= 0 && p->sequences < GI_PASS_SEQUENCES; k--) {
        const gi_sequence_free has = { true, true };
        if (p->op[k].root >= 0 || !gi_sequence_takes(&p->op[k], &what, &exchanged)) continue;
        b.s     = &p->sequence[p->sequences];
        b.root  = k;
        b.parts = 0;
        b.full  = false;
        memset(b.s, 0, sizeof *b.s);
        b.make(&b, k, has);
        const bool by_number = what == GI_SEQUENCE_DIVIDE && gi_slot_is_number(p->op[k].x[1]); /* is quicker so */
        if (b.full || (b.parts < 2 && !by_number)) continue;
        b.s->q.alone = true;
        for (int i = 0; i < b.s->q.steps; i++) {
            const int made = b.s->q.step[i].what / 4;
            b.s->q.alone   = b.s->q.alone && made != GI_SEQUENCE_SAVE && made < GI_SEQUENCE_LESS;
        }
        b.s->loop         = GI_LOOP_OF(sequence)(p->op[k].to);
        p->op[k].sequence = p->sequences++;
        for (int i = 0; i < b.parts; i++) p->op[b.part[i]].root = k;
        if (k == p->ops - 1) p->parts = b.parts;
    }
}
