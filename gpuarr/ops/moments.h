/* ---- moments: variance, standard deviation, means without NaN -------------------------------------------------------- */
/*  The tree is that of the sums, of nodes; gi_join_nodes says how two join. Elements are taken relative to the first one of the line. */

typedef struct gi_moments {
    gi_lines             lines;
    gi_moment            what;
    bool                 skip_nan;
    int                  ddof;
    const gi_node_loops *of, *join; /* the loops of the elements, and those of float64 */
    int64_t              blocks, columns, width;
    gi_nodes             nodes; /* of all blocks: those of a line side by side, or of `columns` lines block by block */
    const double        *given; /* what the elements of each line are taken relative to, where their first one is not at hand */
    double              *result;
} gi_moments;

#define GI_NODE_WIDTH 256 /* lines side by side */
#define GI_NODE_STEP  128 /* elements of a line that are made nodes at once */

static gi_nodes gi_nodes_from(const gi_nodes *v, int64_t i)
{
    gi_nodes r = { v->n + i, v->s + i, v->m + i };
    return r;
}

/* What elements are taken relative to, if the first one is x. 0 for means: so that nanmean of an array without NaN is its mean. */
static double gi_moment_origin(gi_moment what, double x) { return what == GI_MEAN || !gi_isfinite_f64(x) ? 0 : x; }

/* The same for n neighbouring lines; `at`, `offset`: as in a panel. */
static void gi_origins(const gi_moments *r, const char *at, int64_t offset, int64_t n, double *origin)
{
    const gi_lines                   *p = &r->lines;
    __attribute__((aligned(64))) char raw[GI_NODE_WIDTH * 16];
    if (at) gi_gather((int)ga_itemsize(p->a->dtype), n, raw, at, n > 1 ? p->kept_strides[p->kept - 1] : 0);
    else gi_make_elements(p, offset, n, raw);
    gi_cast(GA_F64, p->a->dtype, n, origin, raw);
    for (int64_t i = 0; i < n; i++) origin[i] = gi_moment_origin(r->what, origin[i]);
}

/* Folds m nodes into the first. */
static void gi_halve_nodes(const gi_node_loops *loops, int64_t m, const gi_nodes *v)
{
    int64_t h = 1;
    while (h < m) h *= 2;
    for (h /= 2; h > 0; h /= 2) {
        gi_nodes more = gi_nodes_from(v, h);
        if (m <= h) continue;
        loops->join_counted(m - h, v, &more);
        m = h;
    }
}

/* The same of n nodes that hold one element each. At every step there are but two counts, so that loops need no divisions; the last steps are
   too short for that. */
static void gi_halve_single_nodes(const gi_node_loops *loops, int64_t n, const gi_nodes *v)
{
    enum { LEAST = 32 };
    int64_t h = 1;
    while (h < n) h *= 2;
    for (h /= 2; h >= LEAST; h /= 2) {
        const int64_t each = n / (2 * h), more = n % (2 * h); /* so many nodes hold one element more */
        const int64_t split[3] = { 0, more > h ? more - h : more, h };
        for (int k = 0; k < 2; k++) {
            const double a = (double)(each + (split[k] < more)), b = (double)(each + (split[k] + h < more));
            gi_nodes     first = gi_nodes_from(v, split[k]), second = gi_nodes_from(v, split[k] + h);
            if (b > 0) loops->join(split[k + 1] - split[k], &first, &second, a / b, b / gi_mul_f64(a, a + b));
        }
    }
    for (int64_t i = 0; i < LEAST && n > LEAST; i++) v->n[i] = (double)(n / LEAST + (i < n % LEAST));
    gi_halve_nodes(loops, n < LEAST ? n : (int64_t)LEAST, v);
}

/* Folds the GI_NODE_STEP nodes of a block, of eight elements each, into the first; the last steps are too short for a loop. */
static void gi_join_eights(const gi_node_loops *loops, double *s, double *m)
{
    enum { LEAST = 8 };
    const gi_nodes to = { NULL, s, m };
    int            h  = GI_NODE_STEP / 2;
    for (; h >= LEAST; h /= 2) {
        const gi_nodes more = { NULL, s + h, m + h };
        loops->join(h, &to, &more, 1, (double)h / GI_BLOCK);
    }
    for (; h > 0; h /= 2)
        for (int i = 0; i < h; i++) {
            m[i] = m[i] + m[i + h] + gi_spread(s[i] - s[i + h], (double)h / GI_BLOCK);
            s[i] = s[i] + s[i + h];
        }
}

