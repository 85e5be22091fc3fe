/* ---- operations that become one loop -------------------------------------------------------------------------------------- */
/*  What an operation makes and only the next one reads need not be stored in between. Loops for two operations: x*y + z, two steps of
    Horner's rule, (x - y)**2, (x - y) * z, (x - y) / z, sqrt(x*y + z) and where(x < c, y, z), of float32 and float64, with the bits of both. And loops that keep
    numbers in registers (cpu/numbers.h).                                                                                        */

static bool gi_slot_is_number(int slot) { return slot >= GI_SLOT_NUMBER && slot < GI_SLOT_TILE; }

/* Is it the loop of that row for floats? */
static bool gi_pass_is_row(const gi_pass_op *op, const gi_row *row) { return op->row == row && gi_is_float(op->to); }

/* How often the result of each op is an operand. */
static void gi_pass_count_uses(const gi_fused *p, int *used)
{
    memset(used, 0, GI_PASS_OPS * sizeof *used);
    for (int k = 0; k < p->ops; k++)
        for (int i = 0; i < p->op[k].n; i++)
            if (p->op[k].x[i] >= GI_FUSED_SLOTS) used[p->op[k].x[i] - GI_FUSED_SLOTS]++;
}

/* `second` has become both operations. */
static void gi_pass_join(gi_pass_op *first, gi_pass_op *second)
{
    second->before = first->row;
    first->n       = -1; /* nothing computes it */
}

/* A product that only one sum needs becomes a part of it, x*y + z, which has the same bits. */
static void gi_pass_join_products(gi_fused *p)
{
    int used[GI_PASS_OPS];
    gi_pass_count_uses(p, used);
    for (int k = 0; k < p->ops; k++) {
        gi_pass_op *sum = &p->op[k];
        for (int i = 0; i < 2 && sum->n == 2 && gi_pass_is_row(sum, GI_FORMULA_ROW(add)()); i++) {
            gi_pass_op *product = sum->x[i] >= GI_FUSED_SLOTS ? &p->op[sum->x[i] - GI_FUSED_SLOTS] : NULL;
            if (!product || product->to != sum->to || used[sum->x[i] - GI_FUSED_SLOTS] != 1) continue;
            const bool square = gi_pass_is_row(product, GI_FORMULA_ROW(square)());
            if (!square && !gi_pass_is_row(product, GI_FORMULA_ROW(multiply)())) continue;
            sum->x[2]   = sum->x[1 - i];
            sum->x[0]   = product->x[0];
            sum->x[1]   = product->x[square ? 0 : 1];
            sum->n      = 3;
            sum->row    = GI_FORMULA_ROW(multiply_add)();
            sum->kernel = gi_row_kernel(sum->row, sum->to);
            product->n  = -1; /* nothing computes it */
        }
    }
}

/* Is it x*y + z, of floats, where z is a number, y is `y` (any if negative) and x none? x: which of the first two operands. */
static bool gi_pass_is_horner(const gi_pass_op *op, int y, int *x)
{
    if (op->n != 3 || !gi_pass_is_row(op, GI_FORMULA_ROW(multiply_add)()) || !gi_slot_is_number(op->x[2])) return false;
    for (*x = 0; *x < 2; ++*x)
        if (op->x[1 - *x] == y && !gi_slot_is_number(op->x[*x])) return true;
    return false;
}

/* Two steps of Horner's rule, (x*y + c)*y + d, become one op. */
static void gi_pass_join_horner(gi_fused *p)
{
    int used[GI_PASS_OPS];
    gi_pass_count_uses(p, used);
    for (int k = 0; k < p->ops; k++) {
        gi_pass_op *second = &p->op[k];
        for (int i = 0; i < 2 && second->n == 3; i++) {
            const int   before = second->x[i] - GI_FUSED_SLOTS, y = second->x[1 - i];
            gi_pass_op *first = before >= 0 ? &p->op[before] : NULL;
            int         x, of_first;
            if (!first || used[before] != 1 || first->to != second->to || gi_slot_is_number(y)) continue;
            if (!gi_pass_is_horner(second, y, &x) || !gi_pass_is_horner(first, y, &of_first)) continue;
            second->x[0] = first->x[of_first];
            second->x[1] = y;
            second->x[3] = second->x[2];
            second->x[2] = first->x[2];
            second->n    = 4;
            gi_pass_join(first, second);
        }
    }
}

/* The op that only operand i of another one needs, and whose result that takes as it is; else NULL. uses: how often it may be that operand. */
static gi_pass_op *gi_pass_only_for(gi_fused *p, const int *used, const gi_pass_op *op, int i, int uses)
{
    const int k = op->x[i] - GI_FUSED_SLOTS;
    return k >= 0 && used[k] == uses && p->op[k].n > 0 && !p->op[k].before ? &p->op[k] : NULL;
}

