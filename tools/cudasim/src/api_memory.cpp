/* The runtime API: allocation, copies, symbols. */
#include "internal.h"

struct CUmemPool_st {
    int      device     = 0;
    bool     is_default = false;
    uint64_t threshold = 0, used = 0, used_high = 0, reserved = 0, reserved_high = 0;
    int      reuse[3] = { 1, 1, 1 };
};

namespace cudasim {

/* ------------------------------------------------------------------ registered host memory */

static Immortal<std::map<uintptr_t, std::pair<size_t, unsigned>>> registered;

static std::map<uintptr_t, std::pair<size_t, unsigned>>::iterator find_registered(const void *pointer)
{
    auto it = registered->upper_bound((uintptr_t)pointer);
    if (it == registered->begin()) return registered->end();
    --it;
    return (uintptr_t)pointer - it->first < it->second.first ? it : registered->end();
}

bool is_registered_host(const void *pointer) { return find_registered(pointer) != registered->end(); }

/* ------------------------------------------------------------------ pools */

constexpr uint64_t pool_granularity = 2 << 20;

static CUmemPool_st                       default_pools[32];
static CUmemPool_st                      *current_pools[32];
static Immortal<std::set<CUmemPool_st *>> made_pools;

static CUmemPool_st *default_pool(int device)
{
    default_pools[device].device     = device;
    default_pools[device].is_default = true;
    return &default_pools[device];
}

static CUmemPool_st *current_pool(int device) { return current_pools[device] ? current_pools[device] : default_pool(device); }

static bool is_pool(CUmemPool_st *pool)
{
    return (pool >= default_pools && pool < default_pools + options.devices) || made_pools->count(pool);
}

static void pool_takes(CUmemPool_st *pool, uint64_t size)
{
    pool->used += size;
    pool->used_high     = std::max(pool->used_high, pool->used);
    uint64_t needed     = (pool->used + pool_granularity - 1) / pool_granularity * pool_granularity;
    pool->reserved      = std::max(pool->reserved, needed);
    pool->reserved_high = std::max(pool->reserved_high, pool->reserved);
}

static void pool_keeps(CUmemPool_st *pool, uint64_t bytes)
{
    uint64_t needed = (pool->used + pool_granularity - 1) / pool_granularity * pool_granularity;
    pool->reserved  = std::min(pool->reserved, std::max(needed, bytes));
}

/* Pools shrink to their threshold whenever something waits for the device. */
void trim_pools(int device)
{
    pool_keeps(default_pool(device), default_pool(device)->threshold);
    for (CUmemPool_st *pool : *made_pools)
        if (pool->device == device) pool_keeps(pool, pool->threshold);
}

/* ------------------------------------------------------------------ allocation */

static cudaError_t allocate_for_api(void **pointer, Space space, size_t size, unsigned flags, void *caller)
{
    if (cudaError_t error = check_usable()) return error;
    if (!pointer) return failed(cudaErrorInvalidValue);
    *pointer = nullptr;
    if (size == 0) return cudaSuccess;
    if (injected_failure(Fallible::malloc)) return failed(cudaErrorMemoryAllocation);
    *pointer = allocate(space, self.device, size, caller, flags, nullptr);
    close_gates();
    if (instrumented) checker_result(pointer, sizeof *pointer);
    return *pointer ? cudaSuccess : failed(cudaErrorMemoryAllocation);
}

/* The live allocation that starts at the pointer; otherwise a report and null. */
static Allocation *check_free(const char *function, void *pointer, void *caller, bool host)
{
    Allocation *a = in_arena(pointer) ? nearest_allocation(pointer) : nullptr;
    if (a && a->base == pointer && !a->freed_by && (a->space == Space::pinned) == host && !a->heap) return a;
    if (!a || (size_t)((char *)pointer - a->base) >= std::max(a->size, (size_t)1)) {
        Report(caller, Place{}, "%s(%p): this is not a pointer from %s", function, pointer,
               host ? "cudaMallocHost" : "cudaMalloc");
    } else if (a->base != pointer) {
        Report(caller, Place{}, "%s(%p): this points into an allocation, not to its start", function, pointer)
            .allocation(pointer);
    } else if (a->freed_by) {
        Report(caller, Place{}, "%s(%p): double free", function, pointer).allocation(pointer);
    } else if (a->heap) {
        Report(caller, Place{}, "%s(%p): this is memory of the device heap", function, pointer)
            .allocation(pointer)
            .advice("what a kernel got from malloc or new, a kernel gives back, with free or delete");
    } else {
        Report(caller, Place{}, "%s(%p): this is %s memory", function, pointer, host ? "device" : "pinned host")
            .allocation(pointer)
            .advice(host ? "free it with cudaFree" : "free it with cudaFreeHost");
    }
    return nullptr;
}

static void release_now(Allocation *a, void *caller)
{
    if (a->pool) a->pool->used -= a->size;
    release(a, caller);
}

/* ------------------------------------------------------------------ checks of copies */

enum class Where { host, device, either, pinned };

static Where where_is(const void *pointer)
{
    if (in_arena(pointer)) {
        Space space = space_of(pointer);
        return space == Space::device ? Where::device : space == Space::managed ? Where::either : Where::pinned;
    }
    return is_program_data(pointer) ? Where::either : Where::host; /* a device variable or a host one */
}

static bool fits(Where where, bool want_device)
{
    return where == Where::either || (want_device ? where == Where::device : where != Where::device);
}

static const char *kind_name(enum cudaMemcpyKind kind)
{
    static const char *const names[] = { "cudaMemcpyHostToHost", "cudaMemcpyHostToDevice", "cudaMemcpyDeviceToHost",
                                         "cudaMemcpyDeviceToDevice", "cudaMemcpyDefault" };
    return (unsigned)kind <= 4 ? names[kind] : "unknown kind";
}

static cudaError_t check_kind(const char *function, const void *destination, const void *source, enum cudaMemcpyKind kind,
                              void *caller)
{
    if ((unsigned)kind > 4) return failed(cudaErrorInvalidMemcpyDirection);
    if (kind == cudaMemcpyDefault) return cudaSuccess;
    bool to_device   = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    if (fits(where_is(destination), to_device) && fits(where_is(source), from_device)) return cudaSuccess;
    Report(caller, Place{}, "%s with %s, but the destination is %s memory and the source is %s memory", function,
           kind_name(kind), where_is(destination) == Where::device ? "device" : "host",
           where_is(source) == Where::device ? "device" : "host")
        .advice("the arguments are (destination, source, bytes, kind)");
    return failed(cudaErrorInvalidValue);
}

/* One side of a copy: all its bytes must lie in one live allocation. */
static bool check_range(const char *function, const char *side, const void *pointer, size_t count, void *caller)
{
    if (!pointer) {
        Report(caller, Place{}, "%s: the %s is a null pointer", function, side);
        return false;
    }
    if (!in_arena(pointer) || !count) return true;
    Allocation *a = find_allocation(pointer);
    if (!a) {
        Report(caller, Place{}, "%s: the %s %p is in no allocation", function, side, pointer).allocation(pointer);
        return false;
    }
    if (a->freed_by) {
        Report(caller, Place{}, "%s: the %s %p is freed memory", function, side, pointer).allocation(pointer);
        return false;
    }
    if (a->heap) {
        Report(caller, Place{}, "%s: the %s %p is memory of the device heap", function, side, pointer)
            .allocation(pointer)
            .advice("functions of the host cannot use what a kernel got from malloc or new: copy it in a kernel");
        return false;
    }
    size_t offset = (size_t)((const char *)pointer - a->base);
    if (count <= a->size - offset) return true;
    Report(caller, Place{}, "%s: %zu bytes at the %s, but the allocation ends after %zu", function, count, side,
           a->size - offset)
        .allocation(pointer)
        .advice("sizes are in bytes: count * sizeof(element)");
    return false;
}

/* ------------------------------------------------------------------ copies */

struct Copy {
    char       *destination;
    const char *source;
    size_t      destination_pitch, source_pitch, width, height;
    const char *function;
    void       *caller;
    size_t      extent(size_t pitch) const { return height ? (height - 1) * pitch + width : 0; }
};

static void run_copy(const Copy &c)
{
    Gate gate(all_devices);
    for (size_t row = 0; row < c.height; row++) {
        char       *to   = c.destination + row * c.destination_pitch;
        const char *from = c.source + row * c.source_pitch;
        if (instrumented) checker_copy(to, from, c.width, c.function, c.caller);
        memmove(to, from, c.width);
    }
}

static cudaError_t check_copy(const Copy &c, enum cudaMemcpyKind kind)
{
    if (cudaError_t error = check_usable()) return error;
    if (!c.width || !c.height) return cudaSuccess;
    if (c.destination_pitch < c.width || c.source_pitch < c.width) return failed(cudaErrorInvalidPitchValue);
    if (!check_range(c.function, "destination", c.destination, c.extent(c.destination_pitch), c.caller) ||
        !check_range(c.function, "source", c.source, c.extent(c.source_pitch), c.caller))
        return failed(cudaErrorInvalidValue);
    if (cudaError_t error = check_kind(c.function, c.destination, c.source, kind, c.caller)) return error;
    if (injected_failure(Fallible::copy)) return failed(cudaErrorUnknown);
    return cudaSuccess;
}

static OpInfo info_of(OpKind kind, const char *function, void *caller)
{
    OpInfo info;
    info.kind   = kind;
    info.name   = function;
    info.caller = caller;
    return info;
}

static bool is_pageable(const void *pointer) { return where_is(pointer) == Where::host && !is_registered_host(pointer); }

/* The source of an asynchronous copy from pageable memory is read before the call returns. */
static void stage_source(Copy &c, std::shared_ptr<std::vector<char>> &buffer)
{
    buffer = std::make_shared<std::vector<char>>(c.width * c.height);
    for (size_t row = 0; row < c.height; row++)
        memcpy(buffer->data() + row * c.width, c.source + row * c.source_pitch, c.width);
    c.source       = buffer->data();
    c.source_pitch = c.width;
}

static cudaError_t copy(Copy c, enum cudaMemcpyKind kind, cudaStream_t handle, bool asynchronous)
{
    if (cudaError_t error = check_copy(c, kind)) return error;
    if (!c.width || !c.height) return cudaSuccess;
    Stream *stream = find_stream(handle);
    if (!stream) return failed(cudaErrorInvalidResourceHandle);
    bool to_host = where_is(c.destination) != Where::device, from_host = where_is(c.source) != Where::device;
    bool waits = asynchronous ? is_pageable(c.destination) : to_host || from_host;
    std::shared_ptr<std::vector<char>> buffer;
    if (runs_later(stream) && asynchronous && is_pageable(c.source)) stage_source(c, buffer);
    submit(stream, info_of(OpKind::copy, c.function, c.caller), [c, buffer]() { run_copy(c); });
    close_gates();
    if (waits) {
        synchronize_stream(stream);
        return failed(device_fault(self.device));
    }
    return cudaSuccess;
}

static Copy make_copy(void *destination, const void *source, size_t count, const char *function, void *caller)
{
    return Copy{ (char *)destination, (const char *)source, count, count, count, 1, function, caller };
}

/* ------------------------------------------------------------------ fills */

static cudaError_t fill(void *pointer, size_t pitch, int value, size_t width, size_t height, cudaStream_t handle,
                        const char *function, void *caller)
{
    if (cudaError_t error = check_usable()) return error;
    if (!width || !height) return cudaSuccess;
    if (pitch < width) return failed(cudaErrorInvalidPitchValue);
    if (pointer && where_is(pointer) == Where::host && !is_registered_host(pointer)) {
        Report(caller, Place{}, "%s of host memory at %p", function, pointer).advice("use memset for host memory");
        return failed(cudaErrorInvalidValue);
    }
    if (!check_range(function, "destination", pointer, (height - 1) * pitch + width, caller))
        return failed(cudaErrorInvalidValue);
    if (injected_failure(Fallible::copy)) return failed(cudaErrorUnknown);
    Stream *stream = find_stream(handle);
    if (!stream) return failed(cudaErrorInvalidResourceHandle);
    submit(stream, info_of(OpKind::set, function, caller), [=]() {
        Gate gate(all_devices);
        for (size_t row = 0; row < height; row++) {
            char *to = (char *)pointer + row * pitch;
            if (instrumented) checker_set(to, width, function, caller);
            memset(to, value, width);
        }
    });
    close_gates();
    return cudaSuccess;
}

} // namespace cudasim

