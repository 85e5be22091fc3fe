/* ==== >>creation: new arrays ====================================================================================== */

/* ---- all elements alike ------------------------------------------------------------------------------------------ */

typedef struct gi_fill_job {
    char       *data;
    const char *element;
    size_t      itemsize;
    bool        bytes_alike; /* 0 and -1: then memset will do */
} gi_fill_job;

static void gi_fill_range(int64_t begin, int64_t end, void *job)
{
    const size_t       longest = 1 << 15; /* so that what is copied from stays in the nearest cache */
    const gi_fill_job *j       = (const gi_fill_job *)job;
    char              *p       = j->data + (size_t)begin * j->itemsize;
    size_t             bytes   = (size_t)(end - begin) * j->itemsize;
    if (j->bytes_alike) {
        memset(p, j->element[0], bytes);
        return;
    }
    memcpy(p, j->element, j->itemsize);
    for (size_t done = j->itemsize, n; done < bytes; done += n) { /* what is filled is copied behind itself */
        n = done < longest ? done : longest;
        if (n > bytes - done) n = bytes - done;
        memcpy(p + done, p, n);
    }
}

/* Fills a new array with an element of its dtype. */
static bool gi_fill(const char *site, ga_array *a, const void *element)
{
    if (a->device == GA_CUDA) return gi_gpu->fill(site, a, element);
    gi_fill_job j = { (char *)a->data, (const char *)element, (size_t)ga_itemsize(a->dtype), true };
    for (size_t i = 1; i < j.itemsize; i++)
        if (j.element[i] != j.element[0]) j.bytes_alike = false;
    gi_parallel_bytes((double)a->size * (double)j.itemsize, a->size, 1 << 16, gi_fill_range, &j);
    return true;
}

static bool gi_operand_is_number(ga_arg v) { return !v.array && v.kind != GA_KIND_ARRAY; }

/* The number as one element of a dtype. False if it does not fit: integers as they are (NumPy 2), real numbers after their fraction
   is cut off. */
static bool gi_number_make(ga_arg v, ga_dtype dtype, void *element)
{
    if (v.kind == GA_KIND_COMPLEX ? !gi_is_complex(dtype) : !gi_number_fits(v, dtype)) return false;
    gi_number_to(v, dtype, element);
    if (v.kind != GA_KIND_REAL || !gi_is_int(dtype)) return true;
    double back; /* it has been limited to the range of the dtype: has that changed it? */
    gi_cast(GA_F64, dtype, 1, &back, element);
    return back == trunc(v.re);
}

/* The same; it must fit. */
static bool gi_number_element(const char *site, ga_arg v, ga_dtype dtype, void *element)
{
    if (gi_number_make(v, dtype, element)) return true;
    char text[64];
    gi_number_text(v, text, sizeof text);
    gi_fail(site, GA_BAD_DTYPE, "%s does not fit %s", text, ga_dtype_name(dtype));
    return false;
}

/* Does the number that an option gives for elements fit their dtype? False with an error. */
static bool gi_option_fits_dtype(const char *site, const char *name, double v, ga_dtype dtype)
{
    char element[16];
    if (gi_number_make(GA_ARG(v), dtype, element)) return true;
    gi_fail(site, GA_BAD_DTYPE, ".%s = %.9g does not fit %s", name, v, ga_dtype_name(dtype));
    return false;
}

/* Which memory do the options ask for? */
static gi_memory gi_memory_of(const ga_new_options *o) { return o->pinned ? GI_PINNED : o->managed ? GI_MANAGED : GI_ORDINARY; }

/* A new array of the options' kind, with any content. */
static ga_array *gi_new_empty(int ndim, const int64_t *shape, const ga_new_options *o)
{
    if (o->chunks.ndim != 0)
        return (ga_array *)gi_fail(o->site, GA_BAD_ARGUMENT,
                                   "this call makes an array in memory, it has no .chunks: ga_zeros and its like do");
    ga_device device = gi_device_meant(o->device);
    if (o->pinned && o->managed)
        return (ga_array *)gi_fail(o->site, GA_BAD_ARGUMENT, "memory is .pinned or .managed, not both");
    if (o->pinned && device == GA_CUDA)
        return (ga_array *)gi_fail(o->site, GA_BAD_DEVICE,
                                   ".pinned memory is on the CPU: leave it out, or say .device = GA_CPU");
    if (o->managed && device == GA_CPU)
        return (ga_array *)gi_fail(o->site, GA_BAD_DEVICE, ".managed memory is of the GPU: say .device = GA_CUDA");
    return gi_array_new_in(o->site, gi_memory_of(o), o->dtype, device, ndim, shape);
}

