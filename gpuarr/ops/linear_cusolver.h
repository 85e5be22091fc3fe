/* ---- factors of matrices on a GPU, by cuSOLVER ------------------------------------------------------------------------------- */
/*  cuSOLVER has to be linked, so it is used only when asked for: nvcc -DGPUARR_USE_CUSOLVER main.cu -lcusolver. It works in the dtype of the
    result, and takes columns that lie packed: a stack for it is an array (items, columns, rows), the matrices of which are
    transposed to all other calls. Matrices are brought near 1 before, so that squares neither overflow nor vanish.          */
#ifdef GPUARR_USE_CUSOLVER
enum { GI_SOLVER_LARGE = 512 }; /* rows from which on LU and Cholesky are left to it */

typedef struct gi_solver {
    gi_composition  c;
    gi_solver_job   job;
    const ga_array *of; /* the user's matrices */
    ga_array       *by; /* (items, 1, 1): what they were divided by, NaN where they are not finite; NULL: by nothing */
} gi_solver;

/* Does it take these matrices? */
static bool gi_solver_takes(const ga_array *a)
{
    return a->device == GA_CUDA && gi_gpu->factor && a->size > 0 && a->shape[a->ndim - 2] <= INT32_MAX &&
           a->shape[a->ndim - 1] <= INT32_MAX;
}
static bool gi_solver_takes_large(const ga_array *a) { return a->shape[a->ndim - 1] >= GI_SOLVER_LARGE && gi_solver_takes(a); }

/* A new array (items, i, j). */
static ga_array *gi_solver_new(const gi_solver *s, ga_dtype dtype, int64_t i, int64_t j)
{
    const int64_t shape[3] = { s->job.items, i, j };
    return gi_array_new(s->c.site, dtype, GA_CUDA, 3, shape);
}

static ga_array *gi_solver_turned(const gi_solver *s, const ga_array *x) { return (ga_swapaxes)(x, 1, 2, s->c.site); }

/* A copy without gaps of the dtype of the job. */
static ga_array *gi_solver_copy(const gi_solver *s, const ga_array *x)
{
    return x ? gi_copy_convert(s->c.site, x, s->job.dtype) : NULL;
}

/* a as one stack, not to be written. */
static ga_array *gi_solver_begin(gi_solver *s, const char *site, const ga_array *a, ga_dtype dtype)
{
    memset(s, 0, sizeof *s);
    gi_compose_begin(&s->c, site);
    const int64_t m = a->shape[a->ndim - 2], n = a->shape[a->ndim - 1];
    s->of                  = a;
    s->job.dtype           = dtype;
    s->job.items           = a->size / (m * n);
    s->job.rows            = m;
    s->job.columns         = n;
    const int64_t shape[3] = { s->job.items, m, n };
    return gi_do_reshape(&s->c, gi_copy_contiguous(site, a, dtype), 3, shape);
}

/* Ends: hands n results to the addresses that want them, or gives none and says why. */
static bool gi_solver_end(gi_solver *s, int n, ga_array **const *to, ga_array *const *made)
{
    ga_array *kept[3];
    for (int k = 0; k < n; k++) kept[k] = gi_compose_keep(&s->c, made[k]);
    const bool done = gi_hand_out(n, to, kept);
    (void)gi_compose_end(&s->c, NULL);
    return done;
}

/* The real numbers of which a stack without gaps is made: (items, numbers). */
static ga_array *gi_solver_numbers(const gi_solver *s, const ga_array *x)
{
    const ga_dtype real = gi_dtype_real(x->dtype);
    const int64_t  size = ga_itemsize(real), n = x->size / s->job.items * (ga_itemsize(x->dtype) / size);
    const int64_t  shape[2] = { s->job.items, n }, strides[2] = { n * size, size };
    return gi_array_new_view(s->c.site, x, x->data, real, 2, shape, strides);
}

