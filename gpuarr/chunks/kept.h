/* ---- chunks that are kept --------------------------------------------------------------------------------------------- */
/*  What was worked out or unpacked whole, and asked for in part, is likely to be asked for again: the latest are kept until a call has
    computed what it computes, or memory is short.                                                                              */

typedef struct gi_unpacked {
    struct gi_unpacked *next;
    const gi_lazy      *node;
    int64_t             number;
    ga_array           *value;
} gi_unpacked;
static struct {
    pthread_mutex_t lock;
    gi_unpacked    *first; /* the latest */
    int64_t         bytes;
} gi_kept_chunks = { PTHREAD_MUTEX_INITIALIZER, NULL, 0 };

#define GI_KEPT_BYTES ((int64_t)64 << 20)

/* Lets go of what does not fit in `most` bytes, the oldest first; of `node` alone if it is given. */
static void gi_kept_shrink(const gi_lazy *node, int64_t most)
{
    gi_unpacked *gone  = NULL;
    int64_t      bytes = 0;
    pthread_mutex_lock(&gi_kept_chunks.lock);
    for (gi_unpacked **at = &gi_kept_chunks.first; *at;) {
        gi_unpacked *u    = *at;
        int64_t      size = (int64_t)u->value->owner->bytes;
        bytes += size;
        if (bytes <= most || (node && u->node != node)) {
            at = &u->next;
            continue;
        }
        bytes -= size;
        gi_kept_chunks.bytes -= size;
        *at     = u->next;
        u->next = gone;
        gone    = u;
    }
    pthread_mutex_unlock(&gi_kept_chunks.lock);
    while (gone) {
        gi_unpacked *next = gone->next;
        ga_free(gone->value);
        gi_mem_release(gone, sizeof *gone);
        gone = next;
    }
}
static void gi_kept_forget(void) { gi_kept_shrink(NULL, 0); }

/* Memory is short: lets go of all. False if there was nothing, or if this thread is about to take one of them. */
static bool gi_kept_give_up(void)
{
    if (pthread_mutex_trylock(&gi_kept_chunks.lock) != 0) return false;
    bool some = gi_kept_chunks.first != NULL;
    pthread_mutex_unlock(&gi_kept_chunks.lock);
    if (some) gi_kept_forget();
    return some;
}

static ga_array *gi_kept_find(const gi_lazy *n, int64_t number)
{
    ga_array *found = NULL;
    pthread_mutex_lock(&gi_kept_chunks.lock);
    for (gi_unpacked **at = &gi_kept_chunks.first; *at; at = &(*at)->next) {
        gi_unpacked *u = *at;
        if (u->node != n || u->number != number) continue;
        *at                  = u->next; /* to the front */
        u->next              = gi_kept_chunks.first;
        gi_kept_chunks.first = u;
        found                = gi_array_hold(n->site, u->value);
        break;
    }
    pthread_mutex_unlock(&gi_kept_chunks.lock);
    return found;
}

/* Keeps a chunk, if there is room: without memory for that everything works, slower. */
static void gi_kept_add(const gi_lazy *n, int64_t number, const ga_array *value)
{
    ga_memory m    = ga_memory_stats();
    int64_t   most = m.limit_bytes > 0 && m.limit_bytes / 4 < GI_KEPT_BYTES ? m.limit_bytes / 4 : GI_KEPT_BYTES,
            size   = (int64_t)value->owner->bytes;
    if (size > most || (m.limit_bytes > 0 && m.used_bytes > m.limit_bytes / 2)) return;
    __atomic_store_n(&gi_mem_reclaim, &gi_kept_give_up, __ATOMIC_RELAXED);
    gi_kept_shrink(NULL, most - size);
    gi_unpacked *u = (gi_unpacked *)gi_mem_alloc(n->site, sizeof *u);
    if (!u) return;
    u->node   = n;
    u->number = number;
    u->value  = gi_array_hold(n->site, value);
    if (!u->value) {
        gi_mem_release(u, sizeof *u);
        return;
    }
    pthread_mutex_lock(&gi_kept_chunks.lock);
    u->next              = gi_kept_chunks.first;
    gi_kept_chunks.first = u;
    gi_kept_chunks.bytes += size;
    pthread_mutex_unlock(&gi_kept_chunks.lock);
}
