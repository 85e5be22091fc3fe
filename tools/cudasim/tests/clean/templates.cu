// Kernels over types and numbers, and structures passed by value.
// expect: float 2.5 int 7 double 0.125
// expect: particles fall: 40.5
// expect: polynomial 321
#include "check.h"
#include <type_traits>

template <typename T, int N> __global__ void scale(T *x, T factor)
{
    __shared__ T copy[N];
    if (threadIdx.x < N) copy[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < N) x[threadIdx.x] = copy[N - 1 - threadIdx.x] * factor;
}

struct particle {
    float3 position, velocity;
    double mass;
};

struct world {
    float3    gravity;
    particle *particles;
    int       count;
    char      name[8];

    __host__ __device__ void move(int i, float dt) const
    {
        particle &p = particles[i];
        p.velocity.y += gravity.y * dt;
        p.position.y += p.velocity.y * dt;
    }
};

__global__ void move_all(world w, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < w.count) w.move(i, dt);
}

template <int... C> struct polynomial {
    __host__ __device__ static int at(int x)
    {
        int sum = 0, power = 1;
        ((sum += C * power, power *= x), ...);
        return sum;
    }
};

template <class F> __global__ void evaluate(int *out, int x) { *out = F::at(x); }

template <class T> T run(T start, T factor)
{
    T host[3] = { T(0), T(0), start }, *d;
    CHECK(cudaMalloc(&d, sizeof host));
    CHECK(cudaMemcpy(d, host, sizeof host, cudaMemcpyHostToDevice));
    scale<T, 3><<<1, 32>>>(d, factor);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(host, d, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d));
    return host[0];
}

int main()
{
    printf("float %g int %d double %g\n", run<float>(5.0f, 0.5f), run<int>(7, 1), run<double>(0.25, 0.5));
    particle p = { make_float3(0, 100, 0), make_float3(0, 0, 0), 1.0 };
    world    w = { make_float3(0, -8, 0), nullptr, 1, "earth" };
    CHECK(cudaMalloc(&w.particles, sizeof p));
    CHECK(cudaMemcpy(w.particles, &p, sizeof p, cudaMemcpyHostToDevice));
    for (int k = 0; k < 7; k++) move_all<<<1, 32>>>(w, 0.5f);
    move_all<<<1, 32>>>(w, 0.25f);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(&p, w.particles, sizeof p, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(w.particles));
    printf("particles fall: %g\n", p.position.y + 4.0f);
    int *d, value;
    CHECK(cudaMalloc(&d, sizeof *d));
    evaluate<polynomial<1, 2, 3>><<<1, 1>>>(d, 10);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(&value, d, sizeof value, cudaMemcpyDeviceToHost));
    printf("polynomial %d\n", value);
    CHECK(cudaFree(d));
    return 0;
}
