/* Objects, their measures, medians of long lines and sigma clipping, against plain loops and against other calls: the same bits for
   every layout in memory and every number of threads.
   cc tests/impl.c tests/images.c -lm -lpthread */
#include "test.h"

static const ga_dtype dtypes[] = { GA_BOOL, GA_I8,  GA_U8,  GA_I16, GA_U16, GA_I32, GA_U32,
                                   GA_I64,  GA_U64, GA_F32, GA_F64, GA_C64, GA_C128 };
enum { REAL_DTYPES = 11, DTYPES = 13, LAYOUTS = 4 };

static bool same(const ga_array *a, const ga_array *b)
{
    return a && b && a->dtype == b->dtype && ga_array_equal(a, b, .equal_nan = true);
}

/* The same elements, otherwise in memory. */
static ga_array *laid(const ga_array *a, int kind)
{
    switch (kind) {
    case 1: return ga_flip(ga_copy(ga_flip(a)));
    case 2: return ga_transpose(ga_copy(ga_transpose(a)));
    case 3: return ga_index(ga_repeat(a, 2, .axis = -1), "..., ::2");
    default: return ga_copy(a);
    }
}

static ga_array *on_test_device(ga_array *a) { return ga_to(a, ga_get_device()); }

/* ---- labels against a flood ------------------------------------------------------------------------------------------------ */

/* Numbers the objects of a packed image in raster order; returns how many there are. */
static int64_t flood(int ndim, const int64_t *shape, const bool *mask, int connectivity, int32_t *labels)
{
    int64_t size = 1, strides[3] = { 0 }, objects = 0, filled;
    for (int d = ndim - 1; d >= 0; d--) {
        strides[d] = size;
        size *= shape[d];
    }
    int64_t *stack = (int64_t *)malloc((size_t)(size + 1) * sizeof *stack);
    memset(labels, 0, (size_t)size * sizeof *labels);
    for (int64_t first = 0; first < size; first++) {
        if (!mask[first] || labels[first]) continue;
        filled          = 0;
        labels[first]   = (int32_t)++objects;
        stack[filled++] = first;
        while (filled > 0) {
            int64_t at = stack[--filled];
            for (int way = 0; way < 27; way++) { /* the neighbours: -1, 0 or 1 along each axis */
                int64_t to = at, rest = way, moved = 0;
                bool    inside = true;
                for (int d = 0; d < 3; d++, rest /= 3) {
                    int64_t step = rest % 3 - 1;
                    if (d >= ndim) inside = inside && step == 0;
                    if (step == 0 || d >= ndim) continue;
                    int64_t x = at / strides[d] % shape[d] + step;
                    inside    = inside && x >= 0 && x < shape[d];
                    to += step * strides[d];
                    moved++;
                }
                if (!inside || moved == 0 || moved > connectivity || !mask[to] || labels[to]) continue;
                labels[to]      = (int32_t)objects;
                stack[filled++] = to;
            }
        }
    }
    free(stack);
    return objects;
}

/* ga_label of an image of that shape and density, in every dtype, layout and number of threads. */
static void check_labels(int ndim, const int64_t *shape, double density, int connectivity)
{
    ga_scope {
        ga_array *mask = ga_zeros_n(ndim, shape, .dtype = GA_BOOL, .device = GA_CPU);
        ga_array *want = ga_zeros_n(ndim, shape, .dtype = GA_I32, .device = GA_CPU);
        bool     *flag = ga_data(mask, GA_BOOL);
        for (int64_t i = 0; i < mask->size; i++) flag[i] = test_uniform() < density;
        int64_t   objects = flood(ndim, shape, flag, connectivity, ga_data(want, GA_I32)), count = -1;
        ga_array *values = ga_multiply(ga_astype(mask, GA_F64), ga_random_integers(1, 100, (1), .device = GA_CPU));
        ga_set_num_threads(1 + (int)test_below(8));
        int       kind  = ndim > 0 ? (int)test_below(LAYOUTS) : 0;
        ga_dtype  dtype = dtypes[test_below(DTYPES)];
        ga_array *image = laid(on_test_device(ga_astype(values, dtype)), kind), *expected = on_test_device(want);
        bool      ok = same(ga_label(image, .connectivity = connectivity, .count = &count), expected) && count == objects;
        ok           = ok && same(ga_label(image, .connectivity = connectivity, .dtype = GA_I64), ga_astype(expected, GA_I64));
        if (dtype < GA_C64) { /* what is above a number */
            bool      negative = dtype != GA_BOOL && ga_item(ga_min(ga_astype(ga_ints(-1), dtype))) < 0;
            ga_array *dim      = negative ? ga_subtract(image, ga_astype(ga_logical_not(image), dtype)) : image;
            ok = ok && same(ga_label(dim, .connectivity = connectivity, .above = 0, .count = &count), expected) &&
                 count == objects;
            ok = ok && same(ga_label(image, .connectivity = connectivity, .above = 0.5), expected);
            ok = ok && same(ga_label(image, .connectivity = connectivity, .above = 1e300), ga_multiply(expected, 0));
        }
        if (!CHECK(ok))
            printf("     %d axes, the last of %lld, density %g, connectivity %d, %s, layout %d, %d threads\n", ndim,
                   (long long)(ndim ? shape[ndim - 1] : 0), density, connectivity, ga_dtype_name(dtype), kind,
                   ga_get_num_threads());
    }
}

