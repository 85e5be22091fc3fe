/* ==== >>rearranging: joining, cutting, choosing, sorting, counting, running sums ==================================== */

/* ---- axes, and parts along them -------------------------------------------------------------------------------------- */

/* Was an axis named? A site without the text of a call (from a run-time caller) can only tell one that is not 0. */
static bool gi_axis_given(const char *site, int axis) { return axis != 0 || gi_option_given(site, "axis"); }

/* A view of a with *axis made the number of the axis that was named; where none was (or a has none), a flattened, and axis 0. */
static ga_array *gi_along(const char *site, const ga_array *a, int *axis)
{
    bool flat = !gi_axis_given(site, *axis) || (a->ndim == 0 && (*axis == 0 || *axis == -1));
    if (flat) {
        *axis = 0;
        return (ga_ravel)(a, site);
    }
    *axis = gi_axis(site, *axis, a->ndim);
    return *axis < 0 ? NULL : (ga_view)(a, site);
}

/* The options that a function does not take. */
static bool gi_takes_no_dtype(const char *name, const ga_axis_options *o)
{
    if (o->dtype == GA_DTYPE_DEFAULT) return true;
    gi_fail(o->site, GA_BAD_DTYPE, "%s takes no .dtype: use ga_astype", name);
    return false;
}
static bool gi_takes_only_axis(const char *name, const ga_axis_options *o)
{
    if (!gi_takes_no_dtype(name, o)) return false;
    if (!o->out) return true;
    gi_fail(o->site, GA_BAD_ARGUMENT, "%s takes no .out", name);
    return false;
}

/* The elements start .. start + length along an axis. */
static ga_array *gi_part(const char *site, const ga_array *a, int axis, int64_t start, int64_t length)
{
    gi_layout l = gi_layout_of(a);
    if (a->size > 0 && length > 0) l.data += start * l.strides[axis];
    l.shape[axis] = length;
    return gi_view_with(site, a, &l);
}

/* Copies a part of src to another place along the same axis of dst. */
static bool gi_copy_along(const char *site, ga_array *dst, int64_t to, const ga_array *src, int64_t from, int64_t length, int axis)
{
    ga_array *target = gi_part(site, dst, axis, to, length);
    ga_array *source = target ? gi_part(site, src, axis, from, length) : NULL;
    bool      done   = source && gi_assign(site, target, source);
    ga_free(source);
    ga_free(target);
    return done;
}

/* ---- concatenate, stack ------------------------------------------------------------------------------------------------ */

/* The dtype that holds all, as NumPy finds it: beginning with the largest, so that int16 and uint16 beside float32 stay float32. */
static ga_dtype gi_promote_all(int n, const ga_array *const *arrays)
{
    ga_dtype dtype = arrays[0]->dtype;
    for (int k = 1; k < n; k++)
        if (arrays[k]->dtype > dtype) dtype = arrays[k]->dtype;
    for (int largest = dtype; largest > GA_DTYPE_DEFAULT; largest--)
        for (int k = 0; k < n; k++)
            if ((int)arrays[k]->dtype == largest) dtype = ga_promote(dtype, arrays[k]->dtype);
    return dtype;
}

static bool gi_check_list(const char *site, int n, const ga_array *const *arrays)
{
    if (n < 1 || !arrays) {
        gi_fail(site, GA_BAD_ARGUMENT, "there is no array to join: give at least one");
        return false;
    }
    for (int k = 0; k < n; k++) {
        char name[32];
        snprintf(name, sizeof name, "array number %d", k);
        if (!gi_check(site, arrays[k], name)) return false;
    }
    return true;
}

/* Writes the arrays one behind the other along an axis of target; stacked: that axis is a new one. */
static bool gi_write_joined(const char *site, ga_array *target, int n, const ga_array *const *arrays, int axis, bool stacked)
{
    int64_t at = 0;
    for (int k = 0; k < n; k++) {
        gi_layout place  = gi_layout_of(target);
        int64_t   length = stacked ? 1 : arrays[k]->shape[axis];
        if (target->size > 0 && at < target->shape[axis]) place.data += at * place.strides[axis];
        place.shape[axis] = length;
        if (stacked) {
            for (int d = axis; d < target->ndim - 1; d++) gi_layout_swap(&place, d, d + 1);
            place.ndim--;
        }
        ga_array *part = gi_view_with(site, target, &place);
        bool      done = part && gi_assign(site, part, arrays[k]);
        ga_free(part);
        if (!done) return false;
        at += length;
    }
    return true;
}

static ga_array *gi_join_arrays(int n, const ga_array *const *arrays, int axis, bool stacked, int ndim, const int64_t *shape,
                                const ga_axis_options *o)
{
    if (o->dtype != GA_DTYPE_DEFAULT && !gi_is_dtype(o->dtype))
        return (ga_array *)gi_fail(o->site, GA_BAD_DTYPE, ".dtype = %d is not a dtype", (int)o->dtype);
    ga_dtype common = gi_promote_all(n, arrays), dtype = o->dtype != GA_DTYPE_DEFAULT ? o->dtype : common;
    if (!gi_same_kind(common, dtype))
        return (ga_array *)gi_fail(o->site, GA_BAD_DTYPE, "%s cannot become %s without losing its kind: use ga_astype first",
                                   ga_dtype_name(common), ga_dtype_name(dtype));
    /* Straight into .out if it fits and holds none of the arrays. */
    bool direct = o->out && o->out->alive == GI_ALIVE && gi_equal_shapes(ndim, shape, o->out->ndim, o->out->shape) &&
                  gi_same_kind(dtype, o->out->dtype) && o->dtype == GA_DTYPE_DEFAULT;
    for (int k = 0; k < n && direct; k++) direct = !ga_may_share_memory(o->out, arrays[k]);
    ga_array *target = direct ? o->out : gi_new(o->site, dtype, arrays[0]->device, ndim, shape);
    if (!target) return NULL;
    bool done = gi_write_joined(o->site, target, n, arrays, axis, stacked);
    if (direct) return done ? target : NULL;
    if (done) return gi_finish(o->site, target, dtype, o->out);
    ga_free(target);
    return NULL;
}

ga_array *(ga_concatenate_n)(int n, const ga_array *const *arrays, ga_axis_options o)
{
    if (!gi_check_list(o.site, n, arrays)) return NULL;
    const ga_array *first = arrays[0];
    if (first->ndim == 0) return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "0-d arrays have no axis to be joined along: use ga_stack");
    int     axis = gi_axis(o.site, o.axis, first->ndim);
    int64_t shape[GPUARR_MAX_DIMS];
    if (axis < 0) return NULL;
    memcpy(shape, first->shape, sizeof shape);
    for (int k = 1; k < n; k++) {
        const ga_array *a    = arrays[k];
        bool            fits = a->ndim == first->ndim;
        for (int d = 0; d < a->ndim && fits; d++) fits = d == axis || a->shape[d] == first->shape[d];
        if (!fits)
            return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "array number %d has shape %s, the first %s: they may differ on axis %d only", k,
                                       gi_shape_of(a), gi_shape_of(first), axis);
        if (__builtin_add_overflow(shape[axis], a->shape[axis], &shape[axis]))
            return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "together the arrays have more elements than can be counted");
    }
    return gi_join_arrays(n, arrays, axis, false, first->ndim, shape, &o);
}

ga_array *(ga_stack_n)(int n, const ga_array *const *arrays, ga_axis_options o)
{
    if (!gi_check_list(o.site, n, arrays)) return NULL;
    const ga_array *first = arrays[0];
    int             ndim  = first->ndim + 1;
    if (ndim > GPUARR_MAX_DIMS)
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "%d dimensions; at most %d are possible", ndim, GPUARR_MAX_DIMS);
    for (int k = 1; k < n; k++)
        if (!ga_same_shape(first, arrays[k]))
            return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "array number %d has shape %s, the first %s: they must be equal", k,
                                       gi_shape_of(arrays[k]), gi_shape_of(first));
    int     axis = gi_axis(o.site, o.axis, ndim);
    int64_t shape[GPUARR_MAX_DIMS];
    if (axis < 0) return NULL;
    for (int d = 0; d < ndim; d++) shape[d] = d == axis ? n : first->shape[d < axis ? d : d - 1];
    return gi_join_arrays(n, arrays, axis, true, ndim, shape, &o);
}

