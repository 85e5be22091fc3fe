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

typedef struct points {
    ga_array *x, *y; /* (points, features) each */
} points;

/* Points in groups, one group behind the other. */
static ga_array *scatter(int64_t n, int64_t features, uint64_t seed)
{
    const int groups  = 6;
    ga_array *centers = ga_multiply(ga_random((groups, features), .seed = 1), 10);
    ga_array *group   = ga_floor_divide(ga_multiply(ga_arange(0, n, 1), groups), n);
    return ga_add(ga_take(centers, group, .axis = 0), ga_random_normal(0, 1, (n, features), .seed = seed));
}

/* ---- the ways ---------------------------------------------------------------------------------------------------------- */

/* diff = x[:, np.newaxis, :] - y[np.newaxis, :, :] is an array of points x points x features. */
static ga_array *differences(points p) { return ga_subtract(ga_index(p.x, ":, newaxis, :"), ga_index(p.y, "newaxis, :, :")); }
static ga_array *whole_euclidean(points p) { return ga_sum(ga_square(differences(p)), .axis = 2); }
static ga_array *whole_cityblock(points p) { return ga_sum(ga_absolute(differences(p)), .axis = 2); }

/* sum((x - y)**2) = x.x + y.y - 2 x.y, and all the x.y are a matrix product. There is none for the cityblock distance. */
static ga_array *product_euclidean(points p)
{
    ga_array *x2 = ga_index(ga_sum(ga_square(p.x), .axis = 1), ":, newaxis");
    ga_array *y2 = ga_index(ga_sum(ga_square(p.y), .axis = 1), "newaxis, :");
    ga_array *xy = ga_dot(p.x, ga_transpose(p.y));
    return ga_absolute(ga_subtract(ga_add(x2, y2), ga_multiply(2, xy)));
}

/* What Numba compiles: a loop over the features of each pair. On the CPU. */
static ga_array *loops(points p, bool cityblock)
{
    const int64_t rows = p.x->shape[0], columns = p.y->shape[0], features = p.x->shape[1];
    ga_array     *result = ga_empty((rows, columns), .device = GA_CPU);
    const double *x = (const double *)ga_data(p.x, GA_F64), *y = (const double *)ga_data(p.y, GA_F64);
    double       *out = (double *)ga_data(result, GA_F64);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            double sum = 0;
            for (int64_t k = 0; k < features; k++) {
                double d = x[i * features + k] - y[j * features + k];
                sum += cityblock ? fabs(d) : d * d;
            }
            out[i * columns + j] = sum;
        }
    return result;
}
static ga_array *loops_euclidean(points p) { return loops(p, false); }
static ga_array *loops_cityblock(points p) { return loops(p, true); }

static ga_array *cdist_euclidean(points p) { return ga_cdist(p.x, p.y, .metric = GA_SQEUCLIDEAN); }
static ga_array *cdist_cityblock(points p) { return ga_cdist(p.x, p.y, .metric = GA_CITYBLOCK); }

/* ---- times and differences ---------------------------------------------------------------------------------------------- */

typedef ga_array *(*way)(points);

typedef struct run {
    way    call;
    points p;
} run;

static void once(void *user)
{
    const run *r = (const run *)user;
    r->call(r->p);
}

static double largest_difference(const ga_array *a, const ga_array *b)
{
    return ga_item(ga_max(ga_absolute(ga_subtract(ga_to(a, GA_CPU), ga_to(b, GA_CPU)))));
}

/* A line with the best of five calls, and how far the result is from `wanted`. */
static void print_way(const char *name, way call, points p, const ga_array *wanted)
{
    run                 r = { call, p };
    ga_benchmark_result t = ga_benchmark(once, &r, .repeat = 5, .warmup = 1, .max_seconds = 60, .quiet = true);
    printf("  %-36s %10.4g %12.2g\n", name, 1e3 * fmax(t.cpu.min, t.device.min), largest_difference(call(p), wanted));
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
        points    p       = { scatter(n, features, 2), scatter(n, features, 3) };
        points    here    = { ga_to(p.x, GA_CPU), ga_to(p.y, GA_CPU) }; /* for the loops */
        ga_array *squares = whole_euclidean(p), *cityblock = whole_cityblock(p);
        printf("%lld x %lld distances of points with %lld coordinates, on the %s\n\n", (long long)n, (long long)n,
               (long long)features, ga_get_device() == GA_CUDA ? "GPU" : "CPU");
        printf("squared distances                            ms  largest difference\n");
        print_way("(x - y)**2, summed", whole_euclidean, p, squares);
        print_way("x.x + y.y - 2 x.y, a matrix product", product_euclidean, p, squares);
        print_way("loops in C, on the CPU", loops_euclidean, here, squares);
        print_way("ga_cdist", cdist_euclidean, p, squares);
        printf("cityblock distances\n");
        print_way("|x - y|, summed", whole_cityblock, p, cityblock);
        print_way("loops in C, on the CPU", loops_cityblock, here, cityblock);
        print_way("ga_cdist", cdist_cityblock, p, cityblock);

        points    far   = { ga_add(p.x, 1e6), ga_add(p.y, 1e6) }; /* the same distances */
        ga_array *exact = whole_euclidean(far);
        printf("\nAll points moved by 1e6, the matrix product is wrong by %.2g, ga_cdist by %.2g:\n",
               largest_difference(product_euclidean(far), exact), largest_difference(cdist_euclidean(far), exact));
        printf("the difference of two large numbers has lost its digits.\n");

        ga_array *pairs = ga_pdist(p.x), *matrix = ga_squareform(pairs), *distances = ga_cdist(p.x, p.y);
        bool      same = ga_array_equal(matrix, ga_cdist(p.x, p.x));
        printf("\nfrom x to y      smallest %.10g, mean %.10g, largest %.10g\n", ga_item(ga_min(distances)),
               ga_item(ga_mean(distances)), ga_item(ga_max(distances)));
        printf("pairs of x       %lld, smallest %.10g, mean %.10g; as a matrix %s\n", (long long)pairs->size,
               ga_item(ga_min(pairs)), ga_item(ga_mean(pairs)),
               same ? "they are ga_cdist(x, x)" : "THEY DIFFER FROM ga_cdist(x, x)");
        printf("cityblock        mean %.10g, largest %.10g\n", ga_item(ga_mean(cdist_cityblock(p))),
               ga_item(ga_max(cdist_cityblock(p))));

        mkdir(out, 0777);
        snprintf(path, sizeof path, "%s/distances.png", out);
        ga_imshow(path, distances, .cmap = "viridis", .colorbar = true, .title = "distances of points in six groups");
        printf("\n%s\n", path);
    }
    return 0;
}
