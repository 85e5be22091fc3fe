/* gcc: "unterminated argument list"  clang: "unterminated function-like macro"  flags:  */
/* lines: gcc 4 clang 5 g++ 4 clang++ 5 nvcc 2 */
#define GPUARR_KERNELS
#include "gpuarr.h"
GA_ELEMENTWISE(wrong, int, (int x), { if (x > 0 return 1; return 0; }) /* HERE */