/* ---- split --------------------------------------------------------------------------------------------------------------- */

/* Views between neighbouring cuts: parts[k] is cuts(k) .. cuts(k + 1), as Python slices are taken. indices NULL: n equal parts. */
static bool gi_split(const ga_array *a, int n, const int64_t *indices, int axis, ga_array **parts, const char *site)
{
    int64_t length = a->shape[axis];
    for (int k = 0; k < n; k++) {
        int64_t start = 0, stop = length;
        if (indices) {
            if (k > 0) start = gi_slice_bound(indices[k - 1], length, false);
            if (k < n - 1) stop = gi_slice_bound(indices[k], length, false);
        } else {
            start = length / n * k;
            stop  = start + length / n;
        }
        parts[k] = gi_part(site, a, axis, start, stop > start ? stop - start : 0);
        if (parts[k]) continue;
        for (; k > 0; k--) {
            ga_free(parts[k - 1]);
            parts[k - 1] = NULL;
        }
        return false;
    }
    return true;
}

/* The axis to be split, -1 with an error. Clears the parts, so that a failed call leaves NULLs. */
static int gi_split_axis(const ga_array *a, int n, ga_array **parts, const ga_axis_options *o)
{
    if (n < 1 || !parts) {
        gi_fail(o->site, GA_BAD_ARGUMENT, "%d parts: give 1 or more, and an array of as many pointers", n);
        return -1;
    }
    for (int k = 0; k < n; k++) parts[k] = NULL;
    if (!gi_check(o->site, a, "a") || !gi_takes_only_axis("ga_split", o)) return -1;
    return gi_axis(o->site, o->axis, a->ndim);
}

bool(ga_split)(const ga_array *a, int n, ga_array **parts, ga_axis_options o)
{
    int axis = gi_split_axis(a, n, parts, &o);
    if (axis < 0) return false;
    if (a->shape[axis] % n != 0) {
        gi_fail(o.site, GA_BAD_SHAPE, "axis %d of %s cannot be split into %d equal parts: use ga_split_at", axis, gi_shape_of(a), n);
        return false;
    }
    return gi_split(a, n, NULL, axis, parts, o.site);
}

bool(ga_split_at)(const ga_array *a, int n, const int64_t *indices, ga_array **parts, ga_axis_options o)
{
    int axis = gi_split_axis(a, n, parts, &o);
    if (axis < 0) return false;
    if (!indices && n > 1) {
        gi_fail(o.site, GA_BAD_ARGUMENT, "indices is NULL: give the %d places to cut before", n - 1);
        return false;
    }
    return gi_split(a, n, indices, axis, parts, o.site);
}

/* ---- roll, pad ------------------------------------------------------------------------------------------------------------ */

ga_array *(ga_roll)(const ga_array *a, int64_t shift, ga_axis_options o)
{
    if (!gi_check(o.site, a, "a") || !gi_takes_only_axis("ga_roll", &o)) return NULL;
    int       axis   = o.axis;
    ga_array *source = gi_along(o.site, a, &axis);
    ga_array *rolled = source ? gi_new(o.site, a->dtype, a->device, a->ndim, a->shape) : NULL;
    ga_shape  shape; /* of the source: rolled is written in the same way */
    memset(&shape, 0, sizeof shape);
    if (source) {
        shape.ndim = source->ndim;
        memcpy(shape.n, source->shape, sizeof shape.n);
    }
    ga_array *target = rolled ? (ga_reshape)(rolled, shape, o.site) : NULL;
    bool      done   = target != NULL;
    if (done && target->size > 0) {
        int64_t n = source->shape[axis], s = (shift % n + n) % n;
        done = gi_copy_along(o.site, target, s, source, 0, n - s, axis) && gi_copy_along(o.site, target, 0, source, n - s, s, axis);
    }
    ga_free(target);
    ga_free(source);
    if (done) return rolled;
    ga_free(rolled);
    return NULL;
}

/* Which of n elements stands at place i, which may lie before the first or behind the last. */
static int64_t gi_pad_source(ga_pad_mode mode, int64_t i, int64_t n)
{
    if (mode == GA_PAD_EDGE || n == 1) return i < 0 ? 0 : i < n ? i : n - 1;
    int64_t period = mode == GA_PAD_WRAP ? n : mode == GA_PAD_SYMMETRIC ? 2 * n : 2 * n - 2;
    i              = (i % period + period) % period;
    if (i < n) return i;
    return mode == GA_PAD_SYMMETRIC ? period - 1 - i : period - i;
}

/* Fills the places start .. stop along an axis from the places first .. first + n. `known` is what of the array is already known.
   Places whose sources lie side by side (forwards, backwards, or one for all) are one copy. */
static bool gi_pad_fill(const char *site, ga_array *padded, const gi_layout *known, int axis, ga_pad_mode mode, int64_t first, int64_t n,
                        int64_t start, int64_t stop)
{
    for (int64_t i = start; i < stop;) {
        int64_t from = gi_pad_source(mode, i - first, n), step = 0, count = 1;
        if (i + 1 < stop) step = gi_pad_source(mode, i + 1 - first, n) - from;
        while (i + count < stop && gi_pad_source(mode, i + count - first, n) == from + count * step) count++;
        gi_layout to = *known, of = *known;
        to.data += i * known->strides[axis];
        of.data += (first + from) * known->strides[axis];
        to.shape[axis] = of.shape[axis] = count;
        of.strides[axis] *= step;
        if (!gi_copy_part(site, padded, &to, &of)) return false;
        i += count;
    }
    return true;
}

/* The widths before and behind each axis and the padded shape. */
static bool gi_pad_widths(const ga_array *a, ga_shape *before, const ga_pad_options *o, int64_t *shape)
{
    ga_shape  after = o->after.ndim == 0 ? *before : o->after;
    ga_shape *both[2] = { before, &after };
    for (int k = 0; k < 2; k++) {
        ga_shape *w = both[k];
        if (w->ndim != 1 && w->ndim != a->ndim) {
            gi_fail(o->site, GA_BAD_ARGUMENT, "%d widths for %d dimensions: give one for all, or one for each axis", w->ndim, a->ndim);
            return false;
        }
        for (int d = 0; d < a->ndim; d++)
            if (w->ndim == 1) w->n[d] = w->n[0];
        for (int d = 0; d < a->ndim; d++)
            if (w->n[d] < 0) {
                gi_fail(o->site, GA_BAD_ARGUMENT, "a width is negative: %s", gi_shape_text(a->ndim, w->n));
                return false;
            }
    }
    for (int d = 0; d < a->ndim; d++) {
        if (o->mode != GA_PAD_CONSTANT && a->shape[d] == 0 && before->n[d] + after.n[d] > 0) {
            gi_fail(o->site, GA_BAD_SHAPE, "axis %d of %s is empty: it can only be padded with GA_PAD_CONSTANT", d, gi_shape_of(a));
            return false;
        }
        if (__builtin_add_overflow(a->shape[d], before->n[d], &shape[d]) || __builtin_add_overflow(shape[d], after.n[d], &shape[d])) {
            gi_fail(o->site, GA_BAD_SHAPE, "axis %d would become longer than can be counted", d);
            return false;
        }
    }
    return true;
}

ga_array *(ga_pad)(const ga_array *a, ga_shape before, ga_pad_options o)
{
    int64_t shape[GPUARR_MAX_DIMS];
    if (!gi_check(o.site, a, "a")) return NULL;
    if ((int)o.mode < GA_PAD_CONSTANT || o.mode > GA_PAD_WRAP)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, ".mode = %d is no way to pad: use GA_PAD_CONSTANT, GA_PAD_EDGE ...", (int)o.mode);
    if (!gi_pad_widths(a, &before, &o, shape)) return NULL;
    ga_array *padded = gi_new(o.site, a->dtype, a->device, a->ndim, shape);
    if (!padded || padded->size == 0) return padded;
    bool done = true;
    if (o.mode == GA_PAD_CONSTANT) {
        ga_arg value;
        memset(&value, 0, sizeof value);
        value.kind = GA_KIND_REAL;
        value.re   = o.value;
        done       = gi_assign_where(o.site, padded, value, NULL);
    }
    gi_layout known = gi_layout_of(padded); /* first the place of a; it grows axis by axis */
    for (int d = 0; d < a->ndim; d++) {
        if (a->size > 0) known.data += before.n[d] * known.strides[d];
        known.shape[d] = a->shape[d];
    }
    ga_array *middle = done ? gi_view_with(o.site, padded, &known) : NULL;
    done             = middle && gi_assign(o.site, middle, a);
    ga_free(middle);
    for (int d = 0; d < a->ndim && done && o.mode != GA_PAD_CONSTANT; d++) {
        int64_t first = before.n[d], n = a->shape[d];
        known.data -= first * known.strides[d];
        done = gi_pad_fill(o.site, padded, &known, d, o.mode, first, n, 0, first) &&
               gi_pad_fill(o.site, padded, &known, d, o.mode, first, n, first + n, shape[d]);
        known.shape[d] = shape[d];
    }
    if (done) return padded;
    ga_free(padded);
    return NULL;
}