extern "C" {

/* ------------------------------------------------------------------ allocation */

cudaError_t cudaMalloc(void **pointer, size_t size)
{
    ApiCall call;
    return allocate_for_api(pointer, Space::device, size, 0, CALLER);
}

cudaError_t cudaMallocManaged(void **pointer, size_t size, unsigned int flags)
{
    ApiCall call;
    if (size == 0) return failed(cudaErrorInvalidValue);
    return allocate_for_api(pointer, Space::managed, size, flags, CALLER);
}

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
    ApiCall call;
    if (!pitch) return failed(cudaErrorInvalidValue);
    *pitch = (width + 511) / 512 * 512;
    return allocate_for_api(pointer, Space::device, *pitch * height, 0, CALLER);
}

cudaError_t cudaMallocHost(void **pointer, size_t size)
{
    ApiCall call;
    return allocate_for_api(pointer, Space::pinned, size, 0, CALLER);
}

cudaError_t cudaHostAlloc(void **pointer, size_t size, unsigned int flags)
{
    ApiCall call;
    return allocate_for_api(pointer, Space::pinned, size, flags, CALLER);
}

cudaError_t cudaFree(void *pointer)
{
    ApiCall call;
    if (cudaError_t error = check_device(self.device)) return error;
    if (!pointer) return cudaSuccess;
    synchronize_device(self.device); /* cudaFree waits for the device */
    Allocation *a = check_free("cudaFree", pointer, CALLER, false);
    if (!a) return failed(cudaErrorInvalidValue);
    release_now(a, CALLER);
    return failed(device_fault(self.device));
}

