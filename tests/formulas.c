/* Random formulas: ga_eval gives what the nested calls give, bit by bit, or fails as they do; and texts that are no formulas give
   sentences.      formulas [--formulas N] [--seed N] [--texts N]
   cc tests/impl.c tests/formulas.c -lm -lpthread */
#include "test.h"

enum { OPERANDS = 6, MOST_TEXT = 12000, NAMED = 4 };
#define COUNT(list) ((int64_t)(sizeof(list) / sizeof *(list)))

/* ---- operands ----------------------------------------------------------------------------------------------------- */

static const char        names[]           = "a, b, c, d, e1, x";
static const char *const name_of[OPERANDS] = { "a", "b", "c", "d", "e1", "x" };
static ga_arg            operand[OPERANDS];

static const int64_t shapes[][4][3] = {
    /* ndim and up to three lengths, counted from the last axis: they broadcast to the first */
    { { 4, 3, 0 }, { 4, 0, 0 }, { 1, 3, 0 }, { 4, 1, 0 } },
    { { 5, 2, 3 }, { 5, 1, 3 }, { 5, 2, 0 }, { 1, 0, 0 } },
    { { 2500, 0, 0 }, { 2500, 0, 0 }, { 1, 0, 0 }, { 2500, 0, 0 } },
    { { 700, 3, 0 }, { 700, 0, 0 }, { 1, 3, 0 }, { 700, 1, 0 } },
    { { 3, 900, 0 }, { 3, 0, 0 }, { 1, 900, 0 }, { 3, 1, 0 } },
    { { 1, 0, 0 }, { 1, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 } },
    { { 100, 80, 0 }, { 100, 0, 0 }, { 1, 80, 0 }, { 1, 0, 0 } },
    { { 0, 3, 0 }, { 1, 3, 0 }, { 0, 1, 0 }, { 1, 0, 0 } },
    /* lines of several blocks side by side, short ones one behind the other, axes in the middle */
    { { 70, 1100, 0 }, { 70, 0, 0 }, { 1, 1100, 0 }, { 70, 1, 0 } },
    { { 5, 1500, 0 }, { 5, 0, 0 }, { 1, 1500, 0 }, { 5, 1500, 0 } },
    { { 70, 9, 40 }, { 70, 1, 40 }, { 70, 9, 0 }, { 1, 0, 0 } },
    { { 3, 66, 20 }, { 3, 0, 0 }, { 3, 66, 0 }, { 1, 66, 1 } },
};
enum { FEW_SHAPES = 8 };

static bool any_nan; /* among the elements of operands; what is folded of these shows little */

static void put_random(ga_array *a)
{
    for (int64_t i = 0; i < a->size; i++) {
        char        *p = (char *)a->data + i * ga_itemsize(a->dtype);
        const double u = test_below(8) == 0 ? (double)test_below(3) - 1 : test_uniform() * 20 - 8,
                     v = (double)test_below(5) - 2;
        switch (a->dtype) {
        case GA_BOOL: *(bool *)(void *)p = u > 0; break;
        case GA_F32: *(float *)(void *)p = any_nan && test_below(60) == 0 ? NAN : (float)u; break;
        case GA_F64: *(double *)(void *)p = any_nan && test_below(60) == 0 ? INFINITY : u; break;
        case GA_C64: ((float *)(void *)p)[0] = (float)u, ((float *)(void *)p)[1] = (float)v; break;
        case GA_C128: ((double *)(void *)p)[0] = u, ((double *)(void *)p)[1] = v; break;
        default:
            memset(p, 0, (size_t)ga_itemsize(a->dtype)), *p = (char)(test_below(4) == 0 ? test_below(256) : test_below(9));
            break;
        }
    }
}

/* An array of a shape, which may be a view: reversed, with steps, transposed. */
static ga_array *some_array(ga_dtype dtype, const int64_t lengths[3])
{
    int     ndim = lengths[1] == 0 ? 1 : lengths[2] == 0 ? 2 : 3, way = (int)test_below(5);
    int64_t shape[3] = { 0 }, turned[3];
    for (int d = 0; d < ndim; d++) shape[ndim - 1 - d] = lengths[d];
    for (int d = 0; d < ndim; d++) turned[d] = shape[ndim - 1 - d];
    if (way == 1) shape[ndim - 1] *= 2;
    ga_array *a = ga_empty_n(ndim, way == 2 ? turned : shape, .dtype = dtype, .device = GA_CPU);
    put_random(a);
    if (test_on_gpu()) a = ga_to(a, GA_CUDA);
    if (way == 1) return ga_index(a, "..., ::2");
    if (way == 2) return ga_transpose(a);
    if (way == 3) return ga_index(a, "..., ::-1");
    return a;
}

