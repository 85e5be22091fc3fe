/* ==== >>writing text: numpy.savetxt ================================================================================= */
/*  The format is never given to printf: its parts are checked, and each number is written by what they say. Rows are written to several texts
    at once, which go to the file in their order.                                                                              */

typedef struct gi_column_format { /* "%-8.3f, ": flags, width, precision, kind, and the text behind it */
    bool        minus, plus, space, zero, alternate;
    char        kind; /* one of dieEfFgGs */
    int         width, precision;
    const char *behind;
    int         length;
} gi_column_format;

enum { GI_MOST_WIDTH = 1000, GI_NUMBER_ROOM = 2 * GI_MOST_WIDTH + 400 };

typedef struct gi_text_rows {
    const ga_array         *a;
    const gi_column_format *formats;
    int                     n; /* so many numbers have them, and then, behind a delimiter, the next ones */
    const char             *before, *newline, *delimiter;
    int                     before_length;
    int64_t                 columns, first, step; /* rows from `first` on, `step` in each text */
    const gi_powers        *powers;
    gi_text                *texts;
    int64_t                *bad; /* of each text: the element that the format cannot write, or -1 */
} gi_text_rows;

/* Reads one format from "%..."; returns what follows, or NULL. */
static const char *gi_read_format(const char *p, gi_column_format *f)
{
    memset(f, 0, sizeof *f);
    f->precision = -1;
    for (p++; *p && strchr("-+ 0#", *p); p++) {
        f->minus     = f->minus || *p == '-';
        f->plus      = f->plus || *p == '+';
        f->space     = f->space || *p == ' ';
        f->zero      = f->zero || *p == '0';
        f->alternate = f->alternate || *p == '#';
    }
    for (; *p >= '0' && *p <= '9' && f->width <= GI_MOST_WIDTH; p++) f->width = 10 * f->width + (*p - '0');
    if (*p == '.')
        for (p++, f->precision = 0; *p >= '0' && *p <= '9' && f->precision <= GI_MOST_WIDTH; p++)
            f->precision = 10 * f->precision + (*p - '0');
    while (*p == 'l' || *p == 'h') p++; /* as C's printf needs them; Python's do without */
    f->kind = *p == 'i' || *p == 'u' ? 'd' : *p;
    return *p && strchr("deEfFgGs", f->kind) && f->width <= GI_MOST_WIDTH && f->precision <= GI_MOST_WIDTH ? p + 1 : NULL;
}

/* Writes the characters of a number, of which `sign` are the sign, in the width. */
static void gi_put_padded(gi_text *t, const gi_column_format *f, const char *s, int n, int sign)
{
    const int blanks = f->width - n;
    if (blanks > 0 && !f->minus && (!f->zero || f->kind == 's')) gi_put_many(t, ' ', blanks);
    gi_put_bytes(t, s, (size_t)sign);
    if (blanks > 0 && !f->minus && f->zero && f->kind != 's') gi_put_many(t, '0', blanks);
    gi_put_bytes(t, s + sign, (size_t)(n - sign));
    if (blanks > 0 && f->minus) gi_put_many(t, ' ', blanks);
}

/* |x| as by printf, for the kinds of floats; returns the length. */
static int gi_real_text(const gi_powers *powers, const gi_column_format *f, double x, char *to)
{
    const int precision = f->precision < 0 ? 6 : f->precision;
    uint64_t  digits    = 0;
    int       exponent  = 0;
    if (!isfinite(x)) {
        const bool upper = f->kind < 'a';
        memcpy(to, isnan(x) ? (upper ? "NAN" : "nan") : upper ? "INF" : "inf", 3);
        return 3;
    }
    if (f->kind == 'e' && precision > 0 && precision < 19 &&
        (x == 0 || gi_decimal_digits(powers, x, precision + 1, &digits, &exponent))) {
        gi_write_digits(to + 1, digits, precision + 1);
        to[0]        = to[1];
        to[1]        = '.';
        const int at = precision + 2, tens = exponent < 0 ? -exponent : exponent, many = tens < 100 ? 2 : 3;
        to[at]     = 'e';
        to[at + 1] = exponent < 0 ? '-' : '+';
        gi_write_digits(to + at + 2, (uint64_t)tens, many);
        return at + 2 + many;
    }
    if (f->kind == 'f' && precision > 0 && precision < 19 && (x == 0 || gi_decimal_integer(powers, x, precision, &digits)) &&
        digits != UINT64_MAX) {
        int whole = 1; /* digits before the point */
        for (uint64_t left = digits / gi_tens[precision]; left > 9; left /= 10) whole++;
        gi_write_digits(to, digits / gi_tens[precision], whole);
        to[whole] = '.';
        gi_write_digits(to + whole + 1, digits % gi_tens[precision], precision);
        return whole + 1 + precision;
    }
    const char spec[] = { '%', f->alternate ? '#' : '0', '.', '*', f->kind, 0 };
    GI_SETTLE_ROUNDING;
    const int n = snprintf(to, GI_NUMBER_ROOM, spec, precision, x);
    gi_point_text(to);
    return n > 0 ? (int)strlen(to) : 0;
}

