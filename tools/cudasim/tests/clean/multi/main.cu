// A program in several files: kernels in another file, and headers that hold shared memory and launches themselves.
// sources: main.cu kernels.cu host.cpp
// expect: scaled 3 6 9
// expect: block sums 496 1520
// expect: from C++: 42
#include "kernels.cuh"
#include <cuda_runtime.h>
#include <stdio.h>

int answer_from_host_code();

int main()
{
    int x[3] = { 1, 2, 3 }, *d;
    cudaMalloc(&d, sizeof x);
    cudaMemcpy(d, x, sizeof x, cudaMemcpyHostToDevice);
    scale(d, 3, 3);
    cudaMemcpy(x, d, sizeof x, cudaMemcpyDeviceToHost);
    printf("scaled %d %d %d\n", x[0], x[1], x[2]);
    cudaFree(d);
    int sums[2];
    sums_of_blocks<32>(sums, 2);
    printf("block sums %d %d\n", sums[0], sums[1]);
    printf("from C++: %d\n", answer_from_host_code());
    return 0;
}
