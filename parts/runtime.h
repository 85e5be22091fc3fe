/* ==== >>runtime: errors, dtypes, memory, scopes, threads ========================================================== */

#include <errno.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* Under -std=c11 with a system header included before this one, these are hidden though they are there. */
#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS 0x20
extern int madvise(void *, size_t, int);
#endif
#ifndef MADV_HUGEPAGE
#define MADV_HUGEPAGE 14
#endif
#ifndef CLOCK_MONOTONIC
#define CLOCK_MONOTONIC 1
extern int clock_gettime(int, struct timespec *);
#endif

#ifdef __FAST_MATH__
#error "gpuarr: compile the file with GPUARR_IMPLEMENTATION without -ffast-math: it breaks NaN and the promise of equal bits"
#endif

#if defined(__SANITIZE_ADDRESS__)
#define GI_NO_POOL 1 /* so that AddressSanitizer sees every release */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GI_NO_POOL 1
#endif
#endif
#ifndef GI_NO_POOL
#define GI_NO_POOL 0
#endif

/* ---- errors ------------------------------------------------------------------------------------------------------ */

static __thread char      gi_error_text[1024];
static __thread ga_status gi_error_status;
static ga_error_handler   gi_error_handler;
static void              *gi_error_user;

const char *ga_error(void) { return gi_error_status == GA_OK ? NULL : gi_error_text; }
ga_status   ga_error_status(void) { return gi_error_status; }
void        ga_clear_error(void) { gi_error_status = GA_OK; }
void        ga_ignore_error(ga_status status, const char *sentence, void *user)
{
    (void)status, (void)sentence, (void)user;
}

void ga_set_error_handler(ga_error_handler handler, void *user)
{
    gi_error_handler = handler;
    gi_error_user    = user;
}

/* Writes "main.c:12: ga_add(a, b): " from a site "main.c:12\tga_add(a, b)"; a long call is cut. Returns the length. */
static int gi_write_site(char *to, size_t room, const char *site)
{
    enum { LONGEST_CALL = 120 };
    if (!site || !*site) return snprintf(to, room, "gpuarr: ");
    const char *call = strchr(site, '\t');
    if (!call) return snprintf(to, room, "%.*s: ", LONGEST_CALL, site);
    const char *cut = strlen(call + 1) > LONGEST_CALL ? "..." : "";
    return snprintf(to, room, "%.*s: %.*s%s: ", (int)(call - site), site, LONGEST_CALL, call + 1, cut);
}

/* Keeps the first error of this thread as a sentence and reports it. Always returns NULL. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static void *gi_fail(const char *site, ga_status status, const char *format, ...)
{
    if (gi_error_status != GA_OK) return NULL;
    gi_error_status = status;
    int     used = gi_write_site(gi_error_text, sizeof gi_error_text, site);
    va_list args;
    va_start(args, format);
    if (used >= 0 && (size_t)used < sizeof gi_error_text)
        vsnprintf(gi_error_text + used, sizeof gi_error_text - (size_t)used, format, args);
    va_end(args);
    if (gi_error_handler)
        gi_error_handler(status, gi_error_text, gi_error_user);
    else
        fprintf(stderr, "gpuarr: %s\n", gi_error_text);
    return NULL;
}

/* "(3, 4)" for messages; the text lives in one of a few buffers of this thread, so one message may hold several. */
static const char *gi_shape_text(int ndim, const int64_t *n)
{
    enum { BUFFERS = 4, ROOM = 24 * GPUARR_MAX_DIMS + 4 };
    static __thread char text[BUFFERS][ROOM];
    static __thread int  turn;
    char                *s    = text[turn = (turn + 1) % BUFFERS];
    int                  used = snprintf(s, ROOM, "(");
    for (int d = 0; d < ndim; d++)
        used += snprintf(s + used, (size_t)(ROOM - used), d ? ", %lld" : "%lld", (long long)n[d]);
    snprintf(s + used, (size_t)(ROOM - used), ndim == 1 ? ",)" : ")");
    return s;
}
static const char *gi_shape_of(const ga_array *a) { return gi_shape_text(a->ndim, a->shape); }

