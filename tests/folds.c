/*  folds.c -- reductions and running sums against the definition of their trees, written here as plainly as it can be: every dtype,
    lengths around the blocks, NaN, infinities and zeros of both signs, views of all kinds, 1 to 8 threads. Equal means equal bits;
    only a NaN is as good as another.                                                                                           */
#include "test.h"

enum { BLOCK = 1024 };

/* ---- elements as the definition sees them ----------------------------------------------------------------------------------- */

typedef struct number { /* any element or accumulator: an integer, or the parts of a complex number */
    uint64_t u;
    double   re, im;
} number;

static bool is_float(ga_dtype d) { return d == GA_F32 || d == GA_F64; }
static bool is_complex(ga_dtype d) { return d == GA_C64 || d == GA_C128; }
static bool is_integer(ga_dtype d) { return !is_float(d) && !is_complex(d); }
static bool is_signed(ga_dtype d) { return d == GA_I8 || d == GA_I16 || d == GA_I32 || d == GA_I64; }

static number read_number(ga_dtype d, const void *p)
{
    number n = { 0, 0, 0 };
    float  f[2];
    switch (d) {
    case GA_BOOL: n.u = *(const bool *)p; break;
    case GA_I8: n.u = (uint64_t)(int64_t) * (const int8_t *)p; break;
    case GA_U8: n.u = *(const uint8_t *)p; break;
    case GA_I16: n.u = (uint64_t)(int64_t) * (const int16_t *)p; break;
    case GA_U16: n.u = *(const uint16_t *)p; break;
    case GA_I32: n.u = (uint64_t)(int64_t) * (const int32_t *)p; break;
    case GA_U32: n.u = *(const uint32_t *)p; break;
    case GA_I64:
    case GA_U64: n.u = *(const uint64_t *)p; break;
    case GA_F32:
        memcpy(f, p, 4);
        n.re = (double)f[0];
        break;
    case GA_F64: memcpy(&n.re, p, 8); break;
    case GA_C64:
        memcpy(f, p, 8);
        n.re = (double)f[0];
        n.im = (double)f[1];
        break;
    default: memcpy(&n.re, p, 8), memcpy(&n.im, (const char *)p + 8, 8);
    }
    if (is_integer(d)) n.re = is_signed(d) ? (double)(int64_t)n.u : (double)n.u;
    return n;
}

static void write_number(ga_dtype d, number n, void *p)
{
    float f[2] = { (float)n.re, (float)n.im };
    switch (d) {
    case GA_F32: memcpy(p, f, 4); break;
    case GA_F64: memcpy(p, &n.re, 8); break;
    case GA_C64: memcpy(p, f, 8); break;
    case GA_C128: memcpy(p, &n.re, 8), memcpy((char *)p + 8, &n.im, 8); break;
    default: memcpy(p, &n.u, (size_t)ga_itemsize(d)); /* little-endian */
    }
}

static bool is_nan(number x) { return x.re != x.re || x.im != x.im; }

/* The same bits, where a NaN is a NaN. */
static bool same_bits(ga_dtype d, const void *p, const void *q)
{
    if (!memcmp(p, q, (size_t)ga_itemsize(d))) return true;
    if (is_integer(d)) return false;
    number x = read_number(d, p), y = read_number(d, q);
    return (x.re != x.re ? y.re != y.re : !memcmp(&x.re, &y.re, 8)) && (x.im != x.im ? y.im != y.im : !memcmp(&x.im, &y.im, 8));
}

/* ---- the definitions -------------------------------------------------------------------------------------------------------- */

typedef number (*joining)(ga_dtype d, number a, number b);

