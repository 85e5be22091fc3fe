/* ==== >>reduce: reductions along the documented tree ================================================================= */
/*  The elements that go into one result, in C order of the reduced axes, are a line. A line is cut into blocks of 1024 from its start;
    each block is folded by halves (gpuarr_cpu.h, >>folds), and so are the results of the blocks, again and again, until one is left.
    Neither threads nor strides change that order, so a result has the same bits however the array lies in memory.             */

/* How far a line lies behind the first element of the array, in bytes. */
static int64_t gi_line_offset(const gi_lines *p, int64_t line)
{
    int64_t offset = 0;
    for (int d = p->kept - 1; d > 0; d--) {
        offset += line % p->kept_shape[d] * p->kept_strides[d];
        line /= p->kept_shape[d];
    }
    return p->kept > 0 ? offset + line * p->kept_strides[0] : 0; /* a division takes as long as many elements */
}

static const char *gi_line_start(const gi_lines *p, int64_t line) { return (const char *)p->a->data + gi_line_offset(p, line); }

/* How far element `index` of a line lies behind its first one. */
static int64_t gi_offset_in_line(const gi_lines *p, int64_t index)
{
    int64_t offset = 0;
    for (int d = p->reduced - 1; d > 0; d--) {
        offset += index % p->shape[d] * p->strides[d];
        index /= p->shape[d];
    }
    return offset + index * p->strides[0];
}

/* Makes n elements of lines, from the one on that would lie so many bytes behind the first. */
static void gi_make_elements(const gi_lines *p, int64_t offset, int64_t n, void *to)
{
    p->maker->make(p->maker->job, offset / ga_itemsize(p->a->dtype), n, to);
}

/* The elements start .. start + n (at most a block) of a line, packed, as p->dtype. raw and cast hold a block of any dtype. */
static const void *gi_read_line(const gi_lines *p, int64_t line, int64_t start, int64_t n, void *raw, void *cast)
{
    int           size = (int)ga_itemsize(p->a->dtype), inner = p->reduced - 1;
    const int64_t first  = gi_line_offset(p, line);
    const void   *packed = raw;
    if (!p->maker && p->reduced == 1 && p->strides[0] == size) {
        packed = (const char *)p->a->data + first + start * size;
    } else {
        for (int64_t done = 0; done < n;) {
            int64_t index = start + done, run = p->shape[inner] - index % p->shape[inner];
            if (run > n - done) run = n - done;
            const int64_t offset = first + gi_offset_in_line(p, index);
            if (p->maker) gi_make_elements(p, offset, run, (char *)raw + done * size);
            else gi_gather(size, run, (char *)raw + done * size, (const char *)p->a->data + offset, p->strides[inner]);
            done += run;
        }
    }
    if (p->dtype == p->a->dtype || !cast) return packed; /* no room is given only where the dtypes are equal */
    gi_cast(p->dtype, p->a->dtype, n, cast, packed);
    return cast;
}

typedef enum gi_decisive { GI_NONE_DECIDES, GI_FALSE_DECIDES, GI_TRUE_DECIDES } gi_decisive;

/* How a line is folded: by a row of the table. */
typedef struct gi_reduction {
    struct gi_reduction *beside; /* another fold of the same lines, of what is read once for both; or NULL */
    gi_lines             lines;
    gi_fold              fold;
    int                  result_bytes;
    char                *result; /* packed results, one a line */
    char                *accs;   /* of the blocks of each line, or NULL when a line has only one */
    int64_t              blocks;
    int64_t              columns, width; /* of lines that are folded side by side: as many beside each other, as many at once */
    bool                 one_behind_other; /* their rows are short and lie so */
    gi_decisive          decisive;         /* the element after which all others do not matter: of any, and of all */
    bool                 decided;          /* the only line is; atomic */
    bool                 ordered;          /* there were elements whose order may matter; atomic */
} gi_reduction;

#define GI_ACC_BYTES  16                 /* of the largest accumulator */
#define GI_NEAR_BYTES ((int64_t)1 << 20) /* of the caches of one processor */
#define GI_FAR_BYTES  ((int64_t)1 << 23) /* more than those of a few: to look farther ahead is worth it */
#define GI_SPAN       (4 * GI_BLOCK)     /* elements that are folded at once where their order does not matter */

/* ---- lines one after the other ----------------------------------------------------------------------------------------- */

/* Loads what lies packed, in ascending order, into the nearest cache: what is read side by side after that comes from several places, and
   hardware prefetchers follow one stream best. Intel's stop at the end of a page, where software prefetch helps; AMD's do not, and do not
   follow software prefetch. */
static void gi_lines_load(const void *p, int64_t bytes)
{
    const bool fetch = gi_cpu_is_intel();
    for (int64_t i = 0; i < bytes; i += GI_LINE) {
        if (fetch) __builtin_prefetch((const char *)p + i + GI_LINES_AHEAD);
        (void)((const volatile char *)p)[i];
    }
}

/* Are packed lines read where they lie? */
static bool gi_lies_packed(const gi_lines *p)
{
    return !p->maker && p->reduced == 1 && p->strides[0] == ga_itemsize(p->a->dtype) && p->dtype == p->a->dtype;
}

/* What is to be fetched of so many bytes that are read. */
static int gi_fetching(int64_t bytes)
{
    return bytes <= GI_NEAR_BYTES ? GI_FETCH_NOTHING : bytes <= GI_FAR_BYTES ? GI_FETCH_NEXT : GI_FETCH_FARTHER;
}

/* And of packed lines that are in no near cache. Behind a short one may lie what is not read. */
static int gi_lies_far(const gi_lines *p)
{
    enum { SHORT = 1 << 16 };
    const int64_t bytes = p->length * ga_itemsize(p->a->dtype);
    if (p->near || !gi_lies_packed(p)) return GI_FETCH_NOTHING;
    const int  fetch = gi_fetching(p->lines * bytes);
    const bool apart = p->kept > 1 || (p->kept == 1 && p->kept_strides[0] != bytes);
    return fetch == GI_FETCH_FARTHER && apart && bytes < SHORT ? GI_FETCH_NEXT : fetch;
}

/* How much work lines are, in bytes that are moved. */
static double gi_lines_bytes(const gi_lines *p)
{
    return (double)p->lines * (double)p->length * (p->maker ? p->maker->bytes : (double)ga_itemsize(p->a->dtype));
}

