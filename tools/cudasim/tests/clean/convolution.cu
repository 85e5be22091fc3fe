// A one-dimensional convolution whose weights lie in constant memory.
// expect: 500 samples, 0 wrong
#include "check.h"
#include <vector>

constexpr int RADIUS = 4;

__constant__ float weights[2 * RADIUS + 1];

__global__ void convolve(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int k = -RADIUS; k <= RADIUS; k++) {
        int j = min(max(i + k, 0), n - 1);
        sum += weights[k + RADIUS] * in[j];
    }
    out[i] = sum;
}

int main()
{
    const int          n = 500;
    std::vector<float> in(n), out(n);
    float              w[2 * RADIUS + 1];
    for (int k = 0; k <= 2 * RADIUS; k++) w[k] = (float)(k + 1);
    for (int i = 0; i < n; i++) in[i] = (float)(i % 10);
    CHECK(cudaMemcpyToSymbol(weights, w, sizeof w));
    float *a, *b;
    CHECK(cudaMalloc(&a, n * sizeof(float)));
    CHECK(cudaMalloc(&b, n * sizeof(float)));
    CHECK(cudaMemcpy(a, in.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    convolve<<<(n + 63) / 64, 64>>>(a, b, n);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(out.data(), b, n * sizeof(float), cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < n; i++) {
        float sum = 0.0f;
        for (int k = -RADIUS; k <= RADIUS; k++) {
            int j = i + k < 0 ? 0 : i + k >= n ? n - 1 : i + k;
            sum += w[k + RADIUS] * in[j];
        }
        wrong += sum != out[i];
    }
    printf("%d samples, %d wrong\n", n, wrong);
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    return 0;
}
