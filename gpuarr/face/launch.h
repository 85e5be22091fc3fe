/* GA_KERNEL and ga_launch: section >>cuda. The launch is a template because only C++ knows a kernel's parameters. */
#if defined(__cplusplus) && (defined(__CUDACC__) || defined(__CUDASIM__))
#include <cuda_runtime.h>
#include <tuple>
#include <type_traits>
#include <utility>

static inline gi_dims gi_make_dims(dim3 d) { return { d.x, d.y, d.z }; }
template <class N, class = std::enable_if_t<std::is_integral_v<N>>> static inline gi_dims gi_make_dims(N n)
{
    return { (int64_t)n, 1, 1 };
}
/* The dtype of the elements that a kernel's pointer points to; GA_DTYPE_DEFAULT if they are of a type of the user's. */
template <class T> static constexpr ga_dtype gi_pointee()
{
    if constexpr (std::is_same_v<T, bool>) return GA_BOOL;
    else if constexpr (std::is_integral_v<T>) {
        constexpr ga_dtype of_size[2][4] = { { GA_U8, GA_U16, GA_U32, GA_U64 }, { GA_I8, GA_I16, GA_I32, GA_I64 } };
        return of_size[std::is_signed_v<T>][sizeof(T) == 8 ? 3 : sizeof(T) / 2];
    } else if constexpr (std::is_same_v<T, float>) return GA_F32;
    else if constexpr (std::is_same_v<T, double>) return GA_F64;
    else if constexpr (std::is_same_v<T, ga_c64>) return GA_C64;
    else if constexpr (std::is_same_v<T, ga_c128>) return GA_C128;
    else return GA_DTYPE_DEFAULT;
}

struct gi_launching {
    const char *site;
    ga_stream   stream;
    int         argument; /* the number of the one that is looked at */
    bool        ok;
};

/* The value of a kernel's parameter of type P for what the call gives. */
template <class P, class A> static inline P gi_launch_value(gi_launching *l, A a)
{
    l->argument++;
    if constexpr (std::is_same_v<A, ga_array *> || std::is_same_v<A, const ga_array *>) {
        static_assert(std::is_pointer_v<P>, "ga_launch: an array is given where the kernel's parameter is no pointer");
        void *p = !l->ok ? nullptr
                         : gi_launch_array(a, l->argument, gi_pointee<std::remove_cv_t<std::remove_pointer_t<P>>>(), l->stream,
                                           l->site);
        l->ok   = p != nullptr;
        return (P)p;
    } else if constexpr (std::is_arithmetic_v<A> && std::is_arithmetic_v<P>) return (P)a;
    else return a;
}

template <class... P, size_t... I>
static inline void gi_launch_now(const char *file, int line, const char *name, void (*kernel)(P...), gi_dims grid,
                                 gi_dims block, size_t shared, ga_stream stream, std::tuple<P...> &values,
                                 std::index_sequence<I...>)
{
    dim3 g((unsigned)grid.x, (unsigned)grid.y, (unsigned)grid.z), b((unsigned)block.x, (unsigned)block.y, (unsigned)block.z);
    (void)values;
#ifdef __CUDASIM__
    cudasim::configuration how(g, b, shared, (cudaStream_t)stream);
    cudasim::run_pointer(cudasim::launcher(file, line, name, how).launch, kernel, std::get<I>(values)...);
#else
    (void)file, (void)line, (void)name;
    kernel<<<g, b, shared, (cudaStream_t)stream>>>(std::get<I>(values)...);
#endif
}

template <bool is_list, class... P, class... A>
static inline bool gi_launch(const char *file, int line, const char *name, void (*kernel)(P...), gi_dims grid, gi_dims block,
                             const std::tuple<A...> &given, ga_launch_options o)
{
    static_assert(!is_list, "ga_launch: two numbers in parentheses are the last of them: write dim3(16, 16)");
    static_assert(sizeof...(P) == sizeof...(A), "ga_launch: the kernel has another number of parameters");
    gi_launching l = { o.site, nullptr, 0, true };
    if (!gi_launch_begin((const void *)kernel, grid, block, o, &l.stream)) return false;
    if constexpr (sizeof...(P) == sizeof...(A)) {
        auto values = std::apply([&](const A &...a) { return std::tuple<P...>{ gi_launch_value<P>(&l, a)... }; }, given);
        if (!l.ok) return false;
        gi_launch_now(file, line, name, kernel, grid, block, (size_t)o.shared, l.stream, values,
                      std::index_sequence_for<P...>{});
    }
    return gi_launch_end(name, o.site);
}
template <class... A> static inline std::tuple<A...> gi_arguments(A... a) { return std::tuple<A...>(a...); }

#define GA_KERNEL(name, parameters) static __global__ void name parameters
#define ga_launch(...)              GI_LAUNCH_USER(GI_SITE("ga_launch(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define GI_LAUNCH_USER(here, kernel, grid, block, arguments, ...)                                                              \
    gi_launch<gi_is_list(#grid) || gi_is_list(#block)>(__FILE__, __LINE__, #kernel, kernel, gi_make_dims(grid),                \
                                                       gi_make_dims(block), gi_arguments arguments,                            \
                                                       GI_OPTIONS(ga_launch_options, here, __VA_ARGS__))
#else /* a plain C or C++ compiler */
#ifdef __cplusplus
#define GI_ASSERT static_assert
#else
#define GI_ASSERT _Static_assert
#endif
#define GA_KERNEL(name, parameters)                                                                                            \
    GI_ASSERT(0, "GA_KERNEL: threads and blocks need CUDA: name this file .cu, and compile it with nvcc or tools/cudasim");    \
    static void name parameters
#define ga_launch(...) gi_launch_without_cuda()
__attribute__((unavailable("ga_launch needs CUDA: name this file .cu, and compile it with nvcc or tools/cudasim"))) bool
gi_launch_without_cuda(void);
#endif
