/* ==== >>runtime: errors, dtypes, memory, scopes, threads ========================================================== */

#include <errno.h>
#include <fenv.h>
#include <float.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif
#include <time.h>
#include <unistd.h>
#if GI_STAMPING /* outside of our pragmas: gcc would read their options anew for each of some thousand functions */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(GPUARR_BASELINE_ONLY)
#define GI_HAS_X86 1
#include <immintrin.h>
#else
#define GI_HAS_X86 0
#endif
#if defined(__SSE2__)
#include <emmintrin.h>
#endif
#endif

/* Under -std=c11 with a system header included before this one, these are hidden though they are there. */
#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS 0x20
#define GI_HIDES_SYSTEM
#elif defined(__linux__) && !defined(__GLIBC__) && !defined(__cplusplus) /* musl hides the functions alone */
#define GI_HIDES_SYSTEM
#endif
#ifdef GI_HIDES_SYSTEM
extern int  madvise(void *, size_t, int);
extern long syscall(long, ...);
#endif
#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0x4000
#endif
#ifndef MADV_HUGEPAGE
#define MADV_HUGEPAGE 14
#endif
#ifndef LC_NUMERIC_MASK
#define LC_NUMERIC_MASK (1 << LC_NUMERIC)
typedef struct __locale_struct *locale_t;
extern locale_t                 newlocale(int, const char *, locale_t);
extern locale_t                 uselocale(locale_t);
extern void                     freelocale(locale_t);
#endif
#ifndef CLOCK_MONOTONIC
#define CLOCK_MONOTONIC 1
extern int clock_gettime(int, struct timespec *);
#endif

#ifdef GPUARR_USE_CBLAS
#include <cblas.h>
#endif
#ifdef GPUARR_USE_LAPACKE
#if defined(__has_include)
#if !__has_include(<lapacke.h>)
#error "gpuarr: GPUARR_USE_LAPACKE needs lapacke.h: apt-get install liblapacke-dev libopenblas-dev, or compile without it"
#endif
#endif
#ifndef LAPACK_COMPLEX_STRUCTURE
#define LAPACK_COMPLEX_STRUCTURE /* not <complex.h>, whose I is a macro */
#endif
#include <lapacke.h>
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
#ifdef GPUARR_USE_CUSOLVER
#define GI_HAS_CUSOLVER 1
#include <cusolverDn.h>
#else
#define GI_HAS_CUSOLVER 0
#endif
#if defined(__USE_FAST_MATH__)
#error "gpuarr: compile this file, which has kernels, without -use_fast_math: it breaks NaN and the promise of equal bits"
#endif
#else
#define GI_HAS_CUDA     0
#define GI_HAS_CUFFT    0
#define GI_HAS_CUSOLVER 0
#endif

#if defined(GPUARR_IMPLEMENTATION) && GPUARR_PART == GPUARR_GPU && !GI_HAS_CUDA
#error "gpuarr: GPUARR_PART=GPUARR_GPU is for a CUDA compiler: nvcc -x cu"
#endif

#define GI_HIDDEN __attribute__((visibility("hidden")))
/* Is the CUDA backend in another object than the rest, or does it call a rest that is in another one? */
#if defined(GPUARR_WITH_CUDA) && !GI_HAS_CUDA && defined(GPUARR_STATIC)
#error "gpuarr: GPUARR_STATIC is for a program of one file: compile it with nvcc, without GPUARR_WITH_CUDA"
#endif
#if GPUARR_PART != GPUARR_ALL || (defined(GPUARR_WITH_CUDA) && !GI_HAS_CUDA)
#define GI_APART 1
#ifdef __cplusplus
#define GI_SHARED extern "C" GI_HIDDEN
#else
#define GI_SHARED GI_HIDDEN
#endif
#else
#define GI_APART  0
#define GI_SHARED static __attribute__((unused))
#endif
#ifdef __GNUC__
#define GI_PRINTS(text, first) __attribute__((format(printf, text, first)))
#else
#define GI_PRINTS(text, first)
#endif

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__) || defined(__ASSOCIATIVE_MATH__) ||      \
    defined(__RECIPROCAL_MATH__) || defined(__NO_SIGNED_ZEROS__)
