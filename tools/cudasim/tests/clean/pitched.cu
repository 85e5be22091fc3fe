// Rows padded by cudaMallocPitch, copied with cudaMemcpy2D.
// expect: pitch is enough
// expect: 45 x 20 doubled, 0 wrong
#include "check.h"
#include <vector>

__global__ void twice(float *image, size_t pitch, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float *row = (float *)((char *)image + y * pitch);
    row[x] *= 2.0f;
}

int main()
{
    const int          width = 45, height = 20;
    const size_t       row = width * sizeof(float);
    std::vector<float> image(width * height);
    for (int i = 0; i < width * height; i++) image[i] = (float)i;
    float *d;
    size_t pitch = 0;
    CHECK(cudaMallocPitch(&d, &pitch, row, height));
    printf("pitch is %s\n", pitch >= row ? "enough" : "too small");
    CHECK(cudaMemcpy2D(d, pitch, image.data(), row, row, height, cudaMemcpyHostToDevice));
    twice<<<dim3(3, 3), dim3(16, 8)>>>(d, pitch, width, height);
    CHECK_KERNEL();
    CHECK(cudaMemcpy2D(image.data(), row, d, pitch, row, height, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < width * height; i++) wrong += image[i] != 2.0f * (float)i;
    printf("%d x %d doubled, %d wrong\n", width, height, wrong);
    CHECK(cudaFree(d));
    return 0;
}
