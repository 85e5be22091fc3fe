/* ---- planning -------------------------------------------------------------------------------------------------------- */

/* Do two views show the same elements in the same places, so that reading one while writing the other is safe? */
static bool gi_same_layout(const ga_array *a, int ndim, const int64_t *shape, const ga_array *out)
{
    int64_t strides[GPUARR_MAX_DIMS];
    if (a->data != out->data || a->dtype != out->dtype) return false;
    gi_shape_broadcast_strides(a, ndim, shape, strides);
    for (int d = 0; d < ndim; d++)
        if (shape[d] > 1 && strides[d] != out->strides[d]) return false;
    return true;
}

/* The device of a call whose arrays must lie together (NULLs are passed over); GA_DEVICE_DEFAULT with an error if they do not. Without
   any array: the default device. */
static ga_device gi_common_device(const char *site, int n, const ga_array *const *arrays)
{
    const ga_array *first = NULL;
    for (int k = 0; k < n; k++) {
        if (!arrays[k]) continue;
        if (!first) first = arrays[k];
        if (arrays[k]->device == first->device) continue;
        gi_fail(site, GA_BAD_DEVICE,
                "an array of shape %s is on the %s and one of shape %s on the %s: bring them together with ga_to(a, %s)",
                gi_shape_of(first), first->device == GA_CPU ? "CPU" : "GPU", gi_shape_of(arrays[k]),
                arrays[k]->device == GA_CPU ? "CPU" : "GPU", first->device == GA_CPU ? "GA_CPU" : "GA_CUDA");
        return GA_DEVICE_DEFAULT;
    }
    if (first && first->device == GA_CUDA && !gi_gpu->touch(site, n, arrays)) return GA_DEVICE_DEFAULT;
    return first ? first->device : gi_default_device;
}

/* All bytes of a new array become 0. */
static bool gi_array_clear(const char *site, ga_array *a)
{
    if (a->device == GA_CUDA) return gi_gpu->clear(site, a);
    memset(a->data, 0, (size_t)(a->size * ga_itemsize(a->dtype)));
    return true;
}

/* The strides of GA_INDEX: those of a C-ordered array of single bytes. */
static void gi_place_strides(gi_job *j)
{
    int64_t below = 1;
    memset(&j->place, 0, sizeof j->place);
    j->first_place = 0;
    j->place.dtype = j->place.wanted = GA_U8;
    for (int d = j->ndim - 1; d >= 0; d--) {
        j->place.strides[d] = below;
        below *= j->shape[d];
    }
}

/* Copies src, broadcast, to where mask is true in dst (NULL: everywhere), and casts it. They lie on one device and share no memory. False
   with an error. */
static bool gi_copy_into(const char *site, ga_array *dst, const ga_array *src, const ga_array *mask)
{
    const ga_array *all[3] = { src, mask, dst };
    gi_job          j;
    if (gi_common_device(site, 3, all) == GA_DEVICE_DEFAULT) return false;
    j.kernel = gi_copying.cpu;
    j.gpu    = gi_copying.gpu;
    j.own    = gi_copying.own;
    j.inputs = j.outputs = 1;
    j.masked             = mask != NULL;
    j.ndim               = dst->ndim;
    memcpy(j.shape, dst->shape, sizeof j.shape);
    gi_operand_of(&j.in[0], src, dst->dtype, j.ndim, j.shape);
    if (mask) gi_operand_of(&j.mask, mask, GA_BOOL, j.ndim, j.shape);
    gi_operand_of(&j.out, dst, dst->dtype, j.ndim, j.shape);
    gi_place_strides(&j);
    if (dst->device == GA_CUDA) return gi_gpu->run(site, &j);
    gi_job_run(&j, GI_CHEAP);
    return true;
}

/* Is it an array in CPU memory whose elements are there, packed, and of this shape? Otherwise no error is made. */
static bool gi_map_is_ready(const ga_array *a, int ndim, const int64_t *shape)
{
    if (!gi_array_is_given(a) || a->alive != GI_ALIVE || a->device != GA_CPU || gi_is_deferred(a)) return false;
    if (a->owner && __atomic_load_n(&a->owner->copying, __ATOMIC_RELAXED)) return false;
    return gi_shape_equal(ndim, shape, a->ndim, a->shape) && gi_is_packed(a);
}

