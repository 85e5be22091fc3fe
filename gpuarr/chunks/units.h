/* Remembers why a unit failed, for the thread that waits. The box is what was to be worked out. */
static void gi_chunk_run_failed(gi_computation *r, int ndim, const gi_box *box)
{
    pthread_mutex_lock(&r->lock);
    if (!r->failed) {
        char place[200];
        int  n = 0;
        for (int d = 0; d < ndim && n < (int)sizeof place - 50; d++)
            n += snprintf(place + n, sizeof place - (size_t)n, "%s%lld:%lld", d ? ", " : "", (long long)box->start[d],
                          (long long)(box->start[d] + box->count[d]));
        r->status            = gi_error_status;
        const char *sentence = gi_error_behind(r->site); /* which is told by the one who waits */
        if (ndim > 0) snprintf(r->text, sizeof r->text, "%s (for the elements [%.*s])", sentence, n, place);
        else snprintf(r->text, sizeof r->text, "%s", sentence);
        __atomic_store_n(&r->failed, true, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&r->lock);
}

/* Works on a box of a run. False with an error. */
typedef bool (*gi_box_work)(gi_computation *r, gi_worker *w, const gi_box *box, void *job);

/* After an error: is it one of a GPU, for which the CPU, or a smaller piece, is a remedy? It is forgotten then. */
static bool gi_gpu_gave_up(gi_worker *w, bool *halve)
{
    *halve = gi_error_status == GA_NO_MEMORY;
    if (!w->gpu || (!*halve && gi_error_status != GA_BAD_DEVICE)) return false;
    gi_forget_error();
    return true;
}

/* Works on a box, in pieces of these lengths. A GPU is given it whole; if it has no memory for that, in halves, and at last the CPU
   takes over. False: not all of it is done, and the run has been told why. */
static bool gi_chunk_do_box(gi_computation *r, gi_worker *w, int ndim, const int64_t *piece, const gi_box *box,
                            gi_box_work work, void *job)
{
    bool halve = false;
    if (w->gpu) {
        bool ok = work(r, w, box, job);
        gi_worker_forget(w);
        if (ok) return true;
        if (!gi_gpu_gave_up(w, &halve)) {
            gi_chunk_run_failed(r, ndim, box);
            return false;
        }
        int longest = 0; /* in pieces */
        for (int d = 1; d < ndim; d++)
            if (box->count[d] / piece[d] > box->count[longest] / piece[longest]) longest = d;
        if (halve && ndim > 0 && box->count[longest] > piece[longest]) {
            gi_box half[2]         = { *box, *box };
            half[0].count[longest] = (box->count[longest] / piece[longest] + 1) / 2 * piece[longest];
            half[1].start[longest] += half[0].count[longest];
            half[1].count[longest] -= half[0].count[longest];
            return gi_chunk_do_box(r, w, ndim, piece, &half[0], work, job) &&
                   gi_chunk_do_box(r, w, ndim, piece, &half[1], work, job);
        }
        gi_worker cpu = { NULL, 0, GA_CPU, false };
        return gi_chunk_do_box(r, &cpu, ndim, piece, box, work, job);
    }
    int64_t pieces = gi_box_count(ndim, box->count, piece);
    for (int64_t k = 0; k < pieces; k++) {
        gi_box part = gi_box_number(ndim, box->count, piece, k);
        for (int d = 0; d < ndim; d++) part.start[d] += box->start[d];
        if (__atomic_load_n(&r->failed, __ATOMIC_RELAXED)) return false; /* another thread, and the rest is not wanted */
        bool ok = work(r, w, &part, job);
        gi_worker_forget(w);
        if (ok) continue;
        gi_chunk_run_failed(r, ndim, &part);
        return false;
    }
    return true;
}

/* Works out a box of the arrays. */
static bool gi_compute_box(gi_computation *r, gi_worker *w, const gi_box *box, void *job)
{
    (void)job;
    for (int k = 0; k < r->arrays; k++) {
        gi_layout all = gi_layout_of(r->of[k]), l = gi_layout_part(&all, box);
        ga_array *out    = gi_box_view(r->site, r->to[k], box);
        bool      direct = out && w->device == out->device && gi_shape_equal(l.ndim, l.shape, out->ndim, out->shape);
        bool      ok     = out && gi_pull_into(r->site, out, gi_pull(w, r->of[k], &l, direct ? out : NULL));
        ga_free(out);
        if (!ok) return false;
    }
    return true;
}

/* A unit is a box of the arrays. */
static void gi_chunk_run_boxes(int64_t begin, int64_t end, void *job)
{
    gi_computation *r = (gi_computation *)job;
    gi_worker       w = gi_worker_new();
    gi_thread_state aside;
    gi_thread_put_aside(&aside);
    for (int64_t unit = begin; unit < end && !__atomic_load_n(&r->failed, __ATOMIC_RELAXED); unit++) {
        double start = ga_now();
        gi_box whole = gi_box_number(r->ndim, r->shape, r->unit, unit);
        bool   ok    = gi_chunk_do_box(r, &w, r->ndim, r->piece, &whole, gi_compute_box, NULL);
        if (ok && !gi_watch_unit_done(r, unit, start)) gi_chunk_run_failed(r, r->ndim, &whole);
    }
    gi_thread_take_back(&aside);
}

/* Does the units of a run: with the other ranks if there are some, so that each has all results then, else with all threads and GPUs. */
static void gi_chunk_run_units(gi_computation *r, int64_t units, gi_task task)
{
    r->units = units;
    r->begun = r->told = ga_now();
    if (ga_ranks() > 1 && !gi_computing.alone && (units > 1 || r->written)) {
        gi_ranks->run(r, task);
        return;
    }
    int64_t gpus = ga_get_num_gpus();
    if (gpus == 0) {
        gi_parallel_bytes(GI_WORTH_WAKING, units, 1, task, r);
        return;
    }
    if (gpus > units) gpus = units;
    gi_shared_work s = { gpus, 0, units, gpus, task, r };
    gi_worker_run_all(gpus, gi_take_shared, &s);
    if (s.kept < gpus) task(s.kept, gpus, r); /* of GPUs that found no thread */
}

static bool gi_chunk_run_ends(gi_computation *r)
{
    pthread_mutex_destroy(&r->lock);
    if (!r->failed) return true;
    gi_error_printed = gi_computing.apart && ga_rank() > 0;
    gi_fail(r->site, r->status, "%s", r->text);
    gi_error_printed = false;
    return false;
}

/* The units and pieces in which arrays of one shape are worked out. */
static void gi_divide_work(gi_computation *r)
{
    ga_shape chunks = ga_chunks_of(r->of[0]);
    int64_t  widest = 4, threads = gi_compute_threads(); /* bytes are often made of what is wider */
    bool     local = true;
    for (int k = 0; k < r->arrays; k++) {
        const gi_lazy *n = r->of[k]->owner->node;
        local            = local && (n->local || n->value);
        if (ga_itemsize(n->dtype) > widest) widest = ga_itemsize(n->dtype);
    }
    int64_t piece = GI_PIECE_BYTES / widest, elements = 1, total = gi_shape_size(r->ndim, r->shape);
    for (int d = 0; d < r->ndim; d++)
        elements *= r->unit[d] = chunks.n[d] < r->shape[d] ? chunks.n[d] : r->shape[d] > 0 ? r->shape[d] : 1;
    for (int d = r->ndim - 1; d >= 0 && elements < piece; d--) { /* small chunks together */
        int64_t times = (piece + elements - 1) / elements, all = (r->shape[d] + r->unit[d] - 1) / r->unit[d];
        if (times > all) times = all;
        elements *= times;
        r->unit[d] *= times;
        if (times < all) break;
    }
    if (local && total < 2 * threads * elements) /* a unit for each thread, at least */
        for (int d = 0; d < r->ndim && elements > piece && total < 2 * threads * elements; d++) {
            int64_t parts = 2 * threads < r->unit[d] ? 2 * threads : r->unit[d];
            elements      = elements / r->unit[d];
            r->unit[d]    = (r->unit[d] + parts - 1) / parts;
            elements *= r->unit[d];
        }
    gi_grow_units(r->ndim, r->shape, r->unit, GI_GPU_BYTES / widest);
    int64_t left = piece;
    for (int d = r->ndim - 1; d >= 0; d--) {
        r->piece[d] = !local || r->unit[d] <= left ? r->unit[d] : left > 0 ? left : 1;
        left /= r->piece[d] > 0 ? r->piece[d] : 1;
        if (left < 1) left = 1;
    }
}

/* Results that are worked out together use their nodes: what one of them is made of another may show. */
static void gi_count_results(int n, const ga_array *const *of, int change)
{
    for (int k = 0; k < n && n > 1; k++) __atomic_add_fetch(&of[k]->owner->node->uses, change, __ATOMIC_RELAXED);
}

/* Works out n chunked arrays of one shape into arrays in memory. */
static bool gi_compute_alike(const char *site, int n, const ga_array *const *of, ga_array *const *to)
{
    gi_computation r;
    memset(&r, 0, sizeof r);
    if (of[0]->size == 0) return true;
    pthread_mutex_init(&r.lock, NULL);
    r.site   = site;
    r.arrays = n;
    r.of     = of;
    r.to     = to;
    r.ndim   = of[0]->ndim;
    memcpy(r.shape, of[0]->shape, sizeof r.shape);
    gi_divide_work(&r);
    gi_count_results(n, of, 1);
    gi_chunk_run_units(&r, gi_box_count(r.ndim, r.shape, r.unit), gi_chunk_run_boxes);
    gi_count_results(n, of, -1);
    return gi_chunk_run_ends(&r);
}

/* Works out all of a node that needs all of its inputs at once. False with an error. */
static bool gi_call_run_whole(const char *site, gi_lazy *n)
{
    const gi_further *p                  = (const gi_further *)n->plan;
    ga_array         *in[GI_CALL_INPUTS] = { NULL };
    gi_box            part[GI_CALL_INPUTS], box;
    bool              ok = true;
    for (int k = 0; k < n->inputs && ok; k++) {
        const ga_array *a = n->in[k];
        gi_all_of(a, &part[k]);
        in[k] = gi_is_deferred(a) ? gi_array_new(site, a->dtype, GA_CPU, a->ndim, a->shape) : gi_array_hold(site, a);
        ok    = in[k] && (!gi_is_deferred(a) || gi_compute_alike(site, 1, &a, &in[k]));
    }
    for (int d = 0; d < n->ndim; d++) {
        box.start[d] = 0;
        box.count[d] = n->shape[d];
        box.step[d]  = 1;
    }
    if (ok) n->value = p->run(n, &box, part, in, NULL);
    for (int k = 0; k < n->inputs; k++) ga_free(in[k]);
    return n->value != NULL;
}
