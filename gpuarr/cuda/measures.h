/* ---- measures of labelled elements -------------------------------------------------------------------------------------- */
/*  The members of the wanted labels are picked out in raster order, as pairs of a group (the place of their label among the wanted ones)
    and a position, and sorted by group, stably. The members of a group are then a line, of which a warp folds 1024 at a time
    along the documented tree. P is uint32_t, or uint64_t for images of 2^31 elements and more.                               */

typedef struct gi_cuda_groups {
    const void    *labels; /* packed */
    ga_dtype       dtype;
    int64_t        size;
    const int64_t *wanted; /* ascending, maybe repeated: the first of equal ones counts; NULL: 1 to count */
    int64_t        count;
} gi_cuda_groups;

/* Elements of any real dtype as another one. */
#define GI_ELEMENT_AS(to)                                                                                                      \
    GI_DEVICE gi_##to gi_cuda_element_##to(const void *data, ga_dtype dtype, int64_t i)                                        \
    {                                                                                                                          \
        switch (dtype) {                                                                                                       \
            GI_EACH_BOOL(GI_CASE)                                                                                              \
            GI_EACH_INT(GI_CASE)                                                                                               \
            GI_EACH_FLT(GI_CASE)                                                                                               \
        default: return 0;                                                                                                     \
        }                                                                                                                      \
    }
#define GI_CASE(TAG, tag, T, name)                                                                                             \
    case GA_##TAG: return gi_cast_i64_##tag(((const gi_stored_##tag *)data)[i]);
GI_ELEMENT_AS(i64)
#undef GI_CASE
#define GI_CASE(TAG, tag, T, name)                                                                                             \
    case GA_##TAG: return gi_cast_f64_##tag(((const gi_stored_##tag *)data)[i]);
GI_ELEMENT_AS(f64)
#undef GI_CASE
#undef GI_ELEMENT_AS

/* The place of a label among the wanted ones, -1 for none. */
GI_DEVICE int64_t gi_cuda_group_of(const gi_cuda_groups &g, int64_t i)
{
    int64_t label = gi_cuda_element_i64(g.labels, g.dtype, i), low = 0, high = g.count;
    if (!g.wanted) return (uint64_t)label - 1 < (uint64_t)g.count ? label - 1 : -1;
    if (label < g.wanted[0] || label > g.wanted[g.count - 1]) return -1;
    uint64_t guess = (uint64_t)label - (uint64_t)g.wanted[0]; /* right where one follows the other */
    if (guess < (uint64_t)g.count && g.wanted[guess] == label && (guess == 0 || g.wanted[guess - 1] != label))
        return (int64_t)guess;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (g.wanted[middle] < label) low = middle + 1;
        else high = middle;
    }
    return g.wanted[low] == label ? low : -1;
}

enum { GI_MEMBERS_EACH = 4, GI_MEMBERS_TILE = GI_MEMBERS_EACH * GI_CUDA_THREADS };

/* Counts the members of each tile, and writes a 0 behind the counts. */
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_count_members(const __grid_constant__ gi_cuda_groups g, int64_t *counts)
{
    GI_BLOCK_SHARED(int64_t, row, [GI_WARPS]);
    int64_t first = (int64_t)blockIdx.x * GI_MEMBERS_TILE + threadIdx.x, members = 0, all;
#pragma unroll
    for (int k = 0; k < GI_MEMBERS_EACH; k++) {
        int64_t i = first + k * GI_CUDA_THREADS;
        members += i < g.size && gi_cuda_group_of(g, i) >= 0;
    }
    gi_cuda_sum_before(members, row, all);
    if (threadIdx.x != 0) return;
    counts[blockIdx.x] = all;
    if (blockIdx.x == 0) counts[gridDim.x] = 0;
}