/* A new C-ordered array with the elements of a, which are there, cast to dtype. */
static ga_array *gi_copy_new(const char *site, const ga_array *a, ga_dtype dtype)
{
    ga_array    *copy  = gi_array_new(site, dtype, a->device, a->ndim, a->shape);
    const double bytes = (double)a->size * (double)(ga_itemsize(dtype) + ga_itemsize(a->dtype));
    if (copy && a->size > 0 && bytes < GI_WORTH_SHARING && gi_map_is_ready(a, a->ndim, a->shape)) { /* nothing to plan */
        GI_SETTLE_FLOATS;
        if (a->dtype == dtype) memcpy(copy->data, a->data, (size_t)(a->size * ga_itemsize(dtype)));
        else gi_cast(dtype, a->dtype, a->size, copy->data, a->data);
        return copy;
    }
    if (!copy || gi_copy_into(site, copy, a, NULL)) return copy;
    ga_free(copy);
    return NULL;
}

/* What an elementwise call works on. */
typedef struct gi_map_call {
    const char            *site;
    gi_function            function; /* all NULL: a copy of input 0 */
    int                    cost, inputs, outputs;
    const ga_arg          *in;
    const ga_dtype        *wanted; /* the dtypes in which the kernel takes the inputs */
    const ga_dtype        *result; /* and in which it makes the outputs */
    const ga_dtype        *made;   /* the dtypes of new arrays */
    ga_array             **out;    /* of those that are NULL, new arrays are made */
    const ga_array        *where;
    const gi_indexed_from *index;  /* NULL: GA_INDEX counts the elements of this call */
    bool                   unread; /* results do not depend on the elements of input 0 */
} gi_map_call;

static const char *gi_out_name(const gi_map_call *c) { return c->outputs == 1 ? ".out" : "an array of .outs"; }

/* The shape of the call, and whether its arrays fit. False with an error. */
static bool gi_map_shape(const gi_map_call *c, int *ndim, int64_t *shape)
{
    *ndim = 0;
    for (int k = 0; k <= c->inputs; k++) {
        const ga_array *a = k < c->inputs ? c->in[k].array : c->where;
        if (!a || gi_shape_broadcast(ndim, shape, a->ndim, a->shape)) continue;
        const ga_array *first = c->in[0].array;
        if ((!first || first == a) && c->inputs > 1) first = c->in[1].array;
        if (!first) first = a;
        return gi_fail(c->site, GA_BAD_SHAPE,
                       "shapes %s and %s do not broadcast: lengths must be equal or 1, counted from the last axis",
                       gi_shape_of(first), gi_shape_of(a)),
               false;
    }
    int     result_ndim = *ndim;
    int64_t result_shape[GPUARR_MAX_DIMS];
    memcpy(result_shape, shape, sizeof result_shape);
    for (int k = 0; k < c->outputs; k++) {
        const ga_array *out = c->out[k];
        if (!out) continue;
        if (!gi_shape_broadcast(ndim, shape, out->ndim, out->shape) || !gi_shape_equal(*ndim, shape, out->ndim, out->shape))
            return gi_fail(c->site, GA_BAD_SHAPE, "%s has shape %s, the result %s", gi_out_name(c), gi_shape_of(out),
                           gi_shape_text(result_ndim, result_shape)),
                   false;
        if (!gi_dtype_same_kind(c->result[k], out->dtype))
            return gi_fail(c->site, GA_BAD_DTYPE,
                           "the result is %s and does not go into %s of %s: use a dtype of the same kind or ga_astype",
                           ga_dtype_name(c->result[k]), gi_out_name(c), ga_dtype_name(out->dtype)),
                   false;
        if (!gi_array_is_writable(c->site, out, gi_out_name(c))) return false;
        for (int i = 0; i < k; i++)
            if (c->out[i] && ga_may_share_memory(out, c->out[i]))
                return gi_fail(c->site, GA_BAD_ARGUMENT, "two arrays of .outs share memory: each result needs its own"), false;
    }
    return true;
}

/* The arrays that are written: those that were given, else new ones. False: none was made. */
static bool gi_map_targets(const gi_map_call *c, ga_device device, int ndim, const int64_t *shape, ga_array **target)
{
    for (int k = 0; k < c->outputs; k++) {
        target[k] = c->out[k] ? c->out[k] : gi_array_new(c->site, c->made[k], device, ndim, shape);
        if (target[k] && (c->out[k] || !c->where || gi_array_clear(c->site, target[k]))) continue;
        for (int i = 0; i <= k; i++)
            if (!c->out[i]) ga_free(target[i]);
        return false;
    }
    return true;
}

