/*  primes.c -- counts primes in three ways: a loop in C, a kernel of your own, and whole arrays (the sieve of Eratosthenes).

    cc examples/primes.c -I. -lm -lpthread -o primes && ./primes
    nvcc -x cu -std=c++17 -arch=native -fmad=false examples/primes.c -I. -o primes && ./primes --device cuda               */
#define GPUARR_STATIC
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include <string.h>

/* One number: called by the loop and by the kernel. */
GA_FUNCTION bool is_prime(int n)
{
    if (n < 2) return false;
    for (int i = 2; i <= n / i; i++)
        if (n % i == 0) return false;
    return true;
}
GA_ELEMENTWISE(is_prime_of, bool, (int n), is_prime(n))

static int64_t by_loop(int below)
{
    int64_t count = 0;
    for (int n = 0; n < below; n++) count += is_prime(n);
    return count;
}

static int64_t by_kernel(int below)
{
    int64_t count = 0;
    ga_scope {
        ga_array *numbers = ga_arange(0, below, 1, .dtype = GA_I32);
        count             = (int64_t)ga_item(ga_count_nonzero(ga_apply(is_prime_of, (numbers))));
    }
    return count;
}

static int64_t by_sieve(int below)
{
    int64_t count = 0;
    ga_scope {
        ga_array *prime = ga_ones((below), .dtype = GA_BOOL), *no = ga_zeros((1), .dtype = GA_BOOL);
        ga_copyto(ga_index(prime, ":2"), no);
        for (int i = 2; i <= below / i; i++)
            if (ga_item_at(prime, i) != 0) ga_copyto(ga_index(prime, "%d::%d", i * i, i), no);
        count = (int64_t)ga_item(ga_count_nonzero(prime));
    }
    return count;
}

int main(int argc, char **argv)
{
    ga_on_error(GA_EXIT); /* an error ends the program, and says why */
    if (argc == 3 && !strcmp(argv[2], "cuda")) ga_set_device(GA_CUDA);
    printf("%12s %10s %10s %10s\n", "primes below", "loop", "kernel", "sieve");
    for (int below = 10; below <= 1000000; below *= 10) {
        int64_t counts[3];
        double  start = ga_now(), seconds[3];
        counts[0]     = by_loop(below);
        seconds[0]    = ga_now() - start;
        start         = ga_now();
        counts[1]     = by_kernel(below);
        seconds[1]    = ga_now() - start;
        start         = ga_now();
        counts[2]     = by_sieve(below);
        seconds[2]    = ga_now() - start;
        printf("%12d %10lld %10lld %10lld\n", below, (long long)counts[0], (long long)counts[1], (long long)counts[2]);
        if (below == 1000000) printf("%12s %10.4f %10.4f %10.4f\n", "seconds", seconds[0], seconds[1], seconds[2]);
    }
    return 0;
}
