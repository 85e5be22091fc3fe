/* ---- folds: the reductions of the table, of all elements or of those that .where names ---------------------------------- */
/*  What is left out becomes what the fold starts from (0 of a sum), or for min and max .initial, and is folded along the same tree.
    .initial and the result are folded once more, by the same row.                                                              */

typedef struct gi_some {
    const gi_row            *row;
    ga_array                *start; /* .initial in the dtype of the result, or NULL */
    const ga_reduce_options *o;
} gi_some;

/* a, in the dtype that it is folded in, with what the mask leaves out replaced. */
static ga_array *gi_fold_replaced(const gi_composition *c, const gi_some *s, const ga_array *a, const ga_array *mask)
{
    const bool   choice = s->row->start == GI_START_NONE, one = s->row->start == 1;
    const ga_arg neutral = choice ? gi_operand_arg(s->start) : a->dtype == GA_BOOL ? GA_ARG(one) : GA_ARG(s->row->start);
    return (ga_where)(mask, gi_operand_arg(a), neutral, gi_map_site(c->site));
}

/* The fold r of some elements, and .initial. */
static ga_array *gi_fold_again(const gi_composition *c, const gi_some *s, const ga_array *r)
{
    const gi_row *row      = s->row->ends == GI_ENDS_SUM && s->row->without_nan ? s->row->without_nan() : s->row;
    const int64_t first[2] = { 1, 1 }, line[2] = { 1, r->size };
    ga_array     *flat = gi_do_reshape(c, r, 2, line), *one = flat ? gi_do_reshape(c, s->start, 2, first) : NULL;
    ga_shape      as_long;
    memset(&as_long, 0, sizeof as_long);
    as_long.ndim   = 2;
    as_long.n[0]   = 1;
    as_long.n[1]   = r->size;
    ga_array *many = one ? (ga_broadcast_to)(one, as_long, c->site) : NULL, *both = many ? gi_do_join(c, many, flat, 0) : NULL;
    ga_reduce_options down = gi_reduce_site(c->site);
    down.axis              = 0;
    down.out               = NULL;
    ga_array *joined       = both ? gi_reduce_row(row, both, down) : NULL;
    return gi_do_reshape(c, joined, r->ndim, r->shape);
}

/* Is no float of r, of float64 or complex128, infinite or NaN? False where r lies elsewhere or comes later. */
static bool gi_is_known_finite(const ga_array *r)
{
    const int64_t n      = gi_is_complex(r->dtype) ? 2 * r->size : r->size;
    bool          finite = r->device == GA_CPU && !gi_is_deferred(r);
    for (int64_t i = 0; i < n && finite; i++) finite = isfinite(((const double *)r->data)[i]);
    return finite;
}

/* r, the product of x in float64 or complex128. Where .initial is 0 and r overflowed though the factors are finite, the product of their
   signs: 0 times it is 0. */
static ga_array *gi_fold_from_zero(const gi_composition *c, const gi_some *s, const ga_array *x, const ga_array *r)
{
    const ga_arg one = GA_ARG(1);
    if (x->dtype != r->dtype && !(x = (ga_astype)(x, r->dtype, c->site))) return NULL;
    ga_array *finite = GI_DO_WIDE_1(c, isfinite, x), *signs = gi_is_complex(x->dtype) ? NULL : GI_DO_WIDE_2(c, copysign, 1, x);
    if (!finite || (!signs && !gi_is_complex(x->dtype))) return NULL;
    ga_array *factors = (ga_where)(finite, signs ? gi_operand_arg(signs) : one, gi_operand_arg(x), gi_map_site(c->site));
    ga_array *product = factors ? gi_reduce_row(s->row, factors, *s->o) : NULL;
    return GI_DO_WHERE(c, GI_DO_WIDE_1(c, isfinite, r), r, GI_DO_WHERE(c, s->start, r, product));
}

/* Where there is nothing to fold, .initial is the result. False: there is something. */
static bool gi_fold_of_none(const gi_composition *c, const gi_some *s, const ga_array *a, ga_array **r)
{
    gi_lines p;
    *r = NULL;
    if (!s->start || a->size > 0 || s->o->dtype != GA_DTYPE_DEFAULT) return false;
    if (!gi_lines_plan(c->site, &p, a, a->dtype, s->o->axis, &s->o->axes, s->o->keepdims)) return true;
    ga_shape shape;
    memset(&shape, 0, sizeof shape);
    shape.ndim = p.result_ndim;
    memcpy(shape.n, p.result_shape, sizeof shape.n);
    ga_array *view = (ga_broadcast_to)(s->start, shape, c->site);
    *r             = view ? (ga_copy)(view, c->site) : NULL;
    return true;
}

