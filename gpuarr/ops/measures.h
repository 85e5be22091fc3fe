/* ---- measures of labelled elements -------------------------------------------------------------------------------------- */
/*  The elements of a label, in raster order, are a line, folded by the documented tree in float64: ga_sum_labels(a, labels,
    ...) has the bits of ga_sum over the elements of the label, for any number of threads, and a GPU gets them by a stable
    sort by label. Here the runs of equal labels are sorted, by counting; where they are short, the elements themselves. */

typedef struct gi_label_run {
    int64_t at, length; /* positions in raster order */
    int64_t group;
} gi_label_run;

typedef struct gi_member_run {
    int64_t at, before; /* elements of its group before it */
} gi_member_run;

typedef struct gi_groups {
    int64_t         count;   /* distinct labels that are asked for, ascending: */
    int64_t         low;     /* low, low + 1 ... */
    const int64_t  *values;  /* or these */
    const ga_array *labels;  /* contiguous; NULL: everything is one group */
    int64_t         size;    /* elements of the image */
    int64_t         largest; /* atomic: label */
    bool           *busy;    /* of each GI_LABEL_WORD elements: is anything of interest among them? */
    int64_t        *places;  /* of each chunk of the image: runs; then where they go */
    gi_label_run   *runs;    /* in raster order */
    int64_t         parts;   /* of the runs, or of the elements */
    int64_t         width;   /* of each part of counts: count, or one more for elements without a group */
    int64_t        *counts;  /* of each part: those of each group; then where the next one goes */
    int64_t        *starts;  /* count + 1: elements of the groups before */
    int64_t        *first;   /* count + 1: where the runs of a group begin in */
    gi_member_run  *members; /* sorted by group */
    const ga_array *a;       /* contiguous; its elements are sorted in place of runs: */
    int32_t        *numbers; /* the group of each, `count` for none */
    double         *packed;  /* sorted by group */
    bool            centers; /* are asked for: */
    int64_t        *spots;   /* of each packed element: its position in raster order */
} gi_groups;

/* The group of a label, -1 for none. */
static GI_INLINE int64_t gi_group_of(const gi_groups *g, int64_t label)
{
    if (!g->values) {
        uint64_t group = (uint64_t)label - (uint64_t)g->low;
        return group < (uint64_t)g->count ? (int64_t)group : -1;
    }
    int64_t low = 0, high = g->count;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (g->values[middle] < label) low = middle + 1;
        else high = middle;
    }
    return low < g->count && g->values[low] == label ? low : -1;
}

#define GI_LABEL_WORD  64
#define GI_LABEL_CHUNK 8192

/* The label of element i. */
static int64_t gi_label_at(const ga_array *labels, int64_t i)
{
    switch (labels->dtype) {
#define GI_CASE(TAG, tag, T, name)                                                                                             \
    case GA_##TAG: return gi_cast_i64_##tag(((const gi_stored_##tag *)labels->data)[i]);
        GI_EACH_DTYPE(GI_CASE)
#undef GI_CASE
    default: return 0;
    }
}

GI_BEGIN_FAST
/* The bytes of an element; equal labels have equal bytes. */
static GI_INLINE uint64_t gi_label_bytes(const char *in, int64_t i, int size)
{
    uint8_t  u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    switch (size) {
    case 1: memcpy(&u8, in + i, sizeof u8); return u8;
    case 2: memcpy(&u16, in + 2 * i, sizeof u16); return u16;
    case 4: memcpy(&u32, in + 4 * i, sizeof u32); return u32;
    default: memcpy(&u64, in + 8 * i, sizeof u64); return u64;
    }
}

/* The first bit that is set from bit i on, n if there is none. */
static GI_INLINE int64_t gi_next_bit(const uint64_t *bits, int64_t i, int64_t n)
{
    if (i >= n) return n;
    uint64_t word = bits[i / 64] >> (i % 64);
    if (word) return i + __builtin_ctzll(word);
    for (i = i / 64 + 1; i < (n + 63) / 64; i++)
        if (bits[i]) return 64 * i + __builtin_ctzll(bits[i]);
    return n;
}

/* The runs among n elements from start on, written unless runs is NULL; returns their number. busy tells in which words there is
   something; NULL: 0 is a label, too. Sets `largest` to a larger label. */
