typedef struct gi_handle {
    ga_array          array; /* must be first */
    struct gi_handle *prev, *next;
    const char       *site;
} gi_handle;

static __thread gi_scope *gi_current_scope;
static ga_device          gi_default_device = GA_CPU;

/* The device that an option means, which may not be given. */
static ga_device gi_device_meant(ga_device device) { return device == GA_DEVICE_DEFAULT ? gi_default_device : device; }

/* Can arrays be made on that device? False with an error. */
static bool gi_device_check(const char *site, ga_device device)
{
    if (device == GA_CPU) return true;
    if (device == GA_CUDA && gi_gpu) return gi_gpu->use(site);
    if (device == GA_CUDA && gi_gpu_is_unlike)
        gi_fail(site, GA_BAD_DEVICE,
                "the GPU's part of gpuarr (GPUARR_PART=GPUARR_GPU) was compiled with other options: use the same -D for all");
    else if (device == GA_CUDA)
        gi_fail(site, GA_BAD_DEVICE, "this program was built without CUDA: build the implementation file with nvcc");
    else gi_fail(site, GA_BAD_DEVICE, "%d is no device: use GA_CPU or GA_CUDA", (int)device);
    return false;
}

void ga_set_device(ga_device device)
{
    if (gi_device_check("\tga_set_device", device)) gi_default_device = device;
}
ga_device ga_get_device(void) { return gi_default_device; }

static void gi_scope_add(gi_scope *scope, ga_array *a)
{
    a->scope = scope;
    a->prev  = NULL;
    a->next  = NULL;
    if (!scope) return;
    a->next = scope->first;
    if (scope->first) scope->first->prev = a;
    scope->first = a;
}

static void gi_scope_remove(ga_array *a)
{
    if (!a->scope) return;
    if (a->prev) a->prev->next = a->next;
    else a->scope->first = a->next;
    if (a->next) a->next->prev = a->prev;
    a->scope = NULL;
}

/* Gives back a buffer and its memory, if that is the CPU's. The lock is held. */
static void gi_buffer_give(gi_buffer *b)
{
    if (!b->wrapped && b->base) gi_pool_give(b->base, b->bytes > 0 ? b->bytes : 1);
    gi_pool_give(b, sizeof *b);
}

/* Gives up a reference: was it the last one? Then nobody else can take another meanwhile. */
static bool gi_buffer_drop(gi_buffer *b)
{
    return __atomic_load_n(&b->references, __ATOMIC_ACQUIRE) == 1 ||
           __atomic_sub_fetch(&b->references, 1, __ATOMIC_ACQ_REL) == 0;
}

static void gi_buffer_unref(gi_buffer *b)
{
    if (!b || !gi_buffer_drop(b)) return;
    if (gi_gpu) gi_gpu->finish_buffer(b);
    if (b->release) b->release(b->base, b->user);
    if (b->node) gi_deferred()->free_node(b->node);
    if (!b->wrapped && (b->device == GA_CUDA || b->memory == GI_PINNED)) {
        gi_gpu->release_buffer(b);
        b->base = NULL;
    }
    pthread_mutex_lock(&gi_pool.lock);
    gi_buffer_give(b);
    pthread_mutex_unlock(&gi_pool.lock);
}

/* Is it ordinary memory, which nobody else has to be told of? */
static bool gi_buffer_is_ordinary(const gi_buffer *b)
{
    return b && !gi_gpu && !b->release && !b->node && b->memory == GI_ORDINARY;
}

/* Lists a new handle among those of all arrays; until it is filled, it is not alive. The lock is held. */
static void gi_handle_link(void *block)
{
    gi_handle *h = (gi_handle *)block;
    __atomic_store_n(&h->array.alive, GI_DEAD, __ATOMIC_RELAXED);
    h->prev = NULL;
    h->next = gi_pool.first;
    if (h->next) h->next->prev = h;
    gi_pool.first = h;
    gi_pool.arrays++;
}

static bool gi_handle_is_filled(const gi_handle *h) { return __atomic_load_n(&h->array.alive, __ATOMIC_ACQUIRE) == GI_ALIVE; }

