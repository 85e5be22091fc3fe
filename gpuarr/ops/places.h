/* ---- places of an array: read and written by index arrays ------------------------------------------------------------------- */
/*  All come down to places among the elements in C order: int64, checked before anything is written. Where a place is named again,
    the last one wins, and sums are made in the order of the places: on the CPU one after the other; on a GPU the places are sorted, stably,
    and the first thread of equal ones does them all.                                                                              */

typedef struct gi_scattering {
    const gi_layout *to;
    const int64_t   *places;
    const char      *values;
    int64_t          step; /* 0: there is one value for all places */
    int              itemsize;
    int64_t          scale; /* bytes that an offset counts */
    int64_t          ahead; /* so many offsets ahead lines are fetched; 0: the array is in a cache */
} gi_scattering;

enum { GI_SCATTER_AHEAD = 32, GI_SCATTER_FAR = 1 << 20 }; /* bytes of an array that is in none */

GI_BEGIN_FAST
static void gi_scatter_put(const gi_scattering *s, int64_t n, const int64_t *offsets, const char *v)
{
    char *const   to   = s->to->data;
    const int64_t step = s->step, scale = s->scale, ahead = s->ahead, fetched = ahead > 0 && n > ahead ? n - ahead : 0;
#define GI_MOVE(U)                                                                                                             \
    for (int64_t i = 0; i < fetched; i++) {                                                                                    \
        __builtin_prefetch(to + offsets[i + ahead] * scale, 1);                                                                \
        *(U *)(void *)(to + offsets[i] * scale) = ((const U *)(const void *)v)[i * step];                                      \
    }                                                                                                                          \
    for (int64_t i = fetched; i < n; i++) *(U *)(void *)(to + offsets[i] * scale) = ((const U *)(const void *)v)[i * step];    \
    break
    switch (s->itemsize) {
    case 1: GI_MOVE(uint8_t);
    case 2: GI_MOVE(uint16_t);
    case 4: GI_MOVE(uint32_t);
    case 8: GI_MOVE(gi_loose_u64);
    default:
        for (int64_t i = 0; i < n; i++) memcpy(to + offsets[i] * scale, v + i * step * s->itemsize, (size_t)s->itemsize);
    }
#undef GI_MOVE
}

static void gi_scatter_add(const gi_scattering *s, ga_dtype dtype, int64_t n, const int64_t *offsets, const char *v)
{
    char *const   to   = s->to->data; /* read once: a byte that is written might be part of *s */
    const int64_t step = s->step, scale = s->scale;
    switch (dtype) {
#define GI_CASE(TAG, tag, T, name)                                                                                             \
    case GA_##TAG:                                                                                                             \
        for (int64_t i = 0; i < n; i++) {                                                                                      \
            gi_stored_##tag *at = (gi_stored_##tag *)(void *)(to + offsets[i] * scale);                                        \
            *at                 = gi_add_##tag(*at, ((const gi_stored_##tag *)(const void *)v)[i * step]);                     \
        }                                                                                                                      \
        break;
        GI_EACH_STAMPED(GI_CASE)
#undef GI_CASE
    default: break;
    }
}

static void gi_scatter_offsets(const gi_layout *l, int64_t n, const int64_t *places, int64_t *offsets)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t place = places[i], offset = 0;
        for (int d = l->ndim - 1; d >= 0; d--) {
            offset += place % l->shape[d] * l->strides[d];
            place /= l->shape[d];
        }
        offsets[i] = offset;
    }
}
GI_END_FAST

