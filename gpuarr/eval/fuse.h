/* ---- computing a formula in passes ---------------------------------------------------------------------------------------- */

/* Computes a fold of what a pass makes: tile by tile, or else from an array of it. NULL with an error, or *declined. */
static ga_array *gi_run_folding(gi_eval_run *r, const gi_fused *p, int k, bool *declined)
{
    const gi_step          *step   = &r->steps->step[k];
    const ga_reduce_options o      = gi_step_reduce(r, step, k == r->steps->count - 1);
    ga_array               *result = gi_pass_fold(r->f->site, p, r->value, step->word->row(), o, declined);
    if (!*declined) return result;
    ga_array *input = gi_pass_make(r->f->site, p, r->value, NULL, NULL, declined);
    result          = input ? step->word->fold(input, o) : NULL;
    ga_free(input);
    return result;
}

/* Computes stored step k by its pass or its call. False with an error, or *declined. */
static bool gi_run_stored(gi_eval_run *r, const gi_passes *s, int k, bool *declined)
{
    const bool      last = k == r->steps->count - 1;
    const gi_fused *p    = s->by[k] < 0 ? NULL : &s->pass[s->by[k]];
    ga_array       *made = NULL;
    if (!p) {
        if (!gi_run_step(r, k)) return false;
        *declined = s->typed[k].known && !gi_pass_takes(&s->typed[k], r->value[k]);
        return !*declined;
    }
    if (p->root == k) made = gi_pass_make(r->f->site, p, r->value, last ? r->o.out : NULL, last ? r->o.where : NULL, declined);
    else if (last && r->o.where) *declined = true; /* a fold takes none */
    else made = gi_run_folding(r, p, k, declined);
    r->value[k] = gi_operand_arg(made);
    r->owned[k] = made && made != r->o.out;
    return made != NULL;
}

/* Frees what no step behind k needs. */
static void gi_run_free(gi_eval_run *r, const int *last, int k)
{
    for (int i = 0; i <= k && i < r->steps->count; i++)
        if (r->owned[i] && last[i] <= k) {
            ga_free((ga_array *)(uintptr_t)r->value[i].array);
            r->owned[i] = false;
        }
}

/* Computes a formula in passes. NULL with an error of step *failed, or *declined, and nothing was written: then its calls are to be made. */
static ga_array *gi_run_passes(gi_eval_run *r, const gi_passes *s, int *failed, bool *declined)
{
    const int n = r->steps->count;
    GI_ARENA(ga_arg, value, n);
    GI_ARENA(bool, owned, n);
    ga_array *result = NULL;
    r->value         = value;
    r->owned         = owned;
    *failed          = -1;
    *declined        = false;
    memset(owned, 0, (size_t)n * sizeof *owned);
    for (int k = 0; k < n && *failed < 0 && !*declined; k++) {
        if (s->last[k] < 0 || !s->stored[k]) continue;
        if (!gi_run_stored(r, s, k, declined) && !*declined) *failed = k;
        gi_run_free(r, s->last, k);
    }
    if (*failed < 0 && !*declined) {
        result = gi_run_deliver(r);
        if (!result) *failed = n - 1;
    }
    gi_run_free(r, s->last, n);
    return result;
}
