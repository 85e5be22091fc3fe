/* ---- cumsum, cumprod --------------------------------------------------------------------------------------------- */
/*  The documented tree of running sums, which a GPU follows with the same bits. A line is cut into blocks of 1024
    from its start. In a block, for d = 1, 2, 4 ... 512, x[i] is joined with x[i - d] for all i >= d at once (Hillis
    and Steele). The last ones of the blocks are a line that is treated in the same way; then each block is joined
    with what came before it. All this in the wide type of sums; a result is rounded once. Long lines are gone through
    twice, first for the last ones of the blocks alone. */

typedef struct gi_scan_job {
    gi_lines  lines, out; /* read as lines.dtype, made `wide`, written as the dtype of out */
    ga_dtype  wide;
    bool      product;
    gi_kernel join;           /* of `wide` */
    int64_t   blocks;         /* of a line */
    int64_t   columns, width; /* of lines side by side: beside each other, at once */
    bool      whole;          /* a unit is a line, or a panel of lines, and not a block of it */
    bool      ends_only;      /* write the last one of each block to ends, nothing else */
    char     *ends;           /* (lines, blocks - 1) of the wide type; in the second round what precedes each next block */
} gi_scan_job;

#define GI_SCAN_WIDTH 24 /* lines side by side: three cache lines of float64 (the room for a block twice fits GI_ARENA_ROOM), */
#define GI_SCAN_SHORT 6144   /* or of short ones so many elements of 8 bytes in all, */
#define GI_SCAN_LINES 256    /* but no more lines; */
#define GI_SCAN_ROW   512    /* or so many integers */
#define GI_SCAN_LONG  262144 /* elements of a line of integers that threads share */

/* The running sums or products of n integers, `step` bytes apart, after what came before, which is NULL or one; they wrap, the same in any
   order. */
static void gi_scan_integers(bool product, int64_t n, const char *x, int64_t step, const void *before, void *out)
{
    uint64_t *to   = (uint64_t *)out;
    uint64_t  last = before ? *(const uint64_t *)before : product; /* it stays in a register */
    int64_t   i    = 0;
    for (; i + 2 <= n && product; i += 2) { /* two at once: a product waits for the one before */
        const uint64_t first = *(const uint64_t *)(const void *)(x + i * step),
                       both  = first * *(const uint64_t *)(const void *)(x + (i + 1) * step);
        to[i]                = last * first;
        to[i + 1]            = last *= both;
    }
    if (product)
        for (; i < n; i++) to[i] = last *= *(const uint64_t *)(const void *)(x + i * step);
    else
        for (; i < n; i++) to[i] = last += *(const uint64_t *)(const void *)(x + i * step);
}

/* The last of 1024 alone. */
static uint64_t gi_last_of_integers(bool product, const void *in)
{
    const uint64_t *x       = (const uint64_t *)in;
    uint64_t        part[4] = { product, product, product, product };
    for (int64_t i = 0; i < GI_BLOCK; i += 4)
        for (int k = 0; k < 4; k++) part[k] = product ? part[k] * x[i + k] : part[k] + x[i + k];
    return product ? part[0] * part[1] * (part[2] * part[3]) : part[0] + part[1] + (part[2] + part[3]);
}

/* n <= 1024 rows of wide elements at x, which may be a. Returns where the result is: at a, at b, or at x itself. */
static const char *gi_scan_block(const gi_scan_job *j, int64_t n, int64_t columns, const char *x, char *a, char *b)
{
    int64_t row = columns * ga_itemsize(j->wide);
    if (j->wide == GA_F64)
        return (const char *)GI_LOOP_OF(scans)(GA_F64)->block(j->product, n, columns, (const double *)(const void *)x,
                                                              (double *)(void *)a, (double *)(void *)b);
    for (int64_t d = 1; d < n; d *= 2) {
        char *to = x == a ? b : a;
        memcpy(to, x, (size_t)(d * row));
        j->join((n - d) * columns, to + d * row, x + d * row, x, NULL);
        x = to;
    }
    return x;
}

