/* ==== >>cuda linear: LU and Cholesky decompositions, and triangular systems ================================================= */
/*  In the blocks of columns that the CPU takes (ops/linear_lu.h), all matrices of a stack at a time: a block of threads decomposes the
    columns of one matrix, what lies right of them is updated by products of matrices, and a thread solves a triangle for one column of b.
    An element gets its products fused, one after the other in the order of the columns, so it does not matter that a column gets all of
    them at a time on the CPU, and here each column is subtracted from all others: the bits are the same.                          */

enum { GI_LINEAR_THREADS = 512 };

GI_DEVICE gi_dense gi_cuda_item(gi_dense a, int64_t next, int64_t item)
{
    a.p += item * next;
    return a;
}

/* to += x y, as a row of parts is multiplied by gi_put_factor(x). */
GI_DEVICE ga_c128 gi_cuda_add_product(int parts, ga_c128 to, ga_c128 x, ga_c128 y)
{
    to.re = gi_fma_f64(x.re, y.re, to.re);
    if (parts == 1) return to;
    to.re = gi_fma_f64(-x.im, y.im, to.re);
    to.im = gi_fma_f64(x.re, y.im, gi_fma_f64(x.im, y.re, to.im));
    return to;
}

GI_DEVICE ga_c128 gi_cuda_quotient(int parts, ga_c128 x, ga_c128 y)
{
    return parts == 1 ? gi_make_c128(x.re / y.re, 0) : gi_quotient(x, y);
}

/* The row from c on whose element of column c is the largest: the first one. All threads of the block call it, and get it. */
GI_DEVICE int64_t gi_cuda_find_pivot(const gi_dense &a, int64_t c, int64_t m, double *size)
{
    GI_BLOCK_SHARED(double, sizes, [GI_LINEAR_THREADS]);
    GI_BLOCK_SHARED(int64_t, places, [GI_LINEAR_THREADS]);
    const int thread = (int)threadIdx.x;
    double    most   = -1;
    int64_t   pivot  = c;
    for (int64_t i = c + thread; i < m; i += blockDim.x) {
        const ga_c128 x = gi_element(&a, i, c);
        const double  s = gi_abs_f64(x.re) + gi_abs_f64(x.im);
        if (s > most) most = s, pivot = i;
    }
    sizes[thread]  = most;
    places[thread] = pivot;
    for (int half = (int)blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (thread >= half) continue;
        const double  other = sizes[thread + half];
        const int64_t place = places[thread + half];
        if (other < sizes[thread] || (other == sizes[thread] && place > places[thread])) continue;
        sizes[thread]  = other;
        places[thread] = place;
    }
    __syncthreads();
    *size = sizes[0];
    return places[0];
}

/* Decomposes the k columns of each matrix from (at, at) on; `across` threads side by side take those of a row. */
static __global__ void __launch_bounds__(GI_LINEAR_THREADS)
    gi_cuda_lu_columns(const __grid_constant__ gi_linear_job j, int64_t at, int64_t k, int across)
{
    const int     thread = (int)threadIdx.x, threads = (int)blockDim.x, rows = threads / across, parts = j.a.parts;
    const int64_t m = j.size - at;
    for (int64_t item = blockIdx.x; item < j.items; item += gridDim.x) {
        const gi_dense a = gi_submatrix(gi_cuda_item(j.a, j.next_a, item), at, at);
        for (int64_t c = 0; c < k; c++) {
            double        most;
            const int64_t pivot = gi_cuda_find_pivot(a, c, m, &most);
            if (thread == 0) j.pivots[item * j.size + at + c] = (int32_t)(at + pivot);
            if (thread == 0 && most == 0) j.bad[item] = true;
            for (int64_t i = thread; i < k && pivot != c; i += threads) {
                const ga_c128 x = gi_element(&a, c, i);
                gi_set_element(&a, c, i, gi_element(&a, pivot, i));
                gi_set_element(&a, pivot, i, x);
            }
            __syncthreads();
            const ga_c128 divisor = gi_element(&a, c, c);
            for (int64_t i = c + 1 + thread; i < m && most != 0; i += threads)
                gi_set_element(&a, i, c, gi_cuda_quotient(parts, gi_element(&a, i, c), divisor));
            __syncthreads();
            for (int64_t i = c + 1 + thread / across; i < m; i += rows) {
                const ga_c128 l = gi_element(&a, i, c);
                for (int64_t r = c + 1 + thread % across; r < k; r += across)
                    gi_set_element(&a, i, r,
                                   gi_cuda_add_product(parts, gi_element(&a, i, r), gi_neg_c128(gi_element(&a, c, r)), l));
            }
            __syncthreads();
        }
    }
}

