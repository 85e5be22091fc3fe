/* ---- solve, inv, det, slogdet, cholesky, solve_triangular ---------------------------------------------------------------------- */
/*  LU decomposition with partial pivoting, and Cholesky's, in blocks of columns: a block is turned, so that its columns lie side by side,
    and decomposed column by column, each with all columns to its left at a time; then the matrix right of it is updated by a product. */

typedef struct gi_lu {
    gi_matrices a;        /* becomes L (without its diagonal of ones) and U */
    int32_t    *pivots;   /* of each item: row k was swapped with that row */
    ga_array   *memory;   /* of the pivots */
    int64_t     singular; /* the first singular item, or `items` */
    gi_matrices b;        /* ga_solve: becomes x */
    bool        inverse;  /* b is the unit matrix to begin with */
    gi_triangle triangle; /* ga_solve_triangular: how */
} gi_lu;

GI_BEGIN_FAST
/* Column c of a turned block, less what the columns to its left say: u (or conjugated l) times l. `top`: so is what stands above. */
static void gi_reduce_column(const gi_linear_loops *loops, const gi_dense *p, int64_t c, int64_t m, bool top)
{
    const int parts = p->parts;
    double    factors[2 * 2 * GI_LINEAR_SMALL];
    if (top) {
        for (int64_t r = 0; r + 1 < c; r++) {
            const ga_c128  u     = gi_element(p, c, r);
            const gi_dense above = gi_submatrix(*p, r, 0);
            gi_put_factor(factors, 2, parts, gi_neg_c128(u));
            gi_add_rows(loops, factors, 1, &above, p, c, r + 1, c - r - 1);
        }
    }
    for (int64_t r = 0; r < c; r++) {
        const ga_c128 u = top ? gi_element(p, c, r) : gi_conj_c128(gi_element(p, r, c));
        gi_put_factor(factors + r * parts, c * parts, parts, gi_neg_c128(u));
    }
    if (c > 0) gi_add_rows(loops, factors, c, p, p, c, c, m - c);
}

/* Decomposes a turned block of n columns of m elements each. False: a pivot is 0. */
static bool gi_lu_block(const gi_dense *p, int64_t n, int64_t m, int32_t *pivots)
{
    const gi_linear_loops *loops   = GI_LOOP_OF(linear)();
    bool                   regular = true;
    if (p->parts == 1 && m <= GI_LINEAR_SMALL) return loops->columns(n, m, p->p, p->down, pivots); /* the same operations */
    for (int64_t c = 0; c < n && c < m; c++) {
        gi_reduce_column(loops, p, c, m, true);
        const double *re = p->p + c * p->down, *im = re + p->imag;
        int64_t       pivot = c;
        double        most  = -1;
        for (int64_t i = c; i < m; i++) {
            const double size = gi_abs_f64(re[i]) + (p->parts == 2 ? gi_abs_f64(im[i]) : 0);
            if (size > most) most = size, pivot = i;
        }
        pivots[c] = (int32_t)pivot;
        for (int64_t k = 0; k < n * p->parts && pivot != c; k++) {
            double *column = p->p + k * (p->parts == 2 ? p->imag : p->down), t = column[c];
            column[c]     = column[pivot];
            column[pivot] = t;
        }
        if (most == 0) regular = false;
        else gi_divide_row(p, c, c + 1, m - c - 1, gi_element(p, c, c));
    }
    return regular;
}
GI_END_FAST

/* Numbers that a matrix of n rows needs: a turned block, and factors. */
static int64_t gi_lu_room(int64_t n, int parts)
{
    const int64_t block = n <= GI_LINEAR_SMALL ? n : (int64_t)GI_LINEAR_BLOCK;
    return n * block * parts * (parts + 1);
}

/* Decomposes a square matrix. `site` NULL: in one block. False with an error; a singular one is noted. */
static bool gi_lu_matrix(const char *site, const gi_dense *a, int64_t n, int32_t *pivots, bool *singular, double *room)
{
    const int64_t block = site ? (int64_t)GI_LINEAR_BLOCK : n;
    const int     parts = a->parts;
    *singular           = false;
    for (int64_t at = 0, k; at < n; at += k) {
        k                     = n - at < block ? n - at : block;
        const int64_t  m      = n - at;
        const gi_dense turned = gi_matrix_at(room, parts, m), here = gi_submatrix(*a, at, at);
        double        *factors = room + k * m * parts;
        gi_turn_matrix(&turned, m, k, &here);
        if (!gi_lu_block(&turned, k, m, pivots + at)) *singular = true;
        gi_turn_matrix(&here, k, m, &turned);
        for (int64_t r = at; r < at + k; r++) {
            pivots[r] += (int32_t)at;
            for (int part = 0; part < parts && pivots[r] != r; part++) {
                double *x = a->p + r * a->down + part * a->imag, *y = a->p + pivots[r] * a->down + part * a->imag;
                gi_swap_numbers(at, x, y);
                gi_swap_numbers(n - at - k, x + at + k, y + at + k);
            }
        }
        const int64_t rest = m - k;
        gi_triangle   t;
        if (rest == 0) break;
        memset(&t, 0, sizeof t);
        t.a    = here;
        t.b    = gi_submatrix(*a, at, at + k);
        t.size = k;
        t.n    = rest;
        t.unit = true;
        if (!gi_solve_triangle(site, &t, factors)) return false;
        const gi_dense left = gi_submatrix(*a, at + k, at), right = gi_submatrix(*a, at + k, at + k);
        gi_make_factors(factors, rest, k, &left, false, -1, -1);
        if (!gi_linear_update(site, factors, rest, k, &t.b, &right, rest)) return false;
    }
    return true;
}

