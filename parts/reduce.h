/* ==== >>reduce: reductions along the documented tree ================================================================= */
/*  The elements that go into one result, in C order of the reduced axes, are a line. A line is cut into blocks of 1024 from its start;
    each block is folded by halves (gpuarr_cpu.h, >>folds), and so are the results of the blocks, again and again, until one is left.
    Neither threads nor strides change that order, so a result has the same bits however the array lies in memory.             */

typedef struct gi_lines {
    const ga_array *a;
    ga_dtype        dtype; /* in which the elements are folded */
    int             kept, reduced;
    int64_t         kept_shape[GPUARR_MAX_DIMS], kept_strides[GPUARR_MAX_DIMS];
    int64_t         shape[GPUARR_MAX_DIMS], strides[GPUARR_MAX_DIMS]; /* of the reduced axes, joined where possible */
    int64_t         lines, length;
    int             result_ndim;
    int64_t         result_shape[GPUARR_MAX_DIMS];
} gi_lines;

/* Which axes? Marks them; -1 with an error for an axis that does not exist or is named twice. */
static int gi_marked_axes(const char *site, int ndim, int axis, const ga_shape *axes, bool *marked)
{
    int count = 0;
    for (int d = 0; d < ndim; d++) marked[d] = false;
    if (axes->ndim > 0) {
        for (int k = 0; k < axes->ndim; k++) {
            int d = axes->n[k] < INT_MIN || axes->n[k] > INT_MAX ? gi_axis(site, INT_MAX, ndim) : gi_axis(site, (int)axes->n[k], ndim);
            if (d < 0) return -1;
            if (marked[d]) {
                gi_fail(site, GA_BAD_ARGUMENT, "axis %d is named twice", d);
                return -1;
            }
            marked[d] = true;
            count++;
        }
        return count;
    }
    if (axis != 0 || gi_option_given(site, "axis")) {
        int d = gi_axis(site, axis, ndim);
        if (d < 0) return -1;
        marked[d] = true;
        return 1;
    }
    for (int d = 0; d < ndim; d++) marked[d] = true;
    return ndim;
}

/* Divides the axes of a into kept and reduced ones. False with an error. */
static bool gi_plan_lines(const char *site, gi_lines *p, const ga_array *a, ga_dtype dtype, int axis, const ga_shape *axes, bool keepdims)
{
    bool marked[GPUARR_MAX_DIMS];
    memset(p, 0, sizeof *p);
    p->a      = a;
    p->dtype  = dtype;
    p->length = 1;
    p->lines  = 1;
    if (gi_marked_axes(site, a->ndim, axis, axes, marked) < 0) return false;
    for (int d = 0; d < a->ndim; d++) {
        if (!marked[d]) {
            p->kept_shape[p->kept]     = a->shape[d];
            p->kept_strides[p->kept++] = a->strides[d];
            p->lines *= a->shape[d];
            p->result_shape[p->result_ndim++] = a->shape[d];
            continue;
        }
        p->length *= a->shape[d];
        if (keepdims) p->result_shape[p->result_ndim++] = 1;
        if (a->shape[d] == 1) continue;
        int last = p->reduced - 1;
        if (last >= 0 && p->strides[last] == a->strides[d] * a->shape[d]) {
            p->shape[last] *= a->shape[d];
            p->strides[last] = a->strides[d];
        } else {
            p->shape[p->reduced]     = a->shape[d];
            p->strides[p->reduced++] = a->strides[d];
        }
    }
    if (p->reduced == 0) { /* one element a line */
        p->shape[0]   = 1;
        p->strides[0] = ga_itemsize(a->dtype);
        p->reduced    = 1;
    }
    return true;
}

static const char *gi_line_start(const gi_lines *p, int64_t line)
{
    const char *at = (const char *)p->a->data;
    for (int d = p->kept - 1; d >= 0; d--) {
        at += line % p->kept_shape[d] * p->kept_strides[d];
        line /= p->kept_shape[d];
    }
    return at;
}

/* The elements start .. start + n (at most a block) of a line, packed, as p->dtype. raw and cast hold a block of any dtype. */
static const void *gi_read_line(const gi_lines *p, int64_t line, int64_t start, int64_t n, void *raw, void *cast)
{
    int         size  = (int)ga_itemsize(p->a->dtype), inner = p->reduced - 1;
    const char *first = gi_line_start(p, line);
    const void *packed = raw;
    if (p->reduced == 1 && p->strides[0] == size) {
        packed = first + start * size;
    } else {
        for (int64_t done = 0; done < n;) {
            int64_t     index = start + done, column = index % p->shape[inner], run = p->shape[inner] - column;
            const char *at    = first;
            if (run > n - done) run = n - done;
            for (int d = inner; d >= 0; d--) {
                at += index % p->shape[d] * p->strides[d];
                index /= p->shape[d];
            }
            gi_gather(size, run, (char *)raw + done * size, at, p->strides[inner]);
            done += run;
        }
    }
    if (p->dtype == p->a->dtype) return packed;
    gi_cast(p->dtype, p->a->dtype, n, cast, packed);
    return cast;
}