cudaError_t cudaFreeHost(void *pointer)
{
    ApiCall call;
    if (cudaError_t error = check_device(self.device)) return error;
    if (!pointer) return cudaSuccess;
    Allocation *a = check_free("cudaFreeHost", pointer, CALLER, true);
    if (!a) return failed(cudaErrorInvalidValue);
    if (instrumented) checker_host_free(*a, CALLER);
    synchronize_everything();
    release_now(a, CALLER);
    return failed(device_fault(self.device));
}

cudaError_t cudaHostRegister(void *pointer, size_t size, unsigned int flags)
{
    ApiCall call;
    if (cudaError_t error = check_usable()) return error;
    if (!pointer || !size) return failed(cudaErrorInvalidValue);
    if (in_arena(pointer) || is_registered_host(pointer)) return failed(cudaErrorHostMemoryAlreadyRegistered);
    if (injected_failure(Fallible::malloc)) return failed(cudaErrorMemoryAllocation);
    (*registered)[(uintptr_t)pointer] = { size, flags };
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void *pointer)
{
    ApiCall call;
    if (cudaError_t error = check_device(self.device)) return error;
    synchronize_everything();
    return registered->erase((uintptr_t)pointer) ? cudaSuccess : failed(cudaErrorHostMemoryNotRegistered);
}

