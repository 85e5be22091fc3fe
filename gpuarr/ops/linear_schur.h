/* ---- eig, eigvals --------------------------------------------------------------------------------------------------------------------- */
/*  A matrix is balanced (Parlett and Reinsch, 1969), gets zeros below the diagonal next to the main one, by reflectors, and on that one by
    the QR method with explicit shifts (Francis, 1961; Wilkinson, 1965), all in complex numbers. What rounding takes off the symmetry of a
    real matrix's eigenvalues is then put right. (Without eigenvectors a real matrix stays real: gi_francis_values.) */

enum { GI_SCHUR_STRIP = 64, GI_SCHUR_TRIES = 40 /* for each eigenvalue, before it is given up */ };

typedef struct gi_schur {
    gi_dense h, z; /* the matrix, and what it was multiplied by from the right, turned; no memory: without eigenvectors */
    int64_t  n, l, m, column; /* rotated are rows l to m, from that column on, */
    double  *cosines;         /* k and k + 1 by number k */
    ga_c128 *sines;
    gi_dense turned; /* which matrix of them */
    bool     conjugate;
    double  *scales; /* of balancing, */
    int64_t *swaps;  /* and with which one row and column i has changed places; those before `low` and behind `high` are done */
    int64_t  low, high;
    gi_dense row, sum; /* a reflector, and a sum of rows */
    double  *factors;
} gi_schur;

static int64_t gi_schur_room(int64_t n, bool vectors) { return 13 * n + (vectors ? 6 * n * n : 0); }

static void gi_schur_in(gi_schur *s, const gi_dense *a, int64_t n, double *room, bool vectors)
{
    memset(s, 0, sizeof *s);
    s->h       = *a;
    s->n       = n;
    s->cosines = room;
    s->sines   = (ga_c128 *)(void *)(room + n);
    s->scales  = room + 3 * n;
    s->swaps   = (int64_t *)(void *)(room + 4 * n);
    s->row     = gi_matrix_at(room + 5 * n, 2, n);
    s->sum     = gi_matrix_at(room + 7 * n, 2, n);
    s->factors = room + 9 * n; /* 4 n; with eigenvectors 4 n * n */
    if (!vectors) return;
    s->z = gi_matrix_at(room + 13 * n + 4 * n * n, 2, n);
    memset(s->z.p, 0, (size_t)(2 * n * n) * 8);
    for (int64_t i = 0; i < n; i++) s->z.p[i * s->z.down + i] = 1;
}

GI_BEGIN_FAST
static double gi_size_at(const gi_dense *a, int64_t i, int64_t j)
{
    const ga_c128 x = gi_element(a, i, j);
    return gi_abs_f64(x.re) + gi_abs_f64(x.im);
}

/* ---- balancing ------------------------------------------------------------------------------------------------------------------ */

/* The size of element j of row or column i. */
static double gi_schur_size(const gi_schur *s, int64_t i, int64_t j, bool column)
{
    return column ? gi_size_at(&s->h, j, i) : gi_size_at(&s->h, i, j);
}

/* Of row or column i the others' sizes, from `low` to `high`. */
static double gi_schur_others(const gi_schur *s, int64_t i, bool column)
{
    double sum = 0;
    for (int64_t j = s->low; j <= s->high; j++)
        if (j != i) sum += gi_schur_size(s, i, j, column);
    return sum;
}

/* The length of row or column i, from `low` to `high`. */
static double gi_schur_length(const gi_schur *s, int64_t i, bool column)
{
    double most = 0, sum = 0;
    for (int64_t j = s->low; j <= s->high; j++) {
        const double size = gi_schur_size(s, i, j, column);
        most              = size > most ? size : most;
    }
    for (int64_t j = s->low; j <= s->high && most > 0; j++) {
        const double part = gi_schur_size(s, i, j, column) / most;
        sum += part * part;
    }
    return most * gi_root_f64(sum);
}

static void gi_schur_swap(gi_schur *s, int64_t i, int64_t j)
{
    s->swaps[j] = i;
    if (i == j) return;
    gi_swap_numbers(2 * s->n, s->h.p + i * s->h.down, s->h.p + j * s->h.down);
    for (int64_t r = 0; r < s->n; r++) {
        const ga_c128 x = gi_element(&s->h, r, i);
        gi_set_element(&s->h, r, i, gi_element(&s->h, r, j));
        gi_set_element(&s->h, r, j, x);
    }
}

