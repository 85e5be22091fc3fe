// bugs.cu: one planted bug per function. The checker must find each of them, in the words that stand beside its name (a
// regular expression). `bugs` lists "name|options|words"; `bugs name` runs one. Compiles with nvcc as well, so that the same
// bugs can be shown to compute-sanitizer on a GPU.
#include "bugs.h"
#include <cassert>
#include <cooperative_groups.h>
#include <cstdlib>

__global__ void fill(float *x, float value, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = value;
}

__global__ void copy(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}

// ---- global memory ---------------------------------------------------------------------------------------------------------

__global__ void fill_inclusive(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) x[i] = 1.0f; // should be <
}

BUG(global_past_end, "behind the end of 1024 bytes", "")
{
    float *d = ones<float>();
    fill_inclusive<<<2, N>>>(d, N);
    finish(d);
}

__global__ void left_neighbour(float *out, const float *in)
{
    int i  = threadIdx.x;
    out[i] = in[i - 1];
}

BUG(global_negative_index, "before", "")
{
    float *a = ones<float>(), *b = ones<float>();
    left_neighbour<<<1, N>>>(b, a);
    finish(a, b);
}

__global__ void missing_row_length(float *image, int width) { image[(blockIdx.x * 1000 + threadIdx.x) * width] = 1.0f; }

BUG(global_far_outside, "behind the end", "")
{
    float *d = ones<float>();
    missing_row_length<<<8, 32>>>(d, 1000);
    finish(d);
}

BUG(null_pointer, "null|address 0|0x0|\\(nil\\)", "")
{
    fill<<<1, 32>>>(nullptr, 1.0f, 32);
    cudaDeviceSynchronize();
}

BUG(use_after_free, "freed memory", "")
{
    float *d = ones<float>();
    cudaFree(d);
    fill<<<1, N>>>(d, 1.0f, N);
    cudaDeviceSynchronize();
}

BUG(use_after_free_async, "freed memory", "")
{
    cudaStream_t s = new_stream();
    float       *d;
    cudaMallocAsync(&d, N * sizeof(float), s);
    fill<<<1, N, 0, s>>>(d, 1.0f, N);
    cudaFreeAsync(d, s);
    fill<<<1, N, 0, s>>>(d, 2.0f, N);
    cudaStreamSynchronize(s);
    cudaStreamDestroy(s);
}

BUG(double_free, "double free", "")
{
    float *d = ones<float>();
    cudaFree(d);
    cudaFree(d);
}

BUG(free_of_inner_pointer, "not to its start", "")
{
    float *d = ones<float>();
    cudaFree(d + 1);
    cudaFree(d);
}

BUG(leak, "never freed", "") { ones<float>(); }

BUG(uninitialised_global, "memory that nothing wrote", "")
{
    float *a, *b = ones<float>();
    cudaMalloc(&a, N * sizeof(float));
    copy<<<1, N>>>(b, a, N);
    finish(a, b);
}

BUG(uninitialised_copy_to_host, "nothing wrote, from byte 1020", "")
{
    float *d, host[N];
    cudaMalloc(&d, sizeof host);
    fill<<<1, N>>>(d, 1.0f, N - 1);
    cudaMemcpy(host, d, sizeof host, cudaMemcpyDeviceToHost);
    finish(d);
}

__global__ void load_vector(float *x)
{
    float4 v = *reinterpret_cast<const float4 *>(x + 1);
    *x       = v.x + v.y + v.z + v.w;
}

BUG(misaligned_vector, "misaligned", "g++")
{
    float *d = ones<float>();
    load_vector<<<1, 1>>>(d);
    finish(d);
}

__global__ void local_array(int *x, int n)
{
    int counts[8] = { 0 };
    for (int i = 0; i < n; i++) counts[x[i] + i]++;
    x[0] = counts[3];
}

BUG(local_array_past_end, "index 8 out of bounds", "g++")
{
    int *d = ones<int>(8);
    local_array<<<1, 1>>>(d, 8);
    finish(d);
}

// ---- host and device mixed up ----------------------------------------------------------------------------------------------

