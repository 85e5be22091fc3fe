#pragma once
#include "../config.h"

template <int BLOCK> __global__ void block_sum(int *sums)
{
    __shared__ int part[BLOCK];
    part[threadIdx.x] = FIRST + blockIdx.x * BLOCK + threadIdx.x;
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}
