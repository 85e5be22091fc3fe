/*  chunked_ops.c -- operations on chunked arrays that are not elementwise: products, distances, neighbourhoods, orders, running sums.
    What they give has the bits of the same calls on arrays in memory, whatever the chunks.                              */
#define GPUARR_KERNELS
#include "chunked.h"

GA_STENCIL(spread, (1, 1), double, (double a),
           GA_AT(0, 0) + a * (GA_AT(-1, 0) + GA_AT(1, 0) + GA_AT(0, -1) + GA_AT(0, 1) - 4 * GA_AT(0, 0)))
GA_STENCIL(far, (3), double, (void), GA_AT(-3) + 2 * GA_AT(1) - GA_AT(3))

typedef struct spot {
    double at, value;
} spot;
GA_REDUCTION(dot_of, double, (double x, double y), double, 0, x *y, a + b, a)
GA_REDUCTION(scaled, float, (float x, double y), double, 1, x *y + (double)GA_INDEX, a + 2 * b, (float)(a + (double)n))
GA_REDUCTION(steepest, double, (double x), spot, ((spot){ -1, -1e300 }), ((spot){ (double)GA_INDEX, x }),
             b.value > a.value || (b.value == a.value && b.at < a.at) ? b : a, a.at)
GA_ELEMENTWISE(numbered, double, (double x), x + (double)GA_INDEX)
GA_ELEMENTWISE(polar, void, (double x, double y, double *r, double *phi), {
    *r   = GA_HYPOT(x, y);
    *phi = GA_ARCTAN2(y, x);
})

static const ga_shape every_chunk[] = { { 2, { 7, 9 } }, { 2, { 64, 10 } }, { 2, { 1, -1 } }, { 2, { -1, 5 } }, { 0, { 0 } } };
enum { CHUNKS = sizeof every_chunk / sizeof *every_chunk };

static void products(ga_shape chunks)
{
    ga_scope {
        ga_array *a = ga_random((61, 83), .seed = 1), *b = ga_random((83, 40), .seed = 2, .dtype = GA_F32),
                 *row = ga_index(a, "3"), *column = ga_index(b, ":, 2");
        ga_array *x = ga_subtract((ga_chunked)(a, chunks, "\ttest"), 0.5), *y = ga_add((ga_chunked)(b, chunks, "\ttest"), 1),
                 *c = ga_subtract(a, 0.5), *d = ga_add(b, 1);
        SAME(ga_matmul(x, y), ga_matmul(c, d));
        SAME(ga_matmul(x, d), ga_matmul(c, d));
        SAME(ga_matmul(c, y), ga_matmul(c, d));
        SAME(ga_matmul(ga_transpose(y), ga_transpose(x)), ga_matmul(ga_transpose(d), ga_transpose(c)));
        SAME(ga_matmul(x, column), ga_matmul(c, column));
        SAME(ga_matmul(row, y), ga_matmul(row, d));
        SAME(ga_index(ga_matmul(x, y), "50:2:-7, ::3"), ga_index(ga_matmul(c, d), "50:2:-7, ::3"));
        SAME(ga_add(ga_matmul(x, y), ga_sum(y, .axis = 0)), ga_add(ga_matmul(c, d), ga_sum(d, .axis = 0)));
        SAME(ga_sum(ga_matmul(x, y)), ga_sum(ga_matmul(c, d)));
        SAME(ga_mean(ga_matmul(x, y), .axis = 0), ga_mean(ga_matmul(c, d), .axis = 0));
        SAME(ga_dot(x, y), ga_dot(c, d));
        SAME(ga_dot(x, ga_scalar(2.0)), ga_dot(c, ga_scalar(2.0)));
        SAME(ga_dot(ga_index(x, "5"), ga_index(y, ":, 3")), ga_dot(ga_index(c, "5"), ga_index(d, ":, 3")));
        SAME(ga_inner(x, x), ga_inner(c, c));
        SAME(ga_outer(ga_index(x, "5"), row), ga_outer(ga_index(c, "5"), row));
        SAME(ga_vdot(x, a), ga_vdot(c, a));
        SAME(ga_tensordot(x, y, 1), ga_tensordot(c, d, 1));
        SAME(ga_tensordot(x, a, 2), ga_tensordot(c, a, 2));
        SAME(ga_einsum("ij,jk->ki", (x, y)), ga_einsum("ij,jk->ki", (c, d)));
        SAME(ga_einsum("ij,ij->i", (x, a)), ga_einsum("ij,ij->i", (c, a)));
        SAME(ga_einsum("ij,jk,k->i", (x, y, ga_index(y, "0"))), ga_einsum("ij,jk,k->i", (c, d, ga_index(d, "0"))));
        SAME(ga_einsum("ij->j", (x)), ga_einsum("ij->j", (c)));
        ga_array *stacked = ga_stack((x, ga_multiply(x, 2))), *in_memory = ga_stack((c, ga_multiply(c, 2)));
        SAME(ga_matmul(stacked, y), ga_matmul(in_memory, d));
        SAME(ga_matmul(x, ga_transpose(stacked, .axes = ga_axes(0, 2, 1))),
             ga_matmul(c, ga_transpose(in_memory, .axes = ga_axes(0, 2, 1))));
        CHECK_FAILS(ga_matmul(x, x), "do not fit");
        CHECK_FAILS(ga_matmul(x, y, .out = d), ".out");
        CHECK_FAILS(ga_matmul(a, b, .out = x), "chunked");
        const ga_metric metrics[] = { GA_EUCLIDEAN, GA_CITYBLOCK, GA_COSINE };
        for (int k = 0; k < 3; k++) {
            SAME(ga_cdist(x, ga_index(x, "::2"), .metric = metrics[k]), ga_cdist(c, ga_index(c, "::2"), .metric = metrics[k]));
            SAME(ga_cdist(c, x, .metric = metrics[k]), ga_cdist(c, c, .metric = metrics[k]));
            SAME(ga_pdist(x, .metric = metrics[k]), ga_pdist(c, .metric = metrics[k]));
            SAME(ga_index(ga_pdist(x, .metric = metrics[k]), "100:900:7"),
                 ga_index(ga_pdist(c, .metric = metrics[k]), "100:900:7"));
        }
        SAME(ga_min(ga_cdist(y, ga_index(y, ":9")), .axis = 1), ga_min(ga_cdist(d, ga_index(d, ":9")), .axis = 1));
        SAME(ga_pdist(ga_index(x, ":2")), ga_pdist(ga_index(c, ":2")));
        SAME(ga_pdist(ga_index(x, ":1")), ga_pdist(ga_index(c, ":1")));
        CHECK_FAILS(ga_cdist(x, y), "as many features");
    }
}