/* Writes or adds values (packed, of the dtype of `to`: one, or as many as there are places), and returns `to`. */
static ga_array *gi_do_scatter(const gi_composition *c, ga_array *to, const ga_array *places, const ga_array *values, bool add)
{
    int64_t         offsets[GI_BLOCK];
    const gi_layout l = gi_layout_of(to);
    if (places->size == 0) return to;
    if (ga_may_share_memory(to, places)) places = gi_copy_convert(c->site, places, GA_I64); /* they are read while it changes */
    if (!places) return NULL;
    if (to->device == GA_CUDA) {
        ga_array *line = (ga_ravel)(places, c->site), *order = line ? gi_do_along(c, (ga_argsort), line, 0) : NULL;
        ga_array *sorted = order ? gi_do_take(c, line, order, 0) : NULL;
        return sorted && gi_gpu->scatter(c->site, to, sorted, order, values, add) ? to : NULL;
    }
    const bool    packed = ga_is_contiguous(to);
    gi_scattering s      = { &l,
                             (const int64_t *)places->data,
                             (const char *)values->data,
                             values->size > 1,
                             (int)ga_itemsize(to->dtype),
                        packed ? ga_itemsize(to->dtype) : 1,
                        to->size * ga_itemsize(to->dtype) > GI_SCATTER_FAR ? GI_SCATTER_AHEAD : 0 };
    const int64_t block  = packed ? places->size : GI_BLOCK; /* whose offsets are found at once */
    for (int64_t start = 0; start < places->size; start += block) {
        const int64_t n = places->size - start < block ? places->size - start : block;
        const char   *v = s.values + start * s.step * s.itemsize;
        if (!packed) gi_scatter_offsets(&l, n, s.places + start, offsets);
        if (add) gi_scatter_add(&s, to->dtype, n, packed ? s.places + start : offsets, v);
        else gi_scatter_put(&s, n, packed ? s.places + start : offsets, v);
    }
    return to;
}

/* ---- what is written --------------------------------------------------------------------------------------------------------- */

/* Can elements of `a` be written one by one? False with an error. */
static bool gi_places_writable(const char *site, const ga_array *a)
{
    return gi_array_check_half(site, a, "a") && gi_array_is_writable(site, a, "a");
}

/* Values as a packed array like `a`, in memory of its own where it would be overwritten. */
static ga_array *gi_do_values(const gi_composition *c, ga_arg v, const ga_array *a)
{
    if (v.kind == GA_KIND_ARRAY && !gi_array_check_half(c->site, v.array, "values")) return NULL;
    if (!gi_copy_keeps_kind(c->site, v, a->dtype)) return NULL;
    const ga_array *both[2] = { a, v.array };
    if (gi_common_device(c->site, 2, both) == GA_DEVICE_DEFAULT) return NULL;
    ga_shape none;
    memset(&none, 0, sizeof none);
    if (!v.array) return (ga_full)(none, v, gi_new_on(c->site, a->dtype, a->device));
    if (ga_may_share_memory(a, v.array)) return gi_copy_convert(c->site, v.array, a->dtype);
    return gi_copy_contiguous(c->site, v.array, a->dtype);
}

bool(ga_set_at)(ga_array *a, ga_arg value, ga_shape index, const char *site)
{
    char *p = (char *)(uintptr_t)gi_element_at(site, a, &index), element[16];
    if (!p || !gi_places_writable(site, a)) return false;
    if (value.kind == GA_KIND_ARRAY)
        return gi_fail(site, GA_BAD_ARGUMENT, "the value is an array: ga_copyto(ga_index(a, ...), value) writes it") != NULL;
    if (!gi_copy_keeps_kind(site, value, a->dtype) || !gi_number_element(site, value, a->dtype, element)) return false;
    if (a->device == GA_CPU) return memcpy(p, element, (size_t)ga_itemsize(a->dtype)) != NULL;
    ga_array *one  = gi_array_new_view(site, a, p, a->dtype, 0, a->shape, a->strides);
    bool      done = one && gi_copy_assign_where(site, one, value, NULL);
    ga_free(one);
    return done;
}

/* ---- index arrays ------------------------------------------------------------------------------------------------------------- */

/* Indices as packed int64 of 0 to n - 1, by the mode. */
static ga_array *gi_do_settled(const gi_composition *c, const ga_array *index, int64_t n, ga_take_mode mode)
{
    if (gi_dtype_kind(index->dtype) != 1)
        return (ga_array *)gi_fail(c->site, GA_BAD_DTYPE, "indices are %s: they must be integers", ga_dtype_name(index->dtype));
    ga_array *settled = gi_copy_contiguous(c->site, index, GA_I64);
    if (!settled || settled->size == 0) return settled;
    if (n == 0)
        return (ga_array *)gi_fail(c->site, GA_BAD_SHAPE, "the axis has length 0, and %lld indices are given",
                                   (long long)settled->size);
    if (settled->device == GA_CPU && !gi_indices_inside(settled, n)) {
        settled = gi_copy_convert(c->site, settled, GA_I64);
        return settled && gi_settle_indices(c->site, settled, n, mode) ? settled : NULL;
    }
    if (settled->device == GA_CPU) return settled;
    ga_array *all = gi_do_count(c, 0, n, GA_CUDA);
    return all ? gi_take_by(c->site, all, 0, settled, mode) : NULL;
}

