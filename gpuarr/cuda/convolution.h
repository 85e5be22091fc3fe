/* ==== >>cuda convolution: sums of weighted neighbours =================================================================== */
/*  A block computes a tile of the result: 32 lines of 8 R elements along the last axis that has several weights. It brings what the sums
    need of the input into shared memory, borders settled, for one portion of the weights after the other. Each thread slides over
    its line: R sums and a window of R + V elements stay in registers, V being the elements of 16 bytes. The lanes of a warp work on
    32 lines, which lie an odd number of 16 bytes apart, so that their reads hit different banks; a weight is the same for all.

    For V weights a warp reads 512 bytes of elements and 16 bytes of weights, 5 cycles of shared memory, and multiplies 32 R V times:
    8 cycles of a multiprocessor with 128 lanes for float32 (R = 8, V = 4), or with 64 for float64 (R = 8, V = 2). So arithmetic is
    what is waited for; of 15 x 15 weights, two thirds of the instructions are multiplications. An element is brought in by some ten
    instructions, and 1.8 are for each result.

    The lines of a tile are neighbours along the second last axis if it has several weights, too. Else any lines make a tile; they are
    numbered so that those which lie together in memory are read together.                                                       */

enum { GI_TILE_LINES = 32, GI_TILE_READ_LINES = 64, GI_TILE_READS = 4, GI_TILE_WEIGHTS = 8 };

/* V elements are one access to shared memory, which has room for so many elements of the input, and an eighth of that for weights. */
template <class C> struct gi_tile {
    enum { V = GI_VECTOR(sizeof(C)), ROOM = sizeof(C) > 8 ? 2048 : 4096 };
    typedef gi_cuda_pack<C, V> pack;
};

/* An axis, for the numbering of lines and of the steps through the weights. */
typedef struct gi_cuda_axis {
    gi_wide_divisor parts;                  /* the tiles or lines side by side */
    gi_wide_divisor weights;                /* the steps */
    int64_t         part;                   /* elements of the result in a part */
    int64_t         offset, length, stride; /* of the input */
    int64_t         result, result_stride;
} gi_cuda_axis;

typedef struct gi_cuda_correlation {
    const char  *in, *weights;
    char        *out;
    int          itemsize;
    ga_border    border;
    int          ndim, along, across;   /* across: the axis of neighbouring lines; -1: any lines make a tile */
    gi_cuda_axis axis[GPUARR_MAX_DIMS]; /* in the order in which lines are numbered */
    bool         truth;                 /* of bool: the sum counts */
    bool         turned;                /* are neighbouring elements of the memory in neighbouring lines? */
    int64_t      steps, height, width;  /* weights: rows of them along across and along; steps through the other axes */
    int64_t      first;                 /* tile of the launch */
    int          rows, row;             /* weights of a portion */
    int          lines, columns;        /* of a tile that are computed at most: whole threads */
    int          pitch;                 /* elements from line to line in shared memory */
    alignas(16) char nothing[16], constant[16];
    const char *outside;  /* not NULL: where the constant is */
    const int  *factored; /* not NULL: something is to be done only if what is there is `passes` */
    int         passes;
} gi_cuda_correlation;

/* Where a line lies: the index along its axis and the place in memory of its first position; those from begin to end exist. */
typedef struct gi_cuda_line {
    int64_t index, place;
    int32_t begin, end;
} gi_cuda_line;

GI_DEVICE int32_t gi_cuda_limit(int64_t n, int32_t most) { return n < 0 ? 0 : n < most ? (int32_t)n : most; }

