/* ga_launch: kernels in threads and blocks, on arrays, pointers and numbers; and what it says of launches that cannot be. */
#include "test.h"

/* A C string that the error must hold, and no launch: the array of the test keeps its values. */
static bool refused(bool launched, ga_status status, const char *words)
{
    bool ok = !launched && ga_error_status() == status && ga_error() && strstr(ga_error(), words);
    if (!ok) printf("     expected \"%s\", got %s: %s\n", words, launched ? "a launch" : "no launch", ga_error() ? ga_error() : "no error");
    ga_clear_error();
    return ok;
}

GA_KERNEL(nothing, ()) {}

GA_KERNEL(scale, (float *x, int64_t n, float by))
{
    int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    if (i < n) x[i] *= by;
}

GA_KERNEL(count_places, (int *count, int width, int height))
{
    int x = (int)(blockIdx.x * blockDim.x + threadIdx.x), y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (x < width && y < height) atomicAdd(&count[y * width + x], (int)(1 + blockIdx.z));
}

/* Each block turns its part of x round: shared memory of a size that is known when it is launched, and a barrier. */
GA_KERNEL(turn_round, (const long long *x, long long *y))
{
    extern __shared__ long long part[];
    unsigned                    last = blockDim.x - 1, first = blockIdx.x * blockDim.x;
    part[threadIdx.x] = x[first + threadIdx.x];
    __syncthreads();
    y[first + threadIdx.x] = part[last - threadIdx.x];
}

/* The last place of the shared memory is used too. */
GA_KERNEL(touch_shared, (uint8_t *out, int64_t bytes))
{
    extern __shared__ uint8_t room[];
    room[bytes - 1] = 7;
    *out            = room[bytes - 1];
}

GA_KERNEL(with_tile, (double *out))
{
    __shared__ double tile[1024];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

template <class T> __global__ void add_one(T *x, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) x[i] = (T)(x[i] + 1);
}

__global__ void add_pairs(const float2 *x, float *sums, int n)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) sums[i] = x[i].x + x[i].y;
}

static void launches(void)
{
    const int n = 1000;
    CHECK(ga_blocks(0, 256) == 0 && ga_blocks(1, 256) == 1 && ga_blocks(256, 256) == 1 && ga_blocks(257, 256) == 2);
    CHECK(ga_blocks((int64_t)1 << 40, 1024) == (int64_t)1 << 30 && ga_blocks(-5, 256) == 0 && ga_blocks(5, 0) == 0);
    ga_scope
    {
        ga_array *x = ga_full((n), 3, .dtype = GA_F32), *want = ga_full((n), 6, .dtype = GA_F32, .device = GA_CPU);
        CHECK(ga_launch(nothing, 1, 1, ()));
        CHECK(ga_launch(scale, ga_blocks(n, 256), 256, (x, n, 2)));
        CHECK(ga_array_equal(x, want));
        /* a view stands for its own first element; plain pointers and dim3 are passed as they are */
        CHECK(ga_launch(scale, dim3(1), dim3(32), (ga_index(x, "990:"), 10, 0.5f)));
        CHECK(ga_item(ga_sum(x)) == 6 * 990 + 3 * 10);
        CHECK(ga_launch(scale, 4, 250, ((float *)ga_cuda_data(x, GA_F32), x->size, 2.0)));
        CHECK(ga_item(ga_sum(x)) == 12 * 990 + 6 * 10);

        ga_array *places = ga_zeros((30, 50), .dtype = GA_I32);
        CHECK(ga_launch(count_places, dim3(4, 2, 2), dim3(16, 16), (places, 50, 30)));
        CHECK(ga_item(ga_min(places)) == 3 && ga_item(ga_max(places)) == 3);

        ga_array *numbers = ga_arange(0, 1024, 1, .dtype = GA_I64), *turned = ga_zeros_like(numbers);
        CHECK(ga_launch(turn_round, 8, 128, (numbers, turned), .shared = 128 * sizeof(long long)));
        CHECK(ga_array_equal(turned, ga_ravel(ga_index(ga_reshape(numbers, (8, 128)), ":, ::-1"))));

        ga_array *bytes = ga_zeros((3), .dtype = GA_U8);
        CHECK(ga_launch(add_one<uint8_t>, 1, 32, (bytes, bytes->size)));
        CHECK(ga_item(ga_sum(bytes)) == 3);
        CHECK(ga_launch(touch_shared, 1, 1, (bytes, 60000), .shared = 60000)); /* more than a kernel has without being asked */
        CHECK(ga_item(ga_sum(bytes)) == 9);
        ga_array *tile = ga_zeros((1024));
        CHECK(ga_launch(with_tile, 1, 1024, (tile)) && ga_item_at(tile, 0) == 1023 && ga_item_at(tile, 1023) == 0);
        /* elements of a type that gpuarr does not know: any dtype is taken */
        ga_array *pairs = ga_ones((4, 2), .dtype = GA_F32), *sums = ga_zeros((4), .dtype = GA_F32);
        CHECK(ga_launch(add_pairs, 1, 4, (pairs, sums, 4)) && ga_item(ga_sum(sums)) == 8);
        CHECK(ga_error() == NULL);
    }
}

