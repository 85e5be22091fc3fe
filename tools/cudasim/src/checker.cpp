/* The checker: the call-backs of code compiled with -fsanitize=thread.
 *
 * Every byte of the arena and of shared memory has a state (unallocated, allocated, written, freed).  Every 4-byte granule has
 * the last write and the last two reads by different threads.  An access conflicts with a recorded one if nothing orders them:
 *   same thread                               program order
 *   same block                                a block barrier between them (epoch)
 *   same warp                                 a warp synchronisation of both lanes (lane clocks)
 *   different blocks of one kernel            only __threadfence() and an atomic on one side, an atomic on the other
 *   different kernels, copies, host accesses  stream order, events, synchronisation (vector clocks of stream.cpp)
 *
 * Bytes that nothing wrote: an access is reported if an aligned 8-byte word of it (or all of a smaller access) is unwritten.
 * So assigning structures whose padding was never written is accepted. */
#include "internal.h"

extern "C" {
extern char __start_cudasim_shared[] __attribute__((weak, visibility("hidden")));
extern char __stop_cudasim_shared[] __attribute__((weak, visibility("hidden")));
}

namespace cudasim {

enum State : uint8_t { unallocated = 0, unwritten = 1, written = 2, freed_bytes = 3 };
enum Kind : unsigned { kind_read = 0, kind_write = 1, kind_atomic = 2, kind_api = 3 };
enum Access : unsigned { reads = 0, writes = 1, atomically = 2, unaligned = 4 };

/* One recorded access to a granule; 16 bytes. */
struct Record {
    uint32_t        op; /* 0: none.  In shared memory: the number of the block's run */
    uint32_t        block;
    uint16_t        epoch, clock;
    uint16_t        site; /* index into the table of code addresses */
    uint16_t        who;  /* thread in the block, byte mask, kind */
    unsigned        thread() const { return who & 1023; }
    unsigned        mask() const { return who >> 10 & 15; }
    unsigned        kind() const { return who >> 14; }
    static uint16_t pack(unsigned thread, unsigned mask, unsigned kind) { return (uint16_t)(thread | mask << 10 | kind << 14); }
};

/* What the records of 256 bytes say together: most memory is allocated, written and freed without a conflict, and its records, twelve
 * times as large, need not be made for that.  Allocations begin and end between such units (memory.cpp). */
struct Unit {
    uint32_t owner; /* the operation that allocated the memory for its stream: the write to each granule without another */
    uint16_t site;  /* and where that was */
    bool     written, read; /* some granule has a record of a write, of a read */
};
constexpr size_t unit_bytes = 256;

/* The records of a stretch of memory. */
struct Records {
    Record *write = nullptr, *read = nullptr; /* two reads per granule */
    Unit   *units = nullptr;
};

struct SharedRecords {
    uint8_t *state; /* of the static arena, then of dynamic memory */
    Records  records;
    uint32_t run           = 0;
    size_t   dynamic_bytes = 0;
};

constexpr size_t ownership_limit = (size_t)64 << 20; /* as much of an allocation is looked at when it changes hands */

static uint8_t *arena_state;
static Records  arena_records, data_records;

/* ------------------------------------------------------------------ tables */

static void *map_zeroed(size_t size)
{
    void *p = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) {
        fprintf(stderr, "cudasim: no address space for the checker's tables (%zu MiB); lower CUDASIM_MEMORY\n", size >> 20);
        exit(2);
    }
    return p;
}

static Records make_records(size_t bytes)
{
    size_t  granules = bytes / 4 + 8;
    Records r;
    r.write = (Record *)map_zeroed(granules * sizeof(Record));
    r.read  = (Record *)map_zeroed(granules * 2 * sizeof(Record));
    r.units = (Unit *)map_zeroed((bytes / unit_bytes + 2) * sizeof(Unit));
    return r;
}

void checker_start()
{
    if (arena_state) return;
    arena_state   = (uint8_t *)map_zeroed(arena_size);
    arena_records = make_records(arena_size);
    data_records  = make_records(program_data_size());
}

static SharedRecords *records_of(Block *block)
{
    if (!block->records) {
        size_t bytes            = shared_arena + shared_optin_limit + 8192;
        block->records          = new SharedRecords;
        block->records->state   = (uint8_t *)map_zeroed(bytes);
        block->records->records = make_records(bytes);
    }
    return block->records;
}

/* Code addresses take 16 bits in a record: an open hash table whose slots are the indices. */
static void *sites[65536];

static uint16_t site_index(void *code)
{
    static size_t used = 0;
    if (!code) return 0;
    size_t slot = (size_t)(((uintptr_t)code * 0x9e3779b97f4a7c15ull) >> 48);
    while (sites[slot] != code) {
        if (!sites[slot] && slot) {
            if (used > 50000) return 0;
            used++;
            sites[slot] = code;
            break;
        }
        slot = (slot + 1) & 65535;
    }
    return (uint16_t)slot;
}

static void zero_records(Record *from, size_t count)
{
    constexpr size_t page  = 4096;
    char            *begin = (char *)from, *end = (char *)(from + count);
    char            *inner = (char *)(((uintptr_t)begin + page - 1) / page * page);
    char            *outer = (char *)((uintptr_t)end / page * page);
    if (outer <= inner) {
        memset(begin, 0, (size_t)(end - begin));
        return;
    }
    memset(begin, 0, (size_t)(inner - begin));
    madvise(inner, (size_t)(outer - inner), MADV_DONTNEED);
    memset(outer, 0, (size_t)(end - outer));
}

/* The memory of the records is given back. */
static void forget_records(const Allocation &a)
{
    size_t offset = (size_t)(a.base - arena), granules = a.own / 4;
    bool   any_written = false, any_read = false;
    for (size_t u = offset / unit_bytes, end = (offset + a.own) / unit_bytes; u < end; u++) {
        Unit &unit = arena_records.units[u];
        any_written |= unit.written;
        any_read |= unit.read;
        if (unit.owner || unit.written || unit.read) unit = Unit{};
    }
    if (any_written) zero_records(arena_records.write + offset / 4, granules);
    if (any_read) zero_records(arena_records.read + offset / 4 * 2, granules * 2);
}

