/* Random numbers that are drawn one by one, permutations and choices: worked examples, moments, the same numbers for any number of threads
   and in chunks, and every error.
   cc tests/impl.c tests/chance.c -lm -lpthread */
#include "test.h"

/* Are the mean and the variance what they should be, within five of their own standard deviations? */
static bool has_moments(ga_array *x, double mean, double variance, double fourth)
{
    const double n = x ? (double)x->size : 0, m = x ? ga_item(ga_mean(x)) : NAN, v = x ? ga_item(ga_var(x)) : NAN;
    const bool   ok =
        fabs(m - mean) <= 5 * sqrt(variance / n) && fabs(v - variance) <= 5 * sqrt((fourth - variance * variance) / n);
    if (!ok) printf("     mean %g of %g, variance %g of %g\n", m, mean, v, variance);
    return ok;
}

static void test_moments(void)
{
    ga_scope {
        CHECK(has_moments(ga_random_exponential(2, (100000), .seed = 1), 2, 4, 9 * 16));
        CHECK(has_moments(ga_random_gamma(3, 2, (100000), .seed = 2), 6, 12, 3 * 12 * 12 * (1 + 2.0 / 3)));
        CHECK(has_moments(ga_random_gamma(0.5, 1, (100000), .seed = 3), 0.5, 0.5, 3 * 0.25 * (1 + 4)));
        CHECK(has_moments(ga_random_beta(2, 2, (100000), .seed = 4), 0.5, 0.05, 0.0054));
        CHECK(has_moments(ga_random_beta(0.5, 0.5, (100000), .seed = 5), 0.5, 0.125, 0.0235));
        CHECK(has_moments(ga_random_binomial(10, 0.3, (100000), .seed = 6), 3, 2.1, 2.1 * (1 + 3 * 8 * 0.21)));
        CHECK(has_moments(ga_random_binomial(1000, 0.5, (20000), .seed = 7), 500, 250, 3 * 250 * 250));
        CHECK(has_moments(ga_random_poisson(3, (100000), .seed = 8), 3, 3, 3 * (1 + 9)));
        CHECK(has_moments(ga_random_poisson(1000, (20000), .seed = 9), 1000, 1000, 3.1e6));
        CHECK(has_moments(ga_random_gamma(1e6, 1, (100000), .seed = 13), 1e6, 1e6, 3e12));
        CHECK(has_moments(ga_random_gamma(0.01, 1, (100000), .seed = 14), 0.01, 0.01, 3 * 1e-4 * (1 + 200)));
        CHECK(has_moments(ga_random_gamma(1e13, 1, (100000), .seed = 15), 1e13, 1e13, 3e26));
        CHECK(has_moments(ga_random_poisson(1e-3, (100000), .seed = 16), 1e-3, 1e-3, 1e-3));
        CHECK(has_moments(ga_random_poisson(41, (100000), .seed = 17), 41, 41, 41 * (1 + 3 * 41)));
        CHECK(has_moments(ga_random_poisson(1e12, (100000), .seed = 18), 1e12, 1e12, 3e24));
        CHECK(has_moments(ga_random_binomial(1000000000000, 0.75, (100000), .seed = 19), 7.5e11, 1.875e11, 3 * 3.515625e22));
        CHECK(has_moments(ga_random_binomial(127, 0.5, (100000), .seed = 20), 63.5, 31.75, 3 * 31.75 * 31.75));
        CHECK(has_moments(ga_random_binomial(128, 0.5, (100000), .seed = 21), 64, 32, 3 * 32 * 32));
        double    mean[] = { 1, -1 }, cov[] = { 4, 1, 1, 1 };
        ga_array *x = ga_random_multivariate_normal(ga_from(mean, (2)), ga_from(cov, (2, 2)), (100000), .seed = 10);
        CHECK(has_moments(ga_index(x, ":, 0"), 1, 4, 48) && has_moments(ga_index(x, ":, 1"), -1, 1, 3));
        CHECK(has_moments(ga_subtract(ga_index(x, ":, 0"), ga_index(x, ":, 1")), 2, 3, 27));
        CHECK(has_moments(ga_random_choice(4, (100000), .seed = 11), 1.5, 1.25, 2.5625));
        CHECK(has_moments(ga_random_choice(2, (100000), .p = ga_values(0.25, 0.75), .seed = 12), 0.75, 0.1875, 0.08203125));
    }
}

