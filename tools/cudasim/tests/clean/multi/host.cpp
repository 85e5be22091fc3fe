#include <cuda_runtime.h>

int answer_from_host_code() // plain C++ may use the runtime as well; only kernels need a .cu file
{
    int *d, value = 42, back = 0;
    cudaMalloc((void **)&d, sizeof value);
    cudaMemcpy(d, &value, sizeof value, cudaMemcpyHostToDevice);
    cudaMemcpy(&back, d, sizeof back, cudaMemcpyDeviceToHost);
    cudaFree(d);
    return back;
}
