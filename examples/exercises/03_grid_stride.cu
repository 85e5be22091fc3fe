/*  Exercise 03: the grid-stride loop                                                         make exercise-03

    You learn   A kernel need not have a thread for each element. With a loop it does any n with any grid:
                each thread begins at its own number and goes on in steps of the number of all threads.
                Neighbouring threads still use neighbouring elements, and the same kernel is right for a small
                grid and for a large one.
    You write   The loop: y[i] = sqrtf(x[i]) for all i < n, whatever grid the kernel is launched with.
    Hint        Where does a thread begin? By how much must i grow, so that no element is done twice and none
                is left out? gridDim.x is the number of blocks.
    At first    the checker says: "y[256] was not written by any thread"                                     */
#include "exercise.h"

__global__ void square_roots(const float *x, float *y, int n)
{
    int first = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    /* ---- your code here ---- */
    if (first < n) y[first] = sqrtf(x[first]);
    /* ---- end of your code ---- */
}

/* ---- The rest starts the kernel and looks at the result. From here on you need not change anything. ---- */

static void try_grid(int blocks, int threads, int n)
{
    std::vector<float> values(n), expected(n);
    for (int i = 0; i < n; i++) values[i] = (float)i, expected[i] = std::sqrt((float)i);
    float *x = ex_input(values), *y = ex_output<float>(n);
    square_roots<<<blocks, threads>>>(x, y, n);
    ex_ran("square_roots");
    if (!ex_same("y", y, expected, 1e-6))
        printf("       (n is %d; the grid has %d blocks of %d threads)\n", n, blocks, threads);
}

int main()
{
    if (!ex_failures) try_grid(4, 64, 1000);
    if (!ex_failures) try_grid(1, 32, 1000);
    if (!ex_failures) try_grid(8, 128, 1000); /* more threads than elements */
    if (!ex_failures) try_grid(3, 96, 1);
    int    n = ex_size(1000, 2000000, 1 << 26);
    float *x = ex_input(std::vector<float>(n, 2.0f)), *y = ex_output<float>(n);
    ex_time("square_roots", [&] { square_roots<<<256, 256>>>(x, y, n); });
    return ex_end();
}
