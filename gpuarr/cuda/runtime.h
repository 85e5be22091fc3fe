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

enum { GI_MOST_STREAMS = 64 };

typedef struct gi_cuda_device {
    bool    known; /* atomic: have its properties been asked for? */
    bool    pools; /* does it have cudaMallocAsync? */
    int     processors;
    int64_t cache_bytes;       /* the second cache */
    int64_t used, peak, limit; /* bytes in arrays and scratch memory; guarded by gi_gpus.lock */
} gi_cuda_device;

typedef struct gi_known_stream {
    ga_stream stream;
    int       ordinal;
    bool      ours; /* made by ga_stream_new */
} gi_known_stream;

static struct {
    pthread_mutex_t lock;
    gi_cuda_device  gpu[GI_MOST_GPUS];
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
    gi_cuda_device *g     = &gi_gpus.gpu[ordinal];
    int             pools = 0, processors = 1, cache = 0;
    uint64_t        keep = UINT64_MAX; /* what is freed stays with us, ready for reuse */
    cudaMemPool_t   pool;
    (void)cudaDeviceGetAttribute(&pools, cudaDevAttrMemoryPoolsSupported, ordinal);
    (void)cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, ordinal);
    (void)cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, ordinal);
    if (pools && cudaDeviceGetDefaultMemPool(&pool, ordinal) == cudaSuccess)
        (void)cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep);
    (void)cudaGetLastError();
    pthread_mutex_lock(&gi_gpus.lock);
    g->pools       = pools != 0;
    g->processors  = processors > 0 ? processors : 1;
    g->cache_bytes = cache;
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
    gi_cuda_device *g = &gi_gpus.gpu[ordinal];
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
    if (!gi_cuda_use(site, gi_cuda_selected) || !gi_mem_count(site, bytes)) return NULL;
    void       *p     = NULL;
    cudaError_t error = cudaHostAlloc(&p, bytes, cudaHostAllocPortable);
    if (error == cudaSuccess) return p;
    gi_mem_discount(bytes);
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
        gi_mem_discount(b->bytes ? b->bytes : 1);
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

/* Waits for all work on the buffer's GPU. The thread may be another library's: its current device stays. */
static void gi_cuda_await_buffer(const gi_buffer *b)
{
    int current = b->ordinal;
    if (gi_gpus.forked) return;
    (void)cudaGetDevice(&current);
    if (current != b->ordinal) (void)cudaSetDevice(b->ordinal);
    (void)cudaDeviceSynchronize();
    if (current != b->ordinal) (void)cudaSetDevice(current);
}

/* Before memory leaves us: nothing may be copying to or from it, and what the caller gets back must be unused. */
static void gi_cuda_finish_buffer(gi_buffer *b)
{
    if (gi_gpus.forked) return;
    if (b->copied) {
        (void)gi_cuda_settle("\tga_free", b);
        (void)cudaEventDestroy((cudaEvent_t)b->copied);
    }
    if (b->device == GA_CUDA && b->release) gi_cuda_await_buffer(b);
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
