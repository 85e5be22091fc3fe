/* ---- arrays that are computed from the number of each element ---------------------------------------------------- */
/* A generator writes elements begin to begin + n - 1 of an array, packed, in its own dtype; begin is a multiple of 4. Each
   element depends on its number alone, so threads may share the work as they like. */

enum { GI_GENERATE_BLOCK = 512, GI_GENERATE_CHUNK = 1 << 13 }; /* elements; multiples of 4 */

typedef struct gi_generate_job {
    gi_cpu_generator generator;
    const void      *plan;
    ga_dtype         from, to;
    char            *data;
} gi_generate_job;

static void gi_generate_range(int64_t begin, int64_t end, void *job)
{
    const gi_generate_job *j        = (const gi_generate_job *)job;
    int64_t                itemsize = ga_itemsize(j->to);
    double                 block[GI_GENERATE_BLOCK]; /* generators make at most 8 bytes an element */
    if (j->from == j->to) {
        j->generator(j->plan, begin, end - begin, j->data + begin * itemsize);
        return;
    }
    for (int64_t i = begin, n; i < end; i += n) {
        n = end - i;
        if (n > GI_GENERATE_BLOCK) n = GI_GENERATE_BLOCK;
        j->generator(j->plan, i, n, block);
        gi_cast(j->to, j->from, n, j->data + i * itemsize, block);
    }
}

/* A new array of `dtype` whose elements the generator makes as `from`. */
static ga_array *gi_generate(const char *site, ga_dtype dtype, ga_device device, const ga_shape *shape, ga_dtype from,
                             gi_generator generator, const void *plan, size_t plan_bytes, const ga_shape *chunks)
{
    if (chunks && chunks->ndim != 0)
        return gi_can_defer(site)
                   ? gi_deferred()->generator(site, dtype, device, shape, from, &generator, plan, plan_bytes, chunks)
                   : NULL;
    ga_array *a = gi_array_new(site, dtype, device, shape->ndim, shape->n);
    if (!a) return NULL;
    if (a->device == GA_CUDA) {
        if (gi_gpu->generate(site, a, from, (int)generator.gpu, plan, NULL)) return a;
        ga_free(a);
        return NULL;
    }
    gi_generate_job j     = { generator.cpu, plan, from, a->dtype, (char *)a->data };
    double          bytes = (double)(GI_COSTLY * ga_itemsize(dtype)) * (double)a->size;
    gi_parallel_bytes(bytes, a->size, GI_GENERATE_CHUNK, gi_generate_range, &j);
    return a;
}

static ga_shape gi_line(int64_t n)
{
    ga_shape shape = { 1, { n } };
    return shape;
}

/* ---- sequences --------------------------------------------------------------------------------------------------- */

GI_BEGIN_FAST

static void gi_make_arange_i64(const void *plan, int64_t begin, int64_t n, void *out)
{
    const gi_arange_plan *p    = (const gi_arange_plan *)plan;
    const uint64_t        step = (uint64_t)p->delta_int;
    uint64_t              x    = (uint64_t)gi_arange_i64(p, begin);
    for (int64_t i = 0; i < n; i++, x += step) ((uint64_t *)out)[i] = x;
}
static void gi_make_arange_f64(const void *plan, int64_t begin, int64_t n, void *out)
{
    const gi_arange_plan *p     = (const gi_arange_plan *)plan;
    const double          start = p->start, delta = p->delta;
    for (int64_t from = 0, m; from < n; from += m) {
        const double before = (double)(begin + from);
        double      *x      = (double *)out + from;
        m                   = n - from < GI_GENERATE_CHUNK ? n - from : (int64_t)GI_GENERATE_CHUNK;
        if (begin + from + m > INT64_C(1) << 53) /* sums of doubles would be rounded */
            for (int32_t i = 0; i < (int32_t)m; i++) x[i] = gi_arange_f64(p, begin + from + i);
        else
            for (int32_t i = 0; i < (int32_t)m; i++) x[i] = start + gi_mul_f64(before + (double)i, delta);
    }
    if (begin == 0 && n > 0) *(double *)out = p->first;
    if (begin <= 1 && begin + n > 1) ((double *)out)[1 - begin] = p->second;
}
static void gi_make_arange_f32(const void *plan, int64_t begin, int64_t n, void *out)
{
    const gi_arange_plan *p     = (const gi_arange_plan *)plan;
    const float           start = (float)p->start, delta = (float)p->delta;
    float                *x     = (float *)out;
    int32_t               small = begin > INT32_MAX ? 0 : (int32_t)(n < INT32_MAX - begin ? n : INT32_MAX - begin);
    for (int32_t i = 0, at = (int32_t)(small ? begin : 0); i < small; i++) x[i] = start + gi_mul_f32((float)(at + i), delta);
    for (int64_t i = small; i < n; i++) x[i] = gi_arange_f32(p, begin + i);
    if (begin == 0 && n > 0) x[0] = (float)p->first;
    if (begin <= 1 && begin + n > 1) x[1 - begin] = (float)p->second;
}

