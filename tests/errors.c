/* Errors: every documented one is a NULL (or false) and a sentence with the place, the call and the words that matter. Here: the rules for
   all, NULL and freed operands, creation, views, elementwise operations, options, files. errors_algorithms.c has the other calls.
   cc tests/impl.c tests/errors.c -lm -lpthread */
#include "errors.h"

#include <limits.h>
#include <sys/resource.h>
#include <sys/stat.h>

/* Why GA_CUDA cannot be used where it cannot. */
static const char *no_cuda(void) { return test_wants("none") ? "no CUDA device" : "nvcc"; }

/* ---- the rules for all ------------------------------------------------------------------------------------------- */

static int       handled;
static ga_status handled_status;
static char      handled_sentence[300];

static void handler(ga_status status, const char *sentence, void *user)
{
    handled++;
    handled_status = status;
    snprintf(handled_sentence, sizeof handled_sentence, "%s", sentence);
    CHECK(user == &handled);
    CHECK(ga_error() != NULL && strcmp(ga_error(), sentence) == 0);
}

static void test_rules(void)
{
    ga_array *a = ga_zeros((2, 3)), *b = ga_zeros((4)), *none = NULL;
    CHECK(ga_error() == NULL && ga_error_status() == GA_OK);
    CHECK(ga_add(a, b) == NULL);
    CHECK(ga_error_status() == GA_BAD_SHAPE && strstr(ga_error(), "ga_add(a, b)"));
    char first[500];
    snprintf(first, sizeof first, "%s", ga_error());
    CHECK(ga_sum(a, .axis = 7) == NULL && strcmp(ga_error(), first) == 0); /* the first one is kept */
    ga_array *works = ga_add(a, 1);                                        /* an old error does not stop what is right */
    CHECK(works != NULL && strcmp(ga_error(), first) == 0 && ga_error_status() == GA_BAD_SHAPE);
    ga_free(works);
    ga_clear_error();
    CHECK(ga_error() == NULL && ga_error_status() == GA_OK);

    /* A chain: one error, that of the first call. */
    ga_set_error_handler(handler, &handled);
    handled        = 0;
    ga_array *last = ga_sum(ga_sqrt(ga_multiply(ga_add(a, b), 2)), .axis = 0);
    CHECK(last == NULL && handled == 1 && handled_status == GA_BAD_SHAPE && strstr(handled_sentence, "ga_add(a, b)"));
    CHECK(ga_sum(none) == NULL && handled == 1);
    ga_clear_error();
    CHECK(ga_sum(none) == NULL && handled == 2 && handled_status == GA_BAD_ARGUMENT && strstr(handled_sentence, "NULL"));
    ga_clear_error();
    ga_set_error_handler(ga_ignore_error, NULL);
    CHECK(ga_sum(none) == NULL && handled == 2 && ga_error() != NULL);
    ga_clear_error();

    /* Without a handler the sentence goes to stderr, once. */
    ga_set_error_handler(NULL, NULL);
    FILE *f     = tmpfile();
    int   saved = f ? dup(2) : -1;
    if (saved < 0) {
        test_skip("stderr cannot be redirected", 1);
    } else {
        fflush(stderr);
        dup2(fileno(f), 2);
        CHECK(ga_add(a, b) == NULL);
        CHECK(ga_sum(none) == NULL);
        fflush(stderr);
        dup2(saved, 2);
        close(saved);
        char text[1000];
        rewind(f);
        size_t n = fread(text, 1, sizeof text - 1, f);
        text[n]  = 0;
        CHECK(n > 0 && strchr(text, '\n') == text + n - 1 && strstr(text, "gpuarr: ") == text && strstr(text, ga_error()));
    }
    if (f) fclose(f);
    ga_clear_error();
    ga_set_error_handler(ga_ignore_error, NULL);

    /* A call that is very long is cut; the sentence stays whole. */
    ga_array *a_very_long_name_of_an_array_that_nobody_would_ever_want_to_read_in_a_message_but_some_people_write_them = a;
    ga_array *r =
        ga_add(a_very_long_name_of_an_array_that_nobody_would_ever_want_to_read_in_a_message_but_some_people_write_them,
               ga_add(b, b)); /* this one leaks its inner array, which is freed below */
    CHECK(r == NULL && strstr(ga_error(), "(2, 3)") && strstr(ga_error(), "(4,)") && strstr(ga_error(), "...") &&
          strlen(ga_error()) < 600);
    ga_clear_error();

    /* Dimensions and huge shapes. */
    FAILS(GA_BAD_SHAPE, ga_zeros((2, -3)), "(2, -3)", "negative");
    FAILS(GA_NO_MEMORY, ga_zeros(((int64_t)1 << 62)), "4611686018427387904");
    FAILS(GA_NO_MEMORY, ga_zeros(((int64_t)1 << 40, (int64_t)1 << 40)), "(1099511627776, 1099511627776)");
    FAILS(GA_NO_MEMORY, ga_zeros(((int64_t)1 << 31, (int64_t)1 << 31), .dtype = GA_BOOL), "");
    FAILS(GA_NO_MEMORY, ga_full(((int64_t)1 << 50), 1), "bytes");
    allowed = GA_BAD_SHAPE;
    ga_memory_reset_peak(); /* what is too large is told before anything of its size is made */
    FAILS(GA_NO_MEMORY, ga_indices(((int64_t)1 << 30, (int64_t)1 << 30)), "");
    FAILS(GA_NO_MEMORY, ga_mgrid("0:1073741824, 0:1073741824"), "");
    CHECK(ga_memory_stats().peak_bytes < 1 << 20);
    ga_array *empty = ga_zeros(((int64_t)1 << 20, (int64_t)1 << 20, 0)); /* no elements, so no problem */
    CHECK(empty != NULL && empty->size == 0);
    ga_free(empty);
    ga_clear_error();
    int64_t nine[9] = { 1, 1, 1, 1, 1, 1, 1, 1, 1 };
    if (GPUARR_MAX_DIMS == 8) FAILS(GA_BAD_SHAPE, ga_zeros_n(9, nine), "9 dimensions", "8", "GPUARR_MAX_DIMS");
    FAILS(GA_BAD_SHAPE, ga_zeros_n(-1, nine), "-1");
    FAILS(GA_BAD_SHAPE, ga_empty_n(1000, nine), "1000");

    /* The memory limit. */
    ga_memory_limit(1 << 16);
    FAILS(GA_NO_MEMORY, ga_zeros((100000), .device = GA_CPU), "800000", "65536", "limit", "ga_memory_limit");
    ga_memory_limit(0);

    /* Settings. */
    if (!test_on_gpu())
        FAILS_AS(GA_BAD_DEVICE, (ga_set_device(GA_CUDA), ga_get_device() == GA_CPU), "ga_set_device", "CUDA", no_cuda());
    FAILS_AS(GA_BAD_ARGUMENT, (ga_set_num_threads(0), true), "ga_set_num_threads", "0 threads");
    FAILS_AS(GA_BAD_ARGUMENT, (ga_set_num_threads(-3), true), "ga_set_num_threads", "-3");
    FAILS_AS(GA_BAD_ARGUMENT, (ga_set_num_threads(1000000), true), "ga_set_num_threads", "1000000");
    CHECK(ga_get_num_threads() >= 1);

    /* Names and sizes of dtypes that are none. */
    CHECK(strcmp(ga_dtype_name((ga_dtype)17), "?") == 0 && strcmp(ga_dtype_name(GA_DTYPE_DEFAULT), "?") == 0);
    CHECK(strcmp(ga_dtype_name(GA_DTYPE_COUNT), "?") == 0 && ga_itemsize(GA_DTYPE_COUNT) == 0 &&
          ga_itemsize((ga_dtype)17) == 0);
    CHECK(ga_promote((ga_dtype)17, GA_F32) == GA_DTYPE_DEFAULT && !ga_can_cast((ga_dtype)17, GA_F32) &&
          !ga_can_cast(GA_F32, (ga_dtype)17));
    CHECK(ga_error() == NULL);
    ga_free(NULL);
    CHECK(ga_error() == NULL);
    ga_free(a);
    ga_free(b);
}

/* ---- NULL and freed operands ------------------------------------------------------------------------------------- */

static bool says_freed(void)
{
    bool said = ga_error() && strstr(ga_error(), "freed");
    ga_clear_error();
    return said;
}

