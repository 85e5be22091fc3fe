/*  gpuarr_cuda.h -- the CUDA backend. Included by gpuarr.h when a .cu file is compiled (nvcc, or g++ with tools/cudasim), never by you.

    The kernels call the very formulas that the loops of gpuarr_cpu.h call, in the same order: a result has the same bits on both.
    gpuarr.h includes this file by parts: GI_CUDA_PART 1 is the runtime, 4 the kernels of the user's formulas, 2 those of the rows (which includes it once more
    for each element type, GA_TAG), and 3, at the end, for the algorithms. A kernel is launched on the current stream and nothing waits
    for it, except where the host needs a number (how many elements are selected, ga_item ...).

        part 1: >>cuda runtime (devices, errors, streams, memory, copies)
        part 4: >>own kernels  >>cuda tree
        part 2: >>cuda map  >>cuda rows
        part 3: >>cuda elementwise  >>cuda folds  >>cuda moments  >>cuda search  >>cuda scans  >>cuda selecting  >>cuda counting
                 >>cuda sorting  >>cuda order  >>cuda generators  >>cuda images  >>cuda products  >>cuda distances
                 >>cuda convolution  >>cuda filters  >>cuda streams and devices                                                    */

#if defined(GA_TAG)
/* ==== >>cuda rows: the kernels of one element type ================================================================== */
#define GI_OP(name) GI_NAME(gi_op_##name)

/* Conversions to this type from any other. */
static __global__ void GI_NAME(gi_cuda_cast)(const __grid_constant__ gi_cuda_map m)
{
    switch (m.from) {
#define GI_CAST(TAG, from, F, name)                                                                                            \
    case GA_##TAG: gi_cuda_map1_body<F, GA_T, GI_JOIN(GA_FN(cast), _##from)>(m); break;
        GI_EACH_STAMPED(GI_CAST)
#undef GI_CAST
    default: break;
    }
}

/* clang-format off */
#define GI_CASE(name, ...)                case GA_OP_##name: return __VA_ARGS__;
#define GA_UNARY(name, dtypes, result, ...)                                                                             \
    GI_IF_##dtypes(GI_CASE(name, gi_cuda_map1<GA_T, GI_RESULT_##result, GI_OP(name)>))
#define GA_BINARY(name, dtypes, result, ...)                                                                            \
    GI_IF_##dtypes(GI_CASE(name, gi_cuda_map2<GA_T, GA_T, GI_RESULT_##result, GI_OP(name)>))
#define GA_TERNARY(name, dtypes, result, ...)                                                                           \
    GI_IF_##dtypes(GI_CASE(name, gi_cuda_map3<GA_T, GA_T, GA_T, GI_RESULT_##result, GI_OP(name)>))
#if GI_CLASS == 3
#define GA_ELEMENTARY(name, ...)          GI_CASE(name, gi_cuda_map1<GA_T, GA_T, GI_OP(name)>)
#endif
#define GA_ELEMENTARY2(name, dtypes, ...) GI_IF_##dtypes(GI_CASE(name, gi_cuda_map2<GA_T, GA_T, GA_T, GI_OP(name)>))
/* clang-format on */
static gi_cuda_kernel GI_NAME(gi_cuda_row)(ga_op op)
{
    switch (op) {
#define GA_TABLE
#include "gpuarr.h"
    default: return NULL;
    }
}
/* clang-format off */
/* Reductions: the formulas of a row, and the kernels that fold with them. */
#define GI_RED(name, what) GI_NAME(gi_cuda_##what##_##name)
#define GI_FOLD_NAMES(name) GI_RED(name, of), GI_RED(name, join), GI_RED(name, end)
#define GA_FOLD(name, dtypes, acc, result, start, of_x, join_ab, end_an, ...)                                      \
    GI_IF_##dtypes(GI_DEVICE GI_NAME(gi_acc_##acc) GI_RED(name, of)(GA_T x) { return (of_x); }                          \
    GI_DEVICE GI_NAME(gi_acc_##acc) GI_RED(name, join)(GI_NAME(gi_acc_##acc) a, GI_NAME(gi_acc_##acc) b)                \
    { return (join_ab); }                                                                                              \
    GI_DEVICE GI_NAME(gi_acc_##acc) GI_RED(name, end)(GI_NAME(gi_acc_##acc) a, int64_t n) { return (void)n, (end_an); })
#define GA_TABLE
#include "gpuarr.h"

/* Products of what is narrower than its accumulator are rare, but for float32: converted before. */
#define GI_STAMPED(name, A)                                                                                             \
    ((GA_OP_##name != GA_OP_prod && GA_OP_##name != GA_OP_nanprod) || sizeof(A) == sizeof(GA_T) ||                      \
     (GA_OP_##name == GA_OP_prod && GI_CLASS == 3))
#if GI_CLASS == 0 /* as uint8 */
#define GI_KERNELS_ALL(name, A) return false
#else
#define GI_KERNELS_ALL(name, A)                                                                                         \
    f->kernel = gi_cuda_fold_if<GI_STAMPED(name, A), gi_cuda_row_fold<GA_T, A, GI_FOLD_NAMES(name)>>()
#endif
#define GI_KERNELS_FLTC  GI_KERNELS_ALL
#define GI_KERNELS_FLT   GI_KERNELS_ALL
#define GI_KERNELS_ARITH GI_KERNELS_ALL
#define GI_KERNELS_REAL  GI_KERNELS_ALL
#define GI_KERNELS_ORDER GI_KERNELS_ALL
#define GI_KERNELS_INT   GI_KERNELS_ALL
#define GI_KERNELS_BITS  GI_KERNELS_ALL
#define GI_KERNELS_CPX   GI_KERNELS_ALL
#define GI_KERNELS_TRUTH(name, A)                                                                                       \
    f->truth = gi_cuda_truth_kernel<A, GI_FOLD_NAMES(name)>;                                                            \
    f->again = gi_cuda_fold<gi_cuda_row_fold<A, A, gi_same<A>, GI_RED(name, join), GI_RED(name, end)>>
#define GA_FOLD(name, dtypes, acc, ...)                                                                            \
    GI_IF_##dtypes(case GA_OP_##name: f->accs = gi_cuda_dtype_of<GI_NAME(gi_acc_##acc)>();                                     \
    GI_KERNELS_##dtypes(name, GI_NAME(gi_acc_##acc)); return true;)
static bool GI_NAME(gi_cuda_find_fold)(ga_op op, gi_cuda_row_folds *f)
{
    switch (op) {
#define GA_TABLE
#include "gpuarr.h"
    default: return (void)f, false;
    }
}
/* clang-format on */
#undef GI_RED
#undef GI_FOLD_NAMES
#undef GI_STAMPED
#undef GI_KERNELS_ALL
#undef GI_KERNELS_FLTC
#undef GI_KERNELS_FLT
#undef GI_KERNELS_ARITH
#undef GI_KERNELS_REAL
#undef GI_KERNELS_ORDER
#undef GI_KERNELS_INT
#undef GI_KERNELS_BITS
#undef GI_KERNELS_CPX
#undef GI_KERNELS_TRUTH
#undef GI_CASE
#undef GI_OP

#elif GI_CUDA_PART == 1
/* ==== >>cuda runtime: devices, errors, streams, memory, copies ======================================================= */

#ifdef __CUDASIM__
#define GI_LAUNCH(kernel, grid, block, stream, ...) CUDASIM_LAUNCH_POINTER(kernel, (grid, block, 0, stream), __VA_ARGS__)
#else
#define GI_LAUNCH(kernel, grid, block, stream, ...) (kernel)<<<grid, block, 0, stream>>>(__VA_ARGS__)
#endif

/* ---- errors ------------------------------------------------------------------------------------------------------ */

/* After these the GPU runs nothing more for this program; every later call reports the same error. */
static bool gi_cuda_is_final(cudaError_t error)
{
    switch (error) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorECCUncorrectable: return true;
    default: return false;
    }
}

/* Says why a call of the CUDA runtime, or "the kernel of ...", failed. */
static void gi_cuda_explain(const char *site, cudaError_t error, const char *what)
{
    int         length = (int)strcspn(what, "("), driver = 0;
    const char *name = cudaGetErrorName(error), *text = cudaGetErrorString(error);
    switch (error) {
    case cudaErrorCudartUnloading: break; /* the program is ending: CUDA gives everything back by itself */
    case cudaErrorMemoryAllocation:
        gi_fail(site, GA_NO_MEMORY, "no memory on the GPU (%.*s): free arrays, use smaller ones, or ga_cuda_memory_trim()",
                length, what);
        break;
    case cudaErrorNoDevice: gi_fail(site, GA_BAD_DEVICE, "there is no CUDA device: use GA_CPU"); break;
    case cudaErrorInsufficientDriver:
        (void)cudaDriverGetVersion(&driver);
        if (driver == 0) gi_fail(site, GA_BAD_DEVICE, "there is no CUDA driver: install NVIDIA's driver, or use GA_CPU");
        else
            gi_fail(site, GA_BAD_DEVICE,
                    "the driver knows CUDA up to %d.%d, the program was built with %d.%d: update the driver, or use GA_CPU",
                    driver / 1000, driver % 1000 / 10, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
        break;
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidDeviceFunction:
        gi_fail(site, GA_BAD_DEVICE,
                "the program holds no kernels for this GPU: build the implementation with nvcc -arch=native");
        break;
    default:
        if (gi_cuda_is_final(error))
            gi_fail(
                site, GA_CUDA_FAILED,
                "a kernel that ran before crashed the GPU: %s (%s), told by %.*s. Nothing more runs there; compute-sanitizer "
                "finds the kernel",
                name, text, length, what);
        else gi_fail(site, GA_CUDA_FAILED, "%.*s failed: %s (%s)", length, what, name, text);
    }
}

/* Turns what a call of the CUDA runtime returned into a sentence. True: it went well. */
static bool gi_cuda_ok(const char *site, cudaError_t error, const char *call)
{
    if (error == cudaSuccess) return true;
    (void)cudaGetLastError(); /* said now: not once more by the next call */
    gi_cuda_explain(site, error, call);
    return false;
}
#define GI_CUDA_OK(site, call) gi_cuda_ok(site, call, #call)

/* After a launch: could the kernel be started? */
static bool gi_cuda_launched(const char *site, const char *kernel)
{
    char        what[160];
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess) return true;
    snprintf(what, sizeof what, "the start of the kernel of %s", kernel);
    gi_cuda_explain(site, error, what);
    return false;
}

/* ---- devices and streams ------------------------------------------------------------------------------------------- */

enum { GI_MOST_GPUS = 16, GI_MOST_STREAMS = 64 };

typedef struct gi_gpu {
    bool    known; /* atomic: have its properties been asked for? */
    bool    pools; /* does it have cudaMallocAsync? */
    int     processors;
    int64_t used, peak, limit; /* bytes in arrays and scratch memory; guarded by gi_gpus.lock */
} gi_gpu;

typedef struct gi_known_stream {
    ga_stream stream;
    int       ordinal;
    bool      ours; /* made by ga_stream_new */
} gi_known_stream;

static struct {
    pthread_mutex_t lock;
    gi_gpu          gpu[GI_MOST_GPUS];
    gi_known_stream streams[GI_MOST_STREAMS]; /* every stream that was made here or set; guarded by the lock */
    int             known_streams;
    int             forgotten; /* atomic: how often a stream left that list */
    bool            forked;    /* a child of a process that had used a GPU: CUDA does not work here */
} gi_gpus = { PTHREAD_MUTEX_INITIALIZER, {}, {}, 0, 0, false };

static __thread int       gi_cuda_selected;              /* the device of this thread's calls */
static __thread ga_stream gi_cuda_streams[GI_MOST_GPUS]; /* its current stream on each device; NULL: the default stream */
static __thread int       gi_cuda_forgotten;             /* gi_gpus.forgotten when these streams were last known to exist */

/* The default stream is one for all threads, whatever nvcc's --default-stream says: arrays are ordered by their streams' names. */
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#define GI_CUDA_DEFAULT_STREAM cudaStreamLegacy
#else
#define GI_CUDA_DEFAULT_STREAM ((cudaStream_t)0)
#endif

/* How many devices can be used: 0 without any, or without a driver. */
static int gi_cuda_count(void)
{
    int count = 0;
    if (gi_gpus.forked) return 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess) {
        (void)cudaGetLastError();
        return 0;
    }
    return count < GI_MOST_GPUS ? count : GI_MOST_GPUS;
}

/* What must be known about a device before it is used. It is the current one. */
static void gi_cuda_meet(int ordinal)
{
    gi_gpu       *g     = &gi_gpus.gpu[ordinal];
    int           pools = 0, processors = 1;
    uint64_t      keep = UINT64_MAX; /* what is freed stays with us, ready for reuse */
    cudaMemPool_t pool;
    (void)cudaDeviceGetAttribute(&pools, cudaDevAttrMemoryPoolsSupported, ordinal);
    (void)cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, ordinal);
    if (pools && cudaDeviceGetDefaultMemPool(&pool, ordinal) == cudaSuccess)
        (void)cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep);
    (void)cudaGetLastError();
    pthread_mutex_lock(&gi_gpus.lock);
    g->pools      = pools != 0;
    g->processors = processors > 0 ? processors : 1;
    __atomic_store_n(&g->known, true, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&gi_gpus.lock);
}

static bool gi_cuda_is_known(int ordinal) { return __atomic_load_n(&gi_gpus.gpu[ordinal].known, __ATOMIC_ACQUIRE); }

/* Makes `ordinal` the runtime's current device, learning about it the first time. False with an error: no such device. */
static bool gi_cuda_use(const char *site, int ordinal)
{
    if (gi_gpus.forked) {
        gi_fail(site, GA_BAD_DEVICE, "CUDA does not work in the child of a process that has used it: fork before, or exec");
        return false;
    }
    int count = 0;
    if (!gi_cuda_is_known(ordinal) && !GI_CUDA_OK(site, cudaGetDeviceCount(&count))) return false;
    if (!GI_CUDA_OK(site, cudaSetDevice(ordinal))) return false;
    if (!gi_cuda_is_known(ordinal)) gi_cuda_meet(ordinal);
    return true;
}

/* The device that holds an array. */
static int gi_cuda_ordinal(const ga_array *a) { return a->owner ? a->owner->ordinal : gi_cuda_selected; }

/* Streams of this thread that another thread has freed are replaced by the default stream. */
static void gi_cuda_forget_streams(void)
{
    pthread_mutex_lock(&gi_gpus.lock);
    gi_cuda_forgotten = __atomic_load_n(&gi_gpus.forgotten, __ATOMIC_RELAXED);
    for (int d = 0; d < GI_MOST_GPUS; d++) {
        bool found = false;
        for (int k = 0; k < gi_gpus.known_streams && !found; k++) found = gi_gpus.streams[k].stream == gi_cuda_streams[d];
        if (!found) gi_cuda_streams[d] = NULL;
    }
    pthread_mutex_unlock(&gi_gpus.lock);
}

/* The stream on which this thread works on a device. */
static cudaStream_t gi_cuda_stream(int ordinal)
{
    if (gi_cuda_forgotten != __atomic_load_n(&gi_gpus.forgotten, __ATOMIC_ACQUIRE)) gi_cuda_forget_streams();
    ga_stream stream = gi_cuda_streams[ordinal];
    return stream ? (cudaStream_t)stream : GI_CUDA_DEFAULT_STREAM;
}

/* The stream of the device that is current since the last gi_cuda_use or gi_cuda_touch. */
static cudaStream_t gi_cuda_current_stream(void)
{
    int ordinal = 0;
    (void)cudaGetDevice(&ordinal);
    return gi_cuda_stream(ordinal);
}

/* Work on `stream` that is queued from now on comes after everything that is queued on `earlier`, a stream of the current device. */
static cudaError_t gi_cuda_wait(cudaStream_t stream, cudaStream_t earlier)
{
    cudaEvent_t done;
    if (stream == earlier) return cudaSuccess;
    cudaError_t error = cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    if (error != cudaSuccess) return error;
    error = cudaEventRecord(done, earlier);
    if (error == cudaSuccess) error = cudaStreamWaitEvent(stream, done, 0);
    (void)cudaEventDestroy(done);
    return error;
}

/* The same, after everything that is queued on any stream of the current device that gpuarr knows. The lock is held. */
static cudaError_t gi_cuda_wait_for_all(cudaStream_t stream, int ordinal)
{
    cudaError_t error = gi_cuda_wait(stream, GI_CUDA_DEFAULT_STREAM);
    for (int k = 0; k < gi_gpus.known_streams && error == cudaSuccess; k++)
        if (gi_gpus.streams[k].ordinal == ordinal) error = gi_cuda_wait(stream, (cudaStream_t)gi_gpus.streams[k].stream);
    return error;
}

/* Work on `stream` that this thread queues from now on comes after all earlier work on the memory. A buffer remembers the stream that
   was given work last, and the thread that gave it. One thread: the last stream is all there is to wait for. Several threads with one
   stream: nothing. Several with several streams: a thread may have asked for the order and not yet have launched, so from then on every
   stream is waited for. The lock is held throughout, so that no other thread frees one of these streams meanwhile. */
static bool gi_cuda_order_buffer(const char *site, gi_buffer *b, cudaStream_t stream)
{
    const void *thread = &gi_cuda_selected; /* its address is a name of this thread */
    pthread_mutex_lock(&gi_gpus.lock);
    cudaStream_t last = (cudaStream_t)b->stream;
    if (b->thread != thread) {
        if (last != stream) b->crowded = true;
        b->thread = last == stream ? NULL : thread;
    }
    cudaError_t error = b->crowded ? gi_cuda_wait_for_all(stream, b->ordinal) : gi_cuda_wait(stream, last);
    if (error == cudaSuccess) b->stream = (ga_stream)stream;
    pthread_mutex_unlock(&gi_gpus.lock);
    return gi_cuda_ok(site, error, "cudaStreamWaitEvent");
}

/* What every operation does before it touches an array: its device becomes current, and the work that another stream may still be
   doing on its memory is waited for (by the stream, not by the host). False with an error. */
static bool gi_cuda_touch_on(const char *site, const ga_array *a, cudaStream_t stream)
{
    int ordinal = gi_cuda_ordinal(a);
    if (ordinal != gi_cuda_selected) {
        gi_fail(site, GA_BAD_DEVICE,
                "an array of shape %s lies on CUDA device %d, and device %d is selected: ga_cuda_select(%d), or bring it with "
                "ga_to",
                gi_shape_of(a), ordinal, gi_cuda_selected, ordinal);
        return false;
    }
    return gi_cuda_use(site, ordinal) && (!a->owner || gi_cuda_order_buffer(site, a->owner, stream));
}
static bool gi_cuda_touch(const char *site, const ga_array *a)
{
    return gi_cuda_touch_on(site, a, gi_cuda_stream(gi_cuda_selected));
}

/* Touches the arrays of a call (NULLs are passed over): all must lie on one GPU, the selected one. */
static bool gi_cuda_touch_all(const char *site, int n, const ga_array *const *arrays)
{
    const ga_array *first = NULL;
    for (int k = 0; k < n; k++) {
        if (!arrays[k]) continue;
        if (!first) first = arrays[k];
        if (gi_cuda_ordinal(arrays[k]) == gi_cuda_ordinal(first)) continue;
        gi_fail(site, GA_BAD_DEVICE, "the arrays lie on CUDA devices %d and %d: bring them together with ga_to",
                gi_cuda_ordinal(first), gi_cuda_ordinal(arrays[k]));
        return false;
    }
    for (int k = 0; k < n; k++)
        if (arrays[k] && !gi_cuda_touch(site, arrays[k])) return false;
    return true;
}

/* ---- memory ---------------------------------------------------------------------------------------------------------- */

/* Counts bytes that are about to be allocated on a device. False with an error beyond the limit. */
static bool gi_cuda_count_bytes(const char *site, int ordinal, size_t bytes)
{
    gi_gpu *g = &gi_gpus.gpu[ordinal];
    pthread_mutex_lock(&gi_gpus.lock);
    int64_t used = g->used, limit = g->limit;
    bool    over = limit > 0 && used + (int64_t)bytes > limit;
    if (!over) g->used += (int64_t)bytes;
    if (g->used > g->peak) g->peak = g->used;
    pthread_mutex_unlock(&gi_gpus.lock);
    if (over)
        gi_fail(site, GA_NO_MEMORY,
                "%zu bytes more would pass the limit of %lld bytes on the GPU (%lld are in use): free arrays or raise "
                "ga_cuda_memory_limit",
                bytes, (long long)limit, (long long)used);
    return !over;
}

static void gi_cuda_discount_bytes(int ordinal, size_t bytes)
{
    pthread_mutex_lock(&gi_gpus.lock);
    gi_gpus.gpu[ordinal].used -= (int64_t)bytes;
    pthread_mutex_unlock(&gi_gpus.lock);
}

/* Says that an allocation failed; returns NULL. */
static void *gi_cuda_no_memory(const char *site, int ordinal, size_t bytes, cudaError_t error, const char *call)
{
    size_t free_bytes = 0, total_bytes = 0;
    (void)cudaGetLastError();
    if (error != cudaErrorMemoryAllocation || cudaMemGetInfo(&free_bytes, &total_bytes) != cudaSuccess) {
        (void)gi_cuda_ok(site, error, call);
        return NULL;
    }
    pthread_mutex_lock(&gi_gpus.lock);
    int64_t used = gi_gpus.gpu[ordinal].used;
    pthread_mutex_unlock(&gi_gpus.lock);
    return gi_fail(site, GA_NO_MEMORY,
                   "no memory for %zu bytes on the GPU (%lld are in use in arrays, %zu of %zu are free): free arrays or use "
                   "smaller ones",
                   bytes, (long long)used, free_bytes, total_bytes);
}

/* Gives what the device's pool keeps ready for reuse back to the system. */
static void gi_cuda_trim(int ordinal)
{
    cudaMemPool_t pool;
    (void)cudaDeviceSynchronize(); /* what is freed on a stream comes back when the stream gets there */
    if (gi_gpus.gpu[ordinal].pools && cudaDeviceGetDefaultMemPool(&pool, ordinal) == cudaSuccess)
        (void)cudaMemPoolTrimTo(pool, 0);
    (void)cudaGetLastError();
}

/* `bytes` bytes on the device, usable by work on `stream`; NULL with an error. Give them back with gi_cuda_release. */
static void *gi_cuda_alloc(const char *site, int ordinal, cudaStream_t stream, size_t bytes)
{
    if (bytes == 0) bytes = 1;
    if (!gi_cuda_use(site, ordinal) || !gi_cuda_count_bytes(site, ordinal, bytes)) return NULL;
    bool        pools = gi_gpus.gpu[ordinal].pools;
    void       *p     = NULL;
    cudaError_t error = pools ? cudaMallocAsync(&p, bytes, stream) : cudaMalloc(&p, bytes);
    if (error == cudaErrorMemoryAllocation && pools) { /* once more when everything that is freed has come back */
        (void)cudaGetLastError();
        gi_cuda_trim(ordinal);
        error = cudaMallocAsync(&p, bytes, stream);
    }
    if (error == cudaSuccess) return p;
    gi_cuda_discount_bytes(ordinal, bytes);
    return gi_cuda_no_memory(site, ordinal, bytes, error, pools ? "cudaMallocAsync" : "cudaMalloc");
}

/* Work that is queued on the stream may still use it. `plain`: memory from cudaMalloc or cudaMallocManaged. */
static void gi_cuda_give_back(void *p, int ordinal, cudaStream_t stream, size_t bytes, bool plain)
{
    if (!p) return;
    gi_cuda_discount_bytes(ordinal, bytes ? bytes : 1);
    if (gi_gpus.forked) return;
    int current = ordinal;
    (void)cudaGetDevice(&current);
    if (current != ordinal) (void)cudaSetDevice(ordinal);
    if (plain) (void)cudaFree(p); /* waits for the kernels that use it */
    else (void)cudaFreeAsync(p, stream);
    if (current != ordinal) (void)cudaSetDevice(current);
}

static void gi_cuda_release(void *p, int ordinal, cudaStream_t stream, size_t bytes)
{
    gi_cuda_give_back(p, ordinal, stream, bytes, !gi_gpus.gpu[ordinal].pools);
}

/* Memory that the CPU can read, too. */
static void *gi_cuda_alloc_managed(const char *site, int ordinal, size_t bytes)
{
    if (bytes == 0) bytes = 1;
    if (!gi_cuda_use(site, ordinal) || !gi_cuda_count_bytes(site, ordinal, bytes)) return NULL;
    void       *p     = NULL;
    cudaError_t error = cudaMallocManaged(&p, bytes, cudaMemAttachGlobal);
    if (error == cudaSuccess) return p;
    gi_cuda_discount_bytes(ordinal, bytes);
    return gi_cuda_no_memory(site, ordinal, bytes, error, "cudaMallocManaged");
}

/* Memory of the CPU that the GPU can copy by itself. */
static void *gi_cuda_alloc_pinned(const char *site, size_t bytes)
{
    if (bytes == 0) bytes = 1;
    if (!gi_cuda_use(site, gi_cuda_selected) || !gi_count_bytes(site, bytes)) return NULL;
    void       *p     = NULL;
    cudaError_t error = cudaHostAlloc(&p, bytes, cudaHostAllocPortable);
    if (error == cudaSuccess) return p;
    gi_discount_bytes(bytes);
    (void)cudaGetLastError();
    if (error == cudaErrorMemoryAllocation)
        return gi_fail(site, GA_NO_MEMORY, "no pinned memory for %zu bytes: use less of it, or leave out .pinned", bytes);
    (void)gi_cuda_ok(site, error, "cudaHostAlloc");
    return NULL;
}

/* Memory for the buffer of a new array of which the GPU must know. */
static bool gi_cuda_alloc_buffer(const char *site, gi_buffer *b)
{
    b->ordinal = gi_cuda_selected;
    if (b->device == GA_CPU) {
        b->base = gi_cuda_alloc_pinned(site, b->bytes);
        return b->base != NULL;
    }
    cudaStream_t stream = gi_cuda_stream(b->ordinal);
    b->stream           = (ga_stream)stream;
    b->thread           = &gi_cuda_selected;
    b->base             = b->memory == GI_MANAGED ? gi_cuda_alloc_managed(site, b->ordinal, b->bytes)
                                                  : gi_cuda_alloc(site, b->ordinal, stream, b->bytes);
    return b->base != NULL;
}

static void gi_cuda_release_buffer(gi_buffer *b)
{
    if (b->device == GA_CPU) {
        if (!gi_gpus.forked) (void)cudaFreeHost(b->base);
        gi_discount_bytes(b->bytes ? b->bytes : 1);
        return;
    }
    bool plain = b->memory == GI_MANAGED || !gi_gpus.gpu[b->ordinal].pools;
    if (plain || gi_gpus.forked) {
        gi_cuda_give_back(b->base, b->ordinal, NULL, b->bytes, plain);
        return;
    }
    int current = b->ordinal;
    (void)cudaGetDevice(&current);
    if (current != b->ordinal) (void)cudaSetDevice(b->ordinal);
    pthread_mutex_lock(&gi_gpus.lock);
    bool known = false; /* else another thread has just freed the stream, and all its work is done */
    for (int k = 0; k < gi_gpus.known_streams && !known; k++) known = gi_gpus.streams[k].stream == b->stream;
    cudaStream_t stream = known ? (cudaStream_t)b->stream : GI_CUDA_DEFAULT_STREAM;
    if (b->crowded) (void)gi_cuda_wait_for_all(stream, b->ordinal);
    (void)cudaFreeAsync(b->base, stream);
    gi_gpus.gpu[b->ordinal].used -= (int64_t)(b->bytes ? b->bytes : 1);
    pthread_mutex_unlock(&gi_gpus.lock);
    if (current != b->ordinal) (void)cudaSetDevice(current);
}

/* Waits until the copies between this memory of the CPU and a GPU are done. */
static bool gi_cuda_settle(const char *site, gi_buffer *b)
{
    if (gi_gpus.forked || !__atomic_load_n(&b->copying, __ATOMIC_ACQUIRE)) return true;
    bool ok = GI_CUDA_OK(site, cudaEventSynchronize((cudaEvent_t)b->copied));
    __atomic_store_n(&b->copying, false, __ATOMIC_RELEASE);
    return ok;
}

/* Before memory leaves us: nothing may be copying to or from it, and what the caller gets back must be unused. */
static void gi_cuda_finish_buffer(gi_buffer *b)
{
    if (gi_gpus.forked) return;
    if (b->copied) {
        (void)gi_cuda_settle("\tga_free", b);
        (void)cudaEventDestroy((cudaEvent_t)b->copied);
    }
    if (b->device == GA_CUDA && b->release && gi_cuda_use("\tga_free", b->ordinal)) (void)cudaDeviceSynchronize();
}

/* Memory for the length of a call, on the device of `a` (touched before). */
typedef struct gi_scratch {
    void        *p;
    size_t       bytes;
    int          ordinal;
    cudaStream_t stream;
} gi_scratch;

static bool gi_scratch_get(const char *site, gi_scratch *s, const ga_array *a, size_t bytes)
{
    s->bytes   = bytes;
    s->ordinal = gi_cuda_ordinal(a);
    s->stream  = gi_cuda_stream(s->ordinal);
    s->p       = gi_cuda_alloc(site, s->ordinal, s->stream, bytes);
    return s->p != NULL;
}

static void gi_scratch_free(gi_scratch *s)
{
    gi_cuda_release(s->p, s->ordinal, s->stream, s->bytes);
    s->p = NULL;
}

/* ---- copies ---------------------------------------------------------------------------------------------------------- */

/* Bytes between host and device on the current stream of `on`, an array on the device that was touched before. The host waits. */
static bool gi_cuda_read(const char *site, const ga_array *on, void *host, const void *device, size_t bytes)
{
    cudaStream_t stream = gi_cuda_stream(gi_cuda_ordinal(on));
    return bytes == 0 || (GI_CUDA_OK(site, cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream)) &&
                          GI_CUDA_OK(site, cudaStreamSynchronize(stream)));
}

static bool gi_cuda_write(const char *site, const ga_array *on, void *device, const void *host, size_t bytes)
{
    cudaStream_t stream = gi_cuda_stream(gi_cuda_ordinal(on));
    return bytes == 0 || (GI_CUDA_OK(site, cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream)) &&
                          GI_CUDA_OK(site, cudaStreamSynchronize(stream)));
}

#elif GI_CUDA_PART == 4
/* ==== >>own kernels: what the kernels of GA_ELEMENTWISE share with those of the rows =================================== */

#define GI_DEVICE static __device__ __forceinline__
#ifdef __CUDASIM__
/* GI_SHARED(float, tile, [256]): a variable that the threads of a block share */
#define GI_SHARED(T, name, dims)                                                                                               \
    CUDASIM_SHARED(name, T name dims;);                                                                                        \
    auto &name = cudasim_r##name.name
#else
#define GI_SHARED(T, name, dims) __shared__ T name dims
#endif

enum { GI_CUDA_THREADS = 256 };

/* Division of numbers below 2^31 by one that is known before the launch: a product and a shift. */
typedef struct gi_divisor {
    uint32_t by, magic, shift;
} gi_divisor;

GI_DEVICE uint32_t gi_divide(uint32_t n, gi_divisor d) { return ((uint32_t)(((uint64_t)n * d.magic) >> 32) + n) >> d.shift; }

typedef enum gi_how { GI_HOW_PACKED, GI_HOW_SPREAD, GI_HOW_NUMBER } gi_how; /* spread: one element for a row */

typedef struct gi_cuda_operand {
    char   *data;
    gi_how  how;
    int64_t strides[GPUARR_MAX_DIMS];
    alignas(16) uint64_t number[2]; /* the element, if it is a number */
} gi_cuda_operand;

/* What threads run over. */
struct gi_cuda_grid {
    uint32_t   elements, vectors; /* in all; below 2^31 */
    bool       packed;            /* do threads compute vectors? */
    gi_divisor row;               /* vectors of a row */
    int        ndim;
    gi_divisor shape[GPUARR_MAX_DIMS];
};

/* Elements of a thread's vector whose widest element has so many bytes. */
#define GI_VECTOR(bytes) ((bytes) >= 16 || ((bytes) & ((bytes)-1)) != 0 ? 1 : 16 / (int)(bytes))
#define GI_WIDER(a, b)   ((a) > (b) ? (a) : (b))

/* A vector as it is loaded and stored: one access of at most 16 bytes. */
template <class T, int N> struct alignas(N > 1 || sizeof(T) == 16 ? sizeof(T) * N : alignof(T)) gi_pack {
    T e[N];
};

/* The elements of a thread: first, first + step ... below end. A step of N means whole vectors. */
template <int N> struct gi_span {
    uint32_t first, end, step;

    __device__ __forceinline__ gi_span(const gi_cuda_grid &m)
    {
        const uint32_t begin = blockIdx.x * (GI_CUDA_THREADS * N);
        first                = begin + threadIdx.x;
        end                  = m.elements - begin < GI_CUDA_THREADS * N ? m.elements : begin + GI_CUDA_THREADS * N;
        step                 = GI_CUDA_THREADS;
        if (!m.packed) return;
        const uint32_t vector = blockIdx.x * GI_CUDA_THREADS + threadIdx.x, columns = m.shape[m.ndim - 1].by;
        const uint32_t row = gi_divide(vector, m.row), column = (vector - row * m.row.by) * N;
        const bool     all = columns - column >= N;
        first              = vector < m.vectors ? row * columns + column : 0;
        end                = vector < m.vectors ? first + (all ? N : columns - column) : 0;
        step               = all ? N : 1;
    }
};

template <class T, int N> GI_DEVICE void gi_cuda_load(const gi_cuda_operand &v, const char *p, T (&x)[N])
{
    if (v.how == GI_HOW_PACKED) {
        gi_pack<T, N> pack = *(const gi_pack<T, N> *)p;
#pragma unroll
        for (int k = 0; k < N; k++) x[k] = pack.e[k];
    } else {
        const T one = v.how == GI_HOW_NUMBER ? *(const T *)v.number : *(const T *)p;
#pragma unroll
        for (int k = 0; k < N; k++) x[k] = one;
    }
}

template <class T> GI_DEVICE T gi_cuda_load_one(const gi_cuda_operand &v, const char *p)
{
    return v.how == GI_HOW_NUMBER ? *(const T *)v.number : *(const T *)p;
}

/* What a kernel of the user's is given: the operands in the order of its parameters, then the result of the formula. */
struct gi_cuda_own : gi_cuda_grid {
    gi_cuda_operand operand[GI_MOST_OPERANDS + 1], mask;
    bool            masked;
    int64_t         index, place[GPUARR_MAX_DIMS]; /* GA_INDEX of the first element, and its strides */
};

/* Where an element lies in each of K operands. */
template <int K> struct gi_own_place {
    char       *at[K];
    const char *mask;
    int64_t     index;

    __device__ __forceinline__ gi_own_place(const gi_cuda_own &m, uint32_t element)
    {
#pragma unroll
        for (int k = 0; k < K; k++) at[k] = m.operand[k].data;
        mask  = m.mask.data;
        index = m.index;
#pragma unroll 1
        for (int d = m.ndim - 1; d >= 0; d--) {
            const uint32_t above = gi_divide(element, m.shape[d]), i = element - above * m.shape[d].by;
            element = above;
#pragma unroll
            for (int k = 0; k < K; k++) at[k] += i * m.operand[k].strides[d];
            mask += i * m.mask.strides[d];
            index += i * m.place[d];
        }
    }
};

/* N elements of parameter I, whose type is P: read before the formula, or, if P is a pointer, written after it; as a vector, or one
   alone. */
template <int I, int N, bool VECTOR, class P> struct gi_own_slot {
    enum { bytes = sizeof(P) };
    P                               e[N];
    __device__ __forceinline__ void read(const gi_cuda_operand &v, const char *p)
    {
        if (VECTOR) gi_cuda_load(v, p, e);
        else e[0] = gi_cuda_load_one<P>(v, p);
    }
    __device__ __forceinline__ P    argument(int k) { return e[k]; }
    __device__ __forceinline__ void write(char *) const {}
};
template <int I, int N, bool VECTOR, class P> struct gi_own_slot<I, N, VECTOR, P *> {
    enum { bytes = sizeof(P) };
    gi_pack<P, N>                   e;
    __device__ __forceinline__ void read(const gi_cuda_operand &, const char *)
    {
#pragma unroll
        for (int k = 0; k < N; k++) e.e[k] = P();
    }
    __device__ __forceinline__ P   *argument(int k) { return &e.e[k]; }
    __device__ __forceinline__ void write(char *p) const
    {
        if (VECTOR) *(gi_pack<P, N> *)p = e;
        else *(P *)p = e.e[0];
    }
};

template <int... I> struct gi_own_numbers {
};
template <int K, int... I> struct gi_own_numbers_below : gi_own_numbers_below<K - 1, K - 1, I...> {
};
template <int... I> struct gi_own_numbers_below<0, I...> {
    typedef gi_own_numbers<I...> type;
};

constexpr int                          gi_widest(void) { return 1; }
template <class... More> constexpr int gi_widest(int first, More... more)
{
    return first > gi_widest(more...) ? first : gi_widest(more...);
}

template <class F> struct gi_own_formula; /* of a formula's type */
template <class R, class... P> struct gi_own_formula<R (*)(gi_here *, P...)> {
    enum { K = sizeof...(P), WIDEST = gi_widest(gi_own_slot<0, 1, false, P>::bytes..., gi_own_slot<0, 1, false, R *>::bytes) };
    typedef typename gi_own_numbers_below<K>::type numbers;

    template <int N, bool VECTOR, R (*f)(gi_here *, P...), int... I>
    static __device__ __forceinline__ void run(const gi_cuda_own &m, const gi_own_place<K + 1> &at, gi_own_numbers<I...>)
    {
        struct : gi_own_slot<I, N, VECTOR, P>... {
        } slots;
        gi_own_slot<K, N, VECTOR, R *> result;
        (slots.gi_own_slot<I, N, VECTOR, P>::read(m.operand[I], at.at[I]), ...);
#pragma unroll
        for (int k = 0; k < N; k++) {
            gi_here here  = { at.index + k * m.place[m.ndim - 1], true, 0, 0, 0 };
            result.e.e[k] = f(&here, slots.gi_own_slot<I, N, VECTOR, P>::argument(k)...);
        }
        (slots.gi_own_slot<I, N, VECTOR, P>::write(at.at[I]), ...);
        result.write(at.at[K]);
    }
};
template <class... P> struct gi_own_formula<void (*)(gi_here *, P...)> {
    enum { K = sizeof...(P), WIDEST = gi_widest(gi_own_slot<0, 1, false, P>::bytes...) };
    typedef typename gi_own_numbers_below<K>::type numbers;

    template <int N, bool VECTOR, void (*f)(gi_here *, P...), int... I>
    static __device__ __forceinline__ void run(const gi_cuda_own &m, const gi_own_place<K + 1> &at, gi_own_numbers<I...>)
    {
        struct : gi_own_slot<I, N, VECTOR, P>... {
        } slots;
        (slots.gi_own_slot<I, N, VECTOR, P>::read(m.operand[I], at.at[I]), ...);
#pragma unroll
        for (int k = 0; k < N; k++) {
            gi_here here = { at.index + k * m.place[m.ndim - 1], true, 0, 0, 0 };
            f(&here, slots.gi_own_slot<I, N, VECTOR, P>::argument(k)...);
        }
        (slots.gi_own_slot<I, N, VECTOR, P>::write(at.at[I]), ...);
    }
};

template <auto f>
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_own_kernel(const __grid_constant__ gi_cuda_own m)
{
    typedef gi_own_formula<decltype(f)> formula;
    enum { N = GI_VECTOR(formula::WIDEST) };
    const gi_span<N> span(m);
#pragma unroll 1
    for (uint32_t e = span.first; e < span.end; e += span.step) {
        const gi_own_place<formula::K + 1> at(m, e);
        if (span.step == N) formula::template run<N, true, f>(m, at, typename formula::numbers());
        else if (!m.masked || *(const bool *)at.mask) formula::template run<1, false, f>(m, at, typename formula::numbers());
    }
}

/* ==== >>cuda tree: the kernel of all reductions ======================================================================== */
/*  The documented tree (gpuarr.h, >>reduce). A unit is one block of one line; 1 to 64 lanes, a power of two, share it. A lane folds the
    elements i, i + lanes, i + 2 lanes ... in registers (those lie highest in the tree), then the lanes fold their results by halves in
    shared memory. Either the lanes of a unit are neighbours (rows), or neighbouring threads work on neighbouring lines (columns),
    whichever reads neighbouring memory. Full blocks of packed lines are read 16 bytes at a time: then a lane owns W neighbours, whose
    accumulators change hands before the lanes fold.                                                                          */

enum { GI_CUDA_THREADS_LOG = 8, GI_LANE_ELEMENTS = 16, GI_MOST_LANES = GI_BLOCK / GI_LANE_ELEMENTS };

/* Passes in which the lanes of a unit may fold their elements: as many accumulators of each lane find room in shared memory. */
#define GI_MOST_PASSES(acc_bytes) ((acc_bytes) > 32 ? 1 : (acc_bytes) > 8 ? 4 : 8)

/* What moments need besides (see >>cuda moments): the result that is wanted, and factors of the formula that joins two nodes of a block,
   which depend on the distance of its two halves. */
typedef struct gi_cuda_moments {
    int    what, ddof;
    bool   skip_nan, shifted;
    double ratio[10];       /* for the last block of a line, where the first node has one element more than the second */
    double scale[2][10][3]; /* for full blocks and for the last one; both nodes have one more, the first one has, none has */
} gi_cuda_moments;

/* What the search for extremes needs (see >>cuda search). */
typedef struct gi_cuda_search {
    bool     largest, skip_nan;
    uint64_t sign;    /* the sign bit of signed integers, else 0 */
    int     *nothing; /* set to 1 for a line of nothing but NaN */
} gi_cuda_search;

/* The other factors of products that are summed: those of a line are `stride` apart. */
typedef struct gi_cuda_factors {
    const char *data;
    int64_t     stride;
} gi_cuda_factors;

/* The inputs of a reduction of the user's, but for the first one. */
typedef struct gi_cuda_input {
    const char *data;
    int         kept;
    gi_divisor  kept_shape[GPUARR_MAX_DIMS];
    int64_t     kept_strides[GPUARR_MAX_DIMS];
    int64_t     stride, outer; /* in a run of inner.by elements, and from one run to the next */
    bool        two;           /* are there several runs? */
    gi_divisor  inner;
} gi_cuda_input;

typedef struct gi_cuda_folding {
    const char *data;         /* the first element of the first line */
    int64_t     lines_before; /* lines before that one */
    int64_t     length;       /* elements of a line */
    int64_t     before;       /* elements of the line before data (of a line in several launches) */
    int64_t     stride;       /* from one to the next in a run of inner.by elements */
    int64_t     outer;        /* from one run to the next */
    bool        two;          /* are there several runs? (then the length is below 2^31) */
    gi_divisor  inner;
    int64_t     jump, carry;     /* from a lane's element to its next; and more where that begins a new run */
    uint32_t    columns_jumped;  /* elements of a run that are jumped over, whole runs apart */
    uint32_t    step;            /* elements of a block from a lane's element to its next */
    int         step_log, lanes; /* lanes: the logarithm of their number */
    bool        columns, packed;
    bool        again;  /* are the elements accumulators already? */
    bool        narrow; /* is the result of half the accumulator's width? */
    uint32_t    units;
    gi_divisor  per; /* rows: blocks of a line; columns: lines */
    int         kept;
    gi_divisor  kept_shape[GPUARR_MAX_DIMS];
    int64_t     kept_strides[GPUARR_MAX_DIMS];
    uint64_t    mask;          /* the bits of an element that make it true */
    int64_t     count;         /* elements that are folded into a result */
    int64_t     blocks;        /* accumulators of a line in accs */
    char       *accs, *result; /* where accumulators, or else results, go */
    union {
        gi_cuda_moments moments;
        gi_cuda_search  search;
        gi_cuda_factors factors;
        gi_cuda_input   inputs[GPUARR_MAX_INPUTS - 1];
    };
} gi_cuda_folding;

typedef void (*gi_cuda_fold_kernel)(const gi_cuda_folding);

/* Integers add, multiply and compare in any order to the same bits. */
template <class A> struct gi_any_order {
    enum { yes = 1 };
};
template <> struct gi_any_order<float> {
    enum { yes = 0 };
};
template <> struct gi_any_order<double> {
    enum { yes = 0 };
};
template <> struct gi_any_order<ga_c64> {
    enum { yes = 0 };
};
template <> struct gi_any_order<ga_c128> {
    enum { yes = 0 };
};

template <class A> GI_DEVICE void gi_cuda_put(const gi_cuda_folding &j, uint32_t line, A v) { ((A *)j.result)[line] = v; }
GI_DEVICE void                    gi_cuda_put(const gi_cuda_folding &j, uint32_t line, double v)
{
    if (j.narrow) ((float *)j.result)[line] = gi_cast_f32_f64(v);
    else ((double *)j.result)[line] = v;
}
GI_DEVICE void gi_cuda_put(const gi_cuda_folding &j, uint32_t line, ga_c128 v)
{
    if (j.narrow) ((ga_c64 *)j.result)[line] = gi_cast_c64_c128(v);
    else ((ga_c128 *)j.result)[line] = v;
}

/* x as an accumulator if it is one already. */
template <class A> GI_DEVICE bool gi_cuda_again(const gi_cuda_folding &j, A x, A *a)
{
    *a = x;
    return j.again;
}
template <class T, class A> GI_DEVICE bool gi_cuda_again(const gi_cuda_folding &j, T x, A *a)
{
    return (void)j, (void)x, (void)a, false;
}

/* A row of the table. */
template <class T_, class A_, A_ (*of_)(T_), A_ (*join_)(A_, A_), A_ (*end_)(A_, int64_t)> struct gi_cuda_row_fold {
    typedef T_ T;
    typedef A_ A;
    enum { any_order = gi_any_order<A>::yes };
    const gi_cuda_folding &j;

    __device__ __forceinline__ gi_cuda_row_fold(const gi_cuda_folding &job, uint32_t, const char *, int64_t, uint32_t) : j(job)
    {
    }
    __device__ __forceinline__ A of(T x, uint32_t) const
    {
        A a;
        return gi_cuda_again(j, x, &a) ? a : of_(x);
    }
    __device__ __forceinline__ A    join(A a, A b, uint32_t, uint32_t) const { return join_(a, b); }
    __device__ __forceinline__ void keep(int64_t at, A a) const { ((A *)j.accs)[at] = a; }
    __device__ __forceinline__ void end(uint32_t line, A a) const { gi_cuda_put(j, line, end_(a, j.count)); }
};

/* A row that asks whether elements are true, of elements of any type: a unsigned integer of their size. */
template <class U, class A_, A_ (*of_)(bool), A_ (*join_)(A_, A_), A_ (*end_)(A_, int64_t)> struct gi_cuda_truth_fold {
    typedef U  T;
    typedef A_ A;
    enum { any_order = 1 };
    const gi_cuda_folding &j;

    __device__ __forceinline__ gi_cuda_truth_fold(const gi_cuda_folding &job, uint32_t, const char *, int64_t, uint32_t)
        : j(job)
    {
    }
    __device__ __forceinline__ A    of(U x, uint32_t) const { return of_((x & (U)j.mask) != 0); }
    __device__ __forceinline__ A    join(A a, A b, uint32_t, uint32_t) const { return join_(a, b); }
    __device__ __forceinline__ void keep(int64_t at, A a) const { ((A *)j.accs)[at] = a; }
    __device__ __forceinline__ void end(uint32_t line, A a) const { gi_cuda_put(j, line, end_(a, j.count)); }
};

/* Where the elements of a lane lie in their block: RUN of them lie `near` apart, from run to run it is `far`. */
template <int RUN> struct gi_cuda_lane {
    uint32_t                            first, near, far, count; /* the first element; how many exist */
    __device__ __forceinline__ uint32_t at(uint32_t k) const { return first + k / RUN * far + k % RUN * near; }
    __device__ __forceinline__ uint32_t apart(uint32_t h) const { return h < RUN ? h * near : h / RUN * far; }
};

/* Folds 2 * H accumulators of a lane by halves until LAST are left. */
template <int H, int LAST, int RUN, class F>
GI_DEVICE void gi_cuda_halve(const F &f, const gi_cuda_lane<RUN> &lane, typename F::A (&a)[GI_LANE_ELEMENTS / 2])
{
    if constexpr (H >= LAST) {
#pragma unroll
        for (int k = 0; k < H; k++)
            if (k + H < lane.count) a[k] = f.join(a[k], a[k + H], lane.at(k), lane.apart(H));
        gi_cuda_halve<H / 2, LAST>(f, lane, a);
    }
}

/* Element k of a lane: the first half become accumulators, which the second half join. */
template <int RUN, class F, class T>
GI_DEVICE void gi_cuda_take(const F &f, const gi_cuda_lane<RUN> &lane, uint32_t k, T x,
                            typename F::A (&a)[GI_LANE_ELEMENTS / 2])
{
    const uint32_t half = GI_LANE_ELEMENTS / 2, low = k - half;
    if (k < half) a[k] = f.of(x, lane.at(k));
    else if (k < lane.count) a[low] = f.join(a[low], f.of(x, lane.at(k)), lane.at(low), lane.apart(half));
}

template <class F>
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_fold(const __grid_constant__ gi_cuda_folding j)
{
    typedef typename F::T T;
    typedef typename F::A A;
    /* neighbours that a lane reads at once, and those of their accumulators that must change hands */
    enum {
        HALF   = GI_LANE_ELEMENTS / 2,
        LARGE  = sizeof(T) > 32, /* for the registers: such elements are taken one by one, others are all loaded before */
        WIDEST = GI_VECTOR(sizeof(T)),
        W      = sizeof(A) > 32               ? 1
                 : F::any_order || WIDEST < 4 ? WIDEST
                                              : 4
    };
    enum { LEFT = F::any_order ? 1 : W };
    GI_SHARED(A, shared, [GI_CUDA_THREADS * GI_WIDER(GI_MOST_PASSES(sizeof(A)), LEFT)]);
    const uint32_t lanes = 1u << j.lanes, units = GI_CUDA_THREADS >> j.lanes;
    const uint32_t within =
        j.columns ? threadIdx.x & (units - 1) : threadIdx.x >> j.lanes; /* which unit of the block of threads */
    const uint32_t i     = j.columns ? threadIdx.x >> (GI_CUDA_THREADS_LOG - j.lanes) : threadIdx.x & (lanes - 1);
    const uint32_t unit  = blockIdx.x * units + within;
    const uint32_t first = gi_divide(unit, j.per), second = unit - first * j.per.by;
    const uint32_t line  = j.columns ? second : first;
    const int64_t  start = (int64_t)(j.columns ? first : second) * GI_BLOCK;
    const uint32_t n     = unit >= j.units ? 0 : j.length - start < GI_BLOCK ? (uint32_t)(j.length - start) : GI_BLOCK;
    const bool     whole = j.packed && n == GI_BLOCK;
    const char    *at    = j.data;
    uint32_t       rest  = line;
#pragma unroll 1
    for (int d = j.kept - 1; d >= 0; d--) {
        uint32_t above = gi_divide(rest, j.kept_shape[d]);
        at += (rest - above * j.kept_shape[d].by) * j.kept_strides[d];
        rest = above;
    }
    const F        f(j, line, at, start, n);
    const uint32_t pitch = j.columns ? units : 1;
    A             *s     = shared + (j.columns ? within : within * lanes * LEFT); /* of this unit */
    A              a[HALF];
#pragma unroll 1
    for (uint32_t e = i; e < j.step; e += lanes) { /* a pass: elements e, e + step, e + 2 step ... */
        T               x[LARGE ? 1 : GI_LANE_ELEMENTS];
        gi_cuda_lane<W> lane;
        if (whole) {
            const T *p = (const T *)at + start + W * i;
            lane.first = W * i;
            lane.near  = 1;
            lane.far   = GI_MOST_LANES * W;
            lane.count = GI_LANE_ELEMENTS;
#pragma unroll
            for (int r = 0; r < GI_LANE_ELEMENTS / W; r++) {
                if constexpr (LARGE) {
                    gi_cuda_take(f, lane, r, p[r * GI_MOST_LANES], a);
                } else if constexpr (W == 1) {
                    x[r] = p[r * GI_MOST_LANES];
                } else {
                    const gi_pack<T, W> pack = *(const gi_pack<T, W> *)(p + r * GI_MOST_LANES * W);
#pragma unroll
                    for (int c = 0; c < W; c++) x[r * W + c] = pack.e[c];
                }
            }
        } else {
            const int64_t run = j.two ? gi_divide((uint32_t)start + e, j.inner) : 0; /* of inner.by elements, `stride` apart */
            const int64_t column = start + e - run * j.inner.by;
            const char   *p      = at + run * j.outer + column * j.stride;
            uint32_t      left   = j.two ? j.inner.by - (uint32_t)column : UINT32_MAX; /* of the run */
            lane.first           = e;
            lane.near            = j.step;
            lane.far             = W * j.step;
            lane.count           = n > e ? (n - e + j.step - 1) >> j.step_log : 0;
#pragma unroll
            for (uint32_t k = 0; k < GI_LANE_ELEMENTS; k++) {
                T e_k = T();
                if (k < lane.count) e_k = *(const T *)p;
                if constexpr (LARGE) gi_cuda_take(f, lane, k, e_k, a);
                else x[k] = e_k;
                p += j.jump;
                if (j.columns_jumped < left) {
                    left -= j.columns_jumped;
                } else {
                    left += j.inner.by - j.columns_jumped;
                    p += j.carry;
                }
            }
        }
        if constexpr (!LARGE) {
#pragma unroll
            for (int k = 0; k < HALF; k++) {
                gi_cuda_take(f, lane, k, x[k], a);
                gi_cuda_take(f, lane, k + HALF, x[k + HALF], a);
            }
        }
        gi_cuda_halve<HALF / 2, LEFT>(f, lane, a);
        if (LEFT > 1 && !whole) gi_cuda_halve<LEFT / 2, 1>(f, lane, a);
        if (j.step > lanes) s[e * pitch] = a[0]; /* only this thread reads it */
    }
    if (LEFT > 1 && j.packed) { /* neighbours' accumulators change hands */
        if (whole) {
#pragma unroll
            for (int c = 0; c < LEFT; c++) s[W * i + c] = a[c];
        }
        __syncthreads();
        if (whole) {
            gi_cuda_lane<LEFT> lane;
            lane.first = i;
            lane.near  = GI_MOST_LANES;
            lane.far   = 0;
            lane.count = LEFT;
#pragma unroll
            for (int c = 0; c < LEFT; c++) a[c] = s[i + GI_MOST_LANES * c];
            gi_cuda_halve<LEFT / 2, 1>(f, lane, a);
        }
    }
#pragma unroll 1
    for (uint32_t h = j.step / 2; h >= lanes; h /= 2)
#pragma unroll 1
        for (uint32_t e = h - lanes + i; e < h; e -= lanes) { /* the last one is e = i */
            a[0] = s[e * pitch];
            if (e + h < n) a[0] = f.join(a[0], s[(e + h) * pitch], e, h);
            s[e * pitch] = a[0];
        }
    if (lanes > 1) s[i * pitch] = a[0];
#pragma unroll 1
    for (uint32_t h = lanes / 2; h > 0; h /= 2) {
        __syncthreads();
        if (i < h && i + h < n) s[i * pitch] = a[0] = f.join(a[0], s[(i + h) * pitch], i, h);
    }
    if (i > 0 || n == 0) return;
    if (j.accs) f.keep(line * j.blocks + start / GI_BLOCK, a[0]);
    else f.end(line, a[0]);
}

/* ---- >>cuda own reductions ------------------------------------------------------------------------------------------------ */

template <class, class T, class...> struct gi_first_type {
    typedef T type;
};

/* The first element of a line of an input. */
GI_DEVICE const char *gi_cuda_input_line(const gi_cuda_input &in, int64_t line)
{
    const char *at = in.data;
#pragma unroll 1
    for (int d = in.kept - 1; d >= 0; d--) {
        int64_t above = line <= INT32_MAX ? gi_divide((uint32_t)line, in.kept_shape[d]) : line / in.kept_shape[d].by;
        at += (line - above * in.kept_shape[d].by) * in.kept_strides[d];
        line = above;
    }
    return at;
}

GI_DEVICE const char *gi_cuda_input_element(const gi_cuda_input &in, const char *line, int64_t i)
{
    int64_t run = in.two ? gi_divide((uint32_t)i, in.inner) : 0;
    return line + run * in.outer + (i - run * in.inner.by) * in.stride;
}

/* A reduction of the user's. K: its formulas; the elements that the kernel reads are those of the first input. */
template <class K> struct gi_cuda_own_fold {
    typedef typename K::T T;
    typedef typename K::A A;
    enum { any_order = 0 };
    const gi_cuda_folding &j;
    const int64_t          start; /* of the block */
    const uint32_t         n;
    const char            *line[K::inputs];

    __device__ __forceinline__ gi_cuda_own_fold(const gi_cuda_folding &job, uint32_t line_, const char *, int64_t start_,
                                                uint32_t n_)
        : j(job), start(job.before + start_), n(n_)
    {
#pragma unroll
        for (int i = 1; i < K::inputs; i++) line[i] = gi_cuda_input_line(j.inputs[i - 1], j.lines_before + line_);
    }
    __device__ __forceinline__ A of(T x, uint32_t e) const
    {
        const void *at[K::inputs];
        if (e >= n) return A();
        at[0] = &x;
#pragma unroll
        for (int i = 1; i < K::inputs; i++) at[i] = gi_cuda_input_element(j.inputs[i - 1], line[i], start + e);
        return K::map(at, start + e);
    }
    __device__ __forceinline__ A    join(A a, A b, uint32_t, uint32_t) const { return K::join(a, b); }
    __device__ __forceinline__ void keep(int64_t at, A a) const { ((A *)j.accs)[at] = a; }
    __device__ __forceinline__ void end(uint32_t at, A a) const { K::end(j.result, at, a, j.count); }
};

/* The same for accumulators. */
template <class K> struct gi_cuda_own_again {
    typedef typename K::A T;
    typedef typename K::A A;
    enum { any_order = 0 };
    const gi_cuda_folding &j;

    __device__ __forceinline__ gi_cuda_own_again(const gi_cuda_folding &job, uint32_t, const char *, int64_t, uint32_t) : j(job)
    {
    }
    __device__ __forceinline__ A    of(A a, uint32_t) const { return a; }
    __device__ __forceinline__ A    join(A a, A b, uint32_t, uint32_t) const { return K::join(a, b); }
    __device__ __forceinline__ void keep(int64_t at, A a) const { ((A *)j.accs)[at] = a; }
    __device__ __forceinline__ void end(uint32_t at, A a) const { K::end(j.result, at, a, j.count); }
};

/* ---- >>cuda own stencils -------------------------------------------------------------------------------------------------- */
/*  A block computes a tile of results from a copy of their neighbourhood in shared memory, in which borders are settled. A formula with
    so large a reach that this does not fit reads each neighbour where it lies.                                                  */

typedef struct gi_cuda_stencil {
    const char *in;
    char       *out;
    int64_t     shape[3]; /* planes, rows, columns */
    int64_t     first;    /* tile of the launch */
    ga_border   border;
    int        *beyond;
    alignas(16) char constant[16], operand[GI_MOST_OPERANDS][16];
} gi_cuda_stencil;

/* How many planes of results, at most, fit into the room with those around them; 0: too few. */
constexpr int64_t gi_cuda_depth(int64_t most, int64_t plane, int64_t around, int64_t room)
{
    return plane * (most + around) <= room ? most : most > 2 ? gi_cuda_depth(most / 2, plane, around, room) : 0;
}

/* The tiles of a stencil, in elements. K is what the GPU knows of it (gpuarr.h, GI_CUDA_STENCIL). */
template <class K> struct gi_cuda_tile {
    static constexpr int64_t ROOM    = (48 << 10) / sizeof(typename K::T);
    static constexpr int64_t WIDTH   = K::ndim == 1 ? 2048 : K::ndim == 2 ? 128 : 32;
    static constexpr int64_t HEIGHT  = K::ndim == 3 ? 8 : 1;
    static constexpr int64_t MOST    = K::ndim == 1 ? 1 : K::ndim == 2 ? 16 : 8;
    static constexpr int64_t ROW     = WIDTH + 2 * K::columns;
    static constexpr int64_t PLANE   = ROW * (HEIGHT + 2 * K::rows); /* of the copy */
    static constexpr int64_t DEPTH   = gi_cuda_depth(MOST, PLANE, 2 * K::planes, ROOM);
    static constexpr bool    COPIES  = DEPTH > 0;
    static constexpr int64_t PLANES  = COPIES ? DEPTH : MOST;
    static constexpr int64_t COPIED  = COPIES ? PLANE * (DEPTH + 2 * K::planes) : 1;
    static constexpr int64_t RESULTS = PLANES * HEIGHT * WIDTH;
};

/* Neighbours in the copy, and where they lie. */
template <class T, int64_t PLANE, int64_t ROW> struct gi_cuda_copied {
    const T *at;
};
template <class T> struct gi_cuda_lying {
    const gi_cuda_stencil &m;
    int64_t                plane, row, column;
};

template <class T> GI_DEVICE T gi_cuda_element(const gi_cuda_stencil &m, int64_t plane, int64_t row, int64_t column)
{
    plane  = gi_border_index(plane, m.shape[0], m.border);
    row    = gi_border_index(row, m.shape[1], m.border);
    column = gi_border_index(column, m.shape[2], m.border);
    if (plane < 0 || row < 0 || column < 0) return *(const T *)m.constant;
    return ((const T *)m.in)[(plane * m.shape[1] + row) * m.shape[2] + column];
}

template <class T>
GI_FORMULA T gi_own_neighbour(const T *const *rows, int64_t at, int64_t plane, int64_t row, int64_t column, int64_t height)
{
    return rows[plane * height + row][at + column];
}
template <class T, int64_t PLANE, int64_t ROW>
GI_DEVICE T gi_own_neighbour(gi_cuda_copied<T, PLANE, ROW> from, int64_t, int64_t plane, int64_t row, int64_t column, int64_t)
{
    return from.at[(int)plane * (int)PLANE + (int)row * (int)ROW + (int)column];
}
template <class T>
GI_DEVICE T gi_own_neighbour(const gi_cuda_lying<T> &from, int64_t, int64_t plane, int64_t row, int64_t column, int64_t)
{
    return gi_cuda_element<T>(from.m, from.plane + plane, from.row + row, from.column + column);
}

/* The elements around a tile whose first result is `first`. */
template <class K> GI_DEVICE void gi_cuda_copy_tile(const gi_cuda_stencil &m, const int64_t (&first)[3], typename K::T *tile)
{
    typedef gi_cuda_tile<K> S;
    typedef typename K::T   T;
    const int64_t           plane = first[0] - K::planes, row = first[1] - K::rows, column = first[2] - K::columns;
    const bool              inside = plane >= 0 && first[0] + S::PLANES + K::planes <= m.shape[0] && row >= 0 &&
                        first[1] + S::HEIGHT + K::rows <= m.shape[1] && column >= 0 &&
                        first[2] + S::WIDTH + K::columns <= m.shape[2];
    const T *from = (const T *)m.in + ((plane * m.shape[1] + row) * m.shape[2] + column);
    if (inside) {
#pragma unroll 4
        for (int e = (int)threadIdx.x; e < (int)S::COPIED; e += GI_CUDA_THREADS) {
            const int i = e / (int)S::PLANE, j = e % (int)S::PLANE / (int)S::ROW, k = e % (int)S::PLANE % (int)S::ROW;
            tile[e] = from[(i * m.shape[1] + j) * m.shape[2] + k];
        }
    } else {
#pragma unroll 1
        for (int e = (int)threadIdx.x; e < (int)S::COPIED; e += GI_CUDA_THREADS) {
            const int i = e / (int)S::PLANE, j = e % (int)S::PLANE / (int)S::ROW, k = e % (int)S::PLANE % (int)S::ROW;
            tile[e] = gi_cuda_element<T>(m, plane + i, row + j, column + k);
        }
    }
}

template <class K>
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_own_stencil(const __grid_constant__ gi_cuda_stencil m)
{
    typedef gi_cuda_tile<K> S;
    typedef typename K::T   T;
    const int64_t           number = m.first + blockIdx.x, columns = (m.shape[2] + S::WIDTH - 1) / S::WIDTH,
                  rows = (m.shape[1] + S::HEIGHT - 1) / S::HEIGHT, above = number / columns;
    const int64_t first[3] = { above / rows * S::PLANES, above % rows * S::HEIGHT, number % columns * S::WIDTH };
    GI_SHARED(T, tile, [S::COPIED]);
    if constexpr (S::COPIES) {
        gi_cuda_copy_tile<K>(m, first, &tile[0]);
        __syncthreads();
    }
#pragma unroll 1
    for (int e = (int)threadIdx.x; e < (int)S::RESULTS; e += GI_CUDA_THREADS) {
        const int     i = e / (int)(S::HEIGHT * S::WIDTH), j = e / (int)S::WIDTH % (int)S::HEIGHT, k = e % (int)S::WIDTH;
        const int64_t plane = first[0] + i, row = first[1] + j, column = first[2] + k;
        if (plane >= m.shape[0] || row >= m.shape[1] || column >= m.shape[2]) continue;
        T *const to = (T *)m.out + ((plane * m.shape[1] + row) * m.shape[2] + column);
        if constexpr (S::COPIES) {
            const int here = (i + (int)K::planes) * (int)S::PLANE + (j + (int)K::rows) * (int)S::ROW + k + (int)K::columns;
            *to            = K::of(&m, gi_cuda_copied<T, S::PLANE, S::ROW>{ &tile[0] + here });
        } else {
            *to = K::of(&m, gi_cuda_lying<T>{ m, plane, row, column });
        }
    }
}

#elif GI_CUDA_PART == 2
/* ---- launches -------------------------------------------------------------------------------------------------------- */

static unsigned gi_cuda_blocks(int64_t threads) { return (unsigned)((threads + GI_CUDA_THREADS - 1) / GI_CUDA_THREADS); }

static gi_divisor gi_divisor_of(int64_t by)
{
    gi_divisor d = { (uint32_t)by, 0, 0 };
    while (((uint64_t)1 << d.shift) < d.by) d.shift++;
    d.magic = (uint32_t)((((uint64_t)1 << 32) * (((uint64_t)1 << d.shift) - d.by)) / d.by + 1);
    return d;
}

/* ==== >>cuda map: elementwise kernels ================================================================================= */
/*  Where every operand lies packed along the innermost dimension (or is one element there), a thread computes a vector: as many neighbours
    as fit 16 bytes, each operand in one access. Else a block computes as many elements one by one, neighbouring threads neighbouring
    elements; so are the ends of rows that are no whole vectors.                                                                  */

struct gi_cuda_map : gi_cuda_grid {
    gi_cuda_operand in[3], out, mask;
    bool            masked;
    ga_dtype        from; /* of casts */
};

typedef void (*gi_cuda_kernel)(const gi_cuda_map);

/* Where an element lies in each operand. */
template <int INPUTS> struct gi_place {
    const char *in[INPUTS], *mask;
    char       *out;

    __device__ __forceinline__ gi_place(const gi_cuda_map &m, uint32_t element)
    {
#pragma unroll
        for (int k = 0; k < INPUTS; k++) in[k] = m.in[k].data;
        out  = m.out.data;
        mask = m.mask.data;
#pragma unroll 1
        for (int d = m.ndim - 1; d >= 0; d--) {
            const uint32_t above = gi_divide(element, m.shape[d]), index = element - above * m.shape[d].by;
            element = above;
#pragma unroll
            for (int k = 0; k < INPUTS; k++) in[k] += index * m.in[k].strides[d];
            out += index * m.out.strides[d];
            mask += index * m.mask.strides[d];
        }
    }
};

template <int INPUTS> GI_DEVICE bool gi_cuda_writes(const gi_cuda_map &m, const gi_place<INPUTS> &at)
{
    return !m.masked || *(const bool *)at.mask;
}

template <class X, class R, R (*f)(X)> GI_DEVICE void gi_cuda_map1_body(const gi_cuda_map &m)
{
    enum { N = GI_VECTOR(GI_WIDER(sizeof(X), sizeof(R))) };
    const gi_span<N> span(m);
#pragma unroll 1
    for (uint32_t e = span.first; e < span.end; e += span.step) {
        const gi_place<1> at(m, e);
        if (span.step == N) {
            X             x[N];
            gi_pack<R, N> r;
            gi_cuda_load(m.in[0], at.in[0], x);
#pragma unroll
            for (int k = 0; k < N; k++) r.e[k] = f(x[k]);
            *(gi_pack<R, N> *)at.out = r;
        } else if (gi_cuda_writes(m, at)) {
            *(R *)at.out = f(gi_cuda_load_one<X>(m.in[0], at.in[0]));
        }
    }
}

template <class X, class R, R (*f)(X)>
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_map1(const __grid_constant__ gi_cuda_map m)
{
    gi_cuda_map1_body<X, R, f>(m);
}

template <class X, class Y, class R, R (*f)(X, Y)>
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_map2(const __grid_constant__ gi_cuda_map m)
{
    enum { N = GI_VECTOR(GI_WIDER(GI_WIDER(sizeof(X), sizeof(Y)), sizeof(R))) };
    const gi_span<N> span(m);
#pragma unroll 1
    for (uint32_t e = span.first; e < span.end; e += span.step) {
        const gi_place<2> at(m, e);
        if (span.step == N) {
            X             x[N];
            Y             y[N];
            gi_pack<R, N> r;
            gi_cuda_load(m.in[0], at.in[0], x);
            gi_cuda_load(m.in[1], at.in[1], y);
#pragma unroll
            for (int k = 0; k < N; k++) r.e[k] = f(x[k], y[k]);
            *(gi_pack<R, N> *)at.out = r;
        } else if (gi_cuda_writes(m, at)) {
            *(R *)at.out = f(gi_cuda_load_one<X>(m.in[0], at.in[0]), gi_cuda_load_one<Y>(m.in[1], at.in[1]));
        }
    }
}

template <class X, class Y, class Z, class R, R (*f)(X, Y, Z)>
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_map3(const __grid_constant__ gi_cuda_map m)
{
    enum { N = GI_VECTOR(GI_WIDER(GI_WIDER(sizeof(X), sizeof(Y)), sizeof(R))) }; /* a wider Z is a number */
    const gi_span<N> span(m);
#pragma unroll 1
    for (uint32_t e = span.first; e < span.end; e += span.step) {
        const gi_place<3> at(m, e);
        if (span.step == N) {
            X             x[N];
            Y             y[N];
            Z             z[N];
            gi_pack<R, N> r;
            gi_cuda_load(m.in[0], at.in[0], x);
            gi_cuda_load(m.in[1], at.in[1], y);
            gi_cuda_load(m.in[2], at.in[2], z);
#pragma unroll
            for (int k = 0; k < N; k++) r.e[k] = f(x[k], y[k], z[k]);
            *(gi_pack<R, N> *)at.out = r;
        } else if (gi_cuda_writes(m, at)) {
            *(R *)at.out = f(gi_cuda_load_one<X>(m.in[0], at.in[0]), gi_cuda_load_one<Y>(m.in[1], at.in[1]),
                             gi_cuda_load_one<Z>(m.in[2], at.in[2]));
        }
    }
}

/* What a copy moves and a choice chooses, by its size alone. */
struct alignas(16) gi_16_bytes {
    uint64_t part[2];
};
template <class U> GI_DEVICE U gi_same(U x) { return x; }
/* Without a branch: nvcc would spill. */
template <class U> GI_DEVICE U           gi_choose(bool chosen, U x, U y) { return (U)(y ^ ((x ^ y) & (U)(0 - (U)chosen))); }
GI_DEVICE gi_16_bytes                    gi_choose_16(bool chosen, gi_16_bytes x, gi_16_bytes y) { return chosen ? x : y; }
template <class U> static gi_cuda_kernel gi_cuda_copy_of(void) { return gi_cuda_map1<U, U, gi_same<U>>; }
template <class U> static gi_cuda_kernel gi_cuda_select_of(void) { return gi_cuda_map3<bool, U, U, U, gi_choose<U>>; }

static gi_cuda_kernel gi_cuda_copy(int64_t itemsize)
{
    switch (itemsize) {
    case 1: return gi_cuda_copy_of<uint8_t>();
    case 2: return gi_cuda_copy_of<uint16_t>();
    case 4: return gi_cuda_copy_of<uint32_t>();
    case 8: return gi_cuda_copy_of<uint64_t>();
    default: return gi_cuda_copy_of<gi_16_bytes>();
    }
}

static gi_cuda_kernel gi_cuda_select(int64_t itemsize)
{
    switch (itemsize) {
    case 1: return gi_cuda_select_of<uint8_t>();
    case 2: return gi_cuda_select_of<uint16_t>();
    case 4: return gi_cuda_select_of<uint32_t>();
    case 8: return gi_cuda_select_of<uint64_t>();
    default: return gi_cuda_map3<bool, gi_16_bytes, gi_16_bytes, gi_16_bytes, gi_choose_16>;
    }
}

/* How the GPU folds a row for a dtype. */
typedef struct gi_cuda_row_folds {
    gi_cuda_fold_kernel kernel; /* of the elements; NULL: see truth, or convert them to the accumulators' dtype */
    gi_cuda_fold_kernel (*truth)(int64_t size); /* the kernel that looks at the truth of elements of any dtype of a size */
    gi_cuda_fold_kernel again;                  /* of accumulators; NULL: the row's kernel for their dtype */
    ga_dtype            accs;                   /* the dtype of an accumulator */
} gi_cuda_row_folds;

template <bool stamped, class F> static gi_cuda_fold_kernel gi_cuda_fold_if(void)
{
    if constexpr (stamped) return gi_cuda_fold<F>;
    else return NULL;
}

template <class A> static ga_dtype gi_cuda_dtype_of(void);
#define GI_CASE(TAG, tag, T, name)                                                                                             \
    template <> ga_dtype gi_cuda_dtype_of<T>(void) { return GA_##TAG; }
GI_EACH_DTYPE(GI_CASE)
#undef GI_CASE

template <class A, A (*of)(bool), A (*join)(A, A), A (*end)(A, int64_t)>
static gi_cuda_fold_kernel gi_cuda_truth_kernel(int64_t itemsize)
{
    switch (itemsize) {
    case 1: return gi_cuda_fold<gi_cuda_truth_fold<uint8_t, A, of, join, end>>;
    case 4: return gi_cuda_fold<gi_cuda_truth_fold<uint32_t, A, of, join, end>>;
    case 8: return gi_cuda_fold<gi_cuda_truth_fold<uint64_t, A, of, join, end>>;
    default: return NULL; /* rare: converted to bool before */
    }
}

#define GI_PASS 5
#include "gpuarr.h"
#undef GI_PASS

static gi_cuda_kernel gi_cuda_cast(ga_dtype to)
{
    switch (to) {
#define GI_CASE(TAG, tag, T, name)                                                                                             \
    case GA_##TAG:                                                                                                             \
        return gi_cuda_cast_##tag;
        GI_EACH_STAMPED(GI_CASE)
#undef GI_CASE
    default: return NULL;
    }
}

template <class U> GI_DEVICE bool        gi_never(U x) { return (void)x, false; }
template <class U> GI_DEVICE bool        gi_always(U x) { return (void)x, true; }
template <class U> static gi_cuda_kernel gi_cuda_constant_of(bool value)
{
    if (value) return gi_cuda_map1<U, bool, gi_always<U>>;
    return gi_cuda_map1<U, bool, gi_never<U>>;
}

/* Integers are finite and no NaN: these rows need no kernel for each of them. */
static gi_cuda_kernel gi_cuda_constant(int64_t itemsize, bool value)
{
    switch (itemsize) {
    case 1: return gi_cuda_constant_of<uint8_t>(value);
    case 2: return gi_cuda_constant_of<uint16_t>(value);
    case 4: return gi_cuda_constant_of<uint32_t>(value);
    default: return gi_cuda_constant_of<uint64_t>(value);
    }
}

/* The kernel of an elementwise operation for a dtype, NULL if its row has none. */
static gi_cuda_kernel gi_cuda_row(ga_op op, ga_dtype dtype)
{
    if (dtype < GA_F32 && (op == GA_OP_isnan || op == GA_OP_isinf)) return gi_cuda_constant(ga_itemsize(dtype), false);
    if (dtype < GA_F32 && op == GA_OP_isfinite) return gi_cuda_constant(ga_itemsize(dtype), true);
    switch (dtype) {
#define GI_CASE(TAG, tag, T, name)                                                                                             \
    case GA_##TAG:                                                                                                             \
        return gi_cuda_row_##tag(op);
        GI_EACH_STAMPED(GI_CASE)
#undef GI_CASE
    default: return NULL;
    }
}

/* How a reduction folds a dtype on the GPU; false if its row does not have it. */
static bool gi_cuda_find_fold(ga_op op, ga_dtype dtype, gi_cuda_row_folds *f)
{
    memset(f, 0, sizeof *f);
    if (dtype == GA_BOOL && !gi_cuda_find_fold_b8(op, f)) dtype = GA_U8; /* truths are the numbers 0 and 1 */
    switch (dtype) {
#define GI_CASE(TAG, tag, T, name)                                                                                             \
    case GA_##TAG:                                                                                                             \
        return gi_cuda_find_fold_##tag(op, f);
        GI_EACH_STAMPED(GI_CASE)
#undef GI_CASE
    default: return false;
    }
}

#elif GI_CUDA_PART == 3
/* ==== >>cuda elementwise: from gi_map's job to launches =============================================================== */

/* The device's view of an operand. `first`: the index along the outermost dimension where the launch begins. `vector`: the elements of a
   vector; *packed becomes false if the operand does not lie so that vectors can be read (`written`: or written). */
static gi_cuda_operand gi_cuda_operand_of(const gi_job *j, const gi_operand *v, int64_t first, int vector, bool written,
                                          bool *packed)
{
    gi_cuda_operand o;
    memset(&o, 0, sizeof o);
    int64_t size = ga_itemsize(v->dtype), along = v->strides[j->ndim - 1];
    if (v->number) {
        o.how = GI_HOW_NUMBER;
        memcpy(o.number, v->data, (size_t)size);
        return o;
    }
    o.data       = v->data + first * v->strides[0];
    o.how        = along == 0 && !written ? GI_HOW_SPREAD : GI_HOW_PACKED;
    bool aligned = along == size && (uintptr_t)o.data % (uintptr_t)(size * vector) == 0;
    for (int d = 0; d < j->ndim; d++) {
        o.strides[d] = v->strides[d];
        if (d < j->ndim - 1) aligned = aligned && v->strides[d] % (size * vector) == 0;
    }
    if (o.how == GI_HOW_PACKED && !aligned) *packed = false;
    return o;
}

/* The widest element that the threads of a job move: it decides how many elements make a vector, as in the kernels. */
static int64_t gi_cuda_width(const gi_job *j)
{
    int64_t width = ga_itemsize(j->out.dtype);
    for (int k = 0; k < j->inputs && (k < 2 || j->own.kernel); k++)
        if (ga_itemsize(j->in[k].dtype) > width) width = ga_itemsize(j->in[k].dtype);
    for (int k = 1; k < j->outputs; k++)
        if (ga_itemsize(j->more[k - 1].dtype) > width) width = ga_itemsize(j->more[k - 1].dtype);
    return width;
}

/* The rows and columns of a launch of `count` indices of the outermost dimension. */
static void gi_cuda_grid_of(const gi_job *j, int64_t count, int vector, gi_cuda_grid *m)
{
    int64_t rows = 1;
    m->ndim      = j->ndim;
    m->packed    = !j->masked;
    for (int d = 0; d < j->ndim; d++) {
        int64_t length = d == 0 ? count : j->shape[d];
        m->shape[d]    = gi_divisor_of(length);
        if (d < j->ndim - 1) rows *= length;
    }
    int64_t columns = m->shape[j->ndim - 1].by;
    m->row          = gi_divisor_of((columns + vector - 1) / vector);
    m->elements     = (uint32_t)(rows * columns);
    m->vectors      = (uint32_t)(rows * m->row.by);
}

static unsigned gi_cuda_map_blocks(const gi_cuda_grid *m, int vector)
{
    return gi_cuda_blocks(m->packed ? m->vectors : ((int64_t)m->elements + vector - 1) / vector);
}

/* The same for a kernel of the user's: its operands in the order of the parameters, then the formula's own result. */
static bool gi_cuda_launch_own(const char *site, const gi_job *j, int64_t first, int64_t count)
{
    const ga_kernel *kernel = j->own.kernel;
    gi_cuda_own      m;
    memset(&m, 0, sizeof m);
    int vector = GI_VECTOR(gi_cuda_width(j)), in = 0, out = kernel->result.output;
    gi_cuda_grid_of(j, count, vector, &m);
    m.masked = j->masked;
    for (int k = 0; k < kernel->parameters; k++) {
        bool              written = kernel->parameter[k].output;
        const gi_operand *v       = written ? gi_target_of(j, out++) : &j->in[in++];
        m.operand[k]              = gi_cuda_operand_of(j, v, first, vector, written, &m.packed);
    }
    if (kernel->result.output) m.operand[kernel->parameters] = gi_cuda_operand_of(j, &j->out, first, vector, true, &m.packed);
    if (j->masked) m.mask = gi_cuda_operand_of(j, &j->mask, first, vector, false, &m.packed);
    m.index = j->first_place + first * j->place.strides[0];
    for (int d = 0; d < j->ndim; d++) m.place[d] = j->place.strides[d];
    GI_LAUNCH((void (*)(const gi_cuda_own))j->own.gpu, gi_cuda_map_blocks(&m, vector), GI_CUDA_THREADS,
              gi_cuda_current_stream(), m);
    return gi_cuda_launched(site, kernel->name);
}

/* Launches the indices first to first + count - 1 of the outermost dimension. */
static bool gi_cuda_launch_map(const char *site, const gi_job *j, gi_gpu_kernel kernel, int64_t first, int64_t count)
{
    gi_cuda_map m;
    memset(&m, 0, sizeof m);
    int vector = GI_VECTOR(gi_cuda_width(j));
    gi_cuda_grid_of(j, count, vector, &m);
    m.from   = j->in[0].dtype;
    m.masked = j->masked;
    for (int k = 0; k < j->inputs; k++) m.in[k] = gi_cuda_operand_of(j, &j->in[k], first, vector, false, &m.packed);
    m.out = gi_cuda_operand_of(j, &j->out, first, vector, true, &m.packed);
    if (j->masked) m.mask = gi_cuda_operand_of(j, &j->mask, first, vector, false, &m.packed);
    GI_LAUNCH(kernel, gi_cuda_map_blocks(&m, vector), GI_CUDA_THREADS, gi_cuda_current_stream(), m);
    return gi_cuda_launched(site, "an elementwise operation");
}

/* Runs a job whose operands are complete, on the device of its output (touched before). A launch computes at most 2^30 elements. */
static bool gi_cuda_run(const char *site, gi_job *j)
{
    const int64_t most = (int64_t)1 << 30;
    for (int d = 0; d < j->ndim; d++)
        if (j->shape[d] == 0) return true;
    gi_order_dimensions(j);
    gi_coalesce(j);
    gi_gpu_kernel kernel = j->gpu;
    if (!gi_computes(j))
        kernel = j->in[0].dtype == j->out.dtype ? gi_cuda_copy(ga_itemsize(j->out.dtype)) : gi_cuda_cast(j->out.dtype);
    int64_t below = 1; /* elements for one index along the outermost dimension */
    for (int d = 1; d < j->ndim; d++) below *= j->shape[d];
    if (below > most) { /* too many already: each index is a job */
        for (int64_t i = 0; i < j->shape[0]; i++) {
            gi_job part   = *j;
            part.shape[0] = 1;
            for (int k = 0; k < j->inputs; k++)
                if (!part.in[k].number) part.in[k].data += i * part.in[k].strides[0];
            part.out.data += i * part.out.strides[0];
            for (int k = 1; k < part.outputs; k++) part.more[k - 1].data += i * part.more[k - 1].strides[0];
            part.first_place += i * part.place.strides[0];
            if (part.masked) part.mask.data += i * part.mask.strides[0];
            if (!gi_cuda_run(site, &part)) return false;
        }
        return true;
    }
    int64_t step = most / below;
    for (int64_t first = 0; first < j->shape[0]; first += step) {
        int64_t count = j->shape[0] - first < step ? j->shape[0] - first : step;
        if (!(j->own.kernel ? gi_cuda_launch_own(site, j, first, count) : gi_cuda_launch_map(site, j, kernel, first, count)))
            return false;
    }
    return true;
}

/* Fills a new array with an element of its dtype. */
static bool gi_cuda_fill(const char *site, ga_array *a, const void *element)
{
    gi_job j;
    memset(&j, 0, sizeof j);
    if (!gi_cuda_touch(site, a)) return false;
    j.inputs       = 1;
    j.ndim         = 1;
    j.shape[0]     = a->size;
    j.in[0].number = true;
    j.in[0].data   = (char *)element;
    j.in[0].dtype = j.in[0].wanted = a->dtype;
    j.out.data                     = (char *)a->data;
    j.out.dtype = j.out.wanted = a->dtype;
    j.out.strides[0]           = ga_itemsize(a->dtype);
    return gi_cuda_run(site, &j);
}

/* The elements of an array on the CPU go into a C-ordered array on the GPU, cast to its dtype. */
static bool gi_cuda_upload(const char *site, ga_array *to, const ga_array *from)
{
    ga_array *packed = gi_contiguous(site, from, to->dtype);
    if (!packed) return false;
    bool ok = gi_cuda_touch(site, to) &&
              gi_cuda_write(site, to, to->data, packed->data, (size_t)(packed->size * ga_itemsize(packed->dtype)));
    ga_free(packed);
    return ok;
}

/* ==== >>cuda folds: reductions along the documented tree =============================================================== */

/* Lines whose elements lie in memory as they are folded: in their dtype, with at most two strides. */
typedef struct gi_cuda_lines {
    const char *data;
    int         kept;
    int64_t     kept_shape[GPUARR_MAX_DIMS], kept_strides[GPUARR_MAX_DIMS];
    int64_t lines, length, stride, outer, inner; /* inner: elements that lie `stride` apart, the next ones begin `outer` away */
    int64_t size;                                /* bytes of an element */
} gi_cuda_lines;

/* Packed lines one after the other. */
static gi_cuda_lines gi_cuda_packed_lines(const void *data, int64_t lines, int64_t length, int64_t size)
{
    gi_cuda_lines p;
    memset(&p, 0, sizeof p);
    p.data            = (const char *)data;
    p.kept            = 1;
    p.kept_shape[0]   = lines;
    p.kept_strides[0] = length * size;
    p.lines           = lines;
    p.length = p.inner = length;
    p.stride           = size;
    p.size             = size;
    return p;
}

/* Does each line lie packed, and the lines one after the other? */
static bool gi_cuda_lie_packed(const gi_lines *p)
{
    int64_t size = ga_itemsize(p->a->dtype), next = p->length * size;
    if (p->reduced > 1 || (p->length > 1 && p->strides[0] != size)) return false;
    for (int d = p->kept - 1; d >= 0; d--) {
        if (p->kept_shape[d] > 1 && p->kept_strides[d] != next) return false;
        next *= p->kept_shape[d];
    }
    return true;
}

/* The lines of a plan as elements of `dtype`, copied where they cannot be folded as they lie, or are to be packed and are not. *copy is to be freed. False with an error. */
static bool gi_cuda_lines_of(const char *site, const gi_lines *p, ga_dtype dtype, bool packed, gi_cuda_lines *q,
                             ga_array **copy)
{
    *copy = NULL;
    if (dtype != p->a->dtype || (packed && !gi_cuda_lie_packed(p)) || p->reduced > 2 ||
        (p->reduced == 2 && p->length >= (int64_t)1 << 30)) {
        int64_t shape[2 * GPUARR_MAX_DIMS], strides[2 * GPUARR_MAX_DIMS];
        for (int d = 0; d < p->kept; d++) {
            shape[d]   = p->kept_shape[d];
            strides[d] = p->kept_strides[d];
        }
        for (int d = 0; d < p->reduced; d++) {
            shape[p->kept + d]   = p->shape[d];
            strides[p->kept + d] = p->strides[d];
        }
        int       ndim = p->kept + p->reduced;
        ga_array *view = ndim <= GPUARR_MAX_DIMS /* one element a line: an axis too many */
                             ? gi_new_view(site, p->a, p->a->data, p->a->dtype, ndim, shape, strides)
                             : gi_new_view(site, p->a, p->a->data, p->a->dtype, p->kept, shape, strides);
        *copy          = view ? gi_convert(site, view, dtype) : NULL;
        ga_free(view);
        if (!*copy) return false;
        *q = gi_cuda_packed_lines((*copy)->data, p->lines, p->length, ga_itemsize(dtype));
        return true;
    }
    memset(q, 0, sizeof *q);
    q->data = (const char *)p->a->data;
    for (int d = 0; d < p->kept; d++) {
        int last = q->kept - 1;
        if (p->kept_shape[d] == 1) continue;
        if (last >= 0 && q->kept_strides[last] == p->kept_strides[d] * p->kept_shape[d]) {
            q->kept_shape[last] *= p->kept_shape[d];
            q->kept_strides[last] = p->kept_strides[d];
        } else {
            q->kept_shape[q->kept]     = p->kept_shape[d];
            q->kept_strides[q->kept++] = p->kept_strides[d];
        }
    }
    q->lines  = p->lines;
    q->length = p->length;
    q->inner  = p->shape[p->reduced - 1];
    q->stride = p->strides[p->reduced - 1];
    q->outer  = p->reduced == 2 ? p->strides[0] : 0;
    q->size   = ga_itemsize(dtype);
    return true;
}

static int gi_cuda_ordinal_in_use(void)
{
    int ordinal = 0;
    (void)cudaGetDevice(&ordinal);
    return ordinal;
}

/* How a level of the tree is folded: the kernel, and how many elements each of its lanes takes (in a pass). */
typedef struct gi_cuda_level {
    gi_cuda_fold_kernel kernel;
    int                 lane_elements;
} gi_cuda_level;

static gi_cuda_level gi_cuda_tree(gi_cuda_fold_kernel kernel)
{
    gi_cuda_level level = { kernel, GI_LANE_ELEMENTS };
    return level;
}

/* Launches one level of the tree: each block of each line becomes an accumulator in j->accs, or the result of the line. */
static bool gi_cuda_fold_level(const char *site, gi_cuda_level level, gi_cuda_folding j, gi_cuda_lines p, int64_t acc_bytes,
                               int64_t result_bytes)
{
    const int64_t most = (int64_t)1 << 30, blocks = (p.length + GI_BLOCK - 1) / GI_BLOCK;
    if (p.lines > 1 && (p.lines > most || blocks > most / p.lines)) { /* in two halves along the first axis */
        gi_cuda_lines half = p;
        int64_t       lines;
        while (p.kept_shape[0] == 1) {
            p.kept--;
            memmove(p.kept_shape, p.kept_shape + 1, (size_t)p.kept * sizeof *p.kept_shape);
            memmove(p.kept_strides, p.kept_strides + 1, (size_t)p.kept * sizeof *p.kept_strides);
        }
        half               = p;
        half.kept_shape[0] = p.kept_shape[0] / 2;
        half.lines = lines = p.lines / p.kept_shape[0] * half.kept_shape[0];
        if (!gi_cuda_fold_level(site, level, j, half, acc_bytes, result_bytes)) return false;
        p.data += half.kept_shape[0] * p.kept_strides[0];
        p.kept_shape[0] -= half.kept_shape[0];
        p.lines -= lines;
        j.lines_before += lines;
        if (j.accs) j.accs += lines * j.blocks * acc_bytes;
        else j.result += lines * result_bytes;
        return gi_cuda_fold_level(site, level, j, p, acc_bytes, result_bytes);
    }
    if (blocks > most) { /* one line of 2^40 elements and more */
        gi_cuda_lines part = p;
        part.length = part.inner = most * GI_BLOCK;
        if (!gi_cuda_fold_level(site, level, j, part, acc_bytes, result_bytes)) return false;
        p.data += part.length * p.stride;
        p.inner = p.length -= part.length;
        j.before += part.length;
        j.accs += most * acc_bytes;
        return gi_cuda_fold_level(site, level, j, p, acc_bytes, result_bytes);
    }
    int64_t block = p.length < GI_BLOCK ? p.length : GI_BLOCK, near = p.kept > 0 ? llabs(p.kept_strides[p.kept - 1]) : 0;
    j.data   = p.data;
    j.stride = p.stride;
    j.outer  = p.outer;
    j.length = p.length;
    j.two    = p.inner < p.length;
    if (j.two) j.inner = gi_divisor_of(p.inner);
    j.columns = p.lines > 1 && near < llabs(p.stride);
    j.units   = (uint32_t)(p.lines * blocks);
    j.per     = gi_divisor_of(j.columns ? p.lines : blocks);
    j.kept    = p.kept;
    j.packed  = !j.two && !j.columns && p.stride == p.size && p.length >= GI_BLOCK && (uintptr_t)p.data % 16 == 0;
    for (int d = 0; d < p.kept; d++) {
        j.kept_shape[d]   = gi_divisor_of(p.kept_shape[d]);
        j.kept_strides[d] = p.kept_strides[d];
        j.packed          = j.packed && p.kept_strides[d] % 16 == 0;
    }
    while (level.lane_elements << j.lanes < block) j.lanes++;
    j.step_log = j.lanes;
    j.step     = 1u << j.lanes;
    if (j.columns) { /* fewer lanes, in more passes, for more neighbours: as long as all of the GPU has work */
        int64_t enough = 2 * gi_gpus.gpu[gi_cuda_ordinal_in_use()].processors;
        while (j.lanes > 0 && j.step >> j.lanes < GI_MOST_PASSES(acc_bytes) &&
               ((int64_t)j.units << (j.lanes - 1)) / GI_CUDA_THREADS >= enough)
            j.lanes--;
    }
    int64_t runs     = j.two ? j.step / p.inner : 0;
    j.columns_jumped = (uint32_t)(j.two ? j.step % p.inner : 0);
    j.jump           = runs * p.outer + (j.two ? j.columns_jumped : j.step) * p.stride;
    j.carry          = p.outer - p.inner * p.stride;
    GI_LAUNCH(level.kernel, gi_cuda_blocks((int64_t)j.units << j.lanes), GI_CUDA_THREADS, gi_cuda_current_stream(), j);
    return gi_cuda_launched(site, "a reduction");
}

/* Folds lines that are not empty by `level`, then the accumulators by `again`, until one is left for each line: `j` says what becomes
   of it. `on` is an array on the device, touched before. */
static bool gi_cuda_fold_lines(const char *site, const ga_array *on, gi_cuda_level level, gi_cuda_level again,
                               gi_cuda_folding j, gi_cuda_lines p, int64_t acc_bytes, int64_t result_bytes)
{
    gi_scratch from = { NULL, 0, 0, NULL }, to = { NULL, 0, 0, NULL };
    bool       ok = true;
    j.count       = p.length;
    while (ok) {
        int64_t blocks = (p.length + GI_BLOCK - 1) / GI_BLOCK;
        j.blocks       = blocks;
        j.accs         = NULL;
        if (blocks > 1) {
            ok = gi_scratch_get(site, &to, on, (size_t)(p.lines * blocks * acc_bytes));
            if (!ok) break;
            j.accs = (char *)to.p;
        }
        ok = gi_cuda_fold_level(site, level, j, p, acc_bytes, result_bytes);
        if (from.p) gi_scratch_free(&from);
        if (blocks == 1) break;
        from    = to;
        to.p    = NULL;
        p       = gi_cuda_packed_lines(from.p, p.lines, blocks, acc_bytes);
        level   = again;
        j.again = true;
    }
    if (from.p) gi_scratch_free(&from);
    return ok;
}

/* The bits that make an element of a dtype true: all but the sign of zero. */
static uint64_t gi_cuda_truth_mask(ga_dtype dtype)
{
    return dtype == GA_F32   ? 0x7fffffffu
           : dtype == GA_C64 ? 0x7fffffff7fffffffu
           : dtype == GA_F64 ? (uint64_t)INT64_MAX
                             : UINT64_MAX;
}

/* Are elements of this dtype converted to the accumulator's before they are folded, because a kernel of their own would be rarely used? */
static bool gi_cuda_folds_wider(ga_op op, ga_dtype dtype)
{
    gi_cuda_row_folds f;
    return gi_cuda_find_fold(op, dtype, &f) && !f.truth && !f.kernel;
}

/* The kernels of a row for elements of `from` that are folded as `to`, and the dtype in which they are given to it. False: there are none. */
static bool gi_cuda_plan_fold(ga_op op, ga_dtype from, ga_dtype to, gi_cuda_row_folds *f, ga_dtype *dtype)
{
    gi_cuda_row_folds of_accs;
    *dtype = to;
    if (!gi_cuda_find_fold(op, to, f)) return false;
    if (f->truth && f->truth(ga_itemsize(from))) *dtype = from;
    if (f->truth) f->kernel = f->truth(ga_itemsize(*dtype));
    if (!f->kernel) {
        *dtype = f->accs;
        if (!gi_cuda_find_fold(op, *dtype, f)) return false;
    }
    if (!f->again && gi_cuda_find_fold(op, f->accs, &of_accs)) f->again = of_accs.kernel;
    return true;
}

/* A row of the table over planned lines that are not empty. */
static bool gi_cuda_reduce(const char *site, ga_op op, const gi_lines *p, ga_array *result)
{
    gi_cuda_row_folds f;
    gi_cuda_folding   j;
    gi_cuda_lines     lines;
    ga_array         *copy;
    ga_dtype          dtype;
    memset(&j, 0, sizeof j);
    if (p->lines == 0) return true;
    if (!gi_cuda_plan_fold(op, p->a->dtype, p->dtype, &f, &dtype)) return false;
    const ga_array *both[2] = { p->a, result };
    if (!gi_cuda_touch_all(site, 2, both) || !gi_cuda_lines_of(site, p, dtype, false, &lines, &copy)) return false;
    j.mask   = gi_cuda_truth_mask(dtype);
    j.narrow = ga_itemsize(result->dtype) < ga_itemsize(f.accs);
    j.result = (char *)result->data;
    bool ok  = gi_cuda_fold_lines(site, p->a, gi_cuda_tree(f.kernel), gi_cuda_tree(f.again), j, lines, ga_itemsize(f.accs),
                                  ga_itemsize(result->dtype));
    ga_free(copy);
    return ok;
}

/* The size of the accumulators that gi_cuda_block_accs makes; 0: it cannot. */
static int64_t gi_cuda_acc_bytes(ga_op op, ga_dtype from, ga_dtype to)
{
    gi_cuda_row_folds f;
    ga_dtype          dtype;
    if (from != to && gi_cuda_folds_wider(op, to)) return 0; /* to be rounded to `to` before */
    return gi_cuda_plan_fold(op, from, to, &f, &dtype) ? ga_itemsize(f.accs) : 0;
}

/* The accumulators of the blocks of one line, as the CPU makes them, to memory of the host. */
static bool gi_cuda_block_accs(const char *site, ga_op op, const gi_lines *p, char *accs)
{
    gi_cuda_row_folds f;
    gi_cuda_folding   j;
    gi_cuda_lines     lines;
    ga_array         *copy;
    ga_dtype          dtype;
    gi_scratch        room;
    memset(&j, 0, sizeof j);
    if (!gi_cuda_plan_fold(op, p->a->dtype, p->dtype, &f, &dtype)) return false;
    if (!gi_cuda_touch(site, p->a) || !gi_cuda_lines_of(site, p, dtype, false, &lines, &copy)) return false;
    const int64_t size = ga_itemsize(f.accs);
    j.mask             = gi_cuda_truth_mask(dtype);
    j.count            = p->length;
    j.blocks           = (p->length + GI_BLOCK - 1) / GI_BLOCK;
    bool ok            = gi_scratch_get(site, &room, p->a, (size_t)(j.blocks * size));
    if (ok) {
        j.accs = (char *)room.p;
        ok     = gi_cuda_fold_level(site, gi_cuda_tree(f.kernel), j, lines, size, size) &&
             gi_cuda_read(site, p->a, accs, room.p, (size_t)(j.blocks * size));
        gi_scratch_free(&room);
    }
    ga_free(copy);
    return ok;
}

/* ---- reductions of the user's -------------------------------------------------------------------------------------------- */

static gi_cuda_input gi_cuda_input_of(const gi_cuda_lines *p)
{
    gi_cuda_input in;
    memset(&in, 0, sizeof in);
    in.data   = p->data;
    in.kept   = p->kept;
    in.stride = p->stride;
    in.outer  = p->outer;
    in.two    = p->inner < p->length;
    if (in.two) in.inner = gi_divisor_of(p->inner);
    for (int d = 0; d < p->kept; d++) {
        in.kept_shape[d]   = gi_divisor_of(p->kept_shape[d]);
        in.kept_strides[d] = p->kept_strides[d];
    }
    return in;
}

static bool gi_cuda_reduce_own(const char *site, const gi_reducing *r, ga_array *result)
{
    const ga_reduction *k = r->k;
    gi_cuda_folding     j;
    gi_cuda_lines       lines[GPUARR_MAX_INPUTS];
    ga_array           *copies[GPUARR_MAX_INPUTS] = { NULL };
    const ga_array     *touched[GPUARR_MAX_INPUTS + 1];
    const int           inputs = k->map.parameters;
    memset(&j, 0, sizeof j);
    for (int i = 0; i < inputs; i++) touched[i] = r->in[i].a;
    touched[inputs] = result;
    bool ok         = gi_cuda_touch_all(site, inputs + 1, touched);
    for (int i = 0; i < inputs && ok; i++) {
        ok = gi_cuda_lines_of(site, &r->in[i], r->in[i].dtype, false, &lines[i], &copies[i]);
        if (ok && i > 0) j.inputs[i - 1] = gi_cuda_input_of(&lines[i]);
    }
    j.result = (char *)result->data;
    ok       = ok && gi_cuda_fold_lines(site, r->in[0].a, gi_cuda_tree((gi_cuda_fold_kernel)k->cuda),
                                        gi_cuda_tree((gi_cuda_fold_kernel)k->cuda_again), j, lines[0], k->acc_bytes,
                                        ga_itemsize(result->dtype));
    for (int i = 0; i < inputs; i++) ga_free(copies[i]);
    return ok;
}

/* ---- stencils of the user's own ------------------------------------------------------------------------------------------- */

static bool gi_cuda_stencil_step(const char *site, const ga_stencil_kernel *k, const gi_stencil *s, int *beyond)
{
    const int64_t   most  = (int64_t)1 << 30;
    int64_t         tiles = 1;
    gi_cuda_stencil m;
    memset(&m, 0, sizeof m);
    m.in     = s->in;
    m.out    = s->out;
    m.border = s->border;
    m.beyond = beyond;
    memcpy(m.constant, s->constant, sizeof m.constant);
    for (int i = 0; i < k->kernel.parameters; i++) memcpy(m.operand[i], s->e.operand[i], sizeof m.operand[i]);
    for (int d = 0; d < 3; d++) {
        m.shape[d] = s->shape[d];
        tiles *= (s->shape[d] + k->tile[d] - 1) / k->tile[d];
    }
    for (; m.first < tiles; m.first += most) {
        const unsigned blocks = (unsigned)(tiles - m.first < most ? tiles - m.first : most);
        GI_LAUNCH((void (*)(const gi_cuda_stencil))k->kernel.stamp->cuda, blocks, GI_CUDA_THREADS, gi_cuda_current_stream(), m);
        if (!gi_cuda_launched(site, k->kernel.name)) return false;
    }
    return true;
}

/* A launch for each step. The host waits, to hear whether an offset was beyond the reach. */
static bool gi_cuda_stencil_steps(const char *site, const ga_stencil_kernel *k, gi_stencil *s, int64_t steps, ga_array *result,
                                  ga_array *other)
{
    gi_scratch beyond;
    if (!gi_scratch_get(site, &beyond, result, sizeof(int))) return false;
    bool done = GI_CUDA_OK(site, cudaMemsetAsync(beyond.p, 0, sizeof(int), gi_cuda_current_stream()));
    for (; steps > 0 && done; steps--) {
        s->out = (char *)(steps % 2 ? result : other)->data;
        done   = gi_cuda_stencil_step(site, k, s, (int *)beyond.p);
        s->in  = s->out;
    }
    done = done && gi_cuda_read(site, result, &s->beyond, beyond.p, sizeof s->beyond);
    gi_scratch_free(&beyond);
    return done && !s->beyond;
}

/* ==== >>cuda moments: variances ========================================================================================= */

GI_DEVICE void gi_cuda_end_moment(const gi_cuda_folding &j, uint32_t line, const gi_node &v)
{
    ((double *)j.result)[line] = gi_moment_value((gi_moment)j.moments.what, j.moments.skip_nan, j.moments.ddof, v);
}

/* What is subtracted from the elements of a line: the first one. */
template <class T> GI_DEVICE double gi_cuda_origin(T x) { return gi_isfinite_f64((double)x) ? (double)x : 0; }

/* Elements, none of them left out: how many a node holds follows from its place, so that an accumulator is a sum and the squared
   distances only. */
struct gi_cuda_spread {
    double s, m;
};
template <class T_> struct gi_cuda_moment_fold {
    typedef T_             T;
    typedef gi_cuda_spread A;
    enum { any_order = 0 };
    const gi_cuda_folding &j;
    double                 origin;
    uint32_t               n; /* elements of the block */

    __device__ __forceinline__ gi_cuda_moment_fold(const gi_cuda_folding &job, uint32_t, const char *first, int64_t,
                                                   uint32_t length)
        : j(job), origin(0), n(length)
    {
        if (j.moments.shifted && n > 0) origin = gi_cuda_origin(*(const T *)(first - j.before * j.stride));
    }
    __device__ __forceinline__ A of(T x, uint32_t) const
    {
        A a = { (double)x - origin, 0 };
        return a;
    }
    /* gi_join_nodes, its quotients from a table */
    __device__ __forceinline__ A join(A a, A b, uint32_t i, uint32_t h) const
    {
        const uint32_t level = 31 - (uint32_t)__clz((int)h), last = n < GI_BLOCK, left = n & (2 * h - 1);
        const uint32_t more = i + h < left ? 0 : i < left ? 1 : 2; /* which of the two nodes has an element more */
        const double   t    = a.s - gi_mul_f64(more == 1 ? j.moments.ratio[level] : 1.0, b.s);
        A              r;
        r.s = a.s + b.s;
        r.m = (a.m + b.m) + gi_mul_f64(gi_mul_f64(t, t), j.moments.scale[last][level][more]);
        return r;
    }
    __device__ __forceinline__ gi_node node(A a) const
    {
        gi_node v = { (double)n, a.s, a.m };
        return v;
    }
    __device__ __forceinline__ void keep(int64_t at, A a) const { ((gi_node *)j.accs)[at] = node(a); }
    __device__ __forceinline__ void end(uint32_t line, A a) const { gi_cuda_end_moment(j, line, node(a)); }
};

/* Means of the numbers among the elements. */
struct gi_cuda_tally {
    double n, s;
};
GI_DEVICE gi_cuda_tally gi_cuda_tally_of(const gi_cuda_tally &x) { return x; }
GI_DEVICE gi_cuda_tally gi_cuda_tally_of(double x)
{
    gi_cuda_tally a = { 0, 0 };
    if (x == x) a.n = 1, a.s = x;
    return a;
}
template <class T_> struct gi_cuda_nanmean_fold {
    typedef T_            T;
    typedef gi_cuda_tally A;
    enum { any_order = 0 };
    const gi_cuda_folding &j;

    __device__ __forceinline__ gi_cuda_nanmean_fold(const gi_cuda_folding &job, uint32_t, const char *, int64_t, uint32_t)
        : j(job)
    {
    }
    __device__ __forceinline__ A of(const T &x, uint32_t) const { return gi_cuda_tally_of(x); }
    __device__ __forceinline__ A join(A a, A b, uint32_t, uint32_t) const
    {
        A r = { a.n + b.n, a.s + b.s };
        return b.n == 0 ? a : a.n == 0 ? b : r;
    }
    __device__ __forceinline__ void keep(int64_t at, A a) const { ((A *)j.accs)[at] = a; }
    __device__ __forceinline__ void end(uint32_t line, A a) const
    {
        gi_node v = { a.n, a.s, 0 };
        gi_cuda_end_moment(j, line, v);
    }
};

/* Nodes of any counts: of elements with NaNs to leave out, and of whole blocks. A unit's nodes lie in shared memory, four for each of its
   lanes. */
GI_DEVICE gi_node gi_cuda_node_of(const gi_cuda_folding &j, const gi_node &x, const gi_node *first)
{
    return (void)j, (void)first, x;
}
template <class T> GI_DEVICE gi_node gi_cuda_node_of(const gi_cuda_folding &j, T x, const T *first)
{
    gi_node v = { 0, 0, 0 };
    if (x == x) v.n = 1, v.s = (double)x - gi_cuda_origin(first[-j.before]);
    return v;
}
template <class T>
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_nodes(const __grid_constant__ gi_cuda_folding j)
{
    GI_SHARED(gi_node, shared, [GI_BLOCK]);
    const uint32_t lanes = 1u << j.lanes, i = threadIdx.x & (lanes - 1);
    const uint32_t unit = blockIdx.x * (GI_CUDA_THREADS >> j.lanes) + (threadIdx.x >> j.lanes);
    const uint32_t line = gi_divide(unit, j.per), block = unit - line * j.per.by;
    const int64_t  start = (int64_t)block * GI_BLOCK;
    const uint32_t n     = unit >= j.units ? 0 : j.length - start < GI_BLOCK ? (uint32_t)(j.length - start) : GI_BLOCK;
    const T       *first = (const T *)j.data + line * j.length;
    gi_node       *s     = shared + (threadIdx.x - i) * 4;
#pragma unroll
    for (uint32_t k = 0; k < 4; k++)
        if (i + k * lanes < n) s[i + k * lanes] = gi_cuda_node_of(j, first[start + i + k * lanes], first);
#pragma unroll 1
    for (uint32_t h = 2 * lanes; h > 0; h /= 2) {
        __syncthreads();
#pragma unroll 1
        for (uint32_t e = i; e < h && e + h < n; e += lanes) s[e] = gi_join_nodes(s[e], s[e + h]);
    }
    if (i > 0 || n == 0) return;
    if (j.accs) ((gi_node *)j.accs)[line * j.blocks + block] = s[0];
    else gi_cuda_end_moment(j, line, s[0]);
}

/* clang-format off */
#define GI_CASE(TAG, tag, T, name) case GA_##TAG: return gi_cuda_fold<gi_cuda_moment_fold<T>>;
static gi_cuda_fold_kernel gi_cuda_moment_kernel(ga_dtype dtype)
{
    switch (dtype) {
    case GA_BOOL: return gi_cuda_fold<gi_cuda_moment_fold<uint8_t>>;
    GI_EACH_INT(GI_CASE)
    GI_EACH_FLT(GI_CASE)
    default: return NULL;
    }
}
#undef GI_CASE
/* clang-format on */

/* A level of the tree that is folded by gi_cuda_nodes. */
static gi_cuda_level gi_cuda_node_tree(gi_cuda_fold_kernel kernel)
{
    gi_cuda_level level = { kernel, 4 };
    return level;
}

/* The variances of the real and of the imaginary parts become those of complex numbers, in `re`. */
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_complex_moments(double *re, const double *im, int64_t size, gi_moment what, double n, int ddof)
{
    const int64_t i = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x;
    if (i < size) re[i] = gi_complex_moment(what, re[i] + im[i], n, ddof);
}

static bool gi_cuda_join_parts(const char *site, int what, ga_array *re, const ga_array *im, double n, int ddof)
{
    const ga_array *both[2] = { re, im };
    if (re->size == 0) return true;
    if (!gi_cuda_touch_all(site, 2, both)) return false;
    GI_LAUNCH(gi_cuda_complex_moments, gi_cuda_blocks(re->size), GI_CUDA_THREADS, gi_cuda_current_stream(), (double *)re->data,
              (const double *)im->data, re->size, (gi_moment)what, n, ddof);
    return gi_cuda_launched(site, "a variance");
}

/* The factors of gi_join_nodes for the nodes of a block of n elements. */
static void gi_cuda_moment_factors(int64_t n, double *ratio, double (*scale)[3])
{
    for (int level = 0; level < 10; level++) {
        double few = (double)(n >> (level + 1)), more = few + 1;
        scale[level][0] = more / (more * (more + more));
        scale[level][1] = few > 0 ? few / (more * (more + few)) : 0;
        scale[level][2] = few > 0 ? few / (few * (few + few)) : 0;
        ratio[level]    = few > 0 ? more / few : 0;
    }
}

/* The moment of each line of a real array, as float64, into `result`. */
static bool gi_cuda_real_moment(const char *site, int what, bool skip_nan, bool shifted, int ddof, const gi_lines *p,
                                ga_array *result)
{
    gi_cuda_folding j;
    gi_cuda_lines   lines;
    ga_array       *copy;
    memset(&j, 0, sizeof j);
    if (p->lines == 0) return true;
    const ga_array *both[2] = { p->a, result };
    if (!gi_cuda_touch_all(site, 2, both)) return false;
    ga_dtype dtype = p->a->dtype;
    bool     mixed = skip_nan && gi_is_float(dtype); /* may there be elements to leave out? */
    if (!gi_cuda_lines_of(site, p, dtype, mixed && what != GI_MEAN, &lines, &copy)) return false;
    j.moments.what     = what;
    j.moments.ddof     = ddof;
    j.moments.skip_nan = skip_nan;
    j.moments.shifted  = shifted;
    gi_cuda_moment_factors(GI_BLOCK, j.moments.ratio, j.moments.scale[0]);
    gi_cuda_moment_factors(lines.length % GI_BLOCK, j.moments.ratio, j.moments.scale[1]);
    j.result                  = (char *)result->data;
    const gi_cuda_level nodes = gi_cuda_node_tree(gi_cuda_nodes<gi_node>);
    bool                ok;
    if (mixed && what == GI_MEAN)
        ok = gi_cuda_fold_lines(site, p->a,
                                dtype == GA_F32 ? gi_cuda_tree(gi_cuda_fold<gi_cuda_nanmean_fold<float>>)
                                                : gi_cuda_tree(gi_cuda_fold<gi_cuda_nanmean_fold<double>>),
                                gi_cuda_tree(gi_cuda_fold<gi_cuda_nanmean_fold<gi_cuda_tally>>), j, lines,
                                sizeof(gi_cuda_tally), sizeof(double));
    else if (mixed)
        ok = gi_cuda_fold_lines(
            site, p->a, dtype == GA_F32 ? gi_cuda_node_tree(gi_cuda_nodes<float>) : gi_cuda_node_tree(gi_cuda_nodes<double>),
            nodes, j, lines, sizeof(gi_node), sizeof(double));
    else
        ok = gi_cuda_fold_lines(site, p->a, gi_cuda_tree(gi_cuda_moment_kernel(dtype)), nodes, j, lines, sizeof(gi_node),
                                sizeof(double));
    ga_free(copy);
    return ok;
}

/* ==== >>cuda search: where an extreme lies ============================================================================== */
/*  One pass: an accumulator is the best element so far, as an unsigned number that orders like the elements (the wanted extreme is the
    least), and the first place where it is. NaN is less than all, or more than all where it is to be left out.               */

GI_DEVICE uint64_t gi_cuda_rank(const gi_cuda_search &o, double x)
{
    const uint64_t sign = (uint64_t)1 << 63, u = gi_bits_f64(x == 0 ? 0.0 : x), rank = u & sign ? ~u : u | sign;
    return x != x ? (o.skip_nan ? UINT64_MAX : 0) : o.largest ? ~rank : rank;
}
GI_DEVICE uint64_t gi_cuda_rank(const gi_cuda_search &o, float x) { return gi_cuda_rank(o, (double)x); }
/* Integers of a size, by the bits: without their sign bit turned, negative ones would be the largest. */
template <class U> GI_DEVICE uint64_t gi_cuda_rank(const gi_cuda_search &o, U x)
{
    const uint64_t rank = (U)(x ^ (U)o.sign);
    return o.largest ? ~rank : rank;
}

/* Place: uint32_t within a block, int64_t within a line. */
template <class Place> struct gi_cuda_best {
    uint64_t rank;
    Place    place;
};
template <class Place> struct gi_cuda_best2 { /* of complex numbers: the real parts decide, then the imaginary ones */
    uint64_t rank, second;
    Place    place;
};
template <class P> GI_DEVICE gi_cuda_best<P> gi_cuda_better(const gi_cuda_best<P> &a, const gi_cuda_best<P> &b)
{
    return b.rank < a.rank || (b.rank == a.rank && b.place < a.place) ? b : a;
}
template <class P> GI_DEVICE gi_cuda_best2<P> gi_cuda_better(const gi_cuda_best2<P> &a, const gi_cuda_best2<P> &b)
{
    if (b.rank != a.rank) return b.rank < a.rank ? b : a;
    return b.second < a.second || (b.second == a.second && b.place < a.place) ? b : a;
}
template <class T> GI_DEVICE gi_cuda_best<uint32_t> gi_cuda_best_of(const gi_cuda_search &o, T x, uint32_t place)
{
    gi_cuda_best<uint32_t> a = { gi_cuda_rank(o, x), place };
    return a;
}
template <class C> GI_DEVICE gi_cuda_best2<uint32_t> gi_cuda_best_of_complex(const gi_cuda_search &o, C x, uint32_t place)
{
    const bool              nan = x.re != x.re || x.im != x.im;
    gi_cuda_best2<uint32_t> a   = { nan ? 0 : gi_cuda_rank(o, x.re), nan ? 0 : gi_cuda_rank(o, x.im), place };
    return a;
}
GI_DEVICE gi_cuda_best2<uint32_t> gi_cuda_best_of(const gi_cuda_search &o, ga_c64 x, uint32_t place)
{
    return gi_cuda_best_of_complex(o, x, place);
}
GI_DEVICE gi_cuda_best2<uint32_t> gi_cuda_best_of(const gi_cuda_search &o, ga_c128 x, uint32_t place)
{
    return gi_cuda_best_of_complex(o, x, place);
}
template <class P> GI_DEVICE gi_cuda_best<P> gi_cuda_best_of(const gi_cuda_search &o, gi_cuda_best<P> x, uint32_t)
{
    return (void)o, x;
}
template <class P> GI_DEVICE gi_cuda_best2<P> gi_cuda_best_of(const gi_cuda_search &o, gi_cuda_best2<P> x, uint32_t)
{
    return (void)o, x;
}
template <class P> GI_DEVICE gi_cuda_best<int64_t> gi_cuda_moved(const gi_cuda_best<P> &a, int64_t by)
{
    gi_cuda_best<int64_t> r = { a.rank, (int64_t)a.place + by };
    return r;
}
template <class P> GI_DEVICE gi_cuda_best2<int64_t> gi_cuda_moved(const gi_cuda_best2<P> &a, int64_t by)
{
    gi_cuda_best2<int64_t> r = { a.rank, a.second, (int64_t)a.place + by };
    return r;
}

template <class T_, class A_, class Kept> struct gi_cuda_place_fold {
    typedef T_ T;
    typedef A_ A;
    enum { any_order = 1 };
    const gi_cuda_folding &j;
    int64_t                start; /* where the block begins in its line */

    __device__ __forceinline__ gi_cuda_place_fold(const gi_cuda_folding &job, uint32_t, const char *, int64_t begin, uint32_t)
        : j(job), start(job.again ? 0 : job.before + begin)
    {
    }
    __device__ __forceinline__ A    of(const T &x, uint32_t e) const { return gi_cuda_best_of(j.search, x, e); }
    __device__ __forceinline__ A    join(const A &a, const A &b, uint32_t, uint32_t) const { return gi_cuda_better(a, b); }
    __device__ __forceinline__ void keep(int64_t at, const A &a) const { ((Kept *)j.accs)[at] = gi_cuda_moved(a, start); }
    __device__ __forceinline__ void end(uint32_t line, const A &a) const
    {
        ((int64_t *)j.result)[line] = gi_cuda_moved(a, start).place;
        if (j.search.skip_nan && a.rank == UINT64_MAX) atomicOr(j.search.nothing, 1);
    }
};

/* clang-format off */
#define GI_PLACES(T, best) gi_cuda_fold<gi_cuda_place_fold<T, best<uint32_t>, best<int64_t>>>
static gi_cuda_fold_kernel gi_cuda_place_kernel(ga_dtype dtype)
{
    switch (dtype) {
    case GA_BOOL: case GA_I8: case GA_U8: return GI_PLACES(uint8_t, gi_cuda_best);
    case GA_I16: case GA_U16:             return GI_PLACES(uint16_t, gi_cuda_best);
    case GA_I32: case GA_U32:             return GI_PLACES(uint32_t, gi_cuda_best);
    case GA_I64: case GA_U64:             return GI_PLACES(uint64_t, gi_cuda_best);
    case GA_F32:                          return GI_PLACES(float, gi_cuda_best);
    case GA_F64:                          return GI_PLACES(double, gi_cuda_best);
    case GA_C64:                          return GI_PLACES(ga_c64, gi_cuda_best2);
    case GA_C128:                         return GI_PLACES(ga_c128, gi_cuda_best2);
    default:                              return NULL;
    }
}
#undef GI_PLACES
/* clang-format on */

/* Where the least or the largest element of each line is, the first one of several; the first NaN, if it is not to be left out.
   *nothing: is there a line of nothing but NaN to leave out? */
static bool gi_cuda_find_places(const char *site, bool largest, bool skip_nan, const gi_lines *p, ga_array *places,
                                bool *nothing)
{
    typedef gi_cuda_best<int64_t>  best;
    typedef gi_cuda_best2<int64_t> best2;
    gi_cuda_folding                j;
    gi_cuda_lines                  lines;
    ga_array                      *copy;
    gi_scratch                     flag    = { NULL, 0, 0, NULL };
    int                            seen    = 0;
    const ga_array                *both[2] = { p->a, places };
    memset(&j, 0, sizeof j);
    *nothing = false;
    if (p->lines == 0) return true;
    if (!gi_cuda_touch_all(site, 2, both)) return false;
    if (!gi_cuda_lines_of(site, p, p->a->dtype, false, &lines, &copy)) return false;
    bool ok = true, paired = gi_is_complex(p->a->dtype);
    j.search.largest  = largest;
    j.search.skip_nan = skip_nan && gi_is_float(p->a->dtype);
    j.search.sign     = gi_is_signed(p->a->dtype) ? (uint64_t)1 << (8 * ga_itemsize(p->a->dtype) - 1) : 0;
    j.result          = (char *)places->data;
    if (j.search.skip_nan) {
        ok = gi_scratch_get(site, &flag, p->a, sizeof(int)) &&
             GI_CUDA_OK(site, cudaMemsetAsync(flag.p, 0, sizeof(int), gi_cuda_current_stream()));
        j.search.nothing = (int *)flag.p;
    }
    gi_cuda_fold_kernel again =
        paired ? gi_cuda_fold<gi_cuda_place_fold<best2, best2, best2>> : gi_cuda_fold<gi_cuda_place_fold<best, best, best>>;
    ok = ok && gi_cuda_fold_lines(site, p->a, gi_cuda_tree(gi_cuda_place_kernel(p->a->dtype)), gi_cuda_tree(again), j, lines,
                                  paired ? sizeof(best2) : sizeof(best), sizeof(int64_t));
    if (flag.p) {
        ok = ok && gi_cuda_read(site, p->a, &seen, flag.p, sizeof seen);
        gi_scratch_free(&flag);
    }
    ga_free(copy);
    *nothing = seen != 0;
    return ok;
}

/* ---- dot: sums of products ----------------------------------------------------------------------------------------------- */

GI_DEVICE uint64_t gi_cuda_product(uint64_t x, uint64_t y) { return gi_mul_u64(x, y); }
GI_DEVICE double   gi_cuda_product(float x, float y) { return gi_mul_f64((double)x, (double)y); }
GI_DEVICE double   gi_cuda_product(double x, double y) { return gi_mul_f64(x, y); }
GI_DEVICE ga_c128  gi_cuda_product(ga_c64 x, ga_c64 y) { return gi_mul_c128(gi_cast_c128_c64(x), gi_cast_c128_c64(y)); }
GI_DEVICE ga_c128  gi_cuda_product(ga_c128 x, ga_c128 y) { return gi_mul_c128(x, y); }
GI_DEVICE uint64_t gi_cuda_plus(uint64_t a, uint64_t b) { return gi_add_u64(a, b); }
GI_DEVICE double   gi_cuda_plus(double a, double b) { return gi_add_f64(a, b); }
GI_DEVICE ga_c128  gi_cuda_plus(ga_c128 a, ga_c128 b) { return gi_add_c128(a, b); }

template <class T_, class A_> struct gi_cuda_dot_fold {
    typedef T_ T;
    typedef A_ A;
    enum { any_order = gi_any_order<A>::yes };
    const gi_cuda_folding &j;
    const char            *y; /* of the block's first element */
    uint32_t               n; /* elements of the block */

    __device__ __forceinline__ gi_cuda_dot_fold(const gi_cuda_folding &job, uint32_t, const char *, int64_t start,
                                                uint32_t length)
        : j(job), y(job.factors.data + (job.before + start) * job.factors.stride), n(length)
    {
    }
    __device__ __forceinline__ A of(T x, uint32_t e) const
    {
        return gi_cuda_product(x, e < n ? *(const T *)(y + e * j.factors.stride) : T());
    }
    __device__ __forceinline__ A    join(A a, A b, uint32_t, uint32_t) const { return gi_cuda_plus(a, b); }
    __device__ __forceinline__ void keep(int64_t at, A a) const { ((A *)j.accs)[at] = a; }
    __device__ __forceinline__ void end(uint32_t line, A a) const { gi_cuda_put(j, line, a); }
};

static gi_cuda_fold_kernel gi_cuda_dot_kernel(ga_dtype dtype)
{
    switch (dtype) {
    case GA_F32: return gi_cuda_fold<gi_cuda_dot_fold<float, double>>;
    case GA_F64: return gi_cuda_fold<gi_cuda_dot_fold<double, double>>;
    case GA_C64: return gi_cuda_fold<gi_cuda_dot_fold<ga_c64, ga_c128>>;
    case GA_C128: return gi_cuda_fold<gi_cuda_dot_fold<ga_c128, ga_c128>>;
    default: return gi_cuda_fold<gi_cuda_dot_fold<uint64_t, uint64_t>>; /* the bits of signed sums and products, too */
    }
}

/* The sum of x * y, vectors of one length and of a dtype in gi_cuda_dot_kernel. */
static ga_array *gi_cuda_dot_of(const char *site, const ga_array *x, const ga_array *y)
{
    gi_lines        p;
    gi_cuda_lines   lines;
    gi_cuda_folding j;
    ga_array       *copy = NULL;
    ga_shape        axis = { 1, { 0 } };
    memset(&j, 0, sizeof j);
    if (!gi_plan_lines(site, &p, x, x->dtype, 0, &axis, false)) return NULL;
    ga_array *result = gi_new(site, x->dtype, GA_CUDA, 0, NULL);
    if (!result) return NULL;
    if (p.length == 0) {
        if (gi_clear(site, result)) return result;
        ga_free(result);
        return NULL;
    }
    const ga_array   *all[3] = { x, y, result };
    gi_cuda_row_folds sums;
    bool              ok = gi_cuda_touch_all(site, 3, all) && gi_cuda_lines_of(site, &p, x->dtype, false, &lines, &copy);
    if (ok) {
        gi_cuda_find_fold(GA_OP_sum, x->dtype, &sums);
        if (sums.accs != x->dtype) {
            ga_dtype wide = sums.accs;
            gi_cuda_find_fold(GA_OP_sum, wide, &sums);
        }
        j.factors.data   = (const char *)y->data;
        j.factors.stride = y->strides[0];
        j.narrow         = ga_itemsize(x->dtype) < ga_itemsize(sums.accs);
        j.result         = (char *)result->data;
        ok = gi_cuda_fold_lines(site, x, gi_cuda_tree(gi_cuda_dot_kernel(x->dtype)), gi_cuda_tree(sums.kernel), j, lines,
                                ga_itemsize(sums.accs), ga_itemsize(result->dtype));
    }
    ga_free(copy);
    if (ok) return result;
    ga_free(result);
    return NULL;
}

static ga_array *gi_cuda_dot(const char *site, const ga_array *a, const ga_array *b, ga_dtype dtype)
{
    ga_dtype  in = gi_is_float(dtype) || gi_is_complex(dtype) ? dtype : gi_end_dtype(GI_ENDS_SUM, dtype);
    ga_array *x  = a->dtype == in ? gi_new_view(site, a, a->data, in, a->ndim, a->shape, a->strides) : gi_convert(site, a, in);
    ga_array *y  = b->dtype == in ? gi_new_view(site, b, b->data, in, b->ndim, b->shape, b->strides) : gi_convert(site, b, in);
    ga_array *r  = x && y ? gi_cuda_dot_of(site, x, y) : NULL;
    ga_free(x);
    ga_free(y);
    return gi_finish(site, r, dtype, NULL);
}

/* ==== >>cuda scans: running sums ======================================================================================== */

/* ---- counts, made places ------------------------------------------------------------------------------------------------ */
/*  Three launches: blocks add up their shares, one block scans these sums, blocks scan their shares from there on. */

enum {
    GI_SCAN_ITEMS  = 4,
    GI_SCAN_TILE   = GI_SCAN_ITEMS * GI_CUDA_THREADS,
    GI_SCAN_SHARES = 1024,
    GI_WARPS       = GI_CUDA_THREADS / 32
};

/* The sum of x over the threads before this one; `total`: over all threads of the block. Two calls in turn need different rows. */
GI_DEVICE int64_t gi_cuda_sum_before(int64_t x, int64_t (&row)[GI_WARPS], int64_t &total)
{
    int     lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int64_t sum = x, before = 0;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
        int64_t other = __shfl_up_sync(0xffffffffu, sum, step);
        if (lane >= step) sum += other;
    }
    if (lane == 31) row[warp] = sum;
    __syncthreads();
    total = 0;
#pragma unroll
    for (int k = 0; k < GI_WARPS; k++) {
        if (k < warp) before += row[k];
        total += row[k];
    }
    return before + sum - x;
}

static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_scan_sums(const int64_t *data, int64_t n, int64_t share, int64_t *sums)
{
    GI_SHARED(int64_t, row, [GI_WARPS]);
    int64_t start = blockIdx.x * share, stop = n - start < share ? n : start + share, sum = 0, total;
    for (int64_t i = start + threadIdx.x; i < stop; i += GI_CUDA_THREADS) sum += data[i];
    gi_cuda_sum_before(sum, row, total);
    if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

/* Replaces what a block has by the sums of what comes before, from the first number of `from` on (NULL: 0). */
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_scan_share(int64_t *data, int64_t n, int64_t share, const int64_t *from, int64_t *total)
{
    GI_SHARED(int64_t, rows, [2][GI_WARPS]);
    int64_t start = blockIdx.x * share, stop = n - start < share ? n : start + share, sum = from ? from[blockIdx.x] : 0;
    for (int turn = 0; start < stop; start += GI_SCAN_TILE, turn ^= 1) {
        int64_t first = start + threadIdx.x * GI_SCAN_ITEMS, x[GI_SCAN_ITEMS], mine = 0, all;
#pragma unroll
        for (int k = 0; k < GI_SCAN_ITEMS; k++) {
            x[k] = first + k < stop ? data[first + k] : 0;
            mine += x[k];
        }
        int64_t before = sum + gi_cuda_sum_before(mine, rows[turn], all);
#pragma unroll
        for (int k = 0; k < GI_SCAN_ITEMS; k++) {
            if (first + k < stop) data[first + k] = before;
            before += x[k];
        }
        sum += all;
    }
    if (total && blockIdx.x == 0 && threadIdx.x == 0) *total = sum; /* asked for when one block scans everything */
}

/* Replaces each of n numbers on the device by the sum of those before it; their sum goes to `total` on the device (or NULL).
   `on`: an array that was touched before. */
static bool gi_cuda_exclusive_scan(const char *site, const ga_array *on, int64_t *data, int64_t n, int64_t *total)
{
    cudaStream_t   stream  = gi_cuda_current_stream();
    const int64_t *nothing = NULL;
    int64_t        share   = (n + GI_SCAN_SHARES - 1) / GI_SCAN_SHARES;
    share                  = (share + GI_SCAN_TILE - 1) / GI_SCAN_TILE * GI_SCAN_TILE;
    if (n <= GI_SCAN_TILE) {
        GI_LAUNCH(gi_cuda_scan_share, 1, GI_CUDA_THREADS, stream, data, n, (int64_t)GI_SCAN_TILE, nothing, total);
        return gi_cuda_launched(site, "a running sum");
    }
    gi_scratch sums;
    int64_t    shares = (n + share - 1) / share;
    if (!gi_scratch_get(site, &sums, on, (size_t)shares * sizeof(int64_t))) return false;
    int64_t *s = (int64_t *)sums.p;
    GI_LAUNCH(gi_cuda_scan_sums, (unsigned)shares, GI_CUDA_THREADS, stream, data, n, share, s);
    bool ok = gi_cuda_launched(site, "the sums of a running sum");
    if (ok) {
        GI_LAUNCH(gi_cuda_scan_share, 1, GI_CUDA_THREADS, stream, s, shares, (int64_t)GI_SCAN_TILE, nothing, total);
        ok = gi_cuda_launched(site, "the sums of a running sum");
    }
    if (ok) {
        GI_LAUNCH(gi_cuda_scan_share, (unsigned)shares, GI_CUDA_THREADS, stream, data, n, share, (const int64_t *)s,
                  (int64_t *)NULL);
        ok = gi_cuda_launched(site, "a running sum");
    }
    gi_scratch_free(&sums);
    return ok;
}

/* ---- ga_cumsum, ga_cumprod ---------------------------------------------------------------------------------------------- */
/*  The documented tree of gpuarr.h. An array in C order is (outer, length, inner), a line runs along the middle. Blocks of 1024 of a
    line (short lines are one block each) are the rows of a tile, as many as fit the shared memory: one behind the other if inner is
    1, else the same block of neighbouring lines. In a tile the elements lie in the order in which they lie in memory, so that
    neighbouring threads read neighbours; `step` is how far the elements of a row are apart there. A thread has every 256th element
    of the tile; what is a multiple of 256 before an element is its own.                                                          */

typedef struct gi_running {
    const void *in;
    void       *out;
    void   *ends; /* (lines, blocks - 1) wide numbers: the last of each block but the last, then what precedes the next one */
    int64_t length, inner, blocks; /* blocks of a line */
    int64_t units, tiles;          /* rows in all, or if inner is not 1 those of one block of each line; tiles of these */
    int64_t turn, row, jump;       /* rows begin `row` elements apart, and `jump` more after each `turn` of them */
    gi_divisor small_turn;         /* by 0: turn is too large for it */
    uint32_t   places, rows, step; /* elements of a row; rows of a tile */
    gi_divisor cut;                /* by places, or if step is not 1 by rows */
} gi_running;

enum { GI_RUNNING_BLOCK = 1024, GI_RUNNING_BYTES = 32768, GI_RUNNING_SHARE = 16, GI_RUNNING_TURN = 1 << 20 };
#define GI_RUNNING_ITEMS(W) ((int)(GI_RUNNING_BYTES / (GI_CUDA_THREADS * sizeof(W))))

/* The first row of a tile: its number, as (outer, inner) with respect to the turns, its block, where it begins. */
typedef struct gi_running_tile {
    int64_t unit, outer, inner, block, base;
} gi_running_tile;

typedef struct gi_running_row {
    int64_t line, block, start;
    bool    exists;
} gi_running_row;

GI_DEVICE gi_running_tile gi_cuda_running_tile(const gi_running &m)
{
    gi_running_tile t;
    t.block = m.inner == 1 ? 0 : blockIdx.x / m.tiles;
    t.unit  = (blockIdx.x - t.block * m.tiles) * m.rows;
    t.outer = t.unit / m.turn;
    t.inner = t.unit - t.outer * m.turn;
    t.base  = t.unit * m.row + t.outer * m.jump + t.block * GI_RUNNING_BLOCK * m.inner;
    return t;
}

GI_DEVICE gi_running_row gi_cuda_running_row(const gi_running &m, const gi_running_tile &t, uint32_t r)
{
    gi_running_row row;
    int64_t        at = t.inner + r, turns = m.small_turn.by ? gi_divide((uint32_t)at, m.small_turn) : at >= m.turn;
    row.line   = m.inner == 1 ? t.outer + turns : t.unit + r;
    row.block  = m.inner == 1 ? at - turns * m.turn : t.block;
    row.start  = t.base + r * m.row + turns * m.jump;
    row.exists = t.unit + r < m.units;
    return row;
}

/* The row of element q of the tile, which lies at the place `place` of it; does it exist? */
GI_DEVICE bool gi_cuda_running_at(const gi_running &m, const gi_running_tile &t, uint32_t q, uint32_t &place,
                                  gi_running_row &row)
{
    uint32_t quotient = gi_divide(q, m.cut), rest = q - quotient * m.cut.by, r = m.step == 1 ? quotient : rest;
    place = m.step == 1 ? rest : quotient;
    row   = gi_cuda_running_row(m, t, r);
    return r < m.rows && place < m.places && row.exists && row.block * GI_RUNNING_BLOCK + place < m.length;
}

/* Joins each element with the one that a thread holds BACK elements before it. */
template <class W, W (*join)(W, W), int ITEMS, int BACK>
GI_DEVICE void gi_cuda_join_own(W (&x)[ITEMS], const uint32_t (&place)[ITEMS], uint32_t d)
{
#pragma unroll
    for (int k = ITEMS - 1; k >= BACK; k--)
        if (place[k] >= d) x[k] = join(x[k], x[k - BACK]);
}

template <class T, class W, W (*to)(T), T (*from)(W), W (*join)(W, W)>
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_running(const __grid_constant__ gi_running m)
{
    enum { ITEMS = GI_RUNNING_ITEMS(W) };
    GI_SHARED(W, tile, [ITEMS * GI_CUDA_THREADS]);
    gi_running_tile t = gi_cuda_running_tile(m);
    gi_running_row  row;
    W               x[ITEMS];
    uint32_t        place[ITEMS], own;
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        x[k] = W();
        if (gi_cuda_running_at(m, t, threadIdx.x + k * GI_CUDA_THREADS, place[k], row))
            x[k] = to(((const T *)m.in)[row.start + place[k] * m.inner]);
        else place[k] = 0; /* joined with nothing */
    }
    for (uint32_t d = 1; d < m.places; d *= 2) {
        uint32_t back = d * m.step;
        switch (back % GI_CUDA_THREADS == 0 ? back / GI_CUDA_THREADS : 0) {
        case 1: gi_cuda_join_own<W, join, ITEMS, 1>(x, place, d); break;
        case 2: gi_cuda_join_own<W, join, ITEMS, 2>(x, place, d); break;
        case 4: gi_cuda_join_own<W, join, ITEMS, 4>(x, place, d); break;
        case 8: gi_cuda_join_own<W, join, ITEMS, 8>(x, place, d); break;
        default:
#pragma unroll
            for (int k = 0; k < ITEMS; k++) tile[threadIdx.x + k * GI_CUDA_THREADS] = x[k];
            __syncthreads();
#pragma unroll
            for (int k = 0; k < ITEMS; k++)
                if (place[k] >= d) x[k] = join(x[k], tile[threadIdx.x + k * GI_CUDA_THREADS - back]);
            __syncthreads();
        }
    }
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        if (!gi_cuda_running_at(m, t, threadIdx.x + k * GI_CUDA_THREADS, own, row)) continue;
        if (row.block > 0) x[k] = join(((const W *)m.ends)[row.line * (m.blocks - 1) + row.block - 1], x[k]);
        ((T *)m.out)[row.start + own * m.inner] = from(x[k]);
    }
}

/* What the last element of each block becomes: neighbours are joined, and again those. A thread begins with 16 neighbours; m.rows
   blocks make a tile. */
template <class T, class W, W (*to)(T), W (*join)(W, W)>
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_running_ends(const __grid_constant__ gi_running m)
{
    enum { SHARES = GI_RUNNING_BLOCK / GI_RUNNING_SHARE, N = GI_VECTOR(sizeof(T)) };
    GI_SHARED(W, joined, [GI_CUDA_THREADS]);
    uint32_t       r = m.inner == 1 ? threadIdx.x / SHARES : threadIdx.x % m.rows, step = m.inner == 1 ? 1 : m.rows;
    uint32_t       share = m.inner == 1 ? threadIdx.x % SHARES : threadIdx.x / m.rows;
    gi_running_row row   = gi_cuda_running_row(m, gi_cuda_running_tile(m), r);
    bool           whole = row.exists && row.block < m.blocks - 1 && r < m.rows && share < SHARES;
    W              x[GI_RUNNING_SHARE];
#pragma unroll
    for (int k = 0; k < GI_RUNNING_SHARE; k++) x[k] = W();
    if (whole) {
        const T *p = (const T *)m.in + row.start + share * GI_RUNNING_SHARE * m.inner;
        if (m.inner == 1 && (uintptr_t)p % (sizeof(T) * N) == 0) {
#pragma unroll
            for (int k = 0; k < GI_RUNNING_SHARE / N; k++) {
                gi_pack<T, N> pack = ((const gi_pack<T, N> *)p)[k];
#pragma unroll
                for (int e = 0; e < N; e++) x[k * N + e] = to(pack.e[e]);
            }
        } else {
#pragma unroll
            for (int k = 0; k < GI_RUNNING_SHARE; k++) x[k] = to(p[k * m.inner]);
        }
    }
#pragma unroll
    for (int d = 1; d < GI_RUNNING_SHARE; d *= 2) {
#pragma unroll
        for (int k = 0; k < GI_RUNNING_SHARE; k += 2 * d) x[k] = join(x[k + d], x[k]);
    }
    joined[threadIdx.x] = x[0];
    for (uint32_t d = 1; d < SHARES; d *= 2) {
        __syncthreads();
        if (!whole || share % (2 * d) != 0) continue;
        x[0]                = join(joined[threadIdx.x + d * step], x[0]);
        joined[threadIdx.x] = x[0];
    }
    if (whole && share == 0) ((W *)m.ends)[row.line * (m.blocks - 1) + row.block] = x[0];
}

typedef void (*gi_running_kernel)(const gi_running);
typedef struct gi_running_kernels {
    int64_t           width; /* bytes of a wide number */
    gi_running_kernel ends, running;
} gi_running_kernels;

template <class T, class W, W (*to)(T), T (*from)(W), W (*add)(W, W), W (*multiply)(W, W)>
static gi_running_kernels gi_running_kernels_of(ga_op op)
{
    gi_running_kernels sums = { (int64_t)sizeof(W), gi_cuda_running_ends<T, W, to, add>, gi_cuda_running<T, W, to, from, add> };
    gi_running_kernels products = { (int64_t)sizeof(W), gi_cuda_running_ends<T, W, to, multiply>,
                                    gi_cuda_running<T, W, to, from, multiply> };
    return op == GA_OP_add ? sums : products;
}

/* Integers wrap: the bits are those of unsigned ones. */
static gi_running_kernels gi_running_kernels_for(ga_dtype dtype, ga_op op)
{
    switch (dtype) {
    case GA_F32:
        return gi_running_kernels_of<float, double, gi_cast_f64_f32, gi_cast_f32_f64, gi_op_add_f64, gi_op_multiply_f64>(op);
    case GA_F64:
        return gi_running_kernels_of<double, double, gi_cast_f64_f64, gi_cast_f64_f64, gi_op_add_f64, gi_op_multiply_f64>(op);
    case GA_C128:
        return gi_running_kernels_of<ga_c128, ga_c128, gi_cast_c128_c128, gi_cast_c128_c128, gi_op_add_c128,
                                     gi_op_multiply_c128>(op);
    default:
        return gi_running_kernels_of<uint64_t, uint64_t, gi_cast_u64_u64, gi_cast_u64_u64, gi_op_add_u64, gi_op_multiply_u64>(
            op);
    }
}

/* Cuts the rows into tiles of at most `rows`; returns how many tiles there are. */
static int64_t gi_cut_running(gi_running *m, int64_t lines, int64_t rows)
{
    m->units = m->inner == 1 ? lines * m->blocks : lines;
    m->rows  = (uint32_t)(rows < m->units ? rows : m->units);
    m->tiles = (m->units + m->rows - 1) / m->rows;
    m->step  = m->inner == 1 ? 1 : m->rows;
    m->cut   = gi_divisor_of(m->inner == 1 ? m->places : m->rows);
    return m->inner == 1 ? m->tiles : m->tiles * m->blocks;
}

/* Scans the lines of (outer, length, inner) elements, packed; out may be in. `narrow` reads and writes the elements, `wide` their ends. */
static bool gi_cuda_run_lines(const char *site, const ga_array *on, const gi_running_kernels *narrow,
                              const gi_running_kernels *wide, const void *in, void *out, int64_t outer, int64_t length,
                              int64_t inner)
{
    gi_running   m;
    gi_scratch   ends;
    cudaStream_t stream = gi_cuda_current_stream();
    int64_t      lines  = outer * inner;
    bool         ok     = true;

    gi_running_kernel ends_kernel = narrow->ends, kernel = narrow->running;
    memset(&m, 0, sizeof m);
    memset(&ends, 0, sizeof ends);
    m.in     = in;
    m.out    = out;
    m.length = length;
    m.inner  = inner;
    m.blocks = (length + GI_RUNNING_BLOCK - 1) / GI_RUNNING_BLOCK;
    m.places = (uint32_t)(length < GI_RUNNING_BLOCK ? length : GI_RUNNING_BLOCK);
    m.turn   = inner == 1 ? m.blocks : inner;
    m.row    = inner == 1 ? GI_RUNNING_BLOCK : 1;
    m.jump   = inner == 1 ? length - m.blocks * GI_RUNNING_BLOCK : (length - 1) * inner;
    if (m.turn <= GI_RUNNING_TURN) m.small_turn = gi_divisor_of(m.turn);
    if (m.blocks > 1) {
        int64_t rows = GI_CUDA_THREADS * GI_RUNNING_SHARE / GI_RUNNING_BLOCK;
        if (!gi_scratch_get(site, &ends, on, (size_t)(lines * (m.blocks - 1) * narrow->width))) return false;
        m.ends = ends.p;
        rows   = gi_cut_running(&m, lines, rows);
        GI_LAUNCH(ends_kernel, (unsigned)rows, GI_CUDA_THREADS, stream, m);
        ok = gi_cuda_launched(site, "the ends of running sums") &&
             gi_cuda_run_lines(site, on, wide, wide, ends.p, ends.p, lines, m.blocks - 1, 1);
    }
    if (ok) {
        int64_t tiles = gi_cut_running(&m, lines, GI_RUNNING_BYTES / narrow->width / m.places);
        GI_LAUNCH(kernel, (unsigned)tiles, GI_CUDA_THREADS, stream, m);
        ok = gi_cuda_launched(site, "running sums");
    }
    gi_scratch_free(&ends);
    return ok;
}

/* Scans `in`, read as dtype, along an axis into out, a C-ordered array of the same shape. */
static bool gi_cuda_scan(const char *site, const ga_array *in, ga_dtype dtype, ga_array *out, int axis, ga_dtype wide, ga_op op)
{
    ga_dtype  read = dtype == GA_F32 ? GA_F32 : wide; /* other narrow elements are made wide before, and narrow again behind */
    ga_array *packed = gi_contiguous(site, in, dtype);
    if (packed && read != dtype) {
        ga_array *widened = gi_convert(site, packed, read);
        ga_free(packed);
        packed = widened;
    }
    ga_array *target = !packed              ? NULL
                       : read == out->dtype ? (ga_view)(out, site)
                                            : gi_new(site, read, GA_CUDA, out->ndim, out->shape);
    int64_t   outer = 1, inner = 1;
    for (int d = 0; d < axis; d++) outer *= out->shape[d];
    for (int d = axis + 1; d < out->ndim; d++) inner *= out->shape[d];
    gi_running_kernels narrow = gi_running_kernels_for(read, op), widest = gi_running_kernels_for(wide, op);
    bool               ok = target && gi_cuda_touch(site, packed) && gi_cuda_touch(site, target) &&
              gi_cuda_run_lines(site, target, &narrow, &widest, packed->data, target->data, outer, out->shape[axis], inner);
    if (ok && read != out->dtype) ok = gi_assign(site, out, target);
    ga_free(target);
    ga_free(packed);
    return ok;
}

/* ==== >>cuda selecting: the elements that a condition chooses, and those that indices name ============================== */

/* ---- take ---------------------------------------------------------------------------------------------------------------- */
/*  The array is (outer, n, row), the result (outer, count, row), a row being counted in units: the largest power of two of bytes,
    16 at most, in which all can be moved. A thread moves a unit.                                                               */

/* Division of numbers that may be 2^31 or more. */
typedef struct gi_wide_divisor {
    int64_t    by;
    gi_divisor narrow; /* by 0: what is divided may be too large for it */
} gi_wide_divisor;

static gi_wide_divisor gi_wide_divisor_of(int64_t by, int64_t largest)
{
    gi_wide_divisor d = { by, { 0, 0, 0 } };
    if (largest <= INT32_MAX && by <= INT32_MAX) d.narrow = gi_divisor_of(by);
    return d;
}

GI_DEVICE int64_t gi_divide_wide(int64_t n, const gi_wide_divisor &d)
{
    return d.narrow.by ? (int64_t)gi_divide((uint32_t)n, d.narrow) : n / d.by;
}

typedef struct gi_taking {
    const char         *from;
    char               *to;
    const int64_t      *indices;
    int64_t             n, units; /* elements of the axis; units of the result */
    gi_wide_divisor     row, count;
    ga_take_mode        mode;
    unsigned long long *bad; /* the place of the first index that is out of bounds */
} gi_taking;

/* The index by the mode; -1 if it is out of bounds. */
GI_DEVICE int64_t gi_cuda_settle(int64_t i, int64_t n, ga_take_mode mode)
{
    if (i >= 0 && i < n) return i;
    if (mode == GA_TAKE_WRAP) return (i % n + n) % n;
    if (mode == GA_TAKE_CLIP) return i < 0 ? 0 : n - 1;
    return i >= -n && i < 0 ? i + n : -1;
}

template <class U> static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_taking(const __grid_constant__ gi_taking m)
{
    int64_t unit = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x;
    if (unit >= m.units) return;
    int64_t row = gi_divide_wide(unit, m.row), column = unit - row * m.row.by;
    int64_t outer = gi_divide_wide(row, m.count), k = row - outer * m.count.by;
    int64_t i = gi_cuda_settle(m.indices[k], m.n, m.mode);
    if (i >= 0) ((U *)m.to)[unit] = ((const U *)m.from)[(outer * m.n + i) * m.row.by + column];
    else if (column == 0 && outer == 0) atomicMin(m.bad, (unsigned long long)k);
}

/* Only looks for indices out of bounds: where nothing is taken. */
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_check_indices(const __grid_constant__ gi_taking m)
{
    int64_t k = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x;
    if (k < m.count.by && gi_cuda_settle(m.indices[k], m.n, m.mode) < 0) atomicMin(m.bad, (unsigned long long)k);
}

typedef void (*gi_taking_kernel)(const gi_taking);
static gi_taking_kernel gi_taking_kernel_for(int64_t unit)
{
    switch (unit) {
    case 1: return gi_cuda_taking<uint8_t>;
    case 2: return gi_cuda_taking<uint16_t>;
    case 4: return gi_cuda_taking<uint32_t>;
    case 8: return gi_cuda_taking<uint64_t>;
    default: return gi_cuda_taking<gi_16_bytes>;
    }
}

/* Was there a bad index? Then the error. */
static bool gi_cuda_good_indices(const char *site, const ga_array *on, const gi_taking *m)
{
    unsigned long long bad = 0;
    int64_t            index;
    if (!gi_cuda_read(site, on, &bad, m->bad, sizeof bad)) return false;
    if (bad == ~0ull) return true;
    if (gi_cuda_read(site, on, &index, m->indices + bad, sizeof index)) gi_bad_index(site, index, m->n);
    return false;
}

static bool gi_cuda_take_rows(const char *site, ga_array *taken, const ga_array *packed, gi_taking *m, int64_t bytes)
{
    int64_t      unit   = 16;
    cudaStream_t stream = gi_cuda_current_stream();
    while (((uintptr_t)m->from | (uintptr_t)bytes) % (uintptr_t)unit) unit /= 2;
    m->to    = (char *)taken->data;
    m->units = taken->size * ga_itemsize(taken->dtype) / unit;
    m->row   = gi_wide_divisor_of(bytes / unit, m->units);
    gi_scratch bad;
    memset(&bad, 0, sizeof bad);
    bool ok = true, check = m->mode == GA_TAKE_RAISE && m->count.by > 0;
    if (check) {
        if (!gi_scratch_get(site, &bad, packed, sizeof *m->bad)) return false;
        m->bad = (unsigned long long *)bad.p;
        ok     = GI_CUDA_OK(site, cudaMemsetAsync(bad.p, 0xff, sizeof *m->bad, stream));
    }
    if (ok && m->units > 0) {
        m->count                = gi_wide_divisor_of(m->count.by, m->units);
        gi_taking_kernel kernel = gi_taking_kernel_for(unit);
        GI_LAUNCH(kernel, gi_cuda_blocks(m->units), GI_CUDA_THREADS, stream, *m);
        ok = gi_cuda_launched(site, "ga_take");
    } else if (ok && check) {
        GI_LAUNCH(gi_cuda_check_indices, gi_cuda_blocks(m->count.by), GI_CUDA_THREADS, stream, *m);
        ok = gi_cuda_launched(site, "ga_take");
    }
    ok = ok && (!check || gi_cuda_good_indices(site, packed, m));
    gi_scratch_free(&bad);
    return ok;
}

/* a[..., indices, ...] along an axis. The indices are int64 and contiguous; with GA_TAKE_RAISE the host waits to hear whether they
   are good. */
static ga_array *gi_cuda_take(const char *site, const ga_array *a, int axis, const ga_array *indices, ga_take_mode mode)
{
    ga_array *packed = gi_contiguous(site, a, a->dtype);
    ga_array *taken  = packed ? gi_new_taken(site, a, axis, indices) : NULL;
    bool      ok     = taken && gi_cuda_touch(site, packed) && gi_cuda_touch(site, indices) && gi_cuda_touch(site, taken);
    if (ok) {
        gi_taking m;
        memset(&m, 0, sizeof m);
        int64_t bytes = ga_itemsize(a->dtype);
        for (int d = axis + 1; d < a->ndim; d++) bytes *= a->shape[d];
        m.from     = (const char *)packed->data;
        m.indices  = (const int64_t *)indices->data;
        m.n        = a->shape[axis];
        m.count.by = indices->size;
        m.mode     = mode;
        ok         = gi_cuda_take_rows(site, taken, packed, &m, bytes);
    }
    ga_free(packed);
    if (ok) return taken;
    ga_free(taken);
    return NULL;
}

/* ---- nonzero, compress, extract ------------------------------------------------------------------------------------------ */
/*  A thread looks at 16 flags. The blocks count what is true, the counts become places, and then every block writes to its own. */

enum { GI_CHOOSE_FLAGS = 16, GI_CHOOSE_TILE = GI_CHOOSE_FLAGS * GI_CUDA_THREADS, GI_CHOOSE_BATCH = 8 };

typedef struct gi_choosing {
    const uint8_t  *flags;
    int64_t         n, total;
    const char     *from;   /* the elements to choose from */
    char           *to;     /* the chosen ones, or rows of `total` indices */
    const int64_t  *starts; /* how many are true before each block */
    int             ndim;
    gi_wide_divisor shape[GPUARR_MAX_DIMS];
} gi_choosing;

/* The flags first .. first + 16 as bits. */
GI_DEVICE uint32_t gi_cuda_flags(const uint8_t *flags, int64_t first, int64_t n)
{
    uint32_t bits = 0;
    if (first + GI_CHOOSE_FLAGS <= n && (uintptr_t)flags % GI_CHOOSE_FLAGS == 0) {
        gi_pack<uint32_t, 4> words = *(const gi_pack<uint32_t, 4> *)(flags + first);
#pragma unroll
        for (int k = 0; k < GI_CHOOSE_FLAGS; k++) bits |= (uint32_t)((words.e[k / 4] >> (k % 4 * 8) & 255) != 0) << k;
    } else {
        for (int k = 0; k < GI_CHOOSE_FLAGS && first + k < n; k++) bits |= (uint32_t)(flags[first + k] != 0) << k;
    }
    return bits;
}

static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_count_true(const uint8_t *flags, int64_t n, int64_t *counts)
{
    GI_SHARED(int64_t, row, [GI_WARPS]);
    int64_t total, first = (int64_t)blockIdx.x * GI_CHOOSE_TILE + threadIdx.x * GI_CHOOSE_FLAGS;
    gi_cuda_sum_before(__popc(gi_cuda_flags(flags, first, n)), row, total);
    if (threadIdx.x == 0) counts[blockIdx.x] = total;
}

/* For a warp, whose lanes have looked at 512 flags: 32 flags after 32 flags in a word, so that neighbouring lanes move neighbours.
   `at` becomes the number of true flags before these. Returns the words of lanes 2k and 2k + 1 in lane 2k. */
GI_DEVICE uint32_t gi_cuda_choose(const gi_choosing &m, int64_t (&row)[GI_WARPS], int64_t &at)
{
    int64_t  total, first = (int64_t)blockIdx.x * GI_CHOOSE_TILE + threadIdx.x * GI_CHOOSE_FLAGS;
    uint32_t bits = gi_cuda_flags(m.flags, first, m.n);
    at            = gi_cuda_sum_before(__popc(bits), row, total);
    at            = m.starts[blockIdx.x] + __shfl_sync(0xffffffffu, at, 0);
    return bits | __shfl_down_sync(0xffffffffu, bits, 1) << 16;
}

template <class U>
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_choose_elements(const __grid_constant__ gi_choosing m)
{
    GI_SHARED(int64_t, row, [GI_WARPS]);
    int64_t at, lane = threadIdx.x % 32,
                first = (int64_t)blockIdx.x * GI_CHOOSE_TILE + threadIdx.x / 32 * (32 * GI_CHOOSE_FLAGS) + lane;
    uint32_t words = gi_cuda_choose(m, row, at), below = (1u << lane) - 1;
#pragma unroll 1
    for (int turn = 0; turn < GI_CHOOSE_FLAGS; turn += GI_CHOOSE_BATCH) {
        uint32_t word[GI_CHOOSE_BATCH];
        U        x[GI_CHOOSE_BATCH];
#pragma unroll
        for (int k = 0; k < GI_CHOOSE_BATCH; k++) {
            word[k] = __shfl_sync(0xffffffffu, words, 2 * (turn + k));
            if (word[k] >> lane & 1) x[k] = ((const U *)m.from)[first + 32 * (turn + k)];
        }
#pragma unroll
        for (int k = 0; k < GI_CHOOSE_BATCH; k++) {
            if (word[k] >> lane & 1) ((U *)m.to)[at + __popc(word[k] & below)] = x[k];
            at += __popc(word[k]);
        }
    }
}

static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_choose_places(const __grid_constant__ gi_choosing m)
{
    GI_SHARED(int64_t, row, [GI_WARPS]);
    int64_t at, lane = threadIdx.x % 32,
                first = (int64_t)blockIdx.x * GI_CHOOSE_TILE + threadIdx.x / 32 * (32 * GI_CHOOSE_FLAGS) + lane;
    uint32_t words = gi_cuda_choose(m, row, at), below = (1u << lane) - 1;
#pragma unroll 1
    for (int k = 0; k < GI_CHOOSE_FLAGS; k++) {
        uint32_t word = __shfl_sync(0xffffffffu, words, 2 * k);
        if (word >> lane & 1) { /* the last axis first: what is left of a place is its index along the axes before */
            int64_t place = first + 32 * k, *to = (int64_t *)m.to + at + __popc(word & below);
            for (int d = m.ndim - 1; d > 0; d--) {
                int64_t left    = gi_divide_wide(place, m.shape[d]);
                to[d * m.total] = place - left * m.shape[d].by;
                place           = left;
            }
            to[0] = place;
        }
        at += __popc(word);
    }
}

typedef void (*gi_choosing_kernel)(const gi_choosing);
static gi_choosing_kernel gi_choosing_kernel_for(int64_t itemsize)
{
    switch (itemsize) {
    case 1: return gi_cuda_choose_elements<uint8_t>;
    case 2: return gi_cuda_choose_elements<uint16_t>;
    case 4: return gi_cuda_choose_elements<uint32_t>;
    case 8: return gi_cuda_choose_elements<uint64_t>;
    default: return gi_cuda_choose_elements<gi_16_bytes>;
    }
}

/* The counts of the blocks as places, and their total: the number for which the host waits. */
static bool gi_cuda_count_flags(const char *site, const ga_array *flags, int64_t *starts, int64_t blocks, int64_t *total)
{
    GI_LAUNCH(gi_cuda_count_true, (unsigned)blocks, GI_CUDA_THREADS, gi_cuda_current_stream(), (const uint8_t *)flags->data,
              flags->size, starts);
    return gi_cuda_launched(site, "counting what is true") &&
           gi_cuda_exclusive_scan(site, flags, starts, blocks, starts + blocks) &&
           gi_cuda_read(site, flags, total, starts + blocks, sizeof *total);
}

/* The elements of a (NULL: the indices) where condition is nonzero. */
static ga_array *gi_cuda_chosen(const char *site, const ga_array *condition, const ga_array *a)
{
    gi_choosing m;
    gi_scratch  starts;
    memset(&m, 0, sizeof m);
    memset(&starts, 0, sizeof starts);
    ga_array *flags = gi_contiguous(site, condition, GA_BOOL), *chosen = NULL;
    ga_array *packed = flags && a ? gi_contiguous(site, a, a->dtype) : NULL;
    int64_t   blocks = (condition->size + GI_CHOOSE_TILE - 1) / GI_CHOOSE_TILE;
    bool      ok     = flags && (packed || !a) && gi_cuda_touch(site, flags) && (!a || gi_cuda_touch(site, packed));
    if (ok && blocks > 0)
        ok = gi_scratch_get(site, &starts, flags, (size_t)(blocks + 1) * sizeof(int64_t)) &&
             gi_cuda_count_flags(site, flags, (int64_t *)starts.p, blocks, &m.total);
    const int64_t shape[2] = { condition->ndim, m.total };
    if (ok) chosen = a ? gi_new(site, a->dtype, GA_CUDA, 1, &m.total) : gi_new(site, GA_I64, GA_CUDA, 2, shape);
    if (chosen && m.total > 0) {
        m.flags  = (const uint8_t *)flags->data;
        m.n      = condition->size;
        m.from   = packed ? (const char *)packed->data : NULL;
        m.to     = (char *)chosen->data;
        m.starts = (const int64_t *)starts.p;
        m.ndim   = condition->ndim;
        for (int d = 0; d < m.ndim; d++) m.shape[d] = gi_wide_divisor_of(condition->shape[d], m.n);
        gi_choosing_kernel kernel = a ? gi_choosing_kernel_for(ga_itemsize(a->dtype)) : gi_cuda_choose_places;
        GI_LAUNCH(kernel, (unsigned)blocks, GI_CUDA_THREADS, gi_cuda_current_stream(), m);
        if (!gi_cuda_launched(site, "writing what is chosen")) {
            ga_free(chosen);
            chosen = NULL;
        }
    }
    gi_scratch_free(&starts);
    ga_free(packed);
    ga_free(flags);
    return chosen;
}

/* ==== >>cuda counting: histograms and bins =============================================================================== */

/*  Ones are counted with atomics on integers, whose order does not matter. Weights are added up in the order that gpuarr.h
    documents: a block of the GPU takes a block of elements, and each of its warps the bins whose number modulo 8 is its own. It
    gathers the elements of those bins in their order, 32 of them at a time; then one lane for each bin adds up its elements.  */

enum { GI_COUNT_SHARED = 4096, GI_WEIGH_ITEMS = 8, GI_WEIGH_TILE = GI_WEIGH_ITEMS * GI_CUDA_THREADS };

typedef struct gi_binning {
    const char   *data; /* packed */
    ga_dtype      dtype;
    int64_t       n, bins;
    const double *edges; /* NULL: the elements are the numbers of their bins */
} gi_binning;

/* The bin of element i, -1 for none. */
GI_DEVICE int64_t gi_cuda_bin(const gi_binning &m, int64_t i)
{
    double  x   = 0;
    int64_t bin = 0;
    switch (m.dtype) {
#define GI_CASE(TAG, tag, T, name)                                                                                             \
    case GA_##TAG:                                                                                                             \
        if (m.edges) x = gi_cast_f64_##tag(((const T *)m.data)[i]);                                                            \
        else bin = gi_cast_i64_##tag(((const T *)m.data)[i]);                                                                  \
        break;
        GI_EACH_BOOL(GI_CASE)
        GI_EACH_INT(GI_CASE)
        GI_EACH_FLT(GI_CASE)
#undef GI_CASE
    default: break;
    }
    return m.edges ? gi_bin_of(x, m.edges, m.bins) : bin;
}

/* Counts into shared memory first, if the bins fit. */
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_count_few(const __grid_constant__ gi_binning m, unsigned long long *counts)
{
    GI_SHARED(unsigned, own, [GI_COUNT_SHARED]);
    for (int k = threadIdx.x; k < m.bins; k += GI_CUDA_THREADS) own[k] = 0;
    __syncthreads();
    for (int64_t i = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x; i < m.n; i += (int64_t)gridDim.x * GI_CUDA_THREADS) {
        int64_t bin = gi_cuda_bin(m, i);
        if (bin >= 0) atomicAdd(&own[bin], 1u);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < m.bins; k += GI_CUDA_THREADS)
        if (own[k]) atomicAdd(&counts[k], (unsigned long long)own[k]);
}

static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_count_many(const __grid_constant__ gi_binning m, unsigned long long *counts)
{
    for (int64_t i = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x; i < m.n; i += (int64_t)gridDim.x * GI_CUDA_THREADS) {
        int64_t bin = gi_cuda_bin(m, i);
        if (bin >= 0) atomicAdd(&counts[bin], 1ull);
    }
}

/* Adds the first `waiting` elements of a warp's queue to the sums of their bins, each bin in the order of the queue. Sums begin as +0,
   so none is ever -0, and adding +0 changes nothing. */
GI_DEVICE void gi_cuda_weigh_queue(const int64_t *bins, const double *weights, int waiting, double *sums)
{
    int      lane  = threadIdx.x % 32;
    int64_t  bin   = lane < waiting ? bins[lane] : -1 - lane;
    uint32_t group = __match_any_sync(0xffffffffu, (unsigned long long)bin);
    bool     first = lane < waiting && __ffs((int)group) - 1 == lane; /* of its bin: adds for all */
    double   sum   = first ? sums[bin] : 0;
    if (!first) group = 0;
    if (__any_sync(0xffffffffu, __popc(group) >= 12)) { /* as in a picture with a background: without waiting for each weight */
#pragma unroll 8
        for (int k = 0; k < 32; k++) sum += group >> k & 1 ? weights[k] : 0.0;
    } else {
        for (; __any_sync(0xffffffffu, group != 0); group &= group - 1)
            if (group) sum += weights[__ffs((int)group) - 1];
    }
    if (first) sums[bin] = sum;
}

/* A row of sums for each block of elements. */
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_weigh(const __grid_constant__ gi_binning m, const double *weights, int64_t first, int64_t block, double *sums)
{
    enum { QUEUE = 64 };
    GI_SHARED(int64_t, bin, [GI_WEIGH_TILE]);
    GI_SHARED(double, weight, [GI_WEIGH_TILE]);
    GI_SHARED(int64_t, queued_bin, [GI_WARPS][QUEUE]);
    GI_SHARED(double, queued_weight, [GI_WARPS][QUEUE]);
    int      lane = threadIdx.x % 32, warp = threadIdx.x / 32, waiting = 0;
    uint32_t below = (1u << lane) - 1;
    int64_t  start = (first + blockIdx.x) * block, stop = m.n - start < block ? m.n : start + block;
    sums += blockIdx.x * m.bins;
    for (; start < stop; start += GI_WEIGH_TILE) {
#pragma unroll
        for (int k = 0; k < GI_WEIGH_ITEMS; k++) {
            int     e = threadIdx.x + k * GI_CUDA_THREADS;
            int64_t b = start + e < stop ? gi_cuda_bin(m, start + e) : -1;
            bin[e]    = b;
            weight[e] = b >= 0 ? weights[start + e] : 0;
        }
        __syncthreads();
        for (int e = lane; e < GI_WEIGH_TILE; e += 32) {
            int64_t  b    = bin[e];
            bool     mine = b >= 0 && b % GI_WARPS == warp;
            uint32_t who  = __ballot_sync(0xffffffffu, mine);
            if (mine) {
                int place                  = waiting + __popc(who & below);
                queued_bin[warp][place]    = b;
                queued_weight[warp][place] = weight[e];
            }
            waiting += __popc(who);
            bool last = start + GI_WEIGH_TILE >= stop && e >= GI_WEIGH_TILE - 32;
            while (waiting >= 32 || (last && waiting > 0)) {
                __syncwarp();
                gi_cuda_weigh_queue(queued_bin[warp], queued_weight[warp], waiting, sums);
                __syncwarp();
                waiting = waiting > 32 ? waiting - 32 : 0;
                if (lane < waiting) { /* the others move up */
                    queued_bin[warp][lane]    = queued_bin[warp][lane + 32];
                    queued_weight[warp][lane] = queued_weight[warp][lane + 32];
                }
                __syncwarp(); /* redundant: the next ballot meets, too, though CUDA promises no order of memory for it */
            }
        }
        __syncthreads();
    }
}

/* Adds the rows, in their order, to the total. */
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_add_rows(double *total, const double *rows, int64_t bins, int64_t count)
{
    int64_t i = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x;
    if (i >= bins) return;
    double sum = total[i];
#pragma unroll 8
    for (int64_t k = 0; k < count; k++) sum += rows[k * bins + i];
    total[i] = sum;
}

static bool gi_cuda_count_ones(const char *site, const ga_array *a, const gi_binning *m, ga_array *total)
{
    unsigned long long *counts = (unsigned long long *)total->data;
    int64_t most = (int64_t)gi_gpus.gpu[gi_cuda_ordinal(a)].processors * 8, least = m->n >> 31; /* own counts are 32 bits */
    int64_t blocks = (m->n + 16 * GI_CUDA_THREADS - 1) / (16 * GI_CUDA_THREADS);
    if (blocks > most) blocks = most > least ? most : least + 1;
    void (*kernel)(const gi_binning, unsigned long long *) = gi_cuda_count_many;
    if (m->bins <= GI_COUNT_SHARED) kernel = gi_cuda_count_few;
    GI_LAUNCH(kernel, (unsigned)blocks, GI_CUDA_THREADS, gi_cuda_current_stream(), *m, counts);
    return gi_cuda_launched(site, "counting");
}

static bool gi_cuda_weigh_all(const char *site, const gi_binning *m, const ga_array *weights, ga_array *total)
{
    const int64_t room  = (int64_t)1 << 25; /* sums of all blocks that are added up at once */
    int64_t       block = m->bins > GI_COUNT_BLOCK ? m->bins : GI_COUNT_BLOCK, blocks = (m->n + block - 1) / block;
    int64_t       at_once = room / m->bins < 1 ? 1 : room / m->bins < blocks ? room / m->bins : blocks;
    size_t        row     = (size_t)m->bins * sizeof(double);
    cudaStream_t  stream  = gi_cuda_current_stream();
    gi_scratch    sums;
    if (!gi_scratch_get(site, &sums, weights, (size_t)at_once * row)) return false;
    bool ok = true;
    for (int64_t first = 0; ok && first < blocks; first += at_once) {
        int64_t count = blocks - first < at_once ? blocks - first : at_once;
        ok            = GI_CUDA_OK(site, cudaMemsetAsync(sums.p, 0, (size_t)count * row, stream));
        if (!ok) break;
        GI_LAUNCH(gi_cuda_weigh, (unsigned)count, GI_CUDA_THREADS, stream, *m, (const double *)weights->data, first, block,
                  (double *)sums.p);
        ok = gi_cuda_launched(site, "adding weights");
        if (!ok) break;
        GI_LAUNCH(gi_cuda_add_rows, gi_cuda_blocks(m->bins), GI_CUDA_THREADS, stream, (double *)total->data,
                  (const double *)sums.p, m->bins, count);
        ok = gi_cuda_launched(site, "adding weights");
    }
    gi_scratch_free(&sums);
    return ok;
}

/* How many elements lie in each bin, int64, or the sums of their weights, float64. */
static ga_array *gi_cuda_count_bins(const char *site, const ga_array *a, const ga_array *weights, int64_t bins,
                                    const double *edges)
{
    ga_array *total          = gi_new(site, weights ? GA_F64 : GA_I64, GA_CUDA, 1, &bins);
    ga_array *packed         = total ? gi_contiguous(site, a, a->dtype) : NULL;
    ga_array *packed_weights = packed && weights ? gi_contiguous(site, weights, GA_F64) : NULL;
    bool      ok             = packed && (packed_weights || !weights) && gi_clear(site, total);
    if (ok && a->size > 0) {
        gi_binning      m      = { (const char *)packed->data, a->dtype, a->size, bins, edges };
        const ga_array *all[3] = { packed, packed_weights, total };
        ok                     = gi_cuda_touch_all(site, 3, all);
        if (ok && weights) ok = gi_cuda_weigh_all(site, &m, packed_weights, total);
        else if (ok) ok = gi_cuda_count_ones(site, packed, &m, total);
    }
    ga_free(packed_weights);
    ga_free(packed);
    if (ok) return total;
    ga_free(total);
    return NULL;
}

/* ==== >>cuda sorting ====================================================================================================== */
/*  Elements become unsigned keys whose order is theirs. Lines that fit a block's shared memory are sorted there. Longer ones are sorted
    together by a stable radix sort of keys and numbers, the least important key first and that of the line last; one long line of
    real numbers by its keys alone. */

/* ---- keys ---------------------------------------------------------------------------------------------------------------- */

typedef enum gi_key_rule {
    GI_KEYS_UNSIGNED,
    GI_KEYS_SIGNED,
    GI_KEYS_FLOAT,    /* both zeros are equal, and all NaNs, the last */
    GI_KEYS_ORDER,    /* floats, but -0 comes before 0 */
    GI_KEYS_C64,      /* of complex numbers, see gi_order_complex: those with a NaN have the two greatest ... */
    GI_KEYS_C128_LOW, /* ... high halves, or high keys. Sort by the low one first */
    GI_KEYS_C128_HIGH,
    GI_KEYS_LINE /* the number of the line */
} gi_key_rule;

typedef struct gi_cuda_keys {
    gi_key_rule rule;
    int         size, bits; /* bytes of an element; bits of its key */
    int64_t     length;     /* of a line */
} gi_cuda_keys;

static gi_cuda_keys gi_cuda_keys_of(ga_dtype dtype, bool order)
{
    gi_cuda_keys k = { GI_KEYS_UNSIGNED, (int)ga_itemsize(dtype), 8 * (int)ga_itemsize(dtype), 1 };
    if (gi_is_signed(dtype)) k.rule = GI_KEYS_SIGNED;
    if (gi_is_float(dtype)) k.rule = order ? GI_KEYS_ORDER : GI_KEYS_FLOAT;
    if (dtype == GA_BOOL) k.bits = 1;
    if (dtype == GA_C64) k.rule = GI_KEYS_C64;
    if (dtype == GA_C128) {
        k.rule = GI_KEYS_C128_HIGH;
        k.bits = 64;
    }
    return k;
}

GI_DEVICE void gi_cuda_key_at(gi_cuda_keys k, const char *p, uint32_t &key)
{
    const uint32_t sign = 0x80000000u;
    uint32_t       bits = k.size == 1 ? *(const uint8_t *)p : k.size == 2 ? *(const uint16_t *)p : *(const uint32_t *)p;
    switch (k.rule) {
    case GI_KEYS_SIGNED: key = bits ^ (1u << (8 * k.size - 1)); break;
    case GI_KEYS_FLOAT: key = gi_key_f32(bits); break;
    case GI_KEYS_ORDER: key = (bits & ~sign) > 0x7f800000u ? UINT32_MAX : bits & sign ? ~bits : bits | sign; break;
    default: key = bits;
    }
}

GI_DEVICE void gi_cuda_key_at(gi_cuda_keys k, const char *p, uint64_t &key)
{
    const uint64_t sign = (uint64_t)1 << 63, nan = UINT64_MAX;
    if (k.size < 8) {
        uint32_t narrow;
        gi_cuda_key_at(k, p, narrow);
        key = narrow;
        return;
    }
    uint64_t bits = *(const uint64_t *)p, other;
    switch (k.rule) {
    case GI_KEYS_SIGNED: key = bits ^ sign; break;
    case GI_KEYS_FLOAT: key = gi_key_f64(bits); break;
    case GI_KEYS_ORDER: key = (bits & ~sign) > 0x7ff0000000000000u ? nan : bits & sign ? ~bits : bits | sign; break;
    case GI_KEYS_C64: {
        uint32_t re = gi_key_f32((uint32_t)bits), im = gi_key_f32((uint32_t)(bits >> 32));
        bool     only_im = im == UINT32_MAX && re != UINT32_MAX;
        key              = only_im ? (uint64_t)(UINT32_MAX - 1) << 32 | re : (uint64_t)re << 32 | im;
        break;
    }
    case GI_KEYS_C128_LOW:
    case GI_KEYS_C128_HIGH: {
        uint64_t re  = gi_key_f64(bits);
        other        = gi_key_f64(*(const uint64_t *)(p + 8));
        bool only_im = other == nan && re != nan;
        if (k.rule == GI_KEYS_C128_LOW) key = only_im ? re : other;
        else key = only_im ? nan - 1 : re;
        break;
    }
    default: key = bits;
    }
}

/* Are two elements equal, as ga_unique sees them? All NaNs are. */
GI_DEVICE bool gi_cuda_same_element(gi_cuda_keys k, const char *p, const char *q)
{
    uint64_t a, b;
    gi_cuda_key_at(k, p, a);
    gi_cuda_key_at(k, q, b);
    if (k.rule == GI_KEYS_C64 && a >= (uint64_t)(UINT32_MAX - 1) << 32) return b >= (uint64_t)(UINT32_MAX - 1) << 32;
    if (k.rule != GI_KEYS_C128_HIGH) return a == b;
    if (a >= UINT64_MAX - 1) return b >= UINT64_MAX - 1;
    if (a != b) return false;
    k.rule = GI_KEYS_C128_LOW;
    gi_cuda_key_at(k, p, a);
    gi_cuda_key_at(k, q, b);
    return a == b;
}

/* Writes the element of a key of a real dtype: any NaN, and 0 for both zeros, by GI_KEYS_FLOAT. */
GI_DEVICE void gi_cuda_element_of(gi_cuda_keys k, uint32_t key, char *p)
{
    if (k.rule == GI_KEYS_SIGNED) key ^= 1u << (8 * k.size - 1);
    if (k.rule == GI_KEYS_FLOAT || k.rule == GI_KEYS_ORDER) key = gi_bits_of_key_f32(key);
    if (k.size == 1) *(uint8_t *)p = (uint8_t)key;
    else if (k.size == 2) *(uint16_t *)p = (uint16_t)key;
    else *(uint32_t *)p = key;
}

GI_DEVICE void gi_cuda_element_of(gi_cuda_keys k, uint64_t key, char *p)
{
    if (k.rule == GI_KEYS_SIGNED) key ^= (uint64_t)1 << 63;
    if (k.rule == GI_KEYS_FLOAT || k.rule == GI_KEYS_ORDER) key = gi_bits_of_key_f64(key);
    *(uint64_t *)p = key;
}

GI_DEVICE void gi_cuda_move(int size, char *to, const char *from)
{
    switch (size) {
    case 1: *to = *from; break;
    case 2: *(uint16_t *)to = *(const uint16_t *)from; break;
    case 4: *(uint32_t *)to = *(const uint32_t *)from; break;
    case 8: *(uint64_t *)to = *(const uint64_t *)from; break;
    default: *(gi_16_bytes *)to = *(const gi_16_bytes *)from;
    }
}

/* ---- short lines --------------------------------------------------------------------------------------------------------- */

/* Where the elements of lines lie. */
typedef struct gi_sort_lines {
    char      *data;
    int        kept, reduced;
    bool       many; /* lines: 2^31 or more */
    int64_t    kept_shape[GPUARR_MAX_DIMS], kept_strides[GPUARR_MAX_DIMS], strides[GPUARR_MAX_DIMS];
    gi_divisor kept_divisor[GPUARR_MAX_DIMS], divisor[GPUARR_MAX_DIMS];
} gi_sort_lines;

static gi_sort_lines gi_sort_lines_of(const gi_lines *p)
{
    gi_sort_lines l;
    memset(&l, 0, sizeof l);
    l.data    = (char *)p->a->data;
    l.reduced = p->reduced;
    l.many    = p->lines > INT32_MAX;
    for (int d = 0; d < p->kept; d++) { /* joined where possible */
        int last = l.kept - 1;
        if (last >= 0 && l.kept_strides[last] == p->kept_strides[d] * p->kept_shape[d]) {
            l.kept_shape[last] *= p->kept_shape[d];
            l.kept_strides[last] = p->kept_strides[d];
        } else if (p->kept_shape[d] > 1) {
            l.kept_shape[l.kept]     = p->kept_shape[d];
            l.kept_strides[l.kept++] = p->kept_strides[d];
        }
    }
    for (int d = 0; d < l.kept && !l.many; d++) l.kept_divisor[d] = gi_divisor_of(l.kept_shape[d]);
    for (int d = 0; d < l.reduced; d++) {
        l.divisor[d] = gi_divisor_of(p->shape[d]);
        l.strides[d] = p->strides[d];
    }
    return l;
}

GI_DEVICE char *gi_sort_at(const gi_sort_lines &l, int64_t line, uint32_t i)
{
    char *p = l.data;
    if (l.many) {
#pragma unroll 1
        for (int d = l.kept - 1; d >= 0; d--) {
            p += line % l.kept_shape[d] * l.kept_strides[d];
            line /= l.kept_shape[d];
        }
    } else {
        uint32_t rest = (uint32_t)line;
#pragma unroll 1
        for (int d = l.kept - 1; d > 0; d--) {
            uint32_t above = gi_divide(rest, l.kept_divisor[d]);
            p += (rest - above * l.kept_divisor[d].by) * l.kept_strides[d];
            rest = above;
        }
        p += rest * l.kept_strides[0];
    }
#pragma unroll 1
    for (int d = l.reduced - 1; d > 0; d--) {
        uint32_t above = gi_divide(i, l.divisor[d]);
        p += (i - above * l.divisor[d].by) * l.strides[d];
        i = above;
    }
    return p + i * l.strides[0];
}

enum { GI_SORT_LOG = 11, GI_SORT_TILE = 1 << GI_SORT_LOG, GI_SORT_OF_WARP = GI_SORT_TILE / GI_WARPS };

typedef enum gi_short_result { GI_SHORT_ELEMENTS, GI_SHORT_INDICES, GI_SHORT_QUANTILES } gi_short_result;

/* What is asked for of sorted lines; the quantiles are on the device. */
typedef struct gi_cuda_quantiles {
    gi_quantile_rule rule;
    int              count;
    const double    *quantiles; /* ascending */
    const int64_t   *places;
    char            *out; /* for each place, all lines */
    int64_t          lines;
} gi_cuda_quantiles;

typedef struct gi_cuda_short {
    gi_sort_lines     in, out;
    gi_cuda_keys      keys;
    gi_short_result   result;
    gi_cuda_quantiles wanted;
    int64_t           lines;
    int               length, log;           /* of a line; 2^log slots are there for each */
    bool              in_across, out_across; /* neighbours in memory are those of other lines */
} gi_cuda_short;

/* Writes a quantile of a line of n elements that count (0: NaN), from the keys of the two elements that it lies between. */
template <class K>
GI_DEVICE void gi_cuda_write_quantile(const gi_cuda_quantiles &w, gi_cuda_keys keys, int k, int64_t line, int64_t n, gi_rank r,
                                      K previous, K next)
{
    const gi_quantile_rule &rule = w.rule;
    int                     size = rule.result == GA_F32 ? 4 : 8;
    bool between = rule.median || rule.method == GA_LINEAR || rule.method == GA_MIDPOINT, is_float = keys.rule == GI_KEYS_ORDER;
    if (!between) size = keys.size;
    char  *out   = w.out + (w.places[k] * w.lines + line) * size;
    double value = gi_nan_f64();
    if (n > 0 && !between) {
        gi_cuda_element_of(keys, previous, out);
        return;
    }
    if (n > 0) {
        double a, b;
        if (is_float && sizeof(K) == 4) {
            a = (double)gi_from_bits_f32(gi_bits_of_key_f32((uint32_t)previous));
            b = (double)gi_from_bits_f32(gi_bits_of_key_f32((uint32_t)next));
        } else if (is_float) {
            a = gi_from_bits_f64(gi_bits_of_key_f64(previous));
            b = gi_from_bits_f64(gi_bits_of_key_f64(next));
        } else if (keys.rule == GI_KEYS_SIGNED) {
            uint64_t bias = (uint64_t)1 << (8 * keys.size - 1);
            a             = (double)(int64_t)(previous - bias);
            b             = (double)(int64_t)(next - bias);
        } else {
            a = (double)previous;
            b = (double)next;
        }
        value = gi_quantile_between(rule, r, a, b, (uint64_t)(next - previous));
    }
    if (size == 4) *(float *)out = (float)value;
    else *(double *)out = value;
}

/* How many elements of a line count: none if a NaN is among them that is not to be skipped. */
GI_DEVICE int64_t gi_cuda_counted(const gi_quantile_rule &rule, int64_t length, int64_t nans)
{
    return nans > 0 && !rule.skip_nan ? 0 : length - nans;
}

/* Each block sorts the lines that fit into it by a bitonic network. Equal keys keep their order: places are compared too. */
template <class K>
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_sort_short(const __grid_constant__ gi_cuda_short j)
{
    GI_SHARED(K, key, [GI_SORT_TILE]);
    GI_SHARED(uint16_t, place, [GI_SORT_TILE]);
    const K  last = (K) ~(K)0;
    int      log = j.log, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint32_t span = 1u << log, lines = GI_SORT_TILE >> log;
    int64_t  first = (int64_t)blockIdx.x * lines;

    for (uint32_t x = threadIdx.x; x < GI_SORT_TILE; x += GI_CUDA_THREADS) {
        uint32_t line = j.in_across ? x & (lines - 1) : x >> log;
        uint32_t i    = j.in_across ? x >> (GI_SORT_LOG - log) : x & (span - 1);
        K        k    = last;
        if (first + line < j.lines && i < j.length) gi_cuda_key_at(j.keys, gi_sort_at(j.in, first + line, i), k);
        key[line << log | i]   = k;
        place[line << log | i] = (uint16_t)i;
    }
    __syncthreads();
    for (uint32_t run = 2; run <= span; run *= 2)
        for (uint32_t step = run / 2; step > 0; step /= 2) {
#pragma unroll
            for (int turn = 0; turn < GI_SORT_OF_WARP / 64; turn++) {
                uint32_t pair = warp * (GI_SORT_OF_WARP / 2) + turn * 32 + lane, low = pair & (step - 1);
                uint32_t a = (pair - low) * 2 + low, b = a + step;
                K        x = key[a], y = key[b];
                uint16_t p = place[a], q = place[b];
                bool     falling = (a & (span - 1) & run) != 0, after = x > y || (x == y && p > q);
                if (after != falling) {
                    key[a]   = y;
                    key[b]   = x;
                    place[a] = q;
                    place[b] = p;
                }
            }
            /* steps that stay in the part of a warp need not wait for the others */
            if (step > GI_SORT_OF_WARP / 2 || (step == 1 && run > GI_SORT_OF_WARP / 2 && run < span)) __syncthreads();
            else __syncwarp();
        }
    __syncthreads();

    if (j.result == GI_SHORT_QUANTILES) {
        for (int64_t x = threadIdx.x; x < (int64_t)lines * j.wanted.count; x += GI_CUDA_THREADS) {
            uint32_t line = (uint32_t)x & (lines - 1), start = line << log;
            int      k = (int)(x >> (GI_SORT_LOG - log)), numbers = 0, end = j.length;
            if (first + line >= j.lines) continue;
            while (j.keys.rule == GI_KEYS_ORDER && numbers < end) { /* the NaNs are the last */
                int middle = (numbers + end) / 2;
                if (key[start + middle] == last) end = middle;
                else numbers = middle + 1;
            }
            int64_t n = gi_cuda_counted(j.wanted.rule, j.length, j.length - end);
            gi_rank r = gi_rank_of(j.wanted.rule, j.wanted.quantiles[k], n > 0 ? n : 1);
            gi_cuda_write_quantile(j.wanted, j.keys, k, first + line, n, r, key[start + r.previous], key[start + r.next]);
        }
        return;
    }
    for (uint32_t x = threadIdx.x; x < GI_SORT_TILE; x += GI_CUDA_THREADS) {
        uint32_t line = j.out_across ? x & (lines - 1) : x >> log;
        uint32_t i    = j.out_across ? x >> (GI_SORT_LOG - log) : x & (span - 1);
        if (first + line >= j.lines || i >= j.length) continue;
        uint32_t from = place[line << log | i];
        char    *out  = gi_sort_at(j.out, first + line, i);
        if (j.result == GI_SHORT_INDICES) *(int64_t *)out = from;
        else gi_cuda_move(j.keys.size, out, gi_sort_at(j.in, first + line, from));
    }
}

/* Do the neighbours in memory lie in other lines? */
static bool gi_cuda_across(const gi_sort_lines *l)
{
    if (l->kept == 0) return false;
    int64_t kept = l->kept_strides[l->kept - 1], reduced = l->strides[l->reduced - 1];
    return (kept < 0 ? -kept : kept) < (reduced < 0 ? -reduced : reduced);
}

/* Sorts lines of at most GI_SORT_TILE elements of at most 8 bytes; j has what is wanted. */
static bool gi_cuda_run_short(const char *site, gi_cuda_short *j, const gi_lines *in)
{
    j->in        = gi_sort_lines_of(in);
    j->in_across = gi_cuda_across(&j->in);
    j->lines     = in->lines;
    j->length    = (int)in->length;
    for (j->log = 0; (1 << j->log) < j->length;) j->log++;
    int64_t      fitting = GI_SORT_TILE >> j->log;
    unsigned     blocks  = (unsigned)((j->lines + fitting - 1) / fitting);
    cudaStream_t stream  = gi_cuda_current_stream();
    if (j->keys.size == 8) GI_LAUNCH(gi_cuda_sort_short<uint64_t>, blocks, GI_CUDA_THREADS, stream, *j);
    else GI_LAUNCH(gi_cuda_sort_short<uint32_t>, blocks, GI_CUDA_THREADS, stream, *j);
    return gi_cuda_launched(site, "the sort of short lines");
}

/* ---- the radix sort ------------------------------------------------------------------------------------------------------- */

enum { GI_RADIX_TURNS = 16, GI_RADIX_OF_WARP = 32 * GI_RADIX_TURNS, GI_RADIX_TILE = GI_WARPS * GI_RADIX_OF_WARP };

/* How often each digit occurs in each tile: for the first digit all tiles, then for the second ... */
template <class K>
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_count_digits(const K *keys, int64_t n, int shift, int64_t *counts)
{
    GI_SHARED(unsigned, count, [GI_DIGITS]);
    int64_t start = (int64_t)blockIdx.x * GI_RADIX_TILE, stop = n - start < GI_RADIX_TILE ? n : start + GI_RADIX_TILE;
    count[threadIdx.x] = 0;
    __syncthreads();
    for (int64_t i = start + threadIdx.x; i < stop; i += GI_CUDA_THREADS)
        atomicAdd(&count[(unsigned)(keys[i] >> shift) % GI_DIGITS], 1u);
    __syncthreads();
    counts[(int64_t)threadIdx.x * gridDim.x + blockIdx.x] = count[threadIdx.x];
}

/* Moves each key of a tile to the place of its digit. Each warp has neighbouring keys, and knows how many of the warps before it
   have a digit. */
template <class K, class I>
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_move_digits(const K *keys, const I *with, K *to, I *with_to, int64_t n, int shift, const int64_t *places)
{
    GI_SHARED(unsigned, before, [GI_WARPS][GI_DIGITS]);
    GI_SHARED(int64_t, place, [GI_DIGITS]);
    int     warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int64_t start = (int64_t)blockIdx.x * GI_RADIX_TILE + warp * GI_RADIX_OF_WARP;
    K       key[GI_RADIX_TURNS];
#pragma unroll
    for (int w = 0; w < GI_WARPS; w++) before[w][threadIdx.x] = 0;
    place[threadIdx.x] = places[(int64_t)threadIdx.x * gridDim.x + blockIdx.x];
    __syncthreads();
#pragma unroll
    for (int turn = 0; turn < GI_RADIX_TURNS; turn++) {
        int64_t i = start + turn * 32 + lane;
        key[turn] = i < n ? keys[i] : 0;
        if (i < n) atomicAdd(&before[warp][(unsigned)(key[turn] >> shift) % GI_DIGITS], 1u);
    }
    __syncthreads();
    unsigned sum = 0;
#pragma unroll
    for (int w = 0; w < GI_WARPS; w++) {
        unsigned count         = before[w][threadIdx.x];
        before[w][threadIdx.x] = sum;
        sum += count;
    }
    __syncthreads();
#pragma unroll
    for (int turn = 0; turn < GI_RADIX_TURNS; turn++) {
        int64_t  i     = start + turn * 32 + lane;
        unsigned digit = (unsigned)(key[turn] >> shift) % GI_DIGITS;
        unsigned same = __match_any_sync(0xffffffffu, i < n ? digit : GI_DIGITS), lower = same & ((1u << lane) - 1);
        unsigned at = i < n ? before[warp][digit] : 0;
        __syncwarp();
        if (i < n && lower == 0) before[warp][digit] = at + __popc(same);
        __syncwarp();
        if (i < n) {
            int64_t target = place[digit] + at + __popc(lower);
            to[target]     = key[turn];
            if (with) with_to[target] = with[i];
        }
    }
}

template <class K, class I>
static bool gi_cuda_sort_by_digits(const char *site, const ga_array *on, K *(&keys)[2], I **with, int64_t n, int bits)
{
    cudaStream_t stream = gi_cuda_current_stream();
    int64_t      tiles  = (n + GI_RADIX_TILE - 1) / GI_RADIX_TILE;
    gi_scratch   places;
    if (!gi_scratch_get(site, &places, on, (size_t)tiles * GI_DIGITS * sizeof(int64_t))) return false;
    bool     ok = true;
    int64_t *p  = (int64_t *)places.p;
    for (int shift = 0; ok && shift < bits; shift += 8) {
        GI_LAUNCH(gi_cuda_count_digits<K>, (unsigned)tiles, GI_CUDA_THREADS, stream, keys[0], n, shift, p);
        ok = gi_cuda_launched(site, "the counts of a sort") && gi_cuda_exclusive_scan(site, on, p, tiles * GI_DIGITS, NULL);
        if (!ok) break;
        GI_LAUNCH((gi_cuda_move_digits<K, I>), (unsigned)tiles, GI_CUDA_THREADS, stream, keys[0], with ? with[0] : (I *)NULL,
                  keys[1], with ? with[1] : (I *)NULL, n, shift, p);
        ok       = gi_cuda_launched(site, "a sort");
        K *moved = keys[1];
        keys[1]  = keys[0];
        keys[0]  = moved;
        if (with) {
            I *moved_with = with[1];
            with[1]       = with[0];
            with[0]       = moved_with;
        }
    }
    gi_scratch_free(&places);
    return ok;
}

#if GI_HAS_CUB
template <class K, class I>
static bool gi_cuda_sort_by_cub(const char *site, const ga_array *on, K *(&keys)[2], I **with, int64_t n, int bits)
{
    cudaStream_t         stream = gi_cuda_current_stream();
    cub::DoubleBuffer<K> k(keys[0], keys[1]);
    cub::DoubleBuffer<I> w(with ? with[0] : NULL, with ? with[1] : NULL);
    gi_scratch           room;
    size_t               bytes = 0;
    memset(&room, 0, sizeof room);
    for (int turn = 0; turn < 2; turn++) { /* the first asks how much room it needs */
        cudaError_t error = with ? cub::DeviceRadixSort::SortPairs(room.p, bytes, k, w, (int)n, 0, bits, stream)
                                 : cub::DeviceRadixSort::SortKeys(room.p, bytes, k, (int)n, 0, bits, stream);
        bool        ok    = gi_cuda_ok(site, error, "cub::DeviceRadixSort");
        if (ok && turn == 0 && gi_scratch_get(site, &room, on, bytes > 0 ? bytes : 1)) continue;
        if (room.p) gi_scratch_free(&room);
        if (!ok || turn == 0) return false;
    }
    keys[0] = k.Current();
    keys[1] = k.Alternate();
    if (with) {
        with[0] = w.Current();
        with[1] = w.Alternate();
    }
    return true;
}
#endif

/* Sorts n keys by their low `bits` bits, and what belongs to them (`with` NULL: nothing). Stable. Both have a second array as room,
   and the sorted ones are the first ones afterwards. */
template <class K>
static bool gi_cuda_sort_pairs(const char *site, const ga_array *on, K *(&keys)[2], uint32_t **with, int64_t n, int bits)
{
#if GI_HAS_CUB
    if (n <= INT32_MAX) return gi_cuda_sort_by_cub(site, on, keys, with, n, bits);
#endif
    return gi_cuda_sort_by_digits(site, on, keys, with, n, bits);
}
static bool gi_cuda_sort_pairs(const char *site, const ga_array *on, uint64_t *(&keys)[2], uint64_t **with, int64_t n, int bits)
{
    return gi_cuda_sort_by_digits(site, on, keys, with, n, bits);
}

/* ---- long lines ----------------------------------------------------------------------------------------------------------- */

/* The keys of the elements that `order` numbers (`first`: they are numbered here). GI_KEYS_LINE: of their lines. */
template <class K, class I>
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_keys_in_order(gi_cuda_keys how, const char *elements, int64_t n, I *order, bool first, K *keys)
{
    int64_t i = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x;
    if (i >= n) return;
    I number = first ? (I)i : order[i];
    if (first) order[i] = number;
    if (how.rule == GI_KEYS_LINE) keys[i] = (K)(number / (I)how.length);
    else gi_cuda_key_at(how, elements + (int64_t)number * how.size, keys[i]);
}

/* The elements in their order, or the indices in their lines. */
template <class I>
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_in_order(const I *order, int64_t n, int64_t length, const char *elements, int size, char *out)
{
    int64_t i = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x;
    if (i >= n) return;
    if (!elements) ((int64_t *)out)[i] = (int64_t)order[i] - i / length * length;
    else gi_cuda_move(size, out + i * size, elements + (int64_t)order[i] * size);
}

/* One pass: sorts the numbers by a key. */
template <class K, class I>
static bool gi_cuda_sort_pass(const char *site, const ga_array *on, gi_cuda_keys how, const char *elements, int64_t n,
                              I **order, bool first, char *const *room)
{
    K *keys[2] = { (K *)room[0], (K *)room[1] };
    GI_LAUNCH((gi_cuda_keys_in_order<K, I>), gi_cuda_blocks(n), GI_CUDA_THREADS, gi_cuda_current_stream(), how, elements, n,
              order[0], first, keys[0]);
    return gi_cuda_launched(site, "the keys of a sort") && gi_cuda_sort_pairs(site, on, keys, order, n, how.bits);
}

/* Sorts n packed elements of lines; N holds their numbers, and W keys of up to four bytes. */
template <class W, class N>
static bool gi_cuda_sort_together(const char *site, const ga_array *on, ga_dtype dtype, const char *elements, int64_t n,
                                  int64_t length, char *out, bool indices)
{
    gi_cuda_keys how = gi_cuda_keys_of(dtype, false), line = { GI_KEYS_LINE, 0, 0, length };
    size_t       numbers = (size_t)gi_padded(n * (int64_t)sizeof(N));
    size_t       keys    = (size_t)gi_padded(n * (int64_t)(how.size > 4 ? sizeof(uint64_t) : sizeof(W)));
    gi_scratch   room;
    if (!gi_scratch_get(site, &room, on, 2 * (numbers + keys))) return false;
    char *p = (char *)room.p, *key_room[2] = { p + 2 * numbers, p + 2 * numbers + keys };
    N    *order[2] = { (N *)p, (N *)(p + numbers) };
    bool  low = dtype == GA_C128, ok = true;
    if (low) {
        how.rule = GI_KEYS_C128_LOW;
        ok       = gi_cuda_sort_pass<uint64_t>(site, on, how, elements, n, order, true, key_room);
        how.rule = GI_KEYS_C128_HIGH;
    }
    if (how.size > 4) ok = ok && gi_cuda_sort_pass<uint64_t>(site, on, how, elements, n, order, !low, key_room);
    else ok = gi_cuda_sort_pass<W>(site, on, how, elements, n, order, true, key_room);
    while ((n - 1) / length >> line.bits > 0) line.bits++;
    if (line.bits > 0) ok = ok && gi_cuda_sort_pass<W>(site, on, line, elements, n, order, false, key_room);
    if (ok) {
        GI_LAUNCH(gi_cuda_in_order<N>, gi_cuda_blocks(n), GI_CUDA_THREADS, gi_cuda_current_stream(), order[0], n, length,
                  indices ? (const char *)NULL : elements, how.size, out);
        ok = gi_cuda_launched(site, "a sort");
    }
    gi_scratch_free(&room);
    return ok;
}

/* ---- one long line by its keys -------------------------------------------------------------------------------------------- */

enum { GI_PLAIN_TURNS = 16, GI_PLAIN_TILE = GI_PLAIN_TURNS * GI_CUDA_THREADS };

/* The keys of a line. For floats also how many zeros each block sees, and then, from counts[gridDim.x] on, how many NaNs. */
template <class K>
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_plain_keys(gi_cuda_keys how, const char *line, int64_t n, K *keys, int64_t *counts)
{
    GI_SHARED(int64_t, row, [GI_WARPS]);
    int64_t start = (int64_t)blockIdx.x * GI_PLAIN_TILE, found = 0, total;
    K       zero = (K)((K)1 << (8 * sizeof(K) - 1)), nan = (K) ~(K)0;
#pragma unroll 4
    for (int turn = 0; turn < GI_PLAIN_TURNS; turn++) {
        int64_t i = start + turn * GI_CUDA_THREADS + threadIdx.x;
        if (i >= n) break;
        K key;
        gi_cuda_key_at(how, line + i * how.size, key);
        keys[i] = key;
        found += key == zero ? 1 : key == nan ? (int64_t)1 << 32 : 0;
    }
    if (!counts) return;
    gi_cuda_sum_before(found, row, total);
    if (threadIdx.x > 0) return;
    counts[blockIdx.x]             = total & 0xffffffff;
    counts[gridDim.x + blockIdx.x] = total >> 32;
    if (blockIdx.x == 0) counts[2 * (int64_t)gridDim.x] = 0;
}

template <class K>
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_plain_elements(gi_cuda_keys how, const K *keys, int64_t n, char *out)
{
    int64_t i = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x;
    if (i < n) gi_cuda_element_of(how, keys[i], out + i * how.size);
}

/* Puts the zeros and the NaNs of a line into their places in the sorted line, in their order and with their own bits. `before`: the
   counts of gi_cuda_plain_keys, scanned. */
template <class K>
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_restore(gi_cuda_keys how, const char *line, int64_t n, const K *sorted, const int64_t *before, char *out)
{
    GI_SHARED(int64_t, rows, [2][GI_WARPS]);
    int64_t tiles = gridDim.x, tile = blockIdx.x, zeros_before = before[tile],
            nans_before = before[tiles + tile] - before[tiles];
    if (before[tile + 1] == zeros_before && before[tiles + tile + 1] == before[tiles + tile]) return;
    K       zero = (K)((K)1 << (8 * sizeof(K) - 1)), nan = (K) ~(K)0;
    int64_t low = 0, high = n, all; /* the place of the first zero, and how many zeros and NaNs came already */
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (sorted[middle] < zero) low = middle + 1;
        else high = middle;
    }
    int64_t zeros = low + zeros_before, nans = n - (before[2 * tiles] - before[tiles]) + nans_before;
    for (int turn = 0; turn < GI_PLAIN_TURNS; turn++) {
        int64_t     i   = tile * GI_PLAIN_TILE + turn * GI_CUDA_THREADS + threadIdx.x;
        const char *p   = line + i * how.size;
        K           key = 1;
        if (i < n) gi_cuda_key_at(how, p, key);
        int64_t mine    = key == zero  ? 1
                          : key == nan ? (int64_t)1 << 32
                                       : 0,
                earlier = gi_cuda_sum_before(mine, rows[turn % 2], all);
        if (key == zero) gi_cuda_move(how.size, out + (zeros + (earlier & 0xffffffff)) * how.size, p);
        if (key == nan) gi_cuda_move(how.size, out + (nans + (earlier >> 32)) * how.size, p);
        zeros += all & 0xffffffff;
        nans += all >> 32;
    }
}

template <class K>
static bool gi_cuda_sort_by_keys(const char *site, const ga_array *on, ga_dtype dtype, const char *line, int64_t n, char *out)
{
    gi_cuda_keys how    = gi_cuda_keys_of(dtype, false);
    bool         floats = gi_is_float(dtype), ok;
    cudaStream_t stream = gi_cuda_current_stream();
    int64_t      tiles = (n + GI_PLAIN_TILE - 1) / GI_PLAIN_TILE, bytes = gi_padded(n * (int64_t)sizeof(K)),
            counters = 2 * tiles + 1;
    gi_scratch room;
    if (!gi_scratch_get(site, &room, on, (size_t)(2 * bytes + counters * (int64_t)sizeof(int64_t)))) return false;
    char    *p       = (char *)room.p;
    K       *keys[2] = { (K *)p, (K *)(p + bytes) };
    int64_t *counts  = (int64_t *)(p + 2 * bytes);
    GI_LAUNCH(gi_cuda_plain_keys<K>, (unsigned)tiles, GI_CUDA_THREADS, stream, how, line, n, keys[0],
              floats ? counts : (int64_t *)NULL);
    ok = gi_cuda_launched(site, "the keys of a sort") && gi_cuda_sort_pairs(site, on, keys, (uint32_t **)NULL, n, how.bits);
    if (ok) {
        GI_LAUNCH(gi_cuda_plain_elements<K>, gi_cuda_blocks(n), GI_CUDA_THREADS, stream, how, keys[0], n, out);
        ok = gi_cuda_launched(site, "a sort");
    }
    if (ok && floats) {
        ok = gi_cuda_exclusive_scan(site, on, counts, counters, NULL);
        if (ok) GI_LAUNCH(gi_cuda_restore<K>, (unsigned)tiles, GI_CUDA_THREADS, stream, how, line, n, keys[0], counts, out);
        ok = ok && gi_cuda_launched(site, "a sort");
    }
    gi_scratch_free(&room);
    return ok;
}

/* ---- sort, argsort -------------------------------------------------------------------------------------------------------- */

#define GI_SORT_AT_ONCE ((int64_t)1 << 28) /* elements of lines that are sorted together */
#define GI_SORT_ALONE   ((int64_t)1 << 21) /* a line of so many is sorted by itself, if its keys are enough */

/* Sorts packed lines into `out`: elements, or their indices. */
static bool gi_cuda_sort_lines(const char *site, const ga_array *packed, int64_t length, char *out, bool indices)
{
    ga_dtype    dtype = packed->dtype;
    int64_t     lines = packed->size / length, size = ga_itemsize(dtype), out_size = indices ? 8 : size, count;
    const char *from    = (const char *)packed->data;
    bool        by_keys = !indices && !gi_is_complex(dtype) && (lines == 1 || length >= GI_SORT_ALONE), ok = true;
    int64_t     step = by_keys || length > GI_SORT_AT_ONCE ? 1 : GI_SORT_AT_ONCE / length;
    for (int64_t line = 0; ok && line < lines; line += count, from += count * length * size, out += count * length * out_size) {
        count     = lines - line < step ? lines - line : step;
        int64_t n = count * length;
        if (by_keys && size <= 4) ok = gi_cuda_sort_by_keys<uint32_t>(site, packed, dtype, from, n, out);
        else if (by_keys) ok = gi_cuda_sort_by_keys<uint64_t>(site, packed, dtype, from, n, out);
        else if (n <= INT32_MAX)
            ok = gi_cuda_sort_together<uint32_t, uint32_t>(site, packed, dtype, from, n, length, out, indices);
        else ok = gi_cuda_sort_together<uint64_t, uint64_t>(site, packed, dtype, from, n, length, out, indices);
    }
    return ok;
}

/* a, seen with the axis as the last one. */
static ga_array *gi_cuda_axis_last(const char *site, const ga_array *a, int axis)
{
    gi_layout l = gi_layout_of(a);
    for (int d = axis; d < a->ndim - 1; d++) gi_layout_swap(&l, d, d + 1);
    return gi_view_with(site, a, &l);
}

static bool gi_cuda_sort_long(const char *site, const ga_array *a, ga_array *result, int axis, bool indices)
{
    ga_array *lines  = gi_cuda_axis_last(site, a, axis);
    ga_array *target = lines ? gi_cuda_axis_last(site, result, axis) : NULL;
    ga_array *packed = target ? gi_contiguous(site, lines, a->dtype) : NULL, *sorted = NULL;
    if (packed && ga_is_contiguous(target)) sorted = (ga_view)(target, site);
    else if (packed) sorted = gi_new(site, result->dtype, result->device, target->ndim, target->shape);
    bool ok = sorted && gi_cuda_sort_lines(site, packed, a->shape[axis], (char *)sorted->data, indices);
    if (ok && sorted->data != result->data) ok = gi_assign(site, target, sorted);
    ga_free(sorted);
    ga_free(packed);
    ga_free(target);
    ga_free(lines);
    return ok;
}

static bool gi_cuda_sort_few(const char *site, const ga_array *a, ga_array *result, int axis, bool indices)
{
    gi_cuda_short j;
    gi_lines      in, out;
    ga_shape      axes;
    memset(&axes, 0, sizeof axes);
    axes.ndim = 1;
    axes.n[0] = axis;
    memset(&j, 0, sizeof j);
    j.keys   = gi_cuda_keys_of(a->dtype, false);
    j.result = indices ? GI_SHORT_INDICES : GI_SHORT_ELEMENTS;
    if (!gi_plan_lines(site, &in, a, a->dtype, axis, &axes, false)) return false;
    if (!gi_plan_lines(site, &out, result, result->dtype, axis, &axes, false)) return false;
    j.out        = gi_sort_lines_of(&out);
    j.out_across = gi_cuda_across(&j.out);
    return gi_cuda_run_short(site, &j, &in);
}

/* a sorted along an axis into a new array `result`, or the indices that sort it. */
static bool gi_cuda_sort(const char *site, const ga_array *a, ga_array *result, int axis, bool indices)
{
    const ga_array *both[2] = { a, result };
    if (!gi_cuda_touch_all(site, 2, both)) return false;
    if (a->shape[axis] == 1) return indices ? gi_clear(site, result) : gi_assign(site, result, a);
    if (a->shape[axis] <= GI_SORT_TILE && a->dtype != GA_C128) return gi_cuda_sort_few(site, a, result, axis, indices);
    return gi_cuda_sort_long(site, a, result, axis, indices);
}

/* ---- unique --------------------------------------------------------------------------------------------------------------- */

typedef struct gi_cuda_runs {
    gi_cuda_keys   keys;
    const char    *sorted;
    int64_t        n;
    const int64_t *order; /* where the sorted elements were, or NULL */
    int64_t       *before;
    char          *values; /* of each run: its element, */
    int64_t       *starts; /* where it begins, */
    int64_t       *index;  /* and where its first element was */
    int64_t       *inverse;
} gi_cuda_runs;

GI_DEVICE bool gi_cuda_starts_run(const gi_cuda_runs &r, int64_t i)
{
    const char *p = r.sorted + i * r.keys.size;
    return i < r.n && (i == 0 || !gi_cuda_same_element(r.keys, p - r.keys.size, p));
}

/* How many runs of equal elements begin in each tile. */
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_count_runs(const __grid_constant__ gi_cuda_runs r)
{
    GI_SHARED(int64_t, row, [GI_WARPS]);
    int64_t start = (int64_t)blockIdx.x * GI_PLAIN_TILE, mine = 0, total;
    for (int turn = 0; turn < GI_PLAIN_TURNS; turn++)
        mine += gi_cuda_starts_run(r, start + turn * GI_CUDA_THREADS + threadIdx.x);
    gi_cuda_sum_before(mine, row, total);
    if (threadIdx.x == 0) r.before[blockIdx.x] = total;
}

static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_write_runs(const __grid_constant__ gi_cuda_runs r)
{
    GI_SHARED(int64_t, rows, [2][GI_WARPS]);
    int64_t run = r.before[blockIdx.x], total;
    for (int turn = 0; turn < GI_PLAIN_TURNS; turn++) {
        int64_t i      = (int64_t)blockIdx.x * GI_PLAIN_TILE + turn * GI_CUDA_THREADS + threadIdx.x;
        bool    starts = gi_cuda_starts_run(r, i);
        int64_t mine   = run + gi_cuda_sum_before(starts, rows[turn % 2], total) + starts - 1;
        run += total;
        if (starts) gi_cuda_move(r.keys.size, r.values + mine * r.keys.size, r.sorted + i * r.keys.size);
        if (starts && r.starts) r.starts[mine] = i;
        if (starts && r.index) r.index[mine] = r.order[i];
        if (i < r.n && r.inverse) r.inverse[r.order[i]] = mine;
    }
}

static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_run_lengths(const int64_t *starts, int64_t runs, int64_t n, int64_t *lengths)
{
    int64_t i = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x;
    if (i < runs) lengths[i] = (i + 1 < runs ? starts[i + 1] : n) - starts[i];
}

/* Makes the results of ga_unique for n > 0 sorted elements; those that are made are given back to be kept or freed. */
static ga_array *gi_cuda_write_unique(const char *site, const ga_array *a, const ga_array *sorted, const ga_array *order,
                                      const ga_unique_options *o)
{
    int64_t      n = sorted->size, tiles = (n + GI_PLAIN_TILE - 1) / GI_PLAIN_TILE, runs = 0;
    ga_array    *values = NULL;
    cudaStream_t stream = gi_cuda_current_stream();
    gi_scratch   before, starts;
    gi_cuda_runs r;
    memset(&r, 0, sizeof r);
    memset(&starts, 0, sizeof starts);
    if (!gi_scratch_get(site, &before, sorted, (size_t)(tiles + 1) * sizeof(int64_t))) return NULL;
    r.keys   = gi_cuda_keys_of(sorted->dtype, false);
    r.sorted = (const char *)sorted->data;
    r.n      = n;
    r.order  = order ? (const int64_t *)order->data : NULL;
    r.before = (int64_t *)before.p;
    GI_LAUNCH(gi_cuda_count_runs, (unsigned)tiles, GI_CUDA_THREADS, stream, r);
    bool ok = gi_cuda_launched(site, "ga_unique") && gi_cuda_exclusive_scan(site, sorted, r.before, tiles, r.before + tiles) &&
              gi_cuda_read(site, sorted, &runs, r.before + tiles, sizeof runs);
    if (ok) values = gi_new(site, sorted->dtype, GA_CUDA, 1, &runs);
    if (values && o->index) *o->index = gi_new(site, GA_I64, GA_CUDA, 1, &runs);
    if (values && o->inverse) *o->inverse = gi_new(site, GA_I64, GA_CUDA, a->ndim, a->shape);
    if (values && o->counts) *o->counts = gi_new(site, GA_I64, GA_CUDA, 1, &runs);
    ok = values && (!o->index || *o->index) && (!o->inverse || *o->inverse) && (!o->counts || *o->counts) &&
         (!o->counts || gi_scratch_get(site, &starts, sorted, (size_t)runs * sizeof(int64_t)));
    if (ok) {
        r.values  = (char *)values->data;
        r.starts  = (int64_t *)starts.p;
        r.index   = o->index ? (int64_t *)(*o->index)->data : NULL;
        r.inverse = o->inverse ? (int64_t *)(*o->inverse)->data : NULL;
        GI_LAUNCH(gi_cuda_write_runs, (unsigned)tiles, GI_CUDA_THREADS, stream, r);
        ok = gi_cuda_launched(site, "ga_unique");
    }
    if (ok && o->counts) {
        GI_LAUNCH(gi_cuda_run_lengths, gi_cuda_blocks(runs), GI_CUDA_THREADS, stream, r.starts, runs, n,
                  (int64_t *)(*o->counts)->data);
        ok = gi_cuda_launched(site, "ga_unique");
    }
    if (starts.p) gi_scratch_free(&starts);
    gi_scratch_free(&before);
    if (ok) return values;
    ga_free(values);
    return NULL;
}

/* The sorted values; what else is asked for is left in the options, and freed by the caller after a failure. */
static ga_array *gi_cuda_unique(const char *site, const ga_array *a, const ga_unique_options *o)
{
    bool            ordered = o->index || o->inverse;
    ga_array       *flat = (ga_ravel)(a, site), *line = flat ? gi_contiguous(site, flat, a->dtype) : NULL, *order = NULL;
    ga_array       *sorted = line ? gi_new(site, a->dtype, GA_CUDA, 1, line->shape) : NULL, *values = NULL;
    const ga_array *used[2] = { line, sorted };
    bool            ok      = sorted && gi_cuda_touch_all(site, 2, used);
    if (ok && ordered && a->size > 0) {
        order = gi_new(site, GA_I64, GA_CUDA, 1, line->shape);
        ok    = order && gi_cuda_sort(site, line, order, 0, true);
        if (ok) {
            GI_LAUNCH(gi_cuda_in_order<uint64_t>, gi_cuda_blocks(a->size), GI_CUDA_THREADS, gi_cuda_current_stream(),
                      (const uint64_t *)order->data, a->size, a->size, (const char *)line->data, (int)ga_itemsize(a->dtype),
                      (char *)sorted->data);
            ok = gi_cuda_launched(site, "ga_unique");
        }
    } else if (ok && a->size > 0) {
        ok = gi_cuda_sort(site, line, sorted, 0, false);
    }
    if (ok && a->size > 0) values = gi_cuda_write_unique(site, a, sorted, order, o);
    if (ok && a->size == 0) {
        values = sorted;
        sorted = NULL;
        if (o->index) *o->index = gi_new(site, GA_I64, GA_CUDA, 1, values->shape);
        if (o->inverse) *o->inverse = gi_new(site, GA_I64, GA_CUDA, a->ndim, a->shape);
        if (o->counts) *o->counts = gi_new(site, GA_I64, GA_CUDA, 1, values->shape);
    }
    ga_free(order);
    ga_free(sorted);
    ga_free(line);
    ga_free(flat);
    return values;
}

/* ==== >>cuda order: medians and percentiles, by selection ================================================================ */
/*  Short lines are sorted in a block. In longer ones each wanted rank has a slot, which holds the upper bits of its key as far as they
    are known: digit by digit, the elements that share these bits are counted by their next digit, and the counts tell it. The host
    learns none of it and waits for nothing. */

enum {
    GI_SLOTS         = 32,  /* of two ranks for each quantile */
    GI_SELECT_COUNTS = 8192 /* counters of a block */
};
#define GI_SELECT_ROOM  ((int64_t)1 << 23) /* counters of all lines that are looked at together */

typedef struct gi_cuda_select_job {
    gi_cuda_quantiles   wanted; /* of the quantiles, those of the slots */
    gi_cuda_keys        keys;
    const char         *elements;            /* of the first line, packed */
    int64_t             first, length, part; /* the number of the first line; elements of a block */
    unsigned            lines, parts;
    int                 slots, shift, bits; /* the digit */
    bool                start;              /* it is the first one */
    const uint64_t     *known;              /* of each line's slots: the bits above the digit ... */
    uint64_t           *known_next;         /* ... and with it */
    int64_t            *ranks;              /* among the elements that share them */
    unsigned long long *counts;             /* of each line: 2^bits for every different `known` */
    unsigned long long *nans;               /* of each line */
} gi_cuda_select_job;

/* Slots that know the same bits share their counts. For a warp whose lane is a slot with these bits: which counts; `fresh`: is it
   the first slot that has them? */
GI_DEVICE unsigned gi_cuda_shared_slot(uint64_t known, bool exists, bool &fresh)
{
    unsigned lane = threadIdx.x % 32, slots = __ballot_sync(0xffffffffu, exists);
    unsigned same    = __match_any_sync(0xffffffffu, (unsigned long long)known) & slots;
    unsigned first   = same ? __ffs((int)same) - 1 : lane;
    fresh            = exists && first == lane;
    unsigned leaders = __ballot_sync(0xffffffffu, fresh);
    return __popc(leaders & ((1u << first) - 1));
}

template <class U> struct gi_key_of_bits {
    typedef uint32_t type;
};
template <> struct gi_key_of_bits<uint64_t> {
    typedef uint64_t type;
};

/* A block counts a part of a line. U: the bits of an element. */
template <class U>
static __global__ void __launch_bounds__(2 * GI_CUDA_THREADS) gi_cuda_count_keys(const __grid_constant__ gi_cuda_select_job j)
{
    typedef typename gi_key_of_bits<U>::type K;
    GI_SHARED(unsigned, count, [GI_SELECT_COUNTS]);
    GI_SHARED(uint64_t, known, [GI_SLOTS]);
    GI_SHARED(unsigned, found, [2]); /* different `known`s; NaNs */
    unsigned line = blockIdx.x / j.parts, part = blockIdx.x - line * j.parts, lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        bool     exists = lane < (unsigned)j.slots && (!j.start || lane == 0), fresh;
        uint64_t bits   = exists && !j.start ? j.known[(int64_t)line * j.slots + lane] : 0;
        unsigned slot = gi_cuda_shared_slot(bits, exists, fresh), different = __popc(__ballot_sync(0xffffffffu, fresh));
        if (fresh) known[slot] = bits;
        if (lane == 0) {
            found[0] = different;
            found[1] = 0;
        }
    }
    for (unsigned i = threadIdx.x; i < GI_SELECT_COUNTS; i += blockDim.x) count[i] = 0;
    __syncthreads();

    unsigned     different = found[0], nans = 0, mask = (1u << j.bits) - 1, last = 0, run = 0;
    int64_t      begin = part * j.part, end = j.length - begin < j.part ? j.length : begin + j.part;
    const U     *element = (const U *)j.elements + line * j.length;
    gi_cuda_keys how     = j.keys;
    how.size             = sizeof(U); /* known to the compiler */
#pragma unroll 4
    for (int64_t i = begin + threadIdx.x; i < end; i += blockDim.x) {
        K key;
        gi_cuda_key_at(how, (const char *)(element + i), key);
        unsigned slot = 0, counter;
        if (j.start) {
            nans += key == (K) ~(K)0;
        } else {
            uint64_t above = (uint64_t)key >> j.shift >> j.bits;
            while (slot < different && known[slot] != above) slot++;
            if (slot == different) continue;
        }
        counter = slot << j.bits | ((unsigned)(key >> j.shift) & mask);
        if (counter == last) {
            run++;
        } else { /* many neighbours have the same upper bits: they are added at once */
            if (run > 0) atomicAdd(&count[last], run);
            last = counter;
            run  = 1;
        }
    }
    if (run > 0) atomicAdd(&count[last], run);
    if (nans > 0) atomicAdd(&found[1], nans);
    __syncthreads();
    unsigned long long *total = j.counts + (int64_t)line * ((int64_t)j.slots << j.bits);
    for (unsigned i = threadIdx.x; i < different << j.bits; i += blockDim.x)
        if (count[i] > 0) atomicAdd(&total[i], (unsigned long long)count[i]);
    if (threadIdx.x == 0 && found[1] > 0 && j.keys.rule == GI_KEYS_ORDER)
        atomicAdd(&j.nans[line], (unsigned long long)found[1]);
}

/* A warp finds the next digit of a slot. */
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_next_digit(const __grid_constant__ gi_cuda_select_job j)
{
    unsigned warp = blockIdx.x * GI_WARPS + threadIdx.x / 32, lane = threadIdx.x % 32, line = warp / j.slots;
    int      slot = (int)(warp - line * j.slots);
    if (line >= j.lines) return;
    int64_t  at     = (int64_t)line * j.slots;
    bool     exists = lane < (unsigned)j.slots, fresh;
    uint64_t known  = !j.start && exists ? j.known[at + lane] : 0;
    unsigned row    = __shfl_sync(0xffffffffu, gi_cuda_shared_slot(known, exists, fresh), slot);
    known           = __shfl_sync(0xffffffffu, (unsigned long long)known, slot);

    int64_t rank = 0;
    if (j.start) {
        int64_t n = gi_cuda_counted(j.wanted.rule, j.length, (int64_t)j.nans[line]);
        gi_rank r = gi_rank_of(j.wanted.rule, j.wanted.quantiles[slot / 2], n > 0 ? n : 1);
        rank      = slot % 2 == 0 ? r.previous : r.next;
    } else {
        rank = j.ranks[at + slot];
    }
    const unsigned long long *count = j.counts + ((at + row) << j.bits);
    int                       each = 1 << j.bits >> 5, digit = (int)lane * each;
    int64_t                   mine = 0, sum;
    for (int k = 0; k < each; k++) mine += (int64_t)count[digit + k];
    sum = mine;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
        int64_t other = __shfl_up_sync(0xffffffffu, sum, step);
        if (lane >= (unsigned)step) sum += other;
    }
    int64_t below = sum - mine;
    __syncwarp(); /* all have read the rank, which one now replaces */
    if (rank < below || rank >= sum) return;
    for (; rank >= below + (int64_t)count[digit]; digit++) below += (int64_t)count[digit];
    j.known_next[at + slot] = known << j.bits | (unsigned)digit;
    j.ranks[at + slot]      = rank - below;
}

/* From the keys that the slots know. */
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_write_selected(const __grid_constant__ gi_cuda_select_job j)
{
    unsigned i = blockIdx.x * GI_CUDA_THREADS + threadIdx.x, line = i % j.lines;
    int      k = (int)(i / j.lines);
    if (k >= j.slots / 2) return;
    int64_t         n     = gi_cuda_counted(j.wanted.rule, j.length, (int64_t)j.nans[line]);
    gi_rank         r     = gi_rank_of(j.wanted.rule, j.wanted.quantiles[k], n > 0 ? n : 1);
    const uint64_t *known = j.known + (int64_t)line * j.slots + 2 * k;
    if (j.keys.size == 8) gi_cuda_write_quantile(j.wanted, j.keys, k, j.first + line, n, r, known[0], known[1]);
    else gi_cuda_write_quantile(j.wanted, j.keys, k, j.first + line, n, r, (uint32_t)known[0], (uint32_t)known[1]);
}

/* The quantiles of the slots, of the lines from j->first on. */
static bool gi_cuda_select_lines(const char *site, gi_cuda_select_job *j, uint64_t *known[2])
{
    cudaStream_t stream = gi_cuda_current_stream();
    int64_t      slots  = (int64_t)j->lines * j->slots;
    int          most   = j->slots <= 4 && j->length >= 32768 ? 11 : 8;
    bool         ok     = GI_CUDA_OK(site, cudaMemsetAsync(j->nans, 0, j->lines * sizeof *j->nans, stream));
    j->start            = true;
    for (int above = j->keys.bits > 8 ? j->keys.bits : 8; ok && above > 0; above -= j->bits, j->start = false) {
        j->bits       = above < most ? above : most;
        j->shift      = above - j->bits;
        j->known      = known[0];
        j->known_next = known[1];
        ok            = GI_CUDA_OK(site, cudaMemsetAsync(j->counts, 0, (size_t)(slots << j->bits) * sizeof *j->counts, stream));
        if (!ok) break;
        unsigned blocks = j->lines * j->parts, threads = 2 * GI_CUDA_THREADS;
        if (j->keys.size == 1) GI_LAUNCH(gi_cuda_count_keys<uint8_t>, blocks, threads, stream, *j);
        else if (j->keys.size == 2) GI_LAUNCH(gi_cuda_count_keys<uint16_t>, blocks, threads, stream, *j);
        else if (j->keys.size == 4) GI_LAUNCH(gi_cuda_count_keys<uint32_t>, blocks, threads, stream, *j);
        else GI_LAUNCH(gi_cuda_count_keys<uint64_t>, blocks, threads, stream, *j);
        ok = gi_cuda_launched(site, "the counts of a selection");
        if (!ok) break;
        GI_LAUNCH(gi_cuda_next_digit, (unsigned)((slots + GI_WARPS - 1) / GI_WARPS), GI_CUDA_THREADS, stream, *j);
        ok       = gi_cuda_launched(site, "a selection");
        known[0] = j->known_next;
        known[1] = (uint64_t *)j->known;
    }
    if (!ok) return false;
    j->known = known[0];
    GI_LAUNCH(gi_cuda_write_selected, gi_cuda_blocks(slots / 2), GI_CUDA_THREADS, stream, *j);
    return gi_cuda_launched(site, "a selection");
}

/* A selection for each 16 quantiles, for as many lines at once as there is room to count. */
static bool gi_cuda_select_quantiles(const char *site, const ga_array *packed, const gi_cuda_quantiles *wanted, int64_t length)
{
    gi_cuda_select_job j;
    memset(&j, 0, sizeof j);
    int64_t size = ga_itemsize(packed->dtype), lines = packed->size / length, count = wanted->count;
    int     slots = count < GI_SLOTS / 2 ? 2 * (int)count : (int)GI_SLOTS, most = slots <= 4 ? 11 : 8;
    int64_t step  = GI_SELECT_ROOM / ((int64_t)slots << most),
            share = packed->size / (8 * gi_gpus.gpu[gi_cuda_ordinal(packed)].processors);
    if (step > lines) step = lines;
    j.keys   = gi_cuda_keys_of(packed->dtype, true);
    j.length = length;
    j.part   = share < 16384 ? 16384 : share > INT32_MAX / 2 ? INT32_MAX / 2 : share;
    j.parts  = (unsigned)((length + j.part - 1) / j.part);
    gi_scratch room;
    size_t     words = (size_t)(step * (3 * slots + 1 + ((int64_t)slots << most)));
    if (!gi_scratch_get(site, &room, packed, words * sizeof(uint64_t))) return false;
    uint64_t *known[2] = { (uint64_t *)room.p, (uint64_t *)room.p + step * slots };
    bool      ok       = true;
    j.ranks            = (int64_t *)known[1] + step * slots;
    j.nans             = (unsigned long long *)j.ranks + step * slots;
    j.counts           = j.nans + step;
    for (int64_t k = 0; ok && k < count; k += GI_SLOTS / 2)
        for (int64_t line = 0; ok && line < lines; line += step) {
            j.wanted = *wanted;
            j.wanted.quantiles += k;
            j.wanted.places += k;
            j.slots    = count - k < GI_SLOTS / 2 ? 2 * (int)(count - k) : (int)GI_SLOTS;
            j.first    = line;
            j.lines    = (unsigned)(lines - line < step ? lines - line : step);
            j.elements = (const char *)packed->data + line * length * size;
            ok         = gi_cuda_select_lines(site, &j, known);
        }
    gi_scratch_free(&room);
    return ok;
}

/* The quantiles of one line whose keys are sorted. */
template <class K>
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_write_sorted(const __grid_constant__ gi_cuda_quantiles w, gi_cuda_keys keys, const K *sorted, int64_t length,
                         int64_t line)
{
    int     k   = (int)(blockIdx.x * GI_CUDA_THREADS + threadIdx.x);
    int64_t low = keys.rule == GI_KEYS_ORDER ? 0 : length, high = length;
    if (k >= w.count) return;
    while (low < high) { /* the NaNs are the last */
        int64_t middle = low + (high - low) / 2;
        if (sorted[middle] == (K) ~(K)0) high = middle;
        else low = middle + 1;
    }
    int64_t n = gi_cuda_counted(w.rule, length, length - low);
    gi_rank r = gi_rank_of(w.rule, w.quantiles[k], n > 0 ? n : 1);
    gi_cuda_write_quantile(w, keys, k, line, n, r, sorted[r.previous], sorted[r.next]);
}

/* Many quantiles of long lines: their keys are sorted. */
template <class K>
static bool gi_cuda_sort_quantiles(const char *site, const ga_array *packed, const gi_cuda_quantiles *wanted, int64_t length)
{
    gi_cuda_keys how = gi_cuda_keys_of(packed->dtype, true);
    gi_scratch   room;
    cudaStream_t stream = gi_cuda_current_stream();
    int64_t      bytes  = gi_padded(length * (int64_t)sizeof(K));
    bool         ok     = true;
    if (!gi_scratch_get(site, &room, packed, (size_t)(2 * bytes))) return false;
    for (int64_t line = 0; ok && line < packed->size / length; line++) {
        K          *keys[2]  = { (K *)room.p, (K *)((char *)room.p + bytes) };
        const char *elements = (const char *)packed->data + line * length * how.size;
        GI_LAUNCH(gi_cuda_plain_keys<K>, (unsigned)((length + GI_PLAIN_TILE - 1) / GI_PLAIN_TILE), GI_CUDA_THREADS, stream, how,
                  elements, length, keys[0], (int64_t *)NULL);
        ok = gi_cuda_launched(site, "the keys of a sort") &&
             gi_cuda_sort_pairs(site, packed, keys, (uint32_t **)NULL, length, how.bits);
        if (!ok) break;
        GI_LAUNCH(gi_cuda_write_sorted<K>, gi_cuda_blocks(wanted->count), GI_CUDA_THREADS, stream, *wanted, how, keys[0],
                  length, line);
        ok = gi_cuda_launched(site, "percentiles");
    }
    gi_scratch_free(&room);
    return ok;
}

/* Quantiles travel with launches: so the host need not wait until they have arrived. */
enum { GI_QUANTILES_SENT = 64, GI_QUANTILES_TO_SELECT = 32 };
#define GI_LINE_TO_SORT ((int64_t)1 << 20)

typedef struct gi_cuda_sent {
    int     count;
    double  quantiles[GI_QUANTILES_SENT];
    int64_t places[GI_QUANTILES_SENT];
} gi_cuda_sent;

static __global__ void __launch_bounds__(GI_QUANTILES_SENT)
    gi_cuda_put_quantiles(const __grid_constant__ gi_cuda_sent sent, double *quantiles, int64_t *places)
{
    int k = threadIdx.x;
    if (k >= sent.count) return;
    quantiles[k] = sent.quantiles[k];
    places[k]    = sent.places[k];
}

static bool gi_cuda_send_quantiles(const char *site, const gi_order *o, double *quantiles, int64_t *places)
{
    for (int64_t first = 0; first < o->count; first += GI_QUANTILES_SENT) {
        gi_cuda_sent sent;
        memset(&sent, 0, sizeof sent);
        sent.count = o->count - first < GI_QUANTILES_SENT ? (int)(o->count - first) : (int)GI_QUANTILES_SENT;
        memcpy(sent.quantiles, o->quantiles + first, (size_t)sent.count * sizeof *sent.quantiles);
        memcpy(sent.places, o->places + first, (size_t)sent.count * sizeof *sent.places);
        GI_LAUNCH(gi_cuda_put_quantiles, 1, GI_QUANTILES_SENT, gi_cuda_current_stream(), sent, quantiles + first,
                  places + first);
        if (!gi_cuda_launched(site, "percentiles")) return false;
    }
    return true;
}

/* Quantiles of lines that are too long for a block. */
static bool gi_cuda_order_long(const char *site, const gi_lines *p, const gi_cuda_quantiles *wanted)
{
    gi_layout l = { (char *)p->a->data, 0, { 0 }, { 0 } };
    for (int d = 0; d < p->kept + p->reduced; d++) {
        bool kept    = d < p->kept;
        l.shape[d]   = kept ? p->kept_shape[d] : p->shape[d - p->kept];
        l.strides[d] = kept ? p->kept_strides[d] : p->strides[d - p->kept];
        l.ndim++;
    }
    ga_array *lines  = gi_view_with(site, p->a, &l);
    ga_array *packed = lines ? gi_contiguous(site, lines, lines->dtype) : NULL;
    bool      sort   = wanted->count > GI_QUANTILES_TO_SELECT && p->length >= GI_LINE_TO_SORT && p->length <= INT32_MAX,
         ok          = packed != NULL;
    if (ok && !sort) ok = gi_cuda_select_quantiles(site, packed, wanted, p->length);
    else if (ok && ga_itemsize(packed->dtype) == 8) ok = gi_cuda_sort_quantiles<uint64_t>(site, packed, wanted, p->length);
    else if (ok) ok = gi_cuda_sort_quantiles<uint32_t>(site, packed, wanted, p->length);
    ga_free(packed);
    ga_free(lines);
    return ok;
}

/* The quantiles of nothing. */
static bool gi_cuda_fill_nan(const char *site, const gi_order *o)
{
    gi_job j;
    double nan = gi_nan_f64();
    char   element[16];
    memset(&j, 0, sizeof j);
    gi_cast(o->rule.result, GA_F64, 1, element, &nan);
    j.inputs       = 1;
    j.ndim         = 1;
    j.shape[0]     = o->count * o->lines.lines;
    j.in[0].number = true;
    j.in[0].data   = element;
    j.in[0].dtype = j.in[0].wanted = o->rule.result;
    j.out.data                     = o->out;
    j.out.dtype = j.out.wanted = o->rule.result;
    j.out.strides[0]           = ga_itemsize(o->rule.result);
    return gi_cuda_run(site, &j);
}

/* Runs a planned order statistic of at least one line into o->out. */
static bool gi_cuda_order(const char *site, const gi_order *o)
{
    const gi_lines *p       = &o->lines;
    const ga_array *both[2] = { p->a, o->result };
    gi_scratch      room;
    if (!gi_cuda_touch_all(site, 2, both)) return false;
    if (p->length == 0) return gi_cuda_fill_nan(site, o);
    if (!gi_scratch_get(site, &room, p->a, (size_t)o->count * (sizeof(double) + sizeof(int64_t)))) return false;
    double           *quantiles = (double *)room.p;
    int64_t          *places    = (int64_t *)(quantiles + o->count);
    gi_cuda_quantiles wanted    = { o->rule, (int)o->count, quantiles, places, o->out, p->lines };
    bool              ok        = gi_cuda_send_quantiles(site, o, quantiles, places);
    if (ok && p->length <= GI_SORT_TILE) {
        gi_cuda_short j;
        memset(&j, 0, sizeof j);
        j.keys   = gi_cuda_keys_of(p->a->dtype, true);
        j.result = GI_SHORT_QUANTILES;
        j.wanted = wanted;
        ok       = gi_cuda_run_short(site, &j, p);
    } else if (ok) {
        ok = gi_cuda_order_long(site, p, &wanted);
    }
    gi_scratch_free(&room);
    return ok;
}

/* ==== >>cuda generators: sequences and random numbers ===================================================================== */

/*  A thread makes the elements of a vector of 16 bytes, by the formulas of gpuarr.h; Philox gives it four words for that. Small
    integers and float32 made as float64 are made narrow when they are written.                                              */

GI_DEVICE void gi_cuda_narrow(char *to, int, float x) { *(float *)to = x; }
GI_DEVICE void gi_cuda_narrow(char *to, int, double x) { *(float *)to = gi_cast_f32_f64(x); }
GI_DEVICE void gi_cuda_narrow(char *to, int itemsize, int64_t x)
{
    switch (itemsize) { /* it is known to fit */
    case 1: *(uint8_t *)to = (uint8_t)x; break;
    case 2: *(uint16_t *)to = (uint16_t)x; break;
    case 4: *(uint32_t *)to = (uint32_t)x; break;
    default: *(int64_t *)to = x; break;
    }
}

template <class T, class P, void (*make)(const P &, int64_t, T (&)[16 / sizeof(T)])>
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_generator(const __grid_constant__ P plan, int64_t n, char *out, int itemsize)
{
    enum { N = 16 / sizeof(T) };
    int64_t first = ((int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x) * N;
    if (first >= n) return;
    gi_pack<T, N> pack;
    T             x[N];
    make(plan, first, x);
    if (itemsize == sizeof(T) && first + N <= n) {
#pragma unroll
        for (int k = 0; k < N; k++) pack.e[k] = x[k];
        *(gi_pack<T, N> *)(out + first * sizeof(T)) = pack;
        return;
    }
#pragma unroll
    for (int k = 0; k < N; k++) {
        if (first + k >= n) break;
        if (itemsize == sizeof(T)) ((T *)out)[first + k] = x[k];
        else gi_cuda_narrow(out + (first + k) * itemsize, itemsize, x[k]);
    }
}

/* Which elements of a larger array these are: see gi_indexed_from. */
struct gi_cuda_part {
    int     ndim;
    int64_t first, shape[GPUARR_MAX_DIMS], strides[GPUARR_MAX_DIMS];
};

/* A part of it, whose elements need not follow each other: a thread makes the vector of which one of them is. */
template <class T, class P, void (*make)(const P &, int64_t, T (&)[16 / sizeof(T)])>
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_part_generator(const __grid_constant__ P plan, const __grid_constant__ gi_cuda_part part, int64_t n, char *out,
                           int itemsize)
{
    enum { N = 16 / sizeof(T) };
    const int64_t i = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x;
    if (i >= n) return;
    int64_t index = part.first, rest = i;
    for (int d = part.ndim - 1; d > 0; d--) {
        index += rest % part.shape[d] * part.strides[d];
        rest /= part.shape[d];
    }
    if (part.ndim > 0) index += rest * part.strides[0];
    T x[N];
    make(plan, index - index % N, x);
    T mine = x[0];
#pragma unroll
    for (int k = 1; k < N; k++) mine = index % N == k ? x[k] : mine;
    if (itemsize == sizeof(T)) ((T *)out)[i] = mine;
    else gi_cuda_narrow(out + i * itemsize, itemsize, mine);
}

static gi_cuda_part gi_cuda_part_of(const ga_array *a, const gi_indexed_from *from)
{
    gi_cuda_part part;
    memset(&part, 0, sizeof part);
    part.first = from->first;
    for (int d = 0; d < a->ndim; d++) {
        const int last = part.ndim - 1;
        if (a->shape[d] == 1) continue;
        if (last >= 0 && part.strides[last] == from->strides[d] * a->shape[d]) { /* they follow each other */
            part.shape[last] *= a->shape[d];
            part.strides[last] = from->strides[d];
        } else {
            part.shape[part.ndim]     = a->shape[d];
            part.strides[part.ndim++] = from->strides[d];
        }
    }
    return part;
}

template <class T, class P, void (*make)(const P &, int64_t, T (&)[16 / sizeof(T)])>
static bool gi_cuda_launch_generator(const char *site, ga_array *a, const void *plan, const gi_indexed_from *from)
{
    const P plans = *(const P *)plan;
    if (from) {
        GI_LAUNCH((gi_cuda_part_generator<T, P, make>), gi_cuda_blocks(a->size), GI_CUDA_THREADS, gi_cuda_current_stream(),
                  plans, gi_cuda_part_of(a, from), a->size, (char *)a->data, (int)ga_itemsize(a->dtype));
        return gi_cuda_launched(site, "making a part of a new array");
    }
    GI_LAUNCH((gi_cuda_generator<T, P, make>), gi_cuda_blocks((a->size + 16 / (int)sizeof(T) - 1) / (16 / (int)sizeof(T))),
              GI_CUDA_THREADS, gi_cuda_current_stream(), plans, a->size, (char *)a->data, (int)ga_itemsize(a->dtype));
    return gi_cuda_launched(site, "making a new array");
}

GI_DEVICE void gi_cuda_arange_i64(const gi_arange_plan &p, int64_t i, int64_t (&x)[2])
{
    x[0] = gi_arange_i64(&p, i);
    x[1] = gi_arange_i64(&p, i + 1);
}
GI_DEVICE void gi_cuda_arange_f64(const gi_arange_plan &p, int64_t i, double (&x)[2])
{
    x[0] = gi_arange_f64(&p, i);
    x[1] = gi_arange_f64(&p, i + 1);
}
GI_DEVICE void gi_cuda_arange_f32(const gi_arange_plan &p, int64_t i, float (&x)[4])
{
#pragma unroll
    for (int k = 0; k < 4; k++) x[k] = gi_arange_f32(&p, i + k);
}
GI_DEVICE void gi_cuda_linspace(const gi_linspace_plan &p, int64_t i, double (&x)[2])
{
#pragma unroll
    for (int k = 0; k < 2; k++) {
        x[k] = gi_linspace_f64(&p, i + k);
        if (p.whole) x[k] = gi_floor_f64(x[k]);
    }
}
GI_DEVICE void gi_cuda_uniform_f32(const gi_random_plan &p, int64_t i, float (&x)[4])
{
    gi_philox_words words = gi_philox((uint64_t)i / 4, p.stream, p.seed);
#pragma unroll
    for (int k = 0; k < 4; k++) x[k] = gi_unit_f32(words.w[k]);
}
GI_DEVICE void gi_cuda_uniform_f64(const gi_random_plan &p, int64_t i, double (&x)[2])
{
    gi_philox_words words = gi_philox((uint64_t)i / 2, p.stream, p.seed);
    x[0]                  = gi_unit_f64(words.w[0], words.w[1]);
    x[1]                  = gi_unit_f64(words.w[2], words.w[3]);
}
GI_DEVICE void gi_cuda_integers(const gi_random_plan &p, int64_t i, int64_t (&x)[2])
{
    gi_philox_words words = gi_philox((uint64_t)i / 2, p.stream, p.seed);
    x[0]                  = gi_random_integer(&p, (uint64_t)words.w[1] << 32 | words.w[0], i);
    x[1]                  = gi_random_integer(&p, (uint64_t)words.w[3] << 32 | words.w[2], i + 1);
}
GI_DEVICE void gi_cuda_normal(const gi_random_plan &p, int64_t i, double (&x)[2])
{
    gi_philox_words words = gi_philox((uint64_t)i / 2, p.stream, p.seed);
    x[0]                  = gi_normal_pair(&p, gi_unit_f64(words.w[0], words.w[1]), gi_unit_f64(words.w[2], words.w[3]), &x[1]);
}

static bool gi_cuda_make_arange_i64(const char *site, ga_array *a, const void *plan, const gi_indexed_from *from)
{
    return gi_cuda_launch_generator<int64_t, gi_arange_plan, gi_cuda_arange_i64>(site, a, plan, from);
}
static bool gi_cuda_make_arange_f64(const char *site, ga_array *a, const void *plan, const gi_indexed_from *from)
{
    return gi_cuda_launch_generator<double, gi_arange_plan, gi_cuda_arange_f64>(site, a, plan, from);
}
static bool gi_cuda_make_arange_f32(const char *site, ga_array *a, const void *plan, const gi_indexed_from *from)
{
    return gi_cuda_launch_generator<float, gi_arange_plan, gi_cuda_arange_f32>(site, a, plan, from);
}
static bool gi_cuda_make_linspace(const char *site, ga_array *a, const void *plan, const gi_indexed_from *from)
{
    return gi_cuda_launch_generator<double, gi_linspace_plan, gi_cuda_linspace>(site, a, plan, from);
}
static bool gi_cuda_make_random(const char *site, ga_array *a, const void *plan, const gi_indexed_from *from)
{
    switch (((const gi_random_plan *)plan)->kind) {
    case GI_UNIFORM_F32: return gi_cuda_launch_generator<float, gi_random_plan, gi_cuda_uniform_f32>(site, a, plan, from);
    case GI_UNIFORM_F64: return gi_cuda_launch_generator<double, gi_random_plan, gi_cuda_uniform_f64>(site, a, plan, from);
    case GI_INTEGERS: return gi_cuda_launch_generator<int64_t, gi_random_plan, gi_cuda_integers>(site, a, plan, from);
    default: return gi_cuda_launch_generator<double, gi_random_plan, gi_cuda_normal>(site, a, plan, from);
    }
}

/* Fills a new array with what the generator makes as `made`. */
static bool gi_cuda_generate(const char *site, ga_array *a, ga_dtype made, gi_gpu_generator generator, const void *plan,
                             const gi_indexed_from *from)
{
    if (a->size == 0) return true;
    if (a->dtype == made || (made == GA_F64 && a->dtype == GA_F32) || (made == GA_I64 && gi_is_int(a->dtype)))
        return gi_cuda_touch(site, a) && generator(site, a, plan, from);
    ga_array *wide = gi_new(site, made, GA_CUDA, a->ndim, a->shape);
    bool      ok   = wide && gi_cuda_touch(site, wide) && generator(site, wide, plan, from) && gi_assign(site, a, wide);
    ga_free(wide);
    return ok;
}

/* ==== >>cuda images: objects and their measures =========================================================================== */

/* Images of this size and more need 64-bit positions (tests set it lower). */
#ifndef GI_CUDA_WIDE
#define GI_CUDA_WIDE ((int64_t)1 << 31)
#endif

/* Another thread may be writing there: the element of before or after. */
#ifdef __CUDASIM__
template <class T> GI_DEVICE T    gi_cuda_peek(const T *p) { return __atomic_load_n(p, __ATOMIC_RELAXED); }
template <class T> GI_DEVICE void gi_cuda_poke(T *p, T x) { __atomic_store_n(p, x, __ATOMIC_RELAXED); }
#else
template <class T> GI_DEVICE T    gi_cuda_peek(const T *p) { return *(const volatile T *)p; }
template <class T> GI_DEVICE void gi_cuda_poke(T *p, T x) { *(volatile T *)p = x; }
#endif

/* ---- label ---------------------------------------------------------------------------------------------------------------- */
/*  Every element of an object has a parent: an element of the same object that does not come after it, in the end the object's first.
    Elements begin with the first of their run as far as their warp sees it; then those that touch a neighbour before them are
    united, by atomic minima, so that the order of the threads leaves no trace; then every element finds its root. The roots,
    counted in raster order, are the numbers. P is uint32_t, or uint64_t for images of 2^31 elements and more: the highest bit of a
    parent says that there is a number behind it, that of a root, or 0 for the background.                                     */

/* Division of numbers below 2^63 by one that is known before the launch, as gi_divisor does it below 2^31. */
typedef struct gi_divisor_64 {
    uint64_t by, magic;
    uint32_t shift;
} gi_divisor_64;

__extension__ typedef unsigned __int128 gi_u128;

static gi_divisor_64 gi_divisor_64_of(int64_t by)
{
    gi_divisor_64 d = { (uint64_t)by, 0, 0 };
    while (((uint64_t)1 << d.shift) < d.by) d.shift++;
    d.magic = (uint64_t)(((gi_u128)(((uint64_t)1 << d.shift) - d.by) << 64) / d.by + 1);
    return d;
}

GI_DEVICE uint64_t gi_divide(uint64_t n, gi_divisor_64 d) { return (__umul64hi(n, d.magic) + n) >> d.shift; }

template <class P> struct gi_positions; /* what belongs to the type of positions */
template <> struct gi_positions<uint32_t> {
    typedef gi_divisor divisor;
    static divisor     divisor_of(int64_t by) { return gi_divisor_of(by); }
};
template <> struct gi_positions<uint64_t> {
    typedef gi_divisor_64 divisor;
    static divisor        divisor_of(int64_t by) { return gi_divisor_64_of(by); }
};

/* The axes of an image; position = (... * shape[1] + index[1]) * shape[2] + index[2]. */
template <class P> struct gi_cuda_axes {
    int                               ndim;
    typename gi_positions<P>::divisor shape[GPUARR_MAX_DIMS];
};

/* Of an array that is not empty. A number is a line of one element. */
template <class P> static gi_cuda_axes<P> gi_cuda_axes_of(const ga_array *a)
{
    gi_cuda_axes<P> axes;
    memset((void *)&axes, 0, sizeof axes);
    axes.ndim     = a->ndim > 0 ? a->ndim : 1;
    axes.shape[0] = gi_positions<P>::divisor_of(1);
    for (int d = 0; d < a->ndim; d++) axes.shape[d] = gi_positions<P>::divisor_of(a->shape[d]);
    return axes;
}

template <class P> struct gi_cuda_image {
    const uint8_t  *mask; /* a byte an element; packed */
    P               size, columns;
    int             connectivity;
    gi_cuda_axes<P> axes;
};

template <class P> struct gi_parents {
    static constexpr P number = (P)1 << (8 * sizeof(P) - 1);
};

enum { GI_PARENTS_EACH = 4, GI_PARENTS_TILE = GI_PARENTS_EACH * GI_CUDA_THREADS };

/* The first parents. `parents` has room for whole tiles: what lies behind the image is background. */
template <class P>
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_label_runs(const __grid_constant__ gi_cuda_image<P> m, P *parents)
{
    P        i      = (P)blockIdx.x * GI_CUDA_THREADS + threadIdx.x;
    unsigned lane   = threadIdx.x % 32;
    bool     inside = i < m.size, set = inside && m.mask[i];
    bool     row_begins = inside && i == gi_divide(i, m.axes.shape[m.axes.ndim - 1]) * m.columns;
    uint32_t sets = __ballot_sync(0xffffffffu, set), rows = __ballot_sync(0xffffffffu, row_begins);
    uint32_t begins = sets & (~(sets << 1) | rows | 1), before = begins & (0xffffffffu >> (31 - lane));
    parents[i] = set ? i - lane + (31 - __clz((int)before)) : gi_parents<P>::number;
}

GI_DEVICE uint32_t gi_cuda_lower(uint32_t *p, uint32_t x) { return atomicMin(p, x); }
GI_DEVICE uint64_t gi_cuda_lower(uint64_t *p, uint64_t x) { return atomicMin((unsigned long long *)p, (unsigned long long)x); }

template <class P> GI_DEVICE P gi_cuda_root(P *parents, P i)
{
    for (;;) {
        P parent = gi_cuda_peek(&parents[i]);
        if (parent == i) return i;
        P above = gi_cuda_peek(&parents[parent]);
        if (above == parent) return parent;
        gi_cuda_lower(&parents[i], above); /* halves the way for the next one */
        i = above;
    }
}

/* Makes one object of those of a and b. */
template <class P> GI_DEVICE void gi_cuda_unite(P *parents, P a, P b)
{
    for (;;) {
        a = gi_cuda_root(parents, a);
        b = gi_cuda_root(parents, b);
        if (a == b) return;
        P low = a < b ? a : b, high = a < b ? b : a, parent = gi_cuda_lower(&parents[high], low);
        if (parent == high) return; /* it was a root until now */
        a = parent;                 /* somebody was faster: unite with what he found */
        b = low;
    }
}

/* Unites every element with its neighbours before it, but only where no other element of the two runs does it. */
template <class P>
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_label_unite(const __grid_constant__ gi_cuda_image<P> m, P *parents)
{
    P   i    = (P)blockIdx.x * GI_CUDA_THREADS + threadIdx.x;
    int last = m.axes.ndim - 1, combinations = 1;
    if (i >= m.size || !m.mask[i]) return;
    const uint8_t *here = m.mask + i;
    P              row = gi_divide(i, m.axes.shape[last]), column = i - row * m.columns;
    bool           on_left = column > 0 && here[-1], on_right = column + 1 < m.columns && here[1];
    if (on_left && threadIdx.x % 32 == 0) gi_cuda_unite(parents, i, i - 1);
    for (int d = 0; d < last; d++) combinations *= 3;
#pragma unroll 1
    for (int c = 0; c < combinations / 2; c++) { /* the rows that touch this one and come before: see gi_list_neighbours */
        int  digits = c, moved = 0;
        P    back = 0, stride = m.columns, rest = row; /* elements */
        bool exists = true;
#pragma unroll 1
        for (int d = last - 1; d >= 0; d--) {
            int offset = digits % 3 - 1;
            P   length = m.axes.shape[d].by, above = gi_divide(rest, m.axes.shape[d]), at = rest - above * length;
            digits /= 3;
            rest   = above;
            exists = exists && (offset < 0 ? at > 0 : offset == 0 || at + 1 < length);
            moved += offset != 0;
            back -= (P)(int64_t)offset * stride;
            stride *= length;
        }
        if (!exists || moved > m.connectivity) continue;
        P              j       = i - back;
        const uint8_t *there   = m.mask + j;
        bool           corners = moved < m.connectivity;
        bool           left    = column > 0 && there[-1];
        if (there[0]) {
            if (!(on_left && left)) gi_cuda_unite(parents, i, j);
        } else if (corners) {
            if (left && !on_left) gi_cuda_unite(parents, i, j - 1);
            if (column + 1 < m.columns && there[1] && !on_right) gi_cuda_unite(parents, i, j + 1);
        }
    }
}

/* Every element finds its root (nobody changes another one's parent any more); counts the roots of each tile, and writes a 0 behind
   the counts. */
template <class P> static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_label_roots(P *parents, int64_t *counts)
{
    GI_SHARED(int64_t, row, [GI_WARPS]);
    P       first = (P)blockIdx.x * GI_PARENTS_TILE + threadIdx.x;
    int64_t roots = 0, all;
#pragma unroll
    for (int k = 0; k < GI_PARENTS_EACH; k++) {
        P i = first + k * GI_CUDA_THREADS, parent = gi_cuda_peek(&parents[i]), root = parent;
        if (parent & gi_parents<P>::number) continue;
        for (P above; (above = gi_cuda_peek(&parents[root])) != root;) root = above;
        if (root != parent) gi_cuda_poke(&parents[i], root);
        roots += root == i;
    }
    gi_cuda_sum_before(roots, row, all);
    if (threadIdx.x != 0) return;
    counts[blockIdx.x] = all;
    if (blockIdx.x == 0) counts[gridDim.x] = 0;
}

/* Gives the roots their numbers: before[b] roots lie before tile b. */
template <class P>
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_label_number(P *parents, const int64_t *before)
{
    GI_SHARED(int64_t, row, [GI_WARPS]);
    P                           first = ((P)blockIdx.x * GI_CUDA_THREADS + threadIdx.x) * GI_PARENTS_EACH;
    int64_t                     roots = 0, all;
    auto                        pack  = (gi_pack<P, GI_PARENTS_EACH> *)(parents + first);
    gi_pack<P, GI_PARENTS_EACH> v     = *pack;
#pragma unroll
    for (int k = 0; k < GI_PARENTS_EACH; k++) roots += v.e[k] == first + k;
    int64_t number = before[blockIdx.x] + gi_cuda_sum_before(roots, row, all);
    if (roots == 0) return;
#pragma unroll
    for (int k = 0; k < GI_PARENTS_EACH; k++)
        if (v.e[k] == first + k) v.e[k] = gi_parents<P>::number | (P)++number;
    *pack = v;
}

template <class P, class U> GI_DEVICE void gi_cuda_write_labels(const P *parents, P size, U *out)
{
    P                           first = ((P)blockIdx.x * GI_CUDA_THREADS + threadIdx.x) * GI_PARENTS_EACH;
    gi_pack<P, GI_PARENTS_EACH> v     = *(const gi_pack<P, GI_PARENTS_EACH> *)(parents + first);
    gi_pack<U, GI_PARENTS_EACH> labels;
#pragma unroll
    for (int k = 0; k < GI_PARENTS_EACH; k++) {
        P number    = v.e[k] & gi_parents<P>::number ? v.e[k] : parents[v.e[k]];
        labels.e[k] = (U)(number & ~gi_parents<P>::number);
    }
    if (first + GI_PARENTS_EACH <= size) {
        *(gi_pack<U, GI_PARENTS_EACH> *)(out + first) = labels;
    } else {
#pragma unroll
        for (int k = 0; k < GI_PARENTS_EACH; k++)
            if (first + k < size) out[first + k] = labels.e[k];
    }
}

template <class P>
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_label_write(const P *parents, P size, void *out, int itemsize)
{
    switch (itemsize) {
    case 1: gi_cuda_write_labels(parents, size, (uint8_t *)out); break;
    case 2: gi_cuda_write_labels(parents, size, (uint16_t *)out); break;
    case 4: gi_cuda_write_labels(parents, size, (uint32_t *)out); break;
    default: gi_cuda_write_labels(parents, size, (uint64_t *)out);
    }
}

/* Labels an image that is not empty. The number of objects is read back when somebody wants it. */
template <class P>
static bool gi_cuda_label_image(const uint8_t *mask, int connectivity, ga_array *result, const ga_label_options *o)
{
    gi_cuda_image<P> m;
    m.mask              = mask;
    m.size              = (P)result->size;
    m.columns           = result->ndim > 0 ? (P)result->shape[result->ndim - 1] : 1;
    m.connectivity      = connectivity;
    m.axes              = gi_cuda_axes_of<P>(result);
    const char  *site   = o->site;
    cudaStream_t stream = gi_cuda_current_stream();
    int64_t      tiles = (result->size + GI_PARENTS_TILE - 1) / GI_PARENTS_TILE, objects = 0;
    unsigned     blocks = (unsigned)tiles, threads = GI_CUDA_THREADS;
    gi_scratch   p = {}, c = {};
    bool         ok = gi_scratch_get(site, &p, result, (size_t)(tiles * GI_PARENTS_TILE) * sizeof(P)) &&
              gi_scratch_get(site, &c, result, (size_t)(tiles + 1) * sizeof(int64_t));
    P       *parents = (P *)p.p;
    int64_t *counts  = (int64_t *)c.p;
    if (ok) {
        GI_LAUNCH(gi_cuda_label_runs<P>, blocks * GI_PARENTS_EACH, threads, stream, m, parents);
        ok = gi_cuda_launched(site, "the runs of ga_label");
    }
    if (ok) {
        GI_LAUNCH(gi_cuda_label_unite<P>, blocks * GI_PARENTS_EACH, threads, stream, m, parents);
        ok = gi_cuda_launched(site, "uniting in ga_label");
    }
    if (ok) {
        GI_LAUNCH(gi_cuda_label_roots<P>, blocks, threads, stream, parents, counts);
        ok = gi_cuda_launched(site, "the roots of ga_label") && gi_cuda_exclusive_scan(site, result, counts, tiles + 1, NULL);
    }
    if (ok && (o->count || (result->size + 1) / 2 > gi_largest_int(result->dtype)))
        ok =
            gi_cuda_read(site, result, &objects, counts + tiles, sizeof objects) && gi_can_number(site, objects, result->dtype);
    if (ok) {
        GI_LAUNCH(gi_cuda_label_number<P>, blocks, threads, stream, parents, (const int64_t *)counts);
        ok = gi_cuda_launched(site, "numbering in ga_label");
    }
    if (ok) {
        GI_LAUNCH(gi_cuda_label_write<P>, blocks, threads, stream, (const P *)parents, m.size, result->data,
                  (int)ga_itemsize(result->dtype));
        ok = gi_cuda_launched(site, "writing in ga_label");
    }
    gi_scratch_free(&c);
    gi_scratch_free(&p);
    if (ok && o->count) *o->count = objects;
    return ok;
}

static ga_array *gi_cuda_label(const ga_array *a, ga_dtype dtype, int connectivity, const ga_label_options *o)
{
    ga_array *mask   = gi_contiguous(o->site, a, ga_itemsize(a->dtype) == 1 ? a->dtype : GA_BOOL);
    ga_array *result = mask ? gi_new(o->site, dtype, GA_CUDA, a->ndim, a->shape) : NULL;
    bool      ok     = result && gi_cuda_touch(o->site, mask) && gi_cuda_touch(o->site, result);
    if (ok && a->size == 0 && o->count) *o->count = 0;
    if (ok && a->size > 0) {
        const uint8_t *bytes = (const uint8_t *)mask->data;
        ok                   = a->size < GI_CUDA_WIDE ? gi_cuda_label_image<uint32_t>(bytes, connectivity, result, o)
                                                      : gi_cuda_label_image<uint64_t>(bytes, connectivity, result, o);
    }
    ga_free(mask);
    if (ok) return result;
    ga_free(result);
    return NULL;
}

/* ---- measures of labelled elements -------------------------------------------------------------------------------------- */
/*  The members of the wanted labels are picked out in raster order, as pairs of a group (the place of their label among the wanted ones)
    and a position, and sorted by group, stably. The members of a group are then a line, of which a warp folds 1024 at a time
    along the documented tree. P is uint32_t, or uint64_t for images of 2^31 elements and more.                               */

typedef struct gi_cuda_groups {
    const void    *labels; /* packed */
    ga_dtype       dtype;
    int64_t        size;
    const int64_t *wanted; /* ascending, maybe repeated: the first of equal ones counts; NULL: 1 to count */
    int64_t        count;
} gi_cuda_groups;

/* Elements of any real dtype as another one. */
#define GI_ELEMENT_AS(to)                                                                                                      \
    GI_DEVICE gi_##to gi_cuda_element_##to(const void *data, ga_dtype dtype, int64_t i)                                        \
    {                                                                                                                          \
        switch (dtype) {                                                                                                       \
            GI_EACH_BOOL(GI_CASE)                                                                                              \
            GI_EACH_INT(GI_CASE)                                                                                               \
            GI_EACH_FLT(GI_CASE)                                                                                               \
        default: return 0;                                                                                                     \
        }                                                                                                                      \
    }
#define GI_CASE(TAG, tag, T, name)                                                                                             \
    case GA_##TAG:                                                                                                             \
        return gi_cast_i64_##tag(((const T *)data)[i]);
GI_ELEMENT_AS(i64)
#undef GI_CASE
#define GI_CASE(TAG, tag, T, name)                                                                                             \
    case GA_##TAG:                                                                                                             \
        return gi_cast_f64_##tag(((const T *)data)[i]);
GI_ELEMENT_AS(f64)
#undef GI_CASE
#undef GI_ELEMENT_AS

/* The place of a label among the wanted ones, -1 for none. */
GI_DEVICE int64_t gi_cuda_group_of(const gi_cuda_groups &g, int64_t i)
{
    int64_t label = gi_cuda_element_i64(g.labels, g.dtype, i), low = 0, high = g.count;
    if (!g.wanted) return (uint64_t)label - 1 < (uint64_t)g.count ? label - 1 : -1;
    if (label < g.wanted[0] || label > g.wanted[g.count - 1]) return -1;
    uint64_t guess = (uint64_t)label - (uint64_t)g.wanted[0]; /* right where one follows the other */
    if (guess < (uint64_t)g.count && g.wanted[guess] == label && (guess == 0 || g.wanted[guess - 1] != label))
        return (int64_t)guess;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (g.wanted[middle] < label) low = middle + 1;
        else high = middle;
    }
    return g.wanted[low] == label ? low : -1;
}

enum { GI_MEMBERS_EACH = 4, GI_MEMBERS_TILE = GI_MEMBERS_EACH * GI_CUDA_THREADS };

/* Counts the members of each tile, and writes a 0 behind the counts. */
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_count_members(const __grid_constant__ gi_cuda_groups g, int64_t *counts)
{
    GI_SHARED(int64_t, row, [GI_WARPS]);
    int64_t first = (int64_t)blockIdx.x * GI_MEMBERS_TILE + threadIdx.x, members = 0, all;
#pragma unroll
    for (int k = 0; k < GI_MEMBERS_EACH; k++) {
        int64_t i = first + k * GI_CUDA_THREADS;
        members += i < g.size && gi_cuda_group_of(g, i) >= 0;
    }
    gi_cuda_sum_before(members, row, all);
    if (threadIdx.x != 0) return;
    counts[blockIdx.x] = all;
    if (blockIdx.x == 0) counts[gridDim.x] = 0;
}

/* Writes the groups and the positions of the members, in raster order; before[b] lie before tile b. */
template <class P>
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_pick_members(const __grid_constant__ gi_cuda_groups g, const int64_t *before, P *groups, P *positions)
{
    GI_SHARED(int64_t, row, [GI_WARPS]);
    int64_t first   = ((int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x) * GI_MEMBERS_EACH, group[GI_MEMBERS_EACH],
            members = 0, all;
#pragma unroll
    for (int k = 0; k < GI_MEMBERS_EACH; k++) {
        group[k] = first + k < g.size ? gi_cuda_group_of(g, first + k) : -1;
        members += group[k] >= 0;
    }
    int64_t place = before[blockIdx.x] + gi_cuda_sum_before(members, row, all);
#pragma unroll
    for (int k = 0; k < GI_MEMBERS_EACH; k++) {
        if (group[k] < 0) continue;
        groups[place]      = (P)group[k];
        positions[place++] = (P)(first + k);
    }
}

/* Where the members of each group begin, and behind the last group, how many there are; without groups all are of the first one.
   blocks (or NULL): how many blocks each group has, and a 0. */
template <class P>
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_find_starts(const P *groups, int64_t members, int64_t count, int64_t *starts, int64_t *blocks)
{
    int64_t group = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x, bounds[2] = { 0, members };
    if (group > count) return;
#pragma unroll
    for (int k = 0; k < 2; k++) {
        int64_t low = 0, high = members;
        while (groups && low < high) { /* the first member that is not of a group before */
            int64_t middle = (low + high) / 2;
            if ((int64_t)groups[middle] < group + k) low = middle + 1;
            else high = middle;
        }
        if (groups) bounds[k] = low;
    }
    if (!groups && group == count) bounds[0] = members;
    starts[group] = bounds[0];
    if (blocks) blocks[group] = group < count ? (bounds[1] - bounds[0] + GI_BLOCK - 1) / GI_BLOCK : 0;
}

typedef struct gi_cuda_measure {
    gi_label_measure what;
    int              sums; /* folds a group: of the elements, and for centers of their products with each coordinate */
    int64_t          count, blocks, members; /* groups; at most so many blocks of members */
    const int64_t   *starts, *first_block;   /* count + 1 of each */
    const double    *x;                      /* the members */
    const void      *positions;              /* theirs; NULL: 0, 1 ... */
    int              ndim;
    double          *accs;    /* for each fold the blocks of all groups */
    double          *results; /* of each group: the measure, of centers ndim numbers */
} gi_cuda_measure;

/* The members as float64. */
template <class P>
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_gather_members(const void *a, ga_dtype dtype, const P *positions, int64_t members, double *x)
{
    int64_t i = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x;
    if (i < members) x[i] = gi_cuda_element_f64(a, dtype, (int64_t)positions[i]);
}

GI_DEVICE double gi_cuda_join(gi_label_measure what, double a, double b)
{
    return what == GI_MIN_OF ? gi_fmin_f64(a, b) : what == GI_MAX_OF ? gi_maximum_f64(a, b) : gi_add_f64(a, b);
}

enum { GI_LANE_ITEMS = GI_BLOCK / 32 };

/* What the n elements of a block give along the documented tree: lane l brings elements l, l + 32 ... Lane 0 has the result. */
GI_DEVICE double gi_cuda_fold_warp(gi_label_measure what, double (&v)[GI_LANE_ITEMS], int n)
{
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int level = 0; level < 5; level++)
#pragma unroll
        for (int k = 0; k < GI_LANE_ITEMS / 2; k++) {
            const int h = GI_LANE_ITEMS / 2 >> level;
            if (k < h && (k + h) * 32 + lane < n) v[k] = gi_cuda_join(what, v[k], v[k + h]);
        }
#pragma unroll
    for (int h = 16; h > 0; h /= 2) {
        double other = __shfl_down_sync(0xffffffffu, v[0], h);
        if (lane < h && lane + h < n) v[0] = gi_cuda_join(what, v[0], other);
    }
    return v[0];
}

/* A warp folds a block of a group. */
template <class P>
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_measure_blocks(const __grid_constant__ gi_cuda_measure m, const __grid_constant__ gi_cuda_axes<P> axes)
{
    int64_t unit = (int64_t)blockIdx.x * GI_WARPS + threadIdx.x / 32, group = 0, beyond = m.count;
    int     lane = threadIdx.x % 32;
    if (unit >= m.first_block[m.count]) return;
    while (beyond - group > 1) { /* the last group whose first block is not after this one */
        int64_t middle = group + (beyond - group) / 2;
        if (m.first_block[middle] <= unit) group = middle;
        else beyond = middle;
    }
    int64_t start = m.starts[group] + (unit - m.first_block[group]) * GI_BLOCK, n = m.starts[group + 1] - start;
    if (n > GI_BLOCK) n = GI_BLOCK;
    for (int s = 0; s < m.sums; s++) {
        double v[GI_LANE_ITEMS];
        int    axis = m.ndim - s; /* the last one first; of fold 0 none */
#pragma unroll
        for (int k = 0; k < GI_LANE_ITEMS; k++) {
            int64_t i = start + k * 32 + lane;
            v[k]      = k * 32 + lane < n ? m.x[i] : 0;
            if (s == 0 || k * 32 + lane >= n) continue;
            P position = m.positions ? ((const P *)m.positions)[i] : (P)i;
            for (int d = axes.ndim - 1; d > axis; d--) position = gi_divide(position, axes.shape[d]);
            v[k] = gi_mul_f64(v[k], (double)(position - gi_divide(position, axes.shape[axis]) * (P)axes.shape[axis].by));
        }
        double all = gi_cuda_fold_warp(m.what, v, (int)n);
        if (lane == 0) m.accs[(s == 0 ? 0 : axis + 1) * m.blocks + unit] = all;
    }
}

/* A warp folds the blocks of a group, their results again, and so on; then it ends the measure. */
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_measure_groups(const __grid_constant__ gi_cuda_measure m)
{
    int64_t group = (int64_t)blockIdx.x * GI_WARPS + threadIdx.x / 32;
    int     lane  = threadIdx.x % 32;
    if (group >= m.count) return;
    int64_t members = m.starts[group + 1] - m.starts[group], blocks = m.first_block[group + 1] - m.first_block[group];
    double  sum = 0;
    for (int s = 0; s < m.sums; s++) {
        double *accs = m.accs + s * m.blocks + m.first_block[group];
        for (int64_t n = blocks; n > 1; n = (n + GI_BLOCK - 1) / GI_BLOCK) {
            for (int64_t start = 0; start < n; start += GI_BLOCK) {
                double v[GI_LANE_ITEMS];
                int    here = n - start < GI_BLOCK ? (int)(n - start) : (int)GI_BLOCK;
#pragma unroll
                for (int k = 0; k < GI_LANE_ITEMS; k++) v[k] = k * 32 + lane < here ? accs[start + k * 32 + lane] : 0;
                double all = gi_cuda_fold_warp(m.what, v, here);
                if (lane == 0) accs[start / GI_BLOCK] = all;
            }
            __syncwarp(); /* the next level reads what lane 0 has written; beyond the checker: from 2^20 members on */
        }
        if (lane != 0) continue;
        double all = blocks > 0 ? accs[0] : 0;
        if (m.what == GI_MEAN_OF) all = all / (double)members;
        if (m.what != GI_CENTER_OF) m.results[group] = all;
        else if (s == 0) sum = all;
        else m.results[group * m.ndim + s - 1] = all / sum;
    }
}

/* Sizes are the differences of starts. */
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_measure_sizes(const int64_t *starts, int64_t count, int64_t *sizes)
{
    int64_t group = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x;
    if (group < count) sizes[group] = starts[group + 1] - starts[group];
}

/* The results in the order of the index: `width` numbers for each of the labels. */
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_place_measures(const __grid_constant__ gi_cuda_groups g, int width, const uint64_t *results, uint64_t *out)
{
    int64_t i = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x;
    if (i >= g.size) return;
    int64_t group = gi_cuda_group_of(g, i);
    for (int d = 0; d < width; d++) out[i * width + d] = results[group * width + d];
}

/* ---- the calls -------------------------------------------------------------------------------------------------------------- */

/* What a call measures, and where its results go: one group after the other. */
typedef struct gi_cuda_measuring {
    const char      *site;
    gi_label_measure what;
    const ga_array  *a;      /* packed, or NULL; without labels float64 */
    gi_cuda_groups   groups; /* labels NULL: everything is one group */
    void            *results;
} gi_cuda_measuring;

/* Folds the members of every group; starts and first_block are filled. */
template <class P>
static bool gi_cuda_fold_groups(const gi_cuda_measuring *g, const ga_array *on, const P *positions, int64_t members,
                                const int64_t *starts, const int64_t *first_block)
{
    const char     *site   = g->site;
    cudaStream_t    stream = gi_cuda_current_stream();
    gi_cuda_measure m;
    memset(&m, 0, sizeof m);
    m.what        = g->what;
    m.sums        = g->what == GI_CENTER_OF ? g->a->ndim + 1 : 1;
    m.count       = g->groups.count;
    m.blocks      = members / GI_BLOCK + (members < m.count ? members : m.count);
    m.members     = members;
    m.starts      = starts;
    m.first_block = first_block;
    m.positions   = positions;
    m.ndim        = g->a->ndim;
    m.results     = (double *)g->results;
    gi_scratch x = {}, accs = {};
    bool       ok = gi_scratch_get(site, &accs, on, (size_t)(m.blocks * m.sums) * sizeof(double)) &&
              (!positions || gi_scratch_get(site, &x, on, (size_t)members * sizeof(double)));
    m.accs = (double *)accs.p;
    m.x    = (const double *)(positions ? x.p : g->a->data);
    if (ok && positions && members > 0) {
        GI_LAUNCH(gi_cuda_gather_members<P>, gi_cuda_blocks(members), GI_CUDA_THREADS, stream, (const void *)g->a->data,
                  g->a->dtype, positions, members, (double *)x.p);
        ok = gi_cuda_launched(site, "gathering members of labels");
    }
    if (ok && members > 0) {
        GI_LAUNCH(gi_cuda_measure_blocks<P>, gi_cuda_blocks(m.blocks * 32), GI_CUDA_THREADS, stream, m,
                  gi_cuda_axes_of<P>(g->a));
        ok = gi_cuda_launched(site, "measuring labels");
    }
    if (ok) {
        GI_LAUNCH(gi_cuda_measure_groups, gi_cuda_blocks(m.count * 32), GI_CUDA_THREADS, stream, m);
        ok = gi_cuda_launched(site, "measuring labels");
    }
    gi_scratch_free(&x);
    gi_scratch_free(&accs);
    return ok;
}

/* From members, sorted by group (groups NULL: all of one), to the results. */
template <class P>
static bool gi_cuda_measure_members(const gi_cuda_measuring *g, const ga_array *on, const P *groups, const P *positions,
                                    int64_t members)
{
    const char  *site   = g->site;
    cudaStream_t stream = gi_cuda_current_stream();
    int64_t      count  = g->groups.count;
    gi_scratch   s      = {};
    if (!gi_scratch_get(site, &s, on, (size_t)(2 * (count + 1)) * sizeof(int64_t))) return false;
    int64_t *starts = (int64_t *)s.p, *first_block = g->what == GI_SIZE_OF ? NULL : starts + count + 1;
    GI_LAUNCH(gi_cuda_find_starts<P>, gi_cuda_blocks(count + 1), GI_CUDA_THREADS, stream, groups, members, count, starts,
              first_block);
    bool ok = gi_cuda_launched(site, "finding labels");
    if (ok && !first_block && count > 0) {
        GI_LAUNCH(gi_cuda_measure_sizes, gi_cuda_blocks(count), GI_CUDA_THREADS, stream, (const int64_t *)starts, count,
                  (int64_t *)g->results);
        ok = gi_cuda_launched(site, "measuring labels");
    } else if (ok && count > 0) {
        ok = gi_cuda_exclusive_scan(site, on, first_block, count + 1, NULL) &&
             gi_cuda_fold_groups(g, on, positions, members, (const int64_t *)starts, (const int64_t *)first_block);
    }
    gi_scratch_free(&s);
    return ok;
}

/* Picks out the members of the labels, sorts and measures them. */
template <class P> static bool gi_cuda_measure_labels(const gi_cuda_measuring *g, const ga_array *on)
{
    const char  *site   = g->site;
    cudaStream_t stream = gi_cuda_current_stream();
    int64_t      tiles = (g->groups.size + GI_MEMBERS_TILE - 1) / GI_MEMBERS_TILE, members = 0;
    gi_scratch   c = {}, p = {};
    bool         ok     = gi_scratch_get(site, &c, on, (size_t)(tiles + 1) * sizeof(int64_t));
    int64_t     *before = (int64_t *)c.p;
    if (ok && tiles > 0) {
        GI_LAUNCH(gi_cuda_count_members, (unsigned)tiles, GI_CUDA_THREADS, stream, g->groups, before);
        ok = gi_cuda_launched(site, "counting members of labels") &&
             gi_cuda_exclusive_scan(site, on, before, tiles + 1, NULL) &&
             gi_cuda_read(site, on, &members, before + tiles, sizeof members); /* memory for them alone: most is background */
    }
    ok     = ok && gi_scratch_get(site, &p, on, (size_t)(4 * members) * sizeof(P));
    P  *at = (P *)p.p, *groups[2] = { at, at + members }, *positions[2] = { at + 2 * members, at + 3 * members };
    int bits = 0;
    while ((g->groups.count - 1) >> bits > 0) bits++;
    if (ok && members > 0) {
        GI_LAUNCH(gi_cuda_pick_members<P>, (unsigned)tiles, GI_CUDA_THREADS, stream, g->groups, (const int64_t *)before,
                  groups[0], positions[0]);
        ok = gi_cuda_launched(site, "picking members of labels") &&
             (bits == 0 || gi_cuda_sort_pairs(site, on, groups, positions, members, bits));
    }
    ok = ok && gi_cuda_measure_members(g, on, (const P *)groups[0], (const P *)positions[0], members);
    gi_scratch_free(&p);
    gi_scratch_free(&c);
    return ok;
}

/* The largest label; 0 if there is none above. False with an error. */
static bool gi_largest_label(const char *site, const ga_array *labels, int64_t *largest)
{
    ga_reduce_options o = gi_reduce_site(site);
    *largest            = 0;
    if (labels->size == 0) return true;
    ga_array *max   = (ga_nanmax)(labels, o);
    bool      known = max && gi_item_as(site, max, NULL, GA_I64, largest);
    ga_free(max);
    if (*largest < 0) *largest = 0;
    return known && gi_can_list(site, *largest);
}

/* The measures of the wanted labels; see gi_measure_labels, which has looked at the arrays. */
static ga_array *gi_cuda_measure_arrays(const char *site, gi_label_measure what, const ga_array *a, const ga_array *labels,
                                        const ga_array *index)
{
    gi_cuda_measuring g;
    memset(&g, 0, sizeof g);
    g.site           = site;
    g.what           = what;
    g.groups.count   = 1;
    ga_array *values = a ? gi_contiguous(site, a, labels ? a->dtype : GA_F64) : NULL;
    ga_array *packed = labels ? gi_contiguous(site, labels, labels->dtype) : NULL;
    ga_array *wanted = index ? gi_convert(site, index, GA_I64) : NULL, *sorted = NULL;
    bool      ok = (values || !a) && (packed || !labels) && (wanted || !index);
    if (ok && index) {
        int64_t         stride = sizeof(int64_t);
        ga_array       *line   = gi_new_view(site, wanted, wanted->data, GA_I64, 1, &wanted->size, &stride);
        ga_axis_options last;
        memset((void *)&last, 0, sizeof last);
        last.site      = site;
        last.axis      = -1;
        g.groups.count = index->size;
        sorted         = line ? (ga_sort)(line, last) : NULL;
        ok             = sorted != NULL;
        ga_free(line);
    } else if (ok && labels) {
        ok = gi_largest_label(site, labels, &g.groups.count);
    }
    const int64_t   width  = what == GI_CENTER_OF ? a->ndim : 1;
    gi_scratch      s      = {};
    ga_array       *result = ok ? gi_new_measures(site, what, GA_CUDA, a, index, g.groups.count) : NULL;
    const ga_array *all[4] = { values, packed, sorted, result };
    ok                     = result && gi_cuda_touch_all(site, 4, all);
    if (ok && index) ok = gi_scratch_get(site, &s, result, (size_t)(g.groups.count * width) * 8);
    if (ok && result->size > 0) {
        g.a             = values;
        g.results       = index ? s.p : result->data;
        g.groups.size   = labels ? labels->size : a->size;
        g.groups.wanted = sorted ? (const int64_t *)sorted->data : NULL;
        g.groups.labels = packed ? packed->data : NULL;
        g.groups.dtype  = packed ? packed->dtype : GA_DTYPE_DEFAULT;
        bool wide       = g.groups.size >= GI_CUDA_WIDE || g.groups.count >= GI_CUDA_WIDE;
        if (labels) ok = wide ? gi_cuda_measure_labels<uint64_t>(&g, result) : gi_cuda_measure_labels<uint32_t>(&g, result);
        else if (wide) ok = gi_cuda_measure_members<uint64_t>(&g, result, NULL, NULL, a->size);
        else ok = gi_cuda_measure_members<uint32_t>(&g, result, NULL, NULL, a->size);
    }
    if (ok && index && result->size > 0) {
        gi_cuda_groups places = g.groups; /* the index has the groups of its own elements */
        places.labels         = wanted->data;
        places.dtype          = GA_I64;
        places.size           = index->size;
        GI_LAUNCH(gi_cuda_place_measures, gi_cuda_blocks(places.size), GI_CUDA_THREADS, gi_cuda_current_stream(), places,
                  (int)width, (const uint64_t *)s.p, (uint64_t *)result->data);
        ok = gi_cuda_launched(site, "placing measures of labels");
    }
    gi_scratch_free(&s);
    ga_free(sorted);
    ga_free(wanted);
    ga_free(packed);
    ga_free(values);
    if (ok) return result;
    ga_free(result);
    return NULL;
}

/* ---- kappa-sigma clipping ------------------------------------------------------------------------------------------------ */

typedef struct gi_cuda_bounds {
    const void *x; /* packed */
    int64_t     size;
    double      low, high;
    bool        inside, aligned; /* what the flags of elements between or on the bounds are; does x begin where a vector may? */
    uint8_t    *flags;
} gi_cuda_bounds;

enum { GI_BETWEEN_EACH = 4 };

template <class T, double (*as_f64)(T)> GI_DEVICE void gi_cuda_between_body(const gi_cuda_bounds &b)
{
    int64_t  first = ((int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x) * GI_BETWEEN_EACH;
    const T *from  = (const T *)b.x + first;
    if (first >= b.size) return;
    bool                           whole = first + GI_BETWEEN_EACH <= b.size;
    gi_pack<T, GI_BETWEEN_EACH>    x;
    gi_pack<bool, GI_BETWEEN_EACH> flags;
    if (whole && b.aligned) {
        x = *(const gi_pack<T, GI_BETWEEN_EACH> *)from;
    } else {
#pragma unroll
        for (int k = 0; k < GI_BETWEEN_EACH; k++) x.e[k] = from[first + k < b.size ? k : 0];
    }
#pragma unroll
    for (int k = 0; k < GI_BETWEEN_EACH; k++) {
        double v   = as_f64(x.e[k]);
        flags.e[k] = ((v >= b.low) & (v <= b.high)) == b.inside;
    }
    if (whole) {
        *(gi_pack<bool, GI_BETWEEN_EACH> *)(b.flags + first) = flags;
    } else {
#pragma unroll
        for (int k = 0; k < GI_BETWEEN_EACH; k++)
            if (first + k < b.size) b.flags[first + k] = flags.e[k];
    }
}

static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_flag_between(const __grid_constant__ gi_cuda_bounds b, ga_dtype dtype)
{
    switch (dtype) {
#define GI_CASE(TAG, tag, T, name)                                                                                             \
    case GA_##TAG:                                                                                                             \
        gi_cuda_between_body<T, gi_cast_f64_##tag>(b);                                                                         \
        break;
        GI_EACH_BOOL(GI_CASE)
        GI_EACH_INT(GI_CASE)
        GI_EACH_FLT(GI_CASE)
#undef GI_CASE
    default: break;
    }
}

/* flags: where a packed x lies between or on the bounds, or (`inside` false) where it does not. */
static bool gi_cuda_between(const char *site, const ga_array *x, double low, double high, ga_array *flags, bool inside)
{
    const ga_array *both[2] = { x, flags };
    if (!gi_cuda_touch_all(site, 2, both)) return false;
    if (x->size == 0) return true;
    size_t         vector = (size_t)(GI_BETWEEN_EACH * ga_itemsize(x->dtype));
    gi_cuda_bounds b      = { x->data, x->size, low, high, inside, (uintptr_t)x->data % vector == 0, (uint8_t *)flags->data };
    unsigned       blocks = gi_cuda_blocks((x->size + GI_BETWEEN_EACH - 1) / GI_BETWEEN_EACH);
    GI_LAUNCH(gi_cuda_flag_between, blocks, GI_CUDA_THREADS, gi_cuda_current_stream(), b, x->dtype);
    return gi_cuda_launched(site, "ga_sigma_clip");
}

/* A new 1-D array with the elements of a packed x between or on the bounds. */
static ga_array *gi_cuda_keep_between(const char *site, const ga_array *x, double low, double high)
{
    int64_t   stride = ga_itemsize(x->dtype);
    ga_array *line   = gi_new_view(site, x, x->data, x->dtype, 1, &x->size, &stride);
    ga_array *flags = line ? gi_new(site, GA_BOOL, GA_CUDA, 1, &x->size) : NULL, *kept = NULL;
    if (flags && gi_cuda_between(site, line, low, high, flags, true)) kept = (ga_extract)(flags, line, site);
    ga_free(flags);
    ga_free(line);
    return kept;
}

/* ==== >>cuda products: of matrices ========================================================================================= */
/*  A block computes a square of the result, a thread GI_PRODUCT_EACH x GI_PRODUCT_EACH elements of it in registers, each one chain along
    the inner axis. The factors come to the block some columns of a and rows of b at a time; while they are used, each thread fetches its
    share of the next ones. For float32 a warp reads 8 x 4 bytes of shared memory per thread for 16 fused products.                 */

enum { GI_PRODUCT_SIDE = 64, GI_PRODUCT_EACH = 4, GI_PRODUCT_STEP = GI_PRODUCT_SIDE / GI_PRODUCT_EACH };

#define GI_LINK(T, tag)                                                                                                        \
    GI_DEVICE T    gi_cuda_link(T x, T y, T sum) { return gi_fma_##tag(x, y, sum); }                                           \
    GI_DEVICE void gi_cuda_begin(T &sum) { sum = gi_nothing_##tag(); }
GI_LINK(bool, b8)
GI_LINK(uint8_t, u8)
GI_LINK(uint16_t, u16)
GI_LINK(uint32_t, u32)
GI_LINK(uint64_t, u64)
GI_LINK(float, f32)
GI_LINK(double, f64)
GI_LINK(ga_c64, c64)
GI_LINK(ga_c128, c128)
#undef GI_LINK

/* One of the factors of a block: `along` elements of the inner axis by GI_PRODUCT_SIDE others. */
typedef struct gi_cuda_matrix {
    const char *data;
    int64_t     inner, other; /* strides */
    int64_t     others;       /* how many there are from here */
} gi_cuda_matrix;

/* Where in the share of a block the elements of a thread lie: neighbouring threads take neighbours in memory. */
template <int DEPTH> GI_DEVICE void gi_cuda_share_place(const gi_cuda_matrix &f, int i, int *k, int *other)
{
    const int  e         = threadIdx.x + i * GI_CUDA_THREADS;
    const bool by_others = (f.other < 0 ? -f.other : f.other) < (f.inner < 0 ? -f.inner : f.inner);
    *k                   = by_others ? e / GI_PRODUCT_SIDE : e % DEPTH;
    *other               = by_others ? e % GI_PRODUCT_SIDE : e / DEPTH;
}

template <int DEPTH, class T, int SHARE>
GI_DEVICE void gi_cuda_fetch_factor(T (&share)[SHARE], const gi_cuda_matrix &f, int64_t start, int64_t inner)
{
#pragma unroll
    for (int i = 0; i < SHARE; i++) {
        int k, other;
        gi_cuda_share_place<DEPTH>(f, i, &k, &other);
        share[i] = T();
        if (start + k < inner && other < f.others) share[i] = *(const T *)(f.data + (start + k) * f.inner + other * f.other);
    }
}

template <class T>
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_product_kernel(const __grid_constant__ gi_product p, int64_t first, uint32_t across, uint32_t tiles)
{
    enum { DEPTH = sizeof(T) == 16 ? 8 : 16, SHARE = GI_PRODUCT_SIDE * DEPTH / GI_CUDA_THREADS };
    enum { WIDTH = GI_PRODUCT_SIDE + (sizeof(T) >= 4 ? 16 / sizeof(T) : 4) }; /* so that writes go to several banks */
    GI_SHARED(T, x, [2][DEPTH][WIDTH]);
    GI_SHARED(T, y, [2][DEPTH][WIDTH]);
    const uint32_t tile = blockIdx.x % tiles;
    const int64_t  row = (int64_t)(tile / across) * GI_PRODUCT_SIDE, column = (int64_t)(tile % across) * GI_PRODUCT_SIDE;
    const int      lane = threadIdx.x % GI_PRODUCT_STEP, group = threadIdx.x / GI_PRODUCT_STEP;
    gi_cuda_matrix a   = { p.a.data + row * p.a.row, p.a.column, p.a.row, p.rows - row };
    gi_cuda_matrix b   = { p.b.data + column * p.b.column, p.b.row, p.b.column, p.columns - column };
    char          *out = p.out.data;
    int64_t        at  = first + blockIdx.x / tiles; /* which of the products */
    for (int d = p.axes - 1; d >= 0; d--) {
        const int64_t i = at % p.shape[d];
        at /= p.shape[d];
        a.data += i * p.a.next[d];
        b.data += i * p.b.next[d];
        out += i * p.out.next[d];
    }
    T sums[GI_PRODUCT_EACH][GI_PRODUCT_EACH], next_x[SHARE], next_y[SHARE];
#pragma unroll
    for (int r = 0; r < GI_PRODUCT_EACH; r++)
#pragma unroll
        for (int c = 0; c < GI_PRODUCT_EACH; c++) gi_cuda_begin(sums[r][c]);
    gi_cuda_fetch_factor<DEPTH>(next_x, a, 0, p.inner);
    gi_cuda_fetch_factor<DEPTH>(next_y, b, 0, p.inner);
    int turn = 0;
    for (int64_t start = 0; start < p.inner; start += DEPTH) {
#pragma unroll
        for (int i = 0; i < SHARE; i++) {
            int k, other;
            gi_cuda_share_place<DEPTH>(a, i, &k, &other);
            x[turn][k][other] = next_x[i];
            gi_cuda_share_place<DEPTH>(b, i, &k, &other);
            y[turn][k][other] = next_y[i];
        }
        __syncthreads(); /* one is enough: the other half is written next, which all threads have read before they came here */
        gi_cuda_fetch_factor<DEPTH>(next_x, a, start + DEPTH, p.inner);
        gi_cuda_fetch_factor<DEPTH>(next_y, b, start + DEPTH, p.inner);
        const int n = p.inner - start < DEPTH ? (int)(p.inner - start) : (int)DEPTH;
#pragma unroll 4
        for (int k = 0; k < n; k++) {
            T rows[GI_PRODUCT_EACH], columns[GI_PRODUCT_EACH];
#pragma unroll
            for (int r = 0; r < GI_PRODUCT_EACH; r++) rows[r] = x[turn][k][group * GI_PRODUCT_EACH + r];
#pragma unroll
            for (int c = 0; c < GI_PRODUCT_EACH; c++) columns[c] = y[turn][k][lane + c * GI_PRODUCT_STEP];
#pragma unroll
            for (int r = 0; r < GI_PRODUCT_EACH; r++)
#pragma unroll
                for (int c = 0; c < GI_PRODUCT_EACH; c++) sums[r][c] = gi_cuda_link(rows[r], columns[c], sums[r][c]);
        }
        turn ^= 1;
    }
#pragma unroll
    for (int r = 0; r < GI_PRODUCT_EACH; r++)
#pragma unroll
        for (int c = 0; c < GI_PRODUCT_EACH; c++) {
            const int64_t i = row + group * GI_PRODUCT_EACH + r, j = column + lane + c * GI_PRODUCT_STEP;
            if (i < p.rows && j < p.columns) *(T *)(out + i * p.out.row + j * p.out.column) = sums[r][c];
        }
}

typedef void (*gi_cuda_product_of)(const gi_product, int64_t, uint32_t, uint32_t);
static gi_cuda_product_of gi_cuda_find_product(ga_dtype dtype)
{
    switch (dtype) {
    case GA_BOOL: return gi_cuda_product_kernel<bool>;
    case GA_F32: return gi_cuda_product_kernel<float>;
    case GA_F64: return gi_cuda_product_kernel<double>;
    case GA_C64: return gi_cuda_product_kernel<ga_c64>;
    case GA_C128: return gi_cuda_product_kernel<ga_c128>;
    default: break;
    }
    switch (ga_itemsize(dtype)) { /* integers wrap: those with and without a sign have the same bits */
    case 1: return gi_cuda_product_kernel<uint8_t>;
    case 2: return gi_cuda_product_kernel<uint16_t>;
    case 4: return gi_cuda_product_kernel<uint32_t>;
    default: return gi_cuda_product_kernel<uint64_t>;
    }
}

#if defined(GPUARR_USE_CUBLAS) && !defined(__CUDASIM__)
/* ---- products that are left to cuBLAS --------------------------------------------------------------------------------------- */

static pthread_mutex_t gi_cublas_lock = PTHREAD_MUTEX_INITIALIZER;
static cublasHandle_t  gi_cublas_handles[GI_MOST_GPUS];

/* cuBLAS takes matrices column by column: it is asked for the transposed product. */
static cublasStatus_t gi_cublas_item(cublasHandle_t handle, const gi_product *p, const gi_blas_matrix *a,
                                     const gi_blas_matrix *b, const gi_blas_matrix *out, const char *x, const char *y, char *to)
{
    const cublasOperation_t across_a = a->across ? CUBLAS_OP_T : CUBLAS_OP_N, across_b = b->across ? CUBLAS_OP_T : CUBLAS_OP_N;
    const int               m = (int)p->columns, n = (int)p->rows, k = (int)p->inner;
    const int               lead_a = (int)a->lead, lead_b = (int)b->lead, lead = (int)out->lead;
    const ga_c128           one = { 1, 0 }, zero = { 0, 0 };
    const float             one32[2] = { 1, 0 }, zero32[2] = { 0, 0 };
    switch (p->dtype) {
    case GA_F32:
        return cublasSgemm(handle, across_b, across_a, m, n, k, one32, (const float *)y, lead_b, (const float *)x, lead_a,
                           zero32, (float *)to, lead);
    case GA_F64:
        return cublasDgemm(handle, across_b, across_a, m, n, k, &one.re, (const double *)y, lead_b, (const double *)x, lead_a,
                           &zero.re, (double *)to, lead);
    case GA_C64:
        return cublasCgemm(handle, across_b, across_a, m, n, k, (const cuComplex *)one32, (const cuComplex *)y, lead_b,
                           (const cuComplex *)x, lead_a, (const cuComplex *)zero32, (cuComplex *)to, lead);
    default:
        return cublasZgemm(handle, across_b, across_a, m, n, k, (const cuDoubleComplex *)&one, (const cuDoubleComplex *)y,
                           lead_b, (const cuDoubleComplex *)x, lead_a, (const cuDoubleComplex *)&zero, (cuDoubleComplex *)to,
                           lead);
    }
}

/* *done: whether cuBLAS took the product. False with an error. */
static bool gi_cublas_product(const char *site, const gi_product *p, bool *done)
{
    gi_blas_matrix a, b, out;
    *done = gi_blas_takes(p, &a, &b, &out);
    if (!*done) return true;
    pthread_mutex_lock(&gi_cublas_lock); /* a handle serves one thread at a time */
    cublasHandle_t *handle = &gi_cublas_handles[gi_cuda_ordinal_in_use()];
    cublasStatus_t  status = *handle ? CUBLAS_STATUS_SUCCESS : cublasCreate(handle);
    if (status == CUBLAS_STATUS_SUCCESS) status = cublasSetStream(*handle, gi_cuda_current_stream());
    for (int64_t item = 0; item < gi_size(p->axes, p->shape) && status == CUBLAS_STATUS_SUCCESS; item++) {
        const char *x, *y;
        char       *to;
        gi_locate_item(p, item, &x, &y, &to);
        status = gi_cublas_item(*handle, p, &a, &b, &out, x, y, to);
    }
    pthread_mutex_unlock(&gi_cublas_lock);
    if (status == CUBLAS_STATUS_SUCCESS) return true;
    gi_fail(site, status == CUBLAS_STATUS_ALLOC_FAILED ? GA_NO_MEMORY : GA_CUDA_FAILED, "cuBLAS failed: %s",
            cublasGetStatusString(status));
    return false;
}
#endif

/* The memory has been touched by the caller. */
static bool gi_cuda_product(const char *site, gi_product *p)
{
    const int64_t size = ga_itemsize(p->dtype);
    if (p->out.column != size && p->out.row == size && !gi_is_complex(p->dtype))
        gi_transpose_product(p); /* to write side by side */
#if defined(GPUARR_USE_CUBLAS) && !defined(__CUDASIM__)
    bool done;
    if (!gi_cublas_product(site, p, &done)) return false;
    if (done) return true;
#endif
    const int64_t across = (p->columns + GI_PRODUCT_SIDE - 1) / GI_PRODUCT_SIDE;
    const int64_t tiles = across * ((p->rows + GI_PRODUCT_SIDE - 1) / GI_PRODUCT_SIDE), count = gi_size(p->axes, p->shape);
    const int64_t most = INT32_MAX / tiles;
    for (int64_t first = 0; first < count; first += most) {
        const int64_t n = count - first < most ? count - first : most;
        GI_LAUNCH(gi_cuda_find_product(p->dtype), (unsigned)(n * tiles), GI_CUDA_THREADS, gi_cuda_current_stream(), *p, first,
                  (uint32_t)across, (uint32_t)tiles);
        if (!gi_cuda_launched(site, "a matrix product")) return false;
    }
    return true;
}

/* ==== >>cuda distances: between the rows of two arrays =================================================================== */
/*  A block computes a square of the result, a thread GI_DISTANCE_EACH x GI_DISTANCE_EACH distances of it in registers. The features come
    to the block GI_DISTANCE_DEPTH at a time; while they are used, each thread fetches its share of the next ones.              */

enum {
    GI_DISTANCE_SIDE  = 64,
    GI_DISTANCE_EACH  = 4,
    GI_DISTANCE_DEPTH = 16,
    GI_DISTANCE_STEP  = GI_DISTANCE_SIDE / GI_DISTANCE_EACH
};

GI_DEVICE float  gi_cuda_fma(float a, float b, float c) { return gi_fma_f32(a, b, c); }
GI_DEVICE double gi_cuda_fma(double a, double b, double c) { return gi_fma_f64(a, b, c); }
GI_DEVICE float  gi_cuda_length(float x) { return gi_abs_f32(x); }
GI_DEVICE double gi_cuda_length(double x) { return gi_abs_f64(x); }
GI_DEVICE float  gi_cuda_root_of(float x) { return gi_root_f32(x); }
GI_DEVICE double gi_cuda_root_of(double x) { return gi_root_f64(x); }
GI_DEVICE float  gi_cuda_longest(float a, float b) { return gi_maximum_f32(a, b); }
GI_DEVICE double gi_cuda_longest(double a, double b) { return gi_maximum_f64(a, b); }
GI_DEVICE float  gi_cuda_cosine(float product, float a, float b) { return gi_cosine_distance_f32(product, a, b); }
GI_DEVICE double gi_cuda_cosine(double product, double a, double b) { return gi_cosine_distance_f64(product, a, b); }

template <ga_metric METRIC, class T> GI_DEVICE T gi_cuda_add_distance(T sum, T x, T y)
{
    const T d = x - y;
    switch (METRIC) {
    case GA_CITYBLOCK: return sum + gi_cuda_length(d);
    case GA_CHEBYSHEV: return gi_cuda_longest(sum, gi_cuda_length(d));
    case GA_COSINE: return gi_cuda_fma(x, y, sum);
    default: return gi_cuda_fma(d, d, sum);
    }
}

/* A thread's share of the features of a block's points from `start` on; what does not exist is 0, which adds nothing. */
template <class T>
GI_DEVICE void gi_cuda_fetch(T (&share)[GI_DISTANCE_EACH], const T *points, int64_t count, int64_t features, int64_t first,
                             int64_t start)
{
    const int64_t k = start + threadIdx.x % GI_DISTANCE_DEPTH, row = first + threadIdx.x / GI_DISTANCE_DEPTH;
#pragma unroll
    for (int i = 0; i < GI_DISTANCE_EACH; i++) {
        const int64_t at = row + i * GI_DISTANCE_STEP;
        share[i]         = k < features && at < count ? points[at * features + k] : T(0);
    }
}

template <class T, ga_metric METRIC>
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_distance(const __grid_constant__ gi_distances d, uint32_t across)
{
    enum {
        PACK  = GI_VECTOR(sizeof(T)),
        WIDTH = GI_DISTANCE_SIDE + PACK
    }; /* so that the writes of a warp go to several banks */
    GI_SHARED(T, y, [2][GI_DISTANCE_DEPTH][WIDTH]);
    typedef gi_pack<T, PACK> pack;
    GI_SHARED(pack, x, [2][GI_DISTANCE_DEPTH][WIDTH / PACK]);
    const int64_t first_row    = (int64_t)(blockIdx.x / across) * GI_DISTANCE_SIDE;
    const int64_t first_column = (int64_t)(blockIdx.x % across) * GI_DISTANCE_SIDE;
    const int     lane = threadIdx.x % GI_DISTANCE_STEP, group = threadIdx.x / GI_DISTANCE_STEP;
    T             sums[GI_DISTANCE_EACH][GI_DISTANCE_EACH] = {}, next_x[GI_DISTANCE_EACH], next_y[GI_DISTANCE_EACH];
    if (d.condensed && first_column + GI_DISTANCE_SIDE <= first_row + 1) return;
    gi_cuda_fetch(next_x, (const T *)d.x, d.rows, d.features, first_row, 0);
    gi_cuda_fetch(next_y, (const T *)d.y, d.columns, d.features, first_column, 0);
    int turn = 0;
    for (int64_t start = 0; start < d.features; start += GI_DISTANCE_DEPTH) {
#pragma unroll
        for (int i = 0; i < GI_DISTANCE_EACH; i++) {
            const int at                          = group + i * GI_DISTANCE_STEP;
            x[turn][lane][at / PACK].e[at % PACK] = next_x[i];
            y[turn][lane][at]                     = next_y[i];
        }
        __syncthreads(); /* one is enough: the other half is written next, which all threads have read before they came here */
        gi_cuda_fetch(next_x, (const T *)d.x, d.rows, d.features, first_row, start + GI_DISTANCE_DEPTH);
        gi_cuda_fetch(next_y, (const T *)d.y, d.columns, d.features, first_column, start + GI_DISTANCE_DEPTH);
#pragma unroll 4
        for (int k = 0; k < GI_DISTANCE_DEPTH; k++) {
            pack row[GI_DISTANCE_EACH / PACK];
            T    column[GI_DISTANCE_EACH];
#pragma unroll
            for (int r = 0; r < GI_DISTANCE_EACH / PACK; r++) row[r] = x[turn][k][group * (GI_DISTANCE_EACH / PACK) + r];
#pragma unroll
            for (int c = 0; c < GI_DISTANCE_EACH; c++) column[c] = y[turn][k][lane + c * GI_DISTANCE_STEP];
#pragma unroll
            for (int r = 0; r < GI_DISTANCE_EACH; r++)
#pragma unroll
                for (int c = 0; c < GI_DISTANCE_EACH; c++)
                    sums[r][c] = gi_cuda_add_distance<METRIC>(sums[r][c], row[r / PACK].e[r % PACK], column[c]);
        }
        turn ^= 1;
    }
#pragma unroll
    for (int r = 0; r < GI_DISTANCE_EACH; r++) {
        const int64_t row = first_row + group * GI_DISTANCE_EACH + r;
#pragma unroll
        for (int c = 0; c < GI_DISTANCE_EACH; c++) {
            const int64_t column = first_column + lane + c * GI_DISTANCE_STEP;
            if (row >= d.rows || column >= d.columns || (d.condensed && column <= row)) continue;
            T sum = sums[r][c];
            if (METRIC == GA_COSINE) sum = gi_cuda_cosine(sum, ((const T *)d.x_norms)[row], ((const T *)d.y_norms)[column]);
            if (METRIC == GA_SQEUCLIDEAN && d.metric == GA_EUCLIDEAN) sum = gi_cuda_root_of(sum);
            ((T *)d.out)[d.condensed ? gi_pair_place(d.columns, row, column) : row * d.columns + column] = sum;
        }
    }
}

typedef void (*gi_cuda_distance_kernel)(const gi_distances, uint32_t);
template <class T> static gi_cuda_distance_kernel gi_cuda_distance_kernel_for(ga_metric metric)
{
    switch (metric) {
    case GA_CITYBLOCK: return gi_cuda_distance<T, GA_CITYBLOCK>;
    case GA_CHEBYSHEV: return gi_cuda_distance<T, GA_CHEBYSHEV>;
    case GA_COSINE: return gi_cuda_distance<T, GA_COSINE>;
    default: return gi_cuda_distance<T, GA_SQEUCLIDEAN>; /* and its root */
    }
}

static bool gi_cuda_distances(const char *site, const gi_distances *d, const ga_array *x, const ga_array *y, ga_array *result)
{
    const ga_array *all[3] = { x, y, result };
    int64_t         across = (d->columns + GI_DISTANCE_SIDE - 1) / GI_DISTANCE_SIDE,
            down           = (d->rows + GI_DISTANCE_SIDE - 1) / GI_DISTANCE_SIDE;
    if (across > INT32_MAX / down) {
        gi_fail(site, GA_BAD_SHAPE, "shapes %s and %s are too large for the GPU: take parts of them", gi_shape_of(x),
                gi_shape_of(y));
        return false;
    }
    if (!gi_cuda_touch_all(site, 3, all)) return false;
    gi_cuda_distance_kernel kernel =
        x->dtype == GA_F32 ? gi_cuda_distance_kernel_for<float>(d->metric) : gi_cuda_distance_kernel_for<double>(d->metric);
    GI_LAUNCH(kernel, (unsigned)(across * down), GI_CUDA_THREADS, gi_cuda_current_stream(), *d, (uint32_t)across);
    return gi_cuda_launched(site, "ga_cdist");
}

/* ---- squareform ---------------------------------------------------------------------------------------------------------- */
/*  A block moves a square of the matrix on or above the diagonal, and the one that mirrors it.                               */

enum { GI_SQUARE_ROWS = GI_CUDA_THREADS / GI_SQUARE_SIDE };

template <class U>
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_vector_to_matrix(const U *vector, U *matrix, int64_t n, uint32_t across)
{
    GI_SHARED(U, square, [GI_SQUARE_SIDE][GI_SQUARE_SIDE + 1]);
    const uint32_t down = blockIdx.x / across, right = blockIdx.x % across, lane = threadIdx.x % GI_SQUARE_SIDE;
    if (right < down) return;
    for (uint32_t r = threadIdx.x / GI_SQUARE_SIDE; r < GI_SQUARE_SIDE; r += GI_SQUARE_ROWS) {
        const int64_t i = (int64_t)down * GI_SQUARE_SIDE + r, j = (int64_t)right * GI_SQUARE_SIDE + lane;
        U             u = {};
        if (i < j && j < n) u = vector[gi_pair_place(n, i, j)];
        if (i <= j && j < n) matrix[i * n + j] = u;
        square[r][lane] = u;
    }
    __syncthreads();
    for (uint32_t r = threadIdx.x / GI_SQUARE_SIDE; r < GI_SQUARE_SIDE; r += GI_SQUARE_ROWS) {
        const int64_t i = (int64_t)down * GI_SQUARE_SIDE + lane, j = (int64_t)right * GI_SQUARE_SIDE + r;
        if (i < j && j < n) matrix[j * n + i] = square[lane][r];
    }
}

template <class U>
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_matrix_to_vector(const U *matrix, U *vector, int64_t n, uint32_t across)
{
    const int64_t i = blockIdx.x / across, j = (int64_t)(blockIdx.x % across) * GI_CUDA_THREADS + threadIdx.x;
    if (i < j && j < n) vector[gi_pair_place(n, i, j)] = matrix[i * n + j];
}

template <class U> static bool gi_cuda_squareform_of(const char *site, const ga_array *from, ga_array *to)
{
    const bool    square = to->ndim == 2;
    const int64_t n      = square ? to->shape[0] : from->shape[0],
                  width  = square ? (int64_t)GI_SQUARE_SIDE : (int64_t)GI_CUDA_THREADS;
    const int64_t across = (n + width - 1) / width, down = square ? across : n;
    if (across > INT32_MAX / down) {
        gi_fail(site, GA_BAD_SHAPE, "%lld points are too many for the GPU", (long long)n);
        return false;
    }
    auto kernel = square ? gi_cuda_vector_to_matrix<U> : gi_cuda_matrix_to_vector<U>;
    GI_LAUNCH(kernel, (unsigned)(across * down), GI_CUDA_THREADS, gi_cuda_current_stream(), (const U *)from->data,
              (U *)to->data, n, (uint32_t)across);
    return gi_cuda_launched(site, "ga_squareform");
}

/* Between a packed vector and a packed matrix. */
static bool gi_cuda_squareform(const char *site, const ga_array *from, ga_array *to)
{
    if (!gi_cuda_touch(site, from) || !gi_cuda_touch(site, to)) return false;
    switch (ga_itemsize(to->dtype)) {
    case 1: return gi_cuda_squareform_of<uint8_t>(site, from, to);
    case 2: return gi_cuda_squareform_of<uint16_t>(site, from, to);
    case 4: return gi_cuda_squareform_of<uint32_t>(site, from, to);
    case 8: return gi_cuda_squareform_of<uint64_t>(site, from, to);
    default: return gi_cuda_squareform_of<gi_16_bytes>(site, from, to);
    }
}

/* ==== >>cuda convolution: sums of weighted neighbours =================================================================== */
/*  A block computes a tile of the result: 32 lines of 8 R elements along the last axis that has several weights. It brings what the sums
    need of the input into shared memory, borders settled, for one portion of the weights after the other. Each thread slides over
    its line: R sums and a window of R + V elements stay in registers, V being the elements of 16 bytes. The lanes of a warp work on
    32 lines, which lie an odd number of 16 bytes apart, so that their reads hit different banks; a weight is the same for all.

    For V weights a warp reads 512 bytes of elements and 16 bytes of weights, 5 cycles of shared memory, and multiplies 32 R V times:
    8 cycles of a multiprocessor with 128 lanes for float32 (R = 8, V = 4), or with 64 for float64 (R = 8, V = 2). So arithmetic is
    what is waited for; of 15 x 15 weights, two thirds of the instructions are multiplications. An element is brought in by some ten
    instructions, and 1.8 are for each result.

    The lines of a tile are neighbours along the second last axis if it has several weights, too. Else any lines make a tile; they are
    numbered so that those which lie together in memory are read together.                                                       */

enum { GI_TILE_LINES = 32, GI_TILE_READ_LINES = 64, GI_TILE_READS = 4, GI_TILE_WEIGHTS = 8 };

/* V elements are one access to shared memory, which has room for so many elements of the input, and an eighth of that for weights. */
template <class C> struct gi_tile {
    enum { V = GI_VECTOR(sizeof(C)), ROOM = sizeof(C) > 8 ? 2048 : 4096 };
    typedef gi_pack<C, V> pack;
};

/* An axis, for the numbering of lines and of the steps through the weights. */
typedef struct gi_cuda_axis {
    gi_wide_divisor parts;                  /* the tiles or lines side by side */
    gi_wide_divisor weights;                /* the steps */
    int64_t         part;                   /* elements of the result in a part */
    int64_t         offset, length, stride; /* of the input */
    int64_t         result, result_stride;
} gi_cuda_axis;

typedef struct gi_cuda_correlation {
    const char  *in, *weights;
    char        *out;
    int          itemsize;
    ga_border    border;
    int          ndim, along, across;   /* across: the axis of neighbouring lines; -1: any lines make a tile */
    gi_cuda_axis axis[GPUARR_MAX_DIMS]; /* in the order in which lines are numbered */
    bool         truth;                 /* of bool: the sum counts */
    bool         turned;                /* are neighbouring elements of the memory in neighbouring lines? */
    int64_t      steps, height, width;  /* weights: rows of them along across and along; steps through the other axes */
    int64_t      first;                 /* tile of the launch */
    int          rows, row;             /* weights of a portion */
    int          lines, columns;        /* of a tile that are computed at most: whole threads */
    int          pitch;                 /* elements from line to line in shared memory */
    alignas(16) char nothing[16], constant[16];
    const char *outside;  /* not NULL: where the constant is */
    const int  *factored; /* not NULL: something is to be done only if what is there is `passes` */
    int         passes;
} gi_cuda_correlation;

/* Where a line lies: the index along its axis and the place in memory of its first position; those from begin to end exist. */
typedef struct gi_cuda_line {
    int64_t index, place;
    int32_t begin, end;
} gi_cuda_line;

GI_DEVICE int32_t gi_cuda_limit(int64_t n, int32_t most) { return n < 0 ? 0 : n < most ? (int32_t)n : most; }

/* Line number k of those that a tile reads, for some weights: `length` positions. */
GI_DEVICE gi_cuda_line gi_cuda_line_read(const gi_cuda_correlation &m, int64_t tile, int k, int64_t step, int64_t row,
                                         int64_t column, int length)
{
    gi_cuda_line line    = { 0, 0, 0, 0 };
    int64_t      number  = m.across < 0 ? tile * GI_TILE_LINES + k : tile;
    bool         outside = false;
#pragma unroll 1
    for (int d = 0; d < m.ndim; d++) {
        const gi_cuda_axis &a     = m.axis[d];
        const int64_t       above = gi_divide_wide(number, a.parts), before = gi_divide_wide(step, a.weights);
        int64_t             i = (number - above * a.parts.by) * a.part + step - before * a.weights.by + a.offset;
        number                = above;
        step                  = before;
        if (d == m.along) {
            line.index = i + column;
            line.begin = gi_cuda_limit(-line.index, length);
            line.end   = gi_cuda_limit(a.length - line.index, length);
            line.place += line.index * a.stride;
        } else {
            i = gi_border_index(d == m.across ? i + row + k : i, a.length, m.border);
            outside |= i < 0;
            line.place += i * a.stride;
        }
    }
    if (outside) { /* every position is constant */
        line.index = INT64_MIN / 2;
        line.begin = line.end = 0;
    }
    return line;
}

/* Line number k of a tile's results. */
GI_DEVICE gi_cuda_line gi_cuda_line_written(const gi_cuda_correlation &m, int64_t tile, int k)
{
    gi_cuda_line line   = { 0, 0, 0, 0 };
    int64_t      number = m.across < 0 ? tile * GI_TILE_LINES + k : tile;
    bool         exists = true;
#pragma unroll 1
    for (int d = 0; d < m.ndim; d++) {
        const gi_cuda_axis &a     = m.axis[d];
        const int64_t       above = gi_divide_wide(number, a.parts);
        int64_t             i     = (number - above * a.parts.by) * a.part + (d == m.across ? k : 0);
        number                    = above;
        line.place += i * a.result_stride;
        if (d == m.along) line.end = gi_cuda_limit(a.result - i, m.columns);
        else exists = exists && i < a.result;
    }
    if (!exists || number > 0) line.end = 0;
    return line;
}

/* Elements of memory: those of the sums' type, or for uint32 anything narrower (the signs of integers do not matter). */
template <class C> GI_DEVICE void gi_cuda_fetch(const char *p, int itemsize, C &x) { (void)itemsize, x = *(const C *)p; }
GI_DEVICE void                    gi_cuda_fetch(const char *p, int itemsize, uint32_t &x)
{
    if (itemsize == 4) x = *(const uint32_t *)p;
    else if (itemsize == 2) x = *(const uint16_t *)p;
    else x = *(const uint8_t *)p;
}
template <class C> GI_DEVICE void gi_cuda_drop(char *p, int itemsize, C x) { (void)itemsize, *(C *)p = x; }
GI_DEVICE void                    gi_cuda_drop(char *p, int itemsize, uint32_t x)
{
    if (itemsize == 4) *(uint32_t *)p = x;
    else if (itemsize == 2) *(uint16_t *)p = (uint16_t)x;
    else *(uint8_t *)p = (uint8_t)x;
}
template <class C> GI_DEVICE C gi_cuda_truth(C x) { return x; }
GI_DEVICE uint32_t             gi_cuda_truth(uint32_t x) { return x != 0; }

/* Brings positions 0 to length - 1 of the lines to shared memory. Neighbouring lanes read neighbours. */
template <class C>
GI_DEVICE void gi_cuda_read_lines(const gi_cuda_correlation &m, const gi_cuda_line *lines, int count, int length, C *tile)
{
    const int     warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32, step = m.turned ? GI_WARPS : 32;
    const int64_t n = m.axis[m.along].length, stride = m.axis[m.along].stride, jump = step * stride * m.itemsize;
#pragma unroll 1
    for (int k = m.turned ? lane : warp; k < count; k += m.turned ? 32 : GI_WARPS) {
        const gi_cuda_line line = lines[k];
        C                 *to   = tile + k * m.pitch;
        int                i    = m.turned ? warp : lane;
        if (line.begin == 0 && line.end == length) { /* nothing is outside */
            const char *p = m.in + (line.place + i * stride) * m.itemsize;
#pragma unroll 1
            for (; i < length; i += GI_TILE_READS * step) {
                C x[GI_TILE_READS];
#pragma unroll
                for (int b = 0; b < GI_TILE_READS; b++, p += jump)
                    if (i + b * step < length) gi_cuda_fetch(p, m.itemsize, x[b]);
#pragma unroll
                for (int b = 0; b < GI_TILE_READS; b++)
                    if (i + b * step < length) to[i + b * step] = x[b];
            }
        } else {
#pragma unroll 1
            for (; i < length; i += step) {
                const int64_t at = gi_border_index(line.index + i, n, m.border);
                C             x  = *(const C *)(m.outside ? m.outside : m.constant);
                if (at >= 0) gi_cuda_fetch(m.in + (line.place + (at - line.index) * stride) * m.itemsize, m.itemsize, x);
                to[i] = x;
            }
        }
    }
}

/* Slides R sums over packs of a line, with as many packs of weights, of which the first begins with `lead` that are none. */
template <class C, int R, C (*weigh)(C, C, C), class P>
GI_DEVICE void gi_cuda_slide(C (&sums)[R], const P *line, const P *weights, int packs, int lead)
{
    enum { V = gi_tile<C>::V, RING = R + V };
    C window[RING];
#pragma unroll
    for (int k = 0; k < RING; k++) window[k] = line[k / V].e[k % V];
    const P first = weights[0];
#pragma unroll
    for (int v = 0; v < V; v++)
        if (v >= lead) {
#pragma unroll
            for (int r = 0; r < R; r++) sums[r] = weigh(sums[r], first.e[v], window[v + r]);
        }
#pragma unroll 1
    for (int pack = 1;;) {
#pragma unroll
        for (int k = V; k <= RING; k += V, pack++) { /* the window's first element is in slot k */
            if (pack == packs) return;
            const P next = line[pack + R / V], w = weights[pack];
#pragma unroll
            for (int v = 0; v < V; v++) window[k - V + v] = next.e[v];
#pragma unroll
            for (int v = 0; v < V; v++)
#pragma unroll
                for (int r = 0; r < R; r++) sums[r] = weigh(sums[r], w.e[v], window[(k + v + r) % RING]);
        }
    }
}

template <class C, int R, C (*weigh)(C, C, C)>
static __global__ void __launch_bounds__(GI_CUDA_THREADS, sizeof(C) > 8 ? 3 : 4)
    gi_cuda_correlating(const __grid_constant__ gi_cuda_correlation m)
{
    typedef typename gi_tile<C>::pack pack;
    enum { V = gi_tile<C>::V };
    GI_SHARED(pack, tile, [gi_tile<C>::ROOM / V]);
    GI_SHARED(pack, weights, [gi_tile<C>::ROOM / GI_TILE_WEIGHTS / V]);
    GI_SHARED(gi_cuda_line, lines, [GI_TILE_READ_LINES]);
    const int64_t number = m.first + blockIdx.x;
    const int     k = (int)threadIdx.x, warp = k / 32, lane = k % 32, pitch = m.pitch / V;
    const bool    active = lane < m.lines && warp * R < m.columns;
    C             sums[R];
    if (m.factored && *m.factored != m.passes) return;
#pragma unroll
    for (int r = 0; r < R; r++) sums[r] = *(const C *)m.nothing;
#pragma unroll 1
    for (int64_t step = 0; step < m.steps; step++)
#pragma unroll 1
        for (int64_t row = 0; row < m.height; row += m.rows)
#pragma unroll 1
            for (int64_t column = 0; column < m.width; column += m.row) {
                const int rows = gi_cuda_limit(m.height - row, m.rows), count = m.lines + rows - 1;
                const int row_n = gi_cuda_limit(m.width - column, m.row), packs = (row_n + V - 1) / V;
                const int lead = packs * V - row_n, length = m.columns + packs * V;
                if (k < count) lines[k] = gi_cuda_line_read(m, number, k, step, row, column - lead, length);
                __syncthreads();
                gi_cuda_read_lines(m, lines, count, length, (C *)tile);
#pragma unroll 1
                for (int w = warp; w < rows; w += GI_WARPS)
#pragma unroll 1
                    for (int c = lane; c < packs * V; c += 32) {
                        C x = C();
                        if (c >= lead)
                            gi_cuda_fetch(m.weights + ((step * m.height + row + w) * m.width + column + c - lead) * m.itemsize,
                                          m.itemsize, x);
                        ((C *)weights)[w * packs * V + c] = x;
                    }
                __syncthreads();
                if (active) {
#pragma unroll 1
                    for (int w = 0; w < rows; w++)
                        gi_cuda_slide<C, R, weigh>(sums, tile + (lane + w) * pitch + warp * (R / V), weights + w * packs, packs,
                                                   lead);
                }
                if (m.truth) {
#pragma unroll
                    for (int r = 0; r < R; r++) sums[r] = gi_cuda_truth(sums[r]);
                }
            }
    if (k < m.lines) lines[k] = gi_cuda_line_written(m, number, k);
    __syncthreads();
    if (active) {
#pragma unroll
        for (int r = 0; r < R; r += V) {
            pack p;
#pragma unroll
            for (int v = 0; v < V; v++) p.e[v] = sums[r + v];
            tile[lane * pitch + (warp * R + r) / V] = p;
        }
    }
    __syncthreads();
    const int     outer = m.turned ? m.columns : m.lines, inner = m.turned ? m.lines : m.columns;
    const int64_t stride = m.axis[m.along].result_stride;
#pragma unroll 1
    for (int o = warp; o < outer; o += GI_WARPS)
#pragma unroll 1
        for (int i = lane; i < inner; i += 32) {
            const int line = m.turned ? i : o, position = m.turned ? o : i;
            if (position < lines[line].end)
                gi_cuda_drop(m.out + (lines[line].place + position * stride) * m.itemsize, m.itemsize,
                             ((const C *)tile)[line * m.pitch + position]);
        }
}

/* The axes in the order in which lines are numbered: neighbours in memory first, the last axis with several weights last if it is not
   the last of all. r: results of a thread. Returns the number of tiles. */
static int64_t gi_cuda_number_lines(const gi_correlation *c, gi_cuda_correlation *m, int r)
{
    int last = c->ndim - 1, along = last, width = GI_WARPS * r;
    while (along > 0 && c->size[along] == 1) along--;
    if (c->size[along] == 1) along = last;
    m->ndim        = c->ndim;
    m->turned      = along < last;
    m->along       = m->turned ? last : 0;
    m->across      = !m->turned && last > 0 && c->size[last - 1] > 1 ? 1 : -1;
    m->width       = c->size[along];
    m->height      = m->across < 0 ? 1 : c->size[last - 1];
    m->columns     = width;
    m->lines       = GI_TILE_LINES;
    m->steps       = 1;
    int64_t stride = 1, result_stride = 1, lines = 1;
    for (int d = last; d >= 0; d--) {
        int           k  = d == along ? m->along : last - d - (m->turned && d < along);
        gi_cuda_axis *a  = &m->axis[k];
        a->part          = k == m->along ? width : k == m->across ? GI_TILE_LINES : 1;
        a->parts.by      = (c->result[d] + a->part - 1) / a->part;
        a->weights.by    = k == m->along || k == m->across ? 1 : c->size[d];
        a->offset        = c->offset[d];
        a->length        = c->shape[d];
        a->result        = c->result[d];
        a->stride        = stride;
        a->result_stride = result_stride;
        stride *= c->shape[d];
        result_stride *= c->result[d];
        lines *= a->parts.by;
        m->steps *= a->weights.by;
    }
    for (int k = 0; k <= last; k++) {
        m->axis[k].parts   = gi_wide_divisor_of(m->axis[k].parts.by, lines + GI_TILE_LINES);
        m->axis[k].weights = gi_wide_divisor_of(m->axis[k].weights.by, m->steps);
    }
    int64_t side_by_side = m->across < 0 ? lines : c->result[last - 1];
    if (side_by_side < GI_TILE_LINES) m->lines = (int)side_by_side;
    if (c->result[along] < width) m->columns = (int)((c->result[along] + r - 1) / r * r);
    return m->across < 0 ? (lines + GI_TILE_LINES - 1) / GI_TILE_LINES : lines;
}

/* Cuts the weights into portions of equal size that fit shared memory, with the lines and elements that they need. */
static void gi_cuda_cut_weights(gi_cuda_correlation *m, int v, int room, int width)
{
    const int     most_packs = (room / v / GI_TILE_LINES - 1) | 1, most = most_packs * v - width;
    const int64_t pieces = (m->width + most - 1) / most, packs = (m->width + pieces * v - 1) / (pieces * v);
    int64_t       rows = 1;
    m->row             = (int)(pieces == 1 ? m->width : packs * v);
    m->pitch           = (int)((width / v + packs) | 1) * v;
    if (pieces == 1) {
        rows = room / m->pitch - GI_TILE_LINES + 1;
        if (rows > room / GI_TILE_WEIGHTS / (packs * v)) rows = room / GI_TILE_WEIGHTS / (packs * v);
        if (rows > GI_TILE_READ_LINES - GI_TILE_LINES + 1) rows = GI_TILE_READ_LINES - GI_TILE_LINES + 1;
        const int64_t portions = (m->height + rows - 1) / rows;
        rows                   = (m->height + portions - 1) / portions;
    }
    m->rows = (int)rows;
}

template <class C, int R, C (*weigh)(C, C, C)>
static bool gi_cuda_start_correlation(const char *site, const gi_correlation *c, gi_cuda_correlation *m)
{
    const int64_t most  = (int64_t)1 << 30;
    int64_t       tiles = gi_cuda_number_lines(c, m, R);
    gi_cuda_cut_weights(m, gi_tile<C>::V, gi_tile<C>::ROOM, GI_WARPS * R);
    for (; m->first < tiles; m->first += most) {
        const unsigned blocks = (unsigned)(tiles - m->first < most ? tiles - m->first : most);
        GI_LAUNCH((gi_cuda_correlating<C, R, weigh>), blocks, GI_CUDA_THREADS, gi_cuda_current_stream(), *m);
        if (!gi_cuda_launched(site, "a convolution")) return false;
    }
    return true;
}

static void gi_cuda_describe_correlation(const gi_correlation *c, gi_cuda_correlation *m)
{
    memset(m, 0, sizeof *m);
    m->in       = (const char *)c->in;
    m->weights  = (const char *)c->weights;
    m->out      = (char *)c->out;
    m->itemsize = (int)ga_itemsize(c->dtype);
    m->truth    = c->dtype == GA_BOOL;
    m->border   = c->border;
    ga_arg z    = GA_ARG(0);
    z.kind      = GA_KIND_COMPLEX;
    z.re = z.im = -0.0;
    gi_number_to(z, c->dtype, m->nothing);
    gi_correlation_constant(c, m->constant);
}

static bool gi_cuda_run_correlation(const char *site, const gi_correlation *c, gi_cuda_correlation *m)
{
    switch (c->dtype) {
    case GA_F32: return gi_cuda_start_correlation<float, 8, gi_weigh_f32>(site, c, m);
    case GA_F64: return gi_cuda_start_correlation<double, 8, gi_weigh_f64>(site, c, m);
    case GA_C64: return gi_cuda_start_correlation<ga_c64, 4, gi_weigh_c64>(site, c, m);
    case GA_C128: return gi_cuda_start_correlation<ga_c128, 4, gi_weigh_c128>(site, c, m);
    case GA_I64:
    case GA_U64: return gi_cuda_start_correlation<uint64_t, 4, gi_weigh_u64>(site, c, m);
    default: return gi_cuda_start_correlation<uint32_t, 8, gi_weigh_u32>(site, c, m); /* bits of signs and truths, too */
    }
}

static bool gi_cuda_correlate(const char *site, const gi_correlation *c)
{
    gi_cuda_correlation m;
    gi_cuda_describe_correlation(c, &m);
    return gi_cuda_run_correlation(site, c, &m);
}

/* ---- weights that are an outer product ------------------------------------------------------------------------------------ */
/*  They are tried as on the CPU (gpuarr.h, gi_factor_weights), and the host does not wait to hear whether they are: both ways are
    queued, and the kernels of the one that is not wanted find nothing to do.                                                  */

typedef struct gi_cuda_factoring {
    const void *weights;
    int64_t     n, width;
    double      cval;
    void       *column, *row, *outside; /* outside: the sum over a row of what is cval everywhere */
    int        *factored;
} gi_cuda_factoring;

enum { GI_WEIGHTS_WILD = 1, GI_WEIGHTS_FRACTIONS = 2, GI_WEIGHTS_APART = 4 };

template <class T, T (*of)(double), T (*weigh)(T, T, T)>
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_factor(const gi_cuda_factoring j)
{
    GI_SHARED(unsigned long long, top, [2]); /* the bits of the largest weight's size; where it is first */
    GI_SHARED(int, found, [1]);
    const T *weights = (const T *)j.weights;
    T       *column = (T *)j.column, *row = (T *)j.row;
    double   largest = 0;
    int64_t  place   = 0;
    int      kinds   = 0;
    if (threadIdx.x == 0) {
        top[0] = found[0] = 0;
        top[1]            = UINT64_MAX;
    }
    __syncthreads();
#pragma unroll 1
    for (int64_t i = threadIdx.x; i < j.n; i += GI_CUDA_THREADS) {
        const double x = gi_abs_f64((double)weights[i]);
        if (!(x <= DBL_MAX)) kinds |= GI_WEIGHTS_WILD;
        if (x != gi_floor_f64(x)) kinds |= GI_WEIGHTS_FRACTIONS;
        if (x > largest) {
            largest = x;
            place   = i;
        }
    }
    atomicMax(&top[0], gi_bits_f64(largest));
    atomicOr(&found[0], kinds);
    __syncthreads();
    if (gi_bits_f64(largest) == top[0]) atomicMin(&top[1], (unsigned long long)place);
    kinds = found[0];
    __syncthreads();
    place               = (int64_t)top[1];
    const double  by    = (double)weights[place];
    const int64_t above = place / j.width, before = place - above * j.width, height = j.n / j.width;
#pragma unroll 1
    for (int64_t i = threadIdx.x; i < height; i += GI_CUDA_THREADS) column[i] = weights[i * j.width + before];
#pragma unroll 1
    for (int64_t i = threadIdx.x; i < j.width; i += GI_CUDA_THREADS) row[i] = of((double)weights[above * j.width + i] / by);
    __syncthreads();
    const double ulps = kinds & GI_WEIGHTS_FRACTIONS ? 16 * (sizeof(T) == 4 ? FLT_EPSILON : DBL_EPSILON) : 0;
#pragma unroll 1
    for (int64_t i = threadIdx.x; i < j.n; i += GI_CUDA_THREADS)
        if (!gi_is_product((double)weights[i], (double)column[i / j.width], (double)row[i % j.width], ulps))
            kinds |= GI_WEIGHTS_APART;
    atomicOr(&found[0], kinds);
    __syncthreads();
    if (threadIdx.x > 0) return;
    *j.factored = !(found[0] & (GI_WEIGHTS_WILD | GI_WEIGHTS_APART));
    T outside   = (T)-0.0;
#pragma unroll 1
    for (int64_t i = 0; i < j.width; i++) outside = weigh(outside, row[i], of(j.cval));
    *(T *)j.outside = outside;
}

/* The job as it is, and as two with the sums over the rows in `between`. */
static bool gi_cuda_correlate_both_ways(const char *site, const gi_correlation *c, const gi_cuda_factoring *j, void *between)
{
    gi_correlation jobs[3];
    void (*factor)(gi_cuda_factoring) = c->dtype == GA_F32 ? gi_cuda_factor<float, gi_cast_f32_f64, gi_weigh_f32>
                                                           : gi_cuda_factor<double, gi_cast_f64_f64, gi_weigh_f64>;
    jobs[0]                           = *c;
    gi_split_correlation(c, j->column, j->row, between, &jobs[1], &jobs[2]);
    GI_LAUNCH(factor, 1, GI_CUDA_THREADS, gi_cuda_current_stream(), *j);
    bool ok = gi_cuda_launched(site, "the weights of a convolution");
    for (int k = 0; k < 3 && ok; k++) {
        gi_cuda_correlation m;
        gi_cuda_describe_correlation(&jobs[k], &m);
        m.factored = j->factored;
        m.passes   = k > 0;
        if (k == 2) m.outside = (const char *)j->outside;
        ok = gi_cuda_run_correlation(site, &jobs[k], &m);
    }
    return ok;
}

static bool gi_cuda_correlate_factored(const char *site, const gi_correlation *c)
{
    const int64_t     size = ga_itemsize(c->dtype), sums = (c->shape[0] * c->result[1] * size + 15) / 16 * 16;
    const size_t      bytes  = (size_t)(sums + 16 + (c->size[0] + c->size[1] + 1) * size);
    cudaStream_t      stream = gi_cuda_current_stream();
    gi_cuda_factoring j;
    char             *p = (char *)gi_cuda_alloc(site, gi_cuda_selected, stream, bytes);
    if (!p) return false;
    j.weights  = c->weights;
    j.n        = c->size[0] * c->size[1];
    j.width    = c->size[1];
    j.cval     = c->cval;
    j.factored = (int *)(p + sums);
    j.outside  = p + sums + 16;
    j.column   = p + sums + 16 + size;
    j.row      = p + sums + 16 + size + c->size[0] * size;
    bool ok    = gi_cuda_correlate_both_ways(site, c, &j, p);
    gi_cuda_release(p, gi_cuda_selected, stream, bytes);
    return ok;
}

/* ---- through Fourier transforms -------------------------------------------------------------------------------------------- */
#if GI_HAS_CUFFT
/*  The results are cut into tiles as on the CPU (gpuarr.h, gi_fft_cut). As many of them as fit a buffer are read with their neighbours,
    transformed together, multiplied by the transform of the weights, transformed back and written.                            */

enum { GI_FFT_BYTES = 1 << 28 }; /* of the tiles that are transformed together */

typedef struct gi_cuda_fft_axis {
    gi_wide_divisor length, tiles; /* elements of a tile with its neighbours; how many tiles */
    int64_t         step, offset;  /* results of a tile; from a result to the first of its neighbours */
    int64_t         shape, stride, result, result_stride;
} gi_cuda_fft_axis;

typedef struct gi_cuda_fft {
    const char      *in;
    char            *out, *tiles;
    int              ndim;
    gi_cuda_fft_axis axis[GPUARR_MAX_DIMS];
    gi_wide_divisor  points;               /* of a tile */
    int64_t          first, count, number; /* tiles: the first one of the buffer, all, and those that the buffer has room for */
    ga_border        border;
    alignas(16) char constant[16];
} gi_cuda_fft;

/* Elements of the results' places, or of their neighbours', go between the arrays and the tiles, where they lie packed. */
template <class U, bool write>
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_fft_move(const __grid_constant__ gi_cuda_fft m)
{
    const int64_t at   = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x;
    int64_t       slot = gi_divide_wide(at, m.points), within = at - slot * m.points.by, tile = m.first + slot, place = 0;
    bool          exists = tile < m.count;
    if (slot >= m.number) return;
#pragma unroll 1
    for (int d = m.ndim - 1; d >= 0; d--) {
        const gi_cuda_fft_axis &a     = m.axis[d];
        const int64_t           above = gi_divide_wide(tile, a.tiles), before = gi_divide_wide(within, a.length);
        const int64_t           k = within - before * a.length.by, i = (tile - above * a.tiles.by) * a.step + k;
        tile   = above;
        within = before;
        if (write) {
            exists = exists && k < a.step && i < a.result;
            place += i * a.result_stride;
        } else {
            const int64_t j = gi_border_index(i + a.offset, a.shape, m.border);
            exists          = exists && j >= 0;
            place += j * a.stride;
        }
    }
    U *tiles = (U *)m.tiles;
    if (!write) tiles[at] = exists ? ((const U *)m.in)[place] : *(const U *)m.constant;
    else if (exists) ((U *)m.out)[place] = tiles[at];
}

template <class R> static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_fft_conjugate(int64_t n, R *parts)
{
    const int64_t i = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x;
    if (i < n) parts[2 * i + 1] = -parts[2 * i + 1];
}

/* A correlation is a product with the conjugate of the transform; complex weights were conjugated before it as well. */
template <class Z, class R, Z (*mul)(Z, Z)>
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_fft_multiply(int64_t n, Z *x, const Z *weights, const __grid_constant__ gi_wide_divisor waves, R scale)
{
    const int64_t i = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x;
    if (i >= n) return;
    Z w  = weights[i - gi_divide_wide(i, waves) * waves.by];
    w.re = w.re * scale;
    w.im = -w.im * scale;
    x[i] = mul(x[i], w);
}

/* A call's memory and plans: x the tiles and behind them the weights, z their waves. */
typedef struct gi_cuda_fft_run {
    bool         single, complex_;
    char        *x, *z;
    size_t       bytes; /* of x, z and what the plans work in */
    cudaStream_t stream;
    cufftHandle  forward, back;
} gi_cuda_fft_run;

static bool gi_cufft_ok(const char *site, cufftResult result, const char *call)
{
    if (result == CUFFT_SUCCESS) return true;
    if (result == CUFFT_ALLOC_FAILED)
        gi_fail(site, GA_NO_MEMORY, "cuFFT has no memory on the GPU: free arrays, or use GA_METHOD_DIRECT");
    else gi_fail(site, GA_CUDA_FAILED, "%.*s failed: cufftResult %d", (int)strcspn(call, "("), call, (int)result);
    return false;
}
#define GI_CUFFT_OK(site, call) gi_cufft_ok(site, call, #call)

/* cuFFT transforms 3 axes at most. The first of more become one: behind each of their rows are as many zeros as the weights reach
   beyond it, so that a row's sums take nothing from the next. */
static bool gi_cufft_plan(const char *site, const gi_fft *f, cufftType type, int64_t batch, cufftHandle *plan, size_t *work)
{
    long long n[3]  = { 1, 1, 1 };
    size_t    bytes = 0;
    int       rank  = f->rank < 3 ? f->rank : 3;
    for (int k = 0; k < f->rank; k++) n[k < f->rank - rank ? 0 : k - (f->rank - rank)] *= f->n[k];
    if (!GI_CUFFT_OK(site, cufftCreate(plan)) || !GI_CUFFT_OK(site, cufftSetAutoAllocation(*plan, 0)) ||
        !GI_CUFFT_OK(site, cufftMakePlanMany64(*plan, rank, n, NULL, 1, 0, NULL, 1, 0, type, batch, &bytes)))
        return false;
    if (bytes > *work) *work = bytes;
    return true;
}

static bool gi_cufft_run(const char *site, const gi_cuda_fft_run *r, bool back)
{
    if (r->single && r->complex_)
        return back ? GI_CUFFT_OK(site, cufftExecC2C(r->back, (cufftComplex *)r->z, (cufftComplex *)r->x, CUFFT_INVERSE))
                    : GI_CUFFT_OK(site, cufftExecC2C(r->forward, (cufftComplex *)r->x, (cufftComplex *)r->z, CUFFT_FORWARD));
    if (r->complex_)
        return back ? GI_CUFFT_OK(site,
                                  cufftExecZ2Z(r->back, (cufftDoubleComplex *)r->z, (cufftDoubleComplex *)r->x, CUFFT_INVERSE))
                    : GI_CUFFT_OK(site, cufftExecZ2Z(r->forward, (cufftDoubleComplex *)r->x, (cufftDoubleComplex *)r->z,
                                                     CUFFT_FORWARD));
    if (r->single)
        return back ? GI_CUFFT_OK(site, cufftExecC2R(r->back, (cufftComplex *)r->z, (cufftReal *)r->x))
                    : GI_CUFFT_OK(site, cufftExecR2C(r->forward, (cufftReal *)r->x, (cufftComplex *)r->z));
    return back ? GI_CUFFT_OK(site, cufftExecZ2D(r->back, (cufftDoubleComplex *)r->z, (cufftDoubleReal *)r->x))
                : GI_CUFFT_OK(site, cufftExecD2Z(r->forward, (cufftDoubleReal *)r->x, (cufftDoubleComplex *)r->z));
}

template <bool write> static bool gi_cuda_fft_move_tiles(const char *site, const gi_cuda_fft *m, int64_t size)
{
    void (*move)(gi_cuda_fft) = size == 4   ? gi_cuda_fft_move<uint32_t, write>
                                : size == 8 ? gi_cuda_fft_move<uint64_t, write>
                                            : gi_cuda_fft_move<gi_16_bytes, write>;
    GI_LAUNCH(move, gi_cuda_blocks(m->number * m->points.by), GI_CUDA_THREADS, gi_cuda_current_stream(), *m);
    return gi_cuda_launched(site, "a convolution's tiles");
}

/* The weights as one more tile, with zeros behind. */
static bool gi_cuda_fft_read_weights(const char *site, const gi_fft *f, const gi_cuda_fft *tiles, const gi_cuda_fft_run *r)
{
    const gi_correlation *c    = f->c;
    gi_cuda_fft           m    = *tiles;
    const int64_t         size = ga_itemsize(c->dtype), points = f->points;
    int64_t               stride = 1;
    m.in                         = (const char *)c->weights;
    m.tiles                      = r->x + tiles->number * points * size;
    m.border                     = GA_BORDER_CONSTANT;
    m.count = m.number = 1;
    memset(m.constant, 0, sizeof m.constant);
    for (int d = c->ndim - 1; d >= 0; d--) {
        m.axis[d].tiles  = gi_wide_divisor_of(1, 1);
        m.axis[d].offset = 0;
        m.axis[d].shape  = c->size[d];
        m.axis[d].stride = stride;
        stride *= c->size[d];
    }
    if (!gi_cuda_fft_move_tiles<false>(site, &m, size)) return false;
    if (!r->complex_) return true;
    if (r->single)
        GI_LAUNCH(gi_cuda_fft_conjugate<float>, gi_cuda_blocks(points), GI_CUDA_THREADS, r->stream, points, (float *)m.tiles);
    else
        GI_LAUNCH(gi_cuda_fft_conjugate<double>, gi_cuda_blocks(points), GI_CUDA_THREADS, r->stream, points, (double *)m.tiles);
    return gi_cuda_launched(site, "a convolution's weights");
}

static bool gi_cuda_fft_multiply_waves(const char *site, const gi_fft *f, int64_t number, const gi_cuda_fft_run *r)
{
    const int64_t         n     = number * f->waves;
    const double          scale = 1 / (double)f->points;
    const gi_wide_divisor waves = gi_wide_divisor_of(f->waves, n + GI_CUDA_THREADS);
    if (r->single)
        GI_LAUNCH((gi_cuda_fft_multiply<ga_c64, float, gi_mul_c64>), gi_cuda_blocks(n), GI_CUDA_THREADS, r->stream, n,
                  (ga_c64 *)r->z, (const ga_c64 *)r->z + n, waves, (float)scale);
    else
        GI_LAUNCH((gi_cuda_fft_multiply<ga_c128, double, gi_mul_c128>), gi_cuda_blocks(n), GI_CUDA_THREADS, r->stream, n,
                  (ga_c128 *)r->z, (const ga_c128 *)r->z + n, waves, scale);
    return gi_cuda_launched(site, "a product of transforms");
}

static void gi_cuda_fft_describe(const gi_fft *f, gi_cuda_fft *m)
{
    const gi_correlation *c = f->c;
    memset(m, 0, sizeof *m);
    m->in            = (const char *)c->in;
    m->out           = (char *)c->out;
    m->ndim          = c->ndim;
    m->count         = f->count;
    m->border        = c->border;
    int64_t together = GI_FFT_BYTES / (f->points * ga_itemsize(c->dtype));
    m->number        = together < 1 ? 1 : together < f->count ? together : f->count;
    m->points        = gi_wide_divisor_of(f->points, m->number * f->points + GI_CUDA_THREADS);
    gi_correlation_constant(c, m->constant);
    int64_t stride = 1, result_stride = 1;
    for (int d = c->ndim - 1; d >= 0; d--) {
        gi_cuda_fft_axis *a = &m->axis[d];
        a->length           = gi_wide_divisor_of(f->length[d], f->points);
        a->tiles            = gi_wide_divisor_of(f->tiles[d], f->count + m->number);
        a->step             = f->step[d];
        a->offset           = c->offset[d];
        a->shape            = c->shape[d];
        a->stride           = stride;
        a->result           = c->result[d];
        a->result_stride    = result_stride;
        stride *= c->shape[d];
        result_stride *= c->result[d];
    }
}

/* All tiles, a buffer full after the other. */
static bool gi_cuda_fft_tiles(const char *site, const gi_fft *f, gi_cuda_fft *m, const gi_cuda_fft_run *r)
{
    const int64_t size = ga_itemsize(f->c->dtype);
    m->tiles           = r->x;
    bool ok            = gi_cuda_fft_read_weights(site, f, m, r);
    for (; ok && m->first < m->count; m->first += m->number)
        ok = gi_cuda_fft_move_tiles<false>(site, m, size) && gi_cufft_run(site, r, false) &&
             gi_cuda_fft_multiply_waves(site, f, m->number, r) && gi_cufft_run(site, r, true) &&
             gi_cuda_fft_move_tiles<true>(site, m, size);
    return ok;
}

/* Memory for `tiles` tiles and the weights, and the plans that use it. */
static bool gi_cuda_fft_begin(const char *site, const gi_fft *f, int64_t tiles, gi_cuda_fft_run *r)
{
    const int64_t   wave  = r->single ? (int64_t)sizeof(ga_c64) : (int64_t)sizeof(ga_c128);
    const cufftType there = r->complex_ ? (r->single ? CUFFT_C2C : CUFFT_Z2Z) : r->single ? CUFFT_R2C : CUFFT_D2Z;
    const cufftType back  = r->complex_ ? there : r->single ? CUFFT_C2R : CUFFT_Z2D;
    size_t          work  = 1;
    if (!gi_cufft_plan(site, f, there, tiles + 1, &r->forward, &work) || !gi_cufft_plan(site, f, back, tiles, &r->back, &work))
        return false;
    const size_t x = (size_t)((tiles + 1) * f->points * ga_itemsize(f->c->dtype) + 255) / 256 * 256;
    const size_t z = (size_t)((tiles + 1) * f->waves * wave + 255) / 256 * 256;
    r->bytes       = x + z + work;
    r->x           = (char *)gi_cuda_alloc(site, gi_cuda_selected, r->stream, r->bytes);
    r->z           = r->x + x;
    return r->x && GI_CUFFT_OK(site, cufftSetWorkArea(r->forward, r->z + z)) &&
           GI_CUFFT_OK(site, cufftSetWorkArea(r->back, r->z + z)) && GI_CUFFT_OK(site, cufftSetStream(r->forward, r->stream)) &&
           GI_CUFFT_OK(site, cufftSetStream(r->back, r->stream));
}

static void gi_cuda_fft_end(gi_cuda_fft_run *r)
{
    if (r->forward != CUFFT_PLAN_NULL) (void)cufftDestroy(r->forward);
    if (r->back != CUFFT_PLAN_NULL) (void)cufftDestroy(r->back);
    gi_cuda_release(r->x, gi_cuda_selected, r->stream, r->bytes);
}

static bool gi_cuda_correlate_fft(const char *site, const gi_correlation *c)
{
    gi_fft          f;
    gi_cuda_fft     m;
    gi_cuda_fft_run r;
    memset(&f, 0, sizeof f);
    memset(&r, 0, sizeof r);
    f.c        = c;
    f.complex_ = r.complex_ = gi_is_complex(c->dtype);
    r.single                = c->dtype == GA_F32 || c->dtype == GA_C64;
    r.forward = r.back = CUFFT_PLAN_NULL;
    r.stream           = gi_cuda_current_stream();
    if (!gi_fft_takes(site, c)) return false;
    gi_fft_cut(&f);
    gi_cuda_fft_describe(&f, &m);
    bool ok = gi_cuda_fft_begin(site, &f, m.number, &r) && gi_cuda_fft_tiles(site, &f, &m, &r);
    gi_cuda_fft_end(&r);
    return ok;
}
#else
static bool                       gi_cuda_correlate_fft(const char *site, const gi_correlation *c)
{
    (void)c;
#ifdef __CUDASIM__
    gi_fail(site, GA_NO_LIBRARY,
            "GA_METHOD_FFT on the GPU needs cuFFT, which cudasim does not have: use GA_METHOD_DIRECT, or arrays on the CPU");
#else
    gi_fail(
        site, GA_NO_LIBRARY,
        "this program was built without cuFFT, which GA_METHOD_FFT needs on the GPU: compile with -DGPUARR_USE_CUFFT -lcufft");
#endif
    return false;
}
#endif

/* ==== >>cuda filters: windows ============================================================================================= */
/*  A thread computes a result from what it reads through the cache: neighbouring threads read neighbouring elements. It walks over the
    window row by row, the rows lying along its longest axis, as often as it must:
      a rank    the least and the greatest key of the window, then a search between them: how many keys are at most the middle of the two?
                The bound on the wrong side becomes the nearest key of the window. So there are at most as many walks as a key has bits, in
                practice about as many as the number of elements has, and nothing needs to be kept of the window
      the least, the greatest    along one axis after the other, if there are many elements
      means     along one axis after the other; sums in the order of gpuarr.h                                                 */

/* An axis of the array with several elements of the window. */
typedef struct gi_cuda_window_axis {
    gi_wide_divisor length, stride; /* of the array */
    gi_wide_divisor size;           /* of the window */
    int64_t         offset, cells;  /* cells: from one of its elements to the next in the footprint */
} gi_cuda_window_axis;

typedef struct gi_cuda_window_job {
    const char         *in;
    char               *out;
    const bool         *footprint;
    gi_cuda_window_axis along, across[GPUARR_MAX_DIMS];
    int                 axes; /* across */
    int64_t             rows; /* of the window */
    ga_border           border;
    int64_t             first, results;
    int64_t             rank;
    bool                real, cut; /* cut: means become whole */
    uint64_t            flip, nan;
    alignas(8) char constant[8];
} gi_cuda_window_job;

typedef void (*gi_cuda_window_kernel)(const gi_cuda_window_job);

/* Keys are unsigned numbers that are ordered like the elements. */
template <class U> GI_DEVICE U gi_cuda_key(const gi_cuda_window_job &m, U x)
{
    const U sign = (U)((U)1 << (8 * sizeof(U) - 1)), infinity = sizeof(U) == 8 ? (U)((uint64_t)0x7ff << 52) : (U)0x7f800000u;
    if (m.real && (U)(x & ~sign) > infinity) return (U)m.nan;
    if (m.real) x = (U)(x ^ (x & sign ? ~(U)0 : sign));
    return (U)(x ^ (U)m.flip);
}

template <class U> GI_DEVICE U gi_cuda_of_key(const gi_cuda_window_job &m, U key)
{
    const U sign = (U)((U)1 << (8 * sizeof(U) - 1));
    key          = (U)(key ^ (U)m.flip);
    return m.real ? (U)(key ^ (key & sign ? sign : ~(U)0)) : key;
}

/* The coordinate of a result along an axis. */
GI_DEVICE int64_t gi_cuda_coordinate(int64_t result, const gi_cuda_window_axis &a)
{
    const int64_t n = gi_divide_wide(result, a.stride);
    return n - gi_divide_wide(n, a.length) * a.length.by;
}

/* Shows the window's keys to f, one by one. */
template <class U, class F> GI_DEVICE void gi_cuda_walk(const gi_cuda_window_job &m, int64_t result, F &f)
{
    const U      *in       = (const U *)m.in;
    const U       constant = gi_cuda_key(m, *(const U *)m.constant);
    const int64_t own = gi_cuda_coordinate(result, m.along), start = own + m.along.offset;
    for (int64_t row = 0; row < m.rows; row++) {
        int64_t rest = row, place = result - own * m.along.stride.by, cell = 0;
        bool    inside = true;
        for (int d = m.axes - 1; d >= 0; d--) {
            const gi_cuda_window_axis &a    = m.across[d];
            const int64_t              next = gi_divide_wide(rest, a.size), k = rest - next * a.size.by;
            const int64_t              here = gi_cuda_coordinate(result, a);
            const int64_t              i    = gi_border_index(here + a.offset + k, a.length.by, m.border);
            rest                            = next;
            inside                          = inside && i >= 0;
            place += (i - here) * a.stride.by;
            cell += k * a.cells;
        }
        for (int64_t k = 0; k < m.along.size.by; k++, cell += m.along.cells) {
            if (m.footprint && !m.footprint[cell]) continue;
            const int64_t i = gi_border_index(start + k, m.along.length.by, m.border);
            f(inside && i >= 0 ? gi_cuda_key(m, in[place + i * m.along.stride.by]) : constant);
        }
    }
}

template <class U> struct gi_cuda_range {
    U                               low, high;
    __device__ __forceinline__ void operator()(U key)
    {
        low  = key < low ? key : low;
        high = key > high ? key : high;
    }
};

/* How many are at most `middle`, the greatest of them and the least of the others. */
template <class U> struct gi_cuda_split {
    U                               middle, low, high;
    int64_t                         count;
    __device__ __forceinline__ void operator()(U key)
    {
        const bool below = key <= middle;
        count += below;
        if (below && key > low) low = key;
        if (!below && key < high) high = key;
    }
};

template <class U>
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_rank(const __grid_constant__ gi_cuda_window_job m)
{
    const int64_t result = m.first + (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x;
    if (result >= m.results) return;
    gi_cuda_range<U> r = { (U) ~(U)0, 0 };
    gi_cuda_walk<U>(m, result, r);
    if (m.rank == 0) r.high = r.low;
    if (m.real && r.high == (U)m.nan) r.low = r.high;
    while (r.low < r.high) {
        gi_cuda_split<U> s = { (U)(r.low + (U)(r.high - r.low) / 2), 0, (U) ~(U)0, 0 };
        gi_cuda_walk<U>(m, result, s);
        if (s.count > m.rank) r.high = s.low;
        else r.low = s.high;
    }
    ((U *)m.out)[result] = gi_cuda_of_key(m, r.low);
}

/* Sum number k of its size is joined with the one before it if that waits for it, this with the one before, and so on; what has no other
   half yet waits at its level. */
template <class T, int LEVELS> GI_DEVICE T gi_cuda_join_halves(T (&waiting)[LEVELS], uint32_t k, T sum)
{
    bool joins = true;
#pragma unroll
    for (int level = 0; level < LEVELS; level++) {
        if (joins && (k >> level & 1)) {
            sum = waiting[level] + sum;
        } else if (joins) {
            waiting[level] = sum;
            joins          = false;
        }
    }
    return sum;
}

/* The sum of the 2^levels elements of the window from number `start` on, by halves; of 32 at a time, so that most levels are seldom
   looked at. */
template <class T> GI_DEVICE T gi_cuda_sum_of(const gi_cuda_window_job &m, const T *line, int64_t start, int levels)
{
    enum { LOW = 5, HIGH = 26 };
    T              low[LOW], high[HIGH], sum = 0;
    const uint32_t n = 1u << levels, few = levels < LOW ? n : 1u << LOW;
    for (uint32_t k = 0; k < n; k += few) {
        for (uint32_t j = 0; j < few; j++) {
            const int64_t i = gi_border_index(start + k + j, m.along.length.by, m.border);
            sum             = gi_cuda_join_halves(low, j, i >= 0 ? line[i * m.along.stride.by] : *(const T *)m.constant);
        }
        sum = gi_cuda_join_halves(high, k >> LOW, sum);
    }
    return sum;
}

template <class T>
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_means(const __grid_constant__ gi_cuda_window_job m)
{
    const int64_t result = m.first + (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x;
    if (result >= m.results) return;
    const int64_t own   = gi_cuda_coordinate(result, m.along);
    const T      *line  = (const T *)m.in + (result - own * m.along.stride.by);
    int64_t       start = own + m.along.offset;
    T             sum   = 0;
    bool          begun = false;
    for (int level = 0; m.along.size.by >> level; level++) {
        if (!(m.along.size.by >> level & 1)) continue;
        const T more = gi_cuda_sum_of(m, line, start, level);
        sum          = begun ? sum + more : more;
        begun        = true;
        start += (int64_t)1 << level;
    }
    sum                  = sum / (T)m.along.size.by;
    ((T *)m.out)[result] = m.cut ? (T)gi_trunc_f64((double)sum) : sum;
}

static bool gi_cuda_start_window(const char *site, gi_cuda_window_kernel kernel, gi_cuda_window_job m)
{
    const int64_t most = (int64_t)1 << 38;
    for (; m.first < m.results; m.first += most) {
        const int64_t now = m.results - m.first < most ? m.results - m.first : most;
        GI_LAUNCH(kernel, gi_cuda_blocks(now), GI_CUDA_THREADS, gi_cuda_current_stream(), m);
        if (!gi_cuda_launched(site, "a filter")) return false;
    }
    return true;
}

static void gi_cuda_place_window(const gi_window *w, gi_cuda_window_job *m)
{
    const gi_correlation *c      = &w->at;
    int64_t               stride = 1, cells = 1, all = gi_size(c->ndim, c->size), longest = 0;
    m->results = gi_size(c->ndim, c->result);
    m->rows    = 1;
    m->axes    = 0;
    for (int d = c->ndim - 1; d >= 0; d--) {
        gi_cuda_window_axis a;
        a.length = gi_wide_divisor_of(c->shape[d], m->results);
        a.stride = gi_wide_divisor_of(stride, m->results);
        a.size   = gi_wide_divisor_of(c->size[d], all);
        a.offset = c->offset[d];
        a.cells  = cells;
        stride *= c->shape[d];
        cells *= c->size[d];
        if (c->size[d] > longest) { /* it was the last one that was taken for the rows */
            if (longest > 1) m->across[m->axes++] = m->along;
            m->along = a;
            longest  = c->size[d];
        } else if (c->size[d] > 1) {
            m->across[m->axes++] = a;
        }
    }
    for (int d = 0; d < m->axes; d++) m->rows *= m->across[d].size.by;
}

static gi_cuda_window_kernel gi_cuda_window_of(const gi_window *w)
{
    if (w->kind == GI_WINDOW_MEAN) return w->work == GA_F32 ? gi_cuda_means<float> : gi_cuda_means<double>;
    switch (ga_itemsize(w->work)) {
    case 1: return gi_cuda_rank<uint8_t>;
    case 2: return gi_cuda_rank<uint16_t>;
    case 4: return gi_cuda_rank<uint32_t>;
    default: return gi_cuda_rank<uint64_t>;
    }
}

/* Along one axis after the other, each time from one of two places into the other. */
static bool gi_cuda_window_passes(const char *site, const ga_array *a, const gi_window *w, gi_cuda_window_job m)
{
    gi_scratch between = { NULL, 0, 0, NULL };
    int        passes  = 0;
    bool       done    = true;
    for (int d = 0; d < w->at.ndim; d++) passes += w->at.size[d] > 1;
    if (passes > 1 && !gi_scratch_get(site, &between, a, (size_t)(a->size * ga_itemsize(w->work)))) return false;
    for (int d = 0; d < w->at.ndim && done; d++) {
        gi_window pass = *w;
        if (w->at.size[d] == 1) continue;
        for (int k = 0; k < w->at.ndim; k++)
            if (k != d) pass.at.size[k] = 1, pass.at.offset[k] = 0;
        m.out = --passes % 2 ? (char *)between.p : (char *)w->at.out;
        gi_cuda_place_window(&pass, &m);
        done = gi_cuda_start_window(site, gi_cuda_window_of(w), m);
        m.in = m.out;
    }
    if (between.p) gi_scratch_free(&between);
    return done;
}

static bool gi_cuda_window(const char *site, const ga_array *a, const gi_window *w)
{
    enum { FEW = 27 }; /* elements that are walked over at once, whatever their axes */
    gi_cuda_window_job m;
    memset(&m, 0, sizeof m);
    const uint64_t all = UINT64_MAX, sign = (uint64_t)1 << (8 * ga_itemsize(w->work) - 1);
    m.in        = (const char *)w->at.in;
    m.out       = (char *)w->at.out;
    m.footprint = w->footprint;
    m.border    = w->at.border;
    m.rank      = w->kind == GI_WINDOW_RANK ? w->rank : 0;
    m.real      = w->kind != GI_WINDOW_MEAN && gi_is_float(w->work);
    m.cut       = w->cut;
    m.flip      = (gi_is_signed(w->work) ? sign : 0) ^ (w->kind == GI_WINDOW_GREATEST ? all : 0);
    m.nan       = w->kind == GI_WINDOW_RANK ? all : 0; /* the greatest key, the least */
    gi_number_to(GA_ARG(w->at.cval), w->work, m.constant);
    if (w->kind == GI_WINDOW_MEAN || (w->kind != GI_WINDOW_RANK && !w->footprint && w->count > FEW))
        return gi_cuda_window_passes(site, a, w, m);
    gi_cuda_place_window(w, &m);
    return gi_cuda_start_window(site, gi_cuda_window_of(w), m);
}

/* ==== >>cuda streams and devices: what a user can steer ==================================================================== */

/* ---- copies between devices -------------------------------------------------------------------------------------------- */

/* Is this memory of the CPU pinned, by us or by the caller who wrapped it? */
static bool gi_cuda_is_pinned(const ga_array *a)
{
    struct cudaPointerAttributes at;
    if (a->owner->memory == GI_PINNED) return true;
    if (!a->owner->wrapped) return false;
    if (cudaPointerGetAttributes(&at, a->data) == cudaSuccess) return at.type == cudaMemoryTypeHost;
    (void)cudaGetLastError();
    return false;
}

/* Remembers that a copy with this memory of the CPU has been queued on a stream of the current device. */
static bool gi_cuda_remember_copy(const char *site, gi_buffer *b, int ordinal, cudaStream_t stream)
{
    cudaEvent_t event = (cudaEvent_t)b->copied;
    if (event && b->ordinal != ordinal) { /* an event belongs to one device */
        if (!gi_cuda_settle(site, b)) return false;
        (void)cudaEventDestroy(event);
        b->copied = NULL;
        event     = NULL;
    }
    if (!event && !GI_CUDA_OK(site, cudaEventCreateWithFlags(&event, cudaEventDisableTiming))) return false;
    b->copied  = (ga_event)event;
    b->ordinal = ordinal;
    if (!GI_CUDA_OK(site, cudaEventRecord(event, stream))) return false;
    __atomic_store_n(&b->copying, true, __ATOMIC_RELEASE);
    return true;
}

/* All elements between C-contiguous arrays on the CPU and on the GPU, which is touched here. The host waits for the copy, unless `async`
   is asked for and its memory is pinned. */
static bool gi_cuda_copy_host(const char *site, ga_array *gpu, ga_array *cpu, bool upload, bool async)
{
    size_t bytes = (size_t)(gpu->size * ga_itemsize(gpu->dtype));
    if (!gi_cuda_touch(site, gpu)) return false;
    if (bytes == 0) return true;
    int          ordinal = gi_cuda_ordinal(gpu);
    cudaStream_t stream  = gi_cuda_stream(ordinal);
    gi_buffer   *b       = cpu->owner;
    async                = async && gi_cuda_is_pinned(cpu);
    if (__atomic_load_n(&b->copying, __ATOMIC_ACQUIRE) &&
        !GI_CUDA_OK(site, cudaStreamWaitEvent(stream, (cudaEvent_t)b->copied, 0)))
        return false;
    bool ok = upload ? GI_CUDA_OK(site, cudaMemcpyAsync(gpu->data, cpu->data, bytes, cudaMemcpyHostToDevice, stream))
                     : GI_CUDA_OK(site, cudaMemcpyAsync(cpu->data, gpu->data, bytes, cudaMemcpyDeviceToHost, stream));
    if (ok && async && gi_cuda_remember_copy(site, b, ordinal, stream)) return true;
    return GI_CUDA_OK(site, cudaStreamSynchronize(stream)) && ok && !async;
}

static bool gi_cuda_between_host(const char *site, const ga_array *from, ga_array *to, bool async)
{
    ga_array *packed = gi_contiguous(site, from, from->dtype);
    if (!packed) return false;
    bool whole = packed->data == from->data; /* a packed copy dies here: the host must wait for it, were it on the CPU */
    bool ok    = from->device == GA_CPU ? gi_cuda_copy_host(site, to, packed, true, async && whole)
                                        : gi_cuda_copy_host(site, packed, to, false, async);
    ga_free(packed);
    return ok;
}

/* Streams of two devices: work that is queued on `stream` from now on comes after everything that is queued on `earlier`. */
static bool gi_cuda_after_there(const char *site, int device, cudaStream_t stream, int earlier_device, cudaStream_t earlier)
{
    cudaEvent_t done;
    if (!gi_cuda_use(site, earlier_device) || !GI_CUDA_OK(site, cudaEventCreateWithFlags(&done, cudaEventDisableTiming)))
        return false;
    bool ok = GI_CUDA_OK(site, cudaEventRecord(done, earlier)) &&
              gi_cuda_use(site, device) && /* NULL is a stream of the current one */
              GI_CUDA_OK(site, cudaStreamWaitEvent(stream, done, 0));
    (void)cudaEventDestroy(done);
    return ok;
}

/* From one GPU to another. Each of their streams waits for the other; the host does not. */
static bool gi_cuda_between_gpus(const char *site, const ga_array *from, ga_array *to)
{
    int    source = gi_cuda_ordinal(from), target = gi_cuda_ordinal(to);
    size_t bytes     = (size_t)(from->size * ga_itemsize(from->dtype));
    gi_cuda_selected = source;
    ga_array *packed = gi_contiguous(site, from, from->dtype);
    if (!packed) return false;
    cudaStream_t there = gi_cuda_stream(source), here = gi_cuda_stream(target);
    bool         ok  = gi_cuda_touch(site, packed);
    gi_cuda_selected = target;
    bool queued      = ok && gi_cuda_touch(site, to) && gi_cuda_after_there(site, source, there, target, here) &&
                  (bytes == 0 || GI_CUDA_OK(site, cudaMemcpyPeerAsync(to->data, target, packed->data, source, bytes, there)));
    ok = queued && gi_cuda_after_there(site, target, here, source, there);
    if (queued && !ok && gi_cuda_use(site, source))
        (void)cudaStreamSynchronize(there); /* nobody else would wait for the copy */
    ga_free(packed);
    return ok;
}

/* All elements of a into `to`, a C-contiguous array of the same shape and dtype. */
static bool gi_cuda_transfer(const char *site, const ga_array *a, ga_array *to, bool async)
{
    if (a->device == GA_CPU || to->device == GA_CPU) {
        gi_cuda_selected = gi_cuda_ordinal(a->device == GA_CPU ? to : a);
        return gi_cuda_between_host(site, a, to, async);
    }
    gi_cuda_selected = gi_cuda_ordinal(to);
    return gi_cuda_ordinal(a) == gi_cuda_selected ? gi_assign(site, to, a) : gi_cuda_between_gpus(site, a, to);
}

static bool gi_cuda_learn_stream(const char *site, ga_stream stream, int *ordinal);

/* ga_to when the array or the destination is on a GPU. */
static ga_array *gi_cuda_to(const char *site, const ga_array *a, ga_device device, const ga_to_options *o)
{
    int       selected = gi_cuda_selected, target = device == GA_CPU ? -1 : o->out ? gi_cuda_ordinal(o->out) : selected;
    int       worker = a->device == GA_CUDA ? gi_cuda_ordinal(a) : target, home = worker;
    bool      async = o->async && device == GA_CPU;
    ga_array *to    = o->out;
    if (!gi_cuda_use(site, worker)) return NULL;
    if (o->stream && !gi_cuda_learn_stream(site, o->stream, &home)) return NULL;
    if (home != worker)
        return (ga_array *)gi_fail(site, GA_BAD_DEVICE, ".stream belongs to CUDA device %d, the copy is done by device %d",
                                   home, worker);
    ga_stream was = gi_cuda_streams[worker];
    if (o->stream) gi_cuda_streams[worker] = o->stream;
    if (!to || !ga_is_contiguous(to)) /* what the host gets without waiting must be pinned */
        to = gi_new_in(site, async && !o->out ? GI_PINNED : GI_ORDINARY, a->dtype, device, a->ndim, a->shape);
    bool ok = to && gi_cuda_transfer(site, a, to, o->async && (!o->out || to == o->out));
    if (ok && o->out && to != o->out) ok = gi_assign(site, o->out, to);
    if (to != o->out && (!ok || o->out)) ga_free(to);
    gi_cuda_streams[worker] = was;
    gi_cuda_selected        = selected;
    return !ok ? NULL : o->out ? o->out : to;
}

/* ---- devices ----------------------------------------------------------------------------------------------------------- */

int ga_cuda_count(void) { return gi_cuda_count(); }
int ga_cuda_selected(void) { return gi_cuda_selected; }

/* Is there such a device? False with an error. */
static bool gi_cuda_exists(const char *site, int device)
{
    int count = 0;
    if (gi_gpus.forked) return gi_cuda_use(site, 0);
    if (!GI_CUDA_OK(site, cudaGetDeviceCount(&count))) return false;
    if (device >= 0 && device < count && device < GI_MOST_GPUS) return true;
    if (count == 0) gi_fail(site, GA_BAD_DEVICE, "there is no CUDA device: use GA_CPU");
    else gi_fail(site, GA_BAD_DEVICE, "there is no CUDA device %d: %d are there, counted from 0", device, count);
    return false;
}

bool ga_cuda_select(int device)
{
    const char *site = "\tga_cuda_select";
    if (!gi_cuda_exists(site, device) || !gi_cuda_use(site, device)) return false;
    gi_cuda_selected = device;
    return true;
}

int ga_cuda_device_of(const ga_array *a)
{
    return gi_is_array("\tga_cuda_device_of", a, "the argument") && a->device == GA_CUDA ? gi_cuda_ordinal(a) : -1;
}

static int64_t gi_cuda_attribute(enum cudaDeviceAttr attribute, int device)
{
    int value = 0;
    if (cudaDeviceGetAttribute(&value, attribute, device) != cudaSuccess) (void)cudaGetLastError();
    return value;
}

ga_cuda_device ga_cuda_properties(int device)
{
    const char           *site = "\tga_cuda_properties";
    ga_cuda_device        d;
    struct cudaDeviceProp p;
    memset(&d, 0, sizeof d);
    if (!gi_cuda_exists(site, device) || !GI_CUDA_OK(site, cudaGetDeviceProperties(&p, device))) return d;
    snprintf(d.name, sizeof d.name, "%s", p.name);
    d.major            = p.major;
    d.minor            = p.minor;
    d.processors       = p.multiProcessorCount;
    d.memory_bytes     = (int64_t)p.totalGlobalMem;
    d.shared_bytes     = (int64_t)p.sharedMemPerBlock;
    d.cache_bytes      = (int64_t)p.l2CacheSize;
    d.clock_hz         = 1e3 * (double)gi_cuda_attribute(cudaDevAttrClockRate, device);
    d.bytes_per_second = 2e3 * (double)gi_cuda_attribute(cudaDevAttrMemoryClockRate, device) * (double)p.memoryBusWidth / 8;
    return d;
}

ga_cuda_memory ga_cuda_memory_stats(void)
{
    const char    *site    = "\tga_cuda_memory_stats";
    int            ordinal = gi_cuda_selected;
    size_t         unused = 0, total = 0;
    cudaMemPool_t  pool;
    uint64_t       reserved = 0, taken = 0;
    ga_cuda_memory m;
    memset(&m, 0, sizeof m);
    if (!gi_cuda_use(site, ordinal) || !GI_CUDA_OK(site, cudaMemGetInfo(&unused, &total))) return m;
    if (gi_gpus.gpu[ordinal].pools && cudaDeviceGetDefaultMemPool(&pool, ordinal) == cudaSuccess &&
        cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved) == cudaSuccess)
        (void)cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &taken);
    (void)cudaGetLastError();
    m.free_bytes    = (int64_t)unused;
    m.total_bytes   = (int64_t)total;
    m.kept_bytes    = reserved > taken ? (int64_t)(reserved - taken) : 0;
    const gi_gpu *g = &gi_gpus.gpu[ordinal];
    pthread_mutex_lock(&gi_gpus.lock);
    m.used_bytes  = g->used;
    m.peak_bytes  = g->peak;
    m.limit_bytes = g->limit;
    pthread_mutex_unlock(&gi_gpus.lock);
    pthread_mutex_lock(&gi_pool.lock);
    for (const gi_handle *h = gi_pool.first; h; h = h->next)
        if (h->array.device == GA_CUDA && gi_cuda_ordinal(&h->array) == ordinal) m.arrays++;
    pthread_mutex_unlock(&gi_pool.lock);
    return m;
}

void ga_cuda_memory_reset_peak(void)
{
    gi_gpu *g = &gi_gpus.gpu[gi_cuda_selected];
    pthread_mutex_lock(&gi_gpus.lock);
    g->peak = g->used;
    pthread_mutex_unlock(&gi_gpus.lock);
}

void ga_cuda_memory_limit(int64_t bytes)
{
    pthread_mutex_lock(&gi_gpus.lock);
    gi_gpus.gpu[gi_cuda_selected].limit = bytes > 0 ? bytes : 0;
    pthread_mutex_unlock(&gi_gpus.lock);
}

void ga_cuda_memory_trim(void)
{
    if (gi_cuda_is_known(gi_cuda_selected) && gi_cuda_use("\tga_cuda_memory_trim", gi_cuda_selected))
        gi_cuda_trim(gi_cuda_selected);
}

void *(ga_cuda_data)(const ga_array *a, ga_dtype dtype, const char *site)
{
    if (!gi_check(site, a, "a")) return NULL;
    if (a->device != GA_CUDA) return gi_fail(site, GA_BAD_DEVICE, "the array is on the CPU: ga_to(a, GA_CUDA) first");
    return gi_is_plain(site, a, dtype) && gi_cuda_touch(site, a) ? a->data : NULL;
}

/* The same address for the CPU: all work on it is waited for. */
static void *gi_cuda_managed_data(const char *site, const ga_array *a)
{
    int  together = 0; /* may the CPU touch managed memory while the GPU runs? */
    int  selected = gi_cuda_selected, ordinal = gi_cuda_selected = gi_cuda_ordinal(a);
    bool ok = gi_cuda_touch(site, a);
    if (ok && cudaDeviceGetAttribute(&together, cudaDevAttrConcurrentManagedAccess, ordinal) != cudaSuccess)
        (void)cudaGetLastError();
    ok               = ok && (together ? GI_CUDA_OK(site, cudaStreamSynchronize(gi_cuda_stream(ordinal)))
                                       : GI_CUDA_OK(site, cudaDeviceSynchronize()));
    gi_cuda_selected = selected;
    return ok ? a->data : NULL;
}

/* Whose memory is it? For the pointers that a caller wraps. */
static bool gi_cuda_owner(const char *site, const void *p, ga_device device, int *ordinal, bool *managed)
{
    struct cudaPointerAttributes at;
    memset(&at, 0, sizeof at);
    if (!p) return true;
    if (device == GA_CPU) { /* a process that has not used a GPU has no memory there */
        bool used = false;
        for (int d = 0; d < GI_MOST_GPUS; d++) used = used || gi_cuda_is_known(d);
        if (!used || gi_gpus.forked) return true;
    }
    cudaError_t error = cudaPointerGetAttributes(&at, p);
    if (error != cudaSuccess && device == GA_CPU) return (void)cudaGetLastError(), true;
    if (!gi_cuda_ok(site, error, "cudaPointerGetAttributes")) return false;
    *managed = at.type == cudaMemoryTypeManaged;
    if (device == GA_CPU && at.type == cudaMemoryTypeDevice)
        gi_fail(site, GA_BAD_DEVICE, "the pointer is memory of CUDA device %d: say .device = GA_CUDA", at.device);
    else if (device == GA_CUDA && at.type != cudaMemoryTypeDevice && !*managed)
        gi_fail(site, GA_BAD_DEVICE, "the pointer is no memory of a GPU: leave out .device, or copy with ga_from");
    else {
        if (device == GA_CUDA && at.device >= 0) *ordinal = at.device;
        return true;
    }
    return false;
}

/* ---- streams ------------------------------------------------------------------------------------------------------------- */

/* The device of a stream; a caller's own becomes known here. False with an error. */
static bool gi_cuda_learn_stream(const char *site, ga_stream stream, int *ordinal)
{
    bool found = false, full;
    pthread_mutex_lock(&gi_gpus.lock);
    for (int k = 0; k < gi_gpus.known_streams && !found; k++) {
        found = gi_gpus.streams[k].stream == stream;
        if (found) *ordinal = gi_gpus.streams[k].ordinal;
    }
    pthread_mutex_unlock(&gi_gpus.lock);
    if (found) return true;
    if ((cudaStream_t)stream == cudaStreamPerThread) {
        gi_fail(site, GA_BAD_ARGUMENT, "cudaStreamPerThread is another stream in every thread: make one with ga_stream_new");
        return false;
    }
    *ordinal = gi_cuda_selected;
#if CUDART_VERSION >= 12080
    if (!GI_CUDA_OK(site, cudaStreamGetDevice((cudaStream_t)stream, ordinal))) return false;
#endif
    pthread_mutex_lock(&gi_gpus.lock);
    full = gi_gpus.known_streams == GI_MOST_STREAMS;
    if (!full) {
        gi_known_stream *k = &gi_gpus.streams[gi_gpus.known_streams++];
        k->stream          = stream;
        k->ordinal         = *ordinal;
        k->ours            = false;
    }
    pthread_mutex_unlock(&gi_gpus.lock);
    if (full)
        gi_fail(site, GA_BAD_ARGUMENT, "there are %d streams already: ga_stream_free those that are not needed",
                GI_MOST_STREAMS);
    return !full;
}

static bool         gi_is_default_stream(ga_stream stream) { return !stream || (cudaStream_t)stream == cudaStreamLegacy; }
static cudaStream_t gi_cuda_handle(ga_stream stream)
{
    return gi_is_default_stream(stream) ? GI_CUDA_DEFAULT_STREAM : (cudaStream_t)stream;
}

ga_stream ga_stream_new(void)
{
    const char  *site = "\tga_stream_new";
    cudaStream_t stream;
    int          ordinal;
    if (!gi_cuda_use(site, gi_cuda_selected) || !GI_CUDA_OK(site, cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)))
        return NULL;
    if (!gi_cuda_learn_stream(site, (ga_stream)stream, &ordinal)) {
        (void)cudaStreamDestroy(stream);
        return NULL;
    }
    pthread_mutex_lock(&gi_gpus.lock);
    for (int k = 0; k < gi_gpus.known_streams; k++)
        if (gi_gpus.streams[k].stream == (ga_stream)stream) gi_gpus.streams[k].ours = true;
    pthread_mutex_unlock(&gi_gpus.lock);
    return (ga_stream)stream;
}

/* Neither a thread nor an array remembers the stream any more; all its work is done. */
static void gi_cuda_detach_stream(ga_stream stream)
{
    pthread_mutex_lock(&gi_pool.lock);
    pthread_mutex_lock(&gi_gpus.lock);
    for (gi_handle *h = gi_pool.first; h; h = h->next) {
        gi_buffer *b = h->array.owner;
        if (b && b->device == GA_CUDA && b->stream == stream) b->stream = (ga_stream)GI_CUDA_DEFAULT_STREAM;
    }
    for (int k = 0; k < gi_gpus.known_streams; k++)
        if (gi_gpus.streams[k].stream == stream) gi_gpus.streams[k--] = gi_gpus.streams[--gi_gpus.known_streams];
    __atomic_add_fetch(&gi_gpus.forgotten, 1, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&gi_gpus.lock);
    pthread_mutex_unlock(&gi_pool.lock);
}

void ga_stream_free(ga_stream stream)
{
    const char *site    = "\tga_stream_free";
    int         ordinal = 0;
    bool        found = false, ours = false;
    if (!stream || gi_gpus.forked) return;
    pthread_mutex_lock(&gi_gpus.lock);
    for (int k = 0; k < gi_gpus.known_streams && !found; k++) {
        found   = gi_gpus.streams[k].stream == stream;
        ours    = gi_gpus.streams[k].ours;
        ordinal = gi_gpus.streams[k].ordinal;
    }
    pthread_mutex_unlock(&gi_gpus.lock);
    if (!found) {
        gi_fail(site, GA_BAD_ARGUMENT, "this is no stream that is known here: was it freed before?");
        return;
    }
    if (!gi_cuda_use(site, ordinal)) return;
    (void)GI_CUDA_OK(site, cudaStreamSynchronize((cudaStream_t)stream));
    gi_cuda_detach_stream(stream);
    if (ours) (void)GI_CUDA_OK(site, cudaStreamDestroy((cudaStream_t)stream));
}

bool ga_set_stream(ga_stream stream)
{
    const char *site    = "\tga_set_stream";
    int         ordinal = gi_cuda_selected;
    if (!gi_is_default_stream(stream)) {
        if (!gi_cuda_use(site, ordinal) || !gi_cuda_learn_stream(site, stream, &ordinal)) return false;
        (void)gi_cuda_stream(ordinal); /* what this thread had before is brought up to date first */
    }
    gi_cuda_streams[ordinal] = gi_is_default_stream(stream) ? NULL : stream;
    return true;
}

ga_stream ga_get_stream(void) { return (ga_stream)gi_cuda_stream(gi_cuda_selected); }

/* Makes the stream's device current; false with an error. */
static bool gi_cuda_use_stream(const char *site, ga_stream stream)
{
    int ordinal = gi_cuda_selected;
    return (gi_is_default_stream(stream) || gi_cuda_learn_stream(site, stream, &ordinal)) && gi_cuda_use(site, ordinal);
}

bool ga_stream_synchronize(ga_stream stream)
{
    const char *site = "\tga_stream_synchronize";
    return gi_cuda_use_stream(site, stream) && GI_CUDA_OK(site, cudaStreamSynchronize(gi_cuda_handle(stream)));
}

/* What cudaStreamQuery and cudaEventQuery say. */
static bool gi_cuda_is_done(const char *site, cudaError_t answer, const char *call)
{
    if (answer != cudaErrorNotReady) return gi_cuda_ok(site, answer, call);
    (void)cudaGetLastError();
    return false;
}

bool ga_stream_query(ga_stream stream)
{
    const char *site = "\tga_stream_query";
    return gi_cuda_use_stream(site, stream) &&
           gi_cuda_is_done(site, cudaStreamQuery(gi_cuda_handle(stream)), "cudaStreamQuery");
}

bool ga_stream_wait_event(ga_stream stream, ga_event event)
{
    const char *site = "\tga_stream_wait_event";
    return gi_is_event(site, event) && gi_cuda_use_stream(site, stream) &&
           GI_CUDA_OK(site, cudaStreamWaitEvent(gi_cuda_handle(stream), (cudaEvent_t)event, 0));
}

/* ---- events -------------------------------------------------------------------------------------------------------------- */

static ga_event gi_cuda_new_event(const char *site)
{
    cudaEvent_t event;
    if (!gi_cuda_use(site, gi_cuda_selected) || !GI_CUDA_OK(site, cudaEventCreateWithFlags(&event, cudaEventDefault)))
        return NULL;
    return (ga_event)event;
}

ga_event ga_event_new(void) { return gi_cuda_new_event("\tga_event_new"); }

void ga_event_free(ga_event event)
{
    if (event && !gi_gpus.forked) (void)GI_CUDA_OK("\tga_event_free", cudaEventDestroy((cudaEvent_t)event));
}

static bool gi_cuda_record(const char *site, ga_event event, ga_stream stream)
{
    return gi_is_event(site, event) && gi_cuda_use_stream(site, stream) &&
           GI_CUDA_OK(site, cudaEventRecord((cudaEvent_t)event, gi_cuda_handle(stream)));
}

bool ga_event_record(ga_event event, ga_stream stream) { return gi_cuda_record("\tga_event_record", event, stream); }

static bool gi_cuda_reach(const char *site, ga_event event)
{
    return gi_is_event(site, event) && GI_CUDA_OK(site, cudaEventSynchronize((cudaEvent_t)event));
}

bool ga_event_synchronize(ga_event event) { return gi_cuda_reach("\tga_event_synchronize", event); }

bool ga_event_query(ga_event event)
{
    const char *site = "\tga_event_query";
    return gi_is_event(site, event) && gi_cuda_is_done(site, cudaEventQuery((cudaEvent_t)event), "cudaEventQuery");
}

double ga_event_elapsed(ga_event from, ga_event to)
{
    const char *site = "\tga_event_elapsed";
    float       ms   = 0;
    if (!gi_is_event(site, from) || !gi_is_event(site, to)) return (double)NAN;
    cudaError_t error = cudaEventElapsedTime(&ms, (cudaEvent_t)from, (cudaEvent_t)to);
    if (error == cudaErrorInvalidResourceHandle || error == cudaErrorNotReady) {
        (void)cudaGetLastError();
        gi_fail(site, GA_BAD_ARGUMENT, "%s: ga_event_record both, then ga_event_synchronize the second",
                error == cudaErrorNotReady ? "the events have not been reached yet" : "an event has not been recorded");
        return (double)NAN;
    }
    return gi_cuda_ok(site, error, "cudaEventElapsedTime") ? (double)ms * 1e-3 : (double)NAN;
}

/* ---- kernels of the user's in threads and blocks ------------------------------------------------------------------------- */

static bool gi_launch_blocks(const char *site, gi_dims grid)
{
    const int64_t most_x = INT32_MAX, most = 65535;
    if (grid.x < 1 || grid.y < 1 || grid.z < 1)
        gi_fail(site, GA_BAD_ARGUMENT,
                "a grid of %lld x %lld x %lld blocks is empty: where there is nothing to do, launch nothing", (long long)grid.x,
                (long long)grid.y, (long long)grid.z);
    else if (grid.x > most_x || grid.y > most || grid.z > most)
        gi_fail(site, GA_BAD_ARGUMENT,
                "a grid has at most %lld x %lld x %lld blocks, not %lld x %lld x %lld: let each thread do several elements",
                (long long)most_x, (long long)most, (long long)most, (long long)grid.x, (long long)grid.y, (long long)grid.z);
    else return true;
    return false;
}

static bool gi_launch_threads(const char *site, gi_dims block, int most)
{
    const int64_t side = 1024, depth = 64;
    bool sides = block.x >= 1 && block.y >= 1 && block.z >= 1 && block.x <= side && block.y <= side && block.z <= depth;
    if (!sides)
        gi_fail(site, GA_BAD_ARGUMENT, "a block has 1 to %lld x %lld x %lld threads, not %lld x %lld x %lld", (long long)side,
                (long long)side, (long long)depth, (long long)block.x, (long long)block.y, (long long)block.z);
    else if (block.x * block.y * block.z > side)
        gi_fail(site, GA_BAD_ARGUMENT, "a block of %lld x %lld x %lld has %lld threads, and at most %lld are possible",
                (long long)block.x, (long long)block.y, (long long)block.z, (long long)(block.x * block.y * block.z),
                (long long)side);
    else if (block.x * block.y * block.z > most)
        gi_fail(
            site, GA_BAD_ARGUMENT,
            "a block of this kernel has at most %d threads, not %lld: its variables take the registers of more. Use smaller "
            "blocks, or __launch_bounds__(%lld) in the kernel",
            most, (long long)(block.x * block.y * block.z), (long long)(block.x * block.y * block.z));
    else return true;
    return false;
}

/* Dynamic shared memory beyond what every kernel may have must be asked for. */
static bool gi_launch_shared(const char *site, const void *kernel, int64_t bytes, const struct cudaFuncAttributes *of)
{
    int     ordinal = 0, most = 0;
    int64_t declared = (int64_t)of->sharedSizeBytes;
    if (!GI_CUDA_OK(site, cudaGetDevice(&ordinal)) ||
        !GI_CUDA_OK(site, cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, ordinal)))
        return false;
    if (bytes < 0 || bytes + declared > most) {
        gi_fail(site, GA_BAD_ARGUMENT,
                "a block has at most %d bytes of shared memory on this GPU; .shared = %lld, and the kernel declares %lld: "
                "smaller tiles, or "
                "smaller blocks",
                most, (long long)bytes, (long long)declared);
        return false;
    }
    return bytes <= of->maxDynamicSharedSizeBytes ||
           GI_CUDA_OK(site, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
}

bool gi_launch_begin(const void *kernel, gi_dims grid, gi_dims block, ga_launch_options o, ga_stream *stream)
{
    struct cudaFuncAttributes of;
    int                       ordinal = gi_cuda_selected;
    if (!gi_cuda_use(o.site, ordinal)) return false;
    if (!gi_is_default_stream(o.stream) && !gi_cuda_learn_stream(o.site, o.stream, &ordinal)) return false;
    if (ordinal != gi_cuda_selected) {
        gi_fail(o.site, GA_BAD_DEVICE, "the stream is one of CUDA device %d, and device %d is selected: ga_cuda_select(%d)",
                ordinal, gi_cuda_selected, ordinal);
        return false;
    }
    *stream = gi_is_default_stream(o.stream) ? ga_get_stream() : o.stream;
    return gi_launch_blocks(o.site, grid) && GI_CUDA_OK(o.site, cudaFuncGetAttributes(&of, kernel)) &&
           gi_launch_threads(o.site, block, of.maxThreadsPerBlock) && gi_launch_shared(o.site, kernel, o.shared, &of);
}

void *gi_launch_array(const ga_array *a, int number, ga_dtype dtype, ga_stream stream, const char *site)
{
    char name[32];
    snprintf(name, sizeof name, "argument %d", number);
    if (!gi_check(site, a, name)) return NULL;
    if (a->device != GA_CUDA)
        return gi_fail(site, GA_BAD_DEVICE,
                       "%s, of shape %s, is on the CPU, and kernels run on the GPU: ga_to(a, GA_CUDA) first", name,
                       gi_shape_of(a));
    if (dtype != GA_DTYPE_DEFAULT && a->dtype != dtype)
        return gi_fail(site, GA_BAD_DTYPE,
                       "%s is %s, and the kernel's parameter points to %s: ga_astype first, or change the kernel", name,
                       ga_dtype_name(a->dtype), ga_dtype_name(dtype));
    if (!ga_is_contiguous(a))
        return gi_fail(site, GA_BAD_SHAPE,
                       "the elements of %s, of shape %s, do not lie one behind the other: ga_ascontiguous first", name,
                       gi_shape_of(a));
    if (a->size == 0)
        return gi_fail(site, GA_BAD_SHAPE, "%s, of shape %s, is empty: where there is nothing to do, launch nothing", name,
                       gi_shape_of(a));
    return gi_cuda_touch_on(site, a, (cudaStream_t)stream) ? a->data : NULL;
}

bool gi_launch_end(const char *kernel, const char *site) { return gi_cuda_launched(site, kernel); }

/* ---- waiting and measuring ------------------------------------------------------------------------------------------------- */

/* Waits for every device that has been used. */
static void gi_cuda_synchronize(const char *site)
{
    if (gi_gpus.forked) return;
    for (int d = 0; d < GI_MOST_GPUS; d++)
        if (gi_cuda_is_known(d) && d != gi_cuda_selected && gi_cuda_use(site, d))
            (void)GI_CUDA_OK(site, cudaDeviceSynchronize());
    int own = gi_cuda_selected; /* last, so that it stays the current device */
    if (gi_cuda_is_known(own) && gi_cuda_use(site, own)) (void)GI_CUDA_OK(site, cudaDeviceSynchronize());
}

/* Two events around a call, on this thread's stream. Without a GPU in use nothing is measured. */
static bool gi_cuda_clock_start(gi_cuda_clock *c)
{
    if (gi_gpus.forked || !gi_cuda_is_known(gi_cuda_selected)) return false;
    if (!c->from) c->from = gi_cuda_new_event(c->site);
    if (!c->to) c->to = gi_cuda_new_event(c->site);
    return c->from && c->to && gi_cuda_record(c->site, c->from, ga_get_stream()) && gi_cuda_reach(c->site, c->from);
}

static bool gi_cuda_clock_stop(gi_cuda_clock *c, double *seconds)
{
    if (!gi_cuda_record(c->site, c->to, ga_get_stream()) || !gi_cuda_reach(c->site, c->to)) return false;
    *seconds = ga_event_elapsed(c->from, c->to);
    return *seconds >= 0;
}

static void gi_cuda_clock_free(gi_cuda_clock *c)
{
    ga_event_free(c->from);
    ga_event_free(c->to);
}

#endif
