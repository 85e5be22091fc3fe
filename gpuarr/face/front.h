/* ==== >>front: the macros that make calls short =================================================================== */
/*  Each turns ga_sum(a, .axis = 0) into a call of the real function (ga_sum), adding the options' struct, the place and the text
    of the call. This is the only part where C and C++ differ.                                                                 */

#define GI_STRING_(x) #x
#define GI_STRING(x)  GI_STRING_(x)
#define GI_SITE(call) __FILE__ ":" GI_STRING(__LINE__) "\t" call

/* clang-format off */
/* GI_EACH(M, x, a, b): M(x, 0, a) M(x, 1, b), for up to 12 arguments. */
#define GI_EACH(M, x, ...) GI_EACH_(__VA_ARGS__, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, )(M, x, __VA_ARGS__)
#define GI_EACH_(a, b, c, d, e, f, g, h, i, j, k, l, n, ...) GI_JOIN(GI_EACH_, n)
#define GI_EACH_1(M, x, a)                                  M(x, 0, a)
#define GI_EACH_2(M, x, a, b)                               GI_EACH_1(M, x, a) M(x, 1, b)
#define GI_EACH_3(M, x, a, b, c)                            GI_EACH_2(M, x, a, b) M(x, 2, c)
#define GI_EACH_4(M, x, a, b, c, d)                         GI_EACH_3(M, x, a, b, c) M(x, 3, d)
#define GI_EACH_5(M, x, a, b, c, d, e)                      GI_EACH_4(M, x, a, b, c, d) M(x, 4, e)
#define GI_EACH_6(M, x, a, b, c, d, e, f)                   GI_EACH_5(M, x, a, b, c, d, e) M(x, 5, f)
#define GI_EACH_7(M, x, a, b, c, d, e, f, g)                GI_EACH_6(M, x, a, b, c, d, e, f) M(x, 6, g)
#define GI_EACH_8(M, x, a, b, c, d, e, f, g, h)             GI_EACH_7(M, x, a, b, c, d, e, f, g) M(x, 7, h)
#define GI_EACH_9(M, x, a, b, c, d, e, f, g, h, i)          GI_EACH_8(M, x, a, b, c, d, e, f, g, h) M(x, 8, i)
#define GI_EACH_10(M, x, a, b, c, d, e, f, g, h, i, j)      GI_EACH_9(M, x, a, b, c, d, e, f, g, h, i) M(x, 9, j)
#define GI_EACH_11(M, x, a, b, c, d, e, f, g, h, i, j, k)   GI_EACH_10(M, x, a, b, c, d, e, f, g, h, i, j) M(x, 10, k)
#define GI_EACH_12(M, x, a, b, c, d, e, f, g, h, i, j, k, l) GI_EACH_11(M, x, a, b, c, d, e, f, g, h, i, j, k) M(x, 11, l)
/* clang-format on */

#ifdef __cplusplus
#define GI_CALL(...)             (__VA_ARGS__)
#define GI_FORMAT(...)           (__VA_ARGS__)
#define GI_LASTING(...)          (__VA_ARGS__)
#define GI_OPTIONS(O, here, ...) gi_placed(O{ __VA_ARGS__ }, here)
/*  To C++ the list (0, 2) is the number 2, so the text of a call is read: where one number belongs, no argument may be a list.
    An argument ends at a comma or bracket that is neither in brackets nor in quotes.                                        */
static constexpr const char *gi_argument_end(const char *t)
{
    int depth = 0;
    for (char quote = 0, before = ' '; *t; before = *t++) {
        const bool word = (before >= '0' && before <= '9') || (before >= 'a' && before <= 'z'); /* 1'000, u'a' */
        if (quote) {
            if (*t == '\\' && t[1]) t++;
            else if (*t == quote) quote = 0;
        } else if (*t == '"' || (*t == '\'' && !word)) quote = *t;
        else if (depth == 0 && (*t == ',' || *t == ')')) return t;
        else depth += *t == '(' || *t == '[' || *t == '{' ? 1 : *t == ')' || *t == ']' || *t == '}' ? -1 : 0;
    }
    return t;
}
static constexpr const char *gi_skip_spaces(const char *t)
{
    while (*t == ' ') t++;
    return t;
}
/* Is the argument that begins there a list in parentheses, or an option with one? */
static constexpr bool gi_is_list(const char *t)
{
    const char *const end = gi_argument_end(t);
    t                     = gi_skip_spaces(t);
    if (*t == '.') {
        while (t < end && *t != '=') t++;
        t = gi_skip_spaces(t + (*t == '='));
    }
    if (*t != '(') return false;
    const char *inside = gi_argument_end(t + 1);
    if (*inside != ',') return false;
    while (*inside == ',') inside = gi_argument_end(inside + 1);
    return *inside && gi_skip_spaces(inside + 1) == end;
}
/* Which arguments of a site's call are lists: a bit for each, 1 for the first. */
static constexpr unsigned gi_lists_in(const char *text)
{
    unsigned lists = 0;
    while (*text && *text != '\t') text++;
    while (*text && *text != '(') text++;
    for (unsigned bit = 1; *text == '(' || *text == ','; bit <<= 1) {
        lists |= gi_is_list(text + 1) ? bit : 0;
        text = gi_argument_end(text + 1);
    }
    return lists;
}
template <unsigned lists> static inline const char *gi_listed(const char *site)
{
    static_assert(lists == 0, "gpuarr: a list in parentheses where one number belongs; several axes: .axes = ga_axes(0, 2)");
    return site;
}
/* The site of a call of which only the arguments of these bits may be lists. */
#define GI_LISTS(bits, here) gi_listed<gi_lists_in(here) & ~(bits##u)>(here)
template <class O> static inline O gi_placed(O o, const char *site)
{
    o.site = site;
    return o;
}
static inline ga_arg gi_arg(const ga_array *a)
{
    ga_arg r = {};
    r.array  = a;
    return r;
}
static inline ga_arg gi_arg(ga_array *a)
{
    ga_arg r = {};
    r.array  = a;
    return r;
}
static inline ga_arg      gi_arg(const ga_arg &a) { return a; }
template <class T> ga_arg gi_arg(T *) = delete; /* any other pointer would be a bool */
static inline ga_arg      gi_arg(bool v)
{
    ga_arg r = {};
    r.kind   = GA_KIND_BOOL;
    r.i      = v;
    return r;
}
static inline ga_arg gi_arg(double v)
{
    ga_arg r = {};
    r.kind   = GA_KIND_REAL;
    r.re     = v;
    return r;
}
static inline ga_arg gi_arg(float v)
{
    ga_arg r = gi_arg((double)v);
    r.single = v - v <= 0; /* finite */
    return r;
}
static inline ga_arg gi_arg(long long v)
{
    ga_arg r = {};
    r.kind   = GA_KIND_INT;
    r.i      = v;
    return r;
}
static inline ga_arg gi_arg(char v) { return gi_arg((long long)v); }
static inline ga_arg gi_arg(signed char v) { return gi_arg((long long)v); }
static inline ga_arg gi_arg(unsigned char v) { return gi_arg((long long)v); }
static inline ga_arg gi_arg(short v) { return gi_arg((long long)v); }
static inline ga_arg gi_arg(unsigned short v) { return gi_arg((long long)v); }
static inline ga_arg gi_arg(int v) { return gi_arg((long long)v); }
static inline ga_arg gi_arg(long v) { return gi_arg((long long)v); }
static inline ga_arg gi_arg(unsigned v) { return gi_arg((long long)v); }
static inline ga_arg gi_arg(unsigned long long v)
{
    ga_arg r = {};
    r.kind   = v > (unsigned long long)INT64_MAX ? GA_KIND_UINT : GA_KIND_INT;
    r.i      = (int64_t)v;
    return r;
}
static inline ga_arg gi_arg(unsigned long v) { return gi_arg((unsigned long long)v); }
static inline ga_arg gi_arg(ga_c64 v)
{
    ga_arg r = {};
    r.kind   = GA_KIND_COMPLEX;
    r.re     = v.re;
    r.im     = v.im;
    r.single = true;
    return r;
}
static inline ga_arg gi_arg(ga_c128 v)
{
    ga_arg r = {};
    r.kind   = GA_KIND_COMPLEX;
    r.re     = v.re;
    r.im     = v.im;
    return r;
}
template <class T> static inline auto gi_arg(const T &z) -> decltype(z.real() - z.imag(), ga_arg{}) /* std::complex */
{
    ga_arg r = ga_complex((double)z.real(), (double)z.imag());
    r.single = sizeof(z.real()) == sizeof(float);
    return r;
}
#define GA_ARG(v) gi_arg(v)

template <class N> static inline int64_t     gi_length(N n) { return (int64_t)n; }
template <class T> int64_t                   gi_length(T *)    = delete; /* a length is an integer */
template <> int64_t                          gi_length(double) = delete;
template <> int64_t                          gi_length(float)  = delete;
template <class... N> static inline ga_shape gi_shape(N... n)
{
    static_assert(sizeof...(n) <= GPUARR_MAX_DIMS, "more dimensions than GPUARR_MAX_DIMS");
    ga_shape r        = {};
    r.ndim            = (int)sizeof...(n);
    int64_t lengths[] = { gi_length(n)..., 0 };
    for (int d = 0; d < r.ndim; d++) r.n[d] = lengths[d];
    return r;
}
#define GI_SHAPE(...) gi_shape(__VA_ARGS__)

template <class T> struct gi_dtype_of;
#define GI_TRAIT(TAG, tag, T, name)                                                                                            \
    template <> struct gi_dtype_of<T> {                                                                                        \
        static constexpr ga_dtype value = GA_##TAG;                                                                            \
    };
GI_EACH_DTYPE(GI_TRAIT)
#undef GI_TRAIT
template <class T> struct gi_dtype_of<const T> : gi_dtype_of<T> {
};
template <class T> static constexpr ga_dtype gi_dtype_at(T *) { return gi_dtype_of<T>::value; }
#define GA_DTYPE_OF(p) gi_dtype_at(p)

struct gi_list {
    const ga_array *a[64];
    int             n;
};
template <class... A> static inline gi_list gi_make_list(A... a)
{
    static_assert(sizeof...(a) <= 64, "more than 64 arrays: use the _n function");
    return { { a... }, (int)sizeof...(a) };
}
static inline ga_array *gi_concatenate(gi_list l, ga_axis_options o) { return (ga_concatenate_n)(l.n, l.a, o); }
static inline ga_array *gi_stack(gi_list l, ga_axis_options o) { return (ga_stack_n)(l.n, l.a, o); }
static inline ga_array *gi_einsum(const char *s, gi_list l, ga_product_options o) { return (ga_einsum_n)(s, l.n, l.a, o); }
static inline ga_array *gi_multi_dot(gi_list l, ga_product_options o) { return (ga_multi_dot_n)(l.n, l.a, o); }
#define GI_LIST(...) gi_make_list(__VA_ARGS__)

struct gi_args {
    ga_arg a[64];
    int    n;
};
template <class... A> static inline gi_args gi_make_args(const A &...a)
{
    static_assert(sizeof...(a) <= 64, "more than 64 operands");
    return { { gi_arg(a)... }, (int)sizeof...(a) };
}
static inline ga_array *gi_apply(const ga_kernel *k, gi_args l, ga_apply_options o) { return (ga_apply_n)(k, l.n, l.a, o); }
static inline ga_array *gi_reduce_args(const ga_reduction *k, gi_args l, ga_reduce_options o)
{
    return (ga_reduce_n)(k, l.n, l.a, o);
}
static inline ga_array *gi_take_steps(const ga_stencil_kernel *k, gi_args l, ga_stencil_options o)
{
    return (ga_stencil_n)(k, l.n, l.a, o);
}
static inline ga_array *gi_eval_args(const char *f, gi_args l, ga_eval_options o) { return (ga_eval_n)(f, l.n, l.a, o); }
#define GI_OPERANDS_IN_PARENTHESES(...) gi_make_args(__VA_ARGS__)

template <class... N> static inline ga_shape gi_chunk_list(N... n) /* and one more behind them */
{
    const int64_t all[] = { gi_length(n)... };
    ga_shape      r     = {};
    for (r.ndim = 0; r.ndim + 1 < (int)sizeof...(n) && r.ndim < GPUARR_MAX_DIMS; r.ndim++) r.n[r.ndim] = all[r.ndim];
    return r;
}
#define GI_CHUNK_LIST(...) gi_chunk_list(GI_REST(__VA_ARGS__, 0))

template <class... T>
static inline ga_task *gi_make_delayed(ga_graph *g, ga_task_function f, void *user, const char *site, T... t)
{
    ga_task *const needs[] = { t... }; /* and a NULL behind them */
    return (ga_delayed_n)(g, f, user, (int)sizeof...(t) - 1, needs, gi_placed(ga_delayed_options{}, site));
}
#define gi_delayed(g, f, user, site, ...) gi_make_delayed(g, f, (void *)(user), site, __VA_ARGS__)
#else
/*  The defaults, and what the caller writes in their place. What the compiler would only warn of is an error: what converts to an option
    or argument that it is not, more values than there are positions, and (0, 2) for one number. The whole call stands inside, so that its
    compound literals live until it returns. Where they must outlive it, as memory to be wrapped or a pointer for later, it is GI_LASTING;
    there no default needs to be overridden.                                                                                      */
