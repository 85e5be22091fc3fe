/* ---- correlations by our own Fourier transforms --------------------------------------------------------------------------- */
/*  What is read, beyond the borders too, is transformed as one array; a correlation is a product with the conjugate of the transform of
    the weights. The bits are the same on the CPU and on a GPU.                                                             */

/* Along an axis: the elements from `offset` on that `count` results read, with the border. */
static ga_array *gi_do_bordered(const gi_composition *c, const ga_array *a, const gi_correlation *job, int axis, int64_t count)
{
    const int64_t n = a->shape[axis], first = job->offset[axis];
    if (first >= 0 && first + count <= n) return gi_do_part(c, a, axis, first, count);
    ga_array *index = gi_array_new(c->site, GA_I64, GA_CPU, 1, &count), *inside = NULL;
    if (!index || !(inside = gi_array_new(c->site, GA_BOOL, GA_CPU, 1, &count))) return NULL;
    for (int64_t k = 0; k < count; k++) {
        const int64_t i              = gi_border_index(first + k, n, job->border);
        ((int64_t *)index->data)[k]  = i < 0 ? 0 : i;
        ((uint8_t *)inside->data)[k] = i >= 0;
    }
    index       = gi_copy_to(c->site, index, a->device);
    ga_array *x = index ? gi_do_take(c, a, index, axis) : NULL;
    if (!x || job->border != GA_BORDER_CONSTANT) return x;
    ga_arg outside;
    memset(&outside, 0, sizeof outside);
    outside.kind = gi_is_complex(a->dtype) ? GA_KIND_COMPLEX : GA_KIND_REAL;
    outside.re   = job->cval;
    outside.im   = job->cval_imag;
    inside       = gi_copy_to(c->site, inside, a->device);
    ga_array *at = inside ? gi_do_turn(c, inside, axis, a->ndim) : NULL;
    return at ? GI_DO_WHERE(c, at, x, outside) : NULL;
}

/* Of the product of two transforms, that of v conjugated for a correlation, what it is the transform of. */
static ga_array *gi_do_fft_product(const gi_composition *c, const ga_array *a, const ga_array *v, bool conjugated,
                                   ga_fftn_options f)
{
    const bool real = !gi_is_complex(a->dtype) && !gi_is_complex(v->dtype);
    ga_array  *x = real ? (ga_rfftn)(a, f) : (ga_fftn)(a, f), *y = !x ? NULL : real ? (ga_rfftn)(v, f) : (ga_fftn)(v, f);
    if (conjugated) y = y ? GI_DO_1(c, conj, y) : NULL;
    x = y ? GI_DO_2(c, multiply, x, y) : NULL;
    return !x ? NULL : real ? (ga_irfftn)(x, f) : (ga_ifftn)(x, f);
}

/* Writes the correlation of `in` and `weights`, arrays of a job's floats, into `out`. False with an error. */
static bool gi_conv_fft_own(const char *site, const gi_correlation *job, const ga_array *in, const ga_array *weights,
                            ga_array *out)
{
    gi_composition  c;
    ga_fftn_options f = ga_fftn_defaults;
    f.site            = site;
    f.s.ndim = f.axes.ndim = 0;
    gi_compose_begin(&c, site);
    ga_array *x = (ga_view)(in, site);
    for (int d = 0; d < job->ndim && x; d++) {
        const int64_t count = job->result[d] + job->size[d] - 1;
        x                   = gi_do_bordered(&c, x, job, d, count);
        if (job->size[d] == 1) continue;
        f.axes.n[f.axes.ndim++] = d;
        f.s.n[f.s.ndim++]       = gi_fast_length(count);
    }
    const ga_array *v = gi_is_complex(job->dtype) ? GI_DO_1(&c, conj, weights) : weights;
    x                 = x && v ? gi_do_fft_product(&c, x, v, true, f) : NULL;
    for (int d = 0; d < job->ndim && x; d++) x = gi_do_part(&c, x, d, 0, job->result[d]);
    const bool done = x && gi_copy_assign_where(site, out, GA_ARG(x), NULL);
    gi_compose_end(&c, NULL);
    return done;
}
