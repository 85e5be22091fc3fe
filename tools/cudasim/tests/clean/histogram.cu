// A histogram per block in shared memory, then added to the one in global memory.
// expect: 10000 values in 64 bins, 0 bins wrong
#include "check.h"
#include <vector>

constexpr int BINS = 64;

__global__ void histogram(const unsigned char *data, int n, unsigned *bins)
{
    __shared__ unsigned local[BINS];
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) local[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[data[i] % BINS], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) atomicAdd(&bins[b], local[b]);
}

int main()
{
    const int                  n = 10000;
    std::vector<unsigned char> data(n);
    std::vector<unsigned>      bins(BINS), expected(BINS, 0);
    unsigned                   random = 1;
    for (auto &v : data) {
        random = random * 1664525u + 1013904223u;
        v      = (unsigned char)(random >> 24);
        expected[v % BINS]++;
    }
    unsigned char *d;
    unsigned      *b;
    CHECK(cudaMalloc(&d, n));
    CHECK(cudaMalloc(&b, BINS * sizeof(unsigned)));
    CHECK(cudaMemcpy(d, data.data(), n, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(b, 0, BINS * sizeof(unsigned)));
    histogram<<<8, 128>>>(d, n, b);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(bins.data(), b, BINS * sizeof(unsigned), cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < BINS; i++) wrong += bins[i] != expected[i];
    printf("%d values in %d bins, %d bins wrong\n", n, BINS, wrong);
    CHECK(cudaFree(d));
    CHECK(cudaFree(b));
    return 0;
}
