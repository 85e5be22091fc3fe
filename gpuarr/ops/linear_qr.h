/* ---- reflectors, and qr ------------------------------------------------------------------------------------------------------------ */
/*  A Householder reflector is H = 1 - tau v v^H with v = (1, ...), and makes a column (beta, 0, 0 ...), with a real beta. Several of them
    are one product: H1 H2 ... Hk = 1 - V T V^H with a triangular T (Schreiber and Van Loan, 1989). They lie turned: v is a row.   */

typedef struct gi_reflectors {
    gi_dense v; /* k rows of m elements: zeros, the 1, and the rest */
    gi_dense t; /* (k, k) */
    int64_t  k, m;
    double  *room; /* gi_reflect_room(m, k, n) numbers, for matrices of n columns */
} gi_reflectors;

static int64_t gi_reflect_room(int64_t m, int64_t k, int64_t n, int parts)
{
    return k * parts * (m * (1 + parts) + k * (1 + parts) + 2 * n);
}

/* Places for k reflectors of m elements at the beginning of the room; all is 0. */
static gi_reflectors gi_reflectors_in(double *room, int64_t k, int64_t m, int parts)
{
    gi_reflectors h;
    h.k    = k;
    h.m    = m;
    h.v    = gi_matrix_at(room, parts, m);
    h.t    = gi_matrix_at(room + k * m * parts, parts, k);
    h.room = room + k * parts * (m + k);
    memset(room, 0, (size_t)(k * parts * (m + k)) * sizeof *room);
    return h;
}

GI_BEGIN_FAST
/* By what elements i to n of a row are to be multiplied, so that their squares neither overflow nor vanish: a power of two. */
static double gi_row_scale(const gi_dense *a, int64_t row, int64_t i, int64_t n)
{
    double largest = 0;
    int    exponent;
    for (int part = 0; part < a->parts; part++)
        for (int64_t j = i; j < n; j++) {
            const double size = gi_abs_f64(a->p[row * a->down + part * a->imag + j]);
            largest           = size > largest ? size : largest;
        }
    if (largest == 0 || largest > DBL_MAX) return 1;
    (void)frexp(largest, &exponent);
    return ldexp(1, exponent < -1000 ? 1000 : -exponent);
}

/* The reflector of elements i to n of a row: beta at i, and v behind it. Returns tau. */
static ga_c128 gi_make_reflector(const gi_linear_loops *loops, const gi_dense *a, int64_t row, int64_t i, int64_t n)
{
    ga_c128 alpha = gi_element(a, row, i);
    double  rest = gi_dot_rows(loops, a, row, a, row, i + 1, n - i - 1).re, scale = 1;
    double  all = rest + (alpha.re * alpha.re + alpha.im * alpha.im);
    if (!(all > 1e-270 && all < 1e270)) {
        scale = gi_row_scale(a, row, i, n);
        gi_scale_row(a, row, i, n - i, gi_make_c128(scale, 0));
        alpha = gi_element(a, row, i);
        rest  = gi_dot_rows(loops, a, row, a, row, i + 1, n - i - 1).re;
        all   = rest + (alpha.re * alpha.re + alpha.im * alpha.im);
    }
    if (rest == 0 && alpha.im == 0) {
        gi_set_element(a, row, i, gi_make_c128(alpha.re / scale, 0));
        return gi_make_c128(0, 0);
    }
    const double  size = gi_root_f64(all), beta = alpha.re >= 0 ? -size : size;
    const ga_c128 first = gi_make_c128(alpha.re - beta, alpha.im);
    gi_divide_row(a, row, i + 1, n - i - 1, first);
    gi_set_element(a, row, i, gi_make_c128(beta / scale, 0));
    return gi_make_c128(-first.re / beta, -alpha.im / beta);
}