/* A kernel on a stream of its own comes after what gpuarr has queued on its arrays, and before what gpuarr queues later. */
static void streams(void)
{
    const int n = 20000;
    ga_stream s = ga_stream_new(), t = ga_stream_new();
    ga_scope
    {
        ga_array *x = ga_ones((n), .dtype = GA_F32);
        ga_add(x, 1, .out = x);
        CHECK(ga_launch(scale, ga_blocks(n, 256), 256, (x, n, 3), .stream = s));
        CHECK(ga_launch(scale, ga_blocks(n, 256), 256, (x, n, 5), .stream = t));
        ga_add(x, 1, .out = x);
        CHECK(ga_set_stream(s) && ga_launch(scale, ga_blocks(n, 256), 256, (x, n, 2)) && ga_set_stream(NULL));
        CHECK(ga_item(ga_min(x)) == 62 && ga_item(ga_max(x)) == 62);
        CHECK(ga_error() == NULL);
    }
    ga_stream_free(s);
    ga_stream_free(t);
}

static void refusals(void)
{
    ga_set_error_handler(ga_ignore_error, NULL);
    ga_scope
    {
        ga_array *x = ga_ones((64), .dtype = GA_F32), *on_cpu = ga_ones((64), .dtype = GA_F32, .device = GA_CPU);
        ga_array *doubles = ga_ones((64)), *none = NULL;
        CHECK(refused(ga_launch(scale, 0, 256, (x, 64, 2)), GA_BAD_ARGUMENT, "a grid of 0 x 1 x 1 blocks is empty"));
        CHECK(refused(ga_launch(scale, ga_blocks(0, 256), 256, (x, 64, 2)), GA_BAD_ARGUMENT, "launch nothing"));
        CHECK(refused(ga_launch(scale, -1, 256, (x, 64, 2)), GA_BAD_ARGUMENT, "-1 x 1 x 1"));
        CHECK(refused(ga_launch(scale, dim3(1, 65536), 256, (x, 64, 2)), GA_BAD_ARGUMENT, "not 1 x 65536 x 1"));
        CHECK(refused(ga_launch(scale, (int64_t)1 << 31, 256, (x, 64, 2)), GA_BAD_ARGUMENT, "let each thread do several elements"));
        CHECK(refused(ga_launch(scale, 1, 1025, (x, 64, 2)), GA_BAD_ARGUMENT, "not 1025 x 1 x 1"));
        CHECK(refused(ga_launch(scale, 1, 0, (x, 64, 2)), GA_BAD_ARGUMENT, "not 0 x 1 x 1"));
        CHECK(refused(ga_launch(scale, 1, dim3(64, 64), (x, 64, 2)), GA_BAD_ARGUMENT, "64 x 64 x 1 has 4096 threads, and at most 1024"));
        CHECK(refused(ga_launch(scale, 1, dim3(1, 1, 65), (x, 64, 2)), GA_BAD_ARGUMENT, "1 x 1 x 65"));
        CHECK(refused(ga_launch(scale, 1, 64, (x, 64, 2), .shared = 1 << 20), GA_BAD_ARGUMENT, ".shared = 1048576"));
        CHECK(refused(ga_launch(scale, 1, 64, (x, 64, 2), .shared = -1), GA_BAD_ARGUMENT, ".shared = -1"));
        CHECK(refused(ga_launch(scale, 1, 64, (on_cpu, 64, 2)), GA_BAD_DEVICE, "argument 1, of shape (64,), is on the CPU"));
        CHECK(refused(ga_launch(scale, 1, 64, (doubles, 64, 2)), GA_BAD_DTYPE, "argument 1 is float64, and the kernel's parameter points to float32"));
        CHECK(refused(ga_launch(add_one<uint16_t>, 1, 64, (x, 64)), GA_BAD_DTYPE, "points to uint16"));
        CHECK(refused(ga_launch(add_pairs, 1, 4, (x, ga_index(x, "::2"), 4)), GA_BAD_SHAPE, "argument 2"));
        CHECK(refused(ga_launch(scale, 1, 64, (none, 64, 2)), GA_BAD_ARGUMENT, "argument 1 is NULL"));
        CHECK(refused(ga_launch(scale, 1, 64, (ga_zeros((0), .dtype = GA_F32), 0, 2)), GA_BAD_SHAPE, "is empty"));
        ga_launch(scale, 1, 2000, (x, 64, 2)); /* the sentence begins with the place and the call */
        CHECK(ga_error() && strstr(ga_error(), "launch.cu:") && strstr(ga_error(), "ga_launch(scale, 1, 2000, (x, 64, 2))"));
        ga_clear_error();
        /* nothing of that has run, and no error is left behind in CUDA */
        CHECK(ga_item(ga_sum(x)) == 64 && cudaGetLastError() == cudaSuccess && ga_error() == NULL);
    }
    ga_set_error_handler(NULL, NULL);
}

int main(void)
{
    test_begin();
    launches();
    streams();
    refusals();
    (ga_synchronize)();
    return test_end();
}
