/* ---- computing --------------------------------------------------------------------------------------------------------------------------- */

/* Reductions, and what is small and repeated, in the order in which they can be worked out; level: how many of them lie on top of each
   other. */
typedef struct gi_folds {
    const char *site;
    gi_lazy   **list;
    int64_t     n, room;
} gi_folds;

/* Is input a of an elementwise operation so small beside its result, where it is repeated, that all of it is better worked out once? */
static bool gi_is_repeated(const gi_lazy *n, const ga_array *a)
{
    if (!(n->kind->is & GI_SPREAD) || !gi_is_deferred(a)) return false;
    const gi_lazy *below = a->owner->node;
    int64_t        size  = gi_shape_size(below->ndim, below->shape);
    return below->local && !below->far && !below->value && !gi_comes_first(below) && below->kind != gi_kind_chunked() &&
           size > 0 && size <= GI_PIECE_BYTES / ga_itemsize(below->dtype) && size <= gi_shape_size(n->ndim, n->shape) / 4;
}

/* Adds a node to those that are worked out before others. */
static bool gi_list_fold(gi_folds *f, gi_lazy *n)
{
    n->level++;
    if (f->n == f->room) {
        int64_t   room = f->room ? 2 * f->room : 16;
        gi_lazy **more = (gi_lazy **)gi_mem_alloc(f->site, (size_t)room * sizeof *more);
        if (!more) return false;
        if (f->n > 0) memcpy(more, f->list, (size_t)f->n * sizeof *more);
        if (f->list) gi_mem_release(f->list, (size_t)f->room * sizeof *more);
        f->list = more;
        f->room = room;
    }
    f->list[f->n++] = n;
    return true;
}

static bool gi_find_folds(gi_folds *f, gi_lazy *n)
{
    if (n->mark == gi_computing.mark || n->value) return true;
    n->mark  = gi_computing.mark;
    n->level = 0;
    n->ahead = false;
    for (int k = 0; k < n->inputs; k++) {
        if (!gi_is_deferred(n->in[k])) continue;
        gi_lazy *below = n->in[k]->owner->node;
        if (!gi_find_folds(f, below)) return false;
        if (gi_is_repeated(n, n->in[k]) && !below->ahead) {
            below->ahead = true;
            if (!gi_list_fold(f, below)) return false;
        }
        if (!below->value && below->level > n->level) n->level = below->level;
    }
    return !gi_comes_first(n) || gi_list_fold(f, n);
}

/* Works out all of a small node. */
static bool gi_chunk_run_small(const char *site, gi_lazy *n)
{
    gi_computation  r; /* for its error */
    gi_worker       w   = gi_worker_new();
    gi_box          box = gi_box_number(n->ndim, n->shape, n->shape, 0);
    gi_thread_state aside;
    memset(&r, 0, sizeof r);
    pthread_mutex_init(&r.lock, NULL);
    r.site = site;
    gi_thread_put_aside(&aside);
    ga_array *value = gi_array_new(site, n->dtype, GA_CPU, n->ndim, n->shape);
    bool      ok    = value && gi_pull_into(site, value, gi_eval(&w, n, &box, value));
    gi_worker_forget(&w);
    if (ok) n->value = value;
    else gi_chunk_run_failed(&r, n->ndim, &box);
    if (!ok) ga_free(value);
    gi_thread_take_back(&aside);
    return gi_ranks_agree(site, gi_chunk_run_ends(&r));
}

/* Do two reductions read the same lines? */
static bool gi_same_lines(const gi_lazy *x, const gi_lazy *y)
{
    const gi_fold_plan *p = (const gi_fold_plan *)x->plan, *q = (const gi_fold_plan *)y->plan;
    const ga_array     *a = x->in[0], *b = y->in[0];
    if (a->owner != b->owner || a->data != b->data || !gi_shape_equal(a->ndim, a->shape, b->ndim, b->shape)) return false;
    for (int d = 0; d < a->ndim; d++)
        if (a->strides[d] != b->strides[d] || p->marked[d] != q->marked[d]) return false;
    return (p->sort == GI_FOLD_WHOLE) == (q->sort == GI_FOLD_WHOLE);
}

