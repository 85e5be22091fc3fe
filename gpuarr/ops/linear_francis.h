/* ---- eigvals of real matrices --------------------------------------------------------------------------------------------------------- */
/*  A matrix is balanced (Parlett and Reinsch, 1969), gets zeros below the diagonal next to the main one, by reflectors, and loses that one by
    the QR method with two implicit shifts at a time (Francis, 1962), which are conjugates or both real, so that all stays real. Only the
    part that has not fallen apart is worked on, as there are no eigenvectors.                                                        */

/* Before a matrix that does not fall apart any further is given up. (Double eigenvalues of sparse matrices take hundreds.) */
enum { GI_FRANCIS_TRIES = 4000 };

typedef struct gi_francis {
    double *h; /* rows and columns, balanced from `low` to `high`; */
    int64_t n, down, low, high;
    double *v, *w, *u; /* a reflector, a sum of rows, and the reflector times tau */
    double *reflectors;
    int64_t l, m;   /* the part that is worked on */
    int64_t column; /* which a reflector is made of, and its tau */
    double  tau;
} gi_francis;

/* A row: whole vectors, with three columns more than the matrix, not in the same sets of the cache. */
static int64_t gi_francis_down(int64_t n)
{
    const int64_t whole = (n + 3 + 7) / 8 * 8;
    return whole + (whole % 256 == 0 ? 8 : 0);
}

static int64_t gi_francis_room(int64_t n) { return 2 * n + 8 + (n + GI_FRANCIS_ROWS + 3) * gi_francis_down(n) + 8 * (n + 1); }

static gi_francis gi_francis_in(const gi_dense *a, int64_t n, double *room)
{
    gi_francis s;
    memset(&s, 0, sizeof s);
    s.n          = n;
    s.down       = gi_francis_down(n);
    s.h          = gi_lines_at(room, s.down).p;
    s.v          = s.h + (n + GI_FRANCIS_ROWS) * s.down;
    s.w          = s.v + s.down;
    s.u          = s.w + s.down;
    s.reflectors = s.u + s.down;
    memset(s.h, 0, (size_t)((n + GI_FRANCIS_ROWS + 3) * s.down) * sizeof *s.h);
    for (int64_t i = 0; i < n; i++) memcpy(s.h + i * s.down, a->p + i * a->down, (size_t)n * sizeof *s.h);
    return s;
}

GI_BEGIN_FAST
/* ---- balancing ------------------------------------------------------------------------------------------------------------------ */

/* Are the elements `low` to `high` of row or column i 0, but for the one on the diagonal? */
static bool gi_francis_alone(const gi_francis *s, int64_t i, bool column)
{
    for (int64_t j = s->low; j <= s->high; j++)
        if (j != i && (column ? s->h[j * s->down + i] : s->h[i * s->down + j]) != 0) return false;
    return true;
}

static void gi_francis_swap(gi_francis *s, int64_t i, int64_t j)
{
    if (i == j) return;
    gi_swap_numbers(s->n, s->h + i * s->down, s->h + j * s->down);
    for (int64_t r = 0; r < s->n; r++) gi_swap_numbers(1, s->h + r * s->down + i, s->h + r * s->down + j);
}

/* Rows of zeros but for the diagonal go to the end, such columns to the beginning: these eigenvalues are there. */
static void gi_francis_permute(gi_francis *s)
{
    s->low  = 0;
    s->high = s->n - 1;
    for (int64_t i = s->high; i >= 0; i--)
        if (gi_francis_alone(s, i, false)) {
            gi_francis_swap(s, i, s->high);
            i = s->high--;
        }
    for (int64_t i = s->low; i <= s->high; i++)
        if (gi_francis_alone(s, i, true)) {
            gi_francis_swap(s, i, s->low);
            i = s->low++;
        }
}

/* The length of row or column i, from `low` to `high`. */
static double gi_francis_length(const gi_francis *s, int64_t i, bool column)
{
    const int64_t next = column ? s->down : 1;
    const double *x    = column ? s->h + s->low * s->down + i : s->h + i * s->down + s->low;
    double        most = 0, sum = 0;
    for (int64_t j = 0; j <= s->high - s->low; j++) most = gi_abs_f64(x[j * next]) > most ? gi_abs_f64(x[j * next]) : most;
    for (int64_t j = 0; j <= s->high - s->low && most > 0; j++) {
        const double part = x[j * next] / most;
        sum += part * part;
    }
    return most * gi_root_f64(sum);
}

