/* gcc: "incompatible types when returning"  clang: "incompatible result type"  flags:  */
/* lines: gcc 3 clang 5 g++ 3 clang++ 5 nvcc 3 */
#define GPUARR_KERNELS
#include "gpuarr.h"
GA_REDUCTION(wrong, double, (double x), double, 0, &x, a + b, a) /* HERE */
