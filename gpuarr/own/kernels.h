/*  name_formula      the formula as a function, inlined into
    name_part_T       a loop over some elements, which says whether an argument of an elementary function was rare, and that into
    name_baseline_T   name_avx2_T, name_avx512_T: for each instruction set (gpuarr_cpu.h, >>own kernels), and
    name              the ga_kernel.
    "float x" in a list of parameters becomes a tag and the rest: f32, x.
    To the compiler the rest of this file is a system header: so it says what is wrong in a formula on the line of the formula alone,
    without the macros that the line went through, and still warns of all that the user wrote. A macro hands a formula on to as few
    others as it can, for clang names each.                                                                                    */
#ifdef __GNUC__
#pragma GCC system_header
#endif
#undef GI_JOIN_ /* and again, of the system */
#undef GI_JOIN
#define GI_JOIN_(a, b) a##b
#define GI_JOIN(a, b)  GI_JOIN_(a, b)

/* clang-format off */
#define GA_TYPE_bool     b8,
#define GA_TYPE__Bool    b8,
#define GA_TYPE_int8_t   i8,
#define GA_TYPE_uint8_t  u8,
#define GA_TYPE_int16_t  i16,
#define GA_TYPE_uint16_t u16,
#define GA_TYPE_int32_t  i32,
#define GA_TYPE_int      i32,
#define GA_TYPE_uint32_t u32,
#define GA_TYPE_unsigned unsigned,
#define GA_TYPE_int64_t  i64,
#define GA_TYPE_uint64_t u64,
#define GA_TYPE_float    f32,
#define GA_TYPE_double   f64,
#define GA_TYPE_ga_c64   c64,
#define GA_TYPE_ga_c128  c128,
#define GA_TYPE_T        T,
#define GA_TYPE_gi_acc   acc,
#define GA_TYPE_void     none,
#define GA_TYPE_         none,

/* Its type, where T is that of the tag t, and its dtype. */
#define GI_TYPE_b8(t)   gi_b8
#define GI_TYPE_i8(t)   gi_i8
#define GI_TYPE_u8(t)   gi_u8
#define GI_TYPE_i16(t)  gi_i16
#define GI_TYPE_u16(t)  gi_u16
#define GI_TYPE_i32(t)  gi_i32
#define GI_TYPE_u32(t)  gi_u32
#define GI_TYPE_i64(t)  gi_i64
#define GI_TYPE_u64(t)  gi_u64
#define GI_TYPE_f32(t)  gi_f32
#define GI_TYPE_f64(t)  gi_f64
#define GI_TYPE_c64(t)  gi_c64
#define GI_TYPE_c128(t) gi_c128
#define GI_TYPE_T(t)    gi_##t
#define GI_TYPE_acc(t)  gi_##t##_acc
#define GI_TYPE_none(t) void
#define GI_TYPE_unsigned(t) unsigned /* int, perhaps */
#define GI_DTYPE_b8     GA_BOOL
#define GI_DTYPE_i8     GA_I8
#define GI_DTYPE_u8     GA_U8
#define GI_DTYPE_i16    GA_I16
#define GI_DTYPE_u16    GA_U16
#define GI_DTYPE_i32    GA_I32
#define GI_DTYPE_u32    GA_U32
#define GI_DTYPE_unsigned GA_U32
#define GI_DTYPE_i64    GA_I64
#define GI_DTYPE_u64    GA_U64
#define GI_DTYPE_f32    GA_F32
#define GI_DTYPE_f64    GA_F64
#define GI_DTYPE_c64    GA_C64
#define GI_DTYPE_c128   GA_C128
#define GI_DTYPE_T      GA_DTYPE_DEFAULT
#define GI_DTYPE_none   GA_DTYPE_DEFAULT
/* clang-format on */

