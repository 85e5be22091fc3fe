/* ---- what is made of rows: float_power, divmod, modf, frexp, angle --------------------------------------------------------- */

ga_array *(ga_float_power)(ga_arg x, ga_arg y, ga_map_options o)
{
    const ga_arg in[2] = { x, y };
    for (int k = 0; k < 2; k++)
        if (in[k].array && !gi_array_check_any(o.site, in[k].array, k == 0 ? "x" : "y")) return NULL;
    if (o.dtype == GA_DTYPE_DEFAULT) o.dtype = gi_is_complex(gi_common_dtype(2, in)) ? GA_C128 : GA_F64;
    return (ga_power)(x, y, o);
}

ga_array *(ga_divmod)(ga_arg x, ga_arg y, ga_array **remainder, const char *site)
{
    if (remainder) *remainder = NULL;
    gi_composition c;
    gi_compose_begin(&c, site);
    ga_array *quotient = GI_DO_2(&c, floor_divide, x, y), *rest = quotient ? GI_DO_2(&c, remainder, x, y) : NULL;
    if (remainder) *remainder = gi_compose_keep(&c, rest);
    return gi_compose_end(&c, rest ? quotient : NULL);
}

/* An operand as floats that hold it. */
static ga_array *gi_do_floats(const gi_composition *c, ga_arg v)
{
    ga_array *x = gi_do_array(c, v, "x", GA_DEVICE_DEFAULT);
    if (!x || gi_dtype_kind(x->dtype) > 1) return x;
    return (ga_astype)(x, ga_can_cast(x->dtype, GA_F32) ? GA_F32 : GA_F64, c->site);
}

/* Mantissas and exponents of floats that lie packed in memory, a block at a time. */
typedef struct gi_float_parts {
    ga_dtype    dtype;
    int64_t     n;
    const void *x;
    void       *part;
    int32_t    *exponent;
} gi_float_parts;

GI_BEGIN_FAST
static GI_INLINE void gi_mantissas_f64(int64_t n, const double *x, double *part, int32_t *exponent)
{
    const uint64_t magnitudes = ~GI_KEY_SIGN;
    for (int64_t i = 0; i < n; i++) {
        const uint64_t given = gi_bits_f64(x[i]), tiny = (uint64_t)((given & magnitudes) < (uint64_t)1 << 52);
        const uint64_t bits = tiny ? gi_bits_f64(gi_mul_f64(x[i], 0x1p54)) : given;
        const int64_t  e    = (int64_t)(bits >> 52 & 0x7ff);
        const bool     none = e == 0 || e == 0x7ff; /* 0, infinity, NaN */
        part[i]             = none ? x[i] : gi_from_bits_f64((bits & ~((uint64_t)0x7ff << 52)) | (uint64_t)1022 << 52);
        exponent[i]         = (int32_t)(none ? 0 : e - 1022 - (tiny ? 54 : 0));
    }
}
static GI_INLINE void gi_mantissas_f32(int64_t n, const float *x, float *part, int32_t *exponent)
{
    for (int64_t i = 0; i < n; i++) {
        const uint32_t given = gi_bits_f32(x[i]), tiny = (uint32_t)((given & 0x7fffffffu) < 1u << 23);
        const uint32_t bits = tiny ? gi_bits_f32(gi_mul_f32(x[i], 0x1p25f)) : given;
        const int32_t  e    = (int32_t)(bits >> 23 & 0xff);
        const bool     none = e == 0 || e == 0xff;
        part[i]             = none ? x[i] : gi_from_bits_f32((bits & ~(0xffu << 23)) | 126u << 23);
        exponent[i]         = none ? 0 : e - 126 - (tiny ? 25 : 0);
    }
}
static void gi_part_floats(int64_t begin, int64_t end, void *job)
{
    const gi_float_parts *j  = (const gi_float_parts *)job;
    const int64_t         at = begin * GI_BLOCK, n = (end * GI_BLOCK < j->n ? end * GI_BLOCK : j->n) - at;
    if (j->dtype == GA_F64) gi_mantissas_f64(n, (const double *)j->x + at, (double *)j->part + at, j->exponent + at);
    else gi_mantissas_f32(n, (const float *)j->x + at, (float *)j->part + at, j->exponent + at);
}
GI_END_FAST

