/* ---- Zarr, version 2 ---- */

typedef struct gi_zarr {
    gi_npy_header                     h; /* as that of an .npy file: dtype, orders, shape */
    int64_t                           chunk[GPUARR_MAX_DIMS], chunk_bytes;
    char                              separator;
    gi_codec                          codec;
    __attribute__((aligned(16))) char fill[16]; /* an element where there is no chunk */
} gi_zarr;

typedef struct gi_zarr_plan {
    gi_zarr z;
    int     dir;
    char    what[GI_NAME_ROOM];
} gi_zarr_plan;

/* A real number or "NaN", "Infinity" ... Returns what follows, or NULL. */
static const char *gi_json_real(const char *p, double *x)
{
    char text[32], *end;
    bool quoted = *p == '"';
    if (quoted && !(p = gi_json_string(p, text, sizeof text))) return NULL;
    const char *from = quoted ? text : p;
    *x               = gi_read_real(from, &end);
    if (end == from || (quoted && *end)) return NULL;
    return quoted ? p : end;
}

/* fill_value, as an element. */
static bool gi_read_fill(const char *p, gi_zarr *z)
{
    ga_dtype dtype = z->h.dtype;
    double   c[2]  = { 0, 0 };
    char    *end   = NULL;
    if (!p || !strncmp(p, "null", 4)) return true;
    bool is_true = !strncmp(p, "true", 4);
    errno        = 0;
    if (is_true || !strncmp(p, "false", 5)) {
        c[0] = is_true;
    } else if (gi_is_signed(dtype)) {
        int64_t v = strtoll(p, &end, 10);
        if (end != p && !strchr(".eE", *end) && !errno) return gi_cast(dtype, GA_I64, 1, z->fill, &v), true;
    } else if (gi_is_unsigned(dtype)) {
        uint64_t v = strtoull(p, &end, 10);
        if (end != p && !strchr(".eE", *end) && !errno) return gi_cast(dtype, GA_U64, 1, z->fill, &v), true;
    }
    if (*p == '[') {
        p = gi_json_real(gi_skip_blanks(p + 1), &c[0]);
        if (!p || *(p = gi_skip_blanks(p)) != ',') return false;
        p = gi_json_real(gi_skip_blanks(p + 1), &c[1]);
    } else if (*p != 't' && *p != 'f') {
        p = gi_json_real(p, &c[0]);
    }
    if (!p || (gi_is_int(dtype) && !(fabs(c[0]) < 0x1p63))) return false;
    if (gi_is_complex(dtype)) gi_cast(dtype, GA_C128, 1, z->fill, c);
    else gi_cast(dtype, GA_F64, 1, z->fill, c);
    return true;
}

