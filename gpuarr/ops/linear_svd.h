/* ---- svd, svdvals ---------------------------------------------------------------------------------------------------------------------- */
/*  A matrix with more rows than columns is replaced by the R of its QR decomposition, one with fewer by its conjugate transposed. A square
    one becomes a real bidiagonal one, by reflectors from both sides in blocks (Dongarra, Sorensen and Hammarling, 1989), and that a
    diagonal one by implicit QR sweeps, without a shift where it is nearly singular (Demmel and Kahan, 1990), or its values alone by the
    quotient-difference algorithm.                                                                                                */

enum { GI_BIDIAGONAL_BLOCK = 32 };

/* a = H1 H2 ... B (G1 G2 ...)^H, both of n rows. While a block is worked on, what a should be is a - u y^H - x v^H. */
typedef struct gi_bidiagonal {
    gi_dense
        a; /* the rests of the vectors of H stand below its diagonal, those of G in its rows, behind the diagonal and a beta */
    int64_t  n;
    double  *d, *e;
    ga_c128 *left, *right;    /* taus */
    gi_dense u, x, y, v, one; /* rows; `one` is a single one */
    gi_dense bands;           /* what each band of rows adds to a row of y */
    double  *factors;
    int64_t  from; /* a from this row and column on, */
    int64_t  row;  /* times row `one`, becomes this row of y or x */
} gi_bidiagonal;

/* y = a^H one, for some columns. */
static void gi_left_product(int64_t begin, int64_t end, void *job)
{
    enum { WIDE = 64 };
    const gi_bidiagonal   *b     = (const gi_bidiagonal *)job;
    const gi_linear_loops *loops = GI_LOOP_OF(linear)();
    const int64_t          first = b->from + begin * WIDE, last = b->from + end * WIDE;
    const gi_dense         rows = gi_submatrix(b->a, b->from - 1, 0);
    gi_add_rows(loops, b->factors, b->n - b->from + 1, &rows, &b->y, b->row, first, (last < b->n ? last : b->n) - first);
}

/* x = a one, for some rows: conjugated. */
static void gi_right_product(int64_t begin, int64_t end, void *job)
{
    const gi_bidiagonal   *b     = (const gi_bidiagonal *)job;
    const gi_linear_loops *loops = GI_LOOP_OF(linear)();
    if (b->a.parts == 1) {
        const int64_t r = b->from + begin;
        loops->dots(end - begin, b->n - b->from, b->a.p + r * b->a.down + b->from, b->a.down, b->one.p + b->from,
                    b->x.p + b->row * b->x.down + r);
        return;
    }
    for (int64_t r = b->from + begin; r < b->from + end; r++)
        gi_set_element(&b->x, b->row, r, gi_conj_c128(gi_dot_rows(loops, &b->a, r, &b->one, 0, b->from, b->n - b->from)));
}

GI_BEGIN_FAST
static void gi_conj_row(const gi_dense *a, int64_t i, int64_t begin, int64_t n)
{
    double *im = a->p + i * a->down + a->imag + begin;
    for (int64_t j = 0; j < n && a->parts == 2; j++) im[j] = -im[j];
}

static void gi_copy_row(const gi_dense *to, int64_t i, const gi_dense *a, int64_t j, int64_t begin, int64_t n)
{
    for (int part = 0; part < a->parts; part++)
        memcpy(to->p + i * to->down + part * to->imag + begin, a->p + j * a->down + part * a->imag + begin, (size_t)n * 8);
}
GI_END_FAST

/* Row i of `to` -= the sum of count rows of `from` times conj(by[k][at]), from an element on. */
static void gi_less_rows(const gi_linear_loops *loops, const gi_bidiagonal *b, const gi_dense *to, int64_t i,
                         const gi_dense *from, const gi_dense *by, int64_t at, int64_t count, int64_t begin)
{
    const int parts = b->a.parts;
    for (int64_t k = 0; k < count; k++)
        gi_put_factor(b->factors + k * parts, count * parts, parts, gi_neg_c128(gi_conj_c128(gi_element(by, k, at))));
    if (count > 0) gi_add_rows(loops, b->factors, count, from, to, i, begin, b->n - begin);
}

