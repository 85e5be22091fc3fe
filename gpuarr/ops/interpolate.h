/* ---- interpolation: a spline at other places -------------------------------------------------------------------------------- */
/*  Where each axis of the result depends on one axis of a (ga_shift, ga_zoom, a 1-D matrix), along one axis after the other; else point by
    point.                                                                                                                  */

/* What a call asks for. The last `axes` axes are interpolated; those before stay. */
typedef struct gi_resampling {
    const char   *site;
    int           order, axes, out_axes;
    ga_border     border;
    bool          prefilter, grid;
    double        cval;
    double        scale[GPUARR_MAX_DIMS], before[GPUARR_MAX_DIMS]; /* along an axis: (i + before) * scale + offset */
    double        offset[GPUARR_MAX_DIMS];
    const double *matrix;      /* axes x out_axes: matrix i + offset; or */
    const double *coordinates; /* of each point, axis by axis */
    int64_t       shape[GPUARR_MAX_DIMS];
    ga_array     *out;
} gi_resampling;

/* How it is computed: a has `pad` more elements around it. */
typedef struct gi_spline_plan {
    const gi_resampling *r;
    const double        *in;
    double              *out;
    int64_t              pad, n[GPUARR_MAX_DIMS], stride[GPUARR_MAX_DIMS], planes, plane, points, row;
} gi_spline_plan;

GI_BEGIN_FAST
/* Where in 0 .. n - 1 the spline is as at x; below -1: outside. Beyond the edges it goes on where a is continued by equal elements. */
static inline double gi_spline_place(ga_border border, double x, double n)
{
    if ((x >= 0 && x <= n - 1) || x != x || border == GA_BORDER_GRID_CONSTANT || border == GA_BORDER_NEAREST) return x;
    if (border == GA_BORDER_CONSTANT) return -2;
    if (n == 1) return 0;
    if (border == GA_BORDER_WRAP && x < 0)
        return x + gi_mul_f64(floor(-x / (n - 1)) + 1, n - 1); /* the last one stands at -1 */
    if (border == GA_BORDER_WRAP) return x - gi_mul_f64(floor(x / (n - 1)), n - 1);
    if (border == GA_BORDER_GRID_WRAP) return x - gi_mul_f64(floor(x / n), n);
    double half = border == GA_BORDER_REFLECT ? 0.5 : 0, period = border == GA_BORDER_REFLECT ? 2 * n : 2 * n - 2;
    double y = fabs(x + half);
    y -= gi_mul_f64(floor(y / period), period);
    return (y > period / 2 ? period - y : y) - half;
}

/* The order + 1 elements around a place and their weights; an element outside is -1. False: the place is. */
static inline bool gi_spline_taps(const gi_resampling *r, int order, double x, int64_t pad, int64_t n, int64_t *at, double *w)
{
    x = gi_spline_place(r->border, x + (double)pad, (double)n);
    if (x < -1 && r->border == GA_BORDER_CONSTANT) return false;
    if (!(x > -0x1p50 && x < 0x1p50)) { /* as far away as counts */
        bool far = r->border == GA_BORDER_GRID_CONSTANT || r->border == GA_BORDER_NEAREST;
        x        = !far || x != x ? NAN : x < 0 ? -0x1p50 : 0x1p50;
    }
    const double y     = x != x ? 0 : order % 2 ? x : x + 0.5;
    int64_t      start = (int64_t)y;
    start -= (double)start > y; /* floor */
    gi_spline_weights(order, x - (double)start + (order % 2 ? 0 : 0.5), w);
    start -= order / 2;
    if (order == 0 && x != x) w[0] = x;
    for (int j = 0; j <= order; j++) at[j] = start + j;
    if (start >= 0 && start + order < n) return true;
    for (int j = 0; j <= order; j++) {
        if (r->border == GA_BORDER_GRID_CONSTANT) at[j] = at[j] >= 0 && at[j] < n ? at[j] : -1;
        else if (r->border == GA_BORDER_NEAREST) at[j] = at[j] < 0 ? 0 : at[j] < n ? at[j] : n - 1;
        else at[j] = gi_pad_source(gi_spline_beyond(r->border), at[j], n);
    }
    return true;
}

