/* The device heap: malloc, free, new and delete in device code.
 *
 * Code that includes the headers calls cudasim_malloc and cudasim_free by the names malloc and free (cuda_runtime.h).  The
 * operators new and delete are those of this file, because a program may replace them.  In host code all of them do what they
 * always do, but for a pointer that only a device can free. */
#include "internal.h"

namespace cudasim {

/* The program calls, not the runtime, and it does so in a kernel. */
static bool in_device_code() { return self.in_kernel && interruptible; }

static bool heap_used[32]; /* by device: its size cannot change any more */

bool is_heap_used(int device) { return heap_used[device]; }
void reset_heap(int device) { heap_used[device] = false; }

static void *heap_allocate(size_t size, void *caller)
{
    InRuntime inside;
    heap_used[kernel.device] = true;
    return allocate_in_heap(kernel.device, size, device_limit(kernel.device, cudaLimitMallocHeapSize), caller);
}

static void report_wrong_free(const char *function, const void *pointer, const Allocation *a, void *caller)
{
    bool inside = a && (size_t)((const char *)pointer - a->base) < std::max(a->size, (size_t)1);
    if (!inside)
        Report(caller, Place{}, "%s(%p) in device code: this is no memory of the device heap", function, pointer)
            .advice("device code can free what malloc or new gave it in device code, and nothing else");
    else if (!a->heap)
        Report(caller, Place{}, "%s(%p) in device code: this is no memory of the device heap", function, pointer)
            .allocation(pointer)
            .advice(a->space == Space::pinned ? "free it on the host, with cudaFreeHost"
                                              : "free it on the host, with cudaFree");
    else
        Report(caller, Place{}, "%s(%p) in device code: %s", function, pointer,
               a->base == pointer ? "double free" : "this points into an allocation, not to its start")
            .allocation(pointer);
}

static void heap_free(const char *function, void *pointer, void *caller)
{
    InRuntime inside;
    if (!pointer) return;
    Allocation *a = in_arena(pointer) ? nearest_allocation(pointer) : nullptr;
    if (!a || !a->heap || a->base != pointer || a->freed_by) {
        report_wrong_free(function, pointer, a, caller);
        return;
    }
    if (instrumented) checker_heap_free(*a, caller);
    release(a, caller);
}

/* The host's free() and delete.  True: it was device memory, which they must not touch. */
static bool is_wrong_host_free(const char *function, const void *pointer, void *caller)
{
    if (!in_arena(pointer)) return false;
    InRuntime                             inside;
    std::lock_guard<std::recursive_mutex> lock(api_mutex);
    const Allocation                     *a = find_allocation(pointer);
    Report(caller, Place{}, "%s(%p): this is %s memory", function, pointer,
           space_of(pointer) == Space::pinned ? "pinned host" : "device")
        .allocation(pointer)
        .advice(space_of(pointer) == Space::pinned ? "free it with cudaFreeHost"
                : a && a->heap                     ? "free it in a kernel: it is of the device heap"
                                                   : "free it with cudaFree");
    return true;
}

/* The operator that the program would have without the one below. */
template <class F> static F next_operator(const char *symbol) { return (F)dlsym(RTLD_NEXT, symbol); }

using New           = void *(*)(size_t);
using NewAligned    = void *(*)(size_t, std::align_val_t);
using Delete        = void (*)(void *);
using DeleteSized   = void (*)(void *, size_t);
using DeleteAligned = void (*)(void *, std::align_val_t);

/* Where libstdc++ is part of the program there is no other operator to call. */
static void *host_new(New next, size_t size)
{
    if (next) return next(size);
    if (void *p = malloc(std::max(size, (size_t)1))) return p;
    throw std::bad_alloc();
}

static void *host_new(NewAligned next, size_t size, std::align_val_t alignment)
{
    if (next) return next(size, alignment);
    size_t unit = (size_t)alignment;
    if (void *p = aligned_alloc(unit, (size + unit) / unit * unit)) return p;
    throw std::bad_alloc();
}

/* True: the pointer is dealt with; what is left is memory of the host. */
static bool delete_on_device(void *pointer, void *caller)
{
    if (in_device_code()) heap_free("delete", pointer, caller);
    else return is_wrong_host_free("delete", pointer, caller);
    return true;
}

} // namespace cudasim