/* Row i of `to` -= the sum of count rows of `from` times (by[k])^H one. */
static void gi_less_products(const gi_linear_loops *loops, const gi_bidiagonal *b, const gi_dense *to, int64_t i,
                             const gi_dense *from, const gi_dense *by, const gi_dense *one, int64_t row, int64_t count,
                             int64_t start, int64_t begin)
{
    const int parts = b->a.parts;
    if (parts == 1) {
        loops->dots(count, b->n - start, by->p + start, by->down, one->p + row * one->down + start, b->factors);
        for (int64_t k = 0; k < count; k++) b->factors[k] = -b->factors[k];
    }
    for (int64_t k = 0; k < count && parts == 2; k++)
        gi_put_factor(b->factors + k * parts, count * parts, parts,
                      gi_neg_c128(gi_dot_rows(loops, by, k, one, row, start, b->n - start)));
    if (count > 0) gi_add_rows(loops, b->factors, count, from, to, i, begin, b->n - begin);
}

/* A real matrix is read once, for x and for y of the next column; u of that column is made meanwhile, but for a factor. */
static void gi_pass_bands(int64_t begin, int64_t end, void *job)
{
    const gi_bidiagonal   *b     = (const gi_bidiagonal *)job;
    const gi_linear_loops *loops = GI_LOOP_OF(linear)();
    const int64_t          rows = gi_band_rows(b->n), from = b->from, i = b->row;
    const int64_t          line = from / 8 * 8; /* from here on v has zeros, and y numbers that nothing takes */
    for (int64_t band = begin; band < end; band++) {
        const int64_t r = from + band * rows, count = b->n - r < rows ? b->n - r : rows;
        double       *y = b->bands.p + band * b->bands.down;
        memset(y + line, 0, (size_t)(b->n - line) * 8);
        loops->pass(count, b->n - line, b->a.p + r * b->a.down + line, b->a.down, b->v.p + i * b->v.down + line,
                    b->right[from - 1].re, b->x.p + i * b->x.down + r, b->u.p + (i + 1) * b->u.down + r, y + line);
    }
}

/* Row i of y, of what the bands have: of u as it was, which began with alpha where there is a 1 now. */
static void gi_take_bands(const gi_linear_loops *loops, const gi_bidiagonal *b, int64_t i, int64_t j, double alpha)
{
    const int64_t from = j + 1, n = b->n - from;
    const double  one = 1, beta = -b->d[j];
    double       *y = b->y.p + i * b->y.down + from;
    for (int64_t band = 0; band < gi_bands(b->n, n + 1); band++)
        loops->add(1, n, &one, 1, b->bands.p + band * b->bands.down + from, 0, y);
    loops->add(1, n, &beta, 1, b->a.p + j * b->a.down + from, 0, y);
    gi_divide_row(&b->y, i, from, n, gi_make_c128(alpha - b->d[j], 0));
}

/* Row i of u: column j as it is by now. `known`: how many rows of x are there; what the next one takes away is to come. */
static void gi_begin_left(const gi_linear_loops *loops, const gi_bidiagonal *b, int64_t i, int64_t j, int64_t known)
{
    for (int64_t r = j; r < b->n; r++) gi_set_element(&b->u, i, r, gi_element(&b->a, r, j));
    gi_less_rows(loops, b, &b->u, i, &b->u, &b->y, j, i, j);
    gi_less_rows(loops, b, &b->u, i, &b->x, &b->v, j, known, j);
}

