/* ---- sort, argsort ----------------------------------------------------------------------------------------------- */
/*  Every element becomes an unsigned key that counts up in the wanted order: integers by adding a bias, floats by
    flipping bits, with one key for all NaNs (the last) and one for both zeros. With AVX-512, keys of 4 and 8 bytes are
    sorted by a quicksort (cpu/quicksort.h), which threads share (sort_shared.h); for indices, each above its number.
    Otherwise records that hold the keys are sorted stably. Many records are first split into parts that fit into a
    cache, where a sample of the keys says; threads can share that. A part is sorted digit by digit, beginning with the
    lowest of those that are likely to tell nearly all of its records apart; the few that they do not are put right by
    insertion. */

enum {
    GI_SORT_BYTES  = 1 << 18, /* of records that are sorted in a cache */
    GI_FEW_RECORDS = 24,      /* are sorted by insertion alone */
    GI_DIGIT_BITS  = 11,      /* at most */
    GI_SPARE_BITS  = 8,       /* that are sorted by beyond those that number the records */
    GI_COLUMN_ROWS = 512,     /* elements of lines that are sorted side by side, at most */
    GI_EACH_ROWS   = 512,     /* elements of 8 bytes that a quicksort does sooner */
    GI_SPLIT_DEPTH = 4        /* parts of parts; then by all digits */
};
enum { GI_SPLIT_BINS = 512, GI_SPLIT_PARTS = 3 * GI_SPLIT_BINS, GI_SPLIT_SAMPLE = 4096 };
#define GI_SPLIT_CHUNK ((int64_t)1 << 17) /* records that one thread moves */

GI_BEGIN_FAST

/* The dtype of 4 or 8 bytes whose numbers are made keys, and what is added to an integer for that. */
static ga_dtype gi_key_dtype(ga_dtype dtype)
{
    if (ga_itemsize(dtype) > 4 || gi_is_float(dtype)) return dtype;
#ifdef GPUARR_FEW_DTYPES
    return GA_I32; /* the same bits */
#else
    return gi_is_signed(dtype) ? GA_I32 : GA_U32;
#endif
}
static uint64_t gi_key_bias(ga_dtype dtype) { return gi_is_signed(dtype) ? (uint64_t)1 << (8 * ga_itemsize(dtype) - 1) : 0; }

/* Keys of n packed elements of a real dtype. */
static void gi_to_keys(ga_dtype dtype, int64_t n, void *keys, const void *elements)
{
    uint32_t *key4 = (uint32_t *)keys;
    uint64_t *key8 = (uint64_t *)keys;
    uint64_t  bias = gi_key_bias(dtype);
    gi_cast(gi_key_dtype(dtype), dtype, n, keys, elements);
    if (dtype == GA_F32)
        for (int64_t i = 0; i < n; i++) key4[i] = gi_key_f32(key4[i]);
    else if (dtype == GA_F64)
        for (int64_t i = 0; i < n; i++) key8[i] = gi_key_f64(key8[i]);
    else if (ga_itemsize(dtype) <= 4)
        for (int64_t i = 0; i < n; i++) key4[i] += (uint32_t)bias;
    else
        for (int64_t i = 0; i < n; i++) key8[i] += bias;
}

/* The elements of n keys; the keys are lost. A NaN and -0 are then just any NaN and +0. */
static void gi_from_keys(ga_dtype dtype, int64_t n, void *elements, void *keys)
{
    uint32_t *key4 = (uint32_t *)keys;
    uint64_t *key8 = (uint64_t *)keys;
    uint64_t  bias = gi_key_bias(dtype);
    if (dtype == GA_F32)
        for (int64_t i = 0; i < n; i++) key4[i] = gi_bits_of_key_f32(key4[i]);
    else if (dtype == GA_F64)
        for (int64_t i = 0; i < n; i++) key8[i] = gi_bits_of_key_f64(key8[i]);
    else if (ga_itemsize(dtype) <= 4)
        for (int64_t i = 0; i < n; i++) key4[i] -= (uint32_t)bias;
    else
        for (int64_t i = 0; i < n; i++) key8[i] -= bias;
    gi_cast(dtype, gi_key_dtype(dtype), n, elements, keys);
}

/* Puts the zeros and the NaNs of a line back into their places in the sorted line, in their order and with their own bits.
   surely: there are NaNs or -0, zeros lie in any order, and behind the numbers lies anything that is none less. Otherwise the line was sorted
   by keys, and one without NaN and -0 is left as it is. */
static void gi_restore_f32(int64_t n, float *sorted, const float *line, bool surely)
{
    int64_t zeros = 0, nans = n, beyond = n;
    while (zeros < beyond) {
        const int64_t middle = zeros + (beyond - zeros) / 2;
        if (sorted[middle] < 0) zeros = middle + 1;
        else beyond = middle;
    }
    for (int64_t i = 0; i < n && surely; i++) nans -= line[i] != line[i];
    while (!surely && nans > zeros && sorted[nans - 1] != sorted[nans - 1]) nans--;
    if (!surely && nans == n && !(zeros < n && sorted[zeros] == 0 && gi_signbit_f32(sorted[zeros]))) return;
    for (beyond = zeros; beyond < nans && sorted[beyond] == 0;) beyond++;
    for (int64_t i = 0; zeros < beyond; i++) { /* without a branch: what is none of them is written over */
        sorted[zeros] = line[i];
        zeros += line[i] == 0;
    }
    for (int64_t i = 0; nans < n; i++) {
        sorted[nans] = line[i];
        nans += line[i] != line[i];
    }
}
static void gi_restore_f64(int64_t n, double *sorted, const double *line, bool surely)
{
    int64_t zeros = 0, nans = n, beyond = n;
    while (zeros < beyond) {
        const int64_t middle = zeros + (beyond - zeros) / 2;
        if (sorted[middle] < 0) zeros = middle + 1;
        else beyond = middle;
    }
    for (int64_t i = 0; i < n && surely; i++) nans -= line[i] != line[i];
    while (!surely && nans > zeros && sorted[nans - 1] != sorted[nans - 1]) nans--;
    if (!surely && nans == n && !(zeros < n && sorted[zeros] == 0 && gi_signbit_f64(sorted[zeros]))) return;
    for (beyond = zeros; beyond < nans && sorted[beyond] == 0;) beyond++;
    for (int64_t i = 0; zeros < beyond; i++) { /* without a branch: what is none of them is written over */
        sorted[zeros] = line[i];
        zeros += line[i] == 0;
    }
    for (int64_t i = 0; nans < n; i++) {
        sorted[nans] = line[i];
        nans += line[i] != line[i];
    }
}

