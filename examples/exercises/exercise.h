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
    if (std::is_floating_point<T>::value)
        return std::fabs((double)got - (double)expected) <= tolerance * (1 + std::fabs((double)expected));
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
static inline bool ex_same_values(const char *name, const std::vector<T> &got, const std::vector<T> &expected, double tolerance,
                                  size_t width)
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
    if (untouched == n)
        return ex_wrong("no element of %s was written", name),
               ex_hint("is the kernel launched, and does it store its result there?"), false;
    if (ex_untouched(got[first])) ex_wrong("%s was not written by any thread, expected %g", place, (double)expected[first]);
    else ex_wrong("%s is %g, expected %g", place, (double)got[first], (double)expected[first]);
    char words[200];
    if (wrong == 1) snprintf(words, sizeof words, "that is the only wrong element of %zu", n);
    else if (wrong == n) snprintf(words, sizeof words, "all %zu elements are wrong", n);
    else if (wrong == last - first + 1 && last == n - 1)
        snprintf(words, sizeof words, "and so on to the end: the last %zu of %zu elements are wrong", wrong, n);
    else if (wrong == last - first + 1)
        snprintf(words, sizeof words, "%zu elements in a row are wrong, to %s", wrong, ex_place(name, last, width));
    else snprintf(words, sizeof words, "%zu of %zu elements are wrong, the last is %s", wrong, n, ex_place(name, last, width));
    ex_hint(words);
    return false;
}

