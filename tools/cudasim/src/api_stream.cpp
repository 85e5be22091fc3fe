/* The runtime API: streams and events. */
#include "internal.h"

namespace cudasim {

static double now()
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The stream of an API call; null after the error was recorded. */
static Stream *stream_of_call(cudaStream_t handle, const char *function, void *caller, cudaError_t *error)
{
    if ((*error = check_usable())) return nullptr;
    Stream *s = find_stream(handle);
    if (s) return s;
    Report(caller, Place{}, "%s: the stream does not exist, or was destroyed", function);
    *error = failed(cudaErrorInvalidResourceHandle);
    return nullptr;
}

static Event *event_of_call(cudaEvent_t handle, const char *function, void *caller, cudaError_t *error)
{
    if ((*error = check_usable())) return nullptr;
    if (events->count((Event *)handle)) return (Event *)handle;
    Report(caller, Place{}, "%s: the event does not exist, or was destroyed", function);
    *error = failed(cudaErrorInvalidResourceHandle);
    return nullptr;
}

static cudaError_t create_stream(cudaStream_t *handle, unsigned flags, int priority)
{
    if (cudaError_t error = check_usable()) return error;
    if (!handle || flags > cudaStreamNonBlocking) return failed(cudaErrorInvalidValue);
    if (injected_failure(Fallible::create)) return failed(cudaErrorMemoryAllocation);
    Stream *s   = new Stream;
    s->device   = self.device;
    s->flags    = flags;
    s->priority = std::max(-5, std::min(0, priority));
    s->id       = next_stream_id++;
    streams->push_back(s);
    *handle = (cudaStream_t)s;
    return cudaSuccess;
}

/* A program that polls must make progress in lazy mode too: the third question is answered by doing the work. */
constexpr int patience = 3;

static bool is_finished(Event *e) { return !e->op || e->op->done; }

} // namespace cudasim

extern "C" {

/* ------------------------------------------------------------------ streams */

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    ApiCall call;
    return create_stream(stream, cudaStreamDefault, 0);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
    ApiCall call;
    return create_stream(stream, flags, 0);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority)
{
    ApiCall call;
    return create_stream(stream, flags, priority);
}

cudaError_t cudaStreamDestroy(cudaStream_t handle)
{
    ApiCall     call;
    cudaError_t error;
    if (!handle || handle == cudaStreamLegacy || handle == cudaStreamPerThread) return failed(cudaErrorInvalidResourceHandle);
    Stream *s = stream_of_call(handle, "cudaStreamDestroy", CALLER, &error);
    if (!s) return error;
    run_until(s, nullptr);
    streams->erase(std::find(streams->begin(), streams->end(), s));
    free_components->push_back(s->component);
    /* its work stays ordered before later work of the default stream, and before a wait for the whole device */
    Stream *legacy = legacy_stream(s->device);
    if (instrumented && s->blocking()) join(legacy->clock, s->clock);
    if (instrumented) join((*departed_clocks)[s->device], s->clock);
    delete s;
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle)
{
    ApiCall     call;
    cudaError_t error;
    Stream     *s = stream_of_call(handle, "cudaStreamSynchronize", CALLER, &error);
    if (!s) return error;
    synchronize_stream(s);
    trim_pools(s->device);
    return failed(device_fault(s->device));
}

cudaError_t cudaStreamQuery(cudaStream_t handle)
{
    ApiCall     call;
    cudaError_t error;
    Stream     *s = stream_of_call(handle, "cudaStreamQuery", CALLER, &error);
    if (!s) return error;
    if (has_pending_work(s) && ++s->queries < patience) return cudaErrorNotReady;
    synchronize_stream(s);
    return failed(device_fault(s->device));
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned int)
{
    ApiCall     call;
    cudaError_t error;
    Stream     *s = stream_of_call(handle, "cudaStreamWaitEvent", CALLER, &error);
    if (!s) return error;
    Event *e = event_of_call(event, "cudaStreamWaitEvent", CALLER, &error);
    if (!e) return error;
    if (!e->recorded) return cudaSuccess;
    if (instrumented) join(s->clock, e->clock);
    if (!is_finished(e)) keep_back(s, 0, []() {})->after.push_back(e->op);
    return cudaSuccess;
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int *priority)
{
    ApiCall     call;
    cudaError_t error;
    Stream     *s = stream_of_call(handle, "cudaStreamGetPriority", CALLER, &error);
    if (s && priority) *priority = s->priority;
    return error;
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned int *flags)
{
    ApiCall     call;
    cudaError_t error;
    Stream     *s = stream_of_call(handle, "cudaStreamGetFlags", CALLER, &error);
    if (s && flags) *flags = s->flags;
    return error;
}

cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long *id)
{
    ApiCall     call;
    cudaError_t error;
    Stream     *s = stream_of_call(handle, "cudaStreamGetId", CALLER, &error);
    if (s && id) *id = s->id;
    return error;
}

