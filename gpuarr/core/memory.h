/* ---- memory ------------------------------------------------------------------------------------------------------ */
/*  Everything that lives longer than a call and everything large comes from gi_mem_alloc. Blocks that are given back are kept in
    lists by size class, because fresh pages cost more than most operations on them; classes are powers of two in quarter steps.
    With a user's allocator, or under AddressSanitizer, nothing is kept.                                                     */

enum { GI_CLASSES = 4 * 48 };
#define GI_HUGE_PAGE  ((size_t)2 << 20)
#define GI_FROM_MMAP  ((size_t)4 << 20) /* blocks of this size and more are mapped, on huge pages */
#define GI_POOL_KEEPS ((int64_t)1 << 30)

typedef struct gi_block { /* lies in a block that waits for reuse */
    struct gi_block *next;
} gi_block;

static struct {
    pthread_mutex_t   lock;
    gi_block         *ready[GI_CLASSES];
    int64_t           used, peak, kept, limit, arrays;
    ga_alloc_function alloc;
    ga_free_function  release;
    void             *user;
    struct gi_handle *first; /* every array that is alive */
} gi_pool = { PTHREAD_MUTEX_INITIALIZER, { NULL }, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL };

/* The class of a size and, rounded up, the size of its blocks. */
static GI_INLINE int gi_size_class(size_t bytes, size_t *rounded)
{
    if (bytes <= 256) bytes = 256;
    const int    power = 64 - __builtin_clzll(bytes - 1);
    const size_t half = (size_t)1 << (power - 1), step = half / 4; /* four steps up to 2 * half */
    const int    quarter = (int)((bytes - half + step - 1) >> (power - 3));
    *rounded             = half + (size_t)quarter * step;
    return 4 * power + quarter - 1;
}

static void *gi_system_alloc(size_t bytes)
{
    if (bytes < GI_FROM_MMAP) return aligned_alloc(GI_ALIGN, (bytes + GI_ALIGN - 1) / GI_ALIGN * GI_ALIGN);
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return NULL;
    (void)madvise(p, bytes, MADV_HUGEPAGE); /* only advice: without it everything works, slower */
    return p;
}

static void gi_system_free(void *p, size_t bytes)
{
    if (bytes < GI_FROM_MMAP) free(p);
    else munmap(p, bytes);
}

/* Gives kept blocks back to the system until at most `keep` bytes are left. The lock is held. */
static void gi_pool_shrink(int64_t keep)
{
    for (int c = GI_CLASSES - 1; c >= 0 && gi_pool.kept > keep; c--)
        while (gi_pool.ready[c] && gi_pool.kept > keep) {
            gi_block *block = gi_pool.ready[c];
            size_t    top = (size_t)1 << (c / 4), bytes = top - top / 8 * (size_t)(3 - c % 4);
            gi_pool.ready[c] = block->next;
            gi_pool.kept -= (int64_t)bytes;
            gi_system_free(block, bytes);
        }
}

/* Memory is short: lets go of what may be done without. False if there was nothing. Set, atomically, by who keeps such things. */
static bool (*gi_mem_reclaim)(void);

/* A block that the pool does not have, or NULL: there is none. The lock is held. */
static __attribute__((noinline)) void *gi_pool_take_new(size_t bytes)
{
    size_t rounded;
    (void)gi_size_class(bytes, &rounded);
    if (gi_pool.alloc) return gi_pool.alloc(bytes, gi_pool.user);
    if (GI_NO_POOL) return gi_system_alloc(bytes);
    void *p = gi_system_alloc(rounded);
    if (p) return p;
    gi_pool_shrink(0);
    return gi_system_alloc(rounded);
}

/* A block, or NULL: there is none. The lock is held. (Inlined: the class of a size that is known is no work.) */
static GI_INLINE void *gi_pool_take(size_t bytes)
{
    size_t    rounded;
    const int c = gi_size_class(bytes, &rounded);
    void     *p = gi_pool.ready[c];
    if (p) {
        gi_pool.ready[c] = gi_pool.ready[c]->next;
        gi_pool.kept -= (int64_t)rounded;
    } else {
        p = gi_pool_take_new(bytes);
    }
    if (p) gi_pool.used += (int64_t)bytes;
    if (gi_pool.used > gi_pool.peak) gi_pool.peak = gi_pool.used;
    return p;
}

/* Takes a block back. The lock is held. */
static GI_INLINE void gi_pool_give(void *p, size_t bytes)
{
    size_t    rounded;
    const int c = gi_size_class(bytes, &rounded);
    gi_pool.used -= (int64_t)bytes;
    if (gi_pool.release) {
        gi_pool.release(p, bytes, gi_pool.user);
    } else if (GI_NO_POOL) {
        gi_system_free(p, bytes);
    } else {
        gi_block *block  = (gi_block *)p;
        block->next      = gi_pool.ready[c];
        gi_pool.ready[c] = block;
        gi_pool.kept += (int64_t)rounded;
        if (gi_pool.kept > GI_POOL_KEEPS) gi_pool_shrink(GI_POOL_KEEPS / 2);
    }
}

