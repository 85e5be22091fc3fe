/* ---- files that come into being ---- */

enum { GI_PATH_ROOM = 4096, GI_SINKS_AT_ONCE = 8 };
#define GI_STORE_BYTES ((int64_t)1 << 20) /* of .npy: what is worked out and written down as done at a time */

/* A file in the making: NAME.part, a folder for Zarr, and beside it NAME.journal, which lists the units that are done. */
typedef struct gi_sink {
    const char    *path;
    ga_array      *a; /* in the chunks of the file */
    bool           zarr, replaces;
    gi_codec       codec;       /* of the chunks of Zarr, */
    int            level;       /* and how hard it tries */
    int            fd, journal; /* the file or the folder; -1: none */
    int64_t        at;          /* of the first element in an .npy file */
    int64_t        unit[GPUARR_MAX_DIMS], units, left;
    unsigned char *done; /* a byte each */
    char           part[GI_PATH_ROOM], log[GI_PATH_ROOM];
} gi_sink;

static bool gi_pwrite(int fd, int64_t at, const void *from, size_t n)
{
    for (const char *p = (const char *)from; n > 0;) {
        ssize_t put = pwrite(fd, p, n < (size_t)1 << 30 ? n : (size_t)1 << 30, (off_t)at);
        if (put < 0 && errno == EINTR) continue;
        if (put == 0) errno = ENOSPC;
        if (put <= 0) return false;
        p += put;
        at += put;
        n -= (size_t)put;
    }
    return true;
}

/* Removes a folder with all that is in it. */
static void gi_remove_folder(const char *path, int depth)
{
    char member[GI_PATH_ROOM];
    DIR *list = depth < 2 * GPUARR_MAX_DIMS ? opendir(path) : NULL;
    for (struct dirent *e; list && (e = readdir(list)) != NULL;) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")) continue;
        if (snprintf(member, sizeof member, "%s/%s", path, e->d_name) >= (int)sizeof member) continue;
        if (unlink(member) != 0) gi_remove_folder(member, depth + 1);
    }
    if (list) (void)closedir(list);
    (void)rmdir(path);
}

static bool gi_ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && !strcmp(text + n - m, end);
}

/* The unit of an .npy file: small chunks together, large ones in parts, unless they can only be worked out whole. */
static void gi_npy_unit(const gi_lazy *n, gi_sink *s)
{
    const int64_t *shape = s->a->shape;
    int64_t        most = GI_STORE_BYTES / ga_itemsize(s->a->dtype), elements = 1;
    bool           local = n->local || n->value;
    for (int d = 0; d < s->a->ndim; d++) elements *= s->unit[d];
    for (int d = s->a->ndim - 1; d >= 0 && elements < most; d--) {
        int64_t times = most / elements, all = s->unit[d] > 0 ? (shape[d] + s->unit[d] - 1) / s->unit[d] : 1;
        if (times > all) times = all;
        if (times < 1) times = 1;
        elements *= times;
        s->unit[d] *= times;
        if (times < all) break;
    }
    for (int d = s->a->ndim - 1; d >= 0 && local; d--) {
        if (s->unit[d] > most) s->unit[d] = most > 0 ? most : 1;
        most /= s->unit[d];
    }
}