static void gi_restore(ga_dtype dtype, int64_t n, char *sorted, const char *line, bool surely)
{
    if (dtype == GA_F32) gi_restore_f32(n, (float *)(void *)sorted, (const float *)(const void *)line, surely);
    if (dtype == GA_F64) gi_restore_f64(n, (double *)(void *)sorted, (const double *)(const void *)line, surely);
}

/* How numbers of 4 or 8 bytes become unsigned keys. */
static gi_keys gi_unsigned_keys(ga_dtype dtype)
{
    const bool    real = gi_is_float(dtype);
    const gi_keys rule = { real || gi_is_signed(dtype) ? (uint64_t)1 << (8 * ga_itemsize(dtype) - 1) : 0, real, UINT64_MAX,
                           false };
    return rule;
}

/* By what records of `size` bytes are sorted: some bits of one of their words. */
typedef struct gi_sort_bits {
    int                   size, word, low;
    uint64_t              mask;
    const gi_quick_loops *quick; /* that sort them as they are, or NULL */
} gi_sort_bits;

static gi_sort_bits gi_sort_bits_of(int size, int byte, int bytes)
{
    const int          word = size > 4 ? byte / 8 : 0;
    const gi_sort_bits o    = { size, word, 8 * (byte - 8 * word), UINT64_MAX >> (64 - 8 * bytes),
                             bytes == size ? GI_LOOP_OF(quick)(size) : NULL };
    return o;
}

static GI_INLINE uint64_t gi_record_key(const gi_sort_bits *o, const char *record, int size)
{
    uint64_t wide;
    uint32_t narrow;
    if (size == 4) {
        memcpy(&narrow, record, sizeof narrow);
        return narrow;
    }
    memcpy(&wide, record + (size > 8 ? 8 * o->word : 0), sizeof wide);
    return wide >> o->low & o->mask;
}

/* Sorts n records by `bits` bits of their keys from number `low` on, the lowest digits first. Returns where they are then. */
static GI_INLINE char *gi_sort_digits(const gi_sort_bits *o, char *from, char *other, int64_t n, int size, int low, int bits,
                                      int most)
{
    for (int left = (bits + most - 1) / most; left > 0; left--) {
        const int      wide = (bits + left - 1) / left;
        const uint32_t mask = ((uint32_t)1 << wide) - 1;
        int64_t        at   = 0;
        GI_ARENA(int64_t, places, 1 << GI_DIGIT_BITS);
        int64_t *__restrict place = places; /* the records are elsewhere */
        memset(place, 0, sizeof *place << wide);
        for (int64_t i = 0; i < n; i++) place[gi_record_key(o, from + i * size, size) >> low & mask]++;
        for (uint32_t d = 0; d <= mask; d++) {
            const int64_t count = place[d];
            place[d]            = at;
            at += count;
        }
        for (int64_t i = 0; i < n; i++) {
            const uint32_t d = (uint32_t)(gi_record_key(o, from + i * size, size) >> low) & mask;
            memcpy(other + place[d]++ * size, from + i * size, (size_t)size);
        }
        char *sorted = other;
        other        = from;
        from         = sorted;
        low += wide;
        bits -= wide;
    }
    return from;
}

/* By insertion, from one place to another or in place. False if records had to be moved too far: then they are at `to`, those with
   equal keys still in their order. */
static GI_INLINE bool gi_insert_records(const gi_sort_bits *o, const char *from, char *to, int64_t n, int size, int64_t most)
{
    for (int64_t i = 0; i < n; i++) {
        char record[16];
        memcpy(record, from + i * size, (size_t)size);
        const uint64_t key = gi_record_key(o, record, size);
        int64_t        j   = i;
        for (; j > 0 && gi_record_key(o, to + (j - 1) * size, size) > key; j--)
            memcpy(to + j * size, to + (j - 1) * size, (size_t)size);
        memcpy(to + j * size, record, (size_t)size);
        most -= i - j;
        if (most < 0) {
            if (from != to) memcpy(to + (i + 1) * size, from + (i + 1) * size, (size_t)((n - i - 1) * size));
            return false;
        }
    }
    return true;
}

/* The bits in which keys differ. */
static GI_INLINE uint64_t gi_different_bits(const gi_sort_bits *o, const char *records, int64_t n, int size)
{
    uint64_t different = 0;
    for (int64_t i = 1; i < n; i++) different |= gi_record_key(o, records, size) ^ gi_record_key(o, records + i * size, size);
    return different;
}

/* Sorts records that lie at `from` to `to`, which may be `from`, or `other` with room for as many, or elsewhere. */
static GI_INLINE void gi_sort_cached(const gi_sort_bits *o, char *from, char *other, char *to, int64_t n, int size)
{
    if (n <= GI_FEW_RECORDS) {
        gi_insert_records(o, from, to, n, size, INT64_MAX);
        return;
    }
    const uint64_t different = gi_different_bits(o, from, n, size);
    char          *sorted    = from;
    if (different) {
        const int low = __builtin_ctzll(different), high = 64 - __builtin_clzll(different);
        const int most   = n < 1536 ? 8 : n < 4096 ? 10 : (int)GI_DIGIT_BITS;
        int       passes = GI_SPARE_BITS, bits = high - low;
        for (int64_t m = n; m > 1; m /= 2) passes++; /* the bits of a number of a record, and some more */
        passes = (passes + most - 1) / most;
        if (bits > passes * most && n > GI_SORT_BYTES / size) passes = (bits + most - 1) / most;
        if (bits > passes * most) {
            bits   = passes * most;
            sorted = gi_sort_digits(o, from, other, n, size, high - bits, bits, most);
            if (gi_insert_records(o, sorted, to, n, size, 4 * n)) return;
            other = to == from ? other : from;
            from  = to;
            bits  = high - low;
        }
        sorted = gi_sort_digits(o, from, other, n, size, low, bits, most);
    }
    if (sorted != to) memcpy(to, sorted, (size_t)(n * size));
}