/* How many units are worth to be taken by a thread, if it is so many elements that are there, and a unit is of so many. */
static int64_t gi_lines_worth(const gi_lines *p, int64_t elements, int64_t unit)
{
    return 1 + elements / (unit * (p->maker ? p->maker->cost : 1));
}

/* How many of n units a thread takes at a time, at least so many: a few equal shares; not too many, as memory is slow where one begins. */
static int64_t gi_share(int64_t n, int64_t least)
{
    const int64_t threads = ga_get_num_threads();
    int64_t       shares  = n / least < 16 * threads ? n / least : 16 * threads;
    if (shares < 4 * threads && shares > threads) shares -= shares % threads;
    return shares > 1 ? (n + shares - 1) / shares : least;
}

/* Folds n columns of eight rows that lie behind each other, and fetches bit by bit what lies six rows ahead: memory is never idle.
   (Farther ahead, memory that is in no cache is slower; nearer, what is in the last one.) */
static void gi_fold_columns(const gi_fold *f, int64_t n, char *accs, const void **rows)
{
    const int64_t size = f->item_bytes, step = 2 * GI_LINE / size;
    const char   *next = (const char *)rows[6];
    for (int64_t i = 0; i < n; i += step) {
        const int64_t now = n - i < step ? n - i : step;
        for (int64_t b = 0; b < 8 * now * size; b += GI_LINE) __builtin_prefetch(next + 8 * i * size + b);
        f->rows(now, accs + i * f->acc_bytes, rows, 8);
        for (int k = 0; k < 8; k++) rows[k] = (const char *)rows[k] + now * size;
    }
}

/* 1 to 1024 packed elements into one accumulator. Of eight rows the last one may be short, and others missing, if the fold takes some. */
static void gi_fold_tree(const gi_fold *f, int64_t n, void *acc, const void *in, int far)
{
    __attribute__((aligned(64))) char a[GI_BLOCK * GI_ACC_BYTES];
    char *const                       last  = a + sizeof a / 2; /* where eighths leave room */
    const char                       *x     = (const char *)in;
    const int64_t                     size  = f->item_bytes;
    int64_t                           h     = 16; /* elements of an eighth */
    const int                         fetch = (n == GI_BLOCK || f->block) && gi_cpu_is_intel() ? far : GI_FETCH_NOTHING;
    if (far && !fetch) gi_lines_load(in, n * size);
    if (f->block) {
        f->block(n, acc, in, fetch);
        return;
    }
    while (8 * h < n) h *= 2;
    if (n == GI_BLOCK || (f->takes_some && n >= 64)) {
        const void   *eighths[8];
        const int     count = (int)(n / h);
        const int64_t more  = (n - count * h) * size; /* bytes from here on */
        h *= size;
        for (int r = 0; r < count; r++) eighths[r] = x + r * h;
        if (more > 0) {
            memcpy(last, x + count * h, (size_t)more);
            if (f->start < 0) memcpy(last + more, x + gi_fold_partner(count) * h + more, (size_t)(h - more));
            else
                for (int64_t b = more; b < h; b += 64)
                    for (int k = 0; k < 64; k += 16) memcpy(last + b + k, f->none, 16);
            eighths[count] = last;
        }
        n = h / size;
        if (fetch) gi_fold_columns(f, n, a, eighths);
        else f->rows(n, a, eighths, count + (more > 0));
    } else f->widen(n, a, x);
    if (n > 1) f->halve(n, a);
    if (f->acc_bytes == 8) memcpy(acc, a, 8); /* no call */
    else memcpy(acc, a, (size_t)f->acc_bytes);
}

/* Packed elements into one accumulator, if that may be done in whatever order. */
static bool gi_fold_at_once(const gi_fold *f, int64_t n, void *acc, const void *in, int far)
{
    return f->at_once && f->at_once(n, acc, in, far && gi_cpu_is_intel());
}

/* 1 to 1024 packed elements into one accumulator, in that order where it matters. */
static void gi_fold_block(const gi_fold *f, int64_t n, void *acc, const void *in, int far)
{
    if (!gi_fold_at_once(f, n, acc, in, far)) gi_fold_tree(f, n, acc, in, far);
}

/* The same of up to GI_SPAN elements, where the order does not matter. accs: room for GI_BLOCK + 8; the result is the first one. */
static void gi_fold_span(const gi_fold *f, int64_t n, char *accs, const void *in, bool far)
{
    const char   *x      = (const char *)in;
    const int64_t eighth = n / 8, size = f->item_bytes, step = far ? 2 * GI_LINE / size : eighth;
    const void   *rows[8];
    if (gi_fold_at_once(f, n, accs, in, far)) return;
    for (int64_t i = 0; i < eighth; i += step) {
        const int64_t now = eighth - i < step ? eighth - i : step;
        for (int k = 0; k < 8; k++) rows[k] = x + (8 * i + k * now) * size;
        if (far) gi_lines_load(*rows, 8 * now * size);
        f->rows(now, accs + i * f->acc_bytes, rows, 8);
    }
    f->widen(n - 8 * eighth, accs + eighth * f->acc_bytes, x + 8 * eighth * size);
    f->halve(n - 7 * eighth, accs);
}

/* Is the line decided? Then so are the accumulators of the units that are left. */
static bool gi_fill_decided(const gi_reduction *r, int64_t unit, int64_t end)
{
    if (r->decisive == GI_NONE_DECIDES || !__atomic_load_n(&r->decided, __ATOMIC_RELAXED)) return false;
    memset(r->accs + unit, r->decisive == GI_TRUE_DECIDES, (size_t)(end - unit));
    return true;
}

static void gi_note_decision(gi_reduction *r, const char *acc)
{
    if (r->decisive != GI_NONE_DECIDES && r->lines.lines == 1 && *(const bool *)acc == (r->decisive == GI_TRUE_DECIDES))
        __atomic_store_n(&r->decided, true, __ATOMIC_RELAXED);
}

/* Folds a block of a line: x, which has been read. */
static void gi_reduce_block(gi_reduction *r, int64_t line, int64_t block, int64_t n, const void *x, int far)
{
    __attribute__((aligned(64))) char acc[GI_ACC_BYTES];
    char *const                       to = r->accs ? r->accs + (line * r->blocks + block) * r->fold.acc_bytes : acc;
    gi_fold_block(&r->fold, n, to, x, far);
    gi_note_decision(r, to);
    if (!r->accs) r->fold.end(1, r->result + line * r->result_bytes, acc, r->lines.length);
}

/* The same of some blocks of a long line: at once, so that each of them gets the result, as long as the order does not matter. It may for a
   zero: others may have another sign. */
