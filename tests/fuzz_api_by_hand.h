/* A part of fuzz_api.c: the calls whose arguments must fit together, or of which more must be known (BY_HAND in fuzz_api.py). */

/* ---- calls by hand ----------------------------------------------------------------------------------------------------------------- */

static void call_ga_free(void)
{
    ga_array *a = draw_array("a");
    site();
    for (int i = 0; i < SLOTS; i++)
        if (pool[i] == a) pool[i] = NULL;
    bury(a);
    end_call(true);
}

static void call_ga_index(void)
{
    char *where;
    VALUE("%s", "");
    const ga_array *a = pick_array("a");
    write_array(a);
    const char *index = draw_text("index");
    int         i = (int)some_integer("axis", false), k = (int)some_integer("axis", false);
    write_text(", %d, %d", i, k);
    where = site();
    if (index && strchr(index, '%') && !strstr(index, "%d")) index = "?"; /* a format that the compiler refuses */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
    end_array((ga_index)(where, a, index, i, k, k, i));
#pragma GCC diagnostic pop
}

static char memory[SMALL * 16];

/* A shape whose elements lie in `memory`; or one that makes no sense. */
static ga_shape shape_in_memory(ga_dtype dtype)
{
    int64_t  bytes = ga_itemsize(dtype);
    ga_shape s     = some_shape();
    for (int d = 0; d < s.ndim; d++)
        if (__builtin_mul_overflow(bytes, s.n[d], &bytes) || bytes > (int64_t)sizeof memory) s.ndim = d, bytes = 0;
    if (hostile()) s.ndim = (int)ONE_OF(-1, GPUARR_MAX_DIMS + 1, 1000, INT_MIN, INT_MAX);
    else if (s.ndim > 0 && hostile()) s.n[below(s.ndim)] = (int64_t)ONE_OF(-1, -1e18, INT64_MIN, 0);
    write_shape(s);
    return s;
}
static void *some_memory(void)
{
    bool none = hostile();
    VALUE(none ? "NULL" : "memory");
    return none ? NULL : memory;
}
static void call_ga_from(void)
{
    const void     *p     = some_memory();
    ga_dtype        dtype = (ga_dtype)draw_enum("dtype", GA_DTYPE_COUNT);
    ga_shape        s     = shape_in_memory(dtype);
    ga_from_options o     = start_ga_from_options();
    if (given("dtype")) o.dtype = (ga_dtype)draw_enum("dtype", GA_DTYPE_COUNT);
    if (given("device")) o.device = draw_device("device");
    if (given("swapped")) o.swapped = true;
    o.site = site();
    end_array((ga_from)(p, dtype, s, o));
}
/* A tensor of gpuarr's own is ended at once, or taken back. */
static ga_dl_versioned *draw_tensor(void)
{
    const ga_array      *a = pick_array("a");
    ga_to_dlpack_options o = start_ga_to_dlpack_options();
    write_array(a);
    if (given("copy")) o.copy = (ga_copy_mode)draw_enum("copy", 3);
    if (given("read_only")) o.read_only = draw_bool("read_only");
    o.site = site();
    return (ga_to_dlpack)(a, o);
}
static void call_ga_to_dlpack(void)
{
    ga_dl_versioned *t = draw_tensor();
    end_call(t != NULL);
    if (t) t->deleter(t);
}
static void call_ga_to_dlpack_unversioned(void)
{
    const ga_array      *a = pick_array("a");
    ga_to_dlpack_options o = start_ga_to_dlpack_options();
    write_array(a);
    o.site           = site();
    ga_dl_managed *t = (ga_to_dlpack_unversioned)(a, o);
    end_call(t != NULL);
    if (t) t->deleter(t);
}
/* Tensors of this kind hold one number each, and some are wrong. */
static int64_t tensor_shape[GPUARR_MAX_DIMS + 1];
static void    draw_numbers_of_tensor(ga_dl_tensor *t)
{
    memset(t, 0, sizeof *t);
    for (int d = 0; d <= GPUARR_MAX_DIMS; d++) tensor_shape[d] = 1;
    t->data               = hostile() ? NULL : memory;
    t->device.device_type = hostile() ? (int32_t)below(20) : GA_DL_CPU;
    t->ndim               = hostile() ? (int32_t)ONE_OF(-1, GPUARR_MAX_DIMS + 1, INT_MAX) : (int32_t)below(GPUARR_MAX_DIMS + 1);
    t->dtype.code         = hostile() ? (uint8_t)below(20) : 2;
    t->dtype.bits         = hostile() ? (uint8_t)below(256) : 64;
    t->dtype.lanes        = hostile() ? (uint16_t)below(5) : 1;
    t->shape              = hostile() ? NULL : tensor_shape;
    t->strides            = below(2) ? NULL : tensor_shape;
    t->byte_offset        = hostile() ? UINT64_MAX : 8 * (uint64_t)below(3);
    VALUE("a tensor of %d axes, code %d, %d bits", (int)t->ndim, t->dtype.code, t->dtype.bits);
}
static ga_from_dlpack_options from_dlpack_options(void)
{
    ga_from_dlpack_options o = start_ga_from_dlpack_options();
    if (given("copy")) o.copy = (ga_copy_mode)draw_enum("copy", 3);
    if (given("read_only")) o.read_only = draw_bool("read_only");
    o.site = site();
    return o;
}
static ga_dl_versioned tensors[64]; /* those that arrays still have lie here unread */
static void            call_ga_from_dlpack(void)
{
    ga_dl_versioned *t = &tensors[below(64)];
    memset(t, 0, sizeof *t);
    t->version.major = hostile() ? 2 : 1;
    t->flags         = below(4);
    draw_numbers_of_tensor(&t->dl_tensor);
    end_array((ga_from_dlpack)(hostile() ? NULL : t, from_dlpack_options()));
}
static ga_dl_managed managed[64];
static void          call_ga_from_dlpack_unversioned(void)
{
    ga_dl_managed *t = &managed[below(64)];
    memset(t, 0, sizeof *t);
    draw_numbers_of_tensor(&t->dl_tensor);
    end_array((ga_from_dlpack_unversioned)(hostile() ? NULL : t, from_dlpack_options()));
}
static void            released(void *p, void *user) { (void)p, (void)user; }
static ga_wrap_options wrap_options(void)
{
    ga_wrap_options o = start_ga_wrap_options();
    if (given("device")) o.device = draw_device("device");
    if (given("release")) o.release = released, VALUE("released");
    o.site = site();
    return o;
}
static void call_ga_wrap(void)
{
    void    *p     = some_memory();
    ga_dtype dtype = (ga_dtype)draw_enum("dtype", GA_DTYPE_COUNT);
    ga_shape s     = shape_in_memory(dtype);
    end_array((ga_wrap)(p, dtype, s, wrap_options()));
}
static void call_ga_wrap_strided(void)
{
    void    *p     = some_memory();
    ga_dtype dtype = (ga_dtype)draw_enum("dtype", GA_DTYPE_COUNT);
    ga_shape s     = shape_in_memory(dtype), strides;
    memset(&strides, 0, sizeof strides);
    strides.ndim = hostile() ? (int)ONE_OF(-1, GPUARR_MAX_DIMS + 1, INT_MAX) : s.ndim;
    for (int d = 0; d < s.ndim && d < GPUARR_MAX_DIMS; d++) strides.n[d] = ga_itemsize(dtype) * below(2);
    write_shape(strides);
    end_array((ga_wrap_strided)(p, dtype, s, strides, wrap_options()));
}

