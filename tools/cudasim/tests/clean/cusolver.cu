// needs: cusolverDn.h
// link: -lcusolver
// cuSOLVER: factors of small matrices that are stored by columns, in the four types, and what it says of those that have none.
// expect: geqrf float -5 -2.2 0.4, orgqr -0.6 -0.8 -0.8 0.6
// expect: syevd double 1 3, batch 1 3 2 2
// expect: gesvd double 5 3, u s vt within rounding
// expect: getrf double info 0, getrs 2 3, transposed 1 4
// expect: getrf of a singular matrix: info 2
// expect: potrf complex 2 1-1i 3, info 0; of another: info 2
#include "check.h"
#include <cmath>
#include <cusolverDn.h>

#define SOLVER(call)                                                                                                           \
    do {                                                                                                                       \
        const cusolverStatus_t status = call;                                                                                  \
        if (status != CUSOLVER_STATUS_SUCCESS) {                                                                               \
            printf("%s failed: %d\n", #call, (int)status);                                                                     \
            exit(1);                                                                                                           \
        }                                                                                                                      \
    } while (0)

static cusolverDnHandle_t handle;
static cusolverDnParams_t params;
static int               *info;

template <class T> static T *to_device(const T *host, int n)
{
    T *d;
    CHECK(cudaMalloc(&d, n * sizeof(T)));
    CHECK(cudaMemcpy(d, host, n * sizeof(T), cudaMemcpyHostToDevice));
    return d;
}
template <class T> static void from_device(T *host, T *d, int n)
{
    CHECK(cudaMemcpy(host, d, n * sizeof(T), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d));
}
static int said()
{
    int value;
    CHECK(cudaMemcpy(&value, info, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

// memory to work in, for one call
struct room {
    size_t device_bytes = 0, host_bytes = 0;
    void  *device = nullptr, *host = nullptr;
    void   get()
    {
        CHECK(cudaMalloc(&device, device_bytes));
        host = malloc(host_bytes + 1);
    }
    ~room()
    {
        cudaFree(device);
        free(host);
    }
};

static void qr()
{
    float  a[4] = { 3, 4, 1, 2 }, tau[2], q[4]; // columns of (3 1; 4 2)
    float *d = to_device(a, 4), *dtau = to_device(tau, 2), *work;
    room   r;
    int    numbers;
    SOLVER(cusolverDnXgeqrf_bufferSize(handle, params, 2, 2, CUDA_R_32F, d, 2, CUDA_R_32F, dtau, CUDA_R_32F, &r.device_bytes,
                                       &r.host_bytes));
    r.get();
    SOLVER(cusolverDnXgeqrf(handle, params, 2, 2, CUDA_R_32F, d, 2, CUDA_R_32F, dtau, CUDA_R_32F, r.device, r.device_bytes,
                            r.host, r.host_bytes, info));
    CHECK(cudaMemcpy(a, d, sizeof a, cudaMemcpyDeviceToHost));
    SOLVER(cusolverDnSorgqr_bufferSize(handle, 2, 2, 2, d, 2, dtau, &numbers));
    CHECK(cudaMalloc(&work, numbers * sizeof(float)));
    SOLVER(cusolverDnSorgqr(handle, 2, 2, 2, d, 2, dtau, work, numbers, info));
    from_device(q, d, 4);
    printf("geqrf float %.3g %.3g %.3g, orgqr %.3g %.3g %.3g %.3g\n", a[0], a[2], a[3], q[0], q[1], q[2], q[3]);
    CHECK(cudaFree(work));
    CHECK(cudaFree(dtau));
}

static void eigenvalues()
{
    const double a[8] = { 2, 99, 1, 2, 2, 99, 0, 2 }; // two matrices, of which the upper triangles are read
    double       w[2], all[4], *d = to_device(a, 8), *one = to_device(a, 4), *dw = to_device(w, 2), *dall = to_device(all, 4);
    int         *infos;
    room         r, s;
    CHECK(cudaMalloc(&infos, 2 * sizeof(int)));
    SOLVER(cusolverDnXsyevd_bufferSize(handle, params, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER, 2, CUDA_R_64F, one, 2,
                                       CUDA_R_64F, dw, CUDA_R_64F, &r.device_bytes, &r.host_bytes));
    r.get();
    SOLVER(cusolverDnXsyevd(handle, params, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER, 2, CUDA_R_64F, one, 2, CUDA_R_64F,
                            dw, CUDA_R_64F, r.device, r.device_bytes, r.host, r.host_bytes, info));
    SOLVER(cusolverDnXsyevBatched_bufferSize(handle, params, CUSOLVER_EIG_MODE_NOVECTOR, CUBLAS_FILL_MODE_UPPER, 2, CUDA_R_64F,
                                             d, 2, CUDA_R_64F, dall, CUDA_R_64F, &s.device_bytes, &s.host_bytes, 2));
    s.get();
    SOLVER(cusolverDnXsyevBatched(handle, params, CUSOLVER_EIG_MODE_NOVECTOR, CUBLAS_FILL_MODE_UPPER, 2, CUDA_R_64F, d, 2,
                                  CUDA_R_64F, dall, CUDA_R_64F, s.device, s.device_bytes, s.host, s.host_bytes, infos, 2));
    from_device(w, dw, 2);
    from_device(all, dall, 4);
    printf("syevd double %.6g %.6g, batch %.6g %.6g %.6g %.6g\n", w[0], w[1], all[0], all[1], all[2], all[3]);
    CHECK(cudaFree(d));
    CHECK(cudaFree(one));
    CHECK(cudaFree(infos));
}

static void singular_values()
{
    const double a[6] = { 3, 0, 0, 0, -5, 0 }; // columns of (3 0; 0 -5; 0 0)
    double       s[2], u[6], vt[4], far = 0, *d = to_device(a, 6), *ds = to_device(s, 2), *du = to_device(u, 6),
                              *dv = to_device(vt, 4);
    room r;
    SOLVER(cusolverDnXgesvd_bufferSize(handle, params, 'S', 'S', 3, 2, CUDA_R_64F, d, 3, CUDA_R_64F, ds, CUDA_R_64F, du, 3,
                                       CUDA_R_64F, dv, 2, CUDA_R_64F, &r.device_bytes, &r.host_bytes));
    r.get();
    SOLVER(cusolverDnXgesvd(handle, params, 'S', 'S', 3, 2, CUDA_R_64F, d, 3, CUDA_R_64F, ds, CUDA_R_64F, du, 3, CUDA_R_64F, dv,
                            2, CUDA_R_64F, r.device, r.device_bytes, r.host, r.host_bytes, info));
    from_device(s, ds, 2);
    from_device(u, du, 6);
    from_device(vt, dv, 4);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 2; j++)
            far = fmax(far, fabs(u[i] * s[0] * vt[2 * j] + u[i + 3] * s[1] * vt[2 * j + 1] - a[i + 3 * j]));
    printf("gesvd double %.6g %.6g, u s vt %s\n", s[0], s[1], far < 1e-14 ? "within rounding" : "wrong");
    CHECK(cudaFree(d));
}

static void lu()
{
    const double a[4] = { 3, 1, 1, 2 }, b[4] = { 9, 8, 7, 9 }, bad[4] = { 1, 2, 2, 4 }; // columns of (3 1; 1 2)
    double       x[4], *d = to_device(a, 4), *db = to_device(b, 4), *dbad = to_device(bad, 4);
    int64_t     *pivots;
    room         r;
    CHECK(cudaMalloc(&pivots, 2 * sizeof *pivots));
    SOLVER(cusolverDnXgetrf_bufferSize(handle, params, 2, 2, CUDA_R_64F, d, 2, CUDA_R_64F, &r.device_bytes, &r.host_bytes));
    r.get();
    SOLVER(cusolverDnXgetrf(handle, params, 2, 2, CUDA_R_64F, d, 2, pivots, CUDA_R_64F, r.device, r.device_bytes, r.host,
                            r.host_bytes, info));
    const int regular = said();
    SOLVER(cusolverDnXgetrs(handle, params, CUBLAS_OP_N, 2, 1, CUDA_R_64F, d, 2, pivots, CUDA_R_64F, db, 2, info));
    SOLVER(cusolverDnXgetrs(handle, params, CUBLAS_OP_T, 2, 1, CUDA_R_64F, d, 2, pivots, CUDA_R_64F, db + 2, 2, info));
    from_device(x, db, 4);
    printf("getrf double info %d, getrs %.6g %.6g, transposed %.6g %.6g\n", regular, x[0], x[1], x[2], x[3]);
    SOLVER(cusolverDnXgetrf(handle, params, 2, 2, CUDA_R_64F, dbad, 2, pivots, CUDA_R_64F, r.device, r.device_bytes, r.host,
                            r.host_bytes, info));
    printf("getrf of a singular matrix: info %d\n", said());
    CHECK(cudaFree(d));
    CHECK(cudaFree(dbad));
    CHECK(cudaFree(pivots));
}

static void cholesky()
{
    cuDoubleComplex  a[4] = { { 4, 0 }, { 2, -2 }, { 77, 77 }, { 11, 0 } }, bad[4] = { { 1, 0 }, { 2, 0 }, { 2, 0 }, { 1, 0 } };
    cuDoubleComplex *d = to_device(a, 4), *dbad = to_device(bad, 4);
    room             r;
    SOLVER(cusolverDnXpotrf_bufferSize(handle, params, CUBLAS_FILL_MODE_LOWER, 2, CUDA_C_64F, d, 2, CUDA_C_64F, &r.device_bytes,
                                       &r.host_bytes));
    r.get();
    SOLVER(cusolverDnXpotrf(handle, params, CUBLAS_FILL_MODE_LOWER, 2, CUDA_C_64F, d, 2, CUDA_C_64F, r.device, r.device_bytes,
                            r.host, r.host_bytes, info));
    const int good = said();
    from_device(a, d, 4);
    SOLVER(cusolverDnXpotrf(handle, params, CUBLAS_FILL_MODE_LOWER, 2, CUDA_C_64F, dbad, 2, CUDA_C_64F, r.device,
                            r.device_bytes, r.host, r.host_bytes, info));
    printf("potrf complex %.6g %.6g%+.6gi %.6g, info %d; of another: info %d\n", cuCreal(a[0]), cuCreal(a[1]), cuCimag(a[1]),
           cuCreal(a[3]), good, said());
    CHECK(cudaFree(dbad));
}

int main()
{
    SOLVER(cusolverDnCreate(&handle));
    SOLVER(cusolverDnCreateParams(&params));
    CHECK(cudaMalloc(&info, sizeof(int)));
    qr();
    eigenvalues();
    singular_values();
    lu();
    cholesky();
    CHECK(cudaFree(info));
    SOLVER(cusolverDnDestroyParams(params));
    SOLVER(cusolverDnDestroy(handle));
    return 0;
}