static void test_places(void)
{
    ga_scope {
        ga_array *rows = ga_reshape(ga_arange(0, 30, 1), (10, 3)), *order = ga_random_permutation(10, .seed = 1);
        CHECK(order->dtype == GA_I64 && ga_array_equal(ga_sort(order), ga_arange(0, 10, 1)) &&
              !ga_array_equal(order, ga_arange(0, 10, 1)));
        ga_array *mixed = ga_random_permutation(rows, .seed = 1), *here = ga_copy(rows);
        CHECK(ga_array_equal(mixed, ga_take(rows, order, .axis = 0)) &&
              !ga_array_equal(order, ga_random_permutation(10, .seed = 2)));
        CHECK(ga_random_shuffle(here, .seed = 1) == here && ga_array_equal(here, mixed));
        CHECK(ga_random_shuffle(ga_transpose(here), 1, .seed = 3) != NULL &&
              !ga_array_equal(here, mixed)); /* a view: the same rows */
        CHECK(ga_random_permutation(0)->size == 0 && ga_random_permutation(ga_zeros((2, 0)), 1)->ndim == 2);

        for (int n = 4095; n < 200000; n = 3 * n + 1) /* the order of uniform numbers, however it is made */
            CHECK(ga_array_equal(ga_random_permutation(n, .seed = 4, .stream = 2),
                                 ga_argsort(ga_random((n), .seed = 4, .stream = 2))));

        ga_array *some = ga_random_choice(10, (4), false, .seed = 5);
        CHECK(ga_unique(some)->size == 4 && ga_random_choice(10, (10), .replace = false)->size == 10);
        /* Few of many: all different, all alike likely, and of a population that no memory holds. */
        for (int64_t n = 8; n <= 4096; n *= 8) {
            ga_array *few = ga_random_choice(n, (n / 4), .replace = false, .seed = (uint64_t)n);
            CHECK(ga_unique(few)->size == n / 4 && ga_item(ga_min(few)) >= 0 && ga_item(ga_max(few)) < (double)n);
        }
        int sum = 0, first = 0;
        for (uint64_t seed = 1; seed <= 4000; seed++)
            ga_scope {
                ga_array *two = ga_random_choice(9, (2), .replace = false, .seed = seed);
                sum += (int)ga_item(ga_sum(two));
                first += ga_item(ga_index(two, "0")) == 3;
            }
        CHECK(abs(sum - 32000) < 900 && abs(first - 444) < 100); /* each 4 in the mean, five standard deviations */
        CHECK(ga_unique(ga_random_choice(INT64_C(1) << 62, (1000), .replace = false, .seed = 7))->size == 1000);
        const double ones = ga_item(ga_mean(ga_random_beta(3e-320, 1e-320, (10000), .seed = 7)));
        CHECK(ones > 0.73 && ones < 0.77);                   /* each is 0 or 1 */
        ga_array *shares = ga_full((1000), 1 / 3.0, GA_F32); /* rounded: their sum is not 1 to the last bit of float64 */
        ga_divide(shares, ga_sum(shares), .out = shares);
        CHECK(ga_random_choice(1000, (5), .p = shares, .seed = 6)->size == 5);
        CHECK_IS(ga_random_choice(3, (2, 2), .p = ga_values(0, 1, 0)), GA_I64, (2, 2), 1, 1, 1, 1);
        CHECK_IS(ga_random_choice(ga_values(7), (), .seed = 3), GA_F64, (), 7);
        ga_array *columns = ga_random_choice(rows, (2, 2), .axis = 1, .seed = 4);
        CHECK(columns->ndim == 3 && columns->shape[0] == 10 && columns->shape[2] == 2);
    }
}

/* One by one, in chunks, by any number of threads. */
static void test_alike(void)
{
    ga_scope {
        const int threads = ga_get_num_threads();
        ga_array *got[2][3];
        for (int k = 0; k < 2; k++) {
            ga_set_num_threads(k ? 5 : 1);
            got[k][0] = ga_random_gamma(2.5, 1, (30000), .seed = 1);
            got[k][1] = ga_random_poisson(100, (300, 100), .seed = 1);
            got[k][2] = ga_random_beta(0.1, 3, (30000), .seed = 1, .stream = 7);
        }
        ga_set_num_threads(threads);
        for (int i = 0; i < 3; i++) CHECK(test_same_bits(got[0][i], got[1][i]));
        CHECK(test_same_bits(ga_compute(ga_random_gamma(2.5, 1, (30000), .seed = 1, .chunks = ga_chunks(777))), got[0][0]));
        CHECK(
            test_same_bits(ga_compute(ga_random_poisson(100, (300, 100), .seed = 1, .chunks = ga_chunks(50, 31))), got[0][1]));
        CHECK(test_same_bits(ga_astype(got[0][0], GA_F32), ga_random_gamma(2.5, 1, (30000), GA_F32, .seed = 1)));
        const ga_shape by         = ga_chunks(777);
        ga_array      *every[][2] = {
                 { ga_random_exponential(2, (3000), .chunks = by), ga_random_exponential(2, (3000)) },
                 { ga_random_gamma(0.3, 2, (3000), .chunks = by), ga_random_gamma(0.3, 2, (3000)) },
                 { ga_random_beta(3, 2, (3000), GA_F32, .chunks = by), ga_random_beta(3, 2, (3000), GA_F32) },
                 { ga_random_poisson(3, (3000), GA_U8, .chunks = by), ga_random_poisson(3, (3000), GA_U8) },
                 { ga_random_binomial(1000, 0.7, (3000), .chunks = by), ga_random_binomial(1000, 0.7, (3000)) },
        };
        for (size_t k = 0; k < sizeof every / sizeof *every; k++) /* some elements, each the same alone */
            for (int s = 0; s < 3; s++)
                CHECK(test_same_bits(ga_compute(ga_index(every[k][0], "%d::%d", 5 * s, 7 * s + 1)),
                                     ga_copy(ga_index(every[k][1], "%d::%d", 5 * s, 7 * s + 1))));
        CHECK(test_same_bits(ga_random_gamma(1, 3, (100)), ga_random_exponential(3, (100))));
        CHECK_IS(ga_random_poisson(0, (3), GA_U8), GA_U8, (3), 0, 0, 0);
        CHECK_IS(ga_random_poisson(1e6, (3), GA_U8), GA_U8, (3), 255, 255, 255); /* no more than the dtype holds */
        CHECK_IS(ga_random_binomial(1000, 0.9, (2), GA_I8), GA_I8, (2), 127, 127);
        CHECK_IS(ga_random_binomial(0, 0.5, (2)), GA_I64, (2), 0, 0);
        CHECK_IS(ga_random_binomial(1000, 0, (2)), GA_I64, (2), 0, 0);
        CHECK_IS(ga_random_binomial(7, 1, (2)), GA_I64, (2), 7, 7);
        CHECK_IS(ga_random_exponential(0, (2)), GA_F64, (2), 0, 0);
    }
}

