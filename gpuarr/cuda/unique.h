/* ---- unique --------------------------------------------------------------------------------------------------------------- */

typedef struct gi_cuda_runs {
    gi_cuda_keys   keys;
    const char    *sorted;
    int64_t        n;
    bool           equal_nan;
    const int64_t *order; /* where the sorted elements were, or NULL */
    int64_t       *before;
    char          *values; /* of each run: its element, */
    int64_t       *starts; /* where it begins, */
    int64_t       *index;  /* and where its first element was */
    int64_t       *inverse;
} gi_cuda_runs;

GI_DEVICE bool gi_cuda_starts_run(const gi_cuda_runs &r, int64_t i)
{
    const char *p = r.sorted + i * r.keys.size;
    return i < r.n && (i == 0 || !gi_cuda_same_element(r.keys, r.equal_nan, p - r.keys.size, p));
}

/* How many runs of equal elements begin in each tile. */
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_count_runs(const __grid_constant__ gi_cuda_runs r)
{
    GI_BLOCK_SHARED(int64_t, row, [GI_WARPS]);
    int64_t start = (int64_t)blockIdx.x * GI_PLAIN_TILE, mine = 0, total;
    for (int turn = 0; turn < GI_PLAIN_TURNS; turn++)
        mine += gi_cuda_starts_run(r, start + turn * GI_CUDA_THREADS + threadIdx.x);
    gi_cuda_sum_before(mine, row, total);
    if (threadIdx.x == 0) r.before[blockIdx.x] = total;
}

static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_write_runs(const __grid_constant__ gi_cuda_runs r)
{
    GI_BLOCK_SHARED(int64_t, rows, [2][GI_WARPS]);
    int64_t run = r.before[blockIdx.x], total;
    for (int turn = 0; turn < GI_PLAIN_TURNS; turn++) {
        int64_t i      = (int64_t)blockIdx.x * GI_PLAIN_TILE + turn * GI_CUDA_THREADS + threadIdx.x;
        bool    starts = gi_cuda_starts_run(r, i);
        int64_t mine   = run + gi_cuda_sum_before(starts, rows[turn % 2], total) + starts - 1;
        run += total;
        if (starts) gi_cuda_move(r.keys.size, r.values + mine * r.keys.size, r.sorted + i * r.keys.size);
        if (starts && r.starts) r.starts[mine] = i;
        if (starts && r.index) r.index[mine] = r.order[i];
        if (i < r.n && r.inverse) r.inverse[r.order[i]] = mine;
    }
}

static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_run_lengths(const int64_t *starts, int64_t runs, int64_t n, int64_t *lengths)
{
    int64_t i = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x;
    if (i < runs) lengths[i] = (i + 1 < runs ? starts[i + 1] : n) - starts[i];
}

