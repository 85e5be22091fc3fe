// bugs_memory.cu: planted bugs with the heap of the device, with memory that is freed by the wrong function, with what a kernel's
// parameters own, and with cuBLAS and cuSOLVER. As bugs.cu.
#include "bugs.h"
#include <cstdlib>
#include <cublas_v2.h>
#include <cusolverDn.h>

// ---- the device heap -------------------------------------------------------------------------------------------------------

__device__ int *kept; // from kernel to kernel

__global__ void allocate(int n)
{
    kept = (int *)malloc(n * sizeof(int));
    for (int i = 0; i < n; i++) kept[i] = i;
}

__global__ void release() { free(kept); }

__global__ void use(int *x, int i) { x[0] = kept[i]; }

BUG(heap_past_end, "behind the end of 32 bytes of device heap memory", "")
{
    int *d = ones<int>();
    allocate<<<1, 1>>>(8);
    use<<<1, 1>>>(d, 8);
    release<<<1, 1>>>();
    finish(d);
}

BUG(heap_use_after_free, "byte 4 of 32 bytes of freed device heap memory", "")
{
    int *d = ones<int>();
    allocate<<<1, 1>>>(8);
    release<<<1, 1>>>();
    use<<<1, 1>>>(d, 1);
    finish(d);
}

BUG(heap_double_free, "free.* in device code: double free", "")
{
    allocate<<<1, 1>>>(8);
    release<<<1, 1>>>();
    release<<<1, 1>>>();
    cudaDeviceSynchronize();
}

__global__ void lose_object() { *new int = threadIdx.x; }

BUG(heap_leak, "leak: 32 allocation.s. of the device heap, 128 bytes in all", "")
{
    lose_object<<<1, 32>>>();
    cudaDeviceSynchronize();
}

__global__ void read_fresh(int *x)
{
    int *p = new int[4];
    x[0]   = p[2];
    delete[] p;
}

BUG(heap_uninitialised, "memory that nothing wrote", "")
{
    int *d = ones<int>();
    read_fresh<<<1, 1>>>(d);
    finish(d);
}

// CUDA returns a null pointer when the heap is full, and the program does not look
BUG(heap_full, "device code writes through a null pointer", "")
{
    cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20);
    allocate<<<1, 1>>>(1 << 20);
    cudaDeviceSynchronize();
}

__global__ void free_too_early(int *x)
{
    __shared__ int *p;
    if (threadIdx.x == 0) p = new int[32];
    __syncthreads();
    p[threadIdx.x] = x[threadIdx.x];
    if (threadIdx.x == 0) delete[] p; // the others still write
}

BUG(heap_freed_too_early, "data race in global memory|freed device heap memory", "")
{
    int *d = ones<int>();
    free_too_early<<<1, 32>>>(d);
    finish(d);
}

BUG(heap_limit_too_late, "the size of the device heap cannot change any more", "")
{
    allocate<<<1, 1>>>(8);
    release<<<1, 1>>>();
    cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20);
    cudaDeviceSynchronize();
}

__global__ void tell(int **where) { *where = kept; }

static int *address_in_heap()
{
    int **d, *p;
    cudaMalloc(&d, sizeof *d);
    allocate<<<1, 1>>>(8);
    tell<<<1, 1>>>(d);
    cudaMemcpy(&p, d, sizeof p, cudaMemcpyDeviceToHost);
    cudaFree(d);
    return p;
}

BUG(cuda_free_of_heap, "cudaFree.*: this is memory of the device heap", "")
{
    cudaFree(address_in_heap());
    release<<<1, 1>>>();
    cudaDeviceSynchronize();
}

BUG(copy_from_heap, "cudaMemcpy: the source .* is memory of the device heap", "")
{
    int host[8];
    cudaMemcpy(host, address_in_heap(), sizeof host, cudaMemcpyDeviceToHost);
    release<<<1, 1>>>();
    cudaDeviceSynchronize();
}

// ---- freed by the wrong function -------------------------------------------------------------------------------------------

__global__ void free_argument(int *x)
{
    x[0] = 2;
    free(x);
}

BUG(kernel_frees_cuda_malloc, "in device code: this is no memory of the device heap", "")
{
    int *d = ones<int>();
    free_argument<<<1, 1>>>(d);
    finish(d);
}

