/* Reduces the lines in a box of them. */
static bool gi_reduce_box(gi_computation *r, gi_worker *w, const gi_box *box, void *job)
{
    gi_layout l = r->lines;
    (void)job;
    for (int d = 0; d < r->kept; d++) {
        l.data += box->start[d] * l.strides[d];
        l.shape[d] = box->count[d];
    }
    if (r->rows > 0) return gi_reduce_by_rows(r, w, box, &l);
    ga_array *x  = gi_pull(w, r->a, &l, NULL);
    bool      ok = x != NULL;
    for (int k = 0; k < r->folds && ok; k++) {
        ga_array *out = gi_box_view(r->site, r->to[k], box);
        ok = out && gi_pull_into(r->site, out, gi_fold_in_memory((const gi_fold_plan *)r->fold[k]->plan, x, r->reduced));
        ga_free(out);
    }
    ga_free(x);
    return ok;
}

/* A unit is some lines of the reductions, whole. */
static void gi_fold_run_lines(int64_t begin, int64_t end, void *job)
{
    gi_computation *r = (gi_computation *)job;
    gi_worker       w = gi_worker_new();
    gi_thread_state aside;
    gi_thread_put_aside(&aside);
    for (int64_t unit = begin; unit < end && !__atomic_load_n(&r->failed, __ATOMIC_RELAXED); unit++) {
        double start = ga_now();
        gi_box box   = gi_box_number(r->ndim, r->shape, r->unit, unit);
        bool   ok    = gi_chunk_do_box(r, &w, r->kept, r->piece, &box, gi_reduce_box, NULL);
        if (ok && !gi_watch_unit_done(r, unit, start)) gi_chunk_run_failed(r, r->kept, &box);
    }
    gi_thread_take_back(&aside);
}

/* Few lines that are long and needed whole: all elements are computed first, by all threads, and so are the results. */
static bool gi_fold_run_whole_lines(gi_computation *r)
{
    ga_array       *lines = gi_view_with(r->site, r->a, &r->lines), *all = NULL;
    const ga_array *of = lines;
    bool            ok = false;
    if (lines) all = gi_array_new(r->site, lines->dtype, GA_CPU, lines->ndim, lines->shape);
    if (all) ok = gi_is_deferred(lines) ? gi_compute_alike(r->site, 1, &of, &all) : gi_copy_assign(r->site, all, lines);
    for (int k = 0; k < r->folds && ok; k++)
        ok = gi_pull_into(r->site, r->to[k], gi_fold_in_memory((const gi_fold_plan *)r->fold[k]->plan, all, r->reduced));
    ga_free(lines);
    ga_free(all);
    return ok;
}

/* The lines of group number `group`, in the order in which they are reduced. `view` is no array of its own. Returns how many. */
static int64_t gi_lines_of_run(const gi_computation *r, int64_t group, ga_array *view)
{
    int64_t last = r->kept > 0 ? r->shape[r->kept - 1] : 1, groups = (last + r->beside - 1) / r->beside;
    int64_t from = group % groups * r->beside, row = group / groups;
    *view      = *r->a;
    view->data = r->lines.data;
    view->ndim = r->kept + r->reduced;
    for (int d = 0; d < view->ndim; d++) {
        view->shape[d]   = d < r->kept ? 1 : r->lines.shape[d];
        view->strides[d] = r->lines.strides[d];
    }
    if (r->kept == 0) return 1;
    view->shape[r->kept - 1] = last - from < r->beside ? last - from : r->beside;
    view->data               = (char *)view->data + from * r->lines.strides[r->kept - 1];
    for (int d = r->kept - 2; d >= 0; d--) {
        view->data = (char *)view->data + row % r->shape[d] * r->lines.strides[d];
        row /= r->shape[d];
    }
    return view->shape[r->kept - 1];
}

/* Line number `line` of packed lines of n elements; NULL with an error. */
static ga_array *gi_packed_line(const ga_array *lines, int64_t line, int64_t n)
{
    gi_layout l = gi_layout_of(lines);
    l.ndim      = 1;
    l.data += line * n * ga_itemsize(lines->dtype);
    l.shape[0]   = n;
    l.strides[0] = ga_itemsize(lines->dtype);
    return gi_view_with(NULL, lines, &l);
}

/* The branches of all reductions for elements first .. first + n of some lines, piece by piece; line by line, fold by fold. */
static bool gi_fold_run_branch(gi_computation *r, gi_worker *w, const ga_array *lines, int64_t count, int64_t first, int64_t n,
                               gi_branch *branch)
{
    int64_t size = ga_itemsize(lines->dtype),
            most = (gi_is_local(lines) && !w->gpu ? GI_PIECE_BYTES : GI_AUTO_BYTES) / size / count / GI_BLOCK * GI_BLOCK;
    bool ok = true, moments = false;
    if (most < GI_BLOCK) most = GI_BLOCK;
    for (int k = 0; k < r->folds; k++) moments = moments || branch[k].plan->sort == GI_FOLD_MOMENT;
    if (moments) {
        ga_array *pulled = gi_pull_lines(w, lines, r->kept, 0, 1, NULL), *origin = pulled ? gi_copy_on_cpu(NULL, pulled) : NULL;
        ga_free(pulled);
        if (!origin) return false;
        for (int64_t i = 0; i < count; i++) {
            double x = 0;
            gi_cast(GA_F64, lines->dtype, 1, &x, (char *)origin->data + i * size);
            for (int k = 0; k < r->folds; k++) branch[i * r->folds + k].origin = gi_moment_origin(branch[k].plan->what, x);
        }
        ga_free(origin);
        gi_worker_forget(w);
    }
    for (int64_t at = 0; at < n && ok; at += most) {
        int64_t   elements = n - at < most ? n - at : most;
        ga_array *x = gi_pull_lines(w, lines, r->kept, first + at, elements, NULL), *host = NULL;
        ok = x != NULL;
        for (int k = 0; k < r->folds && ok; k++) {
            bool there = x->device == GA_CPU || gi_adds_on_gpu(&branch[k]);
            if (!there && !host) host = gi_copy_on_cpu(r->site, x);
            ok = there || host;
            for (int64_t i = 0; i < count && ok; i++) {
                ga_array *line = gi_packed_line(there ? x : host, i, elements);
                ok             = line && gi_branch_add(&branch[i * r->folds + k], line, at, first + at);
                ga_free(line);
            }
        }
        ga_free(host);
        ga_free(x);
        gi_worker_forget(w);
    }
    for (int64_t i = 0; i < count * r->folds && ok; i++) ok = gi_branch_end(&branch[i], n);
    return ok;
}

