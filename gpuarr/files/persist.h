/* ---- ga_persist, and arrays that do not fit into memory ---- */
/*  The elements are written as those of an .npy file without a header, and the node becomes one that reads them from there.       */

/* Where /tmp lies in memory, nothing would be won. */
static const char *gi_spill_folder(void)
{
    const char *folder = getenv("GA_SPILL");
    if (!folder || !*folder) folder = getenv("TMPDIR");
    if (folder && *folder) return folder;
#ifdef __linux__
    struct statfs about;
    if (statfs("/tmp", &about) == 0 && about.f_type == 0x01021994) return "/var/tmp"; /* TMPFS_MAGIC of linux/magic.h */
#endif
    return "/tmp";
}

/* A file in that folder, without a name from the beginning, so that nothing is left behind however the program ends. False with an error. */
static bool gi_begin_spill(const char *site, gi_sink *s)
{
    const char    *folder = gi_spill_folder();
    int64_t        bytes = s->a->size * ga_itemsize(s->a->dtype), there = -1;
    struct statvfs about;
    if (statvfs(folder, &about) == 0)
        there = (int64_t)(about.f_bavail < (uint64_t)INT64_MAX / about.f_frsize ? about.f_bavail * about.f_frsize : INT64_MAX);
    if (there < 0)
        return gi_fail(site, gi_file_status(errno),
                       "%s do not fit into memory, and '%.300s', where they would be kept, cannot be used: %s (GA_SPILL in the "
                       "environment names another folder)",
                       gi_bytes_text(bytes), folder, strerror(errno)) != NULL;
    if (there < bytes)
        return gi_fail(site, GA_NO_MEMORY,
                       "%s do not fit into memory, and '%.300s', where they would be kept, has room for %s: name a folder on a "
                       "larger disk, GA_SPILL in the environment",
                       gi_bytes_text(bytes), folder, gi_bytes_text(there)) != NULL;
    static unsigned files;
    do {
        snprintf(s->to.part, sizeof s->to.part, "%.3000s/gpuarr-%ld-%u", folder, (long)getpid(),
                 __atomic_add_fetch(&files, 1, __ATOMIC_RELAXED));
        s->to.fd = open(s->to.part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    } while (s->to.fd < 0 && errno == EEXIST);
    if (s->to.fd >= 0 && unlink(s->to.part) == 0 && ftruncate(s->to.fd, (off_t)bytes) == 0) return true;
    return gi_fail(
               site, gi_file_status(errno),
               "%s do not fit into memory, and cannot be written to '%.300s': %s (GA_SPILL in the environment names another "
               "folder)",
               gi_bytes_text(bytes), s->to.part, strerror(errno)) != NULL;
}

static void gi_close_spilled(gi_lazy *n)
{
    gi_npy_plan *p = (gi_npy_plan *)n->plan;
    (void)close(p->fd);
    __atomic_sub_fetch(&gi_mem_spilled, gi_shape_size(n->ndim, n->shape) * ga_itemsize(n->dtype), __ATOMIC_RELAXED);
    gi_mem_release(p, sizeof *p);
}

static bool gi_is_spilled(const gi_lazy *n) { return n->close == gi_close_spilled; }

/* Tells what has become of an array of which so many bytes of memory are left. */
static void gi_announce_spill(const char *site, int64_t bytes, int64_t left, bool limited)
{
    char text[256];
    if (gi_error_handler) return; /* the program says on stderr what it wants */
    gi_error_write_site(text, sizeof text, site);
    fprintf(stderr, "gpuarr: %s%s do not fit into the %s that are left: kept in %s (%sset GA_SPILL to a faster disk)\n", text,
            gi_bytes_text(bytes), gi_bytes_text(left > 0 ? left : 0), gi_spill_folder(),
            limited ? "raise ga_memory_limit, or " : "");
}

/* Works all elements of a node, of which `whole` is a view, out into a file. False with an error. */
static bool gi_spill(const char *site, ga_array *whole)
{
    gi_lazy        *n     = whole->owner->node;
    const ga_array *held  = whole;
    int64_t         bytes = whole->size * ga_itemsize(whole->dtype);
    gi_sink        *s     = (gi_sink *)gi_mem_alloc(site, sizeof *s);
    gi_npy_plan    *p     = s ? (gi_npy_plan *)gi_mem_alloc(site, sizeof *p) : NULL;
    bool            ok    = p != NULL;
    if (ok) {
        memset(s, 0, sizeof *s);
        memset(p, 0, sizeof *p);
        s->a     = whole;
        s->to.fd = s->journal = -1;
        ok                    = gi_divide_sink(site, s) && gi_has_store_room(site, 1, s, &held) && gi_begin_spill(site, s);
        ok                    = gi_compute_begins(site, ok, 1, &held);
        gi_computing.mark++; /* for the fingerprint */
        uint64_t print     = ok ? gi_print_node(n) : 0;
        gi_computing.alone = true; /* each rank keeps all elements: where, the others need not see */
        ok                 = ok && gi_fill_all(site, 1, s, &held);
        gi_computing.alone = false;
        ok                 = gi_ranks_agree(site, ok);
        if (ok) {
            p->fd      = s->to.fd;
            p->h.dtype = n->dtype;
            p->h.ndim  = n->ndim;
            snprintf(p->what, sizeof p->what, "what ga_persist has kept in '%.300s'", gi_spill_folder());
            memcpy(p->h.shape, n->shape, sizeof n->shape);
            gi_lazy_let_go(n);
            n->kind  = gi_kind_npy();
            n->plan  = p;
            n->close = gi_close_spilled;
            n->seed  = print;
            n->depth = 0;
            n->local = n->far = n->rows = true;
            __atomic_add_fetch(&gi_mem_spilled, bytes, __ATOMIC_RELAXED);
        } else if (s->to.fd >= 0) (void)close(s->to.fd);
        ok = gi_compute_ends(site, ok);
        if (s->done) gi_mem_release(s->done, (size_t)s->units);
    }
    if (p && !ok) gi_mem_release(p, sizeof *p);
    if (s) gi_mem_release(s, sizeof *s);
    return ok;
}

/* Works all elements of a node out into memory. False with an error. */
static bool gi_persist_in_memory(const char *site, const ga_array *whole)
{
    gi_lazy  *n     = whole->owner->node;
    ga_array *value = gi_array_new(site, n->dtype, GA_CPU, n->ndim, n->shape);
    if (!gi_compute_into(site, value != NULL, 1, &whole, &value)) {
        ga_free(value);
        return false;
    }
    n->value = value;
    n->depth = 0;
    gi_lazy_let_go(n);
    return true;
}

ga_array *(ga_persist)(const ga_array *a, const char *site)
{
    if (!gi_array_check_half_any(site, a, "a")) {
        gi_compute_cannot_begin(site);
        return NULL;
    }
    if (!gi_is_deferred(a) || a->owner->node->value || gi_is_spilled(a->owner->node)) return (ga_view)(a, site);
    if (gi_compute_is_inside(site)) return NULL;
    gi_lazy    *n = a->owner->node;
    gi_forecast f = gi_forecast_of(1, &a, false);
    f.results     = gi_shape_size(n->ndim, n->shape) * ga_itemsize(n->dtype);
    int64_t   limit, total = gi_forecast_total(&f) - f.kept, left = gi_forecast_memory_left(&limit, total);
    bool      fits   = total <= left, ok;
    gi_scope *scope  = gi_current_scope;
    gi_current_scope = NULL;
    __atomic_add_fetch(&a->owner->references, 1, __ATOMIC_RELAXED);
    ga_array *whole = gi_array_new_handle(site, a->owner, GI_NOWHERE, n->dtype, GA_CPU, n->ndim, n->shape, n->strides);
    ok              = gi_ranks_agree(site, whole != NULL);
    if (ok && !fits) gi_announce_spill(site, f.results, left, limit > 0);
    fits = ok && gi_ranks_all_say(site, fits);
    ok   = ok && (fits ? gi_persist_in_memory(site, whole) : gi_spill(site, whole));
    ga_free(whole);
    gi_current_scope = scope;
    return ok ? (ga_view)(a, site) : NULL;
}
