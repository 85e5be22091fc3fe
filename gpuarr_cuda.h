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
        GI_EACH_DTYPE(GI_CAST)
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

/* Turns what a call of the CUDA runtime returned into a sentence. True: it went well. */
static bool gi_cuda_ok(const char *site, cudaError_t error, const char *call)
{
    if (error == cudaSuccess) return true;
    (void)cudaGetLastError(); /* said now: not once more by the next call */
    switch (error) {
    case cudaErrorMemoryAllocation:
        gi_fail(site, GA_NO_MEMORY, "no memory on the GPU (%s): free arrays, use smaller ones, or ga_cuda_trim()", call);
        break;
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
        gi_fail(site, GA_BAD_DEVICE, "there is no CUDA device (%s: %s): use GA_CPU", call, cudaGetErrorString(error));
        break;
    default:
        gi_fail(site, GA_CUDA_FAILED, "%s failed: %s (%s). An earlier kernel may be the cause", call, cudaGetErrorName(error),
                cudaGetErrorString(error));
    }
    return false;
}
#define GI_CUDA_OK(site, call) gi_cuda_ok(site, call, #call)

/* After a launch: could the kernel be started? */
static bool gi_cuda_launched(const char *site, const char *kernel)
{
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess) return true;
    gi_fail(site, GA_CUDA_FAILED, "the kernel of %s could not be started: %s (%s)", kernel, cudaGetErrorName(error),
            cudaGetErrorString(error));
    return false;
}

/* ---- devices and streams ------------------------------------------------------------------------------------------- */

enum { GI_MOST_GPUS = 16 };

typedef struct gi_gpu {
    bool    known;   /* have its properties been asked for? */
    bool    pools;   /* does it have cudaMallocAsync? */
    int     processors;
    int64_t used, peak, limit, arrays; /* bytes in arrays and scratch memory; guarded by gi_gpus.lock */
} gi_gpu;

static struct {
    pthread_mutex_t lock;
    gi_gpu          gpu[GI_MOST_GPUS];
} gi_gpus = { PTHREAD_MUTEX_INITIALIZER, {} };

static __thread int       gi_cuda_selected;                /* the device of this thread's new arrays */
static __thread ga_stream gi_cuda_streams[GI_MOST_GPUS];   /* its current stream on each device; NULL: the default stream */

/* Makes `ordinal` the runtime's current device, learning about it the first time. False with an error: no such device. */
static bool gi_cuda_use(const char *site, int ordinal)
{
    int count = 0;
    if (!gi_gpus.gpu[ordinal].known && !GI_CUDA_OK(site, cudaGetDeviceCount(&count))) return false;
    if (!GI_CUDA_OK(site, cudaSetDevice(ordinal))) return false;
    pthread_mutex_lock(&gi_gpus.lock);
    gi_gpu *g = &gi_gpus.gpu[ordinal];
    if (!g->known) {
        int pools = 0, processors = 1;
        (void)cudaDeviceGetAttribute(&pools, cudaDevAttrMemoryPoolsSupported, ordinal);
        (void)cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, ordinal);
        cudaMemPool_t pool;
        uint64_t      keep = UINT64_MAX; /* what is freed stays with us, ready for reuse */
        if (pools && cudaDeviceGetDefaultMemPool(&pool, ordinal) == cudaSuccess)
            (void)cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep);
        (void)cudaGetLastError();
        g->pools      = pools != 0;
        g->processors = processors;
        g->known      = true;
    }
    pthread_mutex_unlock(&gi_gpus.lock);
    return true;
}

/* The device that holds an array, and the stream on which this thread works there. */
static int          gi_cuda_ordinal(const ga_array *a) { return a->owner ? a->owner->ordinal : gi_cuda_selected; }
static cudaStream_t gi_cuda_stream(int ordinal) { return (cudaStream_t)gi_cuda_streams[ordinal]; }

/* The stream of the device that is current since the last gi_cuda_use or gi_cuda_touch. */
static cudaStream_t gi_cuda_current_stream(void)
{
    int ordinal = 0;
    (void)cudaGetDevice(&ordinal);
    return gi_cuda_stream(ordinal);
}

