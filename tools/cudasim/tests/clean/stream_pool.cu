// Memory in the order of a stream: cudaMallocAsync and cudaFreeAsync, reused from round to round.
// expect: 5 rounds right
#include "check.h"

__global__ void fill(int *x, int n, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = value;
}

__global__ void sum(const int *x, int n, int *result)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(result, x[i]);
}

int main()
{
    const int    n = 500;
    cudaStream_t stream;
    int         *result, *pinned, rounds = 0;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMallocHost(&pinned, sizeof(int)));
    CHECK(cudaMallocAsync(&result, sizeof(int), stream));
    for (int k = 0; k < 5; k++) {
        int *scratch;
        CHECK(cudaMallocAsync(&scratch, n * sizeof(int), stream));
        CHECK(cudaMemsetAsync(result, 0, sizeof(int), stream));
        fill<<<4, 128, 0, stream>>>(scratch, n, k);
        sum<<<4, 128, 0, stream>>>(scratch, n, result);
        CHECK(cudaFreeAsync(scratch, stream));
        CHECK(cudaMemcpyAsync(pinned, result, sizeof(int), cudaMemcpyDeviceToHost, stream));
        CHECK(cudaStreamSynchronize(stream));
        rounds += *pinned == k * n;
    }
    printf("%d rounds right\n", rounds);
    CHECK(cudaFreeAsync(result, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFreeHost(pinned));
    return 0;
}
