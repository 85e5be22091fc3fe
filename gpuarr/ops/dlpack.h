/* ==== >>exchange: DLPack tensors from and to other libraries ============================================================ */

enum { GI_DL_MAJOR = 1 }; /* the version of the layout */

/* In DLPack an element is a code, its bits and lanes. */
static ga_dl_dtype gi_dl_dtype(ga_dtype d)
{
    ga_dl_dtype t;
    t.code  = d == GA_BOOL                    ? 6
              : gi_is_complex(d)              ? 5
              : d == GA_BF16                  ? 4
              : gi_is_float(d) || d == GA_F16 ? 2
              : gi_is_unsigned(d)             ? 1
                                              : 0;
    t.bits  = (uint8_t)(8 * ga_itemsize(d));
    t.lanes = 1;
    return t;
}

static bool gi_dl_copy_check(const char *site, ga_copy_mode copy)
{
    return (copy >= GA_COPY_IF_NEEDED && copy <= GA_COPY_NEVER) ||
           gi_fail(site, GA_BAD_ARGUMENT, ".copy is GA_COPY_IF_NEEDED, GA_COPY_ALWAYS or GA_COPY_NEVER") != NULL;
}

/* ---- to ---------------------------------------------------------------------------------------------------------------------- */

/* A tensor of ours: one block, with a reference to the memory of the array, which may be freed before it. */
typedef struct gi_dl_export {
    union {
        ga_dl_versioned versioned;
        ga_dl_managed   unversioned;
    } of; /* must be first */
    gi_buffer *owner;
    int64_t    shape[GPUARR_MAX_DIMS], strides[GPUARR_MAX_DIMS];
} gi_dl_export;

static void gi_dl_end(void *tensor)
{
    gi_dl_export *e = (gi_dl_export *)tensor;
    if (e->owner && e->owner->device == GA_CUDA) gi_gpu->await_buffer(e->owner); /* what the consumer has queued */
    gi_buffer_unref(e->owner);
    gi_mem_release(e, sizeof *e);
}
static void gi_dl_end_versioned(ga_dl_versioned *t) { gi_dl_end(t); }
static void gi_dl_end_unversioned(ga_dl_managed *t) { gi_dl_end(t); }

static ga_dl_device gi_dl_device(const ga_array *a)
{
    const gi_memory memory = a->owner ? a->owner->memory : GI_ORDINARY;
    ga_dl_device    d      = { GA_DL_CPU, 0 };
    if (memory == GI_PINNED) d.device_type = GA_DL_CUDA_HOST;
    else if (a->device == GA_CUDA && memory == GI_MANAGED) d.device_type = GA_DL_CUDA_MANAGED;
    else if (a->device == GA_CUDA) d.device_type = GA_DL_CUDA, d.device_id = gi_gpu->ordinal(a);
    return d;
}

/* Is the array complete for who takes it? False with an error. */
static bool gi_dl_hand_over(const ga_array *a, const ga_to_dlpack_options *o)
{
    if (a->device != GA_CUDA) return true;
    if (a->owner && a->owner->memory == GI_MANAGED && !gi_gpu->managed_data(o->site, a)) return false; /* the CPU may read it */
    return o->stream == GA_NO_STREAM || gi_gpu->hand_over(o->site, a, o->stream);
}

/* A tensor of the array's memory. */
static gi_dl_export *gi_dl_make(const ga_array *a, const ga_to_dlpack_options *o, bool versioned, uint64_t flags)
{
    gi_dl_export *e = (gi_dl_export *)gi_mem_alloc(o->site, sizeof *e);
    if (!e || !gi_dl_hand_over(a, o)) {
        gi_mem_release(e, sizeof *e);
        return NULL;
    }
    memset(e, 0, sizeof *e);
    if (a->owner) __atomic_add_fetch(&a->owner->references, 1, __ATOMIC_RELAXED);
    e->owner        = a->owner;
    ga_dl_tensor *t = versioned ? &e->of.versioned.dl_tensor : &e->of.unversioned.dl_tensor;
    t->data         = a->size > 0 ? a->data : NULL;
    t->device       = gi_dl_device(a);
    t->ndim         = a->ndim;
    t->dtype        = gi_dl_dtype(a->dtype);
    t->shape        = e->shape;
    t->strides      = e->strides;
    for (int d = 0; d < a->ndim; d++) {
        e->shape[d]   = a->shape[d];
        e->strides[d] = a->strides[d] / ga_itemsize(a->dtype);
    }
    if (versioned) {
        e->of.versioned.version.major = GI_DL_MAJOR;
        e->of.versioned.deleter       = gi_dl_end_versioned;
        e->of.versioned.flags         = flags;
    } else {
        e->of.unversioned.deleter = gi_dl_end_unversioned;
    }
    return e;
}

