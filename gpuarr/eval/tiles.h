/* ---- running a pass on the CPU, tile by tile ------------------------------------------------------------------------------ */
/*  The elements of the result are counted in C order, and tiles are pieces of that count, or of lines along the last axis if not all arrays
    lie in that order. Leaves that do (in a line: whose elements are side by side) are read where they lie; of others the elements of a
    tile are gathered. Threads take tiles as they take the blocks of any call.                                                   */

/* Where the elements of an array lie as the pass counts them. */
typedef struct gi_pass_view {
    char *data;
    int   size;                  /* of an element */
    bool  packed, single, level, /* is it the same in all of a line that is cut into tiles (single: in all), */
        as_number;               /* and read by loops for numbers alone? */
    int64_t run,
        times;     /* elements of the last axes that lie side by side, 0: they do not, and how often these follow each other */
    int     outer; /* the axes before those */
    int64_t strides[GPUARR_MAX_DIMS];
} gi_pass_view;

typedef struct gi_pass_job {
    const gi_fused         *p;
    const gi_pass_op       *op; /* its ops */
    const gi_pass_sequence *sequence;
    int                     ndim;                                      /* after joining dimensions */
    int64_t                 shape[GPUARR_MAX_DIMS], total, tile, room; /* room: bytes of a tile */
    int64_t                 line; /* elements that are cut into tiles: those of a line, or all */
    int64_t                 lead; /* the first tile has so many fewer: the others begin with cache lines of the result */
    gi_pass_view            leaf[GI_PASS_LEAVES], out, mask;
    ga_dtype                out_dtype;
    bool                    masked, direct; /* direct: leaves are read, and results written, where they lie, by one sequence */
    gi_stream               stream;
    bool                    ahead;                   /* is it worth to bring near what the next tile reads? */
    int                     long_ops;                /* how many of its ops compute long */
    char                   *number[GI_PASS_NUMBERS]; /* one element, or a tile of copies */
} gi_pass_job;

/* Room for the ops of one call, if they are not those of the pass. */
typedef struct gi_pass_own {
    gi_pass_op       op[GI_PASS_OPS];
    gi_pass_sequence sequence[GI_PASS_SEQUENCES];
} gi_pass_own;

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

/* Where run number `outer` of a leaf lies. */
static const char *gi_pass_run_at(const gi_pass_job *j, const gi_pass_view *v, int64_t outer)
{
    const char *at = v->data;
    for (int d = v->outer - 1; d >= 0; d--) {
        at += outer % j->shape[d] * v->strides[d];
        outer /= j->shape[d];
    }
    return at;
}

/* Puts n elements to `to` that repeat a run from its element `phase` on. */
static void gi_pass_repeat_run(const gi_pass_view *v, int64_t n, char *to, const char *run, int64_t phase)
{
    if (v->run == 1) gi_gather(v->size, n, to, run, 0);
    else gi_pass_repeat(to, n * v->size, run, v->run * v->size, phase * v->size);
}

/* Which short run, if any, fills the room of a leaf since another tile, and how long tiles may be. */
typedef struct gi_pass_held {
    int64_t run, most; /* -1: none */
} gi_pass_held;

/* The elements start to start + n of a leaf whose last axes are runs. held: NULL, or of that leaf. */
static char *gi_pass_read_runs(const gi_pass_job *j, const gi_pass_view *v, int64_t start, int64_t n, char *room,
                               gi_pass_held *held)
{
    const int64_t block = v->run * v->times;
    int64_t       outer = start / block, within = start - outer * block, phase = within % v->run;
    if (phase + n <= v->run) return (char *)(uintptr_t)gi_pass_run_at(j, v, outer) + phase * v->size;
    if (held && v->times > 1 && v->run * v->size <= GI_PASS_APART && within + n <= block) {
        if (held->run != outer) gi_pass_repeat_run(v, held->most + v->run, room, gi_pass_run_at(j, v, outer), 0);
        held->run = outer;
        return room + phase * v->size;
    }
    if (held) held->run = -1;
    for (int64_t done = 0, m; done < n; done += m, outer++, within = phase = 0) {
        m = block - within < n - done ? block - within : n - done;
        gi_pass_repeat_run(v, m, room + done * v->size, gi_pass_run_at(j, v, outer), phase);
    }
    return room;
}