/* The node of n elements, at most a block. `origin` is repeated GI_NODE_STEP times. */
static gi_node gi_block_node(const gi_moments *r, int64_t n, const void *x, const double *origin)
{
    GI_ARENA(double, count, 3 * GI_BLOCK);
    double  *s = count + GI_BLOCK, *m = s + GI_BLOCK;
    gi_nodes v    = { count, s, m };
    int64_t  size = ga_itemsize(r->lines.dtype);
    gi_node  node = { GI_BLOCK, 0, 0 };
    if (n == GI_BLOCK) {
        const void *eighths[8];
        for (int k = 0; k < 8; k++) eighths[k] = (const char *)x + k * GI_NODE_STEP * size;
        r->of->rows(GI_NODE_STEP, &v, eighths, origin);
        gi_join_eights(r->join, s, m);
        node.s = s[0];
        node.m = m[0];
        if (!r->skip_nan || node.s == node.s) return node;
    }
    for (bool skip = n == GI_BLOCK && r->skip_nan;; skip = true) { /* what is NaN is looked for if there is any */
        for (int64_t i = 0; i < n; i += GI_NODE_STEP) {
            gi_nodes part = gi_nodes_from(&v, i);
            r->of->widen(n - i < GI_NODE_STEP ? n - i : GI_NODE_STEP, &part, (const char *)x + i * size, origin, skip);
        }
        if (skip) gi_halve_nodes(r->join, n, &v);
        else gi_halve_single_nodes(r->join, n, &v);
        node.n = count[0];
        node.s = s[0];
        node.m = m[0];
        if (skip || !r->skip_nan || node.s == node.s) return node;
    }
}

/* A unit is a block of a line. */
static void gi_moment_blocks(int64_t begin, int64_t end, void *job)
{
    gi_moments     *r = (gi_moments *)job;
    const gi_lines *p = &r->lines;
    GI_ARENA(double, cast, 3 * GI_BLOCK + GI_NODE_STEP);
    double *raw = cast + GI_BLOCK, *origin = raw + 2 * GI_BLOCK;
    int64_t known = -1;
    bool    far   = gi_lies_far(p);
    int64_t line = begin / r->blocks, start = begin % r->blocks * GI_BLOCK;
    for (int64_t unit = begin; unit < end; unit++) {
        const int64_t n = p->length - start < GI_BLOCK ? p->length - start : GI_BLOCK;
        if (line != known) {
            if (r->given) origin[0] = r->given[line];
            else gi_origins(r, p->maker ? NULL : gi_line_start(p, line), gi_line_offset(p, line), 1, origin);
            for (int i = 1; i < GI_NODE_STEP; i++) origin[i] = origin[0];
            known = line;
        }
        const void *x = gi_read_line(p, line, start, n, raw, cast);
        if (far) gi_lines_load(x, n * ga_itemsize(p->dtype));
        gi_node node     = gi_block_node(r, n, x, origin);
        r->nodes.n[unit] = node.n;
        r->nodes.s[unit] = node.s;
        r->nodes.m[unit] = node.m;
        start += GI_BLOCK;
        if (start < p->length) continue;
        start = 0;
        line++;
    }
}

/* Joins the nodes of a line's blocks, and their results again, until the first one is that of the line. */
static gi_node gi_moment_join_line(const gi_node_loops *loops, const gi_nodes *v, int64_t blocks)
{
    for (int64_t n = blocks; n > 1; n = (n + GI_BLOCK - 1) / GI_BLOCK)
        for (int64_t b = 0; b * GI_BLOCK < n; b++) {
            gi_nodes block = gi_nodes_from(v, b * GI_BLOCK);
            gi_halve_nodes(loops, n - b * GI_BLOCK < GI_BLOCK ? n - b * GI_BLOCK : GI_BLOCK, &block);
            v->n[b] = *block.n;
            v->s[b] = *block.s;
            v->m[b] = *block.m;
        }
    gi_node all = { v->n[0], v->s[0], v->m[0] };
    return all;
}

static void gi_moment_lines(int64_t begin, int64_t end, void *job)
{
    gi_moments *r = (gi_moments *)job;
    for (int64_t line = begin; line < end; line++) {
        gi_nodes v = gi_nodes_from(&r->nodes, line * r->blocks);
        (void)gi_moment_join_line(r->join, &v, r->blocks);
        r->join->value(1, &r->result[line], &v, r->what, r->skip_nan, r->ddof);
    }
}

