/* ---- computing a formula step by step: the calls that it stands for ------------------------------------------------------ */

typedef struct gi_eval_run {
    gi_formula_text *f;
    const gi_steps  *steps;
    ga_eval_options  o;         /* of the last step */
    ga_arg          *value;     /* of each step; NULL, of arrays that are given back */
    bool            *owned;     /* is it an array that was made here? */
    bool             any;       /* has any been? */
    bool             delivered; /* has the last step heeded the options of the formula? */
    ga_device        device;    /* of passes */
} gi_eval_run;

/* Options of a call as a caller gives them. */
static ga_array *gi_given(ga_array *out) { return out ? out : GA_NO_ARRAY; }

/* A step's options: those of the formula belong to the last one. */
static ga_map_options gi_step_map(const gi_eval_run *r, bool last)
{
    ga_map_options o = gi_map_site(r->f->site);
    if (!last) return o;
    o.out   = gi_given(r->o.out);
    o.dtype = r->o.dtype;
    if (r->o.where) o.where = r->o.where;
    return o;
}

/* A value as an array: a number becomes one of no dimensions, *made, which is to be freed. NULL with an error. */
static const ga_array *gi_value_array(const char *site, ga_arg v, ga_array **made)
{
    ga_new_options o = ga_new_defaults;
    o.site           = site;
    return v.array ? v.array : (*made = (ga_scalar)(v, o));
}

static bool gi_is_two(ga_arg v)
{
    return !v.array && ((v.kind == GA_KIND_INT && v.i == 2) || (v.kind == GA_KIND_REAL && v.re == 2));
}

/* x ** 2 is a square, as NumPy's; of integers only with the integer 2, and of what has no other powers, complex numbers, with any 2. */
static bool gi_is_square(const gi_row *row, const ga_arg *in)
{
    return row->op == GA_OP_power && in[0].array && gi_is_two(in[1]) &&
           (in[1].kind == GA_KIND_INT || gi_dtype_kind(in[0].array->dtype) >= 2);
}

static ga_array *gi_run_operator(const gi_row *row, int n, const ga_arg *in, ga_map_options o)
{
    return gi_is_square(row, in) ? gi_call(GI_FORMULA_ROW(square)(), 1, in, o) : gi_call(row, n, in, o);
}

/* The options of a fold: what the formula says, and of the last step what the call says. */
static ga_reduce_options gi_step_reduce(const gi_eval_run *r, const gi_step *step, bool last)
{
    const gi_fold_along *along = &step->along;
    ga_reduce_options    f     = gi_reduce_site(r->f->site);
    f.keepdims                 = along->keepdims;
    f.dtype                    = last && r->o.dtype != GA_DTYPE_DEFAULT ? r->o.dtype : along->dtype;
    f.ddof                     = along->ddof;
    f.out                      = last ? gi_given(r->o.out) : GA_NO_ARRAY;
    if (along->count == 1) f.axis = along->axis[0]; /* alone it may be that of a number, as NumPy has it */
    if (along->count >= 0 && along->count != 1) f.axes.ndim = along->count;
    for (int k = 0; k < f.axes.ndim; k++) f.axes.n[k] = along->axis[k];
    return f;
}

/* Of a, with the step's other inputs. */
static ga_array *gi_run_fold(const gi_eval_run *r, const gi_step *step, const ga_array *a, const ga_arg *in, bool last)
{
    const gi_word    *word = step->word;
    ga_reduce_options f    = gi_step_reduce(r, step, last);
    ga_order_options  m    = ga_order_defaults;
    if (last && r->o.where)
        return (ga_array *)gi_fail(
            r->f->site, GA_BAD_ARGUMENT,
            "%s takes no .where: that is for what is elementwise (a sum takes it in the formula: sum(x, where=mask))",
            word->name);
    if (step->along.where) f.where = in[step->along.where].array;
    if (step->along.initial) f.initial = in[step->along.initial];
    if (word->row) return gi_options_fold(&f) ? gi_fold_call(word->row(), a, f) : NULL; /* as word->fold does, of its set */
    if (word->kind == GI_WORD_FOLD) return word->fold(a, f);
    if (f.dtype != GA_DTYPE_DEFAULT) return (ga_array *)gi_fail(r->f->site, GA_BAD_DTYPE, "%s takes no .dtype", word->name);
    m.axis     = f.axis;
    m.axes     = f.axes;
    m.keepdims = f.keepdims;
    m.out      = f.out;
    m.site     = f.site;
    return word->kind == GI_WORD_ORDER ? word->order(a, m) : word->percentile(a, in[1], m);
}

