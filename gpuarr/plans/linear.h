/* ---- linear algebra: a matrix, and what is done with those of a stack ------------------------------------------------- */

/* One matrix. Element (i, j) is p[i * down + j], and its imaginary part so many elements further. */
typedef struct gi_dense {
    double *p;
    int     parts; /* 2 of complex numbers */
    int64_t down, imag;
} gi_dense;

enum {
    GI_LINEAR_BLOCK = 48, /* columns that are worked on at a time */
    GI_LINEAR_SMALL = 128 /* rows and columns of matrices that come many at a time */
};

typedef enum gi_linear_task { GI_LINEAR_LU, GI_LINEAR_CHOLESKY, GI_LINEAR_TRIANGLE } gi_linear_task;

/* What a GPU does with each square matrix of a stack. All lies there. */
typedef struct gi_linear_job {
    gi_linear_task task;
    bool           whole;                          /* all columns are one block */
    bool           inverse;                        /* b is the unit matrix to begin with */
    bool           upper, unit, across, conjugate; /* how a triangle is solved: see gi_triangle */
    int64_t        items, size, columns;           /* of b */
    gi_dense       a, b;                           /* those of the first item; b.p is NULL where nothing is solved */
    int64_t        next_a, next_b;                 /* numbers to those of the next item */
    int32_t       *pivots;                         /* of LU: `size` for each item */
    bool          *bad;                            /* of each item: it is singular, or not positive definite */
} gi_linear_job;

typedef enum gi_solver_task {
    GI_SOLVER_QR,    /* a becomes R, and the reflectors below it; values: their taus */
    GI_SOLVER_Q,     /* of that, a becomes the first `columns` columns of Q */
    GI_SOLVER_EIGEN, /* values; a becomes the vectors, if `vectors` */
    GI_SOLVER_SVD,   /* values; left: so many columns, right: the conjugate transposed; both NULL: not wanted */
    GI_SOLVER_LU,    /* values: int64 for the pivots; left becomes the solution of a^T x = left, or a x = left */
    GI_SOLVER_CHOLESKY
} gi_solver_task;

/* What cuSOLVER does with each (rows, columns) matrix of a stack. The arrays lie on the GPU, have no gaps, and hold the same part of each
   matrix, column by column; none is empty. */
typedef struct gi_solver_job {
    gi_solver_task  task;
    ga_dtype        dtype; /* of the matrices: float32, float64, complex64 or complex128 */
    bool            vectors, upper, across;
    int64_t         items, rows, columns, others; /* others: columns of `left`, or how many reflectors there are */
    const ga_array *a, *values, *left, *right;
    const ga_array *infos; /* int32, one more than there are items: not 0 for those that it could not do */
} gi_solver_job;

/* A part of a matrix that begins with that element. */
GI_FORMULA gi_dense gi_submatrix(gi_dense a, int64_t i, int64_t j)
{
    a.p += i * a.down + j;
    return a;
}

GI_FORMULA ga_c128 gi_element(const gi_dense *a, int64_t i, int64_t j)
{
    const double *p = a->p + i * a->down + j;
    return gi_make_c128(*p, a->parts == 2 ? p[a->imag] : 0);
}

GI_FORMULA void gi_set_element(const gi_dense *a, int64_t i, int64_t j, ga_c128 x)
{
    double *p = a->p + i * a->down + j;
    *p        = x.re;
    if (a->parts == 2) p[a->imag] = x.im;
}

/* Numbers, each in its place of a real matrix that multiplies rows of parts: re -im above im re. */
GI_FORMULA void gi_put_factor(double *to, int64_t next, int parts, ga_c128 x)
{
    to[0] = x.re;
    if (parts == 1) return;
    to[1]        = -x.im;
    to[next]     = x.im;
    to[next + 1] = x.re;
}

/* x / y: the reciprocal that a complex division takes overflows or vanishes beside the ends of the range, so both are brought away. */
GI_FORMULA ga_c128 gi_quotient(ga_c128 x, ga_c128 y)
{
    const double re = gi_abs_f64(y.re), im = gi_abs_f64(y.im), size = re > im ? re : im;
    const double by = size < 0x1p-1000 ? 0x1p600 : size > 0x1p1000 ? 0x1p-600 : 1;
    return gi_div_c128(gi_by_c128(x, by), gi_by_c128(y, by));
}

/* c (m, n) += the factors (m, k) times b (k, n), as a product of real numbers. */
static inline gi_product gi_linear_product(const double *factors, int64_t m, int64_t k, const gi_dense *b, const gi_dense *c,
                                           int64_t n)
{
    const int  parts = b->parts;
    gi_product p;
    memset(&p, 0, sizeof p);
    p.dtype    = GA_F64;
    p.more     = true;
    p.rows     = m * parts;
    p.inner    = k * parts;
    p.columns  = n;
    p.a.data   = (char *)(uintptr_t)factors;
    p.a.row    = k * parts * 8;
    p.b.data   = (char *)b->p;
    p.b.row    = (parts == 2 ? b->imag : b->down) * 8;
    p.out.data = (char *)c->p;
    p.out.row  = (parts == 2 ? c->imag : c->down) * 8;
    p.a.column = p.b.column = p.out.column = 8;
    return p;
}
