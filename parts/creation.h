/* ==== >>creation: new arrays ====================================================================================== */

/* ---- all elements alike ------------------------------------------------------------------------------------------ */

typedef struct gi_fill_job {
    char       *data;
    const char *element;
    size_t      itemsize;
    bool        bytes_alike; /* 0 and -1: then memset will do */
} gi_fill_job;

static void gi_fill_range(int64_t begin, int64_t end, void *job)
{
    const size_t       longest = 1 << 15; /* so that what is copied from stays in the nearest cache */
    const gi_fill_job *j       = (const gi_fill_job *)job;
    char              *p       = j->data + (size_t)begin * j->itemsize;
    size_t             bytes   = (size_t)(end - begin) * j->itemsize;
    if (j->bytes_alike) {
        memset(p, j->element[0], bytes);
        return;
    }
    memcpy(p, j->element, j->itemsize);
    for (size_t done = j->itemsize, n; done < bytes; done += n) { /* what is filled is copied behind itself */
        n = done < longest ? done : longest;
        if (n > bytes - done) n = bytes - done;
        memcpy(p + done, p, n);
    }
}

/* Fills a new array with an element of its dtype. */
static void gi_fill(ga_array *a, const void *element)
{
    gi_fill_job j = { (char *)a->data, (const char *)element, (size_t)ga_itemsize(a->dtype), true };
    for (size_t i = 1; i < j.itemsize; i++)
        if (j.element[i] != j.element[0]) j.bytes_alike = false;
    gi_parallel(a->size, 1 << 16, gi_fill_range, &j);
}

static bool gi_is_number(ga_arg v) { return !v.array && v.kind != GA_KIND_ARRAY; }

/* The number as one element of a dtype. It must fit: integers as they are (NumPy 2), real numbers after their fraction is
   cut off. */
static bool gi_number_element(const char *site, ga_arg v, ga_dtype dtype, void *element)
{
    bool fits = v.kind == GA_KIND_COMPLEX ? gi_is_complex(dtype) : gi_number_fits(v, dtype);
    if (fits) gi_number_to(v, dtype, element);
    if (v.kind == GA_KIND_REAL && gi_is_int(dtype)) { /* it has been limited to the range of the dtype: has that changed it? */
        double back;
        gi_cast(GA_F64, dtype, 1, &back, element);
        fits = back == trunc(v.re);
    }
    if (fits) return true;
    char text[64];
    gi_number_text(v, text, sizeof text);
    gi_fail(site, GA_BAD_DTYPE, "%s does not fit %s", text, ga_dtype_name(dtype));
    return false;
}

static ga_array *gi_new_full(const char *site, ga_dtype dtype, ga_device device, int ndim, const int64_t *shape, ga_arg value)
{
    ga_array *a = gi_new(site, dtype, device, ndim, shape);
    if (!a) return NULL;
    bool done = true;
    if (gi_is_number(value)) {
        ga_c128 element; /* room and alignment for an element of any dtype */
        done = gi_number_element(site, value, a->dtype, &element);
        if (done) gi_fill(a, &element);
    } else {
        ga_shape all;
        all.ndim = ndim;
        for (int d = 0; d < ndim; d++) all.n[d] = shape[d];
        ga_array *stretched = (ga_broadcast_to)(value.array, all, site);
        done                = stretched && gi_assign(site, a, stretched);
        ga_free(stretched);
    }
    if (done) return a;
    ga_free(a);
    return NULL;
}

ga_array *(ga_empty_n)(int ndim, const int64_t *shape, ga_new_options o)
{
    return gi_new(o.site, o.dtype, o.device, ndim, shape);
}
ga_array *(ga_empty)(ga_shape shape, ga_new_options o) { return gi_new(o.site, o.dtype, o.device, shape.ndim, shape.n); }
ga_array *(ga_zeros_n)(int ndim, const int64_t *shape, ga_new_options o)
{
    return gi_new_full(o.site, o.dtype, o.device, ndim, shape, GA_ARG(0));
}
ga_array *(ga_zeros)(ga_shape shape, ga_new_options o) { return (ga_zeros_n)(shape.ndim, shape.n, o); }
ga_array *(ga_ones)(ga_shape shape, ga_new_options o)
{
    return gi_new_full(o.site, o.dtype, o.device, shape.ndim, shape.n, GA_ARG(1));
}

ga_array *(ga_full)(ga_shape shape, ga_arg value, ga_new_options o)
{
    if (!gi_is_number(value) && !gi_check(o.site, value.array, "value")) return NULL;
    ga_dtype own = value.array ? value.array->dtype : gi_number_dtype(value);
    return gi_new_full(o.site, o.dtype ? o.dtype : own, o.device, shape.ndim, shape.n, value);
}

ga_array *(ga_scalar)(ga_arg value, ga_new_options o)
{
    ga_shape none = { 0, { 0 } };
    return (ga_full)(none, value, o);
}

/* What is not given is taken from a. */
static bool gi_like(const ga_array *a, ga_new_options *o)
{
    if (!gi_check(o->site, a, "a")) return false;
    if (o->dtype == GA_DTYPE_DEFAULT) o->dtype = a->dtype;
    if (o->device == GA_DEVICE_DEFAULT) o->device = a->device;
    return true;
}

ga_array *(ga_empty_like)(const ga_array *a, ga_new_options o)
{
    return gi_like(a, &o) ? gi_new(o.site, o.dtype, o.device, a->ndim, a->shape) : NULL;
}
ga_array *(ga_full_like)(const ga_array *a, ga_arg value, ga_new_options o)
{
    return gi_like(a, &o) ? gi_new_full(o.site, o.dtype, o.device, a->ndim, a->shape, value) : NULL;
}
ga_array *(ga_zeros_like)(const ga_array *a, ga_new_options o) { return (ga_full_like)(a, GA_ARG(0), o); }
ga_array *(ga_ones_like)(const ga_array *a, ga_new_options o) { return (ga_full_like)(a, GA_ARG(1), o); }

