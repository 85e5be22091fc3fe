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
    int    of_library; /* the kernel is part of cuBLAS or cuSOLVER: the text names the function that the program called */
    int    leaves;     /* call() does not return but ends the thread with cudasim_end_thread() */
};

extern "C" {
/* The first word of the object that is an address in the program's code; null if there is none. */
const void *cudasim_find_function(const void *object, size_t size);
/* Checks the configuration; on an error the caller must not call cudasim_launch. */
cudaError_t cudasim_check_launch(const cudasim_launch_t *launch);
void        cudasim_check_argument(const cudasim_launch_t *launch, int index, const void *pointer);
cudaError_t cudasim_launch(const cudasim_launch_t *launch);
/* Ends the running thread of a kernel, without the destructors of its arguments. */
void cudasim_end_thread(void) __attribute__((noreturn));
/* memcpy() as a function that returns an object: the caller passes the place for the object as if it were the first argument. */
void *cudasim_return_bytes(void *object, const void *bytes, size_t size);
}

namespace cudasim {

struct configuration {
    dim3         grid, block;
    size_t       shared_bytes;
    cudaStream_t stream;
    configuration(dim3 g, dim3 b, size_t s = 0, cudaStream_t st = nullptr) : grid(g), block(b), shared_bytes(s), stream(st) {}
};

template <class A> static inline void check_argument(const cudasim_launch_t &launch, int index, const A &argument)
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

/* An argument that has a copy constructor or a destructor.  As on a GPU these run on the host, at the launch: the kernel gets the
 * bytes of the host's copy. */
template <class A> struct bitwise {
    alignas(A) unsigned char bytes[sizeof(A)];
};

/* Does a call pass the type by reference to an object that the caller constructs and destroys? */
template <class A>
constexpr bool has_life =
    !std::is_trivially_destructible_v<A> || (std::is_copy_constructible_v<A> && !std::is_trivially_copy_constructible_v<A>) ||
    (std::is_move_constructible_v<A> && !std::is_trivially_move_constructible_v<A>);

template <class A> static inline auto keep(const A &argument)
{
    if constexpr (has_life<A>) {
        bitwise<A> kept;
        memcpy(kept.bytes, (const void *)&argument, sizeof(A));
        return kept;
    } else return argument;
}

/* What a thread passes to the kernel for an argument that was kept. */
template <class A> static inline const A &pass(const A &kept) { return kept; }

/* No constructor runs: the function returns the object as a call that the compiler cannot see into would, in the place of the
 * kernel's parameter. */
template <class A>
#if defined(__clang__)
__attribute__((no_sanitize("function")))
#endif
static inline A
pass(const bitwise<A> &kept)
{
    using function = A (*)(const void *, size_t);
    return ((function)(void *)cudasim_return_bytes)(kept.bytes, sizeof(A));
}

template <class K> struct is_bitwise : std::false_type {
};
template <class A> struct is_bitwise<bitwise<A>> : std::true_type {
};

/* Comes behind the kernel in one expression, so before the destructors of its parameters. */
template <class... K> static inline void end_thread(const K &...)
{
    if constexpr ((is_bitwise<K>::value || ...)) cudasim_end_thread();
}

/* The values are what keep() made of the arguments. */
template <class F, class... K> static inline cudaError_t submit_kept(cudasim_launch_t launch, F invoke, K... values)
{
    launch.leaves = (is_bitwise<K>::value || ...);
    return submit(launch, [=]() { invoke(values...); });
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
    auto invoke = [=](const auto &...kept) { kernel(pass(kept)...), end_thread(kept...); };
    submit_kept(launch, invoke, keep<std::remove_cv_t<std::remove_reference_t<P>>>(arguments)...);
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
        submit_kept(launch, invoke, keep(arguments)...);
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
    (check_argument(launch, (int)I + 1, *(const std::remove_reference_t<P> *)arguments[I]), ...);
    auto invoke = [=](const auto &...kept) { kernel(pass(kept)...), end_thread(kept...); };
    return submit_kept(launch, invoke, keep(*(const std::remove_reference_t<P> *)arguments[I])...);
}

} // namespace cudasim

#define CUDASIM_UNPAREN(...) __VA_ARGS__
#define CUDASIM_LAUNCH(kernel, configuration_, ...)                                                                            \
    ::cudasim::launcher(__FILE__, __LINE__, #kernel, ::cudasim::configuration(CUDASIM_UNPAREN configuration_))                 \
        .run([=](const auto &...cudasim_kept) {                                                                                \
            kernel(::cudasim::pass(cudasim_kept)...), ::cudasim::end_thread(cudasim_kept...);                                  \
        } __VA_OPT__(, ) __VA_ARGS__)

/* The same for a kernel given by an expression of pointer type, evaluated at the launch; not for templates and overloads. */
#define CUDASIM_LAUNCH_POINTER(kernel, configuration_, ...)                                                                    \
    ::cudasim::run_pointer(                                                                                                    \
        ::cudasim::launcher(__FILE__, __LINE__, #kernel, ::cudasim::configuration(CUDASIM_UNPAREN configuration_)).launch,     \
        (kernel)__VA_OPT__(, ) __VA_ARGS__)

#endif