/* ---- take ------------------------------------------------------------------------------------------------------------------ */

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
#define GI_MOVE(U)                                                                                                      \
    for (int64_t i = 0; i < run; i++) ((U *)(void *)to)[i] = ((const U *)(const void *)from)[indices[i]];                \
    break
        switch (j->bytes) {
        case 1: GI_MOVE(uint8_t);
        case 2: GI_MOVE(uint16_t);
        case 4: GI_MOVE(uint32_t);
        case 8: GI_MOVE(uint64_t);
        default:
            for (int64_t i = 0; i < run; i++) memcpy(to + i * j->bytes, from + indices[i] * j->bytes, (size_t)j->bytes);
        }
#undef GI_MOVE
        row += run;
    }
}
GI_END_FAST

/* a[..., indices, ...] along an axis: the shape of indices takes the place of that axis. The indices are int64, contiguous, valid. */
static ga_array *gi_take(const char *site, const ga_array *a, int axis, const ga_array *indices)
{
    gi_layout l = gi_layout_of(a);
    l.ndim      = a->ndim - 1 + indices->ndim;
    if (l.ndim > GPUARR_MAX_DIMS)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "%d dimensions; at most %d are possible", l.ndim, GPUARR_MAX_DIMS);
    for (int d = 0; d < indices->ndim; d++) l.shape[axis + d] = indices->shape[d];
    for (int d = axis + 1; d < a->ndim; d++) l.shape[d - 1 + indices->ndim] = a->shape[d];
    ga_array *packed = gi_contiguous(site, a, a->dtype);
    ga_array *taken  = packed ? gi_new(site, a->dtype, a->device, l.ndim, l.shape) : NULL;
    if (taken && taken->size > 0) {
        gi_take_job j = { (const char *)packed->data, (char *)taken->data, (const int64_t *)indices->data, indices->size, a->shape[axis],
                          ga_itemsize(a->dtype) };
        for (int d = axis + 1; d < a->ndim; d++) j.bytes *= a->shape[d];
        int64_t rows = taken->size * ga_itemsize(a->dtype) / j.bytes;
        gi_parallel(rows, 1 + 65536 / j.bytes, gi_take_rows, &j);
    }
    ga_free(packed);
    return taken;
}

/* Puts the indices into 0 .. n - 1, by the mode; false with an error. */
static bool gi_settle_indices(const char *site, ga_array *indices, int64_t n, ga_take_mode mode)
{
    int64_t *index = (int64_t *)indices->data;
    if (n == 0 && indices->size > 0) {
        gi_fail(site, GA_BAD_SHAPE, "there is nothing to take: the axis has length 0, and %lld indices are given", (long long)indices->size);
        return false;
    }
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
            gi_fail(site, GA_BAD_ARGUMENT, "index %lld is out of bounds for an axis with length %lld", (long long)i, (long long)n);
            return false;
        }
    }
    return true;
}

ga_array *(ga_take)(const ga_array *a, const ga_array *indices, ga_take_options o)
{
    if (!gi_check(o.site, a, "a") || !gi_check(o.site, indices, "indices")) return NULL;
    if (gi_kind_of(indices->dtype) > 1)
        return (ga_array *)gi_fail(o.site, GA_BAD_DTYPE, "indices are %s: they must be integers", ga_dtype_name(indices->dtype));
    if ((int)o.mode < GA_TAKE_RAISE || o.mode > GA_TAKE_CLIP)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, ".mode = %d is not GA_TAKE_RAISE, GA_TAKE_WRAP or GA_TAKE_CLIP", (int)o.mode);
    int       axis    = o.axis;
    ga_array *along   = gi_along(o.site, a, &axis);
    ga_array *settled = along ? gi_convert(o.site, indices, GA_I64) : NULL;
    bool      valid   = settled && gi_settle_indices(o.site, settled, along->shape[axis], o.mode);
    ga_array *taken   = valid ? gi_take(o.site, along, axis, settled) : NULL;
    ga_free(settled);
    ga_free(along);
    return taken;
}

/* ---- nonzero, compress, extract ----------------------------------------------------------------------------------------------- */
/*  In chunks, twice: count what is true, then write, each chunk from where the counts of those before it end.                     */

enum { GI_SELECT_TILE = 512, GI_SELECT_CHUNK = 64 * GI_SELECT_TILE };

typedef struct gi_select_job {
    const bool     *flags;
    int64_t         n, *starts; /* how many are true before each chunk */
    const char     *from;       /* the elements to choose from; NULL: write indices */
    char           *to;
    int64_t         itemsize, total;
    const ga_array *a;          /* its shape turns a position into indices */
} gi_select_job;

GI_BEGIN_FAST
static int64_t gi_count_true(int64_t n, const bool *flags)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) count += flags[i];
    return count;
}

/* The places of the true ones, as if the first were `start`. There is room for one more. */
static int64_t gi_find_true(int64_t n, const bool *flags, int64_t start, int64_t *places)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        places[count] = start + i;
        count += flags[i];
    }
    return count;
}
GI_END_FAST

static void gi_count_chunks(int64_t begin, int64_t end, void *job)
{
    gi_select_job *j = (gi_select_job *)job;
    for (int64_t c = begin; c < end; c++) {
        int64_t start = c * GI_SELECT_CHUNK, n = j->n - start < GI_SELECT_CHUNK ? j->n - start : GI_SELECT_CHUNK;
        j->starts[c] = gi_count_true(n, j->flags + start);
    }
}

static void gi_select_chunks(int64_t begin, int64_t end, void *job)
{
    const gi_select_job *j = (const gi_select_job *)job;
    int64_t              places[GI_SELECT_TILE + 1];
    for (int64_t c = begin; c < end; c++) {
        int64_t at = j->starts[c], stop = j->n - c * GI_SELECT_CHUNK < GI_SELECT_CHUNK ? j->n : (c + 1) * GI_SELECT_CHUNK;
        for (int64_t start = c * GI_SELECT_CHUNK; start < stop; start += GI_SELECT_TILE) {
            int64_t n     = stop - start < GI_SELECT_TILE ? stop - start : GI_SELECT_TILE;
            int64_t count = gi_find_true(n, j->flags + start, start, places);
            if (j->from) {
                gi_take_job take = { j->from, j->to + at * j->itemsize, places, count + 1, 0, j->itemsize };
                gi_take_rows(0, count, &take);
            } else { /* the last axis first: what is left of a place is its index along the axes before */
                for (int d = j->a->ndim - 1; d >= 0; d--) {
                    int64_t *row = (int64_t *)(void *)j->to + d * j->total + at, length = j->a->shape[d];
                    for (int64_t k = 0; k < count; k++) {
                        row[k]    = d == 0 ? places[k] : places[k] % length;
                        places[k] = d == 0 ? 0 : places[k] / length;
                    }
                }
            }
            at += count;
        }
    }
}

