/* ==== >>filters: neighbourhoods, by order and by weights ============================================================== */

/* ---- windows: the least, the one of a rank, the mean ---------------------------------------------------------------- */
/*  out[i] is made of in[i + k + offset] for all k in a window: a box, or the true elements of a footprint. What is compared are keys
    (cpu/keys.h), so that every way of comparing has the same result; -0 comes before +0, and a NaN in the window
    gives NaN. A tile of results is computed from a packed copy of all elements that it needs:
      least, mean   along one axis after the other: of 1, 2, 4 ... elements, each from two of those before, for the whole tile at once;
                    the greatest is the least of the opposite order
      rank          by a network of minima and maxima of rows, made for this window: the elements above each other are sorted, then
                    sorted columns that lie side by side are merged; a row does so for all its positions at once
                    or, in a large window: the elements of the tile are numbered in their order, and the window is a set of bits that
                    moves along a line                                                                                        */

/* Networks. */

enum { GI_MOST_STEPS = 4096, GI_MOST_SORTED = 256 }; /* steps of a network; elements of a sorted list */

typedef struct gi_row_from { /* a row of keys, from its element `at` on */
    int row, at;
} gi_row_from;

typedef struct gi_sorted_rows { /* ascending */
    int         n;
    gi_row_from e[GI_MOST_SORTED];
} gi_sorted_rows;

/* A network while it is made. Each step has two rows of its own; gi_pack_network lets them take turns. */
typedef struct gi_network {
    int             inputs, rows, count;
    gi_network_step steps[GI_MOST_STEPS];
    gi_row_from     result;
    int             reach[GI_MOST_STEPS * 3]; /* of each row: how many elements more than results it needs, -1 none at all */
    int             place[GI_MOST_STEPS * 3]; /* of each row: where it lies, and the last step that reads it */
    int             last[GI_MOST_STEPS * 3];
} gi_network;

static void gi_compare(gi_network *net, gi_row_from a, gi_row_from b, gi_row_from *low, gi_row_from *high)
{
    const gi_network_step step = { a.row, b.row, net->rows, net->rows + 1, a.at, b.at, 0 };
    net->steps[net->count++]   = step;
    low->row                   = net->rows++;
    high->row                  = net->rows++;
    low->at = high->at = 0;
}

/* Batcher's odd-even merge. */
static void gi_merge(gi_network *net, const gi_sorted_rows *a, const gi_sorted_rows *b, gi_sorted_rows *out)
{
    GI_ARENA(gi_sorted_rows, half, 2);
    GI_ARENA(gi_sorted_rows, part, 2);
    gi_sorted_rows *even = &half[0], *odd = &half[1];
    out->n = a->n + b->n;
    if (a->n == 0 || b->n == 0) {
        memcpy(out->e, a->n ? a->e : b->e, (size_t)out->n * sizeof *out->e);
        return;
    }
    if (out->n == 2) {
        gi_compare(net, a->e[0], b->e[0], &out->e[0], &out->e[1]);
        return;
    }
    for (int k = 0; k < 2; k++) {
        part[0].n = part[1].n = 0;
        for (int i = k; i < a->n; i += 2) part[0].e[part[0].n++] = a->e[i];
        for (int i = k; i < b->n; i += 2) part[1].e[part[1].n++] = b->e[i];
        gi_merge(net, &part[0], &part[1], &half[k]);
    }
    out->e[0] = even->e[0];
    for (int i = 1; i < out->n; i += 2) { /* what is left over has no partner */
        int k = i / 2;
        if (k >= odd->n) out->e[i] = even->e[k + 1];
        else if (k + 1 >= even->n) out->e[i] = odd->e[k];
        else gi_compare(net, odd->e[k], even->e[k + 1], &out->e[i], &out->e[i + 1]);
    }
}

static void gi_sort_operands(gi_network *net, int n, const gi_row_from *e, gi_sorted_rows *out)
{
    out->n    = n;
    out->e[0] = e[0];
    if (n < 2) return;
    GI_ARENA(gi_sorted_rows, half, 2);
    gi_sort_operands(net, n / 2, e, &half[0]);
    gi_sort_operands(net, n - n / 2, e + n / 2, &half[1]);
    gi_merge(net, &half[0], &half[1], out);
}

/* The elements of a window of `columns` columns and of the one beside it. */
static void gi_merge_beside(gi_network *net, const gi_sorted_rows *a, int columns, const gi_sorted_rows *beside,
                            gi_sorted_rows *out)
{
    GI_ARENA(gi_sorted_rows, b, 1);
    *b = *beside;
    for (int i = 0; i < b->n; i++) b->e[i].at += columns;
    gi_merge(net, a, b, out);
}

/* So many neighbouring columns, of which each is the sorted list `column`. Besides each list there is one of one column more, from
   which lists of twice as many and of one more than that are made. */
