/* ---- eigenvalues and singular values of large matrices, by a LAPACK library -------------------------------------------------- */
/*  LAPACKE has to be linked, so it is used only when asked for: cc -DGPUARR_USE_LAPACKE main.c -llapacke -lopenblas -lm -lpthread. It is given
    copies whose columns lie packed, as LAPACK wants them, of one matrix at a time. Each function here is false where it has done nothing
    (no memory, numbers that are not finite, too many rows): then our own algorithm goes on. Our own LU, Cholesky and QR are at least
    as fast as that library's, so they are not here.                                                                             */
#ifdef GPUARR_USE_LAPACKE
enum { GI_LAPACK_MOST = 30000 }; /* rows and columns: their work is counted in 32 bits */

typedef lapack_complex_double gi_lapack_c128;

static gi_lapack_c128 *gi_lapack_pairs(double *x) { return (gi_lapack_c128 *)(void *)x; }

/* Memory for so many numbers of `parts` each, or NULL; free() when done. */
static double *gi_lapack_room(int64_t numbers, int parts)
{
    return (double *)malloc((size_t)(numbers * parts + 1) * sizeof(double));
}

GI_BEGIN_FAST
/* The columns of a matrix, packed; and back. */
static void gi_lapack_copy(int64_t m, int64_t n, const gi_dense *a, double *x, bool back)
{
    for (int64_t i0 = 0; i0 < m; i0 += 8)
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = i0; i < m && i < i0 + 8; i++)
                for (int part = 0; part < a->parts; part++) {
                    double *in = a->p + i * a->down + part * a->imag + j, *packed = x + (j * m + i) * a->parts + part;
                    if (back) *in = *packed;
                    else *packed = *in;
                }
}
GI_END_FAST

/* A copy of it; NULL: there is no memory, or there are too many rows or columns. */
static double *gi_lapack_take(int64_t m, int64_t n, const gi_dense *a)
{
    double *x = m <= GI_LAPACK_MOST && n <= GI_LAPACK_MOST ? gi_lapack_room(m * n, a->parts) : NULL;
    if (x) gi_lapack_copy(m, n, a, x, false);
    return x;
}

/* Eigenvalues of a Hermitian matrix, and eigenvectors unless that is NULL. a is turned: its columns are packed already. */
static bool gi_lapack_eigen(const gi_dense *a, int64_t n, double *values, const gi_dense *vectors, bool *lost)
{
    const lapack_int k    = (lapack_int)n;
    const char       job  = vectors ? 'V' : 'N';
    double          *x    = gi_lapack_take(n, n, a);
    lapack_int       info = -1;
    for (int64_t i = 0; i < n * n && x && a->parts == 2; i++) x[2 * i + 1] = -x[2 * i + 1];
    if (x)
        info = a->parts == 2 ? LAPACKE_zheevd(LAPACK_COL_MAJOR, job, 'L', k, gi_lapack_pairs(x), k, values)
                             : LAPACKE_dsyevd(LAPACK_COL_MAJOR, job, 'L', k, x, k, values);
    if (info >= 0 && vectors) gi_lapack_copy(n, n, vectors, x, true);
    *lost = info > 0;
    free(x);
    return info >= 0;
}

/* Singular values of (m, n), m >= n, and the vectors: (m, columns) and (n, n), unless `columns` is 0. */
static bool gi_lapack_svd(const gi_dense *a, int64_t m, int64_t n, double *values, const gi_dense *left, const gi_dense *right,
                          int64_t columns, bool *lost)
{
    const lapack_int rows = (lapack_int)m, k = (lapack_int)n;
    const char       job = columns == 0 ? 'N' : columns > n ? 'A' : 'S';
    double *x = gi_lapack_take(m, n, a), *u = x && columns <= GI_LAPACK_MOST ? gi_lapack_room(m * columns, a->parts) : NULL,
           *v       = u ? gi_lapack_room(n * n, a->parts) : NULL;
    lapack_int info = -1;
    if (v)
        info = a->parts == 2 ? LAPACKE_zgesdd(LAPACK_COL_MAJOR, job, rows, k, gi_lapack_pairs(x), rows, values,
                                              gi_lapack_pairs(u), rows, gi_lapack_pairs(v), k)
                             : LAPACKE_dgesdd(LAPACK_COL_MAJOR, job, rows, k, x, rows, values, u, rows, v, k);
    if (info == 0 && columns > 0) {
        gi_lapack_copy(m, columns, left, u, true);
        for (int64_t i = 0; i < n; i++) /* the conjugate transposed */
            for (int64_t j = 0; j < n; j++) {
                const double *z = v + (i * n + j) * a->parts;
                gi_set_element(right, i, j, gi_make_c128(z[0], a->parts == 2 ? -z[1] : 0));
            }
    }
    *lost = info > 0;
    free(v);
    free(u);
    free(x);
    return info >= 0;
}

/* Eigenvalues (n, 1) of any matrix, which is complex, and eigenvectors unless that is NULL; `real`: its imaginary parts are 0. */
static bool gi_lapack_spectrum(const gi_dense *a, int64_t n, bool real, const gi_dense *values, const gi_dense *vectors,
                               bool *lost)
{
    const lapack_int k    = (lapack_int)n;
    const char       job  = vectors ? 'V' : 'N';
    gi_dense         from = *a;
    from.parts            = real ? 1 : 2;
    double *x = gi_lapack_take(n, n, &from), *w = x ? gi_lapack_room(n, 2) : NULL,
           *v       = w ? gi_lapack_room(vectors ? n * n : 1, from.parts) : NULL;
    lapack_int info = -1;
    if (v)
        info = real ? LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', job, k, x, k, w, w + n, NULL, k, v, k)
                    : LAPACKE_zgeev(LAPACK_COL_MAJOR, 'N', job, k, gi_lapack_pairs(x), k, gi_lapack_pairs(w), NULL, k,
                                    gi_lapack_pairs(v), k);
    for (int64_t i = 0; i < n && info == 0; i++)
        gi_set_element(values, i, 0, real ? gi_make_c128(w[i], w[n + i]) : gi_make_c128(w[2 * i], w[2 * i + 1]));
    if (info == 0 && vectors && !real) gi_lapack_copy(n, n, vectors, v, true);
    for (int64_t j = 0; j < n && info == 0 && vectors && real;
         j++) { /* of a pair, the real parts, then the imaginary ones of the first */
        const double *re = v + j * n, *im = re + n;
        const bool    pair = w[n + j] != 0;
        for (int64_t i = 0; i < n; i++) {
            gi_set_element(vectors, i, j, gi_make_c128(re[i], pair ? im[i] : 0));
            if (pair) gi_set_element(vectors, i, j + 1, gi_make_c128(re[i], -im[i]));
        }
        j += pair;
    }
    *lost = info > 0;
    free(v);
    free(w);
    free(x);
    return info >= 0;
}
#endif