/* Counts the nonzero elements of condition. Then a (NULL: their indices) is written where they are, into a new array. */
static ga_array *gi_select(const char *site, const ga_array *condition, const ga_array *a)
{
    ga_array *flags  = gi_contiguous(site, condition, GA_BOOL);
    ga_array *packed = flags && a ? gi_contiguous(site, a, a->dtype) : NULL, *selected = NULL;
    int64_t   chunks = (condition->size + GI_SELECT_CHUNK - 1) / GI_SELECT_CHUNK;
    int64_t  *starts = flags && (packed || !a) ? (int64_t *)gi_alloc(site, (size_t)chunks * sizeof(int64_t)) : NULL;
    if (starts) {
        gi_select_job j;
        memset(&j, 0, sizeof j);
        j.flags  = (const bool *)flags->data;
        j.n      = condition->size;
        j.starts = starts;
        j.a      = condition;
        gi_parallel(chunks, 1, gi_count_chunks, &j);
        for (int64_t c = 0; c < chunks; c++) {
            int64_t count = starts[c];
            starts[c]     = j.total;
            j.total += count;
        }
        const int64_t indices[2] = { condition->ndim, j.total };
        if (a)
            selected = gi_new(site, a->dtype, a->device, 1, &j.total);
        else
            selected = gi_new(site, GA_I64, condition->device, 2, indices);
        if (selected) {
            j.from     = packed ? (const char *)packed->data : NULL;
            j.itemsize = ga_itemsize(selected->dtype);
            j.to       = (char *)selected->data;
            gi_parallel(chunks, 1, gi_select_chunks, &j);
        }
    }
    gi_release(starts, (size_t)chunks * sizeof(int64_t));
    ga_free(packed);
    ga_free(flags);
    return selected;
}

ga_array *(ga_nonzero)(const ga_array *a, const char *site)
{
    if (!gi_check(site, a, "a")) return NULL;
    if (a->ndim == 0) return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "a 0-d array has no axis to give indices along");
    return gi_select(site, a, NULL);
}

ga_array *(ga_extract)(const ga_array *condition, const ga_array *a, const char *site)
{
    if (!gi_check(site, condition, "condition") || !gi_check(site, a, "a")) return NULL;
    if (condition->size != a->size)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "condition has shape %s, a %s: they must have as many elements", gi_shape_of(condition),
                                   gi_shape_of(a));
    return gi_select(site, condition, a);
}

ga_array *(ga_compress)(const ga_array *condition, const ga_array *a, ga_axis_options o)
{
    if (!gi_check(o.site, condition, "condition") || !gi_check(o.site, a, "a") || !gi_takes_no_dtype("ga_compress", &o)) return NULL;
    if (condition->ndim != 1)
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "condition has shape %s: it must have one dimension", gi_shape_of(condition));
    int       axis    = o.axis;
    ga_array *along   = gi_along(o.site, a, &axis);
    ga_array *indices = along ? gi_select(o.site, condition, NULL) : NULL;
    ga_array *line    = indices ? (ga_ravel)(indices, o.site) : NULL; /* (1, count) */
    bool      valid   = line && gi_settle_indices(o.site, line, along->shape[axis], GA_TAKE_RAISE);
    ga_array *chosen  = valid ? gi_take(o.site, along, axis, line) : NULL;
    ga_free(line);
    ga_free(indices);
    ga_free(along);
    return gi_finish(o.site, chosen, a->dtype, o.out);
}

/* ---- sort, argsort ---------------------------------------------------------------------------------------------------------------- */
/*  Every element becomes an unsigned key that counts up in the wanted order: integers by adding a bias, floats by flipping bits, with
    one key for all NaNs (the last) and one for both zeros. Keys are sorted by a radix sort, digit by digit from the lowest, which is
    stable; so is the insertion sort for short lines. A record of the sort is
        4 bytes: a key . 8 bytes: a key, or a short key above the number of its element . 16 bytes: a key, and the number behind it.   */

enum { GI_DIGITS = 256, GI_SHORT_SORT = 48 };
#define GI_RADIX_CHUNK ((int64_t)1 << 17) /* records that one thread moves */

GI_BEGIN_FAST

static uint32_t gi_key_f32(uint32_t bits)
{
    const uint32_t sign = 0x80000000u, magnitude = bits & ~sign;
    if (magnitude > 0x7f800000u) return UINT32_MAX; /* NaN */
    if (magnitude == 0) return sign;
    return bits & sign ? ~bits : bits | sign;
}
static uint64_t gi_key_f64(uint64_t bits)
{
    const uint64_t sign = (uint64_t)1 << 63, magnitude = bits & ~sign;
    if (magnitude > 0x7ff0000000000000u) return UINT64_MAX;
    if (magnitude == 0) return sign;
    return bits & sign ? ~bits : bits | sign;
}
static uint32_t gi_bits_of_key_f32(uint32_t key) { return key & 0x80000000u ? key & 0x7fffffffu : ~key; }
static uint64_t gi_bits_of_key_f64(uint64_t key) { return key >> 63 ? key & (UINT64_MAX >> 1) : ~key; }