/* The same for a result on the GPU. */
template <class T>
static inline bool ex_same(const char *name, const T *on_gpu, const std::vector<T> &expected, double tolerance = 0,
                           size_t width = 0)
{
    std::vector<T> got(expected.size());
    if (!ex_fine(cudaMemcpy(got.data(), on_gpu, got.size() * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy of the result"))
        return false;
    return ex_same_values(name, got, expected, tolerance, width);
}

/* ---- which thread used which element ------------------------------------------------------------------------------------ */
/*  floats is a float * for kernels that notes its uses, where an ex_watch is given: the checker asks how many sectors of memory
    a warp needed, or how often an array was used at all.                                                                        */

struct ex_watch {
    int                threads, room; /* of so many threads the first `room` uses are noted */
    int               *uses;          /* of each thread */
    size_t            *element;       /* [thread * room + use] */
    unsigned long long total;
};

template <class T> struct ex_array {
    T                            *p;
    ex_watch                     *watch;
    __device__ __forceinline__ T &operator[](size_t i) const
    {
        if (watch) note(i);
        return p[i];
    }
    __device__ void note(size_t i) const
    {
        size_t in_block = blockDim.x * (blockDim.y * threadIdx.z + threadIdx.y) + threadIdx.x;
        size_t block    = gridDim.x * ((size_t)gridDim.y * blockIdx.z + blockIdx.y) + blockIdx.x;
        size_t thread =
            (blockDim.x * blockDim.y * blockDim.z + 31) / 32 * 32 * block + in_block; /* warps begin at multiples of 32 */
        atomicAdd(&watch->total, 1ull);
        if (thread >= (size_t)watch->threads) return;
        int use = watch->uses[thread]++;
        if (use < watch->room) watch->element[thread * watch->room + use] = i;
    }
};
typedef ex_array<float>    floats;
typedef ex_array<unsigned> counters;

static inline ex_watch *ex_watch_begin(int threads, int room)
{
    ex_watch *w = nullptr;
    ex_fine(cudaMallocManaged(&w, sizeof *w), "cudaMallocManaged");
    ex_fine(cudaMallocManaged(&w->uses, threads * sizeof(int)), "cudaMallocManaged");
    ex_fine(cudaMallocManaged(&w->element, (size_t)threads * room * sizeof(size_t)), "cudaMallocManaged");
    w->threads = threads, w->room = room, w->total = 0;
    memset(w->uses, 0, threads * sizeof(int));
    for (void *p : { (void *)w->uses, (void *)w->element, (void *)w }) ex_memory.push_back(p);
    return w;
}

/* Were the uses of an array of 4-byte elements coalesced? Call it after ex_ran. */
static inline bool ex_coalesced(const char *name, const ex_watch *w)
{
    double needed = 0, enough = 0, worst = 0;
    size_t worst_sectors = 0, worst_enough = 1, one = 0, other = 0;
    for (int warp = 0; warp < w->threads; warp += 32) {
        for (int use = 0; use < w->room; use++) {
            std::vector<size_t> elements, sectors;
            for (int t = warp; t < warp + 32; t++)
                if (w->uses[t] > use) elements.push_back(w->element[(size_t)t * w->room + use]);
            for (size_t e : elements) {
                bool known = false;
                for (size_t s : sectors) known = known || s == e / 8;
                if (!known) sectors.push_back(e / 8);
            }
            if (elements.empty()) continue;
            size_t least = (elements.size() + 7) / 8;
            needed += (double)sectors.size(), enough += (double)least;
            if ((double)sectors.size() / (double)least <= worst) continue;
            worst         = (double)sectors.size() / (double)least;
            worst_sectors = sectors.size(), worst_enough = least, one = elements[0], other = elements[elements.size() > 1];
        }
    }
    if (enough == 0) return ex_wrong("%s was never used", name);
    if (needed <= 1.6 * enough) return true;
    ex_wrong("the result is right, but a warp needs %zu sectors of 32 bytes for one use of %s, where %zu would do",
             worst_sectors, name, worst_enough);
    printf("       (its first thread uses %s[%zu], and at the same time its second one %s[%zu])\n", name, one, name, other);
    return false;
}

/* ---- which copies were made, and who waited ------------------------------------------------------------------------------- */
/*  Between ex_copies_begin and ex_copies_end the exercise's calls to cudaMemcpyAsync and to what waits for a GPU are counted. */

struct ex_copies {
    bool                      on, busy; /* busy: at the end, work was still under way */
    int                       count, streams, waits;
    size_t                    to_host; /* bytes, by any copy */
    std::vector<cudaStream_t> seen;
};
static ex_copies ex_counted;

static inline void      ex_copies_begin() { ex_counted = ex_copies(), ex_counted.on = true; }
static inline ex_copies ex_copies_end()
{
    ex_counted.on      = false;
    ex_counted.streams = (int)ex_counted.seen.size();
    ex_counted.busy    = cudaStreamQuery(0) == cudaErrorNotReady; /* the default stream waits for the others */
    cudaGetLastError();
    return ex_counted;
}

/* These stand before CUDA's own functions in the exercises, and call them. */
#define EX_COUNTED static inline __attribute__((always_inline)) cudaError_t
EX_COUNTED ex_memcpy_async(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream = 0)
{
    if (ex_counted.on) {
        bool known = false;
        for (cudaStream_t s : ex_counted.seen) known = known || s == stream;
        if (!known) ex_counted.seen.push_back(stream);
        ex_counted.count++;
        if (kind == cudaMemcpyDeviceToHost) ex_counted.to_host += bytes;
    }
    return cudaMemcpyAsync(to, from, bytes, kind, stream);
}
EX_COUNTED ex_memcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    if (ex_counted.on) ex_counted.waits++;
    if (ex_counted.on && kind == cudaMemcpyDeviceToHost) ex_counted.to_host += bytes;
    return cudaMemcpy(to, from, bytes, kind);
}
EX_COUNTED ex_stream_synchronize(cudaStream_t stream)
{
    return ex_counted.waits += ex_counted.on, cudaStreamSynchronize(stream);
}
EX_COUNTED ex_device_synchronize() { return ex_counted.waits += ex_counted.on, cudaDeviceSynchronize(); }

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

#ifdef EX_COUNT_COPIES
#define cudaMemcpyAsync(...)       ex_memcpy_async(__VA_ARGS__)
#define cudaMemcpy(...)            ex_memcpy(__VA_ARGS__)
#define cudaStreamSynchronize(...) ex_stream_synchronize(__VA_ARGS__)
#define cudaDeviceSynchronize(...) ex_device_synchronize(__VA_ARGS__)
#endif

#endif
