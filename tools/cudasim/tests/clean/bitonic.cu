// Bitonic sort: whole arrays with one launch per step, and one block in shared memory.
// expect: global: sorted
// expect: shared: sorted
#include "check.h"
#include <algorithm>
#include <vector>

__global__ void exchange(unsigned *x, unsigned j, unsigned k)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, partner = i ^ j;
    if (partner <= i) return;
    bool up = (i & k) == 0;
    if ((x[i] > x[partner]) == up) {
        unsigned t = x[i];
        x[i]       = x[partner];
        x[partner] = t;
    }
}

template <unsigned N> __global__ void sort_block(unsigned *x)
{
    __shared__ unsigned s[N];
    unsigned            t = threadIdx.x;
    s[t]                  = x[blockIdx.x * N + t];
    __syncthreads();
    for (unsigned k = 2; k <= N; k *= 2) {
        for (unsigned j = k / 2; j > 0; j /= 2) {
            unsigned partner = t ^ j;
            if (partner > t && (s[t] > s[partner]) == ((t & k) == 0)) {
                unsigned v = s[t];
                s[t]       = s[partner];
                s[partner] = v;
            }
            __syncthreads();
        }
    }
    x[blockIdx.x * N + t] = s[t];
}

int main()
{
    const unsigned        n = 1024;
    std::vector<unsigned> x(n), y(n);
    unsigned              random = 7;
    for (auto &v : x) v = random = random * 1664525u + 1013904223u;
    unsigned *d;
    CHECK(cudaMalloc(&d, n * sizeof(unsigned)));
    CHECK(cudaMemcpy(d, x.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
    for (unsigned k = 2; k <= n; k *= 2)
        for (unsigned j = k / 2; j > 0; j /= 2) exchange<<<n / 128, 128>>>(d, j, k);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(y.data(), d, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
    printf("global: %s\n", std::is_sorted(y.begin(), y.end()) ? "sorted" : "not sorted");

    CHECK(cudaMemcpy(d, x.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
    sort_block<256><<<n / 256, 256>>>(d);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(y.data(), d, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
    bool sorted = true;
    for (unsigned b = 0; b < n; b += 256) sorted = sorted && std::is_sorted(y.begin() + b, y.begin() + b + 256);
    printf("shared: %s\n", sorted ? "sorted" : "not sorted");
    CHECK(cudaFree(d));
    return 0;
}