/* Where a sample of the keys says that parts should be: bins of equal width, and in each so many parts of equal width, a power of
   two, that all hold about as many records. */
typedef struct gi_parting {
    uint64_t low, span; /* keys below or beyond count like the ends */
    int      shift;     /* bits of what a bin spans */
    int      parts;
    uint32_t bins[GI_SPLIT_BINS]; /* the first part of a bin, above that the bits that number them, and the bits that do not */
} gi_parting;

static void gi_plan_parts(gi_parting *s, const gi_sort_bits *o, const char *sample)
{
    uint64_t least = UINT64_MAX, greatest = 0;
    int      count[GI_SPLIT_BINS] = { 0 };
    for (int i = 0; i < GI_SPLIT_SAMPLE; i++) {
        const uint64_t key = gi_record_key(o, sample + i * o->size, o->size);
        least              = key < least ? key : least;
        greatest           = key > greatest ? key : greatest;
    }
    s->low   = least;
    s->span  = greatest - least;
    s->parts = s->shift = 0;
    while (s->span >> s->shift >= GI_SPLIT_BINS) s->shift++;
    for (int i = 0; i < GI_SPLIT_SAMPLE; i++) count[(gi_record_key(o, sample + i * o->size, o->size) - least) >> s->shift]++;
    for (int b = 0; b < GI_SPLIT_BINS; b++) {
        int bits = 0;
        while (bits < s->shift && count[b] > GI_SPLIT_SAMPLE / GI_SPLIT_BINS << bits) bits++;
        s->bins[b] = (uint32_t)s->parts | (uint32_t)bits << 16 | (uint32_t)(s->shift - bits) << 24;
        s->parts += 1 << bits;
    }
}

static GI_INLINE int64_t gi_part_of_key(const gi_parting *s, uint64_t key)
{
    uint64_t beyond    = key < s->low ? 0 : key - s->low;
    beyond             = beyond > s->span ? s->span : beyond;
    const uint32_t bin = s->bins[beyond >> s->shift];
    return (bin & 0xffff) + (uint32_t)(beyond >> (bin >> 24) & (((uint64_t)1 << (bin >> 16 & 0xff)) - 1));
}

/* What is sorted together, and the threads share: from records at `from` or, with `rule`, elements there, to `to`, by way of `parts`
   and `spare`; then, with `loops`, to elements again. */
typedef struct gi_splitting {
    gi_sort_bits        by;
    const gi_key_loops *loops;
    const gi_keys      *rule;
    bool                elements; /* at `from` */
    const char         *from;
    char               *parts, *spare, *to;
    int64_t             n, chunks, *places; /* of the parts of each chunk: how many records are there, then where they go */
    int64_t             starts[GI_SPLIT_PARTS + 1];
    gi_parting          split;
} gi_splitting;

/* n records that begin with number i; or the keys of elements, in `room`. */
static const char *gi_split_records(const gi_splitting *s, int64_t i, int64_t step, int64_t n, char *room)
{
    const char *from = s->from + i * s->by.size;
    if (!s->elements && step == 1) return from;
    for (int64_t k = 0; k < n && step > 1; k++) memcpy(room + k * s->by.size, from + k * step * s->by.size, (size_t)s->by.size);
    if (step == 1) memcpy(room, from, (size_t)(n * s->by.size));
    if (s->elements) s->loops->to_keys(s->rule, n, room);
    return room;
}

enum { GI_SPLIT_TILE = 512 };

static GI_INLINE void gi_count_chunk(const gi_splitting *s, int64_t chunk, int size)
{
    const int64_t stop  = chunk == s->chunks - 1 ? s->n : (chunk + 1) * GI_SPLIT_CHUNK;
    int64_t      *count = s->places + chunk * s->split.parts;
    GI_ARENA(char, room, GI_SPLIT_TILE * 8);
    memset(count, 0, (size_t)s->split.parts * sizeof *count);
    for (int64_t i = chunk * GI_SPLIT_CHUNK, n; i < stop; i += n) {
        n                = stop - i < GI_SPLIT_TILE ? stop - i : (int64_t)GI_SPLIT_TILE;
        const char *from = gi_split_records(s, i, 1, n, room);
        for (int64_t k = 0; k < n; k++) count[gi_part_of_key(&s->split, gi_record_key(&s->by, from + k * size, size))]++;
    }
}

static GI_INLINE void gi_move_chunk(const gi_splitting *s, int64_t chunk, int size)
{
    const int64_t stop  = chunk == s->chunks - 1 ? s->n : (chunk + 1) * GI_SPLIT_CHUNK;
    int64_t      *place = s->places + chunk * s->split.parts;
    GI_ARENA(char, room, GI_SPLIT_TILE * 8);
    for (int64_t i = chunk * GI_SPLIT_CHUNK, n; i < stop; i += n) {
        n                = stop - i < GI_SPLIT_TILE ? stop - i : (int64_t)GI_SPLIT_TILE;
        const char *from = gi_split_records(s, i, 1, n, room);
        for (int64_t k = 0; k < n; k++) {
            const int64_t part = gi_part_of_key(&s->split, gi_record_key(&s->by, from + k * size, size));
            memcpy(s->parts + place[part]++ * size, from + k * size, (size_t)size);
        }
    }
}

static void gi_count_parts(int64_t begin, int64_t end, void *job)
{
    const gi_splitting *s = (const gi_splitting *)job;
    for (int64_t chunk = begin; chunk < end; chunk++) {
        if (s->by.size == 4) gi_count_chunk(s, chunk, 4);
        if (s->by.size == 8) gi_count_chunk(s, chunk, 8);
        if (s->by.size == 16) gi_count_chunk(s, chunk, 16);
    }
}