static bool gi_read_zarray(const char *site, const char *what, const char *text, gi_zarr *z)
{
    char        word[48] = "";
    int         dims     = 0;
    bool        too_many = false;
    const char *whole    = gi_json_skip(text, 0), *p;
    memset(z, 0, sizeof *z);
    if (!whole || *gi_skip_blanks(whole))
        return gi_fail(site, GA_BAD_FILE, "the .zarray of %s is no JSON: is it damaged?", what) != NULL;
    p = gi_json_find(text, "zarr_format");
    if (!p || strtol(p, NULL, 10) != 2)
        return gi_fail(site, GA_BAD_FILE, "%s is Zarr of format %.8s; 2 is known: write it with zarr_format=2", what,
                       p ? p : "?") != NULL;
    p = gi_json_find(text, "dtype");
    if (p && *p == '[')
        return gi_fail(site, GA_BAD_DTYPE,
                       "the elements in %s are structured: save each field as an array of its own, a['field']", what) != NULL;
    if (!p || !gi_json_string(p, word, sizeof word))
        return gi_fail(site, GA_BAD_FILE, "the .zarray of %s lacks 'dtype': is it damaged?", what) != NULL;
    if (!gi_read_descr(site, what, word, &z->h)) return false;
    bool shaped = gi_json_lengths(gi_json_find(text, "shape"), &z->h.ndim, z->h.shape, &too_many) &&
                  gi_json_lengths(gi_json_find(text, "chunks"), &dims, z->chunk, &too_many) && dims == z->h.ndim;
    for (int d = 0; d < z->h.ndim && shaped; d++) shaped = z->h.shape[d] >= 0 && z->chunk[d] > 0;
    if (too_many)
        return gi_fail(site, GA_BAD_SHAPE, "the array in %s has more than %d dimensions: #define GPUARR_MAX_DIMS for more",
                       what, GPUARR_MAX_DIMS) != NULL;
    if (!shaped)
        return gi_fail(site, GA_BAD_FILE, "'shape' and 'chunks' in the .zarray of %s make no sense: is it damaged?", what) !=
               NULL;
    int64_t strides[GPUARR_MAX_DIMS];
    z->chunk_bytes = gi_shape_c_strides(z->h.dtype, z->h.ndim, z->chunk, strides);
    if (z->chunk_bytes < 0)
        return gi_fail(site, GA_BAD_FILE, "%s claims chunks of %s, more than can be counted: is it damaged?", what,
                       gi_shape_text(z->h.ndim, z->chunk)) != NULL;
    p = gi_json_find(text, "order");
    if (!p || !gi_json_string(p, word, sizeof word) || (strcmp(word, "C") != 0 && strcmp(word, "F") != 0))
        return gi_fail(site, GA_BAD_FILE, "'order' in the .zarray of %s is neither \"C\" nor \"F\": is it damaged?", what) !=
               NULL;
    z->h.fortran = word[0] == 'F';
    p            = gi_json_find(text, "dimension_separator");
    if (p && (!gi_json_string(p, word, sizeof word) || (strcmp(word, ".") != 0 && strcmp(word, "/") != 0)))
        return gi_fail(site, GA_BAD_FILE,
                       "'dimension_separator' in the .zarray of %s is neither \".\" nor \"/\": is it damaged?", what) != NULL;
    z->separator = p ? word[0] : '.';
    p            = gi_json_find(text, "compressor");
    if (p && *p == '{') {
        p = gi_json_find(p, "id");
        if (!p || !gi_json_string(p, word, sizeof word)) strcpy(word, "?");
        z->codec = !strcmp(word, "zlib") ? GI_CODEC_ZLIB : !strcmp(word, "gzip") ? GI_CODEC_GZIP : GI_CODEC_NONE;
        if (z->codec == GI_CODEC_NONE)
            return gi_fail(site, GA_BAD_FILE,
                           "the chunks of %s are packed by %s, which gpuarr cannot unpack (zlib and gzip it can): write it "
                           "with compressor=None, "
                           "zarr.save_array(path, a, compressor=None)",
                           what, word) != NULL;
    }
    p = gi_json_find(text, "filters");
    if (p && *p == '[' && *gi_skip_blanks(p + 1) != ']') {
        p = gi_json_find(p + 1, "id");
        if (!p || !gi_json_string(p, word, sizeof word)) strcpy(word, "?");
        return gi_fail(site, GA_BAD_FILE,
                       "the elements of %s went through the filter %s, which gpuarr does not know: write it with filters=None",
                       what, word) != NULL;
    }
    if (!gi_read_fill(gi_json_find(text, "fill_value"), z))
        return gi_fail(site, GA_BAD_FILE, "'fill_value' in the .zarray of %s is no element of %s: is it damaged?", what,
                       ga_dtype_name(z->h.dtype)) != NULL;
    return true;
}

enum { GI_KEY_ROOM = 24 * GPUARR_MAX_DIMS };

/* The name of a chunk's file: 0.3.1 */
static void gi_chunk_key(int ndim, const int64_t *index, char separator, char *key)
{
    int n  = 0;
    key[0] = '0';
    key[1] = 0;
    for (int d = 0; d < ndim; d++) {
        if (d > 0) key[n++] = separator;
        n += snprintf(key + n, (size_t)(GI_KEY_ROOM - n), "%lld", (long long)index[d]);
    }
}

