/* Windows that slide and strides of the caller's, and who may write there; repeats by counts, slices without repetitions, folds of some
   elements, formulas over arrays that lie in other ways. cc tests/impl.c tests/strided.c -lm -lpthread */
#include "shows.h"

static ga_array *matrix(int64_t rows, int64_t columns) { return ga_reshape(ga_arange(0, rows * columns, 1), (rows, columns)); }

static void test_windows(void)
{
    ga_scope {
        ga_array *a = ga_ints(1, 2, 3, 4), *m = matrix(3, 4), *w;
        SHOWS(GA_I64, "[[1 2]\n [2 3]\n [3 4]]", ga_sliding_window_view(a, (2)));
        SHOWS(GA_I64, "[[1 2 3 4]]", ga_sliding_window_view(a, (4)));
        CHECK(ga_sliding_window_view(a, (0))->shape[0] == 5 && ga_sliding_window_view(a, (0))->size == 0);
        w = ga_sliding_window_view(m, (2, 3));
        CHECK(w->ndim == 4 && w->shape[0] == 2 && w->shape[1] == 2 && w->shape[2] == 2 && w->shape[3] == 3);
        CHECK(ga_array_equal(ga_index(w, "1, 0"), ga_index(m, "1:3, 0:3")) && w->data == m->data);
        SHOWS(GA_I64, "[[[ 0  1  2]\n  [ 1  2  3]]\n\n [[ 4  5  6]\n  [ 5  6  7]]\n\n [[ 8  9 10]\n  [ 9 10 11]]]",
              ga_sliding_window_view(m, (3), .axis = -1));
        CHECK(ga_array_equal(ga_sliding_window_view(m, (3, 2), .axes = ga_axes(1, 0)),
                             ga_transpose(ga_sliding_window_view(m, (2, 3)), .axes = ga_axes(0, 1, 3, 2))));
        w = ga_sliding_window_view(a, (2, 2), .axes = ga_axes(0, 0)); /* windows in windows */
        SHOWS(GA_I64, "[[[1 2]\n  [2 3]]\n\n [[2 3]\n  [3 4]]]", w);
        SHOWS(GA_I64, "[3 5 7]", ga_sum(ga_sliding_window_view(a, (2)), .axis = -1));
        SHOWS(GA_I64, "[[4 3]\n [3 2]\n [2 1]]", ga_sliding_window_view(ga_flip(a), (2)));
        CHECK(ga_sliding_window_view(ga_scalar(1), ())->ndim == 0);
        CHECK_FAILS(ga_sliding_window_view(a, (5)), "a window of 5 is longer than axis 0 of (4,), which it slides along");
        CHECK_FAILS(ga_sliding_window_view(a, (3, 3), .axes = ga_axes(0, 0)), "which other windows have shortened");
        CHECK_FAILS(ga_sliding_window_view(m, (2)), "the window (2,) is for 1 axes, and there are 2");
        CHECK_FAILS(ga_sliding_window_view(m, (2, 2), .axis = 1), "there are 1");
        CHECK_FAILS(ga_sliding_window_view(m, (2), .axis = 2), "no axis 2");
        CHECK_FAILS(ga_sliding_window_view(a, (-1)), "negative length");
        CHECK_FAILS(ga_sliding_window_view(ga_ones((1, 1, 1, 1, 1)), (1, 1, 1, 1, 1)), "10 dimensions; at most 8");
        CHECK_FAILS(ga_sliding_window_view(NULL, (2)), "a is NULL");
        ga_array *long_one = ga_broadcast_to(ga_ones((1)), ((int64_t)1 << 33));
        CHECK_FAILS(ga_sliding_window_view(long_one, ((int64_t)1 << 32)),
                    "(4294967297, 4294967296) has more elements than can be counted");
        CHECK_FAILS(ga_sliding_window_view(ga_broadcast_to(ga_ones((1), .dtype = GA_U8), (INT64_MAX)), (0)),
                    "axis 0 of (9223372036854775807,) has more windows than");
    }
}

