/* ==== >>text files: numpy.loadtxt and numpy.genfromtxt ============================================================== */
/*  A file is read twice, in blocks of whole lines: for the number of its rows, then for its numbers, which go to where they belong at once.
    Each block is cut into pieces, and the threads take them. Lines end as Python's do: \n, \r\n or \r.                            */

enum { GI_SPACE = 1, GI_DELIMITER = 2, GI_COMMENT = 4, GI_QUOTE = 8 };

typedef struct gi_line_rules { /* how a line is cut into fields */
    unsigned char is[256];     /* what a byte may be, of the four above */
    const char   *comments;    /* begins a comment; NULL: nothing does */
    bool          by_spaces;   /* between fields stands white space, not a delimiter */
    bool          strips;      /* blanks at the ends of a row are no delimiters, though others are */
    bool          plain;       /* no number is cut by a delimiter or a comment that looks like a part of it */
    const char   *delimiter;   /* of `length` bytes */
    size_t        length;
    int64_t *widths; /* fields are so many bytes wide, and nothing stands between them; one number: all fields are. Or NULL */
    int64_t  fields; /* how many widths */
} gi_line_rules;

typedef struct gi_field {
    const char *begin, *end;
} gi_field;

typedef enum gi_field_fault {
    GI_FIELD_SOUND,
    GI_FIELD_BAD,
    GI_FIELD_BEYOND,
    GI_FIELD_MISSING,
    GI_FIELDS_DIFFER,
    GI_FIELD_NONE
} gi_field_fault;

typedef struct gi_piece { /* some lines of a block */
    const char    *begin, *end;
    int64_t        lines, rows, row; /* how many; the number of the first row */
    gi_field_fault fault;            /* of the first line that is wrong: */
    const char    *line;             /* where it begins, */
    int64_t        column;           /* which field, or how many there are, */
    gi_field       field;
    ga_dtype       dtype; /* and what it should have been */
} gi_piece;

enum { GI_MOST_PIECES = 64 };

typedef struct gi_table {
    const char   *site, *path;
    gi_source     source;
    gi_line_rules rules;
    ga_shape      usecols; /* ndim -1: all columns */
    const char   *widths;  /* of the fields, as the call gives them, or NULL */
    int64_t       skip, footer, most;
    bool          names; /* another line to skip: the first that is not empty */
    /* genfromtxt */
    bool        fills, loose;
    const char *missing; /* separated by commas, or NULL */
    double      filling;
    /* the block: what begins at `start` in the source. Behind `whole` a line begins that does not end in it. */
    char    *block;
    int64_t  room, start, n, used, whole, lines;
    int      count;
    gi_piece pieces[GI_MOST_PIECES];
    /* the result */
    int64_t          rows, columns, width; /* columns of the file (-1: not known yet), and those that are taken */
    const gi_powers *powers;
    const ga_dtype  *dtypes; /* an array for each column, or NULL: */
    ga_array       **each;
    ga_array        *all;
} gi_table;

/* ---- lines and fields -------------------------------------------------------------------------------------------- */

static const char *gi_line_end(const char *p, const char *end)
{
    const uint64_t ones = UINT64_MAX / 255, tops = ones << 7;
    for (uint64_t v; end - p >= 8; p += 8) { /* eight bytes at once: is one below 14, and has one become 0? */
        memcpy(&v, p, sizeof v);
        if (!((v - ones * 14) & ~v & tops)) continue;
        const uint64_t feed = v ^ ones * '\n', back = v ^ ones * '\r';
        if ((((feed - ones) & ~feed) | ((back - ones) & ~back)) & tops) break;
    }
    while (p < end && *p != '\n' && *p != '\r') p++;
    return p;
}

static const char *gi_line_after(const char *p, const char *end)
{
    if (p == end) return p;
    return p + 1 + (*p == '\r' && p + 1 < end && p[1] == '\n');
}

static bool gi_may_be(const gi_line_rules *r, const char *p, int what) { return (r->is[(unsigned char)*p] & what) != 0; }

static bool gi_is_comment(const gi_line_rules *r, const char *p, const char *end)
{
    if (!gi_may_be(r, p, GI_COMMENT)) return false;
    const size_t n = strlen(r->comments);
    return n <= (size_t)(end - p) && memcmp(p, r->comments, n) == 0;
}

static bool gi_is_delimiter(const gi_line_rules *r, const char *p, const char *end)
{
    return gi_may_be(r, p, GI_DELIMITER) &&
           (r->length == 1 || (r->length <= (size_t)(end - p) && memcmp(p, r->delimiter, r->length) == 0));
}

/* Is there anything in a line but spaces and a comment? Where fields have widths, blanks are fields, as in NumPy; so is an empty line if each
   has its own. */
