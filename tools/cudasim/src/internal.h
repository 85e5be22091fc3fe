/* What the parts of the runtime share. */
#ifndef CUDASIM_INTERNAL_H
#define CUDASIM_INTERNAL_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include "../include/cuda_runtime.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <link.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define CUDASIM_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CUDASIM_ASAN 1
#endif
#endif
#ifndef CUDASIM_ASAN
#define CUDASIM_ASAN 0
#endif
#if CUDASIM_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size)   ((void)(address), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#endif

#define CALLER __builtin_return_address(0)

namespace cudasim {

/* Containers with static storage are never destroyed: the last report is made after all destructors of the program. */
template <class T> struct Immortal {
    alignas(T) char bytes[sizeof(T)];
    bool made;
    T   &operator*()
    {
        if (!made) made = (new (bytes) T, true);
        return *(T *)bytes;
    }
    T *operator->() { return &**this; }
};

/* ------------------------------------------------------------------ options (report.cpp) */

enum class Order { forward, reverse, random };
enum class Leaks { ignored, shown, counted }; /* counted: like other reports, in the exit status */

struct Options {
    Order       order         = Order::forward;
    bool        lazy          = false;
    bool        protect       = true;
    bool        abort         = false;
    Leaks       leaks         = Leaks::shown; /* the checker counts them */
    long        max_reports   = 20;
    int         devices       = 1;
    size_t      memory        = (size_t)8 << 30;
    double      timeout       = 60; /* seconds in which no thread of a kernel ends */
    size_t      stack         = (size_t)(CUDASIM_ASAN ? 512 : 256) << 10;
    const char *skip_barrier  = nullptr; /* "file:line" of one barrier to ignore */
    const char *list_barriers = nullptr; /* file that gets the barrier sites */
    const char *log           = nullptr; /* file that gets the reports in place of stderr */
};
extern Options options;
/* True once instrumented code has announced itself: every access of the program is checked. */
extern bool instrumented;

uint32_t random_number();

/* ------------------------------------------------------------------ locking and per-thread state */

extern std::recursive_mutex api_mutex;

struct HostThread; /* stream.cpp */

struct ThreadState {
    cudaError_t last_error      = cudaSuccess;
    int         device          = 0;
    bool        in_kernel       = false; /* this OS thread is running device code right now */
    HostThread *host            = nullptr;
    const char *api_name        = ""; /* the API function it is in, and who called that */
    void       *api_caller      = nullptr;
    long        reports_before  = 0;
    const void *host_function   = nullptr; /* it runs a function of cudaLaunchHostFunc (stream.cpp) */
    bool        alternate_stack = false;
};
extern thread_local ThreadState self;

/* Every API function holds one of these: it locks the runtime, starts it up on first use, and notes who called what. */
struct ApiCall {
    std::lock_guard<std::recursive_mutex> lock;
    inline __attribute__((always_inline)) ApiCall(const char *name = __builtin_FUNCTION()) : lock(api_mutex)
    {
        enter(name, __builtin_return_address(0));
    }
    static void enter(const char *name, void *caller);
};

/* Records the error of an API call for cudaGetLastError and returns it.  The checker reports errors in the arguments. */
cudaError_t failed(cudaError_t error);

/* A thread of the kernel runs code of the program, which the timer may interrupt (watch.cpp). */
extern volatile bool interruptible;

/* Every function that device code calls holds one of these. */
struct InRuntime {
    bool before = interruptible;
    InRuntime() { interruptible = false; }
    ~InRuntime() { interruptible = before; }
};

/* ------------------------------------------------------------------ reports (report.cpp) */

extern long report_count;

struct Place {
    const char *file = nullptr;
    int         line = 0;
};

/* One report.  It is printed when it goes out of scope, unless the same place said the same before. */
class Report {
  public:
    Report(const void *code, Place place, const char *format, ...) __attribute__((format(printf, 4, 5)));
    ~Report();
    Report &detail(const char *format, ...) __attribute__((format(printf, 2, 3)));
    Report &at(const char *label, const void *code);
    Report &allocation(const void *pointer); /* where the memory around the pointer was allocated */
    Report &advice(const char *text);
    Report(const Report &)            = delete;
    Report &operator=(const Report &) = delete;