/* The dtype of 4 or 8 bytes whose numbers are made keys, and what is added to an integer for that. */
static ga_dtype gi_key_dtype(ga_dtype dtype)
{
    if (ga_itemsize(dtype) > 4 || gi_is_float(dtype)) return dtype;
    return gi_is_signed(dtype) ? GA_I32 : GA_U32;
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

/* Puts the zeros and the NaNs of a line back into their places in the sorted line, in their order and with their own bits. */
static void gi_restore_f32(int64_t n, float *sorted, const float *line)
{
    int64_t zeros = 0, nans = 0;
    for (int64_t i = 0; i < n; i++) {
        zeros += line[i] < 0;
        nans += line[i] == line[i];
    }
    for (int64_t i = 0; i < n; i++) {
        if (line[i] == 0) sorted[zeros++] = line[i];
        if (line[i] != line[i]) sorted[nans++] = line[i];
    }
}
static void gi_restore_f64(int64_t n, double *sorted, const double *line)
{
    int64_t zeros = 0, nans = 0;
    for (int64_t i = 0; i < n; i++) {
        zeros += line[i] < 0;
        nans += line[i] == line[i];
    }
    for (int64_t i = 0; i < n; i++) {
        if (line[i] == 0) sorted[zeros++] = line[i];
        if (line[i] != line[i]) sorted[nans++] = line[i];
    }
}

/* A job of the radix sort: one digit of all records. `places` holds a row of counts for each chunk, then where each is to write. */
typedef struct gi_radix {
    char    *from, *to;
    int64_t  n, chunks, *places;
    int      size, shift;
} gi_radix;

/* These are compiled for each size of a record. */
GI_FORMULA uint64_t gi_record_key(const char *record, int size)
{
    if (size == 4) {
        uint32_t key;
        memcpy(&key, record, sizeof key);
        return key;
    }
    uint64_t key;
    memcpy(&key, record, sizeof key);
    return key;
}

GI_FORMULA void gi_count_digits(const gi_radix *r, int64_t chunk, int size)
{
    int64_t  begin = chunk * GI_RADIX_CHUNK, end = chunk == r->chunks - 1 ? r->n : begin + GI_RADIX_CHUNK;
    int64_t *count = r->places + chunk * GI_DIGITS;
    memset(count, 0, GI_DIGITS * sizeof *count);
    for (int64_t i = begin; i < end; i++) count[gi_record_key(r->from + i * size, size) >> r->shift & (GI_DIGITS - 1)]++;
}

GI_FORMULA void gi_move_records(const gi_radix *r, int64_t chunk, int size)
{
    int64_t  begin = chunk * GI_RADIX_CHUNK, end = chunk == r->chunks - 1 ? r->n : begin + GI_RADIX_CHUNK;
    int64_t *place = r->places + chunk * GI_DIGITS;
    for (int64_t i = begin; i < end; i++) {
        const char *record = r->from + i * size;
        int64_t     to     = place[gi_record_key(record, size) >> r->shift & (GI_DIGITS - 1)]++;
        memcpy(r->to + to * size, record, (size_t)size);
    }
}

GI_FORMULA void gi_insert_records(char *records, int64_t n, int size)
{
    char record[16];
    for (int64_t i = 1; i < n; i++) {
        memcpy(record, records + i * size, (size_t)size);
        uint64_t key = gi_record_key(record, size);
        int64_t  at  = i;
        for (; at > 0 && gi_record_key(records + (at - 1) * size, size) > key; at--)
            memcpy(records + at * size, records + (at - 1) * size, (size_t)size);
        memcpy(records + at * size, record, (size_t)size);
    }
}

static void gi_count_digits_task(int64_t begin, int64_t end, void *job)
{
    const gi_radix *r = (const gi_radix *)job;
    for (int64_t chunk = begin; chunk < end; chunk++) {
        if (r->size == 4) gi_count_digits(r, chunk, 4);
        if (r->size == 8) gi_count_digits(r, chunk, 8);
        if (r->size == 16) gi_count_digits(r, chunk, 16);
    }
}

static void gi_move_records_task(int64_t begin, int64_t end, void *job)
{
    const gi_radix *r = (const gi_radix *)job;
    for (int64_t chunk = begin; chunk < end; chunk++) {
        if (r->size == 4) gi_move_records(r, chunk, 4);
        if (r->size == 8) gi_move_records(r, chunk, 8);
        if (r->size == 16) gi_move_records(r, chunk, 16);
    }
}

GI_END_FAST

/* Turns the counts of the digits into the places where each chunk writes each digit. True if all records have the same digit. */
static bool gi_place_digits(const gi_radix *r)
{
    int64_t at = 0;
    for (int digit = 0; digit < GI_DIGITS; digit++) {
        int64_t start = at;
        for (int64_t chunk = 0; chunk < r->chunks; chunk++) {
            int64_t *place = &r->places[chunk * GI_DIGITS + digit], count = *place;
            *place = at;
            at += count;
        }
        if (at - start == r->n) return true;
    }
    return false;
}

static int64_t gi_radix_chunks(int64_t n) { return n < GI_RADIX_CHUNK ? 1 : n / GI_RADIX_CHUNK; }

/* Sorts n records by the bits `low` to `high` - 1 of their keys. `spare` has room for as many records. Returns where they are then:
   at records or at spare. */
static char *gi_sort_records(char *records, char *spare, int64_t n, int size, int low, int high, int64_t *places)
{
    if (n <= GI_SHORT_SORT) { /* by whole keys: below `low` are the numbers of the elements, above `high` is nothing */
        if (size == 4) gi_insert_records(records, n, 4);
        if (size == 8) gi_insert_records(records, n, 8);
        if (size == 16) gi_insert_records(records, n, 16);
        return records;
    }
    gi_radix r = { records, spare, n, gi_radix_chunks(n), places, size, low };
    for (; r.shift < high; r.shift += 8) {
        gi_parallel(r.chunks, 1, gi_count_digits_task, &r);
        if (gi_place_digits(&r)) continue;
        gi_parallel(r.chunks, 1, gi_move_records_task, &r);
        char *sorted = r.to;
        r.to         = r.from;
        r.from       = sorted;
    }
    return r.from;
}

/* Lines in, sorted lines or their int64 indices out. */
typedef struct gi_sort_job {
    gi_lines lines, out;
    bool     indices;
    int      record;  /* bytes of one */
    int64_t  units;   /* each sorts a part of the lines in its own scratch: */
    int64_t  records; /* bytes: twice the records, */
    int64_t  bytes;   /* behind them a line, and the places of the digits */
    char    *scratch;
} gi_sort_job;

/* The key of a part (0 real, 1 imaginary) of a complex element. */
static uint64_t gi_part_key(ga_dtype dtype, const char *line, int64_t i, int part)
{
    double x;
    if (dtype == GA_C128)
        memcpy(&x, line + (2 * i + part) * 8, sizeof x);
    else
        gi_cast(GA_F64, GA_F32, 1, &x, line + (2 * i + part) * 4);
    return gi_key_f64(gi_bits_f64(x));
}

/* Complex numbers by real part, then imaginary part; those with a NaN behind all others: NaN in the imaginary part alone, in the real
   part alone, in both. Three stable sorts do it, the least important first. Returns records of a key and a number. */
static uint64_t *gi_order_complex(ga_dtype dtype, const char *line, int64_t n, uint64_t *records, uint64_t *spare, int64_t *places)
{
    const uint64_t nan = UINT64_MAX;
    for (int64_t i = 0; i < n; i++) {
        records[2 * i]     = gi_part_key(dtype, line, i, 1);
        records[2 * i + 1] = (uint64_t)i;
    }
    for (int round = 0; round < 3; round++) {
        uint64_t *sorted = (uint64_t *)(void *)gi_sort_records((char *)records, (char *)spare, n, 16, 0, round < 2 ? 64 : 8, places);
        if (sorted != records) {
            spare   = records;
            records = sorted;
        }
        for (int64_t k = 0; k < n && round < 2; k++) {
            int64_t  i = (int64_t)records[2 * k + 1];
            uint64_t real = gi_part_key(dtype, line, i, 0);
            if (round == 0)
                records[2 * k] = real;
            else
                records[2 * k] = real == nan ? 2 : gi_part_key(dtype, line, i, 1) == nan ? 1 : 0;
        }
    }
    return records;
}

/* The numbers of the n elements of a packed line in sorted order, written over the records (of whatever size) as int64. */
static int64_t *gi_order_line(const gi_sort_job *j, const char *line, int64_t n, char *records, char *spare, int64_t *places)
{
    ga_dtype  dtype = j->lines.dtype;
    uint64_t *word  = (uint64_t *)(void *)records;
    if (gi_is_complex(dtype)) {
        word = gi_order_complex(dtype, line, n, word, (uint64_t *)(void *)spare, places);
        for (int64_t i = 0; i < n; i++) word[i] = word[2 * i + 1];
        return (int64_t *)word;
    }
    gi_to_keys(dtype, n, spare, line);
    bool short_keys = ga_itemsize(dtype) <= 4;
    if (j->record == 8)
        for (int64_t i = 0; i < n; i++) word[i] = (uint64_t)((const uint32_t *)(const void *)spare)[i] << 32 | (uint64_t)i;
    else
        for (int64_t i = 0; i < n; i++) {
            word[2 * i]     = short_keys ? ((const uint32_t *)(const void *)spare)[i] : ((const uint64_t *)(const void *)spare)[i];
            word[2 * i + 1] = (uint64_t)i;
        }
    int low  = j->record == 8 ? 32 : 0;
    word     = (uint64_t *)(void *)gi_sort_records(records, spare, n, j->record, low, low + 8 * (int)ga_itemsize(dtype), places);
    for (int64_t i = 0; i < n; i++) word[i] = j->record == 8 ? word[i] & UINT32_MAX : word[2 * i + 1];
    return (int64_t *)word;
}

static void gi_sort_line(const gi_sort_job *j, int64_t k, char *scratch)
{
    ga_dtype    dtype = j->lines.dtype;
    int         size  = (int)ga_itemsize(dtype);
    int64_t     n     = j->lines.length;
    char       *records = scratch, *spare = scratch + j->records / 2, *room = scratch + j->records;
    int64_t    *places  = (int64_t *)(void *)(scratch + j->bytes - gi_radix_chunks(n) * (int64_t)(GI_DIGITS * sizeof(int64_t)));
    const char *line    = (const char *)gi_read_line(&j->lines, k, 0, n, room, NULL);
    char       *out     = (char *)gi_line_start(&j->out, k);
    if (j->indices || gi_is_complex(dtype)) {
        int64_t *order = gi_order_line(j, line, n, records, spare, places);
        if (j->indices) {
            gi_scatter((int)sizeof(int64_t), n, out, j->out.strides[0], order);
            return;
        }
        spare = (char *)order == records ? spare : records;
        gi_take_job take = { line, spare, order, n, 0, size };
        gi_parallel(n, 65536, gi_take_rows, &take);
        gi_scatter(size, n, out, j->out.strides[0], spare);
        return;
    }
    gi_to_keys(dtype, n, records, line);
    char *sorted = gi_sort_records(records, spare, n, j->record, 0, 8 * size, places);
    spare        = sorted == records ? spare : records;
    gi_from_keys(dtype, n, spare, sorted);
    if (dtype == GA_F32) gi_restore_f32(n, (float *)(void *)spare, (const float *)(const void *)line);
    if (dtype == GA_F64) gi_restore_f64(n, (double *)(void *)spare, (const double *)(const void *)line);
    gi_scatter(size, n, out, j->out.strides[0], spare);
}

static void gi_sort_units(int64_t begin, int64_t end, void *job)
{
    const gi_sort_job *j = (const gi_sort_job *)job;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t first = j->lines.lines / j->units * unit, last = unit == j->units - 1 ? j->lines.lines : first + j->lines.lines / j->units;
        for (int64_t k = first; k < last; k++) gi_sort_line(j, k, j->scratch + unit * j->bytes);
    }
}

