/* What gpuarr exchanges with other libraries: DLPack tensors; .npy files that are mapped; PNG in memory.
   cc tests/impl.c tests/exchange.c -lm -lpthread */
#ifndef GPUARR_IMPLEMENTATION
#define GPUARR_KERNELS
#endif
#include "test.h"

#include <pthread.h>

/* ---- a library that makes tensors, and counts what is ended ------------------------------------------------------------------- */

static int ended, wrongly_ended;

typedef struct producer { /* one of each struct, with the same tensor */
    ga_dl_versioned versioned;
    ga_dl_managed   unversioned;
    int64_t         shape[12], strides[12];
    int             ended;
} producer;

static void end(producer *p)
{
    ended++;
    if (p->ended++) wrongly_ended++;
}
static void end_versioned(ga_dl_versioned *t) { end((producer *)t->manager_ctx); }
static void end_unversioned(ga_dl_managed *t) { end((producer *)t->manager_ctx); }

/* A tensor (2, 3) of float64 in C order. */
static producer *produce(producer *p, void *data)
{
    memset(p, 0, sizeof *p);
    ga_dl_tensor *t            = &p->versioned.dl_tensor;
    p->versioned.version.major = 1;
    p->versioned.version.minor = 1;
    p->versioned.manager_ctx   = p;
    p->versioned.deleter       = end_versioned;
    p->unversioned.manager_ctx = p;
    p->unversioned.deleter     = end_unversioned;
    t->data                    = data;
    t->device.device_type      = GA_DL_CPU;
    t->ndim                    = 2;
    t->dtype.code              = 2;
    t->dtype.bits              = 64;
    t->dtype.lanes             = 1;
    t->shape                   = p->shape;
    p->shape[0]                = 2;
    p->shape[1]                = 3;
    ended                      = 0;
    return p;
}

static ga_dl_managed *unversioned(producer *p)
{
    p->unversioned.dl_tensor = p->versioned.dl_tensor;
    return &p->unversioned;
}

static void test_layout(void)
{
    /* of the standard, on 64 bits */
    CHECK(sizeof(ga_dl_tensor) == 48 && offsetof(ga_dl_tensor, device) == 8 && offsetof(ga_dl_tensor, ndim) == 16);
    CHECK(offsetof(ga_dl_tensor, dtype) == 20 && offsetof(ga_dl_tensor, shape) == 24 && offsetof(ga_dl_tensor, strides) == 32);
    CHECK(offsetof(ga_dl_tensor, byte_offset) == 40 && sizeof(ga_dl_dtype) == 4 && offsetof(ga_dl_dtype, lanes) == 2);
    CHECK(sizeof(ga_dl_managed) == 64 && offsetof(ga_dl_managed, manager_ctx) == 48 && offsetof(ga_dl_managed, deleter) == 56);
    CHECK(sizeof(ga_dl_versioned) == 80 && offsetof(ga_dl_versioned, manager_ctx) == 8 &&
          offsetof(ga_dl_versioned, deleter) == 16 && offsetof(ga_dl_versioned, flags) == 24 &&
          offsetof(ga_dl_versioned, dl_tensor) == 32);
}

