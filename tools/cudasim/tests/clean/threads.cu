// Several threads of the host, each with a stream and buffers of its own.
// link: -lpthread
// expect: 4 threads, 4 right
#include "check.h"
#include <atomic>
#include <thread>
#include <vector>

__global__ void count(int *x, int n, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = value + i;
}

static std::atomic<int> right{ 0 };

static void work(int number)
{
    const int        n = 200;
    int             *d;
    cudaStream_t     stream;
    std::vector<int> x(n);
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMalloc(&d, n * sizeof(int)));
    count<<<2, 128, 0, stream>>>(d, n, number);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(x.data(), d, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    bool ok = true;
    for (int i = 0; i < n; i++) ok = ok && x[i] == number + i;
    right += ok;
    CHECK(cudaFree(d));
    CHECK(cudaStreamDestroy(stream));
}

int main()
{
    std::vector<std::thread> threads;
    for (int k = 0; k < 4; k++) threads.emplace_back(work, 1000 * k);
    for (auto &t : threads) t.join();
    printf("4 threads, %d right\n", right.load());
    return 0;
}