  private:
    InRuntime   inside;
    bool        wanted;
    std::string text, last_words;
};

void       *program_counter(void *context);  /* of a signal */
std::string function_name(const void *code); /* demangled, from the symbol table */
std::string source_position(const void *code);
bool        is_launch_glue(const void *code); /* the lambda that CUDASIM_LAUNCH wraps around the kernel */

/* ------------------------------------------------------------------ memory (memory.cpp) */

enum class Space : uint8_t { device, managed, pinned };

struct Allocation {
    char         *base;
    size_t        size; /* as asked */
    size_t        own;  /* with the red zone behind it, in whole units */
    size_t        span; /* with the gap behind that */
    Space         space;
    int           device;
    void         *caller;   /* who allocated it */
    void         *freed_by; /* null while it is alive */
    unsigned      flags;
    CUmemPool_st *pool;
    bool          heap; /* of the device heap: malloc or new in device code */
};

/* All simulated memory lies in one reserved range of addresses: the devices, then managed, then pinned memory. */
extern char  *arena;
extern size_t arena_size, arena_part; /* of all, and of each device, the first of which begins with it */

inline bool in_arena(const void *pointer) { return (size_t)((const char *)pointer - arena) < arena_size; }

void        start_memory();
Space       space_of(const void *pointer);             /* of an arena address */
int         device_of(const void *pointer);            /* of an arena address in device space */
Allocation *find_allocation(const void *pointer);      /* the one that contains the pointer, dead or alive */
Allocation *nearest_allocation(const void *pointer);   /* or the last one before it */
Allocation *suspected_allocation(const void *pointer); /* the one an address in or near it was meant for */
std::string describe_address(const void *pointer);     /* "byte 4 of the 16 bytes allocated", or "" */
char       *allocate(Space space, int device, size_t size, void *caller, unsigned flags, CUmemPool_st *pool);
char       *allocate_in_heap(int device, size_t size, size_t limit, void *caller); /* null: the heap is full */
void        release(Allocation *allocation, void *caller);
const char *kind_of_memory(const Allocation &allocation);
size_t      device_bytes_used(int device);
bool        is_mapped(const void *pointer); /* an arena address that can be accessed without a fault */
bool        is_registered_host(const void *pointer);
bool        is_program_image(const void *pointer);
bool        is_program_code(const void *pointer);
bool        is_program_data(const void *pointer); /* .data and .bss */
size_t      program_data_offset(const void *pointer);
size_t      program_data_size();
const std::map<uintptr_t, Allocation> &all_allocations();
void                                   reset_device_memory(int device);

/* Device memory is inaccessible while host code runs.  A Gate opens the devices in the mask; close_gates() is called where the
 * program has waited for the device, and after an allocation. */
void close_gates();
struct Gate {
    explicit Gate(uint32_t devices);
    ~Gate();
    uint32_t before;
};
constexpr uint32_t all_devices = 0xffffffffu;
uint32_t           open_devices();
uint32_t           reachable_devices(int device); /* itself and the peers it enabled */
bool               can_reach_peer(int device, int peer);
bool               set_peer(int device, int peer, bool enabled); /* false: already so */

/* ------------------------------------------------------------------ fibers (fiber.cpp) */

struct Fiber;
extern Fiber *current_fiber;
extern Fiber  main_fiber;
void          switch_to(Fiber *fiber);
Fiber        *take_fiber();
void          park_fiber(Fiber *fiber);    /* its stack may be reused once it is switched away from */
void          abandon_fiber(Fiber *fiber); /* drop whatever it was doing */
bool          on_fiber_stack(const Fiber *fiber, const void *pointer);
bool          is_other_fiber_stack(const void *pointer);
bool          is_stack_overflow(const void *pointer);

/* ------------------------------------------------------------------ blocks (block.cpp) */

enum class ThreadStatus : uint8_t { fresh, running, ready, block_barrier, grid_barrier, warp, converging, done };

struct Block;

struct SimThread {
    ThreadStatus status;
    uint16_t     index;                 /* linear index in the block */
    bool         fenced, device_fenced; /* has executed __threadfence_block(), __threadfence() (checker) */
    uint16_t     clock; /* warp synchronisations this thread took part in, since the last block barrier (checker) */
    Block       *block;
    Fiber       *fiber;
    uint3        coordinates;
    const char  *kind; /* what it waits in, and where: a place, or for a loop an address */
    Place        place;
    const void  *code;
    uint64_t     result; /* of a warp primitive */
    jmp_buf     *end;    /* where cudasim_end_thread() goes */
};

constexpr int multiprocessors = 4; /* of every simulated device */
constexpr int warp_size = 32, max_threads = 1024, max_warps = max_threads / warp_size;

/* One meeting of the lanes of a warp: a warp primitive under way. */
struct Rendezvous {
    unsigned mask, arrived;
    int      operation;
    Place    place;
    uint64_t value[warp_size];
    int      argument[warp_size], width[warp_size];
};

struct Warp {
    unsigned                alive; /* lanes that have not returned */
    std::vector<Rendezvous> open;
    bool                    synchronised; /* the table below is not all zero */
    /* what each lane knows of the others' clocks (checker) */
    uint16_t known[warp_size][warp_size];
};

struct SharedVariable {
    const void *key;
    size_t      offset, size;
    Place       place;
};

struct SharedRecords; /* checker.cpp */

struct Block {
    uint3                       index;
    uint32_t                    linear;
    uint64_t                    shape_launch = 0; /* the launch for which the coordinates of the threads are set */
    int                         count, done;
    int                         waiting; /* threads in the block barrier */
    uint16_t                    epoch;   /* block barriers passed */
    int                         reduction[3], reduced[3];
    SimThread                   threads[max_threads];
    Warp                        warps[max_warps];
    char                       *shared;  /* static arena */
    char                       *dynamic; /* dynamic shared memory */
    std::vector<SharedVariable> variables;
    size_t                      shared_used;
    SharedRecords              *records;
};

extern SimThread *current_thread;
extern Block     *current_block;

constexpr size_t shared_limit = 48 << 10, shared_optin_limit = 227 << 10, shared_arena = 128 << 10, shared_red_zone = 64;

Block *make_block();
void   prepare_block(Block *block, uint64_t linear);
/* Chooses the order in which the threads of a block start. */
void set_thread_order(int count);
/* Runs the threads of all these blocks to their end; reports a deadlock.  False if the kernel was killed. */
bool run_blocks(Block *const *blocks, int count);
/* Lets the others go on; interrupted: by the timer, in a loop at this address. */
void yield_thread(const void *code, bool interrupted);
/* Leaves the kernel at once, from any of its threads.  Does not return. */
void kill_kernel(cudaError_t error) __attribute__((noreturn));

/* ------------------------------------------------------------------ threads that do not give way (watch.cpp) */

extern volatile bool give_way_asked;          /* the next access of the thread is to call give_way() */
extern volatile bool out_of_time;             /* no thread of the kernel has ended for too long */
extern uint64_t      switches, threads_ended; /* counted by block.cpp */
void                 start_watching();
void                 stop_watching();
void                 give_way(const void *code);

/* ------------------------------------------------------------------ the running kernel (launch.cpp) */

struct Kernel {
    const cudasim_launch_t *launch = nullptr;
    int                     device = 0;
    cudaError_t             fault  = cudaSuccess;
    uint64_t                number = 0; /* counts launches */
};
extern Kernel kernel;
std::string   kernel_name(const cudasim_launch_t &launch);
Block        *next_block(int resident); /* of a plain launch: the next one that can run beside so many others, or null */
Block *const *resident_team();

/* ------------------------------------------------------------------ the device heap (heap.cpp) */

bool is_heap_used(int device); /* has a kernel asked for memory of it? */
void reset_heap(int device);

/* ------------------------------------------------------------------ streams (stream.cpp) */

using Clock = std::vector<uint32_t>;

enum class OpKind : uint8_t { kernel, copy, set, allocate, free, host_function, event, host_access, wait };

/* One piece of work, for reports and for the order between pieces. */
struct OpInfo {
    OpKind      kind   = OpKind::kernel;
    const char *name   = "";
    void       *caller = nullptr;
    Place       place;
    std::string stream;
    uint32_t    component = 0, time = 0;
};

struct Stream;
Stream     *find_stream(cudaStream_t handle); /* null: no such stream */
cudaError_t submit(Stream *stream, OpInfo info, std::function<void()> work);
void        synchronize_stream(Stream *stream);
void        synchronize_device(int device);
void        synchronize_everything();
std::string stream_name(const Stream *stream);
int         stream_device(const Stream *stream);
bool        has_pending_work(const Stream *stream);
bool        runs_later(const Stream *stream); /* work that is given to it now is kept back */

/* The work that is being executed: its number marks memory accesses. */
struct Running {
    uint32_t     id    = 0;
    const Clock *clock = nullptr;
};
extern Running running;
uint32_t       new_segment(); /* a new number for the running work: all before it is ordered (grid barrier) */
bool           ordered_before_running(uint32_t id);
bool           ordered_before_host(uint32_t id); /* does the host know that it has ended? */
uint32_t       host_access_id();                 /* marks accesses of host code */
OpInfo        *find_op(uint32_t id);

/* sticky error of a device: an asynchronous fault; cudaDeviceReset clears it */
cudaError_t device_fault(int device);
void        set_device_fault(int device, cudaError_t error);

/* ------------------------------------------------------------------ helpers of the API */

cudaError_t check_device(int device); /* does it exist? */
cudaError_t check_usable();           /* the current device, and it has no fault */
size_t      device_limit(int device, enum cudaLimit limit);
void        trim_pools(int device);

/* ------------------------------------------------------------------ fault injection (api_device.cpp) */

enum class Fallible { malloc, create, copy, launch };
bool injected_failure(Fallible kind);

/* ------------------------------------------------------------------ checker (checker.cpp) */

void        checker_start();
void        checker_allocated(const Allocation &allocation, bool initialised);
void        checker_freed(const Allocation &allocation);
void        checker_forgotten(const Allocation &allocation); /* its memory is handed out again */
void        checker_start_block(Block *block);
void        checker_shared_declared(Block *block, const SharedVariable &variable);
void        checker_copy(void *destination, const void *source, size_t count, const char *what, void *caller);
void        checker_owned(const Allocation &allocation);                  /* cudaMallocAsync took effect in its stream */
void        checker_disowned(const Allocation &allocation, void *caller); /* cudaFreeAsync is about to */
void        checker_result(void *pointer, size_t size);                   /* the API wrote a result there */
void        checker_host_free(const Allocation &allocation, void *caller);
void        checker_heap_free(const Allocation &allocation, void *caller); /* by the running thread of a kernel */
void        checker_set(void *destination, size_t count, const char *what, void *caller);
void        checker_warp_sync(Block *block, int warp, unsigned lanes);
void        checker_fence(bool device_wide);
void        checker_block_barrier(Block *block);
bool        has_file_shared(); /* __shared__ variables outside of functions */
void        checker_flush();   /* reports what was held back until the thread waits or ends */
extern bool checker_holds_back;

} // namespace cudasim

#endif