/* Neighbouring lines whose elements share cache lines (a reduction over the first axis) are read together: `count` of them, packed
   one after the other, `n` elements each. */
static void gi_read_panel(int size, int64_t n, int64_t count, void *out, const char *from, int64_t stride)
{
#define GI_MOVE(U)                                                                                                      \
    for (int64_t i = 0; i < n; i++)                                                                                    \
        for (int64_t k = 0; k < count; k++) ((U *)out)[k * n + i] = ((const U *)(const void *)(from + i * stride))[k];   \
    break
    switch (size) {
    case 1: GI_MOVE(uint8_t);
    case 2: GI_MOVE(uint16_t);
    case 4: GI_MOVE(uint32_t);
    case 8: GI_MOVE(uint64_t);
    default:
        for (int64_t i = 0; i < n; i++)
            for (int64_t k = 0; k < count; k++) memcpy((char *)out + (k * n + i) * size, from + i * stride + k * size, (size_t)size);
    }
#undef GI_MOVE
}

/* How a block becomes an accumulator, accumulators one, and that the result: a row of the table, or the moments of variances. */
typedef struct gi_reduction {
    gi_lines lines;
    gi_fold  fold;
    int      result_bytes;
    char    *result; /* packed results, one a line */
    char    *accs;   /* blocks of each line, or NULL when a line has only one */
    int64_t  blocks;
    int      panel;  /* lines read together */
    int64_t  panels;
} gi_reduction;

#define GI_PANEL_BYTES 64 /* a cache line */
#define GI_ACC_BYTES   24 /* of the largest accumulator */

/* A unit is a block of a panel of lines. */
static void gi_reduce_units(int64_t begin, int64_t end, void *job)
{
    gi_reduction   *r = (gi_reduction *)job;
    const gi_lines *p = &r->lines;
    __attribute__((aligned(64))) char raw[GI_BLOCK * GI_PANEL_BYTES], cast[GI_BLOCK * 16];
    int size = (int)ga_itemsize(p->a->dtype);
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t block = unit % r->blocks, panel = unit / r->blocks;
        int64_t per_row = r->panel > 1 ? (p->kept_shape[p->kept - 1] + r->panel - 1) / r->panel : 1;
        int64_t first = r->panel > 1 ? panel / per_row * p->kept_shape[p->kept - 1] + panel % per_row * r->panel : panel, count = 1;
        int64_t start = block * GI_BLOCK, n = p->length - start < GI_BLOCK ? p->length - start : GI_BLOCK;
        if (r->panel > 1) {
            count = p->kept_shape[p->kept - 1] - panel % per_row * r->panel;
            if (count > r->panel) count = r->panel;
            gi_read_panel(size, n, count, raw, gi_line_start(p, first) + start * p->strides[0], p->strides[0]);
        }
        for (int64_t k = 0; k < count; k++) {
            int64_t     line = first + k;
            const void *x;
            if (r->panel == 1) {
                x = gi_read_line(p, line, start, n, raw, cast);
            } else {
                x = raw + k * n * size;
                if (p->dtype != p->a->dtype) {
                    gi_cast(p->dtype, p->a->dtype, n, cast, x);
                    x = cast;
                }
            }
            __attribute__((aligned(16))) char acc[GI_ACC_BYTES];
            r->fold.block(n, acc, x);
            if (r->accs)
                memcpy(r->accs + (line * r->blocks + block) * r->fold.acc_bytes, acc, (size_t)r->fold.acc_bytes);
            else
                r->fold.end(r->result + line * r->result_bytes, acc, p->length);
        }
    }
}

/* Folds the blocks of each line. */
static void gi_reduce_blocks(int64_t begin, int64_t end, void *job)
{
    gi_reduction *r = (gi_reduction *)job;
    int           bytes = r->fold.acc_bytes;
    for (int64_t line = begin; line < end; line++) {
        char *accs = r->accs + line * r->blocks * bytes;
        for (int64_t n = r->blocks; n > 1; n = (n + GI_BLOCK - 1) / GI_BLOCK)
            for (int64_t b = 0; b * GI_BLOCK < n; b++) {
                int64_t k = n - b * GI_BLOCK < GI_BLOCK ? n - b * GI_BLOCK : GI_BLOCK;
                r->fold.halve(k, accs + b * GI_BLOCK * bytes);
                memmove(accs + b * bytes, accs + b * GI_BLOCK * bytes, (size_t)bytes);
            }
        r->fold.end(r->result + line * r->result_bytes, accs, r->lines.length);
    }
}