/* clang-format off */
/* X(call) for every call with `x` as an operand; ok is a good array of shape (3, 4), v one of shape (4). */
#define EACH_CALL(X)                                                                                                   \
    X(ga_zeros_like(x)) X(ga_ones_like(x)) X(ga_empty_like(x)) X(ga_full_like(x, 1)) X(ga_tile(x, (2)))                \
    X(ga_repeat(x, 2)) X(ga_copy(x)) X(ga_astype(x, GA_F32)) X(ga_to(x, GA_CPU)) X(ga_ascontiguous(x))                 \
    X(ga_data(x, GA_F64)) X(ga_index(x, "0")) X(ga_view(x)) X(ga_view_as(x, GA_I64)) X(ga_reshape(x, (2)))             \
    X(ga_ravel(x)) X(ga_flatten(x)) X(ga_transpose(x)) X(ga_swapaxes(x, 0, 1)) X(ga_moveaxis(x, 0, 1))                 \
    X(ga_squeeze(x)) X(ga_expand_dims(x, 0)) X(ga_broadcast_to(x, (2))) X(ga_diagonal(x, 0)) X(ga_flip(x))             \
    X(ga_fliplr(x)) X(ga_flipud(x)) X(ga_rot90(x, 1)) X(ga_where(x, ok, ok)) X(ga_where(ok, x, 1))                     \
    X(ga_where(ok, 1, x)) X(ga_isclose(x, 1)) X(ga_isclose(ok, x)) X(ga_allclose(x, ok)) X(ga_allclose(1, x))          \
    X(ga_array_equal(x, ok)) X(ga_array_equal(ok, x)) X(ga_copyto(x, 1)) X(ga_copyto(ok, x))                           \
    X(ga_copyto(ok, 1, .where = x)) X(ga_var(x)) X(ga_var(ok, .dtype = GA_F32, .out = x)) X(ga_std(x))                 \
    X(ga_nanmean(x)) X(ga_nanvar(x)) X(ga_nanstd(x))                                                                   \
    X(ga_argmin(x)) X(ga_argmax(x)) X(ga_nanargmin(x)) X(ga_nanargmax(x)) X(ga_median(x)) X(ga_nanmedian(x))           \
    X(ga_percentile(x, 50)) X(ga_percentile(ok, x)) X(ga_nanpercentile(x, 50)) X(ga_nanpercentile(ok, x))              \
    X(ga_cumsum(x)) X(ga_cumprod(x)) X(ga_norm(x)) X(ga_dot(x, v)) X(ga_dot(v, x)) X(ga_concatenate((x, ok)))          \
    X(ga_matmul(x, v)) X(ga_matmul(ok, x)) X(ga_inner(x, v)) X(ga_inner(v, x)) X(ga_outer(x, v)) X(ga_outer(v, x))     \
    X(ga_vdot(x, v)) X(ga_vdot(v, x)) X(ga_tensordot(x, v, 1)) X(ga_tensordot(v, x, 1)) X(ga_einsum("ij->ji", (x)))    \
    X(ga_einsum("ij,j", (ok, x)))                                                                                      \
    X(ga_concatenate((ok, x))) X(ga_stack((x, ok))) X(ga_stack((ok, x))) X(ga_split(x, 2, parts))                      \
    X(ga_split_at(x, 2, cuts, parts)) X(ga_roll(x, 1)) X(ga_pad(x, (1))) X(ga_sort(x)) X(ga_argsort(x))                \
    X(ga_unique(x)) X(ga_nonzero(x)) X(ga_compress(x, v)) X(ga_compress(v, x)) X(ga_extract(x, v))                     \
    X(ga_extract(v, x)) X(ga_take(x, whole)) X(ga_take(v, x)) X(ga_histogram(x, 3))                                    \
    X(ga_histogram(v, 3, .weights = x)) X(ga_bincount(x)) X(ga_bincount(whole, .weights = x)) X(ga_label(x))           \
    X(ga_sum_labels(x, whole, NULL)) X(ga_sum_labels(v, x, NULL)) X(ga_mean_labels(x, whole, NULL))                    \
    X(ga_min_labels(x, whole, NULL)) X(ga_max_labels(x, whole, NULL)) X(ga_size_labels(x, NULL))                       \
    X(ga_center_of_mass(x, NULL, NULL)) X(ga_sigma_clip(x)) X(ga_imsave("/tmp/gpuarr_errors.png", x)) X(ga_render(x))  \
    X(ga_imshow("/tmp/gpuarr_errors.png", x)) X(ga_save("/tmp/gpuarr_errors.npy", x)) X(ga_to_string(x))               \
    X(ga_add(x, ok)) X(ga_add(ok, x)) X(ga_add(x, 1)) X(ga_add(1, x)) X(ga_multiply_add(x, 1, 2))                      \
    X(ga_multiply_add(ok, x, 2)) X(ga_clip(ok, 0, x)) X(ga_power(x, 2)) X(ga_power(2, x))                              \
    X(ga_gaussian_filter(x, 1)) X(ga_gaussian_laplace(x, 1)) X(ga_gaussian_gradient_magnitude(x, 1)) X(ga_sobel(x))      \
    X(ga_prewitt(x)) X(ga_laplace(x)) X(ga_uniform_filter(x, 3)) X(ga_minimum_filter(x, 3)) X(ga_maximum_filter(x, 3)) \
    X(ga_median_filter(x, 3)) X(ga_percentile_filter(x, 20, 3)) X(ga_rank_filter(x, 1, 3))                             \
    X(ga_cdist(x, ok)) X(ga_cdist(ok, x)) X(ga_pdist(x)) X(ga_squareform(x))                                           \
    X(ga_fft(x)) X(ga_ifft(x)) X(ga_rfft(x)) X(ga_irfft(x)) X(ga_hfft(x)) X(ga_ihfft(x)) X(ga_fft2(x)) X(ga_ifft2(x))   \
    X(ga_rfft2(x)) X(ga_irfft2(x)) X(ga_fftn(x)) X(ga_ifftn(x)) X(ga_rfftn(x)) X(ga_irfftn(x)) X(ga_fftshift(x))       \
    X(ga_ifftshift(x))                                                                                                 \
    X(ga_convolve(x, v)) X(ga_convolve(v, x)) X(ga_correlate(x, v)) X(ga_correlate(v, x))                              \
    X(ga_convolve2d(x, ok)) X(ga_convolve2d(ok, x)) X(ga_correlate2d(x, ok)) X(ga_correlate2d(ok, x))                  \
    X(ga_ndconvolve(x, ok)) X(ga_ndconvolve(ok, x)) X(ga_ndcorrelate(x, ok)) X(ga_ndcorrelate(ok, x))                  \
    X(ga_convolve1d(x, v)) X(ga_convolve1d(ok, x)) X(ga_correlate1d(x, v)) X(ga_correlate1d(ok, x))                    \
    X(ga_atleast_1d(x)) X(ga_atleast_2d(x)) X(ga_atleast_3d(x)) X(ga_matrix_transpose(x)) X(ga_hstack((x, ok)))        \
    X(ga_vstack((ok, x))) X(ga_dstack((x, ok))) X(ga_column_stack((ok, x))) X(ga_array_split(x, 2, parts))             \
    X(ga_hsplit(x, 2, parts)) X(ga_vsplit(x, 2, parts)) X(ga_dsplit(x, 2, parts)) X(ga_unstack(x, 2, parts))           \
    X(ga_append(x, 1)) X(ga_append(ok, x)) X(ga_insert(x, 0, 1)) X(ga_insert(v, x, 1)) X(ga_insert(v, 0, x))           \
    X(ga_delete(x, 0)) X(ga_delete(v, x)) X(ga_resize(x, (2))) X(ga_trim_zeros(x)) X(ga_diag(x)) X(ga_diagflat(x))     \
    X(ga_tril(x)) X(ga_triu(x)) X(ga_fill_diagonal(x, 1)) X(ga_fill_diagonal(ok, x)) X(ga_vander(x)) X(ga_trace(x))    \
    X(ga_argwhere(x)) X(ga_flatnonzero(x)) X(ga_round(x)) X(ga_quantile(x, 0.5)) X(ga_quantile(ok, x))                 \
    X(ga_nanquantile(x, 0.5)) X(ga_nancumsum(x)) X(ga_nancumprod(x)) X(ga_cumulative_sum(x)) X(ga_cumulative_prod(x))  \
    X(ga_diff(x)) X(ga_diff(ok, .append = GA_ARG(x))) X(ga_ediff1d(x)) X(ga_gradient(x)) X(ga_trapezoid(x))            \
    X(ga_unwrap(x)) X(ga_ptp(x)) X(ga_average(x)) X(ga_cov(x)) X(ga_corrcoef(x)) X(ga_nan_to_num(x)) X(ga_i0(x))       \
    X(ga_polyval(x, 1)) X(ga_polyval(v, x)) X(ga_poly(x)) X(ga_searchsorted(x, 1)) X(ga_searchsorted(v, x))            \
    X(ga_digitize(x, v)) X(ga_digitize(1, x)) X(ga_interp(x, v, v)) X(ga_interp(1, x, v)) X(ga_interp(1, v, x))        \
    X(ga_isin(x, v)) X(ga_isin(1, x)) X(ga_intersect1d(x, v)) X(ga_intersect1d(v, x)) X(ga_union1d(x, v))              \
    X(ga_union1d(v, x)) X(ga_setdiff1d(x, v)) X(ga_setdiff1d(v, x)) X(ga_setxor1d(x, v)) X(ga_setxor1d(v, x))          \
    X(ga_unique_values(x)) X(ga_unique_counts(x, parts)) X(ga_unique_inverse(x, parts))                                \
    X(ga_unique_all(x, NULL, NULL, NULL)) X(ga_lexsort((x, v))) X(ga_lexsort((v, x))) X(ga_partition(x, 0))            \
    X(ga_argpartition(x, 0)) X(ga_ravel_multi_index(x, (3))) X(ga_unravel_index(x, (3)))                               \
    X(ga_histogram_bin_edges(x, 3)) X(ga_histogramdd(x, (3))) X(ga_histogram2d(x, v, (3)))                             \
    X(ga_histogram2d(v, x, (3)))                                                                                       \
    X(ga_divmod(x, 2, parts)) X(ga_divmod(2, x, parts)) X(ga_modf(x, parts)) X(ga_frexp(x, parts)) X(ga_angle(x))          \
    X(ga_set_at(x, 1, 0, 0)) X(ga_index_take(x, (whole))) X(ga_index_take(v, (x))) X(ga_index_put(x, (whole), 1))      \
    X(ga_index_put(v, (x), 1)) X(ga_index_put(v, (whole), x)) X(ga_add_at(x, (whole), 1)) X(ga_add_at(v, (x), 1))      \
    X(ga_add_at(v, (whole), x)) X(ga_take_along_axis(x, whole)) X(ga_take_along_axis(v, x))                            \
    X(ga_put_along_axis(x, whole, 1)) X(ga_put_along_axis(v, x, 1)) X(ga_put_along_axis(v, whole, x))                  \
    X(ga_put(x, whole, 1)) X(ga_put(v, x, 1)) X(ga_put(v, whole, x)) X(ga_place(x, v, 1)) X(ga_place(v, x, 1))         \
    X(ga_place(v, v, x))                                                                                               \
    X(ga_select((x), (1), 0)) X(ga_piecewise(x, (v), (1))) X(ga_piecewise(v, (x), (1))) X(ga_choose(x, (v)))           \
    X(ga_choose(whole, (x))) X(ga_sort_complex(x)) X(ga_packbits(x)) X(ga_unpackbits(x)) X(ga_result_type((x)))        \
    X(ga_float_power(x, 2)) X(ga_float_power(2, x))                                                                    \
    X(ga_solve(x, v)) X(ga_solve(ok, x)) X(ga_inv(x)) X(ga_det(x)) X(ga_slogdet(x, &parts[0], &parts[1]))              \
    X(ga_cholesky(x)) X(ga_solve_triangular(x, v)) X(ga_solve_triangular(ok, x)) X(ga_qr(x, &parts[0], &parts[1]))     \
    X(ga_eigh(x, &parts[0], &parts[1])) X(ga_eigvalsh(x)) X(ga_eig(x, &parts[0], &parts[1])) X(ga_eigvals(x)) \
    X(ga_random_permutation(x)) X(ga_random_shuffle(x)) X(ga_random_choice(x, (2))) X(ga_random_choice(v, (2), .p = x))  \
    X(ga_random_multivariate_normal(x, ok, (2))) X(ga_random_multivariate_normal(v, x, (2))) X(ga_roots(x)) X(ga_polyfit(x, v, 1)) X(ga_polyfit(v, x, 1)) X(ga_polyfit(v, v, 1, .w = x)) X(ga_svd(x, &parts[0], &parts[1], &parts[2])) X(ga_svdvals(x)) \
    X(ga_matrix_norm(x)) X(ga_vector_norm(x)) X(ga_cond(x)) X(ga_matrix_rank(x)) X(ga_pinv(x)) X(ga_lstsq(x, v))       \
    X(ga_lstsq(ok, x)) X(ga_matrix_power(x, 2)) X(ga_multi_dot((x, ok)))                     \
    X(ga_multi_dot((ok, x))) X(ga_kron(x, ok)) X(ga_kron(ok, x)) X(ga_cross(x, ok)) X(ga_cross(ok, x))                 \
    X(ga_vecdot(x, ok)) X(ga_vecdot(ok, x)) X(ga_tensorsolve(x, v)) X(ga_tensorsolve(ok, x)) X(ga_tensorinv(x)) X(ga_expm(x))  \
    X(ga_solve_banded(1, 1, x, v)) X(ga_solve_banded(1, 1, ok, x))        \
    X(ga_spline_filter(x)) X(ga_spline_filter1d(x)) X(ga_map_coordinates(x, ok)) X(ga_map_coordinates(v, x))            \
    X(ga_shift(x, 1)) X(ga_zoom(x, 2)) X(ga_affine_transform(x, ok)) X(ga_affine_transform(ok, x)) X(ga_rotate(x, 30)) \
    X(ga_distance_transform_edt(x)) X(ga_distance_transform_cdt(x)) X(ga_distance_transform_bf(x))                     \
    X(ga_iterate_structure(x, 2)) X(ga_binary_erosion(x)) X(ga_binary_dilation(x)) X(ga_binary_opening(x))             \
    X(ga_binary_closing(x)) X(ga_binary_propagation(x)) X(ga_binary_fill_holes(x)) X(ga_binary_hit_or_miss(x))         \
    X(ga_grey_erosion(x, 3)) X(ga_grey_dilation(x, 3)) X(ga_grey_opening(x, 3)) X(ga_grey_closing(x, 3))               \
    X(ga_morphological_gradient(x, 3)) X(ga_morphological_laplace(x, 3)) X(ga_white_tophat(x, 3))                      \
    X(ga_black_tophat(x, 3))                                                                                           \
    X(ga_gaussian_filter1d(x, 1)) X(ga_uniform_filter1d(x, 3)) X(ga_minimum_filter1d(x, 3)) X(ga_maximum_filter1d(x, 3)) \
    X(ga_generic_filter(x, first_of, NULL, 3)) X(ga_minimum_position(x, NULL, NULL)) X(ga_maximum_position(x, NULL, NULL)) \
    X(ga_extrema(x, NULL, NULL, &parts[0], NULL, NULL, NULL)) X(ga_variance(x, NULL, NULL))                            \
    X(ga_standard_deviation(x, NULL, NULL)) X(ga_find_objects(x, 0)) X(ga_value_indices(x, parts, NULL))                   \
    X(ga_simpson(x)) X(ga_cumulative_trapezoid(x)) X(ga_fftconvolve(x, v)) X(ga_fftconvolve(v, x)) X(ga_lfilter(x, v, v)) \
    X(ga_lfilter(v, x, v)) X(ga_lfilter(v, v, x)) X(ga_sosfilt(x, v)) X(ga_sosfilt(ok, x)) X(ga_medfilt(x, (3)))       \
    X(ga_periodogram(x)) X(ga_welch(x)) X(ga_spectrogram(x)) X(ga_find_peaks(x))                                       \
    X(ga_hilbert(x)) X(ga_resample(x, 3)) X(ga_detrend(x)) X(ga_savgol_filter(x, 3, 1))                                \
    X(ga_watershed_ift(x, ok)) X(ga_watershed_ift(ok, x))                                                              \
    X(ga_meshgrid(x, v, &parts[0], &parts[1], false)) X(ga_meshgrid(v, x, &parts[0], &parts[1], true))