/* Column j: the reflector from the left, row i of u and y. `passed`: row i of u, and what the bands add to y, are there. */
static void gi_reduce_left(const gi_linear_loops *loops, gi_bidiagonal *b, int64_t i, int64_t j, bool passed)
{
    const int64_t n = b->n, parts = b->a.parts;
    if (!passed) gi_begin_left(loops, b, i, j, i);
    const double alpha = gi_element(&b->u, i, j).re;
    b->left[j]         = gi_make_reflector(loops, &b->u, i, j, n);
    b->d[j]            = gi_element(&b->u, i, j).re;
    for (int64_t r = j + 1; r < n; r++) gi_set_element(&b->a, r, j, gi_element(&b->u, i, r));
    gi_set_element(&b->u, i, j, gi_make_c128(1, 0));
    if (j + 1 >= n) return;
    b->from           = j + 1;
    b->row            = i;
    const double size = gi_abs_f64(b->d[j]);
    if (passed && b->left[j].re != 0 && size > 1e-130 && size < 1e130) {
        gi_take_bands(loops, b, i, j, alpha);
    } else {
        for (int64_t r = j; r < n; r++)
            gi_put_factor(b->factors + (r - j) * parts, (n - j) * parts, (int)parts, gi_conj_c128(gi_element(&b->u, i, r)));
        gi_parallel_bytes((double)((n - j) * (n - j) * parts * 8), (n - j - 1 + 63) / 64, 1, gi_left_product, b);
    }
    gi_conj_row(&b->y, i, j + 1, n - j - 1);
    gi_less_products(loops, b, &b->y, i, &b->y, &b->u, &b->u, i, i, j, j + 1);
    gi_less_products(loops, b, &b->y, i, &b->v, &b->x, &b->u, i, i, j, j + 1);
    gi_scale_row(&b->y, i, j + 1, n - j - 1, b->left[j]);
}

/* Row j: the reflector from the right, row i of v and x. `pass`: the next row of u as well, and what the bands add to y. */
static void gi_reduce_right(const gi_linear_loops *loops, gi_bidiagonal *b, int64_t i, int64_t j, bool pass)
{
    const int64_t n = b->n, from = j + 1;
    gi_copy_row(&b->v, i, &b->a, j, from, n - from);
    gi_conj_row(&b->v, i, from, n - from);
    gi_less_rows(loops, b, &b->v, i, &b->y, &b->u, j, i + 1, from);
    gi_less_rows(loops, b, &b->v, i, &b->v, &b->x, j, i, from);
    b->right[j] = gi_make_reflector(loops, &b->v, i, from, n);
    b->e[j]     = gi_element(&b->v, i, from).re;
    gi_copy_row(&b->a, j, &b->v, i, from, n - from);
    gi_set_element(&b->v, i, from, gi_make_c128(1, 0));
    b->from = from;
    b->row  = i;
    if (!pass) {
        gi_copy_row(&b->one, 0, &b->v, i, from, n - from);
        gi_conj_row(&b->one, 0, from, n - from);
        gi_parallel_bytes((double)((n - j) * (n - j) * b->a.parts * 8), n - from, 1 + 4096 / (n - from), gi_right_product, b);
    }
    gi_less_products(loops, b, &b->x, i, &b->u, &b->y, &b->v, i, i + 1, from, from);
    gi_less_products(loops, b, &b->x, i, &b->x, &b->v, &b->v, i, i, from, from);
    if (pass) {
        gi_begin_left(loops, b, i + 1, from, i);
        gi_parallel_bytes((double)((n - from) * (n - from) * 8), gi_bands(n, n - from), 1, gi_pass_bands, b);
    } else gi_scale_row(&b->x, i, from, n - from, b->right[j]);
}

/* The same of a small real matrix, one reflector after the other: in rows of whole vectors, as there is room for. */
static void gi_small_to_bidiagonal(gi_bidiagonal *b, double *room)
{
    const gi_linear_loops *loops = GI_LOOP_OF(linear)();
    const int64_t          n = b->n, down = (n + 7) / 8 * 8;
    double                *a = room, *u = a + n * down, *w = u + down, *v = w + down;
    const gi_dense         left = gi_matrix_at(u, 1, down), right = gi_matrix_at(v, 1, down);
    memset(room, 0, (size_t)((n + 3) * down) * sizeof *room);
    for (int64_t i = 0; i < n; i++) memcpy(a + i * down, b->a.p + i * b->a.down, (size_t)n * 8);
    for (int64_t j = 0; j < n; j++) {
        for (int64_t r = j; r < n; r++) u[r] = a[r * down + j];
        b->left[j] = gi_make_reflector(loops, &left, 0, j, n);
        b->d[j]    = u[j];
        for (int64_t r = j + 1; r < n; r++) a[r * down + j] = u[r];
        u[j] = 1;
        if (j + 1 == n) break;
        const int64_t from = (j + 1) / 8 * 8; /* from here on w and v have numbers, and zeros where nothing is to change */
        double       *row  = a + j * down;
        memset(w + from, 0, (size_t)(down - from) * 8);
        loops->add(n - j, down - from, u + j, 1, row + from, down, w + from);
        for (int64_t k = from; k <= j; k++) w[k] = v[k] = 0;
        for (int64_t k = j + 1; k < n; k++) {
            w[k] = w[k] * b->left[j].re;
            v[k] = row[k] - w[k];
        }
        b->right[j] = gi_make_reflector(loops, &right, 0, j + 1, n);
        b->e[j]     = v[j + 1];
        memcpy(row + j + 1, v + j + 1, (size_t)(n - j - 1) * 8);
        v[j + 1] = 1;
        loops->reflect(n - j - 1, down - from, row + down + from, down, u + j + 1, w + from, v + from, b->right[j].re);
    }
    for (int64_t i = 0; i < n; i++) memcpy(b->a.p + i * b->a.down, a + i * down, (size_t)n * 8);
}