/* The same of Cholesky's decomposition, where what stands right of the diagonal becomes 0. */
static __global__ void __launch_bounds__(GI_LINEAR_THREADS)
    gi_cuda_cholesky_columns(const __grid_constant__ gi_linear_job j, int64_t at, int64_t k, int across)
{
    const int     thread = (int)threadIdx.x, threads = (int)blockDim.x, rows = threads / across, parts = j.a.parts;
    const int64_t m = j.size - at;
    for (int64_t item = blockIdx.x; item < j.items; item += gridDim.x) {
        const gi_dense a = gi_submatrix(gi_cuda_item(j.a, j.next_a, item), at, at);
        for (int64_t c = 0; c < k; c++) {
            const double pivot = gi_element(&a, c, c).re;
            __syncthreads();
            if (!(pivot > 0)) {
                if (thread == 0) j.bad[item] = true;
                break;
            }
            const ga_c128 root = gi_make_c128(gi_root_f64(pivot), 0);
            for (int64_t i = c + thread; i < m; i += threads)
                gi_set_element(&a, i, c, i == c ? root : gi_cuda_quotient(parts, gi_element(&a, i, c), root));
            __syncthreads();
            for (int64_t i = c + 1 + thread / across; i < m; i += rows) {
                const ga_c128 l = gi_element(&a, i, c);
                for (int64_t r = c + 1 + thread % across; r < k && r <= i; r += across)
                    gi_set_element(
                        &a, i, r,
                        gi_cuda_add_product(parts, gi_element(&a, i, r), gi_neg_c128(gi_conj_c128(gi_element(&a, r, c))), l));
            }
            __syncthreads();
        }
        for (int64_t i = thread / across; i < k; i += rows)
            for (int64_t r = i + 1 + thread % across; r < m; r += across) gi_set_element(&a, i, r, gi_make_c128(0, 0));
    }
}

/* Rows at to at + k of x are exchanged as the pivots say, in all columns but `left_out` from column `at` on. */
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_exchange_rows(const __grid_constant__ gi_linear_job j, gi_dense x, int64_t next, int64_t columns, int64_t at,
                          int64_t k, int64_t left_out)
{
    const int64_t e = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x, item = e / columns;
    if (item >= j.items) return;
    int64_t        column = e % columns;
    const gi_dense a      = gi_cuda_item(x, next, item);
    if (column >= at && left_out > 0) column += left_out;
    for (int64_t r = at; r < at + k; r++) {
        const int64_t pivot = j.pivots[item * j.size + r];
        if (pivot == r) continue;
        const ga_c128 y = gi_element(&a, r, column);
        gi_set_element(&a, r, column, gi_element(&a, pivot, column));
        gi_set_element(&a, pivot, column, y);
    }
}

GI_DEVICE ga_c128 gi_cuda_of_triangle(const gi_linear_job &j, const gi_dense &a, int64_t i, int64_t r)
{
    const ga_c128 x = j.across ? gi_element(&a, r, i) : gi_element(&a, i, r);
    return j.conjugate ? gi_conj_c128(x) : x;
}