/* (x - y)**2, also as a product, (x - y) * z, and (x - y) / z, where z is computed, become one op. (By a number one divides faster.) */
static void gi_pass_join_differences(gi_fused *p)
{
    int used[GI_PASS_OPS];
    gi_pass_count_uses(p, used);
    for (int k = 0; k < p->ops; k++) {
        gi_pass_op *second = &p->op[k], *first = NULL;
        const bool  product = second->n == 2 && gi_pass_is_row(second, GI_FORMULA_ROW(multiply)()),
                   quotient =
                       second->n == 2 && second->x[1] >= GI_FUSED_SLOTS && gi_pass_is_row(second, GI_FORMULA_ROW(divide)()),
                   square = (second->n == 1 && gi_pass_is_row(second, GI_FORMULA_ROW(square)())) ||
                            (product && second->x[0] == second->x[1]);
        int i = 0;
        if (!product && !square && !quotient) continue;
        for (; i < (square || quotient ? 1 : 2) && !first; i++) {
            first = gi_pass_only_for(p, used, second, i, square ? second->n : 1);
            if (first && (first->n != 2 || first->to != second->to || !gi_pass_is_row(first, GI_FORMULA_ROW(subtract)())))
                first = NULL;
        }
        if (!first) continue;
        if (square) second->row = GI_FORMULA_ROW(square)();
        else second->x[2] = second->x[2 - i]; /* the other factor */
        second->x[0]   = first->x[0];
        second->x[1]   = first->x[1];
        second->n      = square ? 2 : 3;
        second->kernel = GI_LOOP_OF(with_number)(second->row->op, GI_JOINED, second->to);
        gi_pass_join(first, second);
    }
}

/* sqrt(x*y + z) becomes one op. */
static void gi_pass_join_roots(gi_fused *p)
{
    int used[GI_PASS_OPS];
    gi_pass_count_uses(p, used);
    for (int k = 0; k < p->ops; k++) {
        gi_pass_op *second = &p->op[k], *first = NULL;
        if (second->n == 1 && gi_pass_is_row(second, GI_FORMULA_ROW(sqrt)())) first = gi_pass_only_for(p, used, second, 0, 1);
        if (!first || first->n != 3 || first->to != second->to || !gi_pass_is_row(first, GI_FORMULA_ROW(multiply_add)()))
            continue;
        for (int i = 0; i < 3; i++) second->x[i] = first->x[i];
        second->n      = 3;
        second->kernel = GI_LOOP_OF(with_number)(GA_OP_sqrt, GI_JOINED, second->to);
        gi_pass_join(first, second);
    }
}

/* where(x < c, y, z), c a number, becomes one op. */
static void gi_pass_join_choices(gi_fused *p)
{
    int used[GI_PASS_OPS];
    gi_pass_count_uses(p, used);
    for (int k = 0; k < p->ops; k++) {
        gi_pass_op *second = &p->op[k], *first = second->kind == GI_OP_CHOICE ? gi_pass_only_for(p, used, second, 0, 1) : NULL;
        if (!first || !first->row || first->n != 2 || first->from != second->to || !gi_is_float(second->to)) continue;
        const int c = gi_slot_is_number(first->x[0]) ? 0 : 1;
        second->with_number =
            gi_slot_is_number(first->x[c]) ? GI_LOOP_OF(with_number)(first->row->op, GI_JOINED | 1 << c, second->to) : NULL;
        if (!second->with_number) continue;
        second->x[0]   = first->x[1 - c];
        second->x[3]   = first->x[c];
        second->n      = 4;
        second->turned = c == 0;
        gi_pass_join(first, second);
    }
}

/* Are the first two operands of the row as good in the other order? */
static bool gi_row_swaps(const gi_row *row)
{
    return row->op == GA_OP_add || row->op == GA_OP_multiply || row->op == GA_OP_equal || row->op == GA_OP_not_equal ||
           row->op == GA_OP_multiply_add;
}

/* Finds the loop that keeps the operands `numbers` (bits; 1: the first one) in registers, if the op's row has one, and orders them for it. */
static void gi_pass_order_numbers(gi_pass_op *op, int numbers)
{
    memcpy(op->ordered, op->x, sizeof op->x);
    if (!op->row || !numbers) return;
    const bool swaps = op->before ? op->row->op == GA_OP_square : op->n > 1 && gi_row_swaps(op->row);
    if (swaps && (numbers & 1)) {
        op->ordered[0] = op->x[1];
        op->ordered[1] = op->x[0];
        numbers        = (numbers & ~3) | (numbers & 1) << 1 | (numbers & 2) >> 1;
    }
    op->with_number = GI_LOOP_OF(with_number)(op->row->op, numbers | (op->before ? GI_JOINED : 0), op->from);
}

/* An op as its one operation or its two, where the first operand of the second is what the first makes. How many they are. */
static int gi_pass_parts(const gi_pass_op *op, gi_pass_op *part)
{
    part[0] = part[1] = *op;
    if (!op->before) return 1;
    part[0].kind = GI_OP_ROW;
    part[0].row  = op->before;
    part[0].to   = op->from;
    part[0].n    = op->before->op == GA_OP_multiply_add ? 3 : 2;
    if (op->kind == GI_OP_CHOICE) {
        part[0].from           = op->to;
        part[0].x[op->turned]  = op->x[0];
        part[0].x[!op->turned] = op->x[3];
        part[1].n              = 3;
    } else if (part[0].n == 3) { /* Horner's rule, or a root */
        part[1].n    = op->row->op == GA_OP_multiply_add ? 3 : 1;
        part[1].x[2] = op->x[3];
    } else {
        part[1].n    = op->n - 1;
        part[1].x[1] = op->x[2];
    }
    return 2;
}
