/* ---- arrays that are computed from the number of each element ------------------------------------------------------ */

typedef void (*gi_cpu_generator)(const void *plan, int64_t begin, int64_t n, void *out);

/* What a GPU can make, from the plan of that name. */
typedef enum gi_gpu_generator {
    GI_MAKES_NOTHING,
    GI_MAKES_ALIKE,
    GI_MAKES_ARANGE_I64,
    GI_MAKES_ARANGE_F64,
    GI_MAKES_ARANGE_F32,
    GI_MAKES_LINSPACE,
    GI_MAKES_RANDOM,
    GI_MAKES_DRAWS
} gi_gpu_generator;

typedef struct gi_generator {
    gi_cpu_generator cpu;
    gi_gpu_generator gpu;
} gi_generator;

GI_BEGIN_FAST
/* NumPy computes arange from its first two elements: start + i * (second - start), integers in int64, float32 in float32. These two are
   what they are: -0. + 0 * delta would be 0., and 0 * delta NaN where delta is infinite. */
typedef struct gi_arange_plan {
    int64_t start_int, delta_int;
    double  start, first, second, delta;
} gi_arange_plan;

GI_FORMULA int64_t gi_arange_i64(const gi_arange_plan *p, int64_t i)
{
    return (int64_t)((uint64_t)p->start_int + (uint64_t)i * (uint64_t)p->delta_int); /* the product alone may overflow */
}

GI_FORMULA double gi_arange_f64(const gi_arange_plan *p, int64_t i)
{
    return i < 2 ? (i ? p->second : p->first) : p->start + gi_mul_f64((double)i, p->delta);
}

GI_FORMULA float gi_arange_f32(const gi_arange_plan *p, int64_t i)
{
    return i < 2 ? (float)(i ? p->second : p->first) : (float)p->start + gi_mul_f32((float)i, (float)p->delta);
}

typedef struct gi_linspace_plan {
    double  start, stop, delta, factor, divisor;
    int64_t last;        /* the element that is exactly stop; -1: none */
    bool    tiny, whole; /* a step that rounds to 0: divide first; round down for an integer dtype */
} gi_linspace_plan;

GI_FORMULA double gi_linspace_f64(const gi_linspace_plan *p, int64_t i)
{
    double x = (double)i;
    x        = p->tiny ? gi_mul_f64(x / p->divisor, p->delta) : gi_mul_f64(x, p->factor);
    return i == p->last ? p->stop : x + p->start;
}

/* All elements alike. */
typedef struct gi_alike_plan {
    int64_t size;
    char    element[16];
} gi_alike_plan;
GI_END_FAST