/* The name of the parameter of operand i. */
static const char *gi_own_name(const ga_kernel *k, int i)
{
    int p = 0;
    while (k->parameter[p].output || i-- > 0) p++;
    return k->parameter[p].name;
}

/* Do all numbers fit the dtypes in which the kernel takes them? False with an error. */
static bool gi_map_numbers_fit(const gi_map_call *c)
{
    const ga_kernel *own = c->function.own.kernel;
    for (int k = 0; k < c->inputs; k++) {
        char text[64];
        if (c->in[k].array || gi_number_fits(c->in[k], c->wanted[k])) continue;
        gi_number_text(c->in[k], text, sizeof text);
        if (own)
            gi_fail(c->site, GA_BAD_ARGUMENT, "the number %s does not fit parameter %s of %s (%s), which is %s", text,
                    gi_own_name(own, k), own->name, own->site, ga_dtype_name(c->wanted[k]));
        else
            gi_fail(c->site, GA_BAD_ARGUMENT, "the number %s does not fit %s: convert the array with ga_astype first", text,
                    ga_dtype_name(c->wanted[k]));
        return false;
    }
    return true;
}

/* Checks an elementwise call, and finds out its device and shape. False with an error. */
static bool gi_map_check(const gi_map_call *c, ga_device *device, int *ndim, int64_t *shape)
{
    const ga_array *all[GI_MOST_STRIDED] = { NULL };
    const int       n                    = c->inputs;
    for (int k = 0; k < n; k++)
        if ((c->in[k].array || c->in[k].kind == GA_KIND_ARRAY) &&
            !gi_array_check_half_any(c->site, c->in[k].array, gi_operand_names[k]))
            return false;
    for (int k = 0; k < c->outputs; k++)
        if (c->out[k] && !gi_array_check_half(c->site, c->out[k], gi_out_name(c))) return false;
    if (c->where && !gi_array_check_half_any(c->site, c->where, ".where")) return false;
    for (int k = 0; k < n; k++) all[k] = c->in[k].array;
    all[n] = c->where;
    for (int k = 0; k < c->outputs; k++) all[n + 1 + k] = c->out[k];
    *device = gi_common_device(c->site, n + 1 + c->outputs, all);
    if (*device == GA_DEVICE_DEFAULT || !gi_map_shape(c, ndim, shape) || !gi_map_numbers_fit(c)) return false;
    if (*device == GA_CUDA && c->function.own.kernel && !c->function.own.gpu)
        return gi_fail(c->site, GA_BAD_DEVICE,
                       "%s was compiled by a C compiler, for the CPU: put it into a .cu file, or use GA_CPU",
                       c->function.own.kernel->name),
               false;
    if (*device == GA_CUDA && c->function.cpu && !c->function.gpu && !c->function.own.kernel)
        return gi_fail(c->site, GA_BAD_DEVICE, "this has no kernel for a GPU: use GA_CPU"), false;
    return true;
}

static bool gi_map_is_deferred(const gi_map_call *c)
{
    bool deferred = c->where && gi_is_deferred(c->where);
    for (int k = 0; k < c->inputs; k++) deferred = deferred || (c->in[k].array && gi_is_deferred(c->in[k].array));
    return deferred;
}

/* An operand that is a tile of copies of its first element, as many as are needed. */
static void gi_map_repeat(gi_operand *v, ga_dtype wanted, int64_t needed, char *tile)
{
    const int     size = (int)ga_itemsize(wanted);
    const int64_t room = GI_TILE_BYTES / size;
    v->data            = tile;
    v->number          = true;
    v->crossed         = false;
    v->dtype = v->wanted = wanted;
    gi_repeat(size, needed < room ? needed : room, tile, tile);
}
static void gi_map_number(gi_operand *v, ga_arg number, ga_dtype wanted, int64_t needed, bool cpu, char *tile)
{
    gi_number_to(number, wanted, tile);
    gi_map_repeat(v, wanted, cpu ? needed : 1, tile);
}

/* An array as the job can read it: itself, or in *copy a copy of what one of .outs would overwrite too soon, or, since on the GPU there
   are no casts on the way through tiles, of what the kernel takes as another dtype. NULL with an error. */