void checker_allocated(const Allocation &a, bool initialised)
{
    size_t offset = (size_t)(a.base - arena);
    memset(arena_state + offset, unallocated, a.own);
    memset(arena_state + offset, initialised ? written : unwritten, a.size);
    forget_records(a);
}

void checker_freed(const Allocation &a)
{
    memset(arena_state + (a.base - arena), freed_bytes, a.size);
    forget_records(a);
}

void checker_forgotten(const Allocation &a) { memset(arena_state + (a.base - arena), unallocated, a.size); }

/* ------------------------------------------------------------------ release and acquire */

/* A fence and then an atomic publishes what a thread did before; a later atomic on the same address in another thread receives
 * it.  This is how locks, flags and "the last block sums up" work.  __syncthreads() spreads both to the whole block: what its
 * threads did before it is published with the next release, and what one of them received is known to all after it.
 * The log of an address keeps the first release of each thread, and one per barrier epoch of each block; a release also covers
 * what its thread does later, so a few races may be missed, but none is invented. */
struct Released {
    uint16_t epoch;
    bool     device_wide; /* by __threadfence(), not only __threadfence_block() */
    uint32_t number;
};
struct ReleaseLog {
    std::unordered_map<uint64_t, Released>              by_thread;
    std::unordered_map<uint32_t, std::vector<Released>> by_block;
    uint32_t                                            count = 0;
};
struct Acquired {
    ReleaseLog *log;
    uint32_t    count;
};
using Acquisitions = std::unordered_map<uint64_t, std::vector<Acquired>>;

static Immortal<std::unordered_map<const void *, ReleaseLog>> release_logs;
static Immortal<Acquisitions>                                 acquired_by_thread, acquired_by_block;
static uint32_t                                               log_op;

static uint64_t thread_key(uint32_t block, unsigned thread) { return (uint64_t)block << 10 | thread; }

static void start_logs()
{
    if (log_op == running.id) return;
    log_op = running.id;
    release_logs->clear();
    acquired_by_thread->clear();
    acquired_by_block->clear();
}

static void note_acquired(std::vector<Acquired> &list, Acquired news)
{
    for (Acquired &a : list)
        if (a.log == news.log) {
            a.count = std::max(a.count, news.count);
            return;
        }
    list.push_back(news);
}

static void acquire_from(const void *pointer)
{
    start_logs();
    auto it = release_logs->find(pointer);
    if (it != release_logs->end())
        note_acquired((*acquired_by_thread)[thread_key(current_block->linear, current_thread->index)],
                      { &it->second, it->second.count });
}

static void release_to(const void *pointer, bool device_wide)
{
    start_logs();
    ReleaseLog &log      = (*release_logs)[pointer];
    Released    released = { current_block->epoch, device_wide, log.count++ };
    Released   &first = log.by_thread.emplace(thread_key(current_block->linear, current_thread->index), released).first->second;
    if (device_wide && !first.device_wide) first = released;
    std::vector<Released> &block = log.by_block[current_block->linear];
    if (block.empty() || block.back().epoch != released.epoch || (device_wide && !block.back().device_wide))
        block.push_back(released);
}

void checker_fence(bool device_wide)
{
    current_thread->fenced = true;
    if (device_wide) current_thread->device_fenced = true;
}

/* After a block barrier every thread knows what any of them had received. */
void checker_block_barrier(Block *block)
{
    if (log_op != running.id || acquired_by_thread->empty()) return;
    std::vector<Acquired> &common = (*acquired_by_block)[block->linear];
    for (int i = 0; i < block->count; i++) {
        auto it = acquired_by_thread->find(thread_key(block->linear, (unsigned)i));
        if (it == acquired_by_thread->end()) continue;
        for (const Acquired &a : it->second) note_acquired(common, a);
        acquired_by_thread->erase(it);
    }
}

static bool covers(const Released &released, const Record &r, uint32_t count)
{
    return released.number < count && (released.device_wide || r.block == current_block->linear);
}

static bool found_in(const std::vector<Acquired> &list, const Record &r)
{
    for (const Acquired &a : list) {
        auto thread = a.log->by_thread.find(thread_key(r.block, r.thread()));
        if (thread != a.log->by_thread.end() && covers(thread->second, r, a.count)) return true;
        auto block = a.log->by_block.find(r.block);
        if (block == a.log->by_block.end()) continue;
        for (const Released &released : block->second) /* an earlier epoch than the release: a barrier lies between */
            if (covers(released, r, a.count) && (uint16_t)(released.epoch - r.epoch - 1) < 32768u) return true;
    }
    return false;
}

static bool released_to_us(const Record &r)
{
    if (log_op != running.id) return false;
    auto mine = acquired_by_thread->find(thread_key(current_block->linear, current_thread->index));
    if (mine != acquired_by_thread->end() && found_in(mine->second, r)) return true;
    auto ours = acquired_by_block->find(current_block->linear);
    return ours != acquired_by_block->end() && found_in(ours->second, r);
}

/* ------------------------------------------------------------------ order of two accesses */

static bool ordered_in_block(const Record &r)
{
    unsigned mine = current_thread->index, theirs = r.thread();
    if (mine == theirs || r.epoch != current_block->epoch) return true;
    if (mine / warp_size != theirs / warp_size) return false;
    return r.clock < current_block->warps[mine / warp_size].known[mine % warp_size][theirs % warp_size];
}

static bool ordered_global(const Record &r)
{
    if (r.op != running.id) return ordered_before_running(r.op);
    if (!current_thread) return true; /* a copy overlapping itself */
    return (r.block == current_block->linear && ordered_in_block(r)) || released_to_us(r);
}

static bool ordered_shared(const Record &r)
{
    return r.op != current_block->records->run || ordered_in_block(r) || released_to_us(r);
}

/* ------------------------------------------------------------------ race reports */

static const char *verb(unsigned kind, bool write)
{
    return kind == kind_atomic ? "an atomic access" : write ? "a write" : "a read";
}

