/* ---- elementwise jobs: what is computed from which operands -------------------------------------------------------- */

typedef void (*gi_own_kernel)(const gi_elements *e, bool exact);

typedef struct gi_own { /* a kernel of the user's */
    gi_own_kernel cpu;
    void (*gpu)(void);
    const ga_kernel *kernel; /* NULL: it is none */
    bool             exact;  /* rare arguments are not to be mended later, because a loop could wait for them in vain */
} gi_own;

typedef struct gi_function { /* all NULL: a copy of input 0 */
    gi_kernel     cpu;
    gi_gpu_kernel gpu;
    gi_own        own;
} gi_function;

/* clang-format off */
#define GI_NOT_OWN { NULL, NULL, NULL, false }
/* clang-format on */
static const gi_function gi_copying = { NULL, NULL, GI_NOT_OWN };

/* What a row answers for every number of a dtype, whatever it is: 0 or 1; -1: that depends. */
static inline int gi_row_constant(ga_op op, ga_dtype dtype)
{
    const bool integer = dtype < GA_F32, real = dtype < GA_C64;
    if (integer && (op == GA_OP_isnan || op == GA_OP_isinf || op == GA_OP_isposinf || op == GA_OP_isneginf)) return 0;
    if ((integer && op == GA_OP_isfinite) || (real && op == GA_OP_isreal)) return 1;
    return real && op == GA_OP_iscomplex ? 0 : -1;
}

/* What lies where, and how the kernel takes it. */
typedef struct gi_operand {
    char    *data;
    ga_dtype dtype;   /* as it lies in memory */
    ga_dtype wanted;  /* as the kernel takes it */
    bool     number;  /* one element for all: `data` is a packed tile of copies in `wanted` */
    bool     crossed; /* goes through a square */
    int64_t  strides[GPUARR_MAX_DIMS];
} gi_operand;

/* A kernel over all elements of a shape. */
typedef struct gi_job {
    gi_kernel     kernel; /* NULL: copy input 0 */
    gi_gpu_kernel gpu;    /* the same for arrays on the GPU */
    gi_own        own;    /* in place of both */
    int           inputs, outputs;
    int           ndim;
    int64_t       shape[GPUARR_MAX_DIMS];
    gi_operand    in[GI_MOST_INPUTS], out, more[GPUARR_MAX_OUTPUTS - 1], mask;
    gi_operand    place;         /* no memory, but the strides of GA_INDEX */
    int64_t       first_place;   /* GA_INDEX of the first element */
    bool          masked;        /* write only where mask is true */
    bool          apart;         /* no result may be written before all inputs of a tile are read */
    bool          direct;        /* the kernel, or a copy, runs over rows where they lie, or where they were turned round */
    bool          backward;      /* results are turned round, not what is read */
    gi_stream     stream;        /* how the result goes past the caches; NULL: it does not */
    int64_t       height, width; /* of a block */
    int64_t       side;          /* columns of a square, which has as many rows as the block */
    int64_t       tile;          /* elements */
} gi_job;

#define GI_MOST_STRIDED (GI_MOST_INPUTS + GPUARR_MAX_OUTPUTS + 2) /* the mask and the place */

/* An operand that is read; the mask comes behind the inputs. */
static inline const gi_operand *gi_job_source(const gi_job *j, int k) { return k < j->inputs ? &j->in[k] : &j->mask; }

static inline const gi_operand *gi_job_target(const gi_job *j, int k) { return k == 0 ? &j->out : &j->more[k - 1]; }

static inline bool gi_job_computes(const gi_job *j) { return j->kernel || j->own.kernel; }

/* The operands of a job that have strides. Returns how many. */
static inline int gi_job_strided_operands(gi_job *j, gi_operand **all)
{
    int n = 0;
    for (int k = 0; k < j->inputs; k++)
        if (!j->in[k].number) all[n++] = &j->in[k];
    all[n++] = &j->out;
    for (int k = 1; k < j->outputs; k++) all[n++] = &j->more[k - 1];
    if (j->masked) all[n++] = &j->mask;
    if (j->own.kernel) all[n++] = &j->place;
    return n;
}