/* Row j += x * row i of b, from an element on. */
static void gi_add_row(const gi_linear_loops *loops, const gi_dense *a, int64_t j, const gi_dense *b, int64_t i, int64_t begin,
                       int64_t n, ga_c128 x)
{
    double         factors[4];
    const gi_dense from = gi_submatrix(*b, i, 0);
    gi_put_factor(factors, 2, a->parts, x);
    gi_add_rows(loops, factors, 1, &from, a, j, begin, n);
}

/* Decomposes a turned block, whose rows i keep beta at i and v behind it. */
static void gi_qr_block(const gi_dense *a, int64_t k, int64_t m, ga_c128 *taus)
{
    const gi_linear_loops *loops = GI_LOOP_OF(linear)();
    for (int64_t i = 0; i < k; i++) {
        taus[i]            = gi_make_reflector(loops, a, i, i, m);
        const ga_c128 beta = gi_element(a, i, i), tau = gi_conj_c128(taus[i]);
        gi_set_element(a, i, i, gi_make_c128(1, 0));
        for (int64_t j = i + 1; j < k; j++) {
            const ga_c128 along = gi_dot_rows(loops, a, i, a, j, i, m - i);
            gi_add_row(loops, a, j, a, i, i, m - i, gi_neg_c128(gi_mul_c128(tau, along)));
        }
        gi_set_element(a, i, i, beta);
    }
}

/* T of reflectors with these taus, turned: its columns are rows. */
static void gi_join_reflectors(const gi_reflectors *h, const ga_c128 *taus)
{
    const gi_linear_loops *loops = GI_LOOP_OF(linear)();
    const int              parts = h->t.parts;
    for (int64_t i = 0; i < h->k; i++) { /* -tau T v^H v_i */
        double along[4 * GI_LINEAR_SMALL];
        if (parts == 1 && i > 0) loops->dots(i, h->m - i, h->v.p + i, h->v.down, h->v.p + i * h->v.down + i, along);
        for (int64_t r = 0; r < i && parts == 2; r++)
            gi_put_factor(along + 2 * r, 2 * i, 2, gi_dot_rows(loops, &h->v, r, &h->v, i, i, h->m - i));
        if (i > 0) gi_add_rows(loops, along, i, &h->t, &h->t, i, 0, i);
        gi_scale_row(&h->t, i, 0, i, gi_neg_c128(taus[i]));
        gi_set_element(&h->t, i, i, taus[i]);
    }
}
GI_END_FAST

/* The k reflectors whose v stand in a below (0, 0), (1, 1) ..., where their rests have m - 1, m - 2 ... elements. */
static gi_reflectors gi_read_reflectors(const gi_dense *a, int64_t k, int64_t m, const ga_c128 *taus, double *room)
{
    gi_reflectors h = gi_reflectors_in(room, k, m, a->parts);
    for (int64_t i = 0; i < k; i++) gi_set_element(&h.v, i, i, gi_make_c128(1, 0));
    for (int64_t j = 1; j < m; j++)
        for (int64_t i = 0; i < k && i < j; i++) gi_set_element(&h.v, i, j, gi_element(a, j, i));
    gi_join_reflectors(&h, taus);
    return h;
}

/* c (m, n) is multiplied by H1 ... Hk from the left, or by Hk^H ... H1^H. */
static bool gi_reflect(const char *site, const gi_reflectors *h, bool inverse, const gi_dense *c, int64_t n)
{
    const int      parts   = c->parts;
    double        *factors = h->room;
    const gi_dense along   = gi_matrix_at(factors + (h->m + h->k) * h->k * parts * parts, parts, n),
                   scaled  = gi_matrix_at(along.p + h->k * n * parts, parts, n);
    memset(along.p, 0, (size_t)(2 * h->k * n * parts) * sizeof(double));
    gi_make_factors(factors, h->k, h->m, &h->v, false, 1, -1);
    if (!gi_linear_update(site, factors, h->k, h->m, c, &along, n)) return false;
    gi_make_factors(factors, h->k, h->k, &h->t, !inverse, 1, inverse ? -1 : 1);
    if (!gi_linear_update(site, factors, h->k, h->k, &along, &scaled, n)) return false;
    gi_make_factors(factors, h->m, h->k, &h->v, true, -1, -1);
    return gi_linear_update(site, factors, h->m, h->k, &scaled, c, n);
}

