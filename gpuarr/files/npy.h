/* ==== >>npy: NumPy's .npy and .npz files ========================================================================== */
/*  Read: .npy 1.0 to 3.0 in any byte and memory order (the array is always in C order), .npz with stored or deflated entries.
    Written: what numpy.save and numpy.savez write. A file is not believed: what it claims is compared with its size before
    memory is asked for.                                                                                                     */

/* Where bytes are read from: a file, or memory. */
typedef struct gi_source {
    FILE                *file; /* NULL: bytes */
    const unsigned char *bytes;
    int64_t              size;
} gi_source;

static bool gi_read_at(const gi_source *s, int64_t at, void *to, size_t n)
{
    if (at < 0 || at > s->size || n > (uint64_t)(s->size - at)) return false;
    if (!s->file) {
        if (n > 0) memcpy(to, s->bytes + at, n);
        return true;
    }
    return fseek(s->file, (long)at, SEEK_SET) == 0 && fread(to, 1, n, s->file) == n;
}

static bool gi_open_source(const char *site, const char *path, gi_source *s)
{
    if (!path) {
        gi_fail(site, GA_BAD_ARGUMENT, "the path is NULL");
        return false;
    }
    struct stat about;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) /* a pipe would be waited for */
        return gi_fail(site, GA_NO_FILE, "cannot read '%s': it is no regular file%s", path,
                       S_ISDIR(about.st_mode) ? "" : ": copy what it gives to one, and read that") != NULL;
    errno    = 0;
    s->bytes = NULL;
    s->size  = -1;
    s->file  = fopen(path, "rb");
    if (s->file && fseek(s->file, 0, SEEK_END) == 0) {
        s->size = (int64_t)ftell(s->file);
        if (s->size > 0 || (s->size == 0 && fgetc(s->file) == EOF)) return true;
    }
    if (s->file && s->size == 0) /* as those of /proc */
        gi_fail(site, GA_NO_FILE, "cannot read '%s': it has no size, but bytes: copy it to a file, and read that", path);
    else gi_file_fail(site, errno, "cannot %s '%s'", s->file ? "go back and forth in" : "open", path);
    if (s->file) fclose(s->file);
    return false;
}

/* The little-endian number of n bytes at p. */
static uint64_t gi_little_endian(const unsigned char *p, int n)
{
    uint64_t v = 0;
    while (n-- > 0) v = v << 8 | p[n];
    return v;
}

/* ---- the header of .npy: a Python dictionary --------------------------------------------------------------------- */

typedef struct gi_npy_header {
    ga_dtype dtype;
    bool     swapped, fortran; /* the other byte order; the first axis varies fastest */
    bool     python2;          /* may write 3L */
    int      ndim;
    int64_t  shape[GPUARR_MAX_DIMS];
} gi_npy_header;

#define GI_LITTLE_ENDIAN (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)

static char gi_npy_kind(ga_dtype d)
{
    return d == GA_BOOL ? 'b' : gi_is_signed(d) ? 'i' : gi_is_int(d) ? 'u' : gi_is_complex(d) ? 'c' : 'f';
}

/* Has NumPy the dtype? False with an error. */
static bool gi_npy_holds(const char *site, const ga_array *a)
{
    if (a->dtype != GA_BF16) return true;
    gi_fail(site, GA_BAD_DTYPE,
            "NumPy has no bfloat16, nor have its files: save ga_astype(a, GA_F32), or ga_view_as(a, GA_U16)");
    return false;
}