/* Of n values at v, which are lost: in blocks x[i] joins x[i + h], h from the power of two that holds the block; and so on. */
static number fold(ga_dtype d, int64_t n, number *v, joining join)
{
    while (n > 1) {
        int64_t blocks = (n + BLOCK - 1) / BLOCK;
        for (int64_t b = 0; b < blocks; b++) {
            number *x = v + b * BLOCK;
            int64_t m = n - b * BLOCK < BLOCK ? n - b * BLOCK : BLOCK, h = 1;
            while (h < m) h *= 2;
            for (h /= 2; h > 0; h /= 2)
                for (int64_t i = 0; i < h && i + h < m; i++) x[i] = join(d, x[i], x[i + h]);
            v[b] = x[0];
        }
        n = blocks;
    }
    return v[0];
}

static number plus(ga_dtype d, number a, number b)
{
    (void)d;
    number r = { a.u + b.u, a.re + b.re, a.im + b.im };
    return r;
}

static number times(ga_dtype d, number a, number b)
{
    volatile double rr = a.re * b.re, ii = a.im * b.im, ri = a.re * b.im,
                    ir = a.im * b.re; /* rounded, whatever the compiler does */
    number r           = { a.u * b.u, is_complex(d) ? rr - ii : rr, is_complex(d) ? ri + ir : 0 };
    return r;
}

static bool less_equal(ga_dtype d, number a, number b)
{
    if (is_integer(d)) return is_signed(d) ? (int64_t)a.u <= (int64_t)b.u : a.u <= b.u;
    if (!is_complex(d)) return a.re <= b.re;
    return a.re < b.re ? a.im == a.im && b.im == b.im : a.re == b.re && a.im <= b.im;
}

static number larger(ga_dtype d, number a, number b) { return is_nan(a) || less_equal(d, b, a) ? a : b; }
static number smaller(ga_dtype d, number a, number b) { return is_nan(a) || less_equal(d, a, b) ? a : b; }
static number larger_but_nan(ga_dtype d, number a, number b) { return is_nan(b) || less_equal(d, b, a) ? a : b; }
static number smaller_but_nan(ga_dtype d, number a, number b) { return is_nan(b) || less_equal(d, a, b) ? a : b; }
static number either(ga_dtype d, number a, number b) { return (void)d, a.u |= b.u, a; }
static number both(ga_dtype d, number a, number b) { return (void)d, a.u &= b.u, a; }

/* A node of the variance: count, sum, sum of squared distances from the mean, in u, re and im. */
static number join_nodes(ga_dtype d, number a, number b)
{
    (void)d;
    double n = (double)a.u, m = (double)b.u;
    if (b.u == 0) return a;
    if (a.u == 0) return b;
    volatile double share = n / m * b.re, t = a.re - share, square = t * t, whole = n * (n + m), spread = square * (m / whole);
    number          r = { a.u + b.u, a.re + b.re, a.im + b.im + spread };
    return r;
}

