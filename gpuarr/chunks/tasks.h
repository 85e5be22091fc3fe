/* ==== >>running tasks: graphs of functions ============================================================================ */
/*  Tasks lie in blocks that belong to their graph. A run marks what is needed, counts who waits for whom, and lets all threads take from
    one stack of tasks that are ready: the last one first, which is often one whose inputs have just been made.              */

struct ga_task {
    const ga_graph  *graph; /* whose it is; NULL: it was freed */
    ga_task_function f;
    void            *user;
    const char      *site, *name;
    void (*release)(ga_result *result);
    ga_result        result;
    struct ga_task **needs, *next, *before; /* next: in the stack; before: the task that was made before */
    int64_t          number, users;         /* users: where its users begin in the run's list */
    int32_t          n, waits, left;        /* waits: for so many (atomic); left: users that have not run (atomic) */
    uint32_t         run;                   /* the last run that needs it */
    bool             owns, given;           /* is its result an array that the run frees? has the caller got that? */
};

typedef struct gi_task_block {
    struct gi_task_block *next;
    size_t                used, room;
} gi_task_block;

struct ga_graph {
    gi_task_block *blocks;
    ga_task       *last;
    int64_t        tasks;
    uint32_t       run, alive;
};

/* Is it a graph? False with an error. */
static bool gi_graph_check(const char *site, const ga_graph *g)
{
    if (g && g->alive == GI_ALIVE) return true;
    return gi_fail(site, GA_BAD_ARGUMENT, g ? "the graph was freed (ga_graph_free), or never made" : "the graph is NULL") !=
           NULL;
}

ga_graph *(ga_graph_new)(const char *site)
{
    ga_graph *g = (ga_graph *)gi_mem_alloc(site, sizeof *g);
    if (!g) return NULL;
    memset(g, 0, sizeof *g);
    g->alive = GI_ALIVE;
    return g;
}

void ga_graph_free(ga_graph *g)
{
    if (!g || !gi_graph_check("\tga_graph_free", g)) return;
    g->alive = GI_DEAD;
    for (ga_task *t = g->last; t; t = t->before) t->graph = NULL;
    while (g->blocks) {
        gi_task_block *b = g->blocks;
        g->blocks        = b->next;
        gi_mem_release(b, b->room);
    }
    gi_mem_release(g, sizeof *g);
}

/* Memory that lives as long as the graph. */
static void *gi_graph_alloc(const char *site, ga_graph *g, size_t bytes)
{
    const size_t head = (sizeof(gi_task_block) + 15) / 16 * 16, least = (size_t)1 << 16;
    bytes = (bytes + 15) / 16 * 16;
    if (!g->blocks || g->blocks->used + bytes > g->blocks->room) {
        size_t         room = head + bytes > least ? head + bytes : least;
        gi_task_block *b    = (gi_task_block *)gi_mem_alloc(site, room);
        if (!b) return NULL;
        b->next   = g->blocks;
        b->used   = head;
        b->room   = room;
        g->blocks = b;
    }
    void *p = (char *)g->blocks + g->blocks->used;
    g->blocks->used += bytes;
    return p;
}

/* Are the n tasks there, and of this graph? */
static bool gi_tasks_are_of(const char *site, const ga_graph *g, int n, ga_task *const *tasks, const char *which)
{
    for (int k = 0; k < n; k++) {
        if (!tasks[k])
            return gi_fail(site, GA_BAD_ARGUMENT, "task %d%s is NULL: the call that should have made it failed", k, which) !=
                   NULL;
        if (tasks[k]->graph != g)
            return gi_fail(site, GA_BAD_ARGUMENT, "task %d%s %s", k, which,
                           tasks[k]->graph ? "is one of another graph" : "was freed, with its graph") != NULL;
    }
    return true;
}