static void gi_sort_columns(gi_network *net, const gi_sorted_rows *column, int columns, gi_sorted_rows *out)
{
    GI_ARENA(gi_sorted_rows, more, 1);
    GI_ARENA(gi_sorted_rows, next, 1);
    GI_ARENA(gi_sorted_rows, old, 1);
    int bit = 0;
    while (columns >> (bit + 1)) bit++;
    *out = *column;
    if (bit > 0) gi_merge_beside(net, column, 1, column, more);
    for (int have = 1; bit > 0; have = columns >> bit) {
        bool odd = columns >> --bit & 1;
        if (odd) gi_merge_beside(net, more, have + 1, out, next);
        else gi_merge_beside(net, out, have, out, next);
        if (bit > 0) {
            *old = *more;
            gi_merge_beside(net, old, have + 1, odd ? old : out, more);
        }
        *out = *next;
    }
}

/* The element of a rank in two lists together: the least of what is greater in each way to take rank + 1 elements from their fronts. */
static gi_row_from gi_select_operand(gi_network *net, const gi_sorted_rows *a, const gi_sorted_rows *b, int rank)
{
    gi_row_from best = { -1, 0 }, unused;
    for (int i = 0; i <= a->n && i <= rank + 1; i++) {
        int j = rank + 1 - i;
        if (j > b->n) continue;
        gi_row_from greater = i > 0 ? a->e[i - 1] : b->e[j - 1];
        if (i > 0 && j > 0) gi_compare(net, a->e[i - 1], b->e[j - 1], &unused, &greater);
        if (best.row < 0) best = greater;
        else gi_compare(net, best, greater, &best, &unused);
    }
    return best;
}

/* Leaves out what the result does not need, and lets rows be used again when nobody reads them any more. */
static void gi_pack_network(gi_network *net)
{
    int count = 0, ready = 0, *reach = net->reach, *last = net->last, *place = net->place, *spare = reach;
    for (int r = 0; r < net->rows; r++) reach[r] = last[r] = -1;
    reach[net->result.row] = net->result.at;
    for (int k = net->count - 1; k >= 0; k--) {
        gi_network_step *s    = &net->steps[k];
        int              more = reach[s->low] > reach[s->high] ? reach[s->low] : reach[s->high];
        s->reach              = more;
        if (more < 0) continue;
        if (reach[s->low] < 0) s->low = -1;
        if (reach[s->high] < 0) s->high = -1;
        if (reach[s->a] < more + s->at_a) reach[s->a] = more + s->at_a;
        if (reach[s->b] < more + s->at_b) reach[s->b] = more + s->at_b;
    }
    for (int k = 0; k < net->count; k++)
        if (net->steps[k].reach >= 0) net->steps[count++] = net->steps[k];
    net->count = count;
    for (int k = 0; k < count; k++) last[net->steps[k].a] = last[net->steps[k].b] = k;
    last[net->result.row] = count;
    net->rows             = net->inputs;
    for (int r = 0; r < net->inputs; r++) place[r] = r;
    for (int k = 0; k < count; k++) {
        gi_network_step *s       = &net->steps[k];
        int             *made[2] = { &s->low, &s->high };
        int              read[2] = { s->a, s->b };
        for (int i = 0; i < 2; i++) {
            if (*made[i] < 0) continue;
            place[*made[i]] = ready > 0 ? spare[--ready] : net->rows++;
            *made[i]        = place[*made[i]];
        }
        s->a = place[s->a];
        s->b = place[s->b];
        for (int i = 0; i < 2; i++)
            if (read[i] >= net->inputs && last[read[i]] == k && (i == 0 || read[0] != read[1])) spare[ready++] = place[read[i]];
    }
    net->result.row = place[net->result.row];
}

/* Tiles. */

enum {
    GI_ROW_BYTES = 8192,   /* of a tile's row, at least; half a page and less would be read in no order that is foreseen */
    GI_TILE_MOST = 65536,  /* bytes of a tile */
    GI_BOX_MOST  = 262144, /* of one of a box, if there are enough of them: what it shares with the next is copied less often */
    GI_NETWORK_BYTES  = 20480, /* of a network's rows */
    GI_SLIDE_ELEMENTS = 16384  /* that are numbered at once */
};

/* How the CPU does it. Every tile has the same extent; what lies beyond the end of the results is computed and thrown away. */
typedef struct gi_window_plan {
    const gi_window *w;
    int64_t          extent[GPUARR_MAX_DIMS], whole[GPUARR_MAX_DIMS]; /* results of a tile; elements that they need */
    int64_t          stride[GPUARR_MAX_DIMS], elements;               /* in the packed tile */
    int64_t          tiles, parts;
    bool (*run)(const struct gi_window_plan *p, const int64_t *start, int64_t kept,
                char *scratch);    /* is the tile still there? */
    gi_stream              stream; /* how results go past the caches; NULL: they do not */
    const gi_window_loops *loops;
    const gi_key_loops    *keys;
    char                  *scratch;
    size_t                 scratch_bytes;         /* of a part */
    void (*median)(int64_t n, char *const *rows); /* in place of a network's steps */
    gi_network *net;
    int64_t     row_bytes; /* of a network */
    int64_t    *rows;      /* where the window's rows lie in the tile; behind that, the slide's positions */
    size_t      rows_bytes;
    int         axis; /* along which the window slides */
    gi_slide    slide;
} gi_window_plan;

/* Loops that compute by 64 bytes read behind the end. */
static int64_t gi_roomy(int64_t bytes) { return gi_mem_padded(bytes + 2 * GI_ALIGN); }

