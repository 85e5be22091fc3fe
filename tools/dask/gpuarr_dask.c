/*  gpuarr_dask.c -- what tools/dask/gpuarr_dask.py calls: one call of gpuarr on memory of NumPy, which is neither copied nor kept. With
    -DGPUARR_IMPLEMENTATION, or linked with an implementation:   cc -O2 -shared -fPIC -DGPUARR_IMPLEMENTATION gpuarr_dask.c -lm -lpthread */
#include "gpuarr.h"
#include <string.h>

typedef struct gd_array { /* data NULL: only the dtype and the shape of a result are wanted */
    void   *data;
    int32_t dtype, ndim;
    int64_t shape[GPUARR_MAX_DIMS], strides[GPUARR_MAX_DIMS];
} gd_array;

typedef struct gd_operand { /* an array, if the kind is GA_KIND_ARRAY; else a number */
    gd_array array;
    int32_t  kind;
    int64_t  i;
    double   re, im;
} gd_operand;

typedef struct gd_call {
    const char       *family, *name; /* "map", "reduce", "cdist", "filter" or "kernel", and the call, without ga_ */
    const char       *site;          /* for errors; must stay */
    const ga_kernel  *kernel;
    int32_t           n;
    const gd_operand *operand;
    int32_t           dtype, metric, border, axis, keepdims, ddof;
    ga_shape          axes, sizes;
    double            sigmas[GPUARR_MAX_DIMS], number, cval, truncate;
} gd_call;

const char *gd_run(const gd_call *c, gd_array *out);
const char *gd_names(const char *family);