ga_task *(ga_delayed_n)(ga_graph *g, ga_task_function f, void *user, int n, ga_task *const *needs, ga_delayed_options o)
{
    if (!gi_graph_check(o.site, g)) return NULL;
    if (!f) return (ga_task *)gi_fail(o.site, GA_BAD_ARGUMENT, "the function is NULL");
    if (n < 0 || (n > 0 && !needs))
        return (ga_task *)gi_fail(o.site, GA_BAD_ARGUMENT, "%d tasks are needed: give as many pointers", n);
    if (!gi_tasks_are_of(o.site, g, n, needs, " of those that are needed")) return NULL;
    const size_t letters = o.name ? strlen(o.name) + 1 : 0;
    char        *name    = letters ? (char *)gi_graph_alloc(o.site, g, letters) : NULL;
    ga_task     *t = !letters || name ? (ga_task *)gi_graph_alloc(o.site, g, sizeof *t + (size_t)n * sizeof *needs) : NULL;
    if (!t) return NULL;
    if (name) memcpy(name, o.name, letters);
    memset(t, 0, sizeof *t);
    t->graph   = g;
    t->f       = f;
    t->user    = user;
    t->site    = o.site;
    t->name    = name;
    t->release = o.release;
    t->n       = n;
    t->needs   = (ga_task **)(void *)(t + 1);
    t->before  = g->last;
    t->number  = g->tasks++;
    g->last    = t;
    for (int k = 0; k < n; k++) t->needs[k] = needs[k];
    return t;
}

/* The name that was given, else the function as it is written in the call: ga_delayed(g, load, ...). Returns its length. */
static int gi_task_name(const ga_task *t, const char **name)
{
    *name = t->name;
    if (t->name) return (int)strlen(t->name);
    int length = gi_call_name(t->site, name);
    if (!strchr(*name, ',')) return length;
    *name = strchr(*name, ',') + 1;
    *name += strspn(*name, " &");
    return (int)strcspn(*name, " ,)");
}

typedef struct gi_task_run {
    const char     *site;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t  change;
    ga_task        *ready;
    int64_t         left; /* tasks that have not run */
    bool            failed;
    ga_status       status;
    char            text[sizeof gi_error_text + 256];
    ga_task       **users;
} gi_task_run;

static void gi_task_failed(gi_task_run *r, const ga_task *t)
{
    const char *name, *place = t->site ? t->site : "";
    int         length = gi_task_name(t, &name);
    pthread_mutex_lock(&r->lock);
    if (!r->failed) {
        r->failed = true;
        r->status = gi_error_status != GA_OK ? gi_error_status : GA_STOPPED;
        snprintf(r->text, sizeof r->text, "task %lld, %.*s (%.*s), failed%s%s", (long long)t->number, length, name,
                 (int)strcspn(place, "\t"), place, gi_error_status != GA_OK ? ": " : "",
                 gi_error_status != GA_OK ? gi_error_text : "");
    }
    pthread_cond_broadcast(&r->change);
    pthread_mutex_unlock(&r->lock);
}

/* For the trace and the report. The name may be gone when they are written. */
static void gi_note_task(const ga_task *t, double start)
{
    const char *name;
    int         length = gi_task_name(t, &name);
    gi_event    e = { t->site, false, "", gi_thread_number(), 0, t->number, ga_memory_stats().used_bytes, start, ga_now() };
    snprintf(e.name, sizeof e.name, "%.*s", length, name);
    for (char *c = e.name; *c; c++)
        if (*c < ' ' || *c > '~' || strchr("\"\\<>&", *c)) *c = '_'; /* JSON and HTML would read them otherwise */
    gi_keep_event(&e);
}

/* An array that a task has made, or was given by a task that had, and that is its result, outlives the scope and belongs to the task: in
   the second case by a view of its own. False with an error. (Any other result is not known to be an array.) */
static bool gi_task_take_result(ga_task *t, gi_scope *scope)
{
    ga_array *a = scope->first;
    t->owns     = false;
    for (int k = 0; k < t->n && !t->owns; k++) t->owns = t->needs[k]->owns && t->needs[k]->result.array == t->result.array;
    if (t->owns) return (t->result.array = ga_keep((ga_view)(t->result.array, t->site))) != NULL;
    while (a && a != t->result.array) a = a->next;
    t->owns = a != NULL;
    if (a) ga_keep(a);
    return true;
}

/* Nobody needs the result any more. */
static void gi_task_release(ga_task *t)
{
    if (t->release) t->release(&t->result);
    else if (t->owns) ga_free(t->result.array);
}

