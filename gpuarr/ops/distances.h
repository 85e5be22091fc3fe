/* ==== >>distances: between the rows of two arrays ====================================================================== */
/*  Each distance is one chain over the features in their order, in the dtype of the result, however the work is divided. (A matrix
    product would not be faster than this, and cancel digits where points are close.)                                       */

#define GI_DISTANCE_WORK   (1 << 17)  /* steps of a chain that are worth a thread */
#define GI_DISTANCE_STREAM (12 << 20) /* bytes of a result that is written past the caches */
#define GI_DISTANCE_ROOM   64         /* elements of a tile's widest row */

typedef struct gi_distance_job {
    const gi_distances      *d;
    const gi_distance_tiles *tiles;
    int64_t                  across; /* units beside each other */
    int64_t                  room;   /* bytes that a unit works with */
} gi_distance_job;

static void gi_distance_units(int64_t begin, int64_t end, void *job)
{
    const gi_distance_job *j = (const gi_distance_job *)job;
    GI_ARENA(char, room, j->room);
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t row = unit / j->across * j->d->unit_rows, column = unit % j->across * j->d->unit_columns;
        if (!j->d->condensed || column + j->d->unit_columns > row + 1) j->tiles->unit(j->d, row, column, room);
    }
}

/* The same distances, those of y from x. */
static gi_distances gi_swapped_distances(const gi_distances *d)
{
    gi_distances s  = *d;
    s.rows          = d->columns;
    s.columns       = d->rows;
    s.x             = d->y;
    s.y             = d->x;
    s.x_norms       = d->y_norms;
    s.y_norms       = d->x_norms;
    s.row_stride    = d->column_stride;
    s.column_stride = d->row_stride;
    return s;
}

static void gi_cpu_distances(const gi_distances *asked, ga_dtype dtype)
{
    const gi_distance_tiles *loops = GI_LOOP_OF(distances)(dtype);
    int64_t                  size = ga_itemsize(dtype), width = loops->lanes * loops->tile, threads = ga_get_num_threads();
    gi_distances             d = *asked;
    if (d.columns < loops->lanes && d.columns < d.rows && !d.condensed) d = gi_swapped_distances(asked); /* fewer idle lanes */
    int64_t depth = d.features > 0 ? d.features : 1, tiles = GI_DISTANCE_PACK / (width * size) / depth; /* that fit the cache */
    d.unit_columns = (tiles > 1 ? tiles : 1) * width;
    d.unit_rows    = tiles > 0 ? 8 * GI_DISTANCE_ROWS : GI_DISTANCE_ROWS;
    d.stream = d.column_stride == 1 && !d.condensed && (double)d.rows * (double)(d.row_stride * size) >= GI_DISTANCE_STREAM &&
               ((uintptr_t)d.out | (uintptr_t)(d.row_stride * size)) % 64 == 0;

    /* Units enough for all threads, some for those that are late; but each one packs its columns anew. */
    double  work   = (double)d.rows * (double)d.columns * (double)(d.features + 4);
    int64_t across = (d.columns + d.unit_columns - 1) / d.unit_columns, units;
    for (;; d.unit_rows /= 2) {
        units = (d.rows + d.unit_rows - 1) / d.unit_rows * across;
        if (work < GI_DISTANCE_WORK || units >= 8 * threads || d.unit_rows <= (units < threads ? 8 : 64)) break;
    }
    gi_distance_job j = { &d, loops, across, GI_DISTANCE_PACK + GI_DISTANCE_ROWS * width * size };
    gi_parallel(units, 1 + (int64_t)((double)units * GI_DISTANCE_WORK / (work + 1)), gi_distance_units, &j);
}

/* Are the rows of a result packed, and one behind the other, as gi_find_distances writes them? */
static bool gi_takes_rows(const ga_array *out)
{
    int64_t size = ga_itemsize(out->dtype);
    if (out->ndim != 2 || out->device != GA_CPU || out->size == 0) return ga_is_contiguous(out);
    return (out->shape[1] == 1 || out->strides[1] == size) && out->strides[0] % size == 0 &&
           out->strides[0] >= out->shape[1] * size;
}

