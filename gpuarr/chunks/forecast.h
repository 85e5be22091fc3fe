/* ---- what it takes ------------------------------------------------------------------------------------------------------------- */

/* Bytes, foreseen before anything is computed. */
typedef struct gi_forecast {
    int64_t results, values; /* of the arrays in memory, and of the reductions that are kept meanwhile */
    int64_t unit;            /* of what is worked out at a time of all results */
    int64_t piece, shared;   /* at a time in one thread: and of what is kept there because it is needed again */
    int64_t threads;
    int64_t kept;   /* chunks of files, in case they are asked for again; given up where memory is short */
    bool    on_gpu; /* the pieces are those of a GPU, in its memory */
} gi_forecast;

/* Bytes of arrays that no machine holds are INT64_MAX. */
static int64_t gi_bytes_plus(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}
static int64_t gi_bytes_times(int64_t n, int64_t bytes)
{
    int64_t product;
    return __builtin_mul_overflow(n, bytes, &product) ? INT64_MAX : product;
}

static int64_t gi_forecast_windows(const gi_forecast *f)
{
    return gi_ranks->windows(f->unit, f->results > f->values ? f->results : f->values);
}

static int64_t gi_forecast_total(const gi_forecast *f)
{
    int64_t pieces = gi_bytes_times(f->threads, gi_bytes_plus(f->piece, f->shared));
    return gi_bytes_plus(gi_bytes_plus(f->results, f->values),
                         gi_bytes_plus(gi_bytes_plus(f->kept, pieces), gi_forecast_windows(f)));
}

static int64_t gi_chunk_elements(const ga_array *a)
{
    int64_t  n      = 1;
    ga_shape chunks = ga_chunks_of(a);
    for (int d = 0; d < chunks.ndim; d++) n *= chunks.n[d];
    return n;
}

/* How many elements of a layout are worked out at a time at most? */
static int64_t gi_piece_elements(const ga_array *a, bool on_gpu)
{
    const gi_lazy *n     = a->owner->node;
    int64_t        piece = (on_gpu ? GI_GPU_BYTES : GI_PIECE_BYTES) / ga_itemsize(n->dtype), chunk = gi_chunk_elements(a);
    if ((on_gpu || (!n->local && !n->value)) && chunk > piece) piece = chunk;
    return piece < a->size ? piece : a->size;
}

/* What reading from a packed file takes: bytes in a thread while a chunk is unpacked, and of chunks that are kept. */
static int64_t gi_foresee_unpacking(const gi_lazy *n, int64_t *kept)
{
    if (!n->kind->unpacking) return 0;
    int64_t all = ga_itemsize(n->dtype), most = GI_KEPT_BYTES, limit = ga_memory_stats().limit_bytes;
    if (limit > 0 && limit / 4 < most) most = limit / 4;
    for (int d = 0; d < n->ndim; d++)
        all = n->shape[d] > 0 ? gi_bytes_times(all, gi_bytes_times((n->shape[d] - 1) / n->chunk[d] + 1, n->chunk[d])) : 0;
    *kept = gi_bytes_plus(*kept, all);
    if (*kept > most) *kept = most;
    return n->kind->unpacking(n);
}

static gi_chain gi_foreseen; /* of one node at a time; under gi_computing.busy */

