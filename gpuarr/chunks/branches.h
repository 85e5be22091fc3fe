/* ---- parts of long lines ---- */

/* What is known of a branch of a line's tree: GI_LONGEST_LINE elements, or the rest. */
typedef struct gi_fold_part {
    gi_node                           moment;
    int64_t                           place;               /* -1: nothing but NaN */
    __attribute__((aligned(16))) char value[GI_ACC_BYTES]; /* the accumulator, or the extreme */
} gi_fold_part;

/* A branch in the making: the accumulators, or the nodes, of its blocks. */
typedef struct gi_branch {
    const gi_fold_plan *plan;
    ga_dtype            dtype;  /* of the elements */
    double              origin; /* of moments: what elements are taken relative to */
    char               *blocks;
    gi_fold_part        part;
} gi_branch;

#define GI_BRANCH_BYTES ((size_t)(GI_LONGEST_LINE / GI_BLOCK) * 3 * sizeof(double))

static ga_reduce_options gi_whole_line(const gi_fold_plan *p)
{
    ga_reduce_options o = p->o;
    o.keepdims          = false;
    o.axis              = 0;
    o.axes.ndim         = -1;
    return o;
}

static gi_nodes gi_branch_nodes(const gi_branch *b, int64_t from)
{
    double  *n = (double *)(void *)b->blocks;
    gi_nodes v = { n + from, n + GI_BLOCK + from, n + 2 * GI_BLOCK + from };
    return v;
}

/* What is better than what, for gi_search_is_better. */
static gi_search gi_search_of(const gi_fold_plan *p, ga_dtype dtype)
{
    gi_search r;
    memset(&r, 0, sizeof r);
    r.largest     = p->row->op == GA_OP_max || p->row->op == GA_OP_nanmax;
    r.skip_nan    = p->skip_nan;
    r.lines.dtype = dtype;
    return r;
}

/* Copies the first element of what was pulled. Takes that over (NULL is passed on). */
static bool gi_put_first(ga_array *pulled, void *element)
{
    ga_array *host = pulled ? gi_copy_on_cpu(NULL, pulled) : NULL;
    if (host) memcpy(element, host->data, (size_t)ga_itemsize(host->dtype));
    ga_free(pulled);
    ga_free(host);
    return host != NULL;
}

/* Can a branch add elements on the GPU, or are they to be brought to the CPU for that? */
static bool gi_adds_on_gpu(const gi_branch *b)
{
    const gi_fold_plan *p = b->plan;
    ga_array            one; /* of which only the dtype matters */
    gi_reduction        r;
    const gi_row       *row = p->row;
    ga_reduce_options   o   = gi_whole_line(p);
    if (!gi_gpu) return false;
    memset(&one, 0, sizeof one);
    one.dtype  = b->dtype;
    one.device = GA_CPU;
    one.size   = 1;
    if (p->sort == GI_FOLD_ROW && gi_reduce_plan(&row, p->name, &one, &o, &r))
        return gi_gpu->acc_bytes(row->op, b->dtype, r.lines.dtype) == r.fold.acc_bytes;
    return p->sort == GI_FOLD_PLACE;
}

/* Adds the packed elements x, the next ones of the branch; `at` is the number of the first one in the branch, a multiple of GI_BLOCK,
   and `first` that in the line. */
static bool gi_branch_add(gi_branch *b, const ga_array *x, int64_t at, int64_t first)
{
    const gi_fold_plan *p = b->plan;
    ga_reduce_options   o = gi_whole_line(p);
    if (p->sort == GI_FOLD_ROW) {
        gi_reduction  r;
        const gi_row *row = p->row;
        if (!gi_reduce_plan(&row, p->name, x, &o, &r)) return false;
        r.blocks = (x->size + GI_BLOCK - 1) / GI_BLOCK;
        r.accs   = b->blocks + at / GI_BLOCK * r.fold.acc_bytes;
        if (x->device == GA_CUDA) return gi_gpu->block_accs(o.site, row->op, &r.lines, r.accs);
        gi_reduce_blocks(0, r.blocks, &r);
        return true;
    }
    if (p->sort == GI_FOLD_MOMENT) {
        gi_moments r;
        if (!gi_moment_plan(p->what, p->skip_nan, x, &o, &r)) return false;
        r.nodes = gi_branch_nodes(b, at / GI_BLOCK);
        r.given = &b->origin;
        gi_moment_blocks(0, r.blocks, &r);
        return true;
    }
    if (p->skip_nan) { /* nothing but NaN is no error in a part */
        ga_array *extreme = gi_reduce_row(p->row, x, o);
        bool      none = false, ok = gi_put_first(extreme ? (ga_isnan)(extreme, gi_map_site(o.site)) : NULL, &none);
        ga_free(extreme);
        if (!ok || none) return ok;
    }
    gi_search r = gi_search_of(p, b->dtype);
    int64_t   i;
    char      value[16];
    if (!gi_put_first(gi_search_extreme(p->row, gi_row_less_equal(), p->name, p->skip_nan, x, o), &i) ||
        !gi_put_first(gi_view_part(o.site, x, 0, i, 1), value))
        return false;
    if (b->part.place < 0 || gi_search_is_better(&r, value, b->part.value)) {
        b->part.place = first + i;
        memcpy(b->part.value, value, (size_t)ga_itemsize(b->dtype));
    }
    return true;
}

