/* ---- eigh, eigvalsh ------------------------------------------------------------------------------------------------------------------- */
/*  A Hermitian matrix becomes a real tridiagonal one, by reflectors in blocks (Dongarra, Sorensen and Hammarling, 1989), and that a diagonal
    one by the implicit QL method (Martin and Wilkinson, 1968), or a large one with vectors by way of the bidiagonal one whose square it is. */

GI_BEGIN_FAST
/* One sweep of the QL method over the rows l to m of a tridiagonal matrix with the diagonal d and e beside it. */
static void gi_ql_sweep(double *d, double *e, int64_t l, int64_t m, gi_sweeps *sweeps)
{
    double g = (d[l + 1] - d[l]) / (2 * e[l]), r = gi_length_of(g, 1), s = 1, c = 1, p = 0;
    g = d[m] - d[l] + e[l] / (g + (g < 0 ? -r : r));
    gi_sweep_begins(sweeps, m, m - l);
    for (int64_t i = m - 1; i >= l; i--) {
        const double f = s * e[i], b = c * e[i];
        r        = gi_length_of(f, g);
        e[i + 1] = r;
        if (r == 0) {
            d[i + 1] -= p;
            e[m] = 0;
            return;
        }
        s        = f / r;
        c        = g / r;
        g        = d[i + 1] - p;
        r        = (d[i] - g) * s + 2 * c * b;
        p        = s * r;
        d[i + 1] = g + p;
        g        = c * r - b;
        gi_sweep_rotates(sweeps, c, s);
    }
    d[l] -= p;
    e[l] = g;
    e[m] = 0;
}

/* Below this size what stands beside the diagonal counts as nothing: it is far less than what rounding has left of the whole matrix. Of a
   matrix of low rank the last rows are the rounding errors of rounding errors, each far smaller than the one before, and would not converge. */
static double gi_ql_least(const double *d, const double *e, int64_t n)
{
    double most = 0;
    for (int64_t i = 0; i < n; i++) {
        most = gi_abs_f64(d[i]) > most ? gi_abs_f64(d[i]) : most;
        most = i + 1 < n && gi_abs_f64(e[i]) > most ? gi_abs_f64(e[i]) : most;
    }
    most *= DBL_EPSILON * DBL_EPSILON;
    return most > DBL_MIN ? most : DBL_MIN;
}

/* d becomes the eigenvalues, in any order. False: they do not converge. */
static bool gi_ql(double *d, double *e, int64_t n, gi_sweeps *sweeps)
{
    const double least = gi_ql_least(d, e, n);
    int64_t      left  = GI_SWEEPS_FOR_EACH * n;
    for (int64_t l = 0; l < n; l++)
        for (;;) {
            int64_t m = l;
            for (; m + 1 < n; m++) {
                const double beside = gi_abs_f64(e[m]);
                if (beside <= DBL_EPSILON / 2 * (gi_abs_f64(d[m]) + gi_abs_f64(d[m + 1])) || beside < least) break;
            }
            if (m == l) break;
            if (left-- == 0) return false;
            gi_ql_sweep(d, e, l, m, sweeps);
        }
    gi_sweeps_apply(sweeps);
    return true;
}

/* gi_ql of a large matrix, with the vectors in rows of n + 1 numbers: shifted to be positive, it is the square of a bidiagonal one, whose
   singular values are known by divide and conquer. */
static bool gi_eigen_conquer(const char *site, double *d, double *e, int64_t n, double *rows, bool *lost)
{
    double low = d[0], before = 0;
    e[n - 1] = 0;
    for (int64_t i = 0; i < n; i++) {
        const double least = d[i] - gi_abs_f64(e[i]) - before;
        low                = least < low ? least : low;
        before             = gi_abs_f64(e[i]);
    }
    before = 0;
    for (int64_t i = 0; i < n; i++) { /* Cholesky's decomposition. Its squares are at least what stands beside the diagonal */
        const double square = d[i] - low - before * before, beside = gi_abs_f64(e[i]);
        d[i]   = gi_root_f64(square > beside ? square : beside);
        e[i]   = d[i] > 0 ? e[i] / d[i] : 0;
        before = e[i];
    }
    if (!gi_conquer_bidiagonal(site, d, e, n, NULL, rows, lost)) return false;
    for (int64_t i = 0; i < n; i++) d[i] = low + d[i] * d[i];
    return true;
}