static bool gi_to_bidiagonal(const char *site, gi_bidiagonal *b)
{
    const gi_linear_loops *loops = GI_LOOP_OF(linear)();
    const int64_t          n = b->n, parts = b->a.parts;
    for (int64_t at = 0, k; at < n; at += k) {
        k = n - at < GI_BIDIAGONAL_BLOCK ? n - at : (int64_t)GI_BIDIAGONAL_BLOCK;
        memset(b->u.p, 0, (size_t)(4 * GI_BIDIAGONAL_BLOCK * parts * n) * 8); /* and x, y, v */
        for (int64_t i = 0; i < k; i++) {
            gi_reduce_left(loops, b, i, at + i, i > 0 && parts == 1);
            if (at + i + 1 < n) gi_reduce_right(loops, b, i, at + i, i + 1 < k && parts == 1);
        }
        const int64_t  next = at + k, m = n - next;
        const gi_dense rest = gi_submatrix(b->a, next, next);
        const gi_dense u = gi_submatrix(b->u, 0, next), y = gi_submatrix(b->y, 0, next), v = gi_submatrix(b->v, 0, next);
        if (m <= 0) break;
        for (int64_t i = 0; i < k; i++) {
            gi_conj_row(&y, i, 0, m);
            gi_conj_row(&v, i, 0, m);
        }
        gi_make_factors(b->factors, m, 2 * k, &u, true, -1, -1); /* the block is whole: x lies behind u, and v behind y */
        if (!gi_linear_update(site, b->factors, m, 2 * k, &y, &rest, m)) return false;
    }
    return true;
}

/* ---- the calls -------------------------------------------------------------------------------------------------------------------------- */

typedef struct gi_svd {
    gi_matrices a;                   /* at least as many rows as columns */
    gi_matrices values, left, right; /* columns; `left` and `right` are left out if they have no memory */
    int64_t     lost;                /* the first item that does not converge */
} gi_svd;

/* Where things lie in the room of a matrix. */
typedef struct gi_svd_room {
    ga_c128 *taus, *left, *right;
    double  *e, *square, *block, *sweeps[2], *reflect;
    int64_t *order, numbers;
} gi_svd_room;

static gi_svd_room gi_lay_svd(double *at, int64_t m, int64_t n, int parts, int64_t columns)
{
    const int64_t small = m <= GI_LINEAR_SMALL, most = small || n < GI_LINEAR_BLOCK ? n : (int64_t)GI_LINEAR_BLOCK;
    const int64_t beside = (4 * GI_BIDIAGONAL_BLOCK + 1) * parts * n + 2 * (n + 1) * GI_BIDIAGONAL_BLOCK * parts * parts +
                           gi_bands(n, n) * n,
                  lines = gi_whole_lines(n, parts) > 0 ? 8 + n * (gi_whole_lines(n, parts) - n) : 0,
                  wide = columns > n ? columns : n, turning = columns > 0 ? 2 * gi_sweeps_room(n) : 0;
    gi_svd_room r;
    r.taus              = (ga_c128 *)(void *)at;
    r.left              = r.taus + n;
    r.right             = r.left + n;
    r.e                 = at + 6 * n;
    r.order             = (int64_t *)(void *)(at + 7 * n);
    r.square            = at + 9 * n;
    r.block             = r.square + n * n * parts + lines; /* before the sweeps */
    r.sweeps[0]         = r.block;
    r.sweeps[1]         = r.block + (columns > 0 ? gi_sweeps_room(n) : 0);
    r.reflect           = r.block + turning;
    const int64_t after = turning + gi_reflect_room(m, most, wide, parts);
    r.numbers           = 9 * n + n * n * parts + lines + (after > beside ? after : beside);
    return r;
}