cudaError_t cudaHostGetDevicePointer(void **device_pointer, void *host_pointer, unsigned int flags)
{
    ApiCall call;
    if (cudaError_t error = check_usable()) return error;
    if (!device_pointer || flags) return failed(cudaErrorInvalidValue);
    bool pinned = in_arena(host_pointer) && space_of(host_pointer) != Space::device;
    if (!pinned && !is_registered_host(host_pointer)) return failed(cudaErrorInvalidValue);
    *device_pointer = host_pointer;
    return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned int *flags, void *pointer)
{
    ApiCall call;
    if (cudaError_t error = check_usable()) return error;
    Allocation *a = find_allocation(pointer);
    if (!flags || !a || a->space != Space::pinned) return failed(cudaErrorInvalidValue);
    *flags = a->flags | cudaHostAllocMapped;
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    ApiCall call;
    if (cudaError_t error = check_usable()) return error;
    if (free_bytes) *free_bytes = options.memory - std::min(options.memory, device_bytes_used(self.device));
    if (total_bytes) *total_bytes = options.memory;
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer)
{
    ApiCall call;
    if (cudaError_t error = check_device(self.device)) return error;
    if (!attributes) return failed(cudaErrorInvalidValue);
    *attributes   = cudaPointerAttributes{ cudaMemoryTypeUnregistered, -2, nullptr, (void *)pointer };
    Allocation *a = find_allocation(pointer);
    if (a && !a->freed_by) {
        static const enum cudaMemoryType types[] = { cudaMemoryTypeDevice, cudaMemoryTypeManaged, cudaMemoryTypeHost };
        attributes->type                         = types[(int)a->space];
        attributes->device                       = a->device;
        attributes->devicePointer                = (void *)pointer;
        attributes->hostPointer                  = a->space == Space::device ? nullptr : (void *)pointer;
    } else if (is_registered_host(pointer)) {
        attributes->type          = cudaMemoryTypeHost;
        attributes->device        = 0;
        attributes->devicePointer = (void *)pointer;
    } else if (in_arena(pointer)) {
        attributes->hostPointer = nullptr;
    }
    return cudaSuccess;
}

