/* ---- runs of reductions of the user's ---- */

typedef struct gi_own_run {
    gi_computation     c; /* its result, or the accumulators of the parts of each line */
    gi_lazy           *n;
    const gi_own_fold *p;
    int                kept, reduced;
    int64_t            shape[GPUARR_MAX_DIMS]; /* the kept axes, then the reduced ones */
    int64_t            length, parts;
    gi_layout          in[GPUARR_MAX_INPUTS]; /* of the inputs, in that order */
} gi_own_run;

/* Lines that are reduced whole. */
static bool gi_own_lines(gi_computation *c, gi_worker *w, const gi_box *box, void *job)
{
    gi_own_run        *r                         = (gi_own_run *)job;
    const gi_own_fold *p                         = r->p;
    ga_array          *pulled[GPUARR_MAX_INPUTS] = { NULL };
    ga_arg             in[GPUARR_MAX_INPUTS];
    ga_reduce_options  o  = p->o;
    bool               ok = true;
    for (int i = 0, a = 0; i < p->operands && ok; i++) {
        in[i] = p->in[i];
        if (!in[i].array) continue;
        gi_layout l = r->in[a];
        for (int d = 0; d < r->kept; d++) {
            l.data += box->start[d] * l.strides[d];
            l.shape[d] = box->count[d];
        }
        pulled[a] = gi_pull(w, r->n->in[a], &l, NULL);
        ok        = pulled[a] != NULL;
        if (ok) in[i] = gi_operand_arg(pulled[a++]);
    }
    o.out       = GA_NO_ARRAY;
    o.keepdims  = false;
    o.axis      = GA_AXIS_DEFAULT;
    o.axes.ndim = r->reduced;
    for (int d = 0; d < r->reduced; d++) o.axes.n[d] = r->kept + d;
    ga_array *out = ok ? gi_box_view(c->site, c->to[0], box) : NULL;
    ok            = out && gi_pull_into(c->site, out, (ga_reduce_n)(p->asked, p->operands, in, o));
    ga_free(out);
    for (int a = 0; a < r->n->inputs; a++) ga_free(pulled[a]);
    return ok;
}

static void gi_own_fold_run_lines(int64_t begin, int64_t end, void *job)
{
    gi_own_run     *r = (gi_own_run *)job;
    gi_worker       w = gi_worker_new();
    gi_thread_state aside;
    gi_thread_put_aside(&aside);
    for (int64_t unit = begin; unit < end && !__atomic_load_n(&r->c.failed, __ATOMIC_RELAXED); unit++) {
        double start = ga_now();
        gi_box box   = gi_box_number(r->kept, r->c.shape, r->c.unit, unit);
        bool   ok    = gi_chunk_do_box(&r->c, &w, r->kept, r->c.piece, &box, gi_own_lines, r);
        if (ok && !gi_watch_unit_done(&r->c, unit, start)) gi_chunk_run_failed(&r->c, r->kept, &box);
    }
    gi_thread_take_back(&aside);
}

/* The accumulator of the elements first .. first + n of a line, a branch of its tree; `blocks` has room for those of its blocks. */
static bool gi_own_branch(gi_own_run *r, gi_worker *w, int64_t line, int64_t first, int64_t n, char *blocks, char *acc)
{
    const gi_own_fold *p    = r->p;
    const int64_t      size = p->r.k->acc_bytes, most = (w->gpu ? GI_GPU_BYTES : GI_PIECE_BYTES) / 8;
    gi_reducing        m  = p->r;
    bool               ok = true;
    GI_ARENA(char, accs, GI_BLOCK *size);
    for (int64_t at = 0; at < n && ok; at += most) {
        const ga_shape all             = { -1, { 0 } };
        ga_array *x[GPUARR_MAX_INPUTS] = { NULL }, *view[GPUARR_MAX_INPUTS] = { NULL }, *copy[GPUARR_MAX_INPUTS] = { NULL };
        int64_t   count = n - at < most ? n - at : most;
        for (int i = 0, a = 0; i < p->operands && ok; i++) {
            ga_arg   v     = p->in[i];
            ga_dtype dtype = p->r.dtype[i];
            if (v.array) {
                ga_array elements = *r->n->in[a]; /* the line; no array of its own */
                int64_t  rest     = line;
                elements.data     = r->in[a].data;
                elements.ndim     = r->reduced;
                elements.size     = r->length;
                for (int d = r->kept - 1; d >= 0; d--) {
                    elements.data = (char *)elements.data + rest % r->shape[d] * r->in[a].strides[d];
                    rest /= r->shape[d];
                }
                for (int d = 0; d < r->reduced; d++) {
                    elements.shape[d]   = r->shape[r->kept + d];
                    elements.strides[d] = r->in[a].strides[r->kept + d];
                }
                gi_worker cpu = { NULL, 0, GA_CPU, false };
                x[a]          = gi_worker_bring(&cpu, gi_pull_lines(w, &elements, 0, first + at, count, NULL));
                ok            = x[a] != NULL;
                if (ok) v = gi_operand_arg(x[a++]);
            }
            if (ok) view[i] = gi_reducing_input(r->c.site, v, dtype, GA_CPU, 1, &count, &copy[i]);
            ok = ok && view[i] && gi_lines_plan(r->c.site, &m.in[i], view[i], dtype, -1, &all, false);
        }
        m.from = first + at;
        for (int64_t block = 0; block * GI_BLOCK < count && ok; block++) {
            int64_t elements = count - block * GI_BLOCK < GI_BLOCK ? count - block * GI_BLOCK : GI_BLOCK;
            gi_reducing_map_line(&m, 0, block * GI_BLOCK, elements, accs);
            gi_reducing_halve(&m, elements, accs, size, 0);
            memcpy(blocks + (at / GI_BLOCK + block) * size, accs, (size_t)size);
        }
        for (int i = 0; i < p->operands; i++) {
            ga_free(x[i]);
            ga_free(view[i]);
            ga_free(copy[i]);
        }
        gi_worker_forget(w);
    }
    if (!ok) return false;
    gi_reducing_fold_blocks(&m, (n + GI_BLOCK - 1) / GI_BLOCK, blocks, size, 0);
    memcpy(acc, blocks, (size_t)size);
    return true;
}

