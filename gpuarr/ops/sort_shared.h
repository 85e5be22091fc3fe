/* ---- a quicksort that threads share ------------------------------------------------------------------------------ */
/*  Keys of a sample split the line in two, each part in two again, and so on, until there are some parts for each
    thread to sort. While there are fewer parts than threads, each thread splits a block of a part in place; then the
    greater keys on the lower side change places with the lesser ones on the upper side, of which there are as many.
    Keys that are equal look alike, so the order does not depend on the threads. */

enum {
    GI_SHARED_RECORDS = 1 << 15, /* a line of so many is shared */
    GI_SHARED_THREADS = 64,      /* by at most so many threads */
    GI_SHARED_PARTS   = 4 * GI_SHARED_THREADS,
    GI_SHARED_LEAST   = 4096, /* records of a part, or fewer parts are made */
    GI_SHARED_SAMPLE  = 64    /* keys of the sample for each part */
};

typedef struct gi_shared_sort {
    const gi_quick_loops *quick;
    const gi_keys        *rule;  /* by which elements become keys and keys elements; NULL: keys are sorted */
    const gi_key_loops   *loops; /* where NaNs are, which become the greatest key, or NULL */
    int                   size;
    int64_t               n, wanted;     /* parts at last */
    int64_t               parts, blocks; /* now; of each part */
    const char           *from;          /* elements, so many bytes apart; */
    int64_t               stride;
    char                 *room; /* each thread brings its own side by side there; NULL: they are */
    char                 *to;   /* keys, at last elements */
    int64_t               starts[GI_SHARED_PARTS + 1];
    uint64_t              splitters[GI_SHARED_PARTS]; /* number k: where part k at last begins */
    int64_t               low[2 * GI_SHARED_THREADS]; /* of each block: the keys below the splitter, which lie first */
    bool                  minus[GI_SHARED_THREADS];   /* of each block of all: has it a -0? */
} gi_shared_sort;

GI_BEGIN_FAST

/* Where a block of a part begins; the one behind the last: where the part ends. */
static int64_t gi_shared_block(const gi_shared_sort *s, int64_t part, int64_t block)
{
    const int64_t start = s->starts[part], n = s->starts[part + 1] - start;
    return block < s->blocks ? start + n / s->blocks * block : start + n;
}

/* Elements become keys; NaNs the greatest. */
static void gi_shared_to_keys(int64_t begin, int64_t end, void *job)
{
    const gi_shared_sort *s = (const gi_shared_sort *)job;
    for (int64_t k = begin; k < end; k++) {
        const int64_t at = gi_shared_block(s, 0, k) * s->size, bytes = gi_shared_block(s, 0, k + 1) * s->size - at;
        memcpy(s->to + at, (s->room ? s->room : s->from) + at, (size_t)bytes);
        s->loops->to_keys(s->rule, bytes / s->size, s->to + at);
    }
}

/* The splitter in the middle of a part. */
static uint64_t gi_shared_splitter(const gi_shared_sort *s, int64_t part)
{
    return s->splitters[(2 * part + 1) * (s->wanted / (2 * s->parts))];
}

static void gi_shared_split(int64_t begin, int64_t end, void *job)
{
    gi_shared_sort *s = (gi_shared_sort *)job;
    for (int64_t unit = begin; unit < end; unit++) {
        const int64_t part = unit / s->blocks, block = unit % s->blocks, at = gi_shared_block(s, part, block);
        s->low[unit] =
            s->quick->split(gi_shared_block(s, part, block + 1) - at, s->to + at * s->size, gi_shared_splitter(s, part));
    }
}

/* The same of elements, which become keys; -1 for a block with a NaN. */
static void gi_shared_split_elements(int64_t begin, int64_t end, void *job)
{
    gi_shared_sort *s = (gi_shared_sort *)job;
    for (int64_t k = begin; k < end; k++) {
        const int64_t at = gi_shared_block(s, 0, k), n = gi_shared_block(s, 0, k + 1) - at;
        if (s->room) gi_gather(s->size, n, s->room + at * s->size, s->from + at * s->stride, s->stride);
        s->low[k] = s->quick->split_elements(s->rule, n, (s->room ? s->room : s->from) + at * s->size, s->to + at * s->size,
                                             gi_shared_splitter(s, 0), &s->minus[k]);
    }
}

