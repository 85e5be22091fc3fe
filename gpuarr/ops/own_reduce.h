/* ---- own reductions --------------------------------------------------------------------------------------------------- */
/*  The tree of section >>reductions, on accumulators that only the user's functions know: one makes accumulators of elements side by side,
    one joins rows of them. Each input is a set of lines of its own; all are read in the same order.                             */

enum {
    GI_REDUCING_PART  = 256, /* elements of a line that are brought together from all inputs */
    GI_REDUCING_WIDTH = 1024 /* at most so many lines side by side */
};

/* The accumulators of the elements start ... start + n of a line. */
static void gi_reducing_map_line(const gi_reducing *r, int64_t line, int64_t start, int64_t n, char *accs)
{
    typedef char part[GI_REDUCING_PART * 16];
    GI_ARENA(part, raw, r->k->map.parameters);
    GI_ARENA(part, cast, r->k->map.parameters);
    for (int64_t done = 0; done < n; done += GI_REDUCING_PART) {
        gi_elements e;
        e.n      = n - done < GI_REDUCING_PART ? n - done : (int64_t)GI_REDUCING_PART;
        e.result = accs + done * r->k->acc_bytes;
        e.index  = r->from + start + done;
        e.step   = 1;
        for (int i = 0; i < r->k->map.parameters; i++)
            e.operand[i] = (void *)gi_read_line(&r->in[i], line, start + done, e.n, raw[i], cast[i]);
        r->map(&e, false);
    }
}

/* Folds n accumulators, `next` bytes apart, or rows of as many, into the first. */
static void gi_reducing_halve(const gi_reducing *r, int64_t n, char *accs, int64_t next, int64_t columns)
{
    int64_t h = 1;
    while (h < n) h *= 2;
    for (h /= 2; h > 0; n = h, h /= 2) {
        if (columns == 0) r->join(n - h, accs, accs + h * next); /* they lie side by side */
        else
            for (int64_t i = 0; i < n - h; i++) r->join(columns, accs + i * next, accs + (i + h) * next);
    }
}

/* The same for any number of them: block by block, and the results again. */
static void gi_reducing_fold_blocks(const gi_reducing *r, int64_t blocks, char *accs, int64_t next, int64_t columns)
{
    size_t bytes = (size_t)(r->k->acc_bytes * (columns ? columns : 1));
    for (int64_t n = blocks; n > 1; n = (n + GI_BLOCK - 1) / GI_BLOCK)
        for (int64_t b = 0; b * GI_BLOCK < n; b++) {
            char *first = accs + b * GI_BLOCK * next;
            gi_reducing_halve(r, n - b * GI_BLOCK < GI_BLOCK ? n - b * GI_BLOCK : GI_BLOCK, first, next, columns);
            memmove(accs + b * next, first, bytes);
        }
}

/* A unit is a block of a line. */
static void gi_reducing_blocks(int64_t begin, int64_t end, void *job)
{
    gi_reducing *r    = (gi_reducing *)job;
    int64_t      size = r->k->acc_bytes;
    GI_ARENA(char, accs, GI_BLOCK *size);
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t line = unit / r->blocks, start = unit % r->blocks * GI_BLOCK;
        int64_t n = r->length - start < GI_BLOCK ? r->length - start : GI_BLOCK;
        gi_reducing_map_line(r, line, start, n, accs);
        gi_reducing_halve(r, n, accs, size, 0);
        if (r->accs) memcpy(r->accs + unit * size, accs, (size_t)size);
        else r->k->finish(1, r->result + line * ga_itemsize(r->k->result), accs, r->length);
    }
}

static void gi_reducing_lines(int64_t begin, int64_t end, void *job)
{
    gi_reducing *r    = (gi_reducing *)job;
    int64_t      size = r->k->acc_bytes;
    for (int64_t line = begin; line < end; line++) {
        char *accs = r->accs + line * r->blocks * size;
        gi_reducing_fold_blocks(r, r->blocks, accs, size, 0);
        r->k->finish(1, r->result + line * ga_itemsize(r->k->result), accs, r->length);
    }
}

/* Folds the elements k, k + step, k + 2 step ... of the block of each line of a panel, as gi_fold_rows does. */
static void gi_reducing_rows(const gi_reducing *r, const gi_panel *s, int64_t k, int64_t step, char *accs, char *more)
{
    if (k + step >= s->n) {
        gi_elements e;
        e.n      = s->count;
        e.result = accs;
        e.index  = s->start + k;
        e.step   = 0;
        for (int i = 0; i < r->k->map.parameters; i++) e.operand[i] = (void *)gi_read_row(&s[i], k, 0);
        r->map(&e, false);
        return;
    }
    gi_reducing_rows(r, s, k, 2 * step, accs, more);
    gi_reducing_rows(r, s, k + step, 2 * step, more, more + s->count * r->k->acc_bytes);
    r->join(s->count, accs, more);
}

