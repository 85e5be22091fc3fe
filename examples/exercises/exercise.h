/*  exercise.h -- what the exercises share: inputs and outputs on the GPU, comparison with the expected result in words, times.
    You need not read it to do the exercises.

    Every exercise runs twice: EXERCISE=check with small sizes, under the checker of tools/cudasim; and EXERCISE=time, for the times.
    The functions that compare print what is wrong and where; `return ex_end();` at the end of main says whether all was right.   */
#ifndef EXERCISE_H
#define EXERCISE_H

#include <chrono>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <unistd.h>
#include <vector>

#ifdef __CUDASIM__
#define EX_SIMULATED 1
#else
#include <cuda_runtime.h>
#define EX_SIMULATED 0
#endif

/* ---- what the checker remembers ------------------------------------------------------------------------------------ */

static int                 ex_failures;
static std::vector<void *> ex_memory; /* on the GPU, freed by ex_end */

/* Prints one line that begins with "wrong:" and makes the exercise fail. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
static inline bool
ex_wrong(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("wrong: ");
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
    fflush(stdout);
    ex_failures++;
    return false;
}

/* A second line for what was wrong: why that may be. */
static inline void ex_hint(const char *words) { printf("       %s\n", words), fflush(stdout); }

static inline bool ex_mode(const char *mode) { return getenv("EXERCISE") && !strcmp(getenv("EXERCISE"), mode); }
/* The size of a problem: small for the checker; larger for times, and larger still on a GPU. */
static inline int ex_size(int checked, int simulated, int gpu)
{
    return ex_mode("check") ? checked : EX_SIMULATED ? simulated : gpu;
}

/* True if CUDA has no error to tell; else it says which, and where. */
static inline bool ex_fine(cudaError_t error, const char *what)
{
    if (error == cudaSuccess) return true;
    return ex_wrong("%s failed: %s (%s)", what, cudaGetErrorString(error), cudaGetErrorName(error));
}

/* After a launch: could the kernel start, and did it get through? Waits for it. */
static inline bool ex_ran(const char *kernel)
{
    char what[120];
    snprintf(what, sizeof what, "the launch of %s", kernel);
    if (!ex_fine(cudaGetLastError(), what)) return false;
    return ex_fine(cudaDeviceSynchronize(), kernel);
}

/* Between ex_quiet(true) and ex_quiet(false) nothing that is printed is seen; the second call returns how many lines it was. */
static inline int ex_quiet(bool quiet)
{
    static int   out = -1, err = -1;
    static FILE *hidden;
    int          lines = 0;
    fflush(stdout), fflush(stderr);
    if (quiet && !hidden && (hidden = tmpfile()) != nullptr) {
        out = dup(1), err = dup(2);
        dup2(fileno(hidden), 1), dup2(fileno(hidden), 2);
    } else if (!quiet && hidden) {
        dup2(out, 1), dup2(err, 2), close(out), close(err);
        rewind(hidden);
        for (int c; (c = getc(hidden)) != EOF;) lines += c == '\n';
        fclose(hidden), hidden = nullptr;
    }
    return lines;
}

/* The next launch is meant to fail. (cudasim would report one that cannot be; here it lets the launch fail in silence.) */
static inline void ex_next_launch_fails(bool yes)
{
#ifdef __CUDASIM__
    cudasim_fail("launch", yes ? 1 : 0);
#endif
    (void)yes;
}

/* ---- inputs and outputs on the GPU ----------------------------------------------------------------------------------- */

template <class T> static inline T *ex_allocate(size_t n)
{
    void *p = nullptr;
    if (!ex_fine(cudaMalloc(&p, n * sizeof(T)), "cudaMalloc")) exit(1);
    ex_memory.push_back(p);
    return (T *)p;
}

