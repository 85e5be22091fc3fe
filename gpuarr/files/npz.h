/* ---- .npz: a zip archive of .npy files --------------------------------------------------------------------------- */

#ifndef GI_ZIP_LIMIT
#define GI_ZIP_LIMIT 0xFFFFFFFFu /* from here on sizes and places go into 64-bit fields (tests lower it) */
#endif

enum { GI_ZIP_UTF8 = 1 << 11 }; /* a flag: the name is */

typedef struct gi_zip_entry {
    char     name[256], raw[256]; /* without .npy: as UTF-8, and the bytes of the archive */
    int      flags, method;
    uint32_t crc;
    uint64_t packed, size, at; /* bytes in the archive, unpacked; where its local header is */
} gi_zip_entry;

/* The directory of the archive, `bytes` long, at `at`; 0 entries if there is none. */
typedef struct gi_zip_directory {
    uint64_t entries, bytes, at;
} gi_zip_directory;

static bool gi_find_zip_directory(const char *site, const char *what, const gi_source *s, gi_zip_directory *z)
{
    enum { END = 22, END64 = 56, LOCATOR = 20, LONGEST_COMMENT = 65535, LONGEST = LOCATOR + END + LONGEST_COMMENT };
    size_t         room = s->size < LONGEST ? (size_t)s->size : (size_t)LONGEST;
    unsigned char *tail = (unsigned char *)gi_mem_alloc(site, room);
    if (!tail) return false;
    int64_t              start = s->size - (int64_t)room;
    const unsigned char *end   = NULL;
    bool                 read  = gi_read_at(s, start, tail, room);
    for (size_t after = 0; read && !end && after + END <= room; after++) { /* bytes behind it: a comment */
        const unsigned char *p = tail + room - END - after;
        if (!memcmp(p, "PK\5\6", 4) && gi_little_endian(p + 20, 2) <= after) end = p;
    }
    bool found = end != NULL;
    if (found) {
        z->entries = gi_little_endian(end + 10, 2);
        z->bytes   = gi_little_endian(end + 12, 4);
        z->at      = gi_little_endian(end + 16, 4);
        unsigned char end64[END64];
        if (end - tail >= LOCATOR && !memcmp(end - LOCATOR, "PK\6\7", 4)) {
            uint64_t at = gi_little_endian(end - LOCATOR + 8, 8);
            found       = at < (uint64_t)s->size && gi_read_at(s, (int64_t)at, end64, END64) && !memcmp(end64, "PK\6\6", 4);
            z->entries  = found ? gi_little_endian(end64 + 32, 8) : 0;
            z->bytes    = found ? gi_little_endian(end64 + 40, 8) : 0;
            z->at       = found ? gi_little_endian(end64 + 48, 8) : 0;
        }
        found = found && z->bytes <= (uint64_t)s->size && z->at <= (uint64_t)s->size - z->bytes;
    }
    gi_mem_release(tail, room);
    if (!found) gi_fail(site, GA_BAD_FILE, "%s is no .npz file (a zip archive), or was cut short", what);
    return found;
}

