/*  Exercise 05: transfers and fair timing                                                    make exercise-05

    You learn   A launch returns at once; the kernel runs later, beside your program. So a clock that you stop
                right after the launch measures nothing. Events are marks in the GPU's queue: it notes the
                time when it comes by. And whoever compares a GPU with a processor must say whether the copies
                to the GPU and back are counted.
    You write   measure copies x to the GPU, runs the kernel, and copies y back. Let it measure two times,
                both in milliseconds: of the kernel alone, and of the copies and the kernel together. The
                first launch of a program is slow (it warms up): it is there already, and must not be counted.
    Hint        Four marks: cudaEventRecord puts an event into the queue at the place where you call it.
                Before you ask for the time between two of them with cudaEventElapsedTime, wait for the last
                one: cudaEventSynchronize. Give back what you create.
    At first    the checker says: "kernel_ms was not measured"                                               */
#include "exercise.h"

__global__ void work(const float *x, float *y, int n)
{
    int step = (int)(gridDim.x * blockDim.x);
    for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += step) {
        float v = x[i];
        for (int k = 0; k < 8; k++) v = v * 0.5f + 1;
        y[i] = v;
    }
}

static void measure(const float *x, float *y, float *x_gpu, float *y_gpu, int n, float *kernel_ms, float *all_ms)
{
    work<<<32, 128>>>(x_gpu, y_gpu, 0); /* warms up */
    /* ---- your code here ---- */
    cudaEvent_t start, copied, computed, end;
    for (cudaEvent_t *event : { &start, &copied, &computed, &end }) cudaEventCreate(event);

    cudaEventRecord(start);
    cudaMemcpy(x_gpu, x, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaEventRecord(copied);
    work<<<32, 128>>>(x_gpu, y_gpu, n);
    cudaEventRecord(computed);
    cudaMemcpy(y, y_gpu, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaEventRecord(end);

    cudaEventSynchronize(end);
    cudaEventElapsedTime(kernel_ms, copied, computed);
    cudaEventElapsedTime(all_ms, start, end);
    for (cudaEvent_t event : { start, copied, computed, end }) cudaEventDestroy(event);
    /* ---- end of your code ---- */
}

/* ---- The rest looks at the result and at the times. From here on you need not change anything. ---- */

int main()
{
    int                n     = ex_size(20000, 2000000, 1 << 25);
    std::vector<float> x     = ex_floats(n), y(n), expected(n);
    float             *x_gpu = ex_output<float>(n), *y_gpu = ex_output<float>(n), kernel_ms = -1, all_ms = -1;
    for (int i = 0; i < n; i++) {
        expected[i] = x[i];
        for (int k = 0; k < 8; k++) expected[i] = expected[i] * 0.5f + 1;
    }
    measure(x.data(), y.data(), x_gpu, y_gpu, n, &kernel_ms, &all_ms);
    bool busy = cudaStreamQuery(0) == cudaErrorNotReady;
    cudaGetLastError();
    ex_same_values("y", y, expected, 1e-6, 0);
    if (kernel_ms < 0)
        ex_wrong("kernel_ms was not measured"), ex_hint("cudaEventElapsedTime writes it; did it return an error?");
    else if (all_ms < 0)
        ex_wrong("all_ms was not measured"), ex_hint("cudaEventElapsedTime writes it; did it return an error?");
    else if (busy)
        ex_wrong("when measure returned, the GPU was still at work"),
            ex_hint("what was measured is the time that it takes to queue the work: wait for the end");
    else if (all_ms < kernel_ms)
        ex_wrong("all_ms is %g and kernel_ms is %g: the whole is less than a part of it", all_ms, kernel_ms);
    if (!ex_failures && !ex_mode("check")) printf("  the kernel: %.3f ms; with the copies: %.3f ms\n", kernel_ms, all_ms);
    ex_time("measure", [&] { measure(x.data(), y.data(), x_gpu, y_gpu, n, &kernel_ms, &all_ms); });
    return ex_end();
}