static ga_array *gi_new_full(int ndim, const int64_t *shape, ga_arg value, ga_new_options o)
{
    const char *site = o.site;
    if (o.chunks.ndim != 0) return gi_can_defer(o.site) ? gi_deferred()->full(ndim, shape, value, &o) : NULL;
    ga_array *a = gi_new_empty(ndim, shape, &o);
    if (!a) return NULL;
    bool done = true;
    if (gi_operand_is_number(value)) {
        ga_c128 element; /* room and alignment for an element of any dtype */
        done = gi_number_element(site, value, a->dtype, &element);
        done = done && gi_fill(site, a, &element);
    } else {
        ga_shape all;
        all.ndim = ndim;
        for (int d = 0; d < ndim; d++) all.n[d] = shape[d];
        ga_array *stretched = (ga_broadcast_to)(value.array, all, site);
        done                = stretched && gi_copy_assign(site, a, stretched);
        ga_free(stretched);
    }
    if (done) return a;
    ga_free(a);
    return NULL;
}

ga_array *(ga_empty_n)(int ndim, const int64_t *shape, ga_new_options o)
{
    return gi_options_new(&o) ? gi_new_empty(ndim, shape, &o) : NULL;
}
ga_array *(ga_empty)(ga_shape shape, ga_new_options o)
{
    return gi_options_new(&o) ? gi_new_empty(shape.ndim, shape.n, &o) : NULL;
}
ga_array *(ga_zeros_n)(int ndim, const int64_t *shape, ga_new_options o)
{
    return gi_options_new(&o) ? gi_new_full(ndim, shape, GA_ARG(0), o) : NULL;
}
ga_array *(ga_zeros)(ga_shape shape, ga_new_options o)
{
    return gi_options_new(&o) ? gi_new_full(shape.ndim, shape.n, GA_ARG(0), o) : NULL;
}
ga_array *(ga_ones)(ga_shape shape, ga_new_options o)
{
    return gi_options_new(&o) ? gi_new_full(shape.ndim, shape.n, GA_ARG(1), o) : NULL;
}

ga_array *(ga_full)(ga_shape shape, ga_arg value, ga_new_options o)
{
    GI_SETTLE_FLOATS;
    if (!gi_options_new(&o)) return NULL;
    if (!gi_operand_is_number(value) && !gi_array_check_half(o.site, value.array, "value")) return NULL;
    if (o.dtype == GA_DTYPE_DEFAULT) o.dtype = value.array ? value.array->dtype : gi_number_dtype(value);
    return gi_new_full(shape.ndim, shape.n, value, o);
}

ga_array *(ga_scalar)(ga_arg value, ga_new_options o)
{
    ga_shape none = { 0, { 0 } };
    return (ga_full)(none, value, o);
}

/* What is not given is taken from a. */
static bool gi_like(const ga_array *a, ga_new_options *o)
{
    if (!gi_options_new(o) || !gi_array_is_alive(o->site, a, "a")) return false;
    if (o->dtype == GA_DTYPE_DEFAULT) o->dtype = a->dtype;
    if (o->device == GA_DEVICE_DEFAULT) o->device = a->device;
    return true;
}

ga_array *(ga_empty_like)(const ga_array *a, ga_new_options o)
{
    return gi_like(a, &o) ? gi_new_empty(a->ndim, a->shape, &o) : NULL;
}
ga_array *(ga_full_like)(const ga_array *a, ga_arg value, ga_new_options o)
{
    GI_SETTLE_FLOATS;
    if (!gi_like(a, &o)) return NULL;
    if (gi_is_deferred(a) && o.chunks.ndim == 0) o.chunks = gi_deferred()->chunks(a);
    return gi_new_full(a->ndim, a->shape, value, o);
}
ga_array *(ga_zeros_like)(const ga_array *a, ga_new_options o) { return (ga_full_like)(a, GA_ARG(0), o); }
ga_array *(ga_ones_like)(const ga_array *a, ga_new_options o) { return (ga_full_like)(a, GA_ARG(1), o); }

/* ---- memory and numbers of the caller ---------------------------------------------------------------------------- */