/* The square matrix becomes a bidiagonal one. False with an error. */
static bool gi_svd_reduce(const char *site, gi_bidiagonal *b, double *block)
{
    const int64_t n = b->n, parts = b->a.parts;
    gi_dense     *rows[5] = { &b->u, &b->x, &b->y, &b->v, &b->one };
    for (int k = 0; k < 5; k++) *rows[k] = gi_matrix_at(block + k * GI_BIDIAGONAL_BLOCK * parts * n, (int)parts, n);
    b->factors = block + (4 * GI_BIDIAGONAL_BLOCK + 1) * parts * n;
    b->bands   = gi_matrix_at(b->factors + 2 * (n + 1) * GI_BIDIAGONAL_BLOCK * parts * parts, 1, n);
    if (site || parts == 2) return gi_to_bidiagonal(site, b);
    gi_small_to_bidiagonal(b, block);
    return true;
}

/* The vectors of a bidiagonal matrix of more than GI_CONQUERED rows, by divide and conquer. False with an error, or if they do not
   converge: *lost. */
static bool gi_svd_conquer(const char *site, gi_bidiagonal *b, const gi_svd_room *at, gi_sweeps *turned, bool *lost)
{
    const int64_t n    = b->n;
    double       *kept = (double *)(void *)at->order; /* 2 n numbers */
    memcpy(kept, b->d, (size_t)n * 8);
    memcpy(kept + n, b->e, (size_t)n * 8);
    for (int k = 0; k < 2; k++) {
        turned[k].strips = at->sweeps[k];
        turned[k].rows   = n;
        turned[k].count  = 1;
        turned[k].width  = n + 1;
    }
    if (!gi_conquer_bidiagonal(site, b->d, b->e, n, at->sweeps[0], at->sweeps[1], lost)) return false;
    if (*lost) {
        memcpy(b->d, kept, (size_t)n * 8);
        memcpy(b->e, kept + n, (size_t)n * 8);
    }
    return true;
}

/* Singular values in descending order, and the vectors of the square matrix. */
static bool gi_svd_square(const char *site, gi_bidiagonal *b, const gi_svd_room *at, const gi_dense *left,
                          const gi_dense *right, int64_t columns, bool *lost)
{
    const int64_t n = b->n;
    gi_sweeps     turned[2];
    if (!gi_svd_reduce(site, b, at->block)) return false;
    *lost = true;
    if (site && columns > 0 && n > GI_CONQUERED && !gi_svd_conquer(site, b, at, turned, lost)) return false;
    if (columns == 0) *lost = !gi_qd_values(b->d, b->e, n, at->block);
    if (*lost) { /* a small one with vectors, or one whose parts do not converge */
        for (int k = 0; k < 2; k++) gi_sweeps_start(&turned[k], columns > 0 ? at->sweeps[k] : NULL, n, 1);
        *lost = !gi_svd_sweeps(b->d, b->e, n, &turned[0], &turned[1]);
    }
    for (int64_t i = 0; i < n; i++) { /* those that are negative have another sign, and one of their vectors too */
        for (int64_t k = 0; k < n && columns > 0 && b->d[i] < 0; k++) {
            double *x = turned[1].strips + (k / turned[1].width * n + i) * turned[1].width + k % turned[1].width;
            *x        = -*x;
        }
        b->e[i] = -gi_abs_f64(b->d[i]);
    }
    gi_order_numbers(b->e, n, at->order, at->order + n);
    for (int64_t i = 0; i < n; i++) b->d[i] = -b->e[at->order[i]];
    if (columns == 0) return true;
    gi_take_vectors(&turned[0], at->order, left);
    gi_take_vectors(&turned[1], at->order, right);
    const gi_dense to = *left;
    return gi_reflect_by_columns(site, &b->a, n, n, b->left, &to, n, false, at->reflect) &&
           gi_reflect_by_rows(site, &b->a, n, b->right, right, at->reflect);
}