/* The elements start to start + n of a leaf, packed: where they lie, or gathered in `room`. */
static char *gi_pass_read(const gi_pass_job *j, const gi_pass_view *v, int64_t start, int64_t n, char *room, gi_pass_held *held)
{
    if (v->packed) return v->data + start * v->size;
    if (v->run > 0) return gi_pass_read_runs(j, v, start, n, room, held);
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

static __attribute__((noinline)) void gi_pass_run_sequence(const gi_pass_sequence *s, int64_t n, char *out, char *const *slot)
{
    const void *from[GI_SEQUENCE_OPERANDS];
    for (int k = 0; k < s->q.operands; k++) from[k] = slot[s->slot[k]];
    s->loop(&s->q, n, out, from);
}

/* An op, or of these sequences the one that takes its place. */
static inline void gi_pass_run_op(const gi_pass_sequence *sequences, const gi_pass_op *op, int64_t n, char *out,
                                  char *const *slot)
{
    const int *at = op->with_number ? op->ordered : op->x;
    if (op->sequence >= 0) gi_pass_run_sequence(&sequences[op->sequence], n, out, slot);
    else if (op->with_number) op->with_number(n, out, slot[at[0]], slot[at[1]], slot[at[2]]);
    else if (op->kernel) op->kernel(n, out, slot[at[0]], slot[at[1]], slot[at[2]]);
    else gi_cast(op->to, op->from, n, out, slot[at[0]]);
}

/* Where an op finds its operands from element `done` of a tile on. */
static void gi_pass_slots_at(const gi_pass_job *j, const gi_pass_op *op, int64_t done, char *const *slot, char **at)
{
    const gi_pass_sequence *s = op->sequence < 0 ? NULL : &j->sequence[op->sequence];
    for (int k = 0; k < (s ? s->q.operands : GI_PASS_OPERANDS); k++) {
        const int x = s ? s->slot[k] : op->x[k];
        at[x]       = slot[x] + done * (s ? s->q.size[k] : op->size[k]);
    }
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

/* Fills tiles with n copies of the leaves that have a single element; nothing is held of others. */
static void gi_pass_repeat_singles(const gi_pass_job *j, int64_t n, char **slot, char *leaves, gi_pass_held *held)
{
    for (int k = 0; k < j->p->leaves; k++) {
        held[k].run  = -1;
        held[k].most = n;
        if (j->leaf[k].single) slot[k] = gi_pass_read(j, &j->leaf[k], 0, n, leaves + k * j->room, NULL);
    }
}

/* The elements of a tile of a leaf; a single one where that is read as a number. */
static char *gi_pass_leaf(const gi_pass_job *j, const gi_pass_view *v, int64_t start, int64_t n, char *room, gi_pass_held *held)
{
    int64_t column;
    if (v->packed) return v->data + start * v->size;
    return v->as_number ? v->data + gi_pass_offset(j, v, start, &column) : gi_pass_read(j, v, start, n, room, held);
}

/* Where the elements of a tile's leaves are. */
static void gi_pass_read_leaves(const gi_pass_job *j, int64_t start, int64_t n, char **slot, char *leaves, gi_pass_held *held)
{
    for (int k = 0; k < j->p->leaves; k++)
        if (!j->leaf[k].single) slot[k] = gi_pass_leaf(j, &j->leaf[k], start, n, leaves + k * j->room, &held[k]);
}

/* Bytes that are computed at once of what is read ahead or streamed. */
static int64_t gi_pass_piece(const gi_pass_op *op)
{
    return op->sequence < 0 && !gi_pass_is_long(op) ? GI_PASS_PIECE : GI_PASS_LONGER_PIECE;
}

/* The ops of a tile whose results go past the caches, the last one a few lines at a time, so that the processor computes these while memory is
   busy with those before and with what the next tile reads. */
static void gi_pass_stream(const gi_pass_job *j, const gi_pass_op *op, int64_t n, char *to, char *const *slot, char *made,
                           char *back)
{
    const gi_fused *p     = j->p;
    const int64_t   size  = j->out.size;
    const int64_t   piece = gi_pass_piece(op);
    int64_t         step  = (piece - (int64_t)((uintptr_t)to % GI_LINE)) / size; /* pieces end with lines */
    char           *at[GI_FUSED_SLOTS];
    gi_ahead        next;
    for (int k = 0; k < p->ops - 1; k++)
        if (j->op[k].root < 0 || j->op[k].sequence >= 0) gi_pass_run_op(j->sequence, &j->op[k], n, slot[j->op[k].out], slot);
    next.inputs = 0;
    for (int k = 0; k < p->leaves && next.inputs < GI_MOST_INPUTS; k++)
        if (j->leaf[k].packed) {
            next.from[next.inputs]   = slot[k] + n * j->leaf[k].size;
            next.step[next.inputs++] = GI_LINE * j->leaf[k].size / size;
        }
    for (int64_t done = 0; done < n; done += step, step = piece / size) {
        const char *result = made;
        if (step > n - done) step = n - done;
        gi_pass_slots_at(j, op, done, slot, at);
        gi_pass_run_op(j->sequence, op, step, made, at);
        if (j->out_dtype != p->dtype) {
            gi_cast(j->out_dtype, p->dtype, step, back, made);
            result = back;
        }
        j->stream(to + done * size, result, step * size, &next);
        for (int k = 0; k < next.inputs; k++) next.from[k] += step * size / GI_LINE * next.step[k];
    }
}

/* What is to come near while a tile is computed, a share after each piece: what the next one reads of several leaves (what a single one reads
   next, the processor finds out better), and where results go. */
typedef struct gi_pass_coming {
    int64_t     n, share, shares; /* elements of a tile; which share is next, and how many there are */
    const char *read[GI_PASS_LEAVES], *write;
} gi_pass_coming;

static void gi_pass_bring_share(const gi_pass_job *j, gi_pass_coming *c)
{
    const int64_t size = ga_itemsize(j->p->dtype), lines = c->n / GI_LINE; /* of one byte an element */
    const int64_t first = lines * c->share / c->shares * GI_LINE, end = lines * (c->share + 1) / c->shares * GI_LINE;
    for (int k = 0; k < j->p->leaves; k++)
        for (int64_t b = first * j->leaf[k].size; b < end * j->leaf[k].size && j->leaf[k].packed; b += GI_LINE)
            __builtin_prefetch(c->read[k] + b);
    for (int64_t b = first * size; b < end * size; b += GI_LINE) __builtin_prefetch(c->write + b, 1);
    c->share++;
}

/* An op of a tile, a piece at a time. */
static void gi_pass_run_ahead(const gi_pass_job *j, const gi_pass_op *op, int64_t n, char *out, char *const *slot,
                              gi_pass_coming *c)
{
    const int64_t size = ga_itemsize(op->to);
    int64_t       step = gi_pass_piece(op) / j->p->widest;
    char         *at[GI_FUSED_SLOTS];
    for (int64_t done = 0; done < n; done += step) {
        if (step > n - done) step = n - done;
        gi_pass_slots_at(j, op, done, slot, at);
        gi_pass_run_op(j->sequence, op, step, out + done * size, at);
        gi_pass_bring_share(j, c);
    }
}

/* The ops of a tile, which begins at `start`; the results of the last one go to `to`. */
static void gi_pass_run_ops(const gi_pass_job *j, int64_t start, int64_t n, char *to, char *const *slot)
{
    const gi_fused   *p    = j->p;
    const gi_pass_op *last = &j->op[p->ops - 1];
    gi_pass_coming    c;
    const bool        ahead = j->ahead && n == j->tile && j->total - start >= 2 * n, all = j->long_ops == 0;
    c.n      = n;
    c.share  = 0;
    c.shares = 1;
    c.write  = to;
    if (ahead) {
        const int64_t longer = GI_PASS_LONGER_PIECE, step = (all ? gi_pass_piece(last) : longer) / p->widest,
                      pieces = (n + step - 1) / step;
        c.shares             = all ? pieces : j->long_ops * pieces;
        for (int k = 0; k < p->leaves; k++) c.read[k] = slot[k] + n * j->leaf[k].size;
        c.write = all || gi_pass_is_long(last) ? to + n * ga_itemsize(p->dtype) : to;
    }
    for (int k = 0; k < p->ops; k++) {
        const gi_pass_op *op  = &j->op[k];
        char             *out = op == last ? to : slot[op->out];
        if (op->root >= 0 && op->sequence < 0) continue;
        if (ahead && (all ? op == last : gi_pass_is_long(op))) gi_pass_run_ahead(j, op, n, out, slot, &c);
        else gi_pass_run_op(j->sequence, op, n, out, slot);
    }
}

/* The first element of a tile; n: how many there are. */
static int64_t gi_pass_tile_at(const gi_pass_job *j, int64_t unit, int64_t *n)
{
    int64_t line = 0, first = unit;
    if (j->line < j->total) {
        const int64_t tiles = (j->line + j->tile - 1) / j->tile;
        line                = unit / tiles;
        first               = unit % tiles;
    }
    first             = first * j->tile - j->lead;
    const int64_t end = first + j->tile < j->line ? first + j->tile : j->line;
    if (first < 0) first = 0;
    *n = end - first;
    return line * j->line + first;
}

/* Where element `start` of the result lies. */
static char *gi_pass_out_at(const gi_pass_job *j, int64_t start)
{
    if (j->out.packed) return j->out.data + start * j->out.size;
    int64_t       column;
    const int64_t offset = gi_pass_offset(j, &j->out, start, &column);
    return j->out.data + offset + column * j->out.strides[j->ndim - 1];
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
    gi_pass_held held[GI_PASS_LEAVES];
    gi_pass_repeat_singles(j, j->tile < j->total ? j->tile : j->total, slot, leaves, held);
    const bool in_place = j->out.packed || (j->line < j->total && j->out.strides[j->ndim - 1] == j->out.size),
               whole    = in_place && !j->masked && !j->stream && j->out_dtype == p->dtype;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t n, start = gi_pass_tile_at(j, unit, &n);
        gi_pass_read_leaves(j, start, n, slot, leaves, held);
        char *to = in_place ? gi_pass_out_at(j, start) : NULL, *result = whole ? to : made;
        if (j->stream) {
            gi_pass_stream(j, op, n, to, slot, made, back);
            continue;
        }
        gi_pass_run_ops(j, start, n, result, slot);
        if (whole) continue;
        if (j->out_dtype != p->dtype) {
            gi_cast(j->out_dtype, p->dtype, n, back, made);
            result = back;
        }
        gi_pass_write(j, start, n, result, j->masked ? (const uint8_t *)gi_pass_read(j, &j->mask, start, n, mask, NULL) : NULL);
    }
    if (j->stream) gi_stream_end();
}

/* Elements first to first + n of a direct job: its sequence reads leaves and numbers where they lie. */
static void gi_pass_run_direct(const gi_pass_job *j, int64_t first, int64_t n, char *out)
{
    const gi_pass_sequence *s = &j->sequence[j->op[j->p->ops - 1].sequence];
    const void             *from[GI_SEQUENCE_OPERANDS];
    for (int k = 0; k < s->q.operands; k++)
        from[k] = s->slot[k] < GI_SLOT_NUMBER ? j->leaf[s->slot[k]].data + first * s->q.size[k]
                                              : j->number[s->slot[k] - GI_SLOT_NUMBER];
    s->loop(&s->q, n, out, from);
}

/* A unit is a tile. */
static void gi_pass_run_pieces(int64_t begin, int64_t end, void *job)
{
    const gi_pass_job *j     = (const gi_pass_job *)job;
    const int64_t      first = begin * j->tile, behind = end * j->tile < j->total ? end * j->tile : j->total;
    gi_pass_run_direct(j, first, behind - first, j->out.data + first * j->out.size);
}

/* ---- planning ------------------------------------------------------------------------------------------------------------------ */

static void gi_pass_view_of(gi_pass_view *v, const ga_array *a, int ndim, const int64_t *shape)
{
    v->data = (char *)a->data;
    v->size = (int)ga_itemsize(a->dtype);
    gi_shape_broadcast_strides(a, ndim, shape, v->strides);
}

/* The same of an array in C order, as one line. */
static void gi_pass_view_of_line(gi_pass_view *v, const ga_array *a)
{
    v->data       = (char *)a->data;
    v->size       = (int)ga_itemsize(a->dtype);
    v->strides[0] = v->size;
    v->packed     = true;
    v->single = v->level = v->as_number = false;
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
    v->single = v->level = v->as_number = false;
    v->run                              = 0;
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

/* Can that slot be read as a number: is it a leaf of one element, or of one in a line? */
static bool gi_pass_is_constant(const gi_pass_job *j, int slot)
{
    return slot < j->p->leaves && (j->leaf[slot].level || j->leaf[slot].single);
}

/* Reads constants as numbers where the steps of a sequence can; where not, the leaf is to be repeated. */
static void gi_pass_number_steps(gi_pass_job *j, gi_pass_sequence *s)
{
    for (int k = 0; k < s->q.steps; k++) {
        gi_sequence_step *step = &s->q.step[k];
        const int         what = step->what / 4, x = s->slot[step->x], y = s->slot[step->y];
        const bool        alone = what >= GI_SEQUENCE_SAVE && what <= GI_SEQUENCE_ABSOLUTE,
                   sums         = what >= GI_SEQUENCE_ADD_SQUARE && what <= GI_SEQUENCE_ADD_MULTIPLE;
        if (sums && gi_pass_is_constant(j, x)) j->leaf[x].as_number = false;
        if (what == GI_SEQUENCE_ADD_PRODUCT && gi_pass_is_constant(j, y)) step->what = 4 * GI_SEQUENCE_ADD_MULTIPLE;
        if (!sums && !alone && step->what % 4 == GI_OF_ELEMENTS && gi_pass_is_constant(j, x))
            step->what = (uint8_t)(4 * what + GI_OF_NUMBER);
    }
}

/* Finds loops for the ops whose operands can be read as numbers, in `room`. */
static void gi_pass_find_constants(gi_pass_job *j, gi_pass_own *room)
{
    gi_pass_op       *own       = room->op;
    gi_pass_sequence *sequences = room->sequence;
    bool              any       = false;
    j->op                       = j->p->op;
    j->sequence                 = j->p->sequence;
    for (int k = 0; k < j->p->leaves; k++) {
        any                  = any || gi_pass_is_constant(j, k);
        j->leaf[k].as_number = j->leaf[k].level;
    }
    if (!any) return;
    j->op       = (gi_pass_op *)memcpy(own, j->p->op, (size_t)j->p->ops * sizeof *own);
    j->sequence = (gi_pass_sequence *)memcpy(sequences, j->p->sequence, (size_t)j->p->sequences * sizeof *sequences);
    for (int k = 0; k < j->p->ops; k++) {
        gi_pass_op op        = own[k];
        int        numbers   = 0;
        bool       constants = false;
        if (op.sequence >= 0) gi_pass_number_steps(j, &sequences[op.sequence]);
        if (op.root >= 0) continue;
        for (int i = 0; i < op.n; i++) {
            const bool constant = gi_pass_is_constant(j, op.x[i]);
            constants           = constants || constant;
            numbers |= (constant || gi_slot_is_number(op.x[i])) << i;
        }
        if (!constants) continue;
        op.with_number = NULL;
        if (gi_is_float(op.from)) gi_pass_order_numbers(&op, numbers);
        for (int i = 0; i < GI_PASS_OPERANDS; i++) {
            if (!gi_pass_is_constant(j, op.x[i])) continue;
            op.size[i] = 0;
            if (!op.with_number) j->leaf[op.x[i]].as_number = false;
        }
        if (op.with_number) own[k] = op;
    }
    for (int s = 0; s < j->p->sequences; s++)
        for (int k = 0; k < sequences[s].q.operands; k++) {
            const int x = sequences[s].slot[k];
            if (gi_pass_is_constant(j, x) && j->leaf[x].as_number) sequences[s].q.size[k] = 0;
        }
}

/* How many bytes of the tiles of numbers. */
static int64_t gi_pass_number_bytes(const gi_pass_job *j) { return j->p->numbers * j->room; }

/* The numbers, and tiles of copies of those that need them; values: of the steps. */
static void gi_pass_numbers(gi_pass_job *j, const ga_arg *values, char *room)
{
    const int64_t n = j->total < j->tile ? j->total : j->tile;
    for (int k = 0; k < j->p->numbers; k++) {
        const gi_pass_number *number = &j->p->number[k];
        j->number[k]                 = number->tile ? number->tile : room + k * j->room;
        if (number->tile) continue;
        gi_number_to(values[number->step], number->dtype, j->number[k]);
        if (number->copied) gi_repeat((int)ga_itemsize(number->dtype), n, j->number[k], j->number[k]);
    }
}

/* Bytes that would be read and written in the time of so many elements, `size` bytes each with what they are made of. */
static double gi_pass_work(const gi_fused *p, int64_t elements, int64_t size)
{
    return (double)elements * (double)(size * (p->cost + 1) / 2);
}

/* How long the tiles are, and how many a thread takes at a time: enough work for either. */
static int64_t gi_pass_cut(gi_pass_job *j, double *bytes)
{
    const gi_fused *p       = j->p;
    const int64_t   threads = ga_get_num_threads(), size = ga_itemsize(p->dtype);
    int64_t         work = 65536, read = 0, packed = 0;
    for (int k = 0; k < p->leaves; k++) {
        read += j->leaf[k].size;
        packed += j->leaf[k].packed;
    }
    j->ahead    = !j->stream && packed > 1 && j->total * read > threads * GI_PASS_NEAR;
    j->tile     = gi_pass_tile(p, j->stream || j->ahead);
    j->long_ops = 0;
    for (int k = 0; k < p->ops && j->ahead; k++) j->long_ops += gi_pass_is_long(&p->op[k]);
    j->room   = gi_mem_padded(j->tile * p->widest) + GI_PASS_APART;
    j->direct = j->direct && p->parts == p->ops && !j->stream && !j->ahead;
    *bytes    = gi_pass_work(p, j->total, read + size);
    if (j->total * (read + size) > GI_PASS_NEAR && *bytes < GI_WORTH_WAKING) /* one thread's caches do not hold it */
        *bytes = GI_WORTH_WAKING;
    if (j->direct) j->room = GI_PASS_APART;
    if (j->total <= j->tile) return 1;
    work /= p->cost > GI_COSTLY ? GI_COSTLY : p->cost;
    if (work < j->total / (8 * threads)) work = j->total / (8 * threads);
    const int64_t pieces = gi_round_up((j->total + work - 1) / work, threads); /* as many for each thread */
    if (j->direct) {                                                           /* tiles are nothing but pieces of the work */
        j->tile = gi_round_up((j->total + pieces - 1) / pieces, GI_PASS_LONGER_PIECE / p->widest);
        return 1;
    }
    const int64_t tiles = (j->total + j->tile - 1) / j->tile;
    return (tiles + pieces - 1) / pieces;
}

/* Cuts lines into tiles, if not all arrays lie in C order and lines are long enough. */
static void gi_pass_cut_lines(gi_pass_job *j)
{
    enum { LEAST = 16 }; /* elements, and what tiles are multiples of */
    const int last   = j->ndim - 1;
    bool      packed = j->out.packed && (!j->masked || j->mask.packed);
    j->line          = j->total;
    for (int k = 0; k < j->p->leaves; k++) packed = packed && (j->leaf[k].packed || j->leaf[k].single);
    if (packed || last < 1 || j->shape[last] < j->tile / 2 || j->shape[last] < LEAST) return;
    j->line             = j->shape[last];
    const int64_t tiles = (j->line + j->tile - 1) / j->tile, even = (j->line + tiles - 1) / tiles; /* elements of a tile */
    if ((even + LEAST - 1) / LEAST * LEAST < j->tile) j->tile = (even + LEAST - 1) / LEAST * LEAST;
    for (int k = 0; k < j->p->leaves; k++) {
        gi_pass_view *v = &j->leaf[k];
        v->level        = !v->single && v->strides[last] == 0;
    }
}