static void gi_move_parts(int64_t begin, int64_t end, void *job)
{
    const gi_splitting *s = (const gi_splitting *)job;
    for (int64_t chunk = begin; chunk < end; chunk++) {
        if (s->by.size == 4) gi_move_chunk(s, chunk, 4);
        if (s->by.size == 8) gi_move_chunk(s, chunk, 8);
        if (s->by.size == 16) gi_move_chunk(s, chunk, 16);
    }
}

static bool gi_keys_differ(const gi_sort_bits *o, const char *records, int64_t n)
{
    const uint64_t first = gi_record_key(o, records, o->size);
    for (int64_t i = 1; i < n; i++)
        if (gi_record_key(o, records + i * o->size, o->size) != first) return true;
    return false;
}

static void gi_sort_part(const gi_sort_bits *o, char *from, char *other, char *to, int64_t n)
{
    if (o->quick) {
        if (to != from) memcpy(to, from, (size_t)(n * o->size));
        o->quick->sort(n, to);
        return;
    }
    if (o->size == 4) gi_sort_cached(o, from, other, to, n, 4);
    if (o->size == 8) gi_sort_cached(o, from, other, to, n, 8);
    if (o->size == 16) gi_sort_cached(o, from, other, to, n, 16);
}

GI_END_FAST

/* Turns the counts into places; returns the records of the largest part. */
static int64_t gi_place_parts(gi_splitting *s)
{
    int64_t at = 0, largest = 0;
    for (int part = 0; part < s->split.parts; part++) {
        s->starts[part] = at;
        for (int64_t chunk = 0; chunk < s->chunks; chunk++) {
            int64_t *place = &s->places[chunk * s->split.parts + part], count = *place;
            *place = at;
            at += count;
        }
        if (at - s->starts[part] > largest) largest = at - s->starts[part];
    }
    s->starts[s->split.parts] = at;
    return largest;
}

static int64_t gi_split_chunks(int64_t n) { return n < GI_SPLIT_CHUNK ? 1 : n / GI_SPLIT_CHUNK; }
static int64_t gi_split_bytes(int64_t n) { return gi_split_chunks(n) * (int64_t)(GI_SPLIT_PARTS * sizeof(int64_t)); }

static void gi_sort_whole_part(const gi_splitting *s, char *from, char *other, char *to, int64_t n)
{
    gi_sort_part(&s->by, from, other, to, n);
    if (s->loops) s->loops->from_keys(s->rule, n, to);
}

/* The parts that need not be split again. The room beside them is used again and again, if nothing else is kept there. */
static void gi_sort_parts(int64_t begin, int64_t end, void *job)
{
    const gi_splitting *s    = (const gi_splitting *)job;
    const int           size = s->by.size;
    for (int64_t part = begin; part < end; part++) {
        const int64_t at = s->starts[part], n = s->starts[part + 1] - at;
        if (n == 0 || n > GI_SORT_BYTES / size) continue;
        char *spare = s->spare + (s->spare == s->to ? at : s->starts[begin]) * size;
        gi_sort_whole_part(s, s->parts + at * size, spare, s->to + at * size, n);
    }
}

/* Splits the records, and those parts again that are too large for a cache, unless that does not help. */
static void gi_sort_split(gi_splitting *s, int depth)
{
    const int size = s->by.size;
    gi_plan_parts(&s->split, &s->by, gi_split_records(s, 0, s->n / GI_SPLIT_SAMPLE, GI_SPLIT_SAMPLE, s->parts));
    gi_parallel(s->chunks, 1, gi_count_parts, s);
    int64_t largest = gi_place_parts(s);
    gi_parallel(s->chunks, 1, gi_move_parts, s);
    gi_parallel(s->split.parts, 16, gi_sort_parts, s);
    for (int part = 0; part < s->split.parts && largest > GI_SORT_BYTES / size; part++) {
        const int64_t at = s->starts[part] * size, n = s->starts[part + 1] - s->starts[part];
        char         *from = s->parts + at, *other = s->spare + at;
        if (n <= GI_SORT_BYTES / size) continue;
        if (depth == 0 || n == s->n || !gi_keys_differ(&s->by, from, n)) {
            gi_sort_whole_part(s, from, other, s->to + at, n);
            continue;
        }
        GI_ARENA(gi_splitting, again, 1);
        again->by       = s->by;
        again->loops    = s->loops;
        again->rule     = s->rule;
        again->elements = false;
        again->from     = from;
        again->parts    = other;
        again->spare    = from;
        again->to       = s->to + at;
        again->n        = n;
        again->chunks   = gi_split_chunks(n);
        again->places   = s->places;
        gi_sort_split(again, depth - 1);
    }
}

/* Sorts n records by `bytes` of their bytes from number `byte` on. `spare` has room for as many records. alone: no other
   thread sorts another line. */
static void gi_sort_records(char *records, char *spare, int64_t n, int size, int byte, int bytes, int64_t *places, bool alone)
{
    const gi_sort_bits by      = gi_sort_bits_of(size, byte, bytes);
    const int64_t      threads = by.quick && alone ? gi_sort_threads(n) : 1;
    bool               nans, minus;
    if (threads > 1) {
        gi_sort_shared(threads, NULL, size, n, NULL, 0, NULL, records, &nans, &minus);
        return;
    }
    if (by.quick || n <= GI_SORT_BYTES / size) {
        gi_sort_part(&by, records, spare, records, n);
        return;
    }
    GI_ARENA(gi_splitting, s, 1);
    s->by       = by;
    s->loops    = NULL;
    s->rule     = NULL;
    s->elements = false;
    s->from = s->spare = s->to = records;
    s->parts                   = spare;
    s->n                       = n;
    s->chunks                  = gi_split_chunks(n);
    s->places                  = places;
    gi_sort_split(s, GI_SPLIT_DEPTH);
}

/* Lines in; sorted lines, or the int64 indices that sort them, out. Short lines are sorted in groups, as one, and by
   the number of the line at last, because 256 counters are too many for one of them. */