/* Writes the groups and the positions of the members, in raster order; before[b] lie before tile b. */
template <class P>
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_pick_members(const __grid_constant__ gi_cuda_groups g, const int64_t *before, P *groups, P *positions)
{
    GI_BLOCK_SHARED(int64_t, row, [GI_WARPS]);
    int64_t first   = ((int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x) * GI_MEMBERS_EACH, group[GI_MEMBERS_EACH],
            members = 0, all;
#pragma unroll
    for (int k = 0; k < GI_MEMBERS_EACH; k++) {
        group[k] = first + k < g.size ? gi_cuda_group_of(g, first + k) : -1;
        members += group[k] >= 0;
    }
    int64_t place = before[blockIdx.x] + gi_cuda_sum_before(members, row, all);
#pragma unroll
    for (int k = 0; k < GI_MEMBERS_EACH; k++) {
        if (group[k] < 0) continue;
        groups[place]      = (P)group[k];
        positions[place++] = (P)(first + k);
    }
}

/* Where the members of each group begin, and behind the last group, how many there are; without groups all are of the first one.
   blocks (or NULL): how many blocks each group has, and a 0. */
template <class P>
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_find_starts(const P *groups, int64_t members, int64_t count, int64_t *starts, int64_t *blocks)
{
    int64_t group = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x, bounds[2] = { 0, members };
    if (group > count) return;
#pragma unroll
    for (int k = 0; k < 2; k++) {
        int64_t low = 0, high = members;
        while (groups && low < high) { /* the first member that is not of a group before */
            int64_t middle = (low + high) / 2;
            if ((int64_t)groups[middle] < group + k) low = middle + 1;
            else high = middle;
        }
        if (groups) bounds[k] = low;
    }
    if (!groups && group == count) bounds[0] = members;
    starts[group] = bounds[0];
    if (blocks) blocks[group] = group < count ? (bounds[1] - bounds[0] + GI_BLOCK - 1) / GI_BLOCK : 0;
}

typedef struct gi_cuda_measure {
    gi_label_measure what;
    int              sums; /* folds a group: of the elements, and for centers of their products with each coordinate */
    int64_t          count, blocks, members; /* groups; at most so many blocks of members */
    const int64_t   *starts, *first_block;   /* count + 1 of each */
    const double    *x;                      /* the members */
    const void      *positions;              /* theirs; NULL: 0, 1 ... */
    int              ndim;
    double          *accs;    /* for each fold the blocks of all groups */
    double          *results; /* of each group: the measure, of centers ndim numbers */
} gi_cuda_measure;

/* The members as float64. */
template <class P>
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_gather_members(const void *a, ga_dtype dtype, const P *positions, int64_t members, double *x)
{
    int64_t i = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x;
    if (i < members) x[i] = gi_cuda_element_f64(a, dtype, (int64_t)positions[i]);
}

GI_DEVICE double gi_cuda_join(gi_label_measure what, double a, double b)
{
    return what == GI_MIN_OF ? gi_fmin_f64(a, b) : what == GI_MAX_OF ? gi_maximum_f64(a, b) : gi_add_f64(a, b);
}

enum { GI_LANE_ITEMS = GI_BLOCK / 32 };

/* What the n elements of a block give along the documented tree: lane l brings elements l, l + 32 ... Lane 0 has the result. */
GI_DEVICE double gi_cuda_fold_warp(gi_label_measure what, double (&v)[GI_LANE_ITEMS], int n)
{
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int level = 0; level < 5; level++)
#pragma unroll
        for (int k = 0; k < GI_LANE_ITEMS / 2; k++) {
            const int h = GI_LANE_ITEMS / 2 >> level;
            if (k < h && (k + h) * 32 + lane < n) v[k] = gi_cuda_join(what, v[k], v[k + h]);
        }
#pragma unroll
    for (int h = 16; h > 0; h /= 2) {
        double other = __shfl_down_sync(0xffffffffu, v[0], h);
        if (lane < h && lane + h < n) v[0] = gi_cuda_join(what, v[0], other);
    }
    return v[0];
}

/* A warp folds a block of a group. */
template <class P>
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_measure_blocks(const __grid_constant__ gi_cuda_measure m, const __grid_constant__ gi_cuda_axes<P> axes)
{
    int64_t unit = (int64_t)blockIdx.x * GI_WARPS + threadIdx.x / 32, group = 0, beyond = m.count;
    int     lane = threadIdx.x % 32;
    if (unit >= m.first_block[m.count]) return;
    while (beyond - group > 1) { /* the last group whose first block is not after this one */
        int64_t middle = group + (beyond - group) / 2;
        if (m.first_block[middle] <= unit) group = middle;
        else beyond = middle;
    }
    int64_t start = m.starts[group] + (unit - m.first_block[group]) * GI_BLOCK, n = m.starts[group + 1] - start;
    if (n > GI_BLOCK) n = GI_BLOCK;
    for (int s = 0; s < m.sums; s++) {
        double v[GI_LANE_ITEMS];
        int    axis = m.ndim - s; /* the last one first; of fold 0 none */
#pragma unroll
        for (int k = 0; k < GI_LANE_ITEMS; k++) {
            int64_t i = start + k * 32 + lane;
            v[k]      = k * 32 + lane < n ? m.x[i] : 0;
            if (s == 0 || k * 32 + lane >= n) continue;
            P position = m.positions ? ((const P *)m.positions)[i] : (P)i;
            for (int d = axes.ndim - 1; d > axis; d--) position = gi_divide(position, axes.shape[d]);
            v[k] = gi_mul_f64(v[k], (double)(position - gi_divide(position, axes.shape[axis]) * (P)axes.shape[axis].by));
        }
        double all = gi_cuda_fold_warp(m.what, v, (int)n);
        if (lane == 0) m.accs[(s == 0 ? 0 : axis + 1) * m.blocks + unit] = all;
    }
}