/* All elements of a chunk, from the n bytes of its file. */
static ga_array *gi_unpack_chunk(const gi_lazy *n, const gi_raw *f, size_t packed_bytes)
{
    enum { BEST_RATIO = 1032 }; /* of deflate */
    const gi_zarr *z     = &((const gi_zarr_plan *)n->plan)->z;
    size_t         bytes = (size_t)z->chunk_bytes;
    if (bytes / BEST_RATIO > packed_bytes + 1)
        return (ga_array *)gi_fail(n->site, GA_BAD_FILE, "%s claims %zu bytes packed into %zu: is it damaged?", f->what, bytes,
                                   packed_bytes);
    int64_t stored[GPUARR_MAX_DIMS];
    for (int d = 0; d < n->ndim; d++) stored[d] = z->chunk[f->fortran ? n->ndim - 1 - d : d];
    gi_inflater   *inflater = (gi_inflater *)gi_mem_alloc(n->site, sizeof *inflater);
    unsigned char *packed   = inflater ? (unsigned char *)gi_mem_alloc(n->site, packed_bytes) : NULL;
    ga_array      *a = packed ? gi_array_new(n->site, n->dtype, GA_CPU, n->ndim, stored) : NULL, *view = NULL;
    size_t         made;
    if (a) {
        errno = 0;
        if (!gi_pread(f->fd, 0, packed, packed_bytes)) gi_file_fail(n->site, errno, "cannot read %s", f->what);
        else if (gi_unpack_bytes(z->codec, inflater, packed, packed_bytes, a->data, bytes, &made) != packed_bytes ||
                 made != bytes)
            gi_fail(n->site, GA_BAD_FILE, "%s is damaged: it cannot be unpacked to what its checksum says", f->what);
        else {
            gi_layout l = gi_layout_of(a);
            gi_repair_elements(a->data, a->size, f->dtype, f->swapped);
            for (int d = 0; d < n->ndim && f->fortran; d++) {
                l.shape[d]   = a->shape[n->ndim - 1 - d];
                l.strides[d] = a->strides[n->ndim - 1 - d];
            }
            view = gi_view_with(n->site, a, &l);
        }
    }
    ga_free(a);
    gi_mem_release(packed, packed_bytes);
    gi_mem_release(inflater, sizeof *inflater);
    return view;
}

/* A chunk is missing: because all of the array is, or is about to be? */
static bool gi_zarr_is_gone(int dir)
{
    const int fd = gi_open_at(dir, ".zarray");
    if (fd < 0) return errno == ENOENT;
    (void)close(fd);
    return false;
}

/* The elements of one chunk that a box shows, which is counted in the chunk. */
static ga_array *gi_part_of_chunk(const gi_lazy *n, const int64_t *index, const gi_box *box, ga_array *out)
{
    const gi_zarr_plan *p      = (const gi_zarr_plan *)n->plan;
    const gi_zarr      *z      = &p->z;
    int64_t             number = 0;
    ga_array           *chunk = NULL, *r = NULL;
    for (int d = 0; d < n->ndim; d++) number = number * ((n->shape[d] + z->chunk[d] - 1) / z->chunk[d]) + index[d];
    if (z->codec != GI_CODEC_NONE) chunk = gi_kept_find(n, number);
    if (!chunk) {
        char key[GI_KEY_ROOM], what[2 * GI_NAME_ROOM];
        gi_chunk_key(n->ndim, index, z->separator, key);
        snprintf(what, sizeof what, "chunk '%s' of %s", key, p->what);
        gi_raw      f = { n->site, what, gi_open_at(p->dir, key), 0, n->dtype, z->h.swapped, z->h.fortran, n->ndim, z->chunk };
        struct stat about;
        if (f.fd < 0 && errno == ENOENT) { /* one element, again and again */
            if (gi_zarr_is_gone(p->dir))
                return (ga_array *)gi_fail(n->site, GA_BAD_FILE,
                                           "%s is gone: the array was replaced or removed after it was opened", what);
            ga_array *one = gi_array_new(n->site, n->dtype, GA_CPU, 0, NULL);
            if (!one) return NULL;
            memcpy(one->data, z->fill, (size_t)ga_itemsize(n->dtype));
            gi_layout l = gi_layout_of(one);
            for (int d = 0; d < n->ndim; d++) gi_layout_append(&l, box->count[d], 0);
            r = gi_view_with(n->site, one, &l);
            ga_free(one);
            return r;
        }
        if (f.fd < 0 || fstat(f.fd, &about) != 0) gi_file_fail(n->site, errno, "cannot open %s", what);
        else if (!S_ISREG(about.st_mode)) gi_fail(n->site, GA_BAD_FILE, "%s is no file", what);
        else if (z->codec == GI_CODEC_NONE && about.st_size != z->chunk_bytes)
            gi_fail(n->site, GA_BAD_FILE, "%s has %lld bytes, but %lld are the elements of a chunk: is it damaged?", what,
                    (long long)about.st_size, (long long)z->chunk_bytes);
        else if (z->codec == GI_CODEC_NONE) r = gi_read_box(&f, box, out);
        else chunk = gi_unpack_chunk(n, &f, (size_t)about.st_size);
        if (f.fd >= 0) (void)close(f.fd);
        if (!chunk) return r;
        gi_kept_add(n, number, chunk);
    }
    r = gi_box_view(n->site, chunk, box);
    ga_free(chunk);
    return r;
}

