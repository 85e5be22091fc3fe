/* ---- dot: sums of products ----------------------------------------------------------------------------------------------- */

GI_DEVICE uint64_t gi_cuda_product(uint64_t x, uint64_t y) { return gi_mul_u64(x, y); }
GI_DEVICE double   gi_cuda_product(float x, float y) { return gi_mul_f64((double)x, (double)y); }
GI_DEVICE double   gi_cuda_product(double x, double y) { return gi_mul_f64(x, y); }
GI_DEVICE ga_c128  gi_cuda_product(ga_c64 x, ga_c64 y) { return gi_mul_c128(gi_cast_c128_c64(x), gi_cast_c128_c64(y)); }
GI_DEVICE ga_c128  gi_cuda_product(ga_c128 x, ga_c128 y) { return gi_mul_c128(x, y); }
GI_DEVICE uint64_t gi_cuda_plus(uint64_t a, uint64_t b) { return gi_add_u64(a, b); }
GI_DEVICE double   gi_cuda_plus(double a, double b) { return gi_add_f64(a, b); }
GI_DEVICE ga_c128  gi_cuda_plus(ga_c128 a, ga_c128 b) { return gi_add_c128(a, b); }

template <class T_, class A_> struct gi_cuda_dot_fold {
    typedef T_ T;
    typedef A_ A;
    enum { any_order = gi_any_order<A>::yes };
    const gi_cuda_folding &j;
    const char            *y; /* of the block's first element */
    uint32_t               n; /* elements of the block */

    __device__ __forceinline__ gi_cuda_dot_fold(const gi_cuda_folding &job, uint32_t, const char *, int64_t start,
                                                uint32_t length)
        : j(job), y(job.factors.data + (job.before + start) * job.factors.stride), n(length)
    {
    }
    __device__ __forceinline__ A of(T x, uint32_t e) const
    {
        return gi_cuda_product(x, e < n ? *(const T *)(y + e * j.factors.stride) : T());
    }
    __device__ __forceinline__ A    join(A a, A b, uint32_t, uint32_t) const { return gi_cuda_plus(a, b); }
    __device__ __forceinline__ void keep(int64_t at, A a) const { ((A *)j.accs)[at] = a; }
    __device__ __forceinline__ void end(uint32_t line, A a) const { gi_cuda_put(j, line, a); }
};

static gi_cuda_fold_kernel gi_cuda_dot_kernel(ga_dtype dtype)
{
    switch (dtype) {
    case GA_F32: return gi_cuda_fold<gi_cuda_dot_fold<float, double>>;
    case GA_F64: return gi_cuda_fold<gi_cuda_dot_fold<double, double>>;
    case GA_C64: return gi_cuda_fold<gi_cuda_dot_fold<ga_c64, ga_c128>>;
    case GA_C128: return gi_cuda_fold<gi_cuda_dot_fold<ga_c128, ga_c128>>;
    default: return gi_cuda_fold<gi_cuda_dot_fold<uint64_t, uint64_t>>; /* the bits of signed sums and products, too */
    }
}

/* The sum of x * y, vectors of one length and of a dtype in gi_cuda_dot_kernel. */
static ga_array *gi_cuda_dot(const char *site, const ga_array *x, const ga_array *y)
{
    gi_lines        p;
    gi_cuda_lines   lines;
    gi_cuda_folding j;
    ga_array       *copy = NULL;
    ga_shape        axis = { 1, { 0 } };
    memset(&j, 0, sizeof j);
    if (!gi_lines_plan(site, &p, x, x->dtype, 0, &axis, false)) return NULL;
    ga_array *result = gi_array_new(site, x->dtype, GA_CUDA, 0, NULL);
    if (!result) return NULL;
    if (p.length == 0) {
        if (gi_cuda_clear(site, result)) return result;
        ga_free(result);
        return NULL;
    }
    const ga_array   *all[3] = { x, y, result };
    gi_cuda_row_folds sums;
    bool              ok = gi_cuda_touch_all(site, 3, all) && gi_cuda_lines_of(site, &p, x->dtype, false, &lines, &copy);
    if (ok) {
        gi_cuda_find_fold(GA_OP_sum, x->dtype, &sums);
        if (sums.accs != x->dtype) {
            ga_dtype wide = sums.accs;
            gi_cuda_find_fold(GA_OP_sum, wide, &sums);
        }
        j.factors.data   = (const char *)y->data;
        j.factors.stride = y->strides[0];
        j.narrow         = ga_itemsize(x->dtype) < ga_itemsize(sums.accs);
        j.result         = (char *)result->data;
        ok = gi_cuda_fold_lines(site, x, gi_cuda_tree(gi_cuda_dot_kernel(x->dtype)), gi_cuda_tree(sums.kernel), j, lines,
                                ga_itemsize(sums.accs), ga_itemsize(result->dtype));
    }
    ga_free(copy);
    if (ok) return result;
    ga_free(result);
    return NULL;
}