typedef struct gi_sort_job {
    gi_lines lines, out;
    bool     indices;
    bool     by_keys; /* the keys are the records, and are turned back into elements: long lines of real numbers */
    bool     quick;   /* each line is sorted by a quicksort, by keys and numbers together */
    bool     each;    /* short lines of numbers of 4 or 8 bytes are sorted one after the other, each by a quicksort */
    bool     columns; /* many short lines of real numbers are sorted side by side */
    int      record;  /* bytes of one: 4 or 8, a key; 8, a short key above a number; 16, a key and then a number */
    int64_t  group;   /* lines that are sorted at once */
    int64_t  units;   /* each sorts some of the groups, in its own scratch: */
    int64_t half; /* bytes of the records, and of what they are moved to, or of a line that does not lie packed in the result */
    int64_t spare_at, room_at, places_at; /* where these begin; elements that are not packed; the places of the digits */
    int64_t bytes;
    char   *scratch;
} gi_sort_job;

/* The number in a record of a group: that of the line, above that of the element in the group. */
enum { GI_GROUP_RECORDS = 8192, GI_LINE_SHIFT = 24 };

/* The key of a part (0 real, 1 imaginary) of a complex element. */
static uint64_t gi_part_key(ga_dtype dtype, const char *elements, uint64_t i, int part)
{
    double x;
    if (dtype == GA_C128) {
        memcpy(&x, elements + 16 * i + 8 * part, sizeof x);
    } else {
        float narrow;
        memcpy(&narrow, elements + 8 * i + 4 * part, sizeof narrow);
        x = (double)narrow;
    }
    return gi_key_f64(gi_bits_f64(x));
}

/* Complex numbers by real part, then imaginary part; those with a NaN behind all others: NaN in the imaginary part
   alone, in the real part alone, in both. Where there is a NaN, three stable sorts do it, the least important first; else one, and others of
   those whose real parts are equal. The records have their numbers. */
static void gi_order_complex(const gi_sort_job *j, const char *elements, int64_t n, char *records, char *spare, int64_t *places)
{
    const uint64_t nan = UINT64_MAX, mask = j->group > 1 ? ((uint64_t)1 << GI_LINE_SHIFT) - 1 : UINT64_MAX;
    ga_dtype       dtype   = j->lines.dtype;
    uint64_t      *words   = (uint64_t *)(void *)records;
    bool           has_nan = false;
    for (int64_t k = 0; k < n && !has_nan; k++) {
        const uint64_t i = words[2 * k + 1] & mask;
        words[2 * k]     = gi_part_key(dtype, elements, i, 0);
        has_nan          = words[2 * k] == nan || gi_part_key(dtype, elements, i, 1) == nan;
    }
    if (!has_nan) {
        gi_sort_records(records, spare, n, 16, 0, 8, places, j->units == 1);
        for (int64_t at = 0, stop; at < n; at = stop) {
            for (stop = at + 1; stop < n && words[2 * stop] == words[2 * at];) stop++;
            for (int64_t k = at; k < stop && stop > at + 1; k++)
                words[2 * k] = gi_part_key(dtype, elements, words[2 * k + 1] & mask, 1);
            if (stop > at + 1) gi_sort_records(records + 16 * at, spare + 16 * at, stop - at, 16, 0, 8, places, j->units == 1);
        }
        return;
    }
    for (int round = 0; round < 3; round++) {
        for (int64_t k = 0; k < n; k++) {
            uint64_t i    = words[2 * k + 1] & mask;
            uint64_t real = gi_part_key(dtype, elements, i, 0), imag = gi_part_key(dtype, elements, i, 1);
            words[2 * k] = round == 0 ? imag : round == 1 ? real : real == nan ? 2 : imag == nan ? 1 : 0;
        }
        gi_sort_records(records, spare, n, 16, 0, round < 2 ? 8 : 1, places, j->units == 1);
    }
}

/* The order of the elements of a group of lines, as int64 numbers written over the records. */
static int64_t *gi_order_group(const gi_sort_job *j, const char *elements, int64_t lines, char *records, char *spare,
                               int64_t *places)
{
    ga_dtype        dtype = j->lines.dtype;
    int64_t         n = lines * j->lines.length, k = 0;
    int             key_bytes = (int)ga_itemsize(dtype), key_at = j->record == 8 ? 4 : 0;
    uint64_t       *word       = (uint64_t *)(void *)records;
    const uint32_t *key4       = (const uint32_t *)(const void *)spare;
    const uint64_t *key8       = (const uint64_t *)(const void *)spare;
    bool            is_complex = gi_is_complex(dtype);
    if (!is_complex) gi_to_keys(dtype, n, spare, elements);
    for (int64_t line = 0; line < lines; line++)
        for (int64_t i = 0; i < j->lines.length; i++, k++) {
            uint64_t number = j->group > 1 ? (uint64_t)line << GI_LINE_SHIFT | (uint64_t)k : (uint64_t)k;
            if (j->record == 8) {
                word[k] = (uint64_t)key4[k] << 32 | number;
            } else {
                word[2 * k]     = is_complex ? 0 : key_bytes > 4 ? key8[k] : key4[k];
                word[2 * k + 1] = number;
            }
        }
    if (is_complex) gi_order_complex(j, elements, n, records, spare, places);
    else gi_sort_records(records, spare, n, j->record, key_at, key_bytes, places, j->units == 1);
    if (lines > 1) gi_sort_records(records, spare, n, j->record, j->record - 8 + GI_LINE_SHIFT / 8, 1, places, j->units == 1);
    const uint64_t mask = j->group > 1 ? ((uint64_t)1 << GI_LINE_SHIFT) - 1 : j->record == 8 ? UINT32_MAX : UINT64_MAX;
    for (k = 0; k < n; k++) word[k] = word[j->record == 8 ? k : 2 * k + 1] & mask;
    return (int64_t *)word;
}

/* Puts records of a line that are in order but for the last bits of their keys in order. */
static void gi_order_rest(const gi_numbering *p, int64_t n, const uint64_t *keys, uint64_t *word)
{
    const uint64_t mask = ((uint64_t)1 << p->digits) - 1, last = ((uint64_t)1 << p->rest) - 1;
    for (int64_t i = 0, stop; i < n; i = stop) {
        for (stop = i + 1; stop < n && (word[i] ^ word[stop]) <= mask;) stop++;
        if (stop == i + 1) continue;
        for (int64_t k = i; k < stop; k++)
            word[k] = ((keys[word[k] & mask] - p->least) >> p->low & last) << p->digits | (word[k] & mask);
        GI_LOOP_OF(quick)(8)->sort(stop - i, word + i);
    }
}