static void describe_other(Report &report, const Record &r, bool write, bool global)
{
    OpInfo *op       = global ? find_op(r.op) : nullptr;
    char    who[512] = "";
    if (op && op->kind == OpKind::host_access) snprintf(who, sizeof who, "by host code");
    else if (op && op->kind != OpKind::kernel) snprintf(who, sizeof who, "by %s in %s", op->name, op->stream.c_str());
    else if (op && r.op != running.id)
        snprintf(who, sizeof who, "by kernel %s launched at %s:%d in %s, block %u thread %u", op->name,
                 op->place.file ? op->place.file : "?", op->place.line, op->stream.c_str(), r.block, r.thread());
    else snprintf(who, sizeof who, "by block %u thread %u of the same kernel", r.block, r.thread());
    report.detail("conflicts with %s %s", verb(r.kind(), write), who);
    report.at("which was at", sites[r.site]);
}

static const char *race_advice(const Record &r, bool global)
{
    if (global && r.op != running.id) {
        OpInfo *op = find_op(r.op);
        if (op && op->kind == OpKind::host_access)
            return "the host changed or read this memory while the work could already run: synchronise the stream first";
        return "nothing orders the two: use one stream, cudaStreamWaitEvent, or cudaStreamSynchronize";
    }
    if (global && r.block != current_block->linear)
        return "blocks run in any order: use atomics, or split the work into two kernels";
    if (r.thread() / warp_size == current_thread->index / warp_size)
        return "both are in one warp, whose lanes do not run in step: put __syncwarp() or __syncthreads() between them";
    return "put __syncthreads() between them";
}

static void report_race(void *code, const void *p, size_t n, bool write, bool atomic, const Record &r, bool other_wrote,
                        bool global)
{
    const char *what = atomic ? "atomic access" : write ? "write" : "read";
    Report      report(code, Place{}, "data race in %s memory: %zu-byte %s at %p", global ? "global" : "shared", n, what, p);
    OpInfo     *me = find_op(running.id);
    if (!current_thread && me) report.detail("by %s in %s", me->name, me->stream.c_str());
    describe_other(report, r, other_wrote, global);
    if (global && in_arena(p)) report.allocation(p);
    report.advice(race_advice(r, global));
}

/* ------------------------------------------------------------------ reads before a compare-and-swap */

/* `old = *p; do { seen = old; old = atomicCAS(p, seen, f(seen)); } while (old != seen);` reads plainly what others change
 * atomically, and that is fine: a stale value only costs a round.  So a plain read that conflicts with an atomic is held back
 * until its thread waits or ends; an atomicCAS on the same address drops it. */
struct HeldBack {
    void       *code;
    const void *pointer;
    size_t      size;
    Record      other;
    bool        global;
};
static Immortal<std::vector<HeldBack>> held_back;
bool                                   checker_holds_back = false;

void checker_flush()
{
    std::vector<HeldBack> list;
    list.swap(*held_back);
    checker_holds_back = false;
    for (const HeldBack &h : list) report_race(h.code, h.pointer, h.size, false, false, h.other, true, h.global);
}

static void hold_back(const HeldBack &finding)
{
    InRuntime inside;
    if (held_back->size() < 64) held_back->push_back(finding);
    checker_holds_back = true;
}

static void drop_held_back(const void *pointer)
{
    for (size_t i = held_back->size(); i-- > 0;)
        if ((*held_back)[i].pointer == pointer) held_back->erase(held_back->begin() + (long)i);
}

/* The thread's own plain reads of the address count as part of its compare-and-swap from now on. */
static void forget_own_reads(const Records &table, size_t offset, size_t n)
{
    for (size_t i = 2 * (offset >> 2), end = 2 * ((offset + n - 1) >> 2) + 2; i < end; i++) {
        Record &r = table.read[i];
        if (r.op && r.block == current_block->linear && r.thread() == current_thread->index) r.op = 0;
    }
}

/* ------------------------------------------------------------------ granules */

/* Which bytes of its granules an access touches: all but those before the first and behind the last. */
struct Bytes {
    size_t   first, last; /* granules */
    unsigned of_first, of_last;
    Bytes(size_t offset, size_t n)
        : first(offset >> 2), last((offset + n - 1) >> 2), of_first(15u << (offset & 3) & 15),
          of_last(15u >> (3 - ((offset + n - 1) & 3)))
    {
    }
    unsigned mask(size_t granule) const { return (granule == first ? of_first : 15u) & (granule == last ? of_last : 15u); }
};

static inline bool conflicts(const Record &r, unsigned mask, bool atomic, bool global)
{
    if (!r.op || !(r.mask() & mask) || (atomic && r.kind() == kind_atomic)) return false;
    return global ? !ordered_global(r) : !ordered_shared(r);
}

/* The memory belongs to a stream that nothing orders with what runs. */
static bool foreign_owner(const Unit &unit) { return unit.owner && !ordered_before_running(unit.owner); }

static void report_owner(void *code, const void *p, size_t n, unsigned flags, Unit &unit)
{
    Record allocated{ unit.owner, ~0u, 0, 0, unit.site, Record::pack(0, 15, kind_api) };
    report_race(code, p, n, flags & writes, flags & atomically, allocated, true, true);
    unit.owner = 0;
}

