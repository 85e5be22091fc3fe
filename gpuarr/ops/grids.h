/* ---- coordinates ------------------------------------------------------------------------------------------------- */

/* to[..., i, ...] = line[i], where i is the index along `axis`. */
static bool gi_put_coordinates(const char *site, ga_array *to, int axis, const ga_array *line)
{
    int64_t shape[GPUARR_MAX_DIMS], strides[GPUARR_MAX_DIMS];
    for (int d = 0; d < to->ndim; d++) {
        shape[d]   = d == axis ? line->shape[0] : 1;
        strides[d] = d == axis ? line->strides[0] : 0;
    }
    ga_array *standing = gi_array_new_view(site, line, line->data, line->dtype, to->ndim, shape, strides);
    bool      done     = standing && gi_copy_assign(site, to, standing);
    ga_free(standing);
    return done;
}

/* The same for the part to[k], along its axis k. */
static bool gi_put_coordinates_at(const char *site, ga_array *to, int k, const ga_array *line)
{
    ga_array *part = (ga_index)(site, to, "%d", k);
    bool      done = part && gi_put_coordinates(site, part, k, line);
    ga_free(part);
    return done;
}

static void gi_array_free_all(int n, ga_array **arrays)
{
    for (int i = 0; i < n; i++) {
        ga_free(arrays[i]);
        arrays[i] = NULL;
    }
}

/* A view of a line that runs along one axis and is repeated along the others. */
static ga_array *gi_grid_repeat_along(const char *site, const ga_array *line, int axis, int ndim, const int64_t *shape)
{
    gi_layout l = gi_layout_of(line);
    l.ndim      = ndim;
    for (int d = 0; d < ndim; d++) {
        l.shape[d]   = shape[d];
        l.strides[d] = d == axis ? line->strides[0] : 0;
    }
    return gi_view_with(site, line, &l);
}

bool(ga_meshgrid_n)(int n, const ga_array *const *in, ga_array **outs, bool ij, const char *site)
{
    if (n < 0 || n > GPUARR_MAX_DIMS) {
        gi_fail(site, GA_BAD_ARGUMENT, "%d arrays; an array has at most %d dimensions", n, GPUARR_MAX_DIMS);
        return false;
    }
    if (n > 0 && (!in || !outs)) {
        gi_fail(site, GA_BAD_ARGUMENT, "the list of %s is NULL", in ? "results" : "arrays");
        return false;
    }
    for (int i = 0; i < n; i++) outs[i] = NULL;
    int64_t shape[GPUARR_MAX_DIMS];
    int     axes[GPUARR_MAX_DIMS]; /* along which each array runs */
    for (int i = 0; i < n; i++) {
        if (!gi_array_check_half_any(site, in[i], "an array of the list")) return false;
        axes[i]        = !ij && i < 2 && n >= 2 ? 1 - i : i;
        shape[axes[i]] = in[i]->size;
    }
    if (gi_common_device(site, n, in) == GA_DEVICE_DEFAULT) return false;
    for (int i = 0; i < n; i++) {
        ga_array *line    = (ga_reshape)(in[i], gi_line(in[i]->size), site); /* of any shape, as NumPy takes it */
        bool      chunked = line && gi_is_deferred(line), done;
        if (chunked) outs[i] = gi_grid_repeat_along(site, line, axes[i], n, shape);
        else if (line) outs[i] = gi_array_new(site, in[i]->dtype, in[i]->device, n, shape);
        done = outs[i] && (chunked || gi_put_coordinates(site, outs[i], axes[i], line));
        ga_free(line);
        if (done) continue;
        gi_array_free_all(n, outs);
        return false;
    }
    return true;
}

bool(ga_meshgrid)(const ga_array *x, const ga_array *y, ga_array **xx, ga_array **yy, bool ij, const char *site)
{
    const ga_array *in[2] = { x, y };
    ga_array       *outs[2];
    if (!xx || !yy) {
        gi_fail(site, GA_BAD_ARGUMENT, "give the addresses of two array pointers for the results");
        return false;
    }
    bool done = (ga_meshgrid_n)(2, in, outs, ij, site);
    *xx       = outs[0];
    *yy       = outs[1];
    return done;
}

