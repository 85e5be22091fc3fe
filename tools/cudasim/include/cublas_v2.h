/* cudasim: a small part of cuBLAS: handles, streams, and for float and double axpy, scal, copy, swap, dot, nrm2, asum, iamax,
 * gemv, ger and gemm.  Matrices are column-major.  Every call is a kernel, so the checker sees what it reads and writes. */
#ifndef CUDASIM_CUBLAS_V2_H
#define CUDASIM_CUBLAS_V2_H
#include "cuda_runtime.h"

typedef struct cublasContext *cublasHandle_t;

typedef enum {
    CUBLAS_STATUS_SUCCESS          = 0,
    CUBLAS_STATUS_NOT_INITIALIZED  = 1,
    CUBLAS_STATUS_ALLOC_FAILED     = 3,
    CUBLAS_STATUS_INVALID_VALUE    = 7,
    CUBLAS_STATUS_ARCH_MISMATCH    = 8,
    CUBLAS_STATUS_MAPPING_ERROR    = 11,
    CUBLAS_STATUS_EXECUTION_FAILED = 13,
    CUBLAS_STATUS_INTERNAL_ERROR   = 14,
    CUBLAS_STATUS_NOT_SUPPORTED    = 15
} cublasStatus_t;

typedef enum { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2 } cublasOperation_t;
typedef enum { CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER = 1, CUBLAS_FILL_MODE_FULL = 2 } cublasFillMode_t;
typedef enum { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 } cublasPointerMode_t;
typedef enum {
    CUBLAS_DEFAULT_MATH        = 0,
    CUBLAS_TENSOR_OP_MATH      = 1,
    CUBLAS_PEDANTIC_MATH       = 2,
    CUBLAS_TF32_TENSOR_OP_MATH = 3
} cublasMath_t;

struct cublasContext {
    cudaStream_t        stream;
    cublasPointerMode_t mode;
};

static inline const char *cublasGetStatusString(cublasStatus_t status)
{
    return status == CUBLAS_STATUS_SUCCESS ? "success" : status == CUBLAS_STATUS_INVALID_VALUE ? "invalid value" : "failure";
}
static inline const char *cublasGetStatusName(cublasStatus_t status) { return cublasGetStatusString(status); }

static inline cublasStatus_t cublasCreate(cublasHandle_t *handle)
{
    int count;
    if (cudaGetDeviceCount(&count) != cudaSuccess) return CUBLAS_STATUS_NOT_INITIALIZED;
    *handle = new cublasContext{ nullptr, CUBLAS_POINTER_MODE_HOST };
    return CUBLAS_STATUS_SUCCESS;
}
static inline cublasStatus_t cublasDestroy(cublasHandle_t handle)
{
    delete handle;
    return CUBLAS_STATUS_SUCCESS;
}
static inline cublasStatus_t cublasGetVersion(cublasHandle_t, int *version)
{
    *version = 130000;
    return CUBLAS_STATUS_SUCCESS;
}
static inline cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream)
{
    handle->stream = stream;
    return CUBLAS_STATUS_SUCCESS;
}
static inline cublasStatus_t cublasGetStream(cublasHandle_t handle, cudaStream_t *stream)
{
    *stream = handle->stream;
    return CUBLAS_STATUS_SUCCESS;
}
static inline cublasStatus_t cublasSetPointerMode(cublasHandle_t handle, cublasPointerMode_t mode)
{
    handle->mode = mode;
    return CUBLAS_STATUS_SUCCESS;
}
static inline cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t) { return CUBLAS_STATUS_SUCCESS; }