#error                                                                                                                         \
    "gpuarr: compile this file, which has kernels, without -ffast-math and its parts: they break NaN and the promise of equal bits"
#endif

#if defined(__FLT_EVAL_METHOD__) &&                                                                                            \
    (__FLT_EVAL_METHOD__ == 2 || (__FLT_EVAL_METHOD__ == -1 && !defined(__AVX512FP16__))) /* with it, -1 is of _Float16 */
#error                                                                                                                         \
    "gpuarr: compile this file, which has kernels, without -mfpmath=387: it rounds otherwise and breaks the promise of equal bits"
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

/* Does the program's compiler optimise? (Behind our pragmas __OPTIMIZE__ tells of them: it is asked once.) */
#ifndef GI_OPTIMIZED
#ifdef __OPTIMIZE__
#define GI_OPTIMIZED 1
#else
#define GI_OPTIMIZED 0
#endif

/* A function of its own where nothing is optimised: there each value of what is inlined takes stack. */
#if GI_OPTIMIZED
#define GI_OWN_FRAME
#else
#define GI_OWN_FRAME __attribute__((noinline))
#endif

/* Around what waits for files, or for other calls of ours: -O1 takes gcc less time. */
#if defined(__GNUC__) && !defined(__clang__) && GI_OPTIMIZED
#define GI_BEGIN_COLD _Pragma("GCC push_options") _Pragma("GCC optimize(\"O1\")")
#define GI_END_COLD   _Pragma("GCC pop_options")
#else
#define GI_BEGIN_COLD
#define GI_END_COLD
#endif

/* Around what is neither a loop over elements nor every call's way to one: a program of one file is compiled again and again.
   (The files of GI_BEGIN_COLD keep -O1: small formulas would take 1.2 times as long.) */
#if defined(GPUARR_STATIC) && defined(__GNUC__) && !defined(__clang__) && GI_OPTIMIZED
#define GI_BEGIN_STATIC_COLD _Pragma("GCC push_options") _Pragma("GCC optimize(\"Og\")")
#define GI_END_STATIC_COLD   _Pragma("GCC pop_options")
#else
#define GI_BEGIN_STATIC_COLD
#define GI_END_STATIC_COLD
#endif

/* Around everything of ours. With -O gcc leaves out passes that take time and give our code no speed. Without -O, under
   GPUARR_STATIC, gcc would compile every function of the file, called or not; of functions with these options it compiles those that are called.
   (g++ compiles all of them all the same.) */
#if defined(__GNUC__) && !defined(__clang__) && GI_OPTIMIZED
#define GI_BEGIN_OURS                                                                                                          \
    _Pragma("GCC push_options")                                                                                                \
        _Pragma("GCC optimize(\"no-gcse\", \"no-thread-jumps\", \"no-tree-vrp\", \"no-schedule-insns2\", \"no-tree-pta\")")
#define GI_END_OURS _Pragma("GCC pop_options")
#elif defined(GPUARR_STATIC) && defined(__GNUC__) && !defined(__clang__) && !defined(__cplusplus)
#define GI_BEGIN_OURS _Pragma("GCC push_options") _Pragma("GCC optimize(\"O1\", \"toplevel-reorder\")")
#define GI_END_OURS   _Pragma("GCC pop_options")
#else
#define GI_BEGIN_OURS
#define GI_END_OURS
#endif

/* What differs between vendors and has no feature bit: prefetching, and stores that compress. */
static inline bool gi_cpu_is_intel(void)
{
#if GI_STAMPING && GI_HAS_X86
    return __builtin_cpu_is("intel") != 0;
#else
    return false;
#endif
}

/* A table of functions, as a function: const gi_row *gi_row_add(void). Without -O gcc keeps every table of a file, and every function that a table
   names. */
#define GI_TABLE(type, name, ...)                                                                                              \
    static const type *name(void)                                                                                              \
    {                                                                                                                          \
        static const type table = __VA_ARGS__;                                                                                 \
        return &table;                                                                                                         \
    }
#endif

/* So that what is known where it is called is known inside, and loops are vectorised. */
#define GI_INLINE inline __attribute__((always_inline))
#if defined(__clang__)
#define GI_UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define GI_UNROLL _Pragma("GCC unroll 16") /* loops over a tile: so that it becomes registers */
#else
#define GI_UNROLL
#endif