/* Tasks: of integers, which nobody needs to free; of arrays, with a function that frees them; and one that fails. */
static struct {
    ga_graph *graph;
    ga_task  *task[SLOTS];
    bool      arrays[SLOTS];
    int       count;
} graphs[2];

static bool add_up(ga_result *result, const ga_result *in, int n, void *user)
{
    (void)in, (void)user;
    result->integer = n;
    return true;
}
static bool make_one(ga_result *result, const ga_result *in, int n, void *user)
{
    (void)in, (void)n, (void)user;
    result->array = ga_zeros((3, 2));
    return result->array != NULL;
}
static bool no_task(ga_result *result, const ga_result *in, int n, void *user)
{
    return (void)result, (void)in, (void)n, (void)user, false;
}
static void free_result(ga_result *result) { ga_free(result->array); }

/* A graph that was freed, and a task of it. */
static ga_graph *freed_graph(ga_task **task)
{
    ga_graph *g = (ga_graph_new)("fuzz\ta graph that is freed");
    *task       = g ? ga_delayed(g, add_up, NULL) : NULL;
    graph_dies  = true;
    ga_graph_free(g);
    graph_dies = false;
    ga_clear_error(); /* of too little memory */
    return g;
}
/* Now and then, in place of g. */
static ga_graph *or_freed(ga_graph *g)
{
    ga_task *task;
    if (!hostile()) return g;
    g          = freed_graph(&task);
    dead_given = dead_given || g;
    return g;
}

static int some_graph(void) { return graphs[0].graph && (chance(60) || !graphs[1].graph) ? 0 : 1; }

