/* ==== >>runtime: errors, dtypes, memory, scopes, threads ========================================================== */

#include <errno.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif
#include <time.h>
#include <unistd.h>

/* Under -std=c11 with a system header included before this one, these are hidden though they are there. */
#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS 0x20
extern int  madvise(void *, size_t, int);
extern long syscall(long, ...);
#endif
#ifndef MADV_HUGEPAGE
#define MADV_HUGEPAGE 14
#endif
#ifndef CLOCK_MONOTONIC
#define CLOCK_MONOTONIC 1
extern int clock_gettime(int, struct timespec *);
#endif

#ifdef GPUARR_USE_CBLAS
#include <cblas.h>
#endif
#if defined(__CUDACC__) || defined(__CUDASIM__)
#define GI_HAS_CUDA 1
#include <cuda_runtime.h>
#if defined(GPUARR_USE_CUBLAS) && !defined(__CUDASIM__)
#include <cublas_v2.h>
#endif
#if defined(__CUDASIM__) || defined(GPUARR_NO_CUB)
#define GI_HAS_CUB 0 /* then our own radix sort */
#else
#define GI_HAS_CUB 1
#include <cub/device/device_radix_sort.cuh>
#endif
#if defined(GPUARR_USE_CUFFT) && !defined(__CUDASIM__)
#define GI_HAS_CUFFT 1
#include <cufft.h>
#else
#define GI_HAS_CUFFT 0
#endif
#if defined(__USE_FAST_MATH__)
#error "gpuarr: compile the file with GPUARR_IMPLEMENTATION without -use_fast_math: it breaks NaN and the promise of equal bits"
#endif
#else
#define GI_HAS_CUDA  0
#define GI_HAS_CUFFT 0
#endif

#ifdef __FAST_MATH__
#error "gpuarr: compile the file with GPUARR_IMPLEMENTATION without -ffast-math: it breaks NaN and the promise of equal bits"
#endif

#if defined(__SANITIZE_ADDRESS__)
#define GI_NO_POOL 1 /* so that AddressSanitizer sees every release */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GI_NO_POOL 1
#endif
#endif
#ifndef GI_NO_POOL
#define GI_NO_POOL 0
#endif

/* Does the program's compiler optimise? (Behind our pragmas __OPTIMIZE__ tells of them.) */
#ifdef __OPTIMIZE__
#define GI_OPTIMIZED 1
#else
#define GI_OPTIMIZED 0
#endif