/* Decomposes (m, n): R, and the v below it. `taus`: as many as the shorter side is long. */
static bool gi_qr_matrix(const char *site, const gi_dense *a, int64_t m, int64_t n, ga_c128 *taus, double *room)
{
    const int64_t most = m < n ? m : n, block = site ? (int64_t)GI_LINEAR_BLOCK : most;
    for (int64_t at = 0, k; at < most; at += k) {
        k                   = most - at < block ? most - at : block;
        const gi_dense here = gi_submatrix(*a, at, at), right = gi_submatrix(*a, at, at + k);
        const gi_dense turned = gi_matrix_at(room, a->parts, m - at);
        gi_turn_matrix(&turned, m - at, k, &here);
        gi_qr_block(&turned, k, m - at, taus + at);
        gi_turn_matrix(&here, k, m - at, &turned);
        if (at + k == n) break;
        const gi_reflectors h = gi_read_reflectors(&here, k, m - at, taus + at, room);
        if (!gi_reflect(site, &h, true, &right, n - at - k)) return false;
    }
    return true;
}

static void gi_make_unit(const gi_dense *q, int64_t m, int64_t n)
{
    for (int64_t i = 0; i < m; i++) {
        memset(q->p + i * q->down, 0, (size_t)n * 8);
        if (q->parts == 2) memset(q->p + i * q->down + q->imag, 0, (size_t)n * 8);
        if (i < n) q->p[i * q->down + i] = 1;
    }
}

GI_BEGIN_FAST
/* q (m, n) is multiplied by H1 H2 ..., one after the other, which takes less for a small one than a block of them: `count` reflectors that
   stand in the columns of a, from the diagonal on (`behind` 0), or in its rows, from behind it on (1). `unit`: q is the unit matrix. */
static void gi_reflect_singly(const gi_dense *a, int64_t m, int64_t count, const ga_c128 *taus, int64_t behind,
                              const gi_dense *q, int64_t n, bool unit, double *room)
{
    const gi_linear_loops *loops = GI_LOOP_OF(linear)();
    const int              parts = a->parts;
    const gi_dense         along = gi_matrix_at(room, parts, n);
    double                *v     = room + n * parts;
    for (int64_t at = count - 1; at >= 0; at--) {
        const int64_t  first = at + behind, rows = m - first, column = unit ? at : 0;
        const gi_dense to = gi_submatrix(*q, first, column);
        memset(along.p, 0, (size_t)(n * parts) * 8);
        for (int64_t r = 0; r < rows; r++) {
            const ga_c128 x = r == 0 ? gi_make_c128(1, 0) : gi_element(a, behind ? at : first + r, behind ? first + r : at);
            gi_put_factor(v + r * parts, rows * parts, parts, gi_conj_c128(x));
        }
        gi_add_rows(loops, v, rows, &to, &along, 0, 0, n - column);
        for (int64_t r = 0; r < rows; r++) {
            const ga_c128 x = gi_make_c128(v[r * parts], parts == 2 ? v[r * 2 + 1] : 0); /* beside conj(x) stands x.im */
            gi_add_row(loops, &to, r, &along, 0, 0, n - column, gi_neg_c128(gi_mul_c128(taus[at], x)));
        }
    }
}
GI_END_FAST

