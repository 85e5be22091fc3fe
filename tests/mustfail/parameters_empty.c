/* gcc: "there are no parameters"  clang: "there are no parameters"  flags:  */
/* lines: gcc 2 clang 4 g++ 2 clang++ 4 nvcc 5 */
#define GPUARR_KERNELS
#include "gpuarr.h"
GA_ELEMENTWISE(wrong, double, (), 2.0) /* HERE */