/* Joins the elements k, k + step, k + 2 step ... of a block of each line of a panel, as gi_fold_rows does. skip_nan: the counts differ from
   line to line. */
static void gi_join_rows(const gi_moments *r, const gi_panel *p, const double *origin, bool skip_nan, int64_t k, int64_t step,
                         const gi_nodes *to, const gi_nodes *more)
{
    int64_t rows = (p->n - k + step - 1) / step;
    if (rows == 1) {
        r->of->widen(p->count, to, gi_read_row(p, k, 0), origin, skip_nan);
    } else if (rows == 8 && !skip_nan) {
        const void *x[8];
        gi_read_rows(p, k, step, 8, x);
        r->of->rows(p->count, to, x, origin);
    } else {
        gi_nodes beyond = gi_nodes_from(more, p->count);
        double   b = (double)(rows / 2), a = (double)rows - b;
        gi_join_rows(r, p, origin, skip_nan, k, 2 * step, to, more);
        gi_join_rows(r, p, origin, skip_nan, k + step, 2 * step, more, &beyond);
        if (skip_nan) r->join->join_counted(p->count, to, more);
        else r->join->join(p->count, to, more, a / b, b / gi_mul_f64(a, a + b));
    }
}

/* A unit is a block of a panel of lines. */
static void gi_moment_panels(int64_t begin, int64_t end, void *job)
{
    gi_moments     *r = (gi_moments *)job;
    const gi_lines *p = &r->lines;
    GI_ARENA(double, count, GI_PANEL_LEVELS *GI_NODE_WIDTH);
    GI_ARENA(double, s, GI_PANEL_LEVELS *GI_NODE_WIDTH);
    GI_ARENA(double, m, GI_PANEL_LEVELS *GI_NODE_WIDTH);
    GI_ARENA(double, origin, GI_NODE_WIDTH);
    GI_ARENA(char, raw, 8 * GI_PANEL_NARROW * 16);
    GI_ARENA(char, cast, 8 * GI_PANEL_CAST);
    GI_ARENA(char, made, p->maker ? 8 * GI_PANEL_BYTES : 0);
    const gi_nodes more = { count, s, m };
    for (int64_t unit = begin; unit < end; unit++) {
        gi_panel v     = gi_panel_block(p, r->columns, r->width, r->blocks, GI_BLOCK, unit);
        int64_t  block = v.start / GI_BLOCK;
        v.raw          = raw;
        v.cast         = cast;
        if (p->maker) gi_panel_make(&v, made);
        int64_t  column = v.first % r->columns, group = v.first - column;
        gi_nodes to  = gi_nodes_from(&r->nodes, group * r->blocks + block * r->columns + column);
        bool     nan = false;
        if (r->given) memcpy(origin, r->given + v.first, (size_t)v.count * sizeof *origin);
        else gi_origins(r, v.at, v.offset, v.count, origin);
        gi_join_rows(r, &v, origin, false, 0, 1, &to, &more);
        for (int64_t i = 0; i < v.count; i++) {
            to.n[i] = (double)v.n;
            nan |= to.s[i] != to.s[i];
        }
        if (r->skip_nan && nan) gi_join_rows(r, &v, origin, true, 0, 1, &to, &more);
    }
}

/* A unit is a panel: joins the nodes of its blocks. */
static void gi_moment_panel_blocks(int64_t begin, int64_t end, void *job)
{
    gi_moments *r = (gi_moments *)job;
    for (int64_t unit = begin; unit < end; unit++) {
        gi_panel p      = gi_panel_of(&r->lines, r->columns, r->width, unit);
        int64_t  column = p.first % r->columns, group = p.first - column;
        gi_nodes v = gi_nodes_from(&r->nodes, group * r->blocks + column);
        for (int64_t n = r->blocks; n > 1; n = (n + GI_BLOCK - 1) / GI_BLOCK)
            for (int64_t b = 0; b * GI_BLOCK < n; b++) {
                int64_t  m = n - b * GI_BLOCK < GI_BLOCK ? n - b * GI_BLOCK : GI_BLOCK, h = 1;
                gi_nodes first = gi_nodes_from(&v, b * GI_BLOCK * r->columns), to = gi_nodes_from(&v, b * r->columns);
                while (h < m) h *= 2;
                for (h /= 2; h > 0; h /= 2)
                    for (int64_t i = 0; i < h && i + h < m; i++) {
                        gi_nodes x = gi_nodes_from(&first, i * r->columns), y = gi_nodes_from(&first, (i + h) * r->columns);
                        r->join->join_counted(p.count, &x, &y);
                    }
                memmove(to.n, first.n, (size_t)p.count * sizeof *to.n);
                memmove(to.s, first.s, (size_t)p.count * sizeof *to.s);
                memmove(to.m, first.m, (size_t)p.count * sizeof *to.m);
            }
        r->join->value(p.count, r->result + p.first, &v, r->what, r->skip_nan, r->ddof);
    }
}

