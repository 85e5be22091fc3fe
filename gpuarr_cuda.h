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

/* ==== >>cuda selecting: the elements that a condition chooses, and those that indices name ============================== */

/* ==== >>cuda counting: histograms and bins =============================================================================== */

/* ==== >>cuda sorting ====================================================================================================== */

/* ==== >>cuda order: medians and percentiles, by selection ================================================================ */

/* ==== >>cuda generators: sequences and random numbers ===================================================================== */

/* ==== >>cuda images: objects and their measures =========================================================================== */

/* ==== >>cuda streams and devices: what a user can steer ==================================================================== */

#endif
