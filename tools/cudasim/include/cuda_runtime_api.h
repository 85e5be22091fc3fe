/* cudasim: the CUDA runtime API, for host code.  C11 and C++17.
 *
 * Names, numbers and signatures follow CUDA 13.  Compile with -DCUDART_VERSION=12080 to get the device property fields and
 * the attributes that CUDA 13 dropped. */
#ifndef CUDASIM_RUNTIME_API_H
#define CUDASIM_RUNTIME_API_H

/* the include guards of the original: some headers ask for them */
#define __CUDA_RUNTIME_API_H__
#define __DRIVER_TYPES_H__

#ifndef __CUDASIM__
#define __CUDASIM__ 1
#endif
#ifndef CUDART_VERSION
#define CUDART_VERSION 13000
#endif
#ifndef CUDA_VERSION
#define CUDA_VERSION CUDART_VERSION
#endif

#include <stddef.h>
#include <stdint.h>

#include "vector_types.h"

#define CUDART_CB
#define CUDARTAPI
#ifdef __cplusplus
#define CUDASIM_DEFAULT(value) = value
#else
#define CUDASIM_DEFAULT(value)
#endif

/* ------------------------------------------------------------------ errors */

/* X(name, number, text): one list for the enumeration, cudaGetErrorName and cudaGetErrorString */
#define CUDASIM_ERRORS(X)                                                                                                      \
    X(cudaSuccess, 0, "no error")                                                                                              \
    X(cudaErrorInvalidValue, 1, "invalid argument")                                                                            \
    X(cudaErrorMemoryAllocation, 2, "out of memory")                                                                           \
    X(cudaErrorInitializationError, 3, "initialization error")                                                                 \
    X(cudaErrorCudartUnloading, 4, "driver shutting down")                                                                     \
    X(cudaErrorProfilerDisabled, 5, "profiler disabled")                                                                       \
    X(cudaErrorInvalidConfiguration, 9, "invalid configuration argument")                                                      \
    X(cudaErrorInvalidPitchValue, 12, "invalid pitch argument")                                                                \
    X(cudaErrorInvalidSymbol, 13, "invalid device symbol")                                                                     \
    X(cudaErrorInvalidHostPointer, 16, "invalid host pointer")                                                                 \
    X(cudaErrorInvalidDevicePointer, 17, "invalid device pointer")                                                             \
    X(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy")                                                \
    X(cudaErrorInsufficientDriver, 35, "driver version is insufficient for the runtime version")                               \
    X(cudaErrorDevicesUnavailable, 46, "all devices are busy or unavailable")                                                  \
    X(cudaErrorMissingConfiguration, 52, "missing launch configuration")                                                       \
    X(cudaErrorInvalidDeviceFunction, 98, "invalid device function")                                                           \
    X(cudaErrorNoDevice, 100, "no CUDA-capable device is detected")                                                            \
    X(cudaErrorInvalidDevice, 101, "invalid device ordinal")                                                                   \
    X(cudaErrorDeviceNotLicensed, 102, "device is not licensed")                                                               \
    X(cudaErrorStartupFailure, 127, "startup failure")                                                                         \
    X(cudaErrorInvalidKernelImage, 200, "device kernel image is invalid")                                                      \
    X(cudaErrorDeviceUninitialized, 201, "invalid device context")                                                             \
    X(cudaErrorMapBufferObjectFailed, 205, "mapping of buffer object failed")                                                  \
    X(cudaErrorAlreadyMapped, 208, "resource already mapped")                                                                  \
    X(cudaErrorNoKernelImageForDevice, 209, "no kernel image is available for the device")                                     \
    X(cudaErrorAlreadyAcquired, 210, "resource already acquired")                                                              \
    X(cudaErrorNotMapped, 211, "resource not mapped")                                                                          \
    X(cudaErrorECCUncorrectable, 214, "uncorrectable ECC error")                                                               \
    X(cudaErrorUnsupportedLimit, 215, "limit is not supported")                                                                \
    X(cudaErrorDeviceAlreadyInUse, 216, "device already in use")                                                               \
    X(cudaErrorPeerAccessUnsupported, 217, "peer access is not supported between these devices")                               \
    X(cudaErrorInvalidPtx, 218, "a PTX compilation failed")                                                                    \
    X(cudaErrorInvalidSource, 300, "device kernel source is invalid")                                                          \
    X(cudaErrorFileNotFound, 301, "file not found")                                                                            \
    X(cudaErrorSharedObjectSymbolNotFound, 302, "shared object symbol not found")                                              \
    X(cudaErrorSharedObjectInitFailed, 303, "shared object initialization failed")                                             \
    X(cudaErrorOperatingSystem, 304, "operating system call failed")                                                           \
    X(cudaErrorInvalidResourceHandle, 400, "invalid resource handle")                                                          \
    X(cudaErrorIllegalState, 401, "the resource is in an illegal state")                                                       \
    X(cudaErrorSymbolNotFound, 500, "named symbol not found")                                                                  \
    X(cudaErrorNotReady, 600, "device not ready")                                                                              \
    X(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered")                                                \
    X(cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch")                                           \
    X(cudaErrorLaunchTimeout, 702, "the launch timed out and was terminated")                                                  \
    X(cudaErrorPeerAccessAlreadyEnabled, 704, "peer access is already enabled")                                                \
    X(cudaErrorPeerAccessNotEnabled, 705, "peer access has not been enabled")                                                  \
    X(cudaErrorSetOnActiveProcess, 708, "cannot set while device is active in this process")                                   \
    X(cudaErrorContextIsDestroyed, 709, "context is destroyed")                                                                \
    X(cudaErrorAssert, 710, "device-side assert triggered")                                                                    \
    X(cudaErrorTooManyPeers, 711, "peer mapping resources exhausted")                                                          \
    X(cudaErrorHostMemoryAlreadyRegistered, 712, "part or all of the memory is already registered")                            \
    X(cudaErrorHostMemoryNotRegistered, 713, "pointer does not correspond to a registered memory region")                      \
    X(cudaErrorHardwareStackError, 714, "hardware stack error")                                                                \
    X(cudaErrorIllegalInstruction, 715, "an illegal instruction was encountered")                                              \
    X(cudaErrorMisalignedAddress, 716, "misaligned address")                                                                   \
    X(cudaErrorInvalidAddressSpace, 717, "operation not supported on global/shared address space")                             \
    X(cudaErrorInvalidPc, 718, "invalid program counter")                                                                      \
    X(cudaErrorLaunchFailure, 719, "unspecified launch failure")                                                               \
    X(cudaErrorCooperativeLaunchTooLarge, 720, "too many blocks in cooperative launch")                                        \
    X(cudaErrorNotPermitted, 800, "operation not permitted")                                                                   \
    X(cudaErrorNotSupported, 801, "operation not supported")                                                                   \
    X(cudaErrorSystemNotReady, 802, "system not yet initialized")                                                              \
    X(cudaErrorStreamCaptureUnsupported, 900, "operation not permitted when stream is capturing")                              \
    X(cudaErrorStreamCaptureInvalidated, 901, "operation failed due to a previous error during capture")                       \
    X(cudaErrorTimeout, 909, "wait operation timed out")                                                                       \
    X(cudaErrorUnknown, 999, "unknown error")

enum cudaError {
#define CUDASIM_ENUMERATOR(name, number, text) name = number,
    CUDASIM_ERRORS(CUDASIM_ENUMERATOR)
#undef CUDASIM_ENUMERATOR
};
typedef enum cudaError cudaError_t;

/* ------------------------------------------------------------------ handles, flags, structures */

typedef struct CUstream_st  *cudaStream_t;
typedef struct CUevent_st   *cudaEvent_t;
typedef struct CUmemPool_st *cudaMemPool_t;

typedef void(CUDART_CB *cudaHostFn_t)(void *user_data);
typedef void(CUDART_CB *cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void *user_data);

#define cudaStreamLegacy    ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)

#define cudaHostAllocDefault       0x00
#define cudaHostAllocPortable      0x01
#define cudaHostAllocMapped        0x02
#define cudaHostAllocWriteCombined 0x04

#define cudaHostRegisterDefault  0x00
#define cudaHostRegisterPortable 0x01
#define cudaHostRegisterMapped   0x02
#define cudaHostRegisterIoMemory 0x04
#define cudaHostRegisterReadOnly 0x08

#define cudaStreamDefault     0x00
#define cudaStreamNonBlocking 0x01

#define cudaEventDefault       0x00
#define cudaEventBlockingSync  0x01
#define cudaEventDisableTiming 0x02
#define cudaEventInterprocess  0x04
#define cudaEventRecordDefault 0x00
#define cudaEventWaitDefault   0x00

#define cudaDeviceScheduleAuto         0x00
#define cudaDeviceScheduleSpin         0x01
#define cudaDeviceScheduleYield        0x02
#define cudaDeviceScheduleBlockingSync 0x04
#define cudaDeviceBlockingSync         0x04 /* the old name */
#define cudaDeviceScheduleMask         0x07
#define cudaDeviceMapHost              0x08
#define cudaDeviceLmemResizeToMax      0x10

#define cudaMemAttachGlobal 0x01
#define cudaMemAttachHost   0x02
#define cudaMemAttachSingle 0x04

#define cudaOccupancyDefault                0x00
#define cudaOccupancyDisableCachingOverride 0x01

#define cudaCpuDeviceId     ((int)-1)
#define cudaInvalidDeviceId ((int)-2)

enum cudaMemcpyKind {
    cudaMemcpyHostToHost     = 0,
    cudaMemcpyHostToDevice   = 1,
    cudaMemcpyDeviceToHost   = 2,
    cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault        = 4
};

enum cudaMemoryType {
    cudaMemoryTypeUnregistered = 0,
    cudaMemoryTypeHost         = 1,
    cudaMemoryTypeDevice       = 2,
    cudaMemoryTypeManaged      = 3
};

struct cudaPointerAttributes {
    enum cudaMemoryType type;
    int                 device;
    void               *devicePointer;
    void               *hostPointer;
};

struct cudaPitchedPtr {
    void  *ptr;
    size_t pitch, xsize, ysize;
};

struct cudaExtent {
    size_t width, height, depth;
};

typedef struct CUuuid_st {
    char bytes[16];
} cudaUUID_t;

struct cudaDeviceProp {
    char         name[256];
    cudaUUID_t   uuid;
    char         luid[8];
    unsigned int luidDeviceNodeMask;
    size_t       totalGlobalMem;
    size_t       sharedMemPerBlock;
    int          regsPerBlock;
    int          warpSize;
    size_t       memPitch;
    int          maxThreadsPerBlock;
    int          maxThreadsDim[3];
    int          maxGridSize[3];
    size_t       totalConstMem;
    int          major;
    int          minor;
    size_t       textureAlignment;
    size_t       texturePitchAlignment;
    int          multiProcessorCount;
    int          integrated;
    int          canMapHostMemory;
    int          concurrentKernels;
    int          ECCEnabled;
    int          pciBusID;
    int          pciDeviceID;
    int          pciDomainID;
    int          tccDriver;
    int          asyncEngineCount;
    int          unifiedAddressing;
    int          memoryBusWidth;
    int          l2CacheSize;
    int          persistingL2CacheMaxSize;
    int          maxThreadsPerMultiProcessor;
    int          streamPrioritiesSupported;
    int          globalL1CacheSupported;
    int          localL1CacheSupported;
    size_t       sharedMemPerMultiprocessor;
    int          regsPerMultiprocessor;
    int          managedMemory;
    int          isMultiGpuBoard;
    int          multiGpuBoardGroupID;
    int          hostNativeAtomicSupported;
    int          pageableMemoryAccess;
    int          concurrentManagedAccess;
    int          computePreemptionSupported;
    int          canUseHostPointerForRegisteredMem;
    int          cooperativeLaunch;
    size_t       sharedMemPerBlockOptin;
    int          pageableMemoryAccessUsesHostPageTables;
    int          directManagedMemAccessFromHost;
    int          maxBlocksPerMultiProcessor;
    int          accessPolicyMaxWindowSize;
    size_t       reservedSharedMemPerBlock;
    int          hostRegisterSupported;
    int          hostRegisterReadOnlySupported;
    int          memoryPoolsSupported;
    unsigned int memoryPoolSupportedHandleTypes;
    int          ipcEventSupported;
    int          clusterLaunch;
    int          unifiedFunctionPointers;
#if CUDART_VERSION < 13000
    int clockRate;
    int memoryClockRate;
    int deviceOverlap;
    int kernelExecTimeoutEnabled;
    int computeMode;
    int singleToDoublePrecisionPerfRatio;
    int cooperativeMultiDeviceLaunch;
#endif
};

enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock                     = 1,
    cudaDevAttrMaxBlockDimX                           = 2,
    cudaDevAttrMaxBlockDimY                           = 3,
    cudaDevAttrMaxBlockDimZ                           = 4,
    cudaDevAttrMaxGridDimX                            = 5,
    cudaDevAttrMaxGridDimY                            = 6,
    cudaDevAttrMaxGridDimZ                            = 7,
    cudaDevAttrMaxSharedMemoryPerBlock                = 8,
    cudaDevAttrTotalConstantMemory                    = 9,
    cudaDevAttrWarpSize                               = 10,
    cudaDevAttrMaxPitch                               = 11,
    cudaDevAttrMaxRegistersPerBlock                   = 12,
    cudaDevAttrClockRate                              = 13,
    cudaDevAttrTextureAlignment                       = 14,
    cudaDevAttrGpuOverlap                             = 15,
    cudaDevAttrMultiProcessorCount                    = 16,
    cudaDevAttrKernelExecTimeout                      = 17,
    cudaDevAttrIntegrated                             = 18,
    cudaDevAttrCanMapHostMemory                       = 19,
    cudaDevAttrComputeMode                            = 20,
    cudaDevAttrConcurrentKernels                      = 31,
    cudaDevAttrEccEnabled                             = 32,
    cudaDevAttrPciBusId                               = 33,
    cudaDevAttrPciDeviceId                            = 34,
    cudaDevAttrTccDriver                              = 35,
    cudaDevAttrMemoryClockRate                        = 36,
    cudaDevAttrGlobalMemoryBusWidth                   = 37,
    cudaDevAttrL2CacheSize                            = 38,
    cudaDevAttrMaxThreadsPerMultiProcessor            = 39,
    cudaDevAttrAsyncEngineCount                       = 40,
    cudaDevAttrUnifiedAddressing                      = 41,
    cudaDevAttrPciDomainId                            = 50,
    cudaDevAttrTexturePitchAlignment                  = 51,
    cudaDevAttrComputeCapabilityMajor                 = 75,
    cudaDevAttrComputeCapabilityMinor                 = 76,
    cudaDevAttrStreamPrioritiesSupported              = 78,
    cudaDevAttrGlobalL1CacheSupported                 = 79,
    cudaDevAttrLocalL1CacheSupported                  = 80,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor       = 81,
    cudaDevAttrMaxRegistersPerMultiprocessor          = 82,
    cudaDevAttrManagedMemory                          = 83,
    cudaDevAttrIsMultiGpuBoard                        = 84,
    cudaDevAttrMultiGpuBoardGroupID                   = 85,
    cudaDevAttrHostNativeAtomicSupported              = 86,
    cudaDevAttrSingleToDoublePrecisionPerfRatio       = 87,
    cudaDevAttrPageableMemoryAccess                   = 88,
    cudaDevAttrConcurrentManagedAccess                = 89,
    cudaDevAttrComputePreemptionSupported             = 90,
    cudaDevAttrCanUseHostPointerForRegisteredMem      = 91,
    cudaDevAttrCooperativeLaunch                      = 95,
    cudaDevAttrMaxSharedMemoryPerBlockOptin           = 97,
    cudaDevAttrCanFlushRemoteWrites                   = 98,
    cudaDevAttrHostRegisterSupported                  = 99,
    cudaDevAttrPageableMemoryAccessUsesHostPageTables = 100,
    cudaDevAttrDirectManagedMemAccessFromHost         = 101,
    cudaDevAttrMaxBlocksPerMultiprocessor             = 106,
    cudaDevAttrMaxPersistingL2CacheSize               = 108,
    cudaDevAttrMaxAccessPolicyWindowSize              = 109,
    cudaDevAttrReservedSharedMemoryPerBlock           = 111,
    cudaDevAttrHostRegisterReadOnlySupported          = 113,
    cudaDevAttrMemoryPoolsSupported                   = 115,
    cudaDevAttrMemoryPoolSupportedHandleTypes         = 119,
    cudaDevAttrClusterLaunch                          = 120
};

