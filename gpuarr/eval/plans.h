/* ---- formulas that were read before -------------------------------------------------------------------------------------- */
/*  A few hundred formulas are kept as they were read and planned, until ga_shutdown. A formula is found again by its text, its operands'
    names and dtypes, and .dtype. Memory that is not to be had is no error: then it is read anew.                                */

enum { GI_KEPT_FORMULAS = 256 };

/* A formula that is kept. */
typedef struct gi_kept_formula {
    int                     n; /* operands */
    uint64_t                hash;
    const char             *text, *list;
    int8_t                 *kinds; /* of the operands, and .dtype */
    gi_steps               *steps;
    gi_passes              *passes;
    struct gi_kept_formula *next; /* of those that gave way */
} gi_kept_formula;

/* Where a formula is kept. Who looks for one there is counted before, so what gives way is freed when nobody is there: calls wait for no lock. */
typedef struct gi_formula_place {
    gi_kept_formula *kept;  /* atomic */
    int              users; /* atomic */
    gi_kept_formula *gone;  /* atomic; changed under the lock */
} gi_formula_place;

static struct {
    pthread_mutex_t  lock;
    gi_formula_place place[GI_KEPT_FORMULAS];
} gi_formulas                          = { PTHREAD_MUTEX_INITIALIZER, { { NULL, 0, NULL } } };
static pthread_once_t gi_formulas_once = PTHREAD_ONCE_INIT;
static __thread int   gi_formula_uses; /* how often this thread is counted */

/* A child begins with the lock free and the formulas whole, whatever other threads were at when it was born; these are counted no more. */
static void gi_formulas_before_fork(void) { pthread_mutex_lock(&gi_formulas.lock); }
static void gi_formulas_after_fork(void) { pthread_mutex_unlock(&gi_formulas.lock); }
static void gi_formulas_in_forked_child(void)
{
    for (int k = 0; k < GI_KEPT_FORMULAS && gi_formula_uses == 0; k++)
        __atomic_store_n(&gi_formulas.place[k].users, 0, __ATOMIC_RELAXED);
    gi_formulas_after_fork();
}
static void gi_formulas_expect_forks(void)
{
    (void)pthread_atfork(gi_formulas_before_fork, gi_formulas_after_fork, gi_formulas_in_forked_child);
}

static gi_formula_place *gi_formula_place_of(uint64_t hash) { return &gi_formulas.place[hash % GI_KEPT_FORMULAS]; }

/* Frees what gave way, if nobody can have it: who comes later finds another one, or none. */
static __attribute__((noinline)) void gi_formula_clear(gi_formula_place *place)
{
    gi_kept_formula *p = NULL;
    pthread_mutex_lock(&gi_formulas.lock);
    if (__atomic_load_n(&place->users, __ATOMIC_SEQ_CST) == 0) p = __atomic_exchange_n(&place->gone, NULL, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&gi_formulas.lock);
    for (gi_kept_formula *next; p; p = next) {
        next = p->next;
        free(p);
    }
}

static void gi_formula_leave(gi_formula_place *place)
{
    gi_formula_uses--;
    if (__atomic_sub_fetch(&place->users, 1, __ATOMIC_ACQ_REL) == 0 && __atomic_load_n(&place->gone, __ATOMIC_RELAXED))
        gi_formula_clear(place);
}

/* Puts a formula, or none, in the place of what is there. The lock is the caller's. */
static void gi_formula_replace(gi_formula_place *place, gi_kept_formula *by)
{
    gi_kept_formula *old = __atomic_exchange_n(&place->kept, by, __ATOMIC_SEQ_CST);
    if (!old) return;
    old->next = place->gone;
    __atomic_store_n(&place->gone, old, __ATOMIC_RELAXED);
}

/* Forgets all formulas: ga_shutdown. */
static void gi_formulas_forget_all(void)
{
    for (int k = 0; k < GI_KEPT_FORMULAS; k++) {
        pthread_mutex_lock(&gi_formulas.lock);
        gi_formula_replace(&gi_formulas.place[k], NULL);
        pthread_mutex_unlock(&gi_formulas.lock);
        gi_formula_clear(&gi_formulas.place[k]);
    }
}

/* Fewer than eight bytes as a number, the first one lowest; a memcpy of so many would be a call. */
static inline uint64_t gi_formula_rest(const char *text, size_t n)
{
    const unsigned char *byte = (const unsigned char *)text;
    uint32_t             first, last;
    if (n == 0) return 0;
    if (n < 4) return byte[0] | (uint64_t)byte[n / 2] << n / 2 * 8 | (uint64_t)byte[n - 1] << (n - 1) * 8;
    memcpy(&first, text, sizeof first);
    memcpy(&last, text + n - sizeof last, sizeof last);
    return first | (uint64_t)last << (n - sizeof last) * 8;
}

/* FNV-1a, eight bytes at a time, the last ones together. */
static uint64_t gi_formula_hash(uint64_t hash, const char *text, size_t n)
{
    const uint64_t prime = 1099511628211u;
    uint64_t       word;
    for (; n >= sizeof word; n -= sizeof word, text += sizeof word) {
        memcpy(&word, text, sizeof word);
        hash = (hash ^ word) * prime;
        hash ^= hash >> 32;
    }
    hash = (hash ^ gi_formula_rest(text, n)) * prime;
    return hash ^ hash >> 32;
}

/* What a formula is found by. */
typedef struct gi_formula_key {
    uint64_t    hash;
    const char *text, *list;
    int         n;
    int8_t      kinds[GI_FORMULA_OPERANDS + 1]; /* the last one is .dtype */
} gi_formula_key;

