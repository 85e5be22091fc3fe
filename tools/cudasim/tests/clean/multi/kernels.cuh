#ifndef KERNELS_CUH
#define KERNELS_CUH
#include "parts/block_sum.cuh"

void scale(int *device_values, int n, int factor);

template <int BLOCK> void sums_of_blocks(int *result, int blocks)
{
    int *d;
    cudaMalloc(&d, blocks * sizeof(int));
    block_sum<BLOCK><<<blocks, BLOCK>>>(d);
    cudaMemcpy(result, d, blocks * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d);
}
#endif