extern "C" {

void *cudasim_malloc(size_t size) { return cudasim::in_device_code() ? cudasim::heap_allocate(size, CALLER) : malloc(size); }

void cudasim_free(void *pointer)
{
    if (cudasim::in_device_code()) cudasim::heap_free("free", pointer, CALLER);
    else if (!cudasim::is_wrong_host_free("free", pointer, CALLER)) free(pointer);
}
}

/* A program that replaces these has its own: its host code allocates with them, and its device code too. */
#define CUDASIM_OPERATOR __attribute__((weak))

CUDASIM_OPERATOR void *operator new(size_t size)
{
    static const auto next = cudasim::next_operator<cudasim::New>("_Znwm");
    return cudasim::in_device_code() ? cudasim::heap_allocate(size, CALLER) : cudasim::host_new(next, size);
}

CUDASIM_OPERATOR void *operator new[](size_t size)
{
    static const auto next = cudasim::next_operator<cudasim::New>("_Znam");
    return cudasim::in_device_code() ? cudasim::heap_allocate(size, CALLER) : cudasim::host_new(next, size);
}

CUDASIM_OPERATOR void *operator new(size_t size, std::align_val_t alignment)
{
    static const auto next = cudasim::next_operator<cudasim::NewAligned>("_ZnwmSt11align_val_t");
    return cudasim::in_device_code() ? cudasim::heap_allocate(size, CALLER) : cudasim::host_new(next, size, alignment);
}

CUDASIM_OPERATOR void *operator new[](size_t size, std::align_val_t alignment)
{
    static const auto next = cudasim::next_operator<cudasim::NewAligned>("_ZnamSt11align_val_t");
    return cudasim::in_device_code() ? cudasim::heap_allocate(size, CALLER) : cudasim::host_new(next, size, alignment);
}

CUDASIM_OPERATOR void operator delete(void *pointer) noexcept
{
    static const auto next = cudasim::next_operator<cudasim::Delete>("_ZdlPv");
    if (!cudasim::delete_on_device(pointer, CALLER)) next ? next(pointer) : free(pointer);
}

CUDASIM_OPERATOR void operator delete[](void *pointer) noexcept
{
    static const auto next = cudasim::next_operator<cudasim::Delete>("_ZdaPv");
    if (!cudasim::delete_on_device(pointer, CALLER)) next ? next(pointer) : free(pointer);
}

CUDASIM_OPERATOR void operator delete(void *pointer, size_t size) noexcept
{
    static const auto next = cudasim::next_operator<cudasim::DeleteSized>("_ZdlPvm");
    if (!cudasim::delete_on_device(pointer, CALLER)) next ? next(pointer, size) : free(pointer);
}

CUDASIM_OPERATOR void operator delete[](void *pointer, size_t size) noexcept
{
    static const auto next = cudasim::next_operator<cudasim::DeleteSized>("_ZdaPvm");
    if (!cudasim::delete_on_device(pointer, CALLER)) next ? next(pointer, size) : free(pointer);
}

CUDASIM_OPERATOR void operator delete(void *pointer, std::align_val_t alignment) noexcept
{
    static const auto next = cudasim::next_operator<cudasim::DeleteAligned>("_ZdlPvSt11align_val_t");
    if (!cudasim::delete_on_device(pointer, CALLER)) next ? next(pointer, alignment) : free(pointer);
}

CUDASIM_OPERATOR void operator delete[](void *pointer, std::align_val_t alignment) noexcept
{
    static const auto next = cudasim::next_operator<cudasim::DeleteAligned>("_ZdaPvSt11align_val_t");
    if (!cudasim::delete_on_device(pointer, CALLER)) next ? next(pointer, alignment) : free(pointer);
}

CUDASIM_OPERATOR void operator delete(void *pointer, size_t, std::align_val_t alignment) noexcept
{
    static const auto next = cudasim::next_operator<cudasim::DeleteAligned>("_ZdlPvSt11align_val_t");
    if (!cudasim::delete_on_device(pointer, CALLER)) next ? next(pointer, alignment) : free(pointer);
}

CUDASIM_OPERATOR void operator delete[](void *pointer, size_t, std::align_val_t alignment) noexcept
{
    static const auto next = cudasim::next_operator<cudasim::DeleteAligned>("_ZdaPvSt11align_val_t");
    if (!cudasim::delete_on_device(pointer, CALLER)) next ? next(pointer, alignment) : free(pointer);
}