/* A sweep without roots, for eigenvalues alone (Pal, Walker and Kahan; in Parlett, The Symmetric Eigenvalue Problem, 8.15); the squares
   of what stands beside the diagonal. */
static void gi_ql_rootless(double *d, double *squares, int64_t l, int64_t m)
{
    const double beside = gi_root_f64(squares[l]), ratio = (d[l + 1] - d[l]) / (2 * beside), r = gi_length_of(ratio, 1);
    const double shift = d[l] - beside / (ratio + (ratio < 0 ? -r : r));
    double       s = 0, g = d[m] - shift, p = g * g, cosine = 1;
    for (int64_t i = m - 1; i >= l; i--) { /* what a division waits for is not another one's result */
        const double square = squares[i], sum = p + square, before = g, by = p * (d[i] - shift) - square * before;
        const double next = p != 0 ? by / p : 0;
        if (i < m - 1) squares[i + 1] = s * sum;
        g                = by / sum;
        s                = square / sum;
        d[i + 1]         = before + (d[i] - g);
        const double was = cosine;
        cosine           = p / sum;
        p                = p != 0 ? g * next : was * square;
    }
    squares[l] = s * p;
    d[l]       = shift + g;
}

/* gi_ql of eigenvalues alone. */
static bool gi_ql_values(double *d, double *e, int64_t n)
{
    const double least = gi_ql_least(d, e, n), nothing = least * least > DBL_MIN ? least * least : DBL_MIN;
    int64_t      left = GI_SWEEPS_FOR_EACH * n;
    for (int64_t i = 0; i + 1 < n; i++) e[i] = e[i] * e[i];
    for (int64_t l = 0; l < n; l++)
        for (;;) {
            int64_t m = l;
            for (; m + 1 < n; m++) {
                const double small = DBL_EPSILON / 2 * (gi_abs_f64(d[m]) + gi_abs_f64(d[m + 1]));
                if (e[m] <= small * small || e[m] < nothing) break;
            }
            if (m == l) break;
            if (left-- == 0) return false;
            gi_ql_rootless(d, e, l, m);
        }
    return true;
}

/* Multiplies a matrix by a power of two if it has very large or very small numbers. Returns what the results are to be multiplied by; NaN
   where a number is not finite. */
static double gi_scale_matrix(const gi_dense *a, int64_t rows, int64_t columns)
{
    const gi_linear_loops *loops   = GI_LOOP_OF(linear)();
    double                 largest = 0;
    for (int64_t i = 0; i < rows; i++)
        for (int part = 0; part < a->parts; part++)
            largest = gi_maximum_f64(largest, loops->largest(columns, a->p + i * a->down + part * a->imag));
    if (!(largest < gi_infinity_f64())) return gi_nan_f64();
    if (largest == 0 || (largest > 1e-60 && largest < 1e60)) return 1;
    int exponent;
    (void)frexp(largest, &exponent);
    exponent = exponent > 1000 ? 1000 : exponent < -1000 ? -1000 : exponent;
    for (int64_t i = 0; i < rows; i++) gi_scale_row(a, i, 0, columns, gi_make_c128(ldexp(1, -exponent), 0));
    return ldexp(1, exponent);
}
GI_END_FAST

/* ---- to a tridiagonal matrix ------------------------------------------------------------------------------------------------------------ */