/* Compares an access with what is recorded, then records it.  False if they conflict. */
static bool check_granules(void *code, const void *p, size_t n, unsigned flags, const Records &table, size_t offset,
                           bool global)
{
    bool   write = flags & writes, atomic = flags & atomically;
    Record mine;
    mine.op            = global ? running.id : current_block->records->run;
    mine.block         = current_thread ? current_block->linear : ~0u;
    mine.epoch         = current_thread ? current_block->epoch : 0;
    mine.clock         = current_thread ? current_thread->clock : 0;
    mine.site          = site_index(code);
    unsigned    thread = current_thread ? current_thread->index : 0;
    unsigned    kind   = !current_thread ? kind_api : atomic ? kind_atomic : write ? kind_write : kind_read;
    const Bytes bytes(offset, n);
    for (size_t g = bytes.first; g <= bytes.last; g++) {
        unsigned mask = bytes.mask(g);
        Unit    &unit = table.units[g / (unit_bytes / 4)];
        Record  &w = table.write[g], *r = &table.read[2 * g];
        if (!w.op && __builtin_expect(foreign_owner(unit), 0)) {
            report_owner(code, p, n, flags, unit);
            return false;
        }
        if (conflicts(w, mask, atomic, global)) {
            if (!write && current_thread && w.kind() == kind_atomic) {
                hold_back({ code, p, n, w, global });
                return true;
            }
            report_race(code, p, n, write, atomic, w, true, global);
            w.op = 0;
            return false;
        }
        for (int i = 0; write && unit.read && i < 2; i++)
            if (conflicts(r[i], mask, atomic, global)) {
                report_race(code, p, n, write, atomic, r[i], false, global);
                r[i].op = 0;
                return false;
            }
        mine.who = Record::pack(thread, mask, kind);
        if (write) {
            bool same = w.op == mine.op && w.block == mine.block && w.epoch == mine.epoch && w.thread() == thread &&
                        w.kind() == kind && w.clock == mine.clock;
            if (same) mine.who = (uint16_t)(mine.who | (w.who & (15u << 10)));
            /* a thread's own atomic does not hide its plain write from the others */
            bool hidden = atomic && w.kind() == kind_write && w.op == mine.op && w.block == mine.block &&
                          w.thread() == thread && w.epoch == mine.epoch && w.clock == mine.clock;
            if (!hidden) w = mine;
            unit.written = true;
        } else {
            bool same = r[0].op == mine.op && r[0].block == mine.block && r[0].thread() == thread;
            if (same && r[0].epoch == mine.epoch && r[0].clock == mine.clock)
                mine.who = (uint16_t)(mine.who | (r[0].who & (15u << 10)));
            else if (!same) r[1] = r[0];
            r[0]      = mine;
            unit.read = true;
        }
    }
    return true;
}

/* ------------------------------------------------------------------ states */

/* The first aligned word of the access that has no written byte; n if there is none. */
static size_t first_unwritten(const uint8_t *state, uintptr_t address, size_t n)
{
    for (size_t i = 0; i < n;) {
        size_t end = std::min(n, i + 8 - ((address + i) & 7)), j = i;
        while (j < end && state[j] != written) j++;
        if (j == end) return i;
        i = end;
    }
    return n;
}

static const char *access_name(unsigned flags)
{
    return flags & atomically ? "atomic access" : flags & writes ? "write" : "read";
}

static void check_alignment(void *code, const void *p, size_t n, unsigned flags)
{
    if ((flags & unaligned) || n > 16 || (n & (n - 1)) || !((uintptr_t)p & (n - 1))) return;
    Report(code, Place{}, "misaligned %zu-byte %s at %p", n, access_name(flags), p)
        .advice("the address of a vector access must be a multiple of its size");
}

static void report_bad_address(void *code, const char *p, size_t n, unsigned flags, uint8_t state)
{
    Report(code, Place{}, "%zu-byte %s of %s memory at %p", n, access_name(flags),
           state == freed_bytes ? "freed" : "unallocated", (const void *)p)
        .allocation(p)
        .advice(state == freed_bytes ? "the memory was freed before this access" : "check the index against the size");
}

/* Most accesses are to what is written. */
static bool all_written(const uint8_t *state, size_t n)
{
    constexpr uint64_t eight = 0x0101010101010101ull * written;
    uint64_t           bytes = eight, more = eight;
    if (n == 1) return *state == written;
    if (n == 2) memcpy(&bytes, state, 2);
    else if (n == 4) memcpy(&bytes, state, 4);
    else if (n == 8) memcpy(&bytes, state, 8);
    else if (n == 16) {
        memcpy(&bytes, state, 8);
        memcpy(&more, state + 8, 8);
    } else return false;
    return bytes == eight && more == eight;
}

/* False: the access was reported and must not be recorded. */
static bool check_arena_state(void *code, const char *p, size_t n, unsigned flags)
{
    uint8_t *state = arena_state + (p - arena);
    if (all_written(state, n)) return true;
    for (size_t i = 0; i < n; i++)
        if (state[i] == unallocated || state[i] == freed_bytes) {
            report_bad_address(code, p + i, n, flags, state[i]);
            return false;
        }
    if (!(flags & writes) || (flags & atomically)) {
        size_t at = first_unwritten(state, (uintptr_t)p, n);
        if (at < n)
            Report(code, Place{}, "%zu-byte %s of memory that nothing wrote", n, access_name(flags))
                .allocation(p + at)
                .advice("fresh device memory holds garbage: write or cudaMemset it first");
        if (at < n) memset(state, written, n);
    }
    if (flags & writes) memset(state, written, n);
    return true;
}

/* ------------------------------------------------------------------ accesses of device code */

static void global_access(void *code, const char *p, size_t n, unsigned flags)
{
    if ((size_t)(p - arena) - (size_t)kernel.device * arena_part >= arena_part && space_of(p) == Space::device &&
        !(reachable_devices(kernel.device) >> device_of(p) & 1)) {
        Report(code, Place{}, "device %d touched memory of device %d without peer access", kernel.device, device_of(p))
            .allocation(p)
            .advice("call cudaDeviceEnablePeerAccess first, or copy with cudaMemcpyPeer");
        kill_kernel(cudaErrorIllegalAddress);
    }
    check_alignment(code, p, n, flags);
    if (check_arena_state(code, p, n, flags)) check_granules(code, p, n, flags, arena_records, (size_t)(p - arena), true);
    else if (!is_mapped(p)) kill_kernel(cudaErrorIllegalAddress);
}

static void report_shared_bounds(void *code, size_t offset, size_t n, unsigned flags)
{
    const SharedVariable *nearest = nullptr;
    for (const SharedVariable &v : current_block->variables)
        if (!nearest || v.offset <= offset) nearest = &v;
    Report report(code, Place{}, "%zu-byte %s outside a __shared__ variable", n, access_name(flags));
    if (nearest)
        report.detail("byte %ld of the %zu bytes declared at %s:%d", (long)offset - (long)nearest->offset, nearest->size,
                      nearest->place.file, nearest->place.line);
    report.advice("check the index against the size of the array");
}

