// Two-dimensional blocks and grids: each thread writes its own coordinates; then a 3-D block.
// expect: 37 x 21 pixels, 0 wrong
// expect: 24 cells, 0 wrong
#include "check.h"
#include <vector>

__global__ void coordinates(int2 *image, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) image[y * width + x] = make_int2(x, y);
}

__global__ void cells(int *out)
{
    int i  = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    out[i] = 100 * threadIdx.z + 10 * threadIdx.y + threadIdx.x;
}

int main()
{
    const int         width = 37, height = 21;
    std::vector<int2> image(width * height);
    int2             *d;
    CHECK(cudaMalloc(&d, image.size() * sizeof(int2)));
    dim3 block(16, 8);
    dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
    coordinates<<<grid, block>>>(d, width, height);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(image.data(), d, image.size() * sizeof(int2), cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) wrong += image[y * width + x].x != x || image[y * width + x].y != y;
    printf("%d x %d pixels, %d wrong\n", width, height, wrong);
    CHECK(cudaFree(d));

    int *c, host[24];
    CHECK(cudaMalloc(&c, sizeof host));
    cells<<<1, dim3(4, 3, 2)>>>(c);
    CHECK(cudaMemcpy(host, c, sizeof host, cudaMemcpyDeviceToHost));
    wrong = 0;
    for (int i = 0; i < 24; i++) wrong += host[i] != 100 * (i / 12) + 10 * (i / 4 % 3) + i % 4;
    printf("24 cells, %d wrong\n", wrong);
    CHECK(cudaFree(c));
    return 0;
}