/* Work on `stream` that is queued from now on comes after everything that is queued on `earlier`. */
static bool gi_cuda_after(const char *site, cudaStream_t stream, cudaStream_t earlier)
{
    cudaEvent_t done;
    if (stream == earlier) return true;
    if (!GI_CUDA_OK(site, cudaEventCreateWithFlags(&done, cudaEventDisableTiming))) return false;
    bool ok = GI_CUDA_OK(site, cudaEventRecord(done, earlier)) && GI_CUDA_OK(site, cudaStreamWaitEvent(stream, done, 0));
    (void)cudaEventDestroy(done);
    return ok;
}

/* What every operation does before it touches an array: its device becomes current, and the work that another stream may still be
   doing on its memory is waited for (by the stream, not by the host). False with an error. */
static bool gi_cuda_touch(const char *site, const ga_array *a)
{
    int ordinal = gi_cuda_ordinal(a);
    if (!gi_cuda_use(site, ordinal)) return false;
    cudaStream_t stream = gi_cuda_stream(ordinal);
    if (!a->owner || a->owner->stream == (ga_stream)stream) return true;
    if (!gi_cuda_after(site, stream, (cudaStream_t)a->owner->stream)) return false;
    a->owner->stream = (ga_stream)stream;
    return true;
}

/* Touches the arrays of a call (NULLs are passed over): all must lie on one GPU. */
static bool gi_cuda_touch_all(const char *site, int n, const ga_array *const *arrays)
{
    const ga_array *first = NULL;
    for (int k = 0; k < n; k++) {
        if (!arrays[k]) continue;
        if (!first) first = arrays[k];
        if (gi_cuda_ordinal(arrays[k]) != gi_cuda_ordinal(first)) {
            gi_fail(site, GA_BAD_DEVICE, "the arrays lie on CUDA devices %d and %d: bring them together with ga_to",
                    gi_cuda_ordinal(first), gi_cuda_ordinal(arrays[k]));
            return false;
        }
        if (!gi_cuda_touch(site, arrays[k])) return false;
    }
    return true;
}

/* ---- memory ---------------------------------------------------------------------------------------------------------- */

/* `bytes` bytes on the device, usable by work on `stream`; NULL with an error. Give them back with gi_cuda_release. */
static void *gi_cuda_alloc(const char *site, int ordinal, cudaStream_t stream, size_t bytes)
{
    if (bytes == 0) bytes = 1;
    if (!gi_cuda_use(site, ordinal)) return NULL;
    gi_gpu *g = &gi_gpus.gpu[ordinal];
    pthread_mutex_lock(&gi_gpus.lock);
    int64_t used = g->used, limit = g->limit;
    bool    over = limit > 0 && used + (int64_t)bytes > limit;
    if (!over) g->used += (int64_t)bytes;
    if (g->used > g->peak) g->peak = g->used;
    pthread_mutex_unlock(&gi_gpus.lock);
    if (over)
        return gi_fail(site, GA_NO_MEMORY,
                       "%zu bytes more would pass the limit of %lld bytes on the GPU (%lld are in use): free arrays or raise it",
                       bytes, (long long)limit, (long long)used);
    void       *p     = NULL;
    cudaError_t error = g->pools ? cudaMallocAsync(&p, bytes, stream) : cudaMalloc(&p, bytes);
    if (error == cudaErrorMemoryAllocation && g->pools) { /* once more when everything that is freed has come back */
        (void)cudaGetLastError();
        (void)cudaDeviceSynchronize();
        error = cudaMallocAsync(&p, bytes, stream);
    }
    if (error == cudaSuccess) return p;
    pthread_mutex_lock(&gi_gpus.lock);
    g->used -= (int64_t)bytes;
    pthread_mutex_unlock(&gi_gpus.lock);
    size_t free_bytes = 0, total_bytes = 0;
    if (error != cudaErrorMemoryAllocation || cudaMemGetInfo(&free_bytes, &total_bytes) != cudaSuccess) {
        gi_cuda_ok(site, error, g->pools ? "cudaMallocAsync" : "cudaMalloc");
        return NULL;
    }
    (void)cudaGetLastError();
    return gi_fail(site, GA_NO_MEMORY,
                   "no memory for %zu bytes on the GPU (%lld are in use in arrays, %zu of %zu are free): free arrays or use smaller ones",
                   bytes, (long long)used, free_bytes, total_bytes);
}