/* Index arrays of the axes of a view: NULL is a whole axis. */
typedef struct gi_indexing {
    ga_array       *view; /* of a: what the slices, integers and new axes of the index give */
    int             axes;
    const ga_array *of[GPUARR_MAX_DIMS];
    int             axis[GPUARR_MAX_DIMS]; /* of a */
    bool            apart;                 /* an ellipsis lies between them, though perhaps no axis */
    int             ndim, first, spread;   /* of the result; where the axes of the index arrays are, and how many */
    int64_t         shape[GPUARR_MAX_DIMS];
} gi_indexing;

/* A mask stands for the index arrays that ga_nonzero gives, one without axes for a new axis of length 1 or 0. */
static bool gi_indexing_mask(const gi_composition *c, const ga_array *a, gi_indexing *x, const ga_array *mask)
{
    if (mask->ndim == 0) return (x->of[x->axes++] = (ga_flatnonzero)(mask, c->site)) != NULL;
    for (int d = 0; d < mask->ndim; d++) /* as in NumPy, an empty one takes nothing of any axis */
        if (mask->shape[d] != 0 && mask->shape[d] != x->view->shape[x->axes + d])
            return gi_fail(c->site, GA_BAD_SHAPE, "a mask has shape %s, a %s: its axes must be those that it stands for",
                           gi_shape_of(mask), gi_shape_of(a)) != NULL;
    ga_array *found = (ga_nonzero)(mask, c->site);
    for (int r = 0; found && r < mask->ndim; r++) {
        ga_array *row = gi_do_part(c, found, 0, r, 1), *line = row ? (ga_ravel)(row, c->site) : NULL;
        if (!line) return false;
        x->of[x->axes++] = line;
    }
    return found != NULL;
}

/* The items of the index: of the text, or if there is none an axis for each array and each GA_COLON. Returns their number, -1 with an error. */
static int gi_indexing_items(const char *site, const ga_array *a, int n, const ga_array *const *indices, const char *text,
                             gi_index_item *items)
{
    bool used[GI_MOST_INDEX_ITEMS] = { false };
    if (n < 0) return gi_fail(site, GA_BAD_ARGUMENT, "there cannot be %d index arrays", n), -1;
    if (n > 0 && !indices) return gi_fail(site, GA_BAD_ARGUMENT, "the list of %d index arrays is NULL", n), -1;
    if (n > GI_MOST_INDEX_ITEMS) return gi_fail(site, GA_BAD_SHAPE, "more index arrays than the %d axes of a", a->ndim), -1;
    for (int k = 0; k < n; k++) {
        const bool      colon   = !text && indices[k] == GA_NO_ARRAY;
        const ga_array *both[2] = { a, indices[k] == GA_NO_ARRAY ? NULL : indices[k] };
        if (!colon &&
            (!gi_array_check(site, both[1], "an index array") || gi_common_device(site, 2, both) == GA_DEVICE_DEFAULT))
            return -1;
        memset(&items[k], 0, sizeof items[k]);
        items[k].kind  = colon ? GI_INDEX_SLICE : GI_INDEX_ARRAY;
        items[k].step  = 1;
        items[k].start = k + 1;
    }
    if (!text) return n;
    const int count = gi_read_index(site, text, NULL, n, items);
    for (int i = 0; i < count; i++)
        if (items[i].kind == GI_INDEX_ARRAY) used[items[i].start - 1] = true;
    for (int k = 0; k < n && count >= 0; k++)
        if (!used[k])
            return gi_fail(site, GA_BAD_ARGUMENT, "the index \"%.200s\" has no $%d, but the list has %d arrays", text, k + 1,
                           n),
                   -1;
    return count;
}