/* The sum over the axes from d on. */
static inline double gi_spline_line(const gi_spline_plan *s, int order, const double *in, const int64_t *at, const double *w)
{
    double sum = 0;
    for (int j = 0; j <= order; j++) sum += gi_mul_f64(w[j], at[j] < 0 ? s->r->cval : in[at[j]]);
    return sum;
}
static double gi_spline_sum(const gi_spline_plan *s, int order, int d, const double *in, int64_t (*at)[GI_SPLINE_MOST + 1],
                            double (*w)[GI_SPLINE_MOST + 1])
{
    if (d == s->r->axes - 1) return gi_spline_line(s, order, in, at[d], w[d]);
    double sum = 0;
    for (int j = 0; j <= order; j++)
        sum += gi_mul_f64(w[d][j],
                          at[d][j] < 0 ? s->r->cval : gi_spline_sum(s, order, d + 1, in + at[d][j] * s->stride[d], at, w));
    return sum;
}

/* `count` points from number `first` of a plane on, whose places along axis d are x[d] + i * step[d], or those of .coordinates. */
static inline void gi_spline_points(const gi_spline_plan *s, int order, const double *in, double *out, int64_t first,
                                    int64_t count, const double *x, const double *step)
{
    const gi_resampling *r = s->r;
    int64_t              at[GPUARR_MAX_DIMS][GI_SPLINE_MOST + 1];
    double               w[GPUARR_MAX_DIMS][GI_SPLINE_MOST + 1];
    for (int64_t i = 0; i < count; i++) {
        bool inside = true;
        for (int d = 0; d < r->axes && inside; d++) {
            double place = r->coordinates ? r->coordinates[d * s->points + first + i] : x[d] + gi_mul_f64((double)i, step[d]);
            inside       = gi_spline_taps(r, order, place, s->pad, s->n[d], at[d], w[d]);
        }
        if (!inside) out[i] = r->cval;
        else if (r->axes == 2) {
            double sum = 0;
            for (int j = 0; j <= order; j++)
                sum += gi_mul_f64(w[0][j],
                                  at[0][j] < 0 ? r->cval : gi_spline_line(s, order, in + at[0][j] * s->stride[0], at[1], w[1]));
            out[i] = sum;
        } else out[i] = gi_spline_sum(s, order, 0, in, at, w);
    }
}

/* A unit is a row of the result. */
static void gi_spline_rows(int64_t begin, int64_t end, void *job)
{
    const gi_spline_plan *s                  = (const gi_spline_plan *)job;
    const gi_resampling  *r                  = s->r;
    const int64_t         rows               = (s->points + s->row - 1) / s->row;
    double                x[GPUARR_MAX_DIMS] = { 0 }, step[GPUARR_MAX_DIMS] = { 0 };
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t       plane = unit / rows, first = unit % rows * s->row, at[GPUARR_MAX_DIMS];
        int64_t       count = s->points - first < s->row ? s->points - first : s->row;
        const double *in    = s->in + plane * s->plane;
        double       *out   = s->out + plane * s->points + first;
        if (r->matrix) {
            gi_unravel(first, r->out_axes, r->shape, at);
            for (int d = 0; d < r->axes; d++) {
                x[d] = r->offset[d];
                for (int k = 0; k < r->out_axes; k++) x[d] += gi_mul_f64((double)at[k], r->matrix[d * r->out_axes + k]);
                step[d] = r->matrix[(d + 1) * r->out_axes - 1];
            }
        }
        switch (r->order) {
        case 1: gi_spline_points(s, 1, in, out, first, count, x, step); break;
        case 3: gi_spline_points(s, 3, in, out, first, count, x, step); break;
        default: gi_spline_points(s, r->order, in, out, first, count, x, step); break;
        }
    }
}

/* Along one axis: what each element of the result takes. */
typedef struct gi_sampled_axis {
    const double *in;
    double       *out, *weights, cval; /* what an element -1 is */
    int64_t      *at;
    int64_t       n, to, inner, rows;
    int           taps;
} gi_sampled_axis;

