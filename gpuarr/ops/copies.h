/* ---- copies, casts, choices ------------------------------------------------------------------------------------------ */

/* dst[...] = src where mask, whatever the dtypes. */
static bool gi_copy_assign_where(const char *site, ga_array *dst, ga_arg src, const ga_array *mask)
{
    ga_dtype wanted[GI_MOST_INPUTS] = { dst->dtype, dst->dtype, dst->dtype, dst->dtype };
    return gi_map(site, gi_copying, GI_CHEAP, 1, &src, wanted, dst->dtype, dst, mask) != NULL;
}

static bool gi_copy_assign(const char *site, ga_array *dst, const ga_array *src)
{
    return gi_copy_assign_where(site, dst, gi_operand_arg(src), NULL);
}

/* A new C-ordered array with the elements of a, cast to dtype. */
static ga_array *gi_copy_convert(const char *site, const ga_array *a, ga_dtype dtype)
{
    if (gi_is_deferred(a)) {
        ga_arg   in                     = gi_operand_arg(a);
        ga_dtype wanted[GI_MOST_INPUTS] = { dtype, dtype, dtype, dtype };
        return gi_map(site, gi_copying, GI_CHEAP, 1, &in, wanted, dtype, NULL, NULL);
    }
    return gi_copy_new(site, a, dtype);
}

/* A C-contiguous array of that dtype: another view of a if it is one already, else a converted copy. */
static ga_array *gi_copy_contiguous(const char *site, const ga_array *a, ga_dtype dtype)
{
    if (a->dtype == dtype && ga_is_contiguous(a))
        return gi_array_new_view(site, a, a->data, a->dtype, a->ndim, a->shape, a->strides);
    return gi_copy_convert(site, a, dtype);
}

/* A bool array as packed bytes that are 0 or 1, for what looks at the bytes of elements. */
static ga_array *gi_copy_truths(const char *site, const ga_array *a)
{
    ga_array *bytes  = gi_array_new_view(site, a, a->data, GA_U8, a->ndim, a->shape, a->strides);
    ga_array *truths = bytes ? gi_copy_convert(site, bytes, GA_BOOL) : NULL;
    ga_free(bytes);
    return truths;
}

/* n packed elements as another machine or a file had them, perhaps in the other byte order, become elements of ours. */
static void gi_repair_elements(void *data, int64_t n, ga_dtype dtype, bool swapped)
{
    const int64_t  parts = gi_is_complex(dtype) ? 2 : 1, width = ga_itemsize(dtype) / parts; /* of what is swapped */
    unsigned char *begin = (unsigned char *)data, *end = begin + n * parts * width;
    for (unsigned char *b = begin; swapped && b < end; b += width)
        for (int64_t i = 0; i < width / 2; i++) {
            const unsigned char byte = b[i];
            b[i]                     = b[width - 1 - i];
            b[width - 1 - i]         = byte;
        }
    for (unsigned char *b = begin; dtype == GA_BOOL && b < end; b++) *b = *b != 0; /* any nonzero byte means true */
}

ga_array *(ga_copy)(const ga_array *a, const char *site)
{
    return gi_array_check_half_any(site, a, "a") ? gi_copy_convert(site, a, a->dtype) : NULL;
}

ga_array *(ga_astype)(const ga_array *a, ga_dtype dtype, const char *site)
{
    if (!gi_array_check_half_any(site, a, "a") || !gi_dtype_check(site, dtype)) return NULL;
    return gi_copy_convert(site, a, dtype);
}

ga_array *(ga_ascontiguous)(const ga_array *a, const char *site)
{
    return gi_array_check_half_any(site, a, "a") ? gi_copy_contiguous(site, a, a->dtype) : NULL;
}

/* Can all of a be copied into `out` on a device, as it is? */
static bool gi_copy_fits_into(const char *site, const ga_array *a, ga_device device, const ga_array *out)
{
    if (out->device != device)
        gi_fail(site, GA_BAD_DEVICE, ".out is on the %s, not on the %s", out->device == GA_CPU ? "CPU" : "GPU",
                device == GA_CPU ? "CPU" : "GPU");
    else if (out->dtype != a->dtype)
        gi_fail(site, GA_BAD_DTYPE, ".out is %s, the array %s: ga_astype first", ga_dtype_name(out->dtype),
                ga_dtype_name(a->dtype));
    else if (!ga_same_shape(a, out))
        gi_fail(site, GA_BAD_SHAPE, ".out has shape %s, the array %s", gi_shape_of(out), gi_shape_of(a));
    else return gi_array_is_writable(site, out, ".out");
    return false;
}

/* ga_to when the array or the destination is on a GPU, which moves packed memory of the CPU. */
static ga_array *gi_between_devices(const ga_array *a, ga_device device, ga_to_options o)
{
    ga_array *packed = a->device == GA_CPU ? gi_copy_contiguous(o.site, a, a->dtype) : NULL, *out = o.out;
    if (a->device == GA_CPU && !packed) return NULL;
    bool between = out && out->device == GA_CPU && !ga_is_contiguous(out); /* then by another array */
    if (between) o.out = NULL;
    if (between || (packed && packed->data != a->data)) o.async = false; /* what dies here is waited for */
    ga_array *to = gi_gpu->bring(o.site, packed ? packed : a, device, &o);
    ga_free(packed);
    if (!to || !between) return to;
    bool done = gi_copy_assign(o.site, out, to);
    ga_free(to);
    return done ? out : NULL;
}