/* The number of a position in a box of these lengths, and back. */
static void gi_unravel(int64_t number, int ndim, const int64_t *lengths, int64_t *at)
{
    for (int d = ndim - 1; d >= 0; d--) {
        at[d] = number % lengths[d];
        number /= lengths[d];
    }
}

static int64_t gi_offset_at(int ndim, const int64_t *at, const int64_t *strides)
{
    int64_t sum = 0;
    for (int d = 0; d < ndim; d++) sum += at[d] * strides[d];
    return sum;
}

/* The packed tile has the neighbours along the first so many axes. */
static void gi_lay_tile(gi_window_plan *p, int axes)
{
    p->elements = 1;
    for (int d = p->w->at.ndim - 1; d >= 0; d--) {
        p->whole[d]  = p->extent[d] + (d < axes ? p->w->at.size[d] - 1 : 0);
        p->stride[d] = p->elements;
        p->elements *= p->whole[d];
    }
}

/* Tiles as large as the window, with rows of at least `row` elements, and from there on twice as long where the neighbours weigh most, up
   to `most` elements. */
static void gi_choose_tiles(gi_window_plan *p, int64_t row, int64_t most)
{
    const gi_correlation *c = &p->w->at;
    for (int d = 0; d < c->ndim; d++) {
        p->extent[d] = d == c->ndim - 1 && row > c->size[d] ? row : c->size[d];
        if (p->extent[d] > c->result[d]) p->extent[d] = c->result[d];
    }
    for (;;) {
        int     longest  = -1;
        double  weight   = -1;
        int64_t elements = 1;
        for (int d = 0; d < c->ndim; d++) {
            double here = (double)(c->size[d] - 1) / (double)p->extent[d];
            if (p->extent[d] < c->result[d] && here >= weight) longest = d;
            if (longest == d) weight = here;
        }
        if (longest < 0) break;
        for (int d = 0; d < c->ndim; d++) elements *= p->extent[d] * (d == longest ? 2 : 1) + c->size[d] - 1;
        if (elements > most) break;
        p->extent[longest] *= 2;
    }
    p->tiles = 1;
    for (int d = 0; d < c->ndim; d++) { /* all of about the same length */
        int64_t tiles = (c->result[d] + p->extent[d] - 1) / p->extent[d];
        p->extent[d]  = (c->result[d] + tiles - 1) / tiles;
        if (d == c->ndim - 1 && tiles > 1) p->extent[d] = gi_mem_padded(p->extent[d]);
        p->tiles *= (c->result[d] + p->extent[d] - 1) / p->extent[d];
    }
    gi_lay_tile(p, c->ndim);
}

/* Row number `row` of a tile, with all its neighbours along the last axis. */
static void gi_load_row(const gi_window_plan *p, const int64_t *start, int64_t row, char *to)
{
    const gi_correlation *c    = &p->w->at;
    int                   last = c->ndim - 1;
    int64_t               at[GPUARR_MAX_DIMS];
    char                  constant[16];
    gi_number_to(GA_ARG(c->cval), c->dtype, constant);
    gi_unravel(row, last, p->whole, at);
    for (int d = 0; d < last; d++) at[d] += start[d] + c->offset[d];
    gi_read_bordered(c, at, start[last] + c->offset[last], p->extent[last] + c->size[last] - 1, constant, to);
}

/* Row number `row` of the results of a tile goes where it belongs, unless it is beyond the end. */
static void gi_store_row(const gi_window_plan *p, const int64_t *start, int64_t row, const void *results)
{
    const gi_window      *w       = p->w;
    static const gi_ahead nothing = { 0, { NULL }, { 0 } };
    int                   last    = w->at.ndim - 1;
    int64_t               at[GPUARR_MAX_DIMS], to = 0, n = w->at.result[last] - start[last];
    gi_unravel(row, last, p->extent, at);
    for (int d = 0; d < last; d++) {
        if (start[d] + at[d] >= w->at.result[d]) return;
        to = to * w->at.result[d] + start[d] + at[d];
    }
    to = to * w->at.result[last] + start[last];
    if (n > p->extent[last]) n = p->extent[last];
    char *out = (char *)w->at.out + to * ga_itemsize(w->result);
    if (p->stream) p->stream(out, results, n * ga_itemsize(w->result), &nothing);
    else gi_cast(w->result, w->work, n, out, results);
}

/* The results lie in a packed tile: they become elements, and go where they belong. */
static void gi_store_tile(const gi_window_plan *p, const int64_t *start, char *tile)
{
    int     last = p->w->at.ndim - 1;
    int64_t rows = gi_shape_size(last, p->extent), at[GPUARR_MAX_DIMS];
    for (int64_t row = 0; row < rows; row++) {
        gi_unravel(row, last, p->extent, at);
        char *results = tile + gi_offset_at(last, at, p->stride) * ga_itemsize(p->w->work);
        if (p->w->kind != GI_WINDOW_MEAN) p->keys->from_keys(&p->w->keys, p->extent[last], results);
        gi_store_row(p, start, row, results);
    }
}

/* Boxes. */

/* The least of some neighbours is the least of three keys, each of them the least of fewer, which may overlap. */
typedef struct gi_three {
    const char *at;
    int64_t     second, third; /* bytes from the first */
} gi_three;