static void gi_own_fold_run_branches(int64_t begin, int64_t end, void *job)
{
    gi_own_run     *r = (gi_own_run *)job;
    gi_worker       w = gi_worker_new();
    gi_thread_state aside;
    int64_t         size  = r->p->r.k->acc_bytes;
    size_t          bytes = (size_t)(GI_LONGEST_LINE / GI_BLOCK * size);
    gi_thread_put_aside(&aside);
    char *blocks = (char *)gi_mem_alloc(r->c.site, bytes);
    for (int64_t unit = begin; unit < end && !__atomic_load_n(&r->c.failed, __ATOMIC_RELAXED); unit++) {
        int64_t line = unit / r->parts, first = unit % r->parts * GI_LONGEST_LINE;
        int64_t n     = r->length - first < GI_LONGEST_LINE ? r->length - first : GI_LONGEST_LINE;
        double  start = ga_now();
        char   *acc   = r->c.record + unit * size;
        bool    halve, ok = blocks && gi_own_branch(r, &w, line, first, n, blocks, acc);
        if (!ok && blocks && gi_gpu_gave_up(&w, &halve)) {
            gi_worker cpu = { NULL, 0, GA_CPU, false };
            ok            = gi_own_branch(r, &cpu, line, first, n, blocks, acc);
        }
        if (ok && gi_watch_unit_done(&r->c, unit, start)) continue;
        gi_box box;
        box.start[0] = first;
        box.count[0] = n;
        gi_chunk_run_failed(&r->c, 1, &box);
    }
    if (blocks) gi_mem_release(blocks, bytes);
    gi_thread_take_back(&aside);
}

/* Works out a reduction of the user's into its node's value. False with an error. */
static bool gi_own_fold_run(const char *site, gi_lazy *n)
{
    const gi_own_fold *p = (const gi_own_fold *)n->plan;
    gi_own_run         r;
    int64_t            lines = 1;
    memset((void *)&r, 0, sizeof r);
    r.c.site = site;
    r.n      = n;
    r.p      = p;
    r.length = 1;
    for (int pass = 0, m = 0; pass < 2; pass++) /* the kept axes first */
        for (int d = 0; d < p->ndim; d++) {
            if (p->marked[d] != (pass == 1)) continue;
            for (int a = 0; a < n->inputs; a++) {
                int64_t strides[GPUARR_MAX_DIMS];
                gi_shape_broadcast_strides(n->in[a], p->ndim, p->shape, strides);
                r.in[a].data       = (char *)n->in[a]->data;
                r.in[a].ndim       = p->ndim;
                r.in[a].shape[m]   = p->shape[d];
                r.in[a].strides[m] = strides[d];
            }
            if (pass == 0) lines *= p->shape[d], r.kept++;
            else r.length *= p->shape[d], r.reduced++;
            r.shape[m++] = p->shape[d];
        }
    n->value = gi_array_new(site, n->dtype, GA_CPU, n->ndim, n->shape);
    if (!n->value || lines == 0) return n->value != NULL;
    pthread_mutex_init(&r.c.lock, NULL);
    r.c.ndim = r.kept;
    memcpy(r.c.shape, r.shape, sizeof r.c.shape);
    ga_array *value = gi_kept_view(site, n->value, r.kept, r.shape);
    bool      ok    = value != NULL;
    if (ok && r.length <= GI_LONGEST_LINE) {
        int64_t beside = GI_PIECE_BYTES / 8 / (r.length > 0 ? r.length : 1);
        for (int d = r.kept - 1; d >= 0; d--) {
            r.c.unit[d] = r.shape[d] < beside ? r.shape[d] : beside > 0 ? beside : 1;
            beside /= r.c.unit[d];
        }
        memcpy(r.c.piece, r.c.unit, sizeof r.c.piece);
        gi_grow_units(r.kept, r.c.shape, r.c.unit, GI_GPU_BYTES / 8 / (r.length > 0 ? r.length : 1));
        r.c.arrays = 1;
        r.c.to     = &value;
        gi_chunk_run_units(&r.c, gi_box_count(r.kept, r.c.shape, r.c.unit), gi_own_fold_run_lines);
    } else if (ok) {
        int64_t size     = p->r.k->acc_bytes;
        r.parts          = (r.length + GI_LONGEST_LINE - 1) / GI_LONGEST_LINE;
        size_t bytes     = (size_t)(lines * r.parts * size);
        r.c.records      = 1;
        r.c.record_bytes = size;
        r.c.record       = (char *)gi_mem_alloc(site, bytes);
        ok               = r.c.record != NULL;
        if (ok) gi_chunk_run_units(&r.c, lines * r.parts, gi_own_fold_run_branches);
        for (int64_t line = 0; line < lines && ok && !r.c.failed; line++) {
            char *accs = r.c.record + line * r.parts * size;
            gi_reducing_fold_blocks(&p->r, r.parts, accs, size, 0);
            p->r.k->finish(1, (char *)n->value->data + line * ga_itemsize(n->dtype), accs, r.length);
        }
        if (r.c.record) gi_mem_release(r.c.record, bytes);
    }
    ga_free(value);
    return gi_chunk_run_ends(&r.c) && ok;
}
