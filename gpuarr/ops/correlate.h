/* ==== >>convolution: sums of weighted neighbours ===================================================================== */
/*  Every convolution, correlation and filter with weights becomes one or several jobs of one kind:
        out[i] = sum over k of weights[k] * in[i + k + offset]
    in the raster order of k, each sum one chain of gi_weigh in the dtype of the job. What lies outside of `in` is what `border` says,
    and takes part in the chain like anything else. */

/* ---- on the CPU -------------------------------------------------------------------------------------------------------- */
/*  The results are cut into units of rows and columns for the threads. Where a unit's neighbours all lie inside of `in`, the loops
    of gpuarr_cpu.h read them there and write to `out`. The rest goes block by block through copies of what lies around the block, with
    the border filled in; many weights are taken a part at a time, so that the copies stay small.                               */

#define GI_BLOCK_BYTES ((int64_t)32 << 10) /* of the results of a block */
#define GI_PART_BYTES  ((int64_t)64 << 10) /* of the copy of its neighbours for some of the weights */
#define GI_UNIT_BYTES  ((int64_t)256 << 10)
#define GI_SLACK_BYTES ((int64_t)1 << 10) /* lines are rounded up to whole vectors */

typedef struct gi_correlator {
    gi_correlation    c;    /* axes without weights joined with their neighbours; the last two are rows and columns */
    int64_t           step; /* elements of a pixel: the length of the axes without weights behind the columns */
    int64_t           planes, weight_planes; /* of results and of weights: the products of the axes before */
    gi_correlate_loop lines, tiles;
    bool              tiled;        /* inside */
    bool              blocks_tiled; /* and in blocks, too */
    int64_t           size;         /* of an element */
    int64_t           width;        /* of the results; this and all columns in elements */
    int64_t           unit_rows, unit_columns, units_down, units_across;
    int64_t           block_rows, block_columns, part_height, part_width;
    char              constant[16];
} gi_correlator;

/* Some results: rows and columns of a plane. */
typedef struct gi_patch {
    int64_t plane, row, rows, column, columns;
} gi_patch;

/* Joins axes without weights; what is left is at least rows and columns. */
static void gi_conv_join_axes(gi_correlator *j, const gi_correlation *c)
{
    bool untouched[GPUARR_MAX_DIMS + 1] = { false }, joins;
    j->c                                = *c;
    j->c.ndim                           = 0;
    j->step                             = 1;
    for (int d = 0; d < c->ndim; d++) {
        bool free_      = c->size[d] == 1 && c->offset[d] == 0 && c->result[d] == c->shape[d];
        joins           = free_ && j->c.ndim > 0 && untouched[j->c.ndim - 1];
        int to          = joins ? j->c.ndim - 1 : j->c.ndim++;
        untouched[to]   = free_;
        j->c.shape[to]  = joins ? j->c.shape[to] * c->shape[d] : c->shape[d];
        j->c.result[to] = joins ? j->c.result[to] * c->result[d] : c->result[d];
        j->c.size[to]   = c->size[d];
        j->c.offset[to] = c->offset[d];
    }
    int last = j->c.ndim - 1;
    if (last > 0 && untouched[last] &&
        j->c.shape[last] * ga_itemsize(c->dtype) < 256) { /* a short axis: of colours, for example */
        j->step   = j->c.shape[last];
        j->c.ndim = last;
    }
    while (j->c.ndim < 2) {
        for (int d = j->c.ndim; d > 0; d--) {
            j->c.shape[d]  = j->c.shape[d - 1];
            j->c.result[d] = j->c.result[d - 1];
            j->c.size[d]   = j->c.size[d - 1];
            j->c.offset[d] = j->c.offset[d - 1];
        }
        j->c.shape[0] = j->c.result[0] = j->c.size[0] = 1;
        j->c.offset[0]                                = 0;
        j->c.ndim++;
    }
}

