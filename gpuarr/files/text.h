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
static gi_decimal gi_rounded_to(double x, int n)
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

/* What is different for floats of a dtype. */
typedef struct gi_digits_of {
    int    sure, most; /* digits that every decimal keeps, and that tell every float */
    double normal;     /* the smallest one that has all digits */
    double long_from;  /* from where on NumPy writes elements with exponents */
} gi_digits_of;

static gi_digits_of gi_digits_of_dtype(ga_dtype as)
{
    static const gi_digits_of f16 = { 3, 5, 0x1p-14, 1e3 }, bf16 = { 2, 4, FLT_MIN, 1e2 }, f32 = { 6, 9, FLT_MIN, 1e6 },
                              f64 = { 15, 17, DBL_MIN, 1e8 };
    return as == GA_F16 ? f16 : as == GA_BF16 ? bf16 : as == GA_F32 ? f32 : f64;
}

static bool gi_reads_back(const gi_decimal *d, double x, ga_dtype as)
{
    char text[64];
    snprintf(text, sizeof text, "%.*se%d", d->n, d->digit, d->exponent - (d->n - 1));
    return as == GA_F32 ? strtof(text, NULL) == (float)fabs(x) : gi_float_as(strtod(text, NULL), as) == fabs(x);
}

/* x with n digits. The floats above a power of two lie wider apart than those below: there, the next decimal may read back as x
   though the nearest does not, and is taken, as in NumPy. */
static gi_decimal gi_digits(double x, ga_dtype as, int n, bool *reads_back)
{
    int        power;
    gi_decimal d = gi_rounded_to(x, n), next = d;
    *reads_back = gi_reads_back(&d, x, as);
    if (*reads_back || frexp(fabs(x), &power) != 0.5) return d;
    int last = n - 1;
    while (last > 0 && next.digit[last] == '9') next.digit[last--] = '0';
    if (next.digit[last] == '9') return d;
    next.digit[last]++;
    *reads_back = gi_reads_back(&next, x, as);
    return *reads_back ? next : d;
}

/* The fewest digits that read back as x, as a float of the dtype `as`. */
static gi_decimal gi_shortest(double x, ga_dtype as)
{
    /* Numbers with at most `sure` digits differ as floats as well, so no other one of `sure` digits can read back; below the
       normal numbers that does not hold. */
    const gi_digits_of digits = gi_digits_of_dtype(as);
    for (int n = fabs(x) >= digits.normal ? digits.sure : 1;; n++) {
        bool       reads_back;
        gi_decimal d = gi_digits(x, as, n, &reads_back);
        if (reads_back || n == digits.most) return gi_without_zeros(d);
    }
}

/* The shortest digits of x, but none behind that of 10 ** last. */
static gi_decimal gi_shortest_to(double x, ga_dtype as, int last)
{
    gi_decimal d    = gi_shortest(x, as);
    int        keep = d.exponent - last + 1;
    if (d.n <= keep || x == 0) return d;
    if (keep > 0) return gi_without_zeros(gi_rounded_to(x, keep));
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
    ga_dtype as;
    bool     scientific, plus;       /* plus: "+" before what is not negative */
    int      precision, left, right; /* most digits behind the point; columns before and behind it */
    int      exponent_digits;
} gi_float_format;

static double gi_float_at(const void *p, ga_dtype as)
{
    double element, x;
    memcpy(&element, p, (size_t)ga_itemsize(as));
    gi_cast(GA_F64, as, 1, &x, &element);
    return x;
}

/* Must these numbers be written with exponents? The limits are compared in the dtype of the array, as NumPy does. */
static bool gi_is_scientific(ga_dtype as, double smallest, double largest, bool suppress)
{
    if (largest >= gi_digits_of_dtype(as).long_from) return true;
    return !suppress && (smallest < gi_float_as(1e-4, as) || gi_float_as(largest / smallest, as) > 1000);
}

