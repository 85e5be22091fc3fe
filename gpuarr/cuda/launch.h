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

bool gi_launch_begin(const void *kernel, gi_dims grid, gi_dims block, ga_launch_options o, ga_stream *stream)
{
    struct cudaFuncAttributes of;
    int                       ordinal = gi_cuda_selected;
    if (!gi_cuda_use(o.site, ordinal)) return false;
    if (!gi_is_default_stream(o.stream) && !gi_cuda_learn_stream(o.site, o.stream, &ordinal)) return false;
    if (ordinal != gi_cuda_selected) {
        gi_fail(o.site, GA_BAD_DEVICE, "the stream is one of CUDA device %d, and device %d is selected: ga_cuda_select(%d)",
                ordinal, gi_cuda_selected, ordinal);
        return false;
    }
    *stream = gi_is_default_stream(o.stream) ? ga_get_stream() : o.stream;
    return gi_launch_blocks(o.site, grid) && GI_CUDA_OK(o.site, cudaFuncGetAttributes(&of, kernel)) &&
           gi_launch_threads(o.site, block, of.maxThreadsPerBlock) && gi_launch_shared(o.site, kernel, o.shared, &of);
}

void *gi_launch_array(const ga_array *a, int number, ga_dtype dtype, ga_stream stream, const char *site)
{
    char name[32];
    snprintf(name, sizeof name, "argument %d", number);
    if (!gi_check(site, a, name)) return NULL;
    if (a->device != GA_CUDA)
        return gi_fail(site, GA_BAD_DEVICE,
                       "%s, of shape %s, is on the CPU, and kernels run on the GPU: ga_to(a, GA_CUDA) first", name,
                       gi_shape_of(a));
    if (dtype != GA_DTYPE_DEFAULT && a->dtype != dtype)
        return gi_fail(site, GA_BAD_DTYPE,
                       "%s is %s, and the kernel's parameter points to %s: ga_astype first, or change the kernel", name,
                       ga_dtype_name(a->dtype), ga_dtype_name(dtype));
    if (!ga_is_contiguous(a))
        return gi_fail(site, GA_BAD_SHAPE,
                       "the elements of %s, of shape %s, do not lie one behind the other: ga_ascontiguous first", name,
                       gi_shape_of(a));
    if (a->size == 0)
        return gi_fail(site, GA_BAD_SHAPE, "%s, of shape %s, is empty: where there is nothing to do, launch nothing", name,
                       gi_shape_of(a));
    return gi_cuda_touch_on(site, a, (cudaStream_t)stream) ? a->data : NULL;
}

bool gi_launch_end(const char *kernel, const char *site) { return gi_cuda_launched(site, kernel); }