/* Copies the results for the caller, who gets an array that he asks for twice as two views. False with an error: then none is left. */
static bool gi_tasks_give(int n, ga_task *const *tasks, ga_result *results)
{
    int k = 0;
    for (int i = 0; i < n; i++) tasks[i]->given = false;
    for (; k < n; k++) {
        results[k] = tasks[k]->result;
        if (tasks[k]->given && !(results[k].array = (ga_view)(results[k].array, tasks[k]->site))) break;
        tasks[k]->given = tasks[k]->owns;
    }
    for (int i = 0; i < k && k < n; i++)
        if (tasks[i]->owns) ga_free(results[i].array);
        else gi_task_release(tasks[i]);
    return k == n;
}

static bool gi_task_do(ga_task *t)
{
    ga_result    few[16], *in = few;
    const size_t bytes = (size_t)t->n * sizeof *in;
    const double start = gi_is_watched() ? ga_now() : 0;
    if (t->n > 16) in = (ga_result *)gi_mem_alloc(t->site, bytes);
    if (!in) return false;
    for (int k = 0; k < t->n; k++) in[k] = t->needs[k]->result;
    gi_scope scope;
    gi_scope_begin(&scope);
    bool ok = t->f(&t->result, in, t->n, t->user);
    ok      = ok && gi_task_take_result(t, &scope);
    gi_scope_end(&scope);
    if (in != few) gi_mem_release(in, bytes);
    if (ok) gi_error_left_behind();
    if (gi_is_watched()) gi_note_task(t, start);
    return ok;
}

enum { GI_TASK_RAN = -1 };

/* A thread's part: takes tasks that are ready until all are done. */
static void gi_take_tasks(int64_t begin, int64_t end, void *job)
{
    gi_task_run    *r = (gi_task_run *)job;
    gi_thread_state aside;
    (void)begin, (void)end;
    gi_thread_put_aside(&aside);
    pthread_mutex_lock(&r->lock);
    for (;;) {
        while (!r->ready && r->left > 0 && !r->failed) pthread_cond_wait(&r->change, &r->lock);
        if (r->left == 0 || r->failed) break;
        ga_task *t = r->ready, *next = NULL;
        r->ready = t->next;
        pthread_mutex_unlock(&r->lock);
        int64_t done = 0;
        for (; t; t = next) { /* whoever was waiting for this one alone comes at once */
            next = NULL;
            if (!gi_task_do(t)) {
                gi_task_failed(r, t);
                break;
            }
            done++;
            t->waits = GI_TASK_RAN;
            for (int k = 0; k < t->n; k++)
                if (__atomic_sub_fetch(&t->needs[k]->left, 1, __ATOMIC_ACQ_REL) == 0) gi_task_release(t->needs[k]);
            ga_task *more = NULL;
            for (ga_task **u = r->users + t->users; *u; u++) {
                if (__atomic_sub_fetch(&(*u)->waits, 1, __ATOMIC_ACQ_REL) > 0) continue;
                if (!next) {
                    next = *u;
                    continue;
                }
                (*u)->next = more;
                more       = *u;
            }
            if (!more) continue;
            pthread_mutex_lock(&r->lock);
            while (more) {
                ga_task *u = more;
                more       = u->next;
                u->next    = r->ready;
                r->ready   = u;
            }
            pthread_cond_broadcast(&r->change);
            pthread_mutex_unlock(&r->lock);
        }
        pthread_mutex_lock(&r->lock);
        r->left -= done;
        if (r->left == 0) pthread_cond_broadcast(&r->change);
    }
    pthread_mutex_unlock(&r->lock);
    gi_thread_take_back(&aside);
}

/* Marks what the tasks need, without recursion: `list` gets it all, and has room for every task of the graph. Returns how many. */
static int64_t gi_needed_tasks(ga_graph *g, int n, ga_task *const *tasks, ga_task **list)
{
    int64_t m = 0;
    g->run++;
    for (int k = 0; k < n; k++) {
        if (tasks[k]->run == g->run) continue;
        tasks[k]->run = g->run;
        list[m++]     = tasks[k];
    }
    for (int64_t i = 0; i < m; i++)
        for (int k = 0; k < list[i]->n; k++) {
            ga_task *t = list[i]->needs[k];
            if (t->run == g->run) continue;
            t->run    = g->run;
            list[m++] = t;
        }
    return m;
}

