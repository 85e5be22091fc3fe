/* ---- kinds of dtypes, sizes and shapes: what depends on nothing but its arguments ------------------------------------ */

static inline bool gi_is_dtype(ga_dtype d) { return d > GA_DTYPE_DEFAULT && d < GA_DTYPE_COUNT; }
static inline bool gi_is_int(ga_dtype d) { return d >= GA_I8 && d <= GA_U64; }
static inline bool gi_is_signed(ga_dtype d) { return d == GA_I8 || d == GA_I16 || d == GA_I32 || d == GA_I64; }
static inline bool gi_is_unsigned(ga_dtype d) { return d == GA_U8 || d == GA_U16 || d == GA_U32 || d == GA_U64; }
static inline bool gi_is_float(ga_dtype d) { return d == GA_F32 || d == GA_F64; }
static inline bool gi_is_half(ga_dtype d) { return d == GA_F16 || d == GA_BF16; }
static inline bool gi_is_complex(ga_dtype d) { return d == GA_C64 || d == GA_C128; }

/* The dtype of the real part. */
static inline ga_dtype gi_dtype_real(ga_dtype d) { return d == GA_C64 ? GA_F32 : d == GA_C128 ? GA_F64 : d; }

/* The dtype in which elements are computed: float32 for halves, else their own. */
static inline ga_dtype gi_dtype_computed(ga_dtype d) { return gi_is_half(d) ? GA_F32 : d; }

/* A conversion of halves that is none of GI_EACH_HALF_CAST takes two steps: by this dtype, float32 or float64. */
static inline ga_dtype gi_half_way(ga_dtype from) { return gi_dtype_real(ga_promote(gi_dtype_computed(from), GA_F32)); }

/* bool 0, integers 1, floats 2, complex 3: a result may be written into an array of the same kind or a later one. */
static inline int gi_dtype_kind(ga_dtype d) { return d == GA_BOOL ? 0 : gi_is_int(d) ? 1 : gi_is_complex(d) ? 3 : 2; }

static inline bool gi_dtype_same_kind(ga_dtype from, ga_dtype to)
{
    if (gi_is_signed(from) && gi_is_unsigned(to)) return false; /* as NumPy's same_kind */
    return gi_dtype_kind(from) <= gi_dtype_kind(to);
}

/* How many elements: a length of 0 wins, whatever the product of the others. */
static inline int64_t gi_shape_size(int ndim, const int64_t *shape)
{
    int64_t size = 1;
    for (int d = 0; d < ndim; d++)
        if (shape[d] == 0) return 0;
    for (int d = 0; d < ndim; d++) size *= shape[d];
    return size;
}

static inline bool gi_shape_equal(int na, const int64_t *a, int nb, const int64_t *b)
{
    if (na != nb) return false;
    for (int d = 0; d < na; d++)
        if (a[d] != b[d]) return false;
    return true;
}

/* Joins a shape into a broadcast shape (right-aligned; 1 stretches). False if they do not fit: nothing is reported or changed. */
static inline bool gi_shape_broadcast(int *ndim, int64_t *shape, int n, const int64_t *other)
{
    for (int d = 1; d <= n && d <= *ndim; d++)
        if (shape[*ndim - d] != other[n - d] && shape[*ndim - d] != 1 && other[n - d] != 1) return false;
    if (n > *ndim) { /* shift to the right, put ones before */
        for (int d = n - 1; d >= 0; d--) shape[d] = d >= n - *ndim ? shape[d - (n - *ndim)] : 1;
        *ndim = n;
    }
    for (int d = 0; d < n; d++) {
        int64_t *mine = &shape[*ndim - n + d];
        if (*mine == 1) *mine = other[d];
    }
    return true;
}

/* The strides of a seen as an array of the given (broadcast) shape: 0 along stretched axes. */
static inline void gi_shape_broadcast_strides(const ga_array *a, int ndim, const int64_t *shape, int64_t *strides)
{
    int missing = ndim - a->ndim;
    for (int d = 0; d < ndim; d++)
        strides[d] = d < missing || (a->shape[d - missing] == 1 && shape[d] != 1) ? 0 : a->strides[d - missing];
}

enum { GI_ALIGN = 64 };
/* Rounds up, so that what follows is aligned. */
static inline int64_t gi_mem_padded(int64_t bytes) { return (bytes + GI_ALIGN - 1) / GI_ALIGN * GI_ALIGN; }
