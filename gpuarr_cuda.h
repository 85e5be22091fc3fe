/*  gpuarr_cuda.h -- the CUDA backend. Included by gpuarr.h when a .cu file is compiled (nvcc, or g++ with tools/cudasim), never by you.

    The kernels call the very formulas that the loops of gpuarr_cpu.h call, in the same order: a result has the same bits on both.
    gpuarr.h includes this file three times: GI_CUDA_PART 1 for the runtime, 2 for the kernels of the rows (which includes it once more
    for each element type, GA_TAG), and 3, at the end, for the algorithms. A kernel is launched on the current stream and nothing waits
    for it, except where the host needs a number (how many elements are selected, ga_item ...).

        part 1: >>cuda runtime (devices, errors, streams, memory, copies)
        part 2: >>cuda map  >>cuda tree  >>cuda rows
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
/* clang-format off */
/* Reductions: the formulas of a row, and the kernels that fold with them. */
#define GI_RED(name, what) GI_NAME(gi_cuda_##what##_##name)
#define GI_FOLD_NAMES(name) GI_RED(name, of), GI_RED(name, join), GI_RED(name, end)
#define GA_REDUCTION(name, dtypes, acc, result, start, of_x, join_ab, end_an, ...)                                      \
    GI_IF_##dtypes(GI_DEVICE GI_NAME(gi_acc_##acc) GI_RED(name, of)(GA_T x) { return (of_x); }                          \
    GI_DEVICE GI_NAME(gi_acc_##acc) GI_RED(name, join)(GI_NAME(gi_acc_##acc) a, GI_NAME(gi_acc_##acc) b)                \
    { return (join_ab); }                                                                                              \
    GI_DEVICE GI_NAME(gi_acc_##acc) GI_RED(name, end)(GI_NAME(gi_acc_##acc) a, int64_t n) { return (void)n, (end_an); })
#define GA_TABLE
#include "gpuarr.h"

#define GI_KERNELS_ALL(name, A)                                                                                         \
    f->kernel = gi_cuda_fold<gi_cuda_row_fold<GA_T, A, GI_FOLD_NAMES(name)>>
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
#define GA_REDUCTION(name, dtypes, acc, ...)                                                                            \
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
#define GI_LAUNCH(kernel, grid, block, stream, ...) CUDASIM_LAUNCH(kernel, (grid, block, 0, stream), __VA_ARGS__)
/* GI_SHARED(float, tile, [256]): a variable that the threads of a block share */
#define GI_SHARED(T, name, dims)                                                                                               \
    CUDASIM_SHARED(name, T name dims;);                                                                                        \
    auto &name = cudasim_r##name.name
#else
#define GI_LAUNCH(kernel, grid, block, stream, ...) (kernel)<<<grid, block, 0, stream>>>(__VA_ARGS__)
#define GI_SHARED(T, name, dims)                    __shared__ T name dims
#endif
#define GI_DEVICE              static __device__ __forceinline__

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
    bool    known; /* have its properties been asked for? */
    bool    pools; /* does it have cudaMallocAsync? */
    int     processors;
    int64_t used, peak, limit, arrays; /* bytes in arrays and scratch memory; guarded by gi_gpus.lock */
} gi_gpu;

static struct {
    pthread_mutex_t lock;
    gi_gpu          gpu[GI_MOST_GPUS];
} gi_gpus = { PTHREAD_MUTEX_INITIALIZER, {} };

static __thread int       gi_cuda_selected;              /* the device of this thread's new arrays */
static __thread ga_stream gi_cuda_streams[GI_MOST_GPUS]; /* its current stream on each device; NULL: the default stream */

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
        return gi_fail(
            site, GA_NO_MEMORY,
            "%zu bytes more would pass the limit of %lld bytes on the GPU (%lld are in use): free arrays or raise it", bytes,
            (long long)limit, (long long)used);
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
    return gi_fail(
        site, GA_NO_MEMORY,
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

GI_DEVICE uint32_t gi_divide(uint32_t n, gi_divisor d) { return ((uint32_t)(((uint64_t)n * d.magic) >> 32) + n) >> d.shift; }

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
    uint32_t row = gi_divide(vector, m.row), column = (vector - row * m.row.by) * N;
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
template <class U> GI_DEVICE U           gi_same(U x) { return x; }
template <class U> GI_DEVICE U           gi_choose(bool chosen, U x, U y) { return chosen ? x : y; }
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

/* ==== >>cuda tree: the kernel of all reductions ======================================================================== */
/*  The documented tree (gpuarr.h, >>reduce). A unit is one block of one line; 1 to 32 lanes, a power of two, share it. A lane folds the
    elements i, i + lanes, i + 2 lanes ... in registers (those lie highest in the tree), then the lanes fold their results by halves in
    shared memory. Either the lanes of a unit are neighbours and lie in one warp (rows), or neighbouring threads work on neighbouring
    lines (columns), whichever reads neighbouring memory. Full blocks of packed lines are read 16 bytes at a time: then a lane owns W
    neighbours, whose accumulators change hands before the lanes fold.                                                        */

enum { GI_CUDA_THREADS_LOG = 8, GI_LANE_ELEMENTS = 32, GI_MOST_PASSES = 4 };

typedef struct gi_cuda_folding {
    const char *data;   /* the first element of the first line */
    int64_t     length; /* elements of a line */
    int64_t     stride; /* from one to the next in a run of inner.by elements */
    int64_t     outer;  /* from one run to the next */
    bool        two;    /* are there several runs? (then the length is below 2^31) */
    gi_divisor  inner;
    int64_t     jump, carry;    /* from a lane's element to its next; and more where that begins a new run */
    uint32_t    columns_jumped; /* elements of a run that are jumped over, whole runs apart */
    uint32_t    step;           /* elements of a block from a lane's element to its next */
    int         step_log, lanes; /* lanes: the logarithm of their number */
    bool        columns, packed;
    bool        again;  /* are the elements accumulators already? */
    bool        narrow; /* is the result of half the accumulator's width? */
    uint32_t    units;
    gi_divisor  per; /* rows: blocks of a line; columns: lines */
    int         kept;
    gi_divisor  kept_shape[GPUARR_MAX_DIMS];
    int64_t     kept_strides[GPUARR_MAX_DIMS];
    uint64_t    mask[2];       /* the bits of an element that make it true */
    int64_t     count;         /* elements that are folded into a result */
    int64_t     blocks;        /* accumulators of a line in accs */
    char       *accs, *result; /* where accumulators, or else results, go */
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
GI_DEVICE void gi_cuda_put(const gi_cuda_folding &j, uint32_t line, double v)
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

    __device__ __forceinline__ gi_cuda_row_fold(const gi_cuda_folding &job, uint32_t, const char *, int64_t, uint32_t) : j(job) {}
    __device__ __forceinline__ A of(T x, uint32_t) const
    {
        A a;
        return gi_cuda_again(j, x, &a) ? a : of_(x);
    }
    __device__ __forceinline__ A join(A a, A b, uint32_t, uint32_t) const { return join_(a, b); }
    __device__ __forceinline__ void end(uint32_t line, A a) const { gi_cuda_put(j, line, end_(a, j.count)); }
};

/* A row that asks whether elements are true, of elements of any type: a unsigned integer of their size. */
GI_DEVICE bool gi_cuda_truth(const gi_cuda_folding &j, uint64_t x) { return (x & j.mask[0]) != 0; }
GI_DEVICE bool gi_cuda_truth(const gi_cuda_folding &j, const gi_16_bytes &x)
{
    return ((x.part[0] & j.mask[0]) | (x.part[1] & j.mask[1])) != 0;
}
template <class U, class A_, A_ (*of_)(bool), A_ (*join_)(A_, A_), A_ (*end_)(A_, int64_t)> struct gi_cuda_truth_fold {
    typedef U  T;
    typedef A_ A;
    enum { any_order = 1 };
    const gi_cuda_folding &j;

    __device__ __forceinline__ gi_cuda_truth_fold(const gi_cuda_folding &job, uint32_t, const char *, int64_t, uint32_t) : j(job) {}
    __device__ __forceinline__ A of(U x, uint32_t) const { return of_(gi_cuda_truth(j, x)); }
    __device__ __forceinline__ A join(A a, A b, uint32_t, uint32_t) const { return join_(a, b); }
    __device__ __forceinline__ void end(uint32_t line, A a) const { gi_cuda_put(j, line, end_(a, j.count)); }
};

/* Where the elements of a lane lie in their block: RUN of them lie `near` apart, from run to run it is `far`. */
template <int RUN> struct gi_cuda_lane {
    uint32_t first, near, far, count; /* the first element; how many exist */
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

template <class F> static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_fold(const __grid_constant__ gi_cuda_folding j)
{
    typedef typename F::T T;
    typedef typename F::A A;
    /* neighbours that a lane reads at once, and those of their accumulators that must change hands */
    enum { HALF = GI_LANE_ELEMENTS / 2, WIDEST = GI_VECTOR(sizeof(T)), W = F::any_order || WIDEST < 4 ? WIDEST : 4 };
    enum { LEFT = F::any_order ? 1 : W };
    GI_SHARED(A, shared, [GI_CUDA_THREADS * GI_MOST_PASSES]);
    const uint32_t lanes = 1u << j.lanes, units = GI_CUDA_THREADS >> j.lanes;
    const uint32_t within = j.columns ? threadIdx.x & (units - 1) : threadIdx.x >> j.lanes; /* which unit of the block of threads */
    const uint32_t i      = j.columns ? threadIdx.x >> (GI_CUDA_THREADS_LOG - j.lanes) : threadIdx.x & (lanes - 1);
    const uint32_t unit   = blockIdx.x * units + within;
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
    A             *s     = shared + (j.columns ? within : within * lanes * GI_MOST_PASSES); /* of this unit */
    A              a[HALF];
#pragma unroll 1
    for (uint32_t e = i; e < j.step; e += lanes) { /* a pass: elements e, e + step, e + 2 step ... */
        T               x[GI_LANE_ELEMENTS];
        gi_cuda_lane<W> lane;
        if (whole) {
            const T *p = (const T *)at + start + W * i;
#pragma unroll
            for (int r = 0; r < GI_LANE_ELEMENTS / W; r++) {
                const gi_pack<T, W> pack = *(const gi_pack<T, W> *)(p + r * 32 * W);
#pragma unroll
                for (int c = 0; c < W; c++) x[r * W + c] = pack.e[c];
            }
            lane.first = W * i;
            lane.near  = 1;
            lane.far   = 32 * W;
            lane.count = GI_LANE_ELEMENTS;
        } else {
            const int64_t  run = j.two ? gi_divide((uint32_t)start + e, j.inner) : 0; /* of inner.by elements, `stride` apart */
            const int64_t  column = start + e - run * j.inner.by;
            const char    *p      = at + run * j.outer + column * j.stride;
            uint32_t       left = j.two ? j.inner.by - (uint32_t)column : UINT32_MAX; /* of the run */
            lane.first = e;
            lane.near  = j.step;
            lane.far   = W * j.step;
            lane.count = n > e ? (n - e + j.step - 1) >> j.step_log : 0;
#pragma unroll
            for (uint32_t k = 0; k < GI_LANE_ELEMENTS; k++) {
                x[k] = T();
                if (k < lane.count) x[k] = *(const T *)p;
                p += j.jump;
                if (j.columns_jumped < left) {
                    left -= j.columns_jumped;
                } else {
                    left += j.inner.by - j.columns_jumped;
                    p += j.carry;
                }
            }
        }
#pragma unroll
        for (int k = 0; k < HALF; k++) {
            a[k] = f.of(x[k], lane.at(k));
            if (k + HALF < lane.count) a[k] = f.join(a[k], f.of(x[k + HALF], lane.at(k + HALF)), lane.at(k), lane.apart(HALF));
        }
        gi_cuda_halve<HALF / 2, LEFT>(f, lane, a);
        if (LEFT > 1 && !whole) gi_cuda_halve<LEFT / 2, 1>(f, lane, a);
        if (j.step > lanes) s[e * pitch] = a[0]; /* only this thread reads it */
    }
    if (LEFT > 1 && whole) { /* neighbours' accumulators change hands */
#pragma unroll
        for (int c = 0; c < LEFT; c++) s[W * i + c] = a[c];
        __syncwarp();
        gi_cuda_lane<LEFT> lane;
        lane.first = i;
        lane.near  = 32;
        lane.far   = 0;
        lane.count = LEFT;
#pragma unroll
        for (int c = 0; c < LEFT; c++) a[c] = s[i + 32 * c];
        gi_cuda_halve<LEFT / 2, 1>(f, lane, a);
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
        if (j.columns) __syncthreads();
        else __syncwarp();
        if (i < h && i + h < n) s[i * pitch] = a[0] = f.join(a[0], s[(i + h) * pitch], i, h);
    }
    if (i > 0 || n == 0) return;
    if (j.accs) ((A *)j.accs)[line * j.blocks + start / GI_BLOCK] = a[0];
    else f.end(line, a[0]);
}

/* How the GPU folds a row for a dtype. */
typedef struct gi_cuda_row_folds {
    gi_cuda_fold_kernel kernel;                  /* of the elements, if truth is NULL */
    gi_cuda_fold_kernel (*truth)(int64_t size); /* the kernel that looks at the truth of elements of any dtype */
    gi_cuda_fold_kernel again;                   /* of accumulators; NULL: the row's kernel for their dtype */
    ga_dtype            accs;                    /* the dtype of an accumulator */
} gi_cuda_row_folds;

template <class A> static ga_dtype gi_cuda_dtype_of(void);
#define GI_CASE(TAG, tag, T, name)                                                                                             \
    template <> ga_dtype gi_cuda_dtype_of<T>(void) { return GA_##TAG; }
GI_EACH_DTYPE(GI_CASE)
#undef GI_CASE

template <class A, A (*of)(bool), A (*join)(A, A), A (*end)(A, int64_t)> static gi_cuda_fold_kernel gi_cuda_truth_kernel(int64_t itemsize)
{
    switch (itemsize) {
    case 1: return gi_cuda_fold<gi_cuda_truth_fold<uint8_t, A, of, join, end>>;
    case 2: return gi_cuda_fold<gi_cuda_truth_fold<uint16_t, A, of, join, end>>;
    case 4: return gi_cuda_fold<gi_cuda_truth_fold<uint32_t, A, of, join, end>>;
    case 8: return gi_cuda_fold<gi_cuda_truth_fold<uint64_t, A, of, join, end>>;
    default: return gi_cuda_fold<gi_cuda_truth_fold<gi_16_bytes, A, of, join, end>>;
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
        GI_EACH_DTYPE(GI_CASE)
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
        GI_EACH_DTYPE(GI_CASE)
#undef GI_CASE
    default: return NULL;
    }
}

/* How a reduction folds a dtype on the GPU; false if its row does not have it. */
static bool gi_cuda_find_fold(ga_op op, ga_dtype dtype, gi_cuda_row_folds *f)
{
    memset(f, 0, sizeof *f);
    switch (dtype) {
#define GI_CASE(TAG, tag, T, name)                                                                                             \
    case GA_##TAG: return gi_cuda_find_fold_##tag(op, f);
        GI_EACH_DTYPE(GI_CASE)
#undef GI_CASE
    default: return false;
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
    gi_gpu_kernel kernel = j->gpu;
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

/* Lines whose elements lie in memory as they are folded: in their dtype, with at most two strides. */
typedef struct gi_cuda_lines {
    const char *data;
    int         kept;
    int64_t     kept_shape[GPUARR_MAX_DIMS], kept_strides[GPUARR_MAX_DIMS];
    int64_t     lines, length, stride, outer, inner; /* inner: elements that lie `stride` apart, the next ones begin `outer` away */
    int64_t     size;                                /* bytes of an element */
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

/* The lines of a plan as elements of `dtype` (or of their own dtype, if that is GA_DTYPE_DEFAULT), copied where they cannot be folded
   as they lie. *copy is to be freed. False with an error. */
static bool gi_cuda_lines_of(const char *site, const gi_lines *p, ga_dtype dtype, gi_cuda_lines *q, ga_array **copy)
{
    *copy = NULL;
    if (dtype == GA_DTYPE_DEFAULT) dtype = p->a->dtype;
    if (dtype != p->a->dtype || p->reduced > 2 || (p->reduced == 2 && p->length >= (int64_t)1 << 30)) {
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
        *copy = view ? gi_convert(site, view, dtype) : NULL;
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

/* Launches one level of the tree: each block of each line becomes an accumulator in j->accs, or the result of the line. */
static bool gi_cuda_fold_level(const char *site, gi_cuda_fold_kernel kernel, gi_cuda_folding j, gi_cuda_lines p, int64_t acc_bytes,
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
        if (!gi_cuda_fold_level(site, kernel, j, half, acc_bytes, result_bytes)) return false;
        p.data += half.kept_shape[0] * p.kept_strides[0];
        p.kept_shape[0] -= half.kept_shape[0];
        p.lines -= lines;
        if (j.accs) j.accs += lines * j.blocks * acc_bytes;
        else j.result += lines * result_bytes;
        return gi_cuda_fold_level(site, kernel, j, p, acc_bytes, result_bytes);
    }
    if (blocks > most) { /* one line of 2^40 elements and more */
        gi_cuda_lines part = p;
        part.length = part.inner = most * GI_BLOCK;
        if (!gi_cuda_fold_level(site, kernel, j, part, acc_bytes, result_bytes)) return false;
        p.data += part.length * p.stride;
        p.inner = p.length -= part.length;
        j.accs += most * acc_bytes;
        return gi_cuda_fold_level(site, kernel, j, p, acc_bytes, result_bytes);
    }
    int64_t block = p.length < GI_BLOCK ? p.length : GI_BLOCK, near = p.kept > 0 ? llabs(p.kept_strides[p.kept - 1]) : 0;
    j.data    = p.data;
    j.stride  = p.stride;
    j.outer   = p.outer;
    j.length  = p.length;
    j.two     = p.inner < p.length;
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
    while (GI_LANE_ELEMENTS << j.lanes < block) j.lanes++;
    j.step_log = j.lanes;
    j.step     = 1u << j.lanes;
    if (j.columns) { /* fewer lanes, in more passes, for more neighbours: as long as all of the GPU has work */
        int64_t enough = 2 * gi_gpus.gpu[gi_cuda_ordinal_in_use()].processors;
        while (j.lanes > 0 && j.step >> j.lanes < GI_MOST_PASSES && ((int64_t)j.units << (j.lanes - 1)) / GI_CUDA_THREADS >= enough)
            j.lanes--;
    }
    int64_t runs     = j.two ? j.step / p.inner : 0;
    j.columns_jumped = (uint32_t)(j.two ? j.step % p.inner : 0);
    j.jump           = runs * p.outer + (j.two ? j.columns_jumped : j.step) * p.stride;
    j.carry          = p.outer - p.inner * p.stride;
    GI_LAUNCH(kernel, gi_cuda_blocks((int64_t)j.units << j.lanes), GI_CUDA_THREADS, gi_cuda_current_stream(), j);
    return gi_cuda_launched(site, "a reduction");
}

/* Folds lines that are not empty by `kernel`, then the accumulators by `again`, until one is left for each line: `j` says what becomes
   of it. `on` is an array on the device, touched before. */
static bool gi_cuda_fold_lines(const char *site, const ga_array *on, gi_cuda_fold_kernel kernel, gi_cuda_fold_kernel again,
                               gi_cuda_folding j, gi_cuda_lines p, int64_t acc_bytes, int64_t result_bytes)
{
    gi_scratch from = { NULL, 0, 0, NULL }, to = { NULL, 0, 0, NULL };
    bool       ok   = true;
    j.count         = p.length;
    while (ok) {
        int64_t blocks = (p.length + GI_BLOCK - 1) / GI_BLOCK;
        j.blocks       = blocks;
        j.accs         = NULL;
        if (blocks > 1) {
            ok = gi_scratch_get(site, &to, on, (size_t)(p.lines * blocks * acc_bytes));
            if (!ok) break;
            j.accs = (char *)to.p;
        }
        ok = gi_cuda_fold_level(site, kernel, j, p, acc_bytes, result_bytes);
        if (from.p) gi_scratch_free(&from);
        if (blocks == 1) break;
        from    = to;
        to.p    = NULL;
        p       = gi_cuda_packed_lines(from.p, p.lines, blocks, acc_bytes);
        kernel  = again;
        j.again = true;
    }
    if (from.p) gi_scratch_free(&from);
    return ok;
}

/* The bits that make an element of a dtype true: all but the sign of zero. */
static void gi_cuda_truth_mask(ga_dtype dtype, uint64_t mask[2])
{
    mask[0] = mask[1] = UINT64_MAX;
    if (dtype == GA_F32) mask[0] = 0x7fffffffu;
    if (dtype == GA_C64) mask[0] = 0x7fffffff7fffffffu;
    if (dtype == GA_F64 || dtype == GA_C128) mask[0] = mask[1] = INT64_MAX;
}

/* A row of the table over planned lines that are not empty. */
static bool gi_cuda_reduce(const char *site, ga_op op, const gi_lines *p, ga_array *result)
{
    gi_cuda_row_folds f, of_accs;
    gi_cuda_folding   j;
    gi_cuda_lines     lines;
    ga_array         *copy;
    memset(&j, 0, sizeof j);
    if (p->lines == 0) return true;
    if (!gi_cuda_find_fold(op, p->dtype, &f)) return false;
    const ga_array *both[2] = { p->a, result };
    if (!gi_cuda_touch_all(site, 2, both)) return false;
    if (!gi_cuda_lines_of(site, p, f.truth ? p->a->dtype : p->dtype, &lines, &copy)) return false;
    if (f.truth) {
        f.kernel = f.truth(ga_itemsize(p->a->dtype));
        gi_cuda_truth_mask(p->a->dtype, j.mask);
    }
    if (!f.again && gi_cuda_find_fold(op, f.accs, &of_accs)) f.again = of_accs.kernel;
    j.narrow = ga_itemsize(result->dtype) < ga_itemsize(f.accs);
    j.result = (char *)result->data;
    bool ok  = gi_cuda_fold_lines(site, p->a, f.kernel, f.again, j, lines, ga_itemsize(f.accs), ga_itemsize(result->dtype));
    ga_free(copy);
    return ok;
}

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

#endif