static void convolved(ga_shape chunks)
{
    ga_scope {
        ga_array *a = ga_random((61, 83), .seed = 1), *x = ga_add((ga_chunked)(a, chunks, "\ttest"), 1), *m = ga_add(a, 1),
                 *v = ga_random((5, 4), .seed = 3), *line = ga_random((7), .seed = 4);
        ga_array *whole = ga_astype(ga_multiply(a, 200), GA_I32),
                 *xi = ga_astype(ga_multiply((ga_chunked)(a, chunks, "\ttest"), 200), GA_I32), *outer = ga_outer(line, line);
        const ga_mode modes[] = { GA_FULL, GA_SAME, GA_VALID };
        for (int k = 0; k < 3; k++) {
            SAME(ga_convolve(x, v, .mode = modes[k]), ga_convolve(m, v, .mode = modes[k]));
            SAME(ga_correlate(x, v, .mode = modes[k]), ga_correlate(m, v, .mode = modes[k]));
            SAME(ga_convolve(x, outer, .mode = modes[k]), ga_convolve(m, outer, .mode = modes[k], .method = GA_METHOD_AUTO));
            SAME(ga_convolve(ga_index(x, "3"), line, .mode = modes[k]), ga_convolve(ga_index(m, "3"), line, .mode = modes[k]));
            SAME(ga_correlate(ga_ravel(x), line, .mode = modes[k]), ga_correlate(ga_ravel(m), line, .mode = modes[k]));
            for (int b = GA_BOUNDARY_FILL; b <= GA_BOUNDARY_SYMM; b++) {
                SAME(ga_convolve2d(x, v, .mode = modes[k], .boundary = (ga_boundary)b),
                     ga_convolve2d(m, v, .mode = modes[k], .boundary = (ga_boundary)b));
                SAME(ga_correlate2d(x, v, .mode = modes[k], .boundary = (ga_boundary)b, .fillvalue = 2),
                     ga_correlate2d(m, v, .mode = modes[k], .boundary = (ga_boundary)b, .fillvalue = 2));
            }
        }
        ga_array *wide = ga_random((1, 150), .seed = 8);
        for (int b = GA_BORDER_REFLECT; b <= GA_BORDER_WRAP; b++) {
            ga_border border = (ga_border)b;
            SAME(ga_ndconvolve(x, v, .border = border, .cval = 3), ga_ndconvolve(m, v, .border = border, .cval = 3));
            SAME(ga_ndcorrelate(x, v, .border = border, .origin = ga_axes(1, -2)),
                 ga_ndcorrelate(m, v, .border = border, .origin = ga_axes(1, -2)));
            SAME(ga_ndconvolve(x, outer, .border = border, .cval = 3), ga_ndconvolve(m, outer, .border = border, .cval = 3));
            SAME(ga_ndconvolve(x, wide, .border = border, .cval = 3), ga_ndconvolve(m, wide, .border = border, .cval = 3));
            SAME(ga_ndconvolve(xi, v, .border = border), ga_ndconvolve(whole, v, .border = border));
            SAME(ga_convolve1d(x, line, .axis = 0, .border = border), ga_convolve1d(m, line, .axis = 0, .border = border));
            SAME(ga_correlate1d(x, line, .border = border), ga_correlate1d(m, line, .border = border));
            SAME(ga_gaussian_filter(x, 1.5, .border = border, .cval = 3),
                 ga_gaussian_filter(m, 1.5, .border = border, .cval = 3));
            SAME(ga_gaussian_filter(xi, 20, .border = border), ga_gaussian_filter(whole, 20, .border = border));
            SAME(ga_gaussian_filter(x, 1, .order = ga_axes(0, 1), .border = border),
                 ga_gaussian_filter(m, 1, .order = ga_axes(0, 1), .border = border));
            SAME(ga_gaussian_laplace(x, 1, .border = border), ga_gaussian_laplace(m, 1, .border = border));
            SAME(ga_gaussian_gradient_magnitude(x, 1, .border = border),
                 ga_gaussian_gradient_magnitude(m, 1, .border = border));
            SAME(ga_uniform_filter(x, 7, .border = border, .cval = 3), ga_uniform_filter(m, 7, .border = border, .cval = 3));
            SAME(ga_uniform_filter(xi, 0, .sizes = ga_axes(4, 9), .origin = ga_axes(-1, 2), .border = border),
                 ga_uniform_filter(whole, 0, .sizes = ga_axes(4, 9), .origin = ga_axes(-1, 2), .border = border));
            SAME(ga_sobel(x, .axis = 0, .border = border), ga_sobel(m, .axis = 0, .border = border));
            SAME(ga_prewitt(x, .border = border), ga_prewitt(m, .border = border));
            SAME(ga_laplace(x, .border = border), ga_laplace(m, .border = border));
            SAME(ga_median_filter(x, 3, .border = border, .cval = 3), ga_median_filter(m, 3, .border = border, .cval = 3));
            SAME(ga_median_filter(xi, 0, .sizes = ga_axes(12, 5), .origin = ga_axes(2, -2), .border = border),
                 ga_median_filter(whole, 0, .sizes = ga_axes(12, 5), .origin = ga_axes(2, -2), .border = border));
            SAME(ga_minimum_filter(x, 4, .border = border), ga_minimum_filter(m, 4, .border = border));
            SAME(ga_maximum_filter(x, 0, .footprint = ga_greater(v, 0.4), .border = border),
                 ga_maximum_filter(m, 0, .footprint = ga_greater(v, 0.4), .border = border));
            SAME(ga_percentile_filter(x, 30, 5, .border = border), ga_percentile_filter(m, 30, 5, .border = border));
            SAME(ga_rank_filter(x, -2, 3, .border = border), ga_rank_filter(m, -2, 3, .border = border));
            SAME(ga_stencil(spread, (x, 0.1), .border = border, .cval = 3),
                 ga_stencil(spread, (m, 0.1), .border = border, .cval = 3));
            SAME(ga_stencil(spread, (x, 0.1), .border = border, .steps = 13),
                 ga_stencil(spread, (m, 0.1), .border = border, .steps = 13));
            SAME(ga_stencil(spread, (x, 0.1), .border = border, .steps = 100),
                 ga_stencil(spread, (m, 0.1), .border = border, .steps = 100));
            SAME(ga_stencil(far, (ga_index(x, "2")), .border = border, .steps = 2),
                 ga_stencil(far, (ga_index(m, "2")), .border = border, .steps = 2));
        }
        SAME(ga_sum(ga_gaussian_filter(x, 2)), ga_sum(ga_gaussian_filter(m, 2)));
        SAME(ga_index(ga_gaussian_filter(x, 2), "::7, 60:3:-5"), ga_index(ga_gaussian_filter(m, 2), "::7, 60:3:-5"));
        SAME(ga_subtract(x, ga_median_filter(ga_gaussian_filter(x, 1), 3)),
             ga_subtract(m, ga_median_filter(ga_gaussian_filter(m, 1), 3)));
        CHECK_FAILS(ga_convolve(x, v, .method = GA_METHOD_FFT), "all of its elements at once");
        CHECK_FAILS(ga_convolve(ga_index(x, ":2, :2"), v), "smaller than v");
        CHECK_FAILS(ga_convolve(m, x), "v is chunked");
        CHECK_FAILS(ga_gaussian_filter(x, -1), "not negative");
        CHECK_FAILS(ga_gaussian_filter(x, 1, .out = m), ".out");
        CHECK_FAILS(ga_median_filter(x, 0), "the window has 0 elements");
        CHECK_FAILS(ga_stencil(far, (x)), "has a reach along 1 axis");
        CHECK_FAILS(ga_ndconvolve(x, line), "do not fit");
    }
}

