/* ---- files that come into being ---- */

enum { GI_SINKS_AT_ONCE = 8 };
#define GI_STORE_BYTES ((int64_t)1 << 20) /* of .npy: what is worked out and written down as done at a time */

/* A file in the making, a folder for Zarr, and beside it NAME.gpuarr.journal, which lists the units that are done. */
typedef struct gi_sink {
    const char    *path;
    ga_array      *a; /* in the chunks of the file */
    bool           zarr, resume;
    gi_codec       codec;   /* of the chunks of Zarr, */
    int            level;   /* and how hard it tries */
    gi_new_file    to;      /* written to by to.fd */
    int            journal; /* -1: none */
    int64_t        at;      /* of the first element in an .npy file */
    int64_t        unit[GPUARR_MAX_DIMS], units, left;
    unsigned char *done;                                 /* a byte each */
    char           log[GI_PATH_ROOM], old[GI_PATH_ROOM]; /* the journal; what is replaced, see gi_folder_recover */
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
    char text[1024], lists[2][24 * GPUARR_MAX_DIMS + 4], packing[48] = "null",
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
    int  n  = snprintf(text, sizeof text,
                       "{\n    \"chunks\": [%s],\n    \"compressor\": %s,\n    \"dtype\": \"%c%c%d\",\n    \"fill_value\": "
                         "%s,\n    \"filters\": null,\n"
                         "    \"order\": \"C\",\n    \"shape\": [%s],\n    \"zarr_format\": 2\n}",
                       lists[1], packing, order, gi_npy_kind(s->a->dtype), (int)ga_itemsize(s->a->dtype),
                     gi_is_complex(s->a->dtype)        ? "null"
                       : s->a->dtype == GA_BOOL          ? "false"
                       : gi_dtype_kind(s->a->dtype) == 2 ? "0.0"
                                                         : "0",
                       lists[0]);
    int  fd = openat(s->to.fd, ".zarray", O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
    bool wrote =
        fd >= 0 && gi_pwrite(fd, 0, text, (size_t)n) && (!s->resume || gi_file_sync(fd)); /* who goes on does not write it */
    if (fd >= 0 && close(fd) != 0) wrote = false;
    if (!wrote) gi_file_fail(site, errno, "cannot write '%s/.zarray'", s->to.part);
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
                s->log, s->to.part);
    return ours;
}

