/* ==== >>signals: peaks ======================================================================================================= */
/*  What is known of each peak is a column of float64, of places too; a condition takes peaks out of all columns at once.            */

typedef struct gi_peak { /* as ga_peaks, and where it is */
    double height, left_threshold, right_threshold, prominence, left_base, right_base, width, width_height, left_ip, right_ip,
        plateau, left_edge, right_edge, place;
} gi_peak;

enum { GI_PEAK_COLUMNS = sizeof(gi_peak) / sizeof(double) };

/* The places of all peaks, and their number. A peak is an element that is greater than those next to it, or the middle of a run of equal
   ones. It branches only where two equal elements follow one another: any other branch would be taken by chance. places: one more than
   peaks there can be. */
static int64_t gi_peaks_find(const double *x, int64_t n, int64_t *places)
{
    int64_t count = 0;
    for (int64_t i = 1, stop; i < n - 1; i = stop) {
        const bool rises = x[i - 1] < x[i];
        stop             = i + 1;
        places[count]    = i;
        count += rises & (x[i + 1] < x[i]);
        if (!(rises & (x[i + 1] == x[i]))) continue;
        while (stop < n - 1 && x[stop] == x[i]) stop++;
        places[count] = (i + stop - 1) / 2;
        count += x[stop] < x[i];
    }
    return count;
}

/* What is known of the peak at a place at once. */
static gi_peak gi_peak_at(const double *x, int64_t at)
{
    int64_t first = at, last = at;
    while (x[first - 1] == x[at]) first--;
    while (x[last + 1] == x[at]) last++;
    const gi_peak peak = { x[at],         x[at] - x[at - 1], x[at] - x[at + 1], 0, 0, 0, 0, 0, 0, 0, (double)(last - first + 1),
                           (double)first, (double)last,      (double)at };
    return peak;
}

/* The highest peak takes out those that are nearer than a distance, then the next one; of equal ones the last first. order: from the lowest
   one up, of equal ones the first first. */
static void gi_peaks_apart(int64_t count, const int64_t *places, double distance, const int64_t *order, bool *out)
{
    const int64_t near = distance < 0x1p62 ? (int64_t)distance : INT64_MAX;
    for (int64_t k = count - 1; k >= 0; k--) {
        const int64_t high = order[k];
        if (out[high]) continue;
        for (int64_t i = high - 1; i >= 0 && places[high] - places[i] < near; i--) out[i] = true;
        for (int64_t i = high + 1; i < count && places[i] - places[high] < near; i++) out[i] = true;
    }
}

/* Which peaks at these places others take out, as an array of bools; NULL with an error. */
static ga_array *gi_peaks_out(const char *site, const double *x, int64_t count, const int64_t *places, double distance)
{
    ga_array *heights = gi_array_new(site, GA_F64, GA_CPU, 1, &count);
    for (int64_t k = 0; heights && k < count; k++) ((double *)heights->data)[k] = x[places[k]];
    ga_array *order = heights ? gi_sort_array(site, heights, 0, true) : NULL,
             *out   = order ? gi_array_new(site, GA_BOOL, GA_CPU, 1, &count) : NULL;
    if (out && count > 0) {
        memset(out->data, 0, (size_t)count);
        gi_peaks_apart(count, places, distance, (const int64_t *)order->data, (bool *)out->data);
    }
    ga_free(order);
    ga_free(heights);
    return out;
}

static bool gi_peaks_within(double v, double least, double most)
{
    return (least == GA_REAL_DEFAULT || least <= v) && (most == GA_REAL_DEFAULT || v <= most);
}

/* Keeps the places of heights that are at least `least` and at most `most`, of those that are given. */
static int64_t gi_peaks_of_heights(const double *x, int64_t count, int64_t *places, double least, double most)
{
    int64_t kept = 0;
    if (least == GA_REAL_DEFAULT && most == GA_REAL_DEFAULT) return count;
    for (int64_t k = 0; k < count; k++) {
        const bool within = gi_peaks_within(x[places[k]], least, most);
        places[kept]      = places[k];
        kept += within;
    }
    return kept;
}

