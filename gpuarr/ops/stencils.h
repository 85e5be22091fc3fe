/* ---- stencils ---------------------------------------------------------------------------------------------------------- */
/*  A formula finds its neighbours through pointers to the rows around its own, so that a row beyond the border is just another row's
    pointer; only where columns lie beyond the border, small copies are read. All is seen as planes of rows of columns; a matrix has
    planes of one row each.

    Where an array is larger than the caches, a pass over it takes several steps. Each unit of it, a box of results, goes along the planes,
    a few at a time: a step follows the one before as closely as its reach allows, so that of each step but the last only a ring of planes is kept. The
    earlier steps compute as many elements around the box as the later ones will need.                                         */

#define GI_STENCIL_CACHE   ((int64_t)384 << 10) /* bytes of the rings of a unit */
#define GI_STENCIL_LARGE   ((int64_t)4 << 20)   /* bytes of arrays for which several steps at once pay */
#define GI_STENCIL_WORK    8192                 /* elements that are worth a thread */
#define GI_STENCIL_SURPLUS 12                   /* of a hundred elements that may be computed twice */
#define GI_STENCIL_PART    512                  /* bytes of a row that are computed at a time, beside those of other planes */
#define GI_STENCIL_STEPS   8                    /* of a pass, at most */
#define GI_STENCIL_PLANES  4                    /* side by side */
#define GI_STENCIL_ENDS    64                   /* columns of a copy */

typedef struct gi_stencil_box {
    int64_t low[3], high[3];
} gi_stencil_box;

typedef struct gi_stencil_line { /* a row of results */
    const char **rows;           /* that the formula sees: their column 0; NULL: constants */
    char        *to;             /* its own column 0 */
} gi_stencil_line;

typedef struct gi_stencil_worker {
    const gi_stencil *s;
    gi_stencil_box    box[GI_STENCIL_STEPS]; /* what each step computes */
    gi_stencil_line   line[GI_STENCIL_PLANES];
    gi_elements       e;
    const void      **at; /* the rows from where a formula starts */
    char             *rings, *outside, *ends, *tile;
    int               beyond;
} gi_stencil_worker;

static void gi_stencil_boxes(gi_stencil_worker *w, const int64_t *first)
{
    const gi_stencil *s = w->s;
    for (int64_t step = 0; step < s->steps; step++)
        for (int d = 0; d < 3; d++) {
            const int64_t more = (s->steps - 1 - step) * s->reach[d], n = s->shape[d];
            int64_t       low = first[d] - more, high = (first[d] + s->unit[d] < n ? first[d] + s->unit[d] : n) + more;
            if (s->border != GA_BORDER_WRAP) {
                if (low < 0) low = 0;
                if (high > n) high = n;
            }
            w->box[step].low[d]  = low;
            w->box[step].high[d] = high;
        }
}

/* Column 0 of a row that a step has made, in its ring. */
static char *gi_stencil_kept(const gi_stencil_worker *w, int64_t step, int64_t plane, int64_t row)
{
    const gi_stencil *s    = w->s;
    const int64_t    *low  = w->box[0].low;
    const int64_t     slot = (step * s->ring + (plane - low[0]) % s->ring) * s->kept + row - low[1];
    return w->rings + (slot * s->pitch - low[2]) * s->size;
}

/* Column 0 of a row that a step reads; NULL: it lies outside, and is constant. */
static const char *gi_stencil_source(const gi_stencil_worker *w, int64_t step, int64_t plane, int64_t row)
{
    const gi_stencil *s = w->s;
    if (step > 0 && s->border == GA_BORDER_WRAP) return gi_stencil_kept(w, step - 1, plane, row);
    plane = gi_border_index(plane, s->shape[0], s->border);
    row   = gi_border_index(row, s->shape[1], s->border);
    if (plane < 0 || row < 0) return NULL;
    if (step > 0) return gi_stencil_kept(w, step - 1, plane, row);
    return s->in + (plane * s->shape[1] + row) * s->shape[2] * s->size;
}

/* The rows that the results of a plane see, and where those go. */
static void gi_stencil_look(gi_stencil_worker *w, int64_t step, int64_t plane, int64_t row, gi_stencil_line *line)
{
    const gi_stencil *s = w->s;
    int64_t           k = 0;
    for (int64_t i = -s->reach[0]; i <= s->reach[0]; i++)
        for (int64_t j = -s->reach[1]; j <= s->reach[1]; j++) line->rows[k++] = gi_stencil_source(w, step, plane + i, row + j);
    line->to = step < s->steps - 1 ? gi_stencil_kept(w, step, plane, row)
                                   : s->out + (plane * s->shape[1] + row) * s->shape[2] * s->size;
}

