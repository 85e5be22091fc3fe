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

/* An operand of a call as floats that hold it. */
static ga_array *gi_do_floats(const gi_composition *c, ga_arg v, const char *call)
{
    ga_array *x = gi_do_array(c, v, "x", GA_DEVICE_DEFAULT);
    if (x && gi_is_complex(x->dtype))
        return (ga_array *)gi_fail(c->site, GA_BAD_DTYPE, "%s does not exist for %s", call, ga_dtype_name(x->dtype));
    if (!x || gi_dtype_kind(x->dtype) > 1) return x;
    return (ga_astype)(x, ga_can_cast(x->dtype, GA_F32) ? GA_F32 : GA_F64, c->site);
}

/* Floats that lie packed in memory are taken apart, a block at a time. */
typedef struct gi_float_parts {
    gi_parts_loop loop;
    int64_t       n, size, other_size; /* bytes of elements */
    const char   *x;
    char         *part, *other;
} gi_float_parts;

static void gi_part_floats(int64_t begin, int64_t end, void *job)
{
    const gi_float_parts *j  = (const gi_float_parts *)job;
    const int64_t         at = begin * GI_BLOCK, n = (end * GI_BLOCK < j->n ? end * GI_BLOCK : j->n) - at;
    j->loop(n, j->x + at * j->size, j->part + at * j->size, j->other + at * j->other_size);
}

/* Are these float32 or float64 that lie packed in this memory? */
static bool gi_floats_are_packed(const ga_array *x)
{
    return x && !gi_is_deferred(x) && x->device == GA_CPU && (x->dtype == GA_F32 || x->dtype == GA_F64) && ga_is_contiguous(x);
}

/* The fractions of such x, and in *other their whole parts; or the mantissas and the exponents. NULL with an error. */
static ga_array *gi_parts_of(const char *site, const ga_array *x, bool exponents, ga_array **other)
{
    ga_array *part = gi_array_new(site, x->dtype, GA_CPU, x->ndim, x->shape);
    *other         = part ? gi_array_new(site, exponents ? GA_I32 : x->dtype, GA_CPU, x->ndim, x->shape) : NULL;
    if (!*other) return NULL;
    gi_float_parts j = { GI_LOOP_OF(parts)(x->dtype, exponents),
                         x->size,
                         ga_itemsize(x->dtype),
                         ga_itemsize((*other)->dtype),
                         (const char *)x->data,
                         (char *)part->data,
                         (char *)(*other)->data };
    gi_parallel_bytes(3.0 * (double)(x->size * j.size), (x->size + GI_BLOCK - 1) / GI_BLOCK, 16, gi_part_floats, &j);
    return part;
}

ga_array *(ga_modf)(ga_arg v, ga_array **whole, const char *site)
{
    if (whole) *whole = NULL;
    gi_composition c;
    gi_compose_begin(&c, site);
    ga_array *x = gi_do_floats(&c, v, "ga_modf"), *trunc = NULL, *part;
    if (gi_floats_are_packed(x)) {
        part = gi_parts_of(site, x, false, &trunc);
    } else {
        trunc = GI_DO_1(&c, trunc, x);
        part  = GI_DO_WHERE(&c, GI_DO_1(&c, isinf, x), 0, GI_DO_2(&c, subtract, x, trunc));
        part  = GI_DO_2(&c, copysign, part, x);
    }
    if (whole && part) *whole = gi_compose_keep(&c, trunc);
    return gi_compose_end(&c, part);
}

/* Mantissas, and *exponents: the logarithm tells them, or their neighbours. */
static ga_array *gi_do_frexp(const gi_composition *c, const ga_array *x, ga_array **exponents)
{
    ga_array *log   = GI_DO_1(c, log2, GI_DO_1(c, absolute, x));
    ga_array *has   = GI_DO_2(c, logical_and, GI_DO_1(c, isfinite, x), x);
    ga_array *first = GI_DO_WHERE(c, has, GI_DO_2(c, add, GI_DO_1(c, floor, log), 1), 0);
    ga_array *near = GI_DO_2(c, ldexp, x, GI_DO_1(c, negative, first)), *size = GI_DO_1(c, absolute, near);
    ga_array *step = GI_DO_2(c, subtract, GI_DO_2(c, greater_equal, size, 1), GI_DO_2(c, less, size, 0.5));
    ga_array *more = GI_DO_WHERE(c, has, step, 0), *part = GI_DO_2(c, ldexp, near, GI_DO_1(c, negative, more));
    *exponents = part ? (ga_astype)(GI_DO_2(c, add, first, more), GA_I32, c->site) : NULL;
    return *exponents ? part : NULL;
}

ga_array *(ga_frexp)(ga_arg v, ga_array **exponent, const char *site)
{
    if (exponent) *exponent = NULL;
    gi_composition c;
    gi_compose_begin(&c, site);
    ga_array *x = gi_do_floats(&c, v, "ga_frexp"), *exponents = NULL;
    ga_array *part = gi_floats_are_packed(x) ? gi_parts_of(site, x, true, &exponents) : gi_do_frexp(&c, x, &exponents);
    if (exponent && part) *exponent = gi_compose_keep(&c, exponents);
    return gi_compose_end(&c, part);
}

ga_array *(ga_angle)(ga_arg z, ga_angle_options o)
{
    gi_composition c;
    gi_compose_begin(&c, o.site);
    ga_array *x = gi_do_array(&c, z, "z", GA_DEVICE_DEFAULT);
    ga_array *a = GI_DO_2(&c, arctan2, GI_DO_1(&c, imag, x), GI_DO_1(&c, real, x));
    return gi_compose_end(&c, o.deg ? GI_DO_2(&c, multiply, a, 180 / 3.14159265358979323846) : a);
}
