/* Stream order: eager or lazy execution, vector clocks, events.
 *
 * Eager (the default): every piece of work runs at once, when it is submitted.  Lazy (CUDASIM_LAZY=1): work is kept back until
 * something waits for it, and then runs in the least convenient order that the program's synchronisation permits.  Work
 * behind a function of the host that has not ended is kept back in either mode.
 *
 * Independently of that, the checker keeps vector clocks: what each stream, event and host thread knows to have ended.  Two
 * accesses to the same memory that no clock orders are reported even if they happened to run in the right order. */
#include "internal.h"

namespace cudasim {

/* ------------------------------------------------------------------ clocks */

/* A component of the clocks: one stream or one host thread. */
static Immortal<Clock>                 component_time;
static Immortal<std::vector<uint32_t>> free_components;

static uint32_t new_component()
{
    if (free_components->empty()) {
        component_time->push_back(0);
        return (uint32_t)component_time->size() - 1;
    }
    uint32_t c = free_components->back();
    free_components->pop_back();
    return c;
}

static void join(Clock &into, const Clock &other)
{
    if (into.size() < other.size()) into.resize(other.size());
    for (size_t i = 0; i < other.size(); i++) into[i] = std::max(into[i], other[i]);
}

static void set_component(Clock &clock, uint32_t component, uint32_t time)
{
    if (clock.size() <= component) clock.resize(component + 1);
    clock[component] = time;
}

static bool knows(const Clock &clock, uint32_t component, uint32_t time)
{
    return component < clock.size() && clock[component] >= time;
}

/* ------------------------------------------------------------------ the table of operations */

static Immortal<std::deque<OpInfo>> op_table;
static uint32_t                     first_op = 1, next_op = 1;
constexpr size_t                    op_table_limit = 1 << 20;

OpInfo *find_op(uint32_t id) { return id >= first_op && id < next_op ? &(*op_table)[id - first_op] : nullptr; }

static uint32_t record_op(const OpInfo &info)
{
    op_table->push_back(info);
    if (op_table->size() > op_table_limit) op_table->pop_front(), first_op++;
    return next_op++;
}

/* ------------------------------------------------------------------ host threads */

/* All host threads share one component: how they hand over to each other (joins, mutexes, ...) is not followed, so what one of
 * them has waited for counts as known to all. */
struct Host {
    uint32_t component = new_component();
    Clock    clock;
    uint32_t access_id   = 0; /* the operation that stands for the host's own accesses since access_time */
    uint32_t access_time = 0;
};

static Host &host()
{
    static Immortal<Host> all;
    return *all;
}

/* What belongs to one host thread. */
struct HostThread {
    Stream *per_thread[32] = {}; /* its cudaStreamPerThread, by device */
};

/* A function of cudaLaunchHostFunc acts as a piece of its stream's work, not as the thread that happens to run it. */
struct HostFunction {
    uint32_t id;
    Clock    clock;
};

/* The host's own time advances whenever it hands something over. */
static uint32_t tick(Host &h)
{
    uint32_t time = ++(*component_time)[h.component];
    set_component(h.clock, h.component, time);
    return time;
}

uint32_t host_access_id()
{
    if (self.host_function) return ((const HostFunction *)self.host_function)->id;
    Host    &h   = host();
    uint32_t now = (*component_time)[h.component];
    if (!h.access_id || h.access_time != now || !find_op(h.access_id)) {
        OpInfo info;
        info.kind      = OpKind::host_access;
        info.name      = "host code";
        info.component = h.component;
        info.time      = now + 1; /* known to others only after the next tick */
        h.access_id    = record_op(info);
        h.access_time  = now;
    }
    return h.access_id;
}

bool ordered_before_host(uint32_t id)
{
    OpInfo *op = find_op(id);
    if (self.host_function) {
        const HostFunction *f = (const HostFunction *)self.host_function;
        return !op || id == f->id || knows(f->clock, op->component, op->time);
    }
    Host &h = host();
    return !op || op->kind == OpKind::host_access || knows(h.clock, op->component, op->time);
}

/* ------------------------------------------------------------------ operations */

struct Op {
    std::function<void()>            work;
    std::vector<std::shared_ptr<Op>> after; /* work of other streams that must come first */
    Stream                          *stream = nullptr;
    uint32_t                         id     = 0;
    Clock                            clock;
    bool                             on_host = false; /* a function of cudaLaunchHostFunc */
    bool                             started = false, done = false;
};
using OpRef = std::shared_ptr<Op>;

struct Stream {
    int                device     = 0;
    unsigned           flags      = 0;
    int                priority   = 0;
    unsigned long long id         = 0;
    bool               is_legacy  = false;
    bool               per_thread = false;
    uint32_t           component  = new_component();
    Clock              clock;
    std::deque<OpRef>  pending;     /* kept back, but for the first, which may be under way */
    OpRef              last;        /* of those that were kept back */
    int                queries = 0; /* unsuccessful ones in a row */
    bool               blocking() const { return !is_legacy && !(flags & cudaStreamNonBlocking); }
};

struct Event {
    unsigned flags    = 0;
    int      device   = 0;
    bool     recorded = false;
    OpRef    op;
    Clock    clock;
    double   time    = 0;
    int      queries = 0;
};

static Immortal<std::vector<Stream *>> streams; /* in order of creation, without the default streams */
static Immortal<std::vector<Stream *>> legacy_streams;
static Immortal<std::set<Event *>>     events;
static unsigned long long              next_stream_id = 1;
static Immortal<std::map<int, Clock>>  departed_clocks; /* of destroyed streams, by device */

Running running;

/* Answers of ordered_before_running for the operation that runs: most accesses ask for the same few. */
struct OrderCache {
    uint32_t id[64];
    bool     ordered[64];
};
static OrderCache order_cache;

static void start_running(uint32_t id, const Clock *clock)
{
    running.id    = id;
    running.clock = clock;
    memset(order_cache.id, 0, sizeof order_cache.id);
}

static __attribute__((noinline)) bool find_order(uint32_t id)
{
    uint32_t slot   = id & 63;
    OpInfo  *op     = find_op(id);
    OpInfo  *me     = find_op(running.id);
    bool     result = !op || !me || !running.clock || (op->component == me->component && op->time <= me->time) ||
                  knows(*running.clock, op->component, op->time);
    order_cache.id[slot]      = id;
    order_cache.ordered[slot] = result;
    return result;
}

bool ordered_before_running(uint32_t id)
{
    uint32_t slot = id & 63;
    return order_cache.id[slot] == id ? order_cache.ordered[slot] : find_order(id);
}

uint32_t new_segment()
{
    if (!instrumented) return 0;
    OpInfo *op = find_op(running.id);
    if (!op) return running.id;
    OpInfo copy = *op;
    start_running(record_op(copy), running.clock);
    return running.id;
}

/* ------------------------------------------------------------------ handles */

static Stream *legacy_stream(int device)
{
    while ((int)legacy_streams->size() <= device) {
        Stream *s    = new Stream;
        s->device    = (int)legacy_streams->size();
        s->is_legacy = true;
        s->id        = next_stream_id++;
        legacy_streams->push_back(s);
    }
    return (*legacy_streams)[(size_t)device];
}

static Stream *per_thread_stream(int device)
{
    if (!self.host) self.host = new HostThread;
    Stream *&s = self.host->per_thread[device];
    if (!s) {
        s             = new Stream;
        s->device     = device;
        s->per_thread = true;
        s->id         = next_stream_id++;
        streams->push_back(s);
    }
    return s;
}

Stream *find_stream(cudaStream_t handle)
{
    if (handle == nullptr || handle == cudaStreamLegacy) return legacy_stream(self.device);
    if (handle == cudaStreamPerThread) return per_thread_stream(self.device);
    for (Stream *s : *streams)
        if (s == (Stream *)handle && !s->per_thread) return s;
    return nullptr;
}

std::string stream_name(const Stream *s)
{
    if (s->is_legacy) return "the default stream";
    if (s->per_thread) return "the per-thread default stream";
    return "stream " + std::to_string(s->id);
}

int  stream_device(const Stream *s) { return s->device; }
bool has_pending_work(const Stream *s) { return !s->pending.empty(); }

/* ------------------------------------------------------------------ running */

static void run_op(const OpRef &op);

/* Everything in the stream up to and including the operation. */
static void run_until(Stream *s, const Op *last)
{
    while (!s->pending.empty() && !(last && last->done)) {
        OpRef op = s->pending.front();
        run_op(op);
        if (op.get() == last || !op->done) break;
    }
}

static Immortal<std::condition_variable_any> op_ended;

static void finish(const OpRef &op)
{
    Stream *s = op->stream;
    op->done  = true;
    op->work  = nullptr;
    if (!s->pending.empty() && s->pending.front() == op) s->pending.pop_front();
    op_ended->notify_all();
}

/* ------------------------------------------------------------------ functions of the host in a stream */

/* They run on a thread of their own, because the program may wait for what they do without a word to CUDA, or they for the
 * program.  It starts the next one by itself if the program has given no work to any stream for a while. */
struct HostWorker {
    std::condition_variable_any asked;
    std::deque<OpRef>           calls; /* functions to call now */
    bool                        made = false;
};
static Immortal<HostWorker> worker;
static thread_local bool    is_worker;
static uint64_t             submissions;

/* So long the host waits for a function that it has just launched, as if it were part of the call (eager), or does not wait for
 * anything (lazy) until the stream's work runs without being asked for. */
constexpr std::chrono::milliseconds head_start(250), quiet(50);

static void host_learns(const Clock &clock)
{
    if (instrumented) join(host().clock, clock);
}

/* What came before it in the stream has ended, and it may tell the host so: the host knows from here on. */
static void call_host_function(const OpRef &op)
{
    HostFunction acting{ op->id, op->clock };
    const void  *outer = self.host_function;
    self.host_function = &acting;
    host_learns(op->clock);
    close_gates();
    /* other host threads may use the API meanwhile: the function may wait for them */
    api_mutex.unlock();
    op->work();
    api_mutex.lock();
    self.host_function = outer;
    finish(op);
}

/* The next function that nobody has asked for. */
static OpRef next_host_function()
{
    auto next_of = [](Stream *s) {
        for (const OpRef &op : s->pending)
            if (op->on_host && !op->started) return op;
        return OpRef();
    };
    for (Stream *s : *streams)
        if (OpRef op = next_of(s)) return op;
    for (Stream *s : *legacy_streams)
        if (OpRef op = next_of(s)) return op;
    return nullptr;
}

static void call_host_functions()
{
    while (!worker->calls.empty()) {
        OpRef op = worker->calls.front();
        worker->calls.pop_front();
        call_host_function(op);
    }
}

static void serve()
{
    is_worker = true;
    prepare_os_thread();
    api_mutex.lock();
    for (;;) {
        call_host_functions();
        OpRef    next = next_host_function();
        uint64_t seen = submissions;
        if (!next) worker->asked.wait(api_mutex);
        else if (worker->asked.wait_for(api_mutex, quiet) == std::cv_status::timeout && submissions == seen)
            run_until(next->stream, next.get());
    }
}

/* Signals of the program are not for this thread. */
static void make_worker()
{
    if (worker->made) return;
    worker->made = true;
    sigset_t blocked, before;
    sigfillset(&blocked);
    for (int s : { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGVTALRM }) sigdelset(&blocked, s);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    std::thread(serve).detach();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

static void start_host_function(const OpRef &op)
{
    op->started = true;
    if (is_worker) return call_host_function(op);
    make_worker();
    worker->calls.push_back(op);
    worker->asked.notify_all();
    op_ended->notify_all(); /* the worker may be waiting there */
}

/* A function in a stream cannot wait for itself: the call returns too early, and ApiCall has said why. The worker calls what it is given
 * meanwhile: that may be what it waits for. */
static void wait_until_done(const OpRef &op)
{
    close_gates();
    while (!op->done && !self.host_function) {
        if (is_worker && !worker->calls.empty()) call_host_functions();
        else op_ended->wait(api_mutex);
    }
}

static void run_op(const OpRef &op)
{
    if (op->done) return;
    if (op->started) return wait_until_done(op);
    op->started = true;
    for (const OpRef &before : op->after)
        if (!before->done) run_until(before->stream, before.get());
    op->after.clear();
    if (op->on_host) {
        start_host_function(op);
        return wait_until_done(op);
    }
    start_running(op->id, &op->clock);
    op->work();
    finish(op);
}

/* The clock of a piece of work: what its stream has done, what the host knows, and for the default stream the others'. */
static void advance_clocks(Stream *s, OpInfo &info)
{
    Host &h = host();
    tick(h); /* what the host did so far comes before this work */
    join(s->clock, h.clock);
    if (s->is_legacy) {
        for (Stream *other : *streams)
            if (other->blocking() && other->device == s->device) join(s->clock, other->clock);
    } else if (s->blocking()) join(s->clock, legacy_stream(s->device)->clock);
    info.component = s->component;
    info.time      = ++(*component_time)[s->component];
    info.stream    = stream_name(s);
    set_component(s->clock, s->component, info.time);
}

static void add_dependency(Op &op, const OpRef &before)
{
    if (before && !before->done) op.after.push_back(before);
}

static OpRef keep_back(Stream *s, uint32_t id, std::function<void()> work)
{
    OpRef op   = std::make_shared<Op>();
    op->work   = std::move(work);
    op->stream = s;
    op->id     = id;
    op->clock  = s->clock;
    if (s->is_legacy) {
        for (Stream *other : *streams)
            if (other->blocking() && other->device == s->device) add_dependency(*op, other->last);
    } else if (s->blocking()) add_dependency(*op, legacy_stream(s->device)->last);
    s->last = op;
    s->pending.push_back(op);
    return op;
}

static bool is_under_way(const OpRef &op) { return op && !op->done; }

/* Does work that is given to the stream now have to wait for work that is kept back, or for a function of the host? */
bool runs_later(const Stream *s)
{
    if (options.lazy || is_under_way(s->last)) return true;
    if (s->blocking()) return is_under_way(legacy_stream(s->device)->last);
    if (!s->is_legacy) return false;
    return std::any_of(streams->begin(), streams->end(), [=](const Stream *other) {
        return other->blocking() && other->device == s->device && is_under_way(other->last);
    });
}

static void submit_host_function(Stream *s, uint32_t id, std::function<void()> work)
{
    bool  later = runs_later(s);
    OpRef op    = keep_back(s, id, std::move(work));
    op->on_host = true;
    make_worker();
    worker->asked.notify_all();
    if (later) return;
    start_host_function(op);
    op_ended->wait_for(api_mutex, head_start, [&]() { return op->done; });
}

cudaError_t submit(Stream *s, OpInfo info, std::function<void()> work)
{
    uint32_t id = 0;
    if (instrumented) {
        advance_clocks(s, info);
        id = record_op(info);
    }
    s->queries = 0;
    submissions++;
    if (info.kind == OpKind::host_function) {
        submit_host_function(s, id, std::move(work));
        return cudaSuccess;
    }
    if (runs_later(s)) {
        keep_back(s, id, std::move(work));
        return cudaSuccess;
    }
    Running outer = running;
    start_running(id, &s->clock);
    work();
    running = outer;
    return cudaSuccess;
}

/* ------------------------------------------------------------------ waiting */

/* Work of the default stream comes after that of all blocking streams, and so does waiting for it. */
void synchronize_stream(Stream *s)
{
    if (s->is_legacy)
        for (size_t i = streams->size(); i-- > 0;)
            if (i < streams->size() && (*streams)[i]->blocking() && (*streams)[i]->device == s->device)
                synchronize_stream((*streams)[i]);
    run_until(s, nullptr);
    host_learns(s->clock);
    close_gates();
}

void synchronize_device(int device)
{
    /* the youngest stream first: not the order in which the work was submitted */
    for (size_t i = streams->size(); i-- > 0;)
        if (i < streams->size() && (*streams)[i]->device == device) synchronize_stream((*streams)[i]);
    synchronize_stream(legacy_stream(device));
    host_learns((*departed_clocks)[device]);
    trim_pools(device);
}

void synchronize_everything()
{
    for (int d = 0; d < options.devices; d++) synchronize_device(d);
}

} // namespace cudasim
