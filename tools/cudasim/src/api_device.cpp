/* The runtime API: errors, versions, devices, fault injection. */
#include "internal.h"

namespace cudasim {

/* ------------------------------------------------------------------ fault injection */

struct Injection {
    long calls     = 0;     /* since the last cudasim_fail */
    long countdown = 0;     /* the call that fails; 0: none */
    bool for_good  = false; /* all calls after it fail too */
    bool fails()
    {
        calls++;
        if (countdown == 0 || --countdown > 0) return false;
        if (for_good) countdown = 1;
        return true;
    }
};
static Injection injections[4], any_injection;

bool injected_failure(Fallible kind)
{
    bool one = injections[(int)kind].fails(), any = any_injection.fails();
    return one || any;
}

static Injection *find_injection(const char *kind)
{
    static const char *const names[] = { "malloc", "create", "copy", "launch" };
    for (int i = 0; i < 4; i++)
        if (kind && !strcmp(kind, names[i])) return &injections[i];
    return &any_injection;
}

/* ------------------------------------------------------------------ sticky errors */

static cudaError_t device_faults[32];

cudaError_t device_fault(int device) { return device_faults[device]; }
void        set_device_fault(int device, cudaError_t error)
{
    if (!device_faults[device]) device_faults[device] = error;
}

/* What every call on a device starts with. */
cudaError_t check_device(int device)
{
    if (options.devices == 0) return failed(cudaErrorNoDevice);
    if (device < 0 || device >= options.devices) return failed(cudaErrorInvalidDevice);
    return cudaSuccess;
}

cudaError_t check_usable()
{
    if (cudaError_t error = check_device(self.device)) return error;
    return failed(device_fault(self.device));
}

/* ------------------------------------------------------------------ limits */

constexpr unsigned limit_count = 7;

/* By enum cudaLimit: the heap of the device has 8 MB. */
struct Limits {
    size_t value[limit_count] = { 1024, 1 << 20, 8 << 20, 2, 2048, 128, 0 };
};

static Limits &limits_of(int device)
{
    static Limits limits[32];
    return limits[device];
}

size_t device_limit(int device, enum cudaLimit limit) { return limits_of(device).value[limit]; }

/* ------------------------------------------------------------------ attributes */

static int attribute_value(enum cudaDeviceAttr attribute, int device, bool *known)
{
    *known = true;
    switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock: return max_threads;
    case cudaDevAttrMaxBlockDimX: return 1024;
    case cudaDevAttrMaxBlockDimY: return 1024;
    case cudaDevAttrMaxBlockDimZ: return 64;
    case cudaDevAttrMaxGridDimX: return 2147483647;
    case cudaDevAttrMaxGridDimY: return 65535;
    case cudaDevAttrMaxGridDimZ: return 65535;
    case cudaDevAttrMaxSharedMemoryPerBlock: return (int)shared_limit;
    case cudaDevAttrTotalConstantMemory: return 65536;
    case cudaDevAttrWarpSize: return warp_size;
    case cudaDevAttrMaxPitch: return 2147483647;
    case cudaDevAttrMaxRegistersPerBlock: return 65536;
    case cudaDevAttrClockRate: return 1000000;
    case cudaDevAttrTextureAlignment: return 512;
    case cudaDevAttrGpuOverlap: return 1;
    case cudaDevAttrMultiProcessorCount: return multiprocessors;
    case cudaDevAttrCanMapHostMemory: return 1;
    case cudaDevAttrConcurrentKernels: return 1;
    case cudaDevAttrPciBusId: return device + 1;
    case cudaDevAttrMemoryClockRate: return 1000000;
    case cudaDevAttrGlobalMemoryBusWidth: return 64;
    case cudaDevAttrL2CacheSize: return 64 << 10; /* small: programs that work in pieces of it are to do so in tests */
    case cudaDevAttrMaxThreadsPerMultiProcessor: return 2048;
    case cudaDevAttrAsyncEngineCount: return 2;
    case cudaDevAttrUnifiedAddressing: return 1;
    case cudaDevAttrTexturePitchAlignment: return 32;
    case cudaDevAttrComputeCapabilityMajor: return 9;
    case cudaDevAttrComputeCapabilityMinor: return 0;
    case cudaDevAttrStreamPrioritiesSupported: return 1;
    case cudaDevAttrGlobalL1CacheSupported: return 1;
    case cudaDevAttrLocalL1CacheSupported: return 1;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: return 228 << 10;
    case cudaDevAttrMaxRegistersPerMultiprocessor: return 65536;
    case cudaDevAttrManagedMemory: return 1;
    case cudaDevAttrConcurrentManagedAccess: return 1;
    case cudaDevAttrSingleToDoublePrecisionPerfRatio: return 2;
    case cudaDevAttrComputePreemptionSupported: return 1;
    case cudaDevAttrCanUseHostPointerForRegisteredMem: return 1;
    case cudaDevAttrCooperativeLaunch: return 1;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: return (int)shared_optin_limit;
    case cudaDevAttrHostRegisterSupported: return 1;
    case cudaDevAttrMaxBlocksPerMultiprocessor: return 32;
    case cudaDevAttrReservedSharedMemoryPerBlock: return 1024;
    case cudaDevAttrHostRegisterReadOnlySupported: return 1;
    case cudaDevAttrMemoryPoolsSupported: return 1;
    case cudaDevAttrMemoryPoolSupportedHandleTypes:
    case cudaDevAttrKernelExecTimeout:
    case cudaDevAttrIntegrated:
    case cudaDevAttrComputeMode:
    case cudaDevAttrEccEnabled:
    case cudaDevAttrPciDeviceId:
    case cudaDevAttrTccDriver:
    case cudaDevAttrPciDomainId:
    case cudaDevAttrIsMultiGpuBoard:
    case cudaDevAttrMultiGpuBoardGroupID:
    case cudaDevAttrHostNativeAtomicSupported:
    case cudaDevAttrPageableMemoryAccess:
    case cudaDevAttrCanFlushRemoteWrites:
    case cudaDevAttrPageableMemoryAccessUsesHostPageTables:
    case cudaDevAttrDirectManagedMemAccessFromHost:
    case cudaDevAttrMaxPersistingL2CacheSize:
    case cudaDevAttrMaxAccessPolicyWindowSize:
    case cudaDevAttrClusterLaunch: return 0;
    }
    *known = false;
    return 0;
}