/* A unit is a row of the result: of all positions along the axis where it is the last, else of one. */
static void gi_sample_rows(int64_t begin, int64_t end, void *job)
{
    const gi_sampled_axis *s    = (const gi_sampled_axis *)job;
    const int              taps = s->taps;
    for (int64_t unit = begin; unit < end; unit++) {
        if (s->inner == 1) {
            const double *in  = s->in + unit * s->n;
            double       *out = s->out + unit * s->to;
            for (int64_t q = 0; q < s->to; q++) {
                double sum = 0;
                for (int j = 0; j < taps; j++)
                    sum += gi_mul_f64(s->weights[q * taps + j], s->at[q * taps + j] < 0 ? s->cval : in[s->at[q * taps + j]]);
                out[q] = sum;
            }
            continue;
        }
        int64_t q   = unit % s->to;
        double *out = s->out + unit * s->inner;
        memset(out, 0, (size_t)s->inner * sizeof *out);
        for (int j = 0; j < taps; j++) {
            const int64_t at = s->at[q * taps + j];
            const double *in = s->in + (unit / s->to * s->n + (at < 0 ? 0 : at)) * s->inner, w = s->weights[q * taps + j];
            for (int64_t i = 0; at < 0 && i < s->inner; i++) out[i] += gi_mul_f64(w, s->cval);
            for (int64_t i = 0; at >= 0 && i < s->inner; i++) out[i] += gi_mul_f64(w, in[i]);
        }
    }
}

/* Half away from 0, as integers have it. */
static void gi_spline_round(int64_t begin, int64_t end, void *job)
{
    double *x = (double *)job;
    for (int64_t i = begin; i < end; i++) x[i] = x[i] > 0 ? floor(x[i] + 0.5) : ceil(x[i] - 0.5);
}
GI_END_FAST

/* a along one axis. NULL with an error. */
static ga_array *gi_sample_axis(const gi_composition *c, const gi_resampling *r, const ga_array *a, int axis, int64_t pad,
                                bool *outside)
{
    int64_t         shape[GPUARR_MAX_DIMS], to = r->shape[axis];
    int             taps  = r->order + 1;
    size_t          bytes = (size_t)(to * taps) * 8;
    gi_sampled_axis s;
    for (int d = 0; d < a->ndim; d++) shape[d] = d == axis ? to : a->shape[d];
    ga_array *result = gi_array_new(c->site, GA_F64, GA_CPU, a->ndim, shape);
    if (!result || result->size == 0) return result;
    s.in      = (const double *)a->data;
    s.out     = (double *)result->data;
    s.n       = a->shape[axis];
    s.to      = to;
    s.taps    = taps;
    s.cval    = r->cval;
    s.inner   = gi_elements_behind(a, axis);
    s.weights = (double *)gi_mem_alloc(c->site, bytes);
    s.at      = s.weights ? (int64_t *)gi_mem_alloc(c->site, bytes) : NULL;
    for (int64_t q = 0; s.at && q < to; q++) {
        double half = r->grid ? 0.5 : 0, place = gi_mul_f64((double)q + r->before[axis] + half, r->scale[axis]) - half;
        outside[q] = !gi_spline_taps(r, r->order, place + r->offset[axis], pad, s.n, s.at + q * taps, s.weights + q * taps);
        for (int j = 0; outside[q] && j < taps; j++) s.at[q * taps + j] = -1, s.weights[q * taps + j] = 0;
    }
    s.rows = s.inner == 1 ? result->size / to : result->size / s.inner;
    if (s.at) gi_parallel_bytes((double)result->size * 8 * taps, s.rows, 1 + 16384 * s.rows / result->size, gi_sample_rows, &s);
    gi_mem_release(s.at, s.at ? bytes : 0);
    gi_mem_release(s.weights, s.weights ? bytes : 0);
    return s.at ? result : NULL;
}

/* Where an axis has left a, .cval. */
static bool gi_sample_outside(const gi_composition *c, const gi_resampling *r, ga_array *result, int axis, const bool *outside)
{
    bool done = true;
    for (int64_t q = 0, next; done && q < result->shape[axis]; q = next) {
        for (next = q + 1; next < result->shape[axis] && outside[next] == outside[q];) next++;
        ga_array *part = outside[q] ? gi_do_part(c, result, axis, q, next - q) : NULL;
        if (outside[q]) done = part && gi_copy_assign_where(c->site, part, GA_ARG(r->cval), NULL);
    }
    return done;
}

