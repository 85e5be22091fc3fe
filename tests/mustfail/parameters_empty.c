/* gcc: "there are no parameters"  clang: "there are no parameters"  flags:  */
/* lines: gcc 4 clang 5 g++ 4 clang++ 5 nvcc 5 */
#define GPUARR_KERNELS
#include "gpuarr.h"
GA_ELEMENTWISE(wrong, double, (), 2.0) /* HERE */
