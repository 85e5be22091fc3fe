/* ---- and are filled ---- */

typedef struct gi_storing {
    gi_computation run; /* of the units, all alike */
    int            sinks;
    gi_sink       *sink[GI_SINKS_AT_ONCE];
} gi_storing;

#define GI_SYNC_BYTES ((int64_t)1 << 17) /* runs of at least so many are handed to the disk at once */

/* Writes the packed elements of a box to where they belong in an .npy file. */
static bool gi_put_npy(const char *site, const gi_sink *s, const gi_box *box, const ga_array *x)
{
    const ga_array *a   = s->a;
    int64_t         run = ga_itemsize(a->dtype), times = 1, strides[GPUARR_MAX_DIMS];
    int             d = a->ndim - 1;
    gi_shape_c_strides(a->dtype, a->ndim, a->shape, strides);
    for (; d > 0 && box->count[d] == a->shape[d]; d--) run *= box->count[d]; /* whole rows lie side by side */
    if (d >= 0) run *= box->count[d];
    for (int k = 0; k < d; k++) times *= box->count[k];
    for (int64_t i = 0; i < times; i++) {
        int64_t at = s->at, rest = i;
        for (int k = a->ndim - 1; k >= 0; k--) {
            at += box->start[k] * strides[k];
            if (k >= d) continue;
            at += rest % box->count[k] * strides[k];
            rest /= box->count[k];
        }
        errno = 0;
        if (!gi_pwrite(s->to.fd, at, (const char *)x->data + i * run, (size_t)run))
            return gi_file_fail(site, errno, "cannot write bytes %lld to %lld of '%s'", (long long)at, (long long)(at + run),
                                s->to.part) != NULL;
        if (run >= GI_SYNC_BYTES) gi_file_begin_sync(s->to.fd, at, run);
    }
    return true;
}