static void shared_access(void *code, const char *p, size_t n, unsigned flags, size_t offset)
{
    SharedRecords *records = current_block->records;
    uint8_t       *state   = records->state + offset;
    check_alignment(code, p, n, flags);
    if (all_written(state, n)) {
        check_granules(code, p, n, flags, records->records, offset, false);
        return;
    }
    for (size_t i = 0; i < n; i++)
        if (state[i] == unallocated) {
            if (offset < shared_arena) report_shared_bounds(code, offset, n, flags);
            else
                Report(code, Place{}, "%zu-byte %s at byte %zu of dynamic shared memory, but the launch asked for %zu bytes", n,
                       access_name(flags), offset - shared_arena, cudasim_context.dynamic_shared_bytes)
                    .advice("the third launch parameter is the size in bytes");
            return;
        }
    if ((!(flags & writes) || (flags & atomically)) && first_unwritten(state, (uintptr_t)p, n) < n)
        Report(code, Place{}, "%zu-byte %s of shared memory that no thread of this block wrote", n, access_name(flags))
            .advice("shared memory is not initialised: let the threads fill all of it first");
    memset(state, written, n);
    check_granules(code, p, n, flags, records->records, offset, false);
}

bool has_file_shared() { return &__start_cudasim_shared[0] < &__stop_cudasim_shared[0]; }

/* __shared__ variables at file scope: one copy for all blocks, which run in turn; only races are checked. */
static bool is_file_shared(const char *p)
{
    return __start_cudasim_shared && p >= __start_cudasim_shared && p < __stop_cudasim_shared;
}

static void file_shared_access(void *code, const char *p, size_t n, unsigned flags)
{
    check_granules(code, p, n, flags, data_records, program_data_offset(p), false);
}

static void foreign_access(void *code, const char *p, size_t n, unsigned flags)
{
    InRuntime inside;
    if ((uintptr_t)p < 4096) {
        Report(code, Place{}, "device code %s through a null pointer (%p)", flags & writes ? "writes" : "reads",
               (const void *)p);
        kill_kernel(cudaErrorIllegalAddress);
    }
    if (is_other_fiber_stack(p)) {
        Report(code, Place{}, "%zu-byte %s of another thread's local variable at %p", n, access_name(flags), (const void *)p)
            .advice("local variables belong to one thread: share through __shared__ memory or a shuffle");
        return;
    }
    /* the kernel pointer itself is read where the host keeps it */
    if (!(flags & writes) && n == sizeof(void *) && is_launch_glue(code)) return;
    Report(code, Place{}, "device code %s host memory at %p (%zu bytes)", flags & writes ? "writes" : "reads", (const void *)p,
           n)
        .advice("on a GPU this is an illegal address: copy to memory from cudaMalloc, or use cudaMallocManaged");
}

static void device_access(void *code, const char *p, size_t n, unsigned flags)
{
    if (__builtin_expect(give_way_asked, 0)) give_way(code);
    if (on_fiber_stack(current_fiber, p)) return;
    if ((size_t)(p - (const char *)&cudasim_context) < sizeof cudasim_context) return;
    if (in_arena(p)) return global_access(code, p, n, flags);
    Block *b = current_block;
    if ((size_t)(p - b->shared) < shared_arena) return shared_access(code, p, n, flags, (size_t)(p - b->shared));
    if ((size_t)(p - b->dynamic) < shared_optin_limit + 8192)
        return shared_access(code, p, n, flags, shared_arena + (size_t)(p - b->dynamic));
    if ((size_t)(p - (const char *)kernel.launch->arguments) < kernel.launch->arguments_size) return;
    if (is_file_shared(p)) return file_shared_access(code, p, n, flags);
    if (is_program_data(p)) {
        check_granules(code, p, n, flags, data_records, program_data_offset(p), true);
        return;
    }
    if (is_program_image(p) || is_registered_host(p)) return;
    foreign_access(code, p, n, flags);
}

/* ------------------------------------------------------------------ accesses of host code */

static void host_conflict(void *code, const char *p, size_t n, bool write, const Record &r, bool other_wrote)
{
    Report report(code, Place{}, "host code %s %s memory that pending work may still %s", write ? "writes" : "reads",
                  space_of(p) == Space::managed ? "managed" : "pinned", other_wrote ? "write" : "read");
    (void)n;
    describe_other(report, r, other_wrote, true);
    report.allocation(p).advice(
        "wait for the work first: cudaStreamSynchronize, cudaEventSynchronize or cudaDeviceSynchronize");
}

static void record_host_access(void *code, const char *p, size_t n, bool write)
{
    const Bytes bytes((size_t)(p - arena), n);
    for (size_t g = bytes.first; g <= bytes.last; g++) {
        unsigned mask = bytes.mask(g);
        Unit    &unit = arena_records.units[g / (unit_bytes / 4)];
        Record  &w = arena_records.write[g], *r = &arena_records.read[2 * g];
        if (w.op && (w.mask() & mask) && !ordered_before_host(w.op)) {
            host_conflict(code, p, n, write, w, true);
            w.op = 0;
            return;
        }
        for (int i = 0; write && unit.read && i < 2; i++)
            if (r[i].op && (r[i].mask() & mask) && !ordered_before_host(r[i].op)) {
                host_conflict(code, p, n, write, r[i], false);
                r[i].op = 0;
                return;
            }
        Record mine{ host_access_id(), ~0u, 0, 0, site_index(code), Record::pack(0, mask, kind_api) };
        (write ? unit.written : unit.read) = true;
        if (write) w = mine;
        else {
            if (r[0].op != mine.op) r[1] = r[0];
            r[0] = mine;
        }
    }
}

/* Memory that is being freed must not be in use by work that the host has not waited for. */
void checker_host_free(const Allocation &a, void *caller)
{
    size_t first = (size_t)(a.base - arena) / 4, last = first + (std::min(a.size, ownership_limit) + 3) / 4;
    for (size_t g = first; g < last; g++) {
        const Record *r[] = { &arena_records.write[g], &arena_records.read[2 * g], &arena_records.read[2 * g + 1] };
        for (int i = 0; i < 3; i++) {
            if (!r[i]->op || ordered_before_host(r[i]->op)) continue;
            Report report(caller, Place{}, "cudaFreeHost of memory that pending work may still %s", i ? "read" : "write");
            describe_other(report, *r[i], i == 0, true);
            report.allocation(a.base).advice("wait for the work first: cudaStreamSynchronize or cudaDeviceSynchronize");
            return;
        }
    }
}