static ga_array *gi_copy_to_with(const ga_array *a, ga_device device, ga_to_options o)
{
    if (!gi_array_is_alive(o.site, a, "a")) return NULL; /* not gi_array_check alone: the GPU waits for copies by itself */
    if (gi_is_deferred(a) && !gi_array_check_half(o.site, a, "a")) return NULL;
    if (o.out && !gi_array_is_alive(o.site, o.out, ".out")) return NULL;
    device = gi_device_meant(device);
    if (!gi_device_check(o.site, device)) return NULL;
    if (o.out && !gi_copy_fits_into(o.site, a, device, o.out)) return NULL;
    if (device == GA_CUDA || a->device == GA_CUDA) return gi_between_devices(a, device, o);
    if (!gi_array_check_half(o.site, a, "a")) return NULL;
    if (!o.out) return gi_copy_convert(o.site, a, a->dtype);
    return gi_copy_assign(o.site, o.out, a) ? o.out : NULL;
}

ga_array *(ga_to)(const ga_array *a, ga_device device, ga_to_options o)
{
    return gi_options_to(&o) ? gi_copy_to_with(a, device, o) : NULL;
}

/* ga_to without options, for other calls. */
static ga_array *gi_copy_to(const char *site, const ga_array *a, ga_device device)
{
    ga_to_options o = ga_to_defaults;
    o.site          = site;
    return (ga_to)(a, device, o);
}

/* The elements of a side by side on the CPU, for what looks at each of them: another view of a if they lie so already. */
static ga_array *gi_copy_on_cpu(const char *site, const ga_array *a)
{
    return a->device == GA_CPU ? gi_copy_contiguous(site, a, a->dtype) : gi_copy_to(site, a, GA_CPU);
}

/* Takes over an array, and brings it to a device (NULL is passed on). */
static ga_array *gi_copy_move(const char *site, ga_array *a, ga_device device)
{
    if (!a || a->device == device) return a;
    ga_array *there = gi_copy_to(site, a, device);
    ga_free(a);
    return there;
}

/* The same for what was read from a file, and the default device. */
static ga_array *gi_copy_to_default_device(const char *site, ga_array *a) { return gi_copy_move(site, a, gi_default_device); }

/* Does an operand go into elements of a dtype without losing its kind? The numbers 0 and 1 go into bool: they are C11's false and true.
   False with an error. */
static bool gi_copy_keeps_kind(const char *site, ga_arg v, ga_dtype into)
{
    ga_dtype from = v.array ? v.array->dtype : gi_number_dtype(v);
    if (!v.array && v.kind == GA_KIND_INT) from = gi_dtype_kind(into) >= 1 ? into : GA_I64;
    if (!v.array && v.kind == GA_KIND_UINT && gi_dtype_kind(into) >= 1) from = into;
    if (!v.array && v.kind == GA_KIND_INT && into == GA_BOOL && (v.i == 0 || v.i == 1)) from = into;
    return gi_dtype_same_kind(from, into) ||
           gi_fail(site, GA_BAD_DTYPE, "%s does not go into an array of %s without losing its kind: %s", ga_dtype_name(from),
                   ga_dtype_name(into), v.array ? "use ga_astype first" : "cast the number") != NULL;
}

ga_array *(ga_copyto)(ga_array *dst, ga_arg src, ga_copyto_options o)
{
    if (!gi_array_check_half(o.site, dst, "dst") ||
        (src.kind == GA_KIND_ARRAY && !gi_array_check_half(o.site, src.array, "src")))
        return NULL;
    if (!gi_options_copyto(&o) || (o.where && !gi_array_check_half_any(o.site, o.where, ".where"))) return NULL;
    if (!gi_copy_keeps_kind(o.site, src, dst->dtype)) return NULL;
    int     ndim = dst->ndim;
    int64_t shape[GPUARR_MAX_DIMS];
    memcpy(shape, dst->shape, sizeof shape);
    const ga_array *both[2] = { src.array, o.where };
    for (int k = 0; k < 2; k++)
        if (both[k] && (!gi_shape_broadcast(&ndim, shape, both[k]->ndim, both[k]->shape) ||
                        !gi_shape_equal(ndim, shape, dst->ndim, dst->shape)))
            return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "%s has shape %s and does not broadcast to dst's %s",
                                       k ? ".where" : "src", gi_shape_of(both[k]), gi_shape_of(dst));
    return gi_copy_assign_where(o.site, dst, src, o.where) ? dst : NULL;
}

ga_array *(ga_where)(const ga_array *condition, ga_arg x, ga_arg y, ga_map_options o)
{
    if (!gi_array_check_half_any(o.site, condition, "condition")) return NULL;
    if (!gi_options_map(&o)) return NULL;
    const ga_arg in[3] = { gi_operand_arg(condition), x, y };
    for (int k = 1; k < 3; k++)
        if (in[k].kind == GA_KIND_ARRAY && !gi_array_check_half_any(o.site, in[k].array, k == 1 ? "x" : "y")) return NULL;
    ga_dtype      dtype                  = o.dtype != GA_DTYPE_DEFAULT ? o.dtype : gi_common_dtype(2, in + 1);
    ga_dtype      wanted[GI_MOST_INPUTS] = { GA_BOOL, dtype, dtype, dtype };
    const int64_t size                   = ga_itemsize(dtype);
    gi_function   choose                 = { GI_LOOP_OF(select)((int)size), gi_gpu ? gi_gpu->choice(size) : NULL, GI_NOT_OWN };
    return gi_map(o.site, choose, GI_CHEAP, 3, in, wanted, dtype, o.out, o.where);
}