/* ---- memory and numbers of the caller ---------------------------------------------------------------------------- */

static ga_array *gi_wrap(const char *site, void *p, ga_dtype dtype, const ga_shape *shape, const int64_t *strides)
{
    gi_layout l;
    int64_t   c_strides[GPUARR_MAX_DIMS];
    l.data = (char *)p;
    l.ndim = shape->ndim;
    if (!gi_is_dtype(dtype))
        return (ga_array *)gi_fail(site, GA_BAD_DTYPE, "%d is not a dtype: use GA_F64, GA_I32 ...", (int)dtype);
    if (shape->ndim < 0 || shape->ndim > GPUARR_MAX_DIMS)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "%d dimensions; at most %d are possible", shape->ndim, GPUARR_MAX_DIMS);
    for (int d = 0; d < l.ndim; d++)
        if (shape->n[d] < 0)
            return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "shape %s has a negative length",
                                       gi_shape_text(shape->ndim, shape->n));
    int64_t bytes = gi_c_strides(dtype, shape->ndim, shape->n, c_strides);
    if (bytes < 0)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "shape %s has more elements than can be counted",
                                   gi_shape_text(shape->ndim, shape->n));
    if (bytes > 0 && !p) return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT, "the pointer is NULL");
    int64_t reach = ga_itemsize(dtype);
    for (int d = 0; d < l.ndim; d++) {
        int64_t far;
        l.shape[d]   = shape->n[d];
        l.strides[d] = strides ? strides[d] : c_strides[d];
        if (bytes == 0) continue;
        if (l.strides[d] == INT64_MIN || __builtin_mul_overflow(l.shape[d] - 1, l.strides[d], &far) ||
            __builtin_add_overflow(reach, far < 0 ? -far : far, &reach))
            return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT, "the strides %s reach beyond any memory",
                                       gi_shape_text(l.ndim, strides));
    }
    if (!gi_is_aligned(dtype, &l))
        return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT,
                                   "the elements are not aligned as %s must be: copy them to aligned memory first",
                                   ga_dtype_name(dtype));
    gi_buffer *b = (gi_buffer *)gi_alloc(site, sizeof *b);
    if (!b) return NULL;
    memset(b, 0, sizeof *b);
    b->references = 1;
    b->base       = p;
    b->bytes      = bytes == 0 ? 0 : (size_t)reach;
    b->wrapped    = true;
    return gi_new_handle(site, b, p, dtype, GA_CPU, l.ndim, l.shape, l.strides);
}

static ga_array *gi_wrap_with(void *p, ga_dtype dtype, const ga_shape *shape, const int64_t *strides, const ga_wrap_options *o)
{
    if (o->device != GA_DEVICE_DEFAULT && o->device != GA_CPU)
        return (ga_array *)gi_fail(o->site, GA_BAD_DEVICE,
                                   "this program was built without CUDA: build the implementation file with nvcc");
    ga_array *a = gi_wrap(o->site, p, dtype, shape, strides);
    if (!a) return NULL;
    a->owner->release = o->release; /* only now, so that after an error the memory is still the caller's */
    a->owner->user    = o->user;
    return a;
}

ga_array *(ga_wrap)(void *p, ga_dtype dtype, ga_shape shape, ga_wrap_options o)
{
    return gi_wrap_with(p, dtype, &shape, NULL, &o);
}

ga_array *(ga_wrap_strided)(void *p, ga_dtype dtype, ga_shape shape, ga_shape strides, ga_wrap_options o)
{
    if (strides.ndim != shape.ndim)
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE,
                                   "%d strides for %d dimensions: give the bytes from one element to the next on each axis",
                                   strides.ndim, shape.ndim);
    return gi_wrap_with(p, dtype, &shape, strides.n, &o);
}

ga_array *(ga_from)(const void *p, ga_dtype dtype, ga_shape shape, ga_new_options o)
{
    ga_array *numbers = gi_wrap(o.site, (void *)p, dtype, &shape, NULL);
    if (!numbers) return NULL;
    ga_array *a = gi_new(o.site, o.dtype ? o.dtype : dtype, o.device, shape.ndim, shape.n);
    if (a && !gi_assign(o.site, a, numbers)) {
        ga_free(a);
        a = NULL;
    }
    ga_free(numbers);
    return a;
}

/* ---- numbers for the caller -------------------------------------------------------------------------------------- */

/* The address of the only element, or of the one at *index; NULL with an error. */
static const void *gi_element_at(const char *site, const ga_array *a, const ga_shape *index)
{
    if (!gi_check(site, a, "a")) return NULL;
    if (a->device != GA_CPU) return gi_fail(site, GA_BAD_DEVICE, "the array is on the GPU: ga_to(a, GA_CPU) first");
    if (!index) {
        if (a->size == 1) return a->data;
        return gi_fail(site, GA_BAD_SHAPE, "shape %s has %lld elements, not one: use ga_item_at(a, ...)", gi_shape_of(a),
                       (long long)a->size);
    }
    if (index->ndim != a->ndim) return gi_fail(site, GA_BAD_ARGUMENT, "%d indices for %d dimensions", index->ndim, a->ndim);
    const char *p = (const char *)a->data;
    for (int d = 0; d < a->ndim; d++) {
        int64_t i = index->n[d], length = a->shape[d];
        if (i < -length || i >= length)
            return gi_fail(site, GA_BAD_ARGUMENT, "index %lld is out of bounds for axis %d with length %lld", (long long)i, d,
                           (long long)length);
        p += (i < 0 ? i + length : i) * a->strides[d];
    }
    return p;
}

/* The element as a double or an int64. */
static bool gi_item_as(const char *site, const ga_array *a, const ga_shape *index, ga_dtype dtype, void *number)
{
    const void *p = gi_element_at(site, a, index);
    if (!p) return false;
    if (gi_is_complex(a->dtype)) {
        gi_fail(site, GA_BAD_DTYPE, "a %s is two numbers: take ga_real or ga_imag first", ga_dtype_name(a->dtype));
        return false;
    }
    gi_cast(dtype, a->dtype, 1, number, p);
    return true;
}