/* What the elements x[0 ... n - 1] of dtype d give, as an element of the result's dtype. v has room for n numbers. */
static number reduced(const char *name, ga_dtype d, int64_t n, const number *x, number *v)
{
    bool    nan_left_out = !strncmp(name, "nan", 3);
    number  r;
    joining join = plus;
    memcpy(v, x, (size_t)n * sizeof *v);
    const char *what = nan_left_out ? name + 3 : name;
    if (!strcmp(what, "sum") || !strcmp(what, "prod")) {
        join = !strcmp(what, "sum") ? plus : times;
        for (int64_t i = 0; i < n && nan_left_out; i++)
            if (is_nan(v[i])) v[i].re = join == times, v[i].im = 0;
        return fold(d, n, v, join);
    }
    if (!strcmp(name, "mean")) {
        r = fold(d, n, v, plus);
        r.re /= (double)n;
        r.im /= (double)n;
        return r;
    }
    if (!strcmp(what, "max")) return fold(d, n, v, nan_left_out && is_float(d) ? larger_but_nan : larger);
    if (!strcmp(what, "min")) return fold(d, n, v, nan_left_out && is_float(d) ? smaller_but_nan : smaller);
    if (!strcmp(name, "any") || !strcmp(name, "all") || !strcmp(name, "count_nonzero")) {
        for (int64_t i = 0; i < n; i++) v[i].u = is_integer(d) ? v[i].u != 0 : v[i].re != 0 || v[i].im != 0;
        return fold(d, n, v, !strcmp(name, "any") ? either : !strcmp(name, "all") ? both : plus);
    }
    if (strstr(name, "arg")) {
        bool    largest = strstr(name, "max") != NULL;
        int64_t best    = 0;
        for (int64_t i = 1; i < n; i++) {
            bool nan = is_nan(x[i]), had = is_nan(x[best]);
            if (nan != had ? nan != nan_left_out : !nan && !less_equal(d, largest ? x[i] : x[best], largest ? x[best] : x[i]))
                best = i;
        }
        r.u  = (uint64_t)best;
        r.re = r.im = 0;
        return r;
    }
    /* mean, var and std by nodes */
    double origin = !strcmp(what, "mean") || !isfinite(x[0].re) ? 0 : x[0].re;
    for (int64_t i = 0; i < n; i++) {
        bool empty = nan_left_out && is_nan(x[i]);
        v[i].u     = !empty;
        v[i].re    = empty ? 0 : x[i].re - origin;
        v[i].im    = 0;
    }
    r = fold(d, n, v, join_nodes);
    if (!strcmp(what, "mean")) r.re = r.u > 0 ? r.re / (double)r.u : (double)NAN;
    else r.re = isfinite(r.re) && r.u > 0 ? r.im / (double)r.u : (double)NAN;
    if (!strcmp(what, "std")) r.re = sqrt(r.re);
    r.im = 0;
    return r;
}

/* Running sums: in a block, for d = 1, 2, 4 ..., x[i] is joined with x[i - d]; the last ones of the blocks are a line treated alike. */
static void scan(ga_dtype d, int64_t n, number *v, joining join)
{
    int64_t blocks = (n + BLOCK - 1) / BLOCK;
    for (int64_t b = 0; b < blocks; b++) {
        number *x = v + b * BLOCK;
        int64_t m = n - b * BLOCK < BLOCK ? n - b * BLOCK : BLOCK;
        for (int64_t step = 1; step < m; step *= 2)
            for (int64_t i = m - 1; i >= step; i--) x[i] = join(d, x[i], x[i - step]);
    }
    if (blocks == 1) return;
    number *last = (number *)malloc((size_t)blocks * sizeof *last);
    for (int64_t b = 0; b + 1 < blocks; b++) last[b] = v[b * BLOCK + BLOCK - 1];
    scan(d, blocks - 1, last, join);
    for (int64_t i = BLOCK; i < n; i++) v[i] = join(d, last[i / BLOCK - 1], v[i]);
    free(last);
}

/* ---- arrays ------------------------------------------------------------------------------------------------------------------ */

typedef enum kind { ORDINARY, ZEROS, SPECIAL, NAN_ONLY, KINDS } kind;

static double any_double(kind k)
{
    double x = ((double)(test_random() >> 12) / 0x1p51 - 1) * ldexp(1, (int)(test_random() % 40) - 20);
    switch (k) {
    case ORDINARY: return x;
    case ZEROS: return test_random() % 2 ? 0.0 : -0.0;
    case NAN_ONLY: return (double)NAN;
    default: break;
    }
    switch (test_random() % 40) {
    case 0: return (double)NAN;
    case 1: return (double)INFINITY;
    case 2: return -(double)INFINITY;
    case 3: return 0.0;
    case 4: return -0.0;
    default: return x;
    }
}

