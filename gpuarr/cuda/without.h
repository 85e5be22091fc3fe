/* ==== >>without CUDA: what a program answers that was built without it ================================================ */

int  ga_cuda_count(void) { return 0; }
bool ga_cuda_select(int device) { return (void)device, gi_has_device("\tga_cuda_select", GA_CUDA); }
int  ga_cuda_selected(void) { return 0; }
int  ga_cuda_device_of(const ga_array *a) { return (void)gi_is_array("\tga_cuda_device_of", a, "the argument"), -1; }

ga_cuda_device ga_cuda_properties(int device)
{
    ga_cuda_device d;
    memset(&d, 0, sizeof d);
    (void)device, (void)gi_has_device("\tga_cuda_properties", GA_CUDA);
    return d;
}

ga_cuda_memory ga_cuda_memory_stats(void)
{
    ga_cuda_memory m;
    memset(&m, 0, sizeof m);
    (void)gi_has_device("\tga_cuda_memory_stats", GA_CUDA);
    return m;
}

void ga_cuda_memory_reset_peak(void) {}
void ga_cuda_memory_limit(int64_t bytes) { (void)bytes; }
void ga_cuda_memory_trim(void) {}

void *(ga_cuda_data)(const ga_array *a, ga_dtype dtype, const char *site)
{
    (void)dtype;
    if (gi_is_array(site, a, "a")) (void)gi_has_device(site, GA_CUDA);
    return NULL;
}

/* There is one stream, the default one, and nothing is ever waiting on it. */
static bool gi_is_default_stream(const char *site, ga_stream stream) { return !stream || gi_has_device(site, GA_CUDA); }

ga_stream ga_stream_new(void) { return (void)gi_has_device("\tga_stream_new", GA_CUDA), (ga_stream)NULL; }
void      ga_stream_free(ga_stream stream) { (void)gi_is_default_stream("\tga_stream_free", stream); }
bool      ga_set_stream(ga_stream stream) { return gi_is_default_stream("\tga_set_stream", stream); }
ga_stream ga_get_stream(void) { return NULL; }
bool      ga_stream_synchronize(ga_stream stream) { return gi_is_default_stream("\tga_stream_synchronize", stream); }
bool      ga_stream_query(ga_stream stream) { return gi_is_default_stream("\tga_stream_query", stream); }
bool      ga_stream_wait_event(ga_stream stream, ga_event event)
{
    return gi_is_event("\tga_stream_wait_event", event) && gi_is_default_stream("\tga_stream_wait_event", stream);
}

ga_event ga_event_new(void) { return (void)gi_has_device("\tga_event_new", GA_CUDA), (ga_event)NULL; }
void     ga_event_free(ga_event event) { (void)event; }
bool     ga_event_record(ga_event event, ga_stream stream)
{
    return (void)stream, gi_is_event("\tga_event_record", event) && gi_has_device("\tga_event_record", GA_CUDA);
}
bool ga_event_synchronize(ga_event event)
{
    return gi_is_event("\tga_event_synchronize", event) && gi_has_device("\tga_event_synchronize", GA_CUDA);
}
bool ga_event_query(ga_event event)
{
    return gi_is_event("\tga_event_query", event) && gi_has_device("\tga_event_query", GA_CUDA);
}
double ga_event_elapsed(ga_event from, ga_event to)
{
    const char *site = "\tga_event_elapsed";
    if (gi_is_event(site, from) && gi_is_event(site, to)) (void)gi_has_device(site, GA_CUDA);
    return (double)NAN;
}

/* A .cu file that launches kernels, linked to an implementation that a C compiler made. */
bool gi_launch_begin(const void *kernel, gi_dims grid, gi_dims block, ga_launch_options o, ga_stream *stream)
{
    return (void)kernel, (void)grid, (void)block, (void)stream, gi_has_device(o.site, GA_CUDA);
}
void *gi_launch_array(const ga_array *a, int number, ga_dtype dtype, ga_stream stream, const char *site)
{
    return (void)a, (void)number, (void)dtype, (void)stream, (void)gi_has_device(site, GA_CUDA), (void *)NULL;
}
bool gi_launch_end(const char *kernel, const char *site) { return (void)kernel, gi_has_device(site, GA_CUDA); }