/* The part of a patch whose neighbours all lie inside of `in`. False if that is nothing, or too little for the loops. */
static bool gi_conv_find_inside(const gi_correlator *j, const gi_patch *p, gi_patch *inside)
{
    const gi_correlation *c    = &j->c;
    int                   rows = c->ndim - 2, columns = c->ndim - 1;
    int64_t               left = -c->offset[columns] * j->step, top = -c->offset[rows], plane = p->plane;
    int64_t               right  = left + (c->shape[columns] - c->size[columns] + 1) * j->step;
    int64_t               bottom = top + c->shape[rows] - c->size[rows] + 1;
    for (int d = rows - 1; d >= 0; d--) {
        int64_t i = plane % c->result[d] + c->offset[d];
        if (i < 0 || i + c->size[d] > c->shape[d]) return false;
        plane /= c->result[d];
    }
    *inside = *p;
    if (top > p->row) inside->row = top;
    if (left > p->column) inside->column = left;
    if (j->tiled && inside->column > p->column) /* leave whole tiles beside it */
        inside->column = p->column + (inside->column - p->column + j->tiles.columns - 1) / j->tiles.columns * j->tiles.columns;
    inside->rows    = (bottom < p->row + p->rows ? bottom : p->row + p->rows) - inside->row;
    inside->columns = (right < p->column + p->columns ? right : p->column + p->columns) - inside->column;
    if (j->tiled && inside->columns < p->columns) inside->columns -= inside->columns % j->tiles.columns;
    return j->weight_planes == 1 && inside->rows > 0 &&
           inside->columns >= (j->tiled && inside->rows >= GI_TAP_ROWS ? j->tiles.columns : j->lines.columns);
}

/* n elements of a row of pixels of `step` elements each, from element `start` on; outside of the row by the border. NULL: the row itself
   lies outside. */
static void gi_read_padded(const char *row, int64_t pixels, int64_t step, int64_t size, ga_border border, const char *constant,
                           int64_t start, int64_t n, char *to)
{
    const int64_t length = pixels * step;
    if (!row) gi_repeat((int)size, n, to, constant);
    for (int64_t i = 0; i < n && row;) {
        const int64_t at = start + i, left = n - i;
        int64_t       run = at < 0 ? -at : at < length ? length - at : left;
        if (run > left) run = left;
        if (at >= 0 && at < length) {
            memcpy(to + i * size, row + at * size, (size_t)(run * size));
        } else if (border == GA_BORDER_CONSTANT) {
            gi_repeat((int)size, run, to + i * size, constant);
        } else {
            int64_t pixel = at >= 0 ? at / step : -((step - 1 - at) / step), within = at - pixel * step;
            run = step - within < left ? step - within : left;
            memcpy(to + i * size, row + (gi_border_index(pixel, pixels, border) * step + within) * size, (size_t)(run * size));
        }
        i += run;
    }
}

/* Elements start .. start + n of the last axis of `in`, in the row with these coordinates; what is outside by the border. */
static void gi_read_bordered(const gi_correlation *c, const int64_t *row, int64_t start, int64_t n, const char *constant,
                             char *to)
{
    const int64_t size = ga_itemsize(c->dtype), length = c->shape[c->ndim - 1];
    int64_t       at = 0;
    for (int d = 0; d < c->ndim - 1 && at >= 0; d++) {
        int64_t i = gi_border_index(row[d], c->shape[d], c->border);
        at        = i < 0 ? -1 : at * c->shape[d] + i;
    }
    gi_read_padded(at < 0 ? NULL : (const char *)c->in + at * length * size, length, 1, size, c->border, constant, start, n,
                   to);
}

/* Where a row of `in` begins, counted from the first neighbour of a plane of results in a plane of weights; NULL: outside. */
static const char *gi_find_row(const gi_correlator *j, int64_t plane, int64_t weight_plane, int64_t row)
{
    const gi_correlation *c    = &j->c;
    int                   rows = c->ndim - 2;
    int64_t               at = gi_border_index(row + c->offset[rows], c->shape[rows], c->border), stride = c->shape[rows];
    for (int d = rows - 1; d >= 0 && at >= 0; d--) {
        int64_t i = gi_border_index(plane % c->result[d] + weight_plane % c->size[d] + c->offset[d], c->shape[d], c->border);
        at        = i < 0 ? -1 : at + i * stride;
        stride *= c->shape[d];
        plane /= c->result[d];
        weight_plane /= c->size[d];
    }
    return at < 0 ? NULL : (const char *)c->in + at * c->shape[rows + 1] * j->step * j->size;
}