/* Line number k of those that a tile reads, for some weights: `length` positions. */
GI_DEVICE gi_cuda_line gi_cuda_line_read(const gi_cuda_correlation &m, int64_t tile, int k, int64_t step, int64_t row,
                                         int64_t column, int length)
{
    gi_cuda_line line    = { 0, 0, 0, 0 };
    int64_t      number  = m.across < 0 ? tile * GI_TILE_LINES + k : tile;
    bool         outside = false;
#pragma unroll 1
    for (int d = 0; d < m.ndim; d++) {
        const gi_cuda_axis &a     = m.axis[d];
        const int64_t       above = gi_divide_wide(number, a.parts), before = gi_divide_wide(step, a.weights);
        int64_t             i = (number - above * a.parts.by) * a.part + step - before * a.weights.by + a.offset;
        number                = above;
        step                  = before;
        if (d == m.along) {
            line.index = i + column;
            line.begin = gi_cuda_limit(-line.index, length);
            line.end   = gi_cuda_limit(a.length - line.index, length);
            line.place += line.index * a.stride;
        } else {
            i = gi_border_index(d == m.across ? i + row + k : i, a.length, m.border);
            outside |= i < 0;
            line.place += i * a.stride;
        }
    }
    if (outside) { /* every position is constant */
        line.index = INT64_MIN / 2;
        line.begin = line.end = 0;
    }
    return line;
}

/* Line number k of a tile's results. */
GI_DEVICE gi_cuda_line gi_cuda_line_written(const gi_cuda_correlation &m, int64_t tile, int k)
{
    gi_cuda_line line   = { 0, 0, 0, 0 };
    int64_t      number = m.across < 0 ? tile * GI_TILE_LINES + k : tile;
    bool         exists = true;
#pragma unroll 1
    for (int d = 0; d < m.ndim; d++) {
        const gi_cuda_axis &a     = m.axis[d];
        const int64_t       above = gi_divide_wide(number, a.parts);
        int64_t             i     = (number - above * a.parts.by) * a.part + (d == m.across ? k : 0);
        number                    = above;
        line.place += i * a.result_stride;
        if (d == m.along) line.end = gi_cuda_limit(a.result - i, m.columns);
        else exists = exists && i < a.result;
    }
    if (!exists || number > 0) line.end = 0;
    return line;
}

/* Elements of memory: those of the sums' type, or for uint32 anything narrower (the signs of integers do not matter); itemsize 0: bools. */
template <class C> GI_DEVICE void gi_cuda_fetch(const char *p, int itemsize, C &x) { (void)itemsize, x = *(const C *)p; }
GI_DEVICE void                    gi_cuda_fetch(const char *p, int itemsize, uint32_t &x)
{
    if (itemsize == 4) x = *(const uint32_t *)p;
    else if (itemsize == 2) x = *(const uint16_t *)p;
    else if (itemsize == 1) x = *(const uint8_t *)p;
    else x = *p != 0;
}
template <class C> GI_DEVICE void gi_cuda_drop(char *p, int itemsize, C x) { (void)itemsize, *(C *)p = x; }
GI_DEVICE void                    gi_cuda_drop(char *p, int itemsize, uint32_t x)
{
    if (itemsize == 4) *(uint32_t *)p = x;
    else if (itemsize == 2) *(uint16_t *)p = (uint16_t)x;
    else *(uint8_t *)p = (uint8_t)x;
}
template <class C> GI_DEVICE C gi_cuda_truth(C x) { return x; }
GI_DEVICE uint32_t             gi_cuda_truth(uint32_t x) { return x != 0; }

/* Brings positions 0 to length - 1 of the lines to shared memory. Neighbouring lanes read neighbours. */
template <class C>
GI_DEVICE void gi_cuda_read_lines(const gi_cuda_correlation &m, const gi_cuda_line *lines, int count, int length, C *tile)
{
    const int     warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32, step = m.turned ? GI_WARPS : 32;
    const int64_t n = m.axis[m.along].length, stride = m.axis[m.along].stride, jump = step * stride * m.itemsize;
#pragma unroll 1
    for (int k = m.turned ? lane : warp; k < count; k += m.turned ? 32 : GI_WARPS) {
        const gi_cuda_line line = lines[k];
        C                 *to   = tile + k * m.pitch;
        int                i    = m.turned ? warp : lane;
        if (line.begin == 0 && line.end == length) { /* nothing is outside */
            const char *p = m.in + (line.place + i * stride) * m.itemsize;
#pragma unroll 1
            for (; i < length; i += GI_TILE_READS * step) {
                C x[GI_TILE_READS];
#pragma unroll
                for (int b = 0; b < GI_TILE_READS; b++, p += jump)
                    if (i + b * step < length) gi_cuda_fetch(p, m.truth ? 0 : m.itemsize, x[b]);
#pragma unroll
                for (int b = 0; b < GI_TILE_READS; b++)
                    if (i + b * step < length) to[i + b * step] = x[b];
            }
        } else {
#pragma unroll 1
            for (; i < length; i += step) {
                const int64_t at = gi_border_index(line.index + i, n, m.border);
                C             x  = *(const C *)(m.outside ? m.outside : m.constant);
                if (at >= 0)
                    gi_cuda_fetch(m.in + (line.place + (at - line.index) * stride) * m.itemsize, m.truth ? 0 : m.itemsize, x);
                to[i] = x;
            }
        }
    }
}