static void ordered(ga_shape chunks)
{
    ga_scope {
        ga_array *a = ga_random((61, 83), .seed = 1), *x = ga_add((ga_chunked)(a, chunks, "\ttest"), 1), *m = ga_add(a, 1), *q;
        const double percent[3] = { 0, 33, 50 };
        q                       = ga_from(percent, (3));
        SAME(ga_sort(x), ga_sort(m));
        SAME(ga_sort(x, .axis = 0), ga_sort(m, .axis = 0));
        SAME(ga_sort(ga_ravel(x)), ga_sort(ga_ravel(m)));
        SAME(ga_argsort(x, .axis = -2), ga_argsort(m, .axis = -2));
        SAME(ga_argsort(x), ga_argsort(m));
        SAME(ga_partition(x, 40), ga_partition(m, 40));
        SAME(ga_partition(ga_zeros((3, 0), .chunks = ga_chunks(2, 1)), 5), ga_zeros((3, 0)));
        SAME(ga_argpartition(x, -7, .axis = 0), ga_argpartition(m, -7, .axis = 0));
        SAME(ga_index(ga_sort(x), ":, 10:20"), ga_index(ga_sort(m), ":, 10:20"));
        SAME(ga_cumsum(x), ga_cumsum(m));
        SAME(ga_cumsum(x, .axis = 0), ga_cumsum(m, .axis = 0));
        SAME(ga_cumsum(x, .axis = 1, .dtype = GA_F32), ga_cumsum(m, .axis = 1, .dtype = GA_F32));
        SAME(ga_cumprod(x, .axis = 1), ga_cumprod(m, .axis = 1));
        SAME(ga_add(ga_cumsum(x), 1), ga_add(ga_cumsum(m), 1));
        SAME(ga_median(x), ga_median(m));
        SAME(ga_median(x, .axis = 0), ga_median(m, .axis = 0));
        SAME(ga_median(x, .axis = 1, .keepdims = true), ga_median(m, .axis = 1, .keepdims = true));
        SAME(ga_nanmedian(x, .axes = ga_axes(0, 1)), ga_nanmedian(m, .axes = ga_axes(0, 1)));
        SAME(ga_subtract(x, ga_median(x, .axis = 0)), ga_subtract(m, ga_median(m, .axis = 0)));
        SAME(ga_percentile(x, 30), ga_percentile(m, 30));
        SAME(ga_percentile(x, 30, .axis = 0, .method = GA_HIGHER), ga_percentile(m, 30, .axis = 0, .method = GA_HIGHER));
        SAME(ga_percentile(x, q, .axis = 1), ga_percentile(m, q, .axis = 1));
        SAME(ga_nanpercentile(ga_astype(x, GA_F32), ga_astype(q, GA_F32)),
             ga_nanpercentile(ga_astype(m, GA_F32), ga_astype(q, GA_F32)));
        SAME(ga_norm(x), ga_norm(m));
        SAME(ga_norm(x, .axis = 0), ga_norm(m, .axis = 0));
        SAME(ga_norm(x, .ord = 1), ga_norm(m, .ord = 1));
        SAME(ga_norm(x, .ord = 3.5, .axis = 1, .keepdims = true), ga_norm(m, .ord = 3.5, .axis = 1, .keepdims = true));
        SAME(ga_norm(x, .ord = INFINITY), ga_norm(m, .ord = INFINITY));
        SAME(ga_clip(x, 1.2, 1.7), ga_clip(m, 1.2, 1.7));
        CHECK(ga_array_equal(x, m) && !ga_array_equal(x, ga_add(m, 1)) && ga_allclose(x, ga_add(m, 1e-9)) &&
              !ga_allclose(x, ga_add(x, 1e-3)));
        CHECK(!ga_array_equal(x, ga_index(m, "1:")) && ga_array_equal(x, x, .equal_nan = true));
        CHECK_FAILS(ga_sort(x, .axis = 2), "there is no axis 2");
        CHECK_FAILS(ga_cumsum(x, .axis = 2), "there is no axis 2");
        CHECK_FAILS(ga_median(x, .axis = 2), "there is no axis 2");
        CHECK_FAILS(ga_percentile(x, 101), "between 0 and 100");
        CHECK_FAILS(ga_sort(x, .out = m), ".out");
        CHECK_FAILS(ga_median(x, .out = m), ".out");
        SAME(ga_norm(x, .ord = -2), ga_norm(m, .ord = -2));
    }
}