static void gi_reduce_some_blocks(gi_reduction *r, int64_t line, int64_t block, int64_t blocks, int64_t n, const void *x,
                                  int far)
{
    static const char zero[GI_ACC_BYTES] = { 0 };
    const int64_t     bytes = r->fold.acc_bytes, block_bytes = GI_BLOCK * r->fold.item_bytes;
    char *const       to   = r->accs + (line * r->blocks + block) * bytes;
    const bool        once = !__atomic_load_n(&r->ordered, __ATOMIC_RELAXED) && gi_fold_at_once(&r->fold, n, to, x, far);
    if (once && (!gi_is_float(r->lines.dtype) || memcmp(to, zero, (size_t)bytes) != 0)) {
        for (int64_t k = 1; k < blocks; k++) memcpy(to + k * bytes, to, (size_t)bytes);
        return;
    }
    __atomic_store_n(&r->ordered, true, __ATOMIC_RELAXED);
    for (int64_t k = 0; k < blocks; k++, n -= GI_BLOCK)
        gi_fold_tree(&r->fold, n < GI_BLOCK ? n : GI_BLOCK, to + k * bytes, (const char *)x + k * block_bytes, far);
}

/* A unit is a block of a line. */
static void gi_reduce_blocks(int64_t begin, int64_t end, void *job)
{
    gi_reduction   *r = (gi_reduction *)job;
    const gi_lines *p = &r->lines;
    GI_ARENA(char, raw, 2 * GI_BLOCK * 16);
    char         *cast = raw + GI_BLOCK * 16;
    int64_t       line = begin / r->blocks, block = begin % r->blocks;
    const int     far  = gi_lies_far(p);
    const int64_t most = r->fold.at_once && gi_lies_packed(p) ? GI_SPAN / GI_BLOCK : 1;
    for (int64_t unit = begin, now; unit < end && !gi_fill_decided(r, unit, end); unit += now) {
        const int64_t start = block * GI_BLOCK;
        now                 = r->blocks - block < most ? r->blocks - block : most;
        now                 = end - unit < now ? end - unit : now;
        const int64_t n     = p->length - start < now * GI_BLOCK ? p->length - start : now * GI_BLOCK;
        const void   *x     = gi_read_line(p, line, start, n, raw, cast);
        for (gi_reduction *each = r; each; each = each->beside)
            if (now > 1) gi_reduce_some_blocks(each, line, block, now, n, x, each == r ? far : GI_FETCH_NOTHING);
            else gi_reduce_block(each, line, block, n, x, each == r ? far : GI_FETCH_NOTHING);
        block += now;
        if (block < r->blocks) continue;
        block = 0;
        line++;
    }
}

/* The same for lines that lie packed and may be folded in any order: a unit is GI_SPAN elements of a line. */
static void gi_reduce_spans(int64_t begin, int64_t end, void *job)
{
    gi_reduction   *r = (gi_reduction *)job;
    const gi_lines *p = &r->lines;
    GI_ARENA(char, accs, (GI_BLOCK + 8) * GI_ACC_BYTES);
    const int64_t size = ga_itemsize(p->a->dtype);
    const bool    far  = gi_lies_far(p);
    int64_t       line = begin / r->blocks, start = begin % r->blocks * GI_SPAN;
    for (int64_t unit = begin; unit < end && !gi_fill_decided(r, unit, end); unit++) {
        const int64_t n = p->length - start < GI_SPAN ? p->length - start : GI_SPAN;
        for (gi_reduction *each = r; each; each = each->beside) {
            gi_fold_span(&each->fold, n, accs, gi_line_start(p, line) + start * size, far && each == r);
            gi_note_decision(each, accs);
            if (each->accs) memcpy(each->accs + unit * each->fold.acc_bytes, accs, (size_t)each->fold.acc_bytes);
            else each->fold.end(1, each->result + line * each->result_bytes, accs, p->length);
        }
        start += GI_SPAN;
        if (start < p->length) continue;
        start = 0;
        line++;
    }
}

/* Folds the accumulators of a line's blocks, and their results again, until the first one holds the whole line. */
static void gi_reduce_fold_blocks(void (*halve)(int64_t n, void *accs), int bytes, void *accs, int64_t blocks)
{
    char *acc = (char *)accs;
    for (int64_t n = blocks; n > 1; n = (n + GI_BLOCK - 1) / GI_BLOCK)
        for (int64_t b = 0; b * GI_BLOCK < n; b++) {
            halve(n - b * GI_BLOCK < GI_BLOCK ? n - b * GI_BLOCK : GI_BLOCK, acc + b * GI_BLOCK * bytes);
            memmove(acc + b * bytes, acc + b * GI_BLOCK * bytes, (size_t)bytes);
        }
}

static void gi_reduce_lines(int64_t begin, int64_t end, void *job)
{
    gi_reduction *r = (gi_reduction *)job;
    for (int64_t line = begin; line < end; line++) {
        char *accs = r->accs + line * r->blocks * r->fold.acc_bytes;
        gi_reduce_fold_blocks(r->fold.halve, r->fold.acc_bytes, accs, r->blocks);
        r->fold.end(1, r->result + line * r->result_bytes, accs, r->lines.length);
    }
}

/* ---- lines side by side -------------------------------------------------------------------------------------------------- */
/*  A reduction over the first axis, say: neighbouring lines lie closer together than the elements of a line. Then a panel of them is
    folded row by row, each step of the tree for all of them at once.                                                          */

#define GI_PANEL_BYTES  16384 /* of the accumulators of a panel, */
#define GI_PANEL_MADE   4096  /* of a row of elements that are made, so that eight fit the nearest cache, */
#define GI_PANEL_NARROW 128   /* but so many lines when rows must be gathered, */
#define GI_PANEL_CAST   4096  /* and as many as fit these bytes when they are only converted */
#define GI_PANEL_LEVELS 11    /* accumulators of the steps of the tree that are open at a time */
#define GI_SHORT_LINE   32    /* shorter lines are not worth being folded one after the other */

typedef struct gi_panel {
    const gi_lines *lines;
    int64_t         offset; /* of the first element of the first line; where that lies; NULL: rows are made */
    const char     *at;
    int64_t         first, count; /* the lines */
    int64_t         start, n;     /* which of their elements: a block of them */
    bool            packed;       /* the elements of a row lie side by side, as they are folded */
    char           *raw, *cast;   /* else room for eight rows */
} gi_panel;

