// The sum of an array in three ways: a tree in shared memory, warp shuffles, cooperative groups.
// expect: shared tree 499500
// expect: warp shuffles 499500
// expect: cooperative groups 499500
#include "check.h"
#include <cooperative_groups.h>
#include <vector>
namespace cg = cooperative_groups;

template <unsigned BLOCK> __global__ void tree(const int *x, int n, int *sum)
{
    __shared__ int part[BLOCK];
    unsigned       t = threadIdx.x;
    unsigned       i = blockIdx.x * BLOCK + t;
    part[t]          = i < n ? x[i] : 0;
    __syncthreads();
    for (unsigned half = BLOCK / 2; half > 0; half /= 2) {
        if (t < half) part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0) atomicAdd(sum, part[0]);
}

__inline__ __device__ int warp_sum(int v)
{
    for (int offset = warpSize / 2; offset > 0; offset /= 2) v += __shfl_down_sync(0xffffffff, v, offset);
    return v;
}

__global__ void shuffles(const int *x, int n, int *sum)
{
    static __shared__ int warps[32];
    int                   lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize, v = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) v += x[i];
    v = warp_sum(v);
    if (lane == 0) warps[warp] = v;
    __syncthreads();
    v = threadIdx.x < blockDim.x / warpSize ? warps[lane] : 0;
    if (warp == 0) v = warp_sum(v);
    if (threadIdx.x == 0) atomicAdd(sum, v);
}

__global__ void groups(const int *x, int n, int *sum)
{
    cg::thread_block          block = cg::this_thread_block();
    cg::thread_block_tile<32> tile  = cg::tiled_partition<32>(block);
    __shared__ int            total;
    if (block.thread_rank() == 0) total = 0;
    block.sync();
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = i < n ? x[i] : 0;
    for (int offset = tile.size() / 2; offset > 0; offset /= 2) v += tile.shfl_down(v, offset);
    if (tile.thread_rank() == 0) atomicAdd(&total, v);
    block.sync();
    if (block.thread_rank() == 0) atomicAdd(sum, total);
}

int main()
{
    const int        n = 1000;
    std::vector<int> x(n);
    for (int i = 0; i < n; i++) x[i] = i;
    int *d, *sum, result;
    CHECK(cudaMalloc(&d, n * sizeof(int)));
    CHECK(cudaMalloc(&sum, sizeof(int)));
    CHECK(cudaMemcpy(d, x.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    const char *names[] = { "shared tree", "warp shuffles", "cooperative groups" };
    for (int k = 0; k < 3; k++) {
        CHECK(cudaMemset(sum, 0, sizeof(int)));
        if (k == 0) tree<128><<<(n + 127) / 128, 128>>>(d, n, sum);
        if (k == 1) shuffles<<<2, 256>>>(d, n, sum);
        if (k == 2) groups<<<(n + 127) / 128, 128>>>(d, n, sum);
        CHECK_KERNEL();
        CHECK(cudaMemcpy(&result, sum, sizeof(int), cudaMemcpyDeviceToHost));
        printf("%s %d\n", names[k], result);
    }
    CHECK(cudaFree(d));
    CHECK(cudaFree(sum));
    return 0;
}