struct DeviceVariable {
    const char *begin, *end, *name;
    Place       place;
};
static Immortal<std::vector<DeviceVariable>> device_variables; /* by address */

static void check_device_variable(void *code, const char *p, unsigned flags)
{
    if (device_variables->empty() || p < device_variables->front().begin || p >= device_variables->back().end) return;
    auto it = std::upper_bound(device_variables->begin(), device_variables->end(), p,
                               [](const char *pointer, const DeviceVariable &v) { return pointer < v.end; });
    if (it == device_variables->end() || p < it->begin) return;
    Report(code, Place{}, "host code %s the device variable %s by its name", flags & writes ? "writes" : "reads", it->name)
        .detail("declared at %s:%d", it->place.file, it->place.line)
        .advice("on a GPU the host sees another variable: use cudaMemcpyToSymbol and cudaMemcpyFromSymbol, or __managed__");
}

static void host_access(void *code, const char *p, size_t n, unsigned flags)
{
    if (!in_arena(p)) return check_device_variable(code, p, flags);
    std::lock_guard<std::recursive_mutex> lock(api_mutex);
    if (space_of(p) == Space::device) {
        Report(code, Place{}, "host code %s device memory at %p", flags & writes ? "writes" : "reads", (const void *)p)
            .allocation(p)
            .advice("copy the data to the host with cudaMemcpy first");
        return; /* the access itself ends the program */
    }
    if (check_arena_state(code, p, n, flags)) record_host_access(code, p, n, flags & writes);
}

static inline void access(void *code, const void *p, size_t n, unsigned flags)
{
    if (__builtin_expect(!self.in_kernel, 0)) host_access(code, (const char *)p, n, flags);
    else device_access(code, (const char *)p, n, flags);
}

static void access_range(void *code, const void *pointer, size_t n, unsigned flags)
{
    const char *p = (const char *)pointer;
    if (!self.in_kernel && !in_arena(p)) return check_device_variable(code, p, flags);
    while (n) {
        size_t part = std::min(n, 16 - ((uintptr_t)p & 15));
        access(code, p, part, flags | unaligned);
        p += part, n -= part;
    }
}

/* ------------------------------------------------------------------ copies and fills by the API */

/* Copies to the host of bytes that nothing wrote.  Runs of fewer than 8 bytes pass as padding, except where they cannot be:
 * if the whole copy is unwritten, or its very end is and nothing else. */
static void check_copied_state(void *code, const char *p, size_t n, const char *function)
{
    const uint8_t *state = arena_state + (p - arena);
    size_t         runs = 0, bad = n, length = 0;
    for (size_t i = 0; i < n && bad == n; i++) {
        if (state[i] == written) {
            length = 0;
            continue;
        }
        if (++length == 1) runs++;
        bool tail = i + 1 == n && runs == 1 && (length == n || n >= 32);
        if (length >= 8 || tail) bad = i + 1 - length;
    }
    if (bad < n)
        Report(code, Place{}, "%s to the host reads device memory that nothing wrote, from byte %zu on", function, bad)
            .allocation(p + bad)
            .advice("a kernel did not write all of its output, or the copy is too long");
}

static void check_api_access(void *code, const void *p, size_t n, unsigned flags)
{
    if (!n) return;
    SimThread *thread = current_thread;
    current_thread    = nullptr;
    if (in_arena(p)) check_granules(code, p, n, flags, arena_records, (size_t)((const char *)p - arena), true);
    else if (is_program_data(p)) check_granules(code, p, n, flags, data_records, program_data_offset(p), true);
    current_thread = thread;
}

void checker_copy(void *destination, const void *source, size_t n, const char *function, void *caller)
{
    check_api_access(caller, source, n, reads);
    check_api_access(caller, destination, n, writes);
    uint8_t       *to   = in_arena(destination) ? arena_state + ((char *)destination - arena) : nullptr;
    const uint8_t *from = in_arena(source) ? arena_state + ((const char *)source - arena) : nullptr;
    if (to && from) memmove(to, from, n);
    else if (to) memset(to, written, n);
    else if (from) check_copied_state(caller, (const char *)source, n, function);
}

void checker_result(void *pointer, size_t size)
{
    if (in_arena(pointer)) memset(arena_state + ((char *)pointer - arena), written, size);
}

void checker_set(void *destination, size_t n, const char *, void *caller)
{
    check_api_access(caller, destination, n, writes);
    if (in_arena(destination)) memset(arena_state + ((char *)destination - arena), written, n);
}

/* Stream-ordered memory belongs to its stream: allocation and release count as writes to it.  Only the first part of a large
 * allocation is looked at, to bound the time.  Where nothing else is recorded, the owner of a unit says it all. */
static void check_owned(const Allocation &a, void *caller, bool owns)
{
    size_t     n = std::min(a.size, ownership_limit), first = (size_t)(a.base - arena) / unit_bytes;
    SimThread *thread = current_thread;
    current_thread    = nullptr;
    for (size_t at = 0; at < n; at += unit_bytes) {
        Unit &unit = arena_records.units[first + at / unit_bytes];
        if (unit.written || unit.read) {
            size_t offset = (size_t)(a.base - arena) + at;
            if (!check_granules(caller, a.base + at, std::min(n - at, unit_bytes), writes, arena_records, offset, true)) break;
        } else if (foreign_owner(unit)) {
            report_owner(caller, a.base, n, writes, unit);
            break;
        }
        if (!owns) continue;
        unit.owner = running.id;
        unit.site  = site_index(caller);
    }
    current_thread = thread;
}

void checker_owned(const Allocation &a) { check_owned(a, a.caller, true); }
void checker_disowned(const Allocation &a, void *caller) { check_owned(a, caller, false); } /* it is freed behind that */