/* Finds three for `size` neighbours that lie so many elements apart, for n keys: the least of 1, 3, 9 ... The places take turns. */
static gi_three gi_least_of_fewer(const gi_window_plan *p, int64_t n, int64_t size, int64_t apart, const char *from,
                                  char *place, char *other)
{
    int64_t have = 1, bytes = apart * ga_itemsize(p->w->work);
    for (; have * 3 < size; have *= 3) {
        n -= 2 * have * apart;
        p->loops->least(n, place, from, from + have * bytes, from + 2 * have * bytes);
        char *next = other;
        other      = place;
        from       = place;
        place      = next;
    }
    const gi_three found = { from, (have < size - have ? have : size - have) * bytes, (size - have) * bytes };
    return found;
}

static void gi_least_of_three(const gi_window_plan *p, int64_t n, char *to, const gi_three *x)
{
    p->loops->least(n, to, x->at, x->at + x->second, x->at + x->third);
}

/* The first rows of a tile that has moved by its extent along the first axis are the last ones of the one before; returns their number. */
static int64_t gi_keep_rows(const gi_window_plan *p, int64_t kept, char *tile)
{
    int64_t slab = p->stride[0] * ga_itemsize(p->w->work);
    memmove(tile, tile + p->extent[0] * slab, (size_t)(kept * slab));
    return kept * (p->stride[0] / p->whole[p->w->at.ndim - 1]);
}

/* Along the last axis row by row as they are read, then along the others all rows at once, but for the last step, which makes rows
   that are stored at once. */
static bool gi_window_run_least(const gi_window_plan *p, const int64_t *start, int64_t kept, char *scratch)
{
    const gi_window *w    = p->w;
    int              last = w->at.ndim - 1;
    int64_t          size = ga_itemsize(w->work), n = p->elements, length = p->extent[last] + w->at.size[last] - 1,
            bytes = gi_roomy(n * size), rows = gi_shape_size(last, p->extent), at[GPUARR_MAX_DIMS];
    char *tile = scratch, *places[2] = { tile + bytes, tile + 2 * bytes }, *row = tile + 3 * bytes,
         *other    = row + gi_roomy(length * size);
    gi_three three = { tile, 0, 0 };
    for (int64_t r = gi_keep_rows(p, kept, tile); r < n / p->extent[last]; r++) {
        gi_load_row(p, start, r, row);
        p->keys->to_keys(&w->keys, length, row);
        const gi_three across = gi_least_of_fewer(p, length, w->at.size[last], 1, row, other, row);
        gi_least_of_three(p, p->extent[last], tile + r * p->extent[last] * size, &across);
    }
    for (int d = 0; d < last; d++) {
        if (d > 0) { /* of the axis before */
            char *to = places[three.at == places[0]];
            gi_least_of_three(p, n, to, &three);
            three.at = to;
        }
        three = gi_least_of_fewer(p, n, w->at.size[d], p->stride[d], three.at, places[three.at == places[0]],
                                  places[three.at != places[0]]);
        n -= (w->at.size[d] - 1) * p->stride[d];
    }
    for (int64_t r = 0; r < rows; r++) {
        gi_unravel(r, last, p->extent, at);
        gi_three down = three;
        down.at += gi_offset_at(last, at, p->stride) * size;
        gi_least_of_three(p, p->extent[last], row, &down);
        p->keys->from_keys(&w->keys, p->extent[last], row);
        gi_store_row(p, start, r, row);
    }
    return true;
}

/* Elements of the tile that lie outside of the array along an axis become cval. */
static void gi_fill_outside(const gi_window_plan *p, const int64_t *start, int d, char *tile)
{
    const gi_correlation *c    = &p->w->at;
    int64_t               size = ga_itemsize(p->w->work), block = p->stride[d], first = start[d] + c->offset[d];
    char                  constant[16];
    gi_number_to(GA_ARG(c->cval), p->w->work, constant);
    for (int64_t k = 0; k < p->elements / block; k++) {
        int64_t i = first + k % p->whole[d];
        if (i >= 0 && i < c->shape[d]) continue;
        for (int64_t j = 0; j < block; j++) memcpy(tile + (k * block + j) * size, constant, (size_t)size);
    }
}

/* to[i] = from[i] + more[i + distance] */
static void gi_add_tile(const gi_window_plan *p, int64_t n, int64_t distance, char *to, const char *from, const char *more)
{
    gi_row_kernel(gi_row_add(), p->w->work)(n - distance, to, from, more + distance * ga_itemsize(p->w->work), NULL);
}

/* Of three tiles, the one that is neither of these. */
static char *gi_spare_tile(const gi_window_plan *p, char *scratch, const char *a, const char *b)
{
    while (scratch == a || scratch == b) scratch += gi_roomy(p->elements * ga_itemsize(p->w->work));
    return scratch;
}

