/*  Exercise 10: constant memory                                                              make exercise-10

    You learn   What all threads read and nobody writes while the kernel runs, such as the weights of a
                filter, belongs in constant memory: at most 64 KiB, declared at file scope, and fast when the
                threads of a warp read the same place at the same time. It is filled from the processor, by
                name.
    You write   1. set_weights: copies the 9 weights to the constant array of that name.
                2. smooth: out[i] = weights[0] * in[i - 4] + weights[1] * in[i - 3] + ... + weights[8] * in[i
                   + 4]. What lies outside of the array counts as 0.
    Hint        cudaMemcpyToSymbol(weights, ...) takes the array itself, not its address, and the number of
                bytes. In the loop, test the index that you read from; each thread has two ends to mind. Begin
                the sum with 0 and add in the order of k.
    At first    the checker says: "out[0] is 0, expected"                                                    */
#include "exercise.h"

__constant__ float weights[9];

static void set_weights(const float *nine)
{
    /* ---- your code here ---- */
    (void)nine;
    /* ---- end of your code ---- */
}

__global__ void smooth(const float *in, float *out, int n)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    float sum = 0;
    /* ---- your code here ---- */
    /* ---- end of your code ---- */
    out[i] = sum;
}

/* ---- The rest starts the kernel and looks at the result. From here on you need not change anything. ---- */

int main()
{
    const float        nine[] = { 0.5f, 1, 2, 4, 8, 3, 2, 1, 0.25f };
    int                n = ex_size(1000, 1000000, 1 << 26), threads = 128;
    std::vector<float> values = ex_floats(n), expected(n);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 9; k++)
            if (i + k - 4 >= 0 && i + k - 4 < n) expected[i] += nine[k] * values[i + k - 4];

    float *in = ex_input(values), *out = ex_output<float>(n);
    set_weights(nine);
    smooth<<<(n + threads - 1) / threads, threads>>>(in, out, n);
    ex_ran("smooth");
    ex_same("out", out, expected, 1e-5);
    ex_time("smooth", [&] { smooth<<<(n + threads - 1) / threads, threads>>>(in, out, n); });
    return ex_end();
}