typedef struct gi_tridiagonal {
    gi_dense a; /* turned: its rows are columns; v of reflector j comes to stand in row j, behind the diagonal */
    int64_t  n;
    double  *d, *e;
    ga_c128 *taus;
    gi_dense v, w;   /* rows, of the block that is worked on; behind those of w, v once more */
    int64_t  column; /* the matrix from here on, */
    int64_t  row;    /* times that row of v, is this row of w */
    int64_t  shares; /* among so many threads, if they all come */
    gi_dense bands;  /* what each band of rows adds to it */
    double  *factors;
} gi_tridiagonal;

enum { GI_TRIDIAGONAL_BLOCK = 32, GI_TRIDIAGONAL_PANEL = 256, GI_TRIDIAGONAL_ALONE = 1 << 20 };

/* Rows of a band of a matrix of n rows, which has at most 32 of them; and the bands of so many rows of it. */
static int64_t gi_band_rows(int64_t n) { return n <= 2048 ? 64 : (n + 255) / 256 * 8; }
static int64_t gi_bands(int64_t n, int64_t rows) { return (rows + gi_band_rows(n) - 1) / gi_band_rows(n); }

/* The bands of what is left from a column on, the first of which may have lost rows; and where one begins. */
static int64_t gi_bands_left(int64_t n, int64_t column) { return gi_bands(n, n) - column / gi_band_rows(n); }
static int64_t gi_band_first(int64_t n, int64_t column, int64_t band)
{
    return band == 0 ? 0 : (column / gi_band_rows(n) + band) * gi_band_rows(n) - column;
}

/* What a band of rows says about its own elements of the product, and, as columns, about those behind. */
static void gi_band_times_vector(const gi_tridiagonal *t, int64_t band, int64_t bands)
{
    const gi_linear_loops *loops = GI_LOOP_OF(linear)();
    const int64_t          n = t->n - t->column, first = gi_band_first(t->n, t->column, band),
                  last = band + 1 < bands ? gi_band_first(t->n, t->column, band + 1) : n;
    const gi_dense a = gi_submatrix(t->a, t->column, t->column), x = gi_submatrix(t->v, t->row, t->column);
    double        *y = t->bands.p + band * t->bands.down, *y_im = y + t->bands.imag;
    memset(y + first, 0, (size_t)(n - first) * 8);
    if (a.parts == 2) memset(y_im + first, 0, (size_t)(n - first) * 8);
    for (int64_t r = first, some; r < last;
         r += some) { /* the conjugate of a, times x: of fours of columns, as mirror takes them */
        const int64_t most = a.parts == 1 ? n : 4 - (t->column + r) % 4;
        some               = last - r < most ? last - r : most;
        const double *re = a.p + r * a.down + r, *im = re + a.imag;
        loops->mirror(some, n - r, t->column + r, re, a.down, x.p + r, 1, 1, y + r);
        if (a.parts == 1) continue;
        loops->mirror(some, n - r, t->column + r, re, a.down, x.p + x.imag + r, 1, 1, y_im + r);
        loops->mirror(some, n - r, t->column + r, im, a.down, x.p + x.imag + r, 1, -1, y + r);
        loops->mirror(some, n - r, t->column + r, im, a.down, x.p + r, -1, 1, y_im + r);
    }
}

/* The products of row `row` of v with the rows before it of w or v: of a real matrix. */
static void gi_block_times_vector(const gi_tridiagonal *t, const gi_dense *block, double *to)
{
    const gi_linear_loops *loops = GI_LOOP_OF(linear)();
    loops->dots(t->row, t->n - t->column, block->p + t->column, block->down, t->v.p + t->row * t->v.down + t->column, to);
}

