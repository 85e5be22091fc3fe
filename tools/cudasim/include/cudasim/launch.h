/* cudasim: launching a kernel.
 *
 * CUDASIM_LAUNCH(kernel, (grid, block [, shared bytes [, stream]]), arguments...) stands for
 * kernel<<<grid, block, shared bytes, stream>>>(arguments...). */
#ifndef CUDASIM_LAUNCH_H
#define CUDASIM_LAUNCH_H
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

/* Everything the runtime needs to know of one launch.  `arguments` is owned by the launch: destroy() is called once. */
struct cudasim_launch_t {
    const char  *file;
    int          line;
    const char  *text;     /* the kernel as written in the source */
    const void  *function; /* its address, or null if only the text is known */
    dim3         grid, block;
    size_t       shared_bytes;
    cudaStream_t stream;
    int          cooperative;
    void (*call)(void *arguments); /* runs the kernel once, for the current thread */
    void (*destroy)(void *arguments);
    void  *arguments;
    size_t arguments_size;
    void  *caller;
};

extern "C" {
/* The first word of the object that is an address in the program's code; null if there is none. */
const void *cudasim_find_function(const void *object, size_t size);
/* Checks the configuration; on an error the caller must not call cudasim_launch. */
cudaError_t cudasim_check_launch(const cudasim_launch_t *launch);
void        cudasim_check_argument(const cudasim_launch_t *launch, int index, const void *pointer);
cudaError_t cudasim_launch(const cudasim_launch_t *launch);
}

namespace cudasim {

struct configuration {
    dim3         grid, block;
    size_t       shared_bytes;
    cudaStream_t stream;
    configuration(dim3 g, dim3 b, size_t s = 0, cudaStream_t st = nullptr) : grid(g), block(b), shared_bytes(s), stream(st) {}
};

template <class A> static inline void check_argument(const cudasim_launch_t &launch, int index, A argument)
{
    if constexpr (std::is_pointer_v<A>) {
        if constexpr (!std::is_function_v<std::remove_pointer_t<A>>)
            if (argument) cudasim_check_argument(&launch, index, (const void *)argument);
    }
    (void)launch, (void)index, (void)argument;
}

/* A launch through a function pointer captures that pointer, so the runtime can find the kernel's address there. */
template <class F> static inline const void *captured_function(const F &invoke)
{
    if constexpr (!std::is_empty_v<F> && std::is_trivially_copyable_v<F>) return cudasim_find_function(&invoke, sizeof invoke);
    (void)invoke;
    return nullptr;
}

template <class F> static inline cudaError_t submit(cudasim_launch_t launch, F body)
{
    launch.call           = [](void *arguments) { (*(F *)arguments)(); };
    launch.destroy        = [](void *arguments) { delete (F *)arguments; };
    launch.arguments      = new F(std::move(body)); /* arguments are copied at launch, as on a GPU */
    launch.arguments_size = sizeof(F);
    return cudasim_launch(&launch);
}

/* A kernel that is an expression, such as table[i].kernel, is evaluated here, at the launch. */
template <class... P, class... A> static inline void run_pointer(cudasim_launch_t launch, void (*kernel)(P...), A... arguments)
{
    launch.function       = (const void *)kernel;
    launch.arguments_size = (sizeof(A) + ... + 0);
    if (cudasim_check_launch(&launch) != cudaSuccess) return;
    int index = 0;
    (check_argument(launch, ++index, arguments), ...);
    (void)index;
    submit(launch, [=]() { kernel(arguments...); });
}

struct launcher {
    cudasim_launch_t launch;
    launcher(const char *file, int line, const char *text, const configuration &c) : launch{}
    {
        launch.file         = file;
        launch.line         = line;
        launch.text         = text;
        launch.grid         = c.grid;
        launch.block        = c.block;
        launch.shared_bytes = c.shared_bytes;
        launch.stream       = c.stream;
    }
    template <class F, class... A> void run(F invoke, A... arguments)
    {
        launch.function       = captured_function(invoke);
        launch.arguments_size = (sizeof(A) + ... + 0);
        if (cudasim_check_launch(&launch) != cudaSuccess) return;
        int index = 0;
        (check_argument(launch, ++index, arguments), ...);
        (void)index;
        submit(launch, [=]() { invoke(arguments...); });
    }
};

/* cudaLaunchKernel and cudaLaunchCooperativeKernel: `arguments` holds the address of each argument. */
template <class... P, size_t... I>
static inline cudaError_t launch_with_pointers(cudasim_launch_t launch, void (*kernel)(P...), void **arguments,
                                               std::index_sequence<I...>)
{
    (void)arguments;
    launch.text           = "kernel";
    launch.function       = (const void *)kernel;
    launch.arguments_size = (sizeof(P) + ... + 0);
    if (cudaError_t error = cudasim_check_launch(&launch)) return error;
    std::tuple<std::remove_cv_t<std::remove_reference_t<P>>...> values(
        *(std::remove_cv_t<std::remove_reference_t<P>> *)arguments[I]...);
    (check_argument(launch, (int)I + 1, std::get<I>(values)), ...);
    return submit(launch, [=]() { std::apply(kernel, values); });
}

} // namespace cudasim

#define CUDASIM_UNPAREN(...) __VA_ARGS__
#define CUDASIM_LAUNCH(kernel, configuration_, ...)                                                                            \
    ::cudasim::launcher(__FILE__, __LINE__, #kernel, ::cudasim::configuration(CUDASIM_UNPAREN configuration_))                 \
        .run([=](auto... cudasim_arguments) { kernel(cudasim_arguments...); } __VA_OPT__(, ) __VA_ARGS__)

/* The same for a kernel given by an expression of pointer type, evaluated at the launch; not for templates and overloads. */
#define CUDASIM_LAUNCH_POINTER(kernel, configuration_, ...)                                                                    \
    ::cudasim::run_pointer(                                                                                                    \
        ::cudasim::launcher(__FILE__, __LINE__, #kernel, ::cudasim::configuration(CUDASIM_UNPAREN configuration_)).launch,     \
        (kernel)__VA_OPT__(, ) __VA_ARGS__)

#endif