static ga_array *gi_sample_axes(const gi_composition *c, const gi_resampling *r, ga_array *a, int64_t pad)
{
    int64_t lengths = 0, start = 0;
    for (int d = 0; d < a->ndim; d++) lengths += r->shape[d];
    bool     *outside = (bool *)gi_mem_alloc(c->site, (size_t)lengths + 1);
    ga_array *x       = outside ? a : NULL;
    for (int d = 0; x && d < a->ndim; start += r->shape[d], d++) x = gi_sample_axis(c, r, x, d, pad, outside + start);
    bool done = x != NULL;
    start     = 0;
    for (int d = 0; done && r->border == GA_BORDER_CONSTANT && x->size > 0 && d < x->ndim; start += r->shape[d], d++)
        done = gi_sample_outside(c, r, x, d, outside + start);
    if (outside) gi_mem_release(outside, (size_t)lengths + 1);
    return done ? x : NULL;
}

/* gi_spline_call: float64, unrounded. */
static ga_array *gi_resample_part(const gi_composition *c, const ga_array *a, const void *job, int part)
{
    gi_resampling  r      = *(const gi_resampling *)job;
    int            before = a->ndim - r.axes;
    gi_spline_plan s;
    memset(&s, 0, sizeof s);
    if (part == 1) r.cval = 0;
    const bool filtered = r.prefilter && r.order > 1,
               wide     = r.border == GA_BORDER_NEAREST || r.border == GA_BORDER_GRID_CONSTANT;
    ga_array *in        = filtered ? gi_copy_convert(c->site, a, GA_F64) : gi_copy_contiguous(c->site, a, GA_F64);
    if (in && filtered && wide) {
        ga_pad_options pad    = ga_pad_defaults;
        ga_shape       widths = gi_line(0);
        pad.site              = c->site;
        pad.mode              = r.border == GA_BORDER_NEAREST ? GA_PAD_EDGE : GA_PAD_CONSTANT;
        pad.value             = r.cval;
        widths.ndim           = a->ndim;
        for (int d = 0; d < a->ndim; d++) widths.n[d] = d < before ? 0 : (s.pad = GI_SPLINE_PAD);
        in = (ga_pad)(in, widths, pad);
    }
    for (int d = before; filtered && in && d < a->ndim; d++)
        if (!gi_spline_filter_axis(c->site, in, r.order, r.border, d)) return NULL;
    if (!in) return NULL;
    if (!r.matrix && !r.coordinates) return gi_sample_axes(c, &r, in, s.pad);
    int64_t shape[GPUARR_MAX_DIMS];
    s.planes = s.points = s.plane = 1;
    for (int d = 0; d < before; d++) s.planes *= shape[d] = a->shape[d];
    for (int d = 0; d < r.out_axes; d++) s.points *= shape[before + d] = r.shape[d];
    for (int d = r.axes - 1; d >= 0; d--) {
        s.n[d]      = in->shape[before + d];
        s.stride[d] = s.plane;
        s.plane *= s.n[d];
    }
    ga_array *out = gi_array_new(c->site, GA_F64, GA_CPU, before + r.out_axes, shape);
    if (!out || out->size == 0) return out;
    s.r   = &r;
    s.in  = (const double *)in->data;
    s.out = (double *)out->data;
    s.row = r.matrix ? r.shape[r.out_axes - 1] : GI_BLOCK;
    gi_parallel_bytes((double)out->size * 64, s.planes * ((s.points + s.row - 1) / s.row), 1 + 1024 / s.row, gi_spline_rows,
                      &s);
    return out;
}

