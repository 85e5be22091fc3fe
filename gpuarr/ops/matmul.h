/* ==== >>products: matrix products, and sums over products along labelled axes ========================================= */
/*  Every product is one job, or several: matrices with any strides, over any number of further axes. An element of the result is one
    chain: from nothing (-0 for floats), a[i][k] * b[k][j] is added by gi_fma in the order of k. So it has the same bits whatever the
    blocks, threads and instruction sets, and on the GPU. Its error grows with the length of the chain, as any plain sum's does.
    The other sums of products, of vectors alone, go along the documented tree (>>reductions).                                      */

/* ---- on the CPU: blocks, packed side by side ------------------------------------------------------------------------- */
/*  A unit of work is a block of the result. GI_TILE_DEPTH products at a time, what it needs of b is packed into strips as wide as a
    tile, then some rows of a at a time are packed and meet one strip after the other. What lies well already is not packed. Integers of
    1 or 2 bytes and bools are widened to 4 bytes on the way. A complex matrix is packed as a real one: a as it is, twice as long, and of each
    row of b two, (re, im) and (-im, re). */

GI_BEGIN_FAST
typedef void (*gi_packer)(int64_t lines, int64_t n, void *out, int64_t next, const char *in, int64_t line, int64_t step);
typedef void (*gi_unpack)(int64_t lines, int64_t n, char *out, int64_t line, int64_t step, const void *in, int64_t next);

/* n elements each of several lines, `next` apart in `out`. Lines that lie across the memory are read in squares. */
#define GI_PACK(name, unpack_name, U, W, wide, narrow)                                                                         \
    static void name(int64_t lines, int64_t n, void *out, int64_t next, const char *in, int64_t line, int64_t step)            \
    {                                                                                                                          \
        const bool    packed = step == (int64_t)sizeof(U);                                                                     \
        const int64_t side   = packed ? n : 8;                                                                                 \
        for (int64_t l = 0; l < lines; l += 8)                                                                                 \
            for (int64_t i = 0; i < n; i += side)                                                                              \
                for (int64_t m = l; m < lines && m < l + 8; m++) {                                                             \
                    const char *from = in + m * line;                                                                          \
                    W          *to   = (W *)out + m * next;                                                                    \
                    int64_t     end  = n - i < side ? n : i + side;                                                            \
                    if (packed && sizeof(U) == sizeof(W)) memcpy(to, from, (size_t)n * sizeof(U));                             \
                    else if (packed)                                                                                           \
                        for (int64_t j = 0; j < n; j++) {                                                                      \
                            const U x = ((const U *)(const void *)from)[j];                                                    \
                            to[j]     = wide;                                                                                  \
                        }                                                                                                      \
                    else                                                                                                       \
                        for (int64_t j = i; j < end; j++) {                                                                    \
                            const U x = *(const U *)(const void *)(from + j * step);                                           \
                            to[j]     = wide;                                                                                  \
                        }                                                                                                      \
                }                                                                                                              \
    }                                                                                                                          \
    static void unpack_name(int64_t lines, int64_t n, char *out, int64_t line, int64_t step, const void *in, int64_t next)     \
    {                                                                                                                          \
        for (int64_t l = 0; l < lines; l++) {                                                                                  \
            const W *from = (const W *)in + l * next;                                                                          \
            for (int64_t j = 0; j < n; j++) {                                                                                  \
                const W x                                 = from[j];                                                           \
                *(U *)(void *)(out + l * line + j * step) = narrow;                                                            \
            }                                                                                                                  \
        }                                                                                                                      \
    }
GI_PACK(gi_pack_bool, gi_unpack_bool, uint8_t, uint32_t, x != 0, x != 0)
GI_PACK(gi_pack_1, gi_unpack_1, uint8_t, uint32_t, x, (uint8_t)x)
GI_PACK(gi_pack_2, gi_unpack_2, uint16_t, uint32_t, x, (uint16_t)x)
GI_PACK(gi_pack_4, gi_unpack_4, uint32_t, uint32_t, x, x)
GI_PACK(gi_pack_8, gi_unpack_8, gi_loose_u64, uint64_t, x, x)
GI_PACK(gi_pack_16, gi_unpack_16, ga_c128, ga_c128, x, x)
#undef GI_PACK
GI_END_FAST

#define GI_PANEL_ROW (GI_TILE_DEPTH + 8) /* elements from one packed row of a to the next: not in the same sets of the cache */
#define GI_BAND      2048                /* bytes of a packed row of a block */
#define GI_GROUP     48                  /* rows of a that are packed at a time; */
#define GI_TILES     2                   /* as they lie, so many tiles: rows far apart compete for places in the caches */
#define GI_NEAR      16384               /* bytes that are packed in the arena */
#define GI_SMALL_B   131072              /* bytes that a tile may walk over in a b that is not packed */