static void test_labels(void)
{
    static const int64_t columns[]   = { 1, 2, 31, 63, 64, 65, 127, 128, 129, 191, 192, 193, 320 };
    static const double  densities[] = { 0, 0.03, 0.3, 0.5, 0.6, 0.8, 1 };
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
        for (size_t k = 0; k < sizeof densities / sizeof *densities; k++) {
            int64_t flat[2] = { 1 + test_below(test_small() ? 9 : 40), columns[c] },
                    deep[3] = { 1 + test_below(5), 1 + test_below(5), columns[c] };
            check_labels(1, &columns[c], densities[k], 1);
            check_labels(2, flat, densities[k], 1);
            check_labels(2, flat, densities[k], 2);
            check_labels(3, deep, densities[k], 1 + (int)test_below(3));
        }
    if (test_small()) return;
    static const int64_t wide[][2] = { { 1, 70001 }, { 3, 33000 }, { 2, 65536 }, { 130, 700 } };
    for (size_t w = 0; w < sizeof wide / sizeof *wide; w++)
        for (int connectivity = 1; connectivity <= 2; connectivity++) check_labels(2, wide[w], 0.55, connectivity);
}

/* Objects that wind through the whole image, and one that only a corner of its last row joins. */
static void test_windings(void)
{
    enum { N = 193 };
    static bool          snake[N * N], comb[N * N], spiral[N * N];
    static int32_t       want[N * N];
    static const int64_t shape[2] = { N, N };
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            snake[i * N + j] = i % 2 == 0 || j == (i % 4 == 1 ? N - 1 : 0);
            comb[i * N + j]  = j % 2 == 0 || i == N - 1;
            int ring = i < j ? i : j, far = N - 1 - (i < j ? j : i);
            ring              = ring < far ? ring : far;
            spiral[i * N + j] = (ring % 2 == 0) != (i == ring + 1 && j == ring && ring + 1 < N / 2);
        }
    bool *images[3] = { snake, comb, spiral };
    for (int k = 0; k < 3; k++)
        for (int threads = 1; threads <= 8; threads += 1 + threads / 3)
            ga_scope {
                int64_t   objects  = flood(2, shape, images[k], 1, want), count;
                ga_array *image    = on_test_device(ga_from(images[k], (N, N), .device = GA_CPU));
                ga_array *expected = on_test_device(ga_from(want, (N, N), .device = GA_CPU));
                ga_set_num_threads(threads);
                CHECK(same(ga_label(image, .count = &count), expected) && count == objects);
            }
}

/* ---- measures: ga_sum_labels has the bits of ga_sum over the elements of the label ... ------------------------------------- */

