/*  Exercise 12: streams and overlap                                                          make exercise-12

    You learn   A GPU can copy to it, copy from it and compute at the same time, if the three belong to
                different streams: a stream is a queue whose work is done in order, and streams run beside
                each other. So long work is cut into parts: while one part is computed, the next one is
                already on its way. The memory on the processor must be pinned (cudaMallocHost), or the copies
                wait.
    You write   process: for each of the parts, copy it to the GPU, run the kernel on it, copy the result
                back; the parts by turns on two streams, and nothing waits until all is queued. When process
                returns, the results must be there.
    Hint        cudaMemcpyAsync(to, from, bytes, direction, stream) and kernel<<<blocks, threads, 0,
                stream>>>. Each stream has a buffer of its own on the GPU: two parts that are under way at the
                same time must not share one, and two parts on one stream cannot disturb each other. At the
                end: cudaStreamSynchronize, and cudaStreamDestroy for what you have created.
    At first    the checker says: "nothing was copied with cudaMemcpyAsync"                                  */
#define EX_COUNT_COPIES
#include "exercise.h"

__global__ void work(float *x, int n)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) x[i] = x[i] * x[i] + 1;
}

/* in and out are pinned and have parts * n elements; each of the two buffers on the GPU has n. */
static void process(const float *in, float *out, float *const buffer[2], int n, int parts)
{
    int    blocks = (n + 255) / 256;
    size_t bytes  = n * sizeof(float);
    /* ---- your code here ---- */
    for (int p = 0; p < parts; p++) {
        cudaMemcpy(buffer[0], in + p * n, bytes, cudaMemcpyHostToDevice);
        work<<<blocks, 256>>>(buffer[0], n);
        cudaMemcpy(out + p * n, buffer[0], bytes, cudaMemcpyDeviceToHost);
    }
    /* ---- end of your code ---- */
}

/* ---- The rest starts it and looks at the result. From here on you need not change anything. ---- */

int main()
{
    const int parts = 6;
    int       n     = ex_size(3000, 200000, 1 << 23);
    float    *in, *out, *buffer[2] = { ex_output<float>(n), ex_output<float>(n) };
    ex_fine(cudaMallocHost(&in, parts * n * sizeof(float)), "cudaMallocHost");
    ex_fine(cudaMallocHost(&out, parts * n * sizeof(float)), "cudaMallocHost");
    std::vector<float> expected(parts * n);
    for (int i = 0; i < parts * n; i++) in[i] = (float)ex_random(i), out[i] = -1, expected[i] = in[i] * in[i] + 1;
    ex_copies_begin();
    process(in, out, buffer, n, parts);
    ex_copies copies = ex_copies_end();
    if (!copies.count) ex_wrong("nothing was copied with cudaMemcpyAsync");
    else if (copies.streams < 2) ex_wrong("all copies are on one stream: nothing can overlap");
    else if (copies.waits > 2)
        ex_wrong("the program waits %d times: queue everything first, then wait once for each stream", copies.waits);
    else if (copies.busy) ex_wrong("when process returned, the GPU was still at work: the results may not be there yet");
    if (!ex_failures) ex_same_values("out", std::vector<float>(out, out + parts * n), expected, 1e-6, n);
    ex_time("process", [&] { process(in, out, buffer, n, parts); });
    cudaDeviceSynchronize();
    cudaFreeHost(in);
    cudaFreeHost(out);
    return ex_end();
}
