/* ==== >>interpolation: splines ============================================================================================= */
/*  An array as a sum of B-splines, one around each element. Their coefficients come from two recursions along each axis for each pole z of
    the inverse filter (Unser, Aldroubi, Eden 1993); what goes before the first element is a sum over the array as it continues there,
    until z**k is below what a float64 shows.                                                                              */

enum {
    GI_SPLINE_MOST  = 5,
    GI_SPLINE_TERMS = 48,
    GI_SPLINE_PAD   = 12
}; /* order; terms of that sum; elements around an array that has no
                                                                          continuation of its own */

typedef struct gi_spline_rule {
    int         order;
    ga_pad_mode beyond;
} gi_spline_rule;

/* How the coefficients continue. */
static ga_pad_mode gi_spline_beyond(ga_border border)
{
    return border == GA_BORDER_GRID_WRAP                                ? GA_PAD_WRAP
           : border == GA_BORDER_REFLECT || border == GA_BORDER_NEAREST ? GA_PAD_SYMMETRIC
                                                                        : GA_PAD_REFLECT;
}

GI_BEGIN_FAST
static inline void gi_spline_pole(const gi_sweep *s, ga_pad_mode beyond, double z, int64_t width, double *x)
{
    double  first[GI_SWEEP_LINES] = { 0 }, power = 1;
    int64_t n = s->n, end = (n - 1) * width;
    for (int64_t i = 0; i < GI_SPLINE_TERMS; i++, power = gi_mul_f64(power, z))
        for (int64_t k = 0, from = gi_pad_source(beyond, -i, n) * width; k < width; k++)
            first[k] += gi_mul_f64(power, x[from + k]);
    for (int64_t k = 0; k < width; k++) x[k] = first[k];
    for (int64_t i = width; i <= end; i += width)
        for (int64_t k = 0; k < width; k++) x[i + k] += gi_mul_f64(z, x[i - width + k]);
    if (beyond == GA_PAD_WRAP) {
        power = -z;
        for (int64_t k = 0; k < width; k++) first[k] = 0;
        for (int64_t i = 0; i < GI_SPLINE_TERMS; i++, power = gi_mul_f64(power, z))
            for (int64_t k = 0, from = (n - 1 + i) % n * width; k < width; k++) first[k] += gi_mul_f64(power, x[from + k]);
        for (int64_t k = 0; k < width; k++) x[end + k] = first[k];
    } else if (beyond == GA_PAD_SYMMETRIC) {
        for (int64_t k = 0; k < width; k++) x[end + k] = gi_mul_f64(x[end + k], z / (z - 1));
    } else {
        for (int64_t k = 0; k < width; k++)
            x[end + k] = gi_mul_f64(x[end + k] + gi_mul_f64(z, x[end - width + k]), z / (gi_mul_f64(z, z) - 1));
    }
    for (int64_t i = end - width; i >= 0; i -= width)
        for (int64_t k = 0; k < width; k++) x[i + k] = gi_mul_f64(z, x[i + width + k] - x[i + k]);
}

static void gi_spline_lines(const gi_sweep *s, int64_t width, double *x, int64_t *source, void *spare)
{
    static const double poles[GI_SPLINE_MOST + 1][2] = {
        { 0, 0 },
        { 0, 0 },
        { -0.171572875253809902396622551580603843, 0 },
        { -0.267949192431122706472553658494127633, 0 },
        { -0.361341225900220177092212841325675255, -0.013725429297339121360331226939128204 },
        { -0.430575347099973791851434783493520110, -0.043096288203264653822712376822550182 }
    };
    const gi_spline_rule *r    = (const gi_spline_rule *)s->user;
    double                gain = 1;
    (void)source, (void)spare;
    if (s->n < 2) return;
    for (int p = 0; p < r->order / 2; p++)
        gain = gi_mul_f64(gain, gi_mul_f64(1 - poles[r->order][p], 1 - 1 / poles[r->order][p]));
    for (int64_t i = 0; i < s->n * width; i++) x[i] = gi_mul_f64(x[i], gain);
    for (int p = 0; p < r->order / 2; p++) {
        if (width == GI_SWEEP_LINES) gi_spline_pole(s, r->beyond, poles[r->order][p], GI_SWEEP_LINES, x);
        else gi_spline_pole(s, r->beyond, poles[r->order][p], width, x);
    }
}