/* The squares of the lengths of all columns. */
static void gi_francis_squares(const gi_francis *s, double *squares)
{
    memset(squares, 0, (size_t)s->n * sizeof *squares);
    for (int64_t i = s->low; i <= s->high; i++) {
        const double *row = s->h + i * s->down;
        for (int64_t j = s->low; j <= s->high; j++) squares[j] += row[j] * row[j];
    }
}

/* The power of two by which a column is multiplied, and its row divided, so that their lengths are about the same; 1 if that changes little.
   scale: the product of the powers so far. */
static double gi_balance_factor(double down, double along, double scale)
{
    const double before = down + along;
    double       f      = 1;
    if (down == 0 || along == 0) return 1;
    for (; down < along / 2; f *= 2, down *= 2, along /= 2) {}
    for (; down >= along * 2; f /= 2, down /= 2, along *= 2) {}
    return down + along >= 0.95 * before || f * scale > 1e250 || f * scale < 1e-250 ? 1 : f;
}

/* Rows and columns are multiplied by powers of two, until their lengths are about the same: see gi_schur_balance. */
static void gi_francis_balance(gi_francis *s)
{
    const gi_linear_loops *loops  = GI_LOOP_OF(linear)();
    double                *scales = s->w, *squares = s->u;
    for (int64_t i = 0; i < s->n; i++) scales[i] = 1;
    gi_francis_permute(s);
    for (bool again = true; again;) {
        again = false;
        gi_francis_squares(s, squares);
        for (int64_t i = s->low; i <= s->high; i++) {
            double      *row    = s->h + i * s->down;
            const double square = loops->dot(s->high - s->low + 1, row + s->low, row + s->low);
            const double down   = again || !(squares[i] > 1e-250) ? gi_francis_length(s, i, true) : gi_root_f64(squares[i]);
            const double along  = square > 1e-250 ? gi_root_f64(square) : gi_francis_length(s, i, false);
            const double f      = gi_balance_factor(down, along, scales[i]);
            if (f == 1) continue;
            again = true;
            scales[i] *= f;
            for (int64_t j = 0; j < s->n; j++) row[j] *= 1 / f;
            for (int64_t r = 0; r < s->n; r++) s->h[r * s->down + i] *= f;
        }
    }
}

/* ---- zeros below the second diagonal -------------------------------------------------------------------------------------------------- */

enum { GI_FRANCIS_STRIP = 128, GI_FRANCIS_BAND = 16 };

/* w, of strips of columns: the sum of the rows times v. */
static void gi_francis_sums(int64_t begin, int64_t end, void *job)
{
    const gi_francis *s    = (const gi_francis *)job;
    const int64_t     next = s->column + 1, whole = (s->high + 8) / 8 * 8;
    int64_t           from = next / 8 * 8 + begin * GI_FRANCIS_STRIP, to = next / 8 * 8 + end * GI_FRANCIS_STRIP;
    to = to < whole ? to : whole;
    memset(s->w + from, 0, (size_t)(to - from) * sizeof *s->w);
    const gi_linear_loops *loops = GI_LOOP_OF(linear)();
    loops->add(s->high + 1 - next, to - from, s->v + next, 1, s->h + next * s->down + from, s->down, s->w + from);
    for (; from < next; from++) s->w[from] = 0;
}

/* Bands of rows less u w, and then less the product with v, times tau and v. */
static void gi_francis_bands(int64_t begin, int64_t end, void *job)
{
    const gi_francis      *s    = (const gi_francis *)job;
    const int64_t          from = (s->column + 1) / 8 * 8, whole = (s->high + 8) / 8 * 8;
    const int64_t          row = s->low + begin * GI_FRANCIS_BAND, behind = s->low + end * GI_FRANCIS_BAND;
    const gi_linear_loops *loops = GI_LOOP_OF(linear)();
    loops->reflect((behind <= s->high ? behind : s->high + 1) - row, whole - from, s->h + row * s->down + from, s->down,
                   s->u + row, s->w + from, s->v + from, s->tau);
}