/* Runs a planned reduction of lines that are not empty into r->result. False: no memory. */
static bool gi_reduce(const char *site, gi_reduction *r)
{
    gi_lines *p = &r->lines;
    if (p->lines == 0) return true;
    int size  = (int)ga_itemsize(p->a->dtype);
    r->blocks = (p->length + GI_BLOCK - 1) / GI_BLOCK;
    r->panel  = 1;
    if (p->reduced == 1 && p->strides[0] != size && p->kept > 0 && p->kept_strides[p->kept - 1] == size && p->kept_shape[p->kept - 1] > 1)
        r->panel = GI_PANEL_BYTES / size;
    int64_t panels = p->lines;
    if (r->panel > 1) panels = p->lines / p->kept_shape[p->kept - 1] * ((p->kept_shape[p->kept - 1] + r->panel - 1) / r->panel);
    size_t acc_bytes = 0;
    r->accs          = NULL;
    if (r->blocks > 1) {
        acc_bytes = (size_t)(p->lines * r->blocks) * (size_t)r->fold.acc_bytes;
        r->accs   = (char *)gi_alloc(site, acc_bytes);
        if (!r->accs) return false;
    }
    int64_t work = (p->length < GI_BLOCK ? p->length : GI_BLOCK) * r->panel; /* elements a unit */
    gi_parallel(panels * r->blocks, 1 + 32768 / work, gi_reduce_units, r);
    if (r->accs) {
        gi_parallel(p->lines, 1 + 4096 / r->blocks, gi_reduce_blocks, r);
        gi_release(r->accs, acc_bytes);
    }
    return true;
}

/* Gives the packed result its final dtype and place. Takes over `result` (NULL is passed on). */
static ga_array *gi_finish(const char *site, ga_array *result, ga_dtype dtype, ga_array *out)
{
    if (!result) return NULL;
    if (out) {
        bool ok = gi_check(site, out, ".out");
        if (ok && !ga_same_shape(out, result)) {
            gi_fail(site, GA_BAD_SHAPE, ".out has shape %s, the result %s", gi_shape_of(out), gi_shape_of(result));
            ok = false;
        }
        if (ok && !gi_same_kind(dtype, out->dtype)) {
            gi_fail(site, GA_BAD_DTYPE, "the result is %s and does not go into .out of %s", ga_dtype_name(dtype), ga_dtype_name(out->dtype));
            ok = false;
        }
        ok = ok && gi_assign(site, out, result);
        ga_free(result);
        return ok ? out : NULL;
    }
    if (result->dtype == dtype) return result;
    ga_array *cast = gi_convert(site, result, dtype);
    ga_free(result);
    return cast;
}

/* ---- the rows -------------------------------------------------------------------------------------------------------- */

typedef enum gi_end { GI_ENDS_SUM, GI_ENDS_AVERAGE, GI_ENDS_SAME, GI_ENDS_BOOL, GI_ENDS_COUNT } gi_end;
enum { GI_START_0 = 0, GI_START_1 = 1, GI_START_NONE = -1 };

static ga_dtype gi_end_dtype(gi_end ends, ga_dtype d)
{
    switch (ends) {
    case GI_ENDS_SUM: return d == GA_BOOL || gi_is_signed(d) ? GA_I64 : gi_is_unsigned(d) ? GA_U64 : d;
    case GI_ENDS_AVERAGE: return gi_kind_of(d) < 2 ? GA_F64 : d;
    case GI_ENDS_BOOL: return GA_BOOL;
    case GI_ENDS_COUNT: return GA_I64;
    default: return d;
    }
}

/* What an empty line gives. */
static void gi_fill_empty(ga_array *result, int start, bool mean)
{
    ga_arg v;
    memset(&v, 0, sizeof v);
    v.kind = mean ? GA_KIND_REAL : GA_KIND_INT;
    v.i    = start;
    v.re   = gi_nan_f64();
    for (int64_t i = 0; i < result->size; i++) gi_number_to(v, result->dtype, (char *)result->data + i * ga_itemsize(result->dtype));
}