static void check_measures(const ga_array *a, const ga_array *labels, int64_t most)
{
    ga_array *sums = ga_sum_labels(a, labels, NULL), *means = ga_mean_labels(a, labels, NULL), *together = NULL;
    ga_array *least = ga_min_labels(a, labels, NULL), *greatest = ga_max_labels(a, labels, NULL);
    ga_array *sizes = ga_size_labels(labels, NULL), *centers = ga_center_of_mass(a, labels, NULL, .sums = &together);
    bool      ok = sums && means && least && greatest && sizes && centers && same(sums, together);
    ok           = ok && sums->size == most && centers->ndim == 2 && centers->shape[0] == most && centers->shape[1] == a->ndim;
    ga_array *wide = ga_astype(a, GA_F64);
    for (int64_t k = 1; ok && k <= most; k++)
        ga_scope {
            ga_array *chosen = ga_equal(labels, k), *x = ga_extract(chosen, wide), *at = ga_nonzero(chosen);
            double    sum = ga_item(ga_sum(x));
            int64_t   n   = x->size;
            ok            = ga_item_at(sums, k - 1) == sum && ga_item_int_at(sizes, k - 1) == n;
            if (n > 0) {
                ok = ok && ga_item_at(means, k - 1) == sum / (double)n && ga_item_at(least, k - 1) == ga_item(ga_min(x)) &&
                     ga_item_at(greatest, k - 1) == ga_item(ga_max(x));
            } else {
                ok = ok && isnan(ga_item_at(means, k - 1)) && ga_item_at(least, k - 1) == 0 && ga_item_at(greatest, k - 1) == 0;
            }
            for (int d = 0; ok && d < a->ndim; d++) {
                ga_array *moment = ga_multiply(x, ga_astype(ga_index(at, "%d", d), GA_F64));
                double    want = ga_item(ga_sum(moment)) / sum, got = ga_item_at(centers, k - 1, d);
                ok = got == want || (isnan(got) && isnan(want));
            }
        }
    CHECK(ok);
}

static void test_measures(void)
{
    static const int64_t shapes[][3] = { { 1, 1, 300 },  { 1, 37, 65 }, { 4, 5, 64 },   { 1, 1, 1 },
                                         { 1, 3, 9000 }, { 70, 70, 3 }, { 1, 3, 30000 } };
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int turn = 0; turn < (test_small() ? 2 : 4); turn++)
            ga_scope {
                int64_t   size = shapes[s][0] * shapes[s][1] * shapes[s][2], most = 1 + test_below(12);
                ga_array *labels = ga_zeros((size), .dtype = GA_I64, .device = GA_CPU);
                int64_t  *label = ga_data(labels, GA_I64), run = turn == 0 ? 1 : 1 + test_below(turn % 2 ? 200 : 6);
                for (int64_t i = 0; i < size; i++) /* runs, also beyond the ends of rows, and background, or none */
                    label[i] = i % run ? label[i - 1] : turn % 3 && test_uniform() < 0.7 ? 0 : 1 + test_below(most);
                int64_t   found = ga_item_int(ga_max(labels));
                ga_array *a     = ga_random_normal(3, 10, (size), .seed = (uint64_t)turn, .device = GA_CPU);
                ga_array *x     = on_test_device(ga_astype(a, dtypes[test_below(REAL_DTYPES)]));
                ga_array *l     = on_test_device(ga_astype(labels, dtypes[1 + test_below(REAL_DTYPES - 1)]));
                ga_set_num_threads(1 + (int)test_below(8));
                x = ga_reshape(x, (shapes[s][0], shapes[s][1], shapes[s][2]));
                l = ga_reshape(l, (shapes[s][0], shapes[s][1], shapes[s][2]));
                check_measures(laid(x, (int)test_below(LAYOUTS)), laid(l, (int)test_below(LAYOUTS)), found);
                check_measures(ga_ravel(x), ga_ravel(l), found);
                /* an index: in any order, twice, of the background, of what is not there */
                ga_array *index = on_test_device(ga_ints(2, 0, 1, 1, 77, -3)), *sums = ga_sum_labels(x, l, index), *both;
                ga_array *centers = ga_center_of_mass(x, l, index, .sums = &both);
                CHECK(same(sums, both) && ga_item_at(sums, 2) == ga_item_at(sums, 3) && ga_item_at(sums, 4) == 0);
                CHECK(ga_item_at(sums, 1) == ga_item(ga_sum(ga_extract(ga_equal(l, 0), ga_astype(x, GA_F64)))));
                CHECK(centers && centers->shape[0] == 6 && isnan(ga_item_at(centers, 4, 0)));
            }
    ga_scope { /* more than a block of blocks, and everything without labels */
        const int64_t n = test_small() ? 60 : 1100;
        ga_array     *a = ga_random((n, n), .seed = 4), *ones = ga_ones((n, n), .dtype = GA_U8), *all = NULL;
        CHECK(ga_item(ga_sum_labels(a, ones, NULL)) == ga_item(ga_sum(a)));
        ga_array *center = ga_center_of_mass(a, NULL, NULL, .sums = &all);
        CHECK(same(center, ga_center_of_mass(a, ones, NULL)) && all->ndim == 1 && ga_item(all) == ga_item(ga_sum(a)));
        CHECK(ga_sum_labels(a, ga_multiply(ones, 0), NULL)->size == 0);
        ga_array *many = ga_reshape(ga_arange(1, n * n + 1, 1), (n, n)); /* as many labels as elements */
        CHECK(same(ga_sum_labels(a, many, NULL), ga_ravel(a)));
        ga_array *moment = ga_multiply(a, ga_arange(0, n, 1));
        CHECK(same(ga_index(ga_center_of_mass(a, many, NULL), ":, 1"), ga_ravel(ga_divide(moment, a))));
    }
    ga_scope { /* results have the shape of the index */
        ga_array *a = ga_ones((2, 2)), *labels = ga_reshape(on_test_device(ga_ints(1, 2, 2, 3)), (2, 2));
        ga_array *index = ga_reshape(on_test_device(ga_ints(1, 2, 2, 7)), (2, 2));
        CHECK(same(ga_sum_labels(a, ga_astype(labels, GA_F32), ga_astype(index, GA_F64)), ga_sum_labels(a, labels, index)));
        CHECK(ga_same_shape(ga_sum_labels(a, labels, index), index) && ga_same_shape(ga_variance(a, labels, index), index));
    }
}

