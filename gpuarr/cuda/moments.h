/* ==== >>cuda moments: variances ========================================================================================= */

GI_DEVICE void gi_cuda_end_moment(const gi_cuda_folding &j, uint32_t line, const gi_node &v)
{
    ((double *)j.result)[line] = gi_moment_value((gi_moment)j.moments.what, j.moments.skip_nan, j.moments.ddof, v);
}

/* What is subtracted from the elements of a line: the first one. */
template <class T> GI_DEVICE double gi_cuda_origin(T x) { return gi_isfinite_f64((double)x) ? (double)x : 0; }

/* Elements, none of them left out: how many a node holds follows from its place, so that an accumulator is a sum and the squared
   distances only. */
struct gi_cuda_spread {
    double s, m;
};
template <class T_> struct gi_cuda_moment_fold {
    typedef T_             T;
    typedef gi_cuda_spread A;
    enum { any_order = 0 };
    const gi_cuda_folding &j;
    double                 origin;
    uint32_t               n; /* elements of the block */

    __device__ __forceinline__ gi_cuda_moment_fold(const gi_cuda_folding &job, uint32_t line, const char *first, int64_t,
                                                   uint32_t length)
        : j(job), origin(0), n(length)
    {
        if (!j.moments.shifted || n == 0) return;
        const T *from = (const T *)(first - j.before * j.stride);
        if (j.moments.origins) from = (const T *)j.moments.origins + j.lines_before + line;
        origin = gi_cuda_origin(gi_cuda_number(j, *from));
    }
    __device__ __forceinline__ A of(T x, uint32_t) const
    {
        A a = { (double)gi_cuda_number(j, x) - origin, 0 };
        return a;
    }
    /* gi_join_nodes, its quotients from a table */
    __device__ __forceinline__ A join(A a, A b, uint32_t i, uint32_t h) const
    {
        const uint32_t level = 31 - (uint32_t)__clz((int)h), last = n < GI_BLOCK, left = n & (2 * h - 1);
        const uint32_t more = i + h < left ? 0 : i < left ? 1 : 2; /* which of the two nodes has an element more */
        const double   t    = a.s - gi_mul_f64(more == 1 ? j.moments.ratio[level] : 1.0, b.s);
        A              r;
        r.s = a.s + b.s;
        r.m = (a.m + b.m) + gi_mul_f64(gi_mul_f64(t, t), j.moments.scale[last][level][more]);
        return r;
    }
    __device__ __forceinline__ gi_node node(A a) const
    {
        gi_node v = { (double)n, a.s, a.m };
        return v;
    }
    __device__ __forceinline__ void keep(int64_t at, A a) const { ((gi_node *)j.accs)[at] = node(a); }
    __device__ __forceinline__ void end(uint32_t line, A a) const { gi_cuda_end_moment(j, line, node(a)); }
};

/* Means of the numbers among the elements. */
struct gi_cuda_tally {
    double n, s;
};
GI_DEVICE gi_cuda_tally gi_cuda_tally_of(const gi_cuda_tally &x) { return x; }
GI_DEVICE gi_cuda_tally gi_cuda_tally_of(double x)
{
    gi_cuda_tally a = { 0, 0 };
    if (x == x) a.n = 1, a.s = x;
    return a;
}
template <class T_> struct gi_cuda_nanmean_fold {
    typedef T_            T;
    typedef gi_cuda_tally A;
    enum { any_order = 0 };
    const gi_cuda_folding &j;

    __device__ __forceinline__ gi_cuda_nanmean_fold(const gi_cuda_folding &job, uint32_t, const char *, int64_t, uint32_t)
        : j(job)
    {
    }
    __device__ __forceinline__ A of(const T &x, uint32_t) const { return gi_cuda_tally_of(x); }
    __device__ __forceinline__ A join(A a, A b, uint32_t, uint32_t) const
    {
        A r = { a.n + b.n, a.s + b.s };
        return b.n == 0 ? a : a.n == 0 ? b : r;
    }
    __device__ __forceinline__ void keep(int64_t at, A a) const { ((A *)j.accs)[at] = a; }
    __device__ __forceinline__ void end(uint32_t line, A a) const
    {
        gi_node v = { a.n, a.s, 0 };
        gi_cuda_end_moment(j, line, v);
    }
};

