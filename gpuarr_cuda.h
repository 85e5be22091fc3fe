/*  gpuarr_cuda.h -- the CUDA backend. Included by gpuarr.h when a .cu file is compiled (nvcc, or g++ with tools/cudasim), never by you.

    The kernels call the very formulas that the loops of gpuarr_cpu.h call, in the same order: a result has the same bits on both.
    gpuarr.h includes this file three times: GI_CUDA_PART 1 for the runtime, 2 for the kernels of the rows (which includes it once more
    for each element type, GA_TAG), and 3, at the end, for the algorithms. A kernel is launched on the current stream and nothing waits
    for it, except where the host needs a number (how many elements are selected, ga_item ...).

        part 1: >>cuda runtime (devices, errors, streams, memory, copies)
        part 2: >>cuda map  >>cuda rows
        part 3: >>cuda elementwise  >>cuda folds  >>cuda moments  >>cuda search  >>cuda scans  >>cuda selecting  >>cuda counting
                >>cuda sorting  >>cuda order  >>cuda generators  >>cuda images  >>cuda streams and devices                             */

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
#undef GI_CASE
#undef GI_OP

#elif GI_CUDA_PART == 1
/* ==== >>cuda runtime: devices, errors, streams, memory, copies ======================================================= */

#ifdef __CUDASIM__
#define GI_LAUNCH(kernel, grid, block, stream, ...) CUDASIM_LAUNCH(kernel, (grid, block, 0, stream), __VA_ARGS__)
/* GI_SHARED(float, tile, [256]): a variable that the threads of a block share */
#define GI_SHARED(T, name, dims)                                                                                               \
    CUDASIM_SHARED(name, T name dims;);                                                                                        \
    auto &name = cudasim_r##name.name