static ga_array *gi_reduce_row(ga_op op, const char *name, gi_end ends, int start, const ga_array *a, ga_reduce_options o)
{
    if (!gi_check(o.site, a, "a")) return NULL;
    bool takes_dtype = ends == GI_ENDS_SUM || ends == GI_ENDS_AVERAGE;
    if (o.dtype != GA_DTYPE_DEFAULT && !takes_dtype) return (ga_array *)gi_fail(o.site, GA_BAD_DTYPE, "%s takes no .dtype", name);
    if (o.dtype != GA_DTYPE_DEFAULT && !gi_is_dtype(o.dtype)) return (ga_array *)gi_fail(o.site, GA_BAD_DTYPE, ".dtype = %d is not a dtype", (int)o.dtype);
    if (o.ddof != 0) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "%s takes no .ddof: that is for ga_std and ga_var", name);
    if (!gi_is_float(a->dtype) && !gi_is_complex(a->dtype)) /* no NaN to leave out */
        op = op == GA_OP_nansum ? GA_OP_sum : op == GA_OP_nanprod ? GA_OP_prod : op == GA_OP_nanmin ? GA_OP_min : op == GA_OP_nanmax ? GA_OP_max : op;
    gi_reduction r;
    memset(&r, 0, sizeof r);
    ga_dtype dtype = ends == GI_ENDS_BOOL || ends == GI_ENDS_COUNT ? GA_BOOL : o.dtype != GA_DTYPE_DEFAULT ? o.dtype : a->dtype;
    if (!gi_plan_lines(o.site, &r.lines, a, dtype, o.axis, &o.axes, o.keepdims)) return NULL;
    if (!gi_cpu_fold(op, dtype, &r.fold)) return (ga_array *)gi_fail(o.site, GA_BAD_DTYPE, "%s does not exist for %s", name, ga_dtype_name(dtype));
    if (r.lines.length == 0 && r.lines.lines > 0 && start == GI_START_NONE)
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "%s of no elements (shape %s): there is none to return", name, gi_shape_of(a));
    ga_dtype  end_dtype = gi_end_dtype(ends, dtype);
    ga_array *result    = gi_new(o.site, end_dtype, a->device, r.lines.result_ndim, r.lines.result_shape);
    if (!result) return NULL;
    r.result       = (char *)result->data;
    r.result_bytes = (int)ga_itemsize(end_dtype);
    if (r.lines.length == 0) {
        gi_fill_empty(result, start, ends == GI_ENDS_AVERAGE);
    } else if (!gi_reduce(o.site, &r)) {
        ga_free(result);
        return NULL;
    }
    return gi_finish(o.site, result, o.dtype != GA_DTYPE_DEFAULT ? o.dtype : end_dtype, o.out);
}

