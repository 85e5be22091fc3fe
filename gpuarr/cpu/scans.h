/* ==== >>scans: running sums and products (gpuarr.h, cumsum) ========================================================== */
/*  A block has n rows of `width` elements: of one line, or of as many side by side.                                           */

#if GI_JOIN(GI_WIDEST_, GA_TAG)
/* Two steps of the tree at once: each element joins the one d before it, and what that makes its neighbour 2 d before. */
static GI_INLINE void GI_LOOP(gi_scan_steps)(int64_t n, int64_t d, double *out, const double *x, double (*join)(double, double))
{
    double *__restrict__ o = out;
    const double *x1 = x - d, *x2 = x - 2 * d, *x3 = x - 3 * d;
    int64_t       stop[3];
    for (int k = 0; k < 3; k++) stop[k] = (k + 1) * d < n ? (k + 1) * d : n;
    memcpy(o, x, (size_t)stop[0] * sizeof *o);
    GI_VECTORIZE
    for (int64_t i = stop[0]; i < stop[1]; i++) o[i] = join(x[i], x1[i]);
    GI_VECTORIZE
    for (int64_t i = stop[1]; i < stop[2]; i++) o[i] = join(join(x[i], x1[i]), x2[i]);
    GI_VECTORIZE
    for (int64_t i = stop[2]; i < n; i++) o[i] = join(join(x[i], x1[i]), join(x2[i], x3[i]));
}

/* By way of a and b, one of which x may be; returns where the result is. */
static GI_INLINE const double *GI_LOOP(gi_scan_block)(int64_t n, int64_t width, const double *x, double *a, double *b,
                                                      double (*join)(double, double))
{
    for (int64_t d = 1; d < n; d *= 4) {
        double *to = x == a ? b : a;
        GI_LOOP(gi_scan_steps)(n * width, d * width, to, x, join);
        x = to;
    }
    return x;
}

/* What the last row of a whole block becomes, in the first row of a: neighbours are joined, and again those. */
static GI_INLINE void GI_LOOP(gi_scan_last)(int64_t width, const double *x, double *a, double (*join)(double, double))
{
    for (int64_t n = GI_BLOCK / 2; n > 0; n /= 2, x = a) {
        if (width == 1) {
            GI_VECTORIZE
            for (int64_t i = 0; i < n; i++) a[i] = join(x[2 * i + 1], x[2 * i]);
            continue;
        }
        for (int64_t i = 0; i < n; i++) {
            const double *two = x + 2 * i * width;
            GI_VECTORIZE
            for (int64_t k = 0; k < width; k++) a[i * width + k] = join(two[width + k], two[k]);
        }
    }
}

static const double *GI_LOOP(gi_scan_of)(bool product, int64_t n, int64_t width, const double *x, double *a, double *b)
{
    return product ? GI_LOOP(gi_scan_block)(n, width, x, a, b, gi_mul_f64)
                   : GI_LOOP(gi_scan_block)(n, width, x, a, b, gi_add_f64);
}

static void GI_LOOP(gi_scan_last_of)(bool product, int64_t width, const double *x, double *a)
{
    if (product) GI_LOOP(gi_scan_last)(width, x, a, gi_mul_f64);
    else GI_LOOP(gi_scan_last)(width, x, a, gi_add_f64);
}
#endif

/* n elements joined with what came before them: before[0] for all, or before[i] each; NULL: nothing. */
static GI_INLINE void GI_LOOP(gi_scan_finish_by)(int64_t n, GA_T *out, const double *before, bool each, const double *x,
                                                 double (*join)(double, double))
{
    const double one = *before;
    if (each) {
        GI_VECTORIZE
        for (int64_t i = 0; i < n; i++) out[i] = (GA_T)join(before[i], x[i]);
        return;
    }
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) out[i] = (GA_T)join(one, x[i]);
}

static void GI_LOOP(gi_scan_finish)(bool product, int64_t n, void *to, const double *before, bool each, const double *x)
{
    GA_T *out = (GA_T *)to;
    if (before) {
        if (product) GI_LOOP(gi_scan_finish_by)(n, out, before, each, x, gi_mul_f64);
        else GI_LOOP(gi_scan_finish_by)(n, out, before, each, x, gi_add_f64);
        return;
    }
    GI_VECTORIZE
    for (int64_t i = 0; i < n; i++) out[i] = (GA_T)x[i];
}

#if GI_JOIN(GI_WIDEST_, GA_TAG)
GI_TABLE(gi_scan_loops, GI_LOOP(gi_scan_loops), { GI_LOOP(gi_scan_of), GI_LOOP(gi_scan_last_of), GI_LOOP(gi_scan_finish) })
#else
GI_TABLE(gi_scan_loops, GI_LOOP(gi_scan_loops), { NULL, NULL, GI_LOOP(gi_scan_finish) })
#endif