typedef struct gi_blocks {
    const gi_product       *p;
    const gi_product_tiles *tiles;
    gi_packer               pack;
    gi_unpack               unpack;
    gi_turn_lines           turn;                   /* packs matrices that lie across, or NULL */
    int64_t                 size, packed;           /* bytes of an element, before and after packing */
    int64_t                 parts;                  /* rows that one row of b becomes: 2 of complex numbers */
    int64_t                 width, strip;           /* columns in a vector, and in a strip, which is as wide as a tile */
    bool                    mirrored;               /* b is a, turned: what is right of the diagonal is left out */
    bool                    flat;                   /* few rows meet a b that is read as it lies, */
    bool                    direct_a, direct_b;     /* or whole rows of a, whole strips of b are not packed */
    int64_t                 height, breadth, depth; /* of a block */
    int64_t                 group;                  /* rows of a that meet one strip after the other */
    int64_t                 down, across;           /* how many blocks */
    int64_t                 room;                   /* bytes of the strips of a block */
    int                     rooms;                  /* of which so many are in `memory`, one for each thread */
    char                   *memory;
    char                    taken[GI_MOST_THREADS]; /* atomic */
} gi_blocks;

static int64_t gi_over(int64_t n, int64_t by) { return (n + by - 1) / by; }

static void gi_pack_lines(const gi_blocks *j, int64_t lines, int64_t n, void *out, int64_t next, const char *in, int64_t line,
                          int64_t step)
{
    if (line == j->size && step != j->size && j->turn) j->turn(lines, n, out, next, in, step);
    else j->pack(lines, n, out, next, in, line, step);
}

/* Below each packed row of b, its other part: of (re, im) it is (-im, re). */
static void gi_turn_strip(const gi_blocks *j, int64_t depth, int64_t n, char *strip, int64_t bytes)
{
    for (int64_t k = 0; k < depth; k++, strip += 2 * bytes)
        if (j->p->dtype == GA_C64) {
            const ga_c64 *from = (const ga_c64 *)(const void *)strip;
            ga_c64       *to   = (ga_c64 *)(void *)(strip + bytes);
            for (int64_t i = 0; i < n; i++) to[i] = gi_make_c64(-from[i].im, from[i].re);
        } else {
            const ga_c128 *from = (const ga_c128 *)(const void *)strip;
            ga_c128       *to   = (ga_c128 *)(void *)(strip + bytes);
            for (int64_t i = 0; i < n; i++) to[i] = gi_make_c128(-from[i].im, from[i].re);
        }
}

/* A strip of a block: its columns, and where it is. */
typedef struct gi_packed_strip {
    int64_t     n;
    const char *data;
    int64_t     row; /* bytes */
} gi_packed_strip;

/* The strip that begins at a column; what is packed lies in `strips`, one behind the other. */
static gi_packed_strip gi_strip_at(const gi_blocks *j, int64_t column, int64_t columns, int64_t depth, const char *b,
                                   const char *strips)
{
    gi_packed_strip s;
    const int64_t   left = columns - column;
    s.n                  = left < j->strip ? left : j->strip;
    bool direct          = j->direct_b && s.n % j->width == 0;
    s.row                = direct ? j->p->b.row : gi_over(s.n, j->width) * j->tiles->bytes;
    s.data               = direct ? b + column * j->p->b.column : strips;
    if (!direct && !j->direct_b) s.data += column / j->strip * j->tiles->wide * j->tiles->bytes * j->parts * depth;
    return s;
}

static void gi_pack_strips(const gi_blocks *j, int64_t columns, int64_t depth, const char *b, char *strips)
{
    for (int64_t c = 0; c < columns; c += j->strip) {
        gi_packed_strip s  = gi_strip_at(j, c, columns, depth, b, strips);
        char           *to = strips + (s.data - strips);
        if (j->direct_b && s.n % j->width == 0) continue;
        if (s.n * j->packed < s.row) memset(to, 0, (size_t)(depth * j->parts * s.row));
        gi_pack_lines(j, depth, s.n, to, j->parts * s.row / j->packed, b + c * j->p->b.column, j->p->b.row, j->p->b.column);
        if (j->parts == 2) gi_turn_strip(j, depth, s.n, to, s.row);
    }
}

