/* ---- events -------------------------------------------------------------------------------------------------------------- */

static ga_event gi_cuda_new_event(const char *site)
{
    cudaEvent_t event;
    if (!gi_cuda_use(site, gi_cuda_selected) || !GI_CUDA_OK(site, cudaEventCreateWithFlags(&event, cudaEventDefault)))
        return NULL;
    return (ga_event)event;
}

static void gi_cuda_free_event(const char *site, ga_event event)
{
    if (!gi_gpus.forked) (void)GI_CUDA_OK(site, cudaEventDestroy((cudaEvent_t)event));
}

static bool gi_cuda_record(const char *site, ga_event event, ga_stream stream)
{
    return gi_cuda_use_stream(site, stream) && GI_CUDA_OK(site, cudaEventRecord((cudaEvent_t)event, gi_cuda_handle(stream)));
}

static bool gi_cuda_reach(const char *site, ga_event event)
{
    return GI_CUDA_OK(site, cudaEventSynchronize((cudaEvent_t)event));
}

static bool gi_cuda_query_event(const char *site, ga_event event)
{
    return gi_cuda_is_done(site, cudaEventQuery((cudaEvent_t)event), "cudaEventQuery");
}

static double gi_cuda_elapsed(const char *site, ga_event from, ga_event to)
{
    float       ms    = 0;
    cudaError_t error = cudaEventElapsedTime(&ms, (cudaEvent_t)from, (cudaEvent_t)to);
    if (error == cudaErrorInvalidResourceHandle || error == cudaErrorNotReady) {
        (void)cudaGetLastError();
        gi_fail(site, GA_BAD_ARGUMENT, "%s: ga_event_record both, then ga_event_synchronize the second",
                error == cudaErrorNotReady ? "the events have not been reached yet" : "an event has not been recorded");
        return (double)NAN;
    }
    return gi_cuda_ok(site, error, "cudaEventElapsedTime") ? (double)ms * 1e-3 : (double)NAN;
}
