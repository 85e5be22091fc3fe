/* ==== >>text: arrays as NumPy prints them ========================================================================= */
/*  First the elements that will be seen are copied side by side (of a long array only its corners), then they are measured, so
    that every word of the array gets the same width, then they are written. Digits come from printf's %e, whose rounding is
    exact, and no decimal point is ever read from or asked of the C library: the user's locale does not matter.             */

typedef struct gi_text { /* text that grows; a failed allocation is remembered and reported at the end */
    char  *s;
    size_t n, room, line; /* used and allocated bytes; where the last line begins */
    bool   failed;
} gi_text;

static void gi_put_bytes(gi_text *t, const char *s, size_t n)
{
    if (t->n + n + 1 > t->room && !t->failed) {
        size_t room  = 2 * (t->n + n) + 64;
        char  *moved = (char *)realloc(t->s, room);
        t->failed    = !moved;
        if (moved) t->s = moved, t->room = room;
    }
    if (t->failed) return;
    memcpy(t->s + t->n, s, n);
    for (size_t i = 0; i < n; i++)
        if (s[i] == '\n') t->line = t->n + i + 1;
    t->n += n;
    t->s[t->n] = 0;
}

static void gi_put(gi_text *t, const char *s) { gi_put_bytes(t, s, strlen(s)); }

static void gi_put_many(gi_text *t, char c, int64_t count)
{
    for (; count > 0; count--) gi_put_bytes(t, &c, 1);
}

/* Takes the blanks off the end; returns how many there were. */
static int64_t gi_strip(gi_text *t)
{
    int64_t blanks = 0;
    while (!t->failed && t->n > 0 && t->s[t->n - 1] == ' ') {
        t->s[--t->n] = 0;
        blanks++;
    }
    return blanks;
}

/* ---- digits ------------------------------------------------------------------------------------------------------ */

typedef struct gi_decimal { /* digit[0] . digit[1] digit[2] ... times 10 ** exponent */
    char digit[40];
    int  n, exponent;
    bool negative;
} gi_decimal;

/* x rounded to n digits (at most 32), halves to even. */
static gi_decimal gi_rounded(double x, int n)
{
    gi_decimal d;
    char       text[64];
    snprintf(text, sizeof text, "%.*e", n - 1, fabs(x));
    const char *p = text;
    for (d.n = 0; *p != 'e'; p++)
        if (*p >= '0' && *p <= '9') d.digit[d.n++] = *p;
    d.exponent = atoi(p + 1);
    d.negative = signbit(x);
    return d;
}

static gi_decimal gi_without_zeros(gi_decimal d)
{
    while (d.n > 1 && d.digit[d.n - 1] == '0') d.n--;
    return d;
}

static bool gi_reads_back(const gi_decimal *d, double x, bool single)
{
    char text[64];
    snprintf(text, sizeof text, "%.*se%d", d->n, d->digit, d->exponent - (d->n - 1));
    return single ? strtof(text, NULL) == (float)fabs(x) : strtod(text, NULL) == fabs(x);
}

/* x with n digits. The floats above a power of two lie wider apart than those below: there, the next decimal may read back as x
   though the nearest does not, and is taken, as in NumPy. */
static gi_decimal gi_digits(double x, bool single, int n, bool *reads_back)
{
    int        power;
    gi_decimal d = gi_rounded(x, n), next = d;
    *reads_back = gi_reads_back(&d, x, single);
    if (*reads_back || frexp(fabs(x), &power) != 0.5) return d;
    int last = n - 1;
    while (last > 0 && next.digit[last] == '9') next.digit[last--] = '0';
    if (next.digit[last] == '9') return d;
    next.digit[last]++;
    *reads_back = gi_reads_back(&next, x, single);
    return *reads_back ? next : d;
}

/* The fewest digits that read back as x, as float32 if `single`. */
static gi_decimal gi_shortest(double x, bool single)
{
    /* Numbers with at most `sure` digits differ as floats as well, so no other one of `sure` digits can read back; below the
       normal numbers that does not hold. */
    int  sure = single ? FLT_DIG : DBL_DIG, most = single ? FLT_DIG + 3 : DBL_DIG + 2;
    bool normal = fabs(x) >= (single ? (double)FLT_MIN : DBL_MIN);
    for (int n = normal ? sure : 1;; n++) {
        bool       reads_back;
        gi_decimal d = gi_digits(x, single, n, &reads_back);
        if (reads_back || n == most) return gi_without_zeros(d);
    }
}

/* The shortest digits of x, but none behind that of 10 ** last. */
static gi_decimal gi_shortest_to(double x, bool single, int last)
{
    gi_decimal d    = gi_shortest(x, single);
    int        keep = d.exponent - last + 1;
    if (d.n <= keep || x == 0) return d;
    if (keep > 0) return gi_without_zeros(gi_rounded(x, keep));
    bool up = false;
    if (keep == 0) { /* 0 or 1 in the last place */
        char text[400];
        int  length = snprintf(text, sizeof text, "%.*f", -last, x);
        up          = length > 0 && text[length - 1] == '1';
    }
    d.n        = 1;
    d.digit[0] = up ? '1' : '0';
    d.exponent = up ? last : 0;
    return d;
}

static void gi_put_positional(gi_text *t, const gi_decimal *d)
{
    int whole = d->exponent + 1; /* digits before the point */
    for (int i = 0; i < whole; i++) gi_put_bytes(t, i < d->n ? &d->digit[i] : "0", 1);
    gi_put(t, whole > 0 ? "." : "0.");
    if (d->n == 1 && d->digit[0] == '0') return;
    gi_put_many(t, '0', -whole);
    int first = whole > 0 ? whole : 0;
    if (d->n > first) gi_put_bytes(t, d->digit + first, (size_t)(d->n - first));
}

static void gi_put_exponent(gi_text *t, int exponent, int digits)
{
    char text[24];
    snprintf(text, sizeof text, "e%c%0*d", exponent < 0 ? '-' : '+', digits, abs(exponent));
    gi_put(t, text);
}

static const char *gi_not_finite(double x) { return isnan(x) ? "nan" : signbit(x) ? "-inf" : "inf"; }

/* ---- the format that all elements share: numpy's FloatingFormat, IntegerFormat and BoolFormat -------------------- */

typedef struct gi_float_format {
    bool single, scientific, plus; /* plus: "+" before what is not negative */
    int  precision, left, right;   /* most digits behind the point; columns before and behind it */
    int  exponent_digits;
} gi_float_format;