static bool gi_has_grid_dims(const char *site, int n)
{
    if (n >= 0 && n < GPUARR_MAX_DIMS) return true;
    gi_fail(site, GA_BAD_SHAPE, "the grid has %d dimensions and one more for its axes; at most %d are possible", n,
            GPUARR_MAX_DIMS);
    return false;
}

/* The shape (n, lengths[0], ...) of one coordinate of each element along each of n axes. */
static ga_shape gi_grid_shape(int n, const int64_t *lengths)
{
    ga_shape all;
    all.ndim = n + 1;
    all.n[0] = n;
    for (int d = 0; d < n; d++) all.n[d + 1] = lengths[d];
    return all;
}

/* An array for the coordinates, made before the lines, which are long where it is too large; NULL, and no error, for a chunked one. */
static bool gi_new_grid(const ga_new_options *o, ga_dtype dtype, const ga_shape *all, ga_array **grid)
{
    *grid = NULL;
    if (o->chunks.ndim != 0) return gi_can_defer(o->site) && gi_shape_count(o->site, dtype, all) >= 0;
    *grid = gi_array_new(o->site, dtype, o->device, all->ndim, all->n);
    return *grid != NULL;
}

/* Puts the lines in place, and frees them. */
static ga_array *gi_fill_grid(const ga_new_options *o, ga_dtype dtype, const ga_shape *all, ga_array *grid, ga_array **lines)
{
    const int n    = all->ndim - 1;
    bool      done = true;
    for (int k = 0; k < n; k++) done = done && lines[k] && (!grid || gi_put_coordinates_at(o->site, grid, k, lines[k]));
    if (!grid && done) grid = gi_deferred()->grid(o, dtype, all, lines);
    gi_array_free_all(n, lines);
    if (done) return grid;
    ga_free(grid);
    return NULL;
}

ga_array *(ga_indices)(ga_shape shape, ga_new_options o)
{
    if (!gi_options_new(&o) || !gi_has_grid_dims(o.site, shape.ndim)) return NULL;
    ga_array      *lines[GPUARR_MAX_DIMS] = { NULL }, *grid;
    const ga_shape all                    = gi_grid_shape(shape.ndim, shape.n);
    const ga_dtype dtype                  = o.dtype ? o.dtype : GA_I64;
    if (!gi_dtype_check(o.site, dtype) || !gi_shape_check(o.site, shape.ndim, shape.n)) return NULL;
    if (!gi_new_grid(&o, dtype, &all, &grid)) return NULL;
    for (int k = 0; k < shape.ndim; k++) {
        gi_range r = { true, 0, shape.n[k], 1, 0, (double)shape.n[k], 1 };
        lines[k]   = gi_arange(o.site, &r, GA_I64, o.device, grid ? NULL : &gi_any_chunks);
        if (!lines[k]) break;
    }
    return gi_fill_grid(&o, dtype, &all, grid, lines);
}

/* One slice of ga_mgrid. With a count ("5j") it goes from start to stop in that many points. */
typedef struct gi_grid_slice {
    gi_range range;
    bool     counted;
    int64_t  count;
} gi_grid_slice;

/* Reads a number if there is one at *p, with blanks around it; else it changes nothing. */
static bool gi_read_number(const char **p, double *real, int64_t *integer, bool *whole)
{
    const char *start = *p;
    if (gi_read_integer(p, integer) && !strchr(".eE", **p ? **p : ',')) {
        *real = (double)*integer;
        return true;
    }
    *p = start;
    while (gi_is_blank(**p)) ++*p;
    if (strspn(*p, "+-.0123456789") == 0) return false; /* no nan */
    char  *end;
    double x = gi_read_real(*p, &end);
    if (end == *p) return false;
    *real  = x;
    *whole = false;
    *p     = end;
    while (gi_is_blank(**p)) ++*p;
    return true;
}