static const ga_graph *draw_graph(const char *name)
{
    (void)name;
    int             i = some_graph();
    const ga_graph *g = or_freed(graphs[i].graph);
    VALUE(g == graphs[i].graph ? g ? "graph[%d]" : "NULL" : "freed", i);
    return g;
}
static void call_ga_graph_new(void)
{
    int       i = graphs[0].graph ? 1 : 0;
    ga_graph *g = (ga_graph_new)(site());
    if (graphs[i].graph) ga_graph_free(graphs[i].graph);
    memset(&graphs[i], 0, sizeof graphs[i]);
    graphs[i].graph = g;
    end_pointer(g, false);
}
static void call_ga_graph_free(void)
{
    int       i = some_graph();
    ga_graph *g = or_freed(graphs[i].graph);
    VALUE(g == graphs[i].graph ? g ? "graph[%d]" : "NULL" : "freed", i);
    site();
    ga_graph_free(g);
    if (g == graphs[i].graph) memset(&graphs[i], 0, sizeof graphs[i]);
    end_call(true);
}
static ga_graph *graph_with_tasks(int *i)
{
    *i = some_graph();
    if (!graphs[*i].graph && !hostile()) {
        graphs[*i].graph   = (ga_graph_new)("fuzz\ta new graph");
        graphs[*i].task[0] = ga_delayed(graphs[*i].graph, add_up, NULL);
        graphs[*i].count   = graphs[*i].task[0] ? 1 : 0;
    }
    ga_graph *g = or_freed(graphs[*i].graph);
    VALUE(g == graphs[*i].graph ? g ? "graph[%d]" : "NULL" : "freed", *i);
    return g;
}
static ga_task *some_task(int i)
{
    ga_task *dead = NULL;
    if (hostile()) i = !i; /* of another graph */
    if (hostile() && freed_graph(&dead) && dead) {
        dead_given = true;
        write_text("freed");
        return dead;
    }
    int k = graphs[i].count > 0 && !hostile() ? below(graphs[i].count) : -1;
    write_text(k < 0 ? "NULL" : "task[%d][%d]", i, k);
    return k < 0 ? NULL : graphs[i].task[k];
}
static void call_ga_delayed_n(void)
{
    static const ga_task_function kinds[] = { add_up, make_one, no_task, NULL };
    int                           i;
    ga_graph                     *g = graph_with_tasks(&i);
    int                           f = draw_which(4), n = graphs[i].count > 0 || hostile() ? draw_count("n") : (VALUE("0"), 0);
    ga_task                      *needs[LISTED] = { NULL };
    ga_delayed_options            o             = start_ga_delayed_options();
    VALUE("{ ");
    for (int k = 0; k < n && k < LISTED; k++) needs[k] = some_task(i), write_text(" ");
    write_text("}");
    if (given("name")) o.name = draw_text("title");
    if (f == 1) o.release = free_result;
    o.site     = site();
    ga_task *t = (ga_delayed_n)(g, kinds[f], NULL, n, hostile() ? NULL : needs, o);
    if (t && graphs[i].count < SLOTS) {
        graphs[i].arrays[graphs[i].count] = f == 1;
        graphs[i].task[graphs[i].count++] = t;
    }
    end_pointer(t, false);
}
static void adopt_result(int i, const ga_task *t, ga_result result)
{
    for (int k = 0; k < graphs[i].count; k++)
        if (graphs[i].task[k] == t && graphs[i].arrays[k]) adopt(result.array);
}
static void call_ga_run(void)
{
    int       i;
    ga_result result = { .pointer = NULL };
    ga_graph *g      = graph_with_tasks(&i);
    VALUE("%s", "");
    ga_task *t    = some_task(i);
    char    *line = (VALUE("&result"), site());
    bool     ok   = (ga_run)(g, t, &result, line);
    if (ok) adopt_result(i, t, result);
    end_bool(ok, false);
}
static void call_ga_run_n(void)
{
    int       i;
    ga_result results[LISTED] = { { .pointer = NULL } };
    ga_task  *tasks[LISTED]   = { NULL };
    ga_graph *g               = graph_with_tasks(&i);
    int       n               = draw_count("n");
    VALUE("{ ");
    for (int k = 0; k < n && k < LISTED; k++) tasks[k] = some_task(i), write_text(" ");
    write_text("}");
    char *line = site();
    bool  ok   = (ga_run_n)(g, n, hostile() ? NULL : tasks, results, line);
    for (int k = 0; ok && k < n; k++) adopt_result(i, tasks[k], results[k]);
    end_bool(ok, false);
}
