/* ---- unique ------------------------------------------------------------------------------------------------------ */

/* Of a sorted line: where does a run of equal elements begin? NaNs, sorted to the end, are one run if they are taken for equal. */
static ga_array *gi_unique_starts(const char *site, const ga_array *sorted, bool equal_nan)
{
    ga_array *first = gi_array_new(site, GA_BOOL, sorted->device, 1, sorted->shape);
    if (!first || first->size == 0) return first;
    int64_t     n = first->size, size = ga_itemsize(sorted->dtype);
    bool       *flags = (bool *)first->data, is_nan = false;
    const char *s            = (const char *)sorted->data;
    gi_kernel   isnan_kernel = gi_row_kernel(gi_row_isnan(), sorted->dtype);
    flags[0]                 = true;
    gi_row_kernel(gi_row_not_equal(), sorted->dtype)(n - 1, flags + 1, s + size, s, NULL);
    for (int64_t i = n - 1; i > 0 && isnan_kernel && equal_nan; i--) {
        isnan_kernel(1, &is_nan, s + (i - 1) * size, NULL, NULL);
        if (!is_nan) break;
        flags[i] = false;
    }
    return first;
}

/* For each element of the array that was sorted: the number of its run, in the shape of a. */
static ga_array *gi_unique_numbers(const char *site, const ga_array *a, const ga_array *order, const ga_array *starts)
{
    ga_array *inverse = gi_array_new(site, GA_I64, a->device, a->ndim, a->shape);
    if (!inverse) return NULL;
    const int64_t *place = (const int64_t *)order->data, *start = (const int64_t *)starts->data;
    for (int64_t run = 0; run < starts->size; run++) {
        int64_t stop = run + 1 < starts->size ? start[run + 1] : a->size;
        for (int64_t k = start[run]; k < stop; k++) ((int64_t *)inverse->data)[place[k]] = run;
    }
    return inverse;
}

static ga_array *gi_unique_lengths(const char *site, const ga_array *a, const ga_array *starts)
{
    ga_array *counts = gi_array_new(site, GA_I64, a->device, 1, starts->shape);
    if (!counts) return NULL;
    const int64_t *start = (const int64_t *)starts->data;
    for (int64_t run = 0; run < starts->size; run++)
        ((int64_t *)counts->data)[run] = (run + 1 < starts->size ? start[run + 1] : a->size) - start[run];
    return counts;
}

/* The sorted values; what else is asked for is left in the options, and freed by the caller after a failure. */
static ga_array *gi_unique(const char *site, const ga_array *a, const ga_unique_options *o)
{
    GI_SETTLE_FLOATS;
    if (a->device == GA_CUDA) return gi_gpu->unique(site, a, o);
    bool      ordered = o->index || o->inverse; /* else sorted values are enough */
    ga_array *line    = (ga_ravel)(a, site);
    ga_array *order   = line && ordered ? gi_sort_array(site, line, 0, true) : NULL;
    ga_array *sorted  = order ? gi_take(site, line, 0, order) : line && !ordered ? gi_sort_array(site, line, 0, false) : NULL;
    ga_array *flags   = sorted ? gi_unique_starts(site, sorted, o->equal_nan) : NULL;
    ga_array *indices = flags ? gi_select(site, flags, NULL) : NULL;
    ga_array *starts  = indices ? (ga_ravel)(indices, site) : NULL; /* (1, runs) */
    ga_array *values  = starts ? gi_take(site, sorted, 0, starts) : NULL;
    if (values && o->index) *o->index = gi_take(site, order, 0, starts);
    if (values && o->inverse) *o->inverse = gi_unique_numbers(site, a, order, starts);
    if (values && o->counts) *o->counts = gi_unique_lengths(site, a, starts);
    ga_free(starts);
    ga_free(indices);
    ga_free(flags);
    ga_free(sorted);
    ga_free(order);
    ga_free(line);
    return values;
}

ga_array *(ga_unique)(const ga_array *a, ga_unique_options o)
{
    if (o.index) *o.index = NULL;
    if (o.inverse) *o.inverse = NULL;
    if (o.counts) *o.counts = NULL;
    if (!gi_array_check_half(o.site, a, "a")) return NULL;
    const ga_dtype dtype = gi_dtype_computed(a->dtype);
    ga_array *elements = a->dtype == GA_BOOL ? gi_copy_truths(o.site, a) : gi_copy_contiguous(o.site, a, dtype), *values = NULL;
    if (elements) values = gi_copy_finish(o.site, gi_unique(o.site, elements, &o), a->dtype, NULL);
    ga_free(elements);
    if (values && (!o.index || *o.index) && (!o.inverse || *o.inverse) && (!o.counts || *o.counts)) return values;
    ga_array **results[3] = { o.index, o.inverse, o.counts };
    for (int k = 0; k < 3; k++) {
        if (!results[k]) continue;
        ga_free(*results[k]);
        *results[k] = NULL;
    }
    ga_free(values);
    return NULL;
}