/* Rows of zeros but for the diagonal go to the end, such columns to the beginning: these eigenvalues are there. */
static void gi_schur_permute(gi_schur *s)
{
    s->low  = 0;
    s->high = s->n - 1;
    for (int64_t i = s->high; i >= 0; i--)
        if (gi_schur_others(s, i, false) == 0) {
            gi_schur_swap(s, i, s->high);
            i = s->high--;
        }
    for (int64_t i = s->low; i <= s->high; i++)
        if (gi_schur_others(s, i, true) == 0) {
            gi_schur_swap(s, i, s->low);
            i = s->low++;
        }
}

/* Rows and columns are multiplied by powers of two, until their lengths are about the same. (Sums of sizes, without the diagonal, would make
   matrices worse that are nearly triangular: James, Langou and Lowery, 2014.) */
static void gi_schur_balance(gi_schur *s)
{
    for (int64_t i = 0; i < s->n; i++) {
        s->scales[i] = 1;
        s->swaps[i]  = i;
    }
    gi_schur_permute(s);
    for (bool again = true; again;) {
        again = false;
        for (int64_t i = s->low; i <= s->high; i++) {
            const double f = gi_balance_factor(gi_schur_length(s, i, true), gi_schur_length(s, i, false), s->scales[i]);
            if (f == 1) continue;
            again = true;
            s->scales[i] *= f;
            gi_scale_row(&s->h, i, 0, s->n, gi_make_c128(1 / f, 0));
            for (int64_t r = 0; r < s->n; r++) gi_set_element(&s->h, r, i, gi_by_c128(gi_element(&s->h, r, i), f));
        }
    }
}

/* ---- zeros below the second diagonal -------------------------------------------------------------------------------------------------- */

/* to -= x u (u^H to) of the rows from `first` on, with u in s->row. */
static void gi_schur_reflect(const gi_linear_loops *loops, gi_schur *s, const gi_dense *to, int64_t first, int64_t column,
                             ga_c128 x)
{
    const int64_t  k    = s->n - first;
    const gi_dense from = gi_submatrix(*to, first, 0);
    memset(s->sum.p, 0, (size_t)(2 * s->n) * 8);
    for (int64_t r = 0; r < k; r++)
        gi_put_factor(s->factors + 2 * r, 2 * k, 2, gi_conj_c128(gi_element(&s->row, 0, first + r)));
    gi_add_rows(loops, s->factors, k, &from, &s->sum, 0, column, s->n - column);
    for (int64_t r = first; r < s->n; r++)
        gi_add_row(loops, to, r, &s->sum, 0, column, s->n - column, gi_neg_c128(gi_mul_c128(x, gi_element(&s->row, 0, r))));
}

static void gi_schur_reduce(gi_schur *s)
{
    const gi_linear_loops *loops = GI_LOOP_OF(linear)();
    for (int64_t j = 0; j + 2 < s->n; j++) {
        for (int64_t i = j + 1; i < s->n; i++) gi_set_element(&s->row, 0, i, gi_element(&s->h, i, j));
        const ga_c128 tau = gi_make_reflector(loops, &s->row, 0, j + 1, s->n), beta = gi_element(&s->row, 0, j + 1);
        gi_set_element(&s->row, 0, j + 1, gi_make_c128(1, 0));
        if (tau.re != 0 || tau.im != 0) {
            gi_schur_reflect(loops, s, &s->h, j + 1, j + 1, gi_conj_c128(tau));
            for (int64_t i = j + 1; i < s->n; i++) s->row.p[s->row.imag + i] = -s->row.p[s->row.imag + i];
            for (int64_t i = 0; i < s->n; i++) { /* each row of h, times 1 - tau v v^H; s->row is conj(v) */
                const ga_c128 x = gi_dot_rows(loops, &s->row, 0, &s->h, i, j + 1, s->n - j - 1);
                gi_add_row(loops, &s->h, i, &s->row, 0, j + 1, s->n - j - 1, gi_neg_c128(gi_mul_c128(tau, x)));
            }
            if (s->z.p) gi_schur_reflect(loops, s, &s->z, j + 1, 0, tau);
        }
        gi_set_element(&s->h, j + 1, j, beta);
        for (int64_t i = j + 2; i < s->n; i++) gi_set_element(&s->h, i, j, gi_make_c128(0, 0));
    }
}