/* x of a decomposed matrix and b, which becomes it. */
static bool gi_lu_solve(const char *site, const gi_dense *a, int64_t n, const int32_t *pivots, const gi_dense *b,
                        int64_t columns, double *room)
{
    gi_triangle t;
    for (int64_t r = 0; r < n; r++)
        for (int part = 0; part < a->parts && pivots[r] != r; part++)
            gi_swap_numbers(columns, b->p + r * b->down + part * b->imag, b->p + pivots[r] * b->down + part * b->imag);
    memset(&t, 0, sizeof t);
    t.a    = *a;
    t.b    = *b;
    t.size = n;
    t.n    = columns;
    t.unit = true;
    if (!gi_solve_triangle(site, &t, room)) return false;
    t.unit  = false;
    t.upper = true;
    return gi_solve_triangle(site, &t, room);
}

/* One matrix of a stack: decomposed, and the system solved if there is one. */
static bool gi_lu_one(const char *site, int64_t item, double *room, void *job)
{
    gi_lu         *j = (gi_lu *)job;
    const gi_dense a = gi_matrix(&j->a, item), b = gi_matrix(&j->b, item);
    const int64_t  n      = j->a.rows;
    int32_t       *pivots = j->pivots + item * n;
    bool           singular;
    if (!gi_lu_matrix(site, &a, n, pivots, &singular, room)) return false;
    if (singular) gi_note_item(&j->singular, item);
    for (int64_t i = 0; i < n * j->b.columns * b.parts && j->b.memory && singular; i++) b.p[i] = gi_nan_f64();
    if (!j->b.memory || singular) return true;
    for (int64_t i = 0; i < n && j->inverse; i++) {
        memset(b.p + i * b.down, 0, (size_t)(b.down * 8));
        b.p[i * b.down + i] = 1;
    }
    return gi_lu_solve(site, &a, n, pivots, &b, j->b.columns, room);
}

/* ---- stacks of small real matrices: GI_LINEAR_LANES at once, by the same operations ------------------------------------------------ */

static bool gi_are_for_lanes(const gi_matrices *m) { return m->parts == 1 && m->rows <= GI_LINEAR_LANES && m->items > 1; }

/* The items from `first` on into lanes, `numbers` of each; the last one fills what lanes are left. Returns how many there are. */
static int64_t gi_into_lanes(double *lanes, const gi_matrices *m, int64_t first, int64_t numbers)
{
    const int64_t left = m->items - first, items = left < GI_LINEAR_LANES ? left : (int64_t)GI_LINEAR_LANES;
    for (int64_t l = 0; l < GI_LINEAR_LANES; l++) {
        const double *x = m->at + (first + (l < items ? l : items - 1)) * numbers;
        for (int64_t k = 0; k < numbers; k++) lanes[k * GI_LINEAR_LANES + l] = x[k];
    }
    return items;
}

static void gi_from_lanes(const double *lanes, const gi_matrices *m, int64_t first, int64_t items, int64_t numbers)
{
    for (int64_t l = 0; l < items; l++)
        for (int64_t k = 0; k < numbers; k++) m->at[(first + l) * numbers + k] = lanes[k * GI_LINEAR_LANES + l];
}

/* The rows of an item of b into a lane, as the pivots swap them. */
static void gi_rows_into_lane(double *lanes, const gi_lu *j, int64_t item, const double *pivots)
{
    const int64_t n = j->b.rows, columns = j->b.columns;
    const double *x = j->b.at + item * n * columns;
    int           order[GI_LINEAR_LANES];
    for (int i = 0; i < n; i++) order[i] = i;
    for (int i = 0; i < n; i++) {
        const int other = (int)pivots[i * GI_LINEAR_LANES], row = order[i];
        order[i]     = order[other];
        order[other] = row;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < columns; c++)
            lanes[(i * columns + c) * GI_LINEAR_LANES] = j->inverse ? order[i] == c : x[order[i] * columns + c];
}