static bool gi_moment_plan(gi_moment what, bool skip_nan, const ga_array *a, const ga_reduce_options *o, gi_moments *r)
{
    ga_dtype dtype = a->dtype == GA_F32 && a->device == GA_CPU ? GA_F32 : GA_F64;
    memset(r, 0, sizeof *r);
    r->what     = what;
    r->skip_nan = skip_nan;
    r->ddof     = o->ddof;
    r->of       = GI_LOOP_OF(nodes)(dtype);
    r->join     = GI_LOOP_OF(nodes)(GA_F64);
    if (!gi_lines_plan(o->site, &r->lines, a, dtype, o->axis, &o->axes, o->keepdims)) return false;
    r->blocks = (r->lines.length + GI_BLOCK - 1) / GI_BLOCK;
    return true;
}

/* The nodes of all blocks. */
static void gi_moment_make_nodes(gi_moments *r)
{
    const gi_lines *p     = &r->lines;
    int64_t         count = p->lines * r->blocks, rows = p->length < GI_BLOCK ? p->length : GI_BLOCK;
    double          bytes = 2 * gi_lines_bytes(p);
    r->columns            = gi_line_columns(p);
    if (r->columns == 1) {
        gi_parallel_bytes(bytes, count, gi_share(count, gi_lines_worth(p, 16384, rows)), gi_moment_blocks, r);
        return;
    }
    r->width       = gi_panel_width(p, r->columns, GI_NODE_WIDTH, r->blocks);
    int64_t panels = gi_count_panels(p->lines, r->columns, r->width);
    gi_parallel_bytes(bytes, panels * r->blocks, gi_share(panels * r->blocks, gi_lines_worth(p, 16384, r->width * rows)),
                      gi_moment_panels, r);
}

/* The moment of each line of a real array, as float64. */
static ga_array *gi_moment_real(gi_moment what, bool skip_nan, const ga_array *a, const ga_reduce_options *o)
{
    gi_moments r;
    if (!gi_moment_plan(what, skip_nan, a, o, &r)) return NULL;
    ga_array *result = gi_array_new(o->site, GA_F64, a->device, r.lines.result_ndim, r.lines.result_shape);
    if (!result) return NULL;
    if (a->device == GA_CUDA) {
        bool ok = r.lines.length > 0 ? gi_gpu->moment(o->site, (int)what, skip_nan, what != GI_MEAN, o->ddof, &r.lines, result)
                                     : gi_fill_empty(o->site, result, 0, true);
        if (ok) return result;
        ga_free(result);
        return NULL;
    }
    const gi_lines *p = &r.lines;
    r.result          = (double *)result->data;
    int64_t count     = p->lines * r.blocks;
    for (int64_t i = 0; i < result->size && r.blocks == 0; i++) r.result[i] = gi_nan_f64();
    if (count == 0) return result;
    r.nodes.n = (double *)gi_mem_alloc(o->site, (size_t)(3 * count) * sizeof(double));
    if (!r.nodes.n) {
        ga_free(result);
        return NULL;
    }
    r.nodes.s = r.nodes.n + count;
    r.nodes.m = r.nodes.s + count;
    gi_moment_make_nodes(&r);
    if (r.columns == 1) {
        gi_parallel_bytes(24 * (double)count, p->lines, 1 + 1024 / r.blocks, gi_moment_lines, &r);
    } else {
        int64_t panels = gi_count_panels(p->lines, r.columns, r.width);
        gi_parallel_bytes(24 * (double)count, panels, 1 + 1024 / (r.width * r.blocks), gi_moment_panel_blocks, &r);
    }
    gi_mem_release(r.nodes.n, (size_t)(3 * count) * sizeof(double));
    return result;
}