/* How many keys of a part lie below its splitter. */
static int64_t gi_shared_lower(const gi_shared_sort *s, int64_t part)
{
    int64_t lower = 0;
    for (int64_t block = 0; block < s->blocks; block++) lower += s->low[part * s->blocks + block];
    return lower;
}

/* Keys on the wrong side of a part, one after the other: greater ones before its border, or lesser ones behind it. */
typedef struct gi_misplaced {
    int64_t part, border, block, at, stop;
    bool    greater;
} gi_misplaced;

/* The next block that has any. */
static void gi_misplaced_next(const gi_shared_sort *s, gi_misplaced *m)
{
    do {
        m->block++;
        const int64_t start = gi_shared_block(s, m->part, m->block), low = start + s->low[m->part * s->blocks + m->block];
        if (m->greater) {
            const int64_t end = gi_shared_block(s, m->part, m->block + 1);
            m->at             = low;
            m->stop           = end < m->border ? end : m->border;
        } else {
            m->at   = start > m->border ? start : m->border;
            m->stop = low;
        }
    } while (m->at >= m->stop && m->block < s->blocks - 1);
}

static void gi_misplaced_skip(const gi_shared_sort *s, gi_misplaced *m, int64_t count)
{
    while (m->stop - m->at <= count && m->block < s->blocks - 1) {
        count -= m->stop > m->at ? m->stop - m->at : 0;
        gi_misplaced_next(s, m);
    }
    m->at += count;
}

/* Two runs of bytes change places. */
static void gi_shared_exchange(char *a, char *b, int64_t bytes)
{
    enum { TILE = 4096 };
    GI_ARENA(char, tile, TILE);
    for (int64_t i = 0, n; i < bytes; i += n) {
        n = bytes - i < TILE ? bytes - i : (int64_t)TILE;
        memcpy(tile, a + i, (size_t)n);
        memcpy(a + i, b + i, (size_t)n);
        memcpy(b + i, tile, (size_t)n);
    }
}

/* Each unit does its share of the exchanges of a part. */
static void gi_shared_swap(int64_t begin, int64_t end, void *job)
{
    const gi_shared_sort *s = (const gi_shared_sort *)job;
    for (int64_t unit = begin; unit < end; unit++) {
        const int64_t part = unit / s->blocks, share = unit % s->blocks, border = s->starts[part] + gi_shared_lower(s, part);
        int64_t       wrong = 0;
        for (int64_t block = 0; block < s->blocks; block++) {
            const int64_t low  = gi_shared_block(s, part, block) + s->low[part * s->blocks + block];
            int64_t       stop = gi_shared_block(s, part, block + 1);
            stop               = stop < border ? stop : border;
            wrong += stop > low ? stop - low : 0;
        }
        const int64_t first = wrong / s->blocks * share, stop = share < s->blocks - 1 ? first + wrong / s->blocks : wrong;
        gi_misplaced  greater = { part, border, -1, 0, 0, true }, lesser = { part, border, -1, 0, 0, false };
        if (stop == first) continue;
        gi_misplaced_skip(s, &greater, first);
        gi_misplaced_skip(s, &lesser, first);
        for (int64_t left = stop - first, n; left > 0; left -= n) {
            n = greater.stop - greater.at < lesser.stop - lesser.at ? greater.stop - greater.at : lesser.stop - lesser.at;
            n = n < left ? n : left;
            gi_shared_exchange(s->to + greater.at * s->size, s->to + lesser.at * s->size, n * s->size);
            gi_misplaced_skip(s, &greater, n);
            gi_misplaced_skip(s, &lesser, n);
        }
    }
}

static void gi_shared_sort_parts(int64_t begin, int64_t end, void *job)
{
    const gi_shared_sort *s = (const gi_shared_sort *)job;
    for (int64_t part = begin; part < end; part++) {
        const int64_t n  = s->starts[part + 1] - s->starts[part];
        char         *to = s->to + s->starts[part] * s->size;
        if (s->rule && !s->loops) {
            s->quick->sort_to_elements(s->rule, n, to);
        } else {
            s->quick->sort(n, to);
            if (s->loops) s->loops->from_keys(s->rule, n, to);
        }
    }
}
GI_END_FAST

