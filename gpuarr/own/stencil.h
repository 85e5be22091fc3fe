#ifdef __GNUC__
#pragma GCC system_header /* see kernels.h */
#endif
/* ---- stencils ------------------------------------------------------------------------------------------------------------- */
/*  gi_rows[r] points at the neighbour in row r around the element gi_i = 0. What is constant is checked by the compiler.      */

/* clang-format off */
#ifdef __cplusplus
template <bool right> struct GA_AT_with_as_many_offsets_as_the_reach_has;
template <bool right> struct GA_AT_within_the_reach_of_the_stencil;
template <> struct GA_AT_with_as_many_offsets_as_the_reach_has<true> {};
template <> struct GA_AT_within_the_reach_of_the_stencil<true> {};
#define GI_CONSTANT_OF(i) (__builtin_constant_p(i) ? (int)(i) : 0)
#define GI_CHECKED_AT(text, count, reach, element)                                                                             \
    ((void)sizeof(GA_AT_with_as_many_offsets_as_the_reach_has<(count)>),                                                       \
     (void)sizeof(GA_AT_within_the_reach_of_the_stencil<(reach)>), element)
#else
#define GI_CONSTANT_OF(i)                                                                                                      \
    __builtin_choose_expr(_Generic(1 ? (void *)((intptr_t)(i) * 0) : (int *)0, int *: 1, default: 0), i, 0)
#define GI_CHECKED_AT(text, count, reach, element)                                                                             \
    __extension__({                                                                                                            \
        _Static_assert(!gi_chosen || (count), "GA_AT(" text "): give one offset for each axis of the stencil's reach");        \
        _Static_assert(!gi_chosen || (reach), "GA_AT(" text ") reads beyond the stencil's reach");                             \
        element;                                                                                                               \
    })
#endif
#define GI_REACHES(i, reach) (GI_CONSTANT_OF(i) <= (int)(reach) && GI_CONSTANT_OF(i) >= -(int)(reach))

/* An offset, or 0 if it is larger than the reach. */
GI_FORMULA int64_t gi_reached(gi_here *at, int64_t i, int64_t reach)
{
    const int outside = i > reach || i < -reach;
    at->beyond |= outside;
    return outside ? 0 : i;
}