/* Makes an array of a listed handle, which takes over one reference to `owner`. */
static ga_array *gi_array_fill_handle(gi_handle *h, const char *site, gi_buffer *owner, void *data, ga_dtype dtype,
                                      ga_device device, int ndim, const int64_t *shape, const int64_t *strides)
{
    ga_array *a = &h->array;
    memset(a, 0, offsetof(ga_array, alive));
    a->data   = data;
    a->dtype  = dtype;
    a->device = device;
    a->ndim   = ndim;
    a->size   = gi_shape_size(ndim, shape);
    a->owner  = owner;
    for (int d = 0; d < ndim; d++) {
        a->shape[d]   = shape[d];
        a->strides[d] = strides[d];
    }
    h->site = site;
    gi_scope_add(gi_current_scope, a);
    __atomic_store_n(&a->alive, GI_ALIVE, __ATOMIC_RELEASE);
    return a;
}

/* The same with a new handle; on error the reference is given back. */
static ga_array *gi_array_new_handle(const char *site, gi_buffer *owner, void *data, ga_dtype dtype, ga_device device, int ndim,
                                     const int64_t *shape, const int64_t *strides)
{
    void        *h;
    const size_t size = sizeof(gi_handle);
    if (gi_dtype_is_stamped(site, dtype) && gi_mem_alloc_several(site, 1, &size, &h, gi_handle_link))
        return gi_array_fill_handle((gi_handle *)h, site, owner, data, dtype, device, ndim, shape, strides);
    gi_buffer_unref(owner);
    return NULL;
}

static bool gi_shape_has_0(int ndim, const int64_t *shape)
{
    for (int d = 0; d < ndim; d++)
        if (shape[d] == 0) return true;
    return false;
}

/*  Strides of a C-ordered array; returns the number of bytes, or -1 if they do not fit 63 bits. The other lengths of an array without elements
    must not be larger either, as in NumPy, and have 15 bits left: what is computed with them never overflows.                             */
static int64_t gi_shape_c_strides(ga_dtype dtype, int ndim, const int64_t *shape, int64_t *strides)
{
    const bool empty = gi_shape_has_0(ndim, shape);
    int64_t    all   = ga_itemsize(dtype);
    for (int d = ndim - 1; d >= 0; d--) {
        strides[d] = empty ? ga_itemsize(dtype) : all;
        if (shape[d] != 0 && __builtin_mul_overflow(all, shape[d], &all)) return -1;
    }
    if (empty && all >> 48) return -1;
    return empty ? 0 : all;
}

/* Is it a shape that an array can have? False with an error. */
static bool gi_shape_check(const char *site, int ndim, const int64_t *shape)
{
    if (ndim < 0 || ndim > GPUARR_MAX_DIMS)
        return gi_fail(site, GA_BAD_SHAPE, "%d dimensions; at most %d are possible (#define GPUARR_MAX_DIMS for more)", ndim,
                       GPUARR_MAX_DIMS) != NULL;
    if (ndim > 0 && !shape) return gi_fail(site, GA_BAD_ARGUMENT, "the shape of %d lengths is NULL", ndim) != NULL;
    for (int d = 0; d < ndim; d++)
        if (shape[d] < 0)
            return gi_fail(site, GA_BAD_SHAPE, "shape %s has a negative length", gi_shape_text(ndim, shape)) != NULL;
    return true;
}

/* How many elements of a dtype an array of this shape has; -1 with an error. */
static int64_t gi_count_elements(const char *site, ga_dtype dtype, int ndim, const int64_t *n)
{
    int64_t strides[GPUARR_MAX_DIMS];
    if (!gi_shape_check(site, ndim, n)) return -1;
    if (gi_shape_c_strides(dtype, ndim, n, strides) >= 0) return gi_shape_size(ndim, n);
    gi_fail(site, GA_BAD_SHAPE, "shape %s has more elements than can be counted%s", gi_shape_text(ndim, n),
            gi_shape_has_0(ndim, n) ? ", its lengths of 0 aside" : "");
    return -1;
}
static int64_t gi_shape_count(const char *site, ga_dtype dtype, const ga_shape *shape)
{
    return gi_count_elements(site, dtype, shape->ndim, shape->n);
}