/* What becomes bidiagonal of a, the matrix or, if it has more rows than columns, its R, and room for what that makes. False with an error. */
static bool gi_svd_begin(const char *site, const gi_dense *a, int64_t m, int64_t n, double *values, const gi_svd_room *at,
                         gi_bidiagonal *b)
{
    memset(b, 0, sizeof *b);
    b->a               = *a;
    b->n               = n;
    b->d               = values;
    b->e               = at->e;
    b->left            = at->left;
    b->right           = at->right;
    const int64_t down = site ? gi_whole_lines(n, a->parts) : 0;
    if (m == n && down == 0) return true;
    if (m > n && !gi_qr_matrix(site, a, m, n, at->taus, at->block)) return false;
    b->a = down > 0 ? gi_lines_at(at->square, down) : gi_matrix_at(at->square, a->parts, n);
    for (int64_t i = 0; i < n; i++) {
        const int64_t zeros = m == n ? 0 : i;
        memset(b->a.p + i * b->a.down, 0, (size_t)zeros * 8);
        if (a->parts == 2) memset(b->a.p + i * b->a.down + b->a.imag, 0, (size_t)zeros * 8);
        gi_copy_row(&b->a, i, a, i, zeros, n - zeros);
    }
    return true;
}

static bool gi_svd_one(const char *site, int64_t item, double *room, void *job)
{
    gi_svd        *j = (gi_svd *)job;
    const gi_dense a = gi_matrix(&j->a, item), values = gi_matrix(&j->values, item), left = gi_matrix(&j->left, item),
                   right = gi_matrix(&j->right, item);
    const int64_t     m = j->a.rows, n = j->a.columns, columns = j->left.memory ? j->left.columns : 0;
    const gi_svd_room at    = gi_lay_svd(room, m, n, a.parts, columns);
    const double      scale = gi_scale_matrix(&a, m, n);
    gi_bidiagonal     b;
    bool              lost = false;
    if (scale != scale) {
        for (int64_t i = 0; i < n; i++) values.p[i] = scale;
        for (int64_t i = 0; i < m * columns * a.parts; i++) left.p[i] = scale;
        for (int64_t i = 0; i < n * n * a.parts && columns > 0; i++) right.p[i] = scale;
        return true;
    }
#ifdef GPUARR_USE_LAPACKE
    if (site && n > 0 && gi_lapack_svd(&a, m, n, values.p, &left, &right, columns, &lost)) {
        if (lost) gi_note_item(&j->lost, item);
        for (int64_t i = 0; i < n; i++) values.p[i] *= scale;
        return true;
    }
#endif
    if (!gi_svd_begin(site, &a, m, n, values.p, &at, &b)) return false;
    if (columns > 0) gi_make_unit(&left, m, columns);
    if (!gi_svd_square(site, &b, &at, &left, &right, columns, &lost)) return false;
    if (lost) gi_note_item(&j->lost, item);
    for (int64_t i = 0; i < n; i++) values.p[i] *= scale;
    return m == n || columns == 0 || gi_reflect_by_columns(site, &a, m, n, at.taus, &left, columns, false, at.reflect);
}

