/* ==== >>cuda elementwise: from gi_map's job to launches =============================================================== */

/* The device's view of an operand. `first`: the index along the outermost dimension where the launch begins. `vector`: the elements of a
   vector; *packed becomes false if the operand does not lie so that vectors can be read (`written`: or written). */
static gi_cuda_operand gi_cuda_operand_of(const gi_job *j, const gi_operand *v, int64_t first, int vector, bool written,
                                          bool *packed)
{
    gi_cuda_operand o;
    memset(&o, 0, sizeof o);
    int64_t size = ga_itemsize(v->dtype), along = v->strides[j->ndim - 1];
    if (v->number) {
        o.how = GI_HOW_NUMBER;
        memcpy(o.number, v->data, (size_t)size);
        return o;
    }
    o.data       = v->data + first * v->strides[0];
    o.how        = along == 0 && !written ? GI_HOW_SPREAD : GI_HOW_PACKED;
    bool aligned = along == size && (uintptr_t)o.data % (uintptr_t)(size * vector) == 0;
    for (int d = 0; d < j->ndim; d++) {
        o.strides[d] = v->strides[d];
        if (d < j->ndim - 1) aligned = aligned && v->strides[d] % (size * vector) == 0;
    }
    if (o.how == GI_HOW_PACKED && !aligned) *packed = false;
    return o;
}

/* The widest element that the threads of a job move: it decides how many elements make a vector, as in the kernels. */
static int64_t gi_cuda_width(const gi_job *j)
{
    int64_t width = ga_itemsize(j->out.dtype);
    for (int k = 0; k < j->inputs && (k < 2 || j->own.kernel); k++)
        if (ga_itemsize(j->in[k].dtype) > width) width = ga_itemsize(j->in[k].dtype);
    for (int k = 1; k < j->outputs; k++)
        if (ga_itemsize(j->more[k - 1].dtype) > width) width = ga_itemsize(j->more[k - 1].dtype);
    return width;
}

/* The rows and columns of a launch of `count` indices of the outermost dimension. */
static void gi_cuda_grid_of(const gi_job *j, int64_t count, int vector, gi_cuda_grid *m)
{
    int64_t rows = 1;
    m->ndim      = j->ndim;
    m->packed    = !j->masked;
    for (int d = 0; d < j->ndim; d++) {
        int64_t length = d == 0 ? count : j->shape[d];
        m->shape[d]    = gi_divisor_of(length);
        if (d < j->ndim - 1) rows *= length;
    }
    int64_t columns = m->shape[j->ndim - 1].by;
    m->row          = gi_divisor_of((columns + vector - 1) / vector);
    m->elements     = (uint32_t)(rows * columns);
    m->vectors      = (uint32_t)(rows * m->row.by);
}

static unsigned gi_cuda_map_blocks(const gi_cuda_grid *m, int vector)
{
    return gi_cuda_blocks(m->packed ? m->vectors : ((int64_t)m->elements + vector - 1) / vector);
}

/* The same for a kernel of the user's: its operands in the order of the parameters, then the formula's own result. */
static bool gi_cuda_launch_own(const char *site, const gi_job *j, int64_t first, int64_t count)
{
    const ga_kernel *kernel = j->own.kernel;
    gi_cuda_own      m;
    memset(&m, 0, sizeof m);
    int vector = GI_VECTOR(gi_cuda_width(j)), in = 0, out = kernel->result.output;
    gi_cuda_grid_of(j, count, vector, &m);
    m.masked = j->masked;
    for (int k = 0; k < kernel->parameters; k++) {
        bool              written = kernel->parameter[k].output;
        const gi_operand *v       = written ? gi_job_target(j, out++) : &j->in[in++];
        m.operand[k]              = gi_cuda_operand_of(j, v, first, vector, written, &m.packed);
    }
    if (kernel->result.output) m.operand[kernel->parameters] = gi_cuda_operand_of(j, &j->out, first, vector, true, &m.packed);
    if (j->masked) m.mask = gi_cuda_operand_of(j, &j->mask, first, vector, false, &m.packed);
    m.index = j->first_place + first * j->place.strides[0];
    for (int d = 0; d < j->ndim; d++) m.place[d] = j->place.strides[d];
    GI_LAUNCH((void (*)(const gi_cuda_own))j->own.gpu, gi_cuda_map_blocks(&m, vector), GI_CUDA_THREADS,
              gi_cuda_current_stream(), m);
    return gi_cuda_launched(site, kernel->name);
}

/* Launches the indices first to first + count - 1 of the outermost dimension. */
static bool gi_cuda_launch_map(const char *site, const gi_job *j, gi_cuda_kernel kernel, int64_t first, int64_t count)
{
    gi_cuda_map m;
    memset(&m, 0, sizeof m);
    int vector = GI_VECTOR(gi_cuda_width(j));
    gi_cuda_grid_of(j, count, vector, &m);
    m.from   = gi_cuda_casts_from(j->out.dtype, j->in[0].dtype);
    m.masked = j->masked;
    for (int k = 0; k < j->inputs; k++) m.in[k] = gi_cuda_operand_of(j, &j->in[k], first, vector, false, &m.packed);
    m.out = gi_cuda_operand_of(j, &j->out, first, vector, true, &m.packed);
    if (j->masked) m.mask = gi_cuda_operand_of(j, &j->mask, first, vector, false, &m.packed);
    GI_LAUNCH(kernel, gi_cuda_map_blocks(&m, vector), GI_CUDA_THREADS, gi_cuda_current_stream(), m);
    return gi_cuda_launched(site, "an elementwise operation");
}

