/* ---- loops for operations and their numbers ------------------------------------------------------------------------------- */
/*  x*y + z is one row of the table, with the bits of both. And loops that keep numbers in registers (cpu/numbers.h).        */

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
    if (op->n > 1 && gi_row_swaps(op->row) && (numbers & 1)) {
        op->ordered[0] = op->x[1];
        op->ordered[1] = op->x[0];
        numbers        = (numbers & ~3) | (numbers & 1) << 1 | (numbers & 2) >> 1;
    }
    op->with_number = GI_LOOP_OF(with_number)(op->row->op, numbers, op->from);
}