static ga_array *gd_map(const gd_call *c, const ga_arg *x, ga_array *out)
{
    ga_map_options o = ga_map_defaults;
    o.site           = c->site;
    o.dtype          = (ga_dtype)c->dtype;
    if (out) o.out = out;
#define GA_UNARY(row, ...)                                                                                                     \
    if (c->n == 1 && !strcmp(c->name, #row)) return (ga_##row)(x[0].array, o);
#define GA_BINARY(row, ...)                                                                                                    \
    if (c->n == 2 && !strcmp(c->name, #row)) return (ga_##row)(x[0], x[1], o);
#define GA_TERNARY(row, ...)                                                                                                   \
    if (c->n == 3 && !strcmp(c->name, #row)) return (ga_##row)(x[0], x[1], x[2], o);
#define GA_ELEMENTARY  GA_UNARY
#define GA_ELEMENTARY2 GA_BINARY
#define GA_TABLE
#include "gpuarr.h"
    if (c->n == 3 && !strcmp(c->name, "where")) return (ga_where)(x[0].array, x[1], x[2], o);
    return NULL;
}

#define GD_FOLDS(X) X(var) X(std) X(nanmean) X(nanvar) X(nanstd) X(argmin) X(argmax) X(nanargmin) X(nanargmax)

static ga_array *gd_reduce(const gd_call *c, const ga_array *a, ga_array *out)
{
    ga_reduce_options o = ga_reduce_defaults;
    o.site              = c->site;
    o.axes              = c->axes;
    o.keepdims          = c->keepdims != 0;
    o.dtype             = (ga_dtype)c->dtype;
    o.ddof              = c->ddof;
    if (out) o.out = out;
#define GD_FOLD(row)                                                                                                           \
    if (!strcmp(c->name, #row)) return (ga_##row)(a, o);
#define GA_FOLD(row, ...) GD_FOLD(row)
#define GA_TABLE
#include "gpuarr.h"
    GD_FOLDS(GD_FOLD)
    return NULL;
}

#define GD_GAUSSIANS(X) X(gaussian_filter) X(gaussian_laplace) X(gaussian_gradient_magnitude)
#define GD_EDGES(X)     X(sobel) X(prewitt) X(laplace)
#define GD_WINDOWS(X)   X(minimum_filter) X(maximum_filter) X(median_filter)

static ga_array *gd_filter(const gd_call *c, const ga_arg *x, ga_array *out)
{
    const ga_array       *a = x[0].array;
    ga_window_options     w = ga_window_defaults;
    ga_uniform_options    u = ga_uniform_defaults;
    ga_ndconvolve_options v = ga_ndconvolve_defaults;
    ga_edge_options       e = ga_edge_defaults;
    ga_gaussian_options   g = ga_gaussian_defaults;
#define GD_COMMON(o)                                                                                                           \
    (o).site = c->site, (o).border = (ga_border)c->border, (o).cval = c->cval;                                                 \
    if (out) (o).out = out
    GD_COMMON(w);
    GD_COMMON(u);
    GD_COMMON(v);
    GD_COMMON(e);
    GD_COMMON(g);
    w.sizes = u.sizes = c->sizes;
    e.axis            = c->axis;
    g.sigmas          = c->sigmas;
    g.truncate        = c->truncate;
#define GD_GAUSSIAN(filter)                                                                                                    \
    if (!strcmp(c->name, #filter)) return (ga_##filter)(a, 0, g);
#define GD_EDGE(filter)                                                                                                        \
    if (!strcmp(c->name, #filter)) return (ga_##filter)(a, e);
#define GD_WINDOW(filter)                                                                                                      \
    if (!strcmp(c->name, #filter)) return (ga_##filter)(a, 0, w);
    GD_GAUSSIANS(GD_GAUSSIAN)
    GD_EDGES(GD_EDGE)
    GD_WINDOWS(GD_WINDOW)
    if (!strcmp(c->name, "uniform_filter")) return (ga_uniform_filter)(a, 0, u);
    if (!strcmp(c->name, "percentile_filter")) return (ga_percentile_filter)(a, c->number, 0, w);
    if (!strcmp(c->name, "rank_filter")) return (ga_rank_filter)(a, (int64_t)c->number, 0, w);
    if (!strcmp(c->name, "convolve") && c->n == 2) return (ga_ndconvolve)(a, x[1].array, v);
    if (!strcmp(c->name, "correlate") && c->n == 2) return (ga_ndcorrelate)(a, x[1].array, v);
    return NULL;
}

static ga_array *gd_wrap(const char *site, const gd_array *a)
{
    ga_shape shape = { .ndim = a->ndim }, strides = { .ndim = a->ndim };
    memcpy(shape.n, a->shape, sizeof shape.n);
    memcpy(strides.n, a->strides, sizeof strides.n);
    ga_wrap_options o = ga_wrap_defaults;
    o.site            = site;
    o.device          = GA_CPU;
    return (ga_wrap_strided)(a->data, (ga_dtype)a->dtype, shape, strides, o);
}

/* NULL, and the result is in `out`; or a sentence, good until the next call of this thread. */
const char *gd_run(const gd_call *c, gd_array *out)
{
    ga_arg x[GPUARR_MAX_INPUTS];
    ga_set_error_handler(ga_ignore_error, NULL);
    ga_clear_error();
    if (c->n < 1 || c->n > GPUARR_MAX_INPUTS) return "too many operands, or none";
    ga_scope {
        bool ok = true;
        for (int k = 0; k < c->n; k++) {
            const gd_operand *p = &c->operand[k];
            memset(&x[k], 0, sizeof x[k]);
            x[k].kind = (ga_kind)p->kind;
            x[k].i = p->i, x[k].re = p->re, x[k].im = p->im;
            if (p->kind == GA_KIND_ARRAY) ok = (x[k].array = gd_wrap(c->site, &p->array)) != NULL && ok;
        }
        ga_array *r = NULL, *to = out->data ? gd_wrap(c->site, out) : NULL;
        ok = ok && (to || !out->data);
        if (ok && !strcmp(c->family, "map")) r = gd_map(c, x, to);
        else if (ok && !strcmp(c->family, "reduce")) r = gd_reduce(c, x[0].array, to);
        else if (ok && !strcmp(c->family, "filter")) r = gd_filter(c, x, to);
        else if (ok && !strcmp(c->family, "cdist") && c->n == 2) {
            ga_distance_options o = ga_distance_defaults;
            o.site                = c->site;
            o.metric              = (ga_metric)c->metric;
            if (to) o.out = to;
            r = (ga_cdist)(x[0].array, x[1].array, o);
        } else if (ok && c->kernel) {
            ga_apply_options o = ga_apply_defaults;
            o.site             = c->site;
            if (to) o.out = to;
            r = (ga_apply_n)(c->kernel, c->n, x, o);
        }
        if (r && !to) {
            out->dtype = (int32_t)r->dtype;
            out->ndim  = r->ndim;
            memcpy(out->shape, r->shape, sizeof out->shape);
        } else if (!r && !ga_error()) return "there is no such call with so many operands";
    }
    return ga_error();
}

/* The calls of a family, a space behind each. */
const char *gd_names(const char *family)
{
#define GD_NAME(call) #call " "
    if (!strcmp(family, "map"))
        return ""
#define GA_UNARY(row, ...) GD_NAME(row)
#define GA_ELEMENTARY      GA_UNARY
#define GA_BINARY          GA_UNARY
#define GA_ELEMENTARY2     GA_UNARY
#define GA_TERNARY         GA_UNARY
#define GA_TABLE
#include "gpuarr.h"
            GD_NAME(where);
    if (!strcmp(family, "reduce"))
        return ""
#define GA_FOLD(row, ...) GD_NAME(row)
#define GA_TABLE
#include "gpuarr.h"
            GD_FOLDS(GD_NAME);
    return GD_GAUSSIANS(GD_NAME) GD_EDGES(GD_NAME)
        GD_WINDOWS(GD_NAME) "uniform_filter percentile_filter rank_filter convolve correlate ";
}
