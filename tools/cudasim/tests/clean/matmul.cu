// C = A B: one thread per element, then with tiles in shared memory; sizes that no tile divides.
// expect: naive: right
// expect: tiled: right
#include "check.h"
#include <vector>

#define TILE 16

__global__ void naive(const float *a, const float *b, float *c, int m, int k, int n)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || column >= n) return;
    float sum = 0.0f;
    for (int i = 0; i < k; i++) sum += a[row * k + i] * b[i * n + column];
    c[row * n + column] = sum;
}

__global__ void tiled(const float *a, const float *b, float *c, int m, int k, int n)
{
    __shared__ float ta[TILE][TILE];
    __shared__ float tb[TILE][TILE];
    int              row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float            sum = 0.0f;
    for (int t = 0; t < (k + TILE - 1) / TILE; t++) {
        int i                        = t * TILE;
        ta[threadIdx.y][threadIdx.x] = row < m && i + threadIdx.x < k ? a[row * k + i + threadIdx.x] : 0.0f;
        tb[threadIdx.y][threadIdx.x] = i + threadIdx.y < k && column < n ? b[(i + threadIdx.y) * n + column] : 0.0f;
        __syncthreads(); // the tiles are complete
#pragma unroll
        for (int j = 0; j < TILE; j++) sum += ta[threadIdx.y][j] * tb[j][threadIdx.x];
        __syncthreads(); // nobody needs them any more
    }
    if (row < m && column < n) c[row * n + column] = sum;
}

int main()
{
    const int          m = 35, k = 50, n = 41;
    std::vector<float> a(m * k), b(k * n), c(m * n), expected(m * n, 0.0f);
    for (int i = 0; i < m * k; i++) a[i] = (float)(i % 7);
    for (int i = 0; i < k * n; i++) b[i] = (float)(i % 5);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            for (int l = 0; l < k; l++) expected[i * n + j] += a[i * k + l] * b[l * n + j];
    float *da, *db, *dc;
    CHECK(cudaMalloc(&da, a.size() * sizeof(float)));
    CHECK(cudaMalloc(&db, b.size() * sizeof(float)));
    CHECK(cudaMalloc(&dc, c.size() * sizeof(float)));
    CHECK(cudaMemcpy(da, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(db, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice));
    dim3 block(TILE, TILE), grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
    naive<<<grid, block>>>(da, db, dc, m, k, n);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(c.data(), dc, c.size() * sizeof(float), cudaMemcpyDeviceToHost));
    printf("naive: %s\n", c == expected ? "right" : "wrong");
    CHECK(cudaMemset(dc, 0, c.size() * sizeof(float)));
    tiled<<<grid, block>>>(da, db, dc, m, k, n);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(c.data(), dc, c.size() * sizeof(float), cudaMemcpyDeviceToHost));
    printf("tiled: %s\n", c == expected ? "right" : "wrong");
    CHECK(cudaFree(da));
    CHECK(cudaFree(db));
    CHECK(cudaFree(dc));
    return 0;
}
