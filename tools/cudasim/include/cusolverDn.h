/* cudasim: a small part of cuSOLVER: handles, streams, and of the calls for dense matrices geqrf, orgqr (ungqr), syevd, syevBatched, gesvd,
 * getrf, getrs and potrf, of the 64-bit interface where there is one.  Matrices are column-major.  Every call is a kernel, so the
 * checker sees what it reads and writes; a thread does one matrix, as a textbook does: Householder's reflectors, Jacobi's rotations,
 * LU with partial pivoting.  They use the memory to work in that they ask for, and refuse less. */
#ifndef CUDASIM_CUSOLVERDN_H
#define CUDASIM_CUSOLVERDN_H
#include "cuComplex.h"
#include "cublas_v2.h"
#include "library_types.h"
#include <complex>
#include <limits>

typedef enum {
    CUSOLVER_STATUS_SUCCESS           = 0,
    CUSOLVER_STATUS_NOT_INITIALIZED   = 1,
    CUSOLVER_STATUS_ALLOC_FAILED      = 2,
    CUSOLVER_STATUS_INVALID_VALUE     = 3,
    CUSOLVER_STATUS_ARCH_MISMATCH     = 4,
    CUSOLVER_STATUS_MAPPING_ERROR     = 5,
    CUSOLVER_STATUS_EXECUTION_FAILED  = 6,
    CUSOLVER_STATUS_INTERNAL_ERROR    = 7,
    CUSOLVER_STATUS_NOT_SUPPORTED     = 9,
    CUSOLVER_STATUS_INVALID_WORKSPACE = 31
} cusolverStatus_t;
typedef enum { CUSOLVER_EIG_MODE_NOVECTOR = 0, CUSOLVER_EIG_MODE_VECTOR = 1 } cusolverEigMode_t;

typedef struct cusolverDnContext *cusolverDnHandle_t;
typedef struct cusolverDnParams  *cusolverDnParams_t;
struct cusolverDnContext {
    cudaStream_t stream;
};
struct cusolverDnParams {
    int unused;
};

static inline cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t *handle)
{
    void *memory;
    int   count;
    if (cudaGetDeviceCount(&count) != cudaSuccess) return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (cudaMalloc(&memory, 256) != cudaSuccess) return CUSOLVER_STATUS_ALLOC_FAILED; /* the real one needs some */
    cudaFree(memory);
    *handle = new cusolverDnContext{ nullptr };
    return CUSOLVER_STATUS_SUCCESS;
}
static inline cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle)
{
    if (!handle) return CUSOLVER_STATUS_NOT_INITIALIZED;
    delete handle;
    return CUSOLVER_STATUS_SUCCESS;
}
static inline cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream)
{
    if (!handle) return CUSOLVER_STATUS_NOT_INITIALIZED;
    handle->stream = stream;
    return CUSOLVER_STATUS_SUCCESS;
}
static inline cusolverStatus_t cusolverDnGetStream(cusolverDnHandle_t handle, cudaStream_t *stream)
{
    if (!handle) return CUSOLVER_STATUS_NOT_INITIALIZED;
    *stream = handle->stream;
    return CUSOLVER_STATUS_SUCCESS;
}
static inline cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t *params)
{
    *params = new cusolverDnParams{ 0 };
    return CUSOLVER_STATUS_SUCCESS;
}
static inline cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t params)
{
    delete params;
    return CUSOLVER_STATUS_SUCCESS;
}

