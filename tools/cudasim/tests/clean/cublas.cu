// needs: cublas_v2.h
// link: -lcublas
// cuBLAS: y = a x + y, a dot product, and a product of matrices stored by columns.
// expect: saxpy 3 5 7
// expect: dot 34
// expect: sgemm 19 43 22 50
#include "check.h"
#include <cublas_v2.h>

#define BLAS(call)                                                                                                             \
    do {                                                                                                                       \
        if ((call) != CUBLAS_STATUS_SUCCESS) {                                                                                 \
            printf("%s failed\n", #call);                                                                                      \
            return 1;                                                                                                          \
        }                                                                                                                      \
    } while (0)

int main()
{
    cublasHandle_t handle;
    BLAS(cublasCreate(&handle));
    float x[3] = { 1, 2, 3 }, y[3] = { 1, 1, 1 }, two = 2, one = 1, zero = 0, dot = 0, *dx, *dy;
    CHECK(cudaMalloc(&dx, sizeof x));
    CHECK(cudaMalloc(&dy, sizeof y));
    CHECK(cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dy, y, sizeof y, cudaMemcpyHostToDevice));
    BLAS(cublasSaxpy(handle, 3, &two, dx, 1, dy, 1));
    CHECK(cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost));
    printf("saxpy %g %g %g\n", y[0], y[1], y[2]);
    BLAS(cublasSdot(handle, 3, dx, 1, dy, 1, &dot));
    printf("dot %g\n", dot);
    CHECK(cudaFree(dx));
    CHECK(cudaFree(dy));

    float a[4] = { 1, 3, 2, 4 }, b[4] = { 5, 7, 6, 8 }, c[4], *da, *db, *dc; // columns of (1 2; 3 4) and (5 6; 7 8)
    CHECK(cudaMalloc(&da, sizeof a));
    CHECK(cudaMalloc(&db, sizeof b));
    CHECK(cudaMalloc(&dc, sizeof c));
    CHECK(cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(dc, 0, sizeof c));
    BLAS(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, da, 2, db, 2, &zero, dc, 2));
    CHECK(cudaMemcpy(c, dc, sizeof c, cudaMemcpyDeviceToHost));
    printf("sgemm %g %g %g %g\n", c[0], c[1], c[2], c[3]);
    CHECK(cudaFree(da));
    CHECK(cudaFree(db));
    CHECK(cudaFree(dc));
    BLAS(cublasDestroy(handle));
    return 0;
}