/* How many lines lie beside each other, a constant step apart? 1 if they are better read one after the other. */
static int64_t gi_line_columns(const gi_lines *p)
{
    int64_t size = ga_itemsize(p->a->dtype);
    if (p->kept == 0) return 1;
    int64_t columns = p->kept_shape[p->kept - 1], apart = p->kept_strides[p->kept - 1], along = p->strides[p->reduced - 1];
    if (apart < 0) apart = -apart;
    if (along < 0) along = -along;
    if (apart == size && along > size) return columns;
    return columns >= 16 && (apart < along || p->length < GI_SHORT_LINE) ? columns : 1;
}

static bool gi_is_dense_row(const gi_lines *p) { return p->kept_strides[p->kept - 1] == ga_itemsize(p->a->dtype); }
static bool gi_is_packed_row(const gi_lines *p) { return p->dtype == p->a->dtype && gi_is_dense_row(p); }

/* How far element k of the block of a line lies behind the line's first one. */
static int64_t gi_row_offset(const gi_panel *s, int64_t k)
{
    const gi_lines *p = s->lines;
    return p->reduced == 1 ? (s->start + k) * p->strides[0] : gi_offset_in_line(p, s->start + k);
}

/* Converts the elements of a row that lie side by side, and fetches meanwhile those at `next`, if any. */
static void gi_cast_row(const gi_panel *s, const char *row, const char *next, char *to)
{
    const gi_lines *p    = s->lines;
    const int64_t   size = ga_itemsize(p->a->dtype), wide = ga_itemsize(p->dtype), piece = 256;
    for (int64_t i = 0; i < s->count; i += piece) {
        const int64_t now = s->count - i < piece ? s->count - i : piece;
        for (int64_t b = 0; next && b < now * size; b += GI_LINE) __builtin_prefetch(next + i * size + b);
        gi_cast(p->dtype, p->a->dtype, now, to + i * wide, row + i * size);
    }
}

/* Element k of the block of each line of a panel, packed, as the dtype of the lines; slot: which of the eight rows it is. Element `next`
   will be read then; -1: none. */
static const void *gi_read_row_before(const gi_panel *s, int64_t k, int slot, int64_t next)
{
    const gi_lines *p      = s->lines;
    const int64_t   size   = ga_itemsize(p->a->dtype);
    const int64_t   offset = gi_row_offset(s, k);
    const bool      dense  = gi_is_dense_row(p);
    if (s->at && s->packed) return s->at + offset;
    char *raw  = s->raw + slot * (s->at ? GI_PANEL_NARROW * 16 : s->count * size),
         *cast = s->cast ? s->cast + slot * GI_PANEL_CAST : NULL;
    if (!s->at) gi_make_elements(p, s->offset + offset, s->count, raw);
    else if (!dense) gi_gather((int)size, s->count, raw, s->at + offset, p->kept_strides[p->kept - 1]);
    if (p->dtype == p->a->dtype) return raw;
    if (s->at && dense) gi_cast_row(s, s->at + offset, next < 0 ? NULL : s->at + gi_row_offset(s, next), cast);
    else gi_cast(p->dtype, p->a->dtype, s->count, cast, raw);
    return cast;
}

static const void *gi_read_row(const gi_panel *s, int64_t k, int slot) { return gi_read_row_before(s, k, slot, -1); }

/* The elements k, k + step ... of the block of each line of a panel, up to eight. What is made is made while memory brings the next row. */
static void gi_read_rows(const gi_panel *s, int64_t k, int64_t step, int rows, const void **x)
{
    const gi_lines *p   = s->lines;
    const bool      far = !s->at || gi_lines_bytes(p) > GI_NEAR_BYTES;
    for (int r = 0; r < rows; r++, k += step) {
        const int64_t next = far && r < rows - 1 ? k + step : -1;
        if (!s->at && next >= 0)
            p->maker->fetch(p->maker->job, (s->offset + gi_row_offset(s, next)) / ga_itemsize(p->a->dtype), s->count);
        x[r] = gi_read_row_before(s, k, r, next);
    }
}

/* Folds the elements k, k + step, k + 2 step ... of the block, for each line: the last step of the tree joins those at even places with
   those at odd ones. `more` has room for the accumulators of open steps. */
static void gi_fold_rows(const gi_fold *f, const gi_panel *s, int64_t k, int64_t step, char *accs, char *more)
{
    int64_t rows = (s->n - k + step - 1) / step;
    if (rows == 1) {
        f->widen(s->count, accs, gi_read_row(s, k, 0));
    } else if (rows == 8 || (f->takes_some && rows < 8)) {
        const void *x[8];
        gi_read_rows(s, k, step, (int)rows, x);
        f->rows(s->count, accs, x, (int)rows);
    } else {
        gi_fold_rows(f, s, k, 2 * step, accs, more);
        gi_fold_rows(f, s, k + step, 2 * step, more, more + s->count * f->acc_bytes);
        f->join(s->count, accs, more);
    }
}

/* The same as gi_fold_rows of a whole block from its first row on, in one loop over its leaves, of eight rows each, in the order of the tree:
   each is joined at once with the steps that it completes. So accumulators are read and written half as often, and while rows come. */
static void gi_fold_leaves(const gi_fold *f, const gi_panel *s, char *accs, char *more)
{
    enum { LEAVES = GI_BLOCK / 8 };
    const bool    fetch = s->at && s->packed && gi_lines_bytes(s->lines) > GI_NEAR_BYTES && gi_cpu_is_intel();
    const int64_t bytes = s->count * f->acc_bytes;
    const void   *x[8], *open[GI_PANEL_LEVELS];
    for (int64_t leaf = 0, row = 0, next; leaf < LEAVES; leaf++, row = next) {
        int64_t h = LEAVES / 2; /* the bits of `next` are those of leaf + 1, reversed */
        for (next = row; next & h; h /= 2) next ^= h;
        next |= h;
        int steps = 0;
        for (int64_t l = leaf; l & 1; l /= 2, steps++) open[steps] = more + steps * bytes;
        gi_read_rows(s, row, LEAVES, 8, x);
        f->rows_onto(s->count, leaf < LEAVES - 1 ? more + steps * bytes : accs, x,
                     fetch && leaf < LEAVES - 1 ? gi_row_offset(s, next) - gi_row_offset(s, row) : 0, open, steps);
    }
}