/* and with options that a call has seen fail */
#define EACH_OPTION(X)                                                                                                 \
    X(ga_add(ok, 1, .out = x)) X(ga_add(ok, 1, .where = x)) X(ga_sqrt(ok, .out = x)) X(ga_sqrt(ok, .where = x))        \
    X(ga_where(ok, 1, 2, .out = x)) X(ga_sum(ok, .out = x)) X(ga_std(ok, .out = x)) X(ga_argmax(ok, .out = x))         \
    X(ga_median(ok, .out = x)) X(ga_cumsum(ok, .out = x)) X(ga_dot(v, v, .out = x))                                    \
    X(ga_matmul(ok, v, .out = x)) X(ga_inner(v, v, .out = x)) X(ga_outer(v, v, .out = x))                              \
    X(ga_tensordot(v, v, 1, .out = x)) X(ga_multi_dot((v, v), .out = x)) X(ga_einsum("i,i", (v, v), .out = x))                                           \
    X(ga_cdist(ok, ok, .out = x)) X(ga_pdist(ok, .out = x)) X(ga_median_filter(ok, 3, .out = x))                       \
    X(ga_spline_filter(ok, .out = x)) X(ga_shift(ok, 1, .out = x)) X(ga_rotate(ok, 1, .out = x))                      \
    X(ga_affine_transform(ok, ok, .out = x))                                                                           \
    X(ga_binary_erosion(ok, x)) X(ga_binary_dilation(ok, .mask = x)) X(ga_binary_opening(ok, .out = x))                \
    X(ga_binary_hit_or_miss(ok, x)) X(ga_binary_hit_or_miss(ok, .structure2 = x)) X(ga_grey_erosion(ok, 0, x))         \
    X(ga_binary_hit_or_miss(ok, .out = x)) X(ga_grey_opening(ok, 0, .structure = x)) X(ga_white_tophat(ok, 3, .out = x)) \
    X(ga_median_filter(ok, 0, .footprint = x)) X(ga_sobel(ok, .out = x)) X(ga_gaussian_filter(ok, 1, .out = x))        \
    X(ga_uniform_filter(ok, 3, .out = x)) X(ga_convolve(v, v, .out = x)) X(ga_correlate(v, v, .out = x))               \
    X(ga_round(ok, .out = x)) X(ga_trace(ok, .out = x)) X(ga_quantile(ok, 0.5, .out = x))                              \
    X(ga_nancumsum(ok, .out = x)) X(ga_cumulative_sum(v, .out = x)) X(ga_ptp(ok, .out = x)) X(ga_trapezoid(ok, x))     \
    X(ga_average(ok, .weights = x)) X(ga_cov(ok, x)) X(ga_cov(ok, .fweights = x)) X(ga_cov(ok, .aweights = x))         \
    X(ga_searchsorted(v, 1, .sorter = x)) X(ga_histogramdd(ok, (3, 3, 3, 3), .weights = x))                            \
    X(ga_fft(ok, .out = x)) X(ga_rfft(ok, .out = x)) X(ga_irfft(ok, .out = x)) X(ga_fftn(ok, .out = x))                \
    X(ga_simpson(ok, x)) X(ga_cumulative_trapezoid(ok, x)) X(ga_fftconvolve(v, v, .out = x)) X(ga_hilbert(v, .out = x)) \
    X(ga_welch(v, .values = x)) X(ga_periodogram(v, .values = x)) X(ga_spectrogram(v, .values = x))                    \
    X(ga_lfilter(v, v, v, .zi = x)) X(ga_sosfilt(ok, v, .zi = x)) X(ga_detrend(v, .bp = x)) X(ga_resample(v, 3, .out = x)) \
    X(ga_minimum_filter1d(ok, 3, .out = x)) X(ga_generic_filter(ok, first_of, NULL, 0, x))                             \
    X(ga_watershed_ift(ok, ok, x))                                                                                     \
    X(ga_convolve2d(ok, ok, .out = x)) X(ga_correlate2d(ok, ok, .out = x)) X(ga_ndconvolve(ok, ok, .out = x))          \
    X(ga_ndcorrelate(ok, ok, .out = x)) X(ga_convolve1d(ok, v, .out = x)) X(ga_correlate1d(ok, v, .out = x))
/* clang-format on */

static double first_of(const double *values, int64_t n, void *user)
{
    (void)n, (void)user;
    return values[0];
}