BUG(host_reads_device, "host code reads device memory", "")
{
    float         *d     = ones<float>();
    volatile float first = d[0];
    (void)first;
    finish(d);
}

BUG(host_writes_device, "host code", "")
{
    float *d = ones<float>();
    memset((void *)d, 0, N * sizeof(float));
    finish(d);
}

BUG(kernel_reads_host, "host pointer", "")
{
    std::vector<float> host(N, 1.0f);
    float             *d = ones<float>();
    copy<<<1, N>>>(d, host.data(), N);
    finish(d);
}

struct view {
    float *data;
    int    n;
};

__global__ void fill_view(view v)
{
    if (threadIdx.x < (unsigned)v.n) v.data[threadIdx.x] = 1.0f;
}

BUG(host_pointer_in_struct, "host memory", "")
{
    std::vector<float> host(N, 1.0f);
    fill_view<<<1, N>>>(view{ host.data(), N });
    cudaDeviceSynchronize();
}

BUG(other_devices_pointer, "memory of device 0", "devices=2")
{
    cudaSetDevice(0);
    float *d = ones<float>();
    cudaSetDevice(1);
    fill<<<1, N>>>(d, 1.0f, N);
    cudaDeviceSynchronize();
    cudaSetDevice(0);
    cudaFree(d);
}

BUG(copy_too_long, "1028 bytes at the destination, but the allocation ends after 1024", "")
{
    float *d = ones<float>(), host[N + 1] = { 0 };
    cudaMemcpy(d, host, sizeof host, cudaMemcpyHostToDevice);
    finish(d);
}

BUG(copy_wrong_kind, "the destination is host memory", "")
{
    float *d = ones<float>(), host[N] = { 0 };
    cudaMemcpy(host, d, sizeof host, cudaMemcpyHostToDevice);
    finish(d);
}

BUG(copy_counts_elements, "byte 256 of 1024 bytes", "") // N instead of N * sizeof(float)
{
    float *a, *b, host[N] = { 0 };
    cudaMalloc(&a, sizeof host);
    cudaMemcpy(a, host, N, cudaMemcpyHostToDevice);
    b = ones<float>();
    copy<<<1, N>>>(b, a, N);
    finish(a, b);
}

BUG(copy_2d_pitch, "cudaMemcpy2D", "")
{
    float *d, image[16 * 20] = { 0 };
    size_t pitch;
    cudaMallocPitch(&d, &pitch, 20 * sizeof(float), 16);
    cudaMemcpy2D(d, 20, image, 20 * sizeof(float), 20 * sizeof(float), 16, cudaMemcpyHostToDevice); // 20 is not the pitch
    finish(d);
}

BUG(copy_2d_too_high, "cudaMemcpy2D: .* but the allocation ends", "")
{
    float *d, image[20 * 20] = { 0 };
    size_t pitch;
    cudaMallocPitch(&d, &pitch, 20 * sizeof(float), 16);
    cudaMemcpy2D(d, pitch, image, 20 * sizeof(float), 20 * sizeof(float), 20, cudaMemcpyHostToDevice);
    finish(d);
}

BUG(memset_too_long, "cudaMemset: 2048 bytes", "")
{
    float *d = ones<float>();
    cudaMemset(d, 0, N * sizeof(double));
    finish(d);
}

__constant__ float weights[9];

BUG(symbol_too_long, "the symbol has 36 bytes", "")
{
    float host[10] = { 0 };
    cudaMemcpyToSymbol(weights, host, sizeof host);
}

__device__ int counter_on_device, others[4];
__constant__ struct {
    float weight;
} settings;

__global__ void count_up() { atomicAdd(&counter_on_device, 1); }

BUG(host_reads_device_variable, "host code reads the device variable counter_on_device", "")
{
    count_up<<<1, 32>>>();
    cudaDeviceSynchronize();
    volatile int seen = counter_on_device;
    (void)seen;
}

BUG(host_writes_constant, "host code writes the device variable settings", "") { settings.weight = 2.0f; }

