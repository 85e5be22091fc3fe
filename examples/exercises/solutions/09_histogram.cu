/*  Exercise 09: atomics and a histogram                                                      make exercise-09

    You learn   bins[v]++ is three steps: read, add, write. When two threads do it at once, one of them is
                lost. atomicAdd does it in one, but threads that want the same place wait for each other, and
                in global memory that is slow. So every block counts for itself in shared memory first, and
                adds its counts to the result once at the end.
    You write   histogram: how often does each of the values 0 to 255 occur? Go through the values with a
                grid-stride loop (exercise 03), and touch bins, which is in global memory, at most once for
                each block and value.
    Hint        Three parts, with a barrier between each and the next: set the block's 256 counts to 0 (shared
                memory holds garbage at first); count; add to bins. The block may have more or fewer than 256
                threads: loops again.
    At first    the checker says: "use an atomic function"                                                   */
#include "exercise.h"

__global__ void histogram(const unsigned char *values, int n, counters bins)
{
    int first = (int)(blockIdx.x * blockDim.x + threadIdx.x), step = (int)(gridDim.x * blockDim.x);
    /* ---- your code here ---- */
    __shared__ unsigned counts[256];
    for (unsigned v = threadIdx.x; v < 256; v += blockDim.x) counts[v] = 0;
    __syncthreads();
    for (int i = first; i < n; i += step) atomicAdd(&counts[values[i]], 1u);
    __syncthreads();
    for (unsigned v = threadIdx.x; v < 256; v += blockDim.x) atomicAdd(&bins[v], counts[v]);
    /* ---- end of your code ---- */
}

/* ---- The rest starts the kernel and looks at the result. From here on you need not change anything. ---- */

static void try_grid(int blocks, int threads, const unsigned char *values, int n, const std::vector<unsigned> &expected)
{
    unsigned *memory = ex_input(std::vector<unsigned>(256, 0));
    ex_watch *watch  = ex_watch_begin(1, 1);
    counters  bins   = { memory, watch };
    histogram<<<blocks, threads>>>(values, n, bins);
    if (!ex_ran("histogram") || !ex_same("bins", memory, expected)) return;
    if (watch->total <= (unsigned long long)blocks * 256) return;
    ex_wrong("the result is right, but bins in global memory was used %llu times; %d blocks with 256 counts need %d",
             watch->total, blocks, blocks * 256);
    ex_hint("count in shared memory first");
}

int main()
{
    int                        n = ex_size(20000, 1000000, 1 << 27);
    std::vector<unsigned char> values(n);
    std::vector<unsigned>      expected(256);
    for (int i = 0; i < n; i++) expected[values[i] = (unsigned char)(256 * ex_random(i) * ex_random(i + n))]++;
    unsigned char *on_gpu = ex_input(values);
    if (!ex_failures) try_grid(4, 256, on_gpu, n, expected);
    if (!ex_failures) try_grid(3, 96, on_gpu, n, expected);
    if (!ex_failures) try_grid(2, 512, on_gpu, n, expected);
    counters bins = { ex_input(std::vector<unsigned>(256, 0)), nullptr };
    ex_time("histogram", [&] { histogram<<<256, 256>>>(on_gpu, n, bins); });
    return ex_end();
}