cudaError_t cudaStreamGetDevice(cudaStream_t handle, int *device)
{
    ApiCall     call;
    cudaError_t error;
    Stream     *s = stream_of_call(handle, "cudaStreamGetDevice", CALLER, &error);
    if (s && device) *device = s->device;
    return error;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void *user_data)
{
    ApiCall     call;
    cudaError_t error;
    Stream     *s = stream_of_call(handle, "cudaLaunchHostFunc", CALLER, &error);
    if (!s) return error;
    if (!function) return failed(cudaErrorInvalidValue);
    OpInfo info;
    info.kind   = OpKind::host_function;
    info.name   = "cudaLaunchHostFunc";
    info.caller = CALLER;
    return submit(s, info, [=]() { function(user_data); });
}

cudaError_t cudaStreamAddCallback(cudaStream_t handle, cudaStreamCallback_t callback, void *user_data, unsigned int flags)
{
    ApiCall     call;
    cudaError_t error;
    Stream     *s = stream_of_call(handle, "cudaStreamAddCallback", CALLER, &error);
    if (!s) return error;
    if (!callback || flags) return failed(cudaErrorInvalidValue);
    OpInfo info;
    info.kind   = OpKind::host_function;
    info.name   = "cudaStreamAddCallback";
    info.caller = CALLER;
    int device  = s->device;
    return submit(s, info, [=]() { callback(handle, device_fault(device), user_data); });
}

/* ------------------------------------------------------------------ events */

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *handle, unsigned int flags)
{
    ApiCall call;
    if (cudaError_t error = check_usable()) return error;
    if (!handle || flags > 7) return failed(cudaErrorInvalidValue);
    if (injected_failure(Fallible::create)) return failed(cudaErrorMemoryAllocation);
    Event *e  = new Event;
    e->flags  = flags;
    e->device = self.device;
    events->insert(e);
    *handle = (cudaEvent_t)e;
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }

cudaError_t cudaEventDestroy(cudaEvent_t handle)
{
    ApiCall     call;
    cudaError_t error;
    Event      *e = event_of_call(handle, "cudaEventDestroy", CALLER, &error);
    if (!e) return error;
    if (!is_finished(e)) run_until(e->op->stream, e->op.get());
    events->erase(e);
    delete e;
    return cudaSuccess;
}

static cudaError_t record_event(cudaEvent_t handle, cudaStream_t stream, void *caller)
{
    cudaError_t error;
    Event      *e = event_of_call(handle, "cudaEventRecord", caller, &error);
    if (!e) return error;
    Stream *s = stream_of_call(stream, "cudaEventRecord", caller, &error);
    if (!s) return error;
    if (s->device != e->device) return failed(cudaErrorInvalidResourceHandle);
    OpInfo info;
    info.kind   = OpKind::event;
    info.name   = "cudaEventRecord";
    info.caller = caller;
    e->recorded = true;
    e->queries  = 0;
    submit(s, info, [e]() {
        if (events->count(e)) e->time = now();
    });
    e->op    = is_under_way(s->last) ? s->last : nullptr;
    e->clock = s->clock;
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    ApiCall call;
    return record_event(event, stream, CALLER);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
    ApiCall call;
    return flags ? failed(cudaErrorInvalidValue) : record_event(event, stream, CALLER);
}

static void wait_for_event(Event *e)
{
    if (!is_finished(e)) run_until(e->op->stream, e->op.get());
    host_learns(e->clock);
    close_gates();
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle)
{
    ApiCall     call;
    cudaError_t error;
    Event      *e = event_of_call(handle, "cudaEventSynchronize", CALLER, &error);
    if (!e) return error;
    wait_for_event(e);
    trim_pools(e->device);
    return failed(device_fault(e->device));
}

cudaError_t cudaEventQuery(cudaEvent_t handle)
{
    ApiCall     call;
    cudaError_t error;
    Event      *e = event_of_call(handle, "cudaEventQuery", CALLER, &error);
    if (!e) return error;
    if (!is_finished(e) && ++e->queries < patience) return cudaErrorNotReady;
    wait_for_event(e);
    return failed(device_fault(e->device));
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t stop)
{
    ApiCall     call;
    cudaError_t error;
    Event      *a = event_of_call(start, "cudaEventElapsedTime", CALLER, &error);
    if (!a) return error;
    Event *b = event_of_call(stop, "cudaEventElapsedTime", CALLER, &error);
    if (!b) return error;
    if (!milliseconds) return failed(cudaErrorInvalidValue);
    if (!a->recorded || !b->recorded || ((a->flags | b->flags) & cudaEventDisableTiming))
        return failed(cudaErrorInvalidResourceHandle);
    if (!is_finished(a) || !is_finished(b)) return failed(cudaErrorNotReady);
    *milliseconds = (float)(1e3 * (b->time - a->time));
    return cudaSuccess;
}
}
