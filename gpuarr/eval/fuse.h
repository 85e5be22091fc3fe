/* ---- computing a formula in passes ---------------------------------------------------------------------------------------- */

/* The shape of what a fold makes of an array of shape x; ndim -1: it has something to say. */
static void gi_fold_shape(const gi_fold_along *along, const ga_shape *x, ga_shape *shape)
{
    bool gone[GPUARR_MAX_DIMS];
    shape->ndim = x->ndim < 0 ? -1 : 0;
    for (int d = 0; d < x->ndim; d++) gone[d] = along->count < 0;
    for (int k = 0; k < along->count && shape->ndim >= 0; k++) {
        const int axis = along->axis[k] < 0 ? along->axis[k] + x->ndim : along->axis[k];
        if (axis < 0 || axis >= x->ndim) shape->ndim = -1;
        else gone[axis] = true;
    }
    for (int d = 0; d < x->ndim && shape->ndim >= 0; d++)
        if (!gone[d] || along->keepdims) shape->n[shape->ndim++] = gone[d] ? 1 : x->n[d];
}

/* The shapes of steps, as far as they are known before anything is computed; else ndim is -1. False: a call has something to say. */
static bool gi_step_shapes(const gi_eval_run *r, const gi_passes *s, ga_shape *shape)
{
    int64_t strides[GPUARR_MAX_DIMS];
    for (int k = 0; k < r->steps->count; k++) {
        const gi_step *step = &r->steps->step[k];
        shape[k].ndim       = s->typed[k].dtype == GA_DTYPE_DEFAULT || s->typed[k].elementwise ? 0 : -1;
        if (step->kind == GI_STEP_OPERAND && r->f->operands[step->operand].array) {
            const ga_array *a = r->f->operands[step->operand].array;
            shape[k].ndim     = a->ndim;
            memcpy(shape[k].n, a->shape, sizeof a->shape);
        }
        if (s->typed[k].folds) gi_fold_shape(&step->along, &shape[step->x[0]], &shape[k]);
        for (int i = 0; i < step->n && shape[k].ndim >= 0 && !s->typed[k].folds; i++) {
            const ga_shape *x = &shape[step->x[i]];
            if (x->ndim < 0) shape[k].ndim = -1;
            else if (!gi_shape_broadcast(&shape[k].ndim, shape[k].n, x->ndim, x->n)) return false;
        }
        if (shape[k].ndim > 0 && gi_shape_c_strides(GA_U8, shape[k].ndim, shape[k].n, strides) < 0) return false;
    }
    return true;
}

/* Is every array operand of the same shape? */
static bool gi_operands_alike(const gi_formula_text *f)
{
    const ga_array *first = NULL;
    for (int k = 0; k < f->n; k++) {
        const ga_array *a = f->operands[k].array;
        if (a && first && !gi_shape_equal(a->ndim, a->shape, first->ndim, first->shape)) return false;
        if (a) first = a;
    }
    return true;
}

/* Steps that have far fewer elements than what is made of them are stored, as exp(column) in exp(column) * row, or 255 / (max(x) - min(x)): a
   pass would compute them again for each row or tile. What was dear because of them is not any more. True if that is so: *adapted is how the
   formula is computed then. */
static bool gi_passes_adapt(const gi_eval_run *r, const gi_passes *s, gi_passes *adapted)
{
    enum { FEWER = 4, WORTH = 4096 };
    bool changed = false, small[GI_PASS_STEPS];
    GI_ARENA(ga_shape, shape, r->steps->count);
    if (!gi_step_shapes(r, s, shape)) return false;
    memcpy(adapted, s, offsetof(gi_passes, pass));
    memset(small, 0, (size_t)r->steps->count * sizeof *small);
    for (int k = 0; k < r->steps->count; k++) {
        const int64_t size = s->typed[k].elementwise && shape[k].ndim >= 0 ? gi_shape_size(shape[k].ndim, shape[k].n) : 0;
        for (int i = 0; i < r->steps->step[k].n && size >= WORTH && r->steps->step[k].last >= 0; i++) {
            const int x = r->steps->step[k].x[i];
            if (!s->typed[x].elementwise || gi_shape_size(shape[x].ndim, shape[x].n) > size / FEWER) continue;
            small[x] = true;
            changed  = changed || !s->stored[x];
        }
    }
    if (!changed) return false;
    gi_passes_store(r->steps, small, adapted);
    return gi_passes_build(r->steps, adapted);
}

