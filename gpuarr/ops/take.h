/* ---- take -------------------------------------------------------------------------------------------------------- */

/* a as (outer, n, inner): rows of `bytes` bytes are moved, the one at indices[k] to place k. */
typedef struct gi_take_job {
    const char    *from;
    char          *to;
    const int64_t *indices;
    int64_t        count, n, bytes;
} gi_take_job;

GI_BEGIN_FAST
static void gi_take_rows(int64_t begin, int64_t end, void *job)
{
    const gi_take_job *j = (const gi_take_job *)job;
    for (int64_t row = begin; row < end;) {
        int64_t        outer = row / j->count, k = row % j->count, run = j->count - k < end - row ? j->count - k : end - row;
        const char    *from    = j->from + outer * j->n * j->bytes;
        char          *to      = j->to + row * j->bytes;
        const int64_t *indices = j->indices + k;
        int64_t        i       = 0;
#define GI_MOVE(U)                                                                                                             \
    for (; i + 4 <= run; i += 4) {                                                                                             \
        const U *x   = (const U *)(const void *)from;                                                                          \
        U       *out = (U *)(void *)to + i;                                                                                    \
        const U  a = x[indices[i]], b = x[indices[i + 1]], c = x[indices[i + 2]], d = x[indices[i + 3]];                       \
        out[0] = a, out[1] = b, out[2] = c, out[3] = d;                                                                        \
    }                                                                                                                          \
    for (; i < run; i++) ((U *)(void *)to)[i] = ((const U *)(const void *)from)[indices[i]];                                   \
    break
        switch (j->bytes) {
        case 1: GI_MOVE(uint8_t);
        case 2: GI_MOVE(gi_units_u16);
        case 4: GI_MOVE(gi_units_u32);
        case 8: GI_MOVE(gi_units_u64);
        default:
            for (; i < run; i++) memcpy(to + i * j->bytes, from + indices[i] * j->bytes, (size_t)j->bytes);
        }
#undef GI_MOVE
        row += run;
    }
}
GI_END_FAST

/* a[..., indices, ...] along an axis. The indices are int64, contiguous, valid. */
static ga_array *gi_take(const char *site, const ga_array *a, int axis, const ga_array *indices)
{
    if (a->device == GA_CUDA) return gi_gpu->take(site, a, axis, indices, GA_TAKE_CLIP);
    ga_array *packed = gi_copy_contiguous(site, a, a->dtype);
    ga_array *taken  = packed ? gi_take_new(site, a, axis, indices) : NULL;
    if (taken && taken->size > 0) {
        gi_take_job j = {
            (const char *)packed->data, (char *)taken->data, (const int64_t *)indices->data, indices->size, a->shape[axis],
            ga_itemsize(a->dtype)
        };
        for (int d = axis + 1; d < a->ndim; d++) j.bytes *= a->shape[d];
        int64_t rows = taken->size * ga_itemsize(a->dtype) / j.bytes;
        gi_parallel_bytes(2 * (double)rows * (double)j.bytes, rows, 1 + 65536 / j.bytes, gi_take_rows, &j);
    }
    ga_free(packed);
    return taken;
}

/* Are all of 0 .. n - 1? */
static bool gi_indices_inside(const ga_array *indices, int64_t n)
{
    return GI_LOOP_OF(inside)(indices->size, (const int64_t *)indices->data, n);
}

/* Puts the indices into 0 .. n - 1, by the mode; false with an error. */
static bool gi_settle_indices(const char *site, ga_array *indices, int64_t n, ga_take_mode mode)
{
    int64_t *index = (int64_t *)indices->data;
    for (int64_t k = 0; k < indices->size; k++) {
        int64_t i = index[k];
        if (i >= 0 && i < n) continue;
        if (mode == GA_TAKE_RAISE && i >= -n && i < 0) {
            index[k] = i + n;
        } else if (mode == GA_TAKE_WRAP) {
            index[k] = (i % n + n) % n;
        } else if (mode == GA_TAKE_CLIP) {
            index[k] = i < 0 ? 0 : n - 1;
        } else {
            gi_take_bad_index(site, i, n);
            return false;
        }
    }
    return true;
}

/* a[..., indices, ...] by the mode. The indices are int64 and contiguous; on the CPU they are settled where they are. */
static ga_array *gi_take_by(const char *site, const ga_array *a, int axis, ga_array *indices, ga_take_mode mode)
{
    if (a->shape[axis] == 0 && indices->size > 0)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE,
                                   "there is nothing to take: the axis has length 0, and %lld indices are given",
                                   (long long)indices->size);
    if (a->device == GA_CUDA) return gi_gpu->take(site, a, axis, indices, mode);
    return gi_settle_indices(site, indices, a->shape[axis], mode) ? gi_take(site, a, axis, indices) : NULL;
}

