/* ---- labels: how many there can be, and what is measured of them --------------------------------------------------- */

static inline int64_t gi_dtype_largest_int(ga_dtype dtype)
{
    int bits = 8 * (int)ga_itemsize(dtype) - gi_is_signed(dtype);
    return bits >= 63 ? INT64_MAX : ((int64_t)1 << bits) - 1;
}

/* Do numbers for so many objects fit? If not, an error. */
static inline bool gi_label_can_number(const char *site, int64_t objects, ga_dtype dtype)
{
    if (objects <= gi_dtype_largest_int(dtype)) return true;
    gi_fail(site, GA_BAD_DTYPE, "%lld objects cannot be numbered in %s: use a larger .dtype", (long long)objects,
            ga_dtype_name(dtype));
    return false;
}

typedef enum gi_label_measure {
    GI_SUM_OF,
    GI_MEAN_OF,
    GI_MIN_OF,
    GI_MAX_OF,
    GI_SIZE_OF,
    GI_CENTER_OF,
    GI_VARIANCE_OF /* on the CPU */
} gi_label_measure;

/* Can there be a result for each of the labels from 1 on? If not, an error. */
static inline bool gi_label_can_list(const char *site, int64_t largest)
{
    if (largest < (int64_t)1 << 40) return true;
    gi_fail(site, GA_BAD_ARGUMENT, "the largest label is %lld: give the labels that you want as index", (long long)largest);
    return false;
}

/* A new array for the measures of n labels: of the shape of index if there is one, for centers with the coordinates behind. */
static inline ga_array *gi_label_new_measures(const char *site, gi_label_measure what, ga_device device, const ga_array *a,
                                              const ga_array *index, int64_t n)
{
    int64_t shape[GPUARR_MAX_DIMS + 1] = { n };
    int     ndim                       = 1;
    if (index && what != GI_CENTER_OF) {
        ndim = index->ndim;
        for (int d = 0; d < ndim; d++) shape[d] = index->shape[d];
    }
    if (what == GI_CENTER_OF) shape[ndim++] = a->ndim;
    return gi_array_new(site, what == GI_SIZE_OF ? GA_I64 : GA_F64, device, ndim, shape);
}