/* ------------------------------------------------------------------ copies */

cudaError_t cudaMemcpy(void *destination, const void *source, size_t count, enum cudaMemcpyKind kind)
{
    ApiCall call;
    return copy(make_copy(destination, source, count, "cudaMemcpy", CALLER), kind, nullptr, false);
}

cudaError_t cudaMemcpyAsync(void *destination, const void *source, size_t count, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    ApiCall call;
    return copy(make_copy(destination, source, count, "cudaMemcpyAsync", CALLER), kind, stream, true);
}

static cudaError_t check_peers(int a, int b)
{
    if (cudaError_t error = check_device(a)) return error;
    return check_device(b);
}

cudaError_t cudaMemcpyPeer(void *destination, int destination_device, const void *source, int source_device, size_t count)
{
    ApiCall call;
    if (cudaError_t error = check_peers(destination_device, source_device)) return error;
    return copy(make_copy(destination, source, count, "cudaMemcpyPeer", CALLER), cudaMemcpyDeviceToDevice, nullptr, false);
}

cudaError_t cudaMemcpyPeerAsync(void *destination, int destination_device, const void *source, int source_device, size_t count,
                                cudaStream_t stream)
{
    ApiCall call;
    if (cudaError_t error = check_peers(destination_device, source_device)) return error;
    return copy(make_copy(destination, source, count, "cudaMemcpyPeerAsync", CALLER), cudaMemcpyDeviceToDevice, stream, true);
}

