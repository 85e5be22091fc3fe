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

static bool         gi_cuda_is_default(ga_stream stream) { return !stream || (cudaStream_t)stream == cudaStreamLegacy; }
static cudaStream_t gi_cuda_handle(ga_stream stream)
{
    return gi_cuda_is_default(stream) ? GI_CUDA_DEFAULT_STREAM : (cudaStream_t)stream;
}

static ga_stream gi_cuda_new_stream(const char *site)
{
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

/* The array's memory is behind all that was queued on the stream. */
static void gi_cuda_detach_array(const ga_array *a, void *stream)
{
    gi_buffer *b = a->owner;
    if (!b || b->device != GA_CUDA) return;
    pthread_mutex_lock(&gi_gpus.lock);
    if (b->stream == (ga_stream)stream) b->stream = (ga_stream)GI_CUDA_DEFAULT_STREAM;
    pthread_mutex_unlock(&gi_gpus.lock);
}

/* Neither a thread nor an array remembers the stream any more; all its work is done. No thread takes it again once it is forgotten. */
static void gi_cuda_detach_stream(ga_stream stream)
{
    pthread_mutex_lock(&gi_gpus.lock);
    for (int k = 0; k < gi_gpus.known_streams; k++)
        if (gi_gpus.streams[k].stream == stream) gi_gpus.streams[k--] = gi_gpus.streams[--gi_gpus.known_streams];
    __atomic_add_fetch(&gi_gpus.forgotten, 1, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&gi_gpus.lock);
    gi_array_for_each(gi_cuda_detach_array, (void *)stream);
}

static void gi_cuda_free_stream(const char *site, ga_stream stream)
{
    int  ordinal = 0;
    bool found = false, ours = false;
    if (gi_gpus.forked) return;
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

static bool gi_cuda_set_stream(const char *site, ga_stream stream)
{
    int ordinal = gi_cuda_selected;
    if (!gi_cuda_is_default(stream)) {
        if (!gi_cuda_use(site, ordinal) || !gi_cuda_learn_stream(site, stream, &ordinal)) return false;
        (void)gi_cuda_stream(ordinal); /* what this thread had before is brought up to date first */
    }
    gi_cuda_streams[ordinal] = gi_cuda_is_default(stream) ? NULL : stream;
    return true;
}

static ga_stream gi_cuda_get_stream(void) { return (ga_stream)gi_cuda_stream(gi_cuda_selected); }

/* Makes the stream's device current; false with an error. */
static bool gi_cuda_use_stream(const char *site, ga_stream stream)
{
    int ordinal = gi_cuda_selected;
    return (gi_cuda_is_default(stream) || gi_cuda_learn_stream(site, stream, &ordinal)) && gi_cuda_use(site, ordinal);
}

static bool gi_cuda_finish_stream(const char *site, ga_stream stream)
{
    return gi_cuda_use_stream(site, stream) && GI_CUDA_OK(site, cudaStreamSynchronize(gi_cuda_handle(stream)));
}

/* What cudaStreamQuery and cudaEventQuery say. */
static bool gi_cuda_is_done(const char *site, cudaError_t answer, const char *call)
{
    if (answer != cudaErrorNotReady) return gi_cuda_ok(site, answer, call);
    (void)cudaGetLastError();
    return false;
}

static bool gi_cuda_query_stream(const char *site, ga_stream stream)
{
    return gi_cuda_use_stream(site, stream) &&
           gi_cuda_is_done(site, cudaStreamQuery(gi_cuda_handle(stream)), "cudaStreamQuery");
}

static bool gi_cuda_wait_event(const char *site, ga_stream stream, ga_event event)
{
    return gi_cuda_use_stream(site, stream) &&
           GI_CUDA_OK(site, cudaStreamWaitEvent(gi_cuda_handle(stream), (cudaEvent_t)event, 0));
}

/* What another library queues on its stream from now on comes after all that is queued on the array, on any of our devices. The stream is
   not remembered: it may be gone soon. */
static bool gi_cuda_hand_over(const char *site, const ga_array *a, ga_stream stream)
{
    const int  selected = gi_cuda_selected, ordinal = gi_cuda_selected = gi_cuda_ordinal(a);
    const bool ok = gi_cuda_touch(site, a) && GI_CUDA_OK(site, gi_cuda_wait(gi_cuda_handle(stream), gi_cuda_stream(ordinal)));
    gi_cuda_selected = selected;
    return ok;
}