/* The singular values of a as `values`, and the vectors unless `columns` is -1: min(m, n) of them, or max(m, n). */
static bool gi_svd_run(const char *site, gi_svd *j, const ga_array *a, int64_t columns)
{
    memset(j, 0, sizeof *j);
    if (!gi_are_matrices(site, a, "a", false)) return false;
    const int64_t m = a->shape[a->ndim - 2], n = a->shape[a->ndim - 1], k = m < n ? m : n, most = m < n ? n : m;
    ga_array     *tall = m < n ? gi_matrix_turned(site, a) : (ga_view)(a, site);
    if (tall && m < n && gi_is_complex(a->dtype)) { /* conjugated */
        ga_array *conj = (ga_conj)(tall, gi_map_site(site));
        ga_free(tall);
        tall = conj;
    }
    bool done = tall && gi_matrices_of(site, &j->a, GA_CPU, tall, 1) &&
                gi_matrices_new(site, &j->values, GA_CPU, 1, j->a.ndim, j->a.shape, k, 1);
    ga_free(tall);
    if (done && columns >= 0)
        done = gi_matrices_new(site, &j->left, GA_CPU, j->a.parts, j->a.ndim, j->a.shape, most, columns) &&
               gi_matrices_new(site, &j->right, GA_CPU, j->a.parts, j->a.ndim, j->a.shape, k, k);
    if (!done || j->a.items == 0 || (k == 0 && columns <= 0)) return done; /* however many there are */
    j->lost = j->a.items;
    return gi_each_matrix(site, j->a.items, most, gi_lay_svd(NULL, most, k, j->a.parts, columns < 0 ? 0 : columns).numbers,
                          GI_WORK_SVD, gi_svd_one, j) &&
           gi_all_done(site, j->lost, j->a.items, "the singular values do not converge");
}

static void gi_svd_free(gi_svd *j)
{
    ga_free(j->a.memory);
    ga_free(j->values.memory);
    ga_free(j->left.memory);
    ga_free(j->right.memory);
}

/* The conjugate transposed of matrices that are then freed. */
static ga_array *gi_conj_turned(const char *site, ga_array *a)
{
    ga_array *turned = a ? gi_matrix_turned(site, a) : NULL;
    ga_array *r      = !turned                   ? NULL
                       : gi_is_complex(a->dtype) ? (ga_conj)(turned, gi_map_site(site))
                                                 : gi_copy_convert(site, turned, a->dtype);
    ga_free(turned);
    ga_free(a);
    return r;
}

bool(ga_svd)(const ga_array *a, ga_array **u, ga_array **s, ga_array **vh, ga_svd_options o)
{
    gi_svd           j;
    ga_array **const to[3]   = { u, s, vh };
    ga_array        *made[3] = { NULL, NULL, NULL };
    gi_hand_out(3, to, made);
    if (!gi_are_matrices(o.site, a, "a", false)) return false;
#ifdef GPUARR_USE_CUSOLVER
    if (gi_solver_takes(a)) return gi_solver_svd(o.site, a, o.full_matrices, to);
#endif
    const int64_t  m = a->shape[a->ndim - 2], n = a->shape[a->ndim - 1], most = m < n ? n : m, k = m < n ? m : n;
    const ga_dtype dtype = gi_linear_dtype(a->dtype);
    const bool     done  = gi_svd_run(o.site, &j, a, !u && !vh ? -1 : o.full_matrices ? most : k);
    ga_array     **left = m < n ? &made[2] : &made[0], **right = m < n ? &made[0] : &made[2];
    if (done && s) made[1] = gi_matrices_result(o.site, &j.values, a->device, gi_dtype_real(dtype), k, -1);
    if (done && (m < n ? vh : u)) *left = gi_matrices_result(o.site, &j.left, a->device, dtype, most, j.left.columns);
    if (done && (m < n ? u : vh)) *right = gi_matrices_result(o.site, &j.right, a->device, dtype, k, k);
    if (made[2]) made[2] = gi_conj_turned(o.site, made[2]);
    gi_svd_free(&j);
    return gi_hand_out(3, to, made) && done;
}

ga_array *(ga_svdvals)(const ga_array *a, const char *site)
{
    gi_svd    j;
    ga_array *s = NULL;
#ifdef GPUARR_USE_CUSOLVER
    ga_array **const to[3] = { NULL, &s, NULL };
    if (!gi_are_matrices(site, a, "a", false)) return NULL;
    if (gi_solver_takes(a)) return gi_solver_svd(site, a, false, to) ? s : NULL;
#endif
    if (gi_svd_run(site, &j, a, -1))
        s = gi_matrices_result(site, &j.values, a->device, gi_dtype_real(gi_linear_dtype(a->dtype)), j.values.rows, -1);
    gi_svd_free(&j);
    return s;
}
