/* cudasim: CUDA C++ on a plain CPU.
 *
 * Put this folder first on the include path, pass the source through cu2cpp (or write launches with CUDASIM_LAUNCH), compile
 * with g++ or clang++ in C++17, and link with cudasim.cpp.  Included from C, this is the host API only. */
#ifndef CUDASIM_RUNTIME_H
#define CUDASIM_RUNTIME_H
#define __CUDA_RUNTIME_H__

#include "cuda_runtime_api.h"
#include "vector_functions.h"

/* malloc() and free() of device code use the heap of the device, and free() on the host tells device memory: src/heap.cpp.
 * A compiler accepts the other names only before the first use, so not where other headers came before this one. */
#if defined(__cplusplus) && !defined(CUDASIM_INTERNAL_H) && !defined(_STDLIB_H) && !defined(_GLIBCXX_CSTDLIB)
extern "C" {
void *malloc(size_t) noexcept __asm__("cudasim_malloc");
void  free(void *) noexcept __asm__("cudasim_free");
}
#endif

#include <assert.h>
#include <time.h>

#ifdef __cplusplus
#if defined(__SANITIZE_THREAD__) && !defined(__clang__)
/* g++ does not instrument these calls (clang does): let the checker see them */
#include <cstring>
extern "C" {
void *memcpy(void *, const void *, size_t) noexcept __asm__("cudasim_memcpy");
void *memmove(void *, const void *, size_t) noexcept __asm__("cudasim_memmove");
void *memset(void *, int, size_t) noexcept __asm__("cudasim_memset");
}
#endif
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cudasim/atomics.h"
#include "cudasim/device.h"
#include "cudasim/launch.h"
#include "cudasim/math.h"

/* ------------------------------------------------------------------ typed forms of the API, as nvcc offers them */
#define CUDASIM_INLINE static inline __attribute__((always_inline, unused))

template <class T> CUDASIM_INLINE cudaError_t cudaMalloc(T **pointer, size_t size)
{
    return cudaMalloc((void **)pointer, size);
}
template <class T> CUDASIM_INLINE cudaError_t cudaMallocHost(T **pointer, size_t size)
{
    return cudaMallocHost((void **)pointer, size);
}
template <class T> CUDASIM_INLINE cudaError_t cudaMallocHost(T **pointer, size_t size, unsigned int flags)
{
    return cudaHostAlloc((void **)pointer, size, flags);
}
template <class T> CUDASIM_INLINE cudaError_t cudaHostAlloc(T **pointer, size_t size, unsigned int flags)
{
    return cudaHostAlloc((void **)pointer, size, flags);
}
template <class T> CUDASIM_INLINE cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned int flags)
{
    return cudaHostGetDevicePointer((void **)device, host, flags);
}
template <class T>
CUDASIM_INLINE cudaError_t cudaMallocManaged(T **pointer, size_t size, unsigned int flags = cudaMemAttachGlobal)
{
    return cudaMallocManaged((void **)pointer, size, flags);
}
template <class T> CUDASIM_INLINE cudaError_t cudaMallocPitch(T **pointer, size_t *pitch, size_t width, size_t height)
{
    return cudaMallocPitch((void **)pointer, pitch, width, height);
}
template <class T> CUDASIM_INLINE cudaError_t cudaMallocAsync(T **pointer, size_t size, cudaStream_t stream)
{
    return cudaMallocAsync((void **)pointer, size, stream);
}
template <class T>
CUDASIM_INLINE cudaError_t cudaMallocFromPoolAsync(T **pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream)
{
    return cudaMallocFromPoolAsync((void **)pointer, size, pool, stream);
}
CUDASIM_INLINE cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags)
{
    return cudaEventCreateWithFlags(event, flags);
}

/* CUDA 12 forms */
CUDASIM_INLINE cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t count, int device, cudaStream_t stream = nullptr)
{
    cudaMemLocation location = { device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice, device };
    return cudaMemPrefetchAsync(pointer, count, location, 0u, stream);
}
CUDASIM_INLINE cudaError_t cudaMemAdvise(const void *pointer, size_t count, cudaMemoryAdvise advice, int device)
{
    cudaMemLocation location = { device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice, device };
    return cudaMemAdvise(pointer, count, advice, location);
}

/* ------------------------------------------------------------------ symbols: the variable itself, with its size */
extern "C" cudaError_t cudasim_copy_symbol(void *symbol, size_t symbol_size, void *other, size_t count, size_t offset,
                                           enum cudaMemcpyKind kind, cudaStream_t stream, int to_symbol, int asynchronous);

