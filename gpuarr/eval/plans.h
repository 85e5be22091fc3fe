/* ---- formulas that were read before -------------------------------------------------------------------------------------- */
/*  A few hundred formulas are kept as they were read, until ga_shutdown. A formula is found again by its text and its operands' names and
    number. Memory that is not to be had is no error: then it is read anew.                                                    */

enum { GI_KEPT_FORMULAS = 256 };

/* A formula that is kept; it is freed by the last who uses it. */
typedef struct gi_kept_formula {
    int         users; /* atomic; the place where it is kept counts as one */
    int         n;     /* operands */
    uint64_t    hash;
    const char *text, *list; /* of the operands' names; NULL: none */
    gi_steps   *steps;
} gi_kept_formula;

static struct {
    pthread_mutex_t  lock;
    gi_kept_formula *place[GI_KEPT_FORMULAS];
} gi_formulas = { PTHREAD_MUTEX_INITIALIZER, { NULL } };

static void gi_formula_release(gi_kept_formula *p)
{
    if (p && __atomic_sub_fetch(&p->users, 1, __ATOMIC_ACQ_REL) == 0) free(p);
}

/* Forgets all formulas: ga_shutdown. */
static void gi_formulas_forget_all(void)
{
    for (int k = 0; k < GI_KEPT_FORMULAS; k++) {
        pthread_mutex_lock(&gi_formulas.lock);
        gi_kept_formula *p   = gi_formulas.place[k];
        gi_formulas.place[k] = NULL;
        pthread_mutex_unlock(&gi_formulas.lock);
        gi_formula_release(p);
    }
}

/* FNV-1a, eight bytes at a time. */
static uint64_t gi_formula_hash(uint64_t hash, const char *text, size_t n)
{
    const uint64_t prime = 1099511628211u;
    uint64_t       word;
    for (; n >= sizeof word; n -= sizeof word, text += sizeof word) {
        memcpy(&word, text, sizeof word);
        hash = (hash ^ word) * prime;
        hash ^= hash >> 32;
    }
    for (; n > 0; n--, text++) hash = (hash ^ (unsigned char)*text) * prime;
    return hash;
}

static bool gi_list_same(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

/* The formula if it is kept, and then for the caller to release. */
static gi_kept_formula *gi_formula_find(uint64_t hash, const char *text, const char *list, int n)
{
    pthread_mutex_lock(&gi_formulas.lock);
    gi_kept_formula *p = gi_formulas.place[hash % GI_KEPT_FORMULAS];
    if (p && p->hash == hash && p->n == n && !strcmp(p->text, text) && gi_list_same(p->list, list))
        __atomic_add_fetch(&p->users, 1, __ATOMIC_RELAXED);
    else p = NULL;
    pthread_mutex_unlock(&gi_formulas.lock);
    return p;
}

/* Keeps a formula in the place of another one, if there is memory. */
static void gi_formula_keep(uint64_t hash, const char *text, const char *list, int n, const gi_steps *steps)
{
    const size_t head = sizeof(gi_kept_formula), bytes = offsetof(gi_steps, step) + (size_t)steps->count * sizeof *steps->step;
    const size_t letters = strlen(text) + 1, names = list ? strlen(list) + 1 : 0;
    gi_kept_formula *p = (gi_kept_formula *)malloc(head + bytes + letters + names);
    if (!p) return;
    char *behind = (char *)p + head;
    p->users     = 1;
    p->n         = n;
    p->hash      = hash;
    p->steps     = (gi_steps *)(void *)behind;
    p->text      = (const char *)memcpy(behind + bytes, text, letters);
    p->list      = list ? (const char *)memcpy(behind + bytes + letters, list, names) : NULL;
    memcpy(behind, steps, bytes);
    pthread_mutex_lock(&gi_formulas.lock);
    gi_kept_formula **place = &gi_formulas.place[hash % GI_KEPT_FORMULAS], *old = *place;
    *place = p;
    pthread_mutex_unlock(&gi_formulas.lock);
    gi_formula_release(old);
    __atomic_store_n(&gi_eval_forget, &gi_formulas_forget_all, __ATOMIC_RELAXED);
}
