/* Kernels: configuration checks, the grid loop, shared memory. */
#include "internal.h"

namespace cudasim {

Kernel kernel;

static Immortal<std::map<const void *, int>> dynamic_limits; /* cudaFuncAttributeMaxDynamicSharedMemorySize */
static int                                   largest_dynamic_limit = (int)shared_limit;

/* ------------------------------------------------------------------ names */

static std::string without_parentheses(std::string text)
{
    while (text.size() > 2 && text.front() == '(' && text.back() == ')') text = text.substr(1, text.size() - 2);
    return text;
}

std::string kernel_name(const cudasim_launch_t &launch)
{
    if (launch.of_library) return launch.text;
    std::string name = launch.function ? function_name(launch.function) : "";
    return name.empty() ? without_parentheses(launch.text) : name;
}

/* ------------------------------------------------------------------ configuration */

struct Refusal {
    cudaError_t error  = cudaSuccess;
    const char *reason = nullptr;
};

/* A launch by name does not tell the kernel's address: then the largest limit that any kernel has asked for counts. */
static int dynamic_limit(const void *function)
{
    if (!function) return largest_dynamic_limit;
    auto it = dynamic_limits->find(function);
    return it == dynamic_limits->end() ? (int)shared_limit : it->second;
}

static Refusal check_configuration(const cudasim_launch_t &l)
{
    uint64_t threads = (uint64_t)l.block.x * l.block.y * l.block.z;
    if (!threads || !l.grid.x || !l.grid.y || !l.grid.z)
        return { cudaErrorInvalidConfiguration, "a grid or block dimension is 0" };
    if (l.block.x > 1024 || l.block.y > 1024 || l.block.z > 64 || threads > max_threads)
        return { cudaErrorInvalidConfiguration, "a block may have 1024 threads, and 64 in z" };
    if (l.grid.x > 2147483647u || l.grid.y > 65535 || l.grid.z > 65535)
        return { cudaErrorInvalidConfiguration, "a grid may have 2147483647 x 65535 x 65535 blocks" };
    if (l.arguments_size > 32764) return { cudaErrorInvalidValue, "the arguments of a kernel may take 32764 bytes" };
    if (l.shared_bytes > shared_optin_limit)
        return { cudaErrorInvalidValue, "a block may have 227 KiB of dynamic shared memory" };
    if (l.shared_bytes > (size_t)dynamic_limit(l.function))
        return { cudaErrorInvalidValue, "more dynamic shared memory than 48 KiB needs cudaFuncSetAttribute(kernel, "
                                        "cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)" };
    return {};
}

static int resident_blocks(dim3 block, size_t shared)
{
    int threads = (int)(block.x * block.y * block.z), per_sm = std::min(32, 2048 / ((threads + 31) / 32 * 32));
    if (shared) per_sm = std::min(per_sm, (int)((228 << 10) / (shared + 1024)));
    return per_sm;
}

static cudaError_t refuse(const cudasim_launch_t &l, cudaError_t error, const char *reason)
{
    Report(nullptr, Place{ l.file, l.line }, "launch of %s<<<(%u,%u,%u), (%u,%u,%u), %zu>>> refused: %s",
           kernel_name(l).c_str(), l.grid.x, l.grid.y, l.grid.z, l.block.x, l.block.y, l.block.z, l.shared_bytes,
           cudaGetErrorName(error))
        .advice(reason);
    return failed(error);
}

/* cu2cpp refuses a launch in device code; in a __host__ __device__ function or a macro it cannot. */
static void refuse_in_kernel(const cudasim_launch_t &l)
{
    Report(nullptr, Place{ l.file, l.line }, "device code launches %s: cudasim has no dynamic parallelism",
           without_parentheses(l.text).c_str())
        .advice("launch it from the host, after this kernel");
    kill_kernel(cudaErrorLaunchFailure);
}

/* ------------------------------------------------------------------ shared memory */

static void report_shared_size(Place place, size_t bytes)
{
    Report(nullptr, place, "the kernel declares %zu bytes of static shared memory", bytes)
        .advice("at most 48 KiB can be declared; ask for more as dynamic shared memory");
}

static void *declare_shared(Block *block, const void *key, size_t size, size_t align, Place place)
{
    size_t declared = size;
    for (const SharedVariable &v : block->variables) declared += v.size;
    if (declared > shared_limit) report_shared_size(place, declared);
    align         = std::max(align, (size_t)16);
    size_t offset = (block->shared_used + shared_red_zone + align - 1) / align * align;
    if (offset + size + shared_red_zone > shared_arena) {
        report_shared_size(place, declared);
        kill_kernel(cudaErrorLaunchOutOfResources);
    }
    SharedVariable variable{ key, offset, size, place };
    block->variables.push_back(variable);
    block->shared_used = offset + size;
    ASAN_UNPOISON_MEMORY_REGION(block->shared + offset, size);
    memset(block->shared + offset, 0xCB, size);
    if (instrumented) checker_shared_declared(block, variable);
    return block->shared + offset;
}

/* ------------------------------------------------------------------ the grid */

static std::vector<Block *> &resident(size_t count)
{
    static Immortal<std::vector<Block *>> blocks;
    while (blocks->size() < count) blocks->push_back(make_block());
    return *blocks;
}

static void run_cooperative(uint64_t count, int threads)
{
    std::vector<Block *> &blocks = resident(count);
    set_thread_order(threads);
    for (uint64_t i = 0; i < count; i++) prepare_block(blocks[i], options.order == Order::reverse ? count - 1 - i : i);
    run_blocks(blocks.data(), (int)count);
}

static uint64_t next_in_turn, blocks_in_turn;

/* __shared__ variables at file scope have one copy, so there blocks cannot run beside each other. */
Block *next_block(int count)
{
    const cudasim_launch_t &l = *kernel.launch;
    if (l.cooperative || next_in_turn == blocks_in_turn) return nullptr;
    if (count > 0 && (has_file_shared() || count >= resident_blocks(l.block, l.shared_bytes) * multiprocessors)) return nullptr;
    Block   *block = resident((size_t)count + 1)[(size_t)count];
    uint64_t n     = next_in_turn++;
    prepare_block(block, options.order == Order::reverse ? blocks_in_turn - 1 - n : n);
    return block;
}

Block *const *resident_team() { return resident(0).data(); }

/* One block after the other; while the threads of one only spin, others join it: see release_yielded(). */
static void run_in_turn(uint64_t count, int threads)
{
    next_in_turn = 0, blocks_in_turn = count;
    set_thread_order(threads);
    while (next_block(0)) {
        if (options.order == Order::random) set_thread_order(threads);
        if (!run_blocks(resident_team(), 1)) return;
    }
}

static void run_grid(const cudasim_launch_t &launch, int device)
{
    static uint64_t launches = 0;
    if (device_fault(device)) return;
    Gate   gate(reachable_devices(device));
    Kernel outer                         = kernel;
    kernel                               = Kernel();
    kernel.launch                        = &launch;
    kernel.device                        = device;
    kernel.number                        = ++launches;
    cudasim_context.block_dim            = launch.block;
    cudasim_context.grid_dim             = launch.grid;
    cudasim_context.dynamic_shared_bytes = launch.shared_bytes;
    self.in_kernel                       = true;
    uint64_t blocks                      = (uint64_t)launch.grid.x * launch.grid.y * launch.grid.z;
    int      threads                     = (int)(launch.block.x * launch.block.y * launch.block.z);
    start_watching();
    if (launch.cooperative) run_cooperative(blocks, threads);
    else run_in_turn(blocks, threads);
    stop_watching();
    self.in_kernel = false;
    if (kernel.fault) set_device_fault(device, kernel.fault);
    kernel         = outer;
    current_thread = nullptr;
    current_block  = nullptr;
}

} // namespace cudasim

