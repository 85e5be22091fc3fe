/* ---- the walk -------------------------------------------------------------------------------------------------------- */
/*  A job has some inputs and one output (a kernel of the user's: up to GPUARR_MAX_OUTPUTS) over one shape. It is cut into blocks of the last two dimensions, some rows by some columns.
    The kernel sees each operand as packed elements of the dtype that it wants: directly where it lies so, else through a tile: gathered,
    cast, and for the output cast back and scattered. What lies side by side along the rows, not the columns (a transposed input),
    is first copied into a square: turned round in registers, else in the order in which it lies, and gathered from there.   */

#define GI_TILE           512  /* elements */
#define GI_TILE_GATHERED  128  /* so few that the processor gathers the next ones while it computes */
#define GI_TILE_BYTES     4096 /* of each of the tiles of a job: together they fit the nearest cache */
#define GI_STREAM_TILE    2048 /* of the result, if it is streamed: what the processor can have on the way to memory */
#define GI_STREAM_FROM    ((int64_t)32 << 20) /* bytes of results that no cache would keep */
#define GI_SQUARE_BYTES   16384
#define GI_BACKWARD_BYTES ((int64_t)4 << 20) /* of an array; results of more are not turned round */
#define GI_BACKWARD_MADE  32768              /* bytes of such results that are turned round at once */
#define GI_BACKWARD_ROWS  512 /* of results of bytes: up to so many, which fit the nearest cache, are turned as one band */
#define GI_SHORT_ROW      64
#define GI_UNDIVIDED      32768 /* so many simple operations are not divided among threads */

/* Where a row of a block lies. */
typedef struct gi_walk_row {
    const char *in[GI_MOST_INPUTS + 1];
    int64_t     step[GI_MOST_INPUTS + 1]; /* from an element to the next, in bytes */
    int64_t     down[GI_MOST_INPUTS + 1]; /* from a row to the next */
    char       *out[GPUARR_MAX_OUTPUTS];
    int64_t     place;
} gi_walk_row;

typedef struct gi_tiles {
    __attribute__((aligned(64))) char raw[GI_MOST_INPUTS + 1][GI_TILE_BYTES];
    __attribute__((aligned(64))) char cast[GI_MOST_INPUTS + 1][GI_TILE_BYTES];
    __attribute__((aligned(64))) char result[GPUARR_MAX_OUTPUTS][GI_TILE_BYTES];
    __attribute__((aligned(64))) char back[GI_TILE_BYTES];
} gi_tiles;

/* The strides of an operand from row to row and from column to column. */
static int64_t gi_row_stride(const gi_job *j, const gi_operand *v) { return j->ndim > 1 ? v->strides[j->ndim - 2] : 0; }
static int64_t gi_column_stride(const gi_job *j, const gi_operand *v) { return v->strides[j->ndim - 1]; }

/* How far from the first an element of an operand lies. `outer` counts through the dimensions before the last two. */
static int64_t gi_job_offset(const gi_job *j, const gi_operand *v, int64_t outer, int64_t row, int64_t column)
{
    int64_t offset = row * gi_row_stride(j, v) + column * gi_column_stride(j, v);
    for (int d = j->ndim - 3; d >= 0; d--) {
        offset += outer % j->shape[d] * v->strides[d];
        outer /= j->shape[d];
    }
    return offset;
}

/* n elements of a source, packed, as the kernel wants them: where they lie, in `raw` or in `cast`. */
static const void *gi_read_tile(const gi_operand *v, const char *from, int64_t step, int64_t n, void *raw, void *cast)
{
    int         size   = (int)ga_itemsize(v->dtype);
    const void *packed = from;
    if (step != size) {
        packed = v->wanted == v->dtype ? cast : raw;
        gi_gather(size, n, (void *)packed, from, step);
    }
    if (v->wanted == v->dtype) return packed;
    gi_cast(v->wanted, v->dtype, n, cast, packed);
    return cast;
}

/* Writes a tile of results to a row of an output. */
static void gi_write_tile(const gi_job *j, const gi_operand *v, char *to, int64_t n, const void *packed, const uint8_t *mask,
                          const gi_ahead *next)
{
    int size = (int)ga_itemsize(v->dtype);
    if (j->stream) j->stream(to, packed, n * size, next);
    else if (mask) gi_scatter_where(size, n, to, gi_column_stride(j, v), packed, mask);
    else gi_scatter(size, n, to, gi_column_stride(j, v), packed);
}

