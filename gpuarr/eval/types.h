/* ---- dtypes: what each step makes, known before anything is computed ------------------------------------------------------ */

/* What an elementwise step computes with: one loop of the library, as the call of it would choose. */
typedef struct gi_elementwise {
    gi_op_kind    kind;
    int           power;  /* which easy power */
    gi_kernel     kernel; /* NULL: the step only converts its input */
    const gi_row *row;    /* whose plain loop that is, or NULL */
    int           cost;
    int           n, x[3];   /* inputs, in the order of the kernel */
    ga_dtype      wanted[3]; /* as which it takes them */
} gi_elementwise;

/* What a step makes. */
typedef struct gi_typed {
    bool           known;       /* from the dtypes of the operands */
    bool           elementwise; /* and computed by `e` */
    bool           folds;       /* a fold of an array, which a pass may feed */
    bool           fixed;       /* a number that is the same in each call, `value` */
    ga_dtype       dtype;       /* of an array; GA_DTYPE_DEFAULT: it is a number, */
    ga_kind        kind;        /* of this kind */
    ga_arg         value;
    gi_elementwise e;
} gi_typed;

/* The inputs of a step as operands of which only the dtypes are known; `fake` has room for three arrays. */
static void gi_typed_operands(const gi_step *step, const gi_typed *typed, ga_array *fake, ga_arg *in)
{
    memset(in, 0, 3 * sizeof *in);
    for (int k = 0; k < step->n; k++) {
        const gi_typed *t = &typed[step->x[k]];
        in[k]             = t->value;
        in[k].kind        = t->kind;
        if (t->dtype == GA_DTYPE_DEFAULT) continue;
        fake[k].dtype = t->dtype;
        in[k].kind    = GA_KIND_ARRAY;
        in[k].array   = &fake[k];
    }
}

/* The row that a call is, if it is one. */
static const gi_row *gi_typed_call_row(const gi_step *step, const gi_typed *typed)
{
    ga_array fake[3];
    ga_arg   in[3];
    gi_typed_operands(step, typed, fake, in);
    return gi_call_row(step, in[0]);
}

/* The kind of what an operator makes of numbers: what gi_on_numbers gives, if that is known. */
static void gi_type_numbers(const gi_step *step, const gi_typed *typed, gi_typed *t)
{
    bool whole = step->row->op != GA_OP_divide, complex_ = false, truths = true, fixed = true, fits = true;
    for (int k = 0; k < step->n; k++) {
        const gi_typed *x = &typed[step->x[k]];
        whole             = whole && x->kind < GA_KIND_REAL;
        fits              = fits && x->kind != GA_KIND_UINT;
        complex_          = complex_ || x->kind == GA_KIND_COMPLEX;
        truths            = truths && x->kind == GA_KIND_BOOL;
        fixed             = fixed && x->fixed;
    }
    if (fixed) {
        ga_arg in[3];
        gi_typed_operands(step, typed, NULL, in);
        t->known = t->fixed = !gi_on_numbers(step->row, step->n, in, &t->value);
        t->kind             = t->value.kind;
        return;
    }
    t->known = !whole || (fits && step->row->op != GA_OP_power); /* 2 ** n is an integer or not */
    if (step->row->returns == GI_RETURNS_BOOL || (truths && gi_is_bitwise(step->row->op))) t->kind = GA_KIND_BOOL;
    else t->kind = complex_ ? GA_KIND_COMPLEX : whole ? GA_KIND_INT : GA_KIND_REAL;
}

/* A power whose exponent decides how it is computed, a comparison of integers that no dtype holds, or the next one of halves: is it all the
   same a plain loop? */
