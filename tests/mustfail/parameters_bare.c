/* gcc: "put the parameters in parentheses"  clang: "put the parameters in parentheses"  flags:  */
/* lines: gcc 7 clang 6 g++ 5 clang++ 6 nvcc 5 */
#define GPUARR_KERNELS
#include "gpuarr.h"
GA_ELEMENTWISE(wrong, double, double x, x * 2) /* HERE */