/* Nodes of any counts: of elements with NaNs to leave out, and of whole blocks. A unit's nodes lie in shared memory, four for each of its
   lanes. */
GI_DEVICE gi_node gi_cuda_node_of(const gi_cuda_folding &j, const gi_node &x, const gi_node *first)
{
    return (void)j, (void)first, x;
}
template <class T> GI_DEVICE gi_node gi_cuda_node_of(const gi_cuda_folding &j, T x, const T *first)
{
    gi_node v = { 0, 0, 0 };
    if (x == x) v.n = 1, v.s = (double)x - gi_cuda_origin(first[-j.before]);
    return v;
}
template <class T>
static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_nodes(const __grid_constant__ gi_cuda_folding j)
{
    GI_BLOCK_SHARED(gi_node, shared, [GI_BLOCK]);
    const uint32_t lanes = 1u << j.lanes, i = threadIdx.x & (lanes - 1);
    const uint32_t unit = blockIdx.x * (GI_CUDA_THREADS >> j.lanes) + (threadIdx.x >> j.lanes);
    const uint32_t line = gi_divide(unit, j.per), block = unit - line * j.per.by;
    const int64_t  start = (int64_t)block * GI_BLOCK;
    const uint32_t n     = unit >= j.units ? 0 : j.length - start < GI_BLOCK ? (uint32_t)(j.length - start) : GI_BLOCK;
    const T       *first = (const T *)j.data + line * j.length;
    gi_node       *s     = shared + (threadIdx.x - i) * 4;
#pragma unroll
    for (uint32_t k = 0; k < 4; k++)
        if (i + k * lanes < n) s[i + k * lanes] = gi_cuda_node_of(j, first[start + i + k * lanes], first);
#pragma unroll 1
    for (uint32_t h = 2 * lanes; h > 0; h /= 2) {
        __syncthreads();
#pragma unroll 1
        for (uint32_t e = i; e < h && e + h < n; e += lanes) s[e] = gi_join_nodes(s[e], s[e + h]);
    }
    if (i > 0 || n == 0) return;
    if (j.accs) ((gi_node *)j.accs)[line * j.blocks + block] = s[0];
    else gi_cuda_end_moment(j, line, s[0]);
}

/* clang-format off */
#define GI_CASE(TAG, tag, T, name) case GA_##TAG: return gi_cuda_fold<gi_cuda_moment_fold<T>>;
static gi_cuda_fold_kernel gi_cuda_moment_kernel(ga_dtype dtype)
{
    switch (dtype) {
    case GA_BOOL: return gi_cuda_fold<gi_cuda_moment_fold<uint8_t>>;
    GI_EACH_INT(GI_CASE)
    GI_EACH_FLT(GI_CASE)
    default: return NULL;
    }
}
#undef GI_CASE
/* clang-format on */

/* A level of the tree that is folded by gi_cuda_nodes. */
static gi_cuda_level gi_cuda_node_tree(gi_cuda_fold_kernel kernel)
{
    gi_cuda_level level = { kernel, 4 };
    return level;
}

/* The variances of the real and of the imaginary parts become those of complex numbers, in `re`. */
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_complex_moments(double *re, const double *im, int64_t size, gi_moment what, double n, int ddof)
{
    const int64_t i = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x;
    if (i < size) re[i] = gi_moment_complex(what, re[i] + im[i], n, ddof);
}