/* Was an option written in the call? `site` holds the call's text; the name is looked for between its outermost parentheses
   only, so that the options of calls inside the arguments do not count. */
static bool gi_option_given(const char *site, const char *name)
{
    const char *p = site ? strchr(site, '\t') : NULL;
    if (!p) return false;
    size_t length = strlen(name);
    int    depth  = 0;
    for (; *p; p++) {
        if (*p == '(' || *p == '[' || *p == '{') depth++;
        if (*p == ')' || *p == ']' || *p == '}') depth--;
        if (*p == '"' || *p == '\'') { /* a literal: to its end */
            char quote = *p++;
            while (*p && *p != quote) p += *p == '\\' && p[1] ? 2 : 1;
            if (!*p) break;
        }
        if (depth != 1 || *p != '.' || strncmp(p + 1, name, length) != 0) continue;
        char after = p[1 + length];
        if (after == ' ' || after == '=' || after == '\t') return true;
    }
    return false;
}

/* ---- dtypes ------------------------------------------------------------------------------------------------------ */

static const char *const gi_dtype_names[] = { "none",
#define GI_ENTRY(TAG, tag, T, name) name,
                                              GI_EACH_DTYPE(GI_ENTRY)
#undef GI_ENTRY
};
static const int gi_itemsizes[] = { 0,
#define GI_ENTRY(TAG, tag, T, name) (int)sizeof(T),
                                    GI_EACH_DTYPE(GI_ENTRY)
#undef GI_ENTRY
};

static bool gi_is_dtype(ga_dtype d) { return d > GA_DTYPE_DEFAULT && d < GA_DTYPE_COUNT; }
static bool gi_is_int(ga_dtype d) { return d >= GA_I8 && d <= GA_U64; }
static bool gi_is_signed(ga_dtype d) { return d == GA_I8 || d == GA_I16 || d == GA_I32 || d == GA_I64; }
static bool gi_is_unsigned(ga_dtype d) { return d == GA_U8 || d == GA_U16 || d == GA_U32 || d == GA_U64; }
static bool gi_is_float(ga_dtype d) { return d == GA_F32 || d == GA_F64; }
static bool gi_is_complex(ga_dtype d) { return d == GA_C64 || d == GA_C128; }
/* The dtype of the real part. */
static ga_dtype gi_real_dtype(ga_dtype d) { return d == GA_C64 ? GA_F32 : d == GA_C128 ? GA_F64 : d; }

const char *ga_dtype_name(ga_dtype d) { return gi_is_dtype(d) ? gi_dtype_names[d] : "?"; }
int64_t     ga_itemsize(ga_dtype d) { return gi_is_dtype(d) ? gi_itemsizes[d] : 0; }

ga_dtype ga_promote(ga_dtype a, ga_dtype b)
{
    if (!gi_is_dtype(a) || !gi_is_dtype(b)) return GA_DTYPE_DEFAULT;
    if (a > b) { /* bool, then integers by size, floats, complex */
        ga_dtype t = a;
        a          = b;
        b          = t;
    }
    if (a == b || a == GA_BOOL) return b;
    if (gi_is_int(b)) {
        if (gi_is_signed(a) == gi_is_signed(b)) return b; /* same signedness: the larger one comes later */
        ga_dtype s = gi_is_signed(a) ? a : b, u = gi_is_signed(a) ? b : a;
        if (ga_itemsize(s) > ga_itemsize(u)) return s;
        switch (u) {
        case GA_U8: return GA_I16;
        case GA_U16: return GA_I32;
        case GA_U32: return GA_I64;
        default: return GA_F64;
        }
    }
    bool wide = gi_is_int(a) ? ga_itemsize(a) >= 4 : a == GA_F64 || a == GA_C128; /* does a need 53 bits? */
    if (b == GA_F32) return wide ? GA_F64 : GA_F32;
    if (b == GA_C64) return wide ? GA_C128 : GA_C64;
    return b;
}