/* a sorted along an axis, or the indices that sort it. */
static ga_array *gi_sorted(const char *site, const ga_array *a, int axis, bool indices)
{
    ga_shape axes;
    memset(&axes, 0, sizeof axes);
    axes.ndim = 1;
    axes.n[0] = axis;
    ga_array *result = gi_new(site, indices ? GA_I64 : a->dtype, a->device, a->ndim, a->shape);
    if (!result || result->size == 0) return result;
    gi_sort_job j;
    memset(&j, 0, sizeof j);
    if (!gi_plan_lines(site, &j.lines, a, a->dtype, axis, &axes, false) || !gi_plan_lines(site, &j.out, result, result->dtype, axis, &axes, false)) {
        ga_free(result);
        return NULL;
    }
    int64_t n = j.lines.length, size = ga_itemsize(a->dtype), threads = ga_get_num_threads();
    bool    long_lines = n >= 2 * GI_RADIX_CHUNK; /* then the threads share a line, else each has its own */
    j.indices = indices;
    j.record  = size <= 4 ? 4 : 8;
    if (indices) j.record = size <= 4 && n <= UINT32_MAX ? 8 : 16;
    if (gi_is_complex(a->dtype)) j.record = 16;
    j.units   = long_lines || n * j.lines.lines < 4096 ? 1 : j.lines.lines < 4 * threads ? j.lines.lines : 4 * threads;
    j.records = 2 * ((n * (j.record < 8 ? 8 : j.record) + GI_ALIGN - 1) / GI_ALIGN * GI_ALIGN);
    j.bytes   = j.records + (n * size + GI_ALIGN - 1) / GI_ALIGN * GI_ALIGN + gi_radix_chunks(n) * (int64_t)(GI_DIGITS * sizeof(int64_t));
    j.scratch = (char *)gi_alloc(site, (size_t)(j.bytes * j.units));
    if (!j.scratch) {
        ga_free(result);
        return NULL;
    }
    if (j.units == 1)
        gi_sort_units(0, 1, &j); /* not as a task, so that the radix sort may use the threads */
    else
        gi_parallel(j.units, 1, gi_sort_units, &j);
    gi_release(j.scratch, (size_t)(j.bytes * j.units));
    return result;
}

static ga_array *gi_sort_call(const char *name, const ga_array *a, const ga_axis_options *o, bool indices)
{
    if (!gi_check(o->site, a, "a") || !gi_takes_no_dtype(name, o)) return NULL;
    int axis = gi_axis(o->site, gi_axis_given(o->site, o->axis) ? o->axis : -1, a->ndim);
    if (axis < 0) return NULL;
    return gi_finish(o->site, gi_sorted(o->site, a, axis, indices), indices ? GA_I64 : a->dtype, o->out);
}

ga_array *(ga_sort)(const ga_array *a, ga_axis_options o) { return gi_sort_call("ga_sort", a, &o, false); }
ga_array *(ga_argsort)(const ga_array *a, ga_axis_options o) { return gi_sort_call("ga_argsort", a, &o, true); }

/* ---- unique ------------------------------------------------------------------------------------------------------------------------- */

/* Of a sorted line: where does a run of equal elements begin? All NaNs, sorted to the end, are one run. */
static ga_array *gi_run_starts(const char *site, const ga_array *sorted)
{
    ga_array *first = gi_new(site, GA_BOOL, sorted->device, 1, sorted->shape);
    if (!first || first->size == 0) return first;
    int64_t     n = first->size, size = ga_itemsize(sorted->dtype);
    bool       *flags = (bool *)first->data, is_nan = false;
    const char *s     = (const char *)sorted->data;
    gi_kernel   isnan_kernel = gi_cpu_kernel(GA_OP_isnan, sorted->dtype);
    flags[0]                 = true;
    gi_cpu_kernel(GA_OP_not_equal, sorted->dtype)(n - 1, flags + 1, s + size, s, NULL);
    for (int64_t i = n - 1; i > 0; i--) {
        isnan_kernel(1, &is_nan, s + (i - 1) * size, NULL, NULL);
        if (!is_nan) break;
        flags[i] = false;
    }
    return first;
}

/* For each element of the array that was sorted: the number of its run, in the shape of a. */
static ga_array *gi_run_numbers(const char *site, const ga_array *a, const ga_array *order, const ga_array *starts)
{
    ga_array *inverse = gi_new(site, GA_I64, a->device, a->ndim, a->shape);
    if (!inverse) return NULL;
    const int64_t *place = (const int64_t *)order->data, *start = (const int64_t *)starts->data;
    for (int64_t run = 0; run < starts->size; run++) {
        int64_t stop = run + 1 < starts->size ? start[run + 1] : a->size;
        for (int64_t k = start[run]; k < stop; k++) ((int64_t *)inverse->data)[place[k]] = run;
    }
    return inverse;
}

static ga_array *gi_run_lengths(const char *site, const ga_array *a, const ga_array *starts)
{
    ga_array *counts = gi_new(site, GA_I64, a->device, 1, starts->shape);
    if (!counts) return NULL;
    const int64_t *start = (const int64_t *)starts->data;
    for (int64_t run = 0; run < starts->size; run++)
        ((int64_t *)counts->data)[run] = (run + 1 < starts->size ? start[run + 1] : a->size) - start[run];
    return counts;
}

ga_array *(ga_unique)(const ga_array *a, ga_unique_options o)
{
    if (o.index) *o.index = NULL;
    if (o.inverse) *o.inverse = NULL;
    if (o.counts) *o.counts = NULL;
    if (!gi_check(o.site, a, "a")) return NULL;
    bool      ordered = o.index || o.inverse; /* else sorted values are enough */
    ga_array *line    = (ga_ravel)(a, o.site);
    ga_array *order   = line && ordered ? gi_sorted(o.site, line, 0, true) : NULL;
    ga_array *sorted  = order ? gi_take(o.site, line, 0, order) : line && !ordered ? gi_sorted(o.site, line, 0, false) : NULL;
    ga_array *flags   = sorted ? gi_run_starts(o.site, sorted) : NULL;
    ga_array *indices = flags ? gi_select(o.site, flags, NULL) : NULL;
    ga_array *starts  = indices ? (ga_ravel)(indices, o.site) : NULL; /* (1, runs) */
    ga_array *values  = starts ? gi_take(o.site, sorted, 0, starts) : NULL;
    if (values && o.index) *o.index = gi_take(o.site, order, 0, starts);
    if (values && o.inverse) *o.inverse = gi_run_numbers(o.site, a, order, starts);
    if (values && o.counts) *o.counts = gi_run_lengths(o.site, a, starts);
    bool done = values && (!o.index || *o.index) && (!o.inverse || *o.inverse) && (!o.counts || *o.counts);
    ga_free(starts);
    ga_free(indices);
    ga_free(flags);
    ga_free(sorted);
    ga_free(order);
    ga_free(line);
    if (done) return values;
    ga_array **results[3] = { o.index, o.inverse, o.counts };
    for (int k = 0; k < 3; k++) {
        if (!results[k]) continue;
        ga_free(*results[k]);
        *results[k] = NULL;
    }
    ga_free(values);
    return NULL;
}

/* ---- histogram, bincount ---------------------------------------------------------------------------------------------------------------- */
/*  Weights are added in the order of the elements within blocks of 65536 elements (or as many as there are bins, if these are more), and
    the sums of the blocks in the order of the blocks: so the result does not depend on the threads, and is NumPy's for a histogram.       */

enum { GI_COUNT_BLOCK = 65536, GI_COUNT_TILE = 512 };
#define GI_COUNT_ROOM ((int64_t)1 << 23) /* bins of all blocks that are counted at once */

typedef struct gi_count_job {
    const ga_array *a, *weights; /* contiguous; weights may be NULL */
    const double   *edges;       /* of a histogram; NULL: the elements are the numbers of their bins */
    int64_t         bins, block, first; /* elements of a block; the number of the first block that is counted now */
    double         *sums;        /* a row of bins for each block */
} gi_count_job;

GI_BEGIN_FAST

/* The bin of x by NumPy's rule; -1 for what is outside. The edges decide, the product is only a guess that may be one off. */
GI_FORMULA int64_t gi_bin_of(double x, const double *edges, int64_t bins)
{
    double low = edges[0], high = edges[bins];
    if (!(x >= low && x <= high)) return -1; /* NaN too */
    int64_t i = (int64_t)gi_mul_f64((x - low) / (high - low), (double)bins);
    if (i >= bins) i = bins - 1;
    if (x < edges[i]) return i - 1;
    return x >= edges[i + 1] && i != bins - 1 ? i + 1 : i;
}

