/* ==== >>cuda solver: factors of matrices, by cuSOLVER ======================================================================== */
#if GI_HAS_CUSOLVER
/*  A handle serves one thread and one stream at a time: whoever holds the lock, until its work there is done. Errors are told when
    nobody holds it.                                                                                                             */

typedef struct gi_solver_handle {
    cusolverDnHandle_t handle;
    cusolverDnParams_t params;
} gi_solver_handle;

static pthread_mutex_t  gi_solver_lock = PTHREAD_MUTEX_INITIALIZER;
static gi_solver_handle gi_solver_handles[GI_MOST_GPUS];

/* One of the calls of cuSOLVER, for an item, or for a whole stack. */
typedef struct gi_solver_call {
    const gi_solver_job *job;
    gi_solver_handle     with;
    cudaDataType         type, real;
    cublasFillMode_t     half;
    cusolverEigMode_t    mode;
    signed char          letter;      /* how LAPACK is asked for singular vectors: all, as many as there are values, or none */
    void                *work, *host; /* memory on the GPU and on the CPU */
    size_t               work_bytes, host_bytes;
} gi_solver_call;

static void gi_solver_close(int ordinal)
{
    gi_solver_handle *h = &gi_solver_handles[ordinal];
    if (h->params) (void)cusolverDnDestroyParams(h->params);
    if (h->handle) (void)cusolverDnDestroy(h->handle);
    memset(h, 0, sizeof *h);
}

/* The handle of the current device, for the current stream. */
static cusolverStatus_t gi_solver_open(gi_solver_call *c)
{
    gi_solver_handle *h      = &gi_solver_handles[gi_cuda_ordinal_in_use()];
    cusolverStatus_t  status = h->handle ? CUSOLVER_STATUS_SUCCESS : cusolverDnCreate(&h->handle);
    if (status == CUSOLVER_STATUS_SUCCESS && !h->params) status = cusolverDnCreateParams(&h->params);
    c->with = *h;
    return status == CUSOLVER_STATUS_SUCCESS ? cusolverDnSetStream(h->handle, gi_cuda_current_stream()) : status;
}

/* What the arrays of the job have of an item. */
static void *gi_solver_part(const gi_solver_job *j, const ga_array *a, int64_t item)
{
    return a ? (char *)a->data + item * (a->size / j->items) * ga_itemsize(a->dtype) : NULL;
}

/* Are all items done in one call? */
static bool gi_solver_is_batched(const gi_solver_job *j)
{
    return j->task == GI_SOLVER_EIGEN && j->items > 1 && j->rows <= GI_LINEAR_SMALL;
}

/* Q has no call for all dtypes. *numbers: how many it works with; measured where there is no memory for them. */
static cusolverStatus_t gi_solver_q(const gi_solver_call *c, void *a, void *tau, int *numbers, int *info)
{
    const gi_solver_job     *j = c->job;
    const cusolverDnHandle_t h = c->with.handle;
    const int                m = (int)j->rows, n = (int)j->columns, k = (int)j->others;
    switch (j->dtype) {
    case GA_F32:
        return !c->work ? cusolverDnSorgqr_bufferSize(h, m, n, k, (float *)a, m, (float *)tau, numbers)
                        : cusolverDnSorgqr(h, m, n, k, (float *)a, m, (float *)tau, (float *)c->work, *numbers, info);
    case GA_F64:
        return !c->work ? cusolverDnDorgqr_bufferSize(h, m, n, k, (double *)a, m, (double *)tau, numbers)
                        : cusolverDnDorgqr(h, m, n, k, (double *)a, m, (double *)tau, (double *)c->work, *numbers, info);
    case GA_C64:
        return !c->work
                   ? cusolverDnCungqr_bufferSize(h, m, n, k, (cuComplex *)a, m, (cuComplex *)tau, numbers)
                   : cusolverDnCungqr(h, m, n, k, (cuComplex *)a, m, (cuComplex *)tau, (cuComplex *)c->work, *numbers, info);
    default:
        return !c->work ? cusolverDnZungqr_bufferSize(h, m, n, k, (cuDoubleComplex *)a, m, (cuDoubleComplex *)tau, numbers)
                        : cusolverDnZungqr(h, m, n, k, (cuDoubleComplex *)a, m, (cuDoubleComplex *)tau,
                                           (cuDoubleComplex *)c->work, *numbers, info);
    }
}

