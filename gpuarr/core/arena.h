/* ---- the arena ------------------------------------------------------------------------------------------------------- */
/*  Stacks may be small: 128 KiB for a thread under musl, or what a program chooses. So tiles and other tables of some kilobytes lie in an
    arena, one for each thread, which grows like a stack and is given back when the thread ends:

        GI_ARENA(double, x, GI_BLOCK); // double *x, for so many; given back at the end of the block, as local variables are

    A call from inside (a function of ga_map_blocks may call anything) takes what lies above. No call takes more than GI_ARENA_ROOM:
    that much is made sure of when a call checks its arrays or makes one, where memory that is not to be had is an error, so
    that tasks cannot fail. It is mapped, not allocated, so that only what is touched is there.                                      */

enum { GI_ARENA_ROOM = 512 << 10, GI_ARENA_SEGMENT = 1 << 20, GI_ARENA_GAP = GI_NO_POOL ? GI_ALIGN : 0 };

typedef struct gi_segment {
    struct gi_segment *below, *above;
} gi_segment;

static __thread struct {
    char       *top;
    size_t      left; /* in this segment */
    gi_segment *segment;
} gi_arena;

static struct { /* the lock is gi_pool's */
    pthread_key_t key;
    bool          made;
} gi_arena_owners;

#if GI_NO_POOL /* AddressSanitizer sees what is used before it is taken, behind its end, or after it was given back */
#ifdef __cplusplus
extern "C" {
#endif
void __asan_poison_memory_region(void const volatile *p, size_t bytes);
void __asan_unpoison_memory_region(void const volatile *p, size_t bytes);
#ifdef __cplusplus
}
#endif
#define GI_POISON(p, bytes)   __asan_poison_memory_region(p, bytes)
#define GI_UNPOISON(p, bytes) __asan_unpoison_memory_region(p, bytes)
#else
#define GI_POISON(p, bytes)   ((void)0)
#define GI_UNPOISON(p, bytes) ((void)0)
#endif

/* From `top` to the end of the segment all is free. */
static void gi_arena_set(gi_segment *segment, char *top)
{
    gi_arena.segment = segment;
    gi_arena.top     = top;
    gi_arena.left    = (size_t)((char *)segment + GI_ARENA_SEGMENT - top);
}

/* A thread ends: its segments, from the lowest on. */
static void gi_arena_free(void *lowest)
{
    for (gi_segment *s = (gi_segment *)lowest, *above; s; s = above) {
        above = s->above;
        GI_UNPOISON(s, GI_ARENA_SEGMENT);
        munmap(s, GI_ARENA_SEGMENT);
    }
    memset(&gi_arena, 0, sizeof gi_arena);
}

/* A thread has its first segment. False: it would not be given back. */
static bool gi_arena_owned(gi_segment *lowest)
{
    pthread_mutex_lock(&gi_pool.lock);
    if (!gi_arena_owners.made) gi_arena_owners.made = pthread_key_create(&gi_arena_owners.key, gi_arena_free) == 0;
    bool made = gi_arena_owners.made;
    pthread_mutex_unlock(&gi_pool.lock);
    return made && pthread_setspecific(gi_arena_owners.key, lowest) == 0;
}

/* The next segment. False: there is no memory for it. */
static bool gi_arena_grow(void)
{
    gi_segment *below = gi_arena.segment, *s = below ? below->above : NULL;
    if (!s) {
        s = (gi_segment *)mmap(NULL, GI_ARENA_SEGMENT, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if ((void *)s == MAP_FAILED) return false;
        s->below = below;
        s->above = NULL;
        if (below) {
            below->above = s;
        } else if (!gi_arena_owned(s)) {
            munmap(s, GI_ARENA_SEGMENT);
            return false;
        }
    }
    gi_arena_set(s, (char *)s + GI_ALIGN);
    GI_POISON(gi_arena.top, gi_arena.left);
    return true;
}

/* Is there room for all that a call takes? */
static bool gi_arena_has_room(void) { return gi_arena.left >= GI_ARENA_ROOM || gi_arena_grow(); }

/* The same; if not, false with an error. */
static bool gi_arena_check(const char *site)
{
    if (gi_arena_has_room()) return true;
    gi_fail(site, GA_NO_MEMORY, "no memory for %d bytes that this thread works with: free arrays or use fewer threads",
            (int)GI_ARENA_SEGMENT);
    return false;
}

/* There is no room for what a call takes: that was not made sure of. */
static __attribute__((noinline, cold)) void gi_arena_overflows(void)
{
    if (gi_arena_grow()) return;
    fprintf(stderr, "gpuarr: no memory for %d bytes that this thread works with\n", (int)GI_ARENA_SEGMENT);
    abort(); /* there is no way back from here */
}

/* Room for `bytes` bytes, aligned to 64. */
static inline void *gi_arena_take(size_t bytes)
{
    bytes = (bytes + GI_ALIGN - 1) / GI_ALIGN * GI_ALIGN + GI_ARENA_GAP;
    if (__builtin_expect(gi_arena.left < bytes, 0)) gi_arena_overflows();
    char *p      = gi_arena.top;
    gi_arena.top = p + bytes;
    gi_arena.left -= bytes;
    GI_UNPOISON(p, bytes - GI_ARENA_GAP);
    return p;
}

/* What was taken first lies in a segment below. */
static __attribute__((noinline, cold)) void gi_arena_descend(const char *p)
{
    gi_segment *s = gi_arena.segment;
    while (p < (char *)s || p >= (char *)s + GI_ARENA_SEGMENT) s = s->below;
    gi_arena_set(s, (char *)s + GI_ARENA_SEGMENT);
}

/* Gives back what a variable points to, and all that was taken after it. */
static inline void gi_arena_give_back(void *variable)
{
    char *p;
    memcpy(&p, variable, sizeof p);
    if (__builtin_expect((uintptr_t)p - (uintptr_t)gi_arena.segment >= GI_ARENA_SEGMENT, 0)) gi_arena_descend(p);
    GI_POISON(p, (size_t)(gi_arena.top - p));
    gi_arena.left += (size_t)(gi_arena.top - p);
    gi_arena.top = p;
}

#define GI_ARENA(type, name, count)                                                                                            \
    __attribute__((cleanup(gi_arena_give_back))) type *name = (type *)gi_arena_take((size_t)(count) * sizeof(type))

/* Gives back the arena of the calling thread, which is in no call. Those of other threads are theirs until they end; afterwards none
   is given back until a thread makes its first. */
static void gi_arena_shutdown(void)
{
    gi_segment *lowest = gi_arena.segment;
    while (lowest && lowest->below) lowest = lowest->below;
    gi_arena_free(lowest);
    pthread_mutex_lock(&gi_pool.lock);
    if (gi_arena_owners.made) pthread_key_delete(gi_arena_owners.key);
    gi_arena_owners.made = false;
    pthread_mutex_unlock(&gi_pool.lock);
}
