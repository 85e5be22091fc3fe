/*  bools.c -- bytes of a bool array need not be 0 and 1: views of other bytes, wrapped memory and copies of foreign memory bring others.
    Every call reads what is not 0 as true, gives the result of the clean array, and makes bytes that are 0 or 1; what only moves
    elements keeps their bytes.                                                                                                  */
#ifndef GPUARR_IMPLEMENTATION
#define GPUARR_KERNELS
#endif
#include "test.h"

GA_ELEMENTWISE(pick, double, (bool c, double x, bool d), c ? x : (double)d)
GA_ELEMENTWISE(turn, bool, (bool c), !c)
GA_ELEMENTWISE(both, void, (bool c, bool d, bool *and_, int32_t *sum), {
    *and_ = c && d;
    *sum  = c + d;
})
GA_REDUCTION(count_pairs, int64_t, (bool c, bool d), int64_t, 0, c + 2 * d, a + b, a)
GA_STENCIL(neighbours, (1, 1), bool, (bool also), GA_AT(0, -1) || (GA_AT(0, 1) && GA_AT(1, 0)) || also)

typedef struct pair { /* the same truths */
    ga_array *odd, *clean;
} pair;

/* Random truths: of any bytes, and of 0 and 1. how: 0 packed, 1 every second one, 2 reversed, 3 transposed. */
static pair make(int64_t rows, int64_t columns, int how)
{
    const int64_t n     = (how == 1 ? 2 : 1) * rows * columns;
    uint8_t      *bytes = (uint8_t *)malloc((size_t)n), *truths = (uint8_t *)malloc((size_t)n);
    for (int64_t i = 0; i < n; i++) {
        const uint64_t r = test_random();
        bytes[i]         = r % 3 == 0 ? 0 : r % 3 == 1 ? 1 : (uint8_t)(r >> 8);
        if (r % 64 == 5) bytes[i] = 128; /* the highest bit alone */
        truths[i] = bytes[i] != 0;
    }
    const uint8_t *from[2] = { bytes, truths };
    ga_array      *made[2];
    for (int k = 0; k < 2; k++) {
        ga_array *whole = how == 3 ? ga_from(from[k], (columns, rows)) : ga_from(from[k], (rows, n / rows));
        ga_array *seen  = how == 1   ? ga_index(whole, ":, ::2")
                          : how == 2 ? ga_index(whole, "::-1, ::-1")
                          : how == 3 ? ga_transpose(whole)
                                     : ga_view(whole);
        made[k]         = ga_view_as(seen, GA_BOOL);
        ga_free(seen);
        ga_free(whole);
    }
    free(bytes);
    free(truths);
    const pair p = { made[0], made[1] };
    return p;
}

static void drop(pair p)
{
    ga_free(p.odd);
    ga_free(p.clean);
}

/* Are the elements of both the same truths? Those of other dtypes: the same. */
static bool same_truths(const ga_array *a, const ga_array *b)
{
    if (!a || !b || a->dtype != GA_BOOL || b->dtype != GA_BOOL) return test_same_bits(a, b);
    ga_array  *x = ga_ascontiguous(a), *y = ga_ascontiguous(b), *u = ga_view_as(x, GA_U8), *v = ga_view_as(y, GA_U8);
    ga_array  *p = ga_not_equal(u, 0), *q = ga_not_equal(v, 0);
    const bool same = test_same_bits(p, q);
    ga_free(p), ga_free(q), ga_free(u), ga_free(v), ga_free(x), ga_free(y);
    return same;
}

#ifdef __NVCC__ /* which counts no (void)y as a use, where an expression does not name y */
#pragma nv_diag_suppress 550
#endif

