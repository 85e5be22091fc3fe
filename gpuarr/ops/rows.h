/* ---- the rows -------------------------------------------------------------------------------------------------------- */

/* Has the row of an operation this dtype, whether it is compiled or not? */
static bool gi_row_has(const gi_row *row, ga_dtype dtype)
{
    return row->dtypes >> (int)dtype & 1 || gi_row_constant(row->op, dtype) >= 0;
}

/* The dtype in which an operation computes: the first one of its row that holds every operand. Numbers count only where they lift
   the arrays' dtype to another kind. */
static ga_dtype gi_loop_dtype(const gi_row *row, int n, const ga_arg *in, ga_dtype common)
{
    ga_dtype arrays = GA_DTYPE_DEFAULT;
    if ((row->op == GA_OP_divide || row->op == GA_OP_sinc) && gi_dtype_kind(common) < 2)
        return GA_F64; /* true division, as Python's */
    for (int k = 0; k < n; k++)
        if (in[k].array) arrays = arrays == GA_DTYPE_DEFAULT ? in[k].array->dtype : ga_promote(arrays, in[k].array->dtype);
    bool lifted = arrays == GA_DTYPE_DEFAULT || common != arrays;
    for (int d = (int)gi_dtype_computed(lifted ? common : arrays); d < (int)GA_DTYPE_COUNT; d++) { /* none before holds them */
        bool holds = !lifted || ga_can_cast(common, (ga_dtype)d);
        for (int k = 0; k < n; k++) holds = holds && (!in[k].array || ga_can_cast(in[k].array->dtype, (ga_dtype)d));
        if (holds && gi_row_has(row, (ga_dtype)d)) return (ga_dtype)d;
    }
    return GA_DTYPE_DEFAULT;
}

static bool gi_is_logical(ga_op op)
{
    return op == GA_OP_logical_not || op == GA_OP_logical_and || op == GA_OP_logical_or || op == GA_OP_logical_xor;
}

/* Rows that leave numbers of this dtype as they are. */
static bool gi_only_copies(ga_op op, ga_dtype dtype)
{
    if (op == GA_OP_floor || op == GA_OP_ceil || op == GA_OP_trunc) return gi_dtype_kind(dtype) < 2;
    return (op == GA_OP_positive || op == GA_OP_conj || op == GA_OP_real) && !gi_is_complex(dtype);
}

/* May an operand be computed in that dtype? Plain numbers go by their kind alone. */
static bool gi_may_compute(ga_arg v, ga_dtype dtype)
{
    if (v.array) return gi_dtype_same_kind(v.array->dtype, dtype);
    return gi_dtype_kind(gi_number_dtype(v)) <= gi_dtype_kind(dtype);
}

static bool gi_is_comparison(ga_op op)
{
    return op == GA_OP_equal || op == GA_OP_not_equal || op == GA_OP_less || op == GA_OP_less_equal || op == GA_OP_greater ||
           op == GA_OP_greater_equal;
}

/* Is one of packed integers on the CPU negative? (No fold: that would be compiled for every program with powers.) */
static bool gi_any_sign(const ga_array *a)
{
    int64_t       block[256], signs = 0;
    const int64_t most = (int64_t)(sizeof block / sizeof *block);
    for (int64_t done = 0; done < a->size; done += most) {
        const int64_t n = a->size - done < most ? a->size - done : most;
        gi_cast(GA_I64, a->dtype, n, block, (const char *)a->data + done * ga_itemsize(a->dtype));
        for (int64_t i = 0; i < n; i++) signs |= block[i];
    }
    return signs < 0;
}

#if GI_HAS_CUDA || defined(GPUARR_WITH_CUDA)
/* The same on a GPU. */
static bool gi_any_sign_on_gpu(const char *site, const ga_array *a, bool *failed)
{
    ga_array *min        = (ga_min)(a, gi_reduce_site(site));
    char      number[16] = { 0 };
    int64_t   least      = 0;
    *failed              = !min || !gi_gpu->read(site, min, min->data, number); /* here the host needs to know */
    if (!*failed) gi_cast(GA_I64, a->dtype, 1, &least, number);
    ga_free(min);
    return least < 0;
}
#endif