/* Sums become means; those of integers are cut off, as they are stored between the axes. */
static void gi_divide_tile(const gi_window_plan *p, int64_t n, char *tile, int64_t by)
{
    ga_dtype  work   = p->w->work;
    gi_kernel divide = gi_row_kernel(gi_row_divide(), work), cut = p->w->cut ? gi_row_kernel(gi_row_trunc(), work) : NULL;
    double    number[GI_TILE];
    gi_number_to(GA_ARG(by), work, number);
    gi_repeat((int)ga_itemsize(work), n < GI_TILE ? n : (int64_t)GI_TILE, number, number);
    for (int64_t i = 0; i < n; i += GI_TILE) {
        int64_t m  = n - i < GI_TILE ? n - i : GI_TILE;
        char   *at = tile + i * ga_itemsize(work);
        divide(m, at, at, number, NULL);
        if (cut) cut(m, at, at, NULL, NULL);
    }
}

/* A sum is made of the sums of 1, 2, 4 ... elements that its length is made of, in this order; each of those is the sum of its halves. */
static bool gi_window_run_mean(const gi_window_plan *p, const int64_t *start, int64_t kept, char *scratch)
{
    const gi_correlation *c = &p->w->at;
    int64_t               n = p->elements, size = ga_itemsize(p->w->work), length = p->whole[c->ndim - 1];
    char                 *tile = scratch, *raw = gi_spare_tile(p, scratch, tile, NULL);
    for (int64_t row = 0; row < n / length; row++) {
        gi_load_row(p, start, row, raw);
        gi_cast(p->w->work, c->dtype, length, tile + row * length * size, raw);
    }
    for (int d = 0; d < c->ndim; d++) {
        if (c->border == GA_BORDER_CONSTANT) gi_fill_outside(p, start, d, tile);
        char   *sum   = NULL;
        int64_t added = 0;
        for (int64_t have = 1; have <= c->size[d]; have *= 2) {
            if (c->size[d] & have) {
                char *more = gi_spare_tile(p, scratch, tile, sum);
                if (sum) gi_add_tile(p, n, added * p->stride[d], more, sum, tile);
                sum = sum ? more : tile;
                added += have;
            }
            if (have * 2 > c->size[d]) break;
            char *twice = gi_spare_tile(p, scratch, tile, sum);
            gi_add_tile(p, n, have * p->stride[d], twice, tile, tile);
            tile = twice;
        }
        tile = sum;
        if (d == 0) n -= (c->size[0] - 1) * p->stride[0];
        if (c->size[d] > 1) gi_divide_tile(p, n, tile, c->size[d]);
    }
    gi_store_tile(p, start, tile);
    (void)kept;
    return false;
}

/* A tile of keys. Is there a NaN? */
static bool gi_load_keys(const gi_window_plan *p, const int64_t *start, int64_t kept, char *tile)
{
    int64_t length = p->whole[p->w->at.ndim - 1], size = ga_itemsize(p->w->work);
    bool    nan = false;
    for (int64_t row = gi_keep_rows(p, kept, tile); row < p->elements / length; row++) {
        char *to = tile + row * length * size;
        gi_load_row(p, start, row, to);
        nan = p->keys->to_keys(&p->w->keys, length, to) || nan;
    }
    return nan;
}

/* Ranks by sets of bits. */

GI_BEGIN_FAST
/* Compiled for each size of a key. Records of unsigned keys and their places, 32 bits each, or 64. */
GI_FORMULA void gi_make_records(int64_t n, const char *keys, uint64_t *records, int size)
{
    for (int64_t i = 0; i < n; i++) {
        uint64_t key = 0;
        memcpy(&key, keys + i * size, (size_t)size);
        if (size == 8) records[2 * i] = (uint64_t)i, records[2 * i + 1] = key;
        else records[i] = key << 32 | (uint64_t)i;
    }
}

/* The keys with these numbers go to every `step`-th place. */
GI_FORMULA void gi_place_keys(int64_t n, const uint32_t *numbers, const uint64_t *records, int64_t step, char *to, int size)
{
    for (int64_t i = 0; i < n; i++) {
        uint64_t key = size == 8 ? records[2 * (int64_t)numbers[i] + 1] : records[numbers[i]] >> 32;
        memcpy(to + i * step * size, &key, (size_t)size);
    }
}

static void gi_find_numbers(int64_t n, const uint64_t *records, int size, uint32_t *numbers)
{
    if (size == 8)
        for (int64_t i = 0; i < n; i++) numbers[records[2 * i]] = (uint32_t)i;
    else
        for (int64_t i = 0; i < n; i++) numbers[(uint32_t)records[i]] = (uint32_t)i;
}
GI_END_FAST