/* "<f8" and the like. What gpuarr has no dtype for is an error that says what to save instead. */
static bool gi_read_descr(const char *site, const char *what, const char *descr, gi_npy_header *h)
{
    const char *p     = descr;
    char        order = strchr("<>=|", *p) && *p ? *p++ : '=';
    char        kind = *p, *end = NULL;
    long        size = kind ? strtol(p + 1, &end, 10) : 0;
    if (kind == '?' && p[1] == 0) kind = 'b', size = 1, end = NULL;
    bool plain = kind && (!end || (end > p + 1 && *end == 0));
    for (int d = GA_BOOL; plain && d < GA_BF16; d++)
        if (kind == gi_npy_kind((ga_dtype)d) && size == ga_itemsize((ga_dtype)d)) {
            h->dtype   = (ga_dtype)d;
            h->swapped = order == (GI_LITTLE_ENDIAN ? '>' : '<');
            return true;
        }
    const char *is = "of an unknown dtype", *instead = "numpy.float64";
    if (kind == 'f' && size > 8) is = "long double", instead = "numpy.float64";
    if (kind == 'c' && size > 16) is = "complex long double", instead = "numpy.complex128";
    if (kind == 'M' || kind == 'm') is = "dates or times", instead = "numpy.int64";
    if (kind == 'O') is = "Python objects", instead = "numpy.float64";
    if (kind == 'S' || kind == 'U' || kind == 'a') is = "strings", instead = "numpy.float64";
    if (kind == 'V') is = "raw or structured", instead = "numpy.float64";
    gi_fail(site, GA_BAD_DTYPE, "the elements in %s are %s ('%.40s'), which gpuarr cannot hold: save a.astype(%s)", what, is,
            descr, instead);
    return false;
}

/* "(3, 4)"; returns what follows it, or NULL (a list, a missing comma, a number that is none to Python, as 03). */
static const char *gi_read_shape(const char *p, gi_npy_header *h, bool *too_many)
{
    bool comma = false;
    h->ndim    = 0;
    if (*p++ != '(') return NULL;
    for (;;) {
        p = gi_skip_blanks(p);
        if (*p == ')') return h->ndim == 1 && !comma ? NULL : p + 1;
        if (h->ndim > 0 && !comma) return NULL;
        char *end;
        errno       = 0;
        long long n = strtoll(p, &end, 10);
        if (end == p || errno == ERANGE || (n != 0 && p[*p == '+' || *p == '-'] == '0')) return NULL;
        p = gi_skip_blanks(*end == 'L' && h->python2 ? end + 1 : end);
        if (h->ndim == GPUARR_MAX_DIMS) {
            *too_many = true;
            return NULL;
        }
        h->shape[h->ndim++] = n;
        comma               = *p == ',';
        if (comma) p++;
    }
}

/* From a bracket to the one that ends it, or to the end of the text. */
static int gi_bracket_length(const char *text)
{
    int depth = 0, n = 0;
    while (text[n]) {
        const char c = text[n++];
        depth += c == '[' || c == '(' ? 1 : c == ']' || c == ')' ? -1 : 0;
        if (depth == 0) break;
    }
    return n;
}