/* The most bytes that lie about while `elements` elements of a node are worked out, with them. Reductions below it have their own. */
static int64_t gi_foresee(gi_forecast *f, gi_lazy *n, int64_t elements)
{
    int64_t bytes = gi_bytes_times(elements, ga_itemsize(n->dtype)), held = 0, most = 0, tiles = 0;
    bool    over = false; /* may an input be written over? */
    if (n->value) return f->on_gpu ? bytes : 0;
    if (n->mark == gi_computing.mark) return gi_comes_first(n) && !f->on_gpu ? 0 : bytes;
    n->mark = gi_computing.mark;
    if (gi_comes_first(n) && n->kind != gi_kind_fold()) {
        f->values = gi_bytes_plus(f->values, gi_shape_size(n->ndim, n->shape) * ga_itemsize(n->dtype));
        for (int k = 0; k < n->inputs; k++) {
            if (!gi_is_deferred(n->in[k])) continue;
            int64_t at_once = gi_piece_elements(n->in[k], f->on_gpu), size = ga_itemsize(n->in[k]->dtype);
            int64_t need = gi_bytes_plus(gi_foresee(f, n->in[k]->owner->node, at_once), gi_bytes_times(at_once, size));
            if (need > f->piece) f->piece = need;
            if (n->kind == gi_kind_whole()) f->values = gi_bytes_plus(f->values, n->in[k]->size * size);
        }
        return 0;
    }
    if (n->kind == gi_kind_fold()) {
        f->values = gi_bytes_plus(f->values, gi_shape_size(n->ndim, n->shape) * ga_itemsize(n->dtype));
        if (!gi_is_deferred(n->in[0])) return 0;
        gi_lazy *below   = n->in[0]->owner->node;
        int64_t  at_once = gi_piece_elements(n->in[0], f->on_gpu), length = 1, longest,
                wide = gi_lines_beside(n->in[0], ((const gi_fold_plan *)n->plan)->marked, &longest);
        for (int d = 0; d < n->in[0]->ndim; d++) length *= ((const gi_fold_plan *)n->plan)->marked[d] ? n->in[0]->shape[d] : 1;
        int64_t need = 0, rows = gi_rows_at_once(n->in[0], (const gi_fold_plan *)n->plan, 1, &wide);
        if (length <= longest || rows > 0)
            need = gi_bytes_times(wide, (gi_row_slots(length, rows > 0 ? rows : GI_BLOCK) + 1) * GI_SLOT_BYTES);
        if (rows > 0) {
            longest = length;
            if (length > rows) length = rows;
        }
        if (length <= longest && gi_bytes_times(wide, length) > at_once) at_once = gi_bytes_times(wide, length);
        if (length > longest) {
            int64_t beside = gi_branches_beside(n->in[0], ((const gi_fold_plan *)n->plan)->marked, 1);
            need           = beside * (int64_t)(GI_BRANCH_BYTES + sizeof(gi_branch));
            if (beside * GI_BLOCK > at_once) at_once = beside * GI_BLOCK;
        }
        int64_t packed = length > longest && need > 0 ? 2 : 1; /* of lines that lie across also a copy, each side by side */
        need           = gi_bytes_plus(need, gi_foresee(f, below, at_once));
        need           = gi_bytes_plus(need, gi_bytes_times(at_once, packed * ga_itemsize(below->dtype)));
        if (need > f->piece) f->piece = need;
        return 0;
    }
    const ga_array *const *in     = (const ga_array *const *)n->in, *leaf[GI_CHAIN_LEAVES];
    int                    inputs = n->inputs;
    if (n->kind == gi_kind_map() && !f->on_gpu && gi_find_chain(&gi_foreseen, n)) {
        inputs = 0;
        tiles  = (int64_t)sizeof(gi_chain) + (gi_foreseen.links + gi_foreseen.leaves) * (GI_CHAIN_TILE + GI_CHAIN_BEHIND);
        for (int i = 0; i < gi_foreseen.links - 1; i++) *gi_foreseen.link[i].mark = gi_computing.mark;
        for (int i = 0; i < gi_foreseen.leaves; i++)
            if (gi_foreseen.leaf[i].of) leaf[inputs++] = gi_foreseen.leaf[i].of;
        in = leaf;
    }
    for (int k = 0; k < inputs; k++) {
        if (!gi_is_deferred(in[k])) { /* copied to the GPU */
            if (f->on_gpu)
                held = gi_bytes_plus(held, (elements < in[k]->size ? elements : in[k]->size) * ga_itemsize(in[k]->dtype));
            continue;
        }
        gi_lazy *below = in[k]->owner->node;
        int64_t  part  = elements;
        if (below->value) { /* the same */
            if (f->on_gpu)
                held = gi_bytes_plus(held, (elements < in[k]->size ? elements : in[k]->size) * ga_itemsize(below->dtype));
            continue;
        }
        if (gi_is_repeated(n, in[k]))
            f->values = gi_bytes_plus(f->values, gi_shape_size(below->ndim, below->shape) * ga_itemsize(below->dtype));
        if (n->kind == gi_kind_call() && gi_shape_size(n->ndim, n->shape) > 0) {
            gi_box box = gi_box_number(n->ndim, n->shape, n->chunk, 0), needed;
            ((const gi_further *)n->plan)->needs(n, k, &box, &needed);
            part = gi_shape_size(in[k]->ndim, needed.count);
        }
        if (part > in[k]->size) part = in[k]->size;
        bool    in_turn = n->kind == gi_kind_join(); /* its inputs are pulled one after the other, into its place */
        int64_t need    = gi_bytes_plus(gi_foresee(f, below, part), in_turn ? bytes : 0);
        if (gi_bytes_plus(held, need) > most) most = gi_bytes_plus(held, need);
        if (in_turn) continue;
        if (f->on_gpu || !gi_comes_first(below)) held = gi_bytes_plus(held, gi_bytes_times(part, ga_itemsize(below->dtype)));
        over = over || ((n->kind->is & GI_SPREAD) && part == elements && below->dtype == n->dtype &&
                        __atomic_load_n(&below->uses, __ATOMIC_RELAXED) == 1);
    }
    if (n->inputs == 0 && !f->on_gpu) held = gi_bytes_plus(held, gi_foresee_unpacking(n, &f->kept));
    if (n->kind == gi_kind_call() && !f->on_gpu)
        held = gi_bytes_plus(held, gi_bytes_plus(bytes, GI_CALL_SPARE)); /* what the call itself needs: about as much again */
    held = gi_bytes_plus(held, over ? 0 : bytes);
    if (held > most) most = held;
    if (__atomic_load_n(&n->uses, __ATOMIC_RELAXED) > 1) f->shared = gi_bytes_plus(f->shared, bytes);
    return gi_bytes_plus(most, tiles);
}