static GI_INLINE int64_t gi_scan_labels(const gi_groups *g, int64_t start, int64_t n, int size, const bool *busy,
                                        gi_label_run *runs, int64_t *largest)
{
    const char *in = (const char *)g->labels->data + start * size;
    uint64_t    bits[8]; /* which bytes of a word are not 0 */
    int64_t     words = (n + GI_LABEL_WORD - 1) / GI_LABEL_WORD, packed = -1, found = 0;
    for (int64_t i = 0; i < n;) {
        if (busy) { /* to the next element that is not 0 */
            int64_t word = i / GI_LABEL_WORD;
            if (!busy[word]) {
                const bool *next = (const bool *)memchr(busy + word, true, (size_t)(words - word));
                if (!next) break;
                word = next - busy;
                i    = word * GI_LABEL_WORD;
            }
            int64_t at = word * GI_LABEL_WORD, m = n - at < GI_LABEL_WORD ? n - at : (int64_t)GI_LABEL_WORD;
            if (packed != word) GI_LOOP_OF(bits)()->pack(m * size, bits, in + at * size);
            packed = word;
            i      = at + gi_next_bit(bits, (i - at) * size, m * size) / size;
            if (i == at + m) continue;
        }
        int64_t  first = i, label = gi_label_at(g->labels, start + i), group = gi_group_of(g, label);
        uint64_t bytes = gi_label_bytes(in, i, size);
        for (i++; i < n && gi_label_bytes(in, i, size) == bytes;) i++;
        if (label > *largest) *largest = label;
        if (group < 0) continue;
        if (runs) {
            runs[found].at     = start + first;
            runs[found].length = i - first;
            runs[found].group  = group;
        }
        found++;
    }
    return found;
}

/* The same for a chunk. The first time, when runs is NULL, it notes where there is something. */
static int64_t gi_scan_chunk(const gi_groups *g, int64_t chunk, gi_label_run *runs, int64_t *largest)
{
    int     size  = (int)ga_itemsize(g->labels->dtype);
    int64_t start = chunk * GI_LABEL_CHUNK, n = g->size - start < GI_LABEL_CHUNK ? g->size - start : GI_LABEL_CHUNK;
    bool   *busy = gi_group_of(g, 0) < 0 ? g->busy + start / GI_LABEL_WORD : NULL;
    if (busy && !runs) GI_LOOP_OF(bits)()->busy(n, size, busy, (const char *)g->labels->data + start * size);
    switch (size) {
    case 1: return gi_scan_labels(g, start, n, 1, busy, runs, largest);
    case 2: return gi_scan_labels(g, start, n, 2, busy, runs, largest);
    case 4: return gi_scan_labels(g, start, n, 4, busy, runs, largest);
    default: return gi_scan_labels(g, start, n, 8, busy, runs, largest);
    }
}