namespace cudasim_blas {

/* A scalar argument: a value, or where the device finds it. */
template <class T> struct scalar {
    T        value;
    const T *pointer;
    T        get() const { return pointer ? *pointer : value; }
};
template <class T> CUDASIM_INLINE scalar<T> argument(cublasHandle_t handle, const T *pointer)
{
    return handle->mode == CUBLAS_POINTER_MODE_HOST ? scalar<T>{ *pointer, nullptr } : scalar<T>{ T(), pointer };
}

/* element i of a vector; a negative stride runs backwards from the end */
static inline long at(int i, int n, int stride) { return stride >= 0 ? (long)i * stride : (long)(i - n + 1) * stride; }
static inline int  thread() { return (int)(blockIdx.x * blockDim.x + threadIdx.x); }

template <class T> void axpy(int n, scalar<T> a, const T *x, int ix, T *y, int iy)
{
    int i = thread();
    if (i < n) y[at(i, n, iy)] += a.get() * x[at(i, n, ix)];
}
template <class T> void scal(int n, scalar<T> a, T *x, int ix)
{
    int i = thread();
    if (i < n) x[at(i, n, ix)] *= a.get();
}
template <class T> void copy(int n, const T *x, int ix, T *y, int iy)
{
    int i = thread();
    if (i < n) y[at(i, n, iy)] = x[at(i, n, ix)];
}
template <class T> void swap(int n, T *x, int ix, T *y, int iy)
{
    int i = thread();
    if (i >= n) return;
    T t             = x[at(i, n, ix)];
    x[at(i, n, ix)] = y[at(i, n, iy)];
    y[at(i, n, iy)] = t;
}
enum reduction { dot_product, euclidean_norm, absolute_sum };
template <class T> void reduce(int n, const T *x, int ix, const T *y, int iy, reduction what, T *result)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        double v = x[at(i, n, ix)];
        sum += what == dot_product ? v * (double)y[at(i, n, iy)] : what == euclidean_norm ? v * v : fabs(v);
    }
    *result = (T)(what == euclidean_norm ? sqrt(sum) : sum);
}
template <class T> void largest(int n, const T *x, int ix, int *result)
{
    int best = 0;
    for (int i = 1; i < n; i++)
        if (fabs(x[at(i, n, ix)]) > fabs(x[at(best, n, ix)])) best = i;
    *result = n > 0 ? best + 1 : 0; /* counted from 1, as in Fortran */
}
template <class T> static inline T element(const T *a, int lda, cublasOperation_t op, int row, int column)
{
    return op == CUBLAS_OP_N ? a[row + (long)column * lda] : a[column + (long)row * lda];
}
/* c = alpha * op(a) * op(b) + beta * c, m x n, inner dimension k; c is not read if beta is 0 */
template <class T>
void gemm(cublasOperation_t oa, cublasOperation_t ob, int m, int n, int k, scalar<T> alpha, const T *a, int lda, const T *b,
          int ldb, scalar<T> beta, T *c, int ldc)
{
    int row = (int)(blockIdx.x * blockDim.x + threadIdx.x), column = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (row >= m || column >= n) return;
    T sum = 0, scale = beta.get();
    for (int i = 0; i < k; i++) sum += element(a, lda, oa, row, i) * element(b, ldb, ob, i, column);
    T *target = &c[row + (long)column * ldc];
    *target   = alpha.get() * sum + (scale == T(0) ? T(0) : scale * *target);
}
template <class T>
void gemv(cublasOperation_t op, int rows, int columns, scalar<T> alpha, const T *a, int lda, const T *x, int ix, scalar<T> beta,
          T *y, int iy)
{
    int i = thread();
    if (i >= rows) return;
    T sum = 0, scale = beta.get();
    for (int j = 0; j < columns; j++) sum += element(a, lda, op, i, j) * x[at(j, columns, ix)];
    T *target = &y[at(i, rows, iy)];
    *target   = alpha.get() * sum + (scale == T(0) ? T(0) : scale * *target);
}
template <class T> void ger(int m, int n, scalar<T> alpha, const T *x, int ix, const T *y, int iy, T *a, int lda)
{
    int row = (int)(blockIdx.x * blockDim.x + threadIdx.x), column = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (row < m && column < n) a[row + (long)column * lda] += alpha.get() * x[at(row, m, ix)] * y[at(column, n, iy)];
}

/* The launch of a kernel for the function that the program called at this place. */
template <class... P, class... A>
CUDASIM_INLINE void launch(const char *name, const char *file, int line, const cudasim::configuration &configuration,
                           void (*kernel)(P...), A... arguments)
{
    cudasim::launcher l(file, line, name, configuration);
    l.launch.of_library = 1;
    cudasim::run_pointer(l.launch, kernel, arguments...);
}

static inline dim3 blocks_for(int n) { return dim3((unsigned)((n + 255) / 256)); }
static inline dim3 tiles_for(int m, int n) { return dim3((unsigned)((m + 15) / 16), (unsigned)((n + 15) / 16)); }

/* A result goes to the host, with synchronisation, or stays on the device. */
template <class R, class Launch> CUDASIM_INLINE cublasStatus_t deliver(cublasHandle_t handle, R *result, Launch launch)
{
    if (handle->mode == CUBLAS_POINTER_MODE_DEVICE) {
        launch(result);
        return CUBLAS_STATUS_SUCCESS;
    }
    R *scratch;
    if (cudaMalloc(&scratch, sizeof(R)) != cudaSuccess) return CUBLAS_STATUS_ALLOC_FAILED;
    launch(scratch);
    cudaError_t error = cudaMemcpyAsync(result, scratch, sizeof(R), cudaMemcpyDeviceToHost, handle->stream);
    if (error == cudaSuccess) error = cudaStreamSynchronize(handle->stream);
    cudaFree(scratch);
    return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

} // namespace cudasim_blas

