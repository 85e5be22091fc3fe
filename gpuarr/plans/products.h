/* ---- matrix products ----------------------------------------------------------------------------------------------- */

enum { GI_PRODUCT_AXES = 2 * GPUARR_MAX_DIMS };

typedef struct gi_factor { /* an operand, or the result */
    char   *data;
    int64_t row, column; /* strides in bytes */
    int64_t next[GI_PRODUCT_AXES];
} gi_factor;

typedef struct gi_product { /* out[i][j] = sum over k of a[i][k] * b[k][j] */
    ga_dtype  dtype;        /* of all three */
    bool      more;         /* the sum is added to what is there (gi_multiply_more) */
    int64_t   rows, inner, columns;
    int       axes; /* and that many times over */
    int64_t   shape[GI_PRODUCT_AXES];
    gi_factor a, b, out; /* out does not overlap */
} gi_product;

static inline void gi_swap_strides(int64_t *x, int64_t *y)
{
    int64_t t = *x;
    *x        = *y;
    *y        = t;
}

/* The same product as that of the transposed matrices. Not of complex numbers: the order of their four products would change. */
static inline void gi_product_transpose(gi_product *p)
{
    gi_factor a = p->a;
    p->a        = p->b;
    p->b        = a;
    gi_swap_strides(&p->rows, &p->columns);
    gi_swap_strides(&p->a.row, &p->a.column);
    gi_swap_strides(&p->b.row, &p->b.column);
    gi_swap_strides(&p->out.row, &p->out.column);
}

/* Where the matrices of an item lie. */
static inline void gi_product_locate_item(const gi_product *p, int64_t item, const char **a, const char **b, char **out)
{
    *a   = p->a.data;
    *b   = p->b.data;
    *out = p->out.data;
    for (int d = p->axes - 1; d >= 0; d--) {
        const int64_t above = d > 0 ? item / p->shape[d] : 0, index = item - above * p->shape[d];
        item = above;
        *a += index * p->a.next[d];
        *b += index * p->b.next[d];
        *out += index * p->out.next[d];
    }
}

typedef struct gi_blas_matrix {
    bool    across; /* the matrix is the transposed of what lies in memory row by row */
    int64_t lead;   /* elements from row to row there */
} gi_blas_matrix;

static inline bool gi_is_for_blas(int64_t rows, int64_t columns, int64_t row, int64_t column, int64_t size, gi_blas_matrix *m)
{
    m->across = column != size;
    m->lead   = (m->across ? column : row) / size;
    return (m->across ? row : column) == size && (m->across ? column : row) % size == 0 && m->lead <= INT32_MAX &&
           m->lead >= (m->across ? rows : columns);
}

/* Is the product large enough, and does each matrix lie as a BLAS takes it? */
static inline bool gi_blas_takes(const gi_product *p, gi_blas_matrix *a, gi_blas_matrix *b, gi_blas_matrix *out)
{
    const int64_t size = ga_itemsize(p->dtype), most = INT32_MAX;
    return gi_dtype_kind(p->dtype) >= 2 && p->rows > 8 && p->columns > 8 && p->inner > 8 && p->rows <= most &&
           p->columns <= most && p->inner <= most && (double)p->rows * (double)p->columns * (double)p->inner > 250000 &&
           gi_is_for_blas(p->rows, p->inner, p->a.row, p->a.column, size, a) &&
           gi_is_for_blas(p->inner, p->columns, p->b.row, p->b.column, size, b) &&
           gi_is_for_blas(p->rows, p->columns, p->out.row, p->out.column, size, out) && !out->across;
}