bool ga_can_cast(ga_dtype from, ga_dtype to) { return gi_is_dtype(from) && ga_promote(from, to) == to; }

/* bool 0, integers 1, floats 2, complex 3: a result may be written into an array of the same kind or a later one. */
static int  gi_kind_of(ga_dtype d) { return d == GA_BOOL ? 0 : gi_is_int(d) ? 1 : gi_is_float(d) ? 2 : 3; }
static bool gi_same_kind(ga_dtype from, ga_dtype to)
{
    if (gi_is_signed(from) && gi_is_unsigned(to)) return false; /* as NumPy's same_kind */
    return gi_kind_of(from) <= gi_kind_of(to);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */
/*  Everything that lives longer than a call and everything large comes from gi_alloc. Blocks that are given back are kept in
    lists by size class, because fresh pages cost more than most operations on them; classes are powers of two in quarter steps.
    With a user's allocator, or under AddressSanitizer, nothing is kept.                                                     */

enum { GI_ALIGN = 64, GI_CLASSES = 4 * 48 };
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
static int gi_size_class(size_t bytes, size_t *rounded)
{
    int power = 8;
    while (power < 47 && ((size_t)1 << power) < bytes) power++;
    size_t top = (size_t)1 << power, step = top / 8; /* between top / 2 and top: four steps */
    int    quarter = 4;
    while (quarter > 1 && top - step >= bytes && power > 8) {
        top -= step;
        quarter--;
    }
    *rounded = top;
    return 4 * power + quarter - 4;
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
    if (bytes < GI_FROM_MMAP)
        free(p);
    else
        munmap(p, bytes);
}

/* Gives kept blocks back to the system until at most `keep` bytes are left. The lock is held. */
static void gi_pool_shrink(int64_t keep)
{
    for (int c = GI_CLASSES - 1; c >= 0 && gi_pool.kept > keep; c--)
        while (gi_pool.ready[c] && gi_pool.kept > keep) {
            gi_block *block  = gi_pool.ready[c];
            size_t    top    = (size_t)1 << (c / 4), bytes = top - top / 8 * (size_t)(3 - c % 4);
            gi_pool.ready[c] = block->next;
            gi_pool.kept -= (int64_t)bytes;
            gi_system_free(block, bytes);
        }
}

/* `bytes` bytes aligned to 64, or NULL with an error sentence. Give them back with gi_release(p, bytes). */
static void *gi_alloc(const char *site, size_t bytes)
{
    if (bytes == 0) bytes = 1;
    if (bytes > (size_t)1 << 46)
        return gi_fail(site, GA_NO_MEMORY, "%zu bytes are more than any machine has: check the shape", bytes);
    size_t rounded;
    int    class_ = gi_size_class(bytes, &rounded);
    void  *p      = NULL;
    pthread_mutex_lock(&gi_pool.lock);
    bool over = gi_pool.limit > 0 && gi_pool.used + (int64_t)bytes > gi_pool.limit;
    if (!over && gi_pool.alloc) {
        p = gi_pool.alloc(bytes, gi_pool.user);
    } else if (!over && GI_NO_POOL) {
        p = gi_system_alloc(bytes);
    } else if (!over) {
        if (gi_pool.ready[class_]) {
            p                     = gi_pool.ready[class_];
            gi_pool.ready[class_] = gi_pool.ready[class_]->next;
            gi_pool.kept -= (int64_t)rounded;
        } else {
            p = gi_system_alloc(rounded);
            if (!p) {
                gi_pool_shrink(0);
                p = gi_system_alloc(rounded);
            }
        }
    }
    if (p) {
        gi_pool.used += (int64_t)bytes;
        if (gi_pool.used > gi_pool.peak) gi_pool.peak = gi_pool.used;
    }
    int64_t used = gi_pool.used, limit = gi_pool.limit;
    pthread_mutex_unlock(&gi_pool.lock);
    if (over)
        return gi_fail(site, GA_NO_MEMORY,
                       "%zu bytes more would pass the limit of %lld bytes (%lld are in use): free arrays or raise ga_memory_limit",
                       bytes, (long long)limit, (long long)used);
    if (!p)
        return gi_fail(site, GA_NO_MEMORY, "no memory for %zu bytes (%lld are in use in arrays): free arrays or use smaller ones",
                       bytes, (long long)used);
    return p;
}

static void gi_release(void *p, size_t bytes)
{
    if (!p) return;
    if (bytes == 0) bytes = 1;
    size_t rounded;
    int    class_ = gi_size_class(bytes, &rounded);
    pthread_mutex_lock(&gi_pool.lock);
    gi_pool.used -= (int64_t)bytes;
    if (gi_pool.release) {
        gi_pool.release(p, bytes, gi_pool.user);
    } else if (GI_NO_POOL) {
        gi_system_free(p, bytes);
    } else {
        gi_block *block       = (gi_block *)p;
        block->next           = gi_pool.ready[class_];
        gi_pool.ready[class_] = block;
        gi_pool.kept += (int64_t)rounded;
        if (gi_pool.kept > GI_POOL_KEEPS) gi_pool_shrink(GI_POOL_KEEPS / 2);
    }
    pthread_mutex_unlock(&gi_pool.lock);
}

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
        gi_fail("\tga_set_allocator", GA_BAD_ARGUMENT, "arrays are alive: their memory could not be given back; free them first");
    return free_to_change;
}

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