/* What the last of 1024 rows becomes, written over the first row of a; x may be a, b has room for as many. */
static void gi_last_of_block(const gi_scan_job *j, int64_t columns, const char *x, char *a, char *b)
{
    int64_t width = ga_itemsize(j->wide), row = columns * width;
    if (j->wide == GA_F64) {
        GI_LOOP_OF(scans)(GA_F64)->last(j->product, columns, (const double *)(const void *)x, (double *)(void *)a);
        return;
    }
    for (int64_t n = GI_BLOCK / 2; n > 0; n /= 2, x = a) {
        for (int64_t i = 0; i < n; i++) {
            memcpy(a + i * row, x + 2 * i * row, (size_t)row);
            memcpy(b + i * row, x + (2 * i + 1) * row, (size_t)row);
        }
        j->join(n * columns, a, b, a, NULL);
    }
}

/* Writes n rows where they belong, each joined with `before` if there is one. a and b: x is one of them, or neither. */
static void gi_write_scanned(const gi_scan_job *j, int64_t n, int64_t columns, const char *x, const char *before, char *a,
                             char *b, char *to, int64_t along, int64_t across)
{
    const ga_array      *out   = j->out.a;
    int64_t              width = ga_itemsize(j->wide), row = columns * width, size = ga_itemsize(out->dtype);
    char                *spare  = x == a ? b : a;
    bool                 floats = j->wide == GA_F64 && gi_is_float(out->dtype);
    const gi_scan_loops *loops  = GI_LOOP_OF(scans)(out->dtype);
    if (floats && columns == 1 && along == size) {
        loops->finish(j->product, n, to, (const double *)(const void *)before, false, (const double *)(const void *)x);
        return;
    }
    if (floats && across == size) {
        int64_t several = 1; /* rows at once, where they lie one behind the other */
        if (along == columns * size) several = before ? GI_SCAN_ROW / columns : n;
        if (before && several > 1) {
            gi_repeat((int)row, several < n ? several : n, spare, before);
            before = spare;
        }
        for (int64_t i = 0; i < n; i += several)
            loops->finish(j->product, (n - i < several ? n - i : several) * columns, to + i * along,
                          (const double *)(const void *)before, true, (const double *)(const void *)(x + i * row));
        return;
    }
    if (before) {
        gi_repeat((int)row, n, spare, before);
        j->join(n * columns, spare, spare, x, NULL);
        x     = spare;
        spare = x == a ? b : a;
    }
    if (out->dtype != j->wide) {
        gi_cast(out->dtype, j->wide, n * columns, spare, x);
        x = spare;
    }
    if (columns == 1) gi_scatter((int)size, n, to, along, x);
    for (int64_t i = 0; i < n && columns > 1; i++)
        gi_scatter((int)size, columns, to + i * along, across, x + i * columns * size);
}

/* *last: of the block before, if the line is gone through from its begin; NULL: that is among the ends. */
static void gi_scan_line_block(const gi_scan_job *j, int64_t line, int64_t block, uint64_t *last)
{
    GI_ARENA(char, raw, GI_BLOCK * 16);
    GI_ARENA(char, cast, GI_BLOCK * 16);
    GI_ARENA(char, a, GI_BLOCK * 16);
    GI_ARENA(char, b, GI_BLOCK * 16);
    int64_t     width = ga_itemsize(j->wide), start = block * GI_BLOCK, along = j->out.strides[0];
    int64_t     n        = j->lines.length - start < GI_BLOCK ? j->lines.length - start : GI_BLOCK;
    char       *ends     = j->ends ? j->ends + (line * (j->blocks - 1) + block) * width : NULL;
    const char *before   = block == 0 ? NULL : last ? (const char *)last : ends - width;
    char       *to       = (char *)gi_line_start(&j->out, line) + start * along;
    const bool  integers = gi_is_int(j->wide), packed = j->out.a->dtype == j->wide && along == width;
    const bool  there = integers && !j->ends_only && !j->lines.maker && j->lines.reduced == 1 && j->lines.dtype == j->wide &&
                       j->lines.a->dtype == j->wide;
    const char *x = there ? gi_line_start(&j->lines, line) + start * j->lines.strides[0]
                          : (const char *)gi_read_line(&j->lines, line, start, n, raw, cast);
    if (j->lines.dtype != j->wide) {
        gi_cast(j->wide, j->lines.dtype, n, a, x);
        x = a;
    }
    if (j->ends_only && integers) {
        *(uint64_t *)(void *)ends = gi_last_of_integers(j->product, x);
    } else if (j->ends_only) {
        gi_last_of_block(j, 1, x, a, b);
        memcpy(ends, a, (size_t)width);
    } else if (integers) {
        char *sums = packed ? to : a;
        gi_scan_integers(j->product, n, x, there ? j->lines.strides[0] : width, before, sums);
        if (last) memcpy(last, sums + (n - 1) * width, sizeof *last);
        if (!packed) gi_write_scanned(j, n, 1, a, NULL, a, b, to, along, 0);
    } else {
        x = gi_scan_block(j, n, 1, x, a, b);
        gi_write_scanned(j, n, 1, x, before, a, b, to, along, 0);
    }
}