ga_array *(ga_take)(const ga_array *a, const ga_array *indices, ga_take_options o)
{
    if (!gi_array_check_half(o.site, a, "a") || !gi_array_check_half(o.site, indices, "indices")) return NULL;
    if (gi_dtype_kind(indices->dtype) > 1)
        return (ga_array *)gi_fail(o.site, GA_BAD_DTYPE, "indices are %s: they must be integers",
                                   ga_dtype_name(indices->dtype));
    if ((int)o.mode < GA_TAKE_RAISE || o.mode > GA_TAKE_CLIP)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, ".mode = %d is not GA_TAKE_RAISE, GA_TAKE_WRAP or GA_TAKE_CLIP",
                                   (int)o.mode);
    const ga_array *both[2] = { a, indices };
    if (gi_common_device(o.site, 2, both) == GA_DEVICE_DEFAULT) return NULL;
    int       axis  = o.axis;
    ga_array *along = gi_along(o.site, a, &axis);
    ga_array *index = along ? gi_copy_contiguous(o.site, indices, GA_I64) : NULL, *settled = NULL, *taken = NULL;
    if (index && a->device == GA_CPU && gi_indices_inside(index, along->shape[axis]))
        taken = gi_take(o.site, along, axis, index);
    else if (index && a->device == GA_CUDA)
        taken = gi_take_by(o.site, along, axis, index, o.mode); /* it leaves them as they are */
    else if (index && (settled = gi_copy_convert(o.site, index, GA_I64)) != NULL)
        taken = gi_take_by(o.site, along, axis, settled, o.mode);
    ga_free(index);
    ga_free(settled);
    ga_free(along);
    return taken;
}

/* ---- nonzero, compress, extract ---------------------------------------------------------------------------------- */
/*  In chunks, twice: count what is true, then write, each chunk from where the counts of those before it end. */

#define GI_SELECT_TILE  ((int64_t)512)
#define GI_SELECT_CHUNK (64 * GI_SELECT_TILE)

typedef struct gi_select_job {
    const uint8_t  *flags;      /* not bool: true is whatever is not 0 */
    int64_t         n, *starts; /* how many are true before each chunk, and in all */
    const char     *from;       /* the elements to choose from */
    char           *to;
    int64_t         itemsize, total;
    const ga_array *a; /* its shape turns a position into indices */
} gi_select_job;

GI_BEGIN_FAST
static int64_t gi_count_true(int64_t n, const uint8_t *flags)
{
    int64_t count = 0, i = 0;
    for (; i + 8 <= n; i += 8) count += (int64_t)(gi_eight_flags(flags + i) * 0x0101010101010101u >> 56); /* their sum */
    for (; i < n; i++) count += flags[i] != 0;
    return count;
}

/* A gi_compress_loop of elements of `size` bytes, a constant. */
static GI_INLINE int64_t gi_compress_each(const int64_t size, int64_t n, void *out, const void *in, const uint8_t *flags)
{
    const char *from = (const char *)in;
    char       *to   = (char *)out;
    int64_t     i    = 0;
    for (; i + 8 <= n; i += 8) {
        const uint64_t chosen = gi_eight_flags(flags + i), sums = chosen * 0x0101010101010101u; /* of it and those before */
        if (!chosen) continue;
        GI_UNROLL
        for (int k = 0; k < 8; k++) /* a branch would be foreseen wrongly: the next one that is chosen takes the place */
            memcpy(to + (int64_t)(sums << 8 >> 8 * k & 0xff) * size, from + (i + k) * size, (size_t)size);
        to += (int64_t)(sums >> 56) * size;
    }
    for (; i < n; i++) {
        memcpy(to, from + i * size, (size_t)size);
        to += flags[i] ? size : 0;
    }
    return (to - (char *)out) / size;
}

static int64_t gi_compress_1(int64_t n, void *out, const void *in, const uint8_t *flags)
{
    return gi_compress_each(1, n, out, in, flags);
}
static int64_t gi_compress_2(int64_t n, void *out, const void *in, const uint8_t *flags)
{
    return gi_compress_each(2, n, out, in, flags);
}
static int64_t gi_compress_4(int64_t n, void *out, const void *in, const uint8_t *flags)
{
    return gi_compress_each(4, n, out, in, flags);
}
static int64_t gi_compress_8(int64_t n, void *out, const void *in, const uint8_t *flags)
{
    return gi_compress_each(8, n, out, in, flags);
}
static int64_t gi_compress_16(int64_t n, void *out, const void *in, const uint8_t *flags)
{
    return gi_compress_each(16, n, out, in, flags);
}
GI_END_FAST