/* A tile of the result. What is narrower than a strip, or does not lie side by side, is computed beside. */
static void gi_multiply_tile(const gi_blocks *j, int rows, int64_t depth, const char *a, int64_t a_row,
                             const gi_packed_strip *s, char *out, bool more)
{
    __attribute__((aligned(64))) char beside[GI_TILE_ROWS * GI_TILE_WIDE * 64];
    const gi_factor                  *to   = &j->p->out;
    const int                         wide = (int)gi_over(s->n, j->width);
    const int64_t                     row  = wide * j->tiles->bytes;
    if (s->n == wide * j->width && to->column == j->size && j->size == j->packed) {
        j->tiles->tile(rows, wide, depth * j->parts, a, a_row, s->data, s->row, out, to->row, more);
        return;
    }
    if (more) {
        memset(beside, 0, (size_t)(rows * row));
        j->pack(rows, s->n, beside, row / j->packed, out, to->row, to->column);
    }
    j->tiles->tile(rows, wide, depth * j->parts, a, a_row, s->data, s->row, beside, row, more);
    j->unpack(rows, s->n, out, to->row, to->column, beside, row / j->packed);
}

/* Fetches the part of the result that the next tile begins with. */
static void gi_fetch_tile(const gi_blocks *j, int64_t rows, int64_t n, const char *out)
{
    for (int64_t r = 0; r < rows; r++)
        for (int64_t at = 0; at < n * j->size; at += GI_LINE) __builtin_prefetch(out + r * j->p->out.row + at, 1);
}

/* How many columns of a block are computed of rows that end so many rows below where the diagonal meets its first column. */
static int64_t gi_columns_of(const gi_blocks *j, int64_t columns, int64_t end)
{
    const int64_t some = end > 0 ? gi_over(end, j->strip) * j->strip : 0;
    return j->mirrored && some < columns ? some : columns;
}

/* A group of rows of a meets one strip after the other: it stays in the nearest cache. */
static void gi_multiply_group(const gi_blocks *j, int64_t rows, int64_t columns, int64_t depth, const char *a, int64_t a_row,
                              const char *b, const char *strips, char *out, bool more)
{
    const gi_product *p = j->p;
    for (int64_t c = 0; c < columns; c += j->strip) {
        const gi_packed_strip s  = gi_strip_at(j, c, columns, depth, b, strips);
        char                 *to = out + c * p->out.column;
        for (int64_t i = 0, r; i < rows; i += r, to += r * p->out.row) {
            r = rows - i;
            r = r >= j->tiles->rows ? j->tiles->rows : r >= 4 ? 4 : r >= 2 ? 2 : 1;
            if (i + r < rows && p->out.column == j->size)
                gi_fetch_tile(j, rows - i - r < r ? rows - i - r : r, s.n, to + r * p->out.row);
            gi_multiply_tile(j, (int)r, depth, a + i * a_row, a_row, &s, to, more);
        }
    }
}

/* below: how many rows below the diagonal the block begins. */
static void gi_multiply_block(const gi_blocks *j, int64_t rows, int64_t columns, int64_t below, const char *a, const char *b,
                              char *out, char *strips)
{
    const gi_product *p = j->p;
    columns             = gi_columns_of(j, columns, below + rows);
    if (rows <= 0 || columns <= 0) return;
    const int64_t packed = GI_PANEL_ROW * j->tiles->lane; /* bytes of a packed row of a */
    GI_ARENA(char, panel, j->direct_a ? 0 : GI_GROUP *packed);
    if (j->flat && rows == 1 && !p->more && j->tiles->row && p->out.column == j->size) {
        j->tiles->row(p->inner, columns, a, p->a.column, b, p->b.row, out);
        return;
    }
    for (int64_t k = 0; k < p->inner; k += j->depth, b += j->depth * p->b.row) {
        const int64_t depth = p->inner - k < j->depth ? p->inner - k : j->depth;
        gi_pack_strips(j, columns, depth, b, strips);
        for (int64_t i = 0; i < rows; i += j->group) {
            const int64_t group   = rows - i < j->group ? rows - i : j->group;
            const char   *factors = a + i * p->a.row + k * p->a.column;
            if (!j->direct_a) gi_pack_lines(j, group, depth, panel, packed / j->packed, factors, p->a.row, p->a.column);
            gi_multiply_group(j, group, gi_columns_of(j, columns, below + i + group), depth, j->direct_a ? factors : panel,
                              j->direct_a ? p->a.row : packed, b, strips, out + i * p->out.row, k > 0 || p->more);
        }
    }
}

/* The first row of a block. Those of a mirrored product get lower and lower, as their rows get longer. */
static int64_t gi_block_row(const gi_blocks *j, int64_t block)
{
    const int64_t rows = j->p->rows, most = j->tiles->rows;
    if (block >= j->down) return rows;
    if (!j->mirrored) return block * j->height;
    return (int64_t)((double)rows * gi_root_f64((double)block / (double)j->down)) / most * most;
}