static void fill(ga_array *a, kind k)
{
    int64_t size = ga_itemsize(a->dtype);
    for (int64_t i = 0; i < a->size; i++) {
        number n = { test_random(), any_double(k), any_double(k) };
        if (a->dtype == GA_BOOL) n.u = k == ZEROS ? 0 : k == NAN_ONLY ? 1 : n.u & 1;
        else if (k == ZEROS) n.u = test_random() % 4 == 0;
        else if (k == ORDINARY) n.u %= 100;
        write_number(a->dtype, n, (char *)a->data + i * size);
    }
}

/* The elements of the line of `view` that goes into result number `line` (in C order) of a reduction over one axis, or all (-1). */
static int64_t elements_of(const ga_array *view, int axis, int64_t line, number *out)
{
    int64_t     length = axis < 0 ? view->size : view->shape[axis];
    const char *first  = (const char *)view->data;
    for (int d = view->ndim - 1; d >= 0 && axis >= 0; d--) {
        if (d == axis) continue;
        first += line % view->shape[d] * view->strides[d];
        line /= view->shape[d];
    }
    for (int64_t i = 0; i < length; i++) {
        const char *p    = first;
        int64_t     rest = i;
        for (int d = view->ndim - 1; d >= 0 && axis < 0; d--) {
            p += rest % view->shape[d] * view->strides[d];
            rest /= view->shape[d];
        }
        if (axis >= 0) p += i * view->strides[axis];
        out[i] = read_number(view->dtype, p);
    }
    return length;
}

typedef struct call {
    const char *name;
    ga_array *(*f)(const ga_array *, ga_reduce_options);
} call;

static const call calls[] = {
#define CALL(name) { #name, (ga_##name) },
    CALL(sum) CALL(prod) CALL(mean) CALL(min) CALL(max) CALL(any) CALL(all) CALL(count_nonzero) CALL(nansum) CALL(nanprod)
        CALL(nanmin) CALL(nanmax) CALL(var) CALL(std) CALL(nanmean) CALL(nanvar) CALL(nanstd) CALL(argmin) CALL(argmax)
            CALL(nanargmin) CALL(nanargmax)
};
enum { CALLS = sizeof calls / sizeof *calls };

static bool has(const char *name,
                ga_dtype    d) /* complex numbers have no moments without NaN; their variance is that of two parts */
{
    if (is_complex(d) && (strstr(name, "var") || strstr(name, "std") || !strcmp(name, "nanmean") || !strcmp(name, "nanmin") ||
                          !strcmp(name, "nanmax") || !strncmp(name, "nanarg", 6)))
        return false;
    return true;
}

static ga_reduce_options along(int axis) /* of all if it is negative */
{
    ga_reduce_options o = ga_reduce_defaults;
    o.site              = "\tfolds";
    if (axis >= 0) {
        o.axes.ndim = 1;
        o.axes.n[0] = axis;
    }
    return o;
}

/* Does every result of the call on the view have the bits of the definition? */
static bool agrees(const call *c, const ga_array *view, int axis)
{
    int64_t length = axis < 0 ? view->size : view->shape[axis];
    ga_clear_error();
    ga_array *r = c->f(view, along(axis));
    number   *x = (number *)malloc((size_t)(length + 1) * sizeof *x), *v = (number *)malloc((size_t)(length + 1) * sizeof *v);
    bool      fine = r != NULL, nothing = false;
    for (int64_t line = 0; fine && line < r->size; line++) {
        char wanted[16];
        elements_of(view, axis, line, x);
        write_number(r->dtype, reduced(c->name, view->dtype, length, x, v), wanted);
        fine = same_bits(r->dtype, (const char *)r->data + line * ga_itemsize(r->dtype), wanted);
    }
    int64_t lines = axis < 0 ? 1 : view->size / length;
    for (int64_t line = 0; !r && line < lines && !strncmp(c->name, "nanarg", 6); line++) { /* an error: of nothing but NaN */
        bool all = true;
        elements_of(view, axis, line, x);
        for (int64_t i = 0; i < length; i++) all = all && is_nan(x[i]);
        nothing = nothing || all;
    }
    ga_clear_error();
    ga_free(r);
    free(x);
    free(v);
    return fine || nothing;
}