static void fill_properties(struct cudaDeviceProp *p, int device)
{
    bool known;
    auto value = [&](enum cudaDeviceAttr attribute) { return attribute_value(attribute, device, &known); };
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "cudasim device %d (CPU)", device);
    memcpy(p->uuid.bytes, "cudasim-device", 14);
    p->uuid.bytes[15]                    = (char)device;
    p->totalGlobalMem                    = options.memory;
    p->sharedMemPerBlock                 = shared_limit;
    p->regsPerBlock                      = value(cudaDevAttrMaxRegistersPerBlock);
    p->warpSize                          = warp_size;
    p->memPitch                          = 2147483647;
    p->maxThreadsPerBlock                = max_threads;
    p->maxThreadsDim[0]                  = value(cudaDevAttrMaxBlockDimX);
    p->maxThreadsDim[1]                  = value(cudaDevAttrMaxBlockDimY);
    p->maxThreadsDim[2]                  = value(cudaDevAttrMaxBlockDimZ);
    p->maxGridSize[0]                    = value(cudaDevAttrMaxGridDimX);
    p->maxGridSize[1]                    = value(cudaDevAttrMaxGridDimY);
    p->maxGridSize[2]                    = value(cudaDevAttrMaxGridDimZ);
    p->totalConstMem                     = 65536;
    p->major                             = value(cudaDevAttrComputeCapabilityMajor);
    p->minor                             = value(cudaDevAttrComputeCapabilityMinor);
    p->textureAlignment                  = 512;
    p->texturePitchAlignment             = 32;
    p->multiProcessorCount               = multiprocessors;
    p->canMapHostMemory                  = 1;
    p->concurrentKernels                 = 1;
    p->pciBusID                          = device + 1;
    p->asyncEngineCount                  = 2;
    p->unifiedAddressing                 = 1;
    p->memoryBusWidth                    = 64;
    p->l2CacheSize                       = value(cudaDevAttrL2CacheSize);
    p->maxThreadsPerMultiProcessor       = 2048;
    p->streamPrioritiesSupported         = 1;
    p->globalL1CacheSupported            = 1;
    p->localL1CacheSupported             = 1;
    p->sharedMemPerMultiprocessor        = (size_t)228 << 10;
    p->regsPerMultiprocessor             = 65536;
    p->managedMemory                     = 1;
    p->concurrentManagedAccess           = 1;
    p->computePreemptionSupported        = 1;
    p->canUseHostPointerForRegisteredMem = 1;
    p->cooperativeLaunch                 = 1;
    p->sharedMemPerBlockOptin            = shared_optin_limit;
    p->maxBlocksPerMultiProcessor        = 32;
    p->reservedSharedMemPerBlock         = 1024;
    p->hostRegisterSupported             = 1;
    p->hostRegisterReadOnlySupported     = 1;
    p->memoryPoolsSupported              = 1;
