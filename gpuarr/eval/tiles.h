/* ---- running a pass on the CPU, tile by tile ------------------------------------------------------------------------------ */
/*  The elements of the result are counted in C order, and tiles are pieces of that count. A leaf whose elements lie so is read where it
    lies; of others the elements of a tile are gathered. Threads take tiles as they take the blocks of any call.               */

/* Where the elements of an array lie as the pass counts them. */
typedef struct gi_pass_view {
    char   *data;
    int     size;           /* of an element */
    bool    packed, single; /* single: one element is all there is */
    int64_t run,
        times;     /* elements of the last axes that lie side by side, 0: they do not, and how often these follow each other */
    int     outer; /* the axes before those */
    int64_t strides[GPUARR_MAX_DIMS];
} gi_pass_view;

typedef struct gi_pass_job {
    const gi_fused   *p;
    const gi_pass_op *op;                                        /* its ops */
    int               ndim;                                      /* after joining dimensions */
    int64_t           shape[GPUARR_MAX_DIMS], total, tile, room; /* room: bytes of a tile */
    gi_pass_view      leaf[GI_PASS_LEAVES], out, mask;
    ga_dtype          out_dtype;
    bool              masked;
    gi_stream         stream;
    bool              ahead;                   /* is it worth to bring near what the next tile reads? */
    char             *number[GI_PASS_NUMBERS]; /* one element, or a tile of copies, */
    bool              copied;                  /* as all are if one is NaN */
} gi_pass_job;

/* How far element `index` lies behind the first, and its column. */
static int64_t gi_pass_offset(const gi_pass_job *j, const gi_pass_view *v, int64_t index, int64_t *column)
{
    int64_t offset = 0;
    *column        = index;
    if (j->ndim <= 1) return offset;
    *column = index % j->shape[j->ndim - 1];
    index /= j->shape[j->ndim - 1];
    for (int d = j->ndim - 2; d > 0; d--) {
        offset += index % j->shape[d] * v->strides[d];
        index /= j->shape[d];
    }
    return offset + index * v->strides[0];
}

/* Fills bytes by a pattern again and again, from the byte `phase` of it on. */
static void gi_pass_repeat(char *to, int64_t bytes, const char *pattern, int64_t period, int64_t phase)
{
    int64_t done = period - phase < bytes ? period - phase : bytes;
    memcpy(to, pattern + phase, (size_t)done);
    if (done < bytes) {
        const int64_t rest = phase < bytes - done ? phase : bytes - done;
        memcpy(to + done, pattern, (size_t)rest);
        done += rest;
    }
    for (int64_t n; done < bytes; done += n) { /* twice as many each time */
        n = done < bytes - done ? done : bytes - done;
        memcpy(to + done, to, (size_t)n);
    }
}

/* The elements start to start + n of a leaf whose last axes are runs. */
static char *gi_pass_read_runs(const gi_pass_job *j, const gi_pass_view *v, int64_t start, int64_t n, char *room)
{
    const int64_t block = v->run * v->times;
    for (int64_t done = 0, m; done < n; done += m) {
        int64_t     outer = (start + done) / block, within = (start + done) % block, phase = within % v->run;
        const char *at = v->data;
        char       *to = room + done * v->size;
        for (int d = v->outer - 1; d >= 0; d--) {
            at += outer % j->shape[d] * v->strides[d];
            outer /= j->shape[d];
        }
        m = block - within < n - done ? block - within : n - done;
        if (phase + m <= v->run && m == n) return (char *)(uintptr_t)at + phase * v->size;
        if (v->run == 1) gi_gather(v->size, m, to, at, 0);
        else gi_pass_repeat(to, m * v->size, at, v->run * v->size, phase * v->size);
    }
    return room;
}

/* The elements start to start + n of a leaf, packed: where they lie, or gathered in `room`. */
static char *gi_pass_read(const gi_pass_job *j, const gi_pass_view *v, int64_t start, int64_t n, char *room)
{
    if (v->packed) return v->data + start * v->size;
    if (v->run > 0) return gi_pass_read_runs(j, v, start, n, room);
    const int     last = j->ndim - 1;
    const int64_t row = j->shape[last], step = v->strides[last];
    int64_t       column, offset             = gi_pass_offset(j, v, start, &column);
    for (int64_t done = 0; done < n;) {
        const int64_t m = row - column < n - done ? row - column : n - done;
        gi_gather(v->size, m, room + done * v->size, v->data + offset + column * step, step);
        done += m;
        if (done < n) offset = gi_pass_offset(j, v, start + done, &column);
    }
    return room;
}