cudaError_t cudaMemcpy2D(void *destination, size_t destination_pitch, const void *source, size_t source_pitch, size_t width,
                         size_t height, enum cudaMemcpyKind kind)
{
    ApiCall call;
    Copy c{ (char *)destination, (const char *)source, destination_pitch, source_pitch, width, height, "cudaMemcpy2D", CALLER };
    return copy(c, kind, nullptr, false);
}

cudaError_t cudaMemcpy2DAsync(void *destination, size_t destination_pitch, const void *source, size_t source_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    ApiCall call;
    Copy    c{
        (char *)destination, (const char *)source, destination_pitch, source_pitch, width, height, "cudaMemcpy2DAsync", CALLER
    };
    return copy(c, kind, stream, true);
}

cudaError_t cudaMemset(void *pointer, int value, size_t count)
{
    ApiCall call;
    return fill(pointer, count, value, count, 1, nullptr, "cudaMemset", CALLER);
}

cudaError_t cudaMemsetAsync(void *pointer, int value, size_t count, cudaStream_t stream)
{
    ApiCall call;
    return fill(pointer, count, value, count, 1, stream, "cudaMemsetAsync", CALLER);
}

cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height)
{
    ApiCall call;
    return fill(pointer, pitch, value, width, height, nullptr, "cudaMemset2D", CALLER);
}

cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream)
{
    ApiCall call;
    return fill(pointer, pitch, value, width, height, stream, "cudaMemset2DAsync", CALLER);
}

/* ------------------------------------------------------------------ hints for managed memory: checked, otherwise ignored */

static cudaError_t check_managed(const void *pointer, size_t count, const struct cudaMemLocation &location)
{
    if (cudaError_t error = check_usable()) return error;
    Allocation *a = find_allocation(pointer);
    if (!count || !a || a->freed_by || a->space != Space::managed || count > a->size - (size_t)((char *)pointer - a->base))
        return failed(cudaErrorInvalidValue);
    return location.type == cudaMemLocationTypeDevice ? check_device(location.id) : cudaSuccess;
}

cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t count, struct cudaMemLocation location, unsigned int flags,
                                 cudaStream_t stream)
{
    ApiCall call;
    if (flags) return failed(cudaErrorInvalidValue);
    if (!find_stream(stream)) return failed(cudaErrorInvalidResourceHandle);
    return check_managed(pointer, count, location);
}

cudaError_t cudaMemAdvise(const void *pointer, size_t count, enum cudaMemoryAdvise, struct cudaMemLocation location)
{
    ApiCall call;
    return check_managed(pointer, count, location);
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *, size_t, unsigned int)
{
    ApiCall call;
    if (cudaError_t error = check_usable()) return error;
    return find_stream(stream) ? cudaSuccess : failed(cudaErrorInvalidResourceHandle);
}

/* ------------------------------------------------------------------ symbols */

cudaError_t cudasim_copy_symbol(void *symbol, size_t symbol_size, void *other, size_t count, size_t offset,
                                enum cudaMemcpyKind kind, cudaStream_t stream, int to_symbol, int asynchronous)
{
    ApiCall     call;
    const char *function = to_symbol ? "cudaMemcpyToSymbol" : "cudaMemcpyFromSymbol";
    if (offset > symbol_size || count > symbol_size - offset) {
        Report(CALLER, Place{}, "%s: %zu bytes at offset %zu, but the symbol has %zu bytes", function, count, offset,
               symbol_size);
        return failed(cudaErrorInvalidValue);
    }
    void       *destination = to_symbol ? (char *)symbol + offset : other;
    const void *source      = to_symbol ? other : (char *)symbol + offset;
    return copy(make_copy(destination, source, count, function, CALLER), kind, stream, asynchronous);
}

/* Without the type of the variable its size is unknown: the end of the program's data is the only bound. */
static size_t data_behind(const void *symbol)
{
    return is_program_data(symbol) ? program_data_size() - program_data_offset(symbol) : 0;
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *source, size_t count, size_t offset, enum cudaMemcpyKind kind)
{
    return cudasim_copy_symbol((void *)symbol, data_behind(symbol), (void *)source, count, offset, kind, nullptr, 1, 0);
}

