// Three transposes: columns read far apart, columns written far apart, and a tile in shared memory with a padded row.
// expect: naive right
// expect: coalesced reads right
// expect: shared tile right
#include "check.h"
#include <vector>

constexpr int TILE = 32, ROWS = 8;

__global__ void strided_reads(float *out, const float *in, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < height && y < width) out[y * height + x] = in[x * width + y];
}

__global__ void strided_writes(float *out, const float *in, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) out[x * height + y] = in[y * width + x];
}

__global__ void tiled(float *out, const float *in, int width, int height)
{
    __shared__ float tile[TILE][TILE + 1]; // the extra column keeps the banks apart
    int              x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
        if (x < width && y + k < height) tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
        if (x < height && y + k < width) out[(y + k) * height + x] = tile[threadIdx.x][threadIdx.y + k];
}

int main()
{
    const int          width = 70, height = 45, n = width * height;
    std::vector<float> in(n), out(n);
    for (int i = 0; i < n; i++) in[i] = (float)i;
    float *a, *b;
    CHECK(cudaMalloc(&a, n * sizeof(float)));
    CHECK(cudaMalloc(&b, n * sizeof(float)));
    CHECK(cudaMemcpy(a, in.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    const char *names[] = { "naive", "coalesced reads", "shared tile" };
    for (int k = 0; k < 3; k++) {
        CHECK(cudaMemset(b, 0, n * sizeof(float)));
        if (k == 0) strided_reads<<<dim3((height + 15) / 16, (width + 15) / 16), dim3(16, 16)>>>(b, a, width, height);
        if (k == 1) strided_writes<<<dim3((width + 15) / 16, (height + 15) / 16), dim3(16, 16)>>>(b, a, width, height);
        if (k == 2)
            tiled<<<dim3((width + TILE - 1) / TILE, (height + TILE - 1) / TILE), dim3(TILE, ROWS)>>>(b, a, width, height);
        CHECK_KERNEL();
        CHECK(cudaMemcpy(out.data(), b, n * sizeof(float), cudaMemcpyDeviceToHost));
        bool right = true;
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++) right = right && out[x * height + y] == in[y * width + x];
        printf("%s %s\n", names[k], right ? "right" : "wrong");
    }
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    return 0;
}