/* A unit is a block of a panel of lines side by side; accumulators lie as in gi_reduce_panels. */
static void gi_reducing_panels(int64_t begin, int64_t end, void *job)
{
    gi_reducing *r    = (gi_reducing *)job;
    int64_t      size = r->k->acc_bytes;
    typedef char row[GI_PANEL_NARROW * 16], converted[GI_PANEL_CAST];
    GI_ARENA(char, room, GI_PANEL_LEVELS *GI_PANEL_BYTES);
    GI_ARENA(row, raw, r->k->map.parameters);
    GI_ARENA(converted, cast, r->k->map.parameters);
    for (int64_t unit = begin; unit < end; unit++) {
        gi_panel s[GPUARR_MAX_INPUTS];
        for (int i = 0; i < r->k->map.parameters; i++) {
            s[i]      = gi_panel_block(&r->in[i], r->columns, r->width, r->blocks, GI_BLOCK, unit);
            s[i].raw  = raw[i];
            s[i].cast = cast[i];
        }
        int64_t column = s[0].first % r->columns, group = s[0].first - column, block = s[0].start / GI_BLOCK;
        char   *accs = r->accs ? r->accs + (group * r->blocks + block * r->columns + column) * size : room;
        gi_reducing_rows(r, s, 0, 1, accs, room + s[0].count * size);
        if (!r->accs) r->k->finish(s[0].count, r->result + s[0].first * ga_itemsize(r->k->result), accs, r->length);
    }
}

/* A unit is a panel: folds the accumulators of its blocks. */
static void gi_reducing_panel_blocks(int64_t begin, int64_t end, void *job)
{
    gi_reducing *r    = (gi_reducing *)job;
    int64_t      size = r->k->acc_bytes;
    for (int64_t unit = begin; unit < end; unit++) {
        gi_panel s      = gi_panel_of(&r->in[0], r->columns, r->width, unit);
        int64_t  column = s.first % r->columns;
        char    *accs   = r->accs + ((s.first - column) * r->blocks + column) * size;
        gi_reducing_fold_blocks(r, r->blocks, accs, r->columns * size, s.count);
        r->k->finish(s.count, r->result + s.first * ga_itemsize(r->k->result), accs, r->length);
    }
}

/* Elements of an input that are not repeated by broadcasting. */
static int64_t gi_reducing_elements(const gi_lines *p)
{
    int64_t n = 1;
    for (int d = 0; d < p->kept; d++) n *= p->kept_strides[d] ? p->kept_shape[d] : 1;
    for (int d = 0; d < p->reduced; d++) n *= p->strides[d] ? p->shape[d] : 1;
    return n;
}

/* How many lines lie beside each other in all inputs? 1 if the largest one is better read line by line. */
static int64_t gi_reducing_columns(const gi_reducing *r)
{
    const gi_lines *largest = &r->in[0];
    int64_t         columns = INT64_MAX;
    for (int i = 0; i < r->k->map.parameters; i++) {
        const gi_lines *p = &r->in[i];
        if (p->kept == 0) return 1;
        if (p->kept_shape[p->kept - 1] < columns) columns = p->kept_shape[p->kept - 1];
        if (gi_reducing_elements(p) > gi_reducing_elements(largest)) largest = p;
    }
    return gi_line_columns(largest) > 1 ? columns : 1;
}

/* Folds lines that are not empty into r->result. False: no memory. */
static bool gi_reducing_reduce(const char *site, gi_reducing *r)
{
    int64_t size = r->k->acc_bytes, rows = r->length < GI_BLOCK ? r->length : GI_BLOCK;
    size_t  bytes = 0;
    r->blocks     = (r->length + GI_BLOCK - 1) / GI_BLOCK;
    r->columns    = gi_reducing_columns(r);
    if (r->blocks > 1) {
        bytes   = (size_t)(r->lines * r->blocks * size);
        r->accs = (char *)gi_mem_alloc(site, bytes);
        if (!r->accs) return false;
    }
    if (r->columns == 1) {
        gi_parallel(r->lines * r->blocks, 1 + 32768 / rows, gi_reducing_blocks, r);
        if (r->accs) gi_parallel(r->lines, 1 + 4096 / r->blocks, gi_reducing_lines, r);
    } else {
        r->width = GI_PANEL_BYTES / size < GI_REDUCING_WIDTH ? GI_PANEL_BYTES / size : (int64_t)GI_REDUCING_WIDTH;
        for (int i = 0; i < r->k->map.parameters; i++) r->width = gi_panel_width(&r->in[i], r->columns, r->width, r->blocks);
        int64_t panels = gi_count_panels(r->lines, r->columns, r->width);
        gi_parallel(panels * r->blocks, 1 + 32768 / (r->width * rows), gi_reducing_panels, r);
        if (r->accs) gi_parallel(panels, 1 + 4096 / (r->width * r->blocks), gi_reducing_panel_blocks, r);
    }
    if (r->accs) gi_mem_release(r->accs, bytes);
    return true;
}