static const ga_array *gi_map_readable(const gi_map_call *c, const gi_job *j, const ga_array *a, ga_dtype wanted, bool mask,
                                       ga_array **copy)
{
    bool clash = false, cast = a->device == GA_CUDA && a->dtype != wanted && (mask || gi_job_computes(j));
    for (int i = 0; i < c->outputs; i++)
        clash = clash || (c->out[i] && ga_may_share_memory(a, c->out[i]) && !gi_same_layout(a, j->ndim, j->shape, c->out[i]));
    if (!clash && !cast) return a;
    return *copy = gi_copy_new(c->site, a, cast ? wanted : a->dtype);
}

/* Bytes where truths are wanted need no cast: kernels take what is not 0 for true. */
static bool gi_are_truths(const ga_array *a, ga_dtype wanted)
{
    return wanted == GA_BOOL && ga_itemsize(a->dtype) == 1 && a->device == GA_CPU;
}

/* Has the array one element, broadcast or not? */
static bool gi_is_one_element(const ga_array *a)
{
    bool one = a->size > 0;
    for (int d = 0; d < a->ndim; d++) one = one && (a->shape[d] == 1 || a->strides[d] == 0);
    return one;
}

/* An operand that the kernel does not look at: the result itself, so that they lie alike, or a number that has no value. */
static void gi_map_unread(gi_operand *v, const gi_job *j, const ga_array *target, ga_dtype result, char *tile)
{
    const bool streamed = target->size * ga_itemsize(target->dtype) >= GI_STREAM_FROM;
    gi_operand_of(v, target, target->dtype, j->ndim, j->shape);
    if (target->dtype == result && !streamed) return;
    v->data   = tile;
    v->number = true;
    v->dtype = v->wanted = result;
}

/* The job's inputs and its mask; copies[k] is to be freed. False with an error. */
static bool gi_map_sources(const gi_map_call *c, gi_job *j, const ga_array *target, char (*tiles)[GI_TILE_BYTES],
                           ga_array **copies)
{
    for (int k = 0; k < c->inputs + (c->where != NULL); k++) {
        const bool      mask   = k == c->inputs;
        const ga_array *a      = mask ? c->where : c->in[k].array;
        const ga_dtype  wanted = mask ? GA_BOOL : c->wanted[k];
        gi_operand     *v      = mask ? &j->mask : &j->in[k];
        if (!a) {
            gi_map_number(v, c->in[k], wanted, target->size, target->device == GA_CPU, tiles[k]);
            continue;
        }
        if (k == 0 && c->unread && a->device == GA_CPU) {
            gi_map_unread(v, j, target, c->result[0], tiles[k]);
            continue;
        }
        if (j->kernel && !mask && a->device == GA_CPU && gi_is_one_element(a)) {
            gi_cast(wanted, a->dtype, 1, tiles[k], a->data);
            gi_map_repeat(v, wanted, target->size, tiles[k]);
            continue;
        }
        a = gi_map_readable(c, j, a, wanted, mask, &copies[k]);
        if (!a) return false;
        gi_operand_of(v, a, wanted, j->ndim, j->shape);
        if ((j->kernel || mask) && gi_are_truths(a, wanted)) v->dtype = GA_BOOL;
    }
    return true;
}

/* The GPU's kernels write their own dtypes alone, so what they make for arrays of others is made apart, and copied there. False with an
   error. */
static bool gi_map_on_gpu(const gi_map_call *c, gi_job *j, ga_array *const *target)
{
    ga_array *made[GPUARR_MAX_OUTPUTS] = { NULL };
    bool      same                     = true, ok;
    for (int k = 0; k < c->outputs; k++) same = same && target[k]->dtype == c->result[k];
    if (same || !gi_job_computes(j)) return gi_gpu->run(c->site, j);
    for (int k = 0; k < c->outputs; k++) {
        made[k] = gi_array_new(c->site, c->result[k], GA_CUDA, j->ndim, j->shape);
        if (made[k]) gi_operand_of(k == 0 ? &j->out : &j->more[k - 1], made[k], c->result[k], j->ndim, j->shape);
    }
    j->masked = false;
    ok        = true;
    for (int k = 0; k < c->outputs; k++) ok = ok && made[k];
    ok = ok && gi_gpu->run(c->site, j);
    for (int k = 0; k < c->outputs; k++) {
        ok = ok && gi_copy_into(c->site, target[k], made[k], c->where);
        ga_free(made[k]);
    }
    return ok;
}