/* The part of a user's kernel. x: the inputs in the order of the parameters, out: the outputs, the formula's own result first. */
static void gi_job_run_own(const gi_own *own, int64_t n, char *const *out, const char *const *x, int64_t place, int64_t step)
{
    const ga_kernel *k = own->kernel;
    gi_elements      e;
    int              in = 0, to = 0;
    e.n      = n;
    e.index  = place;
    e.step   = step;
    e.result = k->result.output ? out[to++] : NULL;
    for (int p = 0; p < k->parameters; p++) e.operand[p] = k->parameter[p].output ? out[to++] : (char *)x[in++];
    own->cpu(&e, own->exact);
}

/* Computes a row of a block, tile by tile. */
static void gi_job_run_row(const gi_job *j, const gi_walk_row *row, int64_t columns, gi_tiles *t)
{
    int         sources = j->inputs + j->masked;
    int64_t     size = ga_itemsize(j->out.dtype), n = j->tile;
    bool        whole                    = !j->masked && !j->stream; /* may the kernel write where the results belong? */
    const char *x[GI_MOST_INPUTS + 1]    = { NULL };
    char       *out[GPUARR_MAX_OUTPUTS]  = { NULL };
    int64_t     move[GI_MOST_INPUTS + 1] = { 0 }; /* bytes from element to element; -1: through a tile */
    gi_ahead    next;
    next.inputs = 0;
    for (int k = 0; k < sources; k++) {
        const gi_operand *v = gi_job_source(j, k);
        x[k]                = row->in[k];
        if (v->number) continue;
        if (row->step[k] == 0) { /* one element for the whole row */
            x[k] = (const char *)gi_read_tile(v, x[k], 0, n < columns ? n : columns, t->raw[k], t->cast[k]);
            continue;
        }
        move[k] = v->wanted == v->dtype && row->step[k] == ga_itemsize(v->dtype) ? row->step[k] : -1;
        if (move[k] > 0) next.step[next.inputs++] = GI_LINE * move[k] / size;
    }
    if (j->stream) n -= (int64_t)((uintptr_t)row->out[0] % GI_LINE) / size; /* so that tiles end with lines */
    bool packed = whole && gi_column_stride(j, &j->out) == size;
    if (packed && !gi_job_computes(j) && !j->in[0].number && row->step[0] == ga_itemsize(j->in[0].dtype))
        n = columns; /* what is only copied or cast needs no tile */
    for (int64_t at = 0; at < columns; at += n, n = j->tile) {
        if (n > columns - at) n = columns - at;
        next.inputs = 0;
        for (int k = 0; k < sources; k++) {
            if (move[k] < 0) /* what is only copied needs no tile of its own */
                x[k] =
                    (const char *)gi_read_tile(gi_job_source(j, k), row->in[k] + at * row->step[k], row->step[k], n, t->raw[k],
                                               packed && !gi_job_computes(j) ? row->out[0] + at * size : t->cast[k]);
            if (move[k] > 0) next.from[next.inputs++] = x[k] + n * move[k];
        }
        for (int k = 0; k < j->outputs; k++) {
            const gi_operand *v = gi_job_target(j, k);
            out[k]              = row->out[k] + at * gi_column_stride(j, v);
            if (!whole || j->apart || v->wanted != v->dtype || gi_column_stride(j, v) != ga_itemsize(v->dtype))
                out[k] = t->result[k];
        }
        if (j->own.kernel)
            gi_job_run_own(&j->own, n, out, x, row->place + at * gi_column_stride(j, &j->place),
                           gi_column_stride(j, &j->place));
        else if (j->kernel) j->kernel(n, out[0], x[0], x[1], x[2]);
        for (int k = 0; k < j->outputs; k++) {
            const gi_operand *v    = gi_job_target(j, k);
            char             *to   = row->out[k] + at * gi_column_stride(j, v);
            const char       *made = gi_job_computes(j) ? out[k] : x[0];
            if (gi_job_computes(j) && v->wanted != v->dtype) {
                char *back = whole && gi_column_stride(j, v) == ga_itemsize(v->dtype) ? to : t->back;
                gi_cast(v->dtype, v->wanted, n, back, made);
                made = back;
            }
            if (made != to) gi_write_tile(j, v, to, n, made, (const uint8_t *)x[j->inputs], &next);
        }
        for (int k = 0; k < sources; k++)
            if (move[k] > 0) x[k] += n * move[k];
    }
}

