// Pi from random points; each thread has its own generator (xorshift), seeded by its number.
// expect: pi is about 3.1
#include "check.h"

__device__ unsigned next(unsigned &state)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

__device__ float uniform(unsigned &state) { return (next(state) >> 8) * (1.0f / 16777216.0f); }

__global__ void throw_darts(int darts, unsigned long long *inside)
{
    unsigned state = 2463534242u ^ (747796405u * (blockIdx.x * blockDim.x + threadIdx.x + 1));
    for (int i = 0; i < 8; i++) next(state);
    unsigned long long hits = 0;
    for (int i = 0; i < darts; i++) {
        float x = uniform(state), y = uniform(state);
        hits += x * x + y * y < 1.0f;
    }
    atomicAdd(inside, hits);
}

int main()
{
    const int           blocks = 8, threads = 64, darts = 200;
    unsigned long long *d, hits = 0;
    CHECK(cudaMalloc(&d, sizeof *d));
    CHECK(cudaMemset(d, 0, sizeof *d));
    throw_darts<<<blocks, threads>>>(darts, d);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(&hits, d, sizeof hits, cudaMemcpyDeviceToHost));
    printf("pi is about %.1f\n", 4.0 * (double)hits / ((double)blocks * threads * darts));
    CHECK(cudaFree(d));
    return 0;
}