/* Step k, a fold of a alone. */
static ga_array *gi_run_fold_step(const gi_eval_run *r, int k, const ga_array *a)
{
    return gi_run_fold(r, &r->steps->step[k], a, NULL, k == r->steps->count - 1);
}

/* The row that computes a call with first input x, or NULL. round to 0 decimals is rint; of integers, positive. */
static const gi_row *gi_call_row(const gi_step *step, ga_arg x)
{
    if (step->word->kind == GI_WORD_ROW) return step->word->row();
    const ga_dtype dtype = x.array ? x.array->dtype : gi_number_dtype(x);
    if (step->word->kind != GI_WORD_ROUND || step->value.i < 0) return NULL;
    if (gi_is_int(dtype)) return GI_FORMULA_ROW(positive)();
    return step->value.i == 0 && !gi_is_complex(dtype) ? GI_FORMULA_ROW(rint)() : NULL;
}

/* To so many decimals: as ga_round does, with the rows of formulas. */
static ga_array *gi_run_round(const char *site, const ga_array *a, int decimals)
{
    const gi_round_rows rows = { GI_FORMULA_ROW(rint)(), GI_FORMULA_ROW(multiply)(), GI_FORMULA_ROW(divide)() };
    gi_composition      c;
    gi_compose_begin(&c, site);
    return gi_compose_end(&c, gi_do_round(&c, &rows, a, decimals));
}

/* Does a number without a dtype fit that of a conversion? False with an error, as np.int8(300) and np.int8(2j). */
static bool gi_run_fits(const gi_eval_run *r, const gi_step *step, ga_arg v)
{
    const ga_dtype dtype = step->word->dtype;
    if (step->word->kind != GI_WORD_DTYPE || v.array) return true;
    const bool whole = v.kind == GA_KIND_INT || v.kind == GA_KIND_UINT;
    if (v.kind == GA_KIND_COMPLEX ? gi_is_complex(dtype) || dtype == GA_BOOL
                                  : !whole || !gi_is_int(dtype) || gi_number_fits(v, dtype))
        return true;
    char text[64];
    gi_number_text(v, text, sizeof text);
    if (v.kind == GA_KIND_COMPLEX) {
        gi_formula_fail(r->f, step->at, step->length, "%s is complex, and %s is not: take its real(), imag() or abs()", text,
                        ga_dtype_name(dtype));
        return false;
    }
    gi_formula_fail(r->f, step->at, step->length, "%s does not fit %s", text, ga_dtype_name(dtype));
    return false;
}

static ga_array *gi_run_call(const gi_eval_run *r, const gi_step *step, ga_arg *in, bool last)
{
    ga_arg       *where = step->along.where ? &in[step->along.where] : NULL;
    const char   *site  = r->f->site;
    const gi_row *row   = gi_call_row(step, in[0]);
    ga_array     *made = NULL, *truth = NULL, *result;
    if (row) return gi_call(row, step->n, in, gi_step_map(r, last));
    if (!gi_run_fits(r, step, in[0])) return NULL;
    const ga_array *a = gi_value_array(site, in[0], &made);
    if (!a) return NULL;
    if (where && !where->array) *where = gi_operand_arg(truth = (ga_scalar)(*where, gi_new_on(site, GA_BOOL, a->device)));
    if (step->word->kind == GI_WORD_WHERE) result = (ga_where)(a, in[1], in[2], gi_step_map(r, last));
    else if (step->word->kind == GI_WORD_ROUND) result = gi_run_round(site, a, (int)step->value.i);
    else if (step->word->kind == GI_WORD_DTYPE) result = (ga_astype)(a, step->word->dtype, site);
    else result = gi_run_fold(r, step, a, in, last);
    ga_free(made), ga_free(truth);
    return result;
}

enum { GI_INDEX_LETTERS = 200 };