double(ga_item)(const ga_array *a, const char *site)
{
    double x;
    return gi_item_as(site, a, NULL, GA_F64, &x) ? x : (double)NAN;
}

int64_t(ga_item_int)(const ga_array *a, const char *site)
{
    int64_t x;
    return gi_item_as(site, a, NULL, GA_I64, &x) ? x : 0;
}

double(ga_item_at)(const ga_array *a, ga_shape index, const char *site)
{
    double x;
    return gi_item_as(site, a, &index, GA_F64, &x) ? x : (double)NAN;
}

void *(ga_data)(const ga_array *a, ga_dtype dtype, const char *site)
{
    if (!gi_check(site, a, "a")) return NULL;
    if (a->device != GA_CPU) return gi_fail(site, GA_BAD_DEVICE, "the array is on the GPU: ga_to(a, GA_CPU) first");
    if (a->dtype != dtype)
        return gi_fail(site, GA_BAD_DTYPE, "the array is %s, not %s: ga_astype first", ga_dtype_name(a->dtype),
                       ga_dtype_name(dtype));
    if (!ga_is_contiguous(a))
        return gi_fail(site, GA_BAD_SHAPE, "the elements do not lie one behind the other: ga_ascontiguous first");
    return a->data;
}

/* ---- arrays that are computed from the number of each element ---------------------------------------------------- */
/* A generator writes elements begin to begin + n - 1 of an array, packed, in its own dtype; begin is a multiple of 4. Each
   element depends on its number alone, so threads may share the work as they like. */

typedef void (*gi_generator)(const void *plan, int64_t begin, int64_t n, void *out);

enum { GI_GENERATE_BLOCK = 512, GI_GENERATE_CHUNK = 1 << 13 }; /* elements; multiples of 4 */

typedef struct gi_generate_job {
    gi_generator generator;
    const void  *plan;
    ga_dtype     from, to;
    char        *data;
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
                             gi_generator generator, const void *plan)
{
    ga_array *a = gi_new(site, dtype, device, shape->ndim, shape->n);
    if (!a) return NULL;
    gi_generate_job j = { generator, plan, from, a->dtype, (char *)a->data };
    gi_parallel(a->size, GI_GENERATE_CHUNK, gi_generate_range, &j);
    return a;
}

static ga_shape gi_line(int64_t n)
{
    ga_shape shape = { 1, { n } };
    return shape;
}

/* ---- sequences --------------------------------------------------------------------------------------------------- */

GI_BEGIN_FAST

/* NumPy computes arange from its first two elements: start + i * (second - start), integers in int64, float32 in float32. */
typedef struct gi_arange_plan {
    int64_t start_int, delta_int;
    double  start, second, delta;
} gi_arange_plan;

GI_FORMULA int64_t gi_arange_i64(const gi_arange_plan *p, int64_t i)
{
    return (int64_t)((uint64_t)p->start_int + (uint64_t)i * (uint64_t)p->delta_int); /* the product alone may overflow */
}
GI_FORMULA double gi_arange_f64(const gi_arange_plan *p, int64_t i)
{
    return i == 1 ? p->second : p->start + gi_mul_f64((double)i, p->delta);
}
GI_FORMULA float gi_arange_f32(const gi_arange_plan *p, int64_t i)
{
    return i == 1 ? (float)p->second : (float)p->start + gi_mul_f32((float)i, (float)p->delta);
}