BUG(host_reads_device_array, "host code reads the device variable others", "")
{
    volatile int seen = others[getenv("HOME") != nullptr];
    (void)seen;
}

__global__ void wrong_row_length(float *x) { x[threadIdx.x * 40] = 1.0f; } // rows have 32 values

BUG(global_into_neighbour, "behind the end of 4096 bytes", "")
{
    float *a = ones<float>(1024), *b = ones<float>(1024);
    wrong_row_length<<<1, 32>>>(a); // 0x300 bytes behind a there was b
    finish(a, b);
}

// ---- shared memory ---------------------------------------------------------------------------------------------------------

__global__ void two_arrays(float *out)
{
    __shared__ float a[32];
    __shared__ float b[32];
    int              t = threadIdx.x;
    a[t]               = (float)t;
    b[t]               = (float)-t;
    __syncthreads();
    float *next = a + t;
    out[t]      = next[1] + b[t]; // thread 31 leaves the array
}

BUG(shared_past_end, "outside a __shared__ variable", "")
{
    float *d = ones<float>();
    two_arrays<<<1, 32>>>(d);
    finish(d);
}

__global__ void shared_left(int *x)
{
    __shared__ int s[N];
    int           *left = s + threadIdx.x;
    s[threadIdx.x]      = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] += left[-1];
}

BUG(shared_negative_index, "outside a __shared__ variable", "")
{
    int *d = ones<int>();
    shared_left<<<1, N>>>(d);
    finish(d);
}

struct account {
    int owner, money;
};

__global__ void bank(int *x)
{
    __shared__ account accounts[16];
    account           *mine = accounts;
    if (threadIdx.x < 16) accounts[threadIdx.x] = account{ (int)threadIdx.x, 10 };
    __syncthreads();
    mine += threadIdx.x; // 17 threads
    x[threadIdx.x] = mine->money;
}

BUG(shared_structs_past_end, "outside a __shared__ variable", "")
{
    int *d = ones<int>();
    bank<<<1, 17>>>(d);
    finish(d);
}

__global__ void wide_row(float *x)
{
    __shared__ float tile[16][16];
    int              t = threadIdx.x;
    for (int k = 0; k <= 16; k++) tile[t][k] = x[k];
    __syncthreads();
    x[t] = tile[t][t];
}

BUG(shared_row_past_end, "index 16 out of bounds", "")
{
    float *d = ones<float>();
    wide_row<<<1, 1>>>(d);
    finish(d);
}

