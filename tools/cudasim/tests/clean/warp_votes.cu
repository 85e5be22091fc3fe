// Votes and matches inside a warp, a warp that shares memory with __syncwarp, and a ballot that numbers the chosen lanes.
// expect: 16 odd lanes, first is 1, any 1, all 0
// expect: lane 9 ranks 3 among the multiples of 3
// expect: lanes with equal keys 0x11111111
// expect: broadcast 7, rotated 1, butterfly sum 496
// expect: neighbours through shared memory: right
// expect: halves: 120 376
// expect: block votes 64 0 1
#include "check.h"

__global__ void votes(unsigned *out)
{
    int      lane = threadIdx.x;
    unsigned all = 0xffffffff, odd = __ballot_sync(all, lane & 1);
    int      any = __any_sync(all, lane == 5), every = __all_sync(all, lane < 31);
    unsigned thirds = __ballot_sync(all, lane % 3 == 0), rank = __popc(thirds & ((1u << lane) - 1));
    unsigned same  = __match_any_sync(all, lane % 4);
    int      seven = __shfl_sync(all, lane, 7), next = __shfl_sync(all, lane, (lane + 1) % 32), sum = lane;
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(all, sum, d);
    int half = lane;
    for (int d = 8; d > 0; d /= 2) half += __shfl_down_sync(all, half, d, 16);
    if (lane == 0) {
        out[0] = odd, out[1] = any, out[2] = every, out[4] = same, out[5] = seven, out[6] = next, out[7] = sum, out[8] = half;
    }
    if (lane == 9) out[3] = rank;
    if (lane == 16) out[9] = half;
}

__global__ void neighbours(int *out)
{
    __shared__ int row[2][32];
    int            lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    row[warp][lane] = 10 * lane + warp;
    __syncwarp();
    int left = row[warp][(lane + 31) % 32];
    __syncwarp();
    row[warp][lane] = left;
    __syncwarp();
    out[threadIdx.x] = row[warp][(lane + 1) % 32]; // there and back: one's own value
}

__global__ void block_votes(int *out)
{
    int t = threadIdx.x;
    int n = __syncthreads_count(t < 64); // redundant: as a barrier, as no memory is shared; it counts
    int a = __syncthreads_and(t < 64);   // redundant: likewise
    int o = __syncthreads_or(t == 64);   // redundant: likewise
    if (t == 0) out[0] = n, out[1] = a, out[2] = o;
}

int main()
{
    unsigned *d, v[10];
    CHECK(cudaMalloc(&d, sizeof v));
    votes<<<1, 32>>>(d);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(v, d, sizeof v, cudaMemcpyDeviceToHost));
    int odd = 0, first = -1;
    for (int i = 31; i >= 0; i--)
        if (v[0] >> i & 1) odd++, first = i;
    printf("%d odd lanes, first is %d, any %u, all %u\n", odd, first, v[1], v[2]);
    printf("lane 9 ranks %u among the multiples of 3\n", v[3]);
    printf("lanes with equal keys %#x\n", v[4]);
    printf("broadcast %u, rotated %u, butterfly sum %u\n", v[5], v[6], v[7]);
    int *n, h[64];
    CHECK(cudaMalloc(&n, sizeof h));
    neighbours<<<1, 64>>>(n);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(h, n, sizeof h, cudaMemcpyDeviceToHost));
    bool right = true;
    for (int i = 0; i < 64; i++) right = right && h[i] == 10 * (i % 32) + i / 32;
    printf("neighbours through shared memory: %s\n", right ? "right" : "wrong");
    printf("halves: %u %u\n", v[8], v[9]);
    block_votes<<<1, 96>>>(n);
    CHECK(cudaMemcpy(h, n, 3 * sizeof(int), cudaMemcpyDeviceToHost));
    printf("block votes %d %d %d\n", h[0], h[1], h[2]);
    CHECK(cudaFree(d));
    CHECK(cudaFree(n));
    return 0;
}