/* ---- the QR method ------------------------------------------------------------------------------------------------------------------- */

/* Rows `row` and the next one become c x + s y and c y - conj(s) x, from column `begin` on. */
static void gi_rotate_rows(const gi_linear_loops *loops, const gi_dense *a, int64_t row, int64_t begin, int64_t n, double c,
                           ga_c128 s)
{
    double *x = a->p + row * a->down + begin;
    loops->rotate_rows(n, x, x + a->down, a->imag, c, s);
}

/* Strips of columns: all rotations of them. */
static void gi_rotate_strips(int64_t begin, int64_t end, void *job)
{
    const gi_schur        *s     = (const gi_schur *)job;
    const gi_linear_loops *loops = GI_LOOP_OF(linear)();
    for (int64_t k = begin; k < end; k++) {
        const int64_t at = s->column + k * GI_SCHUR_STRIP, left = s->n - at;
        for (int64_t i = s->l; i < s->m; i++)
            gi_rotate_rows(loops, &s->turned, i, at, left < GI_SCHUR_STRIP ? left : (int64_t)GI_SCHUR_STRIP, s->cosines[i],
                           s->conjugate ? gi_conj_c128(s->sines[i]) : s->sines[i]);
    }
}
static void gi_rotate_all(gi_schur *s, const gi_dense *a, int64_t column, bool conjugate)
{
    s->turned    = *a;
    s->column    = column;
    s->conjugate = conjugate;
    gi_parallel_bytes((double)((s->m - s->l) * (s->n - column) * 32), (s->n - column + GI_SCHUR_STRIP - 1) / GI_SCHUR_STRIP, 1,
                      gi_rotate_strips, s);
}

/* Columns x and y of some rows become c x + conj(s) y and c y - s x; the rows side by side. */
static void gi_rotate_columns(int64_t begin, int64_t end, void *job)
{
    const gi_schur        *s     = (const gi_schur *)job;
    const gi_linear_loops *loops = GI_LOOP_OF(linear)();
    for (int64_t g = begin; g < end; g++) {
        const int64_t row = s->column + g * GI_SCHUR_ROWS, from = row - 1 > s->l ? row - 1 : s->l;
        const int     rows = s->m - row < GI_SCHUR_ROWS ? (int)(s->m + 1 - row) : (int)GI_SCHUR_ROWS;
        loops->rotate_columns(rows, s->m - from, s->h.p + row * s->h.down + from, s->h.down, s->h.imag, s->cosines + from,
                              s->sines + from);
    }
}

/* h - shift = Q R, of rows and columns l to m; h becomes R Q + shift. */
static void gi_schur_sweep(gi_schur *s, ga_c128 shift)
{
    const gi_dense        *h     = &s->h;
    const gi_linear_loops *loops = GI_LOOP_OF(linear)();
    for (int64_t k = s->l; k <= s->m; k++) gi_set_element(h, k, k, gi_sub_c128(gi_element(h, k, k), shift));
    for (int64_t k = s->l; k < s->m; k++) {
        const ga_c128 x = gi_element(h, k, k), y = gi_element(h, k + 1, k);
        const double  size = gi_length_of(x.re, x.im), all = gi_length_of(size, gi_length_of(y.re, y.im));
        const ga_c128 turn = size == 0 ? gi_make_c128(1, 0) : gi_make_c128(x.re / size, x.im / size);
        s->cosines[k]      = all == 0 ? 1 : size / all;
        s->sines[k]        = all == 0 ? gi_make_c128(0, 0) : gi_by_c128(gi_mul_c128(turn, gi_conj_c128(y)), 1 / all);
        gi_set_element(h, k, k, gi_by_c128(turn, all));
        gi_set_element(h, k + 1, k, gi_make_c128(0, 0));
        gi_rotate_rows(loops, h, k, k + 1, s->m - k, s->cosines[k], s->sines[k]);
    }
    if (s->z.p) {
        gi_rotate_all(s, h, s->m + 1, false);
        gi_rotate_all(s, &s->z, 0, true);
    }
    s->column          = s->z.p ? 0 : s->l;
    const int64_t rows = s->m + 1 - s->column;
    gi_parallel_bytes((double)(rows * (s->m - s->l) * 32), (rows + GI_SCHUR_ROWS - 1) / GI_SCHUR_ROWS, 1, gi_rotate_columns, s);
    for (int64_t k = s->l; k <= s->m; k++) gi_set_element(h, k, k, gi_add_c128(gi_element(h, k, k), shift));
}

