/* ==== >>own kernels: what the kernels of GA_ELEMENTWISE share with those of the rows =================================== */

#define GI_DEVICE static __device__ __forceinline__
#ifdef __CUDASIM__
/* GI_BLOCK_SHARED(float, tile, [256]): a variable that the threads of a block share */
#define GI_BLOCK_SHARED(T, name, dims)                                                                                         \
    CUDASIM_SHARED(name, T name dims;);                                                                                        \
    auto &name = cudasim_r##name.name
#else
#define GI_BLOCK_SHARED(T, name, dims) __shared__ T name dims
#endif

enum { GI_CUDA_THREADS = 256 };

/* Division of numbers below 2^31 by one that is known before the launch: a product and a shift. */
typedef struct gi_cuda_divisor {
    uint32_t by, magic, shift;
} gi_cuda_divisor;

GI_DEVICE uint32_t gi_divide(uint32_t n, gi_cuda_divisor d)
{
    return ((uint32_t)(((uint64_t)n * d.magic) >> 32) + n) >> d.shift;
}

typedef enum gi_how { GI_HOW_PACKED, GI_HOW_SPREAD, GI_HOW_NUMBER } gi_how; /* spread: one element for a row */

typedef struct gi_cuda_operand {
    char   *data;
    gi_how  how;
    int64_t strides[GPUARR_MAX_DIMS];
    alignas(16) uint64_t number[2]; /* the element, if it is a number */
} gi_cuda_operand;

/* What threads run over. */
struct gi_cuda_grid {
    uint32_t        elements, vectors; /* in all; below 2^31 */
    bool            packed;            /* do threads compute vectors? */
    gi_cuda_divisor row;               /* vectors of a row */
    int             ndim;
    gi_cuda_divisor shape[GPUARR_MAX_DIMS];
};

/* Elements of a thread's vector whose widest element has so many bytes. */
#define GI_VECTOR(bytes) ((bytes) >= 16 || ((bytes) & ((bytes)-1)) != 0 ? 1 : 16 / (int)(bytes))
#define GI_WIDER(a, b)   ((a) > (b) ? (a) : (b))

/* A vector as it is loaded and stored: one access of at most 16 bytes. */
template <class T, int N> struct alignas(N > 1 || sizeof(T) == 16 ? sizeof(T) * N : alignof(T)) gi_cuda_pack {
    T e[N];
};

/* The elements of a thread: first, first + step ... below end. A step of N means whole vectors. */
template <int N> struct gi_span {
    uint32_t first, end, step;

    __device__ __forceinline__ gi_span(const gi_cuda_grid &m)
    {
        const uint32_t begin = blockIdx.x * (GI_CUDA_THREADS * N);
        first                = begin + threadIdx.x;
        end                  = m.elements - begin < GI_CUDA_THREADS * N ? m.elements : begin + GI_CUDA_THREADS * N;
        step                 = GI_CUDA_THREADS;
        if (!m.packed) return;
        const uint32_t vector = blockIdx.x * GI_CUDA_THREADS + threadIdx.x, columns = m.shape[m.ndim - 1].by;
        const uint32_t row = gi_divide(vector, m.row), column = (vector - row * m.row.by) * N;
        const bool     all = columns - column >= N;
        first              = vector < m.vectors ? row * columns + column : 0;
        end                = vector < m.vectors ? first + (all ? N : columns - column) : 0;
        step               = all ? N : 1;
    }
};

/* What an element is read as. Any byte of a bool but 0 is true: it becomes a bool where it is assigned to one. */
template <class T> struct gi_stored_as {
    typedef T type;
};
template <> struct gi_stored_as<bool> {
    typedef uint8_t type;
};
template <class T> using gi_stored = typename gi_stored_as<T>::type;

template <class T, int N> GI_DEVICE void gi_cuda_load(const gi_cuda_operand &v, const char *p, T (&x)[N])
{
    if (v.how == GI_HOW_PACKED) {
        gi_cuda_pack<gi_stored<T>, N> pack = *(const gi_cuda_pack<gi_stored<T>, N> *)p;
#pragma unroll
        for (int k = 0; k < N; k++) x[k] = pack.e[k];
    } else {
        const T one = v.how == GI_HOW_NUMBER ? *(const gi_stored<T> *)v.number : *(const gi_stored<T> *)p;
#pragma unroll
        for (int k = 0; k < N; k++) x[k] = one;
    }
}

template <class T> GI_DEVICE T gi_cuda_load_one(const gi_cuda_operand &v, const char *p)
{
    return v.how == GI_HOW_NUMBER ? *(const gi_stored<T> *)v.number : *(const gi_stored<T> *)p;
}

/* What a kernel of the user's is given: the operands in the order of its parameters, then the result of the formula. */
struct gi_cuda_own : gi_cuda_grid {
    gi_cuda_operand operand[GI_MOST_OPERANDS + 1], mask;
    bool            masked;
    int64_t         index, place[GPUARR_MAX_DIMS]; /* GA_INDEX of the first element, and its strides */
};