static void rearranged(ga_shape chunks)
{
    ga_scope {
        ga_array *a = ga_random((61, 83), .seed = 1), *x = ga_add((ga_chunked)(a, chunks, "\ttest"), 1), *m = ga_add(a, 1), *xx,
                 *yy, *mm, *nn;
        SAME(ga_roll(x, 5), ga_roll(m, 5));
        SAME(ga_roll(x, -7, .axis = 0), ga_roll(m, -7, .axis = 0));
        SAME(ga_roll(x, 200, .axis = 1), ga_roll(m, 200, .axis = 1));
        SAME(ga_index(ga_roll(x, 30, .axis = 1), "::-2, 5:70:3"), ga_index(ga_roll(m, 30, .axis = 1), "::-2, 5:70:3"));
        SAME(ga_pad(x, (2, 3), .value = 7), ga_pad(m, (2, 3), .value = 7));
        SAME(ga_pad(ga_astype(x, GA_I32), (2), .value = 7), ga_pad(ga_astype(m, GA_I32), (2), .value = 7));
        for (int mode = GA_PAD_EDGE; mode <= GA_PAD_WRAP; mode++) {
            SAME(ga_pad(x, (2, 3), .mode = (ga_pad_mode)mode), ga_pad(m, (2, 3), .mode = (ga_pad_mode)mode));
            SAME(ga_pad(x, (0, 200), .mode = (ga_pad_mode)mode, .after = ga_axes(5, 0)),
                 ga_pad(m, (0, 200), .mode = (ga_pad_mode)mode, .after = ga_axes(5, 0)));
        }
        SAME(ga_tile(x, (2, 3)), ga_tile(m, (2, 3)));
        SAME(ga_tile(x, (2, 1, 2)), ga_tile(m, (2, 1, 2)));
        SAME(ga_tile(x, (0, 3)), ga_tile(m, (0, 3)));
        SAME(ga_repeat(x, 3), ga_repeat(m, 3));
        SAME(ga_repeat(x, 3, .axis = 0), ga_repeat(m, 3, .axis = 0));
        SAME(ga_repeat(x, 2, .axis = 1), ga_repeat(m, 2, .axis = 1));
        ga_array *lx = ga_index(x, "3"), *lm = ga_index(m, "3"), *column = ga_index(m, ":, 0");
        CHECK(ga_meshgrid(lx, ga_index(x, ":, 0"), &xx, &yy, false) && ga_meshgrid(lm, column, &mm, &nn, false));
        SAME(xx, mm);
        SAME(ga_hypot(xx, yy), ga_hypot(mm, nn));
        ga_array *px[4], *pm[4], *ux[61], *um[61];
        CHECK(ga_array_split(x, 4, px, .axis = 1) && ga_array_split(m, 4, pm, .axis = 1));
        for (int k = 0; k < 4; k++) SAME(px[k], pm[k]);
        SAME(ga_add(px[0], px[1]), ga_add(pm[0], pm[1]));
        CHECK(ga_split_at(x, 3, ((int64_t[]){ 5, -50 }), px) && ga_split_at(m, 3, ((int64_t[]){ 5, -50 }), pm));
        for (int k = 0; k < 3; k++) SAME(px[k], pm[k]);
        CHECK(ga_unstack(x, 61, ux) && ga_unstack(m, 61, um));
        SAME(ux[60], um[60]);
        CHECK_FAILS(ga_pad(x, (1, 2, 3)), "3 widths for 2 dimensions");
        CHECK_FAILS(ga_roll(x, 1, .axis = 3), "there is no axis 3");
    }
}