/* The names in an index of a formula: its operands. */
typedef struct gi_formula_index {
    gi_index_names   names; /* must be first */
    gi_formula_text *f;
    int              at; /* of the index in the formula */
    char             text[GI_INDEX_LETTERS + 1];
} gi_formula_index;

/* Which operand does an item of an index name? From 1 on; 0: none. */
static int gi_operand_named(const gi_formula_text *f, gi_letters item)
{
    if (*item.at == '$') {
        int k = 0;
        for (int i = 1; gi_is_digit(item.at[i]) && k <= GI_FORMULA_OPERANDS; i++) k = 10 * k + item.at[i] - '0';
        return k <= f->n ? k : 0;
    }
    for (int k = 0; k < f->n; k++)
        if (gi_letters_same(f->names[k], item)) return k + 1;
    return 0;
}

/* Is that an integer as an index takes it? If not, why. */
static const char *gi_index_problem(ga_arg v)
{
    if (v.array) return "is an array, and an index takes integers (ga_item_int(a) is one)";
    if (v.kind == GA_KIND_BOOL) return "is a bool, and an index takes integers";
    return v.kind == GA_KIND_INT || v.kind == GA_KIND_UINT ? NULL : "is no integer";
}

static int gi_formula_index_number(const gi_index_names *names, const char *at, int64_t *value)
{
    const gi_formula_index *index  = (const gi_formula_index *)(const void *)names;
    const int               dollar = *at == '$' ? 1 + (int)strspn(at + 1, "0123456789") : 0; /* letters of $3 */
    gi_letters              item   = gi_item_at(at, at + strlen(at));
    if (dollar) item.length = dollar;
    const int place = index->at + (int)(at - index->text), k = gi_operand_named(index->f, item);
    if (k < 1 && *at != '$') return 0;
    if (k < 1) return gi_formula_fail(index->f, place, item.length, "there is no operand %.*s", item.length, at) ? 0 : -1;
    const ga_arg v       = index->f->operands[k - 1];
    const char  *problem = gi_index_problem(v);
    if (problem) return gi_formula_fail(index->f, place, item.length, "%.*s %s", item.length, at, problem) ? 0 : -1;
    *value = v.kind == GA_KIND_UINT && v.i < 0 ? INT64_MAX : v.i;
    return item.length;
}

static ga_array *gi_run_index(const gi_eval_run *r, const gi_step *step, ga_arg of)
{
    gi_formula_index index = { { gi_formula_index_number }, r->f, step->at, "" };
    gi_index_item    items[GI_MOST_INDEX_ITEMS];
    if (!of.array) return (ga_array *)gi_formula_fail(r->f, step->at, step->length, "a number has no elements");
    if (step->length > GI_INDEX_LETTERS)
        return (ga_array *)gi_formula_fail(r->f, step->at, step->length, "the index is longer than any that makes sense");
    for (int k = 0; k < step->length; k++) {
        const char c  = r->f->text[step->at + k];
        index.text[k] = gi_is_blank(c) ? ' ' : c; /* an error is one line */
    }
    index.text[step->length] = 0;
    gi_formula_names(r->f);
    const int n = gi_read_index(r->f->site, index.text, &index.names, 0, items);
    return n < 0 ? NULL : gi_index_with(r->f->site, of.array, index.text, items, n);
}

/* Does computing the step, as the last one whose first input is x, heed the options of the formula? */
static bool gi_step_delivers(const gi_step *step, ga_arg x)
{
    if (step->kind != GI_STEP_CALL) return step->kind == GI_STEP_OPERATOR;
    return step->word->kind != GI_WORD_DTYPE && (step->word->kind != GI_WORD_ROUND || gi_call_row(step, x));
}

/* Step k made an integer that is no operand of arrays. */
static ga_array *gi_run_too_wide(const gi_eval_run *r, int k)
{
    return (ga_array *)gi_formula_fail(r->f, r->steps->step[k].at, r->steps->step[k].length, "%s", gi_beyond_64);
}