/* All that is multiplied by a reflector: the bands, the rows of w before them and those of v behind. */
static void gi_times_vector(int64_t begin, int64_t end, void *job)
{
    const gi_tridiagonal *t     = (const gi_tridiagonal *)job;
    const int64_t         bands = gi_bands_left(t->n, t->column), units = bands + 2;
    /* Long and short bands in turn: the share of a thread is the same each time, and stays in its cache. It goes to and fro there: what it
       had last is what the cache has kept. */
    for (int64_t k = begin; k < end; k++) {
        const int64_t share = ((k + 1) * t->shares - 1) / units;
        const int64_t unit  = t->column % 2 ? share * units / t->shares + (share + 1) * units / t->shares - 1 - k : k;
        if (unit > 0 && unit <= bands) gi_band_times_vector(t, unit % 2 ? (unit - 1) / 2 : bands - unit / 2, bands);
        else if (t->a.parts == 1) gi_block_times_vector(t, unit == 0 ? &t->w : &t->v, t->factors + (unit == 0 ? 0 : t->row));
    }
}

/* Row `to` of x less the sum over k < i of v_k * conj(w_k[j]) + w_k * conj(v_k[j]), from column j on. */
static void gi_less_block(const gi_linear_loops *loops, gi_tridiagonal *t, int64_t i, int64_t j)
{
    const gi_dense *from[2] = { &t->v, &t->w }, *by[2] = { &t->w, &t->v };
    for (int k = 0; k < 2 && i > 0; k++) {
        for (int64_t r = 0; r < i; r++)
            gi_put_factor(t->factors + r * t->a.parts, i * t->a.parts, t->a.parts,
                          gi_neg_c128(gi_conj_c128(gi_element(by[k], r, j))));
        gi_add_rows(loops, t->factors, i, from[k], &t->a, j, j, t->n - j);
    }
}

GI_BEGIN_FAST
/* Row i of w, of the i rows before it and row i of v, which begins at `from`. */
static void gi_make_w(const gi_linear_loops *loops, gi_tridiagonal *t, int64_t i, int64_t from, ga_c128 tau)
{
    const int64_t   n = t->n - from, bands = gi_bands_left(t->n, from);
    const double    one      = 1;
    const gi_dense *first[2] = { &t->v, &t->w }, *second[2] = { &t->w, &t->v };
    t->column = from;
    t->row    = i;
    t->shares = bands + 2 < ga_get_num_threads() ? bands + 2 : ga_get_num_threads();
    gi_parallel_bytes((double)(n * n * t->a.parts * 8), bands + 2, 1, gi_times_vector, t);
    for (int64_t band = 0; band < bands; band++)
        for (int part = 0; part < t->a.parts; part++) {
            const double *x = t->bands.p + band * t->bands.down + part * t->bands.imag;
            double       *y = t->w.p + i * t->w.down + part * t->w.imag + from;
            const int64_t j = gi_band_first(t->n, from, band);
            loops->add(1, n - j, &one, 1, x + j, 0, y + j);
        }
    for (int k = 0; k < 2 && i > 0; k++) {
        double *factors = t->factors + (t->a.parts == 1 ? k * i : 0);
        for (int64_t r = 0; r < i; r++)
            if (t->a.parts == 1) factors[r] = -factors[r];
            else
                gi_put_factor(factors + r * t->a.parts, i * t->a.parts, t->a.parts,
                              gi_neg_c128(gi_dot_rows(loops, second[k], r, &t->v, i, from, n)));
        gi_add_rows(loops, factors, i, first[k], &t->w, i, from, n);
    }
    gi_scale_row(&t->w, i, from, n, tau);
    const ga_c128 half =
        gi_mul_c128(gi_make_c128(-0.5 * tau.re, -0.5 * tau.im), gi_dot_rows(loops, &t->w, i, &t->v, i, from, n));
    gi_add_row(loops, &t->w, i, &t->v, i, from, n, half);
}

/* The same of a small real matrix, one reflector after the other: in rows of whole vectors, as there is room for. What a reflector changes
   is taken from the rows when the next one needs them. */