/* How much memory the calls need. */
static cusolverStatus_t gi_solver_measure(gi_solver_call *c)
{
    const gi_solver_job     *j = c->job;
    const cusolverDnHandle_t h = c->with.handle;
    const cusolverDnParams_t p = c->with.params;
    const int64_t            m = j->rows, n = j->columns;
    void                    *a = j->a->data, *values = gi_solver_part(j, j->values, 0);
    int                      numbers = 0;
    cusolverStatus_t         status;
    switch (j->task) {
    case GI_SOLVER_QR:
        return cusolverDnXgeqrf_bufferSize(h, p, m, n, c->type, a, m, c->type, values, c->type, &c->work_bytes, &c->host_bytes);
    case GI_SOLVER_Q:
        status        = gi_solver_q(c, a, values, &numbers, NULL);
        c->work_bytes = (size_t)numbers * (size_t)ga_itemsize(j->dtype);
        return status;
    case GI_SOLVER_EIGEN:
        if (gi_solver_is_batched(j))
            return cusolverDnXsyevBatched_bufferSize(h, p, c->mode, c->half, n, c->type, a, n, c->real, values, c->type,
                                                     &c->work_bytes, &c->host_bytes, j->items);
        return cusolverDnXsyevd_bufferSize(h, p, c->mode, c->half, n, c->type, a, n, c->real, values, c->type, &c->work_bytes,
                                           &c->host_bytes);
    case GI_SOLVER_SVD:
        return cusolverDnXgesvd_bufferSize(h, p, c->letter, j->right ? 'A' : 'N', m, n, c->type, a, m, c->real, values, c->type,
                                           gi_solver_part(j, j->left, 0), m, c->type, gi_solver_part(j, j->right, 0), n,
                                           c->type, &c->work_bytes, &c->host_bytes);
    case GI_SOLVER_LU: return cusolverDnXgetrf_bufferSize(h, p, n, n, c->type, a, n, c->type, &c->work_bytes, &c->host_bytes);
    default: return cusolverDnXpotrf_bufferSize(h, p, c->half, n, c->type, a, n, c->type, &c->work_bytes, &c->host_bytes);
    }
}

static cusolverStatus_t gi_solver_item(const gi_solver_call *c, int64_t item)
{
    const gi_solver_job     *j = c->job;
    const cusolverDnHandle_t h = c->with.handle;
    const cusolverDnParams_t p = c->with.params;
    const int64_t            m = j->rows, n = j->columns;
    void                    *a = gi_solver_part(j, j->a, item), *values = gi_solver_part(j, j->values, item),
         *left               = gi_solver_part(j, j->left, item);
    int              numbers = (int)(c->work_bytes / (size_t)ga_itemsize(j->dtype)), *info = (int *)j->infos->data + item;
    cusolverStatus_t status;
    switch (j->task) {
    case GI_SOLVER_QR:
        return cusolverDnXgeqrf(h, p, m, n, c->type, a, m, c->type, values, c->type, c->work, c->work_bytes, c->host,
                                c->host_bytes, info);
    case GI_SOLVER_Q: return gi_solver_q(c, a, values, &numbers, info);
    case GI_SOLVER_EIGEN:
        if (gi_solver_is_batched(j))
            return cusolverDnXsyevBatched(h, p, c->mode, c->half, n, c->type, a, n, c->real, values, c->type, c->work,
                                          c->work_bytes, c->host, c->host_bytes, info, j->items);
        return cusolverDnXsyevd(h, p, c->mode, c->half, n, c->type, a, n, c->real, values, c->type, c->work, c->work_bytes,
                                c->host, c->host_bytes, info);
    case GI_SOLVER_SVD:
        return cusolverDnXgesvd(h, p, c->letter, j->right ? 'A' : 'N', m, n, c->type, a, m, c->real, values, c->type, left, m,
                                c->type, gi_solver_part(j, j->right, item), n, c->type, c->work, c->work_bytes, c->host,
                                c->host_bytes, info);
    case GI_SOLVER_LU:
        status = cusolverDnXgetrf(h, p, n, n, c->type, a, n, (int64_t *)values, c->type, c->work, c->work_bytes, c->host,
                                  c->host_bytes, info);
        if (status != CUSOLVER_STATUS_SUCCESS) return status;
        return cusolverDnXgetrs(h, p, j->across ? CUBLAS_OP_T : CUBLAS_OP_N, n, j->others, c->type, a, n,
                                (const int64_t *)values, c->type, left, n, (int *)j->infos->data + j->items);
    default:
        return cusolverDnXpotrf(h, p, c->half, n, c->type, a, n, c->type, c->work, c->work_bytes, c->host, c->host_bytes, info);
    }
}