enum cudaDeviceP2PAttr {
    cudaDevP2PAttrPerformanceRank          = 1,
    cudaDevP2PAttrAccessSupported          = 2,
    cudaDevP2PAttrNativeAtomicSupported    = 3,
    cudaDevP2PAttrCudaArrayAccessSupported = 4
};

enum cudaComputeMode {
    cudaComputeModeDefault          = 0,
    cudaComputeModeExclusive        = 1,
    cudaComputeModeProhibited       = 2,
    cudaComputeModeExclusiveProcess = 3
};

enum cudaLimit {
    cudaLimitStackSize                    = 0,
    cudaLimitPrintfFifoSize               = 1,
    cudaLimitMallocHeapSize               = 2,
    cudaLimitDevRuntimeSyncDepth          = 3,
    cudaLimitDevRuntimePendingLaunchCount = 4,
    cudaLimitMaxL2FetchGranularity        = 5,
    cudaLimitPersistingL2CacheSize        = 6
};

enum cudaFuncCache {
    cudaFuncCachePreferNone   = 0,
    cudaFuncCachePreferShared = 1,
    cudaFuncCachePreferL1     = 2,
    cudaFuncCachePreferEqual  = 3
};

enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8, cudaFuncAttributePreferredSharedMemoryCarveout = 9 };