/* Of several blocks there are only the first `made`: gives them back, and the lock. True if there may be more now, else an error. */
static __attribute__((noinline)) bool gi_mem_too_few(const char *site, const size_t *bytes, void *const *p, int made)
{
    const size_t missing = bytes[made];
    const bool   over    = gi_pool.limit > 0 && gi_pool.used + (int64_t)missing > gi_pool.limit;
    while (made > 0) {
        made--;
        gi_pool_give(p[made], bytes[made]);
    }
    const int64_t used = gi_pool.used, limit = gi_pool.limit;
    pthread_mutex_unlock(&gi_pool.lock);
    bool (*reclaim)(void) = over ? __atomic_load_n(&gi_mem_reclaim, __ATOMIC_RELAXED) : NULL;
    if (reclaim && reclaim()) return true;
    if (over)
        gi_fail(site, GA_NO_MEMORY,
                "%zu bytes more would pass the limit of %lld bytes (%lld are in use): free arrays or raise ga_memory_limit",
                missing, (long long)limit, (long long)used);
    else
        gi_fail(site, GA_NO_MEMORY, "no memory for %zu bytes (%lld are in use in arrays): free arrays or use smaller ones",
                missing, (long long)used);
    return false;
}

/* Several blocks, aligned to 64, behind one lock; false, and none of them, with an error sentence. No size is 0. then: called with the last
   one while the lock is held, or NULL. */
static GI_INLINE bool gi_mem_alloc_several(const char *site, const int n, const size_t *bytes, void **p,
                                           void (*then)(void *last))
{
    GI_UNROLL
    for (int k = 0; k < n; k++)
        if (bytes[k] > (size_t)1 << 46)
            return gi_fail(site, GA_NO_MEMORY, "%zu bytes are more than any machine has: check the shape", bytes[k]) != NULL;
    for (;;) {
        int made = 0;
        pthread_mutex_lock(&gi_pool.lock);
        GI_UNROLL
        for (; made < n; made++) {
            const bool over = gi_pool.limit > 0 && gi_pool.used + (int64_t)bytes[made] > gi_pool.limit;
            p[made]         = over ? NULL : gi_pool_take(bytes[made]);
            if (!p[made]) break;
        }
        if (made == n) break;
        if (!gi_mem_too_few(site, bytes, p, made)) return false;
    }
    if (then) then(p[n - 1]);
    pthread_mutex_unlock(&gi_pool.lock);
    return true;
}

/* `bytes` bytes aligned to 64, or NULL with an error sentence. Give them back with gi_mem_release(p, bytes). */
static void *gi_mem_alloc(const char *site, size_t bytes)
{
    void *p = NULL;
    if (bytes == 0) bytes = 1;
    return gi_mem_alloc_several(site, 1, &bytes, &p, NULL) ? p : NULL;
}

static void gi_mem_release(void *p, size_t bytes)
{
    if (!p) return;
    pthread_mutex_lock(&gi_pool.lock);
    gi_pool_give(p, bytes == 0 ? 1 : bytes);
    pthread_mutex_unlock(&gi_pool.lock);
}

/* Counts bytes of memory that comes from elsewhere (pinned) as used. False with an error beyond the limit. */
GI_SHARED bool gi_mem_count(const char *site, size_t bytes)
{
    pthread_mutex_lock(&gi_pool.lock);
    int64_t used = gi_pool.used, limit = gi_pool.limit;
    bool    over = limit > 0 && used + (int64_t)bytes > limit;
    if (!over) gi_pool.used += (int64_t)bytes;
    if (gi_pool.used > gi_pool.peak) gi_pool.peak = gi_pool.used;
    pthread_mutex_unlock(&gi_pool.lock);
    if (over)
        gi_fail(site, GA_NO_MEMORY,
                "%zu bytes more would pass the limit of %lld bytes (%lld are in use): free arrays or raise ga_memory_limit",
                bytes, (long long)limit, (long long)used);
    return !over;
}

GI_SHARED void gi_mem_discount(size_t bytes)
{
    pthread_mutex_lock(&gi_pool.lock);
    gi_pool.used -= (int64_t)bytes;
    pthread_mutex_unlock(&gi_pool.lock);
}

static int64_t gi_mem_spilled; /* atomic */

ga_memory ga_memory_stats(void)
{
    ga_memory m;
    pthread_mutex_lock(&gi_pool.lock);
    m.used_bytes  = gi_pool.used;
    m.peak_bytes  = gi_pool.peak;
    m.total_bytes = gi_pool.used + gi_pool.kept;
    m.limit_bytes = gi_pool.limit;
    m.arrays      = gi_pool.arrays;
    pthread_mutex_unlock(&gi_pool.lock);
    m.spilled_bytes = __atomic_load_n(&gi_mem_spilled, __ATOMIC_RELAXED);
    return m;
}

void ga_memory_reset_peak(void)
{
    pthread_mutex_lock(&gi_pool.lock);
    gi_pool.peak = gi_pool.used;
    pthread_mutex_unlock(&gi_pool.lock);
}

void ga_memory_limit(int64_t bytes)
{
    pthread_mutex_lock(&gi_pool.lock);
    gi_pool.limit = bytes > 0 ? bytes : 0;
    pthread_mutex_unlock(&gi_pool.lock);
}

void ga_memory_trim(void)
{
    pthread_mutex_lock(&gi_pool.lock);
    gi_pool_shrink(0);
    pthread_mutex_unlock(&gi_pool.lock);
}

bool ga_set_allocator(ga_alloc_function alloc, ga_free_function release, void *user)
{
    if (!alloc != !release) {
        gi_fail("\tga_set_allocator", GA_BAD_ARGUMENT, "give both functions, or NULL for both");
        return false;
    }
    pthread_mutex_lock(&gi_pool.lock);
    bool free_to_change = gi_pool.arrays == 0 && gi_pool.used == 0;
    if (free_to_change) {
        gi_pool_shrink(0);
        gi_pool.alloc   = alloc;
        gi_pool.release = release;
        gi_pool.user    = user;
    }
    pthread_mutex_unlock(&gi_pool.lock);
    if (!free_to_change)
        gi_fail("\tga_set_allocator", GA_BAD_ARGUMENT,
                "arrays are alive: their memory could not be given back; free them first");
    return free_to_change;
}