/* Names of zip archives that are not said to be UTF-8 are in the letters of the IBM PC, code page 437, as Python's zipfile takes them. */
static void gi_zip_letters(const char *raw, char *to, size_t room)
{
    static const uint16_t letters[128] = {
        0x00c7, 0x00fc, 0x00e9, 0x00e2, 0x00e4, 0x00e0, 0x00e5, 0x00e7, 0x00ea, 0x00eb, 0x00e8, 0x00ef, 0x00ee, 0x00ec, 0x00c4,
        0x00c5, 0x00c9, 0x00e6, 0x00c6, 0x00f4, 0x00f6, 0x00f2, 0x00fb, 0x00f9, 0x00ff, 0x00d6, 0x00dc, 0x00a2, 0x00a3, 0x00a5,
        0x20a7, 0x0192, 0x00e1, 0x00ed, 0x00f3, 0x00fa, 0x00f1, 0x00d1, 0x00aa, 0x00ba, 0x00bf, 0x2310, 0x00ac, 0x00bd, 0x00bc,
        0x00a1, 0x00ab, 0x00bb, 0x2591, 0x2592, 0x2593, 0x2502, 0x2524, 0x2561, 0x2562, 0x2556, 0x2555, 0x2563, 0x2551, 0x2557,
        0x255d, 0x255c, 0x255b, 0x2510, 0x2514, 0x2534, 0x252c, 0x251c, 0x2500, 0x253c, 0x255e, 0x255f, 0x255a, 0x2554, 0x2569,
        0x2566, 0x2560, 0x2550, 0x256c, 0x2567, 0x2568, 0x2564, 0x2565, 0x2559, 0x2558, 0x2552, 0x2553, 0x256b, 0x256a, 0x2518,
        0x250c, 0x2588, 0x2584, 0x258c, 0x2590, 0x2580, 0x03b1, 0x00df, 0x0393, 0x03c0, 0x03a3, 0x03c3, 0x00b5, 0x03c4, 0x03a6,
        0x0398, 0x03a9, 0x03b4, 0x221e, 0x03c6, 0x03b5, 0x2229, 0x2261, 0x00b1, 0x2265, 0x2264, 0x2320, 0x2321, 0x00f7, 0x2248,
        0x00b0, 0x2219, 0x00b7, 0x221a, 0x207f, 0x00b2, 0x25a0, 0x00a0
    };
    size_t n = 0;
    for (const unsigned char *p = (const unsigned char *)raw; *p && n + 4 <= room; p++) {
        const unsigned c = *p < 0x80 ? *p : letters[*p - 0x80];
        if (c >= 0x800) to[n++] = (char)(0xE0 | c >> 12);
        if (c >= 0x80) to[n++] = (char)(c >= 0x800 ? 0x80 | (c >> 6 & 0x3F) : 0xC0 | c >> 6);
        to[n++] = (char)(c >= 0x80 ? 0x80 | (c & 0x3F) : c);
    }
    to[n] = 0;
}

/* Reads the directory entry at p (before `end`) and returns what follows it; NULL if it is damaged. */
static const unsigned char *gi_read_zip_entry(const unsigned char *p, const unsigned char *end, gi_zip_entry *e)
{
    enum { FIXED = 46 };
    if (end - p < FIXED || memcmp(p, "PK\1\2", 4) != 0) return NULL;
    size_t name = (size_t)gi_little_endian(p + 28, 2), extra = (size_t)gi_little_endian(p + 30, 2);
    size_t comment = (size_t)gi_little_endian(p + 32, 2);
    if ((size_t)(end - p) < FIXED + name + extra + comment) return NULL;
    e->flags  = (int)gi_little_endian(p + 8, 2);
    e->method = (int)gi_little_endian(p + 10, 2);
    e->crc    = (uint32_t)gi_little_endian(p + 16, 4);
    e->packed = gi_little_endian(p + 20, 4);
    e->size   = gi_little_endian(p + 24, 4);
    e->at     = gi_little_endian(p + 42, 4);
    p += FIXED;
    size_t kept = name >= 4 && !memcmp(p + name - 4, ".npy", 4) ? name - 4 : name;
    if (kept > sizeof e->raw - 1) kept = sizeof e->raw - 1;
    memcpy(e->raw, p, kept);
    e->raw[kept] = 0;
    if (e->flags & GI_ZIP_UTF8) memcpy(e->name, e->raw, sizeof e->name);
    else gi_zip_letters(e->raw, e->name, sizeof e->name);
    p += name;
    const unsigned char *extra_end = p + extra;
    while (extra_end - p >= 4) { /* tag, length, content: tag 1 holds the 64-bit values of the fields that are all ones */
        const unsigned char *field = p + 4, *next = field + gi_little_endian(p + 2, 2);
        if (next > extra_end) break;
        uint64_t *wide[] = { &e->size, &e->packed, &e->at };
        for (int i = 0; i < 3 && gi_little_endian(p, 2) == 1; i++)
            if (*wide[i] == 0xFFFFFFFFu && next - field >= 8) {
                *wide[i] = gi_little_endian(field, 8);
                field += 8;
            }
        p = next;
    }
    return extra_end + comment;
}