enum cudaSharedCarveout {
    cudaSharedmemCarveoutDefault   = -1,
    cudaSharedmemCarveoutMaxShared = 100,
    cudaSharedmemCarveoutMaxL1     = 0
};

struct cudaFuncAttributes {
    size_t sharedSizeBytes;
    size_t constSizeBytes;
    size_t localSizeBytes;
    int    maxThreadsPerBlock;
    int    numRegs;
    int    ptxVersion;
    int    binaryVersion;
    int    cacheModeCA;
    int    maxDynamicSharedSizeBytes;
    int    preferredShmemCarveout;
};

enum cudaMemoryAdvise {
    cudaMemAdviseSetReadMostly          = 1,
    cudaMemAdviseUnsetReadMostly        = 2,
    cudaMemAdviseSetPreferredLocation   = 3,
    cudaMemAdviseUnsetPreferredLocation = 4,
    cudaMemAdviseSetAccessedBy          = 5,
    cudaMemAdviseUnsetAccessedBy        = 6
};

enum cudaMemLocationType {
    cudaMemLocationTypeInvalid         = 0,
    cudaMemLocationTypeDevice          = 1,
    cudaMemLocationTypeHost            = 2,
    cudaMemLocationTypeHostNuma        = 3,
    cudaMemLocationTypeHostNumaCurrent = 4
};

