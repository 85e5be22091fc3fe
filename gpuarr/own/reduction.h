#ifdef __GNUC__
#pragma GCC system_header /* see kernels.h */
#endif
/* ---- reductions ------------------------------------------------------------------------------------------------------------ */
/*  The loops of an elementwise formula whose result is an accumulator, loops that join two rows of those, and what ends a line: for the
    tag t, which is the reduction's name, or that and the tag of T.                                                             */

#define GA_FUNCTION GI_FORMULA /* for functions that formulas call: on both devices, inlined */

/* Where nothing is computed again, arguments are looked at at once. */
#define GI_EXACTLY                                                                                                             \
    gi_here                          gi_exactly = { 0, true, 0, 0, 0 };                                                        \
    __attribute__((unused)) gi_here *gi_at      = &gi_exactly

#if GI_HAS_CUDA
/* On the GPU: what gi_cuda_fold needs to know (gpuarr_cuda.h, >>cuda own reductions). */
#define GI_AND_TYPE(t, k, tag, ...) , GI_TYPE_OF(tag, t)
#define GI_ELEMENT(t, k, tag, ...)  , GI_READ((const GI_TYPE_OF(tag, t) *)gi_x[k])
#define GI_CUDA_REDUCTION(name, t, parameters)                                                                                 \
    struct gi_##t##_on_gpu {                                                                                                   \
        typedef gi_##t##_acc                                                                   A;                              \
        typedef gi_first_type<void GI_PARAMETERS(GI_AND_TYPE, t, GI_LISTED(parameters))>::type T;                              \
        enum { inputs = 0 GI_PARAMETERS(GI_ONE_MORE, , GI_LISTED(parameters)) };                                               \
        static __device__ __forceinline__ A map(const void *const *gi_x, int64_t index)                                        \
        {                                                                                                                      \
            gi_here gi_at = { index, true, 0, 0, 0 };                                                                          \
            return name##_formula_##t(&gi_at GI_PARAMETERS(GI_ELEMENT, t, GI_LISTED(parameters)));                             \
        }                                                                                                                      \
        static __device__ __forceinline__ A    join(A a, A b) { return t##_join(a, b); }                                       \
        static __device__ __forceinline__ void end(void *out, int64_t line, A a, int64_t n)                                    \
        {                                                                                                                      \
            ((gi_##t##_result *)out)[line] = t##_end(a, n);                                                                    \
        }                                                                                                                      \
    };
#define GI_CUDA_FOLDS_OF(t)                                                                                                    \
    (void (*)(void)) gi_cuda_fold<gi_cuda_own_fold<gi_##t##_on_gpu>>,                                                          \
        (void (*)(void))gi_cuda_fold<gi_cuda_own_again<gi_##t##_on_gpu>>
#else
#define GI_CUDA_REDUCTION(...)
#define GI_CUDA_FOLDS_OF(t) NULL, NULL
#endif

/* The formulas of a reduction are written in GA_REDUCTION itself, so that clang names one macro, and again for those of a T. */
#define GI_REDUCTION_LOOPS(name, t, parameters)                                                                                \
    GI_ASSERT(sizeof(gi_##t##_acc) <= GPUARR_MAX_ACCUMULATOR, "an accumulator has at most GPUARR_MAX_ACCUMULATOR bytes");      \
    GI_LOOPS_OF(name, t, gi_acc, parameters)                                                                                   \
    static GI_OWN_INLINE void t##_join_part(int64_t n, void *accs, const void *more)                                           \
    {                                                                                                                          \
        gi_##t##_acc *__restrict__ const a       = (gi_##t##_acc *)accs;                                                       \
        const gi_##t##_acc *__restrict__ const b = (const gi_##t##_acc *)more;                                                 \
        for (int64_t i = 0; i < n; i++) {                                                                                      \
            a[i] = t##_join(a[i], b[i]);                                                                                       \
            GI_OWN_STORED(a[i])                                                                                                \
        }                                                                                                                      \
    }                                                                                                                          \
    GI_OWN_JOINS(t)                                                                                                            \
    static GI_OWN_FAST void t##_finish(int64_t m, void *out, const void *accs, int64_t n)                                      \
    {                                                                                                                          \
        for (int64_t i = 0; i < m; i++) {                                                                                      \
            ((gi_##t##_result *)out)[i] = t##_end(((const gi_##t##_acc *)accs)[i], n);                                         \
            GI_OWN_STORED(((gi_##t##_result *)out)[i])                                                                         \
        }                                                                                                                      \
    }                                                                                                                          \
    GI_CUDA_REDUCTION(name, t, parameters)
#define GI_REDUCTION_FIELDS(name, t, text, dtype, parameters)                                                                  \
    {                                                                                                                          \
        GI_KERNEL_FIELDS(name, text, GA_DTYPE_DEFAULT, true, parameters), dtype, (int)sizeof(gi_##t##_acc), GI_JOINS_OF(t),    \
            t##_start, t##_finish, GI_CUDA_FOLDS_OF(t)                                                                         \
    }

#define GA_REDUCTION(name, result, parameters, accumulator, start_, map_, join_, finish_)                                      \
    GI_SAY(GI_STATE(result, (gi_void, ), parameters, (gi_none, )), "GA_REDUCTION", name, #result " " #name #parameters)        \
    typedef accumulator gi_##name##_acc;                                                                                       \
    typedef GI_TYPE_OF(GI_TAG_OF(result), ) gi_##name##_result;                                                                \
    GI_FORMULA gi_##name##_acc name##_formula_##name(gi_here *gi_at GI_AND_LISTED(parameters)) { return (void)gi_at, (map_); } \
    GI_FORMULA gi_##name##_acc name##_join(gi_##name##_acc a, gi_##name##_acc b)                                               \
    {                                                                                                                          \
        GI_EXACTLY;                                                                                                            \
        return (join_);                                                                                                        \
    }                                                                                                                          \
    GI_FORMULA result name##_end(gi_##name##_acc a, int64_t n)                                                                 \
    {                                                                                                                          \
        GI_EXACTLY;                                                                                                            \
        return (void)n, (finish_);                                                                                             \
    }                                                                                                                          \
    static GI_OWN_FAST void name##_start(void *gi_room) { *(gi_##name##_acc *)gi_room = (start_); }                            \
    GI_JOIN(GI_REDUCTION_, GI_FINE(GI_STATE(result, (gi_void, ), parameters, (gi_none, ))))(name, result, parameters, #map_)
#define GI_REDUCTION_0(name, result, parameters, text) extern const ga_reduction name[1];
#define GI_REDUCTION_1(name, result, parameters, text)                                                                         \
    GI_MOST(name, parameters)                                                                                                  \
    GI_ASSERT(GI_OUTPUTS(parameters) == 0, #name ": a reduction has one result: none of its parameters has a *");              \
    GI_REDUCTION_LOOPS(name, name, parameters)                                                                                 \
    static const gi_stamp name##_stamps[]                     = { { GA_DTYPE_DEFAULT, GI_LOOPS_FOR(name, name), NULL } };      \
    __attribute__((unused)) static const ga_reduction name[1] = { GI_REDUCTION_FIELDS(                                         \
        name, name, text, GI_JOIN(GI_DTYPE_, GI_TAG_OF(result)), parameters) };

/* The same for each T of a family: an array of reductions. */
#define GI_GENERIC_REDUCTION(t, dtype, name, result, parameters, accumulator, start_, map_, join_, finish_)                    \
    typedef gi_##t gi_##name##_##t;                                                                                            \
    typedef GI_TYPE_OF(GI_TAG_OF(accumulator), t) gi_##name##_##t##_acc;                                                       \
    typedef GI_TYPE_OF(GI_TAG_OF(result), t) gi_##name##_##t##_result;                                                         \
    GI_FORMULA gi_##name##_##t##_acc name##_formula_##name##_##t(                                                              \
        gi_here *gi_at GI_PARAMETERS(GI_DECLARATION, t, GI_LISTED(parameters)))                                                \
    {                                                                                                                          \
        typedef gi_##t T __attribute__((unused));                                                                              \
        return (void)gi_at, (gi_##name##_##t##_acc)(map_);                                                                     \
    }                                                                                                                          \
    GI_FORMULA gi_##name##_##t##_acc name##_##t##_join(gi_##name##_##t##_acc a, gi_##name##_##t##_acc b)                       \
    {                                                                                                                          \
        typedef gi_##t T __attribute__((unused));                                                                              \
        GI_EXACTLY;                                                                                                            \
        return (gi_##name##_##t##_acc)(join_);                                                                                 \
    }                                                                                                                          \
    GI_FORMULA gi_##name##_##t##_result name##_##t##_end(gi_##name##_##t##_acc a, int64_t n)                                   \
    {                                                                                                                          \
        typedef gi_##t T __attribute__((unused));                                                                              \
        GI_EXACTLY;                                                                                                            \
        return (void)n, (gi_##name##_##t##_result)(finish_);                                                                   \
    }                                                                                                                          \
    static GI_OWN_FAST void name##_##t##_start(void *gi_room)                                                                  \
    {                                                                                                                          \
        typedef gi_##t T __attribute__((unused));                                                                              \
        *(gi_##name##_##t##_acc *)gi_room = (gi_##name##_##t##_acc)(start_);                                                   \
    }                                                                                                                          \
    GI_REDUCTION_LOOPS(name, name##_##t, parameters)
#define GI_REDUCTION_STAMP(t, dtype, name) { dtype, GI_LOOPS_FOR(name, name##_##t), NULL },
#define GI_REDUCTION_FOR(t, T_dtype, name, text, result, parameters)                                                           \
    GI_REDUCTION_FIELDS(name, name##_##t, text,                                                                                \
                        GI_JOIN(GI_DTYPE_, GI_TAG_OF(result)) == GA_DTYPE_DEFAULT ? T_dtype                                    \
                                                                                  : GI_JOIN(GI_DTYPE_, GI_TAG_OF(result)),     \
                        parameters),
#define GA_REDUCTION_T(name, family, result, parameters, accumulator, start_, map_, join_, finish_)                            \
    GI_FAMILY_##family(GI_GENERIC_REDUCTION, name, result, parameters, accumulator, start_, map_, join_,                       \
                       finish_) static const gi_stamp name##_stamps[] = { GI_FAMILY_##family(GI_REDUCTION_STAMP, name) };      \
    __attribute__((unused)) static const ga_reduction name[] = { GI_FAMILY_##family(GI_REDUCTION_FOR, name, #map_, result,     \
                                                                                    parameters) };