cudaError_t cudaMemcpyFromSymbol(void *destination, const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind)
{
    return cudasim_copy_symbol((void *)symbol, data_behind(symbol), destination, count, offset, kind, nullptr, 0, 0);
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *source, size_t count, size_t offset,
                                    enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return cudasim_copy_symbol((void *)symbol, data_behind(symbol), (void *)source, count, offset, kind, stream, 1, 1);
}

cudaError_t cudaMemcpyFromSymbolAsync(void *destination, const void *symbol, size_t count, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return cudasim_copy_symbol((void *)symbol, data_behind(symbol), destination, count, offset, kind, stream, 0, 1);
}

cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol)
{
    ApiCall call;
    if (!pointer || !is_program_data(symbol)) return failed(cudaErrorInvalidSymbol);
    *pointer = (void *)symbol;
    return cudaSuccess;
}

cudaError_t cudaGetSymbolSize(size_t *, const void *)
{
    ApiCall call;
    return failed(cudaErrorInvalidSymbol); /* only the typed form of cuda_runtime.h knows the size */
}

/* ------------------------------------------------------------------ stream-ordered allocation */

static cudaError_t allocate_from_pool(void **pointer, size_t size, CUmemPool_st *pool, cudaStream_t handle, void *caller)
{
    if (cudaError_t error = check_usable()) return error;
    if (!pointer || !is_pool(pool)) return failed(cudaErrorInvalidValue);
    *pointer       = nullptr;
    Stream *stream = find_stream(handle);
    if (!stream) return failed(cudaErrorInvalidResourceHandle);
    if (size == 0) return cudaSuccess;
    if (injected_failure(Fallible::malloc)) return failed(cudaErrorMemoryAllocation);
    char *base = allocate(Space::device, pool->device, size, caller, 0, pool);
    if (!base) { /* frees that are still pending may give room */
        synchronize_device(pool->device);
        base = allocate(Space::device, pool->device, size, caller, 0, pool);
    }
    if (!base) return failed(cudaErrorMemoryAllocation);
    pool_takes(pool, size);
    *pointer = base;
    if (instrumented) checker_result(pointer, sizeof *pointer);
    return submit(stream, info_of(OpKind::allocate, "cudaMallocAsync", caller), [base]() {
        if (Allocation *a = find_allocation(base))
            if (instrumented && !a->freed_by) checker_owned(*a);
    });
}

cudaError_t cudaMallocAsync(void **pointer, size_t size, cudaStream_t stream)
{
    ApiCall call;
    if (cudaError_t error = check_usable()) return error;
    return allocate_from_pool(pointer, size, current_pool(self.device), stream, CALLER);
}

cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream)
{
    ApiCall call;
    return allocate_from_pool(pointer, size, pool, stream, CALLER);
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t handle)
{
    ApiCall call;
    if (cudaError_t error = check_usable()) return error;
    if (!pointer) return cudaSuccess;
    Stream *stream = find_stream(handle);
    if (!stream) return failed(cudaErrorInvalidResourceHandle);
    void       *caller = CALLER;
    Allocation *a      = check_free("cudaFreeAsync", pointer, caller, false);
    if (!a) return failed(cudaErrorInvalidValue);
    return submit(stream, info_of(OpKind::free, "cudaFreeAsync", caller), [pointer, caller]() {
        Allocation *freed = check_free("cudaFreeAsync", pointer, caller, false);
        if (!freed) return;
        if (instrumented) checker_disowned(*freed, caller);
        release_now(freed, caller);
    });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    ApiCall call;
    if (cudaError_t error = check_device(device)) return error;
    if (!pool) return failed(cudaErrorInvalidValue);
    *pool = default_pool(device);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
    ApiCall call;
    if (cudaError_t error = check_device(device)) return error;
    if (!pool) return failed(cudaErrorInvalidValue);
    *pool = current_pool(device);
    return cudaSuccess;
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    ApiCall call;
    if (cudaError_t error = check_device(device)) return error;
    if (!is_pool(pool) || pool->device != device) return failed(cudaErrorInvalidValue);
    current_pools[device] = pool;
    return cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties)
{
    ApiCall call;
    if (cudaError_t error = check_usable()) return error;
    if (!pool || !properties || properties->location.type != cudaMemLocationTypeDevice) return failed(cudaErrorInvalidValue);
    if (cudaError_t error = check_device(properties->location.id)) return error;
    if (injected_failure(Fallible::create)) return failed(cudaErrorMemoryAllocation);
    *pool           = new CUmemPool_st;
    (*pool)->device = properties->location.id;
    made_pools->insert(*pool);
    return cudaSuccess;
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    ApiCall call;
    if (!made_pools->count(pool)) return failed(cudaErrorInvalidValue);
    synchronize_device(pool->device);
    for (auto &entry : all_allocations())
        if (entry.second.pool == pool) const_cast<Allocation &>(entry.second).pool = nullptr;
    if (current_pools[pool->device] == pool) current_pools[pool->device] = nullptr;
    made_pools->erase(pool);
    delete pool;
    return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes_to_keep)
{
    ApiCall call;
    if (!is_pool(pool)) return failed(cudaErrorInvalidValue);
    pool_keeps(pool, bytes_to_keep);
    return cudaSuccess;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    ApiCall call;
    if (!is_pool(pool) || !value) return failed(cudaErrorInvalidValue);
    switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies: pool->reuse[attribute - 1] = *(int *)value; return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold: pool->threshold = *(uint64_t *)value; return cudaSuccess;
    case cudaMemPoolAttrReservedMemHigh:
        if (*(uint64_t *)value) return failed(cudaErrorInvalidValue);
        pool->reserved_high = pool->reserved;
        return cudaSuccess;
    case cudaMemPoolAttrUsedMemHigh:
        if (*(uint64_t *)value) return failed(cudaErrorInvalidValue);
        pool->used_high = pool->used;
        return cudaSuccess;
    default: return failed(cudaErrorInvalidValue);
    }
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    ApiCall call;
    if (!is_pool(pool) || !value) return failed(cudaErrorInvalidValue);
    switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies: *(int *)value = pool->reuse[attribute - 1]; return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold: *(uint64_t *)value = pool->threshold; return cudaSuccess;
    case cudaMemPoolAttrReservedMemCurrent: *(uint64_t *)value = pool->reserved; return cudaSuccess;
    case cudaMemPoolAttrReservedMemHigh: *(uint64_t *)value = pool->reserved_high; return cudaSuccess;
    case cudaMemPoolAttrUsedMemCurrent: *(uint64_t *)value = pool->used; return cudaSuccess;
    case cudaMemPoolAttrUsedMemHigh: *(uint64_t *)value = pool->used_high; return cudaSuccess;
    }
    return failed(cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *list, size_t count)
{
    ApiCall call;
    if (!is_pool(pool) || (!list && count)) return failed(cudaErrorInvalidValue);
    for (size_t i = 0; i < count; i++) {
        if (cudaError_t error = check_device(list[i].location.id)) return error;
        if (list[i].location.id != pool->device)
            set_peer(list[i].location.id, pool->device, list[i].flags != cudaMemAccessFlagsProtNone);
    }
    return cudaSuccess;
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool, struct cudaMemLocation *location)
{
    ApiCall call;
    if (!flags || !location || !is_pool(pool)) return failed(cudaErrorInvalidValue);
    if (cudaError_t error = check_device(location->id)) return error;
    *flags = can_reach_peer(location->id, pool->device) ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
    return cudaSuccess;
}
}
