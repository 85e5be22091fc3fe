/* Places of an array, read and written: a worked example of each call, the last one that wins, errors, devices.
   cc tests/impl.c tests/places.c -lm -lpthread */
#ifndef GPUARR_IMPLEMENTATION
#define GPUARR_KERNELS
#endif
#include "test.h"

/* Is the array what NumPy prints so? */
static bool shows(const ga_array *a, const char *text, const char *call, int line)
{
    char *printed = a ? ga_to_string(a) : NULL;
    bool  same    = printed && strcmp(printed, text) == 0;
    if (!same) printf("     %d: %s is %s, not %s\n", line, call, printed ? printed : ga_error(), text);
    free(printed);
    return same;
}
#define SHOWS(text, ...) test_check(shows(__VA_ARGS__, text, #__VA_ARGS__, __LINE__), __FILE__, __LINE__, #__VA_ARGS__)

static void test_one(void)
{
    ga_scope {
        ga_array *a = ga_zeros((2, 3), .dtype = GA_F32), *u = ga_zeros((2), .dtype = GA_U8), *t = ga_transpose(a);
        CHECK(ga_set_at(a, 1.5, 0, 2) && ga_set_at(a, 2, -1, -3) && ga_set_at(t, 7, 1, 0));
        SHOWS("[[0.  7.  1.5]\n [2.  0.  0. ]]", a);
        CHECK(ga_set_at(u, 255, 1) && ga_item_int_at(u, 1) == 255);
        CHECK_FAILS(ga_set_at(u, 256, 0), "256");
        CHECK_FAILS(ga_set_at(u, 0.5, 0), "without losing its kind");
        CHECK_FAILS(ga_set_at(a, 1, 2, 0), "index 2 is out of bounds for axis 0 with length 2");
        CHECK_FAILS(ga_set_at(a, 1, 0), "1 indices for 2 dimensions");
        CHECK_FAILS(ga_set_at(a, u, 0, 0), "the value is an array");
        CHECK_FAILS(ga_set_at(ga_broadcast_to(ga_scalar(1), (3)), 1, 0), "repeats its elements");
        CHECK_FAILS(ga_set_at(ga_full((4), 1, .chunks = ga_chunks(2)), 1, 0), "chunked");
        CHECK(ga_item_int_at(u, 0) == 0);
        ga_array *flags = ga_zeros((4), .dtype = GA_BOOL), *third = ga_from(((int32_t[]){ 2 }), (1));
        CHECK(ga_set_at(flags, true, 0) && ga_copyto(ga_index(flags, "1:3"), 1) && ga_index_put(flags, (third), 0) &&
              ga_put(flags, third, false));
        SHOWS("[ True  True False False]", flags); /* true is an int in C11 */
        CHECK_FAILS(ga_set_at(flags, 2, 0), "int64 does not go into an array of bool without losing its kind: cast the number");
        CHECK_FAILS(ga_copyto(flags, -1), "without losing its kind");
        CHECK_FAILS(ga_copyto(flags, 1.0), "without losing its kind");
        int64_t before = ga_memory_stats().arrays;
        for (int i = 0; i < 3; i++) CHECK(ga_set_at(u, i, 0));
        CHECK(ga_memory_stats().arrays == before);
    }
}