/* gi_order_group of real numbers, by a quicksort of words: above the number of an element lies its key, or as many of the bits in which keys
   differ as there is room for. */
static int64_t *gi_order_quickly(const gi_sort_job *j, const char *elements, int64_t lines, char *records, char *spare,
                                 int64_t *places)
{
    const int64_t n = j->lines.length, all = lines * n;
    const bool    narrow = ga_itemsize(j->lines.dtype) <= 4;
    uint64_t     *word   = (uint64_t *)(void *)records;
    void *keys     = narrow ? spare : spare + j->half; /* there, behind the records, lie the elements, if they are not packed */
    gi_numbering p = { 32, 0, 0, 0 };
    gi_to_keys(j->lines.dtype, all, keys, elements);
    for (int64_t i = 0; i < all && narrow; i++) word[i] = (uint64_t)((const uint32_t *)keys)[i] << 32 | (uint64_t)i;
    if (!narrow) {
        p.digits = 64 - __builtin_clzll((uint64_t)all);
        GI_LOOP_OF(quick)(8)->number(all, keys, word, &p);
    }
    const uint64_t mask = ((uint64_t)1 << p.digits) - 1;
    for (int64_t at = 0; at < all; at += n) {
        gi_sort_records(records + 8 * at, spare, n, 8, 0, 8, places, j->units == 1);
        if (p.rest > 0) gi_order_rest(&p, n, (const uint64_t *)keys, word + at);
        for (int64_t i = at; i < at + n; i++) word[i] = (word[i] & mask) - (uint64_t)(j->indices ? at : 0);
    }
    return (int64_t *)word;
}

/* Do the threads that share a line also bring its elements side by side, each its own? */
static bool gi_sort_gathers(const gi_sort_job *j)
{
    const gi_lines *p    = &j->lines;
    const int       size = (int)ga_itemsize(p->dtype);
    return j->by_keys && j->units == 1 && size == j->record && !p->maker && p->reduced == 1 && !gi_lies_packed(p) &&
           GI_LOOP_OF(quick)(size) && gi_sort_threads(p->length) > 1;
}

/* One long line of real numbers: keys are enough. room: for its elements, which are not side by side (gi_sort_gathers); or NULL. Returns
   where the sorted elements are: at `to`, if that is not NULL and the keys are as wide as the elements; else at `spare`. */
static char *gi_sort_by_keys(const gi_sort_job *j, const char *line, char *room, char *records, char *spare, char *to,
                             int64_t *places)
{
    const ga_dtype dtype = j->lines.dtype;
    const int64_t  n     = j->lines.length;
    const int      size  = (int)ga_itemsize(dtype);
    if (size < j->record) { /* as wider numbers */
        gi_to_keys(dtype, n, records, line);
        gi_sort_records(records, spare, n, j->record, 0, j->record, places, j->units == 1);
        gi_from_keys(dtype, n, spare, records);
        return spare;
    }
    const gi_keys      rule = gi_unsigned_keys(dtype);
    const gi_sort_bits by   = gi_sort_bits_of(size, 0, size);
    bool               nans = false, minus = false;
    to = to ? to : spare;
    if (by.quick) {
        const int64_t threads = j->units == 1 ? gi_sort_threads(n) : 1;
        const int64_t stride  = room ? j->lines.strides[0] : size;
        if (threads > 1 || room) /* another thread may have changed their number meanwhile */
            gi_sort_shared(threads, &rule, size, n, line, stride, room, to, &nans, &minus);
        else minus = by.quick->sort_line(&rule, n, line, to);
        if (nans || minus) gi_restore(dtype, n, to, room ? room : line, !nans);
        return to;
    }
    GI_ARENA(gi_splitting, s, 1);
    s->by       = by;
    s->loops    = GI_LOOP_OF(keys)(size);
    s->rule     = &rule;
    s->elements = true;
    s->from     = line;
    s->parts    = records;
    s->spare    = spare;
    s->to       = to;
    s->n        = n;
    s->chunks   = gi_split_chunks(n);
    s->places   = places;
    if (n > GI_SORT_BYTES / size) {
        gi_sort_split(s, GI_SPLIT_DEPTH);
    } else {
        memcpy(records, line, (size_t)(n * size));
        s->loops->to_keys(&rule, n, records);
        gi_sort_whole_part(s, records, spare, to, n);
    }
    gi_restore(dtype, n, to, line, false);
    return to;
}

/* Short lines of numbers of 4 or 8 bytes that lie behind each other: many of them side by side, the others each by a quicksort; at `to`. */
static void gi_sort_each(const gi_sort_job *j, const char *elements, int64_t lines, char *to)
{
    enum { FEW = 2 };
    const ga_dtype        dtype = j->lines.dtype;
    const int             size  = (int)ga_itemsize(dtype);
    const int64_t         n     = j->lines.length;
    const gi_keys         rule  = gi_unsigned_keys(dtype);
    const gi_quick_loops *quick = GI_LOOP_OF(quick)(size);
    if (lines > FEW && n <= GI_LINE_ROWS) {
        unsigned char special[(int)GI_DIGITS + GI_NETWORK_ROWS] = { 0 };
        GI_ARENA(char, rows, GI_LINE_ROWS * 64);
        quick->sort_lines(&rule, n, lines, elements, to, special, rows);
        for (int64_t k = 0; k < lines && rule.real; k++)
            if (special[k]) gi_restore(dtype, n, to + k * n * size, elements + k * n * size, true);
        return;
    }
    for (int64_t at = 0; at < lines * n * size; at += n * size)
        if (quick->sort_line(&rule, n, elements + at, to + at)) gi_restore(dtype, n, to + at, elements + at, true);
}