static void gi_small_to_tridiagonal(gi_tridiagonal *t, double *room)
{
    const gi_linear_loops *loops = GI_LOOP_OF(linear)();
    const int64_t          n = t->n, down = (n + 7) / 8 * 8;
    double                *a = room, *v = a + n * down, *w = v + down, *next = w + down, *product = next + down;
    memset(room, 0, (size_t)((n + 4) * down) * sizeof *room);
    for (int64_t i = 0; i < n; i++) memcpy(a + i * down, t->a.p + i * t->a.down, (size_t)n * 8);
    for (int64_t j = 0; j < n; j++) {
        const int64_t  from = (j + 1) / 8 * 8; /* from here on vectors have numbers, and zeros where nothing is to change */
        const gi_dense one  = gi_matrix_at(next, 1, down);
        double        *row  = a + j * down;
        const double *const by[2] = { v + j + 1, w + j + 1 }, *const columns[2] = { w + from, v + from };
        for (int64_t k = j; k < n && j > 0; k++) row[k] = row[k] - v[j] * w[k] - w[j] * v[k];
        t->d[j] = row[j];
        if (j + 1 == n) break;
        for (int64_t k = from; k <= j; k++) next[k] = 0;
        memcpy(next + j + 1, row + j + 1, (size_t)(n - j - 1) * 8);
        const double tau = (t->taus[j] = gi_make_reflector(loops, &one, 0, j + 1, n)).re;
        t->e[j]          = next[j + 1];
        memcpy(row + j + 1, next + j + 1, (size_t)(n - j - 1) * 8);
        next[j + 1] = 1;
        loops->update(n - j - 1, down - from, row + down + from, down, by, columns, next + from, product + j + 1);
        const double half = -0.5 * tau * (tau * loops->dot(n - j - 1, product + j + 1, next + j + 1));
        for (int64_t k = from; k < down; k++) {
            w[k] = k > j ? tau * product[k] + half * next[k] : 0;
            v[k] = next[k];
        }
    }
    for (int64_t i = 0; i < n; i++) memcpy(t->a.p + i * t->a.down, a + i * down, (size_t)n * 8);
}
GI_END_FAST

static bool gi_to_tridiagonal_shared(const char *site, gi_tridiagonal *t)
{
    const gi_linear_loops *loops = GI_LOOP_OF(linear)();
    const int              parts = t->a.parts;
    for (int64_t at = 0, k; at < t->n; at += k) {
        k = t->n - at < GI_TRIDIAGONAL_BLOCK ? t->n - at : (int64_t)GI_TRIDIAGONAL_BLOCK;
        memset(t->v.p, 0, (size_t)(k * parts * t->n) * 8);
        memset(t->w.p, 0, (size_t)(k * parts * t->n) * 8);
        for (int64_t i = 0; i < k; i++) {
            const int64_t j = at + i;
            gi_less_block(loops, t, i, j);
            t->d[j] = gi_element(&t->a, j, j).re;
            if (j + 1 >= t->n) break;
            t->taus[j] = gi_make_reflector(loops, &t->a, j, j + 1, t->n);
            t->e[j]    = gi_element(&t->a, j, j + 1).re;
            for (int part = 0; part < parts; part++)
                memcpy(t->v.p + i * t->v.down + part * t->v.imag + j + 2, t->a.p + j * t->a.down + part * t->a.imag + j + 2,
                       (size_t)(t->n - j - 2) * 8);
            gi_set_element(&t->v, i, j + 1, gi_make_c128(1, 0));
            gi_make_w(loops, t, i, j + 1, t->taus[j]);
        }
        const int64_t  next = at + k, m = t->n - next;
        const gi_dense rest = gi_submatrix(t->a, next, next), v = gi_submatrix(t->v, 0, next), w = gi_submatrix(t->w, 0, next);
        if (m <= 0) break;
        memcpy(t->w.p + k * parts * t->n, t->v.p, (size_t)(k * parts * t->n) * 8); /* the block is whole */
        gi_make_factors(t->factors, m, 2 * k, &w, true, -1, 1);
        for (int64_t r = 0; r < m; r += GI_TRIDIAGONAL_PANEL) { /* what lies below the panels is not read again */
            const int64_t  rows = m - r < GI_TRIDIAGONAL_PANEL ? m - r : (int64_t)GI_TRIDIAGONAL_PANEL;
            const gi_dense both = gi_submatrix(v, 0, r), to = gi_submatrix(rest, r, r);
            if (!gi_linear_update(site, t->factors + r * 2 * k * parts * parts, rows, 2 * k, &both, &to, m - r)) return false;
        }
    }
    return true;
}