/* The stack with its matrices near 1, and 0 in place of those that are not finite. */
static ga_array *gi_solver_scaled(gi_solver *s, ga_array *x)
{
    const gi_composition *c       = &s->c;
    const ga_dtype        real    = gi_dtype_real(s->job.dtype);
    const double          least   = real == GA_F32 ? 1e-8 : 1e-60;
    const int64_t         ones[3] = { s->job.items, 1, 1 };
    bool                  any     = false;
    ga_array             *numbers = x ? gi_solver_numbers(s, x) : NULL, *sizes = numbers ? GI_DO_1(c, absolute, numbers) : NULL;
    ga_array             *most = sizes ? gi_do_fold(c, (ga_max), sizes, 1, true) : NULL,
             *by               = most ? gi_copy_convert(c->site, most, GA_F64) : NULL;
    ga_free(sizes);
    by = gi_copy_move(c->site, by, GA_CPU);
    if (!by) return NULL;
    for (int64_t item = 0; item < s->job.items; item++) {
        double *size = (double *)by->data + item;
        int     exponent;
        (void)frexp(*size, &exponent);
        if (!(*size <= DBL_MAX)) *size = gi_nan_f64();
        else *size = *size == 0 || (*size > least && *size < 1 / least) ? 1 : ldexp(1, exponent - 1);
        any = any || *size != 1;
    }
    if (!any) return x;
    by               = gi_copy_move(c->site, gi_copy_convert(c->site, by, real), GA_CUDA);
    s->by            = gi_do_reshape(c, by, 3, ones);
    ga_array *scaled = GI_DO_2(c, divide, numbers, by), *near = GI_DO_WHERE(c, GI_DO_1(c, isfinite, by), scaled, 0.0);
    return near && s->by ? gi_array_new_view(c->site, near, near->data, x->dtype, 3, x->shape, x->strides) : NULL;
}

static bool gi_solver_run(gi_solver *s, const char *lost)
{
    const int64_t items = s->job.items, count = items + 1;
    int64_t       first = items;
    ga_array     *all   = gi_array_new(s->c.site, GA_I32, GA_CUDA, 1, &count);
    s->job.infos        = all;
    bool      done      = all && gi_gpu->factor(s->c.site, &s->job);
    ga_array *infos     = done ? gi_copy_move(s->c.site, gi_do_part(&s->c, all, 0, 0, items), GA_CPU) : NULL;
    for (int64_t item = items - 1; item >= 0 && done && infos; item--)
        if (((const int32_t *)infos->data)[item] != 0) first = item;
    done = done && infos && gi_all_done(s->c.site, first, items, lost);
    ga_free(infos);
    ga_free(all);
    return done;
}

/* What was made of the stack, in the user's shape: matrices (2), or vectors. `values`: they were divided with the matrices. */
static ga_array *gi_solver_result(const gi_solver *s, ga_array *x, int ndim, bool values)
{
    const gi_composition *c = &s->c;
    int64_t               shape[GPUARR_MAX_DIMS];
    if (x && s->by) x = GI_DO_2(c, multiply, x, values ? s->by : GI_DO_2(c, divide, s->by, s->by)); /* by 1, or NaN */
    if (!x) return NULL;
    memcpy(shape, s->of->shape, sizeof shape);
    memcpy(shape + s->of->ndim - 2, x->shape + 3 - ndim, (size_t)ndim * sizeof *shape);
    return gi_do_reshape(c, gi_copy_contiguous(c->site, x, x->dtype), s->of->ndim - 2 + ndim, shape);
}

/* ---- the calls --------------------------------------------------------------------------------------------------------------- */