static ga_array *gi_do_fold_some(const gi_composition *c, gi_some *s, const ga_array *a, ga_reduce_options o)
{
    const gi_end ends = s->row->ends;
    const bool   some = o.where != GA_NO_ARRAY, begun = gi_is_given(o.initial), choice = s->row->start == GI_START_NONE;
    if (begun && ends != GI_ENDS_SUM && !choice)
        return (ga_array *)gi_fail(c->site, GA_BAD_ARGUMENT, "%s takes no .initial: that is for sums, products, min and max",
                                   s->row->name);
    if (some && choice && !begun)
        return (ga_array *)gi_fail(c->site, GA_BAD_ARGUMENT,
                                   "%s with .where needs .initial, the result where .where names no element", s->row->name);
    const ga_dtype dtype = o.dtype != GA_DTYPE_DEFAULT ? o.dtype : gi_reduce_end_dtype(ends, a->dtype);
    const bool     wide  = begun && ends == GI_ENDS_SUM && gi_dtype_kind(dtype) >= 2; /* rounded once, at the end */
    const bool     zero =
        wide && s->row->start == 1 && o.initial.i == 0 && o.initial.re == 0 && o.initial.im == 0; /* or an array */
    const ga_dtype joined = !wide ? dtype : gi_is_complex(dtype) ? GA_C128 : GA_F64;
    if (begun && !(s->start = (ga_scalar)(o.initial, gi_new_on(c->site, joined, a->device)))) return NULL;
    ga_array *out = o.out, *r = NULL, *mask = some ? gi_do_mask(c, a, o.where) : NULL, *in = NULL;
    if (some && !mask) return NULL;
    s->o = &o;
    if (!choice || !gi_fold_of_none(c, s, a, &r))
        in = wide && o.dtype != GA_DTYPE_DEFAULT ? (ga_astype)(a, o.dtype, c->site) : (ga_view)(a, c->site);
    if (in && some) in = gi_fold_replaced(c, s, in, mask);
    o.out     = NULL;
    o.where   = GA_NO_ARRAY;
    o.initial = ga_reduce_defaults.initial;
    if (wide) o.dtype = joined;
    if (in) r = gi_reduce_row(s->row, in, o);
    if (in && r && zero && !gi_is_known_finite(r)) r = gi_fold_from_zero(c, s, in, r);
    if (in && r && begun) r = gi_fold_again(c, s, r);
    if (r && r->dtype != dtype) r = (ga_astype)(r, dtype, c->site);
    return r ? gi_copy_finish(c->site, r, dtype, out) : NULL;
}

/* Is it a fold without options of all elements of a packed array that make a few blocks? Then there is nothing to check or to plan. */
enum { GI_FEW_BLOCKS = 8 };
static bool gi_fold_is_short(const gi_row *row, const ga_array *a, const ga_reduce_options *o)
{
    if (o->axis != GA_AXIS_DEFAULT || o->axes.ndim >= 0 || o->keepdims || o->dtype != GA_DTYPE_DEFAULT || o->out ||
        o->ddof != 0)
        return false;
    if (o->where != GA_NO_ARRAY || gi_is_given(o->initial) || row->ends == GI_ENDS_BOOL || row->ends == GI_ENDS_COUNT)
        return false;
    if (!gi_map_is_ready(a, a->ndim, a->shape) || (a->owner && a->owner->maker)) return false;
    return a->size > 0 && a->size <= GI_FEW_BLOCKS * GI_BLOCK && a->dtype != GA_BOOL && !gi_is_half(a->dtype);
}

/* Folds such an array. */
static ga_array *gi_fold_short(const gi_row *row, const ga_array *a, const char *site)
{
    GI_SETTLE_FLOATS;
    __attribute__((aligned(64))) char accs[GI_FEW_BLOCKS * GI_ACC_BYTES];
    gi_fold                           fold;
    if (!gi_is_float(a->dtype) && !gi_is_complex(a->dtype) && row->without_nan) row = row->without_nan();
#ifdef GPUARR_STATIC
    if (gi_row_lacks(row, a->dtype)) return (ga_array *)gi_formula_lacks(site, a->dtype);
#endif
    if (!gi_row_fold(row, a->dtype, &fold))
        return (ga_array *)gi_fail(site, GA_BAD_DTYPE, "%s does not exist for %s", row->name, ga_dtype_name(a->dtype));
    ga_array *result = gi_array_new(site, gi_reduce_end_dtype(row->ends, a->dtype), GA_CPU, 0, NULL);
    if (!result) return NULL;
    const int64_t blocks = (a->size + GI_BLOCK - 1) / GI_BLOCK, last = a->size - (blocks - 1) * GI_BLOCK;
    for (int64_t b = 0; b < blocks; b++)
        gi_fold_block(&fold, b < blocks - 1 ? GI_BLOCK : last, accs + b * fold.acc_bytes,
                      (const char *)a->data + b * GI_BLOCK * fold.item_bytes, false);
    gi_reduce_fold_blocks(fold.halve, fold.acc_bytes, accs, blocks);
    fold.end(1, result->data, accs, a->size);
    return result;
}

static ga_array *gi_fold_call(const gi_row *row, const ga_array *a, ga_reduce_options o)
{
    gi_some s = { row, NULL, NULL };
    if (!gi_array_check_half_any(o.site, a, "a")) return NULL;
    if (gi_fold_is_short(row, a, &o)) return gi_fold_short(row, a, o.site);
    if (o.where == GA_NO_ARRAY && !gi_is_given(o.initial)) return gi_reduce_row(row, a, o);
    if (o.where != GA_NO_ARRAY && !gi_array_check_half_any(o.site, o.where, ".where")) return NULL;
    if (row->ends == GI_ENDS_AVERAGE && o.where != GA_NO_ARRAY) return gi_moment_some(GI_MEAN, row->name, a, o);
    if (gi_half_concerns(a, o.dtype) && o.out && o.out->alive == GI_ALIVE && !gi_is_half(o.out->dtype)) { /* not rounded */
        ga_dtype  half;
        ga_array *wide = gi_half_widen(o.site, a, &o.dtype, &half);
        return gi_half_end(o.site, wide, wide ? gi_fold_call(row, wide, o) : NULL, o.out, half);
    }
    gi_composition c;
    gi_compose_begin(&c, o.site);
    return gi_compose_end(&c, gi_do_fold_some(&c, &s, a, o));
}

#define GA_FOLD(name, ...)                                                                                                     \
    ga_array *(ga_##name)(const ga_array *a, ga_reduce_options o)                                                              \
    {                                                                                                                          \
        return gi_options_fold(&o) ? gi_fold_call(gi_row_##name(), a, o) : NULL;                                               \
    }
#define GA_TABLE
#include "../rows/table.h"
