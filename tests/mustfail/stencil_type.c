/* gcc: "types are bool, int8_t ... int64_t"  clang: "types are bool, int8_t ... int64_t"  flags:  */
/* lines: gcc 8 clang 8 g++ 8 clang++ 8 nvcc 8 */
#define GPUARR_KERNELS
#include "gpuarr.h"
GA_STENCIL(wrong, (1), double, (flaot a), GA_AT(-1) + a) /* HERE */