static void gi_lu_lanes(int64_t begin, int64_t end, void *job)
{
    gi_lu                 *j     = (gi_lu *)job;
    const gi_linear_loops *loops = GI_LOOP_OF(linear)();
    const int64_t          n = j->a.rows, columns = j->b.memory ? j->b.columns : 0;
    GI_ARENA(double, a, (n * n + n * columns + n + 1) * GI_LINEAR_LANES);
    double *b = a + n * n * GI_LINEAR_LANES, *pivots = b + n * columns * GI_LINEAR_LANES,
           *regular = pivots + n * GI_LINEAR_LANES;
    for (int64_t first = begin * GI_LINEAR_LANES; first < end * GI_LINEAR_LANES; first += GI_LINEAR_LANES) {
        const int64_t items = gi_into_lanes(a, &j->a, first, n * n);
        loops->lu(n, a, pivots, regular);
        for (int64_t l = 0; l < items; l++) {
            if (regular[l] == 0) gi_note_item(&j->singular, first + l);
            for (int64_t i = 0; i < n; i++) j->pivots[(first + l) * n + i] = (int32_t)pivots[i * GI_LINEAR_LANES + l];
        }
        if (!j->b.memory) {
            gi_from_lanes(a, &j->a, first, items, n * n);
            continue;
        }
        for (int64_t l = 0; l < GI_LINEAR_LANES; l++)
            gi_rows_into_lane(b + l, j, first + (l < items ? l : items - 1), pivots + l);
        loops->solve(n, columns, a, b);
        for (int64_t k = 0; k < n * columns * GI_LINEAR_LANES; k++)
            if (regular[k % GI_LINEAR_LANES] == 0) b[k] = gi_nan_f64();
        gi_from_lanes(b, &j->b, first, items, n * columns);
    }
}

/* Calls a task for all groups of lanes. */
static void gi_each_lanes(const gi_matrices *m, gi_task task, void *job)
{
    const int64_t work = 1 + m->rows * m->rows * (m->rows + 8), groups = (m->items + GI_LINEAR_LANES - 1) / GI_LINEAR_LANES;
    gi_parallel_bytes((double)m->items * (double)work, groups, 1 + 8192 / work, task, job);
}

/* The same on a GPU, for all items at a time. */
static bool gi_linear_on_gpu(const char *site, gi_linear_task task, gi_lu *j)
{
    gi_linear_job g;
    const int64_t n = j->a.rows, items = j->a.items;
    ga_array     *bad = gi_array_new(site, GA_BOOL, GA_CUDA, 1, &items);
    if (!bad || !gi_gpu->clear(site, bad)) return ga_free(bad), false;
    memset(&g, 0, sizeof g);
    g.task      = task;
    g.whole     = gi_is_small_matrix(n, gi_lu_room(n, j->a.parts));
    g.inverse   = j->inverse;
    g.upper     = j->triangle.upper;
    g.unit      = j->triangle.unit;
    g.across    = j->triangle.across;
    g.conjugate = j->triangle.conjugate;
    g.items     = items;
    g.size      = n;
    g.a         = gi_matrix(&j->a, 0);
    g.next_a    = n * g.a.down;
    g.pivots    = j->pivots;
    g.bad       = (bool *)bad->data;
    if (j->b.memory) {
        g.columns = j->b.columns;
        g.b       = gi_matrix(&j->b, 0);
        g.next_b  = n * g.b.down;
    }
    bool done = gi_gpu->linear(site, bad, &g);
    bad       = gi_copy_move(site, bad, GA_CPU);
    done      = done && bad;
    for (int64_t item = items - 1; item >= 0 && bad; item--)
        if (((const bool *)bad->data)[item]) j->singular = item;
    ga_free(bad);
    return done;
}

/* Does that with all matrices: on the CPU one(site, item, room, j), or, if they are small, lanes for groups of them (NULL: there is no
   such loop). The first one that cannot be done is noted. */
static bool gi_linear_run(const char *site, gi_linear_task task, gi_on_matrix one, gi_task lanes, gi_lu *j)
{
    j->singular = j->a.items;
    if (j->a.memory->device == GA_CUDA) return gi_linear_on_gpu(site, task, j);
    if (lanes && gi_are_for_lanes(&j->a) && (!j->b.memory || j->b.columns <= 4 * GI_LINEAR_LANES)) {
        gi_each_lanes(&j->a, lanes, j);
        return true;
    }
    return gi_each_matrix(site, j->a.items, j->a.rows, gi_lu_room(j->a.rows, j->a.parts), GI_WORK_LU, one, j);
}

/* Decomposes all matrices, and solves for those of b. */
static bool gi_lu_run(const char *site, gi_lu *j)
{
    const int64_t n = j->a.rows, lengths[2] = { j->a.items, n };
    j->memory = gi_array_new(site, GA_I32, j->a.memory->device, 2, lengths);
    if (!j->memory) return false;
    j->pivots = (int32_t *)j->memory->data;
    return gi_linear_run(site, GI_LINEAR_LU, gi_lu_one, gi_lu_lanes, j);
}

static void gi_lu_free(gi_lu *j)
{
    ga_free(j->memory);
    ga_free(j->a.memory);
    ga_free(j->b.memory);
}