/* {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), } in any order of the keys, and nothing else. */
static bool gi_read_header_text(const char *site, const char *what, const char *text, gi_npy_header *h)
{
    enum { DESCR = 1, ORDER = 2, SHAPE = 4 };
    int         seen     = 0;
    bool        too_many = false, ended = false;
    const char *p = text + strspn(text, " \t"), *stuck = p;
    p += strspn(p, "\r\n"); /* behind which Python takes no blanks */
    if (*p++ != '{') p = NULL;
    while (p && !(ended = *(p = gi_skip_blanks(p)) == '}')) {
        stuck             = p;
        char        quote = *p++, value[48];
        const char *key   = p;
        size_t      n     = strcspn(p, "'\"");
        if ((quote != '\'' && quote != '"') || p[n] != quote) break;
        p = gi_skip_blanks(p + n + 1);
        if (*p++ != ':') break;
        p     = gi_skip_blanks(p);
        stuck = p;
        if (n == 5 && !strncmp(key, "descr", n)) {
            seen |= DESCR;
            quote = *p++;
            n     = strcspn(p, "'\"");
            if (quote == '[' || quote == '(') {
                enum { MOST = 80 };
                const int length = gi_bracket_length(stuck);
                gi_fail(site, GA_BAD_DTYPE,
                        "the elements in %s are structured (%.*s%s): save each field as an array of its own, a['field']", what,
                        length > MOST ? (int)MOST : length, stuck, length > MOST ? " ..." : "");
                return false;
            }
            if ((quote != '\'' && quote != '"') || p[n] != quote || n >= sizeof value) break;
            memcpy(value, p, n);
            value[n] = 0;
            if (!gi_read_descr(site, what, value, h)) return false;
            p += n + 1;
        } else if (n == 13 && !strncmp(key, "fortran_order", n)) {
            seen |= ORDER;
            h->fortran = !strncmp(p, "True", 4);
            if (!h->fortran && strncmp(p, "False", 5) != 0) break;
            p += h->fortran ? 4 : 5;
        } else if (n == 5 && !strncmp(key, "shape", n)) {
            seen |= SHAPE;
            p = gi_read_shape(p, h, &too_many);
            if (!p) break;
        } else {
            break;
        }
        p = gi_skip_blanks(p);
        if (*p == ',') p++;
        else if (*p != '}') break;
        stuck = p;
    }
    if (too_many)
        gi_fail(site, GA_BAD_SHAPE, "the array in %s has more than %d dimensions, %.60s: #define GPUARR_MAX_DIMS for more",
                what, GPUARR_MAX_DIMS, stuck);
    else if (!ended || *gi_skip_blanks(p + 1))
        gi_fail(site, GA_BAD_FILE, "the header of %s makes no sense at \"%.40s\": is it damaged?", what, ended ? p : stuck);
    else if (seen != (DESCR | ORDER | SHAPE))
        gi_fail(site, GA_BAD_FILE, "the header of %s lacks '%s': is it damaged?", what,
                !(seen & DESCR)   ? "descr"
                : !(seen & ORDER) ? "fortran_order"
                                  : "shape");
    else return true;
    return false;
}

/* Reads magic, version, length and dictionary, which begin at `at`; moves `at` to the data. */
static bool gi_read_header(const char *site, const char *what, const gi_source *s, int64_t *at, gi_npy_header *h)
{
    enum { LONGEST = 10000 }; /* as numpy.load's max_header_size; only structured dtypes come near it */
    unsigned char start[12];
    char          text[LONGEST + 1];
    errno = 0;
    if (!gi_read_at(s, *at, start, 10) || memcmp(start, "\x93NUMPY", 6) != 0) {
        gi_fail(site, GA_BAD_FILE, "%s is no .npy file: it does not begin with \\x93NUMPY%s%s", what, errno ? "; " : "",
                errno ? strerror(errno) : "");
        return false;
    }
    int major = start[6], minor = start[7], length_bytes = major == 1 ? 2 : 4;
    if (major < 1 || major > 3 || minor != 0) {
        gi_fail(site, GA_BAD_FILE, "%s is of version %d.%d of the .npy format; 1.0, 2.0 and 3.0 are known", what, major, minor);
        return false;
    }
    bool    whole  = gi_read_at(s, *at, start, (size_t)(8 + length_bytes));
    int64_t length = whole ? (int64_t)gi_little_endian(start + 8, length_bytes) : 0;
    if (length > LONGEST) {
        gi_fail(site, GA_BAD_FILE, "the header of %s claims %lld bytes, more than any array of numbers needs: is it damaged?",
                what, (long long)length);
        return false;
    }
    *at += 8 + length_bytes;
    if (!whole || !gi_read_at(s, *at, text, (size_t)length)) {
        gi_fail(site, GA_BAD_FILE, "%s ends within its header: was it cut short?", what);
        return false;
    }
    *at += length;
    text[length] = 0;
    for (int64_t i = 0; i < length; i++) { /* a message may quote the text: what cannot be shown is wrong anyway */
        bool blank = text[i] == '\n' || text[i] == '\r' || text[i] == '\t';
        if (!blank && (text[i] < ' ' || text[i] > '~')) text[i] = '?';
    }
    h->python2 = major < 3;
    return gi_read_header_text(site, what, text, h);
}