static bool gi_crc_is(const gi_source *s, int64_t at, uint64_t n, uint32_t expected)
{
    enum { PIECE = 1 << 15 };
    uint32_t crc = 0;
    GI_ARENA(unsigned char, piece, PIECE);
    GI_ARENA(gi_crc_table, table, 1);
    gi_make_crc_table(table);
    for (size_t now; n > 0; n -= now, at += (int64_t)now) {
        now = n < PIECE ? (size_t)n : (size_t)PIECE;
        if (!gi_read_at(s, at, piece, now)) return false;
        crc = gi_crc(table, crc, piece, now);
    }
    return crc == expected;
}

static bool gi_not_unpacked(const char *site, const char *what)
{
    return gi_fail(site, GA_BAD_FILE, "%s is damaged: it cannot be unpacked to what its checksum says", what) != NULL;
}

/* Unpacks so much of the deflated entry whose data begin at `at` that its header is there: does that go with its size? */
static bool gi_check_deflated(const char *site, const char *what, const gi_source *s, int64_t at, const gi_zip_entry *e,
                              gi_inflater *inflater)
{
    enum {
        PACKED       = 1 << 15,
        START        = 1 << 14,
        LONGEST_COPY = 258
    }; /* more than the longest header takes, and what deflate copies */
    size_t packed = e->packed < PACKED ? (size_t)e->packed : (size_t)PACKED,
           n      = e->size < START ? (size_t)e->size : (size_t)START;
    char *room    = (char *)gi_mem_alloc(site, PACKED + START);
    bool  ok      = room != NULL;
    if (ok) {
        gi_source     start = { NULL, (const unsigned char *)room + PACKED, 0 };
        gi_npy_header h;
        int64_t       begin = 0, strides[GPUARR_MAX_DIMS];
        ok                  = gi_read_at(s, at, room, packed) || gi_not_unpacked(site, what);
        if (ok) start.size = (int64_t)gi_inflate_start(inflater, room, packed, room + PACKED, n);
        if (ok && packed == e->packed && (size_t)start.size + LONGEST_COPY < n) ok = gi_not_unpacked(site, what);
        memset(&h, 0, sizeof h);
        ok = ok && gi_read_header(site, what, &start, &begin, &h);
        for (int d = 0; d < h.ndim && ok; d++) ok = h.shape[d] >= 0;
        int64_t bytes = ok ? gi_shape_c_strides(h.dtype, h.ndim, h.shape, strides) : 0;
        if (ok && (bytes < 0 || (uint64_t)bytes > e->size - (uint64_t)begin))
            ok = gi_fail(site, GA_BAD_FILE, "%s claims %s of %s, but only %llu bytes of data are there: was it cut short?",
                         what, gi_shape_text(h.ndim, h.shape), ga_dtype_name(h.dtype),
                         (unsigned long long)(e->size - (uint64_t)begin)) != NULL;
        gi_mem_release(room, PACKED + START);
    }
    return ok;
}

/* Unpacks the deflated entry whose data begin at `at`, then reads it. */
static ga_array *gi_read_deflated(const char *site, const char *what, const gi_source *s, int64_t at, const gi_zip_entry *e)
{
    enum { BEST_RATIO = 1032 }; /* of deflate; more is a lie, refused before there is memory for it */
    if (e->size / BEST_RATIO > e->packed + 1)
        return (ga_array *)gi_fail(site, GA_BAD_FILE, "%s claims %llu bytes packed into %llu: is it damaged?", what,
                                   (unsigned long long)e->size, (unsigned long long)e->packed);
    size_t       size = (size_t)e->size, packed_size = (size_t)e->packed;
    ga_array    *a        = NULL;
    gi_inflater *inflater = (gi_inflater *)gi_mem_alloc(site, sizeof *inflater);
    bool         sound    = inflater && gi_check_deflated(site, what, s, at, e, inflater);
    void        *packed   = sound ? gi_mem_alloc(site, packed_size) : NULL;
    void        *bytes    = packed ? gi_mem_alloc(site, size) : NULL;
    if (bytes) {
        gi_source unpacked = { NULL, (const unsigned char *)bytes, (int64_t)size };
        if (!gi_read_at(s, at, packed, packed_size) || !gi_inflate(inflater, packed, packed_size, bytes, size) ||
            !gi_crc_is(&unpacked, 0, size, e->crc))
            (void)gi_not_unpacked(site, what);
        else a = gi_npy_parse(site, what, bytes, size);
    }
    gi_mem_release(bytes, size);
    gi_mem_release(packed, packed_size);
    gi_mem_release(inflater, sizeof *inflater);
    return a;
}

