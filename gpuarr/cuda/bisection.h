/* ---- searchsorted: a thread for each needle -------------------------------------------------------------------------- */

static __global__ void __launch_bounds__(GI_CUDA_THREADS) gi_cuda_bisect_needles(const __grid_constant__ gi_bisection b)
{
    const int64_t i = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x;
    if (i >= b.count) return;
    const uint64_t needle = gi_bisection_key(b.dtype, b.needles, i);
    int64_t        low = 0, high = b.n;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (gi_bisection_before(b.dtype, b.right, b.sorted, middle, needle)) low = middle + 1;
        else high = middle;
    }
    b.places[i] = low;
}

static bool gi_cuda_bisect(const char *site, const ga_array *sorted, const ga_array *needles, bool right, ga_array *places)
{
    const gi_bisection b = gi_bisection_of(sorted, needles, right, places);
    if (!gi_cuda_touch(site, sorted) || !gi_cuda_touch(site, needles) || !gi_cuda_touch(site, places)) return false;
    GI_LAUNCH(gi_cuda_bisect_needles, gi_cuda_blocks(b.count), GI_CUDA_THREADS, gi_cuda_current_stream(), b);
    return gi_cuda_launched(site, "ga_searchsorted");
}
