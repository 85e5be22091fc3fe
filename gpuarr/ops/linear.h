/* ==== >>linear algebra: stacks of matrices, and what the algorithms have in common =================================== */
/*  All of it is computed in float64. A complex matrix lies as a real one of twice as many rows: each of its rows is one of real parts and
    one of imaginary parts. So sums of rows times numbers, which is most of what there is to do, are real ones of twice as many terms
    (gi_linear_add), and so are products of matrices (gi_linear_update). What is computed for small matrices has no threads inside, so
    that a stack of them is shared; larger ones come one after the other, in blocks. Arrays on a GPU are brought for that, and the results
    are brought there.                                                                                                           */

typedef struct gi_matrices {
    ga_array *memory;
    double   *at;
    int       parts; /* 2 of complex numbers */
    int64_t   items, rows, columns;
    int       ndim; /* of the axes before the matrices, with their lengths */
    int64_t   shape[GPUARR_MAX_DIMS];
} gi_matrices;

static gi_dense gi_matrix(const gi_matrices *m, int64_t item)
{
    const gi_dense a = { m->at + item * m->rows * m->parts * m->columns, m->parts, m->parts * m->columns,
                         m->parts == 2 ? m->columns : 0 };
    return a;
}

/* A matrix in memory for rows * columns * parts numbers. */
static gi_dense gi_matrix_at(double *p, int parts, int64_t columns)
{
    const gi_dense a = { p, parts, parts * columns, parts == 2 ? columns : 0 };
    return a;
}

/* ---- stacks ---------------------------------------------------------------------------------------------------------------- */

/* Is it an array of matrices? False with an error. */
static bool gi_are_matrices(const char *site, const ga_array *a, const char *name, bool square)
{
    if (!gi_array_check(site, a, name) || gi_common_device(site, 1, &a) == GA_DEVICE_DEFAULT) return false;
    if (a->ndim < 2)
        gi_fail(site, GA_BAD_SHAPE, "%s has shape %s: it must be a matrix, or a stack of them", name, gi_shape_of(a));
    else if (square && a->shape[a->ndim - 1] != a->shape[a->ndim - 2])
        gi_fail(site, GA_BAD_SHAPE, "%s has shape %s: its last two axes must be of the same length", name, gi_shape_of(a));
    else return true;
    return false;
}

/* Are a matrices, and b matrices or a vector, on one device? False with an error. */
static bool gi_are_system(const char *site, const ga_array *a, const ga_array *b, bool square)
{
    const ga_array *both[2] = { a, b };
    return gi_array_check(site, a, "a") && gi_array_check(site, b, "b") && gi_are_matrices(site, a, "a", square) &&
           (b->ndim == 1 || gi_are_matrices(site, b, "b", false)) && gi_common_device(site, 2, both) != GA_DEVICE_DEFAULT;
}

/* The dtype of results: float32 and complex64 stay what they are, all others are float64 or complex128. */
static ga_dtype gi_linear_dtype(ga_dtype dtype) { return gi_is_complex(dtype) || dtype == GA_F32 ? dtype : GA_F64; }

/* Matrices on a device, with any content. Their memory is to be freed, whatever is returned. */
static bool gi_matrices_new(const char *site, gi_matrices *m, ga_device device, int parts, int ndim, const int64_t *shape,
                            int64_t rows, int64_t columns)
{
    int64_t lengths[GPUARR_MAX_DIMS];
    memset(m, 0, sizeof *m);
    m->parts   = parts;
    m->rows    = rows;
    m->columns = columns;
    m->ndim    = ndim;
    for (int d = 0; d < ndim; d++) lengths[d] = m->shape[d] = shape[d];
    lengths[ndim]     = rows * parts;
    lengths[ndim + 1] = columns;
    m->memory         = gi_array_new(site, GA_F64, device, ndim + 2, lengths);
    if (!m->memory) return false;
    m->items = gi_shape_size(ndim, shape);
    m->at    = (double *)m->memory->data;
    return true;
}

