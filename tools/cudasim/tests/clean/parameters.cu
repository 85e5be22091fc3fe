// Kernels whose parameters have copy constructors and destructors: these run on the host, at the launch, and the kernel gets bytes.
// What is launched by address is not copied at all.
// expect: after a launch by name: 1 copy, 1 destroyed
// expect: after one by address: 1 copy, 1 destroyed
// expect: after one by pointer: 2 copies, 2 destroyed
// expect: 3.5 66.5
// expect: the buffer is shared by 1
#include "check.h"
#include <memory>

static int copies, destroyed;

struct buffer {
    float               *data;
    int                  n;
    std::shared_ptr<int> owners;
    explicit buffer(int count) : n(count), owners(new int) { CHECK(cudaMalloc(&data, n * sizeof(float))); }
    buffer(const buffer &other) : data(other.data), n(other.n), owners(other.owners) { copies++; }
    ~buffer()
    {
        destroyed++;
        if (owners.use_count() == 1) CHECK(cudaFree(data));
    }
};

static void report(const char *what)
{
    CHECK(cudaDeviceSynchronize());
    printf("after %s: %d cop%s, %d destroyed\n", what, copies, copies == 1 ? "y" : "ies", destroyed);
}

__global__ void fill(buffer b, float value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    b.n -= i; // each thread has its own
    if (b.n > 0) b.data[i] = value + i;
}

template <class B, class T> __global__ void add(B b, T value)
{
    if ((int)threadIdx.x < b.n) b.data[threadIdx.x] += value;
}

int main()
{
    const int n = 64;
    {
        buffer b(n);
        fill<<<2, n / 2>>>(b, 1.0f);
        report("a launch by name");
        float value       = 1.5f;
        void *arguments[] = { &b, &value };
        CHECK(cudaLaunchKernel((void *)add<buffer, float>, dim3(1), dim3(n), arguments, 0, nullptr));
        report("one by address");
        void (*const table[])(buffer, int) = { add<buffer, int> };
        table[0]<<<1, n>>>(b, 1);
        report("one by pointer");
        float first, last;
        CHECK(cudaMemcpy(&first, b.data, sizeof first, cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(&last, b.data + n - 1, sizeof last, cudaMemcpyDeviceToHost));
        printf("%g %g\n", first, last);
        printf("the buffer is shared by %d\n", (int)b.owners.use_count());
    }
    return destroyed == 3 ? 0 : 1;
}
