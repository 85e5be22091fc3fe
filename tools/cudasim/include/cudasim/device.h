/* cudasim: what device code sees: qualifiers, coordinates, shared memory, block barriers, warp primitives. */
#ifndef CUDASIM_DEVICE_H
#define CUDASIM_DEVICE_H

/* ------------------------------------------------------------------ qualifiers */
/* Kernels and device functions are ordinary functions, device variables ordinary variables. */
#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__    /* libstdc++ writes __attribute__((__noinline__)): anything but nothing breaks its headers */
#define __inline_hint__
#define __launch_bounds__(...)
#define __maxnreg__(n)
#define __grid_constant__
#define __cluster_dims__(...)
#define __align__(n) __attribute__((aligned(n)))
#ifndef __restrict__
#define __restrict__ __restrict
#endif
#define __builtin_align__(n) __align__(n)
#define __device_builtin__
#define __cudart_builtin__
#define __CUDA_HOSTDEVICE__

/* Variables at file scope, and sources that did not pass through cu2cpp: one copy for all blocks, which run in turn. */
#define __shared__ static __attribute__((section("cudasim_shared")))

/* CUDASIM_SHARED(id, float a[4][5], b;) declares static shared storage and the reference cudasim_r<id> to it.  It lives in the
 * block's own arena, so bounds, races and reads of unwritten bytes are checked. */
