/* ---- runs of reductions: what a unit of one is ------------------------------------------------------------------------------------ */

/* Do the lines of a reduction, whose layout is l, lie across: are its kept elements nearer to each other than those of a line? */
static bool gi_lie_across(const gi_layout *l, int kept)
{
    return kept > 0 && kept < l->ndim && gi_stride_length(l->strides[kept - 1]) < gi_stride_length(l->strides[l->ndim - 1]);
}

/* Bytes of lines that a thread reads from files beside each other: all threads together a quarter of the memory. */
static int64_t gi_wide_bytes(void)
{
    int64_t limit = gi_computing.threads > 0 ? gi_computing.limit : ga_memory_stats().limit_bytes;
    int64_t part  = limit / (4 * gi_compute_threads());
    return limit > 0 && part < GI_WIDE_BYTES ? part : GI_WIDE_BYTES;
}

/* How many lines of a reduction are taken at a time, if they are not longer than `most`? Those that lie across are read better some
   beside each other, and from files many: whole chunks, if that can be. */
static int64_t gi_lines_beside(const ga_array *a, const bool *marked, int64_t *most)
{
    gi_layout l    = gi_reduced_last(a, marked);
    int64_t   size = ga_itemsize(a->dtype), lines = 1, length = 1, chunk = 1;
    int       kept = 0;
    for (int d = 0; d < a->ndim; d++) kept += !marked[d];
    for (int d = 0; d < a->ndim; d++) {
        if (d < kept) lines *= l.shape[d];
        else length *= l.shape[d];
    }
    bool across    = gi_lie_across(&l, kept);
    *most          = (gi_is_local(a) ? GI_PIECE_BYTES * (across ? 4 : 1) : GI_AUTO_BYTES) / size;
    int64_t beside = length > 0 ? *most / length : 1;
    if (across && beside < 64) beside = 64;
    if (across && length > 0 && gi_is_deferred(a) && a->owner->node->far) {
        int64_t wide = gi_wide_bytes() / size / length, share = lines / (2 * gi_compute_threads());
        for (int d = 0; d < a->ndim; d++)
            if (!marked[d]) chunk = ga_chunks_of(a).n[d];
        if (wide > share) wide = share;
        if (wide > chunk) wide -= wide % chunk;
        if (wide > beside) beside = wide;
    }
    if (beside > lines) beside = lines;
    return beside < 1 ? 1 : beside;
}

/* Lines of a file that lie across, but not so that whole ones are read well: how many of their elements does a reduction take at a time, and
   of how many lines? 0: whole lines. `beside` is how many of these would be taken. */
static int64_t gi_rows_at_once(const ga_array *a, const gi_fold_plan *p, int folds, int64_t *beside)
{
    gi_layout l    = gi_reduced_last(a, p->marked);
    int64_t   size = ga_itemsize(a->dtype), inner = 1, lines = 1, rows = GI_BLOCK;
    int       kept = 0, axis = 0;
    bool possible = (p->sort == GI_FOLD_ROW || p->sort == GI_FOLD_MOMENT) && !gi_is_complex(a->dtype) && gi_is_deferred(a) &&
                    a->owner->node->far && gi_is_local(a) && gi_shows_rows(a);
    for (int d = 0; d < a->ndim; d++) {
        if (p->marked[d]) axis = d;
        else lines *= l.shape[kept++];
    }
    for (int d = axis + 1; d < a->ndim; d++) inner *= a->shape[d];
    if (!possible || kept != a->ndim - 1 || a->shape[axis] > GI_LONGEST_LINE || *beside >= inner) return 0;
    int64_t slots = gi_row_slots(a->shape[axis], 8), wide = gi_wide_bytes() / (8 * size + folds * slots * GI_SLOT_BYTES),
            share = lines / gi_compute_threads();
    if (wide > share) wide = share;
    if (wide < 64) wide = 64;
    *beside = wide < inner ? wide : inner;
    while (rows > 8 && rows * *beside * size > GI_PIECE_BYTES) rows /= 2;
    return rows;
}

/* Of longer lines, how many along the last of the kept axes does a unit of `folds` reductions take? */
static int64_t gi_branches_beside(const ga_array *a, const bool *marked, int folds)
{
    enum { ENOUGH = 64 }; /* for arrays that are computed: rows of so many elements are whole cache lines */
    gi_layout l    = gi_reduced_last(a, marked);
    int64_t   size = ga_itemsize(a->dtype), lines = 1, length = 1;
    int       kept = 0;
    for (int d = 0; d < a->ndim; d++) kept += !marked[d];
    for (int d = 0; d < a->ndim; d++) {
        if (d < kept) lines *= l.shape[d];
        else length *= l.shape[d];
    }
    if (!gi_lie_across(&l, kept)) return 1;
    int64_t parts  = (length + GI_LONGEST_LINE - 1) / GI_LONGEST_LINE,
            beside = gi_wide_bytes() / (folds * (int64_t)GI_BRANCH_BYTES + GI_BLOCK * size),
            share  = lines * parts / (2 * gi_compute_threads());
    bool far       = gi_is_deferred(a) && a->owner->node->far;
    if (!far && beside > ENOUGH) beside = ENOUGH;
    if (beside > share) beside = share;
    if (beside > l.shape[kept - 1]) beside = l.shape[kept - 1];
    return beside < 1 ? 1 : beside;
}