/* A warp folds the blocks of a group, their results again, and so on; then it ends the measure. */
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_measure_groups(const __grid_constant__ gi_cuda_measure m)
{
    int64_t group = (int64_t)blockIdx.x * GI_WARPS + threadIdx.x / 32;
    int     lane  = threadIdx.x % 32;
    if (group >= m.count) return;
    int64_t members = m.starts[group + 1] - m.starts[group], blocks = m.first_block[group + 1] - m.first_block[group];
    double  sum = 0;
    for (int s = 0; s < m.sums; s++) {
        double *accs = m.accs + s * m.blocks + m.first_block[group];
        for (int64_t n = blocks; n > 1; n = (n + GI_BLOCK - 1) / GI_BLOCK) {
            for (int64_t start = 0; start < n; start += GI_BLOCK) {
                double v[GI_LANE_ITEMS];
                int    here = n - start < GI_BLOCK ? (int)(n - start) : (int)GI_BLOCK;
#pragma unroll
                for (int k = 0; k < GI_LANE_ITEMS; k++) v[k] = k * 32 + lane < here ? accs[start + k * 32 + lane] : 0;
                double all = gi_cuda_fold_warp(m.what, v, here);
                if (lane == 0) accs[start / GI_BLOCK] = all;
            }
            __syncwarp(); /* the next level reads what lane 0 has written; beyond the checker: from 2^20 members on */
        }
        if (lane != 0) continue;
        double all = blocks > 0 ? accs[0] : 0;
        if (m.what == GI_MEAN_OF) all = all / (double)members;
        if (m.what != GI_CENTER_OF) m.results[group] = all;
        else if (s == 0) sum = all;
        else m.results[group * m.ndim + s - 1] = all / sum;
    }
}

/* Sizes are the differences of starts. */
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_measure_sizes(const int64_t *starts, int64_t count, int64_t *sizes)
{
    int64_t group = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x;
    if (group < count) sizes[group] = starts[group + 1] - starts[group];
}

/* The results in the order of the index: `width` numbers for each of the labels. */
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_place_measures(const __grid_constant__ gi_cuda_groups g, int width, const uint64_t *results, uint64_t *out)
{
    int64_t i = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x;
    if (i >= g.size) return;
    int64_t group = gi_cuda_group_of(g, i);
    for (int d = 0; d < width; d++) out[i * width + d] = results[group * width + d];
}

/* ---- the calls -------------------------------------------------------------------------------------------------------------- */

/* What a call measures, and where its results go: one group after the other. */
typedef struct gi_cuda_measuring {
    const char      *site;
    gi_label_measure what;
    const ga_array  *a;      /* packed, or NULL; without labels float64 */
    gi_cuda_groups   groups; /* labels NULL: everything is one group */
    void            *results;
} gi_cuda_measuring;