static void test_from(void)
{
    double    numbers[12] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };
    producer  p;
    ga_array *a = ga_from_dlpack(&produce(&p, numbers)->versioned);
    CHECK(a && a->data == (void *)numbers && a->dtype == GA_F64 && a->device == GA_CPU && ended == 0);
    ga_array *view = ga_index(a, "1");
    ga_free(a);
    CHECK(ended == 0 && ga_item_at(view, 2) == 5);
    CHECK(ga_set_at(view, 50, 2) && numbers[5] == 50 && ga_set_at(view, 5, 2));
    ga_free(view);
    CHECK(ended == 1);

    CHECK_IS(ga_from_dlpack_unversioned(unversioned(produce(&p, numbers))), GA_F64, (2, 3), 0, 1, 2, 3, 4, 5);
    CHECK(ended == 1);
    CHECK_IS(ga_from_dlpack(&produce(&p, numbers)->versioned, .copy = GA_COPY_NEVER), GA_F64, (2, 3), 0, 1, 2, 3, 4, 5);
    CHECK(ended == 1);

    a = ga_from_dlpack(&produce(&p, numbers)->versioned, .copy = GA_COPY_ALWAYS);
    CHECK(a && a->data != (void *)numbers && ended == 1);
    CHECK_IS(a, GA_F64, (2, 3), 0, 1, 2, 3, 4, 5);
    CHECK(ended == 1);

    /* backwards, with steps, from an offset on; the stride of an axis of length 1 means nothing */
    produce(&p, numbers);
    p.versioned.dl_tensor.byte_offset = 10 * sizeof *numbers;
    p.versioned.dl_tensor.strides     = p.strides;
    p.versioned.dl_tensor.ndim        = 3;
    p.shape[2]                        = 1;
    p.strides[0]                      = -6;
    p.strides[1]                      = -2;
    p.strides[2]                      = INT64_MIN;
    CHECK_IS(ga_from_dlpack(&p.versioned), GA_F64, (2, 3, 1), 10, 8, 6, 4, 2, 0);
    CHECK(ended == 1);

    /* float16 and bfloat16: 1.5 and -2, there and back */
    for (int b = 0; b < 2; b++) {
        static const uint16_t bits[2][2] = { { 0x3e00, 0xc000 }, { 0x3fc0, 0xc000 } };
        ga_array             *halves     = ga_view_as(ga_wrap((uint16_t *)bits[b], (2)), b ? GA_BF16 : GA_F16);
        ga_dl_versioned      *t          = ga_to_dlpack(halves);
        CHECK(t && t->dl_tensor.dtype.code == (b ? 4 : 2) && t->dl_tensor.dtype.bits == 16);
        a = ga_from_dlpack(t);
        CHECK(a && a->data == (const void *)bits[b] && a->dtype == halves->dtype && ga_item_at(a, 0) == 1.5 &&
              ga_item_at(a, 1) == -2);
        ga_free(a);
        ga_free(halves);
    }

    /* 0-d, with no shape at all; nothing, at NULL, whatever the strides are */
    produce(&p, numbers + 7)->versioned.dl_tensor.ndim = 0;
    p.versioned.dl_tensor.shape                        = NULL;
    a                                                  = ga_from_dlpack(&p.versioned);
    CHECK(a && a->ndim == 0 && ga_item(a) == 7);
    ga_free(a);
    CHECK(ended == 1);
    produce(&p, NULL)->shape[1]   = 0;
    p.versioned.dl_tensor.strides = p.strides;
    p.strides[0] = p.strides[1] = INT64_MAX;
    a                           = ga_from_dlpack(&p.versioned);
    CHECK(a && a->size == 0 && a->shape[0] == 2 && a->shape[1] == 0);
    ga_free(a);
    CHECK(ended == 1);

    /* a producer that has nothing to release */
    produce(&p, numbers)->versioned.deleter = NULL;
    a                                       = ga_from_dlpack(&p.versioned);
    CHECK(a && ga_item_at(a, 1, 1) == 4);
    ga_free(a);

    /* read-only: copied, refused, or believed */
    produce(&p, numbers)->versioned.flags = GA_DL_READ_ONLY;
    a                                     = ga_from_dlpack(&p.versioned);
    CHECK(a && a->data != (void *)numbers && ended == 1);
    ga_free(a);
    CHECK(ended == 1);
    produce(&p, numbers)->versioned.flags = GA_DL_READ_ONLY;
    CHECK_FAILS(ga_from_dlpack(&p.versioned, .copy = GA_COPY_NEVER), ".read_only = true");
    CHECK(ended == 1);
    produce(&p, numbers)->versioned.flags = GA_DL_READ_ONLY;
    a                                     = ga_from_dlpack(&p.versioned, .copy = GA_COPY_NEVER, .read_only = true);
    CHECK(a && a->data == (void *)numbers && ended == 0);
    ga_free(a);
    CHECK(ended == 1);
    produce(&p, numbers)->versioned.version.minor = 9; /* what comes later adds to it */
    p.versioned.flags                             = 1u << 9;
    a                                             = ga_from_dlpack(&p.versioned);
    CHECK(a && a->data == (void *)numbers);
    ga_free(a);

    /* in a scope */
    ga_scope
        CHECK(ga_from_dlpack(&produce(&p, numbers)->versioned) && ended == 0);
    CHECK(ended == 1 && wrongly_ended == 0);
}

/* Each is refused with these words, and ended all the same. */
#define REFUSED(change, words)                                                                                                 \
    do {                                                                                                                       \
        ga_dl_tensor *t = &produce(&p, numbers)->versioned.dl_tensor;                                                          \
        change;                                                                                                                \
        (void)t;                                                                                                               \
        CHECK_FAILS(ga_from_dlpack(&p.versioned), words);                                                                      \
        CHECK(ended == 1);                                                                                                     \
    } while (0)

