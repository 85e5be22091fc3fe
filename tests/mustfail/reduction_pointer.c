/* gcc: "incompatible types when returning"  clang: "incompatible result type"  flags:  */
/* lines: gcc 8 clang 8 g++ 8 clang++ 8 nvcc 8 */
#define GPUARR_KERNELS
#include "gpuarr.h"
GA_REDUCTION(wrong, double, (double x), double, 0, &x, a + b, a) /* HERE */