static void gi_make_linspace(const void *plan, int64_t begin, int64_t n, void *out)
{
    const gi_linspace_plan *p = (const gi_linspace_plan *)plan;
    double                 *x = (double *)out;
    for (int64_t i = 0; i < n; i++) x[i] = gi_linspace_f64(p, begin + i);
    for (int64_t i = 0; i < n && p->whole; i++) x[i] = floor(x[i]);
}

GI_END_FAST

GI_TABLE(gi_generator, gi_arange_generator_i64, { gi_make_arange_i64, GI_MAKES_ARANGE_I64 })
GI_TABLE(gi_generator, gi_arange_generator_f64, { gi_make_arange_f64, GI_MAKES_ARANGE_F64 })
GI_TABLE(gi_generator, gi_arange_generator_f32, { gi_make_arange_f32, GI_MAKES_ARANGE_F32 })
GI_TABLE(gi_generator, gi_linspace_generator, { gi_make_linspace, GI_MAKES_LINSPACE })

/* How many of start, start + step ... lie before stop. -1: so many that they cannot be counted. */
static int64_t gi_range_length_int(int64_t start, int64_t stop, int64_t step)
{
    if (step > 0 ? start >= stop : start <= stop) return 0;
    uint64_t span  = step > 0 ? (uint64_t)stop - (uint64_t)start : (uint64_t)start - (uint64_t)stop;
    uint64_t width = step > 0 ? (uint64_t)step : 0 - (uint64_t)step, n = (span - 1) / width + 1;
    return n > (uint64_t)INT64_MAX ? -1 : (int64_t)n;
}
static int64_t gi_range_length(double start, double stop, double step)
{
    double n = (stop - start) / step;
    if (n == 0 && stop != start) return signbit(n) ? 0 : 1; /* a quotient too small for a double */
    n = ceil(n);
    return n < 9e18 ? (n > 0 ? (int64_t)n : 0) : -1; /* NaN as well */
}

/* start, stop and step of a range: int64 if all three are integers, else float64. */
typedef struct gi_range {
    bool    integers;
    int64_t start_int, stop_int, step_int;
    double  start, stop, step;
} gi_range;

/* The length of the range; -1 with an error. */
static int64_t gi_range_count(const char *site, const gi_range *r)
{
    if (r->step == 0) {
        gi_fail(site, GA_BAD_ARGUMENT, "the step is 0");
        return -1;
    }
    int64_t n =
        r->integers ? gi_range_length_int(r->start_int, r->stop_int, r->step_int) : gi_range_length(r->start, r->stop, r->step);
    if (n < 0)
        gi_fail(site, GA_BAD_ARGUMENT, "from %g to %g in steps of %g are no number of elements that can be counted", r->start,
                r->stop, r->step);
    return n;
}

/* The first two elements as integers of the dtype, so that the others follow as NumPy's; false with an error if any element
   does not fit. */
static bool gi_arange_integers(const char *site, const gi_range *r, int64_t n, ga_dtype dtype, gi_arange_plan *p)
{
    bool fits = true;
    if (r->integers) { /* all lie between start and stop */
        p->start_int = r->start_int;
        p->delta_int = r->step_int;
    } else {
        double first = trunc(r->start), delta = n < 2 ? 0 : trunc(p->second) - first, last = first + (double)(n - 1) * delta;
        fits = fabs(first) < 4e18 && fabs(last) < 4e18;
        if (fits) {
            p->start_int = (int64_t)first;
            p->delta_int = (int64_t)delta;
        }
    }
    if (n > 0 && fits) {
        long long first = p->start_int, last = gi_arange_i64(p, n - 1);
        fits = gi_number_fits(GA_ARG(first), dtype) && gi_number_fits(GA_ARG(last), dtype);
    }
    if (!fits) gi_fail(site, GA_BAD_DTYPE, "from %g to %g: not every number fits %s", r->start, r->stop, ga_dtype_name(dtype));
    return fits;
}

static const ga_shape gi_any_chunks = { 1, { 0 } }; /* chosen */