static void gi_cuda_release(void *p, int ordinal, cudaStream_t stream, size_t bytes)
{
    if (!p) return;
    if (bytes == 0) bytes = 1;
    gi_gpu *g       = &gi_gpus.gpu[ordinal];
    int     current = ordinal;
    (void)cudaGetDevice(&current);
    if (current != ordinal) (void)cudaSetDevice(ordinal);
    if (g->pools) (void)cudaFreeAsync(p, stream);
    else (void)cudaFree(p); /* waits for the kernels that use it */
    if (current != ordinal) (void)cudaSetDevice(current);
    pthread_mutex_lock(&gi_gpus.lock);
    g->used -= (int64_t)bytes;
    pthread_mutex_unlock(&gi_gpus.lock);
}

static void gi_cuda_release_buffer(gi_buffer *b) { gi_cuda_release(b->base, b->ordinal, (cudaStream_t)b->stream, b->bytes); }

/* Memory for the buffer of a new array. */
static bool gi_cuda_alloc_buffer(const char *site, gi_buffer *b)
{
    b->device  = GA_CUDA;
    b->ordinal = gi_cuda_selected;
    b->stream  = gi_cuda_streams[b->ordinal];
    b->base    = gi_cuda_alloc(site, b->ordinal, (cudaStream_t)b->stream, b->bytes);
    return b->base != NULL;
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
        GI_EACH_DTYPE(GI_CASE)
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
        GI_EACH_DTYPE(GI_CASE)
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

/* A C-ordered copy on `device`, when that or the array's own is a GPU. */
static ga_array *gi_cuda_to(const char *site, const ga_array *a, ga_device device)
{
    ga_array *copy = gi_new(site, a->dtype, device, a->ndim, a->shape);
    if (!copy) return NULL;
    bool ok;
    if (a->device == GA_CPU) {
        ok = gi_cuda_upload(site, copy, a);
    } else if (device == GA_CUDA && gi_cuda_ordinal(a) == gi_cuda_ordinal(copy)) {
        ok = gi_assign(site, copy, a);
    } else {
        ga_array *packed = gi_contiguous(site, a, a->dtype);
        size_t    bytes  = (size_t)(a->size * ga_itemsize(a->dtype));
        ok               = packed && gi_cuda_touch(site, packed);
        if (ok && device == GA_CPU) {
            ok = gi_cuda_read(site, packed, copy->data, packed->data, bytes);
        } else if (ok && bytes > 0) { /* from one GPU to another: both streams wait for the copy */
            cudaStream_t stream = gi_cuda_stream(gi_cuda_ordinal(packed));
            ok = GI_CUDA_OK(site, cudaMemcpyPeerAsync(copy->data, gi_cuda_ordinal(copy), packed->data, gi_cuda_ordinal(packed),
                                                      bytes, stream)) &&
                 GI_CUDA_OK(site, cudaStreamSynchronize(stream));
        }
        ga_free(packed);
    }
    if (ok) return copy;
    ga_free(copy);
    return NULL;
}

/* ==== >>cuda folds: reductions along the documented tree =============================================================== */

/* ==== >>cuda moments: variances ========================================================================================= */

/* ==== >>cuda search: where an extreme lies ============================================================================== */

/* ==== >>cuda scans: running sums ======================================================================================== */

/* ---- counts, made places ------------------------------------------------------------------------------------------------ */
/*  Three launches: blocks add up their shares, one block scans these sums, blocks scan their shares from there on. */

enum { GI_SCAN_ITEMS = 4, GI_SCAN_TILE = GI_SCAN_ITEMS * GI_CUDA_THREADS, GI_SCAN_SHARES = 1024, GI_WARPS = GI_CUDA_THREADS / 32 };

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
        GI_LAUNCH(gi_cuda_scan_share, (unsigned)shares, GI_CUDA_THREADS, stream, data, n, share, (const int64_t *)s, (int64_t *)NULL);
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
    void       *ends; /* (lines, blocks - 1) wide numbers: the last of each block but the last, then what precedes the next one */
    int64_t     length, inner, blocks; /* blocks of a line */
    int64_t     units, tiles;          /* rows in all, or if inner is not 1 those of one block of each line; tiles of these */
    int64_t     turn, row, jump;       /* rows begin `row` elements apart, and `jump` more after each `turn` of them */
    gi_divisor  small_turn;            /* by 0: turn is too large for it */
    uint32_t    places, rows, step;    /* elements of a row; rows of a tile */
    gi_divisor  cut;                   /* by places, or if step is not 1 by rows */
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
GI_DEVICE bool gi_cuda_running_at(const gi_running &m, const gi_running_tile &t, uint32_t q, uint32_t &place, gi_running_row &row)
{
    uint32_t quotient = gi_divide(q, m.cut), rest = q - quotient * m.cut.by, r = m.step == 1 ? quotient : rest;
    place             = m.step == 1 ? rest : quotient;
    row               = gi_cuda_running_row(m, t, r);
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
    gi_running_kernels sums     = { (int64_t)sizeof(W), gi_cuda_running_ends<T, W, to, add>, gi_cuda_running<T, W, to, from, add> };
    gi_running_kernels products = { (int64_t)sizeof(W), gi_cuda_running_ends<T, W, to, multiply>,
                                    gi_cuda_running<T, W, to, from, multiply> };
    return op == GA_OP_add ? sums : products;
}

/* Integers wrap: the bits are those of unsigned ones. */
static gi_running_kernels gi_running_kernels_for(ga_dtype dtype, ga_op op)
{
    switch (dtype) {
    case GA_F32: return gi_running_kernels_of<float, double, gi_cast_f64_f32, gi_cast_f32_f64, gi_op_add_f64, gi_op_multiply_f64>(op);
    case GA_F64: return gi_running_kernels_of<double, double, gi_cast_f64_f64, gi_cast_f64_f64, gi_op_add_f64, gi_op_multiply_f64>(op);
    case GA_C128:
        return gi_running_kernels_of<ga_c128, ga_c128, gi_cast_c128_c128, gi_cast_c128_c128, gi_op_add_c128, gi_op_multiply_c128>(op);
    default:
        return gi_running_kernels_of<uint64_t, uint64_t, gi_cast_u64_u64, gi_cast_u64_u64, gi_op_add_u64, gi_op_multiply_u64>(op);
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
static bool gi_cuda_run_lines(const char *site, const ga_array *on, const gi_running_kernels *narrow, const gi_running_kernels *wide,
                              const void *in, void *out, int64_t outer, int64_t length, int64_t inner)
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
    ga_dtype  read   = dtype == GA_F32 ? GA_F32 : wide; /* other narrow elements are made wide before, and narrow again behind */
    ga_array *packed = gi_contiguous(site, in, dtype);
    if (packed && read != dtype) {
        ga_array *widened = gi_convert(site, packed, read);
        ga_free(packed);
        packed = widened;
    }
    ga_array *target = !packed ? NULL : read == out->dtype ? (ga_view)(out, site) : gi_new(site, read, GA_CUDA, out->ndim, out->shape);
    int64_t   outer = 1, inner = 1;
    for (int d = 0; d < axis; d++) outer *= out->shape[d];
    for (int d = axis + 1; d < out->ndim; d++) inner *= out->shape[d];
    gi_running_kernels narrow = gi_running_kernels_for(read, op), widest = gi_running_kernels_for(wide, op);
    bool               ok     = target && gi_cuda_touch(site, packed) && gi_cuda_touch(site, target) &&
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
        m->count = gi_wide_divisor_of(m->count.by, m->units);
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

template <class U> static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_choose_elements(const __grid_constant__ gi_choosing m)
{
    GI_SHARED(int64_t, row, [GI_WARPS]);
    int64_t  at, lane = threadIdx.x % 32, first = (int64_t)blockIdx.x * GI_CHOOSE_TILE + threadIdx.x / 32 * (32 * GI_CHOOSE_FLAGS) + lane;
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
    int64_t  at, lane = threadIdx.x % 32, first = (int64_t)blockIdx.x * GI_CHOOSE_TILE + threadIdx.x / 32 * (32 * GI_CHOOSE_FLAGS) + lane;
    uint32_t words = gi_cuda_choose(m, row, at), below = (1u << lane) - 1;
#pragma unroll 1
    for (int k = 0; k < GI_CHOOSE_FLAGS; k++) {
        uint32_t word = __shfl_sync(0xffffffffu, words, 2 * k);
        if (word >> lane & 1) { /* the last axis first: what is left of a place is its index along the axes before */
            int64_t place = first + 32 * k, *to = (int64_t *)m.to + at + __popc(word & below);
            for (int d = m.ndim - 1; d > 0; d--) {
                int64_t left      = gi_divide_wide(place, m.shape[d]);
                to[d * m.total] = place - left * m.shape[d].by;
                place             = left;
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
    GI_LAUNCH(gi_cuda_count_true, (unsigned)blocks, GI_CUDA_THREADS, gi_cuda_current_stream(), (const uint8_t *)flags->data, flags->size,
              starts);
    return gi_cuda_launched(site, "counting what is true") && gi_cuda_exclusive_scan(site, flags, starts, blocks, starts + blocks) &&
           gi_cuda_read(site, flags, total, starts + blocks, sizeof *total);
}

/* The elements of a (NULL: the indices) where condition is nonzero. */
static ga_array *gi_cuda_chosen(const char *site, const ga_array *condition, const ga_array *a)
{
    gi_choosing m;
    gi_scratch  starts;
    memset(&m, 0, sizeof m);
    memset(&starts, 0, sizeof starts);
    ga_array *flags  = gi_contiguous(site, condition, GA_BOOL), *chosen = NULL;
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
        GI_EACH_BOOL(GI_CASE) GI_EACH_INT(GI_CASE) GI_EACH_FLT(GI_CASE)
#undef GI_CASE
    default: break;
    }
    return m.edges ? gi_bin_of(x, m.edges, m.bins) : bin;
}

/* Counts into shared memory first, if the bins fit. */
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_count_few(const __grid_constant__ gi_binning m, unsigned long long *counts)
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

static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_count_many(const __grid_constant__ gi_binning m, unsigned long long *counts)
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
                __syncwarp();
            }
        }
        __syncthreads();
    }
}

/* Adds the rows, in their order, to the total. */
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_add_rows(double *total, const double *rows, int64_t bins, int64_t count)
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
    int64_t             most   = (int64_t)gi_gpus.gpu[gi_cuda_ordinal(a)].processors * 8, least = m->n >> 31; /* own counts are 32 bits */
    int64_t             blocks = (m->n + 16 * GI_CUDA_THREADS - 1) / (16 * GI_CUDA_THREADS);
    if (blocks > most) blocks = most > least ? most : least + 1;
    void (*kernel)(const gi_binning, unsigned long long *) = gi_cuda_count_many;
    if (m->bins <= GI_COUNT_SHARED) kernel = gi_cuda_count_few;
    GI_LAUNCH(kernel, (unsigned)blocks, GI_CUDA_THREADS, gi_cuda_current_stream(), *m, counts);
    return gi_cuda_launched(site, "counting");
}

