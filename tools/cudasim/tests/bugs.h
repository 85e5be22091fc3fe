// bugs.h: what the programs of planted bugs share. BUG(name, words, options) { ... } is one of them; main() runs the one that is
// named, or lists them.
#pragma once
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

struct entry {
    const char *name, *words, *options;
    void (*run)();
};

inline std::vector<entry> &entries()
{
    static std::vector<entry> list;
    return list;
}

struct registered {
    registered(const char *name, const char *words, const char *options, void (*run)())
    {
        entries().push_back({ name, words, options, run });
    }
};

// options: lazy (found when stream work is kept back), devices=2, hangs (until CUDASIM_TIMEOUT), g++ (clang++ does not put a check there)
#define BUG(name, words, options)                                                                                              \
    static void       name();                                                                                                  \
    static registered name##_registered(#name, words, options, name);                                                          \
    static void       name()

constexpr int N = 256;

// N values on the device, set to 1
template <class T> T *ones(int n = N)
{
    std::vector<T> host(n, T(1));
    T             *d = nullptr;
    cudaMalloc(&d, n * sizeof(T));
    cudaMemcpy(d, host.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    return d;
}

// waits, and gives the memory back
template <class T> void finish(T *a, T *b = nullptr)
{
    cudaDeviceSynchronize();
    cudaFree(a);
    cudaFree(b);
}

inline cudaStream_t new_stream()
{
    cudaStream_t s = nullptr;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    return s;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        for (const entry &e : entries()) printf("%s|%s|%s\n", e.name, e.options, e.words);
        return 0;
    }
    for (const entry &e : entries()) {
        if (strcmp(argv[1], e.name) == 0) {
            e.run();
            return 0;
        }
    }
    fprintf(stderr, "no such bug: %s\n", argv[1]);
    return 2;
}
