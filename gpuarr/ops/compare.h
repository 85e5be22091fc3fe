/* ---- comparing whole arrays -------------------------------------------------------------------------------------------- */

#define GI_CLOSE(name, T)                                                                                                      \
    static void gi_isclose_##name(int64_t n, void *out, const void *x, const void *y, const void *z)                           \
    {                                                                                                                          \
        const T       *a = (const T *)x, *b = (const T *)y;                                                                    \
        const ga_c128 *tolerance = (const ga_c128 *)z;                                                                         \
        for (int64_t i = 0; i < n; i++) ((bool *)out)[i] = gi_close_##name(a[i], b[i], tolerance[i]);                          \
    }
GI_CLOSE(f64, double)
GI_CLOSE(c128, ga_c128)
GI_CLOSE(f64_nan, double)
GI_CLOSE(c128_nan, ga_c128)
#undef GI_CLOSE

ga_array *(ga_isclose)(ga_arg a, ga_arg b, ga_close_options o)
{
    GI_SETTLE_FLOATS;
    const ga_arg numbers[2] = { a, b };
    ga_arg       in[3]      = { a, b, a };
    for (int k = 0; k < 2; k++)
        if (in[k].kind == GA_KIND_ARRAY && !gi_array_check_half_any(o.site, in[k].array, k == 0 ? "a" : "b")) return NULL;
    memset(&in[2], 0, sizeof in[2]);
    in[2].kind = GA_KIND_COMPLEX;
    in[2].re   = o.rtol;
    in[2].im   = o.atol;
    if (in[2].re < 0 || in[2].im < 0) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "a tolerance is negative");
    bool        is_complex = gi_is_complex(gi_common_dtype(2, numbers));
    ga_dtype    dtype = is_complex ? GA_C128 : GA_F64, wanted[GI_MOST_INPUTS] = { dtype, dtype, GA_C128, dtype };
    gi_kernel   on_cpu = is_complex    ? o.equal_nan ? gi_isclose_c128_nan : gi_isclose_c128
                         : o.equal_nan ? gi_isclose_f64_nan
                                       : gi_isclose_f64;
    gi_function close  = { on_cpu, gi_gpu ? gi_gpu->closeness(is_complex, o.equal_nan) : NULL, GI_NOT_OWN };
    return gi_map(o.site, close, GI_CHEAP, 3, in, wanted, GA_BOOL, NULL, NULL);
}

/* Are all elements of a bool array true? Frees it. */
static bool gi_all_true(const char *site, ga_array *a)
{
    if (!a) return false;
    ga_array *all = (ga_all)(a, gi_reduce_site(site));
    if (all && gi_is_deferred(all)) {
        ga_array *computed = gi_deferred()->compute(site, all);
        ga_free(all);
        all = computed;
    }
    bool yes = all && (ga_item_int)(all, site) != 0;
    ga_free(all);
    ga_free(a);
    return yes;
}

static int gi_place_of(ga_arg v) { return v.array->device == GA_CPU ? -1 : gi_gpu->ordinal(v.array); }

/* Arrays that do not lie on one device that works are compared on the CPU: copies[k] is what must be freed. False with an error. */
static bool gi_bring_together(const char *site, ga_arg *a, ga_arg *b, ga_array **copies)
{
    ga_arg *both[2]  = { a, b };
    bool    together = !a->array || !b->array || gi_place_of(*a) == gi_place_of(*b);
    copies[0] = copies[1] = NULL;
    for (int k = 0; k < 2; k++) {
        const ga_array *array = both[k]->array;
        if (!array || array->device == GA_CPU || (together && gi_gpu->ordinal(array) == gi_gpu->selected())) continue;
        both[k]->array = copies[k] = gi_copy_to(site, array, GA_CPU);
        if (!copies[k]) {
            ga_free(copies[0]);
            return false;
        }
    }
    return true;
}