__global__ void use_dynamic(float *x)
{
    extern __shared__ float s[];
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

BUG(dynamic_shared_overrun, "the launch asked for 64 bytes", "")
{
    float *d = ones<float>();
    use_dynamic<<<1, 64, 64>>>(d); // elements instead of bytes
    finish(d);
}

BUG(dynamic_shared_forgotten, "the launch asked for 0 bytes", "")
{
    float *d = ones<float>();
    use_dynamic<<<1, 64>>>(d);
    finish(d);
}

__global__ void half_initialised(float *out)
{
    __shared__ float s[64];
    int              t = threadIdx.x;
    if (t < 32) s[t] = (float)t;
    __syncthreads();
    out[t] = s[t];
}

BUG(uninitialised_shared, "shared memory that no thread", "")
{
    float *d = ones<float>();
    half_initialised<<<1, 64>>>(d);
    finish(d);
}

__global__ void partial_tile(const float *in, float *out, int n)
{
    __shared__ float tile[64];
    int              i = blockIdx.x * 64 + threadIdx.x;
    if (i < n) tile[threadIdx.x] = in[i]; // the rest of the last tile is never set
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < 64; k++) sum += tile[k];
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

BUG(uninitialised_partial_tile, "shared memory that no thread", "")
{
    float *a = ones<float>(), *b = ones<float>();
    partial_tile<<<2, 64>>>(a, b, 100);
    finish(a, b);
}

// ---- races -----------------------------------------------------------------------------------------------------------------

__global__ void sum_without_barriers(const float *x, float *out)
{
    __shared__ float s[N];
    int              t = threadIdx.x;
    s[t]               = x[t];
    for (int half = N / 2; half > 0; half /= 2)
        if (t < half) s[t] += s[t + half];
    if (t == 0) *out = s[0];
}

BUG(no_barriers, "data race in shared memory", "")
{
    float *a = ones<float>(), *b = ones<float>();
    sum_without_barriers<<<1, N>>>(a, b);
    finish(a, b);
}

__global__ void sum_without_last_barriers(const float *x, float *out)
{
    __shared__ float s[N];
    int              t = threadIdx.x;
    s[t]               = x[t];
    __syncthreads();
    for (int half = N / 2; half > 0; half /= 2) {
        if (t < half) s[t] += s[t + half];
        if (half > 32) __syncthreads(); // "a warp is synchronous anyway": not since 2017
    }
    if (t == 0) *out = s[0];
}

BUG(no_barrier_in_last_warp, "data race in shared memory", "")
{
    float *a = ones<float>(), *b = ones<float>();
    sum_without_last_barriers<<<1, N>>>(a, b);
    finish(a, b);
}

__global__ void matmul(const float *a, const float *b, float *c, int n)
{
    __shared__ float ta[8][8], tb[8][8];
    int              x = threadIdx.x, y = threadIdx.y;
    float            sum = 0.0f;
    for (int k = 0; k < n; k += 8) {
        ta[y][x] = a[y * n + k + x];
        tb[y][x] = b[(k + y) * 8 + x];
        __syncthreads();
        for (int j = 0; j < 8; j++) sum += ta[y][j] * tb[j][x];
    } // the barrier that ends the use of the tiles is missing
    c[y * 8 + x] = sum;
}

BUG(no_barrier_after_tile, "data race in shared memory", "")
{
    float *a = ones<float>(), *b = ones<float>();
    matmul<<<1, dim3(8, 8)>>>(a, a, b, 16);
    finish(a, b);
}

__global__ void warp_neighbour(int *x)
{
    __shared__ int s[32];
    s[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = s[(threadIdx.x + 1) % 32]; // __syncwarp() is missing
}

BUG(race_inside_warp, "data race in shared memory|one warp", "")
{
    int *d = ones<int>();
    warp_neighbour<<<1, 32>>>(d);
    finish(d);
}

__global__ void count_blocks(int *counter) { *counter = *counter + 1; }

BUG(race_between_blocks, "data race in global memory", "")
{
    int *d = ones<int>();
    count_blocks<<<64, 1>>>(d);
    finish(d);
}

__global__ void histogram(const int *data, int *bins) { bins[data[threadIdx.x] % 8]++; }

BUG(race_histogram, "data race in global memory", "")
{
    int *a = ones<int>(), *b = ones<int>();
    histogram<<<1, N>>>(a, b);
    finish(a, b);
}

__global__ void shift_in_place(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 1 < n) x[i] = x[i + 1];
}

BUG(race_in_place, "data race in global memory", "")
{
    float *d = ones<float>();
    shift_in_place<<<2, N / 2>>>(d, N);
    finish(d);
}

__global__ void atomic_then_plain(int *out)
{
    __shared__ int total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    atomicAdd(&total, 1);
    if (threadIdx.x == 0) *out = total; // before the others have added
}

BUG(race_atomic_and_read, "data race in shared memory", "")
{
    int *d = ones<int>();
    atomic_then_plain<<<1, 64>>>(d);
    finish(d);
}

__global__ void plain_and_atomic(int *x)
{
    if (threadIdx.x == 0) *x = 0;
    atomicAdd(x, 1);
}

BUG(race_atomic_and_write, "data race in global memory", "")
{
    int *d = ones<int>();
    plain_and_atomic<<<1, 64>>>(d);
    finish(d);
}

__device__ unsigned finished;

__global__ void last_block_without_fence(int *parts, int *total)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = (int)blockDim.x;
        last              = atomicAdd(&finished, 1u) == gridDim.x - 1; // __threadfence() before it is missing
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int sum = 0;
        for (unsigned b = 0; b < gridDim.x; b++) sum += parts[b];
        *total = sum;
    }
}