static void own(ga_shape chunks)
{
    ga_scope {
        ga_array *a = ga_random((61, 83), .seed = 1), *x = ga_add((ga_chunked)(a, chunks, "\ttest"), 1), *m = ga_add(a, 1),
                 *row = ga_index(a, "4");
        SAME(ga_reduce(dot_of, (x, a)), ga_reduce(dot_of, (m, a)));
        SAME(ga_reduce(dot_of, (x, row), .axis = 1), ga_reduce(dot_of, (m, row), .axis = 1));
        SAME(ga_reduce(dot_of, (x, ga_index(x, "0")), .axis = 0), ga_reduce(dot_of, (m, ga_index(m, "0")), .axis = 0));
        SAME(ga_reduce(scaled, (ga_astype(x, GA_F32), 2.5), .axis = 0, .keepdims = true),
             ga_reduce(scaled, (ga_astype(m, GA_F32), 2.5), .axis = 0, .keepdims = true));
        SAME(ga_reduce(steepest, (x)), ga_reduce(steepest, (m)));
        SAME(ga_reduce(steepest, (ga_transpose(x)), .axes = ga_axes(1, 0)),
             ga_reduce(steepest, (ga_transpose(m)), .axes = ga_axes(1, 0)));
        SAME(ga_subtract(x, ga_reduce(dot_of, (x, a), .axis = 0)), ga_subtract(m, ga_reduce(dot_of, (m, a), .axis = 0)));
        SAME(ga_reduce(scaled, (ga_astype(ga_index(x, "3:3"), GA_F32), 1)),
             ga_reduce(scaled, (ga_astype(ga_index(m, "3:3"), GA_F32), 1)));
        CHECK_FAILS(ga_reduce(dot_of, (x, a), .axis = 2), "there is no axis 2");
        CHECK_FAILS(ga_reduce(dot_of, (x, a), .out = m), ".out");
        CHECK_FAILS(ga_reduce(dot_of, (x)), "takes 2 operands");
        ga_array *outs[2] = { NULL }, *in_memory[2] = { NULL }, *results[2] = { NULL };
        CHECK(ga_apply(polar, (x, row), .outs = outs) && ga_apply(polar, (m, row), .outs = in_memory));
        const ga_array *of[2] = { outs[0], outs[1] };
        CHECK(ga_compute_n(2, of, results) && ga_array_equal(results[0], in_memory[0]) &&
              ga_array_equal(results[1], in_memory[1]));
        SAME(ga_multiply(outs[0], ga_cos(outs[1])), ga_multiply(in_memory[0], ga_cos(in_memory[1])));
        ga_array *masked[2] = { NULL }, *masked_in_memory[2] = { NULL };
        CHECK(ga_apply(polar, (x, row), .outs = masked, .where = ga_greater(x, 1.5)) &&
              ga_apply(polar, (m, row), .outs = masked_in_memory, .where = ga_greater(m, 1.5)));
        SAME(ga_add(masked[1], masked[0]), ga_add(masked_in_memory[1], masked_in_memory[0]));
    }
}