/* ---- medians and percentiles of long lines, against sorting ------------------------------------------------------------------ */

enum { LONG_KINDS = 15 };

static ga_array *long_line(int kind, int64_t n, ga_dtype dtype)
{
    uint64_t  seed = (uint64_t)kind + 1;
    ga_array *g = ga_random_normal(0, 1, (n), .seed = seed), *u = ga_random((n), .seed = seed, .stream = 1);
    switch (kind) {
    case 1: g = ga_add(ga_multiply(g, 100), 1e5); break;
    case 2: g = ga_where(ga_less(u, 0.02), 300, g); break;
    case 3: g = ga_floor(ga_multiply(g, 3)); break;
    case 4: g = ga_where(ga_less(u, 0.6), 0.0, g); break;
    case 5: g = ga_where(ga_less(u, 0.9), ga_where(ga_less(u, 0.45), -0.0, 0.0), g); break;
    case 6: g = ga_where(ga_less(u, 0.02), INFINITY, ga_where(ga_less(u, 0.04), -INFINITY, g)); break;
    case 7: g = ga_sort(g); break;
    case 8: g = ga_multiply(ga_arange(n, 0, -1), 0.25); break;
    case 9: g = ga_full((n), 3.5); break;
    case 10: g = ga_remainder(ga_arange(0, n, 1), 16); break; /* periodic */
    case 11: g = ga_where(ga_less(u, 0.5), -1e30, 1e30); break;
    case 12: g = ga_where(ga_less(u, 0.495), 0.0, ga_where(ga_less(u, 0.505), ga_multiply(u, 100), 60)); break;
    case 13: g = ga_floor(ga_multiply(u, 120)); break;
    case 14: g = ga_where(ga_less(u, 0.7), ga_where(ga_less(u, 0.3), -0.0, 0.0), ga_where(ga_less(u, 0.8), 0.5, 7)); break;
    default: break;
    }
    return ga_astype(g, dtype);
}

/* What is less, what is equal, what is greater, each in its order; and where it is. No NaN. */
static bool is_parted(const ga_array *x, const ga_array *sorted, int64_t kth)
{
    bool ok = false;
    ga_scope {
        ga_array *middle = ga_index(sorted, "%lld", (long long)kth), *less = ga_less(x, middle), *more = ga_greater(x, middle);
        ga_array *equal = ga_equal(x, middle), *order;
        order           = ga_concatenate((ga_flatnonzero(less), ga_flatnonzero(equal), ga_flatnonzero(more)));
        ok              = ga_array_equal(ga_argpartition(x, kth), order) &&
             ga_array_equal(ga_partition(x, kth - x->size), ga_take(x, order, .axis = 0));
    }
    return ok;
}

/* Lines in order, equal elements by their places. No NaN. */
static bool is_stable(const ga_array *x)
{
    bool ok = false;
    ga_scope {
        ga_array *order = ga_argsort(x, .axis = 1), *y = ga_take_along_axis(x, order, .axis = 1);
        ga_array *left = ga_index(y, ":, :-1"), *right = ga_index(y, ":, 1:");
        ga_array *later = ga_less(ga_index(order, ":, :-1"), ga_index(order, ":, 1:"));
        ok = ga_item(ga_all(ga_logical_or(ga_less(left, right), ga_logical_and(ga_equal(left, right), later)))) == 1 &&
             ga_array_equal(y, ga_sort(x, .axis = 1));
    }
    return ok;
}