static void test_null_and_freed(void)
{
    int64_t   before = ga_memory_stats().arrays;
    ga_array *ok = ga_ones((3, 4)), *v = ga_ones((4)), *whole = ga_zeros((4), .dtype = GA_I64),
             *parts[4] = { NULL, NULL, NULL, NULL };
    int64_t   cuts[1]  = { 1 };
    ga_array *x        = NULL;
#define ONE(call) FAILS_AS(GA_BAD_ARGUMENT, !(call), #call, "NULL");
    x = GA_NO_ARRAY; /* where a call takes none */
    FAILS(GA_BAD_ARGUMENT, ga_sum(x), "GA_NO_ARRAY");
    FAILS(GA_BAD_ARGUMENT, ga_concatenate((ok, x)), "array number 1 is GA_NO_ARRAY");
#define UNDONE(call) CHECK((call) || ga_error()), ga_clear_error();
    ga_scope {
        EACH_CALL(UNDONE)
    }
#undef UNDONE
    x = NULL;
#define UNARY(name) FAILS(GA_BAD_ARGUMENT, ga_##name(x), "NULL");
#define BINARY(name)                                                                                                           \
    FAILS(GA_BAD_ARGUMENT, ga_##name(x, ok), "NULL");                                                                          \
    FAILS(GA_BAD_ARGUMENT, ga_##name(1, x), "NULL");
    EACH_CALL(ONE)
    EACH_OPTION(ONE)
#define GA_UNARY(name, ...)       UNARY(name)
#define GA_ELEMENTARY(name, ...)  UNARY(name)
#define GA_FOLD(name, ...)        UNARY(name)
#define GA_BINARY(name, ...)      BINARY(name)
#define GA_ELEMENTARY2(name, ...) BINARY(name)
#define GA_TABLE
#include "gpuarr.h"
#undef ONE
    FAILS_AS(GA_BAD_ARGUMENT, isnan(ga_item(x)), "ga_item(x)", "NULL");
    FAILS_AS(GA_BAD_ARGUMENT, isnan(ga_describe(x).std), "ga_describe(x)", "NULL");
    FAILS_AS(GA_BAD_ARGUMENT, ga_item_int(x) == 0, "ga_item_int(x)", "NULL");
    FAILS_AS(GA_BAD_ARGUMENT, isnan(ga_item_at(x, 1, 2)), "ga_item_at(x, 1, 2)", "NULL");
    FAILS_AS(GA_BAD_ARGUMENT, isnan(ga_item_complex_at(x, 1, 2).re), "ga_item_complex_at(x, 1, 2)", "NULL");
    FAILS_AS(GA_BAD_ARGUMENT, (ga_print(x), true), "ga_print(x)", "NULL");
    CHECK(!ga_is_contiguous(x) && !ga_same_shape(x, ok) && !ga_same_shape(ok, x) && !ga_may_share_memory(x, ok) &&
          !ga_may_share_memory(ok, x));
    CHECK(ga_keep(x) == NULL && ga_error() == NULL);

    if (TEST_ASAN) {
        test_skip("freed arrays: AddressSanitizer reports them itself", 1);
    } else {
        ga_array *gap[64]; /* so that the next handles are not the one just freed */
        x = ga_ones((3, 4));
        for (int i = 0; i < 64; i++) gap[i] = ga_ones((3, 4));
        ga_free(x);
        for (int i = 0; i < 64; i++) ga_free(gap[i]);
#define ONE(call) FAILS_AS(GA_BAD_ARGUMENT, !(call), #call, "freed");
        int failed = test_failed;
        EACH_CALL(ONE)
        EACH_OPTION(ONE)
#undef ONE
        FAILS_AS(GA_BAD_ARGUMENT, isnan(ga_item(x)), "ga_item(x)", "freed");
        FAILS_AS(GA_BAD_ARGUMENT, isnan(ga_describe(x).std), "ga_describe(x)", "freed");
        FAILS_AS(GA_BAD_ARGUMENT, isnan(ga_item_at(x, 1, 2)), "ga_item_at(x, 1, 2)", "freed");
        FAILS_AS(GA_BAD_ARGUMENT, isnan(ga_item_complex(x).im), "ga_item_complex(x)", "freed");
        FAILS_AS(GA_BAD_ARGUMENT, (ga_print(x), true), "ga_print(x)", "freed");
        /* calls that know no place */
        CHECK(!ga_is_contiguous(x) && says_freed());
        CHECK(!ga_same_shape(x, ok) && says_freed());
        CHECK(!ga_same_shape(ok, x) && says_freed());
        CHECK(!ga_may_share_memory(x, ok) && says_freed());
        CHECK(!ga_is_chunked(x) && says_freed());
        CHECK(ga_chunks_of(x).ndim == 0 && says_freed());
        CHECK(ga_keep(x) == NULL && says_freed());
        ga_free(x); /* twice */
        CHECK(says_freed());
        if (test_failed > failed) printf("     (with an array that was freed)\n");
        ga_scope {
            x = ga_ones((3));
        }
        FAILS(GA_BAD_ARGUMENT, ga_add(x, 1), "ga_scope");
    }
    ga_array never;
    memset(&never, 0, sizeof never);
    never.dtype = GA_F64;
    x           = &never;
    FAILS(GA_BAD_ARGUMENT, ga_add(x, 1), "no array");
    CHECK(ga_memory_stats().arrays == before + 3); /* no failed call left anything */
    ga_free(ok);
    ga_free(v);
    ga_free(whole);
}

/* ---- one function after the other -------------------------------------------------------------------------------- */

static void test_creation(void)
{
    double    numbers[6] = { 1, 2, 3, 4, 5, 6 };
    double   *nowhere    = NULL;
    ga_array *a = ga_zeros((2, 3)), *none = NULL;
    ga_dtype  bad = (ga_dtype)17;
    FAILS(GA_BAD_DTYPE, ga_zeros((2), .dtype = bad), "17", "dtype", "GA_F64");
    FAILS(GA_BAD_DTYPE, ga_ones((2), .dtype = GA_DTYPE_COUNT), "16");
    FAILS(GA_BAD_DTYPE, ga_empty((2), .dtype = GA_DTYPE_COUNT), "dtype");
    FAILS(GA_BAD_DTYPE, ga_full((2), 1, .dtype = bad), "17");
    FAILS(GA_BAD_DTYPE, ga_zeros_like(a, .dtype = bad), "17");
    FAILS(GA_BAD_DTYPE, ga_empty_like(a, .dtype = bad), "17");
    FAILS(GA_BAD_DTYPE, ga_scalar(1, .dtype = bad), "17");
    FAILS(GA_BAD_DTYPE, ga_arange(0, 3, 1, .dtype = bad), "17");
    FAILS(GA_BAD_DTYPE, ga_linspace(0, 3, 4, .dtype = bad), "17");
    FAILS(GA_BAD_DTYPE, ga_logspace(0, 3, 4, .dtype = bad), "17");
    FAILS(GA_BAD_DTYPE, ga_eye(3, 3, 0, .dtype = bad), "17");
    FAILS(GA_BAD_DTYPE, ga_indices((3, 3), .dtype = bad), "17");
    FAILS(GA_BAD_DTYPE, ga_mgrid("0:3", .dtype = bad), "17");
    FAILS(GA_BAD_DTYPE, ga_from(numbers, (2), .dtype = bad), "17");
    FAILS(GA_BAD_DTYPE, ga_random((2), .dtype = bad), "");
    FAILS(GA_BAD_DTYPE, ga_random_normal(0, 1, (2), .dtype = bad), "");
    FAILS(GA_BAD_DTYPE, ga_random_integers(0, 3, (2), .dtype = bad), "");
    FAILS(GA_BAD_DTYPE, ga_astype(a, bad), "17");
    FAILS(GA_BAD_DTYPE, ga_astype(a, GA_DTYPE_DEFAULT), "dtype");

    if (!test_on_gpu()) {
        FAILS(GA_BAD_DEVICE, ga_zeros((2), .device = GA_CUDA), "CUDA", no_cuda());
        FAILS(GA_BAD_DEVICE, ga_full((2), 1, .device = GA_CUDA), "CUDA");
        FAILS(GA_BAD_DEVICE, ga_zeros_like(a, .device = GA_CUDA), "CUDA");
        FAILS(GA_BAD_DEVICE, ga_arange(0, 5, 1, .device = GA_CUDA), "CUDA");
        FAILS(GA_BAD_DEVICE, ga_linspace(0, 5, 1, .device = GA_CUDA), "CUDA");
        FAILS(GA_BAD_DEVICE, ga_random((2), .device = GA_CUDA), "CUDA");
        FAILS(GA_BAD_DEVICE, ga_random_integers(0, 3, (2), .device = GA_CUDA), "CUDA");
        FAILS(GA_BAD_DEVICE, ga_random_normal(0, 3, (2), .device = GA_CUDA), "CUDA");
        FAILS(GA_BAD_DEVICE, ga_from(numbers, (2), .device = GA_CUDA), "CUDA");
        FAILS(GA_BAD_DEVICE, ga_wrap(numbers, (2), .device = GA_CUDA), "CUDA");
        FAILS(GA_BAD_DEVICE, ga_to(a, GA_CUDA), "CUDA");
    }
    FAILS(GA_BAD_DEVICE, ga_to(a, (ga_device)3), "");

    allowed = GA_BAD_DTYPE;
    FAILS(GA_BAD_ARGUMENT, ga_full((2), 300, .dtype = GA_U8), "300", "uint8");
    allowed = GA_BAD_DTYPE;
    FAILS(GA_BAD_ARGUMENT, ga_full((2), -1, .dtype = GA_U64), "-1", "uint64");
    allowed = GA_BAD_DTYPE;
    FAILS(GA_BAD_ARGUMENT, ga_full_like(ga_zeros((1), .dtype = GA_I8), 128), "128", "int8");
    allowed = GA_BAD_DTYPE;
    FAILS(GA_BAD_ARGUMENT, ga_scalar(UINT64_MAX, .dtype = GA_I64), "18446744073709551615", "int64");
    FAILS(GA_BAD_SHAPE, ga_full((-2), 1), "(-2,)");
    FAILS(GA_BAD_SHAPE, ga_ones((3, -1)), "(3, -1)");

    FAILS(GA_BAD_ARGUMENT, ga_arange(0, 5, 0), "step", "0");
    FAILS(GA_BAD_ARGUMENT, ga_arange(0, 5, 0.0), "step");
    FAILS(GA_BAD_ARGUMENT, ga_arange(0, INFINITY, 1), "inf");
    FAILS(GA_BAD_ARGUMENT, ga_arange(0, NAN, 1), "nan");
    FAILS(GA_BAD_ARGUMENT, ga_arange(0.0, 1e300, 1e-300), "");
    allowed = GA_BAD_ARGUMENT;
    FAILS(GA_BAD_DTYPE, ga_arange(0, 300, 1, .dtype = GA_U8), "uint8");
    FAILS(GA_BAD_ARGUMENT, ga_linspace(0, 1, -1), "-1");
    FAILS(GA_BAD_ARGUMENT, ga_logspace(0, 1, -1), "-1");
    FAILS(GA_BAD_SHAPE, ga_eye(-1, 3, 0), "-1");
    FAILS(GA_NO_MEMORY, ga_linspace(0, 1, (int64_t)1 << 60), "");

    ga_array       *x = NULL, *y = NULL;
    const ga_array *in[9] = { a, a, a, a, a, a, a, a, a };
    ga_array       *outs[9];
    FAILS(GA_BAD_ARGUMENT, ga_meshgrid(a, a, NULL, &y, false), "pointer");
    FAILS(GA_BAD_ARGUMENT, ga_meshgrid_n(9, in, outs, false), "9");
    FAILS(GA_BAD_ARGUMENT, ga_meshgrid_n(-1, in, outs, false), "-1");
    FAILS(GA_BAD_ARGUMENT, ga_meshgrid_n(2, NULL, outs, false), "NULL");
    FAILS(GA_BAD_ARGUMENT, ga_meshgrid_n(2, in, NULL, false), "NULL");
    in[1]   = none;
    outs[0] = a;
    FAILS(GA_BAD_ARGUMENT, ga_meshgrid_n(2, in, outs, false), "NULL");
    CHECK(outs[0] == NULL && outs[1] == NULL);
    CHECK(x == NULL && y == NULL);

    FAILS(GA_BAD_SHAPE, ga_indices((1, 1, 1, 1, 1, 1, 1, 1)), "8");
    FAILS(GA_BAD_ARGUMENT, ga_mgrid("0:3, x"), "slice 2", "x");
    FAILS(GA_BAD_ARGUMENT, ga_mgrid("0:3:0"), "0");
    FAILS(GA_BAD_ARGUMENT, ga_mgrid("5"), "5");
    FAILS(GA_BAD_ARGUMENT, ga_mgrid("0:1:1:1"), "");
    FAILS(GA_BAD_ARGUMENT, ga_mgrid("0:1,,0:2"), "");
    FAILS(GA_BAD_ARGUMENT, ga_mgrid("0:inf"), "");
    FAILS(GA_BAD_ARGUMENT, ga_mgrid(NULL), "NULL");
    FAILS(GA_BAD_SHAPE, ga_mgrid("0:1, 0:1, 0:1, 0:1, 0:1, 0:1, 0:1, 0:1, 0:1"), "8");

    FAILS(GA_BAD_ARGUMENT, ga_tile(a, (2, -1)), "(2, -1)");
    FAILS(GA_BAD_ARGUMENT, ga_repeat(a, -1), "-1");
    FAILS(GA_BAD_ARGUMENT, ga_repeat(a, 2, .axis = 2), "axis 2", "2 dimensions");
    allowed = GA_BAD_SHAPE;
    FAILS(GA_NO_MEMORY, ga_repeat(a, (int64_t)1 << 62), "");
    allowed = GA_BAD_ARGUMENT;
    FAILS(GA_NO_MEMORY, ga_tile(a, ((int64_t)1 << 62, (int64_t)1 << 62)), "");

    FAILS(GA_BAD_ARGUMENT, ga_from(nowhere, (3)), "NULL");
    FAILS(GA_BAD_ARGUMENT, ga_wrap(nowhere, (3)), "NULL");
    FAILS(GA_BAD_SHAPE, ga_wrap(numbers, (3, -1)), "(3, -1)");
    FAILS(GA_BAD_SHAPE, ga_wrap_strided(numbers, (3, 2), (8)), "1 stride", "2 dimensions");
    FAILS(GA_BAD_ARGUMENT, ga_wrap_strided(numbers, (3, 2), (8, 3)), "align");
    FAILS(GA_BAD_ARGUMENT, ga_wrap_strided(numbers, (3, 2), (INT64_MAX - 7, 8)), "");
    FAILS(GA_BAD_ARGUMENT, ga_wrap_strided(numbers, (3, 2), (INT64_MIN / 2, 8)), "beyond any memory");
    FAILS(GA_BAD_SHAPE, ga_wrap(numbers, ((int64_t)1 << 62)), "");
    FAILS(GA_BAD_ARGUMENT, ga_wrap((double *)(void *)((char *)numbers + 1), (2)), "align");
    ga_shape        two  = GI_SHAPE(2);
    ga_wrap_options here = ga_wrap_defaults;
    here.site            = GI_SITE("ga_wrap(numbers, bad)");
    FAILS_AS(GA_BAD_DTYPE, (ga_wrap)(numbers, bad, two, here) == NULL, "ga_wrap(numbers, bad)", "17");

    FAILS(GA_BAD_DTYPE, ga_random((3), .dtype = GA_I32), "int32", "ga_random_integers");
    FAILS(GA_BAD_DTYPE, ga_random_normal(0, 1, (3), .dtype = GA_C64), "complex64");
    FAILS(GA_BAD_ARGUMENT, ga_random_normal(0, -1, (3)), "-1");
    FAILS(GA_BAD_ARGUMENT, ga_random_normal(0, NAN, (3)), "nan");
    FAILS(GA_BAD_ARGUMENT, ga_random_integers(5, 5, (3)), "5");
    FAILS(GA_BAD_ARGUMENT, ga_random_integers(5, 2, (3)), "5", "2");
    FAILS(GA_BAD_DTYPE, ga_random_integers(0, 2, (3), .dtype = GA_F32), "float32");
    FAILS(GA_BAD_DTYPE, ga_random_integers(0, 257, (3), .dtype = GA_U8), "257", "uint8");
    FAILS(GA_BAD_DTYPE, ga_random_integers(-1, 2, (3), .dtype = GA_U8), "-1", "uint8");
    FAILS(GA_BAD_SHAPE, ga_random((3, -1)), "(3, -1)");

    FAILS_AS(GA_BAD_SHAPE, isnan(ga_item(a)), "ga_item(a)", "(2, 3)", "6 elements", "ga_item_at");
    FAILS_AS(GA_BAD_SHAPE, ga_item_int(a) == 0, "ga_item_int(a)", "(2, 3)");
    ga_array *large = ga_full((2), UINT64_MAX, .dtype = GA_U64);
    FAILS_AS(GA_BAD_DTYPE, ga_item_int_at(large, 1) == 0, "ga_item_int_at(large, 1)",
             "18446744073709551615 does not fit int64");
    ga_free(large);
    FAILS_AS(GA_BAD_ARGUMENT, isnan(ga_item_at(a, 2, 0)), "ga_item_at(a, 2, 0)", "index 2", "axis 0", "length 2");
    FAILS_AS(GA_BAD_ARGUMENT, isnan(ga_item_at(a, 0, -4)), "ga_item_at(a, 0, -4)", "index -4", "axis 1", "length 3");
    FAILS_AS(GA_BAD_ARGUMENT, isnan(ga_item_at(a, 1)), "ga_item_at(a, 1)", "1 ind", "2 dimensions");
    ga_array *c = ga_zeros((1), .dtype = GA_C64), *t = ga_transpose(a), *e = ga_zeros((0, 3));
    FAILS_AS(GA_BAD_DTYPE, isnan(ga_item(c)), "ga_item(c)", "complex64", "ga_real");
    FAILS_AS(GA_BAD_SHAPE, isnan(ga_item(e)), "ga_item(e)", "(0, 3)");
    FAILS_AS(GA_BAD_ARGUMENT, isnan(ga_item_at(e, 0, 0)), "ga_item_at(e, 0, 0)", "length 0");
    ga_array *host = test_to_cpu(a), *host_t = ga_transpose(host);
    FAILS(GA_BAD_DTYPE, ga_data(host, GA_F32), "float64", "float32", "ga_astype");
    FAILS(GA_BAD_SHAPE, ga_data(host_t, GA_F64), "ga_ascontiguous");
    if (test_on_gpu()) FAILS(GA_BAD_DEVICE, ga_data(a, GA_F64), "GPU", "ga_to");
    ga_free(host_t);
    ga_free(host);
    ga_free(e);
    ga_free(t);
    ga_free(c);
    ga_free(a);
}

static void test_views(void)
{
    ga_array *a = ga_zeros((4, 6)), *zero_d = ga_scalar(1.0), *v = ga_zeros((5)), *t = ga_transpose(a);
    FAILS(GA_BAD_ARGUMENT, ga_index(a, "4"), "index 4", "axis 0", "length 4");
    FAILS(GA_BAD_ARGUMENT, ga_index(a, "0, -7"), "index -7", "axis 1", "length 6");
    FAILS(GA_BAD_ARGUMENT, ga_index(a, ":, :, 0"), "3 axes", "(4, 6)");
    FAILS(GA_BAD_ARGUMENT, ga_index(a, "..., 0, ..."), "ellipsis");
    FAILS(GA_BAD_ARGUMENT, ga_index(a, "::0"), "step 0");
    FAILS(GA_BAD_ARGUMENT, ga_index(a, "1:2:3:4"), "1:2:3:4");
    FAILS(GA_BAD_ARGUMENT, ga_index(a, "x"), "item 1", "\"x\"");
    FAILS(GA_BAD_ARGUMENT, ga_index(a, "0, 1.5"), "item 2", "1.5");
    FAILS(GA_BAD_ARGUMENT, ga_index(a, "0,,1"), "item 2");
    FAILS(GA_BAD_ARGUMENT, ga_index(a, ","), "item 1");
    FAILS(GA_BAD_ARGUMENT, ga_index(a, "- -1"), "- -1");
    FAILS(GA_BAD_ARGUMENT, ga_index(a, "1 2"), "1 2");
    FAILS(GA_BAD_ARGUMENT, ga_index(a, "0x10"), "0x10");
    FAILS(GA_BAD_ARGUMENT, ga_index(a, "[0]"), "[0]");
    FAILS(GA_BAD_ARGUMENT, ga_index(a, ".."), "..");
    FAILS(GA_BAD_ARGUMENT, ga_index(a, "newaxi"), "newaxi");
    FAILS(GA_BAD_ARGUMENT, ga_index(a, "99999999999999999999"), "out of bounds");
    FAILS(GA_BAD_ARGUMENT, ga_index(a, "%d, %d", 3, 6), "index 6", "axis 1");
    FAILS(GA_BAD_ARGUMENT, ga_index(zero_d, "0"), "1 axes", "0");
    FAILS(GA_BAD_SHAPE, ga_index(a, "newaxis, newaxis, newaxis, newaxis, newaxis, newaxis, newaxis"), "9 dimensions", "8");
    FAILS(GA_BAD_ARGUMENT, ga_index(a, "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0"), "");
    FAILS(GA_BAD_ARGUMENT,
          ga_index(
              a, "%s",
              "1:2:3:4:5:6:7:8:9:10:11:12:13:14:15:16:17:18:19:20:21:22:23:24:25:26:27:28:29:30:31:32:33:34:35:36:37:38:39:40"),
          "");
    /* What is out of bounds in a slice is cut, as in Python. */
    ga_array *cut = ga_index(a, "-100:100, 100:");
    CHECK(cut && cut->shape[0] == 4 && cut->shape[1] == 0);
    ga_free(cut);

    FAILS(GA_BAD_DTYPE, ga_view_as(a, (ga_dtype)17), "17");
    FAILS(GA_BAD_DTYPE, ga_view_as(zero_d, GA_F32), "0-d");
    FAILS(GA_BAD_SHAPE, ga_view_as(v, GA_C128), "(5,)", "complex128");
    FAILS(GA_BAD_SHAPE, ga_view_as(t, GA_F32), "last axis", "ga_copy");
    FAILS(GA_BAD_SHAPE, ga_reshape(a, (5, 5)), "(4, 6)", "24", "(5, 5)");
    FAILS(GA_BAD_SHAPE, ga_reshape(a, (-1, 5)), "(-1, 5)");
    FAILS(GA_BAD_SHAPE, ga_reshape(a, (-1, -1)), "(-1, -1)");
    FAILS(GA_BAD_SHAPE, ga_reshape(a, (-2, 12)), "(-2, 12)");
    FAILS(GA_BAD_SHAPE, ga_reshape(a, (0, -1)), "");
    FAILS(GA_BAD_SHAPE, ga_reshape(a, ((int64_t)1 << 62, 4, 4)), "(4, 6)");
    FAILS(GA_BAD_SHAPE, ga_reshape(a, ((int64_t)1 << 32, (int64_t)1 << 32, 24)), "(4, 6)"); /* 2^64 * 24 is 0 when it wraps */
    FAILS(GA_BAD_ARGUMENT, ga_transpose(a, .axes = ga_axes(0, 0)), "axis 0", "twice");
    FAILS(GA_BAD_ARGUMENT, ga_transpose(a, .axes = ga_axes(0)), "2");
    FAILS(GA_BAD_ARGUMENT, ga_transpose(a, .axes = ga_axes(0, 2)), "no axis 2", "2 dimensions");
    FAILS(GA_BAD_ARGUMENT, ga_transpose(a, .axes = ga_axes(0, 1, 2)), "no axis 2");
    FAILS(GA_BAD_ARGUMENT, ga_swapaxes(a, 0, 2), "no axis 2");
    FAILS(GA_BAD_ARGUMENT, ga_swapaxes(a, -3, 0), "no axis -3");
    FAILS(GA_BAD_ARGUMENT, ga_swapaxes(a, INT_MIN, 0), "no axis -2147483648");
    FAILS(GA_BAD_ARGUMENT, ga_swapaxes(a, INT_MAX, 0), "no axis 2147483647");
    FAILS(GA_BAD_ARGUMENT, ga_moveaxis(a, 0, 5), "no axis 5");
    FAILS(GA_BAD_ARGUMENT, ga_moveaxis(a, 5, 0), "no axis 5");
    FAILS(GA_BAD_SHAPE, ga_squeeze(a, .axis = 0), "axis 0", "(4, 6)", "length 4");
    FAILS(GA_BAD_ARGUMENT, ga_squeeze(a, .axis = 3), "no axis 3");
    FAILS(GA_BAD_ARGUMENT, ga_expand_dims(a, 4), "axis 4", "3 dimensions");
    FAILS(GA_BAD_ARGUMENT, ga_expand_dims(a, -4), "axis -4");
    FAILS(GA_BAD_SHAPE, ga_broadcast_to(a, (4, 7)), "(4, 6)", "(4, 7)");
    FAILS(GA_BAD_SHAPE, ga_broadcast_to(a, (6)), "(4, 6)", "(6,)");
    FAILS(GA_BAD_SHAPE, ga_broadcast_to(a, (-1, 4, 6)), "negative");
    FAILS(GA_BAD_SHAPE, ga_broadcast_to(zero_d, ((int64_t)1 << 40, (int64_t)1 << 40)), "counted");
    FAILS(GA_BAD_SHAPE, ga_diagonal(v, 0), "(5,)", "two axes");
    FAILS(GA_BAD_ARGUMENT, ga_flip(a, .axis = 2), "no axis 2");
    FAILS(GA_BAD_ARGUMENT, ga_flip(a, .axes = ga_axes(1, -1)), "twice");
    FAILS(GA_BAD_ARGUMENT, ga_flip(a, .axes = ga_axes((int64_t)1 << 40)), "no axis");
    FAILS(GA_BAD_SHAPE, ga_fliplr(v), "(5,)", "two axes");
    FAILS(GA_BAD_SHAPE, ga_flipud(zero_d), "0-d");
    FAILS(GA_BAD_SHAPE, ga_rot90(v, 1), "(5,)", "two axes");
    ga_array *eight = ga_zeros((1, 1, 1, 1, 1, 1, 1, 1));
    FAILS(GA_BAD_SHAPE, ga_expand_dims(eight, 0), "9 dimensions", "8");
    /* A view of 2^40 bools: no memory is needed, and none is found for a copy. */
    ga_array *yes = ga_scalar((bool)true), *many = ga_broadcast_to(yes, ((int64_t)1 << 48));
    CHECK(many != NULL && many->size == (int64_t)1 << 48 && many->strides[0] == 0);
    FAILS(GA_NO_MEMORY, ga_copy(many), "281474976710656");
    FAILS(GA_NO_MEMORY, ga_add(many, 1), "");
    ga_free(many);
    ga_free(yes);
    ga_free(eight);
    ga_free(t);
    ga_free(v);
    ga_free(zero_d);
    ga_free(a);
}

static void test_elementwise(void)
{
    ga_array *a = ga_zeros((2, 3)), *v = ga_zeros((4)), *u8 = ga_zeros((3), .dtype = GA_U8), *i = ga_ones((3), .dtype = GA_I32);
    ga_array *c = ga_zeros((3), .dtype = GA_C64), *b = ga_zeros((3), .dtype = GA_BOOL), *f = ga_zeros((2, 3), .dtype = GA_F32);
    FAILS(GA_BAD_SHAPE, ga_add(a, v), "(2, 3)", "(4,)", "broadcast");
    FAILS(GA_BAD_SHAPE, ga_multiply_add(a, 1, v), "(2, 3)", "(4,)", "broadcast");
    FAILS(GA_BAD_SHAPE, ga_multiply_add(1, a, v), "(2, 3)", "(4,)", "broadcast");
    FAILS(GA_BAD_SHAPE, ga_clip(a, v, 1), "(2, 3)", "(4,)");
    FAILS(GA_BAD_SHAPE, ga_where(a, v, 1), "(2, 3)", "(4,)");
    FAILS(GA_BAD_SHAPE, ga_where(a, 1, v), "(2, 3)", "(4,)");
    FAILS(GA_BAD_SHAPE, ga_isclose(a, v), "(2, 3)", "(4,)");
    FAILS(GA_BAD_SHAPE, ga_allclose(a, v), "(2, 3)", "(4,)");
    FAILS(GA_BAD_SHAPE, ga_sqrt(a, .where = v), "(2, 3)", "(4,)");
    CHECK(!ga_array_equal(a, v) && ga_error() == NULL); /* no error: they are just not equal */

    FAILS(GA_BAD_SHAPE, ga_add(a, 1, .out = v), ".out", "(4,)", "(2, 3)");
    FAILS(GA_BAD_SHAPE, ga_add(a, 1, .out = u8), ".out", "(3,)", "(2, 3)");
    FAILS(GA_BAD_SHAPE, ga_where(a, 1, 2, .out = v), ".out");
    FAILS(GA_BAD_DTYPE, ga_add(u8, 1.5, .out = u8), "float64", ".out", "uint8");
    FAILS(GA_BAD_DTYPE, ga_add(i, i, .out = u8), "int32", "uint8");
    FAILS(GA_BAD_DTYPE, ga_divide(i, i, .out = i), "float64", "int32");
    FAILS(GA_BAD_DTYPE, ga_add(c, 1, .out = i), "complex64", "int32");
    FAILS(GA_BAD_DTYPE, ga_sqrt(i, .out = i), "float64", "int32");
    ga_array *same_kind = ga_add(a, 1, .out = f); /* float64 into float32 is the same kind */
    CHECK(same_kind == f);
    ga_array *one = ga_ones((1)), *wide = ga_broadcast_to(one, (3));
    FAILS(GA_BAD_ARGUMENT, ga_add(i, 1.0, .out = wide), "repeats", "ga_broadcast_to");
    FAILS(GA_BAD_ARGUMENT, ga_copyto(wide, 1), "repeats");
    ga_free(wide);
    ga_free(one);

    FAILS(GA_BAD_ARGUMENT, ga_add(u8, 300), "300", "uint8", "ga_astype");
    FAILS(GA_BAD_ARGUMENT, ga_add(u8, -1), "-1", "uint8");
    FAILS(GA_BAD_ARGUMENT, ga_add(-1, u8), "-1", "uint8");
    FAILS(GA_BAD_ARGUMENT, ga_multiply(i, (int64_t)1 << 40), "1099511627776", "int32");
    FAILS(GA_BAD_ARGUMENT, ga_where(b, u8, 256), "256", "uint8");
    FAILS(GA_BAD_ARGUMENT, ga_clip(u8, 256, 300), "256", "uint8");
    ga_scope {
        CHECK(ga_array_equal(ga_clip(u8, -5, 256), u8)); /* bounds that do not bind */
    }
    CHECK_IS(ga_less(u8, 300), GA_BOOL, (3), 1, 1, 1); /* a comparison is right whatever the number */
    CHECK_IS(ga_greater(u8, -5), GA_BOOL, (3), 1, 1, 1);

    FAILS(GA_BAD_DTYPE, ga_add(a, 1, .dtype = (ga_dtype)17), "17");
    FAILS(GA_BAD_DTYPE, ga_add(a, 1, .dtype = GA_I32), "float64", "int32");
    FAILS(GA_BAD_DTYPE, ga_where(b, 1, 2, .dtype = (ga_dtype)17), "17");
    FAILS(GA_BAD_DTYPE, ga_floor(c), "ga_floor", "complex64");
    FAILS(GA_BAD_DTYPE, ga_cbrt(c), "ga_cbrt", "complex64");
    FAILS(GA_BAD_DTYPE, ga_sinc(c), "ga_sinc", "complex64");
    FAILS(GA_BAD_DTYPE, ga_remainder(c, 2), "ga_remainder", "complex64");
    FAILS(GA_BAD_DTYPE, ga_bitwise_and(a, 1), "ga_bitwise_and", "float64");
    FAILS(GA_BAD_DTYPE, ga_left_shift(a, 1), "ga_left_shift", "float64");
    FAILS(GA_BAD_DTYPE, ga_invert(a), "ga_invert", "float64");
    FAILS(GA_BAD_DTYPE, ga_clip(c, 0, 1), "ga_clip", "complex64");
    FAILS(GA_BAD_DTYPE, ga_fmax(c, 1), "ga_fmax", "complex64");
    FAILS(GA_BAD_DTYPE, ga_hypot(c, 2), "ga_hypot", "complex64");
    FAILS(GA_BAD_DTYPE, ga_arctan2(c, 2), "ga_arctan2", "complex64");
    ga_array *minus = ga_full((3), -1, .dtype = GA_I32);
    FAILS(GA_BAD_ARGUMENT, ga_power(i, -1), "negative", "float");
    FAILS(GA_BAD_ARGUMENT, ga_power(i, minus), "negative", "float");
    FAILS(GA_BAD_ARGUMENT, ga_power(2, minus), "negative");
    ga_free(minus);

    FAILS(GA_BAD_ARGUMENT, ga_isclose(a, a, .rtol = -0.5), "tolerance");
    FAILS(GA_BAD_ARGUMENT, ga_allclose(a, a, .atol = -3), "tolerance");
    FAILS(GA_BAD_SHAPE, ga_copyto(a, v), "src", "(4,)", "(2, 3)");
    FAILS(GA_BAD_SHAPE, ga_copyto(v, a), "src", "(2, 3)", "(4,)");
    FAILS(GA_BAD_SHAPE, ga_copyto(a, 1, .where = v), ".where", "(4,)", "(2, 3)");
    FAILS(GA_BAD_DTYPE, ga_copyto(i, a), "float64", "int32", "ga_astype");
    FAILS(GA_BAD_DTYPE, ga_copyto(i, 1.5), "float64", "int32");
    FAILS(GA_BAD_DTYPE, ga_copyto(a, c), "complex64", "float64");
    FAILS(GA_BAD_ARGUMENT, ga_copyto(u8, 256), "256", "uint8");
    FAILS(GA_BAD_ARGUMENT, ga_copyto(u8, -1), "-1", "uint8");
    ga_free(f);
    ga_free(b);
    ga_free(c);
    ga_free(i);
    ga_free(u8);
    ga_free(v);
    ga_free(a);
}

static void write_bytes(const char *path, const char *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    CHECK(f && fwrite(bytes, 1, n, f) == n);
    if (f) fclose(f);
}

/* Is the error that an optional library is missing? Then the words must say what to install. */
static bool without_library(const char *call, bool nothing)
{
    bool missing = ga_error_status() == GA_NO_LIBRARY;
    if (missing) CHECK(nothing && strstr(ga_error(), "apt-get install") && strstr(ga_error(), "compile"));
    if (missing) test_skip(call, 1);
    ga_clear_error();
    return missing;
}

/* An archive whose entry x.npy has been deflated: a header, and then zeros. */
typedef struct packed_bits {
    unsigned char *to;
    size_t         n;
    unsigned       held;
    int            bits;
} packed_bits;

static void put_bits(packed_bits *p, unsigned value, int n, bool from_the_top)
{
    for (int i = 0; i < n; i++) {
        p->held |= (value >> (from_the_top ? n - 1 - i : i) & 1) << p->bits++;
        if (p->bits < 8) continue;
        p->to[p->n++] = (unsigned char)p->held;
        p->held       = 0;
        p->bits       = 0;
    }
}

static void put_numbers(FILE *f, const char *widths, ...) /* "24": two bytes, four bytes */
{
    va_list numbers;
    va_start(numbers, widths);
    for (; *widths; widths++) {
        unsigned v = va_arg(numbers, unsigned);
        for (int i = 0; i < *widths - '0'; i++) putc((int)(v >> 8 * i & 255), f);
    }
    va_end(numbers);
}

static void write_deflated(const char *path, const char *dictionary, unsigned zeros)
{
    enum { LENGTH = 128 };
    char                 text[LENGTH + 1];
    static unsigned char packed[1 << 20];
    packed_bits          p    = { packed, 0, 0, 0 };
    unsigned             runs = zeros / 258, size = LENGTH + 1 + 258 * runs;
    memset(text, ' ', LENGTH);
    memcpy(text, "\x93NUMPY\1\0\x76\0", 10);
    memcpy(text + 10, dictionary, strlen(dictionary));
    text[LENGTH - 1] = '\n';
    text[LENGTH]     = 0;               /* the first of the zeros */
    put_bits(&p, 1 | 1 << 1, 3, false); /* the last block, with the fixed codes */
    for (int i = 0; i < LENGTH + 1; i++) {
        unsigned c = (unsigned char)text[i];
        put_bits(&p, c < 144 ? 0x30 + c : 0x190 + c - 144, c < 144 ? 8 : 9, true);
    }
    for (unsigned i = 0; i < runs; i++) {
        put_bits(&p, 0xC5, 8, true); /* 258 bytes, */
        put_bits(&p, 0, 5, true);    /* from one byte before */
    }
    put_bits(&p, 0, 7 + 8, true); /* the end */
    FILE *f = fopen(path, "wb");
    CHECK(f != NULL);
    if (!f) return;
    fputs("PK\3\4", f);
    put_numbers(f, "2222244422", 20u, 0u, 8u, 0u, 33u, 0u, (unsigned)p.n, size, 5u, 0u);
    fputs("x.npy", f);
    fwrite(packed, 1, p.n, f);
    unsigned at = (unsigned)ftell(f);
    fputs("PK\1\2", f);
    put_numbers(f, "2222224442222244", 20u, 20u, 0u, 8u, 0u, 33u, 0u, (unsigned)p.n, size, 5u, 0u, 0u, 0u, 0u, 0u, 0u);
    fputs("x.npy", f);
    unsigned end = (unsigned)ftell(f);
    fputs("PK\5\6", f);
    put_numbers(f, "2222442", 0u, 0u, 1u, 1u, end - at, at, 0u);
    CHECK(fclose(f) == 0);
}

/* Where a process may use fewer addresses than the file has bytes: the sentence says so. */
static bool fails_to_map(const char *file)
{
    const pid_t child = fork();
    if (child == 0) {
        const struct rlimit most = { (rlim_t)8 << 30, (rlim_t)8 << 30 };
        const bool          said = setrlimit(RLIMIT_AS, &most) == 0 && !ga_load(file, .mmap = true);
        const bool          right =
            ga_error_status() == GA_NO_MEMORY && strstr(ga_error(), "17179869312 bytes are more addresses than the "
                                                                    "process may use (ulimit -v)");
        if (said && !right) printf("     it says: %s\n", ga_error());
        fflush(stdout);
        _exit(!(said && right));
    }
    int status = 1;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

/* What is asked for is clear from the name, and what cannot be from the first bytes: before any work. */
static void test_names_and_starts(void)
{
    ga_array       *a         = ga_ones((2, 3));
    const ga_array *arrays[1] = { a };
    FAILS(GA_BAD_ARGUMENT, ga_imshow("/tmp/x.jpg", a),
          "'/tmp/x.jpg' ends in .jpg, and what is written is PNG: let the name end in .png");
    FAILS(GA_BAD_ARGUMENT, ga_imsave("/tmp/x.TIFF", a), "ends in .TIFF", "PNG");
    FAILS(GA_BAD_ARGUMENT, ga_save("/tmp/x.png", a), "ends in .png", ".npy");
    FAILS(GA_BAD_ARGUMENT, ga_save("/tmp/x.npz", a), "ends in .npz", ".npy");
    FAILS(GA_BAD_ARGUMENT, ga_savez("/tmp/x.npy", 1, NULL, arrays), "ends in .npy", ".npz");
    CHECK(access("/tmp/x.jpg", F_OK) != 0 && access("/tmp/x.TIFF", F_OK) != 0 && access("/tmp/x.npz", F_OK) != 0);
    const char *here = "/tmp/gpuarr_errors.tmp";
    write_deflated(here, "{'descr': '|O', 'fortran_order': False, 'shape': (10,), }", 100u << 20);
    ga_memory_reset_peak();
    int64_t before = ga_memory_stats().peak_bytes;
    FAILS(GA_BAD_DTYPE, ga_load_from(here, "x"), "Python objects");
    CHECK(ga_memory_stats().peak_bytes - before < 1 << 20);
    write_deflated(here, "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000,), }", 100u << 20);
    FAILS(GA_BAD_FILE, ga_load_from(here, "x"), "claims (1000000000,) of float64, but only");
    CHECK(ga_memory_stats().peak_bytes - before < 1 << 20);
    remove(here);
    CHECK(mkfifo(here, 0600) == 0); /* nobody will ever write to it */
    FAILS(GA_NO_FILE, ga_load(here), "no regular file: copy what it gives to one");
    remove(here);
    char from[1000];
    if (!without_library("devices as FITS", !ga_fits_read("/dev/zero"))) {
        FAILS(GA_NO_FILE, ga_fits_read("/dev/zero"), "'/dev/zero': that is no regular file");
        FAILS(GA_NO_FILE, ga_fits_read("/dev/urandom"), "no regular file");
        FAILS(GA_NO_FILE, ga_fits_write("/dev/null", a), "no regular file");
        FAILS(GA_BAD_ARGUMENT, ga_fits_write("/tmp/x.png", a), "ends in .png");
        FAILS(GA_BAD_ARGUMENT, ga_fits_write("/tmp/x.fits.gz", a), "ends in .gz");
        CHECK(getcwd(from, sizeof from) && chdir("/tmp") == 0);
        static const char *const names[] = { "  gpuarr_blank.fits", "~gpuarr_tilde.fits" };
        for (int k = 0; k < 2; k++) {
            CHECK(ga_fits_write(names[k], a) && access(names[k], F_OK) == 0);
            CHECK(ga_fits_write(names[k], a, .append = true));
            ga_array *b = ga_fits_read(names[k], .hdu = 2);
            CHECK(b && ga_array_equal(a, b));
            ga_free(b);
            CHECK(remove(names[k]) == 0);
        }
        CHECK(chdir(from) == 0);
    }
    ga_free(a);
}

static void test_files(void)
{
    ga_array *a = ga_ones((2, 3)), *c = ga_ones((2, 3), .dtype = GA_C64), *e = ga_zeros((0, 3)), *v = ga_ones((3)),
             *five     = ga_ones((2, 2, 5));
    ga_array   *zero_d = ga_scalar(1.0);
    const char *here = "/tmp/gpuarr_errors.tmp", *nowhere = "/no such folder/a.png";
    FAILS(GA_NO_FILE, ga_load("/no such folder/a.npy"), "/no such folder/a.npy", "No such file");
    FAILS(GA_NO_FILE, ga_save("/no such folder/a.npy", a), "/no such folder/a.npy", "No such file");
    FAILS(GA_BAD_ARGUMENT, ga_load(NULL), "NULL");
    FAILS(GA_BAD_ARGUMENT, ga_save(NULL, a), "NULL");
    allowed = GA_BAD_FILE;
    FAILS(GA_NO_FILE, ga_load("/tmp"), "/tmp");
    allowed = GA_BAD_FILE;
    FAILS(GA_NO_FILE, ga_save("/tmp", a), "/tmp");
    FAILS(GA_NO_FILE, ga_load_from("/no such folder/a.npz", "a"), "/no such folder/a.npz");
    /* A long path is shortened in its middle, between characters: what follows says why. */
    for (int odd = 0; odd < 2; odd++) {
        char path[3000];
        strcpy(path, odd ? "/no such folder/x" : "/no such folder/");
        for (size_t n = strlen(path); n < 2900; n += 2) memcpy(path + n, n % 200 < 2 ? "./" : "\xc3\xa9", 3);
        strcat(path, "last name");
        FAILS(GA_NO_FILE, ga_load(path), "'/no such folder/", " ... ", "last name': No such file or directory");
        FAILS(GA_NO_FILE, ga_save(path, a), "'/no such folder/", " ... ", "last name': No such file or directory");
        CHECK(ga_load(path) == NULL && strlen(ga_error()) > 900 && strlen(ga_error()) < 1024);
        for (const unsigned char *p = (const unsigned char *)ga_error(); *p; p++)
            if (*p >= 0x80) CHECK(p[0] == 0xc3 && p[1] == 0xa9), p++;
        ga_clear_error();
    }
    FAILS(GA_NO_FILE, ga_load(""), "");
    if (access("/dev/full", W_OK) == 0) {
        ga_array *large = ga_zeros((100000));
        FAILS(GA_NO_FILE, ga_save("/dev/full", large), "/dev/full", "No space");
        ga_free(large);
    } else {
        test_skip("no /dev/full", 1);
    }

    write_bytes(here, "not an array", 12);
    FAILS(GA_BAD_FILE, ga_load(here), here, "NUMPY");
    FAILS(GA_BAD_FILE, ga_load_from(here, "a"), here, "npz");
    write_bytes(here, "", 0);
    FAILS(GA_BAD_FILE, ga_load(here), here);
    FAILS(GA_BAD_FILE, ga_load_from(here, NULL), here);
#define NPY(dict) "\x93NUMPY\x01\x00\x76\x00" dict
    char header[256];
    memset(header, ' ', sizeof header);
#define WRITE_NPY(dict)                                                                                                        \
    (memset(header, ' ', sizeof header), memcpy(header, NPY(dict), sizeof NPY(dict) - 1), header[127] = '\n',                  \
     write_bytes(here, header, 128 + 48))
    WRITE_NPY("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }");
    ga_array *read = ga_load(here);
    CHECK(read && read->ndim == 2 && read->dtype == GA_F64);
    ga_free(read);
    WRITE_NPY("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 4), }");
    FAILS(GA_BAD_FILE, ga_load(here), here, "(2, 4)", "48 bytes");
    WRITE_NPY("{'descr': '<f16', 'fortran_order': False, 'shape': (2, 3), }");
    FAILS(GA_BAD_DTYPE, ga_load(here), here, "long double", "float64");
    WRITE_NPY("{'descr': '|O', 'fortran_order': False, 'shape': (2, 3), }");
    FAILS(GA_BAD_DTYPE, ga_load(here), "objects");
    WRITE_NPY("{'descr': '<U3', 'fortran_order': False, 'shape': (2, 3), }");
    FAILS(GA_BAD_DTYPE, ga_load(here), "strings");
    WRITE_NPY("{'descr': '<M8[s]', 'fortran_order': False, 'shape': (2, 3), }");
    FAILS(GA_BAD_DTYPE, ga_load(here), "dates");
    WRITE_NPY("{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (2,), }");
    FAILS(GA_BAD_DTYPE, ga_load(here), "structured ([('x', '<f8')]): save each field as an array");
    WRITE_NPY("{'descr': '<u1', 'fortran_order': False, 'shape': (17179869184,), }");
    CHECK(truncate(here, (17179869184 + 128)) == 0); /* a hole */
    if (TEST_ASAN || TEST_TSAN || test_on_gpu()) test_skip("a limit of addresses: this build needs terabytes", 1);
    else CHECK(fails_to_map(here));
    CHECK(truncate(here, 128) == 0);
    WRITE_NPY("{'descr': '<f8', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1), }");
    FAILS(GA_BAD_SHAPE, ga_load(here), "8 dimensions", "GPUARR_MAX_DIMS");
    WRITE_NPY("{'descr': '<f8', 'fortran_order': False, 'shape': (9999999999999, 9999999999999), }");
    FAILS(GA_BAD_FILE, ga_load(here), "9999999999999");
    WRITE_NPY("{'descr': '<f8', 'fortran_order': False, 'shape': (-2, 3), }");
    FAILS(GA_BAD_FILE, ga_load(here), "(-2, 3)");
    WRITE_NPY("{'descr': '<f8', 'fortran_order': False, }");
    FAILS(GA_BAD_FILE, ga_load(here), "shape");
    WRITE_NPY("{'descr': '<f8', 'fortran_order': Maybe, 'shape': (2,), }");
    FAILS(GA_BAD_FILE, ga_load(here), "Maybe");
    WRITE_NPY("{}");
    FAILS(GA_BAD_FILE, ga_load(here), "descr");
    header[6] = 9;
    write_bytes(here, header, 200);
    FAILS(GA_BAD_FILE, ga_load(here), "version 9");
    header[6] = 1;
    write_bytes(here, header, 60);
    FAILS(GA_BAD_FILE, ga_load(here), "cut short");

    const char     *names[2] = { "x", "y" }, *twice[2] = { "x", "x" };
    const ga_array *arrays[2] = { a, v }, *one_null[2] = { a, NULL };
    CHECK(ga_savez(here, 2, names, arrays));
    FAILS(GA_BAD_ARGUMENT, ga_load_from(here, "z"), "'z'", "x", "y");
    FAILS(GA_BAD_FILE, ga_load(here), "ga_load_from");
    FAILS(GA_BAD_ARGUMENT, ga_savez(here, 2, twice, arrays), "same name", "'x'");
    FAILS(GA_BAD_ARGUMENT, ga_savez(here, 2, names, one_null), "NULL");
    FAILS(GA_BAD_ARGUMENT, ga_savez(here, -1, names, arrays), "negative");
    FAILS(GA_BAD_ARGUMENT, ga_savez(here, 2, names, NULL), "NULL");
    FAILS(GA_NO_FILE, ga_savez("/no such folder/a.npz", 2, names, arrays), "/no such folder/a.npz");
    remove(here);

    /* Pictures. */
    bool saved = ga_imsave(here, a);
    if (!without_library("ga_imsave without stb_image_write.h", !saved)) {
        FAILS(GA_NO_FILE, ga_imsave(nowhere, a), nowhere, "No such file");
        FAILS(GA_NO_FILE, ga_imshow(nowhere, a), nowhere, "No such file");
    }
    FAILS(GA_BAD_ARGUMENT, ga_imsave(NULL, a), "NULL");
    FAILS(GA_BAD_SHAPE, ga_imsave(here, v), "(3,)", "(rows, columns)");
    FAILS(GA_BAD_SHAPE, ga_imsave(here, five), "(2, 2, 5)");
    FAILS(GA_BAD_SHAPE, ga_imsave(here, e), "(0, 3)", "no pixels");
    FAILS(GA_BAD_DTYPE, ga_imsave(here, c), "complex64", "ga_absolute");
    FAILS(GA_BAD_ARGUMENT, ga_imshow(NULL, a), "NULL");
    FAILS(GA_BAD_SHAPE, ga_imshow(here, v), "(3,)", "2-D");
    FAILS(GA_BAD_SHAPE, ga_render(five), "(2, 2, 5)");
    FAILS(GA_BAD_SHAPE, ga_render(e), "no pixels");
    FAILS(GA_BAD_DTYPE, ga_render(c), "complex64");
    FAILS(GA_BAD_ARGUMENT, ga_render(a, .cmap = "rainbow"), "rainbow", "viridis", "inferno");
    FAILS(GA_BAD_ARGUMENT, ga_render(a, .scale = -1), "-1");
    FAILS(GA_BAD_ARGUMENT, ga_render(a, .vmin = NAN, .vmax = 1), "nan", "finite");
    FAILS(GA_BAD_ARGUMENT, ga_render(a, .vmin = 0, .vmax = INFINITY), "inf");
    FAILS(GA_BAD_ARGUMENT, ga_render(a, .log = true, .vmin = -1, .vmax = 1), "positive");
    FAILS(GA_BAD_ARGUMENT, ga_render(a, .scale = 1 << 30), "");
    remove(here);

    /* FITS. */
    bool written = ga_fits_write(here, a);
    if (without_library("FITS without CFITSIO", !written)) {
        FAILS(GA_NO_LIBRARY, ga_fits_read(here), "CFITSIO", "libcfitsio-dev", "GPUARR_USE_CFITSIO");
        FAILS(GA_NO_LIBRARY, ga_fits_write(here, a), "CFITSIO", "libcfitsio-dev");
    } else {
        CHECK(written);
        ga_array *none = NULL;
        FAILS(GA_NO_FILE, ga_fits_read("/no such folder/a.fits"), "/no such folder/a.fits", "No such file");
        FAILS(GA_NO_FILE, ga_fits_write("/no such folder/a.fits", a), "/no such folder/a.fits");
        FAILS(GA_BAD_ARGUMENT, ga_fits_read(NULL), "NULL");
        FAILS(GA_BAD_ARGUMENT, ga_fits_read(here, .hdu = -1), "-1");
        FAILS(GA_BAD_ARGUMENT, ga_fits_read(here, .hdu = 1, .name = "x"), "one of them");
        FAILS(GA_BAD_ARGUMENT, ga_fits_read(here, .hdu = 7), "7");
        FAILS(GA_BAD_ARGUMENT, ga_fits_read(here, .name = "NOTHERE"), "NOTHERE");
        FAILS(GA_BAD_ARGUMENT, ga_fits_write(here, none), "NULL");
        FAILS(GA_BAD_ARGUMENT, ga_fits_write(NULL, a), "NULL");
        FAILS(GA_BAD_DTYPE, ga_fits_write(here, c), "complex64");
        FAILS(GA_BAD_SHAPE, ga_fits_write(here, zero_d), "0-d");
        ga_array *i64 = ga_ones((3), .dtype = GA_I64);
        FAILS(GA_BAD_DTYPE, ga_fits_write(here, i64, .compress = true), "int64");
        ga_free(i64);
        static const char *const groups[] = { "SIMPLE  = T", "BITPIX  = 8", "NAXIS   = 2", "NAXIS1  = 0", "NAXIS2  = 3",
                                              "GROUPS  = T", "PCOUNT  = 1", "GCOUNT  = 2", "END" };
        char                     file[2 * 2880];
        memset(file, ' ', sizeof file);
        for (size_t k = 0; k < sizeof groups / sizeof *groups; k++) memcpy(file + 80 * k, groups[k], strlen(groups[k]));
        write_bytes(here, file, sizeof file);
        FAILS(GA_BAD_FILE, ga_fits_read(here), "only tables or random groups");
        FAILS(GA_BAD_FILE, ga_fits_read(here, .hdu = 1), "HDU 1 holds no image", "random groups");
        memcpy(file + 400, "GROUPS  = F", 11);
        write_bytes(here, file, sizeof file);
        ga_array *empty = ga_fits_read(here);
        CHECK(empty && empty->shape[0] == 3 && empty->shape[1] == 0);
        ga_free(empty);
        write_bytes(here, "no fits", 7);
        FAILS(GA_BAD_FILE, ga_fits_read(here), here);
        FAILS(GA_BAD_FILE, ga_fits_write(here, a, .append = true), here);
    }
    remove(here);

    FAILS(GA_BAD_ARGUMENT, ga_to_string(a, .precision = -1), "-1");
    FAILS(GA_BAD_ARGUMENT, ga_to_string(a, .edgeitems = -1), "-1");
    FAILS_AS(GA_BAD_ARGUMENT, (ga_print(a, .linewidth = -1), true), "ga_print(a, .linewidth = -1)", "-1");
    FAILS_AS(GA_BAD_ARGUMENT, ga_benchmark(NULL, NULL).repeats == 0, "ga_benchmark(NULL, NULL)", "NULL");
    ga_free(zero_d);
    ga_free(five);
    ga_free(v);
    ga_free(e);
    ga_free(c);
    ga_free(a);
}

/* An option may be asked for by the text of the call: what looks like one and is none must not count, and the reverse. */
struct settings {
    int axis;
};
static void test_option_text(void)
{
    ga_array       *a = ga_ones((2, 3)), *b = ga_ones((2, 3));
    struct settings s = { 0 };
    CHECK_IS(ga_sum(a, .axis = 0), GA_F64, (3), 2, 2, 2);
    CHECK_IS(ga_sum(a, .axis = 0), GA_F64, (3), 2, 2, 2);
    CHECK_IS(ga_sum(a, .axis = 0), GA_F64, (3), 2, 2, 2);
    CHECK_IS(ga_sum(a, .axis = s.axis), GA_F64, (3), 2, 2, 2);
    CHECK_SCALAR(ga_sum(a), GA_F64, 6);
    CHECK_SCALAR(ga_sum(s.axis == 0 ? a : b), GA_F64, 6); /* ".axis =" is here no option */
    CHECK_SCALAR(ga_sum(ga_sum(a, .axis = 0)), GA_F64, 6);
#define ALONG_ROWS .axis = 0
    CHECK_IS(ga_sum(a, ALONG_ROWS), GA_F64, (3), 2, 2, 2); /* an option from a macro */
#ifdef __cplusplus
    ga_array *r = ga_roll(b, 1'0'0, .axis = 0); /* a digit separator is no quotation mark */
    CHECK(r && r->ndim == 2);
    ga_free(r);
#endif
    ga_free(a);
    ga_free(b);
}

int main(void)
{
    ga_set_error_handler(ga_ignore_error, NULL);
    test_begin();
    ga_scope { /* releases what a failing outer call leaves behind */
        test_rules();
        ga_free(NULL);
        test_null_and_freed();
        test_creation();
        test_views();
        test_elementwise();
        test_files();
        test_names_and_starts();
        test_option_text();
    }
    CHECK(ga_report_leaks(stdout) == 0);
    return test_end();
}
