/* ==== >>cuda streams and devices: what a user can steer ==================================================================== */

/* ---- copies between devices -------------------------------------------------------------------------------------------- */

/* Is this memory of the CPU pinned, by us or by the caller who wrapped it? */
static bool gi_cuda_is_pinned(const ga_array *a)
{
    struct cudaPointerAttributes at;
    if (a->owner->memory == GI_PINNED) return true;
    if (!a->owner->wrapped) return false;
    if (cudaPointerGetAttributes(&at, a->data) == cudaSuccess) return at.type == cudaMemoryTypeHost;
    (void)cudaGetLastError();
    return false;
}

/* Remembers that a copy with this memory of the CPU has been queued on a stream of the current device. */
static bool gi_cuda_remember_copy(const char *site, gi_buffer *b, int ordinal, cudaStream_t stream)
{
    cudaEvent_t event = (cudaEvent_t)b->copied;
    if (event && b->ordinal != ordinal) { /* an event belongs to one device */
        if (!gi_cuda_settle(site, b)) return false;
        (void)cudaEventDestroy(event);
        b->copied = NULL;
        event     = NULL;
    }
    if (!event && !GI_CUDA_OK(site, cudaEventCreateWithFlags(&event, cudaEventDisableTiming))) return false;
    b->copied  = (ga_event)event;
    b->ordinal = ordinal;
    if (!GI_CUDA_OK(site, cudaEventRecord(event, stream))) return false;
    __atomic_store_n(&b->copying, true, __ATOMIC_RELEASE);
    return true;
}

/* All elements between C-contiguous arrays on the CPU and on the GPU, which is touched here. The host waits for the copy, unless `async`
   is asked for and its memory is pinned. */
static bool gi_cuda_copy_host(const char *site, ga_array *gpu, ga_array *cpu, bool upload, bool async)
{
    size_t bytes = (size_t)(gpu->size * ga_itemsize(gpu->dtype));
    if (!gi_cuda_touch(site, gpu)) return false;
    if (bytes == 0) return true;
    int          ordinal = gi_cuda_ordinal(gpu);
    cudaStream_t stream  = gi_cuda_stream(ordinal);
    gi_buffer   *b       = cpu->owner;
    async                = async && gi_cuda_is_pinned(cpu);
    if (__atomic_load_n(&b->copying, __ATOMIC_ACQUIRE) &&
        !GI_CUDA_OK(site, cudaStreamWaitEvent(stream, (cudaEvent_t)b->copied, 0)))
        return false;
    bool ok = upload ? GI_CUDA_OK(site, cudaMemcpyAsync(gpu->data, cpu->data, bytes, cudaMemcpyHostToDevice, stream))
                     : GI_CUDA_OK(site, cudaMemcpyAsync(cpu->data, gpu->data, bytes, cudaMemcpyDeviceToHost, stream));
    if (ok && async && gi_cuda_remember_copy(site, b, ordinal, stream)) return true;
    return GI_CUDA_OK(site, cudaStreamSynchronize(stream)) && ok && !async;
}

/* The same where the one on the GPU may lie in any way. */
static bool gi_cuda_between_host(const char *site, const ga_array *from, ga_array *to, bool async)
{
    if (from->device == GA_CPU) return gi_cuda_copy_host(site, to, (ga_array *)(uintptr_t)from, true, async);
    ga_array *packed = gi_cuda_packed(site, from, from->dtype);
    bool      ok     = packed && gi_cuda_copy_host(site, packed, to, false, async);
    ga_free(packed);
    return ok;
}

/* From the CPU into a new array on the GPU of the same dtype and shape; both are packed. */
static bool gi_cuda_upload(const char *site, ga_array *to, const ga_array *packed)
{
    return gi_cuda_touch(site, to) &&
           gi_cuda_write(site, to, to->data, packed->data, (size_t)(packed->size * ga_itemsize(packed->dtype)));
}

/* One element, from any GPU. */
static bool gi_cuda_read_element(const char *site, const ga_array *a, const void *element, void *number)
{
    int selected     = gi_cuda_selected;
    gi_cuda_selected = gi_cuda_ordinal(a);
    bool read        = gi_cuda_touch(site, a) && gi_cuda_read(site, a, number, element, (size_t)ga_itemsize(a->dtype));
    gi_cuda_selected = selected;
    return read;
}

