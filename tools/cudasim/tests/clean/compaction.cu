// Keeping the positive values, in their order: a flag per element, a prefix sum over the flags, then a scatter; blocks in
// two levels.
// expect: kept 334 of 1000, in order
#include "check.h"
#include <vector>

constexpr int BLOCK = 128;

__device__ int block_scan(int v, int *total) // the sum over the threads before this one
{
    __shared__ int sums[BLOCK];
    int            t = threadIdx.x;
    sums[t]          = v;
    __syncthreads();
    for (int step = 1; step < BLOCK; step *= 2) {
        int add = t >= step ? sums[t - step] : 0;
        __syncthreads();
        sums[t] += add;
        __syncthreads();
    }
    *total = sums[BLOCK - 1];
    return sums[t] - v;
}

__global__ void count(const int *x, int n, int *counts)
{
    int i = blockIdx.x * BLOCK + threadIdx.x, total;
    block_scan(i < n && x[i] > 0, &total);
    if (threadIdx.x == 0) counts[blockIdx.x] = total;
}

__global__ void starts(int *counts, int blocks, int *kept)
{
    int t = threadIdx.x, v = t < blocks ? counts[t] : 0, total;
    int start = block_scan(v, &total);
    if (t < blocks) counts[t] = start;
    if (t == 0) *kept = total;
}

__global__ void scatter(const int *x, int n, const int *start, int *out)
{
    int  i    = blockIdx.x * BLOCK + threadIdx.x, total;
    bool keep = i < n && x[i] > 0;
    int  rank = block_scan(keep, &total);
    if (keep) out[start[blockIdx.x] + rank] = x[i];
}

int main()
{
    const int        n = 1000, blocks = (n + BLOCK - 1) / BLOCK;
    std::vector<int> x(n), expected;
    for (int i = 0; i < n; i++) {
        x[i] = i % 3 == 0 ? i + 1 : -i;
        if (x[i] > 0) expected.push_back(x[i]);
    }
    int *dx, *counts, *kept, *out, k = 0;
    CHECK(cudaMalloc(&dx, n * sizeof(int)));
    CHECK(cudaMalloc(&counts, blocks * sizeof(int)));
    CHECK(cudaMalloc(&kept, sizeof(int)));
    CHECK(cudaMemcpy(dx, x.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    count<<<blocks, BLOCK>>>(dx, n, counts);
    starts<<<1, BLOCK>>>(counts, blocks, kept);
    CHECK(cudaMemcpy(&k, kept, sizeof k, cudaMemcpyDeviceToHost));
    CHECK(cudaMalloc(&out, k * sizeof(int)));
    scatter<<<blocks, BLOCK>>>(dx, n, counts, out);
    std::vector<int> result(k);
    CHECK(cudaMemcpy(result.data(), out, k * sizeof(int), cudaMemcpyDeviceToHost));
    printf("kept %d of %d, %s\n", k, n, result == expected ? "in order" : "wrong");
    CHECK(cudaFree(dx));
    CHECK(cudaFree(counts));
    CHECK(cudaFree(kept));
    CHECK(cudaFree(out));
    return 0;
}