static void test_as_strided(void)
{
    ga_scope {
        ga_array *a = ga_astype(ga_arange(0, 6, 1), GA_I32), *part = ga_index(a, "2:5"), *back = ga_flip(part);
        SHOWS(GA_I32, "[[0 1]\n [2 3]\n [4 5]]", ga_as_strided(a, (3, 2), (8, 4)));
        SHOWS(GA_I32, "[[0 2]\n [1 3]]", ga_as_strided(a, (2, 2), (4, 8)));
        SHOWS(GA_I32, "[0 0 0]", ga_as_strided(a, (3), (0)));
        SHOWS(GA_I32, "[2 3 4 5]", ga_as_strided(part, (4), (4))); /* as far as the memory reaches, */
        SHOWS(GA_I32, "[2 1 0]", ga_as_strided(part, (3), (-4)));  /* and back to its begin */
        SHOWS(GA_I32, "[4 3 2 1 0]", ga_as_strided(back, (5), (-4)));
        /* no call takes a step along an axis of one element or none */
        ga_array *far_apart = ga_as_strided(a, (1, 3), (INT64_MAX, 4)),
                 *no_rows   = ga_as_strided(a, (0, 2), (INT64_MIN, INT64_MAX));
        SHOWS(GA_I32, "[[2 1 0]]", ga_index(far_apart, "::-1, ::-1"));
        SHOWS(GA_I32, "[[0 1 2]]", ga_copy(ga_index(ga_as_strided(a, (1, 3), (INT64_MIN, 4)), "::9")));
        CHECK(ga_index(no_rows, "::-3, ::-2")->size == 0 && ga_copy(ga_transpose(no_rows))->size == 0);
        CHECK(ga_as_strided(a, (), ())->ndim == 0 && ga_as_strided(a, (0, 3), (1000, 4))->size == 0);
        CHECK_FAILS(ga_as_strided(a, (7), (4)),
                    "shape (7,) with strides (4,) reaches beyond the memory of a: 0 bytes before its first "
                    "element, 24 from there on");
        CHECK_FAILS(ga_as_strided(part, (5), (4)), "8 bytes before its first element, 16 from there on");
        CHECK_FAILS(ga_as_strided(part, (4), (-4)), "reaches beyond the memory");
        CHECK_FAILS(ga_as_strided(a, (3, 3), (8, 4)), "reaches beyond the memory");
        CHECK_FAILS(ga_as_strided(a, (2), (INT64_MAX)), "reaches beyond the memory");
        CHECK_FAILS(ga_as_strided(a, (2), (INT64_MIN)), "reaches beyond the memory");
        CHECK_FAILS(ga_as_strided(a, (3, 3, 3), (INT64_MAX / 2, INT64_MAX / 2, INT64_MIN)), "reaches beyond the memory");
        CHECK_FAILS(ga_as_strided(a, ((int64_t)1 << 62, 4), (0, 0)), "than can be counted");
        CHECK_FAILS(ga_as_strided(a, (2), (2)), "the strides (2,) put elements where int32 cannot lie: use multiples of 4");
        CHECK_FAILS(ga_as_strided(a, (2, 2), (4)), "1 strides for 2 dimensions");
        CHECK_FAILS(ga_as_strided(a, (-1), (4)), "negative length");
        CHECK(ga_as_strided(ga_zeros((0)), (0), (8)) != NULL);
        CHECK_FAILS(ga_as_strided(ga_zeros((0)), (1), (8)), "0 from there on");
    }
}

static void test_wrapped(void)
{
    ga_scope {
        double    numbers[6] = { 0, 1, 2, 3, 4, 5 };
        ga_array *wrapped = ga_wrap(numbers, (6)), *every = ga_wrap_strided(numbers + 5, (3), (-16));
        SHOWS(GA_F64, "[[0. 3.]\n [1. 4.]]", ga_as_strided(wrapped, (2, 2), (8, 24)));
        CHECK_FAILS(ga_as_strided(wrapped, (7), (8)), "48 from there on");
        SHOWS(GA_F64, "[5. 4. 3. 2. 1.]", ga_as_strided(every, (5), (-8))); /* what lies between belongs to it */
        CHECK_FAILS(ga_as_strided(every, (6), (-8)), "32 bytes before its first element, 8 from there on");
        CHECK_FAILS(ga_as_strided(every, (2), (8)), "reaches beyond the memory");
    }
}