#define CUDASIM_SHARED(id, ...)                                                                                                \
    struct cudasim_s##id {                                                                                                     \
        __VA_ARGS__                                                                                                            \
    };                                                                                                                         \
    static char cudasim_k##id;                                                                                                 \
    auto       &cudasim_r##id =                                                                                                \
        *(cudasim_s##id *)cudasim_shared_at(&cudasim_k##id, sizeof(cudasim_s##id), alignof(cudasim_s##id), __FILE__, __LINE__)

/* `extern __shared__ T name[];` */
#define CUDASIM_DYN_SHARED(T, name) T *name = (T *)cudasim_context.dynamic_shared

/* cu2cpp puts CUDASIM_DEVICE_VARIABLE(name) behind the definition of a device variable: the host may not use it by its name. */
extern "C" void cudasim_device_variable(const volatile void *pointer, size_t size, const char *name, const char *file, int line);

namespace cudasim {
struct device_variable {
    device_variable(const volatile void *pointer, size_t size, const char *name, const char *file, int line)
    {
        cudasim_device_variable(pointer, size, name, file, line);
    }
};
} // namespace cudasim

#define CUDASIM_DEVICE_VARIABLE(name)                                                                                          \
    [[maybe_unused]] static const ::cudasim::device_variable cudasim_variable_##name(&name, sizeof name, #name, __FILE__, __LINE__);

/* cu2cpp puts a call of this in place of inline assembly in device code. */
#if defined(__has_attribute)
#if __has_attribute(error)
#define CUDASIM_REFUSED(sentence) __attribute__((error(sentence)))
#endif
#endif
#ifndef CUDASIM_REFUSED
#define CUDASIM_REFUSED(sentence)
#endif
extern "C" void cudasim_inline_assembly() __attribute__((noreturn))
CUDASIM_REFUSED("inline assembly (PTX) in device code cannot run on a CPU: write it in C++, or leave it out with #ifndef __CUDASIM__");

/* ------------------------------------------------------------------ coordinates */

/* The scheduler writes this before it resumes a thread.  One kernel runs at a time, so one copy is enough. */
struct cudasim_context_t {
    uint3  thread_index;
    uint3  block_index;
    dim3   block_dim;
    dim3   grid_dim;
    void  *dynamic_shared;
    size_t dynamic_shared_bytes;
};

enum { CUDASIM_SPACE_OTHER, CUDASIM_SPACE_GLOBAL, CUDASIM_SPACE_SHARED, CUDASIM_SPACE_LOCAL };

extern "C" {
extern struct cudasim_context_t cudasim_context;

void     *cudasim_shared_at(const void *key, size_t size, size_t align, const char *file, int line);
void      cudasim_block_barrier(const char *kind, const char *file, int line);
int       cudasim_block_reduce(int predicate, int operation, const char *file, int line);
void      cudasim_grid_barrier(const char *file, int line);
int       cudasim_grid_is_cooperative(void);
uint64_t  cudasim_warp(int operation, unsigned mask, uint64_t value, int argument, int width, const char *file, int line);
unsigned  cudasim_converge(const char *file, int line);
unsigned  cudasim_thread_linear(void);
void      cudasim_fence(int scope);
void      cudasim_yield(void);
long long cudasim_clock(void);
unsigned long long cudasim_globaltimer(void);
int                cudasim_address_space(const void *pointer);
void               cudasim_trap(const char *file, int line) __attribute__((noreturn));
}

#define threadIdx ((const uint3 &)cudasim_context.thread_index)
#define blockIdx  ((const uint3 &)cudasim_context.block_index)
#define blockDim  ((const dim3 &)cudasim_context.block_dim)
#define gridDim   ((const dim3 &)cudasim_context.grid_dim)
static constexpr int warpSize = 32;

/* Every barrier and warp primitive notes where it was called: reports name the place. */
#define CUDASIM_SITE_PARAMETERS const char *cudasim_file = __builtin_FILE(), int cudasim_line = __builtin_LINE()
#define CUDASIM_SITE            cudasim_file, cudasim_line

/* ------------------------------------------------------------------ block barriers */

enum { CUDASIM_REDUCE_COUNT, CUDASIM_REDUCE_AND, CUDASIM_REDUCE_OR };

static inline void __syncthreads(CUDASIM_SITE_PARAMETERS) { cudasim_block_barrier("__syncthreads", CUDASIM_SITE); }
static inline int  __syncthreads_count(int predicate, CUDASIM_SITE_PARAMETERS)
{
    return cudasim_block_reduce(predicate, CUDASIM_REDUCE_COUNT, CUDASIM_SITE);
}
static inline int __syncthreads_and(int predicate, CUDASIM_SITE_PARAMETERS)
{
    return cudasim_block_reduce(predicate, CUDASIM_REDUCE_AND, CUDASIM_SITE);
}
static inline int __syncthreads_or(int predicate, CUDASIM_SITE_PARAMETERS)
{
    return cudasim_block_reduce(predicate, CUDASIM_REDUCE_OR, CUDASIM_SITE);
}

/* ------------------------------------------------------------------ fences, time, traps */

enum { CUDASIM_SCOPE_BLOCK, CUDASIM_SCOPE_DEVICE, CUDASIM_SCOPE_SYSTEM };

static inline void               __threadfence() { cudasim_fence(CUDASIM_SCOPE_DEVICE); }
static inline void               __threadfence_block() { cudasim_fence(CUDASIM_SCOPE_BLOCK); }
static inline void               __threadfence_system() { cudasim_fence(CUDASIM_SCOPE_SYSTEM); }
static inline void               __nanosleep(unsigned) { cudasim_yield(); }
static inline long long          clock64() { return cudasim_clock(); }
static inline unsigned long long globaltimer() { return cudasim_globaltimer(); }
static inline unsigned long long __globaltimer() { return cudasim_globaltimer(); }
static inline void               __trap(CUDASIM_SITE_PARAMETERS) { cudasim_trap(CUDASIM_SITE); }
static inline void               __brkpt() {}
static inline void               __prof_trigger(int) {}

/* ------------------------------------------------------------------ warp primitives */

enum {
    CUDASIM_WARP_SYNC,
    CUDASIM_WARP_INDEX,
    CUDASIM_WARP_UP,
    CUDASIM_WARP_DOWN,
    CUDASIM_WARP_XOR,
    CUDASIM_WARP_BALLOT,
    CUDASIM_WARP_MATCH_ANY,
    CUDASIM_WARP_MATCH_ALL,
    CUDASIM_WARP_ADD,
    CUDASIM_WARP_MIN_SIGNED,
    CUDASIM_WARP_MAX_SIGNED,
    CUDASIM_WARP_MIN_UNSIGNED,
    CUDASIM_WARP_MAX_UNSIGNED,
    CUDASIM_WARP_AND,
    CUDASIM_WARP_OR,
    CUDASIM_WARP_XOR_BITS
};

namespace cudasim {

template <class T> static inline uint64_t to_bits(T value)
{
    static_assert(sizeof(T) <= 8, "a warp primitive moves at most 8 bytes");
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    return bits;
}

template <class T> static inline T from_bits(uint64_t bits)
{
    T value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

} // namespace cudasim

static inline void __syncwarp(unsigned mask = 0xffffffffu, CUDASIM_SITE_PARAMETERS)
{
    cudasim_warp(CUDASIM_WARP_SYNC, mask, 0, 0, 32, CUDASIM_SITE);
}

#define CUDASIM_SHUFFLE(NAME, OPERATION, TYPE)                                                                                 \
    template <class T> static inline T NAME(unsigned mask, T value, TYPE argument, int width = 32, CUDASIM_SITE_PARAMETERS)    \
    {                                                                                                                          \
        return cudasim::from_bits<T>(                                                                                          \
            cudasim_warp(OPERATION, mask, cudasim::to_bits(value), (int)argument, width, CUDASIM_SITE));                       \
    }
CUDASIM_SHUFFLE(__shfl_sync, CUDASIM_WARP_INDEX, int)
CUDASIM_SHUFFLE(__shfl_up_sync, CUDASIM_WARP_UP, unsigned)
CUDASIM_SHUFFLE(__shfl_down_sync, CUDASIM_WARP_DOWN, unsigned)
CUDASIM_SHUFFLE(__shfl_xor_sync, CUDASIM_WARP_XOR, int)

static inline unsigned __ballot_sync(unsigned mask, int predicate, CUDASIM_SITE_PARAMETERS)
{
    return (unsigned)cudasim_warp(CUDASIM_WARP_BALLOT, mask, predicate != 0, 0, 32, CUDASIM_SITE);
}
static inline int __any_sync(unsigned mask, int predicate, CUDASIM_SITE_PARAMETERS)
{
    return cudasim_warp(CUDASIM_WARP_BALLOT, mask, predicate != 0, 0, 32, CUDASIM_SITE) != 0;
}
static inline int __all_sync(unsigned mask, int predicate, CUDASIM_SITE_PARAMETERS)
{
    return cudasim_warp(CUDASIM_WARP_BALLOT, mask, predicate == 0, 0, 32, CUDASIM_SITE) == 0;
}
static inline unsigned __activemask(CUDASIM_SITE_PARAMETERS) { return cudasim_converge(CUDASIM_SITE); }

template <class T> static inline unsigned __match_any_sync(unsigned mask, T value, CUDASIM_SITE_PARAMETERS)
{
    return (unsigned)cudasim_warp(CUDASIM_WARP_MATCH_ANY, mask, cudasim::to_bits(value), 0, 32, CUDASIM_SITE);
}
template <class T> static inline unsigned __match_all_sync(unsigned mask, T value, int *predicate, CUDASIM_SITE_PARAMETERS)
{
    unsigned lanes = (unsigned)cudasim_warp(CUDASIM_WARP_MATCH_ALL, mask, cudasim::to_bits(value), 0, 32, CUDASIM_SITE);
    *predicate     = lanes != 0;
    return lanes;
}

#define CUDASIM_WARP_REDUCE(NAME, T, OPERATION)                                                                                \
    static inline T NAME(unsigned mask, T value, CUDASIM_SITE_PARAMETERS)                                                      \
    {                                                                                                                          \
        return (T)cudasim_warp(OPERATION, mask, cudasim::to_bits(value), 0, 32, CUDASIM_SITE);                                 \
    }
CUDASIM_WARP_REDUCE(__reduce_add_sync, unsigned, CUDASIM_WARP_ADD)
CUDASIM_WARP_REDUCE(__reduce_add_sync, int, CUDASIM_WARP_ADD)
CUDASIM_WARP_REDUCE(__reduce_min_sync, unsigned, CUDASIM_WARP_MIN_UNSIGNED)
CUDASIM_WARP_REDUCE(__reduce_min_sync, int, CUDASIM_WARP_MIN_SIGNED)
CUDASIM_WARP_REDUCE(__reduce_max_sync, unsigned, CUDASIM_WARP_MAX_UNSIGNED)
CUDASIM_WARP_REDUCE(__reduce_max_sync, int, CUDASIM_WARP_MAX_SIGNED)
CUDASIM_WARP_REDUCE(__reduce_and_sync, unsigned, CUDASIM_WARP_AND)
CUDASIM_WARP_REDUCE(__reduce_or_sync, unsigned, CUDASIM_WARP_OR)
CUDASIM_WARP_REDUCE(__reduce_xor_sync, unsigned, CUDASIM_WARP_XOR_BITS)

/* ------------------------------------------------------------------ loads and stores with cache hints: plain accesses */

#define CUDASIM_LOAD(NAME)                                                                                                     \
    template <class T> static inline T NAME(const T *pointer) { return *pointer; }
CUDASIM_LOAD(__ldg)
CUDASIM_LOAD(__ldcg)
CUDASIM_LOAD(__ldca)
CUDASIM_LOAD(__ldcs)
CUDASIM_LOAD(__ldlu)
CUDASIM_LOAD(__ldcv)
#define CUDASIM_STORE(NAME)                                                                                                    \
    template <class T> static inline void NAME(T *pointer, T value) { *pointer = value; }
CUDASIM_STORE(__stwb)
CUDASIM_STORE(__stcg)
CUDASIM_STORE(__stcs)
CUDASIM_STORE(__stwt)

static inline unsigned __isGlobal(const void *pointer) { return cudasim_address_space(pointer) == CUDASIM_SPACE_GLOBAL; }
static inline unsigned __isShared(const void *pointer) { return cudasim_address_space(pointer) == CUDASIM_SPACE_SHARED; }
static inline unsigned __isLocal(const void *pointer) { return cudasim_address_space(pointer) == CUDASIM_SPACE_LOCAL; }

#endif