static bool gi_put_zarr(const char *site, const gi_sink *s, const gi_box *box, const ga_array *chunk)
{
    char    key[GI_KEY_ROOM];
    int64_t index[GPUARR_MAX_DIMS];
    for (int d = 0; d < s->a->ndim; d++) index[d] = box->start[d] / s->unit[d];
    gi_chunk_key(s->a->ndim, index, '.', key);
    int64_t     n = chunk->size * ga_itemsize(chunk->dtype), room = s->codec == GI_CODEC_NONE ? 0 : gi_packed_bound(n);
    const void *from   = chunk->data;
    void       *packed = room > 0 ? gi_mem_alloc(site, (size_t)room) : NULL;
    if (room > 0) {
        n = packed ? gi_pack_bytes(site, s->codec, s->level, from, n, packed) : -1;
        if (n < 0) {
            if (packed) gi_mem_release(packed, (size_t)room);
            return false;
        }
        from = packed;
    }
    errno      = 0;
    int  fd    = openat(s->to.fd, key, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
    bool wrote = fd >= 0 && gi_pwrite(fd, 0, from, (size_t)n) && (!s->resume || (gi_file_sync(fd) && gi_file_sync(s->to.fd)));
    int  error = errno;
    if (packed) gi_mem_release(packed, (size_t)room);
    if (fd >= 0 && close(fd) != 0 && wrote) {
        wrote = false;
        error = errno;
    }
    if (!wrote) gi_file_fail(site, error, "cannot write chunk '%s' of '%s'", key, s->to.part);
    return wrote;
}

/* Works out one piece, into its chunk (Zarr) or into the file. */
static bool gi_store_piece(const char *site, gi_worker *w, const gi_sink *s, const gi_box *unit, const gi_box *piece,
                           ga_array *chunk)
{
    gi_layout all = gi_layout_of(s->a), l = gi_layout_part(&all, piece);
    for (int d = 0; d < l.ndim; d++) l.shape[d] = piece->count[d];
    if (!chunk) {
        ga_array *x = gi_pull(w, s->a, &l, NULL), *c = x ? gi_copy_on_cpu(site, x) : NULL;
        bool      ok = c && gi_put_npy(site, s, piece, c);
        ga_free(x);
        ga_free(c);
        return ok;
    }
    gi_layout place = gi_layout_of(chunk);
    for (int d = 0; d < place.ndim; d++) {
        place.data += (piece->start[d] - unit->start[d]) * place.strides[d];
        place.shape[d] = piece->count[d];
    }
    ga_array *out = gi_view_with(site, chunk, &place);
    bool      ok  = out && gi_pull_into(site, out, gi_pull(w, s->a, &l, w->device == GA_CPU ? out : NULL));
    ga_free(out);
    return ok;
}

typedef struct gi_storing_unit {
    gi_storing *t;
    int64_t     number;
    gi_box      whole;
    ga_array   *chunk[GI_SINKS_AT_ONCE];
} gi_storing_unit;

static bool gi_store_box(gi_computation *r, gi_worker *w, const gi_box *box, void *job)
{
    gi_storing_unit *u  = (gi_storing_unit *)job;
    bool             ok = true;
    for (int k = 0; k < u->t->sinks && ok; k++)
        if (!u->t->sink[k]->done[u->number]) ok = gi_store_piece(r->site, w, u->t->sink[k], &u->whole, box, u->chunk[k]);
    return ok;
}

/* Writes down that a unit is done, if this is the rank that does. */
static bool gi_unit_written(gi_computation *r, int64_t unit)
{
    const gi_storing *t = (const gi_storing *)(void *)r;
    char              line[32];
    int               n = snprintf(line, sizeof line, "%lld\n", (long long)unit);
    for (int k = 0; k < t->sinks; k++) {
        errno = ENOSPC; /* of less than all */
        if (!t->sink[k]->done[unit] && t->sink[k]->journal >= 0 && write(t->sink[k]->journal, line, (size_t)n) != n)
            return gi_file_fail(r->site, errno, "cannot write '%s'", t->sink[k]->log) != NULL;
    }
    return true;
}

/* Works out a unit of all files that lack it. */
static bool gi_store_unit(gi_storing *t, int64_t number, double start)
{
    gi_computation *r = &t->run;
    gi_worker       w = gi_worker_new();
    gi_storing_unit u;
    memset(&u, 0, sizeof u);
    u.t              = t;
    u.number         = number;
    u.whole          = gi_box_number(r->ndim, r->shape, r->unit, number);
    ga_array **chunk = u.chunk;
    bool       ok    = true;
    for (int k = 0; k < t->sinks && ok; k++) {
        if (!t->sink[k]->zarr || t->sink[k]->done[number]) continue;
        chunk[k] = gi_array_new(r->site, t->sink[k]->a->dtype, GA_CPU, r->ndim, r->unit);
        ok       = chunk[k] && (gi_shape_equal(r->ndim, r->unit, r->ndim, u.whole.count) || gi_array_clear(r->site, chunk[k]));
    }
    ok = ok && gi_chunk_do_box(r, &w, r->ndim, r->piece, &u.whole, gi_store_box, &u);
    for (int k = 0; k < t->sinks; k++) {
        gi_sink *s = t->sink[k];
        if (ok && chunk[k]) ok = gi_put_zarr(r->site, s, &u.whole, chunk[k]);
        else if (ok && s->resume && !gi_file_sync(s->to.fd)) /* the journal must not say more than is on the disk */
            ok = gi_file_fail(r->site, errno, "cannot write all of '%s'", s->to.part) != NULL;
        ga_free(chunk[k]);
    }
    ok = ok && gi_unit_written(r, number) && gi_watch_unit_done(r, number, start);
    if (!ok) gi_chunk_run_failed(r, r->ndim, &u.whole);
    return ok;
}

static void gi_store_run(int64_t begin, int64_t end, void *job)
{
    gi_storing     *t = (gi_storing *)job;
    gi_thread_state aside;
    gi_thread_put_aside(&aside);
    for (int64_t unit = begin; unit < end && !__atomic_load_n(&t->run.failed, __ATOMIC_RELAXED); unit++) {
        bool lacking = false;
        for (int k = 0; k < t->sinks; k++) lacking = lacking || !t->sink[k]->done[unit];
        double start = ga_now();
        if (!lacking) __atomic_add_fetch(&t->run.done, 1, __ATOMIC_RELAXED);
        else if (!gi_store_unit(t, unit, start)) break;
    }
    gi_thread_take_back(&aside);
}

/* Fills files of one shape in the same units. */
static bool gi_fill_sinks(const char *site, int n, gi_sink *const *sinks)
{
    gi_storing      t;
    gi_computation *r = &t.run;
    memset(&t, 0, sizeof t);
    pthread_mutex_init(&r->lock, NULL);
    r->site       = site;
    r->ndim       = sinks[0]->a->ndim;
    t.sinks       = n;
    int64_t piece = GI_PIECE_BYTES;
    bool    local = true;
    for (int k = 0; k < n; k++) {
        const gi_lazy *node = sinks[k]->a->owner->node;
        t.sink[k]           = sinks[k];
        local               = local && (node->local || node->value);
    }
    piece /= ga_itemsize(sinks[0]->a->dtype);
    for (int d = r->ndim - 1; d >= 0; d--) {
        r->shape[d] = sinks[0]->a->shape[d];
        r->unit[d]  = sinks[0]->unit[d];
        r->piece[d] = !local || r->unit[d] <= piece ? r->unit[d] : piece;
        piece /= r->piece[d];
        if (piece < 1) piece = 1;
    }
    r->written = gi_unit_written;
    gi_chunk_run_units(r, sinks[0]->units, gi_store_run);
    return gi_chunk_run_ends(r);
}

/* The units of a file for s->a. False with an error. */
static bool gi_divide_sink(const char *site, gi_sink *s)
{
    ga_shape chunks = ga_chunks_of(s->a);
    for (int d = 0; d < s->a->ndim; d++) s->unit[d] = chunks.n[d] > 0 ? chunks.n[d] : 1;
    if (!s->zarr) gi_npy_unit(s->a->owner->node, s);
    s->units = s->left = s->a->size > 0 ? gi_box_count(s->a->ndim, s->a->shape, s->unit) : 0;
    s->done            = (unsigned char *)gi_mem_alloc(site, (size_t)s->units);
    if (s->done) memset(s->done, 0, (size_t)s->units);
    return s->done != NULL;
}

/* Which compressor is asked for? False with an error. */
static bool gi_plan_packing(const ga_store_options *o, gi_sink *s)
{
    const char *name = o->compressor;
    if (o->level != -1 && !name)
        return gi_fail(o->site, GA_BAD_ARGUMENT, ".level is of a compressor: say .compressor = \"zlib\" or \"gzip\" too") !=
               NULL;
    if (!name) return true;
    if (!s->zarr)
        return gi_fail(o->site, GA_BAD_ARGUMENT, "an .npy file is never packed: leave .compressor out, or store as Zarr") !=
               NULL;
    s->codec = !strcmp(name, "zlib") ? GI_CODEC_ZLIB : !strcmp(name, "gzip") ? GI_CODEC_GZIP : GI_CODEC_NONE;
    if (s->codec == GI_CODEC_NONE)
        return gi_fail(o->site, GA_BAD_ARGUMENT, "there is no compressor '%.40s': use \"zlib\" or \"gzip\"", name) != NULL;
    if (o->level != -1 && (o->level < 1 || o->level > 9))
        return gi_fail(o->site, GA_BAD_ARGUMENT, "level %d: give 1 (fast) to 9 (small)", o->level) != NULL;
    s->level = o->level != -1 ? o->level : 1;
    char nothing[64]; /* is there the library at all? */
    return gi_pack_bytes(o->site, s->codec, s->level, "", 0, nothing) >= 0;
}

/* Path, format, chunks; nothing is written yet. False with an error. */
static bool gi_plan_sink(const ga_store_options *o, const ga_array *a, const char *path, gi_sink *s)
{
    struct stat about;
    s->path  = path;
    s->to.fd = s->journal = -1;
    s->resume             = o->resume;
    if (!gi_array_check_half_any(o->site, a, "the array") || !gi_npy_holds(o->site, a)) return false;
    if (a->device != GA_CPU) return gi_fail(o->site, GA_BAD_DEVICE, "the array is on the GPU: ga_to(a, GA_CPU) first") != NULL;
    if (!path) return gi_fail(o->site, GA_BAD_ARGUMENT, "the path is NULL") != NULL;
    if (!*path) return gi_file_fail(o->site, ENOENT, "cannot write ''") != NULL;
    if (path[strlen(path) - 1] == '/')
        return gi_fail(o->site, GA_BAD_ARGUMENT, "the path '%s' ends in '/': leave that out", path) != NULL;
    s->zarr = gi_ends_with(path, ".zarr");
    if (o->format && strcmp(o->format, "npy") != 0 && strcmp(o->format, "zarr") != 0)
        return gi_fail(o->site, GA_BAD_ARGUMENT, "there is no format '%.40s': use \"npy\" or \"zarr\"", o->format) != NULL;
    if (o->format) s->zarr = !strcmp(o->format, "zarr");
    else if (!s->zarr && !gi_ends_with(path, ".npy"))
        return gi_fail(o->site, GA_BAD_ARGUMENT, "'%s' ends neither in .npy nor in .zarr: say .format = \"npy\" or \"zarr\"",
                       path) != NULL;
    if (!gi_plan_packing(o, s)) return false;
    if (!gi_file_find(&s->to, path))
        return gi_fail(o->site, gi_file_status(s->to.error), "cannot write '%s': %s", path, s->to.why) != NULL;
    if (snprintf(s->log, sizeof s->log, "%s.gpuarr.journal", s->to.path) >= (int)sizeof s->log ||
        snprintf(s->old, sizeof s->old, "%s.gpuarr.old", s->to.path) >= (int)sizeof s->old)
        return gi_file_fail(o->site, ENAMETOOLONG, "cannot write '%.60s...'", path) != NULL;
    if (s->zarr) gi_folder_recover(&s->to, s->old);
    if (s->zarr && lstat(s->old, &about) == 0 && !(S_ISDIR(about.st_mode) && gi_folder_is_zarr(s->old)))
        return gi_fail(o->site, GA_NO_FILE, "'%s' is in the way, and gpuarr did not make it: remove it", s->old) != NULL;
    if (stat(s->to.path, &about) == 0) {
        bool folder = S_ISDIR(about.st_mode);
        char inner[GI_PATH_ROOM + 16];
        snprintf(inner, sizeof inner, "%s/.zarray", s->to.path);
        if (!folder && !S_ISREG(about.st_mode))
            return gi_fail(o->site, GA_NO_FILE, "cannot write '%s': it is no ordinary file", path) != NULL;
        if (folder != s->zarr)
            return gi_fail(o->site, GA_NO_FILE, "cannot write '%s': there is a %s of that name already", path,
                           folder ? "folder" : "file") != NULL;
        if (folder && (!o->overwrite || stat(inner, &about) != 0))
            return gi_fail(o->site, GA_NO_FILE, "'%s' is there already: %s", path,
                           o->overwrite ? "it is no Zarr array, so remove it yourself" : ".overwrite = true replaces it") !=
                   NULL;
    }
    s->a = !gi_is_deferred(a) || o->chunks.ndim != 0 ? (ga_chunked)(a, o->chunks, o->site) : gi_array_hold(o->site, a);
    if (!s->a) return false;
    return gi_divide_sink(o->site, s);
}

/* Is there memory for what lies about meanwhile? False with an error. */
static bool gi_has_store_room(const char *site, int n, const gi_sink *sinks, const ga_array *const *arrays)
{
    gi_forecast f = gi_forecast_of(n, arrays, false);
    f.results     = 0;
    for (int k = 0; k < n; k++) {
        int64_t bytes = ga_itemsize(arrays[k]->dtype);
        for (int d = 0; d < arrays[k]->ndim; d++) bytes = gi_bytes_times(bytes, sinks[k].unit[d]);
        if (sinks[k].zarr) f.piece = gi_bytes_plus(f.piece, bytes);
        if (sinks[k].codec != GI_CODEC_NONE) f.piece = gi_bytes_plus(f.piece, gi_packed_bound(bytes));
    }
    return gi_forecast_has_room(site, &f);
}

/* Fills all files; those of one shape and in the same units together. */
static bool gi_fill_all(const char *site, int n, gi_sink *sinks, const ga_array **arrays)
{
    gi_folds f    = { site, NULL, 0, 0 };
    int64_t  left = 0;
    bool     ok   = true;
    for (int k = 0; k < n; k++) left += sinks[k].left;
    if (left > 0) ok = gi_compute_folds(&f, n, arrays);
    for (int first = 0; first < n && ok && left > 0; first++) {
        gi_sink *group[GI_SINKS_AT_ONCE];
        int      m = 0;
        for (int k = first; k < n && m < GI_SINKS_AT_ONCE; k++) {
            const ga_array *a = sinks[k].a, *b = sinks[first].a;
            if (sinks[k].left == 0 || !gi_shape_equal(a->ndim, a->shape, b->ndim, b->shape) ||
                !gi_shape_equal(a->ndim, sinks[k].unit, b->ndim, sinks[first].unit))
                continue;
            group[m++] = &sinks[k];
        }
        if (m == 0 || sinks[first].left == 0) continue;
        ok = gi_fill_sinks(site, m, group);
        for (int k = 0; k < m && ok; k++) group[k]->left = 0;
    }
    gi_compute_drop_folds(&f);
    return ok;
}

/* The first rank makes the files, or finds what there is of them; the others open them then. */
static bool gi_begin_sinks(const char *site, int n, gi_sink *sinks)
{
    bool ok = true;
    if (ga_rank() == 0) {
        gi_computing.mark++; /* for the fingerprints */
        for (int k = 0; k < n && ok; k++)
            ok = gi_begin_sink(site, &sinks[k], sinks[k].resume ? gi_print_array(0, sinks[k].a) : 0);
    }
    ok = gi_ranks_agree(site, ok);
    if (!ok || ga_ranks() == 1) return ok;
    for (int k = 0; k < n && ok && ga_rank() > 0; k++) ok = gi_join_sink(site, &sinks[k]);
    ok = gi_ranks_agree(site, ok);
    for (int k = 0; k < n && ok; k++) {
        gi_ranks->from_first(site, sinks[k].done, sinks[k].units);
        gi_ranks->from_first(site, &sinks[k].left, sizeof sinks[k].left);
    }
    return ok;
}

/* The first rank gives the files their names when all have written theirs. */
static bool gi_end_sinks(const char *site, int n, gi_sink *sinks, bool ok)
{
    for (int k = 0; k < n && ga_rank() > 0; k++) ok = gi_leave_sink(site, &sinks[k], ok);
    ok = gi_ranks_agree(site, ok);
    for (int k = 0; k < n && ga_rank() == 0; k++) ok = gi_end_sink(site, &sinks[k], ok) && ok;
    return ok;
}

/* Is it the same file that both make, by whatever path? */
static bool gi_same_sink(const gi_sink *x, const gi_sink *y)
{
    struct stat there[2];
    char        folder[GI_PATH_ROOM];
    if (strcmp(gi_file_name(x->to.part), gi_file_name(y->to.part)) != 0) return false;
    for (int k = 0; k < 2; k++) {
        gi_file_folder((k ? y : x)->to.part, folder);
        if (stat(folder, &there[k]) != 0) return false;
    }
    return there[0].st_dev == there[1].st_dev && there[0].st_ino == there[1].st_ino;
}

/* False with an error, if two of them are the same. */
static bool gi_sinks_are_apart(const char *site, int n, const gi_sink *sinks)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (gi_same_sink(&sinks[i], &sinks[j]))
                return gi_fail(site, GA_BAD_ARGUMENT, "arrays %d and %d have the same path: '%.300s' and '%.300s'", j, i,
                               sinks[j].path, sinks[i].path) != NULL;
    return true;
}