/* The same where the order does not matter: eight rows that follow each other, then the next ones, as memory is read best. */
static void gi_fold_rows_in_turn(const gi_fold *f, const gi_panel *s, char *accs, char *more)
{
    const void *x[8];
    int64_t     k = 0;
    for (char *to = accs; k + 8 <= s->n; k += 8, to = more) {
        gi_read_rows(s, k, 1, 8, x);
        f->rows(s->count, to, x, 8);
        if (k > 0) f->join(s->count, accs, more);
    }
    if (k == s->n) return;
    gi_fold_rows(f, s, k, 1, k > 0 ? more : accs, more + s->count * f->acc_bytes);
    if (k > 0) f->join(s->count, accs, more);
}

/* The panel number `unit` of lines that lie `columns` beside each other, without its block of elements. */
static gi_panel gi_panel_of(const gi_lines *p, int64_t columns, int64_t width, int64_t unit)
{
    int64_t  panels = (columns + width - 1) / width, column = unit % panels * width;
    gi_panel s;
    memset(&s, 0, sizeof s);
    s.lines  = p;
    s.first  = unit / panels * columns + column;
    s.count  = columns - column < width ? columns - column : width;
    s.offset = gi_line_offset(p, s.first);
    s.at     = p->maker ? NULL : (const char *)p->a->data + s.offset;
    s.packed = gi_is_packed_row(p);
    return s;
}

/* The unit of work number `unit`: a block of `rows` elements of a panel. They are numbered as they lie in memory, so that each thread gets
   a part of it. */
static gi_panel gi_panel_block(const gi_lines *p, int64_t columns, int64_t width, int64_t blocks, int64_t rows, int64_t unit)
{
    int64_t  panels = (columns + width - 1) / width, group = unit / (panels * blocks);
    gi_panel s = gi_panel_of(p, columns, width, group * panels + unit % panels);
    s.start    = unit / panels % blocks * rows;
    s.n        = p->length - s.start < rows ? p->length - s.start : rows;
    return s;
}

/* Can the elements be made as they are folded? Lines are read one by one, or side by side, or lie packed one behind the other. */
static bool gi_lines_can_be_made(const gi_lines *p)
{
    const int64_t size = ga_itemsize(p->a->dtype);
    if (gi_line_columns(p) == 1) return true;
    return p->kept_strides[p->kept - 1] == size || p->kept_strides[p->kept - 1] == p->length * size;
}

/* Gives a panel of what is made room for eight rows; or makes all of it there, where its lines are short and lie behind each other. */
static void gi_panel_make(gi_panel *s, char *room)
{
    const gi_lines *p = s->lines;
    if (p->kept_strides[p->kept - 1] == ga_itemsize(p->a->dtype)) {
        s->raw = room;
        return;
    }
    gi_make_elements(p, s->offset, s->count * p->length, room);
    s->at = room;
}

/* Rows of the parts, up to eight, of which the first rows are folded together, then the second ones ... */
static int64_t gi_part_rows(const gi_fold *f, int64_t n)
{
    int64_t rows = 1;
    if (n < GI_BLOCK && !f->takes_some) return n;
    while (8 * rows < n) rows *= 2;
    return rows;
}

/* The same for rows that lie one behind the other, if there is room for a part: each step of the tree is one loop over all of them, which reads
   memory from end to end. */
static void gi_fold_packed_rows(const gi_fold *f, const gi_panel *s, char *accs)
{
    const gi_lines *p    = s->lines;
    const int64_t   size = ga_itemsize(p->a->dtype), first = s->start * s->count;
    int64_t         n = gi_part_rows(f, s->n), row = s->count * f->acc_bytes, h = 1, m;
    const int64_t   part = n * s->count, most = s->at ? part : GI_PANEL_MADE / size;
    const int64_t   whole = s->n / n, rest = s->n % n * s->count; /* parts, and elements of one that is not whole */
    for (int64_t done = 0; done < part; done += m) {
        const int64_t left = (done < rest ? rest : part) - done, parts = whole + (done < rest);
        const void   *x[8] = { NULL };
        m                  = left < most ? left : most;
        for (int64_t k = 0; k < parts; k++) {
            const int64_t offset = (first + k * part + done) * size;
            x[k]                 = s->at ? s->at + offset : s->raw + k * GI_PANEL_MADE;
            if (!s->at) gi_make_elements(p, s->offset + offset, m, s->raw + k * GI_PANEL_MADE);
        }
        if (parts > 1) f->rows(m, accs + done * f->acc_bytes, x, (int)parts);
        else f->widen(m, accs + done * f->acc_bytes, x[0]);
    }
    while (h < n) h *= 2;
    for (h /= 2; h > 0; h /= 2) {
        if (n <= h) continue;
        f->join((n - h) * s->count, accs, accs + h * row);
        n = h;
    }
}

/* A unit is a block of a panel. The accumulators of the blocks of `columns` lines lie block by block. */
static void gi_reduce_panels(int64_t begin, int64_t end, void *job)
{
    gi_reduction   *r    = (gi_reduction *)job;
    const gi_lines *p    = &r->lines;
    int64_t         size = r->fold.acc_bytes;
    enum { ROOM = GI_PANEL_LEVELS * GI_PANEL_BYTES, RAW = 8 * GI_PANEL_NARROW * 16, CAST = 8 * GI_PANEL_CAST };
    GI_ARENA(char, room, ROOM + RAW + CAST);
    GI_ARENA(char, made, p->maker ? 8 * GI_PANEL_BYTES : 0);
    for (int64_t unit = begin; unit < end; unit++) {
        gi_panel s     = gi_panel_block(p, r->columns, r->width, r->blocks, GI_BLOCK, unit);
        int64_t  block = s.start / GI_BLOCK;
        s.raw          = room + ROOM;
        s.cast         = s.raw + RAW;
        if (p->maker) gi_panel_make(&s, made);
        int64_t       column = s.first % r->columns, group = s.first - column;
        char         *accs = r->accs ? r->accs + (group * r->blocks + block * r->columns + column) * size : room;
        const int64_t most = r->fold.any_order ? 2 * GI_PANEL_BYTES : ROOM; /* for more, rows in turn are quicker */
        if (r->one_behind_other && gi_part_rows(&r->fold, s.n) * s.count * size <= most) {
            gi_fold_packed_rows(&r->fold, &s, room);
            if (accs != room) memcpy(accs, room, (size_t)(s.count * size));
        } else if (r->fold.any_order) {
            gi_fold_rows_in_turn(&r->fold, &s, accs, room + s.count * size);
        } else if (r->fold.rows_onto && s.n == GI_BLOCK) {
            gi_fold_leaves(&r->fold, &s, accs, room + s.count * size);
        } else {
            gi_fold_rows(&r->fold, &s, 0, 1, accs, room + s.count * size);
        }
        if (!r->accs) r->fold.end(s.count, r->result + s.first * r->result_bytes, accs, p->length);
    }
}