static void test_bad_tensors(void)
{
    double   numbers[12] = { 0 };
    producer p;
    int64_t  arrays = ga_memory_stats().arrays, used = ga_memory_stats().used_bytes;
    CHECK_FAILS(ga_from_dlpack((ga_dl_versioned *)NULL), "the tensor is NULL");
    CHECK_FAILS(ga_from_dlpack_unversioned((ga_dl_managed *)NULL), "the tensor is NULL");
    REFUSED(p.versioned.version.major = 2, "version 2.1 of DLPack");
    REFUSED(p.versioned.version.major = 0, "version 0.1");
    REFUSED(t->data = NULL, "data is NULL");
    REFUSED(t->byte_offset = UINT64_MAX, "byte_offset");
    REFUSED(t->byte_offset = (uint64_t)1 << 63, "byte_offset");
    REFUSED(t->byte_offset = 4, "not aligned as float64");
    REFUSED(t->shape = NULL, "the shape of 2 lengths is NULL");
    REFUSED(p.shape[1] = -3, "negative length");
    REFUSED(p.shape[0] = p.shape[1] = INT64_MAX, "more elements than can be counted");
    REFUSED(t->ndim = -1, "-1 dimensions");
    REFUSED(t->ndim = INT32_MAX, "GPUARR_MAX_DIMS");
    REFUSED(t->ndim = GPUARR_MAX_DIMS + 1, "GPUARR_MAX_DIMS");
    REFUSED((t->strides = p.strides, p.strides[0] = INT64_MAX), "beyond any memory");
    REFUSED((t->strides = p.strides, p.shape[0] = 3, p.strides[0] = INT64_MIN / 2 / 8), "beyond any memory");
    REFUSED((t->strides = p.strides, p.shape[0] = 3, p.strides[0] = INT64_MAX / 9), "beyond any memory");
    REFUSED(t->dtype.lanes = 4, "vectors of 4 lanes");
    REFUSED(t->dtype.lanes = 0, "lanes");
    REFUSED(t->dtype.bits = 128, "float128");
    REFUSED((t->dtype.code = 4, t->dtype.bits = 32), "bfloat32");
    REFUSED((t->dtype.code = 8, t->dtype.bits = 8), "short floats");
    REFUSED((t->dtype.code = 255, t->dtype.bits = 4), "short floats");
    REFUSED(t->dtype.code = 3, "handles");
    REFUSED((t->dtype.code = 6, t->dtype.bits = 1), "bool1");
    REFUSED(t->device.device_type = 7, "device of type 7");
    REFUSED(t->device.device_type = -1, "device of type -1");
    produce(&p, numbers);
    CHECK_FAILS(ga_from_dlpack(&p.versioned, .copy = (ga_copy_mode)3), ".copy");
    CHECK(ended == 1);
    produce(&p, numbers)->versioned.dl_tensor.dtype.bits = 8;
    CHECK_FAILS(ga_from_dlpack_unversioned(unversioned(&p)), "float8");
    CHECK(ended == 1);
    if (ga_cuda_count() == 0) REFUSED(t->device.device_type = GA_DL_CUDA, "CUDA");
    CHECK(wrongly_ended == 0 && ga_memory_stats().arrays == arrays && ga_memory_stats().used_bytes == used);
}

/* ---- tensors of ours -------------------------------------------------------------------------------------------------------------- */

static void *end_it(void *tensor)
{
    ga_dl_versioned *t = (ga_dl_versioned *)tensor;
    t->deleter(t);
    return NULL;
}