/* Makes the view, and tells which array stands for which of its axes. An integer beside index arrays is one, too. False with an error. */
static bool gi_indexing_axes(const gi_composition *c, const ga_array *a, int n, const ga_array *const *indices,
                             const char *text, gi_indexing *x)
{
    gi_index_item items[GI_MOST_INDEX_ITEMS], parts[GI_MOST_INDEX_ITEMS * GPUARR_MAX_DIMS];
    int           count = gi_indexing_items(c->site, a, n, indices, text, items), many = 0, hidden = a->ndim, axis = 0;
    bool          before = false, gap = false;
    memset(x, 0, sizeof *x);
    for (int i = 0; i < count; i++) {
        const ga_array *index = items[i].kind == GI_INDEX_ARRAY ? indices[items[i].start - 1] : NULL;
        gi_index_item   part  = items[i];
        int             axes  = index && index->dtype == GA_BOOL ? index->ndim : 1;
        if (part.kind == GI_INDEX_INTEGER) part.kind = GI_INDEX_KEPT;
        if (index) part.kind = axes > 0 ? GI_INDEX_SLICE : GI_INDEX_NEWAXIS;
        if (index) part.has_start = false;
        if (part.kind != GI_INDEX_ELLIPSIS && part.kind != GI_INDEX_NEWAXIS) hidden -= axes;
        for (int k = 0; k < (axes > 0 ? axes : 1); k++) parts[many++] = part;
    }
    const ga_array *wide = NULL; /* a mask of several axes */
    for (int k = 0; k < n && count >= 0 && hidden < 0; k++)
        if (indices[k] != GA_NO_ARRAY && indices[k]->dtype == GA_BOOL && indices[k]->ndim > 1) wide = indices[k];
    if (wide)
        gi_fail(c->site, GA_BAD_SHAPE, "a mask has shape %s: with it, the index names %d axes, but a has %d: shape %s",
                gi_shape_of(wide), a->ndim - hidden, a->ndim, gi_shape_of(a));
    else if (count >= 0 && hidden < 0 && !text)
        gi_fail(c->site, GA_BAD_SHAPE, "more index arrays than the %d axes of a", a->ndim);
    else if (count >= 0) x->view = gi_index_with(c->site, a, text ? text : "", parts, many);
    if (!x->view) return false;
    for (int i = 0; i < count; i++) {
        const ga_array *index = items[i].kind == GI_INDEX_ARRAY ? indices[items[i].start - 1] : NULL;
        const bool      takes = index || items[i].kind == GI_INDEX_INTEGER;
        if (items[i].kind == GI_INDEX_ELLIPSIS) {
            x->axes += hidden;
            axis += hidden;
            gap = before;
            continue;
        }
        x->apart = x->apart || (takes && gap);
        before   = before || takes;
        if (index && index->dtype == GA_BOOL) {
            if (!gi_indexing_mask(c, a, x, index)) return false;
            axis += index->ndim;
            continue;
        }
        x->axis[x->axes] = axis;
        axis += items[i].kind != GI_INDEX_NEWAXIS;
        if (takes) x->of[x->axes] = index ? index : (ga_scalar)(GA_ARG(0), gi_new_on(c->site, GA_I64, a->device));
        if (takes && !x->of[x->axes++]) return false;
        x->axes += !takes;
    }
    return true;
}

/* The shape of the result: what the index arrays broadcast to takes the place of their axes, or, where a whole axis lies between them,
   comes first. */