#ifdef __clang__
#define GI_STRICTER                                                                                                            \
    _Pragma("GCC diagnostic error \"-Wenum-conversion\"") _Pragma("GCC diagnostic error \"-Wliteral-conversion\"")
#elif __GNUC__ >= 10
#define GI_STRICTER _Pragma("GCC diagnostic error \"-Wenum-conversion\"") _Pragma("GCC diagnostic error \"-Wdesignated-init\"")
#else
#define GI_STRICTER _Pragma("GCC diagnostic error \"-Wdesignated-init\"")
#endif
#define GI_CALL(...)                                                                                                           \
    __extension__({                                                                                                            \
        _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Woverride-init\"")                                   \
            _Pragma("GCC diagnostic error \"-Wint-conversion\"")                                                               \
                _Pragma("GCC diagnostic error \"-Wincompatible-pointer-types\"")                                               \
                    _Pragma("GCC diagnostic error \"-Wunused-value\"") _Pragma("GCC diagnostic error \"-Wmissing-braces\"")    \
                        GI_STRICTER __VA_ARGS__;                                                                               \
        _Pragma("GCC diagnostic pop")                                                                                          \
    })
/*  A call with "%d", whose numbers the compiler checks without -Wall, too. What else those options check stays the user's choice: it is
    ignored before, so that gcc brings back what the user asked for, and again after, as -Wformat turns it on.                       */
#ifdef __clang__
#define GI_CHECK_FORMAT _Pragma("GCC diagnostic error \"-Wformat\"")
#else
#define GI_CHECK_FORMAT _Pragma("GCC diagnostic error \"-Wformat=2\"")
#endif
#define GI_FORMAT(...)                                                                                                         \
    __extension__({                                                                                                            \
        _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wformat-nonliteral\"")                               \
            _Pragma("GCC diagnostic ignored \"-Wformat-security\"") _Pragma("GCC diagnostic ignored \"-Wformat-y2k\"")         \
                GI_CHECK_FORMAT _Pragma("GCC diagnostic ignored \"-Wformat-zero-length\"")                                     \
                    _Pragma("GCC diagnostic ignored \"-Wformat-security\"")                                                    \
                        _Pragma("GCC diagnostic ignored \"-Wformat-nonliteral\"") __VA_ARGS__;                                 \
        _Pragma("GCC diagnostic pop")                                                                                          \
    })
#define GI_LASTING(...)          (__extension__ __VA_ARGS__)
#define GI_LISTS(bits, here)     here /* -Wunused-value */
#define GI_OPTIONS(O, here, ...) ((O){ GI_DEFAULTS_##O.site = here, .gi_first = {}, __VA_ARGS__ })
static inline ga_arg gi_arg_array(const ga_array *a) { return (ga_arg){ .array = a }; }
static inline ga_arg gi_arg_self(ga_arg a) { return a; }
static inline ga_arg gi_arg_bool(bool v) { return (ga_arg){ .kind = GA_KIND_BOOL, .i = v }; }
static inline ga_arg gi_arg_int(long long v) { return (ga_arg){ .kind = GA_KIND_INT, .i = v }; }
static inline ga_arg gi_arg_uint(unsigned long long v)
{
    return (ga_arg){ .kind = v > (unsigned long long)INT64_MAX ? GA_KIND_UINT : GA_KIND_INT, .i = (int64_t)v };
}
static inline ga_arg gi_arg_real(double v) { return (ga_arg){ .kind = GA_KIND_REAL, .re = v }; }
static inline ga_arg gi_arg_float(float v)
{
    return (ga_arg){ .kind = GA_KIND_REAL, .single = v - v <= 0 /* finite */, .re = (double)v };
}
static inline ga_arg gi_arg_c64(ga_c64 v)
{
    return (ga_arg){ .kind = GA_KIND_COMPLEX, .single = true, .re = (double)v.re, .im = (double)v.im };
}
static inline ga_arg gi_arg_c128(ga_c128 v) { return (ga_arg){ .kind = GA_KIND_COMPLEX, .re = v.re, .im = v.im }; }
static inline ga_arg gi_arg_complex(double _Complex v)
{
    return ga_complex(__extension__ __real__ v, __extension__ __imag__ v);
}
static inline ga_arg gi_arg_float_complex(float _Complex v)
{
    const ga_c64 z = { __extension__ __real__ v, __extension__ __imag__ v };
    return gi_arg_c64(z);
}
/* No `default:`, so that an operand of any other type is a compile error at the call. */
#define GA_ARG(v)                                                                                                              \
    _Generic((v), ga_array *: gi_arg_array, const ga_array *: gi_arg_array, ga_arg: gi_arg_self, bool: gi_arg_bool,    \
        char: gi_arg_int, signed char: gi_arg_int, unsigned char: gi_arg_int, short: gi_arg_int,                       \
        unsigned short: gi_arg_int, int: gi_arg_int, unsigned: gi_arg_int, long: gi_arg_int, long long: gi_arg_int,    \
        unsigned long: gi_arg_uint, unsigned long long: gi_arg_uint, float: gi_arg_float, double: gi_arg_real,          \
        ga_c64: gi_arg_c64, ga_c128: gi_arg_c128, double _Complex: gi_arg_complex,                                          \
        float _Complex: gi_arg_float_complex)(v)

#define GI_COUNT(...) ((int)(sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)))
static inline ga_shape gi_chunk_list(int n, const int64_t *all) /* and one more behind them */
{
    ga_shape r = { 0, { 0 } };
    for (; r.ndim + 1 < n && r.ndim < GPUARR_MAX_DIMS; r.ndim++) r.n[r.ndim] = all[r.ndim];
    return r;
}
/* C's (user) may be const: a task does not write there unless its function does */
#define gi_delayed(g, f, user, here, ...)                                                                                      \
    (ga_delayed_n)(g, f, (void *)(uintptr_t)(user), (int)(sizeof((ga_task *[]){ __VA_ARGS__ }) / sizeof(ga_task *)) - 1,       \
                   (ga_task *[]){ __VA_ARGS__ }, ((ga_delayed_options){ .site = here }))
#define GI_CHUNK_LIST(...) gi_chunk_list(GI_COUNT(GI_REST(__VA_ARGS__, 0)), (const int64_t[]){ GI_REST(__VA_ARGS__, 0) })
#define GI_SHAPE(...)      (__extension__(ga_shape){ GI_COUNT(__VA_ARGS__), { __VA_ARGS__ } })

#define GI_ASSOCIATE(TAG, tag, T, name) T * : GA_##TAG, const T * : GA_##TAG,
/* The dtype that a C pointer points to; a compile error if it is none. */
#define GA_DTYPE_OF(p)                  _Generic((p), GI_EACH_DTYPE(GI_ASSOCIATE) gi_buffer * : GA_DTYPE_DEFAULT)

typedef struct gi_list {
    const ga_array *const *a;
    int                    n;
} gi_list;
static inline ga_array *gi_concatenate(gi_list l, ga_axis_options o) { return (ga_concatenate_n)(l.n, l.a, o); }
static inline ga_array *gi_stack(gi_list l, ga_axis_options o) { return (ga_stack_n)(l.n, l.a, o); }
static inline ga_array *gi_einsum(const char *s, gi_list l, ga_product_options o) { return (ga_einsum_n)(s, l.n, l.a, o); }
static inline ga_array *gi_multi_dot(gi_list l, ga_product_options o) { return (ga_multi_dot_n)(l.n, l.a, o); }
#define GI_LIST(...)                                                                                                           \
    ((gi_list){ (const ga_array *const[]){ __VA_ARGS__ },                                                                      \
                (int)(sizeof((const ga_array *const[]){ __VA_ARGS__ }) / sizeof(const ga_array *)) })

typedef struct gi_args {
    const ga_arg *a;
    int           n;
} gi_args;
static inline ga_array *gi_apply(const ga_kernel *k, gi_args l, ga_apply_options o) { return (ga_apply_n)(k, l.n, l.a, o); }
static inline ga_array *gi_reduce_args(const ga_reduction *k, gi_args l, ga_reduce_options o)
{
    return (ga_reduce_n)(k, l.n, l.a, o);
}
static inline ga_array *gi_take_steps(const ga_stencil_kernel *k, gi_args l, ga_stencil_options o)
{
    return (ga_stencil_n)(k, l.n, l.a, o);
}
static inline ga_array *gi_eval_args(const char *f, gi_args l, ga_eval_options o) { return (ga_eval_n)(f, l.n, l.a, o); }
#define GI_ARG_OF(unused, k, v) GA_ARG(v),
#define GI_OPERANDS_IN_PARENTHESES(...)                                                                                        \
    ((gi_args){ (const ga_arg[]){ GI_EACH(GI_ARG_OF, , __VA_ARGS__) },                                                         \
                (int)(sizeof((const ga_arg[]){ GI_EACH(GI_ARG_OF, , __VA_ARGS__) }) / sizeof(ga_arg)) })
#endif

static inline ga_array *gi_hstack(gi_list l, ga_join_options o) { return (ga_hstack_n)(l.n, l.a, o); }
static inline ga_array *gi_vstack(gi_list l, ga_join_options o) { return (ga_vstack_n)(l.n, l.a, o); }
static inline ga_array *gi_dstack(gi_list l, ga_join_options o) { return (ga_dstack_n)(l.n, l.a, o); }
static inline ga_array *gi_column_stack(gi_list l, ga_join_options o) { return (ga_column_stack_n)(l.n, l.a, o); }
static inline ga_array *gi_index_take(const ga_array *a, gi_list l, ga_index_options o)
{
    return (ga_index_take_n)(a, l.n, l.a, o);
}
static inline ga_array *gi_index_put(ga_array *a, gi_list l, ga_arg v, ga_index_options o)
{
    return (ga_index_put_n)(a, l.n, l.a, v, o);
}
static inline ga_array *gi_add_at(ga_array *a, gi_list l, ga_arg v, ga_index_options o)
{
    return (ga_add_at_n)(a, l.n, l.a, v, o);
}
static inline ga_array *gi_choose(const ga_array *a, gi_args l, ga_mode_options o) { return (ga_choose_n)(a, l.n, l.a, o); }
static inline ga_array *gi_select_args(gi_list conditions, gi_args values, ga_arg otherwise, const char *site)
{
    return (ga_select_n)(conditions.n, conditions.a, values.n, values.a, otherwise, site);
}
static inline ga_array *gi_piecewise(const ga_array *x, gi_list conditions, gi_args values, const char *site)
{
    return (ga_piecewise_n)(x, conditions.n, conditions.a, values.n, values.a, site);
}
static inline ga_dtype  gi_result_type(gi_args l, const char *site) { return ga_result_type_n(l.n, l.a, site); }
static inline ga_array *gi_lexsort(gi_list l, const char *site) { return (ga_lexsort_n)(l.n, l.a, site); }

/* The shapes of calls: a number is an argument passed as it is, N an operand (array or number), S a shape in parentheses, L a
   list of arrays in parentheses. What follows is options. */
#define GI_1(fn, O, here, a, ...)                  GI_CALL((fn)(a, GI_OPTIONS(O, GI_LISTS(0, here), __VA_ARGS__)))
#define GI_2(fn, O, here, a, b, ...)               GI_CALL((fn)(a, b, GI_OPTIONS(O, GI_LISTS(0, here), __VA_ARGS__)))
#define GI_3(fn, O, here, a, b, c, ...)            GI_CALL((fn)(a, b, c, GI_OPTIONS(O, GI_LISTS(0, here), __VA_ARGS__)))
#define GI_4(fn, O, here, a, b, c, d, ...)         GI_CALL((fn)(a, b, c, d, GI_OPTIONS(O, GI_LISTS(0, here), __VA_ARGS__)))
#define GI_5(fn, O, here, a, b, c, d, e, ...)      GI_CALL((fn)(a, b, c, d, e, GI_OPTIONS(O, GI_LISTS(0, here), __VA_ARGS__)))
#define GI_LASTING_3(fn, O, here, a, b, c, ...)    GI_LASTING((fn)(a, b, c, GI_OPTIONS(O, GI_LISTS(0, here), __VA_ARGS__)))
#define GI_LASTING_4(fn, O, here, a, b, c, d, ...) GI_LASTING((fn)(a, b, c, d, GI_OPTIONS(O, GI_LISTS(0, here), __VA_ARGS__)))
#define GI_LASTING_5(fn, O, here, a, b, c, d, e, ...)                                                                          \
    GI_LASTING((fn)(a, b, c, d, e, GI_OPTIONS(O, GI_LISTS(0, here), __VA_ARGS__)))