/* Solves with a block of k rows on the diagonal: a thread for each column of b. */
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_solve_rows(const __grid_constant__ gi_linear_job j, int64_t at, int64_t k)
{
    const int64_t e = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x, item = e / j.columns, column = e % j.columns;
    if (item >= j.items) return;
    const gi_dense a = gi_submatrix(gi_cuda_item(j.a, j.next_a, item), at, at),
                   b = gi_submatrix(gi_cuda_item(j.b, j.next_b, item), at, column);
    for (int64_t s = 0; s < k; s++) {
        const int64_t i = j.upper ? k - 1 - s : s, from = j.upper ? i + 1 : 0;
        ga_c128       x = gi_element(&b, i, 0);
        for (int64_t r = from; r < from + s; r++)
            x = gi_cuda_add_product(a.parts, x, gi_neg_c128(gi_cuda_of_triangle(j, a, i, r)), gi_element(&b, r, 0));
        if (!j.unit) x = gi_cuda_quotient(a.parts, x, gi_cuda_of_triangle(j, a, i, i));
        gi_set_element(&b, i, 0, x);
    }
}

/* Elements (m, k) of each matrix from a on, or of the transposed one, times -1, as factors of rows; and those that were turned, conjugated,
   as such rows (NULL: they are not wanted). */
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_make_factors(const __grid_constant__ gi_linear_job j, gi_dense a, int64_t m, int64_t k, double *factors,
                         double *turned)
{
    const int64_t e = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x, i = e / k % m, r = e % k, item = e / k / m;
    if (item >= j.items) return;
    const gi_dense of    = gi_cuda_item(a, j.next_a, item);
    const int64_t  parts = a.parts, next = k * parts;
    const ga_c128  x = gi_cuda_of_triangle(j, of, i, r);
    gi_put_factor(factors + item * m * parts * next + i * parts * next + r * parts, next, a.parts, gi_neg_c128(x));
    if (!turned) return;
    turned += (item * k + r) * parts * m + i;
    turned[0] = x.re;
    if (parts == 2) turned[m] = -x.im;
}

/* b becomes the unit matrix; or NaN, where the item is bad. */
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_begin_systems(const __grid_constant__ gi_linear_job j, bool bad)
{
    const int64_t n = j.size * j.columns, e = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x, item = e / n;
    if (item >= j.items || (bad && !j.bad[item])) return;
    const gi_dense b = gi_cuda_item(j.b, j.next_b, item);
    const int64_t  i = e % n / j.columns, c = e % j.columns;
    const double   nan = gi_nan_f64();
    gi_set_element(&b, i, c, bad ? gi_make_c128(nan, nan) : gi_make_c128(i == c ? 1 : 0, 0));
}

/* Is there a 0 on the diagonal of a triangle? A block looks at each. */
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_find_zeros(const __grid_constant__ gi_linear_job j)
{
    for (int64_t item = blockIdx.x; item < j.items; item += gridDim.x) {
        const gi_dense a     = gi_cuda_item(j.a, j.next_a, item);
        int            zeros = 0;
        for (int64_t i = threadIdx.x; i < j.size; i += GI_CUDA_THREADS) {
            const ga_c128 x = gi_element(&a, i, i);
            if (x.re == 0 && x.im == 0) zeros = 1;
        }
        zeros = __syncthreads_or(zeros); /* redundant as a barrier: it collects */
        if (zeros && threadIdx.x == 0) j.bad[item] = true;
    }
}

/* ---- launching them ---------------------------------------------------------------------------------------------------------- */

typedef struct gi_cuda_linear_call {
    gi_linear_job job;
    double       *factors; /* room for those of a block, and for the rows of Cholesky's */
} gi_cuda_linear_call;

/* A kernel with a thread for each of `count` elements. */
template <class... P, class... A>
static bool gi_cuda_each(const char *site, void (*kernel)(P...), int64_t count, const A &...arguments)
{
    if (count == 0) return true;
    GI_LAUNCH(kernel, gi_cuda_blocks(count), GI_CUDA_THREADS, gi_cuda_current_stream(), arguments...);
    return gi_cuda_launched(site, "linear algebra");
}

