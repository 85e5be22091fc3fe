/* ==== >>images: objects and their measures ============================================================================ */

/* ---- label ------------------------------------------------------------------------------------------------------------ */
/*  An image of any dimensions is a list of rows, those of its last axis, each held as bits: what is not 0, or above a threshold,
    makes runs. Runs are numbered in raster order and united with the runs that they touch in neighbouring rows before them. The
    root of a set is its first run, so the objects, numbered by their roots, come in raster order, however the work was divided.
    Long rows are read and written in pieces. */

enum { GI_PIECE_WORDS = 512 };

typedef struct gi_neighbour { /* a row before */
    int64_t rows;             /* how far */
    int     offset[GPUARR_MAX_DIMS];
    bool    corners; /* runs that meet only at a corner touch */
} gi_neighbour;

typedef struct gi_labelling {
    const ga_array    *a;         /* contiguous */
    const void        *threshold; /* NULL: what is not 0; else bounds to sift with */
    const gi_bit_rows *loops;
    int64_t            rows, columns, words, pieces; /* of a row */
    int                leading;                      /* axes of rows */
    int64_t            shape[GPUARR_MAX_DIMS];
    int64_t            bands, band_rows;
    uint64_t          *bits;
    int64_t           *starts;  /* of each piece its first run, and the number of runs */
    int64_t           *parents; /* of each run a run of the same object, not after this one; in the end the label */
    gi_neighbour      *neighbours;
    int                neighbour_count;
    int64_t            farthest; /* rows */
    int                itemsize;
    char              *out;
} gi_labelling;

/* The words of a piece; at: its first one in its row. */
static int64_t gi_piece_words(const gi_labelling *l, int64_t piece, int64_t *at)
{
    *at = piece % l->pieces * GI_PIECE_WORDS;
    return l->words - *at < GI_PIECE_WORDS ? l->words - *at : (int64_t)GI_PIECE_WORDS;
}

/* Bits of n elements. */
static void gi_bits_of(const gi_labelling *l, int64_t n, uint64_t *bits, const char *x)
{
    bool     flags[GI_BLOCK];
    ga_dtype dtype = l->a->dtype;
    int64_t  size  = ga_itemsize(dtype);
    if (l->threshold) gi_sift(dtype, n, x, l->threshold, bits);
    else if (size == 1) l->loops->pack(n, bits, x);
    else
        for (int64_t i = 0; i < n; i += GI_BLOCK) {
            int64_t m = n - i < GI_BLOCK ? n - i : GI_BLOCK;
            gi_cast(GA_BOOL, dtype, m, flags, x + i * size);
            l->loops->pack(m, bits + i / 64, flags);
        }
}

static void gi_read_pieces(int64_t begin, int64_t end, void *job)
{
    gi_labelling *l = (gi_labelling *)job;
    for (int64_t piece = begin; piece < end; piece++) {
        int64_t row = piece / l->pieces, at, words = gi_piece_words(l, piece, &at), column = at * 64;
        int64_t n = l->columns - column < words * 64 ? l->columns - column : words * 64;
        gi_bits_of(l, n, l->bits + row * l->words + at,
                   (const char *)l->a->data + (row * l->columns + column) * ga_itemsize(l->a->dtype));
    }
}

static uint64_t gi_word_before(const uint64_t *bits, int64_t at) { return at > 0 ? bits[-1] : 0; }

static void gi_count_runs(int64_t begin, int64_t end, void *job)
{
    gi_labelling *l = (gi_labelling *)job;
    for (int64_t piece = begin; piece < end; piece++) {
        int64_t         at, words = gi_piece_words(l, piece, &at);
        const uint64_t *bits = l->bits + piece / l->pieces * l->words + at;
        l->starts[piece + 1] = l->loops->runs(words, bits, gi_word_before(bits, at));
    }
}

static int64_t gi_first_run(const gi_labelling *l, int64_t row) { return l->starts[row * l->pieces]; }

