/* ==== >>cuda tree: the kernel of all reductions ======================================================================== */
/*  The documented tree (gpuarr.h, >>reductions). A unit is one block of one line; 1 to 64 lanes, a power of two, share it. A lane folds the
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
    int         what, ddof;
    bool        skip_nan, shifted;
    const char *origins;    /* the first element of each line; NULL: those of the lines that are there */
    double      ratio[10];  /* for the last block of a line, where the first node has one element more than the second */
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
    const char     *data;
    int             kept;
    gi_cuda_divisor kept_shape[GPUARR_MAX_DIMS];
    int64_t         kept_strides[GPUARR_MAX_DIMS];
    int64_t         stride, outer; /* in a run of inner.by elements, and from one run to the next */
    bool            two;           /* are there several runs? */
    gi_cuda_divisor inner;
} gi_cuda_input;

typedef struct gi_cuda_folding {
    const char     *data;         /* the first element of the first line */
    int64_t         lines_before; /* lines before that one */
    int64_t         length;       /* elements of a line */
    int64_t         before;       /* elements of the line before data (of a line in several launches) */
    int64_t         stride;       /* from one to the next in a run of inner.by elements */
    int64_t         outer;        /* from one run to the next */
    bool            two;          /* are there several runs? (then the length is below 2^31) */
    gi_cuda_divisor inner;
    int64_t         jump, carry;     /* from a lane's element to its next; and more where that begins a new run */
    uint32_t        columns_jumped;  /* elements of a run that are jumped over, whole runs apart */
    uint32_t        step;            /* elements of a block from a lane's element to its next */
    int             step_log, lanes; /* lanes: the logarithm of their number */
    bool            columns, packed;
    bool            again;  /* are the elements accumulators already? */
    bool            narrow; /* is the result of half the accumulator's width? */
    uint32_t        units;
    gi_cuda_divisor per; /* rows: blocks of a line; columns: lines */
    int             kept;
    gi_cuda_divisor kept_shape[GPUARR_MAX_DIMS];
    int64_t         kept_strides[GPUARR_MAX_DIMS];
    bool            truth;         /* bool, as the numbers 0 and 1 */
    uint64_t        mask;          /* the bits of an element that make it true */
    int64_t         count;         /* elements that are folded into a result */
    int64_t         blocks;        /* accumulators of a line in accs */
    char           *accs, *result; /* where accumulators, or else results, go */
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

/* An element as a number: of bool what is not 0 is 1. */
template <class T> GI_DEVICE T gi_cuda_number(const gi_cuda_folding &j, T x) { return (void)j, x; }
GI_DEVICE uint8_t              gi_cuda_number(const gi_cuda_folding &j, uint8_t x) { return j.truth ? x != 0 : x; }

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
        return gi_cuda_again(j, x, &a) ? a : of_(gi_cuda_number(j, x));
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
    GI_BLOCK_SHARED(A, shared, [GI_CUDA_THREADS * GI_WIDER(GI_MOST_PASSES(sizeof(A)), LEFT)]);
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
                    const gi_cuda_pack<T, W> pack = *(const gi_cuda_pack<T, W> *)(p + r * GI_MOST_LANES * W);
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