/* The same expression of x, y and m, of any bytes and of 0 and 1. */
#define BOTH(same, ...)                                                                                                        \
    do {                                                                                                                       \
        const ga_array *x = one.odd, *y = two.odd, *m = mask.odd;                                                              \
        ga_array       *odd = (__VA_ARGS__);                                                                                   \
        x = one.clean, y = two.clean, m = mask.clean;                                                                          \
        ga_array *clean = (__VA_ARGS__);                                                                                       \
        (void)x, (void)y, (void)m;                                                                                             \
        if (odd || clean) test_check(same(odd, clean), __FILE__, __LINE__, #__VA_ARGS__);                                      \
        else test_check(strcmp(#same, "or_none") == 0, __FILE__, __LINE__, #__VA_ARGS__);                                      \
        ga_free(odd);                                                                                                          \
        ga_free(clean);                                                                                                        \
    } while (0)
#define SAME(...)  BOTH(test_same_bits, __VA_ARGS__)
#define MOVES(...) BOTH(same_truths, __VA_ARGS__)
#define or_none    test_same_bits /* rows that do not take bool say so, of both */
#define ROW(...)   BOTH(or_none, __VA_ARGS__)

static void rows(pair one, pair two, pair mask)
{
    ga_set_error_handler(ga_ignore_error, NULL);
#define GA_UNARY(name, ...)      ROW(ga_##name(x));
#define GA_ELEMENTARY(name, ...) ROW(ga_##name(x));
#define GA_BINARY(name, ...)                                                                                                   \
    ROW(ga_##name(x, y));                                                                                                      \
    ROW(ga_##name(x, true));                                                                                                   \
    ROW(ga_##name(false, y));
#define GA_ELEMENTARY2(name, ...) ROW(ga_##name(x, y));
#define GA_TERNARY(name, ...)                                                                                                  \
    ROW(ga_##name(x, y, m));                                                                                                   \
    ROW(ga_##name(x, y, true));
#define GA_FOLD(name, ...)                                                                                                     \
    ROW(ga_##name(x));                                                                                                         \
    ROW(ga_##name(x, .axis = 0));                                                                                              \
    ROW(ga_##name(x, .axis = 1));
#define GA_TABLE
#include "gpuarr.h"
    ga_set_error_handler(NULL, NULL);
    ga_clear_error();
}

static ga_array *into(const ga_array *values, ga_array *out) { return out && ga_copyto(out, values) ? out : NULL; }

static void lines(pair one, ga_array *numbers, ga_array *row)
{
    const pair two = one, mask = one;
    SAME(ga_compress(x, numbers, .axis = 1));
    SAME(ga_bincount(x));
    SAME(ga_convolve(x, y));
    SAME(ga_correlate(x, y));
    SAME(ga_convolve(x, row));
    SAME(ga_cumsum(x));
    SAME(ga_outer(x, y));
}

static void products(pair one, pair two)
{
    const pair mask = one;
    SAME(ga_matmul(x, y));
    SAME(ga_dot(x, y));
}

static void calls(pair one, pair two, pair mask)
{
    ga_array *numbers = ga_random((one.odd->shape[0], one.odd->shape[1])), *integers;
    integers          = ga_random_integers(0, 2, (one.odd->shape[1]));
    ga_array *row     = ga_index(integers, ":3");
    pair      line    = { ga_index(one.odd, "0"), ga_index(one.clean, "0") };
    pair      across  = { ga_transpose(two.odd), ga_transpose(two.clean) };
    lines(line, numbers, row);
    products(one, across);
    drop(line), drop(across);
    /* Choosing. */
    SAME(ga_nonzero(x));
    SAME(ga_extract(x, numbers));
    MOVES(ga_extract(x, y));
    SAME(ga_where(x, numbers, 2));
    MOVES(ga_where(x, y, x));
    SAME(ga_add(numbers, 1, .out = ga_zeros((numbers->shape[0], numbers->shape[1])), .where = x));
    SAME(ga_copyto(ga_copy(numbers), 7, .where = x));
    /* Numbers of them. */
    SAME(ga_astype(x, GA_U8));
    SAME(ga_astype(x, GA_I32));
    SAME(ga_astype(x, GA_I64));
    SAME(ga_astype(x, GA_U64));
    SAME(ga_astype(x, GA_F32));
    SAME(ga_astype(x, GA_F64));
#ifndef GPUARR_FEW_DTYPES
    SAME(ga_astype(x, GA_I8));
    SAME(ga_astype(x, GA_I16));
    SAME(ga_astype(x, GA_U16));
    SAME(ga_astype(x, GA_U32));
    SAME(ga_astype(x, GA_C64));
    SAME(ga_astype(x, GA_C128));
    {
        ga_array *wide = ga_astype(numbers, GA_C128);
        SAME(ga_where(x, wide, 2));
        SAME(ga_copyto(ga_copy(wide), 7, .where = x));
        ga_free(wide);
    }
#endif
    SAME(ga_add(x, numbers));
    SAME(ga_add(x, 1));
    SAME(ga_mean(x, .axis = 0));
    SAME(ga_var(x));
    SAME(ga_std(x, .axis = 1));
    SAME(ga_argmin(x));
    SAME(ga_argmax(x, .axis = 0));
    SAME(ga_argmax(x, .axis = 1));
    SAME(ga_median(x, .axis = 1));
    SAME(ga_median(x));
    SAME(ga_percentile(x, 30, .axis = 1));
    SAME(ga_cumsum(x, .axis = 0));
    SAME(ga_cumprod(x, .axis = 1));
    SAME(ga_norm(x));
    SAME(ga_histogram(x, 4));
    SAME(ga_histogram(numbers, 4, .weights = x));
    SAME(ga_isclose(x, y));
    /* In their order. */
    SAME(ga_sort(x));
    SAME(ga_sort(x, .axis = 0));
    SAME(ga_argsort(x));
    SAME(ga_argsort(x, .axis = 0));
    SAME(ga_unique(x));
    {
        ga_array *index[2], *inverse[2], *counts[2], *values[2];
        for (int k = 0; k < 2; k++)
            values[k] = ga_unique(k ? one.clean : one.odd, .index = &index[k], .inverse = &inverse[k], .counts = &counts[k]);
        CHECK(test_same_bits(values[0], values[1]));
        CHECK(test_same_bits(index[0], index[1]) && test_same_bits(inverse[0], inverse[1]) &&
              test_same_bits(counts[0], counts[1]));
        for (int k = 0; k < 2; k++) ga_free(values[k]), ga_free(index[k]), ga_free(inverse[k]), ga_free(counts[k]);
    }
    /* Products and windows. */
    SAME(ga_inner(x, y));
    SAME(ga_vdot(x, y));
    SAME(ga_tensordot(x, y, 2));
    SAME(ga_einsum("ij,ij->i", (x, y)));
    SAME(ga_convolve2d(x, m));
    SAME(ga_convolve2d(numbers, m));
    SAME(ga_ndcorrelate(x, m));
    SAME(ga_gaussian_filter(x, 1.5));
    SAME(ga_sobel(x));
    SAME(ga_uniform_filter(x, 3));
    SAME(ga_minimum_filter(x, 3));
    SAME(ga_maximum_filter(x, 5));
    SAME(ga_maximum_filter(x, 0, .footprint = m));
    SAME(ga_median_filter(x, 3));
    SAME(ga_median_filter(x, 4));
    SAME(ga_percentile_filter(x, 20, 7));
    SAME(ga_rank_filter(x, 3, 0, .footprint = m));
    SAME(ga_rank_filter(numbers, 3, 0, .footprint = m));
    /* Objects. */
    SAME(ga_label(x));
    SAME(ga_sum_labels(numbers, x, NULL));
    SAME(ga_mean_labels(numbers, x, NULL));
    SAME(ga_max_labels(x, y, NULL));
    SAME(ga_size_labels(x, NULL));
    SAME(ga_center_of_mass(x, y, NULL));
    SAME(ga_center_of_mass(x, NULL, NULL));
    /* Their shapes. */
    SAME(ga_binary_erosion(x));
    SAME(ga_binary_erosion(x, .structure = m, .border_value = true));
    SAME(ga_binary_erosion(x, .iterations = 2, .mask = y));
    SAME(ga_binary_dilation(x));
    SAME(ga_binary_dilation(x, .structure = m, .iterations = 3));
    SAME(ga_binary_dilation(x, .mask = y, .border_value = true));
    SAME(ga_binary_opening(x));
    SAME(ga_binary_opening(x, .structure = m, .mask = y));
    SAME(ga_binary_closing(x));
    SAME(ga_binary_closing(x, .structure = m, .mask = y));
    SAME(ga_binary_propagation(x, .mask = y));
    SAME(ga_binary_fill_holes(x));
    SAME(ga_binary_hit_or_miss(x));
    SAME(ga_binary_hit_or_miss(x, .structure1 = m));
    SAME(ga_binary_hit_or_miss(x, .structure2 = m));
    MOVES(ga_iterate_structure(m, 1));
    SAME(ga_iterate_structure(m, 3));
    SAME(ga_grey_erosion(x, 3));
    SAME(ga_grey_dilation(x, 0, .footprint = m));
    SAME(ga_white_tophat(x, 3));
    SAME(ga_black_tophat(x, 3));
    if (!test_on_gpu()) SAME(ga_distance_transform_edt(x)); /* of arrays on the CPU */
    MOVES(ga_sigma_clip(x));
    SAME(ga_cdist(x, y));
    SAME(ga_cdist(x, y, .metric = GA_CITYBLOCK));
    /* Formulas of the user's. */
    SAME(ga_apply(pick, (x, numbers, y)));
    SAME(ga_apply(turn, (x)));
    SAME(ga_apply(turn, (x), .out = ga_zeros((numbers->shape[0], numbers->shape[1]), .dtype = GA_BOOL), .where = y));
    {
        ga_array *odd[2] = { NULL, NULL }, *clean[2] = { NULL, NULL };
        CHECK(ga_apply(both, (one.odd, two.odd), .outs = odd) && ga_apply(both, (one.clean, two.clean), .outs = clean));
        for (int k = 0; k < 2; k++) {
            CHECK(test_same_bits(odd[k], clean[k]));
            ga_free(odd[k]), ga_free(clean[k]);
        }
    }
    SAME(ga_reduce(count_pairs, (x, y), .axis = 0));
    SAME(ga_reduce(count_pairs, (x, y), .axis = 1));
    SAME(ga_stencil(neighbours, (x, false)));
    SAME(ga_stencil(neighbours, (x, false), .border = GA_BORDER_WRAP, .steps = 3));
    /* What moves. */
    MOVES(ga_roll(x, 3, .axis = 1));
    MOVES(ga_take(x, row, .axis = 1));
    MOVES(ga_repeat(x, 2, .axis = 0));
    MOVES(ga_pad(x, (2), .mode = GA_PAD_EDGE));
    MOVES(ga_concatenate((x, y), .axis = 1));
    MOVES(into(x, ga_copy(y)));
    SAME(ga_concatenate((x, numbers), .axis = 1));
    ga_free(numbers), ga_free(integers), ga_free(row);
}

/* Copies and views keep the bytes; what is read of them one by one, or printed, is a truth. */
static void bytes(pair p)
{
    ga_array *copies[] = { ga_copy(p.odd), ga_astype(p.odd, GA_BOOL), ga_ascontiguous(p.odd), ga_flatten(p.odd),
                           ga_to(p.odd, GA_CPU) };
    ga_array *flat     = test_to_cpu(p.odd);
    for (size_t k = 0; k < sizeof copies / sizeof *copies; k++) {
        ga_array *host = copies[k] ? test_to_cpu(copies[k]) : NULL;
        CHECK(host && memcmp(host->data, flat->data, (size_t)host->size) == 0);
        ga_free(host);
        ga_free(copies[k]);
    }
    bool same = true;
    for (int64_t i = 0; i < p.odd->shape[0]; i++)
        for (int64_t j = 0; j < 5 && j < p.odd->shape[1]; j++) {
            const double v = ga_item_at(p.odd, i, j);
            same           = same && v == ga_item_at(p.clean, i, j) && (v == 0 || v == 1);
            same           = same && ga_item_int_at(p.odd, i, j) == (int64_t)v;
        }
    CHECK(same);
    char *odd = ga_to_string(p.odd), *clean = ga_to_string(p.clean);
    CHECK(odd && clean && strcmp(odd, clean) == 0);
    free(odd);
    free(clean);
    CHECK(ga_array_equal(p.odd, p.clean) && ga_allclose(p.odd, p.clean));
    ga_free(flat);
}

/* The one element that decides, anywhere in a line of several blocks, and none. */
static void one_decides(void)
{
    const ga_dtype dtypes[] = { GA_BOOL, GA_U8, GA_I64, GA_F32, GA_F64 };
    const int64_t  n = test_small() ? 9001 : 300001, places[] = { 0, 1, 4095, 4096, 8192, n / 2, n - 1, -1 };
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
            ga_scope {
                ga_array  *where = ga_equal(ga_arange(0, n, 1), places[k]), *is = ga_astype(where, dtypes[d]);
                ga_array  *isnt = ga_astype(ga_logical_not(where), dtypes[d]);
                const bool any  = places[k] >= 0;
                CHECK(ga_item(ga_any(is)) == any && ga_item(ga_all(isnt)) == !any);
                CHECK(ga_item(ga_any(isnt)) == 1 && ga_item(ga_all(is)) == 0);
            }
        }
}

/* Lines of bits, so long that the threads share them, or many. */
static void packed_bits(void)
{
    static const int64_t rows[] = { 1, 1, 3, 40, 3000, 70000 }, columns[] = { 300007, 65536, 40001, 4099, 65, 7 };
    const int            before = ga_get_num_threads();
    for (int k = 0; k < 6; k++)
        for (int little = 0; little < 2; little++) {
            pair          one   = make(rows[k], columns[k], 0);
            const int64_t bytes = (columns[k] + 7) / 8;
            ga_set_num_threads(1 + 3 * (k % 2));
            ga_array *packed = ga_packbits(one.odd, .axis = 1, .bitorder = little ? GA_BITS_LITTLE : GA_BITS_BIG);
            ga_array *cpu = ga_to(packed, GA_CPU), *truths = ga_to(one.clean, GA_CPU);
            int       bad = !cpu || !truths;
            for (int64_t i = 0; i < rows[k] && !bad; i++)
                for (int64_t at = 0; at < 8 * bytes; at++) {
                    const int bit = ((const uint8_t *)cpu->data)[i * bytes + at / 8] >> (little ? at % 8 : 7 - at % 8) & 1;
                    bad += bit != (at < columns[k] && ((const uint8_t *)truths->data)[i * columns[k] + at]);
                }
            CHECK(!bad);
            ga_free(packed), ga_free(cpu), ga_free(truths);
            drop(one);
        }
    ga_set_num_threads(before);
}

int main(void)
{
    test_begin();
    one_decides();
    for (int how = 0; how < 4; how++)
        for (int size = 0; size < 2; size++) {
            const int64_t m = size == 0 ? 7 : test_small() ? 20 : 40, n = size == 0 ? 9 : test_small() ? 130 : 1100;
            pair one = make(m, n, how), two = make(m, n, how == 1 ? 0 : how), mask = make(m, n, 0), small = make(3, 3, how);
            rows(one, two, mask);
            calls(one, two, small);
            bytes(one);
            drop(one), drop(two), drop(mask), drop(small);
        }
    packed_bits();
    CHECK(ga_memory_stats().arrays == 0);
    return test_end();
}
