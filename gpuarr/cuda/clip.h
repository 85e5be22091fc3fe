/* ---- kappa-sigma clipping ------------------------------------------------------------------------------------------------ */

typedef struct gi_cuda_bounds {
    const void *x; /* packed */
    int64_t     size;
    double      low, high;
    bool        inside, aligned; /* what the flags of elements between or on the bounds are; does x begin where a vector may? */
    uint8_t    *flags;
} gi_cuda_bounds;

enum { GI_BETWEEN_EACH = 4 };

template <class T, double (*as_f64)(T)> GI_DEVICE void gi_cuda_between_body(const gi_cuda_bounds &b)
{
    int64_t             first = ((int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x) * GI_BETWEEN_EACH;
    const gi_stored<T> *from  = (const gi_stored<T> *)b.x + first;
    if (first >= b.size) return;
    bool                                        whole = first + GI_BETWEEN_EACH <= b.size;
    gi_cuda_pack<gi_stored<T>, GI_BETWEEN_EACH> x;
    gi_cuda_pack<bool, GI_BETWEEN_EACH>         flags;
    if (whole && b.aligned) {
        x = *(const gi_cuda_pack<gi_stored<T>, GI_BETWEEN_EACH> *)from;
    } else {
#pragma unroll
        for (int k = 0; k < GI_BETWEEN_EACH; k++) x.e[k] = from[first + k < b.size ? k : 0];
    }
#pragma unroll
    for (int k = 0; k < GI_BETWEEN_EACH; k++) {
        double v   = as_f64(x.e[k]);
        flags.e[k] = ((v >= b.low) & (v <= b.high)) == b.inside;
    }
    if (whole) {
        *(gi_cuda_pack<bool, GI_BETWEEN_EACH> *)(b.flags + first) = flags;
    } else {
#pragma unroll
        for (int k = 0; k < GI_BETWEEN_EACH; k++)
            if (first + k < b.size) b.flags[first + k] = flags.e[k];
    }
}

static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_flag_between(const __grid_constant__ gi_cuda_bounds b, ga_dtype dtype)
{
    switch (dtype) {
#define GI_CASE(TAG, tag, T, name)                                                                                             \
    case GA_##TAG: gi_cuda_between_body<T, gi_cast_f64_##tag>(b); break;
        GI_EACH_BOOL(GI_CASE)
        GI_EACH_INT(GI_CASE)
        GI_EACH_FLT(GI_CASE)
#undef GI_CASE
    default: break;
    }
}

/* flags: where a packed x lies between or on the bounds, or (`inside` false) where it does not. */
static bool gi_cuda_between(const char *site, const ga_array *x, double low, double high, ga_array *flags, bool inside)
{
    const ga_array *both[2] = { x, flags };
    if (!gi_cuda_touch_all(site, 2, both)) return false;
    if (x->size == 0) return true;
    size_t         vector = (size_t)(GI_BETWEEN_EACH * ga_itemsize(x->dtype));
    gi_cuda_bounds b      = { x->data, x->size, low, high, inside, (uintptr_t)x->data % vector == 0, (uint8_t *)flags->data };
    unsigned       blocks = gi_cuda_blocks((x->size + GI_BETWEEN_EACH - 1) / GI_BETWEEN_EACH);
    GI_LAUNCH(gi_cuda_flag_between, blocks, GI_CUDA_THREADS, gi_cuda_current_stream(), b, x->dtype);
    return gi_cuda_launched(site, "ga_sigma_clip");
}

/* A new 1-D array with the elements of a packed x between or on the bounds. */
static ga_array *gi_cuda_keep_between(const char *site, const ga_array *x, double low, double high)
{
    int64_t   stride = ga_itemsize(x->dtype);
    ga_array *line   = gi_array_new_view(site, x, x->data, x->dtype, 1, &x->size, &stride);
    ga_array *flags = line ? gi_array_new(site, GA_BOOL, GA_CUDA, 1, &x->size) : NULL, *kept = NULL;
    if (flags && gi_cuda_between(site, line, low, high, flags, true)) kept = gi_cuda_chosen(site, flags, line);
    ga_free(flags);
    ga_free(line);
    return kept;
}
