// A cooperative launch: the whole grid waits for itself between the steps of a computation.
// expect: 1 + 2 + ... by doubling: 136
#include "check.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void sum(int *a, int *b, int n)
{
    cg::grid_group grid = cg::this_grid();
    int            i    = blockIdx.x * blockDim.x + threadIdx.x;
    for (int step = 1; step < n; step *= 2) { // prefix sums in global memory
        if (i < n) b[i] = a[i] + (i >= step ? a[i - step] : 0);
        grid.sync();
        int *t = a;
        a      = b;
        b      = t;
    }
}

int main()
{
    int n = 16, x[16], *a, *b;
    for (int i = 0; i < n; i++) x[i] = i + 1;
    CHECK(cudaMalloc(&a, sizeof x));
    CHECK(cudaMalloc(&b, sizeof x));
    CHECK(cudaMemcpy(a, x, sizeof x, cudaMemcpyHostToDevice));
    void *arguments[] = { &a, &b, &n };
    CHECK(cudaLaunchCooperativeKernel((void *)sum, dim3(4), dim3(4), arguments, 0, nullptr));
    CHECK_KERNEL();
    CHECK(cudaMemcpy(x, a, sizeof x, cudaMemcpyDeviceToHost));
    printf("1 + 2 + ... by doubling: %d\n", x[15]);
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    return 0;
}