/* What shares elements is not written into, by whatever call; what only looks so is. */
static void test_writing(void)
{
    ga_scope {
        ga_array *a = ga_astype(ga_arange(0, 12, 1), GA_F64), *w = ga_sliding_window_view(a, (3)), *b = ga_ones((10, 3)),
                 *places = ga_ints(0), *before = ga_copy(a);
        CHECK_FAILS(ga_copyto(w, 1),
                    "repeats its elements (ga_broadcast_to, ga_sliding_window_view, ga_as_strided): copy it first");
        CHECK_FAILS(ga_add(b, 1, .out = w), ".out repeats its elements");
        CHECK_FAILS(ga_copyto(ga_transpose(w), 1), "repeats its elements");
        CHECK_FAILS(ga_copyto(ga_flip(w, .axis = 0), 1), "repeats its elements");
        CHECK_FAILS(ga_set_at(w, 1, 0, 0), "repeats its elements");
        CHECK_FAILS(ga_index_put(w, (places), 1), "repeats its elements");
        CHECK_FAILS(ga_put(w, places, 1), "repeats its elements");
        CHECK_FAILS(ga_place(w, ga_ones((10, 3), .dtype = GA_BOOL), 1), "repeats its elements");
        CHECK_FAILS(ga_random_shuffle(w), "repeats its elements");
        CHECK_FAILS(ga_matmul(b, ga_ones((3, 3)), .out = w), "repeats its elements");
        CHECK_FAILS(ga_sort(b, .out = w), "repeats its elements");
        CHECK_FAILS(ga_cumsum(b, .axis = 0, .out = w), "repeats its elements");
        CHECK_FAILS(ga_sum(ga_ones((10, 3, 2)), .axis = 2, .out = w), "repeats its elements");
        CHECK_FAILS(ga_gaussian_filter(b, 1, .out = w), "repeats its elements");
        CHECK_FAILS(ga_median_filter(b, 3, .out = w), "repeats its elements");
        CHECK_FAILS(ga_eval("b + 1", (b), .out = w, .names = "b"), "repeats its elements");
        CHECK_FAILS(ga_eval("b*2 + 1", (b), .out = w, .names = "b"), "repeats its elements");
        CHECK_FAILS(ga_to(b, b->device, .out = w), "repeats its elements");
        CHECK(ga_array_equal(a, before));
        /* elements beside each other */
        CHECK(ga_copyto(ga_index(w, "::3"), 1) && ga_copyto(ga_as_strided(a, (2, 3), (32, 8)), 2));
        CHECK(ga_copyto(ga_as_strided(a, (2, 3), (24, 16)), 3)); /* 0 2 4 and 3 5 7: long steps, and none of them meets */
        SHOWS(GA_F64, "[3. 2. 3. 3. 3. 3. 2. 3. 1. 1. 1. 1.]", ga_copy(a));
        CHECK_FAILS(ga_copyto(ga_as_strided(a, (3, 3), (8, 16)), 3), "repeats its elements");
    }
}

static void test_turns(void)
{
    ga_scope {
        ga_array *a = ga_reshape(ga_arange(0, 24, 1), (2, 3, 4));
        for (int k = -4; k < 5; k++) {
            CHECK(ga_array_equal(ga_rot90(a, k, .axes = ga_axes(0, 1)), ga_rot90(a, k)));
            CHECK(ga_array_equal(ga_rot90(a, k, .axes = ga_axes(1, 0)), ga_rot90(a, -k)));
            ga_array *turned = ga_rot90(ga_moveaxis(a, 0, 2), k, .axes = ga_axes(0, 1)); /* axes 1 and 2 of a */
            CHECK(ga_array_equal(ga_rot90(a, k, .axes = ga_axes(-2, 2)), ga_moveaxis(turned, 2, 0)));
        }
        SHOWS(GA_I64, "[[ 3  7 11]\n [ 2  6 10]\n [ 1  5  9]\n [ 0  4  8]]",
              ga_index(ga_rot90(a, 1, .axes = ga_axes(1, 2)), "0"));
        CHECK_FAILS(ga_rot90(a, 1, .axis = 1), "the plane has two");
        CHECK_FAILS(ga_rot90(a, 1, .axes = ga_axes(1, 1)), "named twice");
        CHECK_FAILS(ga_rot90(a, 1, .axes = ga_axes(1, 3)), "no axis 3");
        CHECK_FAILS(ga_rot90(a, 1, .axes = ga_axes(0, 1, 2)), "the plane has two");
    }
}

static void test_repeats(void)
{
    ga_scope {
        ga_array *a = ga_ints(7, 8, 9), *m = matrix(2, 3), *counts = ga_ints(2, 0, 3);
        SHOWS(GA_I64, "[7 7 9 9 9]", ga_repeat(a, counts));
        SHOWS(GA_I64, "[[0 0 2 2 2]\n [3 3 5 5 5]]", ga_repeat(m, counts, .axis = 1));
        SHOWS(GA_I64, "[[3 4 5]]", ga_repeat(m, ga_ints(0, 1), .axis = 0));
        SHOWS(GA_I64, "[7 7 8 8 9 9]", ga_repeat(a, ga_scalar(2)));
        SHOWS(GA_I64, "[7 7 8 8 9 9]", ga_repeat(a, ga_ints(2)));
        SHOWS(GA_I64, "[7 9]", ga_repeat(a, ga_not_equal(a, 8)));
        SHOWS(GA_I64, "[7 8 9]", ga_repeat(a, true));
        SHOWS(GA_F16, "[1. 1. 3.]", ga_repeat(ga_astype(ga_values(1, 2, 3), GA_F16), ga_ints(2, 0, 1)));
        SHOWS(GA_I64, "[0 0 2 3 3 3]", ga_repeat(m, ga_ints(2, 0, 1, 3, 0, 0)));
        CHECK(ga_repeat(a, ga_ints(0, 0, 0))->size == 0);
        CHECK_FAILS(ga_repeat(a, ga_ints(1, 2)), "repeats has shape (2,): give one number, or one for each of 3");
        CHECK_FAILS(ga_repeat(a, ga_ints(1, -2, 1)), "-2 repeats");
        CHECK_FAILS(ga_repeat(a, ga_values(1, 2, 3)), "repeats is float64: it must be integers");
        CHECK_FAILS(ga_repeat(a, 1.5), "1.5 repeats: give an integer");
        CHECK_FAILS(ga_repeat(a, UINT64_MAX), "give an integer");
        CHECK_FAILS(ga_repeat(a, ga_ints(INT64_MAX, INT64_MAX, 1)), "than can be counted");
        CHECK_FAILS(ga_repeat(a, counts, .dtype = GA_F32), "takes no .dtype");
        CHECK_FAILS(ga_repeat(a, (ga_array *)NULL), "repeats is NULL");
    }
}