/* A unit is a panel: folds the accumulators of its blocks. */
static void gi_reduce_panel_blocks(int64_t begin, int64_t end, void *job)
{
    gi_reduction *r = (gi_reduction *)job;
    for (int64_t unit = begin; unit < end; unit++) {
        gi_panel s      = gi_panel_of(&r->lines, r->columns, r->width, unit);
        int64_t  column = s.first % r->columns, group = s.first - column, row = r->columns * r->fold.acc_bytes;
        char    *accs = r->accs + (group * r->blocks + column) * r->fold.acc_bytes;
        for (int64_t n = r->blocks; n > 1; n = (n + GI_BLOCK - 1) / GI_BLOCK)
            for (int64_t b = 0; b * GI_BLOCK < n; b++) {
                int64_t m = n - b * GI_BLOCK < GI_BLOCK ? n - b * GI_BLOCK : GI_BLOCK, h = 1;
                char   *first = accs + b * GI_BLOCK * row;
                while (h < m) h *= 2;
                for (h /= 2; h > 0; h /= 2)
                    for (int64_t i = 0; i < h && i + h < m; i++) r->fold.join(s.count, first + i * row, first + (i + h) * row);
                memmove(accs + b * row, first, (size_t)(s.count * r->fold.acc_bytes));
            }
        r->fold.end(s.count, r->result + s.first * r->result_bytes, accs, r->lines.length);
    }
}

/* How many lines of `columns` are folded at once: fewer where there would be too few panels for all threads, but rows that are made should
   not be short. */
static int64_t gi_panel_width(const gi_lines *p, int64_t columns, int64_t most, int64_t blocks)
{
    const int64_t narrow = gi_is_dense_row(p) && !p->maker ? GI_PANEL_CAST / ga_itemsize(p->dtype) : GI_PANEL_NARROW;
    const int64_t least = p->maker ? 256 : 64, threads = gi_lines_bytes(p) < GI_WORTH_SHARING ? 1 : ga_get_num_threads();
    int64_t       width = gi_is_packed_row(p) || most < narrow ? most : narrow;
    while (threads > 1 && width > least && p->lines / columns * ((columns + width - 1) / width) * blocks < 2 * threads)
        width /= 2;
    return width;
}

/* How many panels of that width the lines make that lie `columns` beside each other. */
static int64_t gi_count_panels(int64_t lines, int64_t columns, int64_t width)
{
    return lines / columns * ((columns + width - 1) / width);
}

/* How many bytes the accumulators of all blocks are, where a line has several. */
static size_t gi_reduction_bytes(const gi_reduction *r)
{
    return r->blocks > 1 ? (size_t)(r->lines.lines * r->blocks) * (size_t)r->fold.acc_bytes : 0;
}

/* Folds lines one after the other; those beside it from the same elements. */
static void gi_reduce_in_turn(gi_reduction *r, bool spans, int64_t block)
{
    const gi_lines *p    = &r->lines;
    const int64_t   rows = p->length < block ? p->length : block; /* elements of a block */
    gi_parallel_bytes(gi_lines_bytes(p), p->lines * r->blocks, gi_share(p->lines * r->blocks, gi_lines_worth(p, 32768, rows)),
                      spans ? gi_reduce_spans : gi_reduce_blocks, r);
    for (; r && r->blocks > 1; r = r->beside)
        gi_parallel_bytes((double)gi_reduction_bytes(r), r->lines.lines, 1 + 4096 / r->blocks, gi_reduce_lines, r);
}

/* Folds lines side by side. */
static void gi_reduce_side_by_side(gi_reduction *r)
{
    const gi_lines *p      = &r->lines;
    const int       widest = r->fold.acc_bytes > r->fold.item_bytes ? r->fold.acc_bytes : r->fold.item_bytes;
    r->width               = gi_panel_width(p, r->columns, GI_PANEL_BYTES / widest, r->blocks);
    const int64_t rows = p->length < GI_BLOCK ? p->length : GI_BLOCK, panels = gi_count_panels(p->lines, r->columns, r->width),
                  beside = r->columns < r->width ? r->columns : r->width;
    r->one_behind_other  = gi_is_packed_row(p) && p->reduced == 1 && beside == r->columns &&
                          p->strides[0] == r->columns * ga_itemsize(p->a->dtype);
    gi_parallel_bytes(gi_lines_bytes(p), panels * r->blocks,
                      gi_share(panels * r->blocks, gi_lines_worth(p, 32768, beside * rows)), gi_reduce_panels, r);
    if (r->blocks > 1)
        gi_parallel_bytes((double)gi_reduction_bytes(r), panels, 1 + 4096 / (r->width * r->blocks), gi_reduce_panel_blocks, r);
}

/* Runs a planned reduction of lines that are not empty into r->result, and those beside it, whose lines are folded one after the other;
   lines of one block, without r->result, only into r->accs. False: no memory. */
static bool gi_reduce(const char *site, gi_reduction *r)
{
    const gi_lines *p       = &r->lines;
    const int64_t   columns = gi_line_columns(p);
    bool            spans = columns == 1 && p->length > GI_BLOCK && gi_lies_packed(p), ok = true;
    if (p->lines == 0) return true;
    for (const gi_reduction *each = r; each; each = each->beside) spans = spans && each->fold.any_order;
    const int64_t block = spans ? GI_SPAN : GI_BLOCK;
    for (gi_reduction *each = r; each; each = each->beside) {
        each->columns = columns;
        each->blocks  = (p->length + block - 1) / block;
        if (each->blocks > 1) each->accs = (char *)gi_mem_alloc(site, gi_reduction_bytes(each));
        ok = ok && (each->blocks == 1 || each->accs);
    }
    if (ok && columns == 1) gi_reduce_in_turn(r, spans, block);
    else if (ok) gi_reduce_side_by_side(r);
    for (gi_reduction *each = r; each; each = each->beside)
        if (each->accs && each->blocks > 1) gi_mem_release(each->accs, gi_reduction_bytes(each));
    return ok;
}