/* n results from the rows that w->at points at. */
static void gi_stencil_compute(gi_stencil_worker *w, int64_t n, void *to)
{
    w->e.n      = n;
    w->e.result = to;
    w->s->loop(&w->e, w->s->exact);
}

/* Columns whose neighbours may lie beyond the border, from copies. */
static void gi_stencil_ends(gi_stencil_worker *w, const gi_stencil_line *line, int64_t low, int64_t high)
{
    const gi_stencil *s     = w->s;
    const int64_t     reach = s->reach[2], pitch = GI_STENCIL_ENDS + 2 * reach;
    for (int64_t n; low < high; low += n) {
        n = gi_within(high - low, 1, GI_STENCIL_ENDS);
        for (int64_t k = 0; k < s->around; k++) {
            char *copy = w->ends + k * pitch * s->size;
            gi_read_padded(line->rows[k], s->shape[2], 1, s->size, s->border, s->constant, low - reach, n + 2 * reach, copy);
            w->at[k] = copy + reach * s->size;
        }
        gi_stencil_compute(w, n, line->to + low * s->size);
    }
}

/* Columns whose neighbours are there, some at a time for all lines, so that these share what they read in the first cache. */
static void gi_stencil_middle(gi_stencil_worker *w, int lines, int64_t low, int64_t high, bool streamed)
{
    const gi_stencil *s    = w->s;
    const int64_t     part = (lines > 1 ? GI_STENCIL_PART : GI_STREAM_TILE) / s->size;
    gi_ahead          next;
    next.inputs           = 1;
    next.step[0]          = GI_LINE;
    const uintptr_t begin = (uintptr_t)(w->line[0].to + low * s->size);
    int64_t         n     = part - (int64_t)(begin % GI_LINE) / s->size; /* up to the end of a cache line */
    for (; low < high; low += n, n = part) {
        if (n > high - low) n = high - low;
        for (const gi_stencil_line *line = w->line; line < w->line + lines; line++) {
            char *to = line->to + low * s->size;
            for (int64_t k = 0; k < s->around; k++)
                w->at[k] = line->rows[k] ? line->rows[k] + low * s->size : w->outside + s->reach[2] * s->size;
            gi_stencil_compute(w, n, streamed ? w->tile : to);
            next.from[0] = (const char *)w->at[s->around - 1] + n * s->size;
            if (streamed) s->stream(to, w->tile, n * s->size, &next);
        }
    }
}

/* The rows of this number in some planes. */
static void gi_stencil_rows(gi_stencil_worker *w, int64_t step, int64_t plane, int planes, int64_t row)
{
    const gi_stencil *s   = w->s;
    const int64_t     low = w->box[step].low[2], high = w->box[step].high[2];
    const bool        whole = step > 0 && s->border == GA_BORDER_WRAP; /* what lies beyond the border has been computed, too */
    const int64_t     left  = whole ? low : gi_within(gi_round_up(s->reach[2], GI_LINE / s->size), low, high);
    const int64_t     right = whole ? high : gi_within(s->shape[2] - s->reach[2], left, high);
    for (int k = 0; k < planes; k++) {
        gi_stencil_look(w, step, plane + k, row, &w->line[k]);
        gi_stencil_ends(w, &w->line[k], low, left);
        gi_stencil_ends(w, &w->line[k], right, high);
    }
    gi_stencil_middle(w, planes, left, right, s->stream && step == s->steps - 1);
}

static void gi_stencil_unit(gi_stencil_worker *w, const int64_t *first)
{
    const gi_stencil *s = w->s;
    gi_stencil_boxes(w, first);
    const int64_t end = w->box[s->steps - 1].high[0] + (s->steps - 1) * s->reach[0];
    for (int64_t front = w->box[0].low[0]; front < end; front += GI_STENCIL_PLANES)
        for (int64_t step = 0; step < s->steps; step++) {
            const gi_stencil_box *b   = &w->box[step];
            int64_t               low = front - step * s->reach[0], high = low + GI_STENCIL_PLANES;
            if (low < b->low[0]) low = b->low[0];
            if (high > b->high[0]) high = b->high[0];
            for (int64_t row = b->low[1]; row < b->high[1] && low < high; row++)
                gi_stencil_rows(w, step, low, (int)(high - low), row);
        }
}