#else
#define GI_LAUNCH(kernel, grid, block, stream, ...) (kernel)<<<grid, block, 0, stream>>>(__VA_ARGS__)
#define GI_SHARED(T, name, dims) __shared__ T name dims
#endif
#define GI_DEVICE static __device__ __forceinline__

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
    bool    known;   /* atomic: have its properties been asked for? */
    bool    pools;   /* does it have cudaMallocAsync? */
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
static bool gi_cuda_order(const char *site, gi_buffer *b, cudaStream_t stream)
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
static bool gi_cuda_touch(const char *site, const ga_array *a)
{
    int ordinal = gi_cuda_ordinal(a);
    if (ordinal != gi_cuda_selected) {
        gi_fail(site, GA_BAD_DEVICE,
                "an array of shape %s lies on CUDA device %d, and device %d is selected: ga_cuda_select(%d), or bring it with "
                "ga_to",
                gi_shape_of(a), ordinal, gi_cuda_selected, ordinal);
        return false;
    }
    return gi_cuda_use(site, ordinal) && (!a->owner || gi_cuda_order(site, a->owner, gi_cuda_stream(ordinal)));
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
    if (b->device == GA_CUDA && b->release && gi_cuda_use("\tga_free", b->ordinal))
        (void)cudaDeviceSynchronize();
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

/* ---- launches -------------------------------------------------------------------------------------------------------- */

enum { GI_CUDA_THREADS = 256 };

static unsigned gi_cuda_blocks(int64_t threads) { return (unsigned)((threads + GI_CUDA_THREADS - 1) / GI_CUDA_THREADS); }

/* Division of numbers below 2^31 by one that is known before the launch: a product and a shift. */
typedef struct gi_divisor {
    uint32_t by, magic, shift;
} gi_divisor;

static gi_divisor gi_divisor_of(int64_t by)
{
    gi_divisor d = { (uint32_t)by, 0, 0 };
    while (((uint64_t)1 << d.shift) < d.by) d.shift++;
    d.magic = (uint32_t)((((uint64_t)1 << 32) * (((uint64_t)1 << d.shift) - d.by)) / d.by + 1);
    return d;
}

GI_DEVICE uint32_t gi_divide(uint32_t n, gi_divisor d)
{
    return ((uint32_t)(((uint64_t)n * d.magic) >> 32) + n) >> d.shift;
}

#elif GI_CUDA_PART == 2
/* ==== >>cuda map: elementwise kernels ================================================================================= */
/*  A thread computes a vector: as many neighbours along the innermost dimension as fit 16 bytes. An operand is read in one access where
    its elements lie one behind the other and aligned, else one by one; numbers come with the launch.                               */

typedef enum gi_how { GI_HOW_PACKED, GI_HOW_STRIDED, GI_HOW_NUMBER } gi_how;

typedef struct gi_cuda_operand {
    char    *data;
    gi_how   how;
    int64_t  strides[GPUARR_MAX_DIMS];
    uint64_t number[2]; /* the element, if it is a number */
} gi_cuda_operand;

typedef struct gi_cuda_map {
    uint32_t        vectors; /* in all; below 2^31 */
    uint32_t        columns; /* elements of the innermost dimension */
    gi_divisor      row;     /* vectors of a row */
    int             ndim;
    gi_divisor      shape[GPUARR_MAX_DIMS]; /* of the other dimensions */
    gi_cuda_operand in[3], out, mask;
    bool            masked;
    ga_dtype        from; /* of casts */
} gi_cuda_map;

typedef void (*gi_cuda_kernel)(const gi_cuda_map);

/* Elements of a thread's vector whose widest element has so many bytes. */
#define GI_VECTOR(bytes) ((bytes) >= 16 ? 1 : 16 / (int)(bytes))
#define GI_WIDER(a, b)   ((a) > (b) ? (a) : (b))

/* A vector as it is loaded and stored: one access of at most 16 bytes. */
template <class T, int N> struct alignas(sizeof(T) * N) gi_pack {
    T e[N];
};

/* The vector of a thread: how many of its elements exist, and where it begins in each operand. */
template <int INPUTS> struct gi_place {
    uint32_t    count;
    const char *in[INPUTS], *mask;
    char       *out;
};

template <int INPUTS, int N> GI_DEVICE void gi_cuda_place(const gi_cuda_map &m, uint32_t vector, gi_place<INPUTS> &at)
{
    int      inner = m.ndim - 1;
    uint32_t row   = gi_divide(vector, m.row), column = (vector - row * m.row.by) * N;
    at.count = m.columns - column < N ? m.columns - column : N;
#pragma unroll
    for (int k = 0; k < INPUTS; k++) at.in[k] = m.in[k].data + column * m.in[k].strides[inner];
    at.out  = m.out.data + column * m.out.strides[inner];
    at.mask = m.mask.data + column * m.mask.strides[inner];
#pragma unroll 1
    for (int d = inner - 1; d >= 0; d--) {
        uint32_t above = gi_divide(row, m.shape[d]), index = row - above * m.shape[d].by;
        row = above;
#pragma unroll
        for (int k = 0; k < INPUTS; k++) at.in[k] += index * m.in[k].strides[d];
        at.out += index * m.out.strides[d];
        at.mask += index * m.mask.strides[d];
    }
}

template <class T, int N>
GI_DEVICE void gi_cuda_load(const gi_cuda_operand &v, const char *p, int64_t stride, uint32_t count, T (&x)[N])
{
    if (v.how == GI_HOW_NUMBER) {
        T number = *(const T *)v.number;
#pragma unroll
        for (int k = 0; k < N; k++) x[k] = number;
    } else if (v.how == GI_HOW_PACKED && count == N) {
        gi_pack<T, N> pack = *(const gi_pack<T, N> *)p;
#pragma unroll
        for (int k = 0; k < N; k++) x[k] = pack.e[k];
    } else {
#pragma unroll
        for (int k = 0; k < N; k++) x[k] = *(const T *)(p + (k < count ? k * stride : 0));
    }
}

template <class R, int N, int INPUTS>
GI_DEVICE void gi_cuda_store(const gi_cuda_map &m, const gi_place<INPUTS> &at, const R (&r)[N])
{
    if (m.out.how == GI_HOW_PACKED && at.count == N && !m.masked) {
        gi_pack<R, N> pack;
#pragma unroll
        for (int k = 0; k < N; k++) pack.e[k] = r[k];
        *(gi_pack<R, N> *)at.out = pack;
        return;
    }
    int64_t stride = m.out.strides[m.ndim - 1], next = m.mask.strides[m.ndim - 1];
#pragma unroll
    for (int k = 0; k < N; k++)
        if (k < at.count && (!m.masked || *(const bool *)(at.mask + k * next))) *(R *)(at.out + k * stride) = r[k];
}

template <class X, class R, R (*f)(X)> GI_DEVICE void gi_cuda_map1_body(const gi_cuda_map &m)
{
    enum { N = GI_VECTOR(GI_WIDER(sizeof(X), sizeof(R))) };
    uint32_t vector = blockIdx.x * GI_CUDA_THREADS + threadIdx.x;
    if (vector >= m.vectors) return;
    gi_place<1> at;
    gi_cuda_place<1, N>(m, vector, at);
    X x[N];
    R r[N];
    gi_cuda_load(m.in[0], at.in[0], m.in[0].strides[m.ndim - 1], at.count, x);
#pragma unroll
    for (int k = 0; k < N; k++) r[k] = f(x[k]);
    gi_cuda_store(m, at, r);
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
    uint32_t vector = blockIdx.x * GI_CUDA_THREADS + threadIdx.x;
    if (vector >= m.vectors) return;
    gi_place<2> at;
    gi_cuda_place<2, N>(m, vector, at);
    X x[N];
    Y y[N];
    R r[N];
    gi_cuda_load(m.in[0], at.in[0], m.in[0].strides[m.ndim - 1], at.count, x);
    gi_cuda_load(m.in[1], at.in[1], m.in[1].strides[m.ndim - 1], at.count, y);
#pragma unroll
    for (int k = 0; k < N; k++) r[k] = f(x[k], y[k]);
    gi_cuda_store(m, at, r);
}

template <class X, class Y, class Z, class R, R (*f)(X, Y, Z)>
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_map3(const __grid_constant__ gi_cuda_map m)
{
    enum { N = GI_VECTOR(GI_WIDER(GI_WIDER(sizeof(X), sizeof(Y)), sizeof(R))) }; /* a wider Z is a number */
    uint32_t vector = blockIdx.x * GI_CUDA_THREADS + threadIdx.x;
    if (vector >= m.vectors) return;
    gi_place<3> at;
    gi_cuda_place<3, N>(m, vector, at);
    X x[N];
    Y y[N];
    Z z[N];
    R r[N];
    gi_cuda_load(m.in[0], at.in[0], m.in[0].strides[m.ndim - 1], at.count, x);
    gi_cuda_load(m.in[1], at.in[1], m.in[1].strides[m.ndim - 1], at.count, y);
    gi_cuda_load(m.in[2], at.in[2], m.in[2].strides[m.ndim - 1], at.count, z);
#pragma unroll
    for (int k = 0; k < N; k++) r[k] = f(x[k], y[k], z[k]);
    gi_cuda_store(m, at, r);
}

/* What a copy moves and a choice chooses, by its size alone. */
struct alignas(16) gi_16_bytes {
    uint64_t part[2];
};
template <class U> GI_DEVICE U gi_same(U x) { return x; }
template <class U> GI_DEVICE U gi_choose(bool chosen, U x, U y) { return chosen ? x : y; }
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
    default: return gi_cuda_select_of<gi_16_bytes>();
    }
}