/* Folds the members of every group; starts and first_block are filled. */
template <class P>
static bool gi_cuda_fold_groups(const gi_cuda_measuring *g, const ga_array *on, const P *positions, int64_t members,
                                const int64_t *starts, const int64_t *first_block)
{
    const char     *site   = g->site;
    cudaStream_t    stream = gi_cuda_current_stream();
    gi_cuda_measure m;
    memset(&m, 0, sizeof m);
    m.what        = g->what;
    m.sums        = g->what == GI_CENTER_OF ? g->a->ndim + 1 : 1;
    m.count       = g->groups.count;
    m.blocks      = members / GI_BLOCK + (members < m.count ? members : m.count);
    m.members     = members;
    m.starts      = starts;
    m.first_block = first_block;
    m.positions   = positions;
    m.ndim        = g->a->ndim;
    m.results     = (double *)g->results;
    gi_scratch x = {}, accs = {};
    bool       ok = gi_scratch_get(site, &accs, on, (size_t)(m.blocks * m.sums) * sizeof(double)) &&
              (!positions || gi_scratch_get(site, &x, on, (size_t)members * sizeof(double)));
    m.accs = (double *)accs.p;
    m.x    = (const double *)(positions ? x.p : g->a->data);
    if (ok && positions && members > 0) {
        GI_LAUNCH(gi_cuda_gather_members<P>, gi_cuda_blocks(members), GI_CUDA_THREADS, stream, (const void *)g->a->data,
                  g->a->dtype, positions, members, (double *)x.p);
        ok = gi_cuda_launched(site, "gathering members of labels");
    }
    if (ok && members > 0) {
        GI_LAUNCH(gi_cuda_measure_blocks<P>, gi_cuda_blocks(m.blocks * 32), GI_CUDA_THREADS, stream, m,
                  gi_cuda_axes_of<P>(g->a));
        ok = gi_cuda_launched(site, "measuring labels");
    }
    if (ok) {
        GI_LAUNCH(gi_cuda_measure_groups, gi_cuda_blocks(m.count * 32), GI_CUDA_THREADS, stream, m);
        ok = gi_cuda_launched(site, "measuring labels");
    }
    gi_scratch_free(&x);
    gi_scratch_free(&accs);
    return ok;
}

/* From members, sorted by group (groups NULL: all of one), to the results. */
template <class P>
static bool gi_cuda_measure_members(const gi_cuda_measuring *g, const ga_array *on, const P *groups, const P *positions,
                                    int64_t members)
{
    const char  *site   = g->site;
    cudaStream_t stream = gi_cuda_current_stream();
    int64_t      count  = g->groups.count;
    gi_scratch   s      = {};
    if (!gi_scratch_get(site, &s, on, (size_t)(2 * (count + 1)) * sizeof(int64_t))) return false;
    int64_t *starts = (int64_t *)s.p, *first_block = g->what == GI_SIZE_OF ? NULL : starts + count + 1;
    GI_LAUNCH(gi_cuda_find_starts<P>, gi_cuda_blocks(count + 1), GI_CUDA_THREADS, stream, groups, members, count, starts,
              first_block);
    bool ok = gi_cuda_launched(site, "finding labels");
    if (ok && !first_block && count > 0) {
        GI_LAUNCH(gi_cuda_measure_sizes, gi_cuda_blocks(count), GI_CUDA_THREADS, stream, (const int64_t *)starts, count,
                  (int64_t *)g->results);
        ok = gi_cuda_launched(site, "measuring labels");
    } else if (ok && count > 0) {
        ok = gi_cuda_exclusive_scan(site, on, first_block, count + 1, NULL) &&
             gi_cuda_fold_groups(g, on, positions, members, (const int64_t *)starts, (const int64_t *)first_block);
    }
    gi_scratch_free(&s);
    return ok;
}

/* Picks out the members of the labels, sorts and measures them. */
template <class P> static bool gi_cuda_measure_labels(const gi_cuda_measuring *g, const ga_array *on)
{
    const char  *site   = g->site;
    cudaStream_t stream = gi_cuda_current_stream();
    int64_t      tiles = (g->groups.size + GI_MEMBERS_TILE - 1) / GI_MEMBERS_TILE, members = 0;
    gi_scratch   c = {}, p = {};
    bool         ok     = gi_scratch_get(site, &c, on, (size_t)(tiles + 1) * sizeof(int64_t));
    int64_t     *before = (int64_t *)c.p;
    if (ok && tiles > 0) {
        GI_LAUNCH(gi_cuda_count_members, (unsigned)tiles, GI_CUDA_THREADS, stream, g->groups, before);
        ok = gi_cuda_launched(site, "counting members of labels") &&
             gi_cuda_exclusive_scan(site, on, before, tiles + 1, NULL) &&
             gi_cuda_read(site, on, &members, before + tiles, sizeof members); /* memory for them alone: most is background */
    }
    ok     = ok && gi_scratch_get(site, &p, on, (size_t)(4 * members) * sizeof(P));
    P  *at = (P *)p.p, *groups[2] = { at, at + members }, *positions[2] = { at + 2 * members, at + 3 * members };
    int bits = 0;
    while ((g->groups.count - 1) >> bits > 0) bits++;
    if (ok && members > 0) {
        GI_LAUNCH(gi_cuda_pick_members<P>, (unsigned)tiles, GI_CUDA_THREADS, stream, g->groups, (const int64_t *)before,
                  groups[0], positions[0]);
        ok = gi_cuda_launched(site, "picking members of labels") &&
             (bits == 0 || gi_cuda_sort_pairs(site, on, groups, positions, members, bits));
    }
    ok = ok && gi_cuda_measure_members(g, on, (const P *)groups[0], (const P *)positions[0], members);
    gi_scratch_free(&p);
    gi_scratch_free(&c);
    return ok;
}