/* To free memory of the device heap is to write it: the threads that use it must be done. */
void checker_heap_free(const Allocation &a, void *caller)
{
    if (a.size)
        check_granules(caller, a.base, std::min(a.size, ownership_limit), writes, arena_records, (size_t)(a.base - arena),
                       true);
}

/* ------------------------------------------------------------------ blocks and warps */

void checker_start_block(Block *block)
{
    static uint32_t runs = 0;
    SharedRecords  *r    = records_of(block);
    memset(r->state, unallocated, shared_arena);
    memset(r->state + shared_arena, unallocated, r->dynamic_bytes);
    r->dynamic_bytes = cudasim_context.dynamic_shared_bytes;
    memset(r->state + shared_arena, unwritten, r->dynamic_bytes);
    r->run = ++runs ? runs : ++runs;
    for (int w = 0; w * warp_size < block->count; w++) {
        Warp &warp = block->warps[w];
        if (!warp.synchronised) continue;
        warp.synchronised = false;
        memset(warp.known, 0, sizeof warp.known);
        for (int l = 0; l < warp_size; l++) block->threads[w * warp_size + l].clock = 0;
    }
}

void checker_shared_declared(Block *block, const SharedVariable &v)
{
    memset(records_of(block)->state + v.offset, unwritten, v.size);
}

/* Each of the lanes now knows what any of them knew, and all that they did so far. */
void checker_warp_sync(Block *block, int index, unsigned lanes)
{
    Warp    &warp              = block->warps[index];
    uint16_t joined[warp_size] = {};
    for (int l = 0; l < warp_size; l++) {
        if (!(lanes >> l & 1)) continue;
        for (int m = 0; m < warp_size; m++) joined[m] = std::max(joined[m], warp.known[l][m]);
    }
    for (int l = 0; l < warp_size; l++)
        if (lanes >> l & 1) joined[l] = ++block->threads[index * warp_size + l].clock;
    for (int l = 0; l < warp_size; l++)
        if (lanes >> l & 1) memcpy(warp.known[l], joined, sizeof joined);
    warp.synchronised = true;
}

/* ------------------------------------------------------------------ atomics */

enum AtomicKind { plain_atomic, compare_and_swap };

static void settle_reads(const char *p, size_t n)
{
    drop_held_back(p);
    Block *b = current_block;
    if (in_arena(p)) forget_own_reads(arena_records, (size_t)(p - arena), n);
    else if ((size_t)(p - b->shared) < shared_arena) forget_own_reads(b->records->records, (size_t)(p - b->shared), n);
    else if ((size_t)(p - b->dynamic) < shared_optin_limit)
        forget_own_reads(b->records->records, shared_arena + (size_t)(p - b->dynamic), n);
    else if (is_program_data(p)) forget_own_reads(data_records, program_data_offset(p), n);
}

static void hand_over(const void *pointer, bool release)
{
    InRuntime inside;
    acquire_from(pointer);
    if (release || current_thread->fenced) release_to(pointer, release || current_thread->device_fenced);
}

static void atomic_access(void *code, const void *pointer, int size, AtomicKind kind, bool release)
{
    if (kind == compare_and_swap) settle_reads((const char *)pointer, (size_t)size);
    access(code, pointer, (size_t)size, writes | atomically);
    hand_over(pointer, release);
}

} // namespace cudasim

