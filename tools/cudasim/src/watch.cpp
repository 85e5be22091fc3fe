/* Threads that do not give way by themselves.
 *
 * A timer on the processor time of the OS thread ticks while a kernel runs.  A thread that has run for long without a barrier or
 * an atomic is interrupted and the others get their turn, so a loop may wait for what another thread, or another block, will
 * write.  A kernel none of whose threads ends for CUDASIM_TIMEOUT seconds is an endless loop.
 *
 * Only code of the program is interrupted: neither the runtime, nor a library that may hold a lock.  The checker does not wait
 * for the timer's signal to find a good moment: the next access of the thread is one. */
#include "internal.h"

extern "C" {
extern char __start_cudasim_atomics[] __attribute__((weak, visibility("hidden")));
extern char __stop_cudasim_atomics[] __attribute__((weak, visibility("hidden")));
}

namespace cudasim {

volatile bool interruptible  = false;
volatile bool give_way_asked = false;
volatile bool out_of_time    = false;
uint64_t      switches = 0, threads_ended = 0;

constexpr long     tick_nanoseconds = 10000000;
constexpr unsigned first_quantum    = 25; /* ticks, until a thread of the kernel is interrupted; then it is one */

static unsigned quantum, ticks_of_thread, ticks_of_kernel;
static uint64_t switches_seen, ended_seen;

/* One step of an atomic function must not be parted from the next: they are plain loads and stores. */
static bool is_in_atomic(const void *code)
{
    return __start_cudasim_atomics && code >= __start_cudasim_atomics && code < __stop_cudasim_atomics;
}

static void count_tick()
{
    ticks_of_thread = switches == switches_seen ? ticks_of_thread + 1 : 0;
    ticks_of_kernel = threads_ended == ended_seen ? ticks_of_kernel + 1 : 0;
    switches_seen   = switches;
    ended_seen      = threads_ended;
    out_of_time     = options.timeout > 0 && ticks_of_kernel * 1e-9 * tick_nanoseconds > options.timeout;
}

static void on_tick(int, siginfo_t *, void *context)
{
    if (!self.in_kernel || current_fiber == &main_fiber) return;
    count_tick();
    if (!interruptible || (ticks_of_thread < quantum && !out_of_time)) return;
    if (instrumented && !give_way_asked) {
        give_way_asked = true;
        return;
    }
    void *code = program_counter(context);
    if (!is_program_code(code) || is_in_atomic(code)) return;
    int error = errno;
    give_way((char *)code + 1); /* positions are looked up one byte before a return address */
    errno = error;
}

void give_way(const void *code)
{
    InRuntime inside;
    give_way_asked = false;
    if (checker_holds_back && !out_of_time) return; /* an atomicCAS may follow */
    quantum         = 1;
    ticks_of_thread = 0;
    yield_thread(code, true);
}

/* The timer of an OS thread that runs kernels. */
struct Timer {
    timer_t id{};
    bool    made = false;
    Timer()
    {
        struct sigevent event = {};
        event.sigev_notify    = SIGEV_THREAD_ID;
        event.sigev_signo     = SIGVTALRM;
        event._sigev_un._tid  = (pid_t)syscall(SYS_gettid);
        made                  = timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &id) == 0;
    }
    ~Timer()
    {
        if (made) timer_delete(id);
    }
    void set(long nanoseconds)
    {
        struct itimerspec period = { { 0, nanoseconds }, { 0, nanoseconds } };
        if (made) timer_settime(id, 0, &period, nullptr);
    }
};
static thread_local Timer timer;

static void install_tick_handler()
{
    static bool installed = false;
    if (installed) return;
    installed               = true;
    struct sigaction action = {};
    action.sa_sigaction     = on_tick;
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER; /* on the thread's own stack: it is left, and resumed later */
    sigaction(SIGVTALRM, &action, nullptr);
}

void start_watching()
{
    install_tick_handler();
    quantum         = first_quantum;
    ticks_of_kernel = ticks_of_thread = 0;
    give_way_asked = out_of_time = false;
    timer.set(tick_nanoseconds);
}

void stop_watching() { timer.set(0); }

} // namespace cudasim