namespace cudasim_solver {

/* ---- numbers: T is float, double, or complex of these; R the type of its parts ---------------------------------------------- */

template <class T> struct parts {
    typedef T real;
};
template <class R> struct parts<std::complex<R>> {
    typedef R real;
};
template <class T> using real_of = typename parts<T>::real;

static inline float                              conjugate(float x) { return x; }
static inline double                             conjugate(double x) { return x; }
template <class R> static inline std::complex<R> conjugate(std::complex<R> x) { return { x.real(), -x.imag() }; }
static inline double                             re(float x) { return x; }
static inline double                             re(double x) { return x; }
template <class R> static inline double          re(std::complex<R> x) { return x.real(); }
static inline double                             im(float) { return 0; }
static inline double                             im(double) { return 0; }
template <class R> static inline double          im(std::complex<R> x) { return x.imag(); }
template <class T> static inline double          square(T x) { return re(x) * re(x) + im(x) * im(x); }
/* re + i im, of which a real type keeps the first */
template <class T> struct maker {
    static T make(double x, double) { return (T)x; }
};
template <class R> struct maker<std::complex<R>> {
    static std::complex<R> make(double x, double y) { return { (R)x, (R)y }; }
};
template <class T> static inline T make(double x, double y = 0) { return maker<T>::make(x, y); }

/* sum of conj(x) y */
template <class T> static inline T inner(int64_t n, const T *x, const T *y)
{
    double sum_re = 0, sum_im = 0;
    for (int64_t i = 0; i < n; i++) {
        const T a = x[i], b = y[i];
        sum_re += re(a) * re(b) + im(a) * im(b);
        sum_im += re(a) * im(b) - im(a) * re(b);
    }
    return make<T>(sum_re, sum_im);
}
/* The length, whatever the squares do. */
template <class T> static inline double norm(int64_t n, const T *x)
{
    double most = 0, sum = 0;
    for (int64_t i = 0; i < n; i++) most = fmax(most, fmax(fabs(re(x[i])), fabs(im(x[i]))));
    if (!(most > 0 && most < INFINITY)) return most;
    for (int64_t i = 0; i < n; i++) sum += re(x[i]) / most * (re(x[i]) / most) + im(x[i]) / most * (im(x[i]) / most);
    return most * sqrt(sum);
}
template <class T> static inline void swap_columns(int64_t n, T *x, T *y)
{
    for (int64_t i = 0; i < n; i++) {
        const T t = x[i];
        x[i]      = y[i];
        y[i]      = t;
    }
}

/* ---- QR --------------------------------------------------------------------------------------------------------------------- */

/* y -= factor * v (v^H y), where v begins with a 1 that is not stored */
template <class T> static inline void reflect(int64_t m, const T *v, T factor, T *y)
{
    const T along = factor * (y[0] + inner(m - 1, v + 1, y + 1));
    y[0] -= along;
    for (int64_t i = 1; i < m; i++) y[i] -= along * v[i];
}

/* Makes x (beta, 0, 0 ...), with a real beta of the other sign than what stood there, as LAPACK does; v stands behind beta. Returns tau. */
template <class T> static inline T make_reflector(int64_t m, T *x)
{
    const double tiny  = std::numeric_limits<real_of<T>>::min() / std::numeric_limits<real_of<T>>::epsilon();
    const double scale = norm(m, x) < tiny ? 1 / tiny : 1; /* a power of two */
    if (norm(m - 1, x + 1) == 0 && im(x[0]) == 0) return make<T>(0);
    for (int64_t i = 0; i < m && scale != 1; i++) x[i] = x[i] * make<T>(scale);
    const double size = norm(m, x), beta = re(x[0]) >= 0 ? -size : size;
    const T      first = x[0] - make<T>(beta), tau = make<T>((beta - re(x[0])) / beta, -im(x[0]) / beta);
    for (int64_t i = 1; i < m; i++) x[i] = x[i] / first;
    x[0] = make<T>(beta / scale);
    return tau;
}

template <class T> void geqrf(int64_t m, int64_t n, T *a, int64_t lda, T *tau, T *work, int *info)
{
    for (int64_t c = 0; c < n && c < m; c++) {
        T *x    = a + c + c * lda;
        tau[c]  = make_reflector(m - c, x);
        work[c] = conjugate(tau[c]);
        for (int64_t j = c + 1; j < n; j++) reflect(m - c, x, work[c], a + c + j * lda);
    }
    *info = 0;
}

template <class T> void orgqr(int64_t m, int64_t n, int64_t k, T *a, int64_t lda, const T *tau, T *work, int *info)
{
    for (int64_t j = k; j < n; j++)
        for (int64_t i = 0; i < m; i++) a[i + j * lda] = make<T>(i == j);
    for (int64_t c = k - 1; c >= 0; c--) {
        T *x    = a + c + c * lda;
        work[c] = tau[c];
        for (int64_t j = c + 1; j < n; j++) reflect(m - c, x, work[c], a + c + j * lda);
        for (int64_t i = 1; i < m - c; i++) x[i] = -work[c] * x[i];
        x[0] = make<T>(1) - work[c];
        for (int64_t i = 0; i < c; i++) a[i + c * lda] = make<T>(0);
    }
    *info = 0;
}

/* ---- rotations -------------------------------------------------------------------------------------------------------------- */

/* The one that makes ((p, g), (conj g, q)) diagonal: (x, y) becomes (c x - s conj(e) y, s x + c conj(e) y), e = g / |g| */
template <class T> struct rotation {
    double c, s;
    T      e;
    rotation(double p, double q, T g)
    {
        const double size = sqrt(square(g)), tau = (q - p) / (2 * size);
        const double t = (tau >= 0 ? 1 : -1) / (fabs(tau) + sqrt(1 + tau * tau));
        c              = 1 / sqrt(1 + t * t);
        s              = t * c;
        e              = make<T>(re(g) / size, im(g) / size);
    }
    void turn(int64_t n, T *x, T *y, int64_t step, T factor) const
    {
        for (int64_t i = 0; i < n; i++) {
            const T a = x[i * step], b = factor * y[i * step];
            x[i * step] = make<T>(c) * a - make<T>(s) * b;
            y[i * step] = make<T>(s) * a + make<T>(c) * b;
        }
    }
    void columns(int64_t n, T *x, T *y) const { turn(n, x, y, 1, conjugate(e)); }
    void rows(int64_t n, T *x, T *y, int64_t step) const { turn(n, x, y, step, e); }
};

enum { most_sweeps = 60 };

/* Jacobi's method, cyclic. v: (n, n) to work in; one block for each matrix of a batch. */
template <class T>
void syevd(bool vectors, bool upper, int64_t n, T *all, int64_t lda, real_of<T> *all_w, T *work, int *info, bool fails)
{
    T           *a = all + blockIdx.x * lda * n, *v = work + blockIdx.x * n * n;
    real_of<T>  *w    = all_w + blockIdx.x * n;
    const double eps  = std::numeric_limits<real_of<T>>::epsilon();
    bool         done = false;
    double       size = 0;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i <= j; i++) {
            const T x      = i == j ? make<T>(re(a[i + i * lda])) : upper ? a[i + j * lda] : conjugate(a[j + i * lda]);
            a[i + j * lda] = x;
            a[j + i * lda] = conjugate(x);
            size += (i == j ? 1 : 2) * square(x);
            v[i + j * n] = v[j + i * n] = make<T>(i == j);
        }
    for (int sweep = 0; sweep < most_sweeps && !done; sweep++) {
        double off = 0;
        for (int64_t q = 1; q < n; q++)
            for (int64_t p = 0; p < q; p++) off += square(a[p + q * lda]);
        done = off <= eps * eps * size * (double)n;
        for (int64_t q = 1; q < n && !done; q++)
            for (int64_t p = 0; p < q; p++) {
                const T g = a[p + q * lda];
                if (square(g) <= eps * eps * size / (double)(16 * n)) continue;
                const rotation<T> r(re(a[p + p * lda]), re(a[q + q * lda]), g);
                r.columns(n, a + p * lda, a + q * lda);
                r.rows(n, a + p, a + q, lda);
                r.columns(n, v + p * n, v + q * n);
                a[p + q * lda] = a[q + p * lda] = make<T>(0);
            }
    }
    for (int64_t i = 0; i < n; i++) w[i] = (real_of<T>)re(a[i + i * lda]);
    for (int64_t i = 0; i < n; i++) {
        int64_t least = i;
        for (int64_t j = i + 1; j < n; j++)
            if (w[j] < w[least]) least = j;
        const real_of<T> t = w[i];
        w[i]               = w[least];
        w[least]           = t;
        if (least != i) swap_columns(n, v + i * n, v + least * n);
    }
    for (int64_t j = 0; j < n && vectors; j++)
        for (int64_t i = 0; i < n; i++) a[i + j * lda] = v[i + j * n];
    info[blockIdx.x] = done && !fails ? 0 : 1;
}