#define GI_UNWRAP(...)       __VA_ARGS__
#define GI_ON(M, list)       M list
#define GI_TYPE_OF(tag, t)   GI_JOIN(GI_TYPE_, tag)(t)
#define GI_SECOND(a, b, ...) b
#define GI_START(a, ...)     #a

/* GI_PARAMETERS(M, x, float a, double *r): M(x, 0, f32, a) M(x, 1, f64, *r) */
#define GI_PARAMETERS(M, x, ...) GI_EACH(GI_PARAMETER, (M, x), __VA_ARGS__)
#define GI_PARAMETER(Mx, k, p)   GI_PARAMETER_((GI_UNWRAP Mx, k, GA_TYPE_##p))
#define GI_PARAMETER_(all)       GI_PARAMETER__ all
#define GI_PARAMETER__(M, ...)   M(__VA_ARGS__)
/* The tag of a type; that of double for a type that no array has, about which enough is said by GI_REFUSE. */
#define GI_TAG_OF(type)              GI_TAG_OF_(GA_TYPE_##type, gi_known, gi_unknown, )
#define GI_TAG_OF_(...)              GI_TAG_OF__(__VA_ARGS__)
#define GI_TAG_OF__(tag, r, is, ...) GI_TAG_##is(tag)
#define GI_TAG_gi_known(tag)         tag
#define GI_TAG_gi_unknown(tag)       f64
/* VOID or VALUE, for the tag of a formula's result. */
#define GI_VOID_none               ~, VOID
#define GI_RESULT_KIND(tag)        GI_RESULT_KIND_(GI_JOIN(GI_VOID_, tag), VALUE, )
#define GI_RESULT_KIND_(...)       GI_SECOND(__VA_ARGS__)
#define GI_BY_RESULT(what, result) GI_JOIN(what, GI_RESULT_KIND(GI_TAG_OF(result)))
#define GI_IF_VALUE(tag, what)     GI_JOIN(what, GI_RESULT_KIND(tag))

/* GI_LISTED((float a, double *r)): float a, double *r. Of what is no list, nothing; of one that is too long, the beginning. */
#define GI_LISTED(list) GI_JOIN(GI_LISTED_, GI_LIST_KIND(list))(list)
#define GI_LISTED_gi_bare(list)
#define GI_LISTED_gi_few(list)                               GI_UNWRAP list
#define GI_LISTED_gi_many(list)                              GI_FIRST_12 list
#define GI_FIRST_12(a, b, c, d, e, f, g, h, i, j, k, l, ...) a, b, c, d, e, f, g, h, i, j, k, l
/* gi_bare: not in parentheses; gi_few: up to 12 things; gi_many: up to 24. */
#define GI_LIST_KIND(list) GI_LIST_KIND_(GI_LENGTH list, gi_bare, )
#define GI_LIST_KIND_(...) GI_SECOND(__VA_ARGS__)
#define GI_LENGTH(...)                                                                                                         \
    ~, GI_LENGTH_(__VA_ARGS__, gi_many, gi_many, gi_many, gi_many, gi_many, gi_many, gi_many, gi_many, gi_many, gi_many,       \
                  gi_many, gi_many, gi_few, gi_few, gi_few, gi_few, gi_few, gi_few, gi_few, gi_few, gi_few, gi_few, gi_few,    \
                  gi_few, )
#define GI_LENGTH_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, length, ...) length
/* ", float a, double *r"; nothing for (void). */
#define GI_AND_LISTED(list)   GI_AND(GI_LISTED(list))
#define GI_AND(...)           GI_JOIN(GI_AND_, GI_FIRST_KIND(__VA_ARGS__, ))(__VA_ARGS__)
#define GI_FIRST_KIND(p, ...) GI_RESULT_KIND(GI_TAG_OF(p))
#define GI_AND_VOID(...)
#define GI_AND_VALUE(...) , __VA_ARGS__