static void test_unique_slices(void)
{
    ga_scope {
        ga_array *a = ga_reshape(ga_ints(1, 0, 0, 1, 0, 0, 2, 3, 4), (3, 3)), *index, *inverse, *counts;
        SHOWS(GA_I64, "[[1 0 0]\n [2 3 4]]", ga_unique(a, .index = &index, .inverse = &inverse, .counts = &counts, .axis = 0));
        SHOWS(GA_I64, "[0 2]", index);
        SHOWS(GA_I64, "[0 0 1]", inverse);
        SHOWS(GA_I64, "[2 1]", counts);
        SHOWS(GA_I64, "[[0 0 1]\n [0 0 1]\n [3 4 2]]", ga_unique(a, .inverse = &inverse, .axis = -1));
        SHOWS(GA_I64, "[2 0 1]", inverse);
        ga_array *t = ga_reshape(ga_ints(0, 1, 0, 1, 2, 3, 2, 3), (2, 2, 2));
        SHOWS(GA_I64, "[[[0 1]]\n\n [[2 3]]]", ga_unique(t, .axis = 1));
        SHOWS(GA_I64, "[1 2]", ga_unique(ga_ints(2, 1, 2), .axis = 0));
        SHOWS(GA_BOOL, "[[False  True]\n [ True False]]",
              ga_unique(ga_not_equal(ga_reshape(ga_ints(5, 0, 0, 3, 1, 0), (3, 2)), 0), .axis = 0));
        SHOWS(GA_F16, "[[-1.  2.]\n [ 1.  2.]]",
              ga_unique(ga_astype(ga_reshape(ga_values(1, 2, -1, 2, 1, 2), (3, 2)), GA_F16), .axis = 0));
        /* a NaN is unlike every other, as in NumPy */
        CHECK(ga_unique(ga_reshape(ga_values(NAN, 1, NAN, 1), (2, 2)), .axis = 0)->shape[0] == 2);
        CHECK(ga_unique(ga_zeros((0, 3)), .axis = 0)->shape[1] == 3 &&
              ga_unique(ga_zeros((0, 3)), .counts = &counts, .axis = 0)->size == 0);
        CHECK(counts && counts->size == 0);
        CHECK(ga_unique(ga_zeros((3, 0)), .counts = &counts, .axis = 0)->shape[0] == 1 && ga_item_int(counts) == 3);
        CHECK_FAILS(ga_unique(a, .index = &index, .axis = 2), "no axis 2");
        CHECK(index == NULL);
        CHECK_FAILS(ga_unique(ga_scalar(1), .axis = 0), "no axis 0");
    }
}

