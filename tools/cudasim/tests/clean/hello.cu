// Every thread says hello. No include of the runtime's header: nvcc adds it to .cu files, and so does cudasim.
// expect: hello from thread 0 of block 0
// expect: hello from thread 1 of block 0
// expect: hello from thread 0 of block 1
// expect: hello from thread 1 of block 1
// expect: back on the host
#include <stdio.h>

__global__ void hello() { printf("hello from thread %d of block %d\n", threadIdx.x, blockIdx.x); }

int main()
{
    hello<<<2, 2>>>();
    cudaDeviceSynchronize();
    printf("back on the host\n");
    return 0;
}