static void test_index_arrays(void)
{
    ga_scope {
        ga_array *m = ga_reshape(ga_arange(0, 12, 1), (3, 4)), *rows = ga_ints(0, 2), *cols = ga_ints(1, -1),
                 *down = ga_reshape(rows, (2, 1)), *mask = ga_greater(m, 8);
        SHOWS("[ 1 11]", ga_index_take(m, (rows, cols)));
        SHOWS("[[ 1  3]\n [ 9 11]]", ga_index_take(m, (down, cols)));
        SHOWS("[[ 1  3]\n [ 5  7]\n [ 9 11]]", ga_index_take(m, (GA_COLON, cols)));
        SHOWS("[[ 0  1  2  3]\n [ 8  9 10 11]]", ga_index_take(m, (rows)));
        SHOWS("[ 9 10 11]", ga_index_take(m, (mask)));
        ga_array *cube = ga_reshape(ga_arange(0, 24, 1), (2, 3, 4)), *one = ga_ints(1, 1, 1);
        CHECK(ga_index_take(cube, (one, GA_COLON, one))->shape[0] == 3); /* as in NumPy, the axis of the indices comes first */
        CHECK(ga_index_take(cube, (GA_COLON, ga_ints(0, 1), ga_ints(0, 1)))->shape[0] == 2);
        CHECK(ga_index_put(m, (rows, cols), ga_ints(-1, -2)) == m);
        SHOWS("[[ 0 -1  2  3]\n [ 4  5  6  7]\n [ 8  9 10 -2]]", m);
        CHECK(ga_index_put(m, (GA_COLON, ga_ints(0, 0, 0)), ga_ints(7, 8, 9)) && ga_index_put(m, (mask), 0));
        SHOWS("[[ 9 -1  2  3]\n [ 9  5  6  7]\n [ 9  0  0  0]]", m); /* the last one wins */
        CHECK(ga_index_put(m, (ga_ints(0)), ga_index(m, "2")) && ga_item_int_at(m, 0, 1) == 0);
        ga_array *sums = ga_zeros((3));
        CHECK(ga_add_at(sums, (ga_ints(0, 2, 0, -1, 0)), ga_values(1, 10, 2, 20, 4)));
        SHOWS("[ 7.  0. 30.]", sums);
        CHECK(ga_add_at(sums, (ga_ints(1, 1)), 0.5) && ga_item_at(sums, 1) == 1);
        ga_array *flags = ga_zeros((2), .dtype = GA_BOOL);
        CHECK(ga_add_at(flags, (ga_ints(1, 1)), (bool)1) && ga_item_int_at(flags, 1) == 1);
        const ga_array *list[1] = { ga_ints(0) };
        CHECK(ga_index_take_n(m, 1, list) && ga_index_put_n(m, 1, list, 5) && ga_add_at_n(m, 1, list, 1));
        SHOWS("[[6 6 6 6]\n [9 5 6 7]\n [9 0 0 0]]", m);
    }
}