static void test_folds_of_some(void)
{
    ga_scope {
        ga_array *a = ga_reshape(ga_arange(0, 6, 1), (2, 3)), *x = ga_astype(a, GA_F32), *odd = ga_equal(ga_remainder(a, 2), 1),
                 *nowhere = ga_zeros((2, 3), .dtype = GA_BOOL), *line = ga_ints(1, 0, 1), *bad = ga_where(odd, x, NAN),
                 *out = ga_zeros((2));
        SHOWS(GA_I64, "9", ga_sum(a, .where = odd));
        SHOWS(GA_I64, "[1 8]", ga_sum(a, .axis = 1, .where = odd));
        SHOWS(GA_I64, "[3 0 7]", ga_sum(a, .axis = 0, .where = line));
        SHOWS(GA_I64, "[[2]\n [8]]", ga_sum(a, .axis = 1, .keepdims = true, .where = line));
        SHOWS(GA_F32, "9.0", ga_sum(bad, .where = odd)); /* what is left out may be NaN */
        SHOWS(GA_I64, "15", ga_prod(a, .where = odd));
        SHOWS(GA_I64, "25", ga_sum(a, .initial = GA_ARG(10)));
        SHOWS(GA_I64, "19", ga_sum(a, .where = odd, .initial = GA_ARG(10)));
        SHOWS(GA_F32, "[ 3.5 12.5]", ga_sum(x, .axis = 1, .initial = GA_ARG(0.5)));
        SHOWS(GA_F64, "[ 3.5 12.5]", ga_sum(x, .axis = 1, .dtype = GA_F64, .initial = GA_ARG(0.5)));
        SHOWS(GA_I64, "30", ga_prod(a, .where = odd, .initial = GA_ARG(2)));
        SHOWS(GA_I64, "[2 5]", ga_max(a, .axis = 1, .where = line, .initial = GA_ARG(-1)));
        SHOWS(GA_I64, "-1", ga_max(a, .where = nowhere, .initial = GA_ARG(-1)));
        SHOWS(GA_I64, "-4", ga_min(a, .initial = GA_ARG(-4)));
        SHOWS(GA_F64, "[7. 7.]", ga_min(ga_zeros((2, 0)), .axis = 1, .initial = GA_ARG(7)));
        CHECK(ga_min(ga_zeros((0, 2)), .axis = 1, .initial = GA_ARG(7))->size == 0);
        SHOWS(GA_BOOL, "[ True  True]", ga_any(a, .axis = 1, .where = odd));
        SHOWS(GA_BOOL, "False", ga_any(a, .where = nowhere));
        SHOWS(GA_BOOL, "True", ga_all(a, .where = odd));
        SHOWS(GA_BOOL, "False", ga_all(a, .where = line));
        SHOWS(GA_I64, "3", ga_count_nonzero(a, .where = line));
        SHOWS(GA_I64, "[1 2]", ga_sum(ga_not_equal(a, 0), .axis = 1, .where = line, .initial = GA_ARG(0)));
        SHOWS(GA_F32, "5.0", ga_nanmax(ga_where(odd, NAN, x), .where = ga_ones((3)), .initial = GA_ARG(5)));
        SHOWS(GA_F32, "nan", ga_nansum(bad, .initial = GA_ARG(NAN)));
        SHOWS(GA_F32, "10.0", ga_nansum(bad, .initial = GA_ARG(1)));
        SHOWS(GA_F16, "9.0", ga_sum(ga_astype(x, GA_F16), .where = odd));
        CHECK(ga_sum(a, .axis = 1, .out = out, .where = odd) == out);
        SHOWS(GA_F64, "[1. 8.]", ga_copy(out));
        SHOWS(GA_I64, "7", ga_sum(ga_scalar(7), .where = ga_scalar(true)));
        /* means and variances: NumPy's */
        ga_array *z = ga_add(x, ga_multiply(x, ga_complex(0, 1))), *infinite = ga_where(odd, x, INFINITY);
        SHOWS(GA_F64, "3.0", ga_mean(a, .where = odd));
        SHOWS(GA_F64, "[1. 4.]", ga_mean(a, .axis = 1, .where = odd));
        SHOWS(GA_F64, "[[1.5 nan 3.5]]", ga_mean(a, .axis = 0, .keepdims = true, .where = line));
        SHOWS(GA_F32, "3.0", ga_mean(bad, .where = odd));
        SHOWS(GA_F32, "[1. 4.]", ga_mean(infinite, 1, .where = odd));
        SHOWS(GA_C64, "(3+3j)", ga_mean(z, .where = odd));
        SHOWS(GA_F16, "[1. 4.]", ga_mean(ga_astype(x, GA_F16), .axis = 1, .where = odd));
        SHOWS(GA_F32, "[1. 4.]", ga_mean(a, 1, GA_F32, .where = odd));
        SHOWS(GA_F64, "nan", ga_mean(a, .where = nowhere));
        SHOWS(GA_F64, "[0. 1.]", ga_var(a, .axis = 1, .where = odd));
        SHOWS(GA_F64, "[nan  2.]", ga_var(a, .axis = 1, .ddof = 1, .where = odd));
        SHOWS(GA_F64, "[2.25  nan 2.25]", ga_var(a, .axes = ga_axes(0), .where = line));
        SHOWS(GA_F32, "[0. 1.]", ga_std(infinite, .axis = 1, .where = odd));
        SHOWS(GA_F64, "[inf inf]", ga_var(a, .axis = 1, .ddof = 2, .where = line)); /* as NumPy's */
        SHOWS(GA_F32, "[0. 2.]", ga_var(z, .axis = 1, .where = odd));
        SHOWS(GA_F16, "1.0", ga_std(ga_astype(ga_index(x, "1"), GA_F16), .where = ga_index(odd, "1")));
        SHOWS(GA_F32, "1.0", ga_std(ga_index(a, "1"), .dtype = GA_F32, .where = ga_index(odd, "1")));
        SHOWS(GA_F64, "nan", ga_var(a, .where = nowhere));
        CHECK(ga_mean(a, .axis = 1, .out = out, .where = odd) == out);
        SHOWS(GA_F64, "[1. 4.]", ga_copy(out));
        CHECK(ga_std(a, .axis = 1, .out = out, .where = odd) == out);
        SHOWS(GA_F64, "[0. 1.]", ga_copy(out));
        if (x->device == GA_CPU) {
            ga_array *blocks = ga_chunked(a, 1, 2), *mask = ga_chunked(odd, 2, 1);
            SHOWS(GA_F64, "[1. 4.]", ga_compute(ga_mean(blocks, .axis = 1, .where = mask)));
            SHOWS(GA_F64, "[nan  2.]", ga_compute(ga_var(blocks, .axis = 1, .ddof = 1, .where = odd)));
            SHOWS(GA_F64, "[[0.]\n [1.]]", ga_compute(ga_std(blocks, .axis = 1, .keepdims = true, .where = mask)));
        }
        CHECK_FAILS(ga_max(a, .where = odd), "ga_max with .where needs .initial");
        CHECK_FAILS(ga_mean(a, .initial = GA_ARG(1)), "ga_mean takes no .initial");
        CHECK_FAILS(ga_mean(a, .where = odd, .ddof = 1), "ga_mean takes no .ddof");
        CHECK_FAILS(ga_mean(a, .where = odd, .initial = GA_ARG(1)), "ga_mean takes no .initial");
        CHECK_FAILS(ga_mean(ga_scalar(7), .axis = 0, .where = odd), "there is no axis 0");
        CHECK_FAILS(ga_any(a, .initial = GA_ARG(1)), "ga_any takes no .initial");
        CHECK_FAILS(ga_var(a, .initial = GA_ARG(1)), "ga_var takes no .initial");
        CHECK_FAILS(ga_std(a, .where = odd, .initial = GA_ARG(1)), "ga_std takes no .initial");
        CHECK_FAILS(ga_var(a, .where = ga_ones((2))), ".where has shape (2,) and does not broadcast to a's (2, 3)");
        CHECK_FAILS(ga_var(a, .where = odd, .dtype = GA_I32), "ga_var returns floats");
        CHECK_FAILS(ga_nanvar(a, .where = odd), "takes no .where and no .initial");
        CHECK_FAILS(ga_argmax(a, .initial = GA_ARG(1)), "takes no .where and no .initial");
        CHECK_FAILS(ga_sum(a, .where = ga_ones((2))), ".where has shape (2,) and does not broadcast to a's (2, 3)");
        CHECK_FAILS(ga_sum(a, .where = ga_ones((2, 2, 3))), "does not broadcast to a's (2, 3)");
        CHECK_FAILS(ga_sum(a, .where = NULL), ".where is NULL");
        CHECK_FAILS(ga_sum(a, .initial = GA_ARG((ga_array *)NULL)), "value is NULL");
        CHECK_FAILS(ga_sum(a, .axis = 2, .where = odd), "no axis 2");
        CHECK_FAILS(ga_sum(a, .out = out, .where = odd), ".out has shape (2,), the result ()");
        CHECK_FAILS(ga_min(ga_zeros((2, 0)), .axis = 1), "of no elements");
        CHECK_FAILS(ga_min(ga_astype(a, GA_U8), .initial = GA_ARG(300)), "300 does not fit uint8");
    }
}