/* Cuts the scratch memory of a part up, and returns its size; memory NULL: only that. */
static int64_t gi_stencil_scratch(const gi_stencil *s, char *memory, gi_stencil_worker *w)
{
    const int64_t ends    = gi_round_up(s->around * (GI_STENCIL_ENDS + 2 * s->reach[2]) * s->size, GI_LINE);
    const int64_t outside = gi_round_up(GI_STREAM_TILE + 2 * s->reach[2] * s->size, GI_LINE);
    const int64_t table   = gi_round_up(s->around * (int64_t)sizeof(void *), GI_LINE);
    const int64_t rings   = gi_round_up((s->steps - 1) * s->ring * s->kept * s->pitch * s->size, GI_LINE);
    if (memory) {
        w->tile    = memory;
        w->ends    = w->tile + GI_STREAM_TILE;
        w->outside = w->ends + ends;
        w->rings   = w->outside + outside;
        w->at      = (const void **)(void *)(w->rings + rings);
        for (int k = 0; k < GI_STENCIL_PLANES; k++)
            w->line[k].rows = (const char **)(void *)(w->rings + rings + (k + 1) * table);
    }
    return GI_STREAM_TILE + ends + outside + rings + (1 + GI_STENCIL_PLANES) * table;
}

static void gi_stencil_parts(int64_t begin, int64_t end, void *job)
{
    gi_stencil   *s     = (gi_stencil *)job;
    const int64_t units = gi_shape_size(3, s->units);
    for (int64_t part = begin; part < end; part++) {
        gi_stencil_worker w;
        memset(&w, 0, sizeof w);
        w.s = s;
        w.e = s->e;
        gi_stencil_scratch(s, s->scratch + part * s->part_bytes, &w);
        w.e.beyond = &w.beyond;
        w.e.rows   = w.at + s->around / 2;
        if (s->border == GA_BORDER_CONSTANT)
            gi_repeat((int)s->size, GI_STREAM_TILE / s->size + 2 * s->reach[2], w.outside, s->constant);
        for (int64_t unit = units * part / s->parts; unit < units * (part + 1) / s->parts; unit++) {
            int64_t first[3];
            gi_unravel(unit, 3, s->units, first);
            for (int d = 0; d < 3; d++) first[d] *= s->unit[d];
            gi_stencil_unit(&w, first);
        }
        if (w.beyond) __atomic_store_n(&s->beyond, 1, __ATOMIC_RELAXED);
    }
    if (s->stream) gi_stream_end();
}

/* How many of the elements that the steps of a pass compute, in hundredths of the results, belong to another unit, too? */
static int64_t gi_stencil_surplus(const gi_stencil *s)
{
    int64_t surplus = 0;
    for (int d = 1; d < 3; d++)
        if (s->unit[d] < s->shape[d] || s->border == GA_BORDER_WRAP) surplus += 100 * (s->steps - 1) * s->reach[d] / s->unit[d];
    return surplus;
}

/* Cuts a step, or several steps of a large array, into units. */
static void gi_stencil_cut(gi_stencil *s, int64_t steps)
{
    const int64_t rows = s->shape[1] > 1 ? 32 : 1, across = GI_LINE / s->size; /* of a unit; columns are cut into whole lines */
    s->around = (2 * s->reach[0] + 1) * (2 * s->reach[1] + 1);
    s->ring   = 2 * s->reach[0] + GI_STENCIL_PLANES;
    for (s->steps = gi_within(steps, 1, GI_STENCIL_STEPS);; s->steps = (s->steps + 1) / 2) {
        const int64_t room = GI_STENCIL_CACHE / (s->ring * s->steps * s->size); /* for a plane of a unit */
        s->unit[2]         = gi_within(gi_round_up(room / rows, across), across, s->shape[2]);
        s->unit[1]         = gi_within(room / s->unit[2], 1, s->shape[1]);
        if (s->steps == 1 || gi_stencil_surplus(s) <= GI_STENCIL_SURPLUS) break;
    }
    for (int d = 1; d < 3; d++) s->units[d] = (s->shape[d] + s->unit[d] - 1) / s->unit[d];
    const int64_t wanted = (4 * ga_get_num_threads() - 1) / (s->units[1] * s->units[2]) + 1; /* along the planes */
    const int64_t work = GI_STENCIL_WORK / (s->unit[1] * s->unit[2] * s->steps), least = 16 * (s->steps - 1) * s->reach[0];
    s->unit[0]  = gi_within((s->shape[0] + wanted - 1) / wanted, 1 + (work > least ? work : least), s->shape[0]);
    s->units[0] = (s->shape[0] + s->unit[0] - 1) / s->unit[0];
    s->kept     = s->unit[1] + 2 * (s->steps - 1) * s->reach[1];
    s->pitch    = gi_round_up(s->unit[2] + 2 * (s->steps - 1) * s->reach[2], across) + across;
}