struct cudaMemLocation {
    enum cudaMemLocationType type;
    int                      id;
};

enum cudaMemPoolAttr {
    cudaMemPoolReuseFollowEventDependencies   = 1,
    cudaMemPoolReuseAllowOpportunistic        = 2,
    cudaMemPoolReuseAllowInternalDependencies = 3,
    cudaMemPoolAttrReleaseThreshold           = 4,
    cudaMemPoolAttrReservedMemCurrent         = 5,
    cudaMemPoolAttrReservedMemHigh            = 6,
    cudaMemPoolAttrUsedMemCurrent             = 7,
    cudaMemPoolAttrUsedMemHigh                = 8
};

enum cudaMemAllocationType {
    cudaMemAllocationTypeInvalid = 0,
    cudaMemAllocationTypePinned  = 1,
    cudaMemAllocationTypeManaged = 2
};

enum cudaMemAllocationHandleType { cudaMemHandleTypeNone = 0, cudaMemHandleTypePosixFileDescriptor = 1 };

struct cudaMemPoolProps {
    enum cudaMemAllocationType       allocType;
    enum cudaMemAllocationHandleType handleTypes;
    struct cudaMemLocation           location;
    void                            *win32SecurityAttributes;
    size_t                           maxSize;
    unsigned short                   usage;
    unsigned char                    reserved[54];
};

