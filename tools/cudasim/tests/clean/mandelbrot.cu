// The Mandelbrot set as text.
// expect: ........................
// expect: .............++++.......
// expect: ...........++++@++++....
// expect: ......++++++@@@@@@@++...
// expect: ....+++@@++@@@@@@@@@+...
// expect: .@@@@@@@@@@@@@@@@@@++...
#include "check.h"

__global__ void mandelbrot(char *image, int width, int height)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height) return;
    double cx = -2.0 + 3.0 * px / width, cy = -1.2 + 1.2 * py / (height - 1), x = 0.0, y = 0.0;
    int    n = 0;
    while (n < 100 && x * x + y * y < 4.0) {
        double t = x * x - y * y + cx;
        y        = 2.0 * x * y + cy;
        x        = t;
        n++;
    }
    image[py * width + px] = n == 100 ? '@' : n > 4 ? '+' : '.';
}

int main()
{
    const int width = 24, height = 6;
    char      image[width * height], *d;
    CHECK(cudaMalloc(&d, sizeof image));
    mandelbrot<<<dim3((width + 7) / 8, (height + 7) / 8), dim3(8, 8)>>>(d, width, height);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(image, d, sizeof image, cudaMemcpyDeviceToHost));
    for (int y = 0; y < height; y++) printf("%.*s\n", width, image + y * width);
    CHECK(cudaFree(d));
    return 0;
}