static void gi_count_label_runs(int64_t begin, int64_t end, void *job)
{
    gi_groups *g       = (gi_groups *)job;
    int64_t    largest = 0;
    for (int64_t chunk = begin; chunk < end; chunk++) g->places[chunk + 1] = gi_scan_chunk(g, chunk, NULL, &largest);
    for (int64_t seen = __atomic_load_n(&g->largest, __ATOMIC_RELAXED); seen < largest;)
        if (__atomic_compare_exchange_n(&g->largest, &seen, largest, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) break;
}

static void gi_write_label_runs(int64_t begin, int64_t end, void *job)
{
    const gi_groups *g       = (const gi_groups *)job;
    int64_t          largest = INT64_MAX;
    for (int64_t chunk = begin; chunk < end; chunk++)
        if (g->places[chunk] < g->places[chunk + 1]) gi_scan_chunk(g, chunk, g->runs + g->places[chunk], &largest);
}

/* A unit is a part of the runs: counts those of each group, or with members there, writes them. */
static void gi_group_runs(int64_t begin, int64_t end, void *job)
{
    gi_groups *g = (gi_groups *)job;
    int64_t    n = g->places[(g->size + GI_LABEL_CHUNK - 1) / GI_LABEL_CHUNK];
    for (int64_t part = begin; part < end; part++) {
        int64_t *counts = g->counts + part * g->width, stop = part == g->parts - 1 ? n : (part + 1) * (n / g->parts);
        for (int64_t i = part * (n / g->parts); i < stop; i++) {
            const gi_label_run *run  = &g->runs[i];
            int64_t            *next = &counts[run->group];
            if (g->members) {
                g->members[*next].at     = run->at;
                g->members[*next].before = run->length;
            }
            ++*next;
        }
    }
}

/* Lengths become what lies before; starts[group + 1] the size of a group. */
static void gi_add_lengths(int64_t begin, int64_t end, void *job)
{
    gi_groups *g = (gi_groups *)job;
    for (int64_t group = begin; group < end; group++) {
        int64_t before = 0;
        for (int64_t i = g->first[group]; i < g->first[group + 1]; i++) {
            int64_t length       = g->members[i].before;
            g->members[i].before = before;
            before += length;
        }
        g->starts[group + 1] = before;
    }
}
GI_END_FAST

static int gi_compare_ints(const void *a, const void *b)
{
    int64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

/* Sorts n labels and leaves out repetitions; returns how many are left. */
static int64_t gi_unique_labels(int64_t *v, int64_t n)
{
    int64_t kept = 0;
    qsort(v, (size_t)n, sizeof *v, gi_compare_ints);
    for (int64_t i = 0; i < n; i++)
        if (kept == 0 || v[kept - 1] != v[i]) v[kept++] = v[i];
    return kept;
}

/* The groups are the int64 labels in `sorted`, which are sorted here. */
static void gi_list_groups(gi_groups *g, ga_array *sorted)
{
    int64_t *values = (int64_t *)sorted->data;
    g->count        = gi_unique_labels(values, sorted->size);
    if (g->count == 0) return;
    g->low = values[0];
    if ((uint64_t)values[g->count - 1] - (uint64_t)values[0] != (uint64_t)g->count - 1) g->values = values;
}

/* Elements between what two parts throw away, so that their threads do not write the same cache line. */
#define GI_NO_GROUP_GAP 8

/* Bytes of the packed elements: those of the groups, and what each part throws away. */
static size_t gi_packed_bytes(const gi_groups *g)
{
    return (size_t)(g->starts[g->count] + g->parts * GI_NO_GROUP_GAP) *
           (sizeof *g->packed + (g->centers ? sizeof *g->spots : 0));
}

static void gi_free_groups(gi_groups *g)
{
    if (g->members) gi_mem_release(g->members, (size_t)g->first[g->count] * sizeof *g->members);
    if (g->packed) gi_mem_release(g->packed, gi_packed_bytes(g));
    if (g->starts) gi_mem_release(g->starts, (size_t)(2 * (g->count + 1)) * sizeof *g->starts);
    ga_free((ga_array *)(uintptr_t)g->labels);
}

/* What was counted becomes places: in g->counts where the next one of a group goes in each part, in first[] where each group begins, and
   where the last one ends. Returns how many there are. */
static int64_t gi_place_groups(gi_groups *g, int64_t *first)
{
    int64_t total = 0;
    for (int64_t group = 0; group < g->count; group++) {
        first[group] = total;
        for (int64_t part = 0; part < g->parts; part++) {
            int64_t *place = &g->counts[part * g->width + group], members = *place;
            *place = total;
            total += members;
        }
    }
    return first[g->count] = total;
}

/* Sorts the runs by group. False: no memory. */
static bool gi_sort_runs(const char *site, gi_groups *g, int64_t runs)
{
    int64_t threads = ga_get_num_threads();
    g->parts        = 1 + runs / (16384 + 4 * g->count); /* counting must be worth its table */
    if (g->parts > threads) g->parts = threads;
    g->width     = g->count;
    size_t bytes = (size_t)(g->width * g->parts) * sizeof *g->counts;
    g->counts    = (int64_t *)gi_mem_alloc(site, bytes);
    g->starts    = g->counts ? (int64_t *)gi_mem_alloc(site, (size_t)(2 * (g->count + 1)) * sizeof *g->starts) : NULL;
    if (g->starts) {
        g->first = g->starts + g->count + 1;
        memset(g->counts, 0, bytes);
        gi_parallel(g->parts, 1, gi_group_runs, g);
        const int64_t total = gi_place_groups(g, g->first);
        g->members          = (gi_member_run *)gi_mem_alloc(site, (size_t)total * sizeof *g->members);
    }
    if (g->members) {
        gi_parallel(g->parts, 1, gi_group_runs, g);
        g->starts[0] = 0;
        gi_parallel(g->count, 1 + 16384 * g->count / (runs + 1), gi_add_lengths, g);
        for (int64_t group = 0; group < g->count; group++) g->starts[group + 1] += g->starts[group];
    }
    if (g->counts) gi_mem_release(g->counts, bytes);
    return g->members != NULL;
}

/* gi_find_groups by sorting runs. */
static bool gi_find_runs(const char *site, gi_groups *g, bool all)
{
    int64_t chunks = (g->size + GI_LABEL_CHUNK - 1) / GI_LABEL_CHUNK, total = 0;
    size_t  p_bytes = (size_t)(chunks + 1) * sizeof *g->places, b_bytes = (size_t)(g->size / GI_LABEL_WORD + 1);
    g->places = g->labels ? (int64_t *)gi_mem_alloc(site, p_bytes) : NULL;
    g->busy   = g->places ? (bool *)gi_mem_alloc(site, b_bytes) : NULL;
    bool ok   = g->busy != NULL;
    if (ok) {
        if (all) g->count = INT64_MAX;
        g->places[0] = 0;
        gi_parallel(chunks, 4, gi_count_label_runs, g);
        for (int64_t chunk = 0; chunk < chunks; chunk++) total = g->places[chunk + 1] += total;
        if (all) g->count = g->largest;
        ok      = !all || gi_label_can_list(site, g->largest);
        g->runs = ok ? (gi_label_run *)gi_mem_alloc(site, (size_t)total * sizeof *g->runs) : NULL;
    }
    ok = ok && g->runs;
    if (ok) gi_parallel(chunks, 4, gi_write_label_runs, g);
    ok = ok && gi_sort_runs(site, g, total);
    gi_mem_release(g->runs, (size_t)total * sizeof *g->runs);
    gi_mem_release(g->busy, b_bytes);
    gi_mem_release(g->places, p_bytes);
    if (!ok) gi_free_groups(g);
    return ok;
}

/* Are runs of labels shorter than eight elements, on the average? Told from a sample. */
static bool gi_labels_change_often(const gi_groups *g)
{
    const int     size = (int)ga_itemsize(g->labels->dtype);
    const int64_t step = 1 + g->size / 1024;
    const char   *in   = (const char *)g->labels->data;
    int64_t       seen = 0, changes = 0;
    for (int64_t i = 1; i < g->size; i += step, seen++)
        changes += gi_label_bytes(in, i, size) != gi_label_bytes(in, i - 1, size);
    return seen > 64 && changes > seen / 8;
}

/* Where a part of the elements begins. */
static int64_t gi_members_begin(const gi_groups *g, int64_t part)
{
    return part == g->parts ? g->size : part * (g->size / g->parts);
}

GI_BEGIN_FAST
/* A unit is a part of the elements: the largest label. */
static void gi_find_largest_label(int64_t begin, int64_t end, void *job)
{
    gi_groups *g    = (gi_groups *)job;
    const int  size = (int)ga_itemsize(g->labels->dtype);
    GI_ARENA(int64_t, labels, GI_BLOCK);
    int64_t largest = 0;
    for (int64_t i = gi_members_begin(g, begin), stop = gi_members_begin(g, end), n; i < stop; i += n) {
        n = stop - i < GI_BLOCK ? stop - i : (int64_t)GI_BLOCK;
        gi_cast(GA_I64, g->labels->dtype, n, labels, (const char *)g->labels->data + i * size);
        for (int64_t k = 0; k < n; k++) largest = labels[k] > largest ? labels[k] : largest;
    }
    for (int64_t seen = __atomic_load_n(&g->largest, __ATOMIC_RELAXED); seen < largest;)
        if (__atomic_compare_exchange_n(&g->largest, &seen, largest, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) break;
}

/* A unit is a part of the elements: notes the group of each, and counts those of each group. */
static void gi_number_members(int64_t begin, int64_t end, void *job)
{
    const gi_groups *g    = (const gi_groups *)job;
    const int        size = (int)ga_itemsize(g->labels->dtype);
    const uint64_t   low = (uint64_t)g->low, count = (uint64_t)g->count;
    GI_ARENA(int64_t, labels, GI_BLOCK);
    for (int64_t part = begin; part < end; part++) {
        int64_t *counts = g->counts + part * g->width;
        for (int64_t i = gi_members_begin(g, part), stop = gi_members_begin(g, part + 1), n; i < stop; i += n) {
            n = stop - i < GI_BLOCK ? stop - i : (int64_t)GI_BLOCK;
            gi_cast(GA_I64, g->labels->dtype, n, labels, (const char *)g->labels->data + i * size);
            int32_t *numbers = g->numbers + i;
            for (int64_t k = 0; k < n && g->values; k++) {
                const int64_t group = gi_group_of(g, labels[k]);
                numbers[k]          = (int32_t)(group < 0 ? g->count : group);
            }
            for (int64_t k = 0; k < n && !g->values; k++) {
                const uint64_t group = (uint64_t)labels[k] - low;
                numbers[k]           = (int32_t)(group < count ? group : count);
            }
            for (int64_t k = 0; k < n; k++) counts[numbers[k]]++;
        }
    }
}

/* The same: moves each element to its group, those without one to the end, one over the other: a branch would often be mispredicted. */
static void gi_pack_members(int64_t begin, int64_t end, void *job)
{
    const gi_groups *g    = (const gi_groups *)job;
    const int        size = (int)ga_itemsize(g->a->dtype);
    GI_ARENA(double, x, GI_BLOCK);
    for (int64_t part = begin; part < end; part++) {
        int64_t *next  = g->counts + part * g->width;
        next[g->count] = g->starts[g->count] + part * GI_NO_GROUP_GAP;
        for (int64_t i = gi_members_begin(g, part), stop = gi_members_begin(g, part + 1), n; i < stop; i += n) {
            n = stop - i < GI_BLOCK ? stop - i : (int64_t)GI_BLOCK;
            gi_cast(GA_F64, g->a->dtype, n, x, (const char *)g->a->data + i * size);
            for (int64_t k = 0; k < n; k++) {
                const int32_t group = g->numbers[i + k];
                const int64_t to    = next[group];
                next[group] += group < g->count;
                g->packed[to] = x[k];
                if (g->centers) g->spots[to] = i + k;
            }
        }
    }
}
GI_END_FAST

/* Sorts the elements of g->a by group. False: no memory. */
static bool gi_sort_members(const char *site, gi_groups *g)
{
    const int64_t threads = ga_get_num_threads();
    g->parts              = 1 + g->size / (32768 + 4 * g->count);
    if (g->parts > threads) g->parts = threads;
    g->width           = g->count + 1;
    const size_t bytes = (size_t)(g->width * g->parts) * sizeof *g->counts, n_bytes = (size_t)g->size * sizeof *g->numbers;
    g->counts  = (int64_t *)gi_mem_alloc(site, bytes);
    g->numbers = g->counts ? (int32_t *)gi_mem_alloc(site, n_bytes) : NULL;
    g->starts  = g->numbers ? (int64_t *)gi_mem_alloc(site, (size_t)(2 * (g->count + 1)) * sizeof *g->starts) : NULL;
    if (g->starts) {
        memset(g->counts, 0, bytes);
        gi_parallel(g->parts, 1, gi_number_members, g);
        const int64_t total = gi_place_groups(g, g->starts);
        g->packed           = (double *)gi_mem_alloc(site, gi_packed_bytes(g));
        g->spots            = g->packed ? (int64_t *)(void *)(g->packed + total + g->parts * GI_NO_GROUP_GAP) : NULL;
    }
    if (g->packed) gi_parallel(g->parts, 1, gi_pack_members, g);
    if (g->numbers) gi_mem_release(g->numbers, n_bytes);
    if (g->counts) gi_mem_release(g->counts, bytes);
    return g->packed != NULL;
}

/* Finds the members of the labels that are asked for, or with `all` of each label above 0. a: what is folded, where the elements
   may be sorted in place of runs, or NULL. False with an error. */
static bool gi_find_groups(const char *site, gi_groups *g, const ga_array *labels, const ga_array *a, bool all)
{
    g->size   = labels->size;
    g->labels = labels->dtype == GA_BOOL ? gi_copy_truths(site, labels) : gi_copy_contiguous(site, labels, labels->dtype);
    if (g->labels && a && gi_labels_change_often(g)) {
        g->parts = 1 + g->size / 32768;
        if (all) gi_parallel(g->parts, 1, gi_find_largest_label, g);
        if ((all ? g->largest : g->count) < INT32_MAX) {
            if (all) g->count = g->largest;
            g->a              = gi_copy_contiguous(site, a, a->dtype);
            const bool sorted = g->a && gi_sort_members(site, g);
            ga_free((ga_array *)(uintptr_t)g->a);
            if (!sorted) gi_free_groups(g);
            return sorted;
        }
    }
    return gi_find_runs(site, g, all);
}

/* Folds `sums` values an element over each group: the element itself, and for centers also its products with its coordinates. */
typedef struct gi_measuring {
    const gi_groups *groups;
    const ga_array  *a; /* contiguous */
    int              sums;
    const double    *means; /* of each group: squares of the distances from it are folded; else NULL */
    gi_fold          fold;
    int64_t         *first_block; /* of each group; and the number of blocks */
    char            *accs;        /* for each sum the blocks of all groups */
    double          *results;     /* of each group: the sums */
} gi_measuring;

GI_BEGIN_FAST
/* The coordinates of n elements one after the other, along each axis. */
static void gi_coordinates(const ga_array *a, int64_t position, int64_t n, double (*out)[GI_BLOCK], int64_t to)
{
    int     last = a->ndim - 1;
    int64_t x[GPUARR_MAX_DIMS];
    while (n > 0 && last >= 0) {
        int64_t rest = position, m = n;
        for (int d = last; d >= 0; d--) {
            x[d] = rest % a->shape[d];
            rest /= a->shape[d];
        }
        if (m > a->shape[last] - x[last]) m = a->shape[last] - x[last]; /* to the end of the row */
        for (int d = 0; d < last; d++)
            for (int64_t i = 0; i < m; i++) out[d][to + i] = (double)x[d];
        for (int64_t i = 0; i < m; i++) out[last][to + i] = (double)(x[last] + i);
        position += m;
        to += m;
        n -= m;
    }
}

/* The same of positions in any order. */
static void gi_coordinates_of(const ga_array *a, int64_t n, const int64_t *spots, double (*out)[GI_BLOCK])
{
    GI_ARENA(int64_t, rest, GI_BLOCK);
    memcpy(rest, spots, (size_t)n * sizeof *rest);
    for (int d = a->ndim - 1; d >= 0; d--) {
        const int64_t length = a->shape[d];
        for (int64_t i = 0; i < n; i++) { /* a division of 64 bits takes several times as long */
            const int64_t before =
                (uint64_t)(rest[i] | length) <= UINT32_MAX ? (uint32_t)rest[i] / (uint32_t)length : rest[i] / length;
            out[d][i] = (double)(rest[i] - before * length);
            rest[i]   = before;
        }
    }
}

/* n members of a group from `start` on: elements as float64, and for centers their coordinates. */
static void gi_gather_members(const gi_measuring *m, int64_t group, int64_t start, int64_t n, double *out,
                              double (*coordinates)[GI_BLOCK])
{
    GI_ARENA(char, raw, GI_BLOCK * 8);
    const gi_groups *g    = m->groups;
    int64_t          size = ga_itemsize(m->a->dtype), low = g->first[group], high = g->first[group + 1];
    const char      *in = (const char *)m->a->data, *x = raw;
    while (high - low > 1) { /* the last run that does not begin after start */
        int64_t middle = low + (high - low) / 2;
        if (g->members[middle].before <= start) low = middle;
        else high = middle;
    }
    for (int64_t done = 0; done < n; low++) {
        const gi_member_run *run  = &g->members[low];
        int64_t              next = low + 1 < g->first[group + 1] ? run[1].before : g->starts[group + 1] - g->starts[group];
        int64_t              skip = start + done - run->before, take = next - run->before - skip;
        if (take > n - done) take = n - done;
        if (take == n) x = in + (run->at + skip) * size;
        else memcpy(raw + done * size, in + (run->at + skip) * size, (size_t)(take * size));
        if (m->sums > 1) gi_coordinates(m->a, run->at + skip, take, coordinates, done);
        done += take;
    }
    gi_cast(GA_F64, m->a->dtype, n, out, x);
}

/* A unit is a block of a group. */
static void gi_measure_blocks(int64_t begin, int64_t end, void *job)
{
    const gi_measuring *m = (const gi_measuring *)job;
    const gi_groups    *g = m->groups;
    typedef double      block[GI_BLOCK];
    GI_ARENA(double, x, GI_BLOCK);
    GI_ARENA(block, coordinates, m->a->ndim);
    int64_t group = 0, beyond = g->count, blocks = m->first_block[g->count];
    while (beyond - group > 1) { /* the last group whose first block is not after `begin` */
        int64_t middle = group + (beyond - group) / 2;
        if (m->first_block[middle] <= begin) group = middle;
        else beyond = middle;
    }
    for (int64_t unit = begin; unit < end; unit++) {
        while (m->first_block[group + 1] <= unit) group++;
        int64_t start = (unit - m->first_block[group]) * GI_BLOCK, n = g->starts[group + 1] - g->starts[group] - start;
        if (n > GI_BLOCK) n = GI_BLOCK;
        const double *members = g->packed ? g->packed + g->starts[group] + start : x;
        if (!g->packed) gi_gather_members(m, group, start, n, x, coordinates);
        else if (m->sums > 1) gi_coordinates_of(m->a, n, g->spots + g->starts[group] + start, coordinates);
        if (m->means) {
            const double mean = m->means[group];
            for (int64_t i = 0; i < n; i++) x[i] = gi_mul_f64(members[i] - mean, members[i] - mean);
            members = x;
        }
        gi_fold_block(&m->fold, n, m->accs + unit * m->fold.acc_bytes, members, false);
        if (m->sums == 1) continue;
        for (int d = 0; d < m->a->ndim; d++) {
            for (int64_t i = 0; i < n; i++) coordinates[d][i] = gi_mul_f64(members[i], coordinates[d][i]);
            gi_fold_block(&m->fold, n, m->accs + ((d + 1) * blocks + unit) * m->fold.acc_bytes, coordinates[d], false);
        }
    }
}
GI_END_FAST

/* A unit is a group: folds its blocks. */
static void gi_measure_groups(int64_t begin, int64_t end, void *job)
{
    const gi_measuring *m     = (const gi_measuring *)job;
    const gi_groups    *g     = m->groups;
    int                 bytes = m->fold.acc_bytes;
    for (int64_t group = begin; group < end; group++)
        for (int s = 0; s < m->sums; s++) {
            int64_t n    = m->first_block[group + 1] - m->first_block[group];
            char   *accs = m->accs + (s * m->first_block[g->count] + m->first_block[group]) * bytes;
            double *out  = &m->results[group * m->sums + s];
            *out         = 0;
            if (n == 0) continue;
            gi_reduce_fold_blocks(m->fold.halve, bytes, accs, n);
            m->fold.end(1, out, accs, g->starts[group + 1] - g->starts[group]);
        }
}

/* sums float64 for each group, to be released with its bytes, or NULL with an error. means: NULL, or as in gi_measuring. */
static double *gi_measure_all(const char *site, gi_label_measure what, const gi_groups *g, const ga_array *a, int sums,
                              const double *means, size_t *bytes)
{
    gi_measuring m;
    memset(&m, 0, sizeof m);
    m.groups = g;
    m.sums   = sums;
    m.means  = means;
    gi_row_fold(what == GI_MIN_OF ? gi_row_nanmin() : what == GI_MAX_OF ? gi_row_max() : gi_row_sum(), GA_F64, &m.fold);
    size_t first_bytes = (size_t)(g->count + 1) * sizeof *m.first_block, acc_bytes = 0;
    *bytes        = (size_t)(g->count * sums) * sizeof *m.results;
    m.a           = gi_copy_contiguous(site, a, a->dtype);
    m.first_block = m.a ? (int64_t *)gi_mem_alloc(site, first_bytes) : NULL;
    if (m.first_block) {
        int64_t blocks = 0;
        for (int64_t group = 0; group < g->count; group++) {
            m.first_block[group] = blocks;
            blocks += (g->starts[group + 1] - g->starts[group] + GI_BLOCK - 1) / GI_BLOCK;
        }
        m.first_block[g->count] = blocks;
        acc_bytes               = (size_t)(blocks * sums) * (size_t)m.fold.acc_bytes;
        m.accs                  = (char *)gi_mem_alloc(site, acc_bytes);
        m.results               = m.accs ? (double *)gi_mem_alloc(site, *bytes) : NULL;
        if (m.results) {
            int64_t share = g->count > 0 ? g->starts[g->count] / (blocks + 1) + 1 : 1; /* elements a block */
            gi_parallel(blocks, 1 + 32768 / share / sums, gi_measure_blocks, &m);
            gi_parallel(g->count, 256, gi_measure_groups, &m);
        }
        if (m.accs) gi_mem_release(m.accs, acc_bytes);
        gi_mem_release(m.first_block, first_bytes);
    }
    ga_free((ga_array *)(uintptr_t)m.a);
    return m.results;
}

/* The largest label; 0 if there is none above. False with an error. */
static bool gi_largest_label(const char *site, const ga_array *labels, int64_t *largest)
{
    *largest = 0;
    if (labels->size == 0) return true;
    ga_array *max   = (ga_nanmax)(labels, gi_reduce_site(site));
    bool      known = max && gi_item_as(site, max, NULL, GA_I64, largest);
    ga_free(max);
    if (*largest < 0) *largest = 0;
    return known && gi_label_can_list(site, *largest);
}

/* gi_measure_labels on the GPU. */
static ga_array *gi_gpu_measure_labels(const char *site, gi_label_measure what, const ga_array *a, const ga_array *labels,
                                       const ga_array *index, ga_array **sums_too)
{
    int64_t largest = 0;
    if (labels && !index && !gi_largest_label(site, labels, &largest)) return NULL;
    ga_array *measured = gi_gpu->measure(site, (int)what, a, labels, index, largest);
    if (!measured || !sums_too) return measured;
    *sums_too = gi_gpu->measure(site, GI_SUM_OF, a, labels, index, largest);
    if (*sums_too) return measured;
    ga_free(measured);
    return NULL;
}

/* Are these labels int64, whatever their dtype? False with an error. */
static bool gi_labels_are_whole(const char *site, const ga_array *a, const char *name)
{
    if (a->dtype != GA_F32 && a->dtype != GA_F64) return true;
    ga_array *here = gi_copy_on_cpu(site, a), *wide = here ? gi_copy_contiguous(site, here, GA_F64) : NULL;
    bool      whole = wide != NULL;
    for (int64_t i = 0; whole && i < wide->size; i++) {
        const double label = ((const double *)wide->data)[i];
        if (fabs(label) < 0x1p63 && label == (double)(int64_t)label) continue;
        gi_fail(site, GA_BAD_ARGUMENT, "%s has %g: labels are whole numbers within int64", name, label);
        whole = false;
    }
    ga_free(wide);
    ga_free(here);
    return whole;
}

/* Where labels are measured; GA_DEVICE_DEFAULT with an error. a is NULL for sizes; `whole`: labels NULL is everything as one object. */
static ga_device gi_labels_check(const char *site, const ga_array *a, const ga_array *labels, const ga_array *index, bool sizes,
                                 bool whole)
{
    static const char *const names[3] = { "a", "labels", "index" };
    const ga_array          *all[3]   = { a, labels, index };
    for (int k = 0; k < 3; k++) {
        bool optional = (k == 0 && sizes) || (k == 1 && whole) || k == 2;
        if (!all[k] && optional) continue;
        if (!gi_array_check(site, all[k], names[k])) return GA_DEVICE_DEFAULT;
        if (!gi_is_complex(all[k]->dtype)) continue;
        gi_fail(site, GA_BAD_DTYPE, "%s is %s: use real numbers", names[k], ga_dtype_name(all[k]->dtype));
        return GA_DEVICE_DEFAULT;
    }
    const ga_device device = gi_common_device(site, 3, all);
    if (device == GA_DEVICE_DEFAULT) return device;
    if (a && labels && !ga_same_shape(a, labels))
        gi_fail(site, GA_BAD_SHAPE, "a has shape %s, labels %s: each element needs its label", gi_shape_of(a),
                gi_shape_of(labels));
    else if (!labels && index)
        gi_fail(site, GA_BAD_ARGUMENT, "index without labels: without labels the whole array is measured");
    else if ((!labels || gi_labels_are_whole(site, labels, "labels")) && (!index || gi_labels_are_whole(site, index, "index")))
        return device;
    return GA_DEVICE_DEFAULT;
}

/* The common part of all measures. a is NULL for sizes; labels NULL: everything is one object (centers only, as sums_too). */
static ga_array *gi_measure_labels(const char *site, gi_label_measure what, const ga_array *a, const ga_array *labels,
                                   const ga_array *index, ga_array **sums_too)
{
    GI_SETTLE_FLOATS;
    ga_device device = gi_labels_check(site, a, labels, index, what == GI_SIZE_OF, what == GI_CENTER_OF);
    if (device == GA_DEVICE_DEFAULT) return NULL;
    if (device == GA_CUDA) return gi_gpu_measure_labels(site, what, a, labels, index, sums_too);
    gi_groups g;
    memset(&g, 0, sizeof g);
    g.low                  = 1;
    g.centers              = what == GI_CENTER_OF;
    int64_t       whole[2] = { 0, a ? a->size : 0 }, runs[2] = { 0, 1 }, n = 1;
    gi_member_run everything = { 0, 0 };
    ga_array     *wanted = NULL, *sorted = NULL;
    if (!labels) {
        g.count   = 1;
        g.starts  = whole;
        g.first   = runs;
        g.members = &everything;
    } else if (index) {
        wanted = gi_copy_convert(site, index, GA_I64);
        sorted = wanted ? gi_copy_convert(site, wanted, GA_I64) : NULL;
        n      = index->size;
        if (sorted) gi_list_groups(&g, sorted);
    }
    bool found = !labels || ((!index || sorted) && gi_find_groups(site, &g, labels, what == GI_SIZE_OF ? NULL : a, !index));
    if (labels && !index) n = g.count;

    int     sums   = what == GI_CENTER_OF ? a->ndim + 1 : 1;
    size_t  bytes  = 0;
    double *values = found && what != GI_SIZE_OF ? gi_measure_all(site, what, &g, a, sums, NULL, &bytes) : NULL;
    if (values && what == GI_VARIANCE_OF) {
        for (int64_t group = 0; group < g.count; group++) values[group] /= (double)(g.starts[group + 1] - g.starts[group]);
        double *squares = gi_measure_all(site, what, &g, a, 1, values, &bytes);
        gi_mem_release(values, bytes);
        values = squares;
    }
    ga_array *result = values || (found && what == GI_SIZE_OF) ? gi_label_new_measures(site, what, GA_CPU, a, index, n) : NULL;
    ga_array *totals = result && sums_too ? gi_label_new_measures(site, GI_SUM_OF, GA_CPU, a, index, n) : NULL;
    if (result && sums_too && !totals) {
        ga_free(result);
        result = NULL;
    }
    for (int64_t i = 0; result && i < n; i++) {
        int64_t       group = wanted ? gi_group_of(&g, ((const int64_t *)wanted->data)[i]) : i;
        int64_t       size  = g.starts[group + 1] - g.starts[group];
        const double *v     = values ? values + group * sums : NULL;
        if (what == GI_SIZE_OF) ((int64_t *)result->data)[i] = size;
        else if (what == GI_MEAN_OF || what == GI_VARIANCE_OF) ((double *)result->data)[i] = v[0] / (double)size;
        else if (what != GI_CENTER_OF) ((double *)result->data)[i] = v[0];
        else
            for (int d = 0; d < a->ndim; d++) ((double *)result->data)[i * a->ndim + d] = v[d + 1] / v[0];
        if (totals) ((double *)totals->data)[i] = v[0];
    }
    if (sums_too) *sums_too = totals;
    if (values) gi_mem_release(values, bytes);
    if (found && labels) gi_free_groups(&g);
    ga_free(sorted);
    ga_free(wanted);
    return result;
}

ga_array *(ga_sum_labels)(const ga_array *a, const ga_array *labels, const ga_array *index, const char *site)
{
    return gi_measure_labels(site, GI_SUM_OF, a, labels, index, NULL);
}
ga_array *(ga_mean_labels)(const ga_array *a, const ga_array *labels, const ga_array *index, const char *site)
{
    return gi_measure_labels(site, GI_MEAN_OF, a, labels, index, NULL);
}
ga_array *(ga_min_labels)(const ga_array *a, const ga_array *labels, const ga_array *index, const char *site)
{
    return gi_measure_labels(site, GI_MIN_OF, a, labels, index, NULL);
}
ga_array *(ga_max_labels)(const ga_array *a, const ga_array *labels, const ga_array *index, const char *site)
{
    return gi_measure_labels(site, GI_MAX_OF, a, labels, index, NULL);
}
ga_array *(ga_size_labels)(const ga_array *labels, const ga_array *index, const char *site)
{
    return gi_measure_labels(site, GI_SIZE_OF, NULL, labels, index, NULL);
}
ga_array *(ga_center_of_mass)(const ga_array *a, const ga_array *labels, const ga_array *index, ga_center_options o)
{
    GI_SETTLE_FLOATS;
    if (o.sums) *o.sums = NULL;
    return gi_measure_labels(o.site, GI_CENTER_OF, a, labels, index, o.sums);
}