static double gi_float_at(const void *p, bool single)
{
    float  f;
    double d;
    if (!single) return memcpy(&d, p, sizeof d), d;
    return memcpy(&f, p, sizeof f), (double)f;
}

/* Must these numbers be written with exponents? The limits are compared in the dtype of the array, as NumPy does. */
static bool gi_is_scientific(bool single, double smallest, double largest, bool suppress)
{
    if (largest >= (single ? 1e6 : 1e8)) return true;
    if (suppress) return false;
    if (single) return (float)smallest < 1e-4f || (float)largest / (float)smallest > 1000.0f;
    return smallest < 1e-4 || largest / smallest > 1000;
}

/* The format for n floats that lie `stride` bytes apart. */
static gi_float_format gi_measure_floats(const char *p, int64_t n, int stride, bool single, bool plus, int precision,
                                         bool suppress)
{
    gi_float_format f        = { single, false, plus, precision, 0, 0, 2 };
    double          smallest = INFINITY, largest = 0;
    int64_t         finite   = 0;
    bool            minus_inf = plus;
    for (int64_t i = 0; i < n; i++) {
        double x = fabs(gi_float_at(p + i * stride, single));
        if (gi_float_at(p + i * stride, single) == -INFINITY) minus_inf = true;
        if (!isfinite(x)) continue;
        finite++;
        if (x != 0 && x < smallest) smallest = x;
        if (x > largest) largest = x;
    }
    f.scientific = largest > 0 && gi_is_scientific(single, smallest, largest, suppress);
    for (int64_t i = 0; i < n; i++) {
        double x = gi_float_at(p + i * stride, single);
        if (!isfinite(x)) continue;
        gi_decimal d = gi_shortest(x, single);
        d            = gi_shortest_to(x, single, f.scientific ? d.exponent - precision : -precision);
        bool zero    = d.digit[0] == '0';
        int  whole   = f.scientific || d.exponent < 0 ? 1 : d.exponent + 1;
        int  behind  = f.scientific ? d.n - 1 : zero || d.n - 1 < d.exponent ? 0 : d.n - 1 - d.exponent;
        if (whole + (d.negative || plus) > f.left) f.left = whole + (d.negative || plus);
        if (behind > f.right) f.right = behind;
        if (abs(d.exponent) > 99) f.exponent_digits = 3;
    }
    if (f.scientific) {
        f.precision = f.right;
        f.right += 2 + f.exponent_digits; /* "e+00" */
    }
    if (finite < n) { /* room for nan and inf */
        int room = minus_inf ? 4 : 3;
        if (f.left + 1 + f.right < room) f.left = room - 1 - f.right;
    }
    return f;
}

static void gi_put_float(gi_text *t, const gi_float_format *f, double x)
{
    int         width = f->left + 1 + f->right;
    const char *sign  = signbit(x) ? "-" : f->plus ? "+" : "";
    if (!isfinite(x)) {
        const char *word = gi_not_finite(x);
        bool        plus = f->plus && word[0] != '-';
        gi_put_many(t, ' ', width - (int)strlen(word) - plus);
        gi_put(t, plus ? "+" : "");
        gi_put(t, word);
        return;
    }
    size_t start = t->n; /* of the word */
    if (f->scientific) {
        bool       reads_back; /* digits beyond the shortest ones are the true ones, not zeros */
        gi_decimal d = gi_digits(x, f->single, f->precision + 1, &reads_back);
        gi_put_many(t, ' ', f->left - 1 - (int)strlen(sign));
        gi_put(t, sign);
        gi_put_bytes(t, d.digit, 1);
        gi_put(t, ".");
        gi_put_bytes(t, d.digit + 1, (size_t)(d.n - 1));
        gi_put_exponent(t, d.exponent, f->exponent_digits);
    } else {
        gi_decimal d = gi_shortest_to(x, f->single, -f->precision);
        gi_put_many(t, ' ', f->left - (d.exponent < 0 ? 1 : d.exponent + 1) - (int)strlen(sign));
        gi_put(t, sign);
        gi_put_positional(t, &d);
        gi_put_many(t, ' ', width - (int64_t)(t->n - start));
    }
}

/* A float of a 0-d array, as Python prints a number: 1.0, 1e+16; within a complex number 1. */
static void gi_put_scalar(gi_text *t, double x, bool single, bool plus, bool within_complex)
{
    if (plus && (isnan(x) || !signbit(x))) gi_put(t, "+");
    if (!isfinite(x)) {
        gi_put(t, gi_not_finite(x));
        return;
    }
    gi_decimal d = gi_shortest(x, single);
    if (signbit(x)) gi_put(t, "-");
    if (x == 0 || (fabs(x) >= 1e-4 && fabs(x) < (single ? 1e6 : 1e16))) {
        gi_put_positional(t, &d);
        if (d.exponent < d.n - 1 && x != 0) return; /* digits behind the point */
        if (within_complex && !t->failed)
            t->s[--t->n] = 0; /* the point */
        else
            gi_put(t, "0");
        return;
    }
    gi_put_bytes(t, d.digit, 1);
    gi_put(t, d.n > 1 ? "." : "");
    gi_put_bytes(t, d.digit + 1, (size_t)(d.n - 1));
    gi_put_exponent(t, d.exponent, 2);
}

/* An integer as text; returns its length. */
static int gi_integer_text(char text[24], const void *p, ga_dtype dtype)
{
    switch ((int)dtype) {
#define GI_CASE(TAG, tag, T, name)                                                                                     \
    case GA_##TAG: {                                                                                                   \
        T v;                                                                                                           \
        memcpy(&v, p, sizeof v);                                                                                       \
        return v < 1 ? snprintf(text, 24, "%lld", (long long)v) : snprintf(text, 24, "%llu", (unsigned long long)v);   \
    }
        GI_EACH_INT(GI_CASE)
#undef GI_CASE
    default: return 0;
    }
}

/* ---- the array --------------------------------------------------------------------------------------------------- */

typedef struct gi_printer {
    gi_text         text;
    const ga_array *a;
    int64_t         shown[GPUARR_MAX_DIMS]; /* how many along each axis */
    int64_t         head;                   /* where an axis is cut: elements before the "..." */
    const char     *next;                   /* the shown elements, packed */
    gi_float_format real, imag;
    int             width; /* of every element */
    const char     *separator;
} gi_printer;

static bool gi_is_cut(const gi_printer *p, int axis) { return p->shown[axis] < p->a->shape[axis]; }