static gi_compress_loop gi_compress(int64_t itemsize)
{
    const gi_compress_loop loop = GI_LOOP_OF(compress)((int)itemsize);
    if (loop) return loop;
    switch (itemsize) {
    case 1: return gi_compress_1;
    case 2: return gi_compress_2;
    case 4: return gi_compress_4;
    case 8: return gi_compress_8;
    default: return gi_compress_16;
    }
}

static void gi_count_chunks(int64_t begin, int64_t end, void *job)
{
    gi_select_job *j = (gi_select_job *)job;
    for (int64_t c = begin; c < end; c++) {
        int64_t start = c * GI_SELECT_CHUNK, n = j->n - start < GI_SELECT_CHUNK ? j->n - start : GI_SELECT_CHUNK;
        j->starts[c] = gi_count_true(n, j->flags + start);
    }
}

static void gi_compress_chunks(int64_t begin, int64_t end, void *job)
{
    const gi_select_job   *j    = (const gi_select_job *)job;
    const gi_compress_loop loop = gi_compress(j->itemsize);
    char                   part[GI_SELECT_TILE * 16 + 64];
    for (int64_t c = begin; c < end; c++) {
        char       *to   = j->to + j->starts[c] * j->itemsize;
        const char *last = j->to + j->starts[c + 1] * j->itemsize; /* what lies there is another thread's */
        for (int64_t start = c * GI_SELECT_CHUNK; to < last; start += GI_SELECT_TILE) {
            const int64_t n      = j->n - start < GI_SELECT_TILE ? j->n - start : GI_SELECT_TILE;
            const bool    inside = last - to >= n * j->itemsize + 64;
            const int64_t count  = loop(n, inside ? to : part, j->from + start * j->itemsize, j->flags + start);
            if (!inside) memcpy(to, part, (size_t)(count * j->itemsize));
            to += count * j->itemsize;
        }
    }
}

static void gi_nonzero_chunks(int64_t begin, int64_t end, void *job)
{
    const gi_select_job   *j    = (const gi_select_job *)job;
    const gi_compress_loop loop = gi_compress(sizeof(int64_t));
    int64_t                numbers[GI_SELECT_TILE], places[GI_SELECT_TILE + 8];
    for (int64_t k = 0; k < GI_SELECT_TILE; k++) numbers[k] = k;
    for (int64_t c = begin; c < end; c++) {
        int64_t at = j->starts[c], stop = j->n - c * GI_SELECT_CHUNK < GI_SELECT_CHUNK ? j->n : (c + 1) * GI_SELECT_CHUNK;
        for (int64_t start = c * GI_SELECT_CHUNK; start < stop; start += GI_SELECT_TILE) {
            int64_t n     = stop - start < GI_SELECT_TILE ? stop - start : GI_SELECT_TILE;
            int64_t count = loop(n, places, numbers, j->flags + start);
            /* the last axis first: what is left of a place is its index along the axes before */
            int64_t before = start;
            for (int d = j->a->ndim - 1; d > 0; d--, before = 0) {
                int64_t *row = (int64_t *)(void *)j->to + d * j->total + at, length = j->a->shape[d];
                for (int64_t k = 0; k < count; k++) {
                    row[k]    = (places[k] + before) % length;
                    places[k] = (places[k] + before) / length;
                }
            }
            for (int64_t k = 0; k < count; k++) ((int64_t *)(void *)j->to)[at + k] = places[k] + before;
            at += count;
        }
    }
}

/* Counts the nonzero elements of condition. Then a (NULL: their indices) is written where they are, into a new array.
   */