extern "C" {

void cudasim_device_variable(const volatile void *pointer, size_t size, const char *name, const char *file, int line)
{
    const char    *p = (const char *)pointer;
    DeviceVariable v{ p, p + size, name, Place{ file, line } };
    auto           before = [](const DeviceVariable &a, const DeviceVariable &b) { return a.begin < b.begin; };
    device_variables->insert(std::upper_bound(device_variables->begin(), device_variables->end(), v, before), v);
}

void cudasim_atomic(const void *pointer, int size, int is_compare_and_swap, void *caller)
{
    static unsigned spins = 0;
    if (!self.in_kernel) return;
    InRuntime inside;
    if (instrumented) atomic_access(caller, pointer, size, is_compare_and_swap ? compare_and_swap : plain_atomic, false);
    if ((++spins & 1023) == 0) yield_thread(caller, false); /* it may wait for another thread */
}

/* ------------------------------------------------------------------ the sanitizer's interface */

void __tsan_init(void) { instrumented = true; }
void __tsan_func_entry(void *) {}
void __tsan_func_exit(void) {}
void __tsan_ignore_thread_begin(void) {}
void __tsan_ignore_thread_end(void) {}
void __tsan_vptr_update(void **pointer, void *) { access(CALLER, pointer, sizeof *pointer, writes); }
void __tsan_vptr_read(void **pointer) { access(CALLER, pointer, sizeof *pointer, reads); }

#define CUDASIM_CALLBACKS(N)                                                                                                   \
    void __tsan_read##N(void *p) { access(CALLER, p, N, reads); }                                                              \
    void __tsan_write##N(void *p) { access(CALLER, p, N, writes); }                                                            \
    void __tsan_unaligned_read##N(void *p) { access(CALLER, p, N, reads | unaligned); }                                        \
    void __tsan_unaligned_write##N(void *p) { access(CALLER, p, N, writes | unaligned); }                                      \
    void __tsan_read##N##_pc(void *p, void *code) { access(code, p, N, reads); }                                               \
    void __tsan_write##N##_pc(void *p, void *code) { access(code, p, N, writes); }                                             \
    void __tsan_volatile_read##N(void *p) { volatile_access(CALLER, p, N, reads); }                                            \
    void __tsan_volatile_write##N(void *p) { volatile_access(CALLER, p, N, writes); }                                          \
    void __tsan_unaligned_volatile_read##N(void *p) { volatile_access(CALLER, p, N, reads | unaligned); }                      \
    void __tsan_unaligned_volatile_write##N(void *p) { volatile_access(CALLER, p, N, writes | unaligned); }                    \
    void __tsan_read_write##N(void *p)                                                                                         \
    {                                                                                                                          \
        access(CALLER, p, N, reads);                                                                                           \
        access(CALLER, p, N, writes);                                                                                          \
    }                                                                                                                          \
    void __tsan_unaligned_read_write##N(void *p)                                                                               \
    {                                                                                                                          \
        access(CALLER, p, N, reads | unaligned);                                                                               \
        access(CALLER, p, N, writes | unaligned);                                                                              \
    }

/* Volatile accesses are how threads watch a flag: they do not race with each other, and they hand over like atomics. */
static void volatile_access(void *code, void *p, size_t n, unsigned flags)
{
    static unsigned spins = 0;
    access(code, p, n, flags | (self.in_kernel && n <= 8 ? atomically : 0u));
    if (!self.in_kernel || on_fiber_stack(current_fiber, p)) return;
    InRuntime inside;
    if (flags & writes) {
        if (current_thread->fenced) release_to(p, current_thread->device_fenced);
    } else {
        acquire_from(p);
        if ((++spins & 1023) == 0) yield_thread(code, false);
    }
}

CUDASIM_CALLBACKS(1)
CUDASIM_CALLBACKS(2)
CUDASIM_CALLBACKS(4)
CUDASIM_CALLBACKS(8)
CUDASIM_CALLBACKS(16)

void __tsan_read_range(void *p, size_t n) { access_range(CALLER, p, n, reads); }
void __tsan_write_range(void *p, size_t n) { access_range(CALLER, p, n, writes); }

void *__tsan_memset(void *p, int value, size_t n)
{
    access_range(CALLER, p, n, writes);
    return memset(p, value, n);
}

void *__tsan_memcpy(void *to, const void *from, size_t n)
{
    access_range(CALLER, from, n, reads);
    access_range(CALLER, to, n, writes);
    return memcpy(to, from, n);
}

void *__tsan_memmove(void *to, const void *from, size_t n)
{
    access_range(CALLER, from, n, reads);
    access_range(CALLER, to, n, writes);
    return memmove(to, from, n);
}

/* The names under which programs compiled by g++ call memcpy, memmove and memset (see cuda_runtime.h). */
void *cudasim_memcpy(void *, const void *, size_t) __attribute__((alias("__tsan_memcpy")));
void *cudasim_memmove(void *, const void *, size_t) __attribute__((alias("__tsan_memmove")));
void *cudasim_memset(void *, int, size_t) __attribute__((alias("__tsan_memset")));

/* ------------------------------------------------------------------ atomics of instrumented code */

/* Host code may run several threads, so these must really be atomic. */
static void instrumented_atomic(void *code, const volatile void *p, int n, AtomicKind kind = plain_atomic)
{
    if (self.in_kernel && !on_fiber_stack(current_fiber, (const void *)p)) atomic_access(code, (const void *)p, n, kind, true);
    else if (!self.in_kernel) host_access(code, (const char *)p, (size_t)n, writes);
}

#define CUDASIM_ATOMIC_CALLBACKS(BITS, T)                                                                                      \
    T __tsan_atomic##BITS##_load(const volatile T *p, int)                                                                     \
    {                                                                                                                          \
        if (self.in_kernel) instrumented_atomic(CALLER, p, sizeof(T));                                                         \
        return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                                           \
    }                                                                                                                          \
    void __tsan_atomic##BITS##_store(volatile T *p, T value, int)                                                              \
    {                                                                                                                          \
        instrumented_atomic(CALLER, p, sizeof(T));                                                                             \
        __atomic_store_n(p, value, __ATOMIC_SEQ_CST);                                                                          \
    }                                                                                                                          \
    CUDASIM_ATOMIC_CALLBACK(BITS, T, exchange, __atomic_exchange_n)                                                            \
    CUDASIM_ATOMIC_CALLBACK(BITS, T, fetch_add, __atomic_fetch_add)                                                            \
    CUDASIM_ATOMIC_CALLBACK(BITS, T, fetch_sub, __atomic_fetch_sub)                                                            \
    CUDASIM_ATOMIC_CALLBACK(BITS, T, fetch_and, __atomic_fetch_and)                                                            \
    CUDASIM_ATOMIC_CALLBACK(BITS, T, fetch_or, __atomic_fetch_or)                                                              \
    CUDASIM_ATOMIC_CALLBACK(BITS, T, fetch_xor, __atomic_fetch_xor)                                                            \
    CUDASIM_ATOMIC_CALLBACK(BITS, T, fetch_nand, __atomic_fetch_nand)                                                          \
    int __tsan_atomic##BITS##_compare_exchange_strong(volatile T *p, T *expected, T value, int, int)                           \
    {                                                                                                                          \
        instrumented_atomic(CALLER, p, sizeof(T), compare_and_swap);                                                           \
        return __atomic_compare_exchange_n(p, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                     \
    }                                                                                                                          \
    int __tsan_atomic##BITS##_compare_exchange_weak(volatile T *p, T *expected, T value, int, int)                             \
    {                                                                                                                          \
        instrumented_atomic(CALLER, p, sizeof(T), compare_and_swap);                                                           \
        return __atomic_compare_exchange_n(p, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                     \
    }                                                                                                                          \
    T __tsan_atomic##BITS##_compare_exchange_val(volatile T *p, T expected, T value, int, int)                                 \
    {                                                                                                                          \
        instrumented_atomic(CALLER, p, sizeof(T), compare_and_swap);                                                           \
        __atomic_compare_exchange_n(p, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                           \
        return expected;                                                                                                       \
    }
#define CUDASIM_ATOMIC_CALLBACK(BITS, T, NAME, BUILTIN)                                                                        \
    T __tsan_atomic##BITS##_##NAME(volatile T *p, T value, int)                                                                \
    {                                                                                                                          \
        instrumented_atomic(CALLER, p, sizeof(T));                                                                             \
        return BUILTIN(p, value, __ATOMIC_SEQ_CST);                                                                            \
    }

CUDASIM_ATOMIC_CALLBACKS(8, uint8_t)
CUDASIM_ATOMIC_CALLBACKS(16, uint16_t)
CUDASIM_ATOMIC_CALLBACKS(32, uint32_t)
CUDASIM_ATOMIC_CALLBACKS(64, uint64_t)

void __tsan_atomic_thread_fence(int)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (self.in_kernel) checker_fence(true);
}
void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
}