static void gi_francis_reduce(gi_francis *s)
{
    const gi_linear_loops *loops = GI_LOOP_OF(linear)();
    const gi_dense         one   = gi_matrix_at(s->v, 1, s->down);
    const int64_t          rows  = s->high + 1 - s->low;
    memset(s->v, 0, (size_t)(3 * s->down) * sizeof *s->v);
    for (int64_t j = s->column = s->low; j + 1 < s->high; j = ++s->column) {
        const int64_t wide = (s->high + 8) / 8 * 8 - (j + 1) / 8 * 8;
        s->v[j]            = 0;
        for (int64_t i = j + 1; i <= s->high; i++) s->v[i] = s->h[i * s->down + j];
        s->tau            = gi_make_reflector(loops, &one, 0, j + 1, s->high + 1).re;
        const double beta = s->v[j + 1];
        for (int64_t i = j + 1; i <= s->high; i++) s->h[i * s->down + j] = 0;
        s->h[(j + 1) * s->down + j] = beta;
        if (s->tau == 0) continue;
        s->v[j + 1] = 1;
        for (int64_t i = s->low; i <= s->high; i++) s->u[i] = s->tau * s->v[i];
        gi_parallel_bytes((double)(wide * wide * 8), (wide + GI_FRANCIS_STRIP - 1) / GI_FRANCIS_STRIP, 1, gi_francis_sums, s);
        gi_parallel_bytes((double)(rows * wide * 16), (rows + GI_FRANCIS_BAND - 1) / GI_FRANCIS_BAND, 1, gi_francis_bands, s);
    }
}

/* ---- the QR method ------------------------------------------------------------------------------------------------------------------- */

/* The eigenvalues of a matrix of two rows: conjugates, the first one above the real axis, or real ones, the first one nearer to a. */
static void gi_francis_pair(double a, double b, double c, double d, ga_c128 *w)
{
    const double larger = gi_abs_f64(b) > gi_abs_f64(c) ? gi_abs_f64(b) : gi_abs_f64(c), away = gi_abs_f64(a - d);
    const double scale = (larger > away ? larger : away) < 0x1p-400 ? 0x1p500 : 1; /* so that no product vanishes that counts */
    const double half = (a - d) * (0.5 * scale), x = b * scale, y = c * scale, product = x * y,
                 lost   = gi_fma_f64(x, y, -product);
    const double square = gi_fma_f64(half, half, product) + lost, root = gi_root_f64(gi_abs_f64(square)) / scale;
    w[0] = gi_make_c128(c == 0 ? a : d, 0);
    w[1] = gi_make_c128(c == 0 ? d : a, 0);
    if (b == 0 || c == 0) return;
    if (square < 0) {
        const double mean = d + 0.5 * (a - d);
        w[0]              = gi_make_c128(mean, root);
        w[1]              = gi_make_c128(mean, 0 - root);
        return;
    }
    const double z = half / scale + (half >= 0 ? root : -root);
    w[0]           = gi_make_c128(d + z, 0);
    w[1]           = gi_make_c128(z != 0 ? d - product / (z * scale) / scale : d, 0);
}

/* The first row of the part that has not fallen apart and ends in row m. (Ahues and Tisseur, 1997) */
static int64_t gi_francis_begin(const gi_francis *s, int64_t m, double least)
{
    int64_t l = m;
    for (; l > s->low; l--) {
        const double *at = s->h + l * s->down + l, below = gi_abs_f64(at[-1]);
        const double  a = at[-s->down - 1], d = at[0], size = gi_abs_f64(a) + gi_abs_f64(d);
        if (below <= least) break;
        if (below > DBL_EPSILON * size && size > 0) continue;
        const double beside = gi_abs_f64(at[-s->down]), away = gi_abs_f64(a - d), last = gi_abs_f64(d);
        const double most = below > beside ? below : beside, less = below > beside ? beside : below;
        const double more = last > away ? last : away, rest = last > away ? away : last, all = more + most;
        const double bound = DBL_EPSILON * (rest * (more / all));
        if (size > 0 && less * (most / all) <= (bound > least ? bound : least)) break;
    }
    return l;
}