/* Slides R sums over packs of a line, with as many packs of weights, of which the first begins with `lead` that are none. */
template <class C, int R, C (*weigh)(C, C, C), class P>
GI_DEVICE void gi_cuda_slide(C (&sums)[R], const P *line, const P *weights, int packs, int lead)
{
    enum { V = gi_tile<C>::V, RING = R + V };
    C window[RING];
#pragma unroll
    for (int k = 0; k < RING; k++) window[k] = line[k / V].e[k % V];
    const P first = weights[0];
#pragma unroll
    for (int v = 0; v < V; v++)
        if (v >= lead) {
#pragma unroll
            for (int r = 0; r < R; r++) sums[r] = weigh(sums[r], first.e[v], window[v + r]);
        }
#pragma unroll 1
    for (int pack = 1;;) {
#pragma unroll
        for (int k = V; k <= RING; k += V, pack++) { /* the window's first element is in slot k */
            if (pack == packs) return;
            const P next = line[pack + R / V], w = weights[pack];
#pragma unroll
            for (int v = 0; v < V; v++) window[k - V + v] = next.e[v];
#pragma unroll
            for (int v = 0; v < V; v++)
#pragma unroll
                for (int r = 0; r < R; r++) sums[r] = weigh(sums[r], w.e[v], window[(k + v + r) % RING]);
        }
    }
}