/* Writes one number of a dtype that is not complex. False: the format cannot. */
static bool gi_put_number(const gi_text_rows *r, gi_text *t, const gi_column_format *f, ga_dtype dtype, const void *p)
{
    char         text[GI_NUMBER_ROOM + 1];
    int          n    = 0, sign;
    const bool   real = gi_is_float(dtype), truth = dtype == GA_BOOL && *(const bool *)p;
    const double x = real ? gi_float_at(p, dtype) : 0;
    if (f->kind == 's') {
        gi_text s = { NULL, 0, 0, 0, false };
        if (real) gi_put_scalar(&s, x, dtype, false, false);
        else if (dtype == GA_BOOL) gi_put(&s, truth ? "True" : "False");
        else n = gi_integer_text(text, p, dtype), gi_put_bytes(&s, text, (size_t)n);
        t->failed = t->failed || s.failed;
        if (!s.failed) gi_put_padded(t, f, s.s, f->precision >= 0 && f->precision < (int)s.n ? f->precision : (int)s.n, 0);
        free(s.s);
        return true;
    }
    if (!real) n = dtype == GA_BOOL ? snprintf(text, 24, "%d", truth) : gi_integer_text(text, p, dtype);
    bool        negative = real ? !isnan(x) && signbit(x) : text[0] == '-';
    char *const to       = text + 1; /* the sign stands before it */
    if (f->kind != 'd') {
        char        *end;
        const double value = real ? x : gi_read_real(text, &end);
        n                  = gi_real_text(r->powers, f, fabs(value), to);
    } else {
        if (real && !isfinite(x)) return false;
        if (real) {
            GI_SETTLE_ROUNDING;
            n        = snprintf(to, GI_NUMBER_ROOM, "%.0f", trunc(fabs(x)));
            negative = negative && fabs(x) >= 1;
        } else if (negative) n--;
        else memmove(to, text, (size_t)n + 1);
        if (f->precision > n) { /* as many digits at least */
            memmove(to + f->precision - n, to, (size_t)n);
            memset(to, '0', (size_t)(f->precision - n));
            n = f->precision;
        }
    }
    sign    = negative || f->plus || f->space;
    text[0] = negative ? '-' : f->plus ? '+' : ' ';
    gi_put_padded(t, f, sign ? text : to, n + sign, sign);
    return true;
}

static void gi_put_text_rows(int64_t begin, int64_t end, void *job)
{
    const gi_text_rows *r     = (const gi_text_rows *)job;
    const bool          parts = gi_is_complex(r->a->dtype);
    const ga_dtype      dtype = gi_dtype_real(r->a->dtype);
    const int64_t       size = ga_itemsize(dtype), numbers = r->columns << parts;
    const size_t        ending = strlen(r->newline);
    for (int64_t k = begin; k < end; k++) {
        gi_text      *t    = &r->texts[k];
        const int64_t from = r->first + k * r->step, stop = from + r->step < r->a->shape[0] ? from + r->step : r->a->shape[0];
        for (int64_t row = from; row < stop && !t->failed && r->bad[k] < 0; row++) {
            const size_t start = t->n;
            for (int64_t c = 0; c < numbers; c++) {
                const gi_column_format *f  = r->formats + c % r->n;
                const int64_t           at = row * numbers + c;
                if (c > 0 && f == r->formats) gi_put(t, r->delimiter);
                if (f == r->formats) gi_put_bytes(t, r->before, (size_t)r->before_length);
                if (!gi_put_number(r, t, f, dtype, (const char *)r->a->data + at * size)) r->bad[k] = at;
                if (f->length > 0) gi_put_bytes(t, f->behind, (size_t)f->length);
            }
            if (parts && !t->failed) { /* as NumPy: 1+-2j becomes 1-2j */
                size_t to = start;
                for (size_t i = start; i < t->n; i++)
                    if (t->s[i] != '+' || i + 1 == t->n || t->s[i + 1] != '-') t->s[to++] = t->s[i];
                t->n = to;
            }
            gi_put_bytes(t, r->newline, ending);
        }
    }
}

