/* Threads of a block: scheduling, barriers, warp primitives.
 *
 * Threads start one after the other on the same fiber.  A thread that has to wait keeps its fiber, and the next one starts on
 * another: a kernel without barriers never switches stacks between threads. */
#include "internal.h"

extern "C" {
struct cudasim_context_t cudasim_context;
}

namespace cudasim {

SimThread *current_thread;
Block     *current_block;

static Block *const *team; /* the blocks that are resident: one, or the whole grid of a cooperative launch */
static int           team_size, grid_waiting;
static size_t        next_fresh, fresh_count;
static int           threads_per_block;
static uint16_t      thread_order[max_threads];

/* first in, first out; emptied before it grows without bound */
struct Queue {
    std::vector<SimThread *> items;
    size_t                   head = 0;
    bool                     empty() const { return head == items.size(); }
    void                     push(SimThread *t) { items.push_back(t); }
    SimThread               *pop()
    {
        SimThread *t = items[head++];
        if (head == items.size()) clear();
        return t;
    }
    void clear() { items.clear(), head = 0; }
};
static Immortal<Queue>                    ready;      /* can go on */
static Immortal<Queue>                    yielded;    /* spin until another thread changes something */
static Immortal<std::vector<SimThread *>> converging; /* wait to see which lanes of their warp come along */

static int      spin_rounds; /* in which nothing but spinning happened, */
static uint64_t spin_ended;  /* with so many threads ended */
static bool     interrupted; /* one of the threads that spin did not give way by itself */

/* ------------------------------------------------------------------ barrier sites */

static bool ends_with(const char *text, const char *end, size_t length)
{
    size_t n = strlen(text);
    return n >= length && !memcmp(text + n - length, end, length) && (n == length || text[n - length - 1] == '/');
}

static bool is_skipped(const char *file, int line)
{
    const char *colon = strrchr(options.skip_barrier, ':');
    return colon && atoi(colon + 1) == line && ends_with(file, options.skip_barrier, (size_t)(colon - options.skip_barrier));
}

static void list_barrier(const char *kind, const char *file, int line)
{
    static Immortal<std::set<std::pair<std::string, int>>> listed;
    if (!listed->insert({ file, line }).second) return;
    FILE *f = fopen(options.list_barriers, "a");
    if (!f) return;
    fprintf(f, "%s:%d %s\n", file, line, kind);
    fclose(f);
}

/* Every barrier passes here.  True: this one is to be ignored. */
static inline bool skip_barrier(const char *kind, const char *file, int line)
{
    if (__builtin_expect(!options.list_barriers && !options.skip_barrier, 1)) return false;
    if (options.list_barriers) list_barrier(kind, file, line);
    return options.skip_barrier && is_skipped(file, line);
}

/* ------------------------------------------------------------------ scheduling */

static inline void become(SimThread *t)
{
    switches++;
    current_thread               = t;
    t->status                    = ThreadStatus::running;
    cudasim_context.thread_index = t->coordinates;
    if (t->block == current_block) return;
    current_block                  = t->block;
    cudasim_context.block_index    = t->block->index;
    cudasim_context.dynamic_shared = t->block->dynamic;
}

template <class T> static void shuffle(T *items, size_t count)
{
    for (size_t i = count; i > 1; i--) std::swap(items[i - 1], items[random_number() % i]);
}

static void make_ready(SimThread **threads, size_t count)
{
    if (options.order == Order::random) shuffle(threads, count);
    if (options.order == Order::reverse) std::reverse(threads, threads + count);
    for (size_t i = 0; i < count; i++) {
        threads[i]->status = ThreadStatus::ready;
        ready->push(threads[i]);
    }
}

static SimThread *take_fresh()
{
    if (next_fresh >= fresh_count) return nullptr;
    size_t i = next_fresh++, n = (size_t)threads_per_block;
    return &team[i / n]->threads[thread_order[i % n]];
}

/* Lanes that asked which lanes are active, and all the others of their warp are elsewhere: those at the same place are. */
static void release_converging()
{
    std::vector<SimThread *> waiting;
    waiting.swap(*converging);
    for (SimThread *t : waiting) {
        t->result = 0;
        for (SimThread *u : waiting)
            if (u->block == t->block && u->index / warp_size == t->index / warp_size && u->place.line == t->place.line &&
                u->place.file == t->place.file)
                t->result |= 1u << (u->index % warp_size);
    }
    make_ready(waiting.data(), waiting.size());
}

/* Only spinning threads are left. They may still end each other's waiting, and so may a block that has not started. */
static void release_yielded()
{
    if (threads_ended != spin_ended) spin_ended = threads_ended, spin_rounds = 0;
    if (interrupted || ++spin_rounds >= 16) {
        interrupted = false, spin_rounds = 0;
        if (next_block(team_size)) {
            team = resident_team();
            team_size++;
            fresh_count += (size_t)threads_per_block;
        }
    }
    while (!yielded->empty()) {
        SimThread *t = yielded->pop();
        t->status    = ThreadStatus::ready;
        ready->push(t);
    }
}

static void report_endless_loop();

/* Goes on with whatever can run.  Returns when the calling fiber is chosen again. */
static void schedule()
{
    if (__builtin_expect(out_of_time, 0)) report_endless_loop();
    for (;;) {
        if (!ready->empty()) {
            SimThread *t = ready->pop();
            become(t);
            if (t->fiber != current_fiber) switch_to(t->fiber);
            return;
        }
        if (next_fresh < fresh_count) {
            Fiber *f = take_fiber();
            if (f != current_fiber) switch_to(f);
            return;
        }
        if (!converging->empty()) release_converging();
        else if (!yielded->empty()) release_yielded();
        else break;
    }
    switch_to(&main_fiber);
}

static void wait_in(ThreadStatus status, const char *kind, const char *file, int line)
{
    SimThread *t = current_thread;
    if (__builtin_expect(checker_holds_back, 0)) checker_flush();
    t->status = status;
    t->fiber  = current_fiber;
    t->kind   = kind;
    t->place  = Place{ file, line };
    t->code   = nullptr;
}

void yield_thread(const void *code, bool by_timer)
{
    wait_in(ThreadStatus::ready, "a loop", nullptr, 0);
    current_thread->code = code;
    interrupted |= by_timer;
    yielded->push(current_thread);
    schedule();
}

void kill_kernel(cudaError_t error)
{
    if (kernel.fault == cudaSuccess) kernel.fault = error;
    switch_to(&main_fiber);
    abort(); /* a killed thread is never resumed */
}

/* ------------------------------------------------------------------ block barrier */

/* Of the threads of these blocks that did not reach a barrier: where the first one was last. */
static void describe_absent(Report &report, Block *const *blocks, int count)
{
    for (int b = 0; b < count; b++)
        for (int i = 0; i < blocks[b]->count; i++) {
            const SimThread &t = blocks[b]->threads[i];
            if (t.status != ThreadStatus::done) continue;
            if (t.place.file)
                report.detail("the first of them, block %u thread %d, was last in %s at %s:%d", blocks[b]->linear, i,
                              *t.kind ? t.kind : "a warp primitive", t.place.file, t.place.line);
            else if (!t.code) report.detail("the first of them, block %u thread %d, reached no barrier", blocks[b]->linear, i);
            return;
        }
}

static void check_divergence(Block *block, SimThread **waiting, size_t count)
{
    Place first = waiting[0]->place;
    for (size_t i = 1; i < count; i++) {
        if (waiting[i]->place.line == first.line && waiting[i]->place.file == first.file) continue;
        Report(nullptr, first, "divergent barrier: threads of one block meet in different %s calls", waiting[0]->kind)
            .detail("thread %d waits at %s:%d, thread %d at %s:%d", waiting[0]->index, first.file, first.line,
                    waiting[i]->index, waiting[i]->place.file, waiting[i]->place.line)
            .advice("all threads of a block must reach the same barrier: move it out of the branch");
        break;
    }
    if (!block->done) return;
    Report report(nullptr, first, "%s reached by %zu of %d threads: the others ended without reaching it", waiting[0]->kind,
                  count, block->count);
    describe_absent(report, &block, 1);
    report.advice(
        "all threads of a block must reach a barrier: let the surplus threads skip the work, not the barrier, and move "
        "it out of an if or a loop that they do not enter");
}

static void release_block_barrier(Block *block)
{
    SimThread *waiting[max_threads];
    size_t     count = 0;
    for (int i = 0; i < block->count; i++)
        if (block->threads[i].status == ThreadStatus::block_barrier) waiting[count++] = &block->threads[i];
    if (!count) return;
    check_divergence(block, waiting, count);
    for (int i = 0; i < 3; i++) block->reduced[i] = block->reduction[i];
    block->reduction[CUDASIM_REDUCE_COUNT] = 0;
    block->reduction[CUDASIM_REDUCE_AND]   = 1;
    block->reduction[CUDASIM_REDUCE_OR]    = 0;
    block->waiting                         = 0;
    block->epoch++;
    if (instrumented) checker_block_barrier(block);
    make_ready(waiting, count);
}

static void try_block_barrier(Block *block)
{
    if (block->waiting && block->waiting + block->done == block->count) release_block_barrier(block);
}

/* ------------------------------------------------------------------ grid barrier */

static void try_grid_barrier()
{
    int done = 0, total = 0;
    for (int b = 0; b < team_size; b++) done += team[b]->done, total += team[b]->count;
    if (!grid_waiting || grid_waiting + done != total) return;
    std::vector<SimThread *> waiting;
    for (int b = 0; b < team_size; b++) {
        for (int i = 0; i < team[b]->count; i++)
            if (team[b]->threads[i].status == ThreadStatus::grid_barrier) waiting.push_back(&team[b]->threads[i]);
        team[b]->epoch++;
    }
    grid_waiting = 0;
    if (done) {
        Report report(nullptr, waiting[0]->place,
                      "grid.sync() reached by %zu of %d threads: the others ended without reaching it", waiting.size(), total);
        describe_absent(report, team, team_size);
        report.advice("all threads of the grid must reach grid.sync(): move it out of an if that some do not enter");
    }
    new_segment();
    make_ready(waiting.data(), waiting.size());
}

/* ------------------------------------------------------------------ warp primitives */

static uint64_t shuffle_result(const Rendezvous &r, int lane)
{
    int width = r.width[lane], argument = r.argument[lane], first = lane & ~(width - 1), source = lane;
    switch (r.operation) {
    case CUDASIM_WARP_INDEX: source = first + (argument & (width - 1)); break;
    case CUDASIM_WARP_UP: source = lane - argument; break;
    case CUDASIM_WARP_DOWN: source = lane + argument; break;
    default: source = lane ^ argument; break;
    }
    bool outside = source >= first + width || (source < first && r.operation != CUDASIM_WARP_XOR);
    if (outside || source < 0) source = lane;
    bool there = r.arrived >> source & 1;
    if (!there && (r.mask >> source & 1))
        Report(nullptr, r.place, "shuffle from lane %d, which the mask %#x names, but which has ended or never was", source,
               r.mask)
            .advice(
                "the value is undefined: a block's last warp has fewer lanes if its size is no multiple of 32; name only lanes "
                "that are there");
    else if (!there && r.operation == CUDASIM_WARP_INDEX)
        Report(nullptr, r.place, "shuffle from lane %d, which does not take part (mask %#x)", source, r.mask)
            .advice("the value is undefined: name the source lane in the mask, and let it execute the call");
    /* the value of a lane that does not take part is undefined on a GPU: give something that shows */
    return there ? r.value[source] : 0xDEADBEEFDEADBEEFull;
}

static uint64_t match_result(const Rendezvous &r, int lane)
{
    unsigned same = 0;
    for (int l = 0; l < warp_size; l++)
        if ((r.arrived >> l & 1) && r.value[l] == r.value[lane]) same |= 1u << l;
    return r.operation == CUDASIM_WARP_MATCH_ANY || same == r.arrived ? same : 0;
}

static uint64_t reduction_result(const Rendezvous &r)
{
    bool     first  = true;
    uint32_t result = 0;
    for (int l = 0; l < warp_size; l++) {
        if (!(r.arrived >> l & 1)) continue;
        uint32_t v = (uint32_t)r.value[l];
        if (first) result = v;
        else switch (r.operation) {
            case CUDASIM_WARP_ADD: result += v; break;
            case CUDASIM_WARP_MIN_SIGNED: result = (uint32_t)std::min((int32_t)result, (int32_t)v); break;
            case CUDASIM_WARP_MAX_SIGNED: result = (uint32_t)std::max((int32_t)result, (int32_t)v); break;
            case CUDASIM_WARP_MIN_UNSIGNED: result = std::min(result, v); break;
            case CUDASIM_WARP_MAX_UNSIGNED: result = std::max(result, v); break;
            case CUDASIM_WARP_AND: result &= v; break;
            case CUDASIM_WARP_OR: result |= v; break;
            default: result ^= v; break;
            }
        first = false;
    }
    return result;
}

static uint64_t ballot_result(const Rendezvous &r)
{
    uint64_t lanes = 0;
    for (int l = 0; l < warp_size; l++)
        if ((r.arrived >> l & 1) && r.value[l]) lanes |= 1u << l;
    return lanes;
}

static void complete(Block *block, int warp, const Rendezvous &r)
{
    SimThread *lanes[warp_size];
    size_t     count  = 0;
    uint64_t   common = r.operation == CUDASIM_WARP_BALLOT ? ballot_result(r)
                        : r.operation >= CUDASIM_WARP_ADD  ? reduction_result(r)
                                                           : 0;
    for (int l = 0; l < warp_size; l++) {
        if (!(r.arrived >> l & 1)) continue;
        SimThread *t = &block->threads[warp * warp_size + l];
        if (r.operation >= CUDASIM_WARP_INDEX && r.operation <= CUDASIM_WARP_XOR) t->result = shuffle_result(r, l);
        else if (r.operation == CUDASIM_WARP_MATCH_ANY || r.operation == CUDASIM_WARP_MATCH_ALL) t->result = match_result(r, l);
        else t->result = common;
        lanes[count++] = t;
    }
    /* shuffles, votes, matches and reductions let the lanes meet, but do not order their memory accesses */
    if (instrumented && r.operation == CUDASIM_WARP_SYNC) checker_warp_sync(block, warp, r.arrived);
    make_ready(lanes, count);
}

static void try_rendezvous(Block *block, int warp)
{
    Warp &w = block->warps[warp];
    for (size_t i = 0; i < w.open.size();) {
        unsigned expected = w.open[i].mask & w.alive;
        if ((w.open[i].arrived & expected) != expected) {
            i++;
            continue;
        }
        complete(block, warp, w.open[i]);
        w.open[i] = w.open.back();
        w.open.pop_back();
    }
}

static Rendezvous &find_rendezvous(Warp &w, unsigned mask, int operation, int lane, Place place)
{
    for (Rendezvous &r : w.open) {
        if (r.mask == mask && !(r.arrived >> lane & 1)) {
            bool same = r.operation == operation && (r.place.line == place.line || operation == CUDASIM_WARP_SYNC);
            if (!same)
                Report(nullptr, place, "lanes of one warp meet in different warp primitives with the same mask %#x", mask)
                    .detail("other lanes wait at %s:%d", r.place.file, r.place.line)
                    .advice("all lanes named in the mask must execute the same call");
            return r;
        }
        if ((r.arrived & mask) && (r.mask >> lane & 1) && r.mask != mask)
            Report(nullptr, place, "lanes of one warp meet with different masks: %#x here, %#x at %s:%d", mask, r.mask,
                   r.place.file, r.place.line)
                .advice("all lanes that take part must pass the same mask");
    }
    w.open.emplace_back();
    Rendezvous &r = w.open.back();
    r.mask        = mask;
    r.arrived     = 0;
    r.operation   = operation;
    r.place       = place;
    return r;
}

/* ------------------------------------------------------------------ the life of a thread */

static void finish(SimThread *t)
{
    Block *block = t->block;
    int    warp  = t->index / warp_size;
    if (__builtin_expect(checker_holds_back, 0)) checker_flush();
    t->status = ThreadStatus::done;
    t->fiber  = nullptr;
    block->done++;
    threads_ended++;
    block->warps[warp].alive &= ~(1u << (t->index % warp_size));
    if (__builtin_expect(block->waiting != 0, 0)) try_block_barrier(block);
    if (__builtin_expect(!block->warps[warp].open.empty(), 0)) try_rendezvous(block, warp);
    if (__builtin_expect(grid_waiting != 0, 0)) try_grid_barrier();
}

/* Its arguments are bytes of the host's: what they own is not this thread's to destroy. */
static __attribute__((noinline)) void call_and_leave(SimThread *t)
{
    jmp_buf end;
    t->end = &end;
    if (!_setjmp(end)) kernel.launch->call(kernel.launch->arguments);
}

/* What a fiber does all its life: start threads until one that waited can go on. */
void run_fiber()
{
    for (;;) {
        while (SimThread *t = take_fresh()) {
            become(t);
            t->fiber      = current_fiber;
            interruptible = true;
            if (__builtin_expect(kernel.launch->leaves, 0)) call_and_leave(t);
            else kernel.launch->call(kernel.launch->arguments);
            interruptible = false;
            finish(current_thread);
            if (!ready->empty()) break;
        }
        park_fiber(current_fiber);
        schedule();
    }
}

/* ------------------------------------------------------------------ running blocks */

Block *make_block()
{
    Block *block  = new Block();
    block->shared = (char *)mmap(nullptr, shared_arena, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    block->dynamic =
        (char *)mmap(nullptr, shared_optin_limit + 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block->shared == MAP_FAILED || block->dynamic == MAP_FAILED) {
        perror("cudasim: no memory for a block's shared memory");
        exit(2);
    }
    return block;
}

static void set_coordinates(Block *block, dim3 size)
{
    unsigned x = 0, y = 0, z = 0;
    for (int i = 0; i < block->count; i++) {
        block->threads[i].index       = (uint16_t)i;
        block->threads[i].block       = block;
        block->threads[i].coordinates = uint3{ x, y, z };
        if (++x == size.x) x = 0, y++;
        if (y == size.y) y = 0, z++;
    }
}

void prepare_block(Block *block, uint64_t linear)
{
    dim3 g = kernel.launch->grid, b = kernel.launch->block;
    int  count    = (int)(b.x * b.y * b.z);
    block->index  = uint3{ (unsigned)(linear % g.x), (unsigned)(linear / g.x % g.y), (unsigned)(linear / g.x / g.y) };
    block->linear = (uint32_t)linear;
    block->count  = count;
    block->done = block->waiting           = 0;
    block->epoch                           = 0;
    block->reduction[CUDASIM_REDUCE_COUNT] = 0;
    block->reduction[CUDASIM_REDUCE_AND]   = 1;
    block->reduction[CUDASIM_REDUCE_OR]    = 0;
    if (block->shape_launch != kernel.number) set_coordinates(block, b);
    block->shape_launch = kernel.number;
    for (int i = 0; i < count; i++) {
        block->threads[i].status     = ThreadStatus::fresh;
        block->threads[i].place.file = nullptr;
        block->threads[i].code       = nullptr;
        block->threads[i].fenced = block->threads[i].device_fenced = false;
    }
    for (int w = 0; w * warp_size < count; w++) {
        int lanes             = std::min(warp_size, count - w * warp_size);
        block->warps[w].alive = lanes == warp_size ? ~0u : (1u << lanes) - 1;
        block->warps[w].open.clear();
    }
    ASAN_POISON_MEMORY_REGION(block->shared, shared_arena);
    block->variables.clear();
    block->shared_used = 0;
    size_t dynamic     = kernel.launch->shared_bytes;
    ASAN_POISON_MEMORY_REGION(block->dynamic, shared_optin_limit + 8192);
    ASAN_UNPOISON_MEMORY_REGION(block->dynamic, dynamic);
    if (dynamic) memset(block->dynamic, 0xCB, dynamic);
    if (instrumented) checker_start_block(block);
}

void set_thread_order(int count)
{
    for (int i = 0; i < count; i++) thread_order[i] = (uint16_t)(options.order == Order::reverse ? count - 1 - i : i);
    if (options.order == Order::random) shuffle(thread_order, (size_t)count);
}

/* Where the threads are that have started and not ended, by place. */
static void describe_threads(Report &report)
{
    std::map<std::pair<std::string, std::string>, std::pair<int, SimThread *>> groups;
    int                                                                        shown = 0;
    for (int b = 0; b < team_size; b++)
        for (int i = 0; i < team[b]->count; i++) {
            SimThread &t = team[b]->threads[i];
            if (t.status == ThreadStatus::done || t.status == ThreadStatus::fresh) continue;
            std::string place = t.code         ? source_position(t.code)
                                : t.place.file ? std::string(t.place.file) + ":" + std::to_string(t.place.line)
                                               : "";
            auto       &group = groups[{ t.kind, place }];
            if (!group.first++) group.second = &t;
        }
    for (auto &g : groups) {
        SimThread  &t    = *g.second.second;
        const char *what = t.status == ThreadStatus::warp ? "in the warp primitive" : "in";
        if (++shown <= 8)
            report.detail("%d thread(s), the first of them block %u thread %d, %s %s %s at %s", g.second.first, t.block->linear,
                          t.index, t.code ? "run" : "wait", what, t.kind, g.first.second.c_str());
    }
}

static int count_ended(int *total)
{
    int done = *total = 0;
    for (int b = 0; b < team_size; b++) done += team[b]->done, *total += team[b]->count;
    return done;
}

static void report_deadlock()
{
    SimThread *first = nullptr;
    for (int b = 0; b < team_size && !first; b++)
        for (int i = 0; i < team[b]->count && !first; i++)
            if (team[b]->threads[i].status != ThreadStatus::done) first = &team[b]->threads[i];
    current_thread = first;
    current_block  = first->block;
    int    total, done = count_ended(&total);
    Report r(nullptr, first->place, "deadlock: %d of %d threads finished, the others wait for each other", done, total);
    describe_threads(r);
    r.advice("every thread named in a barrier or mask must reach it; on a GPU this kernel hangs");
}

static void report_endless_loop()
{
    {
        int    total, done = count_ended(&total);
        Report r(current_thread->code, current_thread->place, "endless loop: for %g s no thread of the kernel ended",
                 options.timeout);
        r.detail("%d of %d threads have ended", done, total);
        describe_threads(r);
        r.advice("the loop's condition never becomes false, or it waits for a thread that cannot run or has ended "
                 "(CUDASIM_TIMEOUT=seconds changes the limit)");
    }
    yielded->clear();
    kill_kernel(cudaErrorLaunchTimeout);
}

static void drop_unfinished()
{
    for (int b = 0; b < team_size; b++)
        for (int i = 0; i < team[b]->count; i++) {
            SimThread &t = team[b]->threads[i];
            if (t.status != ThreadStatus::done && t.status != ThreadStatus::fresh && t.fiber) abandon_fiber(t.fiber);
            t.fiber = nullptr;
        }
    ready->clear();
    yielded->clear();
    converging->clear();
    grid_waiting = 0;
}

bool run_blocks(Block *const *blocks, int count)
{
    team              = blocks;
    team_size         = count;
    threads_per_block = blocks[0]->count;
    next_fresh        = 0;
    fresh_count       = (size_t)count * (size_t)threads_per_block;
    current_block     = nullptr;
    current_thread    = nullptr;
    spin_rounds       = 0;
    interrupted       = false;
    switch_to(take_fiber()); /* comes back when nothing can run any more */
    interruptible = false;   /* the thread may have been killed */
    if (kernel.fault == cudaSuccess) {
        int done = 0;
        for (int b = 0; b < team_size; b++) done += team[b]->done;
        if (done == team_size * threads_per_block) return true;
        report_deadlock();
        kernel.fault = cudaErrorLaunchTimeout;
    }
    next_fresh = fresh_count;
    drop_unfinished();
    return false;
}

} // namespace cudasim

/* ------------------------------------------------------------------ what device code calls */

using namespace cudasim;

static void require_kernel(const char *what, const char *file, int line)
{
    if (self.in_kernel) return;
    fprintf(stderr, "cudasim: %s at %s:%d was called outside a kernel\n", what, file, line);
    abort();
}

extern "C" {

void cudasim_block_barrier(const char *kind, const char *file, int line)
{
    require_kernel(kind, file, line);
    InRuntime inside;
    if (skip_barrier(kind, file, line)) return;
    wait_in(ThreadStatus::block_barrier, kind, file, line);
    Block *block = current_block;
    block->waiting++;
    try_block_barrier(block);
    schedule();
}

int cudasim_block_reduce(int predicate, int operation, const char *file, int line)
{
    static const char *const names[] = { "__syncthreads_count", "__syncthreads_and", "__syncthreads_or" };
    require_kernel(names[operation], file, line);
    InRuntime inside;
    Block    *block = current_block;
    int      &value = block->reduction[operation];
    if (operation == CUDASIM_REDUCE_COUNT) value += predicate != 0;
    if (operation == CUDASIM_REDUCE_AND) value &= predicate != 0;
    if (operation == CUDASIM_REDUCE_OR) value |= predicate != 0;
    cudasim_block_barrier(names[operation], file, line);
    return block->reduced[operation];
}

int cudasim_grid_is_cooperative(void) { return kernel.launch && kernel.launch->cooperative; }

void cudasim_grid_barrier(const char *file, int line)
{
    require_kernel("grid.sync", file, line);
    InRuntime inside;
    if (!cudasim_grid_is_cooperative()) {
        Report(nullptr, Place{ file, line }, "grid.sync() in a kernel that was not launched with cudaLaunchCooperativeKernel")
            .advice("only a cooperative launch guarantees that all blocks run at the same time");
        kill_kernel(cudaErrorLaunchFailure);
    }
    if (skip_barrier("grid.sync", file, line)) return;
    wait_in(ThreadStatus::grid_barrier, "grid.sync", file, line);
    grid_waiting++;
    try_grid_barrier();
    schedule();
}

uint64_t cudasim_warp(int operation, unsigned mask, uint64_t value, int argument, int width, const char *file, int line)
{
    require_kernel("a warp primitive", file, line);
    InRuntime  inside;
    SimThread *t    = current_thread;
    Block     *b    = current_block;
    int        warp = t->index / warp_size, lane = t->index % warp_size;
    if (operation == CUDASIM_WARP_SYNC && skip_barrier("__syncwarp", file, line)) return 0;
    if (!(mask >> lane & 1)) {
        Report(nullptr, Place{ file, line }, "warp primitive: the calling lane %d is not in its own mask %#x", lane, mask)
            .advice("the mask must name every lane that executes the call");
        return operation >= CUDASIM_WARP_INDEX && operation <= CUDASIM_WARP_XOR ? value : 0;
    }
    if (width <= 0 || width > warp_size || (width & (width - 1))) {
        Report(nullptr, Place{ file, line }, "shuffle width %d is not a power of two up to 32", width);
        width = warp_size;
    }
    wait_in(ThreadStatus::warp, "", file, line);
    Rendezvous &r = find_rendezvous(b->warps[warp], mask, operation, lane, t->place);
    r.arrived |= 1u << lane;
    r.value[lane]    = value;
    r.argument[lane] = argument;
    r.width[lane]    = width;
    try_rendezvous(b, warp);
    schedule();
    return t->result;
}

unsigned cudasim_converge(const char *file, int line)
{
    require_kernel("__activemask", file, line);
    InRuntime  inside;
    SimThread *t = current_thread;
    wait_in(ThreadStatus::converging, "__activemask", file, line);
    converging->push_back(t);
    schedule();
    return (unsigned)t->result;
}

void cudasim_end_thread(void)
{
    interruptible = false;
    _longjmp(*current_thread->end, 1);
}

unsigned cudasim_thread_linear(void) { return current_thread ? current_thread->index : 0; }

void cudasim_yield(void)
{
    if (!self.in_kernel) return;
    InRuntime inside;
    yield_thread(CALLER, false);
}

long long cudasim_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (long long)t.tv_sec * 1000000000ll + t.tv_nsec;
}

unsigned long long cudasim_globaltimer(void) { return (unsigned long long)cudasim_clock(); }

void cudasim_fence(int scope)
{
    InRuntime inside;
    if (instrumented && self.in_kernel) checker_fence(scope != CUDASIM_SCOPE_BLOCK);
}

/* Compilers that know the attribute `error` refuse the call when they build. */
void cudasim_inline_assembly()
{
    Report(CALLER, Place{}, "inline assembly (PTX) in device code cannot run on a CPU");
    if (!self.in_kernel) exit(99);
    InRuntime inside;
    kill_kernel(cudaErrorInvalidPtx);
}

void cudasim_trap(const char *file, int line)
{
    require_kernel("__trap", file, line);
    InRuntime inside;
    Report(nullptr, Place{ file, line }, "__trap() in device code");
    kill_kernel(cudaErrorLaunchFailure);
}
}
