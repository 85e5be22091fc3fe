// Global variables on the device: scalars, arrays, a structure in constant memory, and their addresses.
// expect: counter 64, starting from 0
// expect: table 0 2 4 6
// expect: settings 3 * 5 = 15
// expect: address and size right
#include "check.h"

__device__ int counter;
__device__ int table[4];

struct settings {
    int factor, value;
};
__constant__ settings options;

__global__ void use(int *product)
{
    atomicAdd(&counter, 1);
    if (blockIdx.x == 0 && threadIdx.x < 4) table[threadIdx.x] = 2 * (int)threadIdx.x;
    if (blockIdx.x == 0 && threadIdx.x == 0) *product = options.factor * options.value;
}

int main()
{
    int before, after, host[4], *product, p;
    CHECK(cudaMemcpyFromSymbol(&before, counter, sizeof before));
    settings s = { 3, 0 };
    CHECK(cudaMemcpyToSymbol(options, &s, sizeof s));
    int five = 5;
    CHECK(cudaMemcpyToSymbol(options, &five, sizeof five, sizeof(int)));
    CHECK(cudaMalloc(&product, sizeof *product));
    use<<<2, 32>>>(product);
    CHECK_KERNEL();
    CHECK(cudaMemcpyFromSymbol(&after, counter, sizeof after));
    CHECK(cudaMemcpyFromSymbol(host, table, sizeof host));
    CHECK(cudaMemcpy(&p, product, sizeof p, cudaMemcpyDeviceToHost));
    printf("counter %d, starting from %d\n", after, before);
    printf("table %d %d %d %d\n", host[0], host[1], host[2], host[3]);
    printf("settings 3 * 5 = %d\n", p);
    void  *address = nullptr;
    size_t size    = 0;
    CHECK(cudaGetSymbolAddress(&address, table));
    CHECK(cudaGetSymbolSize(&size, table));
    CHECK(cudaMemset(address, 0, size));
    CHECK(cudaMemcpyFromSymbol(host, table, sizeof host));
    printf("address and size %s\n", size == sizeof host && host[3] == 0 ? "right" : "wrong");
    CHECK(cudaFree(product));
    return 0;
}