/* The same of a row that needs no tile: the copies of numbers last for j->tile elements. */
static void gi_job_run_pieces(const gi_job *j, const gi_walk_row *row, int64_t columns)
{
    const char *x[GI_MOST_INPUTS]    = { NULL };
    int64_t     move[GI_MOST_INPUTS] = { 0 };
    char       *out                  = row->out[0];
    int64_t     n                    = columns;
    for (int k = 0; k < j->inputs; k++) {
        x[k] = row->in[k];
        if (!j->in[k].number) move[k] = ga_itemsize(j->in[k].dtype);
        else if (n > j->tile) n = j->tile;
    }
    for (int64_t left = columns; left > 0; left -= n) {
        if (n > left) n = left;
        j->kernel(n, out, x[0], x[1], x[2]);
        out += n * ga_itemsize(j->out.dtype);
        for (int k = 0; k < j->inputs; k++) x[k] += n * move[k];
    }
}

/* Do the rows of an operand follow each other without gaps? */
static bool gi_rows_are_joined(int64_t down, int64_t columns, int64_t width) { return down == columns * width; }

/* Are operands of short rows packed in each row, or repeat along rows or columns, so that several rows can be one? */
static bool gi_job_runs_together(const gi_job *j, const gi_walk_row *row, int64_t columns)
{
    const int64_t size     = ga_itemsize(j->out.dtype);
    const bool    gaps     = columns < GI_SHORT_ROW; /* else single rows are no slower */
    bool          together = j->kernel && j->outputs == 1 && !j->masked && !j->stream && !j->apart;
    for (int k = 0; k < j->inputs && together; k++) {
        const gi_operand *v     = &j->in[k];
        const int64_t     width = ga_itemsize(v->dtype), down = row->down[k];
        const bool        packed = row->step[k] == width && (down == 0 || gaps || gi_rows_are_joined(down, columns, width));
        together                 = v->number || (v->wanted == v->dtype && (row->step[k] == 0 || packed));
    }
    return together && j->out.wanted == j->out.dtype && gi_column_stride(j, &j->out) == size &&
           (gaps || gi_rows_are_joined(gi_row_stride(j, &j->out), columns, size));
}

/* Copies n rows of so many bytes. */
static void gi_copy_rows(int64_t bytes, int64_t n, char *to, int64_t to_next, const char *from, int64_t from_next)
{
    for (int64_t i = 0; i < n; i++) memcpy(to + i * to_next, from + i * from_next, (size_t)bytes);
}

/* Computes such rows, as many together as a tile holds: what repeats, or has gaps, stands in tiles. */
static void gi_job_run_together(const gi_job *j, const gi_walk_row *row, int64_t rows, int64_t columns, gi_tiles *t)
{
    const int64_t most = j->tile / columns < rows ? j->tile / columns : rows;
    const int64_t down = gi_row_stride(j, &j->out), made = columns * ga_itemsize(j->out.dtype);
    const char   *x[GI_MOST_INPUTS]    = { NULL };
    int64_t       move[GI_MOST_INPUTS] = { 0 };
    bool          gaps[GI_MOST_INPUTS] = { false };
    for (int k = 0; k < j->inputs; k++) {
        const int64_t bytes  = columns * ga_itemsize(j->in[k].dtype);
        const bool    copied = !j->in[k].number && (row->step[k] == 0 || row->down[k] != bytes);
        gaps[k]              = copied && row->step[k] != 0 && row->down[k] != 0;
        x[k]                 = copied ? t->cast[k] : row->in[k];
        if (!copied) move[k] = row->down[k];
        else if (row->step[k] != 0 && !gaps[k]) gi_repeat_bytes(bytes, most, t->cast[k], row->in[k]);
    }
    for (int64_t r = 0, n = most; r < rows; r += n) {
        if (n > rows - r) n = rows - r;
        for (int k = 0; k < j->inputs; k++) {
            const int     width = (int)ga_itemsize(j->in[k].dtype);
            const int64_t bytes = columns * width;
            if (gaps[k]) gi_copy_rows(bytes, n, t->cast[k], bytes, row->in[k] + r * row->down[k], row->down[k]);
            for (int64_t i = 0; i < n && !j->in[k].number && row->step[k] == 0; i++)
                gi_repeat(width, columns, t->cast[k] + i * bytes, row->in[k] + (r + i) * row->down[k]);
        }
        char *to = row->out[0] + r * down, *out = down == made ? to : t->result[0];
        j->kernel(n * columns, out, x[0], x[1], x[2]);
        if (out != to) gi_copy_rows(made, n, to, down, out, made);
        for (int k = 0; k < j->inputs; k++) x[k] += n * move[k];
    }
}