/* What the arrays need on the CPU. Where GPUs help, and the memory of the CPU or of a GPU does not suffice for that, they take smaller
   pieces. on_gpu: what one of them would need in its memory. */
static gi_forecast gi_forecast_of(int n, const ga_array *const *arrays, bool on_gpu)
{
    gi_forecast f;
    memset(&f, 0, sizeof f);
    if (!gi_computing_take(n > 0 ? arrays[0]->owner->node->site : NULL)) return f;
    gi_computing.mark++;
    f.threads = ga_get_num_threads();
    f.on_gpu  = on_gpu;
    gi_count_results(n, arrays, 1);
    for (int k = 0; k < n; k++) {
        f.results    = gi_bytes_plus(f.results, arrays[k]->size * ga_itemsize(arrays[k]->dtype));
        f.unit       = gi_bytes_plus(f.unit, gi_bytes_times(gi_chunk_elements(arrays[k]), ga_itemsize(arrays[k]->dtype)));
        int64_t need = gi_foresee(&f, arrays[k]->owner->node, gi_piece_elements(arrays[k], on_gpu));
        if (need > f.piece) f.piece = need;
    }
    gi_count_results(n, arrays, -1);
    gi_computing_give();
    return f;
}

/* The number behind a word in a small file of the system; -1: not there. An empty word: the file begins with the number. */
static int64_t gi_system_number(const char *path, const char *word)
{
    char    line[256];
    int64_t r = -1;
    FILE   *f = fopen(path, "r");
    while (f && r < 0 && fgets(line, sizeof line, f)) {
        size_t length = strlen(word);
        if (strncmp(line, word, length) == 0 && line[length + strspn(line + length, " ")] >= '0' &&
            line[length + strspn(line + length, " ")] <= '9')
            r = strtoll(line + length, NULL, 10);
    }
    if (f) fclose(f);
    return r;
}