/* The eigenvalue of the last two rows and columns that is nearer to the last element; now and then another number, against cycles. */
static ga_c128 gi_schur_shift(const gi_schur *s, int tries)
{
    const int64_t m = s->m;
    const double  size =
        gi_size_at(&s->h, m - 1, m - 1) + gi_size_at(&s->h, m - 1, m) + gi_size_at(&s->h, m, m - 1) + gi_size_at(&s->h, m, m);
    const ga_c128 by = gi_make_c128(size, 0), a = gi_div_c128(gi_element(&s->h, m - 1, m - 1), by),
                  d  = gi_div_c128(gi_element(&s->h, m, m), by);
    const ga_c128 bc = gi_mul_c128(gi_div_c128(gi_element(&s->h, m - 1, m), by), gi_div_c128(gi_element(&s->h, m, m - 1), by));
    const ga_c128 half = gi_by_c128(gi_sub_c128(a, d), 0.5), root = gi_sqrt_c128(gi_add_c128(gi_mul_c128(half, half), bc));
    const ga_c128 more = gi_add_c128(half, root), less = gi_sub_c128(half, root);
    const ga_c128 to    = gi_length_of(more.re, more.im) >= gi_length_of(less.re, less.im) ? more : less;
    const ga_c128 shift = tries % 10 == 9            ? gi_make_c128(0.75, 0.25)
                          : to.re == 0 && to.im == 0 ? d
                                                     : gi_sub_c128(d, gi_div_c128(bc, to));
    return gi_by_c128(shift, size);
}

/* h becomes upper triangular. False: it does not converge. */
static bool gi_schur_run(gi_schur *s)
{
    int tries = 0;
    for (s->m = s->n - 1; s->m > 0;) {
        for (s->l = s->m; s->l > 0; s->l--) {
            const double both   = gi_size_at(&s->h, s->l, s->l) + gi_size_at(&s->h, s->l - 1, s->l - 1);
            const double beside = gi_size_at(&s->h, s->l, s->l - 1);
            if (beside <= DBL_EPSILON / 2 * both || beside < DBL_MIN / DBL_EPSILON) break;
        }
        if (s->l > 0) gi_set_element(&s->h, s->l, s->l - 1, gi_make_c128(0, 0));
        if (s->l == s->m) {
            s->m--;
            tries = 0;
        } else if (tries == GI_SCHUR_TRIES) return false;
        else gi_schur_sweep(s, gi_schur_shift(s, tries++));
    }
    return true;
}

/* ---- eigenvectors ---------------------------------------------------------------------------------------------------------------------- */

/* Row k of x: the conjugate of an eigenvector of h, whose elements from k + 1 on are 0. */
static void gi_schur_solve(const gi_schur *s, const gi_dense *x, double least)
{
    const gi_linear_loops *loops = GI_LOOP_OF(linear)();
    memset(x->p, 0, (size_t)(2 * s->n * s->n) * 8);
    for (int64_t k = 0; k < s->n; k++) {
        const ga_c128 value = gi_element(&s->h, k, k);
        gi_set_element(x, k, k, gi_make_c128(1, 0));
        for (int64_t i = k - 1; i >= 0; i--) {
            ga_c128 by = gi_sub_c128(value, gi_element(&s->h, i, i));
            if (gi_abs_f64(by.re) + gi_abs_f64(by.im) < least) by = gi_make_c128(least, 0);
            const ga_c128 y = gi_div_c128(gi_dot_rows(loops, x, k, &s->h, i, i + 1, k - i), by);
            gi_set_element(x, k, i, gi_conj_c128(y));
            if (gi_size_at(x, k, i) > 1e100) gi_scale_row(x, k, i, k + 1 - i, gi_make_c128(1e-100, 0));
        }
    }
}