/* Makes the results of ga_unique for n > 0 sorted elements; those that are made are given back to be kept or freed. */
static ga_array *gi_cuda_write_unique(const char *site, const ga_array *a, const ga_array *sorted, const ga_array *order,
                                      const ga_unique_options *o)
{
    int64_t      n = sorted->size, tiles = (n + GI_PLAIN_TILE - 1) / GI_PLAIN_TILE, runs = 0;
    ga_array    *values = NULL;
    cudaStream_t stream = gi_cuda_current_stream();
    gi_scratch   before, starts;
    gi_cuda_runs r;
    memset(&r, 0, sizeof r);
    memset(&starts, 0, sizeof starts);
    if (!gi_scratch_get(site, &before, sorted, (size_t)(tiles + 1) * sizeof(int64_t))) return NULL;
    r.keys      = gi_cuda_keys_of(sorted->dtype, false);
    r.sorted    = (const char *)sorted->data;
    r.n         = n;
    r.equal_nan = o->equal_nan;
    r.order     = order ? (const int64_t *)order->data : NULL;
    r.before    = (int64_t *)before.p;
    GI_LAUNCH(gi_cuda_count_runs, (unsigned)tiles, GI_CUDA_THREADS, stream, r);
    bool ok = gi_cuda_launched(site, "ga_unique") && gi_cuda_exclusive_scan(site, sorted, r.before, tiles, r.before + tiles) &&
              gi_cuda_read(site, sorted, &runs, r.before + tiles, sizeof runs);
    if (ok) values = gi_array_new(site, sorted->dtype, GA_CUDA, 1, &runs);
    if (values && o->index) *o->index = gi_array_new(site, GA_I64, GA_CUDA, 1, &runs);
    if (values && o->inverse) *o->inverse = gi_array_new(site, GA_I64, GA_CUDA, a->ndim, a->shape);
    if (values && o->counts) *o->counts = gi_array_new(site, GA_I64, GA_CUDA, 1, &runs);
    ok = values && (!o->index || *o->index) && (!o->inverse || *o->inverse) && (!o->counts || *o->counts) &&
         (!o->counts || gi_scratch_get(site, &starts, sorted, (size_t)runs * sizeof(int64_t)));
    if (ok) {
        r.values  = (char *)values->data;
        r.starts  = (int64_t *)starts.p;
        r.index   = o->index ? (int64_t *)(*o->index)->data : NULL;
        r.inverse = o->inverse ? (int64_t *)(*o->inverse)->data : NULL;
        GI_LAUNCH(gi_cuda_write_runs, (unsigned)tiles, GI_CUDA_THREADS, stream, r);
        ok = gi_cuda_launched(site, "ga_unique");
    }
    if (ok && o->counts) {
        GI_LAUNCH(gi_cuda_run_lengths, gi_cuda_blocks(runs), GI_CUDA_THREADS, stream, r.starts, runs, n,
                  (int64_t *)(*o->counts)->data);
        ok = gi_cuda_launched(site, "ga_unique");
    }
    if (starts.p) gi_scratch_free(&starts);
    gi_scratch_free(&before);
    if (ok) return values;
    ga_free(values);
    return NULL;
}

/* The sorted values; what else is asked for is left in the options, and freed by the caller after a failure. */
static ga_array *gi_cuda_unique(const char *site, const ga_array *a, const ga_unique_options *o)
{
    bool            ordered = o->index || o->inverse;
    const int64_t   size = a->size, stride = ga_itemsize(a->dtype);
    ga_array       *flat = gi_cuda_packed(site, a, a->dtype), *order = NULL;
    ga_array       *line   = flat ? gi_array_new_view(site, flat, flat->data, a->dtype, 1, &size, &stride) : NULL;
    ga_array       *sorted = line ? gi_array_new(site, a->dtype, GA_CUDA, 1, line->shape) : NULL, *values = NULL;
    const ga_array *used[2] = { line, sorted };
    bool            ok      = sorted && gi_cuda_touch_all(site, 2, used);
    if (ok && ordered && a->size > 0) {
        order = gi_array_new(site, GA_I64, GA_CUDA, 1, line->shape);
        ok    = order && gi_cuda_sort(site, line, order, 0, true);
        if (ok) {
            GI_LAUNCH(gi_cuda_in_order<uint64_t>, gi_cuda_blocks(a->size), GI_CUDA_THREADS, gi_cuda_current_stream(),
                      (const uint64_t *)order->data, a->size, a->size, (const char *)line->data, (int)ga_itemsize(a->dtype),
                      (char *)sorted->data);
            ok = gi_cuda_launched(site, "ga_unique");
        }
    } else if (ok && a->size > 0) {
        ok = gi_cuda_sort(site, line, sorted, 0, false);
    }
    if (ok && a->size > 0) values = gi_cuda_write_unique(site, a, sorted, order, o);
    if (ok && a->size == 0) {
        values = sorted;
        sorted = NULL;
        if (o->index) *o->index = gi_array_new(site, GA_I64, GA_CUDA, 1, values->shape);
        if (o->inverse) *o->inverse = gi_array_new(site, GA_I64, GA_CUDA, a->ndim, a->shape);
        if (o->counts) *o->counts = gi_array_new(site, GA_I64, GA_CUDA, 1, values->shape);
    }
    ga_free(order);
    ga_free(sorted);
    ga_free(line);
    ga_free(flat);
    return values;
}