template <class C, int R, C (*weigh)(C, C, C)>
static __global__ void __launch_bounds__(GI_CUDA_THREADS, sizeof(C) > 8 ? 3 : 4)
    gi_cuda_correlating(const __grid_constant__ gi_cuda_correlation m)
{
    typedef typename gi_tile<C>::pack pack;
    enum { V = gi_tile<C>::V };
    GI_BLOCK_SHARED(pack, tile, [gi_tile<C>::ROOM / V]);
    GI_BLOCK_SHARED(pack, weights, [gi_tile<C>::ROOM / GI_TILE_WEIGHTS / V]);
    GI_BLOCK_SHARED(gi_cuda_line, lines, [GI_TILE_READ_LINES]);
    const int64_t number = m.first + blockIdx.x;
    const int     k = (int)threadIdx.x, warp = k / 32, lane = k % 32, pitch = m.pitch / V;
    const bool    active = lane < m.lines && warp * R < m.columns;
    C             sums[R];
    if (m.factored && *m.factored != m.passes) return;
#pragma unroll
    for (int r = 0; r < R; r++) sums[r] = *(const C *)m.nothing;
#pragma unroll 1
    for (int64_t step = 0; step < m.steps; step++)
#pragma unroll 1
        for (int64_t row = 0; row < m.height; row += m.rows)
#pragma unroll 1
            for (int64_t column = 0; column < m.width; column += m.row) {
                const int rows = gi_cuda_limit(m.height - row, m.rows), count = m.lines + rows - 1;
                const int row_n = gi_cuda_limit(m.width - column, m.row), packs = (row_n + V - 1) / V;
                const int lead = packs * V - row_n, length = m.columns + packs * V;
                if (k < count) lines[k] = gi_cuda_line_read(m, number, k, step, row, column - lead, length);
                __syncthreads();
                gi_cuda_read_lines(m, lines, count, length, (C *)tile);
#pragma unroll 1
                for (int w = warp; w < rows; w += GI_WARPS)
#pragma unroll 1
                    for (int c = lane; c < packs * V; c += 32) {
                        C x = C();
                        if (c >= lead)
                            gi_cuda_fetch(m.weights + ((step * m.height + row + w) * m.width + column + c - lead) * m.itemsize,
                                          m.truth ? 0 : m.itemsize, x);
                        ((C *)weights)[w * packs * V + c] = x;
                    }
                __syncthreads();
                if (active) {
#pragma unroll 1
                    for (int w = 0; w < rows; w++)
                        gi_cuda_slide<C, R, weigh>(sums, tile + (lane + w) * pitch + warp * (R / V), weights + w * packs, packs,
                                                   lead);
                }
                if (m.truth) {
#pragma unroll
                    for (int r = 0; r < R; r++) sums[r] = gi_cuda_truth(sums[r]);
                }
            }
    if (k < m.lines) lines[k] = gi_cuda_line_written(m, number, k);
    __syncthreads();
    if (active) {
#pragma unroll
        for (int r = 0; r < R; r += V) {
            pack p;
#pragma unroll
            for (int v = 0; v < V; v++) p.e[v] = sums[r + v];
            tile[lane * pitch + (warp * R + r) / V] = p;
        }
    }
    __syncthreads();
    const int     outer = m.turned ? m.columns : m.lines, inner = m.turned ? m.lines : m.columns;
    const int64_t stride = m.axis[m.along].result_stride;
#pragma unroll 1
    for (int o = warp; o < outer; o += GI_WARPS)
#pragma unroll 1
        for (int i = lane; i < inner; i += 32) {
            const int line = m.turned ? i : o, position = m.turned ? o : i;
            if (position < lines[line].end)
                gi_cuda_drop(m.out + (lines[line].place + position * stride) * m.itemsize, m.itemsize,
                             ((const C *)tile)[line * m.pitch + position]);
        }
}

/* The axes in the order in which lines are numbered: neighbours in memory first, the last axis with several weights last if it is not
   the last of all. r: results of a thread. Returns the number of tiles. */
static int64_t gi_cuda_number_lines(const gi_correlation *c, gi_cuda_correlation *m, int r)
{
    int last = c->ndim - 1, along = last, width = GI_WARPS * r;
    while (along > 0 && c->size[along] == 1) along--;
    if (c->size[along] == 1) along = last;
    m->ndim        = c->ndim;
    m->turned      = along < last;
    m->along       = m->turned ? last : 0;
    m->across      = !m->turned && last > 0 && c->size[last - 1] > 1 ? 1 : -1;
    m->width       = c->size[along];
    m->height      = m->across < 0 ? 1 : c->size[last - 1];
    m->columns     = width;
    m->lines       = GI_TILE_LINES;
    m->steps       = 1;
    int64_t stride = 1, result_stride = 1, lines = 1;
    for (int d = last; d >= 0; d--) {
        int           k  = d == along ? m->along : last - d - (m->turned && d < along);
        gi_cuda_axis *a  = &m->axis[k];
        a->part          = k == m->along ? width : k == m->across ? GI_TILE_LINES : 1;
        a->parts.by      = (c->result[d] + a->part - 1) / a->part;
        a->weights.by    = k == m->along || k == m->across ? 1 : c->size[d];
        a->offset        = c->offset[d];
        a->length        = c->shape[d];
        a->result        = c->result[d];
        a->stride        = stride;
        a->result_stride = result_stride;
        stride *= c->shape[d];
        result_stride *= c->result[d];
        lines *= a->parts.by;
        m->steps *= a->weights.by;
    }
    for (int k = 0; k <= last; k++) {
        m->axis[k].parts   = gi_wide_divisor_of(m->axis[k].parts.by, lines + GI_TILE_LINES);
        m->axis[k].weights = gi_wide_divisor_of(m->axis[k].weights.by, m->steps);
    }
    int64_t side_by_side = m->across < 0 ? lines : c->result[last - 1];
    if (side_by_side < GI_TILE_LINES) m->lines = (int)side_by_side;
    if (c->result[along] < width) m->columns = (int)((c->result[along] + r - 1) / r * r);
    return m->across < 0 ? (lines + GI_TILE_LINES - 1) / GI_TILE_LINES : lines;
}