/* A sort of the keys in the tile, then lines. */
static void gi_slide_tile(const gi_window_plan *p, const int64_t *start, char *scratch)
{
    const gi_window *w    = p->w;
    int              size = (int)ga_itemsize(w->work), ndim = w->at.ndim, record = size == 8 ? 16 : 8;
    int64_t          n = p->elements, step = p->stride[p->axis], length = p->extent[p->axis], at[GPUARR_MAX_DIMS];
    gi_slide         s    = p->slide;
    const gi_keys    sign = { size > 2 ? (uint64_t)1 << (8 * size - 1) : 0, false, 0, false }; /* keys are unsigned */
    char            *tile = scratch, *memory = tile + gi_roomy(n * size), *spare = memory + gi_roomy(n * record);
    int64_t         *places  = (int64_t *)(void *)(spare + gi_roomy(n * record));
    uint32_t        *numbers = (uint32_t *)(void *)((char *)places + gi_split_bytes(n)), *found = numbers + n;
    uint64_t        *records = (uint64_t *)(void *)memory;
    s.bits                   = (uint64_t *)(void *)(found + length + (n + length) % 2);
    s.words                  = (n + 63) / 64;
    p->keys->from_keys(&sign, n, tile);
    switch (size) {
    case 1: gi_make_records(n, tile, records, 1); break;
    case 2: gi_make_records(n, tile, records, 2); break;
    case 4: gi_make_records(n, tile, records, 4); break;
    default: gi_make_records(n, tile, records, 8); break;
    }
    gi_sort_records(memory, spare, n, record, record / 2, size, places, false);
    gi_find_numbers(n, records, size, numbers);
    s.first_nan = (uint32_t)n;
    if (w->keys.real && w->kind == GI_WINDOW_RANK) /* their key is the greatest */
        while (s.first_nan > 0 &&
               (size == 8 ? records[2 * s.first_nan - 1] == UINT64_MAX : records[s.first_nan - 1] >> 32 == UINT32_MAX))
            s.first_nan--;
    int64_t lines[GPUARR_MAX_DIMS];
    memcpy(lines, p->extent, sizeof lines);
    lines[p->axis] = 1;
    for (int64_t line = 0; line < gi_shape_size(ndim, lines); line++) {
        gi_unravel(line, ndim, lines, at);
        int64_t first = gi_offset_at(ndim, at, p->stride);
        GI_LOOP_OF(slide)(&s, numbers + first, step, length, found);
        char *to = tile + first * size;
        switch (size) {
        case 1: gi_place_keys(length, found, records, step, to, 1); break;
        case 2: gi_place_keys(length, found, records, step, to, 2); break;
        case 4: gi_place_keys(length, found, records, step, to, 4); break;
        default: gi_place_keys(length, found, records, step, to, 8); break;
        }
    }
    p->keys->from_keys(&sign, n, tile);
    gi_store_tile(p, start, tile);
}

static bool gi_window_run_slide(const gi_window_plan *p, const int64_t *start, int64_t kept, char *scratch)
{
    gi_load_keys(p, start, kept, scratch);
    gi_slide_tile(p, start, scratch);
    return false;
}

/* Ranks by networks. */

/* The network of a box sorts the elements above each other and merges such columns; that of a footprint sorts all elements at once.
   False: the window is too large for a network. */
static bool gi_make_network(const gi_window *w, gi_network *net)
{
    const gi_correlation *c     = &w->at;
    int                   width = (int)c->size[c->ndim - 1], rows = (int)(w->count / width), n = 0;
    bool                  sort = w->kind == GI_WINDOW_RANK, box = !w->footprint && width > 1;
    gi_row_from           least = { -1, 0 }, unused;
    GI_ARENA(gi_row_from, e, GI_MOST_SORTED);
    GI_ARENA(gi_sorted_rows, column, 1);
    GI_ARENA(gi_sorted_rows, a, 1);
    GI_ARENA(gi_sorted_rows, b, 1);
    if (w->count > (sort ? GI_MOST_SORTED : GI_MOST_STEPS)) return false;
    rows        = (int)gi_shape_size(c->ndim - 1, c->size);
    e[0]        = least;
    net->count  = 0;
    net->inputs = net->rows = rows;
    for (int64_t k = 0; k < (int64_t)rows * width; k += box ? width : 1) {
        const gi_row_from element = { (int)(k / width), (int)(k % width) };
        if (w->footprint && !w->footprint[k]) continue;
        if (sort) e[n++] = element;
        else if (least.row < 0) least = element;
        else gi_compare(net, least, element, &least, &unused);
    }
    if (!sort && net->count == 0) gi_compare(net, least, least, &least, &unused); /* the result is no row of the tile itself */
    net->result = least;
    if (sort && box) { /* two halves, or all columns but one, and that one */
        int columns = width % 2 ? width - 1 : width / 2;
        gi_sort_operands(net, n, e, column);
        gi_sort_columns(net, column, columns, a);
        *b = width % 2 ? *column : *a;
        for (int i = 0; i < b->n; i++) b->e[i].at += columns;
    } else if (sort) {
        gi_sort_operands(net, n / 2, e, a);
        gi_sort_operands(net, n - n / 2, e + n / 2, b);
    }
    if (sort) net->result = gi_select_operand(net, a, b, (int)w->rank);
    gi_pack_network(net);
    return true;
}

/* Ranks by networks. */