/* Reads the formats of a row of so many numbers, or the one for all. False with an error. */
static bool gi_read_formats(const char *site, const char *fmt, int64_t numbers, gi_column_format *formats, gi_text_rows *r)
{
    const char *p = strchr(fmt, '%');
    int64_t     n = 0;
    for (const char *c = fmt; *c; c++) n += *c == '%';
    if (n < 1 || (n > 1 && n != numbers))
        return gi_fail(
                   site, GA_BAD_ARGUMENT,
                   ".fmt = \"%.60s\" has %lld times %%, and a row has %lld numbers: give one format for all, or one for each",
                   fmt, (long long)n, (long long)numbers) != NULL;
    r->before        = fmt;
    r->before_length = (int)(p - fmt);
    for (r->n = 0; r->n < (int)n; r->n++) {
        gi_column_format *f     = &formats[r->n];
        const char       *after = gi_read_format(p, f);
        if (!after)
            return gi_fail(site, GA_BAD_ARGUMENT,
                           ".fmt = \"%.60s\": \"%.12s\" is no format of numbers: %%d, %%e, %%f, %%g, %%s, with flags, width "
                           "and precision (at most %d), as %%8.3f",
                           fmt, p, (int)GI_MOST_WIDTH) != NULL;
        p         = after + strcspn(after, "%");
        f->behind = after;
        f->length = (int)(p - after);
    }
    return true;
}

/* Writes text, packed by gzip if `packs`: several such parts are one file. False with an error. */
static bool gi_write_text(const char *site, gi_output *o, bool packs, const char *text, size_t n)
{
    const int level = 6; /* zlib's own default */
    if (!packs) return gi_write(o, text, n), true;
    const int64_t room   = gi_packed_bound((int64_t)n) + 1;
    char         *packed = (char *)gi_mem_alloc(site, (size_t)room);
    const int64_t size   = packed ? gi_pack_bytes(site, GI_CODEC_GZIP, level, text, (int64_t)n, packed) : -1;
    if (size > 0) gi_write(o, packed, (size_t)size);
    if (packed) gi_mem_release(packed, (size_t)room);
    return size >= 0;
}

static bool gi_write_commented(const char *site, gi_output *o, bool packs, const char *text, const char *comments,
                               const char *newline)
{
    gi_text t = { NULL, 0, 0, 0, false };
    if (!text || !*text) return true;
    for (const char *end; text; text = *end ? end + 1 : NULL) {
        end = text + strcspn(text, "\n");
        gi_put(&t, comments);
        gi_put_bytes(&t, text, (size_t)(end - text));
        if (*end) gi_put_bytes(&t, "\n", 1);
    }
    gi_put(&t, newline);
    if (t.failed) gi_fail(site, GA_NO_MEMORY, "no memory for .header or .footer");
    const bool ok = !t.failed && gi_write_text(site, o, packs, t.s, t.n);
    free(t.s);
    return ok;
}