/* Is there a negative element, once it is of the signed integer dtype? (integer powers) */
static bool gi_any_negative(const char *site, ga_arg v, ga_dtype dtype, bool *failed)
{
    bool any = false;
    if (!v.array) return v.kind == GA_KIND_INT && v.i < 0;
    if (!gi_is_signed(dtype) || v.array->size == 0) return false;
    if (gi_is_deferred(v.array)) { /* nobody knows yet */
        *failed = !gi_array_check(site, v.array, "the exponent");
        return false;
    }
    ga_array *cast = gi_copy_contiguous(site, v.array, dtype);
    *failed        = cast == NULL;
#if GI_HAS_CUDA || defined(GPUARR_WITH_CUDA)
    if (cast && cast->device == GA_CUDA) any = gi_any_sign_on_gpu(site, cast, failed);
#endif
    if (cast && cast->device == GA_CPU) any = gi_any_sign(cast);
    ga_free(cast);
    return any;
}

#define GI_MIXED(name, relation)                                                                                               \
    static void gi_mixed_##name(int64_t n, void *out, const void *x, const void *y, const void *z)                             \
    {                                                                                                                          \
        (void)z;                                                                                                               \
        for (int64_t i = 0; i < n; i++) ((bool *)out)[i] = gi_signs_##name(((const int64_t *)x)[i], ((const uint64_t *)y)[i]); \
    }
GI_EACH_COMPARISON(GI_MIXED)
#undef GI_MIXED