static bool gi_type_special(const gi_settled *s, const ga_arg *in, bool exponent_fixed, gi_elementwise *e)
{
    gi_function easy;
    if (s->row->op == GA_OP_spacing || s->row->op == GA_OP_nextafter) return !gi_is_half(s->common);
    if (s->row->op == GA_OP_power && gi_is_int(s->loop)) return exponent_fixed && !in[1].array && in[1].i >= 0;
    if (s->row->op == GA_OP_power && !in[1].array && !exponent_fixed) return false;
    if (s->row->op == GA_OP_power) {
        if (gi_is_float(s->loop) && gi_easy_power(in[1], s->loop, &easy)) {
            e->kind   = GI_OP_POWER;
            e->power  = gi_easy_power_index(in[1].kind == GA_KIND_REAL ? in[1].re : (double)in[1].i);
            e->kernel = easy.cpu;
        }
        return true;
    }
    const ga_dtype x = in[0].array ? in[0].array->dtype : gi_number_dtype(in[0]),
                   y = in[1].array ? in[1].array->dtype : gi_number_dtype(in[1]);
    return !gi_is_int(x) || !gi_is_int(y) || ga_promote(x, y) != GA_F64;
}

/* A row of the table, as gi_call computes it. asked: the option .dtype. */
static void gi_type_row(const gi_row *row, const gi_step *step, const gi_typed *typed, ga_dtype asked, gi_typed *t)
{
    ga_array   fake[3];
    ga_arg     in[3];
    gi_settled s;
    int        loses;
    bool       given = false, arrays = false;
    memset(fake, 0, sizeof fake);
    gi_typed_operands(step, typed, fake, in);
    int n = step->n;
    if (step->kind == GI_STEP_OPERATOR && gi_is_square(row, in)) {
        if (!typed[step->x[1]].fixed) return;
        row = GI_FORMULA_ROW(square)();
        n   = 1;
    }
    if (gi_row_settle(row, n, in, asked, &s, &loses) != GI_SETTLES) return;
    t->dtype  = s.result;
    t->e.cost = s.row->cost;
    t->e.n    = s.copies ? 1 : n;
    for (int k = 0; k < n; k++) {
        const int from = s.exchanged ? 1 - k : k;
        t->e.x[k]      = step->x[from];
        t->e.wanted[k] = s.copies ? s.common : s.loop;
        given          = given || (!in[k].array && !typed[step->x[k]].fixed);
        arrays         = arrays || in[k].array;
    }
    if (given && gi_is_comparison(row->op)) return; /* a number that does not fit is compared otherwise */
    t->known = true;
    if (!arrays || (s.copies && asked != GA_DTYPE_DEFAULT)) return; /* a copy goes into .out by way of no other dtype */
    for (int k = 0; k < n; k++)
        if (!in[k].array && typed[step->x[k]].fixed && !gi_number_fits(in[k], s.copies ? s.common : s.loop)) return;
    t->elementwise = true;
    t->e.kind      = s.copies ? GI_OP_CAST : GI_OP_ROW;
    if (s.copies) return;
    t->e.kernel = s.kernel;
    if (s.row->special) {
        const ga_arg ordered[3] = { in[s.exchanged ? 1 : 0], in[s.exchanged ? 0 : 1], in[2] };
        t->elementwise          = gi_type_special(&s, ordered, n > 1 && typed[step->x[1]].fixed, &t->e);
    }
    if (t->e.kind == GI_OP_ROW) t->e.row = s.row;
    else t->e.n = 1, t->e.cost = GI_CHEAP; /* an easy power */
}

static void gi_type_where(const gi_step *step, const gi_typed *typed, ga_dtype asked, gi_typed *t)
{
    ga_array fake[3];
    ga_arg   in[3];
    memset(fake, 0, sizeof fake);
    gi_typed_operands(step, typed, fake, in);
    t->dtype       = asked != GA_DTYPE_DEFAULT ? asked : gi_common_dtype(2, in + 1);
    t->known       = true;
    t->elementwise = in[0].array != NULL;
    t->e.kind      = GI_OP_CHOICE;
    t->e.kernel    = GI_LOOP_OF(select)((int)ga_itemsize(t->dtype));
    t->e.cost      = GI_CHEAP;
    t->e.n         = 3;
    for (int k = 0; k < 3; k++) {
        t->e.x[k]      = step->x[k];
        t->e.wanted[k] = k == 0 ? GA_BOOL : t->dtype;
        if (k > 0 && !in[k].array && typed[step->x[k]].fixed && !gi_number_fits(in[k], t->dtype)) t->elementwise = false;
    }
#ifdef GPUARR_FEW_DTYPES
    t->known = t->elementwise = t->known && t->elementwise && gi_has_loops(t->dtype);
#endif
}

