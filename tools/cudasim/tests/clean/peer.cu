// Two devices: each works on its half; then one reads the other's memory, by copy and directly.
// needs: 2 devices
// expect: 2 devices, halves right
// expect: peer copy right
// expect: peer access right
#include "check.h"
#include <vector>

__global__ void fill(int *x, int n, int first)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = first + i;
}

__global__ void add(int *x, const int *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += y[i];
}

int main()
{
    const int n = 300;
    int       devices, *d[2];
    CHECK(cudaGetDeviceCount(&devices));
    std::vector<int> x(n), y(n);
    for (int k = 0; k < 2; k++) {
        CHECK(cudaSetDevice(k));
        CHECK(cudaMalloc(&d[k], n * sizeof(int)));
        fill<<<3, 128>>>(d[k], n, 1000 * k);
        CHECK(cudaGetLastError());
    }
    bool right = true;
    for (int k = 0; k < 2; k++) {
        CHECK(cudaSetDevice(k));
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaMemcpy(x.data(), d[k], n * sizeof(int), cudaMemcpyDeviceToHost));
        for (int i = 0; i < n; i++) right = right && x[i] == 1000 * k + i;
    }
    printf("%d devices, halves %s\n", devices, right ? "right" : "wrong");

    int *copy;
    CHECK(cudaSetDevice(0));
    CHECK(cudaMalloc(&copy, n * sizeof(int)));
    CHECK(cudaMemcpyPeer(copy, 0, d[1], 1, n * sizeof(int)));
    CHECK(cudaMemcpy(y.data(), copy, n * sizeof(int), cudaMemcpyDeviceToHost));
    printf("peer copy %s\n", x == y ? "right" : "wrong");

    int possible = 0;
    CHECK(cudaDeviceCanAccessPeer(&possible, 0, 1));
    right = true;
    if (possible) {
        CHECK(cudaDeviceEnablePeerAccess(1, 0));
        add<<<3, 128>>>(copy, d[1], n);
        CHECK_KERNEL();
        CHECK(cudaMemcpy(y.data(), copy, n * sizeof(int), cudaMemcpyDeviceToHost));
        for (int i = 0; i < n; i++) right = right && y[i] == 2 * (1000 + i);
    }
    printf("peer access %s\n", right ? "right" : "wrong");
    CHECK(cudaFree(copy));
    for (int k = 0; k < 2; k++) {
        CHECK(cudaSetDevice(k));
        CHECK(cudaFree(d[k]));
    }
    return 0;
}