#define GA_REDUCTION(name, dtypes, acc, result, start, ...)                                                             \
    ga_array *(ga_##name)(const ga_array *a, ga_reduce_options o)                                                      \
    {                                                                                                                  \
        return gi_reduce_row(GA_OP_##name, "ga_" #name, GI_ENDS_##result, GI_START_##start, a, o);                     \
    }
#define GA_TABLE
#include "gpuarr.h"

/* ---- moments: variance, standard deviation, means without NaN -------------------------------------------------------- */
/*  A node holds the count, the sum and the sum of squared distances from the mean of some elements; two nodes join exactly as the
    formula of Chan, Golub and LeVeque says, so that nothing cancels. Elements are taken relative to the first one of the line.  */

typedef struct gi_node {
    double n, s, m;
} gi_node;

GI_BEGIN_FAST
static gi_node gi_join_nodes(gi_node a, gi_node b)
{
    if (b.n == 0) return a;
    if (a.n == 0) return b;
    gi_node r;
    double  t = a.s - gi_mul_f64(a.n / b.n, b.s), scale = b.n / (a.n * (a.n + b.n));
    r.n = a.n + b.n;
    r.s = a.s + b.s;
    r.m = (a.m + b.m) + gi_mul_f64(gi_mul_f64(t, t), scale);
    return r;
}

static void gi_halve_nodes(int64_t n, void *accs)
{
    gi_node *a = (gi_node *)accs;
    int64_t  h = 1;
    while (h < n) h *= 2;
    for (h /= 2; h > 0; h /= 2)
        for (int64_t i = 0; i < h && i + h < n; i++) a[i] = gi_join_nodes(a[i], a[i + h]);
}

/* A full block without NaN to leave out: all nodes of a level have the same count, so the loops are simple. Same bits as joining. */
static gi_node gi_full_block_moments(const double *x, double origin)
{
    double  s[GI_BLOCK / 2], m[GI_BLOCK / 2], scale = 0.5;
    gi_node r;
    GI_VECTORIZE
    for (int i = 0; i < GI_BLOCK / 2; i++) {
        double a = x[i] - origin, b = x[i + GI_BLOCK / 2] - origin, t = a - b;
        s[i] = a + b;
        m[i] = gi_mul_f64(gi_mul_f64(t, t), scale);
    }
    for (int h = GI_BLOCK / 4; h > 0; h /= 2) {
        scale *= 0.5;
        GI_VECTORIZE
        for (int i = 0; i < h; i++) {
            double t = s[i] - s[i + h];
            s[i]     = s[i] + s[i + h];
            m[i]     = (m[i] + m[i + h]) + gi_mul_f64(gi_mul_f64(t, t), scale);
        }
    }
    r.n = GI_BLOCK;
    r.s = s[0];
    r.m = m[0];
    return r;
}

static gi_node gi_block_moments(int64_t n, const double *x, double origin, bool skip_nan)
{
    gi_node nodes[GI_BLOCK];
    if (n == GI_BLOCK && !skip_nan) return gi_full_block_moments(x, origin);
    for (int64_t i = 0; i < n; i++) {
        bool left_out = skip_nan && x[i] != x[i];
        nodes[i].n    = left_out ? 0 : 1;
        nodes[i].s    = left_out ? 0 : x[i] - origin;
        nodes[i].m    = 0;
    }
    gi_halve_nodes(n, nodes);
    return nodes[0];
}
GI_END_FAST

typedef struct gi_moments {
    gi_lines lines;
    int64_t  blocks;
    bool     skip_nan, shifted;
    gi_node *nodes; /* blocks of each line; the first becomes the line's */
} gi_moments;

static void gi_moment_units(int64_t begin, int64_t end, void *job)
{
    gi_moments *r = (gi_moments *)job;
    __attribute__((aligned(64))) char raw[GI_BLOCK * 16];
    double                            cast[GI_BLOCK];
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t line = unit / r->blocks, start = unit % r->blocks * GI_BLOCK;
        int64_t n      = r->lines.length - start < GI_BLOCK ? r->lines.length - start : GI_BLOCK;
        double  origin = 0;
        if (r->shifted) {
            gi_cast(GA_F64, r->lines.a->dtype, 1, &origin, gi_line_start(&r->lines, line));
            if (!gi_isfinite_f64(origin)) origin = 0;
        }
        const double *x = (const double *)gi_read_line(&r->lines, line, start, n, raw, cast);
        r->nodes[unit]  = gi_block_moments(n, x, origin, r->skip_nan);
    }
}

static void gi_moment_lines(int64_t begin, int64_t end, void *job)
{
    gi_moments *r = (gi_moments *)job;
    for (int64_t line = begin; line < end; line++) {
        gi_node *nodes = r->nodes + line * r->blocks;
        for (int64_t n = r->blocks; n > 1; n = (n + GI_BLOCK - 1) / GI_BLOCK)
            for (int64_t b = 0; b * GI_BLOCK < n; b++) {
                gi_halve_nodes(n - b * GI_BLOCK < GI_BLOCK ? n - b * GI_BLOCK : GI_BLOCK, nodes + b * GI_BLOCK);
                nodes[b] = nodes[b * GI_BLOCK];
            }
    }
}

typedef enum gi_moment { GI_MEAN, GI_VAR, GI_STD } gi_moment;

/* The moment of each line of a real array, as float64. */
static ga_array *gi_real_moment(gi_moment what, bool skip_nan, const ga_array *a, const ga_reduce_options *o)
{
    gi_moments r;
    memset(&r, 0, sizeof r);
    r.skip_nan = skip_nan;
    r.shifted  = what != GI_MEAN; /* so that nanmean of an array without NaN is its mean */
    if (!gi_plan_lines(o->site, &r.lines, a, GA_F64, o->axis, &o->axes, o->keepdims)) return NULL;
    ga_array *result = gi_new(o->site, GA_F64, a->device, r.lines.result_ndim, r.lines.result_shape);
    if (!result) return NULL;
    double *out = (double *)result->data;
    r.blocks    = (r.lines.length + GI_BLOCK - 1) / GI_BLOCK;
    if (r.blocks > 0) {
        size_t bytes = (size_t)(r.lines.lines * r.blocks) * sizeof *r.nodes;
        r.nodes      = (gi_node *)gi_alloc(o->site, bytes);
        if (!r.nodes) {
            ga_free(result);
            return NULL;
        }
        gi_parallel(r.lines.lines * r.blocks, 1 + 16384 / (r.lines.length < GI_BLOCK ? r.lines.length : GI_BLOCK), gi_moment_units, &r);
        gi_parallel(r.lines.lines, 1 + 1024 / r.blocks, gi_moment_lines, &r);
        for (int64_t i = 0; i < r.lines.lines; i++) {
            gi_node v = r.nodes[i * r.blocks];
            if (what == GI_MEAN)
                out[i] = v.n > 0 ? v.s / v.n : gi_nan_f64();
            else if (v.n - o->ddof > 0)
                out[i] = v.m / (v.n - o->ddof);
            else /* as NumPy: 0 / 0 for no degrees of freedom */
                out[i] = v.m > 0 && !skip_nan ? gi_infinity_f64() : gi_nan_f64();
            if (what == GI_STD) out[i] = sqrt(out[i]);
        }
        gi_release(r.nodes, bytes);
    } else {
        for (int64_t i = 0; i < result->size; i++) out[i] = gi_nan_f64();
    }
    return result;
}

static ga_array *gi_moment_of(gi_moment what, bool skip_nan, const char *name, const ga_array *a, ga_reduce_options o)
{
    if (!gi_check(o.site, a, "a")) return NULL;
    if (o.dtype != GA_DTYPE_DEFAULT && !gi_is_float(o.dtype))
        return (ga_array *)gi_fail(o.site, GA_BAD_DTYPE, "%s returns floats: .dtype may be GA_F32 or GA_F64", name);
    if (what == GI_MEAN && o.ddof != 0) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "%s takes no .ddof: that is for ga_std and ga_var", name);
    ga_dtype  dtype = o.dtype != GA_DTYPE_DEFAULT ? o.dtype : gi_end_dtype(GI_ENDS_AVERAGE, gi_real_dtype(a->dtype));
    ga_array *result;
    if (!gi_is_complex(a->dtype)) {
        result = gi_real_moment(what, skip_nan, a, &o);
    } else if (what == GI_MEAN || skip_nan) {
        return (ga_array *)gi_fail(o.site, GA_BAD_DTYPE, "%s does not exist for %s", name, ga_dtype_name(a->dtype));
    } else { /* the variance of the real parts and that of the imaginary parts, together */
        ga_dtype  part = gi_real_dtype(a->dtype);
        ga_array *re   = gi_new_view(o.site, a, a->data, part, a->ndim, a->shape, a->strides);
        ga_array *im   = gi_new_view(o.site, a, (char *)a->data + ga_itemsize(part), part, a->ndim, a->shape, a->strides);
        ga_array *v    = re && im ? gi_real_moment(GI_VAR, false, re, &o) : NULL;
        result         = v ? gi_real_moment(GI_VAR, false, im, &o) : NULL;
        for (int64_t i = 0; result && i < result->size; i++) {
            double sum                = ((double *)v->data)[i] + ((double *)result->data)[i];
            ((double *)result->data)[i] = what == GI_STD ? sqrt(sum) : sum;
        }
        ga_free(re);
        ga_free(im);
        ga_free(v);
    }
    return gi_finish(o.site, result, dtype, o.out);
}

