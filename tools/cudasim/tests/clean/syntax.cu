// Launches and shared variables in every shape that a rewriter could stumble over: k<<<1, 2>>>(in a comment)
// expect: k<<<1, 2>>>("text") stays text
// expect: raw )" k<<<3, 4>>>() text
// expect: one 1 two 2 three 3 four 4
// expect: template 12 nested 6 alone 40
// expect: macro 5 pointer 6 table 7 member 8
// expect: shapes 1 2 3 4 5 6 7 8
// expect: file-wide 21 rows 42
// expect: lines right
// clang-format off
#include "check.h"
#if 0
nobody compiles this: k<<<1, 2>>>(x and <<<<< and __shared__ int x = 1
#endif

__global__ void store(int *at, int value) { *at = value; }
__global__ void nothing() {}

namespace outer {
namespace inner {
template <class T, int N> __global__ void product(T *at, T value) { *at = value * N; }
} // namespace inner
template <class A, class B> struct pair {
    A a;
    B b;
};
} // namespace outer

template <class P> __global__ void nested(int *at, P p) { *at = p.a + p.b; }
template <class T> __global__ void deduced(T *at, T value) { *at = value; }

struct launcher {
    void (*kernel)(int *, int);
    void go(int *at) { this->kernel<<<1, 1>>>(at, 8); }
};

#define LAUNCH(kernel, grid, block, ...) kernel<<<grid, block>>>(__VA_ARGS__)
#define LAUNCH_LONG(kernel, ...)                                                                                               \
    do {                                                                                                                       \
        kernel<<<1,                                                                                                            \
                 1>>>(__VA_ARGS__);                                                                                            \
    } while (0)
#define SHARED(type, name, n) __shared__ type name[n]
#define TILE 4
#define ONE 1
#define SHAPE ONE, ONE

extern __shared__ int file_wide[];

__global__ void shapes(int *out)
{
    __shared__ int a, b[TILE], c[2][TILE + 1];
    __shared__ struct point {
        int x, y;
    } p[2];
    __shared__ struct {
        int z;
    } q;
    volatile __shared__ int v[TILE];
    __shared__ __align__(16) unsigned char bytes[32];
    static __shared__ outer::pair<int, short> pairs[2], *first;
    __shared__ int (*row)[TILE + 1];
    SHARED(int, m, 3);
    SHARED(float, f, 3);
    point copy;
    if (threadIdx.x == 0) {
        a = 1, b[1] = 2, c[1][TILE] = 3;
        p[1].y = 4, q.z = 5, v[2] = 6;
        pairs[1].b = 7;
        m[2] = 8, f[2] = 1.0f, bytes[31] = 9;
        first = &pairs[1], row = &c[1];
    }
    __syncthreads();
    copy.x = first->b;
    if (threadIdx.x == 1) {
        out[0] = a, out[1] = b[1], out[2] = (*row)[TILE], out[3] = p[1].y, out[4] = q.z, out[5] = v[2], out[6] = copy.x;
        out[7] = f[2] == 1.0f && bytes[31] == 9 && sizeof b == TILE * sizeof(int) ? m[2] : 0;
    }
}

__global__ void dynamic(int *out)
{
    file_wide[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) *out = file_wide[10] + *(file_wide + 11);
}

__global__ void rows(int *out)
{
    extern __shared__ int r[][3];
    r[threadIdx.x][2] = 2 * threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) *out = r[10][2] + r[11][2];
}

static int  value;
static int *d;
static int  get()
{
    CHECK_KERNEL();
    CHECK(cudaMemcpy(&value, d, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}
typedef void (*kernel_pointer)(int *, int);
static kernel_pointer choose(int) { return store; }

int main()
{
    const char *text = "k<<<1, 2>>>(\"text\") stays text";
    const char *raw  = R"x(raw )" k<<<3, 4>>>() text)x";
    int         big = 1'000, quote = '"', check = '\'';
    printf("%s\n%s\n", text, raw);
    CHECK(cudaMalloc(&d, 64));
    CHECK(cudaMemset(d, 0, 64));
    int one, two, three, four;
    if (big == 1000) store<<<1, 1>>>(d, 1);
    else store <<< 1, 1 >>> (d, 100);
    one = get();
    store<<<dim3(1, 1), dim3{ 1, 1, 1 }, 0, (cudaStream_t)0>>>(d, 2);
    two = get();
    store<<<
        (1 + 255) / 256, // a comment, with a comma
        1
    >>>(
        d, /* and ) another ( one */
        3);
    three = get();
    store<<<SHAPE, sizeof(outer::pair<int, int>)>>>(d, [](int a, int b) { return a < b ? a : b; }(4, 5));
    four = get();
    printf("one %d two %d three %d four %d\n", one, two, three, four);
    outer::inner::product<int, 4><<<1, 1>>>(d, 3);
    int t = get();
    nested<outer::pair<int, short>><<<1, (1 > 0 ? 1 : 2)>>>(d, outer::pair<int, short>{ 2, 4 });
    int n = get();
    ::deduced<<<1, 1>>>(d, 40);
    printf("template %d nested %d alone %d\n", t, n, get());
    LAUNCH(store, 1, 1, d, 5);
    int m = get();
    LAUNCH_LONG(nothing);
    choose(0)<<<1, 1>>>(d, 6);
    int            c        = get();
    kernel_pointer table[2] = { nullptr, store };
    table[1]<<<1, 1>>>(d, 7);
    int      k = get();
    launcher l = { store };
    l.go(d);
    printf("macro %d pointer %d table %d member %d\n", m, c, k, get());
    shapes<<<1, 32>>>(d);
    CHECK_KERNEL();
    int s[8];
    CHECK(cudaMemcpy(s, d, sizeof s, cudaMemcpyDeviceToHost));
    printf("shapes %d %d %d %d %d %d %d %d\n", s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]);
    dynamic<<<1, 32, 32 * sizeof(int)>>>(d);
    int w = get();
    rows<<<1, 32, 32 * 3 * sizeof(int)>>>(d);
    printf("file-wide %d rows %d\n", w, get());
    CHECK(cudaFree(d));
    printf("lines %s\n", __LINE__ == 158 && quote == 34 && check == 39 ? "right" : "wrong");
    return 0;
}