/* NumPy reduces a number along axis 0, but has no mean of it there. */
static void test_numbers(void)
{
    ga_scope {
        ga_array *n = ga_scalar(5.0);
        SHOWS(GA_F64, "5.0", ga_sum(n, .axis = 0));
        SHOWS(GA_F64, "5.0", ga_max(n, .axis = -1));
        CHECK_FAILS(ga_mean(n, .axis = 0), "no axis 0: the array has no dimensions");
        CHECK_FAILS(ga_var(n, .axis = -1), "no axis -1: the array has no dimensions");
        CHECK_FAILS(ga_std(n, .axis = 0), "no axis 0");
        SHOWS(GA_F64, "5.0", ga_mean(n));
        SHOWS(GA_I64, "[0]", ga_argpartition(n, 0)); /* the places in a number are those in a line of it, */
        SHOWS(GA_I64, "[0]", ga_argpartition(n, -1, .axis = 0));
        CHECK_FAILS(ga_partition(n, 0), "no axis -1"); /* but it has no order */
        CHECK_FAILS(ga_argpartition(n, 1), "kth = 1 is out of bounds");
        CHECK_FAILS(ga_argpartition(n, 0, .axis = 1), "no axis 1");
        SHOWS(GA_F64, "0.0", ga_std(n));
    }
}