static void gi_make_arange_i64(const void *plan, int64_t begin, int64_t n, void *out)
{
    for (int64_t i = 0; i < n; i++) ((int64_t *)out)[i] = gi_arange_i64((const gi_arange_plan *)plan, begin + i);
}
static void gi_make_arange_f64(const void *plan, int64_t begin, int64_t n, void *out)
{
    for (int64_t i = 0; i < n; i++) ((double *)out)[i] = gi_arange_f64((const gi_arange_plan *)plan, begin + i);
}
static void gi_make_arange_f32(const void *plan, int64_t begin, int64_t n, void *out)
{
    for (int64_t i = 0; i < n; i++) ((float *)out)[i] = gi_arange_f32((const gi_arange_plan *)plan, begin + i);
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

static void gi_make_linspace(const void *plan, int64_t begin, int64_t n, void *out)
{
    const gi_linspace_plan *p = (const gi_linspace_plan *)plan;
    double                 *x = (double *)out;
    for (int64_t i = 0; i < n; i++) x[i] = gi_linspace_f64(p, begin + i);
    for (int64_t i = 0; i < n && p->whole; i++) x[i] = floor(x[i]);
}

GI_END_FAST

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

static ga_array *gi_arange(const char *site, const gi_range *r, ga_dtype dtype, ga_device device)
{
    int64_t        n     = gi_range_count(site, r);
    ga_shape       shape = gi_line(n);
    gi_arange_plan p     = { 0, 0, r->start, r->start + r->step, 0 };
    if (n < 0) return NULL;
    if (dtype == GA_DTYPE_DEFAULT) dtype = r->integers ? GA_I64 : GA_F64;
    if (gi_is_int(dtype) || (dtype == GA_BOOL && n <= 2)) {
        if (!gi_arange_integers(site, r, n, dtype, &p)) return NULL;
        return gi_generate(site, dtype, device, &shape, GA_I64, gi_make_arange_i64, &p);
    }
    if (dtype == GA_BOOL) return (ga_array *)gi_fail(site, GA_BAD_DTYPE, "a range of bool has no third element");
    if (gi_real_dtype(dtype) == GA_F32) {
        p.delta = (float)p.second - (float)p.start;
        return gi_generate(site, dtype, device, &shape, GA_F32, gi_make_arange_f32, &p);
    }
    p.delta = p.second - p.start;
    return gi_generate(site, dtype, device, &shape, GA_F64, gi_make_arange_f64, &p);
}

ga_array *(ga_arange)(ga_arg start, ga_arg stop, ga_arg step, ga_new_options o)
{
    const ga_arg given[3] = { start, stop, step };
    double       real[3];
    gi_range     r;
    r.integers = true;
    for (int i = 0; i < 3; i++) {
        if (!gi_is_number(given[i]) || given[i].kind == GA_KIND_COMPLEX || given[i].kind == GA_KIND_UINT)
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
    return gi_arange(o.site, &r, o.dtype, o.device);
}

ga_array *(ga_linspace)(double start, double stop, int64_t num, ga_linspace_options o)
{
    if (num < 0) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "%lld numbers: give 0 or more", (long long)num);
    int64_t          divisor = o.no_endpoint ? num : num - 1;
    ga_shape         shape   = gi_line(num);
    gi_linspace_plan p       = { start, stop, stop - start, stop - start, (double)divisor, -1, false, false };
    if (divisor > 0) {
        p.factor = p.delta / p.divisor;
        p.tiny   = p.factor == 0;
    }
    if (!o.no_endpoint && num > 1) p.last = num - 1;
    p.whole = gi_is_int(o.dtype);
    return gi_generate(o.site, o.dtype, o.device, &shape, GA_F64, gi_make_linspace, &p);
}

ga_array *(ga_logspace)(double start, double stop, int64_t num, ga_linspace_options o)
{
    ga_dtype dtype = o.dtype ? o.dtype : GA_F64;
    double   base  = o.base == 0 ? 10 : o.base;
    if (!gi_is_dtype(dtype))
        return (ga_array *)gi_fail(o.site, GA_BAD_DTYPE, "%d is not a dtype: use GA_F64, GA_I32 ...", (int)dtype);
    o.dtype             = GA_F64;
    ga_array *exponents = (ga_linspace)(start, stop, num, o);
    if (!exponents) return NULL;
    ga_map_options in_place = { o.site, exponents, NULL, GA_DTYPE_DEFAULT };
    ga_array      *powers   = (ga_power)(GA_ARG(base), GA_ARG(exponents), in_place);
    if (powers && dtype == GA_F64) return powers;
    ga_array *result = powers ? gi_convert(o.site, powers, dtype) : NULL;
    ga_free(exponents);
    return result;
}

ga_array *(ga_eye)(int64_t rows, int64_t cols, int64_t k, ga_new_options o)
{
    ga_shape  shape = { 2, { rows, cols } };
    ga_array *eye   = (ga_zeros)(shape, o);
    if (!eye) return NULL;
    ga_array *diagonal = (ga_diagonal)(eye, k, o.site);
    ga_array *one      = (ga_scalar)(GA_ARG(true), o);
    bool      done     = diagonal && one && gi_assign(o.site, diagonal, one);
    ga_free(diagonal);
    ga_free(one);
    if (done) return eye;
    ga_free(eye);
    return NULL;
}

/* ---- coordinates ------------------------------------------------------------------------------------------------- */

/* to[..., i, ...] = line[i], where i is the index along `axis`. */
static bool gi_put_coordinates(const char *site, ga_array *to, int axis, const ga_array *line)
{
    int64_t shape[GPUARR_MAX_DIMS], strides[GPUARR_MAX_DIMS];
    for (int d = 0; d < to->ndim; d++) {
        shape[d]   = d == axis ? line->shape[0] : 1;
        strides[d] = d == axis ? line->strides[0] : 0;
    }
    ga_array *standing = gi_new_view(site, line, line->data, line->dtype, to->ndim, shape, strides);
    bool      done     = standing && gi_assign(site, to, standing);
    ga_free(standing);
    return done;
}

/* The same for the part to[k], along its axis k. */
static bool gi_put_coordinates_at(const char *site, ga_array *to, int k, const ga_array *line)
{
    ga_array *part = (ga_index)(site, to, "%d", k);
    bool      done = part && gi_put_coordinates(site, part, k, line);
    ga_free(part);
    return done;
}

static void gi_free_all(int n, ga_array **arrays)
{
    for (int i = 0; i < n; i++) {
        ga_free(arrays[i]);
        arrays[i] = NULL;
    }
}

bool(ga_meshgrid_n)(int n, const ga_array *const *in, ga_array **outs, bool ij, const char *site)
{
    if (n < 0 || n > GPUARR_MAX_DIMS) {
        gi_fail(site, GA_BAD_ARGUMENT, "%d arrays; an array has at most %d dimensions", n, GPUARR_MAX_DIMS);
        return false;
    }
    if (n > 0 && (!in || !outs)) {
        gi_fail(site, GA_BAD_ARGUMENT, "the list of %s is NULL", in ? "results" : "arrays");
        return false;
    }
    for (int i = 0; i < n; i++) outs[i] = NULL;
    int64_t shape[GPUARR_MAX_DIMS];
    int     axes[GPUARR_MAX_DIMS]; /* along which each array runs */
    for (int i = 0; i < n; i++) {
        if (!gi_check(site, in[i], "an array of the list")) return false;
        axes[i]        = !ij && i < 2 && n >= 2 ? 1 - i : i;
        shape[axes[i]] = in[i]->size;
    }
    for (int i = 0; i < n; i++) {
        ga_array *line = (ga_reshape)(in[i], gi_line(in[i]->size), site); /* of any shape, as NumPy takes it */
        if (line) outs[i] = gi_new(site, in[i]->dtype, in[i]->device, n, shape);
        bool done = outs[i] && gi_put_coordinates(site, outs[i], axes[i], line);
        ga_free(line);
        if (done) continue;
        gi_free_all(n, outs);
        return false;
    }
    return true;
}

bool(ga_meshgrid)(const ga_array *x, const ga_array *y, ga_array **xx, ga_array **yy, bool ij, const char *site)
{
    const ga_array *in[2] = { x, y };
    ga_array       *outs[2];
    if (!xx || !yy) {
        gi_fail(site, GA_BAD_ARGUMENT, "give the addresses of two array pointers for the results");
        return false;
    }
    bool done = (ga_meshgrid_n)(2, in, outs, ij, site);
    *xx       = outs[0];
    *yy       = outs[1];
    return done;
}

/* A new array (ndim, shape...) for one coordinate of each element along each axis. */
static ga_array *gi_new_grid(const char *site, ga_dtype dtype, ga_device device, const ga_shape *shape)
{
    ga_shape all;
    if (shape->ndim < 0 || shape->ndim >= GPUARR_MAX_DIMS)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE,
                                   "the grid has %d dimensions and one more for its axes; at most %d are possible", shape->ndim,
                                   GPUARR_MAX_DIMS);
    all.ndim = shape->ndim + 1;
    all.n[0] = shape->ndim;
    for (int d = 0; d < shape->ndim; d++) all.n[d + 1] = shape->n[d];
    return gi_new(site, dtype, device, all.ndim, all.n);
}