static gi_function gi_mixed_function(ga_op op)
{
    gi_function f = { NULL, gi_gpu ? gi_gpu->mixed_signs(op) : NULL, GI_NOT_OWN };
#define GI_CASE(name, relation)                                                                                                \
    if (op == GA_OP_##name) f.cpu = gi_mixed_##name;
    GI_EACH_COMPARISON(GI_CASE)
#undef GI_CASE
    return f;
}

/* Integers of which no dtype of theirs holds all, int64 and uint64, are compared as they are. */
static ga_array *gi_comparison_special(const gi_row *row, const ga_arg *in, ga_dtype loop, ga_dtype result,
                                       const ga_map_options *o, bool *done)
{
    ga_dtype x = in[0].array ? in[0].array->dtype : gi_number_dtype(in[0]),
             y = in[1].array ? in[1].array->dtype : gi_number_dtype(in[1]);
    if (!gi_is_int(x) || !gi_is_int(y) || ga_promote(x, y) != GA_F64) return NULL;
    (void)loop;
    *done                           = true;
    bool     swapped                = x == GA_U64;
    ga_op    op                     = row->op;
    ga_arg   both[2]                = { in[swapped ? 1 : 0], in[swapped ? 0 : 1] };
    ga_dtype wanted[GI_MOST_INPUTS] = { GA_I64, GA_U64, GA_U64, GA_U64 };
    if (swapped) op = op == GA_OP_less ? GA_OP_greater : op == GA_OP_less_equal ? GA_OP_greater_equal : op;
    return gi_map(o->site, gi_mixed_function(op), 1, 2, both, wanted, result, o->out, o->where);
}

#define GI_NEXT_HALVES(half)                                                                                                   \
    static void gi_spacings_##half(int64_t n, void *out, const void *x, const void *y, const void *z)                          \
    {                                                                                                                          \
        (void)y, (void)z;                                                                                                      \
        for (int64_t i = 0; i < n; i++) ((uint16_t *)out)[i] = gi_spacing_##half(((const uint16_t *)x)[i]);                    \
    }                                                                                                                          \
    static void gi_nextafters_##half(int64_t n, void *out, const void *x, const void *y, const void *z)                        \
    {                                                                                                                          \
        (void)z;                                                                                                               \
        for (int64_t i = 0; i < n; i++)                                                                                        \
            ((uint16_t *)out)[i] = gi_nextafter_##half(((const uint16_t *)x)[i], ((const uint16_t *)y)[i]);                    \
    }
GI_NEXT_HALVES(f16)
GI_NEXT_HALVES(bf16)
#undef GI_NEXT_HALVES

/* Of halves, spacing and nextafter have loops of their own: the next float32 is none of their numbers. */
static ga_array *gi_next_special(const gi_row *row, const ga_arg *in, ga_dtype loop, ga_dtype result, const ga_map_options *o,
                                 bool *done)
{
    const ga_dtype wanted[GI_MOST_INPUTS] = { result, result, result, result };
    const bool     spacing                = row->op == GA_OP_spacing;
    (void)loop;
    if (!gi_is_half(result)) return NULL;
    *done         = true;
    gi_function f = { NULL, gi_gpu ? gi_gpu->next_half(row->op, result) : NULL, GI_NOT_OWN };
    if (result == GA_F16) f.cpu = spacing ? gi_spacings_f16 : gi_nextafters_f16;
    else f.cpu = spacing ? gi_spacings_bf16 : gi_nextafters_bf16;
    return gi_map(o->site, f, GI_CHEAP, spacing ? 1 : 2, in, wanted, result, o->out, o->where);
}

/* The power of floats to some plain numbers is made of products, roots and a quotient: many times quicker, and within 0.73 ulp. */
static bool gi_easy_power(ga_arg exponent, ga_dtype dtype, gi_function *f)
{
    double y = exponent.kind == GA_KIND_REAL ? exponent.re : (double)exponent.i;
    if (exponent.array || (exponent.kind != GA_KIND_REAL && exponent.kind != GA_KIND_INT)) return false;
    f->cpu = GI_LOOP_OF(power)(y, dtype);
    f->gpu = gi_gpu ? gi_gpu->easy_power(y, dtype) : NULL;
    f->own = gi_copying.own;
    return f->cpu != NULL;
}

/* Integers to negative powers are refused; floats to some plain numbers are products or roots. */
static ga_array *gi_power_special(const gi_row *row, const ga_arg *in, ga_dtype loop, ga_dtype result, const ga_map_options *o,
                                  bool *done)
{
    ga_dtype    wanted[GI_MOST_INPUTS] = { loop, loop, loop, loop };
    gi_function easy                   = { NULL, NULL, GI_NOT_OWN };
    bool        failed                 = false;
    (void)row;
    if (gi_is_int(loop) && gi_any_negative(o->site, in[1], loop, &failed)) {
        gi_fail(o->site, GA_BAD_ARGUMENT, "integers to negative integer powers are not integers: use float operands");
        failed = true;
    }
    *done = failed || (gi_is_float(loop) && gi_easy_power(in[1], loop, &easy));
    return *done && !failed ? gi_map_computed(o->site, easy, GI_CHEAP, 1, in, wanted, result, o->out, o->where) : NULL;
}

/* What few rows have and the others have not: GI_ROW_HAS(exchanged, greater) is gi_row_less, GI_ROW_HAS(exchanged, add) NULL. */
#define GI_ROW_HAS(what, name)         GI_ROW_HAS_(GI_JOIN(GI_JOIN(GI_ROW_, what), GI_JOIN(_, name)), NULL, )
#define GI_ROW_HAS_(...)               GI_ROW_SECOND(__VA_ARGS__)
#define GI_ROW_SECOND(a, b, ...)       b
#define GI_ROW_without_nan_fmax        , GI_ROW_IN(GI_SET, maximum)
#define GI_ROW_without_nan_fmin        , GI_ROW_IN(GI_SET, minimum)
#define GI_ROW_without_nan_nansum      , GI_ROW_IN(GI_SET, sum)
#define GI_ROW_without_nan_nanprod     , GI_ROW_IN(GI_SET, prod)
#define GI_ROW_without_nan_nanmin      , GI_ROW_IN(GI_SET, min)
#define GI_ROW_without_nan_nanmax      , GI_ROW_IN(GI_SET, max)
#define GI_ROW_of_bool_sum             , GI_ROW_IN(GI_SET, count_nonzero)
#define GI_ROW_of_bool_floor           , GI_ROW_IN(GI_SET, absolute)
#define GI_ROW_of_bool_ceil            , GI_ROW_IN(GI_SET, absolute)
#define GI_ROW_of_bool_trunc           , GI_ROW_IN(GI_SET, absolute)
#define GI_ROW_of_bool_real            , GI_ROW_IN(GI_SET, absolute)
#define GI_ROW_exchanged_greater       , GI_ROW_IN(GI_SET, less)
#define GI_ROW_exchanged_greater_equal , GI_ROW_IN(GI_SET, less_equal)
#define GI_ROW_special_power           , gi_power_special
#define GI_ROW_special_spacing         , gi_next_special
#define GI_ROW_special_nextafter       , gi_next_special
#define GI_ROW_special_equal           , gi_comparison_special
#define GI_ROW_special_not_equal       , gi_comparison_special
#define GI_ROW_special_less            , gi_comparison_special
#define GI_ROW_special_less_equal      , gi_comparison_special

/* The groups of the table's column `dtypes`, as bits. */
enum {
    GI_HAS_BOOL  = 1 << GA_BOOL,
    GI_HAS_BITS  = (1 << GA_F32) - 1,
    GI_HAS_INT   = GI_HAS_BITS - GI_HAS_BOOL,
    GI_HAS_FLT   = 1 << GA_F32 | 1 << GA_F64,
    GI_HAS_CPX   = 1 << GA_C64 | 1 << GA_C128,
    GI_HAS_FLTC  = GI_HAS_FLT | GI_HAS_CPX,
    GI_HAS_REAL  = GI_HAS_INT | GI_HAS_FLT,
    GI_HAS_ORDER = GI_HAS_BITS | GI_HAS_FLT,
    GI_HAS_ARITH = GI_HAS_INT | GI_HAS_FLTC,
    GI_HAS_ALL   = GI_HAS_BITS | GI_HAS_FLTC,
    GI_HAS_TRUTH = GI_HAS_BOOL,
    GI_HAS_SWAP  = 0
};

/* gi_row_add(), and under GPUARR_STATIC gi_formula_add(), which formulas call: its dtypes are GPUARR_EVAL_DTYPES; and gi_wide_add() for
   compositions that compute in float64 and complex128 alone (folds of bool as well). Calls of them call rows of the same set. */
#define GI_ROW_IN(in, name)                              GI_ROW_IN_(in, name)
#define GI_ROW_IN_(in, name)                             gi_##in##_##name
#define GI_ROW(name, dtypes, returns, cost, ends, start) GI_NAMED_ROW(GI_SET, name, GI_HAS_##dtypes, returns, cost, ends, start)
#define GI_NAMED_ROW(...)                                GI_NAMED_ROW_(__VA_ARGS__)
#define GI_NAMED_ROW_(in, name, dtypes, returns, cost, ends, start)                                                            \
    GI_FINDER(in, name)                                                                                                        \
    __attribute__((unused)) GI_TABLE(gi_row, gi_##in##_##name,                                                                 \
                                     { GI_FOUND_BY(in, name) GA_OP_##name, "ga_" #name, dtypes, returns, cost, ends, start,    \
                                       GI_ROW_HAS(without_nan, name), GI_ROW_HAS(of_bool, name), GI_ROW_HAS(exchanged, name),  \
                                       GI_ROW_HAS(special, name) })
#define GI_SET row
#include "row_set.h"
#undef GI_SET
#ifdef GPUARR_STATIC
#define GI_SET formula
#include "row_set.h"
#undef GI_SET
#define GI_SET wide
#include "row_set.h"
#undef GI_SET
#define GI_FORMULA_ROW(name) gi_formula_##name
#define GI_WIDE_ROW(name)    gi_wide_##name
#else
#define GI_FORMULA_ROW(name) gi_row_##name
#define GI_WIDE_ROW(name)    gi_row_##name
#endif

/* What a call of a row comes down to, by the dtypes of its operands. */
typedef struct gi_settled {
    const gi_row *row;       /* which computes */
    bool          copies;    /* nothing is computed */
    bool          exchanged; /* the operands in the other order */
    ga_dtype      common, loop, result;
    gi_kernel     kernel; /* unless it copies */
} gi_settled;

typedef enum gi_settling { GI_SETTLES, GI_LOSES_KIND, GI_NOT_STAMPED, GI_NOT_IN_FORMULAS, GI_HAS_NO_LOOP } gi_settling;

#ifdef GPUARR_STATIC
/* Have the formulas of this program no loops of the dtype? */
static bool gi_row_lacks(const gi_row *row, ga_dtype dtype)
{
    return row->in_formulas && dtype != GA_DTYPE_DEFAULT && !(GI_FORMULA_DTYPES >> (int)dtype & 1);
}

static void *gi_formula_lacks(const char *site, ga_dtype dtype)
{
    return gi_fail(site, GA_BAD_DTYPE,
                   "formulas of this program are compiled without %s: add it to those that it names in GPUARR_EVAL_DTYPES",
                   ga_dtype_name(dtype));
}

/* The same of a row that computes bool in another dtype. */
static void *gi_formula_lacks_for_bool(const char *site, const gi_row *row, ga_dtype dtype)
{
    return gi_fail(site, GA_BAD_DTYPE,
                   "%s of bool is computed in %s, and formulas of this program are compiled without it: convert the bool to a "
                   "dtype that GPUARR_EVAL_DTYPES names, or add %s there",
                   row->name, ga_dtype_name(dtype), ga_dtype_name(dtype));
}
#endif

/* Finds that out. asked: the dtype to compute in, if one was given. *loses: the operand that would lose its kind. */
static gi_settling gi_row_settle(const gi_row *row, int n, const ga_arg *in, ga_dtype asked, gi_settled *s, int *loses)
{
    ga_dtype common = gi_common_dtype(n, in), loop = asked;
    ga_arg   turned[2];
    if (row->op == GA_OP_ldexp && !gi_is_complex(common)) common = gi_common_dtype(n = 1, in); /* exponents are of any dtype */
    if (gi_is_comparison(row->op) && gi_is_int(common)) /* 300 is more than any uint8: compare in a dtype that holds both */
        for (int k = 0; k < n; k++)
            if (!in[k].array && !gi_number_fits(in[k], common)) common = ga_promote(common, gi_number_dtype(in[k]));
    for (*loses = 0; loop != GA_DTYPE_DEFAULT && *loses < n; ++*loses)
        if (!gi_may_compute(in[*loses], loop)) return GI_LOSES_KIND;
    if (loop != GA_DTYPE_DEFAULT) common = loop;
    loop = gi_dtype_computed(loop);
    if (gi_dtype_kind(common) < 2 && row->without_nan) row = row->without_nan(); /* stamped for floats alone */
    if (gi_is_logical(row->op) && loop == GA_DTYPE_DEFAULT) loop = GA_BOOL;
    if (common == GA_BOOL && gi_only_copies(row->op, common)) {
        if (row->op == GA_OP_positive || row->op == GA_OP_conj) common = GA_I8; /* as arithmetic on bool does */
        else row = row->of_bool();                                              /* its results are 0 and 1 */
    }
    s->row    = row;
    s->common = s->result = common;
    s->copies             = gi_only_copies(row->op, common);
    s->exchanged          = !s->copies && row->exchanged;
    s->loop               = common;
    if (s->copies) return GI_SETTLES;
    if (s->exchanged) { /* x > y is y < x */
        turned[0] = in[1];
        turned[1] = in[0];
        in        = turned;
        row       = row->exchanged();
    }
    if (loop == GA_DTYPE_DEFAULT) loop = gi_loop_dtype(row, n, in, common);
    s->row  = row;
    s->loop = loop;
#ifdef GPUARR_STATIC
    if (gi_row_lacks(row, loop)) return GI_NOT_IN_FORMULAS;
#endif
#ifdef GPUARR_FEW_DTYPES
    if (loop != GA_DTYPE_DEFAULT && !gi_has_loops(loop)) return GI_NOT_STAMPED;
#endif
    s->kernel = loop == GA_DTYPE_DEFAULT ? NULL : gi_row_kernel(row, loop);
    if (!s->kernel) return GI_HAS_NO_LOOP;
    s->result = row->returns == GI_RETURNS_BOOL   ? GA_BOOL
                : row->returns == GI_RETURNS_BYTE ? GA_U8
                : row->returns == GI_RETURNS_PART ? gi_dtype_real(loop)
                                                  : loop;
    if (gi_is_half(common) && s->result == GA_F32) s->result = common;
    return GI_SETTLES;
}

/* Do results depend on the elements? */
static bool gi_row_reads(ga_op op, ga_dtype loop)
{
    return gi_row_constant(op, loop) < 0 && (op != GA_OP_imag || gi_is_complex(loop));
}

/* Computes it. */
static ga_array *gi_call_settled(const gi_settled *s, int n, const ga_arg *in, const ga_map_options *o)
{
    ga_arg exchanged[2];
    if (s->copies) {
        if (o->out && !gi_array_check_half(o->site, o->out, ".out")) return NULL;
        ga_dtype same[GI_MOST_INPUTS] = { o->out ? o->out->dtype : s->common, s->common, s->common, s->common };
        return gi_map(o->site, gi_copying, s->row->cost, n, in, same, s->common, o->out, o->where);
    }
    if (s->exchanged) {
        exchanged[0] = in[1];
        exchanged[1] = in[0];
        in           = exchanged;
    }
    ga_dtype  wanted[GI_MOST_INPUTS] = { s->loop, s->loop, s->loop, s->loop };
    bool      done                   = false;
    ga_array *r                      = s->row->special ? s->row->special(s->row, in, s->loop, s->result, o, &done) : NULL;
    if (done) return r;
    const ga_dtype    computed = gi_dtype_computed(s->result);
    const gi_function f        = { s->kernel, gi_gpu ? gi_gpu->row(s->row->op, s->loop) : NULL, GI_NOT_OWN };
    ga_array         *out      = o->out;
    const bool        unread   = !gi_row_reads(s->row->op, s->loop);
    gi_map_call       c = { o->site, f, s->row->cost, n, 1, in, wanted, &computed, &s->result, &out, o->where, NULL, unread };
    return gi_map_run(&c) ? out : NULL;
}

/* The same of halves: numbers become halves first, and so do the arrays if it is .dtype that asks for halves. */
static ga_array *gi_call_halves(const gi_settled *s, int n, const ga_arg *in, const ga_map_options *o)
{
    ga_arg    half[3];
    ga_array *copies[3] = { NULL, NULL, NULL }, *r = NULL;
    bool      ok = true;
    for (int k = 0; k < n && ok; k++) {
        half[k] = in[k];
        if (!in[k].array) {
            gi_number_to(in[k], GA_F64, &half[k].re);
            half[k].re   = gi_float_as(half[k].re, s->common);
            half[k].kind = GA_KIND_REAL;
        } else if (gi_is_half(o->dtype) && in[k].array->dtype != s->common) {
            half[k].array = copies[k] = gi_copy_convert(o->site, in[k].array, s->common);
            ok                        = copies[k] != NULL;
        }
    }
    if (ok) r = gi_call_settled(s, n, half, o);
    for (int k = 0; k < n; k++) ga_free(copies[k]);
    return r;
}

/* Integer bounds of a clip that lie beyond the dtype that it is computed in do not bind: they become its own. */
static void gi_clip_bounds(const ga_arg *in, ga_dtype asked, ga_arg *bounded)
{
    const ga_dtype common = asked == GA_DTYPE_DEFAULT ? gi_common_dtype(3, in) : asked;
    for (int k = 0; k < 3; k++) bounded[k] = in[k];
    if (!gi_is_int(common)) return;
    const ga_int_info limits = (ga_iinfo)(common, "");
    ga_arg           *high   = &bounded[2];
    if (bounded[1].kind == GA_KIND_INT && bounded[1].i < limits.min) bounded[1].i = limits.min;
    if (high->kind == GA_KIND_INT ? high->i > 0 && (uint64_t)high->i > limits.max
                                  : high->kind == GA_KIND_UINT && common != GA_U64) {
        high->kind = GA_KIND_INT;
        high->i    = (int64_t)limits.max;
    }
}

static ga_array *gi_call(const gi_row *row, int n, const ga_arg *in, ga_map_options o)
{
    GI_SETTLE_FLOATS;
    gi_settled s;
    int        loses;
    ga_arg     bounded[3];
    for (int k = 0; k < n; k++)
        if (in[k].kind == GA_KIND_ARRAY && !gi_array_check_half_any(o.site, in[k].array,
                                                                    n == 1   ? "the operand"
                                                                    : k == 0 ? "the first operand"
                                                                             : "an operand"))
            return NULL;
    if (!gi_options_map(&o)) return NULL;
    if (row->op == GA_OP_clip) {
        gi_clip_bounds(in, o.dtype, bounded);
        in = bounded;
    }
    switch (gi_row_settle(row, n, in, o.dtype, &s, &loses)) {
    case GI_LOSES_KIND:
        return (ga_array *)gi_fail(
            o.site, GA_BAD_DTYPE, "%s cannot be computed in %s without losing its kind: use ga_astype first",
            ga_dtype_name(in[loses].array ? in[loses].array->dtype : gi_number_dtype(in[loses])), ga_dtype_name(o.dtype));
    case GI_NOT_STAMPED: return (void)gi_dtype_is_stamped(o.site, s.loop), (ga_array *)NULL;
#ifdef GPUARR_STATIC
    case GI_NOT_IN_FORMULAS:
        return (ga_array *)(s.common == GA_BOOL && s.loop != GA_BOOL ? gi_formula_lacks_for_bool(o.site, s.row, s.loop)
                                                                     : gi_formula_lacks(o.site, s.loop));
#endif
    case GI_HAS_NO_LOOP:
        return (ga_array *)gi_fail(o.site, GA_BAD_DTYPE, "%s does not exist for %s%s", row->name,
                                   o.dtype != GA_DTYPE_DEFAULT ? ".dtype = " : "", ga_dtype_name(s.common));
    default: break;
    }
    return gi_is_half(s.common) ? gi_call_halves(&s, n, in, &o) : gi_call_settled(&s, n, in, &o);
}

/* A unary operation takes an array. */
static ga_array *gi_call1(const gi_row *row, const ga_array *x, ga_map_options o)
{
    ga_arg in;
    memset(&in, 0, sizeof in);
    in.array = x;
    return gi_call(row, 1, &in, o);
}

#define GA_UNARY(name, dtypes, result, ...)                                                                                    \
    ga_array *(ga_##name)(const ga_array *x, ga_map_options o) { return gi_call1(gi_row_##name(), x, o); }
#define GA_ELEMENTARY(name, ...)                                                                                               \
    ga_array *(ga_##name)(const ga_array *x, ga_map_options o) { return gi_call1(gi_row_##name(), x, o); }
#define GA_BINARY(name, dtypes, result, ...)                                                                                   \
    ga_array *(ga_##name)(ga_arg x, ga_arg y, ga_map_options o)                                                                \
    {                                                                                                                          \
        const ga_arg in[] = { x, y };                                                                                          \
        return gi_call(gi_row_##name(), 2, in, o);                                                                             \
    }
#define GA_ELEMENTARY2(name, ...)                                                                                              \
    ga_array *(ga_##name)(ga_arg x, ga_arg y, ga_map_options o)                                                                \
    {                                                                                                                          \
        const ga_arg in[] = { x, y };                                                                                          \
        return gi_call(gi_row_##name(), 2, in, o);                                                                             \
    }
#define GA_TERNARY(name, dtypes, result, ...)                                                                                  \
    ga_array *(ga_##name)(ga_arg x, ga_arg y, ga_arg z, ga_map_options o)                                                      \
    {                                                                                                                          \
        const ga_arg in[] = { x, y, z };                                                                                       \
        return gi_call(gi_row_##name(), 3, in, o);                                                                             \
    }
#define GA_TABLE
#include "../rows/table.h"