static void test_to(void)
{
    static const uint8_t codes[GA_DTYPE_COUNT] = { 0, 6, 0, 1, 0, 1, 0, 1, 0, 1, 2, 2, 5, 5, 2, 4 };
    for (int d = GA_BOOL; d < GA_DTYPE_COUNT; d++) {
        ga_array *a = ga_ones((2, 3), .dtype = (ga_dtype)d);
        if (!a && ga_error_status() == GA_BAD_DTYPE) { /* it is not compiled */
            ga_clear_error();
            continue;
        }
        ga_dl_versioned *t = ga_to_dlpack(a);
        CHECK(t && t->version.major == 1 && t->version.minor == 0 && t->flags == 0 && t->dl_tensor.data == a->data);
        CHECK(t->dl_tensor.dtype.code == codes[d] && t->dl_tensor.dtype.bits == 8 * ga_itemsize((ga_dtype)d) &&
              t->dl_tensor.dtype.lanes == 1 && t->dl_tensor.byte_offset == 0);
        CHECK(t->dl_tensor.ndim == 2 && t->dl_tensor.shape[0] == 2 && t->dl_tensor.shape[1] == 3 &&
              t->dl_tensor.strides[0] == 3 && t->dl_tensor.strides[1] == 1);
        CHECK(t->dl_tensor.device.device_type == GA_DL_CPU && t->dl_tensor.device.device_id == 0);
        ga_array *b = ga_from_dlpack(t);
        CHECK(b && b->data == a->data && b->dtype == (ga_dtype)d && ga_array_equal(a, b));
        ga_free(a); /* before the other */
        ga_array *ones = ga_ones_like(b);
        CHECK(ga_array_equal(b, ones));
        ga_free(ones);
        ga_free(b);
    }

    ga_array      *a = ga_reshape(ga_arange(0, 12, 1), (3, 4)), *turned = ga_index(a, "::-1, 1::2");
    ga_dl_managed *old = ga_to_dlpack_unversioned(turned);
    CHECK(old && old->dl_tensor.strides[0] == -4 && old->dl_tensor.strides[1] == 2 && old->dl_tensor.data == turned->data);
    CHECK_IS(ga_from_dlpack_unversioned(old), GA_I64, (3, 2), 9, 11, 5, 7, 1, 3);
    ga_dl_versioned *t = ga_to_dlpack(turned, .copy = GA_COPY_ALWAYS);
    CHECK(t && t->flags == GA_DL_IS_COPIED && t->dl_tensor.strides[0] == 2 && t->dl_tensor.data != turned->data);
    CHECK_IS(ga_from_dlpack(t), GA_I64, (3, 2), 9, 11, 5, 7, 1, 3);

    /* read-only: asked for, and by itself where elements repeat */
    t = ga_to_dlpack(turned, .read_only = true);
    CHECK(t && t->flags == GA_DL_READ_ONLY);
    t->deleter(t);
    ga_array *row = ga_index(a, "0"), *wide = ga_broadcast_to(row, (5, 4));
    t = ga_to_dlpack(wide);
    CHECK(t && t->flags == GA_DL_READ_ONLY && t->dl_tensor.strides[0] == 0);
    ga_array *back = ga_from_dlpack(t);
    CHECK(back && back->data != wide->data && back->strides[0] != 0 && ga_array_equal(back, wide));
    ga_free(back);
    old = ga_to_dlpack_unversioned(wide);
    CHECK(old && old->dl_tensor.data != wide->data && old->dl_tensor.strides[0] == 4);
    old->deleter(old);
    CHECK_FAILS(ga_to_dlpack_unversioned(wide, .copy = GA_COPY_NEVER), "read-only");
    ga_free(wide);
    ga_free(row);

    /* strides that are no whole elements */
    double    parts[6] = { 1, 2, 0, 3, 4, 0 };
    ga_array *uneven   = ga_wrap_strided((ga_c128 *)(void *)parts, (2), (24));
    CHECK_FAILS(ga_to_dlpack(uneven, .copy = GA_COPY_NEVER), "strides");
    t = ga_to_dlpack(uneven);
    CHECK(t && t->flags == GA_DL_IS_COPIED && t->dl_tensor.strides[0] == 1 && ((double *)t->dl_tensor.data)[3] == 4);
    t->deleter(t);
    ga_free(uneven);

    /* 0-d, and nothing */
    ga_array *number = ga_scalar(5.0), *empty = ga_zeros((0, 3));
    t = ga_to_dlpack(number);
    CHECK(t && t->dl_tensor.ndim == 0 && *(double *)t->dl_tensor.data == 5);
    t->deleter(t);
    t = ga_to_dlpack(empty);
    CHECK(t && t->dl_tensor.data == NULL && t->dl_tensor.shape[0] == 0 && t->dl_tensor.shape[1] == 3);
    back = ga_from_dlpack(t);
    CHECK(back && ga_array_equal(back, empty));
    ga_free(back);
    ga_free(empty);

    /* ended by another thread, after the array, its scope and a shutdown */
    ga_scope
        t = ga_to_dlpack(ga_add(number, 1));
    ga_shutdown();
    CHECK(*(double *)t->dl_tensor.data == 6);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, end_it, t) == 0 && pthread_join(thread, NULL) == 0);
    ga_free(number);

    ga_array *chunked = ga_chunked(a, 2, 2);
    CHECK_FAILS(ga_to_dlpack(chunked), "ga_compute");
    CHECK_FAILS(ga_to_dlpack(NULL), "NULL");
    CHECK_FAILS(ga_to_dlpack(a, .copy = (ga_copy_mode)3), ".copy");
    CHECK_FAILS(ga_to_dlpack_unversioned(chunked), "ga_compute");
    ga_free(chunked);
    ga_free(turned);
    ga_free(a);
}

