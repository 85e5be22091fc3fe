/*  Exercise 02: bounds                                                                       make exercise-02

    You learn   Blocks have one size, and data seldom is a multiple of it. So the last block has threads to
                spare, and these must keep their hands off: an index outside of an array reads and destroys
                what belongs to others, and a GPU seldom tells you.
    You write   y[i] = a * x[i] + y[i] for all n elements ("saxpy"), whatever n is: the number of blocks that
                is enough for n elements, and the test that lets the surplus threads do nothing.
    Hint        n / 256 is rounded down. What must be added to n, so that every rest is rounded up? And with n
                = 1000, which numbers do the threads of the last block have?
    At first    the checker says: "y[768] is 0.5"                                                            */
#include "exercise.h"

__global__ void saxpy(float a, const float *x, float *y, int n)
{
    /* ---- your code here ---- */
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) y[i] = a * x[i] + y[i];
    /* ---- end of your code ---- */
}

static int blocks_for(int n)
{
    /* ---- your code here ---- */
    return (n + 255) / 256;
    /* ---- end of your code ---- */
}

/* ---- The rest starts the kernel and looks at the result. From here on you need not change anything. ---- */

static void try_size(int n)
{
    std::vector<float> ones(n, 1.0f), halves(n, 0.5f);
    float             *x = ex_input(ones), *y = ex_input(halves);
    saxpy<<<blocks_for(n), 256>>>(2.0f, x, y, n);
    ex_ran("saxpy");
    if (!ex_same("y", y, std::vector<float>(n, 2.5f))) printf("       (n is %d, y was 0.5 before, and a is 2)\n", n);
}

int main()
{
    for (int n : { 1000, 1024, 1, 257 })
        if (!ex_failures) try_size(n);
    int    n = ex_size(1000, 1000000, 1 << 26);
    float *x = ex_input(std::vector<float>(n, 1.0f)), *y = ex_input(std::vector<float>(n, 0.5f));
    ex_time("saxpy", [&] { saxpy<<<blocks_for(n), 256>>>(2.0f, x, y, n); });
    return ex_end();
}