enum cudaMemAccessFlags { cudaMemAccessFlagsProtNone = 0, cudaMemAccessFlagsProtRead = 1, cudaMemAccessFlagsProtReadWrite = 3 };

struct cudaMemAccessDesc {
    struct cudaMemLocation  location;
    enum cudaMemAccessFlags flags;
};

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ errors and versions */
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);
cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);

/* ------------------------------------------------------------------ devices */
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaInitDevice(int device, unsigned int device_flags, unsigned int flags);
cudaError_t cudaSetValidDevices(int *devices, int count);
cudaError_t cudaSetDeviceFlags(unsigned int flags);
cudaError_t cudaGetDeviceFlags(unsigned int *flags);
cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *wanted);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device);
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int source, int destination);
cudaError_t cudaDeviceGetPCIBusId(char *text, int length, int device);
cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *text);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value);
cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit);
cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config);
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config);
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags);
cudaError_t cudaDeviceDisablePeerAccess(int peer);

/* ------------------------------------------------------------------ memory */
cudaError_t cudaMalloc(void **pointer, size_t size);
cudaError_t cudaFree(void *pointer);
cudaError_t cudaMallocManaged(void **pointer, size_t size, unsigned int flags CUDASIM_DEFAULT(cudaMemAttachGlobal));
cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height);
cudaError_t cudaMallocHost(void **pointer, size_t size);
cudaError_t cudaHostAlloc(void **pointer, size_t size, unsigned int flags);
cudaError_t cudaFreeHost(void *pointer);
cudaError_t cudaHostRegister(void *pointer, size_t size, unsigned int flags);
cudaError_t cudaHostUnregister(void *pointer);
cudaError_t cudaHostGetDevicePointer(void **device_pointer, void *host_pointer, unsigned int flags);
cudaError_t cudaHostGetFlags(unsigned int *flags, void *pointer);
cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes);
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer);

