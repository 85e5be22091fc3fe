/* Memory: scopes, views, wrapped memory, statistics.
   cc tests/impl.c tests/memory.c -lm -lpthread */
#include "test.h"

#include <pthread.h>
#include <sys/resource.h>

/* ---- scopes ------------------------------------------------------------------------------------------------------ */

static int64_t alive(void) { return ga_memory_stats().arrays; }

static ga_array *returns_from_scope(bool keep)
{
    ga_scope {
        ga_array *a = ga_ones((4));
        ga_array *b = ga_add(a, 1);
        return keep ? ga_keep(b) : NULL;
    }
    return NULL;
}

static void test_scopes(void)
{
    CHECK(alive() == 0);
    ga_array *out = NULL, *survivor = NULL;
    ga_scope {
        ga_array *a = ga_ones((3));
        CHECK(alive() == 1);
        ga_scope {
            ga_array *b = ga_add(ga_add(a, 1), ga_add(a, 2));
            CHECK(alive() == 4);
            out = ga_keep(b);
            CHECK(out == b);
        }
        CHECK(alive() == 2 && ga_item_at(out, 0) == 5); /* in the outer scope now */
        ga_scope {
            ga_scope {
                survivor = ga_keep(ga_keep(ga_keep(ga_values(7))));
            } /* kept through all three scopes */
        }
        CHECK(ga_item(survivor) == 7);
        ga_free(a); /* by hand, inside its scope */
        CHECK(alive() == 2);
        ga_scope {} /* empty */
        ga_array *c = ga_zeros((2));
        CHECK(c && alive() == 3);
    }
    CHECK(alive() == 1 && ga_item(survivor) == 7);
    ga_free(survivor);
    CHECK(alive() == 0);

    ga_array *r = returns_from_scope(true);
    CHECK(alive() == 1 && ga_item_at(r, 3) == 2);
    CHECK(ga_keep(r) == r); /* outside a scope: nothing happens */
    ga_free(r);
    CHECK(returns_from_scope(false) == NULL && alive() == 0);

    for (int i = 0; i < 10; i++) {
        bool stop = false;
        ga_scope {
            ga_array *a = ga_full((100), i);
            if (ga_item_at(a, 0) == 3) {
                stop = true;
                break; /* out of the scope, which is a loop */
            }
            if (i == 1) continue; /* the same */
        }
        CHECK(alive() == 0);
        if (stop) break;
    }
    CHECK(alive() == 0);

    /* Arrays made outside are not touched; those freed in an inner scope do not come back. */
    ga_array *outside = ga_ones((2));
    ga_scope {
        ga_array *inside = ga_ones((2));
        ga_scope {
            ga_free(inside);
        }
        CHECK(ga_item_at(outside, 0) == 1);
    }
    CHECK(alive() == 1);
    ga_free(outside);
    CHECK(ga_keep(NULL) == NULL);

    /* Order of release: a middle one, the last and the first. */
    ga_scope {
        ga_array *a = ga_zeros((1)), *b = ga_zeros((1)), *c = ga_zeros((1)), *d = ga_zeros((1));
        ga_free(b);
        ga_free(d);
        ga_free(a);
        CHECK(alive() == 1 && ga_item(c) == 0);
    }
    CHECK(alive() == 0);
}

/* ---- views and wrapped memory ------------------------------------------------------------------------------------ */

static int   released;
static void *released_p;
static void  count_release(void *p, void *user)
{
    released++;
    released_p = p;
    CHECK(user == &released);
}

static void test_views_keep_memory(void)
{
    ga_array *a = ga_arange(0, 1000, 1), *v = ga_index(a, "::10"), *w = ga_index(v, "5:"), *r = ga_reshape(w, (5, 19));
    ga_free(a);
    ga_free(v);
    CHECK(ga_item_at(w, 0) == 50 && ga_item_at(r, 4, 18) == 990);
    ga_free(w);
    ga_array *other = ga_zeros((1000), .dtype = GA_I64); /* would land in the block if it were free */
    CHECK(ga_item_at(r, 0, 1) == 60);
    ga_free(other);
    ga_free(r);
    CHECK(alive() == 0);

    /* Wrapped memory: shared, never freed; the callback comes once, with the last view. */
    float pixels[6] = { 1, 2, 3, 4, 5, 6 };
    a               = ga_wrap(pixels, (2, 3), .release = count_release, .user = &released);
    v               = ga_index(a, "1");
    CHECK(a && a->data == (void *)pixels && a->dtype == GA_F32 && v->data == (void *)(pixels + 3));
    CHECK(ga_copyto(v, 9) == v && pixels[3] == 9 && pixels[5] == 9 && pixels[2] == 3);
    pixels[4] = 7;
    CHECK(ga_item_at(v, 1) == 7);
    ga_free(a);
    CHECK(released == 0);
    ga_free(v);
    CHECK(released == 1 && released_p == (void *)pixels);
    ga_scope {
        ga_array *s = ga_wrap_strided(pixels, (3), (8), .release = count_release, .user = &released);
        CHECK(ga_item_at(s, 1) == 3 && ga_item_at(s, 2) == 7);
    }
    CHECK(released == 2);
    /* What fails does not release: the memory is still the caller's. */
    ga_array *none = ga_wrap(pixels, (2, -3), .release = count_release, .user = &released);
    CHECK(none == NULL && released == 2);
    ga_clear_error();
    /* Negative strides: the pointer is the first element. */
    a = ga_wrap_strided(pixels + 5, (6), (-4));
    CHECK(ga_item_at(a, 0) == 9 && ga_item_at(a, 5) == 1);
    ga_free(a);
    CHECK(alive() == 0);
}

