/* ---- >>cuda own reductions ------------------------------------------------------------------------------------------------ */

template <class, class T, class...> struct gi_first_type {
    typedef T type;
};

/* The first element of a line of an input. */
GI_DEVICE const char *gi_cuda_input_line(const gi_cuda_input &in, int64_t line)
{
    const char *at = in.data;
#pragma unroll 1
    for (int d = in.kept - 1; d >= 0; d--) {
        int64_t above = line <= INT32_MAX ? gi_divide((uint32_t)line, in.kept_shape[d]) : line / in.kept_shape[d].by;
        at += (line - above * in.kept_shape[d].by) * in.kept_strides[d];
        line = above;
    }
    return at;
}

GI_DEVICE const char *gi_cuda_input_element(const gi_cuda_input &in, const char *line, int64_t i)
{
    int64_t run = in.two ? gi_divide((uint32_t)i, in.inner) : 0;
    return line + run * in.outer + (i - run * in.inner.by) * in.stride;
}

/* A reduction of the user's. K: its formulas; the elements that the kernel reads are those of the first input. */
template <class K> struct gi_cuda_own_fold {
    typedef gi_stored<typename K::T> T;
    typedef typename K::A            A;
    enum { any_order = 0 };
    const gi_cuda_folding &j;
    const int64_t          start; /* of the block */
    const uint32_t         n;
    const char            *line[K::inputs];

    __device__ __forceinline__ gi_cuda_own_fold(const gi_cuda_folding &job, uint32_t line_, const char *, int64_t start_,
                                                uint32_t n_)
        : j(job), start(job.before + start_), n(n_)
    {
#pragma unroll
        for (int i = 1; i < K::inputs; i++) line[i] = gi_cuda_input_line(j.inputs[i - 1], j.lines_before + line_);
    }
    __device__ __forceinline__ A of(T x, uint32_t e) const
    {
        const void *at[K::inputs];
        if (e >= n) return A();
        at[0] = &x;
#pragma unroll
        for (int i = 1; i < K::inputs; i++) at[i] = gi_cuda_input_element(j.inputs[i - 1], line[i], start + e);
        return K::map(at, start + e);
    }
    __device__ __forceinline__ A    join(A a, A b, uint32_t, uint32_t) const { return K::join(a, b); }
    __device__ __forceinline__ void keep(int64_t at, A a) const { ((A *)j.accs)[at] = a; }
    __device__ __forceinline__ void end(uint32_t at, A a) const { K::end(j.result, at, a, j.count); }
};

/* The same for accumulators. */
template <class K> struct gi_cuda_own_again {
    typedef typename K::A T;
    typedef typename K::A A;
    enum { any_order = 0 };
    const gi_cuda_folding &j;

    __device__ __forceinline__ gi_cuda_own_again(const gi_cuda_folding &job, uint32_t, const char *, int64_t, uint32_t) : j(job)
    {
    }
    __device__ __forceinline__ A    of(A a, uint32_t) const { return a; }
    __device__ __forceinline__ A    join(A a, A b, uint32_t, uint32_t) const { return K::join(a, b); }
    __device__ __forceinline__ void keep(int64_t at, A a) const { ((A *)j.accs)[at] = a; }
    __device__ __forceinline__ void end(uint32_t at, A a) const { K::end(j.result, at, a, j.count); }
};