static bool gi_is_row(const gi_line_rules *r, const char *p, const char *end)
{
    if (r->widths) return p < end ? !gi_is_comment(r, p, end) : r->fields > 1;
    while (p < end && (gi_may_be(r, p, GI_SPACE) || (r->strips && *p == ' '))) p++;
    return p < end && !gi_is_comment(r, p, end);
}

static gi_field gi_trimmed(const gi_line_rules *r, gi_field f)
{
    while (f.begin < f.end && gi_may_be(r, f.begin, GI_SPACE)) f.begin++;
    while (f.begin < f.end && gi_may_be(r, f.end - 1, GI_SPACE)) f.end--;
    return f;
}

/* Field number c of a line, of so many bytes. */
static bool gi_next_wide_field(const gi_line_rules *r, int64_t c, const char **p, const char *end, gi_field *f)
{
    const int64_t width = r->widths[r->fields == 1 ? 0 : c < r->fields ? c : 0];
    if (r->fields == 1 ? *p == end : c >= r->fields) return false;
    f->begin = *p;
    f->end = *p = width < end - *p ? *p + width : end;
    return true;
}

/* Field number c of a line, which begins at *p, which becomes the beginning of the next one, or NULL. False: there is none. */
static bool gi_next_field(const gi_line_rules *r, int64_t c, const char **p, const char *end, gi_field *f)
{
    const char *at = *p, *quoted = NULL;
    if (r->widths) return gi_next_wide_field(r, c, p, end, f);
    if (!at) return false;
    if (r->by_spaces) {
        while (at < end && gi_may_be(r, at, GI_SPACE)) at++;
        if (at == end || gi_is_comment(r, at, end)) return false;
    }
    f->begin = at;
    if (at < end && gi_may_be(r, at, GI_QUOTE)) {
        quoted = (const char *)memchr(at + 1, *at, (size_t)(end - at - 1));
        at     = quoted ? quoted + 1 : end;
    }
    const int stops = GI_COMMENT | (r->by_spaces ? GI_SPACE : GI_DELIMITER);
    for (; at < end; at++) {
        if (!gi_may_be(r, at, stops)) continue;
        if (r->by_spaces ? gi_may_be(r, at, GI_SPACE) : gi_is_delimiter(r, at, end)) break;
        if (gi_is_comment(r, at, end)) break;
    }
    f->end = at;
    *p     = r->by_spaces ? at : at < end && gi_is_delimiter(r, at, end) ? at + r->length : NULL;
    if (quoted && gi_trimmed(r, *f).end == quoted + 1) {
        f->begin++;
        f->end = quoted;
    }
    return true;
}

static int64_t gi_count_fields(const gi_line_rules *r, const char *p, const char *end)
{
    gi_field f;
    int64_t  n = 0;
    while (gi_next_field(r, n, &p, end, &f)) n++;
    return n;
}

/* The row from p to `end` as genfromtxt has it: no comment, and blanks at its ends are no delimiters. */
static gi_field gi_stripped_row(const gi_line_rules *r, const char *p, const char *end)
{
    gi_field row = { p, end };
    if (!r->strips && !r->widths) return row;
    while (p < end && !gi_is_comment(r, p, end)) p++;
    for (row.end = p; r->strips && row.begin < row.end && *row.begin == ' ';) row.begin++;
    while (r->strips && row.begin < row.end && row.end[-1] == ' ') row.end--;
    return row;
}

/* ---- one field --------------------------------------------------------------------------------------------------- */

/* An integer of a dtype. */
static gi_field_fault gi_store_integer(ga_dtype dtype, bool negative, uint64_t magnitude, void *to)
{
    const int      size    = (int)ga_itemsize(dtype);
    const uint64_t largest = UINT64_MAX >> (64 - 8 * size + gi_is_signed(dtype));
    if (gi_is_signed(dtype) ? magnitude > largest + negative : negative || magnitude > largest) return GI_FIELD_BEYOND;
    const uint64_t v8 = negative ? 0 - magnitude : magnitude;
    const uint32_t v4 = (uint32_t)v8;
    const uint16_t v2 = (uint16_t)v8;
    const uint8_t  v1 = (uint8_t)v8;
    memcpy(to,
           size == 8   ? (const void *)&v8
           : size == 4 ? (const void *)&v4
           : size == 2 ? (const void *)&v2
                       : &v1,
           (size_t)size);
    return GI_FIELD_SOUND;
}

