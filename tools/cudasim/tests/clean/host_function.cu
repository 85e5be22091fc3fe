// A stream calls functions of the host between its kernels.
// expect: the stream reached the host with 10
// expect: callback, status no error
// expect: 2 calls
#include "check.h"

__global__ void fill(int *x, int value) { x[threadIdx.x] = value; }

struct state {
    int *pinned;
    int  calls;
};

static void CUDART_CB reached(void *data)
{
    state *s = (state *)data;
    s->calls++;
    printf("the stream reached the host with %d\n", s->pinned[5]);
}

static void CUDART_CB called(cudaStream_t, cudaError_t status, void *data)
{
    ((state *)data)->calls++;
    printf("callback, status %s\n", cudaGetErrorString(status));
}

int main()
{
    const int n = 32;
    state     s = { nullptr, 0 };
    int      *d;
    CHECK(cudaHostAlloc(&s.pinned, n * sizeof(int), cudaHostAllocDefault));
    CHECK(cudaMalloc(&d, n * sizeof(int)));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    fill<<<1, n, 0, stream>>>(d, 10);
    CHECK(cudaMemcpyAsync(s.pinned, d, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaLaunchHostFunc(stream, reached, &s));
    CHECK(cudaStreamAddCallback(stream, called, &s, 0));
    CHECK(cudaStreamSynchronize(stream));
    printf("%d calls\n", s.calls);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(d));
    CHECK(cudaFreeHost(s.pinned));
    return 0;
}
