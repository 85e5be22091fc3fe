/* ---- pulling ------------------------------------------------------------------------------------------------------------ */

/* The layout of the part of a that a box shows, repeated elements repeated. */
static gi_layout gi_box_layout(const ga_array *a, const gi_box *box)
{
    gi_layout whole = gi_layout_of(a), part = gi_layout_part(&whole, box);
    for (int d = 0; d < a->ndim; d++) part.shape[d] = box->count[d];
    return part;
}

static ga_array *gi_box_view(const char *site, const ga_array *a, const gi_box *box)
{
    gi_layout part = gi_box_layout(a, box);
    return gi_view_with(site, a, &part);
}

/* Keeps elements until the piece is done. False with an error. */
static bool gi_worker_remember(gi_worker *w, const gi_lazy *n, uint64_t family, int output, const gi_box *box,
                               const ga_array *value)
{
    gi_memo *m = (gi_memo *)gi_mem_alloc(n->site, sizeof *m);
    if (!m) return false;
    m->next   = w->memo;
    m->node   = family ? NULL : n;
    m->family = family;
    m->output = output;
    m->box    = *box;
    m->value  = gi_array_hold(n->site, value);
    w->memo   = m;
    return m->value != NULL;
}

/* Brings an array to where the worker wants it. Takes it over (NULL is passed on). */
static ga_array *gi_worker_bring(const gi_worker *w, ga_array *a)
{
    if (!a || a->device == w->device) return a;
    ga_array *there = gi_copy_to(NULL, a, w->device);
    ga_free(a);
    return there;
}

static void gi_forget_error(void) { gi_error_status = GA_OK; }

/* Evaluates a node on the worker's GPU if it has one and the node's calls run there, else on the CPU. */
static ga_array *gi_eval_somewhere(gi_worker *w, gi_lazy *n, const gi_box *box, ga_array *out)
{
    const ga_device wanted = w->device;
    ga_array       *r      = NULL;
    bool            there  = w->gpu && (n->kind->is & GI_ON_GPU) && !__atomic_load_n(&n->cpu_only, __ATOMIC_RELAXED);
    if (there) {
        w->device = GA_CUDA;
        r         = n->kind->eval(w, n, box, wanted == GA_CUDA ? out : NULL);
        there     = r || gi_error_status != GA_BAD_DEVICE;
        if (!there) {
            gi_forget_error();
            __atomic_store_n(&n->cpu_only, true, __ATOMIC_RELAXED);
        }
    }
    if (!there) {
        w->device = GA_CPU;
        r         = n->kind->eval(w, n, box, wanted == GA_CPU ? out : NULL);
    }
    w->device = wanted;
    return gi_worker_bring(w, r);
}

static ga_array *gi_eval(gi_worker *w, gi_lazy *n, const gi_box *box, ga_array *out)
{
    if (n->value) return gi_worker_bring(w, gi_box_view(n->site, n->value, box));
    bool shared = __atomic_load_n(&n->uses, __ATOMIC_RELAXED) > 1;
    for (gi_memo *m = w->memo; m && shared; m = m->next)
        if (m->node == n && gi_box_same(n->ndim, &m->box, box)) return gi_worker_bring(w, gi_array_hold(n->site, m->value));
    double start = ga_now(), inside = w->inside;
    w->inside         = 0;
    ga_array *r       = gi_eval_somewhere(w, n, box, out);
    double    seconds = ga_now() - start;
    __atomic_add_fetch(&n->nanoseconds, (int64_t)((seconds - w->inside) * 1e9), __ATOMIC_RELAXED);
    w->inside = inside + seconds;
    if (gi_is_watched()) gi_note_event(n->site, false, 0, start, start + seconds);
    if (!r || !shared || gi_worker_remember(w, n, 0, 0, box, r)) return r;
    ga_free(r);
    return NULL;
}

static void gi_worker_forget(gi_worker *w)
{
    while (w->memo) {
        gi_memo *m = w->memo;
        w->memo    = m->next;
        ga_free(m->value);
        gi_mem_release(m, sizeof *m);
    }
}

/* Moves what was pulled to where it was asked for, if it is not there already. Takes over `pulled` (NULL is passed on). */
static bool gi_pull_into(const char *site, ga_array *out, ga_array *pulled)
{
    if (pulled && pulled->device != out->device) { /* a GPU's */
        bool          direct = pulled->dtype == out->dtype && ga_same_shape(pulled, out);
        ga_to_options o      = ga_to_defaults;
        o.site               = site;
        o.out                = direct ? out : NULL;
        ga_array *there      = gi_copy_to_with(pulled, out->device, o);
        ga_free(pulled);
        if (direct) return there != NULL;
        pulled = there;
    }
    bool ok = pulled && ((pulled->data == out->data && pulled->owner == out->owner) || gi_copy_assign(site, out, pulled));
    ga_free(pulled);
    return ok;
}

/* Of each line of a, the elements from `first` on as far as they are one box: *l is where they lie, *count how many, at most n. Lines run
   along all axes but the first `kept` ones. Returns the view of r, in which lines are packed, where they belong, `done` elements on;
   NULL with an error. */