/* On a GPU. */
static void test_gpu(void)
{
    producer  p;
    ga_stream stream = ga_stream_new();
    ga_scope {
        ga_array        *a = ga_add(ga_ones((100, 50), .dtype = GA_F32), 1), *part = ga_index(a, "::-2, 1:");
        ga_dl_versioned *t = ga_to_dlpack(part, .stream = stream);
        CHECK(t && t->dl_tensor.device.device_type == GA_DL_CUDA && t->dl_tensor.device.device_id == 0 &&
              t->dl_tensor.data == part->data && t->dl_tensor.strides[0] == -100);
        ga_set_stream(stream); /* which waits for the sum */
        ga_array *b = ga_from_dlpack(t);
        CHECK(b && b->device == GA_CUDA && b->data == part->data && ga_item(ga_min(b)) == 2);
        ga_set_stream(NULL);
        t = ga_to_dlpack(a, .copy = GA_COPY_ALWAYS, .stream = GA_NO_STREAM);
        CHECK(t && t->flags == GA_DL_IS_COPIED && t->dl_tensor.data != a->data);
        t->deleter(t);

        /* of another library */
        produce(&p, a->data)->versioned.dl_tensor.device.device_type = GA_DL_CUDA;
        p.versioned.dl_tensor.dtype.bits                             = 32;
        b                                                            = ga_from_dlpack(&p.versioned);
        ga_array *sum                                                = ga_add(b, 1);
        CHECK(b && b->data == a->data && ended == 0);
        ga_free(b);
        CHECK(ended == 1 && ga_item_at(sum, 1, 2) == 3);
        produce(&p, a->data)->versioned.dl_tensor.device.device_type = GA_DL_CUDA;
        p.versioned.dl_tensor.dtype.bits                             = 32;
        p.versioned.flags                                            = GA_DL_READ_ONLY;
        b                                                            = ga_from_dlpack(&p.versioned);
        CHECK(b && b->device == GA_CUDA && b->data != a->data && ended == 1 && ga_item_at(b, 1, 2) == 2);
        produce(&p, a->data)->versioned.dl_tensor.device.device_type = GA_DL_CUDA;
        p.versioned.dl_tensor.dtype.bits                             = 32;
        p.versioned.dl_tensor.device.device_id                       = 5;
        CHECK_FAILS(ga_from_dlpack(&p.versioned), "CUDA device 5");
        CHECK(ended == 1);
        double number                                                = 0;
        produce(&p, &number)->versioned.dl_tensor.device.device_type = GA_DL_CUDA;
        CHECK_FAILS(ga_from_dlpack(&p.versioned), "no memory of a GPU");
        CHECK(ended == 1);
        produce(&p, a->data)->versioned.dl_tensor.dtype.bits = 32;
        CHECK_FAILS(ga_from_dlpack(&p.versioned), "memory of CUDA device 0");
        CHECK(ended == 1);

        /* memory that both reach */
        ga_array *managed = ga_full((2, 3), 4, .managed = true), *pinned = ga_ones((2, 3), .device = GA_CPU, .pinned = true);
        t = ga_to_dlpack(managed);
        CHECK(t && t->dl_tensor.device.device_type == GA_DL_CUDA_MANAGED && t->dl_tensor.device.device_id == 0 &&
              ((int64_t *)t->dl_tensor.data)[5] == 4);
        b = ga_from_dlpack(t);
        CHECK(b && b->device == GA_CUDA && ga_data(b, GA_I64) == managed->data);
        t = ga_to_dlpack(pinned);
        CHECK(t && t->dl_tensor.device.device_type == GA_DL_CUDA_HOST && t->dl_tensor.device.device_id == 0);
        b = ga_from_dlpack(t);
        CHECK(b && b->device == GA_CPU && b->data == pinned->data);

        ga_keep(a); /* ended by another thread, without the array */
        t = ga_to_dlpack(a);
        ga_free(a);
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, end_it, t) == 0 && pthread_join(thread, NULL) == 0);
    }
    ga_stream_free(stream);
    CHECK(wrongly_ended == 0 && !ga_error() && ga_cuda_memory_stats().used_bytes == 0);
}

/* ---- .npy, mapped ------------------------------------------------------------------------------------------------------------------ */

static char path[300];

static const char *path_to(const char *end)
{
    const char *dir = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/gpuarr_exchange_%ld.%s", dir ? dir : "/tmp", (long)getpid(), end);
    return path;
}

/* How many mappings of the file there are. */
static int mappings(void)
{
    char  line[600];
    int   count = 0;
    FILE *maps  = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) count += strstr(line, path) != NULL;
    if (maps) fclose(maps);
    return count;
}

/* An .npy file whose header is `text`, filled up with blanks to `header` bytes. */
static void write_npy(const char *text, int header, const void *data, size_t n)
{
    FILE     *f      = fopen(path, "wb");
    const int length = header - 10;
    CHECK(f && fwrite("\x93NUMPY\1\0", 1, 8, f) == 8 && fputc(length & 255, f) >= 0 && fputc(length >> 8, f) >= 0);
    if (!f) return;
    fprintf(f, "%-*s\n", length - 1, text);
    CHECK(fwrite(data, 1, n, f) == n && fclose(f) == 0);
}