/* A matrix that stays in the cache of one thread is not shared: it would go to and fro between two. */
static bool gi_to_tridiagonal(const char *site, gi_tridiagonal *t)
{
    const bool inside  = gi_parallel_inside;
    gi_parallel_inside = inside || t->n * t->n * t->a.parts * 8 <= GI_TRIDIAGONAL_ALONE;
    const bool done    = gi_to_tridiagonal_shared(site, t);
    gi_parallel_inside = inside;
    return done;
}

/* ---- eigenvalues, and eigenvectors -------------------------------------------------------------------------------------------------------- */

typedef struct gi_eigen {
    gi_matrices a, values, vectors; /* vectors: left out if it has no memory */
    bool        upper;
    int64_t     lost; /* the first item that does not converge */
} gi_eigen;

/* The matrix, turned, whole: of the triangle that is to be read. Eight columns at a time, whose cache lines are read or written once. */
static void gi_make_hermitian(const gi_dense *a, int64_t n, bool upper)
{
    const int64_t down = upper ? a->down : 1, along = upper ? 1 : a->down; /* from element (i, j), i < j, of the triangle */
    for (int part = 0; part < a->parts; part++) {
        double *p = a->p + part * a->imag;
        for (int64_t first = 0; first < n; first += 8)
            for (int64_t j = first + 1; j < n; j++) {
                const int64_t last = first + 8 < j ? first + 8 : j;
                for (int64_t i = first; i < last; i++) {
                    p[i * along + j * down] = p[i * down + j * along];
                    if (part == 1) p[i * down + j * along] = -p[i * down + j * along];
                }
            }
        for (int64_t i = 0; i < n && part == 1; i++) p[i * down + i * along] = 0;
    }
}

/* Numbers of a row of a large real matrix, as it is worked on: whole cache lines, not in the same sets of the cache. 0 of others. */
static int64_t gi_whole_lines(int64_t n, int parts)
{
    if (parts == 2 || n <= GI_LINEAR_SMALL) return 0;
    const int64_t whole = (n + 7) / 8 * 8;
    return whole + (whole % 256 == 0 ? 8 : 0);
}

/* Such rows, in room for 8 numbers more. */
static gi_dense gi_lines_at(double *room, int64_t down) { return gi_matrix_at(room + -((uintptr_t)room / 8) % 8, 1, down); }

static int64_t gi_eigen_room(int64_t n, int parts, bool vectors)
{
    const int64_t block =
                      (3 * GI_TRIDIAGONAL_BLOCK + gi_bands(n, n)) * parts * n + 2 * n * GI_TRIDIAGONAL_BLOCK * parts * parts,
                  most  = n < GI_LINEAR_BLOCK || n <= GI_LINEAR_SMALL ? n : (int64_t)GI_LINEAR_BLOCK,
                  after = gi_reflect_room(n, most, n, parts) + gi_sweeps_room(n);
    return 6 * n + (vectors && after > block ? after : block) + 8 + n * gi_whole_lines(n, parts);
}

/* The columns of `vectors`, (n, n), become the rows that were rotated, in that order, */
static void gi_take_vectors(const gi_sweeps *s, const int64_t *order, const gi_dense *vectors)
{
    const int64_t n = s->rows;
    for (int64_t i = 0; i < n; i++) {
        if (vectors->parts == 2) memset(vectors->p + i * vectors->down + vectors->imag, 0, (size_t)n * 8);
        const double *strip = s->strips + i / s->width * n * s->width + i % s->width;
        for (int64_t j = 0; j < n; j++) vectors->p[i * vectors->down + j] = strip[order[j] * s->width];
    }
}