static void gi_multiply_blocks(int64_t begin, int64_t end, void *job)
{
    gi_blocks        *j = (gi_blocks *)job;
    const gi_product *p = j->p;
    GI_ARENA(char, near_, GI_NEAR);
    int mine = 0;
    while (mine < j->rooms && __atomic_exchange_n(&j->taken[mine], 1, __ATOMIC_ACQUIRE)) mine++;
    for (int64_t unit = begin; unit < end; unit++) {
        const int64_t item = unit / (j->down * j->across), block = unit - item * (j->down * j->across);
        const int64_t i = gi_block_row(j, block % j->down), c = block / j->down * j->breadth;
        const char   *a, *b;
        char         *out;
        gi_product_locate_item(p, item, &a, &b, &out);
        gi_multiply_block(j, gi_block_row(j, block % j->down + 1) - i,
                          p->columns - c < j->breadth ? p->columns - c : j->breadth, i - c, a + i * p->a.row,
                          b + c * p->b.column, out + i * p->out.row + c * p->out.column,
                          j->rooms ? j->memory + mine * j->room : near_);
    }
    if (j->rooms) __atomic_store_n(&j->taken[mine], 0, __ATOMIC_RELEASE);
}

/* How elements of a dtype are packed, and which type multiplies them. */
static ga_dtype gi_packing(gi_blocks *j, ga_dtype dtype)
{
    j->size   = ga_itemsize(dtype);
    j->packed = j->size < 4 ? 4 : j->size;
    j->parts  = gi_is_complex(dtype) ? 2 : 1;
    j->pack   = dtype == GA_BOOL ? gi_pack_bool
                : j->size == 1   ? gi_pack_1
                : j->size == 2   ? gi_pack_2
                : j->size == 4   ? gi_pack_4
                : j->size == 8   ? gi_pack_8
                                 : gi_pack_16;
    j->unpack = dtype == GA_BOOL ? gi_unpack_bool
                : j->size == 1   ? gi_unpack_1
                : j->size == 2   ? gi_unpack_2
                : j->size == 4   ? gi_unpack_4
                : j->size == 8   ? gi_unpack_8
                                 : gi_unpack_16;
    if (gi_dtype_kind(dtype) >= 2) return gi_dtype_real(dtype);
    return j->size == 8 ? GA_I64 : GA_I32;
}

/* Cuts the result into blocks: so wide that the packed strips stay in a cache, so high that every thread has some. Few rows read b as
   it lies, eight rows of it at a time from one end to the other. */
static void gi_cut_blocks(gi_blocks *j, int64_t items)
{
    const gi_product *p       = j->p;
    const int64_t     threads = ga_get_num_threads(), most = j->tiles->rows, strip = j->strip;
    const bool        whole = j->size == j->packed && j->parts == 1;
    j->flat                 = whole && p->rows <= most && p->b.column == j->size;
    j->depth                = j->flat ? 8 : GI_TILE_DEPTH / j->parts;
    if (j->depth > p->inner) j->depth = p->inner;
    j->direct_a = whole && p->a.column == j->size;
    j->group    = j->direct_a ? GI_TILES * most : GI_GROUP;
    j->direct_b = j->flat || (whole && p->b.column == j->size && llabs(p->b.row) * j->depth <= GI_SMALL_B);
    j->breadth  = j->flat ? gi_over(gi_over(p->columns, threads), strip) * strip : GI_BAND / j->packed;
    if (j->flat && j->breadth > 16384) j->breadth = 16384;
    if (j->breadth > p->columns) j->breadth = p->columns;
    j->across = gi_over(p->columns, j->breadth);
    j->height = p->rows;
    for (j->down = 1; items * j->across * j->down < (j->height < 256 ? threads : 4 * threads) && j->height >= 64;) {
        j->height = gi_over(j->height / 2, most) * most;
        j->down   = gi_over(p->rows, j->height);
    }
    j->room = (j->direct_b ? 1 : gi_over(j->breadth, strip)) * j->tiles->wide * j->tiles->bytes * j->parts * j->depth;
}

enum { GI_MIRROR_ROWS = 32 }; /* of a unit of work */

/* Rows of the result get what is right of the diagonal from below it. */
static void gi_mirror_rows(int64_t begin, int64_t end, void *job)
{
    const gi_blocks  *j     = (const gi_blocks *)job;
    const gi_product *p     = j->p;
    const int64_t     bands = gi_over(p->rows, GI_MIRROR_ROWS), row = p->out.row, size = j->size;
    for (int64_t unit = begin; unit < end; unit++) {
        const int64_t at = unit % bands * GI_MIRROR_ROWS, left = p->rows - at;
        const int64_t rows = left < GI_MIRROR_ROWS ? left : (int64_t)GI_MIRROR_ROWS;
        const char   *a, *b;
        char         *out;
        gi_product_locate_item(p, unit / bands, &a, &b, &out);
        out += at * (row + size);
        for (int64_t i = 0; i < rows; i++) gi_gather((int)size, rows - i, out + i * (row + size), out + i * (row + size), row);
        if (left > rows) gi_pack_lines(j, rows, left - rows, out + rows * size, row / size, out + rows * row, size, row);
    }
}