#define GI_PASS 5
#include "gpuarr.h"
#undef GI_PASS

static gi_cuda_kernel gi_cuda_cast(ga_dtype to)
{
    switch (to) {
#define GI_CASE(TAG, tag, T, name)                                                                                             \
    case GA_##TAG: return gi_cuda_cast_##tag;
        GI_EACH_STAMPED(GI_CASE)
#undef GI_CASE
    default: return NULL;
    }
}

template <class U> GI_DEVICE bool gi_never(U x) { return (void)x, false; }
template <class U> GI_DEVICE bool gi_always(U x) { return (void)x, true; }
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
    case GA_##TAG: return gi_cuda_row_##tag(op);
        GI_EACH_STAMPED(GI_CASE)
#undef GI_CASE
    default: return NULL;
    }
}

#elif GI_CUDA_PART == 3
/* ==== >>cuda elementwise: from gi_map's job to launches =============================================================== */

/* The device's view of an operand. `first`: the index along the outermost dimension where the launch begins. */
static gi_cuda_operand gi_cuda_operand_of(const gi_job *j, const gi_operand *v, int64_t first, int vector)
{
    gi_cuda_operand o;
    memset(&o, 0, sizeof o);
    int64_t size = ga_itemsize(v->dtype);
    if (v->number) {
        o.how = GI_HOW_NUMBER;
        memcpy(o.number, v->data, (size_t)size);
        return o;
    }
    o.data       = v->data + first * v->strides[0];
    bool aligned = (uintptr_t)o.data % (uintptr_t)(size * vector) == 0 && v->strides[j->ndim - 1] == size;
    for (int d = 0; d < j->ndim; d++) {
        o.strides[d] = v->strides[d];
        if (d < j->ndim - 1) aligned = aligned && v->strides[d] % (size * vector) == 0;
    }
    o.how = aligned ? GI_HOW_PACKED : GI_HOW_STRIDED;
    return o;
}

