/* gcc: "unterminated argument list"  clang: "unterminated function-like macro"  flags:  */
/* lines: gcc 8 clang 8 g++ 8 clang++ 8 nvcc 8 */
#define GPUARR_KERNELS
#include "gpuarr.h"
GA_ELEMENTWISE(wrong, int, (int x), { if (x > 0 return 1; return 0; }) /* HERE */