enum { GI_ALIVE = 0x6A5EA11Eu % 0x7FFFFFFF, GI_DEAD = 0x0DEADA55 };

struct gi_buffer {
    int64_t references; /* atomic */
    void   *base;
    size_t  bytes;
    void (*release)(void *p, void *user); /* wrapped memory: told when the last view is gone */
    void *user;
    bool  wrapped;
};

typedef struct gi_handle {
    ga_array          array; /* must be first */
    struct gi_handle *prev, *next;
    const char       *site;
} gi_handle;

static __thread gi_scope *gi_current_scope;
static ga_device          gi_default_device = GA_CPU;

void      ga_set_device(ga_device device)
{
    if (device == GA_CPU) {
        gi_default_device = device;
        return;
    }
    gi_fail("\tga_set_device", GA_BAD_DEVICE, "this program was built without CUDA: build the implementation file with nvcc");
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
    if (a->prev)
        a->prev->next = a->next;
    else
        a->scope->first = a->next;
    if (a->next) a->next->prev = a->prev;
    a->scope = NULL;
}

static void gi_buffer_unref(gi_buffer *b)
{
    if (!b || __atomic_sub_fetch(&b->references, 1, __ATOMIC_ACQ_REL) > 0) return;
    if (b->release) b->release(b->base, b->user);
    if (!b->wrapped) gi_release(b->base, b->bytes);
    gi_release(b, sizeof *b);
}

/* A handle without memory, filled from the arguments; it takes over one reference to `owner` (gives it back on error). */
static ga_array *gi_new_handle(const char *site, gi_buffer *owner, void *data, ga_dtype dtype, ga_device device, int ndim,
                               const int64_t *shape, const int64_t *strides)
{
    gi_handle *h = (gi_handle *)gi_alloc(site, sizeof *h);
    if (!h) {
        gi_buffer_unref(owner);
        return NULL;
    }
    memset(h, 0, sizeof *h);
    ga_array *a = &h->array;
    a->data     = data;
    a->dtype    = dtype;
    a->device   = device;
    a->ndim     = ndim;
    a->size     = 1;
    a->owner    = owner;
    a->alive    = GI_ALIVE;
    for (int d = 0; d < ndim; d++) {
        a->shape[d]   = shape[d];
        a->strides[d] = strides[d];
        a->size *= shape[d];
    }
    h->site = site;
    gi_scope_add(gi_current_scope, a);
    pthread_mutex_lock(&gi_pool.lock);
    h->next = gi_pool.first;
    if (h->next) h->next->prev = h;
    gi_pool.first = h;
    gi_pool.arrays++;
    pthread_mutex_unlock(&gi_pool.lock);
    return a;
}