static void gi_pack_shown(const gi_printer *p, int axis, const char *from, char **to)
{
    size_t itemsize = (size_t)ga_itemsize(p->a->dtype);
    if (axis == p->a->ndim) {
        memcpy(*to, from, itemsize);
        *to += itemsize;
        return;
    }
    int64_t skipped = p->a->shape[axis] - p->shown[axis];
    for (int64_t i = 0; i < p->shown[axis]; i++) {
        int64_t index = i < p->head || skipped == 0 ? i : i + skipped;
        gi_pack_shown(p, axis + 1, from + index * p->a->strides[axis], to);
    }
}

/* Sets the formats and the width from n packed elements. */
static void gi_measure(gi_printer *p, int64_t n, int precision, bool suppress)
{
    ga_dtype dtype = p->a->dtype;
    int      size  = (int)ga_itemsize(dtype);
    p->width       = 0;
    if (dtype == GA_BOOL) {
        p->width = p->a->ndim > 0 ? 5 : 0;
    } else if (gi_is_int(dtype)) {
        for (int64_t i = 0; i < n; i++) {
            char text[24];
            int  length = gi_integer_text(text, p->next + i * size, dtype);
            if (length > p->width) p->width = length;
        }
    } else {
        bool single = gi_real_dtype(dtype) == GA_F32;
        p->real     = gi_measure_floats(p->next, n, size, single, false, precision, suppress);
        p->width    = p->real.left + 1 + p->real.right;
        if (!gi_is_complex(dtype)) return;
        p->imag = gi_measure_floats(p->next + size / 2, n, size, single, true, precision, suppress);
        p->width += p->imag.left + 1 + p->imag.right + 1; /* and the j */
    }
}

static void gi_put_element(gi_printer *p)
{
    gi_text    *t     = &p->text;
    ga_dtype    dtype = p->a->dtype;
    const char *e     = p->next;
    int         size  = (int)ga_itemsize(dtype);
    p->next += size;
    if (dtype == GA_BOOL) {
        gi_put(t, !*e ? "False" : p->width > 0 ? " True" : "True");
    } else if (gi_is_int(dtype)) {
        char text[24];
        int  length = gi_integer_text(text, e, dtype);
        gi_put_many(t, ' ', p->width - length);
        gi_put(t, text);
    } else {
        gi_put_float(t, &p->real, gi_float_at(e, p->real.single));
        if (!gi_is_complex(dtype)) return;
        gi_put_float(t, &p->imag, gi_float_at(e + size / 2, p->imag.single));
        int64_t blanks = gi_strip(t);
        gi_put(t, "j");
        gi_put_many(t, ' ', blanks);
    }
}

/* Goes to a new line if `width` more columns do not fit into this one (and a new one would be emptier). */
static void gi_wrap_line(gi_text *t, int64_t width, int64_t line_width, int indent)
{
    int64_t column = (int64_t)(t->n - t->line);
    if (column + width <= line_width || column <= indent) return;
    gi_strip(t);
    gi_put(t, "\n");
    gi_put_many(t, ' ', indent);
}

/* Writes the axes from `axis` on, in brackets; `indent`: the columns before what the opening bracket holds. */
static void gi_put_axis(gi_printer *p, int axis, int indent, int64_t line_width)
{
    if (axis == p->a->ndim) {
        gi_put_element(p);
        return;
    }
    gi_text *t    = &p->text;
    bool     last = axis == p->a->ndim - 1, first = true;
    gi_put(t, "[");
    for (int64_t i = 0; i < p->shown[axis]; i++) {
        for (int dots = i == p->head && gi_is_cut(p, axis); dots >= 0; dots--) {
            if (last) {
                gi_put(t, first ? "" : p->separator);
                gi_wrap_line(t, dots ? 3 : p->width, line_width - 1, indent);
            } else if (!first) {
                gi_put(t, p->separator);
                gi_strip(t);
                gi_put_many(t, '\n', p->a->ndim - axis - 1);
                gi_put_many(t, ' ', indent);
            }
            first = false;
            if (dots)
                gi_put(t, "...");
            else
                gi_put_axis(p, axis + 1, indent + 1, line_width - 1);
        }
    }
    gi_put(t, "]");
}

/* A 0-d array without `repr`: the number alone. */
static void gi_put_0d(gi_printer *p, const void *e)
{
    ga_dtype dtype  = p->a->dtype;
    bool     single = gi_real_dtype(dtype) == GA_F32;
    if (gi_is_float(dtype)) {
        gi_put_scalar(&p->text, gi_float_at(e, single), single, false, false);
    } else if (gi_is_complex(dtype)) {
        double re = gi_float_at(e, single), im = gi_float_at((const char *)e + ga_itemsize(dtype) / 2, single);
        bool   pure = re == 0 && !signbit(re);
        if (!pure) {
            gi_put(&p->text, "(");
            gi_put_scalar(&p->text, re, single, false, true);
        }
        gi_put_scalar(&p->text, im, single, !pure, true);
        gi_put(&p->text, pure ? "j" : "j)");
    } else {
        gi_put_element(p);
    }
}

/* ", shape=(0, 3), dtype=float32)" as far as the elements do not tell, and the end of "array(". */
static void gi_put_repr_end(gi_printer *p, bool summarised, int line_width)
{
    ga_dtype dtype   = p->a->dtype;
    bool     empty   = p->a->size == 0;
    bool     implied = !empty && (dtype == GA_BOOL || dtype == GA_I64 || dtype == GA_F64 || dtype == GA_C128);
    bool     shape   = (empty && p->a->ndim != 1) || summarised;
    gi_text  extra   = { NULL, 0, 0, 0, false };
    if (shape) {
        gi_put(&extra, "shape=");
        gi_put(&extra, gi_shape_of(p->a));
    }
    if (!implied) {
        gi_put(&extra, shape ? ", dtype=" : "dtype=");
        gi_put(&extra, ga_dtype_name(dtype));
    }
    gi_put(&extra, ")");
    if (shape || !implied) {
        gi_put(&p->text, ",");
        size_t before = p->text.n;
        gi_wrap_line(&p->text, (int64_t)extra.n + 1, line_width, 0);
        if (p->text.n == before)
            gi_put(&p->text, " ");
        else
            gi_put(&p->text, "      "); /* below what follows "array(" */
    }
    if (extra.failed) p->text.failed = true;
    if (!extra.failed) gi_put_bytes(&p->text, extra.s, extra.n);
    free(extra.s);
}