/* All calls on a view, along every axis and whole; counted as one check for each call. */
static void check_view(const ga_array *view, const char *how)
{
    for (int k = 0; k < CALLS; k++) {
        if (!has(calls[k].name, view->dtype)) continue;
        for (int axis = -1; axis < view->ndim; axis++) {
            bool fine = agrees(&calls[k], view, axis);
            if (!fine)
                printf("ga_%s of %s, %s, axis %d, %d threads:\n", calls[k].name, ga_dtype_name(view->dtype), how, axis,
                       ga_get_num_threads());
            CHECK(fine);
        }
    }
}

/* ---- the tests ---------------------------------------------------------------------------------------------------------------- */

static void test_lengths(ga_dtype d)
{
    static const int64_t lengths[] = { 1, 2, 3, 7, 8, 9, 31, 100, 127, 129, 1000, 1023, 1024, 1025, 2047, 2048, 5000 };
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        kind      k = (kind)((i + (size_t)d) % KINDS);
        ga_array *a = ga_empty((lengths[i] + 1), .dtype = d);
        fill(a, k);
        ga_array *view = ga_index(a, "1:"); /* not aligned to a vector */
        ga_set_num_threads(1 + (int)i % 8);
        check_view(view, "a line");
        ga_free(view);
        ga_free(a);
    }
}

/* Where the extremes of short lines are: of every length, lines of which a vector or four hold all. */
static void test_short_lines(ga_dtype d)
{
    for (int64_t n = 1; n <= 70; n++) {
        ga_array *a = ga_empty((20, n + 1), .dtype = d);
        fill(a, (kind)((n + (int64_t)d) % KINDS));
        ga_array *cut = ga_index(a, ":, 1:"), *packed = ga_copy(cut);
        ga_set_num_threads(1 + (int)n % 2);
        for (int k = 0; k < CALLS; k++) {
            if (!has(calls[k].name, d) || !strstr(calls[k].name, "arg")) continue;
            CHECK(agrees(&calls[k], cut, 1));
            CHECK(agrees(&calls[k], packed, 1));
        }
        ga_free(a);
        ga_free(cut);
        ga_free(packed);
    }
}

/* Views of (rows, columns): folded row by row, column by column, gathered, backwards, repeated. */
static void test_views(ga_dtype d)
{
    static const struct shape {
        int64_t rows, columns;
    } shapes[] = {
        { 1, 40 }, { 3, 70 }, { 8, 20 }, { 70, 3 }, { 100, 33 }, { 600, 17 }, { 1025, 2 }, { 1100, 130 }, { 2, 1300 }
    };
    static const char *const views[] = { ":, :", "::-1, :", ":, ::-1", "::2, :", ":, ::3", ":, 1:" };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        kind      k = (kind)((i + (size_t)d) % KINDS);
        ga_array *a = ga_empty((shapes[i].rows, shapes[i].columns), .dtype = d);
        fill(a, k);
        if (i % 2) { /* NaN in one column alone */
            for (int64_t row = 0; row < a->shape[0] && !is_integer(d); row += 50) {
                number n = { 0, (double)NAN, 0 };
                write_number(d, n, (char *)a->data + (row * a->shape[1] + 1) * ga_itemsize(d));
            }
        }
        size_t v = (i + (size_t)d) % (sizeof views / sizeof *views);
        for (int turned = 0; turned < 2; turned++) {
            ga_array *part = (ga_index)("\tfolds", a, views[v]), *view = turned ? ga_transpose(part) : ga_copy(part);
            ga_set_num_threads(1 + (int)(i + (size_t)turned) % 8);
            check_view(turned ? view : part, views[v]);
            ga_free(part);
            ga_free(view);
        }
        ga_free(a);
    }
    ga_array *row = ga_empty((1, 200), .dtype = d);
    fill(row, SPECIAL);
    ga_array *wide = ga_broadcast_to(row, (40, 200));
    check_view(wide, "repeated rows");
    ga_free(wide);
    ga_free(row);
    ga_array *cube = ga_empty((5, 40, 6), .dtype = d);
    fill(cube, SPECIAL);
    ga_array *permuted = ga_transpose(cube, .axes = ga_axes(2, 0, 1));
    check_view(cube, "a cube");
    check_view(permuted, "a permuted cube");
    ga_free(permuted);
    ga_free(cube);
}