/* Strides of a C-ordered array; returns the number of bytes, or -1 if they do not fit 63 bits. */
static int64_t gi_c_strides(ga_dtype dtype, int ndim, const int64_t *shape, int64_t *strides)
{
    int64_t bytes = ga_itemsize(dtype);
    bool    empty = false;
    for (int d = 0; d < ndim; d++)
        if (shape[d] == 0) empty = true;
    for (int d = ndim - 1; d >= 0; d--) {
        strides[d] = bytes;
        if (!empty && __builtin_mul_overflow(bytes, shape[d], &bytes)) return -1;
    }
    return empty ? 0 : bytes;
}

/* A new C-ordered array with any content. */
static ga_array *gi_new(const char *site, ga_dtype dtype, ga_device device, int ndim, const int64_t *shape)
{
    if (dtype == GA_DTYPE_DEFAULT) dtype = GA_F64;
    if (device == GA_DEVICE_DEFAULT) device = gi_default_device;
    if (!gi_is_dtype(dtype)) return (ga_array *)gi_fail(site, GA_BAD_DTYPE, "%d is not a dtype: use GA_F64, GA_I32 ...", (int)dtype);
    if (device != GA_CPU)
        return (ga_array *)gi_fail(site, GA_BAD_DEVICE, "this program was built without CUDA: build the implementation file with nvcc");
    if (ndim < 0 || ndim > GPUARR_MAX_DIMS)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "%d dimensions; at most %d are possible (#define GPUARR_MAX_DIMS for more)",
                                   ndim, GPUARR_MAX_DIMS);
    for (int d = 0; d < ndim; d++)
        if (shape[d] < 0)
            return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "shape %s has a negative length", gi_shape_text(ndim, shape));
    int64_t strides[GPUARR_MAX_DIMS], bytes = gi_c_strides(dtype, ndim, shape, strides);
    if (bytes < 0)
        return (ga_array *)gi_fail(site, GA_NO_MEMORY, "shape %s of %s is more bytes than can be counted", gi_shape_text(ndim, shape),
                                   ga_dtype_name(dtype));
    gi_buffer *b = (gi_buffer *)gi_alloc(site, sizeof *b);
    if (!b) return NULL;
    memset(b, 0, sizeof *b);
    b->references = 1;
    b->bytes      = (size_t)bytes;
    b->base       = gi_alloc(site, b->bytes);
    if (!b->base) {
        gi_release(b, sizeof *b);
        return NULL;
    }
    return gi_new_handle(site, b, b->base, dtype, device, ndim, shape, strides);
}

/* Another handle on the memory of a. */
static ga_array *gi_new_view(const char *site, const ga_array *a, void *data, ga_dtype dtype, int ndim, const int64_t *shape,
                             const int64_t *strides)
{
    if (a->owner) __atomic_add_fetch(&a->owner->references, 1, __ATOMIC_RELAXED);
    return gi_new_handle(site, a->owner, data, dtype, a->device, ndim, shape, strides);
}

/* Is `a` an array that can be used? If not: the error (none for NULL behind an earlier error: that one is told already). */
static bool gi_check(const char *site, const ga_array *a, const char *name)
{
    if (a && a->alive == GI_ALIVE) return true;
    if (!a)
        gi_fail(site, GA_BAD_ARGUMENT, "%s is NULL: the call that should have made it failed, or it was never made", name);
    else
        gi_fail(site, GA_BAD_ARGUMENT, "%s is no array: it was freed (ga_free, or the end of its ga_scope), or never made", name);
    return false;
}