/* What a control group leaves of its limit; INT64_MAX: it has none. If that is not what is wanted: also the pages of files that it
   counts, since they are given up when memory is needed. */
static int64_t gi_group_left(const char *folder, bool second, int64_t wanted)
{
    static const char *const names[2][4] = { { "limit_in_bytes", "usage_in_bytes", "total_inactive_file", "total_active_file" },
                                             { "max", "current", "inactive_file", "active_file" } };
    const char *const       *name        = names[second];
    char                     path[4400];
    int64_t                  number[2];
    for (int k = 0; k < 2; k++) {
        snprintf(path, sizeof path, "%s/memory.%s", folder, name[k]);
        number[k] = gi_system_number(path, "");
        if (number[k] < 0) return INT64_MAX;
    }
    int64_t left = number[0] - number[1];
    snprintf(path, sizeof path, "%s/memory.stat", folder);
    for (int k = 2; k < 4 && left < wanted; k++) {
        int64_t pages = gi_system_number(path, name[k]);
        left += pages > 0 ? pages : 0;
    }
    return left;
}

/* The least that the control groups of this process leave, its own and those around it (version 2, "0::/a/b", and 1, "4:memory:/a"). */
static int64_t gi_groups_left(int64_t wanted)
{
    char    line[4200], folder[4300];
    int64_t least = INT64_MAX;
    FILE   *f     = fopen("/proc/self/cgroup", "r");
    while (f && fgets(line, sizeof line, f)) {
        char *kind = strchr(line, ':'), *path = kind ? strchr(kind + 1, ':') : NULL;
        if (!path) continue;
        *path++                   = 0;
        path[strcspn(path, "\n")] = 0;
        const bool second         = kind[1] == 0;
        if (!second && !strstr(kind, "memory")) continue;
        if (strncmp(path, "/..", 3) == 0) *path = 0; /* the group lies outside what we see */
        for (char *end = path + strlen(path); end; end = strrchr(path, '/')) {
            *end = 0;
            snprintf(folder, sizeof folder, "/sys/fs/cgroup%s%s", second ? "" : "/memory", path);
            int64_t left = gi_group_left(folder, second, wanted);
            if (left < least) least = left;
        }
    }
    if (f) fclose(f);
    return least;
}

/* How many bytes may still be asked for, when so many are wanted: of ga_memory_limit, else of what the system and the control groups of
   the process have left. */
static int64_t gi_forecast_memory_left(int64_t *limit, int64_t wanted)
{
    ga_memory m = ga_memory_stats();
    *limit      = m.limit_bytes;
    if (m.limit_bytes > 0) return m.limit_bytes - m.used_bytes;
    if (wanted <= 1 << 20) return wanted; /* asking would take longer than the work */
    int64_t kept = m.total_bytes - m.used_bytes, left = gi_system_number("/proc/meminfo", "MemAvailable:"),
            of_groups = gi_groups_left(wanted);
    left              = left < 0 ? INT64_MAX / 2 : left * 1024;
    return (of_groups < left ? of_groups : left) + kept;
}

