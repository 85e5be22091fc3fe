/* gcc: "an accumulator has at most GPUARR_MAX_ACCUMULATOR bytes"  clang: "an accumulator has at most GPUARR_MAX_ACCUMULATOR bytes"  flags:  */
#define GPUARR_KERNELS
#include "gpuarr.h"
typedef struct numbers {
    double v[9];
} numbers;
GA_FUNCTION numbers only(double x)
{
    numbers n = { { x } };
    return n;
}
GA_REDUCTION(many, double, (double x), numbers, only(0), only(x), a, a.v[0]) /* HERE */