static bool      on_chunks;
static ga_array *kept[OPERANDS]; /* what lies under chunked operands */

static void make_operands(void)
{
    const int64_t(*set)[3] = shapes[test_below(2)    ? test_below(2)
                                    : test_below(12) ? test_below(FEW_SHAPES)
                                                     : FEW_SHAPES + test_below(COUNT(shapes) - FEW_SHAPES)];
    const bool floats      = test_below(2);
    on_chunks              = test_below(12) == 0 && !test_on_gpu();
    any_nan                = test_below(2);
    for (int k = 0; k < OPERANDS; k++) {
        kept[k] = NULL;
        if (k == 4) operand[k] = test_below(2) ? GA_ARG((int)test_below(5)) : GA_ARG(test_uniform() * 4);
        else if (k == 3 && test_below(2)) operand[k] = GA_ARG(2.5f);
        else {
            const ga_dtype dtype = floats ? (test_below(4) ? GA_F32 : GA_F64) : (ga_dtype)(1 + test_below(TEST_DTYPES - 1));
            ga_array      *a = kept[k] = some_array(dtype, set[k % 4]);
            if (k == 5 && kept[0] && test_below(2)) a = ga_index(kept[0], "..., ::-1"); /* over the first one's memory */
            operand[k] = GA_ARG(on_chunks && a->ndim > 0 ? ga_chunked(a) : a);
        }
    }
}

/* ---- formulas, and what the nested calls make of them ------------------------------------------------------------- */

enum { COMPARES = 1, ORS, XORS, ANDS, SHIFTS, SUMS, PRODUCTS, SIGNED, POWERS, ATOM };

/* A part of a formula: its text, how strongly the outermost operator binds, and its value. */
typedef struct part {
    char  *text;
    int    binds;
    ga_arg v; /* kind GA_KIND_ARRAY and array NULL: the calls fail */
} part;

static char   arena[1 << 20];
static size_t arena_used;

static char *write_part(const char *format, ...) __attribute__((format(printf, 1, 2)));
static char *write_part(const char *format, ...)
{
    char   *to   = arena + arena_used;
    size_t  room = sizeof arena - arena_used;
    va_list args;
    va_start(args, format);
    int n = vsnprintf(to, room, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= room) exit(2);
    arena_used += (size_t)n + 1;
    return to;
}

static bool is_number(part p) { return !p.v.array && p.v.kind != GA_KIND_ARRAY; }
static bool is_broken(part p) { return !p.v.array && p.v.kind == GA_KIND_ARRAY; }
static part of_array(ga_array *a, int binds, char *text)
{
    part p = { text, binds, GA_ARG(a) };
    return p;
}
static ga_array *as_array(part p) { return is_number(p) ? ga_scalar(p.v) : (ga_array *)(uintptr_t)p.v.array; }

/* The text, in parentheses if it must be, or by chance. */
static char *inside(part p, int least) { return p.binds < least || test_below(12) == 0 ? write_part("(%s)", p.text) : p.text; }

/* The option .dtype: it is for the last step, whose part is begun first. There the call takes it, if it is one. */
static ga_dtype asked, taken;

static ga_map_options take_asked(void)
{
    ga_map_options o = ga_map_defaults;
    o.dtype          = asked;
    if (asked != GA_DTYPE_DEFAULT) taken = asked;
    asked = GA_DTYPE_DEFAULT;
    return o;
}

static void give_back(ga_map_options o)
{
    if (o.dtype != GA_DTYPE_DEFAULT) taken = GA_DTYPE_DEFAULT;
}

static part named[NAMED];
static int  named_count;
static char statements[MOST_TEXT];

static part some_part(int depth);

