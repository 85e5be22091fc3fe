/* ==== >>cuda search: where an extreme lies ============================================================================== */
/*  One pass: an accumulator is the best element so far, as an unsigned number that orders like the elements (the wanted extreme is the
    least), and the first place where it is. NaN is less than all, or more than all where it is to be left out.               */

GI_DEVICE uint64_t gi_cuda_rank(const gi_cuda_search &o, double x)
{
    const uint64_t sign = (uint64_t)1 << 63, u = gi_bits_f64(x == 0 ? 0.0 : x), rank = u & sign ? ~u : u | sign;
    return x != x ? (o.skip_nan ? UINT64_MAX : 0) : o.largest ? ~rank : rank;
}
GI_DEVICE uint64_t gi_cuda_rank(const gi_cuda_search &o, float x) { return gi_cuda_rank(o, (double)x); }
/* Integers of a size, by the bits: without their sign bit turned, negative ones would be the largest. */
template <class U> GI_DEVICE uint64_t gi_cuda_rank(const gi_cuda_search &o, U x)
{
    const uint64_t rank = (U)(x ^ (U)o.sign);
    return o.largest ? ~rank : rank;
}

/* Place: uint32_t within a block, int64_t within a line. */
template <class Place> struct gi_cuda_best {
    uint64_t rank;
    Place    place;
};
template <class Place> struct gi_cuda_best2 { /* of complex numbers: the real parts decide, then the imaginary ones */
    uint64_t rank, second;
    Place    place;
};
template <class P> GI_DEVICE gi_cuda_best<P> gi_cuda_better(const gi_cuda_best<P> &a, const gi_cuda_best<P> &b)
{
    return b.rank < a.rank || (b.rank == a.rank && b.place < a.place) ? b : a;
}
template <class P> GI_DEVICE gi_cuda_best2<P> gi_cuda_better(const gi_cuda_best2<P> &a, const gi_cuda_best2<P> &b)
{
    if (b.rank != a.rank) return b.rank < a.rank ? b : a;
    return b.second < a.second || (b.second == a.second && b.place < a.place) ? b : a;
}
template <class T> GI_DEVICE gi_cuda_best<uint32_t> gi_cuda_best_of(const gi_cuda_search &o, T x, uint32_t place)
{
    gi_cuda_best<uint32_t> a = { gi_cuda_rank(o, x), place };
    return a;
}
template <class C> GI_DEVICE gi_cuda_best2<uint32_t> gi_cuda_best_of_complex(const gi_cuda_search &o, C x, uint32_t place)
{
    const bool              nan = x.re != x.re || x.im != x.im;
    gi_cuda_best2<uint32_t> a   = { nan ? 0 : gi_cuda_rank(o, x.re), nan ? 0 : gi_cuda_rank(o, x.im), place };
    return a;
}
GI_DEVICE gi_cuda_best2<uint32_t> gi_cuda_best_of(const gi_cuda_search &o, ga_c64 x, uint32_t place)
{
    return gi_cuda_best_of_complex(o, x, place);
}
GI_DEVICE gi_cuda_best2<uint32_t> gi_cuda_best_of(const gi_cuda_search &o, ga_c128 x, uint32_t place)
{
    return gi_cuda_best_of_complex(o, x, place);
}
template <class P> GI_DEVICE gi_cuda_best<P> gi_cuda_best_of(const gi_cuda_search &o, gi_cuda_best<P> x, uint32_t)
{
    return (void)o, x;
}
template <class P> GI_DEVICE gi_cuda_best2<P> gi_cuda_best_of(const gi_cuda_search &o, gi_cuda_best2<P> x, uint32_t)
{
    return (void)o, x;
}
template <class P> GI_DEVICE gi_cuda_best<int64_t> gi_cuda_moved(const gi_cuda_best<P> &a, int64_t by)
{
    gi_cuda_best<int64_t> r = { a.rank, (int64_t)a.place + by };
    return r;
}
template <class P> GI_DEVICE gi_cuda_best2<int64_t> gi_cuda_moved(const gi_cuda_best2<P> &a, int64_t by)
{
    gi_cuda_best2<int64_t> r = { a.rank, a.second, (int64_t)a.place + by };
    return r;
}

