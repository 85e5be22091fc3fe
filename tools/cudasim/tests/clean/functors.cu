// What to do with each element, chosen four ways: a functor, a device function as a template argument, a function pointer
// fetched from the device, and a pointer to the kernel itself.
// expect: functor 7 14 21
// expect: template 1 4 9
// expect: pointer -1 -2 -3
// expect: kernel pointer 11 12 13
#include "check.h"

struct times {
    int                     factor;
    __host__ __device__ int operator()(int x) const { return factor * x; }
};

__device__ int square(int x) { return x * x; }
__device__ int negate(int x) { return -x; }

typedef int (*function)(int);
__device__ function negate_pointer = negate;

template <class F> __global__ void apply(int *x, int n, F f)
{
    int i = threadIdx.x;
    if (i < n) x[i] = f(x[i]);
}

template <function F> __global__ void apply_fixed(int *x, int n)
{
    int i = threadIdx.x;
    if (i < n) x[i] = F(x[i]);
}

__global__ void add_ten(int *x, int n)
{
    int i = threadIdx.x;
    if (i < n) x[i] += 10;
}

static void show(const char *name, int *d)
{
    int x[3];
    CHECK_KERNEL();
    CHECK(cudaMemcpy(x, d, sizeof x, cudaMemcpyDeviceToHost));
    printf("%s %d %d %d\n", name, x[0], x[1], x[2]);
    int start[3] = { 1, 2, 3 };
    CHECK(cudaMemcpy(d, start, sizeof start, cudaMemcpyHostToDevice));
}

int main()
{
    int start[3] = { 1, 2, 3 }, *d;
    CHECK(cudaMalloc(&d, sizeof start));
    CHECK(cudaMemcpy(d, start, sizeof start, cudaMemcpyHostToDevice));
    apply<<<1, 32>>>(d, 3, times{ 7 });
    show("functor", d);
    apply_fixed<square><<<1, 32>>>(d, 3);
    show("template", d);
    function on_device;
    CHECK(cudaMemcpyFromSymbol(&on_device, negate_pointer, sizeof on_device));
    apply<<<1, 32>>>(d, 3, on_device);
    show("pointer", d);
    void (*kernel)(int *, int) = add_ten;
    kernel<<<1, 32>>>(d, 3);
    show("kernel pointer", d);
    CHECK(cudaFree(d));
    return 0;
}