static void test_mmap(void)
{
    path_to("npy");
    const int64_t arrays = ga_memory_stats().arrays;
    ga_scope {
        ga_array *a = ga_reshape(ga_arange(0, 1200000, 1), (1000, 1200));
        CHECK(ga_save(path, a));
        const int64_t used = ga_memory_stats().used_bytes;
        ga_array     *b    = ga_load(path, .mmap = true);
        CHECK(b && ga_memory_stats().used_bytes - used < 4096 && mappings() == 1 && ga_array_equal(a, b));

        /* what Python cannot parse is no header */
        static const char *const wrong[] = { "'shape': (02,)", "'shape': (2,),,", "'shape': (2,), x",
                                             "'shape': (2,), 'descr': x" };
        for (int k = 0; k < 4; k++) {
            char  text[100], file[340];
            FILE *f = fopen(strcat(strcpy(file, path), ".header"), "wb");
            CHECK(f != NULL);
            const int n = snprintf(text, sizeof text, "{'descr': '<f8', 'fortran_order': False, %s}", wrong[k]);
            fprintf(f, "\x93NUMPY%c%c%c%c%s0123456789abcdef", 1, 0, n, 0, text);
            fclose(f);
            CHECK_FAILS(ga_load(file), "makes no sense at");
            remove(file);
        }

        /* it can be written; the file does not change */
        ga_array *row = ga_index(b, "0");
        ga_copyto(row, -1);
        ga_free(row);
        ga_array *rest = ga_index(b, "1:");
        CHECK_FAILS(ga_as_strided(rest, (1202), (-8)), "9600 bytes before its first element"); /* not the header */
        ga_free(rest);
        CHECK(ga_item_int_at(b, 0, 7) == -1 && ga_array_equal(ga_load(path), a));
        ga_array *c = ga_load(path, .mmap = true);
        CHECK(c && ga_array_equal(c, a));
        ga_free(c);

        /* what replaces the file leaves the mapping as it is */
        CHECK(ga_save(path, ga_zeros((2))) && ga_item_int_at(b, 1, 0) == 1200 && ga_item_int_at(b, 999, 1199) == 1199999);
        ga_array *last = ga_index(b, "-1, ::-1");
        ga_free(b);
        CHECK(mappings() == 1 && ga_item_int_at(last, 0) == 1199999);
        ga_free(last);
        CHECK(mappings() == 0);

        /* Fortran's order, another byte order, elements that are not aligned, nothing, a number */
        const double numbers[6] = { 1, 2, 3, 4, 5, 6 };
        write_npy("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }", 128, numbers, sizeof numbers);
        b = ga_load(path, .mmap = true);
        CHECK(b && mappings() == 1 && b->strides[0] == 8 && b->strides[1] == 16);
        CHECK(b && ga_array_equal(b, ga_load(path)) && ga_item_at(b, 0, 1) == 3);
        ga_free(b);
        const unsigned char big[4] = { 1, 2, 3, 4 };
        write_npy("{'descr': '>i2', 'fortran_order': False, 'shape': (2,), }", 128, big, sizeof big);
        b = ga_load(path, .mmap = true);
        CHECK(b && mappings() == 0 && ga_item_int_at(b, 0) == 258 && ga_item_int_at(b, 1) == 772);
        write_npy("{'descr': '<f8', 'fortran_order': False, 'shape': (6,), }", 122, numbers, sizeof numbers);
        b = ga_load(path, .mmap = true);
        CHECK(b && mappings() == 0 && ga_item_at(b, 5) == 6);
        write_npy("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 3), }", 128, numbers, 0);
        b = ga_load(path, .mmap = true);
        CHECK(b && mappings() == 0 && b->size == 0 && b->shape[1] == 3);
        write_npy("{'descr': '<f8', 'fortran_order': True, 'shape': (), }", 8192 + 64, numbers,
                  8); /* behind more than a page */
        b = ga_load(path, .mmap = true);
        CHECK(b && b->ndim == 0 && ga_item(b) == 1);
        ga_free(b);
        CHECK(mappings() == 0);

        /* files that are not what they should be */
        write_npy("{'descr': '<f8', 'fortran_order': False, 'shape': (7,), }", 128, numbers, sizeof numbers);
        CHECK_FAILS(ga_load(path, .mmap = true), "cut short");
        write_npy("{'descr': '<f16', 'fortran_order': False, 'shape': (3,), }", 128, numbers, sizeof numbers);
        CHECK_FAILS(ga_load(path, .mmap = true), "f16");
        CHECK(truncate(path, 40) == 0);
        CHECK_FAILS(ga_load(path, .mmap = true), "ends within its header");
        CHECK(truncate(path, 0) == 0);
        CHECK_FAILS(ga_load(path, .mmap = true), "NUMPY");
        CHECK_FAILS(ga_load("/tmp", .mmap = true), "no regular file");
        CHECK_FAILS(ga_load(NULL, .mmap = true), "NULL");
        const char     *name     = "a";
        const ga_array *saved[1] = { a };
        CHECK(ga_savez(path_to("npz"), 1, &name, saved));
        CHECK_FAILS(ga_load(path_to("npz"), .mmap = true), "ga_load_from");
        name = "caf\x82"; /* no UTF-8: in the letters of the IBM PC, as Python reads it */
        CHECK(ga_savez(path_to("npz"), 1, &name, saved));
        CHECK(ga_array_equal(ga_load_from(path_to("npz"), "caf\xc3\xa9"), a) &&
              ga_array_equal(ga_load_from(path_to("npz"), "caf\xc3\xa9.npy"), a));
        CHECK(ga_array_equal(ga_load_from(path_to("npz"), name), a));
        CHECK_FAILS(ga_load_from(path_to("npz"), "tea"), "it has: caf\xc3\xa9");
        remove(path_to("npz"));
        path_to("npy");
        CHECK(mappings() == 0);
        if (ga_cuda_count() > 0) {
            CHECK(ga_save(path, a));
            ga_set_device(GA_CUDA);
            b = ga_load(path, .mmap = true);
            ga_set_device(GA_CPU);
            CHECK(b && b->device == GA_CUDA && mappings() == 0 && ga_array_equal(ga_to(b, GA_CPU), a));
        }
    }
    remove(path);
    CHECK(ga_memory_stats().arrays == arrays);
}

