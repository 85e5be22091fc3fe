// What is this device? The usual query, and questions about a kernel.
// expect: at least one device
// expect: a name, and sensible numbers
// expect: memory: free <= total
// expect: occupancy is possible
#include "check.h"
#include <cstring>

__global__ void work(float *x) { x[threadIdx.x] = 1.0f; }

int main()
{
    int count = 0;
    CHECK(cudaGetDeviceCount(&count));
    printf("%s\n", count > 0 ? "at least one device" : "no device");
    bool sensible = true;
    for (int d = 0; d < count; d++) {
        cudaDeviceProp p;
        CHECK(cudaGetDeviceProperties(&p, d));
        int threads = 0, warp = 0, processors = 0;
        CHECK(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerBlock, d));
        CHECK(cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, d));
        CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, d));
        sensible = sensible && strlen(p.name) > 0 && p.totalGlobalMem > 0 && p.warpSize == 32 && warp == 32 &&
                   p.maxThreadsPerBlock == threads && p.maxThreadsDim[0] >= 512 && p.maxGridSize[0] >= 65535 &&
                   p.multiProcessorCount == processors && processors > 0 && p.sharedMemPerBlock >= 48 * 1024 &&
                   p.regsPerBlock > 0 && p.major >= 5 && p.totalConstMem >= 65536;
    }
    printf("%s\n", sensible ? "a name, and sensible numbers" : "strange numbers");
    size_t free_bytes = 0, total = 0;
    CHECK(cudaMemGetInfo(&free_bytes, &total));
    printf("memory: %s\n", free_bytes > 0 && free_bytes <= total ? "free <= total" : "wrong");
    int blocks = 0, grid = 0, block = 0, driver = 0, runtime = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, work, 128, 0));
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, work, 0, 0));
    cudaFuncAttributes a;
    CHECK(cudaFuncGetAttributes(&a, work));
    CHECK(cudaDriverGetVersion(&driver));
    CHECK(cudaRuntimeGetVersion(&runtime));
    bool possible =
        blocks > 0 && grid > 0 && block > 0 && block % 32 == 0 && a.maxThreadsPerBlock > 0 && runtime > 0 && driver > 0;
    printf("occupancy %s\n", possible ? "is possible" : "makes no sense");
    return 0;
}