/* ga_qr, q with so many columns. */
static bool gi_solver_qr(const char *site, const ga_array *a, int64_t k, ga_array **const *to)
{
    static const char what[] = "the matrix cannot be decomposed";
    gi_solver         s;
    ga_array     *made[2] = { NULL, NULL }, *x = gi_solver_scaled(&s, gi_solver_begin(&s, site, a, gi_linear_dtype(a->dtype)));
    const int64_t m = s.job.rows, n = s.job.columns;
    ga_array     *all = x ? gi_solver_new(&s, s.job.dtype, n > k ? n : k, m) : NULL, *columns = gi_do_part(&s.c, all, 1, 0, n);
    ga_array     *taus = columns ? gi_solver_new(&s, s.job.dtype, 1, m < n ? m : n) : NULL;
    s.job.task         = GI_SOLVER_QR;
    s.job.a            = all;
    s.job.values       = taus;
    x                  = x ? gi_solver_turned(&s, x) : NULL;
    if (x && taus && gi_copy_assign(site, columns, x) && gi_solver_run(&s, what)) {
        ga_diagonal_options o = ga_diagonal_defaults;
        o.site                = site;
        if (to[1])
            made[1] = gi_solver_result(&s, (ga_triu)(gi_solver_turned(&s, gi_do_part(&s.c, columns, 2, 0, k)), o), 2, true);
        s.job.task    = GI_SOLVER_Q;
        s.job.columns = k;
        s.job.others  = m < n ? m : n;
        if (to[0] && gi_solver_run(&s, what))
            made[0] = gi_solver_result(&s, gi_solver_turned(&s, gi_do_part(&s.c, all, 1, 0, k)), 2, false);
    }
    return gi_solver_end(&s, 2, to, made);
}

/* The real or imaginary parts of the diagonals. */
static ga_array *gi_solver_diagonals(const gi_solver *s, const ga_array *x, int part)
{
    const ga_dtype real     = gi_dtype_real(x->dtype);
    const int64_t  shape[2] = { s->job.items, s->job.rows }, strides[2] = { x->strides[0], x->strides[1] + x->strides[2] };
    return gi_array_new_view(s->c.site, x, (char *)x->data + part * ga_itemsize(real), real, 2, shape, strides);
}

/* One triangle of the matrices, 0 beside it; their diagonals are real. */
static ga_array *gi_solver_half(const gi_solver *s, const ga_array *x, bool upper)
{
    ga_diagonal_options o = ga_diagonal_defaults;
    o.site                = s->c.site;
    ga_array *half        = (upper ? (ga_triu) : (ga_tril))(x, o);
    if (!half || !gi_is_complex(half->dtype)) return half;
    ga_array *imag = gi_solver_diagonals(s, half, 1);
    return imag && gi_copy_assign_where(s->c.site, imag, GA_ARG(0.0), NULL) ? half : NULL;
}

/* ga_eigh. */
static bool gi_solver_eigen(const char *site, const ga_array *a, bool upper, ga_array **const *to)
{
    gi_solver s;
    ga_array *made[2] = { NULL, NULL }, *x = gi_solver_begin(&s, site, a, gi_linear_dtype(a->dtype)), *values;
    x             = gi_solver_scaled(&s, gi_solver_half(&s, x, upper));
    x             = gi_solver_copy(&s, gi_solver_turned(&s, x));
    values        = gi_solver_new(&s, gi_dtype_real(s.job.dtype), 1, s.job.rows);
    s.job.task    = GI_SOLVER_EIGEN;
    s.job.upper   = upper;
    s.job.vectors = to[1] != NULL;
    s.job.a       = x;
    s.job.values  = values;
    if (x && values && gi_solver_run(&s, "the eigenvalues do not converge")) {
        if (to[0]) made[0] = gi_solver_result(&s, values, 1, true);
        if (to[1]) made[1] = gi_solver_result(&s, gi_solver_turned(&s, x), 2, false);
    }
    return gi_solver_end(&s, 2, to, made);
}

/* ga_svd: of a wide matrix, whose transposed one is u s vh, vh^T s u^T. */
static bool gi_solver_svd(const char *site, const ga_array *a, bool full, ga_array **const *to)
{
    gi_solver s;
    ga_array *made[3]  = { NULL, NULL, NULL },
             *x        = gi_solver_scaled(&s, gi_solver_begin(&s, site, a, gi_linear_dtype(a->dtype)));
    const bool    tall = s.job.rows > s.job.columns, vectors = to[0] || to[2];
    const int64_t most = tall ? s.job.rows : s.job.columns, k = tall ? s.job.columns : s.job.rows;
    ga_array     *left = NULL, *right = NULL, *values = gi_solver_new(&s, gi_dtype_real(s.job.dtype), 1, k);
    x             = gi_solver_copy(&s, tall ? gi_solver_turned(&s, x) : x);
    s.job.task    = GI_SOLVER_SVD;
    s.job.rows    = most;
    s.job.columns = k;
    s.job.others  = full ? most : k;
    s.job.a       = x;
    s.job.values  = values;
    if (vectors) s.job.left = left = gi_solver_new(&s, s.job.dtype, s.job.others, most);
    if (vectors) s.job.right = right = gi_solver_new(&s, s.job.dtype, k, k);
    if (x && values && (!vectors || (left && right)) && gi_solver_run(&s, "the singular values do not converge")) {
        ga_array *u  = vectors && tall ? gi_solver_turned(&s, left) : right,
                 *vh = vectors && tall ? gi_solver_turned(&s, right) : left;
        if (to[0]) made[0] = gi_solver_result(&s, u, 2, false);
        if (to[1]) made[1] = gi_solver_result(&s, values, 1, true);
        if (to[2]) made[2] = gi_solver_result(&s, vh, 2, false);
    }
    return gi_solver_end(&s, 3, to, made);
}

