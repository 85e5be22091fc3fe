/* ==== >>cuda generators: sequences and random numbers ===================================================================== */

/*  A thread makes the elements of a vector of 16 bytes, by the formulas of gpuarr.h; Philox gives it four words for that. Small
    integers and float32 made as float64 are made narrow when they are written.                                              */

GI_DEVICE void gi_cuda_narrow(char *to, int, float x) { *(float *)to = x; }
GI_DEVICE void gi_cuda_narrow(char *to, int, double x) { *(float *)to = gi_cast_f32_f64(x); }
GI_DEVICE void gi_cuda_narrow(char *to, int itemsize, int64_t x)
{
    switch (itemsize) { /* it is known to fit */
    case 1: *(uint8_t *)to = (uint8_t)x; break;
    case 2: *(uint16_t *)to = (uint16_t)x; break;
    case 4: *(uint32_t *)to = (uint32_t)x; break;
    default: *(int64_t *)to = x; break;
    }
}

template <class T, class P, void (*make)(const P &, int64_t, T (&)[16 / sizeof(T)])>
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_generator(const __grid_constant__ P plan, int64_t n, char *out, int itemsize)
{
    enum { N = 16 / sizeof(T) };
    int64_t first = ((int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x) * N;
    if (first >= n) return;
    gi_cuda_pack<T, N> pack;
    T                  x[N];
    make(plan, first, x);
    if (itemsize == sizeof(T) && first + N <= n) {
#pragma unroll
        for (int k = 0; k < N; k++) pack.e[k] = x[k];
        *(gi_cuda_pack<T, N> *)(out + first * sizeof(T)) = pack;
        return;
    }
#pragma unroll
    for (int k = 0; k < N; k++) {
        if (first + k >= n) break;
        if (itemsize == sizeof(T)) ((T *)out)[first + k] = x[k];
        else gi_cuda_narrow(out + (first + k) * itemsize, itemsize, x[k]);
    }
}

/* Which elements of a larger array these are: see gi_indexed_from. */
struct gi_cuda_part {
    int     ndim;
    int64_t first, shape[GPUARR_MAX_DIMS], strides[GPUARR_MAX_DIMS];
};

/* A part of it, whose elements need not follow each other: a thread makes the vector of which one of them is. */
template <class T, class P, void (*make)(const P &, int64_t, T (&)[16 / sizeof(T)])>
static __global__ void __launch_bounds__(GI_CUDA_THREADS)
    gi_cuda_part_generator(const __grid_constant__ P plan, const __grid_constant__ gi_cuda_part part, int64_t n, char *out,
                           int itemsize)
{
    enum { N = 16 / sizeof(T) };
    const int64_t i = (int64_t)blockIdx.x * GI_CUDA_THREADS + threadIdx.x;
    if (i >= n) return;
    int64_t index = part.first, rest = i;
    for (int d = part.ndim - 1; d > 0; d--) {
        index += rest % part.shape[d] * part.strides[d];
        rest /= part.shape[d];
    }
    if (part.ndim > 0) index += rest * part.strides[0];
    T x[N];
    make(plan, index - index % N, x);
    T mine = x[0];
#pragma unroll
    for (int k = 1; k < N; k++) mine = index % N == k ? x[k] : mine;
    if (itemsize == sizeof(T)) ((T *)out)[i] = mine;
    else gi_cuda_narrow(out + i * itemsize, itemsize, mine);
}

static gi_cuda_part gi_cuda_part_of(const ga_array *a, const gi_indexed_from *from)
{
    gi_cuda_part part;
    memset(&part, 0, sizeof part);
    part.first = from->first;
    for (int d = 0; d < a->ndim; d++) {
        const int last = part.ndim - 1;
        if (a->shape[d] == 1) continue;
        if (last >= 0 && part.strides[last] == from->strides[d] * a->shape[d]) { /* they follow each other */
            part.shape[last] *= a->shape[d];
            part.strides[last] = from->strides[d];
        } else {
            part.shape[part.ndim]     = a->shape[d];
            part.strides[part.ndim++] = from->strides[d];
        }
    }
    return part;
}

template <class T, class P, void (*make)(const P &, int64_t, T (&)[16 / sizeof(T)])>
static bool gi_cuda_launch_generator(const char *site, ga_array *a, const void *plan, const gi_indexed_from *from)
{
    const P plans = *(const P *)plan;
    if (from) {
        GI_LAUNCH((gi_cuda_part_generator<T, P, make>), gi_cuda_blocks(a->size), GI_CUDA_THREADS, gi_cuda_current_stream(),
                  plans, gi_cuda_part_of(a, from), a->size, (char *)a->data, (int)ga_itemsize(a->dtype));
        return gi_cuda_launched(site, "making a part of a new array");
    }
    GI_LAUNCH((gi_cuda_generator<T, P, make>), gi_cuda_blocks((a->size + 16 / (int)sizeof(T) - 1) / (16 / (int)sizeof(T))),
              GI_CUDA_THREADS, gi_cuda_current_stream(), plans, a->size, (char *)a->data, (int)ga_itemsize(a->dtype));
    return gi_cuda_launched(site, "making a new array");
}

GI_DEVICE void gi_cuda_arange_i64(const gi_arange_plan &p, int64_t i, int64_t (&x)[2])
{
    x[0] = gi_arange_i64(&p, i);
    x[1] = gi_arange_i64(&p, i + 1);
}
GI_DEVICE void gi_cuda_arange_f64(const gi_arange_plan &p, int64_t i, double (&x)[2])
{
    x[0] = gi_arange_f64(&p, i);
    x[1] = gi_arange_f64(&p, i + 1);
}
GI_DEVICE void gi_cuda_arange_f32(const gi_arange_plan &p, int64_t i, float (&x)[4])
{
#pragma unroll
    for (int k = 0; k < 4; k++) x[k] = gi_arange_f32(&p, i + k);
}
GI_DEVICE void gi_cuda_linspace(const gi_linspace_plan &p, int64_t i, double (&x)[2])
{
#pragma unroll
    for (int k = 0; k < 2; k++) {
        x[k] = gi_linspace_f64(&p, i + k);
        if (p.whole) x[k] = gi_floor_f64(x[k]);
    }
}
GI_DEVICE void gi_cuda_uniform_f32(const gi_random_plan &p, int64_t i, float (&x)[4])
{
    gi_philox_words words = gi_philox((uint64_t)i / 4, p.stream, p.seed);
#pragma unroll
    for (int k = 0; k < 4; k++) x[k] = gi_unit_f32(words.w[k]);
}
GI_DEVICE void gi_cuda_uniform_f64(const gi_random_plan &p, int64_t i, double (&x)[2])
{
    gi_philox_words words = gi_philox((uint64_t)i / 2, p.stream, p.seed);
    x[0]                  = gi_unit_f64(words.w[0], words.w[1]);
    x[1]                  = gi_unit_f64(words.w[2], words.w[3]);
}
GI_DEVICE void gi_cuda_integers(const gi_random_plan &p, int64_t i, int64_t (&x)[2])
{
    gi_philox_words words = gi_philox((uint64_t)i / 2, p.stream, p.seed);
    x[0]                  = gi_random_integer(&p, (uint64_t)words.w[1] << 32 | words.w[0], i);
    x[1]                  = gi_random_integer(&p, (uint64_t)words.w[3] << 32 | words.w[2], i + 1);
}
GI_DEVICE void gi_cuda_normal(const gi_random_plan &p, int64_t i, double (&x)[2])
{
    gi_philox_words words = gi_philox((uint64_t)i / 2, p.stream, p.seed);
    x[0]                  = gi_normal_pair(&p, gi_unit_f64(words.w[0], words.w[1]), gi_unit_f64(words.w[2], words.w[3]), &x[1]);
}
GI_DEVICE void gi_cuda_exponential(const gi_random_plan &p, int64_t i, double (&x)[2])
{
    gi_philox_words words = gi_philox((uint64_t)i / 2, p.stream, p.seed);
    x[0]                  = gi_exponential(&p, gi_unit_f64(words.w[0], words.w[1]));
    x[1]                  = gi_exponential(&p, gi_unit_f64(words.w[2], words.w[3]));
}
GI_DEVICE void gi_cuda_drawn(const gi_draws_plan &p, int64_t i, double (&x)[2])
{
#pragma unroll 1
    for (int k = 0; k < 2; k++) x[k] = gi_draw(&p, i + k);
}
GI_DEVICE void gi_cuda_counted(const gi_draws_plan &p, int64_t i, int64_t (&x)[2])
{
#pragma unroll 1
    for (int k = 0; k < 2; k++) x[k] = gi_draw_count(&p, i + k);
}

static bool gi_cuda_make_random(const char *site, ga_array *a, const void *plan, const gi_indexed_from *from)
{
    switch (((const gi_random_plan *)plan)->kind) {
    case GI_UNIFORM_F32: return gi_cuda_launch_generator<float, gi_random_plan, gi_cuda_uniform_f32>(site, a, plan, from);
    case GI_UNIFORM_F64: return gi_cuda_launch_generator<double, gi_random_plan, gi_cuda_uniform_f64>(site, a, plan, from);
    case GI_INTEGERS: return gi_cuda_launch_generator<int64_t, gi_random_plan, gi_cuda_integers>(site, a, plan, from);
    case GI_NORMAL: return gi_cuda_launch_generator<double, gi_random_plan, gi_cuda_normal>(site, a, plan, from);
    default: return gi_cuda_launch_generator<double, gi_random_plan, gi_cuda_exponential>(site, a, plan, from);
    }
}

static bool gi_cuda_make_draws(const char *site, ga_array *a, const void *plan, const gi_indexed_from *from)
{
    const gi_draws_kind kind = ((const gi_draws_plan *)plan)->kind;
    if (kind == GI_GAMMA || kind == GI_BETA)
        return gi_cuda_launch_generator<double, gi_draws_plan, gi_cuda_drawn>(site, a, plan, from);
    return gi_cuda_launch_generator<int64_t, gi_draws_plan, gi_cuda_counted>(site, a, plan, from);
}

static bool gi_cuda_make(const char *site, ga_array *a, int generator, const void *plan, const gi_indexed_from *from)
{
    switch (generator) {
    case GI_MAKES_ALIKE: return gi_cuda_fill(site, a, ((const gi_alike_plan *)plan)->element);
    case GI_MAKES_ARANGE_I64: return gi_cuda_launch_generator<int64_t, gi_arange_plan, gi_cuda_arange_i64>(site, a, plan, from);
    case GI_MAKES_ARANGE_F64: return gi_cuda_launch_generator<double, gi_arange_plan, gi_cuda_arange_f64>(site, a, plan, from);
    case GI_MAKES_ARANGE_F32: return gi_cuda_launch_generator<float, gi_arange_plan, gi_cuda_arange_f32>(site, a, plan, from);
    case GI_MAKES_LINSPACE: return gi_cuda_launch_generator<double, gi_linspace_plan, gi_cuda_linspace>(site, a, plan, from);
    case GI_MAKES_DRAWS: return gi_cuda_make_draws(site, a, plan, from);
    default: return gi_cuda_make_random(site, a, plan, from);
    }
}

/* Fills a new array with what the generator makes as `made`. */
static bool gi_cuda_generate(const char *site, ga_array *a, ga_dtype made, int generator, const void *plan,
                             const gi_indexed_from *from)
{
    if (a->size == 0) return true;
    if (a->dtype == made || (made == GA_F64 && a->dtype == GA_F32) || (made == GA_I64 && gi_is_int(a->dtype)))
        return gi_cuda_touch(site, a) && gi_cuda_make(site, a, generator, plan, from);
    ga_array *wide = gi_array_new(site, made, GA_CUDA, a->ndim, a->shape);
    bool      ok =
        wide && gi_cuda_touch(site, wide) && gi_cuda_make(site, wide, generator, plan, from) && gi_cuda_assign(site, a, wide);
    ga_free(wide);
    return ok;
}