/* Index arrays among slices, integers and new axes: a[...] of NumPy. */
static void test_index_texts(void)
{
    ga_scope {
        ga_array *m = ga_reshape(ga_arange(0, 12, 1), (3, 4)), *rows = ga_ints(0, 2), *cols = ga_ints(1, -1),
                 *cube = ga_reshape(ga_arange(0, 24, 1), (2, 3, 4)), *mask = ga_astype(ga_ints(1, 0, 1), GA_BOOL);
        SHOWS("[[ 1  2]\n [ 9 10]]", ga_index_take(m, (rows), .index = "$1, 1:3"));
        SHOWS("[[ 3  1]\n [ 7  5]\n [11  9]]", ga_index_take(ga_index(m, ":, ::-1"), (ga_ints(0, 2)), .index = "..., $1"));
        SHOWS("[[ 1]\n [11]]",
              ga_index_take(m, (rows, cols), .index = "$1, newaxis, $2")); /* apart: the arrays' axis is first */
        SHOWS("[[ 1  5  9]\n [ 3  7 11]]", ga_index_take(cube, (cols), .index = "0, :, $1"));
        SHOWS("[[ 1  3]\n [13 15]]", ga_index_take(cube, (cols), .index = ":, 0, $1"));
        SHOWS("[[ 1 13]\n [11 23]]", ga_index_take(cube, (rows, cols), .index = ":, $1, ..., $2"));
        SHOWS("[[ 1 11]\n [13 23]]", ga_index_take(cube, (rows, cols), .index = ":, $1, $2"));
        SHOWS("[1 9]", ga_index_take(m, (mask), .index = "$1, 1"));
        SHOWS("[[ 9 10 11]]", ga_index_take(m, (ga_greater(m, 8)), .index = "newaxis, $1"));
        ga_array *yes = ga_scalar((bool)1), *no = ga_scalar((bool)0);
        CHECK(test_same_bits(ga_index_take(m, (yes), .index = "$1"), ga_index(m, "newaxis")));
        CHECK(ga_index_take(m, (no), .index = "1, $1")->size == 0);
        CHECK(ga_index_put(m, (rows), ga_ints(-7, -8), .index = "$1, ::3") == m);
        SHOWS("[[-7  1  2 -8]\n [ 4  5  6  7]\n [-7  9 10 -8]]", m);
        CHECK(ga_add_at(m, (ga_ints(1, 1)), 100, .index = "1:2, $1") == m && ga_item_int_at(m, 1, 1) == 205);
        CHECK_FAILS(ga_index_take(m, (rows), .index = "$2, :"), "item 1, \"$2\", of the index \"$2, :\" is no index array");
        CHECK_FAILS(ga_index_take(m, (rows, cols), .index = "$1, :"), "has no $2, but the list has 2 arrays");
        CHECK_FAILS(ga_index_take(m, (rows), .index = "$1, :, 0"), "names 3 axes");
        CHECK_FAILS(ga_index_take(m, (rows), .index = "$1, 4"), "index 4 is out of bounds for axis 1");
        CHECK_FAILS(ga_index_take(m, (rows, ga_ints(4)), .index = "$1, $2"), "axis with length 4: axis 1 of a");
        CHECK_FAILS(ga_index_take(m, (rows, GA_COLON), .index = "$1, $2"), "NULL");
        CHECK_FAILS(ga_index_take(m, (mask), .index = ":, $1"), "a mask has shape (3,), a (3, 4)");
        CHECK_FAILS(ga_index(m, "$1, :"), "ga_index_take");
        const char *elsewhere[] = { ":, %-5lln", "%d%%n", "%1$n", "%'n" };
        CHECK_FAILS(ga_index(m, elsewhere[0], 1), "has a %n, which writes to memory");
        CHECK_FAILS(ga_index(m, elsewhere[1], 1), "1%n");
        CHECK_FAILS(ga_index(m, elsewhere[2], 1), "has a %n");
        CHECK_FAILS(ga_index(m, elsewhere[3], 1), "has a %n");
    }
}

static void test_along(void)
{
    ga_scope {
        ga_array *a = ga_reshape(ga_ints(30, 10, 20, 5, 6, 4), (2, 3)), *order = ga_argsort(a), *flat = ga_arange(0, 5, 1);
        SHOWS("[[10 20 30]\n [ 4  5  6]]", ga_take_along_axis(a, order));
        SHOWS("[[30 10 20]]", ga_take_along_axis(a, ga_zeros((1, 3), .dtype = GA_I64), 0));
        CHECK(ga_put_along_axis(a, ga_zeros((2, 1), .dtype = GA_I32), 99, -1) == a);
        SHOWS("[[99 10 20]\n [99  6  4]]", a);
        CHECK(ga_put(flat, ga_ints(0, -1, 2), ga_ints(-44, -55)) == flat); /* the values begin again */
        SHOWS("[-44   1 -44   3 -55]", flat);
        CHECK(ga_put(flat, ga_ints(6, 22), -5, .mode = GA_TAKE_CLIP) && ga_put(flat, ga_ints(6), 8, .mode = GA_TAKE_WRAP));
        SHOWS("[-44   8 -44   3  -5]", flat);
        CHECK(ga_place(flat, ga_less(flat, 0), ga_ints(1, 2)) == flat);
        SHOWS("[1 8 2 3 1]", flat);
        CHECK(ga_put(flat, ga_ints(0), ga_zeros((0), .dtype = GA_I64)) == flat && ga_item_int_at(flat, 0) == 1);
    }
}

