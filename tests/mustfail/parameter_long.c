/* gcc: "types are bool, int8_t ... int64_t"  clang: "types are bool, int8_t ... int64_t" flags:  */
/* lines: gcc 4 clang 5 g++ 4 clang++ 5 nvcc 5 */
#define GPUARR_KERNELS
#include "gpuarr.h"
GA_ELEMENTWISE(wrong, double, (double x, long y), x * (double)y) /* HERE */