/* Can a result of this dtype and shape be written into .out? False with an error if not. */
static bool gi_check_out(const char *site, const ga_array *out, ga_dtype dtype, int ndim, const int64_t *shape)
{
    if (!gi_array_check_half(site, out, ".out")) return false;
    if (!gi_shape_equal(out->ndim, out->shape, ndim, shape))
        gi_fail(site, GA_BAD_SHAPE, ".out has shape %s, the result %s", gi_shape_of(out), gi_shape_text(ndim, shape));
    else if (!gi_dtype_same_kind(dtype, out->dtype))
        gi_fail(site, GA_BAD_DTYPE, "the result is %s and does not go into .out of %s", ga_dtype_name(dtype),
                ga_dtype_name(out->dtype));
    else return gi_array_is_writable(site, out, ".out");
    return false;
}

/* Can results of this dtype and shape be written to `out` at once, by its strides? It must not hold what they are computed from. */
static bool gi_takes_strided_results(const ga_array *out, ga_dtype dtype, int ndim, const int64_t *shape, const ga_array *a,
                                     const ga_array *b)
{
    return out && out->alive == GI_ALIVE && !gi_is_deferred(out) && out->device == a->device && out->dtype == dtype &&
           gi_shape_equal(ndim, shape, out->ndim, out->shape) && !ga_may_share_memory(out, a) && !ga_may_share_memory(out, b);
}
/* The same where results are packed. */
static bool gi_takes_results(const ga_array *out, ga_dtype dtype, int ndim, const int64_t *shape, const ga_array *a,
                             const ga_array *b)
{
    return gi_takes_strided_results(out, dtype, ndim, shape, a, b) && ga_is_contiguous(out);
}

/* Gives the packed result its final dtype and place. Takes over `result` (NULL is passed on). */
static ga_array *gi_copy_finish(const char *site, ga_array *result, ga_dtype dtype, ga_array *out)
{
    if (!result) return NULL;
    if (result->dtype != dtype && (!out || (out->alive == GI_ALIVE && gi_is_half(out->dtype)))) { /* rounded as by ga_astype */
        ga_array *cast = gi_copy_convert(site, result, dtype);
        ga_free(result);
        result = cast;
    }
    if (!out || !result) return result;
    bool ok = gi_check_out(site, out, dtype, result->ndim, result->shape) && gi_copy_assign(site, out, result);
    ga_free(result);
    return ok ? out : NULL;
}

/* ---- the rows -------------------------------------------------------------------------------------------------------- */

static ga_dtype gi_reduce_end_dtype(gi_end ends, ga_dtype d)
{
    switch (ends) {
    case GI_ENDS_SUM: return d == GA_BOOL || gi_is_signed(d) ? GA_I64 : gi_is_unsigned(d) ? GA_U64 : d;
    case GI_ENDS_AVERAGE: return gi_dtype_kind(d) < 2 ? GA_F64 : d;
    case GI_ENDS_BOOL: return GA_BOOL;
    case GI_ENDS_COUNT: return GA_I64;
    default: return d;
    }
}

/* What an empty line gives. */
static bool gi_fill_empty(const char *site, ga_array *result, int start, bool mean)
{
    ga_arg v;
    memset(&v, 0, sizeof v);
    v.kind = mean ? GA_KIND_REAL : GA_KIND_INT;
    v.i    = start;
    v.re   = gi_nan_f64();
    if (result->device == GA_CUDA) {
        char element[16];
        gi_number_to(v, result->dtype, element);
        return gi_gpu->fill(site, result, element);
    }
    for (int64_t i = 0; i < result->size; i++)
        gi_number_to(v, result->dtype, (char *)result->data + i * ga_itemsize(result->dtype));
    return true;
}

/* Checks the call `name` of a row and plans it; *row becomes another one where that does the same. False with an error. */
static bool gi_reduce_plan(const gi_row **row, const char *name, const ga_array *a, const ga_reduce_options *o, gi_reduction *r)
{
    const gi_end ends        = (*row)->ends;
    bool         takes_dtype = ends == GI_ENDS_SUM || ends == GI_ENDS_AVERAGE;
    memset(r, 0, sizeof *r);
    if (o->dtype != GA_DTYPE_DEFAULT && !takes_dtype) return gi_fail(o->site, GA_BAD_DTYPE, "%s takes no .dtype", name), false;
    if (o->dtype != GA_DTYPE_DEFAULT && !gi_is_dtype(o->dtype))
        return gi_fail(o->site, GA_BAD_DTYPE, ".dtype = %d is not a dtype", (int)o->dtype), false;
    if (o->ddof != 0) return gi_fail(o->site, GA_BAD_ARGUMENT, "%s takes no .ddof: that is for ga_std and ga_var", name), false;
    if (!gi_is_float(a->dtype) && !gi_is_complex(a->dtype) && (*row)->without_nan) *row = (*row)->without_nan();
    if (a->dtype == GA_BOOL && o->dtype == GA_DTYPE_DEFAULT && (*row)->of_bool) *row = (*row)->of_bool();
    ga_dtype dtype = ends == GI_ENDS_BOOL || ends == GI_ENDS_COUNT ? GA_BOOL
                     : o->dtype != GA_DTYPE_DEFAULT                ? o->dtype
                                                                   : a->dtype;
    if (!gi_lines_plan(o->site, &r->lines, a, dtype, o->axis, &o->axes, o->keepdims)) return false;
#ifdef GPUARR_STATIC
    if (gi_row_lacks(*row, dtype)) return gi_formula_lacks(o->site, dtype), false;
#endif
    if (!gi_row_fold(*row, dtype, &r->fold))
        return gi_fail(o->site, GA_BAD_DTYPE, "%s does not exist for %s", name, ga_dtype_name(dtype)), false;
    if (r->lines.length == 0 && r->lines.lines > 0 && (*row)->start == GI_START_NONE)
        return gi_fail(o->site, GA_BAD_SHAPE, "%s of no elements (shape %s): there is none to return", name, gi_shape_of(a)),
               false;
    return true;
}

/* Plans to fold numbers of which only the truth matters as they are, if there are such loops. */
static void gi_fold_truths(gi_reduction *r, ga_dtype dtype)
{
    const bool         all  = r->decisive == GI_FALSE_DECIDES;
    const gi_rows_loop rows = GI_LOOP_OF(truths)(dtype, all);
    if (!rows) return;
    r->lines.dtype     = dtype;
    r->fold.rows       = rows;
    r->fold.takes_some = true;
    r->fold.widen      = GI_LOOP_OF(cast)(GA_BOOL, dtype);
    r->fold.item_bytes = (int)ga_itemsize(dtype);
    r->fold.none[0] = r->fold.none[1] = all ? UINT64_MAX : 0;
}