/* Where no list of names is given, they stand in the text of the call, and so does the place, which every call has of its own: where that
   text lies tells calls apart. */
static void gi_formula_key_of(gi_formula_key *key, const gi_formula_text *f, size_t letters, ga_dtype dtype)
{
    key->text = f->text;
    key->list = f->list ? f->list : f->site ? f->site : "";
    key->n    = f->n;
    for (int k = 0; k < f->n; k++)
        key->kinds[k] = (int8_t)(f->operands[k].array ? (int)f->operands[k].array->dtype
                                                      : -(int)f->operands[k].kind - 16 * f->operands[k].single);
    key->kinds[f->n] = (int8_t)dtype;
    key->hash        = gi_formula_hash((uint64_t)f->n + 14695981039346656037u, f->text, letters);
    key->hash        = gi_formula_hash(key->hash, (const char *)key->kinds, (size_t)f->n + 1);
    key->hash = f->list ? gi_formula_hash(key->hash, f->list, strlen(f->list)) : key->hash ^ (uint64_t)(uintptr_t)f->site;
    key->hash ^= key->hash >> 40;
}

/* The formula if it is kept; then the caller is to leave its place. */
static gi_kept_formula *gi_formula_find(const gi_formula_key *key)
{
    gi_formula_place *place = gi_formula_place_of(key->hash);
    gi_formula_uses++;
    __atomic_add_fetch(&place->users, 1, __ATOMIC_SEQ_CST);
    gi_kept_formula *p = __atomic_load_n(&place->kept, __ATOMIC_SEQ_CST);
    if (p && p->hash == key->hash && p->n == key->n && !memcmp(p->kinds, key->kinds, (size_t)key->n + 1) &&
        !strcmp(p->text, key->text) && !strcmp(p->list, key->list))
        return p;
    gi_formula_leave(place);
    return NULL;
}

/* The copies of the formula's own numbers, for all passes: how many bytes; where there is room, they are written there. */
static size_t gi_formula_numbers(const gi_passes *passes, gi_passes *kept, char *room)
{
    enum { MOST = 1 << 17 };
    size_t bytes = 0;
    for (int i = 0; i < passes->count; i++)
        for (int k = 0; k < passes->pass[i].numbers; k++) {
            const gi_fused       *p      = &passes->pass[i];
            const gi_pass_number *number = &p->number[k];
            const int64_t         size = ga_itemsize(number->dtype), copies = number->copied ? gi_pass_tile(p, p->divides) : 1,
                          all = gi_mem_padded(copies * size) + GI_PASS_APART;
            if (!passes->typed[number->step].fixed || bytes + (size_t)all > MOST) continue;
            if (!gi_number_fits(passes->typed[number->step].value, number->dtype)) continue;
            if (room) {
                char *tile                   = room + bytes;
                kept->pass[i].number[k].tile = tile;
                gi_number_to(passes->typed[number->step].value, number->dtype, tile);
                gi_repeat((int)size, copies, tile, tile);
            }
            bytes += (size_t)all;
        }
    return bytes;
}

/* Keeps a formula in the place of another one, if there is memory. */
static void gi_formula_keep(const gi_formula_key *key, const gi_steps *steps, const gi_passes *passes)
{
    const size_t head       = (size_t)gi_mem_padded(sizeof(gi_kept_formula));
    const size_t step_bytes = offsetof(gi_steps, step) + (size_t)steps->count * sizeof *steps->step,
                 after      = (size_t)gi_mem_padded((int64_t)step_bytes);
    const size_t pass_bytes = passes->any ? offsetof(gi_passes, pass) + (size_t)passes->count * sizeof *passes->pass : 0;
    const size_t letters = strlen(key->text) + 1, names = strlen(key->list) + 1, kinds = (size_t)key->n + 1;
    const size_t before  = (size_t)gi_mem_padded((int64_t)(head + after + pass_bytes + kinds + letters + names));
    const size_t numbers = passes->any ? gi_formula_numbers(passes, NULL, NULL) : 0;
    char        *p       = (char *)aligned_alloc(GI_ALIGN, before + (size_t)gi_mem_padded((int64_t)numbers));
    if (!p) return;
    gi_kept_formula *kept   = (gi_kept_formula *)(void *)p;
    char            *behind = p + head + after + pass_bytes;
    kept->n                 = key->n;
    kept->hash              = key->hash;
    kept->steps             = (gi_steps *)memcpy(p + head, steps, step_bytes);
    kept->passes            = passes->any ? (gi_passes *)memcpy(p + head + after, passes, pass_bytes) : NULL;
    kept->kinds             = (int8_t *)memcpy(behind, key->kinds, kinds);
    kept->text              = (const char *)memcpy(behind + kinds, key->text, letters);
    kept->list              = (const char *)memcpy(behind + kinds + letters, key->list, names);
    if (kept->passes) (void)gi_formula_numbers(passes, kept->passes, p + before);
    (void)pthread_once(&gi_formulas_once, gi_formulas_expect_forks);
    gi_formula_place *place = gi_formula_place_of(key->hash);
    pthread_mutex_lock(&gi_formulas.lock);
    const bool free_place = !place->gone; /* else others use what gave way: this one waits for the next time */
    if (free_place) gi_formula_replace(place, kept);
    pthread_mutex_unlock(&gi_formulas.lock);
    if (free_place) gi_formula_clear(place);
    else free(kept);
    __atomic_store_n(&gi_eval_forget, &gi_formulas_forget_all, __ATOMIC_RELAXED);
}
