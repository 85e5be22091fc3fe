/* ==== >>signals: peaks ======================================================================================================= */
/*  What is known of each peak is a column of float64, of places too; a condition takes peaks out of all columns at once.            */

enum {
    GI_PEAK_HEIGHT,
    GI_PEAK_LEFT_THRESHOLD,
    GI_PEAK_RIGHT_THRESHOLD,
    GI_PEAK_PROMINENCE,
    GI_PEAK_LEFT_BASE,
    GI_PEAK_RIGHT_BASE,
    GI_PEAK_WIDTH,
    GI_PEAK_WIDTH_HEIGHT,
    GI_PEAK_LEFT_IP,
    GI_PEAK_RIGHT_IP,
    GI_PEAK_PLATEAU,
    GI_PEAK_LEFT_EDGE,
    GI_PEAK_RIGHT_EDGE,
    GI_PEAK_PLACE,
    GI_PEAK_COLUMNS
};

typedef double gi_peak[GI_PEAK_COLUMNS];

/* Elements that are greater than those next to them, or runs of equal ones; the middle is the place. Returns their number. */
static int64_t gi_peaks_find(const double *x, int64_t n, gi_peak *peaks)
{
    int64_t count = 0;
    for (int64_t i = 1, stop; i < n - 1; i = stop) {
        stop = i + 1;
        if (!(x[i - 1] < x[i])) continue;
        while (stop < n - 1 && x[stop] == x[i]) stop++;
        if (!(x[stop] < x[i])) continue;
        double       *p            = peaks[count++];
        const int64_t at           = (i + stop - 1) / 2;
        p[GI_PEAK_PLACE]           = (double)at;
        p[GI_PEAK_PLATEAU]         = (double)(stop - i);
        p[GI_PEAK_LEFT_EDGE]       = (double)i;
        p[GI_PEAK_RIGHT_EDGE]      = (double)(stop - 1);
        p[GI_PEAK_HEIGHT]          = x[at];
        p[GI_PEAK_LEFT_THRESHOLD]  = x[at] - x[at - 1];
        p[GI_PEAK_RIGHT_THRESHOLD] = x[at] - x[at + 1];
    }
    return count;
}

/* Keeps the peaks whose column `low` is at least `least` and whose column `high` is at most `most`, of those that are given. */
static int64_t gi_peaks_keep(gi_peak *peaks, int64_t count, int low, double least, int high, double most)
{
    int64_t kept = 0;
    for (int64_t k = 0; k < count; k++) {
        const double *p = peaks[k];
        if ((least != GA_REAL_DEFAULT && !(least <= p[low])) || (most != GA_REAL_DEFAULT && !(p[high] <= most))) continue;
        memmove(peaks[kept++], p, sizeof(gi_peak));
    }
    return kept;
}

static int gi_peaks_order(const void *a, const void *b)
{
    const double *p = *(const double *const *)a, *q = *(const double *const *)b;
    if (p[GI_PEAK_HEIGHT] != q[GI_PEAK_HEIGHT]) return p[GI_PEAK_HEIGHT] < q[GI_PEAK_HEIGHT] ? 1 : -1;
    return p < q ? 1 : -1;
}

/* The highest peak takes out those that are nearer than a distance, then the next one; of equal ones the last first. A place of -1 is out. */
static int64_t gi_peaks_apart(gi_peak *peaks, int64_t count, double distance, double **order)
{
    for (int64_t k = 0; k < count; k++) order[k] = peaks[k];
    qsort(order, (size_t)count, sizeof *order, gi_peaks_order);
    for (int64_t k = 0; k < count; k++) {
        const double *p = order[k], at = p[GI_PEAK_PLACE];
        if (at < 0) continue;
        const int64_t here = (gi_peak *)(uintptr_t)p - peaks;
        for (int step = -1; step <= 1; step += 2)
            for (int64_t j = here + step; j >= 0 && j < count; j += step) {
                if (peaks[j][GI_PEAK_PLACE] < 0) continue;
                if (fabs(peaks[j][GI_PEAK_PLACE] - at) >= distance) break;
                peaks[j][GI_PEAK_PLACE] = -1;
            }
    }
    return gi_peaks_keep(peaks, count, GI_PEAK_PLACE, 0, GI_PEAK_PLACE, GA_REAL_DEFAULT);
}

/* From a place in one direction to the end of a reach while nothing is higher: where the lowest element is. */
static int64_t gi_peak_base(const double *x, int64_t at, int64_t end, int step)
{
    int64_t base = at;
    for (int64_t i = at; i != end + step && x[i] <= x[at]; i += step)
        if (x[i] < x[base]) base = i;
    return base;
}

/* How far a peak stands above the higher one of the lowest points between it and higher ones, within a window. */
static void gi_peak_prominence(const double *x, int64_t n, int64_t wlen, double *p)
{
    const int64_t at  = (int64_t)p[GI_PEAK_PLACE];
    int64_t       low = 0, high = n - 1;
    if (wlen > 1) {
        low  = at - wlen / 2 > 0 ? at - wlen / 2 : 0;
        high = at + wlen / 2 < n - 1 ? at + wlen / 2 : n - 1;
    }
    const int64_t left = gi_peak_base(x, at, low, -1), right = gi_peak_base(x, at, high, 1);
    p[GI_PEAK_LEFT_BASE]  = (double)left;
    p[GI_PEAK_RIGHT_BASE] = (double)right;
    p[GI_PEAK_PROMINENCE] = x[at] - (x[left] > x[right] ? x[left] : x[right]);
}