/* Is the product one of a matrix and the same turned, and so much work that a copy is less? (Of complex numbers, the order of the four
   products would be another.) */
static bool gi_is_mirrored(const gi_blocks *j)
{
    const gi_product *p = j->p;
    bool same           = p->a.data == p->b.data && p->a.row == p->b.column && p->a.column == p->b.row && p->rows == p->columns;
    for (int d = 0; d < p->axes; d++) same = same && p->a.next[d] == p->b.next[d];
    return same && !p->more && j->parts == 1 && j->size == j->packed && p->out.column == j->size && p->out.row % j->size == 0 &&
           p->rows >= 128 && p->inner >= 128;
}

static bool gi_multiply_tiled(const char *site, const gi_product *p)
{
    const int64_t items = gi_shape_size(p->axes, p->shape);
    gi_blocks     j;
    memset(&j, 0, sizeof j - sizeof j.taken);
    j.p        = p;
    j.tiles    = GI_LOOP_OF(tiles)(gi_packing(&j, p->dtype));
    j.turn     = j.parts == 1 && j.size == j.packed ? GI_LOOP_OF(turn)((int)j.size) : NULL;
    j.width    = j.tiles->bytes / j.packed;
    j.strip    = j.tiles->wide * j.width;
    j.mirrored = gi_is_mirrored(&j);
    gi_cut_blocks(&j, items);
    const int64_t units = items * j.down * j.across, work = j.height * j.breadth * p->inner * j.parts;
    const int64_t chunk = 1 + 400000 / (work + 1);
    if (j.room > GI_NEAR) {
        j.rooms = ga_get_num_threads();
        if (j.rooms > gi_over(units, chunk)) j.rooms = (int)gi_over(units, chunk);
        memset(j.taken, 0, (size_t)j.rooms);
        j.memory = (char *)gi_mem_alloc(site, (size_t)(j.rooms * j.room));
        if (!j.memory) return false;
    }
    gi_parallel(units, chunk, gi_multiply_blocks, &j);
    gi_mem_release(j.memory, (size_t)(j.rooms * j.room));
    const int64_t bands = items * gi_over(p->rows, GI_MIRROR_ROWS);
    if (j.mirrored) gi_parallel_bytes((double)(items * p->rows * p->rows * j.size), bands, 4, gi_mirror_rows, &j);
    return true;
}

/* ---- on the CPU: few rows or columns, element by element --------------------------------------------------------------- */

#define GI_CHAINS 64 /* side by side in a unit of work */
#define GI_FEW    3  /* rows or columns that are computed so */

typedef struct gi_chained {
    const gi_product *p;
    gi_chains         chains;
    gi_chaining       j;
    int64_t           count, groups; /* chains side by side, */
    int64_t           side;          /* so many in a unit */
    int               times;         /* b's that each of them meets, */
    int64_t           again;         /* and how often that is done, for other a */
    int64_t           a_again, out_again;
} gi_chained;

static void gi_chain_units(int64_t begin, int64_t end, void *job)
{
    const gi_chained *c = (const gi_chained *)job;
    for (int64_t unit = begin; unit < end; unit++) {
        const int64_t item = c->groups == 1 ? unit : unit / c->groups, i = (unit - item * c->groups) * c->side;
        const char   *a, *b;
        char         *out;
        gi_product_locate_item(c->p, item, &a, &b, &out);
        for (int64_t t = 0; t < c->again; t++)
            c->chains(c->count - i < c->side ? c->count - i : c->side, c->times, c->p->inner,
                      out + i * c->j.out_next + t * c->out_again, a + i * c->j.a_next + t * c->a_again, b + i * c->j.b_next,
                      &c->j);
    }
}