static gi_field_fault gi_read_integer_field(ga_dtype dtype, const char *p, const char *end, void *to)
{
    const bool negative = p < end && *p == '-';
    uint64_t   v        = 0;
    bool       beyond   = false;
    if (p < end && (*p == '-' || *p == '+')) p++;
    if (p == end) return GI_FIELD_BAD;
    for (; p < end; p++) {
        if (*p < '0' || *p > '9') return GI_FIELD_BAD;
        beyond = __builtin_mul_overflow(v, (uint64_t)10, &v) || beyond;
        beyond = __builtin_add_overflow(v, (uint64_t)(*p - '0'), &v) || beyond;
    }
    if (dtype == GA_BOOL) {
        *(bool *)to = beyond || v != 0;
        return GI_FIELD_SOUND;
    }
    return beyond ? GI_FIELD_BEYOND : gi_store_integer(dtype, negative, v, to);
}

/* A real number, or 1+2j, 2j, (1+2j), 1+-2j. */
static bool gi_read_complex(const gi_line_rules *r, const gi_powers *t, const char *p, const char *end, double *re, double *im)
{
    const bool closed = end - p > 1 && *p == '(' && end[-1] == ')';
    gi_field   f      = { p + closed, end - closed };
    if (closed) f = gi_trimmed(r, f);
    end = f.end;
    p   = gi_read_decimal(t, f.begin, end, re);
    *im = 0;
    if (p && p + 1 == end && *p == 'j') {
        *im = *re;
        *re = 0;
        return true;
    }
    if (!p || p == end) return p != NULL;
    if (*p != '+' && *p != '-') return false;
    p = gi_read_decimal(t, p + (*p == '+' && end - p > 1 && p[1] == '-'), end, im);
    return p && p + 1 == end && *p == 'j';
}

static void gi_store_real(ga_dtype real, double x, void *to)
{
    const float single = (float)x;
    if (real == GA_F32) memcpy(to, &single, sizeof single);
    else memcpy(to, &x, sizeof x);
}

static void gi_store_complex(ga_dtype dtype, double re, double im, void *to)
{
    gi_store_real(gi_dtype_real(dtype), re, to);
    if (gi_is_complex(dtype)) gi_store_real(gi_dtype_real(dtype), im, (char *)to + ga_itemsize(dtype) / 2);
}

/* An integer of less than 64 bits as genfromtxt reads one: 5.9 is 5, and 1e3 is 1000. */
static gi_field_fault gi_read_whole_part(const gi_table *t, ga_dtype dtype, gi_field f, void *to)
{
    double x;
    if (gi_read_decimal(t->powers, f.begin, f.end, &x) != f.end || x != x) return GI_FIELD_BAD;
    return fabs(x) < 0x1p64 ? gi_store_integer(dtype, x <= -1, (uint64_t)fabs(x), to) : GI_FIELD_BEYOND;
}

/* What stands for a field without a number. */
static gi_field_fault gi_fill_field(const gi_table *t, ga_dtype dtype, void *to)
{
    const bool   given = t->filling != GA_REAL_DEFAULT;
    const double x     = given ? t->filling : dtype == GA_BOOL ? 0 : gi_is_int(dtype) ? -1 : NAN;
    if (dtype == GA_BOOL) *(bool *)to = x != 0;
    else if (!gi_is_int(dtype)) gi_store_complex(dtype, x, 0, to);
    else if (!(fabs(x) < 0x1p64) || gi_store_integer(dtype, x < 0, (uint64_t)fabs(x), to) != GI_FIELD_SOUND)
        return GI_FIELD_MISSING;
    return GI_FIELD_SOUND;
}

static bool gi_is_missing(const gi_table *t, gi_field f)
{
    const size_t n = (size_t)(f.end - f.begin);
    if (n == 0) return true;
    for (const char *m = t->missing; m; m = strchr(m, ','), m += m != NULL)
        if (strcspn(m, ",") == n && memcmp(m, f.begin, n) == 0) return true;
    return false;
}

