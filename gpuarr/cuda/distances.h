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
GI_DEVICE float  gi_cuda_times(float a, float b) { return gi_mul_f32(a, b); }
GI_DEVICE double gi_cuda_times(double a, double b) { return gi_mul_f64(a, b); }
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

template <ga_metric METRIC, class T> GI_DEVICE T gi_cuda_add_weighted(T sum, T x, T y, T weight)
{
    const T d = gi_cuda_length(x - y), both = gi_cuda_length(x) + gi_cuda_length(y);
    switch (METRIC) {
    case GA_HAMMING: return sum + (x != y ? weight : T(0));
    case GA_CITYBLOCK: return sum + gi_cuda_times(d, weight);
    case GA_CANBERRA: return sum + gi_cuda_times(d / (both == 0 ? T(1) : both), weight);
    case GA_SEUCLIDEAN: return sum + gi_cuda_times(gi_cuda_times(d, weight), gi_cuda_times(d, weight));
    case GA_SQEUCLIDEAN: return sum + gi_cuda_times(d, gi_cuda_times(d, weight));
    default: return sum + gi_cuda_times(gi_cuda_times(d, d), weight);
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

template <class T, ga_metric METRIC, bool WEIGHTED>
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_distance(const __grid_constant__ gi_distances d, uint32_t across)
{
    enum {
        PACK  = GI_VECTOR(sizeof(T)),
        WIDTH = GI_DISTANCE_SIDE + PACK
    }; /* so that the writes of a warp go to several banks */
    GI_BLOCK_SHARED(T, y, [2][GI_DISTANCE_DEPTH][WIDTH]);
    typedef gi_cuda_pack<T, PACK> pack;
    GI_BLOCK_SHARED(pack, x, [2][GI_DISTANCE_DEPTH][WIDTH / PACK]);
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
            const T weight = WEIGHTED && start + k < d.features ? ((const T *)d.w)[start + k] : T(0);
            pack    row[GI_DISTANCE_EACH / PACK];
            T       column[GI_DISTANCE_EACH];
#pragma unroll
            for (int r = 0; r < GI_DISTANCE_EACH / PACK; r++) row[r] = x[turn][k][group * (GI_DISTANCE_EACH / PACK) + r];
#pragma unroll
            for (int c = 0; c < GI_DISTANCE_EACH; c++) column[c] = y[turn][k][lane + c * GI_DISTANCE_STEP];
#pragma unroll
            for (int r = 0; r < GI_DISTANCE_EACH; r++)
#pragma unroll
                for (int c = 0; c < GI_DISTANCE_EACH; c++)
                    sums[r][c] = WEIGHTED
                                     ? gi_cuda_add_weighted<METRIC>(sums[r][c], row[r / PACK].e[r % PACK], column[c], weight)
                                     : gi_cuda_add_distance<METRIC>(sums[r][c], row[r / PACK].e[r % PACK], column[c]);
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
            if (METRIC == GA_SEUCLIDEAN || (METRIC <= GA_SQEUCLIDEAN && d.metric == GA_EUCLIDEAN)) sum = gi_cuda_root_of(sum);
            ((T *)d.out)[d.condensed ? gi_pair_place(d.columns, row, column) : row * d.columns + column] = sum;
        }
    }
}

typedef void (*gi_cuda_distance_kernel)(const gi_distances, uint32_t);
template <class T> static gi_cuda_distance_kernel gi_cuda_distance_kernel_for(ga_metric metric, bool weighted)
{
    switch (metric) {
    case GA_CITYBLOCK: return weighted ? gi_cuda_distance<T, GA_CITYBLOCK, true> : gi_cuda_distance<T, GA_CITYBLOCK, false>;
    case GA_CHEBYSHEV: return gi_cuda_distance<T, GA_CHEBYSHEV, false>;
    case GA_COSINE: return gi_cuda_distance<T, GA_COSINE, false>;
    case GA_HAMMING: return gi_cuda_distance<T, GA_HAMMING, true>;
    case GA_CANBERRA: return gi_cuda_distance<T, GA_CANBERRA, true>;
    case GA_SEUCLIDEAN: return gi_cuda_distance<T, GA_SEUCLIDEAN, true>;
    default: /* without weights also the squares of its root */
        if (!weighted) return gi_cuda_distance<T, GA_SQEUCLIDEAN, false>;
        return metric == GA_EUCLIDEAN ? gi_cuda_distance<T, GA_EUCLIDEAN, true> : gi_cuda_distance<T, GA_SQEUCLIDEAN, true>;
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
    gi_cuda_distance_kernel kernel = x->dtype == GA_F32 ? gi_cuda_distance_kernel_for<float>(d->metric, d->w != NULL)
                                                        : gi_cuda_distance_kernel_for<double>(d->metric, d->w != NULL);
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
    GI_BLOCK_SHARED(U, square, [GI_SQUARE_SIDE][GI_SQUARE_SIDE + 1]);
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
