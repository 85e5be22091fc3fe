/* ==== >>cuda streams and devices: what a user can steer ================================================================ */
/*  A program that was built without CUDA answers here, too: there is no device, and one stream, the default one, on which nothing is
    ever waiting.                                                                                                              */

#if GI_APART && (GI_HAS_CUDA || defined(GPUARR_WITH_CUDA))
/* Before main, and before C++ makes what may be arrays: was the GPU's object compiled as this one? */
__attribute__((constructor(101))) static void gi_compare_objects(void)
{
    const gi_gpu_print print = GI_GPU_PRINT;
    gi_gpu_is_unlike         = memcmp(&gi_gpu->print, &print, sizeof print) != 0;
    if (gi_gpu_is_unlike) gi_gpu = NULL;
}
#endif

/* False with an error. */
static bool gi_built_with_cuda(const char *site) { return gi_gpu || gi_device_check(site, GA_CUDA); }

/* An event is needed. */
static bool gi_is_event(const char *site, ga_event event)
{
    if (event) return gi_built_with_cuda(site);
    gi_fail(site, GA_BAD_ARGUMENT, "the event is NULL: the call that should have made it failed, or it was never made");
    return false;
}

/* ---- devices and their memory ---------------------------------------------------------------------------------------- */

int ga_cuda_count(void) { return gi_gpu ? gi_gpu->count() : 0; }
int ga_cuda_selected(void) { return gi_gpu ? gi_gpu->selected() : 0; }

bool ga_cuda_select(int device)
{
    const char *site = "\tga_cuda_select";
    return gi_built_with_cuda(site) && gi_gpu->select(site, device);
}

int ga_cuda_device_of(const ga_array *a)
{
    return gi_array_is_alive("\tga_cuda_device_of", a, "the argument") && a->device == GA_CUDA ? gi_gpu->ordinal(a) : -1;
}

ga_cuda_device ga_cuda_properties(int device)
{
    const char    *site = "\tga_cuda_properties";
    ga_cuda_device none;
    memset(&none, 0, sizeof none);
    return gi_built_with_cuda(site) ? gi_gpu->properties(site, device) : none;
}

ga_cuda_memory ga_cuda_memory_stats(void)
{
    const char    *site = "\tga_cuda_memory_stats";
    ga_cuda_memory none;
    memset(&none, 0, sizeof none);
    return gi_built_with_cuda(site) ? gi_gpu->memory_stats(site) : none;
}

void ga_cuda_memory_reset_peak(void)
{
    if (gi_gpu) gi_gpu->memory_reset_peak();
}
void ga_cuda_memory_limit(int64_t bytes)
{
    if (gi_gpu) gi_gpu->memory_limit(bytes);
}
void ga_cuda_memory_trim(void)
{
    if (gi_gpu) gi_gpu->memory_trim("\tga_cuda_memory_trim");
}

void *(ga_cuda_data)(const ga_array *a, ga_dtype dtype, const char *site)
{
    if (!gi_array_is_alive(site, a, "a") || !gi_built_with_cuda(site) || !gi_array_check_half(site, a, "a")) return NULL;
    if (a->device != GA_CUDA) return gi_fail(site, GA_BAD_DEVICE, "the array is on the CPU: ga_to(a, GA_CUDA) first");
    return gi_is_plain(site, a, dtype) && gi_gpu->touch(site, 1, &a) ? a->data : NULL;
}

/* A call on the CPU has done everything when it returns. */
void(ga_synchronize)(void)
{
    if (gi_gpu) gi_gpu->synchronize("\tga_synchronize");
}

/* ---- streams --------------------------------------------------------------------------------------------------------- */

ga_stream ga_stream_new(void)
{
    const char *site = "\tga_stream_new";
    return gi_built_with_cuda(site) ? gi_gpu->new_stream(site) : (ga_stream)NULL;
}

void ga_stream_free(ga_stream stream)
{
    const char *site = "\tga_stream_free";
    if (stream && gi_built_with_cuda(site)) gi_gpu->free_stream(site, stream);
}

ga_stream ga_get_stream(void) { return gi_gpu ? gi_gpu->stream() : (ga_stream)NULL; }

/* The default stream is there without CUDA, too. */
bool ga_set_stream(ga_stream stream)
{
    const char *site = "\tga_set_stream";
    return gi_gpu ? gi_gpu->set_stream(site, stream) : !stream || gi_built_with_cuda(site);
}
bool ga_stream_synchronize(ga_stream stream)
{
    const char *site = "\tga_stream_synchronize";
    return gi_gpu ? gi_gpu->finish_stream(site, stream) : !stream || gi_built_with_cuda(site);
}
bool ga_stream_query(ga_stream stream)
{
    const char *site = "\tga_stream_query";
    return gi_gpu ? gi_gpu->query_stream(site, stream) : !stream || gi_built_with_cuda(site);
}

bool ga_stream_wait_event(ga_stream stream, ga_event event)
{
    const char *site = "\tga_stream_wait_event";
    return gi_is_event(site, event) && gi_gpu->wait_event(site, stream, event);
}

/* ---- events ---------------------------------------------------------------------------------------------------------- */

ga_event ga_event_new(void)
{
    const char *site = "\tga_event_new";
    return gi_built_with_cuda(site) ? gi_gpu->new_event(site) : (ga_event)NULL;
}

void ga_event_free(ga_event event)
{
    if (event && gi_gpu) gi_gpu->free_event("\tga_event_free", event);
}

bool ga_event_record(ga_event event, ga_stream stream)
{
    const char *site = "\tga_event_record";
    return gi_is_event(site, event) && gi_gpu->record(site, event, stream);
}

bool ga_event_synchronize(ga_event event)
{
    const char *site = "\tga_event_synchronize";
    return gi_is_event(site, event) && gi_gpu->reach(site, event);
}

bool ga_event_query(ga_event event)
{
    const char *site = "\tga_event_query";
    return gi_is_event(site, event) && gi_gpu->query_event(site, event);
}

double ga_event_elapsed(ga_event from, ga_event to)
{
    const char *site = "\tga_event_elapsed";
    return gi_is_event(site, from) && gi_is_event(site, to) ? gi_gpu->elapsed(site, from, to) : (double)NAN;
}

/* ---- kernels of the user's in threads and blocks --------------------------------------------------------------------- */
/*  A .cu file that launches kernels may be linked to an implementation that a C compiler made.                                */

bool gi_launch_begin(const void *kernel, gi_dims grid, gi_dims block, ga_launch_options o, ga_stream *stream)
{
    return gi_built_with_cuda(o.site) && gi_gpu->launch_begin(kernel, grid, block, o, stream);
}

void *gi_launch_array(const ga_array *a, int number, ga_dtype dtype, ga_stream stream, const char *site)
{
    char name[32];
    if (!gi_built_with_cuda(site)) return NULL;
    snprintf(name, sizeof name, "argument %d", number);
    if (!gi_array_check_half(site, a, name)) return NULL;
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
    return gi_gpu->touch_on(site, a, stream) ? a->data : NULL;
}

bool gi_launch_end(const char *kernel, const char *site)
{
    return gi_built_with_cuda(site) && gi_gpu->launch_end(site, kernel);
}