/* The first item with infinity or NaN on the diagonal, or `items`; -1 with an error. */
static int64_t gi_solver_first_odd(const gi_solver *s, const ga_array *x)
{
    const ga_array *sum   = gi_do_fold(&s->c, (ga_sum), gi_solver_diagonals(s, x, 0), 1, false);
    const ga_array *sums  = sum ? gi_copy_move(s->c.site, gi_copy_convert(s->c.site, sum, GA_F64), GA_CPU) : NULL;
    int64_t         first = 0;
    while (sums && first < s->job.items && ((const double *)sums->data)[first] < gi_infinity_f64()) first++;
    return sums ? first : -1;
}

/* ga_cholesky. The lower triangle of rows is the upper one of columns, of the conjugate. */
static ga_array *gi_solver_cholesky(const char *site, const ga_array *a, bool upper)
{
    static const char what[] = "the matrix is not positive definite";
    gi_solver         s;
    ga_array *made[1] = { NULL }, *result = NULL, **const to[1] = { &result };
    ga_array *half = gi_solver_half(&s, gi_solver_begin(&s, site, a, gi_linear_dtype(a->dtype)), upper);
    s.job.task     = GI_SOLVER_CHOLESKY;
    s.job.upper    = !upper;
    s.job.a        = half;
    if (half && gi_solver_run(&s, what)) {
        const int64_t odd = gi_solver_first_odd(&s, half); /* which is not its own error everywhere */
        if (odd >= 0 && gi_all_done(site, odd, s.job.items, what)) made[0] = gi_solver_result(&s, half, 2, false);
    }
    return gi_solver_end(&s, 1, to, made) ? result : NULL;
}

/* ga_solve of one matrix, whose rows read as columns are the transposed one; its inverse where b is NULL. */
static ga_array *gi_solver_solve(const char *site, const ga_array *a, const ga_array *b, const char *singular)
{
    gi_solver s;
    ga_array *made[1] = { NULL }, *result = NULL, **const to[1] = { &result };
    const ga_dtype dtype = b ? ga_promote(gi_linear_dtype(a->dtype), gi_linear_dtype(b->dtype)) : gi_linear_dtype(a->dtype);
    ga_array      *x = gi_solver_begin(&s, site, a, dtype), *right = NULL;
    const int64_t  n = a->shape[0], r = !b ? n : b->ndim == 1 ? 1 : b->shape[1], rows[3] = { 1, r, n };
    if (b) right = gi_solver_copy(&s, b->ndim == 1 ? b : (ga_swapaxes)(b, 0, 1, site));
    else right = (ga_eye)(n, n, 0, gi_new_on(site, dtype, GA_CUDA));
    right        = gi_do_reshape(&s.c, right, 3, rows);
    s.job.task   = GI_SOLVER_LU;
    s.job.across = b != NULL;
    s.job.others = r;
    s.job.a      = gi_solver_copy(&s, x);
    s.job.values = gi_solver_new(&s, GA_I64, 1, n);
    s.job.left   = right;
    if (s.job.a && s.job.values && right && gi_solver_run(&s, singular))
        made[0] = gi_solver_result(&s, b && b->ndim == 2 ? gi_solver_turned(&s, right) : right, b ? b->ndim : 2, false);
    return gi_solver_end(&s, 1, to, made) ? result : NULL;
}
#endif