/* What lines without elements give: the start, finished. */
static bool gi_reducing_empty(const char *site, const ga_reduction *k, ga_array *result)
{
    __attribute__((aligned(64))) char acc[GPUARR_MAX_ACCUMULATOR], element[16];
    k->start(acc);
    k->finish(1, element, acc, 0);
    if (result->device == GA_CUDA) return gi_gpu->fill(site, result, element);
    gi_repeat((int)ga_itemsize(k->result), result->size, result->data, element);
    return true;
}

/* Operand i as an array of its parameter's dtype, broadcast to a shape: a view of it or of a copy, which *copy is then. */
static ga_array *gi_reducing_input(const char *site, ga_arg v, ga_dtype dtype, ga_device device, int ndim, const int64_t *shape,
                                   ga_array **copy)
{
    int64_t         strides[GPUARR_MAX_DIMS];
    const ga_array *a = v.array;
    if (!a) { /* a number */
        char element[16];
        a = *copy = gi_array_new(site, dtype, device, 0, NULL);
        if (!a) return NULL;
        gi_number_to(v, dtype, element);
        if (device == GA_CUDA && !gi_gpu->fill(site, *copy, element)) return NULL;
        if (device == GA_CPU) memcpy(a->data, element, (size_t)ga_itemsize(dtype));
    }
    if (device == GA_CUDA && a->dtype != dtype) { /* no casts on the way there */
        a = *copy = gi_copy_convert(site, a, dtype);
        if (!a) return NULL;
    }
    gi_shape_broadcast_strides(a, ndim, shape, strides);
    return gi_array_new_view(site, a, a->data, a->dtype, ndim, shape, strides);
}

/* Of the reductions of GA_REDUCTION_T, the one whose T holds the operands, and what its parameters are. False with an error. */
static bool gi_reducing_choose(const char *site, const ga_reduction *k, const ga_arg *in, gi_reducing *r)
{
    ga_arg generic[GPUARR_MAX_INPUTS];
    int    generics = 0;
    for (int i = 0; i < k->map.parameters; i++)
        if (k->map.parameter[i].dtype == GA_DTYPE_DEFAULT) generic[generics++] = in[i];
    const gi_stamp *stamp = gi_own_stamp(&k->map, generics, generic);
    if (!stamp)
        return gi_fail(site, GA_BAD_DTYPE, "%s (%s) does not exist for %s", k->map.name, k->map.site,
                       ga_dtype_name(gi_common_dtype(generics, generic))),
               false;
    r->k   = k + (stamp - k->map.stamp);
    r->map = gi_own_loop(stamp);
    for (int i = 0; i < k->map.parameters; i++) {
        const ga_dtype dtype = k->map.parameter[i].dtype;
        r->dtype[i]          = dtype != GA_DTYPE_DEFAULT ? dtype : stamp->dtype;
    }
    return true;
}