#define GI_N(fn, O, here, x, ...)     GI_CALL((fn)(GA_ARG(x), GI_OPTIONS(O, GI_LISTS(0, here), __VA_ARGS__)))
#define GI_NN(fn, O, here, x, y, ...) GI_CALL((fn)(GA_ARG(x), GA_ARG(y), GI_OPTIONS(O, GI_LISTS(0, here), __VA_ARGS__)))
#define GI_NNN(fn, O, here, x, y, z, ...)                                                                                      \
    GI_CALL((fn)(GA_ARG(x), GA_ARG(y), GA_ARG(z), GI_OPTIONS(O, GI_LISTS(0, here), __VA_ARGS__)))
#define GA_CALL_1(fn, ...)                  GI_1(fn, ga_map_options, GI_SITE(#fn "(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define GA_CALL_2(fn, ...)                  GI_NN(fn, ga_map_options, GI_SITE(#fn "(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define GA_CALL_3(fn, ...)                  GI_NNN(fn, ga_map_options, GI_SITE(#fn "(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define GI_1N(fn, O, here, a, x, ...)       GI_CALL((fn)(a, GA_ARG(x), GI_OPTIONS(O, GI_LISTS(0, here), __VA_ARGS__)))
#define GI_2N(fn, O, here, a, b, x, ...)    GI_CALL((fn)(a, b, GA_ARG(x), GI_OPTIONS(O, GI_LISTS(0, here), __VA_ARGS__)))
#define GI_3N(fn, O, here, a, b, c, x, ...) GI_CALL((fn)(a, b, c, GA_ARG(x), GI_OPTIONS(O, GI_LISTS(0, here), __VA_ARGS__)))
#define GI_N1(fn, O, here, x, a, ...)       GI_CALL((fn)(GA_ARG(x), a, GI_OPTIONS(O, GI_LISTS(0, here), __VA_ARGS__)))
#define GI_N2(fn, O, here, x, a, b, ...)    GI_CALL((fn)(GA_ARG(x), a, b, GI_OPTIONS(O, GI_LISTS(0, here), __VA_ARGS__)))
#define GI_1NN(fn, O, here, a, x, y, ...)   GI_CALL((fn)(a, GA_ARG(x), GA_ARG(y), GI_OPTIONS(O, GI_LISTS(0, here), __VA_ARGS__)))
/* Its name is what the compiler says of a shape that has none. */
#define GI_SHAPE_IN_PARENTHESES(...) GI_SHAPE(__VA_ARGS__)
#define GI_S(fn, O, here, s, ...)    GI_CALL((fn)(GI_SHAPE_IN_PARENTHESES s, GI_OPTIONS(O, GI_LISTS(1, here), __VA_ARGS__)))
#define GI_SN(fn, O, here, s, x, ...)                                                                                          \
    GI_CALL((fn)(GI_SHAPE_IN_PARENTHESES s, GA_ARG(x), GI_OPTIONS(O, GI_LISTS(1, here), __VA_ARGS__)))
#define GI_NS(fn, O, here, x, s, ...)                                                                                          \
    GI_CALL((fn)(GA_ARG(x), GI_SHAPE_IN_PARENTHESES s, GI_OPTIONS(O, GI_LISTS(2, here), __VA_ARGS__)))
#define GI_1S(fn, O, here, a, s, ...) GI_CALL((fn)(a, GI_SHAPE_IN_PARENTHESES s, GI_OPTIONS(O, GI_LISTS(2, here), __VA_ARGS__)))
#define GI_2S(fn, O, here, a, b, s, ...)                                                                                       \
    GI_CALL((fn)(a, b, GI_SHAPE_IN_PARENTHESES s, GI_OPTIONS(O, GI_LISTS(4, here), __VA_ARGS__)))
#define GI_PS(fn, O, here, p, s, ...)                                                                                          \
    GI_LASTING((fn)(p, GA_DTYPE_OF(p), GI_SHAPE_IN_PARENTHESES s, GI_OPTIONS(O, GI_LISTS(2, here), __VA_ARGS__)))
#define GI_PSS(fn, O, here, p, s, t, ...)                                                                                      \
    GI_LASTING((fn)(p, GA_DTYPE_OF(p), GI_SHAPE_IN_PARENTHESES s, GI_SHAPE_IN_PARENTHESES t,                                   \
                    GI_OPTIONS(O, GI_LISTS(6, here), __VA_ARGS__)))
#define GI_L(fn, O, here, l, ...)         GI_CALL((fn)(GI_LIST l, GI_OPTIONS(O, GI_LISTS(1, here), __VA_ARGS__)))
#define GI_1L(fn, O, here, a, l, ...)     GI_CALL((fn)(a, GI_LIST l, GI_OPTIONS(O, GI_LISTS(2, here), __VA_ARGS__)))
#define GI_1LN(fn, O, here, a, l, x, ...) GI_CALL((fn)(a, GI_LIST l, GA_ARG(x), GI_OPTIONS(O, GI_LISTS(2, here), __VA_ARGS__)))
#define GI_1A(fn, O, here, a, l, ...)                                                                                          \
    GI_CALL((fn)(a, GI_OPERANDS_IN_PARENTHESES l, GI_OPTIONS(O, GI_LISTS(2, here), __VA_ARGS__)))

/* A list of axes for an option: .axes = ga_axes(0, 2); ga_axes() is none. And of widths: .after = ga_axes(1, 1). */
#define ga_axes(...) GI_SHAPE(__VA_ARGS__)
/* Of (a, 150, 200): a, and the shape (150, 200); of (a) alone an empty one. */
#define GI_FIRST(a, ...) a
#define GI_REST(a, ...)  __VA_ARGS__
#ifdef GPUARR_STATIC /* what makes chunked arrays brings their layer into the program */
GA_API ga_shape gi_chunks(ga_shape chunks);
#define ga_chunks(...) gi_chunks(GI_SHAPE(__VA_ARGS__))
#else
#define ga_chunks(...) GI_SHAPE(__VA_ARGS__)
#endif

/* clang-format off */
#define ga_zeros(...)           GI_S(ga_zeros, ga_new_options, GI_SITE("ga_zeros(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_ones(...)            GI_S(ga_ones, ga_new_options, GI_SITE("ga_ones(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_empty(...)           GI_S(ga_empty, ga_new_options, GI_SITE("ga_empty(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_full(...)            GI_SN(ga_full, ga_new_options, GI_SITE("ga_full(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_zeros_n(...)         GI_2(ga_zeros_n, ga_new_options, GI_SITE("ga_zeros_n(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_empty_n(...)         GI_2(ga_empty_n, ga_new_options, GI_SITE("ga_empty_n(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_zeros_like(...)      GI_1(ga_zeros_like, ga_new_options, GI_SITE("ga_zeros_like(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_ones_like(...)       GI_1(ga_ones_like, ga_new_options, GI_SITE("ga_ones_like(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_empty_like(...)      GI_1(ga_empty_like, ga_new_options, GI_SITE("ga_empty_like(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_full_like(...)       GI_1N(ga_full_like, ga_new_options, GI_SITE("ga_full_like(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_scalar(...)          GI_N(ga_scalar, ga_new_options, GI_SITE("ga_scalar(" #__VA_ARGS__ ")"), __VA_ARGS__, )
/* Of one number, of two, or of three and options: NumPy's arange(stop), arange(start, stop), arange(start, stop, step, dtype). The name of
   the second is what compilers say of ga_arange(5, .dtype = GA_F32). */
