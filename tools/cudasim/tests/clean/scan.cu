// Prefix sums of one block: Hillis and Steele (inclusive, two buffers) and Blelloch (exclusive, work-efficient tree).
// expect: Hillis-Steele right
// expect: Blelloch right
#include "check.h"
#include <vector>

constexpr int N = 256;

__global__ void hillis_steele(const int *in, int *out)
{
    __shared__ int buffer[2][N];
    int            t = threadIdx.x, from = 0;
    buffer[from][t] = in[t];
    __syncthreads();
    for (int step = 1; step < N; step *= 2) {
        int to        = 1 - from;
        buffer[to][t] = buffer[from][t] + (t >= step ? buffer[from][t - step] : 0);
        from          = to;
        __syncthreads();
    }
    out[t] = buffer[from][t];
}

__global__ void blelloch(const int *in, int *out)
{
    extern __shared__ int tree[];
    int                   t = threadIdx.x, step = 1; // N / 2 threads, two elements each
    tree[2 * t]     = in[2 * t];
    tree[2 * t + 1] = in[2 * t + 1];
    for (int width = N / 2; width > 0; width /= 2) { // up: sums of pairs
        __syncthreads();
        if (t < width) tree[step * (2 * t + 2) - 1] += tree[step * (2 * t + 1) - 1];
        step *= 2;
    }
    if (t == 0) tree[N - 1] = 0;
    for (int width = 1; width < N; width *= 2) { // down: the sum of everything to the left
        step /= 2;
        __syncthreads();
        if (t < width) {
            int left = step * (2 * t + 1) - 1, right = step * (2 * t + 2) - 1, keep = tree[left];
            tree[left] = tree[right];
            tree[right] += keep;
        }
    }
    __syncthreads(); // redundant: in the last step each thread wrote the two values that it reads here
    out[2 * t]     = tree[2 * t];
    out[2 * t + 1] = tree[2 * t + 1];
}

int main()
{
    std::vector<int> in(N), out(N);
    for (int i = 0; i < N; i++) in[i] = i * 7 % 13;
    int *a, *b;
    CHECK(cudaMalloc(&a, N * sizeof(int)));
    CHECK(cudaMalloc(&b, N * sizeof(int)));
    CHECK(cudaMemcpy(a, in.data(), N * sizeof(int), cudaMemcpyHostToDevice));
    hillis_steele<<<1, N>>>(a, b);
    CHECK(cudaMemcpy(out.data(), b, N * sizeof(int), cudaMemcpyDeviceToHost));
    bool right = true;
    for (int i = 0, sum = 0; i < N; i++) right = right && out[i] == (sum += in[i]);
    printf("Hillis-Steele %s\n", right ? "right" : "wrong");
    blelloch<<<1, N / 2, N * sizeof(int)>>>(a, b);
    CHECK(cudaMemcpy(out.data(), b, N * sizeof(int), cudaMemcpyDeviceToHost));
    right = true;
    for (int i = 0, sum = 0; i < N; sum += in[i++]) right = right && out[i] == sum;
    printf("Blelloch %s\n", right ? "right" : "wrong");
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    return 0;
}
