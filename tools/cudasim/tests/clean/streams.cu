// Pieces of an array travel and are computed on several streams; pinned host memory; events order the streams.
// expect: 4 pieces, 0 values wrong
// expect: handed from stream to stream: 0 values wrong
#include "check.h"

__global__ void twice(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2.0f;
}

__global__ void add_one(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] + 1.0f;
}

int main()
{
    const int pieces = 4, n = 1000, piece = n / pieces;
    float    *host, *a, *b;
    CHECK(cudaMallocHost(&host, n * sizeof(float)));
    CHECK(cudaMalloc(&a, n * sizeof(float)));
    CHECK(cudaMalloc(&b, n * sizeof(float)));
    for (int i = 0; i < n; i++) host[i] = (float)i;
    cudaStream_t streams[pieces];
    for (auto &s : streams) CHECK(cudaStreamCreate(&s));
    for (int k = 0; k < pieces; k++) {
        float *h = host + k * piece, *d = a + k * piece;
        CHECK(cudaMemcpyAsync(d, h, piece * sizeof(float), cudaMemcpyHostToDevice, streams[k]));
        twice<<<(piece + 127) / 128, 128, 0, streams[k]>>>(d, piece);
        CHECK(cudaMemcpyAsync(h, d, piece * sizeof(float), cudaMemcpyDeviceToHost, streams[k]));
    }
    for (auto &s : streams) CHECK(cudaStreamSynchronize(s));
    int wrong = 0;
    for (int i = 0; i < n; i++) wrong += host[i] != 2.0f * (float)i;
    printf("%d pieces, %d values wrong\n", pieces, wrong);

    cudaStream_t first, second;
    cudaEvent_t  ready;
    CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
    twice<<<(n + 127) / 128, 128, 0, first>>>(a, n);
    CHECK(cudaEventRecord(ready, first));
    CHECK(cudaStreamWaitEvent(second, ready, 0));
    add_one<<<(n + 127) / 128, 128, 0, second>>>(a, b, n);
    CHECK(cudaMemcpyAsync(host, b, n * sizeof(float), cudaMemcpyDeviceToHost, second));
    CHECK(cudaStreamSynchronize(second));
    wrong = 0;
    for (int i = 0; i < n; i++) wrong += host[i] != 4.0f * (float)i + 1.0f;
    printf("handed from stream to stream: %d values wrong\n", wrong);
    for (auto &s : streams) CHECK(cudaStreamDestroy(s));
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
    CHECK(cudaEventDestroy(ready));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFreeHost(host));
    return 0;
}