/* Streams of two devices: work that is queued on `stream` from now on comes after everything that is queued on `earlier`. */
static bool gi_cuda_after_there(const char *site, int device, cudaStream_t stream, int earlier_device, cudaStream_t earlier)
{
    cudaEvent_t done;
    if (!gi_cuda_use(site, earlier_device) || !GI_CUDA_OK(site, cudaEventCreateWithFlags(&done, cudaEventDisableTiming)))
        return false;
    bool ok = GI_CUDA_OK(site, cudaEventRecord(done, earlier)) &&
              gi_cuda_use(site, device) && /* NULL is a stream of the current one */
              GI_CUDA_OK(site, cudaStreamWaitEvent(stream, done, 0));
    (void)cudaEventDestroy(done);
    return ok;
}

/* From one GPU to another. Each of their streams waits for the other; the host does not. */
static bool gi_cuda_between_gpus(const char *site, const ga_array *from, ga_array *to)
{
    int    source = gi_cuda_ordinal(from), target = gi_cuda_ordinal(to);
    size_t bytes     = (size_t)(from->size * ga_itemsize(from->dtype));
    gi_cuda_selected = source;
    ga_array *packed = gi_cuda_packed(site, from, from->dtype);
    if (!packed) return false;
    cudaStream_t there = gi_cuda_stream(source), here = gi_cuda_stream(target);
    bool         ok  = gi_cuda_touch(site, packed);
    gi_cuda_selected = target;
    bool queued      = ok && gi_cuda_touch(site, to) && gi_cuda_after_there(site, source, there, target, here) &&
                  (bytes == 0 || GI_CUDA_OK(site, cudaMemcpyPeerAsync(to->data, target, packed->data, source, bytes, there)));
    ok = queued && gi_cuda_after_there(site, target, here, source, there);
    if (queued && !ok && gi_cuda_use(site, source))
        (void)cudaStreamSynchronize(there); /* nobody else would wait for the copy */
    ga_free(packed);
    return ok;
}

/* All elements of a into `to`, a C-contiguous array of the same shape and dtype. What is on the CPU is packed. */
static bool gi_cuda_transfer(const char *site, const ga_array *a, ga_array *to, bool async)
{
    if (a->device == GA_CPU || to->device == GA_CPU) {
        gi_cuda_selected = gi_cuda_ordinal(a->device == GA_CPU ? to : a);
        return gi_cuda_between_host(site, a, to, async);
    }
    gi_cuda_selected = gi_cuda_ordinal(to);
    return gi_cuda_ordinal(a) == gi_cuda_selected ? gi_cuda_assign(site, to, a) : gi_cuda_between_gpus(site, a, to);
}

/* ga_to when the array or the destination is on a GPU. What is on the CPU is packed. */
static ga_array *gi_cuda_bring(const char *site, const ga_array *a, ga_device device, const ga_to_options *o)
{
    int       selected = gi_cuda_selected, target = device == GA_CPU ? -1 : o->out ? gi_cuda_ordinal(o->out) : selected;
    int       worker = a->device == GA_CUDA ? gi_cuda_ordinal(a) : target, home = worker;
    bool      async = o->async && device == GA_CPU;
    ga_array *to    = o->out;
    if (!gi_cuda_use(site, worker)) return NULL;
    if (o->stream && !gi_cuda_learn_stream(site, o->stream, &home)) return NULL;
    if (home != worker)
        return (ga_array *)gi_fail(site, GA_BAD_DEVICE, ".stream belongs to CUDA device %d, the copy is done by device %d",
                                   home, worker);
    ga_stream was = gi_cuda_streams[worker];
    if (o->stream) gi_cuda_streams[worker] = o->stream;
    if (!to || !ga_is_contiguous(to)) /* what the host gets without waiting must be pinned */
        to = gi_array_new_in(site, async && !o->out ? GI_PINNED : GI_ORDINARY, a->dtype, device, a->ndim, a->shape);
    bool ok = to && gi_cuda_transfer(site, a, to, o->async && (!o->out || to == o->out));
    if (ok && o->out && to != o->out) ok = gi_cuda_assign(site, o->out, to);
    if (to != o->out && (!ok || o->out)) ga_free(to);
    gi_cuda_streams[worker] = was;
    gi_cuda_selected        = selected;
    return !ok ? NULL : o->out ? o->out : to;
}
