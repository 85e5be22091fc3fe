/* ---- nodes: generators -------------------------------------------------------------------------------------------------------- */

#define GI_PLAN_BYTES sizeof(gi_draws_plan) /* the largest generator's */
typedef struct gi_generator_plan {
    gi_generator generator;
    ga_dtype     from;
    double       plan[GI_PLAN_BYTES / sizeof(double)];
} gi_generator_plan;

/* Elements begin, begin + step ... of a generator, packed, as `to`. */
static void gi_generate_some(const gi_generator_plan *p, ga_dtype to, int64_t begin, int64_t n, int64_t step, char *out)
{
    double  block[GI_GENERATE_BLOCK];
    int64_t from_size = ga_itemsize(p->from), to_size = ga_itemsize(to), most = (int64_t)sizeof block / from_size;
    if (step == 1 && begin % 4 == 0 && p->from == to) {
        p->generator.cpu(p->plan, begin, n, out);
        return;
    }
    for (int64_t i = 0, count; i < n; i += count) {
        int64_t first = begin + i * step, before = first % 4; /* generators begin at multiples of 4 */
        count = step > 1 ? 1 : n - i < most - before ? n - i : most - before;
        if (count == 1 && p->generator.cpu == gi_make_random) {
            before = 0;
            gi_make_random_one((const gi_random_plan *)(const void *)p->plan, first, block);
        } else {
            p->generator.cpu(p->plan, first - before, before + count, block);
        }
        const char *x = (const char *)block + before * from_size;
        if (p->from == to) memcpy(out + i * to_size, x, (size_t)(count * to_size));
        else gi_cast(to, p->from, count, out + i * to_size, x);
    }
}

/* Where the elements of a box stand among all of the node, in C order. */
static gi_indexed_from gi_box_index(const gi_lazy *n, const gi_box *box)
{
    gi_indexed_from index;
    int64_t         below = 1;
    memset(&index, 0, sizeof index);
    for (int d = n->ndim - 1; d >= 0; d--) {
        index.strides[d] = box->step[d] * below;
        index.first += box->start[d] * below;
        below *= n->shape[d];
    }
    return index;
}

/* Row by row, along the last axis of the box. */
static ga_array *gi_eval_generator(gi_worker *w, const gi_lazy *n, const gi_box *box, ga_array *out)
{
    const gi_generator_plan *p      = (const gi_generator_plan *)n->plan;
    const ga_device          device = p->generator.gpu ? w->device : GA_CPU;
    if (!out || out->device != device || !ga_is_contiguous(out)) out = NULL;
    ga_array *r = out ? gi_array_hold(n->site, out) : gi_array_new(n->site, n->dtype, device, n->ndim, box->count);
    if (!r || r->size == 0) return r;
    if (device == GA_CUDA) {
        gi_indexed_from from = gi_box_index(n, box);
        if (gi_gpu->generate(n->site, r, p->from, (int)p->generator.gpu, p->plan, &from)) return r;
        ga_free(r);
        return NULL;
    }
    int     last  = n->ndim - 1;
    int64_t count = last >= 0 ? box->count[last] : 1, itemsize = ga_itemsize(n->dtype);
    for (int64_t row = 0; row < r->size / count; row++) {
        int64_t rest = row, begin = 0, length = 1; /* the row's first element, counted in the node */
        for (int d = last; d >= 0; d--) {
            int64_t i = d == last ? 0 : rest % box->count[d];
            if (d < last) rest /= box->count[d];
            begin += (box->start[d] + i * box->step[d]) * length;
            length *= n->shape[d];
        }
        gi_generate_some(p, n->dtype, begin, count, last >= 0 ? box->step[last] : 1, (char *)r->data + row * count * itemsize);
    }
    return r;
}
GI_TABLE(gi_lazy_kind, gi_kind_generator, { "generated", gi_eval_generator, GI_LOCAL | GI_ON_GPU, NULL })

static ga_array *gi_chunked_generator(const char *site, ga_dtype dtype, ga_device device, const ga_shape *shape, ga_dtype from,
                                      const gi_generator *generator, const void *plan, size_t plan_bytes,
                                      const ga_shape *chunks)
{
    gi_generator_plan p;
    memset(&p, 0, sizeof p);
    p.generator = *generator;
    p.from      = from;
    memcpy(p.plan, plan, plan_bytes);
    if (dtype == GA_DTYPE_DEFAULT) dtype = GA_F64;
    if (device == GA_CUDA) return (ga_array *)gi_fail(site, GA_BAD_DEVICE, "chunked arrays are on the CPU: leave .device out");
    ga_array *r = gi_lazy_new(site, gi_kind_generator(), dtype, shape->ndim, shape->n, 0, NULL, &p, sizeof p);
    if (r && gi_chunk_set_lengths(site, r->owner->node, chunks)) return r;
    ga_free(r);
    return NULL;
}

static void gi_make_alike(const void *plan, int64_t begin, int64_t n, void *out)
{
    const gi_alike_plan *p = (const gi_alike_plan *)plan;
    (void)begin;
    for (int64_t i = 0; i < n; i++) memcpy((char *)out + i * p->size, p->element, (size_t)p->size);
}

GI_TABLE(gi_generator, gi_alike_generator, { gi_make_alike, GI_MAKES_ALIKE })

/* Ones on a diagonal. */
typedef struct gi_eye_plan {
    int64_t cols, k;
} gi_eye_plan;

static void gi_make_eye(const void *plan, int64_t begin, int64_t n, void *out)
{
    const gi_eye_plan *p   = (const gi_eye_plan *)plan;
    bool              *one = (bool *)out;
    int64_t            row = begin / p->cols, col = begin % p->cols;
    for (int64_t i = 0; i < n; i++) {
        one[i] = col - row == p->k;
        if (++col == p->cols) row++, col = 0;
    }
}

static ga_array *gi_chunked_eye(const ga_shape *shape, int64_t k, const ga_new_options *o)
{
    const gi_generator eye = { gi_make_eye, GI_MAKES_NOTHING };
    gi_eye_plan        p   = { shape->n[1], k };
    return gi_chunked_generator(o->site, o->dtype, o->device, shape, GA_BOOL, &eye, &p, sizeof p, &o->chunks);
}

static ga_array *gi_chunked_full(int ndim, const int64_t *shape, ga_arg value, const ga_new_options *o)
{
    gi_alike_plan p;
    ga_shape      all;
    ga_dtype      dtype = o->dtype ? o->dtype : GA_F64;
    if (!gi_dtype_check(o->site, dtype) || !gi_shape_check(o->site, ndim, shape)) return NULL;
    memset(&p, 0, sizeof p);
    memset(&all, 0, sizeof all);
    all.ndim = ndim;
    for (int d = 0; d < ndim; d++) all.n[d] = shape[d];
    p.size = ga_itemsize(dtype);
    if (!gi_operand_is_number(value)) {
        ga_array *a =
            gi_array_check_half_any(o->site, value.array, "the value") ? (ga_broadcast_to)(value.array, all, o->site) : NULL;
        ga_array *c = a ? gi_array_hold(o->site, a) : NULL, *r = NULL;
        if (c) r = (ga_chunked)(c, o->chunks, o->site);
        ga_free(a);
        ga_free(c);
        if (!r || r->dtype == dtype) return r;
        ga_array *cast = gi_copy_convert(o->site, r, dtype);
        ga_free(r);
        return cast;
    }
    if (!gi_number_element(o->site, value, dtype, p.element)) return NULL;
    return gi_chunked_generator(o->site, dtype, o->device, &all, dtype, gi_alike_generator(), &p, sizeof p, &o->chunks);
}