/* a is checked. The result as an array of the composition, in the dtype of the call. */
static ga_array *gi_resample(const gi_composition *c, const ga_array *a, const gi_resampling *r)
{
    ga_dtype dtype = r->out ? r->out->dtype : a->dtype;
    if (!gi_dtype_same_kind(a->dtype, dtype))
        return (ga_array *)gi_fail(c->site, GA_BAD_DTYPE, "the result is %s and does not go into .out of %s",
                                   ga_dtype_name(a->dtype), ga_dtype_name(dtype));
    int64_t   shape[GPUARR_MAX_DIMS];
    const int before = a->ndim - r->axes;
    for (int d = 0; d < before + r->out_axes; d++) shape[d] = d < before ? a->shape[d] : r->shape[d - before];
    for (int d = 0; d < before + r->out_axes; d++)
        if (shape[d] == 0) return gi_array_new(c->site, dtype, GA_CPU, before + r->out_axes, shape);
    for (int d = 0; d < r->axes; d++)
        if (a->shape[before + d] == 0)
            return (ga_array *)gi_fail(c->site, GA_BAD_SHAPE, "a has shape %s: there is nothing to interpolate",
                                       gi_shape_of(a));
    ga_array *x = gi_spline_parts(c, a, gi_resample_part, r);
    if (x && gi_dtype_kind(dtype) < 2) gi_parallel(x->size, 16384, gi_spline_round, x->data);
    return x ? gi_copy_convert(c->site, x, dtype) : NULL;
}

/* What all calls have. */
static bool gi_resampling_begin(gi_resampling *r, const char *site, const ga_array *a, int order, ga_border border, double cval,
                                bool prefilter, ga_array *out)
{
    memset(r, 0, sizeof *r);
    if (!gi_spline_check(site, a, order, 0, border) || (out && !gi_check_on_cpu(site, out, ".out"))) return false;
    r->site      = site;
    r->order     = order;
    r->border    = border;
    r->cval      = cval;
    r->prefilter = prefilter;
    r->out       = out;
    r->axes = r->out_axes = a->ndim;
    for (int d = 0; d < a->ndim; d++) {
        r->shape[d] = a->shape[d];
        r->scale[d] = 1;
    }
    return a->ndim > 0 || gi_fail(site, GA_BAD_SHAPE, "a has no axis to interpolate along") != NULL;
}

static ga_array *gi_resampled(gi_composition *c, ga_array *x, const gi_resampling *r)
{
    return gi_compose_end(c, x ? gi_copy_finish(r->site, gi_compose_keep(c, x), x->dtype, r->out) : NULL);
}

ga_array *(ga_map_coordinates)(const ga_array *a, const ga_array *coordinates, ga_interpolation_options o)
{
    gi_resampling r;
    if (!gi_options_interpolation(&o) || !gi_resampling_begin(&r, o.site, a, o.order, o.border, o.cval, o.prefilter, o.out) ||
        !gi_check_on_cpu(o.site, coordinates, "coordinates"))
        return NULL;
    if (o.each || o.grid_mode)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, ".each and .grid_mode are for ga_shift and ga_zoom");
    if (coordinates->ndim < 1 || coordinates->shape[0] != a->ndim || gi_is_complex(coordinates->dtype))
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "coordinates are %s of shape %s: they must be real, and (%d, ...)",
                                   ga_dtype_name(coordinates->dtype), gi_shape_of(coordinates), a->ndim);
    gi_composition c;
    gi_compose_begin(&c, o.site);
    ga_array *places = gi_copy_contiguous(o.site, coordinates, GA_F64), *x = NULL;
    r.out_axes = coordinates->ndim - 1;
    for (int d = 0; d < r.out_axes; d++) r.shape[d] = coordinates->shape[d + 1];
    if (places) {
        r.coordinates = (const double *)places->data;
        x             = gi_resample(&c, a, &r);
    }
    return gi_resampled(&c, x, &r);
}

ga_array *(ga_shift)(const ga_array *a, double shift, ga_interpolation_options o)
{
    GI_SETTLE_FLOATS;
    gi_resampling  r;
    gi_composition c;
    if (!gi_options_interpolation(&o) || !gi_resampling_begin(&r, o.site, a, o.order, o.border, o.cval, o.prefilter, o.out))
        return NULL;
    if ((o.each && shift != 0) || o.grid_mode)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "with .each the shift must be 0, and .grid_mode is for ga_zoom");
    for (int d = 0; d < a->ndim; d++) r.before[d] = -(o.each ? o.each[d] : shift);
    gi_compose_begin(&c, o.site);
    return gi_resampled(&c, gi_resample(&c, a, &r), &r);
}

