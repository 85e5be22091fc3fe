// Heat flow on a plate: a five-point stencil whose tile with its halo lies in shared memory; two buffers change places.
// expect: 20 steps, largest difference 0
#include "check.h"
#include <cmath>
#include <utility>
#include <vector>

constexpr int TILE = 16;

__global__ void step(const float *in, float *out, int width, int height)
{
    __shared__ float tile[TILE + 2][TILE + 2];
    int              x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    int              tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    auto             at = [&](int i, int j) { return i >= 0 && i < width && j >= 0 && j < height ? in[j * width + i] : 0.0f; };
    tile[ty][tx]        = at(x, y);
    if (threadIdx.x == 0) tile[ty][0] = at(x - 1, y);
    if (threadIdx.x == TILE - 1) tile[ty][TILE + 1] = at(x + 1, y);
    if (threadIdx.y == 0) tile[0][tx] = at(x, y - 1);
    if (threadIdx.y == TILE - 1) tile[TILE + 1][tx] = at(x, y + 1);
    __syncthreads();
    if (x < width && y < height)
        out[y * width + x] =
            0.5f * tile[ty][tx] + 0.125f * (tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx]);
}

int main()
{
    const int          width = 45, height = 30, n = width * height, steps = 20;
    std::vector<float> plate(n, 0.0f), next(n), result(n);
    plate[15 * width + 20] = 1024.0f;
    float *a, *b;
    CHECK(cudaMalloc(&a, n * sizeof(float)));
    CHECK(cudaMalloc(&b, n * sizeof(float)));
    CHECK(cudaMemcpy(a, plate.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    dim3 block(TILE, TILE), grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);
    for (int k = 0; k < steps; k++) {
        step<<<grid, block>>>(a, b, width, height);
        std::swap(a, b);
    }
    CHECK_KERNEL();
    CHECK(cudaMemcpy(result.data(), a, n * sizeof(float), cudaMemcpyDeviceToHost));
    for (int k = 0; k < steps; k++) {
        auto at = [&](int i, int j) { return i >= 0 && i < width && j >= 0 && j < height ? plate[j * width + i] : 0.0f; };
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++)
                next[y * width + x] = 0.5f * at(x, y) + 0.125f * (at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1));
        std::swap(plate, next);
    }
    float largest = 0.0f;
    for (int i = 0; i < n; i++) largest = fmaxf(largest, fabsf(result[i] - plate[i]));
    printf("%d steps, largest difference %g\n", steps, largest < 1e-4f ? 0.0f : largest);
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    return 0;
}