/* The same of blocks of packed lines, which are folded one after the other, where these are quicker: spans are not for a count. */
static void gi_fold_truth_blocks(gi_reduction *r, ga_op op, ga_dtype dtype)
{
    const gi_block_loop block = GI_LOOP_OF(truth_blocks)(op, dtype);
    const gi_lines     *p     = &r->lines;
    if (!block || p->maker || p->reduced != 1 || p->strides[0] != ga_itemsize(dtype) || gi_line_columns(p) > 1) return;
    if (op != GA_OP_count_nonzero && p->length > GI_BLOCK) return;
    r->lines.dtype     = dtype == GA_I8 || dtype == GA_U8 ? GA_BOOL : dtype;
    r->fold.block      = block;
    r->fold.item_bytes = (int)ga_itemsize(dtype);
    r->fold.any_order  = false;
}

/* The mean of a number has no axis 0, as in NumPy; its other folds have. False with an error. */
static bool gi_reduce_has_axis(const gi_row *row, const ga_array *a, const ga_reduce_options *o)
{
    return row->ends != GI_ENDS_AVERAGE || a->ndim > 0 || o->axis == GA_AXIS_DEFAULT || gi_axis(o->site, o->axis, 0) >= 0;
}

static ga_array *gi_reduce_row(const gi_row *asked, const ga_array *a, ga_reduce_options o)
{
    const gi_row *row = asked; /* or another one that does the same */
    gi_reduction  r;
    ga_array      bytes;
    if (!gi_array_check_half_any(o.site, a, "a") || !gi_reduce_has_axis(asked, a, &o)) return NULL;
    if (gi_half_concerns(a, o.dtype)) {
        ga_dtype  half;
        ga_array *wide = gi_half_widen(o.site, a, &o.dtype, &half);
        return gi_half_end(o.site, wide, wide ? gi_reduce_row(asked, wide, o) : NULL, o.out, half);
    }
    if (!gi_reduce_plan(&row, row->name, a, &o, &r)) return NULL;
    ga_dtype end_dtype = gi_reduce_end_dtype(row->ends, r.lines.dtype),
             dtype     = o.dtype != GA_DTYPE_DEFAULT ? o.dtype : end_dtype;
    if (gi_is_deferred(a)) return gi_deferred()->row(asked, dtype, a, &o);
    if (a->device == GA_CUDA && r.lines.dtype != a->dtype && gi_gpu->folds_wider(row->op, r.lines.dtype)) {
        ga_array *narrowed = gi_copy_convert(o.site, a, r.lines.dtype),
                 *folded   = NULL; /* first rounded to the dtype that is asked for */
        if (narrowed) folded = gi_reduce_row(row, narrowed, o);
        ga_free(narrowed);
        return folded;
    }
    if (o.out && !gi_check_out(o.site, o.out, dtype, r.lines.result_ndim, r.lines.result_shape)) return NULL;
    const bool straight = dtype == end_dtype && a->device == GA_CPU &&
                          gi_takes_results(o.out, dtype, r.lines.result_ndim, r.lines.result_shape, a, a);
    ga_array *result = straight ? o.out : gi_array_new(o.site, end_dtype, a->device, r.lines.result_ndim, r.lines.result_shape);
    if (!result) return NULL;
    if (r.lines.dtype == GA_BOOL && ga_itemsize(a->dtype) == 1) { /* a byte that is not 0 is true: nothing is to be converted */
        bytes       = *a;
        bytes.dtype = GA_BOOL;
        r.lines.a   = &bytes;
    }
    r.result       = (char *)result->data;
    r.result_bytes = (int)ga_itemsize(end_dtype);
    r.decisive     = row->op == GA_OP_any ? GI_TRUE_DECIDES : row->op == GA_OP_all ? GI_FALSE_DECIDES : GI_NONE_DECIDES;
    if (r.decisive != GI_NONE_DECIDES && a->device == GA_CPU) gi_fold_truths(&r, a->dtype);
    if ((r.decisive != GI_NONE_DECIDES || row->op == GA_OP_count_nonzero) && a->device == GA_CPU)
        gi_fold_truth_blocks(&r, row->op, a->dtype);
    bool ok;
    if (r.lines.length == 0) ok = gi_fill_empty(o.site, result, row->start, row->ends == GI_ENDS_AVERAGE);
    else if (a->device == GA_CUDA) ok = gi_gpu->reduce(o.site, row->op, &r.lines, result);
    else ok = gi_reduce(o.site, &r);
    if (straight) return ok ? result : NULL;
    if (!ok) {
        ga_free(result);
        return NULL;
    }
    if (o.dtype != GA_DTYPE_DEFAULT) result = gi_copy_finish(o.site, result, o.dtype, NULL);
    return gi_copy_finish(o.site, result, dtype, o.out);
}

enum { GI_FOLDS_BESIDE = 4 };

/* Folds by several rows what is made or read once for all of them, on the CPU, without .dtype and .out. False with an error, or *declined. */
static bool gi_reduce_rows(int n, const gi_row *const *rows, const ga_array *a, const ga_reduce_options *o, ga_array **results,
                           bool *declined)
{
    gi_reduction r[GI_FOLDS_BESIDE];
    bool         ok = true;
    *declined       = false;
    for (int k = 0; k < n; k++) results[k] = NULL;
    for (int k = 0; k < n && ok; k++) {
        const gi_row *row = rows[k];
        ok                = gi_reduce_has_axis(row, a, &o[k]) && gi_reduce_plan(&row, row->name, a, &o[k], &r[k]);
        if (!ok) break;
        const ga_dtype dtype = gi_reduce_end_dtype(row->ends, r[k].lines.dtype);
        *declined = r[k].lines.dtype != r[0].lines.dtype || r[k].lines.length == 0 || gi_line_columns(&r[k].lines) > 1;
        ok        = !*declined;
        if (ok) results[k] = gi_array_new(o[k].site, dtype, a->device, r[k].lines.result_ndim, r[k].lines.result_shape);
        ok = ok && results[k];
        if (!ok) break;
        r[k].result       = (char *)results[k]->data;
        r[k].result_bytes = (int)ga_itemsize(dtype);
        if (k > 0) r[k - 1].beside = &r[k];
    }
    ok = ok && gi_reduce(o->site, r);
    for (int k = 0; k < n && !ok; k++) {
        ga_free(results[k]);
        results[k] = NULL;
    }
    return ok;
}