static bool gi_solver_ok(const char *site, cusolverStatus_t status)
{
    if (status == CUSOLVER_STATUS_SUCCESS) return true;
    (void)cudaGetLastError();
    if (status == CUSOLVER_STATUS_ALLOC_FAILED)
        gi_fail(site, GA_NO_MEMORY, "cuSOLVER has no memory on the GPU: free arrays, or ga_cuda_memory_trim()");
    else gi_fail(site, GA_CUDA_FAILED, "cuSOLVER failed: cusolverStatus %d", (int)status);
    return false;
}

/* All items, one after the other; waits for the end. */
static bool gi_solver_items(const char *site, gi_solver_call *c)
{
    const int64_t items = gi_solver_is_batched(c->job) ? 1 : c->job->items;
    pthread_mutex_lock(&gi_solver_lock);
    cusolverStatus_t status = gi_solver_open(c);
    for (int64_t item = 0; item < items && status == CUSOLVER_STATUS_SUCCESS; item++) status = gi_solver_item(c, item);
    const cudaError_t error = cudaStreamSynchronize(gi_cuda_current_stream());
    pthread_mutex_unlock(&gi_solver_lock);
    return gi_solver_ok(site, status) && gi_cuda_ok(site, error, "cudaStreamSynchronize");
}

/* Does the job. False with an error; what one of the items is told is none. */
static bool gi_cuda_factor(const char *site, gi_solver_job *j)
{
    const ga_array *all[5] = { j->a, j->values, j->left, j->right, j->infos };
    const bool      single = j->dtype == GA_F32 || j->dtype == GA_C64;
    gi_scratch      work   = {};
    gi_solver_call  c      = {};
    if (!gi_cuda_touch_all(site, 5, all)) return false;
    c.job    = j;
    c.real   = single ? CUDA_R_32F : CUDA_R_64F;
    c.type   = !gi_is_complex(j->dtype) ? c.real : single ? CUDA_C_32F : CUDA_C_64F;
    c.half   = j->upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
    c.mode   = j->vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
    c.letter = !j->left ? 'N' : j->others > j->columns ? 'A' : 'S';
    pthread_mutex_lock(&gi_solver_lock);
    cusolverStatus_t status = gi_solver_open(&c);
    if (status == CUSOLVER_STATUS_SUCCESS) status = gi_solver_measure(&c);
    pthread_mutex_unlock(&gi_solver_lock);
    if (!gi_solver_ok(site, status)) return false;
    const int64_t host_bytes = (int64_t)c.host_bytes;
    ga_array     *host       = gi_array_new(site, GA_U8, GA_CPU, 1, &host_bytes);
    bool          done       = host && gi_scratch_get(site, &work, j->a, c.work_bytes);
    if (done) {
        c.work = work.p;
        c.host = host->data;
        done   = gi_solver_items(site, &c);
        gi_scratch_free(&work);
    }
    ga_free(host);
    return done;
}
#endif