static void test_errors(void)
{
    ga_scope {
        ga_array *mean = ga_values(0, 0);
        CHECK_FAILS(ga_random_exponential(-1, (2)), "scale is -1: it must be 0 or more");
        CHECK(ga_item_int(ga_count_nonzero(ga_random_gamma(0, 1, (1000)))) == 0);
        CHECK_FAILS(ga_random_gamma(-1, 1, (2)), "the shape parameter is -1: it must be 0 or more");
        CHECK_FAILS(ga_random_gamma(1, NAN, (2)), "scale is nan");
        CHECK_FAILS(ga_random_beta(1, -2, (2)), "b is -2: it must be larger than 0");
        CHECK_FAILS(ga_random_binomial(-1, 0.5, (2)), "n is -1: it must be 0 or more");
        CHECK_FAILS(ga_random_binomial(1, 1.5, (2)), "p is 1.5: it must be 0 or more, and at most 1");
        CHECK_FAILS(ga_random_poisson(INFINITY, (2)), "lam is inf");
        CHECK_FAILS(ga_random_poisson(1, (2), GA_F64), "float64: counts need an integer dtype");
        CHECK_FAILS(ga_random_gamma(1, 1, (2), GA_I64), "random numbers are floats");
        CHECK_FAILS(ga_random_permutation(-1), "must be an integer, and 0 or more");
        CHECK_FAILS(ga_random_permutation(2.5), "must be an integer, and 0 or more");
        CHECK_FAILS(ga_random_permutation(ga_scalar(1)), "the array has no dimensions");
        CHECK_FAILS(ga_random_shuffle(mean, 1), "there is no axis 1");
        CHECK_FAILS(ga_random_choice(0, (2)), "there is nothing to choose from");
        CHECK_FAILS(ga_random_choice(3, (4), .replace = false), "4 of 3 cannot be chosen without replacement");
        CHECK_FAILS(ga_random_choice(1, (INT64_MAX / 2, 3), .replace = false), "more elements than can be counted");
        CHECK_FAILS(ga_random_choice(1, (-1), .replace = false), "has a negative length");
        CHECK_FAILS(ga_random_choice(3, (2), .p = mean), "one probability for each of 3");
        CHECK_FAILS(ga_random_choice(2, (2), .p = mean), "their sum 1: it is 0");
        CHECK_FAILS(ga_random_choice(2, (2), .p = ga_values(1.5, -0.5)), "must be 0 or more");
        CHECK_FAILS(ga_random_choice(2, (2), .p = ga_values(0, 1), .replace = false), "only 1 probabilities are not 0");
        CHECK_FAILS(ga_random_multivariate_normal(mean, ga_ones((3, 3)), (2)), "shapes (2,) and (3, 3) do not fit");
        CHECK_FAILS(ga_random_multivariate_normal(mean, ga_ones((2, 2)), (1, 1, 1, 1, 1, 1, 1, 1)), "the vectors one more");
        double bad[] = { 1, 2, 2, 1 };
        CHECK_FAILS(ga_random_multivariate_normal(mean, ga_from(bad, (2, 2)), (2)), "the eigenvalue -1");
    }
}

int main(void)
{
    test_begin();
    test_moments();
    test_places();
    test_alike();
    test_errors();
    return test_end();
}