/* The same of plateaus and thresholds. */
static int64_t gi_peaks_of_shapes(const double *x, int64_t count, int64_t *places, const ga_peaks_options *o)
{
    int64_t kept = 0;
    if (o->plateau_size == GA_REAL_DEFAULT && o->plateau_size_max == GA_REAL_DEFAULT && o->threshold == GA_REAL_DEFAULT &&
        o->threshold_max == GA_REAL_DEFAULT)
        return count;
    for (int64_t k = 0; k < count; k++) {
        const gi_peak p = gi_peak_at(x, places[k]);
        if (gi_peaks_within(p.plateau, o->plateau_size, o->plateau_size_max) &&
            gi_peaks_within(p.left_threshold, o->threshold, o->threshold_max) &&
            gi_peaks_within(p.right_threshold, o->threshold, o->threshold_max))
            places[kept++] = places[k];
    }
    return kept;
}

/* Those that are so far apart. -1 with an error. */
static int64_t gi_peaks_thinned(const char *site, const double *x, int64_t count, int64_t *places, double distance)
{
    ga_array *out  = gi_peaks_out(site, x, count, places, distance);
    int64_t   kept = out ? 0 : -1;
    for (int64_t k = 0; out && k < count; k++) {
        places[kept] = places[k];
        kept += !((const bool *)out->data)[k];
    }
    ga_free(out);
    return kept;
}

/* The places that the conditions leave which need no prominence, in SciPy's order, and their number. -1 with an error. */
static int64_t gi_peaks_choose(const double *x, int64_t n, const ga_peaks_options *o, int64_t *places)
{
    int64_t count = gi_peaks_find(x, n, places);
    count         = gi_peaks_of_heights(x, count, places, o->height, o->height_max);
    count         = gi_peaks_of_shapes(x, count, places, o);
    return o->distance > 1 ? gi_peaks_thinned(o->site, x, count, places, ceil(o->distance)) : count;
}

/* Keeps the peaks of which this column, as the first one has it, is at least `least` and at most `most`, of those that are given. */
static int64_t gi_peaks_keep(gi_peak *peaks, int64_t count, const double *first, double least, double most)
{
    const ptrdiff_t column = first - &peaks->height;
    int64_t         kept   = 0;
    if (least == GA_REAL_DEFAULT && most == GA_REAL_DEFAULT) return count;
    for (int64_t k = 0; k < count; k++)
        if (gi_peaks_within((&peaks[k].height)[column], least, most)) peaks[kept++] = peaks[k];
    return kept;
}

/* From a place in one direction to the end of a reach while nothing is higher: where the lowest element is. */
static int64_t gi_peak_base(const double *x, int64_t at, int64_t end, int step)
{
    const double top  = x[at];
    double       low  = top;
    int64_t      base = at;
    for (int64_t i = at; i != end + step && x[i] <= top; i += step)
        if (x[i] < low) {
            low  = x[i];
            base = i;
        }
    return base;
}

/* How far a peak stands above the higher one of the lowest points between it and higher ones, within a window. */
static void gi_peak_prominence(const double *x, int64_t n, int64_t wlen, gi_peak *p)
{
    const int64_t at  = (int64_t)p->place;
    int64_t       low = 0, high = n - 1;
    if (wlen > 1) {
        low  = at - wlen / 2 > 0 ? at - wlen / 2 : 0;
        high = at + wlen / 2 < n - 1 ? at + wlen / 2 : n - 1;
    }
    const int64_t left = gi_peak_base(x, at, low, -1), right = gi_peak_base(x, at, high, 1);
    p->left_base  = (double)left;
    p->right_base = (double)right;
    p->prominence = x[at] - (x[left] > x[right] ? x[left] : x[right]);
}

/* Where a line at this height leaves a peak, between two elements. */
static double gi_peak_side(const double *x, int64_t at, int64_t end, int step, double height)
{
    int64_t i = at;
    while (i != end && height < x[i]) i += step;
    const double here = (double)i;
    return x[i] < height ? here - step * ((height - x[i]) / (x[i - step] - x[i])) : here;
}

static void gi_peak_width(const double *x, double share, gi_peak *p)
{
    const int64_t at = (int64_t)p->place;
    p->width_height  = x[at] - gi_mul_f64(p->prominence, share);
    p->left_ip       = gi_peak_side(x, at, (int64_t)p->left_base, -1, p->width_height);
    p->right_ip      = gi_peak_side(x, at, (int64_t)p->right_base, 1, p->width_height);
    p->width         = p->right_ip - p->left_ip;
}

/* Are the places alone wanted, and is no prominence or width asked for? */
static bool gi_peaks_are_places(const ga_peaks_options *o)
{
    return !o->found && o->prominence == GA_REAL_DEFAULT && o->prominence_max == GA_REAL_DEFAULT &&
           o->width == GA_REAL_DEFAULT && o->width_max == GA_REAL_DEFAULT;
}

