// A program that expects errors, handles them and goes on; errors that were handled are not worth a report.
// expect: a device that does not exist: cudaErrorInvalidDevice
// expect: a buffer larger than any memory: cudaErrorMemoryAllocation
// expect: the last error, once: cudaErrorMemoryAllocation, then cudaSuccess
// expect: after all that the device still works: 42
#include "check.h"

__global__ void answer(int *out) { *out = 42; }

int main()
{
    printf("a device that does not exist: %s\n", cudaGetErrorName(cudaSetDevice(1000)));
    cudaGetLastError();
    void       *much  = nullptr;
    cudaError_t error = cudaMalloc(&much, (size_t)1 << 60);
    printf("a buffer larger than any memory: %s\n", cudaGetErrorName(error));
    cudaError_t peeked = cudaPeekAtLastError(), first = cudaGetLastError(), second = cudaGetLastError();
    printf("the last error, once: %s, then %s\n", cudaGetErrorName(first), cudaGetErrorName(second));
    if (peeked != first) printf("peeking changed the error\n");
    int *d, value = 0;
    CHECK(cudaMalloc(&d, sizeof *d));
    answer<<<1, 1>>>(d);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(&value, d, sizeof value, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d));
    CHECK(cudaFree(nullptr));
    printf("after all that the device still works: %d\n", value);
    return 0;
}
