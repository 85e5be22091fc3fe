/*  The distance matrices of the course on NumPy, CuPy and Numba: whole arrays, a matrix product, loops, and the call for it.
        cc distances.c -lm -lpthread && ./a.out
        nvcc -x cu -std=c++17 -arch=native distances.c && ./a.out --device cuda
    Options: --device cpu|cuda, --out DIR, --points N, --features N (coordinates of a point).                                */
#define GPUARR_STATIC
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Points in groups, one group behind the other. */
static ga_array *scatter(int64_t n, int64_t features, uint64_t seed)
{
    const int groups  = 6;
    ga_array *centers = ga_multiply(ga_random((groups, features), .seed = 1), 10);
    ga_array *i       = ga_arange(0, n, 1);
    ga_array *group   = ga_eval("i * groups // n", (i, groups, n));
    return ga_add(ga_take(centers, group, .axis = 0), ga_random_normal(0, 1, (n, features), .seed = seed));
}

/* ---- the ways ---------------------------------------------------------------------------------------------------------- */

/* x and y are (points, features) each. What is summed has points x points x features elements. */
static ga_array *whole_euclidean(const ga_array *x, const ga_array *y)
{
    return ga_eval("diff = x[:, newaxis, :] - y[newaxis, :, :]; sum(diff*diff, axis=2)", (x, y));
}
static ga_array *whole_cityblock(const ga_array *x, const ga_array *y)
{
    return ga_eval("diff = x[:, newaxis, :] - y[newaxis, :, :]; sum(abs(diff), axis=2)", (x, y));
}

/* sum((x - y)**2) = x.x + y.y - 2 x.y, and all the x.y are a matrix product. There is none for the cityblock distance. */
static ga_array *product_euclidean(const ga_array *x, const ga_array *y)
{
    ga_array *xy = ga_dot(x, ga_transpose(y));
    return ga_eval("x2 = sum(x*x, axis=1)[:, newaxis]; y2 = sum(y*y, axis=1)[newaxis, :]; abs(x2 + y2 - 2*xy)", (x, y, xy));
}

/* What Numba compiles: a loop over the features of each pair. On the CPU. */
static ga_array *loops(const ga_array *x, const ga_array *y, bool cityblock)
{
    const int64_t rows = x->shape[0], columns = y->shape[0], features = x->shape[1];
    ga_array     *result = ga_empty((rows, columns), .device = GA_CPU);
    const double *from = (const double *)ga_data(x, GA_F64), *to = (const double *)ga_data(y, GA_F64);
    double       *out = (double *)ga_data(result, GA_F64);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            double sum = 0;
            for (int64_t k = 0; k < features; k++) {
                double d = from[i * features + k] - to[j * features + k];
                sum += cityblock ? fabs(d) : d * d;
            }
            out[i * columns + j] = sum;
        }
    return result;
}
static ga_array *loops_euclidean(const ga_array *x, const ga_array *y) { return loops(x, y, false); }
static ga_array *loops_cityblock(const ga_array *x, const ga_array *y) { return loops(x, y, true); }

static ga_array *cdist_euclidean(const ga_array *x, const ga_array *y) { return ga_cdist(x, y, .metric = GA_SQEUCLIDEAN); }
static ga_array *cdist_cityblock(const ga_array *x, const ga_array *y) { return ga_cdist(x, y, .metric = GA_CITYBLOCK); }

/* ---- times and differences ---------------------------------------------------------------------------------------------- */

typedef ga_array *(*way)(const ga_array *x, const ga_array *y);

typedef struct run {
    way             call;
    const ga_array *x, *y;
} run;

static void once(void *user)
{
    const run *r = (const run *)user;
    r->call(r->x, r->y);
}

static double largest_difference(const ga_array *a, const ga_array *b)
{
    ga_array *got = ga_to(a, GA_CPU), *wanted = ga_to(b, GA_CPU);
    return ga_item(ga_eval("max(abs(got - wanted))", (got, wanted)));
}

