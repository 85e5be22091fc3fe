/* ---- reductions of the user's -------------------------------------------------------------------------------------------- */

static gi_cuda_input gi_cuda_input_of(const gi_cuda_lines *p)
{
    gi_cuda_input in;
    memset(&in, 0, sizeof in);
    in.data   = p->data;
    in.kept   = p->kept;
    in.stride = p->stride;
    in.outer  = p->outer;
    in.two    = p->inner < p->length;
    if (in.two) in.inner = gi_divisor_of(p->inner);
    for (int d = 0; d < p->kept; d++) {
        in.kept_shape[d]   = gi_divisor_of(p->kept_shape[d]);
        in.kept_strides[d] = p->kept_strides[d];
    }
    return in;
}

static bool gi_cuda_reduce_own(const char *site, const gi_reducing *r, ga_array *result)
{
    const ga_reduction *k = r->k;
    gi_cuda_folding     j;
    gi_cuda_lines       lines[GPUARR_MAX_INPUTS];
    ga_array           *copies[GPUARR_MAX_INPUTS] = { NULL };
    const ga_array     *touched[GPUARR_MAX_INPUTS + 1];
    const int           inputs = k->map.parameters;
    memset(&j, 0, sizeof j);
    for (int i = 0; i < inputs; i++) touched[i] = r->in[i].a;
    touched[inputs] = result;
    bool ok         = gi_cuda_touch_all(site, inputs + 1, touched);
    for (int i = 0; i < inputs && ok; i++) {
        ok = gi_cuda_lines_of(site, &r->in[i], r->in[i].dtype, false, &lines[i], &copies[i]);
        if (ok && i > 0) j.inputs[i - 1] = gi_cuda_input_of(&lines[i]);
    }
    j.result = (char *)result->data;
    ok       = ok && gi_cuda_fold_lines(site, r->in[0].a, gi_cuda_tree((gi_cuda_fold_kernel)k->cuda),
                                        gi_cuda_tree((gi_cuda_fold_kernel)k->cuda_again), j, lines[0], k->acc_bytes,
                                        ga_itemsize(result->dtype));
    for (int i = 0; i < inputs; i++) ga_free(copies[i]);
    return ok;
}

/* ---- stencils of the user's own ------------------------------------------------------------------------------------------- */

static bool gi_cuda_stencil_step(const char *site, const ga_stencil_kernel *k, const gi_stencil *s, int *beyond)
{
    const int64_t   most  = (int64_t)1 << 30;
    int64_t         tiles = 1;
    gi_cuda_stencil m;
    memset(&m, 0, sizeof m);
    m.in     = s->in;
    m.out    = s->out;
    m.border = s->border;
    m.beyond = beyond;
    memcpy(m.constant, s->constant, sizeof m.constant);
    for (int i = 0; i < k->kernel.parameters; i++) memcpy(m.operand[i], s->e.operand[i], sizeof m.operand[i]);
    for (int d = 0; d < 3; d++) {
        m.shape[d] = s->shape[d];
        tiles *= (s->shape[d] + k->tile[d] - 1) / k->tile[d];
    }
    for (; m.first < tiles; m.first += most) {
        const unsigned blocks = (unsigned)(tiles - m.first < most ? tiles - m.first : most);
        GI_LAUNCH((void (*)(const gi_cuda_stencil))k->kernel.stamp->cuda, blocks, GI_CUDA_THREADS, gi_cuda_current_stream(), m);
        if (!gi_cuda_launched(site, k->kernel.name)) return false;
    }
    return true;
}

/* A launch for each step. The host waits, to hear whether an offset was beyond the reach. */
static bool gi_cuda_stencil_steps(const char *site, const ga_stencil_kernel *k, gi_stencil *s, int64_t steps, ga_array *result,
                                  ga_array *other)
{
    gi_scratch beyond;
    if (!gi_scratch_get(site, &beyond, result, sizeof(int))) return false;
    bool done = GI_CUDA_OK(site, cudaMemsetAsync(beyond.p, 0, sizeof(int), gi_cuda_current_stream()));
    for (; steps > 0 && done; steps--) {
        s->out = (char *)(steps % 2 ? result : other)->data;
        done   = gi_cuda_stencil_step(site, k, s, (int *)beyond.p);
        s->in  = s->out;
    }
    done = done && gi_cuda_read(site, result, &s->beyond, beyond.p, sizeof s->beyond);
    gi_scratch_free(&beyond);
    return done && !s->beyond;
}