BUG(host_free_of_device, "free.*: this is device memory", "")
{
    int *d = ones<int>();
    free(d);
    finish(d);
}

BUG(host_delete_of_device, "delete.*: this is device memory", "")
{
    int *d = ones<int>();
    delete[] d;
    finish(d);
}

BUG(host_free_of_pinned, "free it with cudaFreeHost", "")
{
    int *pinned;
    cudaMallocHost(&pinned, 64);
    free(pinned);
    cudaFreeHost(pinned);
}

// The C library's own code reads the memory: the line is that of the call. realloc() is not cudasim's.
BUG(host_realloc_of_device, "at host_realloc_of_device.* at .*bugs_memory.cu:", "")
{
    int *d = ones<int>();
    d      = (int *)realloc(d, 2 * N * sizeof *d);
    finish(d);
}

// ---- what a parameter owns -------------------------------------------------------------------------------------------------

struct owner {
    float *data;
    owner() { cudaMalloc(&data, N * sizeof(float)); }
    owner(const owner &other) : data(other.data) {} // should count, or allocate
    ~owner() { cudaFree(data); }
};

__global__ void fill_owned(owner o) { o.data[threadIdx.x] = 1.0f; }

BUG(parameter_frees_twice, "double free", "") // the copy for the launch, then the original
{
    owner o;
    fill_owned<<<1, N>>>(o);
    cudaDeviceSynchronize();
}

// ---- cuBLAS ----------------------------------------------------------------------------------------------------------------

BUG(cublas_past_end, "in kernel cublasSaxpy.* launched at .*bugs_memory.cu:", "")
{
    cublasHandle_t handle;
    const float    one = 1;
    float         *x = ones<float>(), *y = ones<float>();
    cublasCreate(&handle);
    cublasSaxpy(handle, N + 1, &one, x, 1, y, 1);
    finish(x, y);
    cublasDestroy(handle);
}

BUG(cublas_host_pointer, "an argument of cublasDscal is a host pointer", "")
{
    cublasHandle_t handle;
    const double   two  = 2;
    double         x[4] = { 1, 2, 3, 4 };
    cublasCreate(&handle);
    cublasDscal(handle, 4, &two, x, 1);
    cudaDeviceSynchronize();
    cublasDestroy(handle);
}

BUG(cublas_result_on_device, "at cublas_result_on_device.* at .*bugs_memory.cu:", "") // without CUBLAS_POINTER_MODE_DEVICE
{
    cublasHandle_t handle;
    float         *x = ones<float>(), *result = ones<float>(1);
    cublasCreate(&handle);
    cublasSdot(handle, N, x, 1, x, 1, result);
    finish(x, result);
    cublasDestroy(handle);
}

// ---- cuSOLVER --------------------------------------------------------------------------------------------------------------

// The Cholesky decomposition of a unit matrix of n rows whose columns are `lead` numbers apart.
static void decompose(double *a, int n, int lead)
{
    cusolverDnHandle_t handle;
    size_t             bytes, host_bytes;
    void              *work;
    int               *info = ones<int>(1);
    cusolverDnCreate(&handle);
    cusolverDnXpotrf_bufferSize(handle, nullptr, CUBLAS_FILL_MODE_LOWER, n, CUDA_R_64F, a, lead, CUDA_R_64F, &bytes,
                                &host_bytes);
    cudaMalloc(&work, bytes);
    std::vector<char> host(host_bytes + 1);
    cusolverDnXpotrf(handle, nullptr, CUBLAS_FILL_MODE_LOWER, n, CUDA_R_64F, a, lead, CUDA_R_64F, work, bytes, host.data(),
                     host_bytes, info);
    finish(info);
    cudaFree(work);
    cusolverDnDestroy(handle);
}

BUG(cusolver_past_end, "in kernel cusolverDnXpotrf.* launched at .*bugs_memory.cu:", "")
{
    double *a = ones<double>(16);
    decompose(a, 2, 16); // its last element is a[17]
    finish(a);
}

BUG(cusolver_host_pointer, "an argument of cusolverDnXpotrf is a host pointer", "")
{
    double a[1] = { 1 };
    decompose(a, 1, 1);
}
