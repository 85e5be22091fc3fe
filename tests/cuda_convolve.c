/* Convolutions on the GPU: the same bits as on the CPU, for every dtype, border and mode, and for shapes around those of the kernels'
   tiles. The implementation must be built with CUDA (nvcc, or g++ with tools/cudasim); without a GPU everything is skipped. */
#include "test.h"

/* ---- the same on both ------------------------------------------------------------------------------------------------ */

static bool same_bytes(const ga_array *a, const ga_array *b)
{
    int64_t     size = ga_itemsize(a->dtype), part = a->dtype == GA_C64 || a->dtype == GA_F32 ? 4 : 8;
    const char *p = (const char *)a->data, *q = (const char *)b->data;
    if (memcmp(p, q, (size_t)(a->size * size)) == 0) return true;
    if (a->dtype < GA_F32) return false;
    for (int64_t i = 0; i < a->size * size / part; i++) { /* one NaN is as good as another */
        float  x, y;
        double u, v;
        if (memcmp(p + i * part, q + i * part, (size_t)part) == 0) continue;
        if (part == 4 && (memcpy(&x, p + i * 4, 4), memcpy(&y, q + i * 4, 4), isnan(x) && isnan(y))) continue;
        if (part == 8 && (memcpy(&u, p + i * 8, 8), memcpy(&v, q + i * 8, 8), isnan(u) && isnan(v))) continue;
        printf("     element %lld differs\n", (long long)i);
        return false;
    }
    return true;
}

static bool same(const ga_array *cpu, const ga_array *gpu)
{
    if (!cpu || !gpu || gpu->device != GA_CUDA || cpu->device != GA_CPU || gpu->dtype != cpu->dtype || !ga_same_shape(cpu, gpu))
        return false;
    ga_array *back = ga_to(gpu, GA_CPU), *packed = ga_ascontiguous(cpu);
    bool      ok = back && packed && same_bytes(packed, back);
    ga_free(packed);
    ga_free(back);
    return ok;
}

static uint64_t state = 88172645463325252u;
static uint64_t next_random(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* Random elements on the CPU. `wild`: with NaN, infinities and the largest numbers among them. */
static ga_array *random_array(ga_dtype dtype, int ndim, const int64_t *shape, bool wild)
{
    static const double special[] = { INFINITY, -INFINITY, NAN, 3e38, 1e300, 1e-310, 0.0, -0.0 };
    ga_array           *a         = ga_empty_n(ndim, shape, .dtype = dtype, .device = GA_CPU);
    int                 size = (int)ga_itemsize(dtype), part = dtype == GA_F32 || dtype == GA_C64 ? 4 : 8;
    for (int64_t i = 0; i < a->size; i++) {
        char    *p    = (char *)a->data + i * size;
        uint64_t bits = next_random();
        if (dtype == GA_BOOL) *p = bits % 16 == 0;
        else if (dtype < GA_F32) memcpy(p, &bits, (size_t)size);
        else
            for (int k = 0; k < size; k += part) {
                double v = (double)(int64_t)next_random() * 0x1p-62;
                if (next_random() % 16 == 0) v = -0.0;
                if (wild && next_random() % 64 == 0) v = special[next_random() % 8];
                float f = (float)v;
                memcpy(p + k, part == 4 ? (const void *)&f : (const void *)&v, (size_t)part);
            }
    }
    return a;
}
