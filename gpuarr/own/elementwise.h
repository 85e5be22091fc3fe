#ifdef __GNUC__
#pragma GCC system_header /* see kernels.h */
#endif
/* ---- the stamps ----------------------------------------------------------------------------------------------------------- */

#define GI_OWN_LOOPS
#include "loops.h"
#undef GI_OWN_LOOPS

#define GI_DECLARATION(t, k, tag, ...) , GI_TYPE_OF(tag, t) __VA_ARGS__
#define GI_POINTER(t, k, tag, ...)     GI_TYPE_OF(tag, t) *__restrict__ const gi_##k = (GI_TYPE_OF(tag, t) *)gi_e->operand[k];
#define GI_PASSED(t, k, tag, ...)      , GI_ARGUMENT(GI_TYPE_OF(tag, t), gi_##k + gi_i, GI_TYPE_OF(tag, t) __VA_ARGS__)
#define GI_WRITTEN(t, k, tag, ...)                                                                                             \
    if (GI_IS_OUTPUT(GI_TYPE_OF(tag, t), GI_TYPE_OF(tag, t) __VA_ARGS__)) {                                                    \
        GI_OWN_STORED(gi_##k[gi_i])                                                                                            \
    }
#define GI_INFO(t, k, tag, ...)                                                                                                \
    { GI_JOIN(GI_DTYPE_, tag), GI_IS_OUTPUT(GI_TYPE_OF(tag, f64), GI_TYPE_OF(tag, f64) __VA_ARGS__), #__VA_ARGS__ },
#define GI_ONE_MORE(t, k, ...) +1
#define GI_POINTER_VOID(type)
#define GI_POINTER_VALUE(type) type *__restrict__ const gi_o = (type *)gi_e->result;
#define GI_STORE_VOID(value)   value
#define GI_STORE_VALUE(value)                                                                                                  \
    gi_o[gi_i] = value;                                                                                                        \
    GI_OWN_STORED(gi_o[gi_i])
#define GI_HAS_VOID        false
#define GI_HAS_VALUE       true
#define GI_AGAIN_VOID(...) ;

#if defined(__clang__) || defined(__GNUC__)
#define GI_BEGIN_FORMULA                                                                                                       \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wunused-value\"")                                        \
        _Pragma("GCC diagnostic ignored \"-Woverlength-strings\"")
#define GI_END_FORMULA _Pragma("GCC diagnostic pop")
#endif

/* How many parameters there are of a kind is known to the compiler alone. */
#define GI_INPUTS(parameters)         (0 GI_PARAMETERS(GI_ONE_INPUT, ~, GI_LISTED(parameters)))
#define GI_OUTPUTS(parameters)        (0 GI_PARAMETERS(GI_ONE_OUTPUT, ~, GI_LISTED(parameters)))
#define GI_ONE_INPUT(t, k, tag, ...)  +!GI_IS_OUTPUT(GI_TYPE_OF(tag, f64), GI_TYPE_OF(tag, f64) __VA_ARGS__)
#define GI_ONE_OUTPUT(t, k, tag, ...) +GI_IS_OUTPUT(GI_TYPE_OF(tag, f64), GI_TYPE_OF(tag, f64) __VA_ARGS__)

/* The loops. */
#define GI_LOOPS_OF(name, t, result, parameters)                                                                               \
    static GI_OWN_INLINE bool name##_part_##t(const gi_elements *gi_e, int64_t gi_from, int64_t gi_to, bool gi_exact)          \
    {                                                                                                                          \
        GI_PARAMETERS(GI_POINTER, t, GI_LISTED(parameters))                                                                    \
        GI_BY_RESULT(GI_POINTER_, result)(GI_TYPE_OF(GI_TAG_OF(result), t)) uint32_t gi_rare_f32 = 0;                          \
        uint64_t                                                                     gi_rare_f64 = 0;                          \
        for (int64_t gi_i = gi_from; gi_i < gi_to; gi_i++) {                                                                   \
            gi_here gi_at = { gi_e->index + gi_i * gi_e->step, gi_exact, 0, 0, 0 };                                            \
            GI_BY_RESULT(GI_STORE_, result)(name##_formula_##t(&gi_at GI_PARAMETERS(GI_PASSED, t, GI_LISTED(parameters))));    \
            GI_PARAMETERS(GI_WRITTEN, t, GI_LISTED(parameters))                                                                \
            gi_rare_f32 |= gi_at.rare_f32;                                                                                     \
            gi_rare_f64 |= gi_at.rare_f64;                                                                                     \
        }                                                                                                                      \
        return (gi_rare_f32 | gi_rare_f64) != 0;                                                                               \
    }                                                                                                                          \
    GI_OWN_STAMPS(name, t)

#define GI_KERNEL_FIELDS(name, text, dtype, output, parameters)                                                                \
    {                                                                                                                          \
#name, text, __FILE__ ":" GI_STRING(__LINE__), 0 GI_PARAMETERS(GI_ONE_MORE, , GI_LISTED(parameters)),                  \
            { dtype, output, "" },                                                                                             \
              { GI_PARAMETERS(GI_INFO, , GI_LISTED(parameters)) }, (int)(sizeof name##_stamps / sizeof *name##_stamps),        \
                name##_stamps                                                                                                  \
    }
#define GI_MOST(name, parameters)                                                                                              \
    GI_ASSERT(GI_INPUTS(parameters) <= GPUARR_MAX_INPUTS && GI_OUTPUTS(parameters) <= GPUARR_MAX_OUTPUTS,                      \
              #name " has more than 8 operands or 4 results");
#define GI_KERNEL_OF(name, text, result, parameters)                                                                           \
    __attribute__((unused)) static const ga_kernel name[1] = { GI_KERNEL_FIELDS(                                               \
        name, text, GI_JOIN(GI_DTYPE_, GI_TAG_OF(result)), GI_BY_RESULT(GI_HAS_, result), parameters) };

#define GA_ELEMENTWISE(name, result, parameters, ...)                                                                          \
    GI_SAY(GI_STATE(result, (), parameters, (gi_none, )), "GA_ELEMENTWISE", name, #result " " #name #parameters)               \
    GI_BEGIN_FORMULA                                                                                                           \
    GI_FORMULA result name##_formula_fixed(gi_here *gi_at GI_AND_LISTED(parameters))                                           \
    {                                                                                                                          \
        (void)gi_at;                                                                                                           \
        GI_JOIN(GI_BODY_, GI_KIND(GI_STATE(result, (), parameters, (gi_none, )), result))                                      \
        (#__VA_ARGS__, GI_START(__VA_ARGS__, ), GI_TYPE_OF(GI_TAG_OF(result), fixed), ) __VA_ARGS__ GI_JOIN(                   \
            GI_AGAIN_, GI_KIND(GI_STATE(result, (), parameters, (gi_none, )), result))(__VA_ARGS__)                            \
    }                                                                                                                          \
    GI_END_FORMULA                                                                                                             \
    GI_JOIN(GI_ELEMENTWISE_, GI_FINE(GI_STATE(result, (), parameters, (gi_none, ))))(name, #__VA_ARGS__, result, parameters)
#define GI_ELEMENTWISE_0(name, text, result, parameters) extern const ga_kernel name[1];
#define GI_ELEMENTWISE_1(name, text, result, parameters)                                                                       \
    GI_MOST(name, parameters)                                                                                                  \
    GI_LOOPS_OF(name, fixed, result, parameters)                                                                               \
    static const gi_stamp name##_stamps[] = { GI_STAMP_OF(name, fixed, GA_DTYPE_DEFAULT) };                                    \
    GI_KERNEL_OF(name, text, result, parameters)

/* The same for each T of a family. */
#ifdef GPUARR_FEW_DTYPES
#define GI_FAMILY_INT(M, ...)                                                                                                  \
    M(u8, GA_U8, __VA_ARGS__) M(i32, GA_I32, __VA_ARGS__) M(i64, GA_I64, __VA_ARGS__) M(u64, GA_U64, __VA_ARGS__)
#else
#define GI_FAMILY_INT(M, ...)                                                                                                  \
    M(i8, GA_I8, __VA_ARGS__)                                                                                                  \
    M(u8, GA_U8, __VA_ARGS__)                                                                                                  \
    M(i16, GA_I16, __VA_ARGS__)                                                                                                \
    M(u16, GA_U16, __VA_ARGS__)                                                                                                \
    M(i32, GA_I32, __VA_ARGS__) M(u32, GA_U32, __VA_ARGS__) M(i64, GA_I64, __VA_ARGS__) M(u64, GA_U64, __VA_ARGS__)
#endif
#define GI_FAMILY_FLT(M, ...)  M(f32, GA_F32, __VA_ARGS__) M(f64, GA_F64, __VA_ARGS__)
#define GI_FAMILY_REAL(M, ...) GI_FAMILY_INT(M, __VA_ARGS__) GI_FAMILY_FLT(M, __VA_ARGS__)

#define GI_GENERIC(t, dtype, name, result, parameters, text, ...)                                                              \
    GI_BEGIN_FORMULA                                                                                                           \
    GI_FORMULA GI_TYPE_OF(GI_TAG_OF(result), t)                                                                                \
        name##_formula_##t(gi_here *gi_at GI_PARAMETERS(GI_DECLARATION, t, GI_LISTED(parameters)))                             \
    {                                                                                                                          \
        typedef gi_##t T __attribute__((unused));                                                                              \
        (void)gi_at;                                                                                                           \
        GI_BY_RESULT(GI_BODY_, result)                                                                                         \
        (text, GI_START(__VA_ARGS__, ), GI_TYPE_OF(GI_TAG_OF(result), t), (GI_TYPE_OF(GI_TAG_OF(result), t))) __VA_ARGS__      \
        GI_BY_RESULT(GI_AGAIN_, result)(__VA_ARGS__)                                                                           \
    }                                                                                                                          \
    GI_END_FORMULA                                                                                                             \
    GI_LOOPS_OF(name, t, result, parameters)
#define GI_GENERIC_STAMP(t, dtype, name) GI_STAMP_OF(name, t, dtype),
#define GA_ELEMENTWISE_T(name, family, result, parameters, ...)                                                                \
    GI_SAY(GI_STATE(result, (), parameters, (gi_none, )), "GA_ELEMENTWISE_T", name, #result " " #name #parameters)             \
    GI_JOIN(GI_GENERIC_, GI_FINE(GI_STATE(result, (), parameters, (gi_none, ))))                                               \
    (name, GI_FAMILY_##family, result, parameters, #__VA_ARGS__, __VA_ARGS__)
#define GI_GENERIC_0(name, family, result, parameters, text, ...) extern const ga_kernel name[1];
#define GI_GENERIC_1(name, family, result, parameters, text, ...)                                                              \
    family(GI_GENERIC, name, result, parameters, text,                                                                         \
           __VA_ARGS__) static const gi_stamp name##_stamps[] = { family(GI_GENERIC_STAMP, name) };                            \
    GI_KERNEL_OF(name, text, result, parameters)