static void long_lines(void)
{
    ga_scope {
        ga_array *m = ga_random((2, 2500003), .seed = 5), *x = ga_chunked(m, 1, 100000), *row = ga_index(m, "1");
        SAME(ga_reduce(dot_of, (x, row)), ga_reduce(dot_of, (m, row)));
        SAME(ga_reduce(scaled, (ga_astype(x, GA_F32), 0.5), .axis = 1),
             ga_reduce(scaled, (ga_astype(m, GA_F32), 0.5), .axis = 1));
        SAME(ga_reduce(steepest, (x), .axis = 1), ga_reduce(steepest, (m), .axis = 1));
        SAME(ga_apply(numbered, (x)), ga_apply(numbered, (m)));
        SAME(ga_index(ga_apply(numbered, (x)), "1, 5::-2"), ga_index(ga_apply(numbered, (m)), "1, 5::-2"));
        SAME(ga_median(x), ga_median(m));
        SAME(ga_sort(ga_index(x, "0")), ga_sort(ga_index(m, "0")));
        SAME(ga_cumsum(ga_index(x, "0")), ga_cumsum(ga_index(m, "0")));
        SAME(ga_dot(ga_index(x, "0"), row), ga_dot(ga_index(m, "0"), row));
    }
}

/* ---- functions for chunks ---- */

static bool squared(ga_array *out, const ga_array *const *in, int n, const ga_block *where, void *user)
{
    (void)where, (void)user;
    return n == 1 && ga_square(in[0], .out = out) != NULL;
}

static bool weighted(ga_array *out, const ga_array *const *in, int n, const ga_block *where, void *user)
{
    ga_array *sum = ga_add(in[0], in[1]); /* freed by the library */
    (void)where;
    return n == 2 && ga_multiply(sum, *(const double *)user, .out = out) != NULL;
}

static bool total(ga_array *out, const ga_array *const *in, int n, const ga_block *where, void *user)
{
    (void)n, (void)user;
    ga_array *sum = ga_sum(in[0], .axes = ga_axes(0, 1), .keepdims = true);
    return sum && where->number == where->index[0] * where->chunks[1] + where->index[1] && ga_copyto(out, sum);
}

static bool places(ga_array *out, const ga_array *const *in, int n, const ga_block *where, void *user)
{
    (void)n, (void)user;
    int64_t *to = ga_data(out, GA_I64);
    bool     ok = where->ndim == 2 && where->shape[0] == in[0]->shape[0] && where->shape[1] == in[0]->shape[1];
    for (int64_t i = 0; to && ok && i < where->shape[0]; i++)
        for (int64_t j = 0; j < where->shape[1]; j++) *to++ = (where->start[0] + i) * 1000 + where->start[1] + j;
    return ok && to;
}

static bool smooth(ga_array *out, const ga_array *const *in, int n, const ga_block *where, void *user)
{
    (void)n, (void)user;
    return where->shape[0] + 10 == in[0]->shape[0] && ga_gaussian_filter(in[0], 1.25, .out = out);
}

/* Frees what is not its own, and keeps one of its inputs. */
static bool frees(ga_array *out, const ga_array *const *in, int n, const ga_block *where, void *user)
{
    (void)n;
    const bool done = ga_copyto(out, in[0]) != NULL;
    if (where->number == 0) *(ga_array **)user = ga_keep((ga_array *)(uintptr_t)in[0]);
    ga_free(out);
    ga_free((ga_array *)(uintptr_t)in[0]);
    return done;
}
static bool refuses(ga_array *out, const ga_array *const *in, int n, const ga_block *where, void *user)
{
    (void)in, (void)n;
    if (where->index[1] == 1 && user) ga_reshape(out, (7, 7, 7));
    return where->index[1] != 1;
}