/* A buffer for an array, without memory. */
static gi_buffer *gi_buffer_fill(gi_buffer *b, size_t bytes, ga_device device)
{
    memset(b, 0, sizeof *b);
    b->references = 1;
    b->bytes      = bytes;
    b->device     = device;
    return b;
}

/* The same in a GPU's memory, or in the CPU's that a GPU reaches. NULL with an error. */
static gi_buffer *gi_buffer_new_by_gpu(const char *site, size_t bytes, ga_device device, gi_memory memory)
{
    gi_buffer *b = (gi_buffer *)gi_mem_alloc(site, sizeof *b);
    if (!b) return NULL;
    gi_buffer_fill(b, bytes, device)->memory = memory;
    (void)gi_gpu->alloc_buffer(site, b);
    if (b->base) return b;
    gi_mem_release(b, sizeof *b);
    return NULL;
}

/* A new C-ordered array with any content, in memory of some kind. */
GI_SHARED ga_array *gi_array_new_in(const char *site, gi_memory memory, ga_dtype dtype, ga_device device, int ndim,
                                    const int64_t *shape)
{
    if (dtype == GA_DTYPE_DEFAULT) dtype = GA_F64;
    device = gi_device_meant(device);
    if (!gi_dtype_check(site, dtype) || !gi_device_check(site, device) || !gi_arena_check(site) ||
        !gi_shape_check(site, ndim, shape))
        return NULL;
    int64_t strides[GPUARR_MAX_DIMS], bytes = gi_shape_c_strides(dtype, ndim, shape, strides);
    if (bytes < 0)
        return (ga_array *)gi_fail(site, GA_NO_MEMORY, "shape %s of %s is more bytes than can be counted%s",
                                   gi_shape_text(ndim, shape), ga_dtype_name(dtype),
                                   gi_shape_has_0(ndim, shape) ? ", its lengths of 0 aside" : "");
    /* where there is no GPU, pinned memory is of no use, and a program that asks for it runs all the same */
    const bool pinned = device == GA_CPU && memory == GI_PINNED && gi_gpu && gi_gpu->count() > 0;
    if (device == GA_CUDA || pinned) {
        gi_buffer *b = gi_buffer_new_by_gpu(site, (size_t)bytes, device, pinned || memory == GI_MANAGED ? memory : GI_ORDINARY);
        return b ? gi_array_new_handle(site, b, b->base, dtype, device, ndim, shape, strides) : NULL;
    }
    void        *room[3];
    const size_t sizes[3] = { sizeof(gi_buffer), bytes > 0 ? (size_t)bytes : 1, sizeof(gi_handle) };
    if (!gi_dtype_is_stamped(site, dtype) || !gi_mem_alloc_several(site, 3, sizes, room, gi_handle_link)) return NULL;
    gi_buffer *b = gi_buffer_fill((gi_buffer *)room[0], (size_t)bytes, device);
    b->base      = room[1];
    return gi_array_fill_handle((gi_handle *)room[2], site, b, b->base, dtype, device, ndim, shape, strides);
}

GI_SHARED ga_array *gi_array_new(const char *site, ga_dtype dtype, ga_device device, int ndim, const int64_t *shape)
{
    return gi_array_new_in(site, GI_ORDINARY, dtype, device, ndim, shape);
}

/* Another handle on the memory of a. */
GI_SHARED ga_array *gi_array_new_view(const char *site, const ga_array *a, void *data, ga_dtype dtype, int ndim,
                                      const int64_t *shape, const int64_t *strides)
{
    if (a->owner) __atomic_add_fetch(&a->owner->references, 1, __ATOMIC_RELAXED);
    return gi_array_new_handle(site, a->owner, data, dtype, a->device, ndim, shape, strides);
}

