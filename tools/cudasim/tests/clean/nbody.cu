// Gravity between bodies, a tile of bodies at a time in shared memory.
// expect: momentum is kept
// expect: same as on the host
#include "check.h"
#include <cmath>
#include <vector>

constexpr int BLOCK = 64;

__device__ float3 pull(float4 a, float4 b)
{
    float dx = b.x - a.x, dy = b.y - a.y, dz = b.z - a.z;
    float r2 = dx * dx + dy * dy + dz * dz + 0.01f, inverse = rsqrtf(r2);
    float f = b.w * inverse * inverse * inverse;
    return make_float3(f * dx, f * dy, f * dz);
}

__global__ void accelerations(const float4 *bodies, float3 *result, int n)
{
    __shared__ float4 tile[BLOCK];
    int               i  = blockIdx.x * blockDim.x + threadIdx.x;
    float4            me = i < n ? bodies[i] : make_float4(0, 0, 0, 0);
    float3            a  = make_float3(0, 0, 0);
    for (int start = 0; start < n; start += BLOCK) {
        if (start + threadIdx.x < n) tile[threadIdx.x] = bodies[start + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < BLOCK && start + k < n; k++) {
            float3 p = pull(me, tile[k]);
            a.x += p.x;
            a.y += p.y;
            a.z += p.z;
        }
        __syncthreads();
    }
    if (i < n) result[i] = a;
}

int main()
{
    const int           n = 150;
    std::vector<float4> bodies(n);
    std::vector<float3> a(n);
    for (int i = 0; i < n; i++)
        bodies[i] = make_float4(sinf((float)i), cosf(2.0f * (float)i), sinf(3.0f * (float)i), 1.0f + (float)(i % 3));
    float4 *d;
    float3 *r;
    CHECK(cudaMalloc(&d, n * sizeof(float4)));
    CHECK(cudaMalloc(&r, n * sizeof(float3)));
    CHECK(cudaMemcpy(d, bodies.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
    accelerations<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(d, r, n);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(a.data(), r, n * sizeof(float3), cudaMemcpyDeviceToHost));
    double x = 0, y = 0, z = 0, worst = 0;
    for (int i = 0; i < n; i++) {
        x += bodies[i].w * a[i].x;
        y += bodies[i].w * a[i].y;
        z += bodies[i].w * a[i].z;
        double ex = 0;
        for (int j = 0; j < n; j++) {
            double dx = bodies[j].x - bodies[i].x, dy = bodies[j].y - bodies[i].y, dz = bodies[j].z - bodies[i].z;
            ex += bodies[j].w * dx / pow(dx * dx + dy * dy + dz * dz + 0.01, 1.5);
        }
        worst = fmax(worst, fabs(ex - a[i].x) / (1.0 + fabs(ex)));
    }
    printf("momentum is %s\n", fabs(x) + fabs(y) + fabs(z) < 0.1 ? "kept" : "lost");
    printf("%s\n", worst < 1e-3 ? "same as on the host" : "not the same as on the host");
    CHECK(cudaFree(d));
    CHECK(cudaFree(r));
    return 0;
}