ga_array *(ga_var)(const ga_array *a, ga_reduce_options o) { return gi_moment_of(GI_VAR, false, "ga_var", a, o); }
ga_array *(ga_std)(const ga_array *a, ga_reduce_options o) { return gi_moment_of(GI_STD, false, "ga_std", a, o); }
ga_array *(ga_nanmean)(const ga_array *a, ga_reduce_options o) { return gi_moment_of(GI_MEAN, true, "ga_nanmean", a, o); }
ga_array *(ga_nanvar)(const ga_array *a, ga_reduce_options o) { return gi_moment_of(GI_VAR, true, "ga_nanvar", a, o); }
ga_array *(ga_nanstd)(const ga_array *a, ga_reduce_options o) { return gi_moment_of(GI_STD, true, "ga_nanstd", a, o); }

/* ---- where the extremes are --------------------------------------------------------------------------------------------- */
/* The extreme of a line is found first, by the row above; its place is the first element equal to it (or the first NaN). */

typedef struct gi_search {
    gi_lines    lines;
    const char *extremes; /* packed, one a line */
    int64_t    *places;
} gi_search;

static void gi_search_lines(int64_t begin, int64_t end, void *job)
{
    gi_search *r = (gi_search *)job;
    __attribute__((aligned(64))) char raw[GI_BLOCK * 16], cast[GI_BLOCK * 16], wanted[GI_BLOCK * 16];
    bool      found[GI_BLOCK];
    ga_dtype  dtype = r->lines.dtype;
    int       size  = (int)ga_itemsize(dtype);
    gi_kernel equal = gi_cpu_kernel(GA_OP_equal, dtype), unordered = gi_cpu_kernel(GA_OP_isnan, dtype);
    for (int64_t line = begin; line < end; line++) {
        for (int i = 0; i < GI_BLOCK; i++) memcpy(wanted + i * size, r->extremes + line * size, (size_t)size);
        bool nan;
        unordered(1, &nan, wanted, NULL, NULL);
        r->places[line] = 0;
        for (int64_t start = 0; start < r->lines.length; start += GI_BLOCK) {
            int64_t     n = r->lines.length - start < GI_BLOCK ? r->lines.length - start : GI_BLOCK;
            const void *x = gi_read_line(&r->lines, line, start, n, raw, cast);
            if (nan)
                unordered(n, found, x, NULL, NULL);
            else
                equal(n, found, x, wanted, NULL);
            const void *hit = memchr(found, 1, (size_t)n);
            if (!hit) continue;
            r->places[line] = start + ((const bool *)hit - found);
            break;
        }
    }
}