/* Chunked arrays: it works, or a sentence says what to do. */
/* Arrays that lie across give what their copies give; `x` and `y` are of one shape. */
static void check_across(const ga_array *x, const ga_array *y)
{
    const ga_array *a = ga_copy(x), *b = ga_copy(y);
    ga_array       *wider = ga_zeros((x->shape[0], x->shape[1] + 3), .dtype = x->dtype), *part = ga_index(wider, ":, 2:-1");
    CHECK(ga_array_equal(ga_subtract(x, y), ga_subtract(a, b)) && ga_array_equal(ga_less(x, y), ga_less(a, b)));
    CHECK(ga_array_equal(ga_clip(x, y, 40), ga_clip(a, b, 40)) && ga_array_equal(ga_clip(7, x, y), ga_clip(7, a, b)));
    CHECK(ga_array_equal(ga_add(x, b), ga_add(a, b)) && ga_array_equal(ga_minimum(x, ga_flip(y)), ga_minimum(a, ga_flip(b))));
    ga_add(x, y, .out = part);
    CHECK(ga_array_equal(part, ga_add(a, b)) && ga_array_equal(ga_sum(wider), ga_sum(part)));
    for (int axis = 0; axis < 2; axis++) {
        CHECK(ga_array_equal(ga_diff(x, .axis = axis), ga_diff(a, .axis = axis)));
        CHECK(ga_array_equal(ga_trapezoid(x, .axis = axis), ga_trapezoid(a, .axis = axis)));
        CHECK(ga_array_equal(ga_trapezoid(x, .dx = 3, .axis = axis), ga_trapezoid(a, .dx = 3, .axis = axis)));
        if (x->shape[axis] < 3) continue;
        CHECK(ga_array_equal(ga_gradient(x, .axis = axis), ga_gradient(a, .axis = axis)));
        CHECK(ga_array_equal(ga_gradient(x, .axis = axis, .spacing = GA_ARG(0.3), .edge_order = 2),
                             ga_gradient(a, .axis = axis, .spacing = GA_ARG(0.3), .edge_order = 2)));
    }
}

/* Inside, a gradient is the difference divided by two steps, also where that is a product. */
static void test_gradient(void)
{
    static const double steps[] = { 1, 0.5, -4, 3, 0.1, 1024, 1e-5 };
    for (int wide = 0; wide < 2; wide++)
        for (size_t s = 0; s < sizeof steps / sizeof *steps; s++)
            ga_scope {
                ga_array *x = ga_astype(ga_random((7, 50), .seed = 3), wide ? GA_F64 : GA_F32),
                         *d = ga_subtract(ga_index(x, ":, 2:"), ga_index(x, ":, :-2")),
                         *g = ga_gradient(x, .axis = 1, .spacing = GA_ARG(steps[s]));
                CHECK(ga_array_equal(ga_index(g, ":, 1:-1"), ga_divide(d, 2 * steps[s])));
            }
}

static void test_across(void)
{
    static const ga_dtype dtypes[]    = { GA_F32, GA_F64, GA_U8, GA_I16, GA_I64 };
    static const int64_t  shapes[][2] = { { 2, 100 }, { 8, 9 }, { 9, 64 }, { 65, 33 }, { 70, 301 }, { 257, 130 } };
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            ga_scope {
                ga_array *x = ga_random_integers(0, 90, (shapes[s][0], shapes[s][1]), .seed = 1),
                         *y = ga_random_integers(0, 90, (shapes[s][0], shapes[s][1]), .seed = 2);
                check_across(ga_transpose(ga_astype(x, dtypes[d])), ga_transpose(ga_astype(y, dtypes[d])));
            }
}

static void test_chunked(void)
{
    ga_scope {
        ga_array *a = matrix(2, 3), *odd = ga_equal(ga_remainder(a, 2), 1), *line = ga_ints(1, 0, 1), *c = ga_chunked(a, 1, 2),
                 *w = ga_sliding_window_view(ga_ones((4)), (3));
        SHOWS(GA_I64, "[1 8]", ga_compute(ga_sum(c, .axis = 1, .where = odd)));
        SHOWS(GA_I64, "[1 8]", ga_compute(ga_sum(c, .axis = 1, .where = ga_chunked(odd, 2, 1))));
        SHOWS(GA_I64, "[5 7 9]", ga_compute(ga_sum(c, .axis = 0, .initial = GA_ARG(2))));
        SHOWS(GA_I64, "[2 5]", ga_compute(ga_max(c, .axis = 1, .where = line, .initial = GA_ARG(-1))));
        CHECK_FAILS(ga_sliding_window_view(c, (1, 1)), "ga_compute it first");
        CHECK_FAILS(ga_as_strided(c, (2), (8)), "ga_compute it first");
        CHECK_FAILS(ga_unique(c, .axis = 0), "ga_compute it first");
        CHECK_FAILS(ga_repeat(line, ga_chunked(line, 2)), "ga_compute it first");
        CHECK_FAILS(ga_compute(ga_chunked(ga_ones((2, 3)), 1, 3), .out = w), "repeats its elements");
    }
}

static ga_array *half_less(const ga_array *x, const ga_array *y, ga_array *to)
{
    return ga_eval("2*x - y*0.5", (x, y), .out = to);
}

/* What is kept is computed again with arrays that lie in other ways. */
static void test_kept_again(void)
{
    ga_scope {
        ga_array *a = ga_arange(0, 4001, 1, .dtype = GA_F32), *head = ga_index(a, ":4000"), *tail = ga_index(a, "1:");
        ga_array *wide = ga_zeros((4000)), *square = ga_reshape(head, (4, 1000));
        for (int k = 0; k < 2; k++) CHECK(ga_item(ga_index(half_less(head, tail, GA_NO_ARRAY), "3999")) == 5998);
        CHECK(ga_item(ga_index(half_less(head, ga_index(a, "1:2"), GA_NO_ARRAY), "3999")) == 7997.5);
        CHECK(half_less(head, tail, wide) == wide && ga_item(ga_index(wide, "3999")) == 5998);
        CHECK(ga_item(ga_index(half_less(square, square, GA_NO_ARRAY), "3, 999")) == 5998.5);
        CHECK_FAILS(half_less(square, square, wide), "shape");
        CHECK(half_less(head, tail, tail) == tail && ga_item(ga_index(tail, "3999")) == 5998 &&
              ga_item(ga_index(tail, "1")) == 1);
        CHECK(half_less(head, head, head) == head && ga_item(ga_index(head, "2")) == 1.5);
    }
}

