/* Counting checks for the test programs. CHECK counts and prints what failed; test_end() prints the closing line. */
#ifndef TEST_H
#define TEST_H

#if !defined(_GNU_SOURCE) && !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE 1
#endif
#include "gpuarr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* Is AddressSanitizer in this program? It may be in the library alone, so it is asked of the program, not of this file's compiler. */
#ifdef __cplusplus
extern "C" int __asan_address_is_poisoned(const volatile void *) __attribute__((weak));
#else
extern int         __asan_address_is_poisoned(const volatile void *) __attribute__((weak));
#endif
#define TEST_ASAN (&__asan_address_is_poisoned != NULL)

#if defined(__SANITIZE_THREAD__)
#define TEST_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TEST_TSAN 1
#endif
#endif
#ifndef TEST_TSAN
#define TEST_TSAN 0
#endif

enum { TEST_DTYPES = GA_C128 + 1 }; /* the end of the dtypes that have loops: halves are in half.c */

static int test_passed, test_failed, test_skipped;

static inline bool test_check(bool ok, const char *file, int line, const char *text)
{
    if (ok) {
        __atomic_add_fetch(&test_passed, 1, __ATOMIC_RELAXED);
        return true;
    }
    __atomic_add_fetch(&test_failed, 1, __ATOMIC_RELAXED);
    const char *error = ga_error();
    printf("FAIL %s:%d: %s%s%s\n", file, line, text, error ? "\n     the library says: " : "", error ? error : "");
    fflush(stdout);
    return false;
}
#define CHECK(...) test_check((bool)(__VA_ARGS__), __FILE__, __LINE__, #__VA_ARGS__)
/* Does the call fail, returning NULL or false, with these words? */
#define CHECK_FAILS(call, words)                                                                                               \
    do {                                                                                                                       \
        ga_clear_error();                                                                                                      \
        ga_set_error_handler(ga_ignore_error, NULL);                                                                           \
        bool none = !(call);                                                                                                   \
        ga_set_error_handler(NULL, NULL);                                                                                      \
        CHECK(none &&ga_error() && strstr(ga_error(), words));                                                                 \
        ga_clear_error();                                                                                                      \
    } while (0)

static inline void test_skip(const char *why, int how_many)
{
    test_skipped += how_many;
    printf("SKIP %s\n", why);
}

static inline int test_end(void)
{
    printf("%d passed, %d failed, %d skipped\n", test_passed, test_failed, test_skipped);
    return test_failed > 0;
}

/* GPUARR_TEST_DEVICE=cuda: the arrays of the test are made on the GPU; it is the same test. Call this first, and test_use_cpu for
   the parts that are about the CPU alone. GPUARR_TEST_DEVICE=none: built with CUDA, but there is no GPU. */
static inline bool test_wants(const char *device)
{
    const char *wanted = getenv("GPUARR_TEST_DEVICE");
    return wanted && strcmp(wanted, device) == 0;
}
static inline bool test_on_gpu(void) { return ga_get_device() == GA_CUDA; }
static inline void test_begin(void)
{
    if (!test_wants("cuda")) return;
    ga_set_device(GA_CUDA);
    if (test_on_gpu()) return;
    printf("FAIL no GPU: %s\n0 passed, 1 failed, 0 skipped\n", ga_error() ? ga_error() : "ga_set_device did nothing");
    exit(1);
}
/* GPUARR_TEST_SMALL=1: smaller arrays, for builds in which every access is checked. */
static inline bool test_small(void) { return getenv("GPUARR_TEST_SMALL") != NULL; }

/* The elements on the CPU, packed: a new array, or NULL. */
static inline ga_array *test_to_cpu(const ga_array *a) { return ga_to(a, GA_CPU); }

/* Random bits, the same in every run. */
static uint64_t        test_random_state = 88172645463325252u;
static inline uint64_t test_random(void)
{
    test_random_state ^= test_random_state << 13;
    test_random_state ^= test_random_state >> 7;
    test_random_state ^= test_random_state << 17;
    return test_random_state;
}
static inline int64_t test_below(int64_t n) { return (int64_t)(test_random() % (uint64_t)n); } /* 0 to n - 1 */
static inline double  test_uniform(void) { return (double)(test_random() >> 11) * 0x1p-53; }   /* in [0, 1) */

/* Are these two real floating-point numbers of 4 or 8 bytes both NaN? */
static inline bool test_both_nan(const char *p, const char *q, int64_t bytes)
{
    float  x = 0, y = 0;
    double u = 0, v = 0;
    if (bytes == 4) memcpy(&x, p, 4), memcpy(&y, q, 4), u = (double)x, v = (double)y;
    else memcpy(&u, p, 8), memcpy(&v, q, 8);
    return isnan(u) && isnan(v);
}

