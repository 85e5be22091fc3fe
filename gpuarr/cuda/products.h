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
        if (start + k < inner && other < f.others)
            share[i] = *(const gi_stored<T> *)(f.data + (start + k) * f.inner + other * f.other);
    }
}

template <class T>
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_product_kernel(const __grid_constant__ gi_product p, int64_t first, uint32_t across, uint32_t tiles)
{
    enum { DEPTH = sizeof(T) == 16 ? 8 : 16, SHARE = GI_PRODUCT_SIDE * DEPTH / GI_CUDA_THREADS };
    enum { WIDTH = GI_PRODUCT_SIDE + (sizeof(T) >= 4 ? 16 / sizeof(T) : 4) }; /* so that writes go to several banks */
    GI_BLOCK_SHARED(T, x, [2][DEPTH][WIDTH]);
    GI_BLOCK_SHARED(T, y, [2][DEPTH][WIDTH]);
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
        for (int c = 0; c < GI_PRODUCT_EACH; c++) {
            const int64_t i = row + group * GI_PRODUCT_EACH + r, j = column + lane + c * GI_PRODUCT_STEP;
            if (p.more && i < p.rows && j < p.columns)
                sums[r][c] = *(const gi_stored<T> *)(out + i * p.out.row + j * p.out.column);
            else gi_cuda_begin(sums[r][c]);
        }
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
    const ga_c128           one = { 1, 0 }, zero = { p->more ? 1.0 : 0, 0 }; /* what is there counts so much */
    const float             one32[2] = { 1, 0 }, zero32[2] = { p->more ? 1.0f : 0, 0 };
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
    for (int64_t item = 0; item < gi_shape_size(p->axes, p->shape) && status == CUBLAS_STATUS_SUCCESS; item++) {
        const char *x, *y;
        char       *to;
        gi_product_locate_item(p, item, &x, &y, &to);
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
        gi_product_transpose(p); /* to write side by side */
#if defined(GPUARR_USE_CUBLAS) && !defined(__CUDASIM__)
    bool done;
    if (!gi_cublas_product(site, p, &done)) return false;
    if (done) return true;
#endif
    const int64_t across = (p->columns + GI_PRODUCT_SIDE - 1) / GI_PRODUCT_SIDE;
    const int64_t tiles  = across * ((p->rows + GI_PRODUCT_SIDE - 1) / GI_PRODUCT_SIDE),
                  count  = gi_shape_size(p->axes, p->shape);
    const int64_t most   = INT32_MAX / tiles;
    for (int64_t first = 0; first < count; first += most) {
        const int64_t n = count - first < most ? count - first : most;
        GI_LAUNCH(gi_cuda_find_product(p->dtype), (unsigned)(n * tiles), GI_CUDA_THREADS, gi_cuda_current_stream(), *p, first,
                  (uint32_t)across, (uint32_t)tiles);
        if (!gi_cuda_launched(site, "a matrix product")) return false;
    }
    return true;
}
