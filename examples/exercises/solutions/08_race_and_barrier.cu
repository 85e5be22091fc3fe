/*  Exercise 08: race and barrier                                                             make exercise-08

    You learn   Threads run in any order. Where one reads what another writes, a barrier must stand between:
                __syncthreads() lets no thread of the block pass before all have come. Without it there is a
                race, and the result is right or wrong by chance. A barrier that only some threads reach is a
                mistake too.
    You write   Running sums inside of each block: out[i] = in[first of the block] + ... + in[i]. The idea in
                the kernel is right: in steps of 1, 2, 4, ... every place takes in what stands that far to its
                left. But the barriers are missing. Put them in, as many as needed and no more.
    Hint        Draw four places and two steps. Who reads sums[t - step], and who writes there in the same
                step? One barrier keeps a step from the one before; a second keeps, inside of a step, the
                readers from the writers. The first one also stands between the filling of sums and its first
                use.
    At first    the checker says: "a barrier is missing"                                                     */
#include "exercise.h"

__global__ void running_sums(const int *in, int *out, int n)
{
    __shared__ int sums[256];
    int            i = (int)(blockIdx.x * blockDim.x + threadIdx.x), t = (int)threadIdx.x;
    /* ---- your code here ---- */
    sums[t] = i < n ? in[i] : 0;
    for (int step = 1; step < (int)blockDim.x; step *= 2) {
        __syncthreads();
        int left = t >= step ? sums[t - step] : 0;
        __syncthreads();
        sums[t] += left;
    }
    /* ---- end of your code ---- */
    if (i < n) out[i] = sums[t];
}

/* ---- The rest starts the kernel and looks at the result. From here on you need not change anything. ---- */

int main()
{
    const int        threads = 256;
    int              n       = ex_size(700, 1000000, 1 << 25);
    std::vector<int> values(n), expected(n);
    for (int i = 0; i < n; i++) {
        values[i]   = (int)(ex_random(i) * 10);
        expected[i] = values[i] + (i % threads ? expected[i - 1] : 0);
    }
    int *in = ex_input(values), *out = ex_output<int>(n), blocks = (n + threads - 1) / threads;
    running_sums<<<blocks, threads>>>(in, out, n);
    ex_ran("running_sums");
    ex_same("out", out, expected);
    ex_time("running_sums", [&] { running_sums<<<blocks, threads>>>(in, out, n); });
    return ex_end();
}
