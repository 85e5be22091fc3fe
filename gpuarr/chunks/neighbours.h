/* ---- neighbours ---- */

typedef struct gi_window_call {
    gi_further call;
    ga_border  border;
    int64_t    before[GPUARR_MAX_DIMS], behind[GPUARR_MAX_DIMS]; /* how far it looks from a place of the result */
} gi_window_call;

/* Near an edge also what the border shows: as many elements of this side as are looked for on the other. */
static void gi_window_needs(const gi_lazy *n, int k, const gi_box *box, gi_box *part)
{
    const gi_window_call *p = (const gi_window_call *)n->plan;
    gi_all_of(n->in[k], part);
    for (int d = 0; d < n->ndim && k == 0; d++) {
        int64_t length = n->in[0]->shape[d], low = box->start[d] - p->before[d],
                high = box->start[d] + box->count[d] + p->behind[d];
        if (p->border != GA_BORDER_WRAP) {
            int64_t under = -low, over = high - length;
            if (high <= under) high = under + 1;
            if (over > 0 && low > length - 1 - over) low = length - 1 - over;
            if (low < 0) low = 0;
            if (high > length) high = length;
        }
        part->start[d] = low;
        part->count[d] = high - low;
    }
}

/* The node of a call whose result has a as its first input; in[1], if given, is needed whole. Its plan begins with `p`. */
static ga_array *gi_chunked_window(const char *site, const ga_array *a, const ga_array *other, ga_dtype dtype,
                                   const int64_t *shape, gi_window_call *p, size_t plan_bytes,
                                   ga_array *(*run)(const gi_lazy *n, const gi_box *box, const gi_box *part,
                                                    ga_array *const *in, ga_array *out))
{
    int64_t         least[GPUARR_MAX_DIMS];
    const ga_array *in[2] = { a, other };
    p->call.needs         = gi_window_needs;
    p->call.run           = run;
    ga_array *r           = gi_new_call(site, false, dtype, a->ndim, shape, other ? 2 : 1, in, p, plan_bytes);
    if (!r) return NULL;
    for (int d = 0; d < a->ndim; d++) {
        gi_chunk_along(r->owner->node, d, 0, d);
        least[d] = 16 * (p->before[d] + p->behind[d]);
        if (least[d] < 64) least[d] = 64;
    }
    gi_settle_chunks(r->owner->node, least);
    return r;
}

typedef struct gi_correlation_call {
    gi_window_call window;
    gi_conv_call   q; /* without its arrays */
} gi_correlation_call;

static ga_array *gi_correlation_run(const gi_lazy *n, const gi_box *box, const gi_box *part, ga_array *const *in, ga_array *out)
{
    gi_conv_call q = ((const gi_correlation_call *)n->plan)->q;
    for (int d = 0; d < n->ndim; d++) {
        q.c.offset[d] += box->start[d] - part[0].start[d];
        q.c.result[d] = box->count[d];
    }
    q.a       = gi_array_hold(n->site, in[0]);
    q.weights = gi_array_hold(n->site, in[1]);
    q.out     = out;
    return gi_called(n, gi_conv_run(&q), out);
}

static ga_array *gi_chunked_correlation(const gi_conv_call *q)
{
    gi_correlation_call p;
    memset(&p, 0, sizeof p);
    if (gi_is_deferred(q->weights))
        return (ga_array *)gi_fail(q->site, GA_BAD_ARGUMENT,
                                   "a is chunked and smaller than v, which makes it the weights: ga_compute it first");
    if (q->method == GA_METHOD_FFT)
        return (ga_array *)gi_fail(
            q->site, GA_BAD_ARGUMENT,
            "a is chunked, and GA_METHOD_FFT needs all of its elements at once: ga_compute it first, or leave .method out");
    if (!gi_chunk_no_out(q->site, q->out)) return NULL;
    p.q             = *q;
    p.q.a           = NULL;
    p.q.weights     = NULL;
    p.q.method      = q->method == GA_METHOD_AUTO ? GI_METHOD_PIECE : q->method;
    p.window.border = q->c.border;
    for (int d = 0; d < q->c.ndim; d++) {
        p.window.before[d] = -q->c.offset[d];
        p.window.behind[d] = q->c.offset[d] + q->weights->shape[d] - 1;
    }
    return gi_chunked_window(q->site, q->a, q->weights, q->result, q->c.result, &p.window, sizeof p, gi_correlation_run);
}

typedef struct gi_filter_call {
    gi_window_call window;
    gi_filter      f;
} gi_filter_call;

static ga_array *gi_filter_run(const gi_lazy *n, const gi_box *box, const gi_box *part, ga_array *const *in, ga_array *out)
{
    (void)out;
    return gi_cut_out(n, gi_filter_end(&((const gi_filter_call *)n->plan)->f, in[0], NULL), part, box);
}