#define GI_COUNT_3(...)              GI_COUNT_3_(__VA_ARGS__, 3, 2, 1, )
#define GI_COUNT_3_(a, b, c, n, ...) n
#define GA_AT(...)                                                                                                             \
    GI_CHECKED_AT(#__VA_ARGS__, GI_COUNT_3(__VA_ARGS__) == gi_ndim, GI_WITHIN(__VA_ARGS__, 0, 0, ), GI_AT(__VA_ARGS__, 0, 0, ))
#define GI_WITHIN(i, j, k, ...) (GI_REACHES(i, gi_reach_0) && GI_REACHES(j, gi_reach_1) && GI_REACHES(k, gi_reach_2))
#define GI_AT(i, j, k, ...)                                                                                                    \
    GI_NEIGHBOUR(gi_reached(gi_at, i, gi_reach_0), gi_reached(gi_at, j, gi_reach_1), gi_reached(gi_at, k, gi_reach_2))
#define GI_ROWS(type)         const type *const *
#if GI_HAS_CUDA
/* On the GPU the same formula sees its neighbours otherwise (gpuarr_cuda.h, >>cuda own stencils). */
#define GI_VIEWS              template <class gi_view>
#define GI_VIEW(type)         gi_view
#define GI_NEIGHBOUR(i, j, k)                                                                                                  \
    gi_own_neighbour(gi_rows, gi_i, gi_ndim > 1 ? (i) : 0, gi_ndim == 3 ? (j) : 0,                                             \
                     gi_ndim == 3 ? (k) : gi_ndim == 2 ? (j) : (i), 2 * (gi_ndim == 3 ? (int)gi_reach_1 : 0) + 1)
#else
#define GI_VIEWS
#define GI_VIEW(type)         GI_ROWS(type)
#define GI_NEIGHBOUR(i, j, k)                                                                                                  \
    GI_READ(gi_rows[gi_ndim == 3 ? (i) * (2 * gi_reach_1 + 1) + (j) : gi_ndim == 2 ? (i) : 0] +                                \
            gi_i + (gi_ndim == 3 ? (k) : gi_ndim == 2 ? (j) : (i)))
#endif

#define GI_REACH(...)            GI_REACH_(GI_COUNT_3(__VA_ARGS__), __VA_ARGS__, 0, 0, )
/* The reach, or (1) if it is none. */
#define GI_REACH_OF(reach)      GI_JOIN(GI_REACH_OF_, GI_REACH_KIND(reach))(reach)
#define GI_REACH_OF_gi_few(reach)  reach
#define GI_REACH_OF_gi_many(reach) (1)
#define GI_REACH_OF_gi_bare(reach) (1)
#define GI_REACH_KIND(reach)    GI_LIST_KIND_(GI_LENGTH_3 reach, gi_bare, )
#define GI_LENGTH_3(...)        GI_LENGTH(__VA_ARGS__, ~, ~, ~, ~, ~, ~, ~, ~, ~)
#define GI_STENCIL_STATE(reach, type, parameters)                                                                              \
    GI_STATE_(GI_JOIN(GI_REACH_MARK_, GI_REACH_KIND(reach)) GI_STATE(type, (gi_void, ), parameters, ()), )
#define GI_REACH_MARK_gi_few
#define GI_REACH_MARK_gi_many gi_reach,
#define GI_REACH_MARK_gi_bare gi_reach,
#define GI_REACH_(n, a, b, c, ...) enum { gi_ndim = n, gi_reach_0 = a, gi_reach_1 = b, gi_reach_2 = c }
#define GI_NUMBER(t, k, tag, ...)         GI_IF_VALUE(tag, GI_NUMBER_)(k, GI_TYPE_OF(tag, t))
#define GI_NUMBER_VOID(...)
#define GI_NUMBER_VALUE(k, type)          const type gi_##k = GI_READ((const type *)gi_e->operand[k]);
#define GI_HANDED(t, k, tag, ...)         GI_IF_VALUE(tag, GI_HANDED_)(k)
#define GI_HANDED_VOID(...)
#define GI_HANDED_VALUE(k)                , gi_##k
#define GI_COUNTED(t, k, tag, ...)        +GI_IF_VALUE(tag, GI_COUNTED_)
#define GI_COUNTED_VOID                   0
#define GI_COUNTED_VALUE                  1
#define GI_NUMBER_INFO(t, k, tag, ...)    { GI_JOIN(GI_DTYPE_, tag), false, #__VA_ARGS__ },

#if GI_HAS_CUDA
/* On the GPU: what gi_cuda_own_stencil needs to know. */
#define GI_CUDA_STENCIL(name, reach, type, parameters)                                                                         \
    struct gi_##name##_on_gpu {                                                                                                \
        typedef type T;                                                                                                        \
        GI_REACH reach;                                                                                                        \
        enum : int64_t {                                                                                                       \
            ndim    = gi_ndim,                                                                                                 \
            planes  = ndim > 1 ? gi_reach_0 : 0,                                                                               \
            rows    = ndim == 3 ? gi_reach_1 : 0,                                                                              \
            columns = ndim == 3 ? gi_reach_2 : ndim == 2 ? gi_reach_1 : gi_reach_0                                             \
        };                                                                                                                     \
        template <class gi_view> static __device__ __forceinline__ T of(const gi_cuda_stencil *gi_e, const gi_view &gi_rows)   \
        {                                                                                                                      \
            GI_PARAMETERS(GI_NUMBER, fixed, GI_LISTED(parameters))                                                              \
            gi_here gi_at = { 0, true, 0, 0, 0 };                                                                              \
            const T gi_v  = name##_formula_fixed(&gi_at, gi_rows, 0 GI_PARAMETERS(GI_HANDED, fixed, GI_LISTED(parameters)));    \
            if (gi_at.beyond) atomicOr(gi_e->beyond, 1);                                                                       \
            return gi_v;                                                                                                       \
        }                                                                                                                      \
    };
#define GI_CUDA_STENCIL_OF(name) (void (*)(void)) gi_cuda_own_stencil<gi_##name##_on_gpu>
#define GI_CUDA_TILE_OF(name)                                                                                                  \
    {                                                                                                                          \
        gi_cuda_tile<gi_##name##_on_gpu>::PLANES, gi_cuda_tile<gi_##name##_on_gpu>::HEIGHT,                                    \
            gi_cuda_tile<gi_##name##_on_gpu>::WIDTH                                                                            \
    }
#else
#define GI_CUDA_STENCIL(...)
#define GI_CUDA_STENCIL_OF(name) NULL
#define GI_CUDA_TILE_OF(name)    { 0, 0, 0 }
#endif