/* Inlined, so that a report about what they do on the host names the line that calls them. */
#define CUDASIM_BLAS_FUNCTION CUDASIM_INLINE cublasStatus_t

#define CUDASIM_BLAS(PREFIX, T, IAMAX)                                                                                         \
    CUDASIM_BLAS_FUNCTION cublas##PREFIX##axpy(cublasHandle_t h, int n, const T *a, const T *x, int ix, T *y, int iy,          \
                                               CUDASIM_SITE_PARAMETERS)                                                        \
    {                                                                                                                          \
        if (n > 0)                                                                                                             \
            cudasim_blas::launch("cublas" #PREFIX "axpy", CUDASIM_SITE, { cudasim_blas::blocks_for(n), 256, 0, h->stream },    \
                                 cudasim_blas::axpy<T>, n, cudasim_blas::argument(h, a), x, ix, y, iy);                        \
        return CUBLAS_STATUS_SUCCESS;                                                                                          \
    }                                                                                                                          \
    CUDASIM_BLAS_FUNCTION cublas##PREFIX##scal(cublasHandle_t h, int n, const T *a, T *x, int ix, CUDASIM_SITE_PARAMETERS)     \
    {                                                                                                                          \
        if (n > 0)                                                                                                             \
            cudasim_blas::launch("cublas" #PREFIX "scal", CUDASIM_SITE, { cudasim_blas::blocks_for(n), 256, 0, h->stream },    \
                                 cudasim_blas::scal<T>, n, cudasim_blas::argument(h, a), x, ix);                               \
        return CUBLAS_STATUS_SUCCESS;                                                                                          \
    }                                                                                                                          \
    CUDASIM_BLAS_FUNCTION cublas##PREFIX##copy(cublasHandle_t h, int n, const T *x, int ix, T *y, int iy,                      \
                                               CUDASIM_SITE_PARAMETERS)                                                        \
    {                                                                                                                          \
        if (n > 0)                                                                                                             \
            cudasim_blas::launch("cublas" #PREFIX "copy", CUDASIM_SITE, { cudasim_blas::blocks_for(n), 256, 0, h->stream },    \
                                 cudasim_blas::copy<T>, n, x, ix, y, iy);                                                      \
        return CUBLAS_STATUS_SUCCESS;                                                                                          \
    }                                                                                                                          \
    CUDASIM_BLAS_FUNCTION cublas##PREFIX##swap(cublasHandle_t h, int n, T *x, int ix, T *y, int iy, CUDASIM_SITE_PARAMETERS)   \
    {                                                                                                                          \
        if (n > 0)                                                                                                             \
            cudasim_blas::launch("cublas" #PREFIX "swap", CUDASIM_SITE, { cudasim_blas::blocks_for(n), 256, 0, h->stream },    \
                                 cudasim_blas::swap<T>, n, x, ix, y, iy);                                                      \
        return CUBLAS_STATUS_SUCCESS;                                                                                          \
    }                                                                                                                          \
    CUDASIM_BLAS_FUNCTION cublas##PREFIX##dot(cublasHandle_t h, int n, const T *x, int ix, const T *y, int iy, T *r,           \
                                              CUDASIM_SITE_PARAMETERS)                                                         \
    {                                                                                                                          \
        return cudasim_blas::deliver(h, r, [=](T *result) {                                                                    \
            cudasim_blas::launch("cublas" #PREFIX "dot", CUDASIM_SITE, { 1, 1, 0, h->stream }, cudasim_blas::reduce<T>, n, x,  \
                                 ix, y, iy, cudasim_blas::dot_product, result);                                                \
        });                                                                                                                    \
    }                                                                                                                          \
    CUDASIM_BLAS_FUNCTION cublas##PREFIX##nrm2(cublasHandle_t h, int n, const T *x, int ix, T *r, CUDASIM_SITE_PARAMETERS)     \
    {                                                                                                                          \
        return cudasim_blas::deliver(h, r, [=](T *result) {                                                                    \
            cudasim_blas::launch("cublas" #PREFIX "nrm2", CUDASIM_SITE, { 1, 1, 0, h->stream }, cudasim_blas::reduce<T>, n, x, \
                                 ix, x, ix, cudasim_blas::euclidean_norm, result);                                             \
        });                                                                                                                    \
    }                                                                                                                          \
    CUDASIM_BLAS_FUNCTION cublas##PREFIX##asum(cublasHandle_t h, int n, const T *x, int ix, T *r, CUDASIM_SITE_PARAMETERS)     \
    {                                                                                                                          \
        return cudasim_blas::deliver(h, r, [=](T *result) {                                                                    \
            cudasim_blas::launch("cublas" #PREFIX "asum", CUDASIM_SITE, { 1, 1, 0, h->stream }, cudasim_blas::reduce<T>, n, x, \
                                 ix, x, ix, cudasim_blas::absolute_sum, result);                                               \
        });                                                                                                                    \
    }                                                                                                                          \
    CUDASIM_BLAS_FUNCTION IAMAX(cublasHandle_t h, int n, const T *x, int ix, int *r, CUDASIM_SITE_PARAMETERS)                  \
    {                                                                                                                          \
        return cudasim_blas::deliver(h, r, [=](int *result) {                                                                  \
            cudasim_blas::launch(#IAMAX, CUDASIM_SITE, { 1, 1, 0, h->stream }, cudasim_blas::largest<T>, n, x, ix, result);    \
        });                                                                                                                    \
    }                                                                                                                          \
    CUDASIM_BLAS_FUNCTION cublas##PREFIX##gemv(cublasHandle_t h, cublasOperation_t op, int m, int n, const T *alpha,           \
                                               const T *a, int lda, const T *x, int ix, const T *beta, T *y, int iy,           \
                                               CUDASIM_SITE_PARAMETERS)                                                        \
    {                                                                                                                          \
        int rows = op == CUBLAS_OP_N ? m : n, columns = op == CUBLAS_OP_N ? n : m;                                             \
        if (m < 0 || n < 0 || lda < std::max(1, m)) return CUBLAS_STATUS_INVALID_VALUE;                                        \
        if (rows > 0)                                                                                                          \
            cudasim_blas::launch("cublas" #PREFIX "gemv", CUDASIM_SITE, { cudasim_blas::blocks_for(rows), 256, 0, h->stream }, \
                                 cudasim_blas::gemv<T>, op, rows, columns, cudasim_blas::argument(h, alpha), a, lda, x, ix,    \
                                 cudasim_blas::argument(h, beta), y, iy);                                                      \
        return CUBLAS_STATUS_SUCCESS;                                                                                          \
    }                                                                                                                          \
    CUDASIM_BLAS_FUNCTION cublas##PREFIX##ger(cublasHandle_t h, int m, int n, const T *alpha, const T *x, int ix, const T *y,  \
                                              int iy, T *a, int lda, CUDASIM_SITE_PARAMETERS)                                  \
    {                                                                                                                          \
        if (m < 0 || n < 0 || lda < std::max(1, m)) return CUBLAS_STATUS_INVALID_VALUE;                                        \
        if (m > 0 && n > 0)                                                                                                    \
            cudasim_blas::launch("cublas" #PREFIX "ger", CUDASIM_SITE,                                                         \
                                 { cudasim_blas::tiles_for(m, n), dim3(16, 16), 0, h->stream }, cudasim_blas::ger<T>, m, n,    \
                                 cudasim_blas::argument(h, alpha), x, ix, y, iy, a, lda);                                      \
        return CUBLAS_STATUS_SUCCESS;                                                                                          \
    }                                                                                                                          \
    CUDASIM_BLAS_FUNCTION cublas##PREFIX##gemm(cublasHandle_t h, cublasOperation_t oa, cublasOperation_t ob, int m, int n,     \
                                               int k, const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta, \
                                               T *c, int ldc, CUDASIM_SITE_PARAMETERS)                                         \
    {                                                                                                                          \
        if (m < 0 || n < 0 || k < 0 || lda < std::max(1, oa == CUBLAS_OP_N ? m : k) ||                                         \
            ldb < std::max(1, ob == CUBLAS_OP_N ? k : n) || ldc < std::max(1, m))                                              \
            return CUBLAS_STATUS_INVALID_VALUE;                                                                                \
        if (m > 0 && n > 0)                                                                                                    \
            cudasim_blas::launch("cublas" #PREFIX "gemm", CUDASIM_SITE,                                                        \
                                 { cudasim_blas::tiles_for(m, n), dim3(16, 16), 0, h->stream }, cudasim_blas::gemm<T>, oa, ob, \
                                 m, n, k, cudasim_blas::argument(h, alpha), a, lda, b, ldb, cudasim_blas::argument(h, beta),   \
                                 c, ldc);                                                                                      \
        return CUBLAS_STATUS_SUCCESS;                                                                                          \
    }
CUDASIM_BLAS(S, float, cublasIsamax)
CUDASIM_BLAS(D, double, cublasIdamax)

#endif