/* One thread computes what eight compute. */
static bool threads_agree(const call *c, const ga_array *view)
{
    ga_reduce_options o   = along(0);
    ga_array         *all = c->f(view, o);
    ga_set_num_threads(1);
    ga_array *one = c->f(view, o);
    ga_set_num_threads(8);
    bool fine =
        all && one && all->size == one->size && !memcmp(all->data, one->data, (size_t)(one->size * ga_itemsize(one->dtype)));
    ga_free(all);
    ga_free(one);
    return fine;
}

/* Lengths at which the work is shared, and the results of blocks are blocks again; the last blocks are not whole. */
static void test_long(ga_dtype d)
{
    ga_array *a        = ga_empty((1200, 900), .dtype = d);
    ga_array *views[3] = { ga_ravel(a), ga_reshape(a, (54000, 20)), ga_reshape(a, (3, 360000)) };
    ga_set_num_threads(8);
    for (int special = 0; special < 2; special++) {
        fill(a, special ? SPECIAL : ORDINARY);
        for (int k = 0; k < CALLS; k++) {
            if (!has(calls[k].name, d)) continue;
            for (int v = 0; v < (special ? 1 : 3); v++) { /* (lines of three may be nothing but NaN) */
                CHECK(agrees(&calls[k], views[v], 0));
                CHECK(threads_agree(&calls[k], views[v]));
            }
        }
    }
    for (int v = 0; v < 3; v++) ga_free(views[v]);
    ga_free(a);
}

/* Zeros far apart, of which few are negative: the order of the tree tells which of them is the least, and the greatest, whatever is folded
   at once, and by whichever thread. */
static void test_far_zeros(ga_dtype d)
{
    enum { FAR = 300001, FEW = 8, TRIALS = 40 };
    ga_array *a = ga_empty((FAR), .dtype = d);
    fill(a, ORDINARY);
    ga_absolute(a, .out = a);
    ga_add(a, 1, .out = a);
    for (int trial = 0; trial < TRIALS; trial++) {
        int64_t places[FEW];
        for (int i = 0; i < FEW; i++) {
            places[i] = (int64_t)(test_random() % FAR);
            write_number(d, (number){ 0, i % 4 ? 0.0 : -0.0, 0 }, (char *)a->data + places[i] * ga_itemsize(d));
        }
        for (int k = 0; k < CALLS; k++)
            if (strstr(calls[k].name, "min") || strstr(calls[k].name, "max")) {
                if (trial < 2) CHECK(agrees(&calls[k], a, 0));
                CHECK(threads_agree(&calls[k], a));
            }
        for (int i = 0; i < FEW; i++) write_number(d, (number){ 0, 1, 0 }, (char *)a->data + places[i] * ga_itemsize(d));
        if (trial == TRIALS / 2) ga_negative(a, .out = a);
    }
    ga_free(a);
}