static ga_array *gi_next_box(const ga_array *a, int kept, int64_t first, int64_t n, ga_array *r, int64_t done, gi_layout *l,
                             int64_t *count)
{
    int64_t index = first, inner = 1, at[GPUARR_MAX_DIMS];
    *l = gi_layout_of(a);
    for (int d = a->ndim - 1; d >= kept; d--) {
        at[d] = index % a->shape[d];
        index /= a->shape[d];
    }
    int d = a->ndim - 1; /* the outermost axis along which the box is longer than one element */
    while (d > kept && at[d] == 0 && n >= inner * a->shape[d]) inner *= a->shape[d--];
    int64_t along = a->ndim == kept ? 1 : n / inner < a->shape[d] - at[d] ? n / inner : a->shape[d] - at[d];
    for (int i = kept; i < a->ndim; i++) {
        l->data += i <= d ? at[i] * l->strides[i] : 0;
        if (i < d) l->shape[i] = 1;
    }
    if (a->ndim > kept) l->shape[d] = along;
    gi_layout place = *l;
    place.data      = (char *)r->data + done * ga_itemsize(a->dtype);
    gi_shape_c_strides(a->dtype, place.ndim, place.shape, place.strides);
    for (int i = 0; i < kept; i++) place.strides[i] = r->strides[i];
    *count = along * inner;
    return gi_view_with(NULL, r, &place);
}

/* The elements that a layout over a shows, in memory, where the worker wants them: if that is where a itself is, a view. `out` as for a
   node's kind. */
static ga_array *gi_pull(gi_worker *w, const ga_array *a, const gi_layout *l, ga_array *out)
{
    if (!gi_is_deferred(a)) return gi_worker_bring(w, gi_view_with(NULL, a, l));
    gi_lazy *n = a->owner->node;
    gi_box   box;
    int      axis[GPUARR_MAX_DIMS];
    int64_t  size = gi_shape_size(l->ndim, l->shape);
    if (size == 0) return gi_array_new(n->site, a->dtype, w->device, l->ndim, l->shape);
    if (!gi_box_of(n, l, &box, axis)) { /* all between its first and its last element, as they lie in C order */
        int64_t low = l->data - GI_NOWHERE, high = low, itemsize = ga_itemsize(n->dtype);
        for (int v = 0; v < l->ndim; v++) {
            int64_t reach = (l->shape[v] - 1) * l->strides[v];
            if (reach < 0) low += reach;
            else high += reach;
        }
        ga_array whole = *a; /* the node, seen whole */
        whole.ndim     = n->ndim;
        whole.data     = GI_NOWHERE;
        memcpy(whole.shape, n->shape, sizeof whole.shape);
        memcpy(whole.strides, n->strides, sizeof whole.strides);
        int64_t   first = low / itemsize, all = (high - low) / itemsize + 1;
        ga_array *range = gi_array_new(NULL, a->dtype, w->device, 1, &all);
        for (int64_t done = 0, count; range && done < all; done += count) {
            gi_layout some;
            ga_array *part = gi_next_box(&whole, 0, first + done, all - done, range, done, &some, &count);
            bool      ok   = part && gi_pull_into(NULL, part, gi_pull(w, &whole, &some, part));
            ga_free(part);
            if (ok) continue;
            ga_free(range);
            range = NULL;
        }
        if (!range) return NULL;
        gi_layout over = *l;
        over.data      = (char *)range->data + (l->data - GI_NOWHERE - low);
        ga_array *r    = gi_view_with(n->site, range, &over);
        ga_free(range);
        return r;
    }
    ga_array *target = NULL;
    for (int v = 0; v < l->ndim; v++)
        if (axis[v] < 0 && l->shape[v] > 1) out = NULL; /* elements that are repeated are computed once */
    if (out) {
        gi_layout place = gi_box_over(n, l, axis, out);
        target          = gi_view_with(n->site, out, &place);
        if (!target) return NULL;
    }
    ga_array *e = gi_eval(w, n, &box, target);
    ga_free(target);
    if (!e) return NULL;
    gi_layout elements = gi_layout_of(e), over = gi_layout_over(l, axis, &elements);
    ga_array *r = gi_view_with(n->site, e, &over);
    ga_free(e);
    return r;
}

/* Of each line of a, the elements first .. first + n, in C order, side by side; in `out` if it is given. Lines run along all axes but the
   first `kept` ones. */
static ga_array *gi_pull_lines(gi_worker *w, const ga_array *a, int kept, int64_t first, int64_t n, ga_array *out)
{
    int64_t shape[GPUARR_MAX_DIMS + 1];
    memcpy(shape, a->shape, (size_t)kept * sizeof *shape);
    shape[kept] = n;
    ga_array *r = out ? gi_array_hold(NULL, out) : gi_array_new(NULL, a->dtype, w->device, kept + 1, shape);
    for (int64_t done = 0, count; r && done < n; done += count) {
        gi_layout l;
        ga_array *part = gi_next_box(a, kept, first + done, n - done, r, done, &l, &count);
        bool      ok   = part && gi_pull_into(NULL, part, gi_pull(w, a, &l, part));
        ga_free(part);
        if (ok) continue;
        ga_free(r);
        return NULL;
    }
    return r;
}

/* ---- nodes: arrays in memory, rechunked arrays ---------------------------------------------------------------------------- */

/* The elements of the one input. */
static ga_array *gi_eval_same(gi_worker *w, const gi_lazy *n, const gi_box *box, ga_array *out)
{
    gi_layout l = gi_box_layout(n->in[0], box);
    return gi_pull(w, n->in[0], &l, out);
}
GI_TABLE(gi_lazy_kind, gi_kind_chunked, { "array", gi_eval_same, GI_LOCAL | GI_ON_GPU, NULL })
