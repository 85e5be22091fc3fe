/* ---- the port, and what makes chunked arrays of others ------------------------------------------------------------------------- */

static ga_array *gi_chunked_compute(const char *site, const ga_array *a)
{
    ga_array *r = NULL;
    return (ga_compute_n)(1, &a, &r, site) ? r : NULL;
}

#define GI_CHUNKS_PORT                                                                                                         \
    {                                                                                                                          \
        gi_chunked_map, gi_chunked_pass, gi_chunked_row, gi_chunked_moment, gi_chunked_place, gi_chunked_reduce,               \
            gi_chunked_median, gi_chunked_percentile, gi_chunked_sort, gi_chunked_scan, gi_chunked_join,                       \
            gi_chunked_contraction, gi_chunked_distances, gi_chunked_correlation, gi_chunked_filter, gi_chunked_choice,        \
            gi_chunked_stencil, gi_chunked_full, gi_chunked_generator, gi_chunked_eye, gi_chunked_grid, ga_chunks_of,          \
            gi_chunked_compute, gi_chunked_text, gi_lazy_free,                                                                 \
    }
#ifdef GPUARR_STATIC
GI_TABLE(gi_deferred_port, gi_chunks_port, GI_CHUNKS_PORT)
#else
const gi_deferred_port gi_chunks_port = GI_CHUNKS_PORT;
#endif
#undef GI_CHUNKS_PORT

/* Called by what makes a chunked array of something else. */
static void gi_chunk_begin(void)
{
#ifdef GPUARR_STATIC
    __atomic_store_n(&gi_deferred_layer, gi_chunks_port(), __ATOMIC_RELAXED);
#endif
}

#ifdef GPUARR_STATIC
/* ga_chunks(...) is this: the shape, and the layer that a call with .chunks needs. */
GA_API ga_shape gi_chunks(ga_shape chunks)
{
    gi_chunk_begin();
    return chunks;
}
#endif

ga_array *(ga_chunked)(const ga_array *a, ga_shape chunks, const char *site)
{
    gi_chunk_begin();
    if (!gi_array_check_half_any(site, a, "a")) return NULL;
    if (a->device != GA_CPU)
        return (ga_array *)gi_fail(site, GA_BAD_DEVICE,
                                   "the array is on the GPU: chunked arrays are made of arrays on the CPU, ga_to(a, GA_CPU)");
    ga_array *r = gi_lazy_new(site, gi_kind_chunked(), a->dtype, a->ndim, a->shape, 1, &a, NULL, 0);
    if (r && gi_chunk_set_lengths(site, r->owner->node, &chunks)) return r;
    ga_free(r);
    return NULL;
}

ga_array *(ga_rechunk)(const ga_array *a, ga_shape chunks, const char *site) { return (ga_chunked)(a, chunks, site); }
