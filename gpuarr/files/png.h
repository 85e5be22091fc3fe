/* ==== >>pictures: PNG files, colour maps, numbers beside them ====================================================== */

#include <setjmp.h>

#if !defined(GPUARR_NO_STB) && defined(__has_include)
#if __has_include(<stb_image_write.h>)
#define GI_STB_H <stb_image_write.h>
#endif
#if __has_include(<stb/stb_image_write.h>)
#undef GI_STB_H
#define GI_STB_H <stb/stb_image_write.h>
#endif
#endif

/* ---- PNG --------------------------------------------------------------------------------------------------------- */

#ifdef GI_STB_H

/*  stb takes its memory from here, so that limits, statistics and failing allocations are the same as everywhere. It cannot
    report that memory is short (it would abort), hence the way back by longjmp; its blocks are in a list to be released then.
    (Unused when the program has its own copy of stb.) */
typedef struct gi_png_block {
    struct gi_png_block *prev, *next;
    size_t               bytes; /* of the whole block; what stb uses follows GI_ALIGN bytes after its start */
} gi_png_block;

static __thread struct {
    const char   *site;
    gi_png_block *first;
    jmp_buf       no_memory;
} gi_png;

__attribute__((unused)) static void *gi_png_alloc(size_t bytes)
{
    gi_png_block *b = (gi_png_block *)gi_mem_alloc(gi_png.site, bytes + GI_ALIGN);
    if (!b) longjmp(gi_png.no_memory, 1);
    b->bytes = bytes + GI_ALIGN;
    b->prev  = NULL;
    b->next  = gi_png.first;
    if (b->next) b->next->prev = b;
    gi_png.first = b;
    return (char *)b + GI_ALIGN;
}

static void gi_png_release(void *p)
{
    if (!p) return;
    gi_png_block *b = (gi_png_block *)(void *)((char *)p - GI_ALIGN);
    if (b->prev) b->prev->next = b->next;
    else gi_png.first = b->next;
    if (b->next) b->next->prev = b->prev;
    gi_mem_release(b, b->bytes);
}

__attribute__((unused)) static void *gi_png_grow(void *p, size_t old_bytes, size_t new_bytes)
{
    void *q = gi_png_alloc(new_bytes);
    if (p) memcpy(q, p, old_bytes < new_bytes ? old_bytes : new_bytes);
    gi_png_release(p);
    return q;
}

/*  Our private copy of stb, unless the program has included its own before this point. A program that wants its own in the same
    file includes it before gpuarr.h. */
#ifndef INCLUDE_STB_IMAGE_WRITE_H
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STBIW_MALLOC(bytes)                          gi_png_alloc(bytes)
#define STBIW_REALLOC_SIZED(p, old_bytes, new_bytes) gi_png_grow(p, old_bytes, new_bytes)
#define STBIW_FREE(p)                                gi_png_release(p)
#include GI_STB_H
#undef STB_IMAGE_WRITE_STATIC
#undef STB_IMAGE_WRITE_IMPLEMENTATION
#pragma GCC diagnostic pop
#endif

typedef struct gi_png_target {
    const char *site;
    bool        in_memory;
    gi_output   out;   /* either this file */
    ga_array   *bytes; /* or this new array, if in_memory */
    bool        packed;
} gi_png_target;

static void gi_png_finished(void *target, void *bytes, int size)
{
    gi_png_target *t = (gi_png_target *)target;
    const int64_t  n = size;
    t->packed        = true;
    if (!t->in_memory) gi_write(&t->out, bytes, (size_t)size);
    else if ((t->bytes = gi_array_new(t->site, GA_U8, GA_CPU, 1, &n)) != NULL) memcpy(t->bytes->data, bytes, (size_t)size);
}

/* Its own function, so that nothing of stb is inlined beside the setjmp. */
__attribute__((noinline)) static void gi_png_run(gi_png_target *t, int rows, int columns, int channels, const void *pixels)
{
    if (!stbi_write_png_to_func(gi_png_finished, t, columns, rows, channels, pixels, columns * channels))
        gi_fail(t->site, GA_NO_MEMORY, "no memory to compress a picture of %d x %d pixels", rows, columns);
}