/* Splits a copy to or from halves for which there is no kernel. The array between both is to be freed; NULL with an error. */
static ga_array *gi_cuda_split_copy(const char *site, const gi_job *j, gi_job *first, gi_job *second)
{
    const ga_dtype way    = gi_half_way(j->in[0].dtype);
    ga_array      *middle = gi_array_new(site, way, GA_CUDA, j->ndim, j->shape);
    if (!middle) return NULL;
    *first = *second = *j;
    gi_operand_of(&first->out, middle, way, j->ndim, j->shape);
    gi_operand_of(&second->in[0], middle, j->out.dtype, j->ndim, j->shape);
    first->in[0].wanted = way;
    first->masked       = false;
    return middle;
}

/* Runs a job whose operands are complete, on the device of its output (touched before). A launch computes at most 2^30 elements. */
static bool gi_cuda_run(const char *site, gi_job *j)
{
    const int64_t most = (int64_t)1 << 30;
    for (int d = 0; d < j->ndim; d++)
        if (j->shape[d] == 0) return true;
    gi_job_order_dimensions(j);
    gi_job_coalesce(j);
    gi_cuda_kernel kernel = (gi_cuda_kernel)j->gpu;
    if (!gi_job_computes(j)) kernel = gi_cuda_cast(j->out.dtype, j->in[0].dtype);
    if (!kernel && !j->own.kernel) {
        gi_job    first, second;
        ga_array *middle = gi_cuda_split_copy(site, j, &first, &second);
        bool      ok     = middle && gi_cuda_run(site, &first) && gi_cuda_run(site, &second);
        ga_free(middle);
        return ok;
    }
    int64_t below = 1; /* elements for one index along the outermost dimension */
    for (int d = 1; d < j->ndim; d++) below *= j->shape[d];
    if (below > most) { /* too many already: each index is a job */
        for (int64_t i = 0; i < j->shape[0]; i++) {
            gi_job part   = *j;
            part.shape[0] = 1;
            for (int k = 0; k < j->inputs; k++)
                if (!part.in[k].number) part.in[k].data += i * part.in[k].strides[0];
            part.out.data += i * part.out.strides[0];
            for (int k = 1; k < part.outputs; k++) part.more[k - 1].data += i * part.more[k - 1].strides[0];
            part.first_place += i * part.place.strides[0];
            if (part.masked) part.mask.data += i * part.mask.strides[0];
            if (!gi_cuda_run(site, &part)) return false;
        }
        return true;
    }
    int64_t step = most / below;
    for (int64_t first = 0; first < j->shape[0]; first += step) {
        int64_t count = j->shape[0] - first < step ? j->shape[0] - first : step;
        if (!(j->own.kernel ? gi_cuda_launch_own(site, j, first, count) : gi_cuda_launch_map(site, j, kernel, first, count)))
            return false;
    }
    return true;
}

/* Fills a new array with an element of its dtype. */
static bool gi_cuda_fill(const char *site, ga_array *a, const void *element)
{
    gi_job j;
    memset(&j, 0, sizeof j);
    if (!gi_cuda_touch(site, a)) return false;
    j.inputs       = 1;
    j.ndim         = 1;
    j.shape[0]     = a->size;
    j.in[0].number = true;
    j.in[0].data   = (char *)element;
    j.in[0].dtype = j.in[0].wanted = a->dtype;
    j.out.data                     = (char *)a->data;
    j.out.dtype = j.out.wanted = a->dtype;
    j.out.strides[0]           = ga_itemsize(a->dtype);
    return gi_cuda_run(site, &j);
}

/* All bytes of an array become 0. */
static bool gi_cuda_clear(const char *site, ga_array *a)
{
    size_t bytes = (size_t)(a->size * ga_itemsize(a->dtype));
    return bytes == 0 ||
           (gi_cuda_touch(site, a) && GI_CUDA_OK(site, cudaMemsetAsync(a->data, 0, bytes, gi_cuda_stream(gi_cuda_ordinal(a)))));
}

/* to[...] = from, whatever the dtypes; the shapes are equal, and the memory is not shared. */
static bool gi_cuda_assign(const char *site, ga_array *to, const ga_array *from)
{
    const ga_array *both[2] = { from, to };
    gi_job          j;
    if (!gi_cuda_touch_all(site, 2, both)) return false;
    gi_job_plan_copy(&j, to, from);
    return gi_cuda_run(site, &j);
}

/* A new C-ordered array with the elements of a, cast to dtype. */
static ga_array *gi_cuda_convert(const char *site, const ga_array *a, ga_dtype dtype)
{
    ga_array *copy = gi_array_new(site, dtype, GA_CUDA, a->ndim, a->shape);
    if (!copy || gi_cuda_assign(site, copy, a)) return copy;
    ga_free(copy);
    return NULL;
}

/* A C-contiguous array of that dtype: another view of a if it is one already, else a converted copy. */
static ga_array *gi_cuda_packed(const char *site, const ga_array *a, ga_dtype dtype)
{
    if (a->dtype != dtype || !ga_is_contiguous(a)) return gi_cuda_convert(site, a, dtype);
    return gi_array_new_view(site, a, a->data, a->dtype, a->ndim, a->shape, a->strides);
}