static void test_argsort(void)
{
    static const int64_t lengths[]  = { 1, 2, 7, 8, 9, 16, 17, 31, 32, 33, 64, 65, 257, 1000, 30001 };
    static const double  outliers[] = { 0, 1e5, 1e300 }; /* far ones: the others share the bits that are compared first */
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths - (test_small() ? 2 : 0); i++)
        for (int d = 0; d < REAL_DTYPES; d++)
            for (int k = 0; k < 3; k++)
                ga_scope {
                    const int64_t n = lengths[i], lines = n > 100 ? 2 : 9;
                    ga_array     *x = ga_floor(ga_random_normal(0, 40, (lines, n), .seed = (uint64_t)(i + 1)));
                    x               = ga_astype(x, dtypes[d]);
                    ga_array *far   = ga_astype(ga_full((lines), outliers[k]), dtypes[d]);
                    if (k > 0) ga_copyto(ga_index(x, ":, %lld", (long long)(n / 2)), far);
                    if (!CHECK(is_stable(x))) printf("     lines of %lld %s\n", (long long)n, ga_dtype_name(dtypes[d]));
                }
}

/* Medians and quantiles of lines, each as if alone, and of lines of the axis across. */
static void test_order_of_lines(void)
{
    static const int64_t lengths[] = { 256, 257, 300, 513, 2000 };
    for (int kind = 0; kind < LONG_KINDS; kind++)
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths - (test_small() ? 2 : 0); i++)
            ga_scope {
                const int64_t n     = lengths[i];
                ga_dtype      dtype = dtypes[test_below(2) ? 9 + test_below(2) : test_below(REAL_DTYPES)];
                ga_array     *x = ga_reshape(long_line(kind, 3 * n, dtype), (3, n)), *y = ga_copy(ga_transpose(x));
                ga_array     *q = ga_values(0.5, 0.1, 0.9), *sorted = ga_sort(x, .axis = 1);
                ga_array     *middle = ga_median(x, .axis = 1), *low = ga_quantile(x, q, .axis = 1, .method = GA_LOWER);
                bool ok = same(middle, ga_median(y, .axis = 0)) && same(low, ga_quantile(y, q, .axis = 0, .method = GA_LOWER));
                for (int k = 0; k < 3; k++) {
                    const int64_t at[3] = { (int64_t)(0.5 * (double)(n - 1)), (int64_t)(0.1 * (double)(n - 1)),
                                            (int64_t)(0.9 * (double)(n - 1)) };
                    const double  a = ga_item_at(sorted, k, (n - 1) / 2), b = ga_item_at(sorted, k, n / 2), half = (a + b) / 2;
                    ok = ok && ga_item_at(middle, k) == (n % 2 ? a : dtype == GA_F32 ? (double)((float)(a + b) / 2) : half);
                    for (int j = 0; j < 3; j++) ok = ok && ga_item_at(low, j, k) == ga_item_at(sorted, k, at[j]);
                }
                if (!CHECK(ok)) printf("     kind %d, lines of %lld %s\n", kind, (long long)n, ga_dtype_name(dtype));
            }
    ga_scope { /* -0 before 0, among other values and alone */
        for (int64_t n = 300; n <= 100000; n += 99700) {
            ga_array     *u = ga_random((n), .seed = 3), *zeros = ga_where(ga_less(u, 0.5), 0.0, -0.0);
            ga_array     *some = ga_where(ga_less(u, 0.2), 1.0, zeros);
            const int64_t less = (int64_t)ga_item(ga_count_nonzero(ga_greater_equal(u, 0.5)));
            for (int k = -1; k < 1; k++) {
                const double at = ((double)(less + k) + 0.01) / (double)(n - 1);
                CHECK(signbit(ga_item(ga_quantile(zeros, at, .method = GA_LOWER))) == (k < 0));
                CHECK(signbit(ga_item(ga_quantile(some, at, .method = GA_LOWER))) == (k < 0));
            }
            CHECK(!signbit(ga_item(ga_median(ga_full((n), -0.0)))) && ga_item(ga_nanmedian(zeros)) == 0);
        }
    }
    for (int k = 0; k < 60; k++) { /* zeros of both signs between equal numbers: a search that fails does not end */
        ga_scope {
            ga_array *u = ga_random((300 + 17 * k), .seed = (uint64_t)k), *c = ga_cos(ga_multiply(u, 1e6));
            ga_array *x =
                ga_where(ga_greater(c, 0.7), 1.0, ga_where(ga_less(c, -0.7), -1.0, ga_where(ga_less(u, 0.5), 0.0, -0.0)));
            ga_array     *sorted = ga_sort(x);
            const int64_t at     = test_below((int)x->size);
            ga_array     *single = ga_astype(x, GA_F32);
            CHECK(ga_item_at(ga_partition(x, at), at) == ga_item_at(sorted, at));
            CHECK(ga_item_at(ga_partition(single, at), at) == ga_item_at(sorted, at));
        }
    }
    ga_scope { /* NaN: one, and many */
        for (int64_t n = 300; n <= 100000; n += 99700) {
            ga_array *x = ga_random((n), .seed = 5), *few = ga_copy(x), *many = ga_where(ga_less(x, 0.7), NAN, x);
            ga_copyto(ga_index(few, "7"), ga_full((), NAN));
            ga_array *rest = ga_extract(ga_logical_not(ga_isnan(many)), many);
            CHECK(isnan(ga_item(ga_median(few))) && isnan(ga_item(ga_median(many))) && isnan(ga_item(ga_quantile(few, 0.0))));
            CHECK(ga_item(ga_nanmedian(many)) == ga_item(ga_median(rest)));
            CHECK(ga_item(ga_nanquantile(many, 0.8)) == ga_item(ga_quantile(rest, 0.8)));
        }
    }
}

