/* ---- what the GPU's side calls -------------------------------------------------------------------------------------- */
/*  The CUDA backend may be an object of its own (GPUARR_PART). Of all that has state, errors, memory and arrays, it calls these functions
    and the public ones; they stand in the other object then, and the state is there once.                                     */

GI_SHARED void       *gi_fail(const char *site, ga_status status, const char *format, ...) GI_PRINTS(3, 4);
GI_SHARED const char *gi_shape_text(int ndim, const int64_t *n);
GI_SHARED int         gi_axis(const char *site, int axis, int ndim);
GI_SHARED bool        gi_mem_count(const char *site, size_t bytes);
GI_SHARED void        gi_mem_discount(size_t bytes);
GI_SHARED ga_array   *gi_array_new_in(const char *site, gi_memory memory, ga_dtype dtype, ga_device device, int ndim,
                                      const int64_t *shape);
GI_SHARED ga_array   *gi_array_new(const char *site, ga_dtype dtype, ga_device device, int ndim, const int64_t *shape);
GI_SHARED ga_array   *gi_array_new_view(const char *site, const ga_array *a, void *data, ga_dtype dtype, int ndim,
                                        const int64_t *shape, const int64_t *strides);
GI_SHARED void        gi_array_for_each(void (*f)(const ga_array *a, void *user), void *user);

static inline const char *gi_shape_of(const ga_array *a) { return gi_shape_text(a->ndim, a->shape); }