char *(ga_to_string)(const ga_array *a, ga_print_options o)
{
    if (!gi_check(o.site, a, "a")) return NULL;
    if (o.precision < 0 || o.threshold < 0 || o.edgeitems < 0 || o.linewidth < 0)
        return (char *)gi_fail(o.site, GA_BAD_ARGUMENT,
                               "precision %d, threshold %d, edgeitems %d, linewidth %d: none may be negative", o.precision,
                               o.threshold, o.edgeitems, o.linewidth);
    if (!o.precision && !gi_option_given(o.site, "precision")) o.precision = 8;
    if (!o.threshold && !gi_option_given(o.site, "threshold")) o.threshold = 1000;
    if (!o.edgeitems && !gi_option_given(o.site, "edgeitems")) o.edgeitems = 3;
    if (!o.linewidth && !gi_option_given(o.site, "linewidth")) o.linewidth = 75;
    if (o.precision > 1000) o.precision = 1000; /* no float has more digits behind the point */

    gi_printer p;
    memset(&p, 0, sizeof p);
    p.a             = a;
    p.separator     = o.repr ? ", " : " ";
    p.head          = o.edgeitems;
    bool    cut     = a->size > o.threshold;
    int64_t tail    = o.edgeitems > 0 ? o.edgeitems : 1, n = 1; /* the last element is always shown, as in NumPy */
    for (int d = 0; d < a->ndim; d++) {
        p.shown[d] = cut && a->shape[d] > 2 * (int64_t)o.edgeitems ? o.edgeitems + tail : a->shape[d];
        n *= p.shown[d];
    }
    if (a->size == 0) n = 0;
    size_t bytes  = (size_t)(n * ga_itemsize(a->dtype));
    char  *packed = (char *)gi_alloc(o.site, bytes);
    if (!packed) return NULL;
    char *end = packed;
    if (n > 0) gi_pack_shown(&p, 0, (const char *)a->data, &end);
    p.next = packed;

    gi_measure(&p, n, o.precision, o.suppress);
    gi_put(&p.text, o.repr ? "array(" : "");
    if (n == 0)
        gi_put(&p.text, "[]");
    else if (a->ndim == 0 && !o.repr)
        gi_put_0d(&p, packed);
    else
        gi_put_axis(&p, 0, o.repr ? 7 : 1, o.repr ? o.linewidth - 1 : o.linewidth);
    if (o.repr) gi_put_repr_end(&p, cut, o.linewidth);
    gi_release(packed, bytes);
    if (!p.text.failed) return p.text.s;
    free(p.text.s);
    return (char *)gi_fail(o.site, GA_NO_MEMORY, "no memory for the text of %lld elements: use a smaller threshold",
                           (long long)n);
}

void (ga_print)(const ga_array *a, ga_print_options o)
{
    char *text = (ga_to_string)(a, o);
    if (!text) return;
    puts(text);
    free(text);
}

/* ==== >>npy: NumPy's .npy and .npz files ========================================================================== */
/*  Read: .npy 1.0 to 3.0 in any byte and memory order (the array is always in C order), .npz with stored or deflated entries.
    Written: what numpy.save and numpy.savez write. A file is not believed: what it claims is compared with its size before
    memory is asked for.                                                                                                     */

#include <sys/stat.h>

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
    errno    = 0;
    s->bytes = NULL;
    s->file  = fopen(path, "rb");
    if (s->file && fseek(s->file, 0, SEEK_END) == 0) {
        s->size = (int64_t)ftell(s->file);
        if (s->size >= 0) return true;
    }
    gi_fail(site, GA_NO_FILE, "cannot %s '%s': %s", s->file ? "go back and forth in" : "open", path, strerror(errno));
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
    int      ndim;
    int64_t  shape[GPUARR_MAX_DIMS];
} gi_npy_header;

#define GI_LITTLE_ENDIAN (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)

static char gi_npy_kind(ga_dtype d)
{
    return d == GA_BOOL ? 'b' : gi_is_signed(d) ? 'i' : gi_is_int(d) ? 'u' : gi_is_float(d) ? 'f' : 'c';
}

static const char *gi_skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r') p++;
    return p;
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
    for (int d = GA_BOOL; plain && d < GA_DTYPE_COUNT; d++)
        if (kind == gi_npy_kind((ga_dtype)d) && size == ga_itemsize((ga_dtype)d)) {
            h->dtype   = (ga_dtype)d;
            h->swapped = order == (GI_LITTLE_ENDIAN ? '>' : '<');
            return true;
        }
    const char *is = "of an unknown dtype", *instead = "numpy.float64";
    if (kind == 'f' && size == 2) is = "float16", instead = "numpy.float32";
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

/* "(3, 4)"; returns what follows it, or NULL (a list, a missing comma, a number that is none). */
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
        if (end == p || errno == ERANGE) return NULL;
        p = gi_skip_blanks(*end == 'L' ? end + 1 : end); /* 3L: written by Python 2 */
        if (h->ndim == GPUARR_MAX_DIMS) {
            *too_many = true;
            return NULL;
        }
        h->shape[h->ndim++] = n;
        comma               = *p == ',';
        if (comma) p++;
    }
}

/* {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), } in any order of the keys, and nothing else. */
static bool gi_read_header_text(const char *site, const char *what, const char *text, gi_npy_header *h)
{
    enum { DESCR = 1, ORDER = 2, SHAPE = 4 };
    int         seen = 0;
    bool        too_many = false;
    const char *p = gi_skip_blanks(text), *stuck = p;
    if (*p++ != '{') p = NULL;
    while (p && *(p = gi_skip_blanks(p)) != '}') {
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
                gi_fail(site, GA_BAD_DTYPE,
                        "the elements in %s are structured (%.80s): save each field as an array of its own, a['field']", what,
                        stuck);
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
        if (*p == ',')
            p++;
        else if (*p != '}')
            break;
        stuck = p;
    }
    if (too_many)
        gi_fail(site, GA_BAD_SHAPE, "the array in %s has more than %d dimensions, %.60s: #define GPUARR_MAX_DIMS for more",
                what, GPUARR_MAX_DIMS, stuck);
    else if (!p || *p != '}' || *gi_skip_blanks(p + 1))
        gi_fail(site, GA_BAD_FILE, "the header of %s makes no sense at \"%.40s\": is it damaged?", what,
                p && *p == '}' ? p : stuck);
    else if (seen != (DESCR | ORDER | SHAPE))
        gi_fail(site, GA_BAD_FILE, "the header of %s lacks '%s': is it damaged?", what,
                !(seen & DESCR) ? "descr" : !(seen & ORDER) ? "fortran_order" : "shape");
    else
        return true;
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
    return gi_read_header_text(site, what, text, h);
}