/* The matrices of a and the columns of b, both broadcast to one stack; a b of one axis is one column. False with an error. */
static bool gi_take_system(const char *site, gi_matrices *x, gi_matrices *y, const ga_array *a, const ga_array *b)
{
    const bool    vector = b->ndim == 1;
    const int     rows = vector ? 0 : b->ndim - 2, n = a->ndim - 2, stacks = rows > n ? rows : n;
    const int64_t size  = a->shape[n];
    const int     parts = gi_is_complex(a->dtype) || gi_is_complex(b->dtype) ? 2 : 1;
    int64_t       shape[GPUARR_MAX_DIMS];
    memset(x, 0, sizeof *x);
    memset(y, 0, sizeof *y);
    if (b->shape[rows] != size)
        return gi_fail(site, GA_BAD_SHAPE, "shapes %s and %s do not fit: a has %lld rows, b %lld", gi_shape_of(a),
                       gi_shape_of(b), (long long)size, (long long)b->shape[rows]) != NULL;
    for (int d = 1; d <= stacks; d++) {
        const int64_t of_a = d <= n ? a->shape[n - d] : 1, of_b = d <= rows ? b->shape[rows - d] : 1;
        if (of_a != of_b && of_a != 1 && of_b != 1)
            return gi_fail(site, GA_BAD_SHAPE, "shapes %s and %s do not fit: the axes before the last two do not broadcast",
                           gi_shape_of(a), gi_shape_of(b)) != NULL;
        shape[stacks - d] = of_a == 1 ? of_b : of_a;
    }
    ga_array *column = vector ? (ga_expand_dims)(b, 1, site) : (ga_view)(b, site);
    bool      done   = column && gi_matrices_new(site, x, a->device, parts, stacks, shape, size, size) &&
                gi_matrices_fill(site, x, a) &&
                gi_matrices_new(site, y, a->device, parts, stacks, shape, size, column->shape[column->ndim - 1]) &&
                gi_matrices_fill(site, y, column);
    ga_free(column);
    return done;
}

static const char gi_singular[] = "singular matrix: no inverse, and not one solution (ga_lstsq and ga_pinv give the nearest)";

ga_array *(ga_solve)(const ga_array *a, const ga_array *b, const char *site)
{
    gi_lu     j;
    ga_array *x = NULL;
    if (!gi_are_system(site, a, b, true)) return NULL;
#ifdef GPUARR_USE_CUSOLVER
    if (a->ndim == 2 && b->ndim <= 2 && b->shape[0] == a->shape[0] && b->size > 0 && gi_solver_takes_large(a))
        return gi_solver_solve(site, a, b, gi_singular);
#endif
    memset(&j, 0, sizeof j);
    if (gi_take_system(site, &j.a, &j.b, a, b) && gi_lu_run(site, &j) && gi_all_done(site, j.singular, j.a.items, gi_singular))
        x = gi_matrices_result(site, &j.b, a->device,
                               gi_linear_dtype(ga_promote(gi_linear_dtype(a->dtype), gi_linear_dtype(b->dtype))), j.a.rows,
                               b->ndim == 1 ? -1 : j.b.columns);
    gi_lu_free(&j);
    return x;
}

/* The inverse; of a singular matrix it is an error, or NaN. */
static ga_array *gi_inverse(const char *site, const ga_array *a, bool singular_too)
{
    gi_lu     j;
    ga_array *x = NULL;
    if (!gi_are_matrices(site, a, "a", true)) return NULL;
#ifdef GPUARR_USE_CUSOLVER
    if (a->ndim == 2 && !singular_too && gi_solver_takes_large(a)) return gi_solver_solve(site, a, NULL, gi_singular);
#endif
    memset(&j, 0, sizeof j);
    j.inverse = true;
    if (gi_matrices_of(site, &j.a, a->device, a, 1) &&
        gi_matrices_new(site, &j.b, a->device, j.a.parts, j.a.ndim, j.a.shape, j.a.rows, j.a.rows) && gi_lu_run(site, &j) &&
        (singular_too || gi_all_done(site, j.singular, j.a.items, gi_singular)))
        x = gi_matrices_result(site, &j.b, a->device, gi_linear_dtype(a->dtype), j.a.rows, j.a.rows);
    gi_lu_free(&j);
    return x;
}

ga_array *(ga_inv)(const ga_array *a, const char *site) { return gi_inverse(site, a, false); }

/* ---- determinants ---------------------------------------------------------------------------------------------------------------- */

/* x; where it is very large or very small, without its power of two, which is added to *power. */
static ga_c128 gi_without_power(ga_c128 x, int64_t *power)
{
    const double re = gi_abs_f64(x.re), im = gi_abs_f64(x.im), size = re > im ? re : im;
    int          exponent;
    if ((size > 1e-150 && size < 1e150) || !(size > 0 && size < gi_infinity_f64())) return x;
    (void)frexp(size, &exponent);
    *power += exponent;
    return gi_make_c128(ldexp(x.re, -exponent), ldexp(x.im, -exponent));
}

/* The product of the diagonal: a number, and a power of two by which it is to be multiplied. */
static ga_c128 gi_determinant(const gi_lu *j, int64_t item, int64_t *power)
{
    const gi_dense a       = gi_matrix(&j->a, item);
    const int64_t  n       = j->a.columns;
    ga_c128        product = gi_make_c128(1, 0);
    *power                 = 0;
    for (int64_t i = 0; i < n; i++) { /* of a GPU's matrix there is one row */
        const ga_c128 x = gi_without_power(gi_element(&a, j->a.rows == 1 ? 0 : i, i), power);
        if (j->pivots[item * n + i] != i) product = gi_neg_c128(product);
        product = j->a.parts == 2 ? gi_mul_c128(product, x) : gi_make_c128(product.re * x.re, 0);
        product = gi_without_power(product, power);
    }
    return product;
}