/* Columns from `from` on, so that all are orthonormal. */
template <class T> static inline void complete(int64_t m, int64_t from, int64_t n, T *u, int64_t ldu)
{
    for (int64_t j = from, tried = 0; j < n && tried < m; tried++) {
        T *x = u + j * ldu;
        for (int64_t i = 0; i < m; i++) x[i] = make<T>(i == tried);
        for (int twice = 0; twice < 2; twice++)
            for (int64_t c = 0; c < j; c++) {
                const T along = inner(m, u + c * ldu, x);
                for (int64_t i = 0; i < m; i++) x[i] -= along * u[i + c * ldu];
            }
        const double size = norm(m, x);
        if (size * size * 2 * (double)m < (double)(m - j)) continue;
        for (int64_t i = 0; i < m; i++) x[i] = x[i] / make<T>(size);
        j++;
    }
}

/* The method of Hestenes: rotations make the columns orthogonal, m >= n. columns: of u. work: n * n and n numbers. */
template <class T>
void gesvd(int64_t columns, bool right, int64_t m, int64_t n, T *a, int64_t lda, real_of<T> *s, T *u, int64_t ldu, T *vt,
           int64_t ldvt, T *work, int *info, bool fails)
{
    const double limit = (double)(10 + m) * std::numeric_limits<real_of<T>>::epsilon();
    const double least = fmax(1e-60, std::numeric_limits<real_of<T>>::min() * 1e6); /* shorter columns count as 0 */
    bool         done  = false;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) work[i + j * n] = make<T>(i == j);
    for (int sweep = 0; sweep < most_sweeps && !done; sweep++) {
        done = true;
        for (int64_t q = 1; q < n; q++)
            for (int64_t p = 0; p < q; p++) {
                T           *x = a + p * lda, *y = a + q * lda;
                const double along = norm(m, x), across = norm(m, y);
                const T      g = inner(m, x, y);
                if (along < least || across < least || sqrt(square(g)) <= limit * along * across) continue;
                const rotation<T> r(along * along, across * across, g);
                r.columns(m, x, y);
                r.columns(n, work + p * n, work + q * n);
                done = false;
            }
    }
    for (int64_t i = 0; i < n; i++) {
        const double size = norm(m, a + i * lda);
        if (!(size >= 0)) done = false;
        s[i] = (real_of<T>)size;
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t most = i;
        for (int64_t j = i + 1; j < n; j++)
            if (s[j] > s[most]) most = j;
        if (most == i) continue;
        const real_of<T> t = s[i];
        s[i]               = s[most];
        s[most]            = t;
        swap_columns(m, a + i * lda, a + most * lda);
        swap_columns(n, work + i * n, work + most * n);
    }
    int64_t whole = 0;
    for (; whole < n && whole < columns && s[whole] > least; whole++)
        for (int64_t i = 0; i < m; i++) u[i + whole * ldu] = a[i + whole * lda] / make<T>(s[whole]);
    complete(m, whole, columns, u, ldu);
    for (int64_t j = 0; j < n && right; j++)
        for (int64_t i = 0; i < n; i++) vt[i + j * ldvt] = conjugate(work[j + i * n]);
    *info = done && !fails ? 0 : 1;
}