/* A line with the best of five calls, and how far the result is from `wanted`. */
static void print_way(const char *name, way call, const ga_array *x, const ga_array *y, const ga_array *wanted)
{
    run                 r = { call, x, y };
    ga_benchmark_result t = ga_benchmark(once, &r, .repeat = 5, .warmup = 1, .max_seconds = 60, .quiet = true);
    printf("  %-36s %10.4g %12.2g\n", name, 1e3 * fmax(t.cpu.min, t.device.min), largest_difference(call(x, y), wanted));
}

int main(int argc, char **argv)
{
    ga_on_error(GA_EXIT); /* an error ends the program, and says why */
    const char *out = "out", *device = "cpu";
    char        path[4096];
    int64_t     n = 1000, features = 10;
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 < argc && !strcmp(argv[i], "--out")) out = argv[i + 1];
        else if (i + 1 < argc && !strcmp(argv[i], "--device")) device = argv[i + 1];
        else if (i + 1 < argc && !strcmp(argv[i], "--points")) n = atoll(argv[i + 1]);
        else if (i + 1 < argc && !strcmp(argv[i], "--features")) features = atoll(argv[i + 1]);
        else n = 0;
    }
    if (n < 2 || n > 100000 || features < 1 || features > 100000)
        return fputs("usage: distances [--device cpu|cuda] [--out DIR] [--points N] [--features N]\n", stderr), 2;
    if (!strcmp(device, "cuda")) ga_set_device(GA_CUDA);

    ga_scope {
        ga_array *x = scatter(n, features, 2), *y = scatter(n, features, 3);
        ga_array *x_here = ga_to(x, GA_CPU), *y_here = ga_to(y, GA_CPU); /* for the loops */
        ga_array *squares = whole_euclidean(x, y), *cityblock = whole_cityblock(x, y);
        printf("%lld x %lld distances of points with %lld coordinates, on the %s\n\n", (long long)n, (long long)n,
               (long long)features, ga_get_device() == GA_CUDA ? "GPU" : "CPU");
        printf("squared distances                            ms  largest difference\n");
        print_way("(x - y)**2, summed", whole_euclidean, x, y, squares);
        print_way("x.x + y.y - 2 x.y, a matrix product", product_euclidean, x, y, squares);
        print_way("loops in C, on the CPU", loops_euclidean, x_here, y_here, squares);
        print_way("ga_cdist", cdist_euclidean, x, y, squares);
        printf("cityblock distances\n");
        print_way("|x - y|, summed", whole_cityblock, x, y, cityblock);
        print_way("loops in C, on the CPU", loops_cityblock, x_here, y_here, cityblock);
        print_way("ga_cdist", cdist_cityblock, x, y, cityblock);

        ga_array *x_far = ga_add(x, 1e6), *y_far = ga_add(y, 1e6); /* the same distances */
        ga_array *exact = whole_euclidean(x_far, y_far);
        printf("\nAll points moved by 1e6, the matrix product is wrong by %.2g, ga_cdist by %.2g:\n",
               largest_difference(product_euclidean(x_far, y_far), exact),
               largest_difference(cdist_euclidean(x_far, y_far), exact));
        printf("the difference of two large numbers has lost its digits.\n");

        ga_array *pairs = ga_pdist(x), *matrix = ga_squareform(pairs), *distances = ga_cdist(x, y);
        bool      same = ga_array_equal(matrix, ga_cdist(x, x));
        printf("\nfrom x to y      smallest %.10g, mean %.10g, largest %.10g\n", ga_item(ga_min(distances)),
               ga_item(ga_mean(distances)), ga_item(ga_max(distances)));
        printf("pairs of x       %lld, smallest %.10g, mean %.10g; as a matrix %s\n", (long long)pairs->size,
               ga_item(ga_min(pairs)), ga_item(ga_mean(pairs)),
               same ? "they are ga_cdist(x, x)" : "THEY DIFFER FROM ga_cdist(x, x)");
        printf("cityblock        mean %.10g, largest %.10g\n", ga_item(ga_mean(cdist_cityblock(x, y))),
               ga_item(ga_max(cdist_cityblock(x, y))));

        mkdir(out, 0777);
        snprintf(path, sizeof path, "%s/distances.png", out);
        ga_imshow(path, distances, .cmap = "viridis", .colorbar = true, .title = "distances of points in six groups");
        printf("\n%s\n", path);
    }
    return 0;
}