/* Along each axis of three, of elements of each size, packed and turned, beside the definition. */
static void test_along_three(void)
{
    const ga_dtype dtypes[] = { GA_U8, GA_I16, GA_F32, GA_I64, GA_C128 };
    for (int axis = 0; axis < 3; axis++)
        for (size_t t = 0; t < sizeof dtypes / sizeof *dtypes; t++)
            for (int turned = 0; turned < 2; turned++)
                ga_scope {
                    ga_array *a      = ga_astype(ga_reshape(ga_arange(0, 60, 1), (3, 4, 5)), dtypes[t]);
                    a                = turned ? ga_transpose(ga_copy(ga_transpose(a))) : a;
                    int64_t shape[3] = { 3, 4, 5 };
                    shape[axis]      = 7;
                    ga_array *index  = ga_random_integers(0, a->shape[axis], (shape[0], shape[1], shape[2]), .seed = 1);
                    ga_array *taken  = ga_take_along_axis(a, index, axis),
                             *put    = turned ? ga_transpose(ga_copy(ga_transpose(a))) : ga_copy(a);
                    CHECK(ga_put_along_axis(put, index, ga_add(taken, 1), axis) == put);
                    ga_array *from = ga_astype(ga_real(a), GA_F64), *to = ga_astype(ga_real(taken), GA_F64),
                             *wanted = ga_copy(from);
                    for (int64_t i = 0; i < index->size; i++) {
                        const int64_t here[3] = { i / (shape[1] * shape[2]), i / shape[2] % shape[1], i % shape[2] };
                        int64_t       at[3]   = { here[0], here[1], here[2] };
                        at[axis]              = ga_item_int_at(index, here[0], here[1], here[2]);
                        const double value    = ga_item_at(from, at[0], at[1], at[2]);
                        if (!CHECK(ga_item_at(to, here[0], here[1], here[2]) == value)) break;
                        ga_set_at(wanted, value + 1, at[0], at[1], at[2]);
                    }
                    CHECK(ga_array_equal(ga_astype(ga_real(put), GA_F64), wanted));
                }
    ga_scope { /* the index array is the array itself */
        ga_array *i = ga_ints(2, 0, 1, 3);
        CHECK(ga_index_put(i, (i), ga_ints(10, 11, 12, 13)) == i);
        SHOWS("[11 12 10 13]", i);
    }
}