/* Row k of v, an eigenvector of the balanced matrix, becomes one of the matrix: of length 1, its largest element real. */
static void gi_schur_finish(const gi_schur *s, const gi_dense *v, int64_t k)
{
    double  size = 0, sum = 0;
    ga_c128 largest = gi_make_c128(1, 0);
    for (int64_t i = s->low; i <= s->high; i++) gi_set_element(v, k, i, gi_by_c128(gi_element(v, k, i), s->scales[i]));
    for (int64_t i = 0; i < s->n; i++) { /* the swaps, the last one first */
        const int64_t at = i < s->low ? s->low - 1 - i : i, with = s->swaps[at];
        if (i >= s->low && i <= s->high) continue;
        const ga_c128 x = gi_element(v, k, at);
        gi_set_element(v, k, at, gi_element(v, k, with));
        gi_set_element(v, k, with, x);
    }
    gi_scale_row(v, k, 0, s->n, gi_make_c128(gi_row_scale(v, k, 0, s->n), 0));
    for (int64_t i = 0; i < s->n; i++) {
        const ga_c128 x      = gi_element(v, k, i);
        const double  square = x.re * x.re + x.im * x.im;
        largest              = square > size ? x : largest;
        size                 = square > size ? square : size;
        sum += square;
    }
    gi_scale_row(v, k, 0, s->n,
                 gi_by_c128(gi_conj_c128(largest), 1 / (gi_length_of(largest.re, largest.im) * gi_root_f64(sum))));
}

/* The spectrum of a real matrix is that of its conjugate: an eigenvalue that is nearest to its own conjugate is real, others come in pairs,
   with their eigenvectors; as far as it is rounding, up to `far`, that they are not. `taken`: n places, 0. */
static void gi_schur_pair(int64_t n, ga_c128 *w, const gi_dense *v, int64_t *taken, double far)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t pair = i;
        double  near = 2 * gi_abs_f64(w[i].im);
        if (taken[i]) continue;
        for (int64_t j = i + 1; j < n; j++) {
            const double away = gi_length_of(w[j].re - w[i].re, w[j].im + w[i].im);
            if (taken[j] || away >= near) continue;
            near = away;
            pair = j;
        }
        taken[i] = taken[pair] = 1;
        if (near > far) continue;
        const double sign = pair == i ? 0 : w[i].im < 0 ? -1 : 1; /* the first of a pair is above the real axis */
        w[i]              = gi_make_c128((w[i].re + w[pair].re) / 2, sign * (w[i].im - w[pair].im) / 2 + 0);
        w[pair]           = gi_make_c128(w[i].re, 0 - w[i].im);
        for (int64_t k = 0; v && k < n; k++) {
            const ga_c128 x = gi_element(v, i, k);
            gi_set_element(v, i, k, gi_make_c128(x.re, sign * x.im + 0));
            gi_set_element(v, pair, k, gi_make_c128(x.re, 0 - sign * x.im));
        }
        const double size = v && pair == i ? gi_dot_rows(GI_LOOP_OF(linear)(), v, i, v, i, 0, n).re : 1;
        if (size != 1) gi_scale_row(v, i, 0, n, gi_make_c128(1 / gi_root_f64(size), 0));
    }
}
GI_END_FAST

typedef struct gi_spectra {
    gi_matrices a, values, vectors; /* a: real if it has one part; vectors: left out if it has no memory */
    bool        real;
    int64_t     lost, odd; /* the first item that does not converge, and the first one with numbers that are not finite */
} gi_spectra;