/* As many lines as fit, side by side, by a network of exchanges that treats all alike. */
static void gi_sort_side_by_side(const gi_sort_job *j, int64_t first, int64_t lines, char *scratch)
{
    const ga_dtype dtype = j->lines.dtype;
    const int      size  = (int)ga_itemsize(dtype);
    const int64_t  n     = j->lines.length;
    const uint64_t sign  = (uint64_t)1 << (8 * size - 1);
    const bool     real = gi_is_float(dtype), packed = j->out.strides[0] == size;
    /* Keys of 4 and 8 bytes are compared as signed numbers, shorter ones as unsigned. */
    const gi_keys       rule  = { !real && gi_is_signed(dtype) != (size >= 4) ? sign : 0, real, sign - 1, false };
    const gi_key_loops *loops = GI_LOOP_OF(keys)(size);
    char               *rows = scratch, *spare = scratch + j->spare_at, *room = scratch + j->room_at;
    const char         *line[GI_COLUMN_BYTES];
    if (lines * size < GI_COLUMN_BYTES) memset(rows, 0, (size_t)(n * GI_COLUMN_BYTES));
    for (int64_t c = 0; c < lines; c++) {
        line[c] = (const char *)gi_read_line(&j->lines, first + c, 0, n, room + c * n * size, NULL);
        gi_scatter(size, n, rows + c * size, GI_COLUMN_BYTES, line[c]);
    }
    loops->to_keys(&rule, n * (GI_COLUMN_BYTES / size), rows);
    loops->sort_columns(n, rows);
    loops->from_keys(&rule, n * (GI_COLUMN_BYTES / size), rows);
    for (int64_t c = 0; c < lines; c++) {
        char *to = (char *)gi_line_start(&j->out, first + c), *sorted = packed ? to : spare;
        gi_gather(size, n, sorted, rows + c * size, GI_COLUMN_BYTES);
        gi_restore(dtype, n, sorted, line[c], false);
        if (!packed) gi_scatter(size, n, to, j->out.strides[0], sorted);
    }
}

/* Do packed lines follow one another? */
static bool gi_lines_adjoin(const gi_lines *p)
{
    return gi_lies_packed(p) && p->kept == 1 && p->kept_strides[0] == p->length * ga_itemsize(p->dtype);
}

static void gi_sort_group(const gi_sort_job *j, int64_t first, int64_t lines, char *scratch)
{
    int           size = (int)ga_itemsize(j->lines.dtype), out_size = (int)ga_itemsize(j->out.dtype);
    int64_t       n = j->lines.length, *order = NULL;
    char         *records = scratch, *spare = scratch + j->spare_at, *room = scratch + j->room_at;
    int64_t      *places   = (int64_t *)(void *)(scratch + j->places_at);
    const char   *elements = room;
    const int64_t run = gi_lines_adjoin(&j->lines) ? lines : 1, out_run = gi_lines_adjoin(&j->out) ? lines : 1;
    const bool    gathers = gi_sort_gathers(j);
    if (gathers) elements = (const char *)gi_line_start(&j->lines, first);
    for (int64_t k = 0; k < lines && !gathers; k += run) {
        const char *line = (const char *)gi_read_line(&j->lines, first + k, 0, n, room + k * n * size, NULL);
        if (run == lines) elements = line;
        else if (line != room + k * n * size) /* it lies packed in a: put it beside the others */
            memcpy(room + k * n * size, line, (size_t)(n * size));
    }
    char *sorted;
    if (j->each) {
        const bool straight = out_run == lines && j->out.strides[0] == out_size;
        sorted              = straight ? (char *)gi_line_start(&j->out, first) : spare;
        gi_sort_each(j, elements, lines, sorted);
        if (straight) return;
    } else if (j->by_keys) {
        char *to = j->out.strides[0] == out_size ? (char *)gi_line_start(&j->out, first) : NULL;
        sorted   = gi_sort_by_keys(j, elements, gathers ? room : NULL, records, spare, to, places);
        if (sorted == to) return;
    } else {
        order  = (j->quick ? gi_order_quickly : gi_order_group)(j, elements, lines, records, spare, places);
        sorted = (char *)order;
    }
    if (order && !j->indices) {
        sorted           = (char *)order == records ? spare : records;
        gi_take_job take = { elements, sorted, order, n * lines, 0, size };
        gi_parallel(n * lines, 65536, gi_take_rows, &take);
        for (int64_t k = 0; k < n * lines && j->lines.dtype == GA_BOOL; k++) sorted[k] = sorted[k] != 0;
    }
    for (int64_t k = 1; k < lines && j->indices && !j->quick; k++)
        for (int64_t i = 0; i < n; i++) order[k * n + i] -= k * n; /* from its line's start */
    for (int64_t k = 0; k < lines; k += out_run)
        gi_scatter(out_size, n * out_run, (char *)gi_line_start(&j->out, first + k), j->out.strides[0],
                   sorted + k * n * out_size);
}

static void gi_sort_units(int64_t begin, int64_t end, void *job)
{
    const gi_sort_job *j      = (const gi_sort_job *)job;
    int64_t            groups = (j->lines.lines + j->group - 1) / j->group;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t share = groups / j->units, more = groups % j->units;
        int64_t first = unit * share + (unit < more ? unit : more), last = first + share + (unit < more);
        for (int64_t k = first; k < last; k++) {
            int64_t line = k * j->group, left = j->lines.lines - line;
            (j->columns ? gi_sort_side_by_side : gi_sort_group)(j, line, left < j->group ? left : j->group,
                                                                j->scratch + unit * j->bytes);
        }
    }
}