/* Puts packed results to their places; mask: only where it is true, or NULL. */
static void gi_pass_write(const gi_pass_job *j, int64_t start, int64_t n, const char *made, const uint8_t *mask)
{
    const gi_pass_view *v = &j->out;
    int64_t             column, offset = gi_pass_offset(j, v, start, &column);
    const int64_t       row = j->ndim > 0 ? j->shape[j->ndim - 1] : 1, step = j->ndim > 0 ? v->strides[j->ndim - 1] : v->size;
    for (int64_t done = 0; done < n;) {
        const int64_t run = row - column < n - done ? row - column : n - done;
        char         *to  = v->data + offset + column * step;
        if (mask) gi_scatter_where(v->size, run, to, step, made + done * v->size, mask + done);
        else gi_scatter(v->size, run, to, step, made + done * v->size);
        done += run;
        if (done < n) offset = gi_pass_offset(j, v, start + done, &column);
    }
}

static void gi_pass_run_op(const gi_pass_job *j, const gi_pass_op *op, int64_t n, char *out, char *const *slot)
{
    const int *at = op->ordered;
    if (op->n == GI_PASS_OPERANDS) {
        const void *const numbers[2] = { slot[op->x[2]], slot[op->x[3]] };
        op->with_number(n, out, slot[op->x[0]], slot[op->x[1]], numbers);
    } else if (op->with_number && !j->copied) op->with_number(n, out, slot[at[0]], slot[at[1]], slot[at[2]]);
    else if (op->kernel) op->kernel(n, out, slot[op->x[0]], slot[op->x[1]], slot[op->x[2]]);
    else gi_cast(op->to, op->from, n, out, slot[op->x[0]]);
}

/* Room for a tile of any dtype. */
static int64_t gi_pass_any_room(const gi_pass_job *j) { return gi_mem_padded(j->tile * 16); }

/* Puts the slots of numbers and tiles to their places, and returns the first tile that is left, for leaves. */
static char *gi_pass_slots(const gi_pass_job *j, char *tiles, char **slot)
{
    for (int k = 0; k < j->p->numbers; k++) slot[GI_SLOT_NUMBER + k] = j->number[k];
    for (int k = 0; k < j->p->tiles; k++) slot[GI_SLOT_TILE + k] = tiles + k * j->room;
    return tiles + j->p->tiles * j->room;
}

/* Fills tiles of n elements with the leaves that have a single one. */
static void gi_pass_repeat_singles(const gi_pass_job *j, int64_t n, char **slot, char *leaves)
{
    for (int k = 0; k < j->p->leaves; k++)
        if (j->leaf[k].single) slot[k] = gi_pass_read(j, &j->leaf[k], 0, n, leaves + k * j->room);
}

/* All but the last op of a tile. */
static void gi_pass_begin_tile(const gi_pass_job *j, int64_t start, int64_t n, char **slot, char *leaves)
{
    const gi_fused *p = j->p;
    for (int k = 0; k < p->leaves; k++)
        if (!j->leaf[k].single) slot[k] = gi_pass_read(j, &j->leaf[k], start, n, leaves + k * j->room);
    for (int k = 0; k < p->ops - 1; k++) gi_pass_run_op(j, &j->op[k], n, slot[j->op[k].out], slot);
}

/* The last op of a tile whose results go past the caches: a few lines at a time, so that the processor computes these while memory is
   busy with those before and with what the next tile reads. */
static void gi_pass_stream(const gi_pass_job *j, const gi_pass_op *op, int64_t n, char *to, char *const *slot, char *made,
                           char *back)
{
    const gi_fused *p    = j->p;
    const int64_t   size = j->out.size;
    int64_t         step = (GI_PASS_PIECE - (int64_t)((uintptr_t)to % GI_LINE)) / size; /* pieces end with lines */
    char           *at[GI_FUSED_SLOTS];
    gi_ahead        next;
    next.inputs = 0;
    for (int k = 0; k < p->leaves && next.inputs < GI_MOST_INPUTS; k++)
        if (j->leaf[k].packed) {
            next.from[next.inputs]   = slot[k] + n * j->leaf[k].size;
            next.step[next.inputs++] = GI_LINE * j->leaf[k].size / size;
        }
    for (int k = 0; k < GI_PASS_OPERANDS; k++) at[op->x[k]] = slot[op->x[k]];
    for (int64_t done = 0; done < n; done += step, step = GI_PASS_PIECE / size) {
        const char *result = made;
        if (step > n - done) step = n - done;
        gi_pass_run_op(j, op, step, made, at);
        if (j->out_dtype != p->dtype) {
            gi_cast(j->out_dtype, p->dtype, step, back, made);
            result = back;
        }
        j->stream(to + done * size, result, step * size, &next);
        for (int k = 0; k < next.inputs; k++) next.from[k] += step * size / GI_LINE * next.step[k];
        for (int k = 0; k < GI_PASS_OPERANDS; k++) at[op->x[k]] = slot[op->x[k]] + (done + step) * op->size[k];
    }
}