/* Unites a row with its neighbours among the rows from low to high. */
static void gi_unite_row(gi_labelling *l, int64_t row, int64_t low, int64_t high)
{
    if (gi_first_run(l, row) == gi_first_run(l, row + 1)) return;
    int64_t at[GPUARR_MAX_DIMS], rest = row;
    for (int d = l->leading - 1; d >= 0; d--) {
        at[d] = rest % l->shape[d];
        rest /= l->shape[d];
    }
    for (int k = 0; k < l->neighbour_count; k++) {
        const gi_neighbour *v      = &l->neighbours[k];
        int64_t             before = row - v->rows;
        bool                inside = before >= low && before < high;
        for (int d = 0; d < l->leading; d++) inside = inside && at[d] + v->offset[d] >= 0 && at[d] + v->offset[d] < l->shape[d];
        if (inside && gi_first_run(l, before) < gi_first_run(l, before + 1))
            l->loops->unite(l->words, l->bits + before * l->words, l->bits + row * l->words, gi_first_run(l, before),
                            gi_first_run(l, row), v->corners, l->parents);
    }
}

static int64_t gi_band_start(const gi_labelling *l, int64_t band)
{
    return band * l->band_rows < l->rows ? band * l->band_rows : l->rows;
}

/* A unit is a band of rows, united among themselves. */
static void gi_label_bands(int64_t begin, int64_t end, void *job)
{
    gi_labelling *l = (gi_labelling *)job;
    for (int64_t band = begin; band < end; band++) {
        int64_t first = gi_band_start(l, band), stop = gi_band_start(l, band + 1);
        for (int64_t i = gi_first_run(l, first); i < gi_first_run(l, stop); i++) l->parents[i] = i;
        for (int64_t row = first; row < stop; row++) gi_unite_row(l, row, first, row);
    }
}

GI_BEGIN_FAST
static GI_INLINE void gi_put_label(char *out, int itemsize, int64_t label)
{
    uint8_t  u8  = (uint8_t)label;
    uint16_t u16 = (uint16_t)label;
    uint32_t u32 = (uint32_t)label;
    switch (itemsize) {
    case 1: memcpy(out, &u8, sizeof u8); break;
    case 2: memcpy(out, &u16, sizeof u16); break;
    case 4: memcpy(out, &u32, sizeof u32); break;
    default: memcpy(out, &label, sizeof label);
    }
}

/* The labels of n elements from their bits; out is cleared. run: the last one that began before; inside: it goes on. */
static GI_INLINE void gi_write_row(int64_t n, char *out, int itemsize, const uint64_t *bits, const int64_t *parents,
                                   int64_t run, bool inside)
{
    for (int64_t i = 0; i < n; i += 64) {
        uint64_t word = bits[i / 64], starts = word & ~(word << 1 | (uint64_t)inside);
        if (starts & (starts - 1) && n - i >= 64) { /* several runs: element by element, without a branch */
            uint64_t in = word;
            for (int k = 0; k < 64; k++, starts >>= 1, in >>= 1) {
                run += (int64_t)(starts & 1);
                gi_put_label(out + (i + k) * itemsize, itemsize, parents[run] & -(int64_t)(in & 1));
            }
        } else {
            for (uint64_t rest = word; rest;) {
                int first = __builtin_ctzll(rest), length = ~(rest >> first) ? __builtin_ctzll(~(rest >> first)) : 64;
                run += (int64_t)(starts >> first & 1);
                for (int k = first; k < first + length; k++) gi_put_label(out + (i + k) * itemsize, itemsize, parents[run]);
                rest = first + length < 64 ? rest >> (first + length) << (first + length) : 0;
            }
        }
        inside = word >> 63;
    }
}

static void gi_write_labels(int64_t begin, int64_t end, void *job)
{
    gi_labelling *l = (gi_labelling *)job;
    for (int64_t piece = begin; piece < end; piece++) {
        int64_t         row = piece / l->pieces, at, words = gi_piece_words(l, piece, &at), column = at * 64;
        int64_t         n = l->columns - column < words * 64 ? l->columns - column : words * 64, run = l->starts[piece] - 1;
        const uint64_t *bits   = l->bits + row * l->words + at;
        char           *out    = l->out + (row * l->columns + column) * l->itemsize;
        bool            inside = gi_word_before(bits, at) >> 63;
        memset(out, 0, (size_t)(n * l->itemsize));
        switch (l->itemsize) {
        case 1: gi_write_row(n, out, 1, bits, l->parents, run, inside); break;
        case 2: gi_write_row(n, out, 2, bits, l->parents, run, inside); break;
        case 4: gi_write_row(n, out, 4, bits, l->parents, run, inside); break;
        default: gi_write_row(n, out, 8, bits, l->parents, run, inside);
        }
    }
}
GI_END_FAST