ga_array *(ga_indices)(ga_shape shape, ga_new_options o)
{
    ga_array *grid = gi_new_grid(o.site, o.dtype ? o.dtype : GA_I64, o.device, &shape);
    for (int k = 0; grid && k < shape.ndim; k++) {
        gi_range  r    = { true, 0, shape.n[k], 1, 0, (double)shape.n[k], 1 };
        ga_array *line = gi_arange(o.site, &r, GA_I64, grid->device);
        bool      done = line && gi_put_coordinates_at(o.site, grid, k, line);
        ga_free(line);
        if (done) continue;
        ga_free(grid);
        return NULL;
    }
    return grid;
}

/* One slice of ga_mgrid. With a count ("5j") it goes from start to stop in that many points. */
typedef struct gi_grid_slice {
    gi_range range;
    bool     counted;
    int64_t  count;
} gi_grid_slice;

/* Reads a number if there is one at *p, with blanks around it; else it changes nothing. */
static bool gi_read_number(const char **p, double *real, int64_t *integer, bool *whole)
{
    const char *start = *p;
    if (gi_read_integer(p, integer) && !strchr(".eE", **p ? **p : ',')) {
        *real = (double)*integer;
        return true;
    }
    *p = start;
    while (gi_is_blank(**p)) ++*p;
    if (strspn(*p, "+-.0123456789") == 0) return false; /* strtod would take nan, too */
    char  *end;
    double x = strtod(*p, &end);
    if (end == *p) return false;
    *real  = x;
    *whole = false;
    *p     = end;
    while (gi_is_blank(**p)) ++*p;
    return true;
}

/* Reads start:stop:step at *p, up to a comma or the end. */
static bool gi_read_grid_slice(const char **p, gi_grid_slice *s)
{
    gi_range *r        = &s->range;
    bool      whole[3] = { true, true, true };
    memset(s, 0, sizeof *s);
    r->step     = 1;
    r->step_int = 1;
    gi_read_number(p, &r->start, &r->start_int, &whole[0]); /* 0 if there is none */
    if (**p != ':') return false;
    ++*p;
    if (!gi_read_number(p, &r->stop, &r->stop_int, &whole[1])) return false;
    if (**p == ':') {
        ++*p;
        if (gi_read_number(p, &r->step, &r->step_int, &whole[2]) && **p == 'j') {
            ++*p;
            while (gi_is_blank(**p)) ++*p;
            if (!(fabs(r->step) < 9e18)) return false;
            s->counted = true;
            s->count   = (int64_t)fabs(r->step);
        }
    }
    r->integers = whole[0] && whole[1] && whole[2] && !s->counted;
    return **p == 0 || **p == ',';
}

/* The coordinates along one axis; `alone`: as numpy.arange rounds, otherwise start + i * step. */
static ga_array *gi_grid_line(const char *site, const gi_grid_slice *s, bool alone, ga_device device)
{
    const gi_range *r = &s->range;
    if (!s->counted && (r->integers || alone)) return gi_arange(site, r, GA_DTYPE_DEFAULT, device);
    int64_t        n     = s->counted ? s->count : gi_range_count(site, r);
    ga_shape       shape = gi_line(n);
    gi_arange_plan p     = { 0, 0, r->start, 0, r->step };
    if (n < 0) return NULL;
    if (s->counted) p.delta = n == 1 ? 1 : (r->stop - r->start) / (double)(n - 1);
    p.second = p.start + p.delta;
    return gi_generate(site, GA_F64, device, &shape, GA_F64, gi_make_arange_f64, &p);
}

ga_array *(ga_mgrid)(const char *slices, ga_new_options o)
{
    gi_grid_slice s[GPUARR_MAX_DIMS];
    ga_array     *lines[GPUARR_MAX_DIMS] = { NULL };
    int           n                      = 0;
    bool          comma = false, integers = true, done = true;
    const char   *p = slices ? slices : "";
    do {
        if (n == GPUARR_MAX_DIMS)
            return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "\"%.200s\" has more than %d slices", slices, GPUARR_MAX_DIMS);
        if (!gi_read_grid_slice(&p, &s[n]))
            return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT,
                                       "slice %d of \"%.200s\" is not start:stop, start:stop:step or start:stop:5j", n + 1,
                                       slices ? slices : "");
        if (!s[n++].range.integers) integers = false;
        if (*p == ',') comma = true, p++;
        while (gi_is_blank(*p)) p++;
    } while (*p);
    ga_dtype dtype = o.dtype ? o.dtype : integers ? GA_I64 : GA_F64;
    ga_shape shape;
    shape.ndim = n;
    for (int k = 0; k < n && done; k++) {
        lines[k] = gi_grid_line(o.site, &s[k], !comma, o.device);
        done     = lines[k] != NULL;
        if (done) shape.n[k] = lines[k]->size;
    }
    ga_array *grid = NULL;
    if (done && !comma) { /* a single slice gives a single line */
        grid = gi_convert(o.site, lines[0], dtype);
    } else if (done) {
        grid = gi_new_grid(o.site, dtype, o.device, &shape);
        done = grid != NULL;
        for (int k = 0; k < n && done; k++) done = gi_put_coordinates_at(o.site, grid, k, lines[k]);
    }
    gi_free_all(n, lines);
    if (done) return grid;
    ga_free(grid);
    return NULL;
}

