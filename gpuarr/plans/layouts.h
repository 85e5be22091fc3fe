/* ---- layouts: other ways to look at the same memory ---------------------------------------------------------------- */

/* Where its first element lies, and its shape and strides. */
typedef struct gi_layout {
    char   *data;
    int     ndim;
    int64_t shape[GPUARR_MAX_DIMS];
    int64_t strides[GPUARR_MAX_DIMS];
} gi_layout;

static inline gi_layout gi_layout_of(const ga_array *a)
{
    gi_layout l;
    l.data = (char *)a->data;
    l.ndim = a->ndim;
    memcpy(l.shape, a->shape, sizeof l.shape);
    memcpy(l.strides, a->strides, sizeof l.strides);
    return l;
}

static inline ga_array *gi_view_with(const char *site, const ga_array *a, const gi_layout *l)
{
    return gi_array_new_view(site, a, l->data, a->dtype, l->ndim, l->shape, l->strides);
}

/* Appends an axis; the caller has made sure that there is room. */
static inline void gi_layout_append(gi_layout *l, int64_t length, int64_t stride)
{
    l->shape[l->ndim]   = length;
    l->strides[l->ndim] = stride;
    l->ndim++;
}

static inline void gi_layout_swap(gi_layout *l, int i, int j)
{
    int64_t length = l->shape[i], stride = l->strides[i];
    l->shape[i]   = l->shape[j];
    l->strides[i] = l->strides[j];
    l->shape[j]   = length;
    l->strides[j] = stride;
}

static inline void gi_layout_flip(gi_layout *l, int axis)
{
    bool empty = false; /* then the last element is nowhere */
    for (int d = 0; d < l->ndim; d++)
        if (l->shape[d] == 0) empty = true;
    if (!empty) l->data += (l->shape[axis] - 1) * l->strides[axis];
    l->strides[axis] = -l->strides[axis];
}