/* Cuts the weights into portions of equal size that fit shared memory, with the lines and elements that they need. */
static void gi_cuda_cut_weights(gi_cuda_correlation *m, int v, int room, int width)
{
    const int     most_packs = (room / v / GI_TILE_LINES - 1) | 1, most = most_packs * v - width;
    const int64_t pieces = (m->width + most - 1) / most, packs = (m->width + pieces * v - 1) / (pieces * v);
    int64_t       rows = 1;
    m->row             = (int)(pieces == 1 ? m->width : packs * v);
    m->pitch           = (int)((width / v + packs) | 1) * v;
    if (pieces == 1) {
        rows = room / m->pitch - GI_TILE_LINES + 1;
        if (rows > room / GI_TILE_WEIGHTS / (packs * v)) rows = room / GI_TILE_WEIGHTS / (packs * v);
        if (rows > GI_TILE_READ_LINES - GI_TILE_LINES + 1) rows = GI_TILE_READ_LINES - GI_TILE_LINES + 1;
        const int64_t portions = (m->height + rows - 1) / rows;
        rows                   = (m->height + portions - 1) / portions;
    }
    m->rows = (int)rows;
}

template <class C, int R, C (*weigh)(C, C, C)>
static bool gi_cuda_start_correlation(const char *site, const gi_correlation *c, gi_cuda_correlation *m)
{
    const int64_t most  = (int64_t)1 << 30;
    int64_t       tiles = gi_cuda_number_lines(c, m, R);
    gi_cuda_cut_weights(m, gi_tile<C>::V, gi_tile<C>::ROOM, GI_WARPS * R);
    for (; m->first < tiles; m->first += most) {
        const unsigned blocks = (unsigned)(tiles - m->first < most ? tiles - m->first : most);
        GI_LAUNCH((gi_cuda_correlating<C, R, weigh>), blocks, GI_CUDA_THREADS, gi_cuda_current_stream(), *m);
        if (!gi_cuda_launched(site, "a convolution")) return false;
    }
    return true;
}

static void gi_cuda_describe_correlation(const gi_correlation *c, gi_cuda_correlation *m)
{
    memset(m, 0, sizeof *m);
    m->in       = (const char *)c->in;
    m->weights  = (const char *)c->weights;
    m->out      = (char *)c->out;
    m->itemsize = (int)ga_itemsize(c->dtype);
    m->truth    = c->dtype == GA_BOOL;
    m->border   = c->border;
    ga_arg z    = GA_ARG(0);
    z.kind      = GA_KIND_COMPLEX;
    z.re = z.im = -0.0;
    gi_number_to(z, c->dtype, m->nothing);
    gi_conv_constant(c, m->constant);
}

static bool gi_cuda_run_correlation(const char *site, const gi_correlation *c, gi_cuda_correlation *m)
{
    switch (c->dtype) {
    case GA_F32: return gi_cuda_start_correlation<float, 8, gi_weigh_f32>(site, c, m);
    case GA_F64: return gi_cuda_start_correlation<double, 8, gi_weigh_f64>(site, c, m);
    case GA_C64: return gi_cuda_start_correlation<ga_c64, 4, gi_weigh_c64>(site, c, m);
    case GA_C128: return gi_cuda_start_correlation<ga_c128, 4, gi_weigh_c128>(site, c, m);
    case GA_I64:
    case GA_U64: return gi_cuda_start_correlation<uint64_t, 4, gi_weigh_u64>(site, c, m);
    default: return gi_cuda_start_correlation<uint32_t, 8, gi_weigh_u32>(site, c, m); /* bits of signs and truths, too */
    }
}

static bool gi_cuda_correlate(const char *site, const gi_correlation *c)
{
    gi_cuda_correlation m;
    gi_cuda_describe_correlation(c, &m);
    return gi_cuda_run_correlation(site, c, &m);
}