static bool gi_png_fits(const char *site, int64_t rows, int64_t columns, int channels)
{
    const int64_t most = (int64_t)1 << 30; /* stb counts bytes in int */
    return (rows <= most && columns <= most && rows * (columns * channels + 1) <= most) ||
           gi_fail(site, GA_BAD_SHAPE,
                   "%lld x %lld pixels with %d channels are too large for PNG through stb (1 GiB): write "
                   "it in pieces, or every second pixel: ga_index(a, \"::2, ::2\")",
                   (long long)rows, (long long)columns, channels) != NULL;
}

static void gi_png_pack(gi_png_target *t, int rows, int columns, int channels, const void *pixels)
{
    t->packed    = false;
    t->bytes     = NULL;
    gi_png.site  = t->site;
    gi_png.first = NULL;
    if (setjmp(gi_png.no_memory) == 0) gi_png_run(t, rows, columns, channels, pixels);
    while (gi_png.first) gi_png_release((char *)gi_png.first + GI_ALIGN);
}

static bool gi_write_png(const char *site, const char *path, int64_t rows, int64_t columns, int channels, const void *pixels)
{
    gi_png_target target;
    target.site      = site;
    target.in_memory = false;
    if (!gi_png_fits(site, rows, columns, channels) || !gi_open_output(site, path, &target.out)) return false;
    gi_png_pack(&target, (int)rows, (int)columns, channels, pixels);
    return gi_close_output(site, &target.out, target.packed);
}

static ga_array *gi_make_png(const char *site, int64_t rows, int64_t columns, int channels, const void *pixels)
{
    gi_png_target target;
    target.site      = site;
    target.in_memory = true;
    if (!gi_png_fits(site, rows, columns, channels)) return NULL;
    gi_png_pack(&target, (int)rows, (int)columns, channels, pixels);
    return target.bytes;
}

#else

static ga_array *gi_make_png(const char *site, int64_t rows, int64_t columns, int channels, const void *pixels)
{
    (void)rows, (void)columns, (void)channels, (void)pixels;
    return (ga_array *)gi_fail(site, GA_NO_LIBRARY,
                               "this program was built without stb_image_write.h, which makes PNG files; apt-get install "
                               "libstb-dev (or put that header beside your source with -I.) and compile again");
}

static bool gi_write_png(const char *site, const char *path, int64_t rows, int64_t columns, int channels, const void *pixels)
{
    (void)path;
    return gi_make_png(site, rows, columns, channels, pixels) != NULL;
}

#endif

static bool gi_png_name_check(const char *site, const char *path)
{
    if (!path) return gi_fail(site, GA_BAD_ARGUMENT, "the file name is NULL") != NULL;
    return !gi_name_misleads(site, path, "PNG", " .png ");
}

/* ---- ga_imsave --------------------------------------------------------------------------------------------------- */

#define GI_PICTURE_BLOCK ((int64_t)512)     /* elements that are widened to float64 at a time */
#define GI_PICTURE_CHUNK ((int64_t)1 << 15) /* elements that a thread takes at a time */

/* Elements of a C-contiguous array, from the given one on, as float64. */
static void gi_picture_values(const ga_array *a, int64_t begin, int64_t n, double *values)
{
    gi_cast(GA_F64, a->dtype, n, values, (const char *)a->data + begin * ga_itemsize(a->dtype));
}

/* The least and the largest finite value; low > high if there is none. */
typedef struct gi_range_job {
    const ga_array *a;
    double          above; /* only values greater than this one count */
    double          low, high;
    pthread_mutex_t lock;
} gi_range_job;

static void gi_range_task(int64_t begin, int64_t end, void *job)
{
    gi_range_job *j   = (gi_range_job *)job;
    double        low = INFINITY, high = -INFINITY, values[GI_PICTURE_BLOCK];
    for (int64_t i = begin; i < end; i += GI_PICTURE_BLOCK) {
        int64_t n = end - i < GI_PICTURE_BLOCK ? end - i : GI_PICTURE_BLOCK;
        gi_picture_values(j->a, i, n, values);
        for (int64_t k = 0; k < n; k++) {
            double x = values[k];
            if (!(x > j->above && x < INFINITY)) continue; /* NaN fails as well */
            if (x < low) low = x;
            if (x > high) high = x;
        }
    }
    pthread_mutex_lock(&j->lock);
    if (low < j->low) j->low = low;
    if (high > j->high) j->high = high;
    pthread_mutex_unlock(&j->lock);
}

