/* gcc: "undeclared (first use"  clang: "use of undeclared identifier 'y'" flags:  */
/* lines: gcc 4 clang 3 g++ 3 clang++ 3 nvcc 5 */
#define GPUARR_KERNELS
#include "gpuarr.h"
GA_REDUCTION(norm, double, (double x), double, 0, x * y, a + b, GA_SQRT(a)) /* HERE */