static bool gi_window_run_network(const gi_window_plan *p, const int64_t *start, int64_t kept, char *scratch)
{
    const gi_window *w    = p->w;
    int              last = w->at.ndim - 1;
    int64_t          size = ga_itemsize(w->work), at[GPUARR_MAX_DIMS];
    char            *tile = scratch, *more = scratch + gi_roomy(p->elements * size), **rows = (char **)(void *)more;
    if (gi_load_keys(p, start, kept, tile) && w->kind == GI_WINDOW_RANK) {
        gi_slide_tile(p, start, scratch); /* that counts the NaNs of a window */
        return false;
    }
    more += gi_roomy(p->net->rows * (int64_t)sizeof *rows);
    for (int k = p->net->inputs; k < p->net->rows; k++) rows[k] = more + (k - p->net->inputs) * p->row_bytes;
    for (int64_t row = 0; row < gi_shape_size(last, p->extent); row++) {
        gi_unravel(row, last, p->extent, at);
        for (int k = 0; k < p->net->inputs; k++) rows[k] = tile + (gi_offset_at(last, at, p->stride) + p->rows[k]) * size;
        if (p->median) p->median(p->extent[last], rows);
        else p->loops->run_steps(p->net->steps, p->net->count, rows, p->extent[last]);
        char *result = rows[p->net->result.row];
        p->keys->from_keys(&w->keys, p->extent[last], result);
        gi_store_row(p, start, row, result);
    }
    return true;
}

/* Where the elements of the window lie in the tile, and which of them have none before and none behind them along an axis; with a NULL
   they are only counted. */
static void gi_list_window(const gi_window *w, const int64_t *stride, int axis, gi_slide *s, int64_t *positions)
{
    const gi_correlation *c   = &w->at;
    int64_t               all = gi_shape_size(c->ndim, c->size), apart = 1, count = 0, first = 0, last = 0, at[GPUARR_MAX_DIMS];
    for (int d = axis + 1; d < c->ndim; d++) apart *= c->size[d];
    int64_t *leaving = positions ? positions + s->count : NULL, *entering = positions ? leaving + s->edges : NULL;
    for (int64_t k = 0; k < all; k++) {
        if (w->footprint && !w->footprint[k]) continue;
        gi_unravel(k, c->ndim, c->size, at);
        int64_t place = gi_offset_at(c->ndim, at, stride);
        bool    begin = at[axis] == 0 || (w->footprint && !w->footprint[k - apart]);
        bool    end   = at[axis] == c->size[axis] - 1 || (w->footprint && !w->footprint[k + apart]);
        if (positions) positions[count] = place;
        if (positions && begin) leaving[first] = place;
        if (positions && end) entering[last] = place;
        count++;
        first += begin;
        last += end;
    }
    s->count    = count;
    s->edges    = first;
    s->window   = positions;
    s->leaving  = leaving;
    s->entering = entering;
}

/* The whole on the CPU. */

/* Nanoseconds for a result, roughly. */
static double gi_network_cost(const gi_network *net, int64_t size)
{
    double results = 4;
    for (int k = 0; k < net->count; k++) results += (net->steps[k].low >= 0) + (net->steps[k].high >= 0);
    return results * (double)size / 32 * (size == 8 ? 0.7 : 0.5);
}

static double gi_slide_cost(const gi_window_plan *p, int64_t size)
{
    return 10 + 2.5 * (double)p->slide.edges +
           (4 + 3 * (double)size) * (double)p->elements / (double)gi_shape_size(p->w->at.ndim, p->extent);
}

/* A unit is a part of the tiles, which go along the first axis as far as possible. */
static void gi_window_parts(int64_t begin, int64_t end, void *job)
{
    const gi_window_plan *p = (const gi_window_plan *)job;
    const gi_correlation *c = &p->w->at;
    int64_t               tiles[GPUARR_MAX_DIMS], start[GPUARR_MAX_DIMS];
    for (int d = 0; d < c->ndim; d++) tiles[d] = (c->result[d] + p->extent[d] - 1) / p->extent[d];
    for (int64_t part = begin; part < end; part++) {
        bool there = false;
        for (int64_t tile = p->tiles * part / p->parts; tile < p->tiles * (part + 1) / p->parts; tile++) {
            gi_unravel(tile / tiles[0], c->ndim - 1, tiles + 1, start + 1);
            start[0] = tile % tiles[0];
            there    = there && start[0] > 0 && c->ndim > 1;
            for (int d = 0; d < c->ndim; d++) start[d] *= p->extent[d];
            there = p->run(p, start, there ? c->size[0] - 1 : 0, p->scratch + (size_t)part * p->scratch_bytes);
        }
    }
    if (p->stream) gi_stream_end();
}

static int64_t gi_slide_bytes(int64_t n, int64_t size, int64_t length)
{
    return gi_roomy(n * size) + 2 * gi_roomy(n * (size == 8 ? 16 : 8)) + gi_split_bytes(n) +
           ((n + length + 1) / 2 + n / 64 + 1) * (int64_t)sizeof(int64_t);
}

/* Is it the median of a box of n rows of n elements? */
static bool gi_is_median_of(const gi_window *w, int64_t n)
{
    return w->kind == GI_WINDOW_RANK && !w->footprint && w->at.size[w->at.ndim - 1] == n && w->count == n * n &&
           w->rank == w->count / 2;
}

static void gi_use_median(gi_window_plan *p, void (*median)(int64_t n, char *const *rows), int inputs, int rows)
{
    p->median          = median;
    p->net->inputs     = inputs;
    p->net->rows       = rows;
    p->net->result.row = rows - 1;
}

