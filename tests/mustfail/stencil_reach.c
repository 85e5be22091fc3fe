/* gcc: "put the reach along 1 to 3 axes in parentheses"  clang: "put the reach along 1 to 3 axes in parentheses"  flags:  */
/* lines: gcc 2 clang 4 g++ 2 clang++ 4 nvcc 3 */
#define GPUARR_KERNELS
#include "gpuarr.h"
GA_STENCIL(wrong, 1, double, (void), GA_AT(-1)) /* HERE */