bool(ga_store_n)(int n, const ga_array *const *arrays, const char *const *paths, ga_store_options o)
{
    if (!gi_options_store(&o)) return false;
    if (n < 0 || (n > 0 && (!arrays || !paths)))
        return gi_fail(o.site, GA_BAD_ARGUMENT, "%d arrays: give as many pointers, and as many paths", n) != NULL;
    if (gi_compute_is_inside(o.site)) return false;
    size_t           bytes = (size_t)n * sizeof(gi_sink), list = (size_t)n * sizeof(void *);
    gi_sink         *sinks = (gi_sink *)gi_mem_alloc(o.site, bytes);
    const ga_array **held  = sinks ? (const ga_array **)gi_mem_alloc(o.site, list) : NULL;
    bool             ok    = held != NULL;
    int              made  = 0;
    if (ok) {
        gi_scope *scope  = gi_current_scope;
        gi_current_scope = NULL;
        memset(sinks, 0, bytes);
        for (; made < n && ok; made++) {
            ok         = gi_plan_sink(&o, arrays[made], paths[made], &sinks[made]);
            held[made] = sinks[made].a;
        }
        ok = ok && gi_sinks_are_apart(o.site, n, sinks) && gi_has_store_room(o.site, n, sinks, held);
        ok = gi_compute_begins(o.site, ok, n, held) && gi_begin_sinks(o.site, n, sinks) && gi_fill_all(o.site, n, sinks, held);
        ok = gi_end_sinks(o.site, made, sinks, ok);
        ok = gi_compute_ends(o.site, ok);
        for (int k = 0; k < made; k++) {
            ga_free(sinks[k].a);
            if (sinks[k].done) gi_mem_release(sinks[k].done, (size_t)sinks[k].units);
        }
        gi_current_scope = scope;
    } else gi_compute_cannot_begin(o.site);
    if (held) gi_mem_release(held, list);
    gi_mem_release(sinks, bytes);
    return ok;
}

bool(ga_store)(const ga_array *a, const char *path, ga_store_options o) { return (ga_store_n)(1, &a, &path, o); }