template <class T> static inline T *ex_input(const std::vector<T> &values)
{
    T *p = ex_allocate<T>(values.size());
    ex_fine(cudaMemcpy(p, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
    return p;
}

/* Memory for a result. Every byte is 0xff: -1 as an integer, NaN as a float. What still has it afterwards, nobody wrote. */
template <class T> static inline T *ex_output(size_t n)
{
    T *p = ex_allocate<T>(n);
    ex_fine(cudaMemset(p, 0xff, n * sizeof(T)), "cudaMemset");
    return p;
}

/* Numbers that look random and are the same everywhere: 0 <= ex_random(i) < 1. */
static inline double ex_random(uint64_t i)
{
    i = (i + 1) * 0x9e3779b97f4a7c15ull;
    i = (i ^ i >> 30) * 0xbf58476d1ce4e5b9ull;
    i = (i ^ i >> 27) * 0x94d049bb133111ebull;
    return (double)((i ^ i >> 31) >> 11) * 0x1p-53;
}
static inline std::vector<float> ex_floats(size_t n, uint64_t seed = 0)
{
    std::vector<float> v(n);
    for (size_t i = 0; i < n; i++) v[i] = (float)ex_random(seed * 1000003 + i);
    return v;
}

/* ---- comparison ------------------------------------------------------------------------------------------------------- */

template <class T> static inline bool ex_untouched(T x)
{
    T fresh;
    memset(&fresh, 0xff, sizeof fresh);
    return !memcmp(&x, &fresh, sizeof x);
}

template <class T> static inline bool ex_equal(T got, T expected, double tolerance)
{
    if (std::is_floating_point<T>::value) return std::fabs((double)got - (double)expected) <= tolerance * (1 + std::fabs((double)expected));
    return got == expected;
}

/* "name[7]" or, with a width, "name[row 1, column 3]" */
static inline const char *ex_place(const char *name, size_t i, size_t width)
{
    static char text[2][96];
    static int  turn;
    char       *s = text[turn ^= 1];
    if (width) snprintf(s, sizeof text[0], "%s[row %zu, column %zu]", name, i / width, i % width);
    else snprintf(s, sizeof text[0], "%s[%zu]", name, i);
    return s;
}

/* Says in words how a result differs from the expected one: where, expected against got, and what kind of mistake that looks like. */
template <class T>
static inline bool ex_same_values(const char *name, const std::vector<T> &got, const std::vector<T> &expected, double tolerance, size_t width)
{
    size_t n = expected.size(), wrong = 0, untouched = 0, first = n, last = 0;
    for (size_t i = 0; i < n; i++) {
        if (ex_equal(got[i], expected[i], tolerance)) continue;
        wrong++;
        if (ex_untouched(got[i])) untouched++;
        if (first == n) first = i;
        last = i;
    }
    if (!wrong) return true;
    const char *place = ex_place(name, first, width);
    if (untouched == n) return ex_wrong("no element of %s was written", name), ex_hint("is the kernel launched, and does it store its result there?"), false;
    if (ex_untouched(got[first])) ex_wrong("%s was not written by any thread, expected %g", place, (double)expected[first]);
    else ex_wrong("%s is %g, expected %g", place, (double)got[first], (double)expected[first]);
    char words[200];
    if (wrong == 1) snprintf(words, sizeof words, "that is the only wrong element of %zu", n);
    else if (wrong == n) snprintf(words, sizeof words, "all %zu elements are wrong", n);
    else if (wrong == last - first + 1 && last == n - 1) snprintf(words, sizeof words, "and so on to the end: the last %zu of %zu elements are wrong", wrong, n);
    else if (wrong == last - first + 1) snprintf(words, sizeof words, "%zu elements in a row are wrong, to %s", wrong, ex_place(name, last, width));
    else snprintf(words, sizeof words, "%zu of %zu elements are wrong, the last is %s", wrong, n, ex_place(name, last, width));
    ex_hint(words);
    return false;
}

/* The same for a result on the GPU. */
template <class T>
static inline bool ex_same(const char *name, const T *on_gpu, const std::vector<T> &expected, double tolerance = 0, size_t width = 0)
{
    std::vector<T> got(expected.size());
    if (!ex_fine(cudaMemcpy(got.data(), on_gpu, got.size() * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy of the result")) return false;
    return ex_same_values(name, got, expected, tolerance, width);
}

/* ---- times -------------------------------------------------------------------------------------------------------------- */

/* The shortest of several runs. It is written to the file that EXERCISE_TIMES names; `make exercise-07` shows it beside the time of
   the solution. */
template <class F> static inline void ex_time(const char *name, F run)
{
    if (!ex_mode("time") || ex_failures) return;
    double best = 1e30;
    for (int i = 0; i < (EX_SIMULATED ? 4 : 30); i++) {
        cudaDeviceSynchronize();
        auto from = std::chrono::steady_clock::now();
        run();
        cudaDeviceSynchronize();
        double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
        if (i && seconds < best) best = seconds; /* the first one warms up */
    }
    FILE *file = getenv("EXERCISE_TIMES") ? fopen(getenv("EXERCISE_TIMES"), "a") : nullptr;
    if (!file) return;
    fprintf(file, "%s\t%.9f\n", name, best);
    fclose(file);
}

/* ---- the end ------------------------------------------------------------------------------------------------------------ */

static inline int ex_end()
{
    ex_fine(cudaDeviceSynchronize(), "the work on the GPU");
    for (void *p : ex_memory) cudaFree(p);
    ex_memory.clear();
    return ex_failures ? 1 : 0;
}

#endif