/* Leaves out dimensions of length 1 and joins those that lie in memory as one, for all lists of strides. Returns how many are left. */
static inline int gi_job_coalesce_axes(int ndim, int64_t *shape, int lists, int64_t *const *strides)
{
    int n = 0;
    for (int d = 0; d < ndim; d++) {
        if (shape[d] == 1) continue;
        bool joins = n > 0;
        for (int k = 0; k < lists; k++) joins = joins && strides[k][n - 1] == strides[k][d] * shape[d];
        if (!joins) n++;
        shape[n - 1] = joins ? shape[n - 1] * shape[d] : shape[d];
        for (int k = 0; k < lists; k++) strides[k][n - 1] = strides[k][d];
    }
    return n;
}

static inline void gi_job_coalesce(gi_job *j)
{
    gi_operand *all[GI_MOST_STRIDED];
    int64_t    *strides[GI_MOST_STRIDED] = { NULL };
    int         operands                 = gi_job_strided_operands(j, all);
    for (int k = 0; k < operands; k++) strides[k] = all[k]->strides;
    j->ndim = gi_job_coalesce_axes(j->ndim, j->shape, operands, strides);
    if (j->ndim > 0) return;
    j->ndim     = 1; /* one element */
    j->shape[0] = 1;
    for (int k = 0; k < operands; k++) strides[k][0] = ga_itemsize(all[k]->dtype);
}

static inline int64_t gi_stride_length(int64_t stride) { return stride < 0 ? -stride : stride; }

/* Puts dimension `from` behind or before others, to become dimension `to`. */
static inline void gi_job_move_dimension(gi_job *j, int from, int to)
{
    gi_operand *all[GI_MOST_STRIDED];
    int         operands = gi_job_strided_operands(j, all), way = to < from ? -1 : 1;
    for (int d = from; d != to; d += way) {
        int64_t length    = j->shape[d];
        j->shape[d]       = j->shape[d + way];
        j->shape[d + way] = length;
        for (int k = 0; k < operands; k++) {
            int64_t stride           = all[k]->strides[d];
            all[k]->strides[d]       = all[k]->strides[d + way];
            all[k]->strides[d + way] = stride;
        }
    }
}

/* Puts the dimension in which the output moves least last, so that a transposed output is written in its own order. */
static inline void gi_job_order_dimensions(gi_job *j)
{
    for (int i = 1; i < j->ndim; i++) {
        int d = i;
        while (d > 0 && gi_stride_length(j->out.strides[d - 1]) < gi_stride_length(j->out.strides[i])) d--;
        if (d < i) gi_job_move_dimension(j, i, d);
    }
}

static inline void gi_operand_of(gi_operand *v, const ga_array *a, ga_dtype wanted, int ndim, const int64_t *shape)
{
    v->data   = (char *)a->data;
    v->dtype  = a->dtype;
    v->wanted = wanted;
    v->number = v->crossed = false;
    gi_shape_broadcast_strides(a, ndim, shape, v->strides);
}

/* GA_INDEX where the call works on a part of something larger: of its first element, and how it grows along each axis. */
typedef struct gi_indexed_from {
    int64_t first, strides[GPUARR_MAX_DIMS];
} gi_indexed_from;

/* to[...] = from, whatever the dtypes. */
static inline void gi_job_plan_copy(gi_job *j, const ga_array *to, const ga_array *from)
{
    memset(j, 0, sizeof *j);
    j->inputs = j->outputs = 1;
    j->ndim                = to->ndim;
    memcpy(j->shape, to->shape, sizeof j->shape);
    gi_operand_of(&j->in[0], from, to->dtype, j->ndim, j->shape);
    gi_operand_of(&j->out, to, to->dtype, j->ndim, j->shape);
}