/* ---- .npy -------------------------------------------------------------------------------------------------------- */

/* What the header at `*at` says, checked; moves `*at` to the data. `shape` and `strides`: as they lie, in C order. The bytes of the data, or
   -1 with an error. */
static int64_t gi_npy_locate(const char *site, const char *what, const gi_source *s, int64_t *at, gi_npy_header *h,
                             int64_t *shape, int64_t *strides)
{
    memset(h, 0, sizeof *h);
    if (!gi_read_header(site, what, s, at, h)) return -1;
    bool possible = true;
    for (int d = 0; d < h->ndim; d++) {
        possible = possible && h->shape[d] >= 0;
        shape[d] = h->shape[h->fortran ? h->ndim - 1 - d : d];
    }
    const int64_t bytes = possible ? gi_shape_c_strides(h->dtype, h->ndim, shape, strides) : -1, there = s->size - *at;
    if (bytes >= 0 && bytes <= there) return bytes;
    if (bytes < 0) gi_fail(site, GA_BAD_FILE, "%s claims the shape %s: is it damaged?", what, gi_shape_text(h->ndim, h->shape));
    else
        gi_fail(site, GA_BAD_FILE, "%s claims %s of %s, but only %lld bytes of data are there: was it cut short?", what,
                gi_shape_text(h->ndim, h->shape), ga_dtype_name(h->dtype), (long long)there);
    return -1;
}

/* The array that begins at `at`; `what` names the file in messages. What follows the array is left alone, as NumPy does. */
static ga_array *gi_npy_read(const char *site, const char *what, const gi_source *s, int64_t at)
{
    gi_npy_header h;
    int64_t       shape[GPUARR_MAX_DIMS], strides[GPUARR_MAX_DIMS];
    const int64_t bytes = gi_npy_locate(site, what, s, &at, &h, shape, strides);
    if (bytes < 0) return NULL;
    ga_array *a = gi_array_new(site, h.dtype, GA_CPU, h.ndim, shape);
    if (!a) return NULL;
    errno = 0;
    if (!gi_read_at(s, at, a->data, (size_t)bytes)) {
        const int error = errno;
        ga_free(a);
        return (ga_array *)gi_file_fail(site, error, "cannot read %s", what);
    }
    gi_repair_elements(a->data, a->size, h.dtype, h.swapped);
    if (!h.fortran || h.ndim < 2) return a;

    /* Fortran order: the same memory with the axes reversed, then copied to C order like every array that is read. */
    int64_t reversed[GPUARR_MAX_DIMS];
    for (int d = 0; d < h.ndim; d++) reversed[d] = strides[h.ndim - 1 - d];
    ga_array *view = gi_array_new_view(site, a, a->data, a->dtype, h.ndim, h.shape, reversed);
    ga_array *c    = view ? gi_copy_convert(site, view, a->dtype) : NULL;
    ga_free(view);
    ga_free(a);
    return c;
}

/* The array in the n bytes of an .npy file. */
static ga_array *gi_npy_parse(const char *site, const char *what, const void *bytes, size_t n)
{
    gi_source s = { NULL, (const unsigned char *)bytes, (int64_t)n };
    return gi_npy_read(site, what, &s, 0);
}

static void gi_npy_unmap(void *map, void *bytes) { (void)munmap(map, (size_t)(uintptr_t)bytes); }