static gi_dl_export *gi_to_dlpack(const ga_array *a, const ga_to_dlpack_options *o, bool versioned)
{
    if (!gi_array_check_half(o->site, a, "a") || !gi_dl_copy_check(o->site, o->copy)) return NULL;
    bool uneven = false, read_only = o->read_only || gi_array_repeats(a);
    for (int d = 0; d < a->ndim; d++) uneven = uneven || (a->shape[d] > 1 && a->strides[d] % ga_itemsize(a->dtype) != 0);
    const bool needed = uneven || (read_only && !versioned), copied = needed || o->copy == GA_COPY_ALWAYS;
    if (needed && o->copy == GA_COPY_NEVER)
        return (gi_dl_export *)gi_fail(o->site, GA_BAD_ARGUMENT, "%s: leave out .copy = GA_COPY_NEVER, and it is copied",
                                       uneven ? "the strides are no whole elements, as DLPack counts them"
                                              : "an unversioned tensor cannot say that the array is read-only");
    if (!copied) return gi_dl_make(a, o, versioned, read_only ? GA_DL_READ_ONLY : 0);
    ga_array     *c = gi_copy_convert(o->site, a, a->dtype);
    gi_dl_export *e = c ? gi_dl_make(c, o, versioned, GA_DL_IS_COPIED | (o->read_only ? GA_DL_READ_ONLY : 0)) : NULL;
    ga_free(c);
    return e;
}

ga_dl_versioned *(ga_to_dlpack)(const ga_array *a, ga_to_dlpack_options o)
{
    gi_dl_export *e = gi_to_dlpack(a, &o, true);
    return e ? &e->of.versioned : NULL;
}

ga_dl_managed *(ga_to_dlpack_unversioned)(const ga_array *a, ga_to_dlpack_options o)
{
    gi_dl_export *e = gi_to_dlpack(a, &o, false);
    return e ? &e->of.unversioned : NULL;
}

/* ---- from -------------------------------------------------------------------------------------------------------------------- */

static bool gi_dl_read_dtype(const char *site, ga_dl_dtype t, ga_dtype *dtype)
{
    static const char *const names[] = { "int", "uint", "float", "handles of ", "bfloat", "complex", "bool" };
    for (int d = GA_BOOL; d < GA_DTYPE_COUNT; d++) {
        const ga_dl_dtype ours = gi_dl_dtype((ga_dtype)d);
        *dtype                 = (ga_dtype)d;
        if (t.lanes == 1 && t.code == ours.code && t.bits == ours.bits) return true;
    }
    if (t.lanes != 1)
        return gi_fail(site, GA_BAD_DTYPE, "the elements are vectors of %d lanes: give them an axis of their own", t.lanes) !=
               NULL;
    return gi_fail(site, GA_BAD_DTYPE, "the elements are %s%d, which gpuarr cannot hold: convert them first, to float32 or so",
                   t.code <= 6 ? names[t.code] : "short floats of bits: ", t.bits) != NULL;
}

static bool gi_dl_read_device(const char *site, ga_dl_device t, ga_device *device)
{
    *device = t.device_type == GA_DL_CPU || t.device_type == GA_DL_CUDA_HOST ? GA_CPU : GA_CUDA;
    return *device == GA_CPU || t.device_type == GA_DL_CUDA || t.device_type == GA_DL_CUDA_MANAGED ||
           gi_fail(site, GA_BAD_DEVICE,
                   "the memory is on a device of type %d, and gpuarr knows those of the CPU (1), of CUDA (2), pinned (3) and "
                   "managed (13): bring it to one of these first",
                   (int)t.device_type) != NULL;
}