static bool gi_cuda_weigh_all(const char *site, const gi_binning *m, const ga_array *weights, ga_array *total)
{
    const int64_t room    = (int64_t)1 << 25; /* sums of all blocks that are added up at once */
    int64_t       block   = m->bins > GI_COUNT_BLOCK ? m->bins : GI_COUNT_BLOCK, blocks = (m->n + block - 1) / block;
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
        GI_LAUNCH(gi_cuda_add_rows, gi_cuda_blocks(m->bins), GI_CUDA_THREADS, stream, (double *)total->data, (const double *)sums.p,
                  m->bins, count);
        ok = gi_cuda_launched(site, "adding weights");
    }
    gi_scratch_free(&sums);
    return ok;
}

/* How many elements lie in each bin, int64, or the sums of their weights, float64. */
static ga_array *gi_cuda_count_bins(const char *site, const ga_array *a, const ga_array *weights, int64_t bins, const double *edges)
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

/* ==== >>cuda order: medians and percentiles, by selection ================================================================ */

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
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_generator(const __grid_constant__ P plan, int64_t n, char *out, int itemsize)
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

template <class T, class P, void (*make)(const P &, int64_t, T (&)[16 / sizeof(T)])>
static bool gi_cuda_launch_generator(const char *site, ga_array *a, const void *plan)
{
    const P plans = *(const P *)plan;
    GI_LAUNCH((gi_cuda_generator<T, P, make>), gi_cuda_blocks((a->size + 16 / (int)sizeof(T) - 1) / (16 / (int)sizeof(T))), GI_CUDA_THREADS,
              gi_cuda_current_stream(), plans, a->size, (char *)a->data, (int)ga_itemsize(a->dtype));
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
    x[0] = gi_normal_pair(&p, gi_philox((uint64_t)i / 2, p.stream, p.seed), &x[1]);
}