cudaError_t cudaMemcpy(void *destination, const void *source, size_t count, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *destination, const void *source, size_t count, enum cudaMemcpyKind kind,
                            cudaStream_t stream CUDASIM_DEFAULT(0));
cudaError_t cudaMemcpyPeer(void *destination, int destination_device, const void *source, int source_device, size_t count);
cudaError_t cudaMemcpyPeerAsync(void *destination, int destination_device, const void *source, int source_device, size_t count,
                                cudaStream_t stream CUDASIM_DEFAULT(0));
cudaError_t cudaMemcpy2D(void *destination, size_t destination_pitch, const void *source, size_t source_pitch, size_t width,
                         size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void *destination, size_t destination_pitch, const void *source, size_t source_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream CUDASIM_DEFAULT(0));
cudaError_t cudaMemset(void *pointer, int value, size_t count);
cudaError_t cudaMemsetAsync(void *pointer, int value, size_t count, cudaStream_t stream CUDASIM_DEFAULT(0));
cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height);
cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream CUDASIM_DEFAULT(0));
cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t count, struct cudaMemLocation location, unsigned int flags,
                                 cudaStream_t stream CUDASIM_DEFAULT(0));
cudaError_t cudaMemAdvise(const void *pointer, size_t count, enum cudaMemoryAdvise advice, struct cudaMemLocation location);
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t length CUDASIM_DEFAULT(0),
                                     unsigned int flags CUDASIM_DEFAULT(cudaMemAttachSingle));

