/* ---- kernels of the user's in threads and blocks ------------------------------------------------------------------------- */

static bool gi_launch_blocks(const char *site, gi_dims grid)
{
    const int64_t most_x = INT32_MAX, most = 65535;
    if (grid.x < 1 || grid.y < 1 || grid.z < 1)
        gi_fail(site, GA_BAD_ARGUMENT,
                "a grid of %lld x %lld x %lld blocks is empty: where there is nothing to do, launch nothing", (long long)grid.x,
                (long long)grid.y, (long long)grid.z);
    else if (grid.x > most_x || grid.y > most || grid.z > most)
        gi_fail(site, GA_BAD_ARGUMENT,
                "a grid has at most %lld x %lld x %lld blocks, not %lld x %lld x %lld: let each thread do several elements",
                (long long)most_x, (long long)most, (long long)most, (long long)grid.x, (long long)grid.y, (long long)grid.z);
    else return true;
    return false;
}

static bool gi_launch_threads(const char *site, gi_dims block, int most)
{
    const int64_t side = 1024, depth = 64;
    bool sides = block.x >= 1 && block.y >= 1 && block.z >= 1 && block.x <= side && block.y <= side && block.z <= depth;
    if (!sides)
        gi_fail(site, GA_BAD_ARGUMENT, "a block has 1 to %lld x %lld x %lld threads, not %lld x %lld x %lld", (long long)side,
                (long long)side, (long long)depth, (long long)block.x, (long long)block.y, (long long)block.z);
    else if (block.x * block.y * block.z > side)
        gi_fail(site, GA_BAD_ARGUMENT, "a block of %lld x %lld x %lld has %lld threads, and at most %lld are possible",
                (long long)block.x, (long long)block.y, (long long)block.z, (long long)(block.x * block.y * block.z),
                (long long)side);
    else if (block.x * block.y * block.z > most)
        gi_fail(
            site, GA_BAD_ARGUMENT,
            "a block of this kernel has at most %d threads, not %lld: its variables take the registers of more. Use smaller "
            "blocks, or __launch_bounds__(%lld) in the kernel",
            most, (long long)(block.x * block.y * block.z), (long long)(block.x * block.y * block.z));
    else return true;
    return false;
}

/* Dynamic shared memory beyond what every kernel may have must be asked for. */
static bool gi_launch_shared(const char *site, const void *kernel, int64_t bytes, const struct cudaFuncAttributes *of)
{
    int     ordinal = 0, most = 0;
    int64_t declared = (int64_t)of->sharedSizeBytes;
    if (!GI_CUDA_OK(site, cudaGetDevice(&ordinal)) ||
        !GI_CUDA_OK(site, cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, ordinal)))
        return false;
    if (bytes < 0 || bytes + declared > most) {
        gi_fail(site, GA_BAD_ARGUMENT,
                "a block has at most %d bytes of shared memory on this GPU; .shared = %lld, and the kernel declares %lld: "
                "smaller tiles, or "
                "smaller blocks",
                most, (long long)bytes, (long long)declared);
        return false;
    }
    return bytes <= of->maxDynamicSharedSizeBytes ||
           GI_CUDA_OK(site, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
}

static bool gi_cuda_launch_begin(const void *kernel, gi_dims grid, gi_dims block, ga_launch_options o, ga_stream *stream)
{
    struct cudaFuncAttributes of;
    int                       ordinal = gi_cuda_selected;
    if (!gi_cuda_use(o.site, ordinal)) return false;
    if (!gi_cuda_is_default(o.stream) && !gi_cuda_learn_stream(o.site, o.stream, &ordinal)) return false;
    if (ordinal != gi_cuda_selected) {
        gi_fail(o.site, GA_BAD_DEVICE, "the stream is one of CUDA device %d, and device %d is selected: ga_cuda_select(%d)",
                ordinal, gi_cuda_selected, ordinal);
        return false;
    }
    *stream = gi_cuda_is_default(o.stream) ? gi_cuda_get_stream() : o.stream;
    return gi_launch_blocks(o.site, grid) && GI_CUDA_OK(o.site, cudaFuncGetAttributes(&of, kernel)) &&
           gi_launch_threads(o.site, block, of.maxThreadsPerBlock) && gi_launch_shared(o.site, kernel, o.shared, &of);
}

/* Has the kernel been started? */
static bool gi_cuda_launch_end(const char *site, const char *kernel) { return gi_cuda_launched(site, kernel); }

/* What gi_cuda_touch_on does, for the stream of a launch. */
static bool gi_cuda_touch_stream(const char *site, const ga_array *a, ga_stream stream)
{
    return gi_cuda_touch_on(site, a, (cudaStream_t)stream);
}
