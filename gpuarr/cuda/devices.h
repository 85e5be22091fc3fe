/* ---- devices ----------------------------------------------------------------------------------------------------------- */

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

static int  gi_cuda_get_selected(void) { return gi_cuda_selected; }
static void gi_cuda_turn_to(int device) { gi_cuda_selected = device; }
static bool gi_cuda_use_selected(const char *site) { return gi_cuda_use(site, gi_cuda_selected); }
static bool gi_cuda_in_use(void) { return !gi_gpus.forked && gi_cuda_is_known(gi_cuda_selected); }

static bool gi_cuda_select(const char *site, int device)
{
    if (!gi_cuda_exists(site, device) || !gi_cuda_use(site, device)) return false;
    gi_cuda_selected = device;
    return true;
}

static int64_t gi_cuda_attribute(enum cudaDeviceAttr attribute, int device)
{
    int value = 0;
    if (cudaDeviceGetAttribute(&value, attribute, device) != cudaSuccess) (void)cudaGetLastError();
    return value;
}

static ga_cuda_device gi_cuda_properties(const char *site, int device)
{
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

/* One more, if it is on the selected device. */
static void gi_cuda_count_array(const ga_array *a, void *count)
{
    if (a->device == GA_CUDA && gi_cuda_ordinal(a) == gi_cuda_selected) ++*(int64_t *)count;
}

static ga_cuda_memory gi_cuda_memory_stats(const char *site)
{
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
    m.free_bytes            = (int64_t)unused;
    m.total_bytes           = (int64_t)total;
    m.kept_bytes            = reserved > taken ? (int64_t)(reserved - taken) : 0;
    const gi_cuda_device *g = &gi_gpus.gpu[ordinal];
    pthread_mutex_lock(&gi_gpus.lock);
    m.used_bytes  = g->used;
    m.peak_bytes  = g->peak;
    m.limit_bytes = g->limit;
    pthread_mutex_unlock(&gi_gpus.lock);
    gi_array_for_each(gi_cuda_count_array, &m.arrays);
    return m;
}

static void gi_cuda_memory_reset_peak(void)
{
    gi_cuda_device *g = &gi_gpus.gpu[gi_cuda_selected];
    pthread_mutex_lock(&gi_gpus.lock);
    g->peak = g->used;
    pthread_mutex_unlock(&gi_gpus.lock);
}

static void gi_cuda_memory_limit(int64_t bytes)
{
    pthread_mutex_lock(&gi_gpus.lock);
    gi_gpus.gpu[gi_cuda_selected].limit = bytes > 0 ? bytes : 0;
    pthread_mutex_unlock(&gi_gpus.lock);
}

static void gi_cuda_memory_trim(const char *site)
{
    if (gi_cuda_is_known(gi_cuda_selected) && gi_cuda_use(site, gi_cuda_selected)) gi_cuda_trim(gi_cuda_selected);
}

/* The address of managed memory for the CPU: all work on it is waited for. */
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

/* Wrapped memory of the GPU becomes that of a buffer. */
static void gi_cuda_adopt(gi_buffer *b, int ordinal, bool managed)
{
    b->device  = GA_CUDA;
    b->memory  = managed ? GI_MANAGED : GI_ORDINARY;
    b->ordinal = ordinal;
    b->stream  = (ga_stream)gi_cuda_stream(ordinal);
    b->thread  = &gi_cuda_selected;
}

/* Around a fork, and in the child. */
static void gi_cuda_lock(void) { pthread_mutex_lock(&gi_gpus.lock); }
static void gi_cuda_unlock(void) { pthread_mutex_unlock(&gi_gpus.lock); }
static void gi_cuda_forked(void)
{
    for (int d = 0; d < GI_MOST_GPUS; d++) gi_gpus.forked = gi_gpus.forked || gi_gpus.gpu[d].known;
}