/* ---- .npy -------------------------------------------------------------------------------------------------------- */

static void gi_swap_bytes(void *p, int64_t n, int width)
{
    for (unsigned char *b = (unsigned char *)p, *end = b + n * width; b < end; b += width)
        for (int i = 0; i < width / 2; i++) {
            unsigned char t  = b[i];
            b[i]             = b[width - 1 - i];
            b[width - 1 - i] = t;
        }
}

/* The array that begins at `at`; `what` names the file in messages. What follows the array is left alone, as NumPy does. */
static ga_array *gi_npy_read(const char *site, const char *what, const gi_source *s, int64_t at)
{
    gi_npy_header h;
    memset(&h, 0, sizeof h);
    if (!gi_read_header(site, what, s, &at, &h)) return NULL;
    int64_t shape[GPUARR_MAX_DIMS], strides[GPUARR_MAX_DIMS]; /* as it lies in the file */
    for (int d = 0; d < h.ndim; d++) {
        if (h.shape[d] < 0)
            return (ga_array *)gi_fail(site, GA_BAD_FILE, "%s claims the shape %s: is it damaged?", what,
                                       gi_shape_text(h.ndim, h.shape));
        shape[d] = h.shape[h.fortran ? h.ndim - 1 - d : d];
    }
    int64_t bytes = gi_c_strides(h.dtype, h.ndim, shape, strides), there = s->size - at;
    if (bytes < 0 || bytes > there)
        return (ga_array *)gi_fail(site, GA_BAD_FILE,
                                   "%s claims %s of %s, but only %lld bytes of data are there: was it cut short?", what,
                                   gi_shape_text(h.ndim, h.shape), ga_dtype_name(h.dtype), (long long)there);
    ga_array *a = gi_new(site, h.dtype, GA_CPU, h.ndim, shape);
    if (!a) return NULL;
    if (!gi_read_at(s, at, a->data, (size_t)bytes)) {
        ga_free(a);
        return (ga_array *)gi_fail(site, GA_NO_FILE, "cannot read %s: %s", what, errno ? strerror(errno) : "it ends early");
    }
    int parts = gi_is_complex(h.dtype) ? 2 : 1;
    if (h.swapped) gi_swap_bytes(a->data, a->size * parts, (int)ga_itemsize(h.dtype) / parts);
    if (h.dtype == GA_BOOL) /* any nonzero byte means true */
        for (unsigned char *b = (unsigned char *)a->data, *end = b + bytes; b < end; b++) *b = *b != 0;
    if (!h.fortran || h.ndim < 2) return a;

    /* Fortran order: the same memory with the axes reversed, then copied to C order like every array that is read. */
    int64_t reversed[GPUARR_MAX_DIMS];
    for (int d = 0; d < h.ndim; d++) reversed[d] = strides[h.ndim - 1 - d];
    ga_array *view = gi_new_view(site, a, a->data, a->dtype, h.ndim, h.shape, reversed);
    ga_array *c    = view ? gi_convert(site, view, a->dtype) : NULL;
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

enum { GI_NAME_ROOM = 400 };

ga_array *(ga_load)(const char *path, const char *site)
{
    gi_source s;
    if (!gi_open_source(site, path, &s)) return NULL;
    char      what[GI_NAME_ROOM], start[4] = "";
    ga_array *a = NULL;
    snprintf(what, sizeof what, "'%.300s'", path);
    if (gi_read_at(&s, 0, start, 4) && !memcmp(start, "PK\3\4", 4))
        gi_fail(site, GA_BAD_FILE, "%s holds several arrays (.npz): use ga_load_from(path, name)", what);
    else
        a = gi_npy_read(site, what, &s, 0);
    fclose(s.file);
    return a;
}

/* A file that is being written; the first error is kept for the end. */
typedef struct gi_output {
    FILE       *file;
    const char *path;
    int64_t     at;
    int         error; /* errno of what failed */
} gi_output;

static bool gi_open_output(const char *site, const char *path, gi_output *o)
{
    o->path  = path;
    o->at    = 0;
    o->error = errno = 0;
    o->file          = path ? fopen(path, "wb") : NULL;
    if (!path)
        gi_fail(site, GA_BAD_ARGUMENT, "the path is NULL");
    else if (!o->file)
        gi_fail(site, GA_NO_FILE, "cannot write '%s': %s", path, strerror(errno));
    return o->file != NULL;
}

static void gi_write(gi_output *o, const void *p, size_t n)
{
    errno = 0;
    if (!o->error && fwrite(p, 1, n, o->file) != n) o->error = errno ? errno : EIO;
    o->at += (int64_t)n;
}

/* A part of a file is not left behind (but /dev/full stays where it is). */
static bool gi_close_output(const char *site, gi_output *o, bool complete)
{
    errno = 0;
    if (fclose(o->file) != 0 && !o->error) o->error = errno ? errno : EIO;
    if (complete && !o->error) return true;
    struct stat about;
    if (stat(o->path, &about) == 0 && S_ISREG(about.st_mode)) (void)remove(o->path);
    if (o->error) gi_fail(site, GA_NO_FILE, "cannot write all of '%s': %s", o->path, strerror(o->error));
    return false;
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

bool (ga_save)(const char *path, const ga_array *a, const char *site)
{
    if (!gi_check(site, a, "a")) return false;
    ga_array *c = gi_contiguous(site, a, a->dtype);
    if (!c) return false;
    gi_output o;
    bool      done = gi_open_output(site, path, &o);
    if (done) {
        char header[GI_NPY_HEADER_ROOM];
        gi_write(&o, header, (size_t)gi_npy_header_bytes(c, header));
        gi_write(&o, c->data, (size_t)(c->size * ga_itemsize(c->dtype)));
        done = gi_close_output(site, &o, true);
    }
    ga_free(c);
    return done;
}

/* ---- CRC-32 ------------------------------------------------------------------------------------------------------ */

typedef struct gi_crc_table { /* row k: what a byte does to the remainder k bytes later */
    uint32_t row[8][256];
} gi_crc_table;

static void gi_make_crc_table(gi_crc_table *t)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int bit = 0; bit < 8; bit++) c = c >> 1 ^ (c & 1 ? 0xEDB88320u : 0);
        t->row[0][i] = c;
    }
    for (int k = 1; k < 8; k++)
        for (int i = 0; i < 256; i++) t->row[k][i] = t->row[k - 1][i] >> 8 ^ t->row[0][t->row[k - 1][i] & 255];
}

