// Conway's game of life on a torus: after 4 generations a glider has moved one cell down and right.
// expect: the glider moved by (1, 1)
#include "check.h"
#include <utility>
#include <vector>

__global__ void generation(const unsigned char *now, unsigned char *next, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n) return;
    int alive = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx != 0 || dy != 0) alive += now[(y + dy + n) % n * n + (x + dx + n) % n];
    next[y * n + x] = alive == 3 || (alive == 2 && now[y * n + x]);
}

int main()
{
    const int                  n = 20;
    std::vector<unsigned char> world(n * n, 0), later(n * n);
    int                        glider[5][2] = { { 1, 0 }, { 2, 1 }, { 0, 2 }, { 1, 2 }, { 2, 2 } };
    for (auto &cell : glider) world[(cell[1] + 5) * n + cell[0] + 5] = 1;
    unsigned char *a, *b;
    CHECK(cudaMalloc(&a, n * n));
    CHECK(cudaMalloc(&b, n * n));
    CHECK(cudaMemcpy(a, world.data(), n * n, cudaMemcpyHostToDevice));
    for (int k = 0; k < 4; k++) {
        generation<<<dim3(3, 3), dim3(8, 8)>>>(a, b, n);
        CHECK(cudaGetLastError());
        std::swap(a, b);
    }
    CHECK(cudaMemcpy(later.data(), a, n * n, cudaMemcpyDeviceToHost));
    bool moved = true;
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) moved = moved && later[(y + 1) % n * n + (x + 1) % n] == world[y * n + x];
    printf("the glider %s\n", moved ? "moved by (1, 1)" : "is lost");
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    return 0;
}