/* Are these float32 or float64 that lie packed in this memory? */
static bool gi_floats_are_packed(const ga_array *x)
{
    return x && !gi_is_deferred(x) && x->device == GA_CPU && (x->dtype == GA_F32 || x->dtype == GA_F64) && ga_is_contiguous(x);
}

/* The mantissas of such x, and *exponent. NULL with an error. */
static ga_array *gi_mantissas_of(const char *site, const ga_array *x, ga_array **exponent)
{
    ga_array *part = gi_array_new(site, x->dtype, GA_CPU, x->ndim, x->shape);
    *exponent      = part ? gi_array_new(site, GA_I32, GA_CPU, x->ndim, x->shape) : NULL;
    if (!*exponent) return NULL;
    gi_float_parts j = { x->dtype, x->size, x->data, part->data, (int32_t *)(*exponent)->data };
    gi_parallel_bytes(3.0 * (double)(x->size * ga_itemsize(x->dtype)), (x->size + GI_BLOCK - 1) / GI_BLOCK, 16, gi_part_floats,
                      &j);
    return part;
}

ga_array *(ga_modf)(ga_arg v, ga_array **whole, const char *site)
{
    if (whole) *whole = NULL;
    gi_composition c;
    gi_compose_begin(&c, site);
    ga_array *x = gi_do_floats(&c, v), *trunc = GI_DO_1(&c, trunc, x), *rest = GI_DO_2(&c, subtract, x, trunc);
    ga_array *finite = GI_DO_WHERE(&c, GI_DO_1(&c, isinf, x), 0, rest), *part = GI_DO_2(&c, copysign, finite, x);
    if (whole && part) *whole = gi_compose_keep(&c, trunc);
    return gi_compose_end(&c, part);
}

/* The logarithm tells the exponent, or its neighbour. */
ga_array *(ga_frexp)(ga_arg v, ga_array **exponent, const char *site)
{
    if (exponent) *exponent = NULL;
    gi_composition c;
    gi_compose_begin(&c, site);
    ga_array *x = gi_do_floats(&c, v);
    if (gi_floats_are_packed(x)) {
        ga_array *exponents = NULL, *mantissas = gi_mantissas_of(site, x, &exponents);
        if (exponent && mantissas) *exponent = gi_compose_keep(&c, exponents);
        return gi_compose_end(&c, mantissas);
    }
    ga_array *log   = GI_DO_1(&c, log2, GI_DO_1(&c, absolute, x));
    ga_array *has   = GI_DO_2(&c, logical_and, GI_DO_1(&c, isfinite, x), x);
    ga_array *first = GI_DO_WHERE(&c, has, GI_DO_2(&c, add, GI_DO_1(&c, floor, log), 1), 0);
    ga_array *near = GI_DO_2(&c, ldexp, x, GI_DO_1(&c, negative, first)), *size = GI_DO_1(&c, absolute, near);
    ga_array *step = GI_DO_2(&c, subtract, GI_DO_2(&c, greater_equal, size, 1), GI_DO_2(&c, less, size, 0.5));
    ga_array *more = GI_DO_WHERE(&c, has, step, 0), *part = GI_DO_2(&c, ldexp, near, GI_DO_1(&c, negative, more));
    ga_array *total = part ? (ga_astype)(GI_DO_2(&c, add, first, more), GA_I32, site) : NULL;
    if (exponent) *exponent = gi_compose_keep(&c, total);
    return gi_compose_end(&c, total ? part : NULL);
}

ga_array *(ga_angle)(ga_arg z, ga_angle_options o)
{
    gi_composition c;
    gi_compose_begin(&c, o.site);
    ga_array *x = gi_do_array(&c, z, "z", GA_DEVICE_DEFAULT);
    ga_array *a = GI_DO_2(&c, arctan2, GI_DO_1(&c, imag, x), GI_DO_1(&c, real, x));
    return gi_compose_end(&c, o.deg ? GI_DO_2(&c, multiply, a, 180 / 3.14159265358979323846) : a);
}