/* q (m, n) is multiplied by H1 H2 ..., `count` reflectors that stand in a. `unit`: it is the unit matrix. */
static bool gi_reflect_by_columns(const char *site, const gi_dense *a, int64_t m, int64_t count, const ga_c128 *taus,
                                  const gi_dense *q, int64_t n, bool unit, double *room)
{
    const int64_t block = GI_LINEAR_BLOCK;
    if (!site) {
        gi_reflect_singly(a, m, count, taus, 0, q, n, unit, room);
        return true;
    }
    for (int64_t at = count > 0 ? (count - 1) / block * block : -1; at >= 0; at -= block) {
        const int64_t       k = count - at < block ? count - at : block, first = unit ? at : 0;
        const gi_dense      here = gi_submatrix(*a, at, at), to = gi_submatrix(*q, at, first);
        const gi_reflectors h = gi_read_reflectors(&here, k, m - at, taus + at, room);
        if (!gi_reflect(site, &h, false, &to, n - first)) return false;
    }
    return true;
}

typedef struct gi_qr {
    gi_matrices a, q; /* a becomes R; q is left out if it has no memory */
} gi_qr;

static int64_t gi_qr_room(int64_t m, int64_t n, int parts)
{
    const int64_t most = m < n ? m : n, wide = m > n ? m : n, small = m <= GI_LINEAR_SMALL && n <= GI_LINEAR_SMALL;
    return gi_reflect_room(m, small || most < GI_LINEAR_BLOCK ? most : (int64_t)GI_LINEAR_BLOCK, wide, parts) + 2 * most;
}

static bool gi_qr_one(const char *site, int64_t item, double *room, void *job)
{
    const gi_qr   *j = (const gi_qr *)job;
    const gi_dense a = gi_matrix(&j->a, item), q = gi_matrix(&j->q, item);
    const int64_t  m = j->a.rows, n = j->a.columns, most = m < n ? m : n;
    ga_c128       *taus = (ga_c128 *)(void *)room;
    if (!gi_qr_matrix(site, &a, m, n, taus, room + 2 * most)) return false;
    if (j->q.memory) gi_make_unit(&q, m, j->q.columns);
    if (j->q.memory && !gi_reflect_by_columns(site, &a, m, most, taus, &q, j->q.columns, true, room + 2 * most)) return false;
    for (int64_t i = 1; i < m; i++)
        for (int64_t c = 0; c < i && c < n; c++) gi_set_element(&a, i, c, gi_make_c128(0, 0));
    return true;
}

bool(ga_qr)(const ga_array *a, ga_array **q, ga_array **r, ga_qr_options o)
{
    gi_qr            j;
    ga_array **const to[2]   = { q, r };
    ga_array        *made[2] = { NULL, NULL };
    gi_hand_out(2, to, made);
    if (!gi_are_matrices(o.site, a, "a", false)) return false;
    if (o.mode != GA_QR_REDUCED && o.mode != GA_QR_COMPLETE)
        return gi_fail(o.site, GA_BAD_ARGUMENT, ".mode = %d is none: use GA_QR_REDUCED or GA_QR_COMPLETE", (int)o.mode) != NULL;
    memset(&j, 0, sizeof j);
    const int64_t m = a->shape[a->ndim - 2], n = a->shape[a->ndim - 1], k = o.mode == GA_QR_COMPLETE || m < n ? m : n;
#ifdef GPUARR_USE_CUSOLVER
    if (gi_solver_takes(a)) return gi_solver_qr(o.site, a, k, to);
#endif
    const ga_dtype dtype = gi_linear_dtype(a->dtype);
    bool           done  = gi_matrices_of(o.site, &j.a, GA_CPU, a, 1) &&
                (!q || gi_matrices_new(o.site, &j.q, GA_CPU, j.a.parts, j.a.ndim, j.a.shape, m, k)) &&
                gi_each_matrix(o.site, a->size > 0 || (q && k > 0) ? j.a.items : 0, m > n ? m : n, gi_qr_room(m, n, j.a.parts),
                               GI_WORK_QR, gi_qr_one, &j);
    if (done && q) made[0] = gi_matrices_result(o.site, &j.q, a->device, dtype, m, k);
    if (done && r) made[1] = gi_matrices_result(o.site, &j.a, a->device, dtype, k, n);
    ga_free(j.a.memory);
    ga_free(j.q.memory);
    return gi_hand_out(2, to, made) && done;
}