/* The last op of a tile, which begins at `start`, a few lines at a time, between which those come near that the next tile reads: of several
   leaves (what a single one reads next, the processor finds out better), which the nearest caches do not hold. */
static void gi_pass_run_ahead(const gi_pass_job *j, int64_t start, int64_t n, char *to, char *const *slot)
{
    const gi_fused   *p    = j->p;
    const gi_pass_op *op   = &j->op[p->ops - 1];
    const int64_t     size = ga_itemsize(p->dtype), left = j->total - start - n; /* elements behind the tile */
    int64_t           step = GI_PASS_PIECE / p->widest;
    char             *at[GI_FUSED_SLOTS];
    for (int64_t done = 0; done < n; done += step) {
        if (step > n - done) step = n - done;
        for (int k = 0; k < GI_PASS_OPERANDS; k++) at[op->x[k]] = slot[op->x[k]] + done * op->size[k];
        gi_pass_run_op(j, op, step, to + done * size, at);
        for (int k = 0; k < p->leaves && done + step <= left; k++)
            for (int64_t b = 0; b < step * j->leaf[k].size && j->leaf[k].packed; b += GI_LINE)
                __builtin_prefetch(slot[k] + (n + done) * j->leaf[k].size + b);
    }
}

/* A unit is a tile. */
static void gi_pass_run_tiles(int64_t begin, int64_t end, void *job)
{
    const gi_pass_job *j  = (const gi_pass_job *)job;
    const gi_fused    *p  = j->p;
    const gi_pass_op  *op = &j->op[p->ops - 1];
    char              *slot[GI_FUSED_SLOTS];
    GI_ARENA(char, tiles, (p->tiles + p->leaves + 1) * j->room + 2 * gi_pass_any_room(j));
    char *leaves = gi_pass_slots(j, tiles, slot), *made = leaves + p->leaves * j->room, *back = made + j->room,
         *mask = back + gi_pass_any_room(j);
    gi_pass_repeat_singles(j, j->tile < j->total ? j->tile : j->total, slot, leaves);
    const bool whole = j->out.packed && !j->masked && !j->stream && j->out_dtype == p->dtype;
    for (int64_t unit = begin; unit < end; unit++) {
        const int64_t start = unit * j->tile, n = j->total - start < j->tile ? j->total - start : j->tile;
        gi_pass_begin_tile(j, start, n, slot, leaves);
        char *to = j->out.packed ? j->out.data + start * j->out.size : NULL, *result = whole ? to : made;
        if (j->stream) {
            gi_pass_stream(j, op, n, to, slot, made, back);
            continue;
        }
        if (j->ahead) gi_pass_run_ahead(j, start, n, result, slot);
        else gi_pass_run_op(j, op, n, result, slot);
        if (whole) continue;
        if (j->out_dtype != p->dtype) {
            gi_cast(j->out_dtype, p->dtype, n, back, made);
            result = back;
        }
        gi_pass_write(j, start, n, result, j->masked ? (const uint8_t *)gi_pass_read(j, &j->mask, start, n, mask) : NULL);
    }
    if (j->stream) gi_stream_end();
}

/* ---- planning ------------------------------------------------------------------------------------------------------------------ */

static void gi_pass_view_of(gi_pass_view *v, const ga_array *a, int ndim, const int64_t *shape)
{
    v->data = (char *)a->data;
    v->size = (int)ga_itemsize(a->dtype);
    gi_shape_broadcast_strides(a, ndim, shape, v->strides);
}

static bool gi_pass_is_packed(const gi_pass_job *j, const gi_pass_view *v)
{
    int64_t expected = v->size;
    for (int d = j->ndim - 1; d >= 0; d--) {
        if (v->strides[d] != expected) return false;
        expected *= j->shape[d];
    }
    return true;
}

/* Finds out how an array lies along its last axes. */
static void gi_pass_find_runs(const gi_pass_job *j, gi_pass_view *v)
{
    int d     = j->ndim - 1;
    v->packed = gi_pass_is_packed(j, v);
    v->single = false;
    v->run    = 0;
    if (d >= 0 && v->strides[d] != v->size && v->strides[d] != 0) return;
    v->run = v->times = 1;
    for (; d >= 0 && v->strides[d] == v->run * v->size; d--) v->run *= j->shape[d];
    for (; d >= 0 && v->strides[d] == 0; d--) v->times *= j->shape[d];
    v->outer  = d + 1;
    v->single = v->run == 1 && v->outer == 0 && j->total > 1;
}