static char *gi_patch_out(const gi_correlator *j, const gi_patch *p)
{
    return (char *)j->c.out + ((p->plane * j->c.result[j->c.ndim - 2] + p->row) * j->width + p->column) * j->size;
}

/* Copies what a part of the weights (row u and column v of a plane) meets around a block; zeros fill the room up. */
static void gi_conv_neighbours(const gi_correlator *j, const gi_patch *p, int64_t plane, int64_t u, int64_t v, const gi_taps *t,
                               int64_t room, char *x)
{
    const gi_correlation *c     = &j->c;
    const int             last  = c->ndim - 1;
    const int64_t         start = p->column + (v + c->offset[last]) * j->step, wanted = p->columns + (t->width - 1) * j->step;
    const int64_t         rows = p->rows + t->height - 1;
    for (int64_t i = 0; i < rows; i++) {
        char *to = x + i * t->pitch * j->size, *end = x + (i < rows - 1 ? (i + 1) * t->pitch : room) * j->size;
        gi_read_padded(gi_find_row(j, p->plane, plane, p->row + u + i), c->shape[last], j->step, j->size, c->border,
                       j->constant, start, wanted, to);
        to += wanted * j->size;
        memset(to, 0, (size_t)(end - to));
    }
}

/* How many of so many rows of weights to take next: tiles want 3 at least, now and in the end. */
static int64_t gi_part_height(const gi_correlator *j, int64_t left)
{
    if (left <= j->part_height) return left;
    return j->blocks_tiled && left - j->part_height < GI_TAP_ROWS - 1 ? left - (GI_TAP_ROWS - 1) : j->part_height;
}

/* A block of results through such copies, whose rows lie t.pitch elements apart; without tiles all of it is one line. */
static void gi_conv_block(const gi_correlator *j, const gi_patch *p)
{
    GI_ARENA(char, x, GI_PART_BYTES + GI_SLACK_BYTES);
    GI_ARENA(char, sums, GI_BLOCK_BYTES + GI_SLACK_BYTES);
    const gi_correlation    *c      = &j->c;
    const bool               tiled  = j->blocks_tiled;
    const gi_correlate_loop *loop   = tiled ? &j->tiles : &j->lines;
    const int64_t            height = c->size[c->ndim - 2], width = c->size[c->ndim - 1], unit = loop->columns;
    const int64_t            rows   = tiled ? (p->rows + GI_TAP_ROWS - 1) / GI_TAP_ROWS * GI_TAP_ROWS : p->rows;
    const int64_t            across = tiled ? (p->columns + unit - 1) / unit * unit : p->columns,
                  pitch             = across + (j->part_width - 1) * j->step;
    const int64_t line              = ((rows - 1) * pitch + across + unit - 1) / unit * unit;
    bool          begin             = true;
    for (int64_t k = 0; k < j->weight_planes; k++)
        for (int64_t u = 0, part; u < height; u += part) {
            part = gi_part_height(j, height - u);
            for (int64_t v = 0; v < width; v += j->part_width, begin = false) {
                gi_taps t;
                t.height  = part;
                t.width   = width - v < j->part_width ? width - v : j->part_width;
                t.step    = j->step;
                t.pitch   = pitch;
                t.weights = (const char *)c->weights + ((k * height + u) * width + v) * j->size;
                gi_conv_neighbours(j, p, k, u, v, &t,
                                   (t.height - 1) * pitch + (tiled ? rows * pitch : line + (t.width - 1) * t.step), x);
                if (tiled) loop->run(&t, rows, across, x, sums, across, begin);
                else loop->run(&t, 1, line, x, sums, line, begin);
            }
        }
    for (int64_t i = 0; i < p->rows; i++)
        memcpy(gi_patch_out(j, p) + i * j->width * j->size, sums + i * (tiled ? across : pitch) * j->size,
               (size_t)(p->columns * j->size));
}