ga_array *(ga_zoom)(const ga_array *a, double zoom, ga_interpolation_options o)
{
    GI_SETTLE_FLOATS;
    gi_resampling  r;
    gi_composition c;
    bool           same = true;
    if (!gi_options_interpolation(&o) || !gi_resampling_begin(&r, o.site, a, o.order, o.border, o.cval, o.prefilter, o.out))
        return NULL;
    if (o.each && zoom != 0) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "with .each the zoom must be 0");
    for (int d = 0; d < a->ndim; d++) {
        double by = o.each ? o.each[d] : zoom, length = rint(gi_mul_f64((double)a->shape[d], by));
        if (!(length >= 0 && length < 0x1p40))
            return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "zoom %g makes no length of %lld", by, (long long)a->shape[d]);
        same        = same && by == 1;
        r.shape[d]  = (int64_t)length;
        double from = (double)a->shape[d] - !o.grid_mode, to = length - !o.grid_mode;
        r.scale[d] = to != 0 ? from / to : 1;
    }
    r.grid = o.grid_mode;
    gi_compose_begin(&c, o.site);
    return gi_resampled(
        &c, same && o.prefilter ? gi_copy_convert(o.site, a, o.out ? o.out->dtype : a->dtype) : gi_resample(&c, a, &r), &r);
}

/* Reads the matrix (rows x columns, float64): 1-D, or with the offset as a last column. */
static bool gi_affine_matrix(gi_resampling *r, const ga_array *a, const ga_array *m, const double *offset)
{
    const int     rows = a->ndim;
    const double *x    = (const double *)m->data;
    const bool    one  = m->ndim == 1,
               moved   = m->ndim == 2 && m->shape[1] == rows + 1 && (m->shape[0] == rows || m->shape[0] == rows + 1);
    for (int d = 0; d < rows; d++) r->offset[d] = offset ? offset[d] : 0;
    if ((m->ndim != 1 && m->ndim != 2) || (!moved && (m->shape[0] != rows || (!one && m->shape[1] != r->out_axes))) ||
        ((moved || one) && r->out_axes != rows)) {
        gi_fail(r->site, GA_BAD_SHAPE, "the matrix has shape %s: for %d dimensions of a and %d of the result use (%d, %d)",
                gi_shape_of(m), rows, r->out_axes, rows, r->out_axes);
        return false;
    }
    if (moved && offset) {
        gi_fail(r->site, GA_BAD_ARGUMENT, "the offset is given twice: .offset, and the last column of the matrix");
        return false;
    }
    for (int d = 0; moved && m->shape[0] > rows && d <= rows; d++)
        if (x[rows * (rows + 1) + d] != (d == rows))
            return gi_fail(r->site, GA_BAD_ARGUMENT, "the last row of the matrix must be 0 ... 0 1");
    if (one) {
        for (int d = 0; d < rows; d++) r->scale[d] = x[d];
    } else r->matrix = x;
    if (!moved) return true;
    for (int d = 0; d < rows; d++) { /* the columns close up */
        r->offset[d] = x[d * (rows + 1) + rows];
        memmove((double *)m->data + d * rows, x + d * (rows + 1), (size_t)rows * sizeof *x);
    }
    return true;
}

ga_array *(ga_affine_transform)(const ga_array *a, const ga_array *matrix, ga_affine_options o)
{
    gi_resampling r;
    if (!gi_options_affine(&o) || !gi_resampling_begin(&r, o.site, a, o.order, o.border, o.cval, o.prefilter, o.out) ||
        !gi_check_on_cpu(o.site, matrix, "matrix"))
        return NULL;
    if (gi_is_complex(matrix->dtype)) return (ga_array *)gi_fail(o.site, GA_BAD_DTYPE, "the matrix is complex");
    if (o.output_shape.ndim > 0 || o.out) {
        r.out_axes = o.output_shape.ndim > 0 ? o.output_shape.ndim : o.out->ndim;
        for (int d = 0; d < r.out_axes; d++) r.shape[d] = o.output_shape.ndim > 0 ? o.output_shape.n[d] : o.out->shape[d];
    }
    for (int d = 0; d < r.out_axes; d++)
        if (r.shape[d] < 0) return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, ".output_shape has a negative length");
    gi_composition c;
    gi_compose_begin(&c, o.site);
    ga_array *m = gi_copy_convert(o.site, matrix, GA_F64), *x = NULL;
    if (m && r.out_axes > 0 && gi_affine_matrix(&r, a, m, o.offset)) x = gi_resample(&c, a, &r);
    else if (m && r.out_axes == 0) gi_fail(o.site, GA_BAD_SHAPE, ".out has no axis");
    return gi_resampled(&c, x, &r);
}