/* ---- repetition -------------------------------------------------------------------------------------------------- */

/* Copies one part of a into another. */
static bool gi_copy_part(const char *site, const ga_array *a, const gi_layout *to, const gi_layout *from)
{
    ga_array *dst = gi_view_with(site, a, to), *src = dst ? gi_view_with(site, a, from) : NULL;
    bool      done = src && gi_assign(site, dst, src);
    ga_free(dst);
    ga_free(src);
    return done;
}

/* `filled` has the extent of a's first copy; it is doubled along each axis until all is full, the last axis first. */
static bool gi_tile_from_corner(const char *site, const ga_array *a, gi_layout *filled)
{
    for (int d = a->ndim - 1; d >= 0; d--) {
        int64_t have = filled->shape[d], all = a->shape[d];
        for (int64_t n; have < all; have += n) {
            gi_layout from = *filled, to = *filled;
            n             = have < all - have ? have : all - have;
            from.shape[d] = to.shape[d] = n;
            to.data += have * a->strides[d];
            if (!gi_copy_part(site, a, &to, &from)) return false;
        }
        filled->shape[d] = all;
    }
    return true;
}

ga_array *(ga_tile)(const ga_array *a, ga_shape reps, const char *site)
{
    if (!gi_check(site, a, "a")) return NULL;
    if (reps.ndim < 0 || reps.ndim > GPUARR_MAX_DIMS)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE, "%d dimensions; at most %d are possible", reps.ndim, GPUARR_MAX_DIMS);
    int     ndim = a->ndim > reps.ndim ? a->ndim : reps.ndim;
    int64_t shape[GPUARR_MAX_DIMS], once[GPUARR_MAX_DIMS];
    for (int d = 0; d < ndim; d++) { /* the shorter one is right-aligned, with ones before */
        int64_t rep = d < ndim - reps.ndim ? 1 : reps.n[d - (ndim - reps.ndim)];
        once[d]     = d < ndim - a->ndim ? 1 : a->shape[d - (ndim - a->ndim)];
        if (rep < 0 || __builtin_mul_overflow(once[d], rep, &shape[d]))
            return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT, "%s cannot be repeated %s times", gi_shape_of(a),
                                       gi_shape_text(reps.ndim, reps.n));
    }
    ga_array *tiled = gi_new(site, a->dtype, a->device, ndim, shape);
    if (!tiled || tiled->size == 0) return tiled;
    gi_layout corner = gi_layout_of(tiled);
    memcpy(corner.shape, once, sizeof once);
    ga_array *first = gi_view_with(site, tiled, &corner);
    bool      done  = first && gi_assign(site, first, a) && gi_tile_from_corner(site, tiled, &corner);
    ga_free(first);
    if (done) return tiled;
    ga_free(tiled);
    return NULL;
}

/* An array (outer, n, inner) as (outer, n, repeats, inner): each of the n is written `repeats` times. */
static bool gi_repeat_into(const char *site, ga_array *to, const ga_array *a, int64_t outer, int64_t n, int64_t repeats,
                           int64_t inner)
{
    const ga_shape one_each = { 4, { outer, n, 1, inner } }, all = { 4, { outer, n, repeats, inner } };
    ga_array      *packed = gi_contiguous(site, a, a->dtype);
    ga_array      *src    = packed ? (ga_reshape)(packed, one_each, site) : NULL;
    ga_array      *dst    = src ? (ga_reshape)(to, all, site) : NULL;
    bool           done   = dst && gi_assign(site, dst, src);
    ga_free(dst);
    ga_free(src);
    ga_free(packed);
    return done;
}

ga_array *(ga_repeat)(const ga_array *a, int64_t repeats, ga_axis_options o)
{
    if (!gi_check(o.site, a, "a")) return NULL;
    if (repeats < 0) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "%lld repeats: give 0 or more", (long long)repeats);
    if (o.out || o.dtype) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "ga_repeat has no other option than .axis");
    gi_layout l     = gi_layout_of(a);
    int       axis  = 0;
    int64_t   outer = 1, inner = 1;
    if (o.axis != 0 || gi_option_given(o.site, "axis")) {
        axis = gi_axis(o.site, o.axis, a->ndim);
        if (axis < 0) return NULL;
    } else {
        l.ndim     = 1;
        l.shape[0] = a->size;
    }
    int64_t n = l.shape[axis];
    for (int d = 0; d < axis; d++) outer *= l.shape[d];
    for (int d = axis + 1; d < l.ndim; d++) inner *= l.shape[d];
    if (__builtin_mul_overflow(n, repeats, &l.shape[axis]))
        return (ga_array *)gi_fail(o.site, GA_BAD_SHAPE, "%lld repeats of %lld elements are more than can be counted",
                                   (long long)repeats, (long long)n);
    ga_array *repeated = gi_new(o.site, a->dtype, a->device, l.ndim, l.shape);
    if (!repeated || repeated->size == 0 || gi_repeat_into(o.site, repeated, a, outer, n, repeats, inner)) return repeated;
    ga_free(repeated);
    return NULL;
}

/* ---- random numbers ---------------------------------------------------------------------------------------------- */
/* Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3; SC 2011) turns a counter and a
   key into four random words. The key is the seed; the counter is the stream and the number of a block of elements, so that
   every element can be computed alone. */

GI_BEGIN_FAST

typedef struct gi_philox_words {
    uint32_t w[4];
} gi_philox_words;

GI_FORMULA gi_philox_words gi_philox_round(gi_philox_words x, uint64_t key, uint32_t round)
{
    uint32_t        key0 = (uint32_t)key + round * 0x9E3779B9u, key1 = (uint32_t)(key >> 32) + round * 0xBB67AE85u;
    uint64_t        left = (uint64_t)0xD2511F53u * x.w[0], right = (uint64_t)0xCD9E8D57u * x.w[2];
    gi_philox_words y = { { (uint32_t)(right >> 32) ^ x.w[1] ^ key0, (uint32_t)right, (uint32_t)(left >> 32) ^ x.w[3] ^ key1,
                            (uint32_t)left } };
    return y;
}

