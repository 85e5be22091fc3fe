/* gcc: "types are bool, int8_t ... int64_t"  clang: "types are bool, int8_t ... int64_t"  flags:  */
/* lines: gcc 2 clang 4 g++ 2 clang++ 4 nvcc 3 */
#define GPUARR_KERNELS
#include "gpuarr.h"
GA_ELEMENTWISE_T(wrong, REAL, T, (T x, flaot y), x * y) /* HERE */