/* c (m, n) of each item += the factors (m, k) times b (k, n). */
static bool gi_cuda_linear_update(const char *site, int64_t items, const double *factors, int64_t next_factors, int64_t m,
                                  int64_t k, const gi_dense *b, int64_t next_b, const gi_dense *c, int64_t next_c, int64_t n)
{
    gi_product p  = gi_linear_product(factors, m, k, b, c, n);
    p.axes        = 1;
    p.shape[0]    = items;
    p.a.next[0]   = next_factors * 8;
    p.b.next[0]   = next_b * 8;
    p.out.next[0] = next_c * 8;
    return m <= 0 || n <= 0 || gi_cuda_product(site, &p);
}

/* Solves with k rows on the diagonal from `at` on, and takes what they say from `rest` rows from `other` on. */
static bool gi_cuda_solve_block(const char *site, const gi_cuda_linear_call *l, int64_t at, int64_t k, int64_t other,
                                int64_t rest)
{
    const gi_linear_job *j    = &l->job;
    const int64_t        next = k * j->a.parts * j->a.parts;
    const gi_dense       b = gi_submatrix(j->b, at, 0), to = gi_submatrix(j->b, other, 0),
                   column = j->across ? gi_submatrix(j->a, at, other) : gi_submatrix(j->a, other, at);
    return gi_cuda_each(site, gi_cuda_solve_rows, j->items * j->columns, *j, at, k) &&
           gi_cuda_each(site, gi_cuda_make_factors, j->items * rest * k, *j, column, rest, k, l->factors, (double *)NULL) &&
           gi_cuda_linear_update(site, j->items, l->factors, rest * next, rest, k, &b, j->next_b, &to, j->next_b, j->columns);
}

static bool gi_cuda_solve_triangles(const char *site, const gi_cuda_linear_call *l)
{
    const gi_linear_job *j = &l->job;
    const int64_t        n = j->size, block = j->whole ? n : (int64_t)GI_LINEAR_BLOCK;
    for (int64_t done = 0, k; done < n; done += k) {
        k                = n - done < block ? n - done : block;
        const int64_t at = j->upper ? n - done - k : done;
        if (!gi_cuda_solve_block(site, l, at, k, j->upper ? 0 : at + k, n - done - k)) return false;
    }
    return true;
}

/* The columns of a block, in all rows from the diagonal on. */
static bool gi_cuda_decompose_columns(const char *site, const gi_cuda_linear_call *l, int64_t at, int64_t k)
{
    const int64_t  n = l->job.size, items = l->job.items;
    const int      threads = n <= 16 ? 32 : n <= 48 ? 128 : n <= GI_LINEAR_SMALL ? 256 : (int)GI_LINEAR_THREADS;
    const unsigned blocks  = items < INT32_MAX ? (unsigned)items : INT32_MAX;
    int            across  = 1;
    while (across < k && across < 32) across *= 2;
    GI_LAUNCH((l->job.task == GI_LINEAR_LU ? gi_cuda_lu_columns : gi_cuda_cholesky_columns), blocks, threads,
              gi_cuda_current_stream(), l->job, at, k, across);
    return gi_cuda_launched(site, "linear algebra");
}

/* LU: the other columns, after a block. */
static bool gi_cuda_lu_others(const char *site, const gi_cuda_linear_call *l, int64_t at, int64_t k)
{
    gi_cuda_linear_call right = *l;
    const int64_t       n     = l->job.size;
    right.job.b               = gi_submatrix(l->job.a, 0, at + k);
    right.job.next_b          = l->job.next_a;
    right.job.columns         = n - at - k;
    right.job.unit            = true;
    return gi_cuda_each(site, gi_cuda_exchange_rows, l->job.items * (n - k), l->job, l->job.a, l->job.next_a, n - k, at, k,
                        k) &&
           gi_cuda_solve_block(site, &right, at, k, at + k, n - at - k);
}