/* ---- PNG in memory ------------------------------------------------------------------------------------------------------------------ */

static uint32_t crc_of(const unsigned char *p, size_t n)
{
    uint32_t crc = ~0u;
    for (; n > 0; n--, p++) {
        crc ^= *p;
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
    }
    return ~crc;
}

static uint32_t number_at(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | (uint32_t)p[3];
}

/* The checksums become right again, as far as there are chunks. */
static void mend(unsigned char *png, size_t n)
{
    for (size_t at = 8; at + 12 <= n;) {
        const size_t length = number_at(png + at);
        if (length > n - at - 12) return;
        const uint32_t crc = crc_of(png + at + 4, length + 4);
        for (int k = 0; k < 4; k++) png[at + 8 + length + (size_t)k] = (unsigned char)(crc >> (24 - 8 * k));
        at += length + 12;
    }
}

/* Of bytes that were changed: a picture, or a sentence. */
static bool decodes(const unsigned char *bytes, int64_t n, bool *picture)
{
    ga_clear_error();
    ga_array   *in = ga_from(bytes, (n)), *a = ga_imdecode(in);
    const char *error = ga_error();
    *picture          = a != NULL;
    const bool fine   = a ? !error : error && strstr(error, "no PNG picture") && ga_error_status() == GA_BAD_FILE;
    ga_free(a);
    ga_free(in);
    return fine;
}