static bool gi_cuda_join_parts(const char *site, int what, ga_array *re, const ga_array *im, double n, int ddof)
{
    const ga_array *both[2] = { re, im };
    if (re->size == 0) return true;
    if (!gi_cuda_touch_all(site, 2, both)) return false;
    GI_LAUNCH(gi_cuda_complex_moments, gi_cuda_blocks(re->size), GI_CUDA_THREADS, gi_cuda_current_stream(), (double *)re->data,
              (const double *)im->data, re->size, (gi_moment)what, n, ddof);
    return gi_cuda_launched(site, "a variance");
}

/* The factors of gi_join_nodes for the nodes of a block of n elements. */
static void gi_cuda_moment_factors(int64_t n, double *ratio, double (*scale)[3])
{
    for (int level = 0; level < 10; level++) {
        double few = (double)(n >> (level + 1)), more = few + 1;
        scale[level][0] = more / (more * (more + more));
        scale[level][1] = few > 0 ? few / (more * (more + few)) : 0;
        scale[level][2] = few > 0 ? few / (few * (few + few)) : 0;
        ratio[level]    = few > 0 ? more / few : 0;
    }
}

/* The moment of each line of a real array, as float64, into `result`. */
static bool gi_cuda_real_moment(const char *site, int what, bool skip_nan, bool shifted, int ddof, const gi_lines *p,
                                ga_array *result)
{
    gi_cuda_folding j;
    gi_cuda_lines   lines;
    ga_array       *copy;
    memset(&j, 0, sizeof j);
    if (p->lines == 0) return true;
    const ga_array *both[2] = { p->a, result };
    if (!gi_cuda_touch_all(site, 2, both)) return false;
    ga_dtype dtype = p->a->dtype;
    bool     mixed = skip_nan && gi_is_float(dtype); /* may there be elements to leave out? */
    if (!gi_cuda_lines_of(site, p, dtype, mixed && what != GI_MEAN, &lines, &copy)) return false;
    j.truth            = dtype == GA_BOOL;
    j.moments.what     = what;
    j.moments.ddof     = ddof;
    j.moments.skip_nan = skip_nan;
    j.moments.shifted  = shifted;
    gi_cuda_moment_factors(GI_BLOCK, j.moments.ratio, j.moments.scale[0]);
    gi_cuda_moment_factors(lines.length % GI_BLOCK, j.moments.ratio, j.moments.scale[1]);
    j.result            = (char *)result->data;
    gi_cuda_level level = gi_cuda_tree(gi_cuda_moment_kernel(dtype)), again = gi_cuda_node_tree(gi_cuda_nodes<gi_node>);
    int64_t       acc_bytes = sizeof(gi_node);
    if (mixed && what == GI_MEAN) {
        level     = dtype == GA_F32 ? gi_cuda_tree(gi_cuda_fold<gi_cuda_nanmean_fold<float>>)
                                    : gi_cuda_tree(gi_cuda_fold<gi_cuda_nanmean_fold<double>>);
        again     = gi_cuda_tree(gi_cuda_fold<gi_cuda_nanmean_fold<gi_cuda_tally>>);
        acc_bytes = sizeof(gi_cuda_tally);
    } else if (mixed) {
        level = dtype == GA_F32 ? gi_cuda_node_tree(gi_cuda_nodes<float>) : gi_cuda_node_tree(gi_cuda_nodes<double>);
    }
    gi_scratch first = { NULL, 0, 0, NULL };
    bool       ok    = true;
    if (lines.fed && lines.cut.within && shifted) {
        ok = gi_scratch_get(site, &first, p->a, (size_t)(lines.lines * lines.size)) &&
             gi_cuda_make_first(site, lines.fed, dtype, (char *)first.p);
        j.moments.origins = (const char *)first.p;
    }
    ok = ok && gi_cuda_fold_lines(site, p->a, level, again, j, lines, acc_bytes, sizeof(double));
    if (first.p) gi_scratch_free(&first);
    ga_free(copy);
    return ok;
}