/* The rows of a block, one after the other. */
static void gi_job_run_rows(const gi_job *j, gi_walk_row row, int64_t rows, int64_t columns, gi_tiles *t)
{
    if (rows > 1 && 2 * columns <= j->tile && gi_job_runs_together(j, &row, columns)) {
        gi_job_run_together(j, &row, rows, columns, t);
        return;
    }
    if (j->direct && !gi_job_computes(j)) {
        if (row.out[0] == row.in[0]) return;
        gi_copy_rows(columns * ga_itemsize(j->out.dtype), rows, row.out[0], gi_row_stride(j, &j->out), row.in[0], row.down[0]);
        return;
    }
    for (int64_t r = 0; r < rows; r++) {
        if (!j->direct) gi_job_run_row(j, &row, columns, t);
        else if (j->own.kernel) gi_job_run_own(&j->own, columns, row.out, row.in, row.place, gi_column_stride(j, &j->place));
        else gi_job_run_pieces(j, &row, columns);
        for (int k = 0; k < j->inputs + j->masked; k++) row.in[k] += row.down[k];
        for (int k = 0; k < j->outputs; k++) row.out[k] += gi_row_stride(j, gi_job_target(j, k));
        row.place += gi_row_stride(j, &j->place);
    }
}

/* What turns an operand that lies across round in registers, so that its rows are packed; NULL: nothing does. */
static gi_turn_lines gi_job_turn(const gi_job *j, const gi_operand *v)
{
    const int size = (int)ga_itemsize(v->dtype);
    return v->crossed && gi_row_stride(j, v) == size ? GI_LOOP_OF(turn)(size) : NULL;
}

/* Do rows of n columns follow each other everywhere without gaps? */
static bool gi_job_is_joined(const gi_job *j, const gi_walk_row *row, int64_t n)
{
    bool joined = !j->own.kernel;
    for (int k = 0; k < j->inputs + j->masked; k++)
        joined = joined && (gi_job_source(j, k)->number ||
                            (row->step[k] == ga_itemsize(gi_job_source(j, k)->dtype) && row->down[k] == n * row->step[k]));
    return joined && gi_column_stride(j, &j->out) == ga_itemsize(j->out.dtype) &&
           gi_row_stride(j, &j->out) == n * gi_column_stride(j, &j->out);
}

/* How many columns the second of two operands that lie across is behind the first, if it is 1 or -1 and else the same; or 0. */
static int gi_job_shift(const gi_job *j)
{
    const gi_operand *a = &j->in[0], *b = &j->in[1];
    if (j->inputs != 2 || j->masked || !a->crossed || !b->crossed || a->dtype != b->dtype || !gi_job_turn(j, a)) return 0;
    if (memcmp(a->strides, b->strides, sizeof *a->strides * (size_t)j->ndim) != 0) return 0;
    const int64_t apart = b->data - a->data, step = gi_column_stride(j, a);
    return apart == step ? 1 : apart == -step ? -1 : 0;
}