bool(ga_allclose)(ga_arg a, ga_arg b, ga_close_options o)
{
    GI_SETTLE_FLOATS;
    ga_array *copies[2];
    if (a.kind == GA_KIND_ARRAY && !gi_array_check_half_any(o.site, a.array, "a")) return false;
    if (b.kind == GA_KIND_ARRAY && !gi_array_check_half_any(o.site, b.array, "b")) return false;
    if (!gi_bring_together(o.site, &a, &b, copies)) return false;
    bool close = gi_all_true(o.site, (ga_isclose)(a, b, o));
    ga_free(copies[0]);
    ga_free(copies[1]);
    return close;
}

/* Packed elements of two arrays, a tile at a time, as long as they are equal. */
enum { GI_EQUAL_TILE = 2048 };
typedef struct gi_equality {
    const char *a, *b;
    int64_t     n, size;
    gi_kernel   equal;
    bool        differ; /* atomic */
} gi_equality;

static void gi_equal_tiles(int64_t begin, int64_t end, void *job)
{
    gi_equality *e = (gi_equality *)job;
    GI_ARENA(bool, same, GI_EQUAL_TILE);
    for (int64_t tile = begin; tile < end && !__atomic_load_n(&e->differ, __ATOMIC_RELAXED); tile++) {
        const int64_t first = tile * GI_EQUAL_TILE, n = e->n - first < GI_EQUAL_TILE ? e->n - first : (int64_t)GI_EQUAL_TILE;
        e->equal(n, same, e->a + first * e->size, e->b + first * e->size, NULL);
        if (memchr(same, 0, (size_t)n)) __atomic_store_n(&e->differ, true, __ATOMIC_RELAXED);
    }
}

/* Are these arrays of one shape in CPU memory, packed, and of one dtype that has a kernel? Then *equal says whether they are equal. */
static bool gi_equal_packed(const ga_array *a, const ga_array *b, bool *equal)
{
    if (!a || !b || a->device != GA_CPU || b->device != GA_CPU || gi_is_deferred(a) || gi_is_deferred(b)) return false;
    if (a->dtype != b->dtype || gi_is_half(a->dtype) || !ga_is_contiguous(a) || !ga_is_contiguous(b)) return false;
    gi_equality e = { (const char *)a->data,
                      (const char *)b->data,
                      a->size,
                      ga_itemsize(a->dtype),
                      gi_row_kernel(gi_row_equal(), a->dtype),
                      false };
    if (!e.equal) return false;
    gi_parallel_bytes(2.0 * (double)(e.n * e.size), (e.n + GI_EQUAL_TILE - 1) / GI_EQUAL_TILE, 16, gi_equal_tiles, &e);
    *equal = !e.differ;
    return true;
}

static bool gi_array_equal(ga_arg a, ga_arg b, ga_equal_options o)
{
    const ga_arg in[2] = { a, b };
    if (o.equal_nan && !gi_is_int(gi_common_dtype(2, in))) { /* exactly equal, or both NaN */
        ga_close_options exactly = ga_close_defaults;
        exactly.rtol = exactly.atol = 0;
        exactly.equal_nan           = true;
        exactly.site                = o.site;
        return gi_all_true(o.site, (ga_isclose)(a, b, exactly));
    }
    bool equal;
    if (gi_equal_packed(a.array, b.array, &equal)) return equal;
    return gi_all_true(o.site, (ga_equal)(a, b, gi_map_site(o.site)));
}

bool(ga_array_equal)(ga_arg a, ga_arg b, ga_equal_options o)
{
    const ga_arg in[2] = { a, b };
    for (int k = 0; k < 2; k++)
        if (in[k].kind == GA_KIND_ARRAY && !gi_array_check_half_any(o.site, in[k].array, k == 0 ? "a" : "b")) return false;
    if (a.array && b.array ? !ga_same_shape(a.array, b.array)
                           : (a.array && a.array->ndim > 0) || (b.array && b.array->ndim > 0))
        return false;
    ga_array *copies[2];
    if (!gi_bring_together(o.site, &a, &b, copies)) return false;
    bool equal = gi_array_equal(a, b, o);
    ga_free(copies[0]);
    ga_free(copies[1]);
    return equal;
}