static void test_errors(void)
{
    ga_scope {
        ga_array *a = ga_zeros((3, 4), .dtype = GA_I32), *v = ga_ints(0, 5),
                 *chunked = ga_full((3, 4), 1, .chunks = ga_chunks(2));
        CHECK_FAILS(ga_index_take(a, (v)), "index 5 is out of bounds for an axis with length 3");
        CHECK_FAILS(ga_index_put(a, (ga_ints(0, 1), v), 1), "index 5 is out of bounds for an axis with length 4");
        CHECK_FAILS(ga_add_at(a, (v), 1), "index 5");
        CHECK_FAILS(ga_put(a, ga_ints(0, 12), 1), "index 12 is out of bounds for an axis with length 12");
        CHECK(ga_item_int(ga_sum(a)) == 0); /* nothing was written */
        CHECK_FAILS(ga_index_take(a, (ga_values(1))), "indices are float64: they must be integers");
        CHECK_FAILS(ga_index_take(a, (v, v, v)), "more index arrays than the 2 axes of a");
        CHECK_FAILS(ga_index_take(a, (GA_COLON)), "there is no index array");
        CHECK_FAILS(ga_index_take(a, (ga_ints(0, 1), ga_ints(0, 1, 2))), "do not broadcast");
        CHECK_FAILS(ga_index_take(a, (ga_ints(0, 1), ga_zeros((3, 4), GA_I64))), "one has shape (3, 4), those before it (2,)");
        CHECK_FAILS(ga_index_take(a, (ga_ones((4), .dtype = GA_BOOL))), "a mask has shape (4,), a (3, 4)");
        CHECK_FAILS(ga_index_take_n(a, 1, NULL), "the list of 1 index arrays is NULL");
        CHECK_FAILS(ga_index_take_n(a, -1, NULL), "there cannot be -1 index arrays");
        CHECK_FAILS(ga_add_at_n(a, -1, NULL, 1), "there cannot be -1 index arrays");
        CHECK_FAILS(ga_index_take(a, ((ga_array *)NULL)), "NULL");
        CHECK_FAILS(ga_index_put(a, (ga_ints(0, 1)), ga_ints(1, 2, 3)), "cannot be stretched to (2, 4)");
        CHECK_FAILS(ga_index_put(a, (ga_ints(0)), 0.5), "without losing its kind");
        CHECK_FAILS(ga_index_put(a, (ga_ints(0)), (int64_t)1 << 40), "does not fit");
        CHECK_FAILS(ga_index_put(ga_broadcast_to(a, (2, 3, 4)), (ga_ints(0)), 1), "repeats its elements");
        CHECK_FAILS(ga_take_along_axis(a, v), "indices are int64 of shape (2,): they must be integers, with the 2 axes of a");
        CHECK_FAILS(ga_take_along_axis(a, ga_zeros((3, 4), .dtype = GA_I32), .axis = 2), "axis 2");
        CHECK_FAILS(ga_put(a, v, 1, .mode = (ga_take_mode)9), ".mode = 9");
        CHECK_FAILS(ga_put(ga_zeros((0)), v, 1), "the axis has length 0, and 2 indices are given");
        CHECK_FAILS(ga_place(a, v, 1), "mask has shape (2,), a (3, 4)");
        CHECK_FAILS(ga_place(a, ga_equal(a, 0), ga_zeros((0), .dtype = GA_I32)), "values has no element");
        CHECK_FAILS(ga_index_take(chunked, (v)), "chunked");
        CHECK_FAILS(ga_index_put(chunked, (v), 1), "chunked");
        CHECK_FAILS(ga_add_at(chunked, (v), 1), "chunked");
        CHECK_FAILS(ga_put(a, v, chunked), "chunked");
    }
}

/* Repeated places, on both devices: the same bits as one after the other. */
static void test_repeated(void)
{
    if (ga_cuda_count() == 0) return;
    ga_scope {
        const int64_t n        = 5000;
        ga_array     *at       = ga_random_integers(-40, 40, (5000), .device = GA_CPU, .seed = 3);
        ga_array     *v        = ga_random((5000), .dtype = GA_F32, .device = GA_CPU, .seed = 4);
        ga_array     *put[2]   = { ga_zeros((80), .dtype = GA_F32, .device = GA_CPU), NULL };
        ga_array     *sums[2]  = { ga_zeros((80), .dtype = GA_F32, .device = GA_CPU), NULL };
        float         last[80] = { 0 }, sum[80] = { 0 };
        put[1]  = ga_to(put[0], GA_CUDA);
        sums[1] = ga_to(sums[0], GA_CUDA);
        for (int d = 0; d < 2; d++) {
            ga_array *i = ga_to(at, d ? GA_CUDA : GA_CPU), *x = ga_to(v, d ? GA_CUDA : GA_CPU);
            CHECK(ga_index_put(put[d], (i), x) && ga_add_at(sums[d], (i), x));
        }
        for (int64_t k = 0; k < n; k++) {
            const int64_t p = ga_item_int_at(at, k) + (ga_item_int_at(at, k) < 0 ? 80 : 0);
            last[p]         = (float)ga_item_at(v, k);
            sum[p] += (float)ga_item_at(v, k);
        }
        CHECK(memcmp(ga_data(put[0], GA_F32), last, sizeof last) == 0 &&
              memcmp(ga_data(sums[0], GA_F32), sum, sizeof sum) == 0);
        CHECK(test_same_on_gpu(put[0], put[1]) && test_same_on_gpu(sums[0], sums[1]));
    }
}

