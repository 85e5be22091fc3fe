/*  Exercise 04: errors                                                                       make exercise-04

    You learn   CUDA does not stop when something goes wrong. Its functions return a cudaError_t; a launch
                returns nothing, so that you must ask for its error with cudaGetLastError(), which also
                forgets it; and what goes wrong inside of a kernel is told by the first call that waits for
                it.
    You write   1. tell(error, what): if there was an error, it prints one line with what and with CUDA's
                   words for it, and returns false; else it prints nothing and returns true.
                   cudaGetErrorString(error) gives the words.
                2. launch(threads): starts fill with one block of that many threads. It returns false, after
                   tell, if the kernel could not start, or could not finish; true if all went well.
                3. allocate(bytes): returns the memory, or a null pointer after tell.
    Hint        In 2. there are two questions: one right after the launch, and cudaDeviceSynchronize(). In 3.:
                after an error, the pointer that you gave to cudaMalloc is not to be trusted; and somebody
                must still call cudaGetLastError(), or the next one who asks finds your old error.
    At first    the checker says: "tell returned true for an error"                                          */
#include "exercise.h"

__global__ void fill(int *out, int n)
{
    if ((int)threadIdx.x < n) out[threadIdx.x] = 7;
}

static bool tell(cudaError_t error, const char *what)
{
    /* ---- your code here ---- */
    if (error == cudaSuccess) return true;
    printf("%s: %s\n", what, cudaGetErrorString(error));
    return false;
    /* ---- end of your code ---- */
}

static bool launch(int threads, int *out, int n)
{
    /* ---- your code here ---- */
    fill<<<1, threads>>>(out, n);
    return tell(cudaGetLastError(), "launch of fill") && tell(cudaDeviceSynchronize(), "fill");
    /* ---- end of your code ---- */
}

static void *allocate(size_t bytes)
{
    /* ---- your code here ---- */
    void *p = nullptr;
    if (tell(cudaMalloc(&p, bytes), "cudaMalloc")) return p;
    cudaGetLastError();
    return nullptr;
    /* ---- end of your code ---- */
}

/* ---- The rest makes mistakes on purpose and sees what you do about them. From here on you need not change anything. ---- */

int main()
{
    const int n = 100;
    ex_quiet(true); /* the errors are wanted: what tell prints is not shown */
    bool tells = tell(cudaErrorInvalidValue, "a test"), right = tell(cudaSuccess, "a test");
    int  lines = ex_quiet(false);
    if (tells) ex_wrong("tell returned true for an error");
    else if (!right) ex_wrong("tell returned false for cudaSuccess");
    else if (lines != 1)
        ex_wrong("tell should print one line for an error and none for cudaSuccess, not %d lines for both", lines);
    if (ex_failures) return ex_end();

    int *out = ex_output<int>(n);
    if (!launch(128, out, n)) ex_wrong("launch(128) returned false, but nothing was wrong");
    if (!ex_same("out", out, std::vector<int>(n, 7))) return ex_end();
    ex_quiet(true);
    ex_next_launch_fails(true);
    bool started = launch(4096, out, n);
    ex_next_launch_fails(false);
    lines = ex_quiet(false);
    if (started) ex_wrong("launch(4096) returned true, but a block has at most 1024 threads");
    else if (!lines) ex_wrong("launch(4096) did not tell why it failed");
    if (cudaGetLastError() != cudaSuccess)
        ex_wrong("after launch(4096) CUDA still holds the error: the next one who asks takes it for his own");
    if (!launch(128, out, n)) ex_wrong("after a failed launch, launch(128) returned false, but nothing was wrong with it");
    if (ex_failures) return ex_end();

    void *some = allocate(1000);
    if (!some) ex_wrong("allocate(1000) returned a null pointer");
    ex_quiet(true);
    void *much = allocate((size_t)1 << 60);
    lines      = ex_quiet(false);
    if (much) ex_wrong("allocate(2^60 bytes) returned a pointer, but no GPU has as much");
    else if (!lines) ex_wrong("allocate(2^60 bytes) did not tell why it failed");
    if (cudaGetLastError() != cudaSuccess)
        ex_wrong("after allocate(2^60 bytes) CUDA still holds the error: cudaGetLastError() forgets it");
    cudaFree(some);
    ex_time("launch and wait", [&] { launch(128, out, n); });
    return ex_end();
}