static void test_order(void)
{
    for (int kind = 0; kind < LONG_KINDS; kind++)
        for (int turn = 0; turn < (test_small() ? 1 : 2); turn++)
            ga_scope {
                int64_t   n     = turn == 0 ? 8193 : 70001;
                ga_dtype  dtype = dtypes[test_below(2) ? 9 + test_below(2) : test_below(REAL_DTYPES)];
                ga_array *a = long_line(kind, n, dtype), *sorted = ga_sort(a), *x = laid(a, (int)test_below(LAYOUTS));
                ga_set_num_threads(1 + (int)test_below(8));
                double low = ga_item_at(sorted, (n - 1) / 2), high = ga_item_at(sorted, n / 2), middle = (low + high) / 2;
                if (dtype == GA_F32) middle = (double)((float)(low + high) / 2);
                if (n % 2) middle = low;
                bool ok = ga_item(ga_median(x)) == middle && ga_item(ga_nanmedian(x)) == middle;
                ok      = ok && signbit(ga_item(ga_median(x))) == signbit(middle + 0); /* that of -0 is 0 */
                for (int q = 0; ok && q <= 100; q += 20) {
                    double at = (double)(n - 1) * ((double)q / 100);
                    ok        = ga_item(ga_percentile(x, q, .method = GA_LOWER)) == ga_item_at(sorted, (int64_t)floor(at)) &&
                         ga_item(ga_percentile(x, q, .method = GA_HIGHER)) == ga_item_at(sorted, (int64_t)ceil(at));
                }
                ga_array *several = ga_percentile(x, ga_values(1, 50, 99.9, 0, 100));
                for (int q = 0; ok && q < 5; q++) {
                    static const double percent[5] = { 1, 50, 99.9, 0, 100 };
                    double              one        = ga_item(ga_percentile(x, ga_values(percent[q])));
                    ok = ga_item_at(several, q) == one || (isnan(one) && isnan(ga_item_at(several, q)));
                }
                if (!CHECK(ok)) printf("     kind %d, %lld of %s\n", kind, (long long)n, ga_dtype_name(dtype));
                CHECK(is_parted(x, sorted, 0) && is_parted(x, sorted, n / 3) && is_parted(x, sorted, n - 1));
                if (dtype < GA_F32) continue;
                ga_array *some = ga_where(ga_less(ga_random((n), .seed = 9), 0.3), NAN, x); /* NaN */
                ga_array *put = ga_partition(some, n - 1), *numbers = ga_extract(ga_logical_not(ga_isnan(some)), some);
                CHECK(ga_array_equal(ga_index(put, ":%lld", (long long)numbers->size), numbers) &&
                      isnan(ga_item_at(put, n - 1)));
                ga_array *rest = ga_extract(ga_logical_not(ga_isnan(some)), some);
                CHECK(isnan(ga_item(ga_median(some))) && ga_item(ga_nanmedian(some)) == ga_item(ga_median(rest)));
                CHECK(isnan(ga_item(ga_nanmedian(ga_full((n), NAN)))));
            }
    ga_scope { /* integers that float64 cannot tell apart */
        ga_array *a = ga_add(ga_random_integers(0, 1000, (20001), .seed = 3), INT64_MAX - 1000);
        CHECK(ga_item_int(ga_percentile(a, 50, .method = GA_LOWER)) == ga_item_int_at(ga_sort(a), 10000));
        ga_array *b = ga_view_as(ga_multiply(a, -1), GA_U64);
        CHECK(ga_array_equal(ga_percentile(b, 50, .method = GA_LOWER), ga_index(ga_sort(b), "10000")));
        CHECK(is_parted(a, ga_sort(a), 10000) && is_parted(b, ga_sort(b), 10000));
        ga_array *zeros = ga_partition(ga_values(1, 0.0, -1, -0.0, 0.0, NAN, -0.0), 2); /* equal ones keep their order */
        CHECK(!signbit(ga_item_at(zeros, 1)) && signbit(ga_item_at(zeros, 2)) && !signbit(ga_item_at(zeros, 3)) &&
              signbit(ga_item_at(zeros, 4)) && ga_item_at(zeros, 0) == -1 && ga_item_at(zeros, 5) == 1);
    }
}