static const struct unary_row {
    const char *name;
    ga_array *(*call)(const ga_array *x, ga_map_options o);
} unary[] = {
#define GA_UNARY(name, ...)      { #name, (ga_##name) },
#define GA_ELEMENTARY(name, ...) { #name, (ga_##name) },
#define GA_TABLE
#include "gpuarr.h"
    { "abs", (ga_absolute) },
    { "acos", (ga_arccos) },
};
static const struct binary_row {
    const char *name;
    ga_array *(*call)(ga_arg x, ga_arg y, ga_map_options o);
} binary[] = {
#define GA_BINARY(name, ...)      { #name, (ga_##name) },
#define GA_ELEMENTARY2(name, ...) { #name, (ga_##name) },
#define GA_TABLE
#include "gpuarr.h"
    { "pow", (ga_power) },
};
static const struct fold_row {
    const char *name;
    ga_array *(*call)(const ga_array *x, ga_reduce_options o);
} folds[] = {
#define GA_FOLD(name, ...) { #name, (ga_##name) },
#define GA_TABLE
#include "gpuarr.h"
    { "var", (ga_var) },
    { "std", (ga_std) },
    { "nanmean", (ga_nanmean) },
    { "nanvar", (ga_nanvar) },
    { "nanstd", (ga_nanstd) },
    { "argmin", (ga_argmin) },
    { "argmax", (ga_argmax) },
    { "nanargmin", (ga_nanargmin) },
    { "nanargmax", (ga_nanargmax) },
};
static const struct sign {
    const char *sign;
    int         binds;
    ga_array *(*call)(ga_arg x, ga_arg y, ga_map_options o);
} signs[] = { { "+", SUMS, (ga_add) },
              { "-", SUMS, (ga_subtract) },
              { "*", PRODUCTS, (ga_multiply) },
              { "/", PRODUCTS, (ga_divide) },
              { "+", SUMS, (ga_add) },
              { "-", SUMS, (ga_subtract) },
              { "*", PRODUCTS, (ga_multiply) },
              { "/", PRODUCTS, (ga_divide) },
              { "//", PRODUCTS, (ga_floor_divide) },
              { "%", PRODUCTS, (ga_remainder) },
              { "**", POWERS, (ga_power) },
              { "&", ANDS, (ga_bitwise_and) },
              { "|", ORS, (ga_bitwise_or) },
              { "^", XORS, (ga_bitwise_xor) },
              { "<<", SHIFTS, (ga_left_shift) },
              { ">>", SHIFTS, (ga_right_shift) },
              { "<", COMPARES, (ga_less) },
              { ">", COMPARES, (ga_greater) },
              { "<=", COMPARES, (ga_less_equal) },
              { ">=", COMPARES, (ga_greater_equal) },
              { "==", COMPARES, (ga_equal) },
              { "!=", COMPARES, (ga_not_equal) } };
static part some_leaf(void)
{
    int way = (int)test_below(10), k = (int)test_below(OPERANDS);
    if (way == 0) {
        int  n = (int)test_below(7);
        part p = { write_part("%d", n), ATOM, GA_ARG(n) };
        return p;
    }
    if (way == 1) {
        double n = (double)test_below(64) / 8;
        part   p = { write_part("%.4f", n), ATOM, GA_ARG(n) };
        return p;
    }
    if (way == 2 && named_count > 0) {
        part p  = named[test_below(named_count)];
        p.binds = ATOM;
        return p;
    }
    part p = { test_below(6) ? write_part("%s", name_of[k]) : write_part("$%d", k + 1), ATOM, operand[k] };
    return p;
}

/* An operator between numbers, which is Python's. Only what C computes alike. */
static part between_numbers(part a, part b)
{
    const struct sign *s = &signs[test_below(3)];
    part p = { write_part("%s %s %s", inside(a, s->binds), s->sign, inside(b, s->binds + 1)), s->binds, GA_ARG(0) };
    if (a.v.kind == GA_KIND_REAL || b.v.kind == GA_KIND_REAL) {
        double x = a.v.kind == GA_KIND_REAL ? a.v.re : (double)a.v.i, y = b.v.kind == GA_KIND_REAL ? b.v.re : (double)b.v.i;
        p.v = GA_ARG(*s->sign == '+' ? x + y : *s->sign == '-' ? x - y : x * y);
        return p;
    }
    bool over = *s->sign == '+'   ? __builtin_add_overflow(a.v.i, b.v.i, &p.v.i)
                : *s->sign == '-' ? __builtin_sub_overflow(a.v.i, b.v.i, &p.v.i)
                                  : __builtin_mul_overflow(a.v.i, b.v.i, &p.v.i);
    return over ? of_array(NULL, p.binds, p.text) : p;
}