/* The least number above x in the dtype that elements are sifted as; NaN if there is none. */
static double gi_next_above(ga_dtype dtype, double x)
{
    if (gi_sifted_as(dtype) == GA_F64) return x < (double)INFINITY ? nextafter(x, (double)INFINITY) : gi_nan_f64();
    float single = gi_cast_f32_f64(x);
    return single < (float)INFINITY ? (double)nextafterf(single, (float)INFINITY) : gi_nan_f64();
}

/* The rows before a row that touch it: offsets of -1, 0 and 1 along each leading axis, the first that is not 0 being -1, and
   at most `connectivity` of them not 0. Writes them unless neighbours is NULL; returns their number. */
static int gi_list_neighbours(gi_labelling *l, int connectivity)
{
    int combinations = 1, count = 0;
    for (int d = 0; d < l->leading; d++) combinations *= 3;
    for (int c = 0; c < combinations / 2; c++) { /* in this order the second half lies behind */
        gi_neighbour v;
        int          rest = c, moved = 0;
        int64_t      stride = 1;
        memset(&v, 0, sizeof v);
        for (int d = l->leading - 1; d >= 0; d--) {
            v.offset[d] = rest % 3 - 1;
            rest /= 3;
            moved += v.offset[d] != 0;
            v.rows -= v.offset[d] * stride;
            stride *= l->shape[d];
        }
        if (moved > connectivity) continue;
        v.corners = moved < connectivity;
        if (v.rows > l->farthest) l->farthest = v.rows;
        if (l->neighbours) l->neighbours[count] = v;
        count++;
    }
    return count;
}

/* Finds the objects of a planned image and numbers them; returns their number. starts is filled, parents and neighbours have
   their room. */
static int64_t gi_find_objects(gi_labelling *l)
{
    int64_t objects = 0;
    gi_parallel(l->bands, 1, gi_label_bands, l);
    for (int64_t band = 1; band < l->bands; band++) { /* the seams */
        int64_t first = gi_band_start(l, band), stop = gi_band_start(l, band + 1);
        if (stop > first + l->farthest) stop = first + l->farthest;
        for (int64_t row = first; row < stop; row++) gi_unite_row(l, row, 0, first);
    }
    for (int64_t i = 0; i < gi_first_run(l, l->rows); i++) /* parents come before, and are labels already */
        l->parents[i] = l->parents[i] == i ? ++objects : l->parents[l->parents[i]];
    return objects;
}