/* ---- LU, Cholesky ------------------------------------------------------------------------------------------------------------ */

template <class T> void getrf(int64_t m, int64_t n, T *a, int64_t lda, int64_t *pivots, T *work, int *info)
{
    *info = 0;
    for (int64_t c = 0; c < m && c < n; c++) {
        int64_t pivot = c;
        for (int64_t i = c + 1; i < m; i++)
            if (fabs(re(a[i + c * lda])) + fabs(im(a[i + c * lda])) >
                fabs(re(a[pivot + c * lda])) + fabs(im(a[pivot + c * lda])))
                pivot = i;
        if (pivots) pivots[c] = pivot + 1; /* counted from 1, as in Fortran */
        for (int64_t j = 0; j < n && pivot != c; j++) swap_columns(1, a + c + j * lda, a + pivot + j * lda);
        work[0] = a[c + c * lda];
        if (square(work[0]) == 0) {
            if (*info == 0) *info = (int)(c + 1);
            continue;
        }
        for (int64_t i = c + 1; i < m; i++) a[i + c * lda] = a[i + c * lda] / work[0];
        for (int64_t j = c + 1; j < n; j++) {
            const T factor = a[c + j * lda];
            for (int64_t i = c + 1; i < m; i++) a[i + j * lda] -= factor * a[i + c * lda];
        }
    }
}

/* A block for each right side. */
template <class T>
void getrs(cublasOperation_t op, int64_t n, const T *a, int64_t lda, const int64_t *pivots, T *b, int64_t ldb, int *info)
{
    T *x = b + blockIdx.x * ldb;
    for (int64_t i = 0; i < n && op == CUBLAS_OP_N && pivots; i++) swap_columns(1, x + i, x + pivots[i] - 1);
    if (op == CUBLAS_OP_N) {
        for (int64_t c = 0; c < n; c++)
            for (int64_t i = c + 1; i < n; i++) x[i] -= a[i + c * lda] * x[c];
        for (int64_t c = n - 1; c >= 0; c--) {
            x[c] = x[c] / a[c + c * lda];
            for (int64_t i = 0; i < c; i++) x[i] -= a[i + c * lda] * x[c];
        }
    } else {
        for (int64_t c = 0; c < n; c++) {
            for (int64_t i = 0; i < c; i++) x[c] -= (op == CUBLAS_OP_C ? conjugate(a[i + c * lda]) : a[i + c * lda]) * x[i];
            x[c] = x[c] / (op == CUBLAS_OP_C ? conjugate(a[c + c * lda]) : a[c + c * lda]);
        }
        for (int64_t c = n - 1; c >= 0; c--)
            for (int64_t i = c + 1; i < n; i++) x[c] -= (op == CUBLAS_OP_C ? conjugate(a[i + c * lda]) : a[i + c * lda]) * x[i];
    }
    for (int64_t i = n - 1; i >= 0 && op != CUBLAS_OP_N && pivots; i--) swap_columns(1, x + i, x + pivots[i] - 1);
    if (blockIdx.x == 0) *info = 0;
}