BUG(race_without_fence, "data race in global memory", "")
{
    int *a = ones<int>(), *b = ones<int>();
    last_block_without_fence<<<8, 32>>>(a, b);
    finish(a, b);
}

// ---- barriers and warps ----------------------------------------------------------------------------------------------------

__global__ void two_barriers(float *x)
{
    if (threadIdx.x < 16) {
        x[threadIdx.x] = 2.0f;
        __syncthreads();
    } else {
        x[threadIdx.x] = 3.0f;
        __syncthreads();
    }
}

BUG(divergent_barrier, "divergent barrier", "")
{
    float *d = ones<float>();
    two_barriers<<<1, 64>>>(d);
    finish(d);
}

__global__ void early_return(float *x, int n)
{
    int t = threadIdx.x;
    if (t >= n) return;
    x[t] = 1.0f;
    __syncthreads();
    x[t] = 2.0f;
}

BUG(return_before_barrier, "reached by 40 of 64 threads", "")
{
    float *d = ones<float>();
    early_return<<<1, 64>>>(d, 40);
    finish(d);
}

__global__ void barrier_for_some(float *x)
{
    __shared__ float tile[64];
    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 40) {
        tile[threadIdx.x] += 1.0f;
        __syncthreads();
    }
    x[threadIdx.x] = tile[threadIdx.x];
}

BUG(barrier_in_if, "reached by 40 of 64 threads: the others ended without reaching it", "")
{
    float *d = ones<float>();
    barrier_for_some<<<1, 64>>>(d);
    finish(d);
}

BUG(barrier_in_if_where_others_were, "block 0 thread 40, was last in __syncthreads at .*bugs.cu:", "")
{
    float *d = ones<float>();
    barrier_for_some<<<1, 64>>>(d);
    finish(d);
}