/* A pass on the CPU. False with an error. */
static bool gi_cpu_stencil(const char *site, gi_stencil *s)
{
    const int64_t units = gi_shape_size(3, s->units), parts = ga_get_num_threads() == 1 ? 1 : 4 * ga_get_num_threads();
    s->parts      = units < parts ? units : parts;
    s->part_bytes = gi_stencil_scratch(s, NULL, NULL);
    s->scratch    = (char *)gi_mem_alloc(site, (size_t)(s->parts * s->part_bytes));
    if (!s->scratch) return false;
    gi_parallel(s->parts, 1, gi_stencil_parts, s);
    gi_mem_release(s->scratch, (size_t)(s->parts * s->part_bytes));
    return true;
}

/* Takes all steps. `result` and `other`, which is needed for more than one pass, hold as many elements as s->in. */
static bool gi_stencil_steps(const char *site, const ga_stencil_kernel *k, gi_stencil *s, int64_t steps, ga_array *result,
                             ga_array *other)
{
    if (result->device == GA_CUDA) return gi_gpu->stencil_steps(site, k, s, steps, result, other);
    const int64_t most = s->steps;
    bool          done = true;
    for (int64_t left = steps, passes = (steps + most - 1) / most; passes > 0 && done; passes--) {
        s->out   = (char *)(passes % 2 ? result : other)->data;
        s->steps = left < most ? left : most;
        done     = gi_cpu_stencil(site, s) && !s->beyond;
        s->in    = s->out;
        left -= s->steps;
    }
    return done;
}

/* The numbers of a call as the formula takes them. */
static bool gi_stencil_numbers(const char *site, const ga_kernel *k, const ga_arg *in, char (*numbers)[16], void **pointers)
{
    for (int i = 0; i < k->parameters; i++) {
        const ga_dtype dtype = k->parameter[i].dtype;
        char           text[64];
        if (in[i].array || in[i].kind == GA_KIND_ARRAY) {
            gi_fail(site, GA_BAD_ARGUMENT,
                    "operand %d of %s (%s) is an array: only the first may be one, the others are numbers", i + 2, k->name,
                    k->site);
            return false;
        }
        gi_number_text(in[i], text, sizeof text);
        if (!gi_number_fits(in[i], dtype) || !gi_own_takes(in[i], dtype)) {
            gi_fail(site, GA_BAD_ARGUMENT, "the number %s does not fit parameter %s of %s (%s), which is %s", text,
                    k->parameter[i].name, k->name, k->site, ga_dtype_name(dtype));
            return false;
        }
        gi_number_to(in[i], dtype, numbers[i]);
        pointers[i] = numbers[i];
    }
    return true;
}

/* Are the operands and options of a call right? */
static bool gi_stencil_takes(const ga_stencil_kernel *stencil, int n, const ga_arg *in, const ga_stencil_options *o)
{
    const char      *site = o->site;
    const ga_kernel *k    = stencil ? &stencil->kernel : NULL;
    if (!k) gi_fail(site, GA_BAD_ARGUMENT, "the stencil is NULL: give the name that GA_STENCIL was given");
    else if (n != k->parameters + 1)
        gi_fail(site, GA_BAD_ARGUMENT, "%s (%s) takes an array and %d number%s, not %d operand%s", k->name, k->site,
                k->parameters, k->parameters == 1 ? "" : "s", n, n == 1 ? "" : "s");
    else if (!gi_operands_check(site, n, in)) return false;
    else if (!in[0].array && in[0].kind != GA_KIND_ARRAY)
        gi_fail(site, GA_BAD_ARGUMENT, "the first operand of %s (%s) is a number: give the array there", k->name, k->site);
    else if (!gi_array_check_any(site, in[0].array, "the first operand") || (o->out && !gi_array_check(site, o->out, ".out")) ||
             !gi_conv_check_border(site, o->border))
        return false;
    else if (in[0].array->ndim != stencil->ndim)
        gi_fail(site, GA_BAD_SHAPE, "%s (%s) has a reach along %d ax%ss, and the array the shape %s", k->name, k->site,
                stencil->ndim, stencil->ndim == 1 ? "i" : "e", gi_shape_of(in[0].array));
    else if (!gi_own_takes(in[0], k->result.dtype))
        gi_fail(site, GA_BAD_DTYPE, "the array is %s and %s (%s) takes %s: use ga_astype first",
                ga_dtype_name(in[0].array->dtype), k->name, k->site, ga_dtype_name(k->result.dtype));
    else if (o->steps < 1) gi_fail(site, GA_BAD_ARGUMENT, ".steps = %lld: give 1 or more", (long long)o->steps);
    else return gi_dtype_is_stamped(site, k->result.dtype);
    return false;
}