static void test_png(void)
{
    /* (2, 3) colours of a palette, 2 bits each; the first one is half transparent; the second row is a difference */
    static const unsigned char png[] = { 137, 80, 78, 71,  13,  10,  26,  10, 0,   0,   0,  13,  73,  72,  68,  82,  0,   0,
                                         0,   3,  0,  0,   0,   2,   2,   3,  0,   0,   0,  224, 26,  142, 137, 0,   0,   0,
                                         9,   80, 76, 84,  69,  255, 0,   0,  0,   255, 0,  0,   0,   255, 45,  74,  205, 138,
                                         0,   0,  0,  1,   116, 82,  78,  83, 128, 173, 94, 91,  70,  0,   0,   0,   12,  73,
                                         68,  65, 84, 120, 218, 99,  144, 96, 170, 1,   0,  0,   204, 0,   151, 123, 253, 202,
                                         138, 0,  0,  0,   0,   73,  69,  78, 68,  174, 66, 96,  130 };
    enum { N = sizeof png };
    unsigned char changed[N];
    bool          picture, all_refused = true, all_fine = true;
    ga_array     *bytes = ga_from(png, (N));
    CHECK_IS(ga_imdecode(bytes), GA_U8, (2, 3, 4), 255, 0, 0, 128, 0, 255, 0, 255, 0, 0, 255, 255, /**/ 0, 0, 255, 255, 0, 255,
             0, 255, 0, 255, 0, 255);
    FILE *f = fopen(path_to("png"), "wb");
    CHECK(f && fwrite(png, 1, N, f) == N && fclose(f) == 0);
    ga_array *read = ga_imread(path), *same = ga_imdecode(bytes);
    CHECK(read && ga_array_equal(read, same));
    remove(path);
    CHECK_FAILS(ga_imread(path), "No such file");
    ga_free(same);
    ga_free(read);

    ga_set_error_handler(ga_ignore_error, NULL);
    for (int n = 0; n < N; n++) all_refused = all_refused && decodes(png, n, &picture) && !picture;
    CHECK(all_refused);
    for (int bit = 0; bit < 8 * N; bit++) {
        memcpy(changed, png, N);
        changed[bit / 8] = (unsigned char)(changed[bit / 8] ^ 1 << bit % 8);
        all_refused      = all_refused && decodes(changed, N, &picture) && !picture;
        mend(changed, N);
        all_fine = all_fine && decodes(changed, N, &picture);
    }
    for (int turn = 0; turn < (test_small() ? 300 : 3000); turn++) {
        memcpy(changed, png, N);
        for (int64_t k = test_below(6); k >= 0; k--) changed[test_below(N)] = (unsigned char)test_random();
        mend(changed, N);
        all_fine = all_fine && decodes(changed, N, &picture);
    }
    CHECK(all_refused && all_fine);
    memcpy(changed, png, N);
    changed[N - 17] ^= 1; /* the checksum of the pixels, within their chunk */
    mend(changed, N);
    CHECK(decodes(changed, N, &picture) && !picture && strstr(ga_error(), "checksum"));
    memcpy(changed, png, N);
    memset(changed + 16, 0x7f, 8); /* 2139062143 columns and rows */
    mend(changed, N);
    CHECK(decodes(changed, N, &picture) && !picture && strstr(ga_error(), "more pixels than its bytes can hold"));
    ga_set_error_handler(NULL, NULL);
    ga_clear_error();

    /* the same palette, and a pixel of colour 3, which it does not have: black, as libpng has it */
    static const unsigned char beyond[] = { 137, 80,  78, 71, 13,  10,  26,  10, 0,  0,   0,   13,  73,  72,  68,  82,
                                            0,   0,   0,  3,  0,   0,   0,   2,  2,  3,   0,   0,   0,   224, 26,  142,
                                            137, 0,   0,  0,  9,   80,  76,  84, 69, 255, 0,   0,   0,   255, 0,   0,
                                            0,   255, 45, 74, 205, 138, 0,   0,  0,  1,   116, 82,  78,  83,  128, 173,
                                            94,  91,  70, 0,  0,   0,   15,  73, 68, 65,  84,  120, 1,   1,   4,   0,
                                            251, 255, 0,  27, 0,   228, 1,   57, 1,  0,   39,  215, 122, 58,  0,   0,
                                            0,   0,   73, 69, 78,  68,  174, 66, 96, 130 };
    ga_array                  *three    = ga_from(beyond, (sizeof beyond));
    CHECK_IS(ga_imdecode(three), GA_U8, (2, 3, 4), 255, 0, 0, 128, 0, 255, 0, 255, 0, 0, 255, 255, /**/ 0, 0, 0, 255, 0, 0, 255,
             255, 0, 255, 0, 255);
    ga_free(three);

    ga_array *line = ga_ones((N));
    CHECK_FAILS(ga_imdecode(line), "uint8");
    CHECK_FAILS(ga_imdecode(NULL), "NULL");
    CHECK_FAILS(ga_imencode(NULL), "NULL");
    CHECK_FAILS(ga_imencode(line), "no picture");
    CHECK_FAILS(ga_imread(NULL), "NULL");
    ga_free(line);
    ga_free(bytes);

    ga_array *a = ga_random_integers(0, 256, (20, 30, 3), .dtype = GA_U8), *packed = ga_imencode(a);
    if (!packed && ga_error_status() == GA_NO_LIBRARY) {
        test_skip("ga_imencode: built without stb_image_write.h", 1);
        ga_clear_error();
    } else {
        ga_array *back = ga_imdecode(packed), *ramp = ga_reshape(ga_arange(0, 256, 1), (16, 16)), *grey = ga_imencode(ramp),
                 *unpacked = ga_imdecode(grey);
        CHECK(packed && packed->ndim == 1 && packed->dtype == GA_U8 && packed->device == GA_CPU && ga_array_equal(a, back));
        CHECK(unpacked && unpacked->ndim == 2 && ga_array_equal(unpacked, ramp)); /* 0 .. 255 of 0 .. 255 */
        CHECK(ga_imsave(path, a) && ga_array_equal(ga_imread(path), a));
        remove(path);
    }
}

int main(void)
{
    test_begin();
    const bool gpu = test_on_gpu();
    if (gpu)
        ga_scope
            test_gpu();
    ga_set_device(GA_CPU);
    const ga_memory before = ga_memory_stats();
    ga_scope {
        test_layout();
        test_from();
        test_bad_tensors();
        test_to();
        test_mmap();
        test_png();
    }
    ga_shutdown();
    CHECK(ga_memory_stats().arrays == before.arrays && ga_memory_stats().used_bytes == before.used_bytes);
    return test_end();
}