/* The rows of a block of a panel, made wide: where they lie, or at `to`. */
static const char *gi_read_scanned(const gi_scan_job *j, const gi_panel *s, char *to)
{
    const gi_lines *p   = s->lines;
    const int64_t   row = s->count * ga_itemsize(j->wide);
    if (s->packed && s->at && p->reduced == 1 && p->strides[0] == s->count * ga_itemsize(p->dtype)) { /* one behind the other */
        const char *rows = (const char *)gi_read_row(s, 0, 0);
        if (p->dtype == j->wide) return rows;
        gi_cast(j->wide, p->dtype, s->n * s->count, to, rows);
        return to;
    }
    for (int64_t i = 0; i < s->n; i++) gi_cast(j->wide, p->dtype, s->count, to + i * row, gi_read_row(s, i, 0));
    return to;
}

/* The same for a panel of lines. */
static void gi_scan_panel_block(const gi_scan_job *j, int64_t panel, int64_t block)
{
    GI_ARENA(char, a, GI_BLOCK *GI_SCAN_WIDTH * 8);
    GI_ARENA(char, b, GI_BLOCK *GI_SCAN_WIDTH * 8);
    GI_ARENA(char, raw, 2 * GI_SCAN_LINES * 16);
    char     before[GI_SCAN_WIDTH * 16];
    gi_panel s     = gi_panel_of(&j->lines, j->columns, j->width, panel);
    int64_t  width = ga_itemsize(j->wide), along = j->out.strides[0], ends = j->blocks - 1;
    s.start       = block * GI_BLOCK;
    s.n           = j->lines.length - s.start < GI_BLOCK ? j->lines.length - s.start : GI_BLOCK;
    s.raw         = raw;
    s.cast        = raw + GI_SCAN_LINES * 16;
    const char *x = gi_read_scanned(j, &s, a);
    if (j->ends_only) {
        gi_last_of_block(j, s.count, x, a, b);
        gi_scatter((int)width, s.count, j->ends + (s.first * ends + block) * width, ends * width, a);
        return;
    }
    x = gi_scan_block(j, s.n, s.count, x, a, b);
    if (block > 0) gi_gather((int)width, s.count, before, j->ends + (s.first * ends + block - 1) * width, ends * width);
    gi_write_scanned(j, s.n, s.count, x, block > 0 ? before : NULL, a, b,
                     (char *)gi_line_start(&j->out, s.first) + s.start * along, along, j->out.kept_strides[j->out.kept - 1]);
}