/* Where an element lies in each of K operands. */
template <int K> struct gi_own_place {
    char       *at[K];
    const char *mask;
    int64_t     index;

    __device__ __forceinline__ gi_own_place(const gi_cuda_own &m, uint32_t element)
    {
#pragma unroll
        for (int k = 0; k < K; k++) at[k] = m.operand[k].data;
        mask  = m.mask.data;
        index = m.index;
#pragma unroll 1
        for (int d = m.ndim - 1; d >= 0; d--) {
            const uint32_t above = gi_divide(element, m.shape[d]), i = element - above * m.shape[d].by;
            element = above;
#pragma unroll
            for (int k = 0; k < K; k++) at[k] += i * m.operand[k].strides[d];
            mask += i * m.mask.strides[d];
            index += i * m.place[d];
        }
    }
};

/* N elements of parameter I, whose type is P: read before the formula, or, if P is a pointer, written after it; as a vector, or one
   alone. */
template <int I, int N, bool VECTOR, class P> struct gi_own_slot {
    enum { bytes = sizeof(P) };
    P                               e[N];
    __device__ __forceinline__ void read(const gi_cuda_operand &v, const char *p)
    {
        if (VECTOR) gi_cuda_load(v, p, e);
        else e[0] = gi_cuda_load_one<P>(v, p);
    }
    __device__ __forceinline__ P    argument(int k) { return e[k]; }
    __device__ __forceinline__ void write(char *) const {}
};
template <int I, int N, bool VECTOR, class P> struct gi_own_slot<I, N, VECTOR, P *> {
    enum { bytes = sizeof(P) };
    gi_cuda_pack<P, N>              e;
    __device__ __forceinline__ void read(const gi_cuda_operand &, const char *)
    {
#pragma unroll
        for (int k = 0; k < N; k++) e.e[k] = P();
    }
    __device__ __forceinline__ P   *argument(int k) { return &e.e[k]; }
    __device__ __forceinline__ void write(char *p) const
    {
        if (VECTOR) *(gi_cuda_pack<P, N> *)p = e;
        else *(P *)p = e.e[0];
    }
};

template <int... I> struct gi_own_numbers {
};
template <int K, int... I> struct gi_own_numbers_below : gi_own_numbers_below<K - 1, K - 1, I...> {
};
template <int... I> struct gi_own_numbers_below<0, I...> {
    typedef gi_own_numbers<I...> type;
};

constexpr int                          gi_widest(void) { return 1; }
template <class... More> constexpr int gi_widest(int first, More... more)
{
    return first > gi_widest(more...) ? first : gi_widest(more...);
}

template <class F> struct gi_own_formula; /* of a formula's type */
template <class R, class... P> struct gi_own_formula<R (*)(gi_here *, P...)> {
    enum { K = sizeof...(P), WIDEST = gi_widest(gi_own_slot<0, 1, false, P>::bytes..., gi_own_slot<0, 1, false, R *>::bytes) };
    typedef typename gi_own_numbers_below<K>::type numbers;

    template <int N, bool VECTOR, R (*f)(gi_here *, P...), int... I>
    static __device__ __forceinline__ void run(const gi_cuda_own &m, const gi_own_place<K + 1> &at, gi_own_numbers<I...>)
    {
        struct : gi_own_slot<I, N, VECTOR, P>... {
        } slots;
        gi_own_slot<K, N, VECTOR, R *> result;
        (slots.gi_own_slot<I, N, VECTOR, P>::read(m.operand[I], at.at[I]), ...);
#pragma unroll
        for (int k = 0; k < N; k++) {
            gi_here here  = { at.index + k * m.place[m.ndim - 1], true, 0, 0, 0 };
            result.e.e[k] = f(&here, slots.gi_own_slot<I, N, VECTOR, P>::argument(k)...);
        }
        (slots.gi_own_slot<I, N, VECTOR, P>::write(at.at[I]), ...);
        result.write(at.at[K]);
    }
};
template <class... P> struct gi_own_formula<void (*)(gi_here *, P...)> {
    enum { K = sizeof...(P), WIDEST = gi_widest(gi_own_slot<0, 1, false, P>::bytes...) };
    typedef typename gi_own_numbers_below<K>::type numbers;

    template <int N, bool VECTOR, void (*f)(gi_here *, P...), int... I>
    static __device__ __forceinline__ void run(const gi_cuda_own &m, const gi_own_place<K + 1> &at, gi_own_numbers<I...>)
    {
        struct : gi_own_slot<I, N, VECTOR, P>... {
        } slots;
        (slots.gi_own_slot<I, N, VECTOR, P>::read(m.operand[I], at.at[I]), ...);
#pragma unroll
        for (int k = 0; k < N; k++) {
            gi_here here = { at.index + k * m.place[m.ndim - 1], true, 0, 0, 0 };
            f(&here, slots.gi_own_slot<I, N, VECTOR, P>::argument(k)...);
        }
        (slots.gi_own_slot<I, N, VECTOR, P>::write(at.at[I]), ...);
    }
};

template <auto f>
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_own_kernel(const __grid_constant__ gi_cuda_own m)
{
    typedef gi_own_formula<decltype(f)> formula;
    enum { N = GI_VECTOR(formula::WIDEST) };
    const gi_span<N> span(m);
#pragma unroll 1
    for (uint32_t e = span.first; e < span.end; e += span.step) {
        const gi_own_place<formula::K + 1> at(m, e);
        if (span.step == N) formula::template run<N, true, f>(m, at, typename formula::numbers());
        else if (!m.masked || *(const uint8_t *)at.mask) formula::template run<1, false, f>(m, at, typename formula::numbers());
    }
}