static bool gi_write_zarray(const char *site, const gi_sink *s)
{
    char text[1024], path[GI_PATH_ROOM + 16], lists[2][24 * GPUARR_MAX_DIMS + 4], packing[48] = "null",
                                                                                  order = ga_itemsize(s->a->dtype) == 1 ? '|'
                                                                                          : GI_LITTLE_ENDIAN            ? '<'
                                                                                                                        : '>';
    for (int k = 0; k < 2; k++) {
        int n       = 0;
        lists[k][0] = 0;
        for (int d = 0; d < s->a->ndim; d++)
            n += snprintf(lists[k] + n, sizeof lists[k] - (size_t)n, d ? ", %lld" : "%lld",
                          (long long)(k ? s->unit[d] : s->a->shape[d]));
    }
    if (s->codec != GI_CODEC_NONE)
        snprintf(packing, sizeof packing, "{ \"id\": \"%s\", \"level\": %d }", gi_codec_names[s->codec], s->level);
    int n = snprintf(text, sizeof text,
                     "{\n    \"chunks\": [%s],\n    \"compressor\": %s,\n    \"dtype\": \"%c%c%d\",\n    \"fill_value\": "
                     "%s,\n    \"filters\": null,\n"
                     "    \"order\": \"C\",\n    \"shape\": [%s],\n    \"zarr_format\": 2\n}",
                     lists[1], packing, order, gi_npy_kind(s->a->dtype), (int)ga_itemsize(s->a->dtype),
                     gi_is_complex(s->a->dtype) ? "null"
                     : s->a->dtype == GA_BOOL   ? "false"
                     : gi_is_float(s->a->dtype) ? "0.0"
                                                : "0",
                     lists[0]);
    snprintf(path, sizeof path, "%s/.zarray", s->part);
    int  fd    = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool wrote = fd >= 0 && gi_pwrite(fd, 0, text, (size_t)n);
    if (fd >= 0 && close(fd) != 0) wrote = false;
    if (!wrote) gi_fail(site, GA_NO_FILE, "cannot write '%s': %s", path, strerror(errno));
    return wrote;
}

/* What the journal begins with: it must be of the same array. */
static void gi_journal_head(const gi_sink *s, uint64_t print, char *text, size_t room)
{
    char packing[32] = "";
    if (s->codec != GI_CODEC_NONE) snprintf(packing, sizeof packing, " by %s %d", gi_codec_names[s->codec], s->level);
    snprintf(text, room, "gpuarr %s%s: %s %s in parts of %s, %016llx\n", s->zarr ? "zarr" : "npy", packing,
             ga_dtype_name(s->a->dtype), gi_shape_of(s->a), gi_shape_text(s->a->ndim, s->unit), (unsigned long long)print);
}

/* Reads which units are done. False with an error, if it is the journal of another array. */
static bool gi_read_journal(const char *site, gi_sink *s, const char *head)
{
    struct stat about;
    size_t      n = strlen(head);
    if (fstat(s->journal, &about) != 0 || about.st_size == 0) return true;
    size_t room = (size_t)about.st_size + 1;
    if ((int64_t)room > 24 * (s->units + 100)) room = (size_t)(24 * (s->units + 100));
    char *text = (char *)gi_mem_alloc(site, room);
    if (!text) return false;
    bool ours      = gi_pread(s->journal, 0, text, room - 1) && room > n && !memcmp(text, head, n);
    text[room - 1] = 0;
    for (char *p = text + n, *end; ours && (end = strchr(p, '\n')) != NULL;
         p       = end + 1) { /* a last line without end was not finished */
        char     *after;
        long long unit = strtoll(p, &after, 10);
        if (after != end || unit < 0 || unit >= s->units || s->done[unit]) continue;
        s->done[unit] = 1;
        s->left--;
    }
    gi_mem_release(text, room);
    if (!ours)
        gi_fail(site, GA_BAD_FILE,
                "'%s' tells of another array, or of another expression for it: remove it and '%s', or leave .resume out, which "
                "begins anew",
                s->log, s->part);
    return ours;
}