/* The widest element that the threads of a job move: it decides how many elements make a vector, as in the kernels. */
static int64_t gi_cuda_width(const gi_job *j)
{
    int64_t width = ga_itemsize(j->out.dtype);
    for (int k = 0; k < j->inputs && k < 2; k++)
        if (ga_itemsize(j->in[k].dtype) > width) width = ga_itemsize(j->in[k].dtype);
    return width;
}

/* Runs a job whose operands are complete, on the device of its output (touched before). Jobs of 2^30 vectors and more are cut. */
static bool gi_cuda_run(const char *site, gi_job *j)
{
    const int64_t most = (int64_t)1 << 30;
    for (int d = 0; d < j->ndim; d++)
        if (j->shape[d] == 0) return true;
    gi_order_dimensions(j);
    gi_coalesce(j);
    int           vector  = GI_VECTOR(gi_cuda_width(j));
    int           inner   = j->ndim - 1;
    int64_t       columns = j->shape[inner], rows = 1, row = (columns + vector - 1) / vector; /* vectors of a row */
    gi_gpu_kernel kernel  = j->gpu;
    if (!kernel) kernel = j->in[0].dtype == j->out.dtype ? gi_cuda_copy(ga_itemsize(j->out.dtype)) : gi_cuda_cast(j->out.dtype);
    for (int d = 0; d < inner; d++) rows *= j->shape[d];
    int64_t per_outermost = inner == 0 ? 1 : rows / j->shape[0] * row; /* vectors for one index along the outermost dimension */
    int64_t step          = inner == 0 ? most * vector : per_outermost > most ? 0 : most / per_outermost;
    if (step == 0) { /* one index alone is too much: each of them is a job */
        for (int64_t i = 0; i < j->shape[0]; i++) {
            gi_job part   = *j;
            part.shape[0] = 1;
            for (int k = 0; k < j->inputs; k++)
                if (!part.in[k].number) part.in[k].data += i * part.in[k].strides[0];
            part.out.data += i * part.out.strides[0];
            if (part.masked) part.mask.data += i * part.mask.strides[0];
            if (!gi_cuda_run(site, &part)) return false;
        }
        return true;
    }
    for (int64_t first = 0; first < j->shape[0]; first += step) {
        int64_t     count = j->shape[0] - first < step ? j->shape[0] - first : step;
        gi_cuda_map m;
        memset(&m, 0, sizeof m);
        m.ndim    = j->ndim;
        m.columns = (uint32_t)(inner == 0 ? count : columns);
        m.row     = gi_divisor_of(((int64_t)m.columns + vector - 1) / vector);
        m.vectors = (uint32_t)((inner == 0 ? 1 : rows / j->shape[0] * count) * m.row.by);
        for (int d = 0; d < inner; d++) m.shape[d] = gi_divisor_of(d == 0 ? count : j->shape[d]);
        for (int k = 0; k < j->inputs; k++) m.in[k] = gi_cuda_operand_of(j, &j->in[k], first, vector);
        m.out    = gi_cuda_operand_of(j, &j->out, first, vector);
        m.masked = j->masked;
        if (j->masked) m.mask = gi_cuda_operand_of(j, &j->mask, first, 1);
        m.from = j->in[0].dtype;
        GI_LAUNCH(kernel, gi_cuda_blocks(m.vectors), GI_CUDA_THREADS, gi_cuda_current_stream(), m);
        if (!gi_cuda_launched(site, "an elementwise operation")) return false;
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
    j.out.data    = (char *)a->data;
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

/* ==== >>cuda moments: variances ========================================================================================= */

/* ==== >>cuda search: where an extreme lies ============================================================================== */

/* ==== >>cuda scans: running sums ======================================================================================== */

/* ==== >>cuda selecting: the elements that a condition chooses, and those that indices name ============================== */

/* ==== >>cuda counting: histograms and bins =============================================================================== */

/* ==== >>cuda sorting ====================================================================================================== */

/* ==== >>cuda order: medians and percentiles, by selection ================================================================ */

/* ==== >>cuda generators: sequences and random numbers ===================================================================== */

/* ==== >>cuda images: objects and their measures =========================================================================== */

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
    bool ok = GI_CUDA_OK(site, cudaEventRecord(done, earlier)) && gi_cuda_use(site, device) && /* NULL is a stream of the current one */
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
    ok = ok && gi_cuda_touch(site, to) && gi_cuda_after_there(site, source, there, target, here) &&
         (bytes == 0 || GI_CUDA_OK(site, cudaMemcpyPeerAsync(to->data, target, packed->data, source, bytes, there))) &&
         gi_cuda_after_there(site, target, here, source, there);
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

ga_event ga_event_new(void)
{
    const char *site = "\tga_event_new";
    cudaEvent_t event;
    if (!gi_cuda_use(site, gi_cuda_selected) || !GI_CUDA_OK(site, cudaEventCreateWithFlags(&event, cudaEventDefault)))
        return NULL;
    return (ga_event)event;
}

void ga_event_free(ga_event event)
{
    if (event && !gi_gpus.forked) (void)GI_CUDA_OK("\tga_event_free", cudaEventDestroy((cudaEvent_t)event));
}

bool ga_event_record(ga_event event, ga_stream stream)
{
    const char *site = "\tga_event_record";
    return gi_is_event(site, event) && gi_cuda_use_stream(site, stream) &&
           GI_CUDA_OK(site, cudaEventRecord((cudaEvent_t)event, gi_cuda_handle(stream)));
}

bool ga_event_synchronize(ga_event event)
{
    const char *site = "\tga_event_synchronize";
    return gi_is_event(site, event) && GI_CUDA_OK(site, cudaEventSynchronize((cudaEvent_t)event));
}

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
    if (!c->from) c->from = ga_event_new();
    if (!c->to) c->to = ga_event_new();
    return c->from && c->to && ga_event_record(c->from, ga_get_stream()) && ga_event_synchronize(c->from);
}

static bool gi_cuda_clock_stop(gi_cuda_clock *c, double *seconds)
{
    if (!ga_event_record(c->to, ga_get_stream()) || !ga_event_synchronize(c->to)) return false;
    *seconds = ga_event_elapsed(c->from, c->to);
    return *seconds >= 0;
}

static void gi_cuda_clock_free(gi_cuda_clock *c)
{
    ga_event_free(c->from);
    ga_event_free(c->to);
}

#endif