static ga_array *gi_chunked_filter(const gi_filter *f, const ga_array *a, const ga_array *out)
{
    gi_filter_call p;
    memset(&p, 0, sizeof p);
    if (!gi_chunk_no_out(f->site, out)) return NULL;
    p.f             = *f;
    p.window.border = f->border;
    for (int d = 0; d < a->ndim; d++) {
        int64_t before = 1, behind = 1; /* differences */
        if (f->run == gi_filter_run_gaussian || f->run == gi_filter_run_derivatives) {
            before = behind = f->sigmas[d] > 1e-15 ? f->radii[d] : 0;
        } else if (f->run == gi_filter_run_means) {
            before = -f->box.offset[d];
            behind = f->box.offset[d] + f->box.size[d] - 1;
        }
        p.window.before[d] = before;
        p.window.behind[d] = behind;
    }
    return gi_chunked_window(f->site, a, NULL, f->result, a->shape, &p.window, sizeof p, gi_filter_run);
}

typedef struct gi_choice_call {
    gi_window_call    window;
    gi_rank_rule      rule;
    gi_window         w;
    ga_window_options o;
} gi_choice_call;

static ga_array *gi_choice_run(const gi_lazy *n, const gi_box *box, const gi_box *part, ga_array *const *in, ga_array *out)
{
    const gi_choice_call *p         = (const gi_choice_call *)n->plan;
    gi_window             w         = p->w;
    const ga_array       *footprint = n->inputs > 1 ? in[1] : NULL;
    ga_array             *host = footprint ? gi_copy_on_cpu(n->site, footprint) : NULL, *r = NULL;
    (void)out;
    if (!footprint || host) r = gi_window_choose(in[0], &p->rule, footprint, host, &w, &p->o);
    ga_free(host);
    return gi_cut_out(n, r, part, box);
}

static ga_array *gi_chunked_choice(const ga_array *a, const gi_rank_rule *rule, const ga_array *footprint, const gi_window *w,
                                   const ga_window_options *o)
{
    gi_choice_call p;
    memset((void *)&p, 0, sizeof p);
    if (!gi_chunk_no_out(o->site, o->out)) return NULL;
    p.rule          = *rule;
    p.w             = *w;
    p.w.footprint   = NULL;
    p.o             = *o;
    p.window.border = o->border;
    for (int d = 0; d < a->ndim; d++) {
        p.window.before[d] = -w->at.offset[d];
        p.window.behind[d] = w->at.offset[d] + w->at.size[d] - 1;
    }
    return gi_chunked_window(o->site, a, footprint, a->dtype, a->shape, &p.window, sizeof p, gi_choice_run);
}

typedef struct gi_stencil_call {
    gi_window_call           window;
    const ga_stencil_kernel *k;
    int                      n;
    ga_arg                   operands[GI_MOST_OPERANDS + 1];
    ga_stencil_options       o;
} gi_stencil_call;

static ga_array *gi_stencil_run(const gi_lazy *n, const gi_box *box, const gi_box *part, ga_array *const *in, ga_array *out)
{
    const gi_stencil_call *p = (const gi_stencil_call *)n->plan;
    ga_arg                 operands[GI_MOST_OPERANDS + 1];
    (void)out;
    memcpy(operands, p->operands, sizeof operands);
    operands[0] = gi_operand_arg(in[0]);
    return gi_cut_out(n, (ga_stencil_n)(p->k, p->n, operands, p->o), part, box);
}

static ga_array *gi_chunked_stencil(const ga_stencil_kernel *k, int n, const ga_arg *operands, const ga_stencil_options *o)
{
    gi_stencil_call p;
    const ga_array *a     = operands[0].array;
    int64_t         steps = o->steps;
    memset((void *)&p, 0, sizeof p);
    if (!gi_chunk_no_out(o->site, o->out)) return NULL;
    p.k     = k;
    p.n     = n;
    p.o     = *o;
    p.o.out = GA_NO_ARRAY;
    memcpy(p.operands, operands, (size_t)n * sizeof *operands);
    p.window.border = o->border;
    for (int d = 0; d < a->ndim; d++) {
        if (__builtin_mul_overflow(steps, k->reach[d], &p.window.before[d]) || p.window.before[d] > INT64_MAX / 4)
            return (ga_array *)gi_fail(o->site, GA_BAD_ARGUMENT, ".steps = %lld are more than can be counted",
                                       (long long)steps);
        p.window.behind[d] = p.window.before[d];
    }
    return gi_chunked_window(o->site, a, NULL, k->kernel.result.dtype, a->shape, &p.window, sizeof p, gi_stencil_run);
}