/*  What is wrong with a definition, as far as the preprocessor can tell: the first of gi_bare, gi_many, gi_unknown (types), gi_none
    (no parameters) and gi_void (no result); else gi_fine. `none` and `nothing` are the marks for `void` among the parameters and as the
    result: (gi_none,) or (), where it is right.                                                                                  */
#define GI_STATE(result, nothing, parameters, none)                                                                            \
    GI_STATE_(GI_JOIN(GI_MARKS_, GI_LIST_KIND(parameters))(none, parameters) GI_MARK(nothing, 0, result) gi_fine, )
#define GI_STATE_(...)                   GI_STATE__(__VA_ARGS__)
#define GI_STATE__(first, ...)           first
#define GI_MARKS_gi_bare(none, list)     gi_bare,
#define GI_MARKS_gi_many(none, list)     gi_many,
#define GI_MARKS_gi_few(none, list)      GI_EACH(GI_MARK, none, GI_UNWRAP list)
#define GI_MARK(none, k, p)              GI_MARK_(none, GA_TYPE_##p, gi_known, gi_unknown, )
#define GI_MARK_(none, ...)              GI_MARK__(none, __VA_ARGS__)
#define GI_MARK__(none, tag, r, is, ...) GI_MARK_##is(none, tag)
#define GI_MARK_gi_unknown(none, tag)    gi_unknown,
#define GI_MARK_gi_known(none, tag)      GI_IF_VALUE(tag, GI_MARK_)(none)
#define GI_MARK_VOID(none)               GI_UNWRAP none
#define GI_MARK_VALUE(none)
/* 1 or 0 */
#define GI_FINE(state)  GI_FINE_(GI_JOIN(GI_FINE_, state), 0, )
#define GI_FINE_(...)   GI_SECOND(__VA_ARGS__)
#define GI_FINE_gi_fine ~, 1
/* What a formula is written as: a body, VOID, also where no more than that shall be said of it. */
#define GI_KIND(state, result) GI_JOIN(GI_KIND_, GI_FINE(state))(result)
#define GI_KIND_0(result)      VOID
#define GI_KIND_1(result)      GI_RESULT_KIND(GI_TAG_OF(result))

/* Says a sentence on the line of the definition. clang adds the macros that it came through, except to what it says of a name. */
#ifdef __clang__
#define GI_REFUSE(name, sentence)                                                                                              \
    __attribute__((unused)) static inline void name##_refused(void)                                                            \
    {                                                                                                                          \
        typedef int name __attribute__((unavailable(sentence)));                                                               \
        (void)sizeof(name);                                                                                                    \
    }
#else
#define GI_REFUSE(name, sentence) GI_ASSERT(0, sentence);
#endif
#ifdef __cplusplus
#define GI_ASSERT static_assert
#else
#define GI_ASSERT _Static_assert
#endif
#define GI_SAY(state, what, name, text) GI_JOIN(GI_SAY_, state)(what, name, text)
#define GI_SAY_gi_fine(what, name, text)
#define GI_SAY_gi_bare(what, name, text) GI_REFUSE(name, what ": put the parameters in parentheses: (double x, float y)")
#define GI_SAY_gi_many(what, name, text) GI_REFUSE(name, what ": more parameters than 8 operands and 4 results")
#define GI_SAY_gi_unknown(what, name, text)                                                                                    \
    GI_REFUSE(name, what ": " text                                                                                             \
                         ": types are bool, int8_t ... int64_t, uint8_t ... uint64_t, int, unsigned, float, double, ga_c64 "   \
                         "and ga_c128")
#define GI_SAY_gi_none(what, name, text)                                                                                       \
    GI_REFUSE(name, what ": there are no parameters: give at least one, for the shape of the result is that of the operands")
#define GI_SAY_gi_void(what, name, text)  GI_REFUSE(name, what ": it needs a result, so its type is not void")
#define GI_SAY_gi_reach(what, name, text) GI_REFUSE(name, what ": put the reach along 1 to 3 axes in parentheses: (1, 1)")