static void gi_begin_branches(const gi_computation *r, gi_branch *branch)
{
    int64_t all = r->beside * r->folds;
    for (int64_t i = 0; i < all; i++) {
        memset(&branch[i], 0, sizeof branch[i]);
        branch[i].plan       = (const gi_fold_plan *)r->fold[i % r->folds]->plan;
        branch[i].dtype      = r->a->dtype;
        branch[i].blocks     = (char *)(branch + all) + (size_t)i * GI_BRANCH_BYTES;
        branch[i].part.place = -1;
    }
}

/* A unit is a branch of the lines of a group. */
static void gi_fold_run_branches(int64_t begin, int64_t end, void *job)
{
    gi_computation *r = (gi_computation *)job;
    gi_worker       w = gi_worker_new();
    gi_thread_state aside;
    int64_t         groups = r->units / r->parts;
    size_t          bytes  = (size_t)(r->beside * r->folds) * (sizeof(gi_branch) + GI_BRANCH_BYTES);
    gi_thread_put_aside(&aside);
    gi_branch *branch = (gi_branch *)gi_mem_alloc(r->site, bytes);
    for (int64_t unit = begin; unit < end && !__atomic_load_n(&r->failed, __ATOMIC_RELAXED); unit++) {
        int64_t  first = unit / groups * GI_LONGEST_LINE;
        double   start = ga_now();
        int64_t  n     = r->length - first < GI_LONGEST_LINE ? r->length - first : GI_LONGEST_LINE;
        ga_array lines;
        int64_t  count = gi_lines_of_run(r, unit % groups, &lines);
        if (branch) gi_begin_branches(r, branch);
        bool ok = branch && gi_fold_run_branch(r, &w, &lines, count, first, n, branch), halve;
        if (!ok && branch && gi_gpu_gave_up(&w, &halve)) {
            gi_worker cpu = { NULL, 0, GA_CPU, false };
            gi_worker_forget(&w);
            gi_begin_branches(r, branch);
            ok = gi_fold_run_branch(r, &cpu, &lines, count, first, n, branch);
            gi_worker_forget(&cpu);
        }
        if (ok) {
            for (int64_t i = 0; i < count; i++)
                for (int k = 0; k < r->folds; k++)
                    r->part[((int64_t)k * r->units + unit) * r->beside + i] = branch[i * r->folds + k].part;
            if (gi_watch_unit_done(r, unit, start)) continue;
        }
        gi_box box;
        box.start[0] = first;
        box.count[0] = n;
        gi_chunk_run_failed(r, 1, &box);
    }
    if (branch) gi_mem_release(branch, bytes);
    gi_thread_take_back(&aside);
}

/* Joins the parts of each line into the results. False with an error. */
static bool gi_join_branches(const gi_computation *r, int64_t lines)
{
    int64_t last = r->kept > 0 ? r->shape[r->kept - 1] : 1, across = (last + r->beside - 1) / r->beside,
            groups      = r->units / r->parts;
    size_t        bytes = (size_t)r->parts * sizeof(gi_fold_part);
    gi_fold_part *list  = (gi_fold_part *)gi_mem_alloc(r->site, bytes);
    bool          ok    = list != NULL;
    for (int k = 0; k < r->folds && ok; k++)
        for (int64_t i = 0; i < lines && ok; i++) {
            int64_t  group = i / last * across + i % last / r->beside;
            gi_lazy *n     = r->fold[k];
            for (int64_t p = 0; p < r->parts; p++)
                list[p] = r->part[(k * r->units + p * groups + group) * r->beside + i % last % r->beside];
            ok = gi_join_parts((const gi_fold_plan *)n->plan, r->a->dtype, n->dtype, list, r->parts, r->length,
                               (char *)n->value->data + i * ga_itemsize(n->dtype));
        }
    if (list) gi_mem_release(list, bytes);
    return ok;
}

/* A view of the result of a reduction with the axes alone that are kept, of that shape. */
static ga_array *gi_kept_view(const char *site, const ga_array *value, int kept, const int64_t *shape)
{
    gi_layout l = gi_layout_of(value);
    l.ndim      = kept;
    if (kept > 0) memcpy(l.shape, shape, (size_t)kept * sizeof *shape);
    gi_shape_c_strides(value->dtype, kept, shape, l.strides);
    return gi_view_with(site, value, &l);
}