/* Another view of a that belongs to no scope. */
static ga_array *gi_array_hold(const char *site, const ga_array *a)
{
    gi_scope *scope  = gi_current_scope;
    gi_current_scope = NULL;
    ga_array *held   = gi_array_new_view(site, a, a->data, a->dtype, a->ndim, a->shape, a->strides);
    gi_current_scope = scope;
    return held;
}

#ifdef GPUARR_STATIC
#define GI_NOR_OF_ANOTHER_FILE ", or another file made it: GPUARR_STATIC is for a program of one file"
#else
#define GI_NOR_OF_ANOTHER_FILE
#endif

/* May it be asked whether it is alive? */
static bool gi_array_is_given(const ga_array *a) { return a && a != GA_NO_ARRAY; }

/* Is `a` an array? If not: the error (none for NULL behind an earlier error: that one is told already). */
static bool gi_array_is_alive(const char *site, const ga_array *a, const char *name)
{
    if (gi_array_is_given(a) && a->alive == GI_ALIVE) return true;
    if (!a) gi_fail(site, GA_BAD_ARGUMENT, "%s is NULL: the call that should have made it failed, or it was never made", name);
    else if (a == GA_NO_ARRAY)
        gi_fail(site, GA_BAD_ARGUMENT, "%s is GA_NO_ARRAY (or GA_COLON), which stands for an array that is not given", name);
    else
        gi_fail(site, GA_BAD_ARGUMENT,
                "%s is no array: it was freed (ga_free, or the end of its ga_scope), or never made" GI_NOR_OF_ANOTHER_FILE,
                name);
    return false;
}

/* For questions about an array: of NULL the answer is no. */
static bool gi_array_is_there(const char *site, const ga_array *a) { return a && gi_array_is_alive(site, a, "the argument"); }

/* The same as gi_array_is_alive for an array whose elements the call will use, if they are there yet, be they halves or not: a copy of
   them that is still under way is waited for. */
static bool gi_array_check_half_any(const char *site, const ga_array *a, const char *name)
{
    if (!gi_array_is_alive(site, a, name) || !gi_arena_check(site)) return false;
    return !a->owner || !__atomic_load_n(&a->owner->copying, __ATOMIC_RELAXED) || gi_gpu->settle(site, a->owner);
}

/* The same for an array that must be in memory. */
static bool gi_array_check_half(const char *site, const ga_array *a, const char *name)
{
    if (!gi_array_check_half_any(site, a, name)) return false;
    if (!gi_is_deferred(a)) return true;
    gi_fail(site, GA_BAD_ARGUMENT,
            "%s is chunked, its elements are not computed yet, and this call needs them in memory: ga_compute it first", name);
    return false;
}

/* For calls that would need loops for halves: no half. */
static bool gi_array_is_no_half(const char *site, const ga_array *a, const char *name)
{
    if (!gi_is_half(a->dtype)) return true;
    gi_fail(site, GA_BAD_DTYPE, "%s is %s, which is for storage in this call: ga_astype(a, GA_F32) first", name,
            ga_dtype_name(a->dtype));
    return false;
}
static bool gi_array_check_any(const char *site, const ga_array *a, const char *name)
{
    return gi_array_check_half_any(site, a, name) && gi_array_is_no_half(site, a, name);
}
static bool gi_array_check(const char *site, const ga_array *a, const char *name)
{
    return gi_array_check_half(site, a, name) && gi_array_is_no_half(site, a, name);
}

/* While a function of the user's has it, an array of ours is lent: ga_free refuses it, and ga_keep gives a view. */
static gi_scope gi_lent;
static void     gi_array_lend(ga_array *a) { a->scope = &gi_lent; }
static void     gi_array_take_back(ga_array *a) { a->scope = NULL; }