/* The array in the n bytes of a mapping, which it takes over; it is read as ever where the bytes cannot stay as they are. */
static ga_array *gi_npy_in_map(const char *site, const char *what, unsigned char *map, size_t n)
{
    const gi_source s = { NULL, map, (int64_t)n };
    gi_npy_header   h;
    ga_shape        shape;
    int64_t         at = 0, strides[GPUARR_MAX_DIMS];
    memset(&shape, 0, sizeof shape);
    const int64_t bytes = gi_npy_locate(site, what, &s, &at, &h, shape.n, strides);
    if (bytes < 0) return NULL;
    if (h.swapped || bytes == 0 || at % ga_itemsize(gi_dtype_real(h.dtype)) != 0) {
        ga_array *a = gi_npy_read(site, what, &s, 0);
        if (a) gi_npy_unmap(map, (void *)(uintptr_t)n);
        return a;
    }
    shape.ndim = h.ndim;
    for (int d = 0; h.fortran && d < h.ndim / 2; d++) { /* the axes of what lies there are reversed */
        const int64_t last      = strides[h.ndim - 1 - d];
        strides[h.ndim - 1 - d] = strides[d];
        strides[d]              = last;
    }
    memcpy(shape.n, h.shape, sizeof shape.n);
    ga_array *a = gi_wrap(site, map + at, h.dtype, &shape, strides);
    if (!a) return NULL;
    a->owner->base    = map;
    a->owner->below   = -at; /* the header is none of the array's memory */
    a->owner->user    = (void *)(uintptr_t)n;
    a->owner->release = gi_npy_unmap;
    return a;
}

/* Maps the file: pages are read when they are touched, and what is written stays in memory. */
static ga_array *gi_npy_map(const char *site, const char *what, const char *path)
{
    struct stat about;
    void       *map = MAP_FAILED;
    const int   fd  = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &about) == 0)
        map = mmap(NULL, (size_t)about.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, fd, 0);
    if (map == MAP_FAILED && fd >= 0 && errno == ENOMEM)
        gi_fail(site, GA_NO_MEMORY, "cannot map %s: its %lld bytes are more addresses than the process may use (ulimit -v)",
                what, (long long)about.st_size);
    else if (map == MAP_FAILED)
        gi_fail(site, gi_file_status(errno), "cannot map %s: %s; leave out .mmap", what, strerror(errno));
    if (fd >= 0) (void)close(fd);
    if (map == MAP_FAILED) return NULL;
    ga_array *a = gi_npy_in_map(site, what, (unsigned char *)map, (size_t)about.st_size);
    if (!a) gi_npy_unmap(map, (void *)(uintptr_t)about.st_size);
    return a;
}

enum { GI_NAME_ROOM = 400 };

/* The name of a file as sentences have it, in quotes; a long one is shortened in its middle. */
static void gi_show_path(char to[GI_NAME_ROOM], const char *path)
{
    gi_write_ends(to + 1, GI_NAME_ROOM - 100, path); /* more may stand behind it */
    *to = '\'';
    strcat(to, "'");
}

ga_array *(ga_load)(const char *path, ga_load_options o)
{
    const char *site = o.site;
    gi_source   s;
    if (!gi_open_source(site, path, &s)) return NULL;
    char      what[GI_NAME_ROOM], start[4] = "";
    ga_array *a = NULL;
    gi_show_path(what, path);
    if (gi_read_at(&s, 0, start, 4) && !memcmp(start, "PK\3\4", 4))
        gi_fail(site, GA_BAD_FILE, "%s holds several arrays (.npz): use ga_load_from(path, name)", what);
    else a = o.mmap && s.size > 0 ? gi_npy_map(site, what, path) : gi_npy_read(site, what, &s, 0);
    fclose(s.file);
    return gi_copy_to_default_device(site, a);
}

/* A file that is being written; the first error is kept for the end. */
typedef struct gi_output {
    gi_new_file to;
    const char *path;
    int64_t     at;
    int         error; /* errno of what failed */
} gi_output;

static bool gi_open_output(const char *site, const char *path, gi_output *o)
{
    o->path  = path;
    o->at    = 0;
    o->error = 0;
    if (!path) return gi_fail(site, GA_BAD_ARGUMENT, "the path is NULL") != NULL;
    return gi_file_begin(&o->to, path) ||
           gi_fail(site, gi_file_status(o->to.error), "cannot write '%s': %s", path, o->to.why) != NULL;
}

/* Does the name end as files of another format do? Then what would be written under it is not what it says: an error. `writes`: what is
   written, and as what its names end, " .fits .fit". */