void ga_free(ga_array *a)
{
    if (!a) return;
    if (!gi_check("\tga_free", a, "the argument")) return;
    gi_handle *h = (gi_handle *)(void *)a;
    gi_scope_remove(a);
    a->alive = GI_DEAD;
    pthread_mutex_lock(&gi_pool.lock);
    if (h->prev)
        h->prev->next = h->next;
    else
        gi_pool.first = h->next;
    if (h->next) h->next->prev = h->prev;
    gi_pool.arrays--;
    pthread_mutex_unlock(&gi_pool.lock);
    gi_buffer_unref(a->owner);
    gi_release(h, sizeof *h);
}

int64_t ga_report_leaks(FILE *to)
{
    pthread_mutex_lock(&gi_pool.lock);
    int64_t n = gi_pool.arrays;
    for (gi_handle *h = gi_pool.first; h && to; h = h->next) {
        char where[256];
        gi_write_site(where, sizeof where, h->site);
        fprintf(to, "%s%s %s is alive, %lld bytes\n", where, ga_dtype_name(h->array.dtype), gi_shape_of(&h->array),
                h->array.owner ? (long long)h->array.owner->bytes : 0LL);
    }
    pthread_mutex_unlock(&gi_pool.lock);
    return n;
}

gi_scope *gi_scope_begin(gi_scope *s)
{
    s->outer         = gi_current_scope;
    s->first         = NULL;
    s->open          = 1;
    gi_current_scope = s;
    return s;
}

void gi_scope_end(gi_scope *s)
{
    while (s->first) ga_free(s->first);
    gi_current_scope = s->outer;
}

ga_array *ga_keep(ga_array *a)
{
    if (!a || !gi_check("\tga_keep", a, "the argument")) return NULL;
    gi_scope *scope = a->scope;
    if (!scope) return a;
    gi_scope_remove(a);
    gi_scope_add(scope->outer, a);
    return a;
}

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

bool ga_is_contiguous(const ga_array *a)
{
    if (!a || a->alive != GI_ALIVE) return false;
    if (a->size == 0) return true;
    int64_t expected = ga_itemsize(a->dtype);
    for (int d = a->ndim - 1; d >= 0; d--) {
        if (a->shape[d] != 1 && a->strides[d] != expected) return false;
        expected *= a->shape[d];
    }
    return true;
}

static bool gi_equal_shapes(int na, const int64_t *a, int nb, const int64_t *b)
{
    if (na != nb) return false;
    for (int d = 0; d < na; d++)
        if (a[d] != b[d]) return false;
    return true;
}

bool ga_same_shape(const ga_array *a, const ga_array *b)
{
    return a && b && gi_equal_shapes(a->ndim, a->shape, b->ndim, b->shape);
}

/* The bytes that the elements of a lie between: [*low, *high). */
static void gi_extent(const ga_array *a, const char **low, const char **high)
{
    const char *lo = (const char *)a->data, *hi = lo + ga_itemsize(a->dtype);
    for (int d = 0; d < a->ndim; d++) {
        int64_t reach = (a->shape[d] - 1) * a->strides[d];
        if (reach < 0) lo += reach;
        if (reach > 0) hi += reach;
    }
    *low  = lo;
    *high = a->size == 0 ? lo : hi;
}

bool ga_may_share_memory(const ga_array *a, const ga_array *b)
{
    if (!a || !b || a->device != b->device || a->size == 0 || b->size == 0) return false;
    const char *a0, *a1, *b0, *b1;
    gi_extent(a, &a0, &a1);
    gi_extent(b, &b0, &b1);
    return a0 < b1 && b0 < a1;
}