/* The CRC of what gave `crc` (0 at the start) followed by n more bytes. */
static uint32_t gi_crc(const gi_crc_table *t, uint32_t crc, const void *bytes, size_t n)
{
    const unsigned char *p = (const unsigned char *)bytes;
    crc                    = ~crc;
    for (; n >= 8; n -= 8, p += 8) { /* eight bytes at once: their effects are independent */
        uint32_t low = crc ^ (uint32_t)gi_little_endian(p, 4);
        crc          = t->row[7][low & 255] ^ t->row[6][low >> 8 & 255] ^ t->row[5][low >> 16 & 255] ^ t->row[4][low >> 24] ^
              t->row[3][p[4]] ^ t->row[2][p[5]] ^ t->row[1][p[6]] ^ t->row[0][p[7]];
    }
    for (; n > 0; n--, p++) crc = crc >> 8 ^ t->row[0][(crc ^ *p) & 255];
    return ~crc;
}

/* ---- inflate: the packed entries of numpy.savez_compressed (RFC 1951) -------------------------------------------- */

enum { GI_LONGEST_CODE = 15, GI_CODES = 1 << GI_LONGEST_CODE };

typedef struct gi_inflater {
    const unsigned char *in, *in_end;
    unsigned char       *out, *out_start, *out_end;
    uint64_t             bits; /* read and not yet used, the next one lowest */
    int                  held; /* how many; negative: more were used than there are */
    uint16_t             literals[GI_CODES], distances[GI_CODES]; /* by the next 15 bits: symbol * 16 + length of its code */
} gi_inflater;

static unsigned gi_peek_bits(gi_inflater *z, int n)
{
    for (; z->held >= 0 && z->held < n && z->in < z->in_end; z->held += 8) z->bits |= (uint64_t)*z->in++ << z->held;
    return (unsigned)(z->bits & ((1u << n) - 1));
}

static unsigned gi_take_bits(gi_inflater *z, int n)
{
    unsigned v = gi_peek_bits(z, n);
    z->bits >>= n;
    z->held -= n;
    return v;
}

/* The next symbol, or -1 if there is no such code. */
static int gi_take_symbol(gi_inflater *z, const uint16_t *table)
{
    unsigned entry = table[gi_peek_bits(z, GI_LONGEST_CODE)];
    (void)gi_take_bits(z, (int)(entry & 15));
    return entry == 0 || z->held < 0 ? -1 : (int)(entry >> 4);
}

/* The table of the code whose symbol i has length[i] bits; false if the lengths ask for more codes than there are. */
static bool gi_make_codes(uint16_t *table, const unsigned char *length, int n)
{
    memset(table, 0, GI_CODES * sizeof *table);
    unsigned code = 0;
    for (int bits = 1; bits <= GI_LONGEST_CODE; bits++, code <<= 1)
        for (int i = 0; i < n; i++) {
            if (length[i] != bits) continue;
            unsigned reversed = 0; /* codes are read from their highest bit on */
            for (int b = 0; b < bits; b++) reversed |= (code >> b & 1) << (bits - 1 - b);
            if (code++ >> bits) return false;
            for (unsigned k = reversed; k < GI_CODES; k += 1u << bits) table[k] = (uint16_t)(i << 4 | bits);
        }
    return true;
}