/* What is computed of the decomposed matrices. */
typedef struct gi_det {
    gi_lu     lu;
    ga_array *number; /* the determinant of each, or its sign */
    ga_array *log;    /* of its size; NULL: not wanted */
} gi_det;

static void gi_det_items(int64_t begin, int64_t end, void *job)
{
    const gi_det *j     = (const gi_det *)job;
    const int     parts = j->lu.a.parts;
    for (int64_t item = begin; item < end; item++) {
        int64_t      power;
        ga_c128      x    = gi_determinant(&j->lu, item, &power);
        const int    by   = power > 5000 ? 5000 : power < -5000 ? -5000 : (int)power;
        const double size = parts == 2 ? gi_abs_c128(x) : gi_abs_f64(x.re);
        if (!j->log && by != 0) x = gi_make_c128(ldexp(x.re, by), ldexp(x.im, by));
        if (j->log) {
            double *log = (double *)j->log->data + item;
            gi_row_kernel(gi_row_log(), GA_F64)(1, log, &size, NULL, NULL);
            *log += 0.6931471805599453 * (double)power;
            if (parts == 1) x.re = x.re > 0 ? 1 : x.re < 0 ? -1 : x.re; /* of NaN it is NaN */
            else x = size == 0 ? gi_make_c128(0, 0) : gi_make_c128(x.re / size, x.im / size);
        }
        if (parts == 2) ((ga_c128 *)j->number->data)[item] = x;
        else ((double *)j->number->data)[item] = x.re;
    }
}

/* These numbers, which are taken over, in that dtype on a device. */
static ga_array *gi_numbers_finish(const char *site, ga_array *wide, ga_device device, ga_dtype dtype)
{
    return gi_copy_move(site, gi_copy_finish(site, wide, dtype, NULL), device);
}

/* Of matrices on a GPU the diagonals, as rows, and the pivots come to the CPU. */
static bool gi_lu_bring_diagonals(const char *site, gi_lu *j)
{
    const int64_t n = j->a.columns, parts = j->a.parts, shape[3] = { j->a.items, parts, n },
                  strides[3] = { n * n * parts * 8, n * 8, (n * parts + 1) * 8 };
    if (j->memory->device == GA_CPU) return true;
    ga_array *diagonal = gi_array_new_view(site, j->a.memory, j->a.at, GA_F64, 3, shape, strides);
    ga_free(j->a.memory);
    j->a.memory = gi_copy_move(site, diagonal, GA_CPU);
    j->memory   = gi_copy_move(site, j->memory, GA_CPU);
    if (!j->a.memory || !j->memory) return false;
    j->a.rows = 1;
    j->a.at   = (double *)j->a.memory->data;
    j->pivots = (int32_t *)j->memory->data;
    return true;
}

/* Decomposes the matrices of a, and computes the numbers. False with an error. */
static bool gi_det_run(const char *site, gi_det *j, const ga_array *a, bool log)
{
    const gi_matrices *m = &j->lu.a;
    memset(j, 0, sizeof *j);
    if (gi_are_matrices(site, a, "a", true) && gi_matrices_of(site, &j->lu.a, a->device, a, 1) && gi_lu_run(site, &j->lu) &&
        gi_lu_bring_diagonals(site, &j->lu))
        j->number = gi_array_new(site, m->parts == 2 ? GA_C128 : GA_F64, GA_CPU, m->ndim, m->shape);
    if (j->number && log) j->log = gi_array_new(site, GA_F64, GA_CPU, m->ndim, m->shape);
    const bool done = j->number && (!log || j->log);
    if (done) gi_parallel_bytes(40.0 * (double)m->items * (double)(m->rows + 4), m->items, 256, gi_det_items, j);
    gi_lu_free(&j->lu);
    return done;
}

ga_array *(ga_det)(const ga_array *a, const char *site)
{
    gi_det j;
    return gi_det_run(site, &j, a, false) ? gi_numbers_finish(site, j.number, a->device, gi_linear_dtype(a->dtype)) : NULL;
}

bool(ga_slogdet)(const ga_array *a, ga_array **sign, ga_array **logabsdet, const char *site)
{
    gi_det           j;
    ga_array **const to[2] = { sign, logabsdet };
    const bool       done  = gi_det_run(site, &j, a, true);
    ga_array        *made[2];
    made[0] = done ? gi_numbers_finish(site, j.number, a->device, gi_linear_dtype(a->dtype)) : j.number;
    made[1] = done ? gi_numbers_finish(site, j.log, a->device, gi_dtype_real(gi_linear_dtype(a->dtype))) : NULL;
    if (!made[0] || !made[1]) { /* a failed call gives nothing */
        ga_free(made[0]);
        ga_free(made[1]);
        made[0] = made[1] = NULL;
    }
    return gi_hand_out(2, to, made) && made[0] != NULL;
}

/* ---- Cholesky ---------------------------------------------------------------------------------------------------------------------- */