static part some_operator(int depth)
{
    const ga_map_options o = take_asked();
    part                 a = some_part(depth - 1), b = some_part(depth - 1);
    const struct sign   *s = &signs[test_below(COUNT(signs))];
    if (is_number(a) && is_number(b)) {
        give_back(o);
        return between_numbers(a, b);
    }
    char *left = inside(a, s->binds + (s->binds == POWERS || s->binds == COMPARES));
    char *text =
        write_part(test_below(3) ? "%s %s %s" : "%s%s%s", left, s->sign, inside(b, s->binds == POWERS ? SIGNED : s->binds + 1));
    if (is_broken(a) || is_broken(b)) return of_array(NULL, s->binds, text);
    if (s->binds == POWERS && is_number(b) && b.v.kind == GA_KIND_INT && b.v.i == 2)
        return of_array((ga_square)(a.v.array, o), s->binds, text);
    if (s->binds == POWERS && is_number(b) && b.v.kind == GA_KIND_REAL && b.v.re == 2 && a.v.array->dtype >= GA_F32)
        return of_array((ga_square)(a.v.array, o), s->binds, text);
    return of_array(s->call(a.v, b.v, o), s->binds, text);
}

static part some_unary(int depth)
{
    const ga_map_options o    = take_asked();
    part                 a    = some_part(depth - 1);
    bool                 not_ = test_below(4) == 0 && !is_number(a);
    char                *text = write_part("%s%s", not_ ? "~" : "-", inside(a, SIGNED));
    if (is_number(a)) {
        part p = { text, SIGNED, a.v };
        give_back(o);
        if (a.v.kind == GA_KIND_INT && a.v.i == INT64_MIN) return of_array(NULL, SIGNED, text);
        p.v.i      = -p.v.i;
        p.v.re     = -p.v.re;
        p.v.single = false;
        return p;
    }
    return of_array(is_broken(a) ? NULL : not_ ? (ga_invert)(a.v.array, o) : (ga_negative)(a.v.array, o), SIGNED, text);
}

static part some_call(int depth)
{
    ga_map_options o = take_asked();
    part           a = some_part(depth - 1);
    if (test_below(2)) {
        const struct unary_row *u    = &unary[test_below(COUNT(unary))];
        char                   *text = write_part("%s(%s)", u->name, a.text);
        if (is_number(a)) { /* a number takes any dtype, and the array of it does not */
            give_back(o);
            o = ga_map_defaults;
        }
        return of_array(is_broken(a) ? NULL : u->call(as_array(a), o), ATOM, text);
    }
    part b = some_part(depth - 1);
    if (test_below(3)) {
        const struct binary_row *f    = &binary[test_below(COUNT(binary))];
        char                    *text = write_part("%s(%s, %s)", f->name, a.text, b.text);
        return of_array(is_broken(a) || is_broken(b) ? NULL : f->call(a.v, b.v, o), ATOM, text);
    }
    int   way  = (int)test_below(3);
    part  c    = some_part(way == 0 && is_number(b) ? 0 : depth - 1); /* often two numbers, which are wider than all arrays */
    bool  none = is_broken(a) || is_broken(b) || is_broken(c);
    char *text = write_part("%s(%s, %s, %s)", way == 0 ? "where" : way == 1 ? "clip" : "multiply_add", a.text, b.text, c.text);
    if (none) return of_array(NULL, ATOM, text);
    if (way == 0) return of_array((ga_where)(as_array(a), b.v, c.v, o), ATOM, text);
    return of_array(way == 1 ? (ga_clip)(a.v, b.v, c.v, o) : (ga_multiply_add)(a.v, b.v, c.v, o), ATOM, text);
}

/* Some axes of an array of so many, and how they are written; perhaps one that it has not. */
static const char *some_axes(int ndim, ga_reduce_options *o)
{
    const int first = (int)test_below(2 * ndim + 1) - ndim, second = (int)test_below(2 * ndim + 1) - ndim;
    if (test_below(3) == 0) return "";
    if (ndim < 2 || test_below(3)) {
        o->axis = first;
        return write_part(test_below(2) ? ", axis=%d" : ", %d", first);
    }
    o->axes.ndim = 2;
    o->axes.n[0] = first;
    o->axes.n[1] = second;
    return write_part(", axis=(%d, %d)", first, second);
}