static ga_array *gi_eval_zarr(gi_worker *w, const gi_lazy *n, const gi_box *box, ga_array *out)
{
    const int64_t *chunk = ((const gi_zarr_plan *)n->plan)->z.chunk;
    int64_t        index[GPUARR_MAX_DIMS], from[GPUARR_MAX_DIMS]; /* the box's first element in the chunk at hand */
    ga_array      *r = NULL;
    int            d;
    (void)w;
    memset(from, 0, sizeof from);
    do {
        gi_box part  = *box;
        bool   whole = true;
        for (d = 0; d < n->ndim; d++) {
            int64_t first = box->start[d] + from[d] * box->step[d];
            index[d]      = first / chunk[d];
            part.start[d] = first - index[d] * chunk[d];
            part.count[d] = (chunk[d] - part.start[d] + box->step[d] - 1) / box->step[d];
            if (part.count[d] > box->count[d] - from[d]) part.count[d] = box->count[d] - from[d];
            whole = whole && part.count[d] == box->count[d];
        }
        if (whole) return gi_part_of_chunk(n, index, &part, out);
        if (!r) r = out ? gi_array_hold(n->site, out) : gi_array_new(n->site, n->dtype, GA_CPU, n->ndim, box->count);
        if (!r) return NULL;
        gi_layout place = gi_layout_of(r);
        for (d = 0; d < n->ndim; d++) {
            place.data += from[d] * place.strides[d];
            place.shape[d] = part.count[d];
        }
        ga_array *target = gi_view_with(n->site, r, &place);
        bool      ok     = target && gi_pull_into(n->site, target, gi_part_of_chunk(n, index, &part, target));
        ga_free(target);
        if (!ok) {
            ga_free(r);
            return NULL;
        }
        for (d = n->ndim - 1; d >= 0; d--) { /* the next chunk */
            from[d] += part.count[d];
            if (from[d] < box->count[d]) break;
            from[d] = 0;
        }
    } while (d >= 0);
    return r;
}

/* A chunk as it is in its file, at most as large, and unpacked. */
static int64_t gi_zarr_unpacking(const gi_lazy *n) { return 2 * ((const gi_zarr_plan *)n->plan)->z.chunk_bytes; }

GI_TABLE(gi_lazy_kind, gi_kind_zarr, { "Zarr", gi_eval_zarr, GI_LOCAL, NULL })
GI_TABLE(gi_lazy_kind, gi_kind_packed_zarr, { "packed Zarr", gi_eval_zarr, 0, gi_zarr_unpacking })

static void gi_close_zarr(gi_lazy *n)
{
    gi_kept_shrink(n, 0);
    (void)close(((gi_zarr_plan *)n->plan)->dir);
}