/* The format for n floats that lie `stride` bytes apart. */
static gi_float_format gi_measure_floats(const char *p, int64_t n, int stride, ga_dtype as, bool plus, int precision,
                                         bool suppress)
{
    gi_float_format f        = { as, false, plus, precision, 0, 0, 2 };
    double          smallest = INFINITY, largest = 0;
    int64_t         finite    = 0;
    bool            minus_inf = plus;
    for (int64_t i = 0; i < n; i++) {
        double x = fabs(gi_float_at(p + i * stride, as));
        if (gi_float_at(p + i * stride, as) == -INFINITY) minus_inf = true;
        if (!isfinite(x)) continue;
        finite++;
        if (x != 0 && x < smallest) smallest = x;
        if (x > largest) largest = x;
    }
    f.scientific = largest > 0 && gi_is_scientific(as, smallest, largest, suppress);
    for (int64_t i = 0; i < n; i++) {
        double x = gi_float_at(p + i * stride, as);
        if (!isfinite(x)) continue;
        gi_decimal d = gi_shortest(x, as);
        d            = gi_shortest_to(x, as, f.scientific ? d.exponent - precision : -precision);
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
        gi_decimal d = gi_digits(x, f->as, f->precision + 1, &reads_back);
        gi_put_many(t, ' ', f->left - 1 - (int)strlen(sign));
        gi_put(t, sign);
        gi_put_bytes(t, d.digit, 1);
        gi_put(t, ".");
        gi_put_bytes(t, d.digit + 1, (size_t)(d.n - 1));
        gi_put_exponent(t, d.exponent, f->exponent_digits);
    } else {
        gi_decimal d = gi_shortest_to(x, f->as, -f->precision);
        gi_put_many(t, ' ', f->left - (d.exponent < 0 ? 1 : d.exponent + 1) - (int)strlen(sign));
        gi_put(t, sign);
        gi_put_positional(t, &d);
        gi_put_many(t, ' ', width - (int64_t)(t->n - start));
    }
}

/* A float of a 0-d array, as Python prints a number: 1.0, 1e+16; within a complex number 1. */
static void gi_put_scalar(gi_text *t, double x, ga_dtype as, bool plus, bool within_complex)
{
    if (plus && (isnan(x) || !signbit(x))) gi_put(t, "+");
    if (!isfinite(x)) {
        gi_put(t, gi_not_finite(x));
        return;
    }
    gi_decimal d = gi_shortest(x, as);
    if (signbit(x)) gi_put(t, "-");
    if (x == 0 || (fabs(x) >= 1e-4 && fabs(x) < (as == GA_F64 ? 1e16 : gi_digits_of_dtype(as).long_from))) {
        gi_put_positional(t, &d);
        if (d.exponent < d.n - 1 && x != 0) return;         /* digits behind the point */
        if (within_complex && !t->failed) t->s[--t->n] = 0; /* the point */
        else gi_put(t, "0");
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
#define GI_CASE(TAG, tag, T, name)                                                                                             \
    case GA_##TAG: {                                                                                                           \
        T v;                                                                                                                   \
        memcpy(&v, p, sizeof v);                                                                                               \
        return v < 1 ? snprintf(text, 24, "%lld", (long long)v) : snprintf(text, 24, "%llu", (unsigned long long)v);           \
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

/* Which part of an axis lies in a corner of a cut array: its beginning or its end. Sets where it begins among the shown elements
   and in the array; returns its length. */
static int64_t gi_corner(const gi_printer *p, int axis, bool at_end, int64_t *shown, int64_t *whole)
{
    int64_t length = p->a->shape[axis], head = gi_is_cut(p, axis) ? p->head : length, tail = p->shown[axis] - head;
    *shown = at_end ? head : 0;
    *whole = at_end ? length - tail : 0;
    return at_end ? tail : head;
}

/* The shown elements, packed, on the CPU: of an array on the GPU no others are copied. */
static ga_array *gi_shown_elements(const char *site, const gi_printer *p)
{
    const ga_array *a   = p->a;
    bool            cut = false, ok;
    for (int d = 0; d < a->ndim; d++) cut = cut || gi_is_cut(p, d);
    if (!cut) return gi_copy_on_cpu(site, a);
    ga_array *shown = gi_array_new(site, a->dtype, a->device, a->ndim, p->shown);
    ok              = shown != NULL;
    for (int corner = 0; ok && corner < 1 << a->ndim; corner++) { /* bit d: the end of axis d */
        int64_t shape[GPUARR_MAX_DIMS], to = 0, from = 0, size = 1;
        for (int d = 0; d < a->ndim; d++) {
            int64_t shown_at, whole_at;
            shape[d] = gi_corner(p, d, corner >> d & 1, &shown_at, &whole_at);
            to += shown_at * shown->strides[d];
            from += whole_at * a->strides[d];
            size *= shape[d];
        }
        if (size == 0) continue;
        ga_array *target = gi_array_new_view(site, shown, (char *)shown->data + to, a->dtype, a->ndim, shape, shown->strides);
        ga_array *source = gi_array_new_view(site, a, (char *)a->data + from, a->dtype, a->ndim, shape, a->strides);
        ok               = target && source && gi_copy_assign(site, target, source);
        ga_free(source);
        ga_free(target);
    }
    ga_array *packed = ok ? gi_copy_on_cpu(site, shown) : NULL;
    ga_free(shown);
    return packed;
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
        const ga_dtype as = gi_dtype_real(dtype);
        p->real           = gi_measure_floats(p->next, n, size, as, false, precision, suppress);
        p->width          = p->real.left + 1 + p->real.right;
        if (!gi_is_complex(dtype)) return;
        p->imag = gi_measure_floats(p->next + size / 2, n, size, as, true, precision, suppress);
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
        gi_put_float(t, &p->real, gi_float_at(e, p->real.as));
        if (!gi_is_complex(dtype)) return;
        gi_put_float(t, &p->imag, gi_float_at(e + size / 2, p->imag.as));
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
            if (dots) gi_put(t, "...");
            else gi_put_axis(p, axis + 1, indent + 1, line_width - 1);
        }
    }
    gi_put(t, "]");
}