template <class T_, class A_, class Kept> struct gi_cuda_place_fold {
    typedef T_ T;
    typedef A_ A;
    enum { any_order = 1 };
    const gi_cuda_folding &j;
    int64_t                start; /* where the block begins in its line */

    __device__ __forceinline__ gi_cuda_place_fold(const gi_cuda_folding &job, uint32_t, const char *, int64_t begin, uint32_t)
        : j(job), start(job.again ? 0 : job.before + begin)
    {
    }
    __device__ __forceinline__ A of(const T &x, uint32_t e) const { return gi_cuda_best_of(j.search, gi_cuda_number(j, x), e); }
    __device__ __forceinline__ A join(const A &a, const A &b, uint32_t, uint32_t) const { return gi_cuda_better(a, b); }
    __device__ __forceinline__ void keep(int64_t at, const A &a) const { ((Kept *)j.accs)[at] = gi_cuda_moved(a, start); }
    __device__ __forceinline__ void end(uint32_t line, const A &a) const
    {
        ((int64_t *)j.result)[line] = gi_cuda_moved(a, start).place;
        if (j.search.skip_nan && a.rank == UINT64_MAX) atomicOr(j.search.nothing, 1);
    }
};

/* clang-format off */
#define GI_PLACES(T, best) gi_cuda_fold<gi_cuda_place_fold<T, best<uint32_t>, best<int64_t>>>
static gi_cuda_fold_kernel gi_cuda_place_kernel(ga_dtype dtype)
{
    switch (dtype) {
    case GA_BOOL: case GA_I8: case GA_U8: return GI_PLACES(uint8_t, gi_cuda_best);
    case GA_I16: case GA_U16:             return GI_PLACES(uint16_t, gi_cuda_best);
    case GA_I32: case GA_U32:             return GI_PLACES(uint32_t, gi_cuda_best);
    case GA_I64: case GA_U64:             return GI_PLACES(uint64_t, gi_cuda_best);
    case GA_F32:                          return GI_PLACES(float, gi_cuda_best);
    case GA_F64:                          return GI_PLACES(double, gi_cuda_best);
    case GA_C64:                          return GI_PLACES(ga_c64, gi_cuda_best2);
    case GA_C128:                         return GI_PLACES(ga_c128, gi_cuda_best2);
    default:                              return NULL;
    }
}
#undef GI_PLACES
/* clang-format on */

/* Where the least or the largest element of each line is, the first one of several; the first NaN, if it is not to be left out.
   *nothing: is there a line of nothing but NaN to leave out? */
static bool gi_cuda_find_places(const char *site, bool largest, bool skip_nan, const gi_lines *p, ga_array *places,
                                bool *nothing)
{
    typedef gi_cuda_best<int64_t>  best;
    typedef gi_cuda_best2<int64_t> best2;
    gi_cuda_folding                j;
    gi_cuda_lines                  lines;
    ga_array                      *copy;
    gi_scratch                     flag    = { NULL, 0, 0, NULL };
    int                            seen    = 0;
    const ga_array                *both[2] = { p->a, places };
    memset(&j, 0, sizeof j);
    *nothing = false;
    if (p->lines == 0) return true;
    if (!gi_cuda_touch_all(site, 2, both)) return false;
    if (!gi_cuda_lines_of(site, p, p->a->dtype, false, &lines, &copy)) return false;
    bool ok = true, paired = gi_is_complex(p->a->dtype);
    j.truth           = p->a->dtype == GA_BOOL;
    j.search.largest  = largest;
    j.search.skip_nan = skip_nan && gi_is_float(p->a->dtype);
    j.search.sign     = gi_is_signed(p->a->dtype) ? (uint64_t)1 << (8 * ga_itemsize(p->a->dtype) - 1) : 0;
    j.result          = (char *)places->data;
    if (j.search.skip_nan) {
        ok = gi_scratch_get(site, &flag, p->a, sizeof(int)) &&
             GI_CUDA_OK(site, cudaMemsetAsync(flag.p, 0, sizeof(int), gi_cuda_current_stream()));
        j.search.nothing = (int *)flag.p;
    }
    gi_cuda_fold_kernel again =
        paired ? gi_cuda_fold<gi_cuda_place_fold<best2, best2, best2>> : gi_cuda_fold<gi_cuda_place_fold<best, best, best>>;
    ok = ok && gi_cuda_fold_lines(site, p->a, gi_cuda_tree(gi_cuda_place_kernel(p->a->dtype)), gi_cuda_tree(again), j, lines,
                                  paired ? sizeof(best2) : sizeof(best), sizeof(int64_t));
    if (flag.p) {
        ok = ok && gi_cuda_read(site, p->a, &seen, flag.p, sizeof seen);
        gi_scratch_free(&flag);
    }
    ga_free(copy);
    *nothing = seen != 0;
    return ok;
}