/* The same where some inputs lie across: a square at a time. */
static void gi_job_run_squares(const gi_job *j, gi_walk_row row, int64_t rows, int64_t columns, gi_tiles *t)
{
    typedef char  square[GI_SQUARE_BYTES];
    const int64_t size = ga_itemsize(j->out.dtype), down = gi_row_stride(j, &j->out);
    if (j->direct && !gi_job_computes(j) && down > 0 && down % size == 0) { /* a copy needs no square */
        gi_job_turn(j, &j->in[0])(rows, columns, row.out[0], down / size, row.in[0], row.step[0]);
        return;
    }
    const int shift = gi_job_shift(j);
    GI_ARENA(square, squares, j->inputs + j->masked + (shift != 0));
    for (int64_t at = 0; at < columns; at += j->side) {
        int64_t     n    = columns - at < j->side ? columns - at : j->side;
        gi_walk_row part = row;
        for (int k = 0; k < j->outputs; k++) part.out[k] += at * gi_column_stride(j, gi_job_target(j, k));
        part.place += at * gi_column_stride(j, &j->place);
        for (int k = 0; k < j->inputs + j->masked; k++) {
            part.in[k] += at * row.step[k];
            if (!gi_job_source(j, k)->crossed || shift != 0) continue;
            const int           width = (int)ga_itemsize(gi_job_source(j, k)->dtype);
            const gi_turn_lines turn  = gi_job_turn(j, gi_job_source(j, k));
            part.step[k]              = turn ? width : rows * width;
            part.down[k]              = turn ? n * width : width;
            for (int64_t c = n; c < 2 * n && turn && at + c < columns; c++) /* the next square */
                for (int64_t b = 0; b < rows * width; b += GI_LINE) __builtin_prefetch(part.in[k] + c * row.step[k] + b, 0, 2);
            if (turn) turn(rows, n, squares[k], n, part.in[k], row.step[k]);
            for (int64_t c = 0; c < n && !turn; c++)
                gi_gather(width, rows, squares[k] + c * rows * width, part.in[k] + c * row.step[k], row.down[k]);
            part.in[k] = squares[k];
        }
        if (shift != 0) { /* one square, and a column more, for both */
            const int width = (int)ga_itemsize(j->in[0].dtype), first = shift < 0;
            gi_job_turn(j, &j->in[0])(rows, n + 1, squares[0], n + 1, part.in[first], row.step[first]);
            for (int k = 0; k < 2; k++) {
                part.in[k]   = squares[0] + (k == first ? 0 : width);
                part.step[k] = width;
                part.down[k] = (n + 1) * width;
            }
        }
        if (gi_job_is_joined(j, &part, n)) gi_job_run_rows(j, part, 1, rows * n, t);
        else gi_job_run_rows(j, part, rows, n, t);
    }
}

/* The kernel over n elements where they lie, or piece by piece beside what is cast, and beside copies of numbers. */
static void gi_job_run_line(const gi_job *j, const gi_walk_row *row, int64_t n, char *out, gi_tiles *t)
{
    const char *x[GI_MOST_INPUTS] = { NULL };
    int64_t     piece             = n;
    for (int k = 0; k < j->inputs; k++)
        if ((j->in[k].number || j->in[k].wanted != j->in[k].dtype) && piece > j->tile) piece = j->tile;
    for (int64_t at = 0; at < n; at += piece) {
        if (piece > n - at) piece = n - at;
        for (int k = 0; k < j->inputs; k++) {
            const gi_operand *v     = &j->in[k];
            const int64_t     width = ga_itemsize(v->dtype);
            x[k] =
                v->number ? row->in[k] : (const char *)gi_read_tile(v, row->in[k] + at * width, width, piece, NULL, t->cast[k]);
        }
        j->kernel(piece, out + at * ga_itemsize(j->out.dtype), x[0], x[1], x[2]);
    }
}

/* The same where all arrays that are read lie across: the kernel runs over them as they lie, and what it makes is turned round. */
static void gi_job_run_backward(const gi_job *j, gi_walk_row row, int64_t rows, int64_t columns, gi_tiles *t)
{
    typedef char        lines[GI_BACKWARD_MADE];
    const int64_t       size = ga_itemsize(j->out.dtype), down = gi_row_stride(j, &j->out);
    const gi_turn_lines turn = down % size == 0 ? GI_LOOP_OF(turn)((int)size) : NULL;
    bool joined = true, plain = true; /* do the lines follow each other without gaps? does the kernel take them so? */
    GI_ARENA(lines, made, 1);
    for (int k = 0; k < j->inputs; k++) {
        joined = joined && (j->in[k].number || row.step[k] == rows * ga_itemsize(j->in[k].dtype));
        plain  = plain && !j->in[k].number && j->in[k].wanted == j->in[k].dtype;
    }
    for (int64_t at = 0; at < columns; at += j->side) {
        const int64_t n = columns - at < j->side ? columns - at : j->side, once = joined ? n : 1;
        char         *to = row.out[0] + at * size;
        for (int64_t c = 0; c < n; c += once) {
            if (plain) j->kernel(once * rows, made[0] + c * rows * size, row.in[0], row.in[1], row.in[2]);
            else gi_job_run_line(j, &row, once * rows, made[0] + c * rows * size, t);
            for (int k = 0; k < j->inputs; k++) row.in[k] += once * row.step[k];
        }
        if (turn) turn(rows, n, to, down / size, made[0], rows * size);
        for (int64_t r = 0; r < rows && !turn; r++) gi_gather((int)size, n, to + r * down, made[0] + r * size, rows * size);
    }
}