/* Checks the operands, chooses a reduction for them, and finds their common shape. False with an error. */
static bool gi_reducing_check(const ga_reduction *k, int n, const ga_arg *in, const ga_reduce_options *o, gi_reducing *r,
                              int *ndim, int64_t *shape)
{
    if (!k) return gi_fail(o->site, GA_BAD_ARGUMENT, "the reduction is NULL: give the name that GA_REDUCTION was given"), false;
    const char *site = o->site, *name = k->map.name;
    *ndim = 0;
    if (k->map.parameters > GPUARR_MAX_INPUTS)
        return gi_fail(site, GA_BAD_ARGUMENT, "%s (%s) has more than %d operands", name, k->map.site, GPUARR_MAX_INPUTS), false;
    if (n != k->map.parameters)
        return gi_fail(site, GA_BAD_ARGUMENT, "%s takes %d operand%s, not %d", name, k->map.parameters,
                       k->map.parameters == 1 ? "" : "s", n),
               false;
    if (!gi_reducing_choose(site, k, in, r)) return false;
    if (o->dtype != GA_DTYPE_DEFAULT)
        return gi_fail(site, GA_BAD_DTYPE, "%s takes no .dtype: its definition says %s; convert the result with ga_astype",
                       name, ga_dtype_name(r->k->result)),
               false;
    if (o->ddof != 0) return gi_fail(site, GA_BAD_ARGUMENT, "%s takes no .ddof: that is for ga_std and ga_var", name), false;
    for (int i = 0; i < n; i++) {
        const ga_array *a = in[i].array, *before = NULL;
        ga_dtype        wanted = r->dtype[i], given = a ? a->dtype : gi_number_dtype(in[i]);
        char            text[64];
        if (!gi_own_takes(in[i], wanted))
            return gi_fail(site, GA_BAD_DTYPE, "%s takes %s as %s, and operand %d is %s: use ga_astype first", name,
                           ga_dtype_name(wanted), k->map.parameter[i].name, i + 1, ga_dtype_name(given)),
                   false;
        if (!a && !gi_number_fits(in[i], wanted)) {
            gi_number_text(in[i], text, sizeof text);
            return gi_fail(site, GA_BAD_ARGUMENT, "the number %s does not fit parameter %s of %s, which is %s", text,
                           k->map.parameter[i].name, name, ga_dtype_name(wanted)),
                   false;
        }
        if (!a) continue;
        for (int b = 0; b < i && !before; b++) before = in[b].array;
        if (!gi_shape_broadcast(ndim, shape, a->ndim, a->shape))
            return gi_fail(site, GA_BAD_SHAPE,
                           "shapes %s and %s do not broadcast: lengths must be equal or 1, counted from the last axis",
                           gi_shape_of(before ? before : a), gi_shape_of(a)),
                   false;
    }
    return gi_count_elements(site, GA_U8, *ndim, shape) >= 0; /* no array has this shape */
}

ga_array *(ga_reduce_n)(const ga_reduction *k, int n, const ga_arg *in, ga_reduce_options o)
{
    gi_reducing     r;
    ga_array       *views[GPUARR_MAX_INPUTS] = { NULL }, *copies[GPUARR_MAX_INPUTS] = { NULL }, *result = NULL;
    const ga_array *arrays[GPUARR_MAX_INPUTS + 1] = { NULL };
    int             ndim;
    int64_t         shape[GPUARR_MAX_DIMS];
    if (!gi_operands_check(o.site, n, in)) return NULL;
    if (!gi_options_reduce(&o)) return NULL;
    if (o.out && !gi_array_check(o.site, o.out, ".out")) return NULL;
    const ga_reduction *asked = k;
    memset(&r, 0, sizeof r);
    if (!gi_reducing_check(k, n, in, &o, &r, &ndim, shape)) return NULL;
    k = r.k;
    for (int i = 0; i < n; i++) arrays[i] = in[i].array;
    arrays[n]        = o.out;
    ga_device device = gi_common_device(o.site, n + 1, arrays);
    if (device == GA_DEVICE_DEFAULT) return NULL;
    if (device == GA_CUDA && !k->cuda)
        return (ga_array *)gi_fail(o.site, GA_BAD_DEVICE, "%s (%s) was compiled by a C compiler: put it into a .cu file",
                                   k->map.name, k->map.site);
    for (int isa = (int)gi_cpu_isa() - GI_ISA_BASELINE; isa >= 0 && !r.join; isa--) r.join = k->join[isa];
    for (int i = 0; i < n; i++)
        if (arrays[i] && gi_is_deferred(arrays[i])) return gi_deferred()->reduce(asked, &r, n, in, &o, ndim, shape);
    bool ok = true;
    for (int i = 0; i < n && ok; i++) {
        views[i] = gi_reducing_input(o.site, in[i], r.dtype[i], device, ndim, shape, &copies[i]);
        ok       = views[i] && gi_lines_plan(o.site, &r.in[i], views[i], r.dtype[i], o.axis, &o.axes, o.keepdims);
    }
    if (ok) result = gi_array_new(o.site, k->result, device, r.in[0].result_ndim, r.in[0].result_shape);
    if (result) {
        r.lines  = r.in[0].lines;
        r.length = r.in[0].length;
        r.result = (char *)result->data;
        ok       = r.length == 0       ? gi_reducing_empty(o.site, k, result)
                   : r.lines == 0      ? true
                   : device == GA_CUDA ? gi_gpu->reduce_own(o.site, &r, result)
                                       : gi_reducing_reduce(o.site, &r);
        if (!ok) {
            ga_free(result);
            result = NULL;
        }
    }
    for (int i = 0; i < n; i++) {
        ga_free(views[i]);
        ga_free(copies[i]);
    }
    return gi_copy_finish(o.site, result, k->result, o.out);
}
