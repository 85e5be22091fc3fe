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
    const uint8_t      *footprint;
    gi_cuda_window_axis along, across[GPUARR_MAX_DIMS];
    int                 axes; /* across */
    int64_t             rows; /* of the window */
    ga_border           border;
    int64_t             first, results;
    int64_t             rank;
    bool                truth;     /* bool: what is not 0 is 1 */
    bool                real, cut; /* cut: means become whole */
    uint64_t            flip, nan;
    alignas(8) char constant[8];
} gi_cuda_window_job;

typedef void (*gi_cuda_window_kernel)(const gi_cuda_window_job);

/* Keys are unsigned numbers that are ordered like the elements. */
template <class U> GI_DEVICE U gi_cuda_key(const gi_cuda_window_job &m, U x)
{
    const U sign = (U)((U)1 << (8 * sizeof(U) - 1)), infinity = sizeof(U) == 8 ? (U)((uint64_t)0x7ff << 52) : (U)0x7f800000u;
    if (sizeof(U) == 1 && m.truth) x = x != 0;
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
    int64_t               stride = 1, cells = 1, all = gi_shape_size(c->ndim, c->size), longest = 0;
    m->results = gi_shape_size(c->ndim, c->result);
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
    m.truth     = w->work == GA_BOOL;
    m.real      = w->kind != GI_WINDOW_MEAN && gi_is_float(w->work);
    m.cut       = w->cut;
    m.flip      = (gi_is_signed(w->work) ? sign : 0) ^ (w->kind == GI_WINDOW_GREATEST ? all : 0);
    m.nan       = w->kind == GI_WINDOW_RANK ? all : 0; /* the greatest key, the least */
    char constant[16];
    gi_number_to(GA_ARG(w->at.cval), w->work, constant);
    memcpy(m.constant, constant, sizeof m.constant); /* no complex number */
    if (w->kind == GI_WINDOW_MEAN || (w->kind != GI_WINDOW_RANK && !w->footprint && w->count > FEW))
        return gi_cuda_window_passes(site, a, w, m);
    gi_cuda_place_window(w, &m);
    return gi_cuda_start_window(site, gi_cuda_window_of(w), m);
}