static ga_array *gi_moment_of(gi_moment what, bool skip_nan, const char *name, const ga_array *a, ga_reduce_options o)
{
    if (!gi_array_check_half_any(o.site, a, "a")) return NULL;
    if (gi_half_concerns(a, o.dtype)) {
        ga_dtype  half;
        ga_array *wide = gi_half_widen(o.site, a, &o.dtype, &half);
        return gi_half_end(o.site, wide, wide ? gi_moment_of(what, skip_nan, name, wide, o) : NULL, o.out, half);
    }
    if (o.dtype != GA_DTYPE_DEFAULT && !gi_is_float(o.dtype))
        return (ga_array *)gi_fail(o.site, GA_BAD_DTYPE, "%s returns floats: .dtype may be GA_F32 or GA_F64", name);
    if (what == GI_MEAN && o.ddof != 0)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "%s takes no .ddof: that is for ga_std and ga_var", name);
    if (gi_is_complex(a->dtype) && (what == GI_MEAN || skip_nan))
        return (ga_array *)gi_fail(o.site, GA_BAD_DTYPE, "%s does not exist for %s", name, ga_dtype_name(a->dtype));
    ga_dtype  dtype = o.dtype != GA_DTYPE_DEFAULT ? o.dtype : gi_reduce_end_dtype(GI_ENDS_AVERAGE, gi_dtype_real(a->dtype));
    ga_array *result;
    if (gi_dtype_kind(a->dtype) < 2 && what != GI_MEAN) skip_nan = false; /* of ddof elements: infinity, as NumPy */
    if (!skip_nan && a->ndim == 0 && o.axis != GA_AXIS_DEFAULT && gi_axis(o.site, o.axis, 0) < 0) return NULL;
    if (gi_is_deferred(a)) return gi_deferred()->moment(what, skip_nan, name, dtype, a, &o);
    if (!gi_is_complex(a->dtype)) {
        result = gi_moment_real(what, skip_nan, a, &o);
    } else { /* the variance of the real parts and that of the imaginary parts, together */
        ga_dtype  part = gi_dtype_real(a->dtype);
        ga_array *re   = gi_array_new_view(o.site, a, a->data, part, a->ndim, a->shape, a->strides);
        ga_array *im   = gi_array_new_view(o.site, a, (char *)a->data + ga_itemsize(part), part, a->ndim, a->shape, a->strides);
        ga_reduce_options populations = o;
        populations.ddof              = 0;
        ga_array *v                   = re && im ? gi_moment_real(GI_VAR, false, re, &populations) : NULL;
        result                        = v ? gi_moment_real(GI_VAR, false, im, &populations) : NULL;
        double n                      = result && result->size > 0 ? (double)(a->size / result->size) : 0;
        if (result && a->device == GA_CUDA) {
            if (!gi_gpu->join_parts(o.site, (int)what, result, v, n, o.ddof)) {
                ga_free(result);
                result = NULL;
            }
        } else
            for (int64_t i = 0; result && i < result->size; i++)
                ((double *)result->data)[i] =
                    gi_moment_complex(what, ((double *)v->data)[i] + ((double *)result->data)[i], n, o.ddof);
        ga_free(re);
        ga_free(im);
        ga_free(v);
    }
    return gi_copy_finish(o.site, result, dtype, o.out);
}

/* The same, for calls without .where. */
static ga_array *gi_moment_all(gi_moment what, bool skip_nan, const char *name, const ga_array *a, ga_reduce_options o)
{
    return gi_options_reduce(&o) ? gi_moment_of(what, skip_nan, name, a, o) : NULL;
}
/* `mean`: the row for dtypes that have no NaN. */
static ga_array *gi_moment_nanmean(const gi_row *mean, const ga_array *a, ga_reduce_options o)
{
    if (!gi_options_reduce(&o)) return NULL;
    if (gi_array_is_given(a) && a->alive == GI_ALIVE && gi_dtype_kind(a->dtype) < 2 && o.dtype == GA_DTYPE_DEFAULT &&
        o.ddof == 0)
        return gi_reduce_row(mean, a, o);
    return gi_moment_of(GI_MEAN, true, "ga_nanmean", a, o);
}
ga_array *(ga_nanmean)(const ga_array *a, ga_reduce_options o) { return gi_moment_nanmean(gi_row_mean(), a, o); }
ga_array *(ga_nanvar)(const ga_array *a, ga_reduce_options o) { return gi_moment_all(GI_VAR, true, "ga_nanvar", a, o); }
ga_array *(ga_nanstd)(const ga_array *a, ga_reduce_options o) { return gi_moment_all(GI_STD, true, "ga_nanstd", a, o); }