/* Joins the dimensions that lie as one in all arrays; out: is there one? */
static void gi_pass_join_dimensions(gi_pass_job *j, bool out)
{
    int64_t *strides[GI_PASS_LEAVES + 2];
    int      lists = 0;
    for (int k = 0; k < j->p->leaves; k++) strides[lists++] = j->leaf[k].strides;
    if (out) strides[lists++] = j->out.strides;
    if (j->masked) strides[lists++] = j->mask.strides;
    j->ndim = gi_job_coalesce_axes(j->ndim, j->shape, lists, strides);
    for (int k = 0; k < j->p->leaves; k++) gi_pass_find_runs(j, &j->leaf[k]);
    j->out.packed = out && gi_pass_is_packed(j, &j->out);
    if (j->masked) gi_pass_find_runs(j, &j->mask);
}

/* Is it a leaf of a single element that is no NaN? */
static bool gi_pass_is_single(const gi_pass_job *j, int slot, ga_dtype dtype)
{
    if (slot >= j->p->leaves || !j->leaf[slot].single) return false;
    const void *at = j->leaf[slot].data;
    return dtype == GA_F32 ? *(const float *)at == *(const float *)at : *(const double *)at == *(const double *)at;
}

/* Leaves of a single element are read as numbers are, where a loop takes them so; own: room for the ops. */
static void gi_pass_find_singles(gi_pass_job *j, gi_pass_op *own)
{
    bool any = false;
    j->op    = j->p->op;
    for (int k = 0; k < j->p->leaves; k++) any = any || j->leaf[k].single;
    if (!any) return;
    j->op = (gi_pass_op *)memcpy(own, j->p->op, (size_t)j->p->ops * sizeof *own);
    for (int k = 0; k < j->p->ops; k++) {
        gi_pass_op op      = own[k];
        int        numbers = 0;
        bool       singles = false;
        if (!op.row || op.n > 3 || !gi_is_float(op.from)) continue;
        for (int i = 0; i < op.n; i++) {
            const bool single = gi_pass_is_single(j, op.x[i], op.from);
            singles           = singles || single;
            numbers |= (single || gi_slot_is_number(op.x[i])) << i;
        }
        if (singles) gi_pass_order_numbers(&op, numbers);
        if (singles && op.with_number) own[k] = op;
    }
}

/* How many bytes of the tiles of numbers. */
static int64_t gi_pass_number_bytes(const gi_pass_job *j) { return j->p->numbers * j->room; }

/* The numbers, and tiles of copies of those that need them; values: of the steps. */
static void gi_pass_numbers(gi_pass_job *j, const ga_arg *values, char *room)
{
    const int64_t n = j->total < j->tile ? j->total : j->tile;
    j->copied       = false;
    for (int k = 0; k < j->p->numbers; k++) {
        const ga_arg *v = &values[j->p->number[k].step];
        j->copied       = j->copied || v->re != v->re || v->im != v->im;
    }
    for (int k = 0; k < j->p->numbers; k++) {
        const gi_pass_number *number = &j->p->number[k];
        const bool            copied = j->copied || number->copied, kept = number->tile && (number->copied || !copied);
        j->number[k] = kept ? number->tile : room + k * j->room;
        if (kept) continue;
        gi_number_to(values[number->step], number->dtype, j->number[k]);
        if (copied) gi_repeat((int)ga_itemsize(number->dtype), n, j->number[k], j->number[k]);
    }
}

/* How long the tiles are, and how many a thread takes at a time: enough work for either. */
static int64_t gi_pass_cut(gi_pass_job *j, double *bytes)
{
    const gi_fused *p       = j->p;
    const int       cost    = p->cost > GI_COSTLY ? GI_COSTLY : p->cost;
    int64_t         threads = ga_get_num_threads(), work = 32768 / cost, read = 0, packed = 0, size = ga_itemsize(p->dtype);
    for (int k = 0; k < p->leaves; k++) {
        read += j->leaf[k].size;
        packed += j->leaf[k].packed;
    }
    j->ahead = !j->stream && packed > 1 && j->total * read > threads * GI_PASS_NEAR;
    j->tile  = gi_pass_tile(p, j->stream || j->ahead);
    j->room  = gi_mem_padded(j->tile * p->widest) + GI_PASS_APART;
    *bytes   = (double)j->total * (double)((read + size) * (p->cost + 1) / 2);
    if (j->total <= j->tile) return 1;
    if (work < j->total / (8 * threads)) work = j->total / (8 * threads);
    return work / j->tile > 0 ? work / j->tile : 1;
}