static int64_t gi_job_rows(const gi_job *j) { return j->ndim > 1 ? j->shape[j->ndim - 2] : 1; }
static int64_t gi_job_columns(const gi_job *j) { return j->shape[j->ndim - 1]; }

/* A unit of work is a block. */
static void gi_job_run_units(int64_t begin, int64_t end, void *job)
{
    const gi_job *j     = (const gi_job *)job;
    int64_t       bands = (gi_job_rows(j) + j->height - 1) / j->height, parts = (gi_job_columns(j) + j->width - 1) / j->width;
    bool          crossed = false;
    GI_ARENA(gi_tiles, tiles, 1);
    for (int k = 0; k < j->inputs + j->masked; k++) crossed = crossed || gi_job_source(j, k)->crossed;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t     outer = unit / parts / bands, first = unit / parts % bands * j->height, from = unit % parts * j->width;
        int64_t     rows    = gi_job_rows(j) - first < j->height ? gi_job_rows(j) - first : j->height;
        int64_t     columns = gi_job_columns(j) - from < j->width ? gi_job_columns(j) - from : j->width;
        gi_walk_row row;
        for (int k = 0; k < GI_MOST_INPUTS + 1; k++) row.in[k] = NULL;
        for (int k = 0; k < j->inputs + j->masked; k++) {
            const gi_operand *v = gi_job_source(j, k);
            row.in[k]           = v->number ? v->data : v->data + gi_job_offset(j, v, outer, first, from);
            row.step[k]         = v->number ? 0 : gi_column_stride(j, v);
            row.down[k]         = v->number ? 0 : gi_row_stride(j, v);
        }
        for (int k = 0; k < j->outputs; k++)
            row.out[k] = gi_job_target(j, k)->data + gi_job_offset(j, gi_job_target(j, k), outer, first, from);
        row.place = j->first_place + gi_job_offset(j, &j->place, outer, first, from);
        if (j->backward) gi_job_run_backward(j, row, rows, columns, tiles);
        else if (crossed) gi_job_run_squares(j, row, rows, columns, tiles);
        else gi_job_run_rows(j, row, rows, columns, tiles);
    }
    if (j->stream) gi_stream_end();
}

/* Does it lie closer together along the rows than along the columns? */
static bool gi_lies_across(const gi_job *j, const gi_operand *v)
{
    return !v->number && gi_row_stride(j, v) != 0 &&
           gi_stride_length(gi_row_stride(j, v)) < gi_stride_length(gi_column_stride(j, v));
}

/* Rows of fewer elements are short: of so few that copies that join them (gi_job_runs_together) are not worth it, fewer still if few operands
   need any. If nothing joins them, of so few that loops are not worth it where all lie packed, else of some more. */
static int64_t gi_short_row(const gi_job *j)
{
    const int last   = j->ndim - 1;
    bool      packed = true, joined = j->kernel && j->outputs == 1 && !j->masked && j->out.wanted == j->out.dtype;
    int       copies = 0;
    joined           = joined && last > 0 && j->shape[last - 1] * j->shape[last] >= GI_SHORT_ROW;
    for (int k = 0; k < j->inputs + j->masked + j->outputs; k++) {
        const gi_operand *v = k < j->inputs + j->masked ? gi_job_source(j, k) : gi_job_target(j, k - j->inputs - j->masked);
        if (v->number) continue;
        const int64_t size = ga_itemsize(v->dtype), step = v->strides[last], down = last > 0 ? v->strides[last - 1] : 0;
        packed = packed && (step == 0 || step == size);
        joined = joined && v->wanted == v->dtype;
        if (down != 0) copies += step == 0 ? 2 : !gi_rows_are_joined(down, j->shape[last], size);
    }
    if (packed && joined) return 2 + 2 * (copies < 2 ? copies : 2);
    return !packed ? GI_SHORT_ROW : ga_itemsize(j->out.dtype) == 1 ? GI_SHORT_ROW / 2 : GI_SHORT_ROW / 4;
}

