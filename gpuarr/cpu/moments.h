/* ==== >>moments: nodes of the variance's tree (gpuarr.h, moments), side by side ===================================== */
/*  Until something is left out, neighbouring nodes hold equally many elements, and their counts are not stored.              */

/* Nodes of eight elements each: of rows[0][i] ... rows[7][i], relative to origin[i]. */
static void GI_LOOP(gi_node_rows)(int64_t n, const gi_nodes *to, const void *const *rows, const double *origin)
{
    double *__restrict__ s = to->s, *__restrict__ m = to->m;
    const GA_T *x0 = (const GA_T *)rows[0], *x1 = (const GA_T *)rows[1], *x2 = (const GA_T *)rows[2],
               *x3 = (const GA_T *)rows[3], *x4 = (const GA_T *)rows[4], *x5 = (const GA_T *)rows[5],
               *x6 = (const GA_T *)rows[6], *x7 = (const GA_T *)rows[7];
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) {
        double a = (double)x0[i] - origin[i], b = (double)x1[i] - origin[i], c = (double)x2[i] - origin[i],
               d = (double)x3[i] - origin[i], e = (double)x4[i] - origin[i], f = (double)x5[i] - origin[i],
               g = (double)x6[i] - origin[i], h = (double)x7[i] - origin[i];
        double m0 = gi_spread(a - e, 0.5), m1 = gi_spread(b - f, 0.5), m2 = gi_spread(c - g, 0.5), m3 = gi_spread(d - h, 0.5);
        a += e, b += f, c += g, d += h;
        m0 = m0 + m2 + gi_spread(a - c, 0.25);
        m1 = m1 + m3 + gi_spread(b - d, 0.25);
        a += c, b += d;
        s[i] = a + b;
        m[i] = m0 + m1 + gi_spread(a - b, 0.125);
    }
}

/* Nodes of one element each; NaN is left out if asked for. */
static void GI_LOOP(gi_node_widen)(int64_t n, const gi_nodes *to, const void *in, const double *origin, bool skip_nan)
{
    double *__restrict__ count = to->n, *__restrict__ s = to->s, *__restrict__ m = to->m;
    const GA_T    *x   = (const GA_T *)in;
    const uint64_t all = !skip_nan;
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) {
        double   v    = (double)x[i];
        uint64_t some = (uint64_t)(v == v) | all;
        count[i]      = gi_pick_f64(some, 1, 0);
        s[i]          = gi_pick_f64(some, v - origin[i], 0);
        m[i]          = 0;
    }
}

static void GI_LOOP(gi_node_squares)(int64_t n, double *out, const void *in)
{
    const GA_T *x = (const GA_T *)in;
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) out[i] = gi_mul_f64((double)x[i], (double)x[i]);
}

#if GI_JOIN(GI_WIDEST_, GA_TAG)
/* Joins nodes whose counts are the same for all i; the weights are what the formula makes of the counts. */
static void GI_LOOP(gi_node_join)(int64_t n, const gi_nodes *a, const gi_nodes *b, double ratio, double scale)
{
    double *__restrict__ s = a->s, *__restrict__ m = a->m;
    const double *other_s = b->s, *other_m = b->m;
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) {
        double t = s[i] - gi_mul_f64(ratio, other_s[i]);
        s[i]     = s[i] + other_s[i];
        m[i]     = m[i] + other_m[i] + gi_spread(t, scale);
    }
}

/* Joins nodes of any counts. */
static void GI_LOOP(gi_node_join_counted)(int64_t n, const gi_nodes *a, const gi_nodes *b)
{
    double *__restrict__ count = a->n, *__restrict__ s = a->s, *__restrict__ m = a->m;
    const double *other_count = b->n, *other_s = b->s, *other_m = b->m;
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) {
        gi_node x = { count[i], s[i], m[i] }, y = { other_count[i], other_s[i], other_m[i] };
        x        = gi_join_nodes(x, y);
        count[i] = x.n;
        s[i]     = x.s;
        m[i]     = x.m;
    }
}

static void GI_LOOP(gi_node_value)(int64_t n, double *out, const gi_nodes *of, gi_moment what, bool skip_nan, int ddof)
{
    const double *count = of->n, *s = of->s, *m = of->m;
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) {
        gi_node v = { count[i], s[i], m[i] };
        out[i]    = gi_moment_value(what, skip_nan, ddof, v);
    }
}

GI_TABLE(gi_node_loops, GI_LOOP(gi_node_loops),
         { GI_LOOP(gi_node_rows), GI_LOOP(gi_node_widen), GI_LOOP(gi_node_squares), GI_LOOP(gi_node_join),
           GI_LOOP(gi_node_join_counted), GI_LOOP(gi_node_value) })
#else
GI_TABLE(gi_node_loops, GI_LOOP(gi_node_loops),
         { GI_LOOP(gi_node_rows), GI_LOOP(gi_node_widen), GI_LOOP(gi_node_squares), NULL, NULL, NULL })
#endif