static ga_array *gi_read_zipped(const char *site, const char *what, const gi_source *s, const gi_zip_entry *e)
{
    enum { FIXED = 30 };
    unsigned char local[FIXED];
    if (e->at > (uint64_t)s->size || !gi_read_at(s, (int64_t)e->at, local, FIXED) || memcmp(local, "PK\3\4", 4) != 0)
        return (ga_array *)gi_fail(site, GA_BAD_FILE, "%s is not where the archive says: is it damaged?", what);
    int64_t at = (int64_t)(e->at + FIXED + gi_little_endian(local + 26, 2) + gi_little_endian(local + 28, 2));
    if (at > s->size || e->packed > (uint64_t)(s->size - at))
        return (ga_array *)gi_fail(site, GA_BAD_FILE, "%s claims %llu bytes, which are not there: was the archive cut short?",
                                   what, (unsigned long long)e->packed);
    if (e->flags & 1) return (ga_array *)gi_fail(site, GA_BAD_FILE, "%s is encrypted: write it with numpy.savez", what);
    if (e->method == 8) return gi_read_deflated(site, what, s, at, e);
    if (e->method != 0)
        return (ga_array *)gi_fail(site, GA_BAD_FILE, "%s is packed by an unknown method (%d): write it with numpy.savez", what,
                                   e->method);
    if (e->packed != e->size || !gi_crc_is(s, at, e->size, e->crc))
        return (ga_array *)gi_fail(site, GA_BAD_FILE, "%s is damaged: its bytes do not give its checksum", what);
    gi_source part = *s; /* ends where the entry ends */
    part.size      = at + (int64_t)e->size;
    return gi_npy_read(site, what, &part, at);
}

/* Is that, or name.npy, the one that is asked for? */
static bool gi_zip_is(const char *name, const char *asked)
{
    const size_t n = strlen(name);
    return !strncmp(asked, name, n) && (!asked[n] || !strcmp(asked + n, ".npy"));
}

/* The array `name` (NULL: the first) of an archive. */
static ga_array *gi_npz_read(const char *site, const char *what, const gi_source *s, const char *name)
{
    gi_zip_directory z = { 0, 0, 0 };
    if (!gi_find_zip_directory(site, what, s, &z)) return NULL;
    size_t         bytes     = (size_t)z.bytes;
    unsigned char *directory = (unsigned char *)gi_mem_alloc(site, bytes);
    if (!directory) return NULL;
    const unsigned char *p = gi_read_at(s, (int64_t)z.at, directory, bytes) ? directory : NULL;
    gi_zip_entry         e;
    bool                 found = false;
    char                 there[GI_NAME_ROOM]; /* the names, for the message */
    int                  used = 0;
    there[0]                  = 0;
    for (uint64_t i = 0; p && i < z.entries && !found; i++) {
        p = gi_read_zip_entry(p, directory + bytes, &e);
        if (!p) break;
        found = !name || gi_zip_is(e.name, name) || gi_zip_is(e.raw, name);
        for (char *c = e.name; *c; c++)
            if ((unsigned char)*c < ' ') *c = '?'; /* messages quote it */
        if (!found && used < (int)sizeof there - 1)
            used += snprintf(there + used, sizeof there - (size_t)used, used ? ", %s" : "%s", e.name);
    }
    ga_array *a = NULL;
    if (found) {
        char which[2 * GI_NAME_ROOM];
        snprintf(which, sizeof which, "array '%s' of %s", e.name, what);
        a = gi_read_zipped(site, which, s, &e);
    } else if (!p) {
        gi_fail(site, GA_BAD_FILE, "the directory of %s makes no sense: is it damaged?", what);
    } else if (!name) {
        gi_fail(site, GA_BAD_FILE, "%s holds no array", what);
    } else {
        gi_fail(site, GA_BAD_ARGUMENT, "%s holds no array '%.100s'; it has: %s", what, name, used > 0 ? there : "none");
    }
    gi_mem_release(directory, bytes);
    return a;
}