/* The real or the imaginary parts, as an array of so many rows and columns of each matrix. */
static ga_array *gi_matrices_part(const char *site, const gi_matrices *m, int part, int64_t rows, int64_t columns)
{
    int64_t shape[GPUARR_MAX_DIMS], strides[GPUARR_MAX_DIMS];
    memcpy(shape, m->shape, sizeof shape);
    memcpy(strides, m->memory->strides, sizeof strides);
    shape[m->ndim] = rows;
    strides[m->ndim] *= m->parts;
    shape[m->ndim + 1] = columns;
    return gi_array_new_view(site, m->memory, m->at + part * m->columns, GA_F64, m->ndim + 2, shape, strides);
}

/* The real or the imaginary parts of any array. */
static ga_array *gi_part_view(const char *site, const ga_array *a, int part)
{
    if (!gi_is_complex(a->dtype)) return gi_array_new_view(site, a, a->data, a->dtype, a->ndim, a->shape, a->strides);
    const ga_dtype dtype = gi_dtype_real(a->dtype);
    return gi_array_new_view(site, a, (char *)a->data + part * ga_itemsize(dtype), dtype, a->ndim, a->shape, a->strides);
}

/* Fills the matrices with those of a, which is broadcast; those of a real array have imaginary parts 0. */
static bool gi_matrices_fill(const char *site, gi_matrices *m, const ga_array *a)
{
    ga_array       *brought = a->device == m->memory->device ? NULL : gi_copy_to(site, a, m->memory->device);
    const ga_array *here    = a->device == m->memory->device ? a : brought;
    bool            done    = here != NULL;
    for (int part = 0; part < m->parts && done; part++) {
        const bool none = part == 1 && !gi_is_complex(a->dtype);
        ga_array *to = gi_matrices_part(site, m, part, m->rows, m->columns), *from = to ? gi_part_view(site, here, part) : NULL;
        ga_arg    zero;
        memset(&zero, 0, sizeof zero);
        zero.kind = GA_KIND_INT;
        done      = from && gi_copy_assign_where(site, to, none ? zero : gi_operand_arg(from), NULL);
        ga_free(to);
        ga_free(from);
    }
    ga_free(brought);
    return done;
}

/* The same with the elements of a; `parts` at least as its dtype needs. */
static bool gi_matrices_of(const char *site, gi_matrices *m, ga_device device, const ga_array *a, int parts)
{
    if (!gi_matrices_new(site, m, device, gi_is_complex(a->dtype) ? 2 : parts, a->ndim - 2, a->shape, a->shape[a->ndim - 2],
                         a->shape[a->ndim - 1]))
        return false;
    return gi_matrices_fill(site, m, a);
}

/* A new array on a device of so many rows and columns of each matrix, as vectors where `columns` is -1. */
static ga_array *gi_matrices_result(const char *site, const gi_matrices *m, ga_device device, ga_dtype dtype, int64_t rows,
                                    int64_t columns)
{
    int64_t shape[GPUARR_MAX_DIMS];
    memcpy(shape, m->shape, sizeof shape);
    shape[m->ndim]     = rows;
    shape[m->ndim + 1] = columns < 0 ? 1 : columns;
    ga_array *r        = gi_array_new(site, dtype, m->memory->device, m->ndim + 2, shape);
    bool      done     = r != NULL;
    for (int part = 0; part < m->parts && done; part++) {
        ga_array *from = gi_matrices_part(site, m, part, rows, shape[m->ndim + 1]),
                 *to   = from ? gi_part_view(site, r, part) : NULL;
        done           = to && gi_copy_assign(site, to, from);
        ga_free(from);
        ga_free(to);
    }
    ga_array *line = done && columns < 0 ? gi_array_new_view(site, r, r->data, dtype, m->ndim + 1, r->shape, r->strides) : NULL;
    if (done && columns >= 0) return gi_copy_move(site, r, device);
    ga_free(r);
    return gi_copy_move(site, line, device);
}