/* Is there memory for all that? False with an error, before any work. */
static bool gi_forecast_has_room(const char *site, const gi_forecast *f)
{
    int64_t limit, total = gi_forecast_total(f) - f->kept, left = gi_forecast_memory_left(&limit, total),
                   windows = gi_forecast_windows(f);
    if (total <= left) return true;
    gi_fail(
        site, GA_NO_MEMORY,
        "this needs about %s of memory (%s for results, %s for reductions, %lld times %s for pieces%s%s), and %s are left%s%s: "
        "compute a part of it or a reduction, use smaller chunks or fewer threads",
        gi_bytes_text(total), gi_bytes_text(f->results), gi_bytes_text(f->values), (long long)f->threads,
        gi_bytes_text(gi_bytes_plus(f->piece, f->shared)), windows > 0 ? ", to give them to other ranks " : "",
        windows > 0 ? gi_bytes_text(windows) : "", gi_bytes_text(left), limit > 0 ? " of ga_memory_limit's " : "",
        limit > 0 ? gi_bytes_text(limit) : "");
    return false;
}

bool(ga_compute_n)(int n, const ga_array *const *arrays, ga_array **results, const char *site)
{
    if (n < 0 || (n > 0 && (!arrays || !results)))
        return gi_fail(site, GA_BAD_ARGUMENT, "%d arrays: give as many pointers, and room for as many results", n) != NULL;
    for (int k = 0; k < n; k++) results[k] = NULL;
    for (int k = 0; k < n; k++)
        if (!gi_array_check_half_any(site, arrays[k], "an array")) return gi_compute_cannot_begin(site);
    size_t bytes = (size_t)(2 * n + 1) * sizeof(void *);
    if (gi_compute_is_inside(site)) return false;
    const ga_array **chunked = (const ga_array **)gi_mem_alloc(site, bytes);
    if (!chunked) return gi_compute_cannot_begin(site);
    ga_array **to = (ga_array **)(void *)(chunked + n);
    int        m  = 0, to_compute;
    for (int k = 0; k < n; k++)
        if (gi_is_deferred(arrays[k])) chunked[m++] = arrays[k];
    gi_forecast f  = gi_forecast_of(m, chunked, false);
    bool        ok = gi_forecast_has_room(site, &f);
    to_compute     = m;
    m              = 0;
    for (int k = 0; k < n && ok; k++) {
        bool is = gi_is_deferred(arrays[k]);
        results[k] =
            is ? gi_array_new(site, arrays[k]->dtype, GA_CPU, arrays[k]->ndim, arrays[k]->shape) : (ga_view)(arrays[k], site);
        ok = results[k] != NULL;
        if (!is) continue;
        chunked[m] = arrays[k];
        to[m++]    = results[k];
    }
    if (to_compute > 0) ok = gi_compute_into(site, ok, m, chunked, to);
    gi_mem_release(chunked, bytes);
    for (int k = 0; k < n && !ok; k++) {
        ga_free(results[k]);
        results[k] = NULL;
    }
    return ok;
}

bool ga_is_chunked(const ga_array *a) { return gi_array_is_there("\tga_is_chunked", a) && gi_is_deferred(a); }

ga_shape ga_chunks_of(const ga_array *a)
{
    ga_shape r;
    memset(&r, 0, sizeof r);
    if (!gi_array_is_there("\tga_chunks_of", a)) return r;
    r.ndim = a->ndim;
    for (int v = 0; v < a->ndim; v++) r.n[v] = a->shape[v] > 0 ? a->shape[v] : 1;
    if (!gi_is_deferred(a)) return r;
    const gi_lazy *n = a->owner->node;
    gi_layout      l = gi_layout_of(a);
    gi_box         box;
    int            axis[GPUARR_MAX_DIMS];
    bool           plain = a->size > 0 && gi_box_of(n, &l, &box, axis);
    for (int v = 0; v < a->ndim; v++) {
        int64_t chunk = plain && axis[v] >= 0 ? (n->chunk[axis[v]] + box.step[axis[v]] - 1) / box.step[axis[v]] : 0;
        r.n[v]        = chunk > a->shape[v] ? a->shape[v] : chunk;
    }
    gi_chunk_fill_lengths(a->ndim, a->shape, ga_itemsize(a->dtype), r.n);
    return r;
}

