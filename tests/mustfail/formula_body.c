/* gcc: "before"  clang: "expected ';' at end of declaration"  flags:  */
#define GPUARR_KERNELS
#include "gpuarr.h"
GA_ELEMENTWISE(wrong, int, (int x), { int y = x + 1 return y; }) /* HERE */
