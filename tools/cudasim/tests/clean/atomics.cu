// Atomic operations, one built from compare-and-swap, a ticket counter, and the last block that finishes the work.
// expect: add 4950 sub -4950 min -7 max 99 and 0x7 or 0x7f xor 0 inc 1 dec 0
// expect: product by compare-and-swap 1024
// expect: float maximum 12.5
// expect: the last block adds up 64
#include "check.h"

__global__ void integers(int *x, unsigned *u, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicAdd(&x[0], i);
    atomicSub(&x[1], i);
    atomicMin(&x[2], i == 50 ? -7 : i);
    atomicMax(&x[3], i);
    atomicAnd(&u[0], 0x7u | (unsigned)i << 8);
    atomicOr(&u[1], (unsigned)i);
    atomicXor(&u[2], 5u);
    atomicInc(&u[3], 10u); // 0 .. 10 and again: 100 steps of 11 end at 1
    atomicDec(&u[4], 9u);
}

__device__ double atomic_multiply(double *address, double value)
{
    unsigned long long *bits = (unsigned long long *)address, old = *bits, seen;
    do {
        seen = old;
        old  = atomicCAS(bits, seen, (unsigned long long)__double_as_longlong(value * __longlong_as_double((long long)seen)));
    } while (old != seen);
    return __longlong_as_double((long long)old);
}

__global__ void product(double *p) { atomic_multiply(p, 2.0); }

__global__ void maximum(float *m)
{
    float v = threadIdx.x == 3 ? 12.5f : (float)threadIdx.x / 8.0f;
    atomicMax((int *)m, __float_as_int(v)); // positive floats are ordered as their bits
}

__device__ unsigned finished = 0;

__global__ void last_block(volatile int *parts, int *total)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = blockDim.x;
        __threadfence();
        last = atomicAdd(&finished, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        __threadfence();
        int sum = 0;
        for (unsigned b = 0; b < gridDim.x; b++) sum += parts[b];
        *total = sum;
    }
}

int main()
{
    int      *x, hx[4] = { 0, 0, 1000, -1000 };
    unsigned *u, hu[5] = { ~0u, 0, 0, 0, 0 };
    CHECK(cudaMalloc(&x, sizeof hx));
    CHECK(cudaMalloc(&u, sizeof hu));
    CHECK(cudaMemcpy(x, hx, sizeof hx, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(u, hu, sizeof hu, cudaMemcpyHostToDevice));
    integers<<<4, 32>>>(x, u, 100);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(hx, x, sizeof hx, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(hu, u, sizeof hu, cudaMemcpyDeviceToHost));
    printf("add %d sub %d min %d max %d and %#x or %#x xor %u inc %u dec %u\n", hx[0], hx[1], hx[2], hx[3], hu[0], hu[1], hu[2],
           hu[3], hu[4]);

    double *p, hp = 1.0;
    CHECK(cudaMalloc(&p, sizeof hp));
    CHECK(cudaMemcpy(p, &hp, sizeof hp, cudaMemcpyHostToDevice));
    product<<<2, 5>>>(p);
    CHECK(cudaMemcpy(&hp, p, sizeof hp, cudaMemcpyDeviceToHost));
    printf("product by compare-and-swap %g\n", hp);

    float *m, hm = 0.0f;
    CHECK(cudaMalloc(&m, sizeof hm));
    CHECK(cudaMemcpy(m, &hm, sizeof hm, cudaMemcpyHostToDevice));
    maximum<<<1, 64>>>(m);
    CHECK(cudaMemcpy(&hm, m, sizeof hm, cudaMemcpyDeviceToHost));
    printf("float maximum %g\n", hm);

    int *parts, *total, ht = 0;
    CHECK(cudaMalloc(&parts, 8 * sizeof(int)));
    CHECK(cudaMalloc(&total, sizeof(int)));
    last_block<<<8, 8>>>(parts, total);
    CHECK(cudaMemcpy(&ht, total, sizeof ht, cudaMemcpyDeviceToHost));
    printf("the last block adds up %d\n", ht);
    CHECK(cudaFree(x));
    CHECK(cudaFree(u));
    CHECK(cudaFree(p));
    CHECK(cudaFree(m));
    CHECK(cudaFree(parts));
    CHECK(cudaFree(total));
    return 0;
}
