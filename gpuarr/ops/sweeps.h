/* ---- sweeps: all lines of an axis, each from one end to the other ------------------------------------------------------------------- */
/*  A few neighbouring lines at once are copied: element i of line k is x[i * width + k], or x[k * n + i] where they lie apart.
    Which lines go together and which thread takes them does not matter to the result.                                          */

enum { GI_SWEEP_LINES = 8, GI_SWEEP_LONG = 1 << 16 }; /* at once; elements of a line that goes alone */

/* How far the neighbours along an axis of a packed array are apart. Of an axis of length 1 the strides say nothing. */
static int64_t gi_elements_behind(const ga_array *a, int axis)
{
    return gi_shape_size(a->ndim - axis - 1, a->shape + axis + 1);
}

typedef struct gi_sweep {
    ga_array *a;      /* float64, packed, on the CPU */
    int64_t  *source; /* of each element a number that moves with it, or NULL */
    int64_t   n, inner, lines, width, parts;
    bool      apart;
    int       spare; /* arrays of n numbers that a line needs besides */
    void (*run)(const struct gi_sweep *s, int64_t width, double *x, int64_t *source, void *spare);
    const void *user;
    char       *scratch;
    size_t      bytes; /* of a part */
} gi_sweep;

GI_BEGIN_FAST
/* Numbers of 8 bytes between the array and the copy. */
static void gi_sweep_copy(const gi_sweep *s, const int64_t *base, int64_t width, char *packed, char *array, bool back)
{
    const bool    whole = width == GI_SWEEP_LINES && base[width - 1] == base[0] + width - 1;
    const int64_t along = s->apart ? 1 : width, across = s->apart ? s->n : 1;
    if (whole && !s->apart) {
        for (int64_t i = 0; i < s->n; i++) {
            char *p = packed + i * 8 * GI_SWEEP_LINES, *q = array + (base[0] + i * s->inner) * 8;
            memcpy(back ? q : p, back ? p : q, 8 * GI_SWEEP_LINES);
        }
        return;
    }
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t k = 0; k < width; k++) {
            char *p = packed + (i * along + k * across) * 8, *q = array + (base[k] + i * s->inner) * 8;
            memcpy(back ? q : p, back ? p : q, 8);
        }
}
GI_END_FAST

static void gi_sweep_parts(int64_t begin, int64_t end, void *job)
{
    const gi_sweep *s = (const gi_sweep *)job;
    int64_t         base[GI_SWEEP_LINES], units = (s->lines + s->width - 1) / s->width;
    for (int64_t part = begin; part < end; part++) {
        char *x = s->scratch + part * (int64_t)s->bytes, *source = s->source ? x + s->n * s->width * 8 : NULL;
        char *spare = x + s->n * s->width * (s->source ? 16 : 8);
        for (int64_t unit = units * part / s->parts; unit < units * (part + 1) / s->parts; unit++) {
            int64_t first = unit * s->width, width = s->lines - first < s->width ? s->lines - first : s->width;
            for (int64_t k = 0; k < width; k++) base[k] = (first + k) / s->inner * s->inner * s->n + (first + k) % s->inner;
            gi_sweep_copy(s, base, width, x, (char *)s->a->data, false);
            if (source) gi_sweep_copy(s, base, width, source, (char *)s->source, false);
            s->run(s, width, (double *)(void *)x, (int64_t *)(void *)source, spare);
            gi_sweep_copy(s, base, width, x, (char *)s->a->data, true);
            if (source) gi_sweep_copy(s, base, width, source, (char *)s->source, true);
        }
    }
}

/* Along an axis of s->a; False with an error. */
static bool gi_sweep_axis(const char *site, gi_sweep *s, int axis)
{
    if (s->a->size == 0) return true;
    s->n     = s->a->shape[axis];
    s->inner = gi_elements_behind(s->a, axis);
    s->lines = s->a->size / s->n;
    s->width = s->n > GI_SWEEP_LONG ? 1 : s->lines < GI_SWEEP_LINES ? s->lines : (int64_t)GI_SWEEP_LINES;
    s->parts = s->a->size < 8192 ? 1 : 4 * (int64_t)ga_get_num_threads();
    if (s->parts > (s->lines + s->width - 1) / s->width) s->parts = (s->lines + s->width - 1) / s->width;
    s->bytes   = (size_t)(s->n * (s->width * (s->source ? 2 : 1) + s->spare) + 16) * sizeof(double);
    size_t all = s->bytes * (size_t)s->parts;
    s->scratch = (char *)gi_mem_alloc(site, all);
    if (!s->scratch) return false;
    gi_parallel(s->parts, 1, gi_sweep_parts, s);
    gi_mem_release(s->scratch, all);
    return true;
}

/* Can it be computed here? */
static bool gi_check_on_cpu(const char *site, const ga_array *a, const char *name)
{
    if (!gi_array_check(site, a, name)) return false;
    if (a->device == GA_CPU) return true;
    gi_fail(site, GA_BAD_DEVICE, "%s is on the GPU, and this is computed on the CPU: bring it there with ga_to(%s, GA_CPU)",
            name, name);
    return false;
}