static void gi_value_range(const ga_array *a, double above, double *low, double *high)
{
    gi_range_job job;
    job.a     = a;
    job.above = above;
    job.low   = INFINITY;
    job.high  = -INFINITY;
    pthread_mutex_init(&job.lock, NULL);
    gi_parallel(a->size, GI_PICTURE_CHUNK, gi_range_task, &job);
    pthread_mutex_destroy(&job.lock);
    *low  = job.low;
    *high = job.high;
}

typedef struct gi_imsave_job {
    const ga_array *a;
    unsigned char  *pixels;
    double          low, scale;
} gi_imsave_job;

static void gi_imsave_task(int64_t begin, int64_t end, void *job)
{
    const gi_imsave_job *j = (const gi_imsave_job *)job;
    double               values[GI_PICTURE_BLOCK];
    for (int64_t i = begin; i < end; i += GI_PICTURE_BLOCK) {
        int64_t n = end - i < GI_PICTURE_BLOCK ? end - i : GI_PICTURE_BLOCK;
        gi_picture_values(j->a, i, n, values);
        for (int64_t k = 0; k < n; k++) {
            double x         = j->scale * (values[k] - j->low);
            j->pixels[i + k] = x >= 255 ? 255 : x > 0 ? (unsigned char)x : 0; /* NaN: 0 */
        }
    }
}

/* a as PNG, in the file of that path, or if it is NULL in a new array. NaN and infinite pixels do not count for min and max; -inf and NaN
   become 0, inf 255. */
static bool gi_imsave(const char *site, const char *path, const ga_array *a, ga_array **bytes)
{
    int channels = a->ndim == 3 && a->shape[2] <= 4 ? (int)a->shape[2] : a->ndim == 2 ? 1 : 0;
    if (channels < 1)
        return gi_fail(site, GA_BAD_SHAPE,
                       "shape %s is no picture: it must be (rows, columns) or (rows, columns, channels) with 1 "
                       "channel (grey), 2 (grey, alpha), 3 (red, green, blue) or 4 (and alpha)",
                       gi_shape_of(a)) != NULL;
    if (a->size == 0) return gi_fail(site, GA_BAD_SHAPE, "shape %s has no pixels", gi_shape_of(a)) != NULL;
    if (gi_is_complex(a->dtype))
        return gi_fail(site, GA_BAD_DTYPE, "%s has no grey values: take ga_absolute, ga_real or ga_imag of it",
                       ga_dtype_name(a->dtype)) != NULL;
    ga_array *c = gi_copy_on_cpu(site, a);
    if (!c) return false;
    size_t        room = c->dtype == GA_U8 ? 0 : (size_t)c->size;
    gi_imsave_job job  = { c, room ? (unsigned char *)gi_mem_alloc(site, room) : (unsigned char *)c->data, 0, 0 };
    bool          done = false;
    if (room && job.pixels) {
        double high;
        gi_value_range(c, -INFINITY, &job.low, &high);
        if (high > job.low) job.scale = 255 / (high - job.low);
        gi_parallel(c->size, GI_PICTURE_CHUNK, gi_imsave_task, &job);
    }
    if (job.pixels && path) done = gi_write_png(site, path, c->shape[0], c->shape[1], channels, job.pixels);
    else if (job.pixels) done = (*bytes = gi_make_png(site, c->shape[0], c->shape[1], channels, job.pixels)) != NULL;
    if (room) gi_mem_release(job.pixels, room);
    ga_free(c);
    return done;
}

bool(ga_imsave)(const char *path, const ga_array *a, const char *site)
{
    return gi_array_check(site, a, "a") && gi_png_name_check(site, path) && gi_imsave(site, path, a, NULL);
}

ga_array *(ga_imencode)(const ga_array *a, const char *site)
{
    ga_array *bytes = NULL;
    return gi_array_check(site, a, "a") && gi_imsave(site, NULL, a, &bytes) ? bytes : NULL;
}