static gi_field_fault gi_read_field(const gi_table *t, ga_dtype dtype, gi_field f, void *to)
{
    double         re, im = 0;
    gi_field_fault fault = GI_FIELD_BAD;
    f                    = gi_trimmed(&t->rules, f);
    if (t->fills && gi_is_missing(t, f)) return gi_fill_field(t, dtype, to);
    if (t->fills && dtype == GA_BOOL) { /* words, as genfromtxt has them */
        const bool yes = gi_after_word(f.begin, f.end, "true") == f.end, no = gi_after_word(f.begin, f.end, "false") == f.end;
        *(bool *)to = yes;
        fault       = yes || no ? GI_FIELD_SOUND : GI_FIELD_BAD;
    } else if (dtype == GA_BOOL || gi_is_int(dtype)) {
        fault = gi_read_integer_field(dtype, f.begin, f.end, to);
        if (fault == GI_FIELD_BAD && t->fills && ga_itemsize(dtype) < 8) fault = gi_read_whole_part(t, dtype, f, to);
    } else if (gi_is_complex(dtype) ? gi_read_complex(&t->rules, t->powers, f.begin, f.end, &re, &im)
                                    : gi_read_decimal(t->powers, f.begin, f.end, &re) == f.end && f.begin < f.end) {
        gi_store_complex(dtype, re, im, to);
        return GI_FIELD_SOUND;
    }
    return fault == GI_FIELD_BAD && t->loose ? gi_fill_field(t, dtype, to) : fault;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* The k-th number of a row. */
static gi_field_fault gi_take_field(const gi_table *t, gi_piece *piece, int64_t row, int64_t k, gi_field f)
{
    const ga_array *to = t->all ? t->all : t->each[k];
    piece->dtype       = to->dtype;
    piece->field       = f;
    return gi_read_field(t, to->dtype, f, (char *)to->data + (t->all ? row * t->width + k : row) * ga_itemsize(to->dtype));
}

/* The fields from number c of a row on, as long as they are numbers and go into arrays of float64 or float32, and *p becomes the beginning of the
   first that is not, as by gi_next_field. Returns its number. */
static int64_t gi_take_plain_fields(const gi_table *t, int64_t row, int64_t c, const char **p, const char *end)
{
    const gi_line_rules *r         = &t->rules;
    const bool           by_spaces = r->by_spaces;
    const int64_t        width     = t->width;
    const int            stops     = by_spaces ? GI_SPACE : GI_DELIMITER;
    const ga_array      *all       = t->all;
    for (; c < width && *p; c++) {
        const ga_array *to = all ? all : t->each[c];
        const char     *at = *p;
        double          x;
        if (!gi_is_float(to->dtype)) break;
        while (at < end && gi_may_be(r, at, GI_SPACE)) at++;
        if (!(at = gi_read_decimal(t->powers, at, end, &x)) || (at < end && !gi_may_be(r, at, stops))) break;
        gi_store_real(to->dtype, x, (char *)to->data + (all ? row * width + c : row) * (to->dtype == GA_F32 ? 4 : 8));
        *p = by_spaces ? at : at < end ? at + 1 : NULL;
    }
    return c;
}

static gi_field_fault gi_take_all(const gi_table *t, gi_piece *piece, int64_t row, const char *p, const char *end)
{
    gi_field f;
    for (int64_t c = 0;; c++) {
        if (t->rules.plain && !t->missing) c = gi_take_plain_fields(t, row, c, &p, end);
        piece->column = c;
        if (!gi_next_field(&t->rules, c, &p, end, &f)) return c == t->width ? GI_FIELD_SOUND : GI_FIELDS_DIFFER;
        const gi_field_fault fault = c < t->width ? gi_take_field(t, piece, row, c, f) : GI_FIELD_SOUND;
        if (fault) return ++piece->column, fault;
    }
}

static gi_field_fault gi_take_chosen(const gi_table *t, gi_piece *piece, int64_t row, const char *p, const char *end)
{
    const int64_t there = gi_count_fields(&t->rules, p, end), from = t->fills ? t->columns : there; /* as NumPy's two do */
    int           found = 0;
    gi_field      f;
    for (piece->column = 1; gi_next_field(&t->rules, piece->column - 1, &p, end, &f); piece->column++)
        for (int k = 0; k < t->usecols.ndim; k++) {
            if (t->usecols.n[k] + (t->usecols.n[k] < 0 ? from : 0) != piece->column - 1) continue;
            const gi_field_fault fault = gi_take_field(t, piece, row, k, f);
            if (fault) return fault;
            found++;
        }
    piece->column = there;
    return found == t->usecols.ndim ? GI_FIELD_SOUND : GI_FIELD_NONE;
}

static void gi_count_pieces(int64_t begin, int64_t end, void *job)
{
    gi_table *t = (gi_table *)job;
    for (gi_piece *piece = t->pieces + begin; piece < t->pieces + end; piece++) {
        for (const char *p = piece->begin, *stop; p < piece->end; p = gi_line_after(stop, piece->end)) {
            stop = gi_line_end(p, piece->end);
            piece->lines++;
            piece->rows += gi_is_row(&t->rules, p, stop);
        }
    }
}

static void gi_take_pieces_of_text(int64_t begin, int64_t end, void *job)
{
    const gi_table *t = (const gi_table *)job;
    for (gi_piece *piece = ((gi_table *)job)->pieces + begin; piece < t->pieces + end; piece++) {
        int64_t row = piece->row;
        for (const char *p = piece->begin, *stop; p < piece->end && row < t->rows; p = gi_line_after(stop, piece->end)) {
            stop = gi_line_end(p, piece->end);
            if (!gi_is_row(&t->rules, p, stop)) continue;
            const gi_field text = gi_stripped_row(&t->rules, p, stop);
            piece->line         = p;
            piece->fault        = (t->usecols.ndim < 0 ? gi_take_all : gi_take_chosen)(t, piece, row++, text.begin, text.end);
            if (piece->fault) break;
        }
    }
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

/* Reads on, to the end of a line. False: there is nothing more, or it cannot be read, which is an error. */
static bool gi_next_block(gi_table *t, bool *ok)
{
    if (t->start + t->n == t->source.size && t->used == t->n) return false;
    if (t->used > 0) memmove(t->block, t->block + t->used, (size_t)(t->n - t->used));
    t->start += t->used;
    t->n -= t->used;
    t->used = 0;
    for (;;) {
        const int64_t left = t->source.size - t->start - t->n, more = left < t->room - t->n ? left : t->room - t->n;
        errno = 0;
        if (!gi_read_at(&t->source, t->start + t->n, t->block + t->n, (size_t)more)) {
            gi_file_fail(t->site, errno, "cannot read '%s'", t->path);
            return *ok = false;
        }
        t->n += more;
        t->whole = t->n;
        if (more == left) return true;
        while (t->whole > 0 && t->block[t->whole - 1] != '\n' && (t->block[t->whole - 1] != '\r' || t->whole == t->n))
            t->whole--;
        if (t->whole > 0) return true;
        char *larger = (char *)gi_mem_alloc(t->site, 2 * (size_t)t->room); /* for a line that is longer than the block */
        if (!larger) return *ok = false;
        memcpy(larger, t->block, (size_t)t->n);
        gi_mem_release(t->block, (size_t)t->room);
        t->block = larger;
        t->room *= 2;
    }
}

/* Goes over the lines before the first row, from the beginning of the file. False with an error. */
static bool gi_skip_first_lines(gi_table *t)
{
    bool    ok = true, names = t->names;
    int64_t left = t->skip;
    if (t->start > 0) t->n = t->whole = 0; /* else the first block is still there */
    t->start = t->lines = t->used = 0;
    for (bool first = true; (left > 0 || names || first) && (t->used < t->whole || gi_next_block(t, &ok)); first = false) {
        if (first && t->n >= 3 && memcmp(t->block, "\xEF\xBB\xBF", 3) == 0)
            t->used = 3; /* the mark that some programs begin UTF-8 with */
        const char *const end = t->block + t->whole;
        const char       *p   = t->block + t->used;
        for (; p < end && (left > 0 || names); t->lines++) {
            const char *const stop = gi_line_end(p, end);
            if (left == 0)
                for (const char *c = p; c < stop && names; c++) names = gi_may_be(&t->rules, c, GI_SPACE);
            if (left > 0) left--;
            p = gi_line_after(stop, end);
        }
        t->used = p - t->block;
    }
    return ok;
}

/* Cuts what is left of the block into pieces of whole lines, and counts what they have. */
static void gi_cut_block(gi_table *t)
{
    enum { LEAST = 1 << 15 };
    const char *p = t->block + t->used, *const end = t->block + t->whole;
    int64_t size = (end - p) / GI_MOST_PIECES + 1;
    if (size < LEAST) size = LEAST;
    memset(t->pieces, 0, sizeof t->pieces);
    for (t->count = 0; p < end; t->count++) {
        t->pieces[t->count].begin = p;
        p                         = end - p <= size ? end : gi_line_after(gi_line_end(p + size, end), end);
        t->pieces[t->count].end   = p;
    }
    gi_parallel_bytes(10.0 * (double)(t->whole - t->used), t->count, 1, gi_count_pieces, t);
    t->used = t->whole;
}

/* The text of a field for a sentence. */
static const char *gi_field_text(gi_field f, char text[48])
{
    size_t n = (size_t)(f.end - f.begin);
    if (n > 40) n = 40;
    for (size_t i = 0; i < n; i++) text[i] = f.begin[i] < ' ' || f.begin[i] > '~' ? '?' : f.begin[i];
    strcpy(text + n, n < (size_t)(f.end - f.begin) ? "..." : "");
    return text;
}

/* The sentence about the first line that is wrong. */
static void gi_tell_line(const gi_table *t, const gi_piece *piece)
{
    char        text[48], where[GI_NAME_ROOM];
    int64_t     line = t->lines + 1;
    const char *type = piece->dtype ? ga_dtype_name(piece->dtype) : "";
    for (const gi_piece *before = t->pieces; before < piece; before++) line += before->lines;
    for (const char *p = piece->begin; p < piece->line; line++) p = gi_line_after(gi_line_end(p, piece->end), piece->end);
    gi_show_path(where, t->path);
    snprintf(where + strlen(where), sizeof where - strlen(where), ", line %lld", (long long)line);
    if (piece->field.begin) gi_field_text(piece->field, text);
    if (piece->fault == GI_FIELDS_DIFFER)
        gi_fail(t->site, GA_BAD_FILE, "%s has %lld column%s, and %lld %s expected: .usecols takes those that every line has",
                where, (long long)piece->column, piece->column == 1 ? "" : "s", (long long)t->width,
                t->width == 1 ? "is" : "are");
    else if (piece->fault == GI_FIELD_NONE)
        gi_fail(t->site, GA_BAD_FILE, "%s has %lld column%s, and .usecols = %s asks for one that is not there", where,
                (long long)piece->column, piece->column == 1 ? "" : "s", gi_shape_text(t->usecols.ndim, t->usecols.n));
    else if (piece->fault == GI_FIELD_MISSING)
        gi_fail(t->site, GA_BAD_FILE,
                "%s, column %lld: '%s' is no number, and what stands for one, %g, does not fit %s: use .filling_values", where,
                (long long)piece->column, text, t->filling == GA_REAL_DEFAULT ? -1.0 : t->filling, type);
    else
        gi_fail(t->site, GA_BAD_FILE, "%s, column %lld: '%s' %s %s%s", where, (long long)piece->column, text,
                piece->fault == GI_FIELD_BEYOND ? "does not fit" : "is no", type,
                piece->fault != GI_FIELD_BAD                ? ""
                : t->rules.by_spaces && strpbrk(text, ",;") ? ": is a .delimiter missing?"
                : t->fills                                  ? ": .missing_values, or .loose = true"
                : text[0] == 0                              ? ": ga_genfromtxt fills what is missing"
                                                            : "");
}

/* Goes through the rows: counts them, or takes their numbers. False with an error. */
static bool gi_pass_over_table(gi_table *t, bool take)
{
    bool    ok   = gi_skip_first_lines(t);
    int64_t rows = 0, most = take ? t->rows : t->most;
    while (ok && rows < most && (t->used < t->whole || gi_next_block(t, &ok))) {
        const int64_t bytes = t->whole - t->used;
        gi_cut_block(t);
        for (int i = 0; i < t->count; i++) {
            t->pieces[i].row = rows;
            rows += t->pieces[i].rows;
        }
        if (take) gi_parallel_bytes(60.0 * (double)bytes, t->count, 1, gi_take_pieces_of_text, t);
        for (int i = 0; i < t->count && ok; i++) {
            gi_piece *piece = &t->pieces[i];
            for (const char *p = piece->begin, *stop; t->columns < 0 && piece->rows > 0; p = gi_line_after(stop, piece->end)) {
                stop                = gi_line_end(p, piece->end);
                const gi_field text = gi_stripped_row(&t->rules, p, stop);
                if (gi_is_row(&t->rules, p, stop)) t->columns = gi_count_fields(&t->rules, text.begin, text.end);
            }
            ok = piece->fault == GI_FIELD_SOUND;
            if (!ok) gi_tell_line(t, piece);
        }
        for (int i = 0; i < t->count; i++) t->lines += t->pieces[i].lines;
    }
    if (rows > most) rows = most;
    if (!take) t->rows = rows > t->footer ? rows - t->footer : 0;
    else if (ok && rows != t->rows) return gi_fail(t->site, GA_NO_FILE, "'%s' has changed while it was read", t->path) != NULL;
    return ok;
}

/* ---- the calls --------------------------------------------------------------------------------------------------- */

/* The numbers of "4, 3, 2", into memory that gi_read_text_file releases. False with an error. */
static bool gi_read_widths(gi_table *t)
{
    const size_t room = strlen(t->widths) + 1; /* more than there are numbers */
    const char  *p    = t->widths;
    t->rules.widths   = (int64_t *)gi_mem_alloc(t->site, room * sizeof(int64_t));
    for (int64_t width; t->rules.widths; p++) {
        if (!gi_read_integer(&p, &width) || width < 1 || (*p && *p != ','))
            return gi_fail(t->site, GA_BAD_ARGUMENT, ".widths = \"%.60s\" is no list of positive numbers, as \"4, 3, 2\"",
                           t->widths) != NULL;
        t->rules.widths[t->rules.fields++] = width;
        if (!*p) return true;
    }
    return false;
}

/* The rules for lines. False with an error. */
static bool gi_set_rules(gi_table *t, const char *comments, const char *delimiter, const char *quotechar)
{
    gi_line_rules *r = &t->rules;
    for (const char *c = " \t\n\v\f\r\x1c\x1d\x1e\x1f"; *c; c++) r->is[(unsigned char)*c] = GI_SPACE;
    r->by_spaces = !delimiter && !t->widths;
    r->strips    = t->fills && delimiter && strchr(delimiter, ' ');
    r->delimiter = delimiter;
    r->length    = delimiter ? strlen(delimiter) : 0;
    r->comments  = comments && *comments ? comments : NULL;
    if ((delimiter && (r->length < 1 || (r->length > 1 && !t->fills) || strpbrk(delimiter, "\n\r"))) ||
        (quotechar && strlen(quotechar) != 1))
        return gi_fail(t->site, GA_BAD_ARGUMENT, "%s is '%.40s', and must be %s", quotechar ? ".quotechar" : ".delimiter",
                       quotechar ? quotechar : delimiter,
                       t->fills ? "one or more characters within a line" : "one character: ga_genfromtxt takes more") != NULL;
    if (delimiter && t->widths)
        return gi_fail(t->site, GA_BAD_ARGUMENT, ".delimiter and .widths are given: use one of them") != NULL;
    if (t->widths && !gi_read_widths(t)) return false;
    if (delimiter)
        r->is[(unsigned char)*delimiter] = r->length == 1 ? GI_DELIMITER : r->is[(unsigned char)*delimiter] | GI_DELIMITER;
    if ((r->comments && r->is[(unsigned char)*r->comments]) || (quotechar && r->is[(unsigned char)*quotechar]) ||
        (quotechar && r->comments && *quotechar == *r->comments))
        return gi_fail(t->site, GA_BAD_ARGUMENT,
                       ".comments, .delimiter and .quotechar must begin differently, and none with a space that "
                       "stands between fields") != NULL;
    if (r->comments) r->is[(unsigned char)*r->comments] = GI_COMMENT;
    if (quotechar) r->is[(unsigned char)*quotechar] = GI_QUOTE;
    r->plain = r->length < 2 && !r->widths;
    for (const char *c = "+-.0123456789eEiInNfFaAtTyY"; *c; c++) r->plain = r->plain && !r->is[(unsigned char)*c];
    return true;
}

/* The array or arrays with room for all rows. False with an error. */
static bool gi_make_results(gi_table *t, ga_dtype dtype, int ndmin, int n)
{
    const int chosen = t->usecols.ndim;
    t->width         = chosen >= 0 ? chosen : t->columns >= 0 ? t->columns : t->dtypes ? n : 1;
    if (!t->dtypes) { /* NumPy's squeeze */
        int64_t shape[2] = { t->rows, t->width };
        int     ndim     = 2;
        if (ndmin < 2 && shape[1] == 1) ndim--;
        if (ndmin < 2 && shape[0] == 1) shape[0] = shape[1], ndim--;
        if (ndim < ndmin) ndim = ndmin;
        t->all = gi_array_new(t->site, dtype, GA_CPU, ndim, shape);
        return t->all != NULL;
    }
    if (t->width != n)
        return gi_fail(t->site, GA_BAD_ARGUMENT,
                       "%d arrays for %lld columns%s: their numbers must agree (.usecols chooses columns)", n,
                       (long long)t->width, chosen >= 0 ? " of .usecols" : "") != NULL;
    for (int k = 0; k < n; k++) {
        t->each[k] = gi_array_new(t->site, t->dtypes[k], GA_CPU, 1, &t->rows);
        if (!t->each[k]) return false;
    }
    return true;
}

/* Reads the source, as one array (t->all) or as n columns (t->each). False with an error. */
static bool gi_read_table(gi_table *t, ga_dtype dtype, int ndmin, int n)
{
    enum { BLOCK = 16 << 20 }; /* a file that is no longer is read once */
    if (!gi_arena_check(t->site)) return false;
    GI_ARENA(gi_powers, powers, 1);
    gi_make_powers(powers);
    t->powers  = powers;
    t->columns = -1;
    t->room    = t->source.size < BLOCK ? t->source.size + 1 : (int64_t)BLOCK;
    t->block   = (char *)gi_mem_alloc(t->site, (size_t)t->room);
    bool ok    = t->block && gi_pass_over_table(t, false) && gi_make_results(t, dtype, ndmin, n) && gi_pass_over_table(t, true);
    if (t->block) gi_mem_release(t->block, (size_t)t->room);
    if (t->all) t->all = ok ? gi_copy_to_default_device(t->site, t->all) : (ga_free(t->all), (ga_array *)NULL);
    for (int k = 0; k < n; k++) {
        if (ok) t->each[k] = gi_copy_to_default_device(t->site, t->each[k]);
        ok = ok && t->each[k];
    }
    for (int k = 0; k < n && !ok; k++) {
        ga_free(t->each[k]);
        t->each[k] = NULL;
    }
    return ok && (n > 0 || t->all);
}

/* Reads a file; what t->rules.widths has is the caller's to release. Of n columns each has its dtype; n is -1 where one array is made. False with an error. */
static bool gi_read_text_file(gi_table *t, const char *comments, const char *delimiter, const char *quotechar, ga_dtype dtype,
                              int ndmin, int n)
{
    for (int k = 0; k < n && t->each; k++) t->each[k] = NULL;
    if (n == 0 || (n > 0 && (!t->dtypes || !t->each)))
        return gi_fail(t->site, GA_BAD_ARGUMENT, "%s", n == 0 ? "no arrays are asked for" : "dtypes or columns is NULL") !=
               NULL;
    for (int k = 0; k < n; k++)
        if (!gi_dtype_check(t->site, t->dtypes[k])) return false;
    if (!gi_set_rules(t, comments, delimiter, quotechar)) return false;
    if (!gi_option_dtype(t->site, dtype) || !gi_option_list(t->site, "usecols", &t->usecols, -1)) return false;
    if (t->usecols.ndim == 0) return gi_fail(t->site, GA_BAD_ARGUMENT, ".usecols names no column") != NULL;
    if (ndmin < 0 || ndmin > 2) return gi_fail(t->site, GA_BAD_ARGUMENT, ".ndmin = %d: it is 0, 1 or 2", ndmin) != NULL;
    if (t->skip < 0 || t->footer < 0 || t->most < -1)
        return gi_fail(t->site, GA_BAD_ARGUMENT, "a number of lines or rows is negative: %lld",
                       (long long)(t->skip < 0     ? t->skip
                                   : t->footer < 0 ? t->footer
                                                   : t->most)) != NULL;
    if (t->footer > 0 && t->most >= 0)
        return gi_fail(t->site, GA_BAD_ARGUMENT, ".skip_footer and .max_rows are given: use one of them") != NULL;
    if (t->most < 0) t->most = INT64_MAX;
    if (!gi_open_source(t->site, t->path, &t->source)) return false;
    FILE *const file = t->source.file;
    size_t      room = 0;
    const bool  ok   = gi_unpack_source(t->site, t->path, &t->source, &room) && gi_read_table(t, dtype, ndmin, n > 0 ? n : 0);
    if (room > 0) gi_mem_release((void *)(uintptr_t)t->source.bytes, room);
    fclose(file);
    return ok;
}

static bool gi_loadtxt(const char *path, ga_loadtxt_options *o, int n, const ga_dtype *dtypes, ga_array **each, ga_array **all)
{
    gi_table t;
    memset(&t, 0, sizeof t);
    t.site    = o->site;
    t.path    = path;
    t.usecols = o->usecols;
    t.skip    = o->skiprows;
    t.most    = o->max_rows;
    t.dtypes  = dtypes;
    t.each    = each;
    bool ok   = gi_read_text_file(&t, o->comments, o->delimiter, o->quotechar, o->dtype, o->ndmin, n);
    if (all) *all = t.all;
    return ok;
}

ga_array *(ga_loadtxt)(const char *path, ga_loadtxt_options o)
{
    ga_array *a = NULL;
    return gi_loadtxt(path, &o, -1, NULL, NULL, &a) ? a : NULL;
}

bool(ga_loadtxt_n)(const char *path, int n, const ga_dtype *dtypes, ga_array **columns, ga_loadtxt_options o)
{
    return gi_loadtxt(path, &o, n < 0 ? 0 : n, dtypes, columns, NULL);
}

static bool gi_genfromtxt(const char *path, ga_genfromtxt_options *o, int n, const ga_dtype *dtypes, ga_array **each,
                          ga_array **all)
{
    gi_table t;
    memset(&t, 0, sizeof t);
    t.site    = o->site;
    t.path    = path;
    t.usecols = o->usecols;
    t.skip    = o->skip_header;
    t.footer  = o->skip_footer;
    t.most    = o->max_rows;
    t.names   = o->names;
    t.widths  = o->widths;
    t.fills   = true;
    t.loose   = o->loose;
    t.missing = o->missing_values;
    t.filling = o->filling_values;
    t.dtypes  = dtypes;
    t.each    = each;
    bool ok   = gi_read_text_file(&t, o->comments, o->delimiter, NULL, o->dtype, o->ndmin, n);
    if (t.rules.widths) gi_mem_release(t.rules.widths, (strlen(t.widths) + 1) * sizeof(int64_t));
    if (all) *all = t.all;
    return ok;
}

ga_array *(ga_genfromtxt)(const char *path, ga_genfromtxt_options o)
{
    ga_array *a = NULL;
    return gi_genfromtxt(path, &o, -1, NULL, NULL, &a) ? a : NULL;
}

bool(ga_genfromtxt_n)(const char *path, int n, const ga_dtype *dtypes, ga_array **columns, ga_genfromtxt_options o)
{
    return gi_genfromtxt(path, &o, n < 0 ? 0 : n, dtypes, columns, NULL);
}