static ga_array *gi_select(const char *site, const ga_array *condition, const ga_array *a)
{
    if (condition->device == GA_CUDA) return gi_gpu->chosen(site, condition, a);
    ga_array *flags  = gi_copy_contiguous(site, condition, GA_BOOL);
    ga_array *packed = flags && a ? gi_copy_contiguous(site, a, a->dtype) : NULL, *selected = NULL;
    int64_t   chunks = (condition->size + GI_SELECT_CHUNK - 1) / GI_SELECT_CHUNK;
    int64_t  *starts = flags && (packed || !a) ? (int64_t *)gi_mem_alloc(site, (size_t)(chunks + 1) * sizeof(int64_t)) : NULL;
    if (starts) {
        gi_select_job j;
        memset(&j, 0, sizeof j);
        j.flags  = (const uint8_t *)flags->data;
        j.n      = condition->size;
        j.starts = starts;
        j.a      = condition;
        gi_parallel(chunks, 1, gi_count_chunks, &j);
        for (int64_t c = 0; c < chunks; c++) {
            int64_t count = starts[c];
            starts[c]     = j.total;
            j.total += count;
        }
        starts[chunks]           = j.total;
        const int64_t indices[2] = { condition->ndim, j.total };
        if (a) selected = gi_array_new(site, a->dtype, a->device, 1, &j.total);
        else selected = gi_array_new(site, GA_I64, condition->device, 2, indices);
        if (selected) {
            j.from     = packed ? (const char *)packed->data : NULL;
            j.itemsize = ga_itemsize(selected->dtype);
            j.to       = (char *)selected->data;
            gi_parallel(chunks, 1, a ? gi_compress_chunks : gi_nonzero_chunks, &j);
        }
    }
    gi_mem_release(starts, (size_t)(chunks + 1) * sizeof(int64_t));
    ga_free(packed);
    ga_free(flags);
    return selected;
}

ga_array *(ga_nonzero)(const ga_array *a, const char *site)
{
    if (!gi_array_check_half(site, a, "a")) return NULL;
    if (a->ndim == 0) return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "a 0-d array has no axis to give indices along");
    return gi_select(site, a, NULL);
}

ga_array *(ga_extract)(const ga_array *condition, const ga_array *a, const char *site)
{
    if (!gi_array_check_half(site, condition, "condition") || !gi_array_check_half(site, a, "a")) return NULL;
    if (condition->size != a->size)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "condition has shape %s, a %s: they must have as many elements",
                                   gi_shape_of(condition), gi_shape_of(a));
    const ga_array *both[2] = { condition, a };
    return gi_common_device(site, 2, both) == GA_DEVICE_DEFAULT ? NULL : gi_select(site, condition, a);
}

/* Is nothing true beyond the first n of a row? Else false, with an error. */
static bool gi_false_beyond(const char *site, const ga_array *condition, int64_t n)
{
    gi_composition c;
    gi_compose_begin(&c, site);
    const ga_array *rest = gi_do_part(&c, condition, 0, n, condition->size - n),
                   *some = rest ? gi_do_fold(&c, (ga_any), rest, GA_AXIS_DEFAULT, false) : NULL;
    bool       any       = true;
    const bool known     = some && gi_item_as(site, some, NULL, GA_BOOL, &any);
    (void)gi_compose_end(&c, NULL);
    if (known && any)
        gi_fail(site, GA_BAD_SHAPE, "condition has %lld elements, the axis %lld: beyond them none may be true",
                (long long)condition->size, (long long)n);
    return known && !any;
}

ga_array *(ga_compress)(const ga_array *condition, const ga_array *a, ga_axis_options o)
{
    if (!gi_options_axis(&o) || !gi_array_check_half(o.site, condition, "condition") || !gi_array_check_half(o.site, a, "a") ||
        !gi_takes_no_dtype("ga_compress", &o))
        return NULL;
    if (condition->ndim != 1)
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "condition has shape %s: it must have one dimension",
                                   gi_shape_of(condition));
    const ga_array *both[2] = { condition, a };
    if (gi_common_device(o.site, 2, both) == GA_DEVICE_DEFAULT) return NULL;
    int       axis  = o.axis;
    ga_array *along = gi_along(o.site, a, &axis);
    if (along && along->ndim == 1 && along->size == condition->size) { /* extract */
        ga_array *chosen = gi_select(o.site, condition, along);
        ga_free(along);
        return gi_copy_finish(o.site, chosen, a->dtype, o.out);
    }
    const bool inside =
        along && (condition->size <= along->shape[axis] || gi_false_beyond(o.site, condition, along->shape[axis]));
    ga_array *indices = inside ? gi_select(o.site, condition, NULL) : NULL;
    ga_array *line    = indices ? (ga_ravel)(indices, o.site) : NULL; /* (1, count) */
    ga_array *chosen  = line ? gi_take(o.site, along, axis, line) : NULL;
    ga_free(line);
    ga_free(indices);
    ga_free(along);
    return gi_copy_finish(o.site, chosen, a->dtype, o.out);
}