static part some_fold(int depth)
{
    const ga_dtype         last = take_asked().dtype;
    part                   a    = some_part(depth - 1);
    const struct fold_row *f    = &folds[test_below(COUNT(folds))];
    ga_reduce_options      o    = ga_reduce_defaults;
    const char            *axes = some_axes(a.v.array ? a.v.array->ndim : 1, &o), *dtype = "", *where = "";
    bool                   broken = is_broken(a);
    o.keepdims                    = test_below(3) == 0;
    if (test_below(8) == 0) {
        o.dtype = (ga_dtype)(1 + test_below(TEST_DTYPES - 1));
        dtype   = write_part(", dtype=%s", ga_dtype_name(o.dtype));
    }
    if (last != GA_DTYPE_DEFAULT) o.dtype = last;
    if (test_below(6) == 0) {
        asked        = GA_DTYPE_DEFAULT;
        const part m = some_part(depth - 1);
        broken       = broken || is_broken(m);
        where        = write_part(", where=%s", m.text);
        if (!broken) o.where = as_array(m);
    }
    char *text = write_part("%s(%s%s%s%s%s)", f->name, a.text, axes, o.keepdims ? ", keepdims=True" : "", dtype, where);
    return of_array(broken ? NULL : f->call(as_array(a), o), ATOM, text);
}

static part some_index(int depth)
{
    static const char *const index[] = { "..., ::-1", "..., newaxis", "1:", "..., :2", "-1", "...", "::2" };
    const char              *i       = index[test_below(COUNT(index))];
    asked                            = GA_DTYPE_DEFAULT;
    part a                           = some_part(depth - 1);
    if (is_number(a)) return a;
    char *text = write_part("%s[%s]", inside(a, ATOM), i);
    return of_array(is_broken(a) ? NULL : ga_index(a.v.array, "%s", i), ATOM, text);
}

static part some_conversion(int depth)
{
    asked          = GA_DTYPE_DEFAULT;
    part     a     = some_part(depth - 1);
    ga_dtype dtype = (ga_dtype)(1 + test_below(TEST_DTYPES - 1));
    char    *text  = write_part("%s(%s)", ga_dtype_name(dtype), a.text);
    if (is_number(a) && a.v.kind != GA_KIND_REAL && a.v.kind != GA_KIND_COMPLEX && dtype < GA_F32)
        return of_array(ga_scalar(a.v, .dtype = dtype), ATOM, text); /* an integer that does not fit is an error */
    ga_array *x = is_broken(a) ? NULL : as_array(a);
    return of_array(x ? ga_astype(x, dtype) : NULL, ATOM, text);
}

static part some_part(int depth)
{
    if (depth <= 0) return some_leaf();
    switch (test_below(16)) {
    case 0:
    case 1: return some_leaf();
    case 2:
    case 3: return some_unary(depth);
    case 4:
    case 5:
    case 6: return some_call(depth);
    case 7: return some_fold(depth);
    case 8: return test_below(2) ? some_index(depth) : some_conversion(depth);
    default: return some_operator(depth);
    }
}

static part some_formula(void)
{
    arena_used = 0, named_count = 0, statements[0] = 0;
    while (test_below(3) == 0 && named_count < NAMED) {
        part p = some_part(2);
        if (is_broken(p)) break; /* what is not used is not computed, and does not fail */
        snprintf(statements + strlen(statements), sizeof statements - strlen(statements), "t%d = %s; ", named_count, p.text);
        p.text               = write_part("t%d", named_count);
        named[named_count++] = p;
    }
    taken  = GA_DTYPE_DEFAULT;
    asked  = test_below(4) ? GA_DTYPE_DEFAULT : (ga_dtype)(1 + test_below(TEST_DTYPES - 1));
    part p = some_part(1 + (int)test_below(4));
    asked  = GA_DTYPE_DEFAULT;
    p.text = write_part("%s%s", statements, p.text);
    return p;
}

/* ---- one formula --------------------------------------------------------------------------------------------------- */

static int made, failed_alike;