/* Have both the same dtype, shape and bits, wherever they lie? One NaN is as good as another. */
static inline bool test_same_bits(const ga_array *a, const ga_array *b)
{
    if (!a || !b || a->dtype != b->dtype || !ga_same_shape(a, b)) return false;
    ga_array *x = test_to_cpu(a), *y = test_to_cpu(b);
    int64_t   bytes = a->size * ga_itemsize(a->dtype), part = ga_itemsize(a->dtype) / (a->dtype >= GA_C64 ? 2 : 1);
    bool      ok = x && y;
    if (ok && bytes > 0 && memcmp(x->data, y->data, (size_t)bytes) != 0)
        for (int64_t i = 0; ok && i < bytes; i += part) {
            const char *p = (const char *)x->data + i, *q = (const char *)y->data + i;
            ok = memcmp(p, q, (size_t)part) == 0 || (a->dtype >= GA_F32 && test_both_nan(p, q, part));
            if (!ok) printf("     element %lld differs\n", (long long)(i / ga_itemsize(a->dtype)));
        }
    ga_free(x);
    ga_free(y);
    return ok;
}

/* Is the second on the GPU what the first is on the CPU? */
static inline bool test_same_on_gpu(const ga_array *cpu, const ga_array *gpu)
{
    return cpu && gpu && cpu->device == GA_CPU && gpu->device == GA_CUDA && test_same_bits(cpu, gpu);
}
/* The same; frees both. */
static inline bool test_same_freed(ga_array *cpu, ga_array *gpu)
{
    bool same = test_same_on_gpu(cpu, gpu);
    ga_free(cpu);
    ga_free(gpu);
    return same;
}

/* Does `a` have this dtype and shape and, in C order, these numbers (NaN equals NaN)? Prints both if not. */
static inline bool test_is(const ga_array *a, ga_dtype dtype, ga_shape shape, const double *expected, const char *file,
                           int line, const char *text)
{
    bool ok = a != NULL && a->dtype == dtype && a->ndim == shape.ndim;
    for (int d = 0; ok && d < shape.ndim; d++) ok = a->shape[d] == shape.n[d];
    ga_array *host = ok ? test_to_cpu(a) : NULL, *flat = host ? ga_ravel(host) : NULL;
    ga_array *got = flat ? ga_astype(flat, GA_F64) : NULL;
    ok            = ok && got;
    for (int64_t i = 0; ok && i < a->size; i++) {
        double g = ga_item_at(got, i);
        ok       = isnan(g) ? isnan(expected[i]) : g == expected[i];
        if (!ok) printf("     element %lld is %.17g, expected %.17g\n", (long long)i, g, expected[i]);
    }
    if (!test_check(ok, file, line, text) && a) {
        printf("     it is %s ", ga_dtype_name(a->dtype));
        ga_print(a, .repr = true);
    }
    ga_free(got);
    ga_free(flat);
    ga_free(host);
    return ok;
}
/* CHECK_IS(ga_add(a, b), GA_F64, (2, 2), 1, 2, 3, 4): the array is freed. */
#ifdef __cplusplus
template <class... V>
static inline bool test_is_values(ga_array *a, ga_dtype dtype, ga_shape shape, const char *file, int line, const char *text,
                                  V... v)
{
    const double expected[] = { (double)v... };
    bool         ok         = test_is(a, dtype, shape, expected, file, line, text);
    ga_free(a);
    return ok;
}
#define CHECK_IS(a, dtype, shape, ...) test_is_values(a, dtype, GI_SHAPE shape, __FILE__, __LINE__, #a, __VA_ARGS__)
#else
static inline bool test_is_values(ga_array *a, ga_dtype dtype, ga_shape shape, const char *file, int line, const char *text,
                                  const double *v)
{
    bool ok = test_is(a, dtype, shape, v, file, line, text);
    ga_free(a);
    return ok;
}
#define CHECK_IS(a, dtype, shape, ...)                                                                                         \
    test_is_values(a, dtype, GI_SHAPE shape, __FILE__, __LINE__, #a, (const double[]){ __VA_ARGS__ })
#endif

/* A 0-d shape for CHECK_IS. */
static inline ga_shape test_scalar_shape(void)
{
    ga_shape s;
    memset(&s, 0, sizeof s);
    return s;
}
#define CHECK_SCALAR(a, dtype, v)                                                                                              \
    do {                                                                                                                       \
        ga_array *test_a    = (a);                                                                                             \
        double    test_v[1] = { (double)(v) };                                                                                 \
        test_is(test_a, dtype, test_scalar_shape(), test_v, __FILE__, __LINE__, #a);                                           \
        ga_free(test_a);                                                                                                       \
    } while (0)

#endif