/* Which dimensions are the rows and the columns of blocks: those of the output, but no short columns, and as rows the dimension
   along which a transposed input is packed. True if the two belong together. */
static bool gi_choose_blocks(gi_job *j)
{
    const int     last   = j->ndim - 1;
    const int64_t short_ = gi_short_row(j);
    if (j->shape[last] < short_) {
        int longest = last;
        for (int d = last - 1; d >= 0 && j->shape[longest] < short_; d--)
            if (j->shape[d] > (longest == last ? 2 : 1) * j->shape[longest]) longest = d; /* a little longer is not worth it */
        gi_job_move_dimension(j, longest, last);
    }
    bool across = gi_lies_across(j, &j->out);
    for (int k = 0; k < j->inputs + j->masked && last > 0 && !across; k++) {
        const gi_operand *v    = gi_job_source(j, k);
        int               best = last;
        if (v->number || gi_stride_length(v->strides[last]) < GI_LINE) continue;
        for (int d = 0; d < last; d++)
            if (v->strides[d] != 0 && gi_stride_length(v->strides[d]) < gi_stride_length(v->strides[best])) best = d;
        if (best == last) continue;
        gi_job_move_dimension(j, best, last - 1);
        break;
    }
    for (int k = 0; k < j->inputs + j->masked; k++) {
        gi_operand *v = k < j->inputs ? &j->in[k] : &j->mask;
        if (!gi_lies_across(j, v)) continue;
        across              = true;
        const int64_t apart = 16 * ga_itemsize(v->dtype); /* so far that squares are quicker than elements one by one */
        v->crossed = gi_job_rows(j) >= 8 && gi_stride_length(gi_column_stride(j, v)) >= (apart < GI_LINE ? apart : GI_LINE);
    }
    return across;
}

/* Can the kernel run over a whole row where the operand lies? */
static bool gi_job_runs_directly(const gi_job *j, const gi_operand *v)
{
    if (v->number) return j->kernel != NULL;
    return v->wanted == v->dtype && (gi_column_stride(j, v) == ga_itemsize(v->dtype) || gi_job_turn(j, v) != NULL);
}

/* Do several arrays lie across, or one of wider elements, and no other, so that it is less work to turn the result? (What is read from
   memory is read better in squares.) */
static bool gi_job_runs_backward(const gi_job *j, int64_t bytes)
{
    const gi_operand *o        = &j->out;
    int               crossed  = 0;
    bool              narrower = false;
    for (int k = 0; k < j->inputs; k++) {
        const gi_operand *v = &j->in[k];
        if (v->number) continue;
        narrower = narrower || ga_itemsize(o->dtype) < ga_itemsize(v->dtype);
        if (!v->crossed || gi_row_stride(j, v) != ga_itemsize(v->dtype)) return false;
        crossed++;
    }
    return (crossed > 1 || (crossed == 1 && narrower)) && bytes <= GI_BACKWARD_BYTES && j->kernel && j->outputs == 1 &&
           !j->masked && !j->apart && o->wanted == o->dtype && gi_column_stride(j, o) == ga_itemsize(o->dtype);
}

/* How many rows a square has: whole lines of what lies across; where results of one or two bytes are turned, all rows, or longer lines. */
static int64_t gi_job_square(const gi_job *j, int64_t widest)
{
    const int64_t size = ga_itemsize(j->out.dtype);
    if (!j->backward) return widest <= 2 ? 64 : 128 / widest;
    return size > 2 ? 256 / widest : gi_job_rows(j) <= GI_BACKWARD_ROWS ? gi_job_rows(j) : 256 / size;
}

/* Does a kernel read elements that lie apart, or, if the results are not streamed, copies of one for a whole row? */
static bool gi_job_gathers(const gi_job *j)
{
    bool gathers = false;
    for (int k = 0; k < j->inputs && j->kernel; k++) {
        const gi_operand *v = &j->in[k];
        if (v->number) continue; /* it has no strides */
        const int64_t step = gi_column_stride(j, v);
        gathers            = gathers || (step != ga_itemsize(v->dtype) && (step != 0 || !j->stream));
    }
    return gathers;
}

