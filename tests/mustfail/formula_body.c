/* gcc: "before"  clang: "expected ';' at end of declaration" flags:  */
/* lines: gcc 8 clang 6 g++ 8 clang++ 6 nvcc 5 */
#define GPUARR_KERNELS
#include "gpuarr.h"
GA_ELEMENTWISE(wrong, int, (int x), { int y = x + 1 return y; }) /* HERE */