static bool gi_indexing_shape(const gi_composition *c, gi_indexing *x)
{
    const ga_array *a = x->view;
    int64_t         shape[GPUARR_MAX_DIMS];
    int             last = -1, runs = 0, whole = 0;
    for (int d = 0; d < a->ndim; d++) {
        if (x->of[d] && !gi_shape_broadcast(&x->spread, shape, x->of[d]->ndim, x->of[d]->shape))
            return gi_fail(c->site, GA_BAD_SHAPE, "the index arrays do not broadcast: one has shape %s, those before it %s",
                           gi_shape_of(x->of[d]), gi_shape_text(x->spread, shape)) != NULL;
        if (x->of[d]) {
            if (runs == 0) x->first = whole;
            runs += last != d - 1 || runs == 0;
            last = d;
        }
        whole += !x->of[d];
    }
    if (runs > 1 || x->apart) x->first = 0;
    x->ndim = whole + x->spread;
    if (runs == 0) return gi_fail(c->site, GA_BAD_ARGUMENT, "there is no index array") != NULL;
    if (x->ndim > GPUARR_MAX_DIMS)
        return gi_fail(c->site, GA_BAD_SHAPE, "%d dimensions; at most %d are possible", x->ndim, GPUARR_MAX_DIMS) != NULL;
    for (int d = 0, k = 0; d < a->ndim; d++)
        if (!x->of[d]) {
            x->shape[k < x->first ? k : k + x->spread] = a->shape[d];
            k++;
        }
    for (int k = 0; k < x->spread; k++) x->shape[x->first + k] = shape[k];
    return true;
}

/* The index array of an axis of the view, as gi_do_settled; its errors name the axis of a. */
static ga_array *gi_indexing_settled(const gi_composition *c, const gi_indexing *x, int d)
{
    const gi_error_held errors = gi_error_hold();
    char                which[32];
    snprintf(which, sizeof which, ": axis %d of a", x->axis[d]);
    ga_array *index = gi_do_settled(c, x->of[d], x->view->shape[d], GA_TAKE_RAISE);
    gi_error_let_go(errors, which);
    return index;
}

/* The places in C order of the view, of the shape of the result. */
static ga_array *gi_do_places(const gi_composition *c, const ga_array *a, int n, const ga_array *const *indices,
                              const char *text, gi_indexing *x)
{
    ga_array *sum    = NULL;
    int64_t   stride = 1;
    if (!gi_indexing_axes(c, a, n, indices, text, x) || !gi_indexing_shape(c, x)) return NULL;
    if (gi_shape_size(x->spread, x->shape + x->first) == 0) { /* as in NumPy, only integers are looked at then */
        for (int d = 0; d < x->view->ndim; d++)
            if (x->of[d] && x->of[d]->ndim == 0 && !gi_indexing_settled(c, x, d)) return NULL;
        return gi_array_new(c->site, GA_I64, a->device, x->ndim, x->shape);
    }
    for (int d = x->view->ndim - 1, whole = x->ndim - x->spread; d >= 0; d--) {
        const int64_t length = x->view->shape[d];
        ga_array     *index  = x->of[d] ? gi_indexing_settled(c, x, d) : gi_do_count(c, 0, length, a->device);
        if (!index) return NULL;
        int     ndim = index->ndim + x->ndim - x->spread - x->first; /* with axes of length 1 behind */
        int64_t shape[GPUARR_MAX_DIMS];
        whole -= !x->of[d];
        if (!x->of[d]) ndim = x->ndim - (whole < x->first ? whole : whole + x->spread);
        for (int k = 0; k < GPUARR_MAX_DIMS; k++) shape[k] = k < index->ndim ? index->shape[k] : 1;
        index = gi_do_reshape(c, index, ndim, shape);
        sum   = sum           ? (ga_multiply_add)(GA_ARG(index), GA_ARG(stride), GA_ARG(sum), gi_map_site(c->site))
                : stride == 1 ? index
                              : GI_DO_2(c, multiply, index, stride);
        if (!sum) return NULL;
        stride *= length;
    }
    return sum;
}

/* Is it one index array alone, of integers that lie within the first axis, on the CPU? Then it is *only, as packed int64, or NULL with an
   error. */
static bool gi_is_only_index(const gi_composition *c, const ga_array *a, int n, const ga_array *const *indices,
                             const char *text, ga_array **only)
{
    if (n != 1 || text || !indices || !gi_array_is_given(indices[0]) || indices[0]->alive != GI_ALIVE) return false;
    const ga_array *index = indices[0];
    if (a->device != GA_CPU || index->device != GA_CPU || a->ndim == 0 || gi_dtype_kind(index->dtype) != 1 ||
        gi_is_deferred(index) || index->size == 0)
        return false;
    *only = gi_array_check(c->site, index, "an index array") ? gi_copy_contiguous(c->site, index, GA_I64) : NULL;
    return !*only || gi_indices_inside(*only, a->shape[0]);
}

