/* ---- streams ------------------------------------------------------------------------------------------------------------- */

/* The device of a stream; a caller's own becomes known here. False with an error. */
static bool gi_cuda_learn_stream(const char *site, ga_stream stream, int *ordinal)
{
    bool found = false, full;
    pthread_mutex_lock(&gi_gpus.lock);
    for (int k = 0; k < gi_gpus.known_streams && !found; k++) {
        found = gi_gpus.streams[k].stream == stream;
        if (found) *ordinal = gi_gpus.streams[k].ordinal;
    }
    pthread_mutex_unlock(&gi_gpus.lock);
    if (found) return true;
    if ((cudaStream_t)stream == cudaStreamPerThread) {
        gi_fail(site, GA_BAD_ARGUMENT, "cudaStreamPerThread is another stream in every thread: make one with ga_stream_new");
        return false;
    }
    *ordinal = gi_cuda_selected;
#if CUDART_VERSION >= 12080
    if (!GI_CUDA_OK(site, cudaStreamGetDevice((cudaStream_t)stream, ordinal))) return false;
#endif
    pthread_mutex_lock(&gi_gpus.lock);
    full = gi_gpus.known_streams == GI_MOST_STREAMS;
    if (!full) {
        gi_known_stream *k = &gi_gpus.streams[gi_gpus.known_streams++];
        k->stream          = stream;
        k->ordinal         = *ordinal;
        k->ours            = false;
    }
    pthread_mutex_unlock(&gi_gpus.lock);
    if (full)
        gi_fail(site, GA_BAD_ARGUMENT, "there are %d streams already: ga_stream_free those that are not needed",
                GI_MOST_STREAMS);
    return !full;
}

static bool         gi_is_default_stream(ga_stream stream) { return !stream || (cudaStream_t)stream == cudaStreamLegacy; }
static cudaStream_t gi_cuda_handle(ga_stream stream)
{
    return gi_is_default_stream(stream) ? GI_CUDA_DEFAULT_STREAM : (cudaStream_t)stream;
}

ga_stream ga_stream_new(void)
{
    const char  *site = "\tga_stream_new";
    cudaStream_t stream;
    int          ordinal;
    if (!gi_cuda_use(site, gi_cuda_selected) || !GI_CUDA_OK(site, cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)))
        return NULL;
    if (!gi_cuda_learn_stream(site, (ga_stream)stream, &ordinal)) {
        (void)cudaStreamDestroy(stream);
        return NULL;
    }
    pthread_mutex_lock(&gi_gpus.lock);
    for (int k = 0; k < gi_gpus.known_streams; k++)
        if (gi_gpus.streams[k].stream == (ga_stream)stream) gi_gpus.streams[k].ours = true;
    pthread_mutex_unlock(&gi_gpus.lock);
    return (ga_stream)stream;
}

/* Neither a thread nor an array remembers the stream any more; all its work is done. */
static void gi_cuda_detach_stream(ga_stream stream)
{
    pthread_mutex_lock(&gi_pool.lock);
    pthread_mutex_lock(&gi_gpus.lock);
    for (gi_handle *h = gi_pool.first; h; h = h->next) {
        gi_buffer *b = h->array.owner;
        if (b && b->device == GA_CUDA && b->stream == stream) b->stream = (ga_stream)GI_CUDA_DEFAULT_STREAM;
    }
    for (int k = 0; k < gi_gpus.known_streams; k++)
        if (gi_gpus.streams[k].stream == stream) gi_gpus.streams[k--] = gi_gpus.streams[--gi_gpus.known_streams];
    __atomic_add_fetch(&gi_gpus.forgotten, 1, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&gi_gpus.lock);
    pthread_mutex_unlock(&gi_pool.lock);
}

void ga_stream_free(ga_stream stream)
{
    const char *site    = "\tga_stream_free";
    int         ordinal = 0;
    bool        found = false, ours = false;
    if (!stream || gi_gpus.forked) return;
    pthread_mutex_lock(&gi_gpus.lock);
    for (int k = 0; k < gi_gpus.known_streams && !found; k++) {
        found   = gi_gpus.streams[k].stream == stream;
        ours    = gi_gpus.streams[k].ours;
        ordinal = gi_gpus.streams[k].ordinal;
    }
    pthread_mutex_unlock(&gi_gpus.lock);
    if (!found) {
        gi_fail(site, GA_BAD_ARGUMENT, "this is no stream that is known here: was it freed before?");
        return;
    }
    if (!gi_cuda_use(site, ordinal)) return;
    (void)GI_CUDA_OK(site, cudaStreamSynchronize((cudaStream_t)stream));
    gi_cuda_detach_stream(stream);
    if (ours) (void)GI_CUDA_OK(site, cudaStreamDestroy((cudaStream_t)stream));
}

bool ga_set_stream(ga_stream stream)
{
    const char *site    = "\tga_set_stream";
    int         ordinal = gi_cuda_selected;
    if (!gi_is_default_stream(stream)) {
        if (!gi_cuda_use(site, ordinal) || !gi_cuda_learn_stream(site, stream, &ordinal)) return false;
        (void)gi_cuda_stream(ordinal); /* what this thread had before is brought up to date first */
    }
    gi_cuda_streams[ordinal] = gi_is_default_stream(stream) ? NULL : stream;
    return true;
}

ga_stream ga_get_stream(void) { return (ga_stream)gi_cuda_stream(gi_cuda_selected); }

/* Makes the stream's device current; false with an error. */
static bool gi_cuda_use_stream(const char *site, ga_stream stream)
{
    int ordinal = gi_cuda_selected;
    return (gi_is_default_stream(stream) || gi_cuda_learn_stream(site, stream, &ordinal)) && gi_cuda_use(site, ordinal);
}

bool ga_stream_synchronize(ga_stream stream)
{
    const char *site = "\tga_stream_synchronize";
    return gi_cuda_use_stream(site, stream) && GI_CUDA_OK(site, cudaStreamSynchronize(gi_cuda_handle(stream)));
}

/* What cudaStreamQuery and cudaEventQuery say. */
static bool gi_cuda_is_done(const char *site, cudaError_t answer, const char *call)
{
    if (answer != cudaErrorNotReady) return gi_cuda_ok(site, answer, call);
    (void)cudaGetLastError();
    return false;
}

bool ga_stream_query(ga_stream stream)
{
    const char *site = "\tga_stream_query";
    return gi_cuda_use_stream(site, stream) &&
           gi_cuda_is_done(site, cudaStreamQuery(gi_cuda_handle(stream)), "cudaStreamQuery");
}

bool ga_stream_wait_event(ga_stream stream, ga_event event)
{
    const char *site = "\tga_stream_wait_event";
    return gi_is_event(site, event) && gi_cuda_use_stream(site, stream) &&
           GI_CUDA_OK(site, cudaStreamWaitEvent(gi_cuda_handle(stream), (cudaEvent_t)event, 0));
}