static ga_array *gi_arange(const char *site, const gi_range *r, ga_dtype dtype, ga_device device, const ga_shape *chunks)
{
    int64_t        n     = gi_range_count(site, r);
    ga_shape       shape = gi_line(n);
    gi_arange_plan p     = { 0, 0, r->start, r->start, r->start + r->step, 0 };
    if (n < 0) return NULL;
    if (dtype == GA_DTYPE_DEFAULT) dtype = r->integers ? GA_I64 : GA_F64;
    if (gi_is_int(dtype) || (dtype == GA_BOOL && n <= 2)) {
        if (!gi_arange_integers(site, r, n, dtype, &p)) return NULL;
        return gi_generate(site, dtype, device, &shape, GA_I64, *gi_arange_generator_i64(), &p, sizeof p, chunks);
    }
    if (dtype == GA_BOOL) return (ga_array *)gi_fail(site, GA_BAD_DTYPE, "a range of bool has no third element");
    if (gi_is_half(dtype)) {
        p.start = p.first = gi_float_as(p.start, dtype);
        p.second          = gi_float_as(p.second, dtype);
    }
    if (gi_dtype_real(gi_dtype_computed(dtype)) == GA_F32) {
        p.delta = (float)p.second - (float)p.start;
        return gi_generate(site, dtype, device, &shape, GA_F32, *gi_arange_generator_f32(), &p, sizeof p, chunks);
    }
    p.delta = p.second - p.start;
    return gi_generate(site, dtype, device, &shape, GA_F64, *gi_arange_generator_f64(), &p, sizeof p, chunks);
}

ga_array *(ga_arange)(ga_arg start, ga_arg stop, ga_arg step, ga_new_options o)
{
    GI_SETTLE_FLOATS;
    const ga_arg given[3] = { start, stop, step };
    double       real[3];
    gi_range     r;
    if (!gi_options_new(&o)) return NULL;
    r.integers = true;
    for (int i = 0; i < 3; i++) {
        if (!gi_operand_is_number(given[i]) || given[i].kind == GA_KIND_COMPLEX || given[i].kind == GA_KIND_UINT)
            return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT,
                                       "start, stop and step must be real numbers, integers within int64");
        bool integer = given[i].kind != GA_KIND_REAL;
        real[i]      = integer ? (double)given[i].i : given[i].re;
        if (!integer) r.integers = false;
    }
    r.start_int = start.i;
    r.stop_int  = stop.i;
    r.step_int  = step.i;
    r.start     = real[0];
    r.stop      = real[1];
    r.step      = real[2];
    return gi_arange(o.site, &r, o.dtype, o.device, &o.chunks);
}

ga_array *(ga_linspace)(double start, double stop, int64_t num, ga_linspace_options o)
{
    GI_SETTLE_FLOATS;
    if (!gi_options_linspace(&o)) return NULL;
    if (num < 0) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "%lld numbers: give 0 or more", (long long)num);
    int64_t          divisor = o.endpoint ? num - 1 : num;
    ga_shape         shape   = gi_line(num);
    gi_linspace_plan p       = { start, stop, stop - start, stop - start, (double)divisor, -1, false, false };
    if (divisor > 0) {
        p.factor = p.delta / p.divisor;
        p.tiny   = p.factor == 0;
    }
    if (o.endpoint && num > 1) p.last = num - 1;
    p.whole = gi_is_int(o.dtype);
    return gi_generate(o.site, o.dtype, o.device, &shape, GA_F64, *gi_linspace_generator(), &p, sizeof p, &o.chunks);
}

ga_array *(ga_logspace)(double start, double stop, int64_t num, ga_linspace_options o)
{
    GI_SETTLE_FLOATS;
    ga_dtype dtype = o.dtype ? o.dtype : GA_F64;
    if (!gi_options_linspace(&o)) return NULL;
    bool chunked        = o.chunks.ndim > 0;
    o.dtype             = GA_F64;
    ga_array *exponents = (ga_linspace)(start, stop, num, o);
    if (!exponents) return NULL;
    ga_map_options in_place = gi_map_site(o.site);
    if (!chunked) in_place.out = exponents;
    ga_array *powers = (ga_power)(GA_ARG(o.base), GA_ARG(exponents), in_place), *result = powers;
    if (powers && dtype != GA_F64) result = gi_copy_convert(o.site, powers, dtype);
    if (result != powers && chunked) ga_free(powers);
    if (result != exponents) ga_free(exponents);
    return result;
}

ga_array *(ga_eye)(int64_t rows, int64_t cols, int64_t k, ga_new_options o)
{
    ga_shape shape = { 2, { rows, cols } };
    if (!gi_options_new(&o)) return NULL;
    if (o.chunks.ndim > 0) return gi_can_defer(o.site) ? gi_deferred()->eye(&shape, k, &o) : NULL;
    ga_array *eye = (ga_zeros)(shape, o);
    if (!eye) return NULL;
    ga_array *diagonal = (ga_diagonal)(eye, k, o.site);
    ga_array *one      = (ga_scalar)(GA_ARG(true), o);
    bool      done     = diagonal && one && gi_copy_assign(o.site, diagonal, one);
    ga_free(diagonal);
    ga_free(one);
    if (done) return eye;
    ga_free(eye);
    return NULL;
}