static ga_index_options gi_index_plain(const char *site)
{
    ga_index_options o = ga_index_defaults;
    o.site             = site;
    return o;
}

ga_array *(ga_index_take_n)(const ga_array *a, int n, const ga_array *const *indices, ga_index_options o)
{
    if (!gi_array_check_half(o.site, a, "a")) return NULL;
    gi_composition c;
    gi_indexing    x;
    gi_compose_begin(&c, o.site);
    ga_array *only = NULL;
    if (gi_is_only_index(&c, a, n, indices, o.index, &only))
        return gi_compose_end(&c, only ? gi_take(o.site, a, 0, only) : NULL);
    ga_array *places = gi_do_places(&c, a, n, indices, o.index, &x), *line = places ? (ga_ravel)(x.view, o.site) : NULL;
    return gi_compose_end(&c, line ? gi_do_take(&c, line, places, 0) : NULL);
}

/* One value, or a packed array of that shape. */
static ga_array *gi_do_spread(const gi_composition *c, ga_array *values, int ndim, const int64_t *shape)
{
    ga_shape s;
    memset(&s, 0, sizeof s);
    s.ndim = ndim;
    memcpy(s.n, shape, (size_t)ndim * sizeof *shape);
    if (!values || values->ndim == 0 || gi_shape_equal(ndim, shape, values->ndim, values->shape)) return values;
    ga_array *wide = (ga_broadcast_to)(values, s, c->site);
    return wide ? (ga_ascontiguous)(wide, c->site) : NULL;
}

static ga_array *gi_index_store(ga_array *a, int n, const ga_array *const *indices, ga_arg v, bool add, ga_index_options o)
{
    if (!gi_places_writable(o.site, a) || (add && !gi_array_is_no_half(o.site, a, "a"))) return NULL;
    gi_composition c;
    gi_indexing    x;
    gi_compose_begin(&c, o.site);
    ga_array *places = NULL, *values = NULL;
    if (a->ndim == 1 && gi_is_only_index(&c, a, n, indices, o.index, &places)) {
        x.view = a;
        x.ndim = places ? places->ndim : 0;
        if (places) memcpy(x.shape, places->shape, sizeof x.shape);
    } else {
        places = gi_do_places(&c, a, n, indices, o.index, &x);
    }
    if (places) values = gi_do_values(&c, v, a);
    values          = values ? gi_do_spread(&c, values, x.ndim, x.shape) : NULL;
    const bool done = values && gi_do_scatter(&c, x.view, places, values, add);
    return gi_compose_end(&c, done ? a : NULL);
}

ga_array *(ga_index_put_n)(ga_array *a, int n, const ga_array *const *indices, ga_arg values, ga_index_options o)
{
    return gi_index_store(a, n, indices, values, false, o);
}
ga_array *(ga_add_at_n)(ga_array *a, int n, const ga_array *const *indices, ga_arg values, ga_index_options o)
{
    return gi_index_store(a, n, indices, values, true, o);
}

/* ---- along an axis, and in the flattened array ---------------------------------------------------------------------------------- */

/* The index arrays of *_along_axis: their number, 0 with an error. */
static int gi_do_along_axis(const gi_composition *c, const ga_array *a, const ga_array *indices, int axis, const ga_array **all)
{
    axis = gi_axis(c->site, axis, a->ndim);
    if (axis < 0 || !gi_array_check(c->site, indices, "indices")) return 0;
    if (indices->dtype == GA_BOOL || indices->ndim != a->ndim)
        return gi_fail(c->site, GA_BAD_SHAPE, "indices are %s of shape %s: they must be integers, with the %d axes of a",
                       ga_dtype_name(indices->dtype), gi_shape_of(indices), a->ndim),
               0;
    for (int d = 0; d < a->ndim; d++) {
        ga_array *line = d == axis ? NULL : gi_do_count(c, 0, a->shape[d], a->device);
        all[d]         = d == axis ? indices : line ? gi_do_turn(c, line, d, a->ndim) : NULL;
        if (!all[d]) return 0;
    }
    return a->ndim;
}