static void blocks(ga_shape chunks)
{
    ga_scope {
        ga_array *a = ga_random((61, 83), .seed = 1), *x = ga_add((ga_chunked)(a, chunks, "\ttest"), 1), *m = ga_add(a, 1);
        double    two = 2;
        SAME(ga_map_blocks(x, squared, NULL), ga_square(m));
        SAME(ga_map_blocks(x, squared, NULL, .dtype = GA_F32), ga_astype(ga_square(m), GA_F32));
        SAME(ga_sum(ga_map_blocks(x, squared, NULL)), ga_sum(ga_square(m)));
        SAME(ga_mean(ga_map_blocks(x, squared, NULL), .axis = 0), ga_mean(ga_square(m), .axis = 0));
        SAME(ga_index(ga_map_blocks(x, squared, NULL), "50:2:-7, ::3"), ga_index(ga_square(m), "50:2:-7, ::3"));
        SAME(ga_gaussian_filter(ga_map_blocks(x, squared, NULL), 2), ga_gaussian_filter(ga_square(m), 2));
        SAME(ga_ravel(ga_map_blocks(ga_transpose(x), squared, NULL)), ga_ravel(ga_square(ga_transpose(m))));
        const ga_array *both[2] = { x, a };
        SAME(ga_map_blocks_n(2, both, weighted, &two), ga_multiply(ga_add(m, a), 2));
        ga_array *index = ga_add(ga_multiply(ga_index(ga_arange(0, 61, 1), ":, newaxis"), 1000), ga_arange(0, 83, 1));
        SAME(ga_map_blocks(x, places, NULL, .dtype = GA_I64), ga_astype(index, GA_I64));
        ga_shape  c    = ga_chunks_of(x);
        ga_array *sums = ga_compute(ga_map_blocks(x, total, NULL, .chunks = ga_chunks(1, 1)));
        CHECK(sums && sums->shape[0] == (61 + c.n[0] - 1) / c.n[0] && sums->shape[1] == (83 + c.n[1] - 1) / c.n[1] &&
              ga_allclose(ga_sum(sums), ga_sum(m)));
        SAME(ga_map_overlap(x, smooth, NULL, .depth = ga_axes(5, 5)), ga_gaussian_filter(m, 1.25));
        SAME(ga_map_overlap(x, smooth, NULL, .depth = ga_axes(5), .border = GA_BORDER_WRAP),
             ga_gaussian_filter(m, 1.25, .border = GA_BORDER_WRAP));
        SAME(ga_map_overlap(x, smooth, NULL, .depth = ga_axes(5, 9), .border = GA_BORDER_CONSTANT, .cval = 2),
             ga_gaussian_filter(m, 1.25, .border = GA_BORDER_CONSTANT, .cval = 2));
    }
}

static void block_mistakes(void)
{
    ga_scope {
        ga_array       *m = ga_ones((4, 6)), *x = ga_chunked(m, 2, 2), *y = ga_chunked(ga_ones((4, 5)), 2, 2);
        const ga_array *both[2] = { x, y };
        ga_array       *kept    = NULL;
        SAME(ga_map_blocks(x, frees, &kept), m);
        CHECK(kept && ga_array_equal(kept, ga_index(m, ":%lld, :%lld", (long long)kept->shape[0], (long long)kept->shape[1])));
        ga_free(kept);
        CHECK_FAILS(ga_compute(ga_map_blocks(x, refuses, NULL)), "the function returned false for chunk number");
        CHECK_FAILS(ga_compute(ga_map_blocks(x, refuses, &both)), "cannot");
        CHECK_FAILS(ga_map_blocks(m, squared, NULL), "there are no chunks");
        CHECK_FAILS(ga_map_overlap(m, squared, NULL), "there are no chunks");
        CHECK_FAILS(ga_map_blocks(x, NULL, NULL), "the function is NULL");
        CHECK_FAILS(ga_map_blocks(NULL, squared, NULL), "NULL");
        CHECK_FAILS(ga_map_blocks(x, squared, NULL, .depth = ga_axes(1)), "ga_map_overlap");
        CHECK_FAILS(ga_map_blocks(x, squared, NULL, .chunks = ga_chunks(1)), "one length for each axis");
        CHECK_FAILS(ga_map_blocks(x, squared, NULL, .chunks = ga_chunks(1, 0)), "at least 1");
        CHECK_FAILS(ga_map_blocks_n(2, both, squared, NULL), "they must be alike");
        CHECK_FAILS(ga_map_overlap(x, squared, NULL, .depth = ga_axes(-1)), "negative");
        CHECK_FAILS(ga_map_overlap(x, squared, NULL, .depth = ga_axes(1, 2, 3)), ".depth has 3 numbers");
        CHECK_FAILS(ga_map_overlap(x, squared, NULL, .depth = ga_axes(1), .chunks = ga_chunks(1, 1)), ".chunks");
    }
}