static ga_array *gi_wrap(const char *site, void *p, ga_dtype dtype, const ga_shape *shape, const int64_t *strides)
{
    gi_layout l;
    int64_t   c_strides[GPUARR_MAX_DIMS];
    l.data = (char *)p;
    l.ndim = shape->ndim;
    if (!gi_dtype_check(site, dtype) || !gi_shape_check(site, shape->ndim, shape->n)) return NULL;
    int64_t bytes = gi_shape_c_strides(dtype, shape->ndim, shape->n, c_strides);
    if (bytes < 0)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "shape %s has more elements than can be counted",
                                   gi_shape_text(shape->ndim, shape->n));
    if (bytes > 0 && !p) return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT, "the pointer is NULL");
    int64_t reach = ga_itemsize(dtype), below = 0;
    for (int d = 0; d < l.ndim; d++) {
        int64_t far;
        l.shape[d]   = shape->n[d];
        l.strides[d] = strides ? strides[d] : c_strides[d];
        if (bytes == 0) continue;
        if (l.strides[d] == INT64_MIN || __builtin_mul_overflow(l.shape[d] - 1, l.strides[d], &far) || far == INT64_MIN ||
            __builtin_add_overflow(reach, far < 0 ? -far : far, &reach))
            return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT, "the strides %s reach beyond any memory",
                                       gi_shape_text(l.ndim, strides));
        if (far < 0) below -= far;
    }
    if (!gi_is_aligned(dtype, &l))
        return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT,
                                   "the elements are not aligned as %s must be: copy them to aligned memory first",
                                   ga_dtype_name(dtype));
    gi_buffer *b = (gi_buffer *)gi_mem_alloc(site, sizeof *b);
    if (!b) return NULL;
    memset(b, 0, sizeof *b);
    b->references = 1;
    b->device     = GA_CPU;
    b->base       = p;
    b->bytes      = bytes == 0 ? 0 : (size_t)reach;
    b->below      = below;
    b->wrapped    = true;
    return gi_array_new_handle(site, b, p, dtype, GA_CPU, l.ndim, l.shape, l.strides);
}

static ga_array *gi_wrap_with(void *p, ga_dtype dtype, const ga_shape *shape, const int64_t *strides, const ga_wrap_options *o)
{
    ga_device device = o->device == GA_DEVICE_DEFAULT ? GA_CPU : o->device;
    if (!gi_device_check(o->site, device)) return NULL;
    int  ordinal = gi_gpu ? gi_gpu->selected() : 0;
    bool managed = false;
    if (gi_gpu && !gi_gpu->owner(o->site, p, device, &ordinal, &managed)) return NULL;
    ga_array *a = gi_wrap(o->site, p, dtype, shape, strides);
    if (!a) return NULL;
    if (device == GA_CUDA) {
        a->device = device;
        gi_gpu->adopt(a->owner, ordinal, managed);
    }
    a->owner->release = o->release; /* only now, so that after an error the memory is still the caller's */
    a->owner->user    = o->user;
    return a;
}

ga_array *(ga_wrap)(void *p, ga_dtype dtype, ga_shape shape, ga_wrap_options o)
{
    return gi_wrap_with(p, dtype, &shape, NULL, &o);
}

ga_array *(ga_wrap_strided)(void *p, ga_dtype dtype, ga_shape shape, ga_shape strides, ga_wrap_options o)
{
    if (strides.ndim != shape.ndim)
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE,
                                   "%d strides for %d dimensions: give the bytes from one element to the next on each axis",
                                   strides.ndim, shape.ndim);
    return gi_wrap_with(p, dtype, &shape, strides.n, &o);
}

ga_array *(ga_from)(const void *p, ga_dtype dtype, ga_shape shape, ga_from_options given)
{
    ga_new_options o = ga_new_defaults;
    o.site           = given.site;
    o.dtype          = given.dtype;
    o.device         = given.device;
    o.pinned         = given.pinned;
    o.managed        = given.managed;
    if (!gi_options_new(&o)) return NULL;
    ga_array *numbers = gi_wrap(o.site, (void *)p, dtype, &shape, NULL);
    if (numbers && given.swapped) {
        ga_array *copy = gi_copy_convert(o.site, numbers, dtype);
        ga_free(numbers);
        numbers = copy;
        if (numbers) gi_repair_elements(numbers->data, numbers->size, dtype, true);
    }
    if (!numbers) return NULL;
    if (o.dtype == GA_DTYPE_DEFAULT) o.dtype = dtype;
    ga_array *a    = gi_new_empty(shape.ndim, shape.n, &o);
    bool      done = a != NULL;
    if (a && a->device == GA_CUDA) {
        ga_array *packed = gi_copy_contiguous(o.site, numbers, a->dtype);
        done             = packed && gi_gpu->upload(o.site, a, packed);
        ga_free(packed);
    } else if (a) {
        done = gi_copy_assign(o.site, a, numbers);
    }
    if (a && !done) {
        ga_free(a);
        a = NULL;
    }
    ga_free(numbers);
    return a;
}