/* A network or a slide, what is faster. False: no memory. */
static bool gi_plan_ranks(const char *site, gi_window_plan *p)
{
    const gi_window *w    = p->w;
    int64_t          size = ga_itemsize(w->work), length, at[GPUARR_MAX_DIMS];
    int              last = w->at.ndim - 1;
    p->net                = (gi_network *)gi_mem_alloc(site, sizeof *p->net);
    if (!p->net) return false;
    p->net->inputs = 0;
    p->slide.edges = INT64_MAX;
    for (int d = last; d >= 0; d--) {
        gi_slide s = p->slide;
        gi_list_window(w, p->stride, d, &s, NULL);
        if (s.edges >= p->slide.edges) continue;
        p->slide = s;
        p->axis  = d;
    }
    p->slide.rank = w->kind == GI_WINDOW_RANK ? w->rank : 0;
    p->run        = gi_window_run_slide;
    gi_choose_tiles(p, 1, GI_SLIDE_ELEMENTS);
    if (gi_make_network(w, p->net) && gi_network_cost(p->net, size) < gi_slide_cost(p, size)) {
        if (gi_is_median_of(w, 3)) gi_use_median(p, p->loops->median_3x3, 3, 7);
        if (gi_is_median_of(w, 5)) gi_use_median(p, p->loops->median_5x5, 5, 21);
        int64_t row = GI_NETWORK_BYTES / (p->net->rows - p->net->inputs + 1);
        p->run      = gi_window_run_network;
        gi_choose_tiles(p, (row < 512 ? 512 : row) / size, GI_TILE_MOST / size);
    } else p->net->inputs = 0;
    if (p->elements > INT32_MAX)
        return gi_fail(site, GA_NO_MEMORY, "a window of shape %s is more than can be looked at at once",
                       gi_shape_text(last + 1, w->at.size));
    p->rows_bytes = (size_t)(p->net->inputs + p->slide.count + 2 * p->slide.edges) * sizeof *p->rows;
    p->rows       = (int64_t *)gi_mem_alloc(site, p->rows_bytes);
    if (!p->rows) return false;
    for (int k = 0; k < p->net->inputs; k++) {
        gi_unravel(k, last, w->at.size, at);
        p->rows[k] = gi_offset_at(last, at, p->stride);
    }
    gi_list_window(w, p->stride, p->axis, &p->slide, p->rows + p->net->inputs);
    length           = p->extent[p->axis];
    p->scratch_bytes = (size_t)gi_slide_bytes(p->elements, size, length);
    if (p->net->inputs == 0) return true;
    p->row_bytes  = gi_roomy((p->extent[last] + w->at.size[last]) * size);
    int64_t bytes = gi_roomy(p->elements * size) + gi_roomy(p->net->rows * (int64_t)sizeof(char *)) +
                    (p->net->rows - p->net->inputs) * p->row_bytes;
    bool falls_back = w->keys.real && w->kind == GI_WINDOW_RANK;
    if (!falls_back || (size_t)bytes > p->scratch_bytes) p->scratch_bytes = (size_t)bytes;
    return true;
}

static bool gi_cpu_window(const char *site, const gi_window *w)
{
    gi_window_plan p;
    int64_t        size = ga_itemsize(w->work), threads = ga_get_num_threads();
    bool           done = true;
    memset(&p, 0, sizeof p);
    p.w     = w;
    p.loops = GI_LOOP_OF(windows)((int)size);
    p.keys  = GI_LOOP_OF(keys)((int)size);
    if (w->kind == GI_WINDOW_MEAN || (w->kind != GI_WINDOW_RANK && !w->footprint)) {
        p.run          = w->kind == GI_WINDOW_MEAN ? gi_window_run_mean : gi_window_run_least;
        int64_t   most = GI_BOX_MOST;
        const int last = w->at.ndim - 1;
        if (p.run == gi_window_run_mean && gi_shape_size(last, w->at.size) == 1 && 16 * w->at.size[last] * size <= GI_ROW_BYTES)
            most = GI_ROW_BYTES; /* short windows of the last axis share little: tiles stay in the nearest cache */
        do gi_choose_tiles(&p, GI_ROW_BYTES / size, most / size);
        while (p.tiles < 4 * threads && (most /= 2) >= GI_TILE_MOST);
        if (p.run == gi_window_run_least) gi_lay_tile(&p, last);
        p.scratch_bytes = (size_t)(3 * gi_roomy(p.elements * size) +
                                   2 * gi_roomy((p.extent[w->at.ndim - 1] + w->at.size[w->at.ndim - 1]) * size));
    } else done = gi_plan_ranks(site, &p);
    if (w->work == w->result && 2 * gi_shape_size(w->at.ndim, w->at.result) * size >= GI_STREAM_FROM)
        p.stream = GI_LOOP_OF(stream); /* in and out */
    p.parts         = threads == 1 ? 1 : p.tiles < 4 * threads ? p.tiles : 4 * threads;
    p.scratch_bytes = (p.scratch_bytes + 63) / 64 * 64;
    p.scratch       = done ? (char *)gi_mem_alloc(site, (size_t)p.parts * p.scratch_bytes) : NULL;
    done            = p.scratch != NULL;
    if (done) gi_parallel(p.parts, 1, gi_window_parts, &p);
    gi_mem_release(p.scratch, (size_t)p.parts * p.scratch_bytes);
    gi_mem_release(p.rows, p.rows_bytes);
    gi_mem_release(p.net, sizeof *p.net);
    return done;
}