/* Cholesky: the rows below a block, some of them at a time, up to the diagonal. */
static bool gi_cuda_cholesky_others(const char *site, const gi_cuda_linear_call *l, int64_t at, int64_t k)
{
    enum { HIGH = 1024 };
    const gi_linear_job *j     = &l->job;
    const int            parts = j->a.parts;
    const int64_t        rest = j->size - at - k, next = k * parts * parts;
    double              *turned = l->factors + j->items * rest * next;
    const gi_dense       rows   = { turned, parts, parts * rest, parts == 2 ? rest : 0 };
    bool done = gi_cuda_each(site, gi_cuda_make_factors, j->items * rest * k, *j, gi_submatrix(j->a, at + k, at), rest, k,
                             l->factors, turned);
    for (int64_t i = 0; i < rest && done; i += HIGH) {
        const int64_t  high = rest - i < HIGH ? rest - i : (int64_t)HIGH;
        const gi_dense to   = gi_submatrix(j->a, at + k + i, at + k);
        done = gi_cuda_linear_update(site, j->items, l->factors + i * next, rest * next, high, k, &rows, k * parts * rest, &to,
                                     j->next_a, i + high);
    }
    return done;
}

/* Solves with the decomposed matrices. */
static bool gi_cuda_lu_solve(const char *site, const gi_cuda_linear_call *l)
{
    gi_cuda_linear_call t     = *l;
    gi_linear_job      *j     = &t.job;
    const int64_t       count = j->items * j->size * j->columns;
    j->unit                   = true;
    if ((j->inverse && !gi_cuda_each(site, gi_cuda_begin_systems, count, *j, false)) ||
        !gi_cuda_each(site, gi_cuda_exchange_rows, j->items * j->columns, *j, j->b, j->next_b, j->columns, (int64_t)0, j->size,
                      (int64_t)0) ||
        !gi_cuda_solve_triangles(site, &t))
        return false;
    j->unit  = false;
    j->upper = true;
    return gi_cuda_solve_triangles(site, &t) && gi_cuda_each(site, gi_cuda_begin_systems, count, *j, true);
}

static bool gi_cuda_linear_run(const char *site, const gi_cuda_linear_call *l)
{
    enum { MOST = 1 << 20 }; /* blocks of threads, which may look at several items */
    const gi_linear_job *j = &l->job;
    const int64_t        n = j->size, block = j->whole ? n : (int64_t)GI_LINEAR_BLOCK;
    if (j->task == GI_LINEAR_TRIANGLE)
        return (j->unit || gi_cuda_each(site, gi_cuda_find_zeros, (j->items < MOST ? j->items : MOST) * GI_CUDA_THREADS, *j)) &&
               gi_cuda_solve_triangles(site, l);
    for (int64_t at = 0, k; at < n; at += k) {
        k = n - at < block ? n - at : block;
        if (!gi_cuda_decompose_columns(site, l, at, k) ||
            !(j->task == GI_LINEAR_LU ? gi_cuda_lu_others : gi_cuda_cholesky_others)(site, l, at, k))
            return false;
    }
    return !j->b.p || gi_cuda_lu_solve(site, l);
}

/* Does the job; `on` is an array of it. False with an error. */
static bool gi_cuda_linear(const char *site, const ga_array *on, const gi_linear_job *job)
{
    const int64_t       parts   = job->a.parts;
    const size_t        numbers = job->whole ? 0 : (size_t)(job->items * job->size * GI_LINEAR_BLOCK * parts * (parts + 1));
    gi_scratch          factors = {};
    gi_cuda_linear_call l;
    if (job->items == 0 || job->size == 0) return true;
    if (!gi_cuda_touch(site, on) || !gi_scratch_get(site, &factors, on, numbers * sizeof(double))) return false;
    l.job           = *job;
    l.factors       = (double *)factors.p;
    const bool done = gi_cuda_linear_run(site, &l);
    gi_scratch_free(&factors);
    return done;
}