/* Splitters that stand for as many keys each; where many keys are equal, these become a part of their own. */
static void gi_shared_sample(gi_shared_sort *s)
{
    const int64_t count = s->wanted * GI_SHARED_SAMPLE, step = s->n / count;
    const char   *from   = s->rule ? s->from : s->to;
    const int64_t stride = s->rule ? s->stride : s->size;
    GI_ARENA(char, sample, GI_SHARED_PARTS *GI_SHARED_SAMPLE * 8);
    uint64_t before = 0;
    for (int64_t i = 0; i < count; i++) { /* a fixed step is blind to a period */
        const int64_t at = i * step + i * 40503 % step;
        memcpy(sample + i * s->size, from + at * stride, (size_t)s->size);
    }
    if (s->rule) GI_LOOP_OF(keys)(s->size)->to_keys(s->rule, count, sample);
    s->quick->sort(count, sample);
    for (int64_t k = 1; k < s->wanted; k++) {
        uint64_t key = 0; /* little-endian, as everywhere */
        memcpy(&key, sample + k * GI_SHARED_SAMPLE * s->size, (size_t)s->size);
        s->splitters[k] = k > 1 && key == before && key < UINT64_MAX >> (64 - 8 * s->size) ? key + 1 : key;
        before          = key;
    }
}

/* All elements become keys, and are split. */
static void gi_shared_begin(gi_shared_sort *s)
{
    gi_parallel(s->blocks, 1, gi_shared_split_elements, s);
    for (int64_t k = 0; k < s->blocks; k++)
        if (s->low[k] < 0) s->loops = GI_LOOP_OF(keys)(s->size);
    if (!s->loops) return;
    gi_parallel(s->blocks, 1, gi_shared_to_keys, s);
    gi_parallel(s->blocks, 1, gi_shared_split, s);
}

/* By how many threads a line of n records is sorted together. */
static int64_t gi_sort_threads(int64_t n)
{
    if (n < GI_SHARED_RECORDS || gi_parallel_inside) return 1;
    int64_t threads = ga_get_num_threads();
    if (threads > GI_SHARED_THREADS) threads = GI_SHARED_THREADS;
    return threads < n / (2 * GI_SHARED_LEAST) ? threads : n / (2 * GI_SHARED_LEAST);
}

/* Sorts n elements, `stride` bytes apart, from elsewhere to `to`, or, without a rule, the keys there. room: for the elements, which are then
   there, side by side; NULL: they are. *nans: there are NaNs, and zeros and NaNs are not in their order; *minus: there is -0, and zeros are
   not. */
static void gi_sort_shared(int64_t threads, const gi_keys *rule, int size, int64_t n, const void *from, int64_t stride,
                           void *room, void *to, bool *nans, bool *minus)
{
    GI_ARENA(gi_shared_sort, s, 1);
    s->quick  = GI_LOOP_OF(quick)(size);
    s->rule   = rule;
    s->loops  = NULL;
    s->size   = size;
    s->n      = n;
    s->from   = (const char *)from;
    s->stride = stride;
    s->room   = (char *)room;
    s->to     = (char *)to;
    s->wanted = 4;
    while (s->wanted < 4 * threads && n / s->wanted > 2 * GI_SHARED_LEAST) s->wanted *= 2;
    s->starts[0] = 0;
    s->starts[1] = n;
    gi_shared_sample(s);
    *minus = false;
    for (s->parts = 1; s->parts < s->wanted; s->parts *= 2) {
        s->blocks = (threads + s->parts - 1) / s->parts;
        if (rule && s->parts == 1) gi_shared_begin(s);
        else gi_parallel(s->parts * s->blocks, 1, gi_shared_split, s);
        for (int64_t k = 0; k < s->blocks && rule && s->parts == 1; k++) *minus = *minus || s->minus[k];
        if (s->blocks > 1) gi_parallel(s->parts * s->blocks, 1, gi_shared_swap, s);
        for (int64_t part = s->parts; part-- > 0;) { /* each becomes two */
            s->starts[2 * part + 2] = s->starts[part + 1];
            s->starts[2 * part + 1] = s->starts[part] + gi_shared_lower(s, part);
        }
    }
    gi_parallel(s->parts, 1, gi_shared_sort_parts, s);
    *nans = s->loops != NULL;
}
