/* The device address space: allocation, red zones, page protection. */
#include "internal.h"

namespace cudasim {

char  *arena;
size_t arena_size, arena_part;

/* ------------------------------------------------------------------ regions */

constexpr size_t alignment = 256, red_zone = 256, growth = 2 << 20;
constexpr size_t first_offset = 4096; /* room for an index below zero */

/* The checker knows an index that leaves its allocation only if it does not land in another one.  So allocations lie far apart
 * there, in a multiple of the addresses that the memory needs; the gaps are not touched.  When the addresses run out,
 * allocations move together. */
constexpr size_t addresses_per_byte = 4, least_gap = (size_t)64 << 10, largest_gap = (size_t)4 << 20;

/* Allocations of the device heap are many and small: only large ones have a gap. */
constexpr size_t heap_red_zone = 64, heap_unit = 16, least_heap_gap = 1024;

static size_t gap_behind(size_t own, bool heap)
{
    if (!instrumented) return 0;
    if (heap) return own >= least_heap_gap ? std::min(own, least_gap) : 0;
    return std::max(least_gap, std::min(own, largest_gap));
}

struct Freed {
    size_t offset, own, span;
};

/* A contiguous part of the arena with its own free list: one per device, one for managed, one for pinned memory. */
struct Region {
    char                               *base = nullptr;
    size_t                              size = 0, limit = 0, top = 0, grown = 0, used = 0; /* limit: of what is used */
    size_t                              heap_used = 0;
    Space                               space     = Space::device;
    int                                 device    = 0;
    std::map<size_t, size_t>            free_by_offset;
    std::set<std::pair<size_t, size_t>> free_by_size;
    std::deque<Freed>                   quarantine; /* freed, not yet reused: later accesses are recognised */
    size_t                              quarantined = 0, quarantined_addresses = 0;
};

static Immortal<std::vector<Region>>             regions;
static Immortal<std::map<uintptr_t, Allocation>> allocations;
static uint32_t                                  open_mask = 0;
static uint32_t                                  peers[32];

const std::map<uintptr_t, Allocation> &all_allocations() { return *allocations; }

static char *reserve(size_t size)
{
    /* a fixed address makes runs repeatable; these lie clear of the sanitizers' shadow memory */
    static const uintptr_t candidates[] = { 0x200000000000ull, 0x300000000000ull, 0x2000000000ull, 0 };
    for (uintptr_t wanted : candidates) {
        int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
#ifdef MAP_FIXED_NOREPLACE
        if (wanted) flags |= MAP_FIXED_NOREPLACE;
#endif
        void *p = mmap((void *)wanted, size, PROT_NONE, flags, -1, 0);
        if (p == MAP_FAILED) continue;
        if (wanted && (uintptr_t)p != wanted) {
            munmap(p, size);
            continue;
        }
        return (char *)p;
    }
    fprintf(stderr, "cudasim: cannot reserve %zu MiB of addresses for device memory; lower CUDASIM_MEMORY\n", size >> 20);
    exit(2);
}

static int find_own_image(struct dl_phdr_info *info, size_t, void *);

void start_memory()
{
    dl_iterate_phdr(find_own_image, nullptr);
    size_t limit = (options.memory + growth - 1) / growth * growth, count = (size_t)options.devices + 2;
    size_t each = instrumented ? limit * addresses_per_byte : limit;
    arena_part  = each;
    arena_size  = each * count;
    arena       = reserve(arena_size);
#ifdef MADV_HUGEPAGE
    madvise(arena, arena_size, MADV_HUGEPAGE); /* few pages to protect, and to open again, at every launch */
#endif
    for (size_t i = 0; i < count; i++) {
        Region r;
        r.base   = arena + i * each;
        r.size   = each;
        r.limit  = limit;
        r.space  = i < (size_t)options.devices ? Space::device : i == (size_t)options.devices ? Space::managed : Space::pinned;
        r.device = r.space == Space::device ? (int)i : 0;
        r.top    = instrumented ? least_gap : first_offset;
        regions->push_back(r);
    }
    for (int d = 0; d < 32; d++) peers[d] = 1u << d;
}

static Region &region_of(const void *pointer)
{
    return (*regions)[(size_t)((const char *)pointer - arena) / (*regions)[0].size];
}
static Region &region_for(Space space, int device)
{
    size_t devices = regions->size() - 2;
    return (*regions)[space == Space::device ? (size_t)device : space == Space::managed ? devices : devices + 1];
}

Space space_of(const void *pointer) { return region_of(pointer).space; }
int   device_of(const void *pointer) { return region_of(pointer).device; }

/* ------------------------------------------------------------------ page protection */

/* Changing the protection takes time in proportion to the memory in use, so only so much of each device is guarded, and it is
 * closed again not after every kernel but when the host is likely to look: see close_gates(). */
constexpr size_t guarded = (size_t)64 << 20;

static void protect(const Region &r, bool open)
{
    if (r.grown) mprotect(r.base, std::min(r.grown, guarded), open ? PROT_READ | PROT_WRITE : PROT_NONE);
}

static void set_open(uint32_t mask)
{
    if (!options.protect || mask == open_mask) return;
    uint32_t changed = mask ^ open_mask;
    open_mask        = mask;
    for (int d = 0; d < options.devices; d++)
        if (changed >> d & 1) protect((*regions)[(size_t)d], mask >> d & 1);
}

Gate::Gate(uint32_t devices) : before(open_mask) { set_open(devices); }
/* With little memory in use it is closed at once, so that no wrong access of the host escapes. */
Gate::~Gate()
{
    if (options.devices > 1 || (options.devices == 1 && (*regions)[0].grown <= growth)) set_open(before);
}

void close_gates()
{
    if (!self.in_kernel) set_open(0);
}

uint32_t open_devices() { return open_mask; }
uint32_t reachable_devices(int device) { return peers[device]; }
bool     can_reach_peer(int device, int peer) { return peers[device] >> peer & 1; }

bool set_peer(int device, int peer, bool enabled)
{
    if (can_reach_peer(device, peer) == enabled) return false;
    peers[device] ^= 1u << peer;
    return true;
}

/* ------------------------------------------------------------------ free lists */

static void add_free(Region &r, size_t offset, size_t size)
{
    auto next = r.free_by_offset.lower_bound(offset);
    if (next != r.free_by_offset.end() && next->first == offset + size) {
        size += next->second;
        r.free_by_size.erase({ next->second, next->first });
        next = r.free_by_offset.erase(next);
    }
    if (next != r.free_by_offset.begin()) {
        auto previous = std::prev(next);
        if (previous->first + previous->second == offset) {
            offset = previous->first;
            size += previous->second;
            r.free_by_size.erase({ previous->second, previous->first });
            r.free_by_offset.erase(previous);
        }
    }
    r.free_by_offset[offset] = size;
    r.free_by_size.insert({ size, offset });
}

static bool take_free(Region &r, size_t span, size_t *offset)
{
    auto best = r.free_by_size.lower_bound({ span, 0 });
    if (best == r.free_by_size.end()) return false;
    size_t size = best->first;
    *offset     = best->second;
    r.free_by_size.erase(best);
    r.free_by_offset.erase(*offset);
    if (size > span) add_free(r, *offset + span, size - span);
    return true;
}

static bool extend(Region &r, size_t span, size_t *offset)
{
    if (span > r.size - r.top) return false;
    *offset = r.top;
    r.top += span;
    if (r.top > r.grown) {
        size_t grown = std::min(r.size, (r.top + growth - 1) / growth * growth);
        bool   open  = r.space != Space::device || !options.protect || (open_mask >> r.device & 1) || r.grown >= guarded;
        if (open) mprotect(r.base + r.grown, grown - r.grown, PROT_READ | PROT_WRITE);
        else if (grown > guarded) mprotect(r.base + guarded, grown - guarded, PROT_READ | PROT_WRITE);
        ASAN_POISON_MEMORY_REGION(r.base + r.grown, grown - r.grown);
        r.grown = grown;
    }
    return true;
}

static void leave_quarantine(Region &r)
{
    auto oldest = r.quarantine.front();
    r.quarantine.pop_front();
    r.quarantined -= oldest.own;
    r.quarantined_addresses -= oldest.span;
    add_free(r, oldest.offset, oldest.span);
}

/* With the gaps behind them small allocations take far more addresses than memory, and each address that is used for the first time
 * costs a page: so these are limited, too. */
static void enter_quarantine(Region &r, const Freed &freed)
{
    size_t limit = instrumented || CUDASIM_ASAN ? std::min((size_t)256 << 20, r.limit / 4) : 0;
    r.quarantine.push_back(freed);
    r.quarantined += freed.own;
    r.quarantined_addresses += freed.span;
    while (!r.quarantine.empty() && (r.quarantined > limit || r.quarantined_addresses > limit * addresses_per_byte))
        leave_quarantine(r);
}

static bool find_space(Region &r, size_t span, size_t *offset)
{
    if (take_free(r, span, offset) || extend(r, span, offset)) return true;
    while (!r.quarantine.empty()) leave_quarantine(r);
    return take_free(r, span, offset);
}

/* ------------------------------------------------------------------ allocations */

/* Entries of dead allocations are kept for reports until their memory is handed out again. */
static void forget_dead(const char *base, size_t span)
{
    auto it = allocations->lower_bound((uintptr_t)base);
    if (it != allocations->begin()) {
        auto previous = std::prev(it);
        if (previous->first + previous->second.span > (uintptr_t)base) it = previous;
    }
    while (it != allocations->end() && it->first < (uintptr_t)base + span) {
        if (instrumented) checker_forgotten(it->second);
        it = allocations->erase(it);
    }
}

static char *place(Region &r, size_t size, void *caller, unsigned flags, CUmemPool_st *pool, bool heap)
{
    if (size > r.limit) return nullptr;
    size_t whole = std::max(size, (size_t)1) + (heap ? heap_red_zone : red_zone) + alignment - 1;
    size_t own = whole / alignment * alignment, span = own + gap_behind(own, heap);
    size_t offset;
    if (r.used + own > r.limit) return nullptr;
    if (!find_space(r, span, &offset) && !find_space(r, span = own, &offset)) return nullptr;
    r.used += own;
    char *base = r.base + offset;
    forget_dead(base, span);
    Allocation a{ base, size, own, span, r.space, r.device, caller, nullptr, flags, pool, heap };
    (*allocations)[(uintptr_t)base] = a;
    ASAN_POISON_MEMORY_REGION(base, own);
    ASAN_UNPOISON_MEMORY_REGION(base, size);
    {
        Gate gate(open_mask | (r.space == Space::device ? 1u << r.device : 0u));
        memset(base, 0xCB, size); /* fresh device memory is never zero by chance */
    }
    /* host memory counts as written: library code that is not instrumented may fill it */
    if (instrumented) checker_allocated(a, r.space != Space::device);
    return base;
}

char *allocate(Space space, int device, size_t size, void *caller, unsigned flags, CUmemPool_st *pool)
{
    return place(region_for(space, device), size, caller, flags, pool, false);
}

static size_t heap_bytes(size_t size) { return (std::max(size, (size_t)1) + heap_unit - 1) / heap_unit * heap_unit; }

char *allocate_in_heap(int device, size_t size, size_t limit, void *caller)
{
    Region &r = region_for(Space::device, device);
    if (size > limit || heap_bytes(size) > limit - std::min(limit, r.heap_used)) return nullptr;
    char *base = place(r, size, caller, 0, nullptr, true);
    if (base) r.heap_used += heap_bytes(size);
    return base;
}

void release(Allocation *a, void *caller)
{
    Region &r   = region_of(a->base);
    a->freed_by = caller ? caller : (void *)a->base;
    r.used -= a->own;
    if (a->heap) r.heap_used -= heap_bytes(a->size);
    ASAN_POISON_MEMORY_REGION(a->base, a->own);
    if (instrumented) checker_freed(*a);
    enter_quarantine(r, { (size_t)(a->base - r.base), a->own, a->span });
}

const char *kind_of_memory(const Allocation &a)
{
    static const char *const kinds[] = { "device", "managed", "pinned host" };
    return a.heap ? "device heap" : kinds[(int)a.space];
}

Allocation *nearest_allocation(const void *pointer)
{
    auto it = allocations->upper_bound((uintptr_t)pointer);
    if (it == allocations->begin()) return nullptr;
    Allocation &a = std::prev(it)->second;
    return in_arena(pointer) && &region_of(a.base) == &region_of(pointer) ? &a : nullptr;
}

Allocation *find_allocation(const void *pointer)
{
    if (!in_arena(pointer)) return nullptr;
    Allocation *a = nearest_allocation(pointer);
    return a && (size_t)((const char *)pointer - a->base) < std::max(a->size, (size_t)1) ? a : nullptr;
}

/* The next allocation, if the pointer lies closely before it. */
static Allocation *following_allocation(const void *pointer)
{
    auto it = allocations->upper_bound((uintptr_t)pointer);
    if (it == allocations->end() || !in_arena(pointer) || &region_of(it->second.base) != &region_of(pointer)) return nullptr;
    return it->first - (uintptr_t)pointer <= (instrumented ? least_gap : first_offset) ? &it->second : nullptr;
}

/* The allocation that an address outside all of them most likely belongs to. */
Allocation *suspected_allocation(const void *pointer)
{
    Allocation *a = nearest_allocation(pointer), *next = following_allocation(pointer);
    if (!next || (a && (size_t)((const char *)pointer - a->base) < a->size)) return a;
    if (!a) return next;
    return (uintptr_t)next->base - (uintptr_t)pointer <= (uintptr_t)pointer - (uintptr_t)a->base - a->size ? next : a;
}

std::string describe_address(const void *pointer)
{
    Allocation *a = suspected_allocation(pointer);
    if (!a) return "in no allocation";
    const char *kind   = kind_of_memory(*a);
    size_t      offset = (size_t)((const char *)pointer - a->base);
    char        text[256];
    if ((const char *)pointer < a->base)
        snprintf(text, sizeof text, "%zu byte(s) before the start of %zu bytes of %s%s memory",
                 (size_t)(a->base - (const char *)pointer), a->size, a->freed_by ? "freed " : "", kind);
    else if (offset < a->size)
        snprintf(text, sizeof text, "byte %zu of %zu bytes of %s%s memory", offset, a->size, a->freed_by ? "freed " : "", kind);
    else
        snprintf(text, sizeof text, "%zu byte(s) behind the end of %zu bytes of %s%s memory", offset - a->size + 1, a->size,
                 a->freed_by ? "freed " : "", kind);
    return text;
}

bool is_mapped(const void *pointer)
{
    Region &r = region_of(pointer);
    return (size_t)((const char *)pointer - r.base) < r.grown &&
           (r.space != Space::device || !options.protect || (open_mask >> r.device & 1) ||
            (size_t)((const char *)pointer - r.base) >= guarded);
}

size_t device_bytes_used(int device) { return (*regions)[(size_t)device].used; }

void reset_device_memory(int device)
{
    for (auto &entry : *allocations) {
        Allocation &a = entry.second;
        if (a.space == Space::device && a.device == device && !a.freed_by) release(&a, nullptr);
    }
}

/* ------------------------------------------------------------------ the program's own memory */

/* The segments of the program, or of the shared library, that this file is linked into. */
struct Image {
    uintptr_t begin = UINTPTR_MAX, end = 0;           /* all of it */
    uintptr_t code_begin = UINTPTR_MAX, code_end = 0; /* what can be executed */
    uintptr_t data_begin = UINTPTR_MAX, data_end = 0; /* what can be written: device variables, and the host's */
};
static Image image;

static int find_own_image(struct dl_phdr_info *info, size_t, void *)
{
    Image found;
    bool  own = false;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const auto &segment = info->dlpi_phdr[i];
        if (segment.p_type != PT_LOAD) continue;
        uintptr_t begin = info->dlpi_addr + segment.p_vaddr, end = begin + segment.p_memsz;
        auto      widen = [=](uintptr_t &from, uintptr_t &to) { from = std::min(from, begin), to = std::max(to, end); };
        widen(found.begin, found.end);
        if (segment.p_flags & PF_X) widen(found.code_begin, found.code_end);
        if (segment.p_flags & PF_W) widen(found.data_begin, found.data_end);
        own |= (uintptr_t)&cudasim_context - begin < segment.p_memsz;
    }
    if (own) image = found;
    return own;
}

bool is_program_image(const void *pointer) { return (uintptr_t)pointer - image.begin < image.end - image.begin; }
bool is_program_code(const void *pointer) { return (uintptr_t)pointer - image.code_begin < image.code_end - image.code_begin; }
bool is_program_data(const void *pointer) { return (uintptr_t)pointer - image.data_begin < image.data_end - image.data_begin; }
size_t program_data_offset(const void *pointer) { return (size_t)((uintptr_t)pointer - image.data_begin); }
size_t program_data_size() { return (size_t)(image.data_end - image.data_begin); }

} // namespace cudasim