/* A 0-d array without `repr`: the number alone. */
static void gi_put_0d(gi_printer *p, const void *e)
{
    ga_dtype dtype = p->a->dtype;
    ga_dtype as    = gi_dtype_real(dtype);
    if (gi_dtype_kind(dtype) == 2) {
        gi_put_scalar(&p->text, gi_float_at(e, as), as, false, false);
    } else if (gi_is_complex(dtype)) {
        double re = gi_float_at(e, as), im = gi_float_at((const char *)e + ga_itemsize(dtype) / 2, as);
        bool   pure = re == 0 && !signbit(re);
        if (!pure) {
            gi_put(&p->text, "(");
            gi_put_scalar(&p->text, re, as, false, true);
        }
        gi_put_scalar(&p->text, im, as, !pure, true);
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
        if (p->text.n == before) gi_put(&p->text, " ");
        else gi_put(&p->text, "      "); /* below what follows "array(" */
    }
    if (extra.failed) p->text.failed = true;
    if (!extra.failed) gi_put_bytes(&p->text, extra.s, extra.n);
    free(extra.s);
}

char *(ga_to_string)(const ga_array *a, ga_print_options o)
{
    GI_SETTLE_ROUNDING;
    if (!gi_array_check_half_any(o.site, a, "a")) return NULL;
    if (gi_is_deferred(a)) return gi_deferred()->text(o.site, a);
    if (o.precision < 0 || o.threshold < 0 || o.edgeitems < 0 || o.linewidth < 0)
        return (char *)gi_fail(o.site, GA_BAD_ARGUMENT,
                               "precision %d, threshold %d, edgeitems %d, linewidth %d: none may be negative", o.precision,
                               o.threshold, o.edgeitems, o.linewidth);
    if (o.precision > 1000) o.precision = 1000; /* no float has more digits behind the point */

    gi_printer p;
    memset(&p, 0, sizeof p);
    p.a          = a;
    p.separator  = o.repr ? ", " : " ";
    p.head       = o.edgeitems;
    bool    cut  = a->size > o.threshold;
    int64_t tail = o.edgeitems > 0 ? o.edgeitems : 1, n = 1; /* the last element is always shown, as in NumPy */
    for (int d = 0; d < a->ndim; d++) {
        p.shown[d] = cut && a->shape[d] > 2 * (int64_t)o.edgeitems ? o.edgeitems + tail : a->shape[d];
        n *= p.shown[d];
    }
    if (a->size == 0) n = 0;
    ga_array *shown = gi_shown_elements(o.site, &p);
    if (!shown) return NULL;
    p.next = (const char *)shown->data;

    gi_measure(&p, n, o.precision, o.suppress);
    gi_put(&p.text, o.repr ? "array(" : "");
    if (n == 0) gi_put(&p.text, "[]");
    else if (a->ndim == 0 && !o.repr) gi_put_0d(&p, shown->data);
    else gi_put_axis(&p, 0, o.repr ? 7 : 1, o.repr ? o.linewidth - 1 : o.linewidth);
    if (o.repr) gi_put_repr_end(&p, cut, o.linewidth);
    ga_free(shown);
    if (!p.text.failed) return p.text.s;
    free(p.text.s);
    return (char *)gi_fail(o.site, GA_NO_MEMORY, "no memory for the text of %lld elements: use a smaller threshold",
                           (long long)n);
}

void(ga_print)(const ga_array *a, ga_print_options o)
{
    char *text = (ga_to_string)(a, o);
    if (!text) return;
    puts(text);
    free(text);
}