GI_BEGIN_FAST
static bool gi_cholesky_block(const gi_dense *p, int64_t n, int64_t m)
{
    const gi_linear_loops *loops = GI_LOOP_OF(linear)();
    for (int64_t c = 0; c < n; c++) {
        gi_reduce_column(loops, p, c, m, false);
        const double pivot = p->p[c * p->down + c];
        if (!(pivot > 0)) return false;
        const double root = gi_root_f64(pivot);
        gi_divide_row(p, c, c + 1, m - c - 1, gi_make_c128(root, 0));
        gi_set_element(p, c, c, gi_make_c128(root, 0));
    }
    return true;
}
GI_END_FAST

/* The lower triangle of a becomes that of its decomposition, from which b is known to be no such matrix. */
static bool gi_cholesky_matrix(const char *site, const gi_dense *a, int64_t n, bool *bad, double *room)
{
    enum { HIGH = 128 }; /* rows that are updated at a time, up to the diagonal */
    const int64_t block = site ? (int64_t)GI_LINEAR_BLOCK : n;
    const int     parts = a->parts;
    for (int64_t at = 0, k; at < n; at += k) {
        k                = n - at < block ? n - at : block;
        const int64_t  m = n - at, rest = m - k;
        const gi_dense turned = gi_matrix_at(room, parts, m), here = gi_submatrix(*a, at, at);
        gi_dense       right   = gi_submatrix(turned, 0, k);
        double        *factors = room + k * m * parts;
        gi_turn_matrix(&turned, m, k, &here);
        *bad = !gi_cholesky_block(&turned, k, m);
        if (*bad) return true;
        gi_turn_matrix(&here, k, m, &turned);
        for (int64_t i = 0; i < k; i++)
            for (int part = 0; part < parts; part++)
                memset(here.p + i * a->down + part * a->imag + i + 1, 0, (size_t)(n - at - i - 1) * 8);
        if (rest == 0) break;
        gi_make_factors(factors, rest, k, &right, true, -1, -1);
        for (int64_t i = 0; i < k && parts == 2; i++)
            for (int64_t c = 0; c < rest; c++) right.p[i * right.down + right.imag + c] *= -1;
        for (int64_t i = 0; i < rest; i += HIGH) {
            const int64_t  high = rest - i < HIGH ? rest - i : (int64_t)HIGH;
            const gi_dense to   = gi_submatrix(*a, at + k + i, at + k);
            if (!gi_linear_update(site, factors + i * k * parts * parts, high, k, &right, &to, i + high)) return false;
        }
    }
    return true;
}

static bool gi_cholesky_one(const char *site, int64_t item, double *room, void *job)
{
    gi_lu         *j   = (gi_lu *)job;
    const gi_dense a   = gi_matrix(&j->a, item);
    bool           bad = false;
    if (!gi_cholesky_matrix(site, &a, j->a.rows, &bad, room)) return false;
    if (bad) gi_note_item(&j->singular, item);
    return true;
}

static void gi_cholesky_lanes(int64_t begin, int64_t end, void *job)
{
    gi_lu                 *j     = (gi_lu *)job;
    const gi_linear_loops *loops = GI_LOOP_OF(linear)();
    const int64_t          n     = j->a.rows;
    GI_ARENA(double, a, n *n *GI_LINEAR_LANES);
    double regular[GI_LINEAR_LANES];
    for (int64_t first = begin * GI_LINEAR_LANES; first < end * GI_LINEAR_LANES; first += GI_LINEAR_LANES) {
        const int64_t items = gi_into_lanes(a, &j->a, first, n * n);
        loops->cholesky(n, a, regular);
        for (int64_t l = 0; l < items; l++)
            if (regular[l] == 0) gi_note_item(&j->singular, first + l);
        gi_from_lanes(a, &j->a, first, items, n * n);
    }
}

/* a with its last two axes exchanged: another view. */
static ga_array *gi_matrix_turned(const char *site, const ga_array *a)
{
    return (ga_swapaxes)(a, a->ndim - 2, a->ndim - 1, site);
}

ga_array *(ga_cholesky)(const ga_array *a, ga_cholesky_options o)
{
    gi_lu     j;
    ga_array *r = NULL;
    if (!gi_are_matrices(o.site, a, "a", true)) return NULL;
#ifdef GPUARR_USE_CUSOLVER
    if (gi_solver_takes_large(a)) return gi_solver_cholesky(o.site, a, o.upper);
#endif
    memset(&j, 0, sizeof j);
    /* The upper triangle is the lower one of the transposed matrix, whose decomposition is the transposed one. */
    ga_array *lower = o.upper ? gi_matrix_turned(o.site, a) : (ga_view)(a, o.site);
    if (lower && gi_matrices_of(o.site, &j.a, a->device, lower, 1)) {
        if (gi_linear_run(o.site, GI_LINEAR_CHOLESKY, gi_cholesky_one, gi_cholesky_lanes, &j) &&
            gi_all_done(o.site, j.singular, j.a.items, "the matrix is not positive definite"))
            r = gi_matrices_result(o.site, &j.a, a->device, gi_linear_dtype(a->dtype), j.a.rows, j.a.rows);
    }
    ga_free(lower);
    ga_free(j.a.memory);
    if (!r || !o.upper) return r;
    ga_array *turned = gi_matrix_turned(o.site, r), *upper = turned ? gi_copy_convert(o.site, turned, r->dtype) : NULL;
    ga_free(turned);
    ga_free(r);
    return upper;
}

