// A grid-stride loop: any grid handles any length.
// expect: <<<1, 32>>> right
// expect: <<<4, 64>>> right
// expect: <<<64, 128>>> right
#include "check.h"
#include <vector>

__global__ void square(double *x, size_t n)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) x[i] *= x[i];
}

int main()
{
    const size_t        n = 5003;
    std::vector<double> x(n);
    double             *d;
    CHECK(cudaMalloc(&d, n * sizeof *d));
    int shapes[3][2] = { { 1, 32 }, { 4, 64 }, { 64, 128 } };
    for (auto &shape : shapes) {
        for (size_t i = 0; i < n; i++) x[i] = (double)i;
        CHECK(cudaMemcpy(d, x.data(), n * sizeof *d, cudaMemcpyHostToDevice));
        square<<<shape[0], shape[1]>>>(d, n);
        CHECK_KERNEL();
        CHECK(cudaMemcpy(x.data(), d, n * sizeof *d, cudaMemcpyDeviceToHost));
        bool right = true;
        for (size_t i = 0; i < n; i++) right = right && x[i] == (double)i * (double)i;
        printf("<<<%d, %d>>> %s\n", shape[0], shape[1], right ? "right" : "wrong");
    }
    CHECK(cudaFree(d));
    return 0;
}