/* Can the kernel take such an array as it lies, in place of the result, or beside its bytes from data to end? */
static bool gi_map_takes(const ga_array *a, ga_dtype wanted, ga_dtype result, const char *data, const char *end)
{
    if (a->dtype != wanted && !gi_are_truths(a, wanted)) return false;
    if (a->data == data) return a->dtype == result;
    return (const char *)a->data >= end || (const char *)a->data + a->size * ga_itemsize(a->dtype) <= data;
}

/* Is it so little work that gi_job_run would not divide it, either? */
static bool gi_map_is_short(const gi_map_call *c, int64_t size)
{
    int64_t bytes = ga_itemsize(c->result[0]);
    if (size <= GI_UNDIVIDED / c->cost) return true;
    for (int k = 0; k < c->inputs; k++) bytes += gi_array_is_given(c->in[k].array) ? ga_itemsize(c->wanted[k]) : 0;
    return (double)size * (double)(bytes * (c->cost + 1) / 2) < GI_WORTH_SHARING;
}

/* Is it a short call whose operands lie ready for the kernel? Then there is nothing to check, to plan or to convert. */
static bool gi_map_is_plain(const gi_map_call *c)
{
    const ga_array *first = c->in[0].array ? c->in[0].array : c->inputs > 1 ? c->in[1].array : NULL, *out = c->out[0];
    if (!c->function.cpu || c->outputs != 1 || c->where || c->index || !gi_array_is_given(first)) return false;
    if (first->alive != GI_ALIVE || first->size == 0 || !gi_map_is_short(c, first->size)) return false;
    const char *data = NULL, *end = NULL; /* of a new result: overlaps nothing */
    if (out) {
        if (!gi_map_is_ready(out, first->ndim, first->shape) || out->dtype != c->result[0]) return false;
        data = (const char *)out->data;
        end  = data + out->size * ga_itemsize(out->dtype);
    }
    for (int k = 0; k < c->inputs; k++) {
        const ga_array *a = c->in[k].array;
        if (!a && c->in[k].kind != GA_KIND_ARRAY && gi_number_fits(c->in[k], c->wanted[k])) continue;
        if (!gi_map_is_ready(a, first->ndim, first->shape) || !gi_map_takes(a, c->wanted[k], c->result[0], data, end))
            return false;
    }
    return out || c->made[0] == c->result[0];
}

/* Computes such a call of which some operands are numbers, into target: piece by piece, beside tiles of their copies. */
static void gi_map_beside_numbers(const gi_map_call *c, const ga_array *target)
{
    typedef char  tile[GI_TILE_BYTES];
    const char   *x[GI_MOST_INPUTS]    = { NULL };
    int64_t       step[GI_MOST_INPUTS] = { 0 }, piece = target->size;
    const int64_t size = ga_itemsize(target->dtype), n = target->size;
    GI_ARENA(tile, tiles, c->inputs);
    for (int k = 0; k < c->inputs; k++) {
        const int64_t each = ga_itemsize(c->wanted[k]);
        if (c->in[k].array) step[k] = each;
        else if (piece * each > GI_TILE_BYTES) piece = GI_TILE_BYTES / each;
    }
    for (int k = 0; k < c->inputs; k++) {
        x[k] = c->in[k].array ? (const char *)c->in[k].array->data : tiles[k];
        if (c->in[k].array) continue;
        gi_number_to(c->in[k], c->wanted[k], tiles[k]);
        gi_repeat((int)ga_itemsize(c->wanted[k]), piece, tiles[k], tiles[k]);
    }
    for (int64_t at = 0; at < n; at += piece) {
        const int64_t now = n - at < piece ? n - at : piece;
        c->function.cpu(now, (char *)target->data + at * size, x[0], x[1], x[2]);
        for (int k = 0; k < c->inputs; k++) x[k] += now * step[k];
    }
}

/* Computes such a call. False with an error. */
static bool gi_map_plain(const gi_map_call *c)
{
    const char     *x[GI_MOST_INPUTS] = { NULL };
    bool            numbers           = false;
    const ga_array *first             = c->in[0].array ? c->in[0].array : c->in[1].array;
    if (!gi_arena_check(c->site)) return false;
    if (!c->out[0]) c->out[0] = gi_array_new(c->site, c->made[0], GA_CPU, first->ndim, first->shape);
    if (!c->out[0]) return false;
    for (int k = 0; k < c->inputs; k++) {
        if (c->in[k].array) x[k] = (const char *)c->in[k].array->data;
        else numbers = true;
    }
    if (numbers) gi_map_beside_numbers(c, c->out[0]);
    else c->function.cpu(first->size, c->out[0]->data, x[0], x[1], x[2]);
    return true;
}

