/* What three tests reduce with: an accumulator that is a struct, for the mean and the variance in one pass. Include gpuarr.h before. */
#ifndef MOMENTS_H
#define MOMENTS_H

typedef struct moments {
    double n, mean, m2;
} moments;

GA_FUNCTION moments moments_of(double n, double x)
{
    moments m = { n, x, 0 };
    return m;
}

/* Chan's way to join means and sums of squared distances from them. */
GA_FUNCTION moments joined(moments a, moments b)
{
    double  n = a.n + b.n, d = b.mean - a.mean;
    moments m = { n, a.mean + d * (b.n / n), a.m2 + b.m2 + d * d * (a.n * b.n / n) };
    return m;
}

#endif