/* Turns a negative axis into its number; -1 with an error if there is no such axis. */
static int gi_axis(const char *site, int axis, int ndim)
{
    if (axis >= -ndim && axis < ndim) return axis < 0 ? axis + ndim : axis;
    gi_fail(site, GA_BAD_ARGUMENT, "there is no axis %d: the array has %d dimension%s (axes %d to %d)", axis, ndim, ndim == 1 ? "" : "s",
            -ndim, ndim - 1);
    return -1;
}

/* Joins a shape into a broadcast shape (right-aligned; 1 stretches). False if they do not fit; nothing is reported. */
static bool gi_broadcast_into(int *ndim, int64_t *shape, int n, const int64_t *other)
{
    if (n > *ndim) { /* shift to the right, put ones before */
        for (int d = n - 1; d >= 0; d--) shape[d] = d >= n - *ndim ? shape[d - (n - *ndim)] : 1;
        *ndim = n;
    }
    for (int d = 0; d < n; d++) {
        int64_t *mine = &shape[*ndim - n + d];
        if (*mine == 1)
            *mine = other[d];
        else if (other[d] != 1 && other[d] != *mine)
            return false;
    }
    return true;
}

/* The strides of a seen as an array of the given (broadcast) shape: 0 along stretched axes. */
static void gi_broadcast_strides(const ga_array *a, int ndim, const int64_t *shape, int64_t *strides)
{
    int missing = ndim - a->ndim;
    for (int d = 0; d < ndim; d++)
        strides[d] = d < missing || (a->shape[d - missing] == 1 && shape[d] != 1) ? 0 : a->strides[d - missing];
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */
/*  A pool of our own: a call hands out a counter of work units, its own thread takes units too, and helpers that find no work
    spin for a moment, then sleep, so that the threads of other libraries do not starve. One call at a time uses the pool; another
    that comes meanwhile, or from inside, does its work alone.                                                                   */

typedef void (*gi_task)(int64_t begin, int64_t end, void *job);

enum { GI_MOST_THREADS = 256, GI_SPINS = 2000 };

static struct {
    pthread_mutex_t busy;  /* held by the call that uses the pool */
    pthread_mutex_t lock;  /* guards sleeping */
    pthread_cond_t  wake;
    int             wanted, started, sleeping;
    int64_t         turn;  /* atomic: one more for each job */
    int64_t         next;  /* atomic: the next unit */
    int64_t         units, chunk;
    int             helping; /* atomic: helpers that have not finished with this job */
    int             admitted; /* atomic: helpers still allowed to join this job */
    gi_task         task;
    void           *job;
} gi_threads = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL };

static __thread bool gi_inside_task;

static void gi_take_units(void)
{
    for (;;) {
        int64_t begin = __atomic_fetch_add(&gi_threads.next, gi_threads.chunk, __ATOMIC_RELAXED);
        if (begin >= gi_threads.units) return;
        int64_t end = begin + gi_threads.chunk < gi_threads.units ? begin + gi_threads.chunk : gi_threads.units;
        gi_threads.task(begin, end, gi_threads.job);
    }
}

static void gi_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static void *gi_helper_thread(void *first_turn)
{
    int64_t seen   = (int64_t)(intptr_t)first_turn;
    gi_inside_task = true;
    for (;;) {
        int spins = 0;
        while (__atomic_load_n(&gi_threads.turn, __ATOMIC_ACQUIRE) == seen) {
            if (++spins < GI_SPINS) {
                gi_pause();
                continue;
            }
            pthread_mutex_lock(&gi_threads.lock);
            gi_threads.sleeping++;
            while (__atomic_load_n(&gi_threads.turn, __ATOMIC_ACQUIRE) == seen) pthread_cond_wait(&gi_threads.wake, &gi_threads.lock);
            gi_threads.sleeping--;
            pthread_mutex_unlock(&gi_threads.lock);
        }
        seen++; /* turns are never skipped: the next one starts when every helper has finished this one */
        if (__atomic_sub_fetch(&gi_threads.admitted, 1, __ATOMIC_ACQ_REL) >= 0) gi_take_units();
        __atomic_sub_fetch(&gi_threads.helping, 1, __ATOMIC_ACQ_REL);
    }
    return NULL;
}

