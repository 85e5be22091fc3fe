/*  Exercise 01: hello, thread                                                                make exercise-01

    You learn   A kernel is a function that many threads run at once, and each can tell which one it is.
                Threads come in blocks: threadIdx.x is the number of the thread in its block, blockIdx.x the
                number of the block, blockDim.x how many threads a block has. All three begin to count at 0
                (blockDim.x is a number of threads).
    You write   One line in the kernel: each thread stores its number in the whole grid, from 0 to 255, in
                out. Thread 0 of block 1 comes after the 64 threads of block 0, so its number is 64.
    Hint        How many threads are in the blocks before mine? Draw two blocks of four threads on paper
                first.
    At first    the checker says: "no element of out was written"                                            */
#include "exercise.h"

__global__ void hello(int *out)
{
    /* ---- your code here ---- */
    /* ---- end of your code ---- */
}

/* ---- The rest starts the kernel and looks at the result. From here on you need not change anything. ---- */

int main()
{
    const int blocks = 4, threads = 64, n = blocks * threads;

    int *out = ex_output<int>(n);
    hello<<<blocks, threads>>>(out); /* 4 blocks of 64 threads */
    ex_ran("hello");

    std::vector<int> expected(n);
    for (int i = 0; i < n; i++) expected[i] = i;
    ex_same("out", out, expected);
    ex_time("hello", [&] { hello<<<blocks, threads>>>(out); });
    return ex_end();
}