static void gi_plan_sort(gi_sort_job *j)
{
    int64_t n = j->lines.length, lines = j->lines.lines, size = ga_itemsize(j->lines.dtype), threads = ga_get_num_threads();
    j->group = GI_GROUP_RECORDS / n;
    if (j->group > GI_DIGITS) j->group = GI_DIGITS;
    if (j->group > lines) j->group = lines;
    if (j->group < 1) j->group = 1;
    const bool wanted = !j->indices && !gi_is_complex(j->lines.dtype) && j->lines.dtype != GA_BOOL;
    j->each =
        wanted && size >= 4 && j->group > 1 && n <= (size == 4 ? GI_COLUMN_ROWS : GI_EACH_ROWS) && GI_LOOP_OF(quick)((int)size);
    j->columns = wanted && !j->each && n <= GI_COLUMN_ROWS && lines >= GI_COLUMN_BYTES / size / 2;
    if (j->each && j->group > GI_NETWORK_ROWS) j->group &= -(int64_t)GI_NETWORK_ROWS; /* whole vectors of lines */
    if (j->columns) j->group = GI_COLUMN_BYTES / size;
    else if (wanted && !j->each && GI_LOOP_OF(quick)(size <= 4 ? 4 : 8)) j->group = 1;
    j->by_keys = j->group == 1 && !j->indices && !gi_is_complex(j->lines.dtype);
    if (j->by_keys) j->record = size <= 4 ? 4 : 8;
    else j->record = size <= 4 && n <= UINT32_MAX ? 8 : 16;
    if (gi_is_complex(j->lines.dtype)) j->record = 16;
    j->quick = !j->by_keys && !j->columns && !gi_is_complex(j->lines.dtype) && n <= UINT32_MAX && GI_LOOP_OF(quick)(8);
    if (j->quick) j->record = 8;
    if (j->columns || j->each) j->record = (int)size;
    int64_t groups = (lines + j->group - 1) / j->group;
    j->units       = groups < 4 * threads ? groups : 4 * threads;
    if (n >= 2 * GI_SPLIT_CHUNK) j->units = 1; /* the threads share a line, else each has its own */
    const bool digits = !(j->by_keys || j->quick) || !GI_LOOP_OF(quick)(j->record); /* sort the records */
    const bool in_place =
        j->by_keys && size == j->record && GI_LOOP_OF(quick)((int)size); /* elements become keys in the result */
    const bool packed = in_place && gi_lies_packed(&j->lines), straight = in_place && j->out.strides[0] == size;
    j->half      = straight ? 0 : gi_mem_padded(n * j->group * j->record);
    j->spare_at  = in_place ? 0 : j->half;
    j->room_at   = j->spare_at + j->half;
    j->places_at = j->room_at + (packed ? 0 : gi_mem_padded(n * j->group * size));
    j->bytes     = j->places_at + (digits ? gi_split_bytes(n * j->group) : 0);
}

/* How long it takes, see gi_parallel_bytes: side by side by a network, in steps that grow with the square of the doublings. */
static double gi_sort_work(const gi_sort_job *j)
{
    const int    doublings = 64 - __builtin_clzll((uint64_t)j->lines.length);
    const double each      = j->each ? (double)j->record * (doublings + 1) / 4 : 16.0;
    return (double)(j->lines.lines * j->lines.length) * each * doublings;
}

/* a sorted along an axis, or the indices that sort it. */
static ga_array *gi_sort_array(const char *site, const ga_array *a, int axis, bool indices)
{
    GI_SETTLE_FLOATS;
    ga_shape axes;
    memset(&axes, 0, sizeof axes);
    axes.ndim        = 1;
    axes.n[0]        = axis;
    ga_array *result = gi_array_new(site, indices ? GA_I64 : a->dtype, a->device, a->ndim, a->shape);
    if (!result || result->size == 0) return result;
    if (a->device == GA_CUDA) {
        ga_array *truths = a->dtype == GA_BOOL ? gi_copy_truths(site, a) : NULL;
        bool      done   = (a->dtype != GA_BOOL || truths) && gi_gpu->sort(site, truths ? truths : a, result, axis, indices);
        ga_free(truths);
        if (done) return result;
        ga_free(result);
        return NULL;
    }
    gi_digit  digit[2];
    const int digits = indices && a->ndim == 1 ? gi_order_digits(a, digit) : 0;
    if (digits > 0) {
        if (gi_order_counted(site, a->size, digits, digit, (int64_t *)result->data)) return result;
        ga_free(result);
        return NULL;
    }
    gi_sort_job j;
    memset(&j, 0, sizeof j);
    j.indices = indices;
    if (gi_lines_plan(site, &j.lines, a, a->dtype, axis, &axes, false) &&
        gi_lines_plan(site, &j.out, result, result->dtype, axis, &axes, false)) {
        if (!indices && gi_sort_is_counted(&j.lines)) {
            if (gi_sort_counted(site, &j.lines, &j.out)) return result;
            ga_free(result);
            return NULL;
        }
        gi_plan_sort(&j);
        j.scratch = (char *)gi_mem_alloc(site, (size_t)(j.bytes * j.units));
    }
    if (!j.scratch) {
        ga_free(result);
        return NULL;
    }
    if (j.units == 1) gi_sort_units(0, 1, &j); /* not as a task, so that the sort may use the threads */
    else gi_parallel_bytes(gi_sort_work(&j), j.units, 1, gi_sort_units, &j);
    gi_mem_release(j.scratch, (size_t)(j.bytes * j.units));
    return result;
}

static ga_array *gi_sort_call(const char *name, const ga_array *a, ga_axis_options *o, bool indices)
{
    if (!gi_array_check_half_any(o->site, a, "a") || !gi_takes_no_dtype(name, o)) return NULL;
    if (gi_is_half(a->dtype)) {
        ga_dtype  half;
        ga_array *wide = gi_half_widen(o->site, a, &o->dtype, &half);
        return gi_half_end(o->site, wide, wide ? gi_sort_call(name, wide, o, indices) : NULL, o->out, half);
    }
    if (indices && a->ndim == 0) { /* as NumPy: the indices of an array of one element */
        ga_array *line = (ga_ravel)(a, o->site), *r = line ? gi_sort_call(name, line, o, true) : NULL;
        ga_free(line);
        return r;
    }
    int axis = gi_axis(o->site, gi_axis_or(o->axis, -1), a->ndim);
    if (axis < 0) return NULL;
    if (gi_is_deferred(a)) return gi_deferred()->sort(a, axis, indices, -1, o);
    return gi_copy_finish(o->site, gi_sort_array(o->site, a, axis, indices), indices ? GA_I64 : a->dtype, o->out);
}

ga_array *(ga_sort)(const ga_array *a, ga_axis_options o)
{
    return gi_options_axis(&o) ? gi_sort_call("ga_sort", a, &o, false) : NULL;
}
ga_array *(ga_argsort)(const ga_array *a, ga_axis_options o)
{
    return gi_options_axis(&o) ? gi_sort_call("ga_argsort", a, &o, true) : NULL;
}