/* Fills a result with packed rows, or that of pairs; x, y (NULL: x) and the weights (NULL: none) are packed and of its dtype. */
static bool gi_find_distances(const char *site, ga_metric metric, const ga_array *x, const ga_array *y, const ga_array *w,
                              ga_array *result)
{
    const ga_array *points[2] = { x, y };
    ga_array       *norms[2]  = { NULL, NULL };
    gi_distances    d;
    bool            ok = true;
    if (result->size == 0) return true;
    for (int k = 0; k < 2 && metric == GA_COSINE && ok; k++) { /* their distances from the origin */
        if (!points[k]) continue;
        int64_t   origin_shape[2] = { 1, x->shape[1] }, shape[2] = { 1, points[k]->shape[0] + GI_DISTANCE_ROOM };
        ga_array *origin = gi_array_new(site, x->dtype, x->device, 2, origin_shape);
        norms[k]         = origin && gi_array_clear(site, origin) ? gi_array_new(site, x->dtype, x->device, 2, shape) : NULL;
        ok               = norms[k] && gi_array_clear(site, norms[k]) &&
             gi_find_distances(site, GA_EUCLIDEAN, origin, points[k], NULL, norms[k]);
        ga_free(origin);
    }
    if (ok) {
        const ga_array *second = y ? y : x;
        memset(&d, 0, sizeof d);
        d.metric   = metric;
        d.features = x->shape[1];
        d.rows     = x->shape[0];
        d.columns  = second->shape[0];
        d.x        = x->data;
        d.y        = second->data;
        d.x_norms  = norms[0] ? norms[0]->data : NULL;
        d.y_norms  = norms[1] ? norms[1]->data : d.x_norms;
        d.w        = w ? w->data : NULL;
        d.out      = result->data;
        d.row_stride =
            !d.columns || result->ndim < 2 || result->shape[0] < 2 ? d.columns : result->strides[0] / ga_itemsize(x->dtype);
        d.column_stride = 1;
        d.condensed     = result->ndim == 1;
        if (x->device == GA_CUDA) ok = gi_gpu->distances(site, &d, x, second, result);
        else gi_cpu_distances(&d, x->dtype);
    }
    ga_free(norms[1]);
    ga_free(norms[0]);
    return ok;
}

/* By these kernels, between x and y (NULL: x); of pairs a result with one dimension. o->w is packed and of that dtype. */
static ga_array *gi_distances_by_tiles(const ga_array *x, const ga_array *y, ga_dtype dtype, int ndim, const int64_t *shape,
                                       const ga_distance_options *o)
{
    ga_array *px = gi_copy_contiguous(o->site, x, dtype), *py = px && y ? gi_copy_contiguous(o->site, y, dtype) : NULL,
             *result = NULL;
    bool ok          = px && (py || !y);
    bool in_place    = ok && o->out && o->out->dtype == dtype && gi_takes_rows(o->out) && !ga_may_share_memory(o->out, px) &&
                    !ga_may_share_memory(o->out, py);
    if (in_place) result = gi_array_new_view(o->site, o->out, o->out->data, dtype, ndim, shape, o->out->strides);
    else if (ok) result = gi_array_new(o->site, dtype, x->device, ndim, shape);
    ok = result && gi_find_distances(o->site, o->metric, px, py, o->w, result);
    ga_free(py);
    ga_free(px);
    if (ok && !in_place) return gi_copy_finish(o->site, result, dtype, o->out);
    ga_free(result);
    return ok ? o->out : NULL;
}

/* How many pairs there are of n points; -1 with an error if they cannot be counted. */
static int64_t gi_pairs(const char *site, int64_t n)
{
    int64_t pairs;
    if (n < 2) return 0;
    if (!__builtin_mul_overflow(n % 2 ? n : n - 1, n / 2, &pairs)) return pairs;
    gi_fail(site, GA_BAD_SHAPE, "%lld points have more pairs than can be counted", (long long)n);
    return -1;
}

/* ---- squareform ------------------------------------------------------------------------------------------------------ */

typedef struct gi_square_job {
    char   *vector, *matrix; /* the vector is packed; the matrix has byte strides */
    int64_t n, row_stride, column_stride;
    int     itemsize;
} gi_square_job;

/* A unit is GI_SQUARE_SIDE rows, from the diagonal on, and the columns that mirror them: square by square, for the caches' sake. */
static void gi_vector_to_rows(int64_t begin, int64_t end, void *job)
{
    const gi_square_job *s = (const gi_square_job *)job;
    for (int64_t first = begin * GI_SQUARE_SIDE; first < end * GI_SQUARE_SIDE; first += GI_SQUARE_SIDE) {
        const int64_t last = first + GI_SQUARE_SIDE < s->n ? first + GI_SQUARE_SIDE : s->n;
        for (int64_t start = first; start < s->n; start += GI_SQUARE_SIDE)
            for (int64_t i = first; i < last; i++) {
                const int64_t j    = start > i ? start : i + 1,
                              stop = start + GI_SQUARE_SIDE < s->n ? start + GI_SQUARE_SIDE : s->n;
                char       *row    = s->matrix + i * s->row_stride;
                const char *v      = s->vector + gi_pair_place(s->n, i, j) * s->itemsize;
                if (start == first) memset(row + i * s->itemsize, 0, (size_t)s->itemsize);
                if (j >= stop) continue;
                memcpy(row + j * s->itemsize, v, (size_t)((stop - j) * s->itemsize));
                gi_scatter(s->itemsize, stop - j, s->matrix + j * s->row_stride + i * s->itemsize, s->row_stride, v);
            }
    }
}