static ga_array *gi_arg_extreme(ga_op op, const char *name, bool skip_nan, const ga_array *a, ga_reduce_options o)
{
    if (!gi_check(o.site, a, "a")) return NULL;
    if (o.axes.ndim > 1) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "%s works along one axis, or over all of them", name);
    ga_reduce_options inner = o;
    inner.out               = NULL;
    gi_search r;
    if (!gi_plan_lines(o.site, &r.lines, a, a->dtype, o.axis, &o.axes, o.keepdims)) return NULL;
    ga_array *extremes = gi_reduce_row(op, name, GI_ENDS_SAME, GI_START_NONE, a, inner);
    if (!extremes) return NULL;
    if (skip_nan && gi_is_float(a->dtype)) {
        bool nan = false;
        for (int64_t i = 0; i < extremes->size && !nan; i++)
            gi_cpu_kernel(GA_OP_isnan, a->dtype)(1, &nan, (char *)extremes->data + i * ga_itemsize(a->dtype), NULL, NULL);
        if (nan) {
            ga_free(extremes);
            return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "%s of nothing but NaN: there is no index to return", name);
        }
    }
    ga_array *places = gi_new(o.site, GA_I64, a->device, r.lines.result_ndim, r.lines.result_shape);
    if (places) {
        r.extremes = (const char *)extremes->data;
        r.places   = (int64_t *)places->data;
        gi_parallel(r.lines.lines, r.lines.length > 0 ? 1 + 8192 / r.lines.length : 1, gi_search_lines, &r);
    }
    ga_free(extremes);
    return gi_finish(o.site, places, GA_I64, o.out);
}

ga_array *(ga_argmin)(const ga_array *a, ga_reduce_options o) { return gi_arg_extreme(GA_OP_min, "ga_argmin", false, a, o); }
ga_array *(ga_argmax)(const ga_array *a, ga_reduce_options o) { return gi_arg_extreme(GA_OP_max, "ga_argmax", false, a, o); }
ga_array *(ga_nanargmin)(const ga_array *a, ga_reduce_options o) { return gi_arg_extreme(GA_OP_nanmin, "ga_nanargmin", true, a, o); }
ga_array *(ga_nanargmax)(const ga_array *a, ga_reduce_options o) { return gi_arg_extreme(GA_OP_nanmax, "ga_nanargmax", true, a, o); }

/* ---- norm and dot ---------------------------------------------------------------------------------------------------------- */

/* f(x) of an array that is then freed. */
static ga_array *gi_then(ga_array *(*f)(const ga_array *, ga_map_options), const char *site, ga_array *x)
{
    ga_array *r = x ? f(x, gi_map_site(site)) : NULL;
    ga_free(x);
    return r;
}

ga_array *(ga_norm)(const ga_array *a, ga_norm_options o)
{
    if (!gi_check(o.site, a, "a")) return NULL;
    double   ord   = o.ord == 0 ? 2 : o.ord == GA_EXACTLY ? 0 : o.ord;
    ga_dtype dtype = gi_end_dtype(GI_ENDS_AVERAGE, gi_real_dtype(a->dtype));
    if (ord < 0 && ord != -(double)INFINITY)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, ".ord = %g: use a positive number, INFINITY, -INFINITY or GA_EXACTLY (counts the nonzero)", ord);
    ga_reduce_options r = gi_reduce_site(o.site);
    r.axis     = o.axis;
    r.axes     = o.axes;
    r.keepdims = o.keepdims;
    ga_array *size = (ga_absolute)(a, gi_map_site(o.site)), *wide = size ? gi_convert(o.site, size, GA_F64) : NULL, *result = NULL;
    ga_free(size);
    if (!wide) return NULL;
    if (isinf(ord)) {
        result = ord > 0 ? (ga_max)(wide, r) : (ga_min)(wide, r);
    } else if (ord == 0) {
        result = (ga_count_nonzero)(wide, r);
    } else if (ord == 1) {
        result = (ga_sum)(wide, r);
    } else if (ord == 2) {
        ga_array *squares = (ga_square)(wide, gi_map_site(o.site));
        if (squares) result = gi_then((ga_sqrt), o.site, (ga_sum)(squares, r));
        ga_free(squares);
    } else {
        ga_arg p, inverse;
        memset(&p, 0, sizeof p);
        p.kind     = GA_KIND_REAL;
        inverse    = p;
        p.re       = ord;
        inverse.re = 1 / ord;
        ga_array *powers = (ga_power)(gi_operand_arg(wide), p, gi_map_site(o.site)), *sum = powers ? (ga_sum)(powers, r) : NULL;
        if (sum) result = (ga_power)(gi_operand_arg(sum), inverse, gi_map_site(o.site));
        ga_free(powers);
        ga_free(sum);
    }
    ga_free(wide);
    return gi_finish(o.site, result, dtype, NULL);
}