/* Chains side by side, along the longer side of the matrices; of numbers along the longest of the other axes. */
static void gi_multiply_chained(gi_product *p)
{
    gi_chained c;
    memset(&c, 0, sizeof c);
    if (p->columns > p->rows && !gi_is_complex(p->dtype)) gi_product_transpose(p);
    c.p        = p;
    c.chains   = GI_LOOP_OF(chains)(p->dtype);
    c.j.a_step = p->a.column;
    c.j.b_step = p->b.row;
    c.count = c.times = 1;
    c.again           = 1;
    if (p->rows >= p->columns && p->rows > 1) {
        c.count       = p->rows;
        c.j.a_next    = p->a.row;
        c.j.out_next  = p->out.row;
        c.times       = (int)p->columns;
        c.j.b_again   = p->b.column;
        c.j.out_again = p->out.column;
    } else if (p->columns > 1) {
        c.count      = p->columns;
        c.j.b_next   = p->b.column;
        c.j.out_next = p->out.column;
        c.again      = p->rows;
        c.a_again    = p->a.row;
        c.out_again  = p->out.row;
    } else if (p->axes > 0) {
        int longest = 0;
        for (int d = 1; d < p->axes; d++)
            if (p->shape[d] > p->shape[longest]) longest = d;
        c.count           = p->shape[longest];
        c.j.a_next        = p->a.next[longest];
        c.j.b_next        = p->b.next[longest];
        c.j.out_next      = p->out.next[longest];
        p->shape[longest] = 1;
    }
    const int64_t items = gi_shape_size(p->axes, p->shape), even = gi_over(c.count, 2 * ga_get_num_threads());
    c.side             = items > 1 || even > 96 ? GI_CHAINS : gi_over(even, 16) * 16;
    c.groups           = gi_over(c.count, c.side);
    const int64_t work = (c.count < c.side ? c.count : c.side) * p->inner * c.times * c.again, units = items * c.groups;
    const double  bytes = gi_dtype_kind(p->dtype) >= 2 && ga_itemsize(p->dtype) == 4 ? 6 : 8; /* as which a product counts */
    gi_parallel_bytes(bytes * (double)units * (double)work, units, 1 + 32768 / work, gi_chain_units, &c);
}

/* ---- on the CPU: stacks of small matrices --------------------------------------------------------------------------------- */

enum { GI_SMALL = 16 }; /* rows and inner length, at most */

typedef struct gi_small_job {
    const gi_product *p;
    gi_small_product  each;
    gi_small_loop     loop;
} gi_small_job;

static void gi_small_units(int64_t begin, int64_t end, void *job)
{
    const gi_small_job *s = (const gi_small_job *)job;
    for (int64_t item = begin; item < end; item++) {
        const char *a, *b;
        char       *out;
        gi_product_locate_item(s->p, item, &a, &b, &out);
        s->loop(&s->each, out, a, b);
    }
}

/* False: they are not small, or do not lie row by row. */
static bool gi_multiply_small(const gi_product *p)
{
    const int64_t size = ga_itemsize(p->dtype), lane = size < 4 ? 4 : size, items = gi_shape_size(p->axes, p->shape);
    gi_small_job  s = { p,
                        { p->rows, p->inner, p->columns, p->a.row, p->a.column, p->b.row, p->out.row },
                        GI_LOOP_OF(small)(p->dtype) };
    if (!s.loop || p->more || p->rows > GI_SMALL || p->inner > GI_SMALL || p->columns < 2 || p->columns * lane > 64 ||
        p->b.column != size || p->out.column != size || items < 2)
        return false;
    const int64_t work = p->rows * p->inner * (64 / lane);
    gi_parallel_bytes(4 * (double)items * (double)work, items, 1 + 32768 / work, gi_small_units, &s);
    return true;
}

#ifdef GPUARR_USE_CBLAS
/* ---- products that are left to a BLAS library ------------------------------------------------------------------------------ */

static bool gi_cblas_product(const gi_product *p)
{
    gi_blas_matrix a, b, out;
    if (!gi_blas_takes(p, &a, &b, &out)) return false;
    const CBLAS_TRANSPOSE across_a = a.across ? CblasTrans : CblasNoTrans, across_b = b.across ? CblasTrans : CblasNoTrans;
    const int             m = (int)p->rows, n = (int)p->columns, k = (int)p->inner;
    const int             lead_a = (int)a.lead, lead_b = (int)b.lead, lead = (int)out.lead;
    const ga_c64          one64 = { 1, 0 }, zero64 = { 0, 0 };
    const ga_c128         one = { 1, 0 }, zero = { 0, 0 };
    for (int64_t item = 0; item < gi_shape_size(p->axes, p->shape); item++) {
        const char *x, *y;
        char       *to;
        gi_product_locate_item(p, item, &x, &y, &to);
        const void *u = x, *v = y;
        void       *w = to;
        if (p->dtype == GA_F32)
            cblas_sgemm(CblasRowMajor, across_a, across_b, m, n, k, 1, (const float *)u, lead_a, (const float *)v, lead_b,
                        p->more ? 1 : 0, (float *)w, lead);
        else if (p->dtype == GA_F64)
            cblas_dgemm(CblasRowMajor, across_a, across_b, m, n, k, 1, (const double *)u, lead_a, (const double *)v, lead_b,
                        p->more ? 1 : 0, (double *)w, lead);
        else if (p->dtype == GA_C64)
            cblas_cgemm(CblasRowMajor, across_a, across_b, m, n, k, &one64, u, lead_a, v, lead_b, &zero64, w, lead);
        else cblas_zgemm(CblasRowMajor, across_a, across_b, m, n, k, &one, u, lead_a, v, lead_b, &zero, w, lead);
    }
    return true;
}
#endif