/* a and indices as (outer, n or count, inner): element (o, indices(o, k, i), i) belongs to place (o, k, i). */
typedef struct gi_along_job {
    const char    *from;
    char          *to;     /* elements, or */
    int64_t       *places; /* where they are in `from` */
    const int64_t *indices;
    int64_t        n, count, inner;
    int            itemsize;
} gi_along_job;

GI_BEGIN_FAST
/* A unit is a row of `inner` elements; if there is one in a row, `count` of them. */
static void gi_take_along_rows(int64_t begin, int64_t end, void *job)
{
    const gi_along_job *j    = (const gi_along_job *)job;
    const int64_t       step = j->inner, run = step == 1 ? j->count : step, move = step > 1;
    for (int64_t row = begin; row < end; row++) {
        const int64_t  outer = step == 1 ? row : row / j->count, start = outer * j->n * step;
        const int64_t *index  = j->indices + row * run;
        const char    *from   = j->places ? NULL : j->from + start * j->itemsize;
        char          *to     = j->to + row * run * j->itemsize;
        int64_t       *places = j->places ? j->places + row * run : NULL;
#define GI_MOVE(U)                                                                                                             \
    for (int64_t i = 0; i < run; i++) ((U *)(void *)to)[i] = ((const U *)(const void *)from)[index[i] * step + i * move];      \
    break
        switch (places ? 0 : j->itemsize) {
        case 0:
            for (int64_t i = 0; i < run; i++) places[i] = start + index[i] * step + i * move;
            break;
        case 1: GI_MOVE(uint8_t);
        case 2: GI_MOVE(uint16_t);
        case 4: GI_MOVE(uint32_t);
        case 8: GI_MOVE(gi_loose_u64);
        default:
            for (int64_t i = 0; i < run; i++)
                memcpy(to + i * j->itemsize, from + (index[i] * step + i * move) * j->itemsize, (size_t)j->itemsize);
        }
#undef GI_MOVE
    }
}
GI_END_FAST

/* What ga_take_along_axis returns, or with `places` the places of that, on the CPU, in *result; NULL with an error. False: another way is needed,
   as for indices that are negative, out of bounds or broadcast. */
static bool gi_along_directly(const gi_composition *c, const ga_array *a, const ga_array *indices, int axis, bool places,
                              ga_array **result)
{
    bool fits = a->device == GA_CPU && gi_array_is_given(indices) && indices->alive == GI_ALIVE && indices->device == GA_CPU &&
                indices->ndim == a->ndim && indices->size > 0 && gi_dtype_kind(indices->dtype) == 1 && !gi_is_deferred(indices);
    axis += axis < 0 ? a->ndim : 0;
    fits = fits && axis >= 0 && axis < a->ndim;
    for (int d = 0; d < a->ndim && fits; d++) fits = d == axis || indices->shape[d] == a->shape[d];
    if (!fits) return false;
    *result         = NULL;
    ga_array *index = gi_array_check(c->site, indices, "indices") ? gi_copy_contiguous(c->site, indices, GA_I64) : NULL;
    if (!index) return true;
    if (!gi_indices_inside(index, a->shape[axis])) return false;
    if (a->ndim == 1) { /* the indices are the places */
        *result = places ? index : gi_take(c->site, a, 0, index);
        return true;
    }
    ga_array *packed = places ? NULL : gi_copy_contiguous(c->site, a, a->dtype);
    if (packed || places) *result = gi_array_new(c->site, places ? GA_I64 : a->dtype, GA_CPU, a->ndim, index->shape);
    if (!*result) return true;
    gi_along_job j;
    memset(&j, 0, sizeof j);
    j.from     = packed ? (const char *)packed->data : NULL;
    j.to       = (char *)(*result)->data;
    j.places   = places ? (int64_t *)(*result)->data : NULL;
    j.indices  = (const int64_t *)index->data;
    j.n        = a->shape[axis];
    j.count    = index->shape[axis];
    j.inner    = 1;
    j.itemsize = (int)ga_itemsize(a->dtype);
    for (int d = axis + 1; d < a->ndim; d++) j.inner *= a->shape[d];
    const int64_t run = j.inner == 1 ? j.count : j.inner;
    gi_parallel_bytes(8.0 * (double)index->size, index->size / run, 1 + 16384 / run, gi_take_along_rows, &j);
    return true;
}