/* The weights of order + 1 coefficients, for a point t behind the middle one's knot: by the recursion of de Boor and Cox. */
static inline void gi_spline_weights(int order, double t, double *w)
{
    static const double parts[GI_SPLINE_MOST + 1] = { 0, 1, 1.0 / 2, 1.0 / 3, 1.0 / 4, 1.0 / 5 };
    w[0]                                          = 1;
    for (int k = 1; k <= order; k++) {
        double carried = 0, over = parts[k];
        for (int j = 0; j < k; j++) {
            double part = gi_mul_f64(w[j], over);
            w[j]        = carried + gi_mul_f64(j + 1 - t, part);
            carried     = gi_mul_f64(t + (k - 1 - j), part);
        }
        w[k] = carried;
    }
}
GI_END_FAST

/* Replaces the elements of a packed float64 array by coefficients, along an axis; false with an error. */
static bool gi_spline_filter_axis(const char *site, ga_array *a, int order, ga_border border, int axis)
{
    gi_spline_rule rule;
    gi_sweep       s;
    memset(&s, 0, sizeof s);
    rule.order  = order;
    rule.beyond = gi_spline_beyond(border);
    s.a         = a;
    s.run       = gi_spline_lines;
    s.user      = &rule;
    return order < 2 || gi_sweep_axis(site, &s, axis);
}

static bool gi_spline_check(const char *site, const ga_array *a, int order, int least, ga_border border)
{
    if (!gi_check_on_cpu(site, a, "a")) return false;
    if (order < least || order > GI_SPLINE_MOST)
        gi_fail(site, GA_BAD_ARGUMENT, ".order = %d: use %d to %d", order, least, (int)GI_SPLINE_MOST);
    else if (border < GA_BORDER_REFLECT || border > GA_BORDER_GRID_WRAP)
        gi_fail(site, GA_BAD_ARGUMENT, ".border = %d is none: use GA_BORDER_REFLECT, GA_BORDER_CONSTANT ...", (int)border);
    else return true;
    return false;
}

/* A call on a real array, and what it takes. */
typedef ga_array *(*gi_spline_call)(const gi_composition *c, const ga_array *a, const void *job, int part);

/* Of a complex array its parts, as float64. */
static ga_array *gi_spline_parts(const gi_composition *c, const ga_array *a, gi_spline_call call, const void *job)
{
    if (!gi_is_complex(a->dtype)) return call(c, a, job, 0);
    ga_array *result = NULL;
    for (int part = 0; part < 2; part++) {
        ga_array *in = gi_part_of(c->site, a, part), *r = in ? call(c, in, job, part) : NULL;
        if (r && !result) result = gi_array_new(c->site, GA_C128, GA_CPU, r->ndim, r->shape);
        ga_array *to = r && result ? gi_part_of(c->site, result, part) : NULL;
        if (!to || !gi_copy_assign(c->site, to, r)) return NULL;
    }
    return result;
}

typedef struct gi_spline_job {
    const ga_spline_options *o;
    int                      axis; /* -1: all */
} gi_spline_job;

static ga_array *gi_spline_run(const gi_composition *c, const ga_array *a, const void *job, int part)
{
    const gi_spline_job *j = (const gi_spline_job *)job;
    ga_array            *r = gi_copy_convert(c->site, a, GA_F64);
    (void)part;
    for (int d = 0; r && d < a->ndim; d++)
        if ((j->axis < 0 || j->axis == d) && !gi_spline_filter_axis(c->site, r, j->o->order, j->o->border, d)) return NULL;
    return r;
}

static ga_array *gi_spline_filtered(const ga_array *a, const ga_spline_options *o, int axis)
{
    gi_spline_job  job;
    gi_composition c;
    job.o    = o;
    job.axis = axis;
    gi_compose_begin(&c, o->site);
    ga_array *r = gi_spline_parts(&c, a, gi_spline_run, &job);
    return gi_compose_end(&c, r ? gi_copy_finish(o->site, gi_compose_keep(&c, r), r->dtype, o->out) : NULL);
}

ga_array *(ga_spline_filter)(const ga_array *a, ga_spline_options o)
{
    if (!gi_options_spline(&o) || !gi_spline_check(o.site, a, o.order, 2, o.border)) return NULL;
    if (o.axis != GA_AXIS_DEFAULT) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, ".axis: see ga_spline_filter1d");
    return gi_spline_filtered(a, &o, -1);
}
ga_array *(ga_spline_filter1d)(const ga_array *a, ga_spline_options o)
{
    if (!gi_options_spline(&o) || !gi_spline_check(o.site, a, o.order, 0, o.border)) return NULL;
    int axis = gi_axis(o.site, gi_axis_or(o.axis, -1), a->ndim);
    return axis < 0 ? NULL : gi_spline_filtered(a, &o, axis);
}