/* ---- statistics -------------------------------------------------------------------------------------------------- */

static void test_statistics(void)
{
    ga_memory_trim();
    ga_memory_reset_peak();
    ga_memory m0 = ga_memory_stats();
    CHECK(m0.arrays == 0 && m0.used_bytes == 0 && m0.peak_bytes == 0 && m0.total_bytes == 0 && m0.limit_bytes == 0);
    ga_array *a  = ga_zeros((1000));
    ga_memory m1 = ga_memory_stats();
    CHECK(m1.arrays == 1 && m1.used_bytes >= 8000 && m1.used_bytes < 9000 && m1.peak_bytes == m1.used_bytes &&
          m1.total_bytes >= m1.used_bytes);
    ga_array *v  = ga_index(a, "::2");
    ga_memory m2 = ga_memory_stats();
    CHECK(m2.arrays == 2 && m2.used_bytes - m1.used_bytes < 1000); /* a view costs a handle */
    ga_free(a);
    CHECK(ga_memory_stats().used_bytes >= 8000);
    ga_free(v);
    ga_memory m3 = ga_memory_stats();
    CHECK(m3.arrays == 0 && m3.used_bytes == 0 && m3.peak_bytes == m2.used_bytes);
    ga_memory_trim();
    CHECK(ga_memory_stats().total_bytes == 0);
    ga_memory_reset_peak();
    CHECK(ga_memory_stats().peak_bytes == 0);

    /* Freed blocks are used again. */
    for (int i = 0; i < 100; i++) ga_free(ga_zeros((100000)));
    CHECK(ga_memory_stats().total_bytes < 4 * 800000);
    ga_memory_trim();

    /* The limit. */
    ga_memory_limit(1 << 20);
    CHECK(ga_memory_stats().limit_bytes == 1 << 20);
    a = ga_zeros((100000));
    CHECK(a != NULL && !ga_error());
    ga_array *b = ga_zeros((100000));
    CHECK(b == NULL && ga_error_status() == GA_NO_MEMORY && strstr(ga_error(), "limit") &&
          strstr(ga_error(), "ga_memory_limit"));
    ga_clear_error();
    ga_free(a);
    b = ga_zeros((100000));
    CHECK(b != NULL && !ga_error());
    ga_memory_limit(1000); /* below what is used: only new ones fail */
    CHECK(ga_item_at(b, 5) == 0 && ga_zeros((1)) == NULL && ga_error_status() == GA_NO_MEMORY);
    ga_clear_error();
    ga_memory_limit(0);
    a = ga_add(b, 1);
    CHECK(a != NULL && ga_item_at(a, 99999) == 1);
    ga_memory_limit(-5); /* no limit either */
    CHECK(ga_memory_stats().limit_bytes == 0);
    ga_free(a);
    ga_free(b);
    CHECK(alive() == 0 && ga_memory_stats().used_bytes == 0);

    /* The list of what is alive. */
    FILE *f = tmpfile();
    if (!f) {
        test_skip("no temporary file", 1);
        return;
    }
    CHECK(ga_report_leaks(f) == 0 && ftell(f) == 0);
    int line = __LINE__ + 1;
    a        = ga_ones((3, 4), .dtype = GA_F32);
    v        = ga_index(a, "1");
    CHECK(ga_report_leaks(f) == 2 && ga_report_leaks(NULL) == 2);
    char text[1000] = "", wanted[40];
    rewind(f);
    size_t n = fread(text, 1, sizeof text - 1, f);
    text[n]  = 0;
    snprintf(wanted, sizeof wanted, "memory.c:%d", line);
    CHECK(strstr(text, wanted) && strstr(text, "ga_ones((3, 4), .dtype = GA_F32)") && strstr(text, "float32") &&
          strstr(text, "(3, 4)"));
    CHECK(strstr(text, "ga_index(a, \"1\")") && strstr(text, "48 bytes"));
    fclose(f);
    ga_free(v);
    ga_free(a);
    CHECK(ga_report_leaks(stdout) == 0);
}