/* Reads start:stop:step at *p, up to a comma or the end. */
static bool gi_read_grid_slice(const char **p, gi_grid_slice *s)
{
    gi_range *r        = &s->range;
    bool      whole[3] = { true, true, true };
    memset(s, 0, sizeof *s);
    r->step     = 1;
    r->step_int = 1;
    gi_read_number(p, &r->start, &r->start_int, &whole[0]); /* 0 if there is none */
    if (**p != ':') return false;
    ++*p;
    if (!gi_read_number(p, &r->stop, &r->stop_int, &whole[1])) return false;
    if (**p == ':') {
        ++*p;
        if (gi_read_number(p, &r->step, &r->step_int, &whole[2]) && **p == 'j') {
            ++*p;
            while (gi_is_blank(**p)) ++*p;
            if (!(fabs(r->step) < 9e18)) return false;
            s->counted = true;
            s->count   = (int64_t)fabs(r->step);
        }
    }
    r->integers = whole[0] && whole[1] && whole[2] && !s->counted;
    return **p == 0 || **p == ',';
}

static int64_t gi_grid_line_length(const char *site, const gi_grid_slice *s)
{
    return s->counted ? s->count : gi_range_count(site, &s->range);
}

/* The coordinates along one axis; `alone`: as numpy.arange rounds, otherwise start + i * step. */
static ga_array *gi_grid_line(const char *site, const gi_grid_slice *s, bool alone, ga_device device, const ga_shape *chunks)
{
    const gi_range *r = &s->range;
    if (!s->counted && (r->integers || alone)) return gi_arange(site, r, GA_DTYPE_DEFAULT, device, chunks);
    int64_t        n     = gi_grid_line_length(site, s);
    ga_shape       shape = gi_line(n);
    gi_arange_plan p     = { 0, 0, r->start, 0, 0, r->step };
    if (n < 0) return NULL;
    if (s->counted) p.delta = n == 1 ? 1 : (r->stop - r->start) / (double)(n - 1);
    p.first  = p.start + 0 * p.delta;
    p.second = p.start + p.delta;
    return gi_generate(site, GA_F64, device, &shape, GA_F64, *gi_arange_generator_f64(), &p, sizeof p, chunks);
}

ga_array *(ga_mgrid)(const char *slices, ga_new_options o)
{
    GI_SETTLE_FLOATS;
    gi_grid_slice s[GPUARR_MAX_DIMS];
    ga_array     *lines[GPUARR_MAX_DIMS] = { NULL };
    int           n                      = 0;
    bool          comma = false, integers = true;
    const char   *p = slices ? slices : "";
    if (!gi_options_new(&o)) return NULL;
    do {
        if (n == GPUARR_MAX_DIMS)
            return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "\"%.200s\" has more than %d slices", slices, GPUARR_MAX_DIMS);
        if (!gi_read_grid_slice(&p, &s[n]))
            return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT,
                                       "slice %d of \"%.200s\" is not start:stop, start:stop:step or start:stop:5j", n + 1,
                                       slices ? slices : "");
        if (!s[n++].range.integers) integers = false;
        if (*p == ',') comma = true, p++;
        while (gi_is_blank(*p)) p++;
    } while (*p);
    ga_dtype        dtype  = o.dtype ? o.dtype : integers ? GA_I64 : GA_F64;
    const ga_shape *chunks = o.chunks.ndim == 0 ? NULL : comma ? &gi_any_chunks : &o.chunks;
    if (!comma) { /* a single slice gives a single line */
        ga_array *line = gi_grid_line(o.site, &s[0], true, o.device, chunks);
        ga_array *copy = line ? gi_copy_convert(o.site, line, dtype) : NULL;
        ga_free(line);
        return copy;
    }
    int64_t lengths[GPUARR_MAX_DIMS];
    if (!gi_has_grid_dims(o.site, n)) return NULL;
    for (int k = 0; k < n; k++) {
        lengths[k] = gi_grid_line_length(o.site, &s[k]);
        if (lengths[k] < 0) return NULL;
    }
    const ga_shape all = gi_grid_shape(n, lengths);
    ga_array      *grid;
    if (!gi_new_grid(&o, dtype, &all, &grid)) return NULL;
    for (int k = 0; k < n; k++) {
        lines[k] = gi_grid_line(o.site, &s[k], false, o.device, chunks);
        if (!lines[k]) break;
    }
    return gi_fill_grid(&o, dtype, &all, grid, lines);
}
