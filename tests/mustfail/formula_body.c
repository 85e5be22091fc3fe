/* gcc: "before"  clang: "expected ';' at end of declaration" flags:  */
/* lines: gcc 5 clang 4 g++ 3 clang++ 3 nvcc 3 */
#define GPUARR_KERNELS
#include "gpuarr.h"
GA_ELEMENTWISE(wrong, int, (int x), { int y = x + 1 return y; }) /* HERE */