/* The array of a call as planes, rows and columns; the last axis is that of the columns, the first that of the planes. */
static void gi_stencil_shape(const ga_stencil_kernel *k, const ga_array *a, gi_stencil *s)
{
    for (int d = 0; d < 3; d++) s->shape[d] = 1;
    for (int d = 0; d < k->ndim; d++) {
        const int to = d == k->ndim - 1 ? 2 : d;
        s->shape[to] = a->shape[d];
        s->reach[to] = k->reach[d];
    }
}

ga_array *(ga_stencil_n)(const ga_stencil_kernel *k, int n, const ga_arg *operands, ga_stencil_options o)
{
    const char *site = o.site;
    gi_stencil  s;
    char        numbers[GI_MOST_OPERANDS][16];
    memset(&s, 0, sizeof s);
    if (!gi_options_stencil(&o) || !gi_stencil_takes(k, n, operands, &o) ||
        !gi_stencil_numbers(site, &k->kernel, operands + 1, numbers, s.e.operand))
        return NULL;
    const ga_dtype  dtype = k->kernel.result.dtype;
    const ga_array *a = operands[0].array, *both[2] = { a, o.out };
    if (gi_common_device(site, 2, both) == GA_DEVICE_DEFAULT || (o.out && !gi_check_out(site, o.out, dtype, a->ndim, a->shape)))
        return NULL;
    if (a->device == GA_CUDA && !k->kernel.stamp->cuda)
        return (ga_array *)gi_fail(site, GA_BAD_DEVICE, "%s (%s) was compiled by a C compiler: put it into a .cu file",
                                   k->kernel.name, k->kernel.site);
    if (o.border == GA_BORDER_CONSTANT && !gi_option_fits_dtype(site, "cval", o.cval, dtype)) return NULL;
    if (gi_is_deferred(a)) return gi_deferred()->stencil(k, n, operands, &o);
    ga_arg cval;
    memset(&cval, 0, sizeof cval);
    cval.kind = GA_KIND_REAL;
    cval.re   = o.cval;
    gi_number_to(cval, dtype, s.constant);
    gi_stencil_shape(k, a, &s);
    s.loop              = gi_own_loop(k->kernel.stamp);
    s.exact             = gi_has_loop(&k->kernel);
    s.size              = ga_itemsize(dtype);
    s.border            = o.border;
    const int64_t steps = o.steps, bytes = 2 * a->size * s.size; /* in and out */
    if (bytes >= GI_STREAM_FROM) s.stream = GI_LOOP_OF(stream);
    s.steps = a->device == GA_CPU ? steps : 1;
    if (a->size > 0 && a->device == GA_CPU) gi_stencil_cut(&s, bytes < GI_STENCIL_LARGE ? 1 : steps);

    const bool straight = gi_takes_results(o.out, dtype, a->ndim, a->shape, a, a);
    ga_array  *in = gi_copy_contiguous(site, a, dtype), *other = NULL,
             *r = !in        ? NULL
                  : straight ? o.out
                             : gi_array_new(site, dtype, a->device, a->ndim, a->shape);
    bool done   = r != NULL;
    if (done && s.steps < steps) {
        other = gi_array_new(site, dtype, a->device, a->ndim, a->shape);
        done  = other != NULL;
    }
    if (done && a->size > 0) {
        s.in = (const char *)in->data;
        done = gi_stencil_steps(site, k, &s, steps, r, other);
    }
    if (s.beyond)
        gi_fail(site, GA_BAD_ARGUMENT, "%s (%s) reads neighbours beyond its reach of %s: declare a larger one", k->kernel.name,
                k->kernel.site, gi_shape_text(k->ndim, k->reach));
    ga_free(in);
    ga_free(other);
    if (done && !straight) return gi_copy_finish(site, r, dtype, o.out);
    if (!done && !straight) ga_free(r);
    return done ? r : NULL;
}
