/* ---- nodes: passes of formulas ---------------------------------------------------------------------------------------------- */
/*  What ga_eval computes in one pass is one node, however many operations it is made of. The layer of formulas works out a piece of it
    of the pieces of its inputs.                                                                                               */

typedef struct __attribute__((aligned(16))) gi_pass_plan { /* behind it lies the plan of the layer of formulas */
    bool (*make)(const char *site, const void *plan, ga_array *const *in, ga_array *out);
    uint64_t print;
    bool     over;
} gi_pass_plan;

static ga_array *gi_eval_pass(gi_worker *w, const gi_lazy *n, const gi_box *box, ga_array *out)
{
    const gi_pass_plan *p    = (const gi_pass_plan *)n->plan;
    ga_array           *made = NULL;
    int                 k    = 0;
    GI_ARENA(ga_array *, pulled, n->inputs);
    while (k < n->inputs && (pulled[k] = gi_pull_operand(w, n, n->in[k], box)) != NULL) k++;
    const bool ok = k == n->inputs;
    for (int i = 0; i < n->inputs && ok && !out && p->over; i++)
        if (gi_may_reuse(pulled[i], n, box)) out = pulled[i];
    if (ok) made = out ? gi_array_hold(n->site, out) : gi_array_new(n->site, n->dtype, w->device, n->ndim, box->count);
    if (made && !p->make(n->site, p + 1, pulled, made)) {
        ga_free(made);
        made = NULL;
    }
    while (k > 0) ga_free(pulled[--k]);
    return made;
}
GI_TABLE(gi_lazy_kind, gi_kind_pass, { "formula", gi_eval_pass, GI_LOCAL | GI_ON_GPU | GI_SPREAD, NULL })

static ga_array *gi_chunked_pass(const gi_pass_call *c)
{
    const size_t       bytes = sizeof(gi_pass_plan) + c->plan_bytes;
    const gi_pass_plan head  = { c->make, c->print, c->over };
    GI_ARENA(char, plan, bytes);
    memcpy(plan, &head, sizeof head);
    memcpy(plan + sizeof head, c->plan, c->plan_bytes);
    ga_array *a = gi_lazy_new(c->site, gi_kind_pass(), c->dtype, c->ndim, c->shape, c->n, c->in, plan, bytes);
    if (a) gi_chunk_as_inputs(a->owner->node);
    return a;
}