template <class T>
CUDASIM_INLINE cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *source, size_t count, size_t offset = 0,
                                              cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return cudasim_copy_symbol((void *)&symbol, sizeof symbol, (void *)source, count, offset, kind, nullptr, 1, 0);
}
template <class T>
CUDASIM_INLINE cudaError_t cudaMemcpyFromSymbol(void *destination, const T &symbol, size_t count, size_t offset = 0,
                                                cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return cudasim_copy_symbol((void *)&symbol, sizeof symbol, destination, count, offset, kind, nullptr, 0, 0);
}
template <class T>
CUDASIM_INLINE cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *source, size_t count, size_t offset,
                                                   cudaMemcpyKind kind, cudaStream_t stream = nullptr)
{
    return cudasim_copy_symbol((void *)&symbol, sizeof symbol, (void *)source, count, offset, kind, stream, 1, 1);
}
template <class T>
CUDASIM_INLINE cudaError_t cudaMemcpyFromSymbolAsync(void *destination, const T &symbol, size_t count, size_t offset,
                                                     cudaMemcpyKind kind, cudaStream_t stream = nullptr)
{
    return cudasim_copy_symbol((void *)&symbol, sizeof symbol, destination, count, offset, kind, stream, 0, 1);
}
template <class T> CUDASIM_INLINE cudaError_t cudaGetSymbolAddress(void **pointer, const T &symbol)
{
    *pointer = (void *)&symbol;
    return cudaSuccess;
}
template <class T, class U> CUDASIM_INLINE cudaError_t cudaGetSymbolAddress(U **pointer, const T &symbol)
{
    *pointer = (U *)&symbol;
    return cudaSuccess;
}
template <class T> CUDASIM_INLINE cudaError_t cudaGetSymbolSize(size_t *size, const T &symbol)
{
    *size = sizeof symbol;
    return cudaSuccess;
}

/* ------------------------------------------------------------------ kernels by address */
template <class... P>
CUDASIM_INLINE cudaError_t cudaLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block, void **arguments,
                                            size_t shared_bytes = 0, cudaStream_t stream = nullptr, CUDASIM_SITE_PARAMETERS)
{
    cudasim::launcher l(CUDASIM_SITE, "", cudasim::configuration(grid, block, shared_bytes, stream));
    return cudasim::launch_with_pointers(l.launch, kernel, arguments, std::index_sequence_for<P...>{});
}
template <class... P>
CUDASIM_INLINE cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(P...), dim3 grid, dim3 block, void **arguments,
                                                       size_t shared_bytes = 0, cudaStream_t stream = nullptr,
                                                       CUDASIM_SITE_PARAMETERS)
{
    cudasim::launcher l(CUDASIM_SITE, "", cudasim::configuration(grid, block, shared_bytes, stream));
    l.launch.cooperative = 1;
    return cudasim::launch_with_pointers(l.launch, kernel, arguments, std::index_sequence_for<P...>{});
}
template <class... P>
CUDASIM_INLINE cudaError_t cudaFuncSetAttribute(void (*kernel)(P...), cudaFuncAttribute attribute, int value)
{
    return cudaFuncSetAttribute((const void *)kernel, attribute, value);
}
template <class... P> CUDASIM_INLINE cudaError_t cudaFuncSetCacheConfig(void (*kernel)(P...), cudaFuncCache config)
{
    return cudaFuncSetCacheConfig((const void *)kernel, config);
}
template <class... P> CUDASIM_INLINE cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, void (*kernel)(P...))
{
    return cudaFuncGetAttributes(attributes, (const void *)kernel);
}
template <class... P> CUDASIM_INLINE cudaError_t cudaFuncGetName(const char **name, void (*kernel)(P...))
{
    return cudaFuncGetName(name, (const void *)kernel);
}
template <class... P>
CUDASIM_INLINE cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void (*kernel)(P...), int block_size,
                                                                         size_t dynamic_shared)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)kernel, block_size, dynamic_shared);
}
template <class... P>
CUDASIM_INLINE cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, void (*kernel)(P...),
                                                                                  int block_size, size_t dynamic_shared,
                                                                                  unsigned int flags)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)kernel, block_size, dynamic_shared,
                                                                  flags);
}
template <class T>
CUDASIM_INLINE cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid_size, int *block_size, T kernel,
                                                              size_t dynamic_shared = 0, int limit = 0)
{
    int size = limit > 0 && limit < 1024 ? limit : 1024, blocks = 0, processors = 0, device = 0;
    if (cudaError_t error = cudaGetDevice(&device)) return error;
    if (cudaError_t error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device)) return error;
    if (cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)kernel, size, dynamic_shared))
        return error;
    *grid_size  = blocks * processors;
    *block_size = size;
    return cudaSuccess;
}
template <class F, class T>
CUDASIM_INLINE cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid_size, int *block_size, T kernel,
                                                                          F shared_of_block, int limit = 0)
{
    int size = limit > 0 && limit < 1024 ? limit : 1024;
    return cudaOccupancyMaxPotentialBlockSize(grid_size, block_size, kernel, (size_t)shared_of_block(size), limit);
}

#endif /* __cplusplus */
#endif