/* and are multiplied by H1 H2 ..., the reflectors that stand in the rows of a, each behind the diagonal and a beta. */
static bool gi_reflect_by_rows(const char *site, const gi_dense *a, int64_t n, const ga_c128 *taus, const gi_dense *vectors,
                               double *room)
{
    const int64_t count = n - 1, block = GI_LINEAR_BLOCK;
    if (!site) {
        gi_reflect_singly(a, n, count, taus, 1, vectors, n, false, room);
        return true;
    }
    for (int64_t at = count > 0 ? (count - 1) / block * block : -1; at >= 0; at -= block) {
        const int64_t  k = count - at < block ? count - at : block, m = n - at - 1;
        const gi_dense to = gi_submatrix(*vectors, at + 1, 0);
        gi_reflectors  h  = gi_reflectors_in(room, k, m, a->parts);
        for (int64_t i = 0; i < k; i++) {
            gi_set_element(&h.v, i, i, gi_make_c128(1, 0));
            for (int part = 0; part < a->parts; part++)
                memcpy(h.v.p + i * h.v.down + part * h.v.imag + i + 1, a->p + (at + i) * a->down + part * a->imag + at + i + 2,
                       (size_t)(m - i - 1) * 8);
        }
        gi_join_reflectors(&h, taus + at);
        if (!gi_reflect(site, &h, false, &to, n)) return false;
    }
    return true;
}

static bool gi_eigen_one(const char *site, int64_t item, double *room, void *job)
{
    gi_eigen      *j = (gi_eigen *)job;
    const gi_dense a = gi_matrix(&j->a, item), values = gi_matrix(&j->values, item), vectors = gi_matrix(&j->vectors, item);
    const int64_t  n     = j->a.rows;
    double        *after = room + 6 * n;
    int64_t       *order = (int64_t *)(void *)(room + n);
    gi_sweeps      sweeps;
    gi_tridiagonal t;
    gi_make_hermitian(&a, n, j->upper);
    const double scale = gi_scale_matrix(&a, n, n);
    if (scale != scale) { /* no eigenvalues, as there are numbers that are not finite */
        for (int64_t i = 0; i < n; i++) values.p[i] = scale;
        for (int64_t i = 0; i < n * n * j->vectors.parts && j->vectors.memory; i++) vectors.p[i] = scale;
        return true;
    }
#ifdef GPUARR_USE_LAPACKE
    bool lost = false;
    if (site && gi_lapack_eigen(&a, n, values.p, j->vectors.memory ? &vectors : NULL, &lost)) {
        if (lost) gi_note_item(&j->lost, item);
        for (int64_t i = 0; i < n; i++) values.p[i] *= scale;
        return true;
    }
#endif
    memset(&t, 0, sizeof t);
    t.a                = a;
    t.n                = n;
    t.d                = values.p;
    t.e                = room;
    t.taus             = (ga_c128 *)(void *)(room + 4 * n);
    t.v                = gi_matrix_at(after, a.parts, n);
    t.w                = gi_matrix_at(after + GI_TRIDIAGONAL_BLOCK * a.parts * n, a.parts, n);
    t.bands            = gi_matrix_at(after + 3 * GI_TRIDIAGONAL_BLOCK * a.parts * n, a.parts, n);
    t.factors          = t.bands.p + gi_bands(n, n) * a.parts * n;
    const int64_t down = site ? gi_whole_lines(n, a.parts) : 0;
    if (down > 0) {
        t.a = gi_lines_at(room + gi_eigen_room(n, a.parts, j->vectors.memory != NULL) - n * down - 8, down);
        for (int64_t i = 0; i < n; i++) memcpy(t.a.p + i * down, a.p + i * a.down, (size_t)n * 8);
    }
    if (!site && a.parts == 1) gi_small_to_tridiagonal(&t, after);
    else if (!gi_to_tridiagonal(site, &t)) return false;
    bool failed = true;
    for (int64_t i = 0; i + 1 < n && failed; i++) failed = t.e[i] == 0;
    if (site && j->vectors.memory && n > GI_CONQUERED && !failed) {
        sweeps.strips = after;
        sweeps.rows   = n;
        sweeps.width  = n + 1;
        memcpy(room + n, t.d, (size_t)n * 8);
        memcpy(room + 2 * n, t.e, (size_t)n * 8);
        if (!gi_eigen_conquer(site, t.d, t.e, n, after, &failed)) return false;
        if (failed) {
            memcpy(t.d, room + n, (size_t)n * 8);
            memcpy(t.e, room + 2 * n, (size_t)n * 8);
        }
    } else failed = true;
    if (failed) { /* a diagonal matrix, a small one, or one whose parts do not converge */
        gi_sweeps_start(&sweeps, j->vectors.memory ? after : NULL, n, -1);
        failed = !(j->vectors.memory ? gi_ql(t.d, t.e, n, &sweeps) : gi_ql_values(t.d, t.e, n));
    }
    if (failed) gi_note_item(&j->lost, item);
    gi_order_numbers(t.d, n, order, order + n);
    if (j->vectors.memory) {
        gi_take_vectors(&sweeps, order, &vectors);
        if (!gi_reflect_by_rows(site, &t.a, n, t.taus, &vectors, after + gi_sweeps_room(n))) return false;
    }
    memcpy(t.e, t.d, (size_t)n * 8);
    for (int64_t i = 0; i < n; i++) t.d[i] = t.e[order[i]] * scale;
    return true;
}