static bool gi_cuda_make_arange_i64(const char *site, ga_array *a, const void *plan)
{
    return gi_cuda_launch_generator<int64_t, gi_arange_plan, gi_cuda_arange_i64>(site, a, plan);
}
static bool gi_cuda_make_arange_f64(const char *site, ga_array *a, const void *plan)
{
    return gi_cuda_launch_generator<double, gi_arange_plan, gi_cuda_arange_f64>(site, a, plan);
}
static bool gi_cuda_make_arange_f32(const char *site, ga_array *a, const void *plan)
{
    return gi_cuda_launch_generator<float, gi_arange_plan, gi_cuda_arange_f32>(site, a, plan);
}
static bool gi_cuda_make_linspace(const char *site, ga_array *a, const void *plan)
{
    return gi_cuda_launch_generator<double, gi_linspace_plan, gi_cuda_linspace>(site, a, plan);
}
static bool gi_cuda_make_random(const char *site, ga_array *a, const void *plan)
{
    switch (((const gi_random_plan *)plan)->kind) {
    case GI_UNIFORM_F32: return gi_cuda_launch_generator<float, gi_random_plan, gi_cuda_uniform_f32>(site, a, plan);
    case GI_UNIFORM_F64: return gi_cuda_launch_generator<double, gi_random_plan, gi_cuda_uniform_f64>(site, a, plan);
    case GI_INTEGERS: return gi_cuda_launch_generator<int64_t, gi_random_plan, gi_cuda_integers>(site, a, plan);
    default: return gi_cuda_launch_generator<double, gi_random_plan, gi_cuda_normal>(site, a, plan);
    }
}

/* Fills a new array with what the generator makes as `from`. */
static bool gi_cuda_generate(const char *site, ga_array *a, ga_dtype from, gi_gpu_generator generator, const void *plan)
{
    if (a->size == 0) return true;
    if (a->dtype == from || (from == GA_F64 && a->dtype == GA_F32) || (from == GA_I64 && gi_is_int(a->dtype)))
        return gi_cuda_touch(site, a) && generator(site, a, plan);
    ga_array *made = gi_new(site, from, GA_CUDA, a->ndim, a->shape);
    bool      ok   = made && gi_cuda_touch(site, made) && generator(site, made, plan) && gi_assign(site, a, made);
    ga_free(made);
    return ok;
}

/* ==== >>cuda images: objects and their measures =========================================================================== */

/* ==== >>cuda streams and devices: what a user can steer ==================================================================== */

#endif