/* Makes NAME.part, or finds what an earlier run has done of it. False with an error. */
static bool gi_begin_sink(const char *site, gi_sink *s, bool resume, uint64_t print)
{
    char        head[1024], header[GI_NPY_HEADER_ROOM];
    struct stat about;
    gi_journal_head(s, print, head, sizeof head);
    if (!resume) (void)unlink(s->log);
    if (resume && stat(s->part, &about) != 0) (void)unlink(s->log); /* of a file that is gone */
    if (s->zarr && mkdir(s->part, 0777) != 0 && errno == EEXIST && !resume) {
        gi_remove_folder(s->part, 0);
        (void)mkdir(s->part, 0777);
    }
    s->fd = open(s->part, s->zarr ? O_RDONLY | O_CLOEXEC : O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (s->fd < 0) return gi_fail(site, GA_NO_FILE, "cannot write '%s': %s", s->part, strerror(errno)) != NULL;
    if (flock(s->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return gi_fail(site, GA_NO_FILE, "'%s' is being written by another program: wait for it, or store elsewhere",
                       s->part) != NULL;
    if (resume) {
        s->journal = open(s->log, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
        if (s->journal < 0) return gi_fail(site, GA_NO_FILE, "cannot write '%s': %s", s->log, strerror(errno)) != NULL;
        if (!gi_read_journal(site, s, head)) return false;
    }
    int64_t header_bytes = s->zarr ? 0 : gi_npy_header_bytes(s->a, header);
    s->at                = header_bytes;
    if (s->left < s->units) return true; /* goes on */
    bool ok = s->zarr ? gi_write_zarray(site, s) : true;
    if (!s->zarr) {
        bool fresh =
            fstat(s->fd, &about) == 0 && about.st_size == 0; /* what was emptied is written to the disk when it is closed */
        ok = (fresh || ftruncate(s->fd, 0) == 0) && gi_pwrite(s->fd, 0, header, (size_t)header_bytes) &&
             ftruncate(s->fd, (off_t)(header_bytes + s->a->size * ga_itemsize(s->a->dtype))) == 0;
        if (!ok) gi_fail(site, GA_NO_FILE, "cannot write '%s': %s", s->part, strerror(errno));
    }
    if (ok && s->journal >= 0) {
        ok = ftruncate(s->journal, 0) == 0 && write(s->journal, head, strlen(head)) == (ssize_t)strlen(head);
        if (!ok) gi_fail(site, GA_NO_FILE, "cannot write '%s': %s", s->log, strerror(errno));
    }
    return ok;
}

/* Opens what the first rank has made. */
static bool gi_join_sink(const char *site, gi_sink *s)
{
    char header[GI_NPY_HEADER_ROOM];
    s->fd = open(s->part, s->zarr ? O_RDONLY | O_CLOEXEC : O_RDWR | O_CLOEXEC);
    s->at = s->zarr ? 0 : gi_npy_header_bytes(s->a, header);
    if (s->fd >= 0) return true;
    return gi_fail(site, GA_NO_FILE,
                   "rank %d cannot write '%s': %s (the first rank has made it: the folder must be one that all of them see)",
                   ga_rank(), s->part, strerror(errno)) != NULL;
}

/* Closes the file. The first rank gives it its name, if all of it is there. False with an error. */
static bool gi_end_sink(const char *site, gi_sink *s, bool complete)
{
    bool begun = s->fd >= 0, ok = complete;
    if (begun && close(s->fd) != 0 && ok)
        ok = gi_fail(site, GA_NO_FILE, "cannot write all of '%s': %s", s->part, strerror(errno)) != NULL;
    if (s->journal >= 0) (void)close(s->journal);
    if (ga_rank() > 0) {
        s->fd = s->journal = -1;
        return ok;
    }
    if (ok) {
        char old[GI_PATH_ROOM + 8];
        snprintf(old, sizeof old, "%s.old", s->path);
        bool aside = s->replaces && rename(s->path, old) == 0;
        ok         = rename(s->part, s->path) == 0;
        if (!ok) gi_fail(site, GA_NO_FILE, "cannot rename '%s' to '%s': %s", s->part, s->path, strerror(errno));
        if (!ok && aside) (void)rename(old, s->path);
        if (ok && aside) gi_remove_folder(old, 0);
        if (ok) (void)unlink(s->log);
    } else if (begun && s->journal < 0) { /* nobody will go on with it */
        if (s->zarr) gi_remove_folder(s->part, 0);
        else (void)unlink(s->part);
    }
    s->fd = s->journal = -1;
    return ok;
}