/* ---- allocations that fail ---- */

static long allocations_left = -1, allocated;

static void *few_allocations(size_t bytes, void *user)
{
    (void)user;
    if (allocations_left == 0) return NULL;
    if (allocations_left > 0) allocations_left--;
    allocated++;
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}
static void few_freed(void *p, size_t bytes, void *user)
{
    (void)bytes, (void)user;
    allocated--;
    free(p);
}

static ga_array *make(int which, const ga_array *a)
{
    ga_array *x = ga_chunked(a, 5, 4), *v = ga_index(a, ":3, :3");
    switch (which) {
    case 0: return ga_matmul(x, ga_transpose(x));
    case 1: return ga_cdist(x, a);
    case 2: return ga_ndconvolve(x, v, .border = GA_BORDER_WRAP);
    case 3: return ga_gaussian_filter(x, 1);
    case 4: return ga_maximum_filter(x, 0, .footprint = v);
    case 5: return ga_sort(x);
    case 6: return ga_cumsum(x);
    case 7: return ga_median(x);
    case 8: return ga_pad(x, (1), .mode = GA_PAD_REFLECT);
    case 9: return ga_tile(ga_roll(x, 2), (2, 1));
    case 10: return ga_map_overlap(x, squared, NULL, .depth = ga_axes(1));
    case 11: return ga_sum(ga_map_blocks(x, squared, NULL));
    case 12: return ga_pdist(x);
    case 13: return ga_stencil(spread, (x, 0.1));
    case 14: return ga_reduce(dot_of, (x, a), .axis = 1);
    case 15: return ga_percentile(x, ga_index(a, "0, :2"), .axis = 0);
    case 16: return ga_repeat(x, 2);
    default: return NULL;
    }
}

/* Each allocation that fails is an error, of the call or of ga_compute, and nothing leaks. */
static void failing(void)
{
    int threads = ga_get_num_threads();
    ga_set_num_threads(1);
    CHECK(ga_set_allocator(few_allocations, few_freed, NULL));
    ga_set_error_handler(ga_ignore_error, NULL);
    for (int which = 0; which < 17; which++) {
        bool done = false;
        for (long k = 0; k < 2000 && !done; k++) {
            allocations_left = -1;
            ga_scope {
                ga_array *a = ga_random((9, 8), .seed = 1);
                ga_clear_error();
                allocations_left = k;
                ga_array *x = make(which, a), *r = x ? ga_compute(x) : NULL;
                done = r != NULL;
                if (!done && ga_error_status() != GA_NO_MEMORY) CHECK(ga_error_status() == GA_NO_MEMORY);
            }
        }
        CHECK(done && allocated == 0);
    }
    allocations_left = -1;
    ga_clear_error();
    ga_set_error_handler(NULL, NULL);
    CHECK(ga_set_allocator(NULL, NULL, NULL));
    ga_set_num_threads(threads);
}

/* What cannot work piece by piece says so by name. */
static void impossible(void)
{
    ga_scope {
        ga_array *m = ga_ones((4, 5)), *x = ga_chunked(m, 2, 2), *line = ga_index(x, "0");
        CHECK_FAILS(ga_label(x), "a is chunked");
        CHECK_FAILS(ga_unique(x), "a is chunked");
        CHECK_FAILS(ga_nonzero(x), "a is chunked");
        CHECK_FAILS(ga_extract(ga_greater(x, 0), x), "is chunked");
        CHECK_FAILS(ga_compress(line, m, .axis = 1), "is chunked");
        CHECK_FAILS(ga_histogram(x, 3), "is chunked");
        CHECK_FAILS(ga_bincount(ga_astype(line, GA_I64)), "is chunked");
        CHECK_FAILS(ga_take(x, ga_zeros((2), .dtype = GA_I64)), "is chunked");
        CHECK_FAILS(ga_sigma_clip(x), "is chunked");
        CHECK_FAILS(ga_sum_labels(x, m, NULL), "is chunked");
        CHECK_FAILS(ga_center_of_mass(x, NULL, NULL), "is chunked");
        CHECK_FAILS(ga_squareform(x), "is chunked");
        CHECK_FAILS(ga_save("/dev/null", x), "is chunked");
    }
}

int main(void)
{
    for (int k = 0; k < CHUNKS; k++) {
        products(every_chunk[k]);
        convolved(every_chunk[k]);
        ordered(every_chunk[k]);
        rearranged(every_chunk[k]);
        own(every_chunk[k]);
        blocks(every_chunk[k]);
    }
    long_lines();
    impossible();
    block_mistakes();
    failing();
    CHECK(ga_report_leaks(stdout) == 0);
    return test_end();
}
