/* gcc: "types are bool, int8_t ... int64_t"  clang: "types are bool, int8_t ... int64_t"  flags:  */
/* lines: gcc 4 clang 6 g++ 4 clang++ 6 nvcc 5 */
#define GPUARR_KERNELS
#include "gpuarr.h"
GA_STENCIL(wrong, (1), double, (flaot a), GA_AT(-1) + a) /* HERE */