/* A panel of lines of integers, row by row. */
static void gi_scan_rows(const gi_scan_job *j, int64_t panel)
{
    GI_ARENA(uint64_t, raw, 5 * GI_SCAN_ROW);
    uint64_t       *converted = raw + 2 * GI_SCAN_ROW, *sums = converted + GI_SCAN_ROW, *back = sums + GI_SCAN_ROW;
    const ga_array *out    = j->out.a;
    const int64_t   across = j->out.kept_strides[j->out.kept - 1], size = ga_itemsize(out->dtype);
    const bool      packed = out->dtype == j->wide && across == size;
    gi_panel        s      = gi_panel_of(&j->lines, j->columns, j->width, panel);
    char           *to     = (char *)gi_line_start(&j->out, s.first);
    const void     *last   = NULL;
    s.raw                  = (char *)raw;
    s.cast                 = (char *)back;
    for (int64_t i = 0; i < j->lines.length; i++, to += j->out.strides[0]) {
        const void *x   = gi_read_row(&s, i, 0);
        void       *sum = packed ? to : (char *)sums;
        if (j->lines.dtype != j->wide) {
            gi_cast(j->wide, j->lines.dtype, s.count, converted, x);
            x = converted;
        }
        if (last) j->join(s.count, sum, last, x, NULL);
        else memmove(sum, x, (size_t)s.count * sizeof *sums);
        last = sum;
        if (packed) continue;
        gi_cast(out->dtype, j->wide, s.count, back, sum);
        gi_scatter((int)size, s.count, to, across, back);
    }
}

/* A unit is a block, or whole. */
static void gi_scan_units(int64_t begin, int64_t end, void *job)
{
    const gi_scan_job *j      = (const gi_scan_job *)job;
    int64_t            blocks = j->ends_only ? j->blocks - 1 : j->blocks;
    int64_t            line = begin / blocks, block = begin % blocks;
    uint64_t           last = 0;
    for (int64_t unit = begin; unit < end; unit++) {
        if (j->whole && j->columns > 1) gi_scan_rows(j, unit);
        else if (j->columns > 1) gi_scan_panel_block(j, line, block);
        else if (!j->whole) gi_scan_line_block(j, line, block, NULL);
        else
            for (int64_t k = 0; k < blocks; k++) gi_scan_line_block(j, unit, k, &last);
        if (++block < blocks) continue;
        block = 0;
        line++;
    }
}

/* How many of the lines side by side are scanned at once. */
static int64_t gi_scan_width(const gi_scan_job *j)
{
    const int64_t size = ga_itemsize(j->wide), most = GI_SCAN_SHORT * 8 / size;
    int64_t       width =
        j->lines.length < GI_SCAN_SHORT / GI_SCAN_WIDTH ? most / j->lines.length & -(GI_LINE / size) : GI_SCAN_WIDTH * 8 / size;
    width = width < GI_SCAN_LINES ? width : GI_SCAN_LINES;
    return width < j->columns ? width : j->columns;
}