/* What a fold makes of an array, where that is plain. */
static void gi_type_fold(const gi_step *step, const gi_typed *typed, ga_dtype asked, gi_typed *t)
{
    const gi_word *word = step->word;
    const ga_dtype of   = typed[step->x[0]].dtype;
    if (word->kind == GI_WORD_PERCENTILE && typed[step->x[1]].dtype != GA_DTYPE_DEFAULT) return; /* an array of percentiles */
    if (of == GA_DTYPE_DEFAULT) return; /* a number, with an array as .where */
    t->known = true;
    t->folds = word->kind == GI_WORD_FOLD && step->n == 1;
    if (asked == GA_DTYPE_DEFAULT) asked = step->along.dtype;
    if (asked != GA_DTYPE_DEFAULT) t->dtype = asked;
    else if (word->row) t->dtype = gi_reduce_end_dtype(word->row()->ends, of);
    else t->dtype = word->dtype == GA_I64 ? GA_I64 : gi_reduce_end_dtype(GI_ENDS_AVERAGE, gi_dtype_real(of));
}

/* Finds out what a step makes; those before it are known. Operands are known by their dtypes, numbers by their kinds. asked: the option .dtype
   that the step has. */
static void gi_type_step(const gi_step *step, const ga_arg *operands, const gi_typed *typed, ga_dtype asked, gi_typed *t)
{
    const gi_row *row;
    bool          numbers = true, wide = false;
    memset(t, 0, sizeof *t);
    for (int k = 0; k < step->n; k++) {
        if (!typed[step->x[k]].known) return;
        numbers = numbers && typed[step->x[k]].dtype == GA_DTYPE_DEFAULT;
        wide    = wide || gi_is_wide(typed[step->x[k]].value);
    }
    if (wide && !(numbers && step->kind == GI_STEP_OPERATOR)) return; /* an error */
    switch (step->kind) {
    case GI_STEP_NUMBER:
    case GI_STEP_OPERAND: {
        const ga_arg v = step->kind == GI_STEP_NUMBER ? step->value : operands[step->operand];
        t->known       = true;
        t->fixed       = step->kind == GI_STEP_NUMBER;
        t->dtype       = v.array ? v.array->dtype : GA_DTYPE_DEFAULT;
        t->kind        = v.kind;
        if (t->fixed) t->value = v;
        t->value.single = v.single; /* where numbers alone decide on a dtype */
        break;
    }
    case GI_STEP_OPERATOR:
        if (numbers) gi_type_numbers(step, typed, t);
        else gi_type_row(step->row, step, typed, asked, t);
        break;
    case GI_STEP_INDEX:
        t->known = !numbers;
        t->dtype = typed[step->x[0]].dtype;
        break;
    case GI_STEP_CALL:
        row = gi_typed_call_row(step, typed);
        if (row) {
            gi_type_row(row, step, typed, asked, t);
        } else if (step->word->kind == GI_WORD_WHERE) {
            gi_type_where(step, typed, asked, t);
        } else if (step->word->kind == GI_WORD_ROUND) {
            t->dtype = typed[step->x[0]].dtype;
            t->known = !numbers && asked == GA_DTYPE_DEFAULT && t->dtype != GA_BOOL;
        } else if (step->word->kind == GI_WORD_DTYPE) {
            t->known = true;
            t->dtype = t->e.wanted[0] = step->word->dtype;
            t->elementwise = !numbers && asked == GA_DTYPE_DEFAULT && !gi_is_half(t->dtype); /* else it is converted again */
            t->e.kind      = GI_OP_CAST;
            t->e.n         = 1;
            t->e.x[0]      = step->x[0];
            t->e.cost      = GI_CHEAP;
#ifdef GPUARR_FEW_DTYPES
            t->known = t->elementwise = t->elementwise && gi_has_loops(t->dtype);
#endif
        } else if (!numbers) {
            gi_type_fold(step, typed, asked, t);
        }
        break;
    default: break;
    }
}