/* L L^H in the lower triangle, or U^H U in the upper one: U^H is L. */
template <class T> void potrf(bool upper, int64_t n, T *a, int64_t lda, T *work, int *info)
{
    auto at = [=](int64_t i, int64_t j) { return upper ? conjugate(a[j + i * lda]) : a[i + j * lda]; };
    *info   = 0;
    for (int64_t c = 0; c < n; c++)
        for (int64_t i = c; i < n; i++) {
            work[0] = at(i, c);
            for (int64_t k = 0; k < c; k++) work[0] -= at(i, k) * conjugate(at(c, k));
            if (i == c && !(re(work[0]) > 0)) {
                *info = (int)(c + 1);
                return;
            }
            const T x = i == c ? make<T>(sqrt(re(work[0]))) : work[0] / at(c, c);
            if (upper) a[c + i * lda] = conjugate(x);
            else a[i + c * lda] = x;
        }
}

/* ---- what the calls have in common ------------------------------------------------------------------------------------------ */

/* Calls f with a number of the type; the types of real parts, and of all that is to be the same, must fit. */
template <class F> CUDASIM_INLINE cusolverStatus_t with_type(cudaDataType type, cudaDataType computed, cudaDataType other, F f)
{
    if (computed != type || other != type) return CUSOLVER_STATUS_INVALID_VALUE;
    switch (type) {
    case CUDA_R_32F: return f(float());
    case CUDA_R_64F: return f(double());
    case CUDA_C_32F: return f(std::complex<float>());
    case CUDA_C_64F: return f(std::complex<double>());
    default: return CUSOLVER_STATUS_INVALID_VALUE;
    }
}
static inline bool is_real_of(cudaDataType real, cudaDataType type)
{
    return real == (type == CUDA_R_32F || type == CUDA_C_32F ? CUDA_R_32F : CUDA_R_64F);
}
static inline size_t           bytes_of(cudaDataType type) { return type == CUDA_R_32F ? 4 : type == CUDA_C_64F ? 16 : 8; }
static inline cusolverStatus_t check_matrix(cusolverDnHandle_t handle, int64_t m, int64_t n, const void *a, int64_t lda)
{
    if (!handle) return CUSOLVER_STATUS_NOT_INITIALIZED;
    const bool good = m >= 0 && n >= 0 && lda >= std::max<int64_t>(1, m) && (a || m == 0 || n == 0);
    return good ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE;
}
/* How much the calls of a matrix ask for: so many numbers on the device, and so many bytes on the host. */
static inline cusolverStatus_t answer(cudaDataType type, int64_t numbers, int64_t host_bytes, size_t *device, size_t *host)
{
    *device = (size_t)std::max<int64_t>(1, numbers) * bytes_of(type);
    *host   = (size_t)host_bytes;
    return CUSOLVER_STATUS_SUCCESS;
}
/* Is it given as much? What there is on the host is written. */
static inline cusolverStatus_t check_room(cudaDataType type, int64_t numbers, int64_t host_bytes, void *device,
                                          size_t device_bytes, void *host, size_t given_host, const void *info)
{
    size_t need, need_host;
    answer(type, numbers, host_bytes, &need, &need_host);
    if (!device || !info || (need_host > 0 && !host)) return CUSOLVER_STATUS_INVALID_VALUE;
    if (device_bytes < need || given_host < need_host) return CUSOLVER_STATUS_INVALID_WORKSPACE;
    if (need_host > 0) memset(host, 0xff, need_host);
    return CUSOLVER_STATUS_SUCCESS;
}
/* Are the eigenvalues and singular values to be reported as not converged? For tests of what a program does then. */
static inline bool fails() { return getenv("CUDASIM_UNCONVERGED") != nullptr; }

template <class... P, class... A>
CUDASIM_INLINE cusolverStatus_t launch(const char *name, const char *file, int line, cusolverDnHandle_t handle, int64_t blocks,
                                       void (*kernel)(P...), A... arguments)
{
    if (blocks > 0)
        cudasim_blas::launch(name, file, line, { dim3((unsigned)blocks), 1, 0, handle->stream }, kernel, arguments...);
    return CUSOLVER_STATUS_SUCCESS;
}

} // namespace cudasim_solver