GI_FORMULA gi_philox_words gi_philox(uint64_t counter, uint64_t stream, uint64_t key)
{
    gi_philox_words x = { { (uint32_t)counter, (uint32_t)(counter >> 32), (uint32_t)stream, (uint32_t)(stream >> 32) } };
    x                 = gi_philox_round(x, key, 0); /* ten rounds; no loop, so that compilers vectorise over counters */
    x                 = gi_philox_round(x, key, 1);
    x                 = gi_philox_round(x, key, 2);
    x                 = gi_philox_round(x, key, 3);
    x                 = gi_philox_round(x, key, 4);
    x                 = gi_philox_round(x, key, 5);
    x                 = gi_philox_round(x, key, 6);
    x                 = gi_philox_round(x, key, 7);
    x                 = gi_philox_round(x, key, 8);
    return gi_philox_round(x, key, 9);
}

typedef enum gi_random_kind { GI_UNIFORM_F32, GI_UNIFORM_F64, GI_INTEGERS, GI_NORMAL } gi_random_kind;

typedef struct gi_random_plan {
    gi_random_kind kind;
    uint64_t       seed, stream;
    uint64_t       low, span;   /* integers: low <= x < low + span, modulo 2**64 */
    double         mean, sigma; /* normal numbers */
} gi_random_plan;

/* Numbers in [0, 1): 24 bits of a word; 53 bits of two, of which both parts and their sum are exact. */
GI_FORMULA float  gi_unit_f32(uint32_t w) { return (float)(int32_t)(w >> 8) * 0x1p-24f; }
GI_FORMULA double gi_unit_f64(uint32_t low, uint32_t high)
{
    return (double)(int32_t)(high >> 6) * 0x1p-26 + (double)(int32_t)((high & 63) << 21 | low >> 11) * 0x1p-53;
}

/* The upper half of the 128 bits of a * b. */
GI_FORMULA uint64_t gi_multiply_high(uint64_t a, uint64_t b)
{
    uint64_t a_low = (uint32_t)a, a_high = a >> 32, b_low = (uint32_t)b, b_high = b >> 32;
    uint64_t middle = a_high * b_low + (a_low * b_low >> 32);
    return a_high * b_high + (middle >> 32) + ((a_low * b_high + (uint32_t)middle) >> 32);
}

/* low + bits * span / 2**64 would be slightly biased. Lemire (2019): draw again when the lower half of the product is below
   2**64 modulo span. Elements are fewer than 2**48, so the counters from attempt * 2**48 on are free for element i's next
   attempts. */
GI_FORMULA int64_t gi_random_integer(const gi_random_plan *p, uint64_t bits, int64_t i)
{
    if (bits * p->span < p->span) {
        uint64_t least = (0 - p->span) % p->span;
        for (uint64_t attempt = 1; bits * p->span < least; attempt++) {
            gi_philox_words x = gi_philox((attempt << 48) + (uint64_t)i, p->stream, p->seed);
            bits              = (uint64_t)x.w[1] << 32 | x.w[0];
        }
    }
    return (int64_t)(p->low + gi_multiply_high(bits, p->span));
}

/* Box and Muller (1958): a point at a random angle whose squared distance is exponentially distributed has two independent
   normal coordinates. */
GI_FORMULA double gi_normal_pair(const gi_random_plan *p, gi_philox_words x, double *second)
{
    double unit     = gi_unit_f64(x.w[0], x.w[1]) + 0x1p-53; /* in (0, 1]: it has a logarithm */
    double distance = gi_root_f64(-2.0 * gi_log_core_f64(unit)), angle = 0x1.921fb54442d18p+2 * gi_unit_f64(x.w[2], x.w[3]);
    *second = p->mean + gi_mul_f64(p->sigma, gi_mul_f64(distance, gi_sin_core_f64(angle)));
    return p->mean + gi_mul_f64(p->sigma, gi_mul_f64(distance, gi_cos_core_f64(angle)));
}

/* The words of many counters, word by word, so that the loops over them vectorise. */
enum { GI_COUNTERS = 64 };
typedef struct gi_random_words {
    uint32_t w[4][GI_COUNTERS];
} gi_random_words;

static GI_INLINE void gi_random_fill(const gi_random_plan *p, uint64_t counter, gi_random_words *b)
{
    GI_VECTORIZE
    for (int i = 0; i < GI_COUNTERS; i++) {
        gi_philox_words x = gi_philox(counter + (uint64_t)i, p->stream, p->seed);
        b->w[0][i]        = x.w[0];
        b->w[1][i]        = x.w[1];
        b->w[2][i]        = x.w[2];
        b->w[3][i]        = x.w[3];
    }
}

/* Elements begin to begin + 4 * GI_COUNTERS - 1: four from each counter. */
static GI_INLINE void gi_uniform_f32_block(const gi_random_plan *p, int64_t begin, float *x)
{
    gi_random_words b;
    gi_random_fill(p, (uint64_t)begin / 4, &b);
    GI_VECTORIZE
    for (int i = 0; i < GI_COUNTERS; i++) {
        x[4 * i]     = gi_unit_f32(b.w[0][i]);
        x[4 * i + 1] = gi_unit_f32(b.w[1][i]);
        x[4 * i + 2] = gi_unit_f32(b.w[2][i]);
        x[4 * i + 3] = gi_unit_f32(b.w[3][i]);
    }
}

/* Elements begin to begin + 2 * GI_COUNTERS - 1: two from each counter. */
static GI_INLINE void gi_uniform_f64_block(const gi_random_plan *p, int64_t begin, double *x)
{
    gi_random_words b;
    gi_random_fill(p, (uint64_t)begin / 2, &b);
    GI_VECTORIZE
    for (int i = 0; i < GI_COUNTERS; i++) {
        x[2 * i]     = gi_unit_f64(b.w[0][i], b.w[1][i]);
        x[2 * i + 1] = gi_unit_f64(b.w[2][i], b.w[3][i]);
    }
}

