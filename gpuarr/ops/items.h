/* ---- numbers for the caller -------------------------------------------------------------------------------------- */

/* The address of the only element, or of the one at *index; NULL with an error. */
static const void *gi_element_at(const char *site, const ga_array *a, const ga_shape *index)
{
    if (!gi_array_check_half(site, a, "a")) return NULL;
    if (!index) {
        if (a->size == 1) return a->data;
        return gi_fail(site, GA_BAD_SHAPE, "shape %s has %lld elements, not one: use ga_item_at(a, ...)", gi_shape_of(a),
                       (long long)a->size);
    }
    if (index->ndim != a->ndim) return gi_fail(site, GA_BAD_ARGUMENT, "%d indices for %d dimensions", index->ndim, a->ndim);
    const char *p = (const char *)a->data;
    for (int d = 0; d < a->ndim; d++) {
        int64_t i = index->n[d], length = a->shape[d];
        if (i < -length || i >= length)
            return gi_fail(site, GA_BAD_ARGUMENT, "index %lld is out of bounds for axis %d with length %lld", (long long)i, d,
                           (long long)length);
        p += (i < 0 ? i + length : i) * a->strides[d];
    }
    return p;
}

/* The element as a double, an int64 or a complex number. */
static bool gi_item_as(const char *site, const ga_array *a, const ga_shape *index, ga_dtype dtype, void *number)
{
    GI_SETTLE_FLOATS;
    const void *p = gi_element_at(site, a, index);
    if (!p) return false;
    if (gi_is_complex(a->dtype) && dtype != GA_C128) {
        gi_fail(site, GA_BAD_DTYPE, "a %s is two numbers: ga_item_complex, or take ga_real or ga_imag first",
                ga_dtype_name(a->dtype));
        return false;
    }
    char element[16]; /* room for one of any dtype */
    if (a->device == GA_CUDA && !gi_gpu->read(site, a, p, element)) return false;
    gi_cast(dtype, a->dtype, 1, number, a->device == GA_CUDA ? element : p);
    return true;
}

double(ga_item)(const ga_array *a, const char *site)
{
    double x;
    return gi_item_as(site, a, NULL, GA_F64, &x) ? x : (double)NAN;
}

/* The element as an int64; 0 with an error. */
static int64_t gi_item_int(const char *site, const ga_array *a, const ga_shape *index)
{
    int64_t x = 0;
    if (!gi_item_as(site, a, index, GA_I64, &x)) return 0;
    if (a->dtype != GA_U64 || x >= 0) return x;
    gi_fail(site, GA_BAD_DTYPE, "%llu does not fit int64: use ga_data(a, GA_U64)", (unsigned long long)x);
    return 0;
}

int64_t(ga_item_int)(const ga_array *a, const char *site) { return gi_item_int(site, a, NULL); }

double(ga_item_at)(const ga_array *a, ga_shape index, const char *site)
{
    double x;
    return gi_item_as(site, a, &index, GA_F64, &x) ? x : (double)NAN;
}

ga_c128(ga_item_complex)(const ga_array *a, const char *site)
{
    ga_c128 z;
    return gi_item_as(site, a, NULL, GA_C128, &z) ? z : gi_make_c128((double)NAN, (double)NAN);
}

ga_c128(ga_item_complex_at)(const ga_array *a, ga_shape index, const char *site)
{
    ga_c128 z;
    return gi_item_as(site, a, &index, GA_C128, &z) ? z : gi_make_c128((double)NAN, (double)NAN);
}

int64_t(ga_item_int_at)(const ga_array *a, ga_shape index, const char *site) { return gi_item_int(site, a, &index); }

/* Are the elements of exactly this dtype, one behind the other? */
static bool gi_is_plain(const char *site, const ga_array *a, ga_dtype dtype)
{
    if (a->dtype != dtype)
        gi_fail(site, GA_BAD_DTYPE, "the array is %s, not %s: ga_astype first", ga_dtype_name(a->dtype), ga_dtype_name(dtype));
    else if (!ga_is_contiguous(a))
        gi_fail(site, GA_BAD_SHAPE, "the elements do not lie one behind the other: ga_ascontiguous first");
    else return true;
    return false;
}

void *(ga_data)(const ga_array *a, ga_dtype dtype, const char *site)
{
    if (!gi_array_check_half(site, a, "a")) return NULL;
    if (a->device != GA_CPU && (!a->owner || a->owner->memory != GI_MANAGED))
        return gi_fail(site, GA_BAD_DEVICE, "the array is on the GPU: ga_to(a, GA_CPU) first");
    if (!gi_is_plain(site, a, dtype)) return NULL;
    return a->device == GA_CUDA ? gi_gpu->managed_data(site, a) : a->data;
}