/* Works out all reductions that n arrays need; f tells which, for gi_compute_drop_folds. False with an error. */
static bool gi_compute_folds(gi_folds *f, int n, const ga_array *const *arrays)
{
    gi_computing.mark++;
    for (int k = 0; k < n; k++)
        if (gi_is_deferred(arrays[k]) && !gi_find_folds(f, arrays[k]->owner->node)) return false;
    int deepest       = 0;
    gi_computing.fold = f->list;
    __atomic_store_n(&gi_computing.folds, f->n, __ATOMIC_RELEASE);
    for (int64_t i = 0; i < f->n; i++)
        if (f->list[i]->level > deepest) deepest = f->list[i]->level;
    for (int level = 1; level <= deepest; level++)
        for (int64_t i = 0; i < f->n; i++) {
            gi_lazy *group[GI_FOLDS_AT_ONCE];
            int      m = 0;
            if (f->list[i]->level != level || f->list[i]->value) continue;
            if (f->list[i]->kind != gi_kind_fold()) {
                const gi_lazy_kind *kind = f->list[i]->kind;
                if (!(kind == gi_kind_whole()      ? gi_call_run_whole
                      : kind == gi_kind_own_fold() ? gi_own_fold_run
                                                   : gi_chunk_run_small)(f->site, f->list[i]))
                    return false;
                continue;
            }
            for (int64_t j = i; j < f->n && m < GI_FOLDS_AT_ONCE; j++)
                if (f->list[j]->kind == gi_kind_fold() && f->list[j]->level == level && !f->list[j]->value &&
                    gi_same_lines(f->list[i], f->list[j]))
                    group[m++] = f->list[j];
            if (!gi_fold_run(f->site, m, group)) return false;
        }
    return true;
}

static void gi_compute_drop_folds(gi_folds *f)
{
    for (int64_t i = 0; i < f->n; i++) {
        ga_array *value = f->list[i]->value;
        __atomic_store_n(&f->list[i]->value, NULL, __ATOMIC_RELEASE); /* a fork may come between */
        ga_free(value);
    }
    __atomic_store_n(&gi_computing.folds, 0, __ATOMIC_RELEASE);
    if (f->list) gi_mem_release(f->list, (size_t)f->room * sizeof *f->list);
}

/* The call that computes begins: `ok` if all that it needs is there. False with an error, on all ranks; it ends in any case. It has asked
   gi_compute_is_inside. */
static bool gi_compute_begins(const char *site, bool ok, int n, const ga_array *const *arrays)
{
    ok = ok && gi_know_gpus(site);
    (void)gi_computing_take(site);
    gi_watch_begins();
    if (ga_ranks() == 1) return ok;
    return gi_ranks_begin(site, ok, ok ? gi_print_arrays(n, arrays) : 0);
}

static bool gi_compute_ends(const char *site, bool ok)
{
    if (ga_ranks() > 1) ok = gi_ranks_end(site, ok);
    gi_kept_forget();
    gi_watch_ends();
    gi_computing_give();
    return ok;
}

/* All of them, in groups of one shape; `ok`: if there is room for them. */
static bool gi_compute_into(const char *site, bool ok, int n, const ga_array *const *arrays, ga_array *const *to)
{
    gi_folds  f      = { site, NULL, 0, 0 };
    gi_scope *scope  = gi_current_scope;
    gi_current_scope = NULL;
    ok               = gi_compute_begins(site, ok, n, arrays) && gi_compute_folds(&f, n, arrays);
    for (int first = 0; first < n && ok; first++) {
        const ga_array *of[16];
        ga_array       *into[16];
        int             m = 0;
        for (int k = 0; k < first && m == 0; k++) /* done with an earlier one? */
            if (gi_shape_equal(arrays[k]->ndim, arrays[k]->shape, arrays[first]->ndim, arrays[first]->shape)) m = -1;
        if (m < 0) continue;
        for (int k = first; k <= n && ok; k++) {
            if (k < n && gi_shape_equal(arrays[k]->ndim, arrays[k]->shape, arrays[first]->ndim, arrays[first]->shape)) {
                of[m]     = arrays[k];
                into[m++] = to[k];
            }
            if (m == 16 || (k == n && m > 0)) {
                ok = gi_compute_alike(site, m, of, into);
                m  = 0;
            }
        }
    }
    gi_compute_drop_folds(&f);
    ok               = gi_compute_ends(site, ok);
    gi_current_scope = scope;
    return ok;
}

/* A call that computes has failed before it began: the other ranks, for whom that may be otherwise, are told. Returns false. */
static bool gi_compute_cannot_begin(const char *site)
{
    return ga_ranks() > 1 && !gi_is_inside_run() && gi_compute_into(site, false, 0, NULL, NULL);
}