#if defined(__clang__)
#define GI_STENCIL_VECTORIZE
#else
#define GI_STENCIL_VECTORIZE _Pragma("GCC ivdep") /* results are never neighbours */
#endif
#define GA_STENCIL(name, reach, type, parameters, ...)                                                                         \
    GI_SAY(GI_STENCIL_STATE(reach, type, parameters), "GA_STENCIL", name, #type " " #name #parameters)                         \
    GI_BEGIN_FORMULA                                                                                                           \
    GI_VIEWS GI_FORMULA type name##_formula_fixed(gi_here *gi_at, GI_VIEW(GI_TYPE_OF(GI_TAG_OF(type), )) gi_rows, int64_t gi_i \
                                                  GI_AND_LISTED(parameters))                                                   \
    {                                                                                                                          \
        (void)gi_at;                                                                                                           \
        GI_ON(GI_REACH, GI_REACH_OF(reach));                                                                                   \
        GI_JOIN(GI_BODY_, GI_KIND(GI_STENCIL_STATE(reach, type, parameters), type))                                            \
        (#__VA_ARGS__, GI_START(__VA_ARGS__, ), GI_TYPE_OF(GI_TAG_OF(type), ), )                                               \
        __VA_ARGS__                                                                                                            \
        GI_JOIN(GI_AGAIN_, GI_KIND(GI_STENCIL_STATE(reach, type, parameters), type))(__VA_ARGS__)                              \
    }                                                                                                                          \
    GI_END_FORMULA                                                                                                             \
    GI_JOIN(GI_STENCIL_, GI_FINE(GI_STENCIL_STATE(reach, type, parameters)))(name, reach, type, parameters, #__VA_ARGS__)
#define GI_STENCIL_0(name, reach, type, parameters, text) extern const ga_stencil_kernel name[1];
#define GI_STENCIL_1(name, reach, type, parameters, text)                                                                      \
    GI_MOST(name, parameters)                                                                                                  \
    GI_ASSERT(GI_OUTPUTS(parameters) == 0, #name ": the parameters of a stencil are numbers: none has a *");                   \
    static GI_OWN_INLINE bool name##_part_fixed(const gi_elements *gi_e, int64_t gi_from, int64_t gi_to, bool gi_exact)        \
    {                                                                                                                          \
        GI_PARAMETERS(GI_NUMBER, fixed, GI_LISTED(parameters))                                                                 \
        GI_TYPE_OF(GI_TAG_OF(type), ) *__restrict__ const gi_o = (GI_TYPE_OF(GI_TAG_OF(type), ) *)gi_e->result;                \
        GI_REACH reach;                                                                                                        \
        enum { gi_around = gi_ndim == 1 ? 1 : (2 * gi_reach_0 + 1) * (gi_ndim == 2 ? 1 : 2 * gi_reach_1 + 1) };                \
        const GI_TYPE_OF(GI_TAG_OF(type), ) *gi_near[gi_around]; /* a copy that no store can reach: it stays in registers */   \
        for (int gi_k = 0; gi_k < gi_around; gi_k++) gi_near[gi_k] = ((GI_ROWS(GI_TYPE_OF(GI_TAG_OF(type), )))gi_e->rows)[gi_k - gi_around / 2];\
        GI_ROWS(GI_TYPE_OF(GI_TAG_OF(type), )) const gi_rows = gi_near + gi_around / 2;                                        \
        uint32_t gi_rare_f32 = 0;                                                                                              \
        uint64_t gi_rare_f64 = 0;                                                                                              \
        int      gi_beyond   = 0;                                                                                              \
        GI_STENCIL_VECTORIZE                                                                                                   \
        for (int64_t gi_i = gi_from; gi_i < gi_to; gi_i++) {                                                                   \
            gi_here gi_at = { 0, gi_exact, 0, 0, 0 };                                                                          \
            gi_o[gi_i]    = name##_formula_fixed(&gi_at, gi_rows, gi_i GI_PARAMETERS(GI_HANDED, fixed, GI_LISTED(parameters)));\
            GI_OWN_STORED(gi_o[gi_i])                                                                                          \
            gi_rare_f32 |= gi_at.rare_f32;                                                                                     \
            gi_rare_f64 |= gi_at.rare_f64;                                                                                     \
            gi_beyond |= gi_at.beyond;                                                                                         \
        }                                                                                                                      \
        if (gi_beyond) *gi_e->beyond = 1;                                                                                      \
        return (gi_rare_f32 | gi_rare_f64) != 0;                                                                               \
    }                                                                                                                          \
    GI_OWN_STAMPS(name, fixed)                                                                                                 \
    GI_CUDA_STENCIL(name, reach, GI_TYPE_OF(GI_TAG_OF(type), ), parameters)                                                    \
    static const gi_stamp name##_stamps[] = {                                                                                  \
        { GI_JOIN(GI_DTYPE_, GI_TAG_OF(type)), GI_LOOPS_FOR(name, fixed), GI_CUDA_STENCIL_OF(name) }                           \
    };                                                                                                                         \
    __attribute__((unused)) static const ga_stencil_kernel name[1] = {                                                         \
        { { #name, text, __FILE__ ":" GI_STRING(__LINE__), GI_PARAMETERS(GI_COUNTED, , GI_LISTED(parameters)),                 \
            { GI_JOIN(GI_DTYPE_, GI_TAG_OF(type)), true, "" },                                                                 \
            { GI_PARAMETERS(GI_NUMBER_INFO, , GI_LISTED(parameters)) },                                                        \
            1,                                                                                                                 \
            name##_stamps },                                                                                                   \
          GI_COUNT_3 reach,                                                                                                    \
          { GI_UNWRAP reach },                                                                                                 \
          GI_CUDA_TILE_OF(name) }                                                                                              \
    };
/* clang-format on */