static void gi_bins_of(int64_t n, int64_t *bin, const double *x, const double *edges, int64_t bins)
{
    for (int64_t i = 0; i < n; i++) bin[i] = gi_bin_of(x[i], edges, bins);
}

static void gi_count_blocks(int64_t begin, int64_t end, void *job)
{
    const gi_count_job *j = (const gi_count_job *)job;
    double              x[GI_COUNT_TILE], weight[GI_COUNT_TILE];
    int64_t             bin[GI_COUNT_TILE], size = ga_itemsize(j->a->dtype), n;
    for (int64_t b = begin; b < end; b++) {
        double *sums  = j->sums + b * j->bins;
        int64_t start = (j->first + b) * j->block, stop = j->a->size - start < j->block ? j->a->size : start + j->block;
        memset(sums, 0, (size_t)j->bins * sizeof *sums);
        for (; start < stop; start += n) {
            n                = stop - start < GI_COUNT_TILE ? stop - start : GI_COUNT_TILE;
            const char *from = (const char *)j->a->data + start * size;
            if (j->edges) {
                gi_cast(GA_F64, j->a->dtype, n, x, from);
                gi_bins_of(n, bin, x, j->edges, j->bins);
            } else {
                gi_cast(GA_I64, j->a->dtype, n, bin, from);
            }
            if (j->weights) {
                ga_dtype dtype = j->weights->dtype;
                gi_cast(GA_F64, dtype, n, weight, (const char *)j->weights->data + start * ga_itemsize(dtype));
                for (int64_t i = 0; i < n; i++)
                    if (bin[i] >= 0) sums[bin[i]] += weight[i];
            } else {
                for (int64_t i = 0; i < n; i++)
                    if (bin[i] >= 0) sums[bin[i]] += 1;
            }
        }
    }
}

GI_END_FAST

/* The sums of the weights (of ones) in each bin: a new float64 array. */
static ga_array *gi_count_bins(const char *site, const ga_array *a, const ga_array *weights, int64_t bins, const double *edges)
{
    gi_count_job j;
    memset(&j, 0, sizeof j);
    j.bins         = bins;
    j.edges        = edges;
    j.block        = bins > GI_COUNT_BLOCK ? bins : GI_COUNT_BLOCK;
    int64_t blocks = (a->size + j.block - 1) / j.block, at_once = bins > 0 ? GI_COUNT_ROOM / bins : blocks;
    if (at_once < 1) at_once = 1;
    if (at_once > 64) at_once = 64;
    if (at_once > blocks) at_once = blocks;
    size_t    bytes  = (size_t)(at_once * bins) * sizeof(double);
    ga_array *total  = gi_new(site, GA_F64, a->device, 1, &bins);
    ga_array *packed = total ? gi_contiguous(site, a, a->dtype) : NULL;
    ga_array *packed_weights = packed && weights ? gi_contiguous(site, weights, weights->dtype) : NULL;
    bool      done           = packed && (packed_weights || !weights);
    if (done) {
        memset(total->data, 0, (size_t)bins * sizeof(double));
        j.a       = packed;
        j.weights = packed_weights;
        j.sums    = (double *)gi_alloc(site, bytes);
        done      = j.sums != NULL;
    }
    for (; done && j.first < blocks; j.first += at_once) {
        int64_t count = blocks - j.first < at_once ? blocks - j.first : at_once;
        gi_parallel(count, 1, gi_count_blocks, &j);
        for (int64_t b = 0; b < count; b++)
            for (int64_t i = 0; i < bins; i++) ((double *)total->data)[i] += j.sums[b * bins + i];
    }
    gi_release(j.sums, bytes);
    ga_free(packed_weights);
    ga_free(packed);
    if (done) return total;
    ga_free(total);
    return NULL;
}

static bool gi_check_weights(const char *site, const ga_array *weights, const ga_array *a)
{
    if (!weights) {
        if (!gi_option_given(site, "weights")) return true;
        gi_fail(site, GA_BAD_ARGUMENT, ".weights is NULL: the call that should have made it failed");
        return false;
    }
    if (!gi_check(site, weights, ".weights")) return false;
    if (!ga_same_shape(weights, a)) {
        gi_fail(site, GA_BAD_SHAPE, ".weights have shape %s, a %s: each element needs one", gi_shape_of(weights), gi_shape_of(a));
        return false;
    }
    if (!gi_is_complex(weights->dtype)) return true;
    gi_fail(site, GA_BAD_DTYPE, ".weights are %s: they must be real", ga_dtype_name(weights->dtype));
    return false;
}

/* The smallest and the largest element (of at least one), as float64 or int64. */
static bool gi_min_max(const char *site, const ga_array *a, ga_dtype dtype, void *least, void *most)
{
    ga_reduce_options o;
    memset(&o, 0, sizeof o);
    o.site        = NULL; /* the text of the call is not about these */
    ga_array *min = (ga_min)(a, o), *max = min ? (ga_max)(a, o) : NULL;
    if (max) {
        gi_cast(dtype, a->dtype, 1, least, min->data);
        gi_cast(dtype, a->dtype, 1, most, max->data);
    }
    ga_free(max);
    ga_free(min);
    (void)site;
    return max != NULL;
}

static bool gi_histogram_range(const ga_array *a, const ga_histogram_options *o, double *low, double *high)
{
    bool given = o->low != o->high; /* NaN too */
    *low       = given ? o->low : 0;
    *high      = given ? o->high : 1;
    if (given && *low > *high) {
        gi_fail(o->site, GA_BAD_ARGUMENT, ".low = %g is above .high = %g", *low, *high);
        return false;
    }
    if (!given && a->size > 0 && !gi_min_max(o->site, a, GA_F64, low, high)) return false;
    if (!gi_isfinite_f64(*high - *low)) {
        gi_fail(o->site, GA_BAD_ARGUMENT, "the %s range from %g to %g is not finite: give .low and .high", given ? "given" : "data's", *low, *high);
        return false;
    }
    if (*low < *high) return true;
    *low -= 0.5;
    *high += 0.5;
    return true;
}

static double gi_rounded(ga_dtype dtype, double x) { return dtype == GA_F32 ? (double)(float)x : x; }

/* numpy.linspace in the precision that NumPy uses: the range of float32 data is worked out in float32, one that is given in float64
   and rounded. */
static bool gi_histogram_edges(const ga_array *a, const ga_histogram_options *o, double low, double high, int64_t bins, double *edges)
{
    bool     rounded = a->dtype == GA_F32;
    ga_dtype dtype   = rounded && o->low == o->high ? GA_F32 : GA_F64;
    double   delta = gi_rounded(dtype, high - low), step = gi_rounded(dtype, delta / (double)bins);
    for (int64_t i = 0; i <= bins; i++) {
        double x = gi_rounded(dtype, (double)i);
        x        = step == 0 ? gi_rounded(dtype, gi_mul_f64(gi_rounded(dtype, x / (double)bins), delta)) : gi_rounded(dtype, gi_mul_f64(x, step));
        edges[i] = i == bins ? high : gi_rounded(rounded ? GA_F32 : GA_F64, x + low);
        if (rounded) edges[i] = (double)(float)edges[i];
        if (i == 0 || edges[i - 1] < edges[i]) continue;
        gi_fail(o->site, GA_BAD_ARGUMENT, "%lld bins are too many between %g and %g: neighbouring edges of %s are equal", (long long)bins, low,
                high, ga_dtype_name(rounded ? GA_F32 : GA_F64));
        return false;
    }
    return true;
}