/* Long lines that the threads bring side by side as they sort: as the same elements side by side, NaN and zeros in their order. */
static void test_sorts(void)
{
    const ga_dtype dtypes[] = { GA_F32, GA_F64, GA_I32, GA_I64, GA_U64, GA_U8 };
    const int      before   = ga_get_num_threads();
    for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++)
        for (int special = 0; special < 2; special++)
            ga_scope {
                ga_array *a = ga_astype(ga_random_integers(-3000000, 3000000, (240011), .seed = k + 1), dtypes[k]);
                if (k < 2) ga_divide(a, 3, .out = a);
                if (k < 2 && special) {
                    ga_copyto(ga_index(a, "::1009"), NAN);
                    ga_copyto(ga_index(a, "::13"), -0.0);
                    ga_copyto(ga_index(a, "::14"), 0);
                }
                const ga_array *views[] = { ga_index(a, "::2"), ga_index(a, "::-1"), ga_index(a, "3::5"),
                                            ga_index(ga_reshape(ga_index(a, ":240000"), (80000, 3)), ":, 1"),
                                            ga_transpose(ga_reshape(ga_index(a, ":240000"), (120000, 2))) };
                for (int v = 0; v < 5; v++)
                    for (int threads = 1; threads <= 8; threads *= 2) {
                        ga_set_num_threads(threads);
                        const ga_array *x = ga_sort(views[v]), *y = ga_sort(ga_copy(views[v])),
                                       *i    = ga_argsort(ga_copy(views[v]));
                        const ga_array *z    = ga_take_along_axis(views[v], i, .axis = -1);
                        const int       bits = (int)(8 * ga_itemsize(dtypes[k]));
                        const ga_dtype  word = bits == 8 ? GA_U8 : bits == 32 ? GA_I32 : GA_I64;
                        CHECK(ga_array_equal(ga_view_as(x, word), ga_view_as(y, word)));
                        CHECK(ga_array_equal(ga_view_as(x, word), ga_view_as(z, word)));
                    }
            }
    ga_set_num_threads(before);
}

/* Rows of each length, some of them longer than columns, are read and written where they lie: with a gap, every other element, a mask. */
static void test_short_rows(void)
{
    static const ga_dtype dtypes[] = { GA_U8, GA_I16, GA_F32, GA_F64 };
    for (int d = 0; d < 4; d++)
        for (int64_t columns = 1; columns <= 70; columns += test_on_gpu() ? 9 : 1)
            for (int64_t rows = 1; rows <= 140; rows = rows * 3 + 1)
                ga_scope {
                    const ga_dtype dtype = dtypes[d];
                    ga_array      *whole = ga_astype(ga_remainder(matrix(rows, 2 * columns + 1), 101), dtype);
                    ga_array      *gap = ga_index(whole, ":, 1:%lld", (long long)columns + 1), *flat = ga_copy(gap);
                    ga_array *other = ga_index(whole, ":, ::-2"), *second = ga_index(other, ":, :-1"), *lain = ga_copy(second);
                    ga_array *sum = ga_add(flat, lain), *mask = ga_less(lain, 50);
                    CHECK(ga_array_equal(ga_add(gap, second), sum) && ga_array_equal(ga_add(second, gap), sum));
                    ga_array *room = ga_zeros((rows, columns + 3), .dtype = dtype), *part = ga_index(room, ":, 2:-1");
                    CHECK(ga_add(gap, second, .out = part) && ga_array_equal(part, sum));
                    CHECK(ga_item(ga_sum(room)) == ga_item(ga_sum(part)));
                    CHECK(ga_multiply(gap, 0, .out = part, .where = mask) &&
                          ga_array_equal(part, ga_where(mask, ga_zeros_like(sum), sum)));
                    CHECK(ga_add(gap, lain, .out = gap) && ga_array_equal(gap, sum));
                }
}

int main(void)
{
    test_begin();
    test_windows();
    test_as_strided();
    if (!test_on_gpu()) test_wrapped();
    test_writing();
    test_turns();
    test_repeats();
    test_unique_slices();
    test_folds_of_some();
    test_across();
    test_gradient();
    test_numbers();
    if (!test_on_gpu()) test_chunked();
    test_kept_again();
    test_short_rows();
    test_sorts();
    CHECK(ga_memory_stats().arrays == 0);
    return test_end();
}