static bool gi_name_misleads(const char *site, const char *path, const char *writes, const char *own)
{
    static const char others[] =
        " .npy .npz .zarr .h5 .hdf5 .nc .mat .csv .json .png .jpg .jpeg .gif .bmp .tif .tiff .webp .svg .pdf "
        ".eps .fits .fit .fts .gz ";
    const char *dot = path ? strrchr(path, '.') : NULL;
    char        end[10];
    if (!dot || snprintf(end, sizeof end, " %s ", dot) >= (int)sizeof end) return false;
    for (char *c = end; *c; c++) *c = *c >= 'A' && *c <= 'Z' ? (char)(*c + 32) : *c;
    if (!strstr(others, end) || strstr(own, end)) return false;
    return gi_fail(site, GA_BAD_ARGUMENT, "'%s' ends in %s, and what is written is %s: let the name end in%.*s", path, dot,
                   writes, (int)strcspn(own + 1, " ") + 1, own) == NULL;
}

static void gi_write(gi_output *o, const void *p, size_t n)
{
    const size_t most = (size_t)8 << 20;
    for (const char *from = (const char *)p; n > 0;) {
        const size_t part = n < most ? n : most;
        errno             = 0;
        if (!o->error && fwrite(from, 1, part, o->to.file) != part) o->error = errno ? errno : EIO;
        if (part == most && !o->error) gi_file_begin_sync(o->to.fd, o->at, (int64_t)part);
        o->at += (int64_t)part;
        from += part;
        n -= part;
    }
}

static bool gi_close_output(const char *site, gi_output *o, bool complete)
{
    bool done = gi_file_end(&o->to, complete && !o->error);
    if (done || (!complete && !o->error)) return done;
    return gi_fail(site, gi_file_status(o->error ? o->error : o->to.error), "cannot write all of '%s': %s", o->path,
                   o->error ? strerror(o->error) : o->to.why) != NULL;
}

enum { GI_NPY_HEADER_ROOM = 24 * GPUARR_MAX_DIMS + 256 };

/* The bytes before the data, as numpy.save writes them for a C-ordered array; returns their number, a multiple of 64. */
static int gi_npy_header_bytes(const ga_array *a, char *out)
{
    int  size  = (int)ga_itemsize(a->dtype);
    char order = size == 1 ? '|' : GI_LITTLE_ENDIAN ? '<' : '>';
    int  n     = 10 + snprintf(out + 10, GI_NPY_HEADER_ROOM - 10, "{'descr': '%c%c%d', 'fortran_order': False, 'shape': %s, }",
                               order, gi_npy_kind(a->dtype), size, gi_shape_of(a));
    if (a->ndim > 0) { /* NumPy leaves room for the first length to grow to 21 digits */
        char first[24];
        for (int i = snprintf(first, sizeof first, "%lld", (long long)a->shape[0]); i < 21; i++) out[n++] = ' ';
    }
    out[n++] = ' '; /* NumPy pads with 1 to 64 blanks before the line feed */
    do out[n++] = ' ';
    while (n % 64 != 0);
    out[n - 1] = '\n';
    memcpy(out, "\x93NUMPY\1\0", 8);
    out[8] = (char)((n - 10) & 255);
    out[9] = (char)((n - 10) >> 8);
    return n;
}

bool(ga_save)(const char *path, const ga_array *a, const char *site)
{
    gi_output o;
    if (!gi_array_check_half(site, a, "a") || !gi_npy_holds(site, a) || gi_name_misleads(site, path, ".npy", " .npy ") ||
        !gi_open_output(site, path, &o))
        return false;
    ga_array *c = gi_copy_on_cpu(site, a);
    if (c) {
        char header[GI_NPY_HEADER_ROOM];
        gi_write(&o, header, (size_t)gi_npy_header_bytes(c, header));
        gi_write(&o, c->data, (size_t)(c->size * ga_itemsize(c->dtype)));
    }
    ga_free(c);
    return gi_close_output(site, &o, c != NULL);
}