/* With which array as .out, .where? */
static void run_formula(void)
{
    make_operands();
    part           p     = some_formula();
    const ga_dtype dtype = taken;
    ga_clear_error();
    ga_array *expected = is_broken(p) ? NULL : as_array(p);
    ga_array *first = ga_eval_n(p.text, OPERANDS, operand, .names = names, .dtype = dtype), *again = NULL, *out = NULL;
    bool      ok = !first == !expected && !first == (ga_error() != NULL);
    if (first) made++;
    else failed_alike++;
    char said[300] = "";
    if (ga_error()) snprintf(said, sizeof said, "%s", ga_error());
    ga_clear_error();
    if (ok && first && !on_chunks) {
        again = ga_eval_n(p.text, OPERANDS, operand, .names = names, .dtype = dtype);
        ok    = test_same_bits(first, expected) && test_same_bits(again, expected);
        /* into an operand, if it fits: results as if all were read before */
        for (int k = 0; ok && k < OPERANDS && !out; k++)
            if (operand[k].array && ga_same_shape(operand[k].array, expected) && operand[k].array->dtype == expected->dtype)
                out = (ga_array *)(uintptr_t)operand[k].array;
        if (out && test_below(2)) {
            ga_array *mask = ga_greater(ga_random((out->ndim > 0 ? out->shape[out->ndim - 1] : 1)), 0.5), *copy = ga_copy(out);
            if (out->ndim > 0) ga_copyto(copy, expected, .where = mask), expected = copy;
            else mask = NULL;
            bool folds_last =
                mask && !ga_eval_n(p.text, OPERANDS, operand, .names = names, .dtype = dtype, .out = out, .where = mask);
            if (folds_last) ok = strstr(ga_error(), ".where") != NULL;
            else
                ok = (mask || ga_eval_n(p.text, OPERANDS, operand, .names = names, .dtype = dtype, .out = out)) &&
                     test_same_bits(out, expected);
            ga_clear_error();
        } else if (out) {
            expected = ga_copy(expected); /* it may be this operand */
            ok       = ga_eval_n(p.text, OPERANDS, operand, .names = names, .dtype = dtype, .out = out) == out &&
                 test_same_bits(out, expected);
        }
    } else if (ok && first) {
        again    = ga_compute(first);
        expected = ga_compute(expected);
        ok       = again ? test_same_bits(again, expected) : !expected; /* nanargmax of NaN alone fails here */
    }
    if (CHECK(ok)) return;
    printf("     %s\n     %s%s .dtype = %s\n", p.text, said,
           on_chunks ? " (chunked)"
           : out     ? " (.out)"
                     : "",
           ga_dtype_name(dtype));
    for (int k = 0; k < OPERANDS; k++)
        if (operand[k].array)
            printf("     %s: %s, %d dimensions\n", name_of[k], ga_dtype_name(operand[k].array->dtype), operand[k].array->ndim);
}

/* A formula with some characters changed, left out, or exchanged for others of formulas: an array, or a sentence. */
static void run_text(void)
{
    static const char *const bits[] = { "(",      ")",  "[",    "]",        ",",     ";",
                                        "=",      "**", "//",   "<",        "axis=", "sum(",
                                        "where(", "$1", "$99",  "1e999",    "0x",    "'",
                                        "\"",     "\\", "%s%n", "\xc3\xa9", "\n",    "T",
                                        " and ",  "e1", "-",    "~",        "::",    "9223372036854775808",
                                        ".",      "j" };
    char                     text[MOST_TEXT];
    make_operands();
    part p = some_formula();
    ga_clear_error();
    snprintf(text, sizeof text / 2, "%s", p.text);
    for (int64_t changes = 1 + test_below(4); changes > 0; changes--) {
        size_t      n = strlen(text), at = (size_t)test_below((int64_t)n + 1), gone = (size_t)test_below(3);
        const char *bit = test_below(2) ? bits[test_below(COUNT(bits))] : "";
        if (at + gone > n) gone = n - at;
        if (n + 32 > sizeof text) break;
        memmove(text + at + strlen(bit), text + at + gone, n - at - gone + 1);
        memcpy(text + at, bit, strlen(bit));
    }
    ga_array *a = ga_eval_n(text, OPERANDS, operand, .names = names);
    if (!CHECK(!a == (ga_error() != NULL) && (a || strlen(ga_error()) > 20))) printf("     %s\n", text);
    ga_clear_error();
}

int main(int argc, char **argv)
{
    test_begin();
    int64_t formulas = test_on_gpu() ? 300 : 1000, texts = test_on_gpu() ? 100 : 1000, seed = 1;
    for (int k = 1; k + 1 < argc; k += 2) {
        if (!strcmp(argv[k], "--formulas")) formulas = atoll(argv[k + 1]);
        if (!strcmp(argv[k], "--texts")) texts = atoll(argv[k + 1]);
        if (!strcmp(argv[k], "--seed")) seed = atoll(argv[k + 1]);
    }
    test_random_state += (uint64_t)seed * 0x9e3779b97f4a7c15u;
    ga_set_num_threads(2);
    ga_set_error_handler(ga_ignore_error, NULL);
    for (int64_t k = 0; k < formulas; k++)
        ga_scope {
            run_formula();
        }
    for (int64_t k = 0; k < texts; k++)
        ga_scope {
            run_text();
        }
    ga_shutdown();
    CHECK(ga_memory_stats().arrays == 0 && ga_memory_stats().used_bytes == 0);
    printf("%d formulas gave arrays, %d failed as the calls do\n", made, failed_alike);
    return test_end();
}