/* ---- sigma clipping against the rounds, one by one ---------------------------------------------------------------------------- */

typedef struct clipping {
    ga_array *left;
    double    low, high;
    int       passes;
} clipping;

static clipping clip_by_rounds(const ga_array *a, ga_clip_rule rule, double sigma, int most, bool mean)
{
    clipping  c      = { NULL, 0, 0, 0 };
    ga_array *finite = ga_extract(ga_isfinite(a), a), *x = finite;
    for (int64_t before = -1; x->size != before && c.passes < most; c.passes++) {
        ga_array *wide   = ga_astype(x, GA_F64);
        double    center = ga_item(mean ? ga_mean(wide) : ga_median(wide)), reach = sigma * ga_item(ga_std(wide));
        before = x->size;
        c.low  = center - reach;
        c.high = center + reach;
        wide   = rule == GA_CLIP_LESSON ? ga_logical_and(ga_greater(wide, c.low), ga_less(wide, c.high))
                                        : ga_logical_and(ga_greater_equal(wide, c.low), ga_less_equal(wide, c.high));
        x      = ga_extract(wide, x);
        if (rule == GA_CLIP_ASTROPY && x->size == 0) before = 0;
    }
    c.left = x;
    if (rule == GA_CLIP_ASTROPY) {
        ga_array *wide = ga_astype(finite, GA_F64);
        c.left         = ga_extract(ga_logical_and(ga_greater_equal(wide, c.low), ga_less_equal(wide, c.high)), finite);
    }
    return c;
}

static void test_clipping(void)
{
    static const double sigmas[] = { 3, 2.5, 1.5, 5 };
    for (int kind = 0; kind < LONG_KINDS; kind++)
        for (int turn = 0; turn < (test_small() ? 1 : 3); turn++)
            ga_scope {
                int64_t      n     = test_small() ? 2000 : turn == 0 ? 9000 : 66000 + 1000 * test_below(9);
                ga_dtype     dtype = dtypes[test_below(2) ? 9 + test_below(2) : test_below(REAL_DTYPES)];
                ga_array    *a = long_line(kind, n, dtype), *mask = NULL, *x = laid(a, (int)test_below(LAYOUTS));
                double       sigma = sigmas[test_below(4)], low, high;
                int          limit = (int)test_below(4), passes;
                bool         mean  = test_below(3) == 0;
                ga_clip_rule rule  = test_below(2) ? GA_CLIP_LESSON : GA_CLIP_ASTROPY;
                clipping     want  = clip_by_rounds(a, rule, sigma, rule == GA_CLIP_LESSON || !limit ? 1000 : limit, mean);
                ga_set_num_threads(1 + (int)test_below(8));
                ga_array *left = ga_sigma_clip(x, .rule = rule, .sigma = sigma, .maxiters = limit ? limit : -1, .mean = mean,
                                               .mask = &mask, .passes = &passes, .low = &low, .high = &high);
                bool      ok   = same(left, want.left) && passes == want.passes;
                ok = ok && (low == want.low || (isnan(low) && isnan(want.low))) && (high == want.high || isnan(high));
                ok = ok && same(ga_extract(ga_logical_not(mask), x), want.left);
                ok = ok && same(ga_sigma_clip(x, .rule = rule, .sigma = sigma, .maxiters = limit ? limit : -1, .mean = mean,
                                              .passes = &passes),
                                want.left); /* the bounds are not asked for */
                ok = ok && passes == want.passes;
                if (!CHECK(ok))
                    printf("     kind %d, %lld of %s, rule %d, sigma %g, at most %d, mean %d\n", kind, (long long)n,
                           ga_dtype_name(dtype), (int)rule, sigma, limit, mean);
            }
    if (test_small()) return;
    ga_scope { /* elements on the bounds: 3 is the median, 2 the deviation, so 1 and 5 lie on the bounds of one deviation */
        ga_array *five = ga_tile(ga_values(1, 5, 1, 5, 1, 5, 1, 5), (20000));
        CHECK(ga_sigma_clip(five, .sigma = 1)->size == 0);
        CHECK(ga_sigma_clip(five, .sigma = 1, .rule = GA_CLIP_ASTROPY)->size == 160000);
    }
}