ga_array *(ga_histogram)(const ga_array *a, int64_t bins, ga_histogram_options o)
{
    double low, high;
    if (o.edges) *o.edges = NULL;
    if (!gi_check(o.site, a, "a") || !gi_check_weights(o.site, o.weights, a)) return NULL;
    if (gi_is_complex(a->dtype)) return (ga_array *)gi_fail(o.site, GA_BAD_DTYPE, "a is %s: only real numbers can be put into bins", ga_dtype_name(a->dtype));
    if (bins < 1 || bins == INT64_MAX) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "%lld bins: give 1 or more", (long long)bins);
    if (!gi_histogram_range(a, &o, &low, &high)) return NULL;
    int64_t   points = bins + 1;
    ga_array *edges  = gi_new(o.site, GA_F64, a->device, 1, &points);
    double   *edge   = edges ? (double *)edges->data : NULL;
    ga_array *sums   = edge && gi_histogram_edges(a, &o, low, high, bins, edge) ? gi_count_bins(o.site, a, o.weights, bins, edge) : NULL;
    if (sums && o.density) {
        ga_reduce_options all;
        memset(&all, 0, sizeof all);
        ga_array *total = (ga_sum)(sums, all);
        if (total)
            for (int64_t i = 0; i < bins; i++) {
                double *x = (double *)sums->data + i;
                *x        = *x / (edge[i + 1] - edge[i]) / *(const double *)total->data;
            }
        if (!total) ga_free(sums), sums = NULL;
        ga_free(total);
    }
    if (o.edges && sums)
        *o.edges = edges;
    else
        ga_free(edges);
    ga_array *result = gi_finish(o.site, sums, o.weights || o.density ? GA_F64 : GA_I64, NULL);
    if (!result && o.edges) {
        ga_free(*o.edges);
        *o.edges = NULL;
    }
    return result;
}

ga_array *(ga_bincount)(const ga_array *a, ga_bincount_options o)
{
    if (!gi_check(o.site, a, "a") || !gi_check_weights(o.site, o.weights, a)) return NULL;
    if (gi_kind_of(a->dtype) > 1)
        return (ga_array *)gi_fail(o.site, GA_BAD_DTYPE, "a is %s: only integers can be counted; use ga_astype", ga_dtype_name(a->dtype));
    if (a->ndim != 1) return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "a has shape %s: it must have one dimension", gi_shape_of(a));
    if (o.minlength < 0) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, ".minlength = %lld is negative", (long long)o.minlength);
    int64_t least = 0, most = -1;
    if (a->size > 0 && !gi_min_max(o.site, a, GA_I64, &least, &most)) return NULL;
    if (least < 0 || most == INT64_MAX || (a->size > 0 && most < 0))
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "a holds numbers from %lld to %lld: they must not be negative", (long long)least,
                                   (long long)most);
    ga_array *sums = gi_count_bins(o.site, a, o.weights, most + 1 > o.minlength ? most + 1 : o.minlength, NULL);
    return gi_finish(o.site, sums, o.weights ? GA_F64 : GA_I64, NULL);
}

/* ---- cumsum, cumprod -------------------------------------------------------------------------------------------------------------------- */
/*  The documented tree of running sums, which a GPU follows with the same bits. A line is cut into blocks of 1024 from its start. In a
    block, for d = 1, 2, 4 ... 512, x[i] is joined with x[i - d] for all i >= d at once (Hillis and Steele). The last ones of the blocks
    are a line that is treated in the same way; then each block is joined with what came before it. All this in the wide type of sums;
    a result is rounded once. Long lines are gone through twice, first for the last ones of the blocks alone.                             */

typedef struct gi_scan_job {
    gi_lines  lines, out; /* read as lines.dtype, made `wide`, written as the dtype of out */
    ga_dtype  wide;
    gi_kernel join;
    int64_t   blocks;     /* of a line */
    bool      ends_only;  /* write the last one of each block to ends, nothing else */
    char     *ends;       /* (lines, blocks) of the wide type; in the second round what precedes each next block */
} gi_scan_job;

/* n <= 1024 packed wide elements at x; spare has room for as many. Returns where the result is: at x or at spare. */
static char *gi_scan_block(gi_kernel join, int64_t n, int64_t width, char *x, char *spare)
{
    for (int64_t d = 1; d < n; d *= 2) {
        memcpy(spare, x, (size_t)(d * width));
        join(n - d, spare + d * width, x + d * width, x, NULL);
        char *scanned = spare;
        spare         = x;
        x             = scanned;
    }
    return x;
}

static void gi_scan_units(int64_t begin, int64_t end, void *job)
{
    const gi_scan_job *j = (const gi_scan_job *)job;
    __attribute__((aligned(64))) char raw[GI_BLOCK * 16], cast[GI_BLOCK * 16], x[GI_BLOCK * 16], spare[GI_BLOCK * 16];
    int64_t                           width = ga_itemsize(j->wide);
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t line = unit / j->blocks, block = unit % j->blocks, start = block * GI_BLOCK;
        int64_t n = j->lines.length - start < GI_BLOCK ? j->lines.length - start : GI_BLOCK;
        gi_cast(j->wide, j->lines.dtype, n, x, gi_read_line(&j->lines, line, start, n, raw, cast));
        char *scanned = gi_scan_block(j->join, n, width, x, spare), *other = scanned == x ? spare : x;
        if (j->ends_only) {
            memcpy(j->ends + unit * width, scanned + (n - 1) * width, (size_t)width);
            continue;
        }
        if (block > 0) {
            for (int64_t i = 0; i < n; i++) memcpy(other + i * width, j->ends + (unit - 1) * width, (size_t)width);
            j->join(n, other, other, scanned, NULL);
            char *joined = other;
            other        = scanned;
            scanned      = joined;
        }
        const ga_array *out = j->out.a;
        gi_cast(out->dtype, j->wide, n, other, scanned);
        int64_t stride = j->out.strides[0];
        gi_scatter((int)ga_itemsize(out->dtype), n, (char *)gi_line_start(&j->out, line) + start * stride, stride, other);
    }
}

/* Scans `in`, read as dtype, along an axis into out (of the same shape; it may be the same array). */
static bool gi_scan(const char *site, const ga_array *in, ga_dtype dtype, ga_array *out, int axis, ga_dtype wide, gi_kernel join)
{
    if (out->size == 0) return true;
    ga_shape axes;
    memset(&axes, 0, sizeof axes);
    axes.ndim = 1;
    axes.n[0] = axis;
    gi_scan_job j;
    memset(&j, 0, sizeof j);
    if (!gi_plan_lines(site, &j.lines, in, dtype, axis, &axes, false) || !gi_plan_lines(site, &j.out, out, out->dtype, axis, &axes, false)) return false;
    j.wide         = wide;
    j.join         = join;
    j.blocks       = (j.lines.length + GI_BLOCK - 1) / GI_BLOCK;
    ga_array *ends = NULL;
    int64_t   units = j.lines.lines * j.blocks, chunk = 1 + 16384 / (j.lines.length < GI_BLOCK ? j.lines.length : GI_BLOCK);
    bool      done  = true;
    if (j.blocks > 1) {
        const int64_t shape[2] = { j.lines.lines, j.blocks };
        ends                   = gi_new(site, wide, in->device, 2, shape);
        if (!ends) return false;
        j.ends      = (char *)ends->data;
        j.ends_only = true;
        gi_parallel(units, chunk, gi_scan_units, &j);
        j.ends_only = false;
        done        = gi_scan(site, ends, wide, ends, 1, wide, join);
    }
    if (done) gi_parallel(units, chunk, gi_scan_units, &j);
    ga_free(ends);
    return done;
}

static ga_array *gi_cumulate(ga_op op, const ga_array *a, const ga_axis_options *o)
{
    if (!gi_check(o->site, a, "a")) return NULL;
    if (o->dtype != GA_DTYPE_DEFAULT && !gi_is_dtype(o->dtype))
        return (ga_array *)gi_fail(o->site, GA_BAD_DTYPE, ".dtype = %d is not a dtype", (int)o->dtype);
    ga_dtype  dtype  = o->dtype != GA_DTYPE_DEFAULT ? o->dtype : gi_end_dtype(GI_ENDS_SUM, a->dtype);
    ga_dtype  wide   = gi_is_float(dtype) ? GA_F64 : gi_is_complex(dtype) ? GA_C128 : gi_end_dtype(GI_ENDS_SUM, dtype);
    int       axis   = o->axis;
    ga_array *along  = gi_along(o->site, a, &axis);
    ga_array *result = along ? gi_new(o->site, dtype, a->device, along->ndim, along->shape) : NULL;
    if (result && !gi_scan(o->site, along, dtype, result, axis, wide, gi_cpu_kernel(op, wide))) {
        ga_free(result);
        result = NULL;
    }
    ga_free(along);
    return gi_finish(o->site, result, dtype, o->out);
}

ga_array *(ga_cumsum)(const ga_array *a, ga_axis_options o) { return gi_cumulate(GA_OP_add, a, &o); }
ga_array *(ga_cumprod)(const ga_array *a, ga_axis_options o) { return gi_cumulate(GA_OP_multiply, a, &o); }