/* The measures of the wanted labels, or of those from 1 to the largest; see gi_measure_labels, which has looked at the arrays. */
static ga_array *gi_cuda_measure_arrays(const char *site, int measure, const ga_array *a, const ga_array *labels,
                                        const ga_array *index, int64_t largest)
{
    const gi_label_measure what = (gi_label_measure)measure;
    gi_cuda_measuring      g;
    memset(&g, 0, sizeof g);
    g.site           = site;
    g.what           = what;
    g.groups.count   = labels && !index ? largest : 1;
    ga_array *values = a ? gi_cuda_packed(site, a, labels ? a->dtype : GA_F64) : NULL;
    ga_array *packed = labels ? gi_cuda_packed(site, labels, labels->dtype) : NULL;
    ga_array *wanted = index ? gi_cuda_convert(site, index, GA_I64) : NULL, *sorted = NULL;
    bool      ok = (values || !a) && (packed || !labels) && (wanted || !index);
    if (ok && index) {
        int64_t   stride = sizeof(int64_t);
        ga_array *line   = gi_array_new_view(site, wanted, wanted->data, GA_I64, 1, &wanted->size, &stride);
        g.groups.count   = index->size;
        sorted           = line ? gi_array_new(site, GA_I64, GA_CUDA, 1, &wanted->size) : NULL;
        ok               = sorted && (sorted->size == 0 || gi_cuda_sort(site, line, sorted, 0, false));
        ga_free(line);
    }
    const int64_t   width  = what == GI_CENTER_OF ? a->ndim : 1;
    gi_scratch      s      = {};
    ga_array       *result = ok ? gi_label_new_measures(site, what, GA_CUDA, a, index, g.groups.count) : NULL;
    const ga_array *all[4] = { values, packed, sorted, result };
    ok                     = result && gi_cuda_touch_all(site, 4, all);
    if (ok && index) ok = gi_scratch_get(site, &s, result, (size_t)(g.groups.count * width) * 8);
    if (ok && result->size > 0) {
        g.a             = values;
        g.results       = index ? s.p : result->data;
        g.groups.size   = labels ? labels->size : a->size;
        g.groups.wanted = sorted ? (const int64_t *)sorted->data : NULL;
        g.groups.labels = packed ? packed->data : NULL;
        g.groups.dtype  = packed ? packed->dtype : GA_DTYPE_DEFAULT;
        bool wide       = g.groups.size >= GI_CUDA_WIDE || g.groups.count >= GI_CUDA_WIDE;
        if (labels) ok = wide ? gi_cuda_measure_labels<uint64_t>(&g, result) : gi_cuda_measure_labels<uint32_t>(&g, result);
        else if (wide) ok = gi_cuda_measure_members<uint64_t>(&g, result, NULL, NULL, a->size);
        else ok = gi_cuda_measure_members<uint32_t>(&g, result, NULL, NULL, a->size);
    }
    if (ok && index && result->size > 0) {
        gi_cuda_groups places = g.groups; /* the index has the groups of its own elements */
        places.labels         = wanted->data;
        places.dtype          = GA_I64;
        places.size           = index->size;
        GI_LAUNCH(gi_cuda_place_measures, gi_cuda_blocks(places.size), GI_CUDA_THREADS, gi_cuda_current_stream(), places,
                  (int)width, (const uint64_t *)s.p, (uint64_t *)result->data);
        ok = gi_cuda_launched(site, "placing measures of labels");
    }
    gi_scratch_free(&s);
    ga_free(sorted);
    ga_free(wanted);
    ga_free(packed);
    ga_free(values);
    if (ok) return result;
    ga_free(result);
    return NULL;
}