/* Eigenvalues of a, and eigenvectors; false with an error, and NULL for both. */
static bool gi_eigen_run(const char *site, const ga_array *a, bool upper, ga_array **w, ga_array **v)
{
    gi_eigen         j;
    ga_array **const to[2]   = { w, v };
    ga_array        *made[2] = { NULL, NULL };
    gi_hand_out(2, to, made);
    if (!gi_are_matrices(site, a, "a", true)) return false;
#ifdef GPUARR_USE_CUSOLVER
    if (gi_solver_takes(a)) return gi_solver_eigen(site, a, upper, to);
#endif
    memset(&j, 0, sizeof j);
    j.upper              = upper;
    const int64_t  n     = a->shape[a->ndim - 1];
    const ga_dtype dtype = gi_linear_dtype(a->dtype);
    bool           done  = gi_matrices_of(site, &j.a, GA_CPU, a, 1) &&
                gi_matrices_new(site, &j.values, GA_CPU, 1, j.a.ndim, j.a.shape, n, 1) &&
                (!v || gi_matrices_new(site, &j.vectors, GA_CPU, j.a.parts, j.a.ndim, j.a.shape, n, n));
    j.lost = j.a.items;
    done = done && gi_each_matrix(site, j.a.items, n, gi_eigen_room(n, j.a.parts, v != NULL), GI_WORK_EIGH, gi_eigen_one, &j) &&
           gi_all_done(site, j.lost, j.a.items, "the eigenvalues do not converge");
    if (done && w) made[0] = gi_matrices_result(site, &j.values, a->device, gi_dtype_real(dtype), n, -1);
    if (done && v) made[1] = gi_matrices_result(site, &j.vectors, a->device, dtype, n, n);
    ga_free(j.a.memory);
    ga_free(j.values.memory);
    ga_free(j.vectors.memory);
    return gi_hand_out(2, to, made) && done;
}

bool(ga_eigh)(const ga_array *a, ga_array **w, ga_array **v, ga_eigh_options o)
{
    return gi_eigen_run(o.site, a, o.upper, w, v);
}

ga_array *(ga_eigvalsh)(const ga_array *a, ga_eigh_options o)
{
    ga_array *w = NULL;
    return gi_eigen_run(o.site, a, o.upper, &w, NULL) ? w : NULL;
}