/* Scans `in`, read as dtype, along an axis into out (of the same shape; it may be the same array). */
static bool gi_scan(const char *site, const ga_array *in, ga_dtype dtype, ga_array *out, int axis, ga_dtype wide,
                    const gi_row *row)
{
    if (out->size == 0) return true;
    if (out->device == GA_CUDA) return gi_gpu->scan(site, in, dtype, out, axis, wide, row->op);
    ga_shape axes;
    memset(&axes, 0, sizeof axes);
    axes.ndim = 1;
    axes.n[0] = axis;
    gi_scan_job j;
    memset(&j, 0, sizeof j);
    if (!gi_lines_plan(site, &j.lines, in, dtype, axis, &axes, false) ||
        !gi_lines_plan(site, &j.out, out, out->dtype, axis, &axes, false))
        return false;
    j.wide    = wide;
    j.product = row->op == GA_OP_multiply;
    j.join    = gi_row_kernel(row, wide);
    j.blocks  = (j.lines.length + GI_BLOCK - 1) / GI_BLOCK;
    j.columns = gi_line_columns(&j.lines);
    if (j.columns > gi_line_columns(&j.out)) j.columns = gi_line_columns(&j.out); /* lines that lie side by side in both */
    j.width         = gi_scan_width(&j);
    ga_array *ends  = NULL;
    int64_t   lines = j.lines.lines, chunk = 1 + 16384 / (j.lines.length < GI_BLOCK ? j.lines.length : GI_BLOCK) / j.width;
    int64_t   units   = j.columns > 1 ? lines / j.columns * ((j.columns + j.width - 1) / j.width) : lines;
    double    bytes   = 8 * (double)lines * (double)j.lines.length * (double)ga_itemsize(wide); /* eight passes, say */
    bool      done    = true;
    const int threads = ga_get_num_threads(); /* two would take as long: they read a line twice */
    j.whole           = gi_is_int(wide) && (j.columns > 1 || j.lines.length < GI_SCAN_LONG || lines >= threads || threads < 3);
    if (j.whole) {
        if (j.columns > 1) {
            j.width = gi_panel_width(&j.lines, j.columns, GI_SCAN_ROW, 1);
            units   = gi_count_panels(lines, j.columns, j.width);
        }
        chunk = 1 + 16384 / (j.lines.length * (j.columns > 1 ? j.width : 1));
        gi_parallel_bytes(bytes / 4, units, chunk, gi_scan_units, &j);
        return true;
    }
    if (j.blocks > 1) {
        const int64_t shape[2] = { lines, j.blocks - 1 };
        ends                   = gi_array_new(site, wide, in->device, 2, shape);
        if (!ends) return false;
        j.ends      = (char *)ends->data;
        j.ends_only = true;
        gi_parallel_bytes(bytes, units * (j.blocks - 1), chunk, gi_scan_units, &j);
        j.ends_only = false;
        done        = gi_scan(site, ends, wide, ends, 1, wide, row);
    }
    if (done) gi_parallel_bytes(bytes, units * j.blocks, chunk, gi_scan_units, &j);
    ga_free(ends);
    return done;
}

static ga_array *gi_cumulate(const gi_row *row, const ga_array *a, const ga_axis_options *o)
{
    if (!gi_array_check_half_any(o->site, a, "a")) return NULL;
    if (gi_half_concerns(a, o->dtype)) {
        ga_axis_options in_float32 = *o;
        ga_dtype        half;
        ga_array       *wide = gi_half_widen(o->site, a, &in_float32.dtype, &half);
        return gi_half_end(o->site, wide, wide ? gi_cumulate(row, wide, &in_float32) : NULL, o->out, half);
    }
    if (o->dtype != GA_DTYPE_DEFAULT && !gi_is_dtype(o->dtype))
        return (ga_array *)gi_fail(o->site, GA_BAD_DTYPE, ".dtype = %d is not a dtype", (int)o->dtype);
    ga_dtype  dtype = o->dtype != GA_DTYPE_DEFAULT ? o->dtype : gi_reduce_end_dtype(GI_ENDS_SUM, a->dtype);
    ga_dtype  wide  = gi_is_float(dtype) ? GA_F64 : gi_is_complex(dtype) ? GA_C128 : gi_reduce_end_dtype(GI_ENDS_SUM, dtype);
    int       axis  = o->axis;
    ga_array *along = gi_along(o->site, a, &axis);
    if (along && gi_is_deferred(a)) {
        ga_array *r = gi_deferred()->scan(along, axis, dtype, wide, row, o);
        ga_free(along);
        return r;
    }
    bool straight =
        along && a->device == GA_CPU && gi_takes_strided_results(o->out, dtype, along->ndim, along->shape, along, along);
    straight         = straight && !gi_array_repeats(o->out);
    ga_array *result = straight ? o->out : NULL;
    if (along && !straight) result = gi_array_new(o->site, dtype, a->device, along->ndim, along->shape);
    if (result && !gi_scan(o->site, along, dtype, result, axis, wide, row)) {
        if (!straight) ga_free(result);
        result = NULL;
    }
    ga_free(along);
    return straight ? result : gi_copy_finish(o->site, result, dtype, o->out);
}

ga_array *(ga_cumsum)(const ga_array *a, ga_axis_options o)
{
    return gi_options_axis(&o) ? gi_cumulate(gi_row_add(), a, &o) : NULL;
}
ga_array *(ga_cumprod)(const ga_array *a, ga_axis_options o)
{
    return gi_options_axis(&o) ? gi_cumulate(gi_row_multiply(), a, &o) : NULL;
}