void ga_free(ga_array *a)
{
    if (!a) return;
    if (!gi_array_is_alive("\tga_free", a, "the argument")) return;
    if (a->scope == &gi_lent) {
        gi_fail("\tga_free", GA_BAD_ARGUMENT, "the array belongs to the call that gave it to this function, and releases it");
        return;
    }
    gi_handle *h        = (gi_handle *)(void *)a;
    gi_buffer *owner    = a->owner;
    const bool ordinary = gi_buffer_is_ordinary(owner); /* then one lock does */
    gi_scope_remove(a);
    __atomic_store_n(&a->alive, GI_DEAD, __ATOMIC_RELAXED);
    pthread_mutex_lock(&gi_pool.lock);
    if (h->prev) h->prev->next = h->next;
    else gi_pool.first = h->next;
    if (h->next) h->next->prev = h->prev;
    gi_pool.arrays--;
    gi_pool_give(h, sizeof *h);
    if (ordinary && gi_buffer_drop(owner)) gi_buffer_give(owner);
    pthread_mutex_unlock(&gi_pool.lock);
    if (!ordinary) gi_buffer_unref(owner);
}

/* No array is made or freed meanwhile. */
GI_SHARED void gi_array_for_each(void (*f)(const ga_array *a, void *user), void *user)
{
    pthread_mutex_lock(&gi_pool.lock);
    for (const gi_handle *h = gi_pool.first; h; h = h->next)
        if (gi_handle_is_filled(h)) f(&h->array, user);
    pthread_mutex_unlock(&gi_pool.lock);
}

int64_t ga_report_leaks(FILE *to)
{
    pthread_mutex_lock(&gi_pool.lock);
    int64_t n = gi_pool.arrays;
    for (gi_handle *h = gi_pool.first; h && to; h = h->next) {
        char where[256];
        if (!gi_handle_is_filled(h)) continue;
        gi_error_write_site(where, sizeof where, h->site);
        fprintf(to, "%s%s %s is alive, %lld bytes%s\n", where, ga_dtype_name(h->array.dtype), gi_shape_of(&h->array),
                h->array.owner ? (long long)h->array.owner->bytes : 0LL, h->array.device == GA_CUDA ? " on the GPU" : "");
    }
    pthread_mutex_unlock(&gi_pool.lock);
    return n;
}

gi_scope *gi_scope_begin(gi_scope *s)
{
    s->outer         = gi_current_scope;
    s->first         = NULL;
    s->gi_open       = 1;
    gi_current_scope = s;
    return s;
}

void gi_scope_end(gi_scope *s)
{
    while (s->first) ga_free(s->first);
    gi_current_scope = s->outer;
}

/* What belongs to a thread, its scope and its error: put aside while the thread works on units of a run, which make arrays and errors
   of their own. */
static __thread bool
    gi_in_run; /* a call of this thread, or one that it works for, computes: functions of the program's may be on the stack */

typedef struct gi_thread_state {
    gi_scope *scope;
    ga_status status;
    bool      quiet, unread, to_print, in_run;
    char      text[sizeof gi_error_text];
} gi_thread_state;

static void gi_thread_put_aside(gi_thread_state *t)
{
    t->scope    = gi_current_scope;
    t->status   = gi_error_status;
    t->quiet    = gi_error_quiet;
    t->unread   = gi_error_unread;
    t->to_print = gi_error_to_print;
    t->in_run   = gi_in_run;
    if (t->status != GA_OK) memcpy(t->text, gi_error_text, sizeof t->text);
    gi_current_scope = NULL;
    gi_error_status  = GA_OK;
    gi_error_quiet   = true;
    gi_error_unread  = false;
    gi_in_run        = true;
}

static void gi_thread_take_back(const gi_thread_state *t)
{
    gi_current_scope  = t->scope;
    gi_error_status   = t->status;
    gi_error_quiet    = t->quiet;
    gi_error_unread   = t->unread;
    gi_error_to_print = t->to_print;
    gi_in_run         = t->in_run;
    if (t->status != GA_OK) memcpy(gi_error_text, t->text, sizeof t->text);
}

ga_array *ga_keep(ga_array *a)
{
    if (!a || !gi_array_is_alive("\tga_keep", a, "the argument")) return NULL;
    gi_scope *scope = a->scope;
    if (!scope) return a;
    if (scope == &gi_lent) return gi_array_hold("\tga_keep", a);
    gi_scope_remove(a);
    gi_scope_add(scope->outer, a);
    return a;
}