/* Straight from `in` to `out`: all neighbours of the patch lie inside. */
static void gi_conv_inside(const gi_correlator *j, const gi_patch *p)
{
    const gi_correlation *c   = &j->c;
    const int64_t         row = p->row + c->offset[c->ndim - 2], column = p->column + c->offset[c->ndim - 1] * j->step;
    gi_taps               t;
    t.height      = c->size[c->ndim - 2];
    t.width       = c->size[c->ndim - 1];
    t.step        = j->step;
    t.pitch       = c->shape[c->ndim - 1] * j->step;
    t.weights     = c->weights;
    const char *x = gi_find_row(j, p->plane, 0, row - c->offset[c->ndim - 2]) + column * j->size;
    (j->tiled && p->rows >= GI_TAP_ROWS ? j->tiles : j->lines)
        .run(&t, p->rows, p->columns, x, gi_patch_out(j, p), j->width, true);
}

static void gi_conv_blocks(const gi_correlator *j, gi_patch p)
{
    gi_patch block = p;
    for (int64_t i = 0; i < p.rows; i += j->block_rows)
        for (int64_t k = 0; k < p.columns; k += j->block_columns) {
            block.row     = p.row + i;
            block.rows    = p.rows - i < j->block_rows ? p.rows - i : j->block_rows;
            block.column  = p.column + k;
            block.columns = p.columns - k < j->block_columns ? p.columns - k : j->block_columns;
            gi_conv_block(j, &block);
        }
}

/* What lies around the inside of a unit. */
static void gi_conv_around(const gi_correlator *j, const gi_patch *unit, const gi_patch *inside)
{
    gi_patch beside = *unit;
    beside.rows     = inside->row - unit->row; /* above and below */
    gi_conv_blocks(j, beside);
    beside.row  = inside->row + inside->rows;
    beside.rows = unit->row + unit->rows - beside.row;
    gi_conv_blocks(j, beside);
    beside         = *inside; /* to the left and to the right */
    beside.column  = unit->column;
    beside.columns = inside->column - unit->column;
    gi_conv_blocks(j, beside);
    beside.column  = inside->column + inside->columns;
    beside.columns = unit->column + unit->columns - beside.column;
    gi_conv_blocks(j, beside);
}

/* A unit of work is some rows and columns of a plane of results. */
static void gi_conv_units(int64_t begin, int64_t end, void *job)
{
    const gi_correlator *j    = (const gi_correlator *)job;
    const int64_t        rows = j->c.result[j->c.ndim - 2];
    for (int64_t n = begin; n < end; n++) {
        gi_patch unit, inside;
        unit.column  = n % j->units_across * j->unit_columns;
        unit.columns = j->width - unit.column < j->unit_columns ? j->width - unit.column : j->unit_columns;
        unit.plane   = n / j->units_across / j->units_down;
        unit.row     = n / j->units_across % j->units_down * j->unit_rows;
        unit.rows    = rows - unit.row < j->unit_rows ? rows - unit.row : j->unit_rows;
        if (gi_conv_find_inside(j, &unit, &inside)) {
            gi_conv_inside(j, &inside);
            gi_conv_around(j, &unit, &inside);
        } else gi_conv_blocks(j, unit);
    }
}

/* n, but at most high, and at least low in any case. */
static int64_t gi_within(int64_t n, int64_t low, int64_t high)
{
    if (n > high) n = high;
    return n < low ? low : n;
}

