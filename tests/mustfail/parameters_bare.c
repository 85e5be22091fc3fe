/* gcc: "put the parameters in parentheses"  clang: "put the parameters in parentheses"  flags:  */
/* lines: gcc 12 clang 8 g++ 8 clang++ 8 nvcc 8 */
#define GPUARR_KERNELS
#include "gpuarr.h"
GA_ELEMENTWISE(wrong, double, double x, x * 2) /* HERE */