extern "C" {

void *cudasim_shared_at(const void *key, size_t size, size_t align, const char *file, int line)
{
    InRuntime inside;
    Block    *block = current_block;
    for (const SharedVariable &v : block->variables)
        if (v.key == key) return block->shared + v.offset;
    return declare_shared(block, key, size, align, Place{ file, line });
}

const void *cudasim_find_function(const void *object, size_t size)
{
    if (self.in_kernel) return nullptr; /* cudasim_check_launch says why */
    ApiCall call;
    for (size_t i = 0; i + sizeof(void *) <= size; i += sizeof(void *)) {
        const void *word;
        memcpy(&word, (const char *)object + i, sizeof word);
        if (is_program_code(word)) return word;
    }
    return nullptr;
}

cudaError_t cudasim_check_launch(const cudasim_launch_t *launch)
{
    if (self.in_kernel) refuse_in_kernel(*launch);
    ApiCall call;
    if (options.devices == 0) return failed(cudaErrorNoDevice);
    if (cudaError_t fault = device_fault(self.device)) return failed(fault);
    if (injected_failure(Fallible::launch)) return failed(cudaErrorLaunchOutOfResources);
    Refusal refusal = check_configuration(*launch);
    if (refusal.error) return refuse(*launch, refusal.error, refusal.reason);
    if (launch->cooperative) {
        int fits = resident_blocks(launch->block, launch->shared_bytes) * multiprocessors;
        if ((uint64_t)launch->grid.x * launch->grid.y * launch->grid.z > (uint64_t)fits)
            return refuse(*launch, cudaErrorCooperativeLaunchTooLarge,
                          "all blocks of a cooperative launch must fit on the device: see "
                          "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    }
    Stream *stream = find_stream(launch->stream);
    if (!stream) return refuse(*launch, cudaErrorInvalidResourceHandle, "the stream does not exist, or was destroyed");
    if (stream_device(stream) != self.device)
        return refuse(*launch, cudaErrorInvalidResourceHandle,
                      "the stream belongs to another device: call cudaSetDevice first");
    return cudaSuccess;
}

void cudasim_check_argument(const cudasim_launch_t *launch, int index, const void *pointer)
{
    ApiCall call;
    if (in_arena(pointer) || is_program_image(pointer) || is_registered_host(pointer)) return;
    char which[32] = "an argument"; /* a library's kernel has others than the function that the program called */
    if (!launch->of_library) snprintf(which, sizeof which, "argument %d of kernel", index);
    Report(nullptr, Place{ launch->file, launch->line }, "%s%s %s is a host pointer (%p)", which,
           launch->of_library ? " of" : "", kernel_name(*launch).c_str(), pointer)
        .advice("a kernel can only use memory from cudaMalloc, cudaMallocManaged or cudaMallocHost");
}

cudaError_t cudasim_launch(const cudasim_launch_t *launch)
{
    ApiCall          call;
    cudasim_launch_t own    = *launch;
    int              device = self.device;
    OpInfo           info;
    info.kind   = OpKind::kernel;
    info.name   = own.text;
    info.place  = Place{ own.file, own.line };
    info.caller = (void *)own.function;
    submit(find_stream(own.stream), info, [own, device]() {
        run_grid(own, device);
        own.destroy(own.arguments);
    });
    return cudaSuccess;
}

/* ------------------------------------------------------------------ kernels by address */

cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t)
{
    ApiCall call;
    Report(CALLER, Place{}, "cudaLaunchKernel with an untyped pointer")
        .advice("pass the kernel itself, without a cast to void *: its parameter types are needed");
    return failed(cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaLaunchCooperativeKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t)
{
    ApiCall call;
    Report(CALLER, Place{}, "cudaLaunchCooperativeKernel with an untyped pointer")
        .advice("pass the kernel itself, without a cast to void *: its parameter types are needed");
    return failed(cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value)
{
    ApiCall call;
    if (options.devices == 0) return failed(cudaErrorNoDevice);
    if (!is_program_code(function)) return failed(cudaErrorInvalidDeviceFunction);
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) return cudaSuccess;
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return failed(cudaErrorInvalidValue);
    if (value < 0 || value > (int)shared_optin_limit) return failed(cudaErrorInvalidValue);
    (*dynamic_limits)[function] = value;
    largest_dynamic_limit       = std::max(largest_dynamic_limit, value);
    return cudaSuccess;
}

cudaError_t cudaFuncSetCacheConfig(const void *, enum cudaFuncCache)
{
    ApiCall call;
    return options.devices ? cudaSuccess : failed(cudaErrorNoDevice);
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function)
{
    ApiCall call;
    if (options.devices == 0) return failed(cudaErrorNoDevice);
    if (!attributes) return failed(cudaErrorInvalidValue);
    *attributes                           = cudaFuncAttributes();
    attributes->maxThreadsPerBlock        = max_threads;
    attributes->numRegs                   = 32;
    attributes->ptxVersion                = 90;
    attributes->binaryVersion             = 90;
    attributes->maxDynamicSharedSizeBytes = dynamic_limits->count(function) ? (*dynamic_limits)[function] : (int)shared_limit;
    return cudaSuccess;
}

cudaError_t cudaFuncGetName(const char **name, const void *function)
{
    static Immortal<std::map<const void *, std::string>> names;
    ApiCall                                              call;
    std::string                                         &text = (*names)[function];
    if (text.empty()) text = function_name(function);
    *name = text.c_str();
    return text.empty() ? failed(cudaErrorInvalidDeviceFunction) : cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function, int block_size,
                                                                   size_t dynamic_shared, unsigned int)
{
    ApiCall call;
    (void)function;
    if (options.devices == 0) return failed(cudaErrorNoDevice);
    if (!blocks || block_size <= 0) return failed(cudaErrorInvalidValue);
    *blocks = block_size > max_threads || dynamic_shared > shared_optin_limit
                  ? 0
                  : resident_blocks(dim3((unsigned)block_size), dynamic_shared);
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int block_size,
                                                          size_t dynamic_shared)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block_size, dynamic_shared, 0);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamic_shared, const void *, int blocks, int)
{
    ApiCall call;
    if (options.devices == 0) return failed(cudaErrorNoDevice);
    if (!dynamic_shared || blocks <= 0) return failed(cudaErrorInvalidValue);
    size_t each     = (size_t)(228 << 10) / (size_t)blocks;
    *dynamic_shared = std::min(shared_optin_limit, each > 1024 ? each - 1024 : 0);
    return cudaSuccess;
}

int cudasim_address_space(const void *pointer)
{
    InRuntime inside;
    if (in_arena(pointer) || is_program_image(pointer)) return CUDASIM_SPACE_GLOBAL;
    if (on_fiber_stack(current_fiber, pointer)) return CUDASIM_SPACE_LOCAL;
    if (current_block && ((size_t)((const char *)pointer - current_block->shared) < shared_arena ||
                          (size_t)((const char *)pointer - current_block->dynamic) < shared_optin_limit))
        return CUDASIM_SPACE_SHARED;
    return CUDASIM_SPACE_OTHER;
}
}