/* Peaks at these places, with the other conditions, in SciPy's order. Their number. */
static int64_t gi_peaks_measure(const double *x, int64_t n, const ga_peaks_options *o, int64_t count, const int64_t *places,
                                gi_peak *peaks)
{
    const bool wide = o->width != GA_REAL_DEFAULT || o->width_max != GA_REAL_DEFAULT || o->found;
    for (int64_t k = 0; k < count; k++) {
        peaks[k] = gi_peak_at(x, places[k]);
        gi_peak_prominence(x, n, o->wlen, peaks + k);
    }
    count = gi_peaks_keep(peaks, count, &peaks->prominence, o->prominence, o->prominence_max);
    for (int64_t k = 0; k < count && wide; k++) gi_peak_width(x, o->rel_height, peaks + k);
    return gi_peaks_keep(peaks, count, &peaks->width, o->width, o->width_max);
}

/* A row of all that is known of each of them. NULL with an error. */
static ga_array *gi_peaks_table(const ga_array *line, const ga_peaks_options *o, int64_t count, const int64_t *places)
{
    const size_t bytes = (size_t)count * sizeof(gi_peak);
    gi_peak     *peaks = (gi_peak *)gi_mem_alloc(o->site, bytes);
    if (!peaks) return NULL;
    const int64_t shape[2] = { gi_peaks_measure((const double *)line->data, line->size, o, count, places, peaks),
                               GI_PEAK_COLUMNS };
    ga_array     *table    = gi_array_new(o->site, GA_F64, GA_CPU, 2, shape);
    if (table && shape[0] > 0) memcpy(table->data, peaks, (size_t)shape[0] * sizeof *peaks);
    gi_mem_release(peaks, bytes);
    return table;
}

ga_array *(ga_find_peaks)(const ga_array *x, ga_peaks_options o)
{
    GI_SETTLE_FLOATS;
    ga_array *r = NULL, **columns = (ga_array **)(void *)o.found;
    if (o.found) memset(o.found, 0, sizeof *o.found);
    if (!gi_check_on_cpu(o.site, x, "x")) return NULL;
    if (x->ndim != 1 || gi_is_complex(x->dtype))
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "x is %s of shape %s: use a line of real numbers",
                                   ga_dtype_name(x->dtype), gi_shape_of(x));
    if (!(o.distance >= 1)) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, ".distance = %g: use 1 or more", o.distance);
    if (!(o.rel_height >= 0))
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, ".rel_height = %g: use 0 or more", o.rel_height);
    if (o.wlen != GA_LENGTH_DEFAULT && o.wlen < 2)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, ".wlen = %lld: use 2 or more", (long long)o.wlen);
    gi_composition c;
    const size_t   bytes = (size_t)(x->size / 2 + 1) * sizeof(int64_t);
    gi_compose_begin(&c, o.site);
    ga_array     *line = gi_copy_contiguous(o.site, x, GA_F64), *table = NULL;
    int64_t      *places = line ? (int64_t *)gi_mem_alloc(o.site, bytes) : NULL;
    const int64_t count  = places ? gi_peaks_choose((const double *)line->data, x->size, &o, places) : -1;
    const bool    alone  = gi_peaks_are_places(&o);
    if (count >= 0 && alone) table = gi_array_new(o.site, GA_I64, GA_CPU, 1, &count);
    else if (count >= 0) table = gi_peaks_table(line, &o, count, places);
    if (table && alone && count > 0) memcpy(table->data, places, (size_t)count * sizeof *places);
    if (places) gi_mem_release(places, bytes);
    if (alone) return gi_compose_end(&c, table);
    ga_array  *results[GI_PEAK_COLUMNS];
    ga_array **outs[GI_PEAK_COLUMNS];
    for (int k = 0; k < GI_PEAK_COLUMNS; k++) {
        const bool place = k == 4 || k == 5 || k > 9; /* the bases, the plateaus */
        outs[k]          = k == GI_PEAK_COLUMNS - 1 ? &r : columns ? columns + k : NULL;
        results[k] =
            table && outs[k] ? (ga_astype)((ga_index)(o.site, table, ":, %d", k), place ? GA_I64 : GA_F64, o.site) : table;
    }
    return gi_compose_end_all(&c, GI_PEAK_COLUMNS, results, outs) ? r : NULL;
}