/* Chosen elements and where they are, of every size around vectors and chunks, none to all of them; each way through the loops. */
static void test_chosen(void)
{
    enum { MOST = 70001 };
    static const int      lengths[] = { 0, 1, 7, 8, 9, 63, 64, 65, 511, 513, 1000, 32768, 32769, MOST };
    static const ga_dtype dtypes[]  = { GA_U8, GA_I16, GA_F32, GA_I64, GA_C64, GA_C128 };
    static uint8_t        flags[MOST];
    static double         chosen[MOST];
    static int64_t        places[2 * MOST];
    uint32_t              random = 1;
    bool                  on_cpu = false; /* CUDA's kernels have tests of their own */
    ga_scope
        on_cpu = ga_zeros((1))->device == GA_CPU;
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths && (on_cpu || lengths[l] <= 1000); l++)
        for (int percent = 0; percent <= 100; percent += percent < 2 ? 2 : 49) {
            const int n = lengths[l], columns = n % 7 == 0 && n > 0 ? n / 7 : 1;
            int       m = 0;
            for (int i = 0; i < n; i++) {
                random   = random * 1664525u + 1013904223u;
                flags[i] = (int)(random >> 16) % 100 < percent;
                if (flags[i]) places[m] = i, chosen[m++] = i % 101;
            }
            ga_scope {
                ga_array *mask = ga_astype(ga_from(flags, (n)), GA_BOOL), *a = ga_remainder(ga_arange(n), 101);
                ga_array *some = ga_from(chosen, (m));
                for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
                    CHECK(ga_array_equal(ga_extract(mask, ga_astype(a, dtypes[d])), ga_astype(some, dtypes[d])));
                CHECK(ga_array_equal(ga_nonzero(mask), ga_from(places, (1, m))));
                for (int k = m - 1; k >= 0; k--) places[m + k] = places[k] % columns;
                for (int k = 0; k < m; k++) places[k] /= columns;
                CHECK(ga_array_equal(ga_nonzero(ga_reshape(mask, (n / columns, columns))), ga_from(places, (2, m))));
            }
        }
}

/* Into an array that no near cache holds, of which lines are fetched ahead; the last of equal places wins. */
static void test_far(void)
{
    const ga_dtype dtypes[] = { GA_U8, GA_F32, GA_F64, GA_C128 };
    const int64_t  n        = 1200000;
    for (int k = 0; k < 4; k++)
        for (int64_t count = 1; count < 200000; count = count < 40 ? count + 13 : count * 60)
            ga_scope {
                ga_array *a = ga_zeros((n), .dtype = dtypes[k], .device = GA_CPU), *b = ga_copy(a);
                ga_array *at = ga_random_integers(-n, n, (count), .device = GA_CPU, .seed = 5);
                ga_array *v  = ga_astype(ga_add(ga_arange(0, count, 1, .device = GA_CPU), 1), dtypes[k]);
                for (int64_t i = 0, size = ga_itemsize(dtypes[k]); i < count; i++) {
                    const int64_t p = ((const int64_t *)at->data)[i];
                    memcpy((char *)b->data + (p < 0 ? p + n : p) * size, (const char *)v->data + i * size, (size_t)size);
                }
                CHECK(ga_put(a, at, v) && memcmp(a->data, b->data, (size_t)(n * ga_itemsize(dtypes[k]))) == 0);
                ga_array *half = ga_index(a, "::2"); /* not side by side */
                CHECK(ga_put(half, ga_minimum(ga_absolute(at), n / 2 - 1), 7));
                const ga_array *real = ga_real(half);
                for (int64_t i = 0; i < count; i += 1 + count / 100) {
                    const int64_t p = llabs((long long)((const int64_t *)at->data)[i]);
                    CHECK(ga_item_at(real, p < n / 2 ? p : n / 2 - 1) == 7);
                }
            }
}

int main(void)
{
    test_begin();
    test_chosen();
    test_one();
    test_index_arrays();
    test_index_texts();
    test_along();
    test_along_three();
    test_errors();
    test_repeated();
    test_far();
    return test_end();
}