/* A call on chunked arrays: rounding is a call of its own. */
static bool gi_map_defer(const gi_map_call *c, int ndim, const int64_t *shape)
{
    ga_dtype    wanted[GI_MOST_INPUTS] = { c->made[0], c->made[0], c->made[0], c->made[0] };
    gi_map_call rounding               = *c;
    ga_arg      computed               = GA_ARG(0);
    ga_array   *rounded                = NULL;
    if (!gi_deferred()->map(c, ndim, shape)) return false;
    if (c->made[0] == c->result[0]) return true;
    computed          = gi_operand_arg(c->out[0]);
    rounding.function = gi_copying;
    rounding.inputs   = 1;
    rounding.in       = &computed;
    rounding.wanted   = wanted;
    rounding.result   = c->made;
    rounding.out      = &rounded;
    rounding.where    = NULL;
    const bool done   = gi_deferred()->map(&rounding, ndim, shape);
    ga_free(c->out[0]);
    c->out[0] = rounded;
    return done;
}

/* The whole of an elementwise call. False with an error, and nothing was made. */
static bool gi_map_run(const gi_map_call *c)
{
    GI_SETTLE_FLOATS;
    gi_job       j;
    ga_device    device                     = GA_CPU;
    ga_array    *target[GPUARR_MAX_OUTPUTS] = { NULL }, *copies[GI_MOST_INPUTS + 1] = { NULL };
    typedef char tile[GI_TILE_BYTES];
    if (gi_map_is_plain(c)) return gi_map_plain(c);
    if (!gi_map_check(c, &device, &j.ndim, j.shape)) return false;
    if (gi_map_is_deferred(c)) return gi_map_defer(c, j.ndim, j.shape);
    if (!gi_map_targets(c, device, j.ndim, j.shape, target)) return false;
    GI_ARENA(tile, tiles, c->inputs);
    j.kernel  = c->function.cpu;
    j.gpu     = c->function.gpu;
    j.own     = c->function.own;
    j.inputs  = c->inputs;
    j.outputs = c->outputs;
    j.masked  = c->where != NULL;
    bool ok   = gi_map_sources(c, &j, target[0], tiles, copies);
    for (int k = 0; k < c->outputs; k++)
        gi_operand_of(k == 0 ? &j.out : &j.more[k - 1], target[k], c->result[k], j.ndim, j.shape);
    gi_place_strides(&j);
    if (c->index) {
        j.first_place = c->index->first;
        memcpy(j.place.strides, c->index->strides, sizeof j.place.strides);
    }
    if (ok && device == GA_CUDA) ok = gi_map_on_gpu(c, &j, target);
    else if (ok) gi_job_run(&j, c->cost);
    for (int k = 0; k <= c->inputs; k++) ga_free(copies[k]);
    for (int k = 0; k < c->outputs; k++) {
        if (!ok && !c->out[k]) ga_free(target[k]);
        if (ok) c->out[k] = target[k];
    }
    return ok;
}

/* The same for one output. wanted[k]: the dtype in which the kernel takes input k; result: what it makes. */
static ga_array *gi_map(const char *site, gi_function kernel, int cost, int n, const ga_arg *in, const ga_dtype *wanted,
                        ga_dtype result, ga_array *out, const ga_array *where)
{
    gi_map_call c = { site, kernel, cost, n, 1, in, wanted, &result, &result, &out, where, NULL, false };
    return gi_map_run(&c) ? out : NULL;
}

/* The same for a kernel that makes float32 where the results are halves. */
static ga_array *gi_map_computed(const char *site, gi_function kernel, int cost, int n, const ga_arg *in,
                                 const ga_dtype *wanted, ga_dtype result, ga_array *out, const ga_array *where)
{
    const ga_dtype computed = gi_dtype_computed(result);
    gi_map_call    c        = { site, kernel, cost, n, 1, in, wanted, &computed, &result, &out, where, NULL, false };
    return gi_map_run(&c) ? out : NULL;
}