/* Hands n results to the addresses that want them, or frees them all if one is missing: false, and NULL at each address. */
static bool gi_hand_out(int n, ga_array **const *to, ga_array *const *made)
{
    bool all = true;
    for (int k = 0; k < n; k++) all = all && (made[k] || !to[k]);
    for (int k = 0; k < n; k++) {
        if (to[k]) *to[k] = all ? made[k] : NULL;
        if (!to[k] || !all) ga_free(made[k]);
    }
    return all;
}

/* ---- every matrix of a stack ------------------------------------------------------------------------------------------------ */

/* What is done with each matrix; `room`: numbers to work with. False with an error, if it is given a site; else it cannot fail. */
typedef bool (*gi_on_matrix)(const char *site, int64_t item, double *room, void *job);

typedef struct gi_matrix_work {
    gi_on_matrix one;
    void        *job;
    int64_t      room;
} gi_matrix_work;

static void gi_stack_items(int64_t begin, int64_t end, void *job)
{
    const gi_matrix_work *s = (const gi_matrix_work *)job;
    GI_ARENA(double, room, s->room);
    for (int64_t item = begin; item < end; item++) (void)s->one(NULL, item, room, s->job);
}

static bool gi_is_small_matrix(int64_t size, int64_t room) { return size <= GI_LINEAR_SMALL && room <= GI_ARENA_ROOM / 16; }

/* How much work one matrix is, beside its LU decomposition (measured, of 4 to 32 rows). */
enum { GI_WORK_LU = 1, GI_WORK_QR = 5, GI_WORK_EIGH = 6, GI_WORK_EIG = 12, GI_WORK_SVD = 12 };

/* Calls one(site, item, room, job) for every matrix; several at a time where `size` rows and columns are few. */
static bool gi_each_matrix(const char *site, int64_t items, int64_t size, int64_t room, int64_t decompositions,
                           gi_on_matrix one, void *job)
{
    gi_matrix_work s = { one, job, room };
    if (gi_is_small_matrix(size, room)) {
        const int64_t work = decompositions * (2000 + 6 * size * size * (size + 8));
        gi_parallel_bytes((double)items * (double)work, items, 1 + 500000 / work, gi_stack_items, &s);
        return true;
    }
    double *memory = (double *)gi_mem_alloc(site, (size_t)(room + 1) * sizeof *memory);
    bool    done   = memory != NULL;
    for (int64_t item = 0; item < items && done; item++) done = one(site, item, memory, job);
    gi_mem_release(memory, (size_t)(room + 1) * sizeof *memory);
    return done;
}