/* Writes the rows, some of each text in turn. False with an error. */
static bool gi_write_rows(const char *site, gi_output *o, bool packs, gi_text_rows *r, const char *fmt)
{
    enum { TEXTS = 16, NUMBERS = 1 << 12 };
    gi_text       texts[TEXTS];
    int64_t       bad[TEXTS];
    const int64_t rows = r->a->shape[0];
    bool          ok   = true;
    memset(texts, 0, sizeof texts);
    r->texts = texts;
    r->bad   = bad;
    r->step  = r->columns < NUMBERS ? NUMBERS / (r->columns + 1) + 1 : 1;
    for (r->first = 0; ok && r->first < rows && !o->error; r->first += TEXTS * r->step) {
        const int64_t left = (rows - r->first + r->step - 1) / r->step, n = left < TEXTS ? left : (int64_t)TEXTS;
        for (int k = 0; k < n; k++) texts[k].n = texts[k].line = 0, bad[k] = -1;
        gi_parallel_bytes(3000.0 * (double)(n * r->step * r->columns), n, 1, gi_put_text_rows, r);
        for (int k = 0; k < n && ok; k++) {
            if (texts[k].failed)
                ok = gi_fail(site, GA_NO_MEMORY, "no memory for the text of some rows of %lld numbers",
                             (long long)r->columns) != NULL;
            else if (bad[k] >= 0)
                ok = gi_fail(site, GA_BAD_ARGUMENT,
                             "row %lld has a number that is not finite, which %%d of .fmt = \"%.60s\" cannot write",
                             (long long)(bad[k] / (r->columns << gi_is_complex(r->a->dtype))), fmt) != NULL;
            else ok = gi_write_text(site, o, packs, texts[k].s, texts[k].n);
        }
    }
    for (int k = 0; k < TEXTS; k++) free(texts[k].s);
    return ok;
}

bool(ga_savetxt)(const char *path, const ga_array *a, ga_savetxt_options o)
{
    gi_output    out;
    gi_text_rows r;
    memset(&r, 0, sizeof r);
    if (!gi_array_check(o.site, a, "a")) return false;
    if (!o.fmt || !o.delimiter || !o.newline || !o.comments)
        return gi_fail(o.site, GA_BAD_ARGUMENT, ".fmt, .delimiter, .newline or .comments is NULL: use \"\" for none") != NULL;
    if (a->ndim < 1 || a->ndim > 2)
        return gi_fail(o.site, GA_BAD_SHAPE, "the array has shape %s, and a table has 1 or 2 dimensions: ga_reshape it",
                       gi_shape_of(a)) != NULL;
    const bool parts        = gi_is_complex(a->dtype);
    r.columns               = a->ndim == 2 ? a->shape[1] : 1;
    r.delimiter             = o.delimiter;
    r.newline               = o.newline;
    const char *const first = strchr(o.fmt, '%');
    const bool        pairs = parts && first && !strchr(first + 1, '%');
    const size_t      size = 2 * strlen(o.fmt) + 16, formats_size = (strlen(o.fmt) / 2 + 3) * sizeof(gi_column_format);
    char             *pair    = (char *)gi_mem_alloc(o.site, size);
    gi_column_format *formats = pair ? (gi_column_format *)gi_mem_alloc(o.site, formats_size) : NULL;
    if (pair) snprintf(pair, size, " (%s+%sj)", o.fmt, o.fmt); /* as NumPy's complex numbers, if there is one format */
    bool ok     = formats && gi_read_formats(o.site, pairs ? pair : o.fmt, pairs ? 2 : r.columns << parts, formats, &r);
    r.formats   = formats;
    ga_array *c = ok ? gi_copy_on_cpu(o.site, a) : NULL;
    ok = c && !gi_name_misleads(o.site, path, "text", " .txt .csv .tsv .dat .gz ") && gi_open_output(o.site, path, &out);
    if (ok) {
        GI_ARENA(gi_powers, powers, 1);
        gi_make_powers(powers);
        r.powers            = powers;
        r.a                 = c;
        const size_t length = strlen(path);
        const bool   packs  = length > 3 && strcmp(path + length - 3, ".gz") == 0;
        ok                  = !packs || gi_write_text(o.site, &out, true, "", 0); /* is zlib there? And no file is empty */
        ok                  = ok && gi_write_commented(o.site, &out, packs, o.header, o.comments, o.newline) &&
             gi_write_rows(o.site, &out, packs, &r, o.fmt) &&
             gi_write_commented(o.site, &out, packs, o.footer, o.comments, o.newline);
        ok = gi_close_output(o.site, &out, ok);
    }
    ga_free(c);
    if (formats) gi_mem_release(formats, formats_size);
    if (pair) gi_mem_release(pair, size);
    return ok;
}