/* The sum of x * y over the last axis, products and sums in the wide type of `dtype`. */
static ga_array *gi_inner(const char *site, const ga_array *x, const ga_array *y, ga_dtype dtype, int axis)
{
    ga_map_options m = gi_map_site(site);
    m.dtype          = dtype == GA_F32 ? GA_F64 : dtype == GA_C64 ? GA_C128 : dtype == GA_BOOL ? dtype : gi_end_dtype(GI_ENDS_SUM, dtype);
    ga_array *products = (ga_multiply)(gi_operand_arg(x), gi_operand_arg(y), m);
    if (!products) return NULL;
    ga_reduce_options r = gi_reduce_site(site);
    r.axes.ndim         = 1;
    r.axes.n[0]         = axis;
    ga_array *sum = dtype == GA_BOOL ? (ga_any)(products, r) : (ga_sum)(products, r);
    ga_free(products);
    return gi_finish(site, sum, dtype, NULL);
}

ga_array *(ga_dot)(const ga_array *a, const ga_array *b, ga_map_options o)
{
    if (!gi_check(o.site, a, "a") || !gi_check(o.site, b, "b")) return NULL;
    if (o.where || o.dtype != GA_DTYPE_DEFAULT) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "ga_dot takes no option but .out");
    ga_dtype  dtype  = ga_promote(a->dtype, b->dtype);
    ga_array *result = NULL;
    if (a->ndim == 0 || b->ndim == 0) {
        result = (ga_multiply)(gi_operand_arg(a), gi_operand_arg(b), gi_map_site(o.site));
        return gi_finish(o.site, result, dtype, o.out);
    }
    int64_t inner = b->ndim == 1 ? b->shape[0] : b->shape[b->ndim - 2];
    if (a->shape[a->ndim - 1] != inner)
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "shapes %s and %s do not fit: the last axis of a has length %lld, the one of b that it meets %lld",
                                   gi_shape_of(a), gi_shape_of(b), (long long)a->shape[a->ndim - 1], (long long)inner);
    if (b->ndim == 1) return gi_finish(o.site, gi_inner(o.site, a, b, dtype, a->ndim - 1), dtype, o.out);
    if (b->ndim > 2 || a->ndim > 2)
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "shapes %s and %s: b may have one dimension, or both two", gi_shape_of(a), gi_shape_of(b));
    int64_t rows = a->ndim == 2 ? a->shape[0] : 1, cols = b->shape[1], shape[2] = { rows, cols };
    result = gi_new(o.site, dtype, a->device, 2, shape);
    for (int64_t i = 0; result && i < rows; i++) { /* row i: the sum over k of a[i, k] * b[k, :] */
        int64_t   column[2] = { inner, 1 }, strides[2] = { a->strides[a->ndim - 1], 0 };
        char     *from = (char *)a->data + (a->ndim == 2 ? i * a->strides[0] : 0);
        ga_array *row  = gi_new_view(o.site, a, from, a->dtype, 2, column, strides);
        ga_array *sums = row ? gi_inner(o.site, row, b, dtype, 0) : NULL;
        if (sums) memcpy((char *)result->data + i * cols * ga_itemsize(dtype), sums->data, (size_t)(cols * ga_itemsize(dtype)));
        ga_free(row);
        bool ok = sums != NULL;
        ga_free(sums);
        if (!ok) {
            ga_free(result);
            return NULL;
        }
    }
    if (result && a->ndim == 1) {
        ga_array *flat = gi_new_view(o.site, result, result->data, dtype, 1, result->shape + 1, result->strides + 1);
        ga_free(result);
        result = flat;
    }
    return gi_finish(o.site, result, dtype, o.out);
}