/* ---- triangular systems ---------------------------------------------------------------------------------------------------------- */

static const char gi_zero_on_diagonal[] = "singular matrix: there is a 0 on its diagonal";

static bool gi_triangle_one(const char *site, int64_t item, double *room, void *job)
{
    gi_lu        *j = (gi_lu *)job;
    gi_triangle   t = j->triangle;
    const int64_t n = j->a.rows;
    t.a             = gi_matrix(&j->a, item);
    t.b             = gi_matrix(&j->b, item);
    t.size          = n;
    t.n             = j->b.columns;
    for (int64_t i = 0; i < n && !t.unit; i++) {
        const ga_c128 x = gi_element(&t.a, i, i);
        if (x.re != 0 || x.im != 0) continue;
        gi_note_item(&j->singular, item);
        return true;
    }
    return gi_solve_triangle(site, &t, room);
}

/* ---- of one column, which is as much work as to read the matrix: it is not copied, but where it must be converted ---- */

typedef struct gi_column_system {
    const char   *data; /* element (i, j) of the matrix, or (j, i) if `across`, is at i * row + j * size of the dtype */
    ga_dtype      dtype;
    int64_t       n, row;
    bool          upper, unit, across;
    double       *x, *minus;    /* b, which becomes the solution; and -x, as far as it is known */
    double       *room;         /* rows of a block in float64: of n numbers, or as they are */
    double       *sums[2];      /* of a block */
    int64_t       block, at, k; /* rows at to at + k are solved */
    const double *rows;         /* of the matrix, from row `at` on, so many numbers apart: */
    int64_t       down;
} gi_column_system;

/* Rows of a block from element `from` on become float64. */
static void gi_convert_rows(const gi_column_system *s, int64_t begin, int64_t end, int64_t from, int64_t count)
{
    const int64_t size = ga_itemsize(s->dtype);
    for (int64_t i = begin; i < end && s->dtype != GA_F64; i++)
        gi_cast(GA_F64, s->dtype, count, s->room + i * s->n + from, s->data + (s->at + i) * s->row + from * size);
}

/* What is known of x is taken from some rows of a block, in the order of gi_solve_triangle. */
static void gi_less_known(int64_t begin, int64_t end, void *job)
{
    const gi_column_system *s      = (const gi_column_system *)job;
    const gi_chains         chains = GI_LOOP_OF(chains)(GA_F64);
    const int64_t known = s->upper ? s->n - s->at - s->k : s->at, step = s->upper ? s->block : known, rows = end - begin;
    const double *from = s->x + s->at + begin;
    gi_chaining   j;
    gi_convert_rows(s, begin, end, s->upper ? s->at : 0, known + s->k);
    memset(&j, 0, sizeof j);
    j.a_next   = s->down * 8;
    j.out_next = j.a_step = j.b_step = 8;
    memcpy(s->sums[0] + begin, from, (size_t)rows * 8);
    for (int64_t done = 0, turn = 0; done < known; done += step, turn = 1 - turn) {
        const int64_t column = s->upper ? s->n - done - step : 0;
        double       *out    = s->sums[1 - turn] + begin;
        from                 = s->sums[turn] + begin;
        j.before             = (from - out) * 8;
        chains(rows, 1, step, (char *)out, (const char *)(s->rows + begin * s->down + column),
               (const char *)(s->minus + column), &j);
        from = out;
    }
    memmove(s->x + s->at + begin, from, (size_t)rows * 8);
}

/* The rows of a block alone. False: there is a 0 on the diagonal. */
static bool gi_solve_rows(const gi_column_system *s)
{
    const gi_linear_loops *loops = GI_LOOP_OF(linear)();
    for (int64_t done = 0; done < s->k; done++) {
        const int64_t i = s->at + (s->upper ? s->k - 1 - done : done), from = s->upper ? i + 1 : s->at;
        const double *row = s->across ? s->rows + (from - s->at) * s->down + i : s->rows + (i - s->at) * s->down + from;
        if (done > 0) loops->add(done, 1, row, s->across ? s->down : 1, s->minus + from, 1, s->x + i);
        const double divisor = s->unit ? 1 : s->rows[(i - s->at) * s->down + i];
        if (divisor == 0) return false;
        s->x[i]     = s->x[i] / divisor;
        s->minus[i] = -s->x[i];
    }
    return true;
}

enum { GI_COLUMN_SHARE = 256 }; /* elements of x that a thread takes at a time */

/* What a block says is taken from some elements of x that are not solved yet. */
static void gi_less_solved(int64_t begin, int64_t end, void *job)
{
    const gi_column_system *s     = (const gi_column_system *)job;
    const int64_t           first = s->upper ? 0 : s->at + s->k, last = s->upper ? s->at : s->n;
    const int64_t           from = first + begin * GI_COLUMN_SHARE, to = first + end * GI_COLUMN_SHARE;
    GI_LOOP_OF(linear)()->add(s->k, (to < last ? to : last) - from, s->minus + s->at, 1, s->rows + from, s->down, s->x + from);
}