static bool gi_schur_one(const char *site, int64_t item, double *room, void *job)
{
    gi_spectra    *j = (gi_spectra *)job;
    const gi_dense a = gi_matrix(&j->a, item), values = gi_matrix(&j->values, item), vectors = gi_matrix(&j->vectors, item);
    const int64_t  n     = j->a.rows;
    const bool     whole = j->vectors.memory != NULL;
    const double   scale = gi_scale_matrix(&a, n, n);
    gi_schur       s;
    if (scale != scale) return gi_note_item(&j->odd, item), true;
#ifdef GPUARR_USE_LAPACKE
    bool lost = false;
    if (site && gi_lapack_spectrum(&a, n, j->real, &values, whole ? &vectors : NULL, &lost)) {
        if (lost) gi_note_item(&j->lost, item);
        for (int64_t i = 0; i < n && !lost; i++) gi_set_element(&values, i, 0, gi_by_c128(gi_element(&values, i, 0), scale));
        return true;
    }
#endif
    if (j->a.parts == 1) {
        const ga_c128 *w = gi_francis_values(&a, n, room);
        if (!w) return gi_note_item(&j->lost, item), true;
        for (int64_t i = 0; i < n; i++) gi_set_element(&values, i, 0, gi_make_c128(w[i].re * scale, w[i].im * scale));
        return true;
    }
    gi_schur_in(&s, &a, n, room, whole);
    gi_schur_balance(&s);
    gi_schur_reduce(&s);
    if (!gi_schur_run(&s)) return gi_note_item(&j->lost, item), true;
    for (int64_t i = 0; i < n; i++) s.sines[i] = gi_element(&a, i, i);
    double least = DBL_MIN / DBL_EPSILON;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = i; k < n; k++)
            least = gi_size_at(&a, i, k) * DBL_EPSILON > least ? gi_size_at(&a, i, k) * DBL_EPSILON : least;
    if (whole) {
        gi_schur_solve(&s, &vectors, least);
        gi_make_factors(s.factors, n, n, &vectors, false, 1, -1);
        memset(a.p, 0, (size_t)(2 * n * n) * 8);
        if (!gi_linear_update(site, s.factors, n, n, &s.z, &a, n)) return false;
        for (int64_t k = 0; k < n; k++) gi_schur_finish(&s, &a, k);
    }
    memset(s.swaps, 0, (size_t)n * 8);
    if (j->real) gi_schur_pair(n, s.sines, whole ? &a : NULL, s.swaps, 8 * (double)n * least);
    if (whole) gi_turn_matrix(&vectors, n, n, &a);
    for (int64_t i = 0; i < n; i++) gi_set_element(&values, i, 0, gi_make_c128(s.sines[i].re * scale, s.sines[i].im * scale));
    return true;
}

static bool gi_schur_all(const char *site, const ga_array *a, ga_array **w, ga_array **v)
{
    gi_spectra       j;
    ga_array **const to[2]   = { w, v };
    ga_array        *made[2] = { NULL, NULL };
    gi_hand_out(2, to, made);
    if (!gi_are_matrices(site, a, "a", true)) return false;
    memset(&j, 0, sizeof j);
    j.real                 = !gi_is_complex(a->dtype);
    const int64_t  n       = a->shape[a->ndim - 1];
    const ga_dtype dtype   = a->dtype == GA_F32 || a->dtype == GA_C64 ? GA_C64 : GA_C128;
    const bool     francis = j.real && !v;
    bool           done    = gi_matrices_of(site, &j.a, GA_CPU, a, francis ? 1 : 2) &&
                gi_matrices_new(site, &j.values, GA_CPU, 2, j.a.ndim, j.a.shape, n, 1) &&
                (!v || gi_matrices_new(site, &j.vectors, GA_CPU, 2, j.a.ndim, j.a.shape, n, n));
    j.lost = j.odd = j.a.items;
    done           = done &&
           gi_each_matrix(site, j.a.items, n, francis ? gi_francis_room(n) : gi_schur_room(n, v != NULL), GI_WORK_EIG,
                          gi_schur_one, &j) &&
           gi_all_done(site, j.odd, j.a.items, "a has numbers that are not finite") &&
           gi_all_done(site, j.lost, j.a.items, "the eigenvalues do not converge");
    if (done && w) made[0] = gi_matrices_result(site, &j.values, a->device, dtype, n, -1);
    if (done && v) made[1] = gi_matrices_result(site, &j.vectors, a->device, dtype, n, n);
    ga_free(j.a.memory);
    ga_free(j.values.memory);
    ga_free(j.vectors.memory);
    return gi_hand_out(2, to, made) && done;
}

bool(ga_eig)(const ga_array *a, ga_array **w, ga_array **v, const char *site) { return gi_schur_all(site, a, w, v); }

ga_array *(ga_eigvals)(const ga_array *a, const char *site)
{
    ga_array *w = NULL;
    return gi_schur_all(site, a, &w, NULL) ? w : NULL;
}