/* Where a line at this height leaves a peak, between two elements. */
static double gi_peak_side(const double *x, int64_t at, int64_t end, int step, double height)
{
    int64_t i = at;
    while (i != end && height < x[i]) i += step;
    const double here = (double)i;
    return x[i] < height ? here - step * ((height - x[i]) / (x[i - step] - x[i])) : here;
}

static void gi_peak_width(const double *x, double share, double *p)
{
    const int64_t at        = (int64_t)p[GI_PEAK_PLACE];
    p[GI_PEAK_WIDTH_HEIGHT] = x[at] - gi_mul_f64(p[GI_PEAK_PROMINENCE], share);
    p[GI_PEAK_LEFT_IP]      = gi_peak_side(x, at, (int64_t)p[GI_PEAK_LEFT_BASE], -1, p[GI_PEAK_WIDTH_HEIGHT]);
    p[GI_PEAK_RIGHT_IP]     = gi_peak_side(x, at, (int64_t)p[GI_PEAK_RIGHT_BASE], 1, p[GI_PEAK_WIDTH_HEIGHT]);
    p[GI_PEAK_WIDTH]        = p[GI_PEAK_RIGHT_IP] - p[GI_PEAK_LEFT_IP];
}

/* All conditions, in SciPy's order. */
static int64_t gi_peaks_run(const double *x, int64_t n, const ga_peaks_options *o, gi_peak *peaks, double **order)
{
    int64_t count = gi_peaks_find(x, n, peaks);
    count         = gi_peaks_keep(peaks, count, GI_PEAK_PLATEAU, o->plateau_size, GI_PEAK_PLATEAU, o->plateau_size_max);
    count         = gi_peaks_keep(peaks, count, GI_PEAK_HEIGHT, o->height, GI_PEAK_HEIGHT, o->height_max);
    count         = gi_peaks_keep(peaks, count, GI_PEAK_LEFT_THRESHOLD, o->threshold, GI_PEAK_LEFT_THRESHOLD, o->threshold_max);
    count = gi_peaks_keep(peaks, count, GI_PEAK_RIGHT_THRESHOLD, o->threshold, GI_PEAK_RIGHT_THRESHOLD, o->threshold_max);
    if (o->distance > 1) count = gi_peaks_apart(peaks, count, ceil(o->distance), order);
    for (int64_t k = 0; k < count; k++) gi_peak_prominence(x, n, o->wlen, peaks[k]);
    count = gi_peaks_keep(peaks, count, GI_PEAK_PROMINENCE, o->prominence, GI_PEAK_PROMINENCE, o->prominence_max);
    for (int64_t k = 0; k < count; k++) gi_peak_width(x, o->rel_height, peaks[k]);
    return gi_peaks_keep(peaks, count, GI_PEAK_WIDTH, o->width, GI_PEAK_WIDTH, o->width_max);
}

ga_array *(ga_find_peaks)(const ga_array *x, ga_peaks_options o)
{
    ga_array *r = NULL, **columns = (ga_array **)(void *)o.found;
    if (o.found) memset(o.found, 0, sizeof *o.found);
    if (!gi_check_on_cpu(o.site, x, "x")) return NULL;
    if (x->ndim != 1 || gi_is_complex(x->dtype))
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "x is %s of shape %s: use a line of real numbers",
                                   ga_dtype_name(x->dtype), gi_shape_of(x));
    if (!(o.distance >= 1) || !(o.rel_height >= 0) || (o.wlen != GA_LENGTH_DEFAULT && o.wlen < 2))
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT,
                                   ".distance = %g is at least 1, .rel_height = %g at least 0, .wlen more than 1", o.distance,
                                   o.rel_height);
    gi_composition c;
    const int64_t  most  = x->size / 2 + 1;
    const size_t   bytes = (size_t)most * (sizeof(gi_peak) + sizeof(double *));
    gi_compose_begin(&c, o.site);
    ga_array *line = gi_copy_convert(o.site, x, GA_F64), *table = NULL;
    gi_peak  *peaks = line ? (gi_peak *)gi_mem_alloc(o.site, bytes) : NULL;
    if (peaks) {
        const int64_t shape[2] = { gi_peaks_run((const double *)line->data, x->size, &o, peaks, (double **)(peaks + most)),
                                   GI_PEAK_COLUMNS };
        table                  = gi_array_new(o.site, GA_F64, GA_CPU, 2, shape);
        if (table && shape[0] > 0) memcpy(table->data, peaks, (size_t)shape[0] * sizeof *peaks);
        gi_mem_release(peaks, bytes);
    }
    ga_array  *results[GI_PEAK_COLUMNS];
    ga_array **outs[GI_PEAK_COLUMNS];
    for (int k = 0; k < GI_PEAK_COLUMNS; k++) {
        const bool place = k == GI_PEAK_LEFT_BASE || k == GI_PEAK_RIGHT_BASE || k >= GI_PEAK_PLATEAU;
        outs[k]          = k == GI_PEAK_PLACE ? &r : columns ? columns + k : NULL;
        results[k]       = table ? (ga_astype)((ga_index)(o.site, table, ":, %d", k), place ? GA_I64 : GA_F64, o.site) : NULL;
    }
    return gi_compose_end_all(&c, GI_PEAK_COLUMNS, results, outs) ? r : NULL;
}
