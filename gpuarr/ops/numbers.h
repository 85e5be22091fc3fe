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
    ga_array *x = gi_do_floats(&c, v), *log = GI_DO_1(&c, log2, GI_DO_1(&c, absolute, x));
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