/* Symbols: the plain C forms take the address of the variable; the C++ forms in cuda_runtime.h take the variable itself. */
cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *source, size_t count, size_t offset CUDASIM_DEFAULT(0),
                               enum cudaMemcpyKind kind CUDASIM_DEFAULT(cudaMemcpyHostToDevice));
cudaError_t cudaMemcpyFromSymbol(void *destination, const void *symbol, size_t count, size_t offset CUDASIM_DEFAULT(0),
                                 enum cudaMemcpyKind kind CUDASIM_DEFAULT(cudaMemcpyDeviceToHost));
cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *source, size_t count, size_t offset,
                                    enum cudaMemcpyKind kind, cudaStream_t stream CUDASIM_DEFAULT(0));
cudaError_t cudaMemcpyFromSymbolAsync(void *destination, const void *symbol, size_t count, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream CUDASIM_DEFAULT(0));
cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol);
cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol);

/* ------------------------------------------------------------------ stream-ordered allocation */
cudaError_t cudaMallocAsync(void **pointer, size_t size, cudaStream_t stream);
cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream);
cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device);
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device);
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool);
cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties);
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes_to_keep);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value);
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *list, size_t count);
cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool, struct cudaMemLocation *location);

/* ------------------------------------------------------------------ streams and events */
cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags CUDASIM_DEFAULT(0));
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority);
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags);
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id);
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device);
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *user_data, unsigned int flags);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *user_data);

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags);
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream CUDASIM_DEFAULT(0));
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream CUDASIM_DEFAULT(0),
                                     unsigned int flags CUDASIM_DEFAULT(0));
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t stop);

/* ------------------------------------------------------------------ kernels */

/* cudaLaunchKernel needs the parameter types of the kernel: call it from C++ with the kernel itself (cuda_runtime.h);
 * an untyped pointer gives cudaErrorInvalidDeviceFunction. */
cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
                             cudaStream_t stream);
cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
                                        cudaStream_t stream);
cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value);
cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache config);
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function);
cudaError_t cudaFuncGetName(const char **name, const void *function);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int block_size,
                                                          size_t dynamic_shared);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function, int block_size,
                                                                   size_t dynamic_shared, unsigned int flags);
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamic_shared, const void *function, int blocks, int block_size);

/* ------------------------------------------------------------------ cudasim's own */

/* Fail the n-th call from now (1 = the next one) of a kind: "malloc", "create", "copy", "launch", or "any" of them.  With
 * n < 0 the call number -n and all later ones fail.  n = 0 switches it off, for "any" every kind.  The environment variable
 * CUDASIM_FAIL=[kind:]n does the same. */
void cudasim_fail(const char *kind, long n);
/* How many fallible calls of the kind were made since cudasim_fail was last called (or since the start). */
long cudasim_fallible_calls(const char *kind);
/* Number of reports so far. */
long cudasim_report_count(void);
/* 1 in a build that checks every access of instrumented code. */
int cudasim_is_checker(void);

#ifdef __cplusplus
}
#endif
#endif