static GI_INLINE void gi_integers_block(const gi_random_plan *p, int64_t begin, int64_t *x)
{
    gi_random_words b;
    gi_random_fill(p, (uint64_t)begin / 2, &b);
    for (int i = 0; i < GI_COUNTERS; i++) {
        x[2 * i]     = gi_random_integer(p, (uint64_t)b.w[1][i] << 32 | b.w[0][i], begin + 2 * i);
        x[2 * i + 1] = gi_random_integer(p, (uint64_t)b.w[3][i] << 32 | b.w[2][i], begin + 2 * i + 1);
    }
}

static GI_INLINE void gi_normal_block(const gi_random_plan *p, int64_t begin, double *x)
{
    gi_random_words b;
    gi_random_fill(p, (uint64_t)begin / 2, &b);
    GI_VECTORIZE
    for (int i = 0; i < GI_COUNTERS; i++) {
        gi_philox_words words = { { b.w[0][i], b.w[1][i], b.w[2][i], b.w[3][i] } };
        double          second;
        x[2 * i]     = gi_normal_pair(p, words, &second);
        x[2 * i + 1] = second;
    }
}

static GI_INLINE void gi_random_blocks(const gi_random_plan *p, int64_t begin, int64_t n, void *out)
{
    double  last[2 * GI_COUNTERS]; /* the last block, of which only a part is wanted */
    int64_t each = p->kind == GI_UNIFORM_F32 ? 4 * GI_COUNTERS : 2 * GI_COUNTERS, itemsize = (int64_t)sizeof last / each;
    for (int64_t i = 0; i < n; i += each) {
        void *to = i + each <= n ? (char *)out + i * itemsize : (char *)last;
        switch (p->kind) {
        case GI_UNIFORM_F32: gi_uniform_f32_block(p, begin + i, (float *)to); break;
        case GI_UNIFORM_F64: gi_uniform_f64_block(p, begin + i, (double *)to); break;
        case GI_INTEGERS: gi_integers_block(p, begin + i, (int64_t *)to); break;
        default: gi_normal_block(p, begin + i, (double *)to); break;
        }
        if (to == last) memcpy((char *)out + i * itemsize, last, (size_t)((n - i) * itemsize));
    }
}

/* The same loops for two instruction sets. */
static void gi_random_baseline(const gi_random_plan *p, int64_t begin, int64_t n, void *out)
{
    gi_random_blocks(p, begin, n, out);
}
#if GI_HAS_X86
__attribute__((target("avx2,fma,bmi,bmi2"))) static void gi_random_avx2(const gi_random_plan *p, int64_t begin, int64_t n,
                                                                        void *out)
{
    gi_random_blocks(p, begin, n, out);
}
#endif

static void gi_make_random(const void *plan, int64_t begin, int64_t n, void *out)
{
    const gi_random_plan *p = (const gi_random_plan *)plan;
#if GI_HAS_X86
    if (gi_cpu_isa() >= GI_ISA_AVX2) {
        gi_random_avx2(p, begin, n, out);
        return;
    }
#endif
    gi_random_baseline(p, begin, n, out);
}

GI_END_FAST

/* The dtype of random numbers that are not integers; GA_DTYPE_DEFAULT with an error. */
static ga_dtype gi_random_dtype(const ga_random_options *o)
{
    ga_dtype dtype = o->dtype ? o->dtype : GA_F64;
    if (gi_is_float(dtype)) return dtype;
    gi_fail(o->site, GA_BAD_DTYPE, "%s: random numbers are float32 or float64; for integers use ga_random_integers",
            ga_dtype_name(dtype));
    return GA_DTYPE_DEFAULT;
}

ga_array *(ga_random)(ga_shape shape, ga_random_options o)
{
    ga_dtype       dtype = gi_random_dtype(&o);
    gi_random_plan p     = { dtype == GA_F32 ? GI_UNIFORM_F32 : GI_UNIFORM_F64, o.seed, o.stream, 0, 0, 0, 0 };
    if (!dtype) return NULL;
    return gi_generate(o.site, dtype, o.device, &shape, dtype, gi_make_random, &p);
}

ga_array *(ga_random_normal)(double mean, double sigma, ga_shape shape, ga_random_options o)
{
    ga_dtype       dtype = gi_random_dtype(&o);
    gi_random_plan p     = { GI_NORMAL, o.seed, o.stream, 0, 0, mean, sigma };
    if (!dtype) return NULL;
    if (!(sigma >= 0)) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "sigma is %g; it must be 0 or more", sigma);
    return gi_generate(o.site, dtype, o.device, &shape, GA_F64, gi_make_random, &p);
}

ga_array *(ga_random_integers)(int64_t low, int64_t high, ga_shape shape, ga_random_options o)
{
    ga_dtype       dtype = o.dtype ? o.dtype : GA_I64;
    gi_random_plan p     = { GI_INTEGERS, o.seed, o.stream, (uint64_t)low, (uint64_t)high - (uint64_t)low, 0, 0 };
    if (low >= high)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "there is no integer from %lld to below %lld", (long long)low,
                                   (long long)high);
    if (!gi_is_int(dtype))
        return (ga_array *)gi_fail(o.site, GA_BAD_DTYPE, "%s: random integers need an integer dtype", ga_dtype_name(dtype));
    if (!gi_number_fits(GA_ARG((long long)low), dtype) || !gi_number_fits(GA_ARG((long long)(high - 1)), dtype))
        return (ga_array *)gi_fail(o.site, GA_BAD_DTYPE, "not every integer from %lld to below %lld fits %s", (long long)low,
                                   (long long)high, ga_dtype_name(dtype));
    return gi_generate(o.site, dtype, o.device, &shape, GA_I64, gi_make_random, &p);
}