#define CUDASIM_SOLVER_FUNCTION CUDASIM_INLINE cusolverStatus_t
#define CUDASIM_SOLVER_CHECK(call)                                                                                             \
    if (cusolverStatus_t cudasim_status = cudasim_solver::call) return cudasim_status

/* ---- QR --------------------------------------------------------------------------------------------------------------------- */

CUDASIM_SOLVER_FUNCTION cusolverDnXgeqrf_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t, int64_t m, int64_t n,
                                                    cudaDataType type, const void *a, int64_t lda, cudaDataType, const void *,
                                                    cudaDataType, size_t *device, size_t *host)
{
    CUDASIM_SOLVER_CHECK(check_matrix(h, m, n, a, lda));
    return cudasim_solver::answer(type, n, 0, device, host);
}
CUDASIM_SOLVER_FUNCTION cusolverDnXgeqrf(cusolverDnHandle_t h, cusolverDnParams_t, int64_t m, int64_t n, cudaDataType type,
                                         void *a, int64_t lda, cudaDataType type_tau, void *tau, cudaDataType computed,
                                         void *work, size_t work_bytes, void *host, size_t host_bytes, int *info,
                                         CUDASIM_SITE_PARAMETERS)
{
    CUDASIM_SOLVER_CHECK(check_matrix(h, m, n, a, lda));
    CUDASIM_SOLVER_CHECK(check_room(type, n, 0, work, work_bytes, host, host_bytes, info));
    return cudasim_solver::with_type(type, computed, type_tau, [=](auto one) {
        typedef decltype(one) T;
        return cudasim_solver::launch("cusolverDnXgeqrf", CUDASIM_SITE, h, 1, cudasim_solver::geqrf<T>, m, n, (T *)a, lda,
                                      (T *)tau, (T *)work, info);
    });
}

#define CUDASIM_ORGQR(NAME, C, T)                                                                                              \
    CUDASIM_SOLVER_FUNCTION cusolverDn##NAME##_bufferSize(cusolverDnHandle_t h, int m, int n, int k, const C *a, int lda,      \
                                                          const C *, int *numbers)                                             \
    {                                                                                                                          \
        CUDASIM_SOLVER_CHECK(check_matrix(h, m, n, a, lda));                                                                   \
        if (k < 0 || k > n || n > m) return CUSOLVER_STATUS_INVALID_VALUE;                                                     \
        *numbers = std::max(1, n);                                                                                             \
        return CUSOLVER_STATUS_SUCCESS;                                                                                        \
    }                                                                                                                          \
    CUDASIM_SOLVER_FUNCTION cusolverDn##NAME(cusolverDnHandle_t h, int m, int n, int k, C *a, int lda, const C *tau, C *work,  \
                                             int numbers, int *info, CUDASIM_SITE_PARAMETERS)                                  \
    {                                                                                                                          \
        CUDASIM_SOLVER_CHECK(check_matrix(h, m, n, a, lda));                                                                   \
        if (k < 0 || k > n || n > m || numbers < std::max(1, n) || !work || !info) return CUSOLVER_STATUS_INVALID_VALUE;       \
        return cudasim_solver::launch("cusolverDn" #NAME, CUDASIM_SITE, h, 1, cudasim_solver::orgqr<T>, (int64_t)m,            \
                                      (int64_t)n, (int64_t)k, (T *)a, (int64_t)lda, (const T *)tau, (T *)work, info);          \
    }
CUDASIM_ORGQR(Sorgqr, float, float)
CUDASIM_ORGQR(Dorgqr, double, double)
CUDASIM_ORGQR(Cungqr, cuComplex, std::complex<float>)
CUDASIM_ORGQR(Zungqr, cuDoubleComplex, std::complex<double>)
#undef CUDASIM_ORGQR

/* ---- eigenvalues ------------------------------------------------------------------------------------------------------------ */