__global__ void grid_barrier_for_some(float *x)
{
    if (blockIdx.x == 0) cooperative_groups::this_grid().sync();
    x[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f;
}

BUG(grid_barrier_in_if, "block 1 thread 0, reached no barrier", "")
{
    float *d           = ones<float>();
    void  *arguments[] = { &d };
    cudaLaunchCooperativeKernel((void *)grid_barrier_for_some, dim3(2), dim3(32), arguments, 0, nullptr);
    finish(d);
}

__global__ void loop_barrier(float *x)
{
    for (unsigned k = 0; k < threadIdx.x % 4; k++) {
        x[threadIdx.x] += 1.0f;
        __syncthreads(); // threads go round a different number of times
    }
}

BUG(barrier_in_divergent_loop, "reached by 48 of 64 threads", "")
{
    float *d = ones<float>();
    loop_barrier<<<1, 64>>>(d);
    finish(d);
}

__global__ void warp_and_block(float *x)
{
    if (threadIdx.x < 32 && threadIdx.x % 2 == 1) __syncwarp();
    else __syncthreads();
    x[threadIdx.x] = 1.0f;
}

BUG(deadlock, "deadlock", "")
{
    float *d = ones<float>();
    warp_and_block<<<1, 64>>>(d);
    finish(d);
}

__global__ void foreign_mask(int *x)
{
    int v = threadIdx.x;
    if (threadIdx.x >= 8) v = __shfl_down_sync(0xffu, v, 1);
    x[threadIdx.x] = v;
}

BUG(lane_not_in_mask, "lane 8 is not in its own mask", "")
{
    int *d = ones<int>();
    foreign_mask<<<1, 32>>>(d);
    finish(d);
}

__global__ void from_outside(int *x)
{
    int v = threadIdx.x;
    if (threadIdx.x < 16) v = __shfl_sync(0xffffu, v, 20); // lane 20 does not take part
    x[threadIdx.x] = v;
}

BUG(shuffle_from_inactive_lane, "lane 20", "")
{
    int *d = ones<int>();
    from_outside<<<1, 32>>>(d);
    finish(d);
}

__global__ void full_mask_in_branch(int *x)
{
    int v = threadIdx.x;
    if (threadIdx.x < 16) v += __shfl_down_sync(0xffffffffu, v, 8); // says that all 32 lanes come
    __syncthreads();
    x[threadIdx.x] = v;
}

__global__ void sum_48(float *x)
{
    float v = x[threadIdx.x];
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
    if (threadIdx.x % 32 == 0) x[threadIdx.x] = v;
}

BUG(shuffle_in_short_warp, "shuffle from lane 16, which the mask 0xffffffff names", "")
{
    float *d = ones<float>();
    sum_48<<<1, 48>>>(d);
    finish(d);
}

BUG(full_mask_for_half_a_warp, "deadlock", "")
{
    int *d = ones<int>();
    full_mask_in_branch<<<1, 32>>>(d);
    finish(d);
}

__global__ void whole_grid(int *x)
{
    x[blockIdx.x] = 1;
    cooperative_groups::this_grid().sync();
}

BUG(grid_sync_in_plain_launch, "cudaLaunchCooperativeKernel", "")
{
    int *d = ones<int>();
    whole_grid<<<4, 1>>>(d);
    finish(d);
}

__global__ void forgotten_step(volatile int *x, int n)
{
    int i = threadIdx.x;
    while (i < n) x[i] = i; // i += blockDim.x is missing
}

BUG(endless_loop, "2 thread.s., the first of them block 0 thread 0, run in a loop at .*bugs.cu", "hangs")
{
    int *d = ones<int>();
    forgotten_step<<<1, 2>>>(d, 64);
    finish(d);
}

__global__ void collatz(unsigned *x)
{
    unsigned n = x[0] - 1; // 0 never becomes 1
    while (n != 1) n = n % 2 ? 3 * n + 1 : n / 2;
    x[1] = n;
}

BUG(endless_loop_without_memory, "endless loop", "hangs g++")
{
    unsigned *d = ones<unsigned>();
    collatz<<<1, 1>>>(d);
    finish(d);
}

__global__ void never_set(volatile int *flag)
{
    while (*flag == 1) {}
    flag[1] = 2;
}

BUG(endless_spin, "endless loop", "hangs")
{
    int *d = ones<int>();
    never_set<<<2, 1>>>(d);
    finish(d);
}

__global__ void locked_twice(int *lock)
{
    for (int i = 0; i < 2; i++)
        while (atomicExch(lock, 0) == 0) {}
}

BUG(endless_spin_on_atomic, "run in a loop at .*locked_twice.* at .*bugs.cu", "hangs")
{
    int *d = ones<int>();
    locked_twice<<<1, 1>>>(d);
    finish(d);
}

__global__ void never_converges(float *x)
{
    do __syncthreads();
    while (x[0] > 0.5f);
}

/* The time may be up while one of the threads runs on to its next barrier. */
BUG(endless_loop_with_barrier, "3[12] thread.s., the first of them block 0 thread [01], wait in __syncthreads", "hangs")
{
    float *d = ones<float>();
    never_converges<<<1, 32>>>(d);
    finish(d);
}

// ---- launches --------------------------------------------------------------------------------------------------------------

BUG(too_many_threads, "refused: cudaErrorInvalidConfiguration", "")
{
    float *d = ones<float>();
    fill<<<1, 2048>>>(d, 1.0f, N);
    finish(d);
}

BUG(too_much_shared, "refused", "")
{
    float *d = ones<float>();
    fill<<<1, 32, 100000>>>(d, 1.0f, N);
    finish(d);
}

BUG(empty_grid, "refused: cudaErrorInvalidConfiguration", "")
{
    float *d = ones<float>();
    fill<<<N / 1024, 1024>>>(d, 1.0f, N); // rounds down to nothing
    finish(d);
}

BUG(grid_too_high, "refused: cudaErrorInvalidConfiguration", "")
{
    float *d = ones<float>();
    fill<<<dim3(1, 70000), 32>>>(d, 1.0f, N);
    finish(d);
}

#ifdef __CUDASIM__ // nvcc finds this one when it compiles
struct huge {
    char bytes[40000];
};

__global__ void take(huge h, char *x) { *x = h.bytes[0]; }

BUG(arguments_too_large, "argument|parameter", "")
{
    static huge h;
    char       *d = ones<char>();
    take<<<1, 1>>>(h, d);
    finish(d);
}
#endif

#ifdef __CUDASIM__ // nvcc refuses to compile these
template <class T> __host__ __device__ void fill_from_anywhere(T *x) { fill<<<1, 32>>>(x, 1.0f, 32); }

__global__ void launch_in_kernel(float *x) { fill_from_anywhere(x); }

BUG(nested_launch, "device code launches fill", "")
{
    float *d = ones<float>();
    launch_in_kernel<<<1, 1>>>(d);
    finish(d);
}

__global__ void wait_in_kernel(float *x)
{
    x[0] = 2.0f;
    cudaDeviceSynchronize();
}

BUG(api_in_kernel, "device code calls cudaDeviceSynchronize", "")
{
    float *d = ones<float>();
    wait_in_kernel<<<1, 1>>>(d);
    finish(d);
}
#endif

// ---- streams ---------------------------------------------------------------------------------------------------------------

BUG(pinned_read_too_early, "pinned memory that pending work may still write", "")
{
    cudaStream_t s = new_stream();
    float       *d = ones<float>(), *pinned;
    cudaMallocHost(&pinned, N * sizeof(float));
    memset(pinned, 0, N * sizeof(float));
    fill<<<1, N, 0, s>>>(d, 7.0f, N);
    cudaMemcpyAsync(pinned, d, N * sizeof(float), cudaMemcpyDeviceToHost, s);
    if (pinned[0] != 7.0f) printf("too early\n");
    cudaStreamSynchronize(s);
    cudaFreeHost(pinned);
    cudaStreamDestroy(s);
    finish(d);
}

BUG(pinned_written_too_early, "pinned memory that pending work may still read", "")
{
    cudaStream_t s = new_stream();
    float       *d = ones<float>(), *pinned;
    cudaMallocHost(&pinned, N * sizeof(float));
    for (int i = 0; i < N; i++) pinned[i] = 1.0f;
    cudaMemcpyAsync(d, pinned, N * sizeof(float), cudaMemcpyHostToDevice, s);
    pinned[0] = 2.0f; // the next piece, while the first still travels
    cudaStreamSynchronize(s);
    cudaFreeHost(pinned);
    cudaStreamDestroy(s);
    finish(d);
}

BUG(pinned_freed_too_early, "cudaFreeHost", "")
{
    cudaStream_t s = new_stream();
    float       *d = ones<float>(), *pinned;
    cudaMallocHost(&pinned, N * sizeof(float));
    cudaMemcpyAsync(pinned, d, N * sizeof(float), cudaMemcpyDeviceToHost, s);
    cudaFreeHost(pinned);
    cudaStreamSynchronize(s);
    cudaStreamDestroy(s);
    finish(d);
}

BUG(managed_while_kernel_runs, "managed memory that pending work may still write", "")
{
    float *m;
    cudaMallocManaged(&m, N * sizeof(float));
    fill<<<1, N>>>(m, 7.0f, N);
    if (m[0] != 7.0f) printf("too early\n");
    finish(m);
}

static void CUDART_CB do_nothing(void *) {}

// a function in the stream tells the host nothing if the host does not wait for it
BUG(pinned_behind_host_function, "conflicts with a read by host code", "lazy")
{
    cudaStream_t s = new_stream();
    float       *d = ones<float>(), *pinned;
    cudaMallocHost(&pinned, N * sizeof(float));
    memset(pinned, 0, N * sizeof(float));
    cudaMemcpyAsync(pinned, d, N * sizeof(float), cudaMemcpyDeviceToHost, s);
    cudaLaunchHostFunc(s, do_nothing, nullptr);
    if (pinned[0] != 1.0f) printf("too early\n");
    cudaStreamSynchronize(s);
    cudaFreeHost(pinned);
    cudaStreamDestroy(s);
    finish(d);
}

static void CUDART_CB wait_for_device(void *) { cudaDeviceSynchronize(); }

BUG(api_in_host_function, "a function of cudaLaunchHostFunc calls cudaDeviceSynchronize", "")
{
    cudaLaunchHostFunc(nullptr, wait_for_device, nullptr);
    cudaDeviceSynchronize();
}

BUG(two_streams_without_event, "in stream|nothing orders", "")
{
    cudaStream_t s = new_stream(), t = new_stream();
    float       *a = ones<float>(), *b = ones<float>();
    fill<<<1, N, 0, s>>>(a, 7.0f, N);
    copy<<<1, N, 0, t>>>(b, a, N);
    finish(a, b);
    cudaStreamDestroy(s);
    cudaStreamDestroy(t);
}

BUG(two_streams_write_same, "in stream|nothing orders", "")
{
    cudaStream_t s = new_stream(), t = new_stream();
    float       *a = ones<float>();
    fill<<<1, N, 0, s>>>(a, 7.0f, N);
    cudaMemsetAsync(a, 0, N * sizeof(float), t);
    finish(a);
    cudaStreamDestroy(s);
    cudaStreamDestroy(t);
}

BUG(event_recorded_too_early, "in stream|nothing orders", "")
{
    cudaStream_t s = new_stream(), t = new_stream();
    cudaEvent_t  e;
    cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    float *a = ones<float>(), *b = ones<float>();
    cudaEventRecord(e, s); // belongs after the kernel
    fill<<<1, N, 0, s>>>(a, 7.0f, N);
    cudaStreamWaitEvent(t, e, 0);
    copy<<<1, N, 0, t>>>(b, a, N);
    finish(a, b);
    cudaEventDestroy(e);
    cudaStreamDestroy(s);
    cudaStreamDestroy(t);
}

BUG(stream_without_default, "in the default stream|nothing orders",
    "") // a non-blocking stream does not wait for the default stream
{
    cudaStream_t s = new_stream();
    float       *a = ones<float>(), *b = ones<float>();
    fill<<<1, N>>>(a, 7.0f, N);
    copy<<<1, N, 0, s>>>(b, a, N);
    finish(a, b);
    cudaStreamDestroy(s);
}

BUG(destroyed_stream, "cudaErrorInvalidResourceHandle", "")
{
    cudaStream_t s = new_stream();
    float       *d = ones<float>();
    cudaStreamDestroy(s);
    fill<<<1, N, 0, s>>>(d, 7.0f, N);
    finish(d);
}

// ---- arithmetic and assertions ---------------------------------------------------------------------------------------------

__global__ void add_million(int *x)
{
    int sum = x[0] * 2000000000;
    x[0]    = sum + 2000000000 * x[1];
}

BUG(signed_overflow, "signed integer overflow", "")
{
    int *d = ones<int>();
    add_million<<<1, 1>>>(d);
    finish(d);
}

__global__ void shift(unsigned *x) { x[0] = 1u << (31 + x[1]); }

BUG(shift_too_far, "shift exponent 32", "")
{
    unsigned *d = ones<unsigned>();
    shift<<<1, 1>>>(d);
    finish(d);
}

__global__ void overflow_and_overrun(int *x)
{
    x[0] = x[0] + 2147483647;
    x[1] = 7 % (x[1] - 1);
    x[N] = 1;
}

BUG(arithmetic_and_more, "behind the end of 1024 bytes", "")
{
    int *d = ones<int>();
    overflow_and_overrun<<<1, 1>>>(d);
    finish(d);
}

__global__ void divide(int *x) { x[0] = 1 / (x[1] - 1); }

BUG(division_by_zero, "division by zero", "")
{
    int *d = ones<int>();
    divide<<<1, 1>>>(d);
    finish(d);
}

__global__ void assert_small(int *x) { assert(x[threadIdx.x] < 1); }

BUG(failed_assertion, "x\\[threadIdx.x\\] < 1", "")
{
    int *d = ones<int>();
    assert_small<<<1, 1>>>(d);
    finish(d);
}