static bool gi_open_journal(const char *site, gi_sink *s, const char *head)
{
    s->journal = open(s->log, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (s->journal < 0) return gi_file_fail(site, errno, "cannot write '%s'", s->log) != NULL;
    return gi_read_journal(site, s, head);
}

static bool gi_begin_failed(const char *site, const gi_sink *s)
{
    return gi_fail(site, gi_file_status(s->to.error), "cannot write '%s': %s", s->path, s->to.why) != NULL;
}

/* Replaces a part of which no unit is known to be done: it may be a file that another call has replaced, which others still read. */
static bool gi_begin_again(const char *site, gi_sink *s, const char *head)
{
    (void)close(s->journal);
    s->journal = -1;
    gi_file_close(&s->to);
    if (!gi_file_begin_there(&s->to, GI_FILE_REPLACE)) return gi_begin_failed(site, s);
    s->to.kept = true;
    return gi_open_journal(site, s, head);
}

/* Has the part of a file all its bytes, if not yet their values? Is that of a folder a Zarr array, which is not being removed? */
static bool gi_part_has_room(const gi_sink *s)
{
    struct stat about;
    if (!s->zarr) return fstat(s->to.fd, &about) == 0 && about.st_size == s->at + s->a->size * ga_itemsize(s->a->dtype);
    const int  fd  = openat(s->to.fd, ".zarray", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    const bool has = fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
    if (fd >= 0) (void)close(fd);
    return has;
}

/* No unit is done, whatever the journal says. False with an error. */
static bool gi_nothing_done(const char *site, gi_sink *s)
{
    s->left = s->units;
    memset(s->done, 0, (size_t)s->units);
    return s->journal < 0 || ftruncate(s->journal, 0) == 0 || gi_file_fail(site, errno, "cannot write '%s'", s->log) != NULL;
}

/* Makes the part, or finds what an earlier run has done of it. False with an error. */
static bool gi_begin_sink(const char *site, gi_sink *s, uint64_t print)
{
    char head[1024], header[GI_NPY_HEADER_ROOM];
    gi_journal_head(s, print, head, sizeof head);
    const int64_t header_bytes = s->zarr ? 0 : gi_npy_header_bytes(s->a, header);
    s->at                      = header_bytes;
    if (!(s->zarr ? gi_folder_begin(&s->to, s->resume)
                  : gi_file_begin_there(&s->to, s->resume ? GI_FILE_GO_ON : GI_FILE_REPLACE)))
        return gi_begin_failed(site, s);
    if (!s->resume || s->to.anew) (void)unlink(s->log); /* of a file that is gone */
    if (s->resume && !gi_open_journal(site, s, head)) return false;
    const bool none = s->left == s->units || !gi_part_has_room(s);
    if (none && !gi_nothing_done(site, s)) return false;
    if (s->resume && !s->zarr && !s->to.anew && none && !gi_begin_again(site, s, head)) return false;
    if (s->left < s->units) return true;                        /* goes on */
    if (s->zarr && !s->to.anew) gi_folder_clear(s->to.part, 0); /* what it replaced may be left, see gi_folder_rename */
    bool ok = s->zarr ? gi_write_zarray(site, s) : true;
    if (!s->zarr) {
        ok = (s->to.anew || ftruncate(s->to.fd, 0) == 0) && gi_pwrite(s->to.fd, 0, header, (size_t)header_bytes) &&
             ftruncate(s->to.fd, (off_t)(header_bytes + s->a->size * ga_itemsize(s->a->dtype))) == 0;
        if (!ok) gi_file_fail(site, errno, "cannot write '%s'", s->to.part);
    }
    if (ok && s->journal >= 0) {
        errno = ENOSPC; /* of less than all */
        ok    = ftruncate(s->journal, 0) == 0 && write(s->journal, head, strlen(head)) == (ssize_t)strlen(head);
        if (!ok) gi_file_fail(site, errno, "cannot write '%s'", s->log);
    }
    return ok;
}

/* Opens what the first rank has made. */
static bool gi_join_sink(const char *site, gi_sink *s)
{
    char header[GI_NPY_HEADER_ROOM];
    s->to.fd = open(s->to.part, (s->zarr ? O_RDONLY | O_DIRECTORY : O_RDWR) | O_NOFOLLOW | O_CLOEXEC);
    s->at    = s->zarr ? 0 : gi_npy_header_bytes(s->a, header);
    if (s->to.fd >= 0) return true;
    return gi_fail(site, gi_file_status(errno),
                   "rank %d cannot write '%s': %s (the first rank has made it: the folder must be one that all of them see)",
                   ga_rank(), s->to.part, strerror(errno)) != NULL;
}

/* Another rank than the first has written its share. False with an error. */
static bool gi_leave_sink(const char *site, gi_sink *s, bool ok)
{
    if (s->to.fd >= 0 && ok && !(s->zarr ? gi_folder_sync(s->to.fd) : gi_file_sync_new(s->to.fd)))
        ok = gi_file_fail(site, errno, "cannot write all of '%s'", s->to.part) != NULL;
    if (s->to.fd >= 0) (void)close(s->to.fd); /* the lock stays the first rank's */
    s->to.fd = -1;
    return ok;
}

/* Closes the file. It gets its name, if all of it is there. False with an error. */
static bool gi_end_sink(const char *site, gi_sink *s, bool complete)
{
    const bool begun = s->to.fd >= 0, goes_on = !complete && s->resume;
    bool       ok = complete;
    if (s->journal >= 0) (void)close(s->journal);
    s->journal = -1;
    if (goes_on) gi_file_close(&s->to);
    else if (begun) {
        ok = s->zarr ? gi_folder_end(&s->to, s->old, s->log, complete) : gi_file_end(&s->to, complete);
        if (!ok && complete) gi_fail(site, gi_file_status(s->to.error), "cannot write all of '%s': %s", s->path, s->to.why);
        if (ok) (void)unlink(s->log);
    }
    return ok;
}