CUDASIM_SOLVER_FUNCTION cusolverDnXsyevBatched_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t, cusolverEigMode_t,
                                                          cublasFillMode_t, int64_t n, cudaDataType type, const void *a,
                                                          int64_t lda, cudaDataType, const void *, cudaDataType, size_t *device,
                                                          size_t *host, int64_t batch)
{
    CUDASIM_SOLVER_CHECK(check_matrix(h, n, n, a, lda));
    return cudasim_solver::answer(type, n * n * batch, 8 * n, device, host);
}
CUDASIM_SOLVER_FUNCTION cusolverDnXsyevBatched(cusolverDnHandle_t h, cusolverDnParams_t, cusolverEigMode_t mode,
                                               cublasFillMode_t half, int64_t n, cudaDataType type, void *a, int64_t lda,
                                               cudaDataType type_w, void *w, cudaDataType computed, void *work,
                                               size_t work_bytes, void *host, size_t host_bytes, int *info, int64_t batch,
                                               CUDASIM_SITE_PARAMETERS)
{
    CUDASIM_SOLVER_CHECK(check_matrix(h, n, n, a, lda));
    CUDASIM_SOLVER_CHECK(check_room(type, n * n * batch, 8 * n, work, work_bytes, host, host_bytes, info));
    if (!cudasim_solver::is_real_of(type_w, type) || batch < 0) return CUSOLVER_STATUS_INVALID_VALUE;
    return cudasim_solver::with_type(type, computed, type, [=](auto one) {
        typedef decltype(one) T;
        return cudasim_solver::launch("cusolverDnXsyev", CUDASIM_SITE, h, batch, cudasim_solver::syevd<T>,
                                      mode == CUSOLVER_EIG_MODE_VECTOR, half == CUBLAS_FILL_MODE_UPPER, n, (T *)a, lda,
                                      (cudasim_solver::real_of<T> *)w, (T *)work, info, cudasim_solver::fails());
    });
}
CUDASIM_SOLVER_FUNCTION cusolverDnXsyevd_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t p, cusolverEigMode_t mode,
                                                    cublasFillMode_t half, int64_t n, cudaDataType type, const void *a,
                                                    int64_t lda, cudaDataType type_w, const void *w, cudaDataType computed,
                                                    size_t *device, size_t *host)
{
    return cusolverDnXsyevBatched_bufferSize(h, p, mode, half, n, type, a, lda, type_w, w, computed, device, host, 1);
}
CUDASIM_SOLVER_FUNCTION cusolverDnXsyevd(cusolverDnHandle_t h, cusolverDnParams_t p, cusolverEigMode_t mode,
                                         cublasFillMode_t half, int64_t n, cudaDataType type, void *a, int64_t lda,
                                         cudaDataType type_w, void *w, cudaDataType computed, void *work, size_t work_bytes,
                                         void *host, size_t host_bytes, int *info, CUDASIM_SITE_PARAMETERS)
{
    return cusolverDnXsyevBatched(h, p, mode, half, n, type, a, lda, type_w, w, computed, work, work_bytes, host, host_bytes,
                                  info, 1, CUDASIM_SITE);
}

/* ---- singular values -------------------------------------------------------------------------------------------------------- */

/* As the real one: m >= n, and what is not wanted may be NULL. */
CUDASIM_SOLVER_FUNCTION cusolverDnXgesvd_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t, signed char left,
                                                    signed char right, int64_t m, int64_t n, cudaDataType type, const void *a,
                                                    int64_t lda, cudaDataType, const void *, cudaDataType, const void *,
                                                    int64_t, cudaDataType, const void *, int64_t, cudaDataType, size_t *device,
                                                    size_t *host)
{
    CUDASIM_SOLVER_CHECK(check_matrix(h, m, n, a, lda));
    if (m < n || !strchr("ASN", left) || !strchr("ASN", right)) return CUSOLVER_STATUS_INVALID_VALUE;
    return cudasim_solver::answer(type, n * n, 8 * n, device, host);
}
CUDASIM_SOLVER_FUNCTION cusolverDnXgesvd(cusolverDnHandle_t h, cusolverDnParams_t, signed char left, signed char right,
                                         int64_t m, int64_t n, cudaDataType type, void *a, int64_t lda, cudaDataType type_s,
                                         void *s, cudaDataType type_u, void *u, int64_t ldu, cudaDataType type_vt, void *vt,
                                         int64_t ldvt, cudaDataType computed, void *work, size_t work_bytes, void *host,
                                         size_t host_bytes, int *info, CUDASIM_SITE_PARAMETERS)
{
    CUDASIM_SOLVER_CHECK(check_matrix(h, m, n, a, lda));
    CUDASIM_SOLVER_CHECK(check_room(type, n * n, 8 * n, work, work_bytes, host, host_bytes, info));
    if (m < n || !strchr("ASN", left) || !strchr("ASN", right)) return CUSOLVER_STATUS_INVALID_VALUE;
    if (left != 'N') CUDASIM_SOLVER_CHECK(check_matrix(h, m, left == 'A' ? m : n, u, ldu));
    if (right != 'N') CUDASIM_SOLVER_CHECK(check_matrix(h, n, n, vt, ldvt));
    if (!cudasim_solver::is_real_of(type_s, type) || type_vt != type) return CUSOLVER_STATUS_INVALID_VALUE;
    return cudasim_solver::with_type(type, computed, type_u, [=](auto one) {
        typedef decltype(one) T;
        return cudasim_solver::launch("cusolverDnXgesvd", CUDASIM_SITE, h, 1, cudasim_solver::gesvd<T>,
                                      left == 'A'   ? m
                                      : left == 'S' ? n
                                                    : (int64_t)0,
                                      right != 'N', m, n, (T *)a, lda, (cudasim_solver::real_of<T> *)s, (T *)u, ldu, (T *)vt,
                                      ldvt, (T *)work, info, cudasim_solver::fails());
    });
}