bool(ga_run_n)(ga_graph *g, int n, ga_task *const *tasks, ga_result *results, const char *site)
{
    if (!gi_graph_check(site, g)) return false;
    if (n < 0 || (n > 0 && (!tasks || !results)))
        return gi_fail(site, GA_BAD_ARGUMENT, "%d tasks: give as many pointers, and room for as many results", n) != NULL;
    if (!gi_tasks_are_of(site, g, n, tasks, "")) return false;
    if (n == 0) return true;
    gi_task_run r;
    memset(&r, 0, sizeof r);
    r.site           = site;
    size_t    bytes  = (size_t)g->tasks * sizeof(ga_task *), edge_bytes;
    ga_task **needed = (ga_task **)gi_mem_alloc(site, bytes);
    if (!needed) return false;
    r.left              = gi_needed_tasks(g, n, tasks, needed);
    const int64_t m     = r.left;
    int64_t       edges = 0, at = 0;
    for (int64_t i = 0; i < m; i++) {
        needed[i]->waits = needed[i]->n;
        needed[i]->left  = 0;
        edges += needed[i]->n;
    }
    edge_bytes = (size_t)(edges + m) * sizeof(ga_task *);
    r.users    = (ga_task **)gi_mem_alloc(site, edge_bytes);
    if (!r.users) {
        gi_mem_release(needed, bytes);
        return false;
    }
    for (int64_t i = 0; i < m; i++)
        for (int k = 0; k < needed[i]->n; k++) needed[i]->needs[k]->left++;
    for (int64_t i = 0; i < m; i++) { /* the users of each, and a NULL behind them */
        needed[i]->users = at;
        at += needed[i]->left;
        r.users[at++]   = NULL;
        needed[i]->left = 0;
    }
    for (int64_t i = 0; i < m; i++)
        for (int k = 0; k < needed[i]->n; k++) {
            ga_task *t                    = needed[i]->needs[k];
            r.users[t->users + t->left++] = needed[i];
        }
    for (int64_t i = 0; i < m; i++) { /* what was asked for last lies on top: it was found first */
        if (needed[i]->n > 0) continue;
        needed[i]->next = r.ready;
        r.ready         = needed[i];
    }
    for (int k = 0; k < n; k++) tasks[k]->left++; /* the caller's */
    pthread_mutex_init(&r.lock, NULL);
    pthread_cond_init(&r.change, NULL);
    gi_watch_begins();
    gi_parallel(ga_get_num_threads(), 1, gi_take_tasks, &r);
    gi_watch_ends();
    pthread_cond_destroy(&r.change);
    pthread_mutex_destroy(&r.lock);
    for (int64_t i = 0; i < m && r.failed; i++)
        if (needed[i]->waits == GI_TASK_RAN && needed[i]->left > 0) gi_task_release(needed[i]);
    gi_mem_release(r.users, edge_bytes);
    gi_mem_release(needed, bytes);
    if (r.failed) gi_fail(site, r.status, "%s", r.text);
    return !r.failed && gi_tasks_give(n, tasks, results);
}

bool(ga_run)(ga_graph *g, ga_task *task, ga_result *result, const char *site) { return (ga_run_n)(g, 1, &task, result, site); }

bool(ga_graph_visualize)(const ga_graph *g, const char *path, ga_visualize_options o)
{
    if (!gi_graph_check(o.site, g)) return false;
    gi_drawing d;
    int64_t    most = o.tasks;
    memset(&d, 0, sizeof d);
    d.site = o.site;
    d.by   = o.color;
    if (g->tasks > most) {
        gi_fail(o.site, GA_BAD_ARGUMENT,
                "%lld tasks are too many for a picture: give .tasks = %lld if you want it all the same", (long long)g->tasks,
                (long long)g->tasks);
        return false;
    }
    size_t          bytes = (size_t)(g->tasks + 1) * sizeof(ga_task *);
    const ga_task **order = (const ga_task **)gi_mem_alloc(o.site, bytes);
    if (!order) return false;
    for (const ga_task *t = g->last; t; t = t->before) order[t->number] = t;
    for (int64_t i = 0; i < g->tasks && !d.failed; i++) {
        const char *name;
        int64_t     v = gi_add_vertex(&d, NULL, NULL, -1);
        if (d.failed) break;
        d.vertex[v].name_length = gi_task_name(order[i], &name);
        d.vertex[v].name        = name;
        for (int k = 0; k < order[i]->n; k++) gi_add_edge(&d, order[i]->needs[k]->number, i);
    }
    gi_mem_release(order, bytes);
    return gi_write_drawing(&d, path);
}
