// The host waits for what functions in a stream do, without a word to CUDA, and one of them waits for the host.
// expect: the promise gave 8, pinned memory has 7
// expect: the flag is 1
// expect: notified, pinned memory has 9
// expect: the function waited for the host
// expect: the last kernel gave 10
// link: -lpthread
#include "check.h"
#include <atomic>
#include <condition_variable>
#include <future>
#include <mutex>

__global__ void fill(int *x, int value) { x[threadIdx.x] = value; }

struct state {
    int                    *pinned = nullptr;
    std::promise<int>       promise;
    std::atomic<int>        flag{ 0 }, go{ 0 };
    std::mutex              mutex;
    std::condition_variable condition;
    bool                    notified = false;
};

static void CUDART_CB fulfil(void *data)
{
    state *s = (state *)data;
    s->promise.set_value(s->pinned[3] + 1);
}

static void CUDART_CB raise_flag(void *data) { ((state *)data)->flag = 1; }

static void CUDART_CB notify(cudaStream_t, cudaError_t status, void *data)
{
    state                      *s = (state *)data;
    std::lock_guard<std::mutex> lock(s->mutex);
    s->notified = status == cudaSuccess;
    s->condition.notify_one();
}

static void CUDART_CB wait_for_host(void *data)
{
    state *s = (state *)data;
    while (!s->go) std::this_thread::yield();
    s->flag = 2;
}

int main()
{
    const int    n = 32;
    state        s;
    int         *d;
    cudaStream_t stream;
    CHECK(cudaMalloc(&d, n * sizeof(int)));
    CHECK(cudaMallocHost(&s.pinned, n * sizeof(int)));
    CHECK(cudaStreamCreate(&stream));

    fill<<<1, n, 0, stream>>>(d, 7);
    CHECK(cudaMemcpyAsync(s.pinned, d, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaLaunchHostFunc(stream, fulfil, &s));
    int promised = s.promise.get_future().get();
    printf("the promise gave %d, pinned memory has %d\n", promised, s.pinned[5]);

    CHECK(cudaLaunchHostFunc(stream, raise_flag, &s));
    while (!s.flag) {}
    printf("the flag is %d\n", (int)s.flag);

    fill<<<1, n, 0, stream>>>(d, 9);
    CHECK(cudaMemcpyAsync(s.pinned, d, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamAddCallback(stream, notify, &s, 0));
    {
        std::unique_lock<std::mutex> lock(s.mutex);
        s.condition.wait(lock, [&] { return s.notified; });
    }
    printf("notified, pinned memory has %d\n", s.pinned[6]);

    cudaEvent_t reached;
    CHECK(cudaEventCreate(&reached));
    CHECK(cudaLaunchHostFunc(stream, wait_for_host, &s));
    fill<<<1, n, 0, stream>>>(d, 10);
    CHECK(cudaEventRecord(reached, stream));
    s.go = 1;
    CHECK(cudaEventSynchronize(reached));
    if (s.flag == 2) printf("the function waited for the host\n");
    CHECK(cudaMemcpy(s.pinned, d, n * sizeof(int), cudaMemcpyDeviceToHost));
    printf("the last kernel gave %d\n", s.pinned[0]);

    CHECK(cudaEventDestroy(reached));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(d));
    CHECK(cudaFreeHost(s.pinned));
    return 0;
}