/* out += a * b, of floats; out lies side by side. */
static bool gi_multiply_more(const char *site, gi_product *p)
{
    p->more = true;
#ifdef GPUARR_USE_CBLAS
    if (gi_cblas_product(p)) return true;
#endif
    return gi_multiply_tiled(site, p);
}

static bool gi_cpu_product(const char *site, gi_product *p)
{
    const int64_t size = ga_itemsize(p->dtype);
    if (gi_multiply_small(p)) return true;
    if (!gi_is_complex(p->dtype)) { /* columns are the longer of two sides that are short, else those that lie side by side */
        const bool few = p->rows <= GI_FEW || p->columns <= GI_FEW;
        if (few ? p->columns < p->rows : p->out.column != size && p->out.row == size) gi_product_transpose(p);
    }
#ifdef GPUARR_USE_CBLAS
    if (gi_cblas_product(p)) return true;
#endif
    const bool chained = (p->rows <= GI_FEW && (p->columns < 16 || p->b.column != size)) || p->columns <= GI_FEW;
    if (!chained) return gi_multiply_tiled(site, p);
    gi_multiply_chained(p);
    return true;
}

/* ---- one job ------------------------------------------------------------------------------------------------------------ */

/* Runs the product where its memory is; the result has elements, and `inner` is not 0. False with an error. */
static bool gi_multiply(const char *site, ga_device device, gi_product *p)
{
    return device == GA_CUDA ? gi_gpu->product(site, p) : gi_cpu_product(site, p);
}

/* ---- dot: the sum of the products of two vectors, along the documented tree --------------------------------------------- */

typedef struct gi_strided { /* elements that are `step` bytes apart */
    const char *data;
    int64_t     step;
    ga_dtype    dtype;
} gi_strided;

typedef struct gi_dot {
    int64_t     n; /* elements of each */
    gi_strided  x, y;
    ga_dtype    wide; /* in which they are multiplied and added */
    gi_kernel   multiply;
    gi_fold     fold;
    gi_dot_loop packed; /* of blocks that lie so, both of one dtype of floats; else NULL */
    int         fetch;
    char       *sums; /* of the blocks */
} gi_dot;

static bool gi_is_dense_line(const gi_strided *a) { return a->step == ga_itemsize(a->dtype); }

static const void *gi_read_vector(const gi_strided *a, ga_dtype dtype, int64_t start, int64_t n, void *raw, void *cast)
{
    const void *packed = a->data + start * a->step;
    if (!gi_is_dense_line(a)) {
        gi_gather((int)ga_itemsize(a->dtype), n, raw, packed, a->step);
        packed = raw;
    }
    if (a->dtype == dtype) return packed;
    gi_cast(dtype, a->dtype, n, cast, packed);
    return cast;
}

static void gi_dot_blocks(int64_t begin, int64_t end, void *job)
{
    const gi_dot *j = (const gi_dot *)job;
    typedef char  block_[GI_BLOCK * 16];
    GI_ARENA(block_, raw, 2);
    GI_ARENA(block_, cast, 2);
    for (int64_t block = begin; block < end; block++) {
        int64_t start = block * GI_BLOCK, n = j->n - start < GI_BLOCK ? j->n - start : GI_BLOCK;
        if (j->packed) {
            double       *accs = (double *)(void *)cast[0];
            const int64_t sums = j->packed(n, j->x.data + start * j->x.step, j->y.data + start * j->y.step, accs, j->fetch);
            if (sums > 1) j->fold.halve(sums, accs);
            ((double *)(void *)j->sums)[block] = accs[0];
            continue;
        }
        const void *x = gi_read_vector(&j->x, j->wide, start, n, raw[0], cast[0]);
        const void *y = gi_read_vector(&j->y, j->wide, start, n, raw[1], cast[1]);
        j->multiply(n, cast[0], x, y, NULL);
        gi_fold_block(&j->fold, n, j->sums + block * j->fold.acc_bytes, cast[0], false);
    }
}