/* Reads the codes of a block: fixed ones, or their lengths, which are packed themselves. */
static bool gi_read_codes(gi_inflater *z, bool fixed)
{
    unsigned char length[288 + 32] = { 0 };
    int           literals = 288, distances = 30;
    if (fixed) {
        for (int i = 0; i < 288; i++) length[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
        memset(length + 288, 5, 30);
    } else {
        static const unsigned char order[] = { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15 };
        literals                           = (int)gi_take_bits(z, 5) + 257;
        distances                          = (int)gi_take_bits(z, 5) + 1;
        int n                              = (int)gi_take_bits(z, 4) + 4;
        for (int i = 0; i < n; i++) length[order[i]] = (unsigned char)gi_take_bits(z, 3);
        if (literals > 286 || distances > 30 || !gi_make_codes(z->literals, length, 19)) return false;
        memset(length, 0, sizeof length);
        for (int i = 0; i < literals + distances;) {
            int           symbol = gi_take_symbol(z, z->literals), repeat = 1;
            unsigned char value  = (unsigned char)symbol;
            if (symbol < 0 || (symbol == 16 && i == 0)) return false;
            if (symbol >= 16) value = symbol == 16 ? length[i - 1] : 0;
            if (symbol == 16) repeat = 3 + (int)gi_take_bits(z, 2);
            if (symbol == 17) repeat = 3 + (int)gi_take_bits(z, 3);
            if (symbol == 18) repeat = 11 + (int)gi_take_bits(z, 7);
            if (i + repeat > literals + distances) return false;
            while (repeat-- > 0) length[i++] = value;
        }
    }
    return gi_make_codes(z->literals, length, literals) && gi_make_codes(z->distances, length + literals, distances);
}

/* Literals and copies of what came before, up to the end of the block. */
static bool gi_inflate_block(gi_inflater *z)
{
    for (;;) {
        int symbol = gi_take_symbol(z, z->literals);
        if (symbol == 256) return true;
        if (symbol < 0 || symbol > 285 || z->out == z->out_end) return false;
        if (symbol < 256) {
            *z->out++ = (unsigned char)symbol;
            continue;
        }
        /* Lengths 3 to 10 have symbols of their own; then four symbols to each number of extra bits. 258 has one as well. */
        int     k = symbol - 257, extra = k < 8 || k == 28 ? 0 : (k - 4) / 4;
        int64_t length = k < 8 ? 3 + k : k == 28 ? 258 : 3 + ((4 + k % 4) << extra) + (int)gi_take_bits(z, extra);
        int     far    = gi_take_symbol(z, z->distances);
        if (far < 0 || far > 29) return false;
        extra            = far < 4 ? 0 : (far - 2) / 2;
        int64_t distance = far < 4 ? 1 + far : 1 + ((2 + far % 2) << extra) + (int)gi_take_bits(z, extra);
        if (distance > z->out - z->out_start || length > z->out_end - z->out) return false;
        for (; length > 0; length--, z->out++) *z->out = *(z->out - distance);
    }
}

/* Unpacks `n` bytes into exactly `room` ones; false if the input is damaged. */
static bool gi_inflate(gi_inflater *z, const void *in, size_t n, void *out, size_t room)
{
    z->in        = (const unsigned char *)in;
    z->in_end    = z->in + n;
    z->out_start = z->out = (unsigned char *)out;
    z->out_end   = z->out + room;
    z->bits      = 0;
    z->held      = 0;
    for (bool last = false; !last;) {
        last          = gi_take_bits(z, 1) != 0;
        unsigned kind = gi_take_bits(z, 2);
        if (kind == 0) { /* stored: from the next whole byte on, length and its complement first */
            (void)gi_take_bits(z, z->held & 7);
            unsigned length = gi_take_bits(z, 16), complement = gi_take_bits(z, 16);
            if (z->held < 0 || (length ^ complement) != 0xFFFF) return false;
            z->in -= z->held / 8;
            z->bits = 0;
            z->held = 0;
            if (length > (size_t)(z->in_end - z->in) || length > (size_t)(z->out_end - z->out)) return false;
            if (length > 0) memcpy(z->out, z->in, length);
            z->in += length;
            z->out += length;
        } else if (kind == 3 || !gi_read_codes(z, kind == 1) || !gi_inflate_block(z)) {
            return false;
        }
        if (z->held < 0) return false;
    }
    return z->out == z->out_end;
}

/* ---- .npz: a zip archive of .npy files --------------------------------------------------------------------------- */

#ifndef GI_ZIP_LIMIT
#define GI_ZIP_LIMIT 0xFFFFFFFFu /* from here on sizes and places go into 64-bit fields (tests lower it) */
#endif

typedef struct gi_zip_entry {
    char     name[256]; /* without .npy */
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
    unsigned char *tail = (unsigned char *)gi_alloc(site, room);
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
    gi_release(tail, room);
    if (!found) gi_fail(site, GA_BAD_FILE, "%s is no .npz file (a zip archive), or was cut short", what);
    return found;
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
    size_t kept = name > 4 && !memcmp(p + name - 4, ".npy", 4) ? name - 4 : name;
    if (kept > sizeof e->name - 1) kept = sizeof e->name - 1;
    memcpy(e->name, p, kept);
    e->name[kept] = 0;
    for (char *c = e->name; *c; c++)
        if ((unsigned char)*c < ' ') *c = '?'; /* messages quote it */
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
    unsigned char piece[PIECE];
    gi_crc_table  table;
    uint32_t      crc = 0;
    gi_make_crc_table(&table);
    for (size_t now; n > 0; n -= now, at += (int64_t)now) {
        now = n < PIECE ? (size_t)n : (size_t)PIECE;
        if (!gi_read_at(s, at, piece, now)) return false;
        crc = gi_crc(&table, crc, piece, now);
    }
    return crc == expected;
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
    gi_inflater *inflater = (gi_inflater *)gi_alloc(site, sizeof *inflater);
    void        *packed   = inflater ? gi_alloc(site, packed_size) : NULL;
    void        *bytes    = packed ? gi_alloc(site, size) : NULL;
    if (bytes) {
        gi_source unpacked = { NULL, (const unsigned char *)bytes, (int64_t)size };
        if (!gi_read_at(s, at, packed, packed_size) || !gi_inflate(inflater, packed, packed_size, bytes, size) ||
            !gi_crc_is(&unpacked, 0, size, e->crc))
            gi_fail(site, GA_BAD_FILE, "%s is damaged: it cannot be unpacked to what its checksum says", what);
        else
            a = gi_npy_parse(site, what, bytes, size);
    }
    gi_release(bytes, size);
    gi_release(packed, packed_size);
    gi_release(inflater, sizeof *inflater);
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
        return (ga_array *)gi_fail(site, GA_BAD_FILE, "%s is packed by an unknown method (%d): write it with numpy.savez",
                                   what, e->method);
    if (e->packed != e->size || !gi_crc_is(s, at, e->size, e->crc))
        return (ga_array *)gi_fail(site, GA_BAD_FILE, "%s is damaged: its bytes do not give its checksum", what);
    gi_source part = *s; /* ends where the entry ends */
    part.size      = at + (int64_t)e->size;
    return gi_npy_read(site, what, &part, at);
}

/* The array `name` (NULL: the first) of an archive. */
static ga_array *gi_npz_read(const char *site, const char *what, const gi_source *s, const char *name)
{
    gi_zip_directory z;
    if (!gi_find_zip_directory(site, what, s, &z)) return NULL;
    size_t         bytes     = (size_t)z.bytes;
    unsigned char *directory = (unsigned char *)gi_alloc(site, bytes);
    if (!directory) return NULL;
    const unsigned char *p = gi_read_at(s, (int64_t)z.at, directory, bytes) ? directory : NULL;
    gi_zip_entry         e;
    bool                 found = false;
    char                 there[GI_NAME_ROOM]; /* the names, for the message */
    int                  used  = 0;
    size_t               given = name ? strlen(name) : 0;
    there[0]                   = 0;
    for (uint64_t i = 0; p && i < z.entries && !found; i++) {
        p = gi_read_zip_entry(p, directory + bytes, &e);
        if (!p) break;
        size_t n = strlen(e.name);
        found    = !name || (given >= n && !memcmp(name, e.name, n) && (given == n || !strcmp(name + n, ".npy")));
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
        gi_fail(site, GA_BAD_ARGUMENT, "%s holds no array '%.100s'; it has: %s", what, name, there);
    }
    gi_release(directory, bytes);
    return a;
}

ga_array *(ga_load_from)(const char *path, const char *name, const char *site)
{
    gi_source s;
    if (!gi_open_source(site, path, &s)) return NULL;
    char what[GI_NAME_ROOM];
    snprintf(what, sizeof what, "'%.300s'", path);
    ga_array *a = gi_npz_read(site, what, &s, name);
    fclose(s.file);
    return a;
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
    unsigned extra   = (wide_size ? 16u : 0u) + (wide_at ? 8u : 0u), version = extra > 0 ? 45 : 20;
    size_t   n       = strlen(name);
    gi_write(o, directory ? "PK\1\2" : "PK\3\4", 4);
    if (directory) gi_write_number(o, 3 << 8 | version, 2); /* made on Unix */
    gi_write_number(o, version, 2);
    gi_write_number(o, (uint64_t)e->flags, 2);
    gi_write_number(o, 0, 4);                /* not packed; time 0:00 */
    gi_write_number(o, 1 << 5 | 1, 2);       /* 1 January 1980, so that equal arrays give equal files */
    gi_write_number(o, e->crc, 4);
    gi_write_32(o, e->size);
    gi_write_32(o, e->size);
    gi_write_number(o, n + 4, 2);
    gi_write_number(o, extra > 0 ? extra + 4 : 0, 2);
    if (directory) {
        gi_write_number(o, 0, 6);            /* no comment, first disk, not text */
        gi_write_number(o, 0600u << 16, 4);  /* permissions */
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

static bool gi_write_zipped(const char *site, gi_output *o, const gi_crc_table *table, const char *name, const ga_array *a,
                            gi_zip_entry *e)
{
    ga_array *c = gi_contiguous(site, a, a->dtype);
    if (!c) return false;
    char   header[GI_NPY_HEADER_ROOM];
    size_t before = (size_t)gi_npy_header_bytes(c, header), bytes = (size_t)(c->size * ga_itemsize(c->dtype));
    e->at         = (uint64_t)o->at;
    e->size       = before + bytes;
    e->crc        = gi_crc(table, gi_crc(table, 0, header, before), c->data, bytes);
    for (const char *p = name; *p; p++)
        if (*p & 0x80) e->flags = 1 << 11; /* the name is UTF-8 */
    gi_write_zip_entry(o, e, name, false);
    gi_write(o, header, before);
    gi_write(o, c->data, bytes);
    ga_free(c);
    return true;
}

bool (ga_savez)(const char *path, int n, const char *const *names, const ga_array *const *arrays, const char *site)
{
    if (n < 0 || (n > 0 && !arrays)) {
        gi_fail(site, GA_BAD_ARGUMENT, n < 0 ? "the number of arrays is negative" : "the list of arrays is NULL");
        return false;
    }
    char a_name[24], b_name[24];
    for (int i = 0; i < n; i++) {
        const char *name = gi_zip_name(names, i, a_name);
        if (!gi_check(site, arrays[i], name)) return false;
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
    size_t        bytes   = (size_t)n * sizeof(gi_zip_entry);
    gi_zip_entry *entries = (gi_zip_entry *)gi_alloc(site, bytes);
    if (!entries) return false;
    memset(entries, 0, bytes);
    gi_output o;
    bool      done = gi_open_output(site, path, &o);
    if (done) {
        gi_crc_table table;
        gi_make_crc_table(&table);
        for (int i = 0; i < n && done; i++)
            done = gi_write_zipped(site, &o, &table, gi_zip_name(names, i, a_name), arrays[i], &entries[i]);
        uint64_t start = (uint64_t)o.at;
        for (int i = 0; i < n && done; i++) gi_write_zip_entry(&o, &entries[i], gi_zip_name(names, i, a_name), true);
        gi_write_zip_end(&o, (uint64_t)n, start);
        done = gi_close_output(site, &o, done);
    }
    gi_release(entries, bytes);
    return done;
}

/* ==== >>timing ==================================================================================================== */

double ga_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A call on the CPU has done everything when it returns. */
void (ga_synchronize)(void) {}

static int gi_compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts the n times. */
static ga_times gi_summarise_times(double *seconds, int n)
{
    ga_times t = { 0, 0, 0, 0, 0 };
    qsort(seconds, (size_t)n, sizeof *seconds, gi_compare_doubles);
    for (int i = 0; i < n; i++) t.mean += seconds[i] / n;
    for (int i = 0; i < n; i++) t.std += (seconds[i] - t.mean) * (seconds[i] - t.mean) / n;
    t.std    = sqrt(t.std);
    t.min    = seconds[0];
    t.max    = seconds[n - 1];
    t.median = (seconds[(n - 1) / 2] + seconds[n / 2]) / 2;
    return t;
}

/* One call; what it makes is released after the clock has stopped. */
static double gi_time_call(void (*f)(void *user), void *user)
{
    gi_scope scope;
    gi_scope_begin(&scope);
    double start = ga_now();
    f(user);
    (ga_synchronize)();
    double seconds = ga_now() - start;
    gi_scope_end(&scope);
    return seconds;
}

/* Microseconds with three decimals, whatever the locale. */
static const char *gi_microseconds(double seconds, char *text, size_t room)
{
    long long ns = llround(seconds * 1e9);
    snprintf(text, room, "%lld.%03lld", ns / 1000, ns % 1000);
    return text;
}

static void gi_print_times(const char *device, const ga_times *t)
{
    char text[5][32];
    printf(" %s: %s us +/- %s (min %s / max %s / median %s) us", device, gi_microseconds(t->mean, text[0], 32),
           gi_microseconds(t->std, text[1], 32), gi_microseconds(t->min, text[2], 32), gi_microseconds(t->max, text[3], 32),
           gi_microseconds(t->median, text[4], 32));
}

ga_benchmark_result (ga_benchmark)(void (*f)(void *user), void *user, ga_benchmark_options o)
{
    ga_benchmark_result r;
    memset(&r, 0, sizeof r);
    if (!f || o.repeat < 0 || o.max_seconds < 0) {
        gi_fail(o.site, GA_BAD_ARGUMENT, f ? "a negative number of calls or seconds" : "the function is NULL");
        return r;
    }
    int    repeat = o.repeat > 0 ? o.repeat : 10000, warmup = o.warmup > 0 ? o.warmup : o.warmup < 0 ? 0 : 10;
    /* A number of calls that is asked for is done; else as many as fit into the time. */
    double  limit = o.max_seconds > 0 ? o.max_seconds : o.repeat > 0 ? (double)INFINITY : 1;
    size_t  bytes = (size_t)repeat * sizeof(double);
    double *times = (double *)gi_alloc(o.site, bytes), spent = 0;
    if (!times) return r;
    bool was_fine = gi_error_status == GA_OK, failed = false;
    for (int i = 0; i < warmup && spent < limit && !failed; i++) {
        spent += gi_time_call(f, user);
        failed = was_fine && gi_error_status != GA_OK;
    }
    spent = 0;
    while (r.repeats < repeat && (r.repeats == 0 || spent < limit) && !failed) {
        times[r.repeats] = gi_time_call(f, user);
        spent += times[r.repeats++];
        failed = was_fine && gi_error_status != GA_OK;
    }
    if (failed) /* f has said why; the time of a failing call is no answer */
        r.repeats = 0;
    else
        r.cpu = gi_summarise_times(times, r.repeats);
    gi_release(times, bytes);
    if (o.quiet || r.repeats == 0) return r;
    const char *call = o.site ? strchr(o.site, '\t') : NULL;
    printf("%s:", o.name ? o.name : call ? call + 1 : "ga_benchmark");
    gi_print_times("CPU", &r.cpu);
    if (r.device.max > 0) gi_print_times("device", &r.device);
    printf(", %d repeats\n", r.repeats);
    return r;
}