/* Computes step k, whose inputs are there. False with an error. */
static bool gi_run_step(gi_eval_run *r, int k)
{
    const gi_step *step = &r->steps->step[k];
    const bool     last = k == r->steps->count - 1;
    ga_arg         in[3], *value = &r->value[k];
    bool           numbers = true;
    memset(in, 0, sizeof in);
    for (int i = 0; i < step->n; i++) {
        in[i]   = r->value[step->x[i]];
        numbers = numbers && !in[i].array;
    }
    *value = gi_number_of(GA_KIND_INT, 0, 0);
    for (int i = 0; i < step->n; i++)
        if (gi_is_wide(in[i]) && !(numbers && step->kind == GI_STEP_OPERATOR)) return gi_run_too_wide(r, step->x[i]) != NULL;
    if (step->kind == GI_STEP_OPERAND || step->kind == GI_STEP_NUMBER) {
        *value = step->kind == GI_STEP_NUMBER ? step->value : r->f->operands[step->operand];
        return true;
    }
    if (step->kind == GI_STEP_OPERATOR && numbers) {
        const char *problem = gi_on_numbers(step->row, step->n, in, value);
        return !problem || gi_formula_fail(r->f, step->at, step->length, "%s", problem) != NULL;
    }
    ga_array *made = step->kind == GI_STEP_OPERATOR ? gi_run_operator(step->row, step->n, in, gi_step_map(r, last))
                     : step->kind == GI_STEP_INDEX  ? gi_run_index(r, step, in[0])
                                                    : gi_run_call(r, step, in, last);
    *value         = gi_operand_arg(made);
    r->owned[k]    = made != NULL && made != r->o.out;
    r->any         = r->any || r->owned[k];
    r->delivered   = last && gi_step_delivers(step, in[0]);
    return made != NULL;
}

/* The result, if no call has made it: an operand, a view, a conversion or a number becomes a new array, or goes into .out. */
static ga_array *gi_run_deliver(gi_eval_run *r)
{
    const int      last  = r->steps->count - 1;
    const gi_step *step  = &r->steps->step[last];
    const ga_arg   v     = r->value[last];
    const bool     plain = !r->o.out && !r->o.where && r->o.dtype == GA_DTYPE_DEFAULT;
    if (r->delivered || (plain && step->kind == GI_STEP_CALL)) {
        r->owned[last] = false;
        return (ga_array *)(uintptr_t)v.array;
    }
    if (gi_is_wide(v)) return gi_run_too_wide(r, last);
    const ga_dtype own                    = v.array ? v.array->dtype : gi_number_dtype(v),
                   dtype                  = r->o.dtype != GA_DTYPE_DEFAULT ? r->o.dtype : own;
    const ga_dtype to                     = r->o.out ? r->o.out->dtype : dtype;
    const ga_dtype wanted[GI_MOST_INPUTS] = { to, to, to, to };
    if (!gi_may_compute(v, dtype))
        return (ga_array *)gi_fail(r->f->site, GA_BAD_DTYPE,
                                   "%s cannot become %s without losing its kind: write %s(...) in the formula",
                                   ga_dtype_name(own), ga_dtype_name(dtype), ga_dtype_name(dtype));
    return gi_map(r->f->site, gi_copying, GI_CHEAP, 1, &v, wanted, dtype, r->o.out, r->o.where);
}

/* Computes a formula. NULL with an error, to which *failed, the step where it happened, is to be added; -1: of no step. */
static ga_array *gi_run_steps(gi_eval_run *r, int *failed)
{
    const int n = r->steps->count;
    GI_ARENA(ga_arg, value, n);
    GI_ARENA(bool, owned, n);
    ga_array *result = NULL;
    int       k      = 0;
    r->value         = value;
    r->owned         = owned;
    memset(owned, 0, (size_t)n * sizeof *owned);
    *failed = -1;
    for (; k < n && *failed < 0; k++) {
        const gi_step *step = &r->steps->step[k];
        if (step->last < 0) continue; /* nothing needs it */
        if (!gi_run_step(r, k)) *failed = k;
        for (int i = 0; i < step->n; i++)
            if (r->steps->step[step->x[i]].last == k && owned[step->x[i]]) {
                ga_free((ga_array *)(uintptr_t)value[step->x[i]].array);
                owned[step->x[i]] = false;
            }
    }
    if (*failed < 0) {
        result = gi_run_deliver(r);
        if (!result) *failed = n - 1;
    }
    for (int i = 0; i < k; i++)
        if (owned[i]) ga_free((ga_array *)(uintptr_t)value[i].array);
    return result;
}