/* ---- LU, Cholesky ------------------------------------------------------------------------------------------------------------ */

CUDASIM_SOLVER_FUNCTION cusolverDnXgetrf_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t, int64_t m, int64_t n,
                                                    cudaDataType type, const void *a, int64_t lda, cudaDataType, size_t *device,
                                                    size_t *host)
{
    CUDASIM_SOLVER_CHECK(check_matrix(h, m, n, a, lda));
    return cudasim_solver::answer(type, 1, 0, device, host);
}
CUDASIM_SOLVER_FUNCTION cusolverDnXgetrf(cusolverDnHandle_t h, cusolverDnParams_t, int64_t m, int64_t n, cudaDataType type,
                                         void *a, int64_t lda, int64_t *pivots, cudaDataType computed, void *work,
                                         size_t work_bytes, void *host, size_t host_bytes, int *info, CUDASIM_SITE_PARAMETERS)
{
    CUDASIM_SOLVER_CHECK(check_matrix(h, m, n, a, lda));
    CUDASIM_SOLVER_CHECK(check_room(type, 1, 0, work, work_bytes, host, host_bytes, info));
    return cudasim_solver::with_type(type, computed, type, [=](auto one) {
        typedef decltype(one) T;
        return cudasim_solver::launch("cusolverDnXgetrf", CUDASIM_SITE, h, 1, cudasim_solver::getrf<T>, m, n, (T *)a, lda,
                                      pivots, (T *)work, info);
    });
}
CUDASIM_SOLVER_FUNCTION cusolverDnXgetrs(cusolverDnHandle_t h, cusolverDnParams_t, cublasOperation_t op, int64_t n,
                                         int64_t columns, cudaDataType type, const void *a, int64_t lda, const int64_t *pivots,
                                         cudaDataType type_b, void *b, int64_t ldb, int *info, CUDASIM_SITE_PARAMETERS)
{
    CUDASIM_SOLVER_CHECK(check_matrix(h, n, n, a, lda));
    CUDASIM_SOLVER_CHECK(check_matrix(h, n, columns, b, ldb));
    if (!info) return CUSOLVER_STATUS_INVALID_VALUE;
    return cudasim_solver::with_type(type, type, type_b, [=](auto one) {
        typedef decltype(one) T;
        return cudasim_solver::launch("cusolverDnXgetrs", CUDASIM_SITE, h, columns, cudasim_solver::getrs<T>, op, n,
                                      (const T *)a, lda, pivots, (T *)b, ldb, info);
    });
}
CUDASIM_SOLVER_FUNCTION cusolverDnXpotrf_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t, cublasFillMode_t, int64_t n,
                                                    cudaDataType type, const void *a, int64_t lda, cudaDataType, size_t *device,
                                                    size_t *host)
{
    CUDASIM_SOLVER_CHECK(check_matrix(h, n, n, a, lda));
    return cudasim_solver::answer(type, 1, 0, device, host);
}
CUDASIM_SOLVER_FUNCTION cusolverDnXpotrf(cusolverDnHandle_t h, cusolverDnParams_t, cublasFillMode_t half, int64_t n,
                                         cudaDataType type, void *a, int64_t lda, cudaDataType computed, void *work,
                                         size_t work_bytes, void *host, size_t host_bytes, int *info, CUDASIM_SITE_PARAMETERS)
{
    CUDASIM_SOLVER_CHECK(check_matrix(h, n, n, a, lda));
    CUDASIM_SOLVER_CHECK(check_room(type, 1, 0, work, work_bytes, host, host_bytes, info));
    return cudasim_solver::with_type(type, computed, type, [=](auto one) {
        typedef decltype(one) T;
        return cudasim_solver::launch("cusolverDnXpotrf", CUDASIM_SITE, h, 1, cudasim_solver::potrf<T>,
                                      half == CUBLAS_FILL_MODE_UPPER, n, (T *)a, lda, (T *)work, info);
    });
}

#endif
