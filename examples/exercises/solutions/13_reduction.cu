/*  Exercise 13: a sum, three ways                                                            make exercise-13

    You learn   Threads that together make one number out of many: the best known problem of parallel
                programming. Adding atomically is easy and slow. Folding in shared memory, by halves, takes 8
                steps for 256 threads. And the 32 threads of a warp can read each other's variables without
                any memory: __shfl_down_sync(mask, v, d) gives the v of the thread d places further on.
    You write   1. sum_atomic: each thread adds its own sum (the loop is there) to total.
                2. sum_shared: each block folds the sums of its 256 threads in shared memory; then one thread
                   adds to total.
                3. sum_shuffle: each warp folds the sums of its 32 threads by shuffles; then its first thread
                   adds to total.
    Hint        2.: for (int half = 128; half > 0; half /= 2) the first `half` threads take in what lies
                `half` places further on. Barriers: exercise 08, and all threads must come to them. 3.: d is
                16, 8, 4, 2, 1, all 32 threads take part in every step (mask 0xffffffff), and no barrier is
                needed. Which thread has the whole sum at the end?
    At first    the checker says: "sum_atomic: total is 0"                                                   */
#include "exercise.h"

/* What thread t of the grid adds up alone. */
__device__ static unsigned own_sum(const unsigned *x, int n)
{
    unsigned sum = 0;
    for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += (int)(gridDim.x * blockDim.x)) sum += x[i];
    return sum;
}

__global__ void sum_atomic(const unsigned *x, int n, counters total)
{
    unsigned sum = own_sum(x, n);
    /* ---- your code here ---- */
    atomicAdd(&total[0], sum);
    /* ---- end of your code ---- */
}

__global__ void sum_shared(const unsigned *x, int n, counters total)
{
    __shared__ unsigned sums[256];
    unsigned            t = threadIdx.x;
    sums[t]               = own_sum(x, n);
    /* ---- your code here ---- */
    for (unsigned half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) sums[t] += sums[t + half];
    }
    if (t == 0) atomicAdd(&total[0], sums[0]);
    /* ---- end of your code ---- */
}

__global__ void sum_shuffle(const unsigned *x, int n, counters total)
{
    unsigned sum = own_sum(x, n);
    /* ---- your code here ---- */
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (threadIdx.x % 32 == 0) atomicAdd(&total[0], sum);
    /* ---- end of your code ---- */
}

/* ---- The rest starts the kernels and looks at the results. From here on you need not change anything. ---- */

typedef void way(const unsigned *x, int n, counters total);

static void try_way(const char *name, way *kernel, const unsigned *x, int n, unsigned expected, int uses)
{
    if (ex_failures) return;
    const int blocks = 8;
    unsigned *memory = ex_input(std::vector<unsigned>(1, 0)), got = 0;
    ex_watch *watch = ex_mode("check") ? ex_watch_begin(1, 1) : nullptr;
    counters  total = { memory, watch };
    kernel<<<blocks, 256>>>(x, n, total);
    if (!ex_ran(name)) return;
    ex_fine(cudaMemcpy(&got, memory, sizeof got, cudaMemcpyDeviceToHost), "cudaMemcpy");
    if (got != expected) ex_wrong("%s: total is %u, expected %u", name, got, expected);
    else if (watch && watch->total > (unsigned long long)(blocks * uses))
        ex_wrong("%s: the sum is right, but total was used %llu times by %d blocks, where %d for each would do", name,
                 watch->total, blocks, uses);
    total.watch = nullptr;
    ex_time(name, [&] { kernel<<<EX_SIMULATED ? blocks : 512, 256>>>(x, n, total); });
}

int main()
{
    int                   n        = ex_size(10000, 500000, 1 << 27);
    unsigned              expected = 0;
    std::vector<unsigned> values(n);
    for (int i = 0; i < n; i++) expected += values[i] = (unsigned)(100 * ex_random(i));
    unsigned *x = ex_input(values);
    try_way("sum_atomic", sum_atomic, x, n, expected, 256);
    try_way("sum_shared", sum_shared, x, n, expected, 1);
    try_way("sum_shuffle", sum_shuffle, x, n, expected, 8);
    return ex_end();
}