static bool gi_solve_column(gi_column_system *s)
{
    const int64_t n = s->n;
    for (int64_t done = 0; done < n; done += s->k) {
        s->k               = n - done < s->block ? n - done : s->block;
        s->at              = s->upper ? n - done - s->k : done;
        s->rows            = s->dtype == GA_F64 ? (const double *)(const void *)(s->data + s->at * s->row) : s->room;
        const double bytes = (double)(s->k * n * 8);
        if (!s->across) {
            gi_parallel_bytes(bytes, s->k, 8, gi_less_known, s);
            if (!gi_solve_rows(s)) return false;
        } else {
            const int64_t rest = n - done - s->k;
            gi_convert_rows(s, 0, s->k, s->upper ? 0 : s->at, rest + s->k);
            if (!gi_solve_rows(s)) return false;
            if (rest > 0) gi_parallel_bytes(bytes, (rest + GI_COLUMN_SHARE - 1) / GI_COLUMN_SHARE, 1, gi_less_solved, s);
        }
    }
    return true;
}

/* Of a real matrix and a column on the CPU. */
static bool gi_is_column_system(const ga_array *a, const ga_array *b)
{
    const int64_t size = ga_itemsize(a->dtype);
    return a->ndim == 2 && (b->ndim == 1 || (b->ndim == 2 && b->shape[1] == 1)) && a->shape[0] == b->shape[0] && a->size > 0 &&
           a->device == GA_CPU && !gi_is_complex(a->dtype) && !gi_is_complex(b->dtype) &&
           ((a->strides[1] == size && a->strides[0] % size == 0) || (a->strides[0] == size && a->strides[1] % size == 0));
}

static ga_array *gi_solve_column_system(const char *site, const ga_array *a, const ga_array *b, gi_triangle how)
{
    GI_SETTLE_FLOATS;
    const int64_t    n      = a->shape[0];
    const bool       turned = a->strides[1] != ga_itemsize(a->dtype), small = gi_is_small_matrix(n, gi_lu_room(n, 1));
    gi_column_system s;
    memset(&s, 0, sizeof s);
    s.data               = (const char *)a->data;
    s.dtype              = a->dtype;
    s.n                  = n;
    s.row                = turned ? a->strides[1] : a->strides[0];
    s.upper              = how.upper;
    s.unit               = how.unit;
    s.across             = how.across != turned;
    s.block              = small ? n : (int64_t)GI_LINEAR_BLOCK;
    s.down               = s.dtype == GA_F64 ? s.row / 8 : n;
    const size_t numbers = (size_t)(n + 2 * s.block + (s.dtype == GA_F64 ? 0 : s.block * n));
    ga_array    *x       = gi_copy_convert(site, b, GA_F64);
    s.minus              = x ? (double *)gi_mem_alloc(site, numbers * 8) : NULL;
    if (s.minus) {
        s.x       = (double *)x->data;
        s.sums[0] = s.minus + n;
        s.sums[1] = s.sums[0] + s.block;
        s.room    = s.sums[1] + s.block;
        bool done = gi_solve_column(&s);
        gi_mem_release(s.minus, numbers * 8);
        if (!done) gi_fail(site, GA_BAD_ARGUMENT, "%s", gi_zero_on_diagonal);
        else return gi_copy_finish(site, x, ga_promote(gi_linear_dtype(a->dtype), gi_linear_dtype(b->dtype)), NULL);
    }
    ga_free(x);
    return NULL;
}

ga_array *(ga_solve_triangular)(const ga_array *a, const ga_array *b, ga_triangular_options o)
{
    gi_lu     j;
    ga_array *x = NULL;
    if (!gi_are_system(o.site, a, b, true)) return NULL;
    if (o.trans < 0 || o.trans > 2)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, ".trans = %d: 0 is a x = b, 1 with a transposed, 2 also conjugated",
                                   o.trans);
    memset(&j, 0, sizeof j);
    j.triangle.across    = o.trans > 0;
    j.triangle.conjugate = o.trans == 2;
    j.triangle.upper     = o.lower == (o.trans > 0);
    j.triangle.unit      = o.unit_diagonal;
    if (gi_is_column_system(a, b)) return gi_solve_column_system(o.site, a, b, j.triangle);
    if (gi_take_system(o.site, &j.a, &j.b, a, b)) {
        if (gi_linear_run(o.site, GI_LINEAR_TRIANGLE, gi_triangle_one, NULL, &j) &&
            gi_all_done(o.site, j.singular, j.a.items, gi_zero_on_diagonal))
            x = gi_matrices_result(o.site, &j.b, a->device, ga_promote(gi_linear_dtype(a->dtype), gi_linear_dtype(b->dtype)),
                                   j.a.rows, b->ndim == 1 ? -1 : j.b.columns);
    }
    gi_lu_free(&j);
    return x;
}