/* What a folder is that is no array of Zarr 2. */
static __attribute__((noinline)) void gi_no_zarr(const char *site, const char *what, const char *path, const char *name,
                                                 int dir)
{
    struct stat about;
    char        names[300] = "", group[4096];
    snprintf(group, sizeof group, "%s/%s", path, name);
    int used = 0, fd = gi_open_at(dir, ".zgroup");
    if (fd >= 0) {
        (void)close(fd);
        DIR *list = opendir(group);
        for (struct dirent *e; list && (e = readdir(list)) != NULL;) {
            char member[300];
            if (e->d_name[0] == '.' || snprintf(member, sizeof member, "%s/.zarray", e->d_name) >= (int)sizeof member ||
                (fd = gi_open_at(dir, member)) < 0)
                continue;
            (void)close(fd);
            if (used < (int)sizeof names - 1)
                used += snprintf(names + used, sizeof names - (size_t)used, used ? ", %s" : "%s", e->d_name);
        }
        if (list) (void)closedir(list);
        gi_fail(site, GA_BAD_ARGUMENT, "%s is a group of arrays: say which one, ga_open(path, .name = \"...\"); it has: %s",
                what, used ? names : "none");
        return;
    }
    fd = gi_open_at(dir, "zarr.json");
    if (fd >= 0 && fstat(fd, &about) == 0)
        gi_fail(site, GA_BAD_FILE, "%s is Zarr of format 3; 2 is known: write it with zarr_format=2", what);
    else gi_fail(site, GA_BAD_FILE, "%s is a folder, but no Zarr array: there is no .zarray in it", what);
    if (fd >= 0) (void)close(fd);
}

/* The text of .zarray; NULL with an error. Release it with `room`. */
static char *gi_zarray_text(const char *site, const char *what, int fd, size_t *room)
{
    enum { LONGEST = 1 << 20 };
    struct stat about;
    if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size > LONGEST)
        return (char *)gi_fail(site, GA_BAD_FILE,
                               "the .zarray of %s is no file, or larger than any array of numbers needs: is it damaged?", what);
    *room      = (size_t)about.st_size + 1;
    char *text = (char *)gi_mem_alloc(site, *room);
    if (!text) return NULL;
    errno = 0;
    if (!gi_pread(fd, 0, text, *room - 1)) {
        gi_mem_release(text, *room);
        return (char *)gi_file_fail(site, errno, "cannot read the .zarray of %s", what);
    }
    for (size_t i = 0; i + 1 < *room; i++) /* messages quote it, and it ends where it ends */
        if (text[i] == 0 || (unsigned char)text[i] >= 127) text[i] = '?';
    text[*room - 1] = 0;
    return text;
}

/* Takes over `dir`, the group or the array. */
static ga_array *gi_open_zarr(const char *site, const char *path, const char *name, int dir, const ga_shape *chunks)
{
    gi_zarr_plan p;
    struct stat  about;
    size_t       room = 0;
    ga_array    *a    = NULL;
    memset(&p, 0, sizeof p);
    if (name) snprintf(p.what, sizeof p.what, "'%.250s/%.100s'", path, name);
    else gi_show_path(p.what, path);
    p.dir = name ? gi_open_at(dir, name) : dir;
    if (name) {
        char inner[GI_PATH_ROOM];
        if (p.dir < 0 && errno == ENOENT && snprintf(inner, sizeof inner, "%s/%s", path, name) < (int)sizeof inner &&
            gi_folder_recovered(inner))
            p.dir = gi_open_at(dir, name);
        int error = errno;
        (void)close(dir);
        if (p.dir < 0) return (ga_array *)gi_file_fail(site, error, "cannot open %s", p.what);
    }
    int fd = gi_open_at(p.dir, ".zarray");
    if (fd < 0) gi_no_zarr(site, p.what, path, name ? name : "", p.dir);
    char *text = fd >= 0 ? gi_zarray_text(site, p.what, fd, &room) : NULL;
    if (text && fstat(fd, &about) == 0 && gi_read_zarray(site, p.what, text, &p.z))
        a = gi_lazy_new(site, p.z.codec == GI_CODEC_NONE ? gi_kind_zarr() : gi_kind_packed_zarr(), p.z.h.dtype, p.z.h.ndim,
                        p.z.h.shape, 0, NULL, &p, sizeof p);
    if (text) gi_mem_release(text, room);
    if (fd >= 0) (void)close(fd);
    if (a) return gi_opened(site, a, gi_close_zarr, gi_file_seed(&about), chunks, p.z.chunk);
    (void)close(p.dir);
    return NULL;
}