/* How large units, blocks and parts of the weights are. */
static void gi_conv_divide(gi_correlator *j)
{
    const gi_correlation *c    = &j->c;
    const int64_t         rows = c->result[c->ndim - 2], height = c->size[c->ndim - 2], width = c->size[c->ndim - 1];
    const int64_t         block = GI_BLOCK_BYTES / j->size, narrow = 1024 / j->size, part = GI_PART_BYTES / j->size;
    enum { LEAST_TILED = 2 * GI_TAP_ROWS }; /* rows of a copy, for 4 rows of results and 5 of weights */
    const int64_t span = j->tiled ? j->tiles.columns : j->lines.columns;
    j->block_columns   = gi_within(block / rows, narrow, j->tiled ? block / GI_TAP_ROWS : block) / span * span;
    if (j->block_columns > j->width) j->block_columns = j->tiled ? (j->width + span - 1) / span * span : j->width;
    j->part_width   = width;
    j->blocks_tiled = j->tiled && part / (j->block_columns + (width - 1) * j->step) >= LEAST_TILED;
    if (!j->blocks_tiled)
        j->part_width = gi_within((j->block_columns > narrow ? j->block_columns : narrow) / j->step, 1, width);
    const int64_t pitch = j->block_columns + (j->part_width - 1) * j->step, part_rows = part / pitch;
    j->block_rows = gi_within(block / (j->blocks_tiled ? j->block_columns : pitch), 1, part_rows / 2);
    if (j->blocks_tiled) j->block_rows = gi_within(j->block_rows / GI_TAP_ROWS, 1, rows) * GI_TAP_ROWS;
    j->part_height = j->part_width < width ? 1 : gi_within(part_rows - j->block_rows + 1, 1, height);
    /* units: some rows of blocks, but enough of them for all threads */
    int64_t unit    = GI_UNIT_BYTES / j->size;
    j->unit_columns = j->width < block ? j->width : block / span * span;
    j->unit_rows    = gi_within(unit / j->unit_columns, 1, rows);
    int64_t wanted  = 4 * ga_get_num_threads();
    while (j->unit_rows > 2 * GI_TAP_ROWS && j->planes * (rows / j->unit_rows) * (j->width / j->unit_columns) < wanted)
        j->unit_rows /= 2;
    if (j->unit_rows > GI_TAP_ROWS) j->unit_rows = j->unit_rows / GI_TAP_ROWS * GI_TAP_ROWS;
    j->units_down   = (rows + j->unit_rows - 1) / j->unit_rows;
    j->units_across = (j->width + j->unit_columns - 1) / j->unit_columns;
}

static void gi_conv_plan(gi_correlator *j, const gi_correlation *c)
{
    memset(j, 0, sizeof *j);
    gi_conv_join_axes(j, c);
    int rows = j->c.ndim - 2, columns = j->c.ndim - 1;
    j->size          = ga_itemsize(c->dtype);
    j->planes        = gi_shape_size(rows, j->c.result);
    j->weight_planes = gi_shape_size(rows, j->c.size);
    j->width         = j->c.result[columns] * j->step;
    j->lines         = GI_LOOP_OF(correlate)(c->dtype);
    j->tiles         = GI_LOOP_OF(correlate_tiles)(c->dtype);
    j->tiled         = j->tiles.run && j->width >= j->tiles.columns;
    if (j->c.size[rows] < GI_TAP_ROWS - 1 || j->c.result[rows] < GI_TAP_ROWS) j->tiled = false;
    gi_conv_constant(c, j->constant);
    gi_conv_divide(j);
}

/* Runs the job as it is, where its memory is. False with an error. */
static bool gi_conv_direct(const char *site, ga_device device, const gi_correlation *c)
{
    gi_correlator j;
    if (gi_shape_size(c->ndim, c->result) == 0) return true;
    if (device == GA_CUDA) return gi_gpu->correlate(site, c);
    gi_conv_plan(&j, c);
    int64_t work  = j.unit_rows * j.unit_columns * gi_shape_size(c->ndim, c->size); /* of a unit */
    int64_t units = j.planes * j.units_down * j.units_across;
    double  bytes = (double)units * (double)work * (double)j.size / 4;
    gi_parallel_bytes(bytes, units, 1 + 65536 / (work + 1), gi_conv_units, &j);
    return true;
}