static void test_axes(void) /* several axes at once: C order of the reduced axes is the order of the line */
{
    ga_array *a = ga_empty((40, 50, 3), .dtype = GA_F32);
    fill(a, ORDINARY);
    ga_array *turned = ga_transpose(a, .axes = ga_axes(2, 0, 1)), *packed = ga_copy(turned),
             *lines = ga_reshape(packed, (3, 2000));
    ga_array *r = ga_sum(a, .axes = ga_axes(0, 1)), *wanted = ga_sum(lines, .axis = 1);
    CHECK(r && r->size == 3 && !memcmp(r->data, wanted->data, 12));
    ga_free(r);
    r = ga_sum(turned, .axes = ga_axes(1, 2));
    CHECK(r && r->size == 3 && !memcmp(r->data, wanted->data, 12));
    ga_free(r);
    r           = ga_std(a, .axes = ga_axes(1, 0), .keepdims = true);
    ga_array *s = ga_std(lines, .axis = 1);
    CHECK(r && r->ndim == 3 && r->size == 3 && !memcmp(r->data, s->data, 12));
    ga_free(r);
    ga_free(s);
    ga_free(wanted);
    ga_free(lines);
    ga_free(packed);
    ga_free(turned);
    ga_free(a);
}

static void test_scan(ga_dtype d, int64_t rows, int64_t columns, int axis, const char *how)
{
    ga_array *a = ga_empty((rows, columns), .dtype = d);
    fill(a, is_integer(d) ? ORDINARY : SPECIAL);
    ga_array *view = (ga_index)("\tfolds", a, how);
    number   *x    = (number *)malloc((size_t)(rows * columns + 1) * sizeof *x);
    for (int product = 0; product < 2; product++) {
        ga_axis_options o = ga_axis_defaults;
        o.site            = "\tga_cumsum(a)";
        o.axis            = axis;
        ga_array *r       = product ? (ga_cumprod)(view, o) : (ga_cumsum)(view, o);
        int64_t   n = view->shape[axis], bad = 0, size = r ? ga_itemsize(r->dtype) : 0;
        for (int64_t line = 0; r && line < view->size / n; line++) {
            elements_of(view, axis, line, x);
            scan(d, n, x, product ? times : plus);
            for (int64_t i = 0; i < n; i++) {
                char wanted[16];
                write_number(r->dtype, x[i], wanted);
                bad += !same_bits(r->dtype, (const char *)r->data + (axis ? line * n + i : i * view->shape[1] + line) * size,
                                  wanted);
            }
        }
        if (bad)
            printf("%lld elements of cum%s of %s, (%lld, %lld) %s, axis %d, %d threads:\n", (long long)bad,
                   product ? "prod" : "sum", ga_dtype_name(d), (long long)rows, (long long)columns, how, axis,
                   ga_get_num_threads());
        CHECK(r && bad == 0);
        ga_free(r);
    }
    free(x);
    ga_free(view);
    ga_free(a);
}

static void test_scans(ga_dtype d)
{
    static const int64_t lengths[] = { 1, 2, 7, 8, 9, 17, 64, 1000, 1024, 1025, 3000 };
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        ga_set_num_threads(1 + (int)i % 8);
        test_scan(d, 3, lengths[i], 1, ":, :");
        test_scan(d, lengths[i], 21, 0, ":, :");
        test_scan(d, 5, lengths[i] + 1, 1, "::2, 1:");
        test_scan(d, lengths[i], 9, 0, ":, ::-2");
    }
    test_scan(d, 2, 70000, 1, ":, :");
    test_scan(d, 40000, 3, 0, ":, :");
}

int main(void)
{
    ga_set_error_handler(ga_ignore_error, NULL);
    for (int i = GA_BOOL; i < TEST_DTYPES; i++) {
        const ga_dtype d = (ga_dtype)i;
        test_lengths(d);
        test_short_lines(d);
        test_views(d);
        if (TEST_ASAN ? d == GA_U8 || d == GA_F32 || d == GA_C128 : d == GA_BOOL || d == GA_U8 || d == GA_I64 || d >= GA_F32)
            test_long(d);
        if (d == GA_F32 || d == GA_F64) test_far_zeros(d);
        test_scans(d);
    }
    test_axes();
    CHECK(ga_report_leaks(NULL) == 0);
    return test_end();
}