ga_array *(ga_load_from)(const char *path, const char *name, const char *site)
{
    gi_source s;
    if (!gi_open_source(site, path, &s)) return NULL;
    char what[GI_NAME_ROOM];
    gi_show_path(what, path);
    ga_array *a = gi_npz_read(site, what, &s, name);
    fclose(s.file);
    return gi_copy_to_default_device(site, a);
}

static void gi_write_number(gi_output *o, uint64_t v, int n)
{
    unsigned char bytes[8];
    for (int i = 0; i < n; i++) bytes[i] = (unsigned char)(v >> 8 * i);
    gi_write(o, bytes, (size_t)n);
}

/* A size or place in a 32-bit field: all ones where it does not fit. */
static void gi_write_32(gi_output *o, uint64_t v) { gi_write_number(o, v < GI_ZIP_LIMIT ? v : 0xFFFFFFFFu, 4); }

/* The header of an entry: before its data, or in the directory. Both have the same fields, the directory some more. */
static void gi_write_zip_entry(gi_output *o, const gi_zip_entry *e, const char *name, bool directory)
{
    bool     wide_size = e->size >= GI_ZIP_LIMIT, wide_at = directory && e->at >= GI_ZIP_LIMIT;
    unsigned extra = (wide_size ? 16u : 0u) + (wide_at ? 8u : 0u), version = extra > 0 ? 45 : 20;
    size_t   n = strlen(name);
    gi_write(o, directory ? "PK\1\2" : "PK\3\4", 4);
    if (directory) gi_write_number(o, 3 << 8 | version, 2); /* made on Unix */
    gi_write_number(o, version, 2);
    gi_write_number(o, (uint64_t)e->flags, 2);
    gi_write_number(o, 0, 4);          /* not packed; time 0:00 */
    gi_write_number(o, 1 << 5 | 1, 2); /* 1 January 1980, so that equal arrays give equal files */
    gi_write_number(o, e->crc, 4);
    gi_write_32(o, e->size);
    gi_write_32(o, e->size);
    gi_write_number(o, n + 4, 2);
    gi_write_number(o, extra > 0 ? extra + 4 : 0, 2);
    if (directory) {
        gi_write_number(o, 0, 6);           /* no comment, first disk, not text */
        gi_write_number(o, 0600u << 16, 4); /* permissions */
        gi_write_32(o, e->at);
    }
    gi_write(o, name, n);
    gi_write(o, ".npy", 4);
    if (extra > 0) gi_write_number(o, 1 | (uint64_t)extra << 16, 4);
    if (wide_size) gi_write_number(o, e->size, 8);
    if (wide_size) gi_write_number(o, e->size, 8);
    if (wide_at) gi_write_number(o, e->at, 8);
}

static void gi_write_zip_end(gi_output *o, uint64_t entries, uint64_t start)
{
    uint64_t end = (uint64_t)o->at;
    if (entries >= 0xFFFF || end >= GI_ZIP_LIMIT) {
        gi_write(o, "PK\6\6", 4);
        gi_write_number(o, 44, 8);            /* bytes that follow */
        gi_write_number(o, 45 | 45 << 16, 4); /* versions */
        gi_write_number(o, 0, 8);             /* disks */
        gi_write_number(o, entries, 8);
        gi_write_number(o, entries, 8);
        gi_write_number(o, end - start, 8);
        gi_write_number(o, start, 8);
        gi_write(o, "PK\6\7", 4);
        gi_write_number(o, 0, 4);
        gi_write_number(o, end, 8);
        gi_write_number(o, 1, 4);
    }
    gi_write(o, "PK\5\6", 4);
    gi_write_number(o, 0, 4);
    gi_write_number(o, entries < 0xFFFF ? entries : 0xFFFF, 2);
    gi_write_number(o, entries < 0xFFFF ? entries : 0xFFFF, 2);
    gi_write_32(o, end - start);
    gi_write_32(o, start);
    gi_write_number(o, 0, 2);
}

