// Dynamic shared memory: one array; then three arrays in one piece; then more than 48 kB after asking for it.
// expect: reversed right
// expect: three arrays right
// expect: 64 kB right
#include "check.h"
#include <vector>

__global__ void reverse(int *x, int n)
{
    extern __shared__ int s[];
    int                   t = threadIdx.x;
    s[t]                    = x[t];
    __syncthreads();
    x[t] = s[n - 1 - t];
}

__global__ void three_arrays(double *out, int n)
{
    extern __shared__ __align__(16) unsigned char bytes[];
    double                                       *d = (double *)bytes;
    float                                        *f = (float *)(d + n);
    short                                        *h = (short *)(f + n);
    int                                           t = threadIdx.x;
    d[t]                                            = 1.0 * t;
    f[t]                                            = 2.0f * t;
    h[t]                                            = (short)(3 * t);
    __syncthreads();
    int o  = (t + 1) % n;
    out[t] = d[o] + f[o] + h[o];
}

__global__ void large(float *out, int n)
{
    extern __shared__ float s2[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) s2[i] = (float)i;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = s2[n - 1 - i];
}

int main()
{
    const int        n = 64;
    std::vector<int> x(n);
    for (int i = 0; i < n; i++) x[i] = i;
    int *d;
    CHECK(cudaMalloc(&d, n * sizeof(int)));
    CHECK(cudaMemcpy(d, x.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    reverse<<<1, n, n * sizeof(int)>>>(d, n);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(x.data(), d, n * sizeof(int), cudaMemcpyDeviceToHost));
    bool right = true;
    for (int i = 0; i < n; i++) right = right && x[i] == n - 1 - i;
    printf("reversed %s\n", right ? "right" : "wrong");
    CHECK(cudaFree(d));

    double *e, y[n];
    CHECK(cudaMalloc(&e, sizeof y));
    three_arrays<<<1, n, n *(sizeof(double) + sizeof(float) + sizeof(short))>>>(e, n);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(y, e, sizeof y, cudaMemcpyDeviceToHost));
    right = true;
    for (int i = 0; i < n; i++) right = right && y[i] == 6.0 * ((i + 1) % n);
    printf("three arrays %s\n", right ? "right" : "wrong");
    CHECK(cudaFree(e));

    const int bytes = 64 * 1024, m = bytes / (int)sizeof(float);
    float    *f;
    CHECK(cudaMalloc(&f, bytes));
    CHECK(cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    large<<<1, 128, bytes>>>(f, m);
    CHECK_KERNEL();
    std::vector<float> z(m);
    CHECK(cudaMemcpy(z.data(), f, bytes, cudaMemcpyDeviceToHost));
    right = true;
    for (int i = 0; i < m; i++) right = right && z[i] == (float)(m - 1 - i);
    printf("64 kB %s\n", right ? "right" : "wrong");
    CHECK(cudaFree(f));
    return 0;
}