#ifdef __CUDACC__
#define GI_PORTABLE __host__ __device__ inline
#else
#define GI_PORTABLE inline
#endif

#ifdef __cplusplus
/* The value of an expression, or nothing in particular where a body returns itself. */
struct gi_no_value {
    template <class R> GI_PORTABLE operator R() const { return R(); }
};
template <class V> GI_PORTABLE V operator,(V value, gi_no_value) { return value; }
#define GI_BODY_VALUE(text, start, type, cast) return cast(__extension__({
#define GI_AGAIN_VALUE(...)                                                                                                    \
    ;                                                                                                                          \
    }), gi_no_value());
#define GI_BODY_VOID(text, start, type, cast)
/* An element of an operand. Of a bool any byte but 0 is true. */
template <class P> GI_PORTABLE P gi_read(const P *p) { return *p; }
template <> GI_PORTABLE bool     gi_read<bool>(const bool *p) { return *(const unsigned char *)p != 0; }
#define GI_READ(p) gi_read(p)
/* A parameter's argument: the element, or where it goes. */
template <class P> struct gi_argument;
template <class P> struct gi_argument<void(P)> {
    enum { output = 0 };
    static GI_PORTABLE P of(const P *p) { return gi_read(p); }
};
template <class P> struct gi_argument<void(P *)> {
    enum { output = 1 };
    static GI_PORTABLE P *of(P *p) { return *p = P(), p; }
};
template <> struct gi_argument<void()> {
    enum { output = 0 };
};
#define GI_IS_OUTPUT(T, ...)   (gi_argument<void(__VA_ARGS__)>::output != 0)
#define GI_ARGUMENT(T, p, ...) gi_argument<void(__VA_ARGS__)>::of(p)
#else
/* In C a body and an expression are two expressions, of which one is chosen. A body is what begins with a brace or `return`, be it in a
   macro of the user's, or has a semicolon in sight. (Those of GA_AT are not.)                                                      */
#define GI_IS_BODY(text, start)                                                                                                \
    (__builtin_memcmp(start, "{", 1) == 0 || __builtin_strncmp(start " ", "return ", 7) == 0 || GI_HAS_SEMICOLON(text))
#ifdef __clang__
#define GI_HAS_SEMICOLON(text) __builtin_constant_p(__builtin_strchr(text, ';') ? 0 : gi_at->exact)
#else
#define GI_HAS_SEMICOLON(text) (__builtin_strcspn(text, ";") < sizeof(text) - 1)
#endif
#define GI_BODY_VALUE(text, start, type, cast)                                                                                 \
    enum { gi_is_body = GI_IS_BODY(text, start) };                                                                             \
    static const type gi_never __attribute__((unused)) = { 0 };                                                                \
    return cast(__builtin_choose_expr(gi_is_body, __extension__({ enum { gi_chosen = gi_is_body };
#define GI_AGAIN_VALUE(...)                                                                                                    \
    ;                                                                                                                          \
    gi_never;                                                                                                                  \
    }), __extension__({ enum { gi_chosen = !gi_is_body }; __VA_ARGS__; })));
#define GI_BODY_VOID(text, start, type, cast) enum { gi_chosen = 1 };
#define GI_IS_OUTPUT(T, ...)                  _Generic((void (*)(__VA_ARGS__))0, void (*)(T *) : 1, default : 0)
#define GI_ARGUMENT(T, p, ...)                __builtin_choose_expr(GI_IS_OUTPUT(T, __VA_ARGS__), (T *)memset(p, 0, sizeof(T)), GI_READ(p))
/* An element of an operand. Of a bool any byte but 0 is true. */
#define GI_READ(p)                            _Generic((p), bool * : GI_TRUTH_AT(p), const bool * : GI_TRUTH_AT(p), default : *(p))
#define GI_TRUTH_AT(p)                        ((bool)(*(const unsigned char *)(const void *)(p) != 0))
#endif