/* to: of dtype, the sum of n products, n > 0. False with an error. */
static bool gi_cpu_dot(const char *site, int64_t n, gi_strided x, gi_strided y, ga_dtype wide, ga_dtype dtype, void *to)
{
    gi_dot        j;
    char          number[16];
    ga_c128       few[8]; /* sums of so many blocks need no memory of their own */
    const int64_t blocks = (n + GI_BLOCK - 1) / GI_BLOCK, size = ga_itemsize(x.dtype);
    j.n        = n;
    j.x        = x;
    j.y        = y;
    j.wide     = wide;
    j.multiply = gi_row_kernel(gi_row_multiply(), wide);
    gi_row_fold(wide == GA_BOOL ? gi_row_any() : gi_row_sum(), wide, &j.fold);
    const bool packed =
        gi_is_float(x.dtype) && wide == GA_F64 && x.dtype == y.dtype && gi_is_dense_line(&x) && gi_is_dense_line(&y);
    j.packed           = packed ? GI_LOOP_OF(dot)(x.dtype) : NULL;
    j.fetch            = gi_cpu_is_intel() ? gi_fetching(2 * n * size) : GI_FETCH_NOTHING;
    const int64_t room = blocks * j.fold.acc_bytes;
    const bool    own  = room > (int64_t)sizeof few;
    j.sums             = own ? (char *)gi_mem_alloc(site, (size_t)room) : (char *)few;
    if (!j.sums) return false;
    gi_parallel_bytes(2 * (double)n * (double)size, blocks, gi_share(blocks, 32), gi_dot_blocks, &j);
    gi_reduce_fold_blocks(j.fold.halve, j.fold.acc_bytes, j.sums, blocks);
    j.fold.end(1, number, j.sums, n);
    gi_cast(dtype, wide, 1, to, number);
    if (own) gi_mem_release(j.sums, (size_t)room);
    return true;
}

/* Of integers, whose sums wrap and have no order: in their own dtype. */
typedef struct gi_integer_dot {
    int64_t    n, part; /* elements; of a unit */
    gi_strided x, y;    /* of one dtype */
    gi_chains  chains;
    uint64_t   sum; /* atomic */
} gi_integer_dot;

static void gi_integer_dot_parts(int64_t begin, int64_t end, void *job)
{
    gi_integer_dot   *j    = (gi_integer_dot *)job;
    const int64_t     size = ga_itemsize(j->x.dtype);
    const gi_chaining side = { 0, 0, 0, 0, 0, size, size, 0 };
    GI_ARENA(char, raw, 2 * GI_BLOCK * 8);
    for (int64_t start = begin * j->part; start < j->n && start < end * j->part; start += j->part) {
        const int64_t n   = j->n - start < j->part ? j->n - start : j->part;
        const void   *x   = gi_read_vector(&j->x, j->x.dtype, start, n, raw, NULL);
        const void   *y   = gi_read_vector(&j->y, j->y.dtype, start, n, raw + GI_BLOCK * 8, NULL);
        uint64_t      sum = 0, wide;
        j->chains(1, 1, n, (char *)&sum, (const char *)x, (const char *)y, &side);
        gi_cast(GA_U64, j->x.dtype, 1, &wide, &sum);
        __atomic_fetch_add(&j->sum, wide, __ATOMIC_RELAXED);
    }
}

static void gi_cpu_integer_dot(int64_t n, gi_strided x, gi_strided y, void *to)
{
    const bool     packed = gi_is_dense_line(&x) && gi_is_dense_line(&y);
    gi_integer_dot j      = { n, packed ? 8 * GI_BLOCK : GI_BLOCK, x, y, GI_LOOP_OF(chains)(x.dtype), 0 };
    const int64_t  parts  = gi_over(n, j.part);
    gi_parallel_bytes(2 * (double)n * (double)ga_itemsize(x.dtype), parts, gi_share(parts, 4), gi_integer_dot_parts, &j);
    gi_cast(x.dtype, GA_U64, 1, to, &j.sum);
}

/* The same on the GPU. */
static ga_array *gi_gpu_dot(const char *site, const ga_array *a, const ga_array *b, ga_dtype dtype)
{
    ga_dtype  in = gi_is_float(dtype) || gi_is_complex(dtype) ? dtype : gi_reduce_end_dtype(GI_ENDS_SUM, dtype);
    ga_array *x =
        a->dtype == in ? gi_array_new_view(site, a, a->data, in, a->ndim, a->shape, a->strides) : gi_copy_convert(site, a, in);
    ga_array *y =
        b->dtype == in ? gi_array_new_view(site, b, b->data, in, b->ndim, b->shape, b->strides) : gi_copy_convert(site, b, in);
    ga_array *r = x && y ? gi_gpu->dot(site, x, y) : NULL;
    ga_free(x);
    ga_free(y);
    return gi_copy_finish(site, r, dtype, NULL);
}

/* The sum of n products, of elements of this dtype. */
static ga_array *gi_dot_vectors(const char *site, ga_dtype dtype, int64_t n, gi_strided x, gi_strided y)
{
    ga_dtype  wide   = dtype == GA_F32 ? GA_F64 : dtype == GA_C64 ? GA_C128 : dtype;
    ga_array *result = gi_array_new(site, dtype, GA_CPU, 0, NULL);
    if (!result) return NULL;
    bool made = true;
    if (n == 0) made = gi_array_clear(site, result);
    else if (gi_is_int(dtype)) gi_cpu_integer_dot(n, x, y, result->data);
    else made = gi_cpu_dot(site, n, x, y, wide, dtype, result->data);
    if (made) return result;
    ga_free(result);
    return NULL;
}