#define GI_ARANGE_1(here, stop, ...) GI_NNN(ga_arange, ga_new_options, here, 0, stop, 1, )
#define ga_arange_with_options_takes_start_stop_step(here, start, stop, ...) GI_NNN(ga_arange, ga_new_options, here, start, stop, 1, )
#define GI_ARANGE_3(here, start, stop, step, ...) GI_NNN(ga_arange, ga_new_options, here, start, stop, step, __VA_ARGS__)
#define GI_ARANGE_OF(n1, n2, n3, n4, n5, n6, n7, n8, n9, n10, n11, n12, n13, n14, n15, form, ...) form
#define ga_arange(...)                                                                                                            \
    GI_ARANGE_OF(__VA_ARGS__, GI_ARANGE_3, GI_ARANGE_3, GI_ARANGE_3, GI_ARANGE_3, GI_ARANGE_3, GI_ARANGE_3, GI_ARANGE_3,          \
                 GI_ARANGE_3, GI_ARANGE_3, GI_ARANGE_3, GI_ARANGE_3, GI_ARANGE_3, GI_ARANGE_3,                                    \
                 ga_arange_with_options_takes_start_stop_step, GI_ARANGE_1, )                                                     \
    (GI_SITE("ga_arange(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_linspace(...)        GI_3(ga_linspace, ga_linspace_options, GI_SITE("ga_linspace(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_logspace(...)        GI_3(ga_logspace, ga_linspace_options, GI_SITE("ga_logspace(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_eye_takes_rows_cols_k(here, rows, cols, k, ...) GI_3(ga_eye, ga_new_options, here, rows, cols, k, __VA_ARGS__)
#define ga_eye(...)             ga_eye_takes_rows_cols_k(GI_SITE("ga_eye(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_meshgrid_n(n, in, outs, ij)   (ga_meshgrid_n)(n, in, outs, ij, GI_SITE("ga_meshgrid_n(" #n ", " #in ")"))
#define ga_meshgrid(x, y, xx, yy, ij)    (ga_meshgrid)(x, y, xx, yy, ij, GI_SITE("ga_meshgrid(" #x ", " #y ")"))
#define ga_indices(...)         GI_S(ga_indices, ga_new_options, GI_SITE("ga_indices(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_mgrid(...)           GI_1(ga_mgrid, ga_new_options, GI_SITE("ga_mgrid(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_tile(a, reps)        GI_CALL((ga_tile)(a, GI_SHAPE_IN_PARENTHESES reps, GI_SITE("ga_tile(" #a ", " #reps ")")))
#define ga_repeat(...)          GI_1N(ga_repeat, ga_axis_options, GI_SITE("ga_repeat(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_from(...)            GI_PS(ga_from, ga_from_options, GI_SITE("ga_from(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_wrap(...)            GI_PS(ga_wrap, ga_wrap_options, GI_SITE("ga_wrap(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_wrap_strided(...)    GI_PSS(ga_wrap_strided, ga_wrap_options, GI_SITE("ga_wrap_strided(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_random(...)          GI_S(ga_random, ga_random_options, GI_SITE("ga_random(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_random_integers_takes_low_high_shape(here, low, high, shape, ...) GI_2S(ga_random_integers, ga_random_options, here, low, high, shape, __VA_ARGS__)
#define ga_random_integers(...) ga_random_integers_takes_low_high_shape(GI_SITE("ga_random_integers(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_random_normal_takes_mean_sigma_shape(here, mean, sigma, shape, ...) GI_2S(ga_random_normal, ga_random_options, here, mean, sigma, shape, __VA_ARGS__)
#define ga_random_normal(...) ga_random_normal_takes_mean_sigma_shape(GI_SITE("ga_random_normal(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_random_exponential_takes_scale_shape(here, scale, shape, ...) GI_1S(ga_random_exponential, ga_random_options, here, scale, shape, __VA_ARGS__)
#define ga_random_exponential(...) ga_random_exponential_takes_scale_shape(GI_SITE("ga_random_exponential(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_random_gamma_takes_k_scale_shape(here, k, scale, shape, ...) GI_2S(ga_random_gamma, ga_random_options, here, k, scale, shape, __VA_ARGS__)
#define ga_random_gamma(...) ga_random_gamma_takes_k_scale_shape(GI_SITE("ga_random_gamma(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_random_beta_takes_a_b_shape(here, a, b, shape, ...) GI_2S(ga_random_beta, ga_random_options, here, a, b, shape, __VA_ARGS__)
#define ga_random_beta(...) ga_random_beta_takes_a_b_shape(GI_SITE("ga_random_beta(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_random_binomial_takes_n_p_shape(here, n, p, shape, ...) GI_2S(ga_random_binomial, ga_random_options, here, n, p, shape, __VA_ARGS__)
#define ga_random_binomial(...) ga_random_binomial_takes_n_p_shape(GI_SITE("ga_random_binomial(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_random_poisson_takes_lam_shape(here, lam, shape, ...) GI_1S(ga_random_poisson, ga_random_options, here, lam, shape, __VA_ARGS__)
#define ga_random_poisson(...)  ga_random_poisson_takes_lam_shape(GI_SITE("ga_random_poisson(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_random_permutation(...) GI_N(ga_random_permutation, ga_permutation_options, GI_SITE("ga_random_permutation(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_random_shuffle(...)  GI_1(ga_random_shuffle, ga_permutation_options, GI_SITE("ga_random_shuffle(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_random_choice(...)   GI_NS(ga_random_choice, ga_choice_options, GI_SITE("ga_random_choice(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_random_multivariate_normal_takes_mean_cov_shape(here, mean, cov, shape, ...) GI_2S(ga_random_multivariate_normal, ga_random_options, here, mean, cov, shape, __VA_ARGS__)
#define ga_random_multivariate_normal(...) ga_random_multivariate_normal_takes_mean_cov_shape(GI_SITE("ga_random_multivariate_normal(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_copy(a)              (ga_copy)(a, GI_SITE("ga_copy(" #a ")"))
#define ga_astype(a, dtype)     GI_CALL((ga_astype)(a, dtype, GI_LISTS(0, GI_SITE("ga_astype(" #a ", " #dtype ")"))))
#define ga_to(...)              GI_2(ga_to, ga_to_options, GI_SITE("ga_to(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_ascontiguous(a)      (ga_ascontiguous)(a, GI_SITE("ga_ascontiguous(" #a ")"))
#define ga_item(a)              (ga_item)(a, GI_SITE("ga_item(" #a ")"))
#define ga_item_int(a)          (ga_item_int)(a, GI_SITE("ga_item_int(" #a ")"))
#define ga_item_at(a, ...)      GI_CALL((ga_item_at)(a, GI_SHAPE(__VA_ARGS__), GI_SITE("ga_item_at(" #a ", " #__VA_ARGS__ ")")))
#define ga_item_complex(a)      (ga_item_complex)(a, GI_SITE("ga_item_complex(" #a ")"))
#define ga_item_complex_at(a, ...) GI_CALL((ga_item_complex_at)(a, GI_SHAPE(__VA_ARGS__), GI_SITE("ga_item_complex_at(" #a ", " #__VA_ARGS__ ")")))
#define ga_item_int_at(a, ...)  GI_CALL((ga_item_int_at)(a, GI_SHAPE(__VA_ARGS__), GI_SITE("ga_item_int_at(" #a ", " #__VA_ARGS__ ")")))
#define ga_data(a, dtype)       (ga_data)(a, dtype, GI_SITE("ga_data(" #a ", " #dtype ")"))
#define ga_cuda_data(a, dtype)  (ga_cuda_data)(a, dtype, GI_SITE("ga_cuda_data(" #a ", " #dtype ")"))

#define ga_index(a, ...)        GI_FORMAT((ga_index)(GI_SITE("ga_index(" #a ", " #__VA_ARGS__ ")"), a, __VA_ARGS__))
#define ga_view(a)              (ga_view)(a, GI_SITE("ga_view(" #a ")"))
#define ga_view_as(a, dtype)    (ga_view_as)(a, dtype, GI_SITE("ga_view_as(" #a ", " #dtype ")"))
#define ga_reshape(a, shape)    (ga_reshape)(a, GI_SHAPE_IN_PARENTHESES shape, GI_SITE("ga_reshape(" #a ", " #shape ")"))
#define ga_ravel(a)             (ga_ravel)(a, GI_SITE("ga_ravel(" #a ")"))
#define ga_flatten(a)           (ga_flatten)(a, GI_SITE("ga_flatten(" #a ")"))
#define ga_transpose(...)       GI_1(ga_transpose, ga_axes_options, GI_SITE("ga_transpose(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_swapaxes(a, i, j)    GI_CALL((ga_swapaxes)(a, i, j, GI_LISTS(0, GI_SITE("ga_swapaxes(" #a ", " #i ", " #j ")"))))
#define ga_moveaxis(a, i, j)    GI_CALL((ga_moveaxis)(a, i, j, GI_LISTS(0, GI_SITE("ga_moveaxis(" #a ", " #i ", " #j ")"))))
#define ga_squeeze(...)         GI_1(ga_squeeze, ga_axes_options, GI_SITE("ga_squeeze(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_expand_dims(a, axis) GI_CALL((ga_expand_dims)(a, axis, GI_LISTS(0, GI_SITE("ga_expand_dims(" #a ", " #axis ")"))))
#define ga_broadcast_to(a, s)   (ga_broadcast_to)(a, GI_SHAPE_IN_PARENTHESES s, GI_SITE("ga_broadcast_to(" #a ", " #s ")"))
#define ga_diagonal(a, offset)  (ga_diagonal)(a, offset, GI_SITE("ga_diagonal(" #a ", " #offset ")"))
#define ga_flip(...)            GI_1(ga_flip, ga_axes_options, GI_SITE("ga_flip(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_fliplr(a)            (ga_fliplr)(a, GI_SITE("ga_fliplr(" #a ")"))
#define ga_flipud(a)            (ga_flipud)(a, GI_SITE("ga_flipud(" #a ")"))
#define ga_rot90(...)           GI_2(ga_rot90, ga_axes_options, GI_SITE("ga_rot90(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_sliding_window_view(...) GI_1S(ga_sliding_window_view, ga_axes_options, GI_SITE("ga_sliding_window_view(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_as_strided(a, shape, strides) GI_CALL((ga_as_strided)(a, GI_SHAPE_IN_PARENTHESES shape, GI_SHAPE_IN_PARENTHESES strides, GI_SITE("ga_as_strided(" #a ", " #shape ", " #strides ")")))

#define ga_where(...)           GI_1NN(ga_where, ga_map_options, GI_SITE("ga_where(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_isclose(...)         GI_NN(ga_isclose, ga_close_options, GI_SITE("ga_isclose(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_allclose(...)        GI_NN(ga_allclose, ga_close_options, GI_SITE("ga_allclose(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_array_equal(...)     GI_NN(ga_array_equal, ga_equal_options, GI_SITE("ga_array_equal(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_copyto(...)          GI_1N(ga_copyto, ga_copyto_options, GI_SITE("ga_copyto(" #__VA_ARGS__ ")"), __VA_ARGS__, )

#define ga_var(...)             GI_1(ga_var, ga_reduce_options, GI_SITE("ga_var(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_std(...)             GI_1(ga_std, ga_reduce_options, GI_SITE("ga_std(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_nanmean(...)         GI_1(ga_nanmean, ga_reduce_options, GI_SITE("ga_nanmean(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_nanvar(...)          GI_1(ga_nanvar, ga_reduce_options, GI_SITE("ga_nanvar(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_nanstd(...)          GI_1(ga_nanstd, ga_reduce_options, GI_SITE("ga_nanstd(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_argmin(...)          GI_1(ga_argmin, ga_reduce_options, GI_SITE("ga_argmin(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_argmax(...)          GI_1(ga_argmax, ga_reduce_options, GI_SITE("ga_argmax(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_nanargmin(...)       GI_1(ga_nanargmin, ga_reduce_options, GI_SITE("ga_nanargmin(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_nanargmax(...)       GI_1(ga_nanargmax, ga_reduce_options, GI_SITE("ga_nanargmax(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_median(...)          GI_1(ga_median, ga_order_options, GI_SITE("ga_median(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_nanmedian(...)       GI_1(ga_nanmedian, ga_order_options, GI_SITE("ga_nanmedian(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_percentile(...)      GI_1N(ga_percentile, ga_order_options, GI_SITE("ga_percentile(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_nanpercentile(...)   GI_1N(ga_nanpercentile, ga_order_options, GI_SITE("ga_nanpercentile(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_quantile(...)        GI_1N(ga_quantile, ga_order_options, GI_SITE("ga_quantile(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_nanquantile(...)     GI_1N(ga_nanquantile, ga_order_options, GI_SITE("ga_nanquantile(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_describe(...)        GI_1(ga_describe, ga_describe_options, GI_SITE("ga_describe(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_cumsum(...)          GI_1(ga_cumsum, ga_axis_options, GI_SITE("ga_cumsum(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_cumprod(...)         GI_1(ga_cumprod, ga_axis_options, GI_SITE("ga_cumprod(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_norm(...)            GI_1(ga_norm, ga_norm_options, GI_SITE("ga_norm(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_matmul(...)          GI_2(ga_matmul, ga_product_options, GI_SITE("ga_matmul(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_dot(...)             GI_2(ga_dot, ga_product_options, GI_SITE("ga_dot(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_inner(...)           GI_2(ga_inner, ga_product_options, GI_SITE("ga_inner(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_outer(...)           GI_2(ga_outer, ga_product_options, GI_SITE("ga_outer(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_vdot(a, b)           (ga_vdot)(a, b, GI_SITE("ga_vdot(" #a ", " #b ")"))
#define ga_tensordot(...)       GI_3(ga_tensordot, ga_tensordot_options, GI_SITE("ga_tensordot(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_einsum_n(...)        GI_3(ga_einsum_n, ga_product_options, GI_SITE("ga_einsum_n(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_einsum(...)          GI_1L(gi_einsum, ga_product_options, GI_SITE("ga_einsum(" #__VA_ARGS__ ")"), __VA_ARGS__, )

#define ga_solve(a, b)          (ga_solve)(a, b, GI_SITE("ga_solve(" #a ", " #b ")"))
#define ga_inv(a)               (ga_inv)(a, GI_SITE("ga_inv(" #a ")"))
#define ga_det(a)               (ga_det)(a, GI_SITE("ga_det(" #a ")"))
#define ga_slogdet(a, s, l)     (ga_slogdet)(a, s, l, GI_SITE("ga_slogdet(" #a ", " #s ", " #l ")"))
#define ga_cholesky(...)        GI_1(ga_cholesky, ga_cholesky_options, GI_SITE("ga_cholesky(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_solve_triangular(...) GI_2(ga_solve_triangular, ga_triangular_options, GI_SITE("ga_solve_triangular(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_solve_banded(l, u, ab, b) GI_CALL((ga_solve_banded)(l, u, ab, b, GI_LISTS(0, GI_SITE("ga_solve_banded(" #l ", " #u ", " #ab ", " #b ")"))))
#define ga_expm(a)              (ga_expm)(a, GI_SITE("ga_expm(" #a ")"))
#define ga_qr(...)              GI_3(ga_qr, ga_qr_options, GI_SITE("ga_qr(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_eigh(...)            GI_3(ga_eigh, ga_eigh_options, GI_SITE("ga_eigh(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_eigvalsh(...)        GI_1(ga_eigvalsh, ga_eigh_options, GI_SITE("ga_eigvalsh(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_eig(a, w, v)         GI_CALL((ga_eig)(a, w, v, GI_SITE("ga_eig(" #a ", " #w ", " #v ")")))
#define ga_eigvals(a)           (ga_eigvals)(a, GI_SITE("ga_eigvals(" #a ")"))
#define ga_svd_takes_a_u_s_vh(here, a, u, s, vh, ...) GI_4(ga_svd, ga_svd_options, here, a, u, s, vh, __VA_ARGS__)
#define ga_svd(...)             ga_svd_takes_a_u_s_vh(GI_SITE("ga_svd(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_svdvals(a)           (ga_svdvals)(a, GI_SITE("ga_svdvals(" #a ")"))
#define ga_matrix_norm(...)     GI_1(ga_matrix_norm, ga_matrix_norm_options, GI_SITE("ga_matrix_norm(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_vector_norm(...)     GI_1(ga_vector_norm, ga_vector_norm_options, GI_SITE("ga_vector_norm(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_cond(...)            GI_1(ga_cond, ga_cond_options, GI_SITE("ga_cond(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_matrix_rank(...)     GI_1(ga_matrix_rank, ga_rank_options, GI_SITE("ga_matrix_rank(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_pinv(...)            GI_1(ga_pinv, ga_pinv_options, GI_SITE("ga_pinv(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_lstsq(...)           GI_2(ga_lstsq, ga_lstsq_options, GI_SITE("ga_lstsq(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_matrix_power(a, n)   GI_CALL((ga_matrix_power)(a, n, GI_LISTS(0, GI_SITE("ga_matrix_power(" #a ", " #n ")"))))
#define ga_matrix_transpose(a)  (ga_matrix_transpose)(a, GI_SITE("ga_matrix_transpose(" #a ")"))
#define ga_multi_dot(...)       GI_L(gi_multi_dot, ga_product_options, GI_SITE("ga_multi_dot(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_multi_dot_n(...)     GI_2(ga_multi_dot_n, ga_product_options, GI_SITE("ga_multi_dot_n(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_kron(a, b)           (ga_kron)(a, b, GI_SITE("ga_kron(" #a ", " #b ")"))
#define ga_cross(...)           GI_2(ga_cross, ga_cross_options, GI_SITE("ga_cross(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_vecdot(...)          GI_2(ga_vecdot, ga_vecdot_options, GI_SITE("ga_vecdot(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_tensorsolve(...)     GI_2(ga_tensorsolve, ga_tensorsolve_options, GI_SITE("ga_tensorsolve(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_tensorinv(...)       GI_1(ga_tensorinv, ga_tensorinv_options, GI_SITE("ga_tensorinv(" #__VA_ARGS__ ")"), __VA_ARGS__, )

#define ga_apply(...)           GI_1A(gi_apply, ga_apply_options, GI_SITE("ga_apply(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_reduce(...)          GI_1A(gi_reduce_args, ga_reduce_options, GI_SITE("ga_reduce(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_reduce_n(...)        GI_3(ga_reduce_n, ga_reduce_options, GI_SITE("ga_reduce_n(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_apply_n(...)         GI_3(ga_apply_n, ga_apply_options, GI_SITE("ga_apply_n(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_stencil(...)         GI_1A(gi_take_steps, ga_stencil_options, GI_SITE("ga_stencil(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_stencil_n(...)       GI_3(ga_stencil_n, ga_stencil_options, GI_SITE("ga_stencil_n(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_eval(...)            GI_1A(gi_eval_args, ga_eval_options, GI_SITE("ga_eval(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_eval_n(...)          GI_3(ga_eval_n, ga_eval_options, GI_SITE("ga_eval_n(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_formula_c(name, formula, parameters) (ga_formula_c)(name, formula, parameters, GI_SITE("ga_formula_c(" #name ", " #formula ", " #parameters ")"))
#define ga_concatenate(...)     GI_L(gi_concatenate, ga_axis_options, GI_SITE("ga_concatenate(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_concatenate_n(...)   GI_2(ga_concatenate_n, ga_axis_options, GI_SITE("ga_concatenate_n(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_stack(...)           GI_L(gi_stack, ga_axis_options, GI_SITE("ga_stack(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_stack_n(...)         GI_2(ga_stack_n, ga_axis_options, GI_SITE("ga_stack_n(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_split(...)           GI_3(ga_split, ga_axis_options, GI_SITE("ga_split(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_split_at(...)        GI_4(ga_split_at, ga_axis_options, GI_SITE("ga_split_at(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_roll(...)            GI_2(ga_roll, ga_axis_options, GI_SITE("ga_roll(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_pad(...)             GI_1S(ga_pad, ga_pad_options, GI_SITE("ga_pad(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_sort(...)            GI_1(ga_sort, ga_axis_options, GI_SITE("ga_sort(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_argsort(...)         GI_1(ga_argsort, ga_axis_options, GI_SITE("ga_argsort(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_unique(...)          GI_1(ga_unique, ga_unique_options, GI_SITE("ga_unique(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_nonzero(a)           (ga_nonzero)(a, GI_SITE("ga_nonzero(" #a ")"))
#define ga_compress(...)        GI_2(ga_compress, ga_axis_options, GI_SITE("ga_compress(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_extract(c, a)        (ga_extract)(c, a, GI_SITE("ga_extract(" #c ", " #a ")"))
#define ga_take(...)            GI_2(ga_take, ga_take_options, GI_SITE("ga_take(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_histogram(...)       GI_2(ga_histogram, ga_histogram_options, GI_SITE("ga_histogram(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_bincount(...)        GI_1(ga_bincount, ga_bincount_options, GI_SITE("ga_bincount(" #__VA_ARGS__ ")"), __VA_ARGS__, )

#define ga_atleast_1d(a)        (ga_atleast_1d)(a, GI_SITE("ga_atleast_1d(" #a ")"))
#define ga_atleast_2d(a)        (ga_atleast_2d)(a, GI_SITE("ga_atleast_2d(" #a ")"))
#define ga_atleast_3d(a)        (ga_atleast_3d)(a, GI_SITE("ga_atleast_3d(" #a ")"))
#define ga_argwhere(a)          (ga_argwhere)(a, GI_SITE("ga_argwhere(" #a ")"))
#define ga_flatnonzero(a)       (ga_flatnonzero)(a, GI_SITE("ga_flatnonzero(" #a ")"))
#define ga_broadcast_arrays(n, arrays, outs) (ga_broadcast_arrays)(n, arrays, outs, GI_SITE("ga_broadcast_arrays(" #n ", " #arrays ", " #outs ")"))
#define ga_hsplit(a, n, parts)  (ga_hsplit)(a, n, parts, GI_SITE("ga_hsplit(" #a ", " #n ", " #parts ")"))
#define ga_vsplit(a, n, parts)  (ga_vsplit)(a, n, parts, GI_SITE("ga_vsplit(" #a ", " #n ", " #parts ")"))
#define ga_dsplit(a, n, parts)  (ga_dsplit)(a, n, parts, GI_SITE("ga_dsplit(" #a ", " #n ", " #parts ")"))
#define ga_resize(a, shape)     (ga_resize)(a, GI_SHAPE_IN_PARENTHESES shape, GI_SITE("ga_resize(" #a ", " #shape ")"))
#define ga_diag_indices(n, ndim) GI_CALL((ga_diag_indices)(n, ndim, GI_LISTS(0, GI_SITE("ga_diag_indices(" #n ", " #ndim ")"))))
#define ga_identity(...)        GI_1(ga_identity, ga_new_options, GI_SITE("ga_identity(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_tri_takes_rows_cols_k(here, rows, cols, k, ...) GI_3(ga_tri, ga_new_options, here, rows, cols, k, __VA_ARGS__)
#define ga_tri(...)             ga_tri_takes_rows_cols_k(GI_SITE("ga_tri(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_diag(...)            GI_1(ga_diag, ga_diagonal_options, GI_SITE("ga_diag(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_diagflat(...)        GI_1(ga_diagflat, ga_diagonal_options, GI_SITE("ga_diagflat(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_tril(...)            GI_1(ga_tril, ga_diagonal_options, GI_SITE("ga_tril(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_triu(...)            GI_1(ga_triu, ga_diagonal_options, GI_SITE("ga_triu(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_tril_indices(...)    GI_1(ga_tril_indices, ga_tri_options, GI_SITE("ga_tril_indices(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_triu_indices(...)    GI_1(ga_triu_indices, ga_tri_options, GI_SITE("ga_triu_indices(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_fill_diagonal(...)   GI_1N(ga_fill_diagonal, ga_fill_options, GI_SITE("ga_fill_diagonal(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_vander(...)          GI_1(ga_vander, ga_vander_options, GI_SITE("ga_vander(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_geomspace(...)       GI_3(ga_geomspace, ga_linspace_options, GI_SITE("ga_geomspace(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_round(...)           GI_1(ga_round, ga_round_options, GI_SITE("ga_round(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_array_split(...)     GI_3(ga_array_split, ga_axis_options, GI_SITE("ga_array_split(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_unstack(...)         GI_3(ga_unstack, ga_axis_options, GI_SITE("ga_unstack(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_append(...)          GI_1N(ga_append, ga_axis_options, GI_SITE("ga_append(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_insert(...)          GI_1NN(ga_insert, ga_axis_options, GI_SITE("ga_insert(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_delete(...)          GI_1N(ga_delete, ga_axis_options, GI_SITE("ga_delete(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_trim_zeros(...)      GI_1(ga_trim_zeros, ga_trim_options, GI_SITE("ga_trim_zeros(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_trace(...)           GI_1(ga_trace, ga_trace_options, GI_SITE("ga_trace(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_hstack_n(...)        GI_2(ga_hstack_n, ga_join_options, GI_SITE("ga_hstack_n(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_vstack_n(...)        GI_2(ga_vstack_n, ga_join_options, GI_SITE("ga_vstack_n(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_dstack_n(...)        GI_2(ga_dstack_n, ga_join_options, GI_SITE("ga_dstack_n(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_column_stack_n(...)  GI_2(ga_column_stack_n, ga_join_options, GI_SITE("ga_column_stack_n(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_hstack(...)          GI_L(gi_hstack, ga_join_options, GI_SITE("ga_hstack(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_vstack(...)          GI_L(gi_vstack, ga_join_options, GI_SITE("ga_vstack(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_dstack(...)          GI_L(gi_dstack, ga_join_options, GI_SITE("ga_dstack(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_column_stack(...)    GI_L(gi_column_stack, ga_join_options, GI_SITE("ga_column_stack(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_nancumsum(...)       GI_1(ga_nancumsum, ga_axis_options, GI_SITE("ga_nancumsum(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_nancumprod(...)      GI_1(ga_nancumprod, ga_axis_options, GI_SITE("ga_nancumprod(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_cumulative_sum(...)  GI_1(ga_cumulative_sum, ga_cumulative_options, GI_SITE("ga_cumulative_sum(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_cumulative_prod(...) GI_1(ga_cumulative_prod, ga_cumulative_options, GI_SITE("ga_cumulative_prod(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_diff(...)            GI_1(ga_diff, ga_diff_options, GI_SITE("ga_diff(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_ediff1d(...)         GI_1(ga_ediff1d, ga_ediff_options, GI_SITE("ga_ediff1d(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_gradient(...)        GI_1(ga_gradient, ga_gradient_options, GI_SITE("ga_gradient(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_trapezoid(...)       GI_1(ga_trapezoid, ga_trapezoid_options, GI_SITE("ga_trapezoid(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_cumulative_trapezoid(...) GI_1(ga_cumulative_trapezoid, ga_trapezoid_options, GI_SITE("ga_cumulative_trapezoid(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_simpson(...) GI_1(ga_simpson, ga_trapezoid_options, GI_SITE("ga_simpson(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_unwrap(...)          GI_1(ga_unwrap, ga_unwrap_options, GI_SITE("ga_unwrap(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_ptp(...)             GI_1(ga_ptp, ga_reduce_options, GI_SITE("ga_ptp(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_average(...)         GI_1(ga_average, ga_average_options, GI_SITE("ga_average(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_cov(...)             GI_1(ga_cov, ga_cov_options, GI_SITE("ga_cov(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_corrcoef(...)        GI_1(ga_corrcoef, ga_cov_options, GI_SITE("ga_corrcoef(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_nan_to_num(...)      GI_1(ga_nan_to_num, ga_nan_options, GI_SITE("ga_nan_to_num(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_bartlett(...)        GI_1(ga_bartlett, ga_new_options, GI_SITE("ga_bartlett(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_blackman(...)        GI_1(ga_blackman, ga_new_options, GI_SITE("ga_blackman(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_hamming(...)         GI_1(ga_hamming, ga_new_options, GI_SITE("ga_hamming(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_hanning(...)         GI_1(ga_hanning, ga_new_options, GI_SITE("ga_hanning(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_kaiser(...)          GI_2(ga_kaiser, ga_new_options, GI_SITE("ga_kaiser(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_i0(x)                (ga_i0)(x, GI_SITE("ga_i0(" #x ")"))
#define ga_poly(roots)          (ga_poly)(roots, GI_SITE("ga_poly(" #roots ")"))
#define ga_roots(p)             (ga_roots)(p, GI_SITE("ga_roots(" #p ")"))
#define ga_polyfit(...)         GI_3(ga_polyfit, ga_polyfit_options, GI_SITE("ga_polyfit(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_polyval(p, x)        GI_CALL((ga_polyval)(p, GA_ARG(x), GI_LISTS(0, GI_SITE("ga_polyval(" #p ", " #x ")"))))
#define ga_histogram_bin_edges(...) GI_2(ga_histogram_bin_edges, ga_histogram_options, GI_SITE("ga_histogram_bin_edges(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_histogramdd(...)     GI_1S(ga_histogramdd, ga_histogramdd_options, GI_SITE("ga_histogramdd(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_histogram2d(...)     GI_2S(ga_histogram2d, ga_histogramdd_options, GI_SITE("ga_histogram2d(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_searchsorted(...)    GI_1N(ga_searchsorted, ga_searchsorted_options, GI_SITE("ga_searchsorted(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_digitize(...)        GI_N1(ga_digitize, ga_digitize_options, GI_SITE("ga_digitize(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_interp(...)          GI_N2(ga_interp, ga_interp_options, GI_SITE("ga_interp(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_isin(...)            GI_N1(ga_isin, ga_isin_options, GI_SITE("ga_isin(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_intersect1d(...)     GI_2(ga_intersect1d, ga_intersect_options, GI_SITE("ga_intersect1d(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_partition(...)       GI_2(ga_partition, ga_axis_options, GI_SITE("ga_partition(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_argpartition(...)    GI_2(ga_argpartition, ga_axis_options, GI_SITE("ga_argpartition(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_ravel_multi_index(...) GI_1S(ga_ravel_multi_index, ga_mode_options, GI_SITE("ga_ravel_multi_index(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_union1d(a, b)        (ga_union1d)(a, b, GI_SITE("ga_union1d(" #a ", " #b ")"))
#define ga_setdiff1d(a, b)      (ga_setdiff1d)(a, b, GI_SITE("ga_setdiff1d(" #a ", " #b ")"))
#define ga_setxor1d(a, b)       (ga_setxor1d)(a, b, GI_SITE("ga_setxor1d(" #a ", " #b ")"))
#define ga_unique_all(a, index, inverse, counts) (ga_unique_all)(a, index, inverse, counts, GI_SITE("ga_unique_all(" #a ", " #index ", " #inverse ", " #counts ")"))
#define ga_unique_values(a)     (ga_unique_values)(a, GI_SITE("ga_unique_values(" #a ")"))
#define ga_unique_counts(a, counts) (ga_unique_counts)(a, counts, GI_SITE("ga_unique_counts(" #a ", " #counts ")"))
#define ga_unique_inverse(a, inverse) (ga_unique_inverse)(a, inverse, GI_SITE("ga_unique_inverse(" #a ", " #inverse ")"))
#define ga_lexsort_n(n, keys)   (ga_lexsort_n)(n, keys, GI_SITE("ga_lexsort_n(" #n ", " #keys ")"))
#define ga_lexsort(keys)        GI_CALL(gi_lexsort(GI_LIST keys, GI_SITE("ga_lexsort(" #keys ")")))
#define ga_unravel_index(i, s)  GI_CALL((ga_unravel_index)(GA_ARG(i), GI_SHAPE_IN_PARENTHESES s, GI_SITE("ga_unravel_index(" #i ", " #s ")")))
#define ga_float_power(...)     GI_NN(ga_float_power, ga_map_options, GI_SITE("ga_float_power(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_divmod(x, y, rest)   GI_CALL((ga_divmod)(GA_ARG(x), GA_ARG(y), rest, GI_LISTS(0, GI_SITE("ga_divmod(" #x ", " #y ", " #rest ")"))))
#define ga_modf(x, whole)       GI_CALL((ga_modf)(GA_ARG(x), whole, GI_LISTS(0, GI_SITE("ga_modf(" #x ", " #whole ")"))))
#define ga_frexp(x, exponent)   GI_CALL((ga_frexp)(GA_ARG(x), exponent, GI_LISTS(0, GI_SITE("ga_frexp(" #x ", " #exponent ")"))))
#define ga_angle(...)           GI_N(ga_angle, ga_angle_options, GI_SITE("ga_angle(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_set_at(a, value, ...) GI_CALL((ga_set_at)(a, GA_ARG(value), GI_SHAPE(__VA_ARGS__), GI_SITE("ga_set_at(" #a ", " #value ", " #__VA_ARGS__ ")")))
#define ga_index_take_n(...)    GI_3(ga_index_take_n, ga_index_options, GI_SITE("ga_index_take_n(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_index_take(...)      GI_1L(gi_index_take, ga_index_options, GI_SITE("ga_index_take(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_index_put_n(...)     GI_3N(ga_index_put_n, ga_index_options, GI_SITE("ga_index_put_n(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_index_put(...)       GI_1LN(gi_index_put, ga_index_options, GI_SITE("ga_index_put(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_add_at_n(...)        GI_3N(ga_add_at_n, ga_index_options, GI_SITE("ga_add_at_n(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_add_at(...)          GI_1LN(gi_add_at, ga_index_options, GI_SITE("ga_add_at(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_take_along_axis(...) GI_2(ga_take_along_axis, ga_along_options, GI_SITE("ga_take_along_axis(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_put_along_axis(...)  GI_2N(ga_put_along_axis, ga_along_options, GI_SITE("ga_put_along_axis(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_put(...)             GI_2N(ga_put, ga_mode_options, GI_SITE("ga_put(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_place(a, mask, values) GI_CALL((ga_place)(a, mask, GA_ARG(values), GI_LISTS(0, GI_SITE("ga_place(" #a ", " #mask ", " #values ")"))))
#define ga_choose_n(...)        GI_3(ga_choose_n, ga_mode_options, GI_SITE("ga_choose_n(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_choose(...)          GI_1A(gi_choose, ga_mode_options, GI_SITE("ga_choose(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_select(conditions, values, otherwise) GI_CALL(gi_select_args(GI_LIST conditions, GI_OPERANDS_IN_PARENTHESES values, GA_ARG(otherwise), GI_SITE("ga_select(" #conditions ", " #values ", " #otherwise ")")))
#define ga_piecewise(x, conditions, values) GI_CALL(gi_piecewise(x, GI_LIST conditions, GI_OPERANDS_IN_PARENTHESES values, GI_SITE("ga_piecewise(" #x ", " #conditions ", " #values ")")))
#define ga_sort_complex(a)      (ga_sort_complex)(a, GI_SITE("ga_sort_complex(" #a ")"))
#define ga_packbits(...)        GI_1(ga_packbits, ga_bits_options, GI_SITE("ga_packbits(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_unpackbits(...)      GI_1(ga_unpackbits, ga_bits_options, GI_SITE("ga_unpackbits(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_finfo(dtype)         (ga_finfo)(dtype, GI_SITE("ga_finfo(" #dtype ")"))
#define ga_iinfo(dtype)         (ga_iinfo)(dtype, GI_SITE("ga_iinfo(" #dtype ")"))
#define ga_isdtype(dtype, kind) (ga_isdtype)(dtype, kind, GI_SITE("ga_isdtype(" #dtype ", " #kind ")"))
#define ga_result_type(operands) GI_CALL(gi_result_type(GI_OPERANDS_IN_PARENTHESES operands, GI_SITE("ga_result_type(" #operands ")")))
/* other names */
#define ga_abs(...)             GI_1(ga_absolute, ga_map_options, GI_SITE("ga_abs(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_acos(...)            GI_1(ga_arccos, ga_map_options, GI_SITE("ga_acos(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_acosh(...)           GI_1(ga_arccosh, ga_map_options, GI_SITE("ga_acosh(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_asin(...)            GI_1(ga_arcsin, ga_map_options, GI_SITE("ga_asin(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_asinh(...)           GI_1(ga_arcsinh, ga_map_options, GI_SITE("ga_asinh(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_atan(...)            GI_1(ga_arctan, ga_map_options, GI_SITE("ga_atan(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_atanh(...)           GI_1(ga_arctanh, ga_map_options, GI_SITE("ga_atanh(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_conjugate(...)       GI_1(ga_conj, ga_map_options, GI_SITE("ga_conjugate(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_fix(...)             GI_1(ga_trunc, ga_map_options, GI_SITE("ga_fix(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_degrees(...)         GI_1(ga_rad2deg, ga_map_options, GI_SITE("ga_degrees(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_radians(...)         GI_1(ga_deg2rad, ga_map_options, GI_SITE("ga_radians(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_bitwise_not(...)     GI_1(ga_invert, ga_map_options, GI_SITE("ga_bitwise_not(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_bitwise_invert(...)  GI_1(ga_invert, ga_map_options, GI_SITE("ga_bitwise_invert(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_atan2(...)           GI_NN(ga_arctan2, ga_map_options, GI_SITE("ga_atan2(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_pow(...)             GI_NN(ga_power, ga_map_options, GI_SITE("ga_pow(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_mod(...)             GI_NN(ga_remainder, ga_map_options, GI_SITE("ga_mod(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_true_divide(...)     GI_NN(ga_divide, ga_map_options, GI_SITE("ga_true_divide(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_bitwise_left_shift(...) GI_NN(ga_left_shift, ga_map_options, GI_SITE("ga_bitwise_left_shift(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_bitwise_right_shift(...) GI_NN(ga_right_shift, ga_map_options, GI_SITE("ga_bitwise_right_shift(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_amin(...)            GI_1(ga_min, ga_reduce_options, GI_SITE("ga_amin(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_amax(...)            GI_1(ga_max, ga_reduce_options, GI_SITE("ga_amax(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_around(...)          GI_1(ga_round, ga_round_options, GI_SITE("ga_around(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_concat(...)          GI_L(gi_concatenate, ga_axis_options, GI_SITE("ga_concat(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_permute_dims(...)    GI_1(ga_transpose, ga_axes_options, GI_SITE("ga_permute_dims(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_fft(...)             GI_1(ga_fft, ga_fft_options, GI_SITE("ga_fft(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_ifft(...)            GI_1(ga_ifft, ga_fft_options, GI_SITE("ga_ifft(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_rfft(...)            GI_1(ga_rfft, ga_fft_options, GI_SITE("ga_rfft(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_irfft(...)           GI_1(ga_irfft, ga_fft_options, GI_SITE("ga_irfft(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_hfft(...)            GI_1(ga_hfft, ga_fft_options, GI_SITE("ga_hfft(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_ihfft(...)           GI_1(ga_ihfft, ga_fft_options, GI_SITE("ga_ihfft(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_fft2(...)            GI_1(ga_fft2, ga_fftn_options, GI_SITE("ga_fft2(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_ifft2(...)           GI_1(ga_ifft2, ga_fftn_options, GI_SITE("ga_ifft2(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_rfft2(...)           GI_1(ga_rfft2, ga_fftn_options, GI_SITE("ga_rfft2(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_irfft2(...)          GI_1(ga_irfft2, ga_fftn_options, GI_SITE("ga_irfft2(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_fftn(...)            GI_1(ga_fftn, ga_fftn_options, GI_SITE("ga_fftn(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_ifftn(...)           GI_1(ga_ifftn, ga_fftn_options, GI_SITE("ga_ifftn(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_rfftn(...)           GI_1(ga_rfftn, ga_fftn_options, GI_SITE("ga_rfftn(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_irfftn(...)          GI_1(ga_irfftn, ga_fftn_options, GI_SITE("ga_irfftn(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_fftfreq(...)         GI_1(ga_fftfreq, ga_fftfreq_options, GI_SITE("ga_fftfreq(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_rfftfreq(...)        GI_1(ga_rfftfreq, ga_fftfreq_options, GI_SITE("ga_rfftfreq(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_fftshift(...)        GI_1(ga_fftshift, ga_axes_options, GI_SITE("ga_fftshift(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_ifftshift(...)       GI_1(ga_ifftshift, ga_axes_options, GI_SITE("ga_ifftshift(" #__VA_ARGS__ ")"), __VA_ARGS__, )

#define ga_convolve(...)        GI_2(ga_convolve, ga_convolve_options, GI_SITE("ga_convolve(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_correlate(...)       GI_2(ga_correlate, ga_convolve_options, GI_SITE("ga_correlate(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_convolve2d(...)      GI_2(ga_convolve2d, ga_convolve2d_options, GI_SITE("ga_convolve2d(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_correlate2d(...)     GI_2(ga_correlate2d, ga_convolve2d_options, GI_SITE("ga_correlate2d(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_ndconvolve(...)      GI_2(ga_ndconvolve, ga_ndconvolve_options, GI_SITE("ga_ndconvolve(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_ndcorrelate(...)     GI_2(ga_ndcorrelate, ga_ndconvolve_options, GI_SITE("ga_ndcorrelate(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_convolve1d(...)      GI_2(ga_convolve1d, ga_convolve1d_options, GI_SITE("ga_convolve1d(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_correlate1d(...)     GI_2(ga_correlate1d, ga_convolve1d_options, GI_SITE("ga_correlate1d(" #__VA_ARGS__ ")"), __VA_ARGS__, )

#define ga_gaussian_filter(...) GI_2(ga_gaussian_filter, ga_gaussian_options, GI_SITE("ga_gaussian_filter(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_gaussian_laplace(...) GI_2(ga_gaussian_laplace, ga_gaussian_options, GI_SITE("ga_gaussian_laplace(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_gaussian_gradient_magnitude(...) GI_2(ga_gaussian_gradient_magnitude, ga_gaussian_options, GI_SITE("ga_gaussian_gradient_magnitude(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_sobel(...)           GI_1(ga_sobel, ga_edge_options, GI_SITE("ga_sobel(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_prewitt(...)         GI_1(ga_prewitt, ga_edge_options, GI_SITE("ga_prewitt(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_laplace(...)         GI_1(ga_laplace, ga_edge_options, GI_SITE("ga_laplace(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_uniform_filter(...)  GI_2(ga_uniform_filter, ga_uniform_options, GI_SITE("ga_uniform_filter(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_minimum_filter(...)  GI_2(ga_minimum_filter, ga_window_options, GI_SITE("ga_minimum_filter(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_maximum_filter(...)  GI_2(ga_maximum_filter, ga_window_options, GI_SITE("ga_maximum_filter(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_median_filter(...)   GI_2(ga_median_filter, ga_window_options, GI_SITE("ga_median_filter(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_percentile_filter(...) GI_3(ga_percentile_filter, ga_window_options, GI_SITE("ga_percentile_filter(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_rank_filter(...)     GI_3(ga_rank_filter, ga_window_options, GI_SITE("ga_rank_filter(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_gaussian_filter1d(...) GI_2(ga_gaussian_filter1d, ga_gaussian_options, GI_SITE("ga_gaussian_filter1d(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_uniform_filter1d(...) GI_2(ga_uniform_filter1d, ga_convolve1d_options, GI_SITE("ga_uniform_filter1d(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_minimum_filter1d(...) GI_2(ga_minimum_filter1d, ga_convolve1d_options, GI_SITE("ga_minimum_filter1d(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_maximum_filter1d(...) GI_2(ga_maximum_filter1d, ga_convolve1d_options, GI_SITE("ga_maximum_filter1d(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_generic_filter(...) GI_4(ga_generic_filter, ga_window_options, GI_SITE("ga_generic_filter(" #__VA_ARGS__ ")"), __VA_ARGS__, )

#define ga_binary_erosion(...) GI_1(ga_binary_erosion, ga_binary_options, GI_SITE("ga_binary_erosion(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_binary_dilation(...) GI_1(ga_binary_dilation, ga_binary_options, GI_SITE("ga_binary_dilation(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_binary_opening(...) GI_1(ga_binary_opening, ga_binary_options, GI_SITE("ga_binary_opening(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_binary_closing(...) GI_1(ga_binary_closing, ga_binary_options, GI_SITE("ga_binary_closing(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_binary_propagation(...) GI_1(ga_binary_propagation, ga_binary_options, GI_SITE("ga_binary_propagation(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_binary_fill_holes(...) GI_1(ga_binary_fill_holes, ga_binary_options, GI_SITE("ga_binary_fill_holes(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_binary_hit_or_miss(...) GI_1(ga_binary_hit_or_miss, ga_hit_options, GI_SITE("ga_binary_hit_or_miss(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_grey_erosion(...) GI_2(ga_grey_erosion, ga_grey_options, GI_SITE("ga_grey_erosion(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_grey_dilation(...) GI_2(ga_grey_dilation, ga_grey_options, GI_SITE("ga_grey_dilation(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_grey_opening(...) GI_2(ga_grey_opening, ga_grey_options, GI_SITE("ga_grey_opening(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_grey_closing(...) GI_2(ga_grey_closing, ga_grey_options, GI_SITE("ga_grey_closing(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_morphological_gradient(...) GI_2(ga_morphological_gradient, ga_grey_options, GI_SITE("ga_morphological_gradient(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_morphological_laplace(...) GI_2(ga_morphological_laplace, ga_grey_options, GI_SITE("ga_morphological_laplace(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_white_tophat(...) GI_2(ga_white_tophat, ga_grey_options, GI_SITE("ga_white_tophat(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_black_tophat(...) GI_2(ga_black_tophat, ga_grey_options, GI_SITE("ga_black_tophat(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_distance_transform_edt(...) GI_1(ga_distance_transform_edt, ga_transform_options, GI_SITE("ga_distance_transform_edt(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_distance_transform_cdt(...) GI_1(ga_distance_transform_cdt, ga_transform_options, GI_SITE("ga_distance_transform_cdt(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_distance_transform_bf(...) GI_1(ga_distance_transform_bf, ga_transform_options, GI_SITE("ga_distance_transform_bf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_spline_filter(...) GI_1(ga_spline_filter, ga_spline_options, GI_SITE("ga_spline_filter(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_spline_filter1d(...) GI_1(ga_spline_filter1d, ga_spline_options, GI_SITE("ga_spline_filter1d(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_map_coordinates(...) GI_2(ga_map_coordinates, ga_interpolation_options, GI_SITE("ga_map_coordinates(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_shift(...) GI_2(ga_shift, ga_interpolation_options, GI_SITE("ga_shift(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_zoom(...) GI_2(ga_zoom, ga_interpolation_options, GI_SITE("ga_zoom(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_affine_transform(...) GI_2(ga_affine_transform, ga_affine_options, GI_SITE("ga_affine_transform(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_rotate(...) GI_2(ga_rotate, ga_rotate_options, GI_SITE("ga_rotate(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_generate_binary_structure(r, c) (ga_generate_binary_structure)(r, c, GI_SITE("ga_generate_binary_structure(" #r ", " #c ")"))
#define ga_iterate_structure(s, n) (ga_iterate_structure)(s, n, GI_SITE("ga_iterate_structure(" #s ", " #n ")"))

#define ga_label(...)           GI_1(ga_label, ga_label_options, GI_SITE("ga_label(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_sum_labels(a, l, i)  (ga_sum_labels)(a, l, i, GI_SITE("ga_sum_labels(" #a ", " #l ", " #i ")"))
#define ga_mean_labels(a, l, i) (ga_mean_labels)(a, l, i, GI_SITE("ga_mean_labels(" #a ", " #l ", " #i ")"))
#define ga_min_labels(a, l, i)  (ga_min_labels)(a, l, i, GI_SITE("ga_min_labels(" #a ", " #l ", " #i ")"))
#define ga_max_labels(a, l, i)  (ga_max_labels)(a, l, i, GI_SITE("ga_max_labels(" #a ", " #l ", " #i ")"))
#define ga_size_labels(l, i)    (ga_size_labels)(l, i, GI_SITE("ga_size_labels(" #l ", " #i ")"))
#define ga_center_of_mass_takes_a_labels_index(here, a, l, i, ...) GI_3(ga_center_of_mass, ga_center_options, here, a, l, i, __VA_ARGS__)
#define ga_center_of_mass(...)  ga_center_of_mass_takes_a_labels_index(GI_SITE("ga_center_of_mass(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_minimum_position(a, l, i) (ga_minimum_position)(a, l, i, GI_SITE("ga_minimum_position(" #a ", " #l ", " #i ")"))
#define ga_maximum_position(a, l, i) (ga_maximum_position)(a, l, i, GI_SITE("ga_maximum_position(" #a ", " #l ", " #i ")"))
#define ga_extrema(a, l, i, low, high, at_low, at_high) (ga_extrema)(a, l, i, low, high, at_low, at_high, GI_SITE("ga_extrema(" #a ", " #l ", " #i ", " #low ", " #high ", " #at_low ", " #at_high ")"))
#define ga_variance(a, l, i) (ga_variance)(a, l, i, GI_SITE("ga_variance(" #a ", " #l ", " #i ")"))
#define ga_standard_deviation(a, l, i) (ga_standard_deviation)(a, l, i, GI_SITE("ga_standard_deviation(" #a ", " #l ", " #i ")"))
#define ga_find_objects(l, n) (ga_find_objects)(l, n, GI_SITE("ga_find_objects(" #l ", " #n ")"))
#define ga_value_indices(a, v, c) (ga_value_indices)(a, v, c, GI_SITE("ga_value_indices(" #a ", " #v ", " #c ")"))
#define ga_watershed_ift(...) GI_2(ga_watershed_ift, ga_binary_options, GI_SITE("ga_watershed_ift(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_sigma_clip(...)      GI_1(ga_sigma_clip, ga_sigma_options, GI_SITE("ga_sigma_clip(" #__VA_ARGS__ ")"), __VA_ARGS__, )

#define ga_fftconvolve(...) GI_2(ga_fftconvolve, ga_fftconvolve_options, GI_SITE("ga_fftconvolve(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_lfilter(...) GI_3(ga_lfilter, ga_lfilter_options, GI_SITE("ga_lfilter(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_sosfilt(...) GI_2(ga_sosfilt, ga_lfilter_options, GI_SITE("ga_sosfilt(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_medfilt(a, size) (ga_medfilt)(a, GI_SHAPE_IN_PARENTHESES size, GI_SITE("ga_medfilt(" #a ", " #size ")"))
#define ga_hilbert(...) GI_1(ga_hilbert, ga_fft_options, GI_SITE("ga_hilbert(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_resample(...) GI_2(ga_resample, ga_axis_options, GI_SITE("ga_resample(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_detrend(...) GI_1(ga_detrend, ga_detrend_options, GI_SITE("ga_detrend(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_savgol_filter(...) GI_3(ga_savgol_filter, ga_savgol_options, GI_SITE("ga_savgol_filter(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_periodogram(...) GI_1(ga_periodogram, ga_spectrum_options, GI_SITE("ga_periodogram(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_welch(...) GI_1(ga_welch, ga_spectrum_options, GI_SITE("ga_welch(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_spectrogram(...) GI_1(ga_spectrogram, ga_spectrum_options, GI_SITE("ga_spectrogram(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_find_peaks(...) GI_1(ga_find_peaks, ga_peaks_options, GI_SITE("ga_find_peaks(" #__VA_ARGS__ ")"), __VA_ARGS__, )

#define ga_cdist(...)           GI_2(ga_cdist, ga_distance_options, GI_SITE("ga_cdist(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_pdist(...)           GI_1(ga_pdist, ga_distance_options, GI_SITE("ga_pdist(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_squareform(...)      GI_1(ga_squareform, ga_squareform_options, GI_SITE("ga_squareform(" #__VA_ARGS__ ")"), __VA_ARGS__, )

#define ga_imsave(path, a)      (ga_imsave)(path, a, GI_SITE("ga_imsave(" #path ", " #a ")"))
#define ga_imencode(a)          (ga_imencode)(a, GI_SITE("ga_imencode(" #a ")"))
#define ga_imread(path)         (ga_imread)(path, GI_SITE("ga_imread(" #path ")"))
#define ga_imdecode(bytes)      (ga_imdecode)(bytes, GI_SITE("ga_imdecode(" #bytes ")"))
#define ga_render(...)          GI_1(ga_render, ga_imshow_options, GI_SITE("ga_render(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_imshow(...)          GI_2(ga_imshow, ga_imshow_options, GI_SITE("ga_imshow(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_load(...)            GI_1(ga_load, ga_load_options, GI_SITE("ga_load(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_save(path, a)        (ga_save)(path, a, GI_SITE("ga_save(" #path ", " #a ")"))
#define ga_load_from(path, name) (ga_load_from)(path, name, GI_SITE("ga_load_from(" #path ", " #name ")"))
#define ga_savez(path, n, names, arrays) (ga_savez)(path, n, names, arrays, GI_SITE("ga_savez(" #path ")"))
#define ga_loadtxt(...)         GI_1(ga_loadtxt, ga_loadtxt_options, GI_SITE("ga_loadtxt(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_loadtxt_n(...)       GI_4(ga_loadtxt_n, ga_loadtxt_options, GI_SITE("ga_loadtxt_n(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_genfromtxt(...)      GI_1(ga_genfromtxt, ga_genfromtxt_options, GI_SITE("ga_genfromtxt(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_genfromtxt_n(...)    GI_4(ga_genfromtxt_n, ga_genfromtxt_options, GI_SITE("ga_genfromtxt_n(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_savetxt(...)         GI_2(ga_savetxt, ga_savetxt_options, GI_SITE("ga_savetxt(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_fromfile(...)        GI_1(ga_fromfile, ga_fromfile_options, GI_SITE("ga_fromfile(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_tofile(...)          GI_2(ga_tofile, ga_tofile_options, GI_SITE("ga_tofile(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_open(...)            GI_1(ga_open, ga_open_options, GI_SITE("ga_open(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_store(...)           GI_2(ga_store, ga_store_options, GI_SITE("ga_store(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_store_n(...)         GI_3(ga_store_n, ga_store_options, GI_SITE("ga_store_n(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_fits_read(...)       GI_1(ga_fits_read, ga_fits_options, GI_SITE("ga_fits_read(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_fits_write(...)      GI_2(ga_fits_write, ga_fits_options, GI_SITE("ga_fits_write(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_to_dlpack(...)       GI_1(ga_to_dlpack, ga_to_dlpack_options, GI_SITE("ga_to_dlpack(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_to_dlpack_unversioned(...) GI_1(ga_to_dlpack_unversioned, ga_to_dlpack_options, GI_SITE("ga_to_dlpack_unversioned(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_from_dlpack(...)     GI_1(ga_from_dlpack, ga_from_dlpack_options, GI_SITE("ga_from_dlpack(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_from_dlpack_unversioned(...) GI_1(ga_from_dlpack_unversioned, ga_from_dlpack_options, GI_SITE("ga_from_dlpack_unversioned(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_chunked(...)         (ga_chunked)(GI_FIRST(__VA_ARGS__, ), GI_CHUNK_LIST(__VA_ARGS__), GI_SITE("ga_chunked(" #__VA_ARGS__ ")"))
#define ga_rechunk(...)         (ga_rechunk)(GI_FIRST(__VA_ARGS__, ), GI_CHUNK_LIST(__VA_ARGS__), GI_SITE("ga_rechunk(" #__VA_ARGS__ ")"))
#define ga_compute(...)         GI_1(ga_compute, ga_compute_options, GI_SITE("ga_compute(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_compute_n(...)       (ga_compute_n)(__VA_ARGS__, GI_SITE("ga_compute_n(" #__VA_ARGS__ ")"))
#define ga_graph_new()          (ga_graph_new)(GI_SITE("ga_graph_new()"))
#define ga_run_n(...)           (ga_run_n)(__VA_ARGS__, GI_SITE("ga_run_n(" #__VA_ARGS__ ")"))
#define ga_run(g, t, r)         (ga_run)(g, t, r, GI_SITE("ga_run(" #g ", " #t ", " #r ")"))
#define ga_graph_visualize(...) GI_2(ga_graph_visualize, ga_visualize_options, GI_SITE("ga_graph_visualize(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_delayed_n(...)       GI_LASTING_5(ga_delayed_n, ga_delayed_options, GI_SITE("ga_delayed_n(" #__VA_ARGS__ ")"), __VA_ARGS__, )
/* ga_delayed(g, f, user, tasks ...) */
#define ga_delayed(g, f, ...)   gi_delayed(g, f, GI_FIRST(__VA_ARGS__, ), GI_SITE("ga_delayed(" #g ", " #f ", " #__VA_ARGS__ ")"), GI_REST(__VA_ARGS__, (ga_task *)NULL))
#define ga_visualize(...)       GI_2(ga_visualize, ga_visualize_options, GI_SITE("ga_visualize(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_persist(a)           (ga_persist)(a, GI_SITE("ga_persist(" #a ")"))
#define ga_map_blocks(...)      GI_LASTING_3(ga_map_blocks, ga_blocks_options, GI_SITE("ga_map_blocks(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_map_blocks_n(...)    GI_LASTING_4(ga_map_blocks_n, ga_blocks_options, GI_SITE("ga_map_blocks_n(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_map_overlap(...)     GI_LASTING_3(ga_map_overlap, ga_blocks_options, GI_SITE("ga_map_overlap(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_print(...)           GI_1(ga_print, ga_print_options, GI_SITE("ga_print(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_to_string(...)       GI_1(ga_to_string, ga_print_options, GI_SITE("ga_to_string(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_benchmark(...)       GI_2(ga_benchmark, ga_benchmark_options, GI_SITE("ga_benchmark(" #__VA_ARGS__ ")"), __VA_ARGS__, )

/* Literal numbers as a new 1-D array: float64, int64. */
#ifdef __cplusplus
template <class... V> static inline ga_array *gi_values(const char *site, V... v)
{
    const double p[] = { (double)v... };
    return (ga_from)(p, GA_F64, gi_shape(sizeof...(v)), gi_placed(ga_from_options{}, site));
}
template <class... V> static inline ga_array *gi_ints(const char *site, V... v)
{
    const int64_t p[] = { (int64_t)v... };
    return (ga_from)(p, GA_I64, gi_shape(sizeof...(v)), gi_placed(ga_from_options{}, site));
}
#define ga_values(...)          gi_values(GI_SITE("ga_values(" #__VA_ARGS__ ")"), __VA_ARGS__)
#define ga_ints(...)            gi_ints(GI_SITE("ga_ints(" #__VA_ARGS__ ")"), __VA_ARGS__)
#else
#define ga_values(...) \
    (ga_from)((const double[]){ __VA_ARGS__ }, GA_F64, \
              ((ga_shape){ 1, { (int64_t)(sizeof((const double[]){ __VA_ARGS__ }) / sizeof(double)) } }), \
              (ga_from_options){ .site = GI_SITE("ga_values(" #__VA_ARGS__ ")") })
#define ga_ints(...) \
    (ga_from)((const int64_t[]){ __VA_ARGS__ }, GA_I64, ((ga_shape){ 1, { GI_COUNT(__VA_ARGS__) } }), \
              (ga_from_options){ .site = GI_SITE("ga_ints(" #__VA_ARGS__ ")") })
#endif

/* BEGIN GENERATED by `make front`: the rows' macros, because a macro cannot define macros */
#define ga_positive(...) GI_1(ga_positive, ga_map_options, GI_SITE("ga_positive(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_negative(...) GI_1(ga_negative, ga_map_options, GI_SITE("ga_negative(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_absolute(...) GI_1(ga_absolute, ga_map_options, GI_SITE("ga_absolute(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_sign(...) GI_1(ga_sign, ga_map_options, GI_SITE("ga_sign(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_square(...) GI_1(ga_square, ga_map_options, GI_SITE("ga_square(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_reciprocal(...) GI_1(ga_reciprocal, ga_map_options, GI_SITE("ga_reciprocal(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_sqrt(...) GI_1(ga_sqrt, ga_map_options, GI_SITE("ga_sqrt(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_conj(...) GI_1(ga_conj, ga_map_options, GI_SITE("ga_conj(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_real(...) GI_1(ga_real, ga_map_options, GI_SITE("ga_real(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_imag(...) GI_1(ga_imag, ga_map_options, GI_SITE("ga_imag(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_floor(...) GI_1(ga_floor, ga_map_options, GI_SITE("ga_floor(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_ceil(...) GI_1(ga_ceil, ga_map_options, GI_SITE("ga_ceil(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_trunc(...) GI_1(ga_trunc, ga_map_options, GI_SITE("ga_trunc(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_rint(...) GI_1(ga_rint, ga_map_options, GI_SITE("ga_rint(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_deg2rad(...) GI_1(ga_deg2rad, ga_map_options, GI_SITE("ga_deg2rad(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_rad2deg(...) GI_1(ga_rad2deg, ga_map_options, GI_SITE("ga_rad2deg(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_isnan(...) GI_1(ga_isnan, ga_map_options, GI_SITE("ga_isnan(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_isinf(...) GI_1(ga_isinf, ga_map_options, GI_SITE("ga_isinf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_isfinite(...) GI_1(ga_isfinite, ga_map_options, GI_SITE("ga_isfinite(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_signbit(...) GI_1(ga_signbit, ga_map_options, GI_SITE("ga_signbit(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_isneginf(...) GI_1(ga_isneginf, ga_map_options, GI_SITE("ga_isneginf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_isposinf(...) GI_1(ga_isposinf, ga_map_options, GI_SITE("ga_isposinf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_iscomplex(...) GI_1(ga_iscomplex, ga_map_options, GI_SITE("ga_iscomplex(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_isreal(...) GI_1(ga_isreal, ga_map_options, GI_SITE("ga_isreal(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_spacing(...) GI_1(ga_spacing, ga_map_options, GI_SITE("ga_spacing(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_bitwise_count(...) GI_1(ga_bitwise_count, ga_map_options, GI_SITE("ga_bitwise_count(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_invert(...) GI_1(ga_invert, ga_map_options, GI_SITE("ga_invert(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_logical_not(...) GI_1(ga_logical_not, ga_map_options, GI_SITE("ga_logical_not(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_exp(...) GI_1(ga_exp, ga_map_options, GI_SITE("ga_exp(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_exp2(...) GI_1(ga_exp2, ga_map_options, GI_SITE("ga_exp2(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_expm1(...) GI_1(ga_expm1, ga_map_options, GI_SITE("ga_expm1(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_log(...) GI_1(ga_log, ga_map_options, GI_SITE("ga_log(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_log2(...) GI_1(ga_log2, ga_map_options, GI_SITE("ga_log2(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_log10(...) GI_1(ga_log10, ga_map_options, GI_SITE("ga_log10(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_log1p(...) GI_1(ga_log1p, ga_map_options, GI_SITE("ga_log1p(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_sin(...) GI_1(ga_sin, ga_map_options, GI_SITE("ga_sin(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_cos(...) GI_1(ga_cos, ga_map_options, GI_SITE("ga_cos(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_tan(...) GI_1(ga_tan, ga_map_options, GI_SITE("ga_tan(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_arcsin(...) GI_1(ga_arcsin, ga_map_options, GI_SITE("ga_arcsin(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_arccos(...) GI_1(ga_arccos, ga_map_options, GI_SITE("ga_arccos(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_arctan(...) GI_1(ga_arctan, ga_map_options, GI_SITE("ga_arctan(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_sinh(...) GI_1(ga_sinh, ga_map_options, GI_SITE("ga_sinh(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_cosh(...) GI_1(ga_cosh, ga_map_options, GI_SITE("ga_cosh(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_tanh(...) GI_1(ga_tanh, ga_map_options, GI_SITE("ga_tanh(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_arcsinh(...) GI_1(ga_arcsinh, ga_map_options, GI_SITE("ga_arcsinh(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_arccosh(...) GI_1(ga_arccosh, ga_map_options, GI_SITE("ga_arccosh(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_arctanh(...) GI_1(ga_arctanh, ga_map_options, GI_SITE("ga_arctanh(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_cbrt(...) GI_1(ga_cbrt, ga_map_options, GI_SITE("ga_cbrt(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_sinc(...) GI_1(ga_sinc, ga_map_options, GI_SITE("ga_sinc(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_add(...) GI_NN(ga_add, ga_map_options, GI_SITE("ga_add(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_subtract(...) GI_NN(ga_subtract, ga_map_options, GI_SITE("ga_subtract(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_multiply(...) GI_NN(ga_multiply, ga_map_options, GI_SITE("ga_multiply(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_divide(...) GI_NN(ga_divide, ga_map_options, GI_SITE("ga_divide(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_floor_divide(...) GI_NN(ga_floor_divide, ga_map_options, GI_SITE("ga_floor_divide(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_remainder(...) GI_NN(ga_remainder, ga_map_options, GI_SITE("ga_remainder(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_fmod(...) GI_NN(ga_fmod, ga_map_options, GI_SITE("ga_fmod(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_maximum(...) GI_NN(ga_maximum, ga_map_options, GI_SITE("ga_maximum(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_minimum(...) GI_NN(ga_minimum, ga_map_options, GI_SITE("ga_minimum(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_fmax(...) GI_NN(ga_fmax, ga_map_options, GI_SITE("ga_fmax(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_fmin(...) GI_NN(ga_fmin, ga_map_options, GI_SITE("ga_fmin(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_copysign(...) GI_NN(ga_copysign, ga_map_options, GI_SITE("ga_copysign(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_bitwise_and(...) GI_NN(ga_bitwise_and, ga_map_options, GI_SITE("ga_bitwise_and(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_bitwise_or(...) GI_NN(ga_bitwise_or, ga_map_options, GI_SITE("ga_bitwise_or(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_bitwise_xor(...) GI_NN(ga_bitwise_xor, ga_map_options, GI_SITE("ga_bitwise_xor(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_left_shift(...) GI_NN(ga_left_shift, ga_map_options, GI_SITE("ga_left_shift(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_right_shift(...) GI_NN(ga_right_shift, ga_map_options, GI_SITE("ga_right_shift(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_gcd(...) GI_NN(ga_gcd, ga_map_options, GI_SITE("ga_gcd(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_lcm(...) GI_NN(ga_lcm, ga_map_options, GI_SITE("ga_lcm(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_heaviside(...) GI_NN(ga_heaviside, ga_map_options, GI_SITE("ga_heaviside(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_logical_and(...) GI_NN(ga_logical_and, ga_map_options, GI_SITE("ga_logical_and(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_logical_or(...) GI_NN(ga_logical_or, ga_map_options, GI_SITE("ga_logical_or(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_logical_xor(...) GI_NN(ga_logical_xor, ga_map_options, GI_SITE("ga_logical_xor(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_equal(...) GI_NN(ga_equal, ga_map_options, GI_SITE("ga_equal(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_not_equal(...) GI_NN(ga_not_equal, ga_map_options, GI_SITE("ga_not_equal(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_less(...) GI_NN(ga_less, ga_map_options, GI_SITE("ga_less(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_less_equal(...) GI_NN(ga_less_equal, ga_map_options, GI_SITE("ga_less_equal(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_greater(...) GI_NN(ga_greater, ga_map_options, GI_SITE("ga_greater(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_greater_equal(...) GI_NN(ga_greater_equal, ga_map_options, GI_SITE("ga_greater_equal(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_power(...) GI_NN(ga_power, ga_map_options, GI_SITE("ga_power(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_arctan2(...) GI_NN(ga_arctan2, ga_map_options, GI_SITE("ga_arctan2(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_hypot(...) GI_NN(ga_hypot, ga_map_options, GI_SITE("ga_hypot(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_ldexp(...) GI_NN(ga_ldexp, ga_map_options, GI_SITE("ga_ldexp(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_nextafter(...) GI_NN(ga_nextafter, ga_map_options, GI_SITE("ga_nextafter(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_logaddexp(...) GI_NN(ga_logaddexp, ga_map_options, GI_SITE("ga_logaddexp(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_logaddexp2(...) GI_NN(ga_logaddexp2, ga_map_options, GI_SITE("ga_logaddexp2(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_multiply_add(...) GI_NNN(ga_multiply_add, ga_map_options, GI_SITE("ga_multiply_add(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_clip(...) GI_NNN(ga_clip, ga_map_options, GI_SITE("ga_clip(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_count_nonzero(...) GI_1(ga_count_nonzero, ga_reduce_options, GI_SITE("ga_count_nonzero(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_sum(...) GI_1(ga_sum, ga_reduce_options, GI_SITE("ga_sum(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_prod(...) GI_1(ga_prod, ga_reduce_options, GI_SITE("ga_prod(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_mean(...) GI_1(ga_mean, ga_reduce_options, GI_SITE("ga_mean(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_min(...) GI_1(ga_min, ga_reduce_options, GI_SITE("ga_min(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_max(...) GI_1(ga_max, ga_reduce_options, GI_SITE("ga_max(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_any(...) GI_1(ga_any, ga_reduce_options, GI_SITE("ga_any(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_all(...) GI_1(ga_all, ga_reduce_options, GI_SITE("ga_all(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_nansum(...) GI_1(ga_nansum, ga_reduce_options, GI_SITE("ga_nansum(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_nanprod(...) GI_1(ga_nanprod, ga_reduce_options, GI_SITE("ga_nanprod(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_nanmin(...) GI_1(ga_nanmin, ga_reduce_options, GI_SITE("ga_nanmin(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define ga_nanmax(...) GI_1(ga_nanmax, ga_reduce_options, GI_SITE("ga_nanmax(" #__VA_ARGS__ ")"), __VA_ARGS__, )
/* END GENERATED */
/* clang-format on */

/* ga_scope { ... }: what is created inside is released at the end, except what ga_keep hands out. */
typedef struct gi_scope {
    struct gi_scope *outer;
    ga_array        *first;
    int              gi_open;
} gi_scope;
#ifdef __cplusplus
extern "C" {
#endif