/* In the child of a fork there are no helpers: it starts its own when it needs them. */
static void gi_threads_forked(void)
{
    gi_threads.started = gi_threads.sleeping = gi_threads.helping = 0;
    pthread_mutex_init(&gi_threads.busy, NULL);
    pthread_mutex_init(&gi_threads.lock, NULL);
    pthread_cond_init(&gi_threads.wake, NULL);
    pthread_mutex_init(&gi_pool.lock, NULL);
}

static void gi_threads_start(void)
{
    static bool handler_set; /* guarded by busy */
    if (!handler_set) pthread_atfork(NULL, NULL, gi_threads_forked), handler_set = true;
    while (gi_threads.started < gi_threads.wanted - 1) {
        pthread_t      thread;
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        void *turn  = (void *)(intptr_t)gi_threads.turn;
        int   error = pthread_create(&thread, &attributes, gi_helper_thread, turn);
        pthread_attr_destroy(&attributes);
        if (error) { /* no more threads to be had: carry on with those there are */
            gi_threads.wanted = gi_threads.started + 1;
            return;
        }
        gi_threads.started++;
    }
}

int ga_get_num_threads(void)
{
    int n = __atomic_load_n(&gi_threads.wanted, __ATOMIC_RELAXED);
    if (n > 0) return n;
    const char *asked = getenv("GPUARR_NUM_THREADS");
    long        found = asked ? strtol(asked, NULL, 10) : sysconf(_SC_NPROCESSORS_ONLN);
    n                 = found < 1 ? 1 : found > GI_MOST_THREADS ? GI_MOST_THREADS : (int)found;
    __atomic_store_n(&gi_threads.wanted, n, __ATOMIC_RELAXED);
    return n;
}

void ga_set_num_threads(int n)
{
    if (n < 1 || n > GI_MOST_THREADS) {
        gi_fail("\tga_set_num_threads", GA_BAD_ARGUMENT, "%d threads: use 1 to %d", n, GI_MOST_THREADS);
        return;
    }
    pthread_mutex_lock(&gi_threads.busy);
    __atomic_store_n(&gi_threads.wanted, n, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&gi_threads.busy);
}

/* Calls task(begin, end, job) until the units 0 to n - 1 are done, `chunk` at a time, on several threads when there is more than one
   chunk. Which thread does which unit must not matter to the result. Tasks must not create or free arrays, nor report errors. */
static void gi_parallel(int64_t n, int64_t chunk, gi_task task, void *job)
{
    if (n <= 0) return;
    int threads = ga_get_num_threads();
    if (n <= chunk || threads == 1 || gi_inside_task || pthread_mutex_trylock(&gi_threads.busy) != 0) {
        task(0, n, job);
        return;
    }
    gi_threads_start();
    gi_threads.task  = task;
    gi_threads.job   = job;
    gi_threads.units = n;
    gi_threads.chunk = chunk;
    __atomic_store_n(&gi_threads.next, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&gi_threads.helping, gi_threads.started, __ATOMIC_RELAXED);
    __atomic_store_n(&gi_threads.admitted, gi_threads.wanted - 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&gi_threads.turn, 1, __ATOMIC_RELEASE);
    pthread_mutex_lock(&gi_threads.lock);
    if (gi_threads.sleeping > 0) pthread_cond_broadcast(&gi_threads.wake);
    pthread_mutex_unlock(&gi_threads.lock);
    gi_inside_task = true;
    gi_take_units();
    gi_inside_task = false;
    for (int spins = 0; __atomic_load_n(&gi_threads.helping, __ATOMIC_ACQUIRE) > 0; spins++) {
        if (spins < GI_SPINS)
            gi_pause();
        else
            sched_yield();
    }
    pthread_mutex_unlock(&gi_threads.busy);
}