ga_array *(ga_label)(const ga_array *a, ga_label_options o)
{
    const char *site = o.site;
    if (!gi_options_label(&o) || !gi_array_check(site, a, "a")) return NULL;
    ga_dtype dtype = o.dtype == GA_DTYPE_DEFAULT ? GA_I32 : o.dtype;
    if (!gi_is_int(dtype))
        return (ga_array *)gi_fail(site, GA_BAD_DTYPE, ".dtype = %s: labels are integers", ga_dtype_name(dtype));
    if (o.connectivity < 1)
        return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT, ".connectivity = %d: use 1 to the number of dimensions",
                                   o.connectivity);
    const int  connectivity = o.connectivity;
    const bool threshold    = o.above != GA_REAL_DEFAULT;
    if (threshold && gi_is_complex(a->dtype))
        return (ga_array *)gi_fail(site, GA_BAD_DTYPE, ".above does not exist for %s: complex numbers have no order",
                                   ga_dtype_name(a->dtype));
    if (a->device == GA_CUDA && threshold) {
        ga_array *bright = (ga_greater)(gi_operand_arg(a), GA_ARG(o.above), gi_map_site(site));
        ga_array *labels = bright ? gi_gpu->label(bright, dtype, connectivity, &o) : NULL;
        ga_free(bright);
        return labels;
    }
    if (a->device == GA_CUDA) return gi_gpu->label(a, dtype, connectivity, &o);
    gi_labelling l;
    char         bounds[16];
    memset(&l, 0, sizeof l);
    if (threshold) gi_sift_bounds(a->dtype, gi_next_above(a->dtype, o.above), (double)INFINITY, bounds);
    l.threshold = threshold ? bounds : NULL;
    l.loops     = GI_LOOP_OF(bits)();
    l.columns   = a->ndim > 0 ? a->shape[a->ndim - 1] : 1;
    l.leading   = a->ndim > 0 ? a->ndim - 1 : 0;
    l.rows      = l.columns > 0 ? a->size / l.columns : 0;
    l.words     = (l.columns + 63) / 64;
    l.pieces    = (l.words + GI_PIECE_WORDS - 1) / GI_PIECE_WORDS;
    l.itemsize  = (int)ga_itemsize(dtype);
    for (int d = 0; d < l.leading; d++) l.shape[d] = a->shape[d];
    l.neighbour_count = gi_list_neighbours(&l, connectivity);
    /* bands of whole planes where there are enough, so that few rows have neighbours in another band */
    int64_t threads = ga_get_num_threads();
    int64_t plane   = a->size > 0 && l.leading > 1 && l.shape[0] >= 2 * threads ? l.rows / l.shape[0] : 1;
    int64_t wanted  = a->size / 32768 + 1 < 4 * threads ? a->size / 32768 + 1 : 4 * threads;
    l.band_rows     = threads == 1 ? l.rows + 1 : (l.rows / plane / wanted + 1) * plane;
    l.bands         = (l.rows + l.band_rows - 1) / l.band_rows;

    ga_array *packed = gi_copy_contiguous(site, a, a->dtype);
    ga_array *result = packed ? gi_array_new(site, dtype, a->device, a->ndim, a->shape) : NULL;
    int64_t   pieces = l.rows * l.pieces, share = 1 + 65536 / (l.columns + 1), objects = 0, *table = NULL;
    size_t    s_bytes = (size_t)(pieces + 1) * sizeof *l.starts, p_bytes = 0;
    size_t    n_bytes = (size_t)l.neighbour_count * sizeof *l.neighbours, b_bytes = (size_t)(l.rows * l.words) * sizeof *l.bits;
    l.starts     = result ? (int64_t *)gi_mem_alloc(site, s_bytes) : NULL;
    l.neighbours = l.starts ? (gi_neighbour *)gi_mem_alloc(site, n_bytes) : NULL;
    l.bits       = l.neighbours ? (uint64_t *)gi_mem_alloc(site, b_bytes) : NULL;
    bool ok      = l.bits != NULL;
    if (ok) {
        gi_list_neighbours(&l, connectivity);
        l.a         = packed;
        l.out       = (char *)result->data;
        l.starts[0] = 0;
        gi_parallel(pieces, share, gi_read_pieces, &l);
        gi_parallel(pieces, 8 * share, gi_count_runs, &l);
        for (int64_t piece = 0; piece < pieces; piece++) l.starts[piece + 1] += l.starts[piece];
        p_bytes = (size_t)(l.starts[pieces] + 1) * sizeof *l.parents;
        table   = (int64_t *)gi_mem_alloc(site, p_bytes);
        ok      = table != NULL;
    }
    if (ok) {
        table[0]  = 0; /* for what lies before the first run */
        l.parents = table + 1;
        objects   = gi_find_objects(&l);
        ok        = gi_label_can_number(site, objects, dtype);
    }
    if (ok) gi_parallel(pieces, share, gi_write_labels, &l);
    gi_mem_release(table, p_bytes);
    gi_mem_release(l.bits, b_bytes);
    gi_mem_release(l.neighbours, n_bytes);
    gi_mem_release(l.starts, s_bytes);
    ga_free(packed);
    if (ok && o.count) *o.count = objects;
    if (ok) return result;
    ga_free(result);
    return NULL;
}