/* Long lines of one or two bytes are sorted by counting: no room beside the result, but for the counters. */
static void test_sorting_room(void)
{
    static const ga_dtype dtypes[] = { GA_BOOL, GA_U8, GA_I8, GA_U16, GA_I16 };
    for (int k = 0; k < 5; k++)
        for (int threads = 1; threads <= 3; threads++)
            ga_scope {
                if (!ga_dtype_name(dtypes[k])) continue;
                const bool    narrow = k < 3;
                const int64_t n      = narrow ? 300000 : 1100000;
                double        span   = k == 0   ? 2
                                       : narrow ? 256
                                                : 65536,
                       from          = dtypes[k] == GA_I8    ? -128
                                       : dtypes[k] == GA_I16 ? -32768
                                                             : 0;
                ga_set_num_threads(threads);
                ga_array *x    = ga_astype(ga_floor(ga_add(ga_multiply(ga_random((2, n)), span), from)), dtypes[k]),
                         *wide = ga_astype(x, GA_I32);
                ga_memory_reset_peak();
                int64_t   before = ga_memory_stats().peak_bytes;
                ga_array *sorted = ga_sort(x);
                int64_t   room   = ga_memory_stats().peak_bytes - before - 2 * n * ga_itemsize(dtypes[k]);
                CHECK(room < (narrow ? 20000 : 4000000));
                CHECK(ga_array_equal(ga_astype(sorted, GA_I32), ga_sort(wide)));
                CHECK(ga_array_equal(ga_sort(ga_transpose(x), .axis = 0), ga_transpose(sorted)));
                CHECK(ga_array_equal(ga_sort(ga_index(ga_transpose(x), "::-1, 1"), .axis = 0), ga_index(sorted, "1")));
            }
    ga_scope { /* many lines, each of them long enough */
        ga_array *x = ga_astype(ga_multiply(ga_random((30, 9000)), 255), GA_U8);
        CHECK(ga_array_equal(ga_astype(ga_sort(x), GA_I32), ga_sort(ga_astype(x, GA_I32))));
    }
    for (int k = 0; k < 4 && !strcmp(ga_isa(), "avx512"); k++) /* numbers of 4 and 8 bytes, by a quicksort in the result */
        ga_scope {
            ga_set_num_threads(1 + k / 2 * 2);
            ga_array *x = ga_random((300000), .dtype = k % 2 ? GA_F32 : GA_F64);
            ga_memory_reset_peak();
            const int64_t before = ga_memory_stats().peak_bytes;
            ga_array     *sorted = ga_sort(x);
            CHECK(ga_memory_stats().peak_bytes - before < sorted->size * ga_itemsize(x->dtype) + 1000);
        }
    ga_set_num_threads(2);
}

/* ---- what a thread works with -------------------------------------------------------------------------------------- */

static void *begins_without_memory(void *array)
{
    ga_array     *a = (ga_array *)array, *sum;
    struct rlimit limit, least;
    CHECK(getrlimit(RLIMIT_AS, &limit) == 0);
    least          = limit;
    least.rlim_cur = 1 << 20; /* less than the process has: nothing can be mapped */
    CHECK(setrlimit(RLIMIT_AS, &least) == 0);
    CHECK_FAILS(ga_add(a, 1, .out = a), "that this thread works with");
    CHECK(!ga_add(a, 1, .out = a) && ga_error_status() == GA_NO_MEMORY);
    ga_clear_error();
    CHECK_FAILS(ga_zeros((3)), "that this thread works with");
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
    sum = ga_sum(ga_add(a, 1, .out = a));
    CHECK(sum && ga_item(sum) == 4000 * 3);
    ga_free(sum);
    return NULL;
}

static void test_threads_without_memory(void)
{
    if (TEST_ASAN || TEST_TSAN) return; /* which need far more address space */
    pthread_t thread;
    ga_array *a = ga_full((4000), 2);
    CHECK(pthread_create(&thread, NULL, begins_without_memory, a) == 0 && pthread_join(thread, NULL) == 0);
    CHECK(ga_item_at(a, 3999) == 3);
    ga_free(a);
}

static void *adds(void *array)
{
    ga_free(ga_add((ga_array *)array, 1));
    return NULL;
}

static long mapped_kilobytes(void)
{
    char  line[256];
    long  kilobytes = 0;
    FILE *f         = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, "VmSize:", 7) == 0) kilobytes = strtol(line + 7, NULL, 10);
    if (f) fclose(f);
    return kilobytes;
}

/* A thread gives back what it worked with. */
static void test_threads_that_end(void)
{
    long      before = 0;
    ga_array *a      = ga_ones((40));
    if (TEST_ASAN || TEST_TSAN) return;
    for (int k = 0; k < 300; k++) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, adds, a) == 0 && pthread_join(thread, NULL) == 0);
        if (k == 99) before = mapped_kilobytes();
    }
    CHECK(mapped_kilobytes() - before < 50 * 1024); /* of 200 threads */
    ga_free(a);
}

int main(void)
{
    ga_set_num_threads(2);
    test_begin();
    test_scopes();
    test_views_keep_memory();
    ga_set_device(GA_CPU); /* what follows counts the CPU's bytes */
    test_statistics();
    test_sorting_room();
    test_threads_without_memory();
    test_threads_that_end();
    return test_end();
}