/* Folds the blocks of a branch of n elements. */
static bool gi_branch_end(gi_branch *b, int64_t n)
{
    const gi_fold_plan *p      = b->plan;
    ga_reduce_options   o      = gi_whole_line(p);
    int64_t             blocks = (n + GI_BLOCK - 1) / GI_BLOCK;
    ga_array            one; /* of which only the dtype matters */
    memset(&one, 0, sizeof one);
    one.dtype  = b->dtype;
    one.device = GA_CPU;
    one.size   = 1;
    if (p->sort == GI_FOLD_ROW) {
        gi_reduction  r;
        const gi_row *row = p->row;
        if (!gi_reduce_plan(&row, p->name, &one, &o, &r)) return false;
        gi_reduce_fold_blocks(r.fold.halve, r.fold.acc_bytes, b->blocks, blocks);
        memcpy(b->part.value, b->blocks, (size_t)r.fold.acc_bytes);
    } else if (p->sort == GI_FOLD_MOMENT) {
        gi_nodes v     = gi_branch_nodes(b, 0);
        b->part.moment = gi_moment_join_line(GI_LOOP_OF(nodes)(GA_F64), &v, blocks);
    }
    return true;
}

/* Joins the parts of a line into its result, one element of the node's dtype. */
static bool gi_join_parts(const gi_fold_plan *p, ga_dtype from, ga_dtype to, gi_fold_part *part, int64_t parts, int64_t length,
                          void *result)
{
    ga_reduce_options o = gi_whole_line(p);
    double            element[2];
    ga_array          one;
    memset(&one, 0, sizeof one);
    one.dtype  = from;
    one.device = GA_CPU;
    one.size   = 1;
    if (p->sort == GI_FOLD_PLACE) {
        gi_search r    = gi_search_of(p, from);
        int64_t   best = -1;
        for (int64_t k = 0; k < parts; k++)
            if (part[k].place >= 0 && (best < 0 || gi_search_is_better(&r, part[k].value, part[best].value))) best = k;
        if (best < 0)
            return gi_fail(o.site, GA_BAD_ARGUMENT, "%s of nothing but NaN: there is no index to return", p->name) != NULL;
        memcpy(result, &part[best].place, sizeof(int64_t));
        return true;
    }
    if (p->sort == GI_FOLD_MOMENT) {
        double *lists = (double *)gi_mem_alloc(o.site, (size_t)(3 * parts) * sizeof(double));
        if (!lists) return false;
        gi_nodes v = { lists, lists + parts, lists + 2 * parts };
        for (int64_t k = 0; k < parts; k++) {
            v.n[k] = part[k].moment.n;
            v.s[k] = part[k].moment.s;
            v.m[k] = part[k].moment.m;
        }
        (void)gi_moment_join_line(GI_LOOP_OF(nodes)(GA_F64), &v, parts);
        GI_LOOP_OF(nodes)(GA_F64)->value(1, element, &v, p->what, p->skip_nan, p->o.ddof);
        gi_mem_release(lists, (size_t)(3 * parts) * sizeof(double));
        gi_cast(to, GA_F64, 1, result, element);
        return true;
    }
    gi_reduction  r;
    const gi_row *row = p->row;
    if (!gi_reduce_plan(&row, p->name, &one, &o, &r)) return false;
    char *accs = (char *)part; /* packed where the parts are: an accumulator is shorter than a part */
    for (int64_t k = 0; k < parts; k++) memmove(accs + k * r.fold.acc_bytes, part[k].value, (size_t)r.fold.acc_bytes);
    gi_reduce_fold_blocks(r.fold.halve, r.fold.acc_bytes, accs, parts);
    r.fold.end(1, element, accs, length);
    gi_cast(to, gi_reduce_end_dtype(p->row->ends, r.lines.dtype), 1, result, element);
    return true;
}