/* Works out at most GI_FOLDS_AT_ONCE reductions of the same array along the same axes into their nodes' values. False with an error. */
static bool gi_fold_run(const char *site, int n, gi_lazy **fold)
{
    const gi_fold_plan *p                    = (const gi_fold_plan *)fold[0]->plan;
    const ga_array     *a                    = fold[0]->in[0];
    ga_array           *to[GI_FOLDS_AT_ONCE] = { NULL };
    gi_computation      r;
    memset(&r, 0, sizeof r);
    pthread_mutex_init(&r.lock, NULL);
    r.site        = site;
    r.folds       = n;
    r.fold        = fold;
    r.a           = a;
    r.lines       = gi_reduced_last(a, p->marked);
    r.length      = 1;
    int64_t lines = 1;
    for (int d = 0; d < a->ndim; d++) r.reduced += p->marked[d];
    r.ndim = r.kept = a->ndim - r.reduced;
    for (int d = 0; d < a->ndim; d++) {
        if (d >= r.kept) r.length *= r.lines.shape[d];
        else lines *= r.shape[d] = r.lines.shape[d];
    }
    bool whole = false, places = false, ok = true;
    for (int k = 0; k < n && ok; k++) {
        gi_fold_sort sort = ((const gi_fold_plan *)fold[k]->plan)->sort;
        whole             = whole || sort == GI_FOLD_WHOLE;
        places            = places || sort == GI_FOLD_PLACE;
        fold[k]->value    = gi_array_new(site, fold[k]->dtype, GA_CPU, fold[k]->ndim, fold[k]->shape);
        to[k]             = fold[k]->value ? gi_kept_view(site, fold[k]->value, r.kept, r.shape) : NULL;
        ok                = to[k] != NULL;
    }
    r.to  = to;
    whole = whole || gi_is_complex(a->dtype); /* the variance of complex numbers is made of two */
    int64_t most, beside = gi_lines_beside(a, p->marked, &most);
    if (!whole && !places) r.rows = gi_rows_at_once(a, p, n, &beside);
    if (ok && lines > 0 && (r.length <= most || whole || r.rows > 0)) {
        for (int d = r.kept - 1; d >= 0; d--) {
            r.unit[d] = r.shape[d] < beside ? r.shape[d] : beside;
            beside /= r.unit[d];
            if (beside < 1) beside = 1;
        }
        memcpy(r.piece, r.unit, sizeof r.piece);
        if (r.rows == 0)
            gi_grow_units(r.kept, r.shape, r.unit, GI_GPU_BYTES / ga_itemsize(a->dtype) / (r.length > 0 ? r.length : 1));
        int64_t units = gi_box_count(r.kept, r.shape, r.unit);
        r.arrays      = n;
        if (whole && units < gi_compute_threads() && r.length > most) ok = gi_fold_run_whole_lines(&r);
        else gi_chunk_run_units(&r, units, gi_fold_run_lines);
    } else if (ok && lines > 0) {
        r.parts        = (r.length + GI_LONGEST_LINE - 1) / GI_LONGEST_LINE;
        r.beside       = gi_branches_beside(a, p->marked, n);
        int64_t last   = r.kept > 0 ? r.shape[r.kept - 1] : 1,
                units  = lines / last * ((last + r.beside - 1) / r.beside) * r.parts;
        size_t bytes   = (size_t)(n * units * r.beside) * sizeof(gi_fold_part);
        r.part         = (gi_fold_part *)gi_mem_alloc(site, bytes);
        r.record       = (char *)r.part;
        r.record_bytes = r.beside * (int64_t)sizeof *r.part;
        r.records      = n;
        ok             = r.part != NULL;
        if (ok) memset(r.part, 0, bytes); /* groups at the edge have fewer lines */
        if (ok) gi_chunk_run_units(&r, units, gi_fold_run_branches);
        if (ok && !r.failed) ok = gi_join_branches(&r, lines);
        if (r.part) gi_mem_release(r.part, bytes);
    }
    gi_array_free_all(n, to);
    return gi_chunk_run_ends(&r) && ok;
}
