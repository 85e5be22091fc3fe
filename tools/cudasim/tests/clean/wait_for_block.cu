// Blocks wait for blocks that start later: a GPU runs several at the same time.
// expect: block 0 saw 8 blocks
// expect: the sum is 2016
#include "check.h"

constexpr int blocks = 8, threads = 64;

__global__ void meet(unsigned *arrived, int *sum, int *seen)
{
    __shared__ unsigned count;
    atomicAdd(sum, (int)threadIdx.x);
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1u);
        if (blockIdx.x == 0)
            while (atomicAdd(arrived, 0u) < gridDim.x) {}
        count = atomicAdd(arrived, 0u);
        __threadfence();
    }
    __syncthreads();
    if (blockIdx.x == 0 && threadIdx.x == 1) *seen = (int)count;
}

int main()
{
    int *d, host[3];
    CHECK(cudaMalloc(&d, sizeof host));
    CHECK(cudaMemset(d, 0, sizeof host));
    meet<<<blocks, threads>>>((unsigned *)d, d + 1, d + 2);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(host, d, sizeof host, cudaMemcpyDeviceToHost));
    printf("block 0 saw %d blocks\n", host[2]);
    printf("the sum is %d\n", host[1] / blocks);
    CHECK(cudaFree(d));
    return 0;
}