/* The array that a tensor is; `release` will end the tensor. NULL with an error: then it is still there. */
static ga_array *gi_dl_wrap(const char *site, const ga_dl_tensor *t, void (*release)(void *p, void *user), void *tensor)
{
    ga_wrap_options o = ga_wrap_defaults;
    ga_dtype        dtype;
    ga_shape        shape;
    int64_t         strides[GPUARR_MAX_DIMS];
    o.site    = site;
    o.release = release;
    o.user    = tensor;
    if (!gi_dl_read_device(site, t->device, &o.device) || !gi_dl_read_dtype(site, t->dtype, &dtype) ||
        !gi_shape_check(site, t->ndim, t->shape))
        return NULL;
    memset(&shape, 0, sizeof shape);
    shape.ndim = t->ndim;
    for (int d = 0; d < t->ndim; d++) shape.n[d] = t->shape[d];
    const bool empty = gi_shape_c_strides(dtype, shape.ndim, shape.n, strides) == 0;
    for (int d = 0; d < t->ndim && t->strides && !empty; d++)
        if (shape.n[d] > 1 && __builtin_mul_overflow(t->strides[d], ga_itemsize(dtype), &strides[d]))
            return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT, "the strides %s reach beyond any memory",
                                       gi_shape_text(t->ndim, t->strides));
    if (!t->data && !empty) return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT, "the tensor's data is NULL");
    if (t->byte_offset > INTPTR_MAX || t->byte_offset > UINTPTR_MAX - (uintptr_t)t->data)
        return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT, "the byte_offset reaches beyond any memory");
    char     *p = empty ? NULL : (char *)t->data + t->byte_offset;
    ga_array *a = gi_wrap_with(p, dtype, &shape, strides, &o);
    if (!a || t->device.device_type != GA_DL_CUDA || empty || gi_gpu->ordinal(a) == t->device.device_id) return a;
    gi_fail(site, GA_BAD_DEVICE, "the tensor says that it is on CUDA device %d, and its memory is on device %d",
            (int)t->device.device_id, gi_gpu->ordinal(a));
    a->owner->release = NULL;
    ga_free(a);
    return NULL;
}

/* Takes the tensor over, as an array of its memory or of a copy. */
static ga_array *gi_from_dlpack(const ga_dl_tensor *t, bool read_only, const ga_from_dlpack_options *o,
                                void (*release)(void *p, void *user), void *tensor)
{
    ga_array *a = NULL;
    read_only   = read_only && !o->read_only;
    if (gi_dl_copy_check(o->site, o->copy)) {
        if (read_only && o->copy == GA_COPY_NEVER)
            gi_fail(
                o->site, GA_BAD_ARGUMENT,
                "the tensor is read-only, and every array can be written: leave out .copy = GA_COPY_NEVER, and it is copied, "
                "or promise not to write, .read_only = true");
        else a = gi_dl_wrap(o->site, t, release, tensor);
    }
    if (!a) release(NULL, tensor);
    if (!a || (!read_only && o->copy != GA_COPY_ALWAYS)) return a;
    ga_array *c = gi_copy_convert(o->site, a, a->dtype);
    ga_free(a); /* which waits for the copy, and ends the tensor */
    return c;
}

static void gi_dl_release_versioned(void *p, void *tensor)
{
    ga_dl_versioned *t = (ga_dl_versioned *)tensor;
    (void)p;
    if (t->deleter) t->deleter(t);
}
static void gi_dl_release_unversioned(void *p, void *tensor)
{
    ga_dl_managed *t = (ga_dl_managed *)tensor;
    (void)p;
    if (t->deleter) t->deleter(t);
}

ga_array *(ga_from_dlpack)(ga_dl_versioned *tensor, ga_from_dlpack_options o)
{
    if (!tensor) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "the tensor is NULL");
    if (tensor->version.major == GI_DL_MAJOR) /* else only the deleter is where it was */
        return gi_from_dlpack(&tensor->dl_tensor, (tensor->flags & GA_DL_READ_ONLY) != 0, &o, gi_dl_release_versioned, tensor);
    gi_fail(o.site, GA_BAD_ARGUMENT, "the tensor is of version %u.%u of DLPack; 1.x is known: ask for max_version (1, 0)",
            (unsigned)tensor->version.major, (unsigned)tensor->version.minor);
    gi_dl_release_versioned(NULL, tensor);
    return NULL;
}

ga_array *(ga_from_dlpack_unversioned)(ga_dl_managed *tensor, ga_from_dlpack_options o)
{
    if (!tensor) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "the tensor is NULL");
    return gi_from_dlpack(&tensor->dl_tensor, false, &o, gi_dl_release_unversioned, tensor);
}