static void gi_rows_to_vector(int64_t begin, int64_t end, void *job)
{
    const gi_square_job *s = (const gi_square_job *)job;
    for (int64_t i = begin; i < end; i++)
        gi_gather(s->itemsize, s->n - i - 1, s->vector + gi_pair_place(s->n, i, i + 1) * s->itemsize,
                  s->matrix + i * s->row_stride + (i + 1) * s->column_stride, s->column_stride);
}

static void gi_cpu_squareform(const ga_array *from, ga_array *to)
{
    const ga_array *matrix = to->ndim == 2 ? to : from, *vector = to->ndim == 2 ? from : to;
    gi_square_job   s = { (char *)vector->data, (char *)matrix->data, matrix->shape[0],
                          matrix->strides[0],   matrix->strides[1],   (int)ga_itemsize(to->dtype) };
    if (to->ndim == 1) gi_parallel(s.n - 1, 1 + 65536 / s.n, gi_rows_to_vector, &s);
    else gi_parallel((s.n + GI_SQUARE_SIDE - 1) / GI_SQUARE_SIDE, 1 + 1024 / s.n, gi_vector_to_rows, &s);
}

/* Is a square matrix symmetric, and 0 on its diagonal? If not, an error. */
static bool gi_check_distances(const char *site, const ga_array *v)
{
    ga_equal_options  exactly  = ga_equal_defaults;
    ga_reduce_options all      = gi_reduce_site(site);
    int64_t           shape[2] = { v->shape[1], v->shape[0] }, strides[2] = { v->strides[1], v->strides[0] };
    int64_t           along   = v->strides[0] + v->strides[1];
    double            nonzero = 0;
    exactly.site              = site;
    ga_array *turned          = gi_array_new_view(site, v, v->data, v->dtype, 2, shape, strides);
    ga_array *diagonal        = gi_array_new_view(site, v, v->data, v->dtype, 1, shape, &along);
    ga_array *any             = turned && diagonal ? (ga_any)(diagonal, all) : NULL;
    bool      symmetric       = any && (ga_array_equal)(gi_operand_arg(v), gi_operand_arg(turned), exactly);
    bool      known           = any && gi_item_as(site, any, NULL, GA_F64, &nonzero);
    if (known && !symmetric)
        gi_fail(site, GA_BAD_ARGUMENT, "the matrix v is not symmetric: it holds no distances (or use .checks = false)");
    else if (known && nonzero != 0)
        gi_fail(site, GA_BAD_ARGUMENT, "the diagonal of the matrix v is not 0: it holds no distances (or use .checks = false)");
    ga_free(any);
    ga_free(diagonal);
    ga_free(turned);
    return known && symmetric && nonzero == 0;
}

ga_array *(ga_squareform)(const ga_array *v, ga_squareform_options o)
{
    if (!gi_array_check(o.site, v, "v")) return NULL;
    int64_t shape[2] = { 0, 0 };
    int     ndim     = v->ndim == 2 ? 1 : 2; /* of the result */
    if (v->ndim > 2)
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "v has shape %s: use a vector of distances or a matrix",
                                   gi_shape_of(v));
    if (v->ndim == 2) {
        if (v->shape[0] != v->shape[1])
            return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "v has shape %s: a matrix of distances is square", gi_shape_of(v));
        if (o.checks && !gi_check_distances(o.site, v)) return NULL;
        shape[0] = gi_pairs(o.site, v->shape[0]);
    } else {
        int64_t n = (int64_t)ceil(sqrt(2 * (double)v->size));
        while (n > 1 && gi_pairs(o.site, n - 1) >= v->size) n--; /* the root was rounded */
        if (n < 1) n = 1;
        if (gi_pairs(o.site, n) != v->size)
            return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "v has %lld elements: n points have n * (n - 1) / 2 distances",
                                       (long long)v->size);
        shape[0] = shape[1] = n;
    }
    bool      any_layout = v->ndim == 2 && v->device == GA_CPU;
    ga_array *from       = any_layout ? gi_array_new_view(o.site, v, v->data, v->dtype, 2, v->shape, v->strides)
                                      : gi_copy_contiguous(o.site, v, v->dtype);
    ga_array *to         = from ? gi_array_new(o.site, v->dtype, v->device, ndim, shape) : NULL;
    bool      ok         = to != NULL;
    if (ok && to->size > 0 && to->device == GA_CUDA) ok = gi_gpu->squareform(o.site, from, to);
    else if (ok && to->size > 0) gi_cpu_squareform(from, to);
    ga_free(from);
    if (ok) return to;
    ga_free(to);
    return NULL;
}