/* Notes an item that cannot be done: the first one is kept, whichever thread finds it. */
static void gi_note_item(int64_t *first, int64_t item)
{
    int64_t has = __atomic_load_n(first, __ATOMIC_RELAXED);
    while (item < has && !__atomic_compare_exchange_n(first, &has, item, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
}

/* The error for such an item, if there is one: "singular matrix". */
static bool gi_all_done(const char *site, int64_t first, int64_t items, const char *what)
{
    if (first >= items) return true;
    if (items == 1) gi_fail(site, GA_BAD_ARGUMENT, "%s", what);
    else gi_fail(site, GA_BAD_ARGUMENT, "%s: number %lld of %lld", what, (long long)first, (long long)items);
    return false;
}

/* ---- sums of rows ------------------------------------------------------------------------------------------------------------ */
GI_BEGIN_FAST

/* Factors of (m, k) numbers: the elements of a from (0, 0) on, `across`: of the transposed matrix, with what signs. */
static void gi_make_factors(double *to, int64_t m, int64_t k, const gi_dense *a, bool across, double sign, double sign_imag)
{
    const int64_t next = k * a->parts, down = across ? 1 : a->down, right = across ? a->down : 1;
    if (a->parts == 1 && !across) {
        for (int64_t i = 0; i < m; i++) {
            const double *x          = a->p + i * down;
            double *__restrict__ row = to + i * next;
            for (int64_t r = 0; r < k; r++) row[r] = sign * x[r];
        }
        return;
    }
    for (int64_t i0 = 0; i0 < m; i0 += 8)
        for (int64_t r = 0; r < k; r++)
            for (int64_t i = i0; i < m && i < i0 + 8; i++) {
                const double *x = a->p + i * down + r * right;
                if (a->parts == 1) to[i * next + r] = sign * *x;
                else gi_put_factor(to + i * 2 * next + r * 2, next, 2, gi_make_c128(sign * *x, sign_imag * x[a->imag]));
            }
}

/* Row `i` of `to`, from column `begin` on, += the sum of k rows of b times the factors. */
static void gi_add_rows(const gi_linear_loops *loops, const double *factors, int64_t k, const gi_dense *b, const gi_dense *to,
                        int64_t i, int64_t begin, int64_t n)
{
    const int64_t row = b->parts == 2 ? b->imag : b->down;
    for (int part = 0; part < b->parts; part++)
        loops->add(k * b->parts, n, factors + part * k * b->parts, 1, b->p + begin, row,
                   to->p + i * to->down + part * to->imag + begin);
}

/* Elements of a row of complex numbers, times a number. */
static void gi_scale_row(const gi_dense *a, int64_t i, int64_t begin, int64_t n, ga_c128 x)
{
    double *re = a->p + i * a->down + begin, *im = re + a->imag;
    if (a->parts == 1)
        for (int64_t j = 0; j < n; j++) re[j] = re[j] * x.re;
    else
        for (int64_t j = 0; j < n; j++) {
            const ga_c128 y = gi_mul_c128(gi_make_c128(re[j], im[j]), x);
            re[j]           = y.re;
            im[j]           = y.im;
        }
}

/* The same, divided by a number. */
static void gi_divide_row(const gi_dense *a, int64_t i, int64_t begin, int64_t n, ga_c128 x)
{
    double *re = a->p + i * a->down + begin, *im = re + a->imag;
    if (a->parts == 1)
        for (int64_t j = 0; j < n; j++) re[j] = re[j] / x.re;
    else
        for (int64_t j = 0; j < n; j++) {
            const ga_c128 y = gi_quotient(gi_make_c128(re[j], im[j]), x);
            re[j]           = y.re;
            im[j]           = y.im;
        }
}

/* The sum of conj(x) * y of two rows. */
static ga_c128 gi_dot_rows(const gi_linear_loops *loops, const gi_dense *a, int64_t i, const gi_dense *b, int64_t j,
                           int64_t begin, int64_t n)
{
    const double *x = a->p + i * a->down + begin, *y = b->p + j * b->down + begin;
    const double  re = loops->dot(n, x, y);
    if (a->parts == 1) return gi_make_c128(re, 0);
    return gi_make_c128(re + loops->dot(n, x + a->imag, y + b->imag),
                        loops->dot(n, x, y + b->imag) - loops->dot(n, x + a->imag, y));
}

static void gi_swap_numbers(int64_t n, double *x, double *y)
{
    for (int64_t j = 0; j < n; j++) {
        const double t = x[j];
        x[j]           = y[j];
        y[j]           = t;
    }
}

/* to = the transposed matrix, of n rows. */
static void gi_turn_matrix(const gi_dense *to, int64_t rows, int64_t columns, const gi_dense *a)
{
    for (int part = 0; part < a->parts; part++)
        for (int64_t i0 = 0; i0 < rows; i0 += 8)
            for (int64_t j = 0; j < columns; j++) {
                double       *x = to->p + j * to->down + part * to->imag;
                const double *y = a->p + part * a->imag + j;
                for (int64_t i = i0; i < rows && i < i0 + 8; i++) x[i] = y[i * a->down];
            }
}
GI_END_FAST

/* ---- products of matrices, and triangular systems ------------------------------------------------------------------------------ */

/* c (m, n) += the factors (m, k) times b (k, n). */
static bool gi_linear_update(const char *site, const double *factors, int64_t m, int64_t k, const gi_dense *b,
                             const gi_dense *c, int64_t n)
{
    const int     parts = b->parts;
    const int64_t b_row = parts == 2 ? b->imag : b->down, c_row = parts == 2 ? c->imag : c->down;
    if (m <= 0 || n <= 0 || k <= 0) return true;
    if (!site) { /* of a small one, without memory */
        const gi_linear_loops *loops = GI_LOOP_OF(linear)();
        for (int64_t i = 0; i < m * parts; i++)
            loops->add(k * parts, n, factors + i * k * parts, 1, b->p, b_row, c->p + i * c_row);
        return true;
    }
    gi_product p = gi_linear_product(factors, m, k, b, c, n);
    return gi_multiply_more(site, &p);
}

/* A triangular system, for matrices b of n columns. */
typedef struct gi_triangle {
    gi_dense a, b;
    int64_t  size, n;
    bool     upper, unit;       /* as it is solved: */
    bool     across, conjugate; /* of the transposed matrix, of conjugated elements */
    double  *factors;           /* of a diagonal block: its rows, negative */
} gi_triangle;

static ga_c128 gi_of_triangle(const gi_triangle *t, int64_t i, int64_t j)
{
    const ga_c128 x = t->across ? gi_element(&t->a, j, i) : gi_element(&t->a, i, j);
    return t->conjugate ? gi_make_c128(x.re, -x.im) : x;
}

/* Columns begin to end of b, by a triangle of few rows. */
static void gi_solve_columns(int64_t begin, int64_t end, void *job)
{
    enum { WIDE = 128 }; /* columns of a unit of work */
    const gi_triangle     *t     = (const gi_triangle *)job;
    const gi_linear_loops *loops = GI_LOOP_OF(linear)();
    const int64_t          n = t->size, first = begin * WIDE, count = (end * WIDE < t->n ? end * WIDE : t->n) - first;
    const int              parts = t->a.parts;
    for (int64_t k = 0; k < n; k++) {
        const int64_t i = t->upper ? n - 1 - k : k, from = t->upper ? i + 1 : 0;
        const double *row  = t->factors + i * parts * n * parts + from * parts;
        const int64_t down = parts == 2 ? t->b.imag : t->b.down;
        for (int part = 0; part < parts && k > 0; part++)
            loops->add(k * parts, count, row + part * n * parts, 1, t->b.p + from * t->b.down + first, down,
                       t->b.p + i * t->b.down + part * t->b.imag + first);
        if (!t->unit) gi_divide_row(&t->b, i, first, count, gi_of_triangle(t, i, i));
    }
}

/* Solves t->a x = b into b. `room`: numbers for size * block * parts ** 2. */
static bool gi_solve_triangle(const char *site, const gi_triangle *t, double *room)
{
    const int64_t n = t->size, block = site ? (int64_t)GI_LINEAR_BLOCK : n;
    const double  sign = t->conjugate ? 1 : -1;
    for (int64_t done = 0, k; done < n; done += k) {
        k                = n - done < block ? n - done : block;
        const int64_t at = t->upper ? n - done - k : done, rest = n - done - k, other = t->upper ? 0 : at + k;
        gi_triangle   d = *t;
        d.a             = gi_submatrix(t->a, at, at);
        d.b             = gi_submatrix(t->b, at, 0);
        d.size          = k;
        d.factors       = room;
        gi_make_factors(room, k, k, &d.a, t->across, -1, sign);
        gi_parallel_bytes((double)(k * k * t->n * t->a.parts), (t->n + 127) / 128, 1, gi_solve_columns, &d);
        const gi_dense column = t->across ? gi_submatrix(t->a, at, other) : gi_submatrix(t->a, other, at);
        const gi_dense b      = gi_submatrix(t->b, other, 0);
        if (rest > 0) gi_make_factors(room, rest, k, &column, t->across, -1, sign);
        if (!gi_linear_update(site, room, rest, k, &d.b, &b, t->n)) return false;
    }
    return true;
}