/* Computes a fold of what a pass makes: fed by it, or else from an array of it. NULL with an error, or *declined. */
static ga_array *gi_run_folding(gi_eval_run *r, const gi_passes *s, const gi_fused *p, int k, bool *declined)
{
    ga_array *result = gi_pass_fold(r, s, p, k, declined);
    if (!*declined) return result;
    ga_array *input = gi_pass_make(r, p, NULL, NULL, declined);
    result          = input ? gi_run_folds(r, s, k, input) : NULL;
    ga_free(input);
    return result;
}

/* Computes stored step k by its pass or its call. False with an error, or *declined. */
static bool gi_run_stored(gi_eval_run *r, const gi_passes *s, int k, bool *declined)
{
    const bool      last = k == r->steps->count - 1;
    const gi_fused *p    = s->by[k] < 0 ? NULL : &s->pass[s->by[k]];
    ga_array       *made = NULL;
    const ga_array *a    = !p && !last && s->typed[k].folds ? r->value[r->steps->step[k].x[0]].array : NULL;
    if (!p && !a) {
        if (!gi_run_step(r, k)) return false;
        *declined =
            !last && s->typed[k].known && !gi_pass_takes(r, &s->typed[k], r->value[k]); /* the last is in .out already */
        return !*declined;
    }
    if (!p) made = gi_run_folds(r, s, k, a);
    else if (p->root == k) made = gi_pass_make(r, p, last ? r->o.out : NULL, last ? r->o.where : NULL, declined);
    else if (last && r->o.where) *declined = true; /* a fold takes none */
    else made = gi_run_folding(r, s, p, k, declined);
    r->value[k]  = gi_operand_arg(made);
    r->delivered = last;
    r->owned[k]  = made && made != r->o.out;
    r->any       = r->any || r->owned[k];
    return made != NULL;
}

/* Frees what no step behind k needs. */
static void gi_run_free(gi_eval_run *r, const int *last, int k)
{
    for (int i = 0; r->any && i <= k && i < r->steps->count; i++)
        if (r->owned[i] && last[i] <= k) {
            ga_free((ga_array *)(uintptr_t)r->value[i].array);
            r->owned[i] = false;
        }
}

/* Computes a formula in passes. NULL with an error of step *failed, or *declined, and nothing was written: then its calls are to be made. */
static ga_array *gi_run_passes(gi_eval_run *r, const gi_passes *s, int *failed, bool *declined)
{
    const int n = r->steps->count;
    bool      owned[GI_PASS_STEPS];
    ga_array *result = NULL;
    GI_ARENA(ga_arg, value, n);
    r->value  = value;
    r->owned  = owned;
    *failed   = -1;
    *declined = false;
    memset(owned, 0, (size_t)n * sizeof *owned);
    for (int k = 0; k < n && *failed < 0 && !*declined; k++) {
        const gi_step *step = &r->steps->step[k];
        if (s->last[k] < 0 || !s->stored[k]) continue;
        if (step->kind == GI_STEP_OPERAND) value[k] = r->f->operands[step->operand];
        else if (step->kind == GI_STEP_NUMBER) value[k] = step->value;
        else if (!owned[k]) { /* it has not been folded beside another step */
            if (!gi_run_stored(r, s, k, declined) && !*declined) *failed = k;
            gi_run_free(r, s->last, k);
        }
    }
    if (*failed < 0 && !*declined) {
        result = gi_run_deliver(r);
        if (!result) *failed = n - 1;
    }
    gi_run_free(r, s->last, n);
    return result;
}

/* The same, with the plan adapted to the shapes. */
static ga_array *gi_run_adapted(gi_eval_run *r, const gi_passes *s, int *failed, bool *declined)
{
    GI_ARENA(gi_passes, adapted, 1);
    return gi_run_passes(r, gi_passes_adapt(r, s, adapted) ? adapted : s, failed, declined);
}