/* Does computing the node read memory that `out` shares? */
static bool gi_reads_memory_of(gi_lazy *n, const ga_array *out)
{
    if (n->value) return gi_arrays_overlap(n->value, out);
    if (n->mark == gi_computing.mark) return false;
    n->mark = gi_computing.mark;
    for (int k = 0; k < n->inputs; k++)
        if (gi_is_deferred(n->in[k]) ? gi_reads_memory_of(n->in[k]->owner->node, out) : gi_arrays_overlap(n->in[k], out))
            return true;
    return false;
}

ga_array *(ga_compute)(const ga_array *a, ga_compute_options o)
{
    bool ok = gi_options_compute(&o) && gi_array_check_half_any(o.site, a, "a");
    ok      = ok && (!o.out || (gi_array_check_half(o.site, o.out, ".out") && gi_copy_fits_into(o.site, a, GA_CPU, o.out)));
    if (ok && !gi_is_deferred(a)) return !o.out ? (ga_view)(a, o.site) : gi_copy_assign(o.site, o.out, a) ? o.out : NULL;
    if (!ok) gi_compute_cannot_begin(o.site);
    if (!ok || gi_compute_is_inside(o.site)) return NULL;
    ga_array *result = o.out;
    if (result && gi_computing_take(o.site)) {
        gi_computing.mark++;
        if (gi_reads_memory_of(a->owner->node, o.out)) result = NULL; /* not over what is still to be read */
        gi_computing_give();
    }
    if (!result) {
        gi_forecast f = gi_forecast_of(1, &a, false);
        if (gi_forecast_has_room(o.site, &f)) result = gi_array_new(o.site, a->dtype, GA_CPU, a->ndim, a->shape);
    }
    ok = gi_compute_into(o.site, result != NULL, 1, &a, &result);
    if (ok && (!o.out || result == o.out)) return result;
    ok = ok && gi_copy_assign(o.site, o.out, result);
    if (result != o.out) ga_free(result);
    return ok ? o.out : NULL;
}

/* A chunked array has no elements to be printed: its shape, dtype and chunks, and what computing it takes. */
static char *gi_chunked_text(const char *site, const ga_array *a)
{
    enum { ROOM = 400 + 50 * GPUARR_MAX_DIMS };
    ga_shape chunks = ga_chunks_of(a);
    char    *text = (char *)malloc(ROOM), gpus[100] = "";
    if (!text) return (char *)gi_fail(site, GA_NO_MEMORY, "no memory for the text");
    int used = snprintf(text, ROOM, "<chunked %s %s, %lld chunk%s of %s", ga_dtype_name(a->dtype), gi_shape_of(a),
                        (long long)gi_box_count(a->ndim, a->shape, chunks.n),
                        gi_box_count(a->ndim, a->shape, chunks.n) == 1 ? "" : "s", gi_shape_text(chunks.ndim, chunks.n));
    if (gi_is_inside_run()) { /* nothing can be foreseen in the middle of computing */
        snprintf(text + used, (size_t)(ROOM - used), ">");
        return text;
    }
    gi_forecast f = gi_forecast_of(1, &a, false);
    if (ga_get_num_gpus() > 0) {
        gi_forecast there = gi_forecast_of(1, &a, true);
        f.values          = gi_bytes_plus(
                     f.values,
                     gi_bytes_times(ga_get_num_gpus(),
                                    gi_bytes_plus(there.piece, there.shared))); /* what goes there, and comes back, lies here too */
        snprintf(gpus, sizeof gpus, ", and %s on each of %d GPU%s", gi_bytes_text(gi_bytes_plus(there.piece, there.shared)),
                 ga_get_num_gpus(), ga_get_num_gpus() == 1 ? "" : "s");
    }
    snprintf(text + used, (size_t)(ROOM - used), ", %s; computing it takes about %s more%s>", gi_bytes_text(f.results),
             gi_bytes_text(gi_forecast_total(&f) - f.results), gpus);
    return text;
}