/* What the first reflector makes (beta, 0, 0): the first column of (h - p)(h - q), for the eigenvalues p and q of the last two rows and
   columns, or the one of two real ones that is nearer to the last element, twice; now and then other numbers, against cycles. */
static void gi_francis_start(const gi_francis *s, int tries, double *start)
{
    const double *h = s->h + s->l * (s->down + 1), *end = s->h + s->m * (s->down + 1);
    const int64_t down = s->down;
    double        a = end[-down - 1], b = end[-down], c = end[-1], d = end[0];
    ga_c128       w[2];
    if (tries % 10 == 9) {
        const bool   top = tries % 20 == 9;
        const double size =
            top ? gi_abs_f64(h[down]) + gi_abs_f64(h[2 * down + 1]) : gi_abs_f64(c) + gi_abs_f64(end[-down - 2]);
        a = d = 0.75 * size + (top ? h[0] : d);
        b     = -0.4375 * size;
        c     = size;
    }
    gi_francis_pair(a, b, c, d, w);
    if (w[0].im == 0) w[0] = w[1] = gi_abs_f64(w[0].re - d) <= gi_abs_f64(w[1].re - d) ? w[0] : w[1];
    const double p = h[0] - w[0].re, q = h[0] - w[1].re, below = h[down];
    const double size = gi_abs_f64(q) + gi_abs_f64(w[1].im) + gi_abs_f64(below), part = below / size;
    start[0]         = part * h[1] + p * (q / size) - w[0].im * (w[1].im / size);
    start[1]         = part * (h[0] + h[down + 1] - w[0].re - w[1].re);
    start[2]         = part * h[2 * down + 1];
    const double all = gi_abs_f64(start[0]) + gi_abs_f64(start[1]) + gi_abs_f64(start[2]);
    for (int i = 0; i < 3 && all > 0; i++) start[i] /= all;
}

static void gi_francis_strips(int64_t begin, int64_t end, void *job)
{
    const gi_francis *s = (const gi_francis *)job;
    GI_LOOP_OF(linear)()->chase_columns(s->h, s->down, s->l, s->m, begin, end, s->reflectors);
}

/* The eigenvalues of all rows and columns. False: they do not converge. */
static bool gi_francis_run(gi_francis *s, ga_c128 *w)
{
    const gi_linear_loops *loops = GI_LOOP_OF(linear)();
    const double           least = DBL_MIN / DBL_EPSILON * (double)s->n;
    int                    tries = 0;
    double                 start[3];
    for (int64_t i = 0; i < s->n; i++) w[i] = gi_make_c128(s->h[i * (s->down + 1)], 0);
    for (s->m = s->high; s->m >= s->low;) {
        const double *end = s->h + s->m * (s->down + 1);
        const int64_t l   = gi_francis_begin(s, s->m, least);
        tries             = l == s->l ? tries : 0;
        s->l              = l;
        if (s->l > s->low) s->h[s->l * s->down + s->l - 1] = 0;
        if (s->l == s->m) w[s->m] = gi_make_c128(*end, 0);
        if (s->l == s->m - 1) gi_francis_pair(end[-s->down - 1], end[-s->down], end[-1], end[0], w + s->l);
        if (s->l >= s->m - 1) {
            s->m  = s->l - 1;
            tries = 0;
            continue;
        }
        if (tries == GI_FRANCIS_TRIES) return false;
        gi_francis_start(s, tries++, start);
        loops->chase(s->h, s->down, s->l, s->m, start, s->reflectors);
        const int64_t rows = s->m - s->l;
        gi_parallel_bytes((double)(rows * rows * 32), (rows + GI_FRANCIS_ROWS - 1) / GI_FRANCIS_ROWS, 1, gi_francis_strips, s);
    }
    return true;
}
GI_END_FAST

/* The eigenvalues of a, (n, n), at the beginning of the room; NULL: they do not converge. */
static ga_c128 *gi_francis_values(const gi_dense *a, int64_t n, double *room)
{
    ga_c128   *w = (ga_c128 *)(void *)room;
    gi_francis s = gi_francis_in(a, n, room + 2 * n);
    gi_francis_balance(&s);
    gi_francis_reduce(&s);
    return gi_francis_run(&s, w) ? w : NULL;
}