/* The names of arrays without one: arr_0, arr_1 ... as numpy.savez. */
static const char *gi_zip_name(const char *const *names, int i, char *room)
{
    if (names && names[i]) return names[i];
    snprintf(room, 24, "arr_%d", i);
    return room;
}

/* Is it UTF-8, beyond ASCII? */
static bool gi_is_utf8(const char *text)
{
    bool beyond = false;
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        const unsigned first = p[0], next = p[1];
        if (first < 0x80) continue;
        if (first < 0xC2 || first > 0xF4) return false;
        if ((first == 0xE0 && next < 0xA0) || (first == 0xED && next > 0x9F) || (first == 0xF0 && next < 0x90) ||
            (first == 0xF4 && next > 0x8F))
            return false; /* longer than it need be, half of a pair, or beyond Unicode */
        for (int more = first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3; more > 0; more--)
            if ((*++p & 0xC0) != 0x80) return false;
        beyond = true;
    }
    return beyond;
}

static bool gi_write_zipped(const char *site, gi_output *o, const gi_crc_table *table, const char *name, const ga_array *a,
                            gi_zip_entry *e)
{
    ga_array *c = gi_copy_on_cpu(site, a);
    if (!c) return false;
    char   header[GI_NPY_HEADER_ROOM];
    size_t before = (size_t)gi_npy_header_bytes(c, header), bytes = (size_t)(c->size * ga_itemsize(c->dtype));
    e->at   = (uint64_t)o->at;
    e->size = before + bytes;
    e->crc  = gi_crc(table, gi_crc(table, 0, header, before), c->data, bytes);
    if (gi_is_utf8(name)) e->flags = GI_ZIP_UTF8;
    gi_write_zip_entry(o, e, name, false);
    gi_write(o, header, before);
    gi_write(o, c->data, bytes);
    ga_free(c);
    return true;
}

bool(ga_savez)(const char *path, int n, const char *const *names, const ga_array *const *arrays, const char *site)
{
    if (n < 0 || (n > 0 && !arrays)) {
        gi_fail(site, GA_BAD_ARGUMENT, n < 0 ? "the number of arrays is negative" : "the list of arrays is NULL");
        return false;
    }
    char a_name[24], b_name[24];
    for (int i = 0; i < n; i++) {
        const char *name = gi_zip_name(names, i, a_name);
        if (!gi_array_check_half(site, arrays[i], name) || !gi_npy_holds(site, arrays[i])) return false;
        if (strlen(name) > 250) {
            gi_fail(site, GA_BAD_ARGUMENT, "the name of array %d has %zu bytes; at most 250 are possible", i, strlen(name));
            return false;
        }
        for (int j = 0; j < i; j++)
            if (!strcmp(name, gi_zip_name(names, j, b_name))) {
                gi_fail(site, GA_BAD_ARGUMENT, "arrays %d and %d have the same name '%s'", j, i, name);
                return false;
            }
    }
    if (gi_name_misleads(site, path, ".npz", " .npz ")) return false;
    size_t        bytes   = (size_t)n * sizeof(gi_zip_entry);
    gi_zip_entry *entries = (gi_zip_entry *)gi_mem_alloc(site, bytes);
    if (!entries) return false;
    memset(entries, 0, bytes);
    gi_output o;
    bool      done = gi_open_output(site, path, &o);
    if (done) {
        GI_ARENA(gi_crc_table, table, 1);
        gi_make_crc_table(table);
        for (int i = 0; i < n && done; i++)
            done = gi_write_zipped(site, &o, table, gi_zip_name(names, i, a_name), arrays[i], &entries[i]);
        uint64_t start = (uint64_t)o.at;
        for (int i = 0; i < n && done; i++) gi_write_zip_entry(&o, &entries[i], gi_zip_name(names, i, a_name), true);
        gi_write_zip_end(&o, (uint64_t)n, start);
        done = gi_close_output(site, &o, done);
    }
    gi_mem_release(entries, bytes);
    return done;
}