static int64_t gi_round_up(int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }

/* Runs a job whose operands are complete. `cost`: how many simple operations one element is worth. */
static void gi_job_run(gi_job *j, int cost)
{
    GI_SETTLE_FLOATS;
    int64_t total = 1, widest = ga_itemsize(j->out.dtype), out_size = widest, bytes = 0; /* of an element of each array */
    for (int d = 0; d < j->ndim; d++) total *= j->shape[d];
    if (total == 0) return;
    gi_job_order_dimensions(j);
    gi_job_coalesce(j);
    /* What computes long has time to write. */
    bool streamed = total * out_size >= GI_STREAM_FROM && cost == 1 && !j->masked && j->outputs == 1;
    j->apart      = false;
    for (int k = 0; k < j->inputs + j->outputs; k++) {
        const gi_operand *v = k < j->inputs ? &j->in[k] : gi_job_target(j, k - j->inputs);
        if (!v->number) bytes += ga_itemsize(v->dtype);
        if (ga_itemsize(v->dtype) > widest) widest = ga_itemsize(v->dtype);
        if (ga_itemsize(v->wanted) > widest) widest = ga_itemsize(v->wanted);
        for (int i = 0; k < j->inputs && i < j->outputs; i++)
            if (v->data == gi_job_target(j, i)->data) {
                streamed = false; /* its lines are in the cache already */
                j->apart = j->own.kernel != NULL;
            }
    }
    bool across          = gi_choose_blocks(j);
    j->backward          = gi_job_runs_backward(j, total * widest);
    const int64_t square = gi_job_square(j, widest);
    j->side              = GI_SQUARE_BYTES / (square * widest);
    if (!j->backward && gi_job_shift(j)) j->side *= 2; /* in the room of two */
    if (j->backward && out_size <= 2) {                /* whole lines of the result */
        j->side = GI_BACKWARD_MADE / (square * out_size);
        if (j->side > GI_LINE / out_size) j->side -= j->side % (GI_LINE / out_size);
    }
    j->stream = streamed && !j->backward && gi_column_stride(j, &j->out) == out_size && gi_job_columns(j) >= GI_SHORT_ROW
                    ? GI_LOOP_OF(stream)
                    : NULL;
    j->direct = !j->masked && !j->stream && !j->apart;
    for (int k = 0; k < j->outputs; k++) j->direct = j->direct && gi_job_runs_directly(j, gi_job_target(j, k));
    for (int k = 0; k < j->inputs; k++) j->direct = j->direct && gi_job_runs_directly(j, &j->in[k]);
    j->tile = GI_TILE_BYTES / widest;
    if (widest == 8 && total > 16 * GI_TILE && gi_job_gathers(j)) j->tile = GI_TILE_GATHERED;
    if (j->stream && j->tile > GI_STREAM_TILE / out_size) j->tile = GI_STREAM_TILE / out_size;

    int64_t rows = gi_job_rows(j), columns = gi_job_columns(j), work = GI_UNDIVIDED / cost, threads = ga_get_num_threads();
    j->height = rows;
    j->width  = columns;
    if (total <= work && j->ndim <= 2 && !across) { /* one block: nothing to divide */
        gi_job_run_units(0, 1, j);
        return;
    }
    if (work < total / (8 * threads)) work = total / (8 * threads);
    if (across) {
        if (rows > square) j->height = square;
        bool squares = false;
        for (int k = 0; k < j->inputs + j->masked; k++) squares = squares || gi_job_source(j, k)->crossed;
        /* Without squares the rows of a block meet a tile of columns while the cache has it, or memory would be read again for each row. */
        j->width = squares ? gi_round_up(work / j->height + 1, j->side) : j->tile;
    } else if (columns > work) {
        j->height = 1;
        j->width  = gi_round_up(columns / gi_round_up((columns + work - 1) / work, rows == 1 ? threads : 1) + 1, GI_LINE);
    } else if (rows > work / columns) {
        j->height = work / columns;
    }
    if (j->width > columns) j->width = columns;
    int64_t units = total / rows / columns * ((rows + j->height - 1) / j->height) * ((columns + j->width - 1) / j->width);
    int64_t share = work / (j->height * j->width);
    gi_parallel_bytes((double)total * (double)(bytes * (cost + 1) / 2), units, share > 0 ? share : 1, gi_job_run_units, j);
}
