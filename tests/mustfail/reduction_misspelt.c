/* gcc: "undeclared (first use"  clang: "use of undeclared identifier 'y'"  flags:  */
#define GPUARR_KERNELS
#include "gpuarr.h"
GA_REDUCTION(norm, double, (double x), double, 0, x * y, a + b, GA_SQRT(a)) /* HERE */