#if CUDART_VERSION < 13000
    p->clockRate                        = value(cudaDevAttrClockRate);
    p->memoryClockRate                  = value(cudaDevAttrMemoryClockRate);
    p->deviceOverlap                    = 1;
    p->singleToDoublePrecisionPerfRatio = 2;
#endif
}

} // namespace cudasim

extern "C" {

/* ------------------------------------------------------------------ fault injection */

void cudasim_fail(const char *kind, long n)
{
    std::lock_guard<std::recursive_mutex> lock(api_mutex);
    Injection                            *injection = find_injection(kind);
    *injection                                      = Injection();
    injection->countdown                            = n < 0 ? -n : n;
    injection->for_good                             = n < 0;
    if (injection == &any_injection && n == 0)
        for (Injection &each : injections) each = Injection();
}

long cudasim_fallible_calls(const char *kind)
{
    std::lock_guard<std::recursive_mutex> lock(api_mutex);
    return find_injection(kind)->calls;
}

/* ------------------------------------------------------------------ errors and versions */

cudaError_t cudaGetLastError(void)
{
    ApiCall     call;
    cudaError_t error = self.last_error;
    self.last_error   = options.devices ? device_fault(self.device) : cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError(void)
{
    ApiCall call;
    return self.last_error;
}

const char *cudaGetErrorName(cudaError_t error)
{
    switch (error) {
#define CUDASIM_NAME(name, number, text)                                                                                       \
    case name: return #name;
        CUDASIM_ERRORS(CUDASIM_NAME)
#undef CUDASIM_NAME
    }
    return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
    switch (error) {
#define CUDASIM_TEXT(name, number, text)                                                                                       \
    case name: return text;
        CUDASIM_ERRORS(CUDASIM_TEXT)
#undef CUDASIM_TEXT
    }
    return "unrecognized error code";
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    if (!version) return failed(cudaErrorInvalidValue);
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    ApiCall call;
    if (!version) return failed(cudaErrorInvalidValue);
    *version = options.devices ? CUDART_VERSION : 0;
    return cudaSuccess;
}

cudaError_t cudaProfilerStart(void) { return cudaSuccess; }
cudaError_t cudaProfilerStop(void) { return cudaSuccess; }

/* ------------------------------------------------------------------ devices */

cudaError_t cudaGetDeviceCount(int *count)
{
    ApiCall call;
    if (!count) return failed(cudaErrorInvalidValue);
    *count = options.devices;
    return options.devices ? cudaSuccess : failed(cudaErrorNoDevice);
}

cudaError_t cudaGetDevice(int *device)
{
    ApiCall call;
    if (options.devices == 0) return failed(cudaErrorNoDevice);
    if (!device) return failed(cudaErrorInvalidValue);
    *device = self.device;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    ApiCall call;
    if (cudaError_t error = check_device(device)) return error;
    self.device = device;
    return cudaSuccess;
}

cudaError_t cudaInitDevice(int device, unsigned int, unsigned int)
{
    ApiCall call;
    return check_device(device);
}

cudaError_t cudaSetValidDevices(int *devices, int count)
{
    ApiCall call;
    for (int i = 0; i < count; i++)
        if (cudaError_t error = check_device(devices[i])) return error;
    return check_device(0);
}

static unsigned device_flags[32];

cudaError_t cudaSetDeviceFlags(unsigned int flags)
{
    ApiCall call;
    if (cudaError_t error = check_device(self.device)) return error;
    device_flags[self.device] = flags;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceFlags(unsigned int *flags)
{
    ApiCall call;
    if (cudaError_t error = check_device(self.device)) return error;
    if (!flags) return failed(cudaErrorInvalidValue);
    *flags = device_flags[self.device] | cudaDeviceMapHost;
    return cudaSuccess;
}

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *)
{
    ApiCall call;
    if (cudaError_t error = check_device(0)) return error;
    if (!device) return failed(cudaErrorInvalidValue);
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    ApiCall call;
    if (cudaError_t error = check_device(device)) return error;
    if (!properties) return failed(cudaErrorInvalidValue);
    fill_properties(properties, device);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    ApiCall call;
    bool    known;
    if (cudaError_t error = check_device(device)) return error;
    if (!value) return failed(cudaErrorInvalidValue);
    *value = attribute_value(attribute, device, &known);
    return known ? cudaSuccess : failed(cudaErrorInvalidValue);
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int source, int destination)
{
    ApiCall call;
    if (cudaError_t error = check_device(source)) return error;
    if (cudaError_t error = check_device(destination)) return error;
    if (!value || source == destination) return failed(cudaErrorInvalidValue);
    *value = attribute == cudaDevP2PAttrAccessSupported || attribute == cudaDevP2PAttrNativeAtomicSupported;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *text, int length, int device)
{
    ApiCall call;
    if (cudaError_t error = check_device(device)) return error;
    if (!text || length < 13) return failed(cudaErrorInvalidValue);
    snprintf(text, (size_t)length, "0000:%02x:00.0", device + 1);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *text)
{
    ApiCall  call;
    unsigned bus = 0;
    if (!device || !text || (sscanf(text, "%*x:%x:", &bus) != 1 && sscanf(text, "%x:", &bus) != 1))
        return failed(cudaErrorInvalidValue);
    if (cudaError_t error = check_device((int)bus - 1)) return error;
    *device = (int)bus - 1;
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void)
{
    ApiCall call;
    if (cudaError_t error = check_device(self.device)) return error;
    synchronize_device(self.device);
    return failed(device_fault(self.device));
}

cudaError_t cudaDeviceReset(void)
{
    ApiCall call;
    if (cudaError_t error = check_device(self.device)) return error;
    synchronize_device(self.device);
    reset_device_memory(self.device);
    reset_heap(self.device);
    limits_of(self.device)     = Limits();
    device_faults[self.device] = cudaSuccess;
    self.last_error            = cudaSuccess;
    return cudaSuccess;
}

/* ------------------------------------------------------------------ limits and caches */

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    ApiCall call;
    if (cudaError_t error = check_usable()) return error;
    if ((unsigned)limit >= limit_count) return failed(cudaErrorUnsupportedLimit);
    if (limit == cudaLimitMallocHeapSize && is_heap_used(self.device)) {
        Report(CALLER, Place{}, "cudaDeviceSetLimit: the size of the device heap cannot change any more")
            .advice("set cudaLimitMallocHeapSize before the first kernel that calls malloc or new");
        return failed(cudaErrorInvalidValue);
    }
    limits_of(self.device).value[limit] = value;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    ApiCall call;
    if (cudaError_t error = check_usable()) return error;
    if (!value) return failed(cudaErrorInvalidValue);
    if ((unsigned)limit >= limit_count) return failed(cudaErrorUnsupportedLimit);
    *value = device_limit(self.device, limit);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
    ApiCall call;
    if (cudaError_t error = check_usable()) return error;
    *config = cudaFuncCachePreferNone;
    return cudaSuccess;
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache)
{
    ApiCall call;
    return check_usable();
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    ApiCall call;
    if (cudaError_t error = check_usable()) return error;
    if (least) *least = 0;
    if (greatest) *greatest = -5;
    return cudaSuccess;
}

/* ------------------------------------------------------------------ peers */

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    ApiCall call;
    if (cudaError_t error = check_device(device)) return error;
    if (cudaError_t error = check_device(peer)) return error;
    if (!can) return failed(cudaErrorInvalidValue);
    *can = device != peer;
    return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags)
{
    ApiCall call;
    if (cudaError_t error = check_device(peer)) return error;
    if (cudaError_t error = check_usable()) return error;
    if (peer == self.device) return failed(cudaErrorInvalidDevice);
    if (flags) return failed(cudaErrorInvalidValue);
    return set_peer(self.device, peer, true) ? cudaSuccess : failed(cudaErrorPeerAccessAlreadyEnabled);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    ApiCall call;
    if (cudaError_t error = check_device(peer)) return error;
    if (peer == self.device) return failed(cudaErrorInvalidDevice);
    return set_peer(self.device, peer, false) ? cudaSuccess : failed(cudaErrorPeerAccessNotEnabled);
}
}