/* ---- statistics: the bits of a call each ------------------------------------------------------------------------------------ */

static bool equal(double a, double b) { return (a == b && signbit(a) == signbit(b)) || (isnan(a) && isnan(b)); }

static void check_describe(const char *what, const ga_array *a)
{
    ga_statistics s = ga_describe(a), n = ga_describe(a, .skip_nan = true, .ddof = 1);
    bool          real = a->dtype == GA_F32 || a->dtype == GA_F64;
    CHECK(s.count == a->size && n.count == ga_item_int(ga_count_nonzero(ga_equal(a, a))));
    bool ok = equal(s.mean, ga_item(ga_mean(a))) && equal(s.median, ga_item(ga_median(a))) && equal(s.std, ga_item(ga_std(a)));
    ok      = ok && equal(s.min, ga_item(ga_min(a))) && equal(s.max, ga_item(ga_max(a)));
    ok      = ok && equal(n.mean, ga_item(ga_nanmean(a))) && equal(n.median, ga_item(ga_nanmedian(a)));
    ok      = ok && equal(n.std, ga_item(ga_nanstd(a, .ddof = 1))) && equal(n.min, ga_item(real ? ga_nanmin(a) : ga_min(a)));
    if (!CHECK(ok && equal(n.max, ga_item(real ? ga_nanmax(a) : ga_max(a)))))
        printf("     %s, %lld of %s\n", what, (long long)a->size, ga_dtype_name(a->dtype));
}

static void test_describe(void)
{
    for (int kind = 0; kind < LONG_KINDS; kind++)
        for (int d = kind % 3; d < REAL_DTYPES; d += 3)
            ga_scope {
                ga_set_num_threads(1 + (int)test_below(8));
                check_describe("a long line",
                               laid(long_line(kind, test_small() ? 2000 : 66000, dtypes[d]), (int)test_below(LAYOUTS)));
                check_describe("a short line", long_line(kind, 1 + test_below(3000), dtypes[d]));
            }
    if (test_small()) return;
    static const double odd[] = { 0, -0.0, INFINITY, -INFINITY, NAN };
    for (int k = 0; k < 12; k++) /* large enough for a bracket in the bracket */
        ga_scope {
            ga_array *a =
                ga_random_normal(k % 4 == 3 ? 10 : 0, 1, (500, 600), .dtype = k % 2 ? GA_F32 : GA_F64, .seed = (uint64_t)k);
            if (k == 4 || k == 5) a = ga_rint(ga_multiply(a, 4));                           /* few values, many of each */
            if (k == 6 || k == 7) a = ga_multiply(ga_square(a), ga_exp(ga_multiply(a, 9))); /* of all magnitudes */
            check_describe("normal", a);
            for (int i = 0; i < 5 && k < 4; i++) {
                ga_copyto(ga_index(a, "%d, 7:9", 100 * i), odd[i]);
                check_describe("odd", a);
            }
            if (k == 8) ga_copyto(ga_index(a, "::2"), -0.0), ga_copyto(ga_index(a, "1::2"), 0.0);
            check_describe("zeros", a);
        }
}

int main(void)
{
    test_begin();
    int threads = ga_get_num_threads();
    test_labels();
    test_windings();
    test_measures();
    test_argsort();
    test_order();
    test_order_of_lines();
    test_clipping();
    test_describe();
    ga_set_num_threads(threads);
    CHECK(!ga_error() && ga_memory_stats().arrays == 0);
    return test_end();
}