/* The sine of an angle in degrees, exact where it is 0, 1/2 or 1. */
static double gi_sine_of_degrees(double degrees)
{
    double x = fmod(degrees, 360), sign = x < 0 ? -1 : 1;
    x = fabs(x);
    if (x >= 180) {
        x -= 180;
        sign = -sign;
    }
    if (x > 90) x = 180 - x;
    return x == 0 ? 0 : x == 30 ? sign * 0.5 : x == 90 ? sign : sign * gi_op_sin_f64(gi_mul_f64(x, 0.017453292519943295));
}

ga_array *(ga_rotate)(const ga_array *a, double angle, ga_rotate_options o)
{
    GI_SETTLE_FLOATS;
    gi_resampling  r;
    gi_composition c;
    if (!gi_options_rotate(&o) || !gi_resampling_begin(&r, o.site, a, o.order, o.border, o.cval, o.prefilter, o.out))
        return NULL;
    if (a->ndim < 2)
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "a has shape %s: a rotation needs two axes", gi_shape_of(a));
    if (!(fabs(angle) < 1e15)) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "angle %g: use a number below 1e15", angle);
    if (o.axes.ndim != 0 && o.axes.ndim != 2)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, ".axes: a rotation has two axes");
    int one = gi_axis(o.site, o.axes.ndim ? (int)o.axes.n[0] : 1, a->ndim),
        two = gi_axis(o.site, o.axes.ndim ? (int)o.axes.n[1] : 0, a->ndim);
    if (one < 0 || two < 0) return NULL;
    if (one == two) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "axis %d twice: a rotation has two axes", one);
    const int    low = one < two ? one : two, high = one < two ? two : one;
    const double cosine = gi_sine_of_degrees(90 - fmod(angle, 360)), sine = gi_sine_of_degrees(angle);
    const double matrix[4] = { cosine, sine, -sine, cosine }, ny = (double)a->shape[low], nx = (double)a->shape[high];
    double       length[2] = { ny, nx };
    for (int d = 0; o.reshape && d < 2; d++) { /* what the corners reach */
        double y = gi_mul_f64(matrix[2 * d], ny), x = gi_mul_f64(matrix[2 * d + 1], nx), corner[4] = { 0, x, y, y + x };
        double least = 0, most = 0;
        for (int k = 0; k < 4; k++) {
            least = corner[k] < least ? corner[k] : least;
            most  = corner[k] > most ? corner[k] : most;
        }
        length[d] = floor(most - least + 0.5);
    }
    r.axes = r.out_axes = 2;
    r.matrix            = matrix;
    for (int d = 0; d < 2; d++) {
        r.shape[d]  = (int64_t)length[d];
        double turn = gi_mul_f64(matrix[2 * d], (length[0] - 1) / 2) + gi_mul_f64(matrix[2 * d + 1], (length[1] - 1) / 2);
        r.offset[d] = ((d == 0 ? ny : nx) - 1) / 2 - turn;
    }
    gi_compose_begin(&c, o.site);
    ga_array *turned = (ga_moveaxis)((ga_moveaxis)(a, high, -1, o.site), low, -2, o.site);
    ga_array *x      = turned ? gi_resample(&c, turned, &r) : NULL;
    x                = x ? (ga_moveaxis)((ga_moveaxis)(x, -2, low, o.site), -1, high, o.site) : NULL;
    return gi_resampled(&c, x ? (ga_ascontiguous)(x, o.site) : NULL, &r);
}