ga_array *(ga_take_along_axis)(const ga_array *a, const ga_array *indices, ga_along_options o)
{
    if (!gi_array_check_half(o.site, a, "a")) return NULL;
    gi_composition c;
    gi_compose_begin(&c, o.site);
    ga_array *taken = NULL;
    if (gi_along_directly(&c, a, indices, o.axis, false, &taken)) return gi_compose_end(&c, taken);
    const ga_array *all[GPUARR_MAX_DIMS];
    const int       n = gi_do_along_axis(&c, a, indices, o.axis, all);
    if (n == 1) return gi_compose_end(&c, gi_do_take(&c, a, indices, 0));
    return gi_compose_end(&c, n > 0 ? (ga_index_take_n)(a, n, all, gi_index_plain(o.site)) : NULL);
}

ga_array *(ga_put_along_axis)(ga_array *a, const ga_array *indices, ga_arg values, ga_along_options o)
{
    if (!gi_places_writable(o.site, a)) return NULL;
    gi_composition c;
    gi_compose_begin(&c, o.site);
    ga_array *places = NULL;
    if (gi_along_directly(&c, a, indices, o.axis, true, &places)) {
        ga_array *v = places ? gi_do_values(&c, values, a) : NULL;
        if (v) v = gi_do_spread(&c, v, places->ndim, places->shape);
        return gi_compose_end(&c, v && gi_do_scatter(&c, a, places, v, false) ? a : NULL);
    }
    const ga_array *all[GPUARR_MAX_DIMS];
    const int       n = gi_do_along_axis(&c, a, indices, o.axis, all);
    return gi_compose_end(&c, n > 0 ? gi_index_store(a, n, all, values, false, gi_index_plain(o.site)) : NULL);
}

/* Values again and again, from the first one on. */
static ga_array *gi_do_again(const gi_composition *c, ga_array *a, const ga_array *places, ga_array *values)
{
    if (!values || (values->size == 0 && places->size > 0)) return NULL;
    ga_array *many = values->size == 1 ? values : (ga_resize)(values, gi_line(places->size), c->site);
    return many ? gi_do_scatter(c, a, places, many, false) : NULL;
}

ga_array *(ga_put)(ga_array *a, const ga_array *indices, ga_arg v, ga_mode_options o)
{
    if (!gi_places_writable(o.site, a) || !gi_array_check(o.site, indices, "indices")) return NULL;
    if ((int)o.mode < GA_TAKE_RAISE || o.mode > GA_TAKE_CLIP)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, ".mode = %d is not GA_TAKE_RAISE, GA_TAKE_WRAP or GA_TAKE_CLIP",
                                   (int)o.mode);
    gi_composition c;
    gi_compose_begin(&c, o.site);
    const ga_array *both[2] = { a, indices };
    const bool      ok      = gi_common_device(o.site, 2, both) != GA_DEVICE_DEFAULT;
    ga_array       *places  = ok ? gi_do_settled(&c, indices, a->size, o.mode) : NULL,
             *values        = places ? gi_do_values(&c, v, a) : NULL;
    if (values && values->size == 0) return gi_compose_end(&c, a); /* as NumPy: nothing is put */
    return gi_compose_end(&c, gi_do_again(&c, a, places, values));
}

ga_array *(ga_place)(ga_array *a, const ga_array *mask, ga_arg v, const char *site)
{
    if (!gi_places_writable(site, a) || !gi_array_check_half(site, mask, "mask")) return NULL;
    const ga_array *both[2] = { a, mask };
    if (gi_common_device(site, 2, both) == GA_DEVICE_DEFAULT) return NULL;
    if (mask->size != a->size)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "mask has shape %s, a %s: they must have as many elements",
                                   gi_shape_of(mask), gi_shape_of(a));
    gi_composition c;
    gi_compose_begin(&c, site);
    ga_array *places = (ga_flatnonzero)(mask, site), *values = places ? gi_do_values(&c, v, a) : NULL;
    if (values && values->size == 0 && places->size > 0) gi_fail(site, GA_BAD_SHAPE, "values has no element");
    return gi_compose_end(&c, gi_do_again(&c, a, places, values));
}
